/* Kernels that take a whole network's training step, or many of them in one launch. Each case: gtr_fit against a loop
   of gtr_step and against itself, to the last bit, and gradients against the network by nodes, with weights and inputs
   at the ends of what numbers can be. On the CPU there are no such kernels: there a few small cases
   compare nodes with nodes. */
#include "private.h"
#include "check.h"
#include "device.h"
#include "hash.h"
#include "matchers.h"

enum { RELU, TANH, GELU, SIGMOID, GELU_TANH, EACH };     /* EACH: of these, a layer after the other */
enum { XENT, SMOOTH, MSE, BCE };     /* SMOOTH: cross entropy with smoothed labels, some of them left out */
enum { CLEAN, WITH_NAN, WITH_HUGE };
typedef struct network {
    const char *name, *by;      /* by: how gtr_plan_text calls its kernel on a whole GPU of Hopper's */
    int64_t width[8], batch;
    int whole;                  /* batches in the data set */
    int64_t tail;               /* and rows behind them */
    gtr_precision precision;
    int act, loss;
    bool bytes;                 /* what x is in the data set */
    bool sgd;
    float clip;
    int planted;                /* in x, or in y if x is of bytes, in the middle of an epoch */
    bool hurried;               /* for one kernel of each kind: what if it is given up? */
} network;
#define SMALL  "[multilayer perceptron, many steps in one launch]"
#define TALL   "tall batch of bytes"
#define NODES  ""       /* no kernel of whole networks */
#define NARROW "narrow multilayer perceptron"
static const network networks[] = {
    { "bytes, TF32", SMALL, { 80, 40, 24, 10 }, 64, 9, 21, GTR_TF32, TANH, XENT, true, false, 0, CLEAN, true },
    { "bytes, FP32, BCE", SMALL, { 80, 40, 24, 7 }, 50, 9, 0, GTR_FP32, GELU, BCE, true, false, 0, CLEAN, false },
    { "tall, TF32", TALL, { 80, 64, 24, 10 }, 272, 9, 100, GTR_TF32, TANH, XENT, true, false, 0, CLEAN, true },
    { "narrow, FP16", NARROW, { 32, 64, 64, 64, 64, 3 }, 4096, 5, 123, GTR_MIXED_FP16, RELU, MSE, false, false,
        0, CLEAN, true },
    { "bytes, BF16", SMALL, { 80, 40, 24, 10 }, 64, 9, 0, GTR_MIXED_BF16, TANH, XENT, true, false, 0, CLEAN, false },
    { "floats, TF32, odd widths", SMALL, { 83, 41, 33, 17, 5 }, 61, 9, 7, GTR_TF32, GELU, MSE, false, true,
        0, CLEAN, false },
    { "784 bytes, TF32", SMALL, { 784, 64, 10 }, 128, 9, 0, GTR_TF32, GELU, XENT, true, false, 0, CLEAN, false },
    { "tall, BF16, MSE", TALL, { 80, 40, 24, 10 }, 300, 9, 77, GTR_MIXED_BF16, TANH, MSE, true, true, 0, CLEAN, false },
    { "tall, 784 bytes, TF32", TALL, { 784, 96, 10 }, 320, 8, 0, GTR_TF32, TANH, XENT, true, false, 0, CLEAN, false },
    { "tall, 784-256-128-10", TALL, { 784, 256, 128, 10 }, 1024, 8, 608, GTR_TF32, TANH, XENT, true, false,
        0, CLEAN, false },
    { "tall, 1024-256-10", TALL, { 1024, 256, 10 }, 1024, 5, 0, GTR_TF32, TANH, XENT, true, false, 0, CLEAN, false },
    { "tall, 2048 rows", TALL, { 128, 128, 128, 10 }, 2048, 4, 33, GTR_TF32, TANH, XENT, true, false, 0, CLEAN, false },
    { "tall, three hidden layers", TALL, { 80, 40, 33, 24, 10 }, 300, 9, 0, GTR_TF32, GELU, BCE, true, false,
        0, CLEAN, false },
    { "bytes, smoothed labels", SMALL, { 80, 40, 24, 10 }, 64, 9, 5, GTR_TF32, TANH, SMOOTH, true, false,
        0, CLEAN, false },
    { "tall, smoothed labels", TALL, { 80, 40, 24, 10 }, 400, 8, 31, GTR_TF32, TANH, SMOOTH, true, false,
        0, CLEAN, false },
    { "by nodes, FP16", NODES, { 80, 40, 24, 10 }, 64, 9, 0, GTR_MIXED_FP16, TANH, XENT, true, false, 0, CLEAN, false },
    { "by nodes, TF32, clipped", NODES, { 80, 40, 24, 10 }, 96, 9, 5, GTR_TF32, TANH, XENT, true, false,
        0.5f, CLEAN, false },
    { "by nodes, floats, TF32", NODES, { 80, 40, 24, 10 }, 600, 9, 0, GTR_TF32, TANH, MSE, false, false,
        0, CLEAN, false },
    { "narrow, 2^14", NARROW, { 32, 64, 64, 64, 64, 3 }, 1 << 14, 8, 0, GTR_MIXED_FP16, RELU, MSE, false, false,
        0, CLEAN, false },
    { "narrow, BCE", NARROW, { 16, 16, 16, 1 }, 4096, 8, 0, GTR_MIXED_FP16, RELU, BCE, false, false, 0, CLEAN, false },
    { "narrow, 32", NARROW, { 8, 32, 32, 4 }, 6000, 8, 0, GTR_MIXED_FP16, RELU, MSE, false, false, 0, CLEAN, false },
    { "narrow, odd widths", NARROW, { 27, 63, 33, 5 }, 5001, 6, 19, GTR_MIXED_FP16, RELU, MSE, false, false,
        0, CLEAN, false },
    { "narrow, 100 inputs, 20 outputs", NARROW, { 100, 64, 64, 20 }, 8192, 6, 0, GTR_MIXED_FP16, RELU, MSE, false,
        false, 0, CLEAN, false },
    { "narrow, SGD, clipped", NARROW, { 32, 64, 64, 3 }, 8192, 6, 0, GTR_MIXED_FP16, RELU, MSE, false, true,
        0.01f, CLEAN, false },
    { "narrow, tanh", NARROW, { 32, 64, 64, 64, 3 }, 8192, 6, 0, GTR_MIXED_FP16, TANH, MSE, false, false,
        0, CLEAN, false },
    { "narrow, gelu", NARROW, { 32, 64, 64, 3 }, 8192, 6, 0, GTR_MIXED_FP16, GELU, MSE, false, false, 0, CLEAN, false },
    { "narrow, gelu, 63 inputs", NARROW, { 63, 64, 64, 64, 64, 4 }, 8192, 6, 77, GTR_MIXED_FP16, GELU, MSE, false,
        false, 0, CLEAN, true },
    { "narrow, BF16, gelu, six layers", NARROW, { 32, 64, 64, 64, 64, 64, 3 }, 8192, 6, 0, GTR_MIXED_BF16, GELU, MSE,
        false, true, 0.01f, CLEAN, false },
    { "narrow, an activation a layer", NARROW, { 27, 63, 33, 64, 20, 3 }, 5001, 6, 19, GTR_MIXED_FP16, EACH, MSE, false,
        false, 0, CLEAN, false },
    { "narrow, sigmoid", NARROW, { 32, 64, 64, 1 }, 8192, 6, 0, GTR_MIXED_BF16, SIGMOID, BCE, false, false,
        0, CLEAN, false },
    { "narrow, BF16, six layers", NARROW, { 32, 64, 64, 64, 64, 64, 3 }, 8192, 6, 0, GTR_MIXED_BF16, RELU, MSE, false,
        false, 0, CLEAN, false },
    { "narrow, 128", NARROW, { 32, 128, 128, 128, 3 }, 1 << 15, 6, 0, GTR_MIXED_FP16, RELU, MSE, false, false,
        0, CLEAN, true },
    { "narrow, 128, gelu", NARROW, { 32, 128, 128, 128, 128, 3 }, 1 << 14, 6, 123, GTR_MIXED_FP16, GELU, MSE, false,
        false, 0, CLEAN, true },
    { "narrow, 128, tanh, 40 outputs", NARROW, { 64, 128, 100, 40 }, 8192, 6, 0, GTR_MIXED_BF16, TANH, BCE, false,
        false, 0, CLEAN, false },
    { "narrow, 128, an activation a layer", NARROW, { 63, 128, 70, 128, 5 }, 5001, 6, 19, GTR_MIXED_FP16, EACH,
        MSE, false, true, 0.01f, CLEAN, false },
    { "narrow, 128, 40 outputs", NARROW, { 64, 128, 100, 40 }, 8192, 6, 0, GTR_MIXED_FP16, RELU, MSE, false, false,
        0, CLEAN, false },
    { "narrow, BF16, 128", NARROW, { 32, 128, 128, 3 }, 1 << 14, 4, 0, GTR_MIXED_BF16, RELU, MSE, false, false,
        0, CLEAN, false },
    { "narrow, 2^17", NARROW, { 32, 64, 64, 64, 64, 3 }, 1 << 17, 2, 0, GTR_MIXED_FP16, RELU, MSE, false, false,
        0, CLEAN, false },
    { "tall, a target that is not finite", TALL, { 80, 64, 24, 10 }, 300, 9, 0, GTR_TF32, TANH, MSE, true, false, 0,
        WITH_NAN, false },
    { "floats, an input that is not finite", SMALL, { 80, 40, 24, 10 }, 64, 9, 0, GTR_TF32, TANH, MSE, false, false, 0,
        WITH_NAN, false },
    { "narrow, steps that overflow", NARROW, { 32, 64, 64, 64, 64, 3 }, 4096, 9, 0, GTR_MIXED_FP16, RELU, MSE, false,
        false, 0, WITH_HUGE, false },
    { "narrow, BF16, an input that is not finite", NARROW, { 32, 64, 64, 3 }, 1 << 14, 8, 0, GTR_MIXED_BF16, RELU, MSE,
        false, false, 0, WITH_NAN, false },
    { "narrow, BF16, 128, an input that is not finite", NARROW, { 32, 128, 128, 3 }, 1 << 14, 8, 0, GTR_MIXED_BF16,
        RELU, MSE, false, false, 0, WITH_NAN, false },
};
enum { N_NETWORKS = sizeof networks / sizeof *networks };

