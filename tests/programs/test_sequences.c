/* Sequences: cells over the steps of windows, layers that take all steps at once, attention over rows of several
   lengths, and layers of it. Each proof runs on the CPU, and again on the GPU where there is one. */
#include "private.h"
#include "check.h"
#include "device.h"
#include <fenv.h>

typedef gtr_tensor *tensor;
enum { ROWS = 8, STEPS = 6, WIDTH = 12, ALL = ROWS * STEPS * WIDTH };

static const gtr_precision precisions[] = { GTR_FP32, GTR_TF32, GTR_MIXED_BF16, GTR_MIXED_FP16 };
/* On the CPU all precisions are float32. */
static bool has(const gtr_context *ctx, gtr_precision p)
{
    return p == GTR_FP32 || (gtr_on_gpu(ctx) && (p != GTR_MIXED_BF16 || ctx->caps.bf16));
}
static gtr_trainer_desc adam(float lr, gtr_precision p)
{
    gtr_trainer_desc d;
    memset(&d, 0, sizeof d);
    d.optimizer = GTR_ADAM; d.lr = lr; d.precision = p;
    return d;
}
static gtr_attention_desc plainly(void) { gtr_attention_desc d; memset(&d, 0, sizeof d); return d; }
static gtr_init spread(void) { gtr_init z; memset(&z, 0, sizeof z); z.kind = GTR_INIT_NORMAL; z.a = 1; return z; }
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
/* Queries without keys, by a mask, lengths or both, get 0, and add nothing to gradients: as if they attended what there
   is and nobody looked at them (blind). On the CPU nothing is computed that a host may trap. */
