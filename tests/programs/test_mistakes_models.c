/* Mistakes in building and computing models, as somebody makes them who comes from PyTorch, Keras, kann or NumPy:
   shapes that broadcast by chance, axes, weights that are shared, steps and heads in another order, what a loss wants,
   values that are asked for too early. */
#include "mistakes.h"

static gtr_tensor *floats_of(world *w, const char *name, gtr_shape shape)
{
    return gtr_input(context(w), name, GTR_F32, shape);
}
static gtr_tensor *ints_of(world *w, const char *name, gtr_shape shape)
{
    return gtr_input(context(w), name, GTR_I32, shape);
}
static gtr_tensor *weights_of(world *w, const char *name, gtr_shape shape)
{
    return gtr_parameter(context(w), name, shape, (gtr_init){ .kind = GTR_INIT_UNIFORM, .a = 0.1f });
}
static gtr_tensor *numbers(world *w, gtr_shape shape) { return gtr_constant(context(w), GTR_F32, shape, features); }
/* Sequences of 16 steps of 8, and images of 4 channels. */
static gtr_tensor *steps(world *w)
{
    if (!w->x) w->x = floats_of(w, "x", gtr_shape3(GTR_BATCH, 16, 8));
    return w->x;
}
static gtr_tensor *steps_first(world *w)
{
    const int dims[3] = { 1, 0, 2 };
    return gtr_permute(steps(w), dims);
}
static gtr_shape shape5(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e)
{
    return (gtr_shape){ 5, { a, b, c, d, e } };
}
/* A context of its own beside the world's, and an input of it. */
static gtr_tensor *foreign(world *w, gtr_dtype dtype, gtr_shape shape)
{
    if (!w->other) w->other = gtr_create(w->cd);
    return gtr_input(w->other, "stranger", dtype, shape);
}

static void logs(gtr_level level, const char *text, void *user) { (void)level; note((world *)user, text); }

/* An error's text that names as a cure what is none here, fails. */
static void misled(world *w, const char *cure)
{
    if (!strstr(gtr_error_text(w->ctx), cure)) return;
    gtr_error_clear(w->ctx);
    note(w, "(named what is no cure here)");
}

