/* Compositions: graphs of 2 to 14 builders of the public API, drawn at random (builders.h has a generator for each),
   computed as planned and in ways that must not matter: every tensor kept, each fetched alone, without fusions and
   matchers, with a literal batch, in micro-batches, recomputed, by a predictor, by gtr_fit, ... Values, gradients by
   inputs and parameters, and two updates must agree: to the bit where the design says so. compose [seconds=90]
   [seed=1] [graphs=0] [show=SEED] [device=cpu|cuda] [precision=fp32|tf32|bf16|fp16] [stop=1] [missing=1], or
   GTR_TEST_DEVICE and GTR_TEST_PART=k/n: the k-th, from 0, of n processes that share 500 graphs in each of four
   precisions. Prints what is wrong, made small, as a C program, and how much of what can meet has met: ordered pairs
   of ops, ops beside fusions, forms of values, matchers. With GPUTRAIN_DOUBLE also gradients against central
   differences. Exit status 0 iff nothing is wrong. */
#include "private.h"
#include "check.h"
#include "builders.h"
#include "halves.h"
#include <signal.h>
#include <time.h>

enum { MOST_FLOATS = 200000, SECTIONS = 400, NONE = -1, SEED = 9 };

// >>recipe
typedef struct drawn_op {
    int generator, from;
    uint64_t seed;
} drawn_op; /* from: which op's value it begins with; NONE: the inputs' */
typedef struct recipe {
    uint64_t seed;
    int64_t rows;
    int n;
    drawn_op op[MAX_OPS];
    value known[MAX_VALUES];
    int n_known;
} recipe;
/* What a run computed, a section a tensor. */
enum { OUT, INNER, DX, DW, W1, W2, LOSS, SECTION_KINDS };
typedef struct section {
    int kind, of, at, count;
} section;
typedef struct result {
    gtr_float *v;
    int used, n;
    section s[SECTIONS];
    char why[600];
    bool failed, normalises;
    int views; /* operands of products that are strided views, of all plans */
} result;

// >>coverage
enum { OPS = GTR__OP_COUNT, FUSED = 64 };
static unsigned char met[OPS][OPS]; /* ordered pairs: the first's value flows into the second */
static const char *fusion[FUSED];
static long fused_by[FUSED];
static int n_fusion;
static unsigned char beside[FUSED][2][OPS]; /* ops in front of a fusion's node and behind it */
static long form[8][3][3];                  /* homes, storage, layouts: rows, channels last, flattened */
static long matched[GTR__MAX_MATCHERS];
static long used_by[GENERATORS], refused[GENERATORS];
static char refusal[GENERATORS][300];

static gtr_device device = GTR_DEVICE_CPU;
static gtr_precision precision = GTR_FP32;
static bool any_precision = true; /* each graph has its own */
/* Of a GPU in software, which is slow: fewer rows, and ways a graph. A test may prefer a kernel there, and have texts
   compiled (tests/emulated/cuda.h). */
static bool slow;
struct way_of_test {
    int given, kernel, m, n, split, ranges;
};
#ifdef GPUTRAIN_CUDA
#pragma weak emu_prefers
#pragma weak emu_texts
#pragma weak emu_texts_of
#pragma weak emu_kernels
extern struct way_of_test emu_prefers;
extern int emu_texts;
extern const char *emu_texts_of;
extern void emu_kernels(void (*each)(const char *name, long launches));
static bool emulated(void) { return device != GTR_DEVICE_CPU && &emu_texts != NULL; }
#else
static struct way_of_test emu_prefers;
static int emu_texts;
static const char *emu_texts_of;
static bool emulated(void) { return false; }
static void emu_kernels(void (*each)(const char *name, long launches)) { (void)each; }
#endif
/* How products and convolutions may be computed where several ways fit. kind: of a GPU in software, by a kernel that is
   preferred, in 1: float32; 2: TF32 and 16 bits; 3: both; 4: of the CPU, gtr__caps.by. */
enum { FMA, MMA, WGMMA, FEW = 100, WARPS, IM2COL, LINES };
static struct {
    const char *name;
    int kind;
    struct way_of_test way;
    int by;
    long met;
} preferred[] = {
    { "FMA, 32 x 32", 1, { 1, FMA, 32, 32, 1, 1 }, 0, 0 },
    { "FMA, 64 x 64", 1, { 1, FMA, 64, 64, 1, 1 }, 0, 0 },
    { "FMA, clusters of 2", 1, { 1, FMA, 0, 0, 2, 1 }, 0, 0 },
    { "FMA, 2 ranges", 1, { 1, FMA, 0, 0, 1, 2 }, 0, 0 },
    { "few rows", 3, { 1, FEW, 0, 0, 1, 1 }, 0, 0 },
    { "the most general", 3, { 0, 0, 0, 0, 0, 0 }, 0, 0 },
    { "MMA, 32 x 32", 2, { 1, MMA, 32, 32, 1, 1 }, 0, 0 },
    { "MMA, 64 x 64", 2, { 1, MMA, 64, 64, 1, 1 }, 0, 0 },
    { "MMA, clusters of 2", 2, { 1, MMA, 0, 0, 2, 1 }, 0, 0 },
    { "MMA, 2 ranges", 2, { 1, MMA, 0, 0, 1, 2 }, 0, 0 },
    { "WGMMA, 64 x 32", 2, { 1, WGMMA, 64, 32, 1, 1 }, 0, 0 },
    { "WGMMA, 64 x 64", 2, { 1, WGMMA, 64, 64, 1, 1 }, 0, 0 },
    { "WGMMA, 128 x 64", 2, { 1, WGMMA, 128, 64, 1, 1 }, 0, 0 },
    { "WGMMA, clusters of 2", 2, { 1, WGMMA, 0, 0, 2, 1 }, 0, 0 },
    { "warps", 2, { 1, WARPS, 0, 0, 0, 0 }, 0, 0 },
    { "im2col", 2, { 1, IM2COL, 0, 0, 0, 0 }, 0, 0 },
    { "lines", 2, { 1, LINES, 0, 0, 0, 0 }, 0, 0 },
    { "tiles alone", 4, { 0, 0, 0, 0, 0, 0 }, GTR__BY_TILES, 0 },
    { "parts of k", 4, { 0, 0, 0, 0, 0, 0 }, GTR__BY_TILES | GTR__BY_PARTS, 0 },
    { "packed operands", 4, { 0, 0, 0, 0, 0, 0 }, GTR__BY_TILES | GTR__BY_PACKS, 0 },
    { "the least pieces", 4, { 0, 0, 0, 0, 0, 0 }, GTR__BY_TILES | GTR__BY_PIECES, 0 },
    { "one order", 4, { 0, 0, 0, 0, 0, 0 }, GTR__BY_ORDER, 0 },
    { "copies of the image", 4, { 0, 0, 0, 0, 0, 0 }, GTR__BY_COPIES, 0 },
    { "a copy for each place", 4, { 0, 0, 0, 0, 0, 0 }, GTR__BY_COPIES | GTR__BY_PLACES, 0 },
    { "lines that places share", 4, { 0, 0, 0, 0, 0, 0 }, GTR__BY_COPIES | GTR__BY_LINES, 0 },
};
enum { PREFERRED = (int)(sizeof preferred / sizeof *preferred) };
/* One that a graph's products may be by, on this device, in its precision. */
static int preferred_by(uint64_t seed)
{
    uint64_t s = seed + 77;
    int k = 0;
    do k = (int)(next_of(&s) % PREFERRED);
    while (!(preferred[k].kind & (device == GTR_DEVICE_CPU ? 4 : precision == GTR_FP32 ? 1 : 2)));
    return k;
}
static bool low_precision(void) { return precision == GTR_MIXED_BF16 || precision == GTR_MIXED_FP16; }

/* What was seen of an op. made, read: dtypes (bit 0: floats; bit 1: integers) of what builders give back that it made,
   and of what it reads and a graph chose, not the builder that it is of. highest, farthest: of its values, and of their
   magnitudes. most, least: elements of the largest value that it made, and of the smallest that it read, by its dtype:
   in all, and of a row. */
typedef struct seen {
    unsigned char made, read;
    double highest, farthest;
    int64_t most[2], least[2][2];
} seen;
static seen saw[OPS];
static unsigned char unwanted[OPS][OPS]; /* a builder refused the first's value, naming what it wants */
static int tried[OPS][OPS];
/* Of each generator how often an op made what it gave back, or read a value of the graph. */
static int gives[GENERATORS][OPS], reads[GENERATORS][OPS];
/* Whether op b takes a value of this range. */
static bool suits(gtr__op b, double low, double near)
{
    switch ((int)b) {
    case GTR__OP_LOG:
    case GTR__OP_SQRT:
    case GTR__OP_RSQRT: return low > 0.06;
    case GTR__OP_LOG1P: return low > -0.9;
    case GTR__OP_RECIPROCAL: return near > 0.06;
    default: return true;
    }
}
/* Whether b can read what a makes. It can't where
   - an op's values never leave the builder that it is of (a mask's halves), or it reads none but its builder's;
   - of the dtypes that a makes b reads none that it is given;
   - the builder refuses that: logits that are probabilities;
   - no value that a ever made is one that b has a value for;
   - a makes single numbers, of all or of a row, and b is of several. Else shapes can be had: a number goes on as
     (1, ..., 1). */
static bool allowed(gtr__op a, gtr__op b)
{
    const int both = saw[a].made & saw[b].read;
    bool fits = false;
    if (met[a][b]) return true;
    for (int ints = 0; ints < 2; ints++)
        fits |= (both >> ints & 1) && saw[a].most[0] >= saw[b].least[ints][0] &&
                saw[a].most[1] >= saw[b].least[ints][1];
    return fits && !unwanted[a][b] && suits(b, saw[a].highest, saw[a].farthest);
}
static const gtr_tensor *through(const gtr_tensor *t)
{
    while (t->op == GTR__OP_PART || gtr__moves(t->op) == GTR__MOVES_ALIAS) t = t->in[0];
    return t;
}
static bool counts(gtr__op op) { return op > GTR__OP_PART && gtr__moves(op) != GTR__MOVES_ALIAS && op < GTR__OP_COUNT; }
/* Pairs of the tensors from `first` on, which generator k made. */
static void note_pairs(const gtr_context *ctx, int64_t first, int k)
{
    for (int64_t i = first; i < ctx->graph.n_tensor; i++) {
        const gtr_tensor *t = ctx->graph.tensor[i];
        if (!counts(t->op)) continue;
        for (int n = 0; n < t->n_in; n++) {
            const gtr_tensor *a = through(t->in[n]);
            if (!counts(a->op)) continue;
            met[a->op][t->op] = 1;
            if (a->id >= first) continue;
            saw[t->op].read |= t->in[n]->dtype == GTR_I32 ? 2 : 1;
            reads[k][t->op]++;
        }
    }
}
/* Of all rows, or of one, as a batch's rows stay apart. */
static int64_t elements(const gtr_shape *s, int64_t rows, bool row)
{
    return row_of(s) * (batch_axis(s) < 0 || row ? 1 : rows);
}
/* A value that generator k gave back, and the value that it was made of. */
static void note_value(const value *v, const value *of, int64_t rows, int k)
{
    const gtr_tensor *t = through(v->t);
    seen *y = &saw[t->op];
    if (!counts(t->op)) return;
    y->made |= v->ints ? 2 : 1;
    y->highest = fmax(y->highest, v->high);
    y->farthest = fmax(y->farthest, fmax(fabs(v->low), fabs(v->high)));
    for (int i = 0; i < 2; i++) y->most[i] = GTR__MAX(y->most[i], elements(&v->shape, rows, i));
    gives[k][t->op]++;
    for (int i = 0; i < t->n_in; i++)
        for (int j = 0; j < 2 && through(t->in[i]) == through(of->t); j++) {
            int64_t *least = &y->least[of->ints][j];
            const int64_t n = elements(&of->shape, rows, j);
            *least = *least ? GTR__MIN(*least, n) : n;
        }
}
static int fusion_of(const char *name)
{
    int k = 0;
    while (k < n_fusion && strcmp(fusion[k], name) != 0) k++;
    if (k == n_fusion && n_fusion < FUSED) fusion[n_fusion++] = name;
    return k;
}
/* Steps of element-wise programs whose text was compiled: the formula and which of its gradients; and of a graph how
   many such programs it has, and how many steps by a second operand that no text has had. A graph's first texts are
   compiled, TEXTS_A_GRAPH, so those of one with fewer programs are all. */
