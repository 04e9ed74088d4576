/* What a step and an evaluation give must not depend on the parts that they are computed in: losses and metrics that
   divide by the labels that count, for any number of micro-batches and any batch of an evaluation; dropout's masks,
   wherever a tensor has its batch. Losses beyond those: the same in parts, in sets and in 16 bits, at their kinks, and
   what they refuse. Defaults, and first values of parameters. Each on the CPU, and again on the GPU where there is
   one. */
#include "private.h"
#include "check.h"
#include "device.h"
#include "stack.h"
#if defined __SSE__
#include <xmmintrin.h>
#endif

enum { ROWS = 21, WIDTH = 6, CLASSES = 5, STEPS = 3, SET = 50, TIMES = 3 };
static const int micros[] = { 1, 2, 3, 7 };
static gtr_float data_x[SET * TIMES * WIDTH];
static int32_t data_y[SET * TIMES];
static int custom_calls;

/* Labels that are not ignored lie unevenly: in some parts of a batch there is none. */
static void data_fill(int32_t ignored, int times)
{
    uint32_t s = 11;
    int i;
    for (i = 0; i < SET * TIMES * WIDTH; i++) data_x[i] = (gtr_float)noise(&s);
    for (i = 0; i < SET * TIMES; i++) {
        int32_t y = (int32_t)((noise(&s) + 1) * 0.5f * CLASSES) % CLASSES;
        data_y[i] = i % (ROWS * times) < 7 * times || i % 4 == 1 || i % 11 == 2 || y == ignored ? ignored : y;
    }
}
static gtr_tensor *xent(gtr_tensor *logits, gtr_tensor *labels, float smoothing, int32_t ignore)
{
    gtr_cross_entropy_desc d;
    memset(&d, 0, sizeof d);
    d.label_smoothing = smoothing; d.ignore_index = ignore; d.ignore_zero = ignore == 0;
    return gtr_cross_entropy_ex(logits, labels, d);
}
static gtr_result custom_copy(const gtr_custom_call *k)
{
    memcpy(k->out, k->in[0], (size_t)gtr__count(&k->out_shape) * sizeof(gtr_float));
    custom_calls++;
    return GTR_OK;
}

/* ---- networks whose labels count or do not ---- */
typedef struct net { gtr_context *ctx; gtr_tensor *x, *y, *loss, *acc; gtr_trainer *t; int times; } net;
enum { PLAIN, SMOOTH, SUM, TEACHER, SEQUENCE, SLICED, REGION, STAGES, PSEUDO, KINDS };
static const char *const kind_names[] = { "plain", "smoothed", "a sum of losses", "a teacher's labels", "a sequence",
    "sliced labels", "recomputed", "two stages", "its own labels" };
