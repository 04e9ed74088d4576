/* Training over data sets: where fits and loops begin, stop and go on, which column is which input's, what a callback
   may do, rates that a fit sets, frozen statistics. Each proof runs on the CPU, and again on the
   GPU where there is one. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE             /* posix_openpt */
#endif
#include "private.h"
#include "check.h"
#include "device.h"
#include "stack.h"
#include "points.h"
#include <fcntl.h>
#include <time.h>

enum { ROWS = 200, BATCH = 16, EPOCH = (ROWS + BATCH - 1) / BATCH, MOST = 512 };

typedef struct net {
    gtr_context *ctx; gtr_tensor *x, *y, *logits, *loss, *acc; gtr_trainer *t; gtr_dataset *data;
} net;
enum { PLAIN, NODES, NORM, SHAPES };    /* PLAIN: what kernels of whole networks take; NODES: the same, node by node */
static net build(int shape, gtr_trainer_desc d)
{
    net n;
    gtr_tensor *h;
    n.ctx = gtr_create(desc0());
    n.x = gtr_input(n.ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
    n.y = gtr_input(n.ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    h = gtr_relu(gtr_linear(n.x, "fc1", 24));
    if (shape == NORM) h = gtr_dropout(gtr_batch_norm(h, "norm"), "drop", 0.25f);
    h = gtr_relu(gtr_linear(h, "fc2", 16));
    n.logits = gtr_linear(h, "fc3", CLASSES);
    n.loss = gtr_cross_entropy(n.logits, n.y);
    n.acc = gtr_accuracy(n.logits, n.y);
    d.no_matchers = shape == NODES;
    n.t = gtr_trainer_create(n.loss, d);
    n.data = points(n.ctx, ROWS);
    return n;
}
static gtr_trainer_desc sgd(float lr) { gtr_trainer_desc d; memset(&d, 0, sizeof d); d.lr = lr; return d; }
static gtr_trainer_desc adam(void) {
    gtr_trainer_desc d; memset(&d, 0, sizeof d); d.optimizer = GTR_ADAM; d.lr = 5e-3f; return d;
}
static gtr_fit_desc epochs(int n) {
    gtr_fit_desc f; memset(&f, 0, sizeof f); f.epochs = n; f.batch = BATCH; f.silent = true; return f;
}
/* Parameters, buffers and states of two trainers are the same, to the bit; those called "second" are another's. */
static void same(const net *a, const net *b, const char *what)
{
    static unsigned char p[1 << 14], q[1 << 14];
    int64_t i;
    int k, bad = 0;
    for (i = 0; i < gtr_parameter_count(a->ctx); i++) {
        gtr_tensor *u = gtr_parameter_at(a->ctx, i), *v = gtr_parameter_find(b->ctx, gtr_tensor_name(u));
        if (!strncmp(gtr_tensor_name(u), "second", 6)) continue;
        for (k = -1; k < (gtr_parameter_trainable(u) ? a->t->optim.states : 0); k++) {
            gtr_result r = k < 0 ? gtr_get(u, p, gtr__bytes_of(u)) : gtr_state_get(a->t, u, k, p, gtr__bytes_of(u));
            gtr_result s = k < 0 ? gtr_get(v, q, gtr__bytes_of(u)) : gtr_state_get(b->t, v, k, q, gtr__bytes_of(u));
            if (r || s || memcmp(p, q, gtr__bytes_of(u))) bad++;
        }
    }
    CHECK(!bad, "%s: %d parameters or states differ", what, bad);
    EXPECT_EQ(gtr_trainer_report(a->t).step, gtr_trainer_report(b->t).step);
    EXPECT_OK(a->ctx); EXPECT_OK(b->ctx);
}
static void finish(net *a, net *b) { gtr_destroy(a->ctx); gtr_destroy(b->ctx); }
/* The losses of two runs are the same ones, in the same order. */
static bool losses(const gtr_report *a, const gtr_report *b, int n)
{
    int i;
    for (i = 0; i < n && a[i].loss == b[i].loss && a[i].lr == b[i].lr; i++) {}
    return i == n;
}
static gtr_report one[MOST], other[MOST];
static void clear(void) { memset(one, 0, sizeof one); memset(other, 0, sizeof other); }
static gtr_fit_desc noted(gtr_fit_desc f, gtr_report *to) { f.history = to; f.history_size = MOST; return f; }

/* Three fits of an epoch are one of three, and so are loops by hand; no epoch has another's order. */
static void epochs_go_on(void)
{
    int shape, k, i;
    for (shape = few() ? NORM : 0; shape < SHAPES; shape++) {
        net n = build(shape, adam()), m = build(shape, adam());
        clear();
        EXPECT_EQ(gtr_fit(n.t, n.data, noted(epochs(3), one)), GTR_OK);
        for (k = 0; k < 3; k++) EXPECT_EQ(gtr_fit(m.t, m.data, noted(epochs(1), other + k * EPOCH)), GTR_OK);
        CHECK(losses(one, other, 3 * EPOCH), "shape %d: three fits of an epoch are not one of three", shape);
        same(&n, &m, "three fits of an epoch");
        finish(&n, &m);
        /* nothing is learned: the losses say which rows */
        n = build(shape, sgd(GTR_ZERO)); m = build(shape, sgd(GTR_ZERO));
        clear();
        EXPECT_EQ(gtr_fit(n.t, n.data, noted(epochs(3), one)), GTR_OK);
        for (k = 0; shape != NORM && k < 3; k++) CHECK(!losses(one + k % 3 * EPOCH, one + (k + 1) % 3 * EPOCH, EPOCH),
            "epoch %d has the order of another", k + 1);
        for (k = 0; k < 3; k++) {       /* by hand, in pieces, with steps from gtr_set in between */
            EXPECT_EQ(gtr_trainer_data(m.t, m.data, BATCH, true, false), GTR_OK);
            for (i = 0; i < EPOCH; i++) {
                EXPECT_EQ(gtr_step(m.t), GTR_OK); other[k * EPOCH + i].loss = gtr_loss(m.t);
                other[k * EPOCH + i].lr = one[0].lr;
            }
            EXPECT_EQ(gtr_trainer_data(m.t, NULL, 0, false, false), GTR_OK);
            gtr_set(m.x, pool_x, (size_t)(9 * WIDTH) * sizeof *pool_x);
            gtr_set(m.y, pool_y, (size_t)9 * sizeof *pool_y);
            if (shape == NODES) for (i = 0; i < 5 + k; i++) EXPECT_EQ(gtr_step(m.t), GTR_OK);
        }
        if (shape == NODES || device == GTR_DEVICE_CPU)
            CHECK(shape == NORM || losses(one, other, 3 * EPOCH), "shape %d: a loop by hand does not go on", shape);
        EXPECT_OK(n.ctx); EXPECT_OK(m.ctx);
        finish(&n, &m);
    }
}

typedef struct watch { int64_t at, step, steps; int epoch, epochs, calls; } watch;
static bool stop_at(const gtr_progress *p)
{
    watch *w = (watch *)p->user;
    w->step = p->step; w->steps = p->steps; w->epoch = p->epoch; w->epochs = p->epochs; w->calls++;
    return p->step != w->at;
}
static bool stop_all(const gtr_progress *p) {
    if (p->step >= ((watch *)p->user)->at) gtr_stop(p->trainer->ctx);
    return true;
}
/* A fit that is stopped goes on in the next one, which does its own epochs besides. */
static void cut_short(void)
{
    static const int cuts[] = { 1, 5, 12, 13, 14, 25 };
    int shape, k, by;
    for (shape = 0; shape < SHAPES; shape++) for (k = 0; k < (int)(sizeof cuts / sizeof *cuts); k++)
            for (by = 0; by < 3; by++) {
        net n = build(shape, adam()), m = build(shape, adam());
        gtr_fit_desc f = noted(epochs(4), other), g = noted(epochs(2), other + cuts[k]);
        watch w;
        const int whole = (cuts[k] + EPOCH - 1) / EPOCH, left = whole * EPOCH - cuts[k];
        /* callbacks that leave few steps to a launch leave them to other kernels */
        const bool alike = shape == NODES || by == 2 || cuts[k] >= GTR__LAUNCH_FEW || device == GTR_DEVICE_CPU;
        if (few() && (shape != NODES || cuts[k] != 14)) { finish(&n, &m); continue; }
        clear();
        memset(&w, 0, sizeof w);
        w.at = cuts[k];
        f.callback = by ? stop_all : stop_at; f.callback_every = cuts[k]; f.callback_user = &w;
        EXPECT_EQ(gtr_fit(n.t, n.data, noted(epochs(whole + 2), one)), GTR_OK);
        if (by < 2) EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_OK);
        else {                          /* or by hand */
            m.t->running.several = true;        /* the kernels that gtr_fit has */
            EXPECT_EQ(gtr_trainer_data(m.t, m.data, BATCH, true, false), GTR_OK);
            while (gtr_trainer_report(m.t).step < cuts[k] && gtr_step(m.t) == GTR_OK) {
                gtr_loss(m.t); other[gtr_trainer_report(m.t).step - 1] = gtr_trainer_report(m.t);
            }
        }
        EXPECT_EQ(gtr_trainer_report(m.t).step, cuts[k]);
        EXPECT(by == 2 || gtr_stopped(m.ctx) == (by == 1));
        memset(&w, 0, sizeof w);
        w.at = -1;
        g.callback = stop_at; g.callback_user = &w;
        EXPECT_EQ(gtr_fit(m.t, m.data, g), GTR_OK);
        CHECK(!alike || losses(one, other, (whole + 2) * EPOCH),
            "shape %d, cut at %d: a fit that goes on is not the whole one", shape, cuts[k]);
        if (alike) same(&n, &m, "a fit that was cut short");
        EXPECT_EQ(gtr_trainer_report(m.t).step, (whole + 2) * EPOCH);
        CHECK(w.steps == left + 2 * EPOCH && w.step == w.steps && w.epochs == 2 + (left > 0) && w.epoch == w.epochs
            && w.calls == w.epochs, "cut at %d: steps %lld of %lld, epochs %d of %d, %d calls", cuts[k],
            (long long)w.step, (long long)w.steps, w.epoch, w.epochs, w.calls);
        finish(&n, &m);
    }
}
/* What comes again goes on; anything else starts with the first epoch: the batch, a flag, the data, and other data at
   the same address. */
static void starts_anew(void)
{
    int k;
    for (k = few() ? 4 : 0; k < 5; k++) {
        net n = build(NODES, sgd(GTR_ZERO)), m = build(NODES, sgd(GTR_ZERO));
        gtr_fit_desc f = epochs(1);
        watch w;
        clear();
        memset(&w, 0, sizeof w);
        w.at = 5;
        f.callback = stop_at; f.callback_every = 1; f.callback_user = &w;
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
        f = epochs(2);
        if (k == 0) f.batch = BATCH - 1;
        if (k == 1) f.no_shuffle = true;
        if (k == 2) f.drop_last = true;
        if (k == 3) n.data = points(n.ctx, ROWS);
        if (k == 4) { gtr_dataset_destroy(n.data); n.data = points(n.ctx, ROWS); }
        EXPECT_EQ(gtr_fit(n.t, n.data, noted(f, one)), GTR_OK);
        EXPECT_EQ(gtr_fit(m.t, m.data, noted(f, other)), GTR_OK);
        EXPECT_EQ(gtr_trainer_report(n.t).step, gtr_trainer_report(m.t).step + 5);
        CHECK(losses(one, other, (int)gtr_trainer_report(m.t).step), "%d: other data do not start anew", k);
        EXPECT_OK(n.ctx); EXPECT_OK(m.ctx);
        finish(&n, &m);
    }
}
static float rate_to(int64_t step, void *user) { return step < *(int *)user ? 0.05f : (float)NAN; }
/* After an error a fit goes on with the step that it did not do: where a value was not finite, and where
   steps were still queued. */
static void errors_go_on(void)
{
    int until = 20, k;
    gtr_trainer_desc d = sgd(0);
    net n, m;
    clear();
    d.schedule = GTR_CUSTOM_SCHEDULE; d.lr_fn = rate_to; d.lr_user = &until;
    n = build(NODES, d); m = build(NODES, d);
    EXPECT_EQ(gtr_fit(n.t, n.data, noted(epochs(3), one)), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "learning rate");
    EXPECT(one[19].step == 20 && one[20].step == 0 && gtr_trainer_report(n.t).step == 20);
    until = 1000;
    EXPECT_EQ(gtr_fit(n.t, n.data, noted(epochs(1), one + 20)), GTR_OK);
    EXPECT_EQ(gtr_fit(m.t, m.data, noted(epochs(3), other)), GTR_OK);
    CHECK(losses(one, other, 3 * EPOCH), "after an error a fit does not go on where it stopped");
    same(&n, &m, "a rate that is not there");
    finish(&n, &m);
    /* steps are queued when other data come: these wait, and hear of what went wrong */
    n = build(NODES, sgd(0.05f));
    pool_x[WIDTH * 70 + 1] = (gtr_float)NAN;
    m.data = points(n.ctx, ROWS);
    pool_fill();
    EXPECT_EQ(gtr_trainer_data(n.t, m.data, 10, false, false), GTR_OK);
    for (k = 0; k < 12 && gtr_step(n.t) == GTR_OK; k++) {}
    if (gtr_error(n.ctx) == GTR_OK) EXPECT_EQ(gtr_trainer_data(n.t, n.data, 10, false, false), GTR_ERR_NONFINITE);
    EXPECT_ERROR(n.ctx, GTR_ERR_NONFINITE, "step 8:");
    EXPECT_EQ(gtr_trainer_data(n.t, n.data, 10, false, false), GTR_OK);
    for (k = 0; k < 3; k++) EXPECT_EQ(gtr_step(n.t), GTR_OK);
    gtr_wait(n.ctx);
    EXPECT(gtr_trainer_report(n.t).step == 10 && gtr_trainer_report(n.t).applied == 10);
    EXPECT_OK(n.ctx);
    gtr_destroy(n.ctx);
}

/* ---- columns and inputs ---- */
static gtr_arrays_desc pair(const char *first, const char *second)
{
    gtr_arrays_desc a;
    memset(&a, 0, sizeof a);
    a.rows = 64;
    a.column[0].data = pool_x; a.column[0].shape = gtr_shape1(3); a.column[0].name = first;
    a.column[1].data = pool_x + 300; a.column[1].shape = gtr_shape1(3); a.column[1].name = second;
    return a;
}
/* |x w - y|^2: swapped columns train otherwise */
static net regress(const char *x, const char *y, bool y_first)
{
    net n;
    memset(&n, 0, sizeof n);
    n.ctx = gtr_create(desc0());
    if (y_first) n.y = gtr_input(n.ctx, y, GTR_F32, gtr_shape2(GTR_BATCH, 3));
    n.x = gtr_input(n.ctx, x, GTR_F32, gtr_shape2(GTR_BATCH, 3));
    if (!y_first) n.y = gtr_input(n.ctx, y, GTR_F32, gtr_shape2(GTR_BATCH, 3));
    n.loss = gtr_mse(gtr_linear(n.x, "fc", 3), n.y);
    n.t = gtr_trainer_create(n.loss, sgd(0.1f));
    return n;
}
static void names(void)
{
    static const struct { const char *first, *second; bool y_first; const char *want; } c[] = {
        { "x", "y", false, NULL }, { "x", "y", true, NULL }, { NULL, NULL, false, NULL }, { "x", NULL, true, NULL },
            { NULL, "y", true, NULL },
        { "", "y", true, NULL }, { "x", "z", false, "\"z\"" },
        { "Y", NULL, false, "\"Y\"" } };
    float want = 0, loss;
    int k;
    for (k = 0; k < (int)(sizeof c / sizeof *c); k++) {
        net n = regress("x", "y", c[k].y_first);
        gtr_dataset *d = gtr_dataset_arrays(n.ctx, pair(c[k].first, c[k].second)), *e = gtr_dataset_split(d, 4);
        gtr_fit_desc f = epochs(2);
        f.validation = e;
        EXPECT(d && e);
        if (c[k].want) {
            EXPECT_EQ(gtr_fit(n.t, d, f), GTR_ERR_SHAPE);
            CHECK(strstr(gtr_error_text(n.ctx), "inputs \"x\"") && strstr(gtr_error_text(n.ctx), "columns ")
                && strstr(gtr_error_text(n.ctx), "data set \"gtr_dataset_arrays\": "),
                "both sides: %s", gtr_error_text(n.ctx));
            EXPECT_ERROR(n.ctx, GTR_ERR_SHAPE, c[k].want);
        } else {
            EXPECT_EQ(gtr_fit(n.t, d, f), GTR_OK);
            EXPECT_EQ(gtr_evaluate(n.t, e, 7, NULL, &loss, NULL), GTR_OK);
            if (!k) want = loss;
            CHECK(fabsf(loss - want) < 1e-6f, "columns \"%s\" \"%s\": a loss of %g, want %g",
                c[k].first ? c[k].first : "", c[k].second ? c[k].second : "", (double)loss, (double)want);
            EXPECT_OK(n.ctx);
        }
        gtr_destroy(n.ctx);
    }
}
/* Columns in another order, of other types, with labels that do not count and bytes that are scaled. */
static void names_of_all(void)
{
    static unsigned char bytes[ROWS * WIDTH];
    static int32_t label[ROWS];
    float want[2], got[2];
    int k, i;
    for (i = 0; i < ROWS * WIDTH; i++) bytes[i] = (unsigned char)(i * 37);
    for (i = 0; i < ROWS; i++) label[i] = i % 3 ? pool_y[i] : -100;
    for (k = 0; k < 2; k++) {
        net n = build(PLAIN, adam());
        gtr_arrays_desc a;
        gtr_column x, y;
        gtr_dataset *d;
        memset(&a, 0, sizeof a); memset(&x, 0, sizeof x); memset(&y, 0, sizeof y);
        x.data = bytes; x.shape = gtr_shape1(WIDTH); x.dtype = GTR_U8; x.scale = 0.01f; x.shift = -1;
        y.data = label; y.dtype = GTR_I32;
        x.name = "x"; y.name = "y";
        a.rows = ROWS; a.column[k] = x; a.column[!k] = y;
        d = gtr_dataset_arrays(n.ctx, a);
        EXPECT_EQ(gtr_fit(n.t, d, epochs(2)), GTR_OK);
        EXPECT_EQ(gtr_evaluate(n.t, d, 7, NULL, k ? got : want, NULL), GTR_OK);
        EXPECT_EQ(gtr_evaluate(n.t, d, ROWS, NULL, (k ? got : want) + 1, NULL), GTR_OK);
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
    CHECK(got[0] == want[0] && got[1] == want[1], "columns the other way round: losses of %g and %g, want %g and %g",
        (double)got[0], (double)got[1], (double)want[0], (double)want[1]);
    CHECK(fabsf(got[0] - got[1]) < 1e-5f, "losses of %g and %g", (double)got[0], (double)got[1]);
}
/* A data set of as many columns as there may be. */
static void sixteen_columns(void)
{
    static float v[16][ROWS];
    gtr_arrays_desc a;
    gtr_tensor *sum = NULL, *x, *w;
    gtr_context *ctx = gtr_create(desc0());
    gtr_trainer_desc d = adam();
    gtr_trainer *t;
    gtr_init one;
    char name[8];
    int i, r;
    memset(&a, 0, sizeof a); memset(&one, 0, sizeof one);
    one.kind = GTR_INIT_CONSTANT; one.a = 1;
    a.rows = ROWS;
    for (i = 0; i < 16; i++) {
        snprintf(name, sizeof name, "x%d", i);
        x = gtr_input(ctx, name, GTR_F32, gtr_shape1(GTR_BATCH));
        sum = sum ? gtr_add(sum, x) : x;
        for (r = 0; r < ROWS; r++) v[i][r] = (float)((r + 1) * (1 << i));
        a.column[i].data = v[i];
    }
    w = gtr_parameter(ctx, "w", gtr_shape1(1), one);
    t = gtr_trainer_create(gtr_mean(gtr_mul(sum, w), NULL, 0, false), d);
    EXPECT_EQ(gtr_trainer_data(t, gtr_dataset_arrays(ctx, a), 2, false, false), GTR_OK);
    EXPECT_EQ(gtr_step(t), GTR_OK);
    CHECK(gtr_loss(t) == 65535 * 1.5f, "a loss of %g: %s", (double)gtr_loss(t), gtr_error_text(ctx));
    gtr_destroy(ctx);
}
static gtr_dataset *written_csv(gtr_context *ctx, const char *text, int label)
{
    gtr_csv_desc d;
    char path[64];
    FILE *f;
    gtr_dataset *made;
    memset(&d, 0, sizeof d);
    d.header = true; d.regression = label >= 0; d.label_column = label;
    snprintf(path, sizeof path, "%s", check_path("names.csv"));
    f = fopen(path, "w");
    if (!f) return NULL;
    fputs(text, f);
    fclose(f);
    made = gtr_dataset_csv(ctx, path, d);
    remove(path);
    return made;
}
static void csv_names(void)
{
    static const struct { const char *text; int label; const char *first, *second; } c[] = {
        { "in,out\n1,2\n3,4\n", 0, "in", "out" }, { "out,in\n1,2\n3,4\n", 1, "in", "out" },
            { "\"in\" ,\t\"out\"\r\n1,2\r\n", 0, "in", "out" },
        { "a,b,out\n1,2,3\n", 0, NULL, "out" }, { "a,out,b\n1,2,3\n", 2, NULL, "out" }, { "out\n1,2\n", 0, NULL, NULL },
            { ",out\n1,2\n", 0, NULL, "out" },
        { "in\n1\n2\n", -1, "in", NULL } };
    gtr_context *ctx = gtr_create(desc0());
    int k, i;
    for (k = 0; k < (int)(sizeof c / sizeof *c); k++) {
        gtr_dataset *d = written_csv(ctx, c[k].text, c[k].label);
        for (i = 0; i < 2; i++) {
            const char *got = d && i < d->n_columns ? d->column[i].name : NULL, *want = i ? c[k].second : c[k].first;
            CHECK(d && (want ? got && !strcmp(got, want) : !got), "%s: column %d is \"%s\", want \"%s\"", c[k].text, i,
                got ? got : "-", want ? want : "-");
        }
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

/* ---- the rate ---- */
static char logged[512];
static int warnings;
static void logger(gtr_level level, const char *text, void *user) {
    (void)user; warnings += level == GTR_LOG_WARNING && strstr(text, "cosine");
    snprintf(logged, sizeof logged, "%s", text);
}
static float no_rate(int64_t step, void *user) { (void)user; return step < 3 ? 0.1f : NAN; }
static void rates_of_fits(void)
{
    gtr_trainer_desc d = sgd(0.1f);
    net n;
    int i, k;
    d.schedule = GTR_COSINE; d.warmup_steps = 4; d.min_lr = 0.01f;
    n = build(PLAIN, d);
    EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, true, false), GTR_OK);
    EXPECT_EQ(gtr_step(n.t), GTR_ERR_ARG);          /* its length is a fit's */
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "total_steps");
    EXPECT(!strcmp(gtr_trace(n.t), ""));
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "total_steps");
    for (k = 0; k < 2; k++) {                       /* each fit has all of it */
        int steps = (2 + k) * EPOCH;
        clear();
        EXPECT_EQ(gtr_trainer_lr(n.t, k ? 0.05f : 0.1f), GTR_OK);
        EXPECT_EQ(gtr_fit(n.t, n.data, noted(epochs(2 + k), one)), GTR_OK);
        for (i = 0; i < steps; i++) {
            double want = (k ? 0.5 : 1)
                * (i < 4 ? 0.1 * (i + 1) / 4 : 0.01 + 0.045 * (1 + cos(3.14159265358979 * (i - 4) / (steps - 4))));
            CHECK(fabs((double)one[i].lr - want) < 1e-7, "fit %d, step %d: rate %g, want %g", k, i,
                (double)one[i].lr, want);
        }
    }
    EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, true, false), GTR_OK);
    EXPECT_EQ(gtr_step(n.t), GTR_ERR_ARG);          /* behind a fit there is no length either */
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "total_steps");
    EXPECT_EQ(gtr_trainer_data(n.t, NULL, 0, false, false), GTR_OK);
    EXPECT_EQ(gtr_step(n.t), GTR_ERR_STATE);        /* no inputs: that comes first */
    EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "was not set");
    d.warmup_steps = EPOCH + 1;
    n.t = gtr_trainer_create(n.loss, d);
    EXPECT_EQ(gtr_fit(n.t, n.data, epochs(1)), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "warm-up");
    EXPECT_EQ(gtr_fit(n.t, n.data, epochs(2)), GTR_OK);
    /* a fit behind the end of a schedule says so, and gtr_trainer_lr scales what is left */
    d.warmup_steps = 0; d.total_steps = 2 * EPOCH;
    n.ctx->desc.log = logger;
    warnings = 0;
    n.t = gtr_trainer_create(n.loss, d);
    EXPECT_EQ(gtr_fit(n.t, n.data, epochs(2)), GTR_OK);
    EXPECT_EQ(warnings, 0);
    EXPECT_EQ(gtr_fit(n.t, n.data, noted(epochs(1), one)), GTR_OK);
    CHECK(warnings == 1 && strstr(logged, "has ended"), "%d warnings: %s", warnings, logged);
    EXPECT(one[0].lr == 0.01f && one[EPOCH - 1].lr == 0.01f);
    EXPECT_EQ(gtr_trainer_lr(n.t, 0.2f), GTR_OK);
    EXPECT_EQ(gtr_fit(n.t, n.data, noted(epochs(1), one)), GTR_OK);
    EXPECT(fabsf(one[0].lr - 0.02f) < 1e-8f && warnings == 2);
    i = 1000;
    d = sgd(0.5f); d.schedule = GTR_CUSTOM_SCHEDULE; d.lr_fn = rate_to; d.lr_user = &i;
    n.t = gtr_trainer_create(n.loss, d);
    EXPECT_EQ(gtr_trainer_lr(n.t, 0.25f), GTR_OK);
    EXPECT_EQ(gtr_fit(n.t, n.data, noted(epochs(1), one)), GTR_OK);
    EXPECT(one[0].lr == 0.025f);
    /* a rate that is none is named, a group's too */
    gtr_group group = { "*.bias", 1e30f, 0, false };
    for (k = 0; k < 3; k++) {
        d = sgd(k ? 1e20f : 0.5f);
        if (!k) { d.schedule = GTR_CUSTOM_SCHEDULE; d.lr_fn = no_rate; }
        else { d.groups = &group; d.n_groups = 1; }
        group.pattern = k == 1 ? "*.bias" : "*";
        n.t = gtr_trainer_create(n.loss, d);
        const gtr_result r = gtr_fit(n.t, n.data, epochs(1));
        EXPECT_EQ(r, GTR_ERR_ARG);
        EXPECT_ERROR(n.ctx, GTR_ERR_ARG, !k ? "step 4: lr_fn gave a learning rate of nan" : k == 1 ? "step 1: the "
            "schedule gave a learning rate of inf for the group *.bias" : "inf for the group *, by its lr_scale");
        EXPECT_EQ(gtr_trainer_report(n.t).step, k ? 0 : 3);
    }
    EXPECT_OK(n.ctx);
    gtr_destroy(n.ctx);
}