enum { TEXTS_A_GRAPH = 3 };
static unsigned char compiled[16][OPS][4];
static int uncompiled, programs;
static void note_steps(const gtr__program *p, bool compiles)
{
    programs++;
    for (int i = 0; i < p->n.instrs; i++) {
        unsigned char *c = &compiled[p->instr[i].kind & 15][p->instr[i].op][p->instr[i].side & 3];
        uncompiled += !*c && p->instr[i].side == 2;
        *c |= compiles;
    }
}
static const char *matcher_name[GTR__MAX_MATCHERS];
static void note_subgraph(const gtr__backend *be, const gtr__node *n, bool compiles)
{
    const int k = (int)n->attr.subgraph.matcher;
    gtr__matcher m;
    gtr__matcher_of(be, k, &m);
    matcher_name[k] = m.name;
    matched[k]++;
    if (!strcmp(m.name, "element-wise program"))
        note_steps(&((const gtr__subgraph *)n->attr.ptr)->program, compiles);
}
static void note_plan(const gtr__backend *be, const gtr__plan *p, bool compiles)
{
    int *writer = (int *)malloc(sizeof(int) * (size_t)(p->n_value + 1));
    for (int v = 0; v < p->n_value; v++) writer[v] = -1;
    for (int i = 0; i < p->n_node; i++) {
        const gtr__node *n = &p->node[i];
        const int f = n->fused ? fusion_of(n->fused) : -1;
        if (f >= 0) fused_by[f]++;
        if (n->op == GTR__OP_SUBGRAPH) note_subgraph(be, n, compiles);
        for (int k = 0; k < n->n_in; k++) {
            const int v = gtr__use(p, n, k), from = v < 0 ? -1 : writer[v];
            if (from < 0) continue;
            const gtr__node *w = &p->node[from];
            if (f >= 0) beside[f][0][w->op] = 1;
            if (w->fused) beside[fusion_of(w->fused)][1][n->op] = 1;
        }
        for (int k = 0; k < n->n_out; k++)
            if (n->out[k] >= 0) writer[gtr__root(p, n->out[k])] = i;
    }
    for (int v = 0; v < p->n_value; v++) {
        const gtr__value *x = &p->value[v];
        if (x->storage <= GTR_F16) form[GTR__MIN((int)x->home, 7)][x->storage][x->last > 0 ? 1 : x->last < 0 ? 2 : 0]++;
    }
    free(writer);
}

// >>building
/* seed: parameters are drawn by it. */
static gtr_context *context(gtr_device on, int threads, size_t limit, uint64_t seed)
{
    gtr_desc d;
    memset(&d, 0, sizeof d);
    d.device = on;
    d.threads = threads;
    d.seed = seed;
    d.memory_limit = limit;
    gtr_context *ctx = gtr_create(d);
    if (gtr_error(ctx)) {
        printf("%s\n", gtr_error_text(ctx));
        exit(2);
    }
    return ctx;
}
static void inputs_of(graph *g, uint64_t seed)
{
    g->rng = seed * 31 + 7;
    g->op = NONE;
    g->mark = 0;
    g->name = 0;
    const int n = 1 + chance(g, 30);
    for (int k = 0; k < n; k++) {
        gtr_shape s = shape_of(2 + pick(g, 3), -1, 1 + pick(g, 8), 1 + pick(g, 6), 1 + pick(g, 5));
        if (s.ndim == 2) s.dim[1] = size_drawn(g);
        if (s.ndim == 3 && chance(g, 10)) s = shape_of(5, -1, 2, 2, 3);
        if (s.ndim == 5) s.dim[4] = 2;
        for (int q = s.ndim; q < GTR_MAX_DIMS; q++) s.dim[q] = 0;
        const int at = g->n_leaf;
        const int kind = pick(g, 8);
        gtr_tensor *t = leaf_of(g, s, kind == 0 ? POSITIVE : kind == 1 ? UNIT : PLAIN, 0);
        if (g->n_leaf > at) value_add(g, t, NONE);
    }
    if (chance(g, 35)) {
        const int limit = 1 + pick(g, 10);
        value *v = value_add(g, leaf_of(g, shape_of(1 + pick(g, 2), -1, 1 + pick(g, 6), 0, 0), IDS, limit), NONE);
        if (v && !g->known) {
            v->low = 0;
            v->high = limit - 1;
        }
    }
}
/* The value that op k of a recipe begins with: the last of op `from`, or one of the inputs. */
static value *begins_with(graph *g, int from, int takes, uint64_t seed)
{
    value *found = NULL;
    uint64_t s = seed;
    int n = 0;
    for (int i = 0; i < g->n; i++) {
        value *v = &g->v[i];
        if (v->op != from || !(takes & (v->ints ? TAKES_INTS : TAKES_FLOATS))) continue;
        if (next_of(&s) % (uint64_t)++n == 0) found = v;
    }
    return found;
}
static gtr_tensor *build_op(graph *g, const drawn_op *o, int k)
{
    value *x = begins_with(g, o->from, generators[o->generator].takes, o->seed);
    if (!x) return NULL;
    g->rng = o->seed;
    g->op = k;
    g->name = 0;
    g->mark = (unsigned)(o->seed & 0xfff);
    x->users++;
    return generators[o->generator].make(g, x);
}
/* Builds a recipe again. False: an op did not fit (it is left out of a smaller recipe). */
static bool build(graph *g, const recipe *r, int recompute_from, int recompute_to, int stage_from)
{
    bool all = true;
    inputs_of(g, r->seed);
    for (int k = 0; k < r->n; k++) {
        if (k == recompute_from) gtr_recompute_begin(g->ctx);
        if (k == stage_from) gtr_stage(g->ctx, 1);
        gtr_tensor *t = build_op(g, &r->op[k], k);
        all &= value_add(g, t, k) != NULL;
        if (k == recompute_to) gtr_recompute_end(g->ctx);
    }
    if (stage_from >= 0) gtr_stage(g->ctx, 0);
    return all && gtr_error(g->ctx) == GTR_OK;
}
static bool measure(graph *g, value *v)
{
    const int64_t n = count_of(g, &v->shape);
    bool fine = n <= MOST_ELEMENTS * 4;
    if (!fine || gtr_eval(&v->t, 1) != GTR_OK) return false;
    void *data = malloc((size_t)(n + 1) * sizeof(gtr_float));
    fine = gtr_get(v->t, data, (size_t)n * (v->ints ? 4 : sizeof(gtr_float))) == GTR_OK;
    v->low = INFINITY;
    v->high = -INFINITY;
    v->near = INFINITY;
    for (int64_t i = 0; i < n && fine; i++) {
        const double x = v->ints ? (double)((int32_t *)data)[i] : (double)((gtr_float *)data)[i];
        fine = x == x && fabs(x) < 150;
        v->low = fmin(v->low, x);
        v->high = fmax(v->high, x);
        v->near = fmin(v->near, fabs(x));
    }
    free(data);
    return fine;
}
static int by_weight(uint64_t *s)
{
    static int sum[GENERATORS + 1];
    for (int k = 0; !sum[GENERATORS] && k < GENERATORS; k++) sum[k + 1] = sum[k] + weight_of(generators[k].name);
    const int at = (int)(next_of(s) % (uint64_t)sum[GENERATORS]);
    int k = 0;
    while (sum[k + 1] <= at) k++;
    return k;
}
static int takes_of(const value *x) { return x->ints ? TAKES_INTS : TAKES_FLOATS; }
/* Any generator that takes x: by the weights of common networks, or one that was never drawn, or each as often. */
static int generator_drawn(uint64_t *s, const value *x, bool common)
{
    int k = 0;
    for (int tries = 0; tries < 200; tries++) {
        k = common ? by_weight(s) : (int)(next_of(s) % GENERATORS);
        if (generators[k].takes & takes_of(x)) break;
    }
    return k;
}
/* A generator that is counted for an op, by how often it was, of those that take x (NULL: any); -1: there is none. */
static int generator_for(uint64_t *s, int (*counted)[OPS], int op, const value *x)
{
    double sum = 0;
    int found = -1;
    for (int k = 0; k < GENERATORS; k++) {
        if (!counted[k][op] || (x && !(generators[k].takes & takes_of(x)))) continue;
        const double share = (double)counted[k][op] / (double)(used_by[k] + 1);
        sum += share;
        if ((double)(next_of(s) >> 11) / 9007199254740992.0 * sum < share) found = k;
    }
    return found;
}
/* A pair that a graph goes for, that has not met: of some, the one that was tried least. a: -1: none. */
typedef struct aim {
    int a, b, failed;
} aim;
static aim aim_drawn(uint64_t *s)
{
    static short list[OPS * OPS][2];
    static int n, draws;
    aim to = { -1, -1, 0 };
    if (draws++ % 64 == 0) /* those that are left, anew */
        for (int a = n = 0; a < OPS; a++)
            for (int b = 0; b < OPS; b++)
                if (!met[a][b] && counts((gtr__op)a) && counts((gtr__op)b) && allowed((gtr__op)a, (gtr__op)b)) {
                    list[n][0] = (short)a;
                    list[n++][1] = (short)b;
                }
    for (int i = 0; n && i < 12; i++) {
        const short *p = list[next_of(s) % (uint64_t)n];
        if (met[p[0]][p[1]] || (to.a >= 0 && tried[to.a][to.b] <= tried[p[0]][p[1]])) continue;
        to.a = p[0];
        to.b = p[1];
    }
    if (to.a >= 0 && tried[to.a][to.b] > 60 && next_of(s) % 4) to.a = -1; /* some graphs are not for these few */
    return to;
}
/* What is built next of a graph that has an aim: the pair's second, of a value that its first made; else its first. */
static value *next_for_aim(graph *g, uint64_t *s, const aim *to, int *generator)
{
    value *found = NULL;
    int n = 0;
    const int reads_of = saw[to->b].read;
    for (int i = 0; i < g->n; i++) {
        value *v = &g->v[i];
        if ((int)through(v->t)->op != to->a || !(reads_of & (v->ints ? 2 : 1)) ||
            !suits((gtr__op)to->b, v->low, v->near))
            continue;
        if (next_of(s) % (uint64_t)++n == 0) found = v;
    }
    if (found && (*generator = generator_for(s, reads, to->b, found)) >= 0) return found;
    *generator = generator_for(s, gives, to->a, NULL);
    found = NULL;
    for (int i = n = 0; i < g->n && *generator >= 0; i++) {
        value *v = &g->v[i];
        if (!(generators[*generator].takes & takes_of(v))) continue;
        const int share = suits((gtr__op)to->b, v->low, v->near) ? 4 : 1; /* an op often keeps a sign */
        if ((int)(next_of(s) % (uint64_t)(n += share)) < share) found = v;
    }
    return found;
}
/* A seed by which begins_with finds x. */
static bool seed_for(graph *g, uint64_t *s, const value *x, int takes, uint64_t *seed)
{
    for (int i = 0; i < 60; i++)
        if (begins_with(g, x->op, takes, *seed = next_of(s)) == x) return true;
    return false;
}
/* Adds an op to a graph. 1: done; 0: it does not fit, and the graph is as it was; -1: it computes what is wrong. */
static int add_op(graph *g, recipe *r, const drawn_op *o, char *why)
{
    graph *was = (graph *)malloc(sizeof *g);
    const int64_t first = g->ctx->graph.n_tensor;
    const value of = *begins_with(g, o->from, generators[o->generator].takes, o->seed);
    int done = 1;
    *was = *g;
    gtr_tensor *t = build_op(g, o, r->n);
    if (gtr_error(g->ctx) || !value_add(g, t, r->n)) done = 0;
    if (gtr_error(g->ctx)) {
        const char *e = gtr_error_text(g->ctx);
        if (!refused[o->generator]++)
            snprintf(refusal[o->generator], sizeof *refusal, "seed %llu: %s", (unsigned long long)r->seed, e);
        for (int b = 0; b < OPS && counts(through(of.t)->op); b++)
            if (strstr(e, "want logits") || strstr(e, "want probabilities") || strstr(e, "want logarithms"))
                unwanted[through(of.t)->op][b] |= reads[o->generator][b] > 0;
        gtr_error_clear(g->ctx);
    }
    for (int i = was->n; i < g->n && done; i++) done = measure(g, &g->v[i]);
    if (gtr_error(g->ctx)) {
        const char *e = gtr_error_text(g->ctx);
        if (!strstr(e, "out of its range") && !strstr(e, "in [0") && !strstr(e, "not in")) done = -1;
        snprintf(why, 500, "%s", e);
        gtr_error_clear(g->ctx);
    }
    if (done == 1) {
        note_pairs(g->ctx, first, o->generator);
        for (int i = was->n; i < g->n; i++) note_value(&g->v[i], &of, r->rows, o->generator);
        used_by[o->generator]++;
    } else *g = *was;
    if (done) r->op[r->n++] = *o; /* one that is wrong is shown, though its shapes are not known */
    free(was);
    return done;
}
/* Draws a graph of n ops, each evaluated when it is added, so that values stay finite and moderate. Every other one is
   a common network, the rest go for pairs of ops. */
