/* Random calls of the whole API on random live objects of two contexts, with random and nasty arguments, allocations
   and file calls that fail, custom ops that fail and callbacks that call back. After each call: its result and the
   context's error agree, the error names something, a failed allocation is told, parameters of a call that failed are
   as they were; a small training run that is known goes on giving its known loss; a destroyed context has given back
   every byte. Sanitizers do the rest. Ops are called by their rows, of op_rows.h. Bytes choose the calls, so that
   libFuzzer finds its way in:
       clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz/fuzz_api.c -o fuzz -lm -pthread && ./fuzz
       -max_len=1024 -max_total_time=60
   or, without clang, drawn from a seed: count inputs, or seconds of them; the one that fails is written to
   a file, which replays it.
       cc -g -O1 -fsanitize=address,undefined -DFUZZ_MAIN tests/fuzz/fuzz_api.c -o fuzz -lm -pthread &&
       ./fuzz seed count [seconds]
   GTR_FUZZ_VERBOSE=1 ./fuzz file shows an input's calls; ./fuzz -minimize_crash=1 -runs=10000 file makes it short. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- the file calls that the library makes, the io_fail-th of which fails; gtr_fit's progress goes nowhere ---- */
static int io_fail, io_way, verbose;
static bool io_struck(void)
{
    if (!io_fail || --io_fail) return false;
    errno = io_way % 3 == 0 ? EINTR : io_way % 3 == 1 ? ENOSPC : EIO;
    return true;
}
static int x_open(const char *path, int flags, unsigned mode) { return io_struck() ? -1 : open(path, flags, mode); }
static ssize_t x_read(int fd, void *p, size_t n) { return io_struck() ? -1 : read(fd, p, io_way & 4 && n > 3 ? 3 : n); }
static ssize_t x_write(int fd, const void *p, size_t n) {
    return io_struck() ? -1 : write(fd, p, io_way & 4 && n > 3 ? 3 : n);
}
static int x_fsync(int fd) { (void)fd; return io_struck() ? -1 : 0; }   /* tmpfs has nothing to sync */
/* What is larger is refused here, whatever the machine would promise. */
#define LARGEST ((size_t)32 << 20)
static bool struck;                 /* an allocation has failed */
static void *x_malloc(size_t n) { struck |= n > LARGEST; return n > LARGEST ? NULL : malloc(n); }
static void *x_calloc(size_t n, size_t size) {
    struck |= n > LARGEST / size; return n > LARGEST / size ? NULL : calloc(n, size);
}
static int x_rename(const char *a, const char *b) { return io_struck() ? -1 : rename(a, b); }
#define open x_open
#define read x_read
#define write x_write
#define fsync x_fsync
#define rename x_rename
#define malloc x_malloc
#define calloc x_calloc
#define fprintf(file, ...) (verbose ? (void)fprintf(file, __VA_ARGS__) \
    : (void)snprintf((char[1024]){ 0 }, 1024, __VA_ARGS__))
#define GPUTRAIN_STATIC
#define GPUTRAIN_IMPLEMENTATION
#include "../../gputrain.h"
#include "../tables/readers.h"
#undef open
#undef read
#undef write
#undef rename
#undef malloc
#undef calloc
#undef fprintf
#include "../programs/op_rows.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
#define MUST(x, ...) do { if (!(x)) failed(__LINE__, #x, __VA_ARGS__); } while (0)
static uint64_t calls, inputs;
static char doing[512];             /* the call, when verbose; else its name */
static void failed(int line, const char *what, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    fprintf(stderr, "FAIL line %d: %s in %s: ", line, what, doing);
    vfprintf(stderr, format, ap);
    fprintf(stderr, "\n");
    va_end(ap);
    abort();
}

/* ---- bytes ---- */
static const uint8_t *in, *in_end;
static unsigned byte(void) { return in < in_end ? *in++ : 0; }
/* a 0, which is what is left at the end, is the usual */
static bool one_in(unsigned n) { return byte() % n == n - 1; }
static int64_t nasty(int64_t usual)
{
    static const int64_t odd[] = { 0, -1, -2, 7, 1000, (int64_t)1 << 40, INT64_MAX, INT64_MIN };
    unsigned b = byte();
    return b >= 240 ? odd[b % 8] : usual;
}
static float nastyf(float usual)
{
    static const float odd[] = { 0, -1, NAN, INFINITY, 1e30f, 1e-38f, 1, 0.5f };
    unsigned b = byte();
    return b >= 240 ? odd[b % 8] : usual;
}
static int enumerated(int count) {
    unsigned b = byte(); return b >= 250 ? (b & 1 ? 99 : -1) : (int)(b % (unsigned)count);
}

/* ---- worlds: a context, what it has of its allocator, and a small training run whose loss is known ---- */
typedef struct probe { gtr_tensor *x, *y, *p[4]; gtr_trainer *t; } probe;
typedef struct world {
    gtr_context *ctx;
    size_t live, blocks;
    bool own, lasting;              /* memory is its allocator's; errors last: it was made with one */
    probe probe;
    int64_t base;                   /* tensors before this one are the probe's */
} world;
static world worlds[2], *w;
static int fail_at, fail_kind;      /* the allocation that fails, of a kind (3: of any); 0: none */
static bool fail_on;                /* all from then on */
static int depth;                   /* in a callback of gtr_fit */
static gtr_trainer *running;        /* whose gtr_fit that is */
static unsigned named;              /* for names that are new */

typedef struct block { size_t bytes; int kind; world *of; } block;
static void *take(size_t bytes, gtr_memory kind, void *user)
{
    world *o = (world *)user;
    void *p = NULL;
    block *b;
    if (fail_at && (fail_kind == 3 || fail_kind == (int)kind) && (--fail_at == 0 || fail_on)) {
        if (fail_on) fail_at = 1;
        struck = true;
        return NULL;
    }
    if (bytes > LARGEST || posix_memalign(&p, 256, bytes + 256)) { struck = true; return NULL; }
    b = (block *)p;
    b->bytes = bytes; b->kind = kind; b->of = o;
    o->live += bytes;
    o->blocks++;
    memset((char *)p + 256, 0xff, bytes);       /* what nobody wrote is NaN */
    return (char *)p + 256;
}
static void give(void *p, size_t bytes, gtr_memory kind, void *user)
{
    block *b = (block *)((char *)p - 256);
    MUST(b->of == user && b->bytes == bytes && b->kind == (int)kind, "%zu bytes of kind %d came back as %zu of %d",
        b->bytes, b->kind, bytes, (int)kind);
    b->of->live -= bytes;
    b->of->blocks--;
    free(b);
}
static void heard(gtr_level level, const char *text, void *user) {
    (void)user; MUST(text[0] && level <= GTR_LOG_WARNING, "a warning without text");
}

/* ---- what every call is followed by ---- */
static gtr_result error_before;
static char text_before[1024];
static double began;
static uint64_t sum_before;
static int64_t parameters_before;
static bool summed;
static bool leaves;                 /* the call is several, which may leave parameters */
static double now(void) {
    struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
/* Of the first n parameters. */
static uint64_t parameter_sum(const gtr_context *ctx, int64_t n)
{
    uint64_t h = 0;
    for (int64_t i = 0; i < n; i++) {
        const gtr__storage *p = gtr__storage_of(ctx->graph.parameter[i]);
        for (size_t k = 0; p && p->data && k < p->data_bytes; k += 4) {
            uint32_t v; memcpy(&v, (const char *)p->data + k, 4); h = (h ^ v) * 0x100000001b3u;
        }
    }
    return h;
}
static const char *N(const gtr_tensor *t)
{
    static char text[16][48];
    static int turn;
    char *s = text[turn = (turn + 1) % 16];
    if (!verbose) return "";
    if (t) snprintf(s, 48, "%s%lld:%.20s", t->ctx == worlds[1].ctx ? "B" : "", (long long)t->id,
        t->name ? t->name : gtr__rows[t->op].name);
    return t ? s : "NULL";
}
static void arm(bool may)
{
    const unsigned b = may && !depth ? byte() : 0;
    struck = false;
    fail_at = b >= 224 ? 1 + (int)(byte() % 24) : 0;
    fail_kind = b & 4 ? (int)(b & 3) : 3;
    fail_on = b >> 3 & 1;
}
/* keeps: a call that fails changes no parameter. */
static void before(bool keeps, const char *format, ...)
{
    calls++;
    if (verbose) {
        va_list ap;
        va_start(ap, format);
        vsnprintf(doing, sizeof doing, format, ap);
        va_end(ap);
    } else memcpy(doing, format, strlen(format) + 1);
    arm(true);
    if (verbose) fprintf(stderr, "%*s%s %s%s\n", 4 * depth, "", w == worlds ? "A" : "B", doing,
        fail_at ? "  (an allocation fails)" : "");
    error_before = gtr_error(w->ctx);
    if (error_before) snprintf(text_before, sizeof text_before, "%s", gtr_error_text(w->ctx));
    summed = keeps && (fail_at || io_fail) && w->ctx;
    if (summed) sum_before = parameter_sum(w->ctx, w->ctx->graph.n_parameter);
    parameters_before = gtr_parameter_count(w->ctx);
    leaves = false;
    began = now();
}
static void probe_run(world *o, const probe *p);
static void after(gtr_result r)
{
    gtr_context *ctx = w->ctx;
    const gtr_result e = gtr_error(ctx);
    const char *text = gtr_error_text(ctx);
    const bool was_struck = struck;
    fail_at = io_fail = 0;
    if (verbose && r) fprintf(stderr, "%*s    = %d %s\n", 4 * depth, "", r, text);
    MUST(now() - began < 30, "it took %.0f s", now() - began);
    MUST((int)r >= 0 && r < GTR_RESULT_COUNT, "it returned %d", (int)r);
    if (!ctx) return;
    if (error_before) MUST(e == error_before && (!strcmp(text, text_before)
        || strstr(text, "; gtr_save writes nothing")),
        "the first error was '%s' and became '%s'",
        text_before, text);
    else {
        MUST((r == GTR_OK) == (e == GTR_OK), "it returned '%s', and the context's error is '%s' (%s)",
            gtr_result_text(r), gtr_result_text(e), text);
        MUST(!was_struck || e, "an allocation failed, and nobody was told");
        MUST(e != GTR_ERR_NOMEM || was_struck || ctx->desc.memory_limit, "there was memory: %s", text);
    }
    MUST(!r || ctx->graph.n_parameter == parameters_before || leaves, "it failed (%s) and left parameters", text);
    if (r && summed)
        MUST(parameter_sum(ctx, parameters_before) == sum_before, "it failed (%s) and changed parameters", text);
    if (!e) return;
    MUST(strlen(text) >= 8 && strcmp(text, gtr_result_text(e)), "the error's text is \"%s\"", text);
    MUST(e != GTR_ERR_CUDA && (e != GTR_ERR_VERSION || strstr(text, "checkpoint")), "%s", text);
    if (one_in(4)) return;
    gtr_error_clear(ctx);
    if (w->lasting) { MUST(gtr_error(ctx) == e, "a context that could not be made works now"); return; }
    MUST(gtr_error(ctx) == GTR_OK && !gtr_error_text(ctx)[0], "an error stays: %s", gtr_error_text(ctx));
    if (w->probe.t && one_in(8)) probe_run(w, &w->probe);
}
/* For calls that give no result: an error may come of them, or not. */
static void told(void) { after(error_before ? GTR_OK : gtr_error(w->ctx)); }
/* whole: no argument is NULL, so that NULL means an error. */
static gtr_tensor *built(gtr_tensor *t, bool whole)
{
    if (!t && !whole) told();
    else after(t ? GTR_OK : gtr_error(w->ctx) ? gtr_error(w->ctx) : GTR_ERR_USER);
    return t;
}

/* ---- the run that is known ---- */
static const gtr_float probe_x[12] = { 1, -2, 0.5f, 3, 0.25f, -1, 2, 1, -0.5f, 1, 1, -3 };
static const int32_t probe_y[4] = { 0, 1, 2, 1 };
static float probe_loss;
static probe probe_new(gtr_context *ctx, const char *name)
{
    probe p;
    gtr_trainer_desc d;
    gtr_tensor *h;
    char at[64];
    memset(&d, 0, sizeof d);
    d.lr = 0.5f;
    gtr_scope_begin(ctx, name);
    p.x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3));
    p.y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    h = gtr_relu(gtr_linear(p.x, "one", 5));
    p.t = gtr_trainer_create(gtr_cross_entropy(gtr_linear(h, "two", 3), p.y), d);
    gtr_scope_end(ctx);
    MUST(gtr_error(ctx) == GTR_OK, "the known run can't be built: %s", gtr_error_text(ctx));
    for (int i = 0; i < 4; i++) {
        snprintf(at, sizeof at, "%s.%s.%s", name, i < 2 ? "one" : "two", i % 2 ? "bias" : "weight");
        p.p[i] = gtr_parameter_find(ctx, at);
    }
    return p;
}
static void probe_run(world *o, const probe *p)
{
    gtr_float v[16];
    float loss;
    gtr_context *ctx = o->ctx;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 16; k++) v[k] = (gtr_float)((k * 7 + i * 5) % 11 - 5) / 8;
        gtr_set(p->p[i], v, (size_t)gtr__count(&p->p[i]->shape) * sizeof *v);
    }
    gtr_set(p->x, probe_x, sizeof probe_x);
    gtr_set(p->y, probe_y, sizeof probe_y);
    for (int i = 0; i < 3; i++) MUST(gtr_step(p->t) == GTR_OK, "the known step can't be made: %s", gtr_error_text(ctx));
    loss = gtr_loss(p->t);
    MUST(gtr_error(ctx) == GTR_OK, "the known run fails: %s", gtr_error_text(ctx));
    if (probe_loss == 0) probe_loss = loss;
    MUST(loss == probe_loss && loss > 0 && loss < 2, "the known loss is %.9g, and was %.9g", (double)loss,
        (double)probe_loss);
}
/* Built anew, wherever the context is: its scopes, its stage, its regions. */
static void probe_anew(world *o)
{
    char name[32];
    probe p;
    int64_t mark;
    gtr_context *ctx = o->ctx;
    gtr_error_clear(ctx);
    while (ctx->building.scope_depth) gtr_scope_end(ctx);
    gtr_stage(ctx, 0);
    gtr_recompute_end(ctx);
    gtr_error_clear(ctx);
    mark = gtr_mark(ctx);
    snprintf(name, sizeof name, "anew%u", named++);
    p = probe_new(ctx, name);
    probe_run(o, &p);
    gtr_trainer_destroy(p.t);
    gtr_release(ctx, mark);
    MUST(gtr_error(ctx) == GTR_OK, "releasing the known run: %s", gtr_error_text(ctx));
}