enum { HIDDEN_ROWS = 3, HIDDEN_STEPS = 5, HIDDEN_KEYS = 7, HIDDEN_HEADS = 2 };
typedef struct { int depth, packed, lengths, causal; float dropout; } hidden_case;
static bool hidden(const hidden_case *c, int n, int t)
{
    return t == 1 || (n == 1 && t > 2) || (c->lengths && n == 2) || (c->causal && t == 0);
}
/* What attends, of the parameters in `of`, and a loss of it, which is 0 of what is hidden if all are blind. */
static tensor hides(gtr_context *ctx, const hidden_case *c, bool blind, tensor of[3], gtr_trainer **t, gtr_precision p)
{
    const int keys = c->packed ? HIDDEN_STEPS : HIDDEN_KEYS;
    float mask[HIDDEN_ROWS * HIDDEN_STEPS * HIDDEN_KEYS], seen[HIDDEN_ROWS * HIDDEN_STEPS];
    const int32_t length[HIDDEN_ROWS] = { keys, 2, blind ? keys : 0 };
    gtr_attention_desc a = plainly();
    gtr_shape s = gtr_shape4(HIDDEN_ROWS, HIDDEN_STEPS, HIDDEN_HEADS, c->depth);
    a.causal = c->causal; a.dropout = c->dropout;
    for (int k = 0; k < HIDDEN_ROWS * HIDDEN_STEPS * keys; k++) {
        const int n = k / keys / HIDDEN_STEPS, q = k / keys % HIDDEN_STEPS;
        const bool there = k % keys < (c->lengths ? length[n] : keys) && (!c->causal || k % keys <= q);
        mask[k] = !hidden(c, n, q) ? k % 3 == 1 && k % keys ? -INFINITY : 0.1f * (float)(k % 4)
            : there && !blind ? -INFINITY : 0;
        seen[k / keys] = !blind || !hidden(c, n, q);
    }
    a.mask = gtr_constant(ctx, GTR_F32, gtr_shape4(HIDDEN_ROWS, 1, HIDDEN_STEPS, keys), mask);
    if (c->lengths) a.lengths = gtr_constant(ctx, GTR_I32, gtr_shape1(HIDDEN_ROWS), length);
    if (c->packed) { s.dim[2] = 3; s.dim[3] = HIDDEN_HEADS; s.dim[4] = c->depth; s.ndim = 5; }
    of[0] = gtr_parameter(ctx, "q", s, spread());
    for (int k = 1; k < 3 && !c->packed; k++)
        of[k] = gtr_parameter(ctx, k == 1 ? "k" : "v", gtr_shape4(HIDDEN_ROWS, keys, 1, c->depth), spread());
    const tensor y = gtr_keep(gtr_attention(of[0], of[1], of[2], a));
    const tensor loss = gtr_mul(gtr_square(gtr_add(y, gtr_constant(ctx, GTR_F32, gtr_shape0(), (float[]){ 0.5f }))),
        gtr_constant(ctx, GTR_F32, gtr_shape4(HIDDEN_ROWS, HIDDEN_STEPS, 1, 1), seen));
    gtr_trainer_desc d = adam(0.01f, p);
    d.loss_scale = p == GTR_MIXED_FP16 ? 64 : 0;
    *t = gtr_trainer_create(gtr_mean(loss, NULL, 0, false), d);
    return y;
}
static void hidden_queries(void)
{
    enum { MOST = HIDDEN_ROWS * HIDDEN_KEYS * 3 * HIDDEN_HEADS * 160 };
    static const hidden_case cases[] = { { 4, 0, 0, 0, 0 }, { 24, 0, 1, 0, 0 }, { 64, 0, 1, 1, 0 }, { 128, 0, 0, 1, 0 },
        { 16, 1, 1, 0, 0 }, { 40, 1, 0, 1, 0 }, { 160, 0, 1, 0, 0 }, { 136, 1, 0, 1, 0 }, { 8, 0, 0, 0, 0.3f },
        { 16, 0, 1, 1, 0.3f }, { 8, 1, 1, 0, 0.3f } };
    static float y[2][MOST], g[2][3][MOST];
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) for (int p = 0; p < 4; p++) {
        const hidden_case *c = &cases[i];
        const size_t out = HIDDEN_STEPS * HIDDEN_HEADS * (size_t)c->depth;
        bool there = true;
        for (int blind = 0; blind < 2 && there; blind++) {
            gtr_context *ctx = gtr_create(desc0());
            tensor of[3] = { NULL, NULL, NULL };
            gtr_trainer *t;
            if (!(there = has(ctx, precisions[p]))) { gtr_destroy(ctx); continue; }
            const tensor made = hides(ctx, c, blind, of, &t, precisions[p]);
            EXPECT_EQ(gtr_step(t), GTR_OK);
            EXPECT_EQ(gtr_get(made, y[blind], HIDDEN_ROWS * out * sizeof(float)), GTR_OK);
            for (int k = 0; k < 3 && of[k]; k++)
                EXPECT_EQ(gtr_gradient_get(t, of[k], g[blind][k], gtr__bytes_of(of[k])), GTR_OK);
            for (int k = 0; k < 3 && of[k] && blind; k++)
                CHECK(within(g[0][k], g[1][k], (int64_t)(gtr__bytes_of(of[k]) / sizeof(float)), p ? 1e-4 : 1e-10,
                    p ? 2e-2 : 1e-5), "case %d, precision %d: gradient %d is %g, want %g", i, p, k, (double)g[0][k][0],
                    (double)g[1][k][0]);
            EXPECT_OK(ctx);
            gtr_destroy(ctx);
        }
        for (size_t k = 0; k < HIDDEN_ROWS * out && there; k++)
            if (hidden(c, (int)(k / out), (int)(k % out / (out / HIDDEN_STEPS)))) y[1][k] = 0;
        if (there) CHECK(within(y[0], y[1], (int64_t)(HIDDEN_ROWS * out), p ? 1e-4 : 1e-10, p ? 2e-2 : 1e-5),
            "case %d, precision %d: %g, want %g", i, p, (double)y[0][0], (double)y[1][0]);
    }
}
/* The same of steps that come one at a time, whose k and v are kept. */
static void hidden_steps(void)
{
    static float v[ALL], whole[ALL], got[ROWS * WIDTH], mask[STEPS * STEPS];
    uint32_t s = 8;
    gtr_context *ctx = gtr_create(desc0());
    gtr_attention_desc a = plainly();
    gtr_predictor_desc d;
    for (int k = 0; k < STEPS * STEPS; k++) /* of steps 0 and 3 all, of step 1 its own */
        mask[k] = k / STEPS % 3 == 0 || k == STEPS + 1 ? -INFINITY : 0.1f * (float)k;
    for (int k = 0; k < ALL; k++) v[k] = noise(&s);
    a.causal = true; a.mask = gtr_constant(ctx, GTR_F32, gtr_shape2(STEPS, STEPS), mask);
    tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, STEPS, 2, WIDTH / 2));
    memset(&d, 0, sizeof d);
    d.out[0] = gtr_attention(x, x, gtr_scale(x, 1, 1), a); d.max_rows = ROWS;
    gtr_predictor *all = gtr_predictor_create_ex(ctx, d);
    d.steps = true;
    gtr_predictor *next = gtr_predictor_create_ex(ctx, d);
    EXPECT_OK(ctx);
    EXPECT_EQ(gtr_predict(all, v, ROWS, whole), GTR_OK);
    for (int t = 0; t < STEPS; t++) {
        float one[ROWS * WIDTH];
        int wrong = 0;
        for (int r = 0; r < ROWS; r++) memcpy(one + r * WIDTH, v + (r * STEPS + t) * WIDTH, WIDTH * sizeof *v);
        EXPECT_EQ(gtr_predict_next(next, one, ROWS, got), GTR_OK);
        for (int k = 0; k < ROWS * WIDTH; k++) {
            const float want = whole[(k / WIDTH * STEPS + t) * WIDTH + k % WIDTH];
            wrong += !(fabsf(got[k] - want) < 1e-5f) || (got[k] == 0) != (t % 3 == 0);
        }
        CHECK(!wrong, "step %d: %d of %d are others", t, wrong, ROWS * WIDTH);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* Training and predicting of finite numbers raises no floating-point exception that a host may trap. */
static void raises_nothing(void)
{
#if defined(FE_INVALID) && defined(FE_DIVBYZERO) && !defined(__clang__)
    static const int32_t length[ROWS] = { 6, 0, 2, 1, 5, 3, 0, 4 };
    static float v[ROWS * STEPS * 24];
    if (device != GTR_DEVICE_CPU) return;
    for (int kind = 0; kind < 8; kind++) {
        gtr_desc desc = desc0();
        gtr_transformer_desc d;
        const int wide = kind % 2 ? 12 : 6;
        uint32_t s = (uint32_t)kind;
        memset(&d, 0, sizeof d);
        desc.threads = 1; /* flags are a thread's */
        gtr_context *ctx = gtr_create(desc);
        tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, STEPS, wide)),
            n = gtr_input(ctx, "n", GTR_I32, gtr_shape1(GTR_BATCH));
        d.heads = 2; d.hidden = 7; d.dropout = kind & 2 ? 0.2f : 0; d.attention.causal = true;
        d.attention.dropout = d.dropout; d.kind = kind & 4 ? GTR_BLOCK_GPT2 : GTR_BLOCK_PYTORCH;
        d.attention.lengths = n;
        const tensor y = gtr_transformer_block(x, "a", d);
        gtr_trainer *t = gtr_trainer_create(gtr_mean(gtr_square(y), NULL, 0, false), adam(0.01f, GTR_FP32));
        EXPECT_EQ(gtr_set(n, length, sizeof length), GTR_OK);
        for (int k = 0; k < 12; k++) {
            for (int e = 0; e < ROWS * STEPS * wide; e++) v[e] = noise(&s);
            EXPECT_EQ(gtr_set(x, v, sizeof(float) * (size_t)(ROWS * STEPS * wide)), GTR_OK);
            feclearexcept(FE_ALL_EXCEPT);
            EXPECT_EQ(gtr_step(t), GTR_OK);
            EXPECT_EQ(gtr_eval(&y, 1), GTR_OK);
            CHECK(!fetestexcept(FE_INVALID | FE_DIVBYZERO), "kind %d, step %d: exceptions %x", kind, k,
                (unsigned)fetestexcept(FE_INVALID | FE_DIVBYZERO));
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
#endif
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
/* An infinite gradient of the last state of a row without steps stays there: weights' gradients and other rows' are
   numbers. */
static void stays_in_its_row(void)
{
    static const int32_t length[ROWS] = { 6, 3, 0, 1, 5, 2, 0, 4 };
    static float v[ALL], by[ROWS * 5], got[ALL];
    uint32_t s = 3;
    for (int k = 0; k < ALL; k++) v[k] = noise(&s);
    for (int k = 0; k < ROWS * 5; k++) by[k] = k == 2 * 5 + 1 ? INFINITY : 1;
    for (int kind = 0; kind < 4; kind++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_recurrent_desc r;
        tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, STEPS, WIDTH)), last = NULL,
            n = gtr_input(ctx, "n", GTR_I32, gtr_shape1(GTR_BATCH)),
            scale = gtr_input(ctx, "scale", GTR_F32, gtr_shape2(GTR_BATCH, 5)), of[5];
        memset(&r, 0, sizeof r);
        r.lengths = n; r.h_last = &last; r.relu = kind == 3;
        (kind == 2 ? gtr_lstm : kind == 1 ? gtr_gru : gtr_rnn)(x, "r", 5, r);
        const tensor loss = gtr_sum(gtr_mul(last, scale), NULL, 0, false);
        static const char *const name[] = { "r.weight_ih_l0", "r.weight_hh_l0", "r.bias_ih_l0", "r.bias_hh_l0" };
        for (int k = 0; k < 4; k++) of[k] = gtr_gradient(loss, gtr_parameter_find(ctx, name[k]));
        of[4] = gtr_gradient(loss, x);
        EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
        EXPECT_EQ(gtr_set(n, length, sizeof length), GTR_OK);
        EXPECT_EQ(gtr_set(scale, by, sizeof by), GTR_OK);
        EXPECT_EQ(gtr_eval(of, 5), GTR_OK);
        for (int k = 0; k < 5; k++) {
            const size_t bytes = k < 4 ? gtr_tensor_bytes(of[k]) : sizeof got;
            int wrong = 0, left = 0;
            EXPECT_EQ(gtr_get(of[k], got, bytes), GTR_OK);
            for (size_t i = 0; i < bytes / sizeof *got; i++) {
                wrong += !(got[i] - got[i] == 0);
                left += k == 4 && (int)(i / WIDTH % STEPS) >= length[i / (STEPS * WIDTH)] && got[i] != 0;
            }
            CHECK(!wrong && !left, "kind %d, gradient %d: %d no numbers, %d of steps that are not there", kind, k,
                wrong, left);
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Gradients of w and of what makes x are the same where x is a reshape, whose values another tensor holds, and where it
   is a tensor of its own. */
static void steps_of_a_row(void)
{
    enum { HIDDEN = 3 };
    static float v[ROWS * 4], got[4][4 * HIDDEN * (STEPS * 4 > HIDDEN ? STEPS * 4 : HIDDEN)];
    uint32_t s = 5;
    for (int k = 0; k < ROWS * 4; k++) v[k] = noise(&s);
    for (int gates = 1; gates < 5; gates += gates == 1 ? 2 : 1) {
        gtr_context *ctx = gtr_create(desc0());
        const size_t bytes[2] = { (size_t)(gates * HIDDEN * HIDDEN) * sizeof(float),
            (size_t)(STEPS * gates * HIDDEN * 4) * sizeof(float) };
        tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 4)), of[4],
            w = gtr_parameter(ctx, "w", gtr_shape2(gates * HIDDEN, HIDDEN), gtr__init(GTR_INIT_UNIFORM, 1)),
            row = gtr_reshape(gtr_linear(x, "l", STEPS * gates * HIDDEN), gtr_shape3(GTR_BATCH, STEPS, gates * HIDDEN));
        for (int k = 0; k < 2; k++) {
            gtr__attr at;
            tensor in[2] = { k ? gtr_neg(gtr_neg(row)) : row, w };
            memset(&at, 0, sizeof at);
            at.recurrence.gates = gates;
            tensor loss = gtr_sum(gtr_square(gtr__op_new(GTR__OP_RECURRENCE, 2, in, &at, NULL)), NULL, 0, false);
            of[k] = gtr_gradient(loss, w);
            of[2 + k] = gtr_gradient(loss, gtr_parameter_find(ctx, "l.weight"));
        }
        EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
        EXPECT_EQ(gtr_eval(of, 4), GTR_OK);
        for (int k = 0; k < 4; k++) EXPECT_EQ(gtr_get(of[k], got[k], bytes[k / 2]), GTR_OK);
        CHECK(!memcmp(got[0], got[1], bytes[0]), "%d gates: gradients of w differ, %g and %g", gates, (double)got[0][0],
            (double)got[1][0]);
        for (size_t i = 0; i < bytes[1] / sizeof(float); i++)
            if (!CHECK(fabs((double)got[2][i] - (double)got[3][i]) <= 1e-5 * (1 + fabs((double)got[2][i])),
                "%d gates: gradients of l.weight: %g and %g", gates, (double)got[2][i], (double)got[3][i])) break;
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Both of y, (ROWS, STEPS, WIDTH), have the same bits, of x as v says. */
static void alike(tensor x, const float *v, const tensor *y, const char *what, int number)
{
    static float got[2][ALL];
    EXPECT_EQ(gtr_set(x, v, ALL * sizeof *v), GTR_OK);
    EXPECT_EQ(gtr_eval(y, 2), GTR_OK);
    for (int k = 0; k < 2; k++) EXPECT_EQ(gtr_get(y[k], got[k], sizeof got[k]), GTR_OK);
    CHECK(!memcmp(got[0], got[1], sizeof got[0]), "%s %d: other bits by hand", what, number);
}
/* A block of no dropout is what it is made of, by hand, to the bit. */
static void blocks(void)
{
    static float v[ALL];
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
        alike(x, v, y, "way", way);
        EXPECT_OK(ctx);
        d.hidden = -1;
        EXPECT(!gtr_transformer_block(x, "other", d) && !gtr_transformer_block(NULL, "other", d));
        EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "transformer_block \"other\" of \"x\": got float32 (N, 6, 12) and hidden -1");
        d.hidden = 0; d.heads = 5;
        EXPECT(!gtr_transformer_block(x, "other", d) && !gtr_parameter_find(ctx, "other.norm1.weight"));
        EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "transformer_block \"other\" of \"x\": got float32 (N, 6, 12), .heads is 5");
        d.heads = 3; d.dropout = 0.1f; d.memory = x;
        EXPECT(gtr_transformer_block(x, "other", d) && gtr_parameter_find(ctx, "other.norm3.bias"));
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* A loss of what attention makes of one packed tensor, which is its only operand. */
static void loss_of_attention(void)
{
    gtr_context *ctx = gtr_create(desc0());
    const gtr_shape five = { 5, { GTR_BATCH, STEPS, 3, 2, 2 } };
    tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, STEPS, WIDTH)),
        y = gtr_input(ctx, "y", GTR_F32, gtr_shape4(GTR_BATCH, STEPS, 2, 2));
    const tensor packed = gtr_reshape(gtr_linear(x, "qkv", WIDTH), five);
    EXPECT(gtr_mse(gtr_attention(packed, NULL, NULL, plainly()), y) != NULL);
    EXPECT(gtr_bce(gtr_sigmoid(gtr_attention(packed, NULL, NULL, plainly())), y) != NULL);
    EXPECT(gtr_bce(gtr_attention(packed, NULL, NULL, plainly()), y) != NULL);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* transformers' blocks by hand, to the bit. */
static void blocks_of_others(void)
{
    static float v[ALL];
    uint32_t s = 13;
    for (int k = 0; k < ALL; k++) v[k] = noise(&s);
    for (int kind = GTR_BLOCK_GPT2; kind <= GTR_BLOCK_LLAMA; kind++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_transformer_desc d;
        gtr_attention_desc a = plainly();
        tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, STEPS, WIDTH)), y[2], h, q, k, w;
        memset(&d, 0, sizeof d);
        d.kind = (gtr_block)kind; d.heads = 6; d.hidden = 20; d.eps = 1e-6f;
        a.causal = true;
        if (kind == GTR_BLOCK_LLAMA) { d.groups = 3; d.rope_base = 500; }
        y[0] = gtr_transformer_block(x, "block", d);
        EXPECT_OK(ctx);
#define BY(x, name) gtr_linear_with(x, PART(name ".weight"), NULL)
#define TIMES(x, name) gtr_add(gtr_matmul(x, PART(name ".weight")), PART(name ".bias"))
#define HEADS(x, n) gtr_reshape(x, gtr_shape4(GTR_BATCH, STEPS, n, 2))
        if (kind == GTR_BLOCK_GPT2) {
            const gtr_shape all = { 5, { GTR_BATCH, STEPS, 3, 6, 2 } };
            h = gtr_layer_norm_with(x, PART("ln_1.weight"), PART("ln_1.bias"), 1e-6f);
            h = gtr_attention(gtr_reshape(TIMES(h, "attn.c_attn"), all), NULL, NULL, a);
            h = gtr_add(x, TIMES(gtr_reshape(h, gtr_tensor_shape(x)), "attn.c_proj"));
            w = gtr_layer_norm_with(h, PART("ln_2.weight"), PART("ln_2.bias"), 1e-6f);
            y[1] = gtr_add(h, TIMES(gtr_gelu_tanh(TIMES(w, "mlp.c_fc")), "mlp.c_proj"));
            EXPECT_EQ(gtr_parameter_count(ctx), 12);
        } else {
            h = gtr_rms_norm_with(x, PART("input_layernorm.weight"), 1e-6f);
            q = gtr_rope(HEADS(BY(h, "self_attn.q_proj"), 6), 500, 0);
            k = gtr_rope(HEADS(BY(h, "self_attn.k_proj"), 3), 500, 0);
            h = gtr_attention(q, k, HEADS(BY(h, "self_attn.v_proj"), 3), a);
            h = gtr_add(x, BY(gtr_reshape(h, gtr_tensor_shape(x)), "self_attn.o_proj"));
            w = gtr_rms_norm_with(h, PART("post_attention_layernorm.weight"), 1e-6f);
            w = gtr_mul(gtr_silu(BY(w, "mlp.gate_proj")), BY(w, "mlp.up_proj"));
            y[1] = gtr_add(h, BY(w, "mlp.down_proj"));
            EXPECT_EQ(gtr_parameter_count(ctx), 9);
        }
        alike(x, v, y, "kind", kind);
        static float g[2][12][3 * WIDTH * 20]; /* gradients of all, of biases beside weights */
        for (int i = 0; i < 2; i++) {
            gtr_trainer *t = gtr_trainer_create(gtr_sum(gtr_square(y[i]), NULL, 0, false), adam(0.1f, GTR_FP32));
            EXPECT_EQ(gtr_backward(t), GTR_OK);
            for (int p = 0; p < (int)gtr_parameter_count(ctx); p++) {
                const tensor of = gtr_parameter_at(ctx, p);
                EXPECT_EQ(gtr_gradient_get(t, of, g[i][p], gtr_tensor_bytes(of)), GTR_OK);
                if (i) CHECK(within(g[0][p], g[1][p], (int)(gtr_tensor_bytes(of) / sizeof(float)), 1e-9, 1e-4),
                    "kind %d: gradient of \"%s\": %g, by hand %g", kind, of->name, (double)g[0][p][0],
                    (double)g[1][p][0]);
            }
            gtr_trainer_destroy(t);
        }
        EXPECT_OK(ctx);
        d.gelu = true;
        EXPECT(!gtr_transformer_block(x, "other", d));
        EXPECT_ERROR(ctx, GTR_ERR_ARG, kind == GTR_BLOCK_GPT2 ? ".gelu is given, but not read: it is for a block of "
            ".kind GTR_BLOCK_PYTORCH, and this is GTR_BLOCK_GPT2" : ".gelu is given, but not read");
        d.gelu = false; d.heads = 4; d.groups = kind == GTR_BLOCK_LLAMA ? 3 : 0;
        d.rope_base = 0;
        if (kind == GTR_BLOCK_GPT2) d.heads = 5;
        EXPECT(!gtr_transformer_block(x, "other", d));
        EXPECT_ERROR(ctx, GTR_ERR_SHAPE, kind == GTR_BLOCK_GPT2 ? ".heads is 5" : ".heads is 4");
        d.heads = 2; d.groups = 0; d.dropout = 0.1f;
        d.memory_attention.causal = true;
        EXPECT(!gtr_transformer_block(x, "more", d));
        EXPECT_ERROR(ctx, GTR_ERR_ARG, "transformer_block \"more\" of \"x\": got float32 (N, 6, 12): "
            ".memory_attention.causal is given, but not read: it is for a .memory, and that is NULL");
        d.memory_attention.causal = false;
        EXPECT(gtr_transformer_block(x, "more", d) != NULL);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* What tests of recurrent layers take: values of their own, to be set, and what is fetched. */
enum { MOST = 33 * 37 * 200, FETCHED = 32 };
static float drawn[MOST], kept[FETCHED][MOST], other[MOST];
static tensor input(gtr_context *ctx, const char *name, gtr_shape shape, int64_t rows, uint32_t seed)
{
    tensor t = gtr_input(ctx, name, GTR_F32, shape);
    int64_t n = rows;
    for (int k = 1; k < shape.ndim; k++) n *= shape.dim[k];
    for (int64_t k = 0; k < n; k++) drawn[k] = noise(&seed);
    EXPECT_EQ(gtr_set(t, drawn, (size_t)n * sizeof *drawn), GTR_OK);
    return t;
}
static gtr_recurrent_desc once(void) { gtr_recurrent_desc d; memset(&d, 0, sizeof d); return d; }
/* kind 3: an RNN of relu */
enum { KINDS = 4 };
static const char *const kinds[] = { "rnn", "gru", "lstm", "rnn, relu" };
static tensor recurrent(int kind, tensor x, const char *name, int64_t hidden, gtr_recurrent_desc d)
{
    d.relu = kind == 3;
    if (kind != 2) d.c = d.c_last = NULL;
    return (kind == 2 ? gtr_lstm : kind == 1 ? gtr_gru : gtr_rnn)(x, name, hidden, d);
}
static tensor sum_of(tensor t) { return gtr_sum(t, NULL, 0, false); }
static tensor squares(tensor t) { return sum_of(gtr_square(t)); }
static tensor part_of(gtr_context *ctx, const char *part, const char *suffix)
{
    char name[64];
    snprintf(name, sizeof name, "it.%s_l0%s", part, suffix);
    return gtr_parameter_find(ctx, name);
}
/* A layer in one direction, a step at a time: of x (N, T, I); live (N, T), 1 up to a row's length and then 0, or NULL;
   states, first ones, which become the last, or NULL. apart: with an op between steps, so that they stay apart. */
static tensor by_hand(gtr_context *ctx, int kind, tensor x, tensor live, bool reverse, bool apart, tensor *h, tensor *c)
{
    const char *suffix = reverse ? "_reverse" : "";
    const gtr_cell w = { part_of(ctx, "weight_ih", suffix), part_of(ctx, "weight_hh", suffix),
        part_of(ctx, "bias_ih", suffix), part_of(ctx, "bias_hh", suffix) };
    const int steps = (int)gtr_tensor_shape(x).dim[1];
    tensor y[64];
    for (int i = 0; i < steps; i++) {
        const int k = reverse ? steps - 1 - i : i;
        tensor at = step_of(x, k), next, cell_next = *c, on = live ? gtr_slice(live, 1, k, k + 1) : NULL;
        if (kind == 3) next = gtr_relu(gtr_add(gtr_linear_with(at, w.weight_ih, w.bias_ih),
            *h ? gtr_linear_with(*h, w.weight_hh, w.bias_hh) : w.bias_hh));
        else next = kind == 2 ? gtr_lstm_cell_with(at, *h, &cell_next, w)
            : (kind == 1 ? gtr_gru_cell_with : gtr_rnn_cell_with)(at, *h, w);
        y[k] = live ? gtr_mul(next, on) : next;
        *h = live ? gtr_where(on, next, *h) : apart ? gtr_scale(next, 1, 0) : next;
        *c = live && kind == 2 ? gtr_where(on, cell_next, *c) : cell_next;
    }
    return gtr_stack(y, steps, 1);
}
/* Evaluates n tensors into kept, or compares them with it. */
static void fetch(gtr_context *ctx, tensor *t, int n, bool first, int64_t rows, const char *what)
{
    CHECK(gtr_eval(t, n) == GTR_OK, "%s: %s", what, gtr_error_text(ctx));
    for (int k = 0; k < n; k++) {
        const gtr_shape s = gtr_tensor_shape(t[k]);
        int64_t count = 1;
        for (int d = 0; d < s.ndim; d++) count *= s.dim[d] == GTR_BATCH ? rows : s.dim[d];
        EXPECT(count <= MOST);
        EXPECT_EQ(gtr_get(t[k], first ? kept[k] : other, (size_t)count * sizeof *other), GTR_OK);
        CHECK(first || within(other, kept[k], count, 1e-10, 1e-5), "%s: result %d is another by hand", what, k);
    }
}
/* A layer is its cells, repeated, which a plan may join: values, last states, and the gradients of x, states and
   weights. */
static void repeats_one(int kind, int hidden, int steps, int rows, bool both, bool states, bool lengths)
{
    gtr_context *ctx = gtr_create(desc0());
    const gtr_shape state = gtr_shape2(GTR_BATCH, hidden);
    const int ways = both ? 2 : 1, kinds_of_state = kind == 2 ? 2 : 1;
    tensor x = input(ctx, "x", gtr_shape3(GTR_BATCH, steps, 5), rows, 3), first[2][2] = { { NULL } }, last[2][2], y,
        factor = input(ctx, "factor", gtr_shape3(GTR_BATCH, steps, ways * hidden), rows, 4), live = NULL;
    gtr_recurrent_desc d = once();
    int32_t length[33];
    char what[100];
    snprintf(what, sizeof what, "%s of %d, %d rows of %d steps%s%s%s", kinds[kind], hidden, rows, steps,
        both ? ", both ways" : "", states ? ", states" : "", lengths ? ", lengths" : "");
    d.bidirectional = both; d.h_last = last[0]; d.c_last = last[1];
    for (int k = 0; states && k < kinds_of_state * ways; k++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", k);
        first[k / ways][k % ways] = input(ctx, name, state, rows, 5 + (uint32_t)k);
    }
    if (states) { d.h = first[0]; d.c = first[1]; }
    if (lengths) {
        d.lengths = gtr_input(ctx, "lengths", GTR_I32, gtr_shape1(GTR_BATCH));
        live = gtr_input(ctx, "live", GTR_F32, gtr_shape2(GTR_BATCH, steps));
        for (int k = 0; k < rows; k++) length[k] = (k * 7 + steps) % (steps + 1);
        for (int k = 0; k < rows * steps; k++) drawn[k] = k % steps < length[k / steps];
        EXPECT_EQ(gtr_set(d.lengths, length, (size_t)rows * sizeof *length), GTR_OK);
        EXPECT_EQ(gtr_set(live, drawn, (size_t)(rows * steps) * sizeof *drawn), GTR_OK);
    }
    for (int hand = 0; hand < 3; hand++) {
        tensor got[FETCHED], loss, part[2];
        int n = 0;
        if (!hand) y = recurrent(kind, x, "it", hidden, d);
        else {
            for (int way = 0; way < ways; way++) {
                last[0][way] = first[0][way]; last[1][way] = first[1][way];
                part[way] = by_hand(ctx, kind, x, live, way > 0, hand > 1, &last[0][way], &last[1][way]);
            }
            y = both ? gtr_concat(part, 2, 2) : part[0];
        }
        got[n++] = y;
        loss = sum_of(gtr_mul(y, factor));
        for (int k = 0; k < kinds_of_state * ways; k++) {
            got[n++] = last[k / ways][k % ways];
            loss = gtr_add(loss, squares(last[k / ways][k % ways]));
        }
        got[n++] = gtr_gradient(loss, x);
        for (int k = 0; states && k < kinds_of_state * ways; k++)
            got[n++] = gtr_gradient(loss, first[k / ways][k % ways]);
        EXPECT_EQ(gtr_parameter_count(ctx), 4 * ways);
        for (int k = 0; k < 4 * ways; k++)
            if (states || steps > 1 || !strstr(gtr_tensor_name(gtr_parameter_at(ctx, k)), "weight_hh"))
                got[n++] = gtr_gradient(loss, gtr_parameter_at(ctx, k));
        fetch(ctx, got, n, !hand, rows, what);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
static void repeats(void)
{
    static const int hidden[] = { 3, 1, 17, 64, 100 }, steps[] = { 2, 1, 37 }, rows[] = { 5, 1, 33 };
    for (int kind = 0, k = 0; kind < KINDS; kind++)
        for (int h = 0; h < (small ? 1 : 5); h++) for (int t = 0; t < (small ? 1 : 3); t++, k++) {
            repeats_one(kind, hidden[h], steps[t], rows[(h + t + kind) % 3], k & 1, k & 2, k % 4 == 3);
            if (small) repeats_one(kind, 17, 3, 5, true, true, true);
        }
}
/* Networks of cells, of `of` steps, what they are for, and how many ops of recurrences a plan makes of them. */
enum { STRAIGHT, ENDS_ALONE, ALL_STEPS, TWO_HIGH, FEEDS_BACK, READS_CELL, TURNS, ACROSS, BRANCHES };
static const struct { const char *what; int net, of, ops; } joined[] = {
    { "the last state alone", ENDS_ALONE, 16, 1 }, { "the mean of all states", STRAIGHT, 6, 1 },
    { "130 steps", STRAIGHT, 130, 3 }, { "all states side by side", ALL_STEPS, 9, 1 },
    { "two high, step by step", TWO_HIGH, 6, 2 }, { "a step's input is the state before", FEEDS_BACK, 6, 0 },
    { "a cell's state is read", READS_CELL, 6, 2 }, { "from the last step on", TURNS, 6, 1 },
    { "two that read each other's states", ACROSS, 6, 5 },
    { "two that begin with one's states", BRANCHES, 8, 3 },
};
static tensor joined_net(tensor x, int net, int of, bool apart)
{
    tensor h = NULL, c = NULL, low = NULL, low_c = NULL, y[60] = { NULL }, at[2] = { NULL }, at_c[2] = { NULL },
        mean = gtr_scale(gtr_sum(x, NULL, 0, false), 0, 0);
    for (int k = 0; k < of; k++) {
        const tensor in = step_of(x, net == TURNS ? of - 1 - k : k), before = h;
        if (apart && h) h = gtr_scale(h, 1, 0);
        if (apart && low) low = gtr_scale(low, 1, 0);
        if (net == BRANCHES && k == of / 2) { at[0] = h; at_c[0] = c; }
        if (net == TWO_HIGH) low = gtr_lstm_cell(in, low, &low_c, "low", 7);
        h = gtr_lstm_cell(net == TWO_HIGH ? low : net == FEEDS_BACK && h ? gtr_slice(h, 1, 0, 3)
            : net == ACROSS && low ? gtr_slice(low, 1, 0, 3) : in, h, &c, "cell", 7);
        if (net == ACROSS) low = gtr_lstm_cell(before ? gtr_slice(before, 1, 0, 3) : in, low, &low_c, "low", 7);
        if (net == READS_CELL && k == of / 2) mean = gtr_add(mean, squares(c));
        if (k < 60) y[k] = h;
        if (net == STRAIGHT) mean = gtr_add(mean, squares(h));
    }
    for (int k = of / 2; net == BRANCHES && k < of; k++) {
        tensor state = k == of / 2 ? at[0] : at[1], *other = k == of / 2 ? &at_c[0] : &at_c[1];
        at[1] = gtr_lstm_cell(step_of(x, of - 1 - k), apart ? gtr_scale(state, 1, 0) : state, other, "cell", 7);
        at_c[1] = *other;
    }
    if (at[1]) h = gtr_add(h, at[1]);
    if (net == ALL_STEPS) h = gtr_linear(gtr_flatten(gtr_stack(y, of, 1)), "out", 2);
    return gtr_add(mean, squares(h));
}
/* Cells behind each other are one op, and train as they do with an op between them; so is their op's gradient, in
   micro-batches, too. */
static void joins(void)
{
    for (int k = 0; k < (int)(sizeof joined / sizeof *joined); k++) for (int p = 0; p < 2; p++) {
        float loss[2][4];
        if (small && joined[k].of > 60) continue;
        for (int apart = 0; apart < 2; apart++) {
            gtr_context *ctx = gtr_create(desc0());
            const int of = joined[k].of;
            tensor x = input(ctx, "x", gtr_shape3(GTR_BATCH, of, 3), ROWS, 11);
            gtr_trainer_desc d = adam(0.02f, GTR_FP32);
            d.micro_batches = 1 + 2 * p;
            gtr_trainer *t = gtr_trainer_create(joined_net(x, joined[k].net, of, apart), d);
            for (int step = 0; t && step < (small ? 1 : 4); step++) {
                EXPECT_EQ(gtr_step(t), GTR_OK);
                EXPECT_EQ(gtr_wait(ctx), GTR_OK);
                loss[apart][step] = gtr_trainer_report(t).loss;
                CHECK(fabs(loss[apart][step] - loss[0][step]) < 2e-5 * fabs(loss[0][step]), "%s: step %d, %g apart, %g",
                    joined[k].what, step, (double)loss[1][step], (double)loss[0][step]);
            }
            const bool counts = t && !p && !small; /* a profile measures floors, which takes long in software */
            const char *text = counts ? gtr_profile(t, false) : "";
            int ops = 0;
            while ((text = strstr(text, "forward  ")) != NULL) {
                const char *name = strstr(text, "recurrence"), *end = strchr(text++, '\n');
                ops += name && end && name < end;
            }
            CHECK(!counts || ops == (apart ? 0 : joined[k].ops), "%s%s: %d ops of recurrences", joined[k].what,
                apart ? ", apart" : "", ops);
            EXPECT_OK(ctx);
            gtr_destroy(ctx);
        }
    }
}
/* States by which gradients are asked, and what is fetched of them, are a cell's. */
static void joins_what_is_asked(void)
{
    enum { H = 4, OF = 5, N = 10 };
    for (int c_at = 0; c_at < OF; c_at++) for (int kind = 0; kind < 3; kind++) {
        gtr_context *ctx = gtr_create(desc0());
        tensor x = input(ctx, "x", gtr_shape3(GTR_BATCH, OF, 3), ROWS, 12), got[N], h[OF], c[OF], sum = NULL;
        char what[40];
        snprintf(what, sizeof what, "%s, step %d", cells[kind], c_at);
        for (int apart = 0; apart < 2; apart++) {
            int n = 0;
            for (int k = 0; k < OF; k++) {
                c[k] = k ? c[k - 1] : NULL;
                h[k] = cell(kind, step_of(x, k), k ? apart ? gtr_scale(h[k - 1], 1, 0) : h[k - 1] : NULL, &c[k], H);
            }
            tensor all = gtr_stack(h, OF, 1);
            sum = squares(all);
            got[n++] = all;
            got[n++] = h[c_at];
            got[n++] = gtr_gradient(sum, x);
            got[n++] = gtr_gradient(sum, c_at % 2 ? h[c_at] : step_of(x, c_at));
            if (kind == 2) { got[n++] = c[c_at]; got[n++] = gtr_gradient(sum, c[c_at / 2 * 2]); }
            fetch(ctx, got, n, !apart, ROWS, what);
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Predictors of cells, which plan beside their context and leave it as it is; an error that was kept before; a layer's
   last h, which stands beside cells and is no part of the gradient by all its h. */
static void joins_elsewhere(void)
{
    enum { H = 7, OF = 6, N = 5, IN = OF * 3 };
    for (int snapshot = 0; snapshot < 2; snapshot++) {
        gtr_context *ctx = gtr_create(desc0());
        tensor x = input(ctx, "x", gtr_shape3(GTR_BATCH, OF, 3), N, 13), h = NULL, c = NULL, y, last = NULL, got[2],
            loss;
        gtr_predictor_desc d;
        gtr_recurrent_desc r = once();
        float in[N * IN], want[N * 2], made[N * 2], by_y[2][N * OF * H];
        uint32_t seed = 13;
        for (int k = 0; k < N * IN; k++) in[k] = noise(&seed);
        r.h_last = &last;
        y = gtr_lstm(x, "layer", H, r);
        loss = gtr_add(squares(gtr_stack(&last, 1, 1)), squares(y));
        got[0] = gtr_gradient(loss, y);
        EXPECT_EQ(gtr_set(x, in, sizeof in), GTR_OK);
        for (int k = 0; k < 2; k++) {
            EXPECT_EQ(gtr_eval(got, 1 + k), GTR_OK);
            EXPECT_EQ(gtr_get(got[0], by_y[k], sizeof by_y[k]), GTR_OK);
            for (int step = 0; step < OF && !k; step++) h = gtr_lstm_cell(step_of(x, step), h, &c, "cell", H);
            if (!k) got[1] = gtr_linear(h, "out", 2);
            EXPECT_EQ(gtr_set(x, in, 7), GTR_ERR_SHAPE);
        }
        CHECK(within(by_y[1], by_y[0], N * OF * H, 1e-12, 1e-6), "beside cells the gradient by y is another");
        EXPECT_EQ(gtr_get(got[1], want, sizeof want), GTR_OK);
        memset(&d, 0, sizeof d);
        d.out[0] = got[1]; d.max_rows = N; d.snapshot = snapshot;
        const int64_t mark = gtr_mark(ctx);
        gtr_predictor *p = gtr_predictor_create_ex(ctx, d);
        for (int rows = N; rows > 2 && p; rows -= 2) {
            CHECK(gtr_predict(p, in, rows, made) == GTR_OK, "%s", gtr_predictor_error_text(p));
            CHECK(within(made, want, rows * 2, 1e-10, 1e-5), "snapshot %d, %d rows: another prediction", snapshot,
                rows);
        }
        EXPECT(p && gtr_mark(ctx) == mark);
        gtr_predictor_destroy(p);
        EXPECT_EQ(gtr_error(ctx), GTR_ERR_SHAPE);
        gtr_destroy(ctx);
    }
}
/* Layers that a GPU computes by tiles, in the precisions that these multiply in, train as in float32. Odd ones take
   their steps first, and learn their first states. */
static void tiles(void)
{
    enum { MOST = 4 * 256 * 256 };
    static const struct { int kind, hidden, rows, steps; bool both, lengths; } of[] = { { 2, 80, 20, 5, false, false },
        { 1, 100, 17, 6, true, true }, { 3, 200, 9, 3, false, true }, { 2, 130, 9, 3, true, true },
        { 1, 290, 9, 3, true, false }, { 0, 400, 9, 3, false, true }, /* two tiles a warp, backward */
        { 1, 256, 16, 2, false, false }, { 2, 256, 64, 20, true, true }, { 0, 64, 700, 3, true, true },
        { 2, 64, 600, 4, false, true }, { 1, 100, 300, 3, true, false }, { 2, 90, 500, 2, false, false } };
    static const int turn[3] = { 1, 0, 2 };
    for (int k = 0; k < (int)(sizeof of / sizeof *of) - (small ? 6 : 0); k++) for (int p = 0; p < 4; p++) {
        static float w[3][3][MOST]; /* at first; then, in float32; in this precision: w, h and c */
        const char *const names[3] = { "it.weight_hh_l0", "h", "c" };
        const int rows = of[k].rows, steps = of[k].steps, hidden = of[k].hidden, kind = of[k].kind;
        gtr_context *ctx = gtr_create(desc0());
        const gtr_precision precision = precisions[p];
        if (!has(ctx, precision)) { gtr_destroy(ctx); continue; }
        gtr_recurrent_desc d = once();
        gtr_init one;
        memset(&one, 0, sizeof one);
        one.kind = GTR_INIT_NORMAL; one.a = 1;
        tensor x = input(ctx, "x", gtr_shape3(GTR_BATCH, steps, 7), rows, 14), last[4] = { NULL }, first[2][2];
        int32_t length[700];
        for (int r = 0; r < rows; r++) length[r] = (r * 7 + 1) % (steps + 1);
        d.bidirectional = of[k].both; d.h_last = last; d.time_first = k & 1;
        if (of[k].lengths) {
            d.lengths = gtr_input(ctx, "n", GTR_I32, gtr_shape1(GTR_BATCH));
            EXPECT_EQ(gtr_set(d.lengths, length, (size_t)rows * sizeof *length), GTR_OK);
        }
        for (int s = 0; s < 2 && (k & 1) && s <= (kind == 2); s++) {
            first[s][0] = first[s][1] = gtr_parameter(ctx, names[1 + s], gtr_shape1(hidden), one);
            if (s) d.c = first[s]; else d.h = first[s];
        }
        tensor y = recurrent(kind, d.time_first ? gtr_permute(x, turn) : x, "it", hidden, d),
            loss = gtr_mean(gtr_square(gtr_scale(y, 1, -0.5f)), NULL, 0, false);
        gtr_trainer_desc how;
        memset(&how, 0, sizeof how);
        how.optimizer = GTR_SGD; how.lr = 1; how.precision = precision;
        loss = gtr_add(loss, gtr_mean(gtr_square(last[0]), NULL, 0, false));
        gtr_trainer *t = gtr_trainer_create(loss, how);
        const int64_t all_of_w = (kind == 2 ? 4 : kind == 1 ? 3 : 1) * (int64_t)hidden * hidden;
        for (int after = 0; after < 2; after++) {
            for (int s = 0; s < 3 && t && after; s++) EXPECT_EQ(gtr_step(t), GTR_OK);
            for (int which = 0; which < 3; which++) {
                tensor weight = gtr_parameter_find(ctx, names[which]);
                if (weight) EXPECT_EQ(gtr_get(weight, w[after ? 1 + (p > 0) : 0][which],
                    (size_t)(which ? hidden : all_of_w) * sizeof ***w), GTR_OK);
            }
        }
        for (int which = 0; which < 3; which++) {
            double apart = 0, all = 0;
            if (!gtr_parameter_find(ctx, names[which])) continue;
            for (int64_t i = 0; i < (which ? hidden : all_of_w); i++) {
                const double moved = w[1][which][i] - w[0][which][i], off = w[2][which][i] - w[1][which][i];
                all += moved * moved;
                apart += off * off;
            }
            apart = sqrt(apart); all = sqrt(all);
            CHECK(!p || apart <= (p > 1 ? 4e-2 : 4e-3) * all, "%s of %d, %d rows, precision %d: what its %s moved is "
                "off by %g of %g", kinds[kind], hidden, rows, (int)precision, names[which], apart, all);
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* What lies behind a row's length changes no bit, and has no gradient; rows of length 0 keep their states and are as
   if they were not there. */
static void behind(void)
{
    static const int32_t length[ROWS] = { 6, 3, 0, 1, 5, 2, 0, 4 };
    enum { HIDDEN = 7 };
    for (int kind = 0; kind < KINDS; kind++) for (int turned = 0; turned < 2; turned++) {
        static float v[3][ALL], got[3][FETCHED][ALL * 2];
        gtr_context *ctx = gtr_create(desc0());
        tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, STEPS, WIDTH)), first[2][4], last[2][4],
            of[FETCHED], loss, h = gtr_input(ctx, "h", GTR_F32, gtr_shape2(GTR_BATCH, HIDDEN));
        static const int turn[3] = { 1, 0, 2 };
        const int states = kind == 2 ? 2 : 1;
        gtr_recurrent_desc d = once();
        uint32_t s = 21;
        int n = 0;
        d.lengths = gtr_input(ctx, "n", GTR_I32, gtr_shape1(GTR_BATCH));
        d.layers = 2; d.bidirectional = true; d.time_first = turned; d.no_bias = turned;
        d.h_last = last[0]; d.c_last = last[1]; d.h = first[0]; d.c = first[1];
        for (int k = 0; k < 8; k++) first[k / 4][k % 4] = h;
        of[n] = recurrent(kind, turned ? gtr_permute(x, turn) : x, "it", HIDDEN, d);
        if (turned) of[n] = gtr_permute(of[n], turn);
        loss = squares(of[n++]);
        of[n++] = gtr_gradient(loss, x);
        for (int k = 0; k < 4 * states; k++) {
            of[n++] = last[k / 4][k % 4];
            loss = gtr_add(loss, squares(last[k / 4][k % 4]));
        }
        const int by_row = n;
        for (int k = 0; k < gtr_parameter_count(ctx) && n < FETCHED; k++)
            of[n++] = gtr_gradient(loss, gtr_parameter_at(ctx, k));
        for (int k = 0; k < ALL; k++) {
            v[0][k] = v[1][k] = noise(&s);
            if (k / WIDTH % STEPS >= length[k / (STEPS * WIDTH)]) v[1][k] += 3;
        }
        for (int k = 0; k < 3; k++) { /* the third without the rows of length 0 */
            static float state[ROWS * HIDDEN];
            int32_t some[ROWS];
            size_t rows = 0;
            for (int row = 0; row < ROWS; row++) {
                if (k == 2 && !length[row]) continue;
                memcpy(v[2] + rows * STEPS * WIDTH, v[k % 2] + row * STEPS * WIDTH, STEPS * WIDTH * sizeof **v);
                for (int j = 0; j < HIDDEN; j++)
                    state[(int)rows * HIDDEN + j] = 0.125f * (float)(row + 1) - 0.0625f * (float)j;
                some[rows++] = length[row];
            }
            EXPECT_EQ(gtr_set(x, v[2], rows * STEPS * WIDTH * sizeof **v), GTR_OK);
            EXPECT_EQ(gtr_set(h, state, rows * HIDDEN * sizeof *state), GTR_OK);
            EXPECT_EQ(gtr_set(d.lengths, some, rows * sizeof *some), GTR_OK);
            CHECK(gtr_eval(of, n) == GTR_OK, "%s", gtr_error_text(ctx));
            for (int j = 0; j < n; j++) {
                const gtr_shape shape = gtr_tensor_shape(of[j]);
                size_t count = j < by_row ? rows : 1;
                for (int a = j < by_row ? 1 : 0; a < shape.ndim; a++) count *= (size_t)shape.dim[a];
                EXPECT(count <= ALL * 2);
                EXPECT_EQ(gtr_get(of[j], got[k][j], count * sizeof ***got), GTR_OK);
                if (k == 1) CHECK(!memcmp(got[0][j], got[1][j], count * sizeof ***got), "%s, result %d: other bits",
                    kinds[kind], j);
                if (k == 2 && j >= by_row) CHECK(within(got[2][j], got[0][j], (int64_t)count, 1e-10, 1e-5),
                    "%s, gradient %d of weights is another without rows of length 0", kinds[kind], j - by_row);
            }
        }
        int there = 0, wrong = 0;
        for (int k = 0; k < ROWS * STEPS * 2 * HIDDEN; k++) {
            const bool live = k / (2 * HIDDEN) % STEPS < length[k / (STEPS * 2 * HIDDEN)];
            if (live) there += got[0][0][k] != 0; else wrong += got[0][0][k] != 0;
        }
        for (int k = 0; k < ALL; k++) wrong += k / WIDTH % STEPS >= length[k / (STEPS * WIDTH)] && got[0][1][k] != 0;
        CHECK(there > 100 && !wrong, "%s: %d of what is behind the lengths are not 0, %d in front of them", kinds[kind],
            wrong, there);
        for (int k = 2; k < by_row; k++) for (int row = 2; row < ROWS; row += 4) for (int j = 0; j < HIDDEN; j++)
            CHECK(got[0][k][row * HIDDEN + j] == 0.125f * (float)(row + 1) - 0.0625f * (float)j,
                "%s: a row of length 0 has state %g", kinds[kind], (double)got[0][k][row * HIDDEN + j]);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Two layers of one name are refused; cells that are given a layer's weights share them, whose gradient is the sum; a
   state for all rows has the sum of the rows' gradients. */
static void shares(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_init one;
        memset(&one, 0, sizeof one);
        one.kind = GTR_INIT_NORMAL; one.a = 1;
        enum { HIDDEN = 5 };
        tensor x = input(ctx, "x", gtr_shape3(GTR_BATCH, STEPS, WIDTH), ROWS, 31), y[2], got[12], of[3],
            zeros = gtr_scale(gtr_slice(step_of(x, 0), 1, 0, HIDDEN), 0, 0), first[2][2];
        const int states = kind == 2 ? 2 : 1;
        gtr_recurrent_desc d = once();
        first[0][0] = gtr_parameter(ctx, "h", gtr_shape1(HIDDEN), one);
        first[1][0] = gtr_parameter(ctx, "c", gtr_shape2(1, HIDDEN), one);
        for (int k = 0; k < 2; k++) first[k][1] = gtr_add(zeros, first[k][0]);
        for (int way = 0; way < 3; way++) {
            d.h = &first[0][way == 2]; d.c = &first[1][way == 2];
            const tensor made = recurrent(kind, x, way == 2 ? "too" : "it", HIDDEN, d);
            EXPECT_EQ(gtr_parameter_count(ctx), way == 2 ? 10 : 6);
            if (way == 1) EXPECT(!made); else y[way / 2] = made;
            if (way == 1) EXPECT_ERROR(ctx, GTR_ERR_ARG, "\"it.weight_ih_l0\": there is one of this name already");
        }
        tensor h = first[0][1], c = kind == 2 ? first[1][1] : NULL;
        const tensor too = by_hand(ctx, kind, x, NULL, false, false, &h, &c);
        for (int k = 0; k < 4; k++) {
            static const char *const parts[] = { "weight_ih", "weight_hh", "bias_ih", "bias_hh" };
            char name[64];
            snprintf(name, sizeof name, "too.%s_l0", parts[k]);
            const tensor from = part_of(ctx, parts[k], "");
            EXPECT_EQ(gtr_get(from, other, gtr_tensor_bytes(from)), GTR_OK);
            EXPECT_EQ(gtr_set(gtr_parameter_find(ctx, name), other, gtr_tensor_bytes(from)), GTR_OK);
        }
        of[0] = gtr_parameter_find(ctx, "it.weight_ih_l0");
        of[1] = gtr_parameter_find(ctx, "it.weight_hh_l0");
        of[2] = gtr_parameter_find(ctx, "it.bias_hh_l0");
        const tensor loss[2] = { squares(y[0]), squares(gtr_scale(too, 0.5f, 0.25f)) }, whole = squares(y[1]);
        for (int k = 0; k < 3; k++) {
            got[k] = gtr_gradient(gtr_add(loss[0], loss[1]), of[k]);
            got[3 + k] = gtr_add(gtr_gradient(loss[0], of[k]), gtr_gradient(loss[1], of[k]));
        }
        for (int k = 0; k < states; k++) {
            const int rows = 0;
            got[6 + 2 * k] = gtr_gradient(loss[0], first[k][0]);
            got[7 + 2 * k] = gtr_sum(gtr_gradient(whole, first[k][1]), &rows, 1, k == 1);
        }
        CHECK(gtr_eval(got, 6 + 2 * states) == GTR_OK, "%s", gtr_error_text(ctx));
        for (int k = 0; k < 3 + states; k++) {
            const int at = k < 3 ? k : 6 + 2 * (k - 3), beside = k < 3 ? 3 + k : at + 1;
            const size_t bytes = gtr_tensor_bytes(got[at]);
            EXPECT(bytes == gtr_tensor_bytes(got[beside]) && bytes <= sizeof other);
            EXPECT_EQ(gtr_get(got[at], other, bytes), GTR_OK);
            EXPECT_EQ(gtr_get(got[beside], drawn, bytes), GTR_OK);
            CHECK(within(other, drawn, (int64_t)(bytes / sizeof *other), 1e-10, 1e-5), "%s: gradient %d is not the sum",
                kinds[kind], k);
        }
        EXPECT_EQ(gtr_eval(y, 2), GTR_OK);
        const size_t bytes = ROWS * STEPS * HIDDEN * sizeof *other;
        EXPECT_EQ(gtr_get(y[0], other, bytes), GTR_OK);
        EXPECT_EQ(gtr_get(y[1], drawn, bytes), GTR_OK);
        CHECK(!memcmp(other, drawn, bytes), "%s: a state for all rows has other bits than one a row", kinds[kind]);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Steps in micro-batches are steps of the whole, with dropout between layers, which drops something; a predictor that
   takes few rows at a time predicts what an evaluation gives. */
static void in_parts(void)
{
    enum { N = 12, HIDDEN = 9 };
    static const int turn[3] = { 1, 0, 2 };
    for (int kind = 0; kind < KINDS; kind++) for (int turned = 0; turned < 2; turned++) {
        static float v[N * STEPS * WIDTH], predicted[3][N];
        float loss[4][3];
        for (int way = 0; way < 4; way++) { /* whole, in 2, in 4, whole without dropout */
            gtr_context *ctx = gtr_create(desc0());
            tensor x = input(ctx, "x", gtr_shape3(GTR_BATCH, STEPS, WIDTH), N, 41), y = input(ctx, "y",
                gtr_shape2(GTR_BATCH, 1), N, 42), h;
            gtr_recurrent_desc d = once();
            gtr_trainer_desc a;
            uint32_t s = 41;
            memset(&a, 0, sizeof a);
            d.layers = 3; d.dropout = way < 3 ? 0.4f : 0; d.bidirectional = kind & 1; d.time_first = turned;
            h = recurrent(kind, turned ? gtr_permute(x, turn) : x, "it", HIDDEN, d);
            h = gtr_linear(gtr_flatten(turned ? gtr_permute(h, turn) : h), "out", 1);
            a.lr = 0.05f; a.micro_batches = way == 1 ? 2 : way == 2 ? 4 : 1;
            gtr_trainer *t = gtr_trainer_create(gtr_mse(h, y), a);
            for (int k = 0; k < 3; k++) {
                CHECK(gtr_step(t) == GTR_OK, "%s: %s", kinds[kind], gtr_error_text(ctx));
                loss[way][k] = gtr_loss(t);
            }
            for (int k = 0; k < N * STEPS * WIDTH; k++) v[k] = noise(&s);
            EXPECT_EQ(gtr_eval(&h, 1), GTR_OK);
            if (way < 3) EXPECT_EQ(gtr_get(h, predicted[way], sizeof *predicted), GTR_OK);
            if (!way) {
                gtr_predictor *p = gtr_predictor_create(h, turned ? N : 5); /* turned, all rows at once */
                CHECK(gtr_predict(p, v, N, other) == GTR_OK, "%s: %s", kinds[kind], gtr_predictor_error_text(p));
                CHECK(within(other, predicted[0], N, 1e-10, 1e-5), "%s: another prediction", kinds[kind]);
                gtr_predictor_destroy(p);
            }
            EXPECT_OK(ctx);
            gtr_destroy(ctx);
        }
        for (int way = 1; way < 3; way++) {
            for (int k = 0; k < 3; k++) CHECK(fabsf(loss[way][k] - loss[0][k]) <= 1e-5f * (1 + loss[0][k]),
                "%s%s: loss %g of step %d in parts, %g of the whole", kinds[kind], turned ? ", time first" : "",
                (double)loss[way][k], k, (double)loss[0][k]);
            CHECK(within(predicted[way], predicted[0], N, 1e-9, 1e-4), "%s: parts train to another", kinds[kind]);
        }
        CHECK(fabsf(loss[3][0] - loss[0][0]) > 1e-3f * loss[0][0], "%s: dropout changes nothing", kinds[kind]);
    }
}
/* 20 steps in each precision learn to tell a sequence's mean, and come to what float32 does. */
static void learns(void)
{
    enum { N = 64, LENGTH = 12 };
    for (int kind = 0; kind < KINDS; kind++) {
        float whole = 0;
        for (int p = 0; p < 4; p++) {
            static float v[N * LENGTH * 4], y[N];
            gtr_context *ctx = gtr_create(desc0());
            uint32_t s = 51;
            tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, LENGTH, 4)), target = gtr_input(ctx, "y",
                GTR_F32, gtr_shape2(GTR_BATCH, 1)), last[2];
            gtr_recurrent_desc d = once();
            if (!has(ctx, precisions[p])) { gtr_destroy(ctx); continue; }
            memset(y, 0, sizeof y);
            for (int k = 0; k < N * LENGTH * 4; k++) {
                v[k] = noise(&s);
                y[k / (LENGTH * 4)] += v[k] / LENGTH;
            }
            d.bidirectional = kind & 1; d.h_last = last;
            recurrent(kind, x, "it", 24, d);
            gtr_trainer *t = gtr_trainer_create(gtr_mse(gtr_linear(d.bidirectional ? gtr_concat(last, 2, 1) : last[0],
                "out", 1), target), adam(0.01f, precisions[p]));
            EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
            EXPECT_EQ(gtr_set(target, y, sizeof y), GTR_OK);
            EXPECT_EQ(gtr_step(t), GTR_OK);
            const float first = gtr_loss(t);
            for (int k = 0; k < 20; k++) CHECK(gtr_step(t) == GTR_OK, "%s", gtr_error_text(ctx));
            const float end = gtr_loss(t);
            if (!p) whole = end;
            CHECK(end < 0.5f * first && fabsf(end - whole) < 0.1f * first, "%s, precision %d: loss %g becomes %g, in "
                "float32 %g", kinds[kind], (int)precisions[p], (double)first, (double)end, (double)whole);
            EXPECT_OK(ctx);
            gtr_destroy(ctx);
        }
    }
}
enum { SPELLED = 48, HEARD = 20, LETTERS = 4 };
/* Rows of up to 4 letters, each of 2 or 3 steps in a channel of its own, with noise and a gap of a step or two; -1
   behind the letters. */
static void speech(float *v, int32_t *letters, int32_t *steps)
{
    uint32_t s = 71;
    for (int k = 0; k < SPELLED; k++) {
        int at = 0;
        float *row = v + k * HEARD * LETTERS;
        for (int i = 0; i < HEARD * LETTERS; i++) row[i] = 0.2f * noise(&s);
        for (int i = 0; i < 4; i++) {
            const int letter = (int)((noise(&s) + 1) * 1.99f), wide = noise(&s) > 0 ? 3 : 2;
            letters[k * 4 + i] = i < 2 + k % 3 ? 1 + letter : -1;
            if (i >= 2 + k % 3) continue;
            for (int j = 0; j < wide; j++) row[(at + j) * LETTERS + letter] += 1;
            at += wide + 1 + (noise(&s) > 0);
        }
        steps[k] = at;
    }
}
/* How many rows' best classes spell their letters: neighbours alike are one, and blanks, 0, go. */
static int spelled(const int32_t *best, const int32_t *letters, const int32_t *steps)
{
    int right = 0;
    for (int k = 0; k < SPELLED; k++) {
        const int32_t *of = best + k * HEARD;
        int32_t said[HEARD + 4];
        int n = 0;
        for (int t = 0; t < steps[k]; t++) if (of[t] && (!t || of[t] != of[t - 1])) said[n++] = of[t];
        while (n < 4) said[n++] = -1;
        right += n == 4 && !memcmp(said, letters + 4 * k, 4 * sizeof *said);
    }
    return right;
}
/* A GRU learns to spell what it is not told the places of. */
static void spells(void)
{
    for (int p = 0; p < (small ? 1 : 4); p++) {
        static float v[SPELLED * HEARD * LETTERS];
        static int32_t letters[SPELLED * 4], steps[SPELLED], best[SPELLED * HEARD];
        gtr_context *ctx = gtr_create(desc0());
        tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, HEARD, LETTERS)), n = gtr_input(ctx, "n", GTR_I32,
            gtr_shape1(GTR_BATCH)), y = gtr_input(ctx, "letters", GTR_I32, gtr_shape2(GTR_BATCH, 4));
        gtr_recurrent_desc d = once();
        gtr_ctc_desc c;
        if (!has(ctx, precisions[p])) { gtr_destroy(ctx); continue; }
        memset(&c, 0, sizeof c);
        speech(v, letters, steps);
        d.bidirectional = true;
        d.lengths = c.lengths = n;
        const tensor scores = gtr_linear(gtr_gru(x, "gru", 16, d), "out", 1 + LETTERS);
        tensor loss = gtr_ctc_ex(scores, y, c), class = gtr_argmax(scores, 2);
        gtr_trainer *t = gtr_trainer_create(loss, adam(0.03f, precisions[p]));
        EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
        EXPECT_EQ(gtr_set(y, letters, sizeof letters), GTR_OK);
        EXPECT_EQ(gtr_set(n, steps, sizeof steps), GTR_OK);
        for (int k = 0; k < 60; k++) CHECK(gtr_step(t) == GTR_OK, "%s", gtr_error_text(ctx));
        EXPECT_EQ(gtr_eval(&class, 1), GTR_OK);
        EXPECT_EQ(gtr_get(class, best, sizeof best), GTR_OK);
        const int right = spelled(best, letters, steps);
        CHECK(right >= SPELLED * 9 / 10, "precision %d: %d of %d rows are spelled right, the loss is %g",
            (int)precisions[p], right, SPELLED, (double)gtr_loss(t));
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Labels that do not fit in their steps: the loss is infinite, which training names, or 0; so without labels or steps.
   What lies behind a row's ends is not read; labels, -1 but for, and lengths that cannot be are errors. */
static void does_not_fit(void)
{
    enum { N = 5, T = 4, C = 3, L = 3 };
    static const int32_t labels[N * L] = { 1, 1, 1, 2, 1, 2, 1, -1, 2, -1, 2, 2, 1, 2, 2 },
        lengths[N] = { 4, 3, 0, 4, 2 }, counts[N] = { 3, 3, 1, 3, 3 },
        far_labels[N * L] = { 0, 1, 2, 3 }, far_lengths[N] = { 0, 5 };
    static const float same[N] = { INFINITY, 0, INFINITY, 0, INFINITY };
    for (int zero = 0; zero < 2; zero++) {
        float v[N * T * C], got[N], d[N * T * C];
        uint32_t s = 81;
        gtr_context *ctx = gtr_create(desc0());
        gtr_ctc_desc c;
        gtr_trainer_desc how = adam(0.01f, GTR_FP32);
        gtr_init zero_of;
        memset(&c, 0, sizeof c); memset(&zero_of, 0, sizeof zero_of);
        for (int k = 0; k < N * T * C; k++) v[k] = noise(&s);
        for (int k = 3 * C; k < T * C; k++) v[T * C + k] = (float)NAN; /* behind row 1's steps */
        v[3 * T * C + 1] = -INFINITY; /* a class of no probability */
        tensor w = gtr_parameter(ctx, "w", gtr_shape3(1, T, C), zero_of), x = gtr_input(ctx, "x", GTR_F32,
            gtr_shape3(GTR_BATCH, T, C)), y = gtr_input(ctx, "y", GTR_I32, gtr_shape2(GTR_BATCH, L)), both[2];
        c.lengths = gtr_input(ctx, "steps", GTR_I32, gtr_shape1(GTR_BATCH));
        c.label_lengths = gtr_input(ctx, "labels", GTR_I32, gtr_shape1(GTR_BATCH));
        c.zero_infinity = zero; c.reduction = GTR_REDUCE_NONE;
        both[0] = gtr_ctc_ex(x, y, c);
        both[1] = gtr_gradient(gtr_sum(both[0], NULL, 0, false), x);
        gtr_set(x, v, sizeof v); gtr_set(y, labels, sizeof labels);
        gtr_set(c.lengths, lengths, sizeof lengths); gtr_set(c.label_lengths, counts, sizeof counts);
        EXPECT_EQ(gtr_eval(both, 2), GTR_OK);
        EXPECT(!gtr_get(both[0], got, sizeof got) && !gtr_get(both[1], d, sizeof d));
        for (int k = 0; k < N; k++) {
            const float want = zero ? 0 : same[k];
            CHECK(k % 2 ? got[k] > 0 && got[k] < 20 : got[k] == want, "row %d: the loss is %g", k, (double)got[k]);
            for (int i = 0; i < T * C; i++) {
                const float g = d[k * T * C + i];
                const bool out = i >= lengths[k] * C, none = k % 2 == 0;
                CHECK(out || (none && zero) ? g == 0 : none ? g != g : g == g && fabsf(g) < 1,
                    "row %d: the gradient at step %d is %g", k, i / C, (double)g);
            }
        }
        EXPECT_EQ(d[3 * T * C + 1], 0);
        for (int i = 0; i < 2; i++) {
            gtr_tensor *const of = i ? c.lengths : y;
            EXPECT_EQ(i ? gtr_set(of, far_lengths, sizeof lengths) : gtr_set(of, far_labels, sizeof labels), GTR_OK);
            EXPECT_EQ(gtr_eval(both, 1), GTR_ERR_ARG);
            EXPECT_ERROR(ctx, GTR_ERR_ARG, i ? "\"steps\": element 1 is 5, want 0 to 4 for ctc"
                : "\"y\": element 3 is 3, want 0 to 2 for ctc");
            gtr_set(y, labels, sizeof labels); gtr_set(c.lengths, lengths, sizeof lengths);
        }
        c.reduction = GTR_REDUCE_MEAN;
        gtr_trainer *t = gtr_trainer_create(gtr_ctc_ex(gtr_add(x, w), y, c), how);
        for (int k = 3 * C; k < T * C; k++) v[T * C + k] = 0;
        v[3 * T * C + 1] = 0;
        gtr_set(x, v, sizeof v);
        gtr_step(t);
        EXPECT_EQ(gtr_wait(ctx), zero ? GTR_OK : GTR_ERR_NONFINITE);
        if (!zero) EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, "step 1: the output of ctc \"x\" (5,) (for row 0 has 3 labels, "
            "which with a blank between equal ones want 5 steps, and has 4: .zero_infinity leaves such rows out) is");
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
static const int32_t *blank_counts;
static bool blanks_of(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    const int32_t *const labels = (const int32_t *)user;
    (void)epoch;
    for (int64_t r = begin; r < end; r++) {
        for (int k = 0; k < 20; k++) ((float *)column[0])[20 * (r - begin) + k] = (float)k / 20;
        memcpy((int32_t *)column[1] + 3 * (r - begin), labels + 3 * r, 3 * sizeof *labels);
        if (blank_counts) ((int32_t *)column[2])[r - begin] = blank_counts[r];
    }
    return true;
}
/* ctc's blank among the labels of a row, as zeros that pad, is refused, with label and row, however labels come; not
   behind what .label_lengths counts, nor behind -1. */
static void blank_labels(void)
{
    enum { N = 3, T = 4, C = 5, L = 3, BY_SET, OF_ARRAYS, OF_CALLBACK, CONSTANT };
    static const char *const refused[] = { ("input \"y\": element 4 is 0 as label 1, ctc's .blank: want -1 or "
        ".label_lengths behind a row's labels, or another .blank (row 1)"), "column 1, row 1: 0 as label 1, ctc's",
        "row 1, column 1: 0 as label 1, ctc's .blank", "element 4 is 0 as label 1, ctc's .blank" };
    static const int32_t padded[N * L] = { 1, 2, 3, 2, 0, 0, 4, 3, 1 }, ended[N * L] = { 1, 2, 3, 2, -1, 0, 4, 3, 1 };
    static const int32_t one[N] = { 3, 1, 3 }, two[N] = { 3, 2, 3 };
    float v[N * T * C];
    for (int i = 0; i < N * T * C; i++) v[i] = (float)(i % 7) / 7;
    for (int how = BY_SET; how <= CONSTANT; how++) for (int k = 0; k < 4; k++) {
        const int32_t *const labels = k == 1 ? ended : padded, *const counts = k == 2 ? one : k == 3 ? two : NULL;
        const bool right = k == 1 || k == 2;
        gtr_context *ctx = gtr_create(desc0());
        const tensor x = how == CONSTANT ? gtr_constant(ctx, GTR_F32, gtr_shape3(N, T, C), v) : gtr_input(ctx, "x",
            GTR_F32, gtr_shape3(GTR_BATCH, T, C)), y = how == CONSTANT ? gtr_constant(ctx, GTR_I32, gtr_shape2(N, L),
            labels) : gtr_input(ctx, "y", GTR_I32, gtr_shape2(GTR_BATCH, L));
        gtr_ctc_desc c;
        gtr_arrays_desc a;
        gtr_callback_desc call;
        gtr_fit_desc fit;
        memset(&c, 0, sizeof c); memset(&a, 0, sizeof a); memset(&call, 0, sizeof call); memset(&fit, 0, sizeof fit);
        if (counts) c.label_lengths = how == CONSTANT ? gtr_constant(ctx, GTR_I32, gtr_shape1(N), counts)
            : gtr_input(ctx, "n", GTR_I32, gtr_shape1(GTR_BATCH));
        gtr_trainer *t = gtr_trainer_create(gtr_ctc_ex(gtr_linear(x, "out", C), y, c), adam(0.01f, GTR_FP32));
        fit.epochs = 1; fit.batch = N; fit.silent = true;
        a.rows = call.rows = N; call.columns = counts ? 3 : 2; call.fill = blanks_of;
        call.user = (void *)(uintptr_t)labels;
        a.column[0].data = v; a.column[1].data = labels; a.column[2].data = counts;
        a.column[0].shape = gtr_shape2(T, C); a.column[1].shape = gtr_shape1(L);
        a.column[1].dtype = GTR_I32;
        if (counts) a.column[2].dtype = GTR_I32;
        for (int i = 0; i < 3; i++) { call.column[i] = a.column[i]; call.column[i].data = NULL; }
        blank_counts = counts;
        if (how == BY_SET) {
            gtr_set(x, v, sizeof v);
            gtr_set(y, labels, sizeof padded);
            if (counts) gtr_set(c.label_lengths, counts, sizeof one);
        }
        if (how == BY_SET || how == CONSTANT) gtr_step(t);
        else gtr_fit(t, how == OF_ARRAYS ? gtr_dataset_arrays(ctx, a) : gtr_dataset_callback(ctx, call), fit);
        gtr_wait(ctx);
        if (!right) EXPECT_ERROR(ctx, GTR_ERR_ARG, refused[how - BY_SET]);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* What is not finite is called by the layer that made it, of many ops without names, and not by its input; and a mask
   that hides all keys of a query by its own name. */
static void layers_named(void)
{
    static const char *const want[] = { "the output of rnn \"enc.g\"", "the output of multihead_attention \"enc.att\"",
        "the output of linear \"w\"", ("the output of softmax \"q\" (2, 3, 3) (for its mask hides all keys of a query) "
        "is not finite; this step changed nothing") };
    float v[2 * 3 * 4], m[9] = { 0 };
    gtr_recurrent_desc endless = once();
    endless.relu = true;
    for (int i = 0; i < 24; i++) v[i] = 3e38f;
    m[3] = m[4] = m[5] = -INFINITY;
    for (int k = 0; k < 4; k++) {
        gtr_context *ctx = gtr_create(desc0());
        const tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 3, 4));
        gtr_attention_desc none;
        gtr_init of;
        tensor y;
        memset(&none, 0, sizeof none); memset(&of, 0, sizeof of);
        of.kind = GTR_INIT_CONSTANT; of.a = 10;
        gtr_scope_begin(ctx, "enc");
        y = k == 0 ? gtr_rnn(x, "g", 4, endless) : k == 1 ? gtr_multihead_attention(x, NULL, "att", 2, none) : x;
        gtr_scope_end(ctx);
        if (k == 2) y = gtr_linear_with(x, gtr_parameter(ctx, "w", gtr_shape2(2, 4), of), NULL);
        if (k == 3) y = gtr_softmax(gtr_add(gtr_linear(x, "q", 3), gtr_constant(ctx, GTR_F32, gtr_shape2(3, 3), m)), 2);
        for (int64_t i = 0; i < gtr_parameter_count(ctx) && k < 2; i++) {
            float tens[64];
            for (int e = 0; e < 64; e++) tens[e] = 10;
            gtr_tensor *const p = gtr_parameter_at(ctx, i);
            gtr_set(p, tens, (size_t)gtr__count(&p->shape) * sizeof *tens);
        }
        gtr_trainer *t = gtr_trainer_create(gtr_mean(y, NULL, 0, false), adam(0.01f, GTR_FP32));
        for (int i = 0; i < 24 && k == 3; i++) v[i] = (float)i / 24;
        gtr_set(x, v, sizeof v);
        gtr_step(t);
        EXPECT_EQ(gtr_wait(ctx), GTR_ERR_NONFINITE);
        EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, want[k]);
        gtr_destroy(ctx);
    }
}
/* Lengths that the steps do not have are errors when they are used. */
static void too_long(void)
{
    static const int32_t bad[][2] = { { 6, 7 }, { -1, 0 } }, good[2] = { 0, 6 };
    for (int kind = 0; kind < 3; kind++) {
        gtr_context *ctx = gtr_create(desc0());
        tensor x = input(ctx, "x", gtr_shape3(GTR_BATCH, STEPS, WIDTH), 2, 61), y;
        char text[40];
        gtr_recurrent_desc d = once();
        d.lengths = gtr_input(ctx, "n", GTR_I32, gtr_shape1(GTR_BATCH));
        y = recurrent(kind, x, "it", 3, d);
        snprintf(text, sizeof text, "want 0 to 6 for %s", kinds[kind]);
        for (int k = 0; k < 2; k++) {
            EXPECT_EQ(gtr_set(d.lengths, bad[k], sizeof *bad), GTR_OK);
            EXPECT_EQ(gtr_eval(&y, 1), GTR_ERR_ARG);
            EXPECT_ERROR(ctx, GTR_ERR_ARG, text);
        }
        EXPECT_EQ(gtr_set(d.lengths, good, sizeof good), GTR_OK);
        EXPECT_EQ(gtr_eval(&y, 1), GTR_OK);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* States. A series of WINDOWS windows of SPAN steps in each of ROWS rows, batch by batch in order. */
enum { SPAN = 5, WINDOWS = 8, LONG = SPAN * WINDOWS, UNITS = 7 };
typedef struct {
    gtr_context *ctx;
    tensor x, y, keep, h, out, loss;
    gtr_trainer *t;
    gtr_dataset *d;
} carrier;
static float series_x[WINDOWS * ROWS * SPAN * 3], series_y[WINDOWS * ROWS * SPAN], series_keep[WINDOWS * ROWS];
static void draw_series(void)
{
    uint32_t s = 11;
    for (int k = 0; k < WINDOWS * ROWS * SPAN * 3; k++) series_x[k] = noise(&s);
    for (int k = 0; k < WINDOWS * ROWS * SPAN; k++) series_y[k] = noise(&s);
    for (int k = 0; k < WINDOWS * ROWS; k++) series_keep[k] = 1;
}
/* span: steps of a window; 0 windows' states: it begins with zeros each time. */
static carrier carries(int kind, int span, bool state, gtr_trainer_desc how)
{
    carrier c;
    tensor h[2] = { NULL, NULL }, next[2];
    gtr_recurrent_desc d = once();
    gtr_arrays_desc a;
    memset(&c, 0, sizeof c); memset(&a, 0, sizeof a);
    c.ctx = gtr_create(desc0());
    c.x = gtr_input(c.ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, span, 3));
    c.y = gtr_input(c.ctx, "y", GTR_F32, gtr_shape3(GTR_BATCH, span, 1));
    c.keep = gtr_input(c.ctx, "keep", GTR_F32, gtr_shape2(GTR_BATCH, 1));
    for (int k = 0; state && k < 1 + (kind == 2); k++)
        h[k] = gtr_state(c.ctx, k ? "c" : "h", gtr_shape2(GTR_BATCH, UNITS));
    c.h = h[0];
    tensor from[2] = { state ? gtr_mul(h[0], c.keep) : NULL, h[1] ? gtr_mul(h[1], c.keep) : NULL };
    if (state) { d.h = from; d.c = from + 1; d.h_last = next; d.c_last = next + 1; }
    c.out = recurrent(kind, c.x, "it", UNITS, d);
    for (int k = 0; state && k < 1 + (kind == 2); k++) EXPECT_EQ(gtr_state_next(h[k], next[k]), GTR_OK);
    c.loss = gtr_mse(gtr_linear(c.out, "out", 1), c.y);
    if (!state) c.loss = gtr_add(c.loss, gtr_scale(gtr_mean(c.keep, NULL, 0, false), 0, 0));
    c.t = gtr_trainer_create(c.loss, how);
    a.rows = WINDOWS * ROWS * SPAN / span;
    a.column[0].data = series_x; a.column[0].shape = gtr_shape2(span, 3);
    a.column[1].data = series_y; a.column[1].shape = gtr_shape2(span, 1);
    a.column[2].data = series_keep; a.column[2].shape = gtr_shape1(1);
    c.d = span == SPAN ? gtr_dataset_arrays(c.ctx, a) : NULL;
    if (has(c.ctx, how.precision)) EXPECT_OK(c.ctx);
    return c;
}
static void set_window(const carrier *c, int k)
{
    EXPECT_EQ(gtr_set(c->x, series_x + k * ROWS * SPAN * 3, ROWS * SPAN * 3 * sizeof *series_x), GTR_OK);
    EXPECT_EQ(gtr_set(c->y, series_y + k * ROWS * SPAN, ROWS * SPAN * sizeof *series_y), GTR_OK);
    EXPECT_EQ(gtr_set(c->keep, series_keep + k * ROWS, ROWS * sizeof *series_keep), GTR_OK);
}
/* Windows with states make what all their steps in one window make: by hand, by a predictor, by an evaluation. */
static void carried_on(int kind)
{
    static float whole[ROWS][LONG][UNITS], out[ROWS][SPAN][UNITS], all_x[ROWS][LONG][3], all_y[ROWS][LONG];
    const gtr_trainer_desc still = adam(1e-30f, GTR_FP32);
    carrier one = carries(kind, LONG, false, still), c = carries(kind, SPAN, true, still);
    float loss = 0, sum = 0, first = 0;
    gtr_predictor_desc pd;
    memset(&pd, 0, sizeof pd);
    for (int k = 0; k < WINDOWS; k++) for (int r = 0; r < ROWS; r++) for (int t = 0; t < SPAN; t++) {
        memcpy(all_x[r][k * SPAN + t], series_x + ((k * ROWS + r) * SPAN + t) * 3, 3 * sizeof(float));
        all_y[r][k * SPAN + t] = series_y[(k * ROWS + r) * SPAN + t];
    }
    for (int64_t k = 0; k < gtr_parameter_count(c.ctx); k++) {
        const tensor p = gtr_parameter_at(c.ctx, k);
        float w[4 * UNITS * UNITS];
        EXPECT_EQ(gtr_get(p, w, gtr_tensor_bytes(p)), GTR_OK);
        EXPECT_EQ(gtr_set(gtr_parameter_find(one.ctx, gtr_tensor_name(p)), w, gtr_tensor_bytes(p)), GTR_OK);
    }
    EXPECT_EQ(gtr_set(one.x, all_x, sizeof all_x), GTR_OK);
    EXPECT_EQ(gtr_set(one.y, all_y, sizeof all_y), GTR_OK);
    EXPECT_EQ(gtr_set(one.keep, series_keep, ROWS * sizeof *series_keep), GTR_OK);
    tensor both[2] = { one.out, one.loss };
    EXPECT_EQ(gtr_eval(both, 2), GTR_OK);
    EXPECT_EQ(gtr_get(one.out, whole, sizeof whole), GTR_OK);
    EXPECT_EQ(gtr_get(one.loss, &loss, sizeof loss), GTR_OK);
    pd.out[0] = c.out; pd.max_rows = ROWS;
    gtr_predictor *p = gtr_predictor_create_ex(c.ctx, pd);
    EXPECT_OK(c.ctx);
    for (int turn = 0; turn < 3; turn++) {
        sum = 0;
        for (int k = 0; k < WINDOWS; k++) {
            set_window(&c, k);
            if (turn == 2) {
                const void *in[2] = { series_x + k * ROWS * SPAN * 3, series_keep };
                void *to[1] = { out };
                EXPECT_EQ(gtr_predict_ex(p, in, ROWS, to), GTR_OK);
            } else {
                EXPECT_EQ(gtr_eval(&c.out, 1), GTR_OK);
                EXPECT_EQ(gtr_get(c.out, out, sizeof out), GTR_OK);
                EXPECT_EQ(gtr_step(c.t), GTR_OK);
                sum += gtr_loss(c.t) / WINDOWS;
            }
            for (int r = 0; r < ROWS; r++)
                CHECK(within(out[r][0], whole[r][k * SPAN], SPAN * UNITS, 1e-10, 1e-5),
                    "%s: window %d, row %d, turn %d", kinds[kind], k, r, turn);
            if (turn == 1 && k == 3) { /* training's states stay as they are */
                EXPECT_EQ(gtr_evaluate(c.t, c.d, ROWS, NULL, &first, NULL), GTR_OK);
                CHECK(fabsf(first - loss) < 1e-5f * loss, "%s: evaluated %g, want %g", kinds[kind], (double)first,
                    (double)loss);
            }
        }
        if (turn < 2) {
            const float zero[ROWS * UNITS] = { 0 };
            CHECK(fabsf(sum - loss) < 1e-5f * loss, "%s: %g, want %g", kinds[kind], (double)sum, (double)loss);
            for (int64_t k = 0; k < c.ctx->graph.n_tensor; k++) if (c.ctx->graph.tensor[k]->note->state)
                EXPECT_EQ(gtr_set(c.ctx->graph.tensor[k], zero, sizeof zero), GTR_OK);
        }
    }
    gtr_predictor_destroy(p);
    EXPECT_OK(c.ctx);
    gtr_destroy(c.ctx);
    gtr_destroy(one.ctx);
}
/* The states that training has reached, and a parameter. */
static int reached(const carrier *c, float *to)
{
    const tensor w = gtr_parameter_find(c->ctx, "it.weight_hh_l0");
    int n = ROWS * UNITS;
    EXPECT_EQ(gtr_get(c->h, to, (size_t)n * sizeof *to), GTR_OK);
    EXPECT_EQ(gtr_get(w, to + n, gtr_tensor_bytes(w)), GTR_OK);
    return n + (int)(gtr_tensor_bytes(w) / sizeof *to);
}
/* 20 steps, of a set in its order or by hand, are 10, a checkpoint, another context, and 10; fit does them likewise. */
static void carried_over(gtr_precision precision)
{
    static float want[2000], got[2000];
    static unsigned char file[1 << 20];
    gtr_trainer_desc how = adam(0.01f, precision);
    for (int by = 0; by < 3; by++) { /* a set; by hand; in two micro-batches */
        size_t bytes = 0;
        int n = 0;
        if (by == 2) how.micro_batches = 2;
        for (int part = 0; part < 3; part++) {
            carrier c = carries(1 + (by & 1), SPAN, true, how);
            if (!has(c.ctx, precision)) { gtr_destroy(c.ctx); return; }
            if (part == 2) EXPECT_EQ(gtr_checkpoint_set(c.t, file, bytes), GTR_OK);
            if (by != 1) EXPECT_EQ(gtr_trainer_data(c.t, c.d, ROWS, false, false), GTR_OK);
            for (int k = part == 2 ? 10 : 0; k < (part == 1 ? 10 : 20); k++) {
                if (by == 1) set_window(&c, k % WINDOWS);
                EXPECT_EQ(gtr_step(c.t), GTR_OK);
            }
            n = reached(&c, part ? got : want);
            if (part == 1) {
                bytes = gtr_checkpoint_bytes(c.t);
                EXPECT_EQ(gtr_checkpoint_get(c.t, file, bytes), GTR_OK);
            }
            EXPECT_OK(c.ctx);
            gtr_destroy(c.ctx);
        }
        CHECK(memcmp(want, got, (size_t)n * sizeof *got) == 0, "precision %d, kind %d: a checkpoint changes bits",
            (int)precision, by);
    }
    for (int fit = 0; fit < 2; fit++) {
        carrier c = carries(1, SPAN, true, adam(0.01f, precision));
        gtr_fit_desc f;
        memset(&f, 0, sizeof f);
        f.batch = ROWS; f.epochs = 2; f.no_shuffle = f.silent = true; f.validation = c.d;
        if (fit) EXPECT_EQ(gtr_fit(c.t, c.d, f), GTR_OK);
        else EXPECT_EQ(gtr_trainer_data(c.t, c.d, ROWS, false, false), GTR_OK);
        for (int k = 0; k < 2 * WINDOWS && !fit; k++) EXPECT_EQ(gtr_step(c.t), GTR_OK);
        const int n = reached(&c, fit ? got : want);
        CHECK(!fit || within(got, want, n, 1e-9, 1e-4), "precision %d: gtr_fit carries otherwise", (int)precision);
        gtr_destroy(c.ctx);
    }
}
static void carried(void)
{
    static float want[2000], got[2000];
    draw_series();
    for (int kind = 0; kind < 3; kind++) carried_on(kind);
    for (int p = 0; p < (small ? 1 : 4); p++) carried_over(precisions[p]);
    for (int k = 0; k < 2; k++) { /* rows that begin anew are as zeros were set */
        carrier c = carries(1, SPAN, true, adam(0.01f, GTR_FP32));
        for (int w = 0; w < 3; w++) {
            if (w == 2 && !k) series_keep[2 * ROWS + 1] = 0;
            set_window(&c, w);
            if (w == 2 && k) {
                EXPECT_EQ(gtr_get(c.h, got, ROWS * UNITS * sizeof *got), GTR_OK);
                memset(got + UNITS, 0, UNITS * sizeof *got);
                EXPECT_EQ(gtr_set(c.h, got, ROWS * UNITS * sizeof *got), GTR_OK);
            }
            EXPECT_EQ(gtr_step(c.t), GTR_OK);
            series_keep[2 * ROWS + 1] = 1;
        }
        const int n = reached(&c, k ? got : want);
        if (k) { /* which a profile leaves alone */
            EXPECT(*gtr_profile(c.t, false));
            EXPECT_EQ(reached(&c, got), n);
        }
        CHECK(!k || memcmp(want, got, (size_t)n * sizeof *got) == 0, "a row that begins anew");
        EXPECT_EQ(gtr_set(c.x, series_x, 4 * SPAN * 3 * sizeof *series_x), GTR_OK);
        EXPECT_EQ(gtr_set(c.y, series_y, 4 * SPAN * sizeof *series_y), GTR_OK);
        EXPECT_EQ(gtr_set(c.keep, series_keep, 4 * sizeof *series_keep), GTR_OK);
        EXPECT_EQ(gtr_step(c.t), GTR_ERR_SHAPE);
        EXPECT_ERROR(c.ctx, GTR_ERR_SHAPE, "state \"h\" has 8 rows");
        gtr_destroy(c.ctx);
    }
}
/* Small networks that one kernel could train for many steps have states, too: gtr_fit of them is steps. */
static void delayed_in_fits(gtr_precision precision)
{
    enum { BATCHES = 9, WIDE = 8 };
    static float v[BATCHES][ROWS][WIDE];
    float got[2][ROWS][WIDE], w[2][WIDE * WIDE];
    uint32_t seed = 3;
    for (int k = 0; k < BATCHES * ROWS * WIDE; k++) (&v[0][0][0])[k] = noise(&seed);
    for (int fit = 0; fit < 2; fit++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_arrays_desc a;
        gtr_fit_desc f;
        tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDE)),
            y = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, WIDE)),
            d = gtr_state(ctx, "d", gtr_shape2(GTR_BATCH, WIDE)),
            loss = gtr_mse(gtr_linear(gtr_relu(gtr_linear(d, "a", WIDE)), "b", WIDE), y);
        memset(&a, 0, sizeof a); memset(&f, 0, sizeof f);
        if (!has(ctx, precision)) { gtr_destroy(ctx); return; }
        EXPECT_EQ(gtr_state_next(d, x), GTR_OK);
        gtr_trainer *t = gtr_trainer_create(loss, adam(0.01f, precision));
        a.rows = BATCHES * ROWS;
        a.column[0].data = a.column[1].data = v;
        a.column[0].shape = a.column[1].shape = gtr_shape1(WIDE);
        gtr_dataset *data = gtr_dataset_arrays(ctx, a);
        f.epochs = 4; f.batch = ROWS; f.no_shuffle = f.silent = true;
        if (fit) EXPECT_EQ(gtr_fit(t, data, f), GTR_OK);
        else EXPECT_EQ(gtr_trainer_data(t, data, ROWS, false, false), GTR_OK);
        for (int k = 0; k < 4 * BATCHES && !fit; k++) EXPECT_EQ(gtr_step(t), GTR_OK);
        EXPECT_EQ(gtr_get(d, got[fit], sizeof got[fit]), GTR_OK);
        EXPECT_EQ(gtr_get(gtr_parameter_find(ctx, "a.weight"), w[fit], sizeof w[fit]), GTR_OK);
        CHECK(!memcmp(got[fit], v[BATCHES - 1], sizeof got[fit]), "precision %d, fit %d: %g, want %g", (int)precision,
            fit, (double)got[fit][0][0], (double)v[BATCHES - 1][0][0]);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
    CHECK(within(w[1], w[0], WIDE * WIDE, 1e-9, 1e-4), "precision %d: gtr_fit carries otherwise", (int)precision);
}
static bool last_validation(const gtr_progress *p)
{
    *(float *)p->user = p->val_loss;
    return true;
}
/* Windows in streams: row r of a batch goes on where the one before ended, of one series or of as many as rows. */
static void streamed_windows(void)
{
    enum { LONG_SERIES = 47 };
    static float v[LONG_SERIES];
    for (int k = 0; k < LONG_SERIES; k++) v[k] = (float)k;
    for (int way = 0; way < 4; way++) {
        gtr_context *ctx = gtr_create(desc0());
        const int64_t lengths[2] = { 22, 25 }, uneven[2] = { 13, 34 };
        gtr_arrays_desc a;
        gtr_windows_desc w;
        memset(&a, 0, sizeof a); memset(&w, 0, sizeof w);
        a.rows = LONG_SERIES; a.column[0].data = v;
        gtr_dataset *series = gtr_dataset_arrays(ctx, a);
        w.history = 4; w.horizon = 1; w.streams = way == 0 ? 3 : 2;
        if (way) { w.lengths = way == 2 ? uneven : lengths; w.n_lengths = 2; }
        if (way == 3) w.streams = 12;
        gtr_dataset *d = gtr_dataset_windows(series, w);
        if (way == 2) EXPECT_ERROR(ctx, GTR_ERR_ARG, "row 0 of a batch would go on in another series");
        else if (way == 3) EXPECT_ERROR(ctx, GTR_ERR_ARG, "fewer windows than streams");
        else {
            const int64_t per = way ? 5 : 3;
            EXPECT_EQ(gtr_dataset_rows(d), per * w.streams);
            for (int64_t r = 0; r < gtr_dataset_rows(d); r++) {
                const float *x = (const float *)gtr_dataset_row(d, 0, r),
                    first = (float)(r / w.streams * 4 + r % w.streams * (way ? 22 : 12));
                EXPECT(x && x[0] == first && x[3] == first + 3);
                EXPECT(*(const float *)gtr_dataset_row(d, 1, r) == first + 4);
            }
            tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 4, 1)),
                y = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 1)),
                h = gtr_state(ctx, "h", gtr_shape2(GTR_BATCH, 5)), last[1];
            gtr_recurrent_desc r = once();
            r.h = &h; r.h_last = last;
            gtr_gru(x, "gru", 5, r);
            EXPECT_EQ(gtr_state_next(h, last[0]), GTR_OK);
            gtr_trainer *t = gtr_trainer_create(gtr_mse(gtr_linear(last[0], "out", 1), y), adam(0.01f, GTR_FP32));
            EXPECT_EQ(gtr_trainer_data(t, d, w.streams + 1, false, false), GTR_ERR_ARG);
            EXPECT_ERROR(ctx, GTR_ERR_ARG, ".streams want batches of");
            EXPECT_EQ(gtr_trainer_data(t, d, w.streams, false, false), GTR_OK);
            for (int k = 0; k < 2 * per; k++) EXPECT_EQ(gtr_step(t), GTR_OK);
            gtr_fit_desc f;
            float loss = 0, validated = 0;
            memset(&f, 0, sizeof f);
            f.epochs = 1; f.batch = w.streams; f.no_shuffle = f.silent = true; f.validation = d;
            f.callback = last_validation; f.callback_user = &validated;
            EXPECT_EQ(gtr_fit(t, d, f), GTR_OK);
            EXPECT_EQ(gtr_evaluate(t, d, w.streams, NULL, &loss, NULL), GTR_OK);
            CHECK(loss > 0 && loss == validated, "validated %g, evaluated %g", (double)validated, (double)loss);
            EXPECT_EQ(gtr_evaluate(t, d, 1, NULL, &loss, NULL), GTR_ERR_ARG);
            EXPECT_ERROR(ctx, GTR_ERR_ARG, "states go on in batches of its");
            EXPECT_OK(ctx);
        }
        gtr_destroy(ctx);
    }
}
/* A chain of states is a delay of as many steps, whatever the order in which they are written. */
static void delayed(void)
{
    for (int p = 0; p < (small ? 1 : 4); p++) delayed_in_fits(precisions[p]);
    gtr_context *ctx = gtr_create(desc0());
    tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3)), d[4], loss;
    float v[ROWS * 3], want[ROWS * 3], got[ROWS * 3];
    for (int k = 0; k < 4; k++) {
        char name[8];
        snprintf(name, sizeof name, "d%d", k);
        d[k] = gtr_state(ctx, name, gtr_shape2(GTR_BATCH, 3));
    }
    for (int k = 0; k < 4; k++) EXPECT_EQ(gtr_state_next(d[k], k == 2 ? x : d[k == 0 ? 3 : k == 1 ? 2 : 1]), GTR_OK);
    loss = gtr_mse(gtr_linear(d[0], "out", 3), x); /* x, d2, d1, d3, d0 */
    gtr_trainer *t = gtr_trainer_create(loss, adam(0.01f, GTR_FP32));
    for (int k = 0; k < 9; k++) {
        for (int i = 0; i < ROWS * 3; i++) v[i] = (float)(k + 1) + (float)i / 64;
        EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        EXPECT_EQ(gtr_get(d[0], got, sizeof got), GTR_OK);
        for (int i = 0; i < ROWS * 3; i++) want[i] = k < 3 ? 0 : (float)(k - 2) + (float)i / 64;
        CHECK(memcmp(want, got, sizeof got) == 0, "step %d: %g, want %g", k, (double)got[1], (double)want[1]);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
static void no_states(void)
{
    gtr_context *ctx = gtr_create(desc0());
    tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3)), s, loss;
    const tensor twice[2] = { x, x };
    EXPECT_EQ(gtr_state(ctx, "s", gtr_shape2(4, 3)) == NULL, true);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "state \"s\": got shape (4, 3), want (GTR_BATCH, ...)");
    s = gtr_state(ctx, "s", gtr_shape2(GTR_BATCH, 3));
    EXPECT_EQ(gtr_state(ctx, "x", gtr_shape2(GTR_BATCH, 3)) == NULL, true);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "one of this name");
    EXPECT_EQ(gtr_state_next(s, gtr_concat(twice, 2, 1)), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "state \"s\" is float32 (N, 3)");
    EXPECT_EQ(gtr_state_next(x, s), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "\"x\" is not a gtr_state");
    EXPECT_EQ(gtr_state_next(s, NULL), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "the value is NULL");
    loss = gtr_mse(gtr_linear(gtr_add(x, s), "out", 3), x);
    EXPECT_EQ(gtr_trainer_create(loss, adam(0.1f, GTR_FP32)) == NULL, true);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "what does state \"s\" become");
    EXPECT_EQ(gtr_predictor_create(loss->in[0]->in[0], 1) == NULL, true);
    gtr_error_clear(ctx);
    EXPECT_EQ(gtr_state_next(s, gtr_tanh(x)), GTR_OK);
    EXPECT_EQ(gtr_state_next(s, gtr_tanh(x)), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "has a next value already");
    EXPECT_EQ(gtr_state_next(NULL, x), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_state_next: a tensor is NULL");
    EXPECT_EQ(gtr_predictor_reset(NULL), GTR_ERR_ARG);
    gtr_destroy(ctx);
}

