/* Timings of whole training steps, through gtr_fit as a user would train, beside PyTorch and JAX where they are installed.
   usage: bench fashion-program [row...]       without rows: the GPU's on a GPU, else the CPU's; "all": all; "list": names them
   Environment: BENCH_BUILD (how this was compiled), BENCH_FASHION (folder of Fashion-MNIST, gunzipped), BENCH_PYTHON (python3),
   BENCH_PEERS (eager,graph,compile,compile-max,jit,scan; "none"), BENCH_CONTROL=1 (trains in BF16 what is said to be TF32: parity must fail).
   Prints a table, writes build/bench.json; progress goes to build/bench.log. Steps are timed by the wall clock in blocks, each ending when
   the device has finished; ours are measured before and after the peers', since a GPU's clock changes as it warms. A workload is a
   row of the table below. */
#define _GNU_SOURCE
#define GPUTRAIN_IMPLEMENTATION
#include "../../gputrain.h"
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP, PROCESS, EPOCH };          /* what is timed */
enum { CROSS_ENTROPY, MSE };

typedef struct workload {
    const char   *name;
    int           kind;
    int           size[8];              /* widths, input first */
    int64_t       batch, rows;          /* rows 0: Fashion-MNIST, or as many random bytes */
    gtr_precision precision;
    int           loss;
    int           block;                /* steps a block */
    int           threads, busy;        /* EPOCH: on the CPU; busy: one more process spins on each core */
    double        limit_us, floor_us;   /* 0: none. The floors are those of an H200 */
} workload;

static const workload table[] = {
    { "mlp-small-b128-tf32",  STEP,    { 784, 256, 128, 10 }, 128, 0, GTR_TF32, CROSS_ENTROPY, 1000, 0, 0, 39, 6 },
    { "mlp-small-b1024-tf32", STEP,    { 784, 256, 128, 10 }, 1024, 0, GTR_TF32, CROSS_ENTROPY, 500, 0, 0, 58, 11 },
    { "mlp-wide-bf16",        STEP,    { 4096, 4096, 4096, 4096, 4096 }, 4096, 8192, GTR_MIXED_BF16, MSE, 20, 0, 0, 3000, 2790 },
    { "mlp-wide-tf32",        STEP,    { 4096, 4096, 4096, 4096, 4096 }, 4096, 8192, GTR_TF32, MSE, 20, 0, 0, 5650, 5100 },
    { "process-mlp",          PROCESS, { 784, 256, 128, 10 }, 128, 0, GTR_TF32, CROSS_ENTROPY, 0, 0, 0, 800e3, 450e3 },
    { "cpu-mlp-1t",           EPOCH,   { 784, 256, 128, 10 }, 128, 0, GTR_FP32, CROSS_ENTROPY, 0, 1, 0, 0, 0 },
    { "cpu-mlp-2t",           EPOCH,   { 784, 256, 128, 10 }, 128, 0, GTR_FP32, CROSS_ENTROPY, 0, 2, 0, 0, 0 },
    { "cpu-mlp-2t-busy",      EPOCH,   { 784, 256, 128, 10 }, 128, 0, GTR_FP32, CROSS_ENTROPY, 0, 2, 1, 0, 0 },
};

#define MAX_TIMES 64
typedef struct figure { char work[48], who[32]; double time[MAX_TIMES]; int n; double us, us_min, us_max, rest_bytes; } figure;
static figure figures[256];
static int n_figures, misses;
static const char *fashion_program, *fashion_folder, *python;
static char device[160] = "CPU";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}
static int by_size(const void *a, const void *b) { double d = *(const double *)a - *(const double *)b; return d < 0 ? -1 : d > 0; }
static void settle(figure *f)
{
    if (!f->n) return;
    qsort(f->time, (size_t)f->n, sizeof *f->time, by_size);
    f->us = f->time[f->n / 2];
    f->us_min = f->time[0];
    f->us_max = f->time[f->n - 1];
}
static figure *new_figure(const char *work, const char *who)
{
    figure *f = &figures[n_figures++];
    if (n_figures > 250) exit(3);
    snprintf(f->work, sizeof f->work, "%s", work);
    snprintf(f->who, sizeof f->who, "%s", who);
    return f;
}
static void expect(int ok, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    printf("    %s ", ok ? "ok  " : "MISS");
    vprintf(format, ap);
    putchar('\n');
    va_end(ap);
    misses += !ok;
}