/* ---- frozen statistics ---- */
enum { HIDDEN = 5 };
/* A batch_norm with given statistics, frozen, or the same as (h - mean) rstd weight + bias. */
static net normed(int norm, gtr_trainer_desc d, bool recompute)
{
    static const gtr_float mean[HIDDEN] = { 0.1f, -0.3f, 0.5f, 0, 0.2f }, var[HIDDEN] = { 0.5f, 2, 1, 0.25f, 3 };
    gtr_float rstd[HIDDEN];
    gtr_batch_norm_desc b;
    gtr_init ones = { GTR_INIT_CONSTANT, 1, false }, zeros = { GTR_INIT_ZERO, 0, false };
    net n;
    gtr_tensor *h;
    int k;
    memset(&b, 0, sizeof b);
    memset(&n, 0, sizeof n);
    b.frozen = norm == 1;
    n.ctx = gtr_create(desc0());
    n.x = gtr_input(n.ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
    n.y = gtr_input(n.ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    h = gtr_linear(n.x, "fc1", HIDDEN);
    for (k = 0; k < HIDDEN; k++) rstd[k] = (gtr_float)(1 / sqrt((double)var[k] + 1e-5));
    if (recompute) gtr_recompute_begin(n.ctx);
    if (norm) {
        h = gtr_batch_norm_ex(h, "norm", b);
        gtr_set(gtr_parameter_find(n.ctx, "norm.running_mean"), mean, sizeof mean);
        gtr_set(gtr_parameter_find(n.ctx, "norm.running_var"), var, sizeof var);
    } else {
        gtr_tensor *w = gtr_parameter(n.ctx, "norm.weight", gtr_shape1(HIDDEN), ones),
            *bias = gtr_parameter(n.ctx, "norm.bias", gtr_shape1(HIDDEN), zeros);
        h = gtr_mul(gtr_sub(h, gtr_constant(n.ctx, GTR_F32, gtr_shape1(HIDDEN), mean)),
            gtr_constant(n.ctx, GTR_F32, gtr_shape1(HIDDEN), rstd));
        h = gtr_add(gtr_mul(h, w), bias);
    }
    h = gtr_tanh(h);
    if (recompute) gtr_recompute_end(n.ctx);
    n.logits = gtr_linear(h, "fc2", CLASSES);
    n.loss = gtr_cross_entropy(n.logits, n.y);
    n.t = gtr_trainer_create(n.loss, d);
    n.data = points(n.ctx, ROWS);
    return n;
}
static void frozen_statistics(void)
{
    static const char *const names[] = {
        "fc1.weight", "fc1.bias", "norm.weight", "norm.bias", "fc2.weight", "fc2.bias" };
    static const char *const stats[] = { "norm.running_mean", "norm.running_var", "norm.num_batches_tracked" };
    gtr_float a[64], b[64], moved[HIDDEN];
    int precision, micro, k, i;
    for (precision = few() ? 3 : 0; precision < 4; precision++) for (micro = 1; micro < 3; micro++) {
        const double limit = precision > 1 ? 2e-2 : precision == 1 && device == GTR_DEVICE_CUDA ? 5e-3 : 1e-5;
        gtr_trainer_desc d = sgd(0.2f);
        net n, m;
        d.precision = (gtr_precision)precision; d.micro_batches = micro;
        n = normed(1, d, micro == 2); m = normed(0, d, false);
        if (!n.t) { SKIP("%s", gtr_error_text(n.ctx)); finish(&n, &m); continue; }
        EXPECT_EQ(gtr_fit(n.t, n.data, epochs(2)), GTR_OK); EXPECT_EQ(gtr_fit(m.t, m.data, epochs(2)), GTR_OK);
        for (k = 0; k < 6; k++) {
            gtr_tensor *p = gtr_parameter_find(n.ctx, names[k]);
            double far = 0;
            gtr_get(p, a, gtr__bytes_of(p)); gtr_get(gtr_parameter_find(m.ctx, names[k]), b, gtr__bytes_of(p));
            for (i = 0; i < (int)(gtr__bytes_of(p) / sizeof *a); i++)
                far = fmax(far, fabs((double)a[i] - (double)b[i]));
            CHECK(far < limit, "precision %d, %d micro-batches: \"%s\" is off by %g", precision, micro, names[k], far);
            if (k == 2) for (i = 0; i < HIDDEN; i++) EXPECT(a[i] != 1);
        }
        gtr_destroy(m.ctx);
        m = normed(1, d, false);
        for (k = 0; k < 3; k++) {
            gtr_tensor *p = gtr_parameter_find(n.ctx, stats[k]);
            gtr_get(p, a, gtr__bytes_of(p)); gtr_get(gtr_parameter_find(m.ctx, stats[k]), b, gtr__bytes_of(p));
            CHECK(!memcmp(a, b, gtr__bytes_of(p)), "\"%s\" of a frozen batch_norm has moved", stats[k]);
        }
        EXPECT_OK(n.ctx); EXPECT_OK(m.ctx);
        finish(&n, &m);
    }
    {   /* training is evaluation, to the bit; a batch of one will do; gradients by x, too */
        net n = normed(1, sgd(0.2f), false), m = normed(0, sgd(0.2f), false);
        gtr_tensor *g = gtr_gradient(n.loss, gtr_parameter_find(n.ctx, "fc1.weight")),
            *h = gtr_gradient(m.loss, gtr_parameter_find(m.ctx, "fc1.weight"));
        double far = 0;
        for (k = 0; k < 2; k++) {
            gtr_set(k ? m.x : n.x, pool_x, WIDTH * sizeof *pool_x); gtr_set(k ? m.y : n.y, pool_y, sizeof *pool_y);
            EXPECT_EQ(gtr_step(k ? m.t : n.t), GTR_OK);
        }
        EXPECT_EQ(gtr_eval_train(&n.logits, 1), GTR_OK); EXPECT_EQ(gtr_get(n.logits, a, CLASSES * sizeof *a), GTR_OK);
        EXPECT_EQ(gtr_eval(&n.logits, 1), GTR_OK); EXPECT_EQ(gtr_get(n.logits, b, CLASSES * sizeof *a), GTR_OK);
        EXPECT(!memcmp(a, b, CLASSES * sizeof *a));
        EXPECT_EQ(gtr_eval_train(&g, 1), GTR_OK); EXPECT_EQ(gtr_get(g, a, HIDDEN * WIDTH * sizeof *a), GTR_OK);
        EXPECT_EQ(gtr_eval_train(&h, 1), GTR_OK); EXPECT_EQ(gtr_get(h, b, HIDDEN * WIDTH * sizeof *a), GTR_OK);
        for (i = 0; i < HIDDEN * WIDTH; i++) far = fmax(far, fabs((double)a[i] - (double)b[i]));
        CHECK(far < 1e-5, "the gradient below a frozen batch_norm is off by %g", far);
        EXPECT_OK(n.ctx); EXPECT_OK(m.ctx);
        finish(&n, &m);
    }
    {   /* a group stops weight and bias alone */
        gtr_group group;
        gtr_trainer_desc d = sgd(0.2f);
        net n;
        memset(&group, 0, sizeof group);
        group.pattern = "norm.*"; group.frozen = true;
        d.groups = &group; d.n_groups = 1;
        n = normed(2, d, false);
        gtr_get(gtr_parameter_find(n.ctx, stats[0]), a, HIDDEN * sizeof *a);
        EXPECT_EQ(gtr_fit(n.t, n.data, epochs(1)), GTR_OK);
        gtr_get(gtr_parameter_find(n.ctx, stats[0]), moved, sizeof moved);
        gtr_get(gtr_parameter_find(n.ctx, "norm.weight"), b, HIDDEN * sizeof *b);
        for (i = 0; i < HIDDEN; i++) EXPECT(moved[i] != a[i] && b[i] == 1);
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
}

/* ---- calls from a callback ---- */
typedef struct inside { net *n; int what, calls; net *second; gtr_dataset *held; int64_t mark; } inside;
enum {
    FIT, STEP, BACKWARD, UPDATE, DATA, NO_DATA, TRACE, PROFILE, GRADIENT, SET_GRADIENT, END_TRAINER, END_DATA, END_HELD,
    RELEASE_METRIC, END_CONTEXT, FORBIDDEN,
       LOSS = FORBIDDEN, EVALUATE, EVAL, SET_WEIGHT, SET_INPUT, RATE, PREDICT, PLAN, KEEP, STATE, RELEASE, OTHER_FIT,
       OTHER_STEP, OTHER_END, OTHER_DATA, OTHER_STOPS, CALLS };
static bool calling(const gtr_progress *p)
{
    inside *in = (inside *)p->user;
    net *n = in->n;
    gtr_tensor *w = gtr_parameter_find(n->ctx, "fc1.weight"), *sum;
    static gtr_float a[24 * WIDTH];
    gtr_predictor *q;
    int64_t mark;
    float loss;
    if (in->calls++) return true;
    switch (in->what) {
    case FIT: gtr_fit(n->t, n->data, epochs(1)); break;
    case STEP: gtr_step(n->t); break;
    case BACKWARD: gtr_backward(n->t); break;
    case UPDATE: gtr_update(n->t); break;
    case DATA: gtr_trainer_data(n->t, n->data, 8, true, false); break;
    case NO_DATA: gtr_trainer_data(n->t, NULL, 0, true, false); break;
    case TRACE: gtr_trace(n->t); break;
    case PROFILE: gtr_profile(n->t, false); break;
    case GRADIENT: EXPECT_EQ(gtr_gradient_get(n->t, w, a, sizeof a), GTR_ERR_STATE); break;
    case SET_GRADIENT: gtr_gradient_set(n->t, w, a, sizeof a); break;
    case END_TRAINER: gtr_trainer_destroy(n->t); break;
    case END_DATA: gtr_dataset_destroy(n->data); break;
    case END_HELD: gtr_dataset_destroy(in->held); break;
    case RELEASE_METRIC: gtr_release(n->ctx, n->acc->id); break;
    case END_CONTEXT: gtr_destroy(n->ctx); break;
    case LOSS: EXPECT(gtr_loss(n->t) > 0); gtr_wait(n->ctx); break;
    case EVALUATE: EXPECT_EQ(gtr_evaluate(n->t, n->data, 50, n->acc, &loss, NULL), GTR_OK); break;
    case EVAL:
        sum = gtr_sum(w, NULL, 0, false); EXPECT_EQ(gtr_eval(&sum, 1), GTR_OK); gtr_release(n->ctx, in->mark); break;
    case SET_WEIGHT: EXPECT_EQ(gtr_get(w, a, sizeof a), GTR_OK); EXPECT_EQ(gtr_set(w, a, sizeof a), GTR_OK); break;
    case SET_INPUT: EXPECT_EQ(gtr_set(n->x, pool_x, 9 * WIDTH * sizeof *pool_x), GTR_OK); break;
    case RATE: EXPECT_EQ(gtr_trainer_lr(n->t, 0.05f), GTR_OK); break;
    case PREDICT:
        q = gtr_predictor_create(n->logits, 4); EXPECT_EQ(gtr_predict(q, pool_x, 3, a), GTR_OK);
        gtr_predictor_destroy(q); break;
    case PLAN: EXPECT(gtr_plan_text(n->t, 40)[0] && gtr_memory_text(n->t, 64)[0]); break;
    case KEEP: gtr_keep(n->logits); break;
    /* SGD has none; an error of its own */
    case STATE: EXPECT_EQ(gtr_state_get(n->t, w, 0, a, sizeof a), GTR_ERR_STATE); gtr_error_clear(n->ctx); break;
    case RELEASE: mark = gtr_mark(n->ctx); gtr_relu(n->logits); gtr_release(n->ctx, mark); break;
    case OTHER_FIT: EXPECT_EQ(gtr_fit(in->second->t, in->second->data, epochs(1)), GTR_OK); break;
    case OTHER_STEP:
        EXPECT_EQ(gtr_trainer_data(in->second->t, in->second->data, 8, true, false), GTR_OK);
        EXPECT_EQ(gtr_step(in->second->t), GTR_OK); break;
    case OTHER_END: gtr_trainer_destroy(in->second->t); break;
    case OTHER_DATA: gtr_dataset_destroy(in->second->data); break;
    case OTHER_STOPS: gtr_stop(n->ctx); EXPECT_EQ(gtr_fit(in->second->t, in->second->data, epochs(1)), GTR_OK); break;
    }
    return true;
}
static void called_inside(void)
{
    int what, shape;
    for (shape = PLAIN; shape <= NODES; shape++) for (what = 0; what < CALLS; what++) {
        net n = build(shape, sgd(0.05f)), m = build(shape, sgd(0.05f)), second = n;
        inside in = { &n, what, 0, &second, points(n.ctx, 40), 0 };
        gtr_fit_desc f = epochs(2), g = epochs(2);
        /* a kept value is made by nodes */
        const bool stops = what == OTHER_STOPS, alike = what != KEEP || shape == NODES;
        if (few() && (shape != NODES || what % 4)) { finish(&n, &m); continue; }
        second.t = gtr_trainer_create(gtr_cross_entropy(gtr_linear(n.x, "second", CLASSES), n.y), sgd(0.01f));
        second.data = points(n.ctx, 48);
        clear();
        in.mark = gtr_mark(n.ctx);
        if (what == RELEASE_METRIC) { gtr_trainer_destroy(second.t); n.acc = gtr_accuracy(n.logits, n.y); }
        f.validation = in.held; f.metric = n.acc; g.metric = m.acc;
        g.validation = points(m.ctx, 40);
        f.callback = calling; f.callback_user = &in; f.callback_every = 9;
        g.callback = stop_at; g.callback_user = &(watch){ .at = stops || what < FORBIDDEN ? 9 : -1 };
        g.callback_every = 9;
        EXPECT_EQ(gtr_fit(n.t, n.data, noted(f, one)), what < FORBIDDEN ? GTR_ERR_STATE : GTR_OK);
        if (what < FORBIDDEN) {
            CHECK(in.calls == 1 && gtr_trainer_report(n.t).step == 9, "%d: %d calls, %lld steps", what, in.calls,
                (long long)gtr_trainer_report(n.t).step);
            EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "callback");
        }
        EXPECT_OK(n.ctx);
        EXPECT_EQ(gtr_stopped(n.ctx), stops);
        EXPECT_EQ(gtr_fit(m.t, m.data, noted(g, other)), GTR_OK);
        if (alike) same(&n, &m, "a call from the callback");
        CHECK(!alike || losses(one, other, what < FORBIDDEN || stops ? 9 : 2 * EPOCH),
            "call %d from the callback changed the fit", what);
        f = epochs(1);                  /* and all is as it was: the fit goes on */
        if (what == END_CONTEXT || what == END_TRAINER || what == FIT || what == DATA) {
            EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK); EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_OK);
            same(&n, &m, "the fit after it");
        }
        finish(&n, &m);
    }
}

