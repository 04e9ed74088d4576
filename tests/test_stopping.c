/* Where a fit ends by itself and what it then leaves, training for so long, schedules against PyTorch's values
   (gen_schedules.py). Each proof runs on the CPU, and again on the GPU where there is one. */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include "check.h"
#include "device.h"
#include "schedules.h"

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
static void rates_are_pytorchs(void)
{
    int k, i;
    for (i = 0; i < SCHEDULE_STEPS; i++) ones[i] = 1;
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
        static const char *const want[] = { "decay_steps", "gamma", "one-cycle schedule has no warmup", "pct_start",
            "pct_start", "plateau_patience", "plateau schedule has no warmup", "enum", "threshold" };
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

static void all(void)
{
    RUN(rates_are_pytorchs);
    RUN(rates_beside);
}
int main(int argc, char **argv)
{
    small = getenv("GTR_TEST_SMALL") != NULL;
    check_begin(argc, argv);
    check_devices(all, &device);
    return check_done();
}
