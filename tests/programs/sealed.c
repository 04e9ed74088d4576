/* A program that compiles no kernel: the network of 06_cnn.c with a sealed list of its kernels. It trains, evaluates,
   predicts and names what is not finite, and prints what all that leaves, for each batch; the list is of one batch, and
   what it lacks for the others runs by each op's general kernel. tests/sealed.sh writes the list without a GPU, and
   compares with kernels that are compiled in place.
   usage: sealed max_sm batch...; of a batch below 0 the device is printed too */
#define GPUTRAIN_IMPLEMENTATION
#include "../../gputrain.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 700 };
static uint8_t images[ROWS * 784];
static int32_t labels[ROWS];
static unsigned hash(unsigned h, const void *data, size_t n)
{
    const unsigned char *p = (const unsigned char *)data;
    while (n--) h = (h ^ *p++) * 16777619u;
    return h;
}
static int trains(int max_sm, int batch)
{
    gtr_desc d;
    gtr_trainer_desc how;
    gtr_fit_desc fit;
    gtr_arrays_desc a;
    gtr_tensor *x, *y, *h, *logits, *accuracy;
    static float out[10 * 10], weight[128 * 3136], bad[784];
    float loss = 0, value = 0;
    unsigned sum = 1;
    memset(&d, 0, sizeof d); memset(&how, 0, sizeof how); memset(&fit, 0, sizeof fit); memset(&a, 0, sizeof a);
    d.max_sm = max_sm;
    gtr_context *ctx = gtr_create(d);
    if (batch < 0) { printf("%s\n", gtr_device_text(ctx)); batch = -batch; }
    x = gtr_input(ctx, "image", GTR_F32, gtr_shape4(GTR_BATCH, 1, 28, 28));
    y = gtr_input(ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH));
    h = gtr_max_pool2d(gtr_relu(gtr_conv2d(x, "conv1", 32, 3, 1, 1)), 2, 0, 0);
    h = gtr_max_pool2d(gtr_relu(gtr_conv2d(h, "conv2", 64, 3, 1, 1)), 2, 0, 0);
    h = gtr_relu(gtr_linear(gtr_flatten(h), "fc1", 128));
    logits = gtr_linear(h, "fc2", 10);
    accuracy = gtr_accuracy(logits, y);
    how.optimizer = GTR_ADAM; how.lr = 1e-3f; how.precision = GTR_TF32;
    gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(logits, y), how);
    a.rows = batch == 1 ? 40 : ROWS;
    a.column[0].data = images; a.column[0].dtype = GTR_U8; a.column[0].shape = gtr_shape3(1, 28, 28);
    a.column[1].data = labels; a.column[1].dtype = GTR_I32; a.column[1].shape = gtr_shape0();
    gtr_dataset *set = gtr_dataset_arrays(ctx, a);
    fit.batch = batch; fit.epochs = 2; fit.silent = true; fit.validation = set; fit.metric = accuracy;
    gtr_fit(t, set, fit);
    gtr_evaluate(t, set, batch, accuracy, &loss, &value);
    gtr_predictor *p = gtr_predictor_create(logits, 10);
    for (int i = 0; i < 784; i++) bad[i] = (float)images[i] / 255;
    if (p) gtr_predict(p, bad, 1, out);
    gtr_get(gtr_parameter_find(ctx, "fc1.weight"), weight, sizeof weight);
    sum = hash(hash(hash(hash(sum, &loss, 4), &value, 4), out, 40), weight, sizeof weight);
    printf("max_sm %d batch %d: loss %.9g accuracy %.9g weights and answers %08x %s\n", max_sm, batch, loss, value, sum,
        gtr_error(ctx) ? gtr_error_text(ctx) : "");
    const int failed = gtr_error(ctx) != GTR_OK;
    gtr_trainer_data(t, NULL, 0, false, false);
    for (int i = 0; i < 784; i++) bad[i] = 3e38f;       /* finite: what a convolution makes of it is not */
    gtr_set(x, bad, sizeof bad);
    gtr_set(y, labels, 4);
    gtr_step(t);
    gtr_wait(ctx);
    printf("  not finite: %s\n", gtr_error_text(ctx));
    gtr_destroy(ctx);
    return failed;
}
int main(int argc, char **argv)
{
    unsigned u = 1;
    int failed = argc < 3;
    for (int i = 0; i < ROWS * 784; i++) { u = u * 1664525u + 1013904223u; images[i] = (uint8_t)(u >> 24); }
    for (int i = 0; i < ROWS; i++) labels[i] = images[i * 784] % 10;
    for (int i = 2; i < argc; i++) failed |= trains(atoi(argv[1]), atoi(argv[i]));
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    int opened = 0;
    while (maps && fgets(line, sizeof line, maps)) opened |= strstr(line, "nvrtc") || strstr(line, "cublasLt");
    if (maps) fclose(maps);
    fprintf(stderr, "NVRTC or cuBLASLt: %s\n", opened ? "opened" : "not opened");
    return failed;
}
