/* Every op and loss, from the rows of op_rows.h: a name, a builder of the public API, what its inputs are filled with,
   and shapes.
   With GPUTRAIN_DOUBLE (test_ops_double.c):
     gradients   central differences in double with PyTorch's tolerances, on every shape of few elements, three
                 seeds; then each backward
                 kernel's result is spoilt (times 1.01, sign, a term of dy left out) while the graph
                 runs, and the check must fail
   Without:
     kernels     each kernel alone, forward and each gradient, stored and added, in float32, bfloat16 and float16, on
                 the CPU and on CUDA,
                 against the CPU in float32 on the rounded operands; bytes around every operand and all inputs must stay
                 as they were, outputs start as NaN, operands that the row says are not read are NULL, on CUDA a second
                 run gives the same bits
     special     NaN, infinities, zeros, huge and tiny values: the same class of result
     fused       fused ops against their members in sequence
     defaults    what a trainer's 0 stands for, of each optimizer and schedule
     plan nodes  guard, update, commit, report, feed, tally, cast, copy, fill, check
     determinism a network of every op: same bits twice and for 1, 2 and 4 threads
   Both: bad arguments of every builder.
   Limits are those of T6: NMSE and max|difference| / max|wanted| by the storage of the result.
   GTR_TEST_SMALL: a few shapes a kernel, each operand in an allocation of its own, for sanitizers. GTR_TEST_MAX_SM:
   gtr_desc.max_sm. GTR_TEST_DEVICE=cuda: what concerns the CPU alone is left out, and it is a
   failure if there is no GPU. */
#include "private.h"
#include "check.h"
#include "op_rows.h"

static bool small;
static int max_sm;

static gtr_context *context_on(gtr_device device, int threads)
{
    gtr_desc d;
    memset(&d, 0, sizeof d);
    d.device = device;
    d.threads = threads;
    d.seed = 7;
    d.max_sm = max_sm;
    return gtr_create(d);
}

/* Random numbers of the tests' own. */
static uint64_t rng;
static void rng_seed(uint64_t s) { rng = s * 0x9e3779b97f4a7c15u + 1; }
static uint64_t rng_next(void)
{
    uint64_t z = (rng += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static double uniform(double a, double b) { return a + (b - a) * (double)(rng_next() >> 11) / 9007199254740992.0; }

static bool row_wanted(const op_row *row) { return check_row(row->name); }

/* A built case: leaf k is input k, then come the float parameters that the builder made. */
typedef struct graph {
    const op_row *row;
    op_case       c;
    gtr_context  *ctx;
    gtr_tensor   *out, *leaf[MAX_IN + 8];
    char          kind[MAX_IN + 8];
    gtr_shape     shape[MAX_IN + 8];    /* literal */
    int           n_leaf;
    int64_t       batch;
} graph;
static bool graph_build(graph *g, const op_row *row, const char *text)
{
    bool batched[MAX_IN];
    int k;
    int64_t i;
    memset(g, 0, sizeof *g);
    g->row = row;
    g->c = case_of(text);
    g->batch = batch_of(row, &g->c, batched);
    g->ctx = context_on(GTR_DEVICE_CPU, 1);
    for (k = 0; k < g->c.n; k++) {
        char name[16], kind = kind_of(row, k);
        gtr_shape s = g->c.in[k];
        gtr_init zero;
        memset(&zero, 0, sizeof zero);
        snprintf(name, sizeof name, "x%d", k);
        if (batched[k]) s.dim[0] = GTR_BATCH;
        if (is_ints(kind)) g->leaf[k] = gtr_input(g->ctx, name, GTR_I32, s);
        else if (batched[k]) g->leaf[k] = gtr_input(g->ctx, name, GTR_F32, s);
        else g->leaf[k] = gtr_parameter(g->ctx, name, s, zero);
        g->kind[k] = lower(kind);
        g->shape[k] = g->c.in[k];
    }
    g->n_leaf = k;
    g->out = row->build(g->ctx, g->leaf, &g->c);
    for (i = 0; i < gtr_parameter_count(g->ctx) && g->n_leaf < MAX_IN + 8; i++) {
        gtr_tensor *p = gtr_parameter_at(g->ctx, i);
        for (k = 0; k < g->c.n && g->leaf[k] != p; k++) { }
        if (k < g->c.n || gtr_tensor_dtype(p) != GTR_F32) continue;
        g->kind[g->n_leaf] = lower(kind_of(row, g->n_leaf));
        g->shape[g->n_leaf] = gtr_tensor_shape(p);
        g->leaf[g->n_leaf++] = p;
    }
    return CHECK(g->out != NULL, "%s %s: %s", row->name, text, gtr_error_text(g->ctx));
}
/* So many ids input k may have: the range of the op that reads them, or without one any. */
static uint64_t ids_of(const graph *g, int k)
{
    int64_t i;
    for (i = 0; i < g->ctx->graph.n_tensor; i++) {
        const gtr_tensor *t = g->ctx->graph.tensor[i];
        if (t->note->limit && gtr__limited_input(t) == g->leaf[k]) return (uint64_t)t->note->limit;
    }
    return INT32_MAX;
}
/* Values of a kind: gtr_float or int32_t. */
static void fill(const graph *g, int k, void *to)
{
    gtr_float *v = (gtr_float *)to;
    int32_t *ints = (int32_t *)to;
    char kind = g->kind[k];
    int64_t i, n = gtr__count(&g->shape[k]), line = g->shape[k].ndim > 1 ? g->shape[k].dim[1] : 1;
    int32_t ignore = g->row->build == build_cross_entropy_ex ? g->c.p[1] : -100;
    uint64_t ids = ids_of(g, k);
    for (i = 0; i < n; i++) {
        double u = uniform(0, 1);
        if (kind == 'l') ints[i] = i % 5 == 3 && n > 4 ? ignore : (int32_t)(rng_next() % (uint64_t)g->c.in[0].dim[1]);
        else if (kind == 'e') ints[i] = (int32_t)(rng_next() % ids);
        else if (kind == 'o') ints[i] = i & 1 ? 0 : (int32_t)(rng_next() % ids);
        else if (kind == 'n') v[i] = (gtr_float)((rng_next() & 1 ? 1 : -1) * (0.05 + u));
        else if (kind == 'p') v[i] = (gtr_float)(0.5 + 1.5 * u);
        else if (kind == 'q') v[i] = (gtr_float)((rng_next() & 1 ? 1 : -1) * (0.5 + 1.5 * u));
        else if (kind == 't') v[i] = (gtr_float)u;
        else if (kind == 'b') v[i] = (gtr_float)(2 * u - 1 + (i / line & 1 ? 0.6 : -0.6));
        else if (kind == 'f') v[i] = (gtr_float)(floor(u * 14) - 6 + (rng_next() & 1 ? 0.5 : 0) + uniform(0.1, 0.4));
        else if (kind == 'u') v[i] = (gtr_float)((1 - 2 * (i & 1)) * (double)(1 + i * 1000003 % n) / 1000);
        else if (kind == 's') v[i] = (gtr_float)((2 * u - 1) / sqrt((double)line));
        else if (kind == 'd') v[i] = (gtr_float)floor(u * 6) / 2 - 1;
        else v[i] = (gtr_float)(1.7 * u - 0.7);     /* not around 0: sums of few terms seldom cancel */
    }
}

#ifdef GPUTRAIN_DOUBLE
// >>gradients
#define EPS  1e-6
#define ATOL 1e-5
#define RTOL 1e-3

/* Steps are made on the CPU and start from number 0 each time, so that dropout draws the same mask. */
static gtr_result run_graph(gtr_context *ctx, gtr_tensor *const *t, int n, bool training)
{
    if (ctx->runner) { ctx->runner->step = 0; ctx->runner->ctl->step = 0; }
    return training ? gtr_eval_train(t, n) : gtr_eval(t, n);
}
static bool differentiable(const graph *g, int k) {
    return gtr_tensor_dtype(g->leaf[k]) == GTR_F32 && !g->leaf[k]->note->buffer;
}

/* sum(out * weights), weights of out's shape: an input if out has the batch, else a constant. */
static gtr_tensor *weighted_sum(graph *g)
{
    gtr_shape s = gtr_tensor_shape(g->out);
    int64_t n = gtr__count(&s), i, all = n < 0 ? -n * g->batch : n;
    gtr_float *v = (gtr_float *)room(all, sizeof *v);
    gtr_tensor *w;
    for (i = 0; i < all; i++) v[i] = (gtr_float)((rng_next() & 1 ? 1 : -1) * uniform(0.3, 1));
    if (n > 0) w = gtr_constant(g->ctx, GTR_F32, s, v);
    else {
        w = gtr_input(g->ctx, "weights", GTR_F32, gtr_shape2(GTR_BATCH, -n));
        gtr_set(w, v, (size_t)all * sizeof *v);
        w = gtr_reshape(w, s);
    }
    free(v);
    return gtr_sum(gtr_mul(g->out, w), NULL, 0, false);
}

/* Central differences of the graph's loss by leaf k, whose values are v. */
static void differences(graph *g, gtr_tensor *loss, int k, gtr_float *v, bool training, double *to)
{
    int64_t i, n = gtr__count(&g->shape[k]);
    size_t bytes = (size_t)n * sizeof *v;
    for (i = 0; i < n; i++) {
        gtr_float keep = v[i], f[2] = { 0, 0 };
        int side;
        for (side = 0; side < 2; side++) {
            v[i] = keep + (side ? -EPS : EPS);
            if (gtr_set(g->leaf[k], v, bytes) || run_graph(g->ctx, &loss, 1, training)
                    || gtr_get(loss, &f[side], sizeof f[side]))
                break;
        }
        v[i] = keep;
        to[i] = (f[0] - f[1]) / (2 * EPS);
    }
    gtr_set(g->leaf[k], v, bytes);
}
/* The worst element that is not within PyTorch's tolerances; -1: all are. */
static int64_t disagrees(const gtr_float *analytic, const double *numeric, int64_t n)
{
    int64_t i, worst = -1;
    double most = 0;
    for (i = 0; i < n; i++) {
        double over = fabs((double)analytic[i] - numeric[i]) / (ATOL + RTOL * fabs(numeric[i]));
        if (!(over <= 1) && !(over <= most)) { worst = i; most = over; }
    }
    return worst;
}
/* Is an input of relu within 10 eps of its kink? */
static bool near_kink(graph *g, bool training)
{
    int64_t i, e;
    bool near_it = false;
    for (i = 0; i < g->ctx->graph.n_tensor && !near_it; i++) {
        gtr_tensor *t = g->ctx->graph.tensor[i], *x = t->n_in ? t->in[0] : NULL;
        gtr_shape s;
        gtr_float *v;
        int64_t n;
        /* leaves are filled away from it */
        if (t->op != GTR__OP_RELU || gtr__moves(x->op) == GTR__MOVES_LEAF) continue;
        s = gtr__literal(x->shape, g->batch);
        n = gtr__count(&s);
        v = (gtr_float *)room(n, sizeof *v);
        if (run_graph(g->ctx, &x, 1, training) == GTR_OK && gtr_get(x, v, (size_t)n * sizeof *v) == GTR_OK)
            for (e = 0; e < n; e++) near_it |= fabs((double)v[e]) < 10 * EPS;
        free(v);
    }
    return near_it;
}

/* Spoils one output of one backward node while a plan runs. */
enum { WRONG_SCALE, WRONG_SIGN, DROPPED_TERM, WRONGS };
static const char *const wrong_names[WRONGS] = { "x 1.01", "sign", "a dropped term" };
static struct { int kind, node, out; bool done; } wrong;
static double far_from(const gtr_float *a, const gtr_float *b, int64_t n)
{
    double most = 0;
    int64_t i;
    for (i = 0; i < n; i++) {
        double d = fabs((double)a[i] - (double)b[i]) / (1 + fabs((double)b[i])); most = d > most ? d : most;
    }
    return most;
}
static gtr_result run_wrong(void *const *instances, gtr__plan *plan, int node)
{
    gtr__node *q = &plan->node[node];
    gtr__arg *out = (gtr__arg *)(uintptr_t)&q->call->out[wrong.out], *dy = NULL;
    gtr_float *v = (gtr_float *)out->data, *before, *right;
    int64_t n = out->count, i;
    gtr_result r;
    before = (gtr_float *)room(n, sizeof *v);
    right = (gtr_float *)room(n, sizeof *v);
    memcpy(before, v, (size_t)n * sizeof *v);
    r = gtr__cpu_run_node(instances, plan, node);
    memcpy(right, v, (size_t)n * sizeof *v);
    if (!out->add) memset(before, 0, (size_t)n * sizeof *v);
    if (wrong.kind == WRONG_SCALE) for (i = 0; i < n; i++) v[i] = before[i] + (right[i] - before[i]) * 1.01;
    if (wrong.kind == WRONG_SIGN) for (i = 0; i < n; i++) v[i] = before[i] - (right[i] - before[i]);
    wrong.done = far_from(v, right, n) > 0;
    /* of the gradient that comes in, or if that is a constant, of what goes out */
    if (wrong.kind == DROPPED_TERM) {
        if (q->dir == GTR__BWD) dy = (gtr__arg *)(uintptr_t)&q->call->in[q->n_in - 1];
        if (q->op == GTR__OP_LINEAR_DACT) dy = (gtr__arg *)(uintptr_t)&q->call->in[0];
        for (i = 0; dy && dy->data && i < dy->count && !wrong.done; i++) {
            gtr_float *d = (gtr_float *)dy->data, keep = d[i];
            if (out->add) memcpy(v, before, (size_t)n * sizeof *v);
            d[i] = 0;
            if (out->data == dy->data) break;
            r = gtr__cpu_run_node(instances, plan, node);
            d[i] = keep;
            wrong.done = far_from(v, right, n) > 5e-3;
        }
        for (i = 0; !(dy && dy->data) && i < n && !wrong.done; i++) if (fabs((double)(right[i] - before[i])) > 5e-3) {
            v[i] = before[i]; wrong.done = true;
        }
    }
    free(before);
    free(right);
    return r;
}
static gtr_result launch_wrong(void *const *instances, void *exec, gtr__half part)
{
    gtr__plan *plan = (gtr__plan *)exec;
    int i;
    gtr_result r = GTR_OK;
    (void)part;
    for (i = 0; i < plan->n_node && r == GTR_OK; i++)
        r = i == wrong.node ? run_wrong(instances, plan, i) : gtr__cpu_run_node(instances, plan, i);
    return r;
}
/* What backward does not read by its row's needs, and finds NULL in a plan, is here and NaN: a gradient that is made of
   it is found wrong. */
static gtr_result launch_unread(void *const *instances, void *exec, gtr__half part)
{
    gtr__plan *plan = (gtr__plan *)exec;
    int i, k;
    gtr_result r = GTR_OK;
    (void)part;
    for (i = 0; i < plan->n_node && r == GTR_OK; i++) {
        gtr__node *q = &plan->node[i];
        void *nan[MAX_IN + 40] = { NULL };
        const bool back = q->dir == GTR__BWD && gtr__differentiable_outputs(q->op) == 1 && q->n_in <= MAX_IN + 40;
        for (k = 0; back && k < q->n_in - 1; k++) {
            gtr__arg *in = (gtr__arg *)(uintptr_t)&q->call->in[k];
            if (in->data || !in->count) continue;
            in->data = nan[k] = room(in->count, sizeof(gtr_float));
            memset(nan[k], 0xff, (size_t)in->count * sizeof(gtr_float));
        }
        r = gtr__cpu_run_node(instances, plan, i);
        for (k = 0; back && k < q->n_in - 1; k++) if (nan[k]) {
            ((gtr__arg *)(uintptr_t)&q->call->in[k])->data = NULL;
            free(nan[k]);
        }
    }
    return r;
}
/* Every backward node of the plan that computes fetch, each of its outputs, each way of being wrong: some gradient must
   be found wrong. The first skip backward nodes are those of the weighted sum. */
static void check_wrongs(graph *g, gtr_tensor *const *fetch, int n_fetch, bool training, int skip,
    double *const *numeric, const int *leaf)
{
    gtr__plan *plan = &g->ctx->cache.newest->plan;
    int node, out, i, spoilt = 0;
    if (!CHECK(g->ctx->cache.newest->recipe.n_fetch == n_fetch, "%s: the plan is another one", g->row->name)) return;
    for (node = 0; node < plan->n_node; node++) {
        gtr__node *q = &plan->node[node];
        bool fused = q->op == GTR__OP_XENT_STEP || q->op == GTR__OP_PAIR_STEP || q->op == GTR__OP_LINEAR_DACT;
        if (q->dir != GTR__BWD && !fused) continue;
        if (skip > 0 && q->dir == GTR__BWD) { skip--; continue; }
        for (out = 0; out < q->n_out; out++) {
            if (q->out[out] < 0 || plan->value[gtr__root(plan, q->out[out])].gradient_of < 0) continue;
            for (wrong.kind = 0; wrong.kind < WRONGS; wrong.kind++) {
                bool found = false;
                wrong.node = node; wrong.out = out; wrong.done = false;
                g->ctx->be->launch = launch_wrong;
                run_graph(g->ctx, fetch, n_fetch, training);
                g->ctx->be->launch = gtr__cpu_launch;
                if (!wrong.done) {      /* a kernel whose result is zero, or none of whose terms matters */
                    CHECK(wrong.kind == DROPPED_TERM || g->row->flags & PASSES_0,
                        "%s: the gradient by input %d is zero", g->row->name, out);
                    continue;
                }
                spoilt++;
                for (i = 1; i < n_fetch && !found; i++) {
                    int64_t n = gtr__count(&g->shape[leaf[i]]);
                    gtr_float *got = (gtr_float *)room(n, sizeof *got);
                    gtr_get(fetch[i], got, (size_t)n * sizeof *got);
                    found = disagrees(got, numeric[i], n) >= 0;
                    free(got);
                }
                CHECK(found || (g->row->flags & MASKS && wrong.kind == DROPPED_TERM),
                    "%s: %s in the gradient by input %d of %s is not noticed", g->row->name,
                    wrong_names[wrong.kind], out, gtr__row(q->op)->name);
            }
        }
    }
    CHECK(spoilt > 1 || g->row->build == build_reshape || g->row->build == build_flatten || g->row->flags & PASSES_0,
        "%s: nothing was spoilt", g->row->name);
}

static int64_t gradient_elements;
static void check_gradients(const op_row *row, const char *text, int seed, bool spoil)
{
    graph g;
    gtr_tensor *fetch[MAX_IN + 9], *loss;
    gtr_float *value[MAX_IN + 8];
    double *numeric[MAX_IN + 9];
    int leaf[MAX_IN + 9], n_fetch = 1, k, tries;
    bool direct = row->flags & LOSS && seed != 1, training = !(row->flags & MODES && seed == 2), right = true;
    rng_seed((uint64_t)(seed + 1) * 1000003u + gtr__hash(0, row->name) + gtr__hash(1, text));
    memset(value, 0, sizeof value);
    memset(numeric, 0, sizeof numeric);
    if (graph_build(&g, row, text)) {
        loss = direct ? g.out : weighted_sum(&g);
        fetch[0] = loss;
        for (k = 0; k < g.n_leaf; k++) {
            value[k] = (gtr_float *)room(gtr__count(&g.shape[k]), sizeof(gtr_float));
            if (!differentiable(&g, k)) continue;
            leaf[n_fetch] = k;
            fetch[n_fetch++] = gtr_gradient(loss, g.leaf[k]);
        }
        for (tries = 0; tries < 100; tries++) {
            for (k = 0; k < g.n_leaf; k++) {
                fill(&g, k, value[k]);
                gtr_set(g.leaf[k], value[k],
                    (size_t)gtr__count(&g.shape[k]) * gtr__dtype_size(gtr_tensor_dtype(g.leaf[k])));
            }
            if (!near_kink(&g, training)) break;
        }
        g.ctx->be->launch = launch_unread;
        const gtr_result ran = run_graph(g.ctx, fetch, n_fetch, training);
        g.ctx->be->launch = gtr__cpu_launch;
        if (CHECK(ran == GTR_OK && !gtr_error(g.ctx), "%s %s: %s", row->name, text, gtr_error_text(g.ctx))) {
            gtr_float *gradient[MAX_IN + 9]; /* read before the differences run the graph on other values */
            for (k = 1; k < n_fetch; k++) {
                const int64_t n = gtr__count(&g.shape[leaf[k]]);
                gradient[k] = (gtr_float *)room(n, sizeof(gtr_float));
                gtr_get(fetch[k], gradient[k], (size_t)n * sizeof(gtr_float));
            }
            for (k = 1; k < n_fetch; k++) {
                int64_t n = gtr__count(&g.shape[leaf[k]]), bad;
                gtr_float *const analytic = gradient[k];
                numeric[k] = (double *)room(n, sizeof(double));
                if ((row->flags & PASSES_0 && leaf[k] == 0) || (row->flags & WEIGHED && leaf[k] == 2)) {
                    /* differences would see through it */
                    bad = disagrees(analytic, numeric[k], n);
                    right &= CHECK(bad < 0, "%s %s: a gradient by leaf %d", row->name, text, leaf[k]);
                } else {
                    differences(&g, loss, leaf[k], value[leaf[k]], training, numeric[k]);
                    bad = disagrees(analytic, numeric[k], n);
                    right &= CHECK(bad < 0,
                        "%s %s seed %d, %s%s: gradient by leaf %d, element %lld: %.9g, differences %.9g",
                        row->name, text, seed, training ? "training" : "evaluation", direct ? ", constant dy" : "",
                        leaf[k], (long long)bad, bad < 0 ? 0 : (double)analytic[bad], bad < 0 ? 0 : numeric[k][bad]);
                }
                gradient_elements += n;
                free(analytic);
            }
            if (spoil && right) {
                g.ctx->caps.without = ~0u;          /* nodes one by one */
                gtr__plans_forget(g.ctx, 0);        /* so that the plan in question is the first */
                run_graph(g.ctx, fetch, n_fetch, training);
                check_wrongs(&g, fetch, n_fetch, training, direct ? 0 : 2, numeric, leaf);
            }
        }
        CHECK(!gtr_error(g.ctx), "%s %s: %s", row->name, text, gtr_error_text(g.ctx));
    }
    for (k = 0; k < MAX_IN + 8; k++) free(value[k]);
    for (k = 0; k < MAX_IN + 9; k++) free(numeric[k]);
    gtr_destroy(g.ctx);
}
static int64_t elements_of(const op_case *c) {
    int64_t n = 0; int k;
    for (k = 0; k < c->n; k++) n += gtr__count(&c->in[k]);
    return n;
}
#ifdef GPUTRAIN_DOUBLE
/* The one element of t. */
static double item(gtr_tensor *t)
{
    gtr_float v = NAN;
    gtr_get(t, &v, sizeof v);
    return v;
}
/* Whether a is b but for what double rounds: factors of float are off by some 1e-8. */
static bool exact(double a, double b) { return fabs(a - b) <= 1e-14 * (1 + fabs(b)); }
/* Values and gradients of losses whose factors no float is, of 7 rows of 3 elements x = t + 0.25, or of logits. */
static void factors_of_losses(void)
{
    gtr_context *ctx = context_on(GTR_DEVICE_CPU, 1);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(7, 3)), *t = gtr_input(ctx, "t", GTR_F32, gtr_shape2(7, 3)),
        *y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(7)), *fetch[16];
    gtr_float a[21], b[21], d[21];
    int32_t labels[7];
    gtr_loss_desc per = loss_with(GTR_REDUCE_BATCH_MEAN, NULL, OF(beta), 0), full = loss_with(GTR_REDUCE_MEAN, NULL,
        OF(eps), 0);
    const double pi = 3.14159265358979323846;
    full.full = true;
    for (int i = 0; i < 21; i++) { b[i] = 2 + i % 5; a[i] = b[i] + 0.25; }
    for (int i = 0; i < 7; i++) labels[i] = i % 3;
    gtr_set(x, a, sizeof a); gtr_set(t, b, sizeof b); gtr_set(y, labels, sizeof labels);
    fetch[0] = gtr_l1_ex(x, t, per);
    fetch[1] = gtr_smooth_l1_ex(x, t, loss_with(GTR_REDUCE_SUM, NULL, OF(beta), 0.3f));
    fetch[2] = gtr_cross_entropy_ex(x, y, smoothing(10, -100));
    fetch[3] = gtr_poisson_nll_ex(x, t, full);
    fetch[4] = gtr_gaussian_nll_ex(x, t, gtr_scale(t, 0, 1), full);
    fetch[5] = gtr_focal_ex(x, gtr_scale(t, 0, 1), loss_with(GTR_REDUCE_SUM, NULL, OF(alpha), 0.3f));
    for (int k = 0; k < 3; k++) fetch[6 + k] = gtr_gradient(fetch[k], x);
    if (!CHECK(gtr_eval(fetch, 9) == GTR_OK, "%s", gtr_error_text(ctx))) return;
    double want[6] = { 21 * 0.25 / 7, 21 * 0.0625 / (2 * (double)0.3f), 0, 0, (0.0625 + log(2 * pi)) / 2, 0 };
    for (int i = 0; i < 21; i++) {
        const double *row = &a[i / 3 * 3], s = (double)0.1f, lse = log(exp(row[0]) + exp(row[1]) + exp(row[2])),
            p = 1 / (1 + exp(-a[i]));
        want[2] -= ((i % 3 == labels[i / 3]) * (1 - s) + s / 3) * (a[i] - lse) / 7;
        want[3] += (exp(a[i]) - b[i] * a[i] + (b[i] > 1 ? b[i] * log(b[i]) - b[i] + log(2 * pi * b[i]) / 2 : 0)) / 21;
        want[5] -= (double)0.3f * (1 - p) * (1 - p) * log(p);
    }
    for (int k = 0; k < 6; k++) CHECK(exact(item(fetch[k]), want[k]), "loss %d is %.17g, want %.17g", k,
        item(fetch[k]), want[k]);
    for (int k = 0; k < 3; k++) {
        gtr_get(fetch[6 + k], d, sizeof d);
        for (int i = 0; i < 21; i++) {
            const double *row = &a[i / 3 * 3], sum = exp(row[0]) + exp(row[1]) + exp(row[2]), s = (double)0.1f,
                q = k == 0 ? 1.0 / 7 : k == 1 ? 0.25 / (double)0.3f
                    : (exp(a[i]) / sum - (i % 3 == labels[i / 3]) * (1 - s) - s / 3) / 7;
            CHECK(exact(d[i], q), "loss %d: gradient %d is %.17g, want %.17g", k, i, d[i], q);
        }
    }
    gtr_destroy(ctx);
}
/* Steps of SGD whose factors no float is, of the loss 0.3f / n times the sum of w x. kind 0: in micro-batches, 1: with
   a clipped norm, 2: at a cosine's rate. */
static void factors_of_steps(void)
{
    for (int kind = 0; kind < 3; kind++) {
        gtr_context *ctx = context_on(GTR_DEVICE_CPU, 1);
        gtr_init one;
        gtr_trainer_desc d;
        memset(&d, 0, sizeof d); memset(&one, 0, sizeof one);
        one.kind = GTR_INIT_CONSTANT; one.a = 1;
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 1)), *w = gtr_parameter(ctx, "w",
            gtr_shape1(1), one), *loss = gtr_scale(gtr_mean(gtr_mul(x, w), NULL, 0, false), 0.3f, 0);
        const gtr_float v[7] = { 1, 2, 3, 4, 5, 6, 7 };
        d.lr = 1;
        if (kind == 0) d.micro_batches = 3;
        if (kind == 1) d.clip_norm = 0.7f;
        if (kind == 2) { d.schedule = GTR_COSINE; d.total_steps = 5; }
        gtr_trainer *t = gtr_trainer_create(loss, d);
        gtr_set(x, v, sizeof v);
        for (int k = 0; k < 2; k++) CHECK(gtr_step(t) == GTR_OK, "%s", gtr_error_text(ctx));
        const double g = 4 * (double)0.3f, want = 1 - (kind == 0 ? 2 * g
            : kind == 1 ? 2 * g * ((double)0.7f / (g + 1e-6)) : g + g * 0.5 * (1 + cos(3.14159265358979323846 / 5)));
        CHECK(exact(item(w), want), "kind %d: the parameter is %.17g, want %.17g", kind, item(w), want);
        gtr_destroy(ctx);
    }
}
#endif
static void gradients(void)
{
    int r, k, seed, shapes;
    for (r = 0; r < N_ROWS; r++) {
        const op_row *row = &rows[r];
        if (row->flags & NO_GRADIENT || !row_wanted(row)) continue;
        for (k = shapes = 0; row->cases[k]; k++) {
            op_case c = case_of(row->cases[k]);
            if (elements_of(&c) > 150 || c.n > 8) continue;
            if (small ? !c.few && !(row->flags & GRAPH && k < 2) : shapes >= 12) continue;
            for (seed = 0; seed < (small ? 1 : 3); seed++)
                check_gradients(row, row->cases[k], seed, k == 1 && seed < 2);
            shapes++;
        }
        CHECK(small || shapes >= 5, "%s: %d shapes", row->name, shapes);
    }
    printf("gradients: %lld elements\n", (long long)gradient_elements);
}
#endif

#ifndef GPUTRAIN_DOUBLE
// >>bench
/* A context whose kernels are called one by one. Operands lie in one block with guards of GUARD bytes between them; if
   apart, in allocations of their own, so that a sanitizer sees what lies outside. */
#define GUARD 256
#define MAX_OPERANDS 140
typedef struct bench {
    const char   *name;
    gtr_context  *ctx;
    bool          cuda, apart;
    char         *block;  size_t size;
    char         *ws;     size_t ws_size;   /* workspace and a guard: it may be large, and is not mirrored */
    unsigned char *before, *after; size_t mirror;
    gtr__ctl     *ctl;              /* device: step 5, scale 4 */
    long long     calls;
} bench;
static bench cpu_bench, gpu_bench;

typedef struct operand {
    gtr_dtype   dtype;
    gtr_shape   shape;
    int64_t     count;
    bool        there, output;
    int         add;
    const void *from;               /* what it starts with; NULL: bits that are NaN in each float dtype */
    void       *to;                 /* outputs: what the call made */
    size_t      offset, bytes;      /* in the mirrors */
    char       *at;                 /* on the device */
} operand;
typedef struct call_desc {
    gtr__op op; gtr__dir dir;
    const gtr__attr *attr;
    const gtr__epilogue_ops *steps;
    int n_in, n_out;
    operand in[MAX_IN + 8], out[MAX_IN + 8];
    int training, shift;            /* shift: by so many elements, off all alignment */
    float seed;
    int64_t row0;
    gtr_precision precision;
    bool ctl;
} call_desc;

static void bench_open(bench *b, const char *name, gtr_context *ctx)
{
    gtr__ctl ctl;
    memset(b, 0, sizeof *b);
    b->name = name; b->ctx = ctx;
    b->cuda = gtr_on_gpu(ctx);
    b->apart = small;
#ifdef __SANITIZE_ADDRESS__
    b->apart = true;
#endif
    memset(&ctl, 0, sizeof ctl);
    ctl.step = 5; ctl.scale = 4; ctl.coef = 1;
    b->ctl = (gtr__ctl *)must(ctx->be->alloc(ctx->instance[0], sizeof ctl));
    ctx->be->copy(ctx->instance[0], b->ctl, &ctl, sizeof ctl, GTR__TO_DEVICE, true);
}
static void bench_close(bench *b)
{
    if (!b->ctx) return;
    b->ctx->be->free(b->ctx->instance[0], b->ctl, sizeof *b->ctl);
    b->ctx->be->free(b->ctx->instance[0], b->block, b->size);
    b->ctx->be->free(b->ctx->instance[0], b->ws, b->ws_size);
    gtr_destroy(b->ctx);
    free(b->before);
    free(b->after);
    memset(b, 0, sizeof *b);
}
static char *bench_alloc(bench *b, size_t bytes)
{
#if defined(__SANITIZE_ADDRESS__) && !defined(_WIN32)
    void *p = NULL;
    if (!b->cuda) return posix_memalign(&p, GTR__ALIGN, bytes) ? NULL : (char *)p;
#endif
    return (char *)must(b->ctx->be->alloc(b->ctx->instance[0], bytes));
}
static void bench_free(bench *b, char *p, size_t bytes)
{
#if defined(__SANITIZE_ADDRESS__) && !defined(_WIN32)
    if (!b->cuda) { free(p); return; }
#endif
    b->ctx->be->free(b->ctx->instance[0], p, bytes);
}
static bool bench_copy(bench *b, void *dst, const void *src, size_t bytes, gtr__copy kind) {
    return b->ctx->be->copy(b->ctx->instance[0], dst, src, bytes, kind, true) == GTR_OK;
}
static void bench_mirror(bench *b, size_t bytes)
{
    if (bytes <= b->mirror) return;
    free(b->before); free(b->after);
    b->mirror = bytes + bytes / 2;
    b->before = (unsigned char *)room((int64_t)b->mirror, 1);
    b->after = (unsigned char *)room((int64_t)b->mirror, 1);
}

/* Workspace that starts with NaN and ends at a guard. Apart: not even initialised, so that a sanitizer
   sees what is read of it. */
#define WS_HEAD ((size_t)1 << 16)
static char *bench_ws(bench *b, size_t bytes)
{
    unsigned char mark[GUARD];
    char *ws;
    if (!bytes) return NULL;
    if (b->apart) return bench_alloc(b, bytes);
    if (bytes + GUARD > b->ws_size) {
        b->ctx->be->free(b->ctx->instance[0], b->ws, b->ws_size);
        b->ws_size = bytes + bytes / 4 + WS_HEAD + GUARD;
        b->ws = (char *)must(b->ctx->be->alloc(b->ctx->instance[0], b->ws_size));
    }
    ws = b->ws;
    memset(mark, 0xa5, sizeof mark);
    bench_mirror(b, WS_HEAD);
    memset(b->after, 0xff, WS_HEAD);
    bench_copy(b, ws, b->after, GTR__MIN(bytes, WS_HEAD), GTR__TO_DEVICE);
    bench_copy(b, ws + bytes, mark, sizeof mark, GTR__TO_DEVICE);
    return ws;
}
static bool bench_ws_whole(bench *b, const char *ws, size_t bytes)
{
    unsigned char mark[GUARD];
    int i;
    if (!ws || b->apart) return true;
    if (!bench_copy(b, mark, ws + bytes, sizeof mark, GTR__TO_HOST)) return false;
    for (i = 0; i < GUARD; i++) if (mark[i] != 0xa5) return false;
    return true;
}