static int depth(const network *c) { int n = 0; while (n < 8 && c->width[n]) n++; return n - 1; }
static bool labelled(const network *c) { return c->loss == XENT || c->loss == SMOOTH; }
static int64_t rows_of(const network *c) { return c->batch * c->whole + c->tail; }
/* A case as the device can have it; NULL: not at all. Under sanitizers and on the CPU the first few, and few rows. */
static const network *taken(int k, network *c)
{
    *c = networks[k];
    if ((small || device == GTR_DEVICE_CPU) && k > 3) return NULL;
    if (device == GTR_DEVICE_CPU) { c->batch = GTR__MIN(c->batch, 48); c->tail = GTR__MIN(c->tail, 11); }
    return c;
}

/* ---- data and trainers ---- */
static void *data_x, *data_y;
static void data_make(const network *c)
{
    const int64_t rows = rows_of(c), in = c->width[0], out = c->width[depth(c)];
    uint32_t seed = 3;
    int64_t i;
    data_x = malloc((size_t)(rows * in) * (c->bytes ? 1 : sizeof(gtr_float)));
    data_y = malloc((size_t)(rows * (labelled(c) ? 1 : out)) * sizeof(gtr_float));
    for (i = 0; i < rows * in; i++) {
        const float v = noise(&seed);
        if (c->bytes) ((unsigned char *)data_x)[i] = (unsigned char)((v + 1.0f) * 127.9f);
        else ((gtr_float *)data_x)[i] = (gtr_float)v;
    }
    if (labelled(c)) for (i = 0; i < rows; i++) ((int32_t *)data_y)[i] = c->loss == SMOOTH && i % 7 == 3 ? -100
        : (int32_t)((uint32_t)(noise(&seed) * 1e6f + 1e6f) % (uint32_t)out);
    else for (i = 0; i < rows * out; i++) ((gtr_float *)data_y)[i] = (gtr_float)fabsf(noise(&seed));
    if (c->planted) {
        const int64_t row = c->whole / 2 * c->batch + 17;
        *(c->bytes ? (gtr_float *)data_y + row * out : (gtr_float *)data_x + row * in + 1) =
            (gtr_float)(c->planted == WITH_NAN ? NAN : 3e38);
    }
}
static void data_free(void) { free(data_x); free(data_y); }
static gtr_dataset *data_of(gtr_context *ctx, const network *c, int64_t rows)
{
    const int64_t out = c->width[depth(c)];
    gtr_arrays_desc a;
    memset(&a, 0, sizeof a);
    a.rows = rows;
    a.column[0].data = data_x; a.column[0].shape = gtr_shape1(c->width[0]);
    if (c->bytes) a.column[0].dtype = GTR_U8;
    a.column[1].data = data_y;
    if (labelled(c)) a.column[1].dtype = GTR_I32; else a.column[1].shape = gtr_shape1(out);
    return gtr_dataset_arrays(ctx, a);
}
/* metric: NULL, or what a fit of it can show beside the loss. */
static gtr_trainer *trainer_of(gtr_context *ctx, const network *c, const gtr_trainer_desc *d, gtr_tensor **metric)
{
    const int layers = depth(c);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, c->width[0])), *h = x, *y, *loss;
    gtr_cross_entropy_desc smooth;
    int l;
    memset(&smooth, 0, sizeof smooth);
    smooth.label_smoothing = 0.1f;
    for (l = 1; l <= layers; l++) {
        char name[8];
        snprintf(name, sizeof name, "fc%d", l);
        if (l > 1) switch (c->act == EACH ? l % EACH : c->act) {
        case RELU: h = gtr_relu(h); break;
        case TANH: h = gtr_tanh(h); break;
        case GELU: h = gtr_gelu(h); break;
        case SIGMOID: h = gtr_sigmoid(h); break;
        default: h = gtr_gelu_tanh(h);
        }
        h = gtr_linear(h, name, c->width[l]);
    }
    y = labelled(c) ? gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH))
        : gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, c->width[layers]));
    loss = c->loss == XENT ? gtr_cross_entropy(h, y) : c->loss == SMOOTH ? gtr_cross_entropy_ex(h, y, smooth)
        : c->loss == MSE ? gtr_mse(h, y) : gtr_bce_with_logits(h, y);
    if (metric) *metric = labelled(c) ? gtr_accuracy(h, y) : NULL;
    return gtr_trainer_create(loss, *d);
}
static gtr_trainer_desc desc_of(const network *c)
{
    gtr_trainer_desc d;
    memset(&d, 0, sizeof d);
    d.precision = c->precision; d.clip_norm = c->clip;
    if (c->sgd) { d.lr = 0.02f; d.momentum = 0.9f; } else d.optimizer = GTR_ADAM;
    return d;
}
static gtr_fit_desc fit_of(const network *c, int epochs)
{
    gtr_fit_desc f;
    memset(&f, 0, sizeof f);
    f.epochs = epochs; f.batch = c->batch; f.silent = true;
    return f;
}
/* All parameters, states and, where they are asked for, the last step's gradients; kernels of whole networks leave
   these where they belong, which users need not know: here they are read after gtr_fit, too. */
