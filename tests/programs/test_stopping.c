/* Where a fit ends by itself and what it then leaves, training for so long, schedules against PyTorch's values
   (gen_schedules.py). Each proof runs on the CPU, and again on the GPU where there is one. */
#include "private.h"
#include "check.h"
#include <pthread.h>
#include <unistd.h>
#include "device.h"
#include "stack.h"
#include "points.h"
#include "../tables/schedules.h"

/* One weight: it follows what it is given; a step's gradient is the mean of the batch's x. */
typedef struct line { gtr_context *ctx; gtr_tensor *x, *w, *loss; gtr_trainer *t; gtr_dataset *data; } line;
static line line_of(gtr_trainer_desc d, const float *x, int rows)
{
    line n;
    gtr_arrays_desc a;
    gtr_init zero;
    memset(&zero, 0, sizeof zero);
    memset(&a, 0, sizeof a);
    a.rows = rows; a.column[0].data = x; a.column[0].shape = gtr_shape1(1);
    n.ctx = gtr_create(desc0());
    n.x = gtr_input(n.ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 1));
    n.w = gtr_parameter(n.ctx, "w", gtr_shape2(1, 1), zero);
    n.loss = gtr_mean(gtr_matmul(n.x, n.w), NULL, 0, false);
    n.t = gtr_trainer_create(n.loss, d);
    n.data = gtr_dataset_arrays(n.ctx, a);
    return n;
}
static gtr_trainer_desc desc_of(int k)
{
    gtr_trainer_desc d;
    memset(&d, 0, sizeof d);
    d.lr = 0.1f;
    d.schedule = schedules[k].schedule;
    d.total_steps = (int64_t)schedules[k].total_steps; d.decay_steps = (int64_t)schedules[k].decay_steps;
    d.gamma = (float)schedules[k].gamma; d.min_lr = (float)schedules[k].min_lr;
    d.start_factor = (float)schedules[k].start_factor; d.end_factor = (float)schedules[k].end_factor;
    d.pct_start = (float)schedules[k].pct_start; d.div_factor = (float)schedules[k].div_factor;
    d.final_div_factor = (float)schedules[k].final_div_factor;
    d.anneal_linear = schedules[k].anneal_linear != 0; d.three_phase = schedules[k].three_phase != 0;
    d.plateau_patience = (int)schedules[k].plateau_patience; d.plateau_cooldown = (int)schedules[k].plateau_cooldown;
    d.threshold = (float)schedules[k].threshold; d.threshold_absolute = schedules[k].threshold_absolute != 0;
    return d;
}
static float ones[SCHEDULE_STEPS];
static gtr_fit_desc fit_of(int epochs, int batch)
{
    gtr_fit_desc f;
    memset(&f, 0, sizeof f);
    f.epochs = epochs; f.batch = batch; f.no_shuffle = true; f.silent = true;
    return f;
}
/* A set of rows whose loss is far below the training set's. */
static gtr_dataset *line_far(const line *n)
{
    static const float x[2] = { 1000, 1000 };
    gtr_arrays_desc a;
    memset(&a, 0, sizeof a);
    a.rows = 2; a.column[0].data = x; a.column[0].shape = gtr_shape1(1);
    return gtr_dataset_arrays(n->ctx, a);
}
/* A fit that goes on by another value, of another set, or the first to go by one: epochs are numbered as before. Of a
   value that is none there is no best. */