static operand operand_of(gtr_dtype dtype, const gtr_shape *shape, const void *from)
{
    operand o;
    memset(&o, 0, sizeof o);
    o.dtype = dtype; o.shape = *shape; o.count = gtr__count(shape); o.there = true; o.from = from;
    return o;
}
/* An input that is not read, an output that is not wanted. */
static operand operand_absent(gtr_dtype dtype, const gtr_shape *shape) {
    operand o = operand_of(dtype, shape, NULL); o.there = false; return o;
}
static operand operand_none(void) { operand o; memset(&o, 0, sizeof o); return o; }
static operand result_of(gtr_dtype dtype, const gtr_shape *shape, const void *add_to)
{
    operand o = operand_of(dtype, shape, add_to);
    o.output = true;
    o.add = add_to != NULL;
    o.to = room(o.count, gtr__dtype_size(dtype));
    return o;
}
static gtr__arg arg_of(const operand *o)
{
    gtr__arg a;
    memset(&a, 0, sizeof a);
    a.dtype = o->dtype; a.shape = o->shape; a.count = o->count; a.add = o->add;
    a.data = o->there ? (void *)o->at : NULL;
    return a;
}
static gtr_result run_node(bench *b, const gtr__call *call, gtr__op op, gtr__dir dir)
{
    gtr__plan plan;
    gtr__node node;
    gtr__call own = *call;
    gtr_result r;
    memset(&plan, 0, sizeof plan);
    memset(&node, 0, sizeof node);
    plan.node = &node; plan.n_node = 1; plan.n_stage = 1; plan.n_stream = 1;
    node.op = op; node.dir = dir; node.layer = "test"; node.call = &own; node.attr = *call->attr;
    own.attr = &node.attr;
    if (call->epilogue) { node.epilogue = *call->epilogue; own.epilogue = &node.epilogue; }
    r = b->ctx->be->run_node(b->ctx->instance, &plan, 0);
    return r == GTR_OK ? b->ctx->be->wait(b->ctx->instance[0]) : r;
}
/* The workspace that the planner would give. */
static gtr_result measure(bench *b, gtr__call call, gtr__op op, gtr__dir dir, size_t *bytes)
{
    *bytes = 0;
    call.measure = bytes;
    if (b->cuda) return gtr__uses_workspace(op) ? b->ctx->be->kernel[op][dir](NULL, &call) : GTR_OK;
    return gtr__cpu_call(NULL, op, dir, &call);
}
/* Runs one kernel. Notes a failed check, with what, if it fails or leaves a mark outside its results. */
static bool run_kernel(bench *b, call_desc *d, const char *what)
{
    operand *all[MAX_OPERANDS];
    gtr__arg in[MAX_IN + 8], out[MAX_IN + 8];
    gtr__call call;
    size_t at = 0, ws_bytes = 0, total;
    char *ws = NULL;
    int n = 0, k, turn;
    bool ok = true, same = true;
    gtr_result r;
    for (k = 0; k < d->n_in; k++) all[n++] = &d->in[k];
    for (k = 0; k < d->n_out; k++) all[n++] = &d->out[k];
    for (k = 0; k < n; k++) {
        operand *o = all[k];
        o->bytes = (size_t)o->count * gtr__dtype_size(o->dtype);
        if (!o->there) continue;
        o->offset = GTR__ROUND_UP(at + GUARD, (size_t)GTR__ALIGN) + (size_t)d->shift * gtr__dtype_size(o->dtype);
        o->at = (char *)b->ctl;             /* some address while measured */
        at = o->offset + o->bytes;
    }
    memset(&call, 0, sizeof call);
    for (k = 0; k < d->n_in; k++) in[k] = arg_of(&d->in[k]);
    for (k = 0; k < d->n_out; k++) out[k] = arg_of(&d->out[k]);
    call.attr = d->attr; call.epilogue = d->steps;
    call.n_in = d->n_in; call.n_out = d->n_out; call.in = in; call.out = out;
    call.caps = &b->ctx->caps; call.precision = d->precision; call.training = d->training; call.seed = d->seed;
    call.row0 = d->row0;
    call.ctl = d->ctl ? b->ctl : NULL;
    r = measure(b, call, d->op, d->dir, &ws_bytes);
    if (r != GTR_OK)
        return CHECK(false, "%s on %s: workspace: %s %s", what, b->name, gtr_result_text(r), gtr_error_text(b->ctx));
    total = GTR__ROUND_UP(at + GUARD, (size_t)GTR__ALIGN);
    ws = bench_ws(b, ws_bytes);
    bench_mirror(b, total);
    memset(b->before, 0xa5, total);
    for (k = 0; k < n; k++) if (all[k]->there) {
        if (all[k]->from) memcpy(b->before + all[k]->offset, all[k]->from, all[k]->bytes);
        else memset(b->before + all[k]->offset, 0xff, all[k]->bytes);
    }
    if (!b->apart && total > b->size) {
        b->ctx->be->free(b->ctx->instance[0], b->block, b->size);
        b->size = total + total / 2;
        b->block = (char *)must(b->ctx->be->alloc(b->ctx->instance[0], b->size));
    }
    for (k = 0; k < n; k++) if (all[k]->there)
        all[k]->at = b->apart ? bench_alloc(b, all[k]->bytes + (size_t)d->shift * gtr__dtype_size(all[k]->dtype))
            + (size_t)d->shift * gtr__dtype_size(all[k]->dtype) : b->block + all[k]->offset;
    for (k = 0; k < d->n_in; k++) in[k] = arg_of(&d->in[k]);
    for (k = 0; k < d->n_out; k++) out[k] = arg_of(&d->out[k]);
    call.ws = ws; call.ws_bytes = ws_bytes;
    for (turn = 0; turn < (b->cuda && !small ? 2 : 1) && ok; turn++) {
        b->calls++;
        if (!b->apart) ok = bench_copy(b, b->block, b->before, total, GTR__TO_DEVICE);
        else {
            for (k = 0; k < n; k++) if (all[k]->there)
                ok = bench_copy(b, all[k]->at, b->before + all[k]->offset, all[k]->bytes, GTR__TO_DEVICE) && ok;
        }
        r = run_node(b, &call, d->op, d->dir);
        ok = CHECK(ok && r == GTR_OK, "%s on %s: %s %s", what, b->name, gtr_result_text(r), gtr_error_text(b->ctx));
        if (ok && !b->apart) ok = bench_copy(b, b->after, b->block, total, GTR__TO_HOST);
        if (ok && b->apart) {
            memcpy(b->after, b->before, total);
            for (k = 0; k < n; k++) if (all[k]->there)
                ok = bench_copy(b, b->after + all[k]->offset, all[k]->at, all[k]->bytes, GTR__TO_HOST) && ok;
        }
        for (k = 0; ok && k < n; k++) if (all[k]->there && all[k]->output) {
            if (turn) same = same && !memcmp(all[k]->to, b->after + all[k]->offset, all[k]->bytes);
            memcpy(all[k]->to, b->after + all[k]->offset, all[k]->bytes);
            /* what is left must be as it was */
            memcpy(b->after + all[k]->offset, b->before + all[k]->offset, all[k]->bytes);
        }
        if (ok) ok = CHECK(bench_ws_whole(b, ws, ws_bytes),
            "%s on %s: something was written behind the workspace of %zu bytes", what, b->name, ws_bytes);
        if (ok && memcmp(b->before, b->after, total)) {
            size_t e = 0;
            int inside = -1;
            while (b->before[e] == b->after[e]) e++;
            for (k = 0; k < n; k++) if (all[k]->there && e >= all[k]->offset && e < all[k]->offset + all[k]->bytes)
                inside = k;
            ok = CHECK(false, "%s on %s: byte %zu %s operand %d was written", what, b->name,
                inside >= 0 ? e - all[inside]->offset : e, inside >= 0 ? "of" : "outside, near the start:", inside);
        }
    }
    if (ok) ok = CHECK(same, "%s on %s: two runs differ", what, b->name);
    if (b->apart) {
        for (k = 0; k < n; k++) if (all[k]->there) bench_free(b, all[k]->at - (size_t)d->shift
            * gtr__dtype_size(all[k]->dtype), all[k]->bytes + (size_t)d->shift * gtr__dtype_size(all[k]->dtype));
        if (ws) bench_free(b, ws, ws_bytes);
    }
    if (!ok) gtr_error_clear(b->ctx);
    return ok;
}
static void free_results(call_desc *d) {
    int k;
    for (k = 0; k < d->n_out; k++) { free(d->out[k].to); d->out[k].to = NULL; }
}
/* Runs a recurrence's backward as a plan does: its own kernel, then LINEAR's for the gradients of w and bias. */
static bool run_recurrence_back(bench *b, call_desc *d, const char *what)
{
    const gtr__recurrence_attr *a = &d->attr->recurrence;
    const int own = gtr__recurrence_inputs(a), bias = a->bias;
    const operand *const x = &d->in[0], *const y = &d->in[own];
    const bool same = a->gates != 3 && d->out[0].there && !d->out[0].add && d->out[0].dtype == x->dtype;
    static const gtr__attr none;
    call_desc *steps = (call_desc *)room(1, sizeof *d), *linear = (call_desc *)room(1, sizeof *d);
    bool ok;
    *steps = *linear = *d;
    steps->out[1] = operand_none();
    if (bias) steps->out[bias] = operand_none();
    steps->out[own] = same ? operand_none() : result_of(x->dtype, &x->shape, NULL);
    steps->out[own + 1] = result_of(y->dtype, &y->shape, NULL);
    steps->n_out = own + 2;
    ok = run_kernel(b, steps, what);
    linear->op = GTR__OP_LINEAR; linear->attr = &none;
    linear->n_in = bias ? 5 : 4; linear->n_out = bias ? 3 : 2;
    linear->in[0] = operand_of(y->dtype, &y->shape, steps->out[own + 1].to);
    linear->in[1] = operand_absent(d->in[1].dtype, &d->in[1].shape);
    if (bias) linear->in[2] = operand_absent(d->in[bias].dtype, &d->in[bias].shape);
    linear->in[linear->n_in - 2] = operand_absent(x->dtype, &x->shape);
    linear->in[linear->n_in - 1] = operand_of(x->dtype, &x->shape, steps->out[same ? 0 : own].to);
    linear->out[0] = operand_none(); linear->out[1] = d->out[1];
    if (bias) linear->out[2] = d->out[bias];
    ok = ok && run_kernel(b, linear, what);
    for (int k = 0; k < own; k++) if (k != 1 && (!bias || k != bias)) d->out[k] = steps->out[k];
    d->out[1] = linear->out[1];
    if (bias) d->out[bias] = linear->out[2];
    free(steps->out[own].to); free(steps->out[own + 1].to);
    free(steps); free(linear);
    return ok;
}
static bool run_call(bench *b, call_desc *d, const char *what)
{
    const bool apart = d->dir == GTR__BWD && gtr__gradients(d->op) == GTR__GRADIENTS_LINEAR;
    const int bias = apart ? d->attr->recurrence.bias : 0;
    return (apart && d->out[1].there) || (bias && d->out[bias].there) ? run_recurrence_back(b, d, what)
        : run_kernel(b, d, what);
}

// >>limits
typedef struct limit { double nmse, ratio; } limit;
static limit limit_of(gtr_dtype storage, gtr_precision precision)
{
    limit l;
    l.nmse = storage == GTR_BF16 ? 2e-5 : storage == GTR_F16 ? 5e-7 : 1e-10;
    l.ratio = storage == GTR_BF16 ? 8e-3 : storage == GTR_F16 ? 1e-3 : 1e-5;
    if (precision == GTR_TF32 && storage == GTR_F32) { l.nmse = 1e-6; l.ratio = 2e-3; }
    return l;
}
static const limit exact = { 0, 0 };
/* odd: first element of another class (NaN, +-Inf, finite); -1 */
typedef struct distance { double nmse, ratio; int64_t odd; } distance;
static int class_of(gtr_float v) { return v != v ? 3 : v - v == 0 ? 0 : v > 0 ? 1 : 2; }
/* got against want, which is first rounded through got's storage for its class. floor: least size that
   errors are relative to. */
static distance distance_of(const gtr_float *want, const void *got, gtr_dtype storage, int64_t n, double floor)
{
    distance d;
    gtr_float *v = (gtr_float *)room(n, sizeof *v), *r = (gtr_float *)room(n, sizeof *r);
    void *low = room(n, gtr__dtype_size(storage));
    double err = 0, ref = 0, most = 0, top = 0;
    int64_t i;
    d.odd = -1;
    gtr__convert(v, GTR_F32, got, storage, n);
    gtr__convert(low, storage, want, GTR_F32, n);
    gtr__convert(r, GTR_F32, low, storage, n);
    for (i = 0; i < n; i++) {
        double e;
        if (class_of(v[i]) != class_of(r[i])) { if (d.odd < 0) d.odd = i; continue; }
        if (class_of(r[i]) || class_of(want[i])) continue;
        e = fabs((double)v[i] - (double)want[i]);
        err += e * e; ref += (double)want[i] * (double)want[i];
        most = e > most ? e : most;
        if (fabs((double)want[i]) > top) top = fabs((double)want[i]);
    }
    if (top < floor) top = floor;
    if (ref < (double)n * floor * floor) ref = (double)n * floor * floor;
    d.nmse = err > 0 ? err / ref : 0;
    d.ratio = most > 0 ? most / top : 0;
    free(v); free(r); free(low);
    return d;
}
static bool within(distance d, limit l) { return d.odd < 0 && d.nmse <= l.nmse && d.ratio <= l.ratio; }
static bool compare(const gtr_float *want, const operand *got, limit l, double floor, const char *what,
    const char *where)
{
    distance d;
    if (got->count <= 4 && floor < 0.05) floor = 0.05;     /* so few may all be near zero */
    d = distance_of(want, got->to, got->dtype, got->count, floor);
    return CHECK(within(d, l), "%s on %s: NMSE %.3g (limit %.3g), max %.3g (limit %.3g), first of another class: %lld",
        what, where, d.nmse, l.nmse, d.ratio, l.ratio, (long long)d.odd);
}
/* The same behind an activation: its input's error comes through, times its slope, and is measured by that of an
   input of its input's size. Slopes below 1 count as 1. */
static bool plain_unary(gtr__op op, double x, double *y)
{
#define PLAIN_UNARY(ID, name, kinds, flags, built, of_x, torch) if (op == GTR__OP_##ID) { *y = of_x; return true; }
    UNARY_TESTS(PLAIN_UNARY)
    return false;
}
static bool compare_act(gtr__op op, const gtr_float *want, const gtr_float *pre, const operand *got, limit l,
    const char *what, const char *where)
{
    distance d = distance_of(want, got->to, got->dtype, got->count, got->count <= 4 ? 0.05 : 0);
    double top = 0, top_pre = 0, ref = 0, ref_pre = 0, steepest = 1, slopes = 0;
    int64_t i;
    if (got->count <= 4) l.nmse = l.ratio * l.ratio;        /* the mean of so few is the largest */
    for (i = 0; i < got->count; i++) {
        double y[2], slope = 1;
        if (class_of(want[i]) || class_of(pre[i])) continue;
        ref += (double)want[i] * (double)want[i]; ref_pre += (double)pre[i] * (double)pre[i];
        if (fabs((double)want[i]) > top) top = fabs((double)want[i]);
        if (fabs((double)pre[i]) > top_pre) top_pre = fabs((double)pre[i]);
        if (plain_unary(op, (double)pre[i] + 1e-4, &y[1]) && plain_unary(op, (double)pre[i] - 1e-4, &y[0])
                && fabs(y[1] - y[0]) / 2e-4 > 1)
            slope = fabs(y[1] - y[0]) / 2e-4;
        if (slope > steepest) steepest = slope;
        slopes += slope * slope / (double)got->count;
    }
    top_pre *= steepest; ref_pre *= slopes;
    if (top < top_pre) d.ratio *= top / top_pre;
    if (ref < ref_pre) d.nmse *= ref / ref_pre;
    return CHECK(within(d, l),
        "%s on %s: NMSE %.3g (limit %.3g), max %.3g of its input's (limit %.3g), first of another class: %lld", what,
        where, d.nmse, l.nmse, d.ratio, l.ratio, (long long)d.odd);
}

// >>kernels
static const op_row *row_of(builder b) {
    int i;
    for (i = 0; i < N_ROWS && rows[i].build != b; i++) { }
    return &rows[i];
}
static void shape_words(const op_case *c, char *text, size_t size)
{
    int k;
    size_t at = 0;
    char s[GTR__TEXT];
    text[0] = 0;
    for (k = 0; k < c->n && k < 3 && at < size; k++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", k ? " " : "", gtr__shape_text(&c->in[k], s));
}
/* Values as they are after a visit to storage. */
static void round_through(gtr_float *v, gtr_dtype storage, int64_t n)
{
    void *low;
    if (storage == GTR_F32) return;
    low = room(n, 2);
    gtr__convert(low, storage, v, GTR_F32, n);
    gtr__convert(v, GTR_F32, low, storage, n);
    free(low);
}
static void *stored(const gtr_float *v, gtr_dtype storage, int64_t n)
{
    void *p = room(n, gtr__dtype_size(storage));
    gtr__convert(p, storage, v, GTR_F32, n);
    return p;
}
static bool attends(const op_call *o) { return o->id == GTR__OP_ATTENTION || o->id == GTR__OP_ATTENTION_PACKED; }
/* A product of 16-bit operands is summed by the tensor cores, whatever it is stored as: the limit is that of such
   operands. What is made in between is stored as these are: each step's gates and states, or, rounded to multiply,
   attention's weights and scores' gradients. */
static limit product_limit(const op_call *o, gtr_dtype storage)
{
    if ((o->row->flags & STEPS || attends(o)) && storage == GTR_F32) storage = o->in_store[0];
    return limit_of(storage == GTR_F32 && gtr__class_of(o->id, -1) == GTR__CLASS_LOW && o->in_store[0] != GTR_F32
        && o->in_dtype[0] == GTR_F32 ? GTR_F16 : storage, o->precision);
}
enum { ALL_LOW, SOME_LOW, VARIANTS };

static gtr_shape channels_last(const gtr_shape *s)
{
    gtr_shape t = *s;
    int k;
    for (k = 2; k < s->ndim; k++) t.dim[k - 1] = s->dim[k];
    t.dim[s->ndim - 1] = s->dim[1];
    return t;
}
static bool op_call_make(op_call *o, const op_row *row, const graph *g, gtr_dtype low, int variant,
    bool special, int training)
{
    gtr__shape_call s;
    const gtr_tensor *t = g->out->op == GTR__OP_PART ? g->out->in[0] : g->out;
    char text[200];
    gtr__class made;
    bool narrow = true, images;
    int k, floats = 0;
    memset(o, 0, sizeof *o);
    o->row = row; o->id = t->op; o->attr = t->attr; o->n_in = t->n_in; o->training = training;
    for (k = 0; k < o->n_in; k++) {
        gtr_tensor *x = t->in[k];
        o->in_shape[k] = gtr__literal(x->shape, g->batch);
        o->in_dtype[k] = o->in_store[k] = x->dtype;
        if (x->dtype != GTR_F32) continue;
        o->in_store[k] = row->flags & STEPS ? k > 1 ? GTR_F32 : low
            : floats && (variant == SOME_LOW || row->flags & FIRST_LOW)
            && gtr__class_of(o->id, -1) != GTR__CLASS_LOW ? GTR_F32 : low;
        if (o->in_store[k] == GTR_F32 && !(row->flags & STEPS)) narrow = false;
        floats++;
    }
    memset(&s, 0, sizeof s);
    s.op = o->id; s.attr = &o->attr; s.n_in = o->n_in; s.training = training;
    GTR__COPY(s.in, o->in_shape, o->n_in);
    GTR__COPY(s.in_dtype, o->in_dtype, o->n_in);
    shape_words(&g->c, text, sizeof text);
    if (!CHECK(gtr__shape_outputs(&s) == GTR_OK, "%s %s: %s", row->name, text, s.why)) return false;
    made = gtr__class_of(o->id, -1);
    images = gtr__laid_out(o->id) == GTR__LAYOUT_IMAGES;
    o->n_out = s.n_out ? s.n_out : gtr__outputs(o->id);
    o->n_diff = GTR__MAX(GTR__MIN(gtr__differentiable_outputs(o->id), o->n_out), 1);
    for (k = 0; k < o->n_out; k++) {
        o->out_shape[k] = s.out[k];
        o->out_dtype[k] = o->out_store[k] = s.out_dtype[k];
        if (s.out_dtype[k] == GTR_F32 && k < o->n_diff
                && (made == GTR__CLASS_LOW || (made == GTR__CLASS_FOLLOW && narrow && floats)))
            o->out_store[k] = low;
    }
    for (k = 0; images && o->in_shape[0].ndim > 2 && k < 2; k++) /* as kernels see them */
        if (o->in_shape[1 - k].ndim == g->shape[0].ndim) o->in_shape[1 - k] = channels_last(&o->in_shape[1 - k]);
    for (k = 0; images && k < o->n_out; k++)
        if (o->out_shape[k].ndim > 2) o->out_shape[k] = channels_last(&o->out_shape[k]);
    for (k = 0; k < o->n_in; k++) {
        int64_t n = gtr__count(&o->in_shape[k]), i;
        o->in[k] = room(n, 4);
        if (t->in[k]->op == GTR__OP_CONSTANT) memcpy(o->in[k], gtr__storage_of(t->in[k])->data, (size_t)n * 4);
        else fill(g, k, o->in[k]);
        if (o->in_dtype[k] != GTR_F32) continue;
        for (i = 0; special && i < n; i++) {
            static const gtr_float odd[6] = {
                (gtr_float)1e30, 0, (gtr_float)-0.0, (gtr_float)1e-40, (gtr_float)-1e30, (gtr_float)88.5 };
            gtr_float *v = (gtr_float *)o->in[k], inf = (gtr_float)INFINITY;
            uint64_t u = rng_next() % 16;
            if (u < 6) v[i] = odd[u];
            else if (u == 6 && i % 3 == 0) v[i] = gtr__nan();
            else if (u == 7) v[i] = inf;
            else if (u == 8) v[i] = -inf;
        }
        round_through((gtr_float *)o->in[k], o->in_store[k], n);
    }
    snprintf(o->what, sizeof o->what, "%s %s, %s%s%s%s%s", row->name, text, gtr__dtype_name(low),
        variant == SOME_LOW ? " mixed" : "", special ? ", special values" : "",
        row->flags & MODES ? training ? ", training" : ", evaluation" : "", o->precision == GTR_TF32 ? ", TF32" : "");
    return true;
}
static void op_call_free(op_call *o)
{
    int k;
    for (k = 0; k < o->n_in; k++) free(o->in[k]);
    for (k = 0; k < o->n_out; k++) free(o->y[k]);
}
// >>oracle
/* The CPU's kernels against PLAIN of op_rows.h. False: the op has none. */
static bool plain(const op_call *o, double *const *in, double *y)
{
    if (plain_of[o->id])
        plain_of[o->id](o, in, y, gtr__count(&o->out_shape[0]), gtr__count(&o->in_shape[0]));
    return plain_of[o->id] != NULL;
}
static void plain_inputs(const op_call *o, double **in)
{
    int k;
    int64_t i;
    for (k = 0; k < o->n_in; k++) {
        int64_t n = gtr__count(&o->in_shape[k]);
        in[k] = (double *)room(n, sizeof(double));
        for (i = 0; o->in_dtype[k] == GTR_F32 && i < n; i++) in[k][i] = (double)((gtr_float *)o->in[k])[i];
    }
}
/* What no gradient comes to. */
static bool no_gradient(const op_call *o, int k)
{
    return o->out_dtype[k] != GTR_F32 || o->missing == k + 1 || (o->row->flags & STEPS && (k == 2 || k == 4));
}
static bool undefined[GTR__OP_COUNT], tested[GTR__OP_COUNT];    /* ops: without a definition here, met by kernels_on */
static void oracle_output(const op_call *o, int k, const double *y)
{
    int64_t n = gtr__count(&o->out_shape[k]), i;
    gtr_float *want = (gtr_float *)room(n, sizeof *want);
    bool same = true;
    for (i = 0; i < n; i++) want[i] = (gtr_float)y[i];
    if (o->out_dtype[k] == GTR_I32) {
        for (i = 0; i < n; i++) same = same && (double)((const int32_t *)(const void *)o->y[k])[i] == y[i];
        CHECK(same, "%s: output %d is not what it is by definition", o->what, k);
    } else {
        distance d = distance_of(want, o->y[k], GTR_F32, n, n <= 4 ? 0.05 : 0);
        limit l = limit_of(GTR_F32, GTR_FP32);
        CHECK(within(d, l), "%s: output %d from its definition NMSE %.3g, max %.3g, another class at %lld", o->what, k,
            d.nmse, d.ratio, (long long)d.odd);
    }
    free(want);
}
static void oracle_forward(const op_call *o)
{
    double *in[MAX_IN], *y = (double *)room(outputs_count(o, o->n_diff), sizeof *y);
    bool known;
    int k;
    plain_inputs(o, in);
    known = plain(o, in, y);
    if (!known) {       /* once an op */
        CHECK(undefined[o->id],
            "%s: tests/programs/op_rows.h has no definition of the op in double, PLAIN, to hold its kernels against",
            gtr__row(o->id)->name);
        undefined[o->id] = true;
    } else for (k = 0; k < o->n_diff; k++) oracle_output(o, k, y + outputs_count(o, k));
    for (k = 0; k < o->n_in; k++) free(in[k]);
    free(y);
}
/* The gradient of input k along a random direction. dy NULL: the constant g. */
static void oracle_backward(const op_call *o, int k, const gtr_float *dx, const gtr_float *dy, double g)
{
    int64_t n = outputs_count(o, o->n_diff), m = gtr__count(&o->in_shape[k]), i;
    double *in[MAX_IN], *y[2], along = 0, differ = 0, size = 0, h = 1e-5;
    signed char *v = (signed char *)room(m, 1);
    int side;
    for (i = 0; i < m; i++) v[i] = rng_next() & 1 ? 1 : -1;
    for (side = 0; side < 2; side++) {
        int q;
        y[side] = (double *)room(n, sizeof(double));
        plain_inputs(o, in);
        for (i = 0; i < m; i++) in[k][i] += (side ? -h : h) * v[i];
        plain(o, in, y[side]);
        for (q = 0; q < o->n_in; q++) free(in[q]);
    }
    for (i = 0; i < n; i++) {
        double d = dy ? (double)dy[i] : g;
        if (d == 0) continue;
        differ += d * ((y[0][i] - y[1][i]) / (2 * h));
        size += 1e-7 * fabs(d * y[0][i]) + (o->row->flags & CANCELS ? 1e-5 * fabs(d) : 0);
    }
    for (i = 0; i < m; i++) { along += (double)dx[i] * v[i]; size += 1e-4 * fabs((double)dx[i]); }
    CHECK(fabs(along - differ) <= size,
        "%s, gradient %d%s: along a direction %.9g, by differences of the definition %.9g", o->what, k,
        dy ? "" : ", constant dy", along, differ);
    free(y[0]); free(y[1]); free(v);
}

// >>kernel-calls
static call_desc *call_new(const op_call *o, gtr__dir dir)
{
    call_desc *d = (call_desc *)room(1, sizeof *d);
    d->op = o->id; d->dir = dir; d->attr = &o->attr; d->training = o->training;
    d->ctl = o->number % 2 == 1;
    d->row0 = o->number % 3 == 1 ? 3 : 0;
    return d;
}
/* Forward in float32 on the CPU: the truth. */
static bool op_reference(op_call *o)
{
    call_desc *d = call_new(o, GTR__FWD);
    int k;
    bool ok;
    d->n_in = o->n_in; d->n_out = o->n_out;
    for (k = 0; k < o->n_in; k++) d->in[k] = operand_of(o->in_dtype[k], &o->in_shape[k], o->in[k]);
    for (k = 0; k < o->n_out; k++) d->out[k] = result_of(o->out_dtype[k], &o->out_shape[k], NULL);
    ok = run_call(&cpu_bench, d, o->what);
    for (k = 0; k < o->n_out; k++) o->y[k] = (gtr_float *)d->out[k].to;
    free(d);
    if (ok && o->oracle) oracle_forward(o);
    return ok;
}
static void op_forward(bench *b, op_call *o, int shift)
{
    call_desc *d = call_new(o, GTR__FWD);
    char what[440];
    int k;
    void *in[MAX_IN];
    d->n_in = o->n_in; d->n_out = o->n_out; d->precision = o->precision; d->shift = shift;
    for (k = 0; k < o->n_in; k++) {
        in[k] = o->in_dtype[k] == GTR_F32
            ? stored((gtr_float *)o->in[k], o->in_store[k], gtr__count(&o->in_shape[k])) : NULL;
        d->in[k] = operand_of(o->in_store[k], &o->in_shape[k], in[k] ? in[k] : o->in[k]);
    }
    for (k = 0; k < o->n_out; k++) d->out[k] = result_of(o->out_store[k], &o->out_shape[k], NULL);
    if (run_call(b, d, o->what)) for (k = 0; k < o->n_out; k++) {
        int64_t n = gtr__count(&o->out_shape[k]);
        snprintf(what, sizeof what, "%s, output %d", o->what, k);
        if (o->out_dtype[k] != GTR_F32)
            CHECK(!memcmp(d->out[k].to, o->y[k], (size_t)n * 4), "%s on %s: integers differ", what, b->name);
        else if (o->row->flags & COPIES) {
            round_through(o->y[k], o->out_store[k], n); compare(o->y[k], &d->out[k], exact, 0, what, b->name);
        }
        else compare(o->y[k], &d->out[k], product_limit(o, o->out_store[k]), 0, what, b->name);
    }
    for (k = 0; k < o->n_in; k++) free(in[k]);
    free_results(d);
    free(d);
}
/* The operands of a backward call: which are read follows from the row, as in a plan. */
static void op_backward_operands(call_desc *d, const op_call *o, const gtr_float *dy, bool truth,
    uint64_t mask, void **keep)
{
    const bool crossed = gtr__gradients(o->id) == GTR__GRADIENTS_CROSSED;
    int k, at = 0;
    for (k = 0; k < o->n_in; k++, at++) {
        bool read = gtr__reads_x(o->id, k) && (!crossed || (mask & 1) != (k == 0));
        gtr_dtype t = truth ? o->in_dtype[k] : o->in_store[k];
        if (!read) { d->in[at] = operand_absent(t, &o->in_shape[k]); continue; }
        keep[at] = t == GTR_I32 ? NULL : stored((gtr_float *)o->in[k], t, gtr__count(&o->in_shape[k]));
        d->in[at] = operand_of(t, &o->in_shape[k], keep[at] ? keep[at] : o->in[k]);
    }
    for (k = 0; k < o->n_out; k++, at++) {
        bool read = gtr__reads_y(o->id, k);
        gtr_dtype t = truth ? o->out_dtype[k] : o->out_store[k];
        int64_t n = gtr__count(&o->out_shape[k]);
        gtr_float *y;
        if (!read) { d->in[at] = operand_absent(t, &o->out_shape[k]); continue; }
        if (t == GTR_I32) { d->in[at] = operand_of(t, &o->out_shape[k], o->y[k]); continue; }
        y = (gtr_float *)stored(o->y[k], GTR_F32, n);
        round_through(y, o->out_store[k], n);           /* what forward has stored */
        keep[at] = stored(y, t, n);
        free(y);
        d->in[at] = operand_of(t, &o->out_shape[k], keep[at]);
    }
    for (k = 0; k < o->n_diff; k++, at++) {
        gtr_dtype t = truth ? o->out_dtype[k] : o->out_store[k];
        const gtr_float *from = dy ? dy + outputs_count(o, k) : NULL;
        if (!dy || no_gradient(o, k)) { d->in[at] = operand_absent(t, &o->out_shape[k]); continue; }
        keep[at] = stored(from, t, gtr__count(&o->out_shape[k]));
        d->in[at] = operand_of(t, &o->out_shape[k], keep[at]);
    }
    d->n_in = at;
}
/* Whether backward does with what its row's needs name: with the other operands, where a plan has NULL, as forward had
   them, and with NaN and -1 in their place, gradients are the same. An op that failed is not run again. */
static bool reads_more[GTR__OP_COUNT];
static bool needs_enough(const op_call *o, const call_desc *want)
{
    call_desc *d[2];
    int k, turn;
    bool same = true;
    for (turn = 0; turn < 2; turn++) {
        d[turn] = (call_desc *)room(1, sizeof *want);
        *d[turn] = *want;
        for (k = 0; k < o->n_in + o->n_out; k++) {
            operand *in = &d[turn]->in[k];
            if (!in->there && !turn) in->from = k < o->n_in ? o->in[k] : (const void *)o->y[k - o->n_in];
            in->there = true;
        }
        for (k = 0; k < want->n_out; k++)
            if (want->out[k].output) d[turn]->out[k] = result_of(GTR_F32, &want->out[k].shape, NULL);
        same = run_call(&cpu_bench, d[turn], o->what) && same;
    }
    for (k = 0; same && k < want->n_out; k++)
        same = !want->out[k].output || !memcmp(d[0]->out[k].to, d[1]->out[k].to, d[0]->out[k].bytes);
    for (turn = 0; turn < 2; turn++) { free_results(d[turn]); free(d[turn]); }
    reads_more[o->id] = !same;
    return CHECK(same, "%s: backward reads what its row's needs do not name, and a plan has NULL there", o->what);
}
/* Of what a row's needs name, bit by bit, what changed a gradient in some case where it was NaN, or of integers 0. */
static uint32_t seen_read[GTR__OP_COUNT];
static void needs_seen(const op_call *o, const call_desc *want)
{
    for (int k = 0; k < o->n_in + o->n_out; k++) {
        const int bit = k < o->n_in ? k : 16 + k - o->n_in;
        if (k >= want->n_in || !want->in[k].there || bit >= 24 || seen_read[o->id] >> bit & 1) continue;
        call_desc *d = (call_desc *)room(1, sizeof *d);
        void *other = room(want->in[k].count, 4);
        bool same;
        *d = *want;
        if (want->in[k].dtype == GTR_F32) memset(other, 0xff, (size_t)want->in[k].count * 4);
        d->in[k].from = other;
        for (int i = 0; i < want->n_out; i++)
            if (want->out[i].output) d->out[i] = result_of(GTR_F32, &want->out[i].shape, NULL);
        same = run_call(&cpu_bench, d, o->what);
        for (int i = 0; same && i < want->n_out; i++)
            same = !want->out[i].output || !memcmp(d->out[i].to, want->out[i].to, want->out[i].bytes);
        if (!same) seen_read[o->id] |= (uint32_t)1 << bit;
        free_results(d);
        free(d);
        free(other);
    }
}
/* Gradients of the inputs in mask, stored and added. constant: the loss's own gradient is a constant. masters:
   parameters' gradients in float32. */
static void op_backward(bench *b, op_call *o, uint64_t mask, bool constant, bool masters, int shift)
{
    call_desc *want = call_new(o, GTR__BWD), *d = call_new(o, GTR__BWD);
    void *keep[2 * MAX_IN + 16] = { NULL };
    int64_t n_dy = outputs_count(o, o->n_diff), i;
    gtr_float *dy = (gtr_float *)room(n_dy, sizeof *dy);
    double size = o->row->flags & (LOSS | AVERAGES) ? (double)gtr__count(&o->in_shape[0]) / (double)n_dy : 1, most = 0;
    int k, add;
    bool ok;
    if (o->row->flags & LOSS && o->row->flags & CANCELS) size = (double)o->in_shape[0].dim[0];
    for (i = 0; i < n_dy; i++) {
        dy[i] = (gtr_float)(size * uniform(-0.5, 1)); most = GTR__MAX(most, fabs((double)dy[i]));
    }
    for (k = 0; k < o->n_diff; k++) {
        gtr_float *from = dy + outputs_count(o, k);
        int64_t n = gtr__count(&o->out_shape[k]);
        if (o->out_dtype[k] == GTR_F32) round_through(from, o->out_store[k], n);
        if (no_gradient(o, k)) memset(from, 0, (size_t)n * sizeof *from);
    }
    if (constant) want->seed = d->seed = (float)(most = size / 4);
    want->n_out = d->n_out = o->n_in;
    op_backward_operands(want, o, constant ? NULL : dy, true, mask, keep);
    for (k = 0; k < o->n_in; k++)
        want->out[k] = mask >> k & 1 ? result_of(GTR_F32, &o->in_shape[k], NULL) : operand_none();
    ok = !reads_more[o->id] && (o->number > 3 || needs_enough(o, want)) && run_call(&cpu_bench, want, o->what);
    if (ok && b == &cpu_bench && !o->special && o->id != GTR__OP_CUSTOM) needs_seen(o, want);
    for (k = 0; ok && o->oracle && !o->special && !undefined[o->id] && k < o->n_in; k++)
        if (mask >> k & 1) oracle_backward(o, k, (gtr_float *)want->out[k].to, constant ? NULL : dy,
            (double)want->seed * (o->number % 2 == 1 ? 4 : 1));
    if (ok) for (add = 0; add < 2; add++) {
        gtr_float *start[MAX_IN] = { NULL };
        void *low[MAX_IN] = { NULL };
        for (k = 0; k < (int)(sizeof keep / sizeof *keep); k++) { free(keep[k]); keep[k] = NULL; }
        op_backward_operands(d, o, constant ? NULL : dy, false, mask, keep);
        d->precision = o->precision; d->shift = shift;
        for (k = 0; k < o->n_in; k++) {
            int64_t n = gtr__count(&o->in_shape[k]);
            gtr_dtype t = masters && k ? GTR_F32 : o->in_store[k];
            if (!(mask >> k & 1)) { d->out[k] = operand_none(); continue; }
            if (add) {
                start[k] = (gtr_float *)room(n, sizeof(gtr_float));
                for (i = 0; i < n; i++) start[k][i] = (gtr_float)uniform(-0.7, 1);
                round_through(start[k], t, n);
                low[k] = stored(start[k], t, n);
            }
            d->out[k] = result_of(t, &o->in_shape[k], low[k]);
        }
        if (run_call(b, d, o->what)) for (k = 0; k < o->n_in; k++) if (mask >> k & 1) {
            char what[480];
            gtr_float *w = (gtr_float *)want->out[k].to;
            int64_t n = d->out[k].count;
            gtr_dtype t = d->out[k].dtype;
            double floor = o->row->flags & CANCELS
                ? most / (o->row->flags & LOSS ? size : 1) * sqrt((double)gtr__count(&o->in_shape[0]) / (double)n) : 0;
            snprintf(what, sizeof what, "%s, gradient %d%s%s%s", o->what, k, add ? " added" : "",
                constant ? ", constant dy" : "", masters && k ? ", float32" : "");
            for (i = 0; add && i < n; i++) start[k][i] = (gtr_float)((double)start[k][i] + (double)w[i]);
            if (o->row->flags & COPIES && !add) {
                gtr_float *v = (gtr_float *)stored(w, GTR_F32, n); round_through(v, t, n);
                compare(v, &d->out[k], exact, 0, what, b->name); free(v);
            }
            else compare(add ? start[k] : w, &d->out[k], product_limit(o, t), floor, what, b->name);
        }
        free_results(d);
        for (k = 0; k < o->n_in; k++) { free(start[k]); free(low[k]); }
    }
    for (k = 0; k < (int)(sizeof keep / sizeof *keep); k++) free(keep[k]);
    free_results(want);
    free(want); free(d); free(dy);
}
/* Which input says how many steps or keys rows have; 0: none. */
static int lengths_of(const op_call *o)
{
    return o->row->flags & STEPS ? o->attr.recurrence.lengths
        : attends(o) ? o->attr.attention.lengths : 0;
}
/* What an op's plan nodes are: forward; a gradient of input 0, and one of the others, or all in one, or either. */
static void op_all(bench *b, op_call *o, int shift, bool masters)
{
    uint64_t all = 0;
    int k, constant;
    op_forward(b, o, shift);
    if (!gtr__differentiable_outputs(o->id)) return;
    for (k = 0; k < o->n_in; k++)
        if (o->in_dtype[k] == GTR_F32 && gtr__takes_gradient(o->id, k) && !(o->id == GTR__OP_BATCH_NORM && k > 2)
                && !(k && k == lengths_of(o)) && !(o->id == GTR__OP_CTC && k > 1))
            all |= (uint64_t)1 << k;
    for (constant = 0; constant < (gtr__seeded(o->id) ? 2 : 1); constant++) {
        const bool either = gtr__gradients(o->id) == GTR__GRADIENTS_EITHER;
        const bool layered = gtr__gradients(o->id) == GTR__GRADIENTS_LINEAR;
        if (either || layered || gtr__gradients(o->id) == GTR__GRADIENTS_JOINT) {
            op_backward(b, o, all, constant != 0, masters, shift);
            if (all != 1) op_backward(b, o, 1, constant != 0, masters, shift);
            if (all & 2) op_backward(b, o, 2, constant != 0, masters, shift);
            if (either && all > 3) op_backward(b, o, all & ~(uint64_t)1, constant != 0, masters, shift);
        } else {
            if (all & ~(uint64_t)1) op_backward(b, o, all & ~(uint64_t)1, constant != 0, masters, shift);
            if (all & 1) op_backward(b, o, all & 1, constant != 0, masters, shift);
        }
        /* each, or the first and the last */
        for (k = 0; o->n_diff > 1 && k < o->n_out; k += o->row->flags & STEPS ? 1 : o->n_out - 1) {
            o->missing = k + 1;
            op_backward(b, o, all, false, masters, shift);
            o->missing = 0;
        }
        /* a frozen weight, a bias that is trained */
        if ((o->id == GTR__OP_LINEAR || o->id == GTR__OP_CONV) && all & 4) op_backward(b, o, 4, false, masters, shift);
    }
}
static double work_of(const op_row *row, const op_case *c)
{
    const gtr_shape *a = &c->in[0];
    double n = 0;
    int k;
    for (k = 0; k < c->n; k++) n += (double)gtr__count(&c->in[k]);
    if (row->build == build_matmul)
        return (double)gtr__count(a) * (double)gtr__count(&c->in[1]) / (double)a->dim[a->ndim - 2];
    if (row->build == build_conv_with || row->build == build_conv_transpose_with)
        return (double)gtr__count(a) * (double)gtr__count(&c->in[1]) / (double)a->dim[1];
    if (row->build == build_linear_with) return (double)gtr__count(a) * (double)c->in[1].dim[0];
    return n;
}
static bool storage_there(const bench *b, gtr_dtype s) {
    return s == GTR_F32 || (s == GTR_BF16 ? b->ctx->caps.bf16 : b->ctx->caps.f16);
}
static void check_kernels(bench *b, const op_row *row, const char *text, int number, gtr_dtype low, int variant,
    gtr_precision precision, bool special)
{
    op_call o;
    graph g;
    int training;
    for (training = row->flags & MODES ? 0 : 1; training < 2; training++) {
        rng_seed((uint64_t)number * 7919u + gtr__hash(2, row->name) + (uint64_t)low + 10u * (uint64_t)variant);
        if (graph_build(&g, row, text) && op_call_make(&o, row, &g, low, variant, special, training)) {
            tested[o.id] = true;
            o.number = number;
            o.precision = precision;
            o.special = special;
            o.oracle = b == &cpu_bench && low == GTR_F32;
            if (op_reference(&o)) op_all(b, &o, number % 4 == 3 ? 1 : 0, variant == SOME_LOW);
            op_call_free(&o);
        }
        gtr_destroy(g.ctx);
    }
}
/* Whether elements lie in front of and behind the axis, several of each: a wrong stride of one shows by the other. */
static bool has_both_sides(const op_case *c)
{
    const int axis = c->p[0] < 0 ? c->p[0] + c->in[0].ndim : c->p[0];
    int64_t outer = 1, inner = 1;
    for (int i = 0; i < c->in[0].ndim; i++) if (i != axis) *(i < axis ? &outer : &inner) *= c->in[0].dim[i];
    return outer > 1 && inner > 1 && c->in[0].dim[axis] > 1;
}
/* Of TF32 on Hopper, whose weight's gradient cuBLASLt makes, cutting the batch, or of x or dy transposed. */
static const char *const linear_long_cases[] = { "1024x384 1536x384 1536", "1024x3072 768x3072 768",
    "1024x768 3072x768", "2048x384 768x384 768" };
static void kernels_on(bench *b)
{
    static const gtr_dtype storages[3] = { GTR_F32, GTR_BF16, GTR_F16 };
    double most = b->cuda ? 1e30 : 4e5;
    int r, k, s, v, shapes;
    long long before = b->calls;
    for (r = 0; r < N_ROWS; r++) {
        const op_row *row = &rows[r];
        if (row->flags & GRAPH || !row_wanted(row)) continue;
        bool both = !(row->flags & AXIS);
        for (k = shapes = 0; row->cases[k]; k++) {
            op_case c = case_of(row->cases[k]);
            both = both || (c.few && has_both_sides(&c));
            if ((small && !c.few) || work_of(row, &c) > most) continue;
            shapes++;
            if (!check_mine(r + k / 8)) continue;   /* eight share compiled kernels; all take minutes */
            for (s = 0; s < 3; s++) {
                if (!storage_there(b, storages[s])) {
                    SKIP("%s in %s on %s", row->name, gtr__dtype_name(storages[s]), b->name); continue;
                }
                for (v = 0; v < (s == 0 || row->flags & FIRST_LOW || !strchr("Xx", row->kinds[0]) || row->kinds[1] == 0
                    || is_ints(row->kinds[1]) ? 1 : VARIANTS); v++)
                    check_kernels(b, row, row->cases[k], k, storages[s], v, GTR_FP32, false);
            }
            if (!(row->flags & NO_SPECIAL) && k < 8) for (s = 0; s < 3; s++) if (storage_there(b, storages[s]))
                check_kernels(b, row, row->cases[k], k, storages[s], ALL_LOW, GTR_FP32, true);
            if (row->flags & PRODUCT && b->cuda && b->ctx->caps.tf32)
                check_kernels(b, row, row->cases[k], k, GTR_F32, ALL_LOW, GTR_TF32, false);
        }
        CHECK(both, "%s: no shape marked * has elements in front of the axis, along it and behind it", row->name);
        CHECK(k >= 20 && shapes >= (small ? 1 : b->cuda ? 20 : 12),
            "%s: %d shapes, of which %d run on %s%s, want 20 and %d", row->name, k, shapes, b->name,
            small ? " (marked *, for GTR_TEST_SMALL)" : "", small ? 1 : b->cuda ? 20 : 12);
    }
    for (k = 0; k < 4 && !small && b->cuda && b->ctx->caps.tf32; k++)
        if (check_mine(k) && row_wanted(row_of(build_linear_with)))
            check_kernels(b, row_of(build_linear_with), linear_long_cases[k], k, GTR_F32, ALL_LOW, GTR_TF32, false);
    if (getenv("GTR_TEST_ROW")) return;
    for (k = 0; check_parts == 1 && k < GTR__OP_COUNT; k++)
        CHECK(tested[k] || !gtr__has_backward((unsigned)k) || k == GTR__OP_COPY || k == GTR__OP_CAST,
            "%s has no row in tests/programs/op_rows.h", gtr__row((gtr__op)k)->name);
    for (k = 0; check_parts == 1 && !small && b == &cpu_bench && k < GTR__OP_COUNT; k++)
        for (int bit = 0; tested[k] && k != GTR__OP_CUSTOM && bit < 24; bit++)
            CHECK(!(bit < 16 ? gtr__reads_x((unsigned)k, bit) : gtr__reads_y((unsigned)k, bit - 16))
                || seen_read[k] >> bit & 1,
                "%s: its row says that backward reads GTR__%c%d, which changes no gradient", gtr__row((gtr__op)k)->name,
                bit < 16 ? 'X' : 'Y', bit % 16);
    printf("kernels on %s: %lld calls\n", b->name, b->calls - before);
}

// >>fused
typedef struct act { gtr__op op; char kind; bool jumps, full; gtr__attr attr; } act;
typedef struct act_row { gtr__op op; const char *kinds; int flags; gtr_tensor *(*build)(gtr_tensor *x); } act_row;
#define ACT_ROW(ID, name, kinds, flags, built, plain, torch) { GTR__OP_##ID, kinds, flags, unary_##name },
static const act_row act_rows[] = { UNARY_TESTS(ACT_ROW) };
#define N_COMMON 8 /* of them have code of their own in each kernel; the others share a call: each some of the sizes */
#define N_ACTS (int)(sizeof act_rows / sizeof *act_rows)
static act acts[N_ACTS];
static void acts_make(void)
{
    gtr_context *ctx = context_on(GTR_DEVICE_CPU, 1);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape1(1));
    int k;
    for (k = 0; k < N_ACTS; k++) {
        const act_row *r = &act_rows[k];
        act *a = &acts[k];
        a->op = r->op;
        a->kind = strchr("PQ", r->kinds[0]) ? 'p' : 'x';
        a->jumps = r->flags != 0;
        a->full = gtr__class_of(r->op, -1) == GTR__CLASS_FULL;
        a->attr = r->build(x)->attr;
    }
    gtr_destroy(ctx);
}
static gtr_float *values(const gtr_shape *s, char kind, gtr_dtype storage, double size)
{
    int64_t i, n = gtr__count(s);
    gtr_float *v = (gtr_float *)room(n, sizeof *v);
    for (i = 0; i < n; i++) v[i] = (gtr_float)(size * (kind == 'p' ? uniform(0.5, 2) : uniform(-0.7, 1)));
    round_through(v, storage, n);
    return v;
}
/* A call in float32 on the CPU, whose first result is returned. ins: n arrays, NULL: not read. */
static gtr_float *truth(gtr__op op, gtr__dir dir, const gtr__attr *attr, int n_in, const gtr_shape *const *shapes,
    const gtr_float *const *ins, int n_out, int wanted, const gtr_shape *out, const char *what)
{
    call_desc *d = (call_desc *)room(1, sizeof *d);
    gtr_float *r;
    int k;
    d->op = op; d->dir = dir; d->attr = attr; d->n_in = n_in; d->n_out = n_out; d->training = 1;
    for (k = 0; k < n_in; k++)
        d->in[k] = ins[k] ? operand_of(GTR_F32, shapes[k], ins[k]) : operand_absent(GTR_F32, shapes[k]);
    for (k = 0; k < n_out; k++) d->out[k] = k == wanted ? result_of(GTR_F32, out, NULL) : operand_none();
    run_call(&cpu_bench, d, what);
    r = (gtr_float *)d->out[wanted].to;
    free(d);
    return r;
}
static gtr_float *act_forward(const act *a, const gtr_float *x, const gtr_shape *s, const char *what)
{
    return truth(a->op, GTR__FWD, &a->attr, 1, &s, &x, 1, 0, s, what);
}
static gtr_float *act_backward(const act *a, const gtr_float *saved, const gtr_float *dy, const gtr_shape *s,
    const char *what)
{
    const gtr_shape *shapes[3];
    const gtr_float *ins[3];
    shapes[0] = shapes[1] = shapes[2] = s;
    ins[0] = gtr__reads_x(a->op, 0) ? saved : NULL; ins[1] = gtr__reads_y(a->op, 0) ? saved : NULL; ins[2] = dy;
    return truth(a->op, GTR__BWD, &a->attr, 3, shapes, ins, 1, 0, s, what);
}
static gtr__attr no_attr(void) { gtr__attr a; memset(&a, 0, sizeof a); return a; }
/* Of a product that carries it, or, of what is saved as that input, its gradient. */
static gtr__epilogue_ops act_carried(const act *a, int saved)
{
    gtr__node n;
    gtr__epilogue_ops s;
    memset(&n, 0, sizeof n);
    memset(&s, 0, sizeof s);
    n.op = a->op; n.dir = saved < 0 ? GTR__FWD : GTR__BWD; n.attr = a->attr;
    gtr__push_act(&s, &n, saved);
    s.more = saved >= 0;
    return s;
}
typedef struct stored_operand { void *bytes; operand o; } stored_operand;
static stored_operand operand_in(const gtr_float *v, gtr_dtype t, const gtr_shape *s) {
    stored_operand r; r.bytes = stored(v, t, gtr__count(s)); r.o = operand_of(t, s, r.bytes); return r;
}