static void world_new(world *o)
{
    gtr_desc d;
    gtr_context *c;
    unsigned b = byte();
    memset(&d, 0, sizeof d);
    memset(o, 0, sizeof *o);
    d.device = b < 128 ? GTR_DEVICE_CPU : b < 250 ? GTR_DEVICE_AUTO : (gtr_device)(b % 8);
    d.threads = (b & 7) == 7 ? 2 : 1;
    d.seed = b >> 3;
    b = byte();
    if (b >= 240) d.memory_limit = (size_t)1 << (10 + (b & 15));
    if (b >= 224 && b < 240) d.preset = (gtr_preset)(b & 7);
    if (b == 200) d.threads = -1;
    if (b == 201) d.max_sm = -1;
    if (b == 202) d.device_index = -1;
    if (b & 16) { d.log = heard; d.log_user = o; }
    o->own = (b & 7) != 7;
    if (o->own) { d.allocator.alloc = take; d.allocator.free = give; d.allocator.user = o; }
    if (b == 203) d.allocator.free = NULL, o->own = false;
    w = o;
    calls++;
    arm(true);
    snprintf(doing, sizeof doing, "gtr_create");
    if (verbose)
        fprintf(stderr, "%s gtr_create({ device %d threads %d limit %zu preset %d allocator %d })%s\n",
            w == worlds ? "A" : "B", (int)d.device, d.threads, d.memory_limit, (int)d.preset, o->own,
            fail_at ? "  (an allocation fails)" : "");
    o->ctx = c = gtr_create(d);
    fail_at = 0;
    MUST(c || struck, "no context");
    if (!c) return;
    /* a pool may be done without */
    MUST(!struck || gtr_error(c) == GTR_ERR_NOMEM || gtr_error(c) == GTR_ERR_UNSUPPORTED || d.threads == 2, "%s",
        gtr_error_text(c));
    o->lasting = gtr_error(c) != GTR_OK;
    if (!o->lasting && !d.preset && !d.memory_limit) {
        o->probe = probe_new(c, "known");
        probe_run(o, &o->probe);
    }
    o->base = c->graph.n_tensor;
}
static void world_end(world *o)
{
    w = o;
    if (o->ctx && o->probe.t) { probe_run((gtr_error_clear(o->ctx), o), &o->probe); probe_anew(o); }
    calls++;
    snprintf(doing, sizeof doing, "gtr_destroy");
    if (verbose) fprintf(stderr, "%s gtr_destroy\n", o == worlds ? "A" : "B");
    gtr_destroy(o->ctx);
    MUST(!o->live && !o->blocks, "%zu bytes in %zu blocks are left", o->live, o->blocks);
    memset(o, 0, sizeof *o);
}

/* ---- objects to call on ---- */
static bool fits(const gtr_tensor *t) { int64_t n = gtr__count(&t->shape); return n < 300 && n > -300; }
static gtr_tensor *any_of(const world *o)
{
    const unsigned b = byte();
    int64_t n;
    if (b == 255 || !o->ctx || (n = o->ctx->graph.n_tensor - o->base) < 1) return NULL;
    gtr_tensor *t = o->ctx->graph.tensor[o->base + (b & 1 ? n - 1 - (b >> 1) % GTR__MIN(n, 6) : (b >> 1) % n)];
    return fits(t) ? t : NULL;
}
static gtr_tensor *any(void) { return any_of(w); }
/* Another context's, which the library refuses. */
static gtr_tensor *foreign(gtr_tensor *t) { return one_in(64) ? any_of(&worlds[w == worlds]) : t; }
static gtr_tensor *of_type(gtr_dtype dtype)
{
    gtr_tensor *t = any();
    for (int i = 0; i < 4 && t && t->dtype != dtype; i++) t = any();
    return t;
}
static gtr_tensor *floats(void) { return of_type(GTR_F32); }
static gtr_tensor *like(const gtr_tensor *x)
{
    gtr_tensor *t = floats();
    for (int i = 0;
            i < 4 && x && t && (t->shape.ndim != x->shape.ndim || memcmp(&t->shape, &x->shape, sizeof t->shape)); i++)
        t = floats();
    return foreign(t);
}
static gtr_tensor *parameter(void)
{
    const int64_t n = gtr_parameter_count(w->ctx), skip = w->probe.t ? 4 : 0;
    gtr_tensor *p = one_in(16) || n <= skip ? any() : gtr_parameter_at(w->ctx, skip + (int64_t)byte() % (n - skip));
    return p && fits(p) ? p : NULL;
}
static gtr_tensor *scalar(void)
{
    gtr_tensor *t = floats();
    for (int i = 0; i < 6 && t && (t->dtype != GTR_F32 || gtr__count(&t->shape) != 1); i++) t = any();
    return t;
}
static gtr_tensor *input(gtr_dtype dtype)
{
    gtr_tensor *t = any();
    for (int i = 0; i < 8 && t && (t->op != GTR__OP_INPUT || t->dtype != dtype); i++) t = any();
    return t;
}
static gtr_trainer *trainer(void)
{
    gtr_trainer *t = w->ctx ? w->ctx->trainers : NULL;
    for (unsigned b = byte() % 4; b && t && t->next; b--) t = t->next;
    if (t && t == w->probe.t) t = w->ctx->trainers;
    return t == w->probe.t ? NULL : t;
}
static gtr_predictor *predictor(void)
{
    gtr_predictor *p = w->ctx ? w->ctx->predictors : NULL;
    for (unsigned b = byte() % 4; b && p && p->next; b--) p = p->next;
    return p;
}
static gtr_dataset *dataset(void)
{
    const unsigned b = byte();
    const world *o = b == 255 ? &worlds[w == worlds] : w;
    gtr_dataset *d = o->ctx ? o->ctx->datasets : NULL;
    for (unsigned k = b % 4; k && d && d->next; k--) d = d->next;
    return d;
}
/* What the context in use is told of a call: without a trainer the data set's is, and without both none. */
static gtr_result of_call(const gtr_trainer *t, const gtr_dataset *d, gtr_result r) {
    return t || (d && d->ctx == w->ctx) ? r : GTR_OK;
}
static const char *name(void)
{
    static char text[8][700];
    static int turn;
    static const char *const odd[] = { "a", "b", "fc", "x", "", NULL, "__metadata__", "bad\xff", "q\"\\\n", "*" };
    char *s = text[turn = (turn + 1) % 8];
    const unsigned b = byte();
    if (b >= 246) return odd[b - 246];
    snprintf(s, 700, "n%u", named++);
    if (b >= 240) {                 /* long ones, alike at the front */
        static const int sizes[] = { 240, 399, 401, 500, 506, 600 };
        const int n = sizes[b - 240], k = (int)strlen(s);
        memmove(s + n - k, s, (size_t)k + 1);
        memset(s, 'l', (size_t)(n - k));
    }
    return s;
}
static gtr_shape shape(void)
{
    gtr_shape s = gtr_shape0();
    const unsigned b = byte();
    if (b < 96) return gtr_shape2(GTR_BATCH, 4);
    if (b < 128) return gtr_shape1(GTR_BATCH);
    if (b < 160) return gtr_shape2(4, 4);
    if (b < 176) return gtr_shape3(GTR_BATCH, 2, 4);
    if (b < 188) return gtr_shape1(4);
    if (b < 192) return gtr_shape4(GTR_BATCH, 2, 1, 2);
    if (b < 200) return gtr_shape2(-2, 4);
    s.ndim = b < 250 ? (int)(b % 5) : (int)(b % 12) - 2;
    for (int i = 0; i < GTR_MAX_DIMS; i++) s.dim[i] = i < s.ndim ? nasty(1 + byte() % 3) : 0;
    return s;
}
/* Memory that holds exactly n bytes of some numbers, so that a byte too far is seen. */
static void *numbers(gtr_dtype dtype, size_t n)
{
    unsigned char *p = (unsigned char *)malloc(n ? n : 1);
    const unsigned way = byte();
    for (size_t i = 0; i + 4 <= n; i += 4) {
        const unsigned k = (unsigned)(i / 4) * 5 + way;
        gtr_float f = (gtr_float)(k % 17) / 8 - 1;
        int32_t v = (int32_t)(k % 3);
        if (way >= 250) f = (gtr_float)nastyf(1);
        if (way >= 248) v = (int32_t)nasty(-100);
        if (dtype == GTR_F32) memcpy(p + i, &f, 4); else memcpy(p + i, &v, 4);
    }
    if (dtype == GTR_U8) for (size_t i = 0; i < n; i++) p[i] = (unsigned char)((i * 3 + way) % 3);
    return p;
}

/* ---- calls: graphs ---- */
static void do_input(void)
{
    const gtr_dtype type = one_in(3) ? GTR_I32 : one_in(32) ? (gtr_dtype)enumerated((int)GTR_DTYPE_COUNT) : GTR_F32;
    gtr_shape s = type == GTR_I32 && !one_in(4) ? gtr_shape1(GTR_BATCH) : shape();
    const char *n = name();
    before(true, "gtr_input(%.20s, %d)", n ? n : "NULL", (int)type);
    built(gtr_input(w->ctx, n, type, s), true);
}
static void do_parameter(void)
{
    gtr_init i;
    gtr_shape s = shape();
    const char *n = name();
    memset(&i, 0, sizeof i);
    i.kind = (gtr_init_kind)enumerated(4); i.a = i.kind || one_in(8) ? nastyf(0.5f) : 0; i.frozen = one_in(8);
    for (int k = 0; k < s.ndim && k < GTR_MAX_DIMS; k++) if (s.dim[k] < 0 && !one_in(32)) s.dim[k] = 3;
    before(true, "gtr_parameter(%.20s, kind %d a %g)", n ? n : "NULL", (int)i.kind, (double)i.a);
    built(gtr_parameter(w->ctx, n, s, i), true);
}
static void do_constant(void)
{
    const gtr_dtype type = one_in(8) ? (gtr_dtype)enumerated((int)GTR_DTYPE_COUNT) : one_in(4) ? GTR_I32 : GTR_F32;
    const bool none = one_in(32);
    gtr_shape s = shape();
    int64_t n;
    for (int k = 0; k < s.ndim && k < GTR_MAX_DIMS; k++) if (s.dim[k] < 0 && !one_in(32)) s.dim[k] = 1;
    n = s.ndim < 0 || s.ndim > GTR_MAX_DIMS ? 1 : gtr__count(&s);
    /* what is larger than that is refused, or has no memory, which a context that only plans does not ask for */
    void *data = numbers(type, n > 0 && n < 1000 ? (size_t)n * sizeof(gtr_float) : 4);
    const bool called = n < 1000 || (n >= 1 << 23 && !(w->ctx && w->ctx->preset));
    before(true, "gtr_constant(%d, %lld elements)", (int)type, (long long)n);
    built(called ? gtr_constant(w->ctx, type, s, none ? NULL : data) : NULL, called);
    free(data);
}
static void do_state(void)
{
    const char *n;
    const unsigned b = byte() % 16;
    gtr_tensor *t;
    if (b < 4) {
        n = name(); before(true, "gtr_scope_begin(%.20s)", n ? n : "NULL"); gtr_scope_begin(w->ctx, n); told();
    }
    else if (b < 8) { before(true, "gtr_scope_end"); gtr_scope_end(w->ctx); told(); }
    else if (b < 10) {
        const int s = (int)nasty(byte() % 3); before(true, "gtr_stage(%d)", s); gtr_stage(w->ctx, s); told();
    }
    else if (b < 11) { before(true, "gtr_recompute_begin"); gtr_recompute_begin(w->ctx); told(); }
    else if (b < 13) { before(true, "gtr_recompute_end"); gtr_recompute_end(w->ctx); told(); }
    else { t = any(); before(true, "gtr_keep(%s)", N(t)); MUST(gtr_keep(t) == t, "another"); told(); }
}
static void do_release(void)
{
    int64_t n;
    before(true, "gtr_mark");
    n = gtr_mark(w->ctx);
    told();
    if (one_in(4)) n = nasty(n - byte() % 6);
    else n -= byte() % 4;
    if (n >= 0 && n < w->base) n = w->base;     /* the known run stays */
    before(false, "gtr_release(%lld)", (long long)n);
    gtr_release(w->ctx, n);
    told();
}
/* No hours of products. */
static int few(int usual) { const int64_t v = nasty(usual); return v == 1000 ? 5 : (int)v; }
/* Operand k of a case: one of the world's, or made as the case has it. */
static gtr_tensor *operand(const op_row *row, const op_case *c, int k, bool make, bool batch, gtr_tensor *first)
{
    const char kind = kind_of(row, k);
    const gtr_dtype type = is_ints(kind) != one_in(64) ? GTR_I32 : GTR_F32;
    gtr_shape s = c->in[k];
    gtr_init none;
    if (make) {
        memset(&none, 0, sizeof none);
        if (batch) s.dim[0] = GTR_BATCH;
        before(true, "operand %d of %s", k, row->name);
        return built(batch || type == GTR_I32 ? gtr_input(w->ctx, name(), type, s)
            : gtr_parameter(w->ctx, name(), s, none), true);
    }
    gtr_tensor *t = type == GTR_I32 ? of_type(GTR_I32) : !is_upper(kind) && one_in(2) ? parameter()
        : k && one_in(2) ? like(first) : floats();
    return t && t->shape.ndim != s.ndim && !(row->flags & ANY_NUMBERS) ? NULL : t;
}
/* A row of op_rows.h, with numbers of one of its cases, or nasty ones. One of several calls may leave a layer's
   parameters behind where a later one fails. */
