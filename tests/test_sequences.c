/* Sequences: cells over the steps of windows, attention over rows of several lengths, and layers of it. Each proof runs
   on the CPU, and again on the GPU where there is one. */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include "check.h"
#include "device.h"

typedef gtr_tensor *tensor;
enum { ROWS = 8, STEPS = 6, WIDTH = 12, ALL = ROWS * STEPS * WIDTH };

static const gtr_precision precisions[] = { GTR_FP32, GTR_TF32, GTR_MIXED_BF16, GTR_MIXED_FP16 };
static bool has(const gtr_context *ctx, gtr_precision p) { return p != GTR_MIXED_BF16 || ctx->caps.bf16; }
static gtr_trainer_desc adam(float lr, gtr_precision p)
{
    gtr_trainer_desc d;
    memset(&d, 0, sizeof d);
    d.optimizer = GTR_ADAM; d.lr = lr; d.precision = p;
    return d;
}
static gtr_attention_desc plainly(void) { gtr_attention_desc d; memset(&d, 0, sizeof d); return d; }
static tensor step_of(tensor x, int k)
{
    const gtr_shape s = gtr_tensor_shape(x);
    return gtr_reshape(gtr_slice(x, 1, k, k + 1), gtr_shape2(s.dim[0], s.dim[2]));
}
static const char *const cells[] = { "rnn", "gru", "lstm" };
static tensor cell(int kind, tensor x, tensor h, tensor *c, int64_t hidden)
{
    return kind == 2 ? gtr_lstm_cell(x, h, c, "cell", hidden)
        : (kind == 1 ? gtr_gru_cell : gtr_rnn_cell)(x, h, "cell", hidden);
}

/* Two waves of other lengths, of which 24 steps predict the next: far better than that all goes on as it is. */
static void forecasts(void)
{
    enum { N = 300, HISTORY = 24 };
    static float wave[N];
    for (int k = 0; k < N; k++) wave[k] = sinf(0.35f * (float)k) + 0.5f * cosf(0.83f * (float)k);
    double naive = 0;
    for (int k = HISTORY; k < N; k++) naive += (double)(wave[k] - wave[k - 1]) * (wave[k] - wave[k - 1]);
    naive /= N - HISTORY;
    for (int kind = 0; kind < 3; kind++) for (int p = 0; p < (small ? 1 : 4); p++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_arrays_desc a;
        gtr_windows_desc w;
        gtr_fit_desc f;
        memset(&a, 0, sizeof a); memset(&w, 0, sizeof w); memset(&f, 0, sizeof f);
        a.rows = N; a.column[0].data = wave;
        gtr_dataset *series = gtr_dataset_arrays(ctx, a);
        w.history = HISTORY; w.horizon = 1;
        gtr_dataset *windows = gtr_dataset_windows(series, w);
        tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, HISTORY, 1)), h = NULL, c = NULL,
            y = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 1));
        for (int k = 0; k < HISTORY; k++) h = cell(kind, step_of(x, k), h, &c, 16);
        const tensor loss = gtr_mse(gtr_linear(h, "out", 1), y);
        if (!has(ctx, precisions[p])) { gtr_destroy(ctx); continue; }
        gtr_trainer *t = gtr_trainer_create(loss, adam(0.01f, precisions[p]));
        f.epochs = small ? 8 : 30; f.batch = 16; f.silent = true;
        EXPECT_EQ(gtr_fit(t, windows, f), GTR_OK);
        EXPECT_EQ(gtr_parameter_count(ctx), 6);
        float of_it = NAN;
        EXPECT_EQ(gtr_evaluate(t, windows, 64, NULL, &of_it, NULL), GTR_OK);
        CHECK((double)of_it < naive / (small ? 3 : 10), "%s, precision %d: %g, as it is %g", cells[kind],
            (int)precisions[p], (double)of_it, naive);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Steps by a name, and by that name's weights, have the same bits; a state that is zeros is as none. */
