/* Mistakes as somebody makes them who comes from PyTorch, Keras or kann: wrong fields, shapes, dtypes, labels, losses,
   orders of calls, files. */
#include "mistakes.h"

/* Silent by what the interface is, with the reason. */
static const silence known[] = {
    { "softmax over the batch, axis 0", "there is use for it, and PyTorch has it, too" },
    { "reshape with -1 where the batch is not", "rows of other shapes may be meant, and PyTorch has it, too" },
    { "gtr_set in a loop while a data set feeds the steps", "what is set between steps may be for an evaluation" },
    { "AdamW's weight decay set to 0", "0 is a field's default; GTR_ZERO is none" },
    { "a prediction from values that are not scaled as training's", "nothing tells of which scale numbers are" }
};

/* A file of what scores makes. */
static const char *model_file(void)
{
    static world w;
    if (!w.ctx) {
        w.cd = desc0();
        scores(&w);
        gtr_save(w.ctx, path_of("model.safetensors"));
        gtr_destroy(w.ctx);
    }
    return path_of("model.safetensors");
}
static void right_programs(void)
{
    RIGHT("a classifier that is fitted, evaluated, saved, loaded and asked") {
        float v, m;
        gtr_float out[ROWS * 3];
        w->fd.silent = false; w->fd.epochs = 2; w->fd.validation = samples(w);
        w->fd.metric = gtr_accuracy(scores(w), labels(w));
        fit(w);
        gtr_evaluate(w->t, w->data, 8, w->fd.metric, &v, &m);
        gtr_save(w->ctx, path_of("right.safetensors"));
        gtr_load(w->ctx, path_of("right.safetensors"));
        w->p = gtr_predictor_create(gtr_softmax(w->logits, 1), 8);
        gtr_predict(w->p, features, ROWS, out);
    }
    RIGHT("a regression by hand") {
        regression(w);
        trainer(w);
        for (int i = 0; i < 3; i++) {
            gtr_set(w->x, features, sizeof features);
            gtr_set(w->y, target, sizeof target);
            gtr_step(w->t);
        }
        if (!(gtr_loss(w->t) >= 0)) note(w, "no loss");
    }
    RIGHT("log_softmax into cross_entropy, which is the same, and into nll") {
        w->loss = gtr_add(gtr_cross_entropy(gtr_log_softmax(scores(w), 1), labels(w)),
            gtr_nll(gtr_log_softmax(scores(w), 1), labels(w)));
        fit(w);
    }
    RIGHT("a sigmoid into bce") {
        w->loss = gtr_bce(gtr_sigmoid(one_score(w)), floats(w, 1));
        with_labels(w, ones, GTR_F32, gtr_shape0());
        fit(w);
    }
    RIGHT("bytes that are numbers, with their scale") {
        w->ad.column[1].scale = 1;
        w->loss = gtr_bce_with_logits(one_score(w), floats(w, 1));
        with_labels(w, bits, GTR_U8, gtr_shape0());
        fit(w);
    }
    RIGHT("bool masks of NumPy's, which become 0 and 1") {
        w->loss = gtr_bce_with_logits(one_score(w), floats(w, 1));
        arrays_of(w, x_npy(), npy("y.npy", "'|b1'", "(24,)", bits, 24));
        fit(w);
    }
    RIGHT("soft labels") {
        w->loss = gtr_cross_entropy(scores(w), floats(w, 3));
        with_labels(w, onehot, GTR_F32, gtr_shape1(3));
        fit(w);
    }
    RIGHT("images with channels last, permuted, into a convolution") {
        w->x = gtr_input(context(w), "x", GTR_F32, gtr_shape4(GTR_BATCH, 8, 8, 1));
        const int dims[4] = { 0, 3, 1, 2 };
        w->h = gtr_flatten(gtr_relu(gtr_conv2d(gtr_permute(w->x, dims), "conv", 4, 3, 1, 1)));
        w->ad.column[0].channels_last = true;
        column(w, 0, bytes, GTR_U8, gtr_shape3(8, 8, 1));
        fit(w);
    }
}

static void *own_alloc(size_t size, gtr_memory kind, void *user)
{
    (void)kind; (void)user;
    return aligned_alloc(256, (size + 255) / 256 * 256);
}
static void contexts(void)
{
    MISTAKE("threads -1 for all of them, as scikit-learn's n_jobs", "threads|-1|1024") {
        w->cd.threads = -1;
        fit(w);
    }
    MISTAKE("a GPU that is not there", "CUDA") {
        w->cd.device = GTR_DEVICE_CUDA; w->cd.device_index = 99;
        fit(w);
    }
    MISTAKE("more threads than any machine has", "threads|100000|1024") { w->cd.threads = 100000; fit(w); }
    MISTAKE("max_sm -1 for all of them", "max_sm") { w->cd.max_sm = -1; fit(w); }
    MISTAKE("an allocator without free", "allocator|free") {
        w->cd.allocator.alloc = own_alloc;
        fit(w);
    }
    MISTAKE("a memory limit in megabytes, not bytes", "limit of 512") { w->cd.memory_limit = 512; fit(w); }
    MISTAKE("a preset, and a fit", "preset") { w->cd.preset = GTR_PRESET_SM87; fit(w); }
    MISTAKE("a preset, and steps by hand", "preset") {
        w->cd.preset = GTR_PRESET_CPU;
        trainer(w);
        set_inputs(w);
        gtr_step(w->t);
    }
    MISTAKE("a preset, and a file of weights", "preset") {
        w->cd.preset = GTR_PRESET_SM90;
        scores(w);
        gtr_load(w->ctx, model_file());
    }
    MISTAKE("a preset, and prediction", "preset") {
        w->cd.preset = GTR_PRESET_SM75;
        w->p = gtr_predictor_create(scores(w), 1);
    }
    MISTAKE("a device that is none", "device") { w->cd.device = (gtr_device)7; fit(w); }
}
static void other_contexts(void)
{
    MISTAKE("operands of two contexts", "contexts") {
        w->other = gtr_create(w->cd);
        gtr_add(input(w), gtr_input(w->other, "x", GTR_F32, gtr_shape2(GTR_BATCH, 4)));
    }
    MISTAKE("a data set of another context", "another context") {
        w->other = gtr_create(w->cd);
        gtr_context *own = context(w);
        w->ctx = w->other;
        samples(w);
        w->ctx = own;
        fit(w);
    }
    MISTAKE("a validation set of another context", "another context|validation") {
        gtr_context *own = context(w);
        w->ctx = w->other = gtr_create(w->cd);
        w->fd.validation = samples(w);
        w->ctx = own; w->data = NULL;
        fit(w);
    }
    MISTAKE("a metric of another context", "metric|context") {
        w->other = gtr_create(w->cd);
        w->fd.metric = gtr_mean(gtr_parameter(w->other, "w", gtr_shape1(3), w->init), NULL, 0, false);
        fit(w);
    }
    MISTAKE("labels of another context", "contexts") {
        w->other = gtr_create(w->cd);
        w->y = gtr_input(w->other, "y", GTR_I32, gtr_shape1(GTR_BATCH));
        loss(w);
    }
    MISTAKE("tensors of two contexts in one gtr_eval", "contexts") {
        w->other = gtr_create(w->cd);
        gtr_tensor *t[2] = { scores(w), gtr_input(w->other, "x", GTR_F32, gtr_shape2(GTR_BATCH, 4)) };
        set_inputs(w);
        gtr_eval(t, 2);
    }
    MISTAKE("a parameter of another context copied from NULL", "from") {
        gtr_parameters_copy(context(w), NULL);
    }
    MISTAKE("weights copied from a network of other layers", "fc2|missing") {
        w->other = gtr_create(w->cd);
        gtr_linear(gtr_input(w->other, "x", GTR_F32, gtr_shape2(GTR_BATCH, 4)), "fc1", 8);
        scores(w);
        gtr_parameters_copy(w->ctx, w->other);
    }
    MISTAKE("weights copied from a network of another width", "fc1|(16, 4)|(8, 4)") {
        w->other = gtr_create(w->cd);
        gtr_linear(gtr_input(w->other, "x", GTR_F32, gtr_shape2(GTR_BATCH, 4)), "fc1", 16);
        hidden(w);
        gtr_parameters_copy(w->ctx, w->other);
    }
    MISTAKE("a context used in a child of fork()", "fork") {
        fit(w);
        fflush(NULL);
        const pid_t pid = fork();
        if (!pid) { gtr_step(w->t); fprintf(stderr, "%s\n", gtr_error_text(w->ctx)); _exit(0); }
        waitpid(pid, NULL, 0);
    }
}

static void inputs_and_names(void)
{
    MISTAKE("an input of int64, as PyTorch's labels", "int64|int32") {
        gtr_input(context(w), "y", GTR_I64, gtr_shape1(GTR_BATCH));
    }
    MISTAKE("an input of bytes", "uint8|float32") {
        gtr_input(context(w), "x", GTR_U8, gtr_shape2(GTR_BATCH, 4));
    }
    MISTAKE("an input of float64", "float64|float32") {
        gtr_input(context(w), "x", GTR_F64, gtr_shape2(GTR_BATCH, 4));
    }
    MISTAKE("the batch behind the features", "first|GTR_BATCH") {
        gtr_input(context(w), "x", GTR_F32, gtr_shape2(4, GTR_BATCH));
    }
    MISTAKE("two unknown sizes, as Keras' None", "GTR_BATCH") {
        gtr_input(context(w), "x", GTR_F32, gtr_shape3(GTR_BATCH, -1, 4));
    }
    MISTAKE("0 for the unknown batch", "GTR_BATCH") { gtr_input(context(w), "x", GTR_F32, gtr_shape2(0, 4)); }
    MISTAKE("an input without a name", "input|name") {
        gtr_input(context(w), NULL, GTR_F32, gtr_shape2(GTR_BATCH, 4));
    }
    MISTAKE("two inputs of one name", "\"x\"|already") {
        input(w);
        gtr_input(w->ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 4));
    }
    MISTAKE("two layers of one name", "fc1|already|another name") {
        gtr_linear(hidden(w), "fc1", 8);
    }
    MISTAKE("a layer without a name, as PyTorch's", "linear|name") { gtr_linear(input(w), NULL, 8); }
    MISTAKE("a convolution with an empty name", "name") {
        gtr_conv2d(gtr_input(context(w), "x", GTR_F32, gtr_shape4(GTR_BATCH, 3, 8, 8)), "", 4, 3, 1, 1);
    }
    MISTAKE("two dropouts of one name", "drop|already") {
        gtr_dropout(gtr_dropout(hidden(w), "drop", 0.5f), "drop", 0.5f);
    }
    MISTAKE("a batch size in the input's shape, not GTR_BATCH", "x|GTR_BATCH") {
        w->x = gtr_input(context(w), "x", GTR_F32, gtr_shape2(8, 4));
        w->y = gtr_input(w->ctx, "y", GTR_I32, gtr_shape1(8));
        fit(w);
    }
    MISTAKE("a parameter with the batch in its shape", "\"w\"|at least 1") {
        gtr_parameter(context(w), "w", gtr_shape2(GTR_BATCH, 4), w->init);
    }
    MISTAKE("a parameter without a name", "parameter|name") {
        gtr_parameter(context(w), NULL, gtr_shape1(4), w->init);
    }
    MISTAKE("a parameter whose deviation is given, and not its kind", "w: .a|GTR_INIT_NORMAL") {
        w->init.a = 0.1f;
        gtr_parameter(context(w), "w", gtr_shape1(4), w->init);
    }
    MISTAKE("a normal parameter without its deviation", "\"w\"|.a is 0") {
        w->init.kind = GTR_INIT_NORMAL;
        gtr_parameter(context(w), "w", gtr_shape1(4), w->init);
    }
    MISTAKE("a parameter drawn with a deviation of NaN", "\"w\"|initial values|nan") {
        w->init.kind = GTR_INIT_NORMAL; w->init.a = (float)NAN;
        gtr_parameter(context(w), "w", gtr_shape1(4), w->init);
    }
    MISTAKE("a constant without data", "constant|data") { gtr_constant(context(w), GTR_F32, gtr_shape1(4), NULL); }
    MISTAKE("a constant of bytes", "constant|float32") { gtr_constant(context(w), GTR_U8, gtr_shape1(4), bytes); }
    MISTAKE("a scope that was not begun", "gtr_scope_begin") { gtr_scope_end(context(w)); }
    MISTAKE("a scope without a name", "gtr_scope_begin|name") { gtr_scope_begin(context(w), NULL); }
    MISTAKE("a stage beyond the last", "gtr_stage|0 to 7") { gtr_stage(context(w), 8); }
    MISTAKE("regions of recomputation in each other", "gtr_recompute_begin") {
        gtr_recompute_begin(context(w));
        gtr_recompute_begin(w->ctx);
    }
    MISTAKE("a region of recomputation that ends before it begins", "gtr_recompute_begin") {
        gtr_recompute_end(context(w));
    }
    MISTAKE("a region of recomputation without an end", "gtr_recompute_end") {
        gtr_recompute_begin(context(w));
        fit(w);
    }
    MISTAKE("a name that is UTF-8 no more", "UTF-8") {
        hidden(w);
        gtr_linear(w->h, "sch\xf6n", 4);
        gtr_save(w->ctx, path_of("name.safetensors"));
    }
}
static void shapes(void)
{
    MISTAKE("a forgotten gtr_flatten before a linear layer, and its scores", "gtr_flatten|(N, 4, 8, 10)") {
        w->logits = gtr_linear(gtr_relu(gtr_conv2d(image(w, 1, 8, 8), "conv", 4, 3, 1, 1)), "fc", 10);
        loss(w);
    }
    MISTAKE("flat pixels into a convolution", "conv2d|(N, 784)|(N, C, H, W)") {
        w->x = gtr_input(context(w), "x", GTR_F32, gtr_shape2(GTR_BATCH, 784));
        gtr_conv2d(w->x, "conv", 4, 3, 1, 1);
    }
    MISTAKE("images without a dimension of channels into conv2d", "(N, 28, 28)|(N, C, H, W)") {
        w->x = gtr_input(context(w), "x", GTR_F32, gtr_shape3(GTR_BATCH, 28, 28));
        gtr_conv2d(w->x, "conv", 4, 3, 1, 1);
    }
    MISTAKE("images into conv1d", "conv1d|(N, 3, 8, 8)") { gtr_conv1d(image(w, 3, 8, 8), "conv", 4, 3, 1, 1); }
    MISTAKE("channels last, as Keras has them, into conv2d, of a set that says so", "channels last|gtr_permute") {
        w->h = gtr_flatten(gtr_relu(gtr_conv2d(image(w, 8, 8, 3), "conv", 4, 3, 1, 1)));
        w->ad.column[0].channels_last = true;
        column(w, 0, wide, GTR_F32, gtr_shape3(8, 8, 3));
        w->ad.rows = 8;
        fit(w);
    }
    MISTAKE("channels last into batch_norm, of a set that says so", "channels last|gtr_permute") {
        w->h = gtr_flatten(gtr_batch_norm(image(w, 8, 8, 3), "bn"));
        w->ad.column[0].channels_last = true;
        column(w, 0, wide, GTR_F32, gtr_shape3(8, 8, 3));
        w->ad.rows = 8;
        fit(w);
    }
    MISTAKE("a kernel larger than the image", "conv2d|kernel|8") { gtr_conv2d(image(w, 1, 8, 8), "conv", 4, 9, 1, 0); }
    MISTAKE("a kernel of 0", "conv2d|kernel") { gtr_conv2d(image(w, 1, 8, 8), "conv", 4, 0, 1, 0); }
    MISTAKE("a stride below 0", "conv2d|stride") { gtr_conv2d(image(w, 1, 8, 8), "conv", 4, 3, -1, 0); }
    MISTAKE("in and out exchanged in a convolution: 0 channels", "conv2d|out") {
        gtr_conv2d(image(w, 1, 8, 8), "conv", 0, 3, 1, 0);
    }
    MISTAKE("groups that do not divide the channels", "conv2d|group") {
        w->conv.out = 4; w->conv.kernel = 3; w->conv.groups = 2;
        gtr_conv2d_ex(image(w, 3, 8, 8), "conv", w->conv);
    }
    MISTAKE("output_padding of a convolution that is not transposed", "conv2d|output_padding") {
        w->conv.out = 4; w->conv.kernel = 3; w->conv.output_padding = 1;
        gtr_conv2d_ex(image(w, 3, 8, 8), "conv", w->conv);
    }
    MISTAKE("a descriptor of a convolution without its kernel", "conv2d|kernel") {
        w->conv.out = 4;
        gtr_conv2d_ex(image(w, 3, 8, 8), "conv", w->conv);
    }
    MISTAKE("weights of a convolution as Keras has them, (3, 3, C, O)", "conv2d|weight|(3, 3, 16, 4)|(O, C / groups") {
        gtr_tensor *k = gtr_parameter(context(w), "k", gtr_shape4(3, 3, 16, 4), w->init);
        gtr_conv2d_with(image(w, 16, 8, 8), k, NULL, w->conv);
    }
    MISTAKE("a pool larger than the image", "max_pool|window of 9") { gtr_max_pool2d(image(w, 1, 8, 8), 9, 0, 0); }
    MISTAKE("a pool after so many that nothing is left", "max_pool|window of 2") {
        gtr_tensor *t = image(w, 1, 8, 8);
        for (int i = 0; i < 4; i++) t = gtr_max_pool2d(t, 2, 2, 0);
    }
    MISTAKE("a pool of flat features", "max_pool|(N, C, H, W)") { gtr_max_pool2d(hidden(w), 2, 2, 0); }
    MISTAKE("a pool with too much padding", "avg_pool|padding") { gtr_avg_pool2d(image(w, 1, 8, 8), 2, 2, 2); }
    MISTAKE("dilation of an average", "avg_pool|dilation") {
        gtr_pool_desc d;
        memset(&d, 0, sizeof d);
        d.kernel = 2; d.dilation = 2;
        gtr_avg_pool2d_ex(image(w, 1, 8, 8), d);
    }
    MISTAKE("an image made larger by a size, as PyTorch's Upsample(size)", "upsample|factor") {
        gtr_upsample2d(image(w, 1, 8, 8), 0, true);
    }
    MISTAKE("pixel_shuffle of channels that r r does not divide", "pixel_shuffle|r") {
        gtr_pixel_shuffle(image(w, 3, 8, 8), 2);
    }
}
static void shapes_of_rows(void)
{
    MISTAKE("a linear layer of 0 features", "linear|fc|0") { gtr_linear(input(w), "fc", 0); }
    MISTAKE("a linear layer of ids", "linear|int32|float32") { gtr_linear(labels(w), "fc", 4); }
    MISTAKE("weights (in, out), as kann and Keras have them", "linear|(4, 8)|weight (M, K)") {
        gtr_linear_with(input(w), gtr_parameter(context(w), "w", gtr_shape2(4, 8), w->init), NULL);
    }
    MISTAKE("a bias of the features in", "linear|bias (M,)|(4,)") {
        gtr_linear_with(input(w), gtr_parameter(context(w), "w", gtr_shape2(8, 4), w->init),
            gtr_parameter(context(w), "b", gtr_shape1(4), w->init));
    }
    MISTAKE("a product of sizes that do not meet", "matmul|(N, 4)|(8, 4)") {
        gtr_matmul(input(w), gtr_parameter(context(w), "w", gtr_shape2(8, 4), w->init));
    }
    MISTAKE("a sum of shapes that do not broadcast", "add|(N, 8)|(N, 3)") { gtr_add(scores(w), hidden(w)); }
    MISTAKE("channels' gain (C,) times images, as Keras broadcasts", "mul|(N, 3, 8, 8)|(3,)") {
        gtr_mul(image(w, 3, 8, 8), gtr_parameter(context(w), "g", gtr_shape1(3), w->init));
    }
    MISTAKE("labels added to scores", "add|int32|float32") { gtr_add(scores(w), labels(w)); }
}
static void shapes_anew(void)
{
    MISTAKE("reshape with -1 for what is left, as PyTorch's", "reshape|-1 is N") {
        gtr_reshape(hidden(w), gtr_shape3(GTR_BATCH, 2, -1));
    }
    MISTAKE("reshape with -1 where the batch is not", "reshape|(4, N)|gtr_permute") {
        gtr_reshape(input(w), gtr_shape2(4, -1));
    }
    MISTAKE("reshape into another number of elements", "reshape|(N, 8)|(N, 9)|as many elements") {
        gtr_reshape(hidden(w), gtr_shape2(GTR_BATCH, 9));
    }
    MISTAKE("reshape without the batch", "reshape|(N, 8)|(8, 8)|as many") { gtr_reshape(hidden(w), gtr_shape2(8, 8)); }
}