static int32_t ignored_by(int kind) {
    return kind == SMOOTH ? 0 : kind == SUM ? 2 : kind == TEACHER || kind == SLICED || kind == PSEUDO ? 3 : -100;
}
static net build(int kind, int micro, gtr_precision precision)
{
    gtr_trainer_desc d;
    net n;
    gtr_tensor *h, *logits, *labels, *w;
    memset(&n, 0, sizeof n);
    memset(&d, 0, sizeof d);
    d.lr = 0.1f; d.micro_batches = micro; d.precision = precision; d.loss_scale = 1024;
    n.ctx = gtr_create(desc0());
    n.times = kind == SEQUENCE ? TIMES : 1;
    n.x = gtr_input(n.ctx, "x", GTR_F32, n.times > 1 ? gtr_shape3(GTR_BATCH, TIMES, WIDTH)
        : gtr_shape2(GTR_BATCH, WIDTH));
    n.y = gtr_input(n.ctx, "y", GTR_I32, n.times > 1 ? gtr_shape2(GTR_BATCH, TIMES) : gtr_shape1(GTR_BATCH));
    if (kind == REGION) gtr_recompute_begin(n.ctx);
    h = gtr_tanh(gtr_linear(n.x, "fc1", 16));
    if (kind == STAGES) gtr_stage(n.ctx, 1);
    logits = gtr_linear(h, "fc2", CLASSES);
    if (n.times > 1) logits = gtr_reshape(logits, gtr_shape2(-TIMES, CLASSES));
    labels = n.times > 1 ? gtr_reshape(n.y, gtr_shape1(-TIMES)) : n.y;
    if (kind == SLICED)
        labels = gtr_argmax(gtr_reshape(gtr_slice(n.x, 1, 1, 1 + CLASSES), gtr_shape2(GTR_BATCH, CLASSES)), 1);
    if (kind == TEACHER)
        labels = gtr_argmax(gtr_stop_gradient(gtr_linear(gtr_relu(gtr_linear(n.x, "t1", 12)), "t2", CLASSES)), 1);
    if (kind == PSEUDO) labels = gtr_argmax(gtr_stop_gradient(logits), 1);
    n.loss = xent(logits, labels, kind == SMOOTH ? 0.1f : 0, ignored_by(kind));
    if (kind == SUM) {
        w = gtr_parameter_find(n.ctx, "fc1.weight");
        n.loss = gtr_add(gtr_add(n.loss, gtr_scale(xent(logits, gtr_reshape(labels, gtr_shape1(GTR_BATCH)), 0.2f, 3),
            0.5f, 0)), gtr_mean(gtr_mul(w, w), NULL, 0, false));
    }
    n.acc = gtr_accuracy(logits, kind == TEACHER || kind == SLICED || kind == PSEUDO ? n.y : labels);
    if (kind == REGION) gtr_recompute_end(n.ctx);
    if (kind == STAGES) gtr_stage(n.ctx, 0);
    n.t = gtr_trainer_create(n.loss, d);
    return n;
}
static bool takes_labels(int kind) { return kind != TEACHER && kind != SLICED && kind != PSEUDO; }
static void feed(const net *n, int kind, int first, int rows)
{
    gtr_set(n->x, data_x + first * n->times * WIDTH, (size_t)(rows * n->times * WIDTH) * sizeof *data_x);
    if (takes_labels(kind)) gtr_set(n->y, data_y + first * n->times, (size_t)(rows * n->times) * sizeof *data_y);
}
static gtr_dataset *set_of(const net *n, int first, int rows)
{
    gtr_arrays_desc a;
    memset(&a, 0, sizeof a);
    a.rows = rows;
    a.column[0].data = data_x + first * n->times * WIDTH;
    a.column[0].shape = n->times > 1 ? gtr_shape2(TIMES, WIDTH) : gtr_shape1(WIDTH);
    a.column[1].data = data_y + first * n->times; a.column[1].dtype = GTR_I32;
    if (n->times > 1) a.column[1].shape = gtr_shape1(n->times);
    return gtr_dataset_arrays(n->ctx, a);
}
/* testing.md T6's limits, by storage. */
static bool near(const gtr_float *a, const gtr_float *b, int64_t n, gtr_precision precision)
{
    if (precision == GTR_MIXED_BF16) return within(a, b, n, 2e-5, 8e-3);
    return precision == GTR_MIXED_FP16 ? within(a, b, n, 5e-7, 1e-3) : within(a, b, n, 1e-10, 1e-5);
}
static bool close_to(float a, float b, gtr_precision precision) {
    gtr_float x = (gtr_float)a, y = (gtr_float)b; return near(&x, &y, 1, precision);
}
static const gtr_float *not_finite(void)
{
    static gtr_float x[ROWS * WIDTH];
    x[8 * WIDTH + 3] = (gtr_float)NAN;             /* of a row that counts */
    return x;
}
static void compare(const net *a, const net *b, gtr_precision precision, const char *what)
{
    static gtr_float x[1024], y[1024];
    int64_t i;
    int gradient;
    for (i = 0; i < gtr_parameter_count(a->ctx); i++) for (gradient = 0; gradient < 2; gradient++) {
        gtr_tensor *p = gtr_parameter_at(a->ctx, i), *q = gtr_parameter_find(b->ctx, gtr_tensor_name(p));
        if (p->dtype != GTR_F32 || gtr__bytes_of(p) > sizeof x || gtr__trainer_index(a->t, p) < 0) continue;
        if (gradient) {
            EXPECT_EQ(gtr_gradient_get(a->t, p, x, gtr__bytes_of(p)), GTR_OK);
            EXPECT_EQ(gtr_gradient_get(b->t, q, y, gtr__bytes_of(p)), GTR_OK);
        }
        else { EXPECT_EQ(gtr_get(p, x, gtr__bytes_of(p)), GTR_OK); EXPECT_EQ(gtr_get(q, y, gtr__bytes_of(p)), GTR_OK); }
        CHECK(near(y, x, (int64_t)(gtr__bytes_of(p) / sizeof *x), precision), "%s: %s\"%s\" differs", what,
            gradient ? "the gradient of " : "", gtr_tensor_name(p));
    }
}
static bool made(const net *n)
{
    if (n->t) return true;
    if (gtr_error(n->ctx) == GTR_ERR_UNSUPPORTED) SKIP("%s", gtr_error_text(n->ctx));
    else CHECK(0, "%s", gtr_error_text(n->ctx));
    return false;
}
/* ---- a step in parts is the step ---- */
static void labels_in_parts(void)
{
    static const gtr_precision modes[] = { GTR_FP32, GTR_MIXED_BF16, GTR_MIXED_FP16 };
    int kind, mode, m, step;
    char what[128];
    for (kind = 0; kind < KINDS; kind++) for (mode = 0; mode < 3; mode++) for (m = 1; m < 4; m++) {
        net one, many;
        if (small && mode != kind % 3) continue;
        data_fill(ignored_by(kind), kind == SEQUENCE ? TIMES : 1);
        one = build(kind, 1, modes[mode]); many = build(kind, micros[m], modes[mode]);
        for (step = 0; step < STEPS && made(&one) && made(&many); step++) {
            float a, b;
            snprintf(what, sizeof what, "%s, precision %d, %d micro-batches, step %d", kind_names[kind],
                (int)modes[mode], micros[m], step + 1);
            feed(&one, kind, step * 7, ROWS); feed(&many, kind, step * 7, ROWS);
            EXPECT_EQ(gtr_step(one.t), GTR_OK); EXPECT_EQ(gtr_step(many.t), GTR_OK);
            a = gtr_loss(one.t); b = gtr_loss(many.t);
            if (!CHECK(close_to(b, a, modes[mode]), "%s: the loss is %.9g, want %.9g", what, (double)b, (double)a))
                break;
            compare(&one, &many, modes[mode], what);
        }
        if (one.t && many.t) { EXPECT_OK(one.ctx); EXPECT_OK(many.ctx); }
        gtr_destroy(one.ctx); gtr_destroy(many.ctx);
    }
}
/* A step with no label that counts is PyTorch's NaN, and says why; the next one goes on. */
static void no_labels(void)
{
    int m, i;
    for (m = 0; m < 4; m++) {
        net n;
        gtr_float before[16 * WIDTH], after[16 * WIDTH];
        gtr_tensor *w;
        gtr_result r;
        data_fill(-100, 1);
        n = build(PLAIN, micros[m], GTR_FP32);
        w = gtr_parameter_find(n.ctx, "fc1.weight");
        gtr_get(w, before, sizeof before);
        for (i = 0; i < ROWS; i++) data_y[i] = -100;
        feed(&n, PLAIN, 0, ROWS);
        r = gtr_step(n.t);
        if (r == GTR_OK) r = gtr_wait(n.ctx);
        EXPECT_EQ(r, GTR_ERR_NONFINITE);
        EXPECT_ERROR(n.ctx, GTR_ERR_NONFINITE, "all labels of the step are ignored");
        gtr_get(w, after, sizeof after);
        EXPECT(!memcmp(before, after, sizeof before));
        feed(&n, PLAIN, ROWS, ROWS);
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT(gtr_loss(n.t) > 0);
        data_x[0] = (gtr_float)NAN;         /* another reason is not called this one */
        data_y[0] = 1;
        feed(&n, PLAIN, 0, ROWS);
        gtr_step(n.t);
        gtr_wait(n.ctx);
        EXPECT(gtr_error(n.ctx) == GTR_ERR_NONFINITE && !strstr(gtr_error_text(n.ctx), "ignored"));
        gtr_error_clear(n.ctx);
        gtr_destroy(n.ctx);
    }
}
/* An evaluation in batches is that of the set. */
static void labels_in_sets(void)
{
    static const int batches[] = { SET, 1, 3, 8, 49, 1000 };
    int kind, k, i;
    for (kind = 0; kind < KINDS; kind++) {
        net n;
        gtr_dataset *set, *none;
        float loss, acc, want = 0, want_acc = 0;
        gtr_tensor *both[2];
        data_fill(ignored_by(kind), kind == SEQUENCE ? TIMES : 1);
        for (i = 0; i < SET * TIMES; i++) if (i % 5 == 3 && ignored_by(kind) == -100) data_y[i] = -100;
        n = build(kind, 2, GTR_FP32);
        if (!made(&n)) { gtr_destroy(n.ctx); continue; }
        set = set_of(&n, 0, SET);
        gtr_set(n.x, data_x, (size_t)(SET * n.times * WIDTH) * sizeof *data_x);
        gtr_set(n.y, data_y, (size_t)(SET * n.times) * sizeof *data_y);
        both[0] = n.loss; both[1] = n.acc;
        EXPECT_EQ(gtr_eval(both, 2), GTR_OK);
        want = gtr_item(n.loss); want_acc = gtr_item(n.acc);
        for (k = 0; k < 6; k++) {
            EXPECT_EQ(gtr_evaluate(n.t, set, batches[k], n.acc, &loss, &acc), GTR_OK);
            CHECK(close_to(loss, want, GTR_FP32) && close_to(acc, want_acc, GTR_FP32),
                "%s in batches of %d: loss %.9g and accuracy %.9g, want %.9g and %.9g", kind_names[kind], batches[k],
                (double)loss, (double)acc, (double)want, (double)want_acc);
            if (!takes_labels(kind)) continue;
            EXPECT_EQ(gtr_evaluate(n.t, set, batches[k], NULL, &loss, &acc), GTR_OK);
            CHECK(close_to(loss, want, GTR_FP32) && acc != acc,
                "%s in batches of %d without a metric: loss %.9g, want %.9g", kind_names[kind], batches[k],
                (double)loss, (double)want);
        }
        for (i = 0; i < SET * TIMES; i++) data_y[i] = -1 - 99 * (ignored_by(kind) == -100);
        none = takes_labels(kind) && ignored_by(kind) == -100 ? set_of(&n, 0, SET) : NULL;
        if (none) {
            EXPECT_EQ(gtr_evaluate(n.t, none, 7, n.acc, &loss, &acc), GTR_OK);
            CHECK(loss != loss && acc != acc, "%s: of a set without labels loss %g and accuracy %g", kind_names[kind],
                (double)loss, (double)acc);
        }
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
}
/* Where all labels of a set count, it is gone through once, as before. */
static void sets_without_ignored(void)
{
    net n;
    gtr_dataset *set;
    gtr_arrays_desc a;
    unsigned char y[SET];
    uint64_t before;
    float loss, other;
    int i, k;
    data_fill(-100, 1);
    n = build(PLAIN, 1, GTR_FP32);
    memset(&a, 0, sizeof a);
    for (k = 0; k < 3; k++) {
        const bool counts = k == 2;
        for (i = 0; i < SET; i++) { y[i] = (unsigned char)(i % CLASSES); data_y[i] = counts && i == 17 ? -100 : y[i]; }
        a.rows = SET;
        a.column[0].data = data_x; a.column[0].shape = gtr_shape1(WIDTH);
        a.column[1].data = k == 1 ? (void *)y : (void *)data_y; a.column[1].dtype = k == 1 ? GTR_U8 : GTR_I32;
        set = gtr_dataset_arrays(n.ctx, a);
        EXPECT_EQ(gtr_evaluate(n.t, set, SET, NULL, &other, NULL), GTR_OK);
        before = n.ctx->runner->step;
        EXPECT_EQ(gtr_evaluate(n.t, set, 8, n.acc, &loss, NULL), GTR_OK);
        EXPECT_EQ((long long)(n.ctx->runner->step - before), counts ? 14 : 7);
        CHECK(close_to(loss, other, GTR_FP32), "loss %.9g, want %.9g", (double)loss, (double)other);
    }
    EXPECT_OK(n.ctx);
    gtr_destroy(n.ctx);
}
/* A metric of gtr_fit counts over the step, however many parts it has. */
static void metric_in_parts(void)
{
    static float seen[4][2];
    int m;
    for (m = 0; m < 4; m++) {
        net n;
        gtr_fit_desc d;
        gtr_report history[2];
        data_fill(-100, 1);
        n = build(PLAIN, micros[m], GTR_FP32);
        memset(&d, 0, sizeof d);
        d.batch = ROWS; d.metric = n.acc; d.no_shuffle = d.silent = d.drop_last = true; d.history = history;
        d.history_size = 2;
        EXPECT_EQ(gtr_fit(n.t, set_of(&n, 0, SET), d), GTR_OK);
        seen[m][0] = history[1].loss;
        seen[m][1] = n.t->runner->shared->reported[(n.t->runner->shared->step - 1) % GTR__RING].value[1];
        CHECK(close_to(seen[m][0], seen[0][0], GTR_FP32) && close_to(seen[m][1], seen[0][1], GTR_FP32),
            "%d micro-batches: loss %.9g and accuracy %.9g, want %.9g and %.9g", micros[m], (double)seen[m][0],
            (double)seen[m][1], (double)seen[0][0], (double)seen[0][1]);
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
}
/* The loss again as the metric, by other names: both come out as one batch's, however many parts it has. */
static void loss_as_metric(void)
{
    static const int micros[] = { 1, 2, 3, 8 };
    int kind, m;
    for (kind = 0; kind < 3; kind++) for (m = 0; m < 4; m++) {
        static float seen[2];
        net n;
        gtr_fit_desc d;
        gtr_report history;
        data_fill(-100, 1);
        n = build(PLAIN, micros[m], GTR_FP32);
        memset(&d, 0, sizeof d);
        d.metric = kind == 0 ? gtr_reshape(n.loss, gtr_shape1(1)) : gtr_stop_gradient(n.loss);
        if (kind == 2) d.metric = gtr_reshape(d.metric, gtr_shape2(1, 1));
        d.batch = ROWS; d.no_shuffle = d.silent = d.drop_last = true; d.history = &history; d.history_size = 1;
        EXPECT_EQ(gtr_fit(n.t, set_of(&n, 0, ROWS), d), GTR_OK);
        if (!m) seen[0] = history.loss;
        seen[1] = n.t->runner->shared->reported[(n.t->runner->shared->step - 1) % GTR__RING].value[1];
        CHECK(close_to(history.loss, seen[0], GTR_FP32) && close_to(seen[1], seen[0], GTR_FP32),
              "kind %d, %d parts: loss %.9g, as a metric %.9g, want %.9g", kind, micros[m], (double)history.loss,
              (double)seen[1], (double)seen[0]);
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
}
/* Runs of the same loss between the two halves of a step change nothing of what the step reports, guards and does. */
static void loss_between_halves(void)
{
    int m, bad, other;
    for (m = 1; m < 4; m++) for (bad = 0; bad < 2; bad++) for (other = 0; other < 3; other++) {
        net n, twin;
        gtr_trainer *second;
        gtr_trainer_desc d;
        gtr_result r;
        int i;
        data_fill(-100, 1);
        n = build(PLAIN, m, GTR_FP32); twin = build(PLAIN, m, GTR_FP32);
        memset(&d, 0, sizeof d);
        d.lr = 0.1f; d.micro_batches = m; d.nonfinite = GTR_NONFINITE_LOSS;
        n.t = gtr_trainer_create(n.loss, d); twin.t = gtr_trainer_create(twin.loss, d);
        second = gtr_trainer_create(n.loss, d);
        feed(&n, PLAIN, 0, ROWS); feed(&twin, PLAIN, 0, ROWS);
        if (bad) for (i = 0; i < 2; i++) gtr_set(i ? twin.x : n.x, not_finite(), ROWS * WIDTH * sizeof(gtr_float));
        EXPECT_EQ(gtr_backward(n.t), GTR_OK); EXPECT_EQ(gtr_backward(twin.t), GTR_OK);
        feed(&n, PLAIN, ROWS, ROWS);
        if (other == 0) EXPECT_EQ(gtr_eval(&n.loss, 1), GTR_OK);
        if (other == 1) EXPECT_EQ(gtr_backward(second), GTR_OK);
        r = gtr_update(twin.t);
        EXPECT_EQ(gtr_update(n.t), r);
        if (n.ctx->caps.cuda) EXPECT_EQ(gtr_wait(n.ctx), gtr_wait(twin.ctx));
        else EXPECT_EQ(r, bad ? GTR_ERR_NONFINITE : GTR_OK);
        for (i = 0; i < gtr_parameter_count(n.ctx); i++) {
            static gtr_float a[1024], b[1024];
            gtr_tensor *p = gtr_parameter_at(n.ctx, i);
            gtr_get(p, a, gtr__bytes_of(p)); gtr_get(gtr_parameter_at(twin.ctx, i), b, gtr__bytes_of(p));
            CHECK(!memcmp(a, b, gtr__bytes_of(p)), "%d parts: \"%s\" differs after a run between a step's halves", m,
                gtr_tensor_name(p));
        }
        if (!bad) CHECK(gtr_loss(n.t) == gtr_loss(twin.t), "%d parts: the loss is %g, alone %g", m,
            (double)gtr_loss(n.t), (double)gtr_loss(twin.t));
        gtr_error_clear(n.ctx); gtr_error_clear(twin.ctx);
        gtr_destroy(n.ctx); gtr_destroy(twin.ctx);
    }
}
/* A parameter as the loss is reported as it was before the step. */
static void parameter_as_loss(void)
{
    int alias, m;
    for (alias = 0; alias < 2; alias++) for (m = 1; m < 3; m++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_trainer_desc d;
        const gtr_float five = 5;
        gtr_init init;
        gtr_tensor *p;
        gtr_trainer *t;
        memset(&d, 0, sizeof d); memset(&init, 0, sizeof init);
        d.lr = 1; d.micro_batches = m;
        p = gtr_parameter(ctx, "p", gtr_shape0(), init);
        gtr_set(p, &five, sizeof five);
        t = gtr_trainer_create(alias ? gtr_reshape(p, gtr_shape1(1)) : p, d);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        CHECK(gtr_loss(t) == 5 && gtr_item(p) == 4, "%d parts: the loss is %g, p then %g", m, (double)gtr_loss(t),
            (double)gtr_item(p));
        EXPECT_EQ(gtr_step(t), GTR_OK);
        CHECK(gtr_loss(t) == 4 && gtr_item(p) == 3, "%d parts: the loss is %g, p then %g", m, (double)gtr_loss(t),
            (double)gtr_item(p));
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* What labels are computed from runs once a micro-batch, and its batch's statistics are committed once, also where
   others read it, too. */
static void labels_once(void)
{
    int shared, m;
    for (shared = 0; shared < 2; shared++) for (m = 0; m < 4; m++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_trainer_desc d;
        gtr_custom_desc c;
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH)), *h, *labels, *loss;
        gtr_trainer *t;
        int64_t tracked = 0;
        memset(&d, 0, sizeof d); memset(&c, 0, sizeof c);
        data_fill(-100, 1);
        h = gtr_batch_norm(gtr_linear(x, "fc1", CLASSES), "norm");
        c.name = "copy"; c.n_in = 1; c.in[0] = gtr_stop_gradient(h); c.forward = custom_copy;
        labels = gtr_keep(gtr_argmax(gtr_custom(ctx, c), 1));
        loss = gtr_add(xent(shared ? h : gtr_linear(x, "fc2", CLASSES), labels, 0, 2),
            gtr_scale(xent(gtr_linear(x, "fc3", CLASSES), labels, 0, 1), 0.5f, 0));
        d.lr = 0.1f; d.micro_batches = micros[m];
        t = gtr_trainer_create(loss, d);
        gtr_set(x, data_x, (size_t)(ROWS * WIDTH) * sizeof *data_x);
        custom_calls = 0;
        if (device == GTR_DEVICE_CPU) {
            EXPECT_EQ(gtr_step(t), GTR_OK);
            EXPECT(gtr_loss(t) > 0);
            EXPECT_EQ(custom_calls, micros[m]);
            EXPECT_EQ(gtr_get(gtr_parameter_find(ctx, "norm.num_batches_tracked"), &tracked, sizeof tracked), GTR_OK);
            EXPECT_EQ(tracked, micros[m]);
            {
                int32_t got[ROWS]; EXPECT_EQ(gtr_get(labels, got, sizeof got), GTR_OK);
                EXPECT(got[0] >= 0 && got[ROWS - 1] < CLASSES);
            }
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* An input that labels alone are computed from is kept as it was set, too. */
static void labels_kept_input(void)
{
    static gtr_float got[ROWS * WIDTH];
    int m;
    for (m = 0; m < 4; m++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH)),
            *z = gtr_keep(gtr_input(ctx, "z", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH)));
        gtr_trainer_desc d;
        gtr_trainer *t;
        memset(&d, 0, sizeof d);
        d.precision = GTR_MIXED_FP16; d.micro_batches = micros[m];
        data_fill(-100, 1);
        t = gtr_trainer_create(
            xent(gtr_linear(x, "fc1", CLASSES), gtr_argmax(gtr_linear(z, "fc2", CLASSES), 1), 0, 2), d);
        gtr_set(x, data_x, sizeof got); gtr_set(z, data_x, sizeof got);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        EXPECT_EQ(gtr_get(z, got, sizeof got), GTR_OK);
        CHECK(!memcmp(got, data_x, sizeof got), "%d micro-batches: the kept input is not what was set", micros[m]);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}

/* ---- losses of terms: reductions, weights, parts ---- */
enum { LOSSES = 19 };
static const char *const loss_names[LOSSES] = { "l1", "mse", "huber", "smooth_l1", "bce", "bce_with_logits", "focal",
    "kl_div",
    "poisson_nll", "gaussian_nll", "cosine_embedding", "nll", "nll of classes' weights", "cross_entropy of weights",
    "cross_entropy", "cross_entropy of probabilities", "mse of (C, N)",
    "quantile", "ctc" };
static gtr_float data_t[SET * CLASSES];
static gtr_tensor *loss_by(int kind, gtr_tensor *h, gtr_tensor *t, gtr_tensor *y, gtr_reduction how)
{
    static const gtr_float weights[CLASSES] = { 0.5, 1, 2, 0.25, 4 };
    static const int turned[] = { 1, 0 };
    static const int32_t order[CLASSES] = { 3, 0, 4, 1, 2 };
    gtr_tensor *column = gtr_slice(t, 1, 0, 1), *rows = gtr_reshape(column, gtr_shape1(GTR_BATCH));
    gtr_tensor *w = gtr_constant(h->ctx, GTR_F32, gtr_shape1(CLASSES), weights);
    gtr_loss_desc d;
    gtr_cross_entropy_desc e;
    memset(&d, 0, sizeof d); memset(&e, 0, sizeof e);
    d.reduction = e.reduction = how;
    if (kind % 3 == 1) d.weight = column;
    switch (kind) {
    case 0: return gtr_l1_ex(h, t, d);
    case 1: return gtr_mse_ex(h, t, d);
    case 2: d.delta = 0.5f; return gtr_huber_ex(h, t, d);
    case 3: return gtr_smooth_l1_ex(h, t, d);
    case 4: return gtr_bce_ex(gtr_sigmoid(h), t, d);
    case 5: d.pos_weight = w; return gtr_bce_with_logits_ex(h, t, d);
    case 6: return gtr_focal_ex(h, t, d);
    case 7: return gtr_kl_div_ex(gtr_log_softmax(h, 1), t, d);
    case 8: d.full = true; return gtr_poisson_nll_ex(h, gtr_scale(t, 3, 0), d);
    case 9: return gtr_gaussian_nll_ex(h, t, gtr_scale(column, 1, 0.5f), d);
    case 10: d.weight = NULL; return gtr_cosine_embedding_ex(h, t, gtr_scale(rows, 0, -1), d);
    case 12: e.weight = w; break;
    case 16: { /* their rows in another order, too */
        gtr_tensor *ids = gtr_constant(h->ctx, GTR_I32, gtr_shape1(CLASSES), order);
        d.weight = NULL;
        h = gtr_gather_rows(gtr_permute(h, turned), ids);
        return gtr_mse_ex(h, gtr_gather_rows(gtr_permute(t, turned), ids), d);
    }
    case 13: e.weight = w; e.sample_weight = rows; e.label_smoothing = 0.125f; break;
    case 17: d.quantile = 0.2f; return gtr_quantile_ex(h, t, d);
    case 18: { /* a label a row, of 1 to 4 steps */
        gtr_tensor *steps[] = { h, gtr_scale(h, 0.5f, 0), gtr_scale(h, -1, 0), gtr_scale(h, 2, 0) };
        gtr_ctc_desc c;
        memset(&c, 0, sizeof c);
        c.reduction = how; c.blank = 2;
        c.lengths = gtr_to_int(gtr_scale(rows, 3, 1.5f));
        return gtr_ctc_ex(gtr_stack(steps, 4, 1), gtr_reshape(gtr_argmax(t, 1), gtr_shape2(GTR_BATCH, 1)), c);
    }
    default: break;
    }
    if (kind < 13) return gtr_nll_ex(gtr_log_softmax(h, 1), y, e);
    return gtr_cross_entropy_ex(h, kind == 15 ? t : y, e);
}
/* acc: the target's input */
static net build_loss(int kind, gtr_reduction how, int micro, gtr_precision precision)
{
    gtr_trainer_desc d;
    net n;
    memset(&n, 0, sizeof n); memset(&d, 0, sizeof d);
    d.lr = 0.01f; d.micro_batches = micro; d.precision = precision;
    n.ctx = gtr_create(desc0());
    n.x = gtr_input(n.ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
    n.acc = gtr_input(n.ctx, "t", GTR_F32, gtr_shape2(GTR_BATCH, CLASSES));
    n.y = gtr_input(n.ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    n.loss = loss_by(kind, gtr_linear(gtr_tanh(gtr_linear(n.x, "fc1", 16)), "fc2", CLASSES), n.acc, n.y, how);
    n.times = 1;
    n.t = gtr_trainer_create(n.loss, d);
    return n;
}
static void feed_loss(const net *n, int rows)
{
    gtr_set(n->x, data_x, (size_t)(rows * WIDTH) * sizeof *data_x);
    gtr_set(n->acc, data_t, (size_t)(rows * CLASSES) * sizeof *data_t);
    gtr_set(n->y, data_y, (size_t)rows * sizeof *data_y);
}
static void fill_loss(void)
{
    uint32_t s = 5;
    int i;
    data_fill(-100, 1);
    for (i = 0; i < SET * CLASSES; i++) data_t[i] = (gtr_float)(0.5f + 0.49f * noise(&s));
}
static void losses_in_parts(void)
{
    int kind, how, m, step;
    fill_loss();
    for (kind = 0; kind < LOSSES; kind++) for (how = 0; how < 4; how++) for (m = 1; m < 4; m++) {
        const gtr_precision precision = (kind + how + m) % 3 || how == GTR_REDUCE_SUM ? GTR_FP32 : GTR_MIXED_BF16;
        net one, many;
        if (how == GTR_REDUCE_NONE || (small && m != 1 + (kind + how) % 3)) continue;
        one = build_loss(kind, (gtr_reduction)how, 1, precision);
        many = build_loss(kind, (gtr_reduction)how, micros[m], precision);
        for (step = 0; step < 2 && made(&one) && made(&many); step++) {
            feed_loss(&one, ROWS); feed_loss(&many, ROWS);
            EXPECT_EQ(gtr_step(one.t), GTR_OK); EXPECT_EQ(gtr_step(many.t), GTR_OK);
            CHECK(close_to(gtr_loss(many.t), gtr_loss(one.t), precision), "%s, reduction %d, %d parts: %.9g, want %.9g",
                loss_names[kind], how, micros[m], (double)gtr_loss(many.t), (double)gtr_loss(one.t));
            compare(&one, &many, precision, loss_names[kind]);
        }
        if (one.t && many.t) { EXPECT_OK(one.ctx); EXPECT_OK(many.ctx); }
        gtr_destroy(one.ctx); gtr_destroy(many.ctx);
    }
}
static void losses_in_sets(void)
{
    static const int batches[] = { SET, 1, 8, 49 };
    int kind, how, k;
    fill_loss();
    for (kind = 0; kind < LOSSES; kind++) for (how = 0; how < 4; how++) {
        net n;
        gtr_arrays_desc a;
        gtr_column *c = a.column + 1;
        gtr_dataset *set;
        float loss, want;
        if (how == GTR_REDUCE_NONE || (small && (kind + how) % 3)) continue;
        n = build_loss(kind, (gtr_reduction)how, 2, GTR_FP32);
        memset(&a, 0, sizeof a);
        a.rows = SET;
        a.column[0].data = data_x; a.column[0].shape = gtr_shape1(WIDTH);
        if (kind < 11 || kind == 13 || kind > 14) { c->data = data_t; c->shape = gtr_shape1(CLASSES); c++; }
        if (kind > 10 && kind < 15) { c->data = data_y; c->dtype = GTR_I32; }
        set = gtr_dataset_arrays(n.ctx, a);
        feed_loss(&n, SET);
        EXPECT_EQ(gtr_eval(&n.loss, 1), GTR_OK);
        want = gtr_item(n.loss);
        for (k = 0; k < 4 && made(&n); k++) {
            EXPECT_EQ(gtr_evaluate(n.t, set, batches[k], NULL, &loss, NULL), GTR_OK);
            CHECK(close_to(loss, want, GTR_FP32), "%s, reduction %d, in batches of %d: %.9g, want %.9g",
                loss_names[kind], how, batches[k], (double)loss, (double)want);
        }
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
}
/* REDUCE_BATCH_MEAN is the sum by dimension 0, the batch or not. */
static void batch_means(void)
{
    int kind;
    fill_loss();
    for (kind = 1; kind <= 16; kind += 15) {
        net mean = build_loss(kind, GTR_REDUCE_BATCH_MEAN, 1, GTR_FP32);
        net sum = build_loss(kind, GTR_REDUCE_SUM, 1, GTR_FP32);
        const float by = kind == 1 ? ROWS : CLASSES;
        feed_loss(&mean, ROWS); feed_loss(&sum, ROWS);
        CHECK(close_to(gtr_item(mean.loss) * by, gtr_item(sum.loss), GTR_FP32), "%s: %.9g, and the sum is %.9g",
            loss_names[kind], (double)gtr_item(mean.loss), (double)gtr_item(sum.loss));
        EXPECT_OK(mean.ctx);
        gtr_destroy(mean.ctx); gtr_destroy(sum.ctx);
    }
}
/* What labels alone say of the divisor is made without the network, which runs once; and a logit of minus infinity is
   a probability of 0, at a label, too. */
static void nll_once(void)
{
    static const gtr_float logits[6] = { 0, -INFINITY, 1, 2, 1, 0 };
    const int32_t labels[2] = { 1, 0 };
    int kind, m;
    for (kind = 11; kind < 15; kind++) {
        net n[2];
        int count[2] = { 0, 0 };
        for (m = 0; m < 2; m++) {
            n[m] = build_loss(kind, GTR_REDUCE_MEAN, m ? 4 : 1, GTR_FP32);
            const char *at = gtr_plan_text(n[m].t, ROWS);
            while ((at = strstr(at, "linear")) != NULL) { at++; count[m]++; }
            EXPECT_OK(n[m].ctx);
            gtr_destroy(n[m].ctx);
        }
        CHECK(count[0] > 0 && count[1] <= 4 * count[0], "%s: %d times linear in 4 parts, %d in one", loss_names[kind],
            count[1], count[0]);
    }
    gtr_context *ctx = gtr_create(desc0());
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3)), *y = gtr_input(ctx, "y", GTR_I32,
        gtr_shape1(GTR_BATCH));
    gtr_set(x, logits, sizeof logits); gtr_set(y, labels, sizeof labels);
    EXPECT(gtr_item(gtr_nll(gtr_log_softmax(x, 1), y)) > 1e30f);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* A loss of values that are stored in 16 bits is that of these values in float32, and so is its gradient. */
static void losses_of_low(void)
{
    int kind;
    fill_loss();
    for (kind = 0; kind < LOSSES; kind++) {
        static gtr_float got[ROWS * CLASSES];
        gtr_tensor *h, *x, *loss[2];
        net n = build_loss(kind, GTR_REDUCE_MEAN, 1, GTR_MIXED_BF16);
        if (!made(&n)) { gtr_destroy(n.ctx); continue; }
        for (h = n.loss; h->op != GTR__OP_LINEAR; ) h = n.ctx->graph.tensor[h->id - 1];
        gtr_keep(h);
        feed_loss(&n, ROWS);
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        gtr_get(h, got, sizeof got);
        x = gtr_input(n.ctx, "h", GTR_F32, gtr_shape2(GTR_BATCH, CLASSES));
        gtr_set(x, got, sizeof got);
        loss[0] = loss_by(kind, x, n.acc, n.y, GTR_REDUCE_MEAN);
        EXPECT_EQ(gtr_eval(loss, 1), GTR_OK);
        if (kind != 4) /* sigmoid's result is in 16 bits, too */
            CHECK(close_to(gtr_loss(n.t), gtr_item(loss[0]), GTR_FP32), "%s in bf16: %.9g, want %.9g", loss_names[kind],
                (double)gtr_loss(n.t), (double)gtr_item(loss[0]));
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
}
/* Values and gradients at kinks and ends, as PyTorch 2.15 gives them. */
static void losses_at_kinks(void)
{
    static const struct { int kind; gtr_float x[4], t[4], v[4], loss[4], dx[4], dv[4]; } rows[] = {
        { 0, { 1, 2, 0.5, -1 }, { 1, 1, 1, 1 }, { 0 }, { 0, 1, 0.5, 2 }, { 0, 1, -1, -1 }, { 0 } },
        { 1, { 1, 2, 0.5, -1 }, { 1, 1, 1, 1 }, { 0 }, { 0, 0.5, 0.125, 1.5 }, { 0, 1, -0.5, -1 }, { 0 } },
        { 2, { 1, 2, 0.5, -1 }, { 1, 1, 1, 1 }, { 0 }, { 0, 0.375, 0.125, 0.875 }, { 0, 0.5, -0.5, -0.5 }, { 0 } },
        { 3, { 0, 1, 0, 1 }, { 1, 0, 0, 1 }, { 0 }, { 100, 100, 0, 0 }, { (gtr_float)-1e12, (gtr_float)1e12, 0, 0 },
            { 0 } },
        { 4, { 200, -200, 30, -30 }, { 0, 1, 1, 0 }, { 0 }, { 200, 200, (gtr_float)9.357623e-14,
            (gtr_float)9.357623e-14 },
            { 1, -1, (gtr_float)-9.357623e-14, (gtr_float)9.357623e-14 }, { 0 } },
        { 5, { 1, 2, 0.5, -1 }, { 0, 0.5, 1, 0 }, { 0 }, { 0, (gtr_float)-1.3465736, -0.5, 0 }, { 0, -0.5, -1, 0 }, {
            0 } },
        { 6, { 1, 2, 0.5, -1 }, { 1, 1, 1, 1 }, { 0, (gtr_float)1e-7, 1, 2 },
            { (gtr_float)-2.3025851, (gtr_float)47.697415, 0.125, (gtr_float)1.3465736 }, { 0, 100, -0.5, -1 },
            { 50, -4950, 0.375, -0.25 } },
        { 7, { 1, 0, 1, 0 }, { 0, 1, 0, -1 }, { -1, -1 }, { 0, 0 }, { 0, 0, 0, 0 }, { 0 } } };
    int k, i;
    for (k = 0; k < 8; k++) {
        gtr_context *ctx = gtr_create(desc0());
        const gtr_shape s = k == 7 ? gtr_shape2(2, 2) : gtr_shape1(4);
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, s), *t = gtr_constant(ctx, GTR_F32, s, rows[k].t), *loss, *f[3];
        gtr_tensor *v = gtr_input(ctx, "v", GTR_F32, gtr_shape1(k == 7 ? 2 : 4));
        gtr_float loss_got[4] = { 0 }, dx[4], dv[4] = { 0 };
        gtr_loss_desc d;
        memset(&d, 0, sizeof d);
        d.reduction = GTR_REDUCE_NONE;
        if (k == 2) d.delta = 0.5f;
        if (k == 4) d.weight = gtr_scale(t, 0, 1);
        if (k == 6) d.eps = 0.01f;
        loss = k == 0 ? gtr_l1_ex(x, t, d) : k == 1 ? gtr_smooth_l1_ex(x, t, d) : k == 2 ? gtr_huber_ex(x, t, d)
            : k == 3 ? gtr_bce_ex(x, t, d) : k == 4 ? gtr_bce_with_logits_ex(x, t, d) : k == 5 ? gtr_kl_div_ex(x, t, d)
            : k == 6 ? gtr_gaussian_nll_ex(x, t, v, d) : gtr_cosine_embedding_ex(x, t, v, d);
        f[0] = loss; f[1] = gtr_gradient(gtr_sum(loss, NULL, 0, false), x);
        f[2] = gtr_gradient(gtr_sum(loss, NULL, 0, false), v);
        gtr_set(x, rows[k].x, sizeof rows[k].x);
        gtr_set(v, rows[k].v, sizeof(gtr_float) * (k == 7 ? 2 : 4));
        EXPECT_EQ(gtr_eval(f, k == 6 ? 3 : 2), GTR_OK);
        gtr_get(loss, loss_got, sizeof(gtr_float) * (k == 7 ? 2 : 4)); gtr_get(f[1], dx, sizeof dx);
        if (k == 6) gtr_get(f[2], dv, sizeof dv);
        for (i = 0; i < 4; i++)
            CHECK(near(&loss_got[i], &rows[k].loss[i], 1, GTR_FP32) && near(&dx[i], &rows[k].dx[i], 1, GTR_FP32)
                && near(&dv[i], &rows[k].dv[i], 1, GTR_FP32), "row %d, element %d: %.9g, gradients %.9g and %.9g", k, i,
                (double)loss_got[i], (double)dx[i], (double)dv[i]);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* prelu of infinity is infinity; focal's gradient is 0 where no digit of the loss is left. */
static void ends(void)
{
    static const gtr_float far[4] = { INFINITY, 90, 120, 200 };
    gtr_float got[4] = { 0 };
    gtr_context *ctx = gtr_create(desc0());
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape1(GTR_BATCH)), *f[2];
    gtr_loss_desc d;
    int i;
    memset(&d, 0, sizeof d);
    d.gamma = 0.5f;
    gtr_set(x, far, sizeof far);
    f[0] = gtr_prelu(x, "p", false);
    EXPECT_EQ(gtr_eval(f, 1), GTR_OK);
    gtr_get(f[0], got, sizeof got);
    EXPECT(!memcmp(got, far, sizeof got));
    gtr_set(x, far + 1, 3 * sizeof *far);
    f[1] = gtr_gradient(gtr_focal_ex(x, gtr_scale(x, 0, 1), d), x);
    EXPECT_EQ(gtr_eval(f + 1, 1), GTR_OK);
    gtr_get(f[1], got, 3 * sizeof *got);
    for (i = 0; i < 3; i++)
        CHECK(fabs((double)got[i]) < 1e-30, "focal at %g: gradient %g", (double)far[i + 1], (double)got[i]);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* GTR_ZERO is no default where the host flushes subnormals, and takes them for 0, either. */
static void zero_where_flushed(void)
{
    static const gtr_float x[4] = { 0.5f, -2, 1, 0.25f };
    gtr_float got[2][8];
    for (int k = 0; k < 2; k++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 2)), *w, *f[2];
        gtr_group group;
        gtr_loss_desc d;
        gtr_trainer_desc td;
#if defined __SSE__
        const unsigned was = _mm_getcsr();
        _mm_setcsr(k ? was | 0x8040 : was);
#endif
        memset(&d, 0, sizeof d);
        memset(&group, 0, sizeof group);
        memset(&td, 0, sizeof td);
        d.beta = GTR_ZERO;
        f[0] = gtr_smooth_l1_ex(in, gtr_scale(in, 0, 0), d);
        d.beta = 0; d.gamma = GTR_ZERO;
        f[1] = gtr_focal_ex(in, gtr_scale(in, 0, 1), d);
        gtr_set(in, x, sizeof x);
        EXPECT_EQ(gtr_eval(f, 2), GTR_OK);
        for (int i = 0; i < 2; i++) got[k][i] = (gtr_float)gtr_item(f[i]);
        gtr_tensor *loss = gtr_mean(gtr_square(gtr_linear(in, "fc", 1)), NULL, 0, false);
        w = gtr_parameter_find(ctx, "fc.weight");
        group.pattern = "fc.*"; group.weight_decay = GTR_ZERO;
        td.lr = 0.1f; td.weight_decay = 0.5f; td.groups = &group; td.n_groups = 1;
        gtr_set(w, x, 2 * sizeof *x);
        gtr_trainer *t = gtr_trainer_create(loss, td);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        EXPECT_EQ(gtr_get(w, got[k] + 2, 2 * sizeof *x), GTR_OK);
        td.n_groups = 0; td.groups = NULL; td.schedule = GTR_LINEAR; td.start_factor = 1; td.end_factor = GTR_ZERO;
        td.total_steps = 2;
        t = gtr_trainer_create(loss, td);
        for (int i = 0; i < 3; i++) EXPECT_EQ(gtr_step(t), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
        got[k][4] = gtr_trainer_report(t).lr;
        memset(&td, 0, sizeof td);
        td.lr = 0.1f; td.schedule = GTR_PLATEAU; td.plateau_patience = -1; td.gamma = 0.5f; td.threshold = GTR_ZERO;
        t = gtr_trainer_create(loss, td);
        EXPECT_EQ(gtr_trainer_plateau(t, 1, false), GTR_OK);
        EXPECT_EQ(gtr_trainer_plateau(t, 0.99999, false), GTR_OK);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
        got[k][5] = gtr_trainer_report(t).lr;
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
#if defined __SSE__
        _mm_setcsr(was);
#endif
    }
    EXPECT(fabs((double)got[0][0] - 0.9375) < 1e-6 && fabs((double)got[0][4]) < 1e-30);
    EXPECT(fabs((double)got[0][5] - 0.1) < 1e-7);
    for (int i = 0; i < 6; i++) CHECK(fabs((double)got[1][i] - (double)got[0][i]) < 1e-6, "value %d: %g where "
        "subnormals are flushed, else %g", i, (double)got[1][i], (double)got[0][i]);
}
/* Each is refused when it is built, and the text names the loss, what is wrong, and shapes got and wanted. */
static void losses_refused(void)
{
    gtr_context *ctx = gtr_create(desc0());
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3)), *t = gtr_input(ctx, "t", GTR_F32,
        gtr_shape2(GTR_BATCH, 3)), *w = gtr_input(ctx, "w", GTR_F32, gtr_shape2(GTR_BATCH, 4)), *y = gtr_input(ctx, "y",
        GTR_I32, gtr_shape1(GTR_BATCH)), *rows = gtr_input(ctx, "rows", GTR_F32, gtr_shape1(GTR_BATCH));
    gtr_loss_desc d;
    gtr_cross_entropy_desc e;
    const int32_t bad[2] = { 1, 3 };
    const gtr_float logits[6] = { 0 };
    gtr_tensor *loss;
    memset(&d, 0, sizeof d); memset(&e, 0, sizeof e);
#define REFUSED(call, code, a, b) do { EXPECT((call) == NULL); EXPECT(strstr(gtr_error_text(ctx), b) != NULL); \
        EXPECT_ERROR(ctx, code, a); } while (0)
    EXPECT(!gtr_l1(NULL, NULL) && !gtr_gaussian_nll(NULL, NULL, NULL) && !gtr_nll(NULL, NULL));
    EXPECT_OK(ctx);
    REFUSED(gtr_l1(NULL, t), GTR_ERR_ARG, "l1", "argument 1 is NULL");
    REFUSED(gtr_huber(x, NULL), GTR_ERR_ARG, "huber", "argument 2 is NULL");
    REFUSED(gtr_gaussian_nll(x, t, NULL), GTR_ERR_ARG, "gaussian_nll", "argument 3 is NULL");
    REFUSED(gtr_nll(NULL, y), GTR_ERR_ARG, "nll", "argument 1 is NULL");
    REFUSED(gtr_cross_entropy(x, NULL), GTR_ERR_ARG, "cross_entropy", "argument 2 is NULL");
    REFUSED(gtr_cosine_embedding(x, NULL, rows), GTR_ERR_ARG, "cosine_embedding", "argument 2 is NULL");
    REFUSED(gtr_l1(x, w), GTR_ERR_SHAPE, "l1: got target \"w\" float32 (N, 4)", "(N, 3)");
    REFUSED(gtr_smooth_l1(y, y), GTR_ERR_SHAPE, "smooth_l1: got x \"y\" int32", "float32");
    REFUSED(gtr_bce(x, rows), GTR_ERR_SHAPE, "bce: got target \"rows\"", "(N,)");
    REFUSED(gtr_gaussian_nll(x, t, w), GTR_ERR_SHAPE, "gaussian_nll: got var \"w\" float32 (N, 4)",
        "broadcasting to (N, 3)");
    REFUSED(gtr_cosine_embedding(x, t, y), GTR_ERR_SHAPE, "cosine_embedding: got y \"y\" int32 (N,)", "(N,)");
    d.weight = w;
    REFUSED(gtr_kl_div_ex(x, t, d), GTR_ERR_SHAPE, "kl_div: got weight \"w\" float32 (N, 4)", "broadcasting to (N, 3)");
    d.weight = NULL; d.pos_weight = w;
    REFUSED(gtr_bce_with_logits_ex(x, t, d), GTR_ERR_SHAPE, "bce_with_logits: got pos_weight \"w\"", "(N, 3)");
    d.pos_weight = NULL; d.delta = -1;
    REFUSED(gtr_huber_ex(x, t, d), GTR_ERR_ARG, "huber", "delta");
    d.delta = 0; d.gamma = (float)NAN;
    REFUSED(gtr_focal_ex(x, t, d), GTR_ERR_ARG, "focal", "gamma");
    d.gamma = 0; d.margin = 1.5f;
    REFUSED(gtr_cosine_embedding_ex(x, t, rows, d), GTR_ERR_ARG, "cosine_embedding", "margin");
    d.margin = 0; d.beta = 1e-40f;
    REFUSED(gtr_smooth_l1_ex(x, t, d), GTR_ERR_ARG, "smooth_l1: beta is", "1e-38");
    d.beta = 2;
    REFUSED(gtr_huber_ex(x, t, d), GTR_ERR_ARG, "huber: .beta", "not read: it is for smooth_l1");
    d.beta = 0; d.quantile = 1;
    REFUSED(gtr_quantile_ex(x, t, d), GTR_ERR_ARG, "quantile: quantile is 1", "between 0 and 1");
    d.quantile = 0.5f;
    REFUSED(gtr_l1_ex(x, t, d), GTR_ERR_ARG, "l1: .quantile", "it is for quantile");
    d.quantile = 0; d.delta = 2;
    REFUSED(gtr_smooth_l1_ex(x, t, d), GTR_ERR_ARG, "smooth_l1: .delta", "it is for huber");
    d.delta = 0; d.pos_weight = t;
    REFUSED(gtr_mse_ex(x, t, d), GTR_ERR_ARG, "mse: .pos_weight", "bce_with_logits and focal");
    d.pos_weight = NULL; d.full = true;
    REFUSED(gtr_kl_div_ex(x, t, d), GTR_ERR_ARG, "kl_div: .full", "poisson_nll and gaussian_nll");
    d.full = false; d.reduction = (gtr_reduction)4;
    REFUSED(gtr_mse_ex(x, t, d), GTR_ERR_ARG, "mse", "reduction");
    REFUSED(gtr_nll(w, rows), GTR_ERR_SHAPE, "nll", "int32");
    REFUSED(gtr_nll(gtr_slice(x, 1, 0, 1), y), GTR_ERR_SHAPE, "nll", "C above 1");
    REFUSED(gtr_cross_entropy(x, w), GTR_ERR_SHAPE, "cross_entropy: got labels \"w\" float32 (N, 4)", "(N, 3)");
    REFUSED(gtr_cross_entropy(x, gtr_reshape(y, gtr_shape2(GTR_BATCH, 1))), GTR_ERR_SHAPE, "(N, 1)", "int32 (N,)");
    e.weight = rows;
    REFUSED(gtr_cross_entropy_ex(x, y, e), GTR_ERR_SHAPE, "cross_entropy: got weight \"rows\" float32 (N,)", "(3,)");
    e.weight = NULL; e.sample_weight = w;
    REFUSED(gtr_nll_ex(x, y, e), GTR_ERR_SHAPE, "nll: got sample_weight \"w\" float32 (N, 4)", "(N,)");
    e.sample_weight = NULL; e.label_smoothing = 0.5f;
    REFUSED(gtr_nll_ex(x, y, e), GTR_ERR_ARG, "nll: label_smoothing is 0.5", "want 0");
    e.label_smoothing = 0; e.sample_weight = rows;
    {
        gtr_tensor *image = gtr_input(ctx, "image", GTR_F32, gtr_shape4(GTR_BATCH, 3, 4, 5)), *mask = gtr_input(ctx,
            "mask", GTR_I32, gtr_shape4(GTR_BATCH, 1, 4, 5)), *flat = gtr_reshape(mask, gtr_shape3(GTR_BATCH, 4, 5));
        gtr_tensor *lines = gtr_linear(image, "forgotten", 5);
        const int64_t mark = gtr_mark(ctx);
        REFUSED(gtr_cross_entropy(image, mask), GTR_ERR_SHAPE, "cross_entropy: got labels \"mask\" int32 (N, 1, 4, 5)",
            "want int32 equal to (N, 4, 5)");
        REFUSED(gtr_accuracy(image, mask), GTR_ERR_SHAPE, "accuracy: got labels \"mask\" int32 (N, 1, 4, 5)",
            "want int32 equal to (N, 4, 5) for scores (N, 3, 4, 5)");
        REFUSED(gtr_cross_entropy(image, y), GTR_ERR_SHAPE, "for scores (N, 3, 4, 5); for a label a", "gtr_flatten");
        REFUSED(gtr_accuracy(lines, y), GTR_ERR_SHAPE, "want int32 equal to (N, 4, 5) for "
            "scores (N, 3, 4, 5)", "(N, C): gtr_flatten before their layer");
        REFUSED(gtr_nll(image, image), GTR_ERR_SHAPE, "nll: got labels \"image\" float32",
            "want int32 equal to (N, 4, 5)");
        REFUSED(gtr_cross_entropy(image, gtr_slice(image, 2, 1, 4)), GTR_ERR_SHAPE, "(N, 3, 3, 5), want float32",
            "equal to (N, 3, 4, 5)");
        REFUSED(gtr_nll(gtr_slice(image, 1, 0, 1), flat), GTR_ERR_SHAPE, "nll", "C above 1");
        REFUSED(gtr_accuracy(gtr_flatten(image), NULL), GTR_ERR_ARG, "accuracy", "argument 2 is NULL");
        REFUSED(gtr_cross_entropy_ex(image, flat, e), GTR_ERR_SHAPE, "got sample_weight \"rows\" float32 (N,)",
            "(N, 4, 5)");
        EXPECT_EQ(gtr_mark(ctx), mark + 3);     /* the slices and flatten alone */
    }
    {
        gtr_tensor *steps = gtr_input(ctx, "steps", GTR_F32, gtr_shape3(GTR_BATCH, 4, 3)), *two = gtr_input(ctx, "two",
            GTR_I32, gtr_shape2(GTR_BATCH, 2));
        const int64_t mark = gtr_mark(ctx);
        gtr_ctc_desc c;
        memset(&c, 0, sizeof c);
        EXPECT(!gtr_ctc(NULL, NULL));
        EXPECT_OK(ctx);
        REFUSED(gtr_ctc(steps, NULL), GTR_ERR_ARG, "ctc", "argument 2 is NULL");
        REFUSED(gtr_ctc(steps, y), GTR_ERR_SHAPE, "ctc of \"steps\" and \"y\": got (N, 4, 3) and (N,)",
            "want (N, T, C), (N, L)");
        REFUSED(gtr_ctc(x, two), GTR_ERR_SHAPE, "ctc of \"x\" and \"two\": got (N, 3) and (N, 2)",
            "want (N, T, C), (N, L)");
        REFUSED(gtr_ctc(steps, steps), GTR_ERR_SHAPE, "ctc", "int32");
        REFUSED(gtr_ctc(two, two), GTR_ERR_SHAPE, "ctc", "float32");
        REFUSED(gtr_ctc(steps, gtr_constant(ctx, GTR_I32, gtr_shape2(1, 2), bad)), GTR_ERR_SHAPE, "(1, 2)",
            "want (N, T, C), (N, L)");
        c.blank = 3;
        REFUSED(gtr_ctc_ex(steps, two, c), GTR_ERR_ARG, "ctc: blank is 3", "want 0 to 2");
        c.blank = -1;
        REFUSED(gtr_ctc_ex(steps, two, c), GTR_ERR_ARG, "ctc: blank is -1", "want 0 to 2");
        c.blank = 0; c.reduction = (gtr_reduction)4;
        REFUSED(gtr_ctc_ex(steps, two, c), GTR_ERR_ARG, "ctc", ".reduction is no gtr_reduction");
        c.reduction = GTR_REDUCE_MEAN; c.lengths = two;
        REFUSED(gtr_ctc_ex(steps, two, c), GTR_ERR_SHAPE, "ctc: got lengths \"two\" int32 (N, 2)", "want int32 equal");
        c.lengths = y; c.label_lengths = rows;
        REFUSED(gtr_ctc_ex(steps, two, c), GTR_ERR_SHAPE, "ctc: got label_lengths \"rows\" float32", "int32 equal");
        EXPECT_EQ(gtr_mark(ctx), mark + 1);     /* the constant */
        REFUSED(gtr_ctc(gtr_softmax(steps, 2), two), GTR_ERR_ARG, "ctc of softmax", "want logits");
    }
    { /* of two contexts: what the other has stays */
        gtr_context *other = gtr_create(desc0());
        gtr_tensor *far_x = gtr_input(other, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3)), *far_y = gtr_input(other, "y",
            GTR_I32, gtr_shape1(GTR_BATCH));
        const int64_t mark = gtr_mark(ctx);
        e.label_smoothing = 0; e.weight = NULL; e.sample_weight = NULL; e.reduction = GTR_REDUCE_SUM;
        REFUSED(gtr_l1(far_x, t), GTR_ERR_ARG, "l1", "different contexts");
        REFUSED(gtr_nll_ex(far_x, y, e), GTR_ERR_ARG, "nll", "different contexts");
        EXPECT(gtr_mark(ctx) >= mark && gtr_l1(x, t) && far_y);
        gtr_destroy(other);
    }
    loss = gtr_nll(x, y);
    gtr_set(x, logits, sizeof logits); gtr_set(y, bad, sizeof bad);
    EXPECT_EQ(gtr_eval(&loss, 1), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "input \"y\": element 1 is 3, want 0 to 2 for nll");
    e.label_smoothing = 0; e.sample_weight = rows;
    loss = gtr_cross_entropy_ex(x, y, e);
    gtr_set(rows, logits, 2 * sizeof *logits);
    EXPECT_EQ(gtr_eval(&loss, 1), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "want 0 to 2 for cross_entropy");
    gtr_destroy(ctx);
}
/* A step in which no row counts, of a loss that is divided by weights. */
static void no_weights(void)
{
    int m, i;
    for (m = 0; m < 2; m++) {
        net n;
        fill_loss();
        n = build_loss(12, GTR_REDUCE_MEAN, 1 + m, GTR_FP32);
        for (i = 0; i < ROWS; i++) data_y[i] = -100;
        feed_loss(&n, ROWS);
        gtr_step(n.t);
        EXPECT_EQ(gtr_wait(n.ctx) || gtr_error(n.ctx), 1);
        EXPECT_ERROR(n.ctx, GTR_ERR_NONFINITE, "\"nll\" () (all labels of the step are ignored");
        gtr_destroy(n.ctx);
    }
    for (m = 0; m < 2; m++) { /* labels count whose classes have no weight; a weight is NaN */
        const gtr_float weights[2][3] = { { 0, 0, 1 }, { 1, 1, (gtr_float)NAN } }, logits[6] = { 0 };
        const int32_t labels[2] = { 0, 1 };
        gtr_context *ctx = gtr_create(desc0());
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3)), *y = gtr_input(ctx, "y", GTR_I32,
            gtr_shape1(GTR_BATCH));
        gtr_cross_entropy_desc d;
        gtr_trainer_desc how;
        memset(&d, 0, sizeof d); memset(&how, 0, sizeof how);
        d.weight = gtr_constant(ctx, GTR_F32, gtr_shape1(3), weights[m]);
        gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy_ex(gtr_linear(x, "fc", 3), y, d), how);
        gtr_set(x, logits, sizeof logits); gtr_set(y, labels, sizeof labels);
        gtr_step(t);
        EXPECT_EQ(gtr_wait(ctx) || gtr_error(ctx), 1);
        EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, m ? "the constant \"constant\" (3,)"
            : "\"cross_entropy\" () (all labels of the step are ignored, or their classes have no weight)");
        gtr_destroy(ctx);
    }
}