static void steps(void)
{
    for (int kind = 0; kind < 3; kind++) {
        gtr_context *ctx = gtr_create(desc0());
        static float v[ALL], got[3][ROWS * 10];
        uint32_t s = 5;
        for (int k = 0; k < ALL; k++) v[k] = noise(&s);
        tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, STEPS, WIDTH)), out[3];
        gtr_cell w;
        for (int way = 0; way < 3; way++) {
            tensor h = NULL, c = NULL;
            if (way == 2) h = c = gtr_scale(gtr_slice(step_of(x, 0), 1, 0, 10), 0, 0);
            for (int k = 0; k < STEPS; k++) {
                if (way != 1) { h = cell(kind, step_of(x, k), h, &c, 10); continue; }
                w.weight_ih = gtr_parameter_find(ctx, "cell.weight_ih");
                w.weight_hh = gtr_parameter_find(ctx, "cell.weight_hh");
                w.bias_ih = gtr_parameter_find(ctx, "cell.bias_ih");
                w.bias_hh = gtr_parameter_find(ctx, "cell.bias_hh");
                h = kind == 2 ? gtr_lstm_cell_with(step_of(x, k), h, &c, w)
                    : (kind == 1 ? gtr_gru_cell_with : gtr_rnn_cell_with)(step_of(x, k), h, w);
            }
            out[way] = h;
        }
        EXPECT_EQ(gtr_parameter_count(ctx), 4);
        EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
        EXPECT_EQ(gtr_eval(out, 3), GTR_OK);
        for (int way = 0; way < 3; way++) EXPECT_EQ(gtr_get(out[way], got[way], sizeof got[way]), GTR_OK);
        CHECK(!memcmp(got[0], got[1], sizeof got[0]), "%s: other bits by its weights", cells[kind]);
        CHECK(within(got[2], got[0], ROWS * 10, 1e-12, 1e-5), "%s: zeros are not as none", cells[kind]);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* What a query must not attend does not matter, to the bit, and has no gradient; a row without keys is zeros. */
static void unattended(void)
{
    static const int32_t length[ROWS] = { 6, 3, 0, 1, 5, 2, 0, 4 };
    for (int causal = 0; causal < 2; causal++) {
        static float v[2][ALL], got[2][ALL], grad[ALL];
        gtr_context *ctx = gtr_create(desc0());
        gtr_attention_desc d = plainly();
        uint32_t s = 9;
        tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, STEPS, 2, WIDTH / 2)),
            n = gtr_input(ctx, "n", GTR_I32, gtr_shape1(GTR_BATCH)), y, q = gtr_scale(x, 0.5f, 1), of[2];
        d.causal = causal; d.lengths = n;
        of[0] = y = gtr_attention(q, x, x, d);
        of[1] = gtr_gradient(gtr_sum(gtr_square(y), NULL, 0, false), x);
        for (int k = 0; k < ALL; k++) {
            const int row = k / (STEPS * WIDTH), step = k / WIDTH % STEPS;
            v[0][k] = v[1][k] = noise(&s);
            if (step >= length[row]) v[1][k] += 3;
        }
        for (int k = 0; k < 2; k++) {
            EXPECT_EQ(gtr_set(x, v[k], sizeof v[k]), GTR_OK);
            EXPECT_EQ(gtr_set(n, length, sizeof length), GTR_OK);
            EXPECT_EQ(gtr_eval(of, 2), GTR_OK);
            EXPECT_EQ(gtr_get(y, got[k], sizeof got[k]), GTR_OK);
            EXPECT_EQ(gtr_get(of[1], grad, sizeof grad), GTR_OK);
        }
        int other = 0, none = 0, wrong = 0;
        for (int k = 0; k < ALL; k++) {
            const int row = k / (STEPS * WIDTH), step = k / WIDTH % STEPS;
            if (step < length[row]) other += memcmp(&got[0][k], &got[1][k], sizeof **got) != 0;
            if (!length[row]) none += got[1][k] != 0 || grad[k] != 0;
            wrong += !(grad[k] - grad[k] == 0);
        }
        CHECK(!other && !none && !wrong, "causal %d: %d differ, %d of rows without keys are not 0, %d no numbers",
            causal, other, none, wrong);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* The first query of a causal row is its first value. */