static uint64_t state_hash(gtr_context *ctx, gtr_trainer *t, bool gradients)
{
    uint64_t h = HASH_BEGIN;
    int64_t i;
    int what;
    for (i = 0; i < gtr_parameter_count(ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(ctx, i);
        unsigned char *b = (unsigned char *)malloc(gtr__bytes_of(p));
        for (what = 0; what < (gradients ? 4 : 3); what++) {
            if (what < 3 && what > t->optim.states) continue;
            t->fitted = false;
            EXPECT_EQ(what == 0 ? gtr_get(p, b, gtr__bytes_of(p)) : what < 3
                ? gtr_state_get(t, p, what - 1, b, gtr__bytes_of(p))
                : gtr_gradient_get(t, p, b, gtr__bytes_of(p)), GTR_OK);
            h = hash_of(h, b, gtr__bytes_of(p));
        }
        free(b);
    }
    return h;
}

/* Runs a test over the networks that the device takes, with their data, but for those it leaves out. */
enum { PLANTED = 1, VERY_TALL = 2, NOT_HURRIED = 4 };
static void each(void (*test)(const network *c), int without)
{
    int k;
    for (k = 0; k < N_NETWORKS; k++) {
        network c;
        if (!check_mine(k) || !taken(k, &c) || ((without & PLANTED) && c.planted)
                || ((without & VERY_TALL) && c.batch > 1 << 14) || ((without & NOT_HURRIED) && !c.hurried))
            continue;
        data_make(&c);
        test(&c);
        data_free();
    }
}
/* Whether there is a trainer; only a precision that the device does not have is a reason why not. */
static bool made(gtr_context *ctx, const gtr_trainer *t, const network *c)
{
    if (!t) CHECK(gtr_error(ctx) == GTR_ERR_UNSUPPORTED, "%s: %s", c->name, gtr_error_text(ctx));
    return t != NULL;
}

/* ---- gtr_fit, a loop of gtr_step, and gtr_fit again ---- */
static void many_steps_of(const network *c)
{
    static gtr_report history[2][64];
    const gtr_trainer_desc d = desc_of(c);
    gtr_context *ctx[3];
    gtr_trainer *t[3];
    gtr_result result[2];
    const int per = c->whole + (c->tail > 0), epochs = per >= 8 ? 2 : 4,
        bad = c->planted == WITH_NAN && c->precision != GTR_MIXED_FP16 ? c->whole / 2 : -1;
    int k, done;
    for (k = 0; k < 3; k++) { ctx[k] = gtr_create(desc0()); t[k] = trainer_of(ctx[k], c, &d, NULL); }
    if (!t[0] && gtr_error(ctx[0]) == GTR_ERR_UNSUPPORTED) SKIP("%s: %s", c->name, gtr_error_text(ctx[0]));
    else {
        memset(history, 0, sizeof history);
        for (k = 0; k < 2; k++) {
            gtr_fit_desc f = fit_of(c, epochs);
            f.history = history[k]; f.history_size = 64; f.no_shuffle = c->planted != CLEAN;
            result[k] = gtr_fit(t[k], data_of(ctx[k], c, rows_of(c)), f);
            CHECK(result[k] == (bad < 0 ? GTR_OK : GTR_ERR_NONFINITE), "%s: gtr_fit says %s", c->name,
                gtr_error_text(ctx[k]));
            if (bad >= 0) {
                CHECK(strstr(gtr_error_text(ctx[k]), c->bytes ? "input \"y\"" : "input \"x\"") != NULL, "%s: %s",
                    c->name, gtr_error_text(ctx[k]));
                gtr_error_clear(ctx[k]);
            }
        }
        t[2]->running.several = true;
        EXPECT_EQ(gtr_trainer_data(t[2], data_of(ctx[2], c, rows_of(c)), c->batch, !c->planted, false), GTR_OK);
        if (ctx[2]->caps.compute >= 90 && ctx[2]->caps.sm_count >= 128)
            CHECK(*c->by ? strstr(gtr_plan_text(t[2], c->batch), c->by) != NULL
                : !strstr(gtr_plan_text(t[2], c->batch), "perceptron"), "%s: not by the kernel \"%s\":\n%s", c->name,
                c->by, gtr_plan_text(t[2], c->batch));
        done = bad < 0 ? per * epochs : bad;
        for (k = 0; k < done; k++) {
            gtr_report r;
            EXPECT_EQ(gtr_step(t[2]), GTR_OK);
            EXPECT_EQ(gtr_wait(ctx[2]), GTR_OK);
            r = gtr_trainer_report(t[2]);
            if (!CHECK(!memcmp(&history[0][k].loss, &r.loss, sizeof r.loss) && history[0][k].skipped == r.skipped
                    && history[0][k].step == r.step, "%s: step %d of gtr_fit: loss %.9g%s, alone %.9g%s", c->name,
                    k + 1, (double)history[0][k].loss, history[0][k].skipped ? ", skipped" : "", (double)r.loss,
                    r.skipped ? ", skipped" : ""))
                break;
        }
        EXPECT(c->planted != WITH_HUGE || history[0][c->whole / 2].skipped);
        CHECK(!memcmp(history[0], history[1], sizeof history[0]), "%s: two fits report other steps", c->name);
        for (k = 0; k < 2; k++) CHECK(state_hash(ctx[k], t[k], bad < 0) == state_hash(ctx[2], t[2], bad < 0),
            "%s: fit %d ends with other bits than a loop of steps", c->name, k + 1);
        for (k = 0; k < 3; k++) EXPECT_OK(ctx[k]);
    }
    for (k = 0; k < 3; k++) gtr_destroy(ctx[k]);
}
static void many_steps(void) { each(many_steps_of, 0); }

/* ---- against nodes, at the ends of ranges ---- */
typedef enum end { AS_IT_IS, EDGE, ZERO, OUTLIER, TINY, LARGE, BLACK, WHITE, N_ENDS } end;
static const char *const end_text[] = { "as they are", "weights that round up to a power of two", "a layer of zeros",
    "one large weight", "a layer of tiny weights", "a layer of large weights", "x all zeros", "x at its most" };
static void put_end(gtr_context *ctx, const network *c, end e)
{
    int l;
    for (l = 1; l <= depth(c); l++) {
        char name[16];
        gtr_tensor *p;
        gtr_float *w;
        int64_t i, n;
        snprintf(name, sizeof name, "fc%d.weight", l);
        p = gtr_parameter_find(ctx, name);
        n = (int64_t)(gtr__bytes_of(p) / sizeof *w);
        w = (gtr_float *)malloc(gtr__bytes_of(p));
        EXPECT_EQ(gtr_get(p, w, gtr__bytes_of(p)), GTR_OK);
        for (i = 0; i < n; i++) {
            if (e == EDGE && i % 97 == 0) w[i] = (gtr_float)(i & 1 ? 0.49999 : -0.49999);
            if (e == ZERO && l == 2) w[i] = 0;
            if (e == OUTLIER && l == 1 && i == 5) w[i] = 60;
            if (e == TINY && l == 1) w[i] *= (gtr_float)(c->precision == GTR_MIXED_FP16 ? 1.0 / 1024 : 1.0 / (1 << 30));
            if (e == LARGE && l == depth(c)) w[i] *= 64;
        }
        EXPECT_EQ(gtr_set(p, w, gtr__bytes_of(p)), GTR_OK);
        free(w);
    }
}
/* The gradient after some steps that hardly move the weights: what they are sent round as is used, too. The error of
   the whole network's kernel to float32 is at most three times that of nodes in the same precision, and what one more
   rounding of all may make of it. Short batches go without ReLU: there one that is decided the other way, by rounding,
   is more than that. */
static void ends_of(const network *c)
{
    static const double limit[] = { 1e-10, 1e-6, 2e-5, 5e-7 };     /* FP32, TF32, BF16, FP16 */
    int e, k;
    int64_t i, j;
    for (e = 0; e < (small ? ZERO : N_ENDS); e++) {
        gtr_context *ctx[3];            /* the kernel, nodes, nodes in float32 */
        gtr_trainer *t[3];
        double loss[3];
        bool refused = false;
        if ((e == BLACK || e == WHITE)) {
            for (i = 0; i < c->batch * c->width[0]; i++)
                if (c->bytes) ((unsigned char *)data_x)[i] = e == BLACK ? 0 : 255;
                else ((gtr_float *)data_x)[i] = (gtr_float)(e == BLACK ? 0 : 1);
        }
        for (k = 0; k < 3; k++) {
            gtr_trainer_desc d = desc_of(c);
            gtr_fit_desc f = fit_of(c, 9);
            ctx[k] = gtr_create(desc0());
            d.optimizer = GTR_SGD; d.momentum = 0; d.lr = 1e-9f; d.clip_norm = 0; d.loss_scale = 256;
            d.no_matchers = k > 0;
            if (k == 2) d.precision = GTR_FP32;
            t[k] = trainer_of(ctx[k], c, &d, NULL);
            if (!t[k]) { refused = gtr_error(ctx[k]) == GTR_ERR_UNSUPPORTED; break; }
            put_end(ctx[k], c, (end)e);
            f.no_shuffle = true;
            EXPECT_EQ(gtr_fit(t[k], data_of(ctx[k], c, c->batch), f), GTR_OK);
            loss[k] = (double)gtr_trainer_report(t[k]).loss;
            EXPECT(!gtr_trainer_report(t[k]).skipped);
            t[k]->fitted = false;
        }
        if (k == 3) {
            CHECK(fabs(loss[0] - loss[2]) <= 3 * fabs(loss[1] - loss[2]) + 1e-4 * (fabs(loss[2]) + 1),
                "%s, %s: loss %.9g, by nodes %.9g, in float32 %.9g", c->name, end_text[e], loss[0], loss[1], loss[2]);
            for (i = 0; i < gtr_parameter_count(ctx[0]); i++) {
                const char *name = gtr_tensor_name(gtr_parameter_at(ctx[0], i));
                const size_t bytes = gtr__bytes_of(gtr_parameter_at(ctx[0], i));
                gtr_float *g[3];
                double off[2] = { 0, 0 }, all = 0;
                for (k = 0; k < 3; k++) {
                    g[k] = (gtr_float *)malloc(bytes);
                    EXPECT_EQ(gtr_gradient_get(t[k], gtr_parameter_find(ctx[k], name), g[k], bytes), GTR_OK);
                }
                for (j = 0; j < (int64_t)(bytes / sizeof **g); j++) {
                    all += (double)g[2][j] * (double)g[2][j];
                    for (k = 0; k < 2; k++)
                        off[k] += ((double)g[k][j] - (double)g[2][j]) * ((double)g[k][j] - (double)g[2][j]);
                }
                CHECK(off[0] <= 3 * off[1] + limit[c->precision] * all + 1e-60,
                    "%s, %s: gradient of \"%s\": NMSE to float32 %.3g, by nodes %.3g", c->name, end_text[e], name,
                    off[0] / all, off[1] / all);
                for (k = 0; k < 3; k++) free(g[k]);
            }
            for (k = 0; k < 3; k++) EXPECT_OK(ctx[k]);
            k = 2;
        } else if (refused) SKIP("%s: %s", c->name, gtr_error_text(ctx[k]));
        else CHECK(0, "%s: %s", c->name, gtr_error_text(ctx[k]));
        for (; k >= 0; k--) gtr_destroy(ctx[k]);
        if (refused) break;
    }
}
static void ends(void) { each(ends_of, PLANTED); }

/* ---- every rule of the optimizers, groups, schedules ---- */
static float halving(int64_t step, void *user) { (void)user; return step < 5 ? 0.02f : 0.01f; }
/* What an epoch or two make of the parameters, against nodes. */
static void rules_of(const network *c)
{
    static gtr_group groups[2], frozen[1];
    enum { RULES = 8 };
    int rule, k;
    memset(groups, 0, sizeof groups);
    groups[0].pattern = "*.bias"; groups[0].lr_scale = 3; groups[0].weight_decay = GTR_ZERO;
    groups[1].pattern = "fc2.*"; groups[1].lr_scale = 0.5f; groups[1].weight_decay = 0.2f;
    frozen[0].pattern = "fc1.bias"; frozen[0].frozen = true;
    for (rule = 0; rule < (small ? 2 : RULES); rule++) {
        static const char *const text[RULES] = { "Nesterov, decay, groups", "AdamW, groups, a rate of the user's",
            "SGD", "momentum, cosine", "Adam, decay", "Adam, other betas, groups",
                                                "guard on the loss alone", "a frozen parameter" };
        gtr_trainer_desc d;
        gtr_context *ctx[2];
        gtr_trainer *t[2] = { NULL, NULL };
        gtr_float *start[16] = { NULL };    /* by parameter: the same in both */
        int64_t i, j;
        memset(&d, 0, sizeof d);
        d.precision = c->precision; d.loss_scale = 256;
        d.lr = 0.02f;
        if (rule == 0) { d.momentum = 0.8f; d.nesterov = true; d.weight_decay = 0.1f; }
        if (rule == 1) {
            d.optimizer = GTR_ADAMW; d.weight_decay = 0.5f; d.schedule = GTR_CUSTOM_SCHEDULE; d.lr_fn = halving;
        }
        if (rule == 3) {
            d.momentum = 0.9f; d.schedule = GTR_COSINE; d.warmup_steps = 3; d.total_steps = 9; d.min_lr = 0.001f;
        }
        if (rule == 4 || rule == 5) { d.optimizer = GTR_ADAM; d.lr = 0.003f; }
        if (rule == 4) d.weight_decay = 0.1f;
        if (rule == 5) { d.beta1 = 0.7f; d.beta2 = 0.9f; }
        if (rule == 6) { d.momentum = 0.9f; d.nonfinite = GTR_NONFINITE_LOSS; }
        /* no step hangs on the sign of a gradient that is next to nothing */
        if (d.optimizer) d.eps = 1e-3f;
        if (rule == 0 || rule == 1 || rule == 5) { d.groups = groups; d.n_groups = 2; }
        if (rule == 7) { d.groups = frozen; d.n_groups = 1; }
        for (k = 0; k < 2; k++) {
            gtr_fit_desc f = fit_of(c, c->whole < 8 ? 2 : 1);
            ctx[k] = gtr_create(desc0());
            d.no_matchers = k > 0;
            t[k] = trainer_of(ctx[k], c, &d, NULL);
            if (!made(ctx[k], t[k], c)) continue;
            for (i = 0; k == 0 && i < gtr_parameter_count(ctx[k]); i++) {
                gtr_tensor *p = gtr_parameter_at(ctx[k], i);
                start[i] = (gtr_float *)malloc(gtr__bytes_of(p));
                EXPECT_EQ(gtr_get(p, start[i], gtr__bytes_of(p)), GTR_OK);
            }
            EXPECT_EQ(gtr_fit(t[k], data_of(ctx[k], c, rows_of(c)), f), GTR_OK);
            EXPECT(!gtr_trainer_report(t[k]).skipped);
        }
        for (i = 0; t[0] && i < gtr_parameter_count(ctx[0]); i++) {
            gtr_tensor *p = gtr_parameter_at(ctx[0], i);
            gtr_float *u = (gtr_float *)malloc(gtr__bytes_of(p)), *v = (gtr_float *)malloc(gtr__bytes_of(p));
            double off = 0, went = 0;
            EXPECT_EQ(gtr_get(p, u, gtr__bytes_of(p)), GTR_OK);
            EXPECT_EQ(gtr_get(gtr_parameter_find(ctx[1], gtr_tensor_name(p)), v, gtr__bytes_of(p)), GTR_OK);
            for (j = 0; j < (int64_t)(gtr__bytes_of(p) / sizeof *u); j++) {
                off += ((double)u[j] - (double)v[j]) * ((double)u[j] - (double)v[j]);
                went += ((double)v[j] - (double)start[i][j]) * ((double)v[j] - (double)start[i][j]);
            }
            CHECK((went > 0 || (rule == 7 && !strcmp(gtr_tensor_name(p), "fc1.bias")))
                && off <= 1e-3 * went,
                 "%s, %s: \"%s\": NMSE of how far it went, to nodes, %.3g", c->name, text[rule],
                 gtr_tensor_name(p), off / went);
            free(u); free(v); free(start[i]);
        }
        for (k = 0; k < 2; k++) { if (t[k]) EXPECT_OK(ctx[k]); gtr_destroy(ctx[k]); }
    }
}
static void rules(void) { each(rules_of, PLANTED | VERY_TALL); }

/* ---- what a fit shows: an epoch's means, its last step of fewer rows among them, and those of a validation ---- */
typedef struct seen { int epochs; float figure[2][4]; } seen;
static bool see(const gtr_progress *p)
{
    seen *s = (seen *)p->user;
    if (s->epochs < 2) {
        float *f = s->figure[s->epochs++]; f[0] = p->loss; f[1] = p->metric; f[2] = p->val_loss; f[3] = p->val_metric;
    }
    return true;
}
static void figures_of(const network *c)
{
    static const char *const text[] = { "loss", "metric", "validation loss", "validation metric" };
    gtr_context *ctx[2];
    seen s[2];
    int k, e, i;
    bool both = true;
    memset(s, 0, sizeof s);
    for (k = 0; k < 2; k++) {
        gtr_trainer_desc d = desc_of(c);
        gtr_fit_desc f = fit_of(c, 2);
        gtr_trainer *t;
        ctx[k] = gtr_create(desc0());
        d.no_matchers = k > 0; d.loss_scale = 256;
        t = trainer_of(ctx[k], c, &d, &f.metric);
        if (!made(ctx[k], t, c)) { both = false; continue; }
        f.validation = data_of(ctx[k], c, c->batch + 5);
        f.callback = see; f.callback_user = &s[k];
        EXPECT_EQ(gtr_fit(t, data_of(ctx[k], c, rows_of(c)), f), GTR_OK);
        EXPECT_OK(ctx[k]);
        EXPECT_EQ(s[k].epochs, 2);
        for (e = 0; e < 2; e++) EXPECT(s[k].figure[e][0] > 0 && s[k].figure[e][2] > 0);
    }
    for (e = 0; both && e < 2; e++) for (i = 0; i < 4; i++) {
        const double a = (double)s[0].figure[e][i], b = (double)s[1].figure[e][i];
        if (i % 2 && !labelled(c)) continue;
        CHECK(fabs(a - b) <= (i % 2 ? 0.03 : 2e-3 * (1 + fabs(b))), "%s: epoch %d: %s %.6g, by nodes %.6g", c->name,
            e + 1, text[i], a, b);
    }
    for (k = 0; k < 2; k++) gtr_destroy(ctx[k]);
}
static void figures(void) { each(figures_of, PLANTED | VERY_TALL); }

/* ---- kernels that there is no room for, a library that is not there: planned around ---- */
typedef struct heard { int n; char text[2048]; } heard;
/* That kernels took long to compile, which is no warning, and by the machine. */
static bool of_kernels(gtr_level level, const char *text) { return level == GTR_LOG_INFO && strstr(text, "compiled"); }
static void hear(gtr_level level, const char *text, void *user)
{
    heard *h = (heard *)user;
    if (of_kernels(level, text)) return;
    EXPECT_EQ(level, GTR_LOG_WARNING);
    h->n++;
    snprintf(h->text + strlen(h->text), sizeof h->text - strlen(h->text), "%s\n", text);
}
static void crowded_of(const network *c)
{
    gtr_context *ctx[2];
    gtr_trainer *t[2];
    heard h;
    int k;
    memset(&h, 0, sizeof h);
    for (k = 0; k < 2; k++) {
        gtr_trainer_desc d = desc_of(c);
        gtr_desc of = desc0();
        of.log = hear; of.log_user = &h;
        d.no_matchers = k > 0;
        ctx[k] = gtr_create(of);
        if (k == 0) ctx[k]->caps.room = 1;
        ctx[k]->caps.chains = -1; /* which add in another order, as last layers do: see test_chain.c */
        ctx[k]->caps.without = matcher_bit(ctx[k], LAST_LAYER);
        t[k] = trainer_of(ctx[k], c, &d, NULL);
        if (!made(ctx[k], t[k], c)) continue;
        EXPECT_EQ(gtr_fit(t[k], data_of(ctx[k], c, rows_of(c)), fit_of(c, 2)), GTR_OK);
        EXPECT_OK(ctx[k]);
    }
    if (t[0] && t[1]) {
        CHECK(state_hash(ctx[0], t[0], false) == state_hash(ctx[1], t[1], false),
            "%s: without room for its kernel it is not what nodes make of it", c->name);
        if (ctx[0]->caps.compute >= 90 && ctx[0]->caps.sm_count >= 128 && *c->by)
            CHECK(h.n > 0 && strstr(h.text, "no room"), "%s: the log says \"%s\"", c->name, h.text);
        EXPECT(device != GTR_DEVICE_CPU || h.n == 0);
    }
    for (k = 0; k < 2; k++) gtr_destroy(ctx[k]);
}
static void crowded(void) { each(crowded_of, PLANTED | VERY_TALL); }
static void own_products(void)
{
    const int64_t n = device == GTR_DEVICE_CPU ? 64 : 2048;
    uint64_t hash[2] = { 0, 0 };
    heard h;
    int k;
    memset(&h, 0, sizeof h);
    for (k = 0; k < 2; k++) {
        network c = { "a library that is not there", "", { n, n, n }, n, 1, 0, GTR_TF32, RELU, MSE, false, false,
            0, CLEAN, false };
        gtr_desc of = desc0();
        gtr_context *ctx;
        gtr_trainer *t;
        gtr_trainer_desc d = desc_of(&c);
        gtr_fit_desc f = fit_of(&c, 3);
        bool library;
        of.log = hear; of.log_user = &h;
        ctx = gtr_create(of);
        library = ctx->caps.product_workspace != 0;
        if (k == 0) ctx->caps.no_library = 1; else ctx->caps.product_workspace = 0;
        data_make(&c);
        t = trainer_of(ctx, &c, &d, NULL);
        EXPECT_EQ(gtr_fit(t, data_of(ctx, &c, n), f), GTR_OK);
        EXPECT_OK(ctx);
        hash[k] = state_hash(ctx, t, false);
        if (k == 0 && device == GTR_DEVICE_CUDA && library && ctx->caps.compute >= 80)
            CHECK(h.n == 1 && strstr(h.text, "cuBLASLt"), "the log says \"%s\"", h.text);
        data_free();
        gtr_destroy(ctx);
    }
    CHECK(hash[0] == hash[1],
        "what own products make where the library is missing is not what they make where it is not asked");
}

/* ---- blocks that lose patience with each other ---- */
/* Which launches were given up, as the log has it, and what the context planned without from there on. */
typedef struct given_up { gtr_context *ctx; int n; uint64_t step[8]; uint32_t without[8]; } given_up;
static void note(gtr_level level, const char *text, void *user)
{
    given_up *g = (given_up *)user;
    unsigned long long step;
    if (of_kernels(level, text)) return;
    if (!CHECK(sscanf(text, "step %llu: blocks of the GPU waited", &step) == 1 && g->n < 8,
            "the log says \"%s\"", text))
        return;
    g->step[g->n] = step - 1;
    g->without[g->n++] = g->ctx->caps.without;
}
/* How steps are fed: by gtr_fit, from a data set of gtr_trainer_data, by gtr_set, from one that is streamed. */
enum { FIT, STEPS, SET, STREAM, N_FEEDS };
static const char *const feed_text[N_FEEDS] = { "gtr_fit", "steps", "steps by gtr_set", "steps of a stream" };
static void set_batch(gtr_trainer *t, const network *c, int64_t k)
{
    const int64_t in = c->width[0], out = labelled(c) ? 1 : c->width[depth(c)];
    gtr_float *x = (gtr_float *)malloc((size_t)(c->batch * in) * sizeof *x);
    int64_t i;
    k = k % c->whole * c->batch;
    for (i = 0; i < c->batch * in; i++)
        x[i] = c->bytes ? (gtr_float)((unsigned char *)data_x)[k * in + i] / 255 : ((gtr_float *)data_x)[k * in + i];
    EXPECT_EQ(gtr_set(t->feeding.input[0], x, (size_t)(c->batch * in) * sizeof *x), GTR_OK);
    EXPECT_EQ(gtr_set(t->feeding.input[1], (char *)data_y + (size_t)(k * out) * 4, (size_t)(c->batch * out) * 4),
        GTR_OK);
    free(x);
}
/* Launches that are given up at once, in the middle, or at the last meeting, where one block is late: their steps are
   repeated by other kernels. To the last bit it is as if these had been planned from the given up launch's first step
   on: parameters, states, the count of steps, the loss's scale, and what is reported of each step. */
static void without_patience(const network *c, int feed, int looks, int late)
{
    static gtr_report history[64];
    const gtr_trainer_desc d = desc_of(c);
    const int per = c->whole + (feed != SET && c->tail > 0), steps = 3 * per;
    gtr_context *ctx[2];
    gtr_trainer *t[2];
    given_up g;
    int k, i;
    memset(&g, 0, sizeof g);
    memset(history, 0, sizeof history);
    for (k = 0; k < 2; k++) {
        gtr_desc of = desc0();
        if (k == 0) { of.log = note; of.log_user = &g; }
        ctx[k] = gtr_create(of);
        t[k] = trainer_of(ctx[k], c, &d, NULL);
        if (!made(ctx[k], t[k], c)) { while (k >= 0) gtr_destroy(ctx[k--]); return; }
    }
    g.ctx = ctx[0];
    ctx[0]->caps.hurry = looks; ctx[0]->caps.late = late;
    if (feed == FIT) {
        gtr_fit_desc f = fit_of(c, 3);
        f.history = history; f.history_size = 64;
        EXPECT_EQ(gtr_fit(t[0], data_of(ctx[0], c, rows_of(c)), f), GTR_OK);
    } else {
        if (feed != SET) {
            gtr_dataset *d = data_of(ctx[0], c, rows_of(c));
            gtr_dataset_stream(d, feed == STREAM ? GTR_STREAM_ALWAYS : GTR_STREAM_AUTO);
            EXPECT_EQ(gtr_trainer_data(t[0], d, c->batch, true, false), GTR_OK);
        }
        for (i = 0; i < steps; i++) {
            if (feed == SET) set_batch(t[0], c, i);
            EXPECT_EQ(gtr_step(t[0]), GTR_OK);
        }
    }
    EXPECT_EQ(gtr_wait(ctx[0]), GTR_OK);
    EXPECT_OK(ctx[0]);
    EXPECT_EQ(t[0]->runner->step, steps);
    EXPECT_EQ(gtr_trainer_report(t[0]).step, steps);
    if (device == GTR_DEVICE_CUDA && ctx[0]->caps.compute >= 90 && ctx[0]->caps.sm_count > 100
        && (looks == 1 || (late > 0 && late < 3)))
        CHECK(g.n > 0 || !*c->by || (feed != FIT && strcmp(c->by, NARROW)),
            "%s, %s, %d looks, block %d late: nothing was given up", c->name, feed_text[feed], looks, late);
    t[1]->running.several = feed == FIT;
    if (feed != SET) EXPECT_EQ(gtr_trainer_data(t[1], data_of(ctx[1], c, rows_of(c)), c->batch, true, false), GTR_OK);
    for (i = 0, k = 0; i < steps; i++) {
        gtr_report r;
        for (; k < g.n && g.step[k] == (uint64_t)i; k++) ctx[1]->caps.without = g.without[k];
        if (feed == SET) set_batch(t[1], c, i);
        EXPECT_EQ(gtr_step(t[1]), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx[1]), GTR_OK);
        r = gtr_trainer_report(t[1]);
        if (feed == FIT && !CHECK(!memcmp(&history[i].loss, &r.loss, sizeof r.loss) && history[i].step == r.step,
                "%s, %d looks, block %d late: step %d has loss %.9g, want %.9g", c->name, looks, late, i + 1,
                (double)history[i].loss, (double)r.loss))
            break;
    }
    CHECK(state_hash(ctx[0], t[0], false) == state_hash(ctx[1], t[1], false),
        "%s, %s, %d looks, block %d late: %d launches were given up, the first at step %d, and left traces", c->name,
        feed_text[feed], looks, late, g.n, g.n ? (int)g.step[0] + 1 : 0);
    for (k = 0; k < 2; k++) { EXPECT_OK(ctx[k]); gtr_destroy(ctx[k]); }
}
static void impatient_of(const network *c)
{
    const int most = device == GTR_DEVICE_CPU ? 2 : 1 << 20; /* a GPU's blocks wait, and give up */
    int looks, feed;
    for (looks = 1; looks < most; looks *= 12) for (feed = 0; feed < (small ? 1 : N_FEEDS); feed++)
        without_patience(c, feed, looks, 0);
}
static void impatient(void) { each(impatient_of, NOT_HURRIED); }
static void belated_of(const network *c)
{
    const int late[] = { 1, 2, 60, 132 };
    int k, feed;
    for (k = 0; k < (small ? 1 : 4); k++) for (feed = 0; feed < (small ? 1 : N_FEEDS); feed++)
        without_patience(c, feed, 1 << 16, late[k]);
}
static void belated(void) { each(belated_of, NOT_HURRIED); }

