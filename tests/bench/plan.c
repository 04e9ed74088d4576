/* How long plans take to be made: of residual networks of 829, 6,600 and 50,000 nodes, of gated ones of 7,000 to 56,000
   on four streams, and of ResNet-18 (He, Zhang, Ren, Sun, 2016, with the stem for small images) whose batch is computed
   at once and in 64 parts, for the CPU and for a GPU of compute capability 9.0 that need not be there. A line a plan:
   its nodes and values, the best of some turns, and what of that turn each pass took, with what came in front of it, in
   milliseconds of this process. Exits with 1 where a limit is passed.
     make bench-plan, or cc -O2 tests/bench/plan.c -o build/cpu/plan -lm -pthread
   Arguments: turns (5), then how the names of networks begin that are wanted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static void passed(const char *pass);
#define GTR__PASS(call) do { if (!b.failed) call; passed(#call); } while (0)
#define GPUTRAIN_IMPLEMENTATION
#include "../../gputrain.h"

enum { PASSES = 24 };
static struct { char name[32]; double ms; } pass[PASSES], best[PASSES];
static int n_pass;
static double last;

static double now(void) { return (double)clock() * 1e3 / CLOCKS_PER_SEC; }      /* of this process: others may run */
/* call: a pass as it is called, gtr__pass_fuse(&b, true); the one for what is late is named so. */
static void passed(const char *call)
{
    const double t = now();
    char name[32];
    int i = 0;
    call = strstr(call, "gtr__") + 5;
    if (!strncmp(call, "pass_", 5)) call += 5;
    snprintf(name, sizeof name, "%.*s%s", (int)strcspn(call, "("), call, strstr(call, "true") ? " late" : "");
    while (i < n_pass && strcmp(pass[i].name, name)) i++;
    if (i == PASSES) return;
    if (i == n_pass) { strcpy(pass[n_pass++].name, name); pass[i].ms = 0; }
    pass[i].ms += t - last;
    last = t;
}

static int number;
static const char *name(const char *kind)
{
    static char text[4][32];            /* one call's arguments may be several */
    char *at = text[number % 4];
    snprintf(at, sizeof *text, "%s%d", kind, number++);
    return at;
}
static gtr_tensor *residual_network(gtr_context *ctx, int blocks)
{
    gtr_tensor *h = gtr_linear(gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 32)), name("fc"), 16), *y;
    for (int i = 0; i < blocks; i++) {
        y = gtr_relu(gtr_linear(gtr_relu(gtr_batch_norm(h, name("bn"))), name("fc"), 24));
        h = gtr_add(h, gtr_linear(y, name("fc"), 16));
    }
    return gtr_linear(h, name("fc"), 10);
}
/* Blocks that are gated and added, on four streams. */
static gtr_tensor *gated_network(gtr_context *ctx, int blocks)
{
    gtr_tensor *h = gtr_linear(gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 32)), name("fc"), 16);
    for (int i = 0; i < blocks; i++) {
        gtr_tensor *y = gtr_mul(gtr_sigmoid(gtr_linear(h, name("gate"), 24)), gtr_tanh(gtr_linear(h, name("fc"), 24)));
        h = gtr_add(h, gtr_linear(y, name("fc"), 16));
    }
    return gtr_linear(h, name("fc"), 10);
}
static gtr_tensor *conv_bn(gtr_tensor *x, int channels, int kernel, int stride)
{
    gtr_conv_desc d;
    memset(&d, 0, sizeof d);
    d.out = channels; d.kernel = kernel; d.stride = stride; d.padding = kernel / 2; d.no_bias = true;
    return gtr_batch_norm(gtr_conv2d_ex(x, name("conv"), d), name("bn"));
}
static gtr_tensor *resnet18(gtr_context *ctx)
{
    gtr_tensor *h = gtr_input(ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, 3, 32, 32));
    h = gtr_relu(conv_bn(h, 64, 3, 1));
    for (int i = 0; i < 8; i++) {
        const int channels = 64 << i / 2, stride = i && i % 2 == 0 ? 2 : 1;
        gtr_tensor *y = conv_bn(gtr_relu(conv_bn(h, channels, 3, stride)), channels, 3, 1);
        h = gtr_relu(gtr_add(y, stride == 1 ? h : conv_bn(h, channels, 1, 2)));
    }
    return gtr_linear(gtr_global_avg_pool(h), name("fc"), 10);
}