/* >> data: the stream that the peers' programs make as well (torch_bench.py) */
static float mixed(uint32_t i, uint32_t seed)
{
    uint32_t x = i * 0x9E3779B1u + seed * 0x85EBCA77u + 1u;
    x ^= x >> 16;
    x *= 0x7FEB352Du;
    x ^= x >> 15;
    x *= 0x846CA68Bu;
    x ^= x >> 16;
    return (float)(x >> 8) / 8388608.0f - 1;
}
static bool have_fashion(void)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/train-images-idx3-ubyte", fashion_folder);
    return access(path, R_OK) == 0;
}
static int depth(const workload *w) { int n = 0; while (n + 1 < 8 && w->size[n + 1]) n++; return n; }
static gtr_dataset *data_of(gtr_context *ctx, const workload *w)
{
    int64_t rows = w->rows ? w->rows : 60000, in = w->size[0], out = w->size[depth(w)], i;
    gtr_arrays_desc d;
    gtr_dataset *set;
    void *x, *y;
    if (!w->rows && have_fashion()) {
        char images[1024], labels[1024];
        snprintf(images, sizeof images, "%s/train-images-idx3-ubyte", fashion_folder);
        snprintf(labels, sizeof labels, "%s/train-labels-idx1-ubyte", fashion_folder);
        return gtr_dataset_idx(ctx, images, labels);
    }
    memset(&d, 0, sizeof d);
    d.rows = rows;
    if (w->rows) {
        float *f = (float *)malloc((size_t)(rows * in) * 4), *g = (float *)malloc((size_t)(rows * out) * 4);
        for (i = 0; i < rows * in; i++) f[i] = mixed((uint32_t)i, 1);
        for (i = 0; i < rows * out; i++) g[i] = mixed((uint32_t)i, 2);
        d.column[0].dtype = d.column[1].dtype = GTR_F32;
        d.column[1].shape = gtr_shape1(out);
        x = f;
        y = g;
    } else {
        uint8_t *b = (uint8_t *)malloc((size_t)(rows * in));
        int32_t *l = (int32_t *)malloc((size_t)rows * 4);
        for (i = 0; i < rows * in; i++) b[i] = (uint8_t)(127.5f * (1 + mixed((uint32_t)i, 1)));
        for (i = 0; i < rows; i++) l[i] = (int32_t)(4.999f * (1 + mixed((uint32_t)i, 2)));
        d.column[0].dtype = GTR_U8;
        d.column[1].dtype = GTR_I32;
        d.column[1].shape = gtr_shape0();
        x = b;
        y = l;
    }
    d.column[0].shape = gtr_shape1(in);
    d.column[0].data = x;
    d.column[1].data = y;
    set = gtr_dataset_arrays(ctx, d);
    free(x);
    free(y);
    return set;
}

/* >> network */
typedef struct network { gtr_context *ctx; gtr_tensor *loss, *metric; gtr_trainer *trainer; gtr_dataset *data; } network;
static network network_of(const workload *w, gtr_precision precision, gtr_device where, int threads)
{
    network n;
    gtr_desc d;
    gtr_trainer_desc how;
    gtr_tensor *h, *y;
    int i, layers = depth(w);
    char name[16];
    memset(&n, 0, sizeof n);
    memset(&d, 0, sizeof d);
    memset(&how, 0, sizeof how);
    d.device = where;
    d.threads = threads;
    n.ctx = gtr_create(d);
    n.data = data_of(n.ctx, w);
    h = gtr_input(n.ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, w->size[0]));
    y = w->loss == MSE ? gtr_input(n.ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, w->size[layers])) : gtr_input(n.ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    for (i = 1; i <= layers; i++) {
        snprintf(name, sizeof name, "fc%d", i);
        h = gtr_linear(h, name, w->size[i]);
        if (i < layers) h = gtr_relu(h);
    }
    n.loss = w->loss == MSE ? gtr_mse(h, y) : gtr_cross_entropy(h, y);
    if (w->loss == CROSS_ENTROPY) n.metric = gtr_accuracy(h, y);
    how.optimizer = GTR_ADAM;
    how.lr = 1e-3f;
    how.precision = precision;
    n.trainer = gtr_trainer_create(n.loss, how);
    return n;
}
static bool network_end(network *n, const char *what)
{
    bool ok = !gtr_error(n->ctx);
    if (!ok) expect(0, "%s: %s", what, gtr_error_text(n->ctx));
    gtr_destroy(n->ctx);
    return ok;
}