/* ---- dropout's masks are the whole batch's ---- */
enum { USUAL, FLAT, MIDDLE, TIME_MAJOR, TWO_VIEWS, LAST, NONE, IN_REGION, PLACES };
static const char *const place_names[] = {
    "(N, C)", "(N T, C)", "(T, N, C)", "(T N, C)", "(2 N, C)", "(C, N)", "no batch", "(N T, C), recomputed" };
static bool noisy;         /* random numbers instead */
static gtr_tensor *drawn(gtr_tensor *h) {
    return noisy ? gtr_mul(h, gtr_random_normal(h, "drop")) : gtr_dropout(h, "drop", 0.4f);
}
static gtr_tensor *dropped(gtr_tensor *x, int place)
{
    static const int middle[] = { 1, 0, 2 }, last[] = { 1, 0 };
    gtr_tensor *h = gtr_linear(x, "fc1", 5), *two[2], *y;
    if (place == USUAL) h = gtr_reshape(h, gtr_shape2(GTR_BATCH, 5 * TIMES));
    if (place == FLAT || place == IN_REGION) h = gtr_tanh(gtr_reshape(h, gtr_shape2(-TIMES, 5)));
    if (place == MIDDLE || place == TIME_MAJOR) h = gtr_permute(h, middle);
    if (place == TIME_MAJOR) h = gtr_linear(gtr_reshape(h, gtr_shape2(-TIMES, 5)), "fc2", 7);
    if (place == TWO_VIEWS) {
        two[0] = gtr_reshape(h, gtr_shape3(1, GTR_BATCH, 5 * TIMES)); two[1] = gtr_tanh(two[0]);
        h = gtr_relu(gtr_reshape(gtr_concat(two, 2, 0), gtr_shape2(-2, 5 * TIMES)));
    }
    if (place == LAST) h = gtr_permute(gtr_flatten(h), last);
    if (place == NONE) {
        gtr_tensor *w = drawn(gtr_parameter_find(x->ctx, "fc1.weight"));
        return gtr_linear_with(x, w, NULL);
    }
    y = drawn(h);
    return place == IN_REGION ? gtr_tanh(y) : y;
}
static gtr_trainer *drop_trainer(gtr_context *ctx, int place, int micro, gtr_tensor **x, gtr_tensor **y)
{
    gtr_trainer_desc d;
    memset(&d, 0, sizeof d);
    *x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, TIMES, WIDTH));
    if (place == IN_REGION) gtr_recompute_begin(ctx);
    *y = dropped(*x, place);
    if (place == IN_REGION) gtr_recompute_end(ctx);
    d.lr = 0.1f; d.micro_batches = micro;
    return gtr_trainer_create(gtr_mean(gtr_mul(*y, *y), NULL, 0, false), d);
}
static void masks_in_parts(void)
{
    int place, m, step;
    for (place = 0; place < PLACES; place++) for (m = 1; m < 4; m++) {
        net one, many;
        gtr_tensor *y;
        char what[96];
        memset(&one, 0, sizeof one);
        data_fill(-100, 1);
        many = one;
        one.ctx = gtr_create(desc0()); many.ctx = gtr_create(desc0());
        one.t = drop_trainer(one.ctx, place, 1, &one.x, &y);
        many.t = drop_trainer(many.ctx, place, micros[m], &many.x, &y);
        for (step = 0; step < STEPS; step++) {
            float a, b;
            snprintf(what, sizeof what, "%s of %s, %d micro-batches, step %d", noisy ? "noise" : "dropout",
                place_names[place], micros[m], step + 1);
            gtr_set(one.x, data_x + step * WIDTH, (size_t)(ROWS * TIMES * WIDTH) * sizeof *data_x);
            gtr_set(many.x, data_x + step * WIDTH, (size_t)(ROWS * TIMES * WIDTH) * sizeof *data_x);
            EXPECT_EQ(gtr_step(one.t), GTR_OK); EXPECT_EQ(gtr_step(many.t), GTR_OK);
            a = gtr_loss(one.t); b = gtr_loss(many.t);
            if (!CHECK(close_to(b, a, GTR_FP32), "%s: the loss is %.9g, want %.9g", what, (double)b, (double)a)) break;
            compare(&one, &many, GTR_FP32, what);
        }
        EXPECT_OK(one.ctx); EXPECT_OK(many.ctx);
        gtr_destroy(one.ctx); gtr_destroy(many.ctx);
    }
}
static void noise_in_parts(void) { noisy = true; masks_in_parts(); noisy = false; }

