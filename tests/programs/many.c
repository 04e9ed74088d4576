/* Many networks in one process, one after the other: host and device memory stay flat. usage: many networks, each of
   other widths, activations and batches, trained for three steps. Prints memory at tenths; fails where the last half
   took more than allocators' pages do: a tenth and 4 MiB of the host's, 8 MiB of the device's. */
#define GPUTRAIN_IMPLEMENTATION
#include "../../gputrain.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float x[256 * 64];
static int32_t y[256];
static unsigned state = 1;
static int below(int n) { state = state * 1664525u + 1013904223u; return (int)((state >> 16) % (unsigned)n); }
static gtr_tensor *activated(gtr_tensor *h)
{
    switch (below(6)) {
    case 0: return gtr_relu(h);
    case 1: return gtr_tanh(h);
    case 2: return gtr_gelu(h);
    case 3: return gtr_sigmoid(gtr_mul(h, h));
    case 4: return gtr_add(gtr_exp(gtr_scale(h, -1, 0)), gtr_tanh(h));
    default: return gtr_dropout(gtr_relu(h), NULL, 0.1f);
    }
}
static int one(void)
{
    gtr_desc d;
    gtr_trainer_desc how;
    memset(&d, 0, sizeof d); memset(&how, 0, sizeof how);
    gtr_context *ctx = gtr_create(d);
    const int in = 4 + 4 * below(15), batch = 1 + below(256), layers = 1 + below(3);
    char name[16];
    gtr_tensor *h = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, in)), *in_x = h,
        *t = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    for (int i = 0; i < layers; i++) {
        snprintf(name, sizeof name, "l%d", i);
        h = activated(gtr_linear(h, name, 8 + 8 * below(40)));
    }
    how.optimizer = below(2) ? GTR_ADAM : GTR_SGD;
    how.precision = below(2) ? GTR_TF32 : GTR_FP32;
    gtr_trainer *trainer = gtr_trainer_create(gtr_cross_entropy(gtr_linear(h, "out", 10), t), how);
    for (int i = 0; i < 3; i++) {
        gtr_set(in_x, x, sizeof(float) * (size_t)(batch * in));
        gtr_set(t, y, sizeof *y * (size_t)batch);
        gtr_step(trainer);
    }
    gtr_wait(ctx);
    const int failed = gtr_error(ctx) != GTR_OK;
    if (failed) printf("%s\n", gtr_error_text(ctx));
    gtr_destroy(ctx);
    return failed;
}
static double resident(void)
{
    long all = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) { if (fscanf(f, "%ld %ld", &all, &pages) != 2) pages = 0; fclose(f); }
    return (double)pages * 4096 / 1048576;
}
static double device_free(char *kernels, size_t size)
{
    gtr_desc d;
    memset(&d, 0, sizeof d);
    gtr_context *ctx = gtr_create(d);
    const char *text = gtr_environment_text(ctx), *at = strstr(text, "MiB, "), *k = strstr(text, "kernels:");
    const double mib = at ? atof(at + 5) : 0;
    snprintf(kernels, size, "%.*s", k ? (int)strcspn(k, "\n") : 0, k ? k : "");
    gtr_destroy(ctx);
    return mib;
}
int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    double host[11], device[11];
    char kernels[256];
    for (int i = 0; i < 256 * 64; i++) x[i] = (float)below(1000) / 500 - 1;
    for (int i = 0; i < 256; i++) y[i] = below(10);
    for (int i = 0, k = 0; i <= n; i++) {
        if (i == (int)((long long)n * k / 10)) {
            host[k] = resident(); device[k] = device_free(kernels, sizeof kernels);
            printf("%d networks: %.1f MiB of host memory, %.0f MiB of the device free; %s\n", i, host[k], device[k],
                kernels);
            fflush(stdout);
            k++;
        }
        if (i < n && one()) return 1;
    }
    return host[10] > 1.1 * host[5] + 4 || device[10] < device[5] - 8;
}
