/* A generator for each builder of the public API: what compose.c draws graphs from. GENERATOR(cumsum, TAKES_FLOATS)
   { ... } is gtr_cumsum's, a function that takes a value x, shapes it as the builder wants it, draws attributes and
   further operands, and calls it; NULL: it does not fit. `make check` (compose) fails where a builder has none.
   A generator decides by the draw's random numbers and by `value`s, which are alike in all ways that a graph is built
   (a literal batch, every tensor kept, ...): never by the context, nor by what gtr_tensor_shape says of a batch. */
#ifndef BUILDERS_H
#define BUILDERS_H
#include <math.h>
#include <stdarg.h>

enum { MAX_OPS = 14, MAX_VALUES = 160, MAX_LEAVES = 40, MOST_INPUTS = 15, MOST_ELEMENTS = 6000 };
enum { PLAIN, POSITIVE, UNIT, IDS, LABELS, LENGTHS, TOKENS, MASKING, SIGNS, ZEROS }; /* what a leaf is filled with */

/* A tensor of a graph. shape: the batch's dimension is -k; low, high: its values', when the graph was drawn; near: the
   least magnitude among them. */
typedef struct value {
    gtr_tensor *t;
    gtr_shape shape;
    bool ints;
    double low, high, near;
    int limit; /* ints: they are below it; 0: not known */
    int op;    /* which of the recipe's made it; -1: a leaf */
    int users;
} value;
typedef struct leaf {
    gtr_tensor *t;
    gtr_shape shape;
    int kind, limit;
    bool batched, fixed; /* fixed: no gradient is by it, as a loss's weights */
    char name[24];
} leaf;
/* A graph as it is drawn, or built again. rows: of the batch; literal: shapes have it. known: values' shapes and ranges
   are those that it was drawn with. */
typedef struct graph {
    gtr_context *ctx;
    int64_t rows;
    bool literal, by_hand, known, keep;
    value v[MAX_VALUES];
    int n, n_known;
    leaf leaf[MAX_LEAVES];
    int n_leaf;
    gtr_tensor *loss[8];
    int n_loss;
    gtr_tensor *weight[MAX_LEAVES];
    int n_weight; /* (M, K), that layers may share */
    uint64_t rng;
    int op, name;
    unsigned mark;
    uint64_t data;           /* mark: of the attempt, for names */
    int64_t first_parameter; /* those before it are another graph's */
    /* of what it has: rows that act on each other; random numbers; a stopped gradient; values that jump; a norm by the
       batch; dropout; labels; a state */
    bool mixes, draws, stops, jumps, batch_norms, drops, tallies, carries, wants_batch, keeps;
    bool ties; /* one of equals is chosen, as of a norm's two rows, which it makes 1 and -1 */
    int hand; /* how many of its ops were built by other ops */
    char *text;
    size_t room, used; /* as C; NULL: not wanted */
    const char *why;
} graph;

