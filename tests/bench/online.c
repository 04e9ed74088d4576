/* How far gtr_train_for runs over its time, and whether anything is lost: CALLS calls of 2 ms each, alone, and on a GPU
   beside a context that renders in another thread (frames of matrix products on a stream of high priority, with pauses
   of the same length), each time with a thread that predicts from snapshots. A call's overrun is printed in
   milliseconds and in steps of that call;
   afterwards the weights must be those of as many gtr_step. Exits with 1 if not.
     make bench-online, or cc -O3 -march=native tests/bench/online.c -o build/cpu/online -lm -pthread
   Arguments: calls (1000), milliseconds a call (2), units of the network's layers (256), cpu or cuda. */
#define GPUTRAIN_IMPLEMENTATION
#include "../../gputrain.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef GPUTRAIN_CUDA
#include <cuda_runtime_api.h>
#endif

enum { ROWS = 1024, WIDTH = 64, BATCH = 32, MOST = 100000 };
static float rows_x[ROWS * WIDTH], rows_y[ROWS];
static gtr_desc desc;
static gtr__word stop;
static double started;      /* when the last step was queued: on the CPU, begun */
static float rate(int64_t step, void *user) { (void)step; (void)user; started = gtr__now(); return 1e-3f; }

typedef struct net { gtr_context *ctx; gtr_tensor *out; gtr_trainer *t; } net;
static net net_of(int units)
{
    net n;
    gtr_trainer_desc how;
    gtr_arrays_desc d;
    memset(&how, 0, sizeof how); memset(&d, 0, sizeof d);
    n.ctx = gtr_create(desc);
    gtr_tensor *x = gtr_input(n.ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
    gtr_tensor *y = gtr_input(n.ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 1));
    gtr_tensor *h = gtr_relu(gtr_linear(x, "fc1", units));
    h = gtr_relu(gtr_linear(h, "fc2", units));
    n.out = gtr_linear(h, "fc3", 1);
    how.optimizer = GTR_ADAM; how.schedule = GTR_CUSTOM_SCHEDULE; how.lr_fn = rate;
    n.t = gtr_trainer_create(gtr_mse(n.out, y), how);
    d.rows = ROWS;
    d.column[0].data = rows_x; d.column[0].dtype = GTR_F32; d.column[0].shape = gtr_shape1(WIDTH);
    d.column[1].data = rows_y; d.column[1].dtype = GTR_F32;
    gtr_trainer_data(n.t, gtr_dataset_arrays(n.ctx, d), BATCH, true, false);
    return n;
}
static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}
static void print_times(const char *what, double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_size);
    if (n) printf("  %-34s median %8.3f, 90 %% %8.3f, 99 %% %8.3f, most %8.3f\n", what, v[n / 2], v[n * 9 / 10],
        v[n * 99 / 100], v[n - 1]);
}