static void do_row(void)
{
    const unsigned at = byte() << 8;
    const op_row *row = &rows[(at | byte()) % N_ROWS];
    gtr_tensor *x[MAX_IN] = { NULL }, *t;
    bool batched[MAX_IN], whole = true, small = true;
    unsigned n = 0;
    op_case c;
    if (row->flags & NOT_FUZZED) return;
    while (row->cases[n]) n++;
    c = case_of(row->cases[byte() % (one_in(2) ? GTR__MIN(n, 6) : n)]);
    batch_of(row, &c, batched);
    for (int k = 0; k < c.n; k++) small = small && gtr__count(&c.in[k]) < 300;
    const bool make = small && one_in(3);
    for (int k = 0; k < c.n; k++) {
        x[k] = operand(row, &c, k, make && !one_in(8), batched[k], x[0]);
        if (k && !(row->flags & GRAPH)) x[k] = foreign(x[k]);
        whole = whole && x[k];
    }
    for (int k = 0; k < c.n_p && row->flags & ANY_NUMBERS; k++) c.p[k] = few(c.p[k]);
    before(true, verbose ? "%s(%s, %s, %s) %d %d %d %d" : row->name, row->name, N(x[0]), N(x[1]), N(x[2]), c.p[0],
        c.p[1], c.p[2], c.p[3]);
    leaves = row->flags & GRAPH;
    t = row->build(w->ctx, x, &c);
    built(leaves && !error_before && gtr_error(w->ctx) ? NULL : t, whole);
}
/* Numbers that no row has. */
static void do_over_axes(void)
{
    gtr_tensor *x = floats(), *many[4] = { x, like(x), like(x), x };
    int dims[GTR_MAX_DIMS] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    int64_t sizes[2 * GTR_MAX_DIMS];
    const int axis = (int)nasty(byte() % 3) - (one_in(4) ? 2 : 0), n = (int)nasty(1 + byte() % 3);
    const int64_t k = nasty(1 + byte() % 4);
    const bool keep = one_in(2);
    bool own = true;
    const unsigned what = byte() % 6;
    for (int i = 0; i < 2 * GTR_MAX_DIMS; i++) sizes[i] = nasty(1 + byte() % 2);
    dims[0] = axis;
    before(true, "over axes %u(%s, axis %d, n %d, k %lld)", what, N(x), axis, n, (long long)k);
    switch (what) {
    case 0: built(keep ? gtr_argmin(x, axis) : gtr_arange(x, axis), x); break;
    case 1: built(keep ? gtr_top_k(x, k, axis) : gtr_roll(x, k, axis), x); break;
    case 2: built(gtr_norm(x, one_in(3) ? 1 : one_in(2) ? 2 : nastyf(2), dims, n % 3, keep), x); break;
    case 3: built(gtr_pad(x, one_in(16) ? NULL : sizes, n, (gtr_pad_mode)(byte() % 5), nastyf(1)), x); break;
    case 4: built(gtr_tile(x, sizes), x); break;
    default:
        for (int i = 0; i < 4; i++) own = own && many[i] && many[i]->ctx == w->ctx;
        if (n <= 4 || n > 72) built(gtr_stack(many, n, axis), n > 0 && own);
        else told();
    }
}
static void do_shaped(void)
{
    gtr_tensor *x = floats(), *many[4] = { x, like(x), like(x), x };
    int dims[GTR_MAX_DIMS] = { 1, 0, 2, 3, 4, 5, 6, 7 };
    const int axis = (int)nasty(byte() % 3) - (one_in(4) ? 2 : 0), n = (int)nasty(1 + byte() % 3);
    const int64_t begin = nasty(byte() % 2), end = nasty(1 + byte() % 4);
    const float a = nastyf(2), b = nastyf(0.5f);
    const bool keep = one_in(2);
    switch (byte() % 14) {
    case 5: {
        gtr_tensor *t;
        before(true, "gtr_split(%s, %d, %d)", N(x), axis, n);
        t = built(gtr_split(x, axis, n), x);
        if (t && one_in(2)) { before(true, "gtr_output(%s, %d)", N(t), dims[2]); built(gtr_output(t, n - 1), true); }
        break;
    }
    case 6: {
        const int k = (int)nasty(byte() % 3);
        before(true, "gtr_output(%s, %d)", N(x), k);
        built(gtr_output(x, k), x); break;
    }
    case 0: { gtr_shape s = shape(); before(true, "gtr_reshape(%s)", N(x)); built(gtr_reshape(x, s), x); break; }
    case 1: if (one_in(8)) dims[0] = axis; before(true, "gtr_permute(%s)", N(x)); built(gtr_permute(x, dims), x); break;
    case 2:
        if (n <= 4 || n > 72) {
            before(true, "gtr_concat(%s, %d, %d)", N(x), n, axis);
            built(gtr_concat(many, n, axis), n > 0 && many[0] && many[1] && many[2]);
        }
        break;
    case 3:
        before(true, "gtr_slice(%s, %d, %lld, %lld)", N(x), axis, (long long)begin, (long long)end);
        if (keep) built(gtr_slice(x, axis, begin, end), x);
        else built(gtr_slice_step(x, axis, begin, end, n), x);
        break;
    case 4:
        dims[0] = axis; before(true, "gtr_mean(%s, %d axes)", N(x), n % 2);
        built((keep ? gtr_mean : gtr_sum)(x, one_in(8) ? NULL : dims, n % 2, keep), x); break;
    case 7: before(true, "gtr_clamp(%s, %g, %g)", N(x), (double)b, (double)a); built(gtr_clamp(x, b, a), x); break;
    case 8: before(true, "gtr_softplus(%s, %g)", N(x), (double)b); built(gtr_softplus(x, b), x); break;
    case 9: before(true, "gtr_elu(%s, %g)", N(x), (double)b); built(gtr_elu(x, b), x); break;
    case 10: before(true, "gtr_leaky_relu(%s, %g)", N(x), (double)b); built(gtr_leaky_relu(x, b), x); break;
    case 11: before(true, "gtr_pow_scalar(%s, %g)", N(x), (double)a); built(gtr_pow_scalar(x, a), x); break;
    default: before(true, "gtr_scale(%s, %g, %g)", N(x), (double)a, (double)b); built(gtr_scale(x, a, b), x);
    }
}
static void do_gradient(void)
{
    gtr_tensor *l = scalar(), *x = floats();
    before(true, "gtr_gradient(%s, %s)", N(l), N(x));
    built(gtr_gradient(l, x), l && x);
}

/* ---- calls: ops of the user's own, which fail and change their mind ---- */
enum {
    CUSTOM_FAILS = 1, CUSTOM_FAILS_LATER = 2, CUSTOM_SHAPE_FAILS = 4, CUSTOM_SHAPE_ODD = 8, CUSTOM_SHAPE_CHANGES = 16
};
static unsigned custom_turn;
static int64_t custom_count(const gtr_shape *s) {
    int64_t n = 1;
    for (int i = 0; i < s->ndim; i++) n *= s->dim[i];
    return n;
}
static gtr_result custom_shape(int n, const gtr_shape *s, gtr_shape *out, void *user)
{
    const unsigned way = (unsigned)(uintptr_t)user;
    (void)n;
    out[0] = s[0];
    if (way >> 12 & 1) out[1] = s[0];
    if (way & CUSTOM_SHAPE_FAILS) return (gtr_result)(way >> 8 & 15);
    if (way & CUSTOM_SHAPE_ODD) {
        out->ndim = (int)(way >> 8 & 15) - 3;
        if (out->ndim > 0) out->dim[(out->ndim - 1) % GTR_MAX_DIMS] = (int64_t)(way >> 10 & 3) - 1;
    }
    if (way & CUSTOM_SHAPE_CHANGES && out->ndim) out->dim[out->ndim - 1] += custom_turn++ % 3;
    return GTR_OK;
}
static gtr_result custom_end(void *user)
{
    const unsigned way = (unsigned)(uintptr_t)user;
    return way & CUSTOM_FAILS || (way & CUSTOM_FAILS_LATER && custom_turn++ % 4 == 3)
        ? (gtr_result)(1 + (way >> 8 & 15)) : GTR_OK;
}
static gtr_result any_forward(const gtr_custom_call *c)
{
    const int64_t n = custom_count(&c->out_shape), m = custom_count(&c->in_shape[0]);
    for (int64_t i = 0; i < n; i++) ((gtr_float *)c->out)[i] = ((const gtr_float *)c->in[0])[i % m] * 0.5f;
    for (int k = 1; k < c->n_out; k++) memset(c->outs[k], 0, (size_t)custom_count(&c->out_shapes[k]) * 4);
    return custom_end(c->user);
}
static gtr_result any_backward(const gtr_custom_call *c)
{
    for (int k = 0; k < c->n_in; k++) {
        const int64_t n = custom_count(&c->in_shape[k]), m = custom_count(&c->out_shape);
        for (int64_t i = 0; c->din[k] && i < n; i++)
            ((gtr_float *)c->din[k])[i] = k || !c->dout ? 0 : ((const gtr_float *)c->dout)[i % m] * 0.5f;
    }
    return custom_end(c->user);
}
static void do_custom(void)
{
    gtr_custom_desc d;
    unsigned way = byte();
    memset(&d, 0, sizeof d);
    way = way < 160 ? 0 : way < 192 ? CUSTOM_FAILS : way < 224 ? CUSTOM_FAILS_LATER : way < 240 ? CUSTOM_SHAPE_FAILS
        : way < 252 ? CUSTOM_SHAPE_ODD : CUSTOM_SHAPE_CHANGES;
    way |= byte() << 8;
    d.name = name();
    d.n_in = (int)nasty(1 + byte() % 2);
    d.n_out = one_in(4) ? (int)nasty(1 + byte() % 3) : 0;
    d.out_dtype[1] = one_in(8) ? (gtr_dtype)enumerated((int)GTR_DTYPE_COUNT) : one_in(2) ? GTR_I32 : GTR_F32;
    d.in[0] = floats(); d.in[1] = like(d.in[0]);
    if (one_in(8)) d.in[1] = of_type(GTR_I32);
    d.shape = way & 255 & ~3u || one_in(4) ? custom_shape : NULL;
    d.forward = one_in(64) ? NULL : any_forward;
    d.backward = one_in(8) ? NULL : any_backward;
    d.user = (void *)(uintptr_t)way;
    before(true, "gtr_custom(%s, way %u)", N(d.in[0]), way);
    built(gtr_custom(w->ctx, d), d.n_in < 1 || d.n_out < 0 || d.n_out > 8 || d.n_in > 8 || !d.forward || !d.name
        || (d.n_in < 3 && d.in[0] && (d.n_in < 2 || d.in[1])));
}