/* more: 1: another matrix is added behind the activation; 2: instead of it */
static void fused_linear_act(bench *b, const act *a, const gtr_shape *xs, int64_t m, gtr_dtype low,
    gtr_precision precision, bool bias, bool keep, bool spoilt, int more, int shift)
{
    const gtr_dtype full = a->full && more < 2 ? GTR_F32 : low;
    gtr_shape ws = gtr_shape2(m, xs->dim[xs->ndim - 1]), bs = gtr_shape1(m), ys = *xs;
    const gtr_shape *shapes[3];
    const gtr_float *ins[3];
    gtr_float *x, *w, *c, *pre, *y, *r;
    int64_t i;
    gtr__attr none = no_attr();
    gtr__epilogue_ops steps = act_carried(a, -1);
    call_desc *d = (call_desc *)room(1, sizeof *d);
    stored_operand s[4];
    char what[160];
    double scale = a->full ? 0.25 : 1;
    snprintf(what, sizeof what, "linear_act %s%s%s%s%s, %lld %lld %lld, %s%s", more == 2 ? "none"
        : gtr__row(a->op)->name, bias ? "" : ", no bias", more ? ", and more" : "",
        keep ? "" : ", pre not kept", spoilt ? ", NaN" : "", (long long)(gtr__count(xs) / ws.dim[1]),
        (long long)m, (long long)ws.dim[1], gtr__dtype_name(low), precision == GTR_TF32 ? ", TF32" : "");
    ys.dim[ys.ndim - 1] = m;
    x = values(xs, a->kind, low, scale); w = values(&ws, a->kind, low, scale); c = values(&bs, a->kind, low, 1);
    if (spoilt) x[gtr__count(xs) / 2] = NAN;        /* its row of the result is, and nothing else */
    shapes[0] = xs; shapes[1] = &ws; shapes[2] = &bs;
    ins[0] = x; ins[1] = w; ins[2] = c;
    pre = truth(GTR__OP_LINEAR, GTR__FWD, &none, bias ? 3 : 2, shapes, ins, 1, 0, &ys, what);
    y = act_forward(a, pre, &ys, what);
    r = values(&ys, 'x', full, 1);
    if (more == 2) { memcpy(y, pre, (size_t)gtr__count(&ys) * sizeof *y); steps.n = 0; }
    for (i = 0; more && i < gtr__count(&ys); i++) y[i] += r[i];
    if (more) gtr__push_add(&steps, 2 + bias);
    d->op = GTR__OP_LINEAR_ACT; d->dir = GTR__FWD; d->attr = &none; d->steps = &steps;
    d->n_in = 2 + bias + (more != 0); d->n_out = 2;
    d->precision = precision; d->shift = shift;
    s[0] = operand_in(x, low, xs); s[1] = operand_in(w, low, &ws); s[2] = operand_in(c, low, &bs);
    s[3] = operand_in(r, full, &ys);
    d->in[0] = s[0].o; d->in[1] = s[1].o; d->in[2] = s[bias ? 2 : 3].o; d->in[3] = s[3].o;
    d->out[0] = result_of(full, &ys, NULL);
    d->out[1] = keep ? result_of(low, &ys, NULL) : operand_none();
    if (run_call(b, d, what)) {
        compare_act(more == 2 ? GTR__OP_RELU : a->op, y, pre, &d->out[0], limit_of(a->full && low != GTR_F32
            && precision != GTR_TF32 ? low : d->out[0].dtype, precision), what, b->name);
        if (keep) compare(pre, &d->out[1], limit_of(low, precision), 0, what, b->name);
    }
    free_results(d);
    free(s[0].bytes); free(s[1].bytes); free(s[2].bytes); free(s[3].bytes);
    free(x); free(w); free(c); free(pre); free(y); free(r); free(d);
}
static void fused_linear_dact(bench *b, const act *a, const gtr_shape *xs, int64_t m, gtr_dtype low,
    gtr_precision precision, int shift)
{
    gtr_shape ws = gtr_shape2(m, xs->dim[xs->ndim - 1]), bs = gtr_shape1(m), ys = *xs;
    const gtr_shape *shapes[5];
    const gtr_float *ins[5];
    gtr_float *x, *w, *dy, *saved, *between, *dx;
    gtr__attr attr = no_attr(), none = attr;
    gtr__epilogue_ops steps = act_carried(a, 2);
    call_desc *d = (call_desc *)room(1, sizeof *d);
    stored_operand s[3];
    char what[160];
    snprintf(what, sizeof what, "linear_dact %s, %lld %lld %lld, %s%s", gtr__row(a->op)->name,
        (long long)(gtr__count(xs) / ws.dim[1]), (long long)m, (long long)ws.dim[1], gtr__dtype_name(low),
        precision == GTR_TF32 ? ", TF32" : "");
    ys.dim[ys.ndim - 1] = m;
    x = values(xs, a->kind, low, 1); w = values(&ws, 'x', low, 1); dy = values(&ys, 'x', low, 1);
    saved = gtr__reads_y(a->op, 0) ? act_forward(a, x, xs, what)
        : (gtr_float *)stored(x, GTR_F32, gtr__count(xs));
    round_through(saved, a->full && gtr__reads_y(a->op, 0) ? GTR_F32 : low, gtr__count(xs));
    shapes[0] = xs; shapes[1] = &ws; shapes[2] = &bs; shapes[3] = shapes[4] = &ys;
    ins[0] = NULL; ins[1] = w; ins[2] = NULL; ins[3] = NULL; ins[4] = dy;
    between = truth(GTR__OP_LINEAR, GTR__BWD, &none, 5, shapes, ins, 3, 0, xs, what);
    dx = act_backward(a, saved, between, xs, what);
    attr.product.b_kn = 1;              /* of a layer's weight */
    d->op = GTR__OP_LINEAR_DACT; d->dir = GTR__FWD; d->attr = &attr; d->steps = &steps; d->n_in = 3; d->n_out = 1;
    d->precision = precision; d->shift = shift;
    s[0] = operand_in(dy, low, &ys); s[1] = operand_in(w, low, &ws);
    s[2] = operand_in(saved, a->full && gtr__reads_y(a->op, 0) ? GTR_F32 : low, xs);
    d->in[0] = s[0].o; d->in[1] = s[1].o; d->in[2] = s[2].o;
    d->out[0] = result_of(low, xs, NULL);
    if (run_call(b, d, what)) compare(dx, &d->out[0], limit_of(low, precision), 0, what, b->name);
    free_results(d);
    free(s[0].bytes); free(s[1].bytes); free(s[2].bytes);
    free(x); free(w); free(dy); free(saved); free(between); free(dx); free(d);
}
/* A loss forward and backward from a constant gradient, against the two calls. */
static void fused_loss(bench *b, const op_row *row, gtr__op step, const char *text, gtr_dtype low, int number)
{
    op_call o;
    graph g;
    rng_seed((uint64_t)number + 77);
    if (graph_build(&g, row, text) && op_call_make(&o, row, &g, low, ALL_LOW, false, 1)) {
        snprintf(o.what + strlen(o.what), sizeof o.what - strlen(o.what), ", %s", gtr__row(step)->name);
        o.number = number;
        o.attr.loss.of = o.id;
        if (op_reference(&o)) {
            call_desc *want = call_new(&o, GTR__BWD), *d = call_new(&o, GTR__FWD);
            void *keep[16] = { NULL }, *in[2];
            int k;
            want->n_out = 2;
            want->seed = d->seed = (float)gtr__count(&o.in_shape[0]) / 4;
            op_backward_operands(want, &o, NULL, true, 1, keep);
            want->out[0] = result_of(GTR_F32, &o.in_shape[0], NULL);
            want->out[1] = operand_none();
            run_call(&cpu_bench, want, o.what);
            d->op = step; d->n_in = 2; d->n_out = o.n_out + 1;
            for (k = 0; k < 2; k++) {
                in[k] = o.in_dtype[k] == GTR_F32 ? stored((gtr_float *)o.in[k], low, gtr__count(&o.in_shape[k])) : NULL;
                d->in[k] = operand_of(in[k] ? low : GTR_I32, &o.in_shape[k], in[k] ? in[k] : o.in[k]);
            }
            for (k = 0; k < o.n_out; k++) d->out[k] = result_of(GTR_F32, &o.out_shape[k], NULL);
            d->out[o.n_out] = result_of(low, &o.in_shape[0], NULL);
            d->shift = number % 5 == 4;
            if (run_call(b, d, o.what)) {
                for (k = 0; k < o.n_out; k++)
                    compare(o.y[k], &d->out[k], limit_of(GTR_F32, GTR_FP32), 0, o.what, b->name);
                compare((gtr_float *)want->out[0].to, &d->out[o.n_out], limit_of(low, GTR_FP32), 1, o.what, b->name);
            }
            for (k = 0; k < 16; k++) free(keep[k]);
            free(in[0]); free(in[1]);
            free_results(want); free_results(d);
            free(want); free(d);
        }
        op_call_free(&o);
    }
    gtr_destroy(g.ctx);
}
/* Seeds the values of case k of a list in storage s, which so do not depend on how tests are cut into parts. Returns
   whether this process runs it. */
static bool fused_mine(int s, int list, int k)
{
    rng_seed(4242u + (uint64_t)(10000 * s + 1000 * list + k));
    return check_mine(k);
}
static void fused_losses(bench *b, int storage, const char *const *cases, const op_row *row, gtr__op op, int share)
{
    static const gtr_dtype storages[3] = { GTR_F32, GTR_BF16, GTR_F16 };
    for (int k = 0; cases[k] && row_wanted(row); k++)
        if ((!small || cases[k][0] == '*') && fused_mine(storage, share, k))
            fused_loss(b, row, op, cases[k], storages[storage], k);
}
static void fused_on(bench *b)
{
    static const gtr_dtype storages[3] = { GTR_F32, GTR_BF16, GTR_F16 };
    static const int64_t sizes[][3] = { { 5, 7, 3 }, { 1, 1, 1 }, { 1, 33, 5 }, { 13, 16, 16 }, { 32, 32, 32 },
        { 33, 31, 17 }, { 64, 64, 65 }, { 31, 127, 10 }, { 65, 63, 33 }, { 17, 129, 8 }, { 128, 10, 64 }, { 3, 257, 2 },
                                        { 128, 128, 128 }, { 127, 129, 255 }, { 256, 784, 256 }, { 129, 64, 257 },
                                            { 1000, 128, 10 }, { 1, 784, 128 }, { 4099, 32, 3 }, { 300, 512, 384 },
                                            { 300, 513, 385 },
                                        { 2, 4096, 64 } };  /* rows, K, M */
    int s, k, a, q;
    long long before = b->calls;
    acts_make();
    for (k = 0; k < (int)(sizeof gtr__unary_rows / sizeof *gtr__unary_rows); k++) {
        for (a = 0; a < N_ACTS && acts[a].op != gtr__unary_rows[k].op; a++) {}
        CHECK(a < N_ACTS, "%s has no row in tests/programs/elementwise.h",
            gtr__row((gtr__op)gtr__unary_rows[k].op)->name);
    }
    for (s = 0; s < 3; s++) {
        gtr_dtype low = storages[s];
        if (!storage_there(b, low)) { SKIP("fused ops in %s on %s", gtr__dtype_name(low), b->name); continue; }
        for (k = 0; k < (small ? 1 : (int)(sizeof sizes / sizeof *sizes)); k++) {
            gtr_shape x = gtr_shape2(sizes[k][0], sizes[k][1]);
            int shift = k % 5 == 4;
            if (!fused_mine(s, 0, k)) continue;
            if (k % 7 == 3) x = gtr_shape3(1, sizes[k][0], sizes[k][1]);
            if (!b->cuda && sizes[k][0] * sizes[k][1] * sizes[k][2] > 200000) continue;
            for (a = 0; a < N_ACTS; a++) if (!acts[a].jumps && (a < N_COMMON || k % 4 == a % 4) /* products round */
                    && check_row(gtr__row((gtr__op)acts[a].op)->name)) {
                gtr_precision most = s == 0 && b->cuda && b->ctx->caps.tf32 ? GTR_TF32 : GTR_FP32;
                int p;
                for (p = GTR_FP32; p <= (int)most; p++) {
                    for (q = 0; q < 12; q++) if (q < 8 || (a == 0 && !(q & 2)))
                        fused_linear_act(b, &acts[a], &x, sizes[k][2], low, (gtr_precision)p, (q & 1) != 0,
                            (q & 2) != 0, false, q / 4, shift);
                    fused_linear_act(b, &acts[a], &x, sizes[k][2], low, (gtr_precision)p, k % 2 == 0,
                        false, true, k % 3, shift);
                    if (gtr__reads_any(acts[a].op))
                        fused_linear_dact(b, &acts[a], &x, sizes[k][2], low, (gtr_precision)p, shift);
                }
            }
        }
        fused_losses(b, s, label_cases, row_of(build_cross_entropy), GTR__OP_XENT_STEP, 1);
        fused_losses(b, s, smooth_cases, row_of(build_cross_entropy_ex), GTR__OP_XENT_STEP, 2);
        fused_losses(b, s, pair_cases, row_of(build_mse), GTR__OP_PAIR_STEP, 3);
        fused_losses(b, s, pair_cases, row_of(build_bce_with_logits), GTR__OP_PAIR_STEP, 3);
    }
    printf("fused ops on %s: %lld calls\n", b->name, b->calls - before);
}
/* The limits tell precisions apart: TF32 products must fail those of float32. */
static void tf32_control(bench *b)
{
    gtr_shape x = gtr_shape2(256, 256), w = gtr_shape2(256, 256);
    const gtr_shape *shapes[2];
    const gtr_float *ins[2];
    gtr_float *a, *c, *want;
    gtr__attr none = no_attr();
    int op;
    if (!b->ctx->caps.tf32) { SKIP("TF32 on %s: not there", b->name); return; }
    rng_seed(11);
    a = values(&x, 'x', GTR_F32, 1); c = values(&w, 'x', GTR_F32, 1);
    shapes[0] = &x; shapes[1] = &w; ins[0] = a; ins[1] = c;
    for (op = 0; op < 2; op++) {
        call_desc *d = (call_desc *)room(1, sizeof *d);
        want = truth(op ? GTR__OP_LINEAR : GTR__OP_MATMUL, GTR__FWD, &none, 2, shapes, ins, 1, 0, &x, "TF32 control");
        d->op = op ? GTR__OP_LINEAR : GTR__OP_MATMUL; d->dir = GTR__FWD; d->attr = &none; d->n_in = 2; d->n_out = 1;
        d->precision = GTR_TF32;
        d->in[0] = operand_of(GTR_F32, &x, a); d->in[1] = operand_of(GTR_F32, &w, c);
        d->out[0] = result_of(GTR_F32, &x, NULL);
        if (run_call(b, d, "TF32 control")) {
            distance e = distance_of(want, d->out[0].to, GTR_F32, d->out[0].count, 0);
            CHECK(within(e, limit_of(GTR_F32, GTR_TF32)), "TF32 on %s: NMSE %.3g, max %.3g", b->name, e.nmse, e.ratio);
            CHECK(!within(e, limit_of(GTR_F32, GTR_FP32)), "TF32 on %s passes for float32: NMSE %.3g, max %.3g",
                b->name, e.nmse, e.ratio);
        }
        free_results(d);
        free(d); free(want);
    }
    free(a); free(c);
}

// >>plan-nodes
/* Blocks on the device that live as long as a scenario. */
typedef struct blocks { bench *b; char *p[32]; size_t bytes[32]; int n; } blocks;
static void *block_of(blocks *k, const void *from, size_t bytes)
{
    char *p = bench_alloc(k->b, bytes);
    k->p[k->n] = p;
    k->bytes[k->n++] = bytes;
    bench_copy(k->b, p, from, bytes, GTR__TO_DEVICE);
    return p;
}
static void blocks_free(blocks *k) {
    int i;
    for (i = 0; i < k->n; i++) bench_free(k->b, k->p[i], k->bytes[i]);
    k->n = 0;
}
static gtr_result node_run(bench *b, gtr__op op, const gtr__attr *attr, int n_in, const gtr__arg *in, gtr__ctl *ctl)
{
    gtr__call call;
    size_t ws = 0;
    char *p = NULL;
    gtr_result r;
    memset(&call, 0, sizeof call);
    call.attr = attr; call.n_in = n_in; call.in = in; call.out = in + n_in; call.caps = &b->ctx->caps; call.ctl = ctl;
    call.training = 1;
    r = measure(b, call, op, GTR__FWD, &ws);
    if (ws) p = bench_ws(b, ws);
    call.ws = p; call.ws_bytes = ws;
    if (r == GTR_OK) r = run_node(b, &call, op, GTR__FWD);
    if (r == GTR_OK && !bench_ws_whole(b, p, ws)) r = GTR_ERR_STATE;
    if (p && b->apart) bench_free(b, p, ws);
    return r;
}

#define SEGMENTS 7
#define CHANNELS 37
#define OPT_STEPS 5
#define BETA1 ((double)0.9f)
#define BETA2 ((double)0.96f)
static const int64_t segment_counts[SEGMENTS] = { 1, 63, 64, 65, 1000, 4097, 20000 };
/* momentum: of Adagrad lr_decay. plant: at step 2: 1 NaN, 2 Inf in a gradient, 3 NaN in the loss */
typedef struct scenario {
    const char *name; gtr_optimizer kind; double momentum; int nesterov; double wd, clip; int scaled, loss_only, plant;
} scenario;
static const scenario scenarios[] = {
    { "sgd",                      GTR_SGD,   0,   0, 0,    0,   0, 0, 0 },
    { "sgd, decay",               GTR_SGD,   0,   0, 0.1,  0,   0, 0, 0 },
    { "momentum, clip",           GTR_SGD,   0.9, 0, 0.01, 3,   0, 0, 0 },
    { "nesterov",                 GTR_SGD,   0.9, 1, 0.01, 0,   0, 0, 0 },
    { "adam",                     GTR_ADAM,  0,   0, 0,    0,   0, 0, 0 },
    { "adam, decay, clip",        GTR_ADAM,  0,   0, 0.05, 2,   0, 0, 0 },
    { "adam, clip not reached",   GTR_ADAM,  0,   0, 0,    1e6, 0, 0, 0 },
    { "adamw",                    GTR_ADAMW, 0,   0, 0.1,  0,   0, 0, 0 },
    { "adamw, scaled, clip",      GTR_ADAMW, 0,   0, 0.1,  1,   1, 0, 0 },
    { "adamw, scaled, overflow",  GTR_ADAMW, 0,   0, 0.1,  0,   1, 0, 2 },
    { "sgd, scaled, NaN",         GTR_SGD,   0.5, 0, 0,    1,   1, 0, 1 },
    { "adam, NaN",                GTR_ADAM,  0,   0, 0,    0,   0, 0, 1 },
    { "adam, Inf, clip",          GTR_ADAM,  0,   0, 0,    1,   0, 0, 2 },
    { "sgd, loss NaN",            GTR_SGD,   0,   0, 0,    0,   0, 0, 3 },
    { "sgd, loss alone, NaN",     GTR_SGD,   0,   0, 0,    0,   0, 1, 3 },
    { "adam, loss alone",         GTR_ADAM,  0,   0, 0,    0,   0, 1, 0 },
    { "rmsprop, decay",           GTR_RMSPROP, 0, 0, 0.05, 0,   0, 0, 0 },
    { "rmsprop, momentum, scaled", GTR_RMSPROP, 0.9, 0, 0, 0,   1, 0, 2 },
    { "lion",                     GTR_LION,  0,   0, 0,    0,   0, 0, 0 },
    { "lion, decay, clip",        GTR_LION,  0,   0, 0.1,  2,   0, 0, 0 },
    { "adagrad",                  GTR_ADAGRAD, 0, 0, 0,    0,   0, 0, 0 },
    { "adagrad, decay, clip",     GTR_ADAGRAD, 0.25, 0, 0.1, 2, 0, 0, 0 },
    { "adagrad, scaled, overflow", GTR_ADAGRAD, 0.5, 0, 0, 0,   1, 0, 2 },
};
#define N_SCENARIOS (int)(sizeof scenarios / sizeof *scenarios)
/* Everything that a scenario leaves behind. */
typedef struct outcome {
    gtr_float *p, *m, *v;           /* by the flat layout */
    uint16_t  *bf16, *f16;
    int64_t    count;
    gtr__ctl   ctl;
    gtr__shared shared;
    gtr_float  running[2][CHANNELS];
    int64_t    tracked;
    gtr_result result;
} outcome;
static int64_t layout(int64_t *offset)
{
    int64_t at = 0;
    int k;
    for (k = 0; k < SEGMENTS; k++) { offset[k] = at; at = GTR__ROUND_UP(at + segment_counts[k], 64); }
    return at;
}
static void step_values(const scenario *s, int step, int64_t count, const int64_t *offset, gtr_float *g,
    gtr_float *loss, gtr_float *mean, gtr_float *var, float scale)
{
    int k;
    int64_t i;
    rng_seed((uint64_t)step + 17);
    memset(g, 0, (size_t)count * sizeof *g);
    for (k = 0; k < SEGMENTS; k++) for (i = 0; i < segment_counts[k]; i++)
        g[offset[k] + i] = (gtr_float)((double)scale * uniform(-0.6, 1) * (k == 1 ? 1e-3 : 1)
            * (i % 7 == 3 ? 1e-21 : i % 11 == 5 ? 0 : 1));      /* roots and quotients that are hard to make, too */
    *loss = (gtr_float)uniform(0.5, 2);
    for (i = 0; i < CHANNELS; i++) { mean[i] = (gtr_float)uniform(-1, 1); var[i] = (gtr_float)uniform(0.1, 2); }
    if (step == 2 && s->plant == 1) g[offset[5] + 4096] = gtr__nan();
    if (step == 2 && s->plant == 2) g[offset[3] + 7] = (gtr_float)-INFINITY;
    if (step == 2 && s->plant == 3) *loss = gtr__nan();
}
static float rate_of(int group, int step) { return 0.01f * (float)(group + 1) / (float)(step + 1); }
static void start_values(gtr_float *p, int64_t count) {
    int64_t i; rng_seed(99);
    for (i = 0; i < count; i++) p[i] = (gtr_float)uniform(-1, 1);
}

