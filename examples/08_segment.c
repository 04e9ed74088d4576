/* Segmentation: which pixels of a picture belong to a disc, which to a square, a triangle or a cross? A small U-Net
   (O. Ronneberger, P. Fischer, T. Brox, 2015) learns it on pictures that the program draws: bright shapes of any
   colour, size and angle on a dark, cluttered, noisy background. It shows images that come as a camera's bytes,
   (H, W, 3), convolutions down and up with skips, a loss and an accuracy of pixels, weights of classes, and a
   predictor that gives a class a pixel. `make segment` runs it; by hand:
     cc -O3 -march=native examples/08_segment.c -o segment -lm -pthread && ./segment segment.ppm
     nvcc -O3 -Xcompiler -march=native -DGPUTRAIN_CUDA examples/08_segment.c
     gputrain_cuda.cu -o segment
   Arguments: the picture that it writes (build/segment.ppm): some test images, below them what is true, below that what
   the network says; then, if wanted, the seed (0), the precision (fp32, tf32, bf16, fp16) and the epochs (7). Done when
   the intersection of truth and answer over their union, a mean over the classes, is at least 0.85 on pictures that it
   has not seen. */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TARGET 0.85
enum { SIDE = 32, PIXELS = SIDE * SIDE, CLASSES = 5, SHAPES = 5, TRAIN = 768, TEST = 192, BATCH = 8, WIDTH = 16,
    SHOWN = 10 };
static const char *const classes[CLASSES] = { "background", "disc", "square", "triangle", "cross" };

/* ---- pictures, drawn ---- */
static uint32_t dice = 1;
static float chance(void)                       /* uniform in 0..1 */
{
    dice ^= dice << 13;
    dice ^= dice >> 17;
    dice ^= dice << 5;
    return (float)(dice >> 8) / (1 << 24);
}
/* Whether (u, v), in units of the shape's size and turned to its angle, is inside. */
static int inside(int shape, float u, float v)
{
    const float a = fabsf(u), b = fabsf(v);
    switch (shape) {
    case 1: return u * u + v * v < 1;
    case 2: return a < 0.85f && b < 0.85f;
    case 3: return v > -0.6f && 0.87f * a + 0.5f * v < 0.6f;
    default: return (a < 0.3f && b < 1) || (b < 0.3f && a < 1);
    }
}
static void colour(float *c, float from) { int k; for (k = 0; k < 3; k++) c[k] = from + 0.55f * chance(); }
/* A picture (SIDE, SIDE, 3) and its classes (SIDE, SIDE). */
static void draw(unsigned char *picture, unsigned char *truth)
{
    float rgb[PIXELS][3], from[3], to[3], c[3], at[SHAPES][2];
    int i, k, n;
    colour(from, 0); colour(to, 0);
    for (i = 0; i < PIXELS; i++) for (k = 0; k < 3; k++) rgb[i][k] = from[k] + (to[k] - from[k]) * (i % SIDE) / SIDE;
    memset(truth, 0, PIXELS);
    for (n = 0; n < 6; n++) {                   /* clutter: short lines, which are nothing */
        const float angle = chance() * 6.2832f, length = SIDE * (0.1f + 0.4f * chance());
        float px = chance() * SIDE, py = chance() * SIDE;
        for (colour(c, 0.3f), i = 0; i < (int)length; i++, px += cosf(angle), py += sinf(angle))
            if (px >= 0 && px < SIDE && py >= 0 && py < SIDE) memcpy(rgb[(int)py * SIDE + (int)px], c, sizeof c);
    }
    for (n = 0; n < SHAPES; n++) {
        const int shape = 1 + (int)((CLASSES - 1) * chance());
        const float size = SIDE * (0.14f + 0.12f * chance()), angle = chance() * 6.2832f;
        const float co = cosf(angle) / size, si = sinf(angle) / size;
        at[n][0] = SIDE * (0.15f + 0.7f * chance());
        at[n][1] = SIDE * (0.15f + 0.7f * chance());
        for (k = 0; k < n; k++) if (hypotf(at[n][0] - at[k][0], at[n][1] - at[k][1]) < 0.35f * SIDE) break;
        if (k < n) continue;                    /* too near another place */
        for (colour(c, 0.45f), i = 0; i < PIXELS; i++) {
            const float dx = (float)(i % SIDE) - at[n][0], dy = (float)(i / SIDE) - at[n][1];
            if (!inside(shape, co * dx + si * dy, co * dy - si * dx)) continue;
            memcpy(rgb[i], c, sizeof c);
            truth[i] = (unsigned char)shape;
        }
    }
    for (i = 0; i < PIXELS; i++) for (k = 0; k < 3; k++) {
        const float v = rgb[i][k] + 0.15f * (chance() + chance() - 1);
        picture[3 * i + k] = (unsigned char)(255 * (v < 0 ? 0 : v > 1 ? 1 : v));
    }
}
static gtr_dataset *drawn(gtr_context *ctx, int rows)
{
    static gtr_arrays_desc a;                   /* columns go to the inputs of their names */
    unsigned char *picture = (unsigned char *)malloc((size_t)rows * PIXELS * 3), *truth;
    gtr_dataset *set = NULL;
    int i;
    truth = (unsigned char *)malloc((size_t)rows * PIXELS);
    if (picture && truth) {
        for (i = 0; i < rows; i++) draw(picture + (size_t)i * PIXELS * 3, truth + (size_t)i * PIXELS);
        a.rows = rows;
        a.column[0].data = picture;
        a.column[0].dtype = GTR_U8;
        a.column[0].shape = gtr_shape3(SIDE, SIDE, 3);
        a.column[0].channels_last = true;
        a.column[0].name = "picture";
        a.column[1].data = truth;
        a.column[1].dtype = GTR_U8;
        a.column[1].shape = gtr_shape2(SIDE, SIDE);
        a.column[1].name = "truth";
        set = gtr_dataset_arrays(ctx, a);       /* a copy */
    }
    free(picture);
    free(truth);
    return set;
}