/* Other callbacks of a fit are no better a place. */
static float rate_that_steps(int64_t step, void *user)
{
    gtr_trainer *t = *(gtr_trainer **)user;
    if (t && step == 5) EXPECT_EQ(gtr_step(t), GTR_ERR_STATE);
    return 0.01f;
}
static void called_from_the_rate(void)
{
    gtr_trainer_desc d = sgd(0);
    gtr_trainer *t = NULL;
    gtr_fit_desc f = epochs(1);
    net n;
    d.schedule = GTR_CUSTOM_SCHEDULE; d.lr_fn = rate_that_steps; d.lr_user = &t;
    n = build(NODES, d);
    t = n.t;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_ERR_STATE);
    EXPECT_EQ(gtr_trainer_report(n.t).step, 5);
    EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "gtr_step in lr_fn");
    t = NULL;
    /* for ever, nearly */
    f.epochs = INT_MAX; f.callback = stop_at; f.callback_every = 1; f.callback_user = &(watch){ .at = 3 };
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
    EXPECT_EQ(gtr_trainer_report(n.t).step, 8);
    EXPECT_OK(n.ctx);
    gtr_destroy(n.ctx);
}

/* ---- what a fit says, and what it says at once ---- */
/* What a fit writes to stderr, into text: a pipe, or a terminal. False: there is none. */
static bool heard(bool terminal, const net *n, gtr_fit_desc f, char *text, size_t size)
{
    const char *name;
    size_t used = 0;
    ssize_t got;
    int ends[2], was;
    text[0] = 0;
    if (terminal) {
        ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
        if (ends[0] < 0 || grantpt(ends[0]) || unlockpt(ends[0]) || !(name = ptsname(ends[0]))
                || (ends[1] = open(name, O_RDWR | O_NOCTTY)) < 0) {
            SKIP("no terminal can be made");
            return false;
        }
    }
    else if (!CHECK(!pipe(ends), "no pipe")) return false;
    fflush(stderr);
    was = dup(2);
    dup2(ends[1], 2);
    f.silent = false;
    EXPECT_EQ(gtr_fit(n->t, n->data, f), GTR_OK);
    fflush(stderr);
    dup2(was, 2);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    while (used + 1 < size && (got = read(ends[0], text + used, size - 1 - used)) > 0) used += (size_t)got;
    text[used] = 0;
    close(ends[0]); close(ends[1]); close(was);
    return true;
}
static void first_line(void)
{
    static char text[1 << 16];
    net n = build(PLAIN, adam());
    gtr_fit_desc f = epochs(8);
    f.metric = n.acc;
    setenv("TERM", "xterm", 1);
    if (heard(true, &n, f, text, sizeof text)) {
        CHECK(strchr(text, '\n') && !strncmp(text, gtr_device_text(n.ctx), strlen(gtr_device_text(n.ctx))),
            "the first line is not the device: %.200s", text);
        CHECK(strstr(text, "epoch 8/8") && !strstr(text, "nan") && !strstr(text, "  0/") && !strstr(text, "step 0/"),
            "figures before there are any: %.400s", text);
        if (device == GTR_DEVICE_CPU) EXPECT(strstr(text, "2 threads"));
    }
    EXPECT_OK(n.ctx);
    gtr_destroy(n.ctx);
}
/* An error that is kept from before a fit, which trains with it, is its first line; a fit that is refused has ended so,
   whatever the one before did. */