/* ---- random numbers ---- */
enum { DRAW_ROWS = 128, DRAW_WIDTH = 512, DRAWS = DRAW_ROWS * DRAW_WIDTH };
typedef gtr_tensor *(*draw_fn)(gtr_tensor *like, const char *name);
static const draw_fn draw_fns[3] = { gtr_random_uniform, gtr_random_normal, gtr_random_gumbel };
static const char *const draw_names[3] = { "uniform", "normal", "gumbel" };
/* Of n pairs, in standard errors of independent ones. */
static double correlation(const float *a, const float *b, int n)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    int i;
    for (i = 0; i < n; i++) { x += (double)a[i] / n; y += (double)b[i] / n; }
    for (i = 0; i < n; i++) {
        const double p = (double)a[i] - x, q = (double)b[i] - y;
        xx += p * p; yy += q * q; xy += p * q;
    }
    return xy / sqrt(xx * yy) * sqrt((double)n);
}
/* Mean, variance, skewness and kurtosis of DRAWS numbers, each in its standard errors. */
static void check_moments(const float *v, int kind)
{
    static const double mean[3] = { 0.5, 0, 0.5772156649 }, var[3] = { 1 / 12.0, 1, 1.6449340668 },
        skew[3] = { 0, 0, 1.1395470994 }, kurtosis[3] = { 1.8, 3, 5.4 };
    double m[5] = { 0 };        /* standardised powers, and of the eighth for the error of the fourth */
    int i;
    for (i = 0; i < DRAWS; i++) {
        const double z = ((double)v[i] - mean[kind]) / sqrt(var[kind]);
        m[0] += z / DRAWS; m[1] += z * z / DRAWS; m[2] += z * z * z / DRAWS; m[3] += pow(z, 4) / DRAWS;
        m[4] += pow(z, 8) / DRAWS;
    }
    CHECK(fabs(m[0]) < 4 / sqrt((double)DRAWS), "%s: mean %g standard deviations off", draw_names[kind], m[0]);
    CHECK(fabs(m[1] - 1) < 4 * sqrt((m[3] - 1) / DRAWS), "%s: variance %g times it", draw_names[kind], m[1]);
    CHECK(fabs(m[2] - skew[kind]) < 5 * sqrt(m[4] / DRAWS), "%s: skewness %g", draw_names[kind], m[2]);
    CHECK(fabs(m[3] - kurtosis[kind]) < 4 * sqrt((m[4] - m[3] * m[3]) / DRAWS), "%s: kurtosis %g", draw_names[kind],
        m[3]);
}
/* Numbers of the kind, under this name, as of the runs'th run. */
static float *draws_of(gtr_desc desc, int kind, const char *named, int runs)
{
    gtr_context *ctx = gtr_create(desc);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, DRAW_WIDTH)), *y = draw_fns[kind](x, named);
    float *v = (float *)calloc(DRAWS, sizeof *v);
    gtr_set(x, v, DRAWS * sizeof *v);
    while (runs--) EXPECT_EQ(gtr_eval(&y, 1), GTR_OK);
    EXPECT_EQ(gtr_get(y, v, DRAWS * sizeof *v), GTR_OK);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    return v;
}
/* Moments; no correlation between runs, names, seeds, neighbours in a row and rows; bits that follow from all these. */
static void draws(void)
{
    int kind, k;
    for (kind = 0; kind < 3; kind++) {
        gtr_desc cpu = desc0(), seeded = desc0();
        float *v[6];
        cpu.device = GTR_DEVICE_CPU; seeded.seed = 5;
        v[0] = draws_of(desc0(), kind, "a", 1); v[1] = draws_of(desc0(), kind, "a", 2);
        v[2] = draws_of(desc0(), kind, "b", 1); v[3] = draws_of(seeded, kind, "a", 1);
        v[4] = draws_of(cpu, kind, "a", 1); v[5] = draws_of(desc0(), (kind + 1) % 3, "b", 1);
        check_moments(v[0], kind);
        for (k = 1; k < 6; k++) if (k != 4) {
            const double r = correlation(v[0], v[k], DRAWS);
            CHECK(fabs(r) < 4.5, "%s: run, name or seed %d: %g standard errors of correlation", draw_names[kind], k, r);
        }
        for (k = 1; k <= DRAW_WIDTH; k = k < 8 ? k + 1 : 8 * k) {
            const double r = correlation(v[0], v[0] + k, DRAWS - k);
            CHECK(fabs(r) < 4.5, "%s: %d apart: %g standard errors of correlation", draw_names[kind], k, r);
        }
        CHECK(!memcmp(v[0], v[4], DRAWS * sizeof **v), "%s: other bits than on the CPU", draw_names[kind]);
        for (k = 0; k < 6; k++) free(v[k]);
    }
}
/* A trainer's numbers, bit for bit: in micro-batches as in one, and new in each step. */
static void draws_in_parts(void)
{
    static gtr_float v[2][3][ROWS * TIMES * 5];
    int kind, m, step;
    for (kind = 0; kind < 3; kind++) {
        for (m = 0; m < 2; m++) {
            gtr_context *ctx = gtr_create(desc0());
            gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, TIMES, WIDTH)), *h, *y;
            gtr_trainer_desc d;
            gtr_trainer *t;
            memset(&d, 0, sizeof d);
            d.lr = 0.1f; d.micro_batches = m ? 4 : 1;
            h = gtr_linear(x, "fc1", 5);
            y = gtr_keep(draw_fns[kind](h, "noise"));
            t = gtr_trainer_create(gtr_mean(gtr_mul(h, y), NULL, 0, false), d);
            data_fill(-100, 1);
            gtr_set(x, data_x, (size_t)(ROWS * TIMES * WIDTH) * sizeof *data_x);
            for (step = 0; step < 3; step++) {
                EXPECT_EQ(gtr_step(t), GTR_OK);
                EXPECT_EQ(gtr_get(y, v[m][step], sizeof v[m][step]), GTR_OK);
            }
            EXPECT_OK(ctx);
            gtr_destroy(ctx);
        }
        CHECK(!memcmp(v[0], v[1], sizeof v[0]), "%s: other bits in micro-batches", draw_names[kind]);
        CHECK(memcmp(v[0][0], v[0][1], sizeof v[0][0]) && memcmp(v[0][1], v[0][2], sizeof v[0][0]),
            "%s: two steps draw the same", draw_names[kind]);
    }
}
/* One element in (step, row, element) a mask: no two rows of a step share one, and a run in training mode draws
   as the first step does. */
