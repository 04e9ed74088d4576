/* Handwritten digits: trains on 1438 images of 8x8 pixels, tests on 359, shows what came of it as
   text, and writes the model.
   It shows a data set from CSV, gtr_fit with validation, a metric and a schedule, the network's summary, Ctrl-C by
   gtr_stop, the history, a predictor, and saving. `make run` runs it; by hand:
     cc -O3 -march=native examples/02_digits.c -o digits -lm -pthread && ./digits examples/digits.csv model.safetensors
     nvcc -O3 -Xcompiler -march=native -DGPUTRAIN_CUDA examples/02_digits.c
     gputrain_cuda.cu -o digits
   Arguments: the CSV (examples/digits.csv) and where the model goes (build/digits.safetensors).
   Data: E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository, 1998,
   as scikit-learn packages it; licence CC BY 4.0. Every fifth sample is the test set. */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define TARGET 0.965
#define EPOCHS 12
#define BATCH  32
#define STEPS  (EPOCHS * 45)            /* 1438 rows are 45 batches of 32, the last one smaller */

static gtr_context *running;

/* Ctrl-C ends the training after the steps that are already queued; a second one ends the program. */
static void interrupted(int number)
{
    signal(number, SIG_DFL);
    gtr_stop(running);
}

/* The loss of each step, averaged into columns, on a logarithmic scale. */
static void draw_loss(const gtr_report *report, int steps)
{
    enum { WIDE = 72, HIGH = 12 };
    double column[WIDE], low = 1e30, high = -1e30, level;
    int row, c, i;
    if (steps < WIDE) return;
    for (c = 0; c < WIDE; c++) {
        int begin = (int)((long)steps * c / WIDE), end = (int)((long)steps * (c + 1) / WIDE);
        for (column[c] = 0, i = begin; i < end; i++) column[c] += report[i].loss;
        column[c] = log10(column[c] / (end - begin) + 1e-9);
        if (column[c] < low) low = column[c];
        if (column[c] > high) high = column[c];
    }
    printf("\nloss of %d steps, logarithmic\n", steps);
    for (row = 0; row < HIGH; row++) {
        level = high - (high - low) * row / (HIGH - 1);
        printf("%9.4f |", pow(10, level));
        for (c = 0; c < WIDE; c++)
            putchar((int)((high - column[c]) / (high - low + 1e-12) * (HIGH - 1) + 0.5) == row ? '*' : ' ');
        putchar('\n');
    }
    printf("          +");
    for (c = 0; c < WIDE; c++) putchar('-');
    putchar('\n');
}

/* n images side by side, with what each is and what the network says. */
static void draw_digits(gtr_dataset *data, const int *index, const int *says, int n)
{
    int i, x, y;
    for (y = 0; y < 8; y++) {
        for (i = 0; i < n; i++) {
            const float *pixel = (const float *)gtr_dataset_row(data, 0, index[i]);
            printf("  ");
            for (x = 0; x < 8; x++) {
                char ink = " .:-=+*#@"[(int)(pixel[8 * y + x] * 8 + 0.5f)];
                putchar(ink);
                putchar(ink);
            }
        }
        putchar('\n');
    }
    for (i = 0; i < n; i++) {
        int is = *(const int32_t *)gtr_dataset_row(data, 1, index[i]);
        printf("   is %d, says %d %s", is, says[i], is == says[i] ? "  " : "!!");
    }
    printf("\n\n");
}