/* Blocks of a norm's kernel that wait for each other in vain: its step changes nothing and is done again by two
   launches, and so are those behind it. Beside another trainer, whose steps may have run before, it is an error. */
enum { NORMED = 1 << 15 };
static gtr_trainer *normed(gtr_context *ctx, gtr_precision precision, const char *scope)
{
    gtr_trainer_desc d;
    gtr_tensor *x, *y, *h;
    memset(&d, 0, sizeof d);
    d.lr = 0.05f; d.precision = precision;
    gtr_scope_begin(ctx, scope);
    x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 32));
    y = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 1));
    h = gtr_tanh(gtr_batch_norm(gtr_linear(x, "a", 32), "norm"));
    h = gtr_mse(gtr_linear(h, "b", 1), y);
    gtr_scope_end(ctx);
    return gtr_trainer_create(h, d);
}
static void normed_set(gtr_trainer *t, uint32_t seed)
{
    static gtr_float x[NORMED * 32];
    for (int i = 0; i < NORMED * 32; i++) x[i] = (gtr_float)noise(&seed);
    EXPECT_EQ(gtr_set(t->feeding.input[0], x, sizeof x), GTR_OK);
    EXPECT_EQ(gtr_set(t->feeding.input[1], x, NORMED * sizeof *x), GTR_OK);
}
/* The one that is to give launches up, which g notes, and one to compare it with. */
static bool two_normed(gtr_context **ctx, gtr_trainer **t, gtr_precision precision, given_up *g)
{
    memset(g, 0, sizeof *g);
    for (int k = 0; k < 2; k++) {
        gtr_desc of = desc0();
        if (!k) { of.log = note; of.log_user = g; }
        ctx[k] = gtr_create(of);
        t[k] = normed(ctx[k], precision, "one");
        if (!CHECK(t[k] != NULL, "%s", gtr_error_text(ctx[k]))) return false;
    }
    g->ctx = ctx[0];
    return true;
}
static void impatient_norms(void)
{
    for (int k = 0; k < (device == GTR_DEVICE_CPU ? 2 : 6); k++) {
        const gtr_precision precision = k % 2 ? GTR_MIXED_FP16 : GTR_FP32;
        gtr_context *ctx[2];
        gtr_trainer *t[2];
        given_up g;
        if (!two_normed(ctx, t, precision, &g)) return;
        for (int i = 0; i < 4; i++) {
            if (i == 1) { ctx[0]->caps.hurry = k < 2 ? 1 : 64; ctx[0]->caps.late = k < 2 ? 0 : k / 2; }
            if (i == 1) for (int c = 0; c < 2; c++) ctx[c]->memory.version++; /* launches are captured anew */
            normed_set(t[0], (uint32_t)i);
            EXPECT_EQ(gtr_step(t[0]), GTR_OK);
        }
        EXPECT_EQ(gtr_wait(ctx[0]), GTR_OK);
        EXPECT_OK(ctx[0]);
        EXPECT_EQ(gtr_trainer_report(t[0]).step, 4);
        EXPECT(precision == GTR_FP32 || gtr_trainer_report(t[0]).loss_scale >= 32768);
        if (ctx[0]->caps.cuda && k > 1) CHECK(g.n == 1, "%d launches were given up", g.n);
        for (int i = 0; i < 4; i++) {
            if (g.n && g.step[0] == (uint64_t)i) ctx[1]->caps.without = g.without[0];
            normed_set(t[1], (uint32_t)i);
            EXPECT_EQ(gtr_step(t[1]), GTR_OK);
        }
        EXPECT_EQ(gtr_wait(ctx[1]), GTR_OK);
        CHECK(state_hash(ctx[0], t[0], false) == state_hash(ctx[1], t[1], false), "variant %d: it left traces", k);
        ctx[0]->caps.without = 0; ctx[0]->caps.late = 1; ctx[0]->memory.version++;
        EXPECT(normed(ctx[0], precision, "two") != NULL);
        normed_set(t[0], 4);
        EXPECT_EQ(gtr_step(t[0]), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx[0]), ctx[0]->caps.cuda ? GTR_ERR_CUDA : GTR_OK);
        EXPECT(!ctx[0]->caps.cuda || strstr(gtr_error_text(ctx[0]), "step 5: blocks of the GPU waited"));
        gtr_error_clear(ctx[0]);
        normed_set(t[0], 4);
        EXPECT_EQ(gtr_step(t[0]), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx[0]), GTR_OK);
        EXPECT_EQ(gtr_trainer_report(t[0]).step, ctx[0]->caps.cuda ? 5 : 6);
        for (int c = 0; c < 2; c++) { EXPECT_OK(ctx[c]); gtr_destroy(ctx[c]); }
    }
}

