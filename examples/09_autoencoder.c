/* An autoencoder: images go through a code of few numbers and come out again, so that the code must keep what matters.
   It shows convolutions that halve an image and two ways to double it (transposed; enlarged, then convolved), a loss
   whose target is the network's input, and a data set made of another's column. `make autoencoder` runs it; by hand:
     cc -O3 -march=native examples/09_autoencoder.c -o autoencoder -lm -pthread && ./autoencoder
     nvcc -O3 -Xcompiler -march=native -DGPUTRAIN_CUDA examples/09_autoencoder.c
     gputrain_cuda.cu -o autoencoder
   Arguments: the picture that it writes (build/autoencoder.pgm): test images, and below each what its code gives back;
   then, if wanted, the data (examples/digits.csv, 8 x 8 pixels, or the folder with the four files of Fashion-MNIST,
   28 x 28), the seed (0), the precision (fp32, tf32, bf16, fp16) and the epochs (60 of the digits, 2 of the other).
   Data: E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository, 1998,
   as scikit-learn packages it; licence CC BY 4.0. Every fifth sample is the test set. Done when what comes back has the
   wanted share of the test images' variance, 1 - squared errors / squared distances from the mean image:
   0.84 of the digits, 0.80 of the other. */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 16, CODE = 16, BATCH = 32, SHOWN = 16, MOST = 28 };
/* The images alone, of data with labels: rows of a column are adjacent. */
static gtr_dataset *images(gtr_context *ctx, gtr_dataset *labelled, int side)
{
    gtr_arrays_desc a;
    memset(&a, 0, sizeof a);
    a.rows = gtr_dataset_rows(labelled);
    a.column[0].data = gtr_dataset_row(labelled, 0, 0);
    a.column[0].dtype = gtr_dataset_dtype(labelled, 0);
    a.column[0].shape = gtr_shape3(1, side, side);
    return gtr_dataset_arrays(ctx, a);                                          /* a copy */
}
static gtr_dataset *idx(gtr_context *ctx, const char *folder, const char *part)
{
    char image[1024], label[1024];
    snprintf(image, sizeof image, "%s/%s-images-idx3-ubyte", folder, part);
    snprintf(label, sizeof label, "%s/%s-labels-idx1-ubyte", folder, part);
    return gtr_dataset_idx(ctx, image, label);
}
/* x (N, 1, side, side) -> (N, CODE) */
static gtr_tensor *encode(gtr_tensor *x)
{
    gtr_tensor *h = gtr_relu(gtr_conv2d(x, "down1", WIDTH, 3, 2, 1));           /* stride 2: side / 2 */
    h = gtr_relu(gtr_conv2d(h, "down2", 2 * WIDTH, 3, 2, 1));                   /* side / 4 */
    return gtr_linear(gtr_flatten(h), "code", CODE);
}
/* (N, CODE) -> logits of the pixels (N, 1, side, side) */
static gtr_tensor *decode(gtr_tensor *code, int side)
{
    const int quarter = side / 4;
    gtr_tensor *h = gtr_relu(gtr_linear(code, "open", 2 * WIDTH * quarter * quarter));
    h = gtr_reshape(h, gtr_shape4(GTR_BATCH, 2 * WIDTH, quarter, quarter));
    h = gtr_relu(gtr_conv_transpose2d(h, "up1", WIDTH, 2, 2, 0));               /* side / 2 */
    h = gtr_upsample2d(h, 2, false);
    return gtr_conv2d(h, "up2", 1, 3, 1, 1);
}
/* The mean squared distance of a pixel from its mean over all images. */
static double variance(const float *x, int n, int pixels)
{
    double all = 0;
    int i, k;
    for (k = 0; k < pixels; k++) {
        double sum = 0, squares = 0;
        for (i = 0; i < n; i++) {
            const double v = x[(size_t)i * (size_t)pixels + (size_t)k];
            sum += v;
            squares += v * v;
        }
        all += squares / n - sum / n * (sum / n);
    }
    return all / pixels;
}
/* SHOWN images side by side, and below each what came back; each pixel ZOOM by ZOOM. */
static int show(const char *path, const float *x, const float *back, int side)
{
    enum { GAP = 4, MOST_WIDE = SHOWN * (4 * MOST + GAP) + GAP };
    const int zoom = side < 16 ? 8 : 3, cell = side * zoom + GAP, wide = SHOWN * cell + GAP;
    unsigned char line[MOST_WIDE];
    FILE *f = fopen(path, "wb");
    int row, i, k, y;
    if (!f) return 0;
    fprintf(f, "P5 %d %d 255\n", wide, 2 * cell + GAP);
    for (y = 0; y < 2 * cell + GAP; y++) {
        memset(line, 96, sizeof line);
        row = y % cell < GAP ? -1 : y / cell;
        for (i = 0; i < SHOWN && row >= 0; i++) for (k = 0; k < side * zoom; k++) {
            const float v = (row ? back : x)[(i * side + (y % cell - GAP) / zoom) * side + k / zoom];
            line[GAP + i * cell + k] = (unsigned char)(255 * (v < 0 ? 0 : v > 1 ? 1 : v));
        }
        fwrite(line, 1, (size_t)wide, f);
    }
    return !fclose(f);
}

