/* Data sets that the device does not hold: rows of a callback, and rows that are read ahead; by the bytes that training
   on the same rows in the device's memory has. */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include "check.h"
#include <math.h>
#include <unistd.h>
#include "device.h"

enum { ROWS = 203, SIDE = 6, PIXELS = SIDE * SIDE, CLASSES = 5, STEPS = 400 };
typedef enum { RESIDENT, STREAMED, CALLED, CALLED_HERE, KINDS } kind;
static const char *const kinds[] = { "resident", "streamed", "a callback's", "a callback's, of this thread" };
static uint8_t pixels[ROWS][PIXELS];
static int32_t labels[ROWS];
static float targets[ROWS][3];

static void rows_make(void)
{
    uint32_t s = 5;
    for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < PIXELS; i++) { s = s * 1664525u + 1013904223u; pixels[r][i] = (uint8_t)(s >> 24); }
        labels[r] = (int32_t)(s >> 8) % CLASSES;
        for (int i = 0; i < 3; i++) targets[r][i] = noise(&s);
    }
}
/* What a callback is told, and what it shall do. */
typedef struct { int64_t calls, rows, epochs, bad_epoch, bad_row, inside, overlapped; int columns; bool poison; } source;
static source source0(void)
{
    source s;
    memset(&s, 0, sizeof s);
    s.bad_epoch = -1; s.columns = 2;
    return s;
}
static bool fill(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    source *s = (source *)user;
    s->overlapped |= s->inside++;
    s->calls++;
    s->rows += end - begin;
    if (epoch >= s->epochs) s->epochs = epoch + 1;
    for (int64_t r = begin; r < end; r++) {
        if (epoch == s->bad_epoch && r == s->bad_row && !s->poison) { s->inside--; return false; }
        memcpy((uint8_t *)column[0] + (r - begin) * PIXELS, pixels[r], PIXELS);
        ((int32_t *)column[1])[r - begin] = epoch == s->bad_epoch && r == s->bad_row ? CLASSES + 2 : labels[r];
    }
    s->inside--;
    return true;
}
static void columns_of(gtr_column *c)
{
    c[0].dtype = GTR_U8; c[0].shape = gtr_shape3(1, SIDE, SIDE); c[0].name = "image"; c[0].data = pixels;
    c[1].dtype = GTR_I32; c[1].name = "label"; c[1].data = labels;
}
static gtr_dataset *set_of(gtr_context *ctx, kind k, source *s)
{
    gtr_arrays_desc a;
    gtr_callback_desc c;
    memset(&a, 0, sizeof a);
    memset(&c, 0, sizeof c);
    columns_of(a.column); columns_of(c.column);
    a.rows = c.rows = ROWS;
    c.columns = 2; c.fill = fill; c.user = s; c.same_thread = k == CALLED_HERE; c.name = "made";
    gtr_dataset *d = k >= CALLED ? gtr_dataset_callback(ctx, c) : gtr_dataset_arrays(ctx, a);
    gtr_dataset_stream(d, k == RESIDENT ? GTR_STREAM_NEVER : GTR_STREAM_ALWAYS);
    return d;
}
/* A way to train, and what came of it. */
typedef struct {
    const char *name;
    int micro, epochs;
    int64_t batch;
    gtr_precision precision;
    bool no_shuffle, drop_last, augmented, convolution, loop, validated, plain;
} way;
typedef struct { gtr_float weight[8192]; size_t n; gtr_report report[STEPS]; float value[4]; int64_t steps; } outcome;
typedef struct { gtr_context *ctx; gtr_tensor *x, *y, *logits, *loss; gtr_trainer *t; } net;

static net net_of(const way *w)
{
    net m;
    gtr_trainer_desc d;
    memset(&d, 0, sizeof d);
    m.ctx = gtr_create(desc0());
    m.x = gtr_input(m.ctx, "image", GTR_F32, w->convolution || w->augmented
        ? gtr_shape4(GTR_BATCH, 1, SIDE, SIDE) : gtr_shape2(GTR_BATCH, PIXELS));
    m.y = gtr_input(m.ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH));
    gtr_tensor *h = m.x;
    if (w->convolution) h = gtr_relu(gtr_conv2d(h, "conv", 4, 3, 1, 1));
    if (m.x->shape.ndim > 2) h = gtr_flatten(h);
    h = gtr_relu(gtr_linear(h, "fc1", 24));
    if (!w->plain) h = gtr_dropout(h, "drop", 0.25f);
    m.logits = gtr_linear(h, "fc2", CLASSES);
    m.loss = gtr_cross_entropy(m.logits, m.y);
    d.optimizer = w->plain ? GTR_SGD : GTR_ADAM; d.lr = 3e-3f; d.micro_batches = w->micro; d.precision = w->precision;
    m.t = gtr_trainer_create(m.loss, d);
    return m;
}
static void weights_of(gtr_context *ctx, outcome *o)
{
    o->n = 0;
    for (int64_t i = 0; i < ctx->n_parameter; i++) {
        gtr_get(ctx->parameter[i], o->weight + o->n, ctx->parameter[i]->data_bytes);
        o->n += ctx->parameter[i]->data_bytes / sizeof(gtr_float);
    }
}