static void ops(void)
{
    const int both[2] = { 0, 0 }, three[1] = { 3 };
    MISTAKE("permute that names a dimension twice", "permute|once") { gtr_permute(input(w), both); }
    MISTAKE("permute with its dimensions from 1", "permute|(N, 4)|each dimension") {
        const int d[2] = { 2, 1 };
        gtr_permute(input(w), d);
    }
    MISTAKE("rows joined along the batch", "concat|batch") {
        gtr_tensor *t[2] = { input(w), input(w) };
        gtr_concat(t, 2, 0);
    }
    MISTAKE("a join of unlike rows", "concat|alike|(N, 4)|(N, 8, 1)") {
        gtr_tensor *t[2] = { input(w), gtr_reshape(hidden(w), gtr_shape3(GTR_BATCH, 8, 1)) };
        gtr_concat(t, 2, 1);
    }
    MISTAKE("a slice with its length for its end", "slice|begin 3 and end 2") { gtr_slice(hidden(w), 1, 3, 2); }
    MISTAKE("a slice to -1, as Python's", "slice|end -1") { gtr_slice(hidden(w), 1, 0, -1); }
    MISTAKE("a slice turned round", "slice_step|step -1") { gtr_slice_step(hidden(w), 1, 0, 3, -1); }
    MISTAKE("a gather by scores", "gather|float32|int32") { gtr_gather(hidden(w), 1, hidden(w)); }
    MISTAKE("a gather by labels without the axis", "gather|(N, 8)|(N,)") { gtr_gather(hidden(w), 1, labels(w)); }
    MISTAKE("a mask of one row for all", "softmax_mask|(N, 8)|(N,)|a mask of x's shape") {
        gtr_softmax_mask(hidden(w), gtr_to_float(labels(w)), 1);
    }
    MISTAKE("a slice of the batch", "slice|batch") { gtr_slice(hidden(w), 0, 0, 2); }
    MISTAKE("a split into parts that are not equal", "split|3|8") { gtr_split(hidden(w), 1, 3); }
    MISTAKE("an output that an op has not", "output") { gtr_output(hidden(w), 1); }
    MISTAKE("softmax along an axis that is not there", "softmax|axis 2") { gtr_softmax(scores(w), 2); }
    MISTAKE("softmax over the batch, axis 0", "softmax|batch") { gtr_softmax(scores(w), 0); }
    MISTAKE("a sum over axis 3 of two", "sum|axis 3") { gtr_sum(input(w), three, 1, false); }
    MISTAKE("a mean over one axis twice", "mean|twice") { gtr_mean(input(w), both, 2, false); }
    MISTAKE("a norm of p 0", "norm|p") { gtr_norm(input(w), 0, NULL, 0, false); }
    MISTAKE("clamp with its limits exchanged", "clamp|1 and -1|order") { gtr_clamp(input(w), 1, -1); }
    MISTAKE("dropout in percent", "dropout|50|0 <= p < 1") { gtr_dropout(hidden(w), "drop", 50); }
    MISTAKE("dropout of all", "dropout|1") { gtr_dropout(hidden(w), "drop", 1); }
    MISTAKE("dropout below 0", "dropout|-0.1") { gtr_dropout(hidden(w), "drop", -0.1f); }
    MISTAKE("dropout2d of flat features", "dropout2d|(N, C") { gtr_dropout2d(hidden(w), "drop", 0.5f); }
}
static void ops_with_weights(void)
{
    MISTAKE("an embedding of floats", "embedding|float32|int32") { gtr_embedding(input(w), "e", 10, 4); }
    MISTAKE("an embedding of 0 rows", "embedding|rows|0") { gtr_embedding(labels(w), "e", 0, 4); }
    MISTAKE("ids beyond an embedding's rows", "y|embedding|0 to 1") {
        w->h = gtr_add(hidden(w), gtr_embedding(labels(w), "e", 2, 8));
        fit(w);
    }
    MISTAKE("one_hot of floats", "one_hot|float32|int32") { gtr_one_hot(input(w), 3); }
    MISTAKE("one_hot without its classes", "one_hot|(N,)|0 classes") { gtr_one_hot(labels(w), 0); }
    MISTAKE("the 9 largest of 8", "top_k|k 9") { gtr_top_k(hidden(w), 9, 1); }
    MISTAKE("batch_norm of one row at a time", "batch_norm|one value|batch") {
        w->h = gtr_batch_norm(hidden(w), "bn");
        w->fd.batch = 1;
        fit(w);
    }
    MISTAKE("batch_norm with a tail batch of one row", "batch_norm|drop_last") {
        w->h = gtr_batch_norm(hidden(w), "bn");
        w->fd.batch = 23;
        fit(w);
    }
    MISTAKE("batch_norm with Keras' momentum 99 in percent", "batch_norm|momentum") {
        gtr_batch_norm_desc d;
        memset(&d, 0, sizeof d);
        d.momentum = 99;
        gtr_batch_norm_ex(hidden(w), "bn", d);
    }
    MISTAKE("layer_norm over more dimensions than there are", "layer_norm|3|(N, 8)") {
        gtr_layer_norm(hidden(w), "ln", 3, 0);
    }
    MISTAKE("layer_norm with its eps below 0", "layer_norm|eps") { gtr_layer_norm(hidden(w), "ln", 1, -1e-5f); }
    MISTAKE("layer_norm over the batch, too", "layer_norm|dims 2|1") { gtr_layer_norm(hidden(w), "ln", 2, 0); }
    MISTAKE("group_norm of groups that do not divide", "group_norm|3 groups") { gtr_group_norm(hidden(w), "gn", 3, 0); }
    MISTAKE("a residual of another width without a name", "residual|name|(N, 8)|(N, 4)") {
        gtr_residual(input(w), hidden(w), NULL);
    }
    MISTAKE("a pad that names the batch", "pad|batch") {
        const int64_t pad[4] = { 0, 0, 1, 1 };
        gtr_pad(hidden(w), pad, 2, GTR_PAD_CONSTANT, 0);
    }
    MISTAKE("a mirror wider than the image", "pad|8") {
        const int64_t pad[2] = { 8, 0 };
        gtr_pad(hidden(w), pad, 1, GTR_PAD_REFLECT, 0);
    }
    MISTAKE("tile of the batch", "tile|batch") {
        const int64_t times[2] = { 2, 1 };
        gtr_tile(hidden(w), times);
    }
    MISTAKE("where with its condition of integers", "where|int32|float32") {
        gtr_where(labels(w), hidden(w), hidden(w));
    }
    MISTAKE("accuracy with its arguments exchanged", "accuracy|float32|int32") { gtr_accuracy(labels(w), scores(w)); }
    MISTAKE("accuracy of one score a row", "accuracy|class") { gtr_accuracy(one_score(w), labels(w)); }
    MISTAKE("accuracy with one-hot labels", "accuracy|y|float32|int32") { gtr_accuracy(scores(w), floats(w, 3)); }
}