/* Networks a step of which is predicted. number: which; ids and x are its inputs, of which it takes one. */
enum { NEXT = 20, NEXT_STEPS = 12, NEXT_ROWS = 3, NEXT_WIDTH = 16, NEXT_IDS = 11 };
static tensor stepped(gtr_context *ctx, int number, tensor ids, tensor x)
{
    gtr_transformer_desc d;
    gtr_recurrent_desc r = once();
    gtr_attention_desc a = plainly();
    tensor last[2], e = number > 5 ? gtr_embedding(ids, "e", NEXT_IDS, NEXT_WIDTH) : NULL, q, k, v;
    const int two[] = { 2 };
    memset(&d, 0, sizeof d);
    d.heads = 4; d.norm_first = d.gelu = d.attention.causal = a.causal = true;
    switch (number) {
    case 0: return gtr_linear(gtr_gru(x, "g", 20, r), "o", 7);
    case 1: r.layers = 2; return gtr_linear(gtr_lstm(x, "g", 20, r), "o", 7);
    case 2: x = gtr_reshape(gtr_tanh(gtr_rnn(x, "g", 20, r)), gtr_shape2(-NEXT_STEPS, 20));
        return gtr_reshape(gtr_softmax(gtr_linear(x, "o", 7), 1), gtr_shape3(GTR_BATCH, NEXT_STEPS, 7));
    case 3: x = gtr_slice(gtr_gru(x, "g", 20, r), 1, NEXT_STEPS - 1, NEXT_STEPS);
        return gtr_reshape(gtr_linear(x, "o", 7), gtr_shape2(GTR_BATCH, 7));
    case 4: r.h_last = last; gtr_gru(x, "g", 20, r); return gtr_linear(last[0], "o", 7);
    case 5: last[0] = gtr_parameter(ctx, "first", gtr_shape1(20), spread()); r.h = last;
        return gtr_linear(gtr_gru(x, "g", 20, r), "o", 7);
    case 6: e = gtr_add(e, gtr_embedding(gtr_arange(ids, 1), "place", NEXT_STEPS, NEXT_WIDTH));
        e = gtr_transformer_block(gtr_transformer_block(e, "a", d), "b", d);
        return gtr_linear(gtr_layer_norm(e, "n", 1, 0), "o", NEXT_IDS);
    case 7: return gtr_linear(gtr_transformer_block(gtr_add_positions(e, 0), "a", d), "o", 7);
    case 8: d.dropout = 0.1f; return gtr_linear(gtr_transformer_block(gtr_add_positions(e, 0), "a", d), "o", 7);
    case 9: case 10: /* turned queries and keys, of grouped heads; a mask of distances */
        q = gtr_rope(gtr_reshape(gtr_linear(e, "q", 32), gtr_shape4(GTR_BATCH, NEXT_STEPS, 4, 8)), 0, 0);
        k = gtr_rope(gtr_reshape(gtr_linear(e, "k", 16), gtr_shape4(GTR_BATCH, NEXT_STEPS, 2, 8)), 0, 0);
        v = gtr_reshape(gtr_linear(e, "v", 12), gtr_shape4(GTR_BATCH, NEXT_STEPS, 2, 6));
        if (number == 10) a.mask = gtr_parameter(ctx, "mask", gtr_shape2(NEXT_STEPS, NEXT_STEPS), spread());
        return gtr_linear(gtr_reshape(gtr_attention(q, k, v, a), gtr_shape3(GTR_BATCH, NEXT_STEPS, 24)), "o", 7);
    case 11: d.norm_first = d.gelu = false;
        e = gtr_add(e, gtr_parameter(ctx, "places", gtr_shape2(NEXT_STEPS, NEXT_WIDTH), spread()));
        return gtr_linear(gtr_transformer_block(e, "a", d), "o", 7);
    case 12: case 13: d.kind = number == 12 ? GTR_BLOCK_GPT2 : GTR_BLOCK_LLAMA;
        d.norm_first = d.gelu = false;
        if (number == 13) d.groups = 2;
        return gtr_linear(gtr_transformer_block(e, "a", d), "o", 7);
    case 14: /* rows of lengths of their own: the second input */
        r.lengths = gtr_input(ctx, "lengths", GTR_I32, gtr_shape1(GTR_BATCH));
        return gtr_linear(gtr_lstm(e, "g", 20, r), "o", 7);
    case 15: /* attention of a step's own parts, of which there are as many as steps */
        e = gtr_linear(gtr_rnn(e, "g", 20, r), "q", 2 * NEXT_STEPS);
        e = gtr_reshape(e, gtr_shape4(-NEXT_STEPS, NEXT_STEPS, 1, 2));
        e = gtr_reshape(gtr_attention(e, e, e, a), gtr_shape3(GTR_BATCH, NEXT_STEPS, 2 * NEXT_STEPS));
        return gtr_linear(e, "o", 7);
    case 16: /* a sum over what is as long as the window */
        e = gtr_linear(gtr_gru(e, "g", 20, r), "q", NEXT_STEPS);
        return gtr_linear(gtr_add(e, gtr_sum(e, two, 1, true)), "o", 7);
    case 17: /* a convolution of each frame, and a mask of each head */
        e = gtr_reshape(gtr_conv1d(gtr_reshape(e, gtr_shape3(-NEXT_STEPS, 2, 8)), "c", 3, 3, 1, 1),
            gtr_shape3(GTR_BATCH, NEXT_STEPS, 24));
        q = gtr_reshape(gtr_linear(e, "q", 24), gtr_shape4(GTR_BATCH, NEXT_STEPS, 3, 8));
        a.mask = gtr_parameter(ctx, "mask", gtr_shape3(3, NEXT_STEPS, NEXT_STEPS), spread());
        return gtr_linear(gtr_reshape(gtr_attention(q, q, q, a), gtr_shape3(GTR_BATCH, NEXT_STEPS, 24)), "o", 7);
    case 18: /* no recurrence and no attention */
        return gtr_linear(gtr_gelu(gtr_linear(e, "a", 33)), "o", 7);
    default: /* what an encoder made, of other steps, is attended as a whole */
        d.memory = gtr_linear(gtr_gru(gtr_input(ctx, "memory", GTR_F32, gtr_shape3(GTR_BATCH, 5, 4)), "m", 20, r), "f",
            NEXT_WIDTH);
        return gtr_linear(gtr_transformer_block(gtr_add_positions(e, 0), "a", d), "o", 7);
    }
}
/* Steps one at a time are what all at once make, on the CPU to the bit; in the next window, too, and of fewer rows. */
static void one_by_one(void)
{
    static float x[NEXT_ROWS][NEXT_STEPS][5], memory[NEXT_ROWS][5][4], all[NEXT_ROWS * NEXT_STEPS * NEXT_IDS];
    static int32_t ids[NEXT_ROWS][NEXT_STEPS];
    uint32_t s = 5;
    for (int k = 0; k < NEXT_ROWS * NEXT_STEPS * 5; k++) (&x[0][0][0])[k] = noise(&s);
    for (int k = 0; k < NEXT_ROWS * 20; k++) (&memory[0][0][0])[k] = noise(&s);
    for (int k = 0; k < NEXT_ROWS * NEXT_STEPS; k++) (&ids[0][0])[k] = (int32_t)((noise(&s) + 1) * 5);
    for (int number = 0; number < NEXT; number++) {
        gtr_context *ctx = gtr_create(desc0());
        tensor of_ids = gtr_input(ctx, "ids", GTR_I32, gtr_shape2(GTR_BATCH, NEXT_STEPS)),
            of_x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, NEXT_STEPS, 5)),
            y = stepped(ctx, number, of_ids, of_x);
        const bool by_ids = number > 5, last = gtr_tensor_shape(y).ndim == 2;
        const int width = (int)gtr_tensor_shape(y).dim[last ? 1 : 2];
        gtr_predictor_desc d;
        const int32_t lengths[NEXT_ROWS] = { 3, 12, 0 };
        const bool several = number == 14 || number == NEXT - 1;
        const void *in[2] = { by_ids ? (void *)ids : (void *)x, number == 14 ? (void *)lengths : (void *)memory };
        void *out[1] = { all };
        memset(&d, 0, sizeof d);
        d.out[0] = y; d.max_rows = NEXT_ROWS;
        gtr_predictor *whole = gtr_predictor_create_ex(ctx, d);
        d.steps = true;
        gtr_predictor *next = gtr_predictor_create_ex(ctx, d);
        EXPECT_OK(ctx);
        EXPECT_EQ(gtr_predict_ex(whole, in, NEXT_ROWS, out), GTR_OK);
        for (int turn = 0; turn < 2; turn++) {
            const int rows = NEXT_ROWS - turn; /* the last row is not needed for the others */
            if (turn) EXPECT_EQ(gtr_predictor_reset(next), GTR_OK);
            for (int t = 0; t < NEXT_STEPS; t++) {
                float one[NEXT_ROWS][5], got[NEXT_ROWS * NEXT_IDS];
                int32_t id[NEXT_ROWS];
                void *to[1] = { got };
                for (int r = 0; r < NEXT_ROWS; r++) { memcpy(one[r], x[r][t], sizeof one[r]); id[r] = ids[r][t]; }
                in[0] = by_ids ? (void *)id : (void *)one;
                EXPECT_EQ(several ? gtr_predict_ex(next, in, rows, to) : gtr_predict_next(next, in[0], rows, got),
                    GTR_OK);
                for (int r = 0; r < rows && (!last || t == NEXT_STEPS - 1); r++) {
                    const float *want = all + (last ? r : r * NEXT_STEPS + t) * width;
                    CHECK(device == GTR_DEVICE_CPU ? memcmp(got + r * width, want, (size_t)width * sizeof *got) == 0
                        : within(got + r * width, want, width, 1e-9, 1e-4), "network %d, step %d, row %d: %g, want %g",
                        number, t, r, (double)got[r * width], (double)want[0]);
                }
            }
        }
        if (next->most_steps) { /* places end */
            float got[NEXT_ROWS * NEXT_IDS];
            void *to[1] = { got };
            EXPECT_EQ(gtr_predict_ex(next, in, 1, to), GTR_ERR_STATE);
            CHECK(strstr(gtr_predictor_error_text(next), "window's 12 steps") != NULL, "%s",
                gtr_predictor_error_text(next));
        }
        EXPECT_OK(ctx);
        gtr_predictor_destroy(whole);
        gtr_predictor_destroy(next);
        gtr_destroy(ctx);
    }
}
/* Attention of a step over keys that are kept, of windows of several tiles: heads, groups, columns of q and k, of v. */
static void attends_what_is_kept(void)
{
    enum { WIDE = 12, MOST_STEPS = 300, MOST_OUT = 512 };
    static const struct { int steps, heads, groups, depth, out, packed, lengths, mask; } cases[] = {
        { MOST_STEPS, 4, 2, 64, 64, 0, 0, 0 }, { 130, 2, 1, 128, 100, 0, 1, 0 }, { 70, 3, 3, 7, 5, 0, 0, 1 },
        { 33, 1, 1, 16, 16, 1, 0, 0 }, { 65, 6, 2, 36, 33, 0, 1, 1 }, { 200, 3, 3, 20, 20, 1, 1, 1 },
        { 20, 5, 5, 1, 2, 0, 0, 0 } };
    static float x[NEXT_ROWS][MOST_STEPS][WIDE], all[NEXT_ROWS * MOST_STEPS * MOST_OUT], got[NEXT_ROWS * MOST_OUT];
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        const int steps = cases[i].steps, heads = cases[i].heads, groups = cases[i].groups, depth = cases[i].depth,
            width = heads * cases[i].out;
        const int32_t lengths[NEXT_ROWS] = { steps / 2, steps, 1 };
        gtr_context *ctx = gtr_create(desc0());
        gtr_attention_desc a = plainly();
        tensor t = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, steps, WIDE)), q, k = NULL, v = NULL;
        gtr_predictor_desc d;
        uint32_t s = (uint32_t)(7 + i);
        a.causal = true;
        if (cases[i].lengths) a.lengths = gtr_input(ctx, "lengths", GTR_I32, gtr_shape1(GTR_BATCH));
        if (cases[i].mask) a.mask = gtr_parameter(ctx, "mask", gtr_shape3(heads, steps, steps), spread());
        q = gtr_linear(t, "q", heads * depth * (cases[i].packed ? 3 : 1));
        if (cases[i].packed) {
            gtr_shape five = gtr_shape4(GTR_BATCH, steps, 3, heads);
            five.dim[five.ndim++] = depth;
            q = gtr_reshape(q, five);
        } else {
            q = gtr_reshape(q, gtr_shape4(GTR_BATCH, steps, heads, depth));
            k = gtr_reshape(gtr_linear(t, "k", groups * depth), gtr_shape4(GTR_BATCH, steps, groups, depth));
            v = gtr_reshape(gtr_linear(t, "v", groups * cases[i].out),
                gtr_shape4(GTR_BATCH, steps, groups, cases[i].out));
        }
        memset(&d, 0, sizeof d);
        d.out[0] = gtr_reshape(gtr_attention(q, k, v, a), gtr_shape3(GTR_BATCH, steps, width));
        d.max_rows = NEXT_ROWS;
        gtr_predictor *whole = gtr_predictor_create_ex(ctx, d);
        d.steps = true;
        gtr_predictor *next = gtr_predictor_create_ex(ctx, d);
        EXPECT_OK(ctx);
        for (int r = 0; r < NEXT_ROWS; r++) for (int e = 0; e < steps * WIDE; e++)
            (&x[0][0][0])[r * steps * WIDE + e] = noise(&s);
        const void *in[2] = { x, lengths };
        void *out[1] = { all }, *to[1] = { got };
        EXPECT_EQ(gtr_predict_ex(whole, in, NEXT_ROWS, out), GTR_OK);
        for (int turn = 0; turn < 2; turn++) {
            if (turn) EXPECT_EQ(gtr_predictor_reset(next), GTR_OK);
            for (int at = 0; at < steps; at++) {
                float one[NEXT_ROWS][WIDE];
                for (int r = 0; r < NEXT_ROWS; r++)
                    memcpy(one[r], &x[0][0][0] + (r * steps + at) * WIDE, sizeof one[r]);
                in[0] = one;
                EXPECT_EQ(gtr_predict_ex(next, in, NEXT_ROWS - turn, to), GTR_OK);
                for (int r = 0; r < NEXT_ROWS - turn; r++) {
                    const float *want = all + (r * steps + at) * width, *is = got + r * width;
                    CHECK(device == GTR_DEVICE_CPU ? memcmp(is, want, (size_t)width * sizeof *is) == 0
                        : within(is, want, width, 1e-6, 1e-4), "case %d, step %d, row %d: %g, want %g", i, at, r,
                        (double)is[0], (double)want[0]);
                }
            }
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Norms by weights that a layer makes, which lie in 16 bits where it does. */
static void made_weights(void)
{
    for (int kind = 0; kind < 2; kind++) for (int wide = 20; wide <= 64; wide += 44) {
        float bias[4] = { 0 };
        for (int p = 0; p < 4; p++) {
            gtr_context *ctx = gtr_create(desc0());
            float v[ROWS * 64], g[64];
            uint32_t s = 5;
            if (!has(ctx, precisions[p])) { gtr_destroy(ctx); continue; }
            tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, wide)), w[2], h = gtr_parameter(ctx, "h",
                gtr_shape2(1, 8), spread());
            for (int k = 0; k < 2; k++) w[k] = gtr_reshape(gtr_linear(h, k ? "b" : "w", wide), gtr_shape1(wide));
            tensor y = kind ? gtr_rms_norm_with(x, w[0], 0) : gtr_layer_norm_with(x, w[0], w[1], 0);
            gtr_trainer *t = gtr_trainer_create(gtr_mse(y, gtr_stop_gradient(x)), adam(0.01f, precisions[p]));
            for (int k = 0; k < ROWS * wide; k++) v[k] = noise(&s);
            EXPECT_EQ(gtr_set(x, v, sizeof(float) * (size_t)(ROWS * wide)), GTR_OK);
            EXPECT_EQ(gtr_backward(t), GTR_OK);
            EXPECT_EQ(gtr_gradient_get(t, gtr_parameter_find(ctx, "w.bias"), g, sizeof(float) * (size_t)wide), GTR_OK);
            for (int k = 0; k < wide; k++) bias[p] += g[k] * g[k];
            CHECK(fabsf(bias[p] - bias[0]) < 0.1f * bias[0], "kind %d, %d wide, precision %d: gradient %g, want %g",
                kind, wide, (int)precisions[p], (double)bias[p], (double)bias[0]);
            EXPECT_OK(ctx);
            gtr_destroy(ctx);
        }
    }
}
/* FP16's loss scale holds: of many steps of training few are skipped, and sequences are learned as in float32. */
static void scale_holds(void)
{
    enum { STEPS = 40, ROWS_HERE = 8, WIDE = 8 };
    const int steps = small ? 40 : 300;
    static float x[ROWS_HERE][STEPS][WIDE], y[ROWS_HERE][STEPS][1];
    uint32_t s = 11;
    for (int r = 0; r < ROWS_HERE; r++) { /* a slow sum of the first column */
        float sum = 0;
        for (int t = 0; t < STEPS; t++) {
            for (int e = 0; e < WIDE; e++) x[r][t][e] = noise(&s);
            y[r][t][0] = sum = 0.7f * sum + x[r][t][0];
        }
    }
    for (int kind = 0; kind < 3; kind++) {
        float last[2] = { 0, 0 };
        for (int half = 0; half < 2; half++) {
            gtr_context *ctx = gtr_create(desc0());
            const gtr_precision precision = half ? GTR_MIXED_FP16 : GTR_FP32;
            if (!has(ctx, precision)) {
                SKIP("the loss scale of sequences: no FP16 on %s", gtr_device_text(ctx));
                gtr_destroy(ctx);
                continue;
            }
            tensor in = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, STEPS, WIDE)), h,
                want = gtr_input(ctx, "y", GTR_F32, gtr_shape3(GTR_BATCH, STEPS, 1));
            gtr_transformer_desc d;
            memset(&d, 0, sizeof d);
            d.heads = 2; d.norm_first = d.attention.causal = true;
            h = kind == 0 ? gtr_gru(in, "it", 16, once()) : kind == 1 ? gtr_lstm(in, "it", 16, once())
                : gtr_transformer_block(gtr_add_positions(in, 0), "it", d);
            gtr_trainer *t = gtr_trainer_create(gtr_mse(gtr_linear(h, "out", 1), want), adam(0.01f, precision));
            EXPECT_EQ(gtr_set(in, x, sizeof x), GTR_OK);
            EXPECT_EQ(gtr_set(want, y, sizeof y), GTR_OK);
            float first = 0;
            for (int k = 0; k < steps; k++) {
                EXPECT_EQ(gtr_step(t), GTR_OK);
                if (k == 0) first = gtr_loss(t);
            }
            EXPECT_EQ(gtr_wait(ctx), GTR_OK); /* reports come behind */
            const gtr_report r = gtr_trainer_report(t);
            last[half] = r.loss;
            CHECK(r.loss < first * (small ? 1 : 0.5f) && r.applied >= steps - 6 && (!half || r.loss_scale >= 256),
                "kind %d, precision %d: loss %g, first %g, %lld of %d steps applied, scale %g", kind, (int)precision,
                (double)r.loss, (double)first, (long long)r.applied, steps, (double)r.loss_scale);
            EXPECT_OK(ctx);
            gtr_destroy(ctx);
            if (half) CHECK(last[1] < 1.5f * last[0] + 0.01f, "kind %d: %g in FP16, %g in float32", kind,
                (double)last[1], (double)last[0]);
        }
    }
}
/* An embedding of places is the table's first rows, and takes their gradient; counted places are what they are. */
static void places(void)
{
    enum { STEPS = 5, WIDE = 3, TABLE = 7 };
    for (int rows = STEPS; rows <= TABLE; rows += TABLE - STEPS) {
        gtr_context *ctx = gtr_create(desc0());
        tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, STEPS, WIDE)), at = gtr_arange(x, 1),
            y = gtr_add(x, gtr_embedding(at, "place", rows, WIDE)), out, loss;
        float v[ROWS][STEPS][WIDE], w[TABLE][WIDE], got[ROWS][STEPS][WIDE], g[TABLE][WIDE];
        uint32_t s = 3;
        for (int k = 0; k < ROWS * STEPS * WIDE; k++) (&v[0][0][0])[k] = noise(&s);
        out = gtr_mul(y, gtr_reshape(gtr_to_float(at), gtr_shape2(STEPS, 1)));
        loss = gtr_mean(gtr_reshape(y, gtr_shape2(GTR_BATCH, STEPS * WIDE)), NULL, 0, false);
        EXPECT_EQ(gtr_get(gtr_parameter_find(ctx, "place.weight"), w, sizeof(float) * (size_t)(rows * WIDE)), GTR_OK);
        gtr_predictor *p = gtr_predictor_create(out, ROWS);
        EXPECT_EQ(gtr_predict(p, v, ROWS, got), GTR_OK);
        for (int r = 0; r < ROWS; r++) for (int t = 0; t < STEPS; t++) for (int e = 0; e < WIDE; e++)
            CHECK(got[r][t][e] == (v[r][t][e] + w[t][e]) * (float)t, "row %d, step %d: %g", r, t,
                (double)got[r][t][e]);
        gtr_predictor_destroy(p);
        gtr_trainer *t = gtr_trainer_create(loss, adam(0.1f, GTR_FP32));
        EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
        EXPECT_EQ(gtr_backward(t), GTR_OK);
        EXPECT_EQ(gtr_gradient_get(t, gtr_parameter_find(ctx, "place.weight"), g, sizeof(float)
            * (size_t)(rows * WIDE)), GTR_OK);
        for (int r = 0; r < rows; r++) CHECK(fabsf(g[r][1] - (r < STEPS ? 1.0f / (STEPS * WIDE) : 0)) < 1e-6f,
            "gradient of place %d: %g", r, (double)g[r][1]);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Rows that a call has not stay where they were. */