static void goes_on_by_another(void)
{
    const char *path = check_path("checkpoint");
    int k, i;
    for (k = 0; k < 4; k++) for (i = 0; i < (k == 3 ? 1 : 2); i++) {
        gtr_trainer_desc d;
        memset(&d, 0, sizeof d);
        d.lr = 0.1f;
        line n = line_of(d, ones, 8);
        gtr_fit_desc f = fit_of(i ? 5 : 2, 4);
        f.checkpoint = path; f.resume = i; f.restore_best = k || i; f.patience = f.restore_best ? 9 : 0;
        if (i && k == 1) { f.monitor = GTR_METRIC_TENSOR; f.metric = n.loss; f.monitor_least = true; }
        if (!i && k == 2) f.validation = line_far(&n);
        if (k == 3) { f.monitor = GTR_METRIC_TENSOR; f.metric = gtr_log(gtr_scale(n.loss, 0, -1)); }
        EXPECT_EQ(gtr_fit(n.t, n.data, f), k == 3 ? GTR_ERR_NONFINITE : GTR_OK);
        if (k == 3) EXPECT_ERROR(n.ctx, GTR_ERR_NONFINITE, "the metric \"log\" is NaN");
        const gtr_fit_end end = gtr_fit_ended(n.t);
        const int want = k == 3 || (!i && !k) ? 0 : f.epochs;
        CHECK(end.best_epoch == want, "case %d, fit %d: best in epoch %d, want %d", k, i, end.best_epoch, want);
        CHECK((end.best == end.best) == (want > 0), "case %d, fit %d: best is %g", k, i, (double)end.best);
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
    unlink(path);
}
static void rates_are_pytorchs(void)
{
    int k, i;
    for (k = 0; k < (int)(sizeof schedules / sizeof *schedules); k++) {
        gtr_report report[SCHEDULE_STEPS];
        line n = line_of(desc_of(k), ones, SCHEDULE_STEPS);
        gtr_fit_desc f = fit_of(1, 1);
        f.history = report; f.history_size = SCHEDULE_STEPS;
        memset(report, 0, sizeof report);
        if (schedules[k].schedule != GTR_PLATEAU) EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
        else for (i = 0; i < SCHEDULE_STEPS; i++) {
            EXPECT_EQ(gtr_trainer_plateau(n.t, evaluations[i], schedules[k].largest), GTR_OK);
            gtr_set(n.x, ones, sizeof *ones);
            EXPECT_EQ(gtr_step(n.t), GTR_OK);
            gtr_loss(n.t);
            report[i] = gtr_trainer_report(n.t);
        }
        for (i = 0; i < SCHEDULE_STEPS; i++) {
            const double want = schedules[k].rate[i], got = (double)report[i].lr;
            CHECK(fabs(got - want) <= 1e-6 * want, "schedule %d, step %d: rate %.9g, want %.9g", k, i, got, want);
        }
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
}
/* A fit's own length, warm-up, gtr_trainer_lr, and what is refused. */
static void rates_beside(void)
{
    gtr_report report[SCHEDULE_STEPS];
    gtr_trainer_desc d;
    gtr_fit_desc f = fit_of(1, 1);
    line n;
    int i, k;
    f.history = report; f.history_size = SCHEDULE_STEPS;
    memset(&d, 0, sizeof d);
    d.lr = 0.1f; d.schedule = GTR_LINEAR; d.start_factor = 1; d.end_factor = GTR_ZERO; d.warmup_steps = 8;
    n = line_of(d, ones, SCHEDULE_STEPS);
    for (k = 0; k < 2; k++) {
        EXPECT_EQ(gtr_trainer_lr(n.t, k ? 0.2f : 0.1f), GTR_OK);
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
        for (i = 0; i < SCHEDULE_STEPS; i++) {
            const double want = (k ? 0.2 : 0.1) * (i < 8 ? (i + 1) / 8.0 : 1 - (i - 8) / 32.0);
            CHECK(fabs((double)report[i].lr - want) < 1e-7, "fit %d, step %d: rate %g, want %g", k, i,
                (double)report[i].lr, want);
        }
    }
    gtr_set(n.x, ones, sizeof *ones);
    EXPECT_EQ(gtr_step(n.t), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "total_steps");
    EXPECT_EQ(gtr_trainer_plateau(n.t, 1, false), GTR_ERR_STATE);
    EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "linear");
    EXPECT_EQ(gtr_trainer_plateau(NULL, 1, false), GTR_ERR_ARG);
    for (i = 0; i < 9; i++) {
        static const char *const want[] = { "decay_steps", "gamma", ".warmup_steps is given, but not read", "pct_start",
            "pct_start", "plateau_patience", ".warmup_steps is given", "no gtr_schedule", "threshold" };
        memset(&d, 0, sizeof d);
        d.schedule = i < 2 ? (gtr_schedule)(GTR_STEP_DECAY + i) : i < 5 ? GTR_ONE_CYCLE : GTR_PLATEAU;
        d.warmup_steps = i == 2 || i == 6;
        d.pct_start = i == 3 ? 1.5f : i == 4 ? 0.6f : 0;
        d.three_phase = i == 4;
        d.plateau_patience = i == 5 ? -2 : 0;
        if (i == 7) d.schedule = (gtr_schedule)(GTR_PLATEAU + 1);
        d.threshold = i == 8 ? -1 : 0;
        EXPECT(!gtr_trainer_create(n.loss, d));
        EXPECT_ERROR(n.ctx, GTR_ERR_ARG, want[i]);
    }
    gtr_destroy(n.ctx);
}

/* One step an epoch, of loss (w - 1)^2 from w = 0: a rate multiplies the distance to 1 by 1 - 2 lr. */
static const float falls[] = { 0.5f, 0.5f, -1.5f, -1.5f, 0.5f, -1.5f, -1.5f, -1.5f, 0.25f };
static float rate_of_fall(int64_t step, void *user) { (void)user; return (1 - falls[step]) / 2; }
typedef struct seen { int calls, wait, best_epoch; float best; } seen;
static bool watch(const gtr_progress *p)
{
    seen *s = (seen *)p->user;
    s->calls++; s->wait = p->wait; s->best_epoch = p->best_epoch; s->best = p->best;
    return true;
}
static bool twice(const gtr_progress *p) { return p->epoch < 2; }
static void ends_by_itself(void)
{
    static const struct {
        int epochs, patience; float delta; int monitor; bool least, validation, restore;
        gtr_end why; int steps, best_epoch; double w;
    } table[] = {
        { 9, 0, 0, 0, false, true, false, GTR_END_EPOCHS, 9, 9, 1 + 0.25 * 1.5 * 1.5 * 0.5 * 1.5 * 1.5 * 1.5 * 0.25 },
        { 9, 0, 0, 0, false, true, true, GTR_END_EPOCHS, 9, 9, 1 + 0.25 * 1.5 * 1.5 * 0.5 * 1.5 * 1.5 * 1.5 * 0.25 },
        { 9, 3, 0, 0, false, true, false, GTR_END_PATIENCE, 5, 2, 1 - 0.25 * 1.5 * 1.5 * 0.5 },
        { 9, 3, 0, 0, false, true, true, GTR_END_PATIENCE, 5, 2, 0.75 },
        { 9, 6, 0, 0, false, true, true, GTR_END_PATIENCE, 8, 2, 0.75 },
        { 9, 3, 0.2f, 0, false, true, true, GTR_END_PATIENCE, 4, 1, 0.5 },
        { 9, 3, 0, 1, false, true, true, GTR_END_PATIENCE, 5, 2, 0.75 },
        { 9, 3, 0, 2, true, true, true, GTR_END_PATIENCE, 5, 2, 0.75 },
        { 9, 3, 0, 2, false, true, true, GTR_END_EPOCHS, 9, 8, 1 + 0.25 * 1.5 * 1.5 * 0.5 * 1.5 * 1.5 * 1.5 },
        /* without a validation set: an epoch's training, whose loss is that in front of the step */
        { 9, 3, 0, 0, false, false, true, GTR_END_PATIENCE, 6, 3, 1 + 0.25 * 1.5 } };
    for (int k = 0; k < (int)(sizeof table / sizeof *table); k++) {
        gtr_trainer_desc d;
        gtr_fit_desc f = fit_of(table[k].epochs, 1);
        seen s;
        gtr_float w = 0;
        memset(&d, 0, sizeof d); memset(&s, 0, sizeof s);
        d.lr = 1; d.schedule = GTR_CUSTOM_SCHEDULE; d.lr_fn = rate_of_fall;
        line n = line_of(d, ones, 1);
        gtr_tensor *loss = gtr_mean(gtr_square(gtr_scale(gtr_matmul(n.x, n.w), 1, -1)), NULL, 0, false);
        n.t = gtr_trainer_create(loss, d);
        f.patience = table[k].patience; f.min_delta = table[k].delta; f.restore_best = table[k].restore;
        f.monitor = table[k].monitor ? GTR_METRIC_TENSOR : GTR_METRIC_LOSS; f.monitor_least = table[k].least;
        f.metric = table[k].monitor == 1 ? gtr_neg(loss) : table[k].monitor ? gtr_scale(loss, 2, 0) : NULL;
        f.validation = table[k].validation ? n.data : NULL;
        f.callback = watch; f.callback_user = &s;
        EXPECT_EQ(gtr_fit_ended(n.t).why, GTR_END_NONE);
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
        const gtr_fit_end end = gtr_fit_ended(n.t);
        gtr_get(n.w, &w, sizeof w);
        CHECK(end.why == table[k].why && end.steps == table[k].steps, "fit %d ended after %d steps, as %s", k,
            (int)end.steps, gtr_end_text(end.why));
        CHECK(end.best_epoch == s.best_epoch && end.best == s.best && end.restored == table[k].restore
            && end.seconds > 0, "fit %d: epoch %d (%g) is best, its callback has %d (%g)", k, end.best_epoch,
            (double)end.best, s.best_epoch, (double)s.best);
        EXPECT_EQ(end.best_epoch, table[k].best_epoch);
        EXPECT_EQ(s.calls, table[k].steps);
        EXPECT_EQ(s.wait, table[k].steps - end.best_epoch);
        CHECK(fabs((double)w - table[k].w) < 1e-5, "fit %d leaves %g, want %g", k, (double)w, table[k].w);
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
}
/* Why other fits end, what is refused, and values that are not finite, which are never better. */
static void other_ends(void)
{
    gtr_trainer_desc d;
    gtr_fit_desc f = fit_of(5, 1);
    memset(&d, 0, sizeof d);
    d.lr = 0.1f;
    line n = line_of(d, ones, 1);
    f.callback = twice;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
    EXPECT_EQ(gtr_fit_ended(n.t).why, GTR_END_CALLBACK);
    EXPECT_EQ(gtr_fit_ended(n.t).steps, 2);
    f.callback = NULL;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
    EXPECT_EQ(gtr_fit_ended(n.t).why, GTR_END_EPOCHS);
    f.monitor = GTR_METRIC_TENSOR; f.patience = 2; f.restore_best = true;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "monitor is metric, and .metric is NULL");
    f.metric = gtr_log(gtr_scale(n.loss, 0, -1));                   /* NaN */
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_ERR_NONFINITE);
    EXPECT_ERROR(n.ctx, GTR_ERR_NONFINITE, "epoch 1: the metric \"log\" is NaN");
    EXPECT_EQ(gtr_fit_ended(n.t).why, GTR_END_ERROR);
    EXPECT(gtr_fit_ended(n.t).best_epoch == 0 && !gtr_fit_ended(n.t).restored && gtr_fit_ended(n.t).steps == 1);
    for (int i = 0; i < 5; i++) {
        static const char *const of[] = { "patience is -1", "min_delta is -1", "min_delta is ", "seconds is -1",
            ".monitor is no gtr_metric" };
        gtr_fit_desc g = fit_of(2, 1);
        g.patience = -(i == 0); g.min_delta = i == 1 ? -1 : i == 2 ? NAN : 0;
        g.seconds = i == 3 ? -1 : 0; g.monitor = i == 4 ? GTR_METRIC_COUNT : GTR_METRIC_LOSS;
        EXPECT_EQ(gtr_fit(n.t, n.data, g), GTR_ERR_ARG);
        EXPECT_ERROR(n.ctx, GTR_ERR_ARG, of[i]);
    }
    f = fit_of(4, 1);
    f.seconds = 1e-9;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
    EXPECT_EQ(gtr_fit_ended(n.t).why, GTR_END_SECONDS);
    EXPECT_EQ(gtr_fit_ended(n.t).steps, 0);
    f.seconds = 1e9;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
    EXPECT_EQ(gtr_fit_ended(n.t).why, GTR_END_EPOCHS);
    EXPECT_EQ(gtr_fit_ended(NULL).why, GTR_END_NONE);
    EXPECT(!strcmp(gtr_end_text((gtr_end)99), ""));
    gtr_destroy(n.ctx);
}
/* A network whose rate grows until its loss does: with all that evaluations read. */
typedef struct net { gtr_context *ctx; gtr_tensor *x, *loss; gtr_trainer *t; gtr_dataset *data, *held; } net;
static float grows(int64_t step, void *user) { (void)user; return step < 26 ? 0.05f : 3; }
static net net_of(float ema, gtr_precision precision)
{
    net n;
    gtr_trainer_desc d;
    memset(&d, 0, sizeof d);
    n.ctx = gtr_create(desc0());
    n.x = gtr_input(n.ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
    gtr_tensor *y = gtr_input(n.ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    gtr_tensor *h = gtr_relu(gtr_batch_norm(gtr_linear(n.x, "fc1", 24), "norm"));
    n.loss = gtr_cross_entropy(gtr_linear(h, "fc2", CLASSES), y);
    d.lr = 1; d.schedule = GTR_CUSTOM_SCHEDULE; d.lr_fn = grows; d.ema = ema; d.precision = precision;
    n.t = gtr_trainer_create(n.loss, d);
    n.data = points(n.ctx, 208);
    n.held = gtr_dataset_split(n.data, 2);
    return n;
}
static int differing(const net *a, const net *b, int averages)
{
    static unsigned char p[1 << 12], q[1 << 12];
    int bad = 0;
    for (int64_t i = 0; i < gtr_parameter_count(a->ctx); i++) {
        gtr_tensor *u = gtr_parameter_at(a->ctx, i), *v = gtr_parameter_at(b->ctx, i);
        if (gtr_get(u, p, gtr__bytes_of(u)) || gtr_get(v, q, gtr__bytes_of(v))) bad += 100;
        bad += memcmp(p, q, gtr__bytes_of(u)) != 0;
        if (!averages || !gtr_parameter_trainable(u)) continue;
        if (gtr_state_get(a->t, u, 0, p, gtr__bytes_of(u)) || gtr_state_get(b->t, v, 0, q, gtr__bytes_of(u)))
            bad += 100;
        bad += memcmp(p, q, gtr__bytes_of(u)) != 0;
    }
    return bad;
}
static void best_is_back(void)
{
    for (int k = 0; k < (few() ? 1 : 3); k++) {
        const gtr_precision precision = k == 2 ? GTR_MIXED_BF16 : GTR_FP32;
        net n = net_of(k == 1 ? 0.5f : 0, precision), m = net_of(k == 1 ? 0.5f : 0, precision);
        gtr_fit_desc f = fit_of(20, 8);
        float before = 0, after = 0;
        if (!n.t) { SKIP("%s", gtr_error_text(n.ctx)); gtr_destroy(n.ctx); gtr_destroy(m.ctx); continue; }
        f.validation = n.held; f.patience = 4; f.restore_best = true;
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
        const gtr_fit_end end = gtr_fit_ended(n.t);
        EXPECT_EQ(end.why, GTR_END_PATIENCE);
        CHECK(end.best_epoch > 0 && end.steps == 13 * (end.best_epoch + 4) && end.restored,
            "epoch %d of %d steps is best", end.best_epoch, (int)end.steps);
        gtr_evaluate(n.t, n.held, 104, NULL, &after, NULL);
        f = fit_of(end.best_epoch, 8);
        f.validation = m.held;
        EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_OK);
        gtr_evaluate(m.t, m.held, 104, NULL, &before, NULL);
        EXPECT_EQ(differing(&n, &m, k == 1), 0);
        CHECK(before == after && after == end.best, "the best loss was %g, is %g", (double)end.best, (double)after);
        EXPECT_OK(n.ctx); EXPECT_OK(m.ctx);
        gtr_destroy(n.ctx); gtr_destroy(m.ctx);
    }
}
/* So many steps in all, of which a call does as many as fit; on the CPU a step takes 5 ms at least. */
static gtr_result slowly(const gtr_custom_call *c)
{
    const double end = gtr__now() + 5e-3;
    memcpy(c->out, c->in[0], sizeof(gtr_float) * (size_t)gtr__count(&c->out_shape));
    while (gtr__now() < end) {}
    return GTR_OK;
}
static gtr_result passed_on(const gtr_custom_call *c)
{
    memcpy(c->din[0], c->dout, sizeof(gtr_float) * (size_t)gtr__count(&c->out_shape));
    return GTR_OK;
}
static void for_so_long(void)
{
    net n = net_of(0, GTR_FP32), m = net_of(0, GTR_FP32);
    int64_t steps = 0, calls = 0;
    EXPECT_EQ(gtr_trainer_data(n.t, n.data, 8, true, false), GTR_OK);
    EXPECT_EQ(gtr_trainer_data(m.t, m.data, 8, true, false), GTR_OK);
    EXPECT_EQ(gtr_train_for(n.t, 0), GTR_OK);
    EXPECT_EQ(gtr_train_for(n.t, -3), GTR_OK);
    EXPECT_EQ(gtr_trainer_report(n.t).step, 0);
    for (; steps < 20 && calls < 40; calls++) {         /* at least a step a call */
        EXPECT_EQ(gtr_train_for(n.t, calls % 2 ? 0.2 : 1e-6), GTR_OK);
        CHECK(gtr_trainer_report(n.t).step > steps, "a call of %g ms did nothing", calls % 2 ? 0.2 : 1e-6);
        if (calls % 2 == 0) EXPECT_EQ(gtr_trainer_report(n.t).step, steps + 1);
        steps = gtr_trainer_report(n.t).step;
    }
    EXPECT(n.t->pace > 0 && n.t->runner->launched == n.t->runner->shared->launches);    /* kept; none is queued */
    for (int64_t i = 0; i < steps; i++) EXPECT_EQ(gtr_step(m.t), GTR_OK);
    gtr_wait(m.ctx);
    EXPECT_EQ(differing(&n, &m, 0), 0);
    EXPECT_EQ(gtr_train_for(n.t, NAN), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "milliseconds");
    EXPECT_EQ(gtr_train_for(NULL, 1), GTR_ERR_ARG);
    EXPECT_OK(n.ctx); EXPECT_OK(m.ctx);
    gtr_destroy(n.ctx); gtr_destroy(m.ctx);
    if (device == GTR_DEVICE_CUDA) return;
    for (int k = 0; k < 2; k++) {
        gtr_trainer_desc d;
        gtr_custom_desc c;
        gtr_fit_desc f = fit_of(1000, 1);
        memset(&d, 0, sizeof d); memset(&c, 0, sizeof c);
        d.lr = 1e-6f;
        line l = line_of(d, ones, 3);
        c.name = "slow"; c.n_in = 1; c.in[0] = gtr_matmul(l.x, l.w); c.forward = slowly; c.backward = passed_on;
        l.t = gtr_trainer_create(gtr_mean(gtr_custom(l.ctx, c), NULL, 0, false), d);
        f.seconds = 0.02;
        if (k) EXPECT_EQ(gtr_fit(l.t, l.data, f), GTR_OK);
        else {
            EXPECT_EQ(gtr_trainer_data(l.t, l.data, 1, true, false), GTR_OK);
            EXPECT_EQ(gtr_train_for(l.t, 20), GTR_OK);
        }
        const int64_t done = gtr_trainer_report(l.t).step;
        CHECK(done <= 5 && (k || done >= 1), "%d steps of 5 ms in 20", (int)done);
        if (!k) {                       /* the second would not be done in time */
            EXPECT_EQ(gtr_train_for(l.t, 7), GTR_OK);
            EXPECT_EQ(gtr_trainer_report(l.t).step, done + 1);
        } else EXPECT(gtr_fit_ended(l.t).why == GTR_END_SECONDS && gtr_fit_ended(l.t).steps == done);
        EXPECT_OK(l.ctx);
        gtr_destroy(l.ctx);
    }
}
/* A plateau in a fit goes by what the fit monitors. */
static void plateau_of_a_fit(void)
{
    gtr_trainer_desc d;
    gtr_report report[12];
    gtr_fit_desc f = fit_of(12, 1);
    memset(&d, 0, sizeof d);
    d.lr = 0.5f; d.schedule = GTR_PLATEAU; d.plateau_patience = 1; d.min_lr = 0.01f;
    line n = line_of(d, ones, 1);
    n.t = gtr_trainer_create(gtr_scale(n.loss, 0, 1), d);       /* always 1 */
    f.validation = n.data; f.history = report; f.history_size = 12;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
    for (int i = 0; i < 12; i++) {
        const double want = i < 3 ? 0.5 : i < 5 ? 0.05 : 0.01;
        CHECK(fabs((double)report[i].lr - want) < 1e-7, "epoch %d: rate %g, want %g", i + 1, (double)report[i].lr,
            want);
    }
    EXPECT_OK(n.ctx);
    gtr_destroy(n.ctx);
}

/* What is not finite is named: the data set's row and column, an input's row; else what may help. */
static char logged[1200];
static int warnings;
static void logger(gtr_level level, const char *text, void *user)
{
    (void)user;
    warnings += level == GTR_LOG_WARNING;
    snprintf(logged, sizeof logged, "%s", text);
}
static void not_finite(void)
{
    static gtr_float x[40 * WIDTH];
    static int32_t y[40];
    for (int k = 0; k < 3; k++) {
        net n = net_of(0, k == 2 ? GTR_MIXED_FP16 : GTR_FP32);
        gtr_arrays_desc a;
        gtr_fit_desc f = fit_of(40, 8);
        memset(&a, 0, sizeof a);
        memcpy(x, pool_x, sizeof x); memcpy(y, pool_y, sizeof y);
        x[29 * WIDTH + 4] = k ? INFINITY : NAN;
        a.rows = 40;
        a.column[0].data = x; a.column[0].shape = gtr_shape1(WIDTH); a.column[0].name = k ? "x" : NULL;
        a.column[1].data = y; a.column[1].dtype = GTR_I32; a.column[1].name = k ? "y" : NULL;
        gtr_dataset *bad = gtr_dataset_arrays(n.ctx, a);
        f.no_shuffle = k == 0;
        n.ctx->desc.log = logger;
        warnings = 0;
        EXPECT_EQ(gtr_fit(n.t, bad, f), k == 2 ? GTR_OK : GTR_ERR_NONFINITE);
        const char *want = "the input \"x\", data set \"gtr_dataset_arrays\", row 29, column 0, element 4, is not "
            "finite";
        if (k < 2) EXPECT_ERROR(n.ctx, GTR_ERR_NONFINITE, want);
        else CHECK(warnings == 1 && strstr(logged, want) && strstr(logged, "was skipped"), "%d: %s", warnings, logged);
        gtr_trainer_data(n.t, NULL, 0, false, false);
        gtr_set(n.x, x + 24 * WIDTH, (size_t)(16 * WIDTH) * sizeof *x);
        gtr_set(n.t->feeding.input[1], y, 16 * sizeof *y);
        gtr_step(n.t);
        gtr_wait(n.ctx);
        if (k < 2) EXPECT_ERROR(n.ctx, GTR_ERR_NONFINITE, "the input \"x\" (16, 6), row 5, element 4, is not finite");
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
    for (int k = 0; k < 4; k++) {               /* -log(w) of a w that grows, from what it first is */
        gtr_trainer_desc d;
        gtr_fit_desc f = fit_of(60, 8);
        memset(&d, 0, sizeof d);
        d.lr = 0.25f; d.clip_norm = k == 1 ? 50 : 0; d.precision = k == 3 ? GTR_MIXED_FP16 : GTR_FP32;
        line n = line_of(d, ones, 8);
        const gtr_float w = k == 2 ? -1 : 1;
        gtr_set(n.w, &w, sizeof w);
        n.ctx->desc.log = logger;
        warnings = 0;
        n.t = gtr_trainer_create(gtr_mean(gtr_log(gtr_matmul(n.x, n.w)), NULL, 0, false), d);
        EXPECT_EQ(gtr_fit(n.t, n.data, f), k == 3 ? GTR_OK : GTR_ERR_NONFINITE);
        if (k == 0) EXPECT_ERROR(n.ctx, GTR_ERR_NONFINITE, "changed nothing; try a lower rate than 0.25, clip_norm");
        if (k == 1) EXPECT_ERROR(n.ctx, GTR_ERR_NONFINITE, "a clip_norm below 50");
        if (k == 2) EXPECT_ERROR(n.ctx, GTR_ERR_NONFINITE, "no update before it");
        if (k == 3) CHECK(warnings == 1 && strstr(logged, "instead of GTR_MIXED_FP16"), "%d: %s", warnings, logged);
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
}

/* A validation set that is not finite is named as training's is; so is a loss or metric that is NaN of finite rows. */
static void not_finite_held(void)
{
    static gtr_float x[40 * WIDTH];
    static int32_t y[40];
    for (int k = 0; k < 5; k++) {
        net n = net_of(0, GTR_FP32);
        gtr_arrays_desc a;
        gtr_fit_desc f = fit_of(3, 8);
        float loss = 0, value = 0;
        gtr_tensor *logits = n.loss->in[0], *acc = gtr_accuracy(logits, n.t->feeding.input[1]);
        memset(&a, 0, sizeof a);
        memcpy(x, pool_x, sizeof x); memcpy(y, pool_y, sizeof y);
        if (k < 3) x[29 * WIDTH + 4] = k == 1 ? INFINITY : NAN;
        a.rows = 40;
        a.column[0].data = x; a.column[0].shape = gtr_shape1(WIDTH);
        a.column[1].data = y; a.column[1].dtype = GTR_I32;
        gtr_dataset *bad = gtr_dataset_arrays(n.ctx, a);
        const char *want = "evaluation: the input \"x\", data set \"gtr_dataset_arrays\", row 29, column 0, element 4, "
            "is not finite";
        if (k == 3) f.metric = gtr_log(gtr_scale(n.loss, 0, -1));
        if (k == 4) f.metric = gtr_mean(gtr_log(gtr_scale(n.x, 0, 0)), NULL, 0, false);     /* -inf is a value */
        f.validation = bad; f.patience = k == 2 ? 9 : 0;
        EXPECT_EQ(gtr_fit(n.t, n.data, f), k < 4 ? GTR_ERR_NONFINITE : GTR_OK);
        if (k < 3) EXPECT_ERROR(n.ctx, GTR_ERR_NONFINITE, want);
        if (k == 3) EXPECT_ERROR(n.ctx, GTR_ERR_NONFINITE, "epoch 1: the metric \"log\" of gtr_dataset_arrays is NaN");
        EXPECT_EQ(gtr_trainer_report(n.t).step, k < 4 ? 13 : 39);
        if (k < 3) for (int batch = 7; batch < 60; batch += 33) {
            EXPECT_EQ(gtr_evaluate(n.t, bad, batch, acc, &loss, &value), GTR_ERR_NONFINITE);
            EXPECT_ERROR(n.ctx, GTR_ERR_NONFINITE, want);
        }
        EXPECT_EQ(gtr_evaluate(n.t, n.held, 7, acc, &loss, &value), GTR_OK);
        EXPECT(loss > 0 && value >= 0);
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
}

/* A stop that comes while a fit's kernels are compiled, or while it steps: the fit ends as stopped, in no error, and
   the next one goes on. gtr_trainer_prepare makes the step's plan first, and gtr_train_for is stopped like a fit. */
static int shows;
static void note_log(gtr_level level, const char *text, void *user) { (void)level; (void)text; (void)user; shows++; }
/* A thread: calls gtr_stop every 60 ms until the test sets has_stopped. A gtr_stop before gtr_fit, as it may come on a
   busy machine, stops nothing. */
static int has_stopped;
static void *stop_soon(void *ctx)
{
    while (!__atomic_load_n(&has_stopped, __ATOMIC_ACQUIRE)) { usleep(60000); gtr_stop((gtr_context *)ctx); }
    return NULL;
}
static void stopped_while_compiling(void)
{
    static float x[64 * 48];
    for (int k = 0; k < 4; k++) {
        gtr_desc d = desc0();
        gtr_trainer_desc how = desc_of(0);
        gtr_arrays_desc a;
        pthread_t thread;
        memset(&a, 0, sizeof a);
        for (int i = 0; i < 64 * 48; i++) x[i] = (float)(i % 17) / 17;
        a.rows = 64; a.column[0].data = x; a.column[0].shape = gtr_shape1(48);
        how.lr = 1e-7f;
        d.log = note_log; d.kernel_cache = "";
        gtr_context *ctx = gtr_create(d);
        gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 48)),
            *h = gtr_layer_norm(gtr_linear(in, "a", 40 + 8 * k), "n", 1, 0);
        h = k & 1 ? gtr_cumsum(gtr_silu(h), 1) : gtr_softmax(gtr_mish(h), 1);
        gtr_trainer *t = gtr_trainer_create(gtr_mean(gtr_square(gtr_linear(h, "b", 3 + k)), NULL, 0, false), how);
        gtr_dataset *set = gtr_dataset_arrays(ctx, a);
        has_stopped = 0;
        EXPECT(!pthread_create(&thread, NULL, stop_soon, ctx));
        if (k < 2) {
            EXPECT_EQ(gtr_fit(t, set, fit_of(1 << 20, 7)), GTR_OK);
            EXPECT_EQ(gtr_fit_ended(t).why, GTR_END_STOP);
        } else {
            EXPECT_EQ(gtr_trainer_data(t, set, 7, false, false), GTR_OK);
            EXPECT_EQ(gtr_train_for(t, 1e9), GTR_OK);
        }
        EXPECT(gtr_stopped(ctx));
        EXPECT_OK(ctx);
        __atomic_store_n(&has_stopped, 1, __ATOMIC_RELEASE);
        EXPECT(!pthread_join(thread, NULL));
        const int64_t before = gtr_trainer_report(t).step;
        EXPECT_EQ(gtr_trainer_prepare(t, 7), GTR_OK);
        EXPECT_EQ(gtr_trainer_report(t).step, before);
        EXPECT_EQ(gtr_fit(t, set, fit_of(1, 7)), GTR_OK);
        EXPECT(!gtr_stopped(ctx) && gtr_trainer_report(t).step > before);
        EXPECT_EQ(gtr_trainer_prepare(t, 0), GTR_ERR_ARG);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_trainer_prepare: a batch of 0, want 1 to 2^40");
        gtr_destroy(ctx);
    }
    EXPECT_EQ(gtr_trainer_prepare(NULL, 1), GTR_ERR_ARG);
}

/* Another thread's calls while one is in the context: refused, whatever they are, but for predictors' and gtr_stop; the
   thread's own, in its callback, and those of a thread that comes later, are not. */
typedef struct beside { line n; gtr_predictor *p; const char *path; int64_t seen; } beside;
static void *calls_beside(void *arg)
{
    beside *b = (beside *)arg;
    line *n = &b->n;
    float v[4] = { 1, 2, 3, 4 }, w = 0;
    const float x = 5;
    gtr_load_desc load;
    gtr_metrics_desc metrics;
    memset(&load, 0, sizeof load);
    memset(&metrics, 0, sizeof metrics);
    const gtr_result r[] = { gtr_set(n->x, v, sizeof v), gtr_set_device(n->x, v, sizeof v, NULL), gtr_eval(&n->loss, 1),
        gtr_eval_train(&n->loss, 1), gtr_get(n->w, &w, sizeof w), gtr_wait(n->ctx), gtr_step(n->t), gtr_backward(n->t),
        gtr_update(n->t), gtr_train_for(n->t, 1), gtr_trainer_data(n->t, n->data, 2, false, false),
        gtr_evaluate(n->t, n->data, 2, NULL, NULL, NULL), gtr_evaluate_metrics(n->t, n->data, metrics, NULL),
        gtr_fit(n->t, n->data, fit_of(1, 2)), gtr_save(n->ctx, b->path), gtr_load(n->ctx, b->path),
        gtr_load_ex(n->ctx, b->path, load), gtr_checkpoint_save(n->t, b->path), gtr_checkpoint_load(n->t, b->path),
        gtr_checkpoint_set(n->t, v, sizeof v), gtr_checkpoint_get(n->t, v, sizeof v), gtr_trainer_prepare(n->t, 2),
        gtr_gradient_get(n->t, n->w, &w, sizeof w), gtr_gradient_set(n->t, n->w, &w, sizeof w),
        gtr_state_get(n->t, n->w, 0, &w, sizeof w), gtr_state_set(n->t, n->w, 0, &w, sizeof w),
        gtr_parameters_blend(n->ctx, "w", "w", 0.5f), gtr_average_swap(n->t) };
    for (size_t i = 0; i < sizeof r / sizeof *r; i++)
        CHECK(r[i] == GTR_ERR_STATE, "call %d beside a fit: %s", (int)i, gtr_result_text(r[i]));
    EXPECT(isnan(gtr_loss(n->t)) && isnan(gtr_item(n->w)) && !gtr_save_bytes(n->ctx, (gtr_save_desc){ .names = NULL }));
    EXPECT(!gtr_checkpoint_bytes(n->t));
    EXPECT_EQ(gtr_predictor_refresh(b->p), GTR_OK);
    EXPECT_EQ(gtr_predict(b->p, &x, 1, &w), GTR_OK);
    return NULL;
}
static bool calls_of_a_callback(const gtr_progress *p)
{
    beside *b = (beside *)p->user;
    pthread_t thread;
    float w;
    EXPECT_EQ(gtr_get(b->n.w, &w, sizeof w), GTR_OK);
    EXPECT_EQ(gtr_save(b->n.ctx, b->path), GTR_OK);
    EXPECT_EQ(gtr_evaluate(b->n.t, b->n.data, 2, NULL, NULL, NULL), GTR_OK);
    EXPECT_OK(b->n.ctx);
    if (b->seen++) return true;
    const bool ran = !pthread_create(&thread, NULL, calls_beside, b) && !pthread_join(thread, NULL);
    EXPECT(ran);                /* now that the thread counts no more */
    return true;
}
static void *calls_later(void *arg)
{
    line *n = (line *)arg;
    float w;
    EXPECT_EQ(gtr_step(n->t), GTR_OK);
    EXPECT_EQ(gtr_get(n->w, &w, sizeof w), GTR_OK);
    return NULL;
}
static void two_threads(void)
{
    static const float x[4] = { 1, 2, 3, 4 };
    gtr_trainer_desc d;
    gtr_predictor_desc pd;
    char path[64];
    beside b;
    pthread_t thread;
    memset(&d, 0, sizeof d);
    memset(&pd, 0, sizeof pd);
    memset(&b, 0, sizeof b);
    snprintf(path, sizeof path, "%s", check_path("safetensors"));
    b.n = line_of(d, x, 4); b.path = path;
    pd.out[0] = gtr_matmul(b.n.x, b.n.w); pd.snapshot = true;
    b.p = gtr_predictor_create_ex(b.n.ctx, pd);
    EXPECT_OK(b.n.ctx);
    gtr_fit_desc f = fit_of(3, 2);
    f.callback = calls_of_a_callback; f.callback_user = &b;
    EXPECT_EQ(gtr_fit(b.n.t, b.n.data, f), GTR_OK);
    EXPECT_EQ(b.seen, 3);
    EXPECT_EQ(gtr_trainer_report(b.n.t).step, 6);
    EXPECT_ERROR(b.n.ctx, GTR_ERR_STATE, "while another thread was in gtr_");
    EXPECT_EQ(gtr_trainer_data(b.n.t, b.n.data, 2, false, false), GTR_OK);
    const bool ran = !pthread_create(&thread, NULL, calls_later, &b.n) && !pthread_join(thread, NULL);
    EXPECT(ran);
    EXPECT_EQ(gtr_step(b.n.t), GTR_OK);
    EXPECT_OK(b.n.ctx);
    gtr_predictor_destroy(b.p);
    gtr_destroy(b.n.ctx);
    unlink(path);
}

static void all(void)
{
    RUN(two_threads);
    RUN(stopped_while_compiling);
    RUN(not_finite);
    RUN(not_finite_held);
    RUN(ends_by_itself);
    RUN(other_ends);
    RUN(best_is_back);
    RUN(for_so_long);
    RUN(plateau_of_a_fit);
    RUN(goes_on_by_another);
    RUN(rates_are_pytorchs);
    RUN(rates_beside);
}
int main(int argc, char **argv)
{
    pool_fill();
    for (int i = 0; i < SCHEDULE_STEPS; i++) ones[i] = 1;
    small = getenv("GTR_TEST_SMALL") != NULL;
    check_begin(argc, argv);
    check_devices(all, &device);
    return check_done();
}