static bool draw(recipe *r, uint64_t seed, char *why)
{
    static graph g;
    uint64_t s = seed * 0x2545f4914f6cdd1du + 99;
    const bool common = seed % 2;
    aim to = { -1, -1, 0 };
    int done = 1;
    memset(r, 0, sizeof *r);
    memset(&g, 0, sizeof g);
    r->seed = seed;
    r->rows = 1 + (int64_t)(next_of(&s) % (slow ? 3 : 5));
    if (next_of(&s) % (slow ? 40 : 12) == 0) r->rows = 17;
    const int most = 2 + (int)(next_of(&s) % (MAX_OPS - 1));
    g.ctx = context(GTR_DEVICE_CPU, 1, 0, SEED);
    g.rows = r->rows;
    inputs_of(&g, seed);
    for (int i = 0; i < g.n; i++)
        if (!measure(&g, &g.v[i])) {
            snprintf(why, 500, "an input: %s", gtr_error_text(g.ctx));
            gtr_destroy(g.ctx);
            return false;
        }
    for (int tries = 0; r->n < (common ? most : MAX_OPS - 2) && tries < 60 && done >= 0; tries++) {
        drawn_op o;
        value *x = NULL;
        memset(&o, 0, sizeof o);
        if (!common) {
            if (to.a < 0 || met[to.a][to.b] || to.failed > 3) to = aim_drawn(&s);
            if (to.a >= 0) x = next_for_aim(&g, &s, &to, &o.generator);
        }
        if (!x) {
            const int last = next_of(&s) % 100 < 72 ? r->n - 1 : (int)(next_of(&s) % (uint64_t)(r->n + 1)) - 1;
            x = begins_with(&g, last, TAKES_FLOATS | TAKES_INTS, next_of(&s));
            if (!x) continue;
            o.generator = generator_drawn(&s, x, common);
        }
        o.from = x->op;
        if (!seed_for(&g, &s, x, generators[o.generator].takes, &o.seed)) continue;
        done = add_op(&g, r, &o, why);
        if (to.a >= 0 && !met[to.a][to.b]) to.failed++, tried[to.a][to.b]++;
    }
    memcpy(r->known, g.v, sizeof r->known);
    r->n_known = done < 0 ? 0 : g.n;
    gtr_destroy(g.ctx);
    return done >= 0;
}

/* What a recipe's values are, anew. False: it is none any more. */
static bool learn(recipe *q)
{
    static graph g;
    bool fine = true;
    memset(&g, 0, sizeof g);
    g.ctx = context(GTR_DEVICE_CPU, 1, 0, SEED);
    g.rows = q->rows;
    inputs_of(&g, q->seed);
    for (int i = 0; i < g.n && fine; i++) fine = measure(&g, &g.v[i]);
    for (int k = 0; k < q->n && fine; k++) {
        int i = g.n;
        fine = value_add(&g, build_op(&g, &q->op[k], k), k) != NULL && !gtr_error(g.ctx);
        for (; i < g.n && fine; i++) fine = measure(&g, &g.v[i]);
    }
    memcpy(q->known, g.v, sizeof q->known);
    q->n_known = g.n;
    gtr_destroy(g.ctx);
    return fine;
}

// >>ways
typedef struct way {
    const char *name;
    bool exact;   /* to the bit, but on a GPU */
    double limit; /* else: of differences, 0: LIMIT */
    bool kept, alone, literal, unfused, before, hand, saved, predicted, fitted, streamed, snapshot, staged, stepped,
        asked, lean, mapped, prefers, texts, differs,
        host; /* host: on the CPU, whatever the device; mapped: a GPU whose memory is the host's */
    int threads, micro, streams, replicas;
    enum { KEPT_ALL, FIRST_HALF, SECOND_HALF, BY_CHOICE, FEWEST_BYTES } recompute;
    gtr_precision precision;
} way;
typedef struct loss_of {
    gtr_tensor *total, *out[8], *dx[4];
    int n_out, n_dx;
} loss_of;