typedef struct asker { gtr_predictor *p; double ms[MOST]; int n, bad; } asker;
static void *ask(void *arg)
{
    asker *a = (asker *)arg;
    float out;
    while (!gtr__atomic_load(&stop) && a->n < MOST) {
        const double begin = gtr__now();
        a->bad += gtr_predictor_refresh(a->p) || gtr_predict(a->p, rows_x, 1, &out);
        a->ms[a->n++] = 1e3 * (gtr__now() - begin);
        while (gtr__now() < begin + 1e-3 && !gtr__atomic_load(&stop)) gtr__pause();
    }
    return NULL;
}
/* When the host sees that so many steps are done. */
typedef struct watch { gtr_trainer *t; double at[8]; } watch;
static void *watch_steps(void *arg)
{
    watch *w = (watch *)arg;
    const volatile uint64_t *done = &w->t->runner->shared->launches;
    for (uint64_t k = *done; !gtr__atomic_load(&stop);) {
        const uint64_t now = *done;
        while (k != now) w->at[++k % 8] = gtr__now();
        gtr__pause();
    }
    return NULL;
}
#ifdef GPUTRAIN_CUDA
static void *render(void *arg)
{
    enum { SIDE = 4096, PRODUCTS = 8 };
    gtr_desc d = desc;
    gtr_init init;
    cudaStream_t stream = NULL;
    int low, high;
    (void)arg;
    memset(&init, 0, sizeof init);
    cudaDeviceGetStreamPriorityRange(&low, &high);
    cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, high);
    d.cuda_stream = stream;
    gtr_context *ctx = gtr_create(d);
    gtr_tensor *a = gtr_parameter(ctx, "a", gtr_shape2(SIDE, SIDE), init), *y = a;
    for (int k = 0; k < PRODUCTS; k++) y = gtr_matmul(y, a);
    for (long frames = 0; ; frames++) {
        const double begin = gtr__now();
        gtr_eval(&y, 1); gtr_wait(ctx);
        const double took = gtr__now() - begin, end = gtr__now() + took;
        if (gtr__atomic_load(&stop) || gtr_error(ctx)) {
            printf("  %ld frames, the last of %.2f ms %s\n", frames, 1e3 * took, gtr_error_text(ctx));
            break;
        }
        while (gtr__now() < end) gtr__pause();
    }
    gtr_destroy(ctx);
    cudaStreamDestroy(stream);
    return NULL;
}
#endif
static int differing(net a, net b)
{
    int bad = 0;
    for (int64_t i = 0; i < gtr_parameter_count(a.ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(a.ctx, i), *q = gtr_parameter_at(b.ctx, i);
        const size_t bytes = gtr_tensor_bytes(p);
        char *x = (char *)malloc(2 * bytes);
        if (!x || gtr_get(p, x, bytes) || gtr_get(q, x + bytes, bytes) || memcmp(x, x + bytes, bytes) != 0) bad++;
        free(x);
    }
    return bad;
}
static int measured(int calls, double ms, int units, bool cuda, bool renders)
{
    static double over[MOST], share[MOST];
    static asker asks;
    pthread_t asking, rendering = pthread_self(), watching = rendering;
    watch w;
    net n = net_of(units), m = net_of(units);
    gtr_predictor_desc d;
    int64_t steps = 0, before;
    int late = 0;
    memset(&d, 0, sizeof d); memset(&asks, 0, sizeof asks);
    d.out[0] = n.out; d.snapshot = true;
    asks.p = gtr_predictor_create_ex(n.ctx, d);
    gtr_train_for(n.t, 200);            /* plans, and captures */
    gtr__atomic_swap(&stop, 0);
    pthread_create(&asking, NULL, ask, &asks);
#ifdef GPUTRAIN_CUDA
    if (renders) pthread_create(&rendering, NULL, render, NULL);
#endif
    memset(&w, 0, sizeof w);
    w.t = n.t;
    if (cuda) pthread_create(&watching, NULL, watch_steps, &w);
    steps = before = gtr_trainer_report(n.t).step;
    for (int i = 0; i < calls; i++) {
        const double begin = gtr__now(), end = begin + 1e-3 * ms;
        gtr_train_for(n.t, ms);
        const double now = gtr__now();
        const int64_t done = gtr_trainer_report(n.t).step;
        over[i] = 1e3 * (now - end);
        share[i] = (now - end) / ((now - begin) / (double)(done - steps));
        /* none may begin behind the end but a call's only one */
        late += done > steps + 1 && (cuda ? w.at[(n.t->runner->launched - 1) % 8] : started) > end;
        steps = done;
        while (gtr__now() < end + 1e-3) gtr__pause();   /* the rest of a frame */
    }
    gtr__atomic_swap(&stop, 1);
    pthread_join(asking, NULL);
    if (renders) pthread_join(rendering, NULL);
    if (cuda) pthread_join(watching, NULL);
    printf("%s: %d calls of %g ms, %.2f steps each, of %d rows by %d units\n", renders ? "beside a renderer" : "alone",
        calls, ms, (double)(steps - before) / calls, BATCH, units);
    print_times("over by, ms", over, calls);
    print_times("over by, steps of that call", share, calls);
    printf("  over by more than one step: %d calls\n", late);
    print_times("refresh and predict, ms", asks.ms, asks.n);
    while (gtr_trainer_report(m.t).step < steps) { gtr_step(m.t); gtr_wait(m.ctx); }
    const int lost = differing(n, m) + asks.bad + (gtr_error(n.ctx) != GTR_OK) + (gtr_error(m.ctx) != GTR_OK);
    printf("  weights after %lld steps: %s %s\n", (long long)steps, lost ? "NOT those of as many gtr_step" :
        "those of as many gtr_step", gtr_error_text(n.ctx));
    gtr_destroy(n.ctx); gtr_destroy(m.ctx);
    return lost;
}
int main(int argc, char **argv)
{
    const int calls = argc > 1 ? GTR__MIN(atoi(argv[1]), MOST) : 1000, units = argc > 3 ? atoi(argv[3]) : 256;
    const double ms = argc > 2 ? atof(argv[2]) : 2;
    uint32_t s = 1;
    if (argc > 4) desc.device = strcmp(argv[4], "cuda") ? GTR_DEVICE_CPU : GTR_DEVICE_CUDA;
    for (int i = 0; i < ROWS * WIDTH; i++) rows_x[i] = (float)((s = s * 1664525u + 1013904223u) >> 8) / 8388608.0f - 1;
    for (int i = 0; i < ROWS; i++) rows_y[i] = rows_x[i * WIDTH] * rows_x[i * WIDTH + 1];
    gtr_context *ctx = gtr_create(desc);
    const bool cuda = ctx && ctx->caps.cuda;
    printf("%s\n", gtr_device_text(ctx));
    gtr_destroy(ctx);
    int bad = measured(calls, ms, units, cuda, false);
    if (cuda) bad += measured(calls, ms, units, true, true);
    return bad != 0;
}