static void outcome_free(outcome *o) { free(o->p); free(o->m); free(o->v); free(o->bf16); free(o->f16); }
static void run_scenario(bench *b, const scenario *s, outcome *o)
{
    blocks all;
    int64_t offset[SEGMENTS], zero64 = 0, i;
    gtr__segment seg[SEGMENTS];
    gtr__optim optim;
    gtr_trainer_desc how;
    gtr__ctl ctl;
    gtr__arg in[6];
    gtr__attr attr = no_attr();
    gtr_float *g, loss, mean[CHANNELS], var[CHANNELS], *p, *low_f;
    gtr_shape one = gtr_shape0(), channels = gtr_shape1(CHANNELS);
    char *dp, *dm, *dv, *dg, *db, *dh, *dctl, *dloss, *dmean, *dvar, *drun[2], *dtracked;
    void *shared_device = NULL;
    gtr__shared *shared =
        (gtr__shared *)must(b->ctx->be->host_alloc(b->ctx->instance[0], sizeof *shared, &shared_device));
    int k, step;
    memset(o, 0, sizeof *o);
    memset(&all, 0, sizeof all);
    memset(shared, 0, sizeof *shared);
    all.b = b;
    o->count = layout(offset);
    o->p = (gtr_float *)room(o->count, sizeof(gtr_float)); o->m = (gtr_float *)room(o->count, sizeof(gtr_float));
    o->v = (gtr_float *)room(o->count, sizeof(gtr_float));
    o->bf16 = (uint16_t *)room(o->count, 2); o->f16 = (uint16_t *)room(o->count, 2);
    g = (gtr_float *)room(o->count, sizeof *g);
    low_f = g;
    p = o->p;
    start_values(p, o->count);
    dp = (char *)block_of(&all, p, (size_t)o->count * sizeof *p);
    dm = (char *)block_of(&all, o->m, (size_t)o->count * sizeof *p);
    dv = (char *)block_of(&all, o->v, (size_t)o->count * sizeof *p);
    dg = (char *)block_of(&all, low_f, (size_t)o->count * sizeof *p);
    db = (char *)block_of(&all, o->bf16, (size_t)o->count * 2);
    dh = (char *)block_of(&all, o->f16, (size_t)o->count * 2);
    memset(seg, 0, sizeof seg);
    for (k = 0; k < SEGMENTS; k++) {
        seg[k].p = (gtr_float *)(void *)dp + offset[k];
        seg[k].bf16 = k % 2 ? (uint16_t *)(void *)db + offset[k] : NULL;
        seg[k].f16 = k % 3 == 2 ? (uint16_t *)(void *)dh + offset[k] : NULL;
        seg[k].offset = offset[k]; seg[k].count = segment_counts[k]; seg[k].group = k % 3;
    }
    memset(&ctl, 0, sizeof ctl);
    ctl.scale = s->scaled ? 1024 : 1; ctl.coef = 1;
    dctl = (char *)block_of(&all, &ctl, sizeof ctl);
    loss = 0;
    dloss = (char *)block_of(&all, &loss, sizeof loss);
    memset(mean, 0, sizeof mean); memset(var, 0, sizeof var);
    dmean = (char *)block_of(&all, mean, sizeof mean);
    dvar = (char *)block_of(&all, var, sizeof var);
    drun[0] = (char *)block_of(&all, mean, sizeof mean);
    for (i = 0; i < CHANNELS; i++) var[i] = 1;
    drun[1] = (char *)block_of(&all, var, sizeof var);
    dtracked = (char *)block_of(&all, &zero64, sizeof zero64);
    memset(&optim, 0, sizeof optim);
    memset(&how, 0, sizeof how);
    how.optimizer = s->kind; how.nesterov = s->nesterov != 0;
    *(s->kind == GTR_ADAGRAD ? &how.lr_decay : &how.momentum) = (float)s->momentum;
    if (s->kind != GTR_SGD && s->kind != GTR_RMSPROP && s->kind != GTR_ADAGRAD) how.beta1 = (float)BETA1;
    if (s->kind != GTR_SGD && s->kind != GTR_ADAGRAD) how.beta2 = (float)BETA2;
    EXPECT_EQ(gtr__trainer_check(b->ctx, &how), GTR_OK); /* fills in defaults */
    gtr__optim_rule(&optim, &how);
    optim.n = SEGMENTS; optim.groups = 3;
    optim.segments = (gtr__segment *)block_of(&all, seg, sizeof seg);
    optim.gradient = (gtr_float *)(void *)dg; optim.count = o->count;
    optim.state[0] = (gtr_float *)(void *)dm; optim.state[1] = (gtr_float *)(void *)dv; optim.clip = s->clip;
    optim.scaled = s->scaled; optim.loss_only = s->loss_only;
    optim.weight_decay[0] = s->wd; optim.weight_decay[1] = 0; optim.weight_decay[2] = s->wd / 2;
    optim.shared = (gtr__shared *)shared_device;
    for (step = 0; step < OPT_STEPS && o->result == GTR_OK; step++) {
        gtr__ctl now;
        bench_copy(b, &now, dctl, sizeof now, GTR__TO_HOST);
        /* after a sticky status the bad step comes again */
        step_values(s, now.status ? (int)now.step : step, o->count, offset, g, &loss, mean, var, now.scale);
        for (k = 0; k < 3; k++) shared->record[now.step % GTR__RING].lr[k] = rate_of(k, (int)now.step);
        bench_copy(b, dg, g, (size_t)o->count * sizeof *g, GTR__TO_DEVICE);
        bench_copy(b, dloss, &loss, sizeof loss, GTR__TO_DEVICE);
        bench_copy(b, dmean, mean, sizeof mean, GTR__TO_DEVICE);
        bench_copy(b, dvar, var, sizeof var, GTR__TO_DEVICE);
        attr = no_attr();
        attr.ptr = &optim;
        in[0] = gtr__arg_of(dloss, GTR_F32, &one);
        o->result = node_run(b, GTR__OP_GUARD, &attr, 1, in, (gtr__ctl *)(void *)dctl);
        if (o->result == GTR_OK) o->result = node_run(b, GTR__OP_UPDATE, &attr, 0, in, (gtr__ctl *)(void *)dctl);
        attr = no_attr();
        attr.commit.momentum = 0.1; attr.commit.values = 11;
        in[0] = gtr__arg_of(dmean, GTR_F32, &channels); in[1] = gtr__arg_of(dvar, GTR_F32, &channels);
        in[2] = gtr__arg_of(drun[0], GTR_F32, &channels); in[3] = gtr__arg_of(drun[1], GTR_F32, &channels);
        in[4] = gtr__arg_of(dtracked, GTR_I64, &one);
        if (o->result == GTR_OK) o->result = node_run(b, GTR__OP_BN_COMMIT, &attr, 5, in, (gtr__ctl *)(void *)dctl);
        attr = no_attr();
        attr.report.ptr = &optim; attr.report.shared = shared_device;
        in[0] = gtr__arg_of(dloss, GTR_F32, &one); in[1] = gtr__arg_of(dmean, GTR_F32, &one);
        if (o->result == GTR_OK) o->result = node_run(b, GTR__OP_REPORT, &attr, 2, in, (gtr__ctl *)(void *)dctl);
    }
    bench_copy(b, o->p, dp, (size_t)o->count * sizeof *p, GTR__TO_HOST);
    bench_copy(b, o->m, dm, (size_t)o->count * sizeof *p, GTR__TO_HOST);
    bench_copy(b, o->v, dv, (size_t)o->count * sizeof *p, GTR__TO_HOST);
    bench_copy(b, o->bf16, db, (size_t)o->count * 2, GTR__TO_HOST);
    bench_copy(b, o->f16, dh, (size_t)o->count * 2, GTR__TO_HOST);
    bench_copy(b, &o->ctl, dctl, sizeof o->ctl, GTR__TO_HOST);
    bench_copy(b, o->running[0], drun[0], sizeof o->running[0], GTR__TO_HOST);
    bench_copy(b, o->running[1], drun[1], sizeof o->running[1], GTR__TO_HOST);
    bench_copy(b, &o->tracked, dtracked, sizeof o->tracked, GTR__TO_HOST);
    o->shared = *shared;
    b->ctx->be->host_free(b->ctx->instance[0], shared, sizeof *shared);
    blocks_free(&all);
    free(g);
}
/* The same in double, as PyTorch writes it. */
static void expected_outcome(const scenario *s, outcome *o)
{
    int64_t offset[SEGMENTS], i, e;
    double *p, *m, *v, scale = s->scaled ? 1024 : 1, run[2][CHANNELS];
    gtr_float *g, loss, mean[CHANNELS], var[CHANNELS];
    int k, step;
    memset(o, 0, sizeof *o);
    o->count = layout(offset);
    o->p = (gtr_float *)room(o->count, sizeof(gtr_float)); o->m = (gtr_float *)room(o->count, sizeof(gtr_float));
    o->v = (gtr_float *)room(o->count, sizeof(gtr_float));
    o->bf16 = (uint16_t *)room(o->count, 2); o->f16 = (uint16_t *)room(o->count, 2);
    g = (gtr_float *)room(o->count, sizeof *g);
    p = (double *)room(o->count, sizeof *p); m = (double *)room(o->count, sizeof *p);
    v = (double *)room(o->count, sizeof *p);
    start_values(o->p, o->count);
    for (i = 0; i < o->count; i++) p[i] = (double)o->p[i];
    for (i = 0; i < CHANNELS; i++) { run[0][i] = 0; run[1][i] = 1; }
    for (step = 0; step < OPT_STEPS; step++) {
        double norm = 0, coef, t = (double)o->ctl.applied + 1;
        bool bad = step == 2 && s->plant && (s->plant == 3 || !s->loss_only);
        step_values(s, step, o->count, offset, g, &loss, mean, var, (float)scale);
        o->ctl.launches++;
        if (bad && s->scaled) { scale /= 2; o->ctl.step++; continue; }
        if (bad) { o->ctl.status = 1; o->ctl.bad_step = 3; o->ctl.launches = OPT_STEPS; break; }
        for (i = 0; i < o->count; i++) norm += (double)g[i] * (double)g[i];
        norm = sqrt(norm) / scale;
        coef = (s->clip > 0 ? GTR__MIN(1, s->clip / (norm + 1e-6)) : 1) / scale;
        o->ctl.norm = s->clip > 0 || s->scaled ? (float)norm : 0;
        for (k = 0; k < SEGMENTS; k++) for (i = 0; i < segment_counts[k]; i++) {
            double wd = k % 3 == 0 ? s->wd : k % 3 == 2 ? s->wd / 2 : 0,
                lr = (double)rate_of(k % 3, (int)o->ctl.step), d;
            e = offset[k] + i;
            d = (double)g[e] * coef;
            if (s->kind == GTR_ADAMW || s->kind == GTR_LION) p[e] *= 1 - lr * wd; else d += wd * p[e];
            if (s->kind == GTR_SGD) {
                if (s->momentum > 0) { m[e] = s->momentum * m[e] + d; d = s->nesterov ? d + s->momentum * m[e] : m[e]; }
                p[e] -= lr * d;
            } else if (s->kind == GTR_RMSPROP) { /* m: the mean square */
                m[e] = BETA2 * m[e] + (1 - BETA2) * d * d;
                v[e] = s->momentum * v[e] + (s->momentum > 0 ? d / (sqrt(m[e]) + 1e-8) : 0);
                p[e] -= lr * (s->momentum > 0 ? v[e] : d / (sqrt(m[e]) + 1e-8));
            } else if (s->kind == GTR_ADAGRAD) { /* m: the sum of squares */
                m[e] += d * d;
                p[e] -= lr / (1 + (t - 1) * s->momentum) * d / (sqrt(m[e]) + 1e-10);
            } else if (s->kind == GTR_LION) {
                const double c = BETA1 * m[e] + (1 - BETA1) * d;
                p[e] -= lr * ((c > 0) - (c < 0));
                m[e] = BETA2 * m[e] + (1 - BETA2) * d;
            } else {
                m[e] = BETA1 * m[e] + (1 - BETA1) * d;
                v[e] = BETA2 * v[e] + (1 - BETA2) * d * d;
                p[e] -= lr * (m[e] / (1 - pow(BETA1, t))) / (sqrt(v[e] / (1 - pow(BETA2, t))) + 1e-8);
            }
        }
        for (i = 0; i < CHANNELS; i++) {
            run[0][i] = 0.9 * run[0][i] + 0.1 * (double)mean[i];
            run[1][i] = 0.9 * run[1][i] + 0.1 * 1.1 * (double)var[i];
        }
        o->tracked++;
        o->ctl.applied++; o->ctl.step++;
    }
    o->ctl.scale = (float)scale;
    for (i = 0; i < o->count; i++) { o->p[i] = (gtr_float)p[i]; o->m[i] = (gtr_float)m[i]; o->v[i] = (gtr_float)v[i]; }
    for (i = 0; i < CHANNELS; i++) { o->running[0][i] = (gtr_float)run[0][i]; o->running[1][i] = (gtr_float)run[1][i]; }
    free(g); free(p); free(m); free(v);
}
static void compare_floats(const char *what, const char *part, const char *where, const gtr_float *want,
    const gtr_float *got, int64_t n)
{
    distance d = distance_of(want, got, GTR_F32, n, 0);
    CHECK(within(d, limit_of(GTR_F32, GTR_FP32)), "%s on %s, %s: NMSE %.3g, max %.3g, another class at %lld", what,
        where, part, d.nmse, d.ratio, (long long)d.odd);
}
static void check_outcome(bench *b, const scenario *s)
{
    outcome want, got;
    int64_t offset[SEGMENTS], i;
    int k, step, reported;
    expected_outcome(s, &want);
    run_scenario(b, s, &got);
    CHECK(got.result == GTR_OK, "%s on %s: %s %s", s->name, b->name, gtr_result_text(got.result),
        gtr_error_text(b->ctx));
    layout(offset);
    compare_floats(s->name, "parameters", b->name, want.p, got.p, want.count);
    compare_floats(s->name, "m", b->name, want.m, got.m, want.count);
    compare_floats(s->name, "v", b->name, want.v, got.v, want.count);
    compare_floats(s->name, "running mean", b->name, want.running[0], got.running[0], CHANNELS);
    compare_floats(s->name, "running variance", b->name, want.running[1], got.running[1], CHANNELS);
    /* low copies follow, once anything was applied; elsewhere nothing is written */
    for (k = 0; k < SEGMENTS; k++) {
        bool same = true;
        for (i = 0; i < segment_counts[k]; i++) {
            int64_t e = offset[k] + i;
            uint16_t b16 = k % 2 && want.ctl.applied ? gtr__to_bf16(got.p[e]) : 0,
                f16 = k % 3 == 2 && want.ctl.applied ? gtr__to_f16(got.p[e]) : 0;
            same = same && got.bf16[e] == b16 && got.f16[e] == f16;
        }
        for (i = offset[k] + segment_counts[k]; i < (k + 1 < SEGMENTS ? offset[k + 1] : want.count); i++)
            same = same && got.m[i] == 0 && got.v[i] == 0 && got.bf16[i] == 0 && got.f16[i] == 0;
        CHECK(same, "%s on %s: low copies or gaps of segment %d", s->name, b->name, k);
    }
    CHECK(got.tracked == want.tracked, "%s on %s: %lld batches tracked, want %lld", s->name, b->name,
        (long long)got.tracked, (long long)want.tracked);
    CHECK(got.ctl.step == want.ctl.step && got.ctl.applied == want.ctl.applied && got.ctl.launches == want.ctl.launches
        && got.ctl.status == want.ctl.status && got.ctl.bad_step == want.ctl.bad_step
        && got.ctl.scale == want.ctl.scale, "%s on %s: step %d applied %d launches %d status %u bad step %d scale %g",
        s->name, b->name, (int)got.ctl.step, (int)got.ctl.applied, (int)got.ctl.launches, (unsigned)got.ctl.status,
        (int)got.ctl.bad_step, (double)got.ctl.scale);
    for (k = 0; k < 8; k++) CHECK(got.ctl.ticket[k] == 0, "%s on %s: ticket %d is left at %u", s->name, b->name, k,
        (unsigned)got.ctl.ticket[k]);
    CHECK(got.shared.launches == want.ctl.launches && got.shared.step == want.ctl.step
        && got.shared.status == want.ctl.status && got.shared.bad_step == want.ctl.bad_step,
        "%s on %s: what is shared differs from the control word", s->name, b->name);
    reported = want.ctl.status ? (int)want.ctl.step + 1 : (int)want.ctl.step;
    for (step = 0; step < OPT_STEPS; step++) {
        const gtr__step_report *e = &got.shared.reported[step];
        bool skipped = s->scaled && s->plant && step == 2;
        gtr_float *g = (gtr_float *)room(want.count, sizeof *g), loss, mean[CHANNELS], var[CHANNELS];
        step_values(s, step, want.count, offset, g, &loss, mean, var, 1);
        free(g);
        if (step >= reported) {
            CHECK(e->step == 0, "%s on %s: an entry for step %d", s->name, b->name, step); continue;
        }
        CHECK(e->step == (uint64_t)step + 1 && e->skipped == (uint32_t)skipped && e->lr == rate_of(0, step),
            "%s on %s: entry %d: step %d, skipped %u, rate %g", s->name, b->name, step, (int)e->step,
            (unsigned)e->skipped, (double)e->lr);
        CHECK(class_of((gtr_float)e->value[0]) == class_of(loss) && (loss != loss || e->value[0] == (float)loss)
            && e->value[1] == (float)mean[0] && e->value[2] == 0, "%s on %s: entry %d: values %g %g", s->name, b->name,
            step, (double)e->value[0], (double)e->value[1]);
    }
    if (!s->plant) CHECK(fabs((double)got.ctl.norm - (double)want.ctl.norm) <= 1e-5 * (double)want.ctl.norm,
        "%s on %s: norm %g, want %g", s->name, b->name, (double)got.ctl.norm, (double)want.ctl.norm);
    outcome_free(&want);
    outcome_free(&got);
}
static void optimizers_on(bench *b) {
    int i;
    for (i = 0; i < N_SCENARIOS; i++) if (!small || i % 4 == 2) check_outcome(b, &scenarios[i]);
}

/* Casts and copies between all storages, added too; check; fill. */
static void small_nodes_on(bench *b)
{
    static const int64_t counts[] = {
        129, 7, 1, 2, 3, 31, 33, 64, 127, 128, 255, 256, 257, 1021, 1025, 4095, 4099, 16385, 65537, 100003 };
    static const gtr_dtype types[3] = { GTR_F32, GTR_BF16, GTR_F16 };
    int k, f, t, add, dir, q;
    rng_seed(31);
    for (k = 0; k < (small ? 1 : (int)(sizeof counts / sizeof *counts)); k++) for (f = 0; f < 3; f++)
            for (t = 0; t < 3; t++) for (dir = 0; dir < 2; dir++) for (add = 0; add <= dir; add++) {
        gtr__attr none = no_attr();
        gtr_shape s = gtr_shape1(counts[k]);
        gtr_float *x, *start, *want;
        void *from, *to;
        call_desc *d;
        char what[120];
        int64_t i;
        if (!storage_there(b, types[f]) || !storage_there(b, types[t])) continue;
        d = (call_desc *)room(1, sizeof *d);
        x = values(&s, 'x', types[f], 3); start = values(&s, 'x', types[t], 1); want = values(&s, 'x', GTR_F32, 1);
        from = stored(x, types[f], counts[k]); to = stored(start, types[t], counts[k]);
        snprintf(what, sizeof what, "%s %s, %lld from %s to %s%s", f == t ? "copy" : "cast",
            dir ? "gradient" : "forward", (long long)counts[k], gtr__dtype_name(types[f]), gtr__dtype_name(types[t]),
            add ? ", added" : "");
        d->op = f == t ? GTR__OP_COPY : GTR__OP_CAST; d->dir = dir ? GTR__BWD : GTR__FWD; d->attr = &none;
        d->n_in = dir ? 3 : 1; d->n_out = 1; d->shift = k % 4 == 2;
        for (i = 0; i < d->n_in - 1; i++) d->in[i] = operand_absent(types[i == 0 ? t : f], &s);
        d->in[d->n_in - 1] = operand_of(types[f], &s, from);
        d->out[0] = result_of(types[t], &s, add ? to : NULL);
        for (i = 0; i < counts[k]; i++) want[i] = add ? x[i] + start[i] : x[i];
        round_through(want, types[t], counts[k]);
        if (run_call(b, d, what))
            compare(want, &d->out[0], add ? limit_of(types[t], GTR_FP32) : exact, 0, what, b->name);
        free_results(d);
        free(x); free(start); free(want); free(from); free(to); free(d);
    }
    /* check: all finite; NaN first, Inf last, -Inf within */
    for (f = 0; f < 3; f++) for (k = 0; k < (small ? 1 : 8); k++) for (q = 0; q < 4; q++) {
        gtr__attr none = no_attr();
        gtr_shape s = gtr_shape1(counts[2 * k]), one = gtr_shape0();
        gtr_float *x;
        void *from;
        call_desc *d;
        if (!storage_there(b, types[f])) continue;
        d = (call_desc *)room(1, sizeof *d);
        x = values(&s, 'x', types[f], 1);
        if (q) x[q == 1 ? 0 : q == 2 ? s.dim[0] - 1 : s.dim[0] / 2] = q == 1 ? gtr__nan()
            : (gtr_float)(q == 2 ? INFINITY : -INFINITY);
        from = stored(x, types[f], s.dim[0]);
        d->op = GTR__OP_CHECK; d->attr = &none; d->n_in = d->n_out = 1;
        d->in[0] = operand_of(types[f], &s, from);
        d->out[0] = result_of(GTR_I32, &one, NULL);
        if (run_call(b, d, "check")) CHECK(*(int32_t *)d->out[0].to == (q != 0),
            "check on %s: %d of %lld elements, fault %d", b->name, *(int32_t *)d->out[0].to, (long long)s.dim[0], q);
        free_results(d);
        free(x); free(from); free(d);
    }
    for (k = 0; k < (small ? 1 : 8); k++) for (q = 0; q < 2; q++) {
        gtr__attr attr = no_attr();
        gtr_shape s = gtr_shape1(counts[2 * k]);
        call_desc *d = (call_desc *)room(1, sizeof *d);
        int64_t i;
        bool same = true;
        attr.fill.value = 0.375; attr.fill.scaled = q;
        d->op = GTR__OP_FILL; d->attr = &attr; d->n_out = 1; d->ctl = true;
        d->out[0] = result_of(GTR_F32, &s, NULL);
        if (run_call(b, d, "fill")) for (i = 0; i < s.dim[0]; i++)
            same = same && ((gtr_float *)d->out[0].to)[i] == (gtr_float)(q ? 1.5 : 0.375);
        CHECK(same, "fill on %s", b->name);
        free_results(d);
        free(d);
    }
}

/* An id outside the table gives a row of NaN, wherever it stands, and touches no other row; its dy goes nowhere. */
static void bad_ids_on(bench *b)
{
    static const int64_t widths[] = { 1, 4, 7, 64 };
    enum { ROWS = 5, IDS = 9 };
    static const int32_t ids[IDS] = { -1, 0, 5, 4, INT32_MAX, 2, 2, INT32_MIN, 5 };
    int k, i;
    rng_seed(61);
    for (k = 0; k < 4; k++) {
        const int64_t n = widths[k];
        gtr__attr attr = no_attr();
        gtr_shape at = gtr_shape1(IDS), of = gtr_shape2(ROWS, n), y = gtr_shape2(IDS, n);
        gtr_float *table = values(&of, 'x', GTR_F32, 1), *dy = values(&y, 'x', GTR_F32, 2);
        gtr_float *want = (gtr_float *)room(ROWS * n, sizeof *want);
        call_desc *d = (call_desc *)room(1, sizeof *d);
        bool same = true;
        int64_t j;
        d->op = GTR__OP_EMBEDDING; d->attr = &attr; d->n_in = 2; d->n_out = 1;
        d->in[0] = operand_of(GTR_I32, &at, ids); d->in[1] = operand_of(GTR_F32, &of, table);
        d->out[0] = result_of(GTR_F32, &y, NULL);
        if (run_call(b, d, "embedding")) for (i = 0; i < IDS; i++) for (j = 0; j < n; j++) {
            const gtr_float got = ((gtr_float *)d->out[0].to)[i * n + j];
            same = same && (ids[i] < 0 || ids[i] >= ROWS ? got != got : got == table[ids[i] * n + j]);
        }
        CHECK(same, "embedding on %s: %lld wide, of ids of which some are out of range", b->name, (long long)n);
        free_results(d);
        memset(d, 0, sizeof *d);
        d->op = GTR__OP_EMBEDDING; d->dir = GTR__BWD; d->attr = &attr; d->n_in = 4; d->n_out = 2;
        d->in[0] = operand_of(GTR_I32, &at, ids); d->in[1] = operand_absent(GTR_F32, &of);
        d->in[2] = operand_absent(GTR_F32, &y); d->in[3] = operand_of(GTR_F32, &y, dy);
        d->out[0] = operand_absent(GTR_F32, &at); d->out[1] = result_of(GTR_F32, &of, NULL);
        for (i = 0; i < IDS; i++)
            for (j = 0; j < n && ids[i] >= 0 && ids[i] < ROWS; j++) want[ids[i] * n + j] += dy[i * n + j];
        if (run_call(b, d, "embedding backward"))
            CHECK(!memcmp(d->out[1].to, want, (size_t)(ROWS * n) * sizeof *want),
                  "embedding backward on %s: %lld wide, of ids of which some are out of range", b->name, (long long)n);
        free_results(d);
        free(d); free(table); free(dy); free(want);
    }
}
/* The same of a gather along the middle of (2, 5, inner), of few ids a line and of many. */
static void bad_places_on(bench *b)
{
    enum { N = 5, MOST = 2 * 300 * 3 };
    static const int64_t lines[][2] = { { 9, 1 }, { 9, 3 }, { 300, 1 }, { 300, 3 } };
    static int32_t ids[MOST];
    rng_seed(62);
    for (int k = 0; k < 4; k++) {
        const int64_t m = lines[k][0], inner = lines[k][1], count = 2 * m * inner;
        gtr__attr attr = no_attr();
        gtr_shape of = gtr_shape3(2, N, inner), at = gtr_shape3(2, m, inner);
        gtr_float *x = values(&of, 'x', GTR_F32, 1), *dy = values(&at, 'x', GTR_F32, 2),
            *want = (gtr_float *)room(2 * N * inner, sizeof *want);
        call_desc *d = (call_desc *)room(1, sizeof *d);
        bool same = true;
        attr.along.axis = 1;
        for (int64_t i = 0; i < count; i++) ids[i] = i % 7 == 3 ? INT32_MIN : i % 11 == 5 ? INT32_MAX : i % 5 == 1 ? N
            : i % 13 == 0 ? -1 : (int32_t)(rng_next() % N);
        d->op = GTR__OP_GATHER; d->attr = &attr; d->n_in = 2; d->n_out = 1;
        d->in[0] = operand_of(GTR_F32, &of, x); d->in[1] = operand_of(GTR_I32, &at, ids);
        d->out[0] = result_of(GTR_F32, &at, NULL);
        for (int turn = 0; turn < 2; turn++) {
            const bool ran = run_call(b, d, "gather");
            for (int64_t i = 0; ran && i < count; i++) {
                const int64_t e = (i / (m * inner) * N + ids[i]) * inner + i % inner;
                const bool bad = ids[i] < 0 || ids[i] >= N;
                if (turn) { if (!bad) want[e] += dy[i]; }
                else { const gtr_float y = ((gtr_float *)d->out[0].to)[i]; same = same && (bad ? y != y : y == x[e]); }
            }
            for (int64_t e = 0; ran && turn && e < 2 * N * inner; e++)
                same = same && fabs((double)(((gtr_float *)d->out[0].to)[e] - want[e])) < 1e-4;
            CHECK(same, "gather on %s, %s: %lld ids a line, %lld lines side by side, some out of range", b->name,
                turn ? "backward" : "forward", (long long)m, (long long)inner);
            free_results(d);
            d->dir = GTR__BWD; d->n_in = 4; d->n_out = 2;
            d->in[0] = operand_absent(GTR_F32, &of); d->in[2] = operand_absent(GTR_F32, &at);
            d->in[3] = operand_of(GTR_F32, &at, dy);
            d->out[0] = result_of(GTR_F32, &of, NULL); d->out[1] = operand_none();
        }
        free_results(d);
        free(d); free(x); free(dy); free(want);
    }
}
/* Labels counted, and what divides by a count of more than its own: all but that as without. */
static void tallies_on(bench *b)
{
    static const int64_t rows[] = { 33, 1, 7, 1000, 4099, 70001 };
    static const gtr__op ops[] = { GTR__OP_CROSS_ENTROPY, GTR__OP_XENT_STEP, GTR__OP_ACCURACY };
    int k, q, op, j;
    rng_seed(57);
    for (k = 0; k < (small ? 2 : 6); k++) for (op = 0; op < 3; op++) {
        gtr__attr attr = no_attr();
        gtr_shape one = gtr_shape1(1), two = gtr_shape1(2), n = gtr_shape1(rows[k]),
            pairs = gtr_shape2(rows[k], 2), x = gtr_shape2(rows[k], k % 2 ? 3 : 10), scalar = gtr_shape0();
        const gtr_shape *shapes[4];
        const int n_out = op == 2 ? 1 : op == 1 ? 4 : 3;
        gtr_float *logits = values(&x, 'x', GTR_F32, 2), *want[4], scale;
        int32_t *labels = (int32_t *)room(rows[k], 4);
        int64_t tally[2] = { 1000, 5000 }, i, counted = 0;
        shapes[0] = &scalar; shapes[1] = &pairs; shapes[2] = &one; shapes[3] = &x;
        attr.loss.ignore_from = op == 2 ? INT32_MIN : 2; attr.loss.ignore_to = op == 2 ? -1 : 2; attr.loss.a = 0.1;
        for (i = 0; i < rows[k]; i++) {
            labels[i] = i % 3 == 1 ? op == 2 ? -7 : 2 : (int32_t)(i % 2); counted += i % 3 != 1;
        }
        for (q = 0; q < 2; q++) {           /* counted; added to what was counted before */
            call_desc *d = (call_desc *)room(1, sizeof *d);
            d->op = GTR__OP_TALLY; d->attr = &attr; d->n_in = d->n_out = 1;
            d->in[0] = operand_of(GTR_I32, &n, labels);
            d->out[0] = result_of(GTR_I64, &two, q ? tally : NULL);
            if (run_call(b, d, "tally"))
                CHECK(((int64_t *)d->out[0].to)[0] == counted + 1000 * q && ((int64_t *)d->out[0].to)[1] == rows[k]
                    + 5000 * q, "tally on %s: %lld of %lld rows, %lld counted", b->name, (long long)(
                    (int64_t *)d->out[0].to)[0], (long long)((int64_t *)d->out[0].to)[1], (long long)counted);
            free_results(d);
            free(d);
        }
        for (q = 0; q < 3; q++) {           /* alone; of 5000 rows of which 1000 count; of those of which none does */
            call_desc *d = (call_desc *)room(1, sizeof *d);
            if (q == 2) tally[0] = 0;
            d->op = ops[op]; d->attr = &attr; d->n_in = q ? 3 : 2; d->n_out = n_out; d->seed = 0.5f;
            d->in[0] = operand_of(GTR_F32, &x, logits); d->in[1] = operand_of(GTR_I32, &n, labels);
            d->in[2] = operand_of(GTR_I64, &two, tally);
            for (j = 0; j < n_out; j++) d->out[j] = result_of(GTR_F32, shapes[j], NULL);
            if (run_call(b, d, gtr__row(ops[op])->name)) for (j = 0; j < n_out; j++) {
                const int64_t m = gtr__count(shapes[j]);
                if (!q) {
                    want[j] = (gtr_float *)room(m, sizeof **want);
                    memcpy(want[j], d->out[j].to, (size_t)m * sizeof **want); continue;
                }
                scale = (gtr_float)((double)counted / ((double)rows[k] / 5));
                for (i = 0; q == 1 && i < m; i++) want[j][i] *= j == 1 ? 1 : j == 2 ? 1 / scale : scale;
                for (i = 0; q == 2 && i < m; i++) want[j][i] = j == 0 ? gtr__nan() : j == 1 ? want[j][i] : 0;
                compare(want[j], &d->out[j], limit_of(GTR_F32, GTR_FP32), 0, gtr__row(ops[op])->name, b->name);
            } else if (!q) for (j = 0; j < n_out; j++)
                want[j] = (gtr_float *)room(gtr__count(shapes[j]), sizeof **want);
            free_results(d);
            free(d);
        }
        for (j = 0; j < n_out; j++) free(want[j]);
        free(logits); free(labels);
    }
}
/* One batch of a data set in every form that FEED makes: bytes to each float and to int32, floats to each, int32. */
typedef struct feed_case { int64_t rows, first, row0, batch, width; uint64_t key; int stuck; } feed_case;
static const feed_case feeds[] = { { 100, 0, 0, 16, 784, 12345, 0 }, { 100, 96, 0, 4, 5, 99, 0 }, { 0, 0, 0, 33, 7, 0,
    0 }, { 37, 5, 3, 13, 1, 0, 0 }, { 1, 0, 0, 1, 3, 7, 0 }, { 1000, 512, 0, 128, 12, 0xdeadbeef12345u, 0 },
                                  { 0, 0, 8, 8, 4, 0, 0 }, { 50, 0, 0, 50, 28, 3, 0 }, { 50, 10, 0, 10, 9, 3, 1 },
                                  { 65537, 60000, 10, 257, 3, 0x123456789abcdefu, 0 } };
static void feed_on(bench *b, const feed_case *f)
{
    static const struct { gtr_dtype from, to; } forms[] = { { GTR_U8, GTR_F32 }, { GTR_U8, GTR_BF16 },
        { GTR_U8, GTR_F16 }, { GTR_U8, GTR_I32 }, { GTR_F32, GTR_F32 }, { GTR_F32, GTR_BF16 }, { GTR_F32, GTR_F16 },
                                                            { GTR_I32, GTR_I32 } };
    enum { FORMS = 8 };
    int64_t n_rows = f->rows ? f->rows : f->batch + f->row0, n = n_rows * f->width, m = f->batch * f->width, i, e;
    uint8_t *bytes = (uint8_t *)room(n, 1);
    gtr_float *floats = (gtr_float *)room(n, sizeof *floats), *want = (gtr_float *)room(m, sizeof *want);
    int32_t *ints = (int32_t *)room(n, 4), *want_ints = (int32_t *)room(m, 4);
    gtr_shape s = gtr_shape2(f->batch, f->width);
    void *shared_device = NULL, *poison = room(m, 4), *got = room(m, 4);
    gtr__shared *shared =
        (gtr__shared *)must(b->ctx->be->host_alloc(b->ctx->instance[0], sizeof *shared, &shared_device));
    gtr__record *rec;
    gtr__feed feed;
    gtr__ctl ctl;
    gtr__attr attr = no_attr();
    gtr__call call;
    gtr__arg out[FORMS];
    blocks all;
    char *dev[3], *dctl;
    int k;
    memset(&all, 0, sizeof all); memset(&feed, 0, sizeof feed); memset(&ctl, 0, sizeof ctl);
    memset(&call, 0, sizeof call); memset(shared, 0, sizeof *shared);
    memset(poison, 0xff, (size_t)m * 4);
    all.b = b;
    rng_seed((uint64_t)f->rows + 5);
    for (i = 0; i < n; i++) {
        bytes[i] = (uint8_t)rng_next(); floats[i] = (gtr_float)uniform(-2, 2); ints[i] = (int32_t)(rng_next() % 1000);
    }
    dev[0] = (char *)block_of(&all, bytes, (size_t)n);
    dev[1] = (char *)block_of(&all, floats, (size_t)n * sizeof *floats);
    dev[2] = (char *)block_of(&all, ints, (size_t)n * 4);
    ctl.step = 300; ctl.scale = 1; ctl.status = (uint32_t)f->stuck;
    dctl = (char *)block_of(&all, &ctl, sizeof ctl);
    rec = &shared->record[300 % GTR__RING];
    rec->step = 300; rec->first = f->first; rec->rows = f->rows; rec->key = f->key;
    feed.n = FORMS; feed.rows = f->batch; feed.shared = (gtr__shared *)shared_device;
    for (k = 0; k < FORMS; k++) {
        int at = forms[k].from == GTR_U8 ? 0 : forms[k].from == GTR_F32 ? 1 : 2;
        rec->src[k] = (uint64_t)(uintptr_t)dev[at];
        feed.input[k].slot = k; feed.input[k].from = forms[k].from;
        feed.input[k].row = feed.input[k].stored = f->width;
        feed.input[k].scale = 1.0f / 255; feed.input[k].shift = k == 1 ? -0.5f : 0;
        out[k] = gtr__arg_of(block_of(&all, poison, (size_t)m * gtr__dtype_size(forms[k].to)), forms[k].to, &s);
    }
    if (!b->ctx->caps.bf16) out[1].data = out[5].data = NULL;
    attr.ptr = &feed;
    call.attr = &attr; call.n_out = FORMS; call.out = out; call.caps = &b->ctx->caps; call.row0 = f->row0;
    call.ctl = (gtr__ctl *)(void *)dctl;
    CHECK(run_node(b, &call, GTR__OP_FEED, GTR__FWD) == GTR_OK, "feed on %s: %s", b->name, gtr_error_text(b->ctx));
    for (k = 0; k < FORMS; k++) {
        char what[100];
        size_t size = (size_t)m * gtr__dtype_size(forms[k].to);
        operand o = operand_of(forms[k].to, &s, NULL);
        if (!out[k].data) continue;
        snprintf(what, sizeof what, "feed %lld rows of %lld from %lld, %s to %s", (long long)f->batch,
            (long long)f->width, (long long)f->first, gtr__dtype_name(forms[k].from), gtr__dtype_name(forms[k].to));
        bench_copy(b, got, out[k].data, size, GTR__TO_HOST);
        if (f->stuck) {
            CHECK(!memcmp(got, poison, size), "%s on %s: written in spite of the status", what, b->name); continue;
        }
        for (i = 0; i < f->batch; i++) for (e = 0; e < f->width; e++) {
            int64_t r = (f->rows ? f->first : 0) + f->row0 + i;
            if (f->rows && f->key) GTR__SHUFFLE(r, f->rows, f->key);
            want_ints[i * f->width + e] = forms[k].from == GTR_U8 ? (int32_t)bytes[r * f->width + e]
                : ints[r * f->width + e];
            want[i * f->width + e] = forms[k].from == GTR_U8 ? (gtr_float)(1.0f / 255)
                * (gtr_float)bytes[r * f->width + e] + (gtr_float)(k == 1 ? -0.5 : 0) : floats[r * f->width + e];
        }
        o.to = got;
        if (forms[k].to == GTR_I32) CHECK(!memcmp(got, want_ints, size), "%s on %s", what, b->name);
        else compare(want, &o, limit_of(forms[k].to, GTR_FP32), 0, what, b->name);
    }
    b->ctx->be->host_free(b->ctx->instance[0], shared, sizeof *shared);
    blocks_free(&all);
    free(bytes); free(floats); free(want); free(ints); free(want_ints); free(poison); free(got);
}
static void feeds_on(bench *b) {
    int i;
    for (i = 0; i < (int)(sizeof feeds / sizeof *feeds); i++) if (!small || i < 2) feed_on(b, &feeds[i]);
}

