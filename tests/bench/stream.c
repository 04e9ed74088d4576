/* What a step of examples/06_cnn.c takes on Fashion-MNIST where the rows are streamed, against rows in the device's
   memory: from host memory, from files that are mapped, from a callback; batches of 128, BF16 where there is one. Each
   trains in a context of its own, in turns of an epoch; a step's time is the median of the turns'. At the end the
   weights of all must be the same to the byte, and on a GPU no step over 1.1 times the first one's, else it exits
   with 1.
     make bench-stream, or cc -O3 -march=native tests/bench/stream.c -o build/cpu/stream -lm -pthread
   Arguments: the folder with the training files, gunzipped; turns (9); cpu or cuda; fp32, tf32 or bf16. */
#define GPUTRAIN_IMPLEMENTATION
#include "../../gputrain.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESIDENT, STREAMED, MAPPED, CALLBACK, KINDS, MOST = 99, PIXELS = 784 };
static const char *const names[KINDS] = { "on the device", "host memory", "mapped files", "a callback" };
typedef struct net { gtr_context *ctx; gtr_dataset *set; gtr_trainer *t; double us[MOST], wait; } net;

static bool fill(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    const gtr_dataset *from = (const gtr_dataset *)user;
    (void)epoch;
    memcpy(column[0], gtr_dataset_row(from, 0, begin), (size_t)(end - begin) * PIXELS);
    memcpy(column[1], gtr_dataset_row(from, 1, begin), (size_t)(end - begin));
    return true;
}
static net net_of(int kind, const char *folder, gtr_device device, gtr_precision precision)
{
    net n;
    gtr_desc d;
    gtr_trainer_desc how;
    char images[1024], labels[1024];
    memset(&n, 0, sizeof n); memset(&d, 0, sizeof d); memset(&how, 0, sizeof how);
    d.device = device;
    n.ctx = gtr_create(d);
    snprintf(images, sizeof images, "%s/train-images-idx3-ubyte", folder);
    snprintf(labels, sizeof labels, "%s/train-labels-idx1-ubyte", folder);
    n.set = kind == MAPPED ? gtr_dataset_idx_map(n.ctx, images, labels) : gtr_dataset_idx(n.ctx, images, labels);
    if (kind == CALLBACK && n.set) {
        gtr_callback_desc c;
        memset(&c, 0, sizeof c);
        c.rows = gtr_dataset_rows(n.set); c.columns = 2; c.fill = fill; c.user = n.set;
        for (int i = 0; i < 2; i++) {
            c.column[i].dtype = GTR_U8; c.column[i].shape = gtr_dataset_shape(n.set, i);
            c.column[i].name = i ? "label" : "image";
        }
        n.set = gtr_dataset_callback(n.ctx, c);
    } else if (n.set) gtr_dataset_stream(n.set, kind == RESIDENT ? GTR_STREAM_NEVER : GTR_STREAM_ALWAYS);
    gtr_tensor *x = gtr_input(n.ctx, "image", GTR_F32, gtr_shape4(GTR_BATCH, 1, 28, 28));
    gtr_tensor *y = gtr_input(n.ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH));
    gtr_tensor *h = gtr_max_pool2d(gtr_relu(gtr_conv2d(x, "conv1", 32, 3, 1, 1)), 2, 0, 0);
    h = gtr_max_pool2d(gtr_relu(gtr_conv2d(h, "conv2", 64, 3, 1, 1)), 2, 0, 0);
    h = gtr_relu(gtr_linear(gtr_flatten(h), "fc1", 128));
    how.optimizer = GTR_ADAM; how.lr = 1e-3f; how.precision = precision;
    n.t = gtr_trainer_create(gtr_cross_entropy(gtr_linear(h, "fc2", 10), y), how);
    if (gtr_error(n.ctx)) { fprintf(stderr, "%s\n", gtr_error_text(n.ctx)); exit(1); }
    return n;
}
static int order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b; return (x > y) - (x < y);
}
int main(int argc, char **argv)
{
    static net n[KINDS];
    static gtr_float weight[2][1 << 19];
    const int turns = argc > 2 ? GTR__MIN(GTR__MAX(atoi(argv[2]), 1), MOST) : 9;
    gtr_device device = GTR_DEVICE_AUTO;
    gtr_precision precision = GTR_MIXED_BF16;
    bool bad = false;
    if (argc < 2) { fprintf(stderr, "usage: %s folder [turns [cpu|cuda [fp32|tf32|bf16]]]\n", argv[0]); return 2; }
    if (argc > 3) device = strcmp(argv[3], "cpu") ? GTR_DEVICE_CUDA : GTR_DEVICE_CPU;
    if (device == GTR_DEVICE_CPU) precision = GTR_FP32;
    if (argc > 4) precision = !strcmp(argv[4], "fp32") ? GTR_FP32 : !strcmp(argv[4], "tf32") ? GTR_TF32 : precision;
    for (int k = 0; k < KINDS; k++) n[k] = net_of(k, argv[1], device, precision);
    printf("%s\n", gtr_device_text(n[0].ctx));
    for (int i = -1; i < turns; i++) for (int k = 0; k < KINDS; k++) { /* the first one plans and captures */
        gtr_fit_desc f;
        memset(&f, 0, sizeof f);
        f.batch = 128; f.silent = true;
        gtr_fit(n[k].t, n[k].set, f);
        const gtr_fit_end end = gtr_fit_ended(n[k].t);
        if (gtr_error(n[k].ctx)) { fprintf(stderr, "%s: %s\n", names[k], gtr_error_text(n[k].ctx)); return 1; }
        if (i >= 0) { n[k].us[i] = end.seconds * 1e6 / (double)end.steps; n[k].wait += (double)end.data_wait / turns; }
    }
    for (int k = 0; k < KINDS; k++) {
        int64_t at = 0;
        qsort(n[k].us, (size_t)turns, sizeof *n[k].us, order);
        for (int64_t i = 0; i < n[k].ctx->graph.n_parameter; i++) {
            gtr_tensor *p = n[k].ctx->graph.parameter[i];
            gtr_get(p, &weight[k > 0][at], gtr__bytes_of(p));
            at += (int64_t)(gtr__bytes_of(p) / sizeof **weight);
        }
        const bool same = !memcmp(weight[0], weight[k > 0], (size_t)at * sizeof **weight);
        const double ratio = n[k].us[turns / 2] / n[0].us[turns / 2];
        printf("%-14s %9.1f us a step, %.3f of the first, best %.1f; waited %.1f %% for data%s\n", names[k],
            n[k].us[turns / 2], ratio, n[k].us[0], 100 * n[k].wait, same ? "" : "; OTHER WEIGHTS");
        bad |= !same || (ratio > 1.1 && n[k].ctx->caps.cuda);
        if (k == KINDS - 1) for (int j = 0; j < KINDS; j++) gtr_destroy(n[j].ctx);
    }
    return bad;
}
