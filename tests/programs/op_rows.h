/* A row for each op and loss, and for graphs of them, with its reference in double beside it: what test_ops.c tests
   and fuzz_api.c calls. Those that are element-wise are rows of elementwise.h, which are expanded here.
     static const char *const cumsum_cases[] = { "1x7@1", "*13x3@1", ..., NULL };
     OP_ROW(cumsum, "X", cumsum_cases, AXIS, gtr_cumsum(x[0], c->p[0]))
     PLAIN(CUMSUM) { ... }
   OP_ROW: name, kinds of inputs, cases, flags, and how it is built of inputs x and the numbers of case c. OP_ROW_AS:
   its name in texts is another. OP_ROW_BY: a function builds it, which stands in front of it or is another row's.
   PLAIN: by the op's identifier, its outputs that have a gradient (else output 0), one behind the other, in double, by
   its definition and in the plainest way: what the CPU's kernels are held against, and by differences of it their
   gradients. in: GTR_F32 inputs in double, GTR_I32 ones are at o->in; n, m: elements of output 0 and of input 0.
   Rows enter themselves before main, in the order of this file. */
#ifndef OP_ROWS_H
#define OP_ROWS_H
#include <math.h>
#include "elementwise.h"

#define MAX_IN 64
#define SCALAR "-"

static void *must(void *p) { if (!p) { printf("out of memory\n"); exit(2); } return p; }
static void *room(int64_t n, size_t size) { return must(calloc((size_t)(n > 0 ? n : 1), size)); }

// >>cases
/* A case in words: shapes "33x7", SCALAR, "3x2*40" (forty of them); after '@' numbers for the builder. In front '*':
   also run when small; '!': all inputs literal, else the inputs of upper-case kind have the
   batch as first dimension. */
typedef struct op_case { int n, n_p, p[8]; gtr_shape in[MAX_IN]; bool literal, few; } op_case;
static op_case case_of(const char *text)
{
    op_case c;
    const char *s = text;
    memset(&c, 0, sizeof c);
    for (; *s == '*' || *s == '!'; s++) { if (*s == '*') c.few = true; else c.literal = true; }
    while (*s) {
        if (*s == ' ') s++;
        else if (*s == '@') {
            for (s++; *s; ) { char *e; c.p[c.n_p++] = (int)strtol(s, &e, 10); s = e; while (*s == ' ') s++; }
        } else {
            gtr_shape *d = &c.in[c.n++];
            if (*s == '-') { s++; continue; }
            for (;;) {
                char *e;
                d->dim[d->ndim++] = strtol(s, &e, 10);
                s = e;
                if (*s != 'x') break;
                s++;
            }
            if (*s == '*') {
                char *e; int k = (int)strtol(s + 1, &e, 10); s = e;
                for (; k > 1; k--) { c.in[c.n] = *d; c.n++; }
            }
        }
    }
    return c;
}

// >>table
typedef gtr_tensor *(*builder)(gtr_context *ctx, gtr_tensor **x, const op_case *c);
enum { /* flags */
    GRAPH = 1,          /* no kernel of its own */
    NO_GRADIENT = 2,
    CANCELS = 4,        /* results are small differences: error relative to dy */
    LOSS = 8,
    AVERAGES = 16,      /* dy is times the count */
    COPIES = 32,        /* exact */
    PRODUCT = 64,
    MODES = 128,        /* training and evaluation */
    FIRST_LOW = 256,    /* input 0 alone is ever low */
    NO_SPECIAL = 512,
    PASSES_0 = 1024,    /* no gradient by input 0 */
    MASKS = 2048,       /* behind a relu: one term may not matter */
    WEIGHED = 4096,     /* no gradient by input 2 */
    AXIS = 8192,        /* the builder's first number is an axis */
    STEPS = 16384,      /* inputs 0 and 1 alone are ever low; no gradient comes to outputs 2 and 4 */
    NOT_FUZZED = 32768, /* users cannot build it so; or fuzz_api.c has its own */
    ANY_NUMBERS = 65536 };  /* of OP_ROW: what is not as the case has it is handed on to the library */
/* Kinds: x w any values; n none near 0; p positive; q away from 0; t in 0 to 1; b two clusters along the batch; d few
   values, so that there are ties; u none of one size; f far, none near a half; s small, as a layer's first weights;
   l labels, some ignored; e ids; o ids of which every other is 0. Upper case: may have the batch in front. The last one
   repeats. */
typedef struct op_row {
    const char *name; builder build; const char *kinds; const char *const *cases; int flags;
} op_row;
static op_row rows[400];
enum { FIRST_ROW = __COUNTER__ + 1 };
#define ENTER_ROW_AS(number, ...) __attribute__((constructor)) static void enter_row_##number(void) { \
    rows[number - FIRST_ROW] = (op_row){ __VA_ARGS__ }; }
#define ENTER_ROW(number, ...) ENTER_ROW_AS(number, __VA_ARGS__)
#define OP_ROW_BY(text, kinds, cases, flags, function) ENTER_ROW(__COUNTER__, text, function, kinds, cases, flags)
#define OP_ROW_AS(name, text, kinds, cases, flags, ...) \
    static gtr_tensor *build_##name(gtr_context *ctx, gtr_tensor **x, const op_case *c) { \
        (void)ctx; (void)x; (void)c; return __VA_ARGS__; } \
    OP_ROW_BY(text, kinds, cases, flags | ANY_NUMBERS, build_##name)
#define OP_ROW(name, kinds, cases, flags, ...) OP_ROW_AS(name, #name, kinds, cases, flags, __VA_ARGS__)

static char kind_of(const op_row *row, int k) { int n = (int)strlen(row->kinds); return row->kinds[k < n ? k : n - 1]; }
static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static char lower(char c) { return is_upper(c) ? (char)(c - 'A' + 'a') : c; }
static bool is_ints(char kind) { return lower(kind) == 'l' || lower(kind) == 'e' || lower(kind) == 'o'; }

/* The batch of a case; 0: none. The inputs of upper-case kind and greatest rank have it, if their first
   dimension is the greatest. */
static int64_t batch_of(const op_row *row, const op_case *c, bool *batched)
{
    int64_t n = 0;
    int k, most = 0;
    for (k = 0; k < c->n; k++) {
        batched[k] = false;
        if (is_upper(kind_of(row, k)) && c->in[k].ndim > most) most = c->in[k].ndim;
    }
    if (c->literal || !most) return 0;
    for (k = 0; k < c->n; k++) if (is_upper(kind_of(row, k)) && c->in[k].ndim == most && c->in[k].dim[0] > n)
        n = c->in[k].dim[0];
    for (k = 0; k < c->n; k++) batched[k] = is_upper(kind_of(row, k)) && c->in[k].ndim && c->in[k].dim[0] == n
        && (c->in[k].ndim == most || lower(kind_of(row, k)) == 'l');
    return n;
}

/* One op's call with all its values: host copies of the inputs (float32 or int32), rounded to their storage. */
typedef struct op_call {
    const op_row *row;
    gtr__op   id;
    gtr__attr attr;
    int       n_in, n_out, training, number;
    int       n_diff;                               /* outputs that have a gradient, or one */
    gtr_shape in_shape[MAX_IN], out_shape[GTR__MAX_OUT];
    gtr_dtype in_dtype[MAX_IN], out_dtype[GTR__MAX_OUT];       /* logical */
    gtr_dtype in_store[MAX_IN], out_store[GTR__MAX_OUT];
    void     *in[MAX_IN];
    gtr_float *y[GTR__MAX_OUT];                     /* forward in float32; int32 as they are */
    gtr_precision precision;
    double    floor;
    int       missing;                              /* 1 + the output that no gradient comes to */
    bool      special, oracle;                               /* held against the definition too */
    char      what[400];
} op_call;
static void (*plain_of[GTR__OP_COUNT])(const op_call *o, double *const *in, double *y, int64_t n, int64_t m);
#define PLAIN_UNUSED __attribute__((unused))
#define PLAIN(ID) \
    static void plain_of_##ID(const op_call *o, double *const *in, double *y, int64_t n, int64_t m); \
    __attribute__((constructor)) static void enter_plain_##ID(void) { plain_of[GTR__OP_##ID] = plain_of_##ID; } \
    static void plain_of_##ID(PLAIN_UNUSED const op_call *o, PLAIN_UNUSED double *const *in, double *y, \
        PLAIN_UNUSED int64_t n, PLAIN_UNUSED int64_t m)

// >>products
static const char *const matmul_cases[] = { "1x7 7x5@0 0", "*33x3 3x2@0 0", "!5x3 5x7@1 0", "*5x3 7x3@0 1",
    "!3x5 7x3@1 1", "!2x3x4 2x4x5@0 0", "2x3x4 4x5@0 0", "!3x4 2x4x5@0 0", "!2x4x3 2x5x4@1 1", "!2x4x3 5x4@1 1",
    "!3x4 2x5x4@0 1", "!2x2x2x3 2x2x3x2@0 0", "1x1 1x1@0 0", "*16x16 16x16@0 0", "!17x15 17x33@1 0", "63x64 65x64@0 1",
    "!64x63 65x64@1 1", "65x127 127x31@0 0", "127x129 129x128@0 0", "*128x128 128x128@0 0",
    "129x65 65x257@0 0", "1x1000 1000x10@0 0", "!1000x3 1000x5@1 0", "512x3 3x512@0 0", "!3x64x32 3x32x65@0 0",
    "!7x33x17 7x33x19@1 0", "5x31x8 9x8@0 1", "256x512 512x255@0 0", "!257x512 512x257@1 1",
    "512x1024 1024x256@0 0", "!2x3x33x20 2x3x20x31@0 0", "!63x60001 60001x5@0 0", "!31x55555 33x55555@0 1",
    "!55555x3 7x55555@1 1", "!2x49999x7 2x49999x9@1 0", "!5001x13x7 13x9@1 0", "!3x33x40009 3x5x40009@0 1",
    "!2x40013x35 40013x4@1 0", "!2x40016x36 2x40016x8@1 0",
    "!3x72x200 3x200x136@0 0", "!2x200x72 2x200x136@1 0", "!2x200x136 2x72x200@1 1", "!200x136 3x200x72@1 0",
    "!136x328 328x520@0 0", "!3x65x201 3x201x133@0 0", "!5x201x131 201x133@1 0", "!2x131x201 2x77x201@0 1",
    "!66x1101 1101x70@0 0", "!1x5000 5000x72@0 0", "3x2101 2101x36@0 0", "!4x1101 33x1101@0 1", "2x40 40x9001@0 0",
    NULL };
OP_ROW(matmul, "Xw", matmul_cases, PRODUCT | NO_SPECIAL, gtr_matmul_t(x[0], c->p[0] != 0, x[1], c->p[1] != 0))
static void plain_products(const op_call *o, double *const *in, double *y)
{
    const gtr_shape *a = &o->in_shape[0], *b = &o->in_shape[1], *c = &o->out_shape[0];
    bool linear = o->id == GTR__OP_LINEAR, ta = o->attr.product.a_km != 0, tb = !o->attr.product.b_kn;
    int64_t n = c->dim[c->ndim - 1], m = linear ? gtr__count(c) / n : c->dim[c->ndim - 2],
        k = linear ? b->dim[1] : a->dim[a->ndim - (ta ? 2 : 1)], items = gtr__count(c) / (m * n), t, i, j, e;
    for (t = 0; t < items; t++) for (i = 0; i < m; i++) for (j = 0; j < n; j++) {
        const double *p = in[0] + (gtr__count(a) > m * k ? t * m * k : 0),
            *q = in[1] + (gtr__count(b) > n * k ? t * n * k : 0);
        double sum = linear && o->n_in > 2 ? in[2][j] : 0;
        for (e = 0; e < k; e++) sum += p[ta ? e * m + i : i * k + e] * q[tb ? j * k + e : e * n + j];
        y[t * m * n + i * n + j] = sum;
    }
}
PLAIN(MATMUL) { plain_products(o, in, y); }
static const char *const matmul_batch_cases[] = { "1x3x4 1x4x2@0 0", "13x2x3 13x3x2@0 0", "33x1x2 33x2x1@0 0",
    "5x2x2 2x3@0 0", "7x2x1 7x2x3@1 0", "3x2x4 3x1x4@0 1", "2x2x3 2x4x2@1 1", NULL };
OP_ROW_BY("matmul, batches", "XX", matmul_batch_cases, GRAPH, build_matmul)
static const char *const linear_cases[] = { "1x7 5x7 5", "*13x3 4x3 4", "33x4 2x4 2", "2x3x4 5x4 5", "5x3 2x3",
    "1x1 1x1 1", "!7 5x7 5", "*16x16 16x16 16", "15x17 31x17", "33x65 63x65 63", "*64x64 64x64 64",
    "65x63 129x63 129", "127x128 10x128 10", "*128x784 65x784 65", "129x33 1x33 1", "1x512 256x512 256",
    "2x257 3x257 3", "255x31 33x31", "256x256 128x256 128", "257x10 257x10 257", "5x7x129 64x129 64",
    "300x128 10x128", "1000x16 16x16 16", "4099x8 3x8 3", "512x512 384x512 384", "2049x128 512x128 512",
    "2048x72 200x72 200", "8192x64 20x64 20", "8200x16 64x16 64", "50021x63 4x63 4", "70001x5 33x5 33",
    "66000x64 64x64 64", "3001x999 61x999 61",
    "3001x129 1x129 1", "2000x300 1x300", "1003x1 77x1 77", "1x5000 72x5000 72", "4x1101 33x1101", "3x72 40x72 40",
    NULL };
OP_ROW(linear_with, "Xww", linear_cases, PRODUCT | NO_SPECIAL, gtr_linear_with(x[0], x[1], c->n > 2 ? x[2] : NULL))
PLAIN(LINEAR) { plain_products(o, in, y); }
static const char *const linear_layer_cases[] = { "1x7@5 0", "13x3@2 0", "33x2@3 1", "2x3x4@3 0", "5x1@1 1", NULL };
static gtr_linear_desc linear_desc(int out, bool no_bias) {
    gtr_linear_desc d; memset(&d, 0, sizeof d); d.out = out; d.no_bias = no_bias; return d;
}
OP_ROW(linear, "Xww", linear_layer_cases, GRAPH, gtr_linear_ex(x[0], "layer", linear_desc(c->p[0], c->p[1] != 0)))

// >>element-wise
/* Shapes: first those for gradient checks (a batch of 1, primes, 33), then tile edges and larger ones. */
static const char *const unary_cases[] = { "1x7", "*13x3", "33x4", "2x3x5", "31", "1x1", "32", "33", "63x1", "*64",
    "65", "127", "128", "129", "255x1", "256", "257", "1021", "1024",
    "*1025", "4095", "4099", "64x65", "8x8x8x8", "16385", "65537", "100003", SCALAR, NULL };
