/* A forecast with its doubts: a recurrent network (a GRU, K. Cho and others, 2014) reads 36 hours of a load, which the
   program makes, and says the next 12: their median and a band that holds four of five. It shows a cell that is called
   once a step, quantile losses, values standardised on their way in and back on their way out, and windows of a series.
     cc -O3 -march=native examples/13_forecast.c -o forecast -lm -pthread && ./forecast
   Done when, in the last fifth of the series, which training does not see, the median is off by at most 0.65 of what
   the same hour of the day before is, and the band holds 70 to 90 of 100 hours. */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HOURS = 24 * 7 * 12, PAST = 36, NEXT = 12, HIDDEN = 32, EPOCHS = 30, MOST = 600 };
#define TARGET 0.65

/* Days and weekends, and what lasts some hours of chance. */
static void make(float *load)
{
    unsigned s = 1;
    double chance = 0;
    int h, k;
    for (h = 0; h < HOURS; h++) {
        const double day = 6.2831853 * h / 24, weekend = h / 24 % 7 > 4;
        double drawn = 0;
        for (k = 0; k < 12; k++) { s = s * 1664525u + 1013904223u; drawn += (s >> 8) / 16777216.0 - 0.5; }
        chance = 0.8 * chance + 0.35 * drawn;
        load[h] = (float)(20 - 3 * weekend - (4 - 1.5 * weekend) * cos(day) + 1.5 * sin(2 * day) + chance);
    }
}
static void plot(const float *low, const float *middle, const float *high, const float *truth, int hours)
{
    int k, at;
    puts("hour   [ the band ]   o the median   * what came");
    for (k = 0; k < hours; k++) {
        char line[73];
        const float of[4] = { low[k], high[k], middle[k], truth[k] };
        memset(line, ' ', sizeof line);
        for (at = 0; at < 4; at++) {
            const int place = (int)((of[at] - 8) * 3.8f);
            line[place < 0 ? 0 : place > 71 ? 71 : place] = "[]o*"[at];
        }
        line[72] = 0;
        printf("%4d  %s\n", k, line);
    }
}

/* Prints two windows, one behind the other, and how far off the medians of all are; 0 if that is good enough.
   out: of each quantile, of rows windows; truth: the series from the first window on. */
static int judge(float (*out)[MOST * NEXT], const float *truth, int rows)
{
    static float of[4][2 * NEXT];
    const int hours = rows * NEXT;
    double off = 0, before = 0, inside = 0;
    int row, k, q;
    for (row = 0; row < rows; row++) for (k = 0; k < NEXT; k++) {
        const int at = row * NEXT + k, hour = row + PAST + k;
        off += fabs((double)(out[1][at] - truth[hour]));
        before += fabs((double)(truth[hour - 24] - truth[hour]));
        inside += out[0][at] <= truth[hour] && truth[hour] <= out[2][at];
    }
    for (row = 0; row < 2; row++) for (k = 0; k < NEXT; k++) {
        const int first = 100 + row * NEXT, hour = row * NEXT + k;
        for (q = 0; q < 3; q++) of[q][hour] = out[q][first * NEXT + k];
        of[3][hour] = truth[first + PAST + k];
    }
    plot(of[0], of[1], of[2], of[3], 2 * NEXT);
    printf("off by %.2f, the day before by %.2f: %.2f of it (at most %.2f); the band holds %.0f of 100\n", off / hours,
        before / hours, off / before, TARGET, 100 * inside / hours);
    return !(off <= TARGET * before) || inside < 0.7 * hours || inside > 0.9 * hours;
}

int main(void)
{
    static gtr_desc desc;                       /* all zero: the defaults */
    static gtr_arrays_desc arrays;
    static gtr_windows_desc windows;
    static gtr_trainer_desc how;
    static gtr_fit_desc fit;
    static gtr_predictor_desc wanted;
    static float load[HOURS], out[3][MOST * NEXT];
    static const float quantile[3] = { 0.1f, 0.5f, 0.9f };
    gtr_context *ctx = gtr_create(desc);
    gtr_dataset *past, *future, *train, *test;
    gtr_tensor *x, *y, *series, *h = NULL, *all, *loss = NULL;
    gtr_trainer *trainer;
    gtr_predictor *predictor;
    void *to[3];
    int rows, k, failed;

    make(load);
    arrays.rows = HOURS; arrays.column[0].data = load;
    past = gtr_dataset_arrays(ctx, arrays);
    future = gtr_dataset_split_last(past, 0.2f, -1);
    windows.history = PAST; windows.horizon = NEXT;
    train = gtr_dataset_windows(past, windows);
    test = gtr_dataset_windows(future, windows);

    x = gtr_input(ctx, "past", GTR_F32, gtr_shape3(GTR_BATCH, PAST, 1));
    y = gtr_input(ctx, "next", GTR_F32, gtr_shape2(GTR_BATCH, NEXT));
    series = gtr_standardise(x, "load", train, 0);
    for (k = 0; k < PAST; k++)                  /* steps of one name share its weights */
        h = gtr_gru_cell(gtr_reshape(gtr_slice(series, 1, k, k + 1), gtr_shape2(GTR_BATCH, 1)), h, "gru", HIDDEN);
    all = gtr_unstandardise(gtr_linear(h, "out", 3 * NEXT), "load");
    for (k = 0; k < 3; k++) {
        static gtr_loss_desc band;
        gtr_tensor *part = wanted.out[k] = gtr_slice(all, 1, k * NEXT, (k + 1) * NEXT);
        band.quantile = quantile[k];
        to[k] = out[k];
        part = gtr_quantile_ex(part, y, band);
        loss = k ? gtr_add(loss, part) : part;
    }
    how.optimizer = GTR_ADAM; how.lr = 5e-3f; how.schedule = GTR_COSINE;
    trainer = gtr_trainer_create(loss, how);
    fit.epochs = EPOCHS; fit.batch = 32; fit.validation = test;
    failed = gtr_fit(trainer, train, fit) != GTR_OK;

    wanted.max_rows = 64;
    predictor = gtr_predictor_create_ex(ctx, wanted);
    rows = (int)gtr_dataset_rows(test);
    failed |= rows > MOST || gtr_predict_dataset(predictor, test, to) != GTR_OK;
    if (!failed) failed = judge(out, load + HOURS - (rows + PAST + NEXT - 1), rows);
    if (gtr_error(ctx)) fprintf(stderr, "%s\n", gtr_error_text(ctx));
    gtr_destroy(ctx);
    return failed;
}
