/* Images on their way from a data set into an input: each row of a batch is one of the legal crops of its image,
   mirrored, hidden, brightened and normalised as gtr_augment_desc says; the same for any number of threads and
   micro-batches and on every device; nothing random outside training; what is predicted. */
#include "private.h"
#include "check.h"
#include <math.h>
#include "device.h"

enum { ROWS = 24, BATCH = 10 }; /* batches of 10, 10 and 4 */
/* Images of a column, and where they go. floats: the column is of float32; last: it is (H, W, C); flat: the input is
   one vector; turned: the input is (H, W, C). */
typedef struct images { int c, h, w; bool floats, last, flat, turned, grey; } images;
typedef struct net {
    gtr_context *ctx; gtr_dataset *data; gtr_tensor *x, *y, *loss; gtr_trainer *t; images im; gtr_augment_desc a;
    int64_t row;
} net;
static gtr_augment_desc augment0(void) { gtr_augment_desc a; memset(&a, 0, sizeof a); return a; }
static gtr_trainer_desc trainer0(void) { gtr_trainer_desc d; memset(&d, 0, sizeof d); d.lr = 1e-3f; return d; }
static int pixel(const images *im, int row, int c, int y, int x) {
    return (((row * im->c + c) * im->h + y) * im->w + x) * 37 % 251 + 1;
}
static int64_t place(const images *im, bool last, int h, int w, int c, int y, int x) {
    return last ? ((int64_t)y * w + x) * im->c + c : ((int64_t)c * h + y) * w + x;
}
static gtr_shape shape_of(const images *im, bool last, int h, int w)
{
    return im->grey ? gtr_shape2(h, w) : last ? gtr_shape3(h, w, im->c) : gtr_shape3(im->c, h, w);
}
static gtr_dataset *made_data(gtr_context *ctx, const images *im, gtr_augment_desc a)
{
    const int64_t row = (int64_t)im->c * im->h * im->w;
    gtr_arrays_desc d;
    uint8_t *bytes = (uint8_t *)malloc((size_t)(ROWS * row));
    gtr_float *floats = (gtr_float *)malloc(sizeof *floats * (size_t)(ROWS * row));
    int32_t label[ROWS];
    for (int r = 0; r < ROWS; r++) {
        label[r] = r;
        for (int c = 0; c < im->c; c++) for (int y = 0; y < im->h; y++) for (int x = 0; x < im->w; x++) {
            const int64_t at = r * row + place(im, im->last, im->h, im->w, c, y, x);
            floats[at] = bytes[at] = (uint8_t)pixel(im, r, c, y, x);
        }
    }
    memset(&d, 0, sizeof d);
    d.rows = ROWS;
    d.column[0].data = im->floats ? (void *)floats : (void *)bytes;
    d.column[0].dtype = im->floats ? GTR_F32 : GTR_U8;
    d.column[0].shape = shape_of(im, im->last, im->h, im->w);
    if (!im->floats) { d.column[0].scale = 1.0f / 128; d.column[0].shift = 0.25f; }
    d.column[0].channels_last = im->last;
    d.column[1].data = label; d.column[1].dtype = GTR_I32;
    gtr_dataset *data = gtr_dataset_arrays(ctx, d);
    if (data && im->turned && !im->last) gtr__column_channels(&data->column[0], 1);     /* as CIFAR's */
    if (data) CHECK(!gtr_dataset_augment(data, 0, a), "%s", gtr_error_text(ctx));
    free(bytes);
    free(floats);
    return data;
}
static int crop_h(const images *im, const gtr_augment_desc *a) { return a->height ? a->height : im->h; }
static int crop_w(const images *im, const gtr_augment_desc *a) { return a->width ? a->width : im->w; }
static net made(gtr_desc cd, images im, gtr_augment_desc a, gtr_trainer_desc td)
{
    net n;
    gtr_shape s;
    memset(&n, 0, sizeof n);
    n.ctx = gtr_create(cd); n.im = im; n.a = a;
    n.data = made_data(n.ctx, &im, a);
    const int h = crop_h(&im, &a), w = crop_w(&im, &a);
    n.row = (int64_t)im.c * h * w;
    s = im.turned ? gtr_shape4(GTR_BATCH, h, w, im.c) : gtr_shape4(GTR_BATCH, im.c, h, w);
    if (im.flat) s = gtr_shape2(GTR_BATCH, n.row);
    n.x = gtr_input(n.ctx, "image", GTR_F32, s);
    n.y = gtr_input(n.ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH));
    gtr_tensor *flat = im.flat ? n.x : gtr_flatten(n.x);
    n.loss = gtr_cross_entropy(gtr_linear(flat, "fc", ROWS), n.y);
    n.t = gtr_trainer_create(n.loss, td);
    CHECK(n.t != NULL, "%s", gtr_error_text(n.ctx));
    return n;
}
/* Steps once: the batch's rows, and which of the set they are. */
static int stepped(net *n, gtr_float *x, int32_t *y, int k)
{
    const int rows = k % 3 < 2 ? BATCH : ROWS - 2 * BATCH;
    const bool ok = !gtr_step(n->t) && !gtr_get(n->x, x, sizeof *x * (size_t)(rows * n->row)) && !gtr_get(n->y, y,
        sizeof *y * (size_t)rows);
    return CHECK(ok, "step %d: %s", k, gtr_error_text(n->ctx)) ? rows : 0;
}
static int edge(int i, int n, gtr_pad_mode mode)
{
    if (i >= 0 && i < n) return i;
    if (mode == GTR_PAD_REFLECT) return i < 0 ? -i : 2 * (n - 1) - i;
    if (mode == GTR_PAD_REPLICATE) return i < 0 ? 0 : n - 1;
    return mode == GTR_PAD_CIRCULAR ? (i + n) % n : -1;
}
/* A value of the image before normalisation, at (y, x) of it, beyond its edges as padded. */
static double value(const net *n, int row, int c, int y, int x)
{
    const int sy = edge(y, n->im.h, n->a.pad_mode), sx = edge(x, n->im.w, n->a.pad_mode);
    const double v = sy < 0 || sx < 0 ? 0 : pixel(&n->im, row, c, sy, sx);
    return n->im.floats ? v : v / 128 + 0.25;
}
static double normal(const net *n, int c, double v)
{
    const int k = c < 16 ? c : 15;
    return (v - (double)n->a.mean[k]) / (n->a.std[k] > 0 ? (double)n->a.std[k] : 1);
}
static bool input_last(const net *n) { return n->im.turned || (n->im.flat && n->im.last); }
/* Whether x is row's image cropped at (top, left) and mirrored so; gain, contrast and a hole apart. */
static bool is_crop(const net *n, const gtr_float *x, int row, int top, int left, int flip_y, int flip_x)
{
    const int h = crop_h(&n->im, &n->a), w = crop_w(&n->im, &n->a);
    for (int c = 0; c < n->im.c; c++) for (int y = 0; y < h; y++) for (int k = 0; k < w; k++) {
        const double want = normal(n, c, value(n, row, c, top + (flip_y ? h - 1 - y : y), left
            + (flip_x ? w - 1 - k : k)));
        if (!(fabs((double)x[place(&n->im, input_last(n), h, w, c, y,
            k)] - want) <= 1e-5 * (1 + fabs(want)))) return false;
    }
    return true;
}
static void means(gtr_augment_desc *a, int channels)
{
    for (int k = 0; k < channels; k++) { a->mean[k] = 0.3f + 0.1f * (float)k; a->std[k] = 0.5f + 0.25f * (float)k; }
}
/* Each row is one of the legal crops, and all of them come up, mirrored about as often as was asked for. */
static void crops(void)
{
    static const struct { images im; int height, width, pad; gtr_pad_mode mode; float flip, flip_vertical; int means; }
        cases[] = {
        { { 3, 6, 5, 0, 0, 0, 0, 0 }, 0, 0, 2, GTR_PAD_CONSTANT, 0.5f, 0, 3 },
        { { 3, 6, 5, 0, 0, 0, 0, 0 }, 4, 3, 0, GTR_PAD_CONSTANT, 0, 0.25f, 0 },
        { { 1, 7, 7, 0, 0, 1, 0, 1 }, 5, 6, 1, GTR_PAD_REFLECT, 0.5f, 0.5f, 1 },
        { { 2, 4, 8, 1, 0, 0, 0, 0 }, 0, 0, 3, GTR_PAD_REPLICATE, 1, 0, 2 },
        { { 17, 3, 4, 0, 0, 0, 0, 0 }, 0, 3, 2, GTR_PAD_CIRCULAR, 0, 1, 16 },
        { { 4, 5, 5, 1, 0, 1, 0, 0 }, 7, 6, 3, GTR_PAD_CONSTANT, 0.5f, 0.5f, 4 },
        /* channels last, into (N, C, H, W), (N, H, W, C), a vector; channels first into (N, H, W, C); without pad */
        { { 3, 6, 5, 0, 1, 0, 0, 0 }, 0, 0, 1, GTR_PAD_REFLECT, 0.5f, 0.5f, 3 },
        { { 3, 6, 4, 1, 1, 0, 1, 0 }, 5, 0, 1, GTR_PAD_CONSTANT, 0.5f, 0, 3 },
        { { 2, 5, 6, 0, 1, 1, 0, 0 }, 0, 0, 1, GTR_PAD_REPLICATE, 0, 0.5f, 0 },
        { { 3, 4, 6, 0, 0, 0, 1, 0 }, 3, 4, 0, GTR_PAD_CONSTANT, 0.5f, 0, 3 },
        { { 3, 3, 3, 0, 1, 0, 0, 0 }, 0, 0, 0, GTR_PAD_CONSTANT, 0, 0, 3 },
        { { 3, 7, 6, 0, 1, 0, 0, 0 }, 0, 0, 0, GTR_PAD_CONSTANT, 0, 0, 0 },
        { { 3, 7, 6, 1, 0, 0, 1, 0 }, 0, 0, 0, GTR_PAD_CONSTANT, 0, 0, 0 },
        { { 3, 7, 6, 0, 1, 0, 1, 0 }, 0, 0, 0, GTR_PAD_CONSTANT, 0, 0, 0 },
        { { 1, 7, 6, 0, 1, 0, 0, 0 }, 0, 0, 0, GTR_PAD_CONSTANT, 0, 0, 0 },
        { { 3, 2, 300, 0, 1, 0, 1, 0 }, 0, 290, 0, GTR_PAD_CONSTANT, 1, 0, 3 },
        { { 700, 2, 2, 0, 1, 0, 1, 0 }, 0, 0, 0, GTR_PAD_CONSTANT, 0.5f, 0, 16 },
        { { 7, 1, 6, 0, 1, 0, 0, 0 }, 0, 3, 0, GTR_PAD_CONSTANT, 0, 0, 7 } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        gtr_augment_desc a = augment0();
        a.height = cases[k].height; a.width = cases[k].width; a.pad = cases[k].pad; a.pad_mode = cases[k].mode;
        a.flip = cases[k].flip; a.flip_vertical = cases[k].flip_vertical;
        means(&a, cases[k].means);
        net n = made(desc0(), cases[k].im, a, trainer0());
        const int more_y = n.im.h + 2 * a.pad - crop_h(&n.im, &a), more_x = n.im.w + 2 * a.pad - crop_w(&n.im, &a);
        int seen[16][16] = { { 0 } }, total = 0, mirrored[2] = { 0, 0 }, steps = small ? 12 : 120;
        gtr_float *x = (gtr_float *)malloc(sizeof *x * (size_t)(BATCH * n.row));
        int32_t y[BATCH];
        EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, true, false), GTR_OK);
        for (int s = 0; s < steps; s++) {
            const int rows = stepped(&n, x, y, s);
            for (int r = 0; r < rows; r++) {
                int found = 0;
                for (int way = 0; way < 4; way++) for (int ty = 0; ty <= more_y; ty++) for (int tx = 0; tx <= more_x;
                    tx++) {
                    if ((way & 1 && a.flip == 0) || (way & 2 && a.flip_vertical == 0) || (!(way & 1) && a.flip == 1)
                        || (!(way & 2) && a.flip_vertical == 1)) continue;
                    if (!is_crop(&n, x + r * n.row, y[r], ty - a.pad, tx - a.pad, way >> 1, way & 1)) continue;
                    if (!found++) { seen[ty][tx]++; mirrored[0] += way & 1; mirrored[1] += way >> 1; }
                }
                total++;
                if (!CHECK(found, "case %d, step %d, row %d (image %d) is no crop", (int)k, s, r, (int)y[r])) goto next;
            }
        }
        /* in a circle several are the same */
        for (int ty = 0; ty <= more_y && a.pad_mode != GTR_PAD_CIRCULAR; ty++) for (int tx = 0; tx <= more_x
            && !small; tx++) {
            const double mean = (double)total / ((more_y + 1) * (more_x + 1));
            CHECK(fabs(seen[ty][tx] - mean) < 6 * sqrt(mean), "case %d: crop (%d, %d) came %d times of %g", (int)k,
                ty, tx,
                seen[ty][tx], mean);
        }
        for (int f = 0; f < 2 && !small; f++) {
            const double p = (double)(f ? a.flip_vertical : a.flip);
            CHECK(fabs(mirrored[f] - p * total) <= 6 * sqrt(p * (1 - p) * total), "case %d: %d mirrored of %d", (int)k,
                mirrored[f], total);
        }
    next:
        free(x);
        gtr_destroy(n.ctx);
    }
}
/* A square of zeros, cut by the image's edge, in every channel; brightness and contrast a number a row. */
static void holes_and_light(void)
{
    const images im = { 3, 9, 8, 0, 0, 0, 0, 0 };
    double least[2] = { 9, 9 }, most[2] = { 0, 0 };
    gtr_float x[BATCH * 216];
    int32_t y[BATCH];
    int centres[9][8] = { { 0 } };
    for (int way = 0; way < 3; way++) {
        gtr_augment_desc a = augment0();
        means(&a, 3);
        if (way == 0) a.cutout = 4;
        if (way == 1) a.brightness = 0.4f;
        if (way == 2) a.contrast = 0.5f;
        net n = made(desc0(), im, a, trainer0());
        EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, true, false), GTR_OK);
        for (int s = 0; s < 60; s++) for (int rows = stepped(&n, x, y, s), r = 0; r < rows; r++) {
            int right = 0;
            double first = 0;
            for (int cy = 0; cy < 9 && way == 0; cy++) for (int cx = 0; cx < 8; cx++) {
                int good = 1;
                for (int i = 0; i < 216 && good; i++) {
                    const int c = i / 72, py = i / 8 % 9, px = i % 8;
                    const bool hole = py >= cy - 2 && py < cy + 2 && px >= cx - 2 && px < cx + 2;
                    const double want = hole ? 0 : normal(&n, c, value(&n, y[r], c, py, px));
                    good = fabs((double)x[r * 216 + i] - want) < 1e-5;
                }
                right += good; centres[cy][cx] += good;
            }
            for (int i = 0, known = 0; i < 216 && way; i++) {
                const int c = i / 72;
                const double v = value(&n, y[r], c, i / 8 % 9, i % 8), mean = (double)a.mean[c], std = (double)a.std[c];
                if (way == 2 && fabs(v - mean) < 0.05) continue;
                const double u = way == 1 ? ((double)x[r * 216 + i] * std + mean) / v
                    : (double)x[r * 216 + i] * std / (v - mean);
                if (!known++) { first = u; least[way - 1] = fmin(least[way - 1], u);
                    most[way - 1] = fmax(most[way - 1], u); }
                right = fabs(u - first) < 1e-4;
                if (!right) break;
            }
            if (!CHECK(right == 1, "way %d, step %d, row %d: no such image", way, s, r)) break;
        }
        gtr_destroy(n.ctx);
    }
    for (int i = 0; i < 72; i++) CHECK(centres[i / 8][i % 8] > 0, "no hole about (%d, %d)", i / 8, i % 8);
    CHECK(least[0] >= 0.6 - 1e-5 && least[0] < 0.63 && most[0] > 1.37 && most[0] <= 1.4 + 1e-5, "brightness %g to %g",
        least[0],
        most[0]);
    CHECK(least[1] >= 0.5 - 1e-5 && least[1] < 0.54 && most[1] > 1.46 && most[1] <= 1.5 + 1e-5, "contrast %g to %g",
        least[1],
        most[1]);
}
static gtr_augment_desc all_of_it(void)
{
    gtr_augment_desc a = augment0();
    means(&a, 3);
    a.height = 5; a.pad = 2; a.flip = 0.5f; a.flip_vertical = 0.25f; a.cutout = 3; a.brightness = 0.2f;
        a.contrast = 0.1f;
    return a;
}
/* The same bits for any number of threads and micro-batches, by gtr_fit too; on the GPU the CPU's to rounding; stored
   in 16 bits, rounded; another seed, another step: others. */