/* >> timing */
typedef struct clock_state { figure *f; double last; int64_t step; int skip, blocks; double unit; } clock_state;
static bool tick(const gtr_progress *p)
{
    clock_state *c = (clock_state *)p->user;
    double t = now();
    if (c->skip > 0) c->skip--;
    else if (c->f->n < MAX_TIMES) {
        c->f->time[c->f->n++] = (t - c->last) / (c->unit > 0 ? c->unit : (double)(p->step - c->step));
        c->blocks--;
    }
    c->step = p->step;
    c->last = now();
    return c->blocks > 0;
}
static void time_steps(const workload *w, figure *f)
{
    network n = network_of(w, w->precision, GTR_DEVICE_CUDA, 0);
    clock_state c = { NULL, 0, 0, 1, 6, 0 };
    gtr_fit_desc fit;
    gtr_memory_report m;
    c.f = f;
    memset(&fit, 0, sizeof fit);
    fit.epochs = 1000000;
    fit.batch = w->batch;
    fit.metric = n.metric;
    fit.callback = tick;
    fit.callback_user = &c;
    fit.callback_every = w->block;
    gtr_fit(n.trainer, n.data, fit);
    if (!gtr_memory_plan(n.trainer, w->batch, &m)) f->rest_bytes = (double)(m.activations + m.workspace + m.low_precision);
    network_end(&n, w->name);
}
static void time_epochs(const workload *w, figure *f)
{
    network n = network_of(w, w->precision, GTR_DEVICE_CPU, w->threads);
    clock_state c = { NULL, 0, 0, 1, 5, 1 };
    pid_t spinner[256];
    int i, cores = w->busy ? (int)sysconf(_SC_NPROCESSORS_ONLN) : 0;
    gtr_fit_desc fit;
    c.f = f;
    for (i = 0; i < cores && i < 256; i++)
        if ((spinner[i] = fork()) == 0) for (;;) { }
    memset(&fit, 0, sizeof fit);
    fit.epochs = 6;
    fit.batch = w->batch;
    fit.metric = n.metric;
    fit.callback = tick;
    fit.callback_user = &c;
    gtr_fit(n.trainer, n.data, fit);
    for (i = 0; i < cores && i < 256; i++) if (spinner[i] > 0) { kill(spinner[i], SIGKILL); waitpid(spinner[i], NULL, 0); }
    network_end(&n, w->name);
}
static void time_process(const workload *w, figure *f)
{
    char command[2048], line[256], last[256] = "";
    int k;
    snprintf(command, sizeof command, "'%s' '%s' 0 tf32 2>>build/bench.log", fashion_program, fashion_folder);
    for (k = 0; k < 6; k++) {
        double start = now();
        FILE *p = popen(command, "r");
        while (p && fgets(line, sizeof line, p)) snprintf(last, sizeof last, "%s", line);
        if (!p || pclose(p)) { expect(0, "%s: %s", w->name, last); return; }
        if (k) f->time[f->n++] = now() - start;         /* the first reads the files from the disk */
    }
    printf("    %s", last);
}