/* Asks the network about each test image, one at a time as an application would. Returns the share of right answers. */
static double report(gtr_tensor *logits, gtr_dataset *test)
{
    int confusion[10][10], shown[4], shown_says[4], wrong[4], wrong_says[4], n_shown = 0, n_wrong = 0,
        right = 0, is, says, i, k;
    int rows = (int)gtr_dataset_rows(test);
    gtr_predictor *p = gtr_predictor_create(logits, 1);
    if (!p || rows < 1) return 0;
    memset(confusion, 0, sizeof confusion);
    for (i = 0; i < rows; i++) {
        float score[10];
        if (gtr_predict(p, gtr_dataset_row(test, 0, i), 1, score)) break;
        is = *(const int32_t *)gtr_dataset_row(test, 1, i);
        for (says = 0, k = 1; k < 10; k++) if (score[k] > score[says]) says = k;
        confusion[is][says]++;
        right += is == says;
        if (is == says && is == 3 * n_shown % 10 && n_shown < 4) { shown[n_shown] = i; shown_says[n_shown++] = says; }
        if (is != says && n_wrong < 4) { wrong[n_wrong] = i; wrong_says[n_wrong++] = says; }
    }
    gtr_predictor_destroy(p);

    printf("\n%d test images: rows are what they are, columns what the network says\n     ", rows);
    for (k = 0; k < 10; k++) printf("%5d", k);
    putchar('\n');
    for (is = 0; is < 10; is++) {
        printf("%5d", is);
        for (k = 0; k < 10; k++) if (confusion[is][k]) printf("%5d", confusion[is][k]); else printf("    .");
        putchar('\n');
    }
    putchar('\n');
    draw_digits(test, shown, shown_says, n_shown);
    if (n_wrong) printf("misread:\n");
    draw_digits(test, wrong, wrong_says, n_wrong);
    return (double)right / rows;
}

int main(int argc, char **argv)
{
    static gtr_report history[STEPS];
    static gtr_desc desc;                       /* all zero: the defaults */
    static gtr_csv_desc csv;
    static gtr_trainer_desc how;
    static gtr_fit_desc fit;
    const char *data = argc > 1 ? argv[1] : "examples/digits.csv",
        *model = argc > 2 ? argv[2] : "build/digits.safetensors";
    gtr_context *ctx = running = gtr_create(desc);
    gtr_dataset *train, *test;
    gtr_tensor *x, *y, *h, *logits;
    gtr_trainer *trainer;
    double accuracy = 0;
    int steps = 0, failed;

    printf("%s\ntraining; Ctrl-C ends it early and keeps what is learned\n", gtr_device_text(ctx));
    fflush(stdout);
    csv.scale = 1.0f / 16;                      /* 0..16 become 0..1 */
    train = gtr_dataset_csv(ctx, data, csv);
    test = gtr_dataset_split(train, 5);

    x = gtr_input(ctx, "image", GTR_F32, gtr_shape2(GTR_BATCH, 64));
    y = gtr_input(ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH));
    h = gtr_relu(gtr_linear(x, "fc1", 256));
    h = gtr_dropout(h, "drop", 0.3f);
    h = gtr_relu(gtr_linear(h, "fc2", 128));
    logits = gtr_linear(h, "fc3", 10);
    printf("%s\n", gtr_summary_text(logits));

    how.optimizer = GTR_ADAMW;
    how.lr = 8e-3f;
    how.schedule = GTR_COSINE;
    how.warmup_steps = STEPS / 20;              /* and as long as the fit in all */
    trainer = gtr_trainer_create(gtr_cross_entropy(logits, y), how);

    fit.epochs = EPOCHS;
    fit.batch = BATCH;
    fit.validation = test;
    fit.metric = gtr_accuracy(logits, y);
    fit.history = history;
    fit.history_size = STEPS;
    signal(SIGINT, interrupted);
    gtr_fit(trainer, train, fit);
    signal(SIGINT, SIG_DFL);

    if (!gtr_error(ctx)) {
        if (gtr_stopped(ctx)) printf("stopped; here is what it learned so far\n");
        while (steps < STEPS && history[steps].step) steps++;
        draw_loss(history, steps);
        accuracy = report(logits, test);
        if (!gtr_save(ctx, model)) printf("model written to %s\n", model);
    }
    failed = gtr_error(ctx) != GTR_OK;
    if (failed) fprintf(stderr, "%s: %s\n", gtr_result_text(gtr_error(ctx)), gtr_error_text(ctx));
    gtr_destroy(ctx);
    printf("digits test accuracy %.4f\n", accuracy);
    return failed || accuracy < TARGET;
}
