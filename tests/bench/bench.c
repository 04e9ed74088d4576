/* Timings of whole training steps, through gtr_fit as a user would train, beside PyTorch and JAX
   where they are installed.
   usage: bench 03_fashion [row...]            the examples compiled lie in one folder; without rows: the
                                               GPU's on a GPU, else the CPU's; what is no row's name is the beginning
                                               of several's; "all": all; "list": names them; "report": the table of
                                               what build/bench.json holds, measuring nothing
   Environment: BENCH_BUILD (how this was compiled), BENCH_WHO (its name in the results: gputrain), BENCH_FASHION
   (folder of Fashion-MNIST, gunzipped), BENCH_PYTHON (python3), BENCH_PEERS (eager,graph,compile,jit,scan; "none";
   compile-max is PyTorch's max-autotune, which may take a minute a row), BENCH_LIMIT (seconds after which no further
   variant of a peer is prepared for a row: 60), BENCH_SHARD (2/3: the second of three parts of the rows),
   BENCH_CONTROL=1 (trains in a coarser precision than is said, or bends the gradient: parity must fail), BENCH_PARITY=0
   (leaves the proof out), BENCH_CHECK=1 (rows of the GPU run on the CPU, too, float32 for TF32:
   for the proof; limits are not looked at, and nothing is written to build/bench.json), BENCH_BATCH (with it: the most
   rows of a batch).
   Prints a table and merges into build/bench.json; progress goes to build/bench.log. Steps are timed by the wall clock
   in blocks, each ending when the device has finished; ours and the peers' take turns, since a GPU's clock changes as
   it warms. A workload is a row of network.h's table: the peers' programs get it on their command line, and
   know no rows themselves. A row of a pass (forward, dx or dw) times that of the network's second convolution alone, of
   three alike. Peers have its operands in the row's precision, and dw, too, which is float32 here. */
#define _GNU_SOURCE
#define GPUTRAIN_IMPLEMENTATION
#include "../../gputrain.h"
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "network.h"

enum { TURNS = 7 };