/* Multiply-adds in registers: what the cores could do. */
#if defined(__AVX512F__)
#define VEC 64
#define CHAINS 24
#elif defined(__AVX__)
#define VEC 32
#define CHAINS 12
#else
#define VEC 16
#define CHAINS 12
#endif
typedef float vec __attribute__((vector_size(VEC)));
static void *multiply_add(void *result)
{
    vec a[CHAINS], x, y;
    double best = 0, start, rate;
    int k, i, round;
    for (k = 0; k < VEC / 4; k++) { x[k] = 0.999f; y[k] = 0.001f; }
    for (k = 0; k < CHAINS; k++) a[k] = x;
    for (round = 0; round < 12; round++) {
        start = now();
        for (i = 0; i < 4000000; i++) {
#pragma GCC unroll 32
            for (k = 0; k < CHAINS; k++) a[k] = a[k] * x + y;
        }
        rate = 2.0 * CHAINS * (VEC / 4) * 4000000 / (now() - start) * 1e-3;
        if (rate > best) best = rate;
    }
    for (k = 1; k < CHAINS; k++) a[0] += a[k];
    *(double *)result = a[0][0] > -1e30f ? best : 0;
    return NULL;
}
static double peak_gflops(int threads)
{
    static double known[65];
    pthread_t t[64];
    double each[64], sum = 0;
    int k;
    if (threads > 64) threads = 64;
    if (known[threads] > 0) return known[threads];
    for (k = 0; k < threads; k++) pthread_create(&t[k], NULL, multiply_add, &each[k]);
    for (k = 0; k < threads; k++) { pthread_join(t[k], NULL); sum += each[k]; }
    return known[threads] = sum;
}

/* >> peers: each prints lines "ROW work who us us_min us_max rest_bytes" */
static void peers(const workload *w)
{
    static const char *const program[] = { "torch_bench.py", "jax_bench.py" };
    static const char *const module[] = { "torch", "jax" };
    const char *which = getenv("BENCH_PEERS");
    char command[2048], line[512];
    int k;
    if (which && !strcmp(which, "none")) return;
    if (w->busy) return;
    for (k = 0; k < 2; k++) {
        FILE *p;
        snprintf(command, sizeof command, "%s -c 'import %s' >/dev/null 2>&1", python, module[k]);
        if (system(command)) continue;
        snprintf(command, sizeof command, "%s tests/bench/%s time %s '%s' 2>>build/bench.log", python, program[k], w->name, fashion_folder);
        p = popen(command, "r");
        while (p && fgets(line, sizeof line, p)) {
            char work[48], who[32];
            double us, lo, hi, rest;
            figure *f;
            if (sscanf(line, "ROW %47s %31s %lf %lf %lf %lf", work, who, &us, &lo, &hi, &rest) != 6) { printf("    %s", line); continue; }
            f = new_figure(work, who);
            f->us = us;
            f->us_min = lo;
            f->us_max = hi;
            f->rest_bytes = rest;
        }
        if (p) pclose(p);
    }
}

/* >> parity: do both sides compute the same? Our weights at steps 1, 100 and 400 go to the peer as safetensors, with our loss and
   gradients there; the peer repeats them and trains from our first weights on the same batches. Rows in order, no tail. */