typedef struct row { const char *name; int blocks, micro; double limit; int gated; } row; /* blocks 0: ResNet-18 */
static const row rows[] = {
    { "residual-829", 101, 1, 5, 0 }, { "residual-6600", 815, 1, 50, 0 }, { "residual-50000", 6184, 1, 500, 0 },
    { "gated-7000", 636, 1, 75, 1 }, { "gated-14000", 1273, 1, 150, 1 }, { "gated-28000", 2545, 1, 300, 1 },
    { "gated-56000", 5090, 1, 600, 1 },
    { "resnet18", 0, 1, 0, 0 }, { "resnet18-64-parts", 0, 64, 0, 0 }, { "residual-829-64-parts", 101, 64, 0, 0 },
};
/* The best turn's time; its passes are in best. */
static double plan(const row *r, gtr_preset preset, int turns, int *nodes, int *values)
{
    gtr_desc d;
    gtr_trainer_desc how;
    double ms = 0;
    memset(&d, 0, sizeof d); memset(&how, 0, sizeof how);
    d.preset = preset;
    gtr_context *ctx = gtr_create(d);
    number = 0;
    gtr_tensor *logits = r->gated ? gated_network(ctx, r->blocks) : r->blocks ? residual_network(ctx, r->blocks) :
        resnet18(ctx);
    how.micro_batches = r->micro; how.streams = r->gated ? 4 : 0;
    gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(logits, gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH))),
        how);
    gtr__plan_entry *e = gtr__observed(t, 512, false, "bench");
    *nodes = *values = 0;
    for (int i = 0; i < turns && e; i++) {
        gtr__plan p;
        const double start = last = now();
        n_pass = 0;
        if (gtr__plan_make(ctx, &e->recipe, e->input, e->n_inputs, &t->optim, false, false, &p)) break;
        const double took = now() - start;
        if (!i || took < ms) { ms = took; memcpy(best, pass, sizeof best); }
        *nodes = p.n_node; *values = p.n_value;
        gtr__plan_clear(ctx, &p);
    }
    if (gtr_error(ctx)) { printf("%s: %s\n", r->name, gtr_error_text(ctx)); exit(1); }
    gtr_destroy(ctx);
    return ms;
}
int main(int argc, char **argv)
{
    static const struct { const char *name; gtr_preset preset; } devices[] = {
        { "cpu", GTR_PRESET_CPU }, { "sm_90", GTR_PRESET_SM90 }
    };
    const int turns = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : 5;
    bool bad = false;
    for (int k = 0; k < 2; k++) {
        double whole = 0;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const row *r = &rows[i];
            int nodes, values;
            if (argc > 2 && strncmp(r->name, argv[2], strlen(argv[2])) != 0) continue;
            const double ms = plan(r, devices[k].preset, turns, &nodes, &values);
            if (r->blocks == 0 && r->micro == 1) whole = ms;
            double limit = k ? 0 : r->blocks ? r->limit : r->micro > 1 ? 3 * whole : 0;
            bad |= limit > 0 && ms > limit;
            printf("%-5s %-21s %6d nodes %6d values %9.2f ms", devices[k].name, r->name, nodes, values, ms);
            if (limit > 0) printf(" %s %.2f", ms > limit ? "MISS" : "of", limit);
            for (int j = 0; j < n_pass; j++) printf("%s%s %.2f", j ? ", " : ": ", best[j].name, best[j].ms);
            printf("\n");
        }
    }
    return bad;
}