static void some_rows(void)
{
    gtr_context *ctx = gtr_create(desc0());
    tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 9, 2));
    gtr_predictor_desc d;
    float v[4][2] = { { 1, 2 }, { -1, 0.5f }, { 0.25f, 3 }, { 2, -1 } }, got[3][4][5], want[2][4][5];
    memset(&d, 0, sizeof d);
    d.out[0] = gtr_gru(x, "gru", 5, once()); d.max_rows = 4; d.steps = true;
    gtr_predictor *p = gtr_predictor_create_ex(ctx, d);
    for (int k = 0; k < 2; k++) EXPECT_EQ(gtr_predict_next(p, v, 4, want[k]), GTR_OK);
    EXPECT_EQ(gtr_predictor_reset(p), GTR_OK);
    EXPECT_EQ(gtr_predict_next(p, v, 4, got[0]), GTR_OK);
    EXPECT_EQ(gtr_predict_next(p, v, 3, got[1]), GTR_OK);
    EXPECT_EQ(gtr_predict_next(p, v, 4, got[2]), GTR_OK);
    CHECK(within(got[0][0], want[0][0], 20, 1e-12, 1e-6), "first steps");
    CHECK(within(got[1][0], want[1][0], 15, 1e-12, 1e-6), "second steps of three");
    CHECK(within(got[2][3], want[1][3], 5, 1e-12, 1e-6), "the fourth row's second step: %g, want %g",
        (double)got[2][3][0], (double)want[1][3][0]);
    EXPECT_EQ(gtr_predict_next(p, v, 5, got), GTR_ERR_ARG);
    CHECK(strstr(gtr_predictor_error_text(p), "next: 5 rows, which have states, want at most .max_rows, 4") != NULL,
        "%s", gtr_predictor_error_text(p));
    EXPECT_EQ(gtr_predict(p, v, 1, got), GTR_ERR_STATE); /* in and out would be of nine steps */
    CHECK(strstr(gtr_predictor_error_text(p), "takes a step at a time, by gtr_predict_next") != NULL, "%s",
        gtr_predictor_error_text(p));
    gtr_predictor_destroy(p);
    d.steps = false;
    p = gtr_predictor_create_ex(ctx, d);
    EXPECT_EQ(gtr_predict_next(p, v, 1, got), GTR_ERR_STATE); /* they are of one */
    CHECK(strstr(gtr_predictor_error_text(p), "takes whole rows: want one made with .steps") != NULL, "%s",
        gtr_predictor_error_text(p));
    EXPECT_OK(ctx);
    gtr_predictor_destroy(p);
    gtr_destroy(ctx);
}
static long long allocations;
static void *noted_alloc(size_t bytes, gtr_memory kind, void *user)
{
    (void)kind; (void)user;
    allocations++;
    return aligned_alloc(256, (bytes + 255) / 256 * 256);
}
static void noted_free(void *p, size_t bytes, gtr_memory kind, void *user)
{
    (void)bytes; (void)kind; (void)user;
    free(p);
}
/* A step allocates nothing, nor does what it says next, from the first call on. */
static void allocates_nothing(void)
{
    for (int number = 0; number < NEXT - 1; number++) {
        gtr_desc desc = desc0();
        desc.allocator.alloc = noted_alloc; desc.allocator.free = noted_free;
        gtr_context *ctx = gtr_create(desc);
        tensor ids = gtr_input(ctx, "ids", GTR_I32, gtr_shape2(GTR_BATCH, NEXT_STEPS)),
            x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, NEXT_STEPS, 5));
        gtr_predictor_desc d;
        const float one[5] = { 1, -1, 0.5f, 2, 0 };
        const int32_t id = 3, length = 7;
        const void *in[2] = { number > 5 ? (const void *)&id : one, &length };
        float got[NEXT_IDS];
        void *to[1] = { got };
        memset(&d, 0, sizeof d);
        d.out[0] = stepped(ctx, number, ids, x); d.steps = true;
        gtr_predictor *p = gtr_predictor_create_ex(ctx, d);
        EXPECT_OK(ctx);
        const long long before = allocations;
        for (int k = 0; k < 2 * NEXT_STEPS; k++) {
            if (k == NEXT_STEPS) EXPECT_EQ(gtr_predictor_reset(p), GTR_OK);
            EXPECT_EQ(gtr_predict_ex(p, in, 1, to), GTR_OK);
            gtr_sample_desc how;
            memset(&how, 0, sizeof how);
            how.top_k = 3; how.draw = (uint64_t)k;
            EXPECT(gtr_sample(got, 7, how) >= 0);
        }
        CHECK(device != GTR_DEVICE_CPU || allocations == before, "network %d: %lld allocations in its steps", number,
            allocations - before);
        gtr_predictor_destroy(p);
        gtr_destroy(ctx);
    }
}
/* What has as many columns, places or keys as the window has steps is no step for that: it is as where they are one
   fewer or more. */