static void parity(const workload *w)
{
    static const int at[] = { 1, 100, 400 };
    gtr_precision precision = getenv("BENCH_CONTROL") && w->precision == GTR_TF32 ? GTR_MIXED_BF16 : w->precision;
    network n;
    char path[512], command[2048], line[512];
    double mean = 0;
    FILE *f;
    int step, k = 0;
    int64_t i;
    snprintf(command, sizeof command, "%s -c 'import torch, sys; sys.exit(0 if torch.cuda.is_available() else 1)' >/dev/null 2>&1", python);
    if (system(command)) { printf("    no PyTorch on the GPU: parity not measured\n"); return; }
    n = network_of(w, precision, GTR_DEVICE_CUDA, 0);
    mkdir("build/parity", 0777);
    gtr_trainer_data(n.trainer, n.data, w->batch, false, true);
    for (step = 1; step <= 469 && !gtr_error(n.ctx); step++) {
        if (k < 3 && step == at[k]) {
            k++;
            snprintf(path, sizeof path, "build/parity/%d.safetensors", step);
            gtr_save(n.ctx, path);
            gtr_backward(n.trainer);
            snprintf(path, sizeof path, "build/parity/%d.gradient", step);
            f = fopen(path, "wb");
            for (i = 0; f && i < gtr_parameter_count(n.ctx); i++) {
                gtr_tensor *p = gtr_parameter_at(n.ctx, i);
                gtr_shape s = gtr_tensor_shape(p);
                size_t bytes = (size_t)(s.dim[0] * (s.ndim > 1 ? s.dim[1] : 1)) * 4;
                void *g = malloc(bytes);
                gtr_gradient_get(n.trainer, p, g, bytes);
                fwrite(g, 1, bytes, f);
                free(g);
            }
            if (f) fclose(f);
            gtr_update(n.trainer);
            snprintf(path, sizeof path, "build/parity/%d.loss", step);
            f = fopen(path, "w");
            if (f) { fprintf(f, "%.9g\n", gtr_loss(n.trainer)); fclose(f); }
        } else gtr_step(n.trainer);
        if (step >= 370) mean += gtr_loss(n.trainer) / 100;
    }
    if (!network_end(&n, "parity")) return;
    snprintf(command, sizeof command, "%s tests/bench/torch_bench.py parity %s '%s' 2>>build/bench.log", python, w->name, have_fashion() ? fashion_folder : "");
    f = popen(command, "r");
    while (f && fgets(line, sizeof line, f)) {
        double ours, theirs, nmse, peer_nmse;
        if (sscanf(line, "PARITY %d %lf %lf %lf %lf", &step, &ours, &theirs, &nmse, &peer_nmse) == 5)
            expect(fabs(ours - theirs) <= 1e-4 && nmse <= 2 * peer_nmse, "step %d: loss %.6f, peer's at our weights %.6f; gradient's NMSE to float32 %.2e, peer's %.2e", step, ours, theirs, nmse, peer_nmse);
        else if (sscanf(line, "MEAN %lf", &theirs) == 1)
            expect(fabs(mean - theirs) <= 0.01, "mean loss of steps 370 to 469: %.5f, peer's %.5f", mean, theirs);
        else printf("    %s", line);
    }
    if (f) pclose(f);
}

/* >> output */
static void print_row(const workload *w, const figure *ours)
{
    int i;
    double unit = w->kind == STEP ? 1 : 1e6;
    printf("  %-16s %10s %10s %10s %9s %12s\n", "", w->kind == STEP ? "us a step" : w->kind == PROCESS ? "seconds" : "s an epoch", "least", "most", "to ours", "MiB beside");
    for (i = 0; i < n_figures; i++) {
        const figure *f = &figures[i];
        if (strcmp(f->work, w->name)) continue;
        printf("  %-16s %10.*f %10.*f %10.*f %8.2fx", f->who, w->kind == STEP ? 2 : 3, f->us / unit, w->kind == STEP ? 2 : 3, f->us_min / unit, w->kind == STEP ? 2 : 3, f->us_max / unit, f->us / ours->us);
        if (f->rest_bytes > 0) printf(" %12.1f", f->rest_bytes / 1048576);
        putchar('\n');
    }
    if (w->floor_us > 0 && strstr(device, "H200")) printf("  %-16s %10.2f %31.2fx\n", "floor (H200)", w->floor_us / unit, w->floor_us / ours->us);
    if (w->limit_us > 0) expect(ours->us <= w->limit_us, "%.2f of at most %.2f", ours->us / unit, w->limit_us / unit);
    if (w->kind == EPOCH) {
        const int *s = w->size;
        double work = 0, peak = peak_gflops(w->threads);
        for (i = 0; s[i + 1]; i++) work += (i ? 6.0 : 4.0) * s[i] * s[i + 1] * 60000;       /* nobody needs the first layer's input gradient */
        printf("    %.1f GFLOP an epoch, %.0f GFLOP/s, %.1f %% of the %.0f GFLOP/s of multiply-adds that %d thread%s reached here\n", work * 1e-9, work / ours->us * 1e-3,
               work / ours->us * 1e-3 / peak * 100, peak, w->threads, w->threads > 1 ? "s" : "");
        if (w->threads == 2 && !w->busy) expect(work / ours->us * 1e-3 >= 0.45 * peak, "at least 45 %% of the peak");
        for (i = 0; w->busy && i < n_figures; i++)
            if (!strcmp(figures[i].work, "cpu-mlp-2t") && !strcmp(figures[i].who, ours->who)) expect(ours->us <= 3 * figures[i].us, "%.2f times the quiet time, at most 3", ours->us / figures[i].us);
    }
    fflush(stdout);
}
static void write_json(void)
{
    FILE *f = fopen("build/bench.json", "w");
    time_t t = time(NULL);
    char date[32];
    int i;
    size_t k;
    if (!f) return;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&t));
    fprintf(f, "{\"gpu\": \"%s\", \"date\": \"%s\", \"build\": \"%s\", \"rows\": [", device, date, getenv("BENCH_BUILD") ? getenv("BENCH_BUILD") : "");
    for (i = 0; i < n_figures; i++) {
        const figure *g = &figures[i];
        fprintf(f, "%s\n{\"work\": \"%s\", \"who\": \"%s\", \"us\": %.3f, \"us_min\": %.3f, \"us_max\": %.3f", i ? "," : "", g->work, g->who, g->us, g->us_min, g->us_max);
        if (g->rest_bytes > 0) fprintf(f, ", \"rest_bytes\": %.0f", g->rest_bytes);
        for (k = 0; k < sizeof table / sizeof *table; k++)
            if (!strcmp(table[k].name, g->work) && table[k].floor_us > 0) fprintf(f, ", \"floor_us\": %.1f", table[k].floor_us);
        fprintf(f, "}");
    }
    fprintf(f, "\n]}\n");
    fclose(f);
}