static void masks_differ(void)
{
    static gtr_float a[ROWS * TIMES * 5];
    gtr_context *ctx = gtr_create(desc0());
    gtr_tensor *x, *y;
    gtr_trainer *t = drop_trainer(ctx, FLAT, 3, &x, &y);
    int i, j, k, alike = 0;
    data_fill(-100, 1);
    gtr_keep(y);
    gtr_set(x, data_x, (size_t)(ROWS * TIMES * WIDTH) * sizeof *data_x);
    EXPECT_EQ(gtr_step(t), GTR_OK);
    EXPECT_EQ(gtr_get(y, a, sizeof a), GTR_OK);
    for (i = 0; i < ROWS; i++) for (j = i + 1; j < ROWS; j++) {     /* rows of one batch element, TIMES by 5 */
        for (k = 0; k < TIMES * 5 && (a[i * TIMES * 5 + k] == 0) == (a[j * TIMES * 5 + k] == 0); k++) {}
        alike += k == TIMES * 5;
    }
    CHECK(alike == 0, "%d pairs of rows have one mask", alike);
    {
        static gtr_float b[ROWS * TIMES * 5];
        gtr_context *other = gtr_create(desc0());
        gtr_trainer *none = drop_trainer(other, FLAT, 1, &x, &y);
        gtr_set(x, data_x, (size_t)(ROWS * TIMES * WIDTH) * sizeof *data_x);
        EXPECT_EQ(gtr_eval_train(&y, 1), GTR_OK);
        EXPECT_EQ(gtr_get(y, b, sizeof b), GTR_OK);
        for (k = alike = 0; k < ROWS * TIMES * 5; k++) alike += (a[k] == 0) == (b[k] == 0);
        EXPECT_EQ(alike, ROWS * TIMES * 5);
        EXPECT(none != NULL);
        EXPECT_OK(other);
        gtr_destroy(other);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

/* Gradients of logits that lie high, of rows that are all but certain: what is left of 1 less a chance near it. */
static void certain(void)
{
    enum { N = 64, C = 10 };
    static const float heights[] = { 0, 100, 10000 };
    static gtr_float x[N * C], g[N * C];
    int32_t y[N];
    int k, turn, i, j;
    for (k = 0; k < 3; k++) for (turn = 0; turn < 2; turn++) {      /* by itself; fused with the loss */
        gtr_context *ctx = gtr_create(desc0());
        gtr_init init;
        gtr_trainer_desc d;
        gtr_tensor *w, *loss, *gradient;
        uint32_t s = 5;
        double off = 0, all = 0;
        memset(&init, 0, sizeof init);
        memset(&d, 0, sizeof d);
        for (i = 0; i < N * C; i++) x[i] = (gtr_float)noise(&s) + heights[k];
        for (i = 0; i < N; i++) x[i * C + (y[i] = i * 7 % C)] += 9.5f;
        w = gtr_parameter(ctx, "w", gtr_shape2(N, C), init);
        loss = gtr_cross_entropy(w, gtr_constant(ctx, GTR_I32, gtr_shape1(N), y));
        gtr_set(w, x, sizeof x);
        if (turn) {
            gtr_trainer *t = gtr_trainer_create(loss, d);
            EXPECT_EQ(gtr_backward(t), GTR_OK);
            EXPECT_EQ(gtr_gradient_get(t, w, g, sizeof g), GTR_OK);
        } else {
            gradient = gtr_gradient(loss, w);
            EXPECT_EQ(gtr_eval(&gradient, 1), GTR_OK);
            EXPECT_EQ(gtr_get(gradient, g, sizeof g), GTR_OK);
        }
        for (i = 0; i < N; i++) {
            double sum = 0, others = 0, want;
            for (j = 0; j < C; j++) sum += exp((double)x[i * C + j] - x[i * C + y[i]]);
            for (j = 0; j < C; j++) if (j != y[i]) others += exp((double)x[i * C + j] - x[i * C + y[i]]);
            for (j = 0; j < C; j++) {
                want = (j == y[i] ? -others : exp((double)x[i * C + j] - x[i * C + y[i]])) / sum / N;
                off += (g[i * C + j] - want) * (g[i * C + j] - want);
                all += want * want;
            }
        }
        CHECK(off <= 4e-12 * all, "logits by %g, %s: the gradient is off by %.2e of it", (double)heights[k],
            turn ? "fused" : "alone", sqrt(off / all));
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}

/* A number that is 0 is its documented default: what comes is as with that given, but for the number's own rounding,
   and another with 1.5 times it. DEFAULT(what, default, an expression of v). Of eps the inputs are as small as it. */
#define DEFAULTS(DEFAULT) \
    DEFAULT("gtr_leaky_relu's slope", 0.01, gtr_leaky_relu(x, v)) \
    DEFAULT("gtr_elu's alpha", 1, gtr_elu(x, v)) \
    DEFAULT("gtr_softplus's beta", 1, gtr_softplus(x, v)) \
    DEFAULT("gtr_layer_norm's eps", 1e-5, gtr_layer_norm(tiny, "norm", 1, v)) \
    DEFAULT("gtr_rms_norm's eps", 1.0 / (1 << 23), gtr_rms_norm(tiny, "norm", 1, v)) \
    DEFAULT("gtr_group_norm's eps", 1e-5, gtr_group_norm(tiny, "norm", 2, v)) \
    DEFAULT("gtr_instance_norm's eps", 1e-5, \
        gtr_instance_norm(gtr_reshape(tiny, gtr_shape3(GTR_BATCH, 2, 3)), "norm", v)) \
    DEFAULT("gtr_batch_norm's eps", 1e-5, \
        (norm.eps = v, gtr_batch_norm_ex(x, "norm", norm))) \
    DEFAULT("gtr_batch_norm's momentum", 0.1, \
        (norm.momentum = v, stepped = "norm.running_mean", gtr_batch_norm_ex(x, "norm", norm))) \
    DEFAULT("a transformer block's eps", 1e-5, (block.eps = v, gtr_transformer_block(steps, "block", block))) \
    DEFAULT("GPT2's eps", 1e-5, \
        (block.kind = GTR_BLOCK_GPT2, block.eps = v, gtr_transformer_block(steps, "block", block))) \
    DEFAULT("LLAMA's eps", 1e-5, \
        (block.kind = GTR_BLOCK_LLAMA, block.eps = v, gtr_transformer_block(steps, "block", block))) \
    DEFAULT("a transformer block's hidden", 8, (block.hidden = (int64_t)v, \
        gtr_transformer_block(steps, "block", block))) \
    DEFAULT("gtr_add_positions' base", 10000, \
        gtr_add_positions(gtr_reshape(twice, gtr_shape3(GTR_BATCH, 3, 4)), v)) \
    DEFAULT("gtr_rope's base", 10000, gtr_rope(gtr_reshape(twice, gtr_shape4(GTR_BATCH, 3, 1, 4)), v, 0)) \
    DEFAULT("smooth_l1's beta", 1, (d.beta = v, gtr_smooth_l1_ex(x, t, d))) \
    DEFAULT("huber's delta", 1, (d.delta = v, gtr_huber_ex(x, t, d))) \
    DEFAULT("focal's alpha", 0.25, (d.alpha = v, gtr_focal_ex(x, gtr_sigmoid(t), d))) \
    DEFAULT("focal's gamma", 2, (d.gamma = v, gtr_focal_ex(x, gtr_sigmoid(t), d))) \
    DEFAULT("poisson_nll's eps", 1e-8, (d.eps = v, d.no_log_input = true, gtr_poisson_nll_ex(nothing, t, d))) \
    DEFAULT("gaussian_nll's eps", 1e-6, (d.eps = v, gtr_gaussian_nll_ex(x, t, nothing, d))) \
    DEFAULT("quantile's quantile", 0.5, (d.quantile = v, gtr_quantile_ex(x, t, d)))
enum { DEFAULTS_TRIED = 3 };
static void default_of(int which, int tried, gtr_float *to, int64_t *n)
{
#define WANTED(what, number, made) (float)(number),
    static const float wanted[] = { DEFAULTS(WANTED) };
    static const gtr_float small_variance[WIDTH] = { 1e-5f, 2e-5f, 3e-5f, 4e-5f, 5e-5f, 6e-5f };
    gtr_context *ctx = gtr_create(desc0());
    gtr_tensor *both[2], *x = both[0] = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH)), *y = NULL,
        *t = gtr_input(ctx, "t", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH)), *tiny = gtr_scale(x, 1e-3f, 0),
        *nothing = gtr_scale(gtr_square(x), 1e-8f, 0), *twice = (both[1] = t, gtr_concat(both, 2, 1)),
        *steps = gtr_reshape(tiny, gtr_shape3(GTR_BATCH, 3, 2));
    const char *stepped = NULL;             /* what comes is this parameter behind a step */
    const float v = tried == 0 ? 0 : tried == 1 ? wanted[which] : wanted[which] * 1.5f;
    gtr_loss_desc d;
    gtr_batch_norm_desc norm;
    gtr_transformer_desc block;
    gtr_trainer_desc how;
    int k = 0;
    memset(&d, 0, sizeof d); memset(&norm, 0, sizeof norm);
    memset(&block, 0, sizeof block); memset(&how, 0, sizeof how);
    block.heads = 1;
#define MADE(what, number, made) if (k++ == which) y = made;
    DEFAULTS(MADE)
    gtr_tensor *variance = gtr_parameter_find(ctx, "norm.running_var");
    if (variance) EXPECT_EQ(gtr_set(variance, small_variance, sizeof small_variance), GTR_OK);
    EXPECT_EQ(gtr_set(x, data_x, sizeof(gtr_float) * ROWS * WIDTH), GTR_OK);
    EXPECT_EQ(gtr_set(t, data_x + ROWS * WIDTH, sizeof(gtr_float) * ROWS * WIDTH), GTR_OK);
    if (!stepped) EXPECT_EQ(gtr_eval(&y, 1), GTR_OK);
    else {
        EXPECT_EQ(gtr_step(gtr_trainer_create(gtr_mean(gtr_square(y), NULL, 0, false), how)), GTR_OK);
        y = gtr_parameter_find(ctx, stepped);
    }
    const gtr_shape s = gtr__literal(gtr_tensor_shape(y), ROWS);
    *n = gtr__count(&s);
    EXPECT_EQ(gtr_get(y, to, (size_t)*n * sizeof *to), GTR_OK);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
static void defaults(void)
{
#define NAMED(what, number, made) what,
    static const char *const names[] = { DEFAULTS(NAMED) };
    static gtr_float got[DEFAULTS_TRIED][2 * ROWS * WIDTH];
    data_fill(-100, 1);
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
        int64_t n = 0;
        for (int k = 0; k < DEFAULTS_TRIED; k++) default_of(i, k, got[k], &n);
        CHECK(within(got[0], got[1], n, 1e-10, 1e-5), "%s that is 0 is not its default: %g, want %g", names[i],
            (double)got[0][0], (double)got[1][0]);
        CHECK(!within(got[0], got[2], n, 1e-10, 1e-5), "%s: another number makes no difference", names[i]);
    }
}