/* ---- the network ---- */
/* Two convolutions with batch norms, whose parameters are NAME.conv1.weight, NAME.norm1.weight and so on. */
static gtr_tensor *block(gtr_context *ctx, gtr_tensor *x, const char *name, int channels)
{
    static gtr_conv_desc conv;
    conv.out = channels;
    conv.kernel = 3;
    conv.padding = 1;
    conv.no_bias = true;                        /* the norm behind it has one */
    gtr_scope_begin(ctx, name);
    x = gtr_relu(gtr_batch_norm(gtr_conv2d_ex(x, "conv1", conv), "norm1"));
    x = gtr_relu(gtr_batch_norm(gtr_conv2d_ex(x, "conv2", conv), "norm2"));
    gtr_scope_end(ctx);
    return x;
}
/* Up by 2, beside what was there on the way down. */
static gtr_tensor *up(gtr_tensor *x, gtr_tensor *skip, const char *name, int channels)
{
    gtr_tensor *both[2];
    both[0] = gtr_conv_transpose2d(x, name, channels, 2, 2, 0);
    both[1] = skip;
    return gtr_concat(both, 2, 1);
}
static gtr_tensor *unet(gtr_context *ctx, gtr_tensor *x)
{
    gtr_tensor *a = block(ctx, x, "down1", WIDTH);                                      /* 32 x 32 */
    gtr_tensor *b = block(ctx, gtr_max_pool2d(a, 2, 0, 0), "down2", 2 * WIDTH);         /* 16 x 16 */
    gtr_tensor *h = block(ctx, gtr_max_pool2d(b, 2, 0, 0), "bottom", 4 * WIDTH);        /* 8 x 8 */
    h = block(ctx, up(h, b, "up2", 2 * WIDTH), "join2", 2 * WIDTH);
    h = block(ctx, up(h, a, "up1", WIDTH), "join1", WIDTH);
    return gtr_conv2d(h, "out", CLASSES, 1, 1, 0);
}