/* A device that is late: it does a launch only when the host asks for what lies behind it. So a step that is done again
   is, like any other, as late as its inputs' events allow. */
static struct late {
    gtr__backend real;
    struct { void *const *instances; void *exec; gtr__half part; } queue[16];
    uint64_t queued, done;
    void *event[8];     /* of uploads */
    uint64_t before[8]; /* launches that were queued before it */
} late;
static uint64_t *late_before(void *event)
{
    int k = 0;
    while (late.event[k] && late.event[k] != event) k++;
    if (!CHECK(k < 7, "more events than inputs have slots")) k = 0;
    late.event[k] = event;
    return &late.before[k];
}
/* Does the first n launches, to their end: real events, which were recorded before them, do not tell when that is. */
static gtr_result late_until(uint64_t n, void *instance)
{
    const bool any = late.done < n;
    gtr_result r = GTR_OK;
    for (; late.done < n && !r; late.done++)
        r = late.real.launch(late.queue[late.done % 16].instances, late.queue[late.done % 16].exec,
            late.queue[late.done % 16].part);
    return any && !r ? late.real.wait(instance) : r;
}
static gtr_result late_launch(void *const *instances, void *exec, gtr__half part)
{
    const gtr_result r = late.queued - late.done < 16 ? GTR_OK : late_until(late.done + 1, instances[0]);
    late.queue[late.queued % 16].instances = instances; late.queue[late.queued % 16].exec = exec;
    late.queue[late.queued++ % 16].part = part;
    return r;
}
static gtr_result late_wait(void *instance)
{
    const gtr_result r = late_until(late.queued, instance);
    return r ? r : late.real.wait(instance);
}
static gtr_result late_copy(void *instance, void *dst, const void *src, size_t bytes, gtr__copy kind, bool wait)
{
    const gtr_result r = late_until(late.queued, instance);
    return r ? r : late.real.copy(instance, dst, src, bytes, kind, wait);
}
static gtr_result late_upload(void *instance, void *dst, const void *src, size_t bytes, void *after, void **event)
{
    gtr_result r = after ? late_until(*late_before(after), instance) : GTR_OK;
    if (!r) r = late.real.upload(instance, dst, src, bytes, after, event);
    if (!r) *late_before(*event) = late.queued;
    return r;
}
static gtr_result late_ready(void *instance, void *event)
{
    const gtr_result r = late_until(*late_before(event), instance);
    return r ? r : late.real.ready(instance, event);
}
/* What gtr_set puts behind a step that is given up is not what that step reads when it is done again: of the first step
   the host knows that it was in front of the second's gtr_step, of the second it does not in front of the third's. */