/* Whether leaf is among what t is computed of. */
static bool reaches(const gtr_tensor *t, const gtr_tensor *leaf)
{
    const int64_t n = t->id + 1;
    unsigned char *reach = (unsigned char *)calloc((size_t)n, 1);
    bool found;
    reach[t->id] = 1;
    for (int64_t i = t->id; i >= leaf->id; i--)
        for (int k = 0; reach[i] && k < t->ctx->graph.tensor[i]->n_in; k++)
            reach[t->ctx->graph.tensor[i]->in[k]->id] = 1;
    found = leaf->id < n && reach[leaf->id];
    free(reach);
    return found;
}
static bool needed(const loss_of *l, const gtr_tensor *t)
{
    bool any = l->total && reaches(l->total, t);
    for (int k = 0; k < l->n_out; k++) any |= reaches(l->out[k], t);
    return any;
}
/* What a graph computes: its values that no op took, and the sum of its losses and of what it makes of these. */
static void outputs_of(graph *g, loss_of *l)
{
    memset(l, 0, sizeof *l);
    for (int i = 0; i < g->n; i++)
        for (int k = 0; k < g->n_loss; k++) g->mixes |= g->v[i].users && g->v[i].t == g->loss[k];
    for (int k = 0; k < g->n_loss; k++) {
        if (gtr_tensor_shape(g->loss[k]).ndim != 0) continue;
        l->total = !l->total ? g->loss[k]
                             : made(g, gtr_add(l->total, g->loss[k]), "gtr_add(%s, %s)", id(l->total), id(g->loss[k]));
    }
    if (g->n_loss && g->n % 2) { /* one of them counts twice */
        gtr_tensor *half = made(g, gtr_scale(g->loss[0], 0.5f, 0), "gtr_scale(%s, 0.5f, 0)", id(g->loss[0]));
        if (gtr_tensor_shape(g->loss[0]).ndim == 0 && l->total && half)
            l->total = made(g, gtr_add(l->total, half), "gtr_add(%s, %s)", id(l->total), id(half));
    }
    for (int i = g->n - 1; i >= 0 && l->n_out < 6; i--) {
        value *v = &g->v[i];
        if (v->users) continue;
        l->out[l->n_out++] = v->t;
        bool is_loss = false;
        for (int k = 0; k < g->n_loss; k++) is_loss |= g->loss[k] == v->t;
        if (v->ints || is_loss) continue;
        gtr_tensor *s = made(g, gtr_scale(v->t, 1, 0.3f), "gtr_scale(%s, 1, 0.3f)", id(v->t)),
                   *q = made(g, gtr_square(s), "gtr_square(%s)", id(s));
        gtr_tensor *m = made(g, gtr_mean(q, NULL, 0, false), "gtr_mean(%s, NULL, 0, false)", id(q));
        if (m) l->total = !l->total ? m : made(g, gtr_add(l->total, m), "gtr_add(%s, %s)", id(l->total), id(m));
    }
    if (!l->total) return;
    for (int k = 0; k < g->n_leaf && l->n_dx < 3; k++) {
        const leaf *f = &g->leaf[k];
        if (f->t->op != GTR__OP_INPUT || f->t->dtype != GTR_F32) continue;
        gtr_tensor *d = made(g, gtr_gradient(l->total, f->t), "gtr_gradient(%s, %s)", id(l->total), id(f->t));
        if (d) l->dx[l->n_dx++] = d;
    }
    for (int i = g->n - 1; i >= 0; i--) { /* and by an inner value, as a state of a loop of cells */
        const value *v = &g->v[i];
        if (v->op < 0 || v->ints || !v->users || g->stops || !reaches(l->total, v->t)) continue;
        gtr_tensor *d = made(g, gtr_gradient(l->total, v->t), "gtr_gradient(%s, %s)", id(l->total), id(v->t));
        if (d) l->dx[l->n_dx++] = d;
        break;
    }
}
static gtr_float *section_add(result *r, int kind, int of, int64_t count)
{
    if (r->n == SECTIONS || r->used + count > MOST_FLOATS) return NULL;
    section *s = &r->s[r->n++];
    s->kind = kind;
    s->of = of;
    s->at = r->used;
    s->count = (int)count;
    r->used += (int)count;
    return r->v + s->at;
}
static bool fetch(graph *g, result *r, int kind, int of, gtr_tensor *t)
{
    gtr_shape s = gtr_tensor_shape(t);
    int64_t n = 1;
    for (int k = 0; k < s.ndim; k++) n *= s.dim[k] < 0 ? -s.dim[k] * g->rows : s.dim[k];
    gtr_float *to = section_add(r, kind, of, n);
    if (!to) return true; /* too much: left out, in all ways */
    if (gtr_tensor_dtype(t) == GTR_I32) {
        int32_t *ints = (int32_t *)malloc((size_t)(n + 1) * 4);
        gtr_get(t, ints, (size_t)n * 4);
        for (int64_t i = 0; i < n; i++) to[i] = (gtr_float)ints[i];
        free(ints);
    } else gtr_get(t, to, (size_t)n * sizeof(gtr_float));
    if (kind == INNER && ((g->wants_batch && strstr(gtr_error_text(g->ctx), "did not need it")) ||
                             strstr(gtr_error_text(g->ctx), "been used"))) {
        gtr_error_clear(g->ctx);
        r->n--;
        r->used -= (int)n;
    } /* its shape alone was */
    return gtr_error(g->ctx) == GTR_OK;
}
static bool trained(const gtr_trainer *t, const gtr_tensor *p)
{
    for (int k = 0; k < t->params.n; k++)
        if (t->params.tensor[k] == p) return true;
    return false;
}
static void fetch_parameters(graph *g, result *r, int kind, gtr_trainer *t)
{
    for (int64_t i = g->first_parameter; i < gtr_parameter_count(g->ctx) && !gtr_error(g->ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(g->ctx, i);
        const gtr_shape s = gtr_tensor_shape(p);
        if (gtr_tensor_dtype(p) != GTR_F32) continue;
        if (kind != DW) {
            fetch(g, r, kind, (int)(i - g->first_parameter), p);
            continue;
        }
        int64_t n = 1;
        for (int k = 0; k < s.ndim; k++) n *= s.dim[k];
        if (!trained(t, p)) continue;
        gtr_float *to = section_add(r, kind, (int)(i - g->first_parameter), n);
        if (to) gtr_gradient_get(t, p, to, (size_t)n * sizeof(gtr_float));
    }
}
static void set_all(const graph *g)
{
    for (int k = 0; k < g->n_leaf; k++)
        if (g->leaf[k].t->op != GTR__OP_CONSTANT) set_leaf(g, &g->leaf[k]);
}
#define LR 0.02f
static gtr_optimizer optimizer_of(const recipe *r)
{
    uint64_t s = r->seed + 17;
    return next_of(&s) % 3 ? GTR_SGD : (gtr_optimizer)(next_of(&s) % 6);
}
static gtr_trainer *trainer_of(const graph *g, const recipe *r, const way *w, gtr_tensor *loss)
{
    gtr_trainer_desc d;
    memset(&d, 0, sizeof d);
    uint64_t s = r->seed + 18;
    d.optimizer = optimizer_of(r);
    d.lr = LR;
    d.clip_norm = next_of(&s) % 4 ? 0 : 0.5f;
    d.precision = w->precision;
    d.loss_scale = w->precision == GTR_MIXED_FP16 ? 8.0f : 0;
    d.weight_decay = next_of(&s) % 4 ? 0 : 0.01f;
    d.micro_batches = w->micro;
    d.streams = w->streams;
    d.no_matchers = w->unfused;
    (void)g;
    d.recompute = w->recompute == FEWEST_BYTES;
    gtr_trainer *t = gtr_trainer_create(loss, d);
    if (t && w->recompute == BY_CHOICE) { /* one of the choices, which bytes alone would not all reach */
        const int share = 1 + (int)(next_of(&s) % GTR__AGAIN_SHARES);
        t->desc.recompute = 1;
        t->again.choice = GTR__AGAIN(share, (int)(next_of(&s) % GTR__AGAIN_PARTS));
        t->again.batch = INT64_MAX;
    }
    return t;
}
static void columns_of(const graph *g, gtr_arrays_desc *a, void **kept, int64_t rows)
{
    int n = 0;
    memset(a, 0, sizeof *a);
    a->rows = rows;
    for (int k = 0; k < g->n_leaf; k++) {
        const leaf *l = &g->leaf[k];
        if (!l->batched || l->t->op != GTR__OP_INPUT || n == GTR_MAX_COLUMNS) continue;
        if (l->shape.dim[0] != -1) {
            free(kept[0]);
            kept[0] = NULL;
            a->column[0].data = NULL;
            return;
        }
        gtr_column *c = &a->column[n];
        const bool ints = l->t->dtype == GTR_I32;
        kept[n] = calloc((size_t)(row_of(&l->shape) * rows + 1), sizeof(gtr_float));
        graph more = *g;
        more.rows = rows;
        leaf *of = &more.leaf[k];
        fill_leaf(&more, of, kept[n]);
        c->data = kept[n];
        c->dtype = ints ? GTR_I32 : sizeof(gtr_float) == 8 ? GTR_F64 : GTR_F32;
        c->name = l->name;
        c->shape = l->shape;
        c->shape = without(c->shape, 0);
        n++;
    }
}
static bool input_used(const loss_of *l, const gtr_tensor *t) { return reaches(l->total, t); }
static void fit(graph *g, const loss_of *l, result *r, gtr_trainer *t, const way *w)
{
    gtr_arrays_desc a;
    void *kept[GTR_MAX_COLUMNS] = { 0 };
    columns_of(g, &a, kept, g->rows);
    int n = 0;
    for (int k = 0; k < GTR_MAX_COLUMNS && a.column[k].data; k++) { /* columns of inputs that the loss reads */
        for (int i = 0; i < g->n_leaf; i++)
            if (!strcmp(g->leaf[i].name, a.column[k].name) && input_used(l, g->leaf[i].t)) {
                a.column[n++] = a.column[k];
                break;
            }
    }
    for (int k = n; k < GTR_MAX_COLUMNS; k++) memset(&a.column[k], 0, sizeof a.column[k]);
    gtr_dataset *d = n ? gtr_dataset_arrays(g->ctx, a) : NULL;
    if (d && w->streamed) gtr_dataset_stream(d, GTR_STREAM_ALWAYS);
    gtr_fit_desc f;
    memset(&f, 0, sizeof f);
    f.epochs = 2;
    f.batch = g->rows;
    f.no_shuffle = true;
    f.silent = true;
    if (d) {
        gtr_fit(t, d, f);
        fetch_parameters(g, r, W2, NULL);
    }
    for (int k = 0; k < GTR_MAX_COLUMNS; k++) free(kept[k]);
}
static void predict(graph *g, const loss_of *l, result *r, const way *w)
{
    gtr_predictor_desc d;
    memset(&d, 0, sizeof d);
    const void *in[8];
    void *out[8], *data[8] = { 0 }, *to[8] = { 0 };
    int n = 0, outs = 0, of[8];
    for (int k = 0; k < l->n_out && outs < 8; k++) {
        const gtr_shape s = gtr_tensor_shape(l->out[k]);
        if (batch_axis(&s) != 0 || gtr__moves(through(l->out[k])->op) == GTR__MOVES_LEAF) continue;
        for (int i = 1; i < s.ndim; i++)
            if (s.dim[i] < 0) goto next;
        for (int i = 0; i < outs; i++)
            if (through(d.out[i]) == through(l->out[k])) goto next;
        of[outs] = k;
        d.out[outs++] = l->out[k];
    next:;
    }
    for (int k = 0; k < g->n_leaf && n < 8; k++) {
        const leaf *f = &g->leaf[k];
        bool used = false;
        if (f->t->op != GTR__OP_INPUT || !f->batched) continue;
        for (int q = 0; q < outs; q++) used |= reaches(d.out[q], f->t);
        if (!used) continue;
        if (n == 7) {
            n = 0;
            break;
        } /* too many */
        d.in[n] = f->t;
        data[n] = calloc((size_t)(count_of(g, &f->shape) + 1), sizeof(gtr_float));
        fill_leaf(g, f, data[n]);
        in[n] = data[n];
        n++;
    }
    d.max_rows = g->rows;
    d.snapshot = w->snapshot;
    gtr_predictor *p = n && outs ? gtr_predictor_create_ex(g->ctx, d) : NULL;
    if (p) {
        for (int k = 0; k < outs; k++) {
            gtr_shape s = gtr_tensor_shape(d.out[k]);
            to[k] = calloc((size_t)(count_of(g, &s) + 1), sizeof(gtr_float));
            out[k] = to[k];
        }
        if (gtr_predict_ex(p, in, g->rows, out) != GTR_OK) {
            r->failed = true;
            snprintf(r->why, sizeof r->why, "gtr_predict_ex: %s", gtr_predictor_error_text(p));
        }
        for (int k = 0; k < outs && !r->failed; k++) {
            gtr_shape s = gtr_tensor_shape(d.out[k]);
            const int64_t c = count_of(g, &s);
            gtr_float *v = section_add(r, OUT, of[k], c);
            for (int64_t i = 0; i < c && v; i++)
                v[i] =
                    gtr_tensor_dtype(d.out[k]) == GTR_I32 ? (gtr_float)((int32_t *)to[k])[i] : ((gtr_float *)to[k])[i];
        }
        gtr_predictor_destroy(p);
    }
    for (int k = 0; k < 8; k++) {
        free(data[k]);
        free(to[k]);
    }
}
/* Gradients by parameters as tensors, evaluated in training mode: what a trainer computes by another way through the
 * plan. */
static void asked_for(graph *g, const loss_of *l, result *r)
{
    gtr_tensor *all[8];
    int of[8], n = 0;
    for (int64_t i = g->first_parameter; i < gtr_parameter_count(g->ctx) && n < 8; i++) {
        gtr_tensor *p = gtr_parameter_at(g->ctx, i);
        if (!gtr_parameter_trainable(p) || !reaches(l->total, p)) continue;
        of[n] = (int)(i - g->first_parameter);
        all[n++] = gtr_gradient(l->total, p);
    }
    if (n) gtr_eval_train(all, n);
    for (int k = 0; k < n && !gtr_error(g->ctx); k++) fetch(g, r, DW, of[k], all[k]);
}
/* Gradients against central differences, of a few elements of each tensor. Where the slopes on the two sides of an
   element do not come closer with the distance there is a kink, of which a gradient is either's or neither's. */
static long compared, kinks;
static double loss_at(graph *g, const loss_of *l, bool trains, gtr_tensor *at, const gtr_float *v, size_t bytes)
{
    gtr_float y = (gtr_float)NAN;
    gtr_tensor *total = l->total;
    set_all(g);
    gtr_set(at, v, bytes);
    if (trains) gtr_eval_train(&total, 1);
    else gtr_eval(&total, 1);
    gtr_get(total, &y, sizeof y);
    return (double)y;
}
static bool differs_at(graph *g, const loss_of *l, bool trains, gtr_tensor *p, gtr_float *v, int64_t n, int64_t i,
    double d, char *why)
{
    const gtr_float was = v[i];
    const size_t bytes = (size_t)n * sizeof *v;
    const double h = 1e-5 * fmax(1, fabs((double)was));
    double f[5], slope[4];
    for (int k = 0; k < 5; k++) {
        v[i] = (gtr_float)((double)was + h * (k - 2));
        f[k] = loss_at(g, l, trains, p, v, bytes);
    }
    v[i] = was;
    for (int k = 0; k < 4; k++) slope[k] = (f[k + 1] - f[k]) / h;
    const double by = (f[3] - f[1]) / (2 * h), wide = (f[4] - f[0]) / (4 * h), bends = slope[2] - slope[1],
                 near = 1e-6 * (fabs(by) + fabs(d)) + 1e-9 * (1 + fabs(f[2])), /* rounding, and the third derivative */
                 uneven = fmax(fabs(slope[3] - 2 * slope[2] + slope[1]), fabs(slope[2] - 2 * slope[1] + slope[0]));
    compared++;
    if (fabs(by - d) <= near) return false;
    if (!(fabs(by - wide) <= near) || uneven > 0.2 * fabs(bends) + near) {
        kinks++;
        return false;
    }
    snprintf(
        why, 500, "gradient by \"%s\", element %d: %.12g and, by differences, %.12g", gtr__label(p), (int)i, d, by);
    return true;
}
static int differences(graph *g, const loss_of *l, uint64_t seed, result *r)
{
    gtr_tensor *of[8], *d[8];
    uint64_t s = seed + 3;
    int n = 0;
    const bool trains = next_of(&s) % 2;
    for (int k = 0; k < g->n_leaf && n < 4; k++)
        if (g->leaf[k].t->op == GTR__OP_INPUT && g->leaf[k].t->dtype == GTR_F32 && !g->leaf[k].fixed &&
            reaches(l->total, g->leaf[k].t))
            of[n++] = g->leaf[k].t;
    for (int64_t i = g->first_parameter; i < gtr_parameter_count(g->ctx) && n < 8; i++) {
        gtr_tensor *p = gtr_parameter_at(g->ctx, i);
        if (gtr_parameter_trainable(p) && reaches(l->total, p)) of[n++] = p;
    }
    for (int k = 0; k < n; k++) d[k] = gtr_gradient(l->total, of[k]);
    if (gtr_error(g->ctx)) return 0;
    for (int k = 0; k < n && !r->failed && !gtr_error(g->ctx); k++) {
        const gtr_shape shape = gtr_tensor_shape(of[k]);
        const int64_t all = count_of(g, &shape);
        gtr_float *v = (gtr_float *)calloc((size_t)all + 1, sizeof *v),
                  *by = (gtr_float *)calloc((size_t)all + 1, sizeof *v);
        const leaf *f = NULL;
        for (int i = 0; i < g->n_leaf; i++)
            if (g->leaf[i].t == of[k]) f = &g->leaf[i];
        set_all(g);
        if (f) fill_leaf(g, f, v);
        else gtr_get(of[k], v, (size_t)all * sizeof *v);
        if (trains) gtr_eval_train(&d[k], 1);
        else gtr_eval(&d[k], 1);
        gtr_get(d[k], by, (size_t)all * sizeof *v);
        for (int i = 0; i < 2 && !r->failed && !gtr_error(g->ctx); i++) {
            const int64_t e = (int64_t)(next_of(&s) % (uint64_t)all);
            r->failed = differs_at(g, l, trains, of[k], v, all, e, (double)by[e], r->why);
        }
        gtr_set(of[k], v, (size_t)all * sizeof *v);
        free(v);
        free(by);
    }
    return n ? 1 : -1;
}
/* Whether a permutation is on the way to t: its steps may lie elsewhere than in dimension 1. */
static bool moves_steps(const gtr_tensor *t, int depth)
{
    if (gtr__moves(t->op) == GTR__MOVES_PERMUTED || depth > 60) return true;
    for (int k = 0; k < t->n_in; k++)
        if (moves_steps(t->in[k], depth + 1)) return true;
    return false;
}
/* By a predictor of .steps, each output that has one: of T steps what is an output's step, or what comes at the
 * window's end. 1: some had; -1: none. */
static int steps_of(graph *g, const loss_of *l, result *r)
{
    int any = -1, in = NONE, n_in = 0;
    for (int k = 0; k < g->n_leaf; k++)
        if (g->leaf[k].t->op == GTR__OP_INPUT && g->leaf[k].batched && needed(l, g->leaf[k].t)) {
            in = k;
            n_in++;
        }
    const leaf *f = in < 0 ? NULL : &g->leaf[in];
    if (n_in != 1 || f->shape.ndim < 2 || f->shape.dim[0] != -1 || (f->shape.ndim < 3 && !f->t->dtype)) return -1;
    const int64_t steps = f->shape.dim[1], row = row_of(&f->shape), each = row / steps;
    for (int k = 0; k < l->n_out && !r->failed; k++) {
        const gtr_shape s = gtr_tensor_shape(l->out[k]);
        gtr_predictor_desc d;
        memset(&d, 0, sizeof d);
        if (batch_axis(&s) != 0 || s.dim[0] != -1 || gtr_tensor_dtype(l->out[k]) == GTR_I32 ||
            gtr__moves(through(l->out[k])->op) == GTR__MOVES_LEAF || moves_steps(l->out[k], 0))
            continue;
        d.out[0] = l->out[k];
        d.max_rows = g->rows;
        d.steps = true;
        gtr_predictor *p = gtr_predictor_create_ex(g->ctx, d);
        if (!p) {
            gtr_error_clear(g->ctx);
            continue;
        } /* it has no such steps */
        const int64_t out = row_of(&s);
        char *all = (char *)calloc((size_t)(row * g->rows + 1), sizeof(gtr_float)),
             *one = (char *)calloc((size_t)(row * g->rows + 1), sizeof(gtr_float));
        gtr_float *to = (gtr_float *)calloc((size_t)(out * g->rows + 1), sizeof(gtr_float)),
                  *v = section_add(r, OUT, k, out * g->rows);
        const size_t size = f->t->dtype == GTR_I32 ? 4 : sizeof(gtr_float);
        fill_leaf(g, f, all);
        for (int64_t t = 0; t < steps && v && !r->failed; t++) {
            for (int64_t i = 0; i < g->rows; i++)
                memcpy(one + (size_t)(i * each) * size, all + (size_t)(i * row + t * each) * size, (size_t)each * size);
            for (int64_t i = 0; i < out * g->rows; i++) to[i] = (gtr_float)NAN;
            if (gtr_predict_next(p, one, g->rows, to)) {
                r->failed = true;
                snprintf(r->why, sizeof r->why, "gtr_predict_next, step %d of %d: %s", (int)t, (int)steps,
                    gtr_predictor_error_text(p));
            }
            int64_t wrote = out * g->rows;
            while (wrote && to[wrote - 1] != to[wrote - 1]) wrote--;
            if (wrote < out * g->rows && (s.ndim < 2 || s.dim[1] != steps)) {
                r->n--;
                r->used -= (int)(out * g->rows);
                break;
            }                                                                      /* its steps lie elsewhere */
            if (wrote == out * g->rows) memcpy(v, to, sizeof *to * (size_t)wrote); /* as if the window ended here */
            else
                for (int64_t i = 0; i < g->rows; i++)
                    memcpy(v + i * out + t * (out / steps), to + i * (out / steps), sizeof *to * (size_t)(out / steps));
        }
        gtr_predictor_destroy(p);
        free(all);
        free(one);
        free(to);
        any = 1;
    }
    return any;
}
/* Inputs that are kept are, behind a step, what was set. */
static void inputs_stay(graph *g, const loss_of *l, result *r)
{
    for (int k = 0; k < g->n_leaf && !gtr_error(g->ctx) && !r->failed; k++) {
        const leaf *f = &g->leaf[k];
        const size_t bytes = (size_t)count_of(g, &f->shape) * sizeof(gtr_float);
        if (f->t->op != GTR__OP_INPUT || f->t->dtype != GTR_F32 || !reaches(l->total, f->t)) continue;
        gtr_float *a = (gtr_float *)calloc(1, bytes + 8), *b = (gtr_float *)calloc(1, bytes + 8);
        fill_leaf(g, f, a);
        gtr_get(f->t, b, bytes);
        if (strstr(gtr_error_text(g->ctx), "been used")) gtr_error_clear(g->ctx); /* its shape alone was */
        else if (memcmp(a, b, bytes) != 0) {
            r->failed = true;
            snprintf(r->why, sizeof r->why, "input %s, kept, is not what was set", f->name);
        }
        free(a);
        free(b);
    }
}
/* A product sums over a strided view's dimensions one by one, over a copy's rows as one. */
static int views_of(const gtr_context *ctx)
{
    int views = 0;
    for (const gtr__plan_entry *e = ctx->cache.newest; e; e = e->next)
        for (int i = 0; i < e->plan.n_node; i++) {
            const gtr__node *n = &e->plan.node[i];
            for (int k = 0; gtr__moves(n->op) == GTR__MOVES_PRODUCT && k < n->n_in; k++)
                views += n->in[k] >= 0 && e->plan.value[n->in[k]].view != 0;
        }
    return views;
}
static long lean_plans;
static void plans_noted(const gtr_context *ctx, bool compiles)
{
    uncompiled = programs = 0;
    for (const gtr__plan_entry *e = ctx->cache.newest; e; e = e->next) {
        note_plan(ctx->be, &e->plan, compiles);
        lean_plans += e->lean;
    }
}
static bool sums_come_late(const gtr_context *ctx)
{
    bool any = false;
    for (const gtr__plan_entry *e = ctx->cache.newest; e; e = e->next)
        any |= spans_halves(&e->plan) || has_lookups(&e->plan);
    return any;
}
/* Whether a way is one that must not matter to what this graph has. */
static bool fits(const graph *g, const way *w, int64_t rows)
{
    if (w->hand && (!g->hand || g->draws || g->jumps || (g->ties && g->batch_norms) || low_precision()))
        return false; /* 16 bits round other values there */
    if (w->differs && (sizeof(gtr_float) != 8 || g->stops || g->draws || g->drops || g->carries || w->predicted ||
                          w->stepped || w->fitted || w->asked))
        return false;
    if ((w->mapped || w->replicas) && (device == GTR_DEVICE_CPU || w->host)) return false; /* nothing differs there */
    if (w->micro && (g->mixes || g->batch_norms || w->micro > rows)) return false;
    if (w->fitted && (g->mixes || w->literal)) return false;
    if ((w->alone || w->saved || w->before) && g->draws) return false; /* each run draws anew */
    if (w->asked &&
        (low_precision() || g->drops || g->draws || g->carries || w->micro || w->predicted || w->stepped || w->fitted))
        return false; /* masks of an evaluation are its own */
    if ((w->predicted || w->stepped) && (g->draws || g->keeps || w->kept)) return false;
    if (g->carries && (w->fitted || w->literal || w->micro || w->staged || w->stepped))
        return false; /* an epoch begins with zeros */
    if (w->before && w->fitted) return true;
    return !w->literal || !(g->wants_batch || g->draws || g->drops); /* masks go by rows of a batch */
}
/* Bytes that the graph of a seed took of the device, where no limit was. */
static struct {
    uint64_t seed;
    bool host;
    size_t bytes;
} took;
static int texts; /* programs whose text may be compiled, so far */
static bool multiplies(const graph *g)
{
    for (int64_t i = 0; i < g->ctx->graph.n_tensor; i++) {
        const char *name = gtr__row((gtr__op)g->ctx->graph.tensor[i]->op)->name;
        static const char *const products[] = { "matmul", "linear", "conv", "attend", "lstm", "gru", "rnn" };
        for (int k = 0; k < (int)(sizeof products / sizeof *products); k++)
            if (strstr(name, products[k])) return true;
    }
    return false;
}
/* What a way sets before a graph is computed, and what it leaves. */
static void prefer(graph *g, const recipe *q, const way *w)
{
    const int k = preferred_by(q->seed);
    if (w->prefers && device == GTR_DEVICE_CPU) {
        g->ctx->caps.by = preferred[k].by;
        preferred[k].met++;
    }
    if (!emulated()) return;
    memset(&emu_prefers, 0, sizeof emu_prefers);
    if (w->prefers && preferred[k].way.given) emu_prefers = preferred[k].way;
    else if (w->prefers) {
        g->ctx->caps.general = 1;
        g->ctx->caps.without = ~(uint32_t)0;
        g->ctx->general = g->ctx->caps;
    }
    if (w->prefers) preferred[k].met++;
    emu_texts_of = "gtr__k_program";
    emu_texts = w->texts ? texts : 0;
}
/* Runs a recipe one way. 1: done; 0: failed, r->why says how; -1: this way is not for it. */
static int run(const recipe *q, const way *w, uint64_t data, result *r, char *text, size_t room, bool note)
{
    static graph g;
    loss_of l;
    size_t limit = 0;
    if (w->lean) {
        if (took.seed != q->seed || took.host != w->host || !took.bytes) {
            way free_of = *w;
            free_of.lean = false;
            if (run(q, &free_of, data, r, NULL, 0, false) != 1) return -1;
        }
        uint64_t s = q->seed + 5;
        limit = took.bytes / 100 * (50 + next_of(&s) % 50);
    }
    memset(&g, 0, sizeof g);
    r->used = r->n = 0;
    r->failed = false;
    r->why[0] = 0;
    r->normalises = optimizer_of(q) != GTR_SGD;
    g.rows = q->rows;
    g.literal = w->literal;
    g.keep = w->kept;
    g.by_hand = w->hand;
    g.data = data;
    g.text = text;
    g.room = room;
    if (q->n_known) {
        memcpy(g.v, q->known, sizeof g.v);
        g.known = true;
        g.n_known = q->n_known;
    }
    g.ctx = context(w->host ? GTR_DEVICE_CPU : device, w->threads ? w->threads : 1, limit, SEED + data);
    if (device != GTR_DEVICE_CPU && q->seed % 2) g.ctx->caps.chains = 1; /* at any cost */
    if (device != GTR_DEVICE_CPU && !w->host) g.ctx->caps.mapped = w->mapped;
    if (w->replicas) *(q->seed % 2 ? &g.ctx->replicas.devices : &g.ctx->replicas.ranks) = w->replicas;
    if (w->unfused) {
        memset(g.ctx->caps.unfused, 1, sizeof g.ctx->caps.unfused);
        g.ctx->caps.without = 0x7fffffff;
        g.ctx->caps.apart = 1;
    }
    if (w->before) { /* another graph, that trained */
        gtr_tensor *x = gtr_input(g.ctx, "other", GTR_F32, gtr_shape2(GTR_BATCH, 5)),
                   *h = gtr_linear(gtr_leaky_relu(gtr_linear(x, "other1", 7), 0.2f), "other2", 3);
        gtr_float v[15];
        for (int i = 0; i < 15; i++) v[i] = (gtr_float)(0.1 * i);
        gtr_trainer_desc d;
        memset(&d, 0, sizeof d);
        gtr_set(x, v, sizeof v);
        gtr_trainer *t = gtr_trainer_create(gtr_mean(gtr_square(h), NULL, 0, false), d);
        gtr_step(t);
        g.first_parameter = gtr_parameter_count(g.ctx);
    }
    const int half = q->n / 2,
              from = w->recompute == FIRST_HALF ? 0 : w->recompute == SECOND_HALF ? half : NONE,
              to = w->recompute == FIRST_HALF ? half : w->recompute == SECOND_HALF ? q->n - 1 : NONE;
    if (!build(&g, q, from, to, w->staged ? half : NONE)) {
        const bool short_of = limit && gtr_error(g.ctx) == GTR_ERR_NOMEM;
        snprintf(r->why, sizeof r->why, "not built: %s", gtr_error_text(g.ctx));
        gtr_destroy(g.ctx);
        /* by hand: a loss sees there what it refuses */
        return g.wants_batch || short_of || (w->hand && strstr(r->why, ", want lo")) ? -1 : 0;
    }
    outputs_of(&g, &l);
    for (int k = 0; k < g.n_leaf && w->kept; k++)
        if (g.leaf[k].t->op == GTR__OP_INPUT) gtr_keep(g.leaf[k].t);
    int done = 1;
    if (!l.total || gtr_error(g.ctx)) {
        snprintf(r->why, sizeof r->why, "no loss: %s", gtr_error_text(g.ctx));
        done = gtr_error(g.ctx) ? 0 : -1;
    } else if (!fits(&g, w, q->rows)) done = -1;
    if (done == 1 && w->texts && !emulated()) done = -1;
    if (done == 1 && w->prefers) done = (emulated() || device == GTR_DEVICE_CPU) && multiplies(&g) ? 1 : -1;
    if (done == 1) {
        prefer(&g, q, w);
        set_all(&g);
        if (w->differs) done = differences(&g, &l, q->seed, r);
        else if (w->asked) asked_for(&g, &l, r);
        else if (w->stepped) done = steps_of(&g, &l, r);
        else if (w->predicted) predict(&g, &l, r, w);
        else if (w->alone) {
            for (int k = 0; k < l.n_out; k++) {
                gtr_eval(&l.out[k], 1);
                fetch(&g, r, OUT, k, l.out[k]);
            }
            for (int i = 0; i < g.n && !gtr_error(g.ctx); i++)
                if (g.v[i].op >= 0) {
                    gtr_eval(&g.v[i].t, 1);
                    fetch(&g, r, INNER, i, g.v[i].t);
                }
            for (int k = 0; k < l.n_dx && !gtr_error(g.ctx); k++) {
                gtr_eval(&l.dx[k], 1);
                fetch(&g, r, DX, k, l.dx[k]);
            }
        } else if (!w->fitted) {
            gtr_tensor *all[12];
            int n = 0;
            for (int k = 0; k < l.n_out; k++) all[n++] = l.out[k];
            for (int k = 0; k < l.n_dx; k++) all[n++] = l.dx[k];
            gtr_eval(all, n);
            for (int k = 0; k < l.n_out; k++) fetch(&g, r, OUT, k, l.out[k]);
            for (int i = 0; i < g.n && w->kept && !gtr_error(g.ctx); i++)
                if (g.v[i].op >= 0 && needed(&l, g.v[i].t)) fetch(&g, r, INNER, i, g.v[i].t);
            for (int k = 0; k < l.n_dx; k++) fetch(&g, r, DX, k, l.dx[k]);
        }
        bool trains = false;
        for (int64_t i = g.first_parameter; i < gtr_parameter_count(g.ctx); i++)
            trains |=
                gtr_parameter_trainable(gtr_parameter_at(g.ctx, i)) && reaches(l.total, gtr_parameter_at(g.ctx, i));
        if (trains && !w->differs && !w->asked && !w->predicted && !w->stepped && !w->alone && !gtr_error(g.ctx) &&
            !r->failed) {
            gtr_trainer *t = trainer_of(&g, q, w, l.total);
            if (!t && strstr(gtr_error_text(g.ctx), "depends on no parameter")) gtr_error_clear(g.ctx);
            if (w->fitted && t) fit(&g, &l, r, t, w);
            else if (t) {
                gtr_backward(t);
                gtr_float *v = section_add(r, LOSS, 0, 1);
                if (v) *v = (gtr_float)gtr_loss(t);
                fetch_parameters(&g, r, DW, t);
                gtr_update(t);
                fetch_parameters(&g, r, W1, NULL);
                if (w->saved && !gtr_error(g.ctx)) { /* what comes back is what was */
                    const size_t bytes = gtr_checkpoint_bytes(t);
                    void *at = malloc(bytes + 1);
                    gtr_checkpoint_get(t, at, bytes);
                    gtr_step(t);
                    gtr_step(t);
                    gtr_checkpoint_set(t, at, bytes);
                    free(at);
                }
                gtr_step(t);
                gtr_wait(g.ctx);
                fetch_parameters(&g, r, W2, NULL);
                if (w->kept) inputs_stay(&g, &l, r);
            }
        }
        if (note) plans_noted(g.ctx, w->texts);
        if (w->replicas && sums_come_late(g.ctx)) {
            snprintf(r->why, sizeof r->why, "gradients that no replica's sum can change are used");
            r->failed = true;
        }
        r->views = views_of(g.ctx);
        if (emulated()) emu_prefers.given = emu_texts = 0;
        took.seed = q->seed;
        took.host = w->host;
        took.bytes = limit ? 0 : g.ctx->memory.device_bytes;
    }
    if (gtr_error(g.ctx)) {
        const char *e = gtr_error_text(g.ctx);
        snprintf(r->why, sizeof r->why, "%s", e);
        done = gtr_error(g.ctx) == GTR_ERR_NONFINITE || gtr_error(g.ctx) == GTR_ERR_NOMEM ? -1 : 0;
    } else if (r->failed) done = 0;
    gtr_destroy(g.ctx);
    return done;
}

// >>comparing
static const char *const kind_names[] = { "output", "inner value", "gradient by input", "gradient by parameter",
    "parameter, after a step,", "parameter, after two steps,", "loss" };
/* False: they differ; why says in what. */
static bool agree(const result *a, const result *b, bool exact, double limit, char *why)
{
    const bool low = precision == GTR_MIXED_BF16 || precision == GTR_MIXED_FP16;
    double steep = 0; /* the largest gradient: what is 0 but for rounding is small beside it */
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < a->s[i].count && (a->s[i].kind == DX || a->s[i].kind == DW); j++)
            steep = fmax(steep, fabs((double)a->v[a->s[i].at + j]));
    for (int i = 0; i < b->n; i++)
        for (int k = 0; k < a->n; k++) {
            if (!exact && a->normalises && (b->s[i].kind == W1 || b->s[i].kind == W2))
                continue; /* by signs of what may be rounding errors */
            const section *s = &b->s[i], *t = &a->s[k];
            const bool gradient = s->kind == DX || s->kind == DW, updated = s->kind == W1 || s->kind == W2;
            double scale =
                       fmax(low ? 0.05 : 0.1, steep * (low ? 0.3 : 0.01) * (gradient ? 1 : updated ? 2 * LR : 0)),
                   most = 0;
            int at = 0;
            bool odd = false;
            if (s->kind != t->kind || s->of != t->of) continue;
            if (s->count != t->count) {
                snprintf(why, 300, "%s %d has %d and %d elements", kind_names[s->kind], s->of, t->count, s->count);
                return false;
            }
            if (exact && !memcmp(a->v + t->at, b->v + s->at, sizeof(gtr_float) * (size_t)s->count)) continue;
            for (int j = 0; j < s->count; j++) {
                const double x = (double)a->v[t->at + j], y = (double)b->v[s->at + j], d = fabs(x - y);
                if ((x != x) != (y != y)) {
                    odd = true;
                    at = j;
                }
                if (x == y || (x != x && y != y)) continue;
                scale = fmax(scale, fabs(x));
                if (!(d <= most)) {
                    most = d;
                    at = j;
                }
            }
            if (!odd && !exact && most <= limit * scale * (s->kind == DX || s->kind == DW ? 3 : s->kind >= W1 ? 3 : 1))
                continue;
            if (!odd && exact && most == 0) continue; /* signs of zeros */
            snprintf(why, 300, "%s %d, element %d: %.9g and %.9g", kind_names[s->kind], s->of, at,
                (double)a->v[t->at + at], (double)b->v[s->at + at]);
            return false;
        }
    return true;
}
#ifdef GPUTRAIN_DOUBLE
#define LIMIT 1e-8
#else
#define LIMIT 2e-3
#endif
static const way ways[] = {
    /* the first two are each graph's */
    { .name = "every tensor kept", .limit = 1e-5, .kept = true },
    { .name = "without fusions and matchers", .exact = true, .unfused = true },
    { .name = "each fetched alone", .limit = 1e-5, .alone = true },
    { .name = "a literal batch", .limit = 1e-5, .literal = true },
    { .name = "three threads", .exact = true, .threads = 3 },
    { .name = "behind another graph", .exact = true, .before = true },
    { .name = "recomputed, the first half", .limit = 1e-4, .recompute = FIRST_HALF },
    { .name = "recomputed, the second half", .limit = 1e-4, .recompute = SECOND_HALF },
    { .name = "recomputed by choice", .limit = 1e-4, .recompute = BY_CHOICE },
    { .name = "recomputed to fewest bytes", .limit = 1e-4, .recompute = FEWEST_BYTES },
    { .name = "two streams", .exact = true, .streams = 2 },
    { .name = "two stages", .limit = 1e-4, .staged = true },
    { .name = "two micro-batches", .micro = 2 },
    { .name = "five micro-batches", .micro = 5 },
    { .name = "a predictor", .limit = 1e-5, .predicted = true },
    { .name = "a snapshot's predictor", .limit = 1e-5, .predicted = true, .snapshot = true },
    { .name = "a step at a time", .limit = 1e-5, .stepped = true },
    { .name = "by gtr_fit", .exact = true, .fitted = true },
    { .name = "by gtr_fit, streamed", .exact = true, .fitted = true, .streamed = true },
    { .name = "read in place", .exact = true, .mapped = true },
    { .name = "planned for two replicas", .exact = true, .replicas = 2 },
    { .name = "saved and loaded", .exact = true, .saved = true },
    { .name = "gradients asked for", .limit = 1e-4, .asked = true },
    { .name = "by other ops", .hand = true },
    { .name = "little memory", .limit = 1e-5, .lean = true },
    { .name = "products another way", .prefers = true },
    { .name = "by compiled texts", .texts = true },
    { .name = "differences", .differs = true },
    { .name = "as planned", .exact = true },
};
enum { WAYS = (int)(sizeof ways / sizeof *ways) };
enum { PREFERS = WAYS - 4, BY_TEXTS = WAYS - 3, DIFFERENCES = WAYS - 2 }; /* these alone are no ways that are drawn */
static long runs[WAYS], wrongs[WAYS];
/* What each graph on a GPU is computed by in turn, beside ways that are drawn. */
static const int on_gpu[4] = { WAYS - 1, 0, WAYS - 1, 1 };
/* A way, or, a third of the time, two at once. */
static int way_drawn(uint64_t *s)
{
    int k;
    do k = (int)(next_of(s) % 3 ? next_of(s) % WAYS : next_of(s) % (WAYS * (WAYS + 1)));
    while (k % WAYS == BY_TEXTS || (k >= WAYS && k / WAYS - 1 == BY_TEXTS));
    return k;
}
static const way as_planned = { .name = "as planned", .exact = true, .host = true };
/* Two ways at once. */
static way both(way a, way b)
{
    static char name[4][100];
    static int k;
    k = (k + 1) % 4;
    snprintf(name[k], sizeof name[k], "%s, %s", a.name, b.name);
    a.name = name[k];
    a.limit = GTR__MAX(a.exact ? 0 : a.limit > 0 ? a.limit : LIMIT, b.exact ? 0 : b.limit > 0 ? b.limit : LIMIT);
    a.exact &= b.exact;
    a.kept |= b.kept;
    a.alone |= b.alone;
    a.literal |= b.literal;
    a.unfused |= b.unfused;
    a.before |= b.before;
    a.hand |= b.hand;
    a.saved |= b.saved;
    a.predicted |= b.predicted;
    a.fitted |= b.fitted;
    a.streamed |= b.streamed;
    a.snapshot |= b.snapshot;
    a.staged |= b.staged;
    a.stepped |= b.stepped;
    a.asked |= b.asked;
    a.lean |= b.lean;
    a.mapped |= b.mapped;
    a.prefers |= b.prefers;
    a.texts |= b.texts;
    a.differs |= b.differs;
    if (b.threads) a.threads = b.threads;
    if (b.micro) a.micro = b.micro;
    if (b.streams) a.streams = b.streams;
    if (b.replicas) a.replicas = b.replicas;
    if (b.recompute) a.recompute = b.recompute;
    return a;
}