/* First values: what the comments at the builders in gputrain.h say, and PyTorch's documentation, in numbers. FIRST(a
   builder, a call of it, its parameters and buffers: names, behind "l.", with * for any rest; "constant", and which;
   "uniform", and the bound; "normal", and the deviation). Weights are no squares: a fan-in is no fan-out. */
#define FIRST_VALUES(FIRST) \
    FIRST(parameter, gtr_parameter(ctx, "l", gtr_shape2(64, 100), init), "l constant 0") \
    FIRST(parameter, (init.kind = GTR_INIT_CONSTANT, init.a = 3, gtr_parameter(ctx, "l", gtr_shape2(64, 100), init)), \
        "l constant 3") \
    FIRST(parameter, (init.kind = GTR_INIT_UNIFORM, init.a = 3, gtr_parameter(ctx, "l", gtr_shape2(64, 100), init)), \
        "l uniform 3") \
    FIRST(parameter, (init.kind = GTR_INIT_NORMAL, init.a = 3, gtr_parameter(ctx, "l", gtr_shape2(64, 100), init)), \
        "l normal 3") \
    FIRST(linear, gtr_linear(x, "l", 256), "weight bias uniform 0.125") \
    FIRST(linear_ex, (linear.no_bias = true, gtr_linear_ex(x, "l", linear)), "weight uniform 0.125") \
    FIRST(embedding, gtr_embedding(ids, "l", 300, 40), "weight normal 1") \
    FIRST(standardise, gtr_standardise(x, "l", NULL, 0), "mean constant 0 std constant 1") \
    FIRST(unstandardise, gtr_unstandardise(x, "l"), "mean constant 0 std constant 1") \
    FIRST(batch_norm, gtr_batch_norm(x, "l"), \
        "weight running_var constant 1 bias running_mean num_batches_tracked constant 0") \
    FIRST(batch_norm_ex, gtr_batch_norm_ex(images, "l", norm), \
        "weight running_var constant 1 bias running_mean num_batches_tracked constant 0") \
    FIRST(conv2d, gtr_conv2d(images, "l", 256, 2, 1, 0), "weight bias uniform 0.125") \
    FIRST(conv1d, gtr_conv1d(series, "l", 256, 4, 1, 0), "weight bias uniform 0.125") \
    FIRST(conv2d_ex, (conv.kernel_w = 4, conv.groups = 4, gtr_conv2d_ex(images, "l", conv)), \
        "weight bias uniform 0.25") \
    FIRST(conv_transpose2d, gtr_conv_transpose2d(images, "l", 256, 2, 1, 0), "weight bias uniform 0.03125") \
    FIRST(conv_transpose2d_ex, (conv.kernel_w = 4, conv.groups = 4, gtr_conv_transpose2d_ex(images, "l", conv)), \
        "weight bias uniform 0.0625") \
    FIRST(layer_norm, gtr_layer_norm(x, "l", 1, 0), "weight constant 1 bias constant 0") \
    FIRST(rms_norm, gtr_rms_norm(x, "l", 1, 0), "weight constant 1") \
    FIRST(group_norm, gtr_group_norm(images, "l", 4, 0), "weight constant 1 bias constant 0") \
    FIRST(instance_norm, gtr_instance_norm(images, "l", 0), "weight constant 1 bias constant 0") \
    FIRST(prelu, gtr_prelu(x, "l", false), "weight constant 0.25") \
    FIRST(prelu, gtr_prelu(x, "l", true), "weight constant 0.25") \
    FIRST(bilinear, gtr_bilinear(x, gtr_slice(x, 1, 0, 16), "l", 128), "weight bias uniform 0.125") \
    FIRST(residual, gtr_residual(x, gtr_concat(fourfold, 4, 1), "l"), "weight uniform 0.125") \
    FIRST(residual, gtr_residual(images, gtr_conv2d_with(images, gtr_constant(ctx, GTR_F32, gtr_shape4(256, 16, 1, 1), \
        zeros), NULL, none), "l"), "weight uniform 0.25") \
    FIRST(rnn_cell, gtr_rnn_cell(x, NULL, "l", 100), "weight_* bias_* uniform 0.1") \
    FIRST(gru_cell, gtr_gru_cell(x, NULL, "l", 100), "weight_* bias_* uniform 0.1") \
    FIRST(lstm_cell, gtr_lstm_cell(x, NULL, &state, "l", 100), "weight_* bias_* uniform 0.1") \
    FIRST(rnn, gtr_rnn(steps, "l", 100, recurrent), "weight_* bias_* uniform 0.1") \
    FIRST(gru, gtr_gru(steps, "l", 100, recurrent), "weight_* bias_* uniform 0.1") \
    FIRST(lstm, gtr_lstm(steps, "l", 100, recurrent), "weight_* bias_* uniform 0.1") \
    FIRST(multihead_attention, gtr_multihead_attention(steps, NULL, "l", 4, attention), "in_proj_weight uniform " \
        "0.153093 in_proj_bias out_proj.bias constant 0 out_proj.weight uniform 0.125") \
    FIRST(transformer_block, (block.memory = steps, gtr_transformer_block(steps, "l", block)), \
        "self_attn.in_proj_weight multihead_attn.in_proj_weight uniform 0.153093 self_attn.in_proj_bias " \
        "self_attn.out_proj.bias multihead_attn.in_proj_bias multihead_attn.out_proj.bias constant 0 " \
        "self_attn.out_proj.weight multihead_attn.out_proj.weight linear1.* uniform 0.125 linear2.* uniform 0.0625 " \
        "norm1.weight norm2.weight norm3.weight constant 1 norm1.bias norm2.bias norm3.bias constant 0") \
    FIRST(transformer_block, (block.kind = GTR_BLOCK_GPT2, gtr_transformer_block(steps, "l", block)), \
        "ln_1.weight ln_2.weight constant 1 ln_1.bias ln_2.bias attn.c_attn.bias attn.c_proj.bias mlp.c_fc.bias " \
        "mlp.c_proj.bias constant 0 attn.c_attn.weight attn.c_proj.weight mlp.c_fc.weight mlp.c_proj.weight " \
        "normal 0.02") \
    FIRST(transformer_block, (block.kind = GTR_BLOCK_LLAMA, gtr_transformer_block(steps, "l", block)), \
        "input_layernorm.weight post_attention_layernorm.weight constant 1 self_attn.* mlp.* normal 0.02")