/* ---- calls: layers and losses ---- */
static gtr_tensor *linear_of(gtr_tensor *x, int64_t out)
{
    gtr_linear_desc d;
    const char *n = name();
    memset(&d, 0, sizeof d);
    d.out = out; d.no_bias = one_in(4);
    before(true, "gtr_linear_ex(%s, %.20s, %lld)", N(x), n ? n : "NULL", (long long)out);
    return built(d.no_bias ? gtr_linear_ex(x, n, d) : gtr_linear(x, n, out), x != NULL);
}
static gtr_tensor *norm_of(gtr_tensor *x)
{
    gtr_batch_norm_desc d;
    const char *n = name();
    memset(&d, 0, sizeof d);
    d.eps = nastyf(0); d.momentum = nastyf(0);
    if (one_in(3)) {
        gtr_tensor *p[4];
        for (int k = 0; k < 4; k++) p[k] = one_in(8) ? NULL : parameter();
        before(true, "gtr_batch_norm_with(%s, %s, %s, %s, %s)", N(x), N(p[0]), N(p[1]), N(p[2]), N(p[3]));
        return built(gtr_batch_norm_with(x, p[0], p[1], p[2], p[3], d), x && p[2] && p[3]);
    }
    before(true, "gtr_batch_norm_ex(%s, %.20s)", N(x), n ? n : "NULL");
    return built(one_in(2) ? gtr_batch_norm(x, n) : gtr_batch_norm_ex(x, n, d), x != NULL);
}
static gtr_tensor *row_norm_of(gtr_tensor *x)
{
    gtr_tensor *w = parameter(), *b = one_in(2) ? parameter() : NULL;
    const float eps = nastyf(0);
    const char *n = name();
    const bool rms = one_in(2);
    const int dims = (int)nasty(0);
    before(true, "gtr_%s_norm(%s, %.20s, %d)", rms ? "rms" : "layer", N(x), n ? n : "NULL", dims);
    if (one_in(3)) return built(rms ? gtr_rms_norm_with(x, w, eps) : gtr_layer_norm_with(x, w, b, eps), x && w);
    return built(rms ? gtr_rms_norm(x, n, dims, eps) : gtr_layer_norm(x, n, dims, eps), x != NULL);
}
static gtr_tensor *bilinear_of(gtr_tensor *x)
{
    gtr_tensor *y = floats(), *w = parameter(), *b = one_in(2) ? parameter() : NULL;
    const int64_t out = nasty(3);
    const char *n = name();
    before(true, "gtr_bilinear(%s, %s, %.20s, %lld)", N(x), N(y), n ? n : "NULL", (long long)out);
    return one_in(2) ? built(gtr_bilinear(x, y, n, out), x && y) : built(gtr_bilinear_with(x, y, w, b), x && y && w);
}
static gtr_tensor *cell_of(gtr_tensor *x)
{
    gtr_tensor *h = one_in(2) ? floats() : NULL, *c = one_in(2) ? floats() : NULL;
    gtr_cell w;
    w.weight_ih = parameter(); w.weight_hh = parameter();
    w.bias_ih = one_in(2) ? parameter() : NULL; w.bias_hh = one_in(2) ? parameter() : NULL;
    const int64_t hidden = nasty(3);
    const char *n = name();
    before(true, "gtr_lstm_cell(%s, %s, %.20s, %lld)", N(x), N(h), n ? n : "NULL", (long long)hidden);
    switch (byte() % 6) {
    case 0: return built(gtr_lstm_cell(x, h, &c, n, hidden), x != NULL);
    case 1: return built(gtr_lstm_cell_with(x, h, &c, w), x != NULL);
    case 2: return built(gtr_gru_cell(x, h, n, hidden), x != NULL);
    case 3: return built(gtr_gru_cell_with(x, h, w), x != NULL);
    case 4: return built(gtr_rnn_cell(x, h, n, hidden), x != NULL);
    default: return built(gtr_rnn_cell_with(x, h, w), x != NULL);
    }
}
/* Layers of recurrences: of x, or of (N, T, 1) where x is (N, T). Of one that failed no last states are left. */
static gtr_tensor *recurrent_of(gtr_tensor *x)
{
    gtr_tensor *h[8], *c[8], *h_last[8] = { NULL }, *c_last[8] = { NULL }, *y;
    const int64_t hidden = nasty(3);
    const char *n = name();
    const unsigned kind = byte() % 3;
    gtr_recurrent_desc d;
    memset(&d, 0, sizeof d);
    d.layers = one_in(4) ? -(int)(byte() % 3) : (int)(byte() % 4); /* 8 states at most */
    d.bidirectional = one_in(2); d.time_first = one_in(4); d.no_bias = one_in(4); d.relu = one_in(kind ? 8 : 2);
    d.dropout = one_in(d.layers > 1 ? 3 : 8) ? nastyf(0.25f) : 0;
    if (one_in(3)) d.lengths = of_type(GTR_I32);
    for (int k = 0; k < 8; k++) {
        h[k] = one_in(2) ? NULL : one_in(2) ? parameter() : floats();
        c[k] = one_in(2) ? NULL : one_in(2) ? parameter() : floats();
    }
    if (one_in(3)) d.h = h;
    if (one_in(3) && (kind == 2 || one_in(8))) d.c = c;
    if (one_in(2)) d.h_last = h_last;
    if (one_in(2) && (kind == 2 || one_in(8))) d.c_last = c_last;
    if (x && one_in(2) && gtr_tensor_shape(x).ndim == 2) {
        const gtr_shape s = gtr_tensor_shape(x);
        before(true, "gtr_reshape(%s), to three dimensions", N(x));
        x = built(gtr_reshape(x, gtr_shape3(s.dim[0], s.dim[1], 1)), true);
    }
    before(true, "gtr_%s(%s, %.20s, %lld), %d layers", kind == 2 ? "lstm" : kind ? "gru" : "rnn", N(x),
        n ? n : "NULL", (long long)hidden, d.layers);
    y = built(kind == 2 ? gtr_lstm(x, n, hidden, d) : kind ? gtr_gru(x, n, hidden, d) : gtr_rnn(x, n, hidden, d),
        x != NULL);
    for (int k = 0; k < 8; k++) {
        MUST(y || (!h_last[k] && !c_last[k]), "a layer that failed has last states");
        MUST(!y || (h_last[k] != NULL) == (d.h_last && k < (d.layers ? d.layers : 1) * (d.bidirectional ? 2 : 1)),
            "h of state %d is %p", k, (void *)h_last[k]);
    }
    return y;
}
static gtr_tensor *heads_of(gtr_tensor *x)
{
    gtr_tensor *y = one_in(2) ? like(x) : floats(), *z = one_in(2) ? like(x) : floats();
    const char *n = name();
    gtr_attention_desc d;
    gtr_multihead w;
    memset(&d, 0, sizeof d);
    d.causal = one_in(2); d.scale = nastyf(0); d.dropout = one_in(2) ? nastyf(0.25f) : 0;
    if (one_in(3)) d.lengths = of_type(GTR_I32);
    if (one_in(3)) d.mask = floats();
    w.in_proj_weight = parameter(); w.out_proj_weight = parameter();
    w.in_proj_bias = one_in(2) ? parameter() : NULL; w.out_proj_bias = one_in(2) ? parameter() : NULL;
    const int64_t heads = nasty(1);
    before(true, "gtr_attention(%s, %s, %s), %.20s, %lld heads", N(x), N(y), N(z), n ? n : "NULL", (long long)heads);
    gtr_transformer_desc block;
    memset(&block, 0, sizeof block);
    block.heads = heads; block.hidden = nasty(2); block.norm_first = one_in(2); block.dropout = d.dropout;
    block.attention = d; block.memory = one_in(2) ? z : NULL; block.memory_attention = d;
    if (one_in(2)) {
        block.kind = (gtr_block)nasty(1 + byte() % 2); block.groups = nasty(1); block.rope_base = nastyf(0);
        block.norm_first = one_in(8);
        if (!one_in(8)) block.memory = NULL;
    }
    if (!block.memory && !one_in(8)) memset(&block.memory_attention, 0, sizeof block.memory_attention);
    switch (byte() % 6) {
    case 4: return built(gtr_rope(x, d.scale, heads), x != NULL);
    case 5: return built(gtr_add_positions(x, d.scale), x != NULL);
    case 0: return built(gtr_attention(x, y, z, d), x && !y == !z);
    case 3: return built(gtr_transformer_block(x, n, block), x != NULL);
    case 1: return built(gtr_multihead_attention(x, one_in(2) ? y : NULL, n, heads, d), x != NULL);
    default: return built(gtr_multihead_attention_with(x, one_in(2) ? y : NULL, w, heads, d), x != NULL);
    }
}
static gtr_tensor *residual_of(gtr_tensor *x)
{
    gtr_tensor *y = one_in(2) ? like(x) : floats();
    const char *n = one_in(4) ? NULL : name();
    before(true, "gtr_residual(%s, %s, %.20s)", N(x), N(y), n ? n : "NULL");
    return built(gtr_residual(x, y, n), x && y);
}
static gtr_tensor *prelu_of(gtr_tensor *x)
{
    gtr_tensor *w = parameter();
    const char *n = name();
    if (one_in(4)) {
        const gtr_dataset *d = one_in(2) ? dataset() : NULL;
        const int column = (int)nasty(byte() % 2);
        before(true, "gtr_standardise(%s, %.20s, column %d)", N(x), n ? n : "NULL", column);
        gtr_tensor *const made = built(gtr_standardise(x, n, d, column), x != NULL), *const t = one_in(2) ? made : x;
        if (one_in(2)) return made;
        before(true, "gtr_unstandardise(%s, %.20s)", N(t), n ? n : "NULL");
        return built(gtr_unstandardise(t, n), t != NULL);
    }
    before(true, "gtr_prelu(%s, %.20s)", N(x), n ? n : "NULL");
    return one_in(2) ? built(gtr_prelu(x, n, one_in(2)), x != NULL) : built(gtr_prelu_with(x, w), x && w);
}
static gtr_tensor *drop_of(gtr_tensor *x)
{
    const char *n = one_in(2) ? NULL : name();
    const float p = nastyf(0.25f);
    before(true, "gtr_dropout(%s, %.20s, %g)", N(x), n ? n : "NULL", (double)p);
    return built(gtr_dropout(x, n, p), x != NULL);
}
static gtr_tensor *random_of(gtr_tensor *x)
{
    const char *n = one_in(2) ? NULL : name();
    before(true, "gtr_random_...(%s, %.20s)", N(x), n ? n : "NULL");
    return built(one_in(3) ? gtr_random_uniform(x, n) : one_in(2) ? gtr_random_gumbel(x, n) : gtr_random_normal(x, n),
        x != NULL);
}
static gtr_tensor *embed_of(gtr_tensor *ids)
{
    const int64_t rows = nasty(3), width = nasty(4);
    const char *n = name();
    before(true, "gtr_embedding(%s, %.20s, %lld, %lld)", N(ids), n ? n : "NULL", (long long)rows, (long long)width);
    return built(gtr_embedding(ids, n, rows, width), ids != NULL);
}
static gtr_tensor *entropy_of(gtr_tensor *x, gtr_tensor *y)
{
    gtr_cross_entropy_desc d;
    memset(&d, 0, sizeof d);
    const bool nll = one_in(4);
    if (one_in(4)) { d.label_smoothing = nastyf(0.1f); d.ignore_index = (int32_t)nasty(1); d.ignore_zero = one_in(8); }
    if (one_in(4)) d.reduction = (gtr_reduction)enumerated(4);
    if (one_in(4)) d.weight = foreign(floats());
    if (one_in(4)) d.sample_weight = floats();
    if (one_in(8)) y = like(x);
    else if (x && x->shape.ndim > 2 && one_in(2)) { /* a class a pixel */
        before(true, "gtr_argmax(%s, 1)", N(x));
        y = built(gtr_argmax(x, 1), true);
    }
    before(true, "gtr_%s_ex(%s, %s), weights %s and %s", nll ? "nll" : "cross_entropy", N(x), N(y), N(d.weight),
        N(d.sample_weight));
    if (one_in(2)) return built(nll ? gtr_nll(x, y) : gtr_cross_entropy(x, y), x && y);
    return built(nll ? gtr_nll_ex(x, y, d) : gtr_cross_entropy_ex(x, y, d), x && y);
}
/* Of steps, of which (N, C) has one, and labels (N, 1). */
static gtr_tensor *ctc_of(gtr_tensor *x, gtr_tensor *y)
{
    const gtr_shape s = x ? gtr_tensor_shape(x) : gtr_shape0(), t = y ? gtr_tensor_shape(y) : gtr_shape0();
    gtr_ctc_desc d;
    memset(&d, 0, sizeof d);
    if (one_in(3)) d.lengths = of_type(GTR_I32);
    if (one_in(3)) d.label_lengths = of_type(GTR_I32);
    if (one_in(3)) d.blank = (int32_t)nasty(1);
    d.zero_infinity = one_in(2);
    if (one_in(4)) d.reduction = (gtr_reduction)enumerated(4);
    if (s.ndim == 2 && one_in(2)) {
        before(true, "gtr_reshape(%s), to three dimensions", N(x));
        x = built(gtr_reshape(x, gtr_shape3(s.dim[0], 1, s.dim[1])), true);
    }
    if (t.ndim == 1 && one_in(2)) {
        before(true, "gtr_reshape(%s), to two dimensions", N(y));
        y = built(gtr_reshape(y, gtr_shape2(t.dim[0], 1)), true);
    }
    before(true, "gtr_ctc_ex(%s, %s), lengths %s and %s", N(x), N(y), N(d.lengths), N(d.label_lengths));
    return built(one_in(2) ? gtr_ctc(x, y) : gtr_ctc_ex(x, y, d), x && y);
}
#define LOSS(name, ...) gtr_##name,
#define LOSS_EX(name, ...) gtr_##name##_ex,
static gtr_tensor *loss_of(gtr_tensor *x)
{
    static gtr_tensor *(*const plain[])(gtr_tensor *, gtr_tensor *) = { GTR__LOSSES(LOSS) };
    static gtr_tensor *(*const f[])(gtr_tensor *, gtr_tensor *, gtr_loss_desc) = { GTR__LOSSES(LOSS_EX) };
    const unsigned pairs = (unsigned)GTR__LENGTH(f), k = byte() % (pairs + 2);
    gtr_tensor *t = one_in(8) ? foreign(floats()) : like(x), *v = one_in(2) ? like(x) : floats();
    gtr_loss_desc d;
    memset(&d, 0, sizeof d);
    d.reduction = (gtr_reduction)enumerated(4);
    if (one_in(4)) d.weight = foreign(floats());
    if (one_in(4)) d.pos_weight = floats();
    if (one_in(4)) { d.beta = nastyf(1); d.delta = nastyf(1); d.alpha = nastyf(0.5f); d.gamma = nastyf(1); }
    if (one_in(4)) { d.margin = nastyf(0.5f); d.eps = nastyf(0.1f); d.quantile = nastyf(0.25f); }
    d.log_target = one_in(4); d.no_log_input = one_in(4); d.full = one_in(4);
    before(true, "loss %u of %s, %s, %s, weights %s and %s", k, N(x), N(t), N(v), N(d.weight), N(d.pos_weight));
    if (k < pairs) return built(one_in(4) ? plain[k](x, t) : f[k](x, t, d), x && t);
    if (one_in(4)) return built((k == pairs ? gtr_gaussian_nll : gtr_cosine_embedding)(x, t, v), x && t && v);
    return built((k == pairs ? gtr_gaussian_nll_ex : gtr_cosine_embedding_ex)(x, t, v, d), x && t && v);
}
static void do_layer(void)
{
    gtr_tensor *x = floats(), *y;
    switch (byte() % 8) {
    case 0: case 1: linear_of(x, nasty(1 + byte() % 4)); break;
    case 2: embed_of(of_type(GTR_I32)); break;
    case 3: if (one_in(2)) norm_of(x); else row_norm_of(x); break;
    case 4:
        switch (byte() % 8) {
        case 0: drop_of(x); break;
        case 4: cell_of(x); break;
        case 7: recurrent_of(x); break;
        case 5: heads_of(x); break;
        case 1: random_of(x); break;
        case 2: prelu_of(x); break;
        case 3: residual_of(x); break;
        default: bilinear_of(x);
        }
        break;
    case 5: {
        const int64_t rows = nasty(5);
        y = of_type(GTR_I32); before(true, "gtr_scatter_add_rows(%s, %s, %lld)", N(y), N(x), (long long)rows);
        built(gtr_scatter_add_rows(y, x, rows), x && y); break;
    }
    case 6: {
        const int64_t rows = nasty(5);
        y = of_type(GTR_I32); before(true, "gtr_one_hot(%s, %lld)", N(y), (long long)rows);
        built(gtr_one_hot(y, rows), y);
        break;
    }
    case 7: loss_of(x); break;
    default: y = of_type(GTR_I32);
        if (one_in(4)) ctc_of(x, y);
        else entropy_of(x, y);
    }
}