/* Where rows go has nothing to do with where they were: over shuffles the mean of n - 1 times the squared correlation
   is 1, and 2 pairs of neighbours stay such. */
static void chance(void)
{
    enum { N = 1024, KEYS = 400 };
    double squares = 0, pairs = 0;
    uint64_t key = 1;
    for (int k = 0; k < KEYS; k++) {
        double sum = 0;
        int64_t before = 0;
        key = key * 6364136223846793005u + 1442695040888963407u;
        for (int64_t i = 0; i < N; i++) {
            int64_t r = i;
            GTR__SHUFFLE(r, N, key);
            sum += ((double)i - (N - 1) / 2.0) * ((double)r - (N - 1) / 2.0);
            pairs += i && (r - before == 1 || before - r == 1);
            before = r;
        }
        sum /= (double)N * ((double)N * N - 1) / 12;
        squares += sum * sum * (N - 1);
    }
    CHECK(squares / KEYS > 0.75 && squares / KEYS < 1.3, "shuffles: squared correlations of %g, want 1",
        squares / KEYS);
    CHECK(pairs / KEYS > 1.7 && pairs / KEYS < 2.3, "shuffles: %g neighbours stay such, want 2", pairs / KEYS);
}
/* What chi-square of so many degrees of freedom exceeds once in a million (Wilson and Hilferty, 1931). */
static double chi_square_limit(double df)
{
    const double v = 2 / (9 * df), r = 1 - v + 4.7534 * sqrt(v);
    return df * r * r * r;
}
/* Over a set's epochs each row is as often at each place, and each one as often right behind each other one. */
static void shuffles_of_size(int n, int epochs, uint64_t seed)
{
    gtr__sequence order;
    int *at = (int *)room((int64_t)n * n, sizeof *at), *behind = (int *)room((int64_t)n * n, sizeof *behind);
    double places = 0, pairs = 0;
    const double each = (double)epochs / n;     /* of places, and of pairs: n - 1 of them an epoch, n (n - 1) kinds */
    memset(&order, 0, sizeof order);
    order.rows = order.batch = n; order.per = 1; order.end = INT64_MAX; order.shuffle = 1; order.seed = seed;
    for (int e = 0; e < epochs; e++) {
        const gtr__batch b = gtr__batch_of(&order, e);
        int64_t before = 0;
        for (int64_t i = 0, r = 0; i < n; i++, before = r) {
            r = i;
            GTR__SHUFFLE(r, n, b.key);
            at[i * n + r]++;
            if (i) behind[before * n + r]++;
        }
    }
    for (int i = 0; i < n * n; i++) {
        places += (at[i] - each) * (at[i] - each) / each;
        if (i / n != i % n) pairs += (behind[i] - each) * (behind[i] - each) / each;
    }
    places *= (n - 1.0) / n;                    /* all rows and columns of the table have one sum */
    CHECK(places < chi_square_limit((n - 1.0) * (n - 1)), "%d rows: chi-square of places %g, want %g", n, places,
        chi_square_limit((n - 1.0) * (n - 1)));
    CHECK(pairs < chi_square_limit(n * (n - 1.0) - 1), "%d rows: chi-square of neighbours %g, want %g", n, pairs,
        chi_square_limit(n * (n - 1.0) - 1));
    free(at); free(behind);
}
static void shuffles(void)
{
    static const int more[] = { 48, 63, 64, 65, 100, 128, 200, 256, 257, 1000 };
    const int epochs = small ? 3000 : 60000;
    for (int n = 2; n <= 40; n++) shuffles_of_size(n, epochs, 1);
    for (int k = 0; k < (int)(sizeof more / sizeof *more); k++)
        shuffles_of_size(more[k], GTR__MAX(epochs * 16 / more[k], 1000), gtr__hash((uint64_t)k, "shuffle"));
}
/* A shuffle visits each row once; both roundings to the nearest, ties to even. */
static void bits(void)
{
    static const int64_t sizes[] = { 1, 2, 3, 7, 16, 17, 1000, 4097 };
    int k;
    int64_t i;
    uint32_t u;
    bool right = true;
    for (k = 0; k < (int)(sizeof sizes / sizeof *sizes); k++) {
        unsigned char *seen = (unsigned char *)room(sizes[k], 1);
        bool all = true;
        for (i = 0; i < sizes[k]; i++) {
            int64_t r = i;
            GTR__SHUFFLE(r, sizes[k], (uint64_t)0x9876543210abcdefu);
            all = all && r >= 0 && r < sizes[k] && !seen[r];
            if (r >= 0 && r < sizes[k]) seen[r] = 1;
        }
        CHECK(all, "a shuffle of %lld rows is not one", (long long)sizes[k]);
        free(seen);
    }
    for (u = 0; u < 65536; u++) {
        if ((u & 0x7c00u) != 0x7c00u || !(u & 0x3ffu)) right = right && gtr__to_f16(gtr__from_f16((uint16_t)u)) == u;
        if ((u & 0x7f80u) != 0x7f80u || !(u & 0x7fu)) right = right && gtr__to_bf16(gtr__from_bf16((uint16_t)u)) == u;
    }
    CHECK(right, "a low value does not come back through float32");
    rng_seed(8);
    for (k = 0, right = true; k < 200000; k++) {        /* no neighbour is nearer */
        /* ties of both forms among them */
        uint32_t half = rng_next() & 1 ? rng_next() & 1 ? 0x8000u : 0x1000u : (uint32_t)(rng_next() & 0xffffu);
        float f = gtr__bits_float(0x30000000u + ((uint32_t)(rng_next() >> 35) & 0x17ff0000u) + half), g;
        uint16_t h;
        int side, form;
        if (!(f < 60000.0f)) continue;
        for (form = 0; form < 2; form++) {
            double off;
            h = form ? gtr__to_f16(f) : gtr__to_bf16(f);
            off = fabs((double)(form ? gtr__from_f16(h) : gtr__from_bf16(h)) - (double)f);
            for (side = -1; side < 2; side += 2) {
                double other;
                if (!h && side < 0) continue;
                g = form ? gtr__from_f16((uint16_t)(h + side)) : gtr__from_bf16((uint16_t)(h + side));
                other = fabs((double)g - (double)f);
                right = right && (off < other || (off == other && !(h & 1)));
            }
        }
    }
    CHECK(right, "a rounding to low storage is not the nearest");
}
#endif

// >>bad-arguments
/* The builder returned NULL, and the error has this code and all of these words ('|' between them). The
   context is usable again. */
#define BAD(expression, code, words) bad(ctx, (expression) == NULL, code, words, #expression, __LINE__)
static void bad(gtr_context *ctx, int null, gtr_result code, const char *words, const char *what, int line)
{
    char word[128];
    const char *s = words;
    int ok = null && gtr_error(ctx) == code;
    while (*s) {
        size_t n = strcspn(s, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, s);
        ok = ok && strstr(gtr_error_text(ctx), word);
        s += n + (s[n] == '|');
    }
    check_note(ok, __FILE__, line, "%s: %s, '%s' (%s), want '%s' with %s", what, null ? "NULL" : "a tensor",
        gtr_result_text(gtr_error(ctx)), gtr_error_text(ctx), gtr_result_text(code), words);
    gtr_error_clear(ctx);
}
static gtr_result bad_shape(int n_in, const gtr_shape *in, gtr_shape *out, void *user) {
    (void)n_in; (void)user; *out = in[0]; out->dim[0] = 0; return GTR_OK;
}
static gtr_result no_shape(int n_in, const gtr_shape *in, gtr_shape *out, void *user) {
    (void)n_in; (void)in; (void)out; (void)user; return GTR_ERR_SHAPE;
}
static gtr_custom_desc custom_desc(gtr_tensor *a, gtr_tensor *b, int n) {
    gtr_custom_desc d; memset(&d, 0, sizeof d); d.name = "mine"; d.n_in = n; d.in[0] = a; d.in[1] = b;
    d.forward = custom_forward; return d;
}
static gtr_shape shape_of_rank(int ndim, int64_t d) {
    gtr_shape s; int i; memset(&s, 0, sizeof s); s.ndim = ndim;
    for (i = 0; i < 8; i++) s.dim[i] = d;
    return s;
}
static gtr_init init_of(gtr_init_kind kind, float a) {
    gtr_init i; memset(&i, 0, sizeof i); i.kind = kind; i.a = a; return i;
}
static gtr_init init_bad(int kind) {
    gtr_init i; memset(&i, 0, sizeof i); memcpy(&i.kind, &kind, sizeof kind); return i;
}

static void bad_leaves(void)
{
    gtr_context *ctx = context_on(GTR_DEVICE_CPU, 1);
    gtr_init zero = init_of(GTR_INIT_ZERO, 0);
    gtr_float v[4] = { 0, 1, 2, 3 };
    gtr_shape negative = gtr_shape2(3, -1), rank9 = shape_of_rank(9, 1), rank_1 = shape_of_rank(-1, 1),
        big = gtr_shape3(INT64_MAX / 2, 3, 5);
    char longer[600];
    memset(longer, 'n', sizeof longer); longer[599] = 0;
    EXPECT(gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3)) != NULL);
    BAD(gtr_input(ctx, "x", GTR_F32, gtr_shape1(3)), GTR_ERR_ARG, "input|\"x\"|already");
    BAD(gtr_input(ctx, "", GTR_F32, gtr_shape1(3)), GTR_ERR_ARG, "name");
    BAD(gtr_input(ctx, NULL, GTR_F32, gtr_shape1(3)), GTR_ERR_ARG, "name");
    BAD(gtr_input(ctx, longer, GTR_F32, gtr_shape1(3)), GTR_ERR_ARG, "nnn|longer");
    BAD(gtr_input(ctx, "u", GTR_U8, gtr_shape1(3)), GTR_ERR_ARG, "input|\"u\"|uint8|float32 or int32");
    BAD(gtr_input(ctx, "h", GTR_BF16, gtr_shape1(3)), GTR_ERR_ARG, "\"h\"|bfloat16");
    BAD(gtr_input(ctx, "z", GTR_F32, gtr_shape2(GTR_BATCH, 0)), GTR_ERR_SHAPE, "\"z\"|(N, 0)|at least 1");
    BAD(gtr_input(ctx, "z", GTR_F32, negative), GTR_ERR_SHAPE, "\"z\"|(3, N)");
    BAD(gtr_input(ctx, "z", GTR_F32, gtr_shape1(INT64_MIN)), GTR_ERR_SHAPE, "\"z\"");
    BAD(gtr_input(ctx, "z", GTR_F32, rank9), GTR_ERR_SHAPE, "\"z\"|9 dimensions|8");
    BAD(gtr_input(ctx, "z", GTR_F32, rank_1), GTR_ERR_SHAPE, "\"z\"|-1 dimensions");
    BAD(gtr_input(ctx, "z", GTR_F32, big), GTR_ERR_SHAPE, "\"z\"|too large");
    BAD(gtr_input(ctx, "z", GTR_F32, gtr_shape4(65536, 65536, 65536, 65536)), GTR_ERR_SHAPE,
        "\"z\"|(65536, 65536, 65536, 65536)|too large");
    EXPECT(gtr_parameter(ctx, "p", gtr_shape2(2, 3), zero) != NULL);
    BAD(gtr_parameter(ctx, "p", gtr_shape1(2), zero), GTR_ERR_ARG, "parameter|\"p\"|already");
    BAD(gtr_parameter(ctx, NULL, gtr_shape1(2), zero), GTR_ERR_ARG, "name");
    BAD(gtr_parameter(ctx, "", gtr_shape1(2), zero), GTR_ERR_ARG, "name");
    BAD(gtr_parameter(ctx, "q", gtr_shape2(GTR_BATCH, 2), zero), GTR_ERR_SHAPE, "parameter|\"q\"|(N, 2)");
    BAD(gtr_parameter(ctx, "q", gtr_shape2(2, 0), zero), GTR_ERR_SHAPE, "\"q\"|(2, 0)");
    BAD(gtr_parameter(ctx, "q", big, zero), GTR_ERR_SHAPE, "\"q\"|too large");
    BAD(gtr_parameter(ctx, "q", gtr_shape1(3), init_of(GTR_INIT_UNIFORM, (float)NAN)), GTR_ERR_ARG, "\"q\"|finite");
    BAD(gtr_parameter(ctx, "q", gtr_shape1(3), init_of(GTR_INIT_CONSTANT, (float)INFINITY)), GTR_ERR_ARG,
        "\"q\"|finite");
    BAD(gtr_parameter(ctx, "q", gtr_shape1(3), init_bad(17)), GTR_ERR_ARG, "\"q\"|kind");
    BAD(gtr_constant(ctx, GTR_F32, gtr_shape1(4), NULL), GTR_ERR_ARG, "constant|data");
    BAD(gtr_constant(ctx, GTR_U8, gtr_shape1(4), v), GTR_ERR_ARG, "constant|float32 or int32");
    BAD(gtr_constant(ctx, GTR_F32, gtr_shape1(GTR_BATCH), v), GTR_ERR_SHAPE, "constant|(N,)");
    BAD(gtr_constant(ctx, GTR_F32, gtr_shape1(0), v), GTR_ERR_SHAPE, "constant|(0,)");
    EXPECT(gtr_constant(ctx, GTR_F32, gtr_shape2(2, 2), v) != NULL);
    EXPECT(gtr_input(NULL, "x", GTR_F32, gtr_shape1(1)) == NULL && gtr_parameter(NULL, "x", gtr_shape1(1), zero) == NULL
        && gtr_constant(NULL, GTR_F32, gtr_shape1(1), v) == NULL);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* batch_norm says which of its parameters does not fit. */
static void norm_shapes(void)
{
    static const char *const names[] = { "weight (3,)", "bias (3,)", "running_mean (3,)", "running_var (3,)" };
    int k, i;
    for (k = 1; k < 5; k++) {
        gtr__shape_call s;
        memset(&s, 0, sizeof s);
        for (i = 0; i < 5; i++) s.in[i] = i ? gtr_shape1(i == k ? 3 : 4) : gtr_shape2(6, 4);
        s.n_in = 5; s.training = 1;
        EXPECT(gtr__row(GTR__OP_BATCH_NORM)->shape(&s) == GTR_ERR_SHAPE);
        CHECK(strstr(s.why, "got x (6, 4) and") && strstr(s.why, names[k - 1]), "input %d of batch_norm: %s", k + 1,
            s.why);
    }
}
/* gtr_residual against the ops that it stands for, with its weight; stride 0: a linear layer. */
static void residuals(void)
{
    static const struct { const char *shapes; int stride, stride_w; } table[] = { { "2x3 2x5", 0, 0 },
        { "5 2", 0, 0 }, { "2x1x3x2x4 2x1x3x2x1", 0, 0 }, { "2x4x6 2x3x6", 1, 1 },
        { "2x3x7 2x2x4", 1, 2 }, { "2x3x5x6 2x4x3x2", 2, 3 }, { "2x3x5x4 2x3x5x2", 1, 2 },
        { "1x3x2x7 1x3x1x3", 2, 3 } };
    gtr_float values[240], got[240], want[240];
    for (size_t q = 0; q < sizeof table / sizeof table[0]; q++) {
        const op_case c = case_of(table[q].shapes);
        gtr_context *ctx = context_on(GTR_DEVICE_CPU, 1);
        gtr_tensor *x[2], *y, *w, *p;
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < 240; k++) values[k] = (gtr_float)uniform(-1, 1);
            x[i] = gtr_constant(ctx, GTR_F32, c.in[i], values);
        }
        y = gtr_residual(x[0], x[1], "skip");
        w = gtr_parameter_find(ctx, "skip.weight");
        if (!CHECK(y && w && gtr_parameter_count(ctx) == 1, "%s: %s", table[q].shapes, gtr_error_text(ctx))) return;
        if (table[q].stride) {
            gtr_conv_desc d;
            memset(&d, 0, sizeof d);
            d.stride = table[q].stride; d.stride_w = table[q].stride_w;
            p = gtr_conv2d_with(x[0], w, NULL, d);
        } else p = gtr_linear_with(x[0], w, NULL);
        p = gtr_add(p, x[1]);
        const size_t bytes = (size_t)gtr__count(&c.in[1]) * sizeof *got;
        EXPECT(gtr_get(y, got, bytes) == GTR_OK && gtr_get(p, want, bytes) == GTR_OK && !memcmp(got, want, bytes));
        y = gtr_residual(x[1], x[1], NULL);
        p = gtr_add(x[1], x[1]);
        EXPECT(y && !strcmp(y->builder, "residual") && gtr_parameter_count(ctx) == 1);
        EXPECT(gtr_get(y, got, bytes) == GTR_OK && gtr_get(p, want, bytes) == GTR_OK && !memcmp(got, want, bytes));
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Of three dimensions where only the last differs, what made the branch says what they are. */
static void residuals_of_three(void)
{
    for (int kind = 0; kind < 7; kind++) {
        gtr_context *ctx = context_on(GTR_DEVICE_CPU, 1);
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 4, 8)), *t = gtr_conv1d(x, "c", 4, 3, 2, 1),
            *branch = kind == 0 ? t : kind == 1 ? gtr_dropout2d(gtr_relu(gtr_batch_norm(t, "bn")), NULL, 0.5f)
            : kind == 2 ? gtr_max_pool2d(gtr_tanh(x), 2, 0, 0) : kind == 3 ? gtr_relu(gtr_linear(x, "l", 4))
            : kind == 4 ? gtr_matmul(x, gtr_constant(ctx, GTR_F32, gtr_shape2(8, 4), (gtr_float[32]){ 0 }))
            : kind == 5 ? gtr_input(ctx, "b", GTR_F32, gtr_shape3(GTR_BATCH, 4, 4)) : gtr_slice(x, 2, 0, 4);
        const int64_t parameters = gtr_parameter_count(ctx);
        t = gtr_residual(x, branch, "skip");
        gtr_tensor *w = gtr_parameter_find(ctx, "skip.weight");
        const gtr_shape s = gtr_tensor_shape(w), want = kind < 3 ? gtr_shape3(4, 4, 1) : gtr_shape2(4, 8);
        CHECK(branch && !t == (kind > 4) && (w ? gtr__shape_equal(&s, &want) : kind > 4), "residual %d: %s", kind,
            gtr_error_text(ctx));
        if (kind > 4) {
            EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "residual \"skip\": got x (N, 4, 8) and branch (N, 4, 4)");
            EXPECT(gtr_parameter_count(ctx) == parameters && gtr_linear(x, "skip", 4));      /* the name is free */
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Every op refuses each of its inputs in the other dtype, and says which; but for those that only give it another
   shape, and custom ops. */