enum { ALIKE = 10, ALIKE_STEPS = 4 };
static tensor as_many(gtr_context *ctx, int kind, int64_t n, tensor x, tensor z)
{
    const int64_t wide = kind == 1 ? n : 6;
    gtr_recurrent_desc r = once();
    tensor last, h = (r.h_last = &last, gtr_gru(x, "g", wide, r)), y;
    const tensor end = gtr_reshape(gtr_slice(h, 1, ALIKE_STEPS - 1, ALIKE_STEPS), gtr_shape2(GTR_BATCH, wide));
    const int64_t times[] = { 1, n, 1 };
    const tensor both[2] = { last, kind == 7 ? gtr_tanh(z) : z };
    gtr_attention_desc a = plainly();
    switch (kind) {
    case 0: return gtr_linear(last, "o", n);
    case 1: return last;
    case 2: return gtr_softmax(gtr_linear(end, "o", n), 1);
    case 3: return gtr_reshape(gtr_linear(last, "o", 2 * n), gtr_shape3(GTR_BATCH, n, 2));
    case 4: return gtr_add(gtr_tile(gtr_reshape(end, gtr_shape3(GTR_BATCH, 1, 6)), times),
        gtr_parameter(ctx, "places", gtr_shape2(n, 6), spread()));
    case 5: return gtr_linear(h, "o", n);
    case 6: return gtr_linear(gtr_concat(both, 2, 1), "o", n);                  /* z (N, n) */
    case 7: return gtr_mul(gtr_linear(last, "o", n), both[1]);
    case 8: y = gtr_reshape(z, gtr_shape4(GTR_BATCH, n, 1, 6));                 /* z (N, n, 6) */
        return gtr_attention(gtr_reshape(h, gtr_shape4(GTR_BATCH, ALIKE_STEPS, 1, 6)), y, y, a);
    default: y = gtr_reshape(gtr_linear(z, "e", 6), gtr_shape3(GTR_BATCH, 1, 6));
        return gtr_add(h, y);
    }
}
static void as_many_as_steps(void)
{
    enum { MOST = 512 };
    static float x[ROWS][ALIKE_STEPS][2], z[ROWS * 64], all[MOST], got[MOST];
    uint32_t s = 21;
    for (int k = 0; k < ROWS * ALIKE_STEPS * 2; k++) (&x[0][0][0])[k] = noise(&s);
    for (int k = 0; k < ROWS * 64; k++) z[k] = noise(&s);
    for (int kind = 0; kind < ALIKE; kind++) for (int64_t n = ALIKE_STEPS - 1; n <= ALIKE_STEPS + 1; n++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_predictor_desc d;
        const tensor of = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, ALIKE_STEPS, 2)),
            beside = gtr_input(ctx, "z", GTR_F32, kind == 8 ? gtr_shape3(GTR_BATCH, n, 6) : gtr_shape2(GTR_BATCH, n));
        memset(&d, 0, sizeof d);
        d.out[0] = as_many(ctx, kind, n, of, beside); d.max_rows = ROWS;
        gtr_predictor *whole = gtr_predictor_create_ex(ctx, d);
        d.steps = true;
        gtr_predictor *next = gtr_predictor_create_ex(ctx, d);
        EXPECT_OK(ctx);
        const int64_t per = -gtr__count(&d.out[0]->shape), row = kind == 5 || kind > 7 ? per / ALIKE_STEPS : per;
        const void *in[2] = { x, z };
        void *out[1] = { all }, *to[1] = { got };
        EXPECT_EQ(gtr_predict_ex(whole, in, ROWS, out), GTR_OK);
        for (int t = 0; t < ALIKE_STEPS; t++) {
            float one[ROWS][2];
            for (int r = 0; r < ROWS; r++) memcpy(one[r], x[r][t], sizeof one[r]);
            in[0] = one;
            EXPECT_EQ(gtr_predict_ex(next, in, ROWS, to), GTR_OK);
            for (int r = 0; r < ROWS && (row < per || t == ALIKE_STEPS - 1); r++)
                CHECK(within(got + r * row, all + r * per + (row < per ? t * row : 0), row, 1e-10, 1e-5),
                    "kind %d, %d of %d, step %d, row %d: %g, want %g", kind, (int)n, (int)ALIKE_STEPS, t, r,
                    (double)got[r * row], (double)all[r * per]);
        }
        EXPECT_OK(ctx);
        gtr_predictor_destroy(whole);
        gtr_predictor_destroy(next);
        gtr_destroy(ctx);
    }
}
/* What is no step names who mixes steps. */
static void not_one_by_one(void)
{
    static const char *const why[] = { "begins with the last step (bidirectional)",
        "attend those behind them (.causal)", "mean of", "conv1d \"c\"", "softmax of", "cumsum of",
        "no dimension for the steps", "slice",
        "a window of one step", "no input (N, T", "at the window's end", "max of", "keys are of steps, or values",
        "its mask is another for each row of the batch" };
    for (int number = 0; number < 14; number++) {
        const int64_t times[] = { 1, NEXT_STEPS, 1 };
        gtr_context *ctx = gtr_create(desc0());
        tensor x = gtr_input(ctx, "x", GTR_F32, number == 9 ? gtr_shape1(GTR_BATCH)
            : gtr_shape3(GTR_BATCH, number == 8 ? 1 : NEXT_STEPS, 4)), y = x;
        gtr_recurrent_desc r = once();
        gtr_predictor_desc d;
        const int axis = 1, turned[] = { 0, 2, 1 };
        memset(&d, 0, sizeof d);
        r.bidirectional = number == 0;
        if (number < 5 || number == 6 || number == 7 || number > 9) y = gtr_gru(x, "g", 6, r);
        if (number == 1) y = gtr_multihead_attention(y, NULL, "m", 2, plainly());
        if (number == 2) y = gtr_mean(y, &axis, 1, false);
        if (number == 3) y = gtr_conv1d(gtr_permute(y, turned), "c", 4, 3, 1, 1);
        if (number == 4) y = gtr_softmax(y, 1);
        if (number == 5) y = gtr_cumsum(x, 1);
        if (number == 6) y = gtr_linear(gtr_flatten(y), "o", 3);
        if (number == 7) y = gtr_slice(y, 1, 0, 1);
        if (number == 8 || number == 9) y = gtr_tanh(x);
        if (number == 10) y = gtr_gru(gtr_tile(gtr_slice(y, 1, NEXT_STEPS - 1, NEXT_STEPS), times), "d", 3, r);
        if (number == 11) y = gtr_scale(gtr_max(y, &axis, 1, true), 2, 0);
        if (number >= 12) {
            const gtr_shape four = gtr_shape4(GTR_BATCH, NEXT_STEPS, 1, 6);
            gtr_attention_desc a = plainly();
            a.causal = true;
            y = gtr_reshape(y, four);
            const gtr_shape square = gtr_shape4(GTR_BATCH, 1, NEXT_STEPS, NEXT_STEPS);
            if (number == 13) a.mask = gtr_input(ctx, "m", GTR_F32, square);
            y = gtr_attention(y, y, number == 13 ? y : gtr_reshape(gtr_input(ctx, "v", GTR_F32,
                gtr_shape2(GTR_BATCH, 6 * NEXT_STEPS)),
                four), a);
        }
        d.out[0] = y; d.steps = true;
        EXPECT(gtr_predictor_create_ex(ctx, d) == NULL);
        CHECK(strstr(gtr_error_text(ctx), why[number]) != NULL, "%d: %s, want %s", number, gtr_error_text(ctx),
            why[number]);
        EXPECT_ERROR(ctx, GTR_ERR_UNSUPPORTED, "predictor of steps");
        gtr_destroy(ctx);
    }
}
/* gtr_sample draws as often as softmax says, of the largest alone, and the same again. */
static void samples(void)
{
    const float logits[6] = { 0, 1, 2, -INFINITY, 2, 0.5f }, bad[2] = { 0, NAN }, none[2] = { -INFINITY, -INFINITY };
    enum { DRAWS = 20000 };
    for (int k = 0; k < 4; k++) {
        gtr_sample_desc d;
        int count[6] = { 0 };
        double p[6], sum = 0;
        memset(&d, 0, sizeof d);
        d.temperature = k == 1 ? 0.5f : 0; d.top_k = k == 2 ? 3 : k == 3 ? 1 : 0; d.seed = 3;
        for (int i = 0; i < 6; i++) {
            p[i] = exp((double)logits[i] / (k == 1 ? 0.5 : 1));
            if ((k == 2 && !(i == 1 || i == 2 || i == 4)) || (k == 3 && i != 2)) p[i] = 0;
            sum += p[i];
        }
        for (d.draw = 0; d.draw < DRAWS; d.draw++) {
            const int32_t i = gtr_sample(logits, 6, d);
            EXPECT(i >= 0 && i < 6 && i == gtr_sample(logits, 6, d));
            if (i >= 0 && i < 6) count[i]++;
        }
        for (int i = 0; i < 6; i++) {
            const double want = p[i] / sum * DRAWS;
            CHECK(fabs(count[i] - want) <= 5 * sqrt(want), "%d: class %d was drawn %d times, want %g", k, i, count[i],
                want);
        }
    }
    gtr_sample_desc d;
    memset(&d, 0, sizeof d);
    EXPECT_EQ(gtr_sample(NULL, 3, d), -1);
    EXPECT_EQ(gtr_sample(logits, 0, d), -1);
    EXPECT_EQ(gtr_sample(bad, 2, d), -1);
    EXPECT_EQ(gtr_sample(none, 2, d), -1);
    d.temperature = -1;
    EXPECT_EQ(gtr_sample(logits, 6, d), -1);
    d.temperature = 0; d.top_k = -1;
    EXPECT_EQ(gtr_sample(logits, 6, d), -1);
}