int main(int argc, char **argv)
{
    static const char *const precisions[] = { "fp32", "tf32", "bf16", "fp16" };
    static gtr_desc desc;
    static gtr_csv_desc csv;
    static gtr_trainer_desc how;
    static gtr_fit_desc fit;
    const char *path = argc > 1 ? argv[1] : "build/autoencoder.pgm", *data = argc > 2 ? argv[2] : "examples/digits.csv";
    const size_t length = strlen(data);
    const int fashion = length < 4 || strcmp(data + length - 4, ".csv") != 0, side = fashion ? 28 : 8;
    gtr_context *ctx;
    gtr_dataset *train, *test;
    gtr_tensor *x, *logits, *back;
    gtr_trainer *trainer;
    float *seen = NULL, *returned = NULL, error = 0;
    const double target = fashion ? 0.80 : 0.84;
    double share = 0;
    int i, n, failed;

    desc.seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    for (i = 0; i < 4; i++) if (argc > 4 && !strcmp(argv[4], precisions[i])) how.precision = (gtr_precision)i;
    fit.epochs = argc > 5 ? atoi(argv[5]) : fashion ? 2 : 60;
    ctx = gtr_create(desc);
    printf("%s\n", gtr_device_text(ctx));
    fflush(stdout);
    csv.scale = 1.0f / 16;                                                      /* 0..16 become 0..1 */
    train = fashion ? idx(ctx, data, "train") : gtr_dataset_csv(ctx, data, csv);
    test = fashion ? idx(ctx, data, "t10k") : gtr_dataset_split(train, 5);
    train = images(ctx, train, side);
    test = images(ctx, test, side);

    x = gtr_input(ctx, "image", GTR_F32, gtr_shape4(GTR_BATCH, 1, side, side));
    logits = decode(encode(x), side);
    back = gtr_sigmoid(logits);

    how.optimizer = GTR_ADAM;
    how.lr = 2e-3f;
    how.schedule = GTR_COSINE;
    trainer = gtr_trainer_create(gtr_bce_with_logits(logits, x), how);
    fit.batch = BATCH;
    fit.validation = test;
    fit.metric = gtr_mse(back, x);
    gtr_fit(trainer, train, fit);
    gtr_evaluate(trainer, test, 256, fit.metric, NULL, &error);

    n = (int)gtr_dataset_rows(test);
    if (!gtr_error(ctx)) {
        gtr_predictor *p = gtr_predictor_create(back, SHOWN);
        seen = (float *)malloc((size_t)n * (size_t)(side * side) * sizeof *seen);
        returned = (float *)malloc((size_t)(SHOWN * side * side) * sizeof *returned);
        if (seen && returned && !gtr_dataset_convert(test, 0, x, gtr_dataset_row(test, 0, 0), n, seen)
            && !gtr_predict(p, seen, SHOWN, returned)) {
            share = 1 - error / variance(seen, n, side * side);
            if (show(path, seen, returned, side)) printf("test images and what came back: %s\n", path);
            else fprintf(stderr, "%s could not be written\n", path);
        }
        gtr_predictor_destroy(p);
    }
    free(seen);
    free(returned);
    failed = gtr_error(ctx) != GTR_OK;
    if (failed) fprintf(stderr, "%s: %s\n", gtr_result_text(gtr_error(ctx)), gtr_error_text(ctx));
    gtr_destroy(ctx);
    printf("autoencoder: %.4f of the variance of %d test images comes back, by %d numbers for %d pixels; wanted %.2f\n",
        share, n, CODE, side * side, target);
    return failed || share < target;
}