static void other_dtypes(void)
{
    int q, k, i;
    for (q = 0; q < N_ROWS; q++) {
        const op_row *row = &rows[q];
        const op_case c = case_of(row->cases[0]);
        const bool any = row->build == build_reshape || row->build == build_flatten || row->build == build_custom
            || strstr(row->name, "several");
        bool batched[MAX_IN];
        batch_of(row, &c, batched);
        for (k = 0; k < c.n; k++) {
            gtr_context *ctx = context_on(GTR_DEVICE_CPU, 1);
            gtr_tensor *x[MAX_IN], *y;
            const bool ints = is_ints(kind_of(row, k));
            for (i = 0; i < c.n; i++) {
                gtr_shape s = c.in[i];
                char name[16];
                snprintf(name, sizeof name, "x%d", i);
                if (batched[i]) s.dim[0] = GTR_BATCH;
                x[i] = gtr_input(ctx, name, is_ints(kind_of(row, i)) != (i == k) ? GTR_I32 : GTR_F32, s);
            }
            y = row->build(ctx, x, &c);
            if (any) CHECK(y != NULL, "%s refuses int32: %s", row->name, gtr_error_text(ctx));
            else {
                CHECK(y == NULL, "%s takes input %d as %s", row->name, k + 1, ints ? "float32" : "int32");
                EXPECT(strstr(gtr_error_text(ctx), ints ? "float32" : "int32") != NULL);
                EXPECT_ERROR(ctx, GTR_ERR_SHAPE, ints ? "want int32" : "want float32");
            }
            gtr_destroy(ctx);
        }
    }
}
/* x: float32 (N, 7) */
static void bad_norms(gtr_context *ctx, gtr_tensor *x)
{
    const gtr_init fixed = { GTR_INIT_CONSTANT, 1, true }, trained = { GTR_INIT_CONSTANT, 1, false };
    const gtr_batch_norm_desc d = norm_desc(0);
    gtr_tensor *mean = gtr_parameter(ctx, "bad.mean", gtr_shape1(7), fixed),
        *var = gtr_parameter(ctx, "bad.var", gtr_shape1(7), fixed),
        *w = gtr_parameter(ctx, "bad.w", gtr_shape1(7), trained),
        *six = gtr_parameter(ctx, "bad.six", gtr_shape1(6), fixed);
    BAD(gtr_batch_norm_with(x, NULL, NULL, w, var, d), GTR_ERR_ARG, "batch_norm|\"bad.w\"|.frozen");
    BAD(gtr_batch_norm_with(x, NULL, NULL, mean, gtr_square(var), d), GTR_ERR_ARG, "batch_norm|\"square\"|buffers");
    BAD(gtr_batch_norm_with(x, NULL, NULL, mean, mean, d), GTR_ERR_ARG,
        "batch_norm|running_mean \"bad.mean\", running_var \"bad.mean\"");
    BAD(gtr_batch_norm_with(x, NULL, NULL, mean, NULL, d), GTR_ERR_ARG, "batch_norm|NULL");
    BAD(gtr_batch_norm_with(x, NULL, NULL, mean, six, d), GTR_ERR_SHAPE, "batch_norm|running_var (6,)");
    BAD(gtr_batch_norm_with(x, six, NULL, mean, var, d), GTR_ERR_SHAPE, "batch_norm|weight (6,)");
    BAD(gtr_batch_norm_with(x, w, w, mean, var, norm_desc(-1)), GTR_ERR_SHAPE, "batch_norm|eps -1");
    gtr_stage(ctx, 1);
    BAD(gtr_batch_norm_with(x, w, NULL, mean, var, d), GTR_ERR_ARG, "batch_norm|of this stage");
    gtr_stage(ctx, 0);
    EXPECT(gtr_batch_norm_with(x, w, NULL, mean, var, d) != NULL);
}
/* Of (N, N) what is refused; x: float32 (N, 7), y: labels */
static void bad_itself(gtr_context *ctx, gtr_tensor *x, gtr_tensor *y)
{
    gtr_tensor *s = gtr_matmul_t(x, false, x, true), *three = gtr_reshape(s, gtr_shape3(GTR_BATCH, GTR_BATCH, 1));
    char text[GTR__TEXT];
    gtr_shape all = gtr_tensor_shape(gtr_mul(gtr_reshape(x, gtr_shape3(GTR_BATCH, 1, 7)),
        gtr_reshape(x, gtr_shape3(1, GTR_BATCH, 7))));
    CHECK(!strcmp(gtr__shape_text(&all, text), "(N, N, 7)"), "%s", text);
    EXPECT_EQ(gtr_tensor_bytes(s), sizeof(gtr_float));
    BAD(gtr_input(ctx, "itself", GTR_F32, gtr_shape2(GTR_BATCH, GTR_BATCH)), GTR_ERR_SHAPE, "(N, N)|first");
    BAD(gtr_reshape(s, gtr_shape1(GTR_BATCH)), GTR_ERR_SHAPE, "reshape|(N, N) into (N,)|as many");
    BAD(gtr_reshape(x, gtr_shape3(GTR_BATCH, 7, GTR_BATCH)), GTR_ERR_SHAPE, "reshape|(N, 7, N)|-1 is N");
    BAD(gtr_reshape(y, gtr_shape2(GTR_BATCH, GTR_BATCH)), GTR_ERR_SHAPE, "reshape|(N, N)|-1 is N");
    BAD(gtr_linear(s, "itself", 3), GTR_ERR_SHAPE, "linear|\"itself\"|(N, N)|(..., K)");
    BAD(gtr_add(s, x), GTR_ERR_SHAPE, "add|(N, N) and (N, 7)|broadcast");
    BAD(gtr_slice(s, 1, 0, 1), GTR_ERR_ARG, "slice|dimension 1 of (N, N)|not the batch");
    BAD(gtr_cross_entropy(three, gtr_reshape(y, gtr_shape2(GTR_BATCH, 1))), GTR_ERR_SHAPE,
        "cross_entropy|(N, N, 1)|C literal");
    BAD(gtr_predictor_create(s, 4), GTR_ERR_SHAPE, "predictor|\"matmul\"|twice");
    BAD(gtr_arange(x, 2), GTR_ERR_ARG, "arange|axis 2");
    BAD(gtr_arange(gtr_sum(x, NULL, 0, false), 0), GTR_ERR_ARG, "arange|axis 0 of 0 dimensions");
    EXPECT(!gtr_arange(NULL, 0));
    {
        const int32_t other[7] = { 0 };
        EXPECT_EQ(gtr_set(gtr_arange(x, 1), other, sizeof other), GTR_ERR_ARG);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, "is computed");
    }
    BAD(gtr_embedding(gtr_arange(x, 1), "places", 6, 3), GTR_ERR_SHAPE, "embedding|\"places\"|6 rows|places 0 to 6");
    BAD(gtr_embedding_with(gtr_arange(x, 1), gtr_slice(gtr_embedding(gtr_arange(x, 1), "rows", 7, 2), 0, 1, 6)),
        GTR_ERR_SHAPE, "embedding|5 rows|places 0 to 6");
}
static void bad_cells(gtr_context *ctx, gtr_tensor *x, gtr_tensor *y, gtr_tensor *w)
{
    gtr_tensor *none;
    gtr_cell cell;
    memset(&cell, 0, sizeof cell);
    BAD(gtr_gru_cell(x, NULL, "g", 0), GTR_ERR_SHAPE, "gru_cell|\"g\"|(N, 7)|hidden 0");
    BAD(gtr_gru_cell(y, NULL, "g", 3), GTR_ERR_SHAPE, "gru_cell|int32");
    BAD(gtr_gru_cell(x, NULL, NULL, 3), GTR_ERR_ARG, "gru_cell|name");
    BAD(gtr_rnn_cell(x, x, "g", 3), GTR_ERR_SHAPE, "rnn_cell|\"g\"|h float32 (N, 7)|weight_hh float32 (3, 3)|(..., H)");
    BAD(gtr_lstm_cell(x, NULL, NULL, "g", 3), GTR_ERR_ARG, "lstm_cell|c is NULL");
    EXPECT(!gtr_lstm_cell(NULL, NULL, NULL, "g", 3) && !gtr_rnn_cell(NULL, NULL, "g", 3));
    none = gtr_slice(w, 1, 0, 5);
    BAD(gtr_lstm_cell(x, NULL, &none, "g", 3), GTR_ERR_SHAPE, "lstm_cell|h NULL|c float32 (5, 5)|float32 (12, 7)");
    EXPECT(!none);
    BAD(gtr_lstm_cell_with(x, NULL, &none, cell), GTR_ERR_ARG, "lstm_cell|weight_hh is NULL");
    cell.weight_ih = cell.weight_hh = w;
    BAD(gtr_rnn_cell_with(x, NULL, cell), GTR_ERR_SHAPE, "rnn_cell|weight_ih float32 (5, 7)|weight_hh float32 (5, 7)");
    EXPECT(!gtr_parameter_find(ctx, "g.weight_ih"));
    EXPECT(gtr_gru_cell(x, NULL, "again", 5) && gtr_gru_cell(x, NULL, "again", 5));
    BAD(gtr_gru_cell(x, NULL, "again", 4), GTR_ERR_SHAPE, "\"again\"|hidden 4|weight_ih of that name is (15, 7), want "
        "(12, 7)");
    BAD(gtr_lstm_cell(x, NULL, &none, "again", 5), GTR_ERR_SHAPE, "lstm_cell|\"again\"|hidden 5|(15, 7), want (20, 7)");
    BAD(gtr_gru_cell(gtr_slice(x, 1, 0, 3), NULL, "again", 5), GTR_ERR_SHAPE, "\"again\"|(N, 3)|(15, 7), want (15, 3)");
}
/* x: float32 (N, 7), y: int32 (N), w: float32 (5, 7) */
static void bad_recurrences(gtr_context *ctx, gtr_tensor *x, gtr_tensor *y, gtr_tensor *w, gtr_tensor *far_x)
{
    static const int32_t five[5] = { 1, 1, 1, 1, 1 };
    static const int turned[3] = { 1, 0, 2 };
    gtr_tensor *s = gtr_reshape(x, gtr_shape3(GTR_BATCH, 7, 1)), *row = gtr_slice(w, 0, 0, 1), *h[2], *c[2], *last[4];
    gtr_recurrent_desc d, none;
    memset(&d, 0, sizeof d); memset(&none, 0, sizeof none); memset(h, 0, sizeof h); memset(c, 0, sizeof c);
    BAD(gtr_lstm(x, "l", 3, none), GTR_ERR_SHAPE, "lstm|\"l\"|\"x\"|(N, 7)|hidden 3|float32 (N, T, I)");
    BAD(gtr_lstm(gtr_reshape(y, gtr_shape3(GTR_BATCH, 1, 1)), "l", 3, none), GTR_ERR_SHAPE,
        "lstm|\"l\"|int32 (N, 1, 1)");
    BAD(gtr_gru(s, "l", 0, none), GTR_ERR_SHAPE, "gru|\"l\"|(N, 7, 1)|hidden 0|at least 1");
    BAD(gtr_rnn(s, "l", -3, none), GTR_ERR_SHAPE, "rnn|\"l\"|(N, 7, 1)|hidden -3|at least 1");
    BAD(gtr_rnn(s, "l", INT64_MAX, none), GTR_ERR_SHAPE, "rnn|\"l\"|hidden 9223372036854775807");
    BAD(gtr_rnn(s, NULL, 3, none), GTR_ERR_ARG, "rnn|name");
    d.layers = -1;
    BAD(gtr_gru(s, "l", 3, d), GTR_ERR_ARG, "gru|\"l\"|(N, 7, 1)|-1 layers|1 to 1000");
    d.layers = 0; d.dropout = 1;
    BAD(gtr_lstm(s, "l", 3, d), GTR_ERR_ARG, "lstm|\"l\"|(N, 7, 1)|dropout 1|below 1");
    d.dropout = (float)NAN;
    BAD(gtr_lstm(s, "l", 3, d), GTR_ERR_ARG, "lstm|\"l\"|(N, 7, 1)|dropout nan");
    d.dropout = 0; d.lengths = x;
    BAD(gtr_lstm(s, "l", 3, d), GTR_ERR_SHAPE, "lstm|\"l\"|(N, 7, 1)|lengths float32 (N, 7)|int32 (N,)");
    d.lengths = gtr_constant(ctx, GTR_I32, gtr_shape1(5), five);
    BAD(gtr_rnn(s, "l", 3, d), GTR_ERR_SHAPE, "rnn|\"l\"|(N, 7, 1)|lengths int32 (5,)|int32 (N,)");
    d.lengths = y; d.time_first = true;
    BAD(gtr_gru(s, "l", 3, d), GTR_ERR_SHAPE, "gru|\"l\"|(N, 7, 1)|hidden 3|float32 (T, N, I)");
    d.lengths = gtr_constant(ctx, GTR_I32, gtr_shape1(5), five);
    BAD(gtr_gru(gtr_permute(s, turned), "l", 3, d), GTR_ERR_SHAPE, "gru|\"l\"|(7, N, 1)|lengths int32 (5,)|int32 (N,)");
    d = none; d.h = h; d.c = c; d.layers = 2; d.h_last = last; d.c_last = last + 2;
    h[0] = w;
    BAD(gtr_lstm(s, "l", 7, d), GTR_ERR_SHAPE, "lstm|\"l\"|(N, 7, 1)|a first state float32 (5, 7)|(N, 7)");
    h[0] = y;
    BAD(gtr_lstm(s, "l", 7, d), GTR_ERR_SHAPE, "lstm|\"l\"|a first state int32 (N,)|float32 (N, H)");
    BAD(gtr_gru(s, "l", 7, d), GTR_ERR_ARG, "gru \"l\": .c is given, but not read: it is for gtr_lstm");
    d.c = NULL;
    BAD(gtr_rnn(s, "l", 7, d), GTR_ERR_ARG, "rnn \"l\": .c_last is given, but not read: it is for gtr_lstm");
    d.c_last = NULL; d.relu = true;
    BAD(gtr_gru(s, "l", 7, d), GTR_ERR_ARG, "gru \"l\": .relu is given, but not read: it is for gtr_rnn");
    d.relu = false; d.layers = 1; d.dropout = 0.1f;
    BAD(gtr_gru(s, "l", 7, d), GTR_ERR_ARG, "gru \"l\": .dropout is given, but not read: it is for more than one of "
        ".layers");
    d.layers = 2; d.dropout = 0; d.c = c; d.c_last = last + 2;
    h[0] = far_x;
    BAD(gtr_lstm(s, "l", 7, d), GTR_ERR_ARG, "different contexts");
    gtr_error_clear(far_x->ctx);
    h[0] = x; c[1] = w; /* of the second layer, behind a first whose states were there: none is left */
    for (int k = 0; k < 4; k++) last[k] = x;
    BAD(gtr_lstm(s, "l", 7, d), GTR_ERR_SHAPE, "lstm|\"l\"|a first state float32 (5, 7)|(N, 7)");
    for (int k = 0; k < 4; k++) CHECK(!last[k], "last state %d of a layer that failed is not NULL", k);
    for (int k = 0; k < 4; k++) last[k] = x;
    EXPECT(!gtr_lstm(NULL, "l", 7, d) && !gtr_gru(NULL, "l", 7, none) && !gtr_rnn(NULL, "l", 7, none));
    for (int k = 0; k < 4; k++) CHECK(!last[k], "last state %d of NULL is not NULL", k);
    EXPECT(!gtr_parameter_find(ctx, "l.weight_ih_l0"));
    c[1] = row;
    EXPECT(gtr_lstm(s, "l", 7, d) && last[0] && last[3] && gtr_parameter_find(ctx, "l.bias_hh_l1"));
    BAD(gtr_lstm(s, "l", 6, none), GTR_ERR_SHAPE,
        "lstm|\"l\"|hidden 6|weight_ih_l0 of that name is (28, 1), want (24, 1)");
    BAD(gtr_gru(s, "l", 7, none), GTR_ERR_SHAPE, "gru|\"l\"|hidden 7|(28, 1), want (21, 1)");
    BAD(gtr_lstm(gtr_reshape(x, gtr_shape3(GTR_BATCH, 1, 7)), "l", 7, none), GTR_ERR_SHAPE,
        "lstm|\"l\"|(N, 1, 7)|weight_ih_l0 of that name is (28, 1), want (28, 7)");
    EXPECT(!gtr_error(ctx));
}
static void bad_attention(gtr_context *ctx, gtr_tensor *x, gtr_tensor *y)
{
    gtr_tensor *q = gtr_reshape(x, gtr_shape4(GTR_BATCH, 1, 7, 1)), *s = gtr_reshape(x, gtr_shape3(GTR_BATCH, 7, 1)),
        *k = gtr_slice(q, 2, 0, 3);
    gtr_attention_desc d;
    gtr_multihead w;
    memset(&d, 0, sizeof d); memset(&w, 0, sizeof w);
    BAD(gtr_attention(x, q, q, d), GTR_ERR_SHAPE, "attention|(N, 7)|k float32 (N, 1, 7, 1)|(N, T, H, D)");
    BAD(gtr_attention(q, k, k, d), GTR_ERR_SHAPE, "attention|(N, 1, 3, 1)|a multiple of G");
    BAD(gtr_attention(q, q, NULL, d), GTR_ERR_ARG, "attention|argument 3 is NULL");
    BAD(gtr_attention(q, NULL, NULL, d), GTR_ERR_SHAPE, "attention|(N, 1, 7, 1)|(N, T, 3, H, D), or k");
    d.scale = -1;
    BAD(gtr_attention(q, q, q, d), GTR_ERR_ARG, "attention|scale -1");
    d.scale = 0; d.dropout = 1;
    BAD(gtr_attention(q, q, q, d), GTR_ERR_ARG, "0 <= p < 1");
    d.dropout = 0; d.mask = x;
    BAD(gtr_attention(q, q, q, d), GTR_ERR_SHAPE, "attention|mask float32 (N, 7)|(N, 7, 1, 1)");
    d.mask = NULL; d.lengths = x;
    BAD(gtr_attention(q, q, q, d), GTR_ERR_SHAPE, "attention|lengths float32 (N, 7)|int32 (N,)");
    d.lengths = NULL;
    BAD(gtr_multihead_attention(s, NULL, "m", 2, d), GTR_ERR_SHAPE, "multihead_attention|\"m\"|(N, 7, 1)|2 heads|E");
    BAD(gtr_multihead_attention(s, q, "m", 1, d), GTR_ERR_SHAPE, "multihead_attention|memory float32 (N, 1, 7, 1)");
    BAD(gtr_multihead_attention(s, NULL, "", 1, d), GTR_ERR_ARG, "multihead_attention|name");
    BAD(gtr_multihead_attention_with(s, NULL, w, 1, d), GTR_ERR_ARG, "out_proj_weight is NULL");
    w.in_proj_weight = w.out_proj_weight = x;
    BAD(gtr_multihead_attention_with(s, NULL, w, 1, d), GTR_ERR_SHAPE, "weights float32 (N, 7) and");
    d.lengths = y; d.dropout = 0.5f;
    EXPECT(gtr_multihead_attention(s, NULL, "m", 1, d) && gtr_parameter_find(ctx, "m.out_proj.bias"));
    BAD(gtr_multihead_attention(s, NULL, "m", 1, d), GTR_ERR_ARG, "already");
    BAD(gtr_rope(q, 0, 0), GTR_ERR_SHAPE, "rope|(N, 1, 7, 1)|D even");
    BAD(gtr_add_positions(s, 0), GTR_ERR_SHAPE, "add_positions|(N, 7, 1)|E even");
    BAD(gtr_add_positions(gtr_slice(gtr_reshape(x, gtr_shape3(GTR_BATCH, 1, 7)), 2, 0, 6), -1), GTR_ERR_ARG, "base -1");
    EXPECT(!gtr_rope(NULL, 0, 0) && !gtr_add_positions(NULL, 0));
    EXPECT(!gtr_attention(NULL, NULL, NULL, d) && !gtr_multihead_attention(NULL, NULL, "n", 1, d));
    EXPECT_OK(ctx);
}
static void bad_ops(void)
{
    gtr_context *ctx = context_on(GTR_DEVICE_CPU, 1), *other = context_on(GTR_DEVICE_CPU, 1);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 7)), *y = gtr_input(ctx, "y", GTR_I32,
        gtr_shape1(GTR_BATCH)), *w = gtr_parameter(ctx, "w", gtr_shape2(5, 7), init_of(GTR_INIT_UNIFORM, 1)),
        *b = gtr_parameter(ctx, "b", gtr_shape1(5), init_of(GTR_INIT_ZERO, 0)),
        *c = gtr_parameter(ctx, "c", gtr_shape3(2, 3, 4), init_of(GTR_INIT_ZERO, 0)), *s = gtr_mean(x, NULL, 0, false),
        *far_x = gtr_input(other, "x", GTR_F32, gtr_shape2(GTR_BATCH, 7)), *wide = gtr_input(ctx, "wide",
        GTR_F32, gtr_shape2(GTR_BATCH, (int64_t)1 << 40)), *tall = gtr_input(ctx, "tall", GTR_F32,
        gtr_shape3(1, (int64_t)1 << 40, 1)), *many = gtr_input(ctx, "many", GTR_F32, shape_of_rank(8, 1)), *ids =
        gtr_input(ctx, "ids", GTR_I32, shape_of_rank(8, 1)), *list[65], *mixed[2], *alike[2], *none[2], *foreign[2];
    int d01[2] = { 0, 1 }, d00[2] = { 0, 0 }, d02[2] = { 0, 2 }, dneg[2] = { -1, 0 }, axis2 = 2, axis_3 = -3,
        twice[2] = { 0, -2 }, k;
    gtr_shape zero = gtr_shape2(GTR_BATCH, 0), squared = gtr_shape2(-7, -1), rank9 = shape_of_rank(9, 1);
    gtr_custom_desc cd;
    for (k = 0; k < 65; k++) list[k] = x;
    mixed[0] = x; mixed[1] = y; alike[0] = x; alike[1] = w; none[0] = x; none[1] = NULL; foreign[0] = x;
    foreign[1] = far_x;
    EXPECT(x && y && w && b && c && s && far_x && wide && many && ids);
    EXPECT_OK(ctx);
    /* NULL in, NULL out; the first of these is also the error */
    EXPECT(!gtr_matmul(NULL, w) && !gtr_matmul(x, NULL) && !gtr_matmul_t(x, true, NULL, false) && !gtr_add(NULL, NULL)
        && !gtr_sub(x, NULL) && !gtr_mul(NULL, x) && !gtr_div(x, NULL) && !gtr_scale(NULL, 1, 2));
    EXPECT(!gtr_where(NULL, x, x) && !gtr_where(x, NULL, x) && !gtr_where(x, x, NULL) && !gtr_clamp(NULL, 0, 1)
        && !gtr_pow_scalar(NULL, 2) && !gtr_pow_scalar(NULL, 3) && !gtr_silu(NULL) && !gtr_maximum(x, NULL));
    EXPECT(!gtr_relu(NULL) && !gtr_tanh(NULL) && !gtr_sigmoid(NULL) && !gtr_gelu(NULL) && !gtr_gelu_tanh(NULL)
        && !gtr_exp(NULL) && !gtr_log(NULL) && !gtr_reshape(NULL, zero) && !gtr_flatten(NULL));
    EXPECT(!gtr_permute(NULL, d01) && !gtr_concat(none, 2, 0) && !gtr_concat(NULL, 2, 0) && !gtr_slice(NULL, 0, 0, 1)
        && !gtr_sum(NULL, NULL, 0, false) && !gtr_mean(NULL, NULL, 0, false) && !gtr_softmax(NULL, 0));
    EXPECT(!gtr_dropout(NULL, "d", 0.5f) && !gtr_stop_gradient(NULL) && !gtr_argmax(NULL, 0) && !gtr_accuracy(NULL, y)
        && !gtr_accuracy(x, NULL) && !gtr_gradient(NULL, x) && !gtr_gradient(s, NULL));
    EXPECT(!gtr_linear(NULL, "l", 3) && !gtr_linear_with(NULL, w, b) && !gtr_linear_with(x, NULL, b)
        && !gtr_embedding(NULL, "e", 3, 3) && !gtr_embedding_with(NULL, w) && !gtr_embedding_with(y, NULL));
    EXPECT(!gtr_batch_norm(NULL, "n") && !gtr_cross_entropy(NULL, y) && !gtr_cross_entropy(x, NULL) && !gtr_mse(x, NULL)
        && !gtr_bce_with_logits(NULL, x) && !gtr_keep(NULL));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "matmul: argument 1 is NULL");
    BAD(gtr_matmul(x, w), GTR_ERR_SHAPE, "matmul|(N, 7)|(5, 7)|(..., M, K)");
    BAD(gtr_matmul_t(x, true, w, true), GTR_ERR_SHAPE, "matmul|(N, 7)|(5, 7)|(..., K, M)");
    BAD(gtr_matmul(x, b), GTR_ERR_SHAPE, "matmul|(5,)|two dimensions");
    BAD(gtr_matmul(x, y), GTR_ERR_SHAPE, "matmul|int32|float32");
    BAD(gtr_matmul(c, gtr_parameter(ctx, "c3", gtr_shape3(3, 4, 2), init_of(GTR_INIT_ZERO, 0))), GTR_ERR_SHAPE,
        "matmul|(2, 3, 4)|(3, 4, 2)");
    BAD(gtr_matmul_t(wide, true, wide, false), GTR_ERR_SHAPE, "matmul|(1099511627776, 1099511627776)");
    BAD(gtr_matmul(x, far_x), GTR_ERR_ARG, "matmul|different contexts");
    EXPECT(gtr_error(other) == GTR_ERR_ARG);
    gtr_error_clear(other);
    BAD(gtr_add(x, w), GTR_ERR_SHAPE, "add|(N, 7)|(5, 7)|broadcast");
    BAD(gtr_sub(x, b), GTR_ERR_SHAPE, "sub|(N, 7)|(5,)|broadcast");
    BAD(gtr_mul(x, y), GTR_ERR_SHAPE, "mul|input 2|int32|float32");
    BAD(gtr_div(far_x, x), GTR_ERR_ARG, "div|different contexts");
    gtr_error_clear(other);
    BAD(gtr_add(wide, tall), GTR_ERR_SHAPE, "add|1099511627776");
    bad_itself(ctx, x, y);
    BAD(gtr_scale(x, (float)NAN, 0), GTR_ERR_ARG, "scale|nan");
    BAD(gtr_scale(x, 1, (float)INFINITY), GTR_ERR_ARG, "scale|inf");
    BAD(gtr_scale(y, 1, 1), GTR_ERR_SHAPE, "scale|int32|float32");
    BAD(gtr_clamp(x, 2, 1), GTR_ERR_ARG, "clamp|2 and 1|order");
    BAD(gtr_clamp(x, (float)NAN, 1), GTR_ERR_ARG, "clamp|nan");
    BAD(gtr_softplus(x, -1), GTR_ERR_ARG, "softplus|-1|beta");
    BAD(gtr_elu(x, (float)INFINITY), GTR_ERR_ARG, "elu|inf|alpha");
    BAD(gtr_leaky_relu(x, (float)NAN), GTR_ERR_ARG, "leaky_relu|nan|slope");
    BAD(gtr_pow_scalar(x, (float)NAN), GTR_ERR_ARG, "pow_scalar|nan|exponent");
    BAD(gtr_where(y, x, x), GTR_ERR_SHAPE, "where of|int32|float32");
    EXPECT(gtr_leaky_relu(x, 0)->attr.ew.a == (double)0.01f && gtr_elu(x, 0)->attr.ew.a == 1
        && gtr_softplus(x, 0)->attr.ew.a == 1 && gtr_clamp(x, -(float)INFINITY, 1));
    EXPECT(gtr_pow_scalar(x, 2)->op == GTR__OP_SQUARE && gtr_pow_scalar(x, 0.5f)->op == GTR__OP_SQRT
        && gtr_pow_scalar(x, 3)->op == GTR__OP_MUL && gtr_pow_scalar(x, -0.5f)->op == GTR__OP_RSQRT
        && gtr_pow_scalar(x, -1)->op == GTR__OP_RECIPROCAL);
    BAD(gtr_relu(y), GTR_ERR_SHAPE, "relu|int32|float32");
    BAD(gtr_tanh(y), GTR_ERR_SHAPE, "tanh|int32");
    BAD(gtr_sigmoid(y), GTR_ERR_SHAPE, "sigmoid|int32");
    BAD(gtr_gelu(y), GTR_ERR_SHAPE, "gelu|int32");
    BAD(gtr_gelu_tanh(y), GTR_ERR_SHAPE, "gelu_tanh|int32");
    BAD(gtr_exp(y), GTR_ERR_SHAPE, "exp|int32");
    BAD(gtr_log(y), GTR_ERR_SHAPE, "log|int32");
    BAD(gtr_reshape(x, gtr_shape2(GTR_BATCH, 8)), GTR_ERR_SHAPE, "reshape|(N, 7)|(N, 8)|elements");
    BAD(gtr_reshape(x, gtr_shape1(7)), GTR_ERR_SHAPE, "reshape|(N, 7)|(7,)");
    BAD(gtr_reshape(x, zero), GTR_ERR_SHAPE, "reshape|(N, 0)");
    BAD(gtr_reshape(x, squared), GTR_ERR_SHAPE, "reshape|(7*N, N)");
    BAD(gtr_reshape(x, rank9), GTR_ERR_SHAPE, "reshape|9 dimensions|8");
    BAD(gtr_reshape(c, gtr_shape1(-5)), GTR_ERR_SHAPE, "reshape|(2, 3, 4)|(5*N,)");
    BAD(gtr_reshape(c, gtr_shape2(GTR_BATCH, 12)), GTR_ERR_SHAPE, "reshape|(2, 3, 4)|(N, 12)|without the batch");
    BAD(gtr_permute(x, NULL), GTR_ERR_ARG, "permute|NULL");
    BAD(gtr_permute(x, d00), GTR_ERR_SHAPE, "permute|(N, 7)|once");
    BAD(gtr_permute(x, d02), GTR_ERR_SHAPE, "permute|(N, 7)");
    BAD(gtr_permute(x, dneg), GTR_ERR_SHAPE, "permute|(N, 7)");
    BAD(gtr_permute(y, d01), GTR_ERR_SHAPE, "permute|int32");
    BAD(gtr_concat(alike, 2, 1), GTR_ERR_SHAPE, "concat|(N, 7)|(5, 7)|number 2");
    BAD(gtr_concat(list, 2, 0), GTR_ERR_SHAPE, "concat|(N, 7)|not the batch");
    BAD(gtr_concat(list, 2, 2), GTR_ERR_ARG, "concat|axis 2|2 dimensions");
    BAD(gtr_concat(list, 2, -3), GTR_ERR_ARG, "concat|axis -3");
    BAD(gtr_concat(list, 65, 1), GTR_ERR_ARG, "concat|65");
    BAD(gtr_concat(mixed, 2, 0), GTR_ERR_SHAPE, "concat|int32");
    BAD(gtr_concat(foreign, 2, 1), GTR_ERR_ARG, "concat|different contexts");
    BAD(gtr_stack(foreign, 2, 1), GTR_ERR_ARG, "stack|different contexts");
    gtr_error_clear(other);
    EXPECT(gtr_concat(list, 0, 1) == NULL);
    gtr_error_clear(ctx);
    BAD(gtr_slice(x, 0, 0, 1), GTR_ERR_ARG, "slice|(N, 7)|batch");
    BAD(gtr_slice(x, 1, 3, 3), GTR_ERR_ARG, "slice|begin 3|end 3|(N, 7)");
    BAD(gtr_slice(x, 1, -1, 3), GTR_ERR_ARG, "slice|begin -1");
    BAD(gtr_slice(x, 1, 0, 8), GTR_ERR_ARG, "slice|end 8|(N, 7)");
    BAD(gtr_slice(x, 1, INT64_MIN, INT64_MAX), GTR_ERR_ARG, "slice");
    BAD(gtr_slice(x, 5, 0, 1), GTR_ERR_ARG, "slice|axis 5");
    BAD(gtr_sum(x, &axis2, 1, false), GTR_ERR_ARG, "sum|axis 2|2 dimensions");
    BAD(gtr_mean(x, &axis_3, 1, true), GTR_ERR_ARG, "mean|axis -3");
    BAD(gtr_sum(x, twice, 2, false), GTR_ERR_ARG, "sum|axis 0|twice");
    BAD(gtr_sum(x, NULL, 1, false), GTR_ERR_ARG, "sum|axes");
    BAD(gtr_mean(x, d01, -1, false), GTR_ERR_ARG, "mean|-1 axes");
    BAD(gtr_mean(y, NULL, 0, false), GTR_ERR_SHAPE, "mean|int32");
    BAD(gtr_softmax(x, 2), GTR_ERR_ARG, "softmax|axis 2|2 dimensions");
    BAD(gtr_softmax(y, 0), GTR_ERR_SHAPE, "softmax|int32");
    BAD(gtr_argmax(x, -3), GTR_ERR_ARG, "argmax|axis -3");
    BAD(gtr_argmax(wide, 1), GTR_ERR_SHAPE, "argmax|(N, 1099511627776)");
    BAD(gtr_argmax(y, 0), GTR_ERR_SHAPE, "argmax|int32");
    BAD(gtr_dropout(x, "d", 1), GTR_ERR_ARG, "dropout|1|0 <= p < 1");
    BAD(gtr_dropout(x, "d", -0.1f), GTR_ERR_ARG, "dropout|-0.1");
    BAD(gtr_dropout(x, "d", (float)NAN), GTR_ERR_ARG, "dropout|nan");
    BAD(gtr_dropout(y, "d", 0.5f), GTR_ERR_SHAPE, "dropout|\"d\"|int32");
    EXPECT(gtr_dropout(x, "d", 0.5f) != NULL);
    BAD(gtr_dropout(x, "d", 0.5f), GTR_ERR_ARG, "dropout|\"d\"|already");
    EXPECT(gtr_random_gumbel(x, NULL) && gtr_random_uniform(x, "u"));
    BAD(gtr_random_normal(x, "u"), GTR_ERR_ARG, "random|\"u\"|already");
    BAD(gtr_random_uniform(y, "i"), GTR_ERR_SHAPE, "random|\"i\"|int32");
    BAD(gtr_layer_norm_with(x, b, NULL, 0), GTR_ERR_SHAPE, "layer_norm|(N, 7)|(5,)|weight (K)");
    BAD(gtr_rms_norm_with(x, c, 0), GTR_ERR_SHAPE, "rms_norm|(N, 7)|(2, 3, 4)|weight (K)");
    BAD(gtr_rms_norm(x, "ln", 0, -1), GTR_ERR_ARG, "rms_norm|\"ln\"|eps is -1");
    BAD(gtr_layer_norm(x, "ln", 3, 0), GTR_ERR_SHAPE, "layer_norm|\"ln\"|\"x\"|(N, 7)|dims 3|1 to its 1");
    BAD(gtr_layer_norm(x, "ln", 2, 0), GTR_ERR_SHAPE, "ln\"|(N, 7)|dims 2|1 to its 1");    /* not the batch */
    BAD(gtr_rms_norm(y, "ln", 0, 0), GTR_ERR_SHAPE, "");
    BAD(gtr_layer_norm(x, NULL, 0, 0), GTR_ERR_ARG, "layer_norm|name");
    BAD(gtr_prelu_with(x, b), GTR_ERR_SHAPE, "prelu|(C,)|(N, C, ...)");
    BAD(gtr_prelu(x, "", true), GTR_ERR_ARG, "prelu|name");
    BAD(gtr_prelu(y, "p", true), GTR_ERR_SHAPE, "");
    BAD(gtr_bilinear_with(x, x, c, NULL), GTR_ERR_SHAPE, "bilinear|(M, A, B)");
    BAD(gtr_bilinear(x, x, "b", 0), GTR_ERR_SHAPE, "(0, 7, 7)");
    BAD(gtr_bilinear(x, b, "b", 3), GTR_ERR_SHAPE, "");
    BAD(gtr_residual(x, w, "r"), GTR_ERR_SHAPE, "residual|\"r\"|(N, 7)|(5, 7)");
    BAD(gtr_residual(x, gtr_slice(x, 1, 0, 3), NULL), GTR_ERR_SHAPE, "residual|(N, 7)|(N, 3)|a name");
    BAD(gtr_residual(x, b, "r"), GTR_ERR_SHAPE, "residual|(N, 7)|(5,)");
    BAD(gtr_residual(gtr_slice(c, 2, 0, 3), gtr_slice(c, 1, 0, 2), "r"), GTR_ERR_SHAPE, "residual|(2, 3, 3)|(2, 2, 4)");
    BAD(gtr_residual(c, gtr_slice(c, 0, 0, 1), "r"), GTR_ERR_SHAPE, "residual|(2, 3, 4)|(1, 3, 4)");
    BAD(gtr_residual(x, far_x, NULL), GTR_ERR_ARG, "residual|different contexts");
    gtr_error_clear(other);
    BAD(gtr_residual(x, NULL, "r"), GTR_ERR_ARG, "residual|argument 2 is NULL");
    bad_cells(ctx, x, y, w);
    bad_recurrences(ctx, x, y, w, far_x);
    bad_attention(ctx, x, y);
    EXPECT(!gtr_parameter_find(ctx, "b.weight") && !gtr_parameter_find(ctx, "p.weight")
        && !gtr_parameter_find(ctx, "r.weight"));
    BAD(gtr_accuracy(x, x), GTR_ERR_SHAPE, "accuracy|input 2|float32|int32");
    BAD(gtr_accuracy(c, y), GTR_ERR_SHAPE, "accuracy|(N,)|(2, 4)");
    BAD(gtr_accuracy(w, y), GTR_ERR_SHAPE, "accuracy|(5, 7)|(N,)");
    EXPECT(gtr_cross_entropy(c, c) != NULL);
    BAD(gtr_cross_entropy(c, y), GTR_ERR_SHAPE, "cross_entropy|(N,)|(2, 4)");
    BAD(gtr_cross_entropy(b, y), GTR_ERR_SHAPE, "cross_entropy|(5,)");
    BAD(gtr_cross_entropy(gtr_slice(x, 1, 0, 1), y), GTR_ERR_SHAPE, "cross_entropy|one class");
    BAD(gtr_cross_entropy_ex(x, y, smoothing(-1, -100)), GTR_ERR_ARG, "cross_entropy|label_smoothing|-0.01");
    BAD(gtr_cross_entropy_ex(x, y, smoothing(101, -100)), GTR_ERR_ARG, "cross_entropy|label_smoothing|1.01");
    BAD(gtr_cross_entropy(far_x, y), GTR_ERR_ARG, "cross_entropy|different contexts");
    gtr_error_clear(other);
    BAD(gtr_mse(x, w), GTR_ERR_SHAPE, "mse|(N, 7)|(5, 7)|equal");
    BAD(gtr_mse(x, y), GTR_ERR_SHAPE, "mse|int32");
    BAD(gtr_bce_with_logits(w, x), GTR_ERR_SHAPE, "bce_with_logits|(5, 7)|(N, 7)|equal");
    BAD(gtr_bce_with_logits(x, far_x), GTR_ERR_ARG, "bce_with_logits|different contexts");
    gtr_error_clear(other);
    BAD(gtr_linear(x, "fc", 0), GTR_ERR_SHAPE, "linear|\"fc\"|(N, 7)|0 features");
    BAD(gtr_linear(x, "fc", -4), GTR_ERR_SHAPE, "linear|\"fc\"|-4");
    BAD(gtr_linear(x, "fc", INT64_MAX), GTR_ERR_SHAPE, "fc.weight|too large");
    BAD(gtr_linear(x, NULL, 3), GTR_ERR_ARG, "linear|name");
    BAD(gtr_linear(x, "", 3), GTR_ERR_ARG, "linear|name");
    BAD(gtr_linear(y, "fc", 3), GTR_ERR_SHAPE, "linear|\"fc\"|(N,)|int32");
    BAD(gtr_linear(s, "fc", 3), GTR_ERR_SHAPE, "linear|\"fc\"|()|(..., K)");
    EXPECT(gtr_linear(x, "fc", 3) != NULL);
    BAD(gtr_linear(x, "fc", 3), GTR_ERR_ARG, "\"fc.weight\"|already");
    gtr_scope_begin(ctx, "block.0");
    BAD(gtr_linear(y, "fc", 3), GTR_ERR_SHAPE, "linear|\"block.0.fc\"");
    gtr_scope_end(ctx);
    BAD(gtr_linear_with(x, c, NULL), GTR_ERR_SHAPE, "linear|(N, 7)|(2, 3, 4)");
    BAD(gtr_linear_with(c, w, b), GTR_ERR_SHAPE, "linear|(2, 3, 4)|(5, 7)|(5,)");
    BAD(gtr_linear_with(x, w, w), GTR_ERR_SHAPE, "linear|(N, 7)|(5, 7)|bias (M,)");
    BAD(gtr_linear_with(y, w, b), GTR_ERR_SHAPE, "linear|int32");
    BAD(gtr_linear_with(far_x, w, b), GTR_ERR_ARG, "linear|different contexts");
    gtr_error_clear(other);
    BAD(gtr_embedding(x, "em", 3, 3), GTR_ERR_SHAPE, "embedding|\"em\"|float32|int32");
    BAD(gtr_embedding(y, "em", 0, 3), GTR_ERR_SHAPE, "embedding|\"em\"|0 rows|width 3");
    BAD(gtr_embedding(y, "em", 3, -2), GTR_ERR_SHAPE, "embedding \"em\"|width -2");
    BAD(gtr_embedding(y, "em", (int64_t)1 << 40, (int64_t)1 << 40), GTR_ERR_SHAPE, "em.weight|too large");
    BAD(gtr_embedding(y, NULL, 3, 3), GTR_ERR_ARG, "embedding|name");
    BAD(gtr_embedding_with(x, w), GTR_ERR_SHAPE, "embedding|float32|int32");
    BAD(gtr_embedding_with(y, b), GTR_ERR_SHAPE, "embedding|(N,)|(5,)|(V, E)");
    BAD(gtr_embedding_with(y, x), GTR_ERR_SHAPE, "embedding|(N,)|(N, 7)|(V, E)");
    BAD(gtr_embedding_with(ids, w), GTR_ERR_SHAPE, "embedding|7 dimensions");
    BAD(gtr_batch_norm(b, "bn"), GTR_ERR_SHAPE, "batch_norm|\"bn\"|(5,)|(N, C, ...)");
    BAD(gtr_batch_norm(y, "bn"), GTR_ERR_SHAPE, "batch_norm|\"bn\"|int32");
    BAD(gtr_batch_norm(x, ""), GTR_ERR_ARG, "batch_norm|name");
    BAD(gtr_batch_norm_ex(x, "bn", norm_desc(-1)), GTR_ERR_SHAPE, "batch_norm|\"bn\"|-1");
    BAD(gtr_batch_norm_ex(x, "bn", norm_desc((float)NAN)), GTR_ERR_SHAPE, "batch_norm|nan");
    bad_norms(ctx, x);
    cd = custom_desc(x, x, 0);
    BAD(gtr_custom(ctx, cd), GTR_ERR_ARG, "custom|\"mine\"|0 inputs|1 to 8");
    cd.n_in = 9;
    BAD(gtr_custom(ctx, cd), GTR_ERR_ARG, "custom|9 inputs");
    cd = custom_desc(x, x, 2); cd.forward = NULL;
    BAD(gtr_custom(ctx, cd), GTR_ERR_ARG, "custom|forward");
    cd = custom_desc(x, x, 2); cd.name = NULL;
    BAD(gtr_custom(ctx, cd), GTR_ERR_ARG, "custom|name");
    cd = custom_desc(x, far_x, 2);
    BAD(gtr_custom(ctx, cd), GTR_ERR_ARG, "custom|\"mine\"|different contexts");
    gtr_error_clear(other);
    cd = custom_desc(x, x, 2); cd.shape = bad_shape;
    BAD(gtr_custom(ctx, cd), GTR_ERR_SHAPE, "custom|\"mine\"|(0, 7)");
    cd = custom_desc(x, x, 2); cd.shape = no_shape;
    BAD(gtr_custom(ctx, cd), GTR_ERR_USER, "custom|\"mine\"|shape function");
    BAD(gtr_custom(ctx, custom_desc(x, NULL, 2)), GTR_ERR_ARG, "custom|argument 2 is NULL");
    BAD(gtr_gradient(x, w), GTR_ERR_SHAPE, "gradient|\"x\"|(N, 7)|one float32");
    BAD(gtr_gradient(s, y), GTR_ERR_SHAPE, "gradient|\"y\"|int32|float32");
    BAD(gtr_gradient(gtr_sum(gtr_gradient(s, x), NULL, 0, false), x), GTR_ERR_UNSUPPORTED, "gradient of a gradient");
    BAD(gtr_gradient(s, far_x), GTR_ERR_ARG, "gradient|different contexts");
    gtr_error_clear(other);
    EXPECT(gtr_flatten(many) && gtr_flatten(s));
    EXPECT_OK(ctx);
    EXPECT_OK(other);
    gtr_destroy(other);
    gtr_destroy(ctx);
}
/* What only shows when values are there: it is refused, nothing is computed, and the next run is right. */
/* Of ops over axes: NULL passes through, and what is wrong is refused, without what was made for it. */
static void bad_axes(void)
{
    gtr_context *ctx = context_on(GTR_DEVICE_CPU, 1);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 7)), *y = gtr_input(ctx, "y", GTR_I32,
        gtr_shape1(GTR_BATCH)), *c = gtr_parameter(ctx, "c", gtr_shape3(2, 3, 4), init_of(GTR_INIT_ZERO, 0)),
        *pair[2], *none[2] = { NULL, NULL }, *ids = gtr_input(ctx, "ids", GTR_I32, gtr_shape2(GTR_BATCH, 2));
    int batch = 0, axis3 = 3, twice[2] = { 0, -2 }, flips[2] = { 1, 5 };
    int64_t ends[4] = { 1, 1, 0, 1 }, wide[2] = { 7, 0 }, cut[2] = { -3, -4 }, times[3] = { 2, 1, 0 },
        far_out[2] = { 0, INT64_MAX }, mark;
    pair[0] = x; pair[1] = c;
    EXPECT(!gtr_logsumexp(NULL, NULL, 0, false) && !gtr_max(NULL, NULL, 0, false) && !gtr_min(NULL, NULL, 0, false)
        && !gtr_prod(NULL, NULL, 0, false) && !gtr_var(NULL, NULL, 0, true, false) && !gtr_norm(NULL, 7, NULL, 0, false)
        && !gtr_log_softmax(NULL, 0) && !gtr_argmin(NULL, 0) && !gtr_cumsum(NULL, 0) && !gtr_sort(NULL, 0, true)
        && !gtr_softmax_mask(NULL, NULL, 0) && !gtr_top_k(NULL, 1, 0) && !gtr_one_hot(NULL, 3)
        && !gtr_gather_rows(NULL, NULL) && !gtr_to_float(NULL)
        && !gtr_slice_step(NULL, 0, 0, 1, 2) && !gtr_gather(NULL, 0, NULL) && !gtr_to_int(NULL)
        && !gtr_scatter_add_rows(NULL, NULL, 3) && !gtr_where(NULL, NULL, NULL) && !gtr_linear_with(NULL, NULL, NULL));
    EXPECT(!gtr_pad(NULL, ends, 2, GTR_PAD_CONSTANT, 0) && !gtr_tile(NULL, times) && !gtr_roll(NULL, 1, 0)
        && !gtr_flip(NULL, &batch, 1) && !gtr_stack(NULL, 2, 0) && !gtr_stack(none, 2, 0));
    EXPECT_OK(ctx);
    mark = gtr_mark(ctx);
    pair[1] = NULL;
    BAD(gtr_concat(pair, 2, 0), GTR_ERR_ARG, "concat|argument 2 is NULL");
    BAD(gtr_stack(pair, 2, 0), GTR_ERR_ARG, "stack|argument 2 is NULL");
    pair[1] = c;
    BAD(gtr_gather_rows(NULL, y), GTR_ERR_ARG, "gather_rows|argument 1 is NULL");
    BAD(gtr_scatter_add_rows(y, NULL, 3), GTR_ERR_ARG, "scatter_add|argument 2 is NULL");
    BAD(gtr_gather(x, 1, NULL), GTR_ERR_ARG, "gather|argument 2 is NULL");
    BAD(gtr_linear_with(x, NULL, NULL), GTR_ERR_ARG, "linear|argument 2 is NULL");
    BAD(gtr_softmax_mask(x, NULL, 1), GTR_ERR_ARG, "softmax_mask|argument 2 is NULL");
    BAD(gtr_softmax_mask(x, c, 1), GTR_ERR_SHAPE, "softmax_mask|(N, 7)|(2, 3, 4)|a mask of x's shape");
    BAD(gtr_softmax_mask(x, y, 1), GTR_ERR_SHAPE, "softmax_mask|input 2|int32|float32");
    BAD(gtr_softmax_mask(x, x, 2), GTR_ERR_ARG, "softmax_mask|axis 2|2 dimensions");
    BAD(gtr_add(NULL, x), GTR_ERR_ARG, "add|argument 1 is NULL");
    BAD(gtr_where(x, x, NULL), GTR_ERR_ARG, "where|argument 3 is NULL");
    BAD(gtr_prelu_with(x, NULL), GTR_ERR_ARG, "prelu|argument 2 is NULL");
    BAD(gtr_bilinear_with(x, x, NULL, NULL), GTR_ERR_ARG, "bilinear|argument 3 is NULL");
    BAD(gtr_gradient(c, NULL), GTR_ERR_ARG, "gradient|argument 2 is NULL");
    BAD(gtr_where(x, y, x), GTR_ERR_SHAPE, "where of|int32");
    BAD(gtr_roll(y, 1, 1), GTR_ERR_ARG, "roll|axis 1");
    BAD(gtr_sum(x, &axis3, 3, false), GTR_ERR_ARG, "sum|3 axes");
    BAD(gtr_layer_norm(x, "n", INT32_MIN, 0), GTR_ERR_SHAPE, "layer_norm|\"n\"|(N, 7)|dims -2147483648|1 to its 1");
    BAD(gtr_rms_norm(x, "n", 3, 0), GTR_ERR_SHAPE, "rms_norm|\"n\"|dims 3|1 to its 1");
    BAD(gtr_prelu(gtr_reshape(x, gtr_shape1(-7)), "p", true), GTR_ERR_SHAPE, "prelu|\"p\"|(N, C, ...)");
    gtr_release(ctx, mark);
    BAD(gtr_logsumexp(x, &axis3, 1, false), GTR_ERR_ARG, "logsumexp|axis 3");
    BAD(gtr_max(x, twice, 2, false), GTR_ERR_ARG, "max|named twice");
    BAD(gtr_min(y, NULL, 0, false), GTR_ERR_SHAPE, "min|int32");
    BAD(gtr_prod(x, NULL, 2, false), GTR_ERR_ARG, "prod|2 axes");
    BAD(gtr_var(x, NULL, -1, false, false), GTR_ERR_ARG, "var|-1 axes");
    BAD(gtr_norm(x, 3, NULL, 0, false), GTR_ERR_ARG, "norm|3|1, 2 or INFINITY");
    BAD(gtr_norm(x, (float)NAN, NULL, 0, false), GTR_ERR_ARG, "norm|nan");
    BAD(gtr_log_softmax(x, 2), GTR_ERR_ARG, "log_softmax|axis 2");
    BAD(gtr_argmin(x, -3), GTR_ERR_ARG, "min|axis -3");
    BAD(gtr_cumsum(y, 0), GTR_ERR_SHAPE, "cumsum|int32");
    BAD(gtr_sort(x, 2, false), GTR_ERR_ARG, "sort|axis 2");
    BAD(gtr_top_k(x, 8, 1), GTR_ERR_SHAPE, "top_k of|k 8|axis 1|(N, 7)|from 1 to all");
    BAD(gtr_top_k(x, 0, 1), GTR_ERR_SHAPE, "top_k of|k 0|(N, 7)|from 1 to all");
    BAD(gtr_top_k(x, 2, 0), GTR_ERR_SHAPE, "top_k of|k 2|axis 0|(N, 7)|not the batch");
    BAD(gtr_one_hot(x, 3), GTR_ERR_SHAPE, "one_hot|float32");
    BAD(gtr_one_hot(y, -1), GTR_ERR_SHAPE, "one_hot of \"y\"|-1 classes");
    BAD(gtr_gather_rows(x, y), GTR_ERR_SHAPE, "gather_rows|not the batch");
    BAD(gtr_gather_rows(c, x), GTR_ERR_SHAPE, "gather_rows of|int32");
    BAD(gtr_gather(x, 1, x), GTR_ERR_SHAPE, "gather|input 2|float32|int32");
    BAD(gtr_gather(ids, 1, ids), GTR_ERR_SHAPE, "gather|input 1|int32|float32");
    BAD(gtr_gather(x, 1, y), GTR_ERR_SHAPE, "gather|(N, 7)|(N,)|x's shape but for the axis");
    BAD(gtr_gather(c, 1, ids), GTR_ERR_SHAPE, "gather|(2, 3, 4)|(N, 2)|but for the axis");
    BAD(gtr_gather(x, 0, ids), GTR_ERR_SHAPE, "gather|(N, 7)|(N, 2)|not x's batch");
    BAD(gtr_gather(x, 2, ids), GTR_ERR_ARG, "gather|axis 2|2 dimensions");
    BAD(gtr_gather(x, -3, ids), GTR_ERR_ARG, "gather|axis -3");
    BAD(gtr_to_float(x), GTR_ERR_SHAPE, "to_float|float32|int32");
    BAD(gtr_to_int(y), GTR_ERR_SHAPE, "to_int|int32|float32");
    BAD(gtr_slice_step(x, 1, 0, 7, 0), GTR_ERR_ARG, "slice_step|step 0|(N, 7)|at least 1");
    BAD(gtr_slice_step(x, 1, 0, 7, -2), GTR_ERR_ARG, "slice_step|step -2");
    BAD(gtr_slice_step(x, 1, 3, 3, 2), GTR_ERR_ARG, "slice_step|begin 3|end 3");
    BAD(gtr_slice_step(x, 1, 0, 8, 2), GTR_ERR_ARG, "slice_step|end 8|(N, 7)");
    BAD(gtr_slice_step(x, 1, INT64_MIN, INT64_MAX, INT64_MAX), GTR_ERR_ARG, "slice_step");
    BAD(gtr_slice_step(x, 0, 0, 1, 2), GTR_ERR_ARG, "slice_step|(N, 7)|not the batch");
    BAD(gtr_slice_step(x, 0, 0, 1, 1), GTR_ERR_ARG, "slice_step|(N, 7)|not the batch");
    BAD(gtr_slice_step(x, 5, 0, 1, 2), GTR_ERR_ARG, "slice_step|axis 5");
    BAD(gtr_slice_step(y, 0, 0, 1, 2), GTR_ERR_ARG, "slice_step|not the batch");
    BAD(gtr_scatter_add_rows(y, c, 3), GTR_ERR_SHAPE, "scatter_add|(N,)|(2, 3, 4)|ids (...)");
    BAD(gtr_scatter_add_rows(y, x, 0), GTR_ERR_SHAPE, "scatter_add|(0, 7)");
    BAD(gtr_pad(x, ends, 2, GTR_PAD_CONSTANT, 0), GTR_ERR_ARG, "pad|dimension 0|batch");
    BAD(gtr_pad(x, wide, 1, GTR_PAD_REFLECT, 0), GTR_ERR_ARG, "pad of \"x\"|(N, 7)|7 elements in front|fewer than it");
    BAD(gtr_pad(x, far_out, 1, GTR_PAD_CONSTANT, 0), GTR_ERR_ARG, "pad|dimension 1|9223372036854775807 behind|2^28");
    BAD(gtr_pad(x, cut, 1, GTR_PAD_CONSTANT, 0), GTR_ERR_ARG, "pad|-3 elements in front and -4 behind|1 to 2^28");
    BAD(gtr_pad(x, ends, 3, GTR_PAD_CONSTANT, 0), GTR_ERR_ARG, "pad|3 pairs");
    BAD(gtr_pad(x, ends, 1, (gtr_pad_mode)4, 0), GTR_ERR_ARG, "pad|no gtr_pad_mode");
    BAD(gtr_pad(x, ends, 5, GTR_PAD_CONSTANT, 0), GTR_ERR_ARG, "pad of \"x\"|(N, 7), 5 pairs|1 to 2");
    /* the text names what was called, not an op that it is made of */
    BAD(gtr_split(x, 5, 2), GTR_ERR_ARG, "split of \"x\"|axis 5");
    BAD(gtr_split(x, 0, 1), GTR_ERR_ARG, "split of \"x\"|dimension 0|not of the batch");
    BAD(gtr_tile(x, (const int64_t[]){ 1, 0 }), GTR_ERR_ARG, "tile of \"x\"|0 times dimension 1");
    BAD(gtr_tile(x, (const int64_t[]){ 2, 1 }), GTR_ERR_ARG, "tile of \"x\"|dimension 0|the batch");
    BAD(gtr_roll(x, 1, 0), GTR_ERR_ARG, "roll of \"x\"|dimension 0|the batch");
    BAD(gtr_tile(c, times), GTR_ERR_ARG, "tile|dimension 2");
    times[0] = 2; times[1] = 1;
    BAD(gtr_tile(x, times), GTR_ERR_ARG, "tile|dimension 0|batch");
    BAD(gtr_roll(x, 1, 0), GTR_ERR_ARG, "roll|dimension 0|batch");
    BAD(gtr_flip(x, &batch, 1), GTR_ERR_ARG, "flip|dimension 0|batch");
    BAD(gtr_flip(c, flips, 2), GTR_ERR_ARG, "flip|axis 5");
    BAD(gtr_stack(pair, 2, 0), GTR_ERR_SHAPE, "stack of|(2, 3, 4) as number 1|(N, 7)");
    BAD(gtr_stack(&x, 1, 3), GTR_ERR_ARG, "stack|axis 3");
    EXPECT(gtr_mark(ctx) == mark);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* What an op makes is another tensor than what it is given, also where nothing changes: a gradient by it is of what
   flows through it alone, here 3 of the 5 of x. */
