/* What a step takes that a predictor of .steps computes alone, in windows from their beginning, batch 1: recurrences
   of 64, and transformers that sample their next character. Microseconds a step, the median of the turns; a GPT's
   include gtr_sample.
     make bench-next, or cc -O3 -march=native tests/bench/next.c -o build/cpu/next -lm -pthread
   Arguments: cpu or cuda (default); turns (9). */
#define GPUTRAIN_IMPLEMENTATION
#include "../../gputrain.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHARACTERS = 65, MOST = 99 };
static const struct { const char *name; int layers, width, heads, steps; } nets[] = {
    { "gru of 64, 6 inputs", 1, 64, 0, 100 }, { "lstm of 64, 6 inputs", 1, 64, 0, 100 },
    { "gpt, 2 layers of 64, 64 steps", 2, 64, 4, 64 }, { "gpt, 6 layers of 384, 200 of 256 steps", 6, 384, 6, 256 } };
static gtr_tensor *recurrence(gtr_context *ctx, int k)
{
    gtr_recurrent_desc r;
    memset(&r, 0, sizeof r);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, nets[k].steps, 6));
    x = k ? gtr_lstm(x, "lstm", nets[k].width, r) : gtr_gru(x, "gru", nets[k].width, r);
    return gtr_linear(x, "out", 1);
}
static gtr_tensor *gpt(gtr_context *ctx, int k)
{
    gtr_transformer_desc d;
    char name[16];
    memset(&d, 0, sizeof d);
    d.kind = GTR_BLOCK_GPT2; d.heads = nets[k].heads;
    gtr_tensor *ids = gtr_input(ctx, "ids", GTR_I32, gtr_shape2(GTR_BATCH, nets[k].steps)),
        *x = gtr_embedding(ids, "token", CHARACTERS, nets[k].width);
    x = gtr_add(x, gtr_embedding(gtr_arange(ids, 1), "place", nets[k].steps, nets[k].width));
    for (int l = 0; l < nets[k].layers; l++) {
        snprintf(name, sizeof name, "block%d", l);
        x = gtr_transformer_block(x, name, d);
    }
    return gtr_linear(gtr_layer_norm(x, "norm", 1, 0), "out", CHARACTERS);
}
static int rising(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}
/* Microseconds a step; below 0: an error, which is printed. */
static double measure(gtr_device device, int k, int turns)
{
    gtr_desc desc;
    gtr_predictor_desc d;
    gtr_sample_desc how;
    double us[MOST];
    memset(&desc, 0, sizeof desc); memset(&d, 0, sizeof d); memset(&how, 0, sizeof how);
    desc.device = device;
    gtr_context *ctx = gtr_create(desc);
    const int n = GTR__MIN(nets[k].steps, 200);
    d.out[0] = nets[k].heads ? gpt(ctx, k) : recurrence(ctx, k);
    d.steps = true;
    gtr_predictor *p = gtr_predictor_create_ex(ctx, d);
    if (!p) { fprintf(stderr, "%s\n", gtr_error_text(ctx)); gtr_destroy(ctx); return -1; }
    for (int turn = 0; turn < turns; turn++) {
        float x[6] = { 1, -1, 0.5f }, out[CHARACTERS];
        int32_t id = 0;
        gtr_predictor_reset(p);
        const double begin = gtr__now();
        for (int i = 0; i < n; i++, how.draw++) {
            if (gtr_predict_next(p, nets[k].heads ? (const void *)&id : x, 1, out)) {
                fprintf(stderr, "%s\n", gtr_predictor_error_text(p)); gtr_destroy(ctx); return -1;
            }
            if (nets[k].heads) id = gtr_sample(out, CHARACTERS, how);
            else x[i % 6] = out[0];
        }
        us[turn] = (gtr__now() - begin) / n * 1e6;
    }
    qsort(us, (size_t)turns, sizeof *us, rising);
    if (k == 0) printf("%s\n", gtr_device_text(ctx));
    gtr_predictor_destroy(p);
    gtr_destroy(ctx);
    return us[turns / 2];
}
int main(int argc, char **argv)
{
    const gtr_device device = argc > 1 && !strcmp(argv[1], "cpu") ? GTR_DEVICE_CPU
        : argc > 1 ? GTR_DEVICE_CUDA : GTR_DEVICE_AUTO;
    const int turns = argc > 2 ? atoi(argv[2]) : 9;
    if (turns < 1 || turns > MOST) return fprintf(stderr, "turns: 1 to %d\n", MOST), 2;
    for (int k = 0; k < (int)(sizeof nets / sizeof *nets); k++) {
        const double us = measure(device, k, turns);
        if (us < 0) return 1;
        printf("%-40s %9.2f us a step, %9.0f a second\n", nets[k].name, us, 1e6 / us);
        fflush(stdout);
    }
    return 0;
}