static result results[3];
static way with_precision(way w)
{
    w.precision = precision;
    return w;
}
/* The ways by number, and behind these two of them at once. In 16 bits a kernel that carries a step may round once
 * less. */
static way way_of(int k)
{
    way w = with_precision(k < WAYS ? ways[k] : both(ways[k % WAYS], ways[k / WAYS - 1]));
    if (w.hand && sizeof(gtr_float) == 8) w.limit = 1e-6; /* attributes are float32's */
    const bool low = low_precision();
    if (low && (w.lean || w.unfused || w.recompute || w.kept || w.staged)) w.exact = false;
    if (device != GTR_DEVICE_CPU) { /* another order of sums; TF32 is float32 on the CPU */
        w.exact = false;
        w.limit = precision == GTR_FP32         ? LIMIT
                  : precision == GTR_TF32       ? 0.02
                  : precision == GTR_MIXED_FP16 ? 0.02
                                                : 0.1;
    } else if (low && !w.exact) w.limit = precision == GTR_MIXED_BF16 ? 0.04 : 0.006;
    return w;
}
/* Whether results 0 and 1 are alike, the second a way. */
static bool alike(const way *w, char *why)
{
    const bool exact = w->exact && results[0].views == results[1].views;
    const double limit = w->limit > 0 ? w->limit : w->exact ? GTR__MIN(1e-5, LIMIT) : LIMIT;
    return agree(&results[0], &results[1], exact, limit, why);
}
/* Whether a recipe, computed a way, is as it is as planned. 1: so; 0: not; -1: it can't be said. */
static int check_way(const recipe *q, int k, uint64_t data, char *why)
{
    const way plain = with_precision(as_planned), w = way_of(k);
    const int a = run(q, &plain, data, &results[0], NULL, 0, false),
              b = a == 1 ? run(q, &w, data, &results[1], NULL, 0, false) : a;
    if (a == 0) {
        snprintf(why, 900, "as planned: %s", results[0].why);
        return 0;
    }
    if (b == 0) {
        snprintf(why, 900, "%s: %s", w.name, results[1].why);
        return 0;
    }
    if (b < 0) return -1;
    return alike(&w, why);
}
/* Whether what two ways in 16 bits (results 0 and 1) disagree in is rounding that the graph amplifies: float32 agrees
   with neither. */