static void own_tensors(void)
{
    static const int same[2] = { 0, 1 }, last = 1;
    const int64_t none[4] = { 0, 0, 0, 0 }, ones[2] = { 1, 1 };
    enum { OWN = 15 };
    for (int k = 0; k < OWN; k++) {
        gtr_context *ctx = context_on(GTR_DEVICE_CPU, 1);
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3)), *t = NULL, *by[2];
        const gtr_float v[6] = { 1, 2, 3, 4, 5, 6 };
        gtr_float d[2][6];
        switch (k) {
        case 0: t = gtr_pad(x, none, 2, GTR_PAD_REFLECT, 0); break;
        case 1: t = gtr_tile(x, ones); break;
        case 2: t = gtr_flip(x, NULL, 0); break;
        case 3: t = gtr_roll(x, 0, 1); break;
        case 4: t = gtr_reshape(x, gtr_tensor_shape(x)); break;
        case 5: t = gtr_flatten(x); break;
        case 6: t = gtr_permute(x, same); break;
        case 7: t = gtr_concat(&x, 1, 1); break;
        case 8: t = gtr_slice(x, 1, 0, 3); break;
        case 9: t = gtr_split(x, 1, 1); break;
        case 10: t = gtr_clamp(x, -(float)INFINITY, (float)INFINITY); break;
        case 11: t = gtr_scale(x, 1, 0); break;
        case 12: t = gtr_pow_scalar(x, 1); break;
        case 13: t = gtr_dropout(x, "none", 0); break;
        default: t = gtr_sum(gtr_reshape(x, gtr_shape3(GTR_BATCH, 1, 3)), &last, 1, false); break;
        }
        gtr_tensor *loss = gtr_sum(gtr_add(gtr_scale(x, 2, 0), gtr_scale(t, 3, 0)), NULL, 0, false);
        by[0] = gtr_gradient(loss, t); by[1] = gtr_gradient(loss, x);
        EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
        CHECK(t && t != x && gtr_eval_train(by, 2) == GTR_OK, "op %d: %s", k, gtr_error_text(ctx));
        for (int i = 0; i < 2; i++) EXPECT_EQ(gtr_get(by[i], d[i], sizeof d[i]), GTR_OK);
        for (int i = 0; i < 6; i++) CHECK(d[0][i] == 3 && d[1][i] == 5, "op %d: gradients %g and %g, want 3 and 5", k,
            (double)d[0][i], (double)d[1][i]);
        gtr_destroy(ctx);
    }
    gtr_context *ctx = context_on(GTR_DEVICE_CPU, 1);           /* integers, and no dimensions */
    gtr_tensor *y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH)),
        *z = gtr_input(ctx, "z", GTR_F32, gtr_shape0());
    EXPECT(gtr_tile(y, ones) != y && gtr_flip(z, NULL, 0) != z && gtr_tile(z, ones) != z);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

/* Convolutions, pools and norms of images. */
static gtr_conv_desc conv_like(int64_t out, int kernel, int stride, int padding, int dilation, int64_t groups)
{
    gtr_conv_desc d;
    memset(&d, 0, sizeof d);
    d.out = out; d.kernel = kernel; d.stride = stride; d.padding = padding; d.dilation = dilation; d.groups = groups;
    return d;
}
static gtr_pool_desc pool_like(int kernel, int kernel_w, int stride, int padding, int dilation)
{
    gtr_pool_desc d;
    memset(&d, 0, sizeof d);
    d.kernel = kernel; d.kernel_w = kernel_w; d.stride = stride; d.padding = padding; d.dilation = dilation;
    return d;
}
static void bad_images(void)
{
    gtr_context *ctx = context_on(GTR_DEVICE_CPU, 1), *other = context_on(GTR_DEVICE_CPU, 1);
    gtr_init zero = init_of(GTR_INIT_ZERO, 0);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, 4, 6, 5)),
        *l = gtr_input(ctx, "l", GTR_F32, gtr_shape3(GTR_BATCH, 4, 6)), *f = gtr_input(ctx, "f", GTR_F32,
        gtr_shape2(GTR_BATCH, 4)), *five = gtr_input(ctx, "five", GTR_F32, shape_of_rank(5, 1)),
        *y = gtr_input(ctx, "y", GTR_I32, gtr_shape4(GTR_BATCH, 4, 6, 5)),
        *w = gtr_parameter(ctx, "w", gtr_shape4(6, 4, 3, 3), zero), *b = gtr_parameter(ctx, "b", gtr_shape1(6), zero),
        *half = gtr_parameter(ctx, "half", gtr_shape4(6, 2, 3, 3), zero), *c4 = gtr_parameter(ctx, "c4",
            gtr_shape1(4), zero),
        *far_x = gtr_input(other, "x", GTR_F32, gtr_shape4(GTR_BATCH, 4, 6, 5)), *one = gtr_input(ctx, "one", GTR_F32,
        gtr_shape4(GTR_BATCH, 4, 1, 1)), *wide = gtr_input(ctx, "wide", GTR_F32,
        gtr_shape4(1, 1, (int64_t)1 << 30, (int64_t)1 << 20)), *sized, *t, *deep = gtr_input(ctx, "deep", GTR_F32,
        gtr_shape4(1, 1, (int64_t)1 << 50, 1)), *l1 = gtr_input(ctx, "l1", GTR_F32, gtr_shape1(GTR_BATCH));
    const int huge = 1 << 20, turn[4] = { 2, 1, 0, 3 };
    int64_t mark, parameters;
    gtr_conv_desc d;
    sized = gtr_permute(x, turn);
    mark = gtr_mark(ctx);
    EXPECT(!gtr_conv2d(NULL, "c", 3, 3, 1, 1) && !gtr_conv1d(NULL, "c", 3, 3, 1, 1) && !gtr_conv_transpose2d(NULL,
        "c", 3, 3, 1, 1)
        && !gtr_max_pool2d(NULL, 2, 2, 0) && !gtr_avg_pool2d(NULL, 2, 2, 0) && !gtr_adaptive_avg_pool2d(NULL, 1, 1)
        && !gtr_global_avg_pool(NULL) && !gtr_upsample2d(NULL, 2, true) && !gtr_pixel_shuffle(NULL, 2)
        && !gtr_group_norm(NULL, "g", 2, 0) && !gtr_instance_norm(NULL, "g", 0) && !gtr_dropout2d(NULL, "d", 0.5f)
        && !gtr_conv2d_with(NULL, NULL, NULL, conv_like(0, 0, 0, 0, 0, 0)));
    EXPECT_OK(ctx);
    parameters = gtr_parameter_count(ctx);
    BAD(gtr_conv2d_with(x, NULL, b, conv_like(0, 0, 1, 1, 1, 1)), GTR_ERR_ARG, "conv2d|argument 2 is NULL");
    BAD(gtr_conv_transpose2d_with(NULL, w, b, conv_like(0, 0, 1, 1, 1, 1)), GTR_ERR_ARG,
        "conv_transpose2d|argument 1 is NULL");
    BAD(gtr_conv2d(x, "c", 6, 7, 1, 0), GTR_ERR_SHAPE, "conv2d|\"c\"|(N, 4, 6, 5)|7|6");
    BAD(gtr_conv2d(x, "c", 6, 7, 1, 0), GTR_ERR_SHAPE, "conv2d|\"c\"");       /* the name is free still */
    BAD(gtr_conv1d(l, "c", 6, 9, 1, 1), GTR_ERR_SHAPE, "conv1d \"c\"|(N, 4, 6)|9|8");
    BAD(gtr_conv1d(l, "c", 6, -9, 1, 1), GTR_ERR_ARG, "conv1d \"c\" of \"l\"|(N, 4, 6)|kernel -9");
    BAD(gtr_conv1d(f, "c", 6, 9, 1, 1), GTR_ERR_SHAPE, "conv1d \"c\" of \"f\"|(N, 4)");
    BAD(gtr_conv1d(l, NULL, 6, 9, 1, 1), GTR_ERR_ARG, "conv1d|name");
    BAD(gtr_conv2d(x, "c", 6, huge, 1, 0), GTR_ERR_SHAPE, "conv2d \"c\"|(N, 4, 6, 5)|1048576");     /* and no memory */
    BAD(gtr_conv2d(x, "c", (int64_t)1 << 36, 7, 1, 0), GTR_ERR_SHAPE, "conv2d \"c\"|kernel of 7");
    BAD(gtr_group_norm_with(x, c4, b, 2, 0), GTR_ERR_SHAPE, "group_norm|weight (4,)|bias (6,)|(C,)");
    d = conv_like(6, 3, 1, 1, 1, 1); d.kernel_w = -2;
    BAD(gtr_conv2d_ex(x, "c", d), GTR_ERR_ARG, "conv2d \"c\"|kernel_w -2, want 1");
    d.kernel_w = 3; d.stride = 2; d.stride_w = -7;
    BAD(gtr_conv2d_ex(x, "c", d), GTR_ERR_ARG, "conv2d \"c\"|stride_w -7, want 1");
    gtr_scope_begin(ctx, "layer1");
    BAD(gtr_conv2d_ex(gtr_relu(x), "c", d), GTR_ERR_ARG, "conv2d \"layer1.c\" of relu after \"x\"|stride_w -7");
    gtr_scope_end(ctx);
    gtr_release(ctx, mark);
    BAD(gtr_conv2d_ex(x, "c", conv_like(6, 3, 1, 0, 3, 1)), GTR_ERR_SHAPE, "\"c\"|dilated 7");
    BAD(gtr_conv2d_ex(x, "c", conv_like(6, 3, 1, 1, 1, 3)), GTR_ERR_SHAPE,
        "conv2d \"c\"|(N, 4, 6, 5)|6 channels|3 groups");
    BAD(gtr_conv2d_ex(x, "c", conv_like(6, 3, 1, 1, 1, 4)), GTR_ERR_SHAPE, "conv2d \"c\"|4 groups|divide");
    BAD(gtr_conv2d_ex(x, "c", conv_like(6, 3, 1, 1, 1, -2)), GTR_ERR_ARG, "conv2d \"c\"|groups -2, want 1");
    BAD(gtr_conv2d(x, "c", 0, 3, 1, 1), GTR_ERR_SHAPE, "conv2d \"c\"|0 channels");
    BAD(gtr_conv2d(x, "c", -3, 3, 1, 1), GTR_ERR_SHAPE, "conv2d \"c\"|-3 channels");
    BAD(gtr_conv2d(x, "c", INT64_MAX, 3, 1, 1), GTR_ERR_SHAPE, "c.weight|too large");
    BAD(gtr_conv2d(x, "c", 6, 0, 1, 1), GTR_ERR_ARG, "conv2d \"c\"|\"x\"|(N, 4, 6, 5)|, kernel 0, want 1 to 1048576");
    BAD(gtr_conv2d(x, "c", 6, -3, 1, 1), GTR_ERR_ARG, "conv2d \"c\"|\"x\"|(N, 4, 6, 5)|, kernel -3, want 1 to 1048576");
    BAD(gtr_conv2d(x, "c", 6, 3, -1, 1), GTR_ERR_ARG, "conv2d \"c\"|\"x\"|(N, 4, 6, 5)|, stride -1, want 1 to 1048576");
    BAD(gtr_conv2d(x, "c", 6, 3, 1, -1), GTR_ERR_ARG,
        "conv2d \"c\"|\"x\"|(N, 4, 6, 5)|, padding -1, want 0 to 1048576");
    BAD(gtr_conv2d(x, "c", 6, INT32_MAX, 1, 1), GTR_ERR_ARG, "conv2d|, kernel 2147483647, want 1 to 1048576");
    BAD(gtr_conv2d(x, "c", 6, 3, 1, INT32_MAX), GTR_ERR_ARG, "conv2d|, padding 2147483647, want 0");
    BAD(gtr_conv2d_ex(x, "c", conv_like(6, 3, 1, 1, INT32_MIN, 1)), GTR_ERR_ARG,
        "conv2d \"c\"|dilation -2147483648, want 1");
    BAD(gtr_conv2d_ex(x, "c", conv_like(6, 3, 1, 1, huge, 1)), GTR_ERR_SHAPE, "\"c\"");
    BAD(gtr_conv2d(x, NULL, 6, 3, 1, 1), GTR_ERR_ARG, "conv2d|name");
    BAD(gtr_conv2d(x, "", 6, 3, 1, 1), GTR_ERR_ARG, "conv2d|name");
    BAD(gtr_conv2d(f, "c", 6, 3, 1, 1), GTR_ERR_SHAPE, "conv2d \"c\"|(N, 4)|(N, C, H, W)");
    BAD(gtr_conv2d(five, "c", 6, 1, 1, 0), GTR_ERR_SHAPE, "conv2d \"c\"|(1, 1, 1, 1, 1)|(N, C, H, W)");
    BAD(gtr_conv2d(y, "c", 6, 3, 1, 1), GTR_ERR_SHAPE, "conv2d \"c\"|int32|float32");
    BAD(gtr_conv2d(sized, "c", 6, 3, 1, 1), GTR_ERR_SHAPE, "\"c\"|(6, 4, N, 5)");
    BAD(gtr_conv2d_with(x, sized, NULL, conv_like(0, 0, 1, 1, 1, 1)), GTR_ERR_SHAPE, "conv2d|(6, 4, N, 5)");
    BAD(gtr_conv_transpose2d(deep, "c", 1, 1, huge, 0), GTR_ERR_SHAPE, "conv_transpose2d|\"c\"|1125899906842624");
    BAD(gtr_upsample2d(deep, huge, false), GTR_ERR_SHAPE, "upsample");
    BAD(gtr_conv2d_with(x, half, b, conv_like(0, 0, 1, 1, 1, 1)), GTR_ERR_SHAPE,
        "conv2d|(N, 4, 6, 5)|(6, 2, 3, 3)|(6,)|1 group");
    BAD(gtr_conv2d_with(x, half, b, conv_like(0, 0, 1, 1, 1, 4)), GTR_ERR_SHAPE, "conv2d|4 groups");
    BAD(gtr_conv2d_with(x, w, c4, conv_like(0, 0, 1, 1, 1, 1)), GTR_ERR_SHAPE, "conv2d|got|bias (4,)|want|bias (O,)");
    BAD(gtr_conv2d_with(x, b, NULL, conv_like(0, 0, 1, 1, 1, 1)), GTR_ERR_SHAPE, "conv2d|weight (6,)");
    BAD(gtr_conv2d_with(l, w, NULL, conv_like(0, 0, 1, 1, 1, 1)), GTR_ERR_SHAPE, "conv2d|(N, 4, 6)|(6, 4, 3, 3)");
    BAD(gtr_conv2d_with(x, x, NULL, conv_like(0, 0, 1, 1, 1, 1)), GTR_ERR_SHAPE, "conv2d|(N, 4, 6, 5)");
    BAD(gtr_conv2d_with(y, w, NULL, conv_like(0, 0, 1, 1, 1, 1)), GTR_ERR_SHAPE, "conv2d|int32");
    BAD(gtr_conv2d_with(far_x, w, NULL, conv_like(0, 0, 1, 1, 1, 1)), GTR_ERR_ARG, "conv2d|different contexts");
    gtr_error_clear(other);
    BAD(gtr_conv_transpose2d(x, "c", 6, 3, 1, 4), GTR_ERR_SHAPE, "conv_transpose2d|\"c\"|(N, 4, 6, 5)|padding 4");
    BAD(gtr_conv_transpose2d_with(x, w, NULL, conv_like(0, 0, 1, 1, 1, 1)), GTR_ERR_SHAPE,
        "conv_transpose2d|(C, O / groups");
    d = conv_like(6, 3, 2, 1, 1, 1); d.output_padding = 2;
    BAD(gtr_conv_transpose2d_ex(x, "c", d), GTR_ERR_ARG,
        "conv_transpose2d \"c\"|output_padding 2, want 0 to 1|below stride or dilation");
    d.output_padding = -1;
    BAD(gtr_conv_transpose2d_ex(x, "c", d), GTR_ERR_ARG, "conv_transpose2d \"c\"|output_padding -1, want 0 to 1");
    BAD(gtr_conv_transpose2d(wide, "c", 1, 1, huge, 0), GTR_ERR_SHAPE, "conv_transpose2d|\"c\"");
    BAD(gtr_max_pool2d(x, 7, 1, 0), GTR_ERR_SHAPE, "max_pool|\"x\"|(N, 4, 6, 5)|window of 7");
    BAD(gtr_max_pool2d(x, 3, 1, 2), GTR_ERR_SHAPE, "max_pool|padding 2|half");
    BAD(gtr_avg_pool2d(x, 2, 1, 2), GTR_ERR_SHAPE, "avg_pool|padding 2|half");
    BAD(gtr_max_pool2d(x, 0, 1, 0), GTR_ERR_ARG, "max_pool|\"x\"|(N, 4, 6, 5)|, kernel 0, want 1 to 1048576");
    BAD(gtr_avg_pool2d(x, 2, -1, 0), GTR_ERR_ARG, "avg_pool|\"x\"|(N, 4, 6, 5)|, stride -1, want 1 to 1048576");
    BAD(gtr_avg_pool2d(x, 2, 1, -1), GTR_ERR_ARG, "avg_pool|\"x\"|(N, 4, 6, 5)|, padding -1, want 0 to 1048576");
    BAD(gtr_avg_pool2d_ex(x, pool_like(2, 0, 2, 0, 2)), GTR_ERR_ARG, "avg_pool|dilation");
    BAD(gtr_max_pool2d_ex(x, pool_like(3, 2, 2, 0, 3)), GTR_ERR_SHAPE, "max_pool|(N, 4, 6, 5)|window of 3");
    BAD(gtr_max_pool2d(f, 2, 2, 0), GTR_ERR_SHAPE, "max_pool|(N, 4)|(N, C, H, W) or (N, C, L)");
    BAD(gtr_avg_pool2d(five, 1, 1, 0), GTR_ERR_SHAPE, "avg_pool|(N, C, H, W) or (N, C, L)");
    BAD(gtr_max_pool2d(y, 2, 2, 0), GTR_ERR_SHAPE, "max_pool|int32");
    BAD(gtr_avg_pool2d(sized, 2, 2, 0), GTR_ERR_SHAPE, "avg_pool|(N, C, H, W)");
    BAD(gtr_adaptive_avg_pool2d(x, 0, 3), GTR_ERR_ARG, "adaptive_avg_pool of \"x\"|(N, 4, 6, 5)|height 0|width 3");
    BAD(gtr_adaptive_avg_pool2d(x, 3, -1), GTR_ERR_ARG, "adaptive_avg_pool|width -1");
    BAD(gtr_adaptive_avg_pool2d(x, (int64_t)1 << 40, (int64_t)1 << 40), GTR_ERR_SHAPE, "avg_pool");
    BAD(gtr_adaptive_avg_pool2d(l, 2, 3), GTR_ERR_ARG, "adaptive_avg_pool of \"l\"|(N, 4, 6)|height 2");
    BAD(gtr_adaptive_avg_pool2d(f, 1, 1), GTR_ERR_SHAPE, "avg_pool|(N, 4)");
    BAD(gtr_adaptive_avg_pool2d(y, 1, 1), GTR_ERR_SHAPE, "avg_pool|int32");
    BAD(gtr_global_avg_pool(f), GTR_ERR_SHAPE, "global_avg_pool of \"f\"|(N, 4)|(N, C, ...)");
    BAD(gtr_global_avg_pool(y), GTR_ERR_SHAPE, "int32");
    BAD(gtr_upsample2d(x, 0, false), GTR_ERR_SHAPE, "upsample|factor 0");
    BAD(gtr_upsample2d(x, INT64_MIN, true), GTR_ERR_SHAPE, "upsample|factor -9223372036854775808");
    BAD(gtr_upsample2d(x, INT64_MAX, true), GTR_ERR_SHAPE, "upsample|factor 9223372036854775807");
    BAD(gtr_upsample2d(wide, huge, true), GTR_ERR_SHAPE, "upsample");
    BAD(gtr_upsample2d(f, 2, true), GTR_ERR_SHAPE, "upsample of \"f\"|(N, 4)|factor 2");
    BAD(gtr_upsample2d(five, 2, true), GTR_ERR_SHAPE, "upsample of \"five\"|(1, 1, 1, 1, 1)");
    BAD(gtr_upsample2d(y, 2, true), GTR_ERR_SHAPE, "upsample|int32");
    BAD(gtr_pixel_shuffle(x, 3), GTR_ERR_SHAPE, "pixel_shuffle of \"x\"|(N, 4, 6, 5)|r 3");
    BAD(gtr_pixel_shuffle(x, 0), GTR_ERR_SHAPE, "pixel_shuffle of \"x\"|r 0");
    BAD(gtr_pixel_shuffle(x, INT64_MAX), GTR_ERR_SHAPE, "pixel_shuffle");
    BAD(gtr_pixel_shuffle(l, 2), GTR_ERR_SHAPE, "pixel_shuffle|(N, C r r, H, W)");
    BAD(gtr_group_norm(x, "g", 3, 0), GTR_ERR_SHAPE, "group_norm \"g\"|(N, 4, 6, 5)|3 groups");
    BAD(gtr_group_norm(x, "g", 0, 0), GTR_ERR_ARG, "group_norm \"g\" of \"x\"|(N, 4, 6, 5)|0 groups");
    BAD(gtr_group_norm(x, "g", -1, 0), GTR_ERR_ARG, "group_norm|-1 groups");
    BAD(gtr_group_norm_with(x, b, b, 2, 0), GTR_ERR_SHAPE, "group_norm|(N, 4, 6, 5)|(C,)");
    BAD(gtr_group_norm(y, "g", 2, 0), GTR_ERR_SHAPE, "int32");
    BAD(gtr_instance_norm(one, NULL, 0), GTR_ERR_SHAPE, "more than one value");
    BAD(gtr_dropout2d(f, "d2", 0.5f), GTR_ERR_SHAPE, "dropout2d \"d2\" of \"f\"|(N, 4)|(N, C, ...)");
    BAD(gtr_dropout2d(x, "d2", 1), GTR_ERR_ARG, "dropout2d \"d2\" of \"x\"|(N, 4, 6, 5)|p is 1");
    BAD(gtr_dropout2d(y, "d2", 0.5f), GTR_ERR_SHAPE, "dropout2d \"d2\" of \"y\"|int32|float32");
    BAD(gtr_pixel_shuffle(y, 2), GTR_ERR_SHAPE, "pixel_shuffle of \"y\"|int32|float32");
    d = conv_like(6, 3, 2, 1, 1, 1); d.output_padding = 1;
    BAD(gtr_conv2d_ex(x, "c", d), GTR_ERR_ARG, "conv2d \"c\" of \"x\"|output_padding (1, 0)|want 0");
    BAD(gtr_batch_norm(l1, "bn"), GTR_ERR_SHAPE, "batch_norm \"bn\" of \"l1\"|(N,)|(N, C, ...)");
    BAD(gtr_instance_norm(f, "in", 0), GTR_ERR_SHAPE, "instance_norm \"in\" of \"f\"|(N, 4)");
    EXPECT_EQ(gtr_parameter_count(ctx), parameters);
    EXPECT_EQ(gtr_mark(ctx), mark);
    /* what does not fit into memory has the parameter's name, which is free again */
    other->desc.memory_limit = other->memory.device_bytes + 65536;
    EXPECT(!gtr_conv2d(far_x, "c", 4096, 3, 1, 1));
    EXPECT_ERROR(other, GTR_ERR_NOMEM, "(parameter \"c.weight\" (4096, 4, 3, 3))");
    EXPECT(gtr_conv2d(far_x, "c", 4, 3, 1, 1) && gtr_parameter_count(other) == 2);
    /* one value a channel: known when the batch is */
    t = gtr_sum(gtr_batch_norm(one, "bn"), NULL, 0, false);
    EXPECT(t && gtr_set(one, (gtr_float[4]){ 1, 2, 3, 4 }, 4 * sizeof(gtr_float)) == GTR_OK);
    EXPECT(gtr_eval(&t, 1) == GTR_OK);
    EXPECT(gtr_eval_train(&t, 1) == GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "batch_norm \"bn\"");
    EXPECT_OK(ctx);
    gtr_destroy(other);
    gtr_destroy(ctx);
}