static void kept_error(void)
{
    static char text[1 << 14];
    net n = build(PLAIN, adam());
    gtr_fit_desc f = epochs(1), bad = epochs(-1);
    EXPECT_EQ(gtr_fit_ended(n.t).why, GTR_END_NONE);
    if (heard(false, &n, f, text, sizeof text)) CHECK(!strncmp(text, "epoch 1/1", 9), "it begins %.200s", text);
    EXPECT(gtr_fit_ended(n.t).why == GTR_END_EPOCHS && gtr_fit_ended(n.t).steps > 0);
    EXPECT_EQ(gtr_fit(n.t, n.data, bad), GTR_ERR_ARG);
    EXPECT(gtr_fit_ended(n.t).why == GTR_END_ERROR && gtr_fit_ended(n.t).steps == 0);
    if (heard(false, &n, f, text, sizeof text)) {
        CHECK(!strncmp(text, "gtr_fit: an error is kept, gtr_save may write nothing: ", 55)
            && strstr(text, gtr_error_text(n.ctx)) && strstr(text, "\nepoch 1/1"), "it begins %.300s", text);
        EXPECT_EQ(gtr_fit_ended(n.t).why, GTR_END_EPOCHS);
    }
    f.silent = true;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "epochs");
    gtr_destroy(n.ctx);
}
/* States that are carried from batch to batch of shuffled rows, or to a smaller last one, are hardly meant: a line; in
   order they have none. */