static bool ill_conditioned(const recipe *q, const way *w)
{
    const gtr_precision low = precision;
    char why[900];
    if (!low_precision()) return false;
    precision = GTR_FP32;
    const way plain = with_precision(as_planned);
    const bool ran = run(q, &plain, 0, &results[2], NULL, 0, false) == 1;
    precision = low;
    return ran && !agree(&results[2], &results[0], false, w->limit, why) &&
           !agree(&results[2], &results[1], false, w->limit, why);
}
/* Leaves out one op after another while it stays wrong. */
static void make_small(recipe *q, int k)
{
    char why[900];
    for (bool more = true; more;) {
        more = false;
        for (int i = q->n - 1; i >= 0; i--) {
            recipe less = *q;
            const int by = q->op[i].from;
            for (int j = i; j + 1 < q->n; j++) less.op[j] = q->op[j + 1];
            less.n--;
            for (int j = i; j < less.n; j++) {
                if (less.op[j].from == i) less.op[j].from = by;
                else if (less.op[j].from > i) less.op[j].from--;
            }
            if (less.n < 1 || !learn(&less)) continue;
            if (check_way(&less, k, 0, why) == 0 && !strstr(why, "not built")) {
                *q = less;
                more = true;
                break;
            }
        }
    }
}
static void show(const recipe *q, const way *w)
{
    static char text[60000];
    way plain = with_precision(*w);
    run(q, &plain, 0, &results[2], text, sizeof text, false);
    printf("%s\n", text);
}