/* Of those that take a name, what makes no parameter. */
static const char *const named_only[] = { "input", "state", "dropout", "dropout2d", "random_normal", "random_uniform",
    "random_gumbel", "parameter_find" };
#define FIRST_OF(builder, made, wanted) { #builder, #made, wanted },
static const struct { const char *builder, *made, *wanted; } first_values[] = { FIRST_VALUES(FIRST_OF) };
enum { FIRSTS = sizeof first_values / sizeof *first_values, FIRST_ENOUGH = 4096 };
/* Whether the n first values v of a parameter are of a kind. */
static void first_check(const char *who, const char *name, const gtr_float *v, int64_t n, const char *kind, double a)
{
    double sum = 0, squares = 0, least = (double)v[0], most = (double)v[0];
    const bool constant = kind[0] == 'c', uniform = kind[0] == 'u';
    for (int64_t i = 0; i < n; i++) {
        const double x = (double)v[i];
        sum += x / (double)n; squares += x * x / (double)n;
        if (x < least) least = x;
        if (x > most) most = x;
    }
    if (constant) {
        CHECK(least == a && most == a && sum == sum, "gtr_%s: \"%s\" is at first %g to %g, want %g", who, name, least,
            most, a);
        return;
    }
    const double deviation = sqrt(squares - sum * sum), wanted = uniform ? a / sqrt(3.0) : a;
    if (uniform && !CHECK(least >= -1.00001 * a && most <= 1.00001 * a && most - least > 1.8 * a,
            "gtr_%s: \"%s\" is at first %g to %g, want uniform numbers from %g to %g", who, name, least, most, -a, a))
        return;
    if (!uniform) CHECK(n >= FIRST_ENOUGH, "gtr_%s: \"%s\" has %lld values: too few to tell how they are drawn", who,
        name, (long long)n);
    if (n >= FIRST_ENOUGH) CHECK(fabs(deviation / wanted - 1) < 0.1 && fabs(sum) < 5 * wanted / sqrt((double)n),
        "gtr_%s: \"%s\" has at first a mean of %g and a deviation of %g, want 0 and %g", who, name, sum, deviation,
        wanted);
}
/* Whether a word of a row is this parameter's. */
static bool first_named(const char *word, const char *name)
{
    const size_t n = strlen(word);
    if (!strncmp(name, "l.", 2)) name += 2;
    return word[n - 1] == '*' ? !strncmp(word, name, n - 1) : !strcmp(word, name);
}
/* How a row has p drawn: its kind, and *a. NULL: no word is its name. */
static const char *first_wanted(const char *wanted, const char *name, double *a)
{
    static char kind[80];
    char word[80];
    bool named = false;
    for (int n = 0; sscanf(wanted, "%79s%n", word, &n) == 1; wanted += n) {
        const bool is_kind = !strcmp(word, "constant") || !strcmp(word, "uniform") || !strcmp(word, "normal");
        if (!is_kind) { named |= first_named(word, name); continue; }
        snprintf(kind, sizeof kind, "%s", word);
        wanted += n;
        sscanf(wanted, "%lf%n", a, &n);
        if (named) return kind;
    }
    return NULL;
}
static void first_of(int which)
{
    static float zeros[256 * 16];
    gtr_context *ctx = gtr_create(desc0());
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 64)), *fourfold[4] = { x, x, x, x },
        *ids = gtr_input(ctx, "ids", GTR_I32, gtr_shape1(GTR_BATCH)), *state = NULL, *y = NULL,
        *images = gtr_input(ctx, "images", GTR_F32, gtr_shape4(GTR_BATCH, 16, 9, 9)),
        *series = gtr_input(ctx, "series", GTR_F32, gtr_shape3(GTR_BATCH, 16, 9)),
        *steps = gtr_input(ctx, "steps", GTR_F32, gtr_shape3(GTR_BATCH, 5, 64));
    const char *const who = first_values[which].builder;
    gtr_init init;
    gtr_linear_desc linear;
    gtr_batch_norm_desc norm;
    gtr_conv_desc conv, none;
    gtr_recurrent_desc recurrent;
    gtr_attention_desc attention;
    gtr_transformer_desc block;
    char word[80], call[80];
    int k = 0, words = 0;
    memset(&init, 0, sizeof init); memset(&linear, 0, sizeof linear); memset(&norm, 0, sizeof norm);
    memset(&conv, 0, sizeof conv); memset(&none, 0, sizeof none); memset(&recurrent, 0, sizeof recurrent);
    memset(&attention, 0, sizeof attention); memset(&block, 0, sizeof block);
    linear.out = conv.out = 256; conv.kernel = 1; recurrent.layers = 2; recurrent.bidirectional = true;
    block.heads = 4; block.hidden = 256;