static void carried_rows(void)
{
    static char text[1 << 14];
    for (int shuffled = 0; shuffled < 3; shuffled++) { /* 2: in order, to a smaller batch */
        net n = build(PLAIN, adam());
        gtr_fit_desc f = epochs(1);
        gtr_tensor *was = gtr_state(n.ctx, "was", gtr_shape2(GTR_BATCH, CLASSES)),
            *mean = gtr_add(gtr_scale(was, 0.9f, 0), gtr_scale(n.logits, 0.1f, 0));
        EXPECT_EQ(gtr_state_next(was, mean), GTR_OK);
        gtr_trainer_destroy(n.t);
        n.t = gtr_trainer_create(gtr_cross_entropy(mean, n.y), adam());
        f.no_shuffle = shuffled != 1; f.drop_last = shuffled < 2;
        if (heard(false, &n, f, text, sizeof text)) {
            CHECK((strstr(text, "states are carried from batch to batch of rows that are shuffled or drawn: .streams "
                "and .no_shuffle have") != NULL) == (shuffled == 1), "it says %.300s", text);
            CHECK((strstr(text, "state \"was\" is carried from batches of 16 rows to a last one of 8: ") != NULL)
                == (shuffled == 2), "it says %.300s", text);
        }
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
}
/* A line has room for metrics with names as long as names may be, and for any figures; what is rewritten leaves out
   what has no room. */
static float slowly(int64_t step, void *user)
{
    struct timespec t = { 0, 30000000 };
    (void)step; (void)user;
    nanosleep(&t, NULL);
    return 0.05f;
}
static gtr_trainer_desc slow(void)
{
    gtr_trainer_desc d = sgd(0);
    d.schedule = GTR_CUSTOM_SCHEDULE; d.lr_fn = slowly;
    return d;
}
static void long_names(void)
{
    static char text[1 << 14], name[480];
    const gtr_float huge = (gtr_float)-3e38;
    gtr_init zero;
    int terminal;
    memset(name, 'm', sizeof name - 1);
    memset(&zero, 0, sizeof zero);
    zero.frozen = true;
    for (terminal = 0; terminal < 2; terminal++) {
        net n = build(PLAIN, slow());
        gtr_fit_desc f = epochs(1);
        f.metric = gtr_parameter(n.ctx, name, gtr_shape0(), zero);
        gtr_set(f.metric, &huge, sizeof huge);
        f.validation = n.data;
        EXPECT_OK(n.ctx);
        if (heard(terminal, &n, f, text, sizeof text)) {
            CHECK(strstr(text, "mmm -30000000") && strstr(text, "validation loss ")
                && strstr(text, terminal ? " samples/s\r\n" : " samples/s\n"), "the line is %s", text);
            EXPECT(!terminal || (strstr(text, " left\r") && !strstr(text, " left  mmm")));
        }
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
}
/* On a terminal an epoch has a line that is rewritten, narrower than 80 columns and ten times a second at most, and in
   whose place its own line is at the end. */
static void running_line(void)
{
    static char text[1 << 14];
    char row[200] = "", part[200];
    double began, took;
    int terminal, running = 0, epochs_said = 0, at = 0;
    net n = build(NODES, slow());
    gtr_fit_desc f = epochs(2);
    f.metric = n.acc;
    setenv("TERM", "xterm", 1);
    began = gtr__now();
    terminal = heard(true, &n, f, text, sizeof text);
    took = gtr__now() - began;
    const char *c = strchr(text, '\n');
    while (terminal && c && *++c) {
        const size_t k = strcspn(c, "\r\n");
        if (k && k < sizeof part) {
            long long e = 0, done = 0, all = 0;
            int percent = -1;
            snprintf(part, sizeof part, "%.*s", (int)k, c);
            if (strstr(part, "left")) {
                CHECK(sscanf(part, "epoch %lld/2  %lld/%lld  %d%%  loss ", &e, &done, &all, &percent) == 4 && e >= 1
                    && e <= 2 && all == EPOCH && done >= 1 && done <= all && percent == 100 * done / all
                    && strstr(part, "samples/s  0:0") && strstr(part, " left  accuracy 0."), "it is %s", part);
                CHECK(k < 80, "%d columns: %s", (int)k, part);
                running++;
            }
            memcpy(row, part, k);                               /* what the screen shows */
            if (at < (int)k) row[at = (int)k] = 0;
        }
        c += k;
        if (*c == '\n') {
            char want[40];
            snprintf(want, sizeof want, "epoch %d/2  step %d/%d  loss ", epochs_said + 1, EPOCH * (epochs_said + 1),
                2 * EPOCH);
            const char *end = strstr(row, " samples/s");
            CHECK(!strncmp(row, want, strlen(want)) && end && strspn(end + 10, " ") == strlen(end + 10),
                "the epoch's line is %s", row);
            epochs_said++;
            row[at = 0] = 0;
        }
    }
    if (terminal) CHECK(running >= 3 && running <= took / 0.1 + 1 && epochs_said == 2,
        "%d lines in %g s, %d of epochs: %s", running, took, epochs_said, text);
    /* one that can't rewrite a line gets an epoch's alone */
    setenv("TERM", "dumb", 1);
    if (heard(true, &n, f, text, sizeof text))
        CHECK(!strncmp(text, "epoch 1/2  step 13/26  loss ", 28) && !strstr(text, "left"), "it is %s", text);
    setenv("TERM", "xterm", 1);
    EXPECT_OK(n.ctx);
    gtr_destroy(n.ctx);
}
/* What callbacks see at steps and at epochs' ends. */
typedef struct { int n; gtr_progress at[64]; double scores[8][GTR_METRIC_COUNT]; const char *unlinked; } seen;
static bool see(const gtr_progress *p)
{
    seen *s = (seen *)p->user;
    if (p->metrics && s->n < 8) memcpy(s->scores[s->n], p->metrics->value, sizeof *s->scores);
    if (s->n < 64) s->at[s->n++] = *p;
    if (s->unlinked) unlink(s->unlinked);
    return true;
}
/* Loss and metric of an epoch, or of it so far, are means over rows: the last batch, of 8 rows where others have 64,
   weighs an eighth. Beside the history's losses; the metric is made of the loss, or the loss. What learns nothing has
   gtr_evaluate's loss and accuracy. */
static void means_over_rows(void)
{
    enum { MANY = 64, STEPS = (ROWS + MANY - 1) / MANY };
    static seen s;
    for (int shape = few() ? NODES : 0; shape < SHAPES; shape++) for (int way = 0; way < 6; way++) {
        const bool learns = way / 2 < 2;
        net n = build(shape, learns ? adam() : sgd(GTR_ZERO));
        gtr_fit_desc f = noted(epochs(3), one);
        float whole = 0, right = 0;
        clear();
        memset(&s, 0, sizeof s);
        f.batch = MANY; f.callback = see; f.callback_user = &s; f.callback_every = way % 2 ? 3 : 0;
        f.metric = way / 2 == 0 ? gtr_scale(n.loss, 2, 1) : way / 2 == 1 ? n.loss : n.acc;
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
        EXPECT_EQ(gtr_evaluate(n.t, n.data, MANY, n.acc, &whole, &right), GTR_OK);
        EXPECT_EQ(s.n, way % 2 ? 3 * STEPS / 3 : 3);
        for (int i = 0; i < s.n; i++) {
            const gtr_progress *p = &s.at[i];
            double sum = 0, rows = 0;
            for (int at = 0; at < p->epoch_step; at++) {
                const int own = GTR__MIN(MANY, ROWS - at * MANY);
                sum += (double)one[p->step - p->epoch_step + at].loss * own; rows += own;
            }
            const double loss = sum / rows, metric = way / 2 ? loss : 2 * loss + 1;
            CHECK(fabs((double)p->loss - loss) < 1e-6 && (!learns || fabs((double)p->metric - metric) < 2e-6),
                "shape %d, way %d, step %d of epoch %d: loss %.7g, metric %.7g, by rows %.7g, %.7g", shape, way,
                (int)p->epoch_step, p->epoch, (double)p->loss, (double)p->metric, loss, metric);
            if (!learns && shape != NORM && p->epoch_step == STEPS)
                CHECK(fabsf(p->loss - whole) < 1e-5f && fabsf(p->metric - right) < 1e-6f, "shape %d, epoch %d: loss "
                    "%.7g, accuracy %.7g, of the whole set %.7g, %.7g", shape, p->epoch, (double)p->loss,
                    (double)p->metric, (double)whole, (double)right);
        }
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
}
static const char *as_float(char *buf, double v) { snprintf(buf, 32, "%.4f", v); return buf; }
/* To a pipe a fit writes a line an epoch, to the byte what it always was; and a callback gets what a line has. */
static void piped_lines(void)
{
    static char text[1 << 14], want[1 << 14];
    seen s;
    int i, used = 0;
    char a[4][32];
    net n = build(NODES, adam());
    gtr_fit_desc f = epochs(3);
    memset(&s, 0, sizeof s);
    f.validation = n.data; f.metric = n.acc; f.callback = see; f.callback_user = &s;
    if (!heard(false, &n, f, text, sizeof text)) return;
    EXPECT_EQ(s.n, 3);
    for (i = 0; i < s.n; i++) {
        const gtr_progress *p = &s.at[i];
        const double rate = p->samples_per_second;
        used += snprintf(want + used, sizeof want - (size_t)used,
            "epoch %d/3  step %d/%d  loss %s  accuracy %s  validation loss %s accuracy %s  %.*f%s samples/s\n", i + 1,
            (i + 1) * EPOCH, 3 * EPOCH, as_float(a[0], p->loss), as_float(a[1], p->metric), as_float(a[2], p->val_loss),
            as_float(a[3], p->val_metric), rate >= 1e6 ? 2 : rate >= 1e4, rate * (rate >= 1e6 ? 1e-6 : rate >= 1e4
            ? 1e-3 : 1), rate >= 1e6 ? " M" : rate >= 1e4 ? " k" : "");
        EXPECT(p->epoch_step == EPOCH && p->epoch_steps == EPOCH);
        EXPECT(p->seconds > (i ? s.at[i - 1].seconds : 0));
    }
    CHECK(!strcmp(text, want), "got\n%swant\n%s", text, want);
    /* the rest of an epoch that was cut short, and what a callback may draw of it */
    memset(&s, 0, sizeof s);
    EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, true, false), GTR_OK);
    for (i = 0; i < 4; i++) EXPECT_EQ(gtr_step(n.t), GTR_OK);
    f = epochs(1);
    f.callback = see; f.callback_user = &s; f.callback_every = 1;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
    EXPECT_EQ(s.n, 2 * EPOCH - 4);
    for (i = 0; i < s.n; i++) {
        EXPECT_EQ(s.at[i].step, i + 1);
        EXPECT_EQ(s.at[i].epoch_step, (i + 4) % EPOCH + 1);
    }
    EXPECT_OK(n.ctx);
    gtr_destroy(n.ctx);
}

/* ---- a fit's log ---- */
static char log_text[2][1 << 14];
static char *log_of(const char *path, int k)
{
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(log_text[k], 1, sizeof *log_text - 1, f) : 0;
    log_text[k][n] = 0;
    if (f) fclose(f);
    return log_text[k];
}
static void put_log(const char *path, const char *text, const char *how)
{
    FILE *f = fopen(path, how);
    if (f) { fputs(text, f); fclose(f); }
}
/* Without what times are in a line: what stands before its last two of nine fields. */
static char *untimed(char *text)
{
    char *to = text, *c = text;
    while (*c) {
        char *end = c + strcspn(c, "\n"), *at = c;
        int commas = 0;
        while (at < end && (commas += *at == ',') < 7) at++;
        memmove(to, c, (size_t)(at - c));
        to += at - c;
        if (*end) *to++ = '\n';
        c = end + (*end != 0);
    }
    *to = 0;
    return text;
}
/* This process's alone, for others may run tests in the same folder: logs, what is kept, what was before. */
static char log_names[2][48], log_kept[48], log_before[48];
static void name_logs(void)
{
    snprintf(log_names[0], sizeof log_names[0], "%s", check_path("log.csv"));
    snprintf(log_names[1], sizeof log_names[1], "%s", check_path("log.jsonl"));
    snprintf(log_kept, sizeof log_kept, "%s", check_path("log.safetensors"));
    snprintf(log_before, sizeof log_before, "%s", check_path("log.before"));
}
static void logs(void)
{
    static char want[1 << 14];
    static const char *const own[] = { "epoch", "step", "loss", "metric", "val_loss", "val_metric", "lr",
        "samples_per_second", "seconds" };
    int k, i, j;
    for (k = 0; k < 2; k++) {
        seen s;
        int used = 0;
        net n = build(NODES, adam());
        gtr_fit_desc f;
        clear();
        f = noted(epochs(3), one);
        memset(&s, 0, sizeof s);
        f.validation = n.data; f.metric = n.acc; f.callback = see; f.callback_user = &s; f.log_file = log_names[k];
        f.metrics.scores = n.logits; f.metrics.labels = n.y; f.metrics.top_k = 2;
        put_log(log_names[k], k ? "{\"epoch\":1,\"step\":2,\"loss\":3}\n" : "epoch,step,loss,metric,val_loss,"
            "val_metric,lr,samples_per_second,seconds,accuracy\n1,2\n", "wb");       /* a log of other metrics */
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
        EXPECT_EQ(s.n, 3);
#define ADD(...) (used += snprintf(want + used, sizeof want - (size_t)used, __VA_ARGS__))
        for (i = k ? 0 : -1; i < 3; i++) for (j = 0; j < 9 + GTR_METRIC_COUNT; j++) {
            const gtr_progress *p = &s.at[i < 0 ? 0 : i];
            const double v[] = { p->epoch, (double)p->step, p->loss, p->metric, p->val_loss, p->val_metric,
                one[(p->epoch) * EPOCH - 1].lr, p->samples_per_second, p->seconds };
            const double x = j < 9 ? v[j] : s.scores[i < 0 ? 0 : i][j - 9];
            const char *name = j < 9 ? own[j] : gtr__metric_rows[j - 9].name;
            if (j >= 9 && x != x) continue;                     /* a label a row of three classes has no such */
            if (j == 9 || j == 10) continue;
            if (k) ADD("%s\"%s\":%.9g", j ? "," : "{", name, x);
            else if (i < 0) ADD("%s%s", j ? "," : "", name);
            else ADD("%s%.9g", j ? "," : "", x);
            if (j == 8 + GTR_METRIC_AUC + 1) ADD(k ? "}\n" : "\n");
        }
        CHECK(!strcmp(log_of(log_names[k], 0), want), "got\n%swant\n%s", log_text[0], want);
        CHECK(strstr(want, k ? ",\"auc\":" : ",auc\n") && strstr(want, "top-k"), "the names are %s", want);
        /* what is not asked for, and what is not finite */
        const gtr_float infinite = (gtr_float)INFINITY;
        gtr_init zero;
        memset(&zero, 0, sizeof zero);
        zero.frozen = true;
        gtr_tensor *endless = gtr_parameter(n.ctx, "endless", gtr_shape0(), zero);
        gtr_set(endless, &infinite, sizeof infinite);
        f = epochs(2);
        f.log_file = log_names[k];
        for (j = 0; j < 2; j++) {
            EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
            log_of(log_names[k], 0);
            EXPECT(strstr(log_text[0], !k ? ",,,,0.00499999989," : ",\"metric\":null,\"val_loss\":null,"
                "\"val_metric\":null,\"lr\":0.00499999989,"));
            const char *line = strchr(log_text[0], '\n');
            EXPECT(k ? !strncmp(log_text[0], "{\"epoch\":1,\"step\":13,\"loss\":", 27)
                : line && !strncmp(line, "\n1,13,", 6));
            f.metric = endless;
        }
        EXPECT_OK(n.ctx);
        unlink(log_names[k]);
        gtr_destroy(n.ctx);
    }
}
/* A log goes on where the fit does: what lies behind its checkpoint, and what was cut short, is not there. */
static void logs_go_on(void)
{
    char *kept = log_kept, *before = log_before;
    static char whole[1 << 14];
    const char *torn[] = { "4,5", "{\"epoch\":4,\"st" };
    int k, held, i;
    for (k = 0; k < 2; k++) for (held = 0; held < 3; held++) {
        net n = build(NODES, adam()), m = build(NODES, adam());
        gtr_fit_desc f = epochs(4);
        f.log_file = log_names[k];
        if (held == 1) f.validation = n.data;
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
        strcpy(whole, untimed(log_of(log_names[k], 0)));
        unlink(log_names[k]); unlink(kept);
        f.checkpoint = kept; f.resume = true;
        if (held == 2) f.checkpoint_steps = 20;                 /* in the middle of the second epoch */
        for (i = 2; i < 5; i++) {
            net r = build(NODES, adam());
            f.epochs = i;
            if (held == 1) f.validation = r.data;
            EXPECT_EQ(gtr_fit(r.t, r.data, f), GTR_OK);
            if (i == 2) { unlink(before); EXPECT_EQ(link(kept, before), 0); }
            if (i == 3) {                                       /* killed behind the rows, before the checkpoint */
                EXPECT_EQ(rename(before, kept), 0);
                put_log(log_names[k], torn[k], "ab");
            }
            EXPECT_OK(r.ctx);
            gtr_destroy(r.ctx);
        }
        CHECK(!strcmp(untimed(log_of(log_names[k], 1)), whole), "%d, %d: got\n%swant\n%s", k, held, log_text[1],
            whole);
        /* nothing is left to do, and the log stays as it is */
        const size_t size = strlen(log_of(log_names[k], 1));
        if (held == 1) f.validation = m.data;
        EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_OK);
        EXPECT_EQ(strlen(log_of(log_names[k], 1)), size);
        /* other columns, or what is no log */
        put_log(log_names[k], "hello\n", "wb");
        gtr_destroy(m.ctx);
        m = build(NODES, adam());
        if (held == 1) f.validation = m.data;
        f.epochs = 6;
        EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_ERR_FORMAT);
        EXPECT_ERROR(m.ctx, GTR_ERR_FORMAT, log_names[k]);
        EXPECT(!strcmp(log_of(log_names[k], 1), "hello\n"));
        /* a header that was cut short, and none */
        gtr_destroy(m.ctx);
        m = build(NODES, adam());
        if (held == 1) f.validation = m.data;
        put_log(log_names[k], k ? "{\"ep" : "epoch,ste", "wb");
        EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_OK);
        log_of(log_names[k], 1);
        EXPECT(!strncmp(log_text[1], k ? "{\"epoch\":5,\"step\":65," : "epoch,step,loss,", 16)
            && (k || strstr(log_text[1], "seconds\n5,65,")));
        EXPECT_OK(n.ctx); EXPECT_OK(m.ctx);
        unlink(log_names[k]); unlink(kept);
        finish(&n, &m);
    }
}
/* A checkpoint of the callback's, before the epoch is validated: going on does that, and its row is there once. */
static bool saves_there(const gtr_progress *p)
{
    if (p->step == 2 * EPOCH) EXPECT_EQ(gtr_checkpoint_save(p->trainer, (const char *)p->user), GTR_OK);
    return true;
}
static void log_once(void)
{
    static char whole[1 << 14];
    char *kept = log_kept;
    net n = build(NODES, adam()), m = build(NODES, adam());
    gtr_fit_desc f = epochs(4);
    f.log_file = log_names[0]; f.validation = n.data;
    f.callback = saves_there; f.callback_every = EPOCH; f.callback_user = kept;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
    strcpy(whole, untimed(log_of(log_names[0], 0)));
    f.callback = NULL; f.callback_every = 0; f.validation = m.data; f.checkpoint = kept; f.resume = true;
    EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_OK);
    CHECK(!strcmp(untimed(log_of(log_names[0], 1)), whole), "got\n%swant\n%s", log_text[1], whole);
    EXPECT_OK(n.ctx); EXPECT_OK(m.ctx);
    unlink(log_names[0]); unlink(kept);
    finish(&n, &m);
}
static void bad_logs(void)
{
    static const char *const names[] = { "", "csv", "build/log.txt", "build/x.csv/log", "build/log.CSV" };
    const char *folder = check_path("folder.csv"), *none = check_path("none/log.json");
    size_t i;
    int k;
    seen s;
    net n = build(NODES, adam());
    gtr_fit_desc f = epochs(3);
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        f.log_file = names[i];
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_ERR_ARG);
        EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "want a name in .csv, .jsonl or .json");
        EXPECT(!strstr(gtr_error_text(n.ctx), ".checkpoint"));
    }
    f.log_file = f.checkpoint = log_names[0];
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "want another file than .checkpoint");
    f.checkpoint = NULL; f.log_file = none;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_ERR_IO);
    EXPECT_ERROR(n.ctx, GTR_ERR_IO, none);
    mkdir(folder, 0755);
    f.log_file = folder;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_ERR_IO);
    EXPECT_ERROR(n.ctx, GTR_ERR_IO, folder);
    rmdir(folder);
    EXPECT_EQ(gtr_trainer_report(n.t).step, 0);
    for (k = 0; k < 2; k++) {                                   /* it goes, in mid-training */
        memset(&s, 0, sizeof s);
        s.unlinked = f.log_file = log_names[k];
        f.callback = see; f.callback_user = &s; f.callback_every = k;
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_ERR_IO);
        EXPECT_ERROR(n.ctx, GTR_ERR_IO, log_names[k]);
        EXPECT(gtr_fit_ended(n.t).why == GTR_END_ERROR);
    }
    gtr_destroy(n.ctx);
}
/* A file that is no log, or no checkpoint, is a user's: the fit is refused, and nothing is written. */
static void others_files_stay(void)
{
    static const char *const text[] = { "epoch,value\n1,2\n", "a,b\n1,2\n", "\xff\xd8\xff\xe0 a photo",
        "{\"epoch\":1,\"loss\":2}\n", "{\"epoch\": 1, \"step\": 2}\n", "[1]\n", "\n" };
    char *const of[] = { log_kept, log_before, NULL };
    char best[300];
    static char model[1 << 16];
    snprintf(best, sizeof best, "%s.best", log_kept);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) for (int k = 0; k < 5; k++) {
        net n = build(NODES, adam());
        gtr_fit_desc f = epochs(2);
        char last[300];
        snprintf(last, sizeof last, "%s.%d", log_kept, 2 * EPOCH);
        const char *there = k < 2 ? log_names[k] : k == 2 ? of[0] : k == 3 ? best : last;
        put_log(there, text[i], "wb");
        f.log_file = log_names[k < 2 ? k : 0]; f.checkpoint = log_kept;
        f.keep_best = k == 3; f.keep_last = k == 4 ? 2 : 0;
        if (k == 3) f.validation = n.data;
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_ERR_FORMAT);
        EXPECT_ERROR(n.ctx, GTR_ERR_FORMAT, there);
        EXPECT_EQ(gtr_trainer_report(n.t).step, 0);
        CHECK(!strcmp(log_of(there, 0), text[i]), "%s of case %d is written", there, k);
        unlink(there);
        EXPECT(access(log_names[0], F_OK) && access(log_names[1], F_OK) && access(log_kept, F_OK) && access(best, F_OK)
            && access(last, F_OK));
        put_log(log_kept, "", "wb");                            /* an empty file is nobody's */
        put_log(log_names[k < 2 ? k : 0], "", "wb");
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
        EXPECT_OK(n.ctx);
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);             /* its own are replaced */
        EXPECT_OK(n.ctx);
        if (!i && k == 2) {                                     /* a model has no training state */
            EXPECT_EQ(gtr_save(n.ctx, log_kept), GTR_ERR_FORMAT);
            EXPECT_ERROR(n.ctx, GTR_ERR_FORMAT, "a checkpoint of a training, no model");
            unlink(log_kept);
            EXPECT_EQ(gtr_save(n.ctx, log_kept), GTR_OK);
            memcpy(model, log_of(log_kept, 0), 4096);
            EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_ERR_FORMAT);
            EXPECT_ERROR(n.ctx, GTR_ERR_FORMAT, "no checkpoint of a training");
            EXPECT(!memcmp(model, log_of(log_kept, 0), 4096));
        }
        for (int j = 1; j <= 6 * EPOCH; j++) {
            snprintf(last, sizeof last, "%s.%d", log_kept, j);
            unlink(last);
        }
        unlink(log_names[0]); unlink(log_names[1]); unlink(log_kept); unlink(best);
        gtr_destroy(n.ctx);
    }
}
static void profiled_fit(void)
{
    int shape;
    if (few()) return;                  /* a profile runs thousands of steps */
    for (shape = 0; shape < SHAPES; shape++) {
        net n = build(shape, adam()), m = build(shape, adam());
        gtr_fit_desc f = epochs(2), g = epochs(2);
        const char *text;
        int64_t mark = gtr_mark(n.ctx);
        const gtr__plan *ran;
        int i, networks = 0;
        if (shape == NORM) { f.metric = gtr_accuracy(n.logits, n.y); g.metric = m.acc; }
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK); EXPECT_EQ(gtr_fit(m.t, m.data, g), GTR_OK);
        ran = &n.t->slot[0]->plan;
        for (i = 0; i < ran->n_node; i++) networks += ran->node[i].op == GTR__OP_SUBGRAPH;
        text = gtr_profile(n.t, false);
        CHECK(strstr(text, "batch 16 on") && strstr(text, "in all"), "the profile after gtr_fit is \"%s\" (%s)", text,
            gtr_error_text(n.ctx));
        CHECK(!strstr(text, "accuracy") == (shape != NORM), "the profile is not of the fit's step: %s", text);
        CHECK(!strstr(text, "one kernel") == !networks, "the fit ran %d networks in one kernel, the profile is %s",
            networks, text);
        if (shape == NORM) {            /* the metric may go, and the data */
            gtr_release(n.ctx, mark);
            CHECK(strstr(gtr_profile(n.t, true), "batch 16 on"), "no profile without the metric: %s",
                gtr_error_text(n.ctx));
        }
        same(&n, &m, "a profile after gtr_fit");
        EXPECT_EQ(gtr_fit(n.t, n.data, epochs(1)), GTR_OK); EXPECT_EQ(gtr_fit(m.t, m.data, epochs(1)), GTR_OK);
        same(&n, &m, "a fit after the profile");
        gtr_dataset_destroy(n.data);
        EXPECT(!strcmp(gtr_profile(n.t, false), ""));
        EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "was not set");
        finish(&n, &m);
    }
}
static gtr_result even_rows(int n, const gtr_shape *in, gtr_shape *out, void *user)
{
    (void)n; (void)user;
    *out = in[0];
    return in[0].dim[0] > 0 && in[0].dim[0] % 2 ? GTR_ERR_SHAPE : GTR_OK;
}
static gtr_result pass(const gtr_custom_call *c) {
    int64_t i, n = gtr__count(&c->out_shape);
    for (i = 0; i < n; i++) ((gtr_float *)c->out)[i] = ((const gtr_float *)c->in[0])[i];
    return GTR_OK;
}
static gtr_result back(const gtr_custom_call *c) {
    int64_t i, n = gtr__count(&c->out_shape);
    for (i = 0; i < n; i++) ((gtr_float *)c->din[0])[i] = ((const gtr_float *)c->dout)[i];
    return GTR_OK;
}
/* What no tail can be, and validation that does not fit, are refused before the first step. */
static void refused_at_once(void)
{
    net n = build(NORM, sgd(0.1f));
    gtr_fit_desc f = epochs(1);
    gtr_custom_desc c;
    gtr_arrays_desc a;
    static int32_t label[ROWS];
    int k;
    f.batch = 33;                       /* 200 = 6 * 33 + 2 */
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
    f.batch = 199;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_ERR_SHAPE);
    EXPECT_EQ(gtr_trainer_report(n.t).step, 7);
    EXPECT_ERROR(n.ctx, GTR_ERR_SHAPE, "drop_last");
    EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, false, false), GTR_OK);
    EXPECT_EQ(gtr_step(n.t), GTR_OK);
    EXPECT_EQ(gtr_trainer_data(n.t, n.data, 199, true, false), GTR_ERR_SHAPE);
    EXPECT_ERROR(n.ctx, GTR_ERR_SHAPE, "drop_last");
    /* what was refused feeds nothing, and what came before keeps its place */
    EXPECT_EQ(gtr_step(n.t), GTR_ERR_STATE);
    EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "left for one that was refused");
    EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, false, false), GTR_OK);
    const gtr__sequence order = gtr__sequence_of(n.t);
    const gtr__batch next = gtr__batch_of(&order, gtr__data_batch(n.t, n.t->runner->step));
    EXPECT_EQ(next.rows, BATCH);
    EXPECT_EQ(next.first, BATCH);
    f.drop_last = true;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
    memset(&c, 0, sizeof c);
    c.name = "even"; c.n_in = 1; c.in[0] = n.logits; c.shape = even_rows; c.forward = pass; c.backward = back;
    n.loss = gtr_cross_entropy(gtr_custom(n.ctx, c), n.y);
    n.t = gtr_trainer_create(n.loss, sgd(0.1f));
    f = epochs(1);
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
    f.batch = 19;                       /* odd */
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_ERR_USER);
    CHECK(!strstr(gtr_error_text(n.ctx), "drop_last"), "no batch fits, and the text speaks of the tail: %s",
        gtr_error_text(n.ctx));
    gtr_error_clear(n.ctx);
    f.batch = 186;
    n.data = points(n.ctx, 199);
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_ERR_USER);
    EXPECT_ERROR(n.ctx, GTR_ERR_USER, "drop_last");
    EXPECT_EQ(gtr_trainer_report(n.t).step, 13);
    f = epochs(1);                      /* validation: an odd size; a label out of range; a column too few */
    n.data = points(n.ctx, ROWS);
    for (k = 0; k < 3; k++) {
        memset(&a, 0, sizeof a);
        a.rows = k ? 40 : 41;
        label[33] = k == 1 ? CLASSES : 0;
        a.column[0].data = pool_x; a.column[0].shape = gtr_shape1(WIDTH);
        a.column[1].data = k < 2 ? label : NULL; a.column[1].dtype = GTR_I32;
        f.validation = gtr_dataset_arrays(n.ctx, a);
        EXPECT_EQ(gtr_fit(n.t, n.data, f), k == 0 ? GTR_ERR_USER : k == 1 ? GTR_ERR_ARG : GTR_ERR_SHAPE);
        EXPECT_EQ(gtr_trainer_report(n.t).step, 13);
        EXPECT_ERROR(n.ctx, k == 0 ? GTR_ERR_USER : k == 1 ? GTR_ERR_ARG : GTR_ERR_SHAPE,
            k == 0 ? "batch of 41" : k == 1 ? "row 33" : "column");
    }
    gtr_destroy(n.ctx);
}
/* A row may take the input's dimensions together or apart, but not lie in another order. */
static void shapes_of_rows(void)
{
    static const gtr_float v[240];
    static const struct { gtr_shape row, input; bool fits; } table[] = {
        { { 3, { 2, 3, 4 } }, { 4, { GTR_BATCH, 2, 3, 4 } }, true },
        { { 1, { 24 } }, { 4, { GTR_BATCH, 2, 3, 4 } }, true },
        { { 2, { 3, 4 } }, { 4, { GTR_BATCH, 1, 3, 4 } }, true },
        { { 2, { 4, 6 } }, { 2, { GTR_BATCH, 24 } }, true }, { { 0, { 0 } }, { 2, { GTR_BATCH, 1 } }, true },
        { { 4, { 1, 6, 1, 4 } }, { 4, { GTR_BATCH, 3, 2, 4 } }, true },
        { { 3, { 2, 2, 6 } }, { 4, { GTR_BATCH, 4, 2, 3 } }, false },
        { { 3, { 3, 4, 2 } }, { 4, { GTR_BATCH, 2, 3, 4 } }, false },
        { { 2, { 6, 4 } }, { 3, { GTR_BATCH, 4, 6 } }, false },
        { { 2, { 3, 8 } }, { 4, { GTR_BATCH, 2, 3, 4 } }, false },
        { { 3, { 4, 4, 3 } }, { 4, { GTR_BATCH, 3, 4, 4 } }, false },
        { { 1, { 23 } }, { 2, { GTR_BATCH, 24 } }, false },
        { { 0, { 0 } }, { 2, { GTR_BATCH, 24 } }, false } };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, table[k].input);
        gtr_trainer *t = gtr_trainer_create(gtr_mean(gtr_linear(gtr_flatten(x), "fc", 1), NULL, 0, false), sgd(0.1f));
        gtr_arrays_desc a;
        memset(&a, 0, sizeof a);
        a.rows = 4; a.column[0].data = v; a.column[0].shape = table[k].row;
        const gtr_result r = gtr_trainer_data(t, gtr_dataset_arrays(ctx, a), 2, false, false);
        CHECK(r == (table[k].fits ? GTR_OK : GTR_ERR_SHAPE), "shape of rows %d: %s", (int)k, gtr_error_text(ctx));
        if (!table[k].fits) EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "does not go into input");
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}