static void right_programs(void)
{
    RIGHT("a class token in front of a sequence, attention, and the token's scores") {
        gtr_tensor *token = gtr_mul(gtr_slice(steps(w), 1, 0, 1), numbers(w, gtr_shape0()));
        gtr_tensor *both[2] = { gtr_add(token, weights_of(w, "token", gtr_shape1(8))), w->x };
        gtr_tensor *h = gtr_multihead_attention(gtr_concat(both, 2, 1), NULL, "att", 2, (gtr_attention_desc){ 0 });
        w->y = ints_of(w, "y", gtr_shape1(GTR_BATCH));
        w->logits = gtr_linear(gtr_flatten(gtr_slice(h, 1, 0, 1)), "fc", 3);
        column(w, 0, wide, GTR_F32, gtr_shape2(16, 8));
        w->ad.rows = 8;
        fit(w);
    }
    RIGHT("scores of each step, permuted for cross_entropy") {
        const int classes_second[3] = { 0, 2, 1 };
        gtr_tensor *h = gtr_lstm(steps(w), "lstm", 8, (gtr_recurrent_desc){ 0 });
        w->y = ints_of(w, "y", gtr_shape2(GTR_BATCH, 16));
        gtr_cross_entropy(gtr_permute(gtr_linear(h, "fc", 3), classes_second), w->y);
    }
    RIGHT("three scores of each of three steps, reshaped for cross_entropy") {
        gtr_tensor *x = floats_of(w, "x", gtr_shape3(GTR_BATCH, 3, 8)), *y = ints_of(w, "y", gtr_shape2(GTR_BATCH, 3));
        gtr_cross_entropy(gtr_reshape(gtr_linear(x, "fc", 3), gtr_shape2(-3, 3)), gtr_reshape(y, gtr_shape1(-3)));
    }
    RIGHT("quantile, huber and poisson_nll with their arguments in order") {
        one_score(w); floats(w, 1);
        w->loss = gtr_add(gtr_quantile(w->logits, w->y), gtr_huber(w->logits, w->y));
        w->loss = gtr_add(w->loss, gtr_poisson_nll(w->logits, w->y));
        column(w, 1, ones, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    RIGHT("what a network reads restored by it: its target is its input") {
        w->loss = gtr_mse(gtr_linear(hidden(w), "out", 4), input(w));
        trainer(w);
    }
}

static void leaves(void)
{
    MISTAKE("an input of float16, for mixed precision", "\"x\"|float16|float32") {
        gtr_input(context(w), "x", GTR_F16, gtr_shape2(GTR_BATCH, 4));
    }
    MISTAKE("an input of nine dimensions", "\"x\"|9|8") {
        gtr_shape s = shape5(GTR_BATCH, 1, 1, 1, 1);
        s.ndim = 9;
        floats_of(w, "x", s);
    }
    MISTAKE("a shape whose ndim is -1", "\"x\"|-1|0 to 8") {
        floats_of(w, "x", (gtr_shape){ -1, { GTR_BATCH, 4 } });
    }
    MISTAKE("an input of more elements than memory may have", "\"x\"|1099511627776") {
        floats_of(w, "x", gtr_shape3(GTR_BATCH, (int64_t)1 << 40, (int64_t)1 << 40));
    }
    MISTAKE("a parameter of no rows", "\"w\"|(0, 4)|at least 1") { weights_of(w, "w", gtr_shape2(0, 4)); }
    MISTAKE("a constant parameter of 1 whose .a is forgotten", "\"w\"|.a|0") {
        gtr_parameter(context(w), "w", gtr_shape1(4), (gtr_init){ .kind = GTR_INIT_CONSTANT });
    }
    MISTAKE("a uniform parameter whose range ends below 0", "\"w\"|.a|-0.1") {
        gtr_parameter(context(w), "w", gtr_shape1(4), (gtr_init){ .kind = GTR_INIT_UNIFORM, .a = -0.1f });
    }
    MISTAKE("initial values of a kind that is none", "\"w\"|kind|7") {
        gtr_parameter(context(w), "w", gtr_shape1(4), (gtr_init){ .kind = (gtr_init_kind)7, .a = 1 });
    }
    MISTAKE("a constant with a row for each of the batch", "constant|(N, 4)|gtr_input") {
        numbers(w, gtr_shape2(GTR_BATCH, 4));
    }
    MISTAKE("a constant of float64 from doubles", "constant|float64|float32") {
        gtr_constant(context(w), GTR_F64, gtr_shape1(4), doubles);
    }
    MISTAKE("a parameter of a layer's name, and the layer", "\"fc1.weight\"|already") {
        weights_of(w, "fc1.weight", gtr_shape2(8, 4));
        hidden(w);
    }
    MISTAKE("a scope that stays open behind the network, and a fit", "\"enc\"|gtr_scope_end") {
        gtr_scope_begin(context(w), "enc");
        fit(w);
    }
    MISTAKE("a scope of an empty name", "gtr_scope_begin|name") { gtr_scope_begin(context(w), ""); }
    MISTAKE("nodes let go that a predictor computes", "gtr_release|predictor") {
        scores(w);
        const int64_t mark = gtr_mark(w->ctx);
        w->p = gtr_predictor_create(gtr_softmax(w->logits, 1), 8);
        gtr_release(w->ctx, mark);
    }
    MISTAKE("nodes let go to a mark below 0", "gtr_release|-1") { gtr_release(context(w), -1); }
    MISTAKE("nodes let go to a mark that is not reached", "gtr_release|1000") {
        scores(w);
        gtr_release(w->ctx, 1000);
    }
}
static void states(void)
{
    MISTAKE("a state of one row, not of the batch's", "\"h\"|(8,)|GTR_BATCH") {
        gtr_state(context(w), "h", gtr_shape1(8));
    }
    MISTAKE("a state that becomes another shape", "\"h\"|(N, 8)|(N, 4)") {
        gtr_state_next(gtr_state(context(w), "h", gtr_shape2(GTR_BATCH, 8)), input(w));
    }
    MISTAKE("an input that is to be carried as a state", "gtr_state_next|\"x\"|state") {
        gtr_state_next(input(w), gtr_tanh(input(w)));
    }
    MISTAKE("a state whose next is said twice", "gtr_state_next|\"h\"") {
        gtr_tensor *h = gtr_state(context(w), "h", gtr_shape2(GTR_BATCH, 4));
        gtr_state_next(h, gtr_tanh(input(w)));
        gtr_state_next(h, gtr_tanh(input(w)));
    }
    MISTAKE("a state that stays zeros, as nobody says what comes next", "\"h\"|gtr_state_next") {
        gtr_tensor *h = gtr_state(context(w), "h", gtr_shape2(GTR_BATCH, 8));
        w->h = gtr_gru_cell(input(w), h, "gru", 8);
        fit(w);
    }
    MISTAKE("a state's next that NULL is", "gtr_state_next|\"h\"|NULL") {
        gtr_state_next(gtr_state(context(w), "h", gtr_shape2(GTR_BATCH, 8)), NULL);
    }
    MISTAKE("a state that takes its next behind the trainer", "gtr_state_next|\"h\"|trainer") {
        gtr_tensor *h = gtr_state(context(w), "h", gtr_shape2(GTR_BATCH, 8));
        gtr_tensor *next = gtr_gru_cell(input(w), h, "gru", 8);
        w->h = next;
        trainer(w);
        gtr_state_next(h, next);
    }
}

static void carried(world *w)
{
    gtr_tensor *h = gtr_state(context(w), "h", gtr_shape2(GTR_BATCH, 8));
    w->h = gtr_gru_cell(input(w), h, "gru", 8);
    gtr_state_next(h, w->h);
    w->fd.silent = false;
}
static void states_of_fits(void)
{
    MISTAKE("states carried from row to row, which are shuffled", "states|shuffled|.no_shuffle") { carried(w); fit(w); }
    MISTAKE("states carried into a last batch that is smaller", "\"h\"|.drop_last") {
        carried(w);
        w->fd.batch = 7; w->fd.no_shuffle = true; w->fd.epochs = 2;
        fit(w);
    }
    RIGHT("states carried in order") { carried(w); w->fd.no_shuffle = true; fit(w); }
}
static void elementwise(void)
{
    MISTAKE("an activation of labels", "relu|int32|gtr_to_float") { gtr_relu(labels(w)); }
    MISTAKE("a sum of ids", "add|int32|gtr_to_float") { gtr_add(labels(w), labels(w)); }
    MISTAKE("accuracy by hand: argmax compared with labels", "equal|int32|gtr_to_float") {
        gtr_equal(gtr_argmax(scores(w), 1), labels(w));
    }
    MISTAKE("a mean of labels", "mean|int32|gtr_to_float") { gtr_mean(labels(w), NULL, 0, false); }
    MISTAKE("rows' weights (N) times rows (N, 4)", "mul|(N, 4)|(N,)") {
        gtr_mul(input(w), floats_of(w, "weight", gtr_shape1(GTR_BATCH)));
    }
    MISTAKE("rows by their norms without keep", "div|(N, 4)|(N,)") {
        const int one[1] = { 1 };
        gtr_div(input(w), gtr_norm(input(w), 2, one, 1, false));
    }
    MISTAKE("mse by hand of (N, 1) and (N), which NumPy makes (N, N)", "sub|(N, 1)|(N,)") {
        w->fd.silent = false;
        one_score(w);
        w->loss = gtr_mean(gtr_square(gtr_sub(w->logits, floats_of(w, "y", gtr_shape1(GTR_BATCH)))), NULL, 0, false);
        column(w, 1, target, GTR_F32, gtr_shape0());
        fit(w);
    }
    MISTAKE("an embedding of ids (N, 1) added to features", "add|(N, 1, 8)|(N, 8)") {
        w->cd.log = logs; w->cd.log_user = w;
        gtr_tensor *e = gtr_embedding(ints_of(w, "id", gtr_shape2(GTR_BATCH, 1)), "e", 3, 8);
        w->h = gtr_add(hidden(w), e);
        loss(w);
    }
    MISTAKE("experts (N, 4, 8) by a gate (N, 4)", "mul|(N, 4, 8)|(N, 4)") {
        gtr_mul(gtr_reshape(gtr_linear(input(w), "experts", 32), gtr_shape3(GTR_BATCH, 4, 8)),
            gtr_softmax(gtr_linear(input(w), "gate", 4), 1));
    }
    MISTAKE("a constant with as many rows as the batch will have", "add|(N, 4)|(8, 4)") {
        gtr_add(input(w), numbers(w, gtr_shape2(8, 4)));
    }
    MISTAKE("where of branches that do not meet", "where|(N, 8)|(N, 3)") {
        gtr_where(gtr_greater(hidden(w), numbers(w, gtr_shape0())), hidden(w), scores(w));
    }
    MISTAKE("a clamp up to NaN", "clamp|nan") { gtr_clamp(input(w), 0, (float)NAN); }
    MISTAKE("a scale of 1 / 0", "scale|inf") { gtr_scale(input(w), (float)INFINITY, 0); }
    MISTAKE("a slope of NaN", "leaky_relu|nan") { gtr_leaky_relu(input(w), (float)NAN); }
    MISTAKE("a softplus of beta -1", "softplus|beta|-1") { gtr_softplus(input(w), -1); }
    MISTAKE("a power of NaN", "pow_scalar|nan") { gtr_pow_scalar(input(w), (float)NAN); }
    MISTAKE("noise like labels", "random|\"noise\"|int32|float32") { gtr_random_normal(labels(w), "noise"); }
    MISTAKE("two noises of one name", "\"eps\"|already") {
        gtr_add(gtr_random_normal(input(w), "eps"), gtr_random_normal(input(w), "eps"));
    }
    MISTAKE("dropout of NaN", "dropout|nan") { gtr_dropout(hidden(w), "drop", (float)NAN); }
    MISTAKE("dropout of ids", "dropout|int32|float32") { gtr_dropout(labels(w), "drop", 0.5f); }
    MISTAKE("a slope for each of 4 channels of 8", "prelu|(4,)|(N, 8)") {
        gtr_prelu_with(hidden(w), weights_of(w, "slope", gtr_shape1(4)));
    }
}
static void reductions(void)
{
    const int minus3[1] = { -3 }, twice[2] = { 1, -1 }, all3[3] = { 0, 1, 2 }, one[1] = { 1 };
    MISTAKE("a sum over axis -3 of two", "sum|axis -3|(N, 4)") { gtr_sum(input(w), minus3, 1, false); }
    MISTAKE("a maximum over axes 1 and -1, which are one", "max|1|twice") { gtr_max(input(w), twice, 2, false); }
    MISTAKE("a mean over three axes of two", "mean|3|(N, 4)") { gtr_mean(input(w), all3, 3, false); }
    MISTAKE("a sum over -1 axes, for the last", "sum|-1") { gtr_sum(input(w), NULL, -1, false); }
    MISTAKE("a sum over an axis that NULL is", "sum|1|NULL") { gtr_sum(input(w), NULL, 1, false); }
    MISTAKE("an unbiased variance of one number", "var|unbiased|(N, 1)") {
        gtr_var(one_score(w), one, 1, true, false);
    }
    MISTAKE("a norm of p 3", "norm|3|INFINITY") { gtr_norm(input(w), 3, NULL, 0, false); }
    MISTAKE("softmax of one score, for two classes", "softmax|(N, 1)|gtr_sigmoid") {
        w->fd.silent = false;
        w->loss = gtr_mse(gtr_softmax(one_score(w), 1), floats(w, 1));
        with_labels(w, ones, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    MISTAKE("softmax of ids", "softmax|int32|float32") { gtr_softmax(ints_of(w, "id", gtr_shape2(GTR_BATCH, 4)), 1); }
    MISTAKE("argmax along axis 2 of two", "argmax|axis 2|(N, 3)") { gtr_argmax(scores(w), 2); }
    MISTAKE("argmax of probabilities of one class", "argmax|(N, 1)") {
        w->cd.log = logs; w->cd.log_user = w;
        gtr_tensor *t = gtr_argmax(gtr_sigmoid(one_score(w)), 1);
        set_inputs(w);
        gtr_eval(&t, 1);
    }
    MISTAKE("a running sum along axis -3 of two", "cumsum|axis -3|(N, 4)") { gtr_cumsum(input(w), -3); }
    MISTAKE("the 0 largest", "top_k|k 0|1") { gtr_top_k(hidden(w), 0, 1); }
    MISTAKE("the largest 3 of the batch", "top_k|batch|axis 0") { gtr_top_k(hidden(w), 3, 0); }
    MISTAKE("labels sorted", "sort|int32|float32") { gtr_sort(labels(w), 0, false); }
    MISTAKE("a sort along axis 5", "sort|axis 5|(N, 8)") { gtr_sort(hidden(w), 5, true); }
    MISTAKE("a sum's second output, as max has one", "sum|output") { gtr_output(gtr_sum(input(w), one, 1, false), 1); }
    MISTAKE("an output of number -1, for the last", "split|-1") { gtr_output(gtr_split(hidden(w), 1, 2), -1); }
    MISTAKE("the third of two parts", "split|output|2") { gtr_output(gtr_split(hidden(w), 1, 2), 2); }
}
static void shapes(void)
{
    MISTAKE("view(-1, 8), as PyTorch merges batch and steps", "reshape|(N, 16, 8)|-1 is N|-16") {
        gtr_reshape(steps(w), gtr_shape2(-1, 8));
    }
    MISTAKE("reshape with 0 for what stays, as ONNX has it", "reshape|(0, 2, 4)|zero") {
        gtr_reshape(hidden(w), gtr_shape3(0, 2, 4));
    }
    MISTAKE("a permutation that NULL is", "permute|NULL") { gtr_permute(input(w), NULL); }
    MISTAKE("a permutation with axis -1 for the last", "permute|-1|(N, 16, 8)") {
        const int dims[3] = { 0, -1, 1 };
        gtr_permute(steps(w), dims);
    }
    MISTAKE("a join of nothing", "concat|0 tensors") { input(w); gtr_concat(&w->x, 0, 1); }
    MISTAKE("a join with a tensor that was not made", "concat|2|NULL") {
        gtr_tensor *t[2] = { input(w), NULL };
        w->h = gtr_concat(t, 2, 1);
        trainer(w);
    }
    MISTAKE("a join along axis 2 of two", "concat|axis 2|(N, 4)") {
        gtr_tensor *t[2] = { input(w), input(w) };
        gtr_concat(t, 2, 2);
    }
    MISTAKE("features joined with ids", "concat|float32|int32") {
        gtr_tensor *t[2] = { input(w), ints_of(w, "id", gtr_shape2(GTR_BATCH, 1)) };
        gtr_concat(t, 2, 1);
    }
    MISTAKE("images joined along the last axis, as Keras has channels", "concat|dimension 3|(N, 4, 8, 8)|(N, 8,") {
        gtr_tensor *t[2] = { floats_of(w, "a", gtr_shape4(GTR_BATCH, 4, 8, 8)),
            floats_of(w, "b", gtr_shape4(GTR_BATCH, 8, 8, 8)) };
        gtr_concat(t, 2, 3);
    }
    MISTAKE("a U-Net's halves of 7 and 2 * 3 pixels", "concat|(N, 4, 7, 7)|(N, 4, 6, 6)") {
        gtr_tensor *x = image(w, 4, 7, 7), *t[2] = { x, gtr_upsample2d(gtr_max_pool2d(x, 2, 2, 0), 2, false) };
        gtr_concat(t, 2, 1);
    }
    MISTAKE("a class token (1, 1, 8) in front of a batch's steps", "concat|(1, 1, 8)|(N, 16, 8)") {
        gtr_tensor *t[2] = { weights_of(w, "token", gtr_shape3(1, 1, 8)), steps(w) };
        gtr_concat(t, 2, 1);
    }
    MISTAKE("a pile of unlike rows", "stack|(N, 4)|(N, 8)") {
        gtr_tensor *t[2] = { input(w), hidden(w) };
        gtr_stack(t, 2, 1);
    }
    MISTAKE("a pile on axis 4 of three", "stack|axis 4|(N, 4)") {
        gtr_tensor *t[2] = { input(w), input(w) };
        gtr_stack(t, 2, 4);
    }
    MISTAKE("a slice from -2, as Python's last two", "slice|-2|8") { gtr_slice(hidden(w), 1, -2, 8); }
    MISTAKE("a slice beyond the end, which NumPy cuts", "slice|10|8") { gtr_slice(hidden(w), 1, 4, 10); }
    MISTAKE("one column by begin and end alike", "slice|begin 3|end 3") { gtr_slice(hidden(w), 1, 3, 3); }
    MISTAKE("every 0-th column", "slice_step|step 0|fc1") { gtr_slice_step(hidden(w), 1, 0, 8, 0); }
    MISTAKE("the batch in two halves, for two augmentations", "split|batch|fc1") { gtr_split(hidden(w), 0, 2); }
    MISTAKE("parts of 0", "split|0 parts|(N, 8)|fc1") { gtr_split(hidden(w), 1, 0); }
    MISTAKE("more pairs of padding than dimensions", "pad|3|(N, 8)|fc1") {
        const int64_t pad[6] = { 1, 1, 0, 0, 0, 0 };
        gtr_pad(hidden(w), pad, 3, GTR_PAD_CONSTANT, 0);
    }
    MISTAKE("a padding that cuts all off", "pad|-4|8|fc1") {
        const int64_t pad[2] = { -4, -4 };
        gtr_pad(hidden(w), pad, 1, GTR_PAD_CONSTANT, 0);
    }
    MISTAKE("a value for a mirror", "pad|value|GTR_PAD_CONSTANT") {
        w->cd.log = logs; w->cd.log_user = w;
        const int64_t pad[2] = { 1, 1 };
        gtr_pad(hidden(w), pad, 1, GTR_PAD_REFLECT, 5);
    }
    MISTAKE("a padding of a mode that is none", "pad|mode|9") {
        const int64_t pad[2] = { 1, 1 };
        gtr_pad(hidden(w), pad, 1, (gtr_pad_mode)9, 0);
    }
    MISTAKE("a tile of 0 times for once", "tile|0|(N, 8)") {
        const int64_t times[2] = { 1, 0 };
        gtr_tile(hidden(w), times);
    }
    MISTAKE("a token repeated as often as the batch has rows", "tile|-1") {
        const int64_t times[2] = { GTR_BATCH, 1 };
        gtr_tile(weights_of(w, "token", gtr_shape2(1, 8)), times);
    }
    MISTAKE("rows of the batch rolled", "roll|batch|dimension 0|fc1") { gtr_roll(hidden(w), 1, 0); }
    MISTAKE("all axes flipped, the batch's too", "flip|batch|fc1") {
        const int both[2] = { 0, 1 };
        gtr_flip(hidden(w), both, 2);
    }
}
static void indices(void)
{
    MISTAKE("rows of a batch gathered by ids", "gather_rows|(N, 8)|batch") { gtr_gather_rows(hidden(w), labels(w)); }
    MISTAKE("a gather along the batch", "gather|axis 0|batch") {
        gtr_gather(hidden(w), 0, ints_of(w, "id", gtr_shape2(GTR_BATCH, 8)));
    }
    MISTAKE("actions from 1 gathered from two outputs", "\"action\"|2|0 to 1|gather") {
        gtr_tensor *a = ints_of(w, "action", gtr_shape2(GTR_BATCH, 1));
        gtr_tensor *q = gtr_gather(gtr_linear(hidden(w), "q", 2), 1, a);
        static int32_t one_or_two[ROWS];
        for (int i = 0; i < ROWS; i++) one_or_two[i] = 1 + i % 2;
        gtr_set(w->x, features, sizeof features);
        gtr_set(a, one_or_two, sizeof one_or_two);
        gtr_eval(&q, 1);
    }
    MISTAKE("padding of -1 in ids of an embedding", "\"id\"|-1|0 to 9|embedding") {
        gtr_tensor *id = ints_of(w, "id", gtr_shape2(GTR_BATCH, 2)), *e = gtr_embedding(id, "e", 10, 4);
        const int32_t padded[4] = { 3, 4, 5, -1 };
        gtr_set(id, padded, sizeof padded);
        gtr_eval(&e, 1);
    }
    MISTAKE("classes of one_hot beyond its number", "\"y\"|2|0 to 1|one_hot") {
        gtr_tensor *o = gtr_one_hot(labels(w), 2);
        gtr_set(w->y, label, sizeof label);
        gtr_eval(&o, 1);
    }
    MISTAKE("an embedding without a width", "embedding|width|0") { gtr_embedding(labels(w), "e", 10, 0); }
    MISTAKE("a table of one dimension for an embedding", "embedding|(8,)|table") {
        gtr_embedding_with(labels(w), weights_of(w, "e", gtr_shape1(8)));
    }
    MISTAKE("rows of the batch for an embedding's table", "embedding|(N, 8)|batch") {
        gtr_embedding_with(labels(w), hidden(w));
    }
    MISTAKE("more places than a table of positions has", "embedding|16|10") {
        gtr_tensor *e = gtr_embedding(gtr_arange(steps(w), 1), "positions", 10, 8);
        gtr_set(w->x, wide, 16 * 8 * sizeof(gtr_float));
        gtr_eval(&e, 1);
    }
    MISTAKE("rows scattered by ids of another number", "scatter_add|(N, 2)|(N, 4)") {
        gtr_scatter_add_rows(ints_of(w, "id", gtr_shape2(GTR_BATCH, 2)), gtr_linear(input(w), "fc", 4), 10);
    }
    MISTAKE("rows scattered into none", "scatter_add|(0, 4)") { gtr_scatter_add_rows(labels(w), input(w), 0); }
    MISTAKE("one_hot of labels (N, 1), for cross_entropy", "cross_entropy|(N, 1, 3)|(N, 3)") {
        gtr_cross_entropy(scores(w), gtr_one_hot(ints_of(w, "y", gtr_shape2(GTR_BATCH, 1)), 3));
    }
    MISTAKE("one_hot of a negative number of classes", "one_hot|-1") { gtr_one_hot(labels(w), -1); }
}

static void products(void)
{
    MISTAKE("a product with a vector, as NumPy's dot", "matmul|(N, 4)|(4,)") {
        gtr_matmul(input(w), weights_of(w, "v", gtr_shape1(4)));
    }
    MISTAKE("a product with leading 1, which PyTorch broadcasts", "matmul|(N, 16, 8)|(1, 8, 5)") {
        gtr_matmul(steps(w), weights_of(w, "w", gtr_shape3(1, 8, 5)));
    }
    MISTAKE("scores by an embedding's table without its transpose", "matmul|(N, 8)|(10, 8)|gtr_matmul_t") {
        gtr_matmul(hidden(w), weights_of(w, "table", gtr_shape2(10, 8)));
    }
    MISTAKE("a Gram matrix transposed on the wrong side", "matmul|(N, 16, 8)|(N, 4, 8)") {
        gtr_matmul_t(steps(w), true, floats_of(w, "b", gtr_shape3(GTR_BATCH, 4, 8)), false);
    }
    MISTAKE("a product with ids", "matmul|int32|float32") {
        gtr_matmul(ints_of(w, "id", gtr_shape2(GTR_BATCH, 4)), weights_of(w, "w", gtr_shape2(4, 8)));
    }
    MISTAKE("one number a row, (N), into a linear layer", "linear|(N,)|(N, 1)") {
        gtr_linear(floats_of(w, "age", gtr_shape1(GTR_BATCH)), "fc", 8);
    }
    MISTAKE("a linear layer of a mean over all", "linear|()") {
        gtr_linear(gtr_mean(hidden(w), NULL, 0, false), "fc", 3);
    }
    MISTAKE("a descriptor of a linear layer without .out", "linear|out|0") {
        gtr_linear_ex(input(w), "fc", (gtr_linear_desc){ .no_bias = true });
    }
    MISTAKE("a layer's weights shared by an input of another width", "linear|(N, 8)|(8, 4)") {
        hidden(w);
        gtr_linear_with(w->h, gtr_parameter_find(w->ctx, "fc1.weight"), NULL);
    }
    MISTAKE("weight and bias of a linear layer exchanged", "linear|(8,)|(8, 4)|weight (M, K)") {
        gtr_linear_with(input(w), weights_of(w, "b", gtr_shape1(8)), weights_of(w, "w", gtr_shape2(8, 4)));
    }
    MISTAKE("weights looked for by a name with a typing error", "linear|2|NULL") {
        hidden(w);
        w->h = gtr_linear_with(w->x, gtr_parameter_find(w->ctx, "fc1.weigth"), NULL);
        trainer(w);
    }
    MISTAKE("a layer of 2^62 outputs", "\"fc.weight\"|4611686018427387904") {
        gtr_linear(input(w), "fc", (int64_t)1 << 62);
    }
    MISTAKE("bilinear of sequences of other lengths", "bilinear|(N, 16, 8)|(N, 5, 8)") {
        gtr_bilinear(steps(w), floats_of(w, "b", gtr_shape3(GTR_BATCH, 5, 8)), "bi", 4);
    }
    MISTAKE("bilinear with weights (A, B, M)", "bilinear|(8, 8, 4)|(M, A, B)") {
        gtr_bilinear_with(steps(w), steps(w), weights_of(w, "w", gtr_shape3(8, 8, 4)), NULL);
    }
    MISTAKE("a residual of an image and flat features", "residual|(N, 8)|(N, 4, 8, 8)") {
        gtr_residual(floats_of(w, "flat", gtr_shape2(GTR_BATCH, 8)), image(w, 4, 8, 8), "skip");
    }
    MISTAKE("a residual whose branch is larger than its image", "residual|(N, 4, 8, 8)|(N, 4, 16, 16)") {
        image(w, 4, 8, 8);
        gtr_residual(w->x, gtr_upsample2d(w->x, 2, false), "skip");
    }
}
/* Weights shared as Keras does: by calling the same layer again. */
static void names(void)
{
    MISTAKE("twins of one convolution by its name", "conv.weight|already|_with") {
        gtr_conv2d(image(w, 4, 8, 8), "conv", 4, 3, 1, 1);
        gtr_conv2d(w->x, "conv", 4, 3, 1, 1);
    }
    MISTAKE("two places of one embedding by its name", "e.weight|already|_with") {
        gtr_embedding(ints_of(w, "a", gtr_shape1(GTR_BATCH)), "e", 10, 4);
        gtr_embedding(ints_of(w, "b", gtr_shape1(GTR_BATCH)), "e", 10, 4);
    }
    MISTAKE("one batch_norm for two branches by its name", "bn.weight|already|_with") {
        gtr_batch_norm(hidden(w), "bn");
        gtr_batch_norm(gtr_tanh(hidden(w)), "bn");
    }
    MISTAKE("one LSTM for two sentences by its name", "lstm.weight_ih_l0|already|_with") {
        gtr_lstm(steps(w), "lstm", 8, (gtr_recurrent_desc){ 0 });
        gtr_lstm(floats_of(w, "b", gtr_shape3(GTR_BATCH, 16, 8)), "lstm", 8, (gtr_recurrent_desc){ 0 });
    }
    MISTAKE("blocks of a transformer in a loop with one name", "block.self_attn.in_proj_weight|already|another name") {
        gtr_tensor *h = steps(w);
        for (int i = 0; i < 2; i++) h = gtr_transformer_block(h, "block", (gtr_transformer_desc){ .heads = 2 });
    }
    MISTAKE("a cell's name with another hidden size", "\"cell\"|weight_ih|(32, 4)|(64, 4)") {
        gtr_tensor *c = NULL, *d = NULL;
        gtr_lstm_cell(input(w), NULL, &c, "cell", 8);
        gtr_lstm_cell(input(w), NULL, &d, "cell", 16);
    }
    MISTAKE("a GRU's cell of an LSTM's name", "gru_cell|\"cell\"|weight_ih|(32, 4)|(24, 4)") {
        gtr_tensor *c = NULL;
        gtr_lstm_cell(input(w), NULL, &c, "cell", 8);
        gtr_gru_cell(input(w), NULL, "cell", 8);
    }
    MISTAKE("a layer_norm without a name", "layer_norm|name") { gtr_layer_norm(hidden(w), NULL, 1, 0); }
}

static void convolutions(void)
{
    const gtr_conv_desc d = { .out = 8, .kernel = 3 };
    MISTAKE("padding -1 for \"same\"", "conv2d|padding|-1") { gtr_conv2d(image(w, 4, 8, 8), "conv", 8, 3, 1, -1); }
    MISTAKE("a dilation that makes a kernel larger than its image", "conv2d|dilated 9|8") {
        w->conv = d; w->conv.dilation = 4;
        gtr_conv2d_ex(image(w, 4, 8, 8), "conv", w->conv);
    }
    MISTAKE("a dilation below 0", "conv2d|dilation|-2") {
        w->conv = d; w->conv.dilation = -2;
        gtr_conv2d_ex(image(w, 4, 8, 8), "conv", w->conv);
    }
    MISTAKE("a kernel_w of -1, as padding_w may be", "conv2d|kernel_w|-1") {
        w->conv = d; w->conv.kernel_w = -1;
        gtr_conv2d_ex(image(w, 4, 8, 8), "conv", w->conv);
    }
    MISTAKE("depthwise with a number of outputs that groups do not divide", "conv2d|6|4 groups") {
        w->conv = d; w->conv.out = 6; w->conv.groups = 4;
        gtr_conv2d_ex(image(w, 4, 8, 8), "conv", w->conv);
    }
    MISTAKE("groups -1 for depthwise", "conv2d|groups|-1") {
        w->conv = d; w->conv.groups = -1;
        gtr_conv2d_ex(image(w, 4, 8, 8), "conv", w->conv);
    }
    MISTAKE("whole weights for a grouped convolution", "conv2d|(8, 4, 3, 3)|(N, 4, 8, 8)|2 groups") {
        gtr_conv2d_with(image(w, 4, 8, 8), weights_of(w, "k", gtr_shape4(8, 4, 3, 3)), NULL,
            (gtr_conv_desc){ .groups = 2 });
    }
    MISTAKE("a kernel of 5 beside given weights of 3", "conv2d|.kernel|not read|another size") {
        gtr_conv2d_with(image(w, 4, 8, 8), weights_of(w, "k", gtr_shape4(8, 4, 3, 3)), NULL,
            (gtr_conv_desc){ .kernel = 5 });
    }
    MISTAKE("a bias of the channels in, beside given weights", "conv2d|bias (4,)|bias (O,)") {
        gtr_conv2d_with(image(w, 4, 8, 8), weights_of(w, "k", gtr_shape4(8, 4, 3, 3)),
            weights_of(w, "b", gtr_shape1(4)), (gtr_conv_desc){ 0 });
    }
    MISTAKE("a bias, and .no_bias", "conv2d|bias|.no_bias") {
        gtr_conv2d_with(image(w, 4, 8, 8), weights_of(w, "k", gtr_shape4(8, 4, 3, 3)),
            weights_of(w, "b", gtr_shape1(8)), (gtr_conv_desc){ .no_bias = true });
    }
    MISTAKE("weights of a convolution as a matrix", "conv2d|(8, 36)|(O, C / groups, KH, KW)") {
        gtr_conv2d_with(image(w, 4, 8, 8), weights_of(w, "k", gtr_shape2(8, 36)), NULL, (gtr_conv_desc){ 0 });
    }
    MISTAKE("a convolution of ids", "conv1d|int32|float32") {
        gtr_conv1d(ints_of(w, "id", gtr_shape3(GTR_BATCH, 4, 16)), "conv", 8, 3, 1, 1);
    }
    MISTAKE("a convolution of clips, (N, C, T, H, W)", "conv2d|(N, 3, 4, 8, 8)|(N, C, H, W)") {
        gtr_conv2d(floats_of(w, "x", shape5(GTR_BATCH, 3, 4, 8, 8)), "conv", 8, 3, 1, 1);
    }
    MISTAKE("a series with channels last into conv1d, of a set that says so", "channels last|gtr_permute") {
        w->x = floats_of(w, "x", gtr_shape3(GTR_BATCH, 16, 4));
        w->h = gtr_flatten(gtr_relu(gtr_conv1d(w->x, "conv", 4, 3, 1, 1)));
        w->ad.column[0].channels_last = true;
        column(w, 0, wide, GTR_F32, gtr_shape2(16, 4));
        fit(w);
    }
    MISTAKE("a transposed convolution with weights (O, C, k, k)", "conv_transpose2d|(8, 4, 3, 3)|(C, O / groups") {
        gtr_conv_transpose2d_with(image(w, 4, 8, 8), weights_of(w, "k", gtr_shape4(8, 4, 3, 3)), NULL,
            (gtr_conv_desc){ 0 });
    }
    MISTAKE("an output_padding as large as the stride", "conv_transpose2d|output_padding|2") {
        w->conv = d; w->conv.stride = 2; w->conv.output_padding = 2;
        gtr_conv_transpose2d_ex(image(w, 4, 8, 8), "up", w->conv);
    }
    MISTAKE("a transposed convolution whose padding leaves nothing", "conv_transpose2d|padding|5") {
        gtr_conv_transpose2d(image(w, 4, 4, 4), "up", 8, 3, 1, 5);
    }
    MISTAKE("a code, not reshaped, into a transposed convolution", "conv_transpose2d|(N, 8)|(N, C, H, W)") {
        gtr_conv_transpose2d(hidden(w), "up", 8, 4, 2, 1);
    }
    MISTAKE("exclude_padding of max_pool", "max_pool|exclude_padding") {
        gtr_max_pool2d_ex(image(w, 4, 8, 8), (gtr_pool_desc){ .kernel = 2, .exclude_padding = true });
    }
    MISTAKE("a pool of sequences of both sizes", "max_pool|.kernel|not read|sequence") {
        gtr_max_pool2d_ex(steps(w), (gtr_pool_desc){ .kernel = 2, .kernel_w = 3 });
    }
    MISTAKE("a pool without its kernel", "avg_pool|kernel|0") { gtr_avg_pool2d(image(w, 4, 8, 8), 0, 2, 0); }
    MISTAKE("a pool of a stride below 0", "max_pool|stride|-2") { gtr_max_pool2d(image(w, 4, 8, 8), 2, -2, 0); }
    MISTAKE("the mean over an image that was flattened", "global_avg_pool|(N, 256)|(N, C, ...)") {
        gtr_global_avg_pool(gtr_flatten(image(w, 4, 8, 8)));
    }
    MISTAKE("an adaptive pool to 0 rows, for as many as there are", "adaptive_avg_pool|0") {
        gtr_adaptive_avg_pool2d(image(w, 4, 8, 8), 0, 1);
    }
    MISTAKE("an adaptive pool of sequences to 4 steps, as its height", "adaptive_avg_pool|height|4|1") {
        gtr_adaptive_avg_pool2d(steps(w), 4, 1);
    }
    MISTAKE("pixel_shuffle of a sequence", "pixel_shuffle|(N, 16, 8)|(N, C") { gtr_pixel_shuffle(steps(w), 2); }
    MISTAKE("pixel_shuffle by 0", "pixel_shuffle|0") { gtr_pixel_shuffle(image(w, 4, 8, 8), 0); }
    MISTAKE("flat features made larger", "upsample|(N, 8)|(N, C") { gtr_upsample2d(hidden(w), 2, false); }
}
static void norms(void)
{
    MISTAKE("batch_norm of one number a row, (N)", "batch_norm|(N,)|(N, C") {
        gtr_batch_norm(floats_of(w, "age", gtr_shape1(GTR_BATCH)), "bn");
    }
    MISTAKE("batch_norm with an eps below 0", "batch_norm|eps|-0.001") {
        gtr_batch_norm_ex(hidden(w), "bn", (gtr_batch_norm_desc){ .eps = -1e-3f });
    }
    RIGHT("a momentum of statistics that are frozen, as a switch leaves it") {
        gtr_batch_norm_ex(hidden(w), "bn", (gtr_batch_norm_desc){ .momentum = 0.1f, .frozen = true });
    }
    MISTAKE("given statistics of which one is NULL", "batch_norm|running_var|NULL") {
        gtr_batch_norm(hidden(w), "bn");
        w->h = gtr_batch_norm_with(hidden(w), NULL, NULL, gtr_parameter_find(w->ctx, "bn.running_mean"), NULL,
            (gtr_batch_norm_desc){ 0 });
        trainer(w);
    }
    MISTAKE("statistics that an optimizer would train", "batch_norm|\"mean\"|frozen") {
        gtr_batch_norm_with(hidden(w), NULL, NULL, weights_of(w, "mean", gtr_shape1(8)),
            weights_of(w, "var", gtr_shape1(8)), (gtr_batch_norm_desc){ 0 });
    }
    MISTAKE("statistics of another layer's width", "batch_norm|(4,)|(N, 8)") {
        gtr_batch_norm(input(w), "bn");
        gtr_batch_norm_with(hidden(w), NULL, NULL, gtr_parameter_find(w->ctx, "bn.running_mean"),
            gtr_parameter_find(w->ctx, "bn.running_var"), (gtr_batch_norm_desc){ 0 });
    }
    MISTAKE("running_mean and running_var exchanged", "batch_norm|bn.running_var|running_mean") {
        gtr_batch_norm(hidden(w), "bn");
        gtr_batch_norm_with(gtr_tanh(hidden(w)), NULL, NULL, gtr_parameter_find(w->ctx, "bn.running_var"),
            gtr_parameter_find(w->ctx, "bn.running_mean"), (gtr_batch_norm_desc){ 0 });
    }
    MISTAKE("micro-batches of one row through batch_norm", "batch_norm|one value|micro") {
        w->h = gtr_batch_norm(hidden(w), "bn");
        w->td.micro_batches = 8;
        fit(w);
    }
    RIGHT("more micro-batches than rows") { w->td.micro_batches = 16; fit(w); }
    MISTAKE("group_norm of 0 groups", "group_norm|0 groups") { gtr_group_norm(image(w, 4, 8, 8), "gn", 0, 0); }
    MISTAKE("group_norm of flat features with a group each, which is 0", "group_norm|(N, 8)|one value a group") {
        w->h = gtr_group_norm(hidden(w), "gn", 8, 0);
        fit(w);
    }
    MISTAKE("instance_norm of flat features, which is 0", "instance_norm|(N, 8)|one") {
        w->h = gtr_instance_norm(hidden(w), "in", 0);
        fit(w);
    }
    MISTAKE("layer_norm of one number a row, which is 0", "layer_norm|(N, 1)|one") {
        w->fd.silent = false;
        w->loss = gtr_mse(gtr_layer_norm(one_score(w), "ln", 1, 0), floats(w, 1));
        with_labels(w, target, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    MISTAKE("layer_norm with the weight of another layer", "layer_norm|(4,)|(N, 8)") {
        gtr_layer_norm_with(hidden(w), weights_of(w, "g", gtr_shape1(4)), NULL, 0);
    }
    MISTAKE("layer_norm with a bias of another layer", "layer_norm|(8,)|(4,)") {
        gtr_layer_norm_with(hidden(w), weights_of(w, "g", gtr_shape1(8)), weights_of(w, "b", gtr_shape1(4)), 0);
    }
    MISTAKE("dims and eps of layer_norm exchanged, so that eps is 1", "layer_norm|eps|1") {
        w->h = gtr_layer_norm(hidden(w), "ln", (int)1e-5f, 1);
        fit(w);
    }
    MISTAKE("statistics of another stage", "batch_norm|stage") {
        gtr_batch_norm(hidden(w), "bn");
        gtr_stage(w->ctx, 1);
        gtr_batch_norm_with(gtr_tanh(hidden(w)), NULL, NULL, gtr_parameter_find(w->ctx, "bn.running_mean"),
            gtr_parameter_find(w->ctx, "bn.running_var"), (gtr_batch_norm_desc){ 0 });
    }
    MISTAKE("rms_norm with an eps of NaN", "rms_norm|eps|nan") { gtr_rms_norm(hidden(w), "rms", 1, (float)NAN); }
    MISTAKE("group_norm with a bias of its groups", "group_norm|bias|(2,)|(4,)") {
        gtr_group_norm_with(image(w, 4, 8, 8), weights_of(w, "g", gtr_shape1(4)), weights_of(w, "b", gtr_shape1(2)), 2,
            0);
    }
}

static void recurrences(void)
{
    MISTAKE("features without steps into an LSTM", "lstm|(N, 4)|(N, T, I)") {
        gtr_lstm(input(w), "lstm", 8, (gtr_recurrent_desc){ 0 });
    }
    MISTAKE("steps first, as PyTorch's default, without .time_first", "gru|(16, N, 8)|time_first") {
        gtr_gru(steps_first(w), "gru", 8, (gtr_recurrent_desc){ 0 });
    }
    MISTAKE("time_first of rows first", "gru|(N, 16, 8)|time_first") {
        gtr_gru(steps(w), "gru", 8, (gtr_recurrent_desc){ .time_first = true });
    }
    MISTAKE("a GRU without its hidden size", "gru|hidden|0") { gtr_gru(steps(w), "gru", 0, (gtr_recurrent_desc){ 0 }); }
    MISTAKE("ids into an LSTM", "lstm|int32|gtr_embedding") {
        gtr_lstm(ints_of(w, "id", gtr_shape3(GTR_BATCH, 16, 1)), "lstm", 8, (gtr_recurrent_desc){ 0 });
    }
    MISTAKE("dropout between layers of one layer", "lstm|dropout|layer") {
        gtr_lstm(steps(w), "lstm", 8, (gtr_recurrent_desc){ .dropout = 0.5f });
    }
    MISTAKE("-1 layers", "rnn|layers|-1") { gtr_rnn(steps(w), "rnn", 8, (gtr_recurrent_desc){ .layers = -1 }); }
    MISTAKE("relu of an LSTM, as Keras' activation", "lstm|relu|gtr_rnn") {
        gtr_lstm(steps(w), "lstm", 8, (gtr_recurrent_desc){ .relu = true });
    }
    MISTAKE("a GRU's cell state", "gru|.c_last|gtr_lstm") {
        gtr_tensor *c = NULL;
        gtr_gru(steps(w), "gru", 8, (gtr_recurrent_desc){ .c_last = &c });
    }
    MISTAKE("first states (layers, N, H), as PyTorch's", "gru|(2, N, 8)|(N, H)") {
        gtr_tensor *a = floats_of(w, "a", gtr_shape2(GTR_BATCH, 8)), *two[2] = { a, a };
        gtr_tensor *h[2] = { gtr_stack(two, 2, 0), NULL };
        gtr_gru(steps(w), "gru", 8, (gtr_recurrent_desc){ .layers = 2, .h = h });
    }
    MISTAKE("first states for a batch of 8, a constant", "gru|(8, 16)|(N, 16)") {
        gtr_tensor *h[1] = { gtr_constant(context(w), GTR_F32, gtr_shape2(8, 16), wide) };
        gtr_gru(steps(w), "gru", 16, (gtr_recurrent_desc){ .h = h });
    }
    MISTAKE("lengths in floats", "lstm|lengths|float32|int32") {
        gtr_lstm(steps(w), "lstm", 8, (gtr_recurrent_desc){ .lengths = floats_of(w, "n", gtr_shape1(GTR_BATCH)) });
    }
    MISTAKE("lengths (N, 1)", "lstm|lengths|(N, 1)|(N") {
        gtr_lstm(steps(w), "lstm", 8, (gtr_recurrent_desc){ .lengths = ints_of(w, "n", gtr_shape2(GTR_BATCH, 1)) });
    }
    MISTAKE("a length beyond the steps", "\"n\"|20|0 to 16") {
        gtr_tensor *n = ints_of(w, "n", gtr_shape1(GTR_BATCH));
        gtr_tensor *y = gtr_lstm(steps(w), "lstm", 8, (gtr_recurrent_desc){ .lengths = n });
        const int32_t length[2] = { 5, 20 };
        gtr_set(w->x, wide, 2 * 16 * 8 * sizeof(gtr_float));
        gtr_set(n, length, sizeof length);
        gtr_eval(&y, 1);
    }
    MISTAKE("a mask of steps for their lengths", "lstm|lengths|(N, 16)|(N") {
        gtr_lstm(steps(w), "lstm", 8, (gtr_recurrent_desc){ .lengths = ints_of(w, "mask", gtr_shape2(GTR_BATCH, 16)) });
    }
    MISTAKE("an LSTM's cell without a place for c", "lstm_cell|c|NULL") {
        w->h = gtr_lstm_cell(input(w), NULL, NULL, "cell", 8);
        trainer(w);
    }
    MISTAKE("a cell's state of another width", "gru_cell|h float32 (N, 4)|weight_hh float32 (24, 8)") {
        gtr_gru_cell(input(w), gtr_tanh(input(w)), "cell", 8);
    }
    MISTAKE("a cell with weights that are all NULL", "rnn_cell|weight_ih|NULL") {
        w->h = gtr_rnn_cell_with(input(w), NULL, (gtr_cell){ 0 });
        trainer(w);
    }
    MISTAKE("a cell whose weights are exchanged", "gru_cell|weight_ih|(24, 8)|(24, 4)") {
        gtr_tensor *ih = weights_of(w, "ih", gtr_shape2(24, 4)), *hh = weights_of(w, "hh", gtr_shape2(24, 8));
        gtr_gru_cell_with(input(w), NULL, (gtr_cell){ .weight_ih = hh, .weight_hh = ih });
    }
    MISTAKE("all steps' scores for one label a row, as with return_sequences", "cross_entropy|(N, 16, 3)|(N,)") {
        gtr_tensor *h = gtr_lstm(steps(w), "lstm", 8, (gtr_recurrent_desc){ 0 });
        w->logits = gtr_linear(h, "fc", 3);
        gtr_cross_entropy(w->logits, labels(w));
    }
}
static void attentions(void)
{
    const gtr_attention_desc none = { 0 };
    MISTAKE("heads that do not divide the width", "multihead_attention|3|8") {
        gtr_multihead_attention(steps(w), NULL, "att", 3, none);
    }
    MISTAKE("no heads", "multihead_attention|heads|0") { gtr_multihead_attention(steps(w), NULL, "att", 0, none); }
    MISTAKE("heads and their width exchanged, as Keras' key_dim", "multihead_attention|64|8") {
        gtr_multihead_attention(steps(w), NULL, "att", 64, none);
    }
    MISTAKE("attention of rows without steps", "multihead_attention|(N, 8)|(N, T, E)") {
        gtr_multihead_attention(hidden(w), NULL, "att", 2, none);
    }
    MISTAKE("attention with steps first, as PyTorch's default", "multihead_attention|(16, N, 8)|(N, T, E)") {
        gtr_multihead_attention(steps_first(w), NULL, "att", 2, none);
    }
    MISTAKE("memory of another width", "multihead_attention|(N, 5, 6)|(N, 16, 8)") {
        gtr_multihead_attention(steps(w), floats_of(w, "m", gtr_shape3(GTR_BATCH, 5, 6)), "att", 2, none);
    }
    MISTAKE("a mask of integers", "multihead_attention|mask|int32|float32") {
        gtr_multihead_attention(steps(w), NULL, "att", 2,
            (gtr_attention_desc){ .mask = ints_of(w, "m", gtr_shape2(16, 16)) });
    }
    MISTAKE("a key_padding_mask (N, S) for the mask", "multihead_attention|mask|(N, 16)|(N, 1, 1, S)") {
        gtr_multihead_attention(steps(w), NULL, "att", 2,
            (gtr_attention_desc){ .mask = floats_of(w, "m", gtr_shape2(GTR_BATCH, 16)) });
    }
    MISTAKE("a mask (N, T, S) without heads", "multihead_attention|mask|(N, 16, 16)|(N, 2, 16, 16)") {
        gtr_multihead_attention(steps(w), NULL, "att", 2,
            (gtr_attention_desc){ .mask = floats_of(w, "m", gtr_shape3(GTR_BATCH, 16, 16)) });
    }
    MISTAKE("a mask of 1 for attended and 0 for not", "attention|mask|0 and 1|-INFINITY") {
        w->fd.silent = false;
        gtr_float tril[256];
        for (int i = 0; i < 256; i++) tril[i] = (gtr_float)(i % 16 <= i / 16);
        w->h = gtr_multihead_attention(steps(w), NULL, "att", 2,
            (gtr_attention_desc){ .mask = gtr_constant(context(w), GTR_F32, gtr_shape2(16, 16), tril) });
        w->h = gtr_flatten(w->h);
        w->y = ints_of(w, "y", gtr_shape1(GTR_BATCH));
        column(w, 0, wide, GTR_F32, gtr_shape2(16, 8));
        w->ad.rows = 8;
        fit(w);
    }
    MISTAKE("lengths of attention in floats", "attention|lengths|float32|int32") {
        gtr_multihead_attention(steps(w), NULL, "att", 2,
            (gtr_attention_desc){ .lengths = floats_of(w, "n", gtr_shape1(GTR_BATCH)) });
    }
    MISTAKE("a dropout of attention that leaves nothing", "att.dropout|1|p < 1") {
        gtr_multihead_attention(steps(w), NULL, "att", 2, (gtr_attention_desc){ .dropout = 1 });
    }
    MISTAKE("a scale of NaN, from sqrt of a negative number", "attention|scale|nan") {
        gtr_multihead_attention(steps(w), NULL, "att", 2, (gtr_attention_desc){ .scale = (float)NAN });
    }
    MISTAKE("queries without heads", "attention|(N, 16, 8)|(N, T, H, D)") {
        gtr_attention(steps(w), steps(w), steps(w), none);
    }
    MISTAKE("heads in front of steps, as PyTorch's function has them", "attention|(N, 2, 16, 4)|(N, 2, 10, 4)|(N, T,") {
        gtr_tensor *q = floats_of(w, "q", gtr_shape4(GTR_BATCH, 2, 16, 4));
        gtr_tensor *k = floats_of(w, "k", gtr_shape4(GTR_BATCH, 2, 10, 4));
        gtr_attention(q, k, k, none);
    }
    MISTAKE("keys without values", "attention|3|NULL") {
        gtr_tensor *q = floats_of(w, "q", gtr_shape4(GTR_BATCH, 16, 2, 4));
        w->h = gtr_attention(q, q, NULL, none);
        w->loss = gtr_mean(w->h, NULL, 0, false);
        trainer(w);
    }
    MISTAKE("queries, keys and values in one without their dimension", "attention|(N, 16, 2, 4)|(N, T, 3, H, D)") {
        gtr_attention(floats_of(w, "q", gtr_shape4(GTR_BATCH, 16, 2, 4)), NULL, NULL, none);
    }
    MISTAKE("queries and keys of other widths", "attention|(N, 16, 2, 4)|(N, 16, 2, 8)") {
        gtr_tensor *k = floats_of(w, "k", gtr_shape4(GTR_BATCH, 16, 2, 8));
        gtr_attention(floats_of(w, "q", gtr_shape4(GTR_BATCH, 16, 2, 4)), k, k, none);
    }
    MISTAKE("in_proj_weight (E, 3 E), as GPT-2's", "multihead_attention|(8, 24)|(3 E, E)") {
        gtr_multihead_attention_with(steps(w), NULL, (gtr_multihead){ .in_proj_weight = weights_of(w, "in",
            gtr_shape2(8, 24)), .out_proj_weight = weights_of(w, "out", gtr_shape2(8, 8)) }, 2, none);
    }
    MISTAKE("positions of rows without steps", "add_positions|(N, 8)|(N, T, E)") { gtr_add_positions(hidden(w), 0); }
    MISTAKE("positions of ids, before their embedding", "add_positions|int32|gtr_embedding") {
        gtr_add_positions(ints_of(w, "id", gtr_shape3(GTR_BATCH, 16, 8)), 0);
    }
    MISTAKE("rope of all heads' columns side by side", "rope|(N, 16, 8)|(N, T, H, D)") { gtr_rope(steps(w), 0, 0); }
    MISTAKE("rope of an odd width", "rope|7|even") {
        gtr_rope(floats_of(w, "q", gtr_shape4(GTR_BATCH, 16, 2, 7)), 0, 0);
    }
    MISTAKE("rope of a base below 0", "rope|base|-1") {
        gtr_rope(floats_of(w, "q", gtr_shape4(GTR_BATCH, 16, 2, 4)), -1, 0);
    }
}
static void blocks(void)
{
    MISTAKE("a transformer of ids", "transformer_block|int32|gtr_embedding") {
        gtr_tensor *id = ints_of(w, "id", gtr_shape2(GTR_BATCH, 16));
        gtr_transformer_block(id, "block", (gtr_transformer_desc){ .heads = 2 });
    }
    MISTAKE("a transformer without its heads", "transformer_block|heads|0") {
        gtr_transformer_block(steps(w), "block", (gtr_transformer_desc){ 0 });
    }
    MISTAKE("groups of heads of a PyTorch block", "transformer_block|groups|GTR_BLOCK_LLAMA") {
        gtr_transformer_block(steps(w), "block", (gtr_transformer_desc){ .heads = 2, .groups = 1 });
    }
    MISTAKE("rope_base of GPT-2, which has learned positions", "transformer_block|rope_base|GTR_BLOCK_LLAMA") {
        gtr_transformer_block(steps(w), "block",
            (gtr_transformer_desc){ .kind = GTR_BLOCK_GPT2, .heads = 2, .rope_base = 10000 });
    }
    MISTAKE("gelu of Llama, which has silu", "transformer_block|gelu|not read") {
        gtr_transformer_block(steps(w), "block",
            (gtr_transformer_desc){ .kind = GTR_BLOCK_LLAMA, .heads = 2, .gelu = true });
    }
    MISTAKE("memory_attention without memory", "transformer_block|memory_attention|.memory") {
        gtr_transformer_block(steps(w), "block",
            (gtr_transformer_desc){ .heads = 2, .memory_attention = { .causal = true } });
    }
    MISTAKE("memory of GPT-2, which is a decoder alone", "transformer_block|memory|GTR_BLOCK_PYTORCH") {
        gtr_transformer_block(steps(w), "block", (gtr_transformer_desc){ .kind = GTR_BLOCK_GPT2, .heads = 2,
            .memory = floats_of(w, "m", gtr_shape3(GTR_BATCH, 5, 8)) });
    }
    MISTAKE("a block's mask of integers", "mask|int32|float32|block") {
        gtr_tensor *mask = ints_of(w, "m", gtr_shape2(16, 16));
        gtr_transformer_block(steps(w), "block", (gtr_transformer_desc){ .heads = 2, .attention = { .mask = mask } });
    }
    MISTAKE("groups that do not divide the heads", "transformer_block|3|4") {
        gtr_transformer_block(steps(w), "block",
            (gtr_transformer_desc){ .kind = GTR_BLOCK_LLAMA, .heads = 4, .groups = 3 });
    }
    MISTAKE("a dropout of a block in percent", "transformer_block|dropout|10") {
        gtr_transformer_block(steps(w), "block", (gtr_transformer_desc){ .heads = 2, .dropout = 10 });
    }
    MISTAKE("a hidden size below 0", "transformer_block|hidden|-4") {
        gtr_transformer_block(steps(w), "block", (gtr_transformer_desc){ .heads = 2, .hidden = -4 });
    }
    MISTAKE("a block of a kind that is none", "transformer_block|kind|7") {
        gtr_transformer_block(steps(w), "block", (gtr_transformer_desc){ .kind = (gtr_block)7, .heads = 2 });
    }
    MISTAKE("a step at a time of a bidirectional LSTM", "lstm|bidirectional") {
        gtr_tensor *y = gtr_lstm(steps(w), "lstm", 8, (gtr_recurrent_desc){ .bidirectional = true });
        w->p = gtr_predictor_create_ex(w->ctx, (gtr_predictor_desc){ .out = { y }, .steps = true });
    }
    MISTAKE("a step at a time of attention to steps behind it", "attention|causal") {
        gtr_tensor *y = gtr_multihead_attention(steps(w), NULL, "att", 2, (gtr_attention_desc){ 0 });
        w->p = gtr_predictor_create_ex(w->ctx, (gtr_predictor_desc){ .out = { y }, .steps = true });
    }
    MISTAKE("gtr_predict_next of a predictor of whole windows", "gtr_predict_next|.steps") {
        w->p = gtr_predictor_create(gtr_lstm(steps(w), "lstm", 8, (gtr_recurrent_desc){ 0 }), 1);
        gtr_predict_next(w->p, wide, 1, w->value);
    }
    MISTAKE("a whole window into a predictor of steps", "gtr_predict|a step|gtr_predict_next") {
        gtr_tensor *y = gtr_lstm(steps(w), "lstm", 8, (gtr_recurrent_desc){ 0 });
        w->p = gtr_predictor_create_ex(w->ctx, (gtr_predictor_desc){ .out = { y }, .steps = true });
        gtr_predict(w->p, wide, 1, w->value);
    }
}

static void losses(void)
{
    MISTAKE("logits behind relu, which are never below 0", "cross_entropy|relu|logits") {
        w->fd.silent = false;
        w->loss = gtr_cross_entropy(gtr_relu(scores(w)), labels(w));
        fit(w);
    }
    MISTAKE("softmax reshaped, then cross_entropy", "cross_entropy|softmax|logits") {
        gtr_tensor *p = gtr_softmax(gtr_linear(steps(w), "fc", 3), 2);
        gtr_cross_entropy(gtr_reshape(p, gtr_shape2(-16, 3)), ints_of(w, "y", gtr_shape1(-16)));
    }
    MISTAKE("a sigmoid clamped away from 0 and 1, then bce_with_logits", "bce_with_logits|sigmoid|logits") {
        gtr_bce_with_logits(gtr_clamp(gtr_sigmoid(one_score(w)), 1e-6f, 1 - 1e-6f), floats(w, 1));
    }
    MISTAKE("softmax, then bce_with_logits", "bce_with_logits|softmax|logits") {
        gtr_bce_with_logits(gtr_softmax(scores(w), 1), floats(w, 3));
    }
    MISTAKE("tanh, then bce", "bce|tanh|gtr_sigmoid") {
        w->loss = gtr_bce(gtr_tanh(one_score(w)), floats(w, 1));
        with_labels(w, ones, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    MISTAKE("relu, then bce", "bce|relu|gtr_sigmoid") {
        w->loss = gtr_bce(gtr_relu(one_score(w)), floats(w, 1));
        with_labels(w, ones, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    MISTAKE("log_softmax, then bce", "bce of log_softmax|gtr_softmax") {
        gtr_bce(gtr_log_softmax(scores(w), 1), floats(w, 3));
        misled(w, ".log_target");
    }
    MISTAKE("softmax, then ctc", "ctc|softmax|logits") {
        gtr_ctc(gtr_softmax(gtr_linear(steps(w), "fc", 5), 2), ints_of(w, "y", gtr_shape2(GTR_BATCH, 4)));
    }
    MISTAKE("logits for kl_div's target", "kl_div|linear|gtr_softmax") {
        gtr_kl_div(gtr_log_softmax(scores(w), 1), gtr_linear(hidden(w), "teacher", 3));
        misled(w, "gtr_bce_with_logits");
    }
    MISTAKE("softmax for kl_div's target with log_target", "kl_div|softmax|logarithms") {
        w->ld.log_target = true;
        gtr_kl_div_ex(gtr_log_softmax(scores(w), 1), gtr_softmax(gtr_linear(hidden(w), "teacher", 3), 1), w->ld);
    }
    MISTAKE("a rate by exp into poisson_nll, which takes its exp again", "poisson_nll|exp|no_log_input") {
        w->loss = gtr_poisson_nll(gtr_exp(one_score(w)), floats(w, 1));
        with_labels(w, ones, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    MISTAKE("a linear layer's rate with no_log_input", "poisson_nll|linear|gtr_exp") {
        w->ld.no_log_input = true;
        gtr_poisson_nll_ex(one_score(w), floats(w, 1), w->ld);
    }
    MISTAKE("counts below 0", "column 1, row 0|-1|poisson_nll") {
        for (int i = 0; i < ROWS; i++) w->value[i] = (gtr_float)signs[i];
        w->loss = gtr_poisson_nll(one_score(w), floats(w, 1));
        with_labels(w, w->value, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    MISTAKE("a variance from a linear layer, which may be below 0", "gaussian_nll|var|linear|gtr_softplus") {
        w->loss = gtr_gaussian_nll(one_score(w), floats(w, 1), gtr_linear(hidden(w), "var", 1));
        with_labels(w, target, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    MISTAKE("gaussian_nll without a variance", "gaussian_nll|3|NULL") {
        w->loss = gtr_gaussian_nll(one_score(w), floats(w, 1), NULL);
        trainer(w);
    }
    MISTAKE("cross_entropy without labels", "cross_entropy|2|NULL") {
        w->loss = gtr_cross_entropy(scores(w), NULL);
        trainer(w);
    }
    MISTAKE("a loss of argmax", "cross_entropy|int32|float32") {
        gtr_cross_entropy(gtr_argmax(scores(w), 1), labels(w));
    }
    MISTAKE("a rounded prediction in mse", "round|no gradient") {
        w->loss = gtr_mse(gtr_round(one_score(w)), floats(w, 1));
        trainer(w);
    }
    MISTAKE("a threshold before the loss", "greater|no gradient") {
        w->loss = gtr_mse(gtr_greater(gtr_sigmoid(one_score(w)), numbers(w, gtr_shape0())), floats(w, 1));
        trainer(w);
    }
}
/* Target first, as Keras has it: mse and l1 do not mind, others do. */
static void losses_exchanged(void)
{
    MISTAKE("target and logits of bce_with_logits exchanged", "bce_with_logits|target|linear|exchanged") {
        w->loss = gtr_bce_with_logits(floats(w, 1), one_score(w));
        with_labels(w, ones, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    MISTAKE("target and probabilities of bce exchanged", "bce|\"y\"|target|exchanged") {
        w->loss = gtr_bce(floats(w, 1), gtr_sigmoid(one_score(w)));
        with_labels(w, ones, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    MISTAKE("target and logits of the focal loss exchanged", "focal|target|linear|exchanged") {
        w->loss = gtr_focal(floats(w, 1), one_score(w));
        with_labels(w, ones, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    MISTAKE("target and prediction of a quantile exchanged", "quantile|\"y\"|target|exchanged") {
        w->ld.quantile = 0.9f;
        w->loss = gtr_quantile_ex(floats(w, 1), one_score(w), w->ld);
        with_labels(w, target, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    MISTAKE("a Gaussian's variance and target exchanged", "gaussian_nll|\"y\"|var|exchanged") {
        one_score(w); floats(w, 1);
        w->loss = gtr_gaussian_nll(w->logits, gtr_softplus(gtr_linear(w->h, "var", 1), 0), w->y);
        with_labels(w, target, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    MISTAKE("counts and logarithms of rates exchanged", "poisson_nll|\"y\"|target|exchanged") {
        w->loss = gtr_poisson_nll(floats(w, 1), one_score(w));
        with_labels(w, ones, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    MISTAKE("target and log_softmax of kl_div exchanged", "kl_div|target|exchanged") {
        w->loss = gtr_kl_div(floats(w, 3), gtr_log_softmax(scores(w), 1));
        with_labels(w, onehot, GTR_F32, gtr_shape1(3));
        fit(w);
    }
}
static void losses_of_shapes(void)
{
    MISTAKE("three predictions and one target, which PyTorch broadcasts", "mse|(N, 3)|(N, 1)") {
        gtr_mse(scores(w), floats(w, 1));
    }
    MISTAKE("scores of steps (N, T, C) and labels (N, T)", "cross_entropy|(N, 16, 3)|(N, 16)|gtr_permute") {
        gtr_cross_entropy(gtr_linear(steps(w), "fc", 3), ints_of(w, "y", gtr_shape2(GTR_BATCH, 16)));
    }
    MISTAKE("scores of as many steps as classes, whose classes are last", "cross_entropy|linear|gtr_permute") {
        w->fd.silent = false;
        gtr_tensor *x = floats_of(w, "x", gtr_shape3(GTR_BATCH, 3, 8));
        w->x = x;
        w->y = ints_of(w, "y", gtr_shape2(GTR_BATCH, 3));
        w->loss = gtr_cross_entropy(gtr_linear(x, "fc", 3), w->y);
        column(w, 0, wide, GTR_F32, gtr_shape2(3, 8));
        column(w, 1, label, GTR_I32, gtr_shape1(3));
        w->ad.rows = 8;
        fit(w);
    }
    MISTAKE("scores of all steps as rows, and labels that are not", "cross_entropy|(16*N, 3)|(N, 16)") {
        gtr_tensor *s = gtr_linear(gtr_reshape(steps(w), gtr_shape2(-16, 8)), "fc", 3);
        gtr_cross_entropy(s, ints_of(w, "y", gtr_shape2(GTR_BATCH, 16)));
    }
    MISTAKE("a mask of classes' pixels with a dimension of channels", "cross_entropy|(N, 1, 8, 8)|(N, 8, 8)") {
        gtr_cross_entropy(gtr_conv2d(image(w, 1, 8, 8), "conv", 3, 1, 1, 0),
            ints_of(w, "y", gtr_shape4(GTR_BATCH, 1, 8, 8)));
    }
    MISTAKE("accuracy of scores with classes last", "accuracy|(N, 16, 3)|(N, 16)") {
        gtr_accuracy(gtr_linear(steps(w), "fc", 3), ints_of(w, "y", gtr_shape2(GTR_BATCH, 16)));
    }
    MISTAKE("accuracy with labels (N, 1)", "accuracy|(N, 1)|(N,)") {
        gtr_accuracy(scores(w), ints_of(w, "y", gtr_shape2(GTR_BATCH, 1)));
    }
    MISTAKE("CLIP's labels along the wrong axis", "cross_entropy|(N, N)|(8,)|(N,)") {
        gtr_cross_entropy(gtr_matmul_t(hidden(w), false, gtr_tanh(hidden(w)), true), gtr_arange(hidden(w), 1));
    }
    MISTAKE("weights of rows (N) of mse's terms (N, 1)", "mse|weight|(N,)|(N, 1)") {
        w->ld.weight = floats_of(w, "w", gtr_shape1(GTR_BATCH));
        w->loss = gtr_mse_ex(one_score(w), floats(w, 1), w->ld);
    }
    MISTAKE("sample_weight (N, 1)", "cross_entropy|sample_weight|(N, 1)|(N,)") {
        w->ce.sample_weight = floats_of(w, "w", gtr_shape2(GTR_BATCH, 1));
        gtr_cross_entropy_ex(scores(w), labels(w), w->ce);
    }
    MISTAKE("a mask of integers for mse's weight", "mse|weight|int32|float32") {
        w->ld.weight = ints_of(w, "mask", gtr_shape2(GTR_BATCH, 1));
        gtr_mse_ex(one_score(w), floats(w, 1), w->ld);
    }
    MISTAKE("weights of classes in integers", "cross_entropy|weight|int32|float32") {
        w->ce.weight = gtr_constant(context(w), GTR_I32, gtr_shape1(3), label);
        gtr_cross_entropy_ex(scores(w), labels(w), w->ce);
    }
    MISTAKE("pos_weight of three for one score", "bce_with_logits|pos_weight|(3,)|(N, 1)") {
        w->ld.pos_weight = numbers(w, gtr_shape1(3));
        gtr_bce_with_logits_ex(one_score(w), floats(w, 1), w->ld);
    }
    MISTAKE("a cosine's labels (N, 1)", "cosine_embedding|(N, 1)|(N,)") {
        gtr_cosine_embedding(hidden(w), gtr_tanh(hidden(w)), floats_of(w, "s", gtr_shape2(GTR_BATCH, 1)));
    }
    MISTAKE("a cosine's labels in integers", "cosine_embedding|int32|float32") {
        gtr_cosine_embedding(hidden(w), gtr_tanh(hidden(w)), labels(w));
    }
}
static void losses_of_numbers(void)
{
    MISTAKE("a weight of a class below 0", "cross_entropy|weight|-1") {
        const gtr_float weight[3] = { 1, -1, 1 };
        w->ce.weight = gtr_constant(context(w), GTR_F32, gtr_shape1(3), weight);
        w->loss = gtr_cross_entropy_ex(scores(w), labels(w), w->ce);
        fit(w);
    }
    MISTAKE("a weight of a class that is NaN, 0 / 0", "constant|(3,)|not finite") {
        const gtr_float weight[3] = { 1, (gtr_float)NAN, 1 };
        w->ce.weight = gtr_constant(context(w), GTR_F32, gtr_shape1(3), weight);
        w->loss = gtr_cross_entropy_ex(scores(w), labels(w), w->ce);
        fit(w);
    }
    MISTAKE("weights of classes that are all 0", "cross_entropy|weight") {
        const gtr_float weight[3] = { 0, 0, 0 };
        w->ce.weight = gtr_constant(context(w), GTR_F32, gtr_shape1(3), weight);
        w->loss = gtr_cross_entropy_ex(scores(w), labels(w), w->ce);
        fit(w);
    }
    MISTAKE("weights of classes that are to be learned", "\"w\"|gradient") {
        w->fd.silent = false;
        w->ce.weight = weights_of(w, "w", gtr_shape1(3));
        w->loss = gtr_cross_entropy_ex(scores(w), labels(w), w->ce);
        fit(w);
    }
    MISTAKE("label_smoothing below 0", "cross_entropy|label_smoothing|-0.1") {
        w->ce.label_smoothing = -0.1f;
        gtr_cross_entropy_ex(scores(w), labels(w), w->ce);
    }
    MISTAKE("ignore_index of probabilities", "cross_entropy|ignore_index|not read|GTR_I32") {
        w->ce.ignore_index = -1;
        gtr_cross_entropy_ex(scores(w), floats(w, 3), w->ce);
    }
    MISTAKE("several labels a row for cross_entropy's probabilities", "column 1|row 0|2|gtr_bce_with_logits") {
        static gtr_float two[ROWS * 3];
        for (int i = 0; i < ROWS * 3; i++) two[i] = (gtr_float)(i % 3 < 2);
        w->loss = gtr_cross_entropy(scores(w), floats(w, 3));
        with_labels(w, two, GTR_F32, gtr_shape1(3));
        fit(w);
    }
    MISTAKE("probabilities in percent for labels", "column 1, row 0|100|cross_entropy|0 to 1") {
        for (int i = 0; i < ROWS * 3; i++) w->value[i] = 100 * onehot[i];
        w->loss = gtr_cross_entropy(scores(w), floats(w, 3));
        with_labels(w, w->value, GTR_F32, gtr_shape1(3));
        fit(w);
    }
    MISTAKE("one-hot rows that are set by hand, all 0", "\"y\"|row|0|cross_entropy") {
        w->loss = gtr_cross_entropy(scores(w), floats(w, 3));
        trainer(w);
        gtr_set(w->x, features, sizeof features);
        gtr_set(w->y, w->value, ROWS * 3 * sizeof(gtr_float));
        gtr_step(w->t);
    }
    MISTAKE("targets 0 to 255 by hand into bce_with_logits", "\"y\"|row|bce_with_logits|0 to 1") {
        w->cd.log = logs; w->cd.log_user = w;
        w->loss = gtr_bce_with_logits(one_score(w), floats(w, 1));
        trainer(w);
        gtr_set(w->x, features, sizeof features);
        gtr_set(w->y, wide, ROWS * sizeof(gtr_float));
        gtr_step(w->t);
    }
    MISTAKE("pairs labelled 0 and 1 for cosine_embedding", "column|row 0|0|cosine_embedding|-1") {
        gtr_tensor *y = floats_of(w, "y", gtr_shape1((input(w), GTR_BATCH)));
        w->loss = gtr_cosine_embedding(hidden(w), gtr_linear(hidden(w), "b", 8), y);
        with_labels(w, ones, GTR_F32, gtr_shape0());
        fit(w);
    }
    MISTAKE("probabilities in percent for kl_div's target", "column 1, row 0|100|kl_div|0 to 1") {
        for (int i = 0; i < ROWS * 3; i++) w->value[i] = 100 * onehot[i];
        w->loss = gtr_kl_div(gtr_log_softmax(scores(w), 1), floats(w, 3));
        with_labels(w, w->value, GTR_F32, gtr_shape1(3));
        fit(w);
    }
    MISTAKE("targets -1 and 1 of the focal loss", "column 1, row 0|-1|focal|0 to 1") {
        for (int i = 0; i < ROWS; i++) w->value[i] = (gtr_float)signs[i];
        w->loss = gtr_focal(one_score(w), floats(w, 1));
        with_labels(w, w->value, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    MISTAKE("255 for what has no class, as masks of images have", "row 1|255|0 to 2|ignore_index") {
        static int32_t some[ROWS];
        for (int i = 0; i < ROWS; i++) some[i] = i == 1 ? 255 : label[i];
        with_labels(w, some, GTR_I32, gtr_shape0());
        fit(w);
    }
    MISTAKE("-100 for what is ignored, beside an ignore_index of -1", "row 1|-100|0 to 2|-1") {
        static int32_t some[ROWS];
        for (int i = 0; i < ROWS; i++) some[i] = i == 1 ? -100 : label[i];
        w->ce.ignore_index = -1;
        w->loss = gtr_cross_entropy_ex(scores(w), labels(w), w->ce);
        with_labels(w, some, GTR_I32, gtr_shape0());
        fit(w);
    }
    MISTAKE("a quantile in percent", "quantile|90") {
        w->ld.quantile = 90;
        gtr_quantile_ex(one_score(w), floats(w, 1), w->ld);
    }
    MISTAKE("a beta below 0", "smooth_l1|beta|-1") {
        w->ld.beta = -1;
        gtr_smooth_l1_ex(one_score(w), floats(w, 1), w->ld);
    }
    MISTAKE("an alpha of 25", "focal|alpha|25") {
        w->ld.alpha = 25;
        gtr_focal_ex(one_score(w), floats(w, 1), w->ld);
    }
    MISTAKE("a gamma below 0", "focal|gamma|-2") {
        w->ld.gamma = -2;
        gtr_focal_ex(one_score(w), floats(w, 1), w->ld);
    }
    MISTAKE("an eps of NaN", "gaussian_nll|eps|nan") {
        w->ld.eps = (float)NAN;
        gtr_gaussian_nll_ex(one_score(w), floats(w, 1), gtr_softplus(gtr_linear(hidden(w), "v", 1), 0), w->ld);
    }
    MISTAKE("no_log_input of gaussian_nll", "gaussian_nll|no_log_input|not read") {
        w->ld.no_log_input = true;
        gtr_gaussian_nll_ex(one_score(w), floats(w, 1), gtr_softplus(gtr_linear(hidden(w), "v", 1), 0), w->ld);
    }
    MISTAKE("a pos_weight below 0", "bce_with_logits|pos_weight|-1") {
        const gtr_float weight[1] = { -1 };
        w->ld.pos_weight = gtr_constant(context(w), GTR_F32, gtr_shape1(1), weight);
        w->loss = gtr_bce_with_logits_ex(one_score(w), floats(w, 1), w->ld);
        with_labels(w, ones, GTR_F32, gtr_shape1(1));
        fit(w);
    }
}
static gtr_tensor *spoken(world *w)
{
    if (!w->y) w->y = ints_of(w, "y", gtr_shape2((steps(w), GTR_BATCH), 4));
    return gtr_linear(steps(w), "fc", 5);
}
/* A step with these labels of a row, and length steps. */
static void says(world *w, const int32_t *row, gtr_ctc_desc d)
{
    gtr_tensor *s = spoken(w);
    w->loss = gtr_ctc_ex(s, w->y, d);
    if (!trainer(w)) return;
    gtr_set(w->x, wide, 16 * 8 * sizeof(gtr_float));
    gtr_set(w->y, row, 4 * sizeof *row);
    gtr_step(w->t);
    gtr_wait(w->ctx);
}
static void ctc(void)
{
    MISTAKE("ctc with steps first, as PyTorch's", "ctc|(16, N, 5)|(N, T, C)") {
        gtr_ctc(gtr_linear(steps_first(w), "fc", 5), ints_of(w, "y", gtr_shape2(GTR_BATCH, 4)));
    }
    MISTAKE("ctc of one step", "ctc|(N, 3)|(N, T, C)") { gtr_ctc(scores(w), labels(w)); }
    MISTAKE("ctc with labels one behind the other", "ctc|(N, 16, 5)|(N,)|(N, L)") {
        gtr_tensor *s = spoken(w);
        gtr_ctc(s, ints_of(w, "flat", gtr_shape1(GTR_BATCH)));
    }
    MISTAKE("a blank behind the last class", "ctc|blank|5|0 to 4") {
        spoken(w);
        gtr_ctc_ex(gtr_linear(w->x, "out", 5), w->y, (gtr_ctc_desc){ .blank = 5 });
    }
    MISTAKE("a blank of -1, for the last class", "ctc|blank|-1|0 to 4") {
        spoken(w);
        gtr_ctc_ex(gtr_linear(w->x, "out", 5), w->y, (gtr_ctc_desc){ .blank = -1 });
    }
    MISTAKE("lengths of ctc in floats", "ctc|lengths|float32|int32") {
        spoken(w);
        gtr_ctc_ex(gtr_linear(w->x, "out", 5), w->y,
            (gtr_ctc_desc){ .lengths = floats_of(w, "n", gtr_shape1(GTR_BATCH)) });
    }
    MISTAKE("label_lengths (N, 4)", "ctc|label_lengths|(N, 4)|(N") {
        spoken(w);
        gtr_ctc_ex(gtr_linear(w->x, "out", 5), w->y, (gtr_ctc_desc){ .label_lengths = w->y });
    }
    MISTAKE("labels of ctc from 0, where 0 is the blank", "ctc|\"y\"|row 0|blank") {
        const int32_t row[4] = { 1, 0, 2, 3 };
        says(w, row, (gtr_ctc_desc){ 0 });
    }
    MISTAKE("a label of ctc that is no class", "\"y\"|5|0 to 4") {
        const int32_t row[4] = { 1, 2, 5, 3 };
        says(w, row, (gtr_ctc_desc){ 0 });
    }
    MISTAKE("more labels than steps", "ctc|row 0|4|2") {
        const int32_t row[4] = { 1, 2, 3, 4 }, two = 2;
        gtr_tensor *n = ints_of(w, "n", gtr_shape1(GTR_BATCH));
        gtr_set(n, &two, sizeof two);
        says(w, row, (gtr_ctc_desc){ .lengths = n });
    }
    MISTAKE("more steps than there are", "\"n\"|17|0 to 16") {
        const int32_t row[4] = { 1, 2, 3, 4 }, many = 17;
        gtr_tensor *n = ints_of(w, "n", gtr_shape1(GTR_BATCH));
        gtr_set(n, &many, sizeof many);
        says(w, row, (gtr_ctc_desc){ .lengths = n });
    }
}

/* What runs, and gives numbers that are none, or a gradient of 0. */
static void numbers_that_are_none(void)
{
    MISTAKE("a root of numbers below 0", "sqrt|not finite") {
        w->h = gtr_linear(gtr_sqrt(input(w)), "fc1", 8);
        fit(w);
    }
    MISTAKE("a broken power of numbers below 0", "pow_scalar|not finite") {
        w->h = gtr_linear(gtr_pow_scalar(input(w), 1.5f), "fc1", 8);
        fit(w);
    }
    MISTAKE("a division by what relu made 0", "div|not finite") {
        w->h = gtr_div(gtr_scale(hidden(w), 1, 1), hidden(w));
        fit(w);
    }
    MISTAKE("softmax of a row that is masked in all of its places", "softmax|not finite|mask") {
        const gtr_float least = -(gtr_float)INFINITY;
        gtr_tensor *h = hidden(w), *none = gtr_constant(w->ctx, GTR_F32, gtr_shape0(), &least);
        w->h = gtr_softmax(gtr_where(gtr_greater(h, gtr_scale(h, 1, 1)), h, none), 1);
        fit(w);
    }
    MISTAKE("exp of large numbers", "exp|not finite") {
        w->h = gtr_exp(gtr_scale(hidden(w), 1000, 100));
        fit(w);
    }
    MISTAKE("a distance whose gradient at 0 is infinite", "sqrt|gradient|not finite") {
        const int one[1] = { 1 };
        gtr_tensor *a = gtr_linear(input(w), "a", 8), *d = gtr_sub(a, gtr_stop_gradient(a));
        w->loss = gtr_mean(gtr_sqrt(gtr_sum(gtr_square(d), one, 1, false)), NULL, 0, false);
        column(w, 0, features, GTR_F32, gtr_shape1(4));
        arrays(w);
        fit(w);
    }
    MISTAKE("all weights from 0 on", "w1|gradient|0") {
        const gtr_init zero = { .kind = GTR_INIT_ZERO };
        w->fd.silent = false; w->fd.epochs = 40;
        input(w);
        w->h = gtr_relu(gtr_linear_with(w->x, gtr_parameter(w->ctx, "w1", gtr_shape2(8, 4), zero), NULL));
        w->logits = gtr_linear_with(w->h, gtr_parameter(w->ctx, "w2", gtr_shape2(3, 8), zero),
            gtr_parameter(w->ctx, "b2", gtr_shape1(3), zero));
        fit(w);
    }
    MISTAKE("a relu that is always 0", "fc1.weight|gradient|0") {
        w->fd.silent = false; w->fd.epochs = 40;
        w->h = gtr_relu(gtr_scale(gtr_tanh(gtr_linear(input(w), "fc1", 8)), 1, -2));
        fit(w);
    }
}
static void values(void)
{
    MISTAKE("gtr_eval of an array that NULL is", "gtr_eval|NULL") { scores(w); gtr_eval(NULL, 1); gtr_error(w->ctx); }
    MISTAKE("gtr_eval of -1 tensors", "gtr_eval|-1") { gtr_tensor *t = scores(w); gtr_eval(&t, -1); }
    MISTAKE("a value of the run before the last, behind a gtr_set", "gtr_get|linear|gtr_eval") {
        gtr_tensor *t = scores(w);
        gtr_set(w->x, features, 8 * 4 * sizeof(gtr_float));
        gtr_eval(&t, 1);
        gtr_set(w->x, features + 32, 8 * 4 * sizeof(gtr_float));
        gtr_eval(&w->h, 1);
        gtr_get(t, w->value, 8 * 3 * sizeof(gtr_float));
    }
    MISTAKE("float labels' bits for int32", "\"y\"|1065353216|0 to 2") {
        trainer(w);
        gtr_set(w->x, features, sizeof features);
        gtr_set(w->y, ones, ROWS * sizeof(int32_t));
        gtr_step(w->t);
    }
    MISTAKE("24 rows into an input of 8", "\"x\"|(8, 4)|384|128") {
        gtr_set(floats_of(w, "x", gtr_shape2(8, 4)), features, 24 * 4 * sizeof(gtr_float));
    }
    MISTAKE("weights set to NaN, and a step", "\"fc1.weight\"|not finite") {
        trainer(w);
        set_inputs(w);
        for (int i = 0; i < 32; i++) w->value[i] = (gtr_float)NAN;
        gtr_set(gtr_parameter_find(w->ctx, "fc1.weight"), w->value, 32 * sizeof(gtr_float));
        gtr_step(w->t);
        gtr_wait(w->ctx);
    }
    MISTAKE("NaN set by hand, and a step", "\"x\"|not finite") {
        trainer(w);
        set_inputs(w);
        memcpy(w->value, features, sizeof features);
        w->value[21] = (gtr_float)NAN;
        gtr_set(w->x, w->value, sizeof features);
        gtr_step(w->t);
        gtr_wait(w->ctx);
    }
    MISTAKE("a constant set to more numbers than it has", "constant|64|16") {
        gtr_set(numbers(w, gtr_shape1(4)), features, 16 * sizeof(gtr_float));
    }
    MISTAKE("room for half of a constant", "constant|8|16") {
        gtr_get(numbers(w, gtr_shape1(4)), w->value, 2 * sizeof(gtr_float));
    }
    MISTAKE("noise set from outside", "gtr_set|\"eps\"|computed") {
        gtr_set(gtr_random_normal(input(w), "eps"), features, 8 * 4 * sizeof(gtr_float));
    }
    MISTAKE("a row of batch_norm in training mode", "batch_norm|one value") {
        gtr_tensor *t = gtr_batch_norm(hidden(w), "bn");
        gtr_set(w->x, features, 4 * sizeof(gtr_float));
        gtr_eval_train(&t, 1);
    }
    MISTAKE("a value of a loop of gtr_step without gtr_keep", "gtr_get|relu|gtr_keep") {
        trainer(w);
        set_inputs(w);
        gtr_step(w->t);
        gtr_get(w->h, w->value, ROWS * 8 * sizeof(gtr_float));
    }
    MISTAKE("a number of a model that was not built", "gtr_item|NULL") { context(w); gtr_item(NULL); }
    MISTAKE("a preset, and a number", "preset") { w->cd.preset = GTR_PRESET_SM90; set_inputs(w); gtr_item(loss(w)); }
    MISTAKE("a preset, and gtr_eval of its weights' sum", "gtr_eval|preset") {
        w->cd.preset = GTR_PRESET_CPU;
        hidden(w);
        gtr_tensor *t = gtr_sum(gtr_parameter_find(w->ctx, "fc1.weight"), NULL, 0, false);
        gtr_eval(&t, 1);
    }
    MISTAKE("a loss_scale below 0", "loss_scale|-1") {
        w->td.precision = GTR_MIXED_FP16; w->td.loss_scale = -1;
        trainer(w);
    }
    RIGHT("a loss_scale of BF16, as another precision leaves it") {
        w->td.precision = GTR_MIXED_BF16; w->td.loss_scale = 1024;
        trainer(w);
    }
}
static void gradients(void)
{
    MISTAKE("the gradient of accuracy", "gradient|accuracy") {
        w->cd.log = logs; w->cd.log_user = w;
        gtr_tensor *g = gtr_gradient(gtr_accuracy(scores(w), labels(w)), input(w));
        set_inputs(w);
        gtr_eval(&g, 1);
    }
    MISTAKE("the gradient of a loss that NULL is", "gradient|1|NULL") {
        gtr_tensor *g = gtr_gradient(NULL, input(w));
        gtr_set(w->x, features, sizeof features);
        gtr_eval(&g, 1);
        gtr_error(w->ctx);
    }
    MISTAKE("the gradient of each row's loss", "gradient|(N,)|gtr_mean") {
        w->ce.reduction = GTR_REDUCE_NONE;
        gtr_gradient(gtr_cross_entropy_ex(scores(w), labels(w), w->ce), input(w));
    }
    MISTAKE("the gradient by ids of an embedding", "gradient|\"id\"|int32") {
        gtr_tensor *id = ints_of(w, "id", gtr_shape1(GTR_BATCH));
        gtr_gradient(gtr_mean(gtr_embedding(id, "e", 10, 4), NULL, 0, false), id);
    }
    MISTAKE("a gradient that NULL is read from", "gtr_gradient_get|NULL") {
        trainer(w);
        set_inputs(w);
        gtr_step(w->t);
        gtr_gradient_get(w->t, gtr_parameter_find(w->ctx, "fc9.weight"), w->value, 4);
    }
    MISTAKE("a running mean's gradient", "gtr_gradient_get|bn.running_mean") {
        w->h = gtr_batch_norm(hidden(w), "bn");
        trainer(w);
        set_inputs(w);
        gtr_step(w->t);
        gtr_gradient_get(w->t, gtr_parameter_find(w->ctx, "bn.running_mean"), w->value, 32);
    }
    MISTAKE("a target network that follows by 150 percent", "tau|1.5|0 to 1") {
        gtr_linear(input(w), "online.fc", 4);
        gtr_linear(input(w), "target.fc", 4);
        gtr_parameters_blend(w->ctx, "target.", "online.", 1.5f);
    }
    MISTAKE("a target network of a name that is not there", "goal.|parameter") {
        gtr_linear(input(w), "online.fc", 4);
        gtr_parameters_blend(w->ctx, "goal.", "online.", 0.1f);
    }
    MISTAKE("a target network that follows another layer's shape", "target.fc.weight|(4, 4)|(8, 4)") {
        gtr_linear(input(w), "online.fc", 8);
        gtr_linear(input(w), "target.fc", 4);
        gtr_parameters_blend(w->ctx, "target.", "online.", 0.1f);
    }
}
static gtr_result doubles_it(const gtr_custom_call *call);
/* Tensors of another context in descriptors' fields, not operands. */
static void contexts(void)
{
    MISTAKE("weights of classes of another context", "cross_entropy|\"stranger\"|context") {
        w->ce.weight = foreign(w, GTR_F32, gtr_shape1(3));
        gtr_cross_entropy_ex(scores(w), labels(w), w->ce);
    }
    MISTAKE("weights of rows of another context", "cross_entropy|\"stranger\"|context") {
        w->ce.sample_weight = foreign(w, GTR_F32, gtr_shape1(GTR_BATCH));
        gtr_cross_entropy_ex(scores(w), labels(w), w->ce);
    }
    MISTAKE("weights of terms of another context", "huber|\"stranger\"|context") {
        w->ld.weight = foreign(w, GTR_F32, gtr_shape2(GTR_BATCH, 1));
        gtr_huber_ex(one_score(w), floats(w, 1), w->ld);
    }
    MISTAKE("a mask of another context", "attention|\"stranger\"|context") {
        gtr_multihead_attention(steps(w), NULL, "att", 2,
            (gtr_attention_desc){ .mask = foreign(w, GTR_F32, gtr_shape2(16, 16)) });
    }
    MISTAKE("memory of another context", "block|\"stranger\"|context") {
        gtr_transformer_block(steps(w), "block", (gtr_transformer_desc){ .heads = 2,
            .memory = foreign(w, GTR_F32, gtr_shape3(GTR_BATCH, 5, 8)) });
    }
    MISTAKE("lengths of another context", "lstm|\"stranger\"|context") {
        gtr_lstm(steps(w), "lstm", 8, (gtr_recurrent_desc){ .lengths = foreign(w, GTR_I32, gtr_shape1(GTR_BATCH)) });
    }
    MISTAKE("a first state of another context", "gru|\"stranger\"|context") {
        gtr_tensor *h[1] = { foreign(w, GTR_F32, gtr_shape2(GTR_BATCH, 8)) };
        gtr_gru(steps(w), "gru", 8, (gtr_recurrent_desc){ .h = h });
    }
    MISTAKE("lengths of ctc of another context", "ctc|\"stranger\"|context") {
        spoken(w);
        gtr_ctc_ex(gtr_linear(w->x, "out", 5), w->y,
            (gtr_ctc_desc){ .lengths = foreign(w, GTR_I32, gtr_shape1(GTR_BATCH)) });
    }
    MISTAKE("a join across contexts", "concat|contexts") {
        gtr_tensor *t[2] = { input(w), foreign(w, GTR_F32, gtr_shape2(GTR_BATCH, 4)) };
        gtr_concat(t, 2, 1);
    }
    MISTAKE("a state whose next is another context's", "gtr_state_next|\"h\"|context") {
        gtr_state_next(gtr_state(context(w), "h", gtr_shape2(GTR_BATCH, 8)),
            foreign(w, GTR_F32, gtr_shape2(GTR_BATCH, 8)));
    }
    MISTAKE("an op of one's own in another context than its input", "mine|\"stranger\"|context") {
        w->custom = (gtr_custom_desc){ .name = "mine", .n_in = 1, .in = { foreign(w, GTR_F32, gtr_shape1(4)) },
            .forward = doubles_it };
        gtr_custom(context(w), w->custom);
    }
}

static gtr_result doubles_it(const gtr_custom_call *call)
{
    const gtr_float *x = (const gtr_float *)call->in[0];
    gtr_float *y = (gtr_float *)call->out;
    int64_t n = 1;
    for (int i = 0; i < call->in_shape[0].ndim; i++) n *= call->in_shape[0].dim[i];
    for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i];
    return GTR_OK;
}
static gtr_result writes_nan(const gtr_custom_call *call)
{
    const gtr_result r = doubles_it(call);
    *(gtr_float *)call->out = (gtr_float)NAN;
    return r;
}
static gtr_result reads_a_value(const gtr_custom_call *call)
{
    gtr_float v[8];
    gtr_get((gtr_tensor *)call->user, v, sizeof v);
    return doubles_it(call);
}
static gtr_result builds_a_layer(const gtr_custom_call *call)
{
    gtr_relu((gtr_tensor *)call->user);
    return doubles_it(call);
}
static gtr_result shape_of_a_row_less(int n_in, const gtr_shape *in, gtr_shape *out, void *user)
{
    (void)n_in; (void)user;
    *out = in[0];
    if (in[0].dim[0] > 1) out->dim[0]--;
    return GTR_OK;
}
static gtr_result sets_an_input(const gtr_custom_call *call)
{
    gtr_set((gtr_tensor *)call->user, features, 8 * 4 * sizeof(gtr_float));
    return doubles_it(call);
}
static gtr_result evaluates(const gtr_custom_call *call)
{
    gtr_tensor *t = (gtr_tensor *)call->user;
    gtr_eval(&t, 1);
    return doubles_it(call);
}
static gtr_result steps_back(const gtr_custom_call *call)
{
    static int depth;
    gtr_trainer *t = *(gtr_trainer **)call->user;
    if (t && depth < 3) {
        depth++;
        gtr_step(t);
        depth--;
    }
    return doubles_it(call);
}
static gtr_result gradient_of_nan(const gtr_custom_call *call)
{
    for (int64_t i = 0; i < call->in_shape[0].dim[0] * 4; i++) ((gtr_float *)call->din[0])[i] = (gtr_float)NAN;
    return GTR_OK;
}
static gtr_result halves(const gtr_custom_call *call)
{
    for (int64_t i = 0; i < call->in_shape[0].dim[0] * 4; i++)
        ((gtr_float *)call->din[0])[i] = 2 * ((const gtr_float *)call->dout)[i];
    return GTR_OK;
}
static gtr_result shape_of_no_row(int n_in, const gtr_shape *in, gtr_shape *out, void *user)
{
    (void)n_in; (void)in; (void)user;
    *out = gtr_shape2(GTR_BATCH, 0);
    return GTR_OK;
}
static gtr_tensor *custom(world *w)
{
    w->custom.name = "mine"; w->custom.n_in = w->custom.n_in ? w->custom.n_in : 1;
    w->custom.in[0] = input(w);
    if (!w->custom.forward) w->custom.forward = doubles_it;
    return gtr_custom(w->ctx, w->custom);
}
static void evaluated(world *w, gtr_tensor *t)
{
    gtr_set(w->x, features, 8 * 4 * sizeof(gtr_float));
    gtr_eval(&t, 1);
}
static void customs(void)
{
    MISTAKE("an op of one's own of 9 inputs", "custom|mine|9|8") { w->custom.n_in = 9; custom(w); }
    MISTAKE("an op of one's own of 9 outputs", "custom|mine|9|8") { w->custom.n_out = 9; custom(w); }
    MISTAKE("an op of one's own that makes doubles", "custom|mine|float64") {
        w->custom.out_dtype[0] = GTR_F64;
        custom(w);
    }
    if (device == GTR_DEVICE_CPU)
        MISTAKE("an op of one's own on the device, which is the CPU", "custom|mine|on_device|CPU") {
            w->custom.on_device = true;
            evaluated(w, custom(w));
        }
    MISTAKE("an op of one's own of a row less than its input, of a batch", "mine|(7, 4)|(8, 4)") {
        w->custom.shape = shape_of_a_row_less;
        evaluated(w, custom(w));
    }
    MISTAKE("an op of one's own with a shape of no elements", "mine|(N, 0)|not zero") {
        w->custom.shape = shape_of_no_row;
        custom(w);
    }
    MISTAKE("an op of one's own that makes NaN", "mine|not finite") {
        w->custom.forward = writes_nan;
        w->h = gtr_linear(custom(w), "fc1", 8);
        fit(w);
    }
    MISTAKE("an op of one's own that reads another tensor by gtr_get", "gtr_get|custom op's callback") {
        w->custom.forward = reads_a_value;
        w->custom.user = weights_of(w, "w", gtr_shape1(8));
        evaluated(w, custom(w));
    }
    MISTAKE("an op of one's own that builds a layer", "relu|custom op's callback") {
        w->custom.forward = builds_a_layer;
        w->custom.user = input(w);
        evaluated(w, custom(w));
    }
    MISTAKE("an op of one's own that sets an input", "gtr_set|custom op's callback") {
        w->custom.forward = sets_an_input;
        w->custom.user = input(w);
        evaluated(w, custom(w));
    }
    MISTAKE("an op of one's own that evaluates", "gtr_eval|custom op's callback") {
        w->custom.forward = evaluates;
        w->custom.user = hidden(w);
        evaluated(w, custom(w));
    }
    MISTAKE("an op of one's own that steps another trainer", "gtr_step|custom op's callback") {
        gtr_tensor *l = gtr_mean(gtr_square(gtr_linear(input(w), "other", 2)), NULL, 0, false);
        w->custom.forward = steps_back; w->custom.backward = halves;
        static gtr_trainer *other; /* a GPU calls the op later */
        other = gtr_trainer_create(l, w->td);
        w->custom.user = &other;
        w->h = gtr_linear(custom(w), "fc1", 8);
        trainer(w);
        set_inputs(w);
        gtr_step(w->t);
    }
    MISTAKE("an op of one's own that steps its own trainer, and so itself", "gtr_step|custom op's callback") {
        w->custom.forward = steps_back; w->custom.backward = halves;
        w->custom.user = &w->t;
        w->h = gtr_linear(custom(w), "fc1", 8);
        trainer(w);
        set_inputs(w);
        gtr_step(w->t);
    }
    MISTAKE("an op of one's own whose gradient is NaN", "mine|gradient|not finite") {
        w->custom.backward = gradient_of_nan;
        w->custom.in[0] = w->h = gtr_linear(input(w), "fc0", 4);
        w->custom.name = "mine"; w->custom.n_in = 1; w->custom.forward = doubles_it;
        w->h = gtr_linear(gtr_custom(w->ctx, w->custom), "fc1", 8);
        fit(w);
    }
    MISTAKE("an output that an op of one's own has not", "mine|output|1") { gtr_output(custom(w), 1); }
}
static void all(void)
{
    mistakes = silent = 0;
    RUN(right_programs);
    RUN(leaves);
    RUN(states);
    RUN(states_of_fits);
    RUN(elementwise);
    RUN(reductions);
    RUN(shapes);
    RUN(indices);
    RUN(products);
    RUN(names);
    RUN(convolutions);
    RUN(norms);
    RUN(recurrences);
    RUN(attentions);
    RUN(blocks);
    RUN(losses);
    RUN(losses_exchanged);
    RUN(losses_of_shapes);
    RUN(losses_of_numbers);
    RUN(ctc);
    RUN(numbers_that_are_none);
    RUN(values);
    RUN(gradients);
    RUN(contexts);
    RUN(customs);
}
static const silence known[] = {
    { "a scope that stays open behind the network, and a fit", "names in front of names: a network may be built and "
        "trained within one" },
    { "dims and eps of layer_norm exchanged, so that eps is 1", "any eps of 0 or more may be meant" },
    { "several labels a row for cross_entropy's probabilities", "rows may be weighted by what theirs sum to" },
    { "one-hot rows that are set by hand, all 0", "a row of zeros leaves it out, as a weight of 0 does" },
    { "an op of one's own on the device, which is the CPU", "a callback may serve both: cuda_stream is NULL there" },
};
int main(int argc, char **argv)
{
    return mistakes_main(argc, argv, all, known, (int)(sizeof known / sizeof *known));
}