/* ---- what came of it ---- */
/* Intersection over union of each class, and their mean. */
static double report(const unsigned char *truth, const int32_t *says, size_t n)
{
    double both[CLASSES] = { 0 }, either[CLASSES] = { 0 }, right = 0, mean = 0;
    size_t i;
    int k;
    for (i = 0; i < n; i++) {
        either[truth[i]]++;
        if (says[i] == truth[i]) both[truth[i]]++, right++;
        else either[says[i]]++;
    }
    printf("%d test pictures, %.2f %% of their pixels right; intersection over union:\n", TEST,
        100 * right / (double)n);
    for (k = 0; k < CLASSES; k++) {
        printf("  %-10s %.3f\n", classes[k], both[k] / either[k]);
        mean += both[k] / either[k] / CLASSES;
    }
    return mean;
}
/* SHOWN pictures side by side: input, truth and answer, one below the other, each pixel ZOOM by ZOOM. */
static int show(const char *path, gtr_dataset *set, const int32_t *says)
{
    enum { ZOOM = 4, GAP = 4, CELL = SIDE * ZOOM + GAP, WIDE = SHOWN * CELL + GAP, HIGH = 3 * CELL + GAP };
    static const unsigned char palette[CLASSES][3] = {
        { 32, 32, 40 }, { 230, 80, 60 }, { 70, 160, 230 }, { 240, 200, 70 }, { 110, 200, 110 } };
    static unsigned char image[HIGH][WIDE][3];
    FILE *f = fopen(path, "wb");
    int x, y, i;
    if (!f) return 0;
    memset(image, 255, sizeof image);
    for (i = 0; i < SHOWN; i++) for (y = 0; y < 3 * SIDE * ZOOM; y++) for (x = 0; x < SIDE * ZOOM; x++) {
        const int row = y / (SIDE * ZOOM), at = y / ZOOM % SIDE * SIDE + x / ZOOM;
        const unsigned char *from = (const unsigned char *)gtr_dataset_row(set, row > 0, i);
        memcpy(image[GAP + y + row * GAP][GAP + i * CELL + x], row == 0 ? from + 3 * at
            : palette[row == 1 ? from[at] : says[i * PIXELS + at]], 3);
    }
    fprintf(f, "P6 %d %d 255\n", WIDE, HIGH);
    fwrite(image, sizeof image, 1, f);
    return !fclose(f);
}

int main(int argc, char **argv)
{
    static const char *const precisions[] = { "fp32", "tf32", "bf16", "fp16" };
    static gtr_desc desc;
    static gtr_trainer_desc how;
    static gtr_fit_desc fit;
    static gtr_cross_entropy_desc entropy;
    static const float weights[CLASSES] = { 0.2f, 1, 1, 1, 1 };         /* most pixels are background, and easy */
    static float floats[TEST * PIXELS * 3];
    static int32_t says[TEST * PIXELS];
    const char *path = argc > 1 ? argv[1] : "build/segment.ppm";
    gtr_context *ctx;
    gtr_dataset *train, *test;
    gtr_tensor *x, *y, *scores;
    gtr_trainer *trainer;
    gtr_predictor *p;
    double mean = 0;
    int i, failed;

    desc.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    for (i = 0; i < 4; i++) if (argc > 3 && !strcmp(argv[3], precisions[i])) how.precision = (gtr_precision)i;
    fit.epochs = argc > 4 ? atoi(argv[4]) : 7;
    ctx = gtr_create(desc);
    printf("%s\n", gtr_device_text(ctx));
    fflush(stdout);
    train = drawn(ctx, TRAIN);
    test = drawn(ctx, TEST);

    x = gtr_input(ctx, "picture", GTR_F32, gtr_shape4(GTR_BATCH, 3, SIDE, SIDE));       /* bytes become 0..1 floats */
    y = gtr_input(ctx, "truth", GTR_I32, gtr_shape3(GTR_BATCH, SIDE, SIDE));
    scores = unet(ctx, x);                                                              /* (N, CLASSES, SIDE, SIDE) */

    how.optimizer = GTR_ADAMW;
    how.lr = 5e-3f;
    how.schedule = GTR_COSINE;
    entropy.weight = gtr_constant(ctx, GTR_F32, gtr_shape1(CLASSES), weights);
    trainer = gtr_trainer_create(gtr_cross_entropy_ex(scores, y, entropy), how);
    fit.batch = BATCH;
    fit.validation = test;
    fit.metric = gtr_accuracy(scores, y);
    gtr_fit(trainer, train, fit);

    p = gtr_predictor_create(gtr_argmax(scores, 1), 32);
    if (!gtr_error(ctx) && !gtr_dataset_convert(test, 0, x, gtr_dataset_row(test, 0, 0), TEST, floats)
        && !gtr_predict(p, floats, TEST, says)) {       /* a column's rows are adjacent: the first begins them all */
        mean = report((const unsigned char *)gtr_dataset_row(test, 1, 0), says, (size_t)TEST * PIXELS);
        if (show(path, test, says)) printf("input, truth and answer of %d of them: %s\n", SHOWN, path);
        else fprintf(stderr, "%s could not be written\n", path);
    }
    gtr_predictor_destroy(p);
    failed = gtr_error(ctx) != GTR_OK;
    if (failed) fprintf(stderr, "%s: %s\n", gtr_result_text(gtr_error(ctx)), gtr_error_text(ctx));
    gtr_destroy(ctx);
    printf("segmentation: mean intersection over union %.3f, wanted %.2f\n", mean, TARGET);
    return failed || mean < TARGET;
}