static void causes(void)
{
    static float v[ALL], got[ALL];
    gtr_context *ctx = gtr_create(desc0());
    gtr_attention_desc d = plainly();
    uint32_t s = 4;
    for (int k = 0; k < ALL; k++) v[k] = noise(&s);
    tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, STEPS, 1, WIDTH)), y;
    d.causal = true;
    y = gtr_attention(x, x, x, d);
    EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
    EXPECT_EQ(gtr_eval(&y, 1), GTR_OK);
    EXPECT_EQ(gtr_get(y, got, sizeof got), GTR_OK);
    for (int row = 0; row < ROWS; row++) for (int k = 0; k < WIDTH; k++) {
        const int at = row * STEPS * WIDTH + k;
        CHECK(fabsf(got[at] - v[at]) < 1e-6f, "row %d: %g, want %g", row, (double)got[at], (double)v[at]);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* Which of six steps has the mark is what a layer of four heads finds, and cross attention by one query; with dropout,
   rows of several lengths and in parts. */
static void finds(void)
{
    enum { N = 256 };
    static float v[N * STEPS * WIDTH];
    static int32_t place[N], length[N];
    uint32_t s = 3;
    for (int row = 0; row < N; row++) {
        float *at = v + row * STEPS * WIDTH;
        place[row] = (int)((noise(&s) + 1) * 2.999f);
        length[row] = place[row] + 1 + (int)((noise(&s) + 1) * 0.5f * (float)(STEPS - 1 - place[row]));
        for (int k = 0; k < STEPS; k++) for (int c = 0; c < WIDTH; c++)
            at[k * WIDTH + c] = c < STEPS ? (float)(c == k) : c == STEPS ? 2.0f * (float)(k == place[row])
                : 0.3f * noise(&s);
    }
    for (int way = 0; way < 2; way++) for (int p = 0; p < (small ? 1 : 4); p++) {
        gtr_context *ctx = gtr_create(desc0());
        tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, STEPS, WIDTH)), q,
            y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH)), n = gtr_input(ctx, "n", GTR_I32,
                gtr_shape1(GTR_BATCH));
        gtr_attention_desc d = plainly();
        gtr_trainer_desc a = adam(0.01f, precisions[p]);
        d.lengths = n; d.dropout = way ? 0 : 0.05f;
        q = way ? gtr_slice(x, 1, 0, 1) : x;
        tensor h = gtr_multihead_attention(q, way ? x : NULL, "heads", 4, d);
        h = gtr_linear(gtr_gelu(gtr_linear(gtr_flatten(h), "fc1", 32)), "fc2", STEPS);
        const tensor loss = gtr_cross_entropy(h, y);
        a.micro_batches = way ? 1 : 2;
        if (!has(ctx, precisions[p])) { gtr_destroy(ctx); continue; }
        gtr_trainer *t = gtr_trainer_create(loss, a);
        EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
        EXPECT_EQ(gtr_set(y, place, sizeof place), GTR_OK);
        EXPECT_EQ(gtr_set(n, length, sizeof length), GTR_OK);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        const float first = gtr_loss(t);
        for (int k = 0; k < (small ? 40 : 150); k++) EXPECT_EQ(gtr_step(t), GTR_OK);
        CHECK(gtr_loss(t) < first * (small ? 0.5f : 0.1f), "way %d, precision %d: the loss goes from %g to %g", way,
            (int)precisions[p], (double)first, (double)gtr_loss(t));
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Memory that is x is as none; names, shapes and first values are PyTorch's. */
static void layers(void)
{
    static const struct { const char *name; int64_t rows; int dims; double most; } want[] = {
        { "heads.in_proj_weight", 36, 2, 0.35355339 }, { "heads.in_proj_bias", 36, 1, 0 },
        { "heads.out_proj.weight", 12, 2, 0.28867513 }, { "heads.out_proj.bias", 12, 1, 0 },
        { "cell.weight_ih", 20, 2, 0.4472136 }, { "cell.weight_hh", 20, 2, 0.4472136 },
        { "cell.bias_ih", 20, 1, 0.4472136 }, { "cell.bias_hh", 20, 1, 0.4472136 } };
    static float v[ALL], got[2][ALL], w[36 * 12];
    gtr_context *ctx = gtr_create(desc0());
    uint32_t s = 8;
    tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, STEPS, WIDTH)), y[2], c = NULL;
    gtr_multihead of;
    y[0] = gtr_multihead_attention(x, NULL, "heads", 3, plainly());
    of.in_proj_weight = gtr_parameter_find(ctx, "heads.in_proj_weight");
    of.in_proj_bias = gtr_parameter_find(ctx, "heads.in_proj_bias");
    of.out_proj_weight = gtr_parameter_find(ctx, "heads.out_proj.weight");
    of.out_proj_bias = gtr_parameter_find(ctx, "heads.out_proj.bias");
    y[1] = gtr_multihead_attention_with(x, gtr_scale(x, 1, 0), of, 3, plainly());
    EXPECT(gtr_lstm_cell(step_of(x, 0), NULL, &c, "cell", 5) && c);
    EXPECT_EQ(gtr_parameter_count(ctx), 8);
    for (int k = 0; k < 8; k++) {
        tensor p = gtr_parameter_find(ctx, want[k].name);
        const gtr_shape shape = gtr_tensor_shape(p);
        EXPECT(p && shape.ndim == want[k].dims && shape.dim[0] == want[k].rows && gtr_tensor_bytes(p) <= sizeof w);
        EXPECT_EQ(gtr_get(p, w, gtr_tensor_bytes(p)), GTR_OK);
        float most = 0;
        for (size_t i = 0; i < gtr_tensor_bytes(p) / sizeof *w; i++) if (fabsf(w[i]) > most) most = fabsf(w[i]);
        CHECK(want[k].most == 0 ? most == 0 : (double)most <= want[k].most && (double)most > 0.7 * want[k].most,
            "%s: first values up to %g, want %g", want[k].name, (double)most, want[k].most);
    }
    for (int k = 0; k < ALL; k++) v[k] = noise(&s);
    EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
    EXPECT_EQ(gtr_eval(y, 2), GTR_OK);
    for (int k = 0; k < 2; k++) EXPECT_EQ(gtr_get(y[k], got[k], sizeof got[k]), GTR_OK);
    EXPECT(within(got[1], got[0], ALL, 1e-11, 1e-5));
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* Lengths that the keys do not have are errors, set or in a data set; of -INFINITY that masks the search for the first
   value that is not finite takes no notice. */