static uint64_t next_of(uint64_t *s)
{
    uint64_t z = (*s += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static int pick(graph *g, int n) { return (int)(next_of(&g->rng) % (uint64_t)(n > 0 ? n : 1)); }
static bool chance(graph *g, int percent) { return pick(g, 100) < percent; }
static float number(graph *g)
{
    static const float odd[] = { 0.01f, 0.1f, 0.3f, 0.37f, 0.9f, 1.1f, 1.7f, 0.013f, 0.5f, 2.3f };
    return odd[pick(g, 10)];
}
static int64_t size_drawn(graph *g)
{
    static const int large[] = { 33, 65, 130 };
    return chance(g, 4) ? large[pick(g, 3)] : chance(g, 25) ? 10 + pick(g, 8) : 1 + pick(g, 9);
}
static int batch_axis(const gtr_shape *s)
{
    int k = 0;
    while (k < s->ndim && s->dim[k] > 0) k++;
    return k < s->ndim ? k : -1;
}
static int64_t row_of(const gtr_shape *s)
{
    int64_t n = 1;
    for (int k = 0; k < s->ndim; k++) n *= s->dim[k] < 0 ? -s->dim[k] : s->dim[k];
    return n;
}
static int64_t count_of(const graph *g, const gtr_shape *s) { return row_of(s) * (batch_axis(s) < 0 ? 1 : g->rows); }
static gtr_shape built(const graph *g, gtr_shape s)
{
    for (int k = 0; k < s.ndim; k++)
        if (s.dim[k] < 0 && g->literal) s.dim[k] *= -g->rows;
    return s;
}
static bool same_shape(const gtr_shape *a, const gtr_shape *b)
{
    if (a->ndim != b->ndim) return false;
    for (int k = 0; k < a->ndim; k++)
        if (a->dim[k] != b->dim[k]) return false;
    return true;
}
static gtr_shape without(gtr_shape s, int axis)
{
    for (int k = axis; k + 1 < s.ndim; k++) s.dim[k] = s.dim[k + 1];
    s.ndim--;
    return s;
}
static gtr_shape shape_of(int n, int64_t a, int64_t b, int64_t c, int64_t d)
{
    gtr_shape s;
    memset(&s, 0, sizeof s);
    s.ndim = n;
    s.dim[0] = a;
    s.dim[1] = b;
    s.dim[2] = c;
    s.dim[3] = d;
    for (int k = n; k < GTR_MAX_DIMS; k++) s.dim[k] = 0;
    return s;
}

// >>text
static void say(graph *g, const char *format, ...) CHECK_ATTRIBUTE((format(printf, 2, 3)));
static void say(graph *g, const char *format, ...)
{
    va_list ap;
    if (!g->text || g->used + 1 >= g->room) return;
    va_start(ap, format);
    g->used += (size_t)vsnprintf(g->text + g->used, g->room - g->used, format, ap);
    va_end(ap);
    if (g->used >= g->room) g->used = g->room - 1;
}
/* The name of a tensor in the text: t and its number in the context. */
static const char *id(gtr_tensor *t)
{
    static char name[12][24];
    static int k;
    k = (k + 1) % 12;
    snprintf(name[k], sizeof name[k], t ? "t%d" : "NULL", t ? (int)t->id : 0);
    return name[k];
}
static gtr_tensor *made(graph *g, gtr_tensor *t, const char *format, ...) CHECK_ATTRIBUTE((format(printf, 3, 4)));
static gtr_tensor *made(graph *g, gtr_tensor *t, const char *format, ...)
{
    char call[600];
    va_list ap;
    if (!g->text || !t) return t;
    va_start(ap, format);
    vsnprintf(call, sizeof call, format, ap);
    va_end(ap);
    say(g, "    gtr_tensor *%s = %s;\n", id(t), call);
    return t;
}
static const char *ints_text(const int *v, int n)
{
    static char text[4][100];
    static int k;
    size_t at = 0;
    k = (k + 1) % 4;
    at += (size_t)snprintf(text[k], sizeof text[k], "(int[]){ ");
    for (int i = 0; i < n; i++) at += (size_t)snprintf(text[k] + at, sizeof text[k] - at, i ? ", %d" : "%d", v[i]);
    snprintf(text[k] + at, sizeof text[k] - at, " }");
    return text[k];
}
static const char *shape_text(gtr_shape s)
{
    static char text[4][160];
    static int k;
    size_t at = 0;
    k = (k + 1) % 4;
    at += (size_t)snprintf(text[k], sizeof text[k], "(gtr_shape){ %d, { ", s.ndim);
    for (int i = 0; i < s.ndim; i++)
        at += (size_t)snprintf(text[k] + at, sizeof text[k] - at, i ? ", %lld" : "%lld", (long long)s.dim[i]);
    snprintf(text[k] + at, sizeof text[k] - at, s.ndim ? " } }" : "0 } }");
    return text[k];
}
static const char *name_of(graph *g)
{
    static char name[4][24];
    static int k;
    k = (k + 1) % 4;
    snprintf(name[k], 24, "n%d_%x_%d", g->op, g->mark, g->name++);
    return name[k];
}

// >>leaves
/* Values of a leaf: by the graph's data number, so that another number gives others of the same kind. */
static void fill_leaf(const graph *g, const leaf *l, void *to)
{
    gtr_float *v = (gtr_float *)to;
    int32_t *ints = (int32_t *)to;
    uint64_t s = (uint64_t)(l - g->leaf) * 77777 + 11, other = s + 5 + g->data * 1000003;
    const int64_t n = count_of(g, &l->shape);
    for (int64_t i = 0; i < n; i++) {
        const uint64_t r = next_of(&s), e = next_of(&other);
        double u = (double)(r >> 11) / 9007199254740992.0;
        if (g->data) u += 0.03 * ((double)(e >> 11) / 9007199254740992.0 - 0.5), u = u < 0 ? 0 : u > 1 ? 1 : u;
        const int32_t whole = (int32_t)((g->data ? e : r) >> 20 & 0x7fffffff);
        switch (l->kind) {
        case IDS:
            ints[i] = whole % l->limit;
            break;
        case LABELS:
            ints[i] = n > 2 && i % 5 == 3 ? -100 : whole % l->limit;
            break;
        case TOKENS: ints[i] = 1 + whole % (l->limit - 1); break; /* 0 is the blank */
        case LENGTHS:
            ints[i] = whole % (l->limit + 1);
            break;
        case POSITIVE:
            v[i] = (gtr_float)(0.5 + u);
            break;
        case UNIT:
            v[i] = (gtr_float)(0.05 + 0.9 * u);
            break;
        case MASKING:
            v[i] = whole % 4 ? (gtr_float)(u - 0.5) : -(gtr_float)INFINITY;
            break;
        case SIGNS:
            v[i] = whole & 1 ? 1 : -1;
            break;
        case ZEROS:
            v[i] = whole % 3 ? (gtr_float)(2 * u - 1) : 0;
            break;
        default:
            v[i] = (gtr_float)(2.4 * u - 1.1);
        }
    }
}
static void set_leaf(const graph *g, const leaf *l)
{
    void *data = calloc((size_t)(count_of(g, &l->shape) + 1), sizeof(gtr_float));
    fill_leaf(g, l, data);
    gtr_set(
        l->t, data, (size_t)count_of(g, &l->shape) * (l->kind >= IDS && l->kind <= TOKENS ? 4 : sizeof(gtr_float)));
    free(data);
}
static value *value_add(graph *g, gtr_tensor *t, int op)
{
    if (!t || g->n == MAX_VALUES) return NULL;
    value *v = &g->v[g->n];
    if (g->known && g->n < g->n_known) v->t = t; /* drawn before: the rest is as it was */
    else {
        memset(v, 0, sizeof *v);
        v->t = t;
        v->shape = gtr_tensor_shape(t);
        v->ints = gtr_tensor_dtype(t) == GTR_I32;
        v->low = -1.2;
        v->high = 1.4;
    }
    v->op = op;
    v->users = 0;
    g->n++;
    if (g->keep && t->op > GTR__OP_GRADIENT) gtr_keep(t);
    return v;
}
static void weight_add(graph *g, gtr_tensor *t)
{
    if (t && g->n_weight < MAX_LEAVES) g->weight[g->n_weight++] = t;
}
/* A new leaf: an input where it has a batch; else a parameter, now and then a constant or an input, and always an input
   of integers. */
static gtr_tensor *leaf_of(graph *g, gtr_shape shape, int kind, int limit)
{
    if (g->n_leaf == MAX_LEAVES || row_of(&shape) > MOST_ELEMENTS || batch_axis(&shape) > 0) return NULL;
    leaf *l = &g->leaf[g->n_leaf];
    memset(l, 0, sizeof *l);
    l->shape = shape;
    l->kind = kind;
    l->limit = limit;
    l->batched = batch_axis(&shape) == 0;
    int inputs = 0;
    for (int k = 0; k < g->n_leaf; k++) inputs += g->leaf[k].name[0] == 'x';
    const bool ints = kind >= IDS && kind <= TOKENS, needs = l->batched || ints,
               input = needs || (inputs < MOST_INPUTS && chance(g, 15)),
               constant = !input && chance(g, 15);
    if (needs && inputs >= MOST_INPUTS) return NULL;
    const gtr_shape s = built(g, shape);
    snprintf(l->name, sizeof l->name, "%c%d_%x", input ? 'x' : constant ? 'c' : 'p', g->n_leaf, g->mark);
    gtr_init none;
    memset(&none, 0, sizeof none);
    if (input)
        l->t = made(g, gtr_input(g->ctx, l->name, ints ? GTR_I32 : GTR_F32, s), "gtr_input(ctx, \"%s\", %s, %s)",
            l->name, ints ? "GTR_I32" : "GTR_F32", shape_text(s));
    else if (!constant)
        l->t = made(g, gtr_parameter(g->ctx, l->name, s, none), "gtr_parameter(ctx, \"%s\", %s, (gtr_init){0})",
            l->name, shape_text(s));
    else {
        void *data = calloc((size_t)(count_of(g, &shape) + 1), sizeof(gtr_float));
        fill_leaf(g, l, data);
        l->t = made(g, gtr_constant(g->ctx, GTR_F32, s, data), "gtr_constant(ctx, GTR_F32, %s, %s_data)", shape_text(s),
            l->name);
        free(data);
    }
    if (!l->t) return NULL;
    if (!input && !constant && shape.ndim == 2) weight_add(g, l->t);
    g->n_leaf++;
    set_leaf(g, l);
    say(g, "    gtr_set(%s, %s_data, sizeof %s_data);\n", id(l->t), l->name, l->name);
    return l->t;
}
/* An earlier float tensor of this shape that is not x, or a new leaf. */
static gtr_tensor *like(graph *g, const value *x, gtr_shape shape, int kind)
{
    if (kind == PLAIN && chance(g, 60)) {
        const int from = pick(g, g->n);
        for (int i = 0; i < g->n; i++) {
            value *v = &g->v[(from + i) % g->n];
            if (v != x && !v->ints && same_shape(&v->shape, &shape) && v->high < 60 && v->low > -60) {
                v->users++;
                return v->t;
            }
        }
        if (x && same_shape(&x->shape, &shape) && chance(g, 25)) return x->t;
    }
    return leaf_of(g, shape, kind, 0);
}

// >>shapes
static gtr_tensor *reshaped(graph *g, gtr_tensor *t, gtr_shape s)
{
    s = built(g, s);
    return made(g, gtr_reshape(t, s), "gtr_reshape(%s, %s)", id(t), shape_text(s));
}
static gtr_tensor *permuted(graph *g, gtr_tensor *t, const int *dims, int n)
{
    return made(g, gtr_permute(t, dims), "gtr_permute(%s, %s)", id(t), ints_text(dims, n));
}
/* x with its batch in front, in `rank` dimensions; *s: its shape. */
static gtr_tensor *ranked(graph *g, const value *x, int rank, gtr_shape *s)
{
    gtr_tensor *t = x->t;
    const int at = batch_axis(&x->shape);
    *s = x->shape;
    if (at > 0) {
        int dims[GTR_MAX_DIMS], n = 0;
        dims[n++] = at;
        for (int k = 0; k < s->ndim; k++)
            if (k != at) dims[n++] = k;
        for (int k = 0; k < n; k++) s->dim[k] = x->shape.dim[dims[k]];
        t = permuted(g, t, dims, n);
    }
    if (s->ndim == rank || !t) return t;
    gtr_shape to;
    memset(&to, 0, sizeof to);
    int64_t rest = 1;
    for (int k = 1; k < s->ndim; k++) rest *= s->dim[k];
    to.ndim = rank;
    to.dim[0] = s->ndim ? s->dim[0] : 1;
    if (rank > 1 && to.dim[0] > 1 && chance(g, 30)) { /* one row of all */
        rest *= to.dim[0];
        to.dim[0] = 1;
    }
    if (rank == 1) to.dim[0] *= rest;
    for (int k = 1; k < rank; k++) {
        int64_t d = rest;
        if (k + 1 < rank) { /* a divisor that is drawn */
            int64_t all[64];
            int n = 0;
            for (int64_t q = 1; q <= rest && n < 64; q++)
                if (rest % q == 0) all[n++] = q;
            d = all[pick(g, n)];
        }
        to.dim[k] = d;
        rest /= d;
    }
    *s = to;
    return reshaped(g, t, to);
}
/* An axis that is not the batch; -1: there is none. */
static int free_axis(graph *g, const gtr_shape *s)
{
    const int from = pick(g, s->ndim);
    for (int k = 0; k < s->ndim; k++) {
        const int a = (from + k) % s->ndim;
        if (s->dim[a] > 0) return a;
    }
    return -1;
}
/* x with an axis that is not the batch. */
static value with_axis(graph *g, const value *x)
{
    value v = *x;
    for (int k = 0; k < x->shape.ndim; k++)
        if (x->shape.dim[k] > 0) return v;
    v.t = ranked(g, x, x->shape.ndim + 1, &v.shape);
    return v;
}
/* A shape that broadcasts to s: itself, its last dimensions, ones. */
static gtr_shape broadcast_of(graph *g, gtr_shape s)
{
    const int how = pick(g, 6);
    if (how == 0 && s.ndim > 1) s = without(s, 0);
    else if (how == 1 && s.ndim) s = shape_of(1, s.dim[s.ndim - 1] < 0 ? 1 : s.dim[s.ndim - 1], 0, 0, 0);
    else if (how == 2)
        for (int k = 0; k < s.ndim; k++)
            if (chance(g, 50)) s.dim[k] = 1;
    if (batch_axis(&s) > 0)
        for (int k = 0; k < s.ndim; k++)
            if (s.dim[k] < 0) s.dim[k] = 1;
    return s;
}
static void mixes(graph *g, const gtr_shape *s, int axis)
{
    if (s->dim[axis] < 0) g->mixes = true;
}

// >>generators
/* takes: floats, integers, or both. */
enum { TAKES_FLOATS = 1, TAKES_INTS = 2, TAKES_ANY = TAKES_FLOATS | TAKES_INTS };
typedef struct generator {
    const char *name;
    gtr_tensor *(*make)(graph *g, value *x);
    int takes;
} generator;
/* All, in the order of this file, by which a seed draws them: each enters itself before main. */
static generator generators[400];
enum { FIRST_GENERATOR = __COUNTER__ + 1 };
#define GENERATOR(name, takes) GENERATOR_OF("gtr_" #name, gen_##name, takes)
#define GENERATOR_OF(builder, function, takes) \
    static gtr_tensor *function(graph *g, value *x); \
    __attribute__((constructor)) static void enter_##function(void) \
    { \
        generators[__COUNTER__ - FIRST_GENERATOR] = (generator){ builder, function, takes }; \
    } \
    static gtr_tensor *function(graph *g, value *x)

// >>element-wise
/* Where x is outside what an op takes, something in front brings it there. */
static gtr_tensor *positive(graph *g, const value *x)
{
    if (x->low > 0.06) return x->t;
    gtr_tensor *s = made(g, gtr_sigmoid(x->t), "gtr_sigmoid(%s)", id(x->t));
    return made(g, gtr_scale(s, 1, 0.1f), "gtr_scale(%s, 1, 0.1f)", id(s));
}
static gtr_tensor *apart(graph *g, const value *x) { return x->near > 0.06 ? x->t : positive(g, x); }
static gtr_tensor *moderate(graph *g, const value *x)
{
    if (x->low > -5 && x->high < 4) return x->t;
    return made(g, gtr_tanh(x->t), "gtr_tanh(%s)", id(x->t));
}
#define UNARY_GENERATOR(name, of) \
    GENERATOR(name, TAKES_FLOATS) \
    { \
        gtr_tensor *const t = of; \
        return made(g, gtr_##name(t), "gtr_" #name "(%s)", id(t)); \
    }
/* x for an op whose values jump, at whole numbers or where two are equal. What an earlier jump made has such ones at
 * any data, where rounding is another way's: exp and log of 1 are 1 or not quite; so has batch_norm of two rows, which
 * are 1 and -1 then. Such an x gets a leaf, or a number, added. */
static gtr_tensor *off_jumps(graph *g, const value *x)
{
    const bool equals = g->jumps || g->batch_norms;
    gtr_tensor *leaf = equals ? leaf_of(g, x->shape, PLAIN, 0) : NULL;
    if (leaf) return made(g, gtr_add(x->t, leaf), "gtr_add(%s, %s)", id(x->t), id(leaf));
    return equals ? made(g, gtr_scale(x->t, 1, 0.2137f), "gtr_scale(%s, 1, 0.2137f)", id(x->t)) : x->t;
}
#define UNARY_JUMPS(name) \
    GENERATOR(name, TAKES_FLOATS) \
    { \
        gtr_tensor *const t = off_jumps(g, x); \
        g->jumps = true; \
        return made(g, gtr_##name(t), "gtr_" #name "(%s)", id(t)); \
    }
UNARY_GENERATOR(neg, x->t) UNARY_GENERATOR(abs, x->t) UNARY_GENERATOR(sqrt, positive(g, x))
UNARY_GENERATOR(rsqrt, positive(g, x))
UNARY_GENERATOR(square, moderate(g, x)) UNARY_GENERATOR(reciprocal, apart(g, x)) UNARY_GENERATOR(sin, x->t)
UNARY_GENERATOR(cos, x->t)
UNARY_GENERATOR(relu, x->t) UNARY_GENERATOR(tanh, x->t) UNARY_GENERATOR(gelu, x->t) UNARY_GENERATOR(selu, x->t)
UNARY_GENERATOR(exp, moderate(g, x)) UNARY_GENERATOR(expm1, moderate(g, x)) UNARY_GENERATOR(log, positive(g, x))
UNARY_GENERATOR(log1p, x->low > -0.9 ? x->t : positive(g, x))
UNARY_JUMPS(sign) UNARY_JUMPS(floor) UNARY_JUMPS(round) UNARY_JUMPS(is_nan)
    static gtr_tensor *scaled(graph *g, gtr_tensor *t, float a, float b)
{
    return made(g, gtr_scale(t, a, b), "gtr_scale(%s, %.9gf, %.9gf)", id(t), a, b);
}
GENERATOR(scale, TAKES_FLOATS)
{
    const float a = number(g), b = chance(g, 40) ? 0 : -number(g);
    return scaled(g, x->t, chance(g, 30) ? -a : a, b);
}
static gtr_tensor *by_hand(graph *g, gtr_tensor *t)
{
    g->hand++;
    return t;
}
GENERATOR(sigmoid, TAKES_FLOATS)
{
    if (g->by_hand) return by_hand(g, gtr_reciprocal(gtr_scale(gtr_exp(gtr_neg(x->t)), 1, 1)));
    return made(g, gtr_sigmoid(x->t), "gtr_sigmoid(%s)", id(x->t));
}
GENERATOR(gelu_tanh, TAKES_FLOATS)
{
    gtr_tensor *t = x->t;
    if (g->by_hand)
        return by_hand(
            g, gtr_mul(gtr_scale(t, 0.5f, 0),
                   gtr_scale(gtr_tanh(gtr_scale(
                                 gtr_add(t, gtr_scale(gtr_mul(t, gtr_square(t)), 0.044715f, 0)), 0.7978845608f, 0)),
                       1, 1)));
    return made(g, gtr_gelu_tanh(t), "gtr_gelu_tanh(%s)", id(t));
}
GENERATOR(leaky_relu, TAKES_FLOATS)
{
    const float a = chance(g, 20) ? 0 : number(g) * 0.4f;
    if (g->by_hand)
        return by_hand(
            g, gtr_where(gtr_greater(x->t, gtr_scale(x->t, 0, 0)), x->t, gtr_scale(x->t, a == 0 ? 0.01f : a, 0)));
    return made(g, gtr_leaky_relu(x->t, a), "gtr_leaky_relu(%s, %.9gf)", id(x->t), a);
}
GENERATOR(elu, TAKES_FLOATS)
{
    const float a = chance(g, 20) ? 0 : number(g);
    if (g->by_hand && x->high < 60)
        return by_hand(g,
            gtr_where(gtr_greater(x->t, gtr_scale(x->t, 0, 0)), x->t, gtr_scale(gtr_expm1(x->t), a == 0 ? 1 : a, 0)));
    return made(g, gtr_elu(x->t, a), "gtr_elu(%s, %.9gf)", id(x->t), a);
}
GENERATOR(softplus, TAKES_FLOATS)
{
    const float b = chance(g, 20) ? 0 : number(g);
    gtr_tensor *t = moderate(g, x);
    if (g->by_hand)
        return by_hand(g, gtr_scale(gtr_log1p(gtr_exp(gtr_scale(t, b == 0 ? 1 : b, 0))), 1 / (b == 0 ? 1 : b), 0));
    return made(g, gtr_softplus(t, b), "gtr_softplus(%s, %.9gf)", id(t), b);
}
GENERATOR(clamp, TAKES_FLOATS)
{
    const float a = -number(g), b = number(g);
    if (g->by_hand) { /* to the bit, as others may compare it with x */
        gtr_tensor *low = gtr_scale(x->t, 0, a), *high = gtr_scale(x->t, 0, b);
        return by_hand(g, gtr_where(gtr_greater(low, x->t), low, gtr_where(gtr_greater(x->t, high), high, x->t)));
    }
    return made(g, gtr_clamp(x->t, a, b), "gtr_clamp(%s, %.9gf, %.9gf)", id(x->t), a, b);
}
GENERATOR(pow_scalar, TAKES_FLOATS)
{
    const bool whole = chance(g, 40); /* of which the base may be any */
    const float p = whole ? (float)(1 + pick(g, 3)) : number(g);
    gtr_tensor *t = whole ? moderate(g, x) : positive(g, x);
    if (g->by_hand && !g->drops && !whole) return by_hand(g, gtr_exp(gtr_scale(gtr_log(t), p, 0)));
    return made(g, gtr_pow_scalar(t, p), "gtr_pow_scalar(%s, %.9gf)", id(t), p);
}
GENERATOR(relu6, TAKES_FLOATS)
{
    if (g->by_hand) return by_hand(g, gtr_sub(gtr_relu(x->t), gtr_relu(gtr_scale(x->t, 1, -6))));
    return made(g, gtr_relu6(x->t), "gtr_relu6(%s)", id(x->t));
}
GENERATOR(silu, TAKES_FLOATS)
{
    if (g->by_hand) return by_hand(g, gtr_mul(x->t, gtr_sigmoid(x->t)));
    return made(g, gtr_silu(x->t), "gtr_silu(%s)", id(x->t));
}
GENERATOR(mish, TAKES_FLOATS)
{
    if (g->by_hand) return by_hand(g, gtr_mul(x->t, gtr_tanh(gtr_softplus(x->t, 1))));
    return made(g, gtr_mish(x->t), "gtr_mish(%s)", id(x->t));
}
GENERATOR(hard_sigmoid, TAKES_FLOATS)
{
    if (g->by_hand) return by_hand(g, gtr_scale(gtr_relu6(gtr_scale(x->t, 1, 3)), 1 / 6.0f, 0));
    return made(g, gtr_hard_sigmoid(x->t), "gtr_hard_sigmoid(%s)", id(x->t));
}
GENERATOR(hard_swish, TAKES_FLOATS)
{
    if (g->by_hand) return by_hand(g, gtr_mul(x->t, gtr_hard_sigmoid(x->t)));
    return made(g, gtr_hard_swish(x->t), "gtr_hard_swish(%s)", id(x->t));
}
/* The other operand of a binary op on x. */
static gtr_tensor *other(graph *g, value *x, int kind) { return like(g, x, broadcast_of(g, x->shape), kind); }
#define BINARY_GENERATOR(name, first, kind) \
    GENERATOR(name, TAKES_FLOATS) \
    { \
        gtr_tensor *a = first, *b = other(g, x, kind); \
        if (kind == PLAIN && chance(g, 40)) { \
            gtr_tensor *c = a; \
            a = b; \
            b = c; \
        } \
        return made(g, a && b ? gtr_##name(a, b) : NULL, "gtr_" #name "(%s, %s)", id(a), id(b)); \
    }
BINARY_GENERATOR(add, x->t, PLAIN) BINARY_GENERATOR(sub, x->t, PLAIN) BINARY_GENERATOR(mul, moderate(g, x), PLAIN)
BINARY_GENERATOR(div, x->t, POSITIVE)
BINARY_GENERATOR(minimum, x->t, PLAIN) BINARY_GENERATOR(maximum, x->t, PLAIN)
    GENERATOR(pow, TAKES_FLOATS)
{
    const bool as_base = chance(g, 60); /* or as the exponent */
    gtr_tensor *a = as_base ? positive(g, x) : other(g, x, POSITIVE),
               *b = as_base ? other(g, x, UNIT) : moderate(g, x);
    return made(g, a && b ? gtr_pow(a, b) : NULL, "gtr_pow(%s, %s)", id(a), id(b));
}
#define COMPARE_GENERATOR(name) \
    GENERATOR(name, TAKES_FLOATS) \
    { \
        gtr_tensor *b = other(g, x, PLAIN), *const t = off_jumps(g, x); \
        g->jumps = true; \
        return made(g, b ? gtr_##name(t, b) : NULL, "gtr_" #name "(%s, %s)", id(t), id(b)); \
    }
COMPARE_GENERATOR(less) COMPARE_GENERATOR(greater) COMPARE_GENERATOR(equal)
    GENERATOR(where, TAKES_FLOATS)
{
    gtr_tensor *o[3] = { x->t, other(g, x, PLAIN), other(g, x, ZEROS) };
    const int turn = pick(g, 3);
    gtr_tensor *c = o[(2 + turn) % 3], *a = o[turn], *b = o[(1 + turn) % 3];
    if (turn && a && b && c) {
        g->jumps = true;
        gtr_tensor *zero = made(g, gtr_scale(c, 0, 0), "gtr_scale(%s, 0, 0)", id(c));
        c = made(g, gtr_greater(c, zero), "gtr_greater(%s, %s)", id(c), id(zero));
    }
    return made(g, a && b && c ? gtr_where(c, a, b) : NULL, "gtr_where(%s, %s, %s)", id(c), id(a), id(b));
}
GENERATOR(prelu, TAKES_FLOATS)
{
    const bool channels = x->shape.ndim > 1 && batch_axis(&x->shape) < 1 && x->shape.dim[1] > 0 && chance(g, 60);
    const char *n = name_of(g);
    return made(g, gtr_prelu(x->t, n, channels), "gtr_prelu(%s, \"%s\", %d)", id(x->t), n, channels);
}
GENERATOR(prelu_with, TAKES_FLOATS)
{
    const bool channels = x->shape.ndim > 1 && batch_axis(&x->shape) < 1 && x->shape.dim[1] > 0 && chance(g, 60);
    gtr_tensor *w = leaf_of(g, shape_of(1, channels ? x->shape.dim[1] : 1, 0, 0, 0), PLAIN, 0);
    if (!w) return NULL;
    if (g->by_hand && !channels)
        return by_hand(g, gtr_where(gtr_greater(x->t, gtr_scale(x->t, 0, 0)), x->t, gtr_mul(w, x->t)));
    return made(g, gtr_prelu_with(x->t, w), "gtr_prelu_with(%s, %s)", id(x->t), id(w));
}

// >>moves
GENERATOR(reshape, TAKES_ANY)
{
    if (batch_axis(&x->shape) > 0) return NULL;
    gtr_shape s = x->shape;
    const int how = pick(g, 4);
    int64_t rest = 1;
    for (int k = 1; k < s.ndim; k++) rest *= s.dim[k];
    if (how == 0 && s.ndim > 2) {
        s.dim[0] *= s.dim[1];
        s = without(s, 1);
        return reshaped(g, x->t, s);
    } /* (N, T, C) -> (N T, C) */
    if (how == 1 && s.ndim > 2) {
        s.dim[s.ndim - 2] *= s.dim[s.ndim - 1];
        s.ndim--;
        return reshaped(g, x->t, s);
    }
    const int rank = (s.ndim < 2 && rest == 1) ? 1 + pick(g, 3) : 2 + pick(g, 4);
    if (rank == s.ndim) {
        s.ndim++;
        s.dim[s.ndim - 1] = 1;
        return reshaped(g, x->t, s);
    }
    return ranked(g, x, rank, &s);
}
GENERATOR(flatten, TAKES_ANY)
{
    return x->shape.ndim > 1 && batch_axis(&x->shape) < 1 ? made(g, gtr_flatten(x->t), "gtr_flatten(%s)", id(x->t))
                                                          : NULL;
}
GENERATOR(permute, TAKES_FLOATS)
{
    int dims[GTR_MAX_DIMS];
    const int n = x->shape.ndim;
    const bool front = batch_axis(&x->shape) == 0 && chance(g, 85); /* the batch stays where it is */
    if (n < 2) return NULL;
    for (int k = 0; k < n; k++) dims[k] = k;
    for (int k = n - 1; k > front; k--) {
        const int j = front + pick(g, k + 1 - front), d = dims[k];
        dims[k] = dims[j];
        dims[j] = d;
    }
    return permuted(g, x->t, dims, n);
}
/* Puts channels last, or what lies last to where they are: what convolutions are fed by. */
GENERATOR_OF("gtr_permute", turned, TAKES_FLOATS)
{
    static const int to3[] = { 0, 2, 1 }, to4[2][4] = { { 0, 3, 1, 2 }, { 0, 2, 3, 1 } };
    if (batch_axis(&x->shape) != 0 || x->shape.ndim < 3 || x->shape.ndim > 4) return NULL;
    return permuted(g, x->t, x->shape.ndim == 3 ? to3 : to4[pick(g, 2)], x->shape.ndim);
}
static const char *list_text(gtr_tensor *const *t, int n)
{
    static char text[700];
    size_t at = (size_t)snprintf(text, sizeof text, "(gtr_tensor *[]){ ");
    for (int k = 0; k < n; k++) at += (size_t)snprintf(text + at, sizeof text - at, k ? ", %s" : "%s", id(t[k]));
    snprintf(text + at, sizeof text - at, " }");
    return text;
}
static gtr_tensor *concat_of(graph *g, gtr_tensor *const *t, int n, int axis)
{
    for (int k = 0; k < n; k++)
        if (!t[k]) return NULL;
    return made(g, gtr_concat(t, n, axis), "gtr_concat(%s, %d, %d)", list_text(t, n), n, axis);
}
GENERATOR(concat, TAKES_FLOATS)
{
    value roomy = with_axis(g, x);
    x = &roomy;
    if (!x->t) return NULL;
    const int axis = free_axis(g, &x->shape), n = 1 + pick(g, 4);
    gtr_tensor *t[5];
    if (axis < 0) return NULL;
    for (int k = 0; k < n; k++) {
        gtr_shape s = x->shape;
        if (chance(g, 30)) s.dim[axis] = 1 + pick(g, 3);
        t[k] = k == n / 2 ? x->t : like(g, x, s, PLAIN);
    }
    return concat_of(g, t, n, axis);
}
GENERATOR(stack, TAKES_FLOATS)
{
    const int n = 1 + pick(g, 3), axis = x->shape.ndim ? 1 + pick(g, x->shape.ndim) : 0;
    gtr_tensor *t[3];
    if (x->shape.ndim > 5) return NULL;
    for (int k = 0; k < n; k++) {
        t[k] = k == n / 2 ? x->t : like(g, x, x->shape, PLAIN);
        if (!t[k]) return NULL;
    }
    return made(g, gtr_stack(t, n, axis), "gtr_stack(%s, %d, %d)", list_text(t, n), n, axis);
}
GENERATOR(slice, TAKES_FLOATS)
{
    value roomy = with_axis(g, x);
    x = &roomy;
    if (!x->t) return NULL;
    const int axis = free_axis(g, &x->shape);
    if (axis < 0) return NULL;
    const int64_t d = x->shape.dim[axis], begin = pick(g, (int)d), end = begin + 1 + pick(g, (int)(d - begin));
    return made(
        g, gtr_slice(x->t, axis, begin, end), "gtr_slice(%s, %d, %d, %d)", id(x->t), axis, (int)begin, (int)end);
}
GENERATOR(slice_step, TAKES_FLOATS)
{
    value roomy = with_axis(g, x);
    x = &roomy;
    if (!x->t) return NULL;
    const int axis = free_axis(g, &x->shape);
    if (axis < 0) return NULL;
    const int64_t d = x->shape.dim[axis], begin = pick(g, (int)d), end = begin + 1 + pick(g, (int)(d - begin)),
                  step = 1 + pick(g, 3);
    return made(g, gtr_slice_step(x->t, axis, begin, end, step), "gtr_slice_step(%s, %d, %d, %d, %d)", id(x->t), axis,
        (int)begin, (int)end, (int)step);
}
static gtr_tensor *part_of(graph *g, gtr_tensor *t, int k)
{
    return t ? made(g, gtr_output(t, k), "gtr_output(%s, %d)", id(t), k) : NULL;
}
GENERATOR(split, TAKES_FLOATS)
{
    value roomy = with_axis(g, x);
    x = &roomy;
    if (!x->t) return NULL;
    const int axis = free_axis(g, &x->shape);
    if (axis < 0) return NULL;
    int64_t d = x->shape.dim[axis], n = 1 + pick(g, 4);
    while (d % n) n--;
    gtr_tensor *t = made(g, gtr_split(x->t, axis, (int)n), "gtr_split(%s, %d, %d)", id(x->t), axis, (int)n);
    for (int k = 1; t && k < n; k++)
        if (chance(g, 60)) value_add(g, part_of(g, t, k), g->op);
    return t;
}
/* Another output of what has several. */
GENERATOR(output, TAKES_FLOATS)
{
    value roomy = with_axis(g, x);
    x = &roomy;
    if (!x->t) return NULL;
    const int axis = free_axis(g, &x->shape);
    if (axis < 0 || x->shape.dim[axis] % 2) return NULL;
    gtr_tensor *t = made(g, gtr_split(x->t, axis, 2), "gtr_split(%s, %d, 2)", id(x->t), axis);
    return part_of(g, t, 1);
}
GENERATOR(pad, TAKES_FLOATS)
{
    value roomy = with_axis(g, x);
    x = &roomy;
    if (!x->t) return NULL;
    int64_t pad[2 * GTR_MAX_DIMS] = { 0 };
    const int mode = pick(g, 4), n = 1 + pick(g, 2), last = x->shape.ndim - 1;
    if (last < n - 1) return NULL;
    for (int k = 0; k < n; k++) {
        const int64_t d = x->shape.dim[last - k];
        if (d < 0) return NULL;
        const int64_t most = mode == GTR_PAD_REFLECT ? d - 1 : mode == GTR_PAD_CIRCULAR ? d : 3;
        for (int e = 0; e < 2; e++) pad[2 * k + e] = most > 0 ? pick(g, (int)(most > 3 ? 3 : most) + 1) : 0;
        if (mode == 0 && d > 2 && chance(g, 25)) pad[2 * k] = -1;
    }
    return made(g, gtr_pad(x->t, pad, n, (gtr_pad_mode)mode, -1.5f),
        "gtr_pad(%s, (int64_t[]){ %d, %d, %d, %d }, %d, (gtr_pad_mode)%d, -1.5f)", id(x->t), (int)pad[0], (int)pad[1],
        (int)pad[2], (int)pad[3], n, mode);
}
GENERATOR(tile, TAKES_FLOATS)
{
    value roomy = with_axis(g, x);
    x = &roomy;
    if (!x->t) return NULL;
    int64_t times[GTR_MAX_DIMS] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    const int axis = free_axis(g, &x->shape);
    if (axis < 0 || row_of(&x->shape) > MOST_ELEMENTS / 4) return NULL;
    times[axis] = 1 + pick(g, 3);
    return made(g, gtr_tile(x->t, times), "gtr_tile(%s, (int64_t[]){ %d, %d, %d, %d, %d, 1, 1, 1 })", id(x->t),
        (int)times[0], (int)times[1], (int)times[2], (int)times[3], (int)times[4]);
}
GENERATOR(roll, TAKES_FLOATS)
{
    value roomy = with_axis(g, x);
    x = &roomy;
    if (!x->t) return NULL;
    const int axis = free_axis(g, &x->shape), shift = pick(g, 7) - 3;
    return axis < 0 ? NULL : made(g, gtr_roll(x->t, shift, axis), "gtr_roll(%s, %d, %d)", id(x->t), shift, axis);
}
GENERATOR(flip, TAKES_FLOATS)
{
    value roomy = with_axis(g, x);
    x = &roomy;
    if (!x->t) return NULL;
    const int axis = free_axis(g, &x->shape);
    return axis < 0 ? NULL : made(g, gtr_flip(x->t, &axis, 1), "gtr_flip(%s, (int[]){ %d }, 1)", id(x->t), axis);
}
GENERATOR(pixel_shuffle, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = ranked(g, x, 4, &s);
    const int r = s.dim[1] % 4 == 0 ? 2 : 1;
    return t ? made(g, gtr_pixel_shuffle(t, r), "gtr_pixel_shuffle(%s, %d)", id(t), r) : NULL;
}
GENERATOR(stop_gradient, TAKES_FLOATS)
{
    g->stops = true;
    return made(g, gtr_stop_gradient(x->t), "gtr_stop_gradient(%s)", id(x->t));
}

// >>reductions
/* Axes that are drawn, the batch seldom among them; n 0: all. */
static int axes_of(graph *g, const value *x, int *axes)
{
    int n = 0;
    const bool batch = chance(g, 12);
    for (int k = 0; k < x->shape.ndim; k++)
        if ((x->shape.dim[k] > 0 || batch) && chance(g, 55)) axes[n++] = k;
    if (!n) {
        const int a = free_axis(g, &x->shape);
        if (a >= 0) axes[n++] = a;
    }
    for (int k = 0; k < n; k++) mixes(g, &x->shape, axes[k]);
    if (!n)
        for (int k = 0; k < x->shape.ndim; k++) mixes(g, &x->shape, k);
    return n;
}
#define REDUCE_GENERATOR(name) \
    GENERATOR(name, TAKES_FLOATS) \
    { \
        int a[GTR_MAX_DIMS]; \
        const int n = axes_of(g, x, a); \
        const bool keep = chance(g, 40); \
        return made(g, gtr_##name(x->t, a, n, keep), "gtr_" #name "(%s, %s, %d, %d)", id(x->t), \
            n ? ints_text(a, n) : "NULL", n, keep); \
    }
REDUCE_GENERATOR(sum) REDUCE_GENERATOR(mean) REDUCE_GENERATOR(logsumexp)
    GENERATOR(prod, TAKES_FLOATS)
{
    int a[GTR_MAX_DIMS], n = axes_of(g, x, a);
    const bool keep = chance(g, 40);
    gtr_tensor *t = moderate(g, x);
    return made(g, gtr_prod(t, a, n, keep), "gtr_prod(%s, %s, %d, %d)", id(t), n ? ints_text(a, n) : "NULL", n, keep);
}
#define EXTREME_GENERATOR(name) \
    GENERATOR(name, TAKES_FLOATS) \
    { \
        int a[GTR_MAX_DIMS]; \
        const int n = axes_of(g, x, a); \
        const bool keep = chance(g, 40); \
        gtr_tensor *const of = off_jumps(g, x); \
        gtr_tensor *t = made(g, gtr_##name(of, a, n, keep), "gtr_" #name "(%s, %s, %d, %d)", id(of), \
            n ? ints_text(a, n) : "NULL", n, keep); \
        if (chance(g, 30)) value_add(g, part_of(g, t, 1), g->op); \
        return t; \
    }
EXTREME_GENERATOR(max) EXTREME_GENERATOR(min)
    GENERATOR(var, TAKES_FLOATS)
{
    int a[GTR_MAX_DIMS], n = axes_of(g, x, a);
    const bool keep = chance(g, 40), unbiased = chance(g, 50) && x->shape.ndim && n == 0;
    if (g->by_hand && !unbiased)
        return by_hand(g, gtr_mean(gtr_square(gtr_sub(x->t, gtr_mean(x->t, a, n, true))), a, n, keep));
    return made(g, gtr_var(x->t, a, n, false, keep), "gtr_var(%s, %s, %d, 0, %d)", id(x->t),
        n ? ints_text(a, n) : "NULL", n, keep);
}
GENERATOR(norm, TAKES_FLOATS)
{
    int a[GTR_MAX_DIMS], n = axes_of(g, x, a), p = pick(g, 3);
    const bool keep = chance(g, 40);
    const float of = p == 0 ? 1 : p == 1 ? 2 : (float)INFINITY;
    g->ties |= p == 2;
    return made(g, gtr_norm(x->t, of, a, n, keep), "gtr_norm(%s, %s, %s, %d, %d)", id(x->t),
        p == 2 ? "INFINITY"
        : p    ? "2"
               : "1",
        n ? ints_text(a, n) : "NULL", n, keep);
}
/* Any axis; of the batch seldom. */
static int along(graph *g, const value *x)
{
    const int a = x->shape.ndim && chance(g, 10) ? pick(g, x->shape.ndim) : free_axis(g, &x->shape);
    if (a >= 0) mixes(g, &x->shape, a);
    return a;
}
#define ALONG_GENERATOR(name, hand) \
    GENERATOR(name, TAKES_FLOATS) \
    { \
        value roomy = with_axis(g, x); \
        x = &roomy; \
        if (!x->t) return NULL; \
        const int a = along(g, x); \
        if (a < 0) return NULL; \
        if (g->by_hand && (hand)) return by_hand(g, hand); \
        return made(g, gtr_##name(x->t, a), "gtr_" #name "(%s, %d)", id(x->t), a); \
    }
ALONG_GENERATOR(softmax, gtr_exp(gtr_sub(x->t, gtr_logsumexp(x->t, &a, 1, true))))
ALONG_GENERATOR(log_softmax, gtr_sub(x->t, gtr_logsumexp(x->t, &a, 1, true)))
ALONG_GENERATOR(cumsum, NULL)
#define INDEX_GENERATOR(name) \
    GENERATOR(name, TAKES_FLOATS) \
    { \
        value roomy = with_axis(g, x); \
        x = &roomy; \
        if (!x->t) return NULL; \
        const int a = along(g, x); \
        if (a < 0) return NULL; \
        gtr_tensor *const t = off_jumps(g, x); \
        g->jumps = true; \
        return made(g, gtr_##name(t, a), "gtr_" #name "(%s, %d)", id(t), a); \
    }
INDEX_GENERATOR(argmax) INDEX_GENERATOR(argmin)
    GENERATOR(softmax_mask, TAKES_FLOATS)
{
    value roomy = with_axis(g, x);
    x = &roomy;
    if (!x->t) return NULL;
    const int a = along(g, x);
    gtr_tensor *m = a < 0 ? NULL : like(g, x, x->shape, ZEROS);
    gtr_tensor *t =
        m ? made(g, gtr_softmax_mask(x->t, m, a), "gtr_softmax_mask(%s, %s, %d)", id(x->t), id(m), a) : NULL;
    if (t && chance(g, 30)) value_add(g, part_of(g, t, 1), g->op);
    return t;
}
GENERATOR(sort, TAKES_FLOATS)
{
    value roomy = with_axis(g, x);
    x = &roomy;
    if (!x->t) return NULL;
    const int a = along(g, x);
    const bool down = chance(g, 50);
    if (a < 0) return NULL;
    gtr_tensor *const of = off_jumps(g, x);
    gtr_tensor *t = made(g, gtr_sort(of, a, down), "gtr_sort(%s, %d, %d)", id(of), a, down);
    if (chance(g, 30)) value_add(g, part_of(g, t, 1), g->op);
    return t;
}
GENERATOR(top_k, TAKES_FLOATS)
{
    value roomy = with_axis(g, x);
    x = &roomy;
    if (!x->t) return NULL;
    const int a = free_axis(g, &x->shape);
    if (a < 0) return NULL;
    const int k = 1 + pick(g, (int)x->shape.dim[a]);
    gtr_tensor *const t = off_jumps(g, x);
    return made(g, gtr_top_k(t, k, a), "gtr_top_k(%s, %d, %d)", id(t), k, a);
}
GENERATOR(arange, TAKES_FLOATS)
{
    value roomy = with_axis(g, x);
    x = &roomy;
    if (!x->t) return NULL;
    if (!x->shape.ndim) return NULL;
    const int a = pick(g, x->shape.ndim);
    mixes(g, &x->shape, a);
    g->wants_batch = true; /* literal, it is a constant, for which x is not computed */
    return made(g, gtr_arange(x->t, a), "gtr_arange(%s, %d)", id(x->t), a);
}
GENERATOR(to_float, TAKES_INTS) { return made(g, gtr_to_float(x->t), "gtr_to_float(%s)", id(x->t)); }
GENERATOR(to_int, TAKES_FLOATS)
{
    gtr_tensor *const of = off_jumps(g, x), *t = chance(g, 50) ? of : scaled(g, of, 3, 0.1f);
    g->jumps = true;
    return made(g, gtr_to_int(t), "gtr_to_int(%s)", id(t));
}
/* Ids in [0, n): x, if they are, or a leaf of this shape. */
static gtr_tensor *ids_below(graph *g, const value *x, gtr_shape s, int n)
{
    if (x && x->ints && same_shape(&x->shape, &s) && x->low >= 0 && x->high < n) return x->t;
    return leaf_of(g, s, IDS, n);
}
static int id_limit(const value *x) { return x->high < 40 ? (int)x->high + 2 : 0; }
GENERATOR(one_hot, TAKES_INTS)
{
    const int n = id_limit(x) - chance(g, 40);
    return x->low < 0 || !n || row_of(&x->shape) * n > MOST_ELEMENTS
               ? NULL
               : made(g, gtr_one_hot(x->t, n), "gtr_one_hot(%s, %d)", id(x->t), n);
}
GENERATOR(embedding, TAKES_INTS)
{
    const int n = id_limit(x), w = 1 + pick(g, 6);
    const char *name = name_of(g);
    return x->low < 0 || !n || row_of(&x->shape) > 400
               ? NULL
               : made(g, gtr_embedding(x->t, name, n, w), "gtr_embedding(%s, \"%s\", %d, %d)", id(x->t), name, n, w);
}
GENERATOR(embedding_with, TAKES_INTS)
{
    const int n = id_limit(x);
    gtr_tensor *w =
        x->low < 0 || !n || row_of(&x->shape) > 400 ? NULL : like(g, NULL, shape_of(2, n, 1 + pick(g, 6), 0, 0), PLAIN);
    if (w && g->by_hand && w->op == GTR__OP_PARAMETER) return by_hand(g, gtr_gather_rows(w, x->t));
    return w ? made(g, gtr_embedding_with(x->t, w), "gtr_embedding_with(%s, %s)", id(x->t), id(w)) : NULL;
}
GENERATOR(gather_rows, TAKES_ANY)
{
    if (x->ints) {
        const int n = id_limit(x);
        gtr_tensor *w = x->low < 0 || !n || row_of(&x->shape) > 400
                            ? NULL
                            : like(g, NULL, shape_of(2, n, 1 + pick(g, 4), 0, 0), PLAIN);
        return w ? made(g, gtr_gather_rows(w, x->t), "gtr_gather_rows(%s, %s)", id(w), id(x->t)) : NULL;
    }
    value roomy = with_axis(g, x);
    x = &roomy;
    if (!x->t) return NULL;
    if (x->shape.ndim < 1 || batch_axis(&x->shape) >= 0 || row_of(&x->shape) > 300) return NULL;
    gtr_tensor *ids = ids_below(g, NULL, shape_of(1 + pick(g, 2), -1, 3, 0, 0), (int)x->shape.dim[0]);
    return ids ? made(g, gtr_gather_rows(x->t, ids), "gtr_gather_rows(%s, %s)", id(x->t), id(ids)) : NULL;
}
GENERATOR(gather, TAKES_ANY)
{
    value roomy = with_axis(g, x);
    x = &roomy;
    if (!x->t) return NULL;
    const int a = free_axis(g, &x->shape);
    if (a < 0 || batch_axis(&x->shape) > 0) return NULL;
    gtr_shape s = x->shape;
    if (x->ints) { /* from a new tensor, at x */
        const int n = id_limit(x);
        s.dim[a] = n;
        gtr_tensor *from = x->low < 0 || !n ? NULL : like(g, NULL, s, PLAIN);
        return from ? made(g, gtr_gather(from, a, x->t), "gtr_gather(%s, %d, %s)", id(from), a, id(x->t)) : NULL;
    }
    s.dim[a] = 1 + pick(g, 5);
    gtr_tensor *ids = ids_below(g, NULL, s, (int)x->shape.dim[a]);
    return ids ? made(g, gtr_gather(x->t, a, ids), "gtr_gather(%s, %d, %s)", id(x->t), a, id(ids)) : NULL;
}
GENERATOR(scatter_add_rows, TAKES_ANY)
{
    value roomy = with_axis(g, x);
    x = &roomy;
    if (!x->t) return NULL;
    const int rows = x->ints ? id_limit(x) : 2 + pick(g, 5);
    if (!x->shape.ndim || batch_axis(&x->shape) > 0) return NULL;
    if (x->ints) { /* a new tensor's rows, to x */
        gtr_shape s = x->shape;
        if (s.ndim != 1 || x->low < 0 || !rows) return NULL;
        if (s.dim[0] < 0) g->mixes = true;
        s.ndim = 2;
        s.dim[1] = 1 + pick(g, 4);
        gtr_tensor *from = like(g, NULL, s, PLAIN);
        return from ? made(g, gtr_scatter_add_rows(x->t, from, rows), "gtr_scatter_add_rows(%s, %s, %d)", id(x->t),
                          id(from), rows)
                    : NULL;
    }
    gtr_tensor *ids = ids_below(g, NULL, shape_of(1, x->shape.dim[0], 0, 0, 0), rows);
    if (x->shape.dim[0] < 0) g->mixes = true;
    return ids ? made(g, gtr_scatter_add_rows(ids, x->t, rows), "gtr_scatter_add_rows(%s, %s, %d)", id(ids), id(x->t),
                     rows)
               : NULL;
}

// >>random
GENERATOR(dropout, TAKES_FLOATS)
{
    const char *n = name_of(g);
    const float p = (float)pick(g, 4) * 0.2f;
    g->drops = true;
    return made(g, gtr_dropout(x->t, n, p), "gtr_dropout(%s, \"%s\", %.9gf)", id(x->t), n, p);
}
GENERATOR(dropout2d, TAKES_FLOATS)
{
    const char *n = name_of(g);
    if (x->shape.ndim < 3 || batch_axis(&x->shape) != 0) return NULL;
    g->drops = true;
    return made(g, gtr_dropout2d(x->t, n, 0.4f), "gtr_dropout2d(%s, \"%s\", 0.4f)", id(x->t), n);
}
#define RANDOM_GENERATOR(name) \
    GENERATOR(name, TAKES_FLOATS) \
    { \
        const char *n = name_of(g); \
        g->draws = true; \
        return made(g, gtr_##name(x->t, n), "gtr_" #name "(%s, \"%s\")", id(x->t), n); \
    }
RANDOM_GENERATOR(random_normal) RANDOM_GENERATOR(random_uniform) RANDOM_GENERATOR(random_gumbel)

    // >>products
    static gtr_tensor *matmul_of(graph *g, gtr_tensor *a, bool ta, gtr_tensor *b, bool tb)
{
    return a && b ? made(g, gtr_matmul_t(a, ta, b, tb), "gtr_matmul_t(%s, %d, %s, %d)", id(a), ta, id(b), tb) : NULL;
}
GENERATOR(matmul_t, TAKES_FLOATS)
{
    gtr_shape s;
    const int rank = 2 + pick(g, 3);
    gtr_tensor *t = batch_axis(&x->shape) >= 0 && x->shape.ndim >= 2 && x->shape.ndim < 6 &&
                            batch_axis(&x->shape) < x->shape.ndim - 2
                        ? x->t
                        : NULL;
    s = x->shape;
    if (!t) t = ranked(g, x, rank, &s);
    if (!t) return NULL;
    const int n = s.ndim;
    bool ta = chance(g, 40), tb = chance(g, 50);
    if (n == 2 && s.dim[0] < 0) ta = false;
    const int64_t k = s.dim[ta ? n - 2 : n - 1], m = 1 + pick(g, 6);
    gtr_shape o = s;
    if (chance(g, 50) || s.dim[n - 2] < 0) o = shape_of(2, 0, 0, 0, 0);
    o.dim[o.ndim - 2] = tb ? m : k;
    o.dim[o.ndim - 1] = tb ? k : m;
    gtr_tensor *b = like(g, x, o, PLAIN);
    if (n > 2 && o.ndim > 2 && !ta && chance(g, 30)) { /* x as the second */
        gtr_shape p = s;
        p.dim[n - 2] = 1 + pick(g, 5);
        p.dim[n - 1] = tb ? s.dim[n - 1] : s.dim[n - 2];
        return matmul_of(g, like(g, x, p, PLAIN), false, t, tb);
    }
    return matmul_of(g, t, ta, b, tb);
}
GENERATOR(matmul, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = ranked(g, x, 2 + pick(g, 3), &s);
    gtr_tensor *b = t ? like(g, x, shape_of(2, s.dim[s.ndim - 1], 1 + pick(g, 6), 0, 0), PLAIN) : NULL;
    return t && b ? made(g, gtr_matmul(t, b), "gtr_matmul(%s, %s)", id(t), id(b)) : NULL;
}
/* x of one dimension or more, whose last is not the batch. */
static gtr_tensor *columns(graph *g, value *x, gtr_shape *s)
{
    *s = x->shape;
    return s->ndim && s->dim[s->ndim - 1] > 0 && (s->ndim > 1 || s->dim[0] < 40) ? x->t : ranked(g, x, 2, s);
}
GENERATOR(linear, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = columns(g, x, &s);
    const int o = (int)size_drawn(g);
    const char *n = name_of(g);
    gtr_tensor *y = t ? made(g, gtr_linear(t, n, o), "gtr_linear(%s, \"%s\", %d)", id(t), n, o) : NULL;
    char full[40];
    snprintf(full, sizeof full, "%s.weight", n);
    if (y) {
        weight_add(g, gtr_parameter_find(g->ctx, full));
        say(g, "    gtr_tensor *%s = gtr_parameter_find(ctx, \"%s\");\n", id(gtr_parameter_find(g->ctx, full)), full);
    }
    return y;
}
GENERATOR(linear_ex, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = columns(g, x, &s);
    gtr_linear_desc d;
    memset(&d, 0, sizeof d);
    d.out = size_drawn(g);
    d.no_bias = chance(g, 50);
    const char *n = name_of(g);
    return t ? made(g, gtr_linear_ex(t, n, d),
                   "gtr_linear_ex(%s, \"%s\", (gtr_linear_desc){ .out = %d, .no_bias = %d })", id(t), n, (int)d.out,
                   d.no_bias)
             : NULL;
}
/* Weights that are shared: a parameter (M, K) of the graph, where there is one for these columns. */
GENERATOR(linear_with, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = columns(g, x, &s), *w = NULL, *b;
    int64_t m = 1 + pick(g, 6);
    if (!t) return NULL;
    for (int i = g->n_weight - 1; i >= 0 && !w && chance(g, 80); i--) {
        const gtr_shape q = gtr_tensor_shape(g->weight[i]);
        if (q.dim[1] == s.dim[s.ndim - 1]) {
            w = g->weight[i];
            m = q.dim[0];
        }
    }
    if (!w) w = like(g, NULL, shape_of(2, m, s.dim[s.ndim - 1], 0, 0), PLAIN);
    b = w && chance(g, 60) ? like(g, NULL, shape_of(1, m, 0, 0, 0), PLAIN) : NULL;
    if (!w) return NULL;
    if (g->by_hand && s.ndim >= 2) {
        gtr_tensor *y = gtr_matmul_t(t, false, w, true);
        return by_hand(g, b ? gtr_add(y, b) : y);
    }
    return made(g, gtr_linear_with(t, w, b), "gtr_linear_with(%s, %s, %s)", id(t), id(w), id(b));
}
GENERATOR(bilinear, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = columns(g, x, &s), *b;
    const char *n = name_of(g);
    const int m = 1 + pick(g, 4);
    if (!t || s.dim[s.ndim - 1] > 20) return NULL;
    gtr_shape o = s;
    o.dim[o.ndim - 1] = 1 + pick(g, 4);
    b = like(g, x, o, PLAIN);
    return b ? made(g, gtr_bilinear(t, b, n, m), "gtr_bilinear(%s, %s, \"%s\", %d)", id(t), id(b), n, m) : NULL;
}
GENERATOR(bilinear_with, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = columns(g, x, &s), *b, *w;
    const int m = 1 + pick(g, 4);
    if (!t || s.dim[s.ndim - 1] > 20) return NULL;
    gtr_shape o = s;
    o.dim[o.ndim - 1] = 1 + pick(g, 4);
    b = like(g, x, o, PLAIN);
    w = leaf_of(g, shape_of(3, m, s.dim[s.ndim - 1], o.dim[o.ndim - 1], 0), PLAIN, 0);
    return b && w
               ? made(g, gtr_bilinear_with(t, b, w, NULL), "gtr_bilinear_with(%s, %s, %s, NULL)", id(t), id(b), id(w))
               : NULL;
}
static gtr_conv_desc conv_drawn(graph *g, const gtr_shape *s, bool transposed)
{
    gtr_conv_desc d;
    memset(&d, 0, sizeof d);
    d.kernel = 1 + pick(g, 3);
    d.stride = chance(g, 30) ? 2 : 1;
    d.padding = pick(g, d.kernel);
    d.dilation = chance(g, 15) ? 2 : 1;
    if (!transposed && (s->dim[2] + 2 * d.padding < d.dilation * (d.kernel - 1) + 1 ||
                           (s->ndim > 3 && s->dim[3] + 2 * d.padding < d.dilation * (d.kernel - 1) + 1))) {
        d.kernel = 1;
        d.padding = 0;
        d.dilation = 1;
    }
    if (transposed) d.padding = 0;
    d.groups = chance(g, 35) ? s->dim[1] : 1;
    if (d.groups > 8) d.groups = 1;
    d.out = d.groups * (1 + pick(g, d.groups > 1 ? 2 : 5));
    if (transposed && d.stride == 2 && chance(g, 50)) d.output_padding = 1;
    d.no_bias = chance(g, 30);
    return d;
}
static const char *conv_text(const gtr_conv_desc *d)
{
    static char text[240];
    snprintf(text, sizeof text,
        "(gtr_conv_desc){ .out = %d, .kernel = %d, .stride = %d, .padding = %d, .dilation = %d, .groups = %d, .no_bias "
        "= %d, .output_padding = %d }",
        (int)d->out, d->kernel, d->stride, d->padding, d->dilation, (int)d->groups, d->no_bias, d->output_padding);
    return text;
}
/* (N, C, L) or (N, C, H, W). */
static gtr_tensor *image(graph *g, value *x, gtr_shape *s)
{
    *s = x->shape;
    if (x->shape.ndim >= 3 && x->shape.ndim <= 4 && batch_axis(&x->shape) < 1) return x->t;
    return ranked(g, x, 3 + pick(g, 2), s);
}
static gtr_tensor *conv_made(graph *g, value *x, bool transposed, int how)
{
    gtr_shape s;
    gtr_tensor *t = image(g, x, &s), *w, *b;
    if (!t || s.dim[1] > 40) return NULL;
    gtr_conv_desc d = conv_drawn(g, &s, transposed);
    const char *n = name_of(g);
    if (how == 0) { /* the short form: of images, or sequences */
        if (transposed)
            return made(g, gtr_conv_transpose2d(t, n, d.out, d.kernel, d.stride, d.padding),
                "gtr_conv_transpose2d(%s, \"%s\", %d, %d, %d, %d)", id(t), n, (int)d.out, d.kernel, d.stride,
                d.padding);
        if (d.dilation > 1) {
            d.kernel = 1;
            d.padding = 0;
        }
        if (s.ndim == 4)
            return made(g, gtr_conv2d(t, n, d.out, d.kernel, d.stride, d.padding),
                "gtr_conv2d(%s, \"%s\", %d, %d, %d, %d)", id(t), n, (int)d.out, d.kernel, d.stride, d.padding);
        return made(g, gtr_conv1d(t, n, d.out, d.kernel, d.stride, d.padding), "gtr_conv1d(%s, \"%s\", %d, %d, %d, %d)",
            id(t), n, (int)d.out, d.kernel, d.stride, d.padding);
    }
    if (how == 1)
        return transposed ? made(g, gtr_conv_transpose2d_ex(t, n, d), "gtr_conv_transpose2d_ex(%s, \"%s\", %s)", id(t),
                                n, conv_text(&d))
                          : made(g, gtr_conv2d_ex(t, n, d), "gtr_conv2d_ex(%s, \"%s\", %s)", id(t), n, conv_text(&d));
    w = like(g, NULL,
        transposed ? shape_of(s.ndim, s.dim[1], d.out / d.groups, d.kernel, d.kernel)
                   : shape_of(s.ndim, d.out, s.dim[1] / d.groups, d.kernel, d.kernel),
        PLAIN);
    b = w && !d.no_bias ? like(g, NULL, shape_of(1, d.out, 0, 0, 0), PLAIN) : NULL;
    d.out = 0;
    d.kernel = 0;
    d.no_bias = false;
    if (!w) return NULL;
    return transposed ? made(g, gtr_conv_transpose2d_with(t, w, b, d), "gtr_conv_transpose2d_with(%s, %s, %s, %s)",
                            id(t), id(w), id(b), conv_text(&d))
                      : made(g, gtr_conv2d_with(t, w, b, d), "gtr_conv2d_with(%s, %s, %s, %s)", id(t), id(w), id(b),
                            conv_text(&d));
}
static value as_image(graph *g, value *x, int rank)
{
    value v = *x;
    if (x->shape.ndim != rank || batch_axis(&x->shape) > 0) v.t = ranked(g, x, rank, &v.shape);
    return v;
}
GENERATOR(conv2d, TAKES_FLOATS)
{
    value v = as_image(g, x, 4);
    return v.t ? conv_made(g, &v, false, 0) : NULL;
}
GENERATOR(conv1d, TAKES_FLOATS)
{
    value v = as_image(g, x, 3);
    return v.t ? conv_made(g, &v, false, 0) : NULL;
}
GENERATOR(conv2d_ex, TAKES_FLOATS) { return conv_made(g, x, false, 1); }
GENERATOR(conv2d_with, TAKES_FLOATS) { return conv_made(g, x, false, 2); }
GENERATOR(conv_transpose2d, TAKES_FLOATS) { return conv_made(g, x, true, 0); }
GENERATOR(conv_transpose2d_ex, TAKES_FLOATS) { return conv_made(g, x, true, 1); }
GENERATOR(conv_transpose2d_with, TAKES_FLOATS) { return conv_made(g, x, true, 2); }
static gtr_pool_desc pool_drawn(graph *g, const gtr_shape *s)
{
    gtr_pool_desc d;
    memset(&d, 0, sizeof d);
    d.kernel = 1 + pick(g, 3);
    if (s->dim[2] < d.kernel || (s->ndim > 3 && s->dim[3] < d.kernel)) d.kernel = 1;
    d.stride = pick(g, 3);
    d.padding = pick(g, d.kernel / 2 + 1);
    d.round_up = chance(g, 25);
    return d;
}
static gtr_tensor *pool_made(graph *g, value *x, bool max, bool ex)
{
    gtr_shape s;
    gtr_tensor *t = image(g, x, &s);
    if (!t) return NULL;
    gtr_pool_desc d = pool_drawn(g, &s);
    if (!ex)
        return max ? made(g, gtr_max_pool2d(t, d.kernel, d.stride, d.padding), "gtr_max_pool2d(%s, %d, %d, %d)", id(t),
                         d.kernel, d.stride, d.padding)
                   : made(g, gtr_avg_pool2d(t, d.kernel, d.stride, d.padding), "gtr_avg_pool2d(%s, %d, %d, %d)", id(t),
                         d.kernel, d.stride, d.padding);
    if (!max) d.exclude_padding = chance(g, 50);
    return max ? made(g, gtr_max_pool2d_ex(t, d),
                     "gtr_max_pool2d_ex(%s, (gtr_pool_desc){ .kernel = %d, .stride = %d, .padding = %d, .round_up = %d "
                     "})",
                     id(t), d.kernel, d.stride, d.padding, d.round_up)
               : made(g, gtr_avg_pool2d_ex(t, d),
                     "gtr_avg_pool2d_ex(%s, (gtr_pool_desc){ .kernel = %d, .stride = %d, .padding = %d, .round_up = "
                     "%d, .exclude_padding = %d })",
                     id(t), d.kernel, d.stride, d.padding, d.round_up, d.exclude_padding);
}
GENERATOR(max_pool2d, TAKES_FLOATS) { return pool_made(g, x, true, false); }
GENERATOR(max_pool2d_ex, TAKES_FLOATS) { return pool_made(g, x, true, true); }
GENERATOR(avg_pool2d, TAKES_FLOATS) { return pool_made(g, x, false, false); }
GENERATOR(avg_pool2d_ex, TAKES_FLOATS) { return pool_made(g, x, false, true); }
GENERATOR(adaptive_avg_pool2d, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = image(g, x, &s);
    const int h = t && s.ndim == 4 ? 1 + pick(g, 3) : 1, w = 1 + pick(g, 3);
    return t ? made(g, gtr_adaptive_avg_pool2d(t, h, w), "gtr_adaptive_avg_pool2d(%s, %d, %d)", id(t), h, w) : NULL;
}
GENERATOR(global_avg_pool, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = image(g, x, &s);
    int axes[2] = { 2, 3 };
    if (t && g->by_hand) return by_hand(g, gtr_mean(t, axes, s.ndim - 2, false));
    return t ? made(g, gtr_global_avg_pool(t), "gtr_global_avg_pool(%s)", id(t)) : NULL;
}
GENERATOR(upsample2d, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = image(g, x, &s);
    const bool linear = chance(g, 50);
    return t && row_of(&s) < 500 ? made(g, gtr_upsample2d(t, 2, linear), "gtr_upsample2d(%s, 2, %d)", id(t), linear)
                                 : NULL;
}
/* y = a b + a, by the program's own callbacks. */
static gtr_result custom_forward(const gtr_custom_call *k)
{
    const gtr_float *a = (const gtr_float *)k->in[0], *b = (const gtr_float *)k->in[1];
    for (int64_t i = 0, n = gtr__count(&k->out_shape); i < n; i++) ((gtr_float *)k->out)[i] = a[i] * b[i] + a[i];
    return GTR_OK;
}
/* The same of integers b. */
static gtr_result custom_forward_ints(const gtr_custom_call *k)
{
    const gtr_float *a = (const gtr_float *)k->in[0];
    const int32_t *b = (const int32_t *)k->in[1];
    for (int64_t i = 0, n = gtr__count(&k->out_shape); i < n; i++)
        ((gtr_float *)k->out)[i] = a[i] * (gtr_float)(b[i] % 3) + a[i];
    return GTR_OK;
}
static gtr_result custom_backward_ints(const gtr_custom_call *k)
{
    const int32_t *b = (const int32_t *)k->in[1];
    for (int64_t i = 0, n = gtr__count(&k->out_shape); i < n; i++)
        if (k->din[0]) ((gtr_float *)k->din[0])[i] = ((const gtr_float *)k->dout)[i] * (gtr_float)(b[i] % 3 + 1);
    return GTR_OK;
}
static gtr_result custom_backward(const gtr_custom_call *k)
{
    const gtr_float *a = (const gtr_float *)k->in[0], *b = (const gtr_float *)k->in[1],
                    *dy = (const gtr_float *)k->dout;
    gtr_float *da = (gtr_float *)k->din[0], *db = (gtr_float *)k->din[1];
    for (int64_t i = 0, n = gtr__count(&k->out_shape); i < n; i++) {
        if (da) da[i] = dy[i] * (b[i] + 1);
        if (db) db[i] = dy[i] * a[i];
    }
    return GTR_OK;
}
GENERATOR(custom, TAKES_ANY)
{
    gtr_custom_desc d;
    memset(&d, 0, sizeof d);
    d.name = "own";
    d.n_in = 2;
    d.in[0] = x->ints ? like(g, NULL, x->shape, PLAIN) : moderate(g, x);
    d.in[1] = x->ints ? x->t : like(g, x, x->shape, PLAIN);
    d.forward = x->ints ? custom_forward_ints : custom_forward;
    d.backward = x->ints ? custom_backward_ints : custom_backward;
    g->mixes = true;
    if (!d.in[0] || !d.in[1]) return NULL;
    if (x->ints)
        return made(g, gtr_custom(g->ctx, d), "own_product_of_ints(ctx, %s, %s)", id(d.in[0]), id(d.in[1]));
    if (g->by_hand) return by_hand(g, gtr_add(gtr_mul(d.in[0], d.in[1]), d.in[0]));
    return made(g, gtr_custom(g->ctx, d), "own_product(ctx, %s, %s)", id(d.in[0]), id(d.in[1]));
}

// >>norms
GENERATOR(batch_norm, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = x->shape.ndim >= 2 && x->shape.ndim <= 4 && batch_axis(&x->shape) == 0
                        ? (s = x->shape, x->t)
                        : ranked(g, x, 2 + pick(g, 3), &s);
    const char *n = name_of(g);
    if (!t || count_of(g, &s) / s.dim[1] < 2) return NULL;
    g->batch_norms = true;
    return made(g, gtr_batch_norm(t, n), "gtr_batch_norm(%s, \"%s\")", id(t), n);
}
GENERATOR(batch_norm_ex, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = ranked(g, x, 2 + pick(g, 3), &s);
    gtr_batch_norm_desc d;
    memset(&d, 0, sizeof d);
    const char *n = name_of(g);
    d.eps = 0.01f;
    d.momentum = 0.3f;
    d.frozen = chance(g, 50);
    if (!t || count_of(g, &s) / s.dim[1] < 2) return NULL;
    if (!d.frozen) g->batch_norms = true;
    return made(g, gtr_batch_norm_ex(t, n, d),
        "gtr_batch_norm_ex(%s, \"%s\", (gtr_batch_norm_desc){ .eps = 0.01f, .momentum = 0.3f, .frozen = %d })", id(t),
        n, d.frozen);
}
/* A norm's statistics in a second place: those of a batch_norm that this makes. */
GENERATOR(batch_norm_with, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = ranked(g, x, 2 + pick(g, 3), &s), *y;
    gtr_batch_norm_desc d;
    memset(&d, 0, sizeof d);
    const char *n = name_of(g), *of[4] = { "weight", "bias", "running_mean", "running_var" };
    char full[64];
    gtr_tensor *p[4];
    if (!t || count_of(g, &s) / s.dim[1] < 2) return NULL;
    y = made(g, gtr_batch_norm(t, n), "gtr_batch_norm(%s, \"%s\")", id(t), n);
    for (int k = 0; k < 4; k++) {
        snprintf(full, sizeof full, "%s.%s", n, of[k]);
        p[k] = gtr_parameter_find(g->ctx, full);
        say(g, "    gtr_tensor *%s = gtr_parameter_find(ctx, \"%s\");\n", id(p[k]), full);
    }
    g->batch_norms = true;
    if (!y) return NULL;
    y = made(g, gtr_tanh(y), "gtr_tanh(%s)", id(y));
    return made(g, gtr_batch_norm_with(y, p[0], p[1], p[2], p[3], d),
        "gtr_batch_norm_with(%s, %s, %s, %s, %s, (gtr_batch_norm_desc){0})", id(y), id(p[0]), id(p[1]), id(p[2]),
        id(p[3]));
}
GENERATOR(layer_norm, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = columns(g, x, &s);
    const char *n = name_of(g);
    int dims = t && s.ndim > 2 && chance(g, 30) ? 2 : 1;
    while (t && dims >= s.ndim) dims--;
    if (!t || dims < 1 || batch_axis(&s) > s.ndim - 1 - dims) return NULL;
    const float eps = chance(g, 50) ? 0 : 0.01f;
    return made(g, gtr_layer_norm(t, n, dims, eps), "gtr_layer_norm(%s, \"%s\", %d, %.9gf)", id(t), n, dims, eps);
}
GENERATOR(layer_norm_with, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = columns(g, x, &s);
    if (!t || s.ndim < 2) return NULL;
    const int last = s.ndim - 1;
    const int64_t k = s.dim[last];
    gtr_tensor *w = leaf_of(g, shape_of(1, k, 0, 0, 0), POSITIVE, 0),
               *b = NULL;
    if (w && chance(g, 60)) b = leaf_of(g, shape_of(1, k, 0, 0, 0), chance(g, 50) ? PLAIN : POSITIVE, 0);
    if (!w) return NULL;
    if (g->by_hand) {
        gtr_tensor *c = gtr_sub(t, gtr_mean(t, &last, 1, true)),
                   *y = gtr_mul(gtr_mul(c, gtr_rsqrt(gtr_scale(gtr_mean(gtr_square(c), &last, 1, true), 1, 0.01f))), w);
        return by_hand(g, b ? gtr_add(y, b) : y);
    }
    return made(g, gtr_layer_norm_with(t, w, b, 0.01f), "gtr_layer_norm_with(%s, %s, %s, 0.01f)", id(t), id(w), id(b));
}
GENERATOR(rms_norm, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = columns(g, x, &s);
    const char *n = name_of(g);
    return t && s.ndim > 1 ? made(g, gtr_rms_norm(t, n, 1, 0.01f), "gtr_rms_norm(%s, \"%s\", 1, 0.01f)", id(t), n)
                           : NULL;
}
GENERATOR(rms_norm_with, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = columns(g, x, &s);
    if (!t || s.ndim < 2) return NULL;
    const int last = s.ndim - 1;
    gtr_tensor *w = leaf_of(g, shape_of(1, s.dim[last], 0, 0, 0), POSITIVE, 0);
    if (!w) return NULL;
    if (g->by_hand)
        return by_hand(
            g, gtr_mul(gtr_mul(t, gtr_rsqrt(gtr_scale(gtr_mean(gtr_square(t), &last, 1, true), 1, 0.01f))), w));
    return made(g, gtr_rms_norm_with(t, w, 0.01f), "gtr_rms_norm_with(%s, %s, 0.01f)", id(t), id(w));
}
/* Groups of (N, C, ...), of more than one value; 0: there are none. */
static int64_t groups_of(graph *g, const gtr_shape *s)
{
    int64_t n = 1 + pick(g, 4), each = 1;
    while (s->dim[1] % n) n--;
    for (int k = 1; k < s->ndim; k++) each *= s->dim[k];
    return each / n > 1 ? n : each > 1 ? 1 : 0;
}
GENERATOR(group_norm, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = image(g, x, &s);
    const char *n = name_of(g);
    if (!t) return NULL;
    const int64_t k = groups_of(g, &s);
    if (!k) return NULL;
    return made(g, gtr_group_norm(t, n, k, 0.01f), "gtr_group_norm(%s, \"%s\", %d, 0.01f)", id(t), n, (int)k);
}
GENERATOR(group_norm_with, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = image(g, x, &s);
    if (!t) return NULL;
    const int64_t k = groups_of(g, &s);
    if (!k) return NULL;
    const gtr_shape each = shape_of(1, s.dim[1], 0, 0, 0);
    gtr_tensor *w = chance(g, 70) ? leaf_of(g, each, chance(g, 50) ? POSITIVE : ZEROS, 0) : NULL,
               *b = w ? leaf_of(g, each, chance(g, 50) ? PLAIN : POSITIVE, 0) : NULL;
    if (w && !b) return NULL; /* both or neither */
    return made(g, gtr_group_norm_with(t, w, b, k, 0.01f), "gtr_group_norm_with(%s, %s, %s, %d, 0.01f)", id(t), id(w),
        id(b), (int)k);
}
GENERATOR(instance_norm, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = image(g, x, &s);
    const char *n = chance(g, 50) ? name_of(g) : NULL;
    if (t && row_of(&s) / (s.dim[0] < 0 ? -s.dim[0] : s.dim[0]) == s.dim[1]) return NULL; /* one value each */
    return t ? made(g, gtr_instance_norm(t, n, 0.01f),
                   n ? "gtr_instance_norm(%s, \"%s\", 0.01f)" : "gtr_instance_norm(%s, NULL, 0.01f)", id(t), n ? n : "")
             : NULL;
}
GENERATOR(residual, TAKES_FLOATS)
{
    gtr_shape s;
    const char *n = name_of(g);
    gtr_tensor *b, *t = columns(g, x, &s);
    if (!t || s.ndim < 2) return NULL;
    const int o = chance(g, 50) ? (int)s.dim[s.ndim - 1] : 1 + pick(g, 5);
    const char *l = name_of(g);
    b = made(g, gtr_linear(t, l, o), "gtr_linear(%s, \"%s\", %d)", id(t), l, o);
    if (!b) return NULL;
    b = made(g, gtr_tanh(b), "gtr_tanh(%s)", id(b));
    return made(g, gtr_residual(t, b, n), "gtr_residual(%s, %s, \"%s\")", id(t), id(b), n);
}

// >>sequences
/* Cells by hand over the steps of x (N, T, I); the states, those from a step on, or the last. */
static gtr_tensor *cells(graph *g, value *x, int gates, bool with)
{
    gtr_shape s;
    gtr_tensor *t = ranked(g, x, 3, &s), *h = NULL, *c = NULL, *all[8];
    const char *n = name_of(g);
    const int width = 1 + pick(g, 5);
    gtr_cell w;
    memset(&w, 0, sizeof w);
    int k = 0;
    if (!t || s.dim[0] > 0 || s.dim[1] > 8) return NULL;
    if (with) {
        w.weight_ih = leaf_of(g, shape_of(2, gates * width, s.dim[2], 0, 0), PLAIN, 0);
        w.weight_hh = leaf_of(g, shape_of(2, gates * width, width, 0, 0), PLAIN, 0);
        if (chance(g, 60)) {
            w.bias_ih = leaf_of(g, shape_of(1, gates * width, 0, 0, 0), PLAIN, 0);
            w.bias_hh = leaf_of(g, shape_of(1, gates * width, 0, 0, 0), PLAIN, 0);
        }
        if (!w.weight_hh) return NULL;
    }
    if (chance(g, 40)) h = like(g, NULL, shape_of(2, s.dim[0], width, 0, 0), PLAIN);
    for (; k < s.dim[1]; k++) {
        gtr_tensor *in = made(g, gtr_slice(t, 1, k, k + 1), "gtr_slice(%s, 1, %d, %d)", id(t), k, k + 1);
        if (!in || !(in = reshaped(g, in, shape_of(2, s.dim[0], s.dim[2], 0, 0)))) return NULL;
        if (with) {
            if (g->text)
                say(g, "    gtr_cell w%d_%d = { %s, %s, %s, %s };\n", g->op, k, id(w.weight_ih), id(w.weight_hh),
                    id(w.bias_ih), id(w.bias_hh));
            const char *was = id(h);
            if (gates == 1)
                h = made(g, gtr_rnn_cell_with(in, h, w), "gtr_rnn_cell_with(%s, %s, w%d_%d)", id(in), was, g->op, k);
            else if (gates == 3)
                h = made(g, gtr_gru_cell_with(in, h, w), "gtr_gru_cell_with(%s, %s, w%d_%d)", id(in), was, g->op, k);
            else {
                if (!k) say(g, "    gtr_tensor *c%d = NULL;\n", g->op);
                h = made(g, gtr_lstm_cell_with(in, h, &c, w), "gtr_lstm_cell_with(%s, %s, &c%d, w%d_%d)", id(in), was,
                    g->op, g->op, k);
            }
        } else {
            const char *was = id(h);
            if (gates == 1)
                h = made(g, gtr_rnn_cell(in, h, n, width), "gtr_rnn_cell(%s, %s, \"%s\", %d)", id(in), was, n, width);
            else if (gates == 3)
                h = made(g, gtr_gru_cell(in, h, n, width), "gtr_gru_cell(%s, %s, \"%s\", %d)", id(in), was, n, width);
            else {
                if (!k) say(g, "    gtr_tensor *c%d = NULL;\n", g->op);
                h = made(g, gtr_lstm_cell(in, h, &c, n, width), "gtr_lstm_cell(%s, %s, &c%d, \"%s\", %d)", id(in), was,
                    g->op, n, width);
            }
        }
        if (!h) return NULL;
        all[k] = h;
        if (k + 1 < s.dim[1] && chance(g, 15)) value_add(g, h, g->op); /* a state that others may read */
        if (c && chance(g, 8)) value_add(g, c, g->op);
    }
    if (chance(g, 40)) return h;
    const int from = chance(g, 30) ? pick(g, (int)s.dim[1]) : 0;
    for (k = from; k < s.dim[1]; k++) all[k] = reshaped(g, all[k], shape_of(3, s.dim[0], 1, width, 0));
    return concat_of(g, all + from, (int)s.dim[1] - from, 1);
}
GENERATOR(rnn_cell, TAKES_FLOATS) { return cells(g, x, 1, false); }
GENERATOR(gru_cell, TAKES_FLOATS) { return cells(g, x, 3, false); }
GENERATOR(lstm_cell, TAKES_FLOATS) { return cells(g, x, 4, false); }
GENERATOR(rnn_cell_with, TAKES_FLOATS) { return cells(g, x, 1, true); }
GENERATOR(gru_cell_with, TAKES_FLOATS) { return cells(g, x, 3, true); }
GENERATOR(lstm_cell_with, TAKES_FLOATS) { return cells(g, x, 4, true); }
static gtr_tensor *recurrent(graph *g, value *x, int gates)
{
    gtr_shape s;
    const bool starts = chance(g, 25); /* x is the state that another sequence begins with */
    gtr_tensor *t = starts ? NULL : ranked(g, x, 3, &s), *begins = starts ? ranked(g, x, 2, &s) : NULL,
               *last[4] = { 0 }, *h0[4] = { 0 }, *y;
    const char *n = name_of(g);
    int width = 1 + pick(g, 6);
    gtr_recurrent_desc d;
    memset(&d, 0, sizeof d);
    if (!(starts ? begins : t) || s.dim[1] > 20) return NULL;
    if (starts) {
        if (s.dim[1] > 12) return NULL;
        width = (int)s.dim[1];
        s = shape_of(3, s.dim[0], 1 + pick(g, 4), 1 + pick(g, 4), 0);
        t = like(g, NULL, s, PLAIN);
        if (!t) return NULL;
    }
    d.layers = 1 + chance(g, 25);
    d.bidirectional = chance(g, 25);
    d.no_bias = chance(g, 20);
    d.relu = gates == 1 && chance(g, 30);
    if (d.layers > 1 && chance(g, 40)) {
        d.dropout = 0.3f;
        g->drops = true;
    }
    const int passes = d.layers * (1 + d.bidirectional);
    if (chance(g, 30)) d.lengths = leaf_of(g, shape_of(1, s.dim[0], 0, 0, 0), LENGTHS, (int)s.dim[1]);
    if (begins || chance(g, 30)) {
        for (int k = 0; k < passes; k++)
            h0[k] = begins ? begins : like(g, NULL, shape_of(2, s.dim[0], width, 0, 0), PLAIN);
        d.h = h0;
    }
    d.h_last = last;
    if (g->text) {
        say(g, "    gtr_tensor *last%d[4] = {0}, *first%d[4] = { ", g->op, g->op);
        for (int k = 0; k < 4; k++) say(g, k ? ", %s" : "%s", id(h0[k]));
        say(g, " };\n");
    }
    y = gates == 1 ? gtr_rnn(t, n, width, d) : gates == 3 ? gtr_gru(t, n, width, d) : gtr_lstm(t, n, width, d);
    y = made(g, y,
        "gtr_%s(%s, \"%s\", %d, (gtr_recurrent_desc){ .layers = %d, .bidirectional = %d, .no_bias = %d, .relu = %d, "
        ".dropout = %.9gf, .lengths = %s, .h = %s%d, .h_last = last%d })",
        gates == 1   ? "rnn"
        : gates == 3 ? "gru"
                     : "lstm",
        id(t), n, width, d.layers, d.bidirectional, d.no_bias, d.relu, d.dropout, id(d.lengths),
        d.h ? "first" : "NULL + ", d.h ? g->op : 0, g->op);
    for (int k = 0; y && k < passes; k++)
        if (chance(g, 25)) {
            say(g, "    gtr_tensor *%s = last%d[%d];\n", id(last[k]), g->op, k);
            value_add(g, last[k], g->op);
            if (passes == 1 && chance(g, 50)) { /* a step and the last, as a sequence, or the last alone */
                gtr_tensor *end[2] = { NULL, reshaped(g, last[0], shape_of(3, s.dim[0], 1, width, 0)) };
                const int two = s.dim[1] > 1 && chance(g, 50), at = (int)s.dim[1] - 2;
                if (two) end[0] = made(g, gtr_slice(y, 1, at, at + 1), "gtr_slice(%s, 1, %d, %d)", id(y), at, at + 1);
                value_add(g, concat_of(g, end + !two, 1 + two, 1), g->op);
            }
        }
    return y;
}
GENERATOR(rnn, TAKES_FLOATS) { return recurrent(g, x, 1); }
GENERATOR(gru, TAKES_FLOATS) { return recurrent(g, x, 3); }
GENERATOR(lstm, TAKES_FLOATS) { return recurrent(g, x, 4); }
/* A mask that hides no query's every key, unless all are masked. */
static gtr_attention_desc attention_drawn(graph *g, const gtr_shape *s, int64_t keys, int64_t queries)
{
    gtr_attention_desc d;
    memset(&d, 0, sizeof d);
    d.causal = queries == keys && chance(g, 40);
    if (s->dim[0] < 0 && chance(g, 25)) d.lengths = leaf_of(g, shape_of(1, s->dim[0], 0, 0, 0), LENGTHS, (int)keys);
    if (chance(g, 25))
        d.mask =
            leaf_of(g, shape_of(2, queries, keys, 0, 0), d.lengths || d.causal || chance(g, 60) ? PLAIN : MASKING, 0);
    if (chance(g, 20)) d.scale = 0.7f;
    if (chance(g, 15)) {
        d.dropout = 0.3f;
        g->drops = true;
    }
    return d;
}
static const char *attention_text(const gtr_attention_desc *d)
{
    static char text[200];
    snprintf(text, sizeof text,
        "(gtr_attention_desc){ .causal = %d, .lengths = %s, .mask = %s, .scale = %.9gf, .dropout = %.9gf }", d->causal,
        id(d->lengths), id(d->mask), d->scale, d->dropout);
    return text;
}
GENERATOR(attention, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = ranked(g, x, 4, &s), *k, *v;
    if (!t || s.dim[1] > 40 || s.dim[3] > 40) return NULL;
    if (chance(g, 40)) { /* all in one */
        gtr_shape five;
        gtr_tensor *three[3] = { t, NULL, NULL }, *all = NULL;
        if (row_of(&s) % 3 == 0 && chance(g, 80)) { /* x is, by its last dimension, or has another shape */
            five = s;
            five.ndim = 5;
            five.dim[2] = 3;
            five.dim[3] = s.dim[2] % 3 == 0 ? s.dim[2] / 3 : 1;
            five.dim[4] = row_of(&s) / (s.dim[0] < 0 ? -s.dim[0] : s.dim[0]) / s.dim[1] / 3 / five.dim[3];
            if (s.dim[2] * s.dim[3] % 3) {
                five.dim[1] = 1;
                five.dim[4] = s.dim[1] * s.dim[2] * s.dim[3] / 3 / five.dim[3];
            }
            if (s.dim[1] * s.dim[2] * s.dim[3] % 3 || five.dim[4] > 40) return NULL;
            all = reshaped(g, t, five);
            s.dim[1] = five.dim[1];
        } else {
            three[1] = like(g, NULL, s, PLAIN);
            three[2] = like(g, NULL, s, chance(g, 30) ? POSITIVE : PLAIN);
            if (!three[1] || !three[2]) return NULL;
            all = made(g, gtr_stack(three, 3, 2), "gtr_stack(%s, 3, 2)", list_text(three, 3));
        }
        gtr_attention_desc d = attention_drawn(g, &s, s.dim[1], s.dim[1]);
        return all ? made(g, gtr_attention(all, NULL, NULL, d), "gtr_attention(%s, NULL, NULL, %s)", id(all),
                         attention_text(&d))
                   : NULL;
    }
    gtr_shape of = s;
    if (chance(g, 40)) of.dim[1] = 1 + pick(g, 6);
    if (chance(g, 40) && s.dim[2] % 2 == 0) of.dim[2] /= 2;
    k = like(g, x, of, PLAIN);
    gtr_shape ov = of;
    if (chance(g, 30)) ov.dim[3] = 1 + pick(g, 6);
    v = like(g, x, ov, chance(g, 30) ? POSITIVE : PLAIN);
    gtr_attention_desc d = attention_drawn(g, &s, of.dim[1], s.dim[1]);
    return k && v ? made(g, gtr_attention(t, k, v, d), "gtr_attention(%s, %s, %s, %s)", id(t), id(k), id(v),
                        attention_text(&d))
                  : NULL;
}
static int heads_of(graph *g, int64_t width)
{
    int h = 1 + pick(g, 4);
    while (width % h) h--;
    return h;
}
GENERATOR(multihead_attention, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = ranked(g, x, 3, &s), *m = NULL;
    const char *n = name_of(g);
    if (!t || s.dim[0] > 0 || s.dim[1] > 40 || s.dim[2] > 40) return NULL;
    if (chance(g, 30)) {
        gtr_shape o = s;
        o.dim[1] = 1 + pick(g, 5);
        m = like(g, NULL, o, PLAIN);
        s.dim[3] = o.dim[1];
    } else s.dim[3] = s.dim[1];
    gtr_attention_desc d = attention_drawn(g, &s, s.dim[3], s.dim[1]);
    const int h = heads_of(g, s.dim[2]);
    return made(g, gtr_multihead_attention(t, m, n, h, d), "gtr_multihead_attention(%s, %s, \"%s\", %d, %s)", id(t),
        id(m), n, h, attention_text(&d));
}
GENERATOR(multihead_attention_with, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = ranked(g, x, 3, &s);
    gtr_multihead w;
    memset(&w, 0, sizeof w);
    if (!t || s.dim[0] > 0 || s.dim[1] > 40 || s.dim[2] > 20) return NULL;
    const int64_t e = s.dim[2];
    const int h = heads_of(g, e);
    w.in_proj_weight = leaf_of(g, shape_of(2, 3 * e, e, 0, 0), PLAIN, 0);
    w.out_proj_weight = leaf_of(g, shape_of(2, e, e, 0, 0), PLAIN, 0);
    gtr_attention_desc d;
    memset(&d, 0, sizeof d);
    d.causal = chance(g, 50);
    return w.in_proj_weight && w.out_proj_weight
               ? made(g, gtr_multihead_attention_with(t, NULL, w, h, d),
                     "gtr_multihead_attention_with(%s, NULL, (gtr_multihead){ .in_proj_weight = %s, .out_proj_weight = "
                     "%s }, %d, %s)",
                     id(t), id(w.in_proj_weight), id(w.out_proj_weight), h, attention_text(&d))
               : NULL;
}
GENERATOR(transformer_block, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = ranked(g, x, 3, &s);
    const char *n = name_of(g);
    gtr_transformer_desc d;
    memset(&d, 0, sizeof d);
    if (!t || s.dim[0] > 0 || s.dim[1] > 20 || s.dim[2] > 20) return NULL;
    d.kind = (gtr_block)pick(g, 3);
    d.heads = heads_of(g, s.dim[2]);
    d.hidden = 1 + pick(g, 8);
    if (d.kind == GTR_BLOCK_LLAMA && s.dim[2] / d.heads % 2) d.kind = GTR_BLOCK_PYTORCH;
    if (d.kind == GTR_BLOCK_PYTORCH) {
        d.norm_first = chance(g, 50);
        d.gelu = chance(g, 50);
        if (chance(g, 30)) d.memory = like(g, NULL, s, PLAIN);
    }
    if (chance(g, 25) && d.kind != GTR_BLOCK_LLAMA) {
        d.dropout = 0.2f;
        g->drops = true;
    }
    return made(g, gtr_transformer_block(t, n, d),
        "gtr_transformer_block(%s, \"%s\", (gtr_transformer_desc){ .kind = (gtr_block)%d, .heads = %d, .hidden = %d, "
        ".norm_first = %d, .gelu = %d, .dropout = %.9gf, .memory = %s })",
        id(t), n, (int)d.kind, (int)d.heads, (int)d.hidden, d.norm_first, d.gelu, d.dropout, id(d.memory));
}
GENERATOR(add_positions, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = ranked(g, x, 3, &s);
    const float base = chance(g, 50) ? 0 : 50;
    return t && s.dim[2] % 2 == 0
               ? made(g, gtr_add_positions(t, base), "gtr_add_positions(%s, %.9gf)", id(t), base)
               : NULL;
}
GENERATOR(rope, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = ranked(g, x, 4, &s);
    const int first = pick(g, 3);
    return t && s.dim[3] % 2 == 0 ? made(g, gtr_rope(t, 100, first), "gtr_rope(%s, 100, %d)", id(t), first) : NULL;
}
/* Data that is standardised by a set's figures, which are 0 and 1 here, and back. */
GENERATOR(standardise, TAKES_FLOATS)
{
    const char *n = name_of(g);
    gtr_shape s;
    gtr_tensor *t = columns(g, x, &s);
    g->wants_batch = true;
    if (!t || s.ndim < 2 || s.dim[0] != -1 || g->literal) return NULL;
    return made(g, gtr_standardise(t, n, NULL, 0), "gtr_standardise(%s, \"%s\", NULL, 0)", id(t), n);
}
GENERATOR(unstandardise, TAKES_FLOATS)
{
    const char *n = name_of(g);
    gtr_shape s;
    gtr_tensor *t = columns(g, x, &s);
    g->wants_batch = true;
    if (!t || s.ndim < 2 || s.dim[0] != -1 || g->literal) return NULL;
    t = made(g, gtr_standardise(t, n, NULL, 0), "gtr_standardise(%s, \"%s\", NULL, 0)", id(t), n);
    return t ? made(g, gtr_unstandardise(t, n), "gtr_unstandardise(%s, \"%s\")", id(t), n) : NULL;
}

// >>losses
/* A scalar becomes part of the graph's loss, terms are a value. */
static gtr_tensor *loss_made(graph *g, gtr_tensor *t, gtr_reduction r)
{
    if (!t || r == GTR_REDUCE_NONE || g->n_loss == 8) return t;
    if (r != GTR_REDUCE_MEAN) g->mixes = true; /* sums are not the mean of parts' */
    g->loss[g->n_loss++] = t;
    return t;
}
static gtr_reduction reduction_drawn(graph *g)
{
    return chance(g, 50) ? GTR_REDUCE_MEAN : chance(g, 30) ? GTR_REDUCE_NONE : (gtr_reduction)pick(g, 4);
}
static const char *reduction_text(gtr_reduction r)
{
    static const char *const of[] = { "GTR_REDUCE_MEAN", "GTR_REDUCE_SUM", "GTR_REDUCE_NONE", "GTR_REDUCE_BATCH_MEAN" };
    return of[r];
}
static gtr_tensor *logits(graph *g, value *x, gtr_shape *s)
{
    gtr_tensor *t = x->shape.ndim >= 2 && x->shape.ndim <= 4 && batch_axis(&x->shape) == 0 ? (*s = x->shape, x->t)
                                                                                           : ranked(g, x, 2, s);
    return t && s->dim[1] > 1 && s->dim[1] < 200 ? t : NULL;
}
static gtr_tensor *labels_for(graph *g, const gtr_shape *s, int kind)
{
    return leaf_of(g, without(*s, 1), kind, (int)s->dim[1]);
}
/* Logits for labels that are x. */
static gtr_tensor *logits_for(graph *g, const value *x)
{
    gtr_shape s = x->shape;
    const int n = id_limit(x);
    if (x->low < 0 || !n || s.ndim < 1 || s.ndim > 3 || batch_axis(&s) > 0) return NULL;
    for (int k = s.ndim; k > 1; k--) s.dim[k] = s.dim[k - 1];
    s.dim[1] = n;
    s.ndim++;
    return like(g, NULL, s, PLAIN);
}
GENERATOR(cross_entropy, TAKES_ANY)
{
    gtr_shape s;
    gtr_tensor *t = x->ints ? logits_for(g, x) : logits(g, x, &s),
               *y = !t ? NULL : x->ints ? x->t : labels_for(g, &s, LABELS);
    g->tallies = true;
    return y ? loss_made(
                   g, made(g, gtr_cross_entropy(t, y), "gtr_cross_entropy(%s, %s)", id(t), id(y)), GTR_REDUCE_MEAN)
             : NULL;
}
GENERATOR(cross_entropy_ex, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = logits(g, x, &s);
    gtr_cross_entropy_desc d;
    memset(&d, 0, sizeof d);
    const bool soft = chance(g, 25);
    gtr_tensor *y = !t ? NULL : soft ? leaf_of(g, s, UNIT, 0) : labels_for(g, &s, LABELS);
    if (!y) return NULL;
    d.label_smoothing = chance(g, 50) ? 0.2f : 0;
    d.reduction = reduction_drawn(g);
    if (!soft && chance(g, 30)) d.weight = leaf_of(g, shape_of(1, s.dim[1], 0, 0, 0), POSITIVE, 0);
    if (d.weight) g->leaf[g->n_leaf - 1].fixed = true;
    if (d.weight && d.weight->op == GTR__OP_PARAMETER)
        d.weight = made(g, gtr_stop_gradient(d.weight), "gtr_stop_gradient(%s)", id(d.weight)), g->stops = true;
    g->tallies = true;
    return loss_made(g,
        made(g, gtr_cross_entropy_ex(t, y, d),
            "gtr_cross_entropy_ex(%s, %s, (gtr_cross_entropy_desc){ .label_smoothing = %.9gf, .reduction = %s, .weight "
            "= %s })",
            id(t), id(y), d.label_smoothing, reduction_text(d.reduction), id(d.weight)),
        d.reduction);
}
static gtr_tensor *nll_made(graph *g, value *x, bool ex)
{
    gtr_shape s;
    gtr_tensor *t = x->ints ? logits_for(g, x) : logits(g, x, &s), *y;
    gtr_cross_entropy_desc d;
    memset(&d, 0, sizeof d);
    if (t && chance(g, 60)) t = made(g, gtr_log_softmax(t, 1), "gtr_log_softmax(%s, 1)", id(t));
    if (!t || !(y = x->ints ? x->t : labels_for(g, &s, LABELS))) return NULL;
    g->tallies = true;
    if (!ex) return loss_made(g, made(g, gtr_nll(t, y), "gtr_nll(%s, %s)", id(t), id(y)), GTR_REDUCE_MEAN);
    d.reduction = reduction_drawn(g);
    return loss_made(g,
        made(g, gtr_nll_ex(t, y, d), "gtr_nll_ex(%s, %s, (gtr_cross_entropy_desc){ .reduction = %s })", id(t), id(y),
            reduction_text(d.reduction)),
        d.reduction);
}
GENERATOR(nll, TAKES_ANY) { return nll_made(g, x, false); }
GENERATOR(nll_ex, TAKES_ANY) { return nll_made(g, x, true); }
GENERATOR(accuracy, TAKES_ANY)
{
    gtr_shape s;
    gtr_tensor *t = x->ints ? logits_for(g, x) : logits(g, x, &s),
               *y = !t ? NULL : x->ints ? x->t : labels_for(g, &s, LABELS);
    g->jumps = g->mixes = true;
    return y ? made(g, gtr_accuracy(t, y), "gtr_accuracy(%s, %s)", id(t), id(y)) : NULL;
}
/* x as logits of five steps or more, in which two labels always fit. */
static gtr_tensor *steps_of_logits(graph *g, value *x, gtr_shape *s)
{
    const gtr_shape *f = &x->shape;
    if (f->ndim == 3 && batch_axis(f) < 1 && f->dim[1] >= 5 && f->dim[1] <= 30 && f->dim[2] >= 2 && f->dim[2] <= 40) {
        *s = *f;
        return x->t;
    }
    gtr_tensor *t = ranked(g, x, 2, s);
    if (!t) return NULL;
    if (s->dim[0] > 0) { /* one sequence of all */
        s->dim[1] *= s->dim[0];
        s->dim[0] = 1;
    }
    for (int64_t n = 5 + pick(g, 8), k = 0; k < 26; k++, n = n == 30 ? 5 : n + 1)
        if (s->dim[1] % n == 0 && s->dim[1] / n >= 2 && s->dim[1] / n <= 40) {
            *s = shape_of(3, s->dim[0], n, s->dim[1] / n, 0);
            return reshaped(g, t, *s);
        }
    return NULL;
}
GENERATOR(ctc, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = steps_of_logits(g, x, &s);
    gtr_tensor *y = t ? leaf_of(g, shape_of(2, s.dim[0], 2, 0, 0), TOKENS, (int)s.dim[2]) : NULL;
    return y ? loss_made(g, made(g, gtr_ctc(t, y), "gtr_ctc(%s, %s)", id(t), id(y)), GTR_REDUCE_MEAN) : NULL;
}
GENERATOR(ctc_ex, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = steps_of_logits(g, x, &s);
    gtr_tensor *y = t ? leaf_of(g, shape_of(2, s.dim[0], 2, 0, 0), IDS, (int)s.dim[2] - 1) : NULL;
    gtr_ctc_desc d;
    if (!y) return NULL;
    memset(&d, 0, sizeof d);
    d.blank = (int32_t)s.dim[2] - 1;
    d.reduction = reduction_drawn(g);
    d.zero_infinity = true;
    if (chance(g, 40)) d.lengths = leaf_of(g, shape_of(1, s.dim[0], 0, 0, 0), LENGTHS, (int)s.dim[1]);
    return loss_made(g,
        made(g, gtr_ctc_ex(t, y, d),
            "gtr_ctc_ex(%s, %s, (gtr_ctc_desc){ .blank = %d, .zero_infinity = true, .lengths = %s, .reduction = %s })",
            id(t), id(y), d.blank, id(d.lengths), reduction_text(d.reduction)),
        d.reduction);
}
#define PAIR_LOSS(name, of, kind, fields, field_text) \
    GENERATOR(name, TAKES_FLOATS) \
    { \
        gtr_tensor *a = of, *b = like(g, NULL, x->shape, kind); \
        if (!a || !b) return NULL; \
        return loss_made(g, made(g, gtr_##name(a, b), "gtr_" #name "(%s, %s)", id(a), id(b)), GTR_REDUCE_MEAN); \
    } \
    GENERATOR(name##_ex, TAKES_FLOATS) \
    { \
        gtr_tensor *a = of, *b = like(g, NULL, x->shape, kind); \
        gtr_loss_desc d; \
        memset(&d, 0, sizeof d); \
        d.reduction = reduction_drawn(g); \
        if (d.reduction == GTR_REDUCE_BATCH_MEAN && !x->shape.ndim) d.reduction = GTR_REDUCE_MEAN; \
        if (!a || !b) return NULL; \
        fields; \
        return loss_made(g, \
            made(g, gtr_##name##_ex(a, b, d), \
                "gtr_" #name "_ex(%s, %s, (gtr_loss_desc){ .reduction = %s, " field_text "})", id(a), id(b), \
                reduction_text(d.reduction)), \
            d.reduction); \
    }
static gtr_tensor *unit(graph *g, value *x)
{
    if (x->low > 0.02 && x->high < 0.98) return x->t;
    gtr_tensor *t = made(g, gtr_sigmoid(x->t), "gtr_sigmoid(%s)", id(x->t));
    return scaled(g, t, 0.9f, 0.05f);
}
PAIR_LOSS(mse, x->t, PLAIN, (void)0, "") PAIR_LOSS(l1, x->t, PLAIN, (void)0, "")
PAIR_LOSS(smooth_l1, x->t, PLAIN, d.beta = 0.7f, ".beta = 0.7f ")
PAIR_LOSS(huber, x->t, PLAIN, d.delta = 0.6f, ".delta = 0.6f ")
PAIR_LOSS(quantile, x->t, PLAIN, d.quantile = 0.3f, ".quantile = 0.3f ")
PAIR_LOSS(bce_with_logits, x->t, UNIT, (void)0, "") PAIR_LOSS(bce, unit(g, x), UNIT, (void)0, "")
PAIR_LOSS(focal, x->t, UNIT, d.gamma = 1.5f, ".gamma = 1.5f ")
PAIR_LOSS(kl_div, x->t, UNIT, (void)0, "") PAIR_LOSS(poisson_nll, moderate(g, x), POSITIVE, (void)0, "")
    static gtr_tensor *gaussian(graph *g, value *x, bool ex)
{
    gtr_tensor *y = like(g, NULL, x->shape, PLAIN), *v = like(g, NULL, x->shape, POSITIVE);
    gtr_loss_desc d;
    memset(&d, 0, sizeof d);
    d.full = chance(g, 50);
    if (!y || !v) return NULL;
    if (!ex)
        return loss_made(g,
            made(g, gtr_gaussian_nll(x->t, y, v), "gtr_gaussian_nll(%s, %s, %s)", id(x->t), id(y), id(v)),
            GTR_REDUCE_MEAN);
    return loss_made(g,
        made(g, gtr_gaussian_nll_ex(x->t, y, v, d), "gtr_gaussian_nll_ex(%s, %s, %s, (gtr_loss_desc){ .full = %d })",
            id(x->t), id(y), id(v), d.full),
        GTR_REDUCE_MEAN);
}
GENERATOR(gaussian_nll, TAKES_FLOATS) { return gaussian(g, x, false); }
GENERATOR(gaussian_nll_ex, TAKES_FLOATS) { return gaussian(g, x, true); }
static gtr_tensor *cosine(graph *g, value *x, bool ex)
{
    gtr_shape s;
    gtr_tensor *t = columns(g, x, &s), *o = t ? like(g, NULL, s, PLAIN) : NULL;
    gtr_loss_desc d;
    memset(&d, 0, sizeof d);
    d.margin = 0.2f;
    if (!o || s.ndim < 2 || s.dim[s.ndim - 1] < 2) return NULL; /* of one number it is a sign */
    s.ndim--;
    s.dim[s.ndim] = 0;
    gtr_tensor *y = leaf_of(g, s, SIGNS, 0);
    if (!y) return NULL;
    g->leaf[g->n_leaf - 1].fixed = true;
    if (y->op == GTR__OP_PARAMETER) {
        y = made(g, gtr_stop_gradient(y), "gtr_stop_gradient(%s)", id(y));
        g->stops = true;
    }
    if (!ex)
        return loss_made(g,
            made(g, gtr_cosine_embedding(t, o, y), "gtr_cosine_embedding(%s, %s, %s)", id(t), id(o), id(y)),
            GTR_REDUCE_MEAN);
    return loss_made(g,
        made(g, gtr_cosine_embedding_ex(t, o, y, d),
            "gtr_cosine_embedding_ex(%s, %s, %s, (gtr_loss_desc){ .margin = 0.2f })", id(t), id(o), id(y)),
        GTR_REDUCE_MEAN);
}
GENERATOR(cosine_embedding, TAKES_FLOATS) { return cosine(g, x, false); }
GENERATOR(cosine_embedding_ex, TAKES_FLOATS) { return cosine(g, x, true); }
/* A gradient as a tensor, which is used further: no gradient passes it. */
GENERATOR(gradient, TAKES_FLOATS)
{
    gtr_tensor *sq = made(g, gtr_square(moderate(g, x)), "gtr_square(%s)", id(x->t)),
               *l = sq ? made(g, gtr_mean(sq, NULL, 0, false), "gtr_mean(%s, NULL, 0, 0)", id(sq)) : NULL;
    g->stops = g->mixes = true;
    gtr_tensor *d = l ? made(g, gtr_gradient(l, x->t), "gtr_gradient(%s, %s)", id(l), id(x->t)) : NULL;
    return d ? made(g, gtr_stop_gradient(d), "gtr_stop_gradient(%s)", id(d)) : NULL;
}
GENERATOR(keep, TAKES_FLOATS)
{
    g->keeps = true;
    return made(g, gtr_keep(x->t), "gtr_keep(%s)", id(x->t));
}

/* A state that is carried from step to step, and what it becomes. */
GENERATOR(state, TAKES_FLOATS)
{
    gtr_shape s;
    gtr_tensor *t = ranked(g, x, 2, &s), *state, *y;
    const char *n = name_of(g), *l = name_of(g);
    const int w = 1 + pick(g, 4);
    if (!t || s.dim[0] != -1 || g->literal) {
        g->wants_batch = true;
        return NULL;
    }
    g->carries = true;
    state = made(g, gtr_state(g->ctx, n, shape_of(2, -1, w, 0, 0)), "gtr_state(ctx, \"%s\", %s)", n,
        shape_text(shape_of(2, -1, w, 0, 0)));
    y = made(g, gtr_linear(t, l, w), "gtr_linear(%s, \"%s\", %d)", id(t), l, w);
    if (!y || !state) return NULL;
    y = made(g, gtr_add(y, state), "gtr_add(%s, %s)", id(y), id(state));
    y = made(g, gtr_tanh(y), "gtr_tanh(%s)", id(y));
    say(g, "    gtr_state_next(%s, %s);\n", id(state), id(y));
    gtr_state_next(state, y);
    return y;
}
enum { GENERATORS = __COUNTER__ - FIRST_GENERATOR };
/* How much of a common network a builder is: half of the graphs are drawn by these weights, the others go for pairs of
   ops that have not met. */
static int weight_of(const char *name)
{
    static const struct {
        const char *part;
        int weight;
    } of[] = { { "linear", 14 }, { "conv_transpose", 2 }, { "conv1d", 8 }, { "conv2d", 7 }, { "matmul", 5 },
        { "permute", 12 }, { "reshape", 8 }, { "flatten", 4 }, { "leaky_relu", 6 }, { "elu", 5 }, { "softplus", 6 },
        { "clamp", 6 }, { "relu", 6 }, { "silu", 5 }, { "tanh", 5 }, { "sigmoid", 4 }, { "pow_scalar", 5 },
        { "scale", 6 }, { "gtr_add", 8 }, { "gtr_mul", 6 }, { "gtr_sub", 4 }, { "batch_norm", 7 }, { "layer_norm", 5 },
        { "_norm", 3 }, { "cell", 4 }, { "gru", 5 }, { "lstm", 5 }, { "rnn", 3 }, { "attention", 4 },
        { "transformer", 2 }, { "slice", 4 }, { "split", 4 }, { "concat", 6 }, { "stack", 2 }, { "dropout", 5 },
        { "softmax", 3 }, { "max_pool", 5 }, { "avg_pool", 3 }, { "upsample", 2 }, { "embedding", 6 }, { "mean", 3 },
        { "gtr_sum", 3 }, { "residual", 3 }, { "cross_entropy", 2 }, { "mse", 2 }, { "bce", 1 }, { "gather", 2 },
        { "random", 1 } };
    for (int k = 0; k < (int)(sizeof of / sizeof *of); k++)
        if (strstr(name, of[k].part)) return of[k].weight;
    return 1;
}
/* gtr_input, gtr_parameter and gtr_constant are leaf_of's. */
#endif