static bool wanted(const workload *w, int argc, char **argv, bool gpu)
{
    int i;
    if (argc < 3) return gpu ? w->kind != EPOCH : w->kind == EPOCH;
    for (i = 2; i < argc; i++) if (!strcmp(argv[i], w->name) || !strcmp(argv[i], "all")) return true;
    return false;
}
int main(int argc, char **argv)
{
    gtr_desc d;
    gtr_context *ctx;
    bool gpu;
    size_t k;
    if (argc < 2) { fprintf(stderr, "usage: bench fashion-program [row...]\n"); return 2; }
    for (k = 0; argc == 3 && !strcmp(argv[2], "list") && k < sizeof table / sizeof *table; k++) puts(table[k].name);
    if (argc == 3 && !strcmp(argv[2], "list")) return 0;
    fashion_program = argv[1];
    fashion_folder = getenv("BENCH_FASHION") ? getenv("BENCH_FASHION") : "build/fashion";
    python = getenv("BENCH_PYTHON") ? getenv("BENCH_PYTHON") : "python3";
    mkdir("build", 0777);
    if (!freopen("build/bench.log", "a", stderr)) return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    memset(&d, 0, sizeof d);
    ctx = gtr_create(d);
    gpu = gtr_on_gpu(ctx);
    snprintf(device, sizeof device, "%s", gtr_device_text(ctx));
    printf("%s\n%s\n%s\n", device, gtr_environment_text(ctx), getenv("BENCH_BUILD") ? getenv("BENCH_BUILD") : "");
    gtr_destroy(ctx);
    for (k = 0; k < sizeof table / sizeof *table; k++) {
        const workload *w = &table[k];
        figure *ours;
        if (!wanted(w, argc, argv, gpu)) continue;
        printf("\n%s\n", w->name);
        if (w->kind == STEP && !gpu) { printf("    needs a GPU\n"); continue; }
        if (w->kind != STEP && !have_fashion() && w->kind == PROCESS) { printf("    needs Fashion-MNIST: make data\n"); continue; }
        ours = new_figure(w->name, "gputrain");
        if (w->kind == STEP) {
            time_steps(w, ours);
            peers(w);
            time_steps(w, ours);
            parity(w);
        } else if (w->kind == EPOCH) {
            time_epochs(w, ours);
            peers(w);
        } else {
            time_process(w, ours);
            peers(w);
        }
        settle(ours);
        if (ours->n) print_row(w, ours);
        else expect(0, "%s was not timed", w->name);
    }
    write_json();
    printf("\nwritten: build/bench.json; %d figure%s missed\n", misses, misses == 1 ? "" : "s");
    return misses ? 1 : 0;
}