/* Equal elements, NaN and vectors of zeros: which of them is first, and which has the gradient. */
static void equals(void)
{
    static const gtr_float v[2][6] = { { 1, 3, 3, -2, -2, 0 }, { 0, -0.0f, 2, 0, 5, 2 } };
    static const int32_t up[2][6] = { { 3, 4, 5, 0, 1, 2 }, { 0, 1, 3, 2, 5, 4 } },
        down[2][6] = { { 1, 2, 0, 5, 3, 4 }, { 4, 2, 5, 0, 1, 3 } }, most[2] = { 1, 4 }, least[2] = { 3, 0 };
    gtr_context *ctx = context_on(GTR_DEVICE_AUTO, 1);
    gtr_init zero = init_of(GTR_INIT_ZERO, 0);
    gtr_tensor *x = gtr_parameter(ctx, "x", gtr_shape2(2, 6), zero), *t[16];
    int one = 1, k;
    int32_t ints[12];
    gtr_float got[12], nan[12];
    EXPECT(gtr_set(x, v, sizeof v) == GTR_OK);
    t[0] = gtr_output(gtr_sort(x, 1, false), 1); t[1] = gtr_output(gtr_sort(x, 1, true), 1);
    t[2] = gtr_output(gtr_max(x, &one, 1, false), 1); t[3] = gtr_argmin(x, 1);
    t[4] = gtr_gradient(gtr_sum(gtr_max(x, &one, 1, true), NULL, 0, false), x);
    t[5] = gtr_gradient(gtr_sum(gtr_top_k(x, 2, 1), NULL, 0, false), x);
    t[6] = gtr_gradient(gtr_norm(gtr_scale(x, 0, 0), 2, NULL, 0, false), x);
    t[7] = gtr_gradient(gtr_norm(x, (float)INFINITY, NULL, 0, false), x);
    t[8] = gtr_max(x, NULL, 0, false); t[9] = gtr_min(x, NULL, 0, false);
    t[10] = gtr_max_pool2d(gtr_reshape(x, gtr_shape4(1, 1, 2, 6)), 2, 0, 0);
    t[11] = gtr_gradient(gtr_sum(t[10], NULL, 0, false), x);
    if (CHECK(gtr_eval(t, 12) == GTR_OK, "%s", gtr_error_text(ctx))) {
        EXPECT(!gtr_get(t[0], ints, sizeof ints) && !memcmp(ints, up, sizeof up));
        EXPECT(!gtr_get(t[1], ints, sizeof ints) && !memcmp(ints, down, sizeof down));
        EXPECT(!gtr_get(t[2], ints, 8) && !memcmp(ints, most, 8));
        EXPECT(!gtr_get(t[3], ints, 8) && !memcmp(ints, least, 8));
        EXPECT(!gtr_get(t[4], got, sizeof got));
        for (k = 0; k < 12; k++) EXPECT(got[k] == (k == 1 || k == 10));
        EXPECT(!gtr_get(t[5], got, sizeof got));
        for (k = 0; k < 12; k++) EXPECT(got[k] == (k == 1 || k == 2 || k == 8 || k == 10));
        EXPECT(!gtr_get(t[6], got, sizeof got));
        for (k = 0; k < 12; k++) EXPECT(got[k] == 0);
        EXPECT(!gtr_get(t[7], got, sizeof got));
        for (k = 0; k < 12; k++) EXPECT(got[k] == (k == 10));
        EXPECT(!gtr_get(t[10], got, 3 * sizeof *got) && got[0] == 3 && got[1] == 3 && got[2] == 5);
        EXPECT(!gtr_get(t[11], got, sizeof got));
        for (k = 0; k < 12; k++) EXPECT(got[k] == (k == 1 || k == 2 || k == 10));
    }
    memcpy(nan, v, sizeof v);
    nan[4] = nan[7] = gtr__nan();
    EXPECT(gtr_set(x, nan, sizeof nan) == GTR_OK);
    if (CHECK(gtr_eval(t, 11) == GTR_OK, "%s", gtr_error_text(ctx))) {
        EXPECT(!gtr_get(t[10], got, 3 * sizeof *got) && got[0] != got[0] && got[1] == 3 && got[2] != got[2]);
        EXPECT(!gtr_get(t[0], ints, sizeof ints) && ints[5] == 4 && ints[11] == 1);
        EXPECT(!gtr_get(t[1], ints, sizeof ints) && ints[0] == 4 && ints[6] == 1);
        EXPECT(!gtr_get(t[2], ints, 8) && ints[0] == 4 && ints[1] == 1);
        EXPECT(!gtr_get(t[3], ints, 8) && ints[0] == 4 && ints[1] == 1);
        for (k = 8; k < 10; k++) EXPECT(!gtr_get(t[k], got, sizeof *got) && got[0] != got[0]);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

/* Max pooling where windows have NaN, infinities and equals, or padding alone: values, and which pixel has the
   gradient, found one by one. Small windows apart, that overlap, dilated, large ones. */
static void pools_of_specials(void)
{
    static const int table[][7] = { { 6, 7, 2, 2, 2, 0, 1 }, { 6, 7, 3, 2, 1, 1, 1 }, { 6, 7, 3, 3, 2, 1, 2 },
        { 12, 13, 9, 9, 1, 4, 1 }, { 2, 2, 2, 2, 1, 1, 3 }, { 4, 8, 2, 3, 1, 1, 4 }, { 3, 1, 2, 2, 2, 1, 2 },
        { 12, 13, 3, 3, 2, 1, 1 }, { 9, 10, 3, 3, 1, 1, 1 }, { 7, 6, 2, 2, 1, 0, 1 }, { 8, 9, 5, 4, 1, 2, 1 },
        { 11, 9, 5, 3, 2, 1, 1 } };
    static const gtr_float few[8] = { 1, -2, 3, 3, 0.5f, -(gtr_float)INFINITY, (gtr_float)INFINITY, 2 };
    enum { MOST = 2 * 12 * 13 * 5 };
    gtr_float v[MOST], g[MOST], want[MOST], dx[MOST], got[MOST];
    for (size_t q = 0; q < 3 * (sizeof table / sizeof *table); q++) {
        const int *t = table[q / 3], c = q % 3 == 0 ? 1 : q % 3 == 1 ? 4 : 5, h = t[0], w = t[1];
        gtr_context *ctx = context_on(GTR_DEVICE_AUTO, 2);
        gtr_pool_desc d = pool_like(t[2], t[3], t[4], t[5], t[6]);
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape4(2, c, h, w)), *y = gtr_max_pool2d_ex(x, d), *fetch[2];
        const gtr_shape s = gtr_tensor_shape(y);
        const int64_t n = gtr__count(&s), all = 2 * c * h * w;
        for (int64_t i = 0; i < all; i++) {
            const int pick = (int)uniform(0, 96);
            v[i] = pick < 8 ? gtr__nan() : few[pick % 8];
        }
        for (int64_t i = 0; i < n; i++) g[i] = (gtr_float)(i % 61 + 1);
        memset(dx, 0, sizeof dx);
        for (int64_t i = 0; i < n; i++) {
            const int64_t at = i / s.dim[3] / s.dim[2], py = i / s.dim[3] % s.dim[2] * t[4] - t[5],
                px = i % s.dim[3] * t[4] - t[5];
            int64_t best = -1;
            for (int64_t k = 0; k < t[2] * t[3]; k++) {
                const int64_t iy = py + k / t[3] * t[6], ix = px + k % t[3] * t[6], p = (at * h + iy) * w + ix;
                if (iy < 0 || iy >= h || ix < 0 || ix >= w) continue;
                if (best < 0 || (!(v[p] <= v[best]) && v[best] == v[best])) best = p;
            }
            want[i] = best < 0 ? -(gtr_float)INFINITY : v[best];
            if (best >= 0) dx[best] += g[i];
        }
        fetch[0] = y;
        fetch[1] = gtr_gradient(gtr_sum(gtr_mul(y, gtr_constant(ctx, GTR_F32, s, g)), NULL, 0, false), x);
        EXPECT(gtr_set(x, v, (size_t)all * sizeof *v) == GTR_OK);
        if (CHECK(gtr_eval(fetch, 2) == GTR_OK, "%s", gtr_error_text(ctx))) {
            int bad = 0;
            EXPECT(gtr_get(y, got, (size_t)n * sizeof *got) == GTR_OK);
            for (int64_t i = 0; i < n; i++) bad += !(got[i] == want[i] || (got[i] != got[i] && want[i] != want[i]));
            EXPECT(gtr_get(fetch[1], got, (size_t)all * sizeof *got) == GTR_OK);
            for (int64_t i = 0; i < all; i++) bad += got[i] != dx[i];
            CHECK(!bad, "windows of %d by %d, step %d, padding %d, dilation %d, %d channels: %d values differ", t[2],
                t[3], t[4], t[5], t[6], c, bad);
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}

/* In the order of gtr_sort: a NaN is the largest. */
static bool comes_first(float u, float v, bool down)
{
    return down ? u > v || (u != u && v == v) : u < v || (v != v && u == u);
}
/* Between dtypes: halves, what only one of both has, and what int32 has not. */
static void conversions(void)
{
    static const gtr_float v[] = { (gtr_float)0.999, (gtr_float)-0.999, 1.5f, -1.5f, 16777216, -2147483648.0f,
        2147483648.0f, -2147483904.0f, 1e30f, -1e30f, (gtr_float)INFINITY, -(gtr_float)INFINITY, (gtr_float)NAN,
        (gtr_float)-0.0, 2147483520, (gtr_float)1e-40 };
    static const int32_t want[] = { 0, 0, 1, -1, 16777216, INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN,
        INT32_MAX, INT32_MIN, 0, 0, 2147483520, 0 }, ids[] = { 0, -1, 16777217, -16777219, INT32_MAX, INT32_MIN };
    enum { FLOATS = sizeof v / sizeof *v, INTS = sizeof ids / sizeof *ids };
    gtr_context *ctx = context_on(GTR_DEVICE_AUTO, 1);
    gtr_tensor *t[2];
    int32_t ints[FLOATS];
    gtr_float got[INTS];
    t[0] = gtr_to_int(gtr_constant(ctx, GTR_F32, gtr_shape1(FLOATS), v));
    t[1] = gtr_to_float(gtr_constant(ctx, GTR_I32, gtr_shape1(INTS), ids));
    EXPECT(gtr_tensor_dtype(t[0]) == GTR_I32 && gtr_tensor_dtype(t[1]) == GTR_F32);
    if (!CHECK(gtr_eval(t, 2) == GTR_OK && gtr_get(t[0], ints, sizeof ints) == GTR_OK
            && gtr_get(t[1], got, sizeof got) == GTR_OK, "%s", gtr_error_text(ctx))) return;
    for (int k = 0; k < FLOATS; k++)
        CHECK(ints[k] == want[k], "%g becomes %d, want %d", (double)v[k], ints[k], want[k]);
    for (int k = 0; k < INTS; k++) CHECK(got[k] == (gtr_float)ids[k], "%d becomes %.9g", ids[k], (double)got[k]);
    gtr_destroy(ctx);
}
/* The gradient 2 dy x of a square, where twice one factor is no number, and where the product is none. */
static void squares(void)
{
    const gtr_float most = sizeof most == 8 ? (gtr_float)1.5e308 : 3e38f, least = sizeof most == 8 ? (gtr_float)5e-324
        : (gtr_float)1e-45, v[][2] = { { most, 0.25f }, { 0.25f, most }, { -most, 0.5f }, { most, 0 }, { 0, most },
        { most, 1 }, { 1, most }, { most, most }, { least, 0.5f }, { 0.5f, least }, { least, 1 }, { 3, 5 } };
    enum { PAIRS = sizeof v / sizeof *v };
    gtr_context *ctx = context_on(GTR_DEVICE_AUTO, 1);
    gtr_float x[PAIRS], dy[PAIRS], got[PAIRS];
    for (int k = 0; k < PAIRS; k++) { x[k] = v[k][0]; dy[k] = v[k][1]; }
    gtr_tensor *w = gtr_parameter(ctx, "x", gtr_shape1(PAIRS), init_of(GTR_INIT_ZERO, 0)),
        *d = gtr_gradient(gtr_sum(gtr_mul(gtr_square(w), gtr_constant(ctx, GTR_F32, gtr_shape1(PAIRS), dy)), NULL, 0,
            false), w);
    EXPECT(gtr_set(w, x, sizeof x) == GTR_OK);
    if (!CHECK(gtr_eval(&d, 1) == GTR_OK && gtr_get(d, got, sizeof got) == GTR_OK, "%s", gtr_error_text(ctx))) return;
    for (int k = 0; k < PAIRS; k++) {
        const long double want = 2 * (long double)x[k] * (long double)dy[k];
        CHECK(got[k] == (gtr_float)want, "2 times %g times %g is %g, want %Lg", (double)dy[k], (double)x[k],
            (double)got[k], want);
    }
    gtr_destroy(ctx);
}
/* A context with t, the row's op along the axis: of a batch x (N, 3, 4, 4), of a convolution of it, whose images lie
   with channels last, or of these in rows, by a reshape of another shape. */
typedef struct along { gtr_context *ctx; gtr_tensor *x, *of, *ids, *t; } along;
enum { PLAIN_INPUT, BEHIND_CONV, BEHIND_RESHAPE };
static bool along_build(along *a, const op_row *row, int axis, int how)
{
    op_case c;
    memset(&c, 0, sizeof c);
    memset(a, 0, sizeof *a);
    c.n = row->build == build_concat ? 2 : 1; c.n_p = 4; c.p[0] = axis; c.p[1] = 2; c.p[2] = 4; c.p[3] = 2;
    a->ctx = context_on(GTR_DEVICE_AUTO, 1);
    a->of = a->x = gtr_input(a->ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, 3, 4, 4));
    if (strlen(row->kinds) > 1 && is_ints(row->kinds[1]))
        a->ids = gtr_input(a->ctx, "ids", GTR_I32, gtr_shape4(GTR_BATCH, 4, 4, 4));
    if (how != PLAIN_INPUT || axis == 1) a->of = gtr_conv2d(a->x, "conv", 4, 3, 1, 1);
    if (how == BEHIND_RESHAPE)
        a->of = gtr_reshape(gtr_reshape(a->of, gtr_shape2(GTR_BATCH, 64)), gtr_tensor_shape(a->of));
    gtr_tensor *in[2] = { a->of, a->ids ? a->ids : a->of };
    a->t = row->build(a->ctx, in, &c);
    return a->t != NULL;
}
static gtr_result along_eval(along *a, gtr_tensor *t)
{
    static gtr_float x[5 * 48];
    int32_t ids[5 * 64];
    for (int i = 0; i < 5 * 48; i++) x[i] = (gtr_float)(i * 29 % 31) / 16 - 1;
    for (int i = 0; i < 5 * 64; i++) ids[i] = i * 7 % 5 % 4;
    EXPECT_EQ(gtr_set(a->x, x, sizeof x), GTR_OK);
    if (a->ids) EXPECT_EQ(gtr_set(a->ids, ids, sizeof ids), GTR_OK);
    return gtr_eval(&t, 1);
}
/* So many nodes of the one plan put floats in another order. */
static int turns_of(const gtr_context *ctx)
{
    const gtr__plan *p = &ctx->cache.newest->plan;
    int n = 0;
    for (int i = 0; i < p->n_node; i++)
        n += p->node[i].op == GTR__OP_PERMUTE && p->value[p->node[i].out[0]].dtype == GTR_F32;
    return n;
}
/* An op along an axis takes images with channels last as they lie, with the results that it has in rows, integers too
   (GTR__AXIAL in its row); and a predictor cuts a batch only where it does not mix its rows (GTR__ALONG). */
static void axes(void)
{
    static gtr_float v[2][5 * 128];
    bool met[GTR__OP_COUNT] = { false };
    for (int r = 0; r < N_ROWS; r++) for (int axis = 0; rows[r].flags & AXIS && axis < 4; axis++) {
        const op_row *row = &rows[r];
        along a[2];
        if (!row_wanted(row)) continue;
        if (!along_build(&a[0], row, axis, BEHIND_CONV)) {
            CHECK(axis == 0, "%s along %d: %s", row->name, axis, gtr_error_text(a[0].ctx));     /* the batch */
            gtr_destroy(a[0].ctx);
            continue;
        }
        const bool floats = gtr_tensor_dtype(a[0].t) == GTR_F32;
        for (const gtr_tensor *t = a[0].t; t; t = t->n_in ? t->in[0] : NULL) met[t->op] = true;
        EXPECT(along_build(&a[1], row, axis, BEHIND_RESHAPE));
        for (int k = 0; k < (row->build == build_sort ? 2 : 1); k++) {
            gtr_tensor *t[2] = { gtr_output(a[0].t, k), gtr_output(a[1].t, k) };
            const gtr_shape s = gtr__literal(gtr_tensor_shape(t[0]), 5);
            const size_t bytes = (size_t)gtr__count(&s) * gtr__dtype_size(gtr_tensor_dtype(t[0]));
            for (int i = 0; i < 2; i++) CHECK(along_eval(&a[i], t[i]) == GTR_OK && gtr_get(t[i], v[i], bytes) == GTR_OK,
                "%s: %s", row->name, gtr_error_text(a[i].ctx));
            if (gtr_tensor_dtype(t[0]) == GTR_I32)
                CHECK(!memcmp(v[0], v[1], bytes), "%s along %d of channels last: other places", row->name, axis);
            else for (int64_t i = 0; i < gtr__count(&s); i++)
                if (!CHECK(fabs((double)(v[0][i] - v[1][i])) < 1e-5,
                    "%s along %d of channels last: element %lld is %g, in rows %g", row->name, axis, (long long)i,
                    (double)v[0][i], (double)v[1][i])) break;
        }
        gtr_destroy(a[0].ctx); gtr_destroy(a[1].ctx);
        if (!floats) continue;
        int turns[2];
        for (int k = 0; k < 2; k++) {
            along_build(&a[0], row, axis, BEHIND_CONV);
            EXPECT_EQ(along_eval(&a[0], gtr_sum(k ? a[0].t : a[0].of, NULL, 0, false)), GTR_OK);
            turns[k] = turns_of(a[0].ctx);
            gtr_destroy(a[0].ctx);
        }
        CHECK(turns[0] == turns[1], "%s along %d turns images with channels last round: its row wants GTR__AXIAL",
            row->name, axis);
        if (!along_build(&a[0], row, axis, PLAIN_INPUT) || a[0].ids) { gtr_destroy(a[0].ctx); continue; }
        gtr_predictor *few = gtr_predictor_create(a[0].t, 3);
        const gtr_shape s = gtr__literal(gtr_tensor_shape(a[0].t), 5);
        gtr_float x[5 * 48], got[5 * 128];
        for (int i = 0; i < 5 * 48; i++) x[i] = (gtr_float)(i * 29 % 31) / 16 - 1;
        EXPECT_EQ(along_eval(&a[0], a[0].t), GTR_OK);
        EXPECT_EQ(gtr_get(a[0].t, v[0], (size_t)gtr__count(&s) * sizeof *v[0]), GTR_OK);
        if (gtr_predict(few, x, 5, got) == GTR_OK) for (int64_t i = 0; i < gtr__count(&s); i++)
            if (!CHECK(fabs((double)v[0][i] - (double)got[i]) < 1e-5, "%s along %d of a batch that a predictor cuts: "
                "element %lld is %g, of the whole %g; its row wants GTR__ALONG", row->name, axis, (long long)i,
                (double)got[i], (double)v[0][i])) break;
        gtr_destroy(a[0].ctx);
    }
    for (int k = 0; k < GTR__OP_COUNT && !getenv("GTR_TEST_ROW"); k++)
        CHECK(met[k] || gtr__laid_out((gtr__op)k) != GTR__LAYOUT_AXIS,
            "%s: no row with AXIS builds it, whose kernels get any axis: images lie with channels last",
            gtr__row((gtr__op)k)->name);
}
/* exp of what is beyond the largest element overflows: it is found wherever it stands, along either axis. */
static void largest_anywhere(void)
{
    enum { MOST = 1000, LINES = 3, FAR = 1000 };
    static const char *const names[] = { "softmax", "softmax_mask", "log_softmax", "logsumexp", "cross_entropy" };
    static const int sizes[] = { 1, 2, 3, 5, 8, 17, 33, 100, 130, MOST };
    static gtr_float v[LINES * MOST], y[LINES * MOST];
    for (int op = 0; op < 5; op++) for (int k = op == 4; k < 10 && check_row(names[op]); k++)
        for (int way = 0; way < 8; way++) {
        const int n = sizes[k], axis = way % 2, step = axis ? 1 : LINES,
            at = way < 2 ? n - 1 : way < 4 ? 0 : n * (way / 2) / 4;
        const bool whole = op < 3;
        gtr_context *ctx = context_on(GTR_DEVICE_AUTO, 1);
        const gtr_shape shape = axis ? gtr_shape2(LINES, n) : gtr_shape2(n, LINES);
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, shape), *m = gtr_scale(x, 0, 1), *t,
            *labels = gtr_input(ctx, "labels", GTR_I32, gtr_shape1(LINES));
        const int32_t label[LINES] = { at, at, at };
        static const int turned[2] = { 1, 0 };
        int wrong = 0;
        for (int i = 0; i < LINES * n; i++) {
            const int e = axis ? i % n : i / LINES;
            v[i] = e == at ? FAR : (gtr_float)(i % 7) / 8;
        }
        t = op == 0 ? gtr_softmax(x, axis) : op == 1 ? gtr_softmax_mask(x, m, axis) : op == 2 ? gtr_log_softmax(x, axis)
            : op == 3 ? gtr_logsumexp(x, &axis, 1, false)
            : gtr_cross_entropy(axis ? x : gtr_permute(x, turned), labels);
        const int count = whole ? LINES * n : op == 3 ? LINES : 1;
        EXPECT(!gtr_set(x, v, (size_t)(LINES * n) * sizeof *v) && !gtr_set(labels, label, sizeof label));
        EXPECT_EQ(gtr_eval(&t, 1), GTR_OK);
        EXPECT(!gtr_get(t, y, (size_t)count * sizeof *y));
        for (int i = 0; i < count; i++) {
            const gtr_float far = whole && v[i] != FAR ? 1 : 0,
                want = op < 2 ? 1 - far : op == 2 ? far * (v[i] - FAR) : op == 3 ? FAR : 0;
            wrong += !(fabs((double)(y[i] - want)) <= 1e-4);
        }
        CHECK(!wrong, "%s of %d elements, %d apart, the largest at %d: %d wrong, first %g", names[op], n, step, at,
            wrong, (double)y[0]);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Lines of many equal elements, zeros of both signs, infinities and NaN, sorted, and the first k of them, on both sides
   of the 32 that the CPU inserts one by one: places and values as an insertion finds them, and gradients there. Ways 3
   and 4 have three values, so that equals of the last that stays come behind it. */
static void long_lines(void)
{
    enum { MOST = 700, LINES = 6 };
    static const int k_of[][2] = { { 20, 20 }, { 33, 33 }, { 300, 300 }, { 300, 32 }, { 700, 40 }, { 700, 100 },
        { 9, 1 }, { 20, 5 }, { 33, 32 }, { 34, 33 }, { 100, 31 } };
    static const float few[6] = { 0, -0.0f, INFINITY, -INFINITY, NAN, 1 };
    size_t f;
    int axis, way, i, e;
    for (f = 0; f < sizeof k_of / sizeof k_of[0]; f++) for (axis = 0; axis < 3; axis++) for (way = 0; way < 5; way++) {
        const int n = k_of[f][0], k = k_of[f][1], down = way != 1 && way != 4,
            step = axis == 0 ? LINES : axis == 1 ? 1 : 3;       /* elements behind the axis */
        if ((n != k && !down) || !check_row(n != k ? "top_k" : down ? "sort, descending" : "sort")) continue;
        gtr_context *ctx = context_on(GTR_DEVICE_AUTO, 1);
        gtr_tensor *x = gtr_parameter(ctx, "x", axis == 0 ? gtr_shape2(n, LINES) : axis == 1 ? gtr_shape2(LINES, n)
            : gtr_shape3(LINES / 3, n, 3), init_of(GTR_INIT_ZERO, 0)), *t[3];
        static gtr_float v[LINES * MOST], got[LINES * MOST], dx[LINES * MOST];
        static int32_t at[LINES * MOST], places[MOST];
        for (i = 0; i < LINES * n; i++) {
            const uint32_t r = (uint32_t)i * 2654435761u >> 8;
            v[i] = way > 2 ? (gtr_float)(r % 3) : way == 2 ? (gtr_float)i
                : r % 7 == 0 ? few[r / 7 % 6] : (gtr_float)(r % 1000) / 16 - 30;
        }
        t[0] = n == k ? gtr_sort(x, axis > 0, down) : gtr_top_k(x, k, axis > 0);
        t[1] = gtr_output(t[0], 1);
        t[2] = gtr_gradient(gtr_sum(gtr_scale(t[0], 3, 0), NULL, 0, false), x);
        EXPECT(!gtr_set(x, v, (size_t)(LINES * n) * sizeof *v) && !gtr_eval(t, 3));
        EXPECT(!gtr_get(t[0], got, (size_t)(LINES * k) * sizeof *v) && !gtr_get(t[1], at, (size_t)(LINES * k) * 4));
        EXPECT(!gtr_get(t[2], dx, (size_t)(LINES * n) * sizeof *v));
        for (i = 0; i < LINES; i++) {
            const int from = i / step * n * step + i % step, to = i / step * k * step + i % step;
            int wrong = 0, chosen = 0;
            for (e = 0; e < n; e++) {
                int o = e;
                for (; o && comes_first((float)v[from + e * step], (float)v[from + places[o - 1] * step], down); o--)
                    places[o] = places[o - 1];
                places[o] = e;
            }
            for (e = 0; e < k; e++) wrong += at[to + e * step] != places[e]
                || memcmp(&got[to + e * step], &v[from + places[e] * step], sizeof *v) != 0;
            for (e = 0; e < n; e++) { chosen += dx[from + e * step] == 3; wrong += dx[from + e * step] != 0; }
            CHECK(wrong == k && chosen == k, "%d of %d, %d behind the axis, way %d: line %d: %d wrong", k, n, step, way,
                i, wrong - k);
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}

static void bad_runs(void)
{
    gtr_context *ctx = context_on(GTR_DEVICE_CPU, 1);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 2)),
        *y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH)), *n = gtr_batch_norm(x, "bn"),
        *loss = gtr_cross_entropy(x, y), *e = gtr_sum(gtr_embedding(y, "em", 2, 3), NULL, 0, false),
        *r = gtr_reshape(x, gtr_shape2(-2, 1)), *s = gtr_sum(r, NULL, 0, false);
    gtr_float v[6] = { 1, 2, 3, 4, 5, 6 }, got = 0;
    int32_t right[3] = { 0, 1, -100 }, wrong[3] = { 0, 2, 1 }, minus[3] = { 0, -1, 1 };
    gtr_tensor *fixed = gtr_constant(ctx, GTR_I32, gtr_shape1(3), right),
        *picked = gtr_gather(x, 1, gtr_reshape(y, gtr_shape2(GTR_BATCH, 1)));
    gtr_tensor *row = gtr_sum(gtr_embedding(fixed, "of", 2, 3), NULL, 0, false);
    EXPECT(gtr_eval(&row, 1) == GTR_ERR_ARG);           /* a constant's ids are looked at, too, as made and as set */
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "element 2 is -100, want 0 to 1 for embedding");
    EXPECT(gtr_set(fixed, minus, sizeof minus) == GTR_OK && gtr_eval(&row, 1) == GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "element 1 is -1, want 0 to 1 for embedding");
    right[2] = 1;
    EXPECT(gtr_set(fixed, right, sizeof right) == GTR_OK && gtr_eval(&row, 1) == GTR_OK);
    right[2] = -100;
    EXPECT(gtr_eval(&loss, 1) == GTR_ERR_STATE);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "\"x\" was not set");
    EXPECT(gtr_set(x, v, 7) == GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "input \"x\" (N, 2)");
    EXPECT(gtr_set(x, v, 0) == GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "got 0 bytes");
    EXPECT(gtr_set(x, NULL, 8) == GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "\"x\"");
    EXPECT(gtr_set(n, v, 8) == GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "bn");
    EXPECT(gtr_set(x, v, sizeof v) == GTR_OK);
    EXPECT(gtr_set(y, wrong, sizeof wrong) == GTR_OK && gtr_eval(&loss, 1) == GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "element 1 is 2, want 0 to 1");
    EXPECT_EQ(gtr_eval(&picked, 1), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "element 1 is 2, want 0 to 1 for gather");
    EXPECT(gtr_set(y, minus, sizeof minus) == GTR_OK && gtr_eval(&e, 1) == GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "element 1 is -1");
    EXPECT(gtr_set(y, wrong, 4) == GTR_OK);
    EXPECT(gtr_eval(&loss, 1) == GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "a batch of 3 and \"y\" with 1");
    EXPECT(gtr_set(x, v, 2 * sizeof *v) == GTR_OK);
    EXPECT(gtr_eval_train(&n, 1) == GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "batch_norm \"bn\", with a batch of 1: got (1, 2)");
    EXPECT(gtr_eval(&n, 1) == GTR_OK);
    EXPECT(gtr_set(x, v, sizeof v) == GTR_OK && gtr_eval_train(&n, 1) == GTR_OK);
    EXPECT(gtr_eval(&s, 1) == GTR_OK && gtr_get(s, &got, sizeof got) == GTR_OK && got == 21);
    EXPECT(gtr_get(n, v, 4) == GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "want");
    /* labels of cross_entropy may be ignored, ids may not: each run has its own ranges */
    EXPECT(gtr_set(y, right, sizeof right) == GTR_OK && gtr_eval(&loss, 1) == GTR_OK && gtr_eval(&e, 1) == GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "element 2 is -100, want 0 to 1 for embedding");
    {   /* a range whose op was released again */
        gtr_tensor *z = gtr_input(ctx, "z", GTR_I32, gtr_shape1(GTR_BATCH)),
            *wide = gtr_sum(gtr_embedding(z, "wide", 9, 2), NULL, 0, false);
        int64_t mark = gtr_mark(ctx);
        int32_t seven[1] = { 7 };
        EXPECT(gtr_embedding(z, "gone", 3, 2) != NULL);
        gtr_release(ctx, mark);
        EXPECT(gtr_set(z, seven, sizeof seven) == GTR_OK && gtr_eval(&wide, 1) == GTR_OK);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

// >>determinism
#ifndef GPUTRAIN_DOUBLE
/* A network in which every op has a part, large enough to be cut into pieces. */
typedef struct net {
    gtr_context *ctx; gtr_tensor *x, *y, *z, *ids, *loss, *metric, *class_of_row; gtr_trainer *trainer;
} net;
#define NET_BATCH 96
#define NET_WIDTH 300
static net net_build(gtr_device device, int threads)
{
    net n;
    int axis0 = 0, swap[GTR_MAX_DIMS] = { 0, 2, 1 };
    gtr_tensor *h, *a, *c, *parts[3], *table;
    gtr_trainer_desc d;
    memset(&n, 0, sizeof n);
    n.ctx = context_on(device, threads);
    n.x = gtr_input(n.ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, NET_WIDTH));
    n.y = gtr_input(n.ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    n.z = gtr_input(n.ctx, "z", GTR_F32, gtr_shape2(GTR_BATCH, 10));
    n.ids = gtr_input(n.ctx, "ids", GTR_I32, gtr_shape2(GTR_BATCH, 3));
    h = gtr_dropout(gtr_relu(gtr_linear(n.x, "fc1", 256)), "drop", 0.25f);
    h = gtr_batch_norm(h, "bn");
    a = gtr_tanh(gtr_slice(h, 1, 0, 128));
    c = gtr_sigmoid(gtr_slice(h, -1, 128, 256));
    h = gtr_add(gtr_mul(a, c), gtr_div(gtr_gelu(a), gtr_scale(gtr_exp(c), 1, 0.5f)));
    h = gtr_sub(h, gtr_mean(h, &axis0, 1, true));
    table = gtr_parameter(n.ctx, "table", gtr_shape2(50, 24), init_of(GTR_INIT_NORMAL, 0.5f));
    parts[0] = gtr_linear(h, "fc2", 72);
    parts[1] = gtr_flatten(gtr_embedding_with(n.ids, table));
    parts[2] = gtr_gelu_tanh(gtr_flatten(gtr_embedding(n.ids, "em", 50, 24)));
    h = gtr_concat(parts, 3, 1);
    h = gtr_permute(gtr_reshape(h, gtr_shape3(GTR_BATCH, 12, 18)), swap);
    a = gtr_softmax(gtr_matmul_t(h, false, h, true), 2);
    h = gtr_reshape(gtr_matmul(a, h), gtr_shape2(GTR_BATCH, 216));
    h = custom_of(n.ctx, h, gtr_stop_gradient(gtr_sigmoid(h)), "gate");
    h = gtr_log(gtr_scale(gtr_sigmoid(h), 1, 1));
    h = gtr_linear(h, "fc3", 10);
    n.loss = gtr_add(gtr_cross_entropy_ex(h, n.y, smoothing(10, -100)),
        gtr_add(gtr_scale(gtr_mse(h, n.z), 0.1f, 0), gtr_add(gtr_bce_with_logits(gtr_linear_with(h,
        gtr_parameter(n.ctx, "w", gtr_shape2(10, 10), init_of(GTR_INIT_UNIFORM, 0.3f)), NULL), gtr_sigmoid(n.z)),
        gtr_scale(gtr_sum(gtr_mul(h, h), NULL, 0, false), 1e-5f, 0))));
    n.metric = gtr_accuracy(h, n.y);
    n.class_of_row = gtr_argmax(h, 1);
    memset(&d, 0, sizeof d);
    d.optimizer = GTR_ADAMW; d.lr = 1e-3f; d.clip_norm = 1;
    n.trainer = gtr_trainer_create(n.loss, d);
    return n;
}
static void net_set(net *n, int step)
{
    gtr_float *x = (gtr_float *)room(NET_BATCH * NET_WIDTH, sizeof *x);
    int32_t y[NET_BATCH], ids[3 * NET_BATCH];
    int i;
    rng_seed((uint64_t)step + 1234);
    for (i = 0; i < NET_BATCH * NET_WIDTH; i++) x[i] = (gtr_float)uniform(-1, 1);
    for (i = 0; i < NET_BATCH; i++) y[i] = i % 17 == 5 ? -100 : (int32_t)(rng_next() % 10);
    for (i = 0; i < 3 * NET_BATCH; i++) ids[i] = (int32_t)(rng_next() % 50);
    gtr_set(n->x, x, NET_BATCH * NET_WIDTH * sizeof *x);
    gtr_set(n->z, x, NET_BATCH * 10 * sizeof *x);
    gtr_set(n->y, y, sizeof y);
    gtr_set(n->ids, ids, sizeof ids);
    free(x);
}
/* All bytes of parameters, buffers, both states, and what an evaluation gives. */
static unsigned char *net_bytes(net *n, size_t *size)
{
    int64_t i;
    size_t at = 0, most = (size_t)8 << 20;
    unsigned char *p = (unsigned char *)room((int64_t)most, 1);
    gtr_tensor *fetch[3];
    int k;
    for (i = 0; i < gtr_parameter_count(n->ctx); i++) {
        gtr_tensor *t = gtr_parameter_at(n->ctx, i);
        gtr_shape s = gtr_tensor_shape(t);
        size_t bytes = (size_t)gtr__count(&s) * gtr__dtype_size(gtr_tensor_dtype(t));
        if (at + 3 * bytes > most) break;
        gtr_get(t, p + at, bytes);
        at += bytes;
        for (k = 0; k < 2 && gtr_parameter_trainable(t); k++, at += bytes)
            gtr_state_get(n->trainer, t, k, p + at, bytes);
    }
    fetch[0] = n->loss; fetch[1] = n->metric; fetch[2] = n->class_of_row;
    gtr_eval(fetch, 3);
    gtr_get(n->loss, p + at, sizeof(gtr_float)); gtr_get(n->metric, p + at + 8, sizeof(gtr_float));
    gtr_get(n->class_of_row, p + at + 16, NET_BATCH * 4);
    *size = at + 16 + NET_BATCH * 4;
    return p;
}
static unsigned char *net_train(gtr_device device, int threads, int steps, size_t *size, float *loss)
{
    net n = net_build(device, threads);
    unsigned char *p;
    int i;
    for (i = 0; i < steps; i++) { net_set(&n, i); gtr_step(n.trainer); }
    *loss = gtr_loss(n.trainer);
    p = net_bytes(&n, size);
    CHECK(!gtr_error(n.ctx), "%s", gtr_error_text(n.ctx));
    CHECK(*loss == *loss && *size > 100000, "loss %g, %zu bytes", (double)*loss, *size);
    gtr_destroy(n.ctx);
    return p;
}
static void same_bits_on(gtr_device device)
{
    static const int threads[4] = { 1, 1, 2, 4 };
    unsigned char *first = NULL;
    size_t size = 0;
    int k, runs = device == GTR_DEVICE_CUDA ? small ? 2 : 4 : 4, steps = small ? 2 : 4;
    for (k = 0; k < runs; k++) {
        size_t n;
        float loss;
        unsigned char *p = net_train(device, threads[k], steps, &n, &loss);
        if (!first) { first = p; size = n; continue; }
        CHECK(n == size && !memcmp(p, first, n), "run %d%s differs from the first", k, device == GTR_DEVICE_CPU
            ? threads[k] == 1 ? " (1 thread)" : threads[k] == 2 ? " (2 threads)" : " (4 threads)" : "");
        free(p);
    }
    free(first);
}
static void cpu_same_bits(void) { same_bits_on(GTR_DEVICE_CPU); }
/* The network's loss and gradients on CUDA against the CPU, the same weights: reshapes and the
   plan's own nodes take part. */
static void same_gradients(void)
{
    net a = net_build(GTR_DEVICE_CPU, 1), b = net_build(GTR_DEVICE_CUDA, 1);
    int64_t i;
    float la, lb;
    net_set(&a, 0); net_set(&b, 0);
    EXPECT(gtr_backward(a.trainer) == GTR_OK && gtr_backward(b.trainer) == GTR_OK);
    for (i = 0; i < gtr_parameter_count(a.ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(a.ctx, i), *q = gtr_parameter_at(b.ctx, i);
        gtr_shape s = gtr_tensor_shape(p);
        int64_t n = gtr__count(&s);
        gtr_float *u, *v;
        distance d;
        limit l;
        if (!gtr_parameter_trainable(p)) continue;
        u = (gtr_float *)room(n, sizeof *u); v = (gtr_float *)room(n, sizeof *v);
        EXPECT(gtr_gradient_get(a.trainer, p, u, (size_t)n * sizeof *u) == GTR_OK
            && gtr_gradient_get(b.trainer, q, v, (size_t)n * sizeof *v) == GTR_OK);
        d = distance_of(u, v, GTR_F32, n, 1e-5);        /* a bias in front of batch_norm has no gradient but rounding */
        l = limit_of(GTR_F32, GTR_FP32);
        l.nmse *= 10; l.ratio *= 10;                    /* thirty ops one behind the other */
        CHECK(within(d, l), "gradient of %s: NMSE %.3g, max %.3g", gtr_tensor_name(p), d.nmse, d.ratio);
        free(u); free(v);
    }
    EXPECT(gtr_update(a.trainer) == GTR_OK && gtr_update(b.trainer) == GTR_OK);
    la = gtr_loss(a.trainer); lb = gtr_loss(b.trainer);
    CHECK(fabs((double)la - (double)lb) < 1e-5 * (1 + fabs((double)la)), "loss %g on the CPU, %g on CUDA",
        (double)la, (double)lb);
    CHECK(!gtr_error(a.ctx) && !gtr_error(b.ctx), "%s %s", gtr_error_text(a.ctx), gtr_error_text(b.ctx));
    gtr_destroy(a.ctx); gtr_destroy(b.ctx);
}

/* What a trainer's 0 stands for, as gtr_trainer_desc's comments say it: of each optimizer, under each schedule. */
#define DEFAULT_IS(field, want) CHECK(d.field == (want), "%s, schedule %d: " #field " 0 becomes %.9g, want %.9g", \
    name, s, (double)d.field, (double)(want))
static float constant_rate(int64_t step, void *user) { (void)step; (void)user; return 1; }
static void optimizer_defaults(void)
{
    static const struct { const char *name; gtr_optimizer kind; float lr, beta2, eps, weight_decay; } lines[] = {
        { "SGD", GTR_SGD, 1e-2f, 0.999f, 1e-8f, 0 }, { "Adam", GTR_ADAM, 1e-3f, 0.999f, 1e-8f, 0 },
        { "AdamW", GTR_ADAMW, 1e-3f, 0.999f, 1e-8f, 0.01f }, { "RMSprop", GTR_RMSPROP, 1e-2f, 0.99f, 1e-8f, 0 },
        { "Lion", GTR_LION, 1e-4f, 0.99f, 1e-8f, 0 }, { "Adagrad", GTR_ADAGRAD, 1e-2f, 0.999f, 1e-10f, 0 } };
    enum { LINES = sizeof lines / sizeof *lines };
    gtr_context *ctx = context_on(GTR_DEVICE_CPU, 1);
    for (int kind = 0; kind < GTR__N_OPTIMIZERS; kind++) for (int s = GTR_CONSTANT; s <= GTR_PLATEAU; s++) {
        const char *name;
        gtr_trainer_desc d;
        int k = 0;
        while (k < LINES && (int)lines[k].kind != kind) k++;
        if (!CHECK(k < LINES, "optimizer %d: its defaults have no line here", kind)) break;
        name = lines[k].name;
        memset(&d, 0, sizeof d);
        d.optimizer = (gtr_optimizer)kind; d.schedule = (gtr_schedule)s; d.precision = GTR_MIXED_FP16;
        d.lr_fn = s == GTR_CUSTOM_SCHEDULE ? constant_rate : NULL;
        d.decay_steps = s == GTR_STEP_DECAY ? 7 : 0; d.gamma = s == GTR_EXPONENTIAL ? 0.5f : 0;     /* must be given */
        gtr_trainer_desc none = d;
        none.plateau_patience = -1; none.threshold = GTR_ZERO;
        if (!CHECK(gtr__trainer_check(ctx, &d) == GTR_OK, "%s: %s", name, gtr_error_text(ctx))) break;
        DEFAULT_IS(lr, lines[k].lr); DEFAULT_IS(beta1, 0.9f); DEFAULT_IS(beta2, lines[k].beta2);
        DEFAULT_IS(eps, lines[k].eps); DEFAULT_IS(weight_decay, lines[k].weight_decay); DEFAULT_IS(loss_scale, 65536);
        DEFAULT_IS(momentum, 0); DEFAULT_IS(lr_decay, 0); DEFAULT_IS(initial_accumulator, 0); DEFAULT_IS(ema, 0);
        DEFAULT_IS(clip_norm, 0); DEFAULT_IS(micro_batches, 1); DEFAULT_IS(warmup_steps, 0); DEFAULT_IS(total_steps, 0);
        DEFAULT_IS(min_lr, 0); DEFAULT_IS(decay_steps, s == GTR_STEP_DECAY ? 7 : 1);
        DEFAULT_IS(gamma, s == GTR_EXPONENTIAL ? 0.5f : 0.1f); DEFAULT_IS(start_factor, 1.0f / 3);
        DEFAULT_IS(end_factor, 1); DEFAULT_IS(pct_start, 0.3f); DEFAULT_IS(div_factor, 25);
        DEFAULT_IS(final_div_factor, 1e4f); DEFAULT_IS(plateau_patience, 10); DEFAULT_IS(plateau_cooldown, 0);
        DEFAULT_IS(threshold, 1e-4f);
        if (s != GTR_PLATEAU) continue;
        EXPECT_EQ(gtr__trainer_check(ctx, &none), GTR_OK);
        EXPECT(none.plateau_patience == 0 && none.threshold == GTR_ZERO);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

static void cpu_kernels(void)    { kernels_on(&cpu_bench); }
static void cpu_fused(void)      { fused_on(&cpu_bench); }
static void cpu_optimizers(void) { optimizers_on(&cpu_bench); }
static void nodes_on(bench *b)   { small_nodes_on(b); tallies_on(b); bad_ids_on(b); bad_places_on(b); feeds_on(b); }
static void cpu_nodes(void)      { nodes_on(&cpu_bench); }
/* On CUDA, or skipped. */
#define ON_CUDA(test, call) static void test(void) { if (!gpu_bench.ctx) SKIP(#test ": no GPU"); else call; }
ON_CUDA(cuda_kernels, kernels_on(&gpu_bench))
ON_CUDA(cuda_fused, fused_on(&gpu_bench))
ON_CUDA(cuda_control, tf32_control(&gpu_bench))
ON_CUDA(cuda_optimizers, optimizers_on(&gpu_bench))
ON_CUDA(cuda_nodes, { nodes_on(&gpu_bench); })
ON_CUDA(cuda_same_bits, same_bits_on(GTR_DEVICE_CUDA))
ON_CUDA(cuda_same_gradients, same_gradients())
#endif

int main(int argc, char **argv)
{
#ifndef GPUTRAIN_DOUBLE
    gtr_context *gpu;
    bool must_have = getenv("GTR_TEST_DEVICE") && !strcmp(getenv("GTR_TEST_DEVICE"), "cuda");
#endif
    check_begin(argc, argv);
    small = getenv("GTR_TEST_SMALL") != NULL;
    if (getenv("GTR_TEST_MAX_SM")) max_sm = atoi(getenv("GTR_TEST_MAX_SM"));
    RUN(bad_leaves);
    RUN(norm_shapes);
    RUN(residuals);
    RUN(residuals_of_three);
    RUN(other_dtypes);
    RUN(bad_ops);
    RUN(bad_axes);
    RUN(own_tensors);
    RUN(bad_images);
    RUN(equals);
    RUN(pools_of_specials);
    RUN_ROWS(largest_anywhere);
    RUN_ROWS(long_lines);
    RUN(bad_runs);
    RUN(conversions);
    RUN(squares);
    RUN_ROWS(axes);
#ifdef GPUTRAIN_DOUBLE
    RUN(factors_of_losses);
    RUN(factors_of_steps);
    RUN_ROWS(gradients);
#else
    bench_open(&cpu_bench, "the CPU", context_on(GTR_DEVICE_CPU, 4)); /* pieces race with each other */
    if (!must_have) {
        RUN(bits);
        RUN(chance);
        RUN(shuffles);
        RUN_IN_PARTS(cpu_kernels);
        RUN_IN_PARTS(cpu_fused);
        RUN(optimizer_defaults);
        RUN(cpu_optimizers);
        RUN(cpu_nodes);
        RUN(cpu_same_bits);
    }
    gpu = context_on(GTR_DEVICE_CUDA, 1);
    if (gtr_error(gpu) && must_have) CHECK(false, "no GPU: %s", gtr_error_text(gpu));
    else if (gtr_error(gpu)) printf("no GPU: %s\n", gtr_error_text(gpu));
    else {
        bench_open(&gpu_bench, "CUDA", gpu);
        printf("ops on %s\n", gtr_device_text(gpu));
        gpu = NULL;
    }
    RUN_IN_PARTS(cuda_kernels);
    RUN_IN_PARTS(cuda_fused);
    RUN(cuda_control);
    RUN(cuda_optimizers);
    RUN(cuda_nodes);
    RUN(cuda_same_bits);
    RUN(cuda_same_gradients);
    gtr_destroy(gpu);
    bench_close(&gpu_bench);
    bench_close(&cpu_bench);
#endif
    return check_done();
}