#define MAX_TIMES 64
typedef struct figure {
    char work[48], who[32]; double time[MAX_TIMES]; int n; double us, us_min, us_max, rest_bytes, floor_us, feed_us;
    double step_us; /* by gtr_step; the others of a step are gtr_fit's */
} figure;
static figure figures[512];
static int n_figures, misses;
static const char *fashion_program, *python, *who;
static char device[512] = "CPU";
static bool reporting, checking;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}
static int by_size(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b; return d < 0 ? -1 : d > 0;
}
static void settle(figure *f)
{
    if (!f->n) return;
    qsort(f->time, (size_t)f->n, sizeof *f->time, by_size);
    f->us = f->time[f->n / 2];
    f->us_min = f->time[0];
    f->us_max = f->time[f->n - 1];
}
static figure *find(const char *work, const char *name)
{
    int i;
    for (i = 0; i < n_figures; i++) if (!strcmp(figures[i].work, work) && !strcmp(figures[i].who, name))
        return &figures[i];
    return NULL;
}
/* An empty figure: a new one, or in place of the one that was there. */
static figure *new_figure(const char *work, const char *name)
{
    figure *f = find(work, name);
    if (!f && n_figures == sizeof figures / sizeof *figures) exit(3);
    if (!f) f = &figures[n_figures++];
    memset(f, 0, sizeof *f);
    snprintf(f->work, sizeof f->work, "%s", work);
    snprintf(f->who, sizeof f->who, "%s", name);
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
static const workload *row_of(const char *name)
{
    int k;
    for (k = 0; k < ROWS; k++) if (!strcmp(table[k].name, name)) return &table[k];
    return NULL;
}

/* Whether an argument names this row: as a whole or, where it is no row's name, by its beginning. */
static bool names(const char *argument, const workload *w)
{
    return !strcmp(argument, "all") || !strncmp(argument, w->name, strlen(argument) + (row_of(argument) != NULL));
}

static bool on_cpu(const workload *w) { return w->threads > 0 || checking; }
static gtr_precision precision_of(const workload *w)
{
    return on_cpu(w) && w->precision == GTR_TF32 ? GTR_FP32 : w->precision;
}

static int depth(const workload *w, double *flops)
{
    gtr_desc d;
    network n;
    memset(&d, 0, sizeof d);
    d.preset = GTR_PRESET_CPU;
    n = graph_of(w, d);
    gtr_destroy(n.ctx);
    if (flops) *flops = n.flops;
    return n.depth;
}
static network network_of(const workload *w, gtr_precision precision)
{
    network n;
    gtr_desc d;
    int k;
    memset(&d, 0, sizeof d);
    d.device = on_cpu(w) ? GTR_DEVICE_CPU : GTR_DEVICE_CUDA;
    d.threads = w->threads;
    n = graph_of(w, d);
    n.data = data_of(&n, w);
    for (k = 0; k < trainers_of(w); k++) {
        gtr_trainer_desc how = trainer_of(w, precision);
        gtr_memory_report all;
        n.trainers[k] = gtr_trainer_create(n.losses[k], how);
        if (!(w->keeps > 0) || gtr_memory_plan(n.trainers[k], w->batch, &all)) continue;
        how.recompute = (size_t)(w->keeps * (double)(all.activations + all.workspace));
        gtr_trainer_destroy(n.trainers[k]);
        n.trainers[k] = gtr_trainer_create(n.losses[k], how);
    }
    n.trainer = n.trainers[0];
    return n;
}
static bool network_end(network *n, const char *what)
{
    bool ok = !gtr_error(n->ctx);
    if (!ok) expect(0, "%s: %s", what, gtr_error_text(n->ctx));
    gtr_destroy(n->ctx);
    return ok;
}

/* >> peers: a program that is started once and asked line by line. "row ..." prepares a row's variants and answers
   "READY who rest_bytes"
   for each; "block who" times a block: "TIME us"; "parity", "epochs", "process". Every answer's last line is "END", all
   else is said to the user. */
typedef struct peer {
    const char *program, *module; pid_t pid; FILE *to; int from, used, at; char buffer[4096]; bool absent;
    figure *figure[8]; int n;
} peer;
static peer peers[2] = { { "torch_bench.py", "torch", 0, NULL, 0, 0, 0, "", false, { NULL }, 0 },
    { "jax_bench.py", "jax", 0, NULL, 0, 0, 0, "", false, { NULL }, 0 } };
static void peer_end(peer *p)
{
    if (!p->pid) return;
    fclose(p->to);
    close(p->from);
    kill(p->pid, SIGKILL);
    waitpid(p->pid, NULL, 0);
    p->pid = 0;
    p->n = 0;
}
static bool peer_start(peer *p)
{
    int in[2], out[2];
    char path[256];
    const char *which = getenv("BENCH_PEERS");
    if (p->absent || (which && !strcmp(which, "none"))) return false;
    if (p->pid) return true;
    snprintf(path, sizeof path,
        "%s -c 'import importlib.util as u, sys; sys.exit(u.find_spec(\"%s\") is None)' >/dev/null 2>&1",
        python, p->module);
    p->absent = system(path) != 0;
    if (p->absent || pipe(in) || pipe(out)) return false;
    snprintf(path, sizeof path, "tests/bench/%s", p->program);
    fflush(NULL);
    p->pid = fork();
    if (!p->pid) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        close(out[0]);
        execlp(python, python, path, "serve", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    p->to = fdopen(in[1], "w");
    p->from = out[0];
    p->used = p->at = 0;
    return p->pid > 0;
}
/* The next line of an answer; false at its end, and when the program dies or takes too long: it is then started
   anew by the next row. */
static bool peer_line(peer *p, char *line, size_t size)
{
    size_t n = 0;
    while (p->pid) {
        if (p->at == p->used) {
            struct pollfd wait = { p->from, POLLIN, 0 };
            p->at = 0;
            p->used = poll(&wait, 1, 180000) > 0 ? (int)read(p->from, p->buffer, sizeof p->buffer) : 0;
            if (p->used <= 0) { printf("    %s ended, or did not answer\n", p->program); peer_end(p); return false; }
        }
        line[n] = p->buffer[p->at++];
        if (line[n] == '\n') { line[n] = 0; return strcmp(line, "END") != 0; }
        if (n + 2 < size) n++;
    }
    return false;
}
static void peer_ask(peer *p, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vfprintf(p->to, format, ap);
    va_end(ap);
    fputc('\n', p->to);
    fflush(p->to);
}
/* A job, and the workload that it is about. */
static void peer_ask_row(peer *p, const char *job, const workload *w)
{
    static const char *const precisions[] = { "fp32", "tf32", "bf16", "fp16" };
    peer_ask(p, "%s {\"name\": \"%s\", \"network\": \"%s\", \"batch\": %lld, \"rows\": %lld, \"precision\": \"%s\", "
             "\"opt\": \"%s\", \"fashion\": \"%s\", \"device\": \"%s\", \"threads\": %d, \"limit\": %s, "
             "\"pass\": \"%s\", \"trainers\": %d}",
             job, w->name, w->network, (long long)w->batch, (long long)w->rows, precisions[precision_of(w)],
             w->optimizer == ADAM ? "adam" : "momentum", on_fashion(w) ? fashion_folder : "",
             on_cpu(w) ? "cpu" : "cuda", w->threads, getenv("BENCH_LIMIT") ? getenv("BENCH_LIMIT") : "60",
             w->pass ? w->pass : "", w->trainers);
}
static void peer_row(peer *p, const workload *w)
{
    char line[512], name[32];
    double rest;
    p->n = 0;
    if (!peer_start(p)) return;
    peer_ask_row(p, "row", w);
    while (peer_line(p, line, sizeof line)) {
        if (sscanf(line, "READY %31s %lf", name, &rest) != 2) { printf("    %s\n", line); continue; }
        if (p->n == 8) continue;
        p->figure[p->n] = new_figure(w->name, name);
        p->figure[p->n++]->rest_bytes = rest;
    }
}
/* A block of each variant. */
static void peers_turn(void)
{
    char line[512];
    double us;
    int k, i;
    for (k = 0; k < 2; k++)
        for (i = 0; i < peers[k].n && peers[k].pid; i++) {
            figure *f = peers[k].figure[i];
            peer_ask(&peers[k], "block %s", f->who);
            while (peer_line(&peers[k], line, sizeof line)) {
                if (sscanf(line, "TIME %lf", &us) != 1) printf("    %s\n", line);
                else if (f->n < MAX_TIMES) f->time[f->n++] = us;
            }
        }
}
static void peers_settle(void)
{
    int k, i;
    for (k = 0; k < 2; k++) for (i = 0; i < peers[k].n; i++) settle(peers[k].figure[i]);
}
/* Times of the job asked for, a line each. */
static void peer_times(peer *p, const char *work, const char *name)
{
    char line[512];
    double us;
    figure *f = NULL;
    while (peer_line(p, line, sizeof line)) {
        if (sscanf(line, "TIME %lf", &us) != 1) { printf("    %s\n", line); continue; }
        if (!f) f = new_figure(work, name);
        f->time[f->n++] = us;
    }
    if (f) settle(f);
}

/* >> timing */
typedef struct clock_state {
    figure *f; double last; int64_t step; int skip, blocks, turns; double unit; int64_t batch; double rest_bytes;
} clock_state;
/* After a turn of the peers a block of ours goes by before one counts: caches and clocks are ours again. */
static bool tick(const gtr_progress *p)
{
    clock_state *c = (clock_state *)p->user;
    double t = now();
    gtr_memory_report m;
    if (c->batch && c->rest_bytes == 0 && gtr_memory_plan(p->trainer, c->batch, &m) == GTR_OK)
        c->rest_bytes = (double)(m.activations + m.workspace + m.low_precision + m.kept);
    if (c->skip > 0) c->skip--;
    else if (c->f->n < MAX_TIMES) {
        c->f->time[c->f->n++] = (t - c->last) / (c->unit > 0 ? c->unit : (double)(p->step - c->step));
        c->blocks--;
        if (c->turns) { peers_turn(); c->skip = 1; }
    }
    c->step = p->step;
    c->last = now();
    return c->blocks > 0;
}
/* BENCH_NODES: us by kind of node, each node timed alone, the costliest first; "each": of each, too. */
static void print_nodes(gtr_context *ctx, const gtr__plan *plan)
{
    double us[GTR__OP_COUNT] = { 0 };
    int count[GTR__OP_COUNT] = { 0 }, i, most;
    for (i = 0; i < plan->n_node; i++) {
        const gtr__node *node = &plan->node[i];
        const double took = gtr__node_seconds(ctx, node) * 1e6;
        us[node->op] += took;
        count[node->op]++;
        if (!strcmp(getenv("BENCH_NODES"), "each"))
            printf("    %3d %-12s %-10s %8.2f us\n", i, gtr__row(node->op)->name, node->layer ? node->layer : "", took);
    }
    printf("    nodes by kind, us:");
    do {
        for (most = 0, i = 1; i < GTR__OP_COUNT; i++) if (us[i] > us[most]) most = i;
        if (us[most] > 0) printf(" %s %d x %.2f,", gtr__row((gtr__op)most)->name, count[most], us[most] / count[most]);
        us[most] = 0;
        for (i = 0; i < GTR__OP_COUNT && us[i] <= 0; i++) { }
    } while (i < GTR__OP_COUNT);
    putchar('\n');
}
/* What the plan's bytes and flops take at this device's own rates, node by node, and what a small network's layers take
   to hear of each other: an exchange between multiprocessors, 0.8 us on an H200, forward and backward between layers
   (one, where rows are so many that each multiprocessor has its own). */
static void look_at_plan(const workload *w, network *n, figure *f)
{
    double rate[2], bytes = 0;
    int i, steps = GTR__RING - 1;
    gtr__plan_entry *e;
    if (gtr_trainer_data(n->trainer, n->data, w->batch, true, true) != GTR_OK
            || !(e = gtr__observed_step(n->trainer, "bench", false, &steps)))
        return;
    gtr__ceilings(n->ctx, precision_of(w), rate);
    for (i = 0; i < gtr_parameter_count(n->ctx); i++) bytes += (double)gtr__bytes_of(gtr_parameter_at(n->ctx, i));
    f->floor_us = on_cpu(w) || bytes > 4e6 ? 0 : 0.8 * (w->batch > 4096 ? 1 : 2 * (n->depth - 1));
    for (i = 0; i < e->plan.n_node; i++) {
        const gtr__node *node = &e->plan.node[i];
        f->floor_us += rate[0] > 0 && rate[1] > 0 ? GTR__MAX(node->bytes / rate[0], node->flops / rate[1]) * 1e6 : 0;
        if (node->op == GTR__OP_FEED) f->feed_us += gtr__node_seconds(n->ctx, node) * 1e6;
    }
    f->floor_us *= trainers_of(w);
    printf("    plan of %d node%s; a copy %.2f TB/s, a product %.0f TFLOP/s\n", e->plan.n_node,
        e->plan.n_node > 1 ? "s" : "", rate[0] * 1e-12, rate[1] * 1e-12);
    if (getenv("BENCH_NODES")) print_nodes(n->ctx, &e->plan);
}
/* The node of the second convolution that makes its result (forward), or the gradient of its input (dx) or weight
   (dw), and no other. */
static const gtr__node *node_of(const gtr__plan *plan, const char *pass)
{
    static const char *const passes[] = { "dx", "dw" };     /* of inputs 0 and 1 */
    int i;
    for (i = 0; i < plan->n_node; i++) {
        const gtr__node *node = &plan->node[i];
        bool back = node->phase == GTR__BACKWARD;
        if (node->op != GTR__OP_CONV || !node->layer || strcmp(node->layer, "filter2")) continue;
        if (!back ? !strcmp(pass, "forward") : node->n_out == 2 && (node->out[0] < 0) != (node->out[1] < 0)
                && !strcmp(pass, passes[node->out[0] < 0])) return node;
    }
    return NULL;
}
static void time_pass(network *n, const workload *w, figure *f)
{
    int steps = GTR__RING - 1, k;
    gtr__plan_entry *e;
    const gtr__node *node;
    gtr_trainer_data(n->trainer, n->data, w->batch, true, true);
    for (k = 0; k < 3; k++) gtr_step(n->trainer);    /* products of plain numbers, as memory has them, are faster */
    e = gtr__observed_step(n->trainer, "bench", false, &steps);
    node = e ? node_of(&e->plan, w->pass) : NULL;
    if (!node) { expect(0, "%s: no node of the plan makes it alone", w->name); return; }
    while (f->n < (checking ? 1 : TURNS)) {
        f->time[f->n++] = gtr__node_seconds(n->ctx, node) * 1e6;
        peers_turn();
    }
}
/* Several trainers, each of which steps in turn: us of so many turns by hand. */
static double time_turns(network *n, const workload *w, int64_t turns)
{
    double start = now();
    int64_t i;
    int k;
    for (i = 0; i < turns; i++) for (k = 0; k < w->trainers; k++) gtr_step(n->trainers[k]);
    gtr_wait(n->ctx);
    return (now() - start) / (double)turns;
}
static void time_trainers(network *n, const workload *w, figure *f)
{
    int64_t turns;
    int k;
    for (k = 0; k < w->trainers; k++) gtr_trainer_data(n->trainers[k], n->data, w->batch, true, true);
    for (k = 0; k < w->trainers; k++) gtr_trainer_prepare(n->trainers[k], w->batch);
    time_turns(n, w, 8);
    turns = (int64_t)fmin(fmax(60e3 / time_turns(n, w, 8), 8), 20000);
    while (f->n < (checking ? 1 : TURNS) && !gtr_error(n->ctx)) {
        time_turns(n, w, 1 + turns / 4);        /* clocks and caches are ours again */
        f->time[f->n++] = time_turns(n, w, turns);
        peers_turn();
    }
}
/* us of a step by gtr_step over the same data: the median of three blocks, each of so many steps as take 60 ms. */
static double time_by_step(network *n, const workload *w, double us)
{
    const int steps = (int)fmin(fmax(60e3 / us, on_cpu(w) ? 1 : 8), 20000);
    double block[3];
    gtr_trainer_data(n->trainer, n->data, w->batch, true, true);
    for (int k = -1; k < 3; k++) {          /* the first is of no time */
        const double start = now();
        for (int i = 0; i < (checking ? 1 : steps); i++) gtr_step(n->trainer);
        gtr_wait(n->ctx);
        if (k >= 0) block[k] = (now() - start) / (checking ? 1 : steps);
    }
    qsort(block, 3, sizeof *block, by_size);
    return block[1];
}
/* False where this build cannot. */
static bool time_steps(const workload *w, figure *f)
{
    network n = network_of(w, precision_of(w));
    clock_state c = { NULL, 0, 0, 3, 1, 0, 0, w->batch, 0 };
    figure trial;
    gtr_fit_desc fit;
    if (gtr_error(n.ctx) == GTR_ERR_UNSUPPORTED) {
        printf("    %s\n", gtr_error_text(n.ctx)); gtr_destroy(n.ctx); return false;
    }
    if (w->pass) { time_pass(&n, w, f); network_end(&n, w->name); return true; }
    memset(&trial, 0, sizeof trial);
    memset(&fit, 0, sizeof fit);
    c.f = &trial;
    fit.epochs = 1000000;
    fit.batch = w->batch;
    fit.metric = n.metric;
    fit.callback = tick;
    fit.callback_user = &c;
    fit.callback_every = on_cpu(w) ? 1 : 8;
    if (w->trainers) time_trainers(&n, w, f);
    else gtr_fit(n.trainer, n.data, fit);
    if (trial.n) {              /* a block is as long as the peers' */
        fit.callback_every = (int64_t)fmin(fmax(60e3 / trial.time[0], (double)fit.callback_every), 20000);
        c.f = f;
        c.skip = 2;
        c.blocks = checking ? 1 : TURNS;
        c.turns = 1;
        gtr_fit(n.trainer, n.data, fit);
    }
    f->rest_bytes = c.rest_bytes;
    if (!gtr_error(n.ctx) && trial.n) f->step_us = time_by_step(&n, w, trial.time[0]);
    if (!gtr_error(n.ctx)) look_at_plan(w, &n, f);
    network_end(&n, w->name);
    return true;
}
static void time_epochs(const workload *w, figure *f)
{
    network n = network_of(w, w->precision);
    clock_state c = { NULL, 0, 0, 1, 5, 0, 1, 0, 0 };
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
    for (i = 0; i < cores && i < 256; i++) if (spinner[i] > 0) {
        kill(spinner[i], SIGKILL); waitpid(spinner[i], NULL, 0);
    }
    network_end(&n, w->name);
}
static void time_process(const workload *w, figure *f)
{
    char command[2048], line[256], last[256] = "";
    int k;
    const char *name = strrchr(fashion_program, '/');
    int folder = name ? (int)(name + 1 - fashion_program) : 0;
    snprintf(command, sizeof command, "'%.*s%s' '%s' 0 tf32 2>>build/bench.log", folder, fashion_program, w->program,
        fashion_folder);
    for (k = 0; k < 6; k++) {
        double start = now();
        FILE *p = popen(command, "r");
        while (p && fgets(line, sizeof line, p)) snprintf(last, sizeof last, "%s", line);
        if (!p || pclose(p)) { expect(0, "%s: %s", w->name, last); return; }
        if (k) f->time[f->n++] = now() - start;         /* the first reads the files from the disk */
    }
    printf("    %s", last);
}
static bool peer_wanted(const char *name)
{
    const char *which = getenv("BENCH_PEERS");
    char list[256], *at;
    snprintf(list, sizeof list, "%s", which ? which : "eager,graph,compile,jit,scan");
    for (at = strtok(list, ","); at; at = strtok(NULL, ",")) if (!strcmp(at, name)) return true;
    return false;
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

/* >> parity: do both sides compute the same? Our weights at steps 1, 100 and 400 go to the peer as safetensors, with
   our loss and gradients there; the peer repeats them and trains from our first weights on the same batches. Rows in
   order, no tail. Masks of dropout and noise are each side's own: there is nothing to compare. The steps are done by
   the kernels that are timed, gtr_fit's, which keep no gradients: what a step made of the first optimizer state says
   what its gradient was. */
static void first_states(network *n, float *to)
{
    int i;
    for (i = 0; i < gtr_parameter_count(n->ctx); i++) {
        gtr_tensor *x = gtr_parameter_at(n->ctx, i);
        if (!gtr_parameter_trainable(x)) continue;
        gtr_state_get(n->trainer, x, 0, to, gtr__bytes_of(x));
        to += gtr__bytes_of(x) / sizeof *to;
    }
}
/* Coarser than said, for parity to fail by; where there is nothing coarser, the gradient is bent. */
static gtr_precision control_precision(const workload *w)
{
    gtr_precision said = precision_of(w);
    return said == GTR_MIXED_BF16 ? said : said == GTR_FP32 && !on_cpu(w) ? GTR_TF32 : GTR_MIXED_BF16;
}
static void save_step(network *n, int step, const float *g, int64_t count)
{
    char path[64];
    FILE *f;
    snprintf(path, sizeof path, "build/parity/%d.gradient", step);
    f = fopen(path, "wb");
    if (f) { fwrite(g, sizeof *g, (size_t)count, f); fclose(f); }
    snprintf(path, sizeof path, "build/parity/%d.loss", step);
    f = fopen(path, "w");
    if (f) { fprintf(f, "%.9g\n", gtr_loss(n->trainer)); fclose(f); }
    snprintf(path, sizeof path, "build/parity/%d.after", step);
    gtr_save(n->ctx, path);
}
/* at: the steps proved; how many there were; the last of them in mean. */
static void compare(peer *p, const int *at, double mean)
{
    bool whole = false;
    char line[512];
    double ours, theirs, exact, nmse, peer_nmse;
    int step;
    peer_ask(p, "parity %d %d %d %d %d", at[0], at[1], at[2], at[3], at[4]);
    while (peer_line(p, line, sizeof line)) {
        if (sscanf(line, "PARITY %d %lf %lf %lf %lf %lf", &step, &ours, &theirs, &exact, &nmse, &peer_nmse) == 6) {
            bool close = fabs(ours - theirs) <= 1e-4 || fabs(ours - exact) <= fmax(1e-4, 2 * fabs(theirs - exact));
            expect(close && nmse <= fmax(2 * peer_nmse, 1e-10),
                   "step %d: loss %.6f, peer's at our weights %.6f, float64's %.6f; gradient's NMSE to float64 %.2e, "
                   "peer's %.2e", step, ours, theirs, exact, nmse, peer_nmse);
        }
        else if (sscanf(line, "BUFFERS %d %lf %lf", &step, &nmse, &peer_nmse) == 3)
            expect(nmse <= fmax(2 * peer_nmse, 1e-10), "step %d: running statistics' NMSE to float64 %.2e, peer's %.2e",
                   step, nmse, peer_nmse);
        else if ((whole = sscanf(line, "MEAN %lf", &theirs) == 1))
            expect(fabs(mean - theirs) <= 0.01, "mean loss of steps %d to %d: %.5f, peer's %.5f",
                   at[3] - at[4] + 1, at[3], mean, theirs);
        else printf("    %s\n", line);
    }
    if (!whole) expect(0, "the proof was not finished");
}
/* Microseconds. */
static double slowest(const workload *w)
{
    double us = 0;
    int i;
    for (i = 0; i < n_figures; i++) if (!strcmp(figures[i].work, w->name)) us = GTR__MAX(us, figures[i].us);
    return us;
}
static void parity(const workload *w)
{
    static const int full[] = { 1, 100, 400, 469, 100 }, tenth[] = { 1, 10, 40, 47, 10 };   /* see compare */
    const int *at = on_cpu(w) && full[3] * slowest(w) > 60e6 ? tenth : full;
    bool control = getenv("BENCH_CONTROL") != NULL;
    gtr_precision precision = control ? control_precision(w) : precision_of(w);
    float bend = control && precision == precision_of(w) ? 1.05f : 1;
    network n;
    char path[64];
    double mean = 0;
    int step, i, k = 0;
    int64_t j, count = 0;
    float *before, *g;
    if (w->trainers || strstr(w->network, " dropout:") || strstr(w->network, " sample ")) return;
    if (getenv("BENCH_PARITY") && !strcmp(getenv("BENCH_PARITY"), "0")) return;
    if (!peers[0].pid) { printf("    no PyTorch: parity not measured\n"); return; }
    n = network_of(w, precision);
    mkdir("build/parity", 0777);
    for (i = 0; i < gtr_parameter_count(n.ctx); i++) {
        gtr_tensor *x = gtr_parameter_at(n.ctx, i);
        if (gtr_parameter_trainable(x)) count += gtr__count(&x->shape);
    }
    before = (float *)malloc((size_t)count * 2 * sizeof *before);
    g = before + count;
    n.trainer->running.several = true;
    n.trainer->running.metric = n.metric;
    gtr_trainer_data(n.trainer, n.data, w->batch, false, true);
    for (step = 1; step <= at[3] && !gtr_error(n.ctx); step++) {
        if (k < 3 && step == at[k]) {
            k++;
            snprintf(path, sizeof path, "build/parity/%d.safetensors", step);
            gtr_save(n.ctx, path);
            first_states(&n, before);
            gtr_step(n.trainer);
            first_states(&n, g);
            for (j = 0; j < count; j++)
                g[j] = bend * (float)(w->optimizer == MOMENTUM ? g[j] - (double)n.trainer->optim.rule.mu * before[j]
                    : before[j] + ((double)g[j] - before[j]) / (1 - n.trainer->optim.beta1));
            save_step(&n, step, g, count);
        } else gtr_step(n.trainer);
        if (step > at[3] - at[4]) mean += gtr_loss(n.trainer) / at[4];
    }
    free(before);
    if (network_end(&n, "parity")) compare(&peers[0], at, mean);
}

/* >> output */
static const char *peers_of(const workload *w) { return w->same ? w->same : w->name; }
/* The least time of the peers whose name begins so; NULL: none. */
static const figure *best_of(const workload *w, const char *begins)
{
    const figure *best = NULL;
    int i;
    for (i = 0; i < n_figures; i++) {
        const figure *f = &figures[i];
        bool peers = !strcmp(f->work, peers_of(w)) && strncmp(f->who, "gputrain", 8);
        if (peers && f->us > 0 && !strncmp(f->who, begins, strlen(begins)) && (!best || f->us < best->us)) best = f;
    }
    return best;
}
static void expect_share(const workload *w, const figure *ours, double most, const char *of)
{
    const figure *best = most > 0 ? best_of(w, of) : NULL;
    if (!best) return;
    expect(ours->us <= most * best->us, "%.2f of %s's time, at most %.2f", ours->us / best->us, best->who, most);
}
static void print_epoch(const workload *w, const figure *ours)
{
    const figure *other;
    double flops, peak = peak_gflops(w->threads), rate;
    depth(w, &flops);
    flops *= 60000;
    rate = flops / ours->us * 1e-3;
    printf("    %.1f GFLOP an epoch, %.0f GFLOP/s, %.1f %% of the %.0f GFLOP/s of multiply-adds that %d thread%s "
           "reached here\n", flops * 1e-9, rate, rate / peak * 100, peak, w->threads, w->threads > 1 ? "s" : "");
    if (w->of_peak > 0) expect(rate >= w->of_peak * peak, "at least %.0f %% of the peak", w->of_peak * 100);
    if (!w->busy || !(other = find("cpu-mlp-2t", ours->who))) return;
    expect(ours->us <= 3 * other->us, "%.2f times the quiet time, at most 3", ours->us / other->us);
}
static void print_row(const workload *w, const figure *ours)
{
    const figure *compiled = find(peers_of(w), "torch-compile"), *other;
    double unit = w->kind == STEP ? 1 : 1e6, best = 0, flops = 0;
    int i, digits = w->kind == STEP ? 2 : 3;
    printf("  %-16s %10s %10s %10s %9s %12s\n", "", w->pass ? "us" : w->kind == STEP ? "us a step" : w->kind == PROCESS
        ? "seconds" : "s an epoch", "least", "most", "to ours", w->pass ? "TFLOP/s" : "MiB beside");
    if (w->pass) depth(w, &flops);
    for (i = 0; i < n_figures; i++) {
        const figure *f = &figures[i];
        bool own = !strncmp(f->who, "gputrain", 8);
        if (strcmp(f->work, own ? w->name : peers_of(w))) continue;
        printf("  %-16s %10.*f %10.*f %10.*f %8.2fx", f->who, digits, f->us / unit, digits, f->us_min / unit, digits,
            f->us_max / unit, f->us / ours->us);
        if (f->rest_bytes > 0) printf(" %12.1f", f->rest_bytes / 1048576);
        if (w->pass) printf(" %12.1f", flops * (double)w->batch / 8 / f->us * 1e-6);   /* one product of 2 + 3 + 3 */
        if (!own && !strncmp(f->who, "torch", 5) && f->rest_bytes > 0 && (best == 0 || f->rest_bytes < best))
            best = f->rest_bytes;
        putchar('\n');
    }
    if (ours->floor_us > 0) printf("  %-16s %10.2f %31.2fx\n", "floor", ours->floor_us, ours->floor_us / ours->us);
    if (ours->feed_us > 0)
        printf("    the gather takes %.2f us, %.1f %% of the step\n", ours->feed_us, ours->feed_us / ours->us * 100);
    if (ours->step_us > 0)
        printf("    by gtr_step %.2f us, %.2f of gtr_fit's\n", ours->step_us, ours->step_us / ours->us);
    if (checking) return;
    if (strcmp(ours->who, "gputrain")) {                /* a build for older chips has one limit */
        if (compiled) expect(ours->us < compiled->us, "%.2f us, PyTorch compiled %.2f", ours->us, compiled->us);
        fflush(stdout);
        return;
    }
    if (w->limit_us > 0) expect(ours->us <= w->limit_us, "%.2f of at most %.2f", ours->us / unit, w->limit_us / unit);
    if (w->compile > 0 && compiled) expect(ours->us * w->compile <= compiled->us,
        "%.3f times faster than PyTorch compiled, at least %.3f", compiled->us / ours->us, w->compile);
    if (w->memory > 0 && best > 0) expect(ours->rest_bytes <= w->memory * best,
        "memory %.2f of PyTorch's best, at most %.2f", ours->rest_bytes / best, w->memory);
    if (w->neighbour && (other = find(w->neighbour, ours->who))) {
        double stages = (double)(depth(w, NULL) - 1) / (depth(row_of(w->neighbour), NULL) - 1);
        expect(ours->us <= 1.3 * stages * other->us, "%.2f times %s%s, at most 1.30", ours->us / other->us / stages,
            w->neighbour, stages > 1 ? " a stage" : "");
    }
    expect_share(w, ours, w->of_best, "");
    expect_share(w, ours, w->of_torch, "torch");
    if (w->kind == EPOCH && !reporting) print_epoch(w, ours);
    fflush(stdout);
}
/* One line a row: ours, the floor over ours, each peer's time and ours over it, memory, the gather's share. */
static void print_table(void)
{
    static const char *const names[] = {
        "torch-eager", "torch-graph", "torch-compile", "torch-compile-max", "jax-jit", "jax-scan" };
    int k, i, j;
    printf("\n%-30s %-15s %9s %9s %9s %6s", "us (seconds for a process, an epoch)", "", "median", "least",
        "most", "floor");
    for (j = 0; j < 6; j++) printf(" %17s", names[j]);
    printf(" %14s %6s %12s\n", "MiB (best)", "feed", "by gtr_step");
    for (k = 0; k < ROWS; k++) for (i = 0; i < n_figures; i++) {
        const figure *f = &figures[i], *p;
        const workload *w = &table[k];
        double unit = w->kind == STEP ? 1 : 1e6, best = 0;
        if (strcmp(f->work, w->name) || strncmp(f->who, "gputrain", 8)) continue;
        printf("%-30s %-15s %9.*f %9.*f %9.*f ", w->name, f->who, unit > 1 ? 3 : 1, f->us / unit, unit > 1 ? 3 : 1,
            f->us_min / unit, unit > 1 ? 3 : 1, f->us_max / unit);
        if (f->floor_us > 0) printf("%6.2f", f->floor_us / f->us); else printf("%6s", "-");
        for (j = 0; j < 6; j++) {
            p = find(peers_of(w), names[j]);
            if (p && p->us > 0) printf(" %9.*f (%5.2f)", unit > 1 ? 3 : 1, p->us / unit, f->us / p->us);
            else printf(" %17s", "-");
            if (p && j < 4 && p->rest_bytes > 0 && (best == 0 || p->rest_bytes < best)) best = p->rest_bytes;
        }
        if (f->rest_bytes > 0) printf(" %6.1f", f->rest_bytes / 1048576); else printf(" %6s", "-");
        if (best > 0) printf(" (%5.1f)", best / 1048576); else printf(" %7s", "");
        if (f->feed_us > 0) printf(" %4.1f %%", f->feed_us / f->us * 100); else printf(" %6s", "-");
        if (f->step_us > 0) printf(" %12.1f\n", f->step_us); else printf(" %12s\n", "-");
    }
}
static double number(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    return at ? atof(at + strlen(key)) : 0;
}
/* What earlier runs measured: this run's rows take the place of theirs. */
static void read_json(void)
{
    FILE *f = fopen("build/bench.json", "r");
    char line[1024], work[48], name[32];
    while (f && fgets(line, sizeof line, f)) {
        figure *g;
        if (sscanf(line, "{\"work\": \"%47[^\"]\", \"who\": \"%31[^\"]\"", work, name) != 2 || !row_of(work)) continue;
        g = new_figure(work, name);
        g->us = number(line, "\"us\": ");
        g->us_min = number(line, "\"us_min\": ");
        g->us_max = number(line, "\"us_max\": ");
        g->rest_bytes = number(line, "\"rest_bytes\": ");
        g->floor_us = number(line, "\"floor_us\": ");
        g->feed_us = number(line, "\"feed_us\": ");
        g->step_us = number(line, "\"step_us\": ");
    }
    if (f) fclose(f);
}
static void write_json(void)
{
    FILE *f = fopen("build/bench.json", "w");
    time_t t = time(NULL);
    char date[32];
    int i, n = 0;
    if (!f) return;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&t));
    fprintf(f, "{\"gpu\": \"%s\", \"date\": \"%s\", \"build\": \"%s\", \"rows\": [", device, date,
        getenv("BENCH_BUILD") ? getenv("BENCH_BUILD") : "");
    for (i = 0; i < n_figures; i++) {
        const figure *g = &figures[i];
        if (g->us <= 0) continue;
        fprintf(f, "%s\n{\"work\": \"%s\", \"who\": \"%s\", \"us\": %.3f, \"us_min\": %.3f, \"us_max\": %.3f",
            n++ ? "," : "", g->work, g->who, g->us, g->us_min, g->us_max);
        if (g->rest_bytes > 0) fprintf(f, ", \"rest_bytes\": %.0f", g->rest_bytes);
        if (g->floor_us > 0) fprintf(f, ", \"floor_us\": %.2f", g->floor_us);
        if (g->feed_us > 0) fprintf(f, ", \"feed_us\": %.2f", g->feed_us);
        if (g->step_us > 0) fprintf(f, ", \"step_us\": %.2f", g->step_us);
        fprintf(f, "}");
    }
    fprintf(f, "\n]}\n");
    fclose(f);
}

static bool wanted(const workload *w, int argc, char **argv, bool gpu)
{
    int i;
    if (argc < 3) return gpu != (w->threads > 0);
    for (i = 2; i < argc; i++) if (names(argv[i], w)) return true;
    return false;
}
/* A row whose peers are another's asks for none, unless that one was never measured. */
static void run_row(const workload *w, bool gpu)
{
    figure *ours;
    double start = now();
    int k;
    printf("\n%s\n", w->name);
    if (w->kind == STEP && !gpu && !on_cpu(w)) { printf("    needs a GPU\n"); return; }
    if (w->kind == PROCESS && !have_fashion()) { printf("    needs Fashion-MNIST: make data\n"); return; }
    for (k = 0; k < 2; k++) peers[k].n = 0;
    for (k = 0; w->kind == STEP && !w->same && k < (w->threads || w->pass ? 1 : 2); k++) peer_row(&peers[k], w);
    ours = new_figure(w->name, who);
    if (w->kind == STEP) {
        if (!time_steps(w, ours)) return;
        peers_settle();
        settle(ours);
        if (!w->same && !w->pass) parity(w);
    } else if (w->kind == EPOCH) {
        time_epochs(w, ours);
        if (!w->busy && peer_wanted("eager") && peer_start(&peers[0])) {
            peer_ask_row(&peers[0], "epochs", w);
            peer_times(&peers[0], w->name, "torch");
        }
    } else {
        time_process(w, ours);
        for (k = 0; k < 2; k++) {
            if (!peer_wanted(k ? "graph" : "eager") || !peer_start(&peers[0])) continue;
            peer_ask(&peers[0], "process %s %s %s", k ? "graph" : "eager", fashion_folder,
                strstr(w->network, "conv") ? "cnn" : "mlp");
            peer_times(&peers[0], w->name, k ? "torch-graph" : "torch-eager");
        }
    }
    settle(ours);
    if (ours->n) print_row(w, ours);
    else expect(0, "%s was not timed", w->name);
    printf("    this row took %.1f s\n", (now() - start) * 1e-6);
    if (!checking) write_json();
}
int main(int argc, char **argv)
{
    gtr_desc d;
    gtr_context *ctx;
    bool gpu;
    int k, i, at = 0, part = 1, parts = 1;
    reporting = argc == 3 && !strcmp(argv[2], "report");
    if (argc < 2) { fprintf(stderr, "usage: bench 03_fashion [row...|all|list|report]\n"); return 2; }
    for (k = 0; argc == 3 && !strcmp(argv[2], "list") && k < ROWS; k++) puts(table[k].name);
    if (argc == 3 && !strcmp(argv[2], "list")) return 0;
    for (i = 2; i < argc && !reporting; i++) {
        for (k = 0; k < ROWS && !names(argv[i], &table[k]); k++) { }
        if (k == ROWS) { fprintf(stderr, "bench: there is no row %s (\"list\" names them)\n", argv[i]); return 2; }
    }
    if (getenv("BENCH_SHARD") && *getenv("BENCH_SHARD")
            && (sscanf(getenv("BENCH_SHARD"), "%d/%d", &part, &parts) != 2 || part < 1 || part > parts)) {
        fprintf(stderr, "bench: a shard is like 2/3\n"); return 2;
    }
    fashion_program = argv[1];
    fashion_folder = getenv("BENCH_FASHION") ? getenv("BENCH_FASHION") : "build/fashion";
    checking = getenv("BENCH_CHECK") != NULL;
    if (checking && getenv("BENCH_BATCH"))
        for (k = 0; k < ROWS; k++) table[k].batch = GTR__MIN(table[k].batch, atoll(getenv("BENCH_BATCH")));
    python = getenv("BENCH_PYTHON") ? getenv("BENCH_PYTHON") : "python3";
    who = getenv("BENCH_WHO") ? getenv("BENCH_WHO") : "gputrain";
    mkdir("build", 0777);
    if (!freopen("build/bench.log", "a", stderr)) return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGPIPE, SIG_IGN);
    read_json();
    if (reporting) {
        for (k = 0; k < ROWS; k++)
            for (i = 0; i < n_figures; i++)
                if (!strcmp(figures[i].work, table[k].name) && !strncmp(figures[i].who, "gputrain", 8)) {
                    printf("\n%s\n", table[k].name); print_row(&table[k], &figures[i]);
                }
    } else {
        memset(&d, 0, sizeof d);
        ctx = gtr_create(d);
        gpu = gtr_on_gpu(ctx);
        snprintf(device, sizeof device, "%s", gtr_device_text(ctx));
        printf("%s\n%s\n%s\n", device, gtr_environment_text(ctx), getenv("BENCH_BUILD") ? getenv("BENCH_BUILD") : "");
        gtr_destroy(ctx);
        for (k = 0; k < ROWS; k++) if (wanted(&table[k], argc, argv, gpu) && at++ % parts == part - 1)
            run_row(&table[k], gpu);
        for (k = 0; k < 2; k++) peer_end(&peers[k]);
    }
    print_table();
    printf("\n%s: build/bench.json; %d figure%s missed\n", reporting ? "read" : "written", misses,
        misses == 1 ? "" : "s");
    return misses ? 1 : 0;
}