#define UNARY_ROW(ID, name, kinds, flags, built, of_x, torch) \
    static gtr_tensor *unary_##name(gtr_tensor *x) { return built; } \
    OP_ROW(name, kinds, unary_cases, flags, unary_##name(x[0])) \
    PLAIN(ID) { for (int64_t i = 0; i < n; i++) { const double x = in[0][i]; y[i] = of_x; } }
UNARY_TESTS(UNARY_ROW)
static const char *const binary_cases[] = { "1x7 1x7", "*13x3 3", "33x3 33x1", "2 33x2", "2x3x4 3x1", "5 5", "- 5x3",
    "13x1 1x11", "1x1 1x1", "*64x16 64x16", "3x1x5x1 1x7x1x2", "31 31", "128 128",
    "129 129", "*257x5 5", "65x33 65x1", "7x1031 1", "1031x7 1031x7", "4099 1", "1 4097", "64x64 64", "127x1 1x129",
    "5x17x33 17x1", "5x1x33 1x17x1", "16385x3 3", "256x257 256x1",
    "9x8x7x6x5 8x1x6x1", "100003 100003", "100003 -", NULL };
/* Which element of part, broadcast to full, is at full's element. */
static int64_t index_within(const gtr_shape *full, int64_t at, const gtr_shape *part)
{
    int64_t i, step = 1, to = 0;
    int k;
    for (k = 1; k <= full->ndim; k++) {
        int64_t d = full->dim[full->ndim - k], e = k <= part->ndim ? part->dim[part->ndim - k] : 1;
        i = at % d; at /= d;
        if (e != 1) to += i * step;
        step *= e;
    }
    return to;
}
#define BINARY_ROW(ID, name, kinds, flags, built, of_xy, torch) \
    static gtr_tensor *binary_##name(gtr_tensor *x, gtr_tensor *y) { return built; } \
    OP_ROW(name, kinds, binary_cases, flags, binary_##name(x[0], x[1])) \
    static double plain_##name(double x, double y) { return of_xy; } \
    PLAIN(ID) \
    { \
        const gtr_shape *to = &o->out_shape[0], *a = &o->in_shape[0], *b = &o->in_shape[1]; \
        for (int64_t i = 0; i < n; i++) \
            y[i] = plain_##name(in[0][index_within(to, i, a)], in[1][index_within(to, i, b)]); \
    }
BINARY_TESTS(BINARY_ROW)
static const char *const where_cases[] = { "1x7 1x7 7", "13x3 3 13x1", "33x1 33x3 33x3",
    "2x3x4 3x4 4", "5 5 5", "3x2 3x2 3x2", NULL };
OP_ROW(where, "DXX", where_cases, GRAPH | PASSES_0, gtr_where(x[0], x[1], x[2]))
static const char *const stop_cases[] = { "1x7 1x7", "13x3 13x3", "33x2 33x2", "2x3x4 3x4", "5 5", NULL };
OP_ROW(jumps, "FD", stop_cases, GRAPH, gtr_add(gtr_mul(gtr_floor(x[0]), x[1]), gtr_mul(gtr_less(x[0], x[1]), x[0])))

// >>moves
static const char *const reshape_cases[] = {
    "1x6@-1 3 2", "33x4@-2 2", "13x2x2@-4", "5x6@-1 6 1", "!2x3x4@4 6", "1x1@-1", NULL };
static gtr_shape shape_from(const op_case *c) {
    gtr_shape s; int i; memset(&s, 0, sizeof s); s.ndim = c->n_p;
    for (i = 0; i < c->n_p; i++) s.dim[i] = c->p[i];
    return s;
}
OP_ROW(reshape, "X", reshape_cases, GRAPH, gtr_reshape(x[0], shape_from(c)))
static const char *const flatten_cases[] = { "1x2x3", "33x4", "13", "5x2x1x2", "2x3x4", NULL };
OP_ROW(flatten, "X", flatten_cases, GRAPH, gtr_flatten(x[0]))
static const char *const permute_cases[] = { "1x7@1 0", "*13x3@1 0", "33x2x3@2 0 1", "2x3x4@0 2 1", "5x3x2@2 1 0",
    "7@0", "*2x3x4x5@3 1 0 2", "32x32@1 0", "33x31@1 0", "*64x33@1 0", "2x3x5x7@0 2 3 1", "1x64x1@2 1 0",
    "127x129@1 0", "128x128@1 0", "16x8x64@0 2 1", "16x8x65@1 0 2", "3x5x7x2x4@4 3 2 1 0",
    "2x2x2x2x2x2x3x2@7 0 6 1 5 2 4 3", "257x65@1 0", "1000x7@1 0", "7x1000@1 0", "31x33x35@2 0 1",
    "4x16x16x16@0 3 1 2", "512x300@1 0", "8x8x8@0 1 2", "3x33x2x32@0 2 1 3",
    "2x65x5x7@0 2 1 3", "3x40x17x3@0 3 2 1", NULL };
OP_ROW(permute, "X", permute_cases, COPIES, gtr_permute(x[0], c->p))
PLAIN(PERMUTE)
{
    const gtr_shape *x = &o->in_shape[0], *to = &o->out_shape[0];
    for (int64_t i = 0; i < n; i++) {
        int64_t index[GTR_MAX_DIMS] = { 0 }, rest = i, at = 0;
        for (int k = to->ndim - 1; k >= 0; k--) { index[o->attr.dims[k]] = rest % to->dim[k]; rest /= to->dim[k]; }
        for (int k = 0; k < x->ndim; k++) at = at * x->dim[k] + index[k];
        y[i] = in[0][at];
    }
}
static const char *const concat_cases[] = { "1x2 1x5@1", "*13x3 13x2 13x1@1", "!3x4 2x4@0", "33x2 33x1@-1",
    "2x3x2 2x1x2@1", "5x4@1", "!7 1 3@0", "*!4x8 4x8@0", "16x16 16x16@1", "16x16 16x4 16x12@1", "31x1 31x32@1",
    "64x65 64x63@1", "!65x64 63x64@0", "3x2*40@1", "128x3 128x5 128x7 128x9 128x11@1", "*2x5x7 2x6x7@1",
    "8x3x4x5 8x3x4x7@3", "257x2 257x4@1", "1x1000 1x24@1", "1000x1 1000x1@1", "100x256 100x128@1",
    "!1001 999@0", "33x33x33 33x1x33@1", "4x4x4 4x4x4@2", NULL };
OP_ROW(concat, "XX", concat_cases, COPIES | AXIS, gtr_concat(x, c->n, c->p[0]))
PLAIN(CONCAT)
{
    const gtr_shape *to = &o->out_shape[0];
    const int d = (int)o->attr.along.axis;
    const int64_t inner = gtr__shape_inner(to, d);
    for (int64_t i = 0; i < n; i++) {
        int64_t outer = i / (inner * to->dim[d]), place = i / inner % to->dim[d];
        int k = 0;
        for (; place >= o->in_shape[k].dim[d]; k++) place -= o->in_shape[k].dim[d];
        y[i] = in[k][(outer * o->in_shape[k].dim[d] + place) * inner + i % inner];
    }
}
static const char *const slice_cases[] = { "1x7@1 2 5", "*13x3@1 0 2", "!5x4@0 1 4", "33x4@-1 3 4", "*2x6x2@1 1 5",
    "!7@0 6 7", "2x3x4@2 0 4", "*16x16@1 4 12", "16x17@1 1 16", "!31x5@0 0 31", "64x64@1 0 63", "65x64@1 1 64",
    "*!64x65@0 32 33", "128x9x7@1 3 8", "5x4x3x8@3 4 8", "!257x33@0 1 256", "1x1000@1 999 1000", "1000x3@1 1 2",
    "100x300@1 128 256", "!1000@0 37 963", "33x31x29@1 7 23", "3x1x5@1 0 1", "4x4x4x4@1 1 3", NULL };
OP_ROW(slice, "X", slice_cases, COPIES | AXIS, gtr_slice(x[0], c->p[0], c->p[1], c->p[2]))
static void plain_slice(const op_call *o, const double *x, double *y)
{
    const int d = (int)o->attr.slice.axis;
    const int64_t inner = gtr__shape_inner(&o->in_shape[0], d), width = o->out_shape[0].dim[d] * inner,
        n = gtr__count(&o->out_shape[0]), line = o->in_shape[0].dim[d] * inner;
    int64_t i;
    int k;
    for (k = 0; k < o->n_out; k++) for (i = 0; i < n; i++)
        *y++ = x[i / width * line + o->attr.slice.begin * inner + k * width + i % width];
}
PLAIN(SLICE) { plain_slice(o, in[0], y); }
static const char *const step_cases[] = { "1x7@1 2 5 2", "*13x3@1 0 3 2", "!5x4@0 1 5 3", "33x4@-1 3 4 7",
    "*2x6x2@1 1 5 2", "!7@0 0 7 3", "2x3x4@2 0 4 3", "*16x16@1 4 12 1", "64x64@1 0 63 5", "*!64x65@0 3 64 4",
    "128x9x7@1 1 8 2", "5x4x3x8@3 0 8 2", "1x1000@1 9 1000 10", "100x300@1 0 300 2", "33x31x29@1 7 23 3", NULL };
OP_ROW(slice_step, "X", step_cases, GRAPH | AXIS, gtr_slice_step(x[0], c->p[0], c->p[1], c->p[2], c->p[3]))
static const char *const split_cases[] = { "1x6@1 2", "*13x3@1 3", "!4x3@0 2", "33x4@-1 4", "*2x6x2@1 3", "!7@0 7",
    "2x3x4@2 1", "*16x16@1 2", "16x18@1 3", "!30x5@0 30", "64x64@1 4", "65x64@1 8", "*!64x65@0 2", "128x9x7@1 3",
    "5x4x3x8@3 2", "!258x33@0 2", "1x1000@1 10", "1000x3@1 3", "100x300@1 3", "!1000@0 8", "33x30x29@1 5", "3x2x5@1 2",
    "4x4x4x4@1 2", NULL };
OP_ROW(split, "X", split_cases, COPIES | AXIS, gtr_split(x[0], c->p[0], c->p[1]))
/* The first part twice, the last, and none between. */
static gtr_tensor *build_split_used(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    gtr_tensor *t = gtr_split(x[0], c->p[0], c->p[1]);
    (void)ctx;
    return gtr_add(gtr_mul(t, gtr_tanh(t)), gtr_sigmoid(gtr_output(t, c->p[1] - 1)));
}
OP_ROW_BY("split, used", "X", split_cases, GRAPH, build_split_used)

// >>reductions
static const char *const reduce_cases[] = { "1x7@0 1", "*13x3@0 0", "33x3@1 1", "2x3x4@0 1", "2x3x4@1 0 2", "5x3@0",
    "!7@0 0", "3x2x2x3@0 1 3", "*32x32@0 0", "33x31@0 1", "64x65@0 0", "65x64@0 1", "*128x129@0", "1000x7@0 0",
    "7x1000@0 1", "17x19x23@0 1", "17x19x23@1 0 2", "5x7x9x11@0 0 2", "4099@0 0", "!16385@0 0", "*3x16385@0 1",
    "16385x3@0 0", "100003@0", "257x300@0 0", "1x1@0", "2x2x2x2x2x2x2x3@0 1 3 5 7", "300x257@1 1",
    "3x70x40@0 1", "37x132@0 0", "5000x12@0 0", "*2x11x3x64@1 1 2", NULL };
OP_ROW(sum, "X", reduce_cases, 0, gtr_sum(x[0], c->p + 1, c->n_p - 1, c->p[0] != 0))
static void plain_sum(const op_call *o, const double *x, double *y, double by)
{
    const gtr_shape *s = &o->in_shape[0];
    gtr_shape kept = *s;
    for (int k = 0; k < s->ndim; k++) if (o->attr.reduce.axes >> k & 1) kept.dim[k] = 1;
    for (int64_t i = 0; i < gtr__count(&o->out_shape[0]); i++) y[i] = 0;
    for (int64_t i = 0; i < gtr__count(s); i++) y[index_within(s, i, &kept)] += x[i] / by;
}
PLAIN(SUM) { plain_sum(o, in[0], y, 1); }
OP_ROW(mean, "X", reduce_cases, AVERAGES, gtr_mean(x[0], c->p + 1, c->n_p - 1, c->p[0] != 0))
PLAIN(MEAN) { plain_sum(o, in[0], y, (double)m / (double)n); }
OP_ROW(logsumexp, "X", reduce_cases, AVERAGES, gtr_logsumexp(x[0], c->p + 1, c->n_p - 1, c->p[0] != 0))
static double plain_lse(const double *x, int64_t n)
{
    double most = -INFINITY, sum = 0;
    int64_t i;
    for (i = 0; i < n; i++) if (x[i] != x[i]) return NAN; else if (x[i] > most) most = x[i];
    for (i = 0; i < n; i++) sum += exp(x[i] - most);
    return most + log(sum);
}
/* Of the n terms of each of m results, one behind the other. */
static double plain_fold(const op_call *o, const double *t, int64_t n)
{
    double sum = 0, of = 1, mean = 0, most = -INFINITY, least = INFINITY, size = 0;
    int64_t i;
    int kind = o->attr.reduce.kind;
    for (i = 0; i < n; i++) {
        mean += t[i] / (double)n; of *= t[i];
        if (t[i] != t[i]) return t[i];
        most = t[i] > most ? t[i] : most; least = t[i] < least ? t[i] : least;
        size = fabs(t[i]) > size ? fabs(t[i]) : size;
    }
    if (o->id == GTR__OP_LOGSUMEXP) return fabs(most) < INFINITY ? plain_lse(t, n) : most;
    if (o->id == GTR__OP_MAX) return most;
    if (o->id == GTR__OP_MIN) return least;
    if (o->id == GTR__OP_PROD) return of;
    for (i = 0; i < n; i++)
        sum += o->id == GTR__OP_VAR ? (t[i] - mean) * (t[i] - mean) / ((double)n - o->attr.reduce.correction)
            : kind == GTR__F_NORM1 ? fabs(t[i]) : t[i] * t[i];
    return o->id == GTR__OP_VAR || kind == GTR__F_NORM1 ? sum : kind == GTR__F_NORM2 ? sqrt(sum) : size;
}
static void plain_folds(const op_call *o, const double *x, double *y)
{
    const gtr_shape *s = &o->in_shape[0];
    int64_t n = gtr__count(&o->out_shape[0]), m = gtr__count(s), i, *at = (int64_t *)room(n, sizeof *at);
    double *terms = (double *)room(m, sizeof *terms);
    gtr_shape kept = *s;
    int k;
    for (k = 0; k < s->ndim; k++) if (o->attr.reduce.axes >> k & 1) kept.dim[k] = 1;
    for (i = 0; i < m; i++) { int64_t to = index_within(s, i, &kept); terms[to * (m / n) + at[to]++] = x[i]; }
    for (i = 0; i < n; i++) y[i] = plain_fold(o, terms + i * (m / n), m / n);
    free(terms); free(at);
}
PLAIN(LOGSUMEXP) { plain_folds(o, in[0], y); }
OP_ROW(max, "U", reduce_cases, COPIES, gtr_max(x[0], c->p + 1, c->n_p - 1, c->p[0] != 0))
PLAIN(MAX) { plain_folds(o, in[0], y); }
OP_ROW(min, "U", reduce_cases, COPIES, gtr_min(x[0], c->p + 1, c->n_p - 1, c->p[0] != 0))
PLAIN(MIN) { plain_folds(o, in[0], y); }
static const char *const prod_cases[] = { "1x7@0 1", "*13x3@0 0", "33x3@1 1", "2x3x4@0 1", "2x3x4@1 0 2", "5x3@0",
    "!7@0 0", "3x2x2x3@0 1 3", "*32x32@0 0", "33x31@0 1", "64x65@0 0", "65x64@0 1", "*12x18@0", "200x7@0 0",
    "7x200@0 1", "17x11x23@0 1", "7x19x23@1 0 2", "5x7x9x11@0 0 2", "211@0 0", "*2x217@0 1", "217x3@0 0", "180@0",
    "200x300@0 0", "1x1@0", "2x2x2x2x2x2x2x3@0 1 3 5 7", "300x157@1 1", "*3000x1x100@0 2", NULL };
OP_ROW(prod, "Q", prod_cases, NO_SPECIAL, gtr_prod(x[0], c->p + 1, c->n_p - 1, c->p[0] != 0))
PLAIN(PROD) { plain_folds(o, in[0], y); }
static const char *const zeros_cases[] = { "1x7@0 1", "*13x3@0 1", "33x3@1 1", "2x3x4@0 1", "2x3x4@1 0 2", "5x3@0",
    "!7@0 0", "3x2x2x3@0 1 3", "*32x5@0 1", "33x31@0 1", "6x65@0 0", "65x4@0 1", "*128x129@0", "1000x7@0 1",
    "7x1000@0 0", "17x19x23@0 1", "17x19x23@1 0 2", "5x7x9x11@0 0 2", "4099@0 0", "!16385@0 0", "*3x16385@0 1",
    "16385x3@0 0", "100003@0", NULL };
OP_ROW_BY("prod, zeros", "D", zeros_cases, CANCELS | NO_SPECIAL, build_prod)
static const char *const var_cases[] = { "2x7@0 1", "*13x3@0 0", "33x3@1 1", "2x3x4@0 1", "2x3x4@1 0 2", "5x3@0",
    "!7@0 0", "*32x32@0 0", "64x65@0 0", "65x64@0 1", "*128x129@0", "1000x7@0 0", "7x1000@0 1", "17x19x23@0 1",
    "17x19x23@1 0 2", "5x7x9x11@0 0 2", "4099@0 0", "!16385@0 0", "*3x16385@0 1", "16385x3@0 0", "100003@0",
    "257x300@0 0", NULL };
OP_ROW(var, "X", var_cases, AVERAGES | CANCELS | NO_SPECIAL, gtr_var(x[0], c->p + 1, c->n_p - 1, true, c->p[0] != 0))
PLAIN(VAR) { plain_folds(o, in[0], y); }
OP_ROW_AS(var_biased, "var, biased", "X", reduce_cases, AVERAGES | CANCELS | NO_SPECIAL, gtr_var(x[0], c->p + 1,
    c->n_p - 1, false, c->p[0] != 0))
OP_ROW_AS(norm1, "norm 1", "N", reduce_cases, 0, gtr_norm(x[0], 1, c->p + 1, c->n_p - 1, c->p[0] != 0))
PLAIN(NORM) { plain_folds(o, in[0], y); }
OP_ROW_AS(norm2, "norm 2", "X", reduce_cases, AVERAGES | NO_SPECIAL, gtr_norm(x[0], 2, c->p + 1, c->n_p - 1,
    c->p[0] != 0))
OP_ROW_AS(norm_inf, "norm inf", "U", reduce_cases, 0, gtr_norm(x[0], (float)INFINITY, c->p + 1, c->n_p - 1,
    c->p[0] != 0))

// >>along-an-axis
static const char *const along_cases[] = { "1x7@1", "*13x3@1", "33x3@-1", "*2x4x3@1", "5x3@0", "2x3x4@2", "!7@0",
    "3x1@1", "*16x32@1", "17x31@1", "64x33@1", "*65x64@0", "9x127@1", "9x128@1", "9x129@1", "*5x1000@1", "5x1023@1",
    "*5x1025@1", "3x4099@1", "300x1030@1", "1x16385@1", "1000x10@1", "4099x3@1", "*7x65x9@1", "4x129x64@1",
    "300x257@1", NULL };
OP_ROW(softmax, "X", along_cases, CANCELS | AXIS, gtr_softmax(x[0], c->p[0]))
static int64_t plain_argmax(const double *x, int64_t n, int64_t step)
{
    int64_t i, best = 0;
    for (i = 0; i < n; i++) if (x[i * step] != x[i * step]) return i;
    for (i = 1; i < n; i++) if (x[i * step] > x[best * step]) best = i;
    return best;
}
static void plain_along(const op_call *o, const double *x, double *y)
{
    const gtr_shape *s = &o->in_shape[0];
    int axis = (int)o->attr.along.axis;
    int64_t n = s->dim[axis], inner = gtr__shape_inner(s, axis), lines = gtr__count(s) / n, l, i;
    for (l = 0; l < lines; l++) {
        const double *from = x + l / inner * n * inner + l % inner;
        double most = -INFINITY, sum = 0;
        if (o->id == GTR__OP_ARGMAX) { y[l] = (double)plain_argmax(from, n, inner); continue; }
        for (i = 0; i < n; i++) most = from[i * inner] > most ? from[i * inner] : most;
        for (i = 0; i < n; i++) sum += exp(from[i * inner] - most);
        for (i = 0; i < n; i++)
            y[from - x + i * inner] = o->id == GTR__OP_LOG_SOFTMAX ? from[i * inner] - most - log(sum)
                : exp(from[i * inner] - most) / sum;
    }
}
PLAIN(SOFTMAX) { plain_along(o, in[0], y); }
static const char *const mask_cases[] = { "1x7 1x7@1", "*13x3 13x3@1", "33x3 33x3@-1", "2x4x3 2x4x3@1", "5x3 5x3@0",
    "2x3x4 2x3x4@2", "!7 7@0", "3x1 3x1@1", "*16x32 16x32@1", "64x33 64x33@1", "*65x64 65x64@0", "9x129 9x129@1",
    "*5x1000 5x1000@1", "1000x10 1000x10@1", "7x65x9 7x65x9@1", "3x1500 3x1500@1",
    "*2x3x4x5 2x3x4x5@2", "17x1025 17x1025@1", "!300x3 300x3@0", "33x31x29 33x31x29@2", "1x1x9 1x1x9@1",
    "257x64 257x64@1", NULL };
OP_ROW(softmax_mask, "XX", mask_cases, CANCELS | AXIS, gtr_softmax_mask(x[0], x[1], c->p[0]))
PLAIN(SOFTMAX_MASK)
{
    plain_along(o, in[0], y + n);
    for (int64_t i = 0; i < n; i++) y[i] = y[n + i] * in[1][i];
}
/* Both outputs, and the second alone. */
static gtr_tensor *build_softmax_mask_used(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    gtr_tensor *t = gtr_softmax_mask(x[0], x[1], c->p[0]);
    (void)ctx;
    return gtr_add(gtr_mul(t, gtr_tanh(t)), gtr_output(t, 1));
}
OP_ROW_BY("softmax_mask, used", "XX", mask_cases, GRAPH, build_softmax_mask_used)
OP_ROW_AS(softmax_mask_last, "softmax_mask, last", "XX", mask_cases, GRAPH | PASSES_0,
    gtr_output(gtr_softmax_mask(x[1], x[0], c->p[0]), 1))
OP_ROW(log_softmax, "X", along_cases, CANCELS | AXIS, gtr_log_softmax(x[0], c->p[0]))
PLAIN(LOG_SOFTMAX) { plain_along(o, in[0], y); }
OP_ROW(cumsum, "X", along_cases, AXIS, gtr_cumsum(x[0], c->p[0]))
PLAIN(CUMSUM)
{
    const int axis = (int)o->attr.take.axis;
    const int64_t inner = gtr__shape_inner(&o->in_shape[0], axis), wide = o->in_shape[0].dim[axis];
    for (int64_t i = 0; i < n; i++) {
        y[i] = in[0][i];
        if (i / inner % wide) y[i] += y[i - inner];
    }
}
OP_ROW(sort, "U", along_cases, COPIES | AXIS, gtr_sort(x[0], c->p[0], false))
static int plain_order(const void *p, const void *q)
{
    double a = *(const double *)p, b = *(const double *)q;
    return a < b || (b != b && a == a) ? -1 : a > b || (a != a && b == b);
}
static void plain_sort(const op_call *o, const double *x, double *y)
{
    const gtr_shape *s = &o->in_shape[0];
    int axis = (int)o->attr.sort.axis;
    int64_t n = s->dim[axis], m = o->out_shape[0].dim[axis], inner = gtr__shape_inner(s, axis), l, i;
    double *line = (double *)room(n, sizeof *line);
    for (l = 0; l < gtr__count(s) / n; l++) {
        for (i = 0; i < n; i++) line[i] = x[(l / inner * n + i) * inner + l % inner];
        qsort(line, (size_t)n, sizeof *line, plain_order);
        for (i = 0; i < m; i++)
            y[(l / inner * m + i) * inner + l % inner] = line[o->attr.sort.descending ? n - 1 - i : i];
    }
    free(line);
}
PLAIN(SORT) { plain_sort(o, in[0], y); }
OP_ROW_AS(sort_down, "sort, descending", "U", along_cases, COPIES, gtr_sort(x[0], c->p[0], true))
static const char *const top_cases[] = { "1x7@1 3", "*13x3@1 1", "33x3@-1 3", "*2x4x3@1 2", "!5x3@0 4", "2x3x4@2 2",
    "!7@0 7", "3x1@1 1", "*16x32@1 5", "17x31@1 30", "64x33@1 16", "!*65x64@0 9", "9x129@1 2", "*5x1000@1 10",
    "5x1025@1 512", "3x4099@1 7", "1x16385@1 1024", "2x20000@1 1025", "*2x5000@1 5000", "1000x10@1 10", "7x65x9@1 20",
    "1x100003@1 1", "2x50000x2@1 3", "1x70001@1 70000", NULL };
OP_ROW(top_k, "U", top_cases, COPIES, gtr_top_k(x[0], c->p[1], c->p[0]))
static const char *const pad_cases[] = { "1x7@0 2 3 0", "*13x5@0 2 3 1", "33x3@0 1 4 2", "2x4x3@1 5 9 3",
    "5x3x2@1 0 2 1",
    "2x3x4@0 4 0 0", "!7@0 6 6 1", "!3x1@0 3 4 2", "*16x32@0 4 4 1", "17x31@0 1 0 3", "!64x33@1 5 7 2",
    "*65x64@0 8 0 0", "!9x127@1 0 8 1", "9x128@0 100 3 2", "9x129@0 0 300 3", "*5x1000@0 1 1 1", "5x1023@0 0 1 0",
    "4x129x64@1 3 3 1", "300x257@0 2 2 2", "3x4x5x6@2 1 2 3", "1x1@0 2 3 2", "1000x10@0 1 1 3", "5x9@0 -2 3 0",
    "5x9@0 -2 -1 0", "5x9@0 4 -4 3", NULL };
/* Of the p[0]'th dimension from the last on by p[1] and p[2], by mode p[3]. */
static gtr_tensor *build_pad(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    int64_t pad[2 * GTR_MAX_DIMS] = { 0 };
    (void)ctx;
    pad[2 * c->p[0]] = c->p[1]; pad[2 * c->p[0] + 1] = c->p[2];
    return gtr_pad(x[0], pad, c->p[0] + 1, (gtr_pad_mode)c->p[3], 0.75f);
}
OP_ROW_BY("pad", "X", pad_cases, NO_SPECIAL, build_pad)
/* each: of ids that are an element's own, not a place's along the axis. */
static void plain_take(const op_call *o, const double *x, double *y, bool each)
{
    const int axis = (int)o->attr.take.axis;
    const int64_t inner = gtr__shape_inner(&o->in_shape[0], axis), from = o->in_shape[0].dim[axis],
        wide = o->out_shape[0].dim[axis];
    for (int64_t i = 0; i < gtr__count(&o->out_shape[0]); i++) {
        const int64_t id = ((const int32_t *)o->in[1])[each ? i : i / inner % wide];
        y[i] = id < 0 ? o->attr.take.value : x[(i / inner / wide * from + id) * inner + i % inner];
    }
}
PLAIN(TAKE) { plain_take(o, in[0], y, false); }
static const char *const pads_cases[] = { "1x3x2@1 1 2 1", "13x2x3@1 0 0 2", "3x2x2@1 1 1 1", "33x2x1@0 0 1 0",
    "5x2x2@0 1 1 0", NULL };
/* The last two dimensions (of value, the last) by these in all modes, one behind the other. */
static gtr_tensor *build_pads(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    int64_t pad[4];
    int k;
    gtr_tensor *t = x[0];
    (void)ctx;
    for (k = 0; k < 4; k++) pad[k] = c->p[k];
    for (k = 3; k >= 0; k--) t = gtr_pad(t, pad, k ? 2 : 1, (gtr_pad_mode)k, -1.5f);
    return t;
}
OP_ROW_BY("pads", "X", pads_cases, GRAPH, build_pads)
static const char *const tile_cases[] = { "1x7@1 3", "13x3@1 2", "33x2@1 1", "!5x3@2 3", "2x3x4@1 2 3", NULL };
static gtr_tensor *build_tile(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    int64_t times[GTR_MAX_DIMS] = { 0 };
    int k;
    (void)ctx;
    for (k = 0; k < c->n_p; k++) times[k] = c->p[k];
    return gtr_tile(x[0], times);
}
OP_ROW_BY("tile", "X", tile_cases, GRAPH, build_tile)
static const char *const roll_cases[] = { "1x7@1 3", "13x3@-1 -2", "33x2@1 2", "!5x3@0 7", "2x3x4@1 1", NULL };
OP_ROW(roll, "X", roll_cases, GRAPH | AXIS, gtr_roll(x[0], c->p[1], c->p[0]))
static const char *const flip_cases[] = { "1x7@1", "13x3@-1", "33x2@1", "!5x3@0 1", "2x3x4@1 2", NULL };
OP_ROW(flip, "X", flip_cases, GRAPH, gtr_flip(x[0], c->p, c->n_p))
static const char *const stack_cases[] = { "1x7 1x7@0", "13x3 13x3 13x3@1", "33x2 33x2@-1", "!5x3 5x3@0", "7 7@1",
    NULL };
OP_ROW(stack, "X", stack_cases, GRAPH, gtr_stack(x, c->n, c->p[0]))

// >>ids
static const char *const gather_cases[] = { "3x2 1", "5x3 13", "7x2 33", "4x2x3 2x3", "5 7", "!6x2 4", NULL };
OP_ROW(gather_rows, "wE", gather_cases, GRAPH, gtr_gather_rows(x[0], x[1]))
static const char *const scatter_cases[] = {
    "!1 1x2@3", "*!13 13x3@13", "!33 33x2@33", "!2x3 2x3x4@2", "!5x2 5x2@7", "!1 1x1@1", "*!16 16x16@16",
    "!31 31x33@40",
    "!64 64x64@64", "!65 65x65@65", "*!128 128x5@128", "!129 129x128@200", "!3x43 3x43x100@3", "!1000 1000x4@1000",
    "!1000 1000x8@5000", "!4099 4099x3@4099", "!257 257x257@257", "!7x11 7x11x31@29", "!512 512x512@512",
    "!10007 10007x2@10007", "!1 1x1000@1", "!20 20x3x5@20", NULL };
OP_ROW(scatter_add, "Ew", scatter_cases, NO_SPECIAL, gtr_scatter_add_rows(x[0], x[1], c->p[0]))
PLAIN(SCATTER_ADD)
{
    const int64_t at = gtr__count(&o->in_shape[1]) / m;
    for (int64_t i = 0; i < n; i++) y[i] = 0;
    for (int64_t i = 0; i < m * at; i++) y[((const int32_t *)o->in[0])[i / at] * at + i % at] += in[1][i];
}
/* Short lines, and long ones: with few ids an element, with many, with none */
static const char *const gather_along_cases[] = { "1x7 1x3@1", "*13x3 13x5@1", "!5x4 3x4@0", "33x4 33x1@-1",
    "2x6x2 2x4x2@1", "!7 9@0", "2x3x4 2x3x4@2", "*16x16 16x16@1", "64x65 64x3@1", "*!64x65 128x65@0",
    "128x9x7 128x2x7@1", "1x1000 1x1000@1", "33x31x29 33x5x29@1", "*3x2 3x257@1", "*2x300x3 2x300x3@1",
    "!4099 5000@0", "*!5 2600@0",
    "100003x2 100003x1@1", "31x257x5 31x256x5@1", "!1x65537 1x300@1", "2x1x4 2x2x4@1", NULL };
OP_ROW(gather, "XE", gather_along_cases, AXIS, gtr_gather(x[0], c->p[0], x[1]))
PLAIN(GATHER) { plain_take(o, in[0], y, true); }
OP_ROW(to_float, "E", unary_cases, NO_GRADIENT | NO_SPECIAL, gtr_to_float(x[0]))
PLAIN(TO_FLOAT) { for (int64_t i = 0; i < n; i++) y[i] = ((const int32_t *)o->in[0])[i]; }
OP_ROW(to_int, "F", unary_cases, NO_GRADIENT, gtr_to_int(x[0]))
PLAIN(TO_INT)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = in[0][i] != in[0][i] ? 0 : trunc(GTR__MAX(GTR__MIN(in[0][i], (double)INT32_MAX), (double)INT32_MIN));
}
static const char *const hot_cases[] = { "1@3", "*13@5", "33@1", "2x3@4", "5x2@10", "16@16", "31@33", "64@64", "65@100",
    "128@5", "129@128", "3x43@50", "1000@10", "1000@1000", "4099@3", "257@257", "7x11x13@29", "2@5000", "512@2",
    "10007@2", "1@1", NULL };
OP_ROW(one_hot, "E", hot_cases, NO_GRADIENT | NO_SPECIAL, gtr_one_hot(x[0], c->p[0]))
PLAIN(ONE_HOT)
{
    for (int64_t i = 0; i < n; i++) y[i] = ((const int32_t *)o->in[0])[i / o->attr.count] == i % o->attr.count;
}

// >>random
static const char *const dropout_cases[] = { "1x7@50", "*13x3@25", "33x4@10", "2x3x5@50", "!31x2@50", "31@90",
    "*!64x4@50", "65@50", "127x3@50", "128x5@20", "*129x8@50", "1x1021@50", "16x1024@50", "4x4099@30", "1021x1@50",
    "5x7x9@50", "!5x7x9@50", "100x257@50", "!100003@50", "3x20001@50", "5x3@0", "33x33@99", NULL };
OP_ROW(dropout, "X", dropout_cases, MODES, gtr_dropout(x[0], "drop", (float)c->p[0] / 100))
/* The number of element i of n: by row of the step's batch, and place within it. */
static double plain_draw(const op_call *o, int kind, int64_t i, int64_t n)
{
    const int64_t line = o->attr.draw.linear || !o->in_shape[0].ndim ? n : n / o->in_shape[0].dim[0], e = i % line;
    const double pi = 3.14159265358979323846;
    uint32_t c[4];
    double u, angle;
    GTR__COUNTER(c, o->number % 2 == 1 ? 5 : 0, o->attr.draw.linear ? 0 : i / line + (o->number % 3 == 1 ? 3 : 0), e);
    GTR__PHILOX(c, o->attr.draw.key);
    u = (double)(c[kind == GTR__DRAW_NORMAL ? e & 2 : e & 3] >> 8) / 16777216.0;
    if (kind == GTR__DRAW_UNIFORM) return u;
    if (u <= 0) u = 0.5 / 16777216.0;
    if (kind == GTR__DRAW_GUMBEL) return -log(-log(u));
    angle = 2 * pi * ((double)(c[(e & 2) + 1] >> 8 & 0x3fffff) / 16777216.0 - 0.125);
    if (c[(e & 2) + 1] >> 31) angle = pi - angle;
    if (c[(e & 2) + 1] >> 30 & 1) angle = pi / 2 - angle;
    return sqrt(-2 * log(u)) * (e & 1 ? sin(angle) : cos(angle));
}
PLAIN(DROPOUT)
{
    for (int64_t i = 0; i < n; i++) {
        const double p = o->training ? (double)(float)o->attr.draw.p : 0;
        y[i] = plain_draw(o, GTR__DRAW_UNIFORM, i, n) < p ? 0 : o->training ? in[0][i] / (1 - o->attr.draw.p)
            : in[0][i];
    }
}
OP_ROW(random_normal, "X", dropout_cases, NO_GRADIENT | COPIES | NO_SPECIAL, gtr_random_normal(x[0], "noise"))
PLAIN(RANDOM) { for (int64_t i = 0; i < n; i++) y[i] = plain_draw(o, o->attr.draw.kind, i, n); }
OP_ROW(random_uniform, "X", dropout_cases, NO_GRADIENT | COPIES | NO_SPECIAL, gtr_random_uniform(x[0], "noise"))
OP_ROW(random_gumbel, "X", dropout_cases, NO_GRADIENT | COPIES | NO_SPECIAL, gtr_random_gumbel(x[0], NULL))
OP_ROW(stop_gradient, "XX", stop_cases, GRAPH | PASSES_0, gtr_add(gtr_stop_gradient(x[0]), x[1]))

// >>labels
/* Lines that a block shares, and more of them than blocks. */
static const char *const argmax_cases[] = { "1x7@1", "*13x3@1", "33x3@-1", "*2x4x3@1", "5x3@0", "2x3x4@2", "!7@0",
    "3x1@1", "*16x32@1", "17x31@1", "64x33@1", "*65x64@0", "9x127@1", "9x129@1", "*5x1025@1", "3x4099@1",
    "*300x1030@1", "1x16385@1", "1000x10@1", "4099x3@1", "*7x65x9@1", "300x257@1", NULL };
OP_ROW(argmax, "D", argmax_cases, NO_GRADIENT | AXIS, gtr_argmax(x[0], c->p[0]))
OP_ROW_AS(argmax_apart, "argmax, no equals", "U", argmax_cases, NO_GRADIENT, gtr_argmax(x[0], c->p[0]))
PLAIN(ARGMAX) { plain_along(o, in[0], y); }
static const char *const label_cases[] = { "1x7 1", "*13x3 13", "33x4 33", "5x2 5", "7x2 7", "3x31 3", "1x2 1",
    "*16x10 16", "31x10 31", "32x10 32", "33x10 33", "64x32 64", "65x33 65", "*127x100 127", "128x10 128",
    "129x64 129", "*1000x10 1000", "4099x3 4099", "*5x1000 5", "*3x1025 3", "2x4099 2", "1x10007 1", "257x257 257",
    "10007x2 10007", "600x600 600", NULL };
OP_ROW(accuracy, "DL", label_cases, NO_GRADIENT, gtr_accuracy(x[0], x[1]))
PLAIN(ACCURACY)
{
    const gtr_shape *x = &o->in_shape[0];
    const int32_t *label = (const int32_t *)o->in[1];
    int64_t right = 0, counted = 0;
    for (int64_t i = 0; i < x->dim[0]; i++) if (label[i] >= 0) {
        counted++; right += plain_argmax(in[0] + i * x->dim[1], x->dim[1], 1) == label[i];
    }
    y[0] = (double)right / (double)counted;
}
static const char *const embedding_cases[] = {
    "1 3x2", "*13 5x3", "33 7x2", "2x3 4x1", "5x2 1x4", "1x1 1x1", "*16 16x16", "31 100x33", "64 10x64", "65 3x65",
    "*128 1000x5", "129 7x128", "3x43 50x100", "1000 10x4", "1000 1000x8",
    "4099 13x3", "257 300x257", "7x11x13 29x31", "2 5000x4", "512 2x512", "10007 101x2", "1 1x1000",
    "4099 2000x3", "40001 31x5", "*6000 5000x4", "12000 3000x70", NULL };
OP_ROW(embedding_with, "Ew", embedding_cases, NO_SPECIAL, gtr_embedding_with(x[0], x[1]))
/* A row's many positions lie in several of a block's tiles. */
OP_ROW_AS(embedding_often, "embedding_with, often", "Ow", embedding_cases, NO_SPECIAL, gtr_embedding_with(x[0], x[1]))
PLAIN(EMBEDDING)
{
    const int64_t wide = o->in_shape[1].dim[1];
    for (int64_t i = 0; i < m; i++) for (int64_t j = 0; j < wide; j++)
        y[i * wide + j] = in[1][(int64_t)((const int32_t *)o->in[0])[i] * wide + j];
}
static const char *const embedding_layer_cases[] = { "1@5 2", "13@3 3", "33@7 1", "2x3@4 2", "5@1 3", NULL };
OP_ROW(embedding, "Ew", embedding_layer_cases, GRAPH, gtr_embedding(x[0], "layer", c->p[0], c->p[1]))

// >>norms
static const char *const norm_cases[] = { "2x3", "*13x3", "33x2", "7x5", "5x1@10", "3x7", "*16x16", "31x33", "32x32",
    "33x31", "64x65", "*65x64", "127x3", "128x128", "129x7", "1000x10", "*1031x4", "4099x2", "2x1000", "3x4099",
    "256x257", "16385x1", "300x100", "9x8", "700x256", "2000x64", "4500x72", NULL };
static gtr_batch_norm_desc norm_desc(float eps) {
    gtr_batch_norm_desc d; memset(&d, 0, sizeof d); d.eps = eps; return d;
}
OP_ROW(batch_norm, "Bpxxp", norm_cases, CANCELS | MODES | FIRST_LOW | NO_SPECIAL, c->n_p ? gtr_batch_norm_ex(x[0],
    "layer", norm_desc((float)c->p[0] / 100)) : gtr_batch_norm(x[0], "layer"))
static void plain_norm(const op_call *o, double *const *in, double *y)
{
    int64_t c = gtr__count(&o->in_shape[1]), n = gtr__count(&o->in_shape[0]) / c, i, j;
    for (j = 0; j < c; j++) {
        double mean = in[3][j], var = in[4][j];
        if (o->training) {
            for (mean = 0, i = 0; i < n; i++) mean += in[0][i * c + j] / (double)n;
            for (var = 0, i = 0; i < n; i++) var += (in[0][i * c + j] - mean) * (in[0][i * c + j] - mean) / (double)n;
        }
        for (i = 0; i < n; i++)
            y[i * c + j] = (in[0][i * c + j] - mean) / sqrt(var + o->attr.norm.eps) * in[1][j] + in[2][j];
    }
}
PLAIN(BATCH_NORM) { plain_norm(o, in, y); }
static const char *const image_norm_cases[] = { "2x3x2x2", "*13x2x3", "3x2x4x5", "7x3x3x1", "5x1x2x2@10", "2x7x1x4",
    "*16x16x4x4", "31x3x5x7", "4x32x8x8", "3x33x7x5", "2x64x13x9", "*6x65x7x7", "127x3x3x3", "2x128x14x14", "3x129x3",
    "10x10x100", "*1031x4x3", "2x2x64x64", "2x1000x2", "1x3x64x64", "32x64x16x16", "16x1x28x28", "8x256x7x7",
    "3x5x2x3x4", "64x16x32x32", NULL };
OP_ROW_BY("batch_norm, images", "Bpxxp", image_norm_cases, CANCELS | MODES | FIRST_LOW | NO_SPECIAL, build_batch_norm)
static const char *const norm_with_cases[] = { "2x3 2x3 3 3", "*5x3 5x3 3 3", "7x2 7x2 2 2", "3x2x2x2 3x2x2x2 2 2",
    "2x3x4 2x3x4 3 3", "5x1 5x1 1 1", NULL };
/* One norm of two inputs, of weight and bias, then of neither. */
static gtr_tensor *build_batch_norm_with(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    const gtr_shape channels = gtr_shape1(c->in[0].dim[1]);
    const gtr_init fixed = { GTR_INIT_CONSTANT, 1, true };
    gtr_tensor *mean = gtr_parameter(ctx, "mean", channels, fixed), *var = gtr_parameter(ctx, "var", channels, fixed),
        *a = gtr_batch_norm_with(x[0], x[2], x[3], mean, var, norm_desc(0)),
        *b = gtr_batch_norm_with(x[1], x[2], NULL, mean, var, norm_desc(0.1f)),
        *y = gtr_batch_norm_with(x[1], NULL, NULL, mean, var, norm_desc(0));
    return gtr_add(gtr_mul(gtr_tanh(a), b), y);
}
OP_ROW_BY("batch_norm_with", "BBpxxp", norm_with_cases, GRAPH | MODES, build_batch_norm_with)
static const char *const group_norm_cases[] = { "2x4x3x2 4 4@2 0", "*3x6x2x2@3 50", "2x2x4x3 2 2@1 0", "5x4x3 4 4@4 10",
    "3x8 8 8@2 0", "!2x3x2x2x2 3 3@1 0", "*2x16x5x5 16 16@4 0", "3x33x7x5 33 33@3 0", "2x64x13x9@32 0",
    "2x128x7x7 128 128@32 0", "4x32x8x8 32 32@32 0", "1x3x64x64 3 3@1 0", "32x64x4x4 64 64@8 0", "16x8x28x28 8 8@2 0",
    "2x256x7x7 256 256@32 0", "2x600x3x3 600 600@2 0", "1031x4x3 4 4@2 0", "3x40x100@40 0", "2x1000x2 1000 1000@10 0",
    "*2x65x9x9 65 65@5 0", "8x12x16x16 12 12@3 0", "700x256 256 256@16 0", "8x16x32x32 16 16@2 0",
    "*64x32x2x2 32 32@4 0", "*9x24x3x3 24 24@2 0", "2x64x9x7 64 64@1 0", "4x12x7x5@4 0", "*2x2052x3 2052 2052@1 0",
    "2x2049x2 2049 2049@1 0", "2x8200x2 8200 8200@1 0", "2x4104x2 4104 4104@2 0", "3x4x90x70 4 4@4 0", NULL };
/* groups, eps in percent */
OP_ROW(group_norm_with, "Xpx", group_norm_cases, CANCELS | FIRST_LOW | NO_SPECIAL, gtr_group_norm_with(x[0],
    c->n > 1 ? x[1] : NULL, c->n > 1 ? x[2] : NULL, c->p[0], (float)c->p[1] / 100))
static void plain_group_norm(const op_call *o, double *const *in, double *y)
{
    const gtr_shape *s = &o->in_shape[0];
    int64_t c = s->dim[s->ndim - 1], wide = c / o->attr.norm.groups, pixels = gtr__count(s) / c / s->dim[0], n, g, i;
    for (n = 0; n < s->dim[0]; n++) for (g = 0; g < o->attr.norm.groups; g++) {
        double mean = 0, var = 0, all = (double)(pixels * wide);
#define AT ((n * pixels + i / wide) * c + g * wide + i % wide)
        for (i = 0; i < pixels * wide; i++) mean += in[0][AT] / all;
        for (i = 0; i < pixels * wide; i++) var += (in[0][AT] - mean) * (in[0][AT] - mean) / all;
        for (i = 0; i < pixels * wide; i++)
            y[AT] = (in[0][AT] - mean) / sqrt(var + o->attr.norm.eps) * (o->n_in > 1 ? in[1][AT % c] : 1)
                + (o->n_in > 2 ? in[2][AT % c] : 0);
#undef AT
    }
}
PLAIN(GROUP_NORM) { plain_group_norm(o, in, y); }
static const char *const group_norm_layer_cases[] = { "1x4x3x2@2 0", "3x2x2x3@1 0", "2x4x3x2@0 1", "5x3x4@0 0",
    "!2x2x3x3@0 1", NULL };
OP_ROW(group_norm, "Xpx", group_norm_layer_cases, GRAPH, c->p[0] ? gtr_group_norm(x[0], "layer", c->p[0],
    0) : gtr_instance_norm(x[0], c->p[1] ? "layer" : NULL, 0))
static const char *const dropout2d_cases[] = { "1x7x2x2@50", "3x3x4@25", "5x2x2x3@10", "!2x3x2x2@50", "2x4x3@90",
    NULL };
OP_ROW(dropout2d, "X", dropout2d_cases, GRAPH, gtr_dropout2d(x[0], "drop", (float)c->p[0] / 100))

// >>images
/* x, weight, bias, and what conv_desc says */
static const char *const conv_cases[] = { "1x2x4x4 3x2x3x3 3@1 1 1 1 1 1 1", "*2x2x5x4 3x2x3x2 3@2 1 1 0 1 1 1",
    "2x2x5 4x2x3 4@1 2 0 1 1 1 1", "1x4x4x3 4x1x3x3 4@1 1 1 1 1 1 4", "2x3x3x3 2x3x1x1@1 1 0 0 1 1 1",
    "*2x4x4x5 6x2x3x3@2 3 2 1 1 2 2", "1x1x6x6 2x1x5x5 2@1 1 2 2 1 1 1", "!3x1x4x4 2x1x2x3 2@3 1 1 2 1 1 1",
    "3x2x7 2x2x3 2@1 1 0 2 1 2 1", "5x3x2x2 3x3x1x1 3@2 2 1 1 1 1 1", "*2x3x9x9 8x3x3x3 8@1 1 1 1 1 1 1",
    "1x8x8x8 8x8x3x3 8@1 1 1 1 1 1 1", "2x16x7x7 16x16x3x3 16@1 1 1 1 1 1 1", "1x3x12x12 8x3x7x7 8@2 2 3 3 1 1 1",
    "*2x8x6x6 8x1x5x5 8@1 1 2 2 1 1 8", "2x8x5x5 16x1x3x3 16@2 2 1 1 1 1 8", "3x5x6x7 9x5x2x2 9@1 1 0 0 1 1 1",
    "2x12x6x6 8x3x3x3 8@1 1 1 1 1 1 4", "1x17x5x6 3x17x3x3 3@1 1 2 2 2 2 1", "4x16x33 16x16x5 16@1 1 0 2 1 1 1",
    "2x4x1x9 5x4x1x3 5@1 1 0 1 1 1 1", "2x32x5x5 24x32x1x1 24@1 1 0 0 1 1 1", "2x3x8x8 4x3x4x4 4@4 4 0 0 1 1 1",
    "*2x64x14x14 64x64x3x3 64@1 1 1 1 1 1 1", "3x64x8x8 128x64x3x3 128@2 2 1 1 1 1 1",
    "2x64x14x14 256x64x1x1 256@1 1 0 0 1 1 1", "2x128x9x9 64x128x1x1@2 2 0 0 1 1 1",
        "2x3x33x31 64x3x7x7 64@2 2 3 3 1 1 1", "1x1x7x300 2x1x1x3 2@1 1 0 1 1 1 1",
    "2x72x14x13 72x1x3x3 72@1 1 1 1 1 1 72", "4x96x7x7 96x1x7x7 96@1 1 3 3 1 1 96",
        "2x48x9x9 32x12x3x3 32@1 1 1 1 1 1 4",
    "1x130x6x5 66x130x3x3 66@1 1 1 1 1 1 1", "16x1x28x28 32x1x3x3 32@1 1 1 1 1 1 1",
        "1x32x20x20 32x32x3x3@1 1 4 4 4 4 1",
    "3x24x200 40x24x9 40@1 2 0 4 1 1 1", "2x256x4x4 256x256x3x3 256@1 1 1 1 1 1 1",
    "2x67x92x92 3x67x3x3@1 1 1 1 1 1 1", "2x3x40x37 24x3x3x3 24@1 1 1 1 1 1 1", "3x2x41x30 10x2x5x5@2 1 2 0 1 2 1",
    "1x2x40x3 3x2x35x2 3@1 1 2 0 1 1 1", "1x300x5x4 300x1x3x3 300@1 1 1 1 1 1 300",
    "2x12x5x6 24x2x3x2 24@1 2 1 1 2 1 6",
    /* depthwise by runs: both strides, windows of 2 to 7, ranges and lanes that end within a block, and what is not */
    "*2x8x7x9 8x1x3x3 8@2 2 1 1 1 1 8", "*3x24x6x11 24x1x3x2@1 2 1 0 1 1 24", "*2x16x9x6 16x1x5x4 16@2 1 2 1 1 1 16",
    "*1x40x8x13 40x1x7x6 40@1 2 3 2 1 1 40", "*2x8x10x21 8x1x3x7 8@2 2 1 3 2 1 8",
    "*1x136x5x5 136x1x3x3@1 1 1 1 1 1 136",
    "*2x12x6x6 12x1x3x3 12@1 1 1 1 1 1 12", "*1x8x1x300 8x1x1x3 8@1 1 0 1 1 1 8", "*1x8x40x3 8x1x20x3 8@1 1 9 1 1 1 8",
    "*2x8x4x1 8x1x3x3 8@2 2 2 2 1 1 8", "*2x8x6x6 8x1x3x1 8@1 1 1 0 1 1 8", "*1x8x9x9 8x1x3x3 8@3 1 1 1 1 1 8",
    "*1x8x9x9 8x1x3x3 8@1 1 1 2 1 2 8", "*2x8x6x7 8x1x5x5 8@1 1 4 4 1 1 8",
    NULL };
/* Of convolutions: stride, padding, dilation (height, width each), groups, output padding. */
static gtr_conv_desc conv_desc(const op_case *c, int64_t out, int kernel, int kernel_w)
{
    gtr_conv_desc d;
    memset(&d, 0, sizeof d);
    d.out = out; d.kernel = kernel; d.kernel_w = kernel_w;
    d.stride = c->p[0]; d.stride_w = c->p[1];
    d.padding = c->p[2]; d.padding_w = c->p[3] ? c->p[3] : -1;
    d.dilation = c->p[4]; d.dilation_w = c->p[5];
    d.groups = c->p[6]; d.output_padding = c->p[7];
    return d;
}
OP_ROW(conv_with, "Xww", conv_cases, PRODUCT | NO_SPECIAL, gtr_conv2d_with(x[0], x[1], c->n > 2 ? x[2] : NULL,
    conv_desc(c, 0, 0, 0)))
/* Height (across: width) of an image with channels last. */
static int64_t side_of(const gtr_shape *s, bool across)
{
    return across ? s->dim[s->ndim - 2] : s->ndim > 3 ? s->dim[1] : 1;
}
/* Where channel 0 lies of pixel (i, j) of image n. */
static int64_t pixel_of(const gtr_shape *s, int64_t n, int64_t i, int64_t j)
{
    return ((n * side_of(s, false) + i) * side_of(s, true) + j) * s->dim[s->ndim - 1];
}
static void plain_conv(const op_call *o, double *const *in, double *y)
{
    const gtr__window_attr *a = &o->attr.window;
    const bool back = a->transposed != 0;
    const gtr_shape *w = &o->in_shape[1], *image = &o->in_shape[0], *place = &o->out_shape[0];
    int64_t kh = side_of(w, false), kw = side_of(w, true), cg = w->dim[w->ndim - 1], og, n, i, j, ky, kx, e, c,
        all = gtr__count(place), out = place->dim[place->ndim - 1];
    for (i = 0; i < all; i++) y[i] = o->n_in > 2 ? in[2][i % out] : 0;
    if (back) { const gtr_shape *t = image; image = place; place = t; }
    og = place->dim[place->ndim - 1] / a->groups;
    for (n = 0; n < place->dim[0]; n++) for (i = 0; i < side_of(place, false); i++)
        for (j = 0; j < side_of(place, true); j++) for (ky = 0; ky < kh; ky++) for (kx = 0; kx < kw; kx++) {
            const int64_t iy = i * a->stride[0] - a->padding[0] + ky * a->dilation[0],
                ix = j * a->stride[1] - a->padding[1] + kx * a->dilation[1];
            if (iy < 0 || ix < 0 || iy >= side_of(image, false) || ix >= side_of(image, true)) continue;
            for (e = 0; e < og * a->groups; e++) for (c = 0; c < cg; c++) {
                const int64_t to = pixel_of(place, n, i, j) + e, from = pixel_of(image, n, iy, ix) + e / og * cg + c;
                const double f = in[1][((e * kh + ky) * kw + kx) * cg + c];
                if (back) y[from] += f * in[0][to]; else y[to] += f * in[0][from];
            }
        }
}
PLAIN(CONV) { plain_conv(o, in, y); }
static const char *const conv_transpose_cases[] = { "1x2x4x3 2x3x1x2 3@2 2 0 1 1 4 1 0",
    "1x2x3x3 2x3x3x3 3@2 2 1 1 1 1 1 1",
    "*2x3x3x2 3x2x2x3 2@1 2 0 1 1 1 1",
    "2x2x4 2x3x3 3@1 2 0 1 1 1 1", "1x4x3x3 4x1x3x3 4@2 2 1 1 1 1 4", "2x3x3x3 3x2x1x1@1 1 0 0 1 1 1",
    "*2x4x3x4 4x3x3x3@2 3 1 1 1 2 2", "1x1x3x3 1x2x4x4 2@2 2 1 1 1 1 1", "!3x2x3x3 2x2x2x2 2@2 2 0 0 1 1 1",
    "3x2x5 2x2x3 2@1 3 0 1 1 1 1 2", "5x2x2x2 2x2x1x1 2@1 1 0 0 2 2 1 1", "2x3x3x3 3x2x1x1@2 2 0 0 1 1 1 1",
    "*2x8x5x5 8x8x2x2 8@2 2 0 0 1 1 1", "1x8x8x8 8x8x3x3 8@1 1 1 1 1 1 1", "2x16x4x4 16x8x4x4 8@2 2 1 1 1 1 1",
    "*2x16x5x6 16x1x3x3 16@2 2 1 1 1 1 16 1", "*3x8x4x5 8x1x4x4@2 2 1 1 1 1 8", "*1x24x4x6 24x1x5x7 24@1 2 2 3 1 1 24",
    "*2x8x5x4 8x1x3x2 8@2 2 0 0 2 1 8", "*2x8x6x5 8x1x7x6 8@1 1 3 2 1 1 8", "*2x8x3x4 8x1x5x3@2 1 2 1 1 1 8",
    "*2x8x3x3 8x1x5x5 8@2 2 2 2 1 1 8 1", "3x5x4x4 5x9x3x3 9@3 3 0 0 1 1 1 1", "2x12x4x4 12x2x3x3 8@2 2 1 1 1 1 4 1",
    "1x17x5x6 17x3x3x3 3@1 1 1 1 2 2 1", "4x16x17 16x16x5 16@1 2 0 2 1 1 1 1", "2x4x1x9 4x5x1x3 5@1 2 0 1 1 1 1",
    "2x64x7x7 64x32x2x2 32@2 2 0 0 1 1 1", "3x64x5x5 64x64x3x3 64@2 2 1 1 1 1 1 1",
        "2x100x1x1 100x64x4x4@1 1 0 0 1 1 1",
    "*1x33x9x8 33x65x4x4 65@2 2 1 1 1 1 1", "2x128x6x6 128x64x1x1 64@1 1 0 0 1 1 1", "2x64x9x9 64x2x3x3@1 1 1 1 1 1 32",
    "2x3x4x5 3x4x1x1 4@1 1 0 0 2 2 1 1", "2x3x3x4 3x4x3x3 4@4 6 1 1 2 3 1",
    "1x3x4x3 3x2x4x5 2@3 2 2 1 2 3 1", NULL };
OP_ROW(conv_transpose_with, "Xww", conv_transpose_cases, PRODUCT | NO_SPECIAL, gtr_conv_transpose2d_with(x[0], x[1],
    c->n > 2 ? x[2] : NULL, conv_desc(c, 0, 0, 0)))
static const char *const conv_layer_cases[] = { "1x2x4x4@1 1 1 1 1 1 1", "3x2x3x4@2 1 1 0 1 1 2", "2x3x6@1 2 0 1 1 1 1",
    "!2x1x3x3@1 1 2 1 2 1 1", "1x4x3x3@1 1 1 1 1 1 4", NULL };
/* Layers: 4 channels a group out, kernels of 3 by 2, or of 3. */
OP_ROW(conv, "Xww", conv_layer_cases, GRAPH, gtr_conv2d_ex(x[0], "layer", conv_desc(c, 4 * c->p[6], 3,
    c->in[0].ndim > 3 ? 2 : 3)))
static const char *const conv_transpose_layer_cases[] = { "1x2x3x3@2 2 1 1 1 1 1 1", "3x2x2x3@2 1 1 0 1 1 2",
    "2x3x4@1 2 0 1 1 1 1", "!2x1x3x3@1 1 0 1 2 1 1", "1x4x2x2@1 1 1 0 1 1 4", NULL };
OP_ROW(conv_transpose, "Xww", conv_transpose_layer_cases, GRAPH, gtr_conv_transpose2d_ex(x[0], "layer", conv_desc(c,
    4 * c->p[6], c->in[0].ndim > 3 ? 3 : 2, 2)))
static const char *const max_pool_cases[] = { "1x2x4x4@2 2 2 2 0 0 1 0", "*2x24x7x9@3 3 2 2 1 1 1 0",
    "*1x16x9x8@3 3 1 1 1 1 1 0", "*2x3x5x4@3 2 2 1 1 0 1 1", "3x2x7@1 3 1 2 0 1 1 0",
    "2x1x6x6@3 3 1 1 1 1 1 0", "1x3x5x5@2 2 1 2 0 0 2 0", "*!2x2x5x6@3 3 3 3 1 1 1 1", "2x2x4x4@1 1 2 2 0 0 1 0",
    "1x1x3x3@3 3 1 1 1 1 1 0", "5x3x9@1 4 1 4 0 2 2 1", "2x5x4x7@4 2 3 2 2 1 1 3", "*2x16x8x8@2 2 2 2 0 0 1 0",
    "3x17x9x7@3 3 2 2 1 1 1 0", "2x33x6x5@2 3 2 3 0 0 1 1", "2x64x14x14@2 2 2 2 0 0 1 0", "1x300x4x4@2 2 1 1 1 1 1 0",
    "*1x65x13x11@3 3 2 2 1 1 1 0", "4x3x28x28@2 2 2 2 0 0 1 0", "2x128x7x7@3 3 1 1 1 1 1 0", "3x8x100@1 3 1 2 0 1 1 0",
    "2x7x31x17@5 5 2 3 2 2 1 1", "2x4x16x16@4 4 4 4 0 0 1 0", "2x64x33x31@3 3 2 2 1 1 1 0", "1x1x64x64@2 2 2 2 0 0 1 0",
    "2x9x12x12@3 2 2 2 0 1 3 0", "2x8x35x21@3 3 2 2 0 0 1 1", "2x40x18x17@2 2 1 1 0 0 1 0",
    "*1x72x13x9@5 5 1 1 2 2 1 0", "*3x16x40@1 5 1 2 0 2 1 1", "1x32x19x34@7 4 3 1 3 0 1 0", NULL };
/* Of pooling: kernel, stride, padding (height, width each), dilation (of the largest), 1: round_up + 2:
   exclude_padding. */
static gtr_pool_desc pool_desc(const op_case *c, bool largest)
{
    gtr_pool_desc d;
    memset(&d, 0, sizeof d);
    d.kernel = c->p[0]; d.kernel_w = c->p[1];
    d.stride = c->p[2]; d.stride_w = c->p[3];
    d.padding = c->p[4]; d.padding_w = c->p[5] ? c->p[5] : -1;
    d.dilation = largest ? c->p[6] : 0;
    d.round_up = (c->p[7] & 1) != 0; d.exclude_padding = !largest && (c->p[7] & 2);
    return d;
}
OP_ROW(max_pool, "U", max_pool_cases, 0, gtr_max_pool2d_ex(x[0], pool_desc(c, true)))
/* Pixels from *b to *e - 1 under place k of a pool along a side, and what it divides by. */
static int64_t plain_span(const op_call *o, bool across, int64_t k, int64_t *b, int64_t *e)
{
    const gtr__window_attr *a = &o->attr.window;
    const int64_t size = side_of(&o->in_shape[0], across), n = side_of(&o->out_shape[0], across),
        pad = a->padding[across], at = k * a->stride[across] - pad;
    int64_t end = at + a->extent[across];
    if (o->id == GTR__OP_AVG_POOL && a->adaptive) {
        *b = (int64_t)floor((double)(k * size) / (double)n); *e = (int64_t)ceil((double)((k + 1) * size) / (double)n);
        return *e - *b;
    }
    if (end > size + pad) end = size + pad;
    *b = at > 0 ? at : 0; *e = end < size ? end : size;
    return a->inside ? *e - *b : end - at;
}
static void plain_pool(const op_call *o, const double *x, double *y)
{
    const gtr_shape *s = &o->in_shape[0], *to = &o->out_shape[0];
    const gtr__window_attr *a = &o->attr.window;
    const int64_t channels = to->dim[to->ndim - 1], h = side_of(s, false), w = side_of(s, true);
    int64_t i, ky, kx, y0, y1, x0, x1, all = gtr__count(to);
    for (i = 0; i < all; i++) {
        const int64_t c = i % channels, place = i / channels, ox = place % side_of(to, true),
            oy = place / side_of(to, true) % side_of(to, false), n = place / side_of(to, true) / side_of(to, false);
        double v = 0, parts;
        if (o->id == GTR__OP_MAX_POOL) {
            for (v = -INFINITY, ky = 0; ky < a->extent[0]; ky++) for (kx = 0; kx < a->extent[1]; kx++) {
                const int64_t iy = oy * a->stride[0] - a->padding[0] + ky * a->dilation[0],
                    ix = ox * a->stride[1] - a->padding[1] + kx * a->dilation[1];
                if (iy < 0 || ix < 0 || iy >= h || ix >= w) continue;
                if (!(x[pixel_of(s, n, iy, ix) + c] <= v) && v == v) v = x[pixel_of(s, n, iy, ix) + c];
            }
        } else if (o->id == GTR__OP_AVG_POOL) {
            parts = (double)plain_span(o, false, oy, &y0, &y1);
            parts *= (double)plain_span(o, true, ox, &x0, &x1);
            for (ky = y0; ky < y1; ky++) for (kx = x0; kx < x1; kx++) v += x[pixel_of(s, n, ky, kx) + c] / parts;
        } else if (!a->linear) v = x[pixel_of(s, n, oy * h / side_of(to, false), ox * w / side_of(to, true)) + c];
        else {
            double fy = ((double)oy + 0.5) * (double)h / (double)side_of(to, false) - 0.5,
                fx = ((double)ox + 0.5) * (double)w / (double)side_of(to, true) - 0.5;
            if (fy < 0) fy = 0;
            if (fx < 0) fx = 0;
            for (y0 = (int64_t)fy, x0 = (int64_t)fx, ky = 0; ky < 2; ky++) for (kx = 0; kx < 2; kx++)
                v += (ky ? fy - (double)y0 : 1 - fy + (double)y0) * (kx ? fx - (double)x0 : 1 - fx + (double)x0)
                    * x[pixel_of(s, n, y0 + ky < h ? y0 + ky : h - 1, x0 + kx < w ? x0 + kx : w - 1) + c];
        }
        y[i] = v;
    }
}
PLAIN(MAX_POOL) { plain_pool(o, in[0], y); }
OP_ROW(avg_pool, "X", max_pool_cases, NO_SPECIAL, gtr_avg_pool2d_ex(x[0], pool_desc(c, false)))
PLAIN(AVG_POOL) { plain_pool(o, in[0], y); }
static const char *const adaptive_cases[] = { "1x2x4x4@2 2", "*2x3x5x4@3 3", "3x2x7@1 4", "2x1x6x6@1 1", "1x3x5x5@7 6",
    "*!2x2x5x6@5 6", "2x16x8x8@4 4", "3x17x9x7@2 5", "2x33x6x5@1 1", "2x64x14x14@7 7", "*1x300x4x4@3 3",
        "4x3x28x28@5 5",
    "2x128x7x7@1 1", "3x8x100@1 7", "2x7x31x17@3 8", "2x4x16x16@32 32", "2x64x33x31@7 7", "1x1x64x64@8 8",
    "2x9x12x12@12 12", "5x40x3x3@6 6", "2x256x8x8@1 2", NULL };
OP_ROW_AS(adaptive, "adaptive_avg_pool", "X", adaptive_cases, NO_SPECIAL, gtr_adaptive_avg_pool2d(x[0], c->p[0],
    c->p[1]))
static const char *const global_cases[] = { "1x2x4x4", "2x3x5x4", "3x2x7", "!2x1x6x6", "1x3x2x2x2", NULL };
OP_ROW_AS(global_pool, "global_avg_pool", "X", global_cases, GRAPH, gtr_global_avg_pool(x[0]))
static const char *const upsample_cases[] = { "1x2x4x4@2 0", "*2x3x5x4@3 1", "3x2x7@4 1", "2x1x3x3@2 1", "1x3x5x5@1 1",
    "*!2x2x3x6@3 0", "3x3x1x2@4 1", "2x2x6@2 0", "2x16x8x8@2 0", "3x17x9x7@2 1", "*2x33x6x5@5 1", "2x64x14x14@2 1",
    "1x300x4x4@2 0", "4x3x28x28@2 1", "2x128x7x7@2 0", "3x8x100@3 1", "2x7x31x17@2 1", "2x4x16x16@4 0",
    "2x64x17x15@2 1", "1x1x64x64@2 1", "2x9x12x12@7 1", "5x40x3x3@6 0", NULL };
OP_ROW(upsample, "X", upsample_cases, NO_SPECIAL, gtr_upsample2d(x[0], c->p[0], c->p[1] != 0))
PLAIN(UPSAMPLE) { plain_pool(o, in[0], y); }
static const char *const shuffle_cases[] = { "1x4x2x3@2", "2x9x1x2@3", "3x8x2x2@2", "!2x4x3x1@2", "1x3x2x2@1", NULL };
OP_ROW(pixel_shuffle, "X", shuffle_cases, GRAPH, gtr_pixel_shuffle(x[0], c->p[0]))
static const char *const images_cases[] = { "1x2x4x4 2x2x3x3 2@1 1 1 1 1 1 1", "2x2x4x2 2x1x3x1 2@1 1 1 0 1 1 2",
    "3x2x2x2 2x2x1x1 2@1 1 0 0 1 1 1", "2x2x2x4 2x2x5x3 2@1 1 2 1 1 1 1", "2x2x2x6 2x2x3x3 2@1 1 2 2 2 2 1", NULL };
/* What the layout with channels last goes through: two convolutions of one weight, norm, pools, a skip by concat, what
   is broadcast, a sum by channel, an image as it was given. */
static gtr_tensor *build_images(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    int sides[2] = { 2, 3 };
    gtr_tensor *h = gtr_conv2d_with(x[0], x[1], x[2], conv_desc(c, 0, 0, 0)), *part[2];
    (void)ctx;
    h = gtr_tanh(gtr_batch_norm(gtr_conv2d_with(h, x[1], NULL, conv_desc(c, 0, 0, 0)), "bn"));
    part[0] = gtr_upsample2d(gtr_avg_pool2d(h, 2, 2, 0), 2, true);
    part[1] = gtr_mul(h, gtr_sigmoid(gtr_mean(h, sides, 2, true)));
    h = gtr_slice(gtr_concat(part, 2, 1), 1, 1, 3);
    h = gtr_add(h, gtr_mul(x[0], gtr_reshape(x[2], gtr_shape3(2, 1, 1))));
    return gtr_softmax(gtr_flatten(gtr_conv_transpose2d(h, "up", 3, 2, 1, 0)), 1);
}
OP_ROW_BY("images", "Xww", images_cases, GRAPH, build_images)

// >>row-norms
static const char *const row_norm_cases[] = { "2x3 3 3", "*13x5 5 5", "33x2 2 2@50", "2x3x4 3x4 3x4", "5x2x3 3",
    "3x7 7", "!7 7 7", "4x5 5 5", "*3x8 8 8", "*16x16 16 16", "31x33 33 33", "33x31 31", "64x128 128 128",
    "*65x64 64 64", "9x127 127 127", "9x129 129", "7x1000 1000 1000", "5x1024 1024 1024", "5x1023 1023 1023",
    "3x1025 1025", "3x4096 4096 4096", "2x8191 8191 8191", "2x8196 8196 8196", "1000x10 10 10", "4099x4 4 4",
    "!300x257 257 257", "8x3x5x7 5x7 5x7", "1x16385 16385 16385", "!100003 100003 100003", "2x100000 100000",
    "16385x3 3 3", "700x256 256 256", "512x768 768 768", "3x8192 8192 8192", "3x4095 4095 4095",
    "2049x64 64 64", "*70x100 100 100", "1400x200 200 200", "1000x300 300", "700x400 400 400", "*90x200 200 200",
    "*60x300 300", "*45x400 400 400", NULL };
/* Where there are parameters: [eps in percent]. */
OP_ROW(layer_norm_with, "Xpx", row_norm_cases, CANCELS | FIRST_LOW | NO_SPECIAL, gtr_layer_norm_with(x[0], x[1],
    c->n > 2 ? x[2] : NULL, c->n_p ? (float)c->p[0] / 100 : 0))
static void plain_row_norm(const op_call *o, double *const *in, double *y)
{
    const int64_t n = gtr__count(&o->in_shape[1]), rows = gtr__count(&o->in_shape[0]) / n;
    int64_t i, j;
    for (i = 0; i < rows; i++) {
        const double *x = in[0] + i * n;
        double mean = 0, var = 0;
        for (j = 0; j < n && o->id == GTR__OP_LAYER_NORM; j++) mean += x[j] / (double)n;
        for (j = 0; j < n; j++) var += (x[j] - mean) * (x[j] - mean) / (double)n;
        for (j = 0; j < n; j++)
            y[i * n + j] = (x[j] - mean) / sqrt(var + o->attr.norm.eps) * in[1][j] + (o->n_in > 2 ? in[2][j] : 0);
    }
}
PLAIN(LAYER_NORM) { plain_row_norm(o, in, y); }
static const char *const rms_norm_cases[] = { "2x3 3", "*13x5 5", "33x2 2@50", "2x3x4 3x4", "5x1 1@25", "3x7 7",
    "!7 7", "4x5 5", "*16x16 16", "31x33 33", "33x31 31", "64x128 128", "*65x64 64", "9x127 127", "9x129 129",
    "7x1000 1000", "5x1024 1024", "3x1025 1025", "3x4096 4096", "2x8191 8191", "2x8196 8196", "1000x10 10",
    "4099x4 4", "!300x257 257", "8x3x5x7 5x7", "!100003 100003", "2x100000 100000", "16385x3 3", "512x768 768",
    "1000x300 300", "*60x300 300", NULL };
OP_ROW(rms_norm_with, "Xp", rms_norm_cases, CANCELS | FIRST_LOW | NO_SPECIAL, gtr_rms_norm_with(x[0], x[1],
    c->n_p ? (float)c->p[0] / 100 : 0))
PLAIN(RMS_NORM) { plain_row_norm(o, in, y); }
static const char *const row_norm_layer_cases[] = { "2x3@1 0", "*13x5@1 50", "33x2x2@2 0", "3x4@0 0", "5x3x2@1 0",
    NULL };
OP_ROW(layer_norm, "Xpx", row_norm_layer_cases, GRAPH, gtr_layer_norm(x[0], "layer", c->p[0], (float)c->p[1] / 100))
OP_ROW(rms_norm, "Xp", row_norm_layer_cases, GRAPH, gtr_rms_norm(x[0], "layer", c->p[0], (float)c->p[1] / 100))

// >>layers
static const char *const prelu_cases[] = { "1x7 7", "13x3 1", "33x2 2", "2x3x4 3", "!5 1", NULL };
OP_ROW(prelu_with, "Nw", prelu_cases, GRAPH | MASKS, gtr_prelu_with(x[0], x[1]))
static const char *const prelu_layer_cases[] = { "1x7@1", "13x3@0", "33x2@1", "2x3x4@1", "5@0", NULL };
OP_ROW(prelu, "Nw", prelu_layer_cases, GRAPH | MASKS, gtr_prelu(x[0], "layer", c->p[0] != 0))
static const char *const bilinear_cases[] = { "1x3 1x5 2x3x5 2", "13x3 13x2 4x3x2 4", "33x2 33x1 1x2x1",
    "2x3x2 2x3x3 5x2x3 5", "!3 2 4x3x2 4", NULL };
OP_ROW(bilinear_with, "XXww", bilinear_cases, GRAPH, gtr_bilinear_with(x[0], x[1], x[2], c->n > 3 ? x[3] : NULL))
static const char *const bilinear_layer_cases[] = { "1x3 1x5@2", "13x3 13x2@4", "33x1 33x2@1",
    "2x3x2 2x3x3@5", "5x4 5x1@3", NULL };
OP_ROW(bilinear, "XXww", bilinear_layer_cases, GRAPH, gtr_bilinear(x[0], x[1], "layer", c->p[0]))

// >>sequences
static const char *const cell_cases[] = { "*2x3 2x4 2x4@4 4", "1x3 1x4@4 1", "13x3 13x2@2 3", "5x2@3 4", "3x7@1 3",
    "2x3x2 2x3x5 2x3x5@5 4", "33x1 33x17@17 1", "9x2@1 1", NULL };
/* Two steps of the cell of that name, by its states. */
static gtr_tensor *build_cell(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    gtr_tensor *h = c->n > 1 ? x[1] : NULL, *state = c->n > 2 ? x[2] : NULL, *both[2];
    (void)ctx;
    for (int k = 0; k < 2; k++)
        h = c->p[1] == 4 ? gtr_lstm_cell(x[0], h, &state, "cell", c->p[0])
            : (c->p[1] == 3 ? gtr_gru_cell : gtr_rnn_cell)(x[0], h, "cell", c->p[0]);
    both[0] = h; both[1] = state;
    return c->p[1] == 4 ? gtr_concat(both, 2, -1) : h;
}
OP_ROW_BY("cell", "XXX", cell_cases, GRAPH, build_cell)
/* x, w, bias, first h, first c @ gates, way, which: see build_recurrence */
static const char *const recurrence_cases[] = { "*!2x3x12 12x3 12 2x3 2x3@4 0 15", "*!3x4x6 6x2 6 3x2@3 1 11",
    "*!2x3x5 5x5 5@1 0 1", "!4x2x3 3x3 2x3@0 3 10", "!1x1x4 4x1@4 0 0", "!1x1x3 3x1 1x1@3 0 2", "!1x2x1 1x1@1 1 0",
    "!5x3x28 28x7 5x7@4 1 12", "!2x13x9 9x3 9 13x3@3 2 3", "!7x3x20 20x5 20 3x5 3x5@4 3 7", "!33x4x6 6x2 6@3 0 9",
    "!3x5x68 68x17 68 3x17 3x17@4 0 7", "!6x9x51 51x17 51 9x17@3 3 11", "!17x3x33 33x33 33@1 1 9",
    "!4x3x31 31x31 31 4x31@0 0 3", "!9x4x128 128x32 128 9x32 9x32@4 1 15", "!2x7x96 96x32 2x32@3 0 2",
    "!16x5x256 256x64 256@4 0 1", "!8x3x192 192x64 192 8x64@3 1 11", "!64x2x64 64x64 64@1 0 9",
    "!5x3x400 400x100 400 5x100 5x100@4 0 7", "!3x4x300 300x100 300@3 2 1", "!40x6x52 52x13 52 40x13 40x13@4 0 15",
    "!24x2x512 512x128 24x128@4 1 4", "!3x2x1032 1032x258 1032@4 0 1", "!2x2x771 771x257 771 2x257@3 0 11",
    "!200x3x48 48x16 48@3 0 1", NULL };
/* A recurrence's own op: of x, w and, as p[2] says by bits, bias, first h, first c and lengths 0, 1, ... and so again.
   p[0]: gates, 0: 1 with relu; p[1]: bits: reverse, time first. */
static gtr_tensor *build_recurrence(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    gtr_tensor *in[6] = { x[0], x[1] };
    gtr__attr at;
    gtr__recurrence_attr *a = &at.recurrence;
    gtr_float lengths[64];
    int n = 2;
    memset(&at, 0, sizeof at);
    a->gates = GTR__MAX(c->p[0], 1); a->relu = !c->p[0]; a->reverse = c->p[1] & 1; a->time_first = c->p[1] >> 1 & 1;
    int32_t *const place[] = { &a->bias, &a->h, &a->c };
    const int64_t *d = c->in[0].dim, rows = d[a->time_first], steps = d[1 - a->time_first];
    for (int k = 0; k < 3; k++) if (c->p[2] >> k & 1) { in[n] = x[n]; *place[k] = n++; }
    for (int k = 0; k < rows && k < 64; k++) lengths[k] = (gtr_float)(k % (steps + 1));
    if (c->p[2] & 8) { in[n] = gtr_constant(ctx, GTR_F32, gtr_shape1(rows), lengths); a->lengths = n++; }
    return gtr__op_new(GTR__OP_RECURRENCE, n, in, &at, NULL);
}
OP_ROW_BY("recurrence", "xsx", recurrence_cases, STEPS | PRODUCT | CANCELS | NO_SPECIAL | NOT_FUZZED, build_recurrence)
/* Of all outputs that have a gradient, or of output 0; by: of the first so many of them. */
static int64_t outputs_count(const op_call *o, int by)
{
    int64_t n = 0;
    int k;
    for (k = 0; k < by; k++) n += gtr__count(&o->out_shape[k]);
    return n;
}
/* Outputs in a row: each step's h; the last h; gates; the last c; each step's c. */
static void plain_recurrence(const op_call *o, double *const *in, double *y)
{
    const gtr__recurrence_attr *a = &o->attr.recurrence;
    const int64_t *x = o->in_shape[0].dim, n = x[a->time_first], steps = x[1 - a->time_first], wide = x[2],
        hidden = o->in_shape[1].dim[1];
    double *out[5], *h = (double *)room(4 * hidden, sizeof *h), *c = h + hidden, *next = c + hidden,
        *cell = next + hidden, *z = (double *)room(wide, sizeof *z);
    for (int k = 0; k < 5; k++) out[k] = k < o->n_out ? y + outputs_count(o, k) : NULL;
    for (int64_t row = 0; row < n; row++) {
        const int64_t length = a->lengths ? (int64_t)in[a->lengths][row] : steps;
        for (int64_t j = 0; j < hidden; j++) {
            h[j] = a->h ? in[a->h][row * hidden + j] : 0;
            c[j] = a->c ? in[a->c][row * hidden + j] : 0;
        }
        for (int64_t s = 0; s < steps; s++) {
            const int64_t t = a->reverse ? steps - 1 - s : s, at = a->time_first ? t * n + row : row * steps + t;
            const double *v = in[0] + at * wide;
            for (int64_t j = 0; j < hidden; j++) {
                out[0][at * hidden + j] = 0;
                if (out[4]) out[4][at * hidden + j] = 0;
            }
            for (int64_t j = 0; j < 4 * hidden && out[2]; j++) out[2][at * 4 * hidden + j] = 0;
            if (t >= length) continue;
            for (int64_t j = 0; j < wide; j++) {
                z[j] = a->bias ? in[a->bias][j] : 0;
                for (int64_t q = 0; q < hidden; q++) z[j] += in[1][j * hidden + q] * h[q];
            }
            for (int64_t j = 0; j < hidden; j++) {
                double g[4] = { 0 };
                for (int k = 0; k < a->gates; k++) {
                    g[k] = z[k * hidden + j] + (a->gates == 3 && k == 2 ? 0 : v[k * hidden + j]);
                    if (a->gates > 1 && k != 2) g[k] = 1 / (1 + exp(-g[k]));
                }
                cell[j] = c[j];
                if (a->gates == 1) next[j] = a->relu ? g[0] > 0 ? g[0] : 0 : tanh(g[0]);
                else if (a->gates == 3) {
                    g[3] = g[2];
                    g[2] = tanh(v[2 * hidden + j] + g[0] * g[3]);
                    next[j] = (1 - g[1]) * g[2] + g[1] * h[j];
                } else {
                    g[2] = tanh(g[2]);
                    cell[j] = g[1] * c[j] + g[0] * g[2];
                    next[j] = g[3] * tanh(cell[j]);
                }
                for (int k = 0; k < 4 && out[2]; k++) out[2][at * 4 * hidden + k * hidden + j] = g[k];
            }
            for (int64_t j = 0; j < hidden; j++) {
                out[0][at * hidden + j] = h[j] = next[j];
                c[j] = cell[j];
                if (out[4]) out[4][at * hidden + j] = c[j];
            }
        }
        for (int64_t j = 0; j < hidden; j++) {
            out[1][row * hidden + j] = h[j];
            if (out[3]) out[3][row * hidden + j] = c[j];
        }
    }
    free(h); free(z);
}
PLAIN(RECURRENCE) { plain_recurrence(o, in, y); }
static const char *const recurrent_cases[] = { "*2x3x2 2 1x2@2 4 1 0", "3x3x2 3@3 3 1 0", "!4x2x2 4x2 4x2@2 1 1 1",
    "2x4x1@2 0 1 2", "5x2x2@1 4 1 1", "2x3x2@2 4 2 1", "3x2x3@2 3 2 3", "2x1x3 2 1x2 2@2 1 3 0", "13x2x1@1 3 1 0",
    "!3x3x1 3x1 1x1 3x1 1@1 4 2 0", "2x5x2@3 1 1 2", "!2x3x1 2x2 2x2 2x2 2x2@2 4 1 5", NULL };
/* Layers by name, of hidden p[0], p[1] gates (0: 1 with relu), p[2] layers; p[3]: bits: bidirectional, no biases, time
   first, lengths 0, 1, ... and so again. Behind x first states, of h and, of an LSTM, c. */
static gtr_tensor *build_recurrent(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    const int states = c->p[2] * (1 + (c->p[3] & 1)), lstm = c->p[1] == 4, turned[3] = { 1, 0, 2 };
    const int64_t *d = c->in[0].dim;
    gtr_tensor *last[16] = { NULL }, *t = c->p[3] & 4 ? gtr_permute(x[0], turned) : x[0];
    gtr_recurrent_desc of;
    int32_t lengths[64];
    memset(&of, 0, sizeof of);
    of.layers = c->p[2]; of.bidirectional = c->p[3] & 1; of.no_bias = (c->p[3] & 2) != 0;
    of.time_first = (c->p[3] & 4) != 0; of.relu = !c->p[1];
    if (c->n > 1) { of.h = x + 1; of.c = lstm ? x + 1 + states : NULL; }
    of.h_last = last + 1; of.c_last = lstm ? last + 1 + states : NULL;
    for (int k = 0; k < d[0] && k < 64; k++) lengths[k] = (int32_t)(k % (d[1] + 1));
    if (c->p[3] & 8) of.lengths = gtr_constant(ctx, GTR_I32, gtr_shape1(d[0]), lengths);
    t = (lstm ? gtr_lstm : c->p[1] == 3 ? gtr_gru : gtr_rnn)(t, "layers", c->p[0], of);
    last[0] = gtr_flatten(of.time_first ? gtr_permute(t, turned) : t);
    return gtr_concat(last, 1 + states * (1 + lstm), 1);
}
OP_ROW_BY("recurrent", "X", recurrent_cases, GRAPH, build_recurrent)
static const char *const recurrent_rows_cases[] = { "*!3x3x2 3x2 3x2@2 4 1 8", "!4x3x2 4x2@2 3 1 8",
    "!3x2x2 3x2 3x2@2 1 1 13", "!5x4x1@1 0 1 8", "!4x2x2 4x2@2 3 1 12", "!4x3x1 4x1 4x1 4x1 4x1@1 4 1 9",
    "!3x2x2@2 3 2 15", "!2x5x2@2 4 2 14", NULL };
OP_ROW_BY("recurrent, rows", "X", recurrent_rows_cases, GRAPH | MASKS, build_recurrent)
static const char *const position_cases[] = { "*2x3x4@0", "1x7x2@100", "3x1x6@0", "2x5x8@3", "1x1x2@0", NULL };
OP_ROW(positions, "X", position_cases, GRAPH, gtr_add_positions(x[0], (float)c->p[0]))
static const char *const rope_cases[] = { "*2x3x2x4@0 0", "1x7x1x2@100 3", "3x1x2x6@0 9", "2x5x3x2@3 0", "1x2x1x8@0 1",
    NULL };
OP_ROW(rope, "X", rope_cases, GRAPH, gtr_rope(x[0], (float)c->p[0], c->p[1]))
static const char *const attention_cases[] = { "*2x3x1x4 2x5x1x4 2x5x1x2 3x5@0 0", "1x1x1x1 1x2x1x1 1x2x1x1@0 0",
    "1x4x4x2 1x4x2x2 1x4x2x2@1 1", "1x7x3x2 1x3x1x2 1x3x1x7 3@1 0", "3x2x2x2 3x2x1x2 3x2x1x3 2x1x2@0 3",
    "1x3x2x3 1x4x2x3 1x4x2x1 1x1@1 0", "2x33x2x8 2x33x2x8 2x33x2x8@1 0", NULL };
static gtr_attention_desc attending(const op_case *c)
{
    gtr_attention_desc d;
    memset(&d, 0, sizeof d);
    d.causal = c->p[0] != 0; d.scale = (float)c->p[1] / 8;
    return d;
}
static gtr_tensor *build_attention(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    gtr_attention_desc d = attending(c);
    (void)ctx;
    if (c->n > 3) d.mask = x[3];
    return gtr_attention(x[0], x[1], x[2], d);
}
OP_ROW_BY("attention", "XXXw", attention_cases, GRAPH, build_attention)
/* q, k, v, mask @ causal, scale, lengths; or all in one, mask */
static const char *const attention_op_cases[] = { "*!2x3x4x5 2x6x2x5 2x6x2x3 3x6@0 0 0", "*!2x5x3x2x4 5x5@1 8 0",
    "!2x4x2x3 2x3x1x3 2x3x1x2@0 3 0", "!1x5x3x1x2 5x1@1 0 0", "!3x3x1x4 3x4x1x4 3x4x1x2 3x4@0 0 1", "!4x3x3x1x2@0 0 1",
    "*!4x5x2x3 4x4x1x3 4x4x1x7@0 3 1", "!1x1x1x1 1x1x1x1 1x1x1x1@0 0 0", "!3x7x2x8 3x9x2x8 3x9x2x8 1x1x9@1 0 1",
    "!2x70x2x16 2x70x2x16 2x70x2x16@1 0 0", "!1x65x1x64 1x131x1x64 1x131x1x64 131@0 0 0", "!2x66x3x2x32@1 0 1",
    "!1x130x3x1x128@1 0 0", "!1x33x2x100 1x70x1x100 1x70x1x128@0 0 0", "!1x200x1x24 1x97x1x24 1x97x1x40 200x1@0 0 1",
    "!3x64x3x4x16@1 0 0", "!2x49x3x2x8 2x1x49x49@0 0 0", "!1x17x4x6 1x20x2x6 1x20x2x10 1x4x1x20@0 0 0",
    "!2x300x3x1x4@1 0 1", "!5x3x3x1x9@0 0 1", "*1x3x1x4 1x2x1x4 1x2x1x4@1 0 0", "!1x70x3x1x24 70x70@1 0 0",
    "!1x5x6x8 1x9x3x8 1x9x3x12 6x1x1@0 2 0", "!6x2x3x2x2 6x1x1x2@0 0 1", "!2x40x2x17 2x33x1x17 2x33x1x33@0 0 1", NULL };
/* Its own op: of q, k, v or all in one, and behind these perhaps a mask; p[2]: rows have 0, 1, ... keys. */
static gtr_tensor *build_attention_op(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    const gtr_attention_desc d = attending(c);
    const int packed = c->in[0].ndim > 4, own = packed ? 1 : 3;
    const int64_t *q = c->in[0].dim, keys = c->in[packed ? 0 : 1].dim[1];
    gtr_tensor *in[5];
    gtr__attr at;
    gtr_float lengths[64];
    int n = c->n;
    memset(&at, 0, sizeof at);
    memcpy(in, x, (size_t)n * sizeof *in);
    at.attention.causal = d.causal; at.attention.packed = packed;
    at.attention.scale = d.scale > 0 ? (double)d.scale : 1 / sqrt((double)q[packed ? 4 : 3]);
    at.attention.mask = n > own ? own : 0;
    for (int k = 0; k < 64; k++) lengths[k] = (gtr_float)(k % (keys + 1));
    if (c->p[2]) { in[n] = gtr_constant(ctx, GTR_F32, gtr_shape1(q[0]), lengths); at.attention.lengths = n++; }
    return gtr__op_new(packed ? GTR__OP_ATTENTION_PACKED : GTR__OP_ATTENTION, n, in, &at, NULL);
}
OP_ROW_BY("attention, op", "XXXw", attention_op_cases, PRODUCT | CANCELS | NO_SPECIAL | NOT_FUZZED, build_attention_op)
static void plain_attention(const op_call *o, double *const *in, double *y)
{
    const gtr__attention_attr *a = &o->attr.attention;
    const bool one = a->packed != 0;
    const int64_t *q = o->in_shape[0].dim, *k = o->in_shape[one ? 0 : 1].dim, *v = o->in_shape[one ? 0 : 2].dim;
    const int64_t steps = q[1], keys = k[1], heads = q[one ? 3 : 2], groups = one ? heads : k[2],
        depth = q[one ? 4 : 3], wide = v[one ? 4 : 3], to = one ? 3 : 1;
    double *p = (double *)room(keys, sizeof *p);
    gtr_shape scores = gtr_shape4(q[0], heads, steps, keys);
    for (int64_t i = 0; i < q[0] * heads * steps; i++) {
        const int64_t n = i / steps / heads, h = i / steps % heads, t = i % steps, g = h / (heads / groups);
        const double *qt = in[0] + ((n * steps + t) * to * heads + h) * depth;
        double *yt = y + ((n * steps + t) * heads + h) * wide, most = -INFINITY, sum = 0;
        int64_t count = a->lengths ? (int64_t)in[a->lengths][n] : keys;
        if (a->causal && count > t + 1) count = t + 1;
        for (int64_t s = 0; s < count; s++) {
            const double *ks = one ? in[0] + ((n * keys + s) * 3 * heads + heads + g) * depth
                : in[1] + ((n * keys + s) * groups + g) * depth;
            p[s] = 0;
            for (int64_t e = 0; e < depth; e++) p[s] += qt[e] * ks[e];
            p[s] *= a->scale;
            if (a->mask) p[s] += in[a->mask][index_within(&scores, i * keys + s, &o->in_shape[a->mask])];
            if (p[s] > most) most = p[s];
        }
        for (int64_t s = 0; s < count; s++) sum += p[s] = exp(p[s] - most);
        for (int64_t e = 0; e < wide; e++) yt[e] = 0;
        for (int64_t s = 0; s < count; s++) {
            const double *vs = one ? in[0] + ((n * keys + s) * 3 * heads + 2 * heads + g) * depth
                : in[2] + ((n * keys + s) * groups + g) * wide;
            for (int64_t e = 0; e < wide; e++) yt[e] += p[s] / sum * vs[e];
        }
    }
    free(p);
}
PLAIN(ATTENTION) { plain_attention(o, in, y); }
PLAIN(ATTENTION_PACKED) { plain_attention(o, in, y); }
static const char *const attention_of_cases[] = { "*!4x2x2x2 4x3x1x2 4x3x1x2@0 0", "!7x1x1x3 7x3x1x3 7x3x1x1@0 8",
    "!5x3x1x2 5x2x1x2 5x2x1x3@1 0", "!3x4x2x1 3x3x2x1 3x3x2x1@1 0", "!2x5x2x2 2x4x1x2 2x4x1x1@0 1", NULL };
/* Rows that have 0, 1, ... keys, and then so again. */
static gtr_tensor *build_attention_of(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    gtr_attention_desc d = attending(c);
    int32_t lengths[16];
    for (int k = 0; k < 16; k++) lengths[k] = (int32_t)(k % (c->in[1].dim[1] + 1));
    d.lengths = gtr_constant(ctx, GTR_I32, gtr_shape1(c->in[0].dim[0]), lengths);
    return gtr_attention(x[0], x[1], x[2], d);
}
OP_ROW_BY("attention, rows", "XXX", attention_of_cases, GRAPH | MASKS, build_attention_of)
static const char *const multihead_cases[] = { "*2x3x4 2x5x4@2", "3x4x6@3", "1x2x1@1", "2x5x8@8", "2x1x6 2x3x6@1",
    NULL };
static gtr_tensor *build_multihead(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    gtr_attention_desc d;
    (void)ctx;
    memset(&d, 0, sizeof d);
    return gtr_multihead_attention(x[0], c->n > 1 ? x[1] : NULL, "heads", c->p[0], d);
}
OP_ROW_BY("multihead", "XX", multihead_cases, GRAPH, build_multihead)

// >>custom
static const char *const residual_cases[] = { "1x7 1x7@0", "13x3 13x3@1", "33x2 33x4@1", "2x1x3x2x4 2x1x3x2x1@1",
    "2x4x6 2x3x6@1", "2x3x7 2x2x4@1", "2x3x5x6 2x4x3x2@1", "1x2x4x4 1x2x2x2@1", "2x2x3x2 2x2x3x2@0",
    "2x2x3x4 2x2x3x2@1", NULL };
OP_ROW(residual, "XX", residual_cases, GRAPH, gtr_residual(x[0], x[1], c->p[0] ? "skip" : NULL))
static const char *const custom_cases[] = { "1x7 1x7", "*13x3 13x3", "33 33", "2x3x4 2x3x4", "5x1 5x1", "1x1 1x1",
    "*64 64", "31x33 31x33", "127 127", "128 128", "129 129", "255 255", "256 256", "257 257", "1021 1021",
    "1024 1024", "1025 1025", "4099 4099", "3x5x7x9 3x5x7x9", "65537 65537", "16385 16385", NULL };
/* y = a b + a */
static gtr_result custom_forward(const gtr_custom_call *k)
{
    const gtr_float *a = (const gtr_float *)k->in[0], *b = (const gtr_float *)k->in[1];
    gtr_float *y = (gtr_float *)k->out;
    int64_t i, n = gtr__count(&k->out_shape);
    for (i = 0; i < n; i++) y[i] = a[i] * b[i] + a[i];
    return GTR_OK;
}
static gtr_result custom_backward(const gtr_custom_call *k)
{
    const gtr_float *a = (const gtr_float *)k->in[0], *b = (const gtr_float *)k->in[1],
        *dy = (const gtr_float *)k->dout;
    gtr_float *da = (gtr_float *)k->din[0], *db = (gtr_float *)k->din[1];
    int64_t i, n = gtr__count(&k->out_shape);
    for (i = 0; i < n; i++) {
        if (da) da[i] = dy[i] * (b[i] + 1);
        if (db) db[i] = dy[i] * a[i];
    }
    return GTR_OK;
}
static gtr_tensor *custom_of(gtr_context *ctx, gtr_tensor *a, gtr_tensor *b, const char *name)
{
    gtr_custom_desc d;
    memset(&d, 0, sizeof d);
    d.name = name; d.n_in = 2; d.in[0] = a; d.in[1] = b; d.forward = custom_forward; d.backward = custom_backward;
    return gtr_custom(ctx, d);
}
OP_ROW(custom, "XX", custom_cases, NO_SPECIAL | NOT_FUZZED, custom_of(ctx, x[0], x[1], "twice"))
/* Outputs of several kinds: y0 = a b; y1, integers, floor(4 a); y2 = (a, 3 b) one behind the other for each element. */
static gtr_result several_shape(int n_in, const gtr_shape *in, gtr_shape *out, void *user)
{
    (void)n_in; (void)user;
    out[0] = out[1] = out[2] = in[0];
    out[2].dim[out[2].ndim++] = 2;
    return GTR_OK;
}
static gtr_result several_forward(const gtr_custom_call *k)
{
    const gtr_float *a = (const gtr_float *)k->in[0], *b = (const gtr_float *)k->in[1];
    gtr_float *y0 = (gtr_float *)k->outs[0], *y2 = (gtr_float *)k->outs[2];
    int64_t i, n = gtr__count(&k->out_shapes[1]);
    if (k->n_out != 3 || k->outs[0] != k->out || k->out_shapes[2].ndim != k->in_shape[0].ndim + 1) return GTR_ERR_USER;
    for (i = 0; i < n; i++) {
        y0[i] = a[i] * b[i];
        ((int32_t *)k->outs[1])[i] = (int32_t)floor(4 * (double)a[i]);
        y2[2 * i] = a[i];
        y2[2 * i + 1] = 3 * b[i];
    }
    return GTR_OK;
}
static gtr_result several_backward(const gtr_custom_call *k)
{
    const gtr_float *a = (const gtr_float *)k->in[0], *b = (const gtr_float *)k->in[1];
    const gtr_float *d0 = (const gtr_float *)k->douts[0], *d2 = (const gtr_float *)k->douts[2];
    gtr_float *da = (gtr_float *)k->din[0], *db = (gtr_float *)k->din[1];
    int64_t i, n = gtr__count(&k->out_shapes[0]);
    if (k->dout != d0 || k->douts[1] || k->outs[0] != k->out || ((const gtr_float *)k->outs[2])[0] != a[0])
        return GTR_ERR_USER;
    for (i = 0; i < n; i++) {
        if (da) da[i] = (d0 ? d0[i] * b[i] : 0) + (d2 ? d2[2 * i] : 0);
        if (db) db[i] = (d0 ? d0[i] * a[i] : 0) + (d2 ? 3 * d2[2 * i + 1] : 0);
    }
    return GTR_OK;
}
static gtr_tensor *several_of(gtr_context *ctx, gtr_tensor *a, gtr_tensor *b, const char *name)
{
    gtr_custom_desc d;
    memset(&d, 0, sizeof d);
    d.name = name; d.n_in = 2; d.in[0] = a; d.in[1] = b; d.n_out = 3; d.out_dtype[1] = GTR_I32;
    d.shape = several_shape; d.forward = several_forward; d.backward = several_backward;
    return gtr_custom(ctx, d);
}
OP_ROW(several, "XX", custom_cases, NO_SPECIAL | NOT_FUZZED, several_of(ctx, x[0], x[1], "several"))
PLAIN(CUSTOM)
{
    if (o->n_out == 1) for (int64_t i = 0; i < n; i++) y[i] = in[0][i] * in[1][i] + in[0][i];
    else for (int64_t i = 0; i < n; i++) {
        y[i] = in[0][i] * in[1][i];
        y[n + i] = floor(4 * in[0][i]);
        y[2 * n + 2 * i] = in[0][i];
        y[2 * n + 2 * i + 1] = 3 * in[1][i];
    }
}
/* Its last output alone; and both that have a gradient, one of which is a constant's where it is a scalar. */
OP_ROW_AS(several_last, "several, last", "XX", custom_cases, GRAPH | NOT_FUZZED,
    gtr_output(several_of(ctx, x[0], x[1], "several"), 2))
static const char *const scalar_cases[] = { "- -", "!1 1", "5 5", "*13x3 13x3", "!2x3 2x3", NULL };
static gtr_tensor *build_several_both(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    gtr_tensor *t = several_of(ctx, x[0], x[1], "several");
    (void)c;
    return gtr_add(gtr_sum(gtr_output(t, 2), NULL, 0, false), t);
}
OP_ROW_BY("several, both", "XX", scalar_cases, GRAPH | NOT_FUZZED, build_several_both)

// >>losses
OP_ROW(cross_entropy, "XL", label_cases, LOSS | CANCELS, gtr_cross_entropy(x[0], x[1]))
static double plain_xent(const op_call *o, const double *x, const int32_t *label)
{
    int64_t n = o->in_shape[0].dim[0], c = o->in_shape[0].dim[1], i, j, counted = 0;
    double sum = 0, s = o->attr.loss.a;
    for (i = 0; i < n; i++) if (label[i] != o->attr.loss.ignore_from) {
        double lse = plain_lse(x + i * c, c), mean = 0;
        for (j = 0; j < c; j++) mean += (lse - x[i * c + j]) / (double)c;
        sum += (s < 1 ? (1 - s) * (lse - x[i * c + label[i]]) : 0) + (s > 0 ? s * mean : 0);
        counted++;
    }
    return sum / (double)counted;
}
PLAIN(CROSS_ENTROPY) { y[0] = plain_xent(o, in[0], (const int32_t *)o->in[1]); }
static const char *const smooth_cases[] = {
    "1x7 1@10 -100", "*13x3 13@30 -100", "33x4 33@10 1", "5x2 5@20 -100", "7x3 7@5 0", "3x31 3@50 -7",
    "11x3 11@100 -100", "1x2 1@10 -100", "*16x10 16@10 0", "31x10 31@10 3", "32x10 32@10 -100",
    "33x10 33@0 5", "64x32 64@10 -1", "65x33 65@10 0", "*127x100 127@10 7", "128x10 128@1 -100", "129x64 129@10 -100",
    "1000x10 1000@10 2", "4099x3 4099@10 1", "*5x1000 5@10 -100", "*3x1025 3@10 -100",
    "2x4099 2@10 -100", "257x257 257@10 -100", NULL };
static gtr_cross_entropy_desc smoothing(int percent, int ignore)
{
    gtr_cross_entropy_desc d;
    memset(&d, 0, sizeof d);
    d.label_smoothing = (float)percent / 100;
    d.ignore_index = ignore;
    d.ignore_zero = ignore == 0;
    return d;
}
OP_ROW(cross_entropy_ex, "XL", smooth_cases, LOSS | CANCELS, gtr_cross_entropy_ex(x[0], x[1], smoothing(c->p[0],
    c->p[1])))
static const char *const pair_cases[] = { "1x7 1x7", "*13x3 13x3", "33x2 33x2", "2x3x4 2x3x4", "5 5", "1x1 1x1", "- -",
    "*31 31", "32 32", "33 33", "64x1 64x1", "65 65", "127 127", "*128x3 128x3", "129 129", "256 256", "257 257",
    "1021 1021", "1024 1024", "1025 1025", "4099 4099", "*64x65 64x65", "16385 16385", "65537 65537",
    "100003 100003", NULL };
OP_ROW(mse, "XX", pair_cases, LOSS, gtr_mse(x[0], x[1]))
PLAIN(MSE)
{
    y[0] = 0;
    for (int64_t i = 0; i < m; i++) y[0] += (in[0][i] - in[1][i]) * (in[0][i] - in[1][i]) / (double)m;
}
OP_ROW(bce_with_logits, "XT", pair_cases, LOSS, gtr_bce_with_logits(x[0], x[1]))
PLAIN(BCE_WITH_LOGITS)
{
    y[0] = 0;
    for (int64_t i = 0; i < m; i++)
        y[0] += ((in[0][i] < 0 ? 0 : in[0][i]) - in[0][i] * in[1][i] + log1p(exp(-fabs(in[0][i])))) / (double)m;
}
static gtr_tensor *build_nll(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    gtr__attr at;
    (void)ctx; (void)c;
    memset(&at, 0, sizeof at);
    at.loss.ignore_from = at.loss.ignore_to = -100;
    return gtr__of_labels(GTR__OP_NLL, x[0], x[1], at, -0.75f, 0.25f);
}
OP_ROW_BY("nll", "XL", label_cases, NOT_FUZZED, build_nll)
PLAIN(NLL)
{
    for (int64_t i = 0; i < n; i++) {
        const int32_t label = ((const int32_t *)o->in[1])[i];
        y[i] = label == o->attr.loss.ignore_from ? 0
            : o->attr.loss.a * in[0][i * o->in_shape[0].dim[1] + label] + o->attr.loss.b;
    }
}
/* x @ labels, blank, which: see build_ctc */
static const char *const ctc_cases[] = { "1x5x3@2 0 0", "*!3x6x4@2 3 3", "2x4x2@1 1 16", "*4x7x5@3 0 19", "5x9x3@3 1 4",
    "6x8x4@3 0 15", "1x1x2@1 0 0", "3x12x2@4 0 0", "2x9x33@4 32 0", "*7x8x31@3 5 17", "2x20x32@9 0 2", "3x67x10@31 0 1",
    "2x33x65@16 64 0", "2x130x7@64 0 6", "1x40x300@7 0 0", "2x5x1025@2 1000 3", "9x31x28@12 27 31", "*2x75x5@33 2 16",
    "33x10x4@4 0 3", "2x300x6@140 0 0", "1x9x4099@4 0 0", "64x25x30@10 0 19", "1x1100x3@530 0 0", "2x2200x4@1050 1 16",
    "*2x6x3@15000 0 36", NULL };
/* ctc's own op, of L = p[0] labels, blank p[1]; p[2]: bits: lengths, label_lengths (every (L + 1)-th row has none, and
   no step), labels that end with -1 instead, every fourth row too short for its labels, terms divided by them, two
   labels alone. */
static gtr_tensor *build_ctc(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    const int64_t *d = c->in[0].dim, rows = d[0], wide = c->p[0];
    const int bits = c->p[2];
    int32_t *labels = (int32_t *)room(rows * wide, 4);
    gtr_float *lengths = (gtr_float *)room(2 * rows, sizeof *lengths), *counts = lengths + rows;
    gtr_tensor *in[4] = { x[0] };
    gtr__attr at;
    int n = 2;
    memset(&at, 0, sizeof at);
    at.ctc.blank = c->p[1]; at.ctc.zero_infinity = bits >> 3 & 1; at.ctc.per_label = bits >> 4 & 1;
    for (int64_t k = 0; k < rows; k++) {
        const int64_t count = bits & 32 ? 2 : bits & 6 ? wide - k % (wide + 1) : wide;
        counts[k] = (gtr_float)count;
        lengths[k] = (gtr_float)(!count ? 0 : bits & 8 && k % 4 == 1 ? count - 1 : d[1] - k % 3);
        for (int64_t i = 0; i < wide; i++)
            labels[k * wide + i] = (int32_t)(i < count ? (k + i * i / 3) % d[2] : bits & 4 ? -1 : i % d[2]);
    }
    in[1] = gtr_constant(ctx, GTR_I32, gtr_shape2(rows, wide), labels);
    if (bits & 1) { in[n] = gtr_constant(ctx, GTR_F32, gtr_shape1(rows), lengths); at.ctc.lengths = n++; }
    if (bits & 2) { in[n] = gtr_constant(ctx, GTR_F32, gtr_shape1(rows), counts); at.ctc.label_lengths = n++; }
    free(labels); free(lengths);
    return gtr__op_new(GTR__OP_CTC, n, in, &at, NULL);
}
OP_ROW_BY("ctc", "x", ctc_cases, CANCELS | NO_SPECIAL | NOT_FUZZED, build_ctc)
/* Of probabilities: those of all ways that end in a state after a step, times what keeps their sum 1. */
static void plain_ctc(const op_call *o, double *const *in, double *y)
{
    const gtr__ctc_attr *a = &o->attr.ctc;
    const int64_t *x = o->in_shape[0].dim, classes = x[2], wide = o->in_shape[1].dim[1];
    double *now = (double *)room(4 * wide + 2, sizeof *now), *next = now + 2 * wide + 1;
    for (int64_t row = 0; row < x[0]; row++) {
        const int32_t *label = (const int32_t *)o->in[1] + row * wide;
        const int64_t steps = a->lengths ? (int64_t)in[a->lengths][row] : x[1];
        int64_t n = 0, most = a->label_lengths ? (int64_t)in[a->label_lengths][row] : wide;
        double log_sum = 0;
        while (n < most && label[n] != -1) n++;
        for (int64_t t = 0; t < steps; t++) {
            const double *v = in[0] + (row * x[1] + t) * classes, lse = plain_lse(v, classes);
            double sum = 0;
            for (int64_t s = 0; s <= 2 * n; s++) {
                const int64_t k = s % 2 ? label[s / 2] : a->blank;
                double p = t ? now[s] + (s > 0 ? now[s - 1] : 0) : s < 2;
                if (t && s % 2 && s > 2 && label[s / 2] != label[s / 2 - 1]) p += now[s - 2];
                next[s] = p * exp(v[k] - lse);
                sum += next[s];
            }
            for (int64_t s = 0; s <= 2 * n; s++) now[s] = next[s] / sum;
            log_sum += log(sum);
        }
        log_sum = steps ? log_sum + log(now[2 * n] + (n ? now[2 * n - 1] : 0)) : n ? -INFINITY : 0;
        y[row] = log_sum == -INFINITY && a->zero_infinity ? 0 : -log_sum / (double)(a->per_label && n ? n : 1);
    }
    free(now);
}
PLAIN(CTC) { plain_ctc(o, in, y); }
static const char *const ctc_mean_cases[] = { "1x2x3 1x5x3", "13x1x2 13x3x2", "3x2x2 3x6x2", "5x2x3 5x4x3",
    "7x1x5 7x2x5", NULL };
OP_ROW_AS(ctc_mean, "ctc, mean", "DX", ctc_mean_cases, GRAPH | LOSS | PASSES_0, gtr_ctc(x[1], gtr_argmax(x[0], 2)))
OP_ROW(divisor, "P", unary_cases, NO_GRADIENT | NOT_FUZZED, gtr__op1(GTR__OP_DIVISOR, x[0]))
PLAIN(DIVISOR)
{
    y[0] = 0;
    for (int64_t i = 0; i < m; i++) y[0] += in[0][i];
}
static const char *const weight_cases[] = { "1x7 1x7 7", "!13x3 13x3 13x1", "33x2 33x2 -", "2x3x4 2x3x4 3x1",
    "!5x1 5x1 5x1", NULL };
static gtr_loss_desc loss_with(gtr_reduction reduction, gtr_tensor *weight, size_t field, float number)
{
    gtr_loss_desc d;
    memset(&d, 0, sizeof d);
    d.reduction = reduction; d.weight = weight;
    memcpy((char *)&d + field, &number, sizeof number);
    return d;
}
/* Losses that are graphs: of x, target and, third, a weight, or what else they are of. */
#define OF(field) offsetof(gtr_loss_desc, field)
OP_ROW(l1, "XTp", weight_cases, GRAPH | LOSS | WEIGHED, gtr_l1_ex(x[0], x[1], loss_with(GTR_REDUCE_BATCH_MEAN, x[2],
    OF(beta), 0)))
OP_ROW(mse_ex, "XTp", weight_cases, GRAPH | LOSS | WEIGHED, gtr_mse_ex(x[0], x[1], loss_with(GTR_REDUCE_SUM, x[2],
    OF(beta), 0)))
OP_ROW(huber, "XTp", weight_cases, GRAPH | LOSS | WEIGHED, gtr_huber_ex(x[0], x[1], loss_with(GTR_REDUCE_MEAN, x[2],
    OF(delta), 0.75f)))
OP_ROW(smooth_l1, "XTp", weight_cases, GRAPH | LOSS | WEIGHED, gtr_smooth_l1_ex(x[0], x[1], loss_with(GTR_REDUCE_MEAN,
    x[2], OF(beta), 0.25f)))
static gtr_tensor *bce_both(gtr_tensor *x, gtr_tensor *t, gtr_tensor *p)
{
    gtr_loss_desc d = loss_with(GTR_REDUCE_NONE, p, OF(beta), 0);
    d.pos_weight = p;
    return gtr_bce_with_logits_ex(x, t, d);
}
OP_ROW_AS(bce_pos, "bce, weights", "XTp", weight_cases, GRAPH | WEIGHED, bce_both(x[0], x[1], x[2]))
OP_ROW(quantile, "XXp", weight_cases, GRAPH | LOSS | WEIGHED, gtr_quantile_ex(x[0], x[1], loss_with(GTR_REDUCE_SUM,
    x[2], OF(quantile), 0.3f)))
OP_ROW(focal, "XTp", weight_cases, GRAPH | LOSS | WEIGHED, gtr_focal_ex(x[0], x[1], loss_with(GTR_REDUCE_SUM, x[2],
    OF(gamma), 1.5f)))
OP_ROW(kl_div, "XTp", weight_cases, GRAPH | WEIGHED, gtr_kl_div_ex(x[0], x[1], loss_with(GTR_REDUCE_NONE, x[2],
    OF(beta), 0)))
OP_ROW(poisson_nll, "XTp", weight_cases, GRAPH | WEIGHED, gtr_poisson_nll_ex(x[0], x[1], loss_with(GTR_REDUCE_NONE,
    x[2], OF(beta), 0)))
OP_ROW(gaussian_nll, "XXp", weight_cases, GRAPH | LOSS, gtr_gaussian_nll(x[0], x[1], x[2]))
static const char *const cosine_cases[] = { "!1x7 1x7 1", "!13x3 13x3 13", "!11x2 11x2 11", "!5x4 5x4 5",
    "!7x2 7x2 7", NULL };
OP_ROW_AS(cosine, "cosine_embedding", "XXT", cosine_cases, GRAPH | LOSS | WEIGHED, gtr_cosine_embedding_ex(x[0], x[1],
    x[2], loss_with(GTR_REDUCE_MEAN, NULL, OF(margin), -0.9f)))
static const char *const labels_cases[] = { "!1x7 1 1", "!13x3 13 13", "!33x2 33 33", "!5x2 5 5", "!7x3 7 7", NULL };
static gtr_tensor *nll_of(gtr_tensor *x, gtr_tensor *labels, gtr_tensor *weight, float smoothed)
{
    gtr_cross_entropy_desc d = smoothing((int)(100 * smoothed), -100);
    d.sample_weight = weight;
    return smoothed > 0 ? gtr_cross_entropy_ex(x, labels, d) : gtr_nll_ex(x, labels, d);
}
OP_ROW_AS(nll_weighted, "nll, weights", "XLP", labels_cases, GRAPH | LOSS, nll_of(x[0], x[1], x[2], 0))
OP_ROW_AS(xent_weighted, "xent, weights", "XLP", labels_cases, GRAPH | LOSS, nll_of(x[0], x[1], x[2], 0.25f))
static const char *const soft_cases[] = { "1x7 1x7", "13x3 13x3", "33x2 33x2", "5x4 5x4", "7x2 7x2", NULL };
OP_ROW_AS(xent_soft, "xent, soft", "XT", soft_cases, GRAPH | LOSS, gtr_cross_entropy(x[0], x[1]))

// >>graphs
static const char *const graph_cases[] = { "1x7", "13x3", "33x2", "5x4", "3x6", NULL };
/* Graphs: what fusing, a tensor used twice, shared weights and re-materialisation make of gradients. */
OP_ROW(twice, "X", graph_cases, GRAPH, gtr_add(gtr_mul(x[0], x[0]), x[0]))
OP_ROW(linear_acts, "Xw", graph_cases, GRAPH,
    gtr_sigmoid(gtr_linear_ex(gtr_gelu(gtr_linear_ex(gtr_tanh(gtr_linear_ex(gtr_relu(gtr_linear_ex(x[0], "a",
    linear_desc(5, false))), "b", linear_desc(4, true))), "c", linear_desc(3, false))), "d", linear_desc(2, false))))
OP_ROW(linear_exp, "Xw", graph_cases, GRAPH,
    gtr_log(gtr_scale(gtr_sigmoid(gtr_linear_ex( gtr_exp(gtr_linear_ex(gtr_gelu_tanh(x[0]), "a", linear_desc(4,
    false))), "b", linear_desc(3, false))), 2, 0.5f)))
OP_ROW(binary_acts, "XX", stop_cases, GRAPH, gtr_tanh(gtr_div(gtr_sigmoid(gtr_add(x[0], x[1])), gtr_exp(gtr_mul(x[0],
    gtr_gelu(gtr_sub(x[0], x[1])))))))
static const char *const shared_cases[] = { "1x4 4x4 4", "13x3 3x3 3", "33x2 2x2 2", "2x3x2 2x2 2", "5x1 1x1 1", NULL };
OP_ROW(shared_weights, "Xww", shared_cases, GRAPH, gtr_linear_with(gtr_tanh(gtr_linear_with(x[0], x[1], x[2])), x[1],
    x[2]))
static gtr_tensor *build_recomputed(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    gtr_tensor *h;
    (void)c;
    gtr_recompute_begin(ctx);
    h = gtr_dropout(gtr_gelu(gtr_linear_ex(x[0], "a", linear_desc(6, false))), "drop", 0.25f);
    gtr_recompute_end(ctx);
    return gtr_softmax(gtr_linear_ex(h, "b", linear_desc(3, false)), 1);
}
OP_ROW_BY("recomputed", "Xw", graph_cases, GRAPH, build_recomputed)
#define ITSELF(way) { "1x7 1x7@" #way, "5x3 5x3@" #way, "2x2 2x2@" #way, "7x1 7x1@" #way, "4x5 4x5@" #way, NULL }
static const char *const itself_cases[][6] = { ITSELF(0), ITSELF(1), ITSELF(2), ITSELF(3), ITSELF(4), ITSELF(5) };
/* A batch with itself, (N, N): what it may go through, back to (N, D). */
static gtr_tensor *build_itself(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    static const int swap[GTR_MAX_DIMS] = { 1, 0 }, columns = 1, rows = 0;
    gtr_tensor *s = gtr_matmul_t(x[0], false, x[1], true), *t = gtr_permute(s, swap), *h;
    gtr_tensor *i = gtr_to_float(gtr_arange(x[0], 0)), *eye = gtr_equal(i, gtr_reshape(i, gtr_shape2(GTR_BATCH, 1)));
    (void)ctx;
    if (c->p[0] == 0) h = gtr_add(gtr_mul(gtr_softmax(s, 0), gtr_log_softmax(t, 1)), gtr_cumsum(s, 1));
    else if (c->p[0] == 1) h = gtr_where(eye, gtr_scale(s, 0.5f, -1), gtr_tanh(t));
    else if (c->p[0] == 2) h = gtr_mul(gtr_logsumexp(s, &columns, 1, true), gtr_mean(t, &rows, 1, true));
    else h = gtr_add(gtr_mul(gtr_max(s, &rows, 1, true), t), gtr_sort(s, 1, false));
    return gtr_matmul(h, x[1]);
}
OP_ROW_BY("itself, softmax", "XX", itself_cases[0], GRAPH, build_itself)
OP_ROW_BY("itself, where", "XX", itself_cases[1], GRAPH, build_itself)
OP_ROW_BY("itself, means", "XX", itself_cases[2], GRAPH, build_itself)
OP_ROW_BY("itself, max", "XX", itself_cases[3], GRAPH, build_itself)
/* Losses of (N, N): of rows' numbers, and of what is alike; a scalar. */
static gtr_tensor *build_itself_losses(gtr_context *ctx, gtr_tensor **x, const op_case *c)
{
    gtr_tensor *s = gtr_matmul_t(x[0], false, x[1], true), *n = gtr_arange(x[1], 0), *log = gtr_log_softmax(s, 1),
        *i = gtr_scale(gtr_to_float(n), 0.5f, 0), *soft = gtr_softmax(gtr_sub(i, gtr_reshape(i, gtr_shape2(GTR_BATCH,
        1))), 1);
    gtr_cross_entropy_desc all = smoothing(60, -1), some = smoothing(0, 1);
    gtr_loss_desc mean;
    (void)ctx;
    memset(&mean, 0, sizeof mean);
    mean.reduction = GTR_REDUCE_BATCH_MEAN;
    if (c->p[0] == 0) return gtr_add(gtr_cross_entropy(s, n), gtr_nll(log, n));
    if (c->p[0] == 1) return gtr_cross_entropy_ex(s, n, all);
    if (c->p[0] == 2) { all.reduction = GTR_REDUCE_SUM; return gtr_cross_entropy_ex(s, n, all); }
    if (c->p[0] == 3) return gtr_kl_div_ex(log, soft, mean);
    if (c->p[0] == 4) { all.ignore_index = 0; return gtr_cross_entropy_ex(s, soft, all); }
    some.reduction = GTR_REDUCE_BATCH_MEAN; some.sample_weight = gtr_sigmoid(i);
    return gtr_cross_entropy_ex(s, n, some);
}
OP_ROW_BY("itself, xent", "XX", itself_cases[0], GRAPH | LOSS, build_itself_losses)
OP_ROW_BY("itself, smoothed", "XX", itself_cases[1], GRAPH | LOSS, build_itself_losses)
OP_ROW_BY("itself, sum", "XX", itself_cases[2], GRAPH | LOSS, build_itself_losses)
OP_ROW_BY("itself, kl_div", "XX", itself_cases[3], GRAPH | LOSS, build_itself_losses)
OP_ROW_BY("itself, soft", "XX", itself_cases[4], GRAPH | LOSS, build_itself_losses)
OP_ROW_BY("itself, some", "XX", itself_cases[5], GRAPH | LOSS, build_itself_losses)
static const char *const classifier_cases[] = { "1x3 1", "13x3 13", "33x2 33", "5x4 5", "7x4 7", NULL };
OP_ROW(classifier, "XLw", classifier_cases, GRAPH | LOSS,
    gtr_cross_entropy_ex(gtr_linear_ex(gtr_gelu(gtr_linear_ex(x[0], "a", linear_desc(6, false))), "b", linear_desc(4,
    false)), x[1], smoothing(10, -100)))

enum { N_ROWS = __COUNTER__ - FIRST_ROW };
#endif