static void sets_behind(void)
{
    uint64_t abandoned[GTR__MAX_STREAMS];
    for (int i = 0; i < GTR__MAX_STREAMS; i++) abandoned[i] = GTR__BARRIER_ABANDONED;
    for (int bad = 0; bad < 2; bad++) {
        gtr_context *ctx[2];
        gtr_trainer *t[2];
        given_up g;
        if (!two_normed(ctx, t, GTR_FP32, &g)) return;
        for (int k = 0; k < 2; k++) {
            gtr__backend *be = ctx[k]->be;
            for (int i = 0; i < 5; i++) {
                if (k && g.n && g.step[0] == (uint64_t)i) ctx[k]->caps.without = g.without[0];
                if (!k && i == bad) {
                    EXPECT_EQ(gtr__to_device(ctx[k], 0, (char *)t[k]->runner->ctl + offsetof(gtr__ctl, barrier),
                        abandoned, sizeof abandoned, "barriers"), GTR_OK);
                    memset(&late, 0, sizeof late);
                    late.real = *be;
                    if (be->upload) {
                        be->launch = late_launch; be->wait = late_wait; be->copy = late_copy;
                        be->upload = late_upload; be->ready = late_ready;
                    }
                }
                normed_set(t[k], (uint32_t)i);
                EXPECT_EQ(gtr_step(t[k]), GTR_OK);
                t[k]->gradients.n_zero = 0;                  /* no search for zero gradients waits for the device */
                if (!k && i == 0) EXPECT_EQ(be->wait(ctx[k]->instance[0]), GTR_OK);
            }
            EXPECT_EQ(gtr_wait(ctx[k]), GTR_OK);
            if (!k) *be = late.real;
        }
        if (ctx[0]->caps.cuda) CHECK(g.n == 1 && g.step[0] == (uint64_t)bad,
            "%d launches were given up, the first in step %d", g.n, (int)g.step[0] + 1);
        CHECK(state_hash(ctx[0], t[0], false) == state_hash(ctx[1], t[1], false),
            "step %d, which was done again, read what was set behind it", bad + 1);
        for (int k = 0; k < 2; k++) { EXPECT_OK(ctx[k]); gtr_destroy(ctx[k]); }
    }
}