/* A crash says which graph it was: show=SEED builds that again. */
static unsigned long long at_seed;
static void crashed(int signal_number)
{
    printf("graph %llu: signal %d\n", at_seed, signal_number);
    fflush(stdout);
    _Exit(1);
}
static void kernel_ran(const char *name, long launches)
{
    static const char *const of[] = { "product_kernel", "wgmma_kernel", "few_kernel", "conv_kernel", "im2col_kernel",
        "lines_kernel", "lines_weight_kernel", "warps_kernel", "outer_kernel", "depthwise" };
    for (int k = 0; k < (int)(sizeof of / sizeof *of); k++)
        if (strstr(name, of[k])) {
            printf("  %6ld  launches of %.90s\n", launches, name);
            return;
        }
}
static gtr_device device_of(const char *name) { return !strcmp(name, "cuda") ? GTR_DEVICE_CUDA : GTR_DEVICE_CPU; }
static gtr_precision precision_of(const char *name)
{
    return !strcmp(name, "tf32")   ? GTR_TF32
           : !strcmp(name, "bf16") ? GTR_MIXED_BF16
           : !strcmp(name, "fp16") ? GTR_MIXED_FP16
                                   : GTR_FP32;
}
/* A process' part of 500 graphs in each precision, as the environment says. */
static void shared_graphs(uint64_t *seed, long *most)
{
    const char *part = getenv("GTR_TEST_PART"), *on = getenv("GTR_TEST_DEVICE");
    int k, n;
    if (!part || sscanf(part, "%d/%d", &k, &n) != 2 || k < 0 || k >= n) return;
    if (on) device = device_of(on);
    any_precision = false;
    precision = (gtr_precision)(k % 4);
    *seed = 1 + (uint64_t)(k / 4) * 100000;
    *most = (2000 + n - 1) / n;
}
/* Whether names, a comma between them, have a generator's. */
static bool is_named(const generator *of, const char *names)
{
    const char *name = of->name + 4; /* behind gtr_ */
    for (size_t n; *names; names += n + (names[n] != 0))
        if ((n = strcspn(names, ",")) == strlen(name) && !memcmp(names, name, n)) return true;
    return false;
}
static bool has_builder(const recipe *q, const char *names)
{
    for (int i = 0; i < q->n; i++)
        if (is_named(&generators[q->op[i].generator], names)) return true;
    return false;
}
static bool is_builder(const char *names)
{
    for (int k = 0; k < GENERATORS; k++)
        if (is_named(&generators[k], names)) return true;
    return false;
}