static void losses(void)
{
    MISTAKE("softmax, then cross_entropy, as Keras' networks end", "cross_entropy|softmax|logits") {
        gtr_cross_entropy(gtr_softmax(scores(w), 1), labels(w));
    }
    MISTAKE("a sigmoid, then cross_entropy", "cross_entropy|sigmoid|logits") {
        gtr_cross_entropy(gtr_sigmoid(scores(w)), labels(w));
    }
    MISTAKE("a sigmoid, then bce_with_logits", "bce_with_logits|sigmoid|logits") {
        gtr_bce_with_logits(gtr_sigmoid(one_score(w)), floats(w, 1));
    }
    MISTAKE("a sigmoid, then the focal loss", "focal|sigmoid") {
        gtr_focal(gtr_sigmoid(one_score(w)), floats(w, 1));
    }
    MISTAKE("logits into bce", "bce|linear|gtr_bce_with_logits") { gtr_bce(one_score(w), floats(w, 1)); }
    MISTAKE("logits into nll", "nll|linear|gtr_log_softmax") { gtr_nll(scores(w), labels(w)); }
    MISTAKE("softmax, not its logarithm, into nll", "nll|softmax|gtr_log_softmax") {
        gtr_nll(gtr_softmax(scores(w), 1), labels(w));
    }
    MISTAKE("softmax, not its logarithm, into kl_div", "kl_div|softmax|gtr_log_softmax") {
        gtr_kl_div(gtr_softmax(scores(w), 1), floats(w, 3));
    }
    MISTAKE("a logarithm for kl_div's target without log_target", "kl_div|log_target") {
        gtr_kl_div(gtr_log_softmax(scores(w), 1), gtr_log_softmax(gtr_linear(hidden(w), "fc3", 3), 1));
    }
    MISTAKE("one score a row into cross_entropy", "cross_entropy|one class|gtr_bce_with_logits") {
        gtr_cross_entropy(one_score(w), labels(w));
    }
    MISTAKE("float labels into cross_entropy", "cross_entropy|float32|int32") {
        w->y = gtr_input(context(w), "y", GTR_F32, gtr_shape1(GTR_BATCH));
        loss(w);
    }
    MISTAKE("one-hot labels of integers", "cross_entropy|(N, 3)|float32") {
        w->y = gtr_input(context(w), "y", GTR_I32, gtr_shape2(GTR_BATCH, 3));
        loss(w);
    }
    MISTAKE("labels (N, 1)", "cross_entropy|(N, 1)|(N,)") {
        w->y = gtr_input(context(w), "y", GTR_I32, gtr_shape2(GTR_BATCH, 1));
        loss(w);
    }
    MISTAKE("one-hot labels of another number of classes", "cross_entropy|(N, 4)|(N, 3)") {
        gtr_cross_entropy(scores(w), floats(w, 4));
    }
    MISTAKE("labels and scores exchanged", "cross_entropy|int32|float32") { gtr_cross_entropy(labels(w), scores(w)); }
}
static void losses_with_fields(void)
{
    MISTAKE("label_smoothing in percent", "label_smoothing|10") {
        w->ce.label_smoothing = 10;
        gtr_cross_entropy_ex(scores(w), labels(w), w->ce);
    }
    MISTAKE("weights of rows for weights of classes", "weight|(N,)|(3,)") {
        w->ce.weight = gtr_input(context(w), "w", GTR_F32, gtr_shape1(GTR_BATCH));
        gtr_cross_entropy_ex(scores(w), labels(w), w->ce);
    }
    MISTAKE("weights of classes for weights of rows", "sample_weight|(3,)|(N,)") {
        w->ce.sample_weight = gtr_constant(context(w), GTR_F32, gtr_shape1(3), features);
        gtr_cross_entropy_ex(scores(w), labels(w), w->ce);
    }
    MISTAKE("weights of two classes for three", "weight|(2,)|(3,)") {
        w->ce.weight = gtr_constant(context(w), GTR_F32, gtr_shape1(2), features);
        gtr_cross_entropy_ex(scores(w), labels(w), w->ce);
    }
    MISTAKE("label_smoothing of nll", "nll|label_smoothing") {
        w->ce.label_smoothing = 0.1f;
        gtr_nll_ex(gtr_log_softmax(scores(w), 1), labels(w), w->ce);
    }
    MISTAKE("ignore_zero and an ignore_index", "ignore_") {
        w->ce.ignore_zero = true; w->ce.ignore_index = -1;
        gtr_cross_entropy_ex(scores(w), labels(w), w->ce);
    }
    MISTAKE("predictions (N, 1) and targets (N), which PyTorch broadcasts", "mse|(N,)|(N, 1)") {
        w->y = gtr_input(context(w), "y", GTR_F32, gtr_shape1(GTR_BATCH));
        gtr_mse(one_score(w), w->y);
    }
    MISTAKE("mse of integers", "mse|int32|float32") { gtr_mse(one_score(w), labels(w)); }
    MISTAKE("bce_with_logits of integers", "bce_with_logits|int32|float32") {
        w->y = gtr_input(context(w), "y", GTR_I32, gtr_shape2(GTR_BATCH, 1));
        gtr_bce_with_logits(one_score(w), w->y);
    }
    MISTAKE("paddings of both ways of a sequence", "conv2d|.padding is|not read|of a sequence there is one") {
        w->conv.out = 4; w->conv.kernel = 3; w->conv.padding = 1; w->conv.padding_w = 2;
        gtr_conv2d_ex(gtr_input(context(w), "sequence", GTR_F32, gtr_shape3(GTR_BATCH, 5, 13)), "c", w->conv);
    }
    MISTAKE("huber with smooth_l1's beta", "huber|beta|not read") {
        w->ld.beta = 2;
        gtr_huber_ex(one_score(w), floats(w, 1), w->ld);
    }
    MISTAKE("pos_weight of mse", "mse|pos_weight|not read") {
        w->ld.pos_weight = gtr_constant(context(w), GTR_F32, gtr_shape1(1), ones);
        gtr_mse_ex(one_score(w), floats(w, 1), w->ld);
    }
    MISTAKE("gamma of bce, not of the focal loss", "bce_with_logits|gamma|not read") {
        w->ld.gamma = 2;
        gtr_bce_with_logits_ex(one_score(w), floats(w, 1), w->ld);
    }
    MISTAKE("a margin of 5", "cosine_embedding|margin|5") {
        w->ld.margin = 5;
        w->y = gtr_input(context(w), "y", GTR_F32, gtr_shape1(GTR_BATCH));
        gtr_cosine_embedding_ex(hidden(w), gtr_linear(hidden(w), "b", 8), w->y, w->ld);
    }
    MISTAKE("the variance of another shape", "gaussian_nll|var|(N, 8)") {
        gtr_gaussian_nll(one_score(w), floats(w, 1), hidden(w));
    }
    MISTAKE("a reduction of Keras' number", "mse|reduction") {
        w->ld.reduction = (gtr_reduction)9;
        gtr_mse_ex(one_score(w), floats(w, 1), w->ld);
    }
}
static void losses_that_run(void)
{
    MISTAKE("labels from 1 on", "row 2|3|0 to 2") { with_labels(w, from_one, GTR_I32, gtr_shape0()); fit(w); }
    MISTAKE("labels -1 and 1, as for an SVM", "row 0|-1|0 to 2") {
        with_labels(w, signs, GTR_I32, gtr_shape0());
        fit(w);
    }
    MISTAKE("labels from 1 on, set by hand", "\"y\"|3|0 to 2") {
        trainer(w);
        gtr_set(w->x, features, sizeof features);
        gtr_set(w->y, from_one, sizeof from_one);
        gtr_step(w->t);
    }
    MISTAKE("fewer scores than classes", "row 2|2|0 to 1") {
        w->logits = gtr_linear(hidden(w), "fc2", 2);
        fit(w);
    }
    MISTAKE("float labels in a data set", "column 1|float32|int32") {
        with_labels(w, target, GTR_F32, gtr_shape0());
        fit(w);
    }
    MISTAKE("one-hot rows into an input of labels", "column 1|(3,)|\"y\"") {
        with_labels(w, onehot, GTR_F32, gtr_shape1(3));
        fit(w);
    }
    MISTAKE("ids where one-hot rows are wanted", "column 1|int32|float32") {
        w->loss = gtr_cross_entropy(scores(w), floats(w, 3));
        with_labels(w, label, GTR_I32, gtr_shape0());
        fit(w);
    }
    MISTAKE("targets -1 and 1 into bce_with_logits", "column 1, row 0|-1|bce_with_logits|0 to 1") {
        for (int i = 0; i < ROWS; i++) w->value[i] = (gtr_float)signs[i];
        w->loss = gtr_bce_with_logits(one_score(w), floats(w, 1));
        with_labels(w, w->value, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    MISTAKE("targets 1 and 2 into bce", "column 1, row 1|2|bce|0 to 1") {
        for (int i = 0; i < ROWS; i++) w->value[i] = (gtr_float)(1 + i % 2);
        w->loss = gtr_bce(gtr_sigmoid(one_score(w)), floats(w, 1));
        with_labels(w, w->value, GTR_F32, gtr_shape1(1));
        fit(w);
    }
    MISTAKE("classes in bytes for a float target, which become 1/255", "column 1|scale|1/255") {
        regression(w);
        for (int i = 0; i < ROWS; i++) bytes[i] = (uint8_t)label[i];
        with_labels(w, bytes, GTR_U8, gtr_shape0());
        fit(w);
        made_data();
    }
    RIGHT("bytes for a float target that are divided by 255 on purpose") {
        regression(w);
        w->ad.column[1].scale = 1.0f / 255;
        with_labels(w, bytes, GTR_U8, gtr_shape0());
        fit(w);
    }
    RIGHT("probabilities by probabilities of noise into bce and kl_div") {
        gtr_tensor *p = gtr_softmax(scores(w), 1), *noise = gtr_softmax(gtr_parameter(context(w), "noise",
            gtr_shape2(3, 3), (gtr_init){ .kind = GTR_INIT_NORMAL, .a = 1 }), 1);
        w->loss = gtr_bce(gtr_matmul(p, noise), floats(w, 3));
        w->loss = gtr_add(w->loss, gtr_kl_div(gtr_log_softmax(scores(w), 1), gtr_matmul(gtr_stop_gradient(p), noise)));
        with_labels(w, onehot, GTR_F32, gtr_shape1(3));
        fit(w);
    }
    MISTAKE("targets 0 and 1 in bytes, which become 1/255", "scale|1/255") {
        w->loss = gtr_bce_with_logits(one_score(w), floats(w, 1));
        with_labels(w, bits, GTR_U8, gtr_shape0());
        fit(w);
    }
}
static void losses_that_are_none(void)
{
    MISTAKE("a loss of each row to a trainer", "loss|(N,)|gtr_mean") {
        w->ce.reduction = GTR_REDUCE_NONE;
        w->loss = gtr_cross_entropy_ex(scores(w), labels(w), w->ce);
        trainer(w);
    }
    MISTAKE("scores to a trainer, not a loss", "loss|(N, 3)|fc2") { w->loss = scores(w); trainer(w); }
    MISTAKE("accuracy to a trainer", "accuracy|no gradient") {
        w->loss = gtr_accuracy(scores(w), labels(w));
        trainer(w);
    }
    MISTAKE("argmax before the loss", "one_hot|no gradient") {
        w->loss = gtr_cross_entropy(gtr_one_hot(gtr_argmax(scores(w), 1), 3), labels(w));
        trainer(w);
    }
    MISTAKE("a detached network", "stop_gradient|no gradient") {
        w->loss = gtr_cross_entropy(gtr_stop_gradient(scores(w)), labels(w));
        trainer(w);
    }
    MISTAKE("a loss of inputs alone", "no parameter") {
        w->loss = gtr_mse(gtr_input(context(w), "a", GTR_F32, gtr_shape2(GTR_BATCH, 1)), floats(w, 1));
        trainer(w);
    }
}
static void not_finite(void)
{
    MISTAKE("all labels are ignored", "cross_entropy|all labels of the step are ignored") {
        static int32_t none[ROWS];
        for (int i = 0; i < ROWS; i++) none[i] = -100;
        with_labels(w, none, GTR_I32, gtr_shape0());
        fit(w);
    }
    MISTAKE("a rate of 1e20", "mse|not finite|rate") { w->td.lr = 1e20f; w->fd.epochs = 20; regression(w); fit(w); }
    MISTAKE("the logarithm of what may be 0", "not finite|log") {
        w->loss = gtr_mean(gtr_mul(gtr_log(gtr_relu(input(w))), gtr_linear(hidden(w), "gain", 4)), NULL, 0, false);
        column(w, 0, features, GTR_F32, gtr_shape1(4));
        arrays(w);
        fit(w);
    }
    MISTAKE("NaN in a feature", "row 5|column 0|\"x\"|not finite") {
        memcpy(w->value, features, sizeof features);
        w->value[21] = (gtr_float)NAN;
        column(w, 0, w->value, GTR_F32, gtr_shape1(4));
        fit(w);
    }
    MISTAKE("an infinite target", "row 7|column 1|\"y\"|not finite") {
        memcpy(w->value, target, sizeof target);
        w->value[7] = (gtr_float)INFINITY;
        column(w, 1, w->value, GTR_F32, gtr_shape1(1));
        regression(w);
        fit(w);
    }
    MISTAKE("NaN in the validation set", "row 5|column 0|not finite|evaluation") {
        fit(w);
        memcpy(w->value, features, sizeof features);
        w->value[21] = (gtr_float)NAN;
        column(w, 0, w->value, GTR_F32, gtr_shape1(4));
        w->held = w->data;
        w->fd.validation = arrays(w);
        w->data = w->held;
        fit(w);
    }
    MISTAKE("a layer that the loss does not use", "fc9.weight") {
        w->fd.silent = false;
        gtr_linear(hidden(w), "fc9", 3);
        fit(w);
    }
    MISTAKE("a layer whose output is detached", "fc1.weight") {
        w->fd.silent = false;
        w->logits = gtr_linear(gtr_stop_gradient(hidden(w)), "fc2", 3);
        fit(w);
    }
}

/* Fields of a trainer: each sets them and makes one. */
static float rate_of_step(int64_t step, void *user) { (void)step; return *(const float *)user; }
static void rates(void)
{
    static const float negative = -1, nan = (float)NAN;
    MISTAKE("a rate below 0", "lr|-0.01") { w->td.lr = -0.01f; trainer(w); }
    MISTAKE("a rate of NaN", "lr|nan") { w->td.lr = (float)NAN; trainer(w); }
    MISTAKE("a momentum of 90", "momentum|90") { w->td.momentum = 90; trainer(w); }
    MISTAKE("Adam with SGD's momentum", "momentum|beta1") {
        w->td.optimizer = GTR_ADAM; w->td.momentum = 0.9f;
        trainer(w);
    }
    MISTAKE("nesterov without momentum", "nesterov|momentum") { w->td.nesterov = true; trainer(w); }
    MISTAKE("betas of 1", "beta1|1") { w->td.optimizer = GTR_ADAM; w->td.beta1 = 1; trainer(w); }
    MISTAKE("AdamW's weight decay set to 0", "weight_decay|GTR_ZERO") {
        w->td.optimizer = GTR_ADAMW; w->td.weight_decay = 0;
        trainer(w);
    }
    MISTAKE("weight decay below 0", "weight_decay|-0.1") { w->td.weight_decay = -0.1f; trainer(w); }
    MISTAKE("an optimizer that is none", "optimizer") { w->td.optimizer = (gtr_optimizer)9; trainer(w); }
    MISTAKE("a precision that is none", "precision") { w->td.precision = (gtr_precision)16; trainer(w); }
    MISTAKE("an ema of 1", "ema|1") { w->td.ema = 1; trainer(w); }
    MISTAKE("clip_norm below 0 for none", "clip_norm|-1") { w->td.clip_norm = -1; trainer(w); }
    MISTAKE("micro_batches for rows of one", "micro_batches|128") { w->td.micro_batches = 128; trainer(w); }
    MISTAKE("16 streams", "streams|16") { w->td.streams = 16; trainer(w); }
    MISTAKE("a step schedule without decay_steps", "decay_steps") {
        w->td.schedule = GTR_STEP_DECAY; w->td.gamma = 0.5f;
        trainer(w);
    }
    MISTAKE("an exponential schedule without gamma", "gamma") { w->td.schedule = GTR_EXPONENTIAL; trainer(w); }
    MISTAKE("warm-up longer than a cosine", "100|warm") {
        w->td.schedule = GTR_COSINE; w->td.total_steps = 50; w->td.warmup_steps = 100;
        trainer(w);
    }
    MISTAKE("warm-up of one-cycle, which has its own", "warmup_steps|GTR_ONE_CYCLE") {
        w->td.schedule = GTR_ONE_CYCLE; w->td.warmup_steps = 10;
        trainer(w);
    }
    MISTAKE("pct_start in percent", "pct_start|30") {
        w->td.schedule = GTR_ONE_CYCLE; w->td.pct_start = 30;
        trainer(w);
    }
    MISTAKE("plateau_patience -5", "plateau_patience|-5") {
        w->td.schedule = GTR_PLATEAU; w->td.plateau_patience = -5;
        trainer(w);
    }
    MISTAKE("a custom schedule without its function", "lr_fn") { w->td.schedule = GTR_CUSTOM_SCHEDULE; trainer(w); }
    MISTAKE("a schedule that is none", "schedule") { w->td.schedule = (gtr_schedule)20; trainer(w); }
    MISTAKE("a cosine by hand without total_steps", "total_steps") {
        w->td.schedule = GTR_COSINE;
        trainer(w);
        set_inputs(w);
        gtr_step(w->t);
    }
    MISTAKE("a function that gives a rate below 0", "rate|-1") {
        w->td.schedule = GTR_CUSTOM_SCHEDULE; w->td.lr_fn = rate_of_step; w->td.lr_user = (void *)(uintptr_t)&negative;
        fit(w);
    }
    MISTAKE("a function that gives NaN", "rate|nan") {
        w->td.schedule = GTR_CUSTOM_SCHEDULE; w->td.lr_fn = rate_of_step; w->td.lr_user = (void *)(uintptr_t)&nan;
        fit(w);
    }
    MISTAKE("gtr_trainer_lr of NaN", "gtr_trainer_lr|nan") { gtr_trainer_lr(trainer(w), (float)NAN); }
    MISTAKE("gtr_trainer_lr below 0", "gtr_trainer_lr|-1") { gtr_trainer_lr(trainer(w), -1); }
    MISTAKE("a plateau's value for another schedule", "gtr_trainer_plateau|constant") {
        gtr_trainer_plateau(trainer(w), 1, false);
    }
    MISTAKE("a cosine's total_steps in epochs", "cosine|total_steps|the rate stays 0") {
        w->td.schedule = GTR_COSINE; w->td.total_steps = 3; w->fd.epochs = 3; w->fd.silent = false;
        fit(w);
    }
    RIGHT("a linear warm-up that ends within the fit") {
        w->td.schedule = GTR_LINEAR; w->td.total_steps = 3; w->fd.epochs = 3; w->fd.silent = false;
        fit(w);
    }
    MISTAKE("a second fit where a cosine has ended", "cosine|ended|the rate stays 0") {
        w->td.schedule = GTR_COSINE; w->td.total_steps = 3;
        fit(w);
        w->fd.silent = false;
        fit(w);
    }
}
static void rates_not_read(void)
{
    MISTAKE("lr_fn without its schedule", "lr_fn|GTR_CUSTOM_SCHEDULE") { w->td.lr_fn = rate_of_step; trainer(w); }
    MISTAKE("min_lr without a schedule", "min_lr") { w->td.min_lr = 1e-5f; trainer(w); }
    MISTAKE("gamma under a cosine", "gamma") {
        w->td.schedule = GTR_COSINE; w->td.gamma = 0.5f;
        trainer(w);
    }
    MISTAKE("total_steps without a schedule", "total_steps") { w->td.total_steps = 100; trainer(w); }
    MISTAKE("total_steps of a step schedule", "total_steps") {
        w->td.schedule = GTR_STEP_DECAY; w->td.decay_steps = 10; w->td.total_steps = 100;
        trainer(w);
    }
    MISTAKE("decay_steps without a schedule", "decay_steps") { w->td.decay_steps = 100; trainer(w); }
    MISTAKE("decay_steps under a cosine", "decay_steps") {
        w->td.schedule = GTR_COSINE; w->td.decay_steps = 100;
        trainer(w);
    }
    MISTAKE("start_factor under a cosine", "start_factor") {
        w->td.schedule = GTR_COSINE; w->td.start_factor = 0.1f;
        trainer(w);
    }
    MISTAKE("pct_start without one-cycle", "pct_start") { w->td.pct_start = 0.3f; trainer(w); }
    MISTAKE("div_factor under linear", "div_factor") {
        w->td.schedule = GTR_LINEAR; w->td.div_factor = 10;
        trainer(w);
    }
    MISTAKE("three_phase without one-cycle", "three_phase") { w->td.three_phase = true; trainer(w); }
    MISTAKE("plateau_patience without a plateau", "plateau_patience") { w->td.plateau_patience = 3; trainer(w); }
    MISTAKE("a plateau's threshold without it", "threshold") { w->td.threshold = 0.1f; trainer(w); }
    MISTAKE("a plateau whose factor is 1", "gamma|1") {
        w->td.schedule = GTR_PLATEAU; w->td.gamma = 1;
        trainer(w);
    }
    MISTAKE("a plateau whose factor is 10", "gamma|10") {
        w->td.schedule = GTR_PLATEAU; w->td.gamma = 10;
        trainer(w);
    }
    MISTAKE("beta1 of SGD", "beta1") { w->td.beta1 = 0.9f; trainer(w); }
    MISTAKE("eps of SGD", "eps") { w->td.eps = 1e-6f; trainer(w); }
    MISTAKE("beta1 of RMSprop, not its alpha", "beta1") {
        w->td.optimizer = GTR_RMSPROP; w->td.beta1 = 0.9f;
        trainer(w);
    }
    MISTAKE("lr_decay of Adam", "lr_decay|Adagrad") { w->td.optimizer = GTR_ADAM; w->td.lr_decay = 0.1f; trainer(w); }
    MISTAKE("a negative sum of squares", "initial_accumulator is -1") {
        w->td.optimizer = GTR_ADAGRAD; w->td.initial_accumulator = -1;
        trainer(w);
    }
    MISTAKE("eps of Lion", "eps") { w->td.optimizer = GTR_LION; w->td.eps = 1e-6f; trainer(w); }
}
static void groups(void)
{
    static const gtr_group heads = { "fc2.*", 0.1f, 0, false }, none = { "fc7.*", 0.1f, 0, false },
        layer = { "fc1", 0, 0, true }, all = { "*", 0, 0, true }, no_name = { NULL, 0.1f, 0, false },
        below = { "fc1.*", -1, 0, false }, shadow[2] = { { "*", 0.1f, 0, false }, { "fc1.*", 0, 0, true } },
        twice[2] = { { "fc1.*", 0.1f, 0, false }, { "fc1.weight", 1, 0.1f, false } };
    MISTAKE("groups without n_groups", "n_groups") { w->td.groups = &heads; trainer(w); }
    MISTAKE("n_groups without groups", "groups") { w->td.n_groups = 1; trainer(w); }
    MISTAKE("a pattern that fits nothing", "fc7.*|fits no parameter") {
        w->td.groups = &none; w->td.n_groups = 1;
        trainer(w);
    }
    MISTAKE("a layer's name for a pattern", "\"fc1\"|fits no parameter|fc1.weight|*") {
        w->td.groups = &layer; w->td.n_groups = 1;
        trainer(w);
    }
    MISTAKE("everything frozen", "no parameter|frozen") { w->td.groups = &all; w->td.n_groups = 1; trainer(w); }
    MISTAKE("all parameters made frozen", "no parameter|frozen") {
        w->init.frozen = true;
        gtr_tensor *k = gtr_parameter(context(w), "k", gtr_shape2(3, 4), w->init);
        w->loss = gtr_cross_entropy(gtr_linear_with(input(w), k, NULL), labels(w));
        trainer(w);
    }
    MISTAKE("a group without a pattern", "group 0|pattern") {
        w->td.groups = &no_name; w->td.n_groups = 1;
        trainer(w);
    }
    MISTAKE("a group with a rate below 0", "group 0|lr_scale") {
        w->td.groups = &below; w->td.n_groups = 1;
        trainer(w);
    }
    MISTAKE("a group that an earlier pattern shadows", "group 1|fc1.*") {
        w->td.groups = shadow; w->td.n_groups = 2;
        trainer(w);
    }
    MISTAKE("a group of one parameter behind its layer's", "group 1|fc1.weight") {
        w->td.groups = twice; w->td.n_groups = 2;
        trainer(w);
    }
    MISTAKE("20 groups", "20 groups") { w->td.groups = &heads; w->td.n_groups = 20; trainer(w); }
}
static bool no_more(const gtr_progress *p) { (void)p; return false; }
static bool steps_more(const gtr_progress *p) { return gtr_step(p->trainer) == GTR_OK; }
static bool feeds_more(const gtr_progress *p) { return gtr_trainer_data(p->trainer, NULL, 0, 0, 0) == GTR_OK; }
static bool fits_more(const gtr_progress *p)
{
    gtr_fit_desc d;
    memset(&d, 0, sizeof d);
    return gtr_fit(p->trainer, (gtr_dataset *)p->user, d) == GTR_OK;
}
static bool swaps(const gtr_progress *p) { return gtr_average_swap(p->trainer) == GTR_OK; }
static bool destroys(const gtr_progress *p) { gtr_trainer_destroy(p->trainer); return true; }
static void orders(void)
{
    MISTAKE("a step before any data", "gtr_step|\"x\"|gtr_set") { gtr_step(trainer(w)); }
    MISTAKE("a step with labels not set", "gtr_step|\"y\"|gtr_set") {
        trainer(w);
        gtr_set(w->x, features, sizeof features);
        gtr_step(w->t);
    }
    MISTAKE("an update without gradients", "gtr_update|gtr_backward") { set_inputs(w); gtr_update(trainer(w)); }
    MISTAKE("gtr_backward twice, to add gradients up", "gtr_backward|gtr_update") {
        set_inputs(w);
        gtr_backward(trainer(w));
        gtr_backward(w->t);
    }
    MISTAKE("a step between gtr_backward and gtr_update", "gtr_step|gtr_backward|gtr_update") {
        set_inputs(w);
        gtr_backward(trainer(w));
        gtr_step(w->t);
    }
    MISTAKE("a fit between gtr_backward and gtr_update", "gtr_fit|gtr_update") {
        set_inputs(w);
        gtr_backward(trainer(w));
        fit(w);
    }
    MISTAKE("a checkpoint between gtr_backward and gtr_update", "gtr_checkpoint_save|gtr_update") {
        set_inputs(w);
        gtr_backward(trainer(w));
        gtr_checkpoint_save(w->t, path_of("half.checkpoint"));
    }
    MISTAKE("a fit without data", "gtr_fit|data set") { gtr_fit(trainer(w), NULL, w->fd); }
    MISTAKE("a fit of a network that was not built", "gtr_fit|trainer") { gtr_fit(NULL, samples(w), w->fd); }
    MISTAKE("a model that could not be built, fitted and saved all the same", "fc1|already") {
        w->h = gtr_linear(gtr_linear(input(w), "fc1", 8), "fc1", 8);
        w->logits = gtr_linear(w->h, "fc2", 3);
        w->loss = gtr_cross_entropy(w->logits, labels(w));
        w->t = gtr_trainer_create(w->loss, w->td);
        samples(w);
        gtr_fit(w->t, w->data, w->fd);
        gtr_save(w->ctx, path_of("unbuilt.safetensors"));
    }
    MISTAKE("gtr_save after an error that nobody looked at", "gtr_error_clear|lr") {
        fit(w);
        w->td.lr = -1;
        gtr_trainer_create(w->loss, w->td);
        gtr_save(w->ctx, path_of("kept.safetensors"));
    }
    MISTAKE("gtr_save before there is a network", "gtr_save|no parameter") {
        gtr_save(context(w), path_of("no-network.safetensors"));
    }
    MISTAKE("gtr_load before the network is built", "model.safetensors|fc1|not in the model") {
        gtr_load(context(w), model_file());
    }
}
static void orders_of_values(void)
{
    MISTAKE("a gradient's buffer asked for after gtr_fit", "gtr_fit|gtr_step") {
        gtr_tensor *p;
        fit(w);
        p = gtr_parameter_at(w->ctx, 0);
        gtr_gradient_get(w->t, p, w->value, gtr_tensor_bytes(p));
    }
    MISTAKE("the gradient of an input", "gradient|\"x\"") {
        set_inputs(w);
        gtr_step(trainer(w));
        gtr_gradient_get(w->t, w->x, w->value, sizeof features);
    }
    MISTAKE("the gradient into room for numbers, not bytes", "fc1.weight|32|128") {
        set_inputs(w);
        gtr_step(trainer(w));
        gtr_gradient_get(w->t, gtr_parameter_at(w->ctx, 0), w->value, 32);
    }
    MISTAKE("SGD's momentum where there is none", "fc1.weight|none") {
        trainer(w);
        gtr_state_get(w->t, gtr_parameter_at(w->ctx, 0), 0, w->value, 128);
    }
    MISTAKE("averages exchanged without .ema", "gtr_average_swap|ema") { fit(w); gtr_average_swap(w->t); }
    MISTAKE("a step while the averages are there", "gtr_average_swap") {
        w->td.ema = 0.5f;
        fit(w);
        gtr_average_swap(w->t);
        gtr_step(w->t);
    }
    MISTAKE("augmentation of a set that trained already", "gtr_dataset_augment|in use") {
        image(w, 1, 8, 8);
        w->h = gtr_flatten(w->x);
        column(w, 0, bytes, GTR_U8, gtr_shape3(1, 8, 8));
        fit(w);
        w->aug.flip = 0.5f;
        gtr_dataset_augment(w->data, 0, w->aug);
    }
    MISTAKE("a split of a set that trained already", "gtr_dataset_split|in use") {
        fit(w);
        gtr_dataset_split(w->data, 4);
    }
    MISTAKE("rows let go while a trainer uses what is behind the mark", "gtr_release|trainer") {
        const int64_t mark = gtr_mark(context(w));
        trainer(w);
        gtr_release(w->ctx, mark);
    }
    MISTAKE("milliseconds that are NaN", "gtr_train_for|nan") { gtr_train_for(trainer(w), (double)NAN); }
    MISTAKE("gtr_train_for before any data", "\"x\"|gtr_set") { gtr_train_for(trainer(w), 1); }
    MISTAKE("an appended set that goes on feeding", "gtr_step|gtr_trainer_data") {
        const void *more[2] = { features, label };
        gtr_trainer_data(trainer(w), samples(w), 8, true, false);
        gtr_step(w->t);
        gtr_dataset_append(w->data, more, 2);
        gtr_step(w->t);
    }
    MISTAKE("gtr_set in a loop while a data set feeds the steps", "gtr_set|gtr_trainer_data") {
        fit(w);
        for (int i = 0; i < 3; i++) { set_inputs(w); gtr_step(w->t); }
    }
}
static void in_callbacks(void)
{
    MISTAKE("a callback that returns false for no error", "callback|false") {
        w->fd.silent = false; w->fd.epochs = 3; w->fd.callback = no_more;
        fit(w);
    }
    MISTAKE("a step of the trainer in its fit's callback", "gtr_step|callback") { w->fd.callback = steps_more; fit(w); }
    MISTAKE("other data in a fit's callback", "gtr_trainer_data|callback") { w->fd.callback = feeds_more; fit(w); }
    MISTAKE("a fit in a fit's callback", "gtr_fit|callback") {
        w->fd.callback = fits_more;
        w->fd.callback_user = samples(w);
        fit(w);
    }
    MISTAKE("averages exchanged in a fit's callback", "gtr_average_swap|callback") {
        w->td.ema = 0.5f; w->fd.callback = swaps;
        fit(w);
    }
    MISTAKE("a trainer that its callback destroys", "gtr_trainer_destroy|callback") {
        w->fd.callback = destroys;
        fit(w);
    }
}

static void fits(void)
{
    MISTAKE("a batch larger than the set", "batch of 128|24 rows") { w->fd.batch = 128; fit(w); }
    MISTAKE("a batch below 0", "batch of -1") { w->fd.batch = -1; fit(w); }
    MISTAKE("epochs below 0", "epochs|-1") { w->fd.epochs = -1; fit(w); }
    MISTAKE("a patience below 0", "patience|-1") { w->fd.patience = -1; fit(w); }
    MISTAKE("a min_delta of NaN", "min_delta|nan") { w->fd.patience = 1; w->fd.min_delta = (float)NAN; fit(w); }
    MISTAKE("seconds below 0", "seconds|-1") { w->fd.seconds = -1; fit(w); }
    MISTAKE("history without its size", "history_size") {
        gtr_report r[8];
        w->fd.history = r;
        fit(w);
    }
    MISTAKE("history_size without history", "history") { w->fd.history_size = 8; fit(w); }
    MISTAKE("callback_every without a callback", "callback_every") { w->fd.callback_every = 10; fit(w); }
    MISTAKE("min_delta that nothing reads", "min_delta") { w->fd.min_delta = 0.1f; fit(w); }
    MISTAKE("monitor_least of the loss", "monitor_least") {
        w->fd.monitor_least = true; w->fd.patience = 1;
        fit(w);
    }
    MISTAKE("monitor that nothing goes by", "monitor") {
        w->fd.metric = gtr_accuracy(scores(w), labels(w)); w->fd.monitor = GTR_METRIC_TENSOR;
        fit(w);
    }
    MISTAKE("monitor of a metric that is not there", "monitor|.metric") {
        w->fd.monitor = GTR_METRIC_TENSOR; w->fd.patience = 1;
        fit(w);
    }
    MISTAKE("monitor accuracy without .metrics", "monitor|accuracy|.metrics") {
        w->fd.monitor = GTR_METRIC_ACCURACY; w->fd.patience = 1; w->fd.validation = samples(w);
        fit(w);
    }
    MISTAKE("patience by a metric that is a loss, the more the better", "monitor_least|mse") {
        regression(w);
        w->fd.metric = gtr_mse(w->logits, w->y);
        w->fd.monitor = GTR_METRIC_TENSOR; w->fd.patience = 2;
        fit(w);
    }
    MISTAKE("the best epoch by the mean error, the more the better", "monitor_least|l1") {
        regression(w);
        w->fd.metric = gtr_l1(w->logits, w->y);
        w->fd.monitor = GTR_METRIC_TENSOR; w->fd.restore_best = true;
        fit(w);
    }
    MISTAKE("a monitor that is none", "monitor") { w->fd.monitor = (gtr_metric)99; w->fd.patience = 1; fit(w); }
    MISTAKE(".metrics without .validation", "metrics|validation") {
        w->fd.metrics.scores = scores(w); w->fd.metrics.labels = labels(w);
        fit(w);
    }
    MISTAKE("a monitor that classes have not", "monitor|rmse") {
        w->fd.monitor = GTR_METRIC_RMSE; w->fd.patience = 1; w->fd.validation = samples(w);
        w->fd.metrics.scores = scores(w); w->fd.metrics.labels = labels(w);
        fit(w);
    }
    MISTAKE("f1 of three classes", "monitor|f1|macro") {
        w->fd.monitor = GTR_METRIC_F1; w->fd.patience = 1; w->fd.validation = samples(w);
        w->fd.metrics.scores = scores(w); w->fd.metrics.labels = labels(w);
        fit(w);
    }
}
static void fits_of_data(void)
{
    MISTAKE("scores for a metric, not a number", "metric|fc2|one float32") { w->fd.metric = scores(w); fit(w); }
    MISTAKE("a metric of an input that the data do not have", "\"z\"") {
        w->fd.metric = gtr_mean(gtr_input(context(w), "z", GTR_F32, gtr_shape2(GTR_BATCH, 4)), NULL, 0, false);
        fit(w);
    }
    MISTAKE("features alone, without labels", "\"y\"|1 column") {
        column(w, 0, features, GTR_F32, gtr_shape1(4));
        arrays(w);
        fit(w);
    }
    MISTAKE("more columns than inputs", "3 columns|input") {
        column(w, 2, target, GTR_F32, gtr_shape0());
        fit(w);
    }
    MISTAKE("labels before features", "column 0|\"x\"|int32|float32") {
        column(w, 0, label, GTR_I32, gtr_shape0());
        column(w, 1, features, GTR_F32, gtr_shape1(4));
        fit(w);
    }
    MISTAKE("columns of other names than the inputs", "img|\"x\"") {
        w->ad.column[0].name = "img";
        fit(w);
    }
    MISTAKE("features of another number", "column 0|(8,)|\"x\"|(N, 4)") {
        column(w, 0, wide, GTR_F32, gtr_shape1(8));
        fit(w);
    }
    MISTAKE("channels first where they are last", "column 0|(3, 4, 5)|(N, 4, 5, 3)") {
        w->x = gtr_input(context(w), "x", GTR_F32, gtr_shape4(GTR_BATCH, 4, 5, 3));
        w->h = gtr_flatten(w->x);
        column(w, 0, wide, GTR_F32, gtr_shape3(3, 4, 5));
        fit(w);
    }
    MISTAKE("integers for features", "column 0|int32|float32") {
        column(w, 0, whole, GTR_I32, gtr_shape1(4));
        fit(w);
    }
    MISTAKE("a validation set without labels", "validation|\"y\"") {
        fit(w);
        memset(&w->ad, 0, sizeof w->ad);
        column(w, 0, features, GTR_F32, gtr_shape1(4));
        w->held = w->data;
        w->fd.validation = arrays(w);
        w->data = w->held;
        fit(w);
    }
    MISTAKE("a validation set with labels out of range", "row 2|3|0 to 2|validation") {
        samples(w);
        w->held = w->data;
        column(w, 1, from_one, GTR_I32, gtr_shape0());
        w->fd.validation = arrays(w);
        w->data = w->held;
        fit(w);
    }
}
static void fits_with_checkpoints(void)
{
    MISTAKE("keep_best without a checkpoint", "keep_best|a .checkpoint") { w->fd.keep_best = true; fit(w); }
    MISTAKE("checkpoint_steps without a checkpoint", "checkpoint_steps|a .checkpoint") {
        w->fd.checkpoint_steps = 3;
        fit(w);
    }
    MISTAKE("resume without a checkpoint", "resume|a .checkpoint") { w->fd.resume = true; fit(w); }
    MISTAKE("an empty path for the checkpoint", ".checkpoint|empty") { w->fd.checkpoint = ""; fit(w); }
    MISTAKE("a checkpoint in a folder that is not there", "nowhere") {
        w->fd.checkpoint = path_of("nowhere/fit.checkpoint");
        fit(w);
    }
    MISTAKE("a checkpoint that is a folder", "mistakes") { w->fd.checkpoint = FOLDER; fit(w); }
    MISTAKE("a log of another ending", "log_file|fit.txt|.csv") { w->fd.log_file = path_of("fit.txt"); fit(w); }
    MISTAKE("a log in a folder that is not there", "nowhere") { w->fd.log_file = path_of("nowhere/fit.csv"); fit(w); }
    MISTAKE("a log that is the checkpoint", "log_file|.checkpoint") {
        w->fd.checkpoint = w->fd.log_file = path_of("fit.csv");
        fit(w);
    }
    MISTAKE("keep_last of 100", "keep_last|30") {
        w->fd.checkpoint = path_of("fit.checkpoint"); w->fd.keep_last = 100;
        fit(w);
    }
    MISTAKE("checkpoint_epochs below 0", "checkpoint_epochs|-1") {
        w->fd.checkpoint = path_of("fit.checkpoint"); w->fd.checkpoint_epochs = -1;
        fit(w);
    }
}
static void resumes(void)
{
    const char *const path = FOLDER "/resumed.checkpoint";
    RIGHT("a fit with a checkpoint") { w->fd.checkpoint = path; w->fd.epochs = 2; fit(w); }
    MISTAKE("resume with another batch", "resumed.checkpoint|batch") {
        w->fd.checkpoint = path; w->fd.resume = true; w->fd.epochs = 3; w->fd.batch = 6;
        fit(w);
    }
    MISTAKE("resume with other data", "resumed.checkpoint|rows") {
        w->fd.checkpoint = path; w->fd.resume = true; w->fd.epochs = 3;
        w->ad.rows = 16;
        fit(w);
    }
    MISTAKE("resume of another network", "resumed.checkpoint|fc1") {
        w->fd.checkpoint = path; w->fd.resume = true; w->fd.epochs = 3;
        w->h = gtr_relu(gtr_linear(input(w), "fc1", 16));
        fit(w);
    }
    MISTAKE("resume with another optimizer", "resumed.checkpoint|GTR_SGD|GTR_ADAM") {
        w->fd.checkpoint = path; w->fd.resume = true; w->fd.epochs = 3; w->td.optimizer = GTR_ADAM;
        fit(w);
    }
    MISTAKE("resume with another seed", "resumed.checkpoint|seed") {
        w->fd.checkpoint = path; w->fd.resume = true; w->fd.epochs = 3; w->cd.seed = 8;
        fit(w);
    }
    MISTAKE("resume with another precision", "resumed.checkpoint|precision") {
        w->fd.checkpoint = path; w->fd.resume = true; w->fd.epochs = 3; w->td.precision = GTR_MIXED_FP16;
        fit(w);
    }
    MISTAKE("resume from a model's file", "model.safetensors|no checkpoint|gtr_load") {
        w->fd.checkpoint = model_file(); w->fd.resume = true;
        fit(w);
    }
    MISTAKE("a checkpoint loaded for another network", "resumed.checkpoint|fc3") {
        w->logits = gtr_linear(hidden(w), "fc3", 3);
        gtr_checkpoint_load(trainer(w), path);
    }
    MISTAKE("a checkpoint loaded for another optimizer", "resumed.checkpoint|GTR_SGD|GTR_ADAMW") {
        w->td.optimizer = GTR_ADAMW;
        gtr_checkpoint_load(trainer(w), path);
    }
    MISTAKE("a checkpoint that is not there", "none.checkpoint") {
        gtr_checkpoint_load(trainer(w), path_of("none.checkpoint"));
    }
    MISTAKE("a checkpoint's bytes into too little room", "gtr_checkpoint_get|10") {
        gtr_checkpoint_get(trainer(w), w->value, 10);
    }
    MISTAKE("a checkpoint of bytes that are none", "gtr_checkpoint_set") {
        gtr_checkpoint_set(trainer(w), features, sizeof features);
    }
}
static void metrics(void)
{
    float v;
    MISTAKE("an evaluation without data", "gtr_evaluate|data set") {
        gtr_evaluate(trainer(w), NULL, 8, NULL, &v, NULL);
    }
    MISTAKE("metrics without labels", "metrics|labels|NULL") { measured(w, scores(w), NULL); }
    MISTAKE("metrics with scores and labels exchanged", "labels|scores") { measured(w, labels(w), scores(w)); }
    MISTAKE("metrics of the loss", "metrics|scores ()|(N, C") { measured(w, loss(w), labels(w)); }
    MISTAKE("metrics of softmax's output without .probabilities", "probabilities|softmax") {
        measured(w, gtr_softmax(scores(w), 1), labels(w));
    }
    MISTAKE("metrics of a sigmoid's output without .probabilities", "probabilities|sigmoid") {
        w->logits = one_score(w);
        w->loss = gtr_bce_with_logits(w->logits, floats(w, 1));
        with_labels(w, ones, GTR_F32, gtr_shape1(1));
        w->md.binary = true;
        measured(w, gtr_sigmoid(w->logits), w->y);
    }
    MISTAKE(".probabilities of logits", "probabilities") {
        w->md.probabilities = true;
        measured(w, scores(w), labels(w));
    }
    MISTAKE(".threshold of several classes", "threshold") {
        w->md.threshold = 0.3f;
        measured(w, scores(w), labels(w));
    }
    MISTAKE("a threshold in percent", "threshold|50") { w->md.threshold = 50; measured(w, scores(w), labels(w)); }
    MISTAKE("top 10 of 3", "top_k|10") { w->md.top_k = 10; measured(w, scores(w), labels(w)); }
    MISTAKE("accuracy of 0 and 1 in floats without .binary", "monitor|accuracy|.binary") {
        w->loss = gtr_bce_with_logits(one_score(w), floats(w, 1));
        w->fd.validation = with_labels(w, ones, GTR_F32, gtr_shape1(1));
        w->fd.metrics.scores = w->logits; w->fd.metrics.labels = w->y;
        w->fd.monitor = GTR_METRIC_ACCURACY; w->fd.patience = 1;
        fit(w);
    }
    MISTAKE(".binary of numbers that are not", "row|0 or 1") {
        regression(w);
        w->md.binary = true;
        measured(w, w->logits, w->y);
    }
    MISTAKE("metrics' fields without scores", "scores") {
        w->fd.metrics.top_k = 3; w->fd.validation = samples(w);
        fit(w);
    }
    MISTAKE("labels of another shape than the scores", "labels|(N, 2)|(N, 3)") {
        measured(w, scores(w), gtr_slice(scores(w), 1, 0, 2));
    }
    MISTAKE("NaN among validation's scores", "row 5|NaN") {
        fit(w);
        memcpy(w->value, features, sizeof features);
        w->value[21] = (gtr_float)NAN;
        column(w, 0, w->value, GTR_F32, gtr_shape1(4));
        w->data = NULL;
        measured(w, w->logits, w->y);
    }
}

static bool no_rows(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *to)
{
    (void)user; (void)epoch; (void)begin; (void)end; (void)to;
    return false;
}
static void data_sets(void)
{
    MISTAKE("a data set of -1 rows", "-1 rows") { w->ad.rows = -1; samples(w); }
    MISTAKE("a data set without columns", "column 0|no data") { arrays(w); }
    MISTAKE("a column of float16", "column 1|dtype") { with_labels(w, features, GTR_F16, gtr_shape0()); }
    MISTAKE("doubles that are borrowed", "column 0|copied|GTR_F64") {
        w->ad.column[0].borrow = true;
        column(w, 0, doubles, GTR_F64, gtr_shape1(4));
        samples(w);
    }
    MISTAKE("a row of shape (0,)", "column 0|(0,)|at least 1") {
        column(w, 0, features, GTR_F32, gtr_shape1(0));
        samples(w);
    }
    MISTAKE("the batch in a row's shape", "column 0|row") {
        column(w, 0, features, GTR_F32, gtr_shape2(GTR_BATCH, 4));
        samples(w);
    }
    MISTAKE("a scale of NaN", "column 0|scale") {
        w->ad.column[0].scale = (float)NAN;
        samples(w);
    }
    MISTAKE("scale of a column of floats, which is not scaled", "column 0|scale") {
        w->ad.column[0].scale = 1.0f / 255;
        samples(w);
    }
    MISTAKE("shift of a column of labels", "column 1|shift") { w->ad.column[1].shift = -1; samples(w); }
    MISTAKE("channels_last of flat features", "column 0|channels last") {
        w->ad.column[0].channels_last = true;
        samples(w);
    }
    MISTAKE("two columns of one name", "both called|\"x\"") {
        w->ad.column[0].name = w->ad.column[1].name = "x";
        samples(w);
    }
    MISTAKE("a name that no column has", "label") { gtr_dataset_column(samples(w), "label"); }
    MISTAKE("labels of int64 beyond int32", "column 1|row 3") {
        static int64_t big[ROWS];
        big[3] = (int64_t)1 << 40;
        with_labels(w, big, GTR_I64, gtr_shape0());
    }
}
static void data_sets_cut(void)
{
    static const int64_t lengths[2] = { 10, 14 };
    static const float none[3], below[3] = { 1, -1, 1 };
    const int64_t rows[2] = { 0, 24 };
    MISTAKE("a subset with a row too many", "gtr_dataset_subset|24|0 to 23") {
        gtr_dataset_subset(samples(w), rows, 2);
    }
    MISTAKE("a subset of nothing", "gtr_dataset_subset|no rows") { gtr_dataset_subset(samples(w), rows, 0); }
    MISTAKE("a split by a share, 0", "gtr_dataset_split|k is 0") { gtr_dataset_split(samples(w), (int64_t)0.2); }
    MISTAKE("a random split in percent", "gtr_dataset_split_random|20|between 0 and 1") {
        gtr_dataset_split_random(samples(w), 20, 7, -1);
    }
    MISTAKE("a random split of none", "gtr_dataset_split_random|0") {
        gtr_dataset_split_random(samples(w), 0.01f, 7, -1);
    }
    MISTAKE("a split by classes of the features", "column 0|classes") {
        gtr_dataset_split_random(samples(w), 0.25f, 7, 0);
    }
    MISTAKE("a split by column 2 of two", "column 2") { gtr_dataset_split_random(samples(w), 0.25f, 7, 2); }
    MISTAKE("weights of classes that are 0", "weights|0") {
        gtr_dataset_sample(samples(w), none, 1, 100, 7);
    }
    MISTAKE("a weight below 0", "weight|-1") {
        gtr_dataset_sample(samples(w), below, 1, 100, 7);
    }
    MISTAKE("a sample of 0 rows", "0 rows") { gtr_dataset_sample(samples(w), NULL, -1, 0, 7); }
    MISTAKE("sets joined whose columns differ", "column 0|set 1") {
        gtr_dataset *sets[2] = { samples(w), NULL };
        column(w, 0, wide, GTR_F32, gtr_shape1(8));
        sets[1] = arrays(w);
        gtr_dataset_concat(w->ctx, sets, 2);
    }
    MISTAKE("sets joined of which one could not be read", "set 1|NULL") {
        gtr_dataset *sets[2] = { samples(w), NULL };
        gtr_dataset_concat(w->ctx, sets, 2);
    }
    MISTAKE("rows appended without a column", "gtr_dataset_append|NULL") {
        const void *more[2] = { features, NULL };
        gtr_dataset_append(samples(w), more, 2);
    }
    MISTAKE("windows without history", "history 0") { gtr_dataset_windows(samples(w), w->windows); }
    MISTAKE("windows longer than the series", "history 30|24 rows") {
        w->windows.history = 30;
        gtr_dataset_windows(samples(w), w->windows);
    }
    MISTAKE("windows of rows that were drawn at random", "gtr_dataset_split_last") {
        samples(w);
        gtr_dataset_split_random(w->data, 0.25f, 7, -1);
        w->windows.history = 2;
        gtr_dataset_windows(w->data, w->windows);
    }
    MISTAKE("windows that are split, not the series", "windows|series") {
        w->windows.history = 2;
        gtr_dataset_split(gtr_dataset_windows(samples(w), w->windows), 4);
    }
    MISTAKE("windows of column 7", "column") {
        w->windows.history = 2; w->windows.column = 7;
        gtr_dataset_windows(samples(w), w->windows);
    }
    MISTAKE("windows whose target is column 7", "column|target") {
        w->windows.history = 2; w->windows.target = 7;
        gtr_dataset_windows(samples(w), w->windows);
    }
    MISTAKE("n_lengths of windows without lengths", "lengths") {
        w->windows.history = 2; w->windows.n_lengths = 3;
        gtr_dataset_windows(samples(w), w->windows);
    }
    MISTAKE("rows of different lengths that are not said", ".lengths|.series") {
        gtr_dataset_ragged(samples(w), w->ragged);
    }
    MISTAKE("a row that is longer than T", "row 1|14 steps|T = 12") {
        w->ragged.lengths = lengths; w->ragged.n_lengths = 2; w->ragged.steps = 12;
        gtr_dataset_ragged(samples(w), w->ragged);
    }
    MISTAKE("lengths that are not all steps", "less|24 steps") {
        w->ragged.lengths = lengths; w->ragged.n_lengths = 1;
        gtr_dataset_ragged(samples(w), w->ragged);
    }
    MISTAKE("n_lengths of rows without lengths", "n_lengths") {
        w->ragged.n_lengths = 2;
        gtr_dataset_ragged(samples(w), w->ragged);
    }
    MISTAKE("labels of other rows than there are sequences", "2 rows|24") {
        w->ragged.lengths = lengths; w->ragged.n_lengths = 2; w->ragged.beside = samples(w);
        gtr_dataset_ragged(w->data, w->ragged);
    }
    MISTAKE("a pad for bytes of -100", "pad") {
        with_labels(w, bytes, GTR_U8, gtr_shape0());
        w->ragged.lengths = lengths; w->ragged.n_lengths = 2; w->ragged.pad[1] = -100;
        gtr_dataset_ragged(w->data, w->ragged);
    }
    MISTAKE("never streamed, of a callback", "gtr_dataset_stream|callback") {
        w->call.rows = 8; w->call.columns = 1;
        w->call.column[0].shape = gtr_shape1(4);
        w->call.fill = no_rows;
        gtr_dataset_stream(gtr_dataset_callback(context(w), w->call), GTR_STREAM_NEVER);
    }
}
static void images(void)
{
    const gtr_shape row = gtr_shape3(1, 8, 8);
    MISTAKE("flip in percent", "gtr_dataset_augment|flip is 50|0 to 1") { w->aug.flip = 50; augmented(w, row); }
    MISTAKE("a crop larger than the image", "(1, 8, 8)|crop") { w->aug.height = w->aug.width = 9; augmented(w, row); }
    MISTAKE("a pad below 0", "pad") { w->aug.pad = -4; augmented(w, row); }
    MISTAKE("a std below 0", "gtr_dataset_augment|deviations") { w->aug.std[0] = -1; augmented(w, row); }
    MISTAKE("a contrast of NaN", "contrast") { w->aug.contrast = (float)NAN; augmented(w, row); }
    MISTAKE("augmentation of flat features", "(64,)") { w->aug.flip = 0.5f; augmented(w, gtr_shape1(64)); }
    MISTAKE("augmentation of labels", "int32") {
        w->aug.flip = 0.5f;
        gtr_dataset_augment(samples(w), 1, w->aug);
    }
    MISTAKE("augmentation of a column that is not there", "column 5 of 2") {
        gtr_dataset_augment(samples(w), 5, w->aug);
    }
    MISTAKE("mean and std in 0..255 of bytes", "mean") {
        w->aug.mean[0] = 127.5f; w->aug.std[0] = 64;
        augmented(w, row);
    }
    MISTAKE("a second augmentation, which the first is lost by", "gtr_dataset_augment|already") {
        w->aug.mean[0] = 0.5f; w->aug.std[0] = 0.25f;
        augmented(w, row);
        memset(&w->aug, 0, sizeof w->aug);
        w->aug.flip = 0.5f;
        gtr_dataset_augment(w->data, 0, w->aug);
    }
    MISTAKE("mean and std of the training set alone", "mean|validation") {
        w->h = gtr_flatten(image(w, 1, 8, 8));
        column(w, 0, bytes, GTR_U8, row);
        w->fd.validation = samples(w);
        w->data = NULL;
        w->aug.mean[0] = 0.5f; w->aug.std[0] = 0.25f;
        augmented(w, row);
        fit(w);
    }
    MISTAKE("another mean of the validation set", "mean|validation") {
        w->h = gtr_flatten(image(w, 1, 8, 8));
        column(w, 0, bytes, GTR_U8, row);
        w->aug.mean[0] = 0.5f; w->aug.std[0] = 0.25f;
        augmented(w, row);
        w->fd.validation = w->data;
        w->data = NULL;
        w->aug.mean[0] = 0.1f;
        augmented(w, row);
        fit(w);
    }
    MISTAKE("a crop of the training set alone", "extents|.height|validation") {
        w->h = gtr_flatten(image(w, 1, 6, 6));
        column(w, 0, bytes, GTR_U8, row);
        w->fd.validation = samples(w);
        w->data = NULL;
        w->aug.height = w->aug.width = 6;
        augmented(w, row);
        fit(w);
    }
    MISTAKE("another scale of the validation set's bytes", "scale|validation") {
        w->h = gtr_flatten(image(w, 1, 8, 8));
        column(w, 0, bytes, GTR_U8, row);
        w->ad.column[0].scale = 1;
        w->fd.validation = samples(w);
        w->ad.column[0].scale = 0;
        w->data = NULL;
        fit(w);
    }
}
static void standardised(void)
{
    const gtr_shape row = gtr_shape3(1, 8, 8);
    MISTAKE("images cropped to another size than the input's", "column 0|(1, 6, 6)|(N, 1, 8, 8)") {
        w->h = gtr_flatten(image(w, 1, 8, 8));
        w->aug.height = w->aug.width = 6;
        augmented(w, row);
        fit(w);
    }
    MISTAKE("rows converted for another input", "(1, 8, 8)|(N, 4)") {
        column(w, 0, bytes, GTR_U8, row);
        gtr_dataset_convert(samples(w), 0, input(w), bytes, 1, w->value);
    }
    MISTAKE("rows converted for what is no input", "gtr_dataset_convert|input") {
        gtr_dataset_convert(samples(w), 0, hidden(w), features, 1, w->value);
    }
    MISTAKE("standardised twice: by gtr_dataset_augment, too", "gtr_dataset_augment|mean") {
        w->aug.mean[0] = 0.5f;
        column(w, 0, bytes, GTR_U8, row);
        augmented(w, row);
        gtr_standardise(image(w, 1, 8, 8), "norm", w->data, 0);
    }
    MISTAKE("a column with NaN standardised", "column 0|not finite") {
        memcpy(w->value, features, sizeof features);
        w->value[21] = (gtr_float)NAN;
        column(w, 0, w->value, GTR_F32, gtr_shape1(4));
        gtr_standardise(input(w), "norm", samples(w), 0);
    }
    MISTAKE("labels standardised", "column 1|int32") { gtr_standardise(input(w), "norm", samples(w), 1); }
    MISTAKE("standardised by column 5", "column 5") { gtr_standardise(input(w), "norm", samples(w), 5); }
    MISTAKE("standardised by features of another number", "(N, 4)|(8,)") {
        column(w, 0, wide, GTR_F32, gtr_shape1(8));
        gtr_standardise(input(w), "norm", samples(w), 0);
    }
    MISTAKE("gtr_unstandardise of a name that nothing has", "gtr_standardise|price") {
        regression(w);
        gtr_unstandardise(w->logits, "price");
        fit(w);
    }
}

/* Fits what says a byte's next one, by an embedding of so many rows. */
static void fit_next(world *w, int64_t rows)
{
    w->fd.batch = 2;
    w->x = gtr_input(context(w), "x", GTR_I32, gtr_shape2(GTR_BATCH, 1));
    w->y = gtr_input(w->ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    w->logits = gtr_linear(gtr_reshape(gtr_embedding(w->x, "at", rows, 4), gtr_shape2(GTR_BATCH, 4)), "out", 256);
    fit(w);
}
static void texts(void)
{
    MISTAKE("a text that is not there", "none.txt") {
        w->txt.length = 4;
        gtr_dataset_text(context(w), path_of("none.txt"), w->txt);
    }
    MISTAKE("a folder for a text", "mistakes|folder") {
        w->txt.length = 4;
        gtr_dataset_text(context(w), FOLDER, w->txt);
    }
    MISTAKE("a text's path that is NULL", "gtr_dataset_text|path") {
        w->txt.length = 4;
        gtr_dataset_text(context(w), NULL, w->txt);
    }
    MISTAKE("a text without .length", "text.txt|length 0") { text_of(w, "text.txt", "a text\n"); }
    MISTAKE("an empty text", "text.txt|empty") { w->txt.length = 4; text_of(w, "text.txt", ""); }
    MISTAKE("a window longer than its text", "text.txt|7 bytes|windows of 48") {
        w->txt.length = 48;
        text_of(w, "text.txt", "a text\n");
    }
    MISTAKE("a text of Latin-1 by its characters", "text.txt|byte 3|0xe9|UTF-8") {
        w->txt.length = 4; w->txt.characters = true;
        text_of(w, "text.txt", "caf\xe9 au lait\n");
    }
    MISTAKE("a text with a character that training's has not", "text.txt|\"z\"|byte 3|seen.txt") {
        w->txt.length = 2; w->txt.characters = true;
        w->txt.like = text_of(w, "seen.txt", "abcabcabc");
        text_of(w, "text.txt", "abcz");
    }
    MISTAKE("a .like of a text's bytes", ".like|.characters") {
        w->txt.length = 2;
        w->txt.like = text_of(w, "seen.txt", "abcabcabc");
        text_of(w, "text.txt", "abca");
    }
    MISTAKE("a part of a text that ends where it begins", ".begin|.end") {
        w->txt.length = 2; w->txt.begin = 0.5f; w->txt.end = 0.5f;
        text_of(w, "text.txt", "abcabcabc");
    }
    MISTAKE("a stride of windows that are drawn", ".stride|.random") {
        w->txt.length = 2; w->txt.random = 8; w->txt.stride = 2;
        text_of(w, "text.txt", "abcabcabc");
    }
    MISTAKE("streams of a text, shuffled", "streams|no_shuffle|shuffled") {
        w->txt.length = 1; w->txt.streams = 2;
        text_of(w, "text.txt", "abcdefghijklm");
        fit_next(w, 256);
    }
    MISTAKE("bytes for an embedding of 64", "id 3|100|63") {
        w->txt.length = 1;
        text_of(w, "text.txt", "   defghijk");
        fit_next(w, 64);
    }
    MISTAKE("a text that is split", "text.txt|.begin") {
        w->txt.length = 2;
        gtr_dataset_split(text_of(w, "text.txt", "abcabcabc"), 2);
    }
}
/* Tables: each is written to table.csv and read by the descriptor. */
static void tables(void)
{
    MISTAKE("a table that is not there", "none.csv") { gtr_dataset_csv(context(w), path_of("none.csv"), w->csv); }
    MISTAKE("a folder for a table", "mistakes|folder") { gtr_dataset_csv(context(w), FOLDER, w->csv); }
    MISTAKE("a path that is NULL", "gtr_dataset_csv|path") { gtr_dataset_csv(context(w), NULL, w->csv); }
    MISTAKE("an empty table", "table.csv|empty") { csv(w, ""); }
    MISTAKE("a header and no rows", "table.csv|row") { w->csv.header = true; csv(w, "a,b,y\n"); }
    MISTAKE("a header that nobody spoke of", "line 1|.header") { csv(w, "a,b,y\n1,2,0\n3,4,1\n"); }
    MISTAKE("a header before string labels that nobody spoke of", "line 1|.header") {
        csv(w, "a,b,name\n1,2,cat\n3,4,dog\n");
    }
    MISTAKE("numbers for a header", "line 1|.header") { w->csv.header = true; csv(w, "1,2,0\n3,4,1\n5,6,0\n"); }
    MISTAKE("semicolons read as commas", "separator|;") { csv(w, "1;2;0\n3;4;1\n"); }
    MISTAKE("semicolons under a header read as commas", "separator|;") {
        w->csv.header = true;
        csv(w, "a;b;y\n1;2;0\n3;4;1\n");
    }
    MISTAKE("tabs read as commas", "separator|tab") { csv(w, "1\t2\t0\n3\t4\t1\n"); }
    MISTAKE("blanks read as commas", "separator") { csv(w, "1 2 0\n3 4 1\n"); }
    MISTAKE("decimal commas", "line 1|decimal") { w->csv.separator = ';'; csv(w, "1,5;2;0\n3;4;1\n"); }
    MISTAKE("decimal commas among commas", "decimal|separator") { w->csv.decimal = ','; csv(w, "1,5,2,0\n"); }
    MISTAKE("thousands' commas", "line 2|columns") { csv(w, "1,2,0\n3,000,4,1\n"); }
    MISTAKE("a missing value", "line 2|column 1|.missing") { csv(w, "1,2,0\n,4,1\n"); }
    MISTAKE("NA", "line 2|column 2|NA|.missing") { csv(w, "1,2,0\n3,NA,1\n"); }
    MISTAKE("a missing label", "line 2|column 3|label|drop_unlabelled") { csv(w, "1,2,0\n3,4,\n"); }
    MISTAKE("another word for a missing value", "line 2|column 2|unknown") { csv(w, "1,2,0\n3,unknown,1\n"); }
    MISTAKE("-999 and a missing_value without .missing", "missing_value") {
        w->csv.missing_value = -999;
        csv(w, "1,2,0\n3,-999,1\n");
    }
    MISTAKE("a mean for a column of nothing but holes", "column 2|no value") {
        w->csv.missing = GTR_MISSING_MEAN;
        csv(w, "1,,0\n3,,1\n");
    }
}
static void labels_of_tables(void)
{
    MISTAKE("a price for a label", "line 1|column 3|1.5|.regression") { csv(w, "1,2,1.5\n3,4,2.5\n"); }
    MISTAKE("labels -1 and 1", "line 1|column 3|-1") { csv(w, "1,2,-1\n3,4,1\n"); }
    MISTAKE("labels from 1 in a table", "table.csv|3|0 to 2") {
        csv(w, "1,2,3,4,1\n3,4,5,6,2\n3,4,5,7,3\n");
        w->fd.batch = 3;
        fit(w);
    }
    MISTAKE("the label's column counted from 0", "label_column|column 2|0.5") {
        w->csv.label_column = 2;
        csv(w, "1,0.5,0\n3,0.25,1\n");
    }
    MISTAKE("a label column beyond the last", "label_column|4|3 columns") {
        w->csv.label_column = 4;
        csv(w, "1,2,0\n3,4,1\n");
    }
    MISTAKE("a label column of -2, the last but one", "label_column|-2") {
        w->csv.label_column = -2;
        csv(w, "1,2,0\n");
    }
    MISTAKE("a label and a label_column", "label_column") {
        w->csv.header = true; w->csv.label = "y"; w->csv.label_column = 1;
        csv(w, "a,b,y\n1,2,0\n3,4,1\n");
    }
    MISTAKE("the index that pandas writes, for a feature", "column 1|header|.skip") {
        w->csv.header = true;
        csv(w, ",a,b,y\n0,1,2,0\n1,3,4,1\n");
    }
    RIGHT("the index that pandas writes, skipped") {
        w->csv.header = true; w->csv.skip = "1";
        csv(w, ",a,b,y\n0,1,2,0\n1,3,4,1\n");
    }
    MISTAKE("a label by a name that is not there", "\"target\"|first line") {
        w->csv.header = true; w->csv.label = "target";
        csv(w, "a,b,y\n1,2,0\n3,4,1\n");
    }
    MISTAKE("a label by its name without a header", "\"y\"|.header") { w->csv.label = "y"; csv(w, "1,2,0\n3,4,1\n"); }
    MISTAKE("a label's name in other case", "\"Y\"|first line") {
        w->csv.header = true; w->csv.label = "Y";
        csv(w, "a,b,y\n1,2,0\n3,4,1\n");
    }
    MISTAKE("a column skipped that is not there", "\"id\"|skip") {
        w->csv.header = true; w->csv.skip = "id";
        csv(w, "a,b,y\n1,2,0\n3,4,1\n");
    }
    MISTAKE("columns by numbers from 0", "0|columns") { w->csv.columns = "0,1"; csv(w, "1,2,0\n3,4,1\n"); }
    MISTAKE("all columns skipped", "column") { w->csv.skip = "1,2"; csv(w, "1,2,0\n3,4,1\n"); }
    MISTAKE("the label among the features", "label|columns") {
        w->csv.header = true; w->csv.columns = "a,y"; w->csv.label = "y";
        csv(w, "a,b,y\n1,2,0\n3,4,1\n");
    }
    MISTAKE("a column skipped and asked for", "column 1 (a)|already") {
        w->csv.header = true; w->csv.columns = "a"; w->csv.skip = "a";
        csv(w, "a,b,y\n1,2,0\n3,4,1\n");
    }
    MISTAKE(".skip of a number that is a name, too", "skip|\"1\"|name") {
        w->csv.header = true; w->csv.skip = "1";
        csv(w, "2,1,y\n1,2,0\n3,4,1\n");
    }
}
static void fields_of_tables(void)
{
    MISTAKE("strings among the features", "line 2|column 2|red|.categories") {
        w->csv.header = true;
        csv(w, "a,colour,y\n1,red,0\n3,blue,1\n");
    }
    MISTAKE("categories by a name that is not there", "\"color\"|categories") {
        w->csv.header = true; w->csv.categories = "color";
        csv(w, "a,colour,y\n1,red,0\n3,blue,1\n");
    }
    MISTAKE("string labels of a regression", "line 1|column 3|cat") {
        w->csv.regression = true;
        csv(w, "1,2,cat\n3,4,dog\n");
    }
    MISTAKE("a label that is a string after numbers", "line 2|column 3|dog") { csv(w, "1,2,0\n3,4,dog\n"); }
    MISTAKE("a ragged row", "line 2|2 columns|3") { csv(w, "1,2,0\n3,4\n"); }
    MISTAKE("a comma at a line's end", "line 2|4 columns|3") { csv(w, "1,2,0\n3,4,1,\n"); }
    MISTAKE("a short row behind a blank line", "line 3|1 columns") { csv(w, "1,2,0\n\n3\n"); }
    MISTAKE("a quote that is not closed", "line 1|quote") { csv(w, "1,\"2,0\n3,4,1\n"); }
    MISTAKE("UTF-16 of a spreadsheet", "UTF-16|UTF-8") {
        const char *path = FILE_OF("table.csv", "\xff\xfe" "1\0,\0" "0\0\n");
        gtr_dataset_csv(context(w), path, w->csv);
    }
    MISTAKE("a compressed table", "gzip|gunzip") {
        const char *path = FILE_OF("table.csv.gz", "\x1f\x8b\x08\0\0\0\0\0\0\3abcdef");
        gtr_dataset_csv(context(w), path, w->csv);
    }
    MISTAKE("a spreadsheet's own file", "zip|CSV") {
        const char *path = FILE_OF("table.xlsx", "PK\3\4\x14\0\6\0\x08\0\0\0!\0abc,0\nab,1\n");
        gtr_dataset_csv(context(w), path, w->csv);
    }
    MISTAKE("comments in front of the table", "separator|label") { csv(w, "# made by hand\n1,2,0\n3,4,1\n"); }
    MISTAKE("a currency", "line 1|column 1|$5") { csv(w, "$5,2,0\n3,4,1\n"); }
    MISTAKE("a date among the features", "line 1|column 1|2024-01-02") { csv(w, "2024-01-02,2,0\n3,4,1\n"); }
    MISTAKE("a number beyond float32", "line 1|column 1|1e99") { csv(w, "1e99,2,0\n3,4,1\n"); }
}
static void tables_alike(void)
{
    MISTAKE("a test table with a string that training's had not", "line 3|green|.like") {
        w->csv.header = true; w->csv.categories = "colour";
        w->csv.like = csv(w, "a,colour,y\n1,red,0\n3,blue,1\n");
        csv(w, "a,colour,y\n1,red,0\n3,green,1\n");
    }
    MISTAKE("a test table with a column less", "like|\"b\"") {
        w->csv.header = true;
        w->csv.like = csv(w, "a,b,y\n1,2,0\n3,4,1\n");
        csv(w, "a,y\n1,0\n3,1\n");
    }
    RIGHT("a test table in another order, by .like alone") {
        w->csv.header = true; w->csv.categories = "b";
        w->csv.like = csv(w, "a,b,y\n1,u,0\n3,v,1\n");
        w->csv.categories = NULL;
        csv(w, "y,b,a\n1,v,2\n");
    }
    MISTAKE("a test table without the label", "\"b\"|the label here|.label") {
        w->csv.header = true;
        w->csv.like = csv(w, "a,b,y\n1,2,0\n3,4,1\n");
        csv(w, "a,b\n1,2\n");
    }
    MISTAKE("a date that no calendar has", "line 2|2023-02-29|no such day") {
        w->csv.header = true; w->csv.dates = "d";
        csv(w, "d,y\n2023-02-29,0\n");
    }
    MISTAKE("a test table with a class that training's had not", "line 2|bird|.like") {
        w->csv.like = csv(w, "1,cat\n3,dog\n");
        csv(w, "1,cat\n3,bird\n");
    }
    MISTAKE(".like of a set that is no table", ".like") {
        w->csv.like = samples(w);
        csv(w, "1,2,0\n3,4,1\n");
    }
    MISTAKE("a validation table read without .like, its classes in another order", "validation|.like") {
        w->fd.validation = csv(w, "1,2,3,4,dog\n3,4,5,6,cat\n1,1,1,1,eel\n");
        csv(w, "1,2,3,4,ant\n3,4,5,6,cat\n1,1,1,1,dog\n");
        w->fd.batch = 3;
        fit(w);
    }
    MISTAKE("a validation table read without .like, its features in another order", "validation|.like") {
        w->csv.header = true;
        w->fd.validation = csv(w, "a,b,c,d,y\n1,2,3,4,0\n3,4,5,6,1\n1,1,1,1,2\n");
        csv(w, "b,a,c,d,y\n1,2,3,4,0\n3,4,5,6,1\n1,1,1,1,2\n");
        w->fd.batch = 3;
        fit(w);
    }
    MISTAKE("a validation table of another scale", "scale|validation") {
        w->csv.scale = 0.1f;
        w->fd.validation = csv(w, "1,2,3,4,0\n3,4,5,6,1\n1,1,1,1,2\n");
        w->csv.scale = 0;
        csv(w, "1,2,3,4,0\n3,4,5,6,1\n1,1,1,1,2\n");
        w->fd.batch = 3;
        fit(w);
    }
    MISTAKE("a validation table of another scale than the table whose rows were picked", "scale|validation") {
        static const int64_t rows[] = { 2, 0, 1 };
        w->csv.scale = 0.1f;
        w->fd.validation = csv(w, "1,2,3,4,0\n3,4,5,6,1\n1,1,1,1,2\n");
        w->csv.scale = 0;
        w->data = gtr_dataset_subset(csv(w, "1,2,3,4,0\n3,4,5,6,1\n1,1,1,1,2\n"), rows, 3);
        w->fd.batch = 3;
        fit(w);
    }
    MISTAKE("gtr_evaluate of a table whose classes stand in another order", ".like") {
        float v;
        csv(w, "1,2,3,4,dog\n3,4,5,6,cat\n1,1,1,1,eel\n");
        w->fd.batch = 3;
        fit(w);
        csv(w, "1,2,3,4,ant\n3,4,5,6,cat\n1,1,1,1,dog\n");
        gtr_evaluate(w->t, w->data, 3, NULL, &v, NULL);
    }
}

static void numpy_files(void)
{
    MISTAKE("an array that is not there", "none.npy") { arrays_of(w, path_of("none.npy"), NULL); }
    MISTAKE("a folder for an array", "mistakes|folder") { arrays_of(w, FOLDER, NULL); }
    MISTAKE("an empty file", "empty.npy|.npy") { arrays_of(w, text_file("empty.npy", ""), NULL); }
    MISTAKE("a table for an array", "table.csv|.npy") { arrays_of(w, text_file("table.csv", "1,2,3,4,5,6\n"), NULL); }
    MISTAKE("an .npz for an .npy", "gtr_dataset_npz") { arrays_of(w, text_file("x.npz", "PK\3\4zzzzzzzzzzzz"), NULL); }
    MISTAKE("an .npy for an .npz", "gtr_dataset_npy") { gtr_dataset_npz(context(w), x_npy(), w->npy); }
    MISTAKE("an array of complex numbers", "c.npy|<c8|<f4") {
        arrays_of(w, npy("c.npy", "'<c8'", "(12,)", features, 96), NULL);
    }
    MISTAKE("an array of Python's objects", "o.npy|O|<f4") {
        arrays_of(w, npy("o.npy", "'|O'", "(12,)", features, 96), NULL);
    }
    MISTAKE("an array of strings", "u.npy|<U5|<f4") { arrays_of(w, npy("u.npy", "'<U5'", "(4,)", features, 80), NULL); }
    MISTAKE("an array of uint16", "h.npy|<u2|<f4") { arrays_of(w, npy("h.npy", "'<u2'", "(24,)", features, 48), NULL); }
    MISTAKE("an array that is cut", "x.npy|380 bytes|384") {
        arrays_of(w, npy("x.npy", "'<f4'", "(24, 4)", features, 380), NULL);
    }
    MISTAKE("arrays of other numbers of rows", "y.npy|20|24") {
        arrays_of(w, x_npy(), npy("y.npy", "'<i4'", "(20,)", label, 80));
    }
    MISTAKE("a number for an array", "s.npy|dimension") {
        arrays_of(w, npy("s.npy", "'<f4'", "()", features, 4), NULL);
    }
    MISTAKE("labels in float64", "\"y\"|float32|int32") {
        arrays_of(w, x_npy(), npy("y.npy", "'<f8'", "(24,)", doubles, 192));
        fit(w);
    }
    MISTAKE("features of int64", "\"x\"|int32|float32") {
        static int64_t many[ROWS * 4];
        arrays_of(w, npy("x.npy", "'<i8'", "(24, 4)", many, sizeof many), npy("y.npy", "'<i4'", "(24,)", label, 96));
        fit(w);
    }
    MISTAKE("masks of 0 and 1 in uint8, which become 0 and 1/255", "scale|1/255") {
        w->loss = gtr_bce_with_logits(one_score(w), floats(w, 1));
        arrays_of(w, x_npy(), npy("y.npy", "'|u1'", "(24,)", bits, 24));
        fit(w);
    }
    MISTAKE("an array with NaN", "x.npy|row 5|nan") {
        memcpy(w->value, features, sizeof features);
        w->value[21] = (gtr_float)NAN;
        arrays_of(w, npy("x.npy", "'<f4'", "(24, 4)", w->value, sizeof features), NULL);
    }
    MISTAKE("a transposed array", "24|4") {
        arrays_of(w, npy("x.npy", "'<f4'", "(4, 24)", features, sizeof features),
            npy("y.npy", "'<i4'", "(24,)", label, 96));
    }
    MISTAKE("scale of an array of floats", "scale") {
        w->npy.scale = 1.0f / 255;
        arrays_of(w, x_npy(), NULL);
    }
    MISTAKE("no paths", "gtr_dataset_npy|NULL") { arrays_of(w, NULL, NULL); }
    MISTAKE(".arrays of an .npy", ".arrays") { w->npy.arrays = "x"; arrays_of(w, x_npy(), NULL); }
    MISTAKE("doubles that are mapped", "x.npy|f8|f4") {
        w->npy.map = true;
        arrays_of(w, npy("x.npy", "'<f8'", "(24, 4)", doubles, sizeof doubles), NULL);
    }
}
static void image_files(void)
{
    MISTAKE("IDX files that are not there", "none-images") {
        gtr_dataset_idx(context(w), path_of("none-images"), path_of("none-labels"));
    }
    MISTAKE("images and labels exchanged", "exchanged") {
        gtr_dataset_idx(context(w), idx_labels(24, 0), idx_images(24));
    }
    MISTAKE("files of training's images and test's labels", "24 rows|20") {
        gtr_dataset_idx(context(w), idx_images(24), idx_labels(20, 0));
    }
    MISTAKE("IDX files still compressed", "gzip|gunzip") {
        gtr_dataset_idx(context(w), FILE_OF("images.gz", "\x1f\x8b\x08\0\0\0\0\0\0\3abcdef"), idx_labels(24, 0));
    }
    MISTAKE("a cut IDX file", "images.idx3|bytes") {
        idx_images(24);
        if (truncate(FOLDER "/images.idx3", 1000)) note(w, "no truncate");
        gtr_dataset_idx(context(w), path_of("images.idx3"), idx_labels(24, 0));
    }
    MISTAKE("a web page where the file should be", "page.html|IDX") {
        gtr_dataset_idx(context(w), text_file("page.html", "<!DOCTYPE html><html>404</html>"), idx_labels(24, 0));
    }
    MISTAKE("an input of 28 x 28 for images of 8 x 8", "\"image\"|(8, 8)|(N, 784)") {
        w->x = gtr_input(context(w), "image", GTR_F32, gtr_shape2(GTR_BATCH, 784));
        w->y = gtr_input(context(w), "label", GTR_I32, gtr_shape1(GTR_BATCH));
        w->data = gtr_dataset_idx(w->ctx, idx_images(24), idx_labels(24, 0));
        fit(w);
    }
    MISTAKE("inputs of other names than IDX files' columns", "image|\"x\"") {
        w->data = gtr_dataset_idx(context(w), idx_images(24), idx_labels(24, 0));
        w->x = gtr_input(w->ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 64));
        fit(w);
    }
    MISTAKE("IDX labels from 1", "\"label\"|3|0 to 2") {
        w->x = gtr_input(context(w), "image", GTR_F32, gtr_shape2(GTR_BATCH, 64));
        w->y = gtr_input(context(w), "label", GTR_I32, gtr_shape1(GTR_BATCH));
        w->data = gtr_dataset_idx(w->ctx, idx_images(24), idx_labels(24, 1));
        fit(w);
    }
    MISTAKE("CIFAR of 5 classes", "gtr_dataset_cifar|5 classes|10") {
        const char *path = path_of("none.bin");
        gtr_dataset_cifar(context(w), &path, 1, 5);
    }
    MISTAKE("CIFAR of a file of other size", "small.bin|3073") {
        const char *path = text_file("small.bin", "abc");
        gtr_dataset_cifar(context(w), &path, 1, 10);
    }
    MISTAKE("CIFAR of no files", "gtr_dataset_cifar|0 paths") { gtr_dataset_cifar(context(w), NULL, 0, 10); }
}
static unsigned char *decode(const char *path, int *width, int *height, int *channels, int wanted)
{
    (void)path; (void)width; (void)height; (void)channels; (void)wanted;
    return NULL;
}
static void folders(void)
{
    MISTAKE("a folder of images that is not there", "none-folder") {
        gtr_dataset_images(context(w), path_of("none-folder"), w->images);
    }
    MISTAKE("images beside each other, without a folder a class", "sub-folders|class") {
        folder_made("flat", "", "");
        text_file("flat/1.pgm", "P5 2 2 255 abcd");
        gtr_dataset_images(context(w), path_of("flat"), w->images);
    }
    MISTAKE("a file for a folder", "one.pgm|folder") {
        gtr_dataset_images(context(w), text_file("one.pgm", "P5 2 2 255 abcd"), w->images);
    }
    MISTAKE("a folder of PNG files", "png/a|.pgm|1 .png|decode|stbi_load|mogrify") {
        folder_made("png", "", "");
        folder_made("png/a", "", "");
        text_file("png/a/1.png", "\x89PNG");
        gtr_dataset_images(context(w), path_of("png"), w->images);
    }
    MISTAKE("images of several sizes", "3 x 2|.height") {
        folder_made("sizes", "ab", "P5 2 2 255 abcd");
        text_file("sizes/b/1.pgm", "P5 3 2 255 abcdef");
        gtr_dataset_images(context(w), path_of("sizes"), w->images);
    }
    MISTAKE("grey images among coloured ones", "3 channels|.channels") {
        folder_made("grey", "ab", "P5 2 2 255 abcd");
        text_file("grey/b/1.pgm", "P6 2 2 255 abcdefabcdef");
        gtr_dataset_images(context(w), path_of("grey"), w->images);
    }
    MISTAKE("stbi_load without stbi_image_free", ".decode|.decode_free|stbi_image_free") {
        w->images.decode = decode;
        folder_of(w, "decode", "a", "P5 2 2 255 abcd");
    }
    MISTAKE("a program that predicts, and gives no folder and no size", "folder NULL, want one|.height and .width") {
        gtr_dataset_images(context(w), NULL, w->images);
    }
    MISTAKE("a PNG for one image, and nothing that decodes it", "one.png|begins 89 50|decode") {
        w->images.height = w->images.width = 2;
        w->data = gtr_dataset_images(context(w), NULL, w->images);
        gtr_image_load(w->data, text_file("one.png", "\x89PNG"), input(w), w->value);
    }
    MISTAKE("one image as the rows of a table", "gtr_image_load|gtr_dataset_images|(H, W, 1 or 3)") {
        gtr_image_load(samples(w), text_file("one.pgm", "P5 2 2 255 abcd"), input(w), w->value);
    }
    MISTAKE("a camera's height and width exchanged, for images of their own size", "2 x 3 pixels|3 x 2") {
        static const uint8_t bytes[6] = { 0 };
        w->data = folder_of(w, "camera", "a", "P5 3 2 255 abcdef");
        gtr_image_convert(w->data, bytes, 3, 2, 1, input(w), w->value);
    }
    MISTAKE("a set without a folder for training", "0 rows|without a folder") {
        w->images.height = w->images.width = 2;
        w->data = gtr_dataset_images(context(w), NULL, w->images);
        fit(w);
    }
    MISTAKE("a JPEG named .ppm", "begins ff d8|P5") { folder_of(w, "jpeg", "a", "\xff\xd8\xff\xe0jpeg"); }
    MISTAKE("a crop larger than what images are resized to", "resize") {
        w->images.height = w->images.width = 8; w->images.resize = 4;
        folder_of(w, "crop", "ab", "P5 2 2 255 abcd");
    }
    MISTAKE("images with 4 channels", "channels|1 or 3") {
        w->images.channels = 4;
        folder_of(w, "four", "ab", "P5 2 2 255 abcd");
    }
    MISTAKE("a height without a width", "0 x 4|both") {
        w->images.height = 4;
        folder_of(w, "height", "ab", "P5 2 2 255 abcd");
    }
    MISTAKE("a folder of more classes than scores", "label|2|0 to 1") {
        w->h = gtr_flatten(w->x = gtr_input(context(w), "image", GTR_F32, gtr_shape4(GTR_BATCH, 1, 2, 2)));
        w->y = gtr_input(w->ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH));
        w->logits = gtr_linear(w->h, "fc", 2);
        w->data = folder_of(w, "classes", "abc", "P5 2 2 255 abcd");
        w->fd.batch = 2;
        fit(w);
    }
}

static void files(void)
{
    const char *const right = FOLDER "/weights.safetensors";
    RIGHT("a file of weights") { fit(w); gtr_save(w->ctx, right); gtr_load(w->ctx, right); }
    MISTAKE("a model's file that is not there", "none.safetensors") { loads(w, path_of("none.safetensors")); }
    MISTAKE("a folder for a model's file", "mistakes|folder") { loads(w, FOLDER); }
    MISTAKE("an empty file for a model", "empty.safetensors|0 bytes") { loads(w, text_file("empty.safetensors", "")); }
    MISTAKE("a model's file that is cut", "cut.safetensors|bytes") {
        scores(w);
        gtr_save(w->ctx, path_of("cut.safetensors"));
        if (truncate(FOLDER "/cut.safetensors", 600)) note(w, "no truncate");
        gtr_load(w->ctx, path_of("cut.safetensors"));
    }
    MISTAKE("a file of torch.save", "model.pth|torch.save|safetensors") {
        loads(w, text_file("model.pth", "PK\3\4zzzzzzzzzzzzzzzz"));
    }
    MISTAKE("an old file of torch.save, a pickle", "old.pth|safetensors") {
        loads(w, FILE_OF("old.pth", "\x80\2\x8a\nl\xfc\x9c\x46\xf9\x20j\xa8P\x19."));
    }
    MISTAKE("a file of Keras", "model.h5|safetensors") {
        loads(w, FILE_OF("model.h5", "\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0"));
    }
    MISTAKE("a compressed model", "gzip|gunzip") {
        loads(w, FILE_OF("model.gz", "\x1f\x8b\x08\0\0\0\0\0\0\3abcdef"));
    }
    MISTAKE("an .npz for a model", "weights.npz|safetensors") {
        loads(w, text_file("weights.npz", "PK\3\4zzzzzzzzzzzzzzzz"));
    }
    MISTAKE("text for a model", "model.json|safetensors") {
        loads(w, text_file("model.json", "{\"layers\": [1, 2, 3]}"));
    }
    MISTAKE("a model of another width", "weights.safetensors|fc1|(8, 4)|(16, 4)") {
        w->h = gtr_linear(input(w), "fc1", 16);
        loads(w, right);
    }
    MISTAKE("a model with a layer more", "weights.safetensors|fc3") {
        gtr_linear(scores(w), "fc3", 3);
        loads(w, right);
    }
    MISTAKE("a model with a layer less", "weights.safetensors|fc2|not in the model") {
        hidden(w);
        gtr_load(w->ctx, right);
    }
    MISTAKE("a model in a scope, a file without", "weights.safetensors|net.fc1") {
        gtr_scope_begin(context(w), "net");
        loads(w, right);
    }
    MISTAKE("a file of PyTorch's DataParallel", "module.|fc1.weight") {
        hidden(w);
        gtr_load(w->ctx, tensors("parallel.safetensors", "{\"module.fc1.weight\":{\"dtype\":\"F32\",\"shape\":[8,4],"
            "\"data_offsets\":[0,128]},\"module.fc1.bias\":{\"dtype\":\"F32\",\"shape\":[8],"
            "\"data_offsets\":[128,160]}}", 160));
    }
    MISTAKE("a model in float8", "float8.safetensors|fc1.weight|F8_E4M3|F32") {
        gtr_linear_with(input(w), gtr_parameter(context(w), "fc1.weight", gtr_shape2(8, 4), w->init), NULL);
        gtr_load(w->ctx, tensors("float8.safetensors", "{\"fc1.weight\":{\"dtype\":\"F8_E4M3\",\"shape\":[8,4],"
            "\"data_offsets\":[0,32]}}", 32));
    }
    MISTAKE("what fits of a file of PyTorch's DataParallel", "parallel.safetensors|module.|.strip") {
        gtr_load_desc load;
        memset(&load, 0, sizeof load);
        load.partial = true;
        gtr_linear_with(input(w), gtr_parameter(context(w), "fc1.weight", gtr_shape2(8, 4), w->init), NULL);
        gtr_load_ex(w->ctx, tensors("parallel.safetensors", "{\"module.fc1.weight\":{\"dtype\":\"F16\",\"shape\":[8,4],"
            "\"data_offsets\":[0,64]}}", 64), load);
    }
    MISTAKE("a prefix of another model", "\"a.weight\" there becomes \"net.a.weight\"") {
        gtr_load_desc load;
        memset(&load, 0, sizeof load);
        load.prefix = "net.";
        gtr_linear_with(input(w), gtr_parameter(context(w), "fc1.weight", gtr_shape2(8, 4), w->init), NULL);
        gtr_load_ex(w->ctx, tensors("prefix.safetensors", "{\"a.weight\":{\"dtype\":\"F32\",\"shape\":[8,4],"
            "\"data_offsets\":[0,128]}}", 128), load);
    }
    MISTAKE("fewer bytes than a tensor has", "40 bytes of data, want 48 bytes") {
        hidden(w);
        gtr_load(w->ctx, tensors("fewer.safetensors", "{\"fc1.weight\":{\"dtype\":\"F32\",\"shape\":[3,4],"
            "\"data_offsets\":[0,40]}}", 40));
    }
    MISTAKE("one image, and no data set", "gtr_image_load|data set is NULL") {
        gtr_image_load(NULL, "one.pgm", input(w), w->value);
    }
    MISTAKE("weights of a linear layer as Keras has them", "keras.safetensors|fc1.weight|(4, 8)|(8, 4)") {
        gtr_linear_with(input(w), gtr_parameter(context(w), "fc1.weight", gtr_shape2(8, 4), w->init), NULL);
        gtr_load(w->ctx, tensors("keras.safetensors", "{\"fc1.weight\":{\"dtype\":\"F32\",\"shape\":[4,8],"
            "\"data_offsets\":[0,128]}}", 128));
    }
    MISTAKE("a model's file to a checkpoint's call", "weights.safetensors|no checkpoint|gtr_load") {
        gtr_checkpoint_load(trainer(w), right);
    }
    MISTAKE("a model saved into a folder that is not there", "nowhere") {
        scores(w);
        gtr_save(w->ctx, path_of("nowhere/model.safetensors"));
    }
    MISTAKE("a model saved over a folder", "mistakes") { scores(w); gtr_save(w->ctx, FOLDER); }
    MISTAKE("a model saved without a path", "gtr_save|NULL") { scores(w); gtr_save(w->ctx, NULL); }
    MISTAKE("a model loaded without a path", "gtr_load|empty") { loads(w, ""); }
    MISTAKE("a note named format", "gtr_note_set|format") { gtr_note_set(context(w), "format", "mine"); }
    MISTAKE("a note that is not UTF-8", "gtr_note_set|UTF-8") { gtr_note_set(context(w), "author", "J\xf6rg"); }
    MISTAKE("a note of the classes of a column that has none", "gtr_dataset_note|column 1") {
        gtr_dataset_note(samples(w), 1);
    }
}

static void values(void)
{
    MISTAKE("a count of elements for one of bytes", "\"x\"|\"y\"|batch of 6") {
        trainer(w);
        gtr_set(w->x, features, ROWS * 4);
        gtr_set(w->y, label, sizeof label);
        gtr_step(w->t);
    }
    MISTAKE("bytes that are no whole rows", "\"x\"|(N, 4)|90|16") { gtr_set(input(w), features, 90); }
    MISTAKE("0 bytes", "\"x\"|0 bytes") { gtr_set(input(w), features, 0); }
    MISTAKE("doubles for floats", "\"x\"|batch of 48|24") {
        trainer(w);
        gtr_set(w->x, doubles, sizeof doubles);
        gtr_set(w->y, label, sizeof label);
        gtr_step(w->t);
    }
    MISTAKE("int64 labels for int32", "\"y\"|batch of 24|48") {
        static int64_t many[ROWS];
        trainer(w);
        gtr_set(w->x, features, sizeof features);
        gtr_set(w->y, many, sizeof many);
        gtr_step(w->t);
    }
    MISTAKE("gtr_set from NULL", "gtr_set|\"x\"|NULL") { gtr_set(input(w), NULL, 16); }
    MISTAKE("gtr_set of a layer's output", "gtr_set|relu|computed") { gtr_set(hidden(w), features, 32); }
    MISTAKE("a parameter set by too few bytes", "gtr_set|fc1.weight|32|128") {
        hidden(w);
        gtr_set(gtr_parameter_find(w->ctx, "fc1.weight"), features, 32);
    }
    MISTAKE("device memory for a parameter", "gtr_set_device|fc1.weight") {
        hidden(w);
        gtr_set_device(gtr_parameter_find(w->ctx, "fc1.weight"), features, 128, NULL);
    }
}
static void values_asked_for(void)
{
    MISTAKE("gtr_set of a tensor that is NULL", "gtr_set|NULL") {
        hidden(w);
        gtr_set(gtr_parameter_find(w->ctx, "fc1.wieght"), features, 128);
    }
    MISTAKE("gtr_get of a tensor that is NULL", "gtr_get|NULL") {
        hidden(w);
        gtr_get(gtr_parameter_find(w->ctx, "fc1.wieght"), w->value, 128);
    }
    MISTAKE("gtr_eval of a tensor that is NULL", "gtr_eval|NULL") {
        gtr_tensor *t[2] = { NULL, NULL };
        t[0] = scores(w);
        set_inputs(w);
        gtr_eval(t, 2);
    }
    MISTAKE("a value that was not kept", "gtr_get|fc2|gtr_keep") {
        fit(w);
        gtr_get(w->logits, w->value, sizeof onehot);
    }
    MISTAKE("a value before any run", "gtr_get|gtr_eval") {
        set_inputs(w);
        gtr_get(scores(w), w->value, sizeof onehot);
    }
    MISTAKE("an input before any run", "gtr_get|\"x\"") { gtr_get(input(w), w->value, sizeof features); }
    MISTAKE("room for numbers, not bytes", "gtr_get|fc1.weight|32|128") {
        hidden(w);
        gtr_get(gtr_parameter_find(w->ctx, "fc1.weight"), w->value, 32);
    }
    MISTAKE("gtr_get to NULL", "gtr_get|fc1.weight|NULL") {
        hidden(w);
        gtr_get(gtr_parameter_find(w->ctx, "fc1.weight"), NULL, 128);
    }
    MISTAKE("gtr_get of a batch of another size", "gtr_get|fc2|96|288") {
        gtr_tensor *t = scores(w);
        set_inputs(w);
        gtr_eval(&t, 1);
        gtr_get(t, w->value, 96);
    }
    MISTAKE("an evaluation before inputs are set", "gtr_eval|\"x\"|gtr_set") {
        gtr_tensor *t = scores(w);
        gtr_eval(&t, 1);
    }
    MISTAKE("the loss as a number before inputs are set", "\"x\"|gtr_set") { gtr_item(loss(w)); }
    MISTAKE("40 tensors in one gtr_eval", "gtr_eval|40|32") {
        gtr_tensor *t[40];
        for (int i = 0; i < 40; i++) t[i] = gtr_scale(scores(w), (float)i, 0);
        set_inputs(w);
        gtr_eval(t, 40);
    }
    MISTAKE("other rows of features than of labels", "\"x\"|24|\"y\"|12") {
        trainer(w);
        gtr_set(w->x, features, sizeof features);
        gtr_set(w->y, label, sizeof label / 2);
        gtr_step(w->t);
    }
}
static gtr_result copies(const gtr_custom_call *c)
{
    memcpy(c->out, c->in[0], sizeof(gtr_float) * (size_t)(c->out_shape.dim[0] * c->out_shape.dim[1]));
    return GTR_OK;
}
static gtr_result fails(const gtr_custom_call *c) { (void)c; return GTR_ERR_USER; }
static gtr_result no_shape(int n, const gtr_shape *in, gtr_shape *out, void *user)
{
    (void)n; (void)user;
    *out = *in;
    out->ndim = 9;
    return GTR_OK;
}
static void gradients_and_customs(void)
{
    gtr_tensor *t;
    MISTAKE("the gradient of scores, no scalar", "gradient|fc2|(N, 3)") { gtr_gradient(scores(w), input(w)); }
    MISTAKE("a gradient of a gradient", "gradient of a gradient|gtr_stop_gradient") {
        t = gtr_gradient(loss(w), input(w));
        gtr_gradient(gtr_mean(gtr_square(t), NULL, 0, false), w->x);
    }
    MISTAKE("training by a gradient's size, as WGAN-GP does", "gradient of a gradient") {
        t = gtr_gradient(loss(w), input(w));
        w->loss = gtr_mean(gtr_square(t), NULL, 0, false);
        trainer(w);
    }
    MISTAKE("the gradient by labels", "gradient|\"y\"|int32") { gtr_gradient(loss(w), labels(w)); }
    MISTAKE("the gradient by a tensor of another context", "context") {
        w->other = gtr_create(w->cd);
        gtr_gradient(loss(w), gtr_input(w->other, "x", GTR_F32, gtr_shape2(GTR_BATCH, 4)));
    }
    MISTAKE("the gradient by what is NULL", "gradient|NULL") { gtr_gradient(loss(w), NULL); }
    MISTAKE("an op of one's own without forward", "custom|mine|forward") {
        w->custom.name = "mine"; w->custom.n_in = 1; w->custom.in[0] = input(w);
        gtr_custom(w->ctx, w->custom);
    }
    MISTAKE("an op of one's own without a name", "custom|name") {
        w->custom.forward = copies; w->custom.n_in = 1; w->custom.in[0] = input(w);
        gtr_custom(w->ctx, w->custom);
    }
    MISTAKE("an op of one's own without n_in", "custom|0 inputs") {
        w->custom.name = "mine"; w->custom.forward = copies; w->custom.in[0] = input(w);
        gtr_custom(w->ctx, w->custom);
    }
    MISTAKE("an op of one's own with an input that is NULL", "custom|NULL") {
        w->custom.name = "mine"; w->custom.forward = copies; w->custom.n_in = 2; w->custom.in[0] = input(w);
        gtr_custom(w->ctx, w->custom);
    }
    MISTAKE("an op of one's own with a shape of rank 9", "mine|rank 9") {
        w->custom.name = "mine"; w->custom.forward = copies; w->custom.n_in = 1; w->custom.in[0] = input(w);
        w->custom.shape = no_shape;
        gtr_custom(w->ctx, w->custom);
    }
    MISTAKE("an op of one's own that fails", "mine") {
        w->custom.name = "mine"; w->custom.forward = fails; w->custom.n_in = 1; w->custom.in[0] = input(w);
        t = gtr_custom(w->ctx, w->custom);
        set_inputs(w);
        gtr_eval(&t, 1);
        gtr_get(t, w->value, sizeof features);
    }
    MISTAKE("an op of one's own without backward, trained through", "fc1.weight") {
        w->custom.name = "mine"; w->custom.forward = copies; w->custom.n_in = 1; w->custom.in[0] = hidden(w);
        w->h = gtr_custom(w->ctx, w->custom);
        w->fd.silent = false;
        fit(w);
    }
}
static void predictors(void)
{
    gtr_float out[ROWS * 8];
    MISTAKE("a predictor of a loss", "predictor|batch") { w->p = gtr_predictor_create(loss(w), 8); }
    MISTAKE("a predictor of -1 rows", "predictor|-1 rows") { w->p = gtr_predictor_create(scores(w), -1); }
    MISTAKE("a predictor without outputs", "predictor|no output") {
        scores(w);
        w->p = gtr_predictor_create_ex(w->ctx, w->pd);
    }
    MISTAKE("a predictor with an output twice", "predictor|twice") {
        w->pd.out[0] = w->pd.out[1] = scores(w);
        w->p = gtr_predictor_create_ex(w->ctx, w->pd);
    }
    MISTAKE("a predictor that lacks an input", "predictor|\"y\"|.in") {
        w->pd.out[0] = gtr_add(scores(w), floats(w, 3)); w->pd.in[0] = w->x;
        w->p = gtr_predictor_create_ex(w->ctx, w->pd);
    }
    MISTAKE("a predictor with an input too many", "predictor|.in[1]|no input") {
        w->pd.out[0] = scores(w); w->pd.in[0] = w->x; w->pd.in[1] = labels(w);
        w->p = gtr_predictor_create_ex(w->ctx, w->pd);
    }
    MISTAKE("a predictor of another context's tensor", "predictor|context") {
        w->other = gtr_create(w->cd);
        w->pd.out[0] = gtr_scale(gtr_input(w->other, "x", GTR_F32, gtr_shape2(GTR_BATCH, 4)), 2, 0);
        w->p = gtr_predictor_create_ex(context(w), w->pd);
    }
    MISTAKE("a prediction from values that are not scaled as training's", "scale") {
        for (int i = 0; i < 4; i++) w->value[i] = bytes[i];
        column(w, 0, bytes, GTR_U8, gtr_shape1(4));
        fit(w);
        w->p = gtr_predictor_create(scores(w), 8);
        gtr_predict(w->p, w->value, 1, out);
    }
    MISTAKE("a prediction of 0 rows", "gtr_predict|rows") {
        w->p = gtr_predictor_create(scores(w), 8);
        gtr_predict(w->p, features, 0, out);
    }
    MISTAKE("a prediction from NULL", "gtr_predict|NULL") {
        w->p = gtr_predictor_create(scores(w), 8);
        gtr_predict(w->p, NULL, 1, out);
    }
    MISTAKE("gtr_predict of a predictor of two inputs", "gtr_predict|2 inputs|gtr_predict_ex") {
        w->pd.out[0] = gtr_add(scores(w), floats(w, 3));
        w->p = gtr_predictor_create_ex(w->ctx, w->pd);
        gtr_predict(w->p, features, 1, out);
    }
    MISTAKE("ids out of range in a prediction", "\"y\"|7|0 to 2") {
        const int32_t id = 7;
        w->p = gtr_predictor_create(gtr_embedding(labels(w), "e", 3, 4), 1);
        gtr_predict(w->p, &id, 1, out);
    }
    MISTAKE("rows that act on each other, more than a call takes", "act on each other|8") {
        w->p = gtr_predictor_create(gtr_sub(scores(w), gtr_mean(scores(w), NULL, 0, false)), 8);
        gtr_predict(w->p, features, ROWS, out);
    }
    MISTAKE("a refresh of a predictor without .snapshot", "gtr_predictor_refresh|.snapshot") {
        w->p = gtr_predictor_create(scores(w), 8);
        gtr_predictor_refresh(w->p);
    }
    MISTAKE("a predictor of 2^40 rows", "predictor|rows") {
        w->p = gtr_predictor_create(scores(w), (int64_t)1 << 40);
    }
}

/* A data set that a function fills. */
static bool rows_one(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *to)
{
    (void)user; (void)epoch;
    memcpy(to[0], features + begin * 4, (size_t)(end - begin) * 4 * sizeof *features);
    return true;
}
static bool nan_rows(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *to)
{
    rows_of(user, epoch, begin, end, to);
    if (begin <= 5 && end > 5) ((gtr_float *)to[0])[(5 - begin) * 4 + 1] = (gtr_float)NAN;
    return true;
}
static bool steps_rows(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *to)
{
    gtr_step(filled->t);
    return rows_of(user, epoch, begin, end, to);
}
static bool sets_rows(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *to)
{
    gtr_set(filled->x, features, sizeof features);
    return rows_of(user, epoch, begin, end, to);
}
static bool saves_rows(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *to)
{
    gtr_save(filled->ctx, path_of("fill.safetensors"));
    return rows_of(user, epoch, begin, end, to);
}
static bool builds_rows(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *to)
{
    gtr_relu(filled->x);
    return rows_of(user, epoch, begin, end, to);
}
static void callbacks(void)
{
    RIGHT("a data set that a function fills") { callback(w, rows_of); fit(w); }
    MISTAKE("a callback's set without a callback", "gtr_dataset_callback|fill") { callback(w, NULL); }
    MISTAKE("a callback's set of -1 rows, for no end", "gtr_dataset_callback|-1 rows") {
        w->call.rows = -1;
        callback(w, rows_of);
    }
    MISTAKE("a callback's set of -1 columns", "gtr_dataset_callback|columns") {
        w->call.columns = -1;
        callback(w, rows_of);
    }
    MISTAKE("a callback's column of doubles", "column 1|dtype") {
        w->call.column[1].dtype = GTR_F64;
        callback(w, rows_of);
    }
    MISTAKE("a fill that returns false for no error", "gtr_dataset_callback|callback failed") {
        callback(w, no_rows);
        fit(w);
    }
    MISTAKE("a fill with labels from 1", "column 1|3|0 to 2") { w->call.user = from_one; callback(w, rows_of); fit(w); }
    MISTAKE("a fill with NaN", "row 5|column 0|not finite") { callback(w, nan_rows); fit(w); }
    MISTAKE("a fill that steps", "gtr_step|callback") { callback(w, steps_rows); fit(w); }
    MISTAKE("a fill that sets an input", "gtr_set|callback") { callback(w, sets_rows); fit(w); }
    MISTAKE("a fill that saves the model", "gtr_save|callback") { callback(w, saves_rows); fit(w); }
    MISTAKE("a fill that builds", "relu|callback") { callback(w, builds_rows); fit(w); }
    MISTAKE("a split of a callback's rows", "gtr_dataset_split|callback") {
        gtr_dataset_split(callback(w, rows_of), 4);
    }
    MISTAKE("a callback's rows standardised", "callback") {
        gtr_standardise(input(w), "norm", callback(w, rows_of), 0);
    }
    MISTAKE("rows appended to a callback's", "gtr_dataset_append|callback") {
        const void *more[2] = { features, label };
        gtr_dataset_append(callback(w, rows_of), more, 2);
    }
    MISTAKE("a callback's set without labels, set once for all batches", "\"y\"|1 rows|8") {
        w->call.columns = 1;
        callback(w, rows_one);
        trainer(w);
        gtr_set(w->y, label, 4);
        fit(w);
    }
    MISTAKE("a callback's set without labels, which nobody set", "\"y\"|0 rows|8") {
        w->call.columns = 1;
        callback(w, rows_one);
        fit(w);
    }
}
static void observing(void)
{
    MISTAKE("a plan's memory to NULL", "gtr_memory_plan|NULL") { gtr_memory_plan(trainer(w), 8, NULL); }
    MISTAKE("the plan of a batch of 0", "gtr_plan_text|batch of 0") { gtr_plan_text(trainer(w), 0); }
    MISTAKE("the memory of a batch below 0", "batch of -1") { gtr_memory_text(trainer(w), -1); }
    MISTAKE("a trace before any data", "\"x\"|gtr_set") { gtr_trace(trainer(w)); }
    MISTAKE("a profile before any data", "\"x\"|gtr_set") { gtr_profile(trainer(w), false); }
    MISTAKE("a profile of a preset", "preset") {
        w->cd.preset = GTR_PRESET_CPU;
        gtr_profile(trainer(w), false);
    }
}
static void all(void)
{
    mistakes = silent = 0;
    RUN(right_programs);
    RUN(contexts);
    RUN(other_contexts);
    RUN(inputs_and_names);
    RUN(shapes);
    RUN(shapes_of_rows);
    RUN(shapes_anew);
    RUN(ops);
    RUN(ops_with_weights);
    RUN(losses);
    RUN(losses_with_fields);
    RUN(losses_that_run);
    RUN(losses_that_are_none);
    RUN(not_finite);
    RUN(rates);
    RUN(rates_not_read);
    RUN(groups);
    RUN(orders);
    RUN(orders_of_values);
    RUN(in_callbacks);
    RUN(fits);
    RUN(fits_of_data);
    RUN(fits_with_checkpoints);
    RUN(resumes);
    RUN(metrics);
    RUN(data_sets);
    RUN(data_sets_cut);
    RUN(images);
    RUN(standardised);
    RUN(tables);
    RUN(texts);
    RUN(labels_of_tables);
    RUN(fields_of_tables);
    RUN(tables_alike);
    RUN(numpy_files);
    RUN(image_files);
    RUN(folders);
    RUN(files);
    RUN(values);
    RUN(values_asked_for);
    RUN(gradients_and_customs);
    RUN(predictors);
    RUN(callbacks);
    RUN(observing);
}
int main(int argc, char **argv) { return mistakes_main(argc, argv, all, known, (int)(sizeof known / sizeof *known)); }