/* The count of a norm's barriers, which no step begins anew, stays below the bit that says that one was given up. */
static void many_barriers(void)
{
    gtr_context *ctx = gtr_create(desc0());
    gtr_trainer *t = normed(ctx, GTR_FP32, "one");
    if (!CHECK(t != NULL, "%s", gtr_error_text(ctx))) return;
    for (int i = 0; i < 6; i++) {
        uint64_t before[GTR__MAX_STREAMS], after[GTR__MAX_STREAMS];
        char *at = (char *)t->runner->ctl + offsetof(gtr__ctl, barrier);
        for (int k = 0; k < GTR__MAX_STREAMS; k++)
            before[k] = ((uint64_t)1 << 62) - (uint64_t)(i % 3) * ((uint64_t)1 << 31);
        EXPECT_EQ(gtr__to_device(ctx, 0, at, before, sizeof before, "barriers"), GTR_OK);
        normed_set(t, (uint32_t)i);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
        EXPECT_EQ(gtr__to_host(ctx, 0, after, at, sizeof after, "barriers"), GTR_OK);
        for (int k = 0; k < GTR__MAX_STREAMS; k++)
            CHECK(after[k] == before[k] || after[k] < (uint64_t)1 << 62, "stream %d: %llx became %llx", k,
                (unsigned long long)before[k], (unsigned long long)after[k]);
    }
    EXPECT(!(ctx->caps.without & GTR__WITHOUT_BARRIERS));
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

/* ---- launches of a millisecond, more or less, however long a step is ---- */
static int launches;
static gtr_result (*real_launch)(void *const *, void *, gtr__half);
static gtr_result counted_launch(void *const *instances, void *exec, gtr__half part) {
    launches++; return real_launch(instances, exec, part);
}
static void brief(void)
{
    static const network c[] = {
        { "narrow, 2^17", NARROW, { 32, 128, 128, 128, 128, 3 }, 1 << 17, 2, 0, GTR_MIXED_FP16, RELU, MSE, false, false,
            0, CLEAN, false },
        { "784-256-128-10", SMALL, { 784, 256, 128, 10 }, 128, 16, 0, GTR_TF32, RELU, XENT, true, false,
            0, CLEAN, false },
    };
    int k, run;
    for (k = 0; k < 2 && device == GTR_DEVICE_CUDA && !small; k++) {
        gtr_context *ctx = gtr_create(desc0());
        const gtr_trainer_desc d = desc_of(&c[k]);
        gtr_trainer *t;
        gtr_fit_desc f = fit_of(&c[k], 2048 / c[k].whole);
        gtr_dataset *data;
        double each = INFINITY;     /* seconds; the least, as others may use the GPU, too */
        data_make(&c[k]);
        data = data_of(ctx, &c[k], rows_of(&c[k]));
        t = trainer_of(ctx, &c[k], &d, NULL);
        real_launch = ctx->be->launch;
        ctx->be->launch = counted_launch;
        if (k == 0) f.epochs = 256;
        for (run = 0; run < 4 && made(ctx, t, &c[k]); run++) {
            const double begin = gtr__now();
            launches = 0;
            EXPECT_EQ(gtr_fit(t, data, f), GTR_OK);
            if (run) each = GTR__MIN(each, (gtr__now() - begin) / launches);
        }
        if (ctx->caps.compute >= 90 && ctx->caps.sm_count > 100) {
            CHECK(each < 3e-3, "%s: a launch takes %.3g s", c[k].name, each);
            CHECK(k == 0 || each > 0.3e-3, "%s: a launch takes %.3g s", c[k].name, each);
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
        data_free();
    }
}

static void all(void)
{
    RUN_IN_PARTS(many_steps);
    RUN_IN_PARTS(ends);
    RUN_IN_PARTS(rules);
    RUN_IN_PARTS(figures);
    RUN_IN_PARTS(crowded);
    RUN(own_products);
    RUN_IN_PARTS(impatient);
    RUN_IN_PARTS(belated);
    RUN(impatient_norms);
    RUN(sets_behind);
    RUN(many_barriers);
    RUN(brief);
}
int main(int argc, char **argv)
{
    check_begin(argc, argv);
    small = getenv("GTR_TEST_SMALL") != NULL;
    check_devices(all, &device);
    return check_done();
}