/* ---- calls: trainers ---- */
static float rate(int64_t step, void *user)
{
    const unsigned way = (unsigned)(uintptr_t)user;
    return way < 200 ? 0.1f : way < 220 ? NAN : step > 2 ? -1 : 0.1f;
}
static gtr_trainer_desc trainer_desc(void)
{
    static const gtr_group groups[] = { { "*.bias", 0.5f, 0, false }, { "n*", 2, GTR_ZERO, true },
        { "*", NAN, 0, false }, { "none", 0, 0, false }, { NULL, 0, 0, false } };
    gtr_trainer_desc d;
    memset(&d, 0, sizeof d);
    d.optimizer = (gtr_optimizer)enumerated((int)GTR__N_OPTIMIZERS); d.lr = nastyf(0.1f);
    if (one_in(2)) return d;
    if (d.optimizer == GTR_SGD || d.optimizer == GTR_RMSPROP) { d.momentum = nastyf(0.9f); d.nesterov = one_in(4); }
    if (d.optimizer == GTR_ADAGRAD) { d.lr_decay = nastyf(0); d.initial_accumulator = nastyf(0); }
    d.weight_decay = nastyf(0); d.beta1 = nastyf(0); d.beta2 = nastyf(0); d.eps = nastyf(0);
    d.ema = one_in(4) ? 0.5f : nastyf(0);
    d.min_lr = nastyf(0); d.clip_norm = nastyf(0.5f);
    d.precision = (gtr_precision)enumerated(4);
    d.loss_scale = nastyf(0);
    d.micro_batches = (int)nasty(byte() % 4); d.streams = (int)nasty(byte() % 4);
    d.nonfinite = (gtr_nonfinite)enumerated(2);
    d.no_matchers = one_in(4);
    if (one_in(4)) {
        const gtr_schedule s = d.schedule = (gtr_schedule)enumerated(8);
        /* all: some that nobody reads, too */
        const bool all = one_in(16), decays = s == GTR_STEP_DECAY || s == GTR_EXPONENTIAL;
        d.warmup_steps = s == GTR_COSINE ? nasty(2) : 0;
        if (all || s == GTR_COSINE || s == GTR_LINEAR || s == GTR_ONE_CYCLE) d.total_steps = nasty(5);
        if (all || decays) d.decay_steps = nasty(5);
        if (all || decays || s == GTR_PLATEAU) d.gamma = 0.5f;
    }
    if (d.schedule == GTR_CUSTOM_SCHEDULE && !one_in(8)) { d.lr_fn = rate; d.lr_user = (void *)(uintptr_t)byte(); }
    if (one_in(4)) {
        const unsigned g = byte() % 5; d.groups = one_in(16) ? NULL : groups + g; d.n_groups = (int)nasty(1);
        if (d.n_groups > 5 - (int)g && d.n_groups < 16) d.n_groups = 1;
        if (!d.n_groups && !one_in(8)) d.groups = NULL;
    }
    return d;
}
static void trainer_of(gtr_tensor *loss)
{
    gtr_trainer_desc d = trainer_desc();
    gtr_trainer *t;
    before(true, "gtr_trainer_create(%s, optimizer %d lr %g precision %d micro %d streams %d schedule %d groups %d)",
        N(loss), (int)d.optimizer, (double)d.lr, (int)d.precision, d.micro_batches, d.streams,
        (int)d.schedule, d.n_groups);
    t = gtr_trainer_create(loss, d);
    after(t || !loss ? GTR_OK : gtr_error(w->ctx));
}
static void do_trainer(void) { trainer_of(scalar()); }
/* Most of what is drawn does not fit together; a whole network does. */
static void do_network(void)
{
    gtr_tensor *x = input(GTR_F32), *y = input(GTR_I32), *h = x, *p;
    const unsigned way = byte();
    if (!x || x->shape.ndim != 2 || one_in(4)) {
        before(true, "gtr_input(x)"); h = x = built(gtr_input(w->ctx, name(), GTR_F32, gtr_shape2(GTR_BATCH, 4)), true);
    }
    if (!y || y->dtype != GTR_I32 || one_in(8)) {
        before(true, "gtr_input(y)"); y = built(gtr_input(w->ctx, name(), GTR_I32, gtr_shape1(GTR_BATCH)), true);
    }
    for (unsigned i = 0; i < 1 + way % 3; i++) {
        h = linear_of(h, 4);
        if (one_in(3)) h = norm_of(h);
        if (one_in(4)) h = drop_of(h);
        p = h;
        before(true, "gtr_relu(%s)", N(h));
        h = built(gtr_relu(p), p != NULL);
    }
    h = linear_of(h, 3);
    if (way & 64) { before(true, "gtr_mean(%s)", N(h)); h = built(gtr_mean(h, NULL, 0, false), h != NULL); }
    else h = entropy_of(h, y);
    trainer_of(h);
}
/* ---- calls: images ---- */
static gtr_tensor *image(void)
{
    gtr_tensor *x = floats();
    for (int i = 0; i < 4 && x && x->shape.ndim != 4 && x->shape.ndim != 3; i++) x = floats();
    if (one_in(4)) return x;
    if (x && (x->shape.ndim == 4 || x->shape.ndim == 3)) return x;
    before(true, "gtr_input(image)");
    return built(gtr_input(w->ctx, name(), GTR_F32, one_in(4) ? gtr_shape3(GTR_BATCH, 2, 5) : gtr_shape4(GTR_BATCH, 2,
        4, 3)),
        true);
}
static gtr_conv_desc conv_drawn(void)
{
    gtr_conv_desc d;
    memset(&d, 0, sizeof d);
    d.out = few(2 + byte() % 3); d.kernel = few(1 + byte() % 3); d.padding = few(byte() % 2); d.no_bias = one_in(3);
    if (one_in(2)) return d;
    d.kernel_w = few(byte() % 3); d.stride = few(byte() % 3); d.stride_w
        = few(byte() % 3); d.padding_w = few(byte() % 3) - 1;
    d.dilation = few(byte() % 3); d.dilation_w = few(byte() % 3); d.groups = few(byte() % 3);
    d.output_padding = few(byte() % 2); d.output_padding_w = few(byte() % 3) - 1;
    return d;
}
static gtr_tensor *conv_of(gtr_tensor *x)
{
    gtr_conv_desc d = conv_drawn();
    const char *n = name();
    const bool back = one_in(4), plain = one_in(2);
    if (one_in(4)) {
        gtr_tensor *p = foreign(parameter()), *b = one_in(2) ? NULL : parameter();
        before(true, "gtr_conv%s2d_with(%s, %s, %s)", back ? "_transpose" : "", N(x), N(p), N(b));
        return built((back ? gtr_conv_transpose2d_with : gtr_conv2d_with)(x, p, b, d), x && p);
    }
    before(true, "gtr_conv%s2d(%s, %.20s, %lld, %d)", back ? "_transpose" : "", N(x), n ? n : "NULL", (long long)d.out,
        d.kernel);
    if (plain) return built((back ? gtr_conv_transpose2d : one_in(4) ? gtr_conv1d : gtr_conv2d)(x, n, d.out, d.kernel,
        d.stride, d.padding), x != NULL);
    return built((back ? gtr_conv_transpose2d_ex : gtr_conv2d_ex)(x, n, d), x != NULL);
}
static gtr_tensor *pool_of(gtr_tensor *x)
{
    const bool largest = one_in(2), plain = one_in(2);
    gtr_pool_desc d;
    memset(&d, 0, sizeof d);
    d.kernel = few(2); d.kernel_w = few(byte() % 3); d.stride = few(byte() % 3); d.stride_w = few(byte() % 3);
    d.padding = few(byte() % 2); d.padding_w = few(byte() % 3) - 1; d.dilation = largest ? few(byte() % 3) : 0;
    d.round_up = one_in(2); d.exclude_padding = one_in(largest ? 16 : 2);
    if (x && x->shape.ndim == 3 && !one_in(8)) d.kernel_w = d.stride_w = d.dilation_w = d.padding = 0;
    before(true, "gtr_%s_pool2d(%s, %d)", largest ? "max" : "avg", N(x), d.kernel);
    if (plain) return built((largest ? gtr_max_pool2d : gtr_avg_pool2d)(x, d.kernel, d.stride, d.padding), x != NULL);
    return built((largest ? gtr_max_pool2d_ex : gtr_avg_pool2d_ex)(x, d), x != NULL);
}
static gtr_tensor *group_norm_of(gtr_tensor *x)
{
    const char *n = one_in(8) ? NULL : name();
    const int64_t groups = nasty(1 + byte() % 2);
    const float eps = nastyf(0);
    gtr_tensor *p = parameter();
    before(true, "gtr_group_norm(%s, %.20s, %lld)", N(x), n ? n : "NULL", (long long)groups);
    if (one_in(4)) return built(gtr_group_norm_with(x, one_in(2) ? p : NULL, parameter(), groups, eps), x != NULL);
    return built(one_in(2) ? gtr_instance_norm(x, n, eps) : gtr_group_norm(x, n, groups, eps), x != NULL);
}
static void do_images(void)
{
    gtr_tensor *x = image();
    switch (byte() % 5) {
    case 0: case 1: conv_of(x); break;
    case 2: pool_of(x); break;
    case 3: group_norm_of(x); break;
    default: norm_of(x);
    }
}
static void do_image_network(void)
{
    gtr_tensor *x, *h, *first = NULL, *pair[2];
    before(true, "gtr_input(images)");
    h = x = built(gtr_input(w->ctx, name(), GTR_F32, gtr_shape4(GTR_BATCH, 2, 4, 3)), true);
    for (unsigned i = 0; i < 1 + byte() % 3; i++) {
        const unsigned way = byte();
        h = conv_of(h);
        if (way & 1) h = norm_of(h);
        if (way & 2) h = pool_of(h);
        if (way & 4) h = drop_of(h);
        if (way & 8) { before(true, "gtr_tanh(%s)", N(h)); x = h; h = built(gtr_tanh(x), x != NULL); }
        if (way & 16 && first && h) {
            pair[0] = h; pair[1] = first;
            before(true, "gtr_concat(%s, %s)", N(h), N(first)); built(gtr_concat(pair, 2, 1), true);
        }
        if (!first) first = h;
    }
    before(true, "gtr_flatten(%s)", N(h));
    x = h;
    h = linear_of(built(gtr_flatten(x), x != NULL), 3);
    before(true, "gtr_mean(%s)", N(h));
    x = h;
    trainer_of(built(gtr_mean(x, NULL, 0, false), x != NULL));
}
static void do_data(void)
{
    gtr_trainer *t = trainer();
    gtr_dataset *d = one_in(6) ? NULL : dataset();
    const int64_t batch = nasty(1 + byte() % 4);
    const bool shuffle = one_in(2), drop = one_in(2);
    before(true, "gtr_trainer_data(%d, %d, %lld, %d, %d)", t != NULL, d != NULL, (long long)batch, shuffle, drop);
    const gtr_result r = gtr_trainer_data(t, d, batch, shuffle, drop);
    after(of_call(t, d, r));
}
static void do_step(void)
{
    static gtr_result (*const f[])(gtr_trainer *) = { gtr_step, gtr_backward, gtr_update };
    static const char *const names[] = { "gtr_step", "gtr_backward", "gtr_update" };
    gtr_trainer *t = trainer();
    unsigned k = byte() % 8;
    k = k < 5 ? 0 : k < 6 ? 1 : 2;
    if (t && t->pending && !one_in(4)) k = 2;
    before(k != 0, "%s(%d)", names[k], t != NULL);
    const gtr_result r = f[k](t);
    after(t ? r : GTR_OK);
}
static void do_report(void)
{
    gtr_trainer *t = trainer();
    const unsigned k = byte() % 8;
    if (k < 3) { before(true, "gtr_loss(%d)", t != NULL); gtr_loss(t); told(); }
    else if (k < 5) { before(true, "gtr_trainer_report"); gtr_trainer_report(t); told(); }
    else if (k < 6) {
        before(true, "gtr_average_swap(%d)", t != NULL);
        const gtr_result r = gtr_average_swap(t); after(t ? r : GTR_OK);
    }
    else if (k < 7) {
        const float lr = nastyf(0.1f); before(true, "gtr_trainer_lr(%d, %g)", t != NULL, (double)lr);
        const gtr_result r = gtr_trainer_lr(t, lr); after(t ? r : GTR_OK);
    }
    else if (one_in(2)) {
        const float v = nastyf(0.5f);
        before(true, "gtr_trainer_plateau(%d, %g)", t != NULL, (double)v);
        const gtr_result r = gtr_trainer_plateau(t, v, one_in(2)); after(t ? r : GTR_OK);
    } else if (t != running && one_in(4)) {
        before(true, "gtr_trainer_destroy(%d)", t != NULL); gtr_trainer_destroy(t); told();
    }
}
static void do_buffers(void)
{
    gtr_trainer *t = trainer();
    gtr_tensor *p = parameter();
    const size_t n = p && gtr__count(&p->shape) > 0 ? (size_t)gtr__count(&p->shape) * sizeof(gtr_float) : 4,
        bytes = one_in(16) ? n + byte() - 4 : n;
    void *m = numbers(GTR_F32, n), *given = one_in(32) ? NULL : m;
    const int which = (int)nasty(byte() % 2);
    const unsigned k = byte() % 4;
    static const char *const names[] = { "gtr_gradient_get", "gtr_gradient_set", "gtr_state_get", "gtr_state_set" };
    gtr_result r;
    before(true, "%s(%d, %s, %zu)", names[k], t != NULL, N(p), bytes);
    r = k == 0 ? gtr_gradient_get(t, p, given, bytes) : k == 1 ? gtr_gradient_set(t, p, given, bytes)
        : k == 2 ? gtr_state_get(t, p, which, given, bytes) : gtr_state_set(t, p, which, given, bytes);
    if (t && p) after(r); else told();
    free(m);
}
static void act(void);
static const char *path_of(const char *file), *path(const char *usual);
static void io_arm(void);
typedef struct fitting { int stop_at, calls; world *of; bool cleared; } fitting;
static bool progress(const gtr_progress *p)
{
    fitting *f = (fitting *)p->user;
    world *was = w;
    const gtr_result saved = error_before;
    const bool hit = struck;
    gtr_trainer *outer = running;
    MUST(p->step <= p->steps && p->epoch <= p->epochs, "step %lld of %lld", (long long)p->step, (long long)p->steps);
    if (depth < 2 && gtr_error(w->ctx) == GTR_OK && one_in(2)) {
        depth++;
        running = p->trainer;
        act();
        f->cleared = true;          /* what it was not allowed, and after() forgot */
        gtr_error_clear(f->of->ctx);
        running = outer;
        depth--;
        w = was;
        error_before = saved;
        struck = hit;
        summed = false;
        parameters_before = gtr_parameter_count(w->ctx);
        began = now();
        snprintf(doing, sizeof doing, "gtr_fit, after its callback");
    }
    return ++f->calls != f->stop_at;
}
static gtr_metrics_desc measured(void)
{
    gtr_metrics_desc d;
    memset(&d, 0, sizeof d);
    d.scores = foreign(floats()); d.labels = one_in(2) ? input(GTR_I32) : one_in(2) ? of_type(GTR_I32) : floats();
    d.binary = one_in(d.labels && d.labels->dtype == GTR_F32 ? 2 : 16);
    d.probabilities = one_in(4); d.threshold = nastyf(0); d.top_k = (int)nasty(0);
    d.ignore_index = (int32_t)nasty(0); d.ignore_zero = one_in(4); d.batch = nasty(byte() % 4); d.auc_most = nasty(0);
    return d;
}
static void do_metrics(void)
{
    gtr_trainer *t = trainer();
    gtr_dataset *data = dataset();
    const gtr_metrics_desc d = measured();
    gtr_metrics m;
    before(true, "gtr_evaluate_metrics(%d, %d, %s, %s)", t != NULL, data != NULL, N(d.scores), N(d.labels));
    const gtr_result r = gtr_evaluate_metrics(t, data, d, one_in(8) ? NULL : &m);
    after(of_call(t, data, r));
}
static void do_train_for(void)
{
    gtr_trainer *t = trainer();
    const float ms = nastyf(0.01f);
    before(false, "gtr_train_for(%d, %g)", t != NULL, (double)ms);
    const gtr_result r = gtr_train_for(t, (double)(ms > 1 && ms < INFINITY ? 1 : ms));
    after(t ? r : GTR_OK);
}
static void do_fit(void)
{
    static gtr_report history[4];
    gtr_trainer *t = trainer();
    gtr_dataset *data = dataset();
    fitting f = { (int)(byte() % 8), 0, w, false };
    gtr_fit_desc d;
    gtr_result r;
    memset(&d, 0, sizeof d);
    d.epochs = (int)nasty(1 + byte() % 2); d.batch = nasty(byte() % 4);
    if (d.epochs > 7) d.epochs = 2;
    if (one_in(4)) d.validation = dataset();
    if (one_in(4)) d.metric = foreign(scalar());
    if (one_in(2)) { d.callback = progress; d.callback_user = &f; d.callback_every = nasty(byte() % 3); }
    d.no_shuffle = one_in(2); d.drop_last = one_in(4); d.silent = !one_in(4);
    if (one_in(4)) { d.history = history; d.history_size = nasty(4); if (d.history_size > 4) d.history_size = 4; }
    char file[128], log[160];
    if (one_in(4)) {
        const char *p = path(path_of(one_in(2) ? "w0" : "w1"));
        if (p) d.checkpoint = (snprintf(file, sizeof file, "%s", p), file);
        d.checkpoint_steps = nasty(byte() % 3); d.checkpoint_epochs = (int)nasty(byte() % 2);
        d.checkpoint_seconds = nastyf((float)(byte() % 2) * 1e-9f);
        d.keep_last = (int)nasty(byte() % 3); d.keep_best = one_in(3); d.resume = one_in(2);
        if (!p && !one_in(8)) {
            d.checkpoint_steps = d.checkpoint_epochs = d.keep_last = 0; d.checkpoint_seconds = 0;
            d.keep_best = d.resume = false;
        }
        io_arm();
    }
    if (one_in(4)) {
        static const char *const ends[] = { ".csv", ".jsonl", ".json", ".txt", "" };
        const char *p = path(path_of("log"));
        if (p && *p) d.log_file = (snprintf(log, sizeof log, "%s%s", p, ends[byte() % 5]), log);
    }
    if (one_in(4)) {
        d.patience = (int)nasty(1); d.min_delta = nastyf(0); d.restore_best = one_in(2);
        d.monitor = (gtr_metric)enumerated(one_in(2) ? 2 : GTR_METRIC_COUNT);
        d.monitor_least = one_in(d.monitor == GTR_METRIC_TENSOR ? 2 : 16);
    }
    if (one_in(8)) d.metrics = measured();
    if (one_in(8)) d.seconds = (double)nastyf(1e-3f);
    before(false, "gtr_fit(%d, %d, epochs %d batch %lld validation %d metric %s callback %d every %lld checkpoint %s "
        "log_file %s)", t != NULL, data != NULL, d.epochs, (long long)d.batch, d.validation != NULL, N(d.metric),
        d.callback != NULL, (long long)d.callback_every, d.checkpoint ? d.checkpoint : "NULL",
        d.log_file ? d.log_file : "NULL");
    r = gtr_fit(t, data, d);
    if (f.cleared && !gtr_error(w->ctx)) r = GTR_OK;     /* a call that the callback may not make ends the fit */
    after(of_call(t, data, r));
    const gtr_fit_end end = gtr_fit_ended(t);
    MUST(gtr_end_text(end.why)[0] && end.steps >= 0 && (!end.restored || end.best_epoch > 0), "ended as %d",
        (int)end.why);
}
static void do_evaluate(void)
{
    gtr_trainer *t = trainer();
    gtr_dataset *d = dataset();
    gtr_tensor *m = one_in(2) ? foreign(scalar()) : NULL;
    const int64_t batch = nasty(1 + byte() % 4);
    float loss, value;
    before(true, "gtr_evaluate(%d, %d, %lld, %s)", t != NULL, d != NULL, (long long)batch, N(m));
    const gtr_result r = gtr_evaluate(t, d, batch, m, one_in(8) ? NULL : &loss, one_in(8) ? NULL : &value);
    after(of_call(t, d, r));
}