/* What came of training over a set of this kind. */
static void run(const way *w, kind k, source *s, outcome *o)
{
    net m = net_of(w);
    gtr_dataset *d = set_of(m.ctx, k, s), *held = set_of(m.ctx, k, s);
    gtr_augment_desc a;
    gtr_fit_desc f;
    memset(&a, 0, sizeof a); memset(&f, 0, sizeof f); memset(o, 0, sizeof *o);
    a.pad = 1; a.flip = 0.5f; a.mean[0] = 0.25f; a.std[0] = 0.5f;
    if (w->augmented) for (int i = 0; i < 2; i++) EXPECT_EQ(gtr_dataset_augment(i ? held : d, 0, a), GTR_OK);
    const int64_t per = w->drop_last ? ROWS / w->batch : (ROWS + w->batch - 1) / w->batch;
    o->steps = per * w->epochs;
    if (w->loop) {
        EXPECT_EQ(gtr_trainer_data(m.t, d, w->batch, !w->no_shuffle, w->drop_last), GTR_OK);
        for (int64_t i = 0; i < o->steps; i++) {
            EXPECT_EQ(gtr_step(m.t), GTR_OK);
            if (i % 3 == 0) { gtr_wait(m.ctx); o->report[i] = gtr_trainer_report(m.t); }
            if (w->validated && i % 5 == 0) EXPECT_EQ(gtr_evaluate(m.t, held, 50, NULL, &o->value[2], NULL), GTR_OK);
        }
    } else {
        f.epochs = w->epochs; f.batch = w->batch; f.no_shuffle = w->no_shuffle; f.drop_last = w->drop_last;
        f.silent = true; f.history = o->report; f.history_size = STEPS;
        f.validation = w->validated ? held : NULL;
        EXPECT_EQ(gtr_fit(m.t, d, f), GTR_OK);
        const gtr_fit_end end = gtr_fit_ended(m.t);
        EXPECT(k ? end.data_wait >= 0 && end.data_wait <= 1.5f : end.data_wait == 0);
    }
    EXPECT_EQ(gtr_evaluate(m.t, held, 64, NULL, &o->value[0], NULL), GTR_OK);
    EXPECT_EQ(gtr_evaluate(m.t, held, ROWS, NULL, &o->value[1], NULL), GTR_OK);
    weights_of(m.ctx, o);
    EXPECT_OK(m.ctx);
    gtr_destroy(m.ctx);
}
static void same(const way *w, const char *of, const outcome *a, const outcome *b)
{
    int64_t at = 0;
    size_t i = 0;
    while (i < a->n && !memcmp(&a->weight[i], &b->weight[i], sizeof *a->weight)) i++;
    CHECK(a->n == b->n && i == a->n, "%s, %s: element %zu of %zu, %zu is %.9g, resident %.9g", w->name, of, i, a->n,
        b->n, (double)b->weight[i], (double)a->weight[i]);
    while (at < a->steps && !memcmp(&a->report[at], &b->report[at], sizeof *a->report)) at++;
    CHECK(at == a->steps, "%s, %s: step %lld's loss is %.9g, resident %.9g", w->name, of, (long long)at + 1,
        (double)b->report[at].loss, (double)a->report[at].loss);
    for (i = 0; i < 4; i++) CHECK(!memcmp(&a->value[i], &b->value[i], 4), "%s, %s: value %zu is %.9g, resident %.9g",
        w->name, of, i, (double)b->value[i], (double)a->value[i]);
}
static const way ways[] = {
    { "a fit", 0, 3, 16, GTR_FP32, false, false, false, false, false, true, false },
    { "in order", 0, 3, 16, GTR_FP32, true, false, false, false, false, false, false },
    { "without tails", 0, 3, 20, GTR_FP32, false, true, false, false, false, true, false },
    { "a plain network, many steps a launch", 0, 12, 8, GTR_FP32, false, false, false, false, false, false, true },
    { "the same in BF16", 0, 12, 8, GTR_MIXED_BF16, false, false, false, false, false, false, true },
    { "micro-batches", 3, 2, 17, GTR_FP32, false, false, false, false, false, true, false },
    { "augmented", 0, 3, 16, GTR_FP32, false, false, true, false, false, true, false },
    { "a convolution, a loop", 0, 2, 16, GTR_FP32, false, false, false, true, true, true, false },
    { "augmented, BF16, a loop", 2, 2, 16, GTR_MIXED_BF16, false, false, true, true, true, false, false },
    { "FP16", 0, 3, 32, GTR_MIXED_FP16, false, true, false, false, false, true, false },
    { "one batch", 0, 4, ROWS, GTR_FP32, false, false, false, false, false, true, false },
    { "single rows", 0, 1, 1, GTR_FP32, false, false, false, false, false, false, true, false }
};
static void same_bytes(void)
{
    static outcome of[KINDS];
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const way *w = &ways[i];
        net m = net_of(w);
        const gtr_result can = gtr_error(m.ctx);
        gtr_destroy(m.ctx);
        if (can == GTR_ERR_UNSUPPORTED) continue;
        for (int k = 0; k < KINDS; k++) {
            source s = source0();
            run(w, (kind)k, &s, &of[k]);
            if (k) same(w, kinds[k], &of[0], &of[k]);
            CHECK(!s.overlapped, "%s: calls at once", w->name);
            if (k >= CALLED) EXPECT(s.rows >= (int64_t)w->epochs * (w->drop_last ? ROWS / w->batch * w->batch : ROWS));
            if (k >= CALLED) EXPECT(w->no_shuffle ? s.calls < s.rows : s.calls > 0);
            if (k >= CALLED) EXPECT_EQ(s.epochs, w->epochs + (w->loop && k == CALLED ? s.epochs - w->epochs : 0));
        }
    }
}

int main(int argc, char **argv)
{
    check_begin(argc, argv);
    rows_make();
    RUN(same_bytes);
    return check_done();
}