#define FIRST_MADE(builder, made, wanted) if (k++ == which) y = made;
    FIRST_VALUES(FIRST_MADE)
    CHECK(y != NULL, "gtr_%s: %s", who, gtr_error_text(ctx));
    snprintf(call, sizeof call, "gtr_%s(", who);
    CHECK(strstr(first_values[which].made, call) != NULL, "the row of gtr_%s does not call it", who);
    for (int64_t i = 0; i < gtr_parameter_count(ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(ctx, i);
        const char *const name = gtr_tensor_name(p);
        double a = 0;
        const char *const kind = first_wanted(first_values[which].wanted, name, &a);
        const gtr_shape s = gtr_tensor_shape(p);
        const int64_t n = gtr__count(&s);
        if (!CHECK(kind != NULL, "gtr_%s: FIRST_VALUES does not say how \"%s\" begins", who, name)) continue;
        gtr_float *v = (gtr_float *)calloc((size_t)n + 1, sizeof *v);   /* or one int64 */
        EXPECT_EQ(gtr_get(p, v, gtr__bytes_of(p)), GTR_OK);
        if (gtr_tensor_dtype(p) == GTR_F32) first_check(who, name, v, n, kind, a);
        else CHECK(*(int64_t *)v == (int64_t)a, "gtr_%s: \"%s\" is at first %lld, want %g", who, name,
            (long long)*(int64_t *)v, a);
        free(v);
    }
    for (const char *at = first_values[which].wanted; sscanf(at, "%79s%n", word, &words) == 1; at += words) {
        bool there = strspn(word, "0123456789.") == strlen(word) || !strcmp(word, "constant")
            || !strcmp(word, "uniform") || !strcmp(word, "normal");
        for (int64_t i = 0; i < gtr_parameter_count(ctx); i++)
            there |= first_named(word, gtr_tensor_name(gtr_parameter_at(ctx, i)));
        CHECK(there, "gtr_%s makes no parameter %s", who, word);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* Each function of gputrain.h that returns a tensor and takes a name has a row above, or makes no parameter. */
static void firsts_are_all(void)
{
    FILE *f = fopen("gputrain.h", "r");
    char line[200], name[80], text[1000] = "";
    int seen = 0;
    if (!CHECK(f != NULL, "gputrain.h cannot be read: run from the top folder")) return;
    while (fgets(line, sizeof line, f) && strncmp(line, "// >>backend", 12)) {
        if (!strncmp(line, "GTR_API", 7)) text[0] = 0;
        strncat(text, line, sizeof text - strlen(text) - 1);
        if (strncmp(text, "GTR_API", 7) || !strchr(line, ';')) continue;
        const bool named = sscanf(text, "GTR_API gtr_tensor *gtr_%79[a-z0-9_](", name) == 1
            && strstr(text, "const char *");
        bool there = false;
        text[0] = 0;
        if (!named) continue;
        for (int k = 0; k < FIRSTS; k++) there |= !strcmp(name, first_values[k].builder);
        for (size_t k = 0; k < sizeof named_only / sizeof *named_only; k++) there |= !strcmp(name, named_only[k]);
        CHECK(there, "gtr_%s takes a name: FIRST_VALUES has no row of it that says how its parameters begin, nor has "
            "named_only it, which makes none", name);
        seen++;
    }
    fclose(f);
    CHECK(seen > 30, "gputrain.h has %d builders that take a name", seen);
}
static void defaults_of_parameters(void)
{
    firsts_are_all();
    for (int k = 0; k < FIRSTS; k++) first_of(k);
}

/* Defaults that count: how many evaluations alike GTR_PLATEAU waits through, how many classes are top_k's. */
static int plateau_waits(int patience)
{
    gtr_context *ctx = gtr_create(desc0());
    gtr_init zero;
    gtr_trainer_desc d;
    gtr_trainer *t;
    int n = 0;
    memset(&zero, 0, sizeof zero); memset(&d, 0, sizeof d);
    d.lr = 0.1f; d.schedule = GTR_PLATEAU; d.plateau_patience = patience;
    t = gtr_trainer_create(gtr_mean(gtr_square(gtr_parameter(ctx, "w", gtr_shape1(1), zero)), NULL, 0, false), d);
    for (; n < 30; n++) {           /* the first is the best */
        EXPECT_EQ(gtr_trainer_plateau(t, 1, false), GTR_OK);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        gtr_loss(t);
        if (gtr_trainer_report(t).lr < 0.09f) break;
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    return n - 1;
}
/* Of 8 rows the label's score is the first, the second, ... in its row. */
static int classes_on_top(int top_k)
{
    enum { N = 8 };
    static float s[N * N];
    static int32_t y[N];
    gtr_context *ctx = gtr_create(desc0());
    gtr_tensor *scores = gtr_input(ctx, "s", GTR_F32, gtr_shape2(GTR_BATCH, N)),
        *labels = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    gtr_arrays_desc a;
    gtr_trainer_desc how;
    gtr_metrics_desc d;
    gtr_metrics m;
    memset(&a, 0, sizeof a); memset(&how, 0, sizeof how); memset(&d, 0, sizeof d); memset(&m, 0, sizeof m);
    for (int i = 0; i < N * N; i++) { s[i] = (float)-(i % N); y[i % N] = i % N; }
    a.rows = N;
    a.column[0].data = s; a.column[0].shape = gtr_shape1(N); a.column[0].name = "s";
    a.column[1].data = y; a.column[1].dtype = GTR_I32; a.column[1].name = "y";
    d.scores = scores; d.labels = labels; d.top_k = top_k;
    EXPECT_EQ(gtr_evaluate_metrics(gtr_trainer_create(gtr_cross_entropy(gtr_linear(scores, "fc", N), labels), how),
        gtr_dataset_arrays(ctx, a), d, &m), GTR_OK);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    return (int)(N * m.value[GTR_METRIC_TOP_K] + 0.5);
}
static void defaults_of_counts(void)
{
    static const struct { const char *what; int number; int (*counted)(int number); } of[] = {
        { "plateau_patience", 10, plateau_waits }, { "gtr_metrics_desc's top_k", 5, classes_on_top } };
    for (int k = 0; k < 2; k++) for (int more = -1; more < 2; more++) {
        const int got = of[k].counted(more < 0 ? 0 : of[k].number + more), want = of[k].number + (more > 0);
        CHECK(got == want, "%s of %d: %d, want %d", of[k].what, more < 0 ? 0 : want, got, want);
    }
}
static void all(void)
{
    RUN(certain);
    RUN(labels_in_parts);
    RUN(no_labels);
    RUN(labels_in_sets);
    RUN(sets_without_ignored);
    RUN(metric_in_parts);
    RUN(loss_as_metric);
    RUN(loss_between_halves);
    RUN(parameter_as_loss);
    RUN(labels_once);
    RUN(labels_kept_input);
    RUN(losses_in_parts);
    RUN(losses_in_sets);
    RUN(batch_means);
    RUN(nll_once);
    RUN(losses_of_low);
    RUN(losses_at_kinks);
    RUN(ends);
    RUN(zero_where_flushed);
    RUN(losses_refused);
    RUN(no_weights);
    RUN(defaults);
    RUN(defaults_of_parameters);
    RUN(defaults_of_counts);
    RUN(masks_in_parts);
    RUN(masks_differ);
    RUN(noise_in_parts);
    RUN(draws);
    RUN(draws_in_parts);
}
int main(int argc, char **argv)
{
    small = getenv("GTR_TEST_SMALL") != NULL;
    check_begin(argc, argv);
    check_devices(all, &device);
    return check_done();
}