/* ---- calls: running ---- */
static size_t row_bytes(const gtr_tensor *t) {
    int64_t n = gtr__count(&t->shape); return (size_t)(n < 0 ? -n : n) * gtr__dtype_size(t->dtype);
}
static void do_set(void)
{
    gtr_tensor *t = one_in(3) ? parameter() : one_in(2) ? input(GTR_I32) : input(GTR_F32);
    size_t n = t ? row_bytes(t) * (t->shape.ndim && t->shape.dim[0] < 0 ? 1 + byte() % 4 : 1) : 4;
    if (one_in(32)) n += byte() % 8;
    void *m = numbers(t ? t->dtype : GTR_F32, n);
    before(true, "gtr_set(%s, %zu)", N(t), n);
    const gtr_result r = gtr_set(t, one_in(64) ? NULL : m, one_in(64) ? 0 : n);
    after(r);
    free(m);
}
static void do_set_device(void)
{
    static gtr_float lasting[1024];
    gtr_tensor *t = input(GTR_F32);
    const size_t n = t ? row_bytes(t) * (1 + byte() % 3) : 4;
    if (n > sizeof lasting || (t && t->dtype != GTR_F32)) return;
    before(true, "gtr_set_device(%s, %zu)", N(t), n);
    after(gtr_set_device(t, one_in(16) ? NULL : lasting, n, NULL));
}
/* Inputs that a run needs, most with the same number of rows. */
static void do_set_all(void)
{
    const unsigned rows = 1 + byte() % 4;
    for (int64_t i = w->base; w->ctx && i < w->ctx->graph.n_tensor; i++) {
        gtr_tensor *t = w->ctx->graph.tensor[i];
        if (t->op != GTR__OP_INPUT || !fits(t)) continue;
        const size_t n = row_bytes(t) * (t->shape.ndim && t->shape.dim[0] < 0 ? rows : 1);
        void *m = numbers(t->dtype, n);
        before(true, "gtr_set(%s, %zu)", N(t), n);
        after(gtr_set(t, m, n));
        free(m);
    }
}
static void do_carried(void)
{
    const gtr_shape s = gtr_shape2(one_in(16) ? 3 : GTR_BATCH, 1 + byte() % 5);
    gtr_tensor *t;
    if (one_in(2)) {
        const char *n = name();
        before(true, "gtr_state(%.20s)", n ? n : "NULL");
        built(gtr_state(w->ctx, n, s), true);
        return;
    }
    t = any();
    for (int64_t i = w->ctx ? w->ctx->graph.n_tensor - 1 : -1; i >= 0 && !one_in(8); i--)
        if (w->ctx->graph.tensor[i]->note->state && !w->ctx->graph.tensor[i]->note->next) {
            t = w->ctx->graph.tensor[i];
            break;
        }
    gtr_tensor *next = any();
    for (int64_t i = w->ctx && t ? w->ctx->graph.n_tensor - 1 : -1; i >= 0 && !one_in(8); i--)
        if (gtr__shape_equal(&w->ctx->graph.tensor[i]->shape, &t->shape)) { next = w->ctx->graph.tensor[i]; break; }
    before(true, "gtr_state_next(%s, %s)", N(t), N(next));
    after(gtr_state_next(t, next));
}
static void do_eval(void)
{
    gtr_tensor *t[3] = { any(), any(), foreign(any()) };
    const int n = (int)nasty(1 + byte() % 3);
    const bool training = one_in(3);
    gtr_result r;
    if (n > 3) return;
    before(true, "gtr_eval%s(%s, %s, %s; %d)", training ? "_train" : "", N(t[0]), N(t[1]), N(t[2]), n);
    r = training ? gtr_eval_train(t, n) : gtr_eval(t, n);
    after(r);
}
static void do_get(void)
{
    gtr_tensor *t = any();
    size_t n = t ? row_bytes(t) * (t->shape.ndim && t->shape.dim[0] < 0 ? 1 + byte() % 4 : 1) : 4;
    gtr_result r;
    if (one_in(16)) n += byte() % 8;
    if (one_in(4)) { before(true, "gtr_item(%s)", N(t)); gtr_item(t); told(); return; }
    void *m = malloc(n);
    before(true, "gtr_get(%s, %zu)", N(t), n);
    r = gtr_get(t, one_in(64) ? NULL : m, one_in(64) ? (size_t)nasty(1) : n);
    after(r);
    free(m);
}
static void do_predictor(void)
{
    gtr_tensor *t = any();
    const int64_t rows = nasty(1 + byte() % 5);
    gtr_predictor *p;
    if (one_in(2)) {
        gtr_predictor_desc d;
        memset(&d, 0, sizeof d);
        d.out[0] = t; d.max_rows = rows; d.snapshot = one_in(2); d.steps = one_in(4);
        for (int k = 1; k < 8 && one_in(2); k++) d.out[k] = any();
        for (int k = 0; k < 8 && one_in(8); k++) d.in[k] = any();
        before(true, "gtr_predictor_create_ex(%s, %s ..., %lld)", N(t), N(d.out[1]), (long long)rows);
        p = w->ctx ? gtr_predictor_create_ex(w->ctx, d) : NULL;
        after(p || !w->ctx ? GTR_OK : gtr_error(w->ctx));
    } else {
        before(true, "gtr_predictor_create(%s, %lld)", N(t), (long long)rows);
        p = gtr_predictor_create(t, rows);
        after(p || !t ? GTR_OK : gtr_error(w->ctx));
    }
}
static void do_predict(void)
{
    gtr_predictor *p = predictor();
    const int64_t rows = 1 + byte() % 9;
    if (!p || one_in(16)) {
        before(true, "gtr_predictor_destroy(%d)", p != NULL); gtr_predictor_destroy(p); told(); return;
    }
    void *from[8] = { NULL }, *to[8] = { NULL };
    const int64_t asked = one_in(64) ? -(int64_t)(byte() % 2) : rows;
    if (one_in(2)) {
        before(false, "gtr_predictor_refresh(%d)", p->held != NULL);
        const gtr_result fresh = gtr_predictor_refresh(p);
        MUST(fresh == GTR_OK || gtr_predictor_error_text(p)[0], "gtr_predictor_refresh failed without a text");
        MUST((fresh == GTR_ERR_STATE) == !p->held, "gtr_predictor_refresh is of snapshots");
        struck = false; told();
    }
    if (one_in(3)) {
        const gtr_dataset *d = dataset();
        for (int k = 0; k < p->n[1]; k++) to[k] = malloc(row_bytes(p->of[1][k]) * (size_t)(gtr_dataset_rows(d) + 1));
        before(true, "gtr_predict_dataset(%s, %s)", N(p->of[1][0]), d ? d->name : "NULL");
        const gtr_result all = gtr_predict_dataset(p, d, one_in(64) ? NULL : to);
        MUST(all == GTR_OK || gtr_predictor_error_text(p)[0], "gtr_predict_dataset failed without a text");
        struck = false;
        told();
        for (int k = 0; k < 8; k++) { free(to[k]); to[k] = NULL; }
        p = predictor();
    }
    for (int k = 0; k < p->n[0]; k++) from[k] = numbers(p->of[0][k]->dtype, row_bytes(p->of[0][k]) * (size_t)rows);
    for (int k = 0; k < p->n[1]; k++) to[k] = malloc(row_bytes(p->of[1][k]) * (size_t)rows);
    before(true, "gtr_predict(%s, %lld rows)", N(p->of[1][0]), (long long)rows);
    if (one_in(4)) {
        const gtr_result zeros = gtr_predictor_reset(p);
        MUST(zeros == GTR_OK || gtr_predictor_error_text(p)[0], "gtr_predictor_reset failed without a text");
    }
    const gtr_result r = one_in(2) ? gtr_predict_ex(p, one_in(64) ? NULL : (const void *const *)from, asked,
            one_in(64) ? NULL : to)
        : (one_in(2) ? gtr_predict_next : gtr_predict)(p, one_in(64) ? NULL : from[0], asked, one_in(64) ? NULL
            : to[0]);
    if (r == GTR_OK && p->of[1][0]->dtype == GTR_F32) {
        gtr_sample_desc how;
        const int64_t n = (int64_t)row_bytes(p->of[1][0]) / 4;
        memset(&how, 0, sizeof how);
        how.temperature = (float)(byte() % 3); how.top_k = byte() % 4; how.draw = byte();
        const int32_t k = gtr_sample((const float *)to[0], n, how);
        MUST(k >= -1 && k < n, "gtr_sample drew %d of %lld", (int)k, (long long)n);
    }
    MUST(r == GTR_OK || gtr_predictor_error_text(p)[0], "gtr_predict failed without a text");
    struck = false;                 /* the predictor was told */
    told();
    for (int k = 0; k < 8; k++) { free(from[k]); free(to[k]); }
}