/* ---- fields that are given and not read ---- */
#define UNREAD(made, field) do { \
    const void *const it = (const void *)(made); \
    CHECK(!it, "%s: nobody says that it is not read", #made); \
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "." field " is given, but not read: it is for "); } while (0)
#define TAKEN(made) do { \
    const void *const it = (const void *)(made); \
    CHECK(it != NULL && !gtr_error(ctx), "%s: %s", #made, gtr_error_text(ctx)); \
    gtr_error_clear(ctx); } while (0)
#define TRAINER(...) gtr_trainer_create(n.loss, (gtr_trainer_desc){ __VA_ARGS__ })
static float one_rate(int64_t step, void *user) { (void)step; (void)user; return 0.1f; }
static void fields_of_trainers(void)
{
    net n = build(NODES, sgd(0));
    gtr_context *ctx = n.ctx;
    gtr_group shadowed[] = { { "fc?.*", 0, 0, false }, { "*.bias", 2, 0, false } }, one = { "*", 0, 0, true };
    static const gtr_schedule decays[] = { GTR_STEP_DECAY, GTR_EXPONENTIAL };
    UNREAD(TRAINER(.optimizer = GTR_ADAM, .momentum = 0.9f), "momentum");
    UNREAD(TRAINER(.nesterov = true), "nesterov");
    UNREAD(TRAINER(.optimizer = GTR_RMSPROP, .momentum = 0.9f, .nesterov = true), "nesterov");
    UNREAD(TRAINER(.beta1 = 0.8f), "beta1"); UNREAD(TRAINER(.optimizer = GTR_RMSPROP, .beta1 = 0.8f), "beta1");
    UNREAD(TRAINER(.beta2 = 0.8f), "beta2"); UNREAD(TRAINER(.eps = 1e-6f), "eps");
    UNREAD(TRAINER(.optimizer = GTR_LION, .eps = 1e-6f), "eps"); UNREAD(TRAINER(.lr_decay = 0.1f), "lr_decay");
    UNREAD(TRAINER(.optimizer = GTR_ADAM, .initial_accumulator = 0.1f), "initial_accumulator");
    UNREAD(TRAINER(.optimizer = GTR_ADAGRAD, .momentum = 0.9f), "momentum");
    UNREAD(TRAINER(.optimizer = GTR_ADAGRAD, .beta1 = 0.8f), "beta1");
    UNREAD(TRAINER(.optimizer = GTR_ADAGRAD, .beta2 = 0.8f), "beta2");
    UNREAD(TRAINER(.schedule = GTR_PLATEAU, .warmup_steps = 3), "warmup_steps");
    UNREAD(TRAINER(.total_steps = 3), "total_steps"); UNREAD(TRAINER(.min_lr = 1e-3f), "min_lr");
    UNREAD(TRAINER(.schedule = GTR_COSINE, .decay_steps = 3), "decay_steps");
    UNREAD(TRAINER(.schedule = GTR_COSINE, .gamma = 0.5f), "gamma");
    UNREAD(TRAINER(.schedule = GTR_COSINE, .start_factor = 0.5f), "start_factor");
    UNREAD(TRAINER(.end_factor = 0.5f), "end_factor"); UNREAD(TRAINER(.pct_start = 0.5f), "pct_start");
    UNREAD(TRAINER(.div_factor = 5), "div_factor"); UNREAD(TRAINER(.final_div_factor = 5), "final_div_factor");
    UNREAD(TRAINER(.anneal_linear = true), "anneal_linear"); UNREAD(TRAINER(.three_phase = true), "three_phase");
    UNREAD(TRAINER(.plateau_patience = 3), "plateau_patience");
    UNREAD(TRAINER(.schedule = GTR_COSINE, .plateau_cooldown = 3), "plateau_cooldown");
    UNREAD(TRAINER(.threshold = 0.1f), "threshold"); UNREAD(TRAINER(.threshold_absolute = true), "threshold_absolute");
    UNREAD(TRAINER(.lr_fn = one_rate), "lr_fn"); TAKEN(TRAINER(.lr_user = &n));
    UNREAD(TRAINER(.groups = &one), "groups");
    EXPECT(!TRAINER(.groups = shadowed, .n_groups = 2));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "group 1, \"*.bias\", is given, but not read");
    EXPECT(!TRAINER(.schedule = GTR_PLATEAU, .gamma = 1));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gamma is 1, a plateau's factor");
    /* whose they are */
    shadowed[0].pattern = "fc1.*";
    TAKEN(TRAINER(.groups = shadowed, .n_groups = 2));
    TAKEN(TRAINER(.momentum = 0.9f, .nesterov = true, .warmup_steps = 3));
    TAKEN(TRAINER(.optimizer = GTR_ADAMW, .beta1 = 0.8f, .beta2 = 0.8f, .eps = 1e-6f));
    TAKEN(TRAINER(.optimizer = GTR_RMSPROP, .momentum = 0.9f, .beta2 = 0.8f, .eps = 1e-6f));
    TAKEN(TRAINER(.optimizer = GTR_LION, .beta1 = 0.8f, .beta2 = 0.8f, .loss_scale = 512));
    TAKEN(TRAINER(.optimizer = GTR_ADAGRAD, .lr_decay = 0.1f, .initial_accumulator = 0.1f, .eps = 1e-6f));
    TAKEN(TRAINER(.schedule = GTR_COSINE, .min_lr = 1e-3f, .total_steps = 9, .warmup_steps = 3));
    for (int k = 0; k < 2; k++) TAKEN(TRAINER(.schedule = decays[k], .decay_steps = 3, .gamma = 0.5f));
    TAKEN(TRAINER(.schedule = GTR_LINEAR, .start_factor = 0.5f, .end_factor = 0.5f));
    TAKEN(TRAINER(.schedule = GTR_ONE_CYCLE, .pct_start = 0.3f, .div_factor = 5, .final_div_factor = 5,
        .anneal_linear = true, .three_phase = true));
    TAKEN(TRAINER(.schedule = GTR_PLATEAU, .plateau_patience = 3, .plateau_cooldown = 3, .threshold = 0.1f,
        .threshold_absolute = true, .gamma = 0.9f, .min_lr = 1e-3f));
    TAKEN(TRAINER(.schedule = GTR_CUSTOM_SCHEDULE, .lr_fn = one_rate, .lr_user = &n));
    gtr_destroy(ctx);
    gtr_desc d = desc0();
    d.log_user = &n; /* for a log that is switched off */
    ctx = gtr_create(d);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