int main(int argc, char **argv)
{
    signal(SIGSEGV, crashed);
    signal(SIGABRT, crashed);
    signal(SIGFPE, crashed);
    double seconds = 90;
    uint64_t seed = 1, only = 0;
    long most = 0, graphs = 0, undrawn = 0, wrong = 0;
    int most_texts = TEXTS_A_GRAPH;
    bool stop = false, missing = false;
    const char *with = NULL; /* builders of which each graph has one */
    for (int i = 1; i < argc; i++) {
        const char *v = strchr(argv[i], '=') ? strchr(argv[i], '=') + 1 : "";
        if (!strncmp(argv[i], "seconds=", 8)) seconds = atof(v);
        else if (!strncmp(argv[i], "seed=", 5)) seed = strtoull(v, NULL, 10);
        else if (!strncmp(argv[i], "graphs=", 7)) most = atol(v);
        else if (!strncmp(argv[i], "show=", 5)) only = strtoull(v, NULL, 10);
        else if (!strncmp(argv[i], "device=", 7)) device = device_of(v);
        else if (!strncmp(argv[i], "missing=", 8)) missing = atoi(v) != 0;
        else if (!strncmp(argv[i], "texts=", 6)) most_texts = atoi(v);
        else if (!strncmp(argv[i], "stop=", 5)) stop = atoi(v) != 0;
        else if (!strncmp(argv[i], "with=", 5)) with = v;
        else if (!strncmp(argv[i], "precision=", 10))
            any_precision = false, precision = precision_of(v);
        else {
            printf("unknown: %s\n", argv[i]);
            return 2;
        }
    }
    if (with && !is_builder(with)) return printf("tests/programs/builders.h has no generator for gtr_%s\n", with), 2;
    if (argc == 1) shared_graphs(&seed, &most);
    for (int k = 0; k < 3; k++) results[k].v = (gtr_float *)calloc(MOST_FLOATS, sizeof(gtr_float));
    slow = emulated();
    const clock_t began = clock();
    if (only) {
        seed = only;
        most = 1;
    }
    for (; (most ? graphs + undrawn < most : (double)(clock() - began) / CLOCKS_PER_SEC < seconds); seed++) {
        static recipe q;
        char why[900] = "";
        if (stop && wrong) break;
        at_seed = (unsigned long long)seed;
        if (any_precision) {
            static const gtr_precision of[] = { GTR_FP32, GTR_FP32, GTR_MIXED_BF16, GTR_FP32, GTR_TF32,
                GTR_MIXED_FP16 };
            precision = of[seed % (sizeof(gtr_float) == 8 ? 2 : 6)];
        }
        if (!draw(&q, seed, why)) {
            wrong++;
            printf("graph %llu: %s\n", (unsigned long long)seed, why);
            show(&q, &as_planned);
            continue;
        }
        if (with && q.n && !has_builder(&q, with)) continue;
        if (!q.n) {
            undrawn++;
            continue;
        }
        const way plain = with_precision(as_planned);
        const int v = run(&q, &plain, 0, &results[0], NULL, 0, true);
        if (v < 0) {
            undrawn++;
            continue;
        }
        graphs++;
        if (v == 0) {
            wrong++;
            printf("graph %llu, as planned: %s\n", (unsigned long long)seed, results[0].why);
            show(&q, &as_planned);
            continue;
        }
        uint64_t s = seed * 7 + 3;
        const int fixed = slow ? 1 : 2, enough = slow ? 2 : device == GTR_DEVICE_CPU ? 4 : 3;
        for (int tries = 0, done = 0; only ? tries < WAYS * (WAYS + 1) : done < enough && tries < 8; tries++) {
            const bool compiles = tries == fixed && !only && texts < most_texts && uncompiled &&
                                  programs <= TEXTS_A_GRAPH;
            const bool prefers = slow && tries == fixed && graphs % 4 == 1; /* or, without a product, another */
            const int k = only                                   ? tries
                          : !tries && sizeof(gtr_float) == 8     ? DIFFERENCES
                          : compiles                             ? BY_TEXTS
                          : prefers                              ? PREFERS
                          : tries >= fixed                       ? way_drawn(&s)
                          : device == GTR_DEVICE_CPU             ? tries
                                                                 : on_gpu[(graphs + tries) % 4],
                      of = k % WAYS;
            const way w = way_of(k);
            if (compiles) texts += TEXTS_A_GRAPH;
            why[0] = 0;
            const int b = run(&q, &w, 0, &results[1], NULL, 0, true);
            runs[of] += b >= 0;
            done += b >= 0;
            if (b < 0) continue;
            if (b == 1 && alike(&w, why)) continue;
            if (b == 0) snprintf(why, sizeof why, "%s", results[1].why);
            if (b == 1 && !w.exact && ill_conditioned(&q, &w)) continue;
            if (b == 1 && !w.exact) { /* not to the bit: a kink may be where it rounds */
                char other[900];
                bool elsewhere = false; /* 16 bits have equals often, of which one is chosen */
                for (uint64_t data = 1; data <= (low_precision() ? 6 : 2) && !elsewhere; data++)
                    elsewhere = check_way(&q, k, data, other) == 1;
                if (elsewhere) {
                    run(&q, &plain, 0, &results[0], NULL, 0, false);
                    continue;
                }
            }
            wrong++;
            wrongs[of]++;
            if (wrongs[of] <= 3) {
                static recipe small;
                small = q;
                printf(
                    "graph %llu, %d ops, %d rows, %s: %s\n", (unsigned long long)seed, q.n, (int)q.rows, w.name, why);
                make_small(&small, k);
                check_way(&small, k, 0, why);
                printf("  made small, %d ops: %s\n", small.n, why);
                show(&small, &as_planned);
            }
            fflush(stdout);
            run(&q, &plain, 0, &results[0], NULL, 0, false);
        }
    }
    long pairs = 0, possible = 0, beside_all = 0, beside_met = 0, unused = 0, drawn_ops = 0;
    for (int a = 0; a < OPS; a++) drawn_ops += counts((gtr__op)a) && saw[a].made;
    for (int a = 0; a < OPS; a++)
        for (int b = 0; b < OPS; b++) {
            if (!counts((gtr__op)a) || !counts((gtr__op)b) || !allowed((gtr__op)a, (gtr__op)b)) continue;
            possible++;
            pairs += met[a][b];
            if (missing && !met[a][b])
                printf("  never met: %s, %s; tried %d times\n", gtr__row((gtr__op)a)->name, gtr__row((gtr__op)b)->name,
                    tried[a][b]);
        }
    for (int f = 0; f < n_fusion; f++)
        for (int k = 0; k < 2; k++)
            for (int a = 0; a < OPS; a++) {
                beside_all += counts((gtr__op)a) && saw[a].made;
                beside_met += beside[f][k][a];
            }
    printf("%ld graphs, %ld wrong, %ld not drawn; of %ld ordered pairs of %ld ops %ld met (%.1f %%); of %ld of an op "
           "beside a fusion %ld\n",
        graphs, wrong, undrawn, possible, drawn_ops, pairs, 100.0 * (double)pairs / (double)GTR__MAX(possible, 1),
        beside_all, beside_met);
    if (with) { /* of one builder: no more than whether it is right */
        if (!graphs) printf("no graph of these seconds has gtr_%s: seconds=60\n", with);
        printf("%ld passed, %ld failed, 0 skipped\n", graphs, wrong);
        return wrong != 0;
    }
    for (int k = 0; k < WAYS; k++) printf("  %6ld  %s%s\n", runs[k], ways[k].name, wrongs[k] ? "  WRONG" : "");
    if (compared) printf("  %6ld  gradients beside differences, %ld of them at a kink\n", compared, kinks);
    if (lean_plans) printf("  %6ld  plans that take less memory\n", lean_plans);
    for (int k = 0; k < PREFERRED; k++)
        if (emulated() ? preferred[k].kind < 4 : preferred[k].kind == 4 && device == GTR_DEVICE_CPU)
            printf("  %6ld  graphs whose products are by %s\n", preferred[k].met, preferred[k].name);
    if (emulated()) emu_kernels(kernel_ran);
    for (int k = 0; k < GENERATORS; k++)
        if (!used_by[k] || refused[k]) {
            unused += !used_by[k];
            printf("  %s: drawn %ld times, refused %ld: %s\n", generators[k].name, used_by[k], refused[k], refusal[k]);
        }
    for (int k = 0; k < n_fusion; k++) printf("  %6ld  %s\n", fused_by[k], fusion[k]);
    static const char *const homes[] = { "none", "parameter", "low copy", "state", "gradient", "input", "kept",
        "arena" },
                             *const storages[] = { "float32", "bfloat16", "float16" },
                             *const layouts[] = { "rows", "channels last", "flattened" };
    for (int h = 0; h < 8; h++)
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                if (form[h][k][l])
                    printf("  %6ld  values: %s, %s, %s\n", form[h][k][l], homes[h], storages[k], layouts[l]);
    for (int m = 0; m < GTR__MAX_MATCHERS; m++)
        if (matched[m]) printf("  %6ld  nodes of the matcher \"%s\"\n", matched[m], matcher_name[m]);
    if (graphs > 3000) wrong += unused; /* fewer do not meet all */
    printf("%ld passed, %ld failed, 0 skipped\n", graphs, wrong);
    return wrong != 0;
}