static void the_same(void)
{
    const images im = { 3, 8, 6, 0, 0, 0, 0, 0 };
    enum { RUNS = 8, STEPS = 5, ROW = 3 * 5 * 6 };
    static gtr_float x[RUNS][STEPS][BATCH * ROW];
    static const struct { int threads, micro; gtr_precision precision; bool other, cpu; } run[RUNS] = {
        { 1, 1, GTR_FP32, 0, 0 }, { 2, 2, GTR_FP32, 0, 0 }, { 5, 3, GTR_FP32, 0, 0 }, { 2, 1, GTR_FP32, 1, 0 },
        { 2, 1, GTR_FP32, 0, 1 }, { 2, 1, GTR_MIXED_FP16, 0, 0 }, { 2, 4, GTR_TF32, 0, 0 }, { 3, 1, GTR_FP32, 0, 0 } };
    int32_t y[RUNS][STEPS][BATCH];
    memset(x, 0, sizeof x);
    for (int k = 0; k < RUNS; k++) {
        gtr_desc d = desc0();
        gtr_trainer_desc td = trainer0();
        d.threads = run[k].threads; td.micro_batches = run[k].micro; td.precision = run[k].precision;
        if (run[k].other) d.seed++;
        if (run[k].cpu) d.device = GTR_DEVICE_CPU;
        net n = made(d, im, all_of_it(), td);
        EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, false, false), GTR_OK);
        for (int s = 0; s < STEPS; s++) stepped(&n, x[k][s], y[k][s], s);
        gtr_destroy(n.ctx);
    }
    for (int k = 1; k < RUNS; k++) for (int s = 0; s < STEPS; s++) {
        double worst = 0;
        for (int i = 0; i < BATCH * ROW; i++) worst = fmax(worst, fabs((double)x[k][s][i] - (double)x[0][s][i]));
        if (run[k].other) CHECK(worst > 0.1, "another seed draws the same, step %d", s);
        else if (run[k].cpu) CHECK(worst < 1e-5, "the CPU's step %d is %g apart", s, worst);
        else if (run[k].precision == GTR_MIXED_FP16) {
            for (int i = 0; i < BATCH * ROW; i++) {
                gtr_float f = x[0][s][i];
                uint16_t half;
                gtr__convert(&half, GTR_F16, &f, GTR_F32, 1);
                gtr__convert(&f, GTR_F32, &half, GTR_F16, 1);
                if (!CHECK(f == x[k][s][i], "FP16, step %d: element %d is %g, not %g", s, i, (double)x[k][s][i],
                    (double)f)) break;
            }
        } else CHECK(!memcmp(x[k][s], x[0][s], sizeof x[0][s]), "run %d, step %d is %g apart", k, s, worst);
    }
    CHECK(memcmp(x[0][0], x[0][3], sizeof x[0][0]) != 0, "the second epoch draws what the first one did");
}
/* Weights after gtr_fit and after a loop of gtr_step. */
static void fitted(void)
{
    const images im = { 1, 6, 6, 0, 0, 1, 0, 1 };
    gtr_float w[2][ROWS * 36];
    gtr_augment_desc a = augment0();
    a.pad = 1; a.flip = 0.5f;
    for (int k = 0; k < 2; k++) {
        net n = made(desc0(), im, a, trainer0());
        gtr_fit_desc f;
        memset(&f, 0, sizeof f);
        f.epochs = 4; f.batch = BATCH; f.silent = true;
        if (k) EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
        else EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, true, false), GTR_OK);
        for (int s = 0; s < 12 && !k; s++) EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_EQ(gtr_get(gtr_parameter_find(n.ctx, "fc.weight"), w[k], sizeof w[k]), GTR_OK);
        gtr_destroy(n.ctx);
    }
    CHECK(!memcmp(w[0], w[1], sizeof w[0]), "gtr_fit trained on other images than gtr_step");
}
/* Outside training: the middle, normalised; what gtr_dataset_convert makes for gtr_set and predictors is the same. */
static void evaluated(void)
{
    const int one = 1;
    const images im = { 3, 8, 6, 0, 0, 0, 0, 0 };
    for (int k = 0; k < 3; k++) {
        gtr_augment_desc a = all_of_it();
        gtr_float x[ROWS * 3 * 8 * 6], z[ROWS * 3 * 8 * 6], out[2][ROWS];
        uint8_t *bytes = (uint8_t *)malloc(ROWS * 144);
        float loss, mean = 0;
        if (k == 1) a.height = 8;
        if (k == 2) { a.height = 11; a.width = 3; }
        net n = made(desc0(), im, a, trainer0());
        const int h = crop_h(&im, &a), w = crop_w(&im, &a);
        const int64_t row = 3 * h * w;
        const int top = h > 8 ? -((h - 8 + 1) / 2) : (8 - h) / 2, left = w > 6 ? -((w - 6 + 1) / 2) : (6 - w) / 2;
        EXPECT_EQ(gtr_evaluate(n.t, n.data, ROWS, NULL, &loss, NULL), GTR_OK);
        if (row * ROWS <= (int64_t)(sizeof x / sizeof *x)) {
            EXPECT_EQ(gtr_get(n.x, x, sizeof *x * (size_t)(row * ROWS)), GTR_OK);
            for (int r = 0; r < ROWS; r++) CHECK(is_crop(&n, x + r * row, r, top, left, 0, 0), "case %d, row %d", k, r);
            for (int r = 0; r < ROWS; r++) memcpy(bytes + 144 * r, gtr_dataset_row(n.data, 0, r), 144);
            EXPECT_EQ(gtr_dataset_convert(n.data, 0, n.x, bytes, ROWS, z), GTR_OK);
            for (int64_t i = 0; i < row * ROWS; i++)
                if (!CHECK(fabs((double)x[i] - (double)z[i]) < 1e-6, "case %d: element %d", k, (int)i)) break;
            gtr_tensor *logits = gtr_logsumexp(gtr_flatten(n.x), &one, 1, false);
            gtr_predictor *p = gtr_predictor_create(logits, 5);
            EXPECT_EQ(gtr_predict(p, z, ROWS, out[0]), GTR_OK);
            EXPECT_EQ(gtr_set(n.x, z, sizeof *z * (size_t)(row * ROWS)), GTR_OK);
            EXPECT_EQ(gtr_eval(&logits, 1), GTR_OK);
            EXPECT_EQ(gtr_get(logits, out[1], sizeof out[1]), GTR_OK);
            for (int r = 0; r < ROWS; r++) CHECK(fabs((double)out[0][r] - (double)out[1][r]) < 1e-5, "row %d", r);
        }
        EXPECT_EQ(gtr_evaluate(n.t, n.data, 7, NULL, &mean, NULL), GTR_OK);
        CHECK(fabs((double)(mean - loss)) < 1e-5 * fabs((double)loss), "by 7 rows %g, at once %g", (double)mean,
            (double)loss);
        free(bytes);
        gtr_destroy(n.ctx);
    }
}
/* What a convolution reads is fed with channels last: no permutation is left, the input reads as ever, and the weights
   are those of a plan that keeps the input and so permutes it. */