#define FIT(...) (gtr_fit(n.t, n.data, (gtr_fit_desc){ .epochs = 1, .batch = BATCH, .silent = true, __VA_ARGS__ }) \
    ? NULL : &n)
#define METRICS(x, y, ...) (gtr_evaluate_metrics(n.t, n.data, (gtr_metrics_desc){ .scores = x, .labels = y, \
    __VA_ARGS__ }, NULL) ? NULL : &n)
static void fields_of_fits(void)
{
    net n = build(NODES, sgd(0));
    gtr_context *ctx = n.ctx;
    gtr_report room[EPOCH];
    gtr_tensor *column = gtr_slice(n.x, 1, 0, 1);
    UNREAD(FIT(.callback_every = 3), "callback_every");
    UNREAD(FIT(.history = room), "history"); UNREAD(FIT(.history_size = 3), "history_size");
    UNREAD(FIT(.checkpoint_steps = 3), "checkpoint_steps"); UNREAD(FIT(.keep_last = 1), "keep_last");
    UNREAD(FIT(.checkpoint_seconds = 3), "checkpoint_seconds"); UNREAD(FIT(.resume = true), "resume");
    UNREAD(FIT(.checkpoint_epochs = 3), "checkpoint_epochs"); UNREAD(FIT(.keep_best = true), "keep_best");
    UNREAD(FIT(.monitor = GTR_METRIC_TENSOR, .metric = n.acc), "monitor"); UNREAD(FIT(.min_delta = 0.1f), "min_delta");
    UNREAD(FIT(.monitor_least = true, .patience = 3), "monitor_least");
    UNREAD(FIT(.metrics = { .labels = n.y }, .validation = n.data), "metrics.labels");
    UNREAD(FIT(.metrics = { .top_k = 2 }, .validation = n.data), "metrics.top_k");
    UNREAD(METRICS(n.logits, n.y, .binary = true), "binary");
    UNREAD(METRICS(n.logits, n.y, .threshold = 1), "threshold");
    UNREAD(METRICS(n.x, n.x, .probabilities = true), "probabilities"); UNREAD(METRICS(n.x, n.x, .top_k = 2), "top_k");
    UNREAD(METRICS(column, n.y, .top_k = 2), "top_k"); UNREAD(METRICS(n.x, n.x, .auc_most = 9), "auc_most");
    UNREAD(METRICS(n.x, n.x, .ignore_index = 2), "ignore_index");
    UNREAD(METRICS(n.x, n.x, .ignore_zero = true), "ignore_zero");
    UNREAD(METRICS(n.logits, n.y, .ignore_index = 2, .ignore_zero = true), "ignore_index");
    EXPECT_EQ(gtr_trainer_report(n.t).step, 0);
    TAKEN(FIT(.callback_user = room));
    TAKEN(FIT(.history = room, .history_size = EPOCH, .monitor = GTR_METRIC_TENSOR, .metric = n.t->loss, .patience = 3,
        .monitor_least = true, .min_delta = 0.1f));
    TAKEN(METRICS(gtr_softmax(n.logits, 1), n.y, .top_k = 2, .ignore_index = 2, .auc_most = 9, .probabilities = true));
    gtr_predictor_desc p;
    memset(&p, 0, sizeof p);
    p.out[0] = n.logits; p.out[2] = n.acc;
    UNREAD(gtr_predictor_create_ex(ctx, p), "out[2]");
    gtr_destroy(ctx);
}
static gtr_result no_forward(const gtr_custom_call *call) { (void)call; return GTR_OK; }
static void fields_of_layers(void)
{
    net n = build(NODES, sgd(0));
    gtr_context *ctx = n.ctx;
    const gtr_init normal = { GTR_INIT_NORMAL, 1, false }, wrong = { GTR_INIT_ZERO, 1, false };
    gtr_tensor *im = gtr_input(ctx, "image", GTR_F32, gtr_shape4(GTR_BATCH, 4, 9, 9)),
        *line = gtr_input(ctx, "line", GTR_F32, gtr_shape3(GTR_BATCH, 4, 9)), *soft = gtr_stop_gradient(n.logits),
        *w = gtr_parameter(ctx, "w", gtr_shape4(6, 4, 3, 2), normal),
        *b = gtr_parameter(ctx, "b", gtr_shape1(6), normal);
#define WITH(...) gtr_conv2d_with(im, w, b, (gtr_conv_desc){ __VA_ARGS__ })
#define CONV(x, name, ...) gtr_conv2d_ex(x, name, (gtr_conv_desc){ .out = 2, __VA_ARGS__ })
    UNREAD(gtr_parameter(ctx, "none", gtr_shape1(3), wrong), "a");
    UNREAD(WITH(.out = 7), "out"); UNREAD(WITH(.kernel = 3), "kernel"); UNREAD(WITH(.kernel_w = 3), "kernel_w");
    UNREAD(WITH(.no_bias = true), "no_bias");
    UNREAD(CONV(line, "c", .kernel = 3, .kernel_w = 5), "kernel");
    UNREAD(CONV(line, "c", .kernel = 3, .stride = 3, .stride_w = 2), "stride");
    UNREAD(CONV(line, "c", .kernel = 3, .padding = 2, .padding_w = -1), "padding");
    UNREAD(gtr_max_pool2d_ex(line, (gtr_pool_desc){ .kernel = 2, .kernel_w = 3 }), "kernel");
    UNREAD(gtr_max_pool2d_ex(im, (gtr_pool_desc){ .kernel = 2, .exclude_padding = true }), "exclude_padding");
    UNREAD(gtr_avg_pool2d_ex(im, (gtr_pool_desc){ .kernel = 2, .dilation_w = 2 }), "dilation_w");
    UNREAD(gtr_cross_entropy_ex(n.logits, soft, (gtr_cross_entropy_desc){ .ignore_index = 2 }), "ignore_index");
    UNREAD(gtr_cross_entropy_ex(n.logits, soft, (gtr_cross_entropy_desc){ .ignore_zero = true }), "ignore_zero");
    UNREAD(gtr_cross_entropy_ex(n.logits, n.y, (gtr_cross_entropy_desc){ .ignore_index = 2, .ignore_zero = true }),
        "ignore_index");
    UNREAD(gtr_mse_ex(n.logits, soft, (gtr_loss_desc){ .beta = 1 }), "beta");
    UNREAD(gtr_mse_ex(n.logits, soft, (gtr_loss_desc){ .eps = 1 }), "eps");
    gtr_custom_desc c = { .name = "own", .n_in = 1, .in = { n.x, n.x }, .forward = no_forward };
    UNREAD(gtr_custom(ctx, c), "in[1]");
    TAKEN(WITH(.out = 6, .kernel = 3, .kernel_w = 2, .stride = 2, .stride_w = 1));
    TAKEN(CONV(line, "c", .kernel = 1, .kernel_w = 5, .stride_w = 2));
    TAKEN(gtr_avg_pool2d_ex(im, (gtr_pool_desc){ .kernel = 2, .exclude_padding = true }));
    TAKEN(gtr_cross_entropy_ex(n.logits, soft, (gtr_cross_entropy_desc){ .ignore_index = -100,
        .label_smoothing = 0.1f }));
    gtr_destroy(ctx);
}
static bool fills(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    (void)user; (void)epoch; (void)begin; (void)end; (void)column;
    return false;
}
static void fields_of_data(void)
{
    static gtr_float x[3 * 4 * 4 * 8];
    static uint8_t bytes[64];
    net n = build(NODES, sgd(0));
    gtr_context *ctx = n.ctx;
    gtr_arrays_desc a = { .rows = 8, .column = { { .data = x, .shape = gtr_shape3(3, 4, 4) } } }, wrong = a;
    gtr_callback_desc called = { .rows = 8, .columns = 1, .column = { { .name = "x" }, { .name = "y" } },
        .fill = fills };
    const char *npy = check_path("npy"), *csv = check_path("csv");
    const char header[] = "\x93NUMPY\1\0\x3c\0{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }   ";
    FILE *f = fopen(csv, "w"), *g = fopen(npy, "wb");
    if (!CHECK(f && g, "no folder build")) return;
    fputs("a,b,y\n1,2,0\n3,4,1\n", f);
    fwrite(header, 1, 70, g); fwrite(x, 4, 2, g);
    fclose(f); fclose(g);
#define NPY(...) gtr_dataset_npy(ctx, &npy, 1, (gtr_npy_desc){ __VA_ARGS__ })
    UNREAD(NPY(.scale = 0.5f), "scale"); UNREAD(NPY(.shift = 0.5f), "shift"); UNREAD(NPY(.arrays = "x"), "arrays");
    TAKEN(NPY(.floats = true, .nonfinite = true));
    unlink(npy);
#define CSV(...) gtr_dataset_csv(ctx, csv, (gtr_csv_desc){ .header = true, __VA_ARGS__ })
#define AUGMENT(...) (gtr_dataset_augment(gtr_dataset_arrays(ctx, a), 0, (gtr_augment_desc){ __VA_ARGS__ }) ? NULL : &n)
    wrong.column[0].scale = 2;
    UNREAD(gtr_dataset_arrays(ctx, wrong), "scale");
    wrong.column[0].scale = 1; wrong.column[0].shift = 1;
    UNREAD(gtr_dataset_arrays(ctx, wrong), "shift");
    wrong.column[0].shift = 0; wrong.column[2].data = bytes;
    UNREAD(gtr_dataset_arrays(ctx, wrong), "data");
    wrong.column[1] = wrong.column[0]; wrong.column[1].data = NULL; wrong.column[2].data = NULL;
    TAKEN(gtr_dataset_arrays(ctx, wrong));              /* labels that may be missing */
    UNREAD(gtr_dataset_callback(ctx, called), "name");
    UNREAD(AUGMENT(.pad_mode = GTR_PAD_REFLECT), "pad_mode");
    for (int k = 0; k < 2; k++) {
        gtr_augment_desc four;
        memset(&four, 0, sizeof four);
        *(k ? &four.std[3] : &four.mean[3]) = 0.5f;
        EXPECT_EQ(gtr_dataset_augment(gtr_dataset_arrays(ctx, a), 0, four), GTR_ERR_ARG);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, ".mean or .std is given of more channels than there are, and not read");
        memset(&four, 0, sizeof four);
        (k ? four.std : four.mean)[0] = (k ? four.std : four.mean)[1] = 0.5f; /* of three */
        EXPECT_EQ(gtr_dataset_augment(gtr_dataset_arrays(ctx, a), 0, four), GTR_ERR_ARG);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, ".mean or .std is given of fewer channels than there are, want all");
        (k ? four.std : four.mean)[2] = k ? 1 : GTR_ZERO;
        EXPECT_EQ(gtr_dataset_augment(gtr_dataset_arrays(ctx, a), 0, four), GTR_OK);
    }
    TAKEN(AUGMENT(.pad_mode = GTR_PAD_REFLECT, .pad = 1, .mean = { 0, 0, 0.5f }, .std = { 1, 1, 2 }));
    UNREAD(CSV(.label = "y", .label_column = 1), "label_column"); UNREAD(CSV(.missing_value = 1), "missing_value");
    UNREAD(CSV(.label_column = -1, .regression = true), "regression");
    TAKEN(CSV(.label = "y", .regression = true, .missing = GTR_MISSING_CONSTANT, .missing_value = 1));
    unlink(csv);
    UNREAD(gtr_dataset_windows(gtr_dataset_arrays(ctx, a), (gtr_windows_desc){ .history = 2, .n_lengths = 1 }),
        "n_lengths");
    gtr_destroy(ctx);
}