/* ---- calls: data sets and files ---- */
static char folder[64];
static const char *path_of(const char *file) {
    static char p[4][128]; static int turn; char *s = p[turn = (turn + 1) % 4]; snprintf(s, 128, "%s/%s", folder, file);
    return s;
}
static void file_of(const char *file, const void *data, size_t n)
{
    FILE *f = fopen(path_of(file), "wb");
    MUST(f && fwrite(data, 1, n, f) == n && fclose(f) == 0, "%s can't be written", path_of(file));
}
static const char *path(const char *usual)
{
    static const char *const odd[] = { "", "/", ".", "/dev/null", "none/none" };
    const unsigned b = byte();
    return b >= 248 ? b == 255 ? NULL : b == 254 ? folder : odd[b % 5] : usual;
}
/* Of the type of stbi_load: sizes that are refused, or pixels. */
static unsigned char *decode(const char *file, int *width, int *height, int *channels, int wanted)
{
    *width = (int)nasty(2); *height = (int)nasty(3); *channels = (int)nasty(1 + byte() % 4);
    MUST(file && !wanted, "wanted is %d", wanted);
    const bool some = *width > 0 && *width < 9 && *height > 0 && *height < 9 && *channels > 0 && *channels < 9;
    if (!some && *width > 0 && *height > 0 && *channels > 0 && *channels < 5) return NULL;
    return one_in(16) ? NULL : (unsigned char *)calloc(some ? (size_t)(*width * *height * *channels) : 1, 1);
}
static const char *any_file(void)
{
    static const char *const files[] = { "good.csv", "bad.csv", "table.csv", "images", "labels", "short", "x.npy",
        "x.npz", "w0", "w1", "missing" };
    return path(path_of(files[byte() % (unsigned)COUNT(files)]));
}
static void files_begin(void)
{
    static const char good[] = "1,2,3,4,0\n5,6,7,8,1\n1,2,1,2,2\n0,0,0,0,1\n.5,1e-3,2,1,0\n",
        bad[] = "1,2,3,4,0\n5,6,7\n", table[] = "2024-02-29,b,c,x,y\n2024-01-31,,3,u,1\n\n2023/12/01 10:30,5,6,v,0\n"
        "2023-01-01T00:00:01Z,1,,u,1\n";
    static const uint8_t images[] = { 0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
        12 }, labels[] = { 0, 0, 8, 1, 0, 0, 0, 3, 0, 1, 2 };
    snprintf(folder, sizeof folder, "/dev/shm/gtr_fuzz.%ld", (long)getpid());
    if (mkdir(folder, 0700) != 0) {
        snprintf(folder, sizeof folder, "/tmp/gtr_fuzz.%ld", (long)getpid());
        MUST(mkdir(folder, 0700) == 0, "no folder");
    }
    file_of("good.csv", good, sizeof good - 1);
    file_of("bad.csv", bad, sizeof bad - 1);
    file_of("table.csv", table, sizeof table - 1);
    file_of("images", images, sizeof images);
    file_of("labels", labels, sizeof labels);
    file_of("short", images, 10);
    file_of("x.pgm", "P5 2 2 255 abcd", 15);
    file_of("x.png", "none", 4);
    file_of("x.npy", arrays[1].bytes, (size_t)arrays[1].size);
    file_of("x.npz", stored, sizeof stored - 1);
}
/* Nothing is left beside what was saved. */
static void files_check(bool all)
{
    struct dirent *e;
    DIR *d = opendir(folder);
    while (d && (e = readdir(d))) {
        MUST(!strstr(e->d_name, ".tmp"), "%s is left", e->d_name);
        if (all && e->d_name[0] != '.') unlink(path_of(e->d_name));
    }
    if (d) closedir(d);
}
static void files_end(void) { files_check(true); rmdir(folder); }
static void io_arm(void) { io_way = (int)byte(); io_fail = one_in(4) ? 1 + (int)(byte() % 12) : 0; }
static gtr_dataset *new_dataset(gtr_dataset *d) {
    after(d ? GTR_OK : gtr_error(w->ctx) ? gtr_error(w->ctx) : GTR_ERR_USER); return d;
}
/* Rows of a callback, which fails at one of them, or makes NaN of it. */
typedef struct { size_t bytes[3]; gtr_dtype dtype[3]; int n; int64_t bad, nan; } source;
static source sources[64];
static int n_sources;
static bool fill(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    const source *s = (const source *)user;
    for (int64_t r = begin; r < end; r++) {
        if (r == s->bad) return false;
        for (int i = 0; i < s->n; i++) {
            char *row = (char *)column[i] + (size_t)(r - begin) * s->bytes[i];
            memset(row, s->dtype[i] == GTR_U8 ? (int)(r + epoch) & 255 : 0, s->bytes[i]);
            if (s->dtype[i] == GTR_F32) ((gtr_float *)(void *)row)[0] = r == s->nan ? NAN : (gtr_float)(r % 5);
            if (s->dtype[i] == GTR_I32) ((int32_t *)(void *)row)[0] = (int32_t)(r % 2);
        }
    }
    return true;
}
static void do_callback(const gtr_column *column, int n)
{
    gtr_callback_desc c;
    memset(&c, 0, sizeof c);
    memcpy(c.column, column, (size_t)n * sizeof *column);
    for (int k = 0; k < n && !one_in(16); k++) { c.column[k].data = NULL; c.column[k].borrow = false; }
    if (n_sources == COUNT(sources)) return;
    source *s = &sources[n_sources++];
    s->n = n; s->bad = one_in(4) ? byte() % 9 : -1; s->nan = one_in(8) ? byte() % 9 : -1;
    c.rows = one_in(8) ? 4 * byte() : 1 + byte() % 9; c.columns = one_in(32) ? (int)nasty(n) : n;
    if (c.columns > n) c.columns = 99;
    if (c.columns < n) s->n = c.columns;
    c.fill = one_in(32) ? NULL : fill; c.user = s; c.same_thread = one_in(4); c.name = one_in(4) ? "made" : NULL;
    before(true, "gtr_dataset_callback(%lld rows, %d columns)", (long long)c.rows, c.columns);
    gtr_dataset *d = new_dataset(gtr_dataset_callback(w->ctx, c));
    for (int i = 0; i < n && d; i++) { s->dtype[i] = c.column[i].dtype; s->bytes[i] = d->column[i].row_bytes; }
}
static void do_arrays(void)
{
    gtr_arrays_desc d;
    void *held[3] = { 0 };
    const unsigned way = byte();
    const int n = way % 4 == 3 ? 3 : way % 4 == 2 ? 1 : 2;
    memset(&d, 0, sizeof d);
    d.rows = 1 + byte() % 9;
    for (int i = 0; i < n; i++) {
        gtr_column *c = &d.column[i];
        c->dtype = one_in(16) ? (gtr_dtype)enumerated((int)GTR_DTYPE_COUNT) : i ? GTR_I32
            : one_in(4) ? GTR_U8 : GTR_F32;
        c->shape = i && !one_in(8) ? gtr_shape0() : one_in(16) ? shape() : gtr_shape1(4);
        if (!i && one_in(4)) c->shape = gtr_shape2(2, 2);
        c->channels_last = one_in(16);
        c->scale = nastyf(0); c->shift = nastyf(0);
        if (one_in(16)) c->dtype = i ? GTR_I64 : GTR_F64;
        const int64_t e = c->shape.ndim < 0 || c->shape.ndim > GTR_MAX_DIMS ? 1 : gtr__count(&c->shape);
        if (e > 300 && e < (int64_t)1 << 24) c->shape = gtr_shape0();
        held[i] = numbers(c->dtype, (size_t)d.rows * (e > 0 && e <= 300 ? (size_t)e : 1) * 8);
        c->data = one_in(64) ? NULL : held[i];
    }
    if (one_in(4)) do_callback(d.column, n);
    else {
        if (one_in(16)) { d.rows = nasty(d.rows); if (d.rows == 1000 || d.rows == 7) d.rows = 1; }
        before(true, "gtr_dataset_arrays(%lld rows, %d columns)", (long long)d.rows, n);
        new_dataset(gtr_dataset_arrays(w->ctx, d));
    }
    for (int i = 0; i < n; i++) free(held[i]);
}
static void do_dataset(void)
{
    gtr_csv_desc c;
    const char *a, *b;
    gtr_dataset *d = dataset();
    const int column = (int)nasty(byte() % 2);
    const int64_t k = nasty(2 + byte() % 2);
    switch (byte() % 8) {
    case 0: case 1:
        memset(&c, 0, sizeof c);
        c.label_column = (int)nasty(0); c.header = one_in(8); c.separator = one_in(8) ? (char)byte() : 0;
        c.regression = one_in(8); c.scale = nastyf(0);
        if (one_in(4)) {
            static const char *const lists[] = { NULL, "1", "2,3", "\"4\",1", "x", "" };
            c.skip = lists[byte() % 6]; c.categories = lists[byte() % 6]; c.columns = lists[byte() % 6];
            c.label = lists[byte() % 6]; c.missing = (gtr_missing)enumerated(7); c.missing_value = nastyf(0);
            if (c.label && !one_in(8)) c.label_column = 0;
            c.drop_unlabelled = one_in(4);
            if (one_in(4)) c.dates = lists[byte() % 6];
            if (one_in(4)) { c.labels = lists[byte() % 6]; if (!one_in(8)) c.label = NULL; }
            c.model = one_in(3);
            c.like = one_in(2) && (!c.model || one_in(8)) ? d : NULL;
            c.positive = one_in(4) ? one_in(2) ? "b" : "1" : NULL;
        }
        a = one_in(2) ? any_file() : path_of(c.model || c.dates ? "table.csv" : "good.csv");
        if (c.model) c.header = !one_in(4);
        io_arm();
        before(true, "gtr_dataset_csv(%s)", a ? a : "NULL");
        new_dataset(gtr_dataset_csv(w->ctx, a, c));
        break;
    case 2:
        if (one_in(2)) {
            gtr_text_desc g;
            memset(&g, 0, sizeof g);
            g.length = one_in(2) ? 1 : nasty(4); g.characters = one_in(2); g.begin = nastyf(0); g.end = nastyf(0);
            g.like = one_in(8) || (d && d->text && one_in(2)) ? d : NULL;
            switch (byte() % 4) {
            case 0: g.random = nasty(3); break;
            case 1: g.streams = nasty(2); break;
            case 2: g.stride = nasty(1); break;
            default: if (one_in(4)) g.stride = g.random = g.streams = 1;
            }
            a = one_in(4) ? any_file() : path_of(one_in(2) ? "good.csv" : "bad.csv");
            io_arm();
            before(true, "gtr_dataset_text(%s)", a ? a : "NULL");
            new_dataset(gtr_dataset_text(w->ctx, a, g));
            break;
        }
        a = one_in(4) ? any_file() : path_of("images"); b = one_in(4) ? any_file() : path_of("labels");
        io_arm();
        before(true, "gtr_dataset_idx(%s, %s)", a ? a : "NULL", b ? b : "NULL");
        new_dataset((one_in(2) ? gtr_dataset_idx_map : gtr_dataset_idx)(w->ctx, a, b));
        break;
    case 3:
        if (one_in(2)) {
            gtr_images_desc g;
            memset(&g, 0, sizeof g);
            g.height = (int)nasty(2); g.width = one_in(8) ? (int)nasty(2) : g.height; g.resize = (int)nasty(0);
            g.channels = (int)nasty(one_in(2) ? 1 : 3); g.like = one_in(4) ? d : NULL;
            a = one_in(2) ? NULL : one_in(8) ? any_file() : path_of(".");
            if (one_in(2)) { g.decode = decode; g.decode_free = one_in(16) ? NULL : free; }
            io_arm();
            before(true, "gtr_dataset_images(%s)", a ? a : "NULL");
            new_dataset(gtr_dataset_images(w->ctx, a, g));
            gtr_dataset_class(d, gtr_dataset_classes(d) - 1);
            break;
        }
        /* fall through */
    case 4: {
        const char *const paths[2] = { any_file(), any_file() };
        const int classes = (int)nasty(one_in(2) ? 10 : 100), n = (int)nasty(1 + byte() % 2);
        io_arm();
        before(true, "gtr_dataset_cifar(%d classes)", classes);
        if (one_in(2)) {
            gtr_npy_desc g;
            memset(&g, 0, sizeof g);
            g.map = one_in(2); g.floats = one_in(2); g.nonfinite = one_in(2); g.scale = nastyf(0);
            g.arrays = one_in(4) ? "x, label" : NULL;
            new_dataset(one_in(2) ? gtr_dataset_npy(w->ctx, one_in(16) ? NULL : paths, n > 2 ? 2 : n, g)
                : gtr_dataset_npz(w->ctx, one_in(2) ? path_of("x.npz") : paths[0], g));
            break;
        }
        new_dataset(gtr_dataset_cifar(w->ctx, one_in(16) ? NULL : paths, n > 2 ? 2 : n, classes));
        break;
    }
    case 5:
        if (d && d->ctx != w->ctx) break;
        before(true, "gtr_dataset_split(%d, %lld)", d != NULL, (long long)k);
        a = (const char *)gtr_dataset_split(d, k);
        after(a || !d ? GTR_OK : gtr_error(w->ctx));
        if (!d || gtr_dataset_rows(d) > 200) break;
        const int64_t rows[3] = { nasty(0), byte() % 2, 0 }, some = nasty(1 + byte() % 3);
        const float weights[200] = { nastyf(1), 1, 2 };
        const void *columns[16];
        gtr_dataset *sets[2] = { d, dataset() };
        before(true, "gtr_dataset_split_random, _subset, _sample, _concat, _append(column %d)", column);
        switch (byte() % 6) {
        case 5: {
            gtr_windows_desc g;
            const int64_t lengths[2] = { 1 + byte() % 3, nasty(2) };
            if (one_in(2)) {
                gtr_ragged_desc r;
                const int64_t all[2] = { lengths[0], gtr_dataset_rows(d) - lengths[0] };
                memset(&r, 0, sizeof r);
                r.steps = nasty(0); r.series = one_in(4) ? (int)nasty(2) : 0; r.pad[byte() % 2] = (double)nastyf(0);
                r.beside = one_in(2) ? sets[1] : NULL; r.lengths_column = one_in(4) ? (int)nasty(1) : 0;
                if (one_in(2)) { r.lengths = one_in(2) ? all : lengths; r.n_lengths = 2 - one_in(4); }
                r.name = one_in(4) ? "n" : NULL;
                a = (const char *)gtr_dataset_ragged(d, r);
                break;
            }
            memset(&g, 0, sizeof g);
            g.history = nasty(1); g.horizon = nasty(byte() % 2); g.stride = nasty(0); g.column = column;
            g.streams = one_in(4) ? nasty(2) : 0;
            g.target = (int)nasty(0); g.series = one_in(4) ? (int)nasty(2) : 0;
            if (one_in(4)) { g.lengths = lengths; g.n_lengths = 1 + byte() % 2; }
            a = (const char *)gtr_dataset_windows(d, g);
            break;
        }
        case 0:
            a = (const char *)(one_in(2) ? gtr_dataset_split_random(d, nastyf(0.5f), byte(), column)
                : gtr_dataset_split_last(d, nastyf(0.5f), column));
            break;
        case 1: a = (const char *)gtr_dataset_subset(d, one_in(16) ? NULL : rows, some > 3 ? 3 : some); break;
        case 2:
            a = (const char *)gtr_dataset_sample(d, one_in(2) && column < 0 ? weights : NULL, column, some > 999 ? 9
                : some,
                byte());
            break;
        case 3:
            a = (const char *)(one_in(2) ? gtr_dataset_concat : gtr_dataset_join)(w->ctx, sets, 1 + byte() % 2);
            break;
        default:
            for (int i = 0; i < 16; i++) columns[i] = one_in(32) ? NULL : gtr_dataset_row(d, i, 0);
            a = gtr_dataset_append(d, columns, some > gtr_dataset_rows(d) ? gtr_dataset_rows(d) : some) ? NULL : "";
        }
        after(a ? GTR_OK : gtr_error(w->ctx));
        break;
    case 6:
        if (one_in(2)) {
            gtr_augment_desc g;
            gtr_tensor *to = input(GTR_F32);
            memset(&g, 0, sizeof g);
            if (!one_in(4)) { g.pad = (int)nasty(1); g.height = (int)nasty(0); g.width = (int)nasty(0); }
            if (!one_in(4)) { g.cutout = (int)nasty(1); g.flip = nastyf(0.5f); g.flip_vertical = nastyf(0); }
            if (one_in(4)) { g.pad_mode = (gtr_pad_mode)enumerated(4); g.contrast = nastyf(0); }
            g.brightness = nastyf(0.1f);
            if (one_in(4)) { g.mean[0] = nastyf(0.5f); g.std[one_in(2) ? 0 : byte() % 16] = nastyf(2); }
            if (!d || d->ctx != w->ctx) break;
            before(true, "gtr_dataset_augment(%d, column %d)", d != NULL, column);
            after(gtr_dataset_augment(d, column, g));
            if (!to || to->ctx != d->ctx || to->op != GTR__OP_INPUT || gtr__count(&to->shape) < -4096) break;
            void *made = malloc(8 * 4096);
            before(true, "gtr_dataset_convert(column %d)", column);
            after(gtr_dataset_convert(d, column, to, gtr_dataset_row(d, 0, 0), one_in(8) ? 0 : 1, made));
            a = one_in(4) ? any_file() : path_of(one_in(2) ? "x.pgm" : "x.png");
            io_arm();
            before(true, "gtr_image_load(%s)", a ? a : "NULL");
            after(gtr_image_load(d, a, to, made));
            const int h = (int)nasty(2), wide = (int)nasty(2), channels = (int)nasty(3);
            const bool some = h > 0 && h < 9 && wide > 0 && wide < 9 && channels > 0 && channels < 9;
            void *pixels = calloc(some ? (size_t)(h * wide * channels) : 1, 1);
            before(true, "gtr_image_convert(%d x %d x %d)", h, wide, channels);
            if (some || h < 1 || wide < 1 || channels < 1 || channels > 4)
                after(gtr_image_convert(d, one_in(16) ? NULL : pixels, h, wide, channels, to, made));
            free(pixels);
            free(made);
            break;
        }
        if (one_in(2) && (!d || d->ctx == w->ctx)) {
            const gtr_streaming how = (gtr_streaming)enumerated(3);
            before(true, "gtr_dataset_stream(%d, %d)", d != NULL, (int)how);
            const gtr_result r = gtr_dataset_stream(d, how);
            after(d ? r : GTR_OK);
        }
        before(true, "gtr_dataset_row");
        a = (const char *)gtr_dataset_row(d, column, nasty(0));
        if (a) { volatile char sum = (char)(a[0] + a[gtr__dtype_size(gtr_dataset_dtype(d, column)) - 1]); (void)sum; }
        gtr_dataset_category_id(d, column, gtr_dataset_category(d, column, gtr_dataset_categories(d, column) - 1));
        if (one_in(4) && (!d || d->ctx == w->ctx)) gtr_dataset_column(d, name());
        if (one_in(4) && d && d->ctx == w->ctx) gtr_dataset_note(d, column);
        if (one_in(4)) { const char *key = name(); gtr_note_set(w->ctx, key, one_in(4) ? NULL : name()); }
        if (one_in(4)) { /* as a table's, or nearly so */
            static const char *const notes[][2] = { { "table.features", "1,2,3,4" },
                { "table.features", "\"b\",\"c\"" }, { "table.fills", "1,2.5" }, { "table.fills", "\"linear\"" },
                { "table.scale", "2" }, { "x.0", "u" },
                { "table.categories", "\"x\"" }, { "table.label", "\"y\"" }, { "table.target", "\"y\"" },
                { "table.features", "\"b" }, { "x.1", "v" } };
            const unsigned k = byte() % (unsigned)COUNT(notes);
            gtr_note_set(w->ctx, notes[k][0], one_in(8) ? NULL : notes[k][1]);
        }
        gtr_note(w->ctx, name());
        gtr_dataset_rows(d); gtr_dataset_columns(d); gtr_dataset_shape(d, column); gtr_dataset_dtype(d, column);
        told();
        break;
    default:
        if (depth || (d && d->ctx != w->ctx) || !one_in(3)) break;
        before(true, "gtr_dataset_destroy(%d)", d != NULL);
        gtr_dataset_destroy(d);
        told();
    }
}
static void do_file(void)
{
    const char *p = path(path_of(one_in(2) ? "w0" : "w1"));
    const unsigned way = byte() % 4;
    if (way == 3 && p) {            /* a byte of a saved file changes, or the end goes */
        FILE *f = fopen(path_of("w0"), "r+b");
        if (!f) return;
        fseek(f, (long)byte() * 3, SEEK_SET);
        fputc((int)byte(), f);
        fclose(f);
        if (one_in(4) && truncate(path_of("w0"), (long)byte())) return;
        p = path_of("w0");
    }
    io_arm();
    before(way != 1, "%s(%s)%s", way == 0 ? "gtr_save" : "gtr_load", p ? p : "NULL",
        io_fail ? "  (a file call fails)" : "");
    if (w->ctx && !summed) { sum_before = parameter_sum(w->ctx, w->ctx->graph.n_parameter); summed = true; }
    const bool refused = way == 0 && w->ctx && error_before && !w->ctx->errors.may_save;
    gtr_result r = way == 0 ? gtr_save(w->ctx, p) : gtr_load(w->ctx, p);
    MUST(!refused || r == error_before || w->ctx->errors.dead, "a save with an error returned %d", (int)r);
    /* of a step before it */
    if (r == GTR_OK && gtr_error(w->ctx) == GTR_ERR_NONFINITE) { r = GTR_ERR_NONFINITE; summed = false; }
    after(r);
    if (way == 0 && io_way & 8) files_check(false);
}
/* Some of a model, in 16 bits, to a file or to memory; and back, of which bytes may change. */
static void do_some(void)
{
    static uint8_t image[1 << 16];
    static size_t size;
    static const char *const lists[] = { NULL, "*", "*.weight", "*e*,*.bias", "n?*, *", "", "none" },
        *const fronts[] = { NULL, "n", "anew", "module.", "model.", "", "\xff" };
    const unsigned way = byte() % 5;
    const char *p = path(path_of(one_in(2) ? "w0" : "w1"));
    gtr_load_report report;
    gtr_save_desc out;
    gtr_load_desc load;
    gtr_result r;
    memset(&out, 0, sizeof out); memset(&load, 0, sizeof load);
    if (one_in(2)) out.names = lists[byte() % (unsigned)COUNT(lists)];
    if (one_in(2)) out.dtype = (gtr_dtype)enumerated(one_in(4) ? GTR_DTYPE_COUNT : 3);
    load.names = out.names;
    if (one_in(2)) load.strip = fronts[byte() % (unsigned)COUNT(fronts)];
    if (one_in(2)) load.prefix = fronts[byte() % (unsigned)COUNT(fronts)];
    load.partial = one_in(2);
    load.report = one_in(2) ? &report : NULL;
    if (way == 3 || one_in(16)) { load.data = size ? image : NULL; load.bytes = size ? size : one_in(16); }
    for (unsigned n = way == 3 && one_in(2) ? byte() % 4 : 0; n > 0 && size; n--) {
        const size_t at = byte() << 8 | byte();
        image[at % size] = (uint8_t)byte();
    }
    if (way == 0 || way == 4) io_arm();
    before(way < 3, "%s(%s, dtype %d, names %s, strip %s, prefix %s%s)", way == 0 ? "gtr_save_ex" : way < 3
        ? "gtr_save_get" : "gtr_load_ex", p ? p : "NULL", (int)out.dtype, out.names ? out.names : "NULL",
        load.strip ? load.strip : "NULL", load.prefix ? load.prefix : "NULL", load.partial ? ", partial" : "");
    if (w->ctx && !summed) { sum_before = parameter_sum(w->ctx, w->ctx->graph.n_parameter); summed = true; }
    const bool refused = way < 3 && w->ctx && error_before && !w->ctx->errors.may_save;
    if (way == 0) r = gtr_save_ex(w->ctx, p, out);
    else if (way < 3) {
        const size_t n = gtr_save_bytes(w->ctx, out);
        if (n > sizeof image) { told(); return; }
        r = n ? gtr_save_get(w->ctx, out, image, way == 1 ? n : (size_t)nasty((int64_t)n)) : gtr_error(w->ctx);
        size = n && !r ? n : 0;
    } else {
        r = gtr_load_ex(w->ctx, way == 3 && !one_in(32) ? NULL : p, load);
        MUST(!load.report || (report.text && strlen(report.text) < 10000000), "no text");
        MUST(!load.report || !r || !(report.loaded | report.missing | report.wrong | report.unused || *report.text),
            "a report with an error");
        MUST(!load.report || r || (report.loaded + report.missing + report.wrong <= w->ctx->graph.n_parameter
            && (report.loaded || !load.partial || !w->ctx->graph.n_parameter)), "%s", report.text);
    }
    MUST(!refused || r == error_before || w->ctx->errors.dead, "a save with an error returned %d", (int)r);
    if (r == GTR_OK && gtr_error(w->ctx) == GTR_ERR_NONFINITE) { r = GTR_ERR_NONFINITE; summed = false; }
    after(r);
    if (way == 0 && io_way & 8) files_check(false);
}
/* Checkpoints in files and in memory, of which bytes may change; parameters of the other world. */
static void do_checkpoint(void)
{
    static uint8_t image[1 << 16];
    static size_t size;
    static const char *const names[] = { "gtr_checkpoint_save", "gtr_checkpoint_load", "gtr_checkpoint_get",
        "gtr_checkpoint_set", "gtr_parameters_copy", "gtr_parameters_blend" };
    gtr_trainer *t = trainer();
    gtr_context *from = worlds[byte() % 2].ctx;
    const unsigned k = byte() % 6;
    const char *p = path(path_of(one_in(2) ? "w0" : "w1"));
    gtr_result r = GTR_OK;
    for (unsigned n = k == 3 && one_in(2) ? byte() % 4 : 0; n > 0 && size; n--) {
        const size_t at = byte() << 8 | byte();
        image[at % size] = (uint8_t)byte();
    }
    if (k < 2) io_arm();
    before(k != 0, "%s(%d, %s)", names[k], t != NULL, p ? p : "NULL");
    if (w->ctx && !summed) { sum_before = parameter_sum(w->ctx, w->ctx->graph.n_parameter); summed = true; }
    if (k == 0) r = gtr_checkpoint_save(t, p);
    else if (k == 1) r = gtr_checkpoint_load(t, p);
    else if (k == 2) {
        const size_t n = gtr_checkpoint_bytes(t);
        if (n > sizeof image) { told(); return; }
        r = n ? gtr_checkpoint_get(t, image, size = n) : gtr_error(w->ctx);
    } else if (k == 3) r = gtr_checkpoint_set(t, size ? image : NULL, size);
    else if (k == 4) r = gtr_parameters_copy(w->ctx, from);
    else {
        gtr_tensor *one = parameter(), *other = parameter();
        r = gtr_parameters_blend(w->ctx, one ? gtr_tensor_name(one) : NULL, other ? gtr_tensor_name(other) : "",
            nastyf(0.25f));
    }
    if (r == GTR_OK && gtr_error(w->ctx) == GTR_ERR_NONFINITE) { r = GTR_ERR_NONFINITE; summed = false; }
    if (error_before || !(t || k > 3)) told(); else after(r);
}