static void all(void)
{
    RUN(carried);
    RUN(delayed);
    RUN(streamed_windows);
    RUN(no_states);
    RUN(one_by_one);
    RUN(attends_what_is_kept);
    RUN(places);
    RUN(scale_holds);
    RUN(made_weights);
    RUN(some_rows);
    RUN(allocates_nothing);
    RUN(as_many_as_steps);
    RUN(not_one_by_one);
    RUN(samples);
    RUN(repeats);
    RUN(tiles);
    RUN(joins);
    RUN(joins_what_is_asked);
    RUN(joins_elsewhere);
    RUN(behind);
    RUN(shares);
    RUN(in_parts);
    RUN(learns);
    RUN(too_long);
    RUN(spells);
    RUN(does_not_fit);
    RUN(blank_labels);
    RUN(layers_named);
    RUN(forecasts);
    RUN(steps);
    RUN(unattended);
    RUN(hidden_queries);
    RUN(hidden_steps);
    RUN(raises_nothing);
    RUN(causes);
    RUN(finds);
    RUN(layers);
    RUN(refused);
    RUN(first_states);
    RUN(stays_in_its_row);
    RUN(steps_of_a_row);
    RUN(blocks);
    RUN(blocks_of_others);
    RUN(loss_of_attention);
}
int main(int argc, char **argv)
{
    small = getenv("GTR_TEST_SMALL") != NULL;
    check_begin(argc, argv);
    check_devices(all, &device);
    return check_done();
}