static void refused(void)
{
    static float v[ALL], later[STEPS * STEPS];
    static const int32_t bad[][ROWS] = { { 6, 6, 6, 7, 6, 6, 6, 6 }, { 0, 0, -1, 0, 0, 0, 0, 0 } },
        good[ROWS] = { 6, 5, 4, 3, 2, 1, 0, 6 };
    uint32_t s = 2;
    for (int k = 0; k < ALL; k++) v[k] = noise(&s);
    for (int k = 0; k < STEPS * STEPS; k++) later[k] = k % STEPS > k / STEPS ? -INFINITY : 0;
    for (int way = 0; way < 3; way++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_attention_desc d = plainly();
        tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, STEPS, WIDTH)), n = gtr_input(ctx, "n", GTR_I32,
            gtr_shape1(GTR_BATCH)), m = gtr_input(ctx, "m", GTR_F32, gtr_shape2(STEPS, STEPS)), y;
        d.causal = way == 0;
        if (way == 1) d.mask = gtr_constant(ctx, GTR_F32, gtr_shape2(STEPS, STEPS), later);
        if (way == 2) d.mask = m;
        d.lengths = n;
        y = gtr_multihead_attention(x, NULL, "heads", 3, d);
        gtr_trainer *t = gtr_trainer_create(gtr_mean(gtr_log(gtr_linear(y, "out", 2)), NULL, 0, false),
            adam(0.01f, GTR_FP32));
        EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
        EXPECT_EQ(gtr_set(m, later, sizeof later), GTR_OK);
        for (int k = 0; k < 2; k++) {
            EXPECT_EQ(gtr_set(n, bad[k], sizeof *bad), GTR_OK);
            EXPECT_EQ(gtr_eval(&y, 1), GTR_ERR_ARG);
            EXPECT_ERROR(ctx, GTR_ERR_ARG, "want 0 to 6 for multihead_attention");
        }
        EXPECT_EQ(gtr_set(n, good, sizeof good), GTR_OK);
        gtr_result r = gtr_step(t);
        if (!r) r = gtr_wait(ctx);
        EXPECT_EQ(r, GTR_ERR_NONFINITE);
        EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, "the output of log");
        gtr_destroy(ctx);
    }
}
/* States that are one for all rows, learned; gtr_item of what depends on inputs is of those that were last set. */
static void first_states(void)
{
    static float v[ROWS * WIDTH];
    gtr_context *ctx = gtr_create(desc0());
    gtr_init one;
    uint32_t s = 6;
    memset(&one, 0, sizeof one);
    one.kind = GTR_INIT_NORMAL; one.a = 1;
    tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH)), sum = NULL;
    for (int kind = 0; kind < 3; kind++) {
        char name[2][8];
        snprintf(name[0], sizeof name[0], "h%d", kind); snprintf(name[1], sizeof name[1], "c%d", kind);
        tensor h = gtr_parameter(ctx, name[0], kind ? gtr_shape1(5) : gtr_shape2(1, 5), one),
            c = gtr_parameter(ctx, name[1], gtr_shape1(5), one);
        gtr_scope_begin(ctx, cells[kind]);
        h = cell(kind, x, h, &c, 5);
        gtr_scope_end(ctx);
        h = gtr_sum(gtr_square(h), NULL, 0, false);
        sum = sum ? gtr_add(sum, h) : h;
    }
    gtr_trainer *t = gtr_trainer_create(sum, adam(0.05f, GTR_FP32));
    for (int k = 0; k < ROWS * WIDTH; k++) v[k] = noise(&s);
    EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
    const float first = gtr_item(sum);
    for (int k = 0; k < 20; k++) EXPECT_EQ(gtr_step(t), GTR_OK);
    EXPECT(gtr_loss(t) < 0.7f * first);
    gtr_keep(sum);
    EXPECT_EQ(gtr_step(t), GTR_OK);
    const float before = gtr_item(sum);
    CHECK(before == gtr_loss(t), "%g, and the step's is %g", (double)before, (double)gtr_loss(t));
    EXPECT_EQ(gtr_set(x, v, sizeof v / 2), GTR_OK);
    const float half = gtr_item(sum);
    CHECK(half < 0.8f * before && half > 0.2f * before, "%g of half the rows, %g of all", (double)half, (double)before);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* A block of no dropout is what it is made of, by hand, to the bit. */
