/* Metrics of whole sets against scikit-learn's values (gen_metrics.py): by any batch, in a fit, as a table; and what is
   no score or label. Each proof runs on the CPU, and again on the GPU where there is one. */
#include "private.h"
#include "check.h"
#include "device.h"
#include "stack.h"
#include "../tables/metrics.h"
#include <sys/stat.h>

enum { CASES = sizeof metric_cases / sizeof *metric_cases, WANTED = sizeof metric_cases->want / sizeof(double) };
/* A metric that the table lacks does not compile. */
typedef char every_metric[WANTED == GTR_METRIC_COUNT - GTR_METRIC_ACCURACY ? 1 : -1];
/* A data set whose column "s" are the scores; what is trained beside them does not matter. */
typedef struct net {
    gtr_context *ctx; gtr_tensor *s, *y, *scores; gtr_trainer *t; gtr_dataset *data; gtr_metrics_desc d;
} net;
static net net_of(int k)
{
    static gtr_float s[4096], f[4096];
    static int32_t i32[4096];
    const int rows = metric_cases[k].rows, width = metric_cases[k].width, inner = metric_cases[k].inner,
        all = rows * width * inner, labels = metric_cases[k].kind == 0 ? rows * inner : all;
    const bool floats = metric_cases[k].floats != 0;
    gtr_trainer_desc how;
    gtr_arrays_desc a;
    net n;
    static gtr_float weight[4096];      /* a column that the loss alone reads */
    for (int i = 0; i < all; i++) s[i] = metric_scores[metric_cases[k].s + i];
    for (int i = 0; i < labels; i++) {
        f[i] = metric_labels[metric_cases[k].y + i]; i32[i] = (int32_t)f[i];
    }
    memset(&a, 0, sizeof a); memset(&how, 0, sizeof how); memset(&n, 0, sizeof n);
    a.rows = rows;
    a.column[0].data = s; a.column[0].shape = gtr_shape1(width * inner); a.column[0].name = "s";
    a.column[1].data = floats ? (const void *)f : i32; a.column[1].dtype = floats ? GTR_F32 : GTR_I32;
    a.column[1].shape = gtr_shape1(labels / rows); a.column[1].name = "y";
    if (k % 3 == 1) { a.column[2].data = weight; a.column[2].name = "w"; }
    n.ctx = gtr_create(desc0());
    n.s = gtr_input(n.ctx, "s", GTR_F32, inner > 1 ? gtr_shape3(GTR_BATCH, width, inner)
        : gtr_shape2(GTR_BATCH, width));
    n.y = gtr_input(n.ctx, "y", floats ? GTR_F32 : GTR_I32, metric_cases[k].kind == 0
        ? inner > 1 ? gtr_shape2(GTR_BATCH, inner) : gtr_shape1(GTR_BATCH) : gtr_tensor_shape(n.s));
    n.scores = k % 2 ? n.s : gtr_scale(n.s, 1, 0);
    n.data = gtr_dataset_arrays(n.ctx, a);
    gtr_tensor *h = gtr_linear(gtr_flatten(n.s), "fc", 1);
    if (k % 3 == 1) h = gtr_mul(h, gtr_input(n.ctx, "w", GTR_F32, gtr_shape2(GTR_BATCH, 1)));
    n.t = gtr_trainer_create(gtr_mean(h, NULL, 0, false), how);
    n.d.scores = n.scores; n.d.labels = n.y;
    n.d.binary = metric_cases[k].kind == 1; n.d.probabilities = metric_cases[k].probabilities != 0;
    n.d.threshold = metric_cases[k].threshold; n.d.top_k = metric_cases[k].top_k;
    n.d.ignore_index = metric_cases[k].ignore_index; n.d.ignore_zero = metric_cases[k].ignore_zero != 0;
    return n;
}
/* A class's figures by the confusion, which is scikit-learn's. */
static void each_class(const gtr_metrics *m, int64_t c, int k)
{
    const gtr_class_metrics *of = &m->of_class[c];
    int64_t row = 0, column = 0;
    for (int64_t i = 0; i < m->classes; i++) {
        row += m->confusion[c * m->classes + i]; column += m->confusion[i * m->classes + c];
    }
    const double hits = (double)m->confusion[c * m->classes + c], precision = column ? hits / (double)column : 0,
        recall = row ? hits / (double)row : 0, f1 = row + column ? 2 * hits / (double)(row + column) : 0;
    CHECK(of->support == row && fabs(of->precision - precision) < 1e-9 && fabs(of->recall - recall) < 1e-9
        && fabs(of->f1 - f1) < 1e-9, "case %d: class %lld has precision %g, recall %g and F1 %g, want %g, %g and %g", k,
        (long long)c, of->precision, of->recall, of->f1, precision, recall, f1);
}
static void as_scikit_learn(void)
{
    int several[3] = { 0 };     /* by kind: cases of several classes, labels or targets, each of several places */
    for (int k = 0; k < CASES; k++)
        several[metric_cases[k].kind] += metric_cases[k].width > 1 && metric_cases[k].inner > 1;
    for (int k = 0; k < 3; k++) CHECK(several[k] > 0, "tests/generate/gen_metrics.py: kind %d has no case of several "
        "places (inner) and a width above 1", k);
    for (int k = 0; k < CASES; k++) {
        static const int batches[] = { 0, 7, 1 };
        net n = net_of(k);
        gtr_metrics m, first;
        const int classes = metric_cases[k].kind == 0 ? metric_cases[k].width : metric_cases[k].width == 1 ? 2 : 0;
        memset(&first, 0, sizeof first);
        for (int b = 0; b < 3; b++) {
            n.d.batch = batches[b];
            EXPECT_EQ(gtr_evaluate_metrics(n.t, n.data, n.d, &m), GTR_OK);
            for (int i = 0; i < WANTED; i++) {
                const double want = metric_cases[k].want[i], got = m.value[GTR_METRIC_ACCURACY + i];
                CHECK(want != want ? got != got : fabs(got - want) <= 1e-6 * GTR__MAX(1, fabs(want)),
                    "case %d: %s is %.9g, want %.9g", k, gtr__metric_rows[GTR_METRIC_ACCURACY + i].name, got, want);
            }
            if (!b) first = m;
            CHECK(!memcmp(first.value, m.value, sizeof m.value), "case %d: batches of %d change the figures", k,
                batches[b]);
            CHECK((m.confusion != NULL) == (metric_cases[k].kind < 2 && classes > 0), "case %d: confusion", k);
            for (int i = 0; m.confusion && i < classes * classes; i++)
                CHECK(m.confusion[i] == metric_cases[k].confusion[i], "case %d: confusion %d is %lld, want %d", k, i,
                    (long long)m.confusion[i], metric_cases[k].confusion[i]);
            int64_t support = 0;
            for (int64_t c = 0; c < m.classes; c++) support += m.of_class[c].support;
            for (int64_t c = 0; m.confusion && c < m.classes; c++) each_class(&m, c, k);
            if (m.confusion) EXPECT_EQ(support, m.counted);
            EXPECT_EQ(m.classes, metric_cases[k].kind == 2 ? 0 : classes ? classes : metric_cases[k].width);
            EXPECT_EQ(m.counted + m.ignored, metric_cases[k].kind == 0 ? metric_cases[k].rows * metric_cases[k].inner
                : metric_cases[k].rows * metric_cases[k].width * metric_cases[k].inner);
        }
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
}

/* What these labels have not is no reason to end a fit: F1 of several classes, or of targets. */
static void nothing_to_monitor(void)
{
    for (int k = 0; k < 2; k++) {
        net n = net_of(k ? 12 : 0);
        gtr_trainer_desc how;
        gtr_fit_desc f;
        memset(&f, 0, sizeof f); memset(&how, 0, sizeof how);
        n.d.scores = gtr_linear(n.s, "own", gtr_tensor_shape(n.s).dim[1]);
        n.t = gtr_trainer_create(k ? gtr_mse(n.d.scores, n.y) : gtr_cross_entropy(n.d.scores, n.y), how);
        f.silent = true; f.epochs = 9; f.patience = 2; f.restore_best = true; f.validation = n.data; f.metrics = n.d;
        f.monitor = GTR_METRIC_F1;
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_ERR_ARG);
        EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "monitor is f1, which the validation set has no value of");
        EXPECT_EQ(gtr_trainer_report(n.t).step, 0);         /* before any training */
        f.monitor = k ? GTR_METRIC_R2 : GTR_METRIC_F1_MACRO;
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
        EXPECT(gtr_fit_ended(n.t).best_epoch > 0);
        gtr_destroy(n.ctx);
    }
}
/* What is said of scores and labels before anything runs is so. */
static void to_monitor(void)
{
    for (int k = 0; k < CASES; k++) {
        net n = net_of(k);
        gtr_metrics m, none;
        EXPECT_EQ(gtr_evaluate_metrics(n.t, n.data, n.d, &m), GTR_OK);
        gtr__meter meter = gtr__meter_of(n.t, n.data, n.d, &none);
        EXPECT_EQ(gtr__meter_begin(&meter), GTR_OK);
        for (int i = GTR_METRIC_ACCURACY; i < GTR_METRIC_COUNT; i++) {
            const bool there = m.value[i] == m.value[i], has = gtr__meter_has(&meter, (gtr_metric)i);
            CHECK(has == there || (has && (i == GTR_METRIC_AUC || m.counted == 0)), "case %d: %s is %g", k,
                gtr__metric_rows[i].name, m.value[i]);
        }
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
}
/* Two classes by two scores, logits or probabilities, at a threshold, are those by one. */
static void thresholds(void)
{
    enum { N = 300 };
    static const float at[] = { 0.05f, 0.3f, 0.5f, 0.8f, 1 };
    static gtr_float two[N][2], one[N];
    static int32_t y[N];
    uint32_t seed = 3;
    gtr_arrays_desc a;
    gtr_trainer_desc how;
    memset(&a, 0, sizeof a); memset(&how, 0, sizeof how);
    for (int i = 0; i < N; i++) {
        two[i][0] = 3 * noise(&seed); two[i][1] = 3 * noise(&seed); one[i] = two[i][1] - two[i][0];
        y[i] = noise(&seed) > 0.2f;
    }
    a.rows = N; a.column[0].data = two; a.column[0].shape = gtr_shape1(2); a.column[1].data = one;
    a.column[2].data = y; a.column[2].dtype = GTR_I32;
    gtr_context *ctx = gtr_create(desc0());
    gtr_tensor *x2 = gtr_input(ctx, "two", GTR_F32, gtr_shape2(GTR_BATCH, 2)),
        *x1 = gtr_input(ctx, "one", GTR_F32, gtr_shape1(GTR_BATCH)),
        *label = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH)), *p2 = gtr_softmax(x2, 1);
    gtr_tensor *loss = gtr_add(gtr_cross_entropy(gtr_linear(x2, "fc", 2), label), gtr_mean(x1, NULL, 0, false));
    gtr_trainer *t = gtr_trainer_create(loss, how);
    gtr_dataset *data = gtr_dataset_arrays(ctx, a);
    for (int k = 0; k < 5; k++) {
        gtr_metrics_desc d[3];
        gtr_metrics m[3];
        int64_t confusion[3][4];
        for (int i = 0; i < 3; i++) {
            memset(&d[i], 0, sizeof d[i]);
            d[i].scores = i == 0 ? x1 : i == 1 ? x2 : p2; d[i].labels = label;
            d[i].probabilities = i == 2; d[i].threshold = at[k];
            EXPECT_EQ(gtr_evaluate_metrics(t, data, d[i], &m[i]), GTR_OK);
            if (m[i].confusion) memcpy(confusion[i], m[i].confusion, sizeof confusion[i]);
            CHECK(m[i].confusion && !memcmp(confusion[i], confusion[0], sizeof *confusion)
                && m[i].value[GTR_METRIC_RECALL] == m[0].value[GTR_METRIC_RECALL], "threshold %g, scores %d: recall "
                "%g, want %g", (double)at[k], i, m[i].value[GTR_METRIC_RECALL], m[0].value[GTR_METRIC_RECALL]);
        }
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* A row with a NaN is wrong, whatever its label and wherever it stands: the largest is the NaN. */
static void rows_of_nan(void)
{
    enum { N = 40, C = 37 };
    static gtr_float x[N][C];
    static int32_t y[N], most[N];
    uint32_t seed = 8;
    int right = 0;
    for (int i = 0; i < N; i++) {
        int best = 0;
        for (int k = 0; k < C; k++) { x[i][k] = noise(&seed); if (x[i][k] > x[i][best]) best = k; }
        y[i] = best;
        if (i % 4 == 1) x[i][y[i] = i % C] = NAN;                       /* the label's own */
        if (i % 4 == 2) for (int k = 0; k < C; k++) x[i][k] = NAN;      /* of all, also of class 0 */
        if (i % 4 == 2) y[i] = i % 8 == 2 ? 0 : 5;
        if (i % 4 == 3) x[i][(y[i] + 1) % C] = NAN;                     /* beside the largest */
        right += i % 4 == 0;
    }
    gtr_context *ctx = gtr_create(desc0());
    gtr_tensor *logits = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, C)),
        *label = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    gtr_tensor *of[] = { gtr_accuracy(logits, label), gtr_argmax(logits, 1) };
    gtr_float share = 0;
    EXPECT_EQ(gtr_set(logits, x, sizeof x), GTR_OK);
    EXPECT_EQ(gtr_set(label, y, sizeof y), GTR_OK);
    EXPECT_EQ(gtr_eval(of, 2), GTR_OK);
    EXPECT_EQ(gtr_get(of[0], &share, sizeof share), GTR_OK);
    EXPECT_EQ(gtr_get(of[1], most, sizeof most), GTR_OK);
    CHECK(share == (gtr_float)right / N, "accuracy %g, want %g", (double)share, (double)right / N);
    for (int i = 0; i < N; i++) {
        const int want = i % 4 == 2 ? 0 : i % 4 == 3 ? (y[i] + 1) % C : y[i];
        CHECK(most[i] == want, "row %d: the largest is %d, want %d", i, most[i], want);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* The table has the classes' names, all figures, and the confusion. */
static void as_a_table(void)
{
    net n = net_of(1), m = net_of(12), two = net_of(9);
    gtr_metrics out;
    EXPECT_EQ(gtr_evaluate_metrics(n.t, n.data, n.d, &out), GTR_OK);
    char line[200];
    snprintf(line, sizeof line, "\n%-20s %9.4f %9.4f %9.4f %9.4f %9lld\n", "1",
        out.of_class[1].precision, out.of_class[1].recall, out.of_class[1].f1, out.of_class[1].auc,
        (long long)out.of_class[1].support);
    CHECK(strstr(out.text, line), "\"%s\" is not in\n%s", line, out.text);
    snprintf(line, sizeof line, "accuracy %.6g  top-3 %.4f  auc %.6g  of %lld labels, %lld ignored\n",
        out.value[GTR_METRIC_ACCURACY], out.value[GTR_METRIC_TOP_K], out.value[GTR_METRIC_AUC], (long long)out.counted,
        (long long)out.ignored);
    CHECK(strstr(out.text, line), "\"%s\" is not in\n%s", line, out.text);
    snprintf(line, sizeof line, "\n%-20s %7lld %7lld %7lld %7lld\n", "2", (long long)out.confusion[8],
        (long long)out.confusion[9], (long long)out.confusion[10], (long long)out.confusion[11]);
    CHECK(strstr(out.text, line), "\"%s\" is not in\n%s", line, out.text);
    n.d.top_k = 4;                              /* of 4 classes: of every label */
    EXPECT_EQ(gtr_evaluate_metrics(n.t, n.data, n.d, &out), GTR_OK);
    EXPECT(out.value[GTR_METRIC_TOP_K] == 1 && !strstr(out.text, "top-"));
    EXPECT_EQ(gtr_evaluate_metrics(m.t, m.data, m.d, &out), GTR_OK);
    snprintf(line, sizeof line, "r2 %.6g  mae %.6g  mse %.6g  rmse %.6g  of 50 targets\n", out.value[GTR_METRIC_R2],
        out.value[GTR_METRIC_MAE], out.value[GTR_METRIC_MSE], out.value[GTR_METRIC_RMSE]);
    EXPECT(!strcmp(out.text, line));
    EXPECT_EQ(gtr_evaluate_metrics(two.t, two.data, two.d, &out), GTR_OK);
    EXPECT(strstr(out.text, "\n2 ") && !strstr(out.text, "predicted"));
    EXPECT_EQ(gtr_evaluate_metrics(two.t, two.data, two.d, NULL), GTR_OK);
    two.d.auc_most = 191;                       /* of 64 rows, 3 labels */
    EXPECT_EQ(gtr_evaluate_metrics(two.t, two.data, two.d, &out), GTR_OK);
    EXPECT(out.value[GTR_METRIC_AUC] != out.value[GTR_METRIC_AUC]);
    two.d.auc_most = 192;
    EXPECT(!gtr_evaluate_metrics(two.t, two.data, two.d, &out) && out.value[GTR_METRIC_AUC] > 0.5);
    EXPECT_OK(n.ctx); EXPECT_OK(m.ctx); EXPECT_OK(two.ctx);
    gtr_destroy(n.ctx); gtr_destroy(m.ctx); gtr_destroy(two.ctx);
}
/* Of no label at all there is no share. */
static void all_ignored(void)
{
    for (int k = 1; k < 10; k += 8) {
        net n = net_of(k);
        gtr_metrics m;
        gtr__column *c = &n.data->column[1];
        for (int64_t i = 0; i < n.data->rows * c->row; i++) ((int32_t *)(void *)c->host)[i] = -1;
        EXPECT_EQ(gtr_evaluate_metrics(n.t, n.data, n.d, &m), GTR_OK);
        EXPECT(m.counted == 0 && m.ignored > 0);
        for (int i = 0; i < GTR_METRIC_COUNT; i++)
            CHECK(m.value[i] != m.value[i], "case %d: value %d is %g", k, i, m.value[i]);
        EXPECT(!strstr(m.text, "accuracy"));
        gtr_destroy(n.ctx);
    }
}
static void infinite(void)
{
    for (int k = 0; k < CASES; k++) {
        net n = net_of(k);
        gtr_metrics m;
        for (int i = 0; i < n.data->column[0].row; i++) ((gtr_float *)(void *)n.data->column[0].host)[i] = INFINITY;
        EXPECT_EQ(gtr_evaluate_metrics(n.t, n.data, n.d, &m), GTR_OK);
        /* of a softmax of them, NaN, there is no order */
        if (n.d.scores->shape.ndim > n.d.labels->shape.ndim && !n.d.probabilities)
            CHECK(m.value[GTR_METRIC_AUC] != m.value[GTR_METRIC_AUC], "case %d: AUC is %g", k, m.value[GTR_METRIC_AUC]);
        gtr_destroy(n.ctx);
    }
}
/* Classes of folders are called by their names. */
static void names_of_classes(void)
{
    const char *const folder[] = { check_path("classes"), check_path("classes/rat"),
        check_path("classes/an owl that is called by far too long a name") };
    static const char *const rows[] = { "\nan owl that is calle ", "\nrat ",
        "\nlabel \\ predicted    an owl that is calle                  rat\n" };
    gtr_trainer_desc how;
    gtr_metrics_desc d;
    gtr_metrics m;
    gtr_images_desc images;
    memset(&how, 0, sizeof how); memset(&d, 0, sizeof d); memset(&images, 0, sizeof images);
    for (int i = 0; i < 3; i++) mkdir(folder[i], 0777);
    for (int i = 0; i < 6; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%d.pgm", folder[1 + i % 2], i);
        FILE *f = fopen(path, "w");
        if (f) { fprintf(f, "P2 2 1 255 %d %d\n", 40 * i, i); fclose(f); }
    }
    gtr_context *ctx = gtr_create(desc0());
    gtr_dataset *data = gtr_dataset_images(ctx, folder[0], images);
    gtr_tensor *x = gtr_input(ctx, "image", GTR_F32, gtr_shape4(GTR_BATCH, 1, 1, 2));
    d.labels = gtr_input(ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH));
    d.scores = gtr_linear(gtr_flatten(x), "fc", 2);
    gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(d.scores, d.labels), how);
    EXPECT_EQ(gtr_evaluate_metrics(t, data, d, &m), GTR_OK);
    for (int i = 0; i < 3; i++)
        CHECK(m.text && strstr(m.text, rows[i]), "\"%s\" is not in\n%s", rows[i], m.text ? m.text : "");
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    for (int i = 0; i < 6; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%d.pgm", folder[1 + i % 2], i);
        unlink(path);
    }
    EXPECT(!rmdir(folder[1]) && !rmdir(folder[2]) && !rmdir(folder[0]));
}
static void refused(void)
{
    net n = net_of(0), m = net_of(12);
    gtr_metrics out;
    gtr_metrics_desc d = n.d;
    gtr_arrays_desc a;
    EXPECT_EQ(gtr_evaluate_metrics(NULL, n.data, n.d, &out), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "gtr_evaluate_metrics of gtr_dataset_arrays: the trainer is NULL");
    EXPECT_EQ(gtr_evaluate_metrics(n.t, NULL, n.d, &out), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "no data set");
    d.scores = NULL;
    EXPECT_EQ(gtr_evaluate_metrics(n.t, n.data, d, &out), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "metrics: scores are NULL");
    d = n.d; d.labels = NULL;
    EXPECT_EQ(gtr_evaluate_metrics(n.t, n.data, d, &out), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "metrics: labels are NULL");
    d = n.d;
    d.scores = m.scores;
    EXPECT_EQ(gtr_evaluate_metrics(n.t, n.data, d, &out), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "scores are another context's");
    for (int i = 0; i < 4; i++) {
        d = n.d;
        d.threshold = i == 0 ? 1.5f : 0; d.top_k = -(i == 1); d.batch = -(i == 2); d.auc_most = i == 3 ? -2 : 0;
        EXPECT_EQ(gtr_evaluate_metrics(n.t, n.data, d, &out), GTR_ERR_ARG);
        static const char *const want[] = { "metrics: threshold is 1.5, want 0 to 1", "top_k is -1, want at least 0",
            "batch is -1, want at least 0", "auc_most is -2, want at least -1" };
        EXPECT_ERROR(n.ctx, GTR_ERR_ARG, want[i]);
    }
    d = n.d;
    d.scores = gtr_sum(n.scores, NULL, 0, false);
    EXPECT_EQ(gtr_evaluate_metrics(n.t, n.data, d, &out), GTR_ERR_SHAPE);
    EXPECT_ERROR(n.ctx, GTR_ERR_SHAPE, "scores () float32 and labels (N,) int32");
    d.scores = n.scores; d.labels = n.s; d.top_k = 0;       /* itself: no error at all */
    memset(&a, 0, sizeof a);
    a.rows = 60; a.column[0].data = n.data->column[0].host; a.column[0].shape = gtr_shape1(5);
    EXPECT_EQ(gtr_evaluate_metrics(n.t, gtr_dataset_arrays(n.ctx, a), d, &out), GTR_OK);
    EXPECT(out.value[GTR_METRIC_MSE] == 0 && out.value[GTR_METRIC_R2] == 1 && out.counted == 300);
    EXPECT_OK(n.ctx);
    gtr_destroy(n.ctx); gtr_destroy(m.ctx);
    /* labels and scores that are none, and where they are; of sets that no device has yet */
    for (int i = 0; i < 4; i++) {
        static const char *const want[] = { "row 37: label 5, want 0 to 4", "row 12: score 3 of",
            "row 7: the target of score 0", "row 79: label 2, want 0 or 1" };
        n = net_of(i < 2 ? 0 : i == 2 ? 12 : 7);
        uint8_t *x = n.data->column[0].host, *y = n.data->column[1].host;
        const int32_t label = i ? 2 : 5;
        const gtr_float nan = (gtr_float)NAN;
        if (i % 3 == 0) memcpy(y + (i ? 79 : 37) * sizeof label, &label, sizeof label);
        else memcpy(i == 1 ? x + (12 * 5 + 3) * sizeof nan : y + 7 * sizeof nan, &nan, sizeof nan);
        const gtr_result r = i % 3 == 0 ? GTR_ERR_ARG : GTR_ERR_NONFINITE;
        EXPECT_EQ(gtr_evaluate_metrics(n.t, n.data, n.d, &out), r);
        EXPECT_ERROR(n.ctx, r, want[i]);
        EXPECT(!out.of_class && !out.confusion);
        gtr_destroy(n.ctx);
    }
    /* probabilities are no labels of 0 or 1 */
    int k = 0;
    while (k < CASES && !(metric_cases[k].kind == 1 && metric_cases[k].floats)) k++;
    n = net_of(k);
    ((gtr_float *)(void *)n.data->column[1].host)[0] = (gtr_float)0.875;
    EXPECT_EQ(gtr_evaluate_metrics(n.t, n.data, n.d, &out), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "row 0: label 0.875, want 0 or 1");
    gtr_destroy(n.ctx);
}
/* What a sigmoid or softmax made is measured as probabilities, or not at all, by a fit neither; targets aside. */
static void probabilities(void)
{
    static const char want[] = "scores are what a sigmoid or softmax made (";
    for (int k = 0; k < CASES; k++) for (int way = 0; way < 5; way++) {
        if (metric_cases[k].probabilities) continue;
        const bool classes = metric_cases[k].kind == 0, targets = metric_cases[k].kind == 2, logs = way == 4;
        const int swap[2] = { 0, 1 };
        net n = net_of(k);
        gtr_metrics plain, out;
        if (n.s->shape.ndim > 2 && way == 2) { gtr_destroy(n.ctx); continue; }
        EXPECT_EQ(gtr_evaluate_metrics(n.t, n.data, n.d, &plain), GTR_OK);
        gtr_tensor *p = logs ? gtr_log_softmax(n.s, 1) : classes ? gtr_softmax(n.s, 1)
            : way == 3 ? gtr_hard_sigmoid(n.s) : gtr_sigmoid(n.s);
        if (way == 1) p = gtr_slice(gtr_reshape(p, gtr_tensor_shape(p)), 1, 0, p->shape.dim[1]);
        if (way == 2) p = gtr_permute(p, swap);
        n.d.scores = p;
        const gtr_result r = gtr_evaluate_metrics(n.t, n.data, n.d, &out), bad = targets || logs ? GTR_OK : GTR_ERR_ARG;
        CHECK(r == bad, "case %d, way %d: %s", k, way, gtr_error_text(n.ctx));
        EXPECT_ERROR(n.ctx, bad, bad ? want : "");
        n.d.probabilities = true;
        if (r) EXPECT_EQ(gtr_evaluate_metrics(n.t, n.data, n.d, &out), GTR_OK);
        for (int i = GTR_METRIC_ACCURACY; i <= GTR_METRIC_AUC && r && way < 3; i++)
            CHECK(plain.value[i] != plain.value[i] || fabs(plain.value[i] - out.value[i]) < 1e-3, "case %d, way %d: "
                "%s is %g, of logits %g", k, way, gtr__metric_rows[i].name, out.value[i], plain.value[i]);
        gtr_destroy(n.ctx);
    }
    net n = net_of(0);
    gtr_fit_desc f;
    gtr_trainer_desc how;
    memset(&f, 0, sizeof f); memset(&how, 0, sizeof how);
    gtr_tensor *logits = gtr_linear(n.s, "own", gtr_tensor_shape(n.s).dim[1]);
    f.silent = true; f.validation = n.data; f.metrics = n.d; f.metrics.scores = gtr_softmax(logits, 1);
    n.t = gtr_trainer_create(gtr_cross_entropy(logits, n.y), how);
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, want);
    EXPECT_EQ(gtr_trainer_report(n.t).step, 0);
    f.metrics.probabilities = true;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
    gtr_destroy(n.ctx);
}
/* In a fit: each epoch's of the validation set, in the callback and to stop by; of the averages, if any. */
typedef struct seen { int calls; double f1[20]; gtr_tensor *scores; bool releases; } seen;
static bool watch(const gtr_progress *p)
{
    seen *s = (seen *)p->user;
    s->f1[s->calls++] = p->metrics ? p->metrics->value[GTR_METRIC_F1_MACRO] : -1;
    if (s->releases) gtr_release(p->trainer->ctx, s->scores->id);
    return true;
}
/* Another set is measured between the validations: what these found stays. */
typedef struct { gtr_dataset *data; const gtr_metrics_desc *d; int64_t rows; int calls; } besides;
static bool beside(const gtr_progress *p)
{
    besides *b = (besides *)p->user;
    gtr_metrics m;
    int64_t support = 0, confused = 0;
    for (int k = 0; p->metrics && k < 3; k++) support += p->metrics->of_class[k].support;
    for (int k = 0; p->metrics && k < 9; k++) confused += p->metrics->confusion[k];
    if (p->metrics) CHECK(support == b->rows && confused == b->rows, "call %d: %lld labels, %lld confused, want %lld",
        b->calls, (long long)support, (long long)confused, (long long)b->rows);
    b->calls++;
    return gtr_evaluate_metrics(p->trainer, b->data, *b->d, &m) == GTR_OK && m.confusion;
}
static void in_a_fit(void)
{
    static gtr_float x[600];
    static int32_t y[200];
    for (int k = 0; k < 3; k++) {
        uint32_t seed = 3;
        gtr_trainer_desc how;
        gtr_arrays_desc a;
        gtr_fit_desc f;
        gtr_metrics m;
        seen s;
        memset(&a, 0, sizeof a); memset(&f, 0, sizeof f); memset(&how, 0, sizeof how); memset(&s, 0, sizeof s);
        for (int i = 0; i < 600; i++) x[i] = noise(&seed);
        for (int i = 0; i < 200; i++) y[i] = x[3 * i] > 0.3f ? 2 : x[3 * i + 1] > 0;
        a.rows = 200; a.column[0].data = x; a.column[0].shape = gtr_shape1(3);
        a.column[1].data = y; a.column[1].dtype = GTR_I32;
        gtr_context *ctx = gtr_create(desc0());
        gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3));
        gtr_tensor *label = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
        gtr_tensor *logits = gtr_linear(gtr_tanh(gtr_linear(in, "fc1", 16)), "fc2", 3);
        gtr_dataset *data = gtr_dataset_arrays(ctx, a), *held = gtr_dataset_split(data, 3);
        how.optimizer = GTR_ADAM; how.lr = 0.02f; how.ema = k == 1 ? 0.8f : 0;
        how.precision = k == 2 ? GTR_MIXED_BF16 : GTR_FP32;
        gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(logits, label), how);
        if (!t) { SKIP("%s", gtr_error_text(ctx)); gtr_destroy(ctx); continue; }
        f.epochs = 20; f.batch = 16; f.silent = k > 0; f.callback = watch; f.callback_user = &s;
        f.metrics.scores = logits; f.metrics.labels = label; f.metrics.batch = 20;
        f.monitor = GTR_METRIC_F1_MACRO; f.patience = 2; f.restore_best = true;
        EXPECT_EQ(gtr_fit(t, data, f), GTR_ERR_ARG);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, ".metrics are of .validation, which is NULL");
        f.validation = held;
        EXPECT_EQ(gtr_fit(t, data, f), GTR_OK);
        const gtr_fit_end end = gtr_fit_ended(t);
        EXPECT(end.best_epoch > 0 && end.steps == 9 * s.calls);
        for (int i = 0; i < s.calls; i++) CHECK(s.f1[i] <= (double)end.best + 1e-7 && s.f1[i] > 0,
            "epoch %d: f1 %g, best %g", i + 1, s.f1[i], (double)end.best);
        EXPECT_EQ(gtr_evaluate_metrics(t, held, f.metrics, &m), GTR_OK);
        CHECK((float)m.value[GTR_METRIC_F1_MACRO] == end.best, "f1 is %.9g, and was %.9g", m.value[GTR_METRIC_F1_MACRO],
            (double)end.best);
        besides b = { data, &f.metrics, gtr_dataset_rows(held), 0 };
        gtr_fit_desc g = f;
        g.callback = beside; g.callback_user = &b; g.callback_every = 3; g.epochs = 4; g.silent = true;
        EXPECT_EQ(gtr_fit(t, data, g), GTR_OK);
        EXPECT(b.calls > 3);
        f.metrics.scores = NULL;
        EXPECT_EQ(gtr_fit(t, data, f), GTR_ERR_ARG);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, "monitor is macro f1, and .metrics.scores, of which it is one, are NULL");
        /* what is compared may be built for the fit, and not be released in it */
        f.metrics.scores = s.scores = gtr_scale(logits, 1, 0); s.releases = true; s.calls = 0;
        EXPECT_EQ(gtr_fit(t, data, f), GTR_ERR_STATE);
        EXPECT_ERROR(ctx, GTR_ERR_STATE, "gtr_release of the metric");
        gtr_destroy(ctx);
    }
}

static void all(void)
{
    RUN(as_a_table);
    RUN(nothing_to_monitor);
    RUN(to_monitor);
    RUN(thresholds);
    RUN(rows_of_nan);
    RUN(names_of_classes);
    RUN(refused);
    RUN(probabilities);
    RUN(all_ignored);
    RUN(infinite);
    RUN(in_a_fit);
    RUN(as_scikit_learn);
}
int main(int argc, char **argv)
{
    small = getenv("GTR_TEST_SMALL") != NULL;
    check_begin(argc, argv);
    check_devices(all, &device);
    return check_done();
}