/* ---- calls: texts and the rest ---- */
static void text_of(const char *s) { MUST(s && strlen(s) < 10000000, "no text"); told(); }
static void do_text(void)
{
    gtr_trainer *t = trainer();
    gtr_memory_report m;
    const int64_t batch = nasty(1 + byte() % 4);
    const unsigned k = byte() % 20;
    gtr_result r;
    if (k < 3) {
        before(true, "gtr_plan_text(%d, %lld)", t != NULL, (long long)batch); text_of(gtr_plan_text(t, batch));
    }
    else if (k < 5) {
        before(true, "gtr_memory_plan(%d, %lld)", t != NULL, (long long)batch);
        r = gtr_memory_plan(t, batch, one_in(16) ? NULL : &m); after(t ? r : GTR_OK);
    }
    else if (k < 7) {
        before(true, "gtr_memory_text(%d, %lld)", t != NULL, (long long)batch); text_of(gtr_memory_text(t, batch));
    }
    else if (k < 9) {
        if (one_in(8)) { before(true, "gtr_largest_batch"); gtr_largest_batch(t, (size_t)nasty(10000)); told(); }
    }
    else if (k > 17) {
        gtr_tensor *out = one_in(2) ? scalar() : any();
        before(true, "gtr_summary_text(%s)", N(out)); text_of(gtr_summary_text(out));
    }
    else if (k > 15) {
        const int64_t rows = batch > 4096 && batch < (int64_t)1 << 40 ? 4096 : batch;  /* it takes memory for them */
        before(false, "gtr_trainer_prepare(%d, %lld)", t != NULL, (long long)rows);
        r = gtr_trainer_prepare(t, rows); after(t ? r : GTR_OK);
    }
    else if (k < 15) { before(false, "gtr_trace(%d)", t != NULL); text_of(gtr_trace(t)); }
    /* what it measures a copy with may be too large */
    else if (one_in(64)) {
        const bool by = one_in(2); before(true, "gtr_profile(%d, %d)", t != NULL, by); gtr_profile(t, by);
        struck = gtr_error(w->ctx) != GTR_OK; told();
    }
}
static void do_rest(void)
{
    gtr_tensor *t = any();
    gtr_context *c = one_in(8) ? NULL : w->ctx;
    before(true, "the calls that only say something (%s)", N(t));
    gtr_result_text((gtr_result)enumerated(12));
    MUST(gtr_device_text(c) && gtr_environment_text(c) && gtr_error_text(c) && gtr_tensor_name(t), "no text");
    MUST(gtr_error(NULL) == GTR_ERR_NOMEM, "no context has no error");
    gtr_on_gpu(c); gtr_stopped(c);
    if (!depth || one_in(4)) gtr_stop(c);
    gtr_error_clear(NULL); gtr_destroy(NULL); gtr_trainer_destroy(NULL); gtr_predictor_destroy(NULL);
    gtr_predictor_refresh(NULL);
    gtr_dataset_destroy(NULL);
    gtr_tensor_shape(t); gtr_tensor_dtype(t); gtr_tensor_bytes(t); gtr_parameter_trainable(t);
    MUST(gtr_predictor_error_text(NULL)[0], "no text");
    gtr_parameter_count(c); gtr_parameter_at(c, nasty(0)); gtr_parameter_find(c, name());
    told();
    if (w->ctx) { before(true, "gtr_wait"); after(gtr_wait(w->ctx)); }
}
static void do_world(void)
{
    if (depth) return;
    if (one_in(8)) { world *o = w; world_end(o); world_new(o); }
    else if (one_in(2)) {
        w = &worlds[w == worlds];
        if (!w->ctx) world_new(w);
    }
}
static void act(void)
{
    static void (*const f[])(void) = {
        do_input, do_parameter, do_constant, do_state, do_release, do_row, do_row, do_row, do_row, do_row, do_shaped,
        do_over_axes, do_gradient, do_custom,
        do_layer, do_layer, do_images, do_images, do_trainer, do_network, do_network, do_image_network, do_data,
            do_data,
        do_step, do_step, do_step, do_report, do_buffers, do_fit, do_fit,
        do_evaluate, do_metrics, do_train_for,
        do_set, do_set, do_set_device, do_set_all, do_set_all, do_eval, do_eval, do_get, do_get,
        do_predictor, do_predict, do_carried, do_arrays,
        do_arrays, do_dataset, do_file, do_some, do_checkpoint, do_text, do_rest, do_world,
    };
    f[byte() % (unsigned)COUNT(f)]();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
static void totals(void) {
    fprintf(stderr, "%llu calls in %llu inputs\n", (unsigned long long)calls, (unsigned long long)inputs); files_end();
}
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (!inputs++) {
        world reference;
        verbose = getenv("GTR_FUZZ_VERBOSE") != NULL;
        files_begin();
        atexit(totals);
        in = in_end = bytes;
        world_new(&reference);
        world_end(&reference);
    }
    in = bytes;
    in_end = bytes + size;
    named = custom_turn = n_sources = 0;
    depth = 0;
    unlink(path_of("w0"));
    unlink(path_of("w1"));
    world_new(&worlds[0]);
    while (in < in_end) act();
    for (int i = 0; i < 2; i++) world_end(&worlds[i]);
    return 0;
}

#ifdef FUZZ_MAIN
static uint8_t drawn[4096];
static size_t n_drawn;
static const char *artifact = "fuzz_api.input";
void __sanitizer_set_death_callback(void (*call)(void)) __attribute__((weak));
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) { return "abort_on_error=1:print_stacktrace=1"; }
static void keep_input(void)
{
    FILE *f = fopen(artifact, "wb");
    if (f) { fwrite(drawn, 1, n_drawn, f); fclose(f); }
    fprintf(stderr, "in %s; the input is in %s\n", doing, artifact);
}
static void on_signal(int number) { (void)number; keep_input(); _exit(1); }
int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
    const double end = argc > 3 ? now() + atof(argv[3]) : 1e300;
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (f) {
        n_drawn = fread(drawn, 1, sizeof drawn, f);
        fclose(f);
        return LLVMFuzzerTestOneInput(drawn, n_drawn);
    }
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_input);
    else signal(SIGSEGV, on_signal);
    signal(SIGABRT, on_signal);
    signal(SIGALRM, on_signal);
    for (uint64_t i = 0; i < count && now() < end; i++) {
        uint64_t s = (seed + i) * 0x9e3779b97f4a7c15u;
        alarm(120);
        for (n_drawn = 0; n_drawn < sizeof drawn; n_drawn++) {
            s ^= s << 13; s ^= s >> 7; s ^= s << 17; drawn[n_drawn] = (uint8_t)(s >> 32);
        }
        n_drawn = 64 + (s >> 8) % 4000;
        LLVMFuzzerTestOneInput(drawn, n_drawn);
    }
    return 0;
}
#endif