static void blocks(void)
{
    static float v[ALL], got[2][ALL];
    uint32_t s = 12;
    for (int k = 0; k < ALL; k++) v[k] = noise(&s);
    for (int way = 0; way < 4; way++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_transformer_desc d;
        tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, STEPS, WIDTH)), y[2], h;
        memset(&d, 0, sizeof d);
        d.heads = 2; d.hidden = 20; d.norm_first = way & 1; d.gelu = way > 1; d.attention.causal = way & 1;
        y[0] = gtr_transformer_block(x, "block", d);
        gtr_multihead w;
        w.in_proj_weight = gtr_parameter_find(ctx, "block.self_attn.in_proj_weight");
        w.in_proj_bias = gtr_parameter_find(ctx, "block.self_attn.in_proj_bias");
        w.out_proj_weight = gtr_parameter_find(ctx, "block.self_attn.out_proj.weight");
        w.out_proj_bias = gtr_parameter_find(ctx, "block.self_attn.out_proj.bias");
#define PART(name) gtr_parameter_find(ctx, "block." name)
#define NORM(k, t) gtr_layer_norm_with(t, PART("norm" k ".weight"), PART("norm" k ".bias"), 0)
        h = gtr_add(x, gtr_multihead_attention_with(way & 1 ? NORM("1", x) : x, NULL, w, 2, d.attention));
        if (!(way & 1)) h = NORM("1", h);
        y[1] = gtr_linear_with(way & 1 ? NORM("2", h) : h, PART("linear1.weight"), PART("linear1.bias"));
        y[1] = (way > 1 ? gtr_gelu : gtr_relu)(y[1]);
        y[1] = gtr_add(h, gtr_linear_with(y[1], PART("linear2.weight"), PART("linear2.bias")));
        if (!(way & 1)) y[1] = NORM("2", y[1]);
        EXPECT_EQ(gtr_parameter_count(ctx), 12);
        EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
        EXPECT_EQ(gtr_eval(y, 2), GTR_OK);
        for (int k = 0; k < 2; k++) EXPECT_EQ(gtr_get(y[k], got[k], sizeof got[k]), GTR_OK);
        CHECK(!memcmp(got[0], got[1], sizeof got[0]), "way %d: other bits by hand", way);
        EXPECT_OK(ctx);
        d.hidden = -1;
        EXPECT(!gtr_transformer_block(x, "other", d) && !gtr_transformer_block(NULL, "other", d));
        EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "transformer_block \"other\" of \"x\": got float32 (N, 6, 12) and hidden -1");
        d.hidden = 0; d.heads = 5;
        EXPECT(!gtr_transformer_block(x, "other", d) && !gtr_parameter_find(ctx, "other.norm1.weight"));
        EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "other.self_attn");
        d.heads = 3; d.dropout = 0.1f; d.memory = x;
        EXPECT(gtr_transformer_block(x, "other", d) && gtr_parameter_find(ctx, "other.norm3.bias"));
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
static void all(void)
{
    RUN(forecasts);
    RUN(steps);
    RUN(unattended);
    RUN(causes);
    RUN(finds);
    RUN(layers);
    RUN(refused);
    RUN(first_states);
    RUN(blocks);
}
int main(int argc, char **argv)
{
    small = getenv("GTR_TEST_SMALL") != NULL;
    check_begin(argc, argv);
    check_devices(all, &device);
    return check_done();
}