static void fed_last(void)
{
    static const struct { images im; gtr_precision precision; bool vary, set; } cases[] = {
        { { 3, 8, 6, 0, 0, 0, 0, 0 }, GTR_FP32, 0, 0 }, { { 3, 8, 6, 0, 0, 0, 0, 0 }, GTR_FP32, 1, 0 },
        { { 3, 8, 6, 0, 1, 0, 0, 0 }, GTR_FP32, 0, 0 }, { { 3, 8, 6, 0, 1, 0, 0, 0 }, GTR_FP32, 1, 0 },
        { { 2, 8, 6, 1, 0, 0, 0, 0 }, GTR_FP32, 0, 0 }, { { 3, 8, 6, 1, 0, 0, 0, 0 }, GTR_FP32, 0, 1 },
        { { 3, 8, 6, 0, 0, 0, 0, 0 }, GTR_MIXED_FP16, 1, 0 }, { { 3, 8, 6, 0, 1, 0, 0, 0 }, GTR_MIXED_FP16, 0, 0 },
        { { 4, 7, 5, 1, 1, 0, 0, 0 }, GTR_MIXED_FP16, 0, 1 }, { { 3, 7, 5, 1, 0, 0, 0, 0 }, GTR_FP32, 0, 0 },
        { { 3, 7, 5, 0, 0, 0, 0, 0 }, GTR_MIXED_FP16, 0, 0 }, { { 40, 3, 3, 1, 0, 0, 0, 0 }, GTR_FP32, 0, 0 },
        { { 40, 3, 3, 0, 0, 0, 0, 0 }, GTR_MIXED_FP16, 0, 0 }, { { 35, 3, 3, 1, 0, 0, 0, 0 }, GTR_FP32, 0, 0 },
        { { 3, 8, 40, 1, 0, 0, 0, 0 }, GTR_MIXED_FP16, 0, 0 } };
    enum { MOST = 3 * 8 * 40 };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        gtr_float x[2][ROWS * MOST], w[2][4 * 40 * 9], few[5];
        int32_t labels[ROWS];
        const images im = cases[k].im;
        memset(x, 0, sizeof x);
        for (int r = 0; r < ROWS; r++) labels[r] = r;
        for (int kept = 0; kept < 2; kept++) {
            gtr_augment_desc a = augment0();
            if (cases[k].vary) a = all_of_it();
            gtr_context *ctx = gtr_create(desc0());
            gtr_trainer_desc td = trainer0();
            gtr_conv_desc cd;
            const int h = crop_h(&im, &a), wide = crop_w(&im, &a);
            const int64_t row = (int64_t)im.c * h * wide;
            const size_t bytes = sizeof **x * (size_t)(BATCH * row);
            memset(&cd, 0, sizeof cd);
            cd.out = 4; cd.kernel = 3; td.precision = cases[k].precision;
            gtr_tensor *in = gtr_input(ctx, "image", GTR_F32, gtr_shape4(GTR_BATCH, im.c, h, wide));
            gtr_tensor *y = gtr_input(ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH));
            if (kept) gtr_keep(in);
            gtr_tensor *t = gtr_flatten(gtr_relu(gtr_conv2d_ex(in, "conv", cd)));
            gtr_trainer *trainer = gtr_trainer_create(gtr_cross_entropy(gtr_linear(t, "fc", ROWS), y), td);
            gtr_dataset *data = made_data(ctx, &im, a);
            if (!cases[k].set) EXPECT_EQ(gtr_trainer_data(trainer, data, BATCH, true, false), GTR_OK);
            const char *text = gtr_plan_text(trainer, BATCH);
            CHECK(*text && !strstr(text, " permute \"image\"") == !kept, "case %d, kept %d:\n%s", (int)k, kept, text);
            for (int s = 0; s < 4; s++) {
                if (cases[k].set) {
                    gtr_float in_x[BATCH * MOST];
                    for (int64_t i = 0; i < BATCH * row; i++) in_x[i] = (gtr_float)(((i + s) * 37) % 64) / 64;
                    EXPECT(!gtr_set(in, in_x, bytes) && !gtr_set(y, labels, sizeof *labels * BATCH));
                }
                EXPECT_EQ(gtr_step(trainer), GTR_OK);
            }
            EXPECT_EQ(gtr_get(in, x[kept], bytes), GTR_OK);
            EXPECT_EQ(gtr_get(in, few, sizeof few), GTR_OK);
            EXPECT(!memcmp(few, x[kept], sizeof few) && gtr_item(in) == x[kept][0]);
            EXPECT_EQ(gtr_get(gtr_parameter_find(ctx, "conv.weight"), w[kept], sizeof **w * (size_t)(36 * im.c)),
                GTR_OK);
            gtr_destroy(ctx);
        }
        double worst = 0;       /* kept it lies in float32, too */
        for (int i = 0; i < ROWS * MOST; i++) worst = fmax(worst, fabs((double)x[0][i] - (double)x[1][i]));
        CHECK(cases[k].precision == GTR_FP32 ? worst == 0 : worst < 2e-3, "case %d: the input is %g apart", (int)k,
            worst);
        CHECK(!memcmp(w[0], w[1], sizeof **w * (size_t)(36 * im.c)), "case %d: weights differ", (int)k);
    }
}
/* Channels last of other shapes than images': (L, C), (D, H, W, C). */
static void turned_rows(void)
{
    static const struct { int n, from[4], to[4]; } cases[] = { { 2, { 6, 5 }, { 5, 6 } },
        { 4, { 2, 3, 4, 5 }, { 5, 2, 3, 4 } }, { 3, { 2, 9, 3 }, { 3, 2, 9 } } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_arrays_desc d;
        gtr_shape s = gtr_shape0();
        uint8_t bytes[3 * 120];
        gtr_float x[3 * 120];
        memset(&d, 0, sizeof d);
        d.rows = 3;
        d.column[0].data = bytes; d.column[0].dtype = GTR_U8; d.column[0].channels_last = true; d.column[0].scale = 1;
        int elements = 1;
        s.dim[s.ndim++] = GTR_BATCH;
        for (int i = 0; i < cases[k].n; i++) {
            d.column[0].shape.dim[d.column[0].shape.ndim++] = cases[k].from[i];
            s.dim[s.ndim++] = cases[k].to[i];
            elements *= cases[k].from[i];
        }
        for (int i = 0; i < 3 * elements; i++) bytes[i] = (uint8_t)(i * 11);
        gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, s), *sum = gtr_mean(gtr_linear(gtr_flatten(in), "fc", 1), NULL,
            0, false);
        gtr_trainer *t = gtr_trainer_create(sum, trainer0());
        EXPECT_EQ(gtr_trainer_data(t, gtr_dataset_arrays(ctx, d), 3, false, false), GTR_OK);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        EXPECT_EQ(gtr_get(in, x, sizeof *x * (size_t)(3 * elements)), GTR_OK);
        const int c = cases[k].to[0], places = elements / c;
        for (int i = 0; i < 3 * elements; i++) {
            const int r = i / elements, at = i % elements,
                want = (uint8_t)((r * elements + at % places * c + at / places) * 11);
            if (!CHECK(x[i] == (gtr_float)want, "case %d: element %d is %g, not %d", (int)k, i, (double)x[i],
                want)) break;
        }
        gtr_destroy(ctx);
    }
}
static void refused(void)
{
    const images im = { 3, 6, 5, 0, 0, 0, 0, 0 };
    net n = made(desc0(), im, augment0(), trainer0());
    gtr_float x[90];
    static const struct { size_t at; bool whole; double value; const char *part; } bad[] = {
#define F(field) offsetof(gtr_augment_desc, field)
        { F(flip), 0, 1.5, "flip is 1.5, want 0 to 1" }, { F(flip_vertical), 0, -0.1, "flip_vertical is -0.1" },
        { F(flip), 0, NAN, "flip is" },
        { F(brightness), 0, -1, "brightness" }, { F(contrast), 0, INFINITY, "contrast" }, { F(mean), 0, NAN,
            "means are" },
        { F(std), 0, -1, "deviations" }, { F(pad), 1, -1, "pad" }, { F(cutout), 1, -1, "cutout" },
        { F(pad_mode), 1, 4, "pad_mode" }, { F(height), 1, 7, "want a crop" }, { F(width), 1, -2, "want a crop" } };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        gtr_augment_desc a = augment0();
        const float f = (float)bad[k].value;
        const int i = (int)(bad[k].whole ? bad[k].value : 0);
        memcpy((char *)&a + bad[k].at, bad[k].whole ? (const void *)&i : (const void *)&f, 4);
        EXPECT_EQ(gtr_dataset_augment(n.data, 0, a), GTR_ERR_ARG);
        EXPECT_ERROR(n.ctx, GTR_ERR_ARG, bad[k].part);
    }
    gtr_augment_desc a = augment0();
    a.pad = 5; a.pad_mode = GTR_PAD_REFLECT;
    EXPECT_EQ(gtr_dataset_augment(n.data, 0, a), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "as many pixels");
    a.pad = 1;
    EXPECT_EQ(gtr_dataset_augment(n.data, 1, a), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "(C, H, W)");
    EXPECT_EQ(gtr_dataset_augment(n.data, 2, a), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "column 2 of 2");
    EXPECT_EQ(gtr_dataset_augment(NULL, 0, a), GTR_ERR_ARG);
    EXPECT_EQ(gtr_dataset_convert(NULL, 0, n.x, x, 1, x), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "gtr_dataset_convert: the data set is NULL");
    EXPECT_EQ(gtr_dataset_convert(n.data, 0, n.loss, x, 1, x), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "no input");
    EXPECT_EQ(gtr_dataset_convert(n.data, 0, n.x, x, 0, x), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "0 rows");
    EXPECT_EQ(gtr_dataset_convert(n.data, 0, n.y, x, 1, x), GTR_ERR_SHAPE);
    EXPECT_ERROR(n.ctx, GTR_ERR_SHAPE, "a row has not its shape");
    for (int k = 0; k < 4; k++) {       /* as many elements, and other extents: not where one has other dimensions,
        or 1 */
        const images other = { 3, k == 1 ? 10 : 5, k == 1 ? 3 : 6, 0, 0, k == 2, 0, 0 };
        const gtr_shape flat = gtr_shape1(90), ones = gtr_shape3(90, 1, 1), tall = gtr_shape3(6, 5, 3);
        gtr_arrays_desc d;
        memset(&d, 0, sizeof d);
        d.rows = 1;
        d.column[0].data = x; d.column[0].shape = k == 0 ? tall : k == 1 ? flat : k == 2 ? ones : shape_of(&other, 0,
            5, 6);
        d.column[1].data = x; d.column[1].dtype = GTR_U8;
        d.column[0].name = k ? NULL : "image";
        memset(x, 0, sizeof x);
        const gtr_result want = k == 1 ? GTR_OK : GTR_ERR_SHAPE;
        EXPECT_EQ(gtr_trainer_data(n.t, gtr_dataset_arrays(n.ctx, d), 1, false, false), want);
        if (k == 0) EXPECT_ERROR(n.ctx, GTR_ERR_SHAPE,
            "column 0 \"image\", rows (6, 5, 3) float32, does not go into input \"image\" "
            "(N, 3, 6, 5) float32: extents differ");
        gtr_error_clear(n.ctx);
    }
    gtr_arrays_desc d;
    memset(&d, 0, sizeof d);
    d.rows = 1;
    d.column[0].data = x; d.column[0].shape = gtr_shape1(3); d.column[0].channels_last = true;
    EXPECT(gtr_dataset_arrays(n.ctx, d) == NULL);
    EXPECT_ERROR(n.ctx, GTR_ERR_SHAPE, "column 0 has channels last and rows (3,)");
    EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, true, false), GTR_OK);
    EXPECT_EQ(gtr_dataset_augment(n.data, 0, a), GTR_ERR_STATE);
    EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "in use");
    gtr_destroy(n.ctx);
}
/* What is random of a row is the same in all its columns: an image and its mask stay one on the other. */
static void columns_alike(void)
{
    gtr_context *ctx = gtr_create(desc0());
    static gtr_float v[64 * 30];
    gtr_arrays_desc d;
    gtr_augment_desc a = augment0();
    gtr_float apart, moved;
    for (int i = 0; i < 64 * 30; i++) v[i] = (gtr_float)(i * 37 % 101);
    memset(&d, 0, sizeof d);
    d.rows = 64;
    for (int k = 0; k < 3; k++) { d.column[k].data = v; d.column[k].shape = gtr_shape2(5, 6); }
    d.column[0].name = "image"; d.column[1].name = "mask"; d.column[2].name = "plain";
    gtr_dataset *data = gtr_dataset_arrays(ctx, d);
    a.flip = 0.5f; a.flip_vertical = 0.5f; a.pad = 2; a.cutout = 2;
    for (int k = 0; k < 2; k++) EXPECT_EQ(gtr_dataset_augment(data, k, a), GTR_OK);
    gtr_tensor *x[3];
    for (int k = 0; k < 3; k++) x[k] = gtr_input(ctx, d.column[k].name, GTR_F32, gtr_shape3(GTR_BATCH, 5, 6));
    gtr_init none;
    memset(&none, 0, sizeof none);
    gtr_tensor *off = gtr_mean(gtr_abs(gtr_sub(x[0], x[1])), NULL, 0, false);
    gtr_tensor *far = gtr_mean(gtr_abs(gtr_sub(x[0], x[2])), NULL, 0, false);
    gtr_tensor *p = gtr_parameter(ctx, "p", gtr_shape1(1), none);
    gtr_keep(off);
    gtr_keep(far);
    gtr_trainer_desc td;
    memset(&td, 0, sizeof td);
    td.lr = 0.1f;
    gtr_trainer *t = gtr_trainer_create(gtr_add(gtr_add(off, far), gtr_mean(p, NULL, 0, false)), td);
    EXPECT_EQ(gtr_trainer_data(t, data, 16, true, false), GTR_OK);
    for (int s = 0; s < 6; s++) {
        EXPECT_EQ(gtr_step(t), GTR_OK);
        EXPECT_EQ(gtr_get(off, &apart, sizeof apart), GTR_OK);
        EXPECT_EQ(gtr_get(far, &moved, sizeof moved), GTR_OK);
        CHECK(apart == 0 && moved > 5, "step %d: columns differ by %g, from what they were by %g", s, (double)apart,
            (double)moved);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* Images of validation, or of an evaluation, that are made into others than training's are refused: what is random
   aside, and what is stored in another way. */
static void validated_alike(void)
{
    enum { MEANS = 1, OTHERS = 2, RANDOM = 4, ROWS_4 = 8, CROP_4 = 16, CROP_5 = 32 };
    static const struct { images im, of; int training, held; const char *why; } cases[] = {
        { { 3, 6, 5, 0, 0, 1, 0, 0 }, { 3, 6, 5, 0, 0, 0, 0, 0 }, MEANS, 0, "other mean or std (gtr_dataset_augment" },
        { { 3, 6, 5, 0, 0, 1, 0, 0 }, { 3, 6, 5, 0, 0, 0, 0, 0 }, 0, MEANS, "other mean or std" },
        { { 3, 6, 5, 0, 0, 1, 0, 0 }, { 3, 6, 5, 0, 0, 0, 0, 0 }, RANDOM, MEANS | OTHERS, "other mean or std" },
        { { 3, 6, 5, 1, 0, 0, 0, 0 }, { 3, 6, 5, 1, 0, 0, 0, 0 }, MEANS, MEANS | OTHERS, "other mean or std" },
        { { 3, 6, 5, 0, 0, 1, 0, 0 }, { 3, 6, 5, 0, 0, 0, 0, 0 }, MEANS | RANDOM, MEANS, NULL },
        { { 3, 6, 5, 0, 0, 1, 0, 0 }, { 3, 6, 5, 0, 0, 0, 0, 0 }, RANDOM, 0, NULL },
        { { 3, 6, 5, 0, 0, 1, 0, 0 }, { 3, 6, 5, 1, 0, 0, 0, 0 }, MEANS, 0, NULL },
        { { 3, 6, 5, 0, 0, 0, 0, 0 }, { 3, 6, 5, 0, 1, 0, 0, 0 }, MEANS, MEANS, NULL },
        { { 3, 6, 5, 0, 0, 0, 0, 0 }, { 3, 4, 4, 0, 0, 0, 0, 0 }, CROP_4, 0, NULL },
        { { 1, 6, 5, 0, 1, 1, 0, 0 }, { 1, 6, 5, 0, 0, 0, 0, 1 }, MEANS, MEANS, NULL },
        { { 3, 6, 5, 0, 0, 1, 0, 0 }, { 3, 6, 5, 0, 1, 0, 0, 0 }, MEANS, MEANS, "other order of channels and pixels" },
        { { 3, 6, 5, 0, 0, 1, 0, 0 }, { 3, 5, 6, 0, 0, 0, 0, 0 }, CROP_5, CROP_4, "other extents (.height and .width" },
        { { 3, 6, 5, 0, 0, 1, 0, 0 }, { 3, 10, 2, 0, 0, 0, 0, 0 }, CROP_5, 0, "other extents (.height and .width" },
        { { 3, 6, 5, 0, 0, 0, 0, 0 }, { 3, 6, 5, 0, 0, 0, 0, 0 }, CROP_4, 0, "other extents (.height and .width" } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        gtr_augment_desc a[2];
        gtr_fit_desc f;
        float loss;
        for (int i = 0; i < 2; i++) {
            const int how = i ? cases[k].held : cases[k].training;
            a[i] = augment0();
            for (int c = 0; c < cases[k].im.c && how & MEANS; c++) {
                a[i].mean[c] = 0.3f + 0.1f * (float)c;
                a[i].std[c] = how & OTHERS && c == 2 ? 0.5f : 0.25f;
            }
            if (how & RANDOM) { a[i].flip = 0.5f; a[i].pad = 1; a[i].brightness = 0.25f; }
            a[i].height = how & CROP_4 ? 4 : how & CROP_5 ? 5 : 0; a[i].width = how & CROP_4 ? k == 11 ? 5 : 4
                : how & CROP_5 ? 4 : 0;
        }
        net n = made(desc0(), cases[k].im, a[0], trainer0());
        memset(&f, 0, sizeof f);
        f.silent = true; f.batch = 8; f.validation = made_data(n.ctx, &cases[k].of, a[1]);
        const gtr_result want = cases[k].why ? GTR_ERR_SHAPE : GTR_OK;
        CHECK(gtr_fit(n.t, n.data, f) == want, "case %d: %s", (int)k, gtr_error_text(n.ctx));
        EXPECT_ERROR(n.ctx, want, cases[k].why ? cases[k].why : "");
        EXPECT_EQ(gtr_trainer_data(n.t, n.data, 8, true, false), GTR_OK);
        CHECK(gtr_evaluate(n.t, f.validation, 8, NULL, &loss, NULL) == want, "case %d, evaluated: %s", (int)k,
            gtr_error_text(n.ctx));
        gtr_error_clear(n.ctx);
        gtr_destroy(n.ctx);
    }
}
/* Means of bytes that nobody divided by 255. */
static void means_of_bytes(void)
{
    static const char undivided[] = "are to be divided by 255";
    static const struct { images im; float mean[3]; const char *why; } cases[] = {
        { { 3, 6, 5, 0, 0, 0, 0, 0 }, { 1, 2, 2.24f }, NULL },  /* bytes are at most 2.2422 */
        { { 3, 6, 5, 0, 0, 0, 0, 0 }, { 0, 0, 2.25f }, undivided },
        { { 3, 6, 5, 0, 1, 0, 0, 0 }, { 124, 116, 104 }, undivided },
        { { 3, 6, 5, 1, 0, 0, 0, 0 }, { 124, 116, 104 }, NULL },
        { { 1, 6, 5, 0, 0, 0, 0, 1 }, { 0.5f, 0, 0 }, NULL },
        { { 1, 6, 5, 0, 0, 0, 0, 1 }, { 0.5f, 0.5f, 0.5f }, ".mean or .std is given of more channels" } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        gtr_augment_desc a = augment0();
        net n = made(desc0(), cases[k].im, a, trainer0());
        memcpy(a.mean, cases[k].mean, sizeof cases[k].mean);
        EXPECT_EQ(gtr_dataset_augment(n.data, 0, a), cases[k].why ? GTR_ERR_ARG : GTR_OK);
        EXPECT_ERROR(n.ctx, cases[k].why ? GTR_ERR_ARG : GTR_OK, cases[k].why ? cases[k].why : "");
        gtr_destroy(n.ctx);
    }
}
static void all(void)
{
    RUN(crops);
    RUN(holes_and_light);
    RUN(the_same);
    RUN(fitted);
    RUN(evaluated);
    RUN(columns_alike);
    RUN(turned_rows);
    RUN(fed_last);
    RUN(refused);
    RUN(validated_alike);
    RUN(means_of_bytes);
}
int main(int argc, char **argv)
{
    check_begin(argc, argv);
    small = getenv("GTR_TEST_SMALL") != NULL;
    check_devices(all, &device);
    return check_done();
}