/* ---- parameters that nothing trains ---- */
static char notes[4][1200];
static int n_notes;
static void note_taker(gtr_level level, const char *text, void *user)
{
    (void)user;
    if (level == GTR_LOG_WARNING && n_notes < 4) snprintf(notes[n_notes++], sizeof notes[0], "%s", text);
}
/* Beside two layers that learn one that nothing uses, one behind round, one whose ReLUs are always off, one behind a
   factor that begins at 0, and two of which a group and another trainer have one each. */
static net idle(gtr_trainer_desc d, gtr_trainer **second)
{
    static const gtr_group frozen = { "held.*", 0, 0, true };
    const gtr_init zero = { GTR_INIT_ZERO, 0, false };
    net n;
    memset(&n, 0, sizeof n);
    n.ctx = gtr_create(desc0());
    n.ctx->desc.log = note_taker;
    n_notes = 0;
    n.x = gtr_input(n.ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
    n.y = gtr_input(n.ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    gtr_linear(n.x, "lost", 4);
    gtr_tensor *h = gtr_tanh(gtr_linear(n.x, "fc1", 16)), *held = gtr_linear(n.x, "held", 3),
        *other = gtr_linear(n.x, "other", 1);
    h = gtr_add(h, gtr_round(gtr_linear(n.x, "rounded", 16)));
    h = gtr_add(h, gtr_relu(gtr_scale(gtr_abs(gtr_linear(n.x, "dead", 16)), -1, -1)));
    h = gtr_add(h, gtr_mul(gtr_linear(n.x, "late", 16), gtr_parameter(n.ctx, "factor", gtr_shape1(16), zero)));
    n.logits = gtr_add(gtr_linear(h, "fc2", CLASSES), held);
    n.loss = gtr_cross_entropy(n.logits, n.y);
    d.groups = &frozen; d.n_groups = 1;
    n.t = gtr_trainer_create(n.loss, d);
    *second = gtr_trainer_create(gtr_mean(gtr_square(other), NULL, 0, false), sgd(0.1f));
    n.data = points(n.ctx, ROWS);
    return n;
}
static bool names_all(const char *text, const char *const *name, int n)
{
    char of[64];
    for (int i = 0; i < n; i++) {
        snprintf(of, sizeof of, "\"%s\"", name[i]);
        if (!strstr(text, of)) return false;
    }
    return true;
}
static int quotes(const char *text) { int n = 0; for (; *text; text++) n += *text == '"'; return n / 2; }
static void idle_parameters(void)
{
    static const char *const unreached[] = { "lost.weight", "lost.bias", "rounded.weight", "rounded.bias" },
        *const dead[] = { "dead.weight", "dead.bias" };
    for (int k = 0; k < 5; k++) {
        gtr_trainer_desc d = sgd(k == 4 ? 1e-30f : 0.05f);      /* a rate at which nothing changes is none of them */
        gtr_trainer *second;
        if (k == 1) d.weight_decay = 0.01f;
        if (k == 2) { d.optimizer = GTR_ADAM; d.weight_decay = 0.01f; }
        if (k == 3) { d.precision = GTR_MIXED_FP16; d.micro_batches = 2; }
        net n = idle(d, &second);
        EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, true, false), GTR_OK);
        CHECK(names_all(gtr_plan_text(n.t, BATCH), unreached, 4), "the plan does not tell");
        EXPECT_EQ(n_notes, 0);
        for (int i = 0; i < 120; i++) {
            if (k == 2 && i % 2) { EXPECT_EQ(gtr_backward(n.t), GTR_OK); EXPECT_EQ(gtr_update(n.t), GTR_OK); }
            else EXPECT_EQ(gtr_step(n.t), GTR_OK);
            CHECK(n_notes == (i < 99 ? 1 : 2), "case %d: %d warnings after step %d", k, n_notes, i + 1);
            if (n_notes != (i < 99 ? 1 : 2)) break;
        }
        CHECK(names_all(notes[0], unreached, 4) && quotes(notes[0]) == 4, "case %d: %s", k, notes[0]);
        CHECK(names_all(notes[1], dead, 2) && quotes(notes[1]) == 2, "case %d: %s", k, notes[1]);
        CHECK(strstr(gtr_plan_text(n.t, BATCH), "0 in all elements for 100 steps of: \"dead.weight\", \"dead.bias\""),
            "case %d: the plan does not tell", k);
        EXPECT_EQ(gtr_trainer_data(second, NULL, 0, false, false), GTR_OK);
        gtr_set(n.x, pool_x, sizeof *pool_x * WIDTH * 8);
        EXPECT_EQ(gtr_step(second), GTR_OK);
        EXPECT(n_notes == 3 && quotes(notes[2]) == 6);          /* what t's group holds, too */
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
    for (int k = 0; k < 3; k++) {                               /* in a fit, as lines of its progress, too */
        static char text[1 << 14];
        gtr_trainer_desc d = sgd(0.05f);
        gtr_trainer *second;
        gtr_fit_desc f = epochs(9);
        if (k == 1) d.optimizer = GTR_ADAMW;
        if (k == 2) d.momentum = 0.5f;
        net n = idle(d, &second);
        int ends[2], was = dup(2);
        f.silent = false;
        if (!CHECK(was >= 0 && !pipe(ends), "no pipe")) return;
        fflush(stderr);
        dup2(ends[1], 2);
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
        fflush(stderr);
        dup2(was, 2);
        close(ends[1]); close(was);
        const ssize_t got = read(ends[0], text, sizeof text - 1);
        close(ends[0]);
        text[got > 0 ? got : 0] = 0;
        const char *begin = strstr(text, "epoch 1/9"), *first = strstr(text, notes[0]), *late = strstr(text, notes[1]);
        CHECK(n_notes == 2 && begin && first && late && first < begin && late > begin && names_all(notes[1], dead, 2)
            && quotes(notes[1]) == 2, "case %d: %d warnings; %.300s", k, n_notes, text);
        gtr_destroy(n.ctx);
    }
}

static void all(void)
{
    RUN(shapes_of_rows);
    RUN(epochs_go_on);
    RUN(cut_short);
    RUN(starts_anew);
    RUN(errors_go_on);
    RUN(names);
    RUN(names_of_all);
    RUN(sixteen_columns);
    RUN(csv_names);
    RUN(rates_of_fits);
    RUN(frozen_statistics);
    RUN(called_inside);
    RUN(called_from_the_rate);
    RUN(first_line);
    RUN(kept_error);
    RUN(carried_rows);
    RUN(long_names);
    RUN(running_line);
    RUN(means_over_rows);
    RUN(piped_lines);
    RUN(logs);
    RUN(logs_go_on);
    RUN(log_once);
    RUN(bad_logs);
    RUN(others_files_stay);
    RUN(profiled_fit);
    RUN(refused_at_once);
    RUN(idle_parameters);
    RUN(fields_of_trainers);
    RUN(fields_of_fits);
    RUN(fields_of_layers);
    RUN(fields_of_data);
}
int main(int argc, char **argv)
{
    small = getenv("GTR_TEST_SMALL") != NULL;
    pool_fill();
    check_begin(argc, argv);
    name_logs();
    check_devices(all, &device);
    return check_done();
}
