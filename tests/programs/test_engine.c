/* The engine: that its passes keep what they promise, and what a user meets around a training run. Each proof runs on
   the CPU, and again on the GPU where there is one. */
#include "private.h"
#include "check.h"
#include "device.h"
#include "hash.h"
#include "matchers.h"
#include "stack.h"
#include "points.h"
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static gtr_context *create(void) { return gtr_create(desc0()); }
static int repeat(int n) { return small ? 2 : n; }
/* Chips before sm_80 refuse trainers in BF16, and have no TF32 either. */
static bool has_bf16(void)
{
    gtr_context *ctx = create();
    const bool there = ctx->caps.bf16 != 0;
    gtr_destroy(ctx);
    return there;
}

/* ---- networks ---- */
typedef struct net { gtr_context *ctx; gtr_tensor *x, *y, *logits, *loss, *acc; gtr_trainer *t; } net;
enum { DROP = 1, NORM = 2, REGION = 4, STAGES = 8 };
/* rows: GTR_BATCH or a literal batch */
static net build(gtr_context *ctx, int64_t rows, int parts, const gtr_trainer_desc *d)
{
    net n;
    gtr_tensor *h;
    n.ctx = ctx;
    n.x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(rows, WIDTH));
    n.y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(rows));
    h = gtr_relu(gtr_linear(n.x, "fc1", 16));
    if (parts & REGION) gtr_recompute_begin(ctx);
    h = gtr_tanh(gtr_linear(h, "fc2", 24));
    if (parts & NORM) h = gtr_batch_norm(h, "norm");
    if (parts & DROP) h = gtr_dropout(h, "drop", 0.25f);
    h = gtr_gelu(gtr_linear(h, "fc3", 12));
    if (parts & REGION) gtr_recompute_end(ctx);
    if (parts & STAGES) gtr_stage(ctx, 1);
    h = gtr_relu(gtr_linear(h, "fc4", 10));
    n.logits = gtr_linear(h, "fc5", CLASSES);
    n.loss = gtr_cross_entropy(n.logits, n.y);
    n.acc = gtr_accuracy(n.logits, n.y);
    if (parts & STAGES) gtr_stage(ctx, 0);
    n.t = d ? gtr_trainer_create(n.loss, *d) : NULL;
    return n;
}
static gtr_trainer_desc sgd(float lr) { gtr_trainer_desc d; memset(&d, 0, sizeof d); d.lr = lr; return d; }
static gtr_trainer_desc adam(void) { gtr_trainer_desc d; memset(&d, 0, sizeof d); d.optimizer = GTR_ADAM; return d; }
static void feed(const net *n, int first, int rows)
{
    gtr_set(n->x, pool_x + first * WIDTH, (size_t)(rows * WIDTH) * sizeof *pool_x);
    gtr_set(n->y, pool_y + first, (size_t)rows * sizeof *pool_y);
}

/* ---- comparing ---- */
typedef struct shot { size_t bytes; unsigned char at[1 << 18]; } shot;
/* All parameters and buffers, and the states and gradients that t (NULL: none) has of them. Kernels of whole networks
   leave the last step's gradients where they belong, which users need not know: here they are
   read after gtr_fit, too, and before the first step. */
static void take(gtr_context *ctx, gtr_trainer *t, bool gradients, shot *s)
{
    int64_t i;
    int k;
    memset(s, 0, sizeof *s);
    for (i = 0; i < gtr_parameter_count(ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(ctx, i);
        if (!CHECK(s->bytes + 4 * gtr__bytes_of(p) < sizeof s->at, "a shot is too large")) return;
        EXPECT_EQ(gtr_get(p, s->at + s->bytes, gtr__bytes_of(p)), GTR_OK);
        s->bytes += gtr__bytes_of(p);
        for (k = 0; t && k < 3; k++) {
            if (gtr__trainer_index(t, p) < 0 || (k < 2 && k >= t->optim.states) || (k == 2 && !gradients)) continue;
            if (k < 2) EXPECT_EQ(gtr_state_get(t, p, k, s->at + s->bytes, gtr__bytes_of(p)), GTR_OK);
            else {
                t->fitted = false; t->gradients.stepped = true;
                EXPECT_EQ(gtr_gradient_get(t, p, s->at + s->bytes, gtr__bytes_of(p)), GTR_OK);
            }
            s->bytes += gtr__bytes_of(p);
        }
    }
}
static bool equal(const shot *a, const shot *b) {
    return a->bytes > 0 && a->bytes == b->bytes && !memcmp(a->at, b->at, a->bytes);
}
static void copy_parameters(gtr_context *to, gtr_context *from)
{
    static unsigned char b[1 << 14];
    int64_t i;
    for (i = 0; i < gtr_parameter_count(from); i++) {
        gtr_tensor *p = gtr_parameter_at(from, i), *q = gtr_parameter_find(to, gtr_tensor_name(p));
        if (!CHECK(q && gtr__bytes_of(p) == gtr__bytes_of(q) && gtr__bytes_of(p) <= sizeof b, "no place for \"%s\"",
                gtr_tensor_name(p)))
            continue;
        gtr_get(p, b, gtr__bytes_of(p));
        gtr_set(q, b, gtr__bytes_of(q));
    }
}
static bool near(const gtr_float *a, const gtr_float *b, int64_t n, double nmse, double ratio) {
    return within(a, b, n, nmse, ratio);
}
static bool near32(const gtr_float *a, const gtr_float *b, int64_t n) { return near(a, b, n, 1e-10, 1e-5); }
/* Each float parameter of two contexts, or each gradient, within the limits. */
static void parameters_near(gtr_context *a, gtr_context *b, gtr_trainer *ta, gtr_trainer *tb, double nmse, double ratio,
    const char *what)
{
    static gtr_float x[4096], y[4096];
    int64_t i;
    for (i = 0; i < gtr_parameter_count(a); i++) {
        gtr_tensor *p = gtr_parameter_at(a, i), *q = gtr_parameter_find(b, gtr_tensor_name(p));
        int64_t n = (int64_t)(gtr__bytes_of(p) / sizeof *x);
        if (p->dtype != GTR_F32 || n > 4096 || (ta && gtr__trainer_index(ta, p) < 0)) continue;
        if (ta) {
            ta->fitted = tb->fitted = false; EXPECT_EQ(gtr_gradient_get(ta, p, x, gtr__bytes_of(p)), GTR_OK);
            EXPECT_EQ(gtr_gradient_get(tb, q, y, gtr__bytes_of(p)), GTR_OK);
        }
        else { gtr_get(p, x, gtr__bytes_of(p)); gtr_get(q, y, gtr__bytes_of(p)); }
        CHECK(near(x, y, n, nmse, ratio), "%s: \"%s\" differs%s", what, gtr_tensor_name(p), ta ? " (gradient)" : "");
    }
}

/* ---- proof 1: two trainers share an encoder ---- */
typedef struct pair { net n; gtr_tensor *other; gtr_trainer *t2; gtr_tensor *enc; } pair;
static pair shared_encoder(gtr_context *ctx)
{
    pair p;
    memset(&p, 0, sizeof p);
    p.n.ctx = ctx;
    p.n.x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
    p.n.y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    p.enc = gtr_relu(gtr_linear(p.n.x, "enc", 16));
    p.n.logits = gtr_linear(p.enc, "head", CLASSES);
    p.n.loss = gtr_cross_entropy(p.n.logits, p.n.y);
    p.n.t = gtr_trainer_create(p.n.loss, adam());
    return p;
}
static void decode(pair *p)        /* the graph grows: a decoder behind the same encoder */
{
    gtr_trainer_desc d = sgd(0.05f);
    d.momentum = 0.9f;
    p->other = gtr_mse(gtr_linear(p->enc, "dec", WIDTH), p->n.x);
    p->t2 = gtr_trainer_create(p->other, d);
}
static void two_trainers(void)
{
    static shot a, b;
    static gtr_float g[WIDTH * 16];
    gtr_context *ctx = create(), *alone;
    pair p = shared_encoder(ctx), q;
    gtr_trainer_desc d = adam();
    gtr_group groups[2];
    gtr_init frozen;
    gtr_trainer *t3;
    gtr_tensor *w, *fixed;
    int i;
    /* both from the start, in turn; and the second made after the first has trained: the same bits */
    for (i = 0; i < 4; i++) { feed(&p.n, 16 * i, 16); EXPECT_EQ(gtr_step(p.n.t), GTR_OK); }
    decode(&p);
    for (i = 0; i < 4; i++) { feed(&p.n, 16 * i, 16); gtr_step(p.t2); gtr_step(p.n.t); }
    EXPECT_OK(ctx);
    alone = create();
    q = shared_encoder(alone);
    decode(&q);
    for (i = 0; i < 4; i++) { feed(&q.n, 16 * i, 16); gtr_step(q.n.t); }
    for (i = 0; i < 4; i++) { feed(&q.n, 16 * i, 16); gtr_step(q.t2); gtr_step(q.n.t); }
    EXPECT_OK(alone);
    take(ctx, p.n.t, true, &a); take(alone, q.n.t, true, &b);
    CHECK(equal(&a, &b), "a trainer made later changes what the first one does");
    take(ctx, p.t2, true, &a); take(alone, q.t2, true, &b);
    CHECK(equal(&a, &b), "a trainer made after another has trained does not train alike");
    /* each has its own states, and none of what its loss does not reach */
    EXPECT_EQ(gtr_trainer_report(p.n.t).applied, 8);
    EXPECT_EQ(gtr_trainer_report(p.t2).applied, 4);
    w = gtr_parameter_find(ctx, "dec.weight");
    EXPECT_EQ(gtr_gradient_get(p.n.t, w, g, gtr__bytes_of(w)), GTR_ERR_STATE);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "dec.weight");
    EXPECT_EQ(gtr_state_get(p.t2, w, 1, g, gtr__bytes_of(w)), GTR_ERR_STATE);      /* SGD has no second moment */
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "dec.weight");
    /* freed, its memory is had back and the other goes on */
    gtr_trainer_destroy(p.t2);
    feed(&p.n, 0, 16); feed(&q.n, 0, 16);
    gtr_step(p.n.t); gtr_step(q.n.t);
    take(ctx, p.n.t, true, &a); take(alone, q.n.t, true, &b);
    CHECK(equal(&a, &b), "after its neighbour was destroyed a trainer goes another way");
    /* frozen: by a group of the trainer, and for ever */
    memset(&frozen, 0, sizeof frozen);
    frozen.kind = GTR_INIT_NORMAL; frozen.a = 1; frozen.frozen = true;
    fixed = gtr_parameter(ctx, "fixed", gtr_shape1(CLASSES), frozen);
    memset(groups, 0, sizeof groups);
    groups[0].pattern = "enc.*"; groups[0].frozen = true;
    d.groups = groups; d.n_groups = 1;
    t3 = gtr_trainer_create(gtr_cross_entropy(gtr_add(p.n.logits, fixed), p.n.y), d);
    EXPECT_OK(ctx);
    EXPECT_EQ(t3->params.n, 2);
    EXPECT(t3->params.total == 64 + 64 && !gtr_parameter_trainable(fixed));
    for (i = 0; i < 3; i++) {
        static const char *const names[] = { "enc.weight", "enc.bias", "fixed" };
        gtr_tensor *f = gtr_parameter_find(ctx, names[i]);
        EXPECT_EQ(gtr_gradient_get(t3, f, g, gtr__bytes_of(f)), GTR_ERR_STATE);
        EXPECT_ERROR(ctx, GTR_ERR_STATE, names[i]);
        EXPECT_EQ(gtr_state_get(t3, f, 0, g, gtr__bytes_of(f)), GTR_ERR_STATE);
        EXPECT_ERROR(ctx, GTR_ERR_STATE, names[i]);
    }
    EXPECT_EQ(gtr_gradient_get(t3, gtr_relu(p.n.logits), g, 0), GTR_ERR_STATE); /* it has no name */
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "relu");
    w = gtr_parameter_find(ctx, "enc.weight");
    {
        static gtr_float before[WIDTH * 16];
        gtr_get(w, before, sizeof before);
        for (i = 0; i < 3; i++) { feed(&p.n, 0, 16); EXPECT_EQ(gtr_step(t3), GTR_OK); }
        gtr_get(w, g, sizeof g);
        CHECK(!memcmp(before, g, sizeof g), "a frozen parameter moved");
        CHECK(!strstr(gtr_plan_text(t3, 16), "d%:enc") && strstr(gtr_plan_text(t3, 16), "head"),
            "the plan has a gradient of a frozen parameter");
    }
    gtr_destroy(ctx);
    gtr_destroy(alone);
}

/* ---- proof 2: a batch of any size ---- */
/* The same at a literal size in a context of its own: values in evaluation, and what a step does. */
static void as_literal(net *n, int rows, bool step, const gtr_trainer_desc *d, int parts)
{
    static gtr_float a[64 * CLASSES], b[64 * CLASSES];
    gtr_context *ctx = create();
    net m = build(ctx, rows, parts, d);
    size_t bytes = (size_t)(rows * CLASSES) * sizeof *a;
    gtr_tensor *both[2];
    copy_parameters(ctx, n->ctx);
    feed(n, 64 - rows, rows);
    feed(&m, 64 - rows, rows);
    both[0] = n->logits; both[1] = n->loss;
    EXPECT_EQ(gtr_eval(both, 2), GTR_OK);
    both[0] = m.logits; both[1] = m.loss;
    EXPECT_EQ(gtr_eval(both, 2), GTR_OK);
    EXPECT_EQ(gtr_get(n->logits, a, bytes), GTR_OK);
    EXPECT_EQ(gtr_get(m.logits, b, bytes), GTR_OK);
    CHECK(near32(a, b, rows * CLASSES), "evaluation of %d rows differs from literal shapes", rows);
    CHECK(fabsf(gtr_item(n->loss) - gtr_item(m.loss)) <= 1e-5f,
        "the loss of %d rows differs from literal shapes", rows);
    if (step) {
        char what[64];
        snprintf(what, sizeof what, "a step of %d rows against literal shapes", rows);
        EXPECT_EQ(gtr_step(n->t), GTR_OK);
        EXPECT_EQ(gtr_step(m.t), GTR_OK);
        CHECK(fabsf(gtr_loss(n->t) - gtr_loss(m.t)) <= 1e-5f, "%s: the loss", what);
        parameters_near(n->ctx, ctx, n->t, m.t, 1e-10, 1e-5, what);
        parameters_near(n->ctx, ctx, NULL, NULL, 1e-10, 1e-5, what);
    }
    EXPECT_OK(n->ctx);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
static void batch_sizes(void)
{
    static const int sizes[] = { 8, 3, 8, 1, 13, 8, 1, 3, 64, 8, 1 };
    static shot a, b;
    gtr_trainer_desc d = sgd(0.05f);
    gtr_context *ctx = create(), *other;
    net n = build(ctx, GTR_BATCH, 0, &d), m;
    gtr_dataset *data;
    int i;
    float loss, acc, want = 0, want_acc = 0;
    for (i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) as_literal(&n, sizes[i], true, &d, 0);
    gtr_destroy(ctx);
    ctx = create();
    n = build(ctx, GTR_BATCH, NORM, &d);
    for (i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) as_literal(&n, sizes[i], sizes[i] > 1, &d, NORM);
    /* batch_norm cannot train on one row, and says so; nothing is lost */
    take(ctx, n.t, true, &a);
    feed(&n, 0, 1);
    EXPECT(gtr_step(n.t) != GTR_OK);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "norm");
    take(ctx, n.t, true, &b);
    EXPECT(equal(&a, &b));
    as_literal(&n, 8, true, &d, NORM);
    gtr_destroy(ctx);
    /* a data set's tail batch (20 = 8 + 8 + 4), twice over, against the rows set by hand */
    ctx = create(); other = create();
    d.no_matchers = true;
    n = build(ctx, GTR_BATCH, DROP, &d); m = build(other, GTR_BATCH, DROP, &d);
    data = points(ctx, 20);
    EXPECT_EQ(gtr_trainer_data(n.t, data, 8, false, false), GTR_OK);
    for (i = 0; i < 6; i++) {
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        feed(&m, i % 3 * 8, i % 3 == 2 ? 4 : 8);
        EXPECT_EQ(gtr_step(m.t), GTR_OK);
    }
    take(ctx, n.t, true, &a); take(other, m.t, true, &b);
    CHECK(equal(&a, &b), "a tail batch of a data set differs from the same rows set by hand");
    /* evaluation over the set in batches that do not divide it */
    EXPECT_EQ(gtr_evaluate(n.t, data, 7, n.acc, &loss, &acc), GTR_OK);
    for (i = 0; i < 20; i++) {
        gtr_tensor *both[2];
        both[0] = m.loss; both[1] = m.acc;
        feed(&m, i, 1);
        gtr_eval(both, 2);
        want += gtr_item(m.loss) / 20; want_acc += gtr_item(m.acc) / 20;
    }
    CHECK(fabsf(loss - want) < 1e-5f && fabsf(acc - want_acc) < 1e-5f, "gtr_evaluate gives %g and %g, want %g and %g",
        (double)loss, (double)acc, (double)want, (double)want_acc);
    EXPECT_OK(ctx); EXPECT_OK(other);
    gtr_destroy(ctx); gtr_destroy(other);
}

/* ---- proof 3: micro-batches ---- */
static void micro_batches(void)
{
    static const int sizes[] = { 16, 64, 7, 3 };        /* 7 is cut unevenly, 3 in fewer parts */
    static gtr_float a[64 * 24], b[64 * 24];
    int i, k, step;
    for (i = 0; i < 4; i++) {
        gtr_trainer_desc one = sgd(0.05f), four = sgd(0.05f);
        gtr_context *c1 = create(), *c4 = create();
        net n1, n4;
        gtr_tensor *d1 = NULL, *d4 = NULL;
        char what[64];
        four.micro_batches = 4;
        n1 = build(c1, GTR_BATCH, DROP, &one);
        n4 = build(c4, GTR_BATCH, DROP, &four);
        for (k = 0; k < c1->graph.n_tensor; k++) if (c1->graph.tensor[k]->op == GTR__OP_DROPOUT) {
            d1 = gtr_keep(c1->graph.tensor[k]); d4 = gtr_keep(c4->graph.tensor[k]);
        }
        for (step = 0; step < repeat(4); step++) {
            int n = sizes[i] * 24, zeros = 0, unlike = 0;
            snprintf(what, sizeof what, "4 micro-batches of %d rows, step %d", sizes[i], step + 1);
            feed(&n1, 64 * step, sizes[i]);
            feed(&n4, 64 * step, sizes[i]);
            EXPECT_EQ(step & 1 ? gtr_step(n1.t) : gtr_backward(n1.t), GTR_OK);
            EXPECT_EQ(step & 1 ? gtr_step(n4.t) : gtr_backward(n4.t), GTR_OK);
            EXPECT_EQ(gtr_get(d1, a, (size_t)n * sizeof *a), GTR_OK);
            EXPECT_EQ(gtr_get(d4, b, (size_t)n * sizeof *b), GTR_OK);
            for (k = 0; k < n; k++) { zeros += a[k] == 0; unlike += (a[k] == 0) != (b[k] == 0); }
            CHECK(zeros > n / 8 && zeros < n / 2 && unlike == 0, "%s: %d of %d elements are dropped, %d not in both",
                what, zeros, n, unlike);
            CHECK(near32(a, b, n), "%s: dropout's output differs", what);
            parameters_near(c1, c4, n1.t, n4.t, 1e-10, 1e-5, what);
            if (!(step & 1)) { EXPECT_EQ(gtr_update(n1.t), GTR_OK); EXPECT_EQ(gtr_update(n4.t), GTR_OK); }
            CHECK(fabsf(gtr_loss(n1.t) - gtr_loss(n4.t)) <= 1e-6f, "%s: loss %.9g, want %.9g", what,
                (double)gtr_loss(n4.t), (double)gtr_loss(n1.t));
            parameters_near(c1, c4, NULL, NULL, 1e-10, 1e-5, what);
        }
        EXPECT_OK(c1); EXPECT_OK(c4);
        gtr_destroy(c1); gtr_destroy(c4);
    }
}

/* ---- proof 4: computed again against kept ---- */
static net deep(gtr_context *ctx, bool again, const gtr_trainer_desc *d)
{
    net n;
    gtr_tensor *h;
    char name[24];
    int i;
    n.ctx = ctx;
    n.x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
    n.y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    h = gtr_linear(n.x, "in", 16);
    for (i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "block%d", i);
        gtr_scope_begin(ctx, name);
        if (again) gtr_recompute_begin(ctx);
        h = gtr_tanh(gtr_linear(h, "a", 24));
        h = gtr_dropout(gtr_batch_norm(h, "norm"), "drop", 0.25f);
        h = gtr_mul(gtr_gelu(gtr_linear(h, "b", 24)), gtr_sigmoid(gtr_linear(h, "c", 24)));
        h = gtr_linear(h, "d", 16);
        if (again) gtr_recompute_end(ctx);
        gtr_scope_end(ctx);
    }
    n.logits = gtr_linear(h, "out", CLASSES);
    n.loss = gtr_cross_entropy(n.logits, n.y);
    n.acc = NULL;
    n.t = gtr_trainer_create(n.loss, *d);
    return n;
}
static void recomputed(void)
{
    static shot a, b;
    int micro, i;
    for (micro = 1; micro <= 2; micro++) {
        gtr_trainer_desc d = adam();
        gtr_context *kept = create(), *again = create();
        net n, m;
        gtr_memory_report rn, rm;
        d.micro_batches = micro; d.no_matchers = true;      /* they may match one network and not the other */
        n = deep(kept, false, &d); m = deep(again, true, &d);
        EXPECT_OK(kept); EXPECT_OK(again);
        for (i = 0; i < repeat(12); i++) {
            int rows = i % 4 == 3 ? 20 : 32;
            feed(&n, 32 * i, rows); feed(&m, 32 * i, rows);
            EXPECT_EQ(gtr_step(n.t), GTR_OK);
            EXPECT_EQ(gtr_step(m.t), GTR_OK);
            take(kept, n.t, true, &a); take(again, m.t, true, &b);
            if (!CHECK(equal(&a, &b) && gtr_loss(n.t) == gtr_loss(m.t),
                    "step %d with %d micro-batches: recomputed activations change bits", i + 1, micro))
                break;
        }
        EXPECT(strstr(gtr_plan_text(m.t, 32), " again") && !strstr(gtr_plan_text(n.t, 32), " again"));
        EXPECT_EQ(gtr_memory_plan(n.t, 4096, &rn), GTR_OK);
        EXPECT_EQ(gtr_memory_plan(m.t, 4096, &rm), GTR_OK);
        CHECK(rm.total < rn.total && rm.activations * 5 < rn.activations * 4,
            "recomputing takes %zu bytes of activations, keeping %zu", rm.activations, rn.activations);
        EXPECT_OK(kept); EXPECT_OK(again);
        gtr_destroy(kept); gtr_destroy(again);
    }
}
/* .recompute: what is chosen changes no bit, takes no more than was said, is the same in another context, is said once,
   and not chosen anew by who asks about a larger batch. What cannot be reached is said, too. */
static char chosen_text[400];
static int chosen_lines;
static void note_choice(gtr_level level, const char *text, void *user)
{
    (void)user;
    if (!strstr(text, ".recompute")) return;
    chosen_lines++;
    snprintf(chosen_text, sizeof chosen_text, "%d %s", (int)level, text);
}
/* What is chosen is what gtr_trace and gtr_trainer_prepare run or ready, too, once; where a fit's metric keeps values
   that the choice before counted on, it is chosen anew; and it stays for a larger batch that it fits. */
static void recompute_chosen_anew(void)
{
    enum { DEPTH = 20, WIDE = 32, ROWS = 512 };
    static gtr_float x[ROWS][WIDE], y[ROWS][WIDE];
    static float losses[4][2];
    static gtr_memory_report r[4]; /* 3: nothing is computed again */
    for (int i = 0; i < ROWS * WIDE; i++) {
        x[i / WIDE][i % WIDE] = (gtr_float)(i % 17) / 17;
        y[i / WIDE][i % WIDE] = (gtr_float)(i % 5) / 5;
    }
    for (int k = 3; k >= 0; k--) { /* first: gtr_trace; gtr_trainer_prepare; gtr_step, then a metric */
        gtr_context *ctx = create();
        gtr_trainer_desc d = adam();
        gtr_arrays_desc a;
        gtr_fit_desc f;
        gtr_tensor *h[DEPTH + 1], *of[DEPTH / 2];
        memset(&a, 0, sizeof a); memset(&f, 0, sizeof f);
        ctx->desc.log = note_choice; ctx->host.log = gtr__host_cb_log;
        h[0] = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDE));
        gtr_tensor *want = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, WIDE));
        for (int i = 0; i < DEPTH; i++) {
            char name[16];
            snprintf(name, sizeof name, "fc%d", i);
            h[i + 1] = gtr_tanh(gtr_linear(h[i], name, WIDE));
            of[i / 2] = h[i + 1];
        }
        gtr_tensor *loss = gtr_mse(h[DEPTH], want), *metric = gtr_mean(gtr_concat(of, DEPTH / 2, 1), NULL, 0, false);
        d.no_matchers = true;
        d.recompute = k == 3 ? 0 : (r[3].activations + r[3].workspace) * 4 / 5;
        gtr_trainer *t = gtr_trainer_create(loss, d);
        gtr_set(h[0], x, sizeof x / 2); gtr_set(want, y, sizeof y / 2);
        chosen_lines = 0;
        if (k == 0) EXPECT(gtr_trace(t)[0] && t->again.choice);
        if (k == 1) EXPECT(gtr_trainer_prepare(t, ROWS / 2) == GTR_OK && t->again.choice);
        if (k != 0) EXPECT_EQ(gtr_step(t), GTR_OK);
        EXPECT_EQ(chosen_lines, k < 3);
        const int was = t->again.choice;
        EXPECT_EQ(gtr_memory_plan(t, ROWS / 2, &r[k]), GTR_OK);
        gtr_set(h[0], x, sizeof x / 2 + sizeof *x); gtr_set(want, y, sizeof y / 2 + sizeof *y);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        losses[k][0] = gtr_loss(t);
        if (k < 3) CHECK(t->again.batch == ROWS / 2 + 1 && (t->again.choice == was) == (chosen_lines == 1),
            "%d lines, %d and %d", chosen_lines, t->again.choice, was);
        a.rows = ROWS; a.column[0].data = x; a.column[1].data = y;
        a.column[0].shape = a.column[1].shape = gtr_shape1(WIDE);
        f.metric = metric; f.epochs = 1; f.batch = ROWS / 2; f.silent = true;
        const int lines = chosen_lines;
        EXPECT_EQ(gtr_fit(t, gtr_dataset_arrays(ctx, a), f), GTR_OK);
        if (k < 3) EXPECT(t->again.metric == metric && chosen_lines == lines + 1);
        losses[k][1] = gtr_loss(t);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
        for (int i = 0; i < 2 && k < 3; i++) EXPECT_EQ(losses[k][i], losses[3][i]);
        if (k < 3) CHECK(r[k].activations + r[k].workspace <= d.recompute, "%zu + %zu of %zu; %zu + %zu without: %s",
            r[k].activations, r[k].workspace, d.recompute, r[3].activations, r[3].workspace, chosen_text);
    }
}
static void recompute_chosen(void)
{
    static shot a, b;
    static const int fifths[] = { 4, 3, 0 };
    for (int micro = 1; micro <= 2; micro++) for (int k = 0; k < 3; k++) {
        gtr_trainer_desc d = adam();
        gtr_context *kept = create(), *again = create();
        gtr_memory_report rn, rm;
        d.micro_batches = micro; d.no_matchers = true;
        net n = deep(kept, false, &d);
        EXPECT_EQ(gtr_memory_plan(n.t, 32, &rn), GTR_OK);
        d.recompute = 1 + (rn.activations + rn.workspace) * (size_t)fifths[k] / 5;
        again->desc.log = note_choice;
        again->host.log = gtr__host_cb_log;
        chosen_lines = 0;
        net m = deep(again, false, &d);
        for (int i = 0; i < repeat(6); i++) {
            const int rows = i % 4 == 3 ? 20 : 32;
            feed(&n, 32 * i, rows); feed(&m, 32 * i, rows);
            EXPECT_EQ(gtr_step(n.t), GTR_OK);
            EXPECT_EQ(gtr_step(m.t), GTR_OK);
            take(kept, n.t, true, &a); take(again, m.t, true, &b);
            if (!CHECK(equal(&a, &b) && gtr_loss(n.t) == gtr_loss(m.t), "step %d with %d micro-batches, %d fifths: "
                    "what is chosen to be computed again changes bits", i + 1, micro, fifths[k])) break;
        }
        EXPECT_EQ(gtr_memory_plan(m.t, 32, &rm), GTR_OK);
        CHECK(fifths[k] ? rm.activations + rm.workspace <= d.recompute : rm.activations < rn.activations,
            "%zu bytes, want %zu, %zu without", rm.activations + rm.workspace, d.recompute,
            rn.activations + rn.workspace);
        CHECK(chosen_lines == 1 && strstr(chosen_text, "a batch of 32 takes")
            && chosen_text[0] - '0' == (fifths[k] ? GTR_LOG_INFO : GTR_LOG_WARNING), "%d lines: %s", chosen_lines,
            chosen_text);
        const int was = m.t->again.choice;
        EXPECT(was && strstr(gtr_plan_text(m.t, 32), " again"));
        EXPECT_EQ(gtr_memory_plan(m.t, 64, &rm), GTR_OK);
        EXPECT(m.t->again.choice == was && chosen_lines == 1);
        EXPECT_OK(kept); EXPECT_OK(again);
        gtr_destroy(kept); gtr_destroy(again);
    }
}

/* ---- proof 5: two stages, each in an instance of its own ---- */
static gtr__backend real;
static gtr_context *wrapped;
static int removed;
/* Takes nodes out of a resolved plan; what waited for them waits no more. */
static void drop_node(gtr_context *ctx, gtr__plan *p, int at)
{
    int i, l;
    gtr__node_clear(ctx, &p->node[at]);
    const int later = p->n_node - at - 1;
    memmove(p->node + at, p->node + at + 1, (size_t)later * sizeof *p->node);
    p->n_node--;
    if (p->right_begin > at) p->right_begin--;
    for (i = 0; i < p->n_node; i++) {
        p->node[i].call->attr = &p->node[i].attr;
        p->node[i].call->epilogue = &p->node[i].epilogue;
        for (l = 0; l < p->node[i].wait.n; l++) {
            int *on = &p->edges.from[p->node[i].wait.first + l];
            if (*on == at) { *on = p->edges.from[p->node[i].wait.first + --p->node[i].wait.n]; l--; }
            else if (*on > at) --*on;
        }
    }
}
static gtr_result prepare_without_copies(void *const *i, gtr__plan *p, void **e)
{
    int k;
    for (k = 0; k < GTR__MAX_STAGES; k++) if (wrapped->memory.arena[k])
        real.zero(wrapped->instance[k], wrapped->memory.arena[k], wrapped->memory.arena_bytes[k]);
    for (k = p->n_node - 1; k >= 0; k--)
            if (p->node[k].op == GTR__OP_COPY && p->value[p->node[k].in[0]].dtype == GTR_F32) {
        drop_node(wrapped, p, k); removed++;
    }
    return real.prepare(i, p, e);
}
static void stages(void)
{
    static shot a, b;
    static const gtr_precision modes[] = { GTR_FP32, GTR_MIXED_BF16, GTR_MIXED_FP16, GTR_FP32 };
    int run;
    for (run = 0; run < 4; run++) {     /* with the copies; and, as a control, without them */
        const bool cut = run == 3;
        gtr_trainer_desc d = adam();
        gtr_context *whole = create(), *two = create();
        net n, m;
        bool same = true;
        int i, k, copies = 0;
        gtr__plan_entry *e;
        d.micro_batches = 4; d.precision = modes[run]; d.no_matchers = true;
        n = build(whole, GTR_BATCH, DROP | NORM, &d);
        m = build(two, GTR_BATCH, DROP | NORM | STAGES, &d);
        if (!n.t && gtr_error(whole) == GTR_ERR_UNSUPPORTED) {
            SKIP("%s", gtr_error_text(whole)); gtr_destroy(whole); gtr_destroy(two); continue;
        }
        EXPECT_OK(whole); EXPECT_OK(two);
        /* a fused gradient is not rounded between its two halves, and halves on two stages cannot be fused */
        if (d.precision != GTR_FP32)
            whole->caps.unfused[GTR__OP_LINEAR_DACT] = two->caps.unfused[GTR__OP_LINEAR_DACT] = 1;
        EXPECT_EQ(two->n_instance, 2);
        EXPECT(two->instance[1] && two->instance[1] != two->instance[0]);
        if (cut) { real = *two->be; wrapped = two; removed = 0; two->be->prepare = prepare_without_copies; }
        for (i = 0; i < repeat(12); i++) {
            int rows = i % 4 == 3 ? 21 : 32;        /* uneven micro-batches too */
            feed(&n, 32 * i, rows); feed(&m, 32 * i, rows);
            EXPECT_EQ(gtr_step(n.t), GTR_OK);
            if (cut) gtr_step(m.t); else EXPECT_EQ(gtr_step(m.t), GTR_OK);
            if (!cut) CHECK(gtr_loss(n.t) == gtr_loss(m.t), "step %d: the loss of two stages is %.9g, of one %.9g",
                i + 1, (double)gtr_loss(m.t), (double)gtr_loss(n.t));
            take(whole, n.t, true, &a); take(two, m.t, true, &b);
            same &= equal(&a, &b);
        }
        if (cut) CHECK(removed >= 8 && !same,
            "without %d copies nothing changed: values cross between stages by another way", removed);
        else {
            CHECK(same, "two stages give other bits than one");
            e = gtr__trainer_entry(m.t, 32, NULL, false);
            for (k = 0; k < e->plan.n_node; k++) copies += e->plan.node[k].op == GTR__OP_COPY;
            CHECK(copies == 13,
                "%d copies, want the activation, its gradient and the labels of each micro-batch, and all labels "
                "to be counted", copies);
            EXPECT(e->plan.arena[0] && e->plan.arena[1] && two->memory.arena[0] != two->memory.arena[1]);
            feed(&n, 0, 32); feed(&m, 0, 32);
            EXPECT_EQ(gtr_eval(&m.logits, 1), GTR_OK);
            EXPECT_EQ(gtr_eval(&n.logits, 1), GTR_OK);
            EXPECT_EQ(gtr_get(n.logits, a.at, 32 * CLASSES * sizeof(gtr_float)), GTR_OK);
            EXPECT_EQ(gtr_get(m.logits, b.at, 32 * CLASSES * sizeof(gtr_float)), GTR_OK);
            EXPECT(!memcmp(a.at, b.at, 32 * CLASSES * sizeof(gtr_float)));      /* gtr_eval is in float32 */
            EXPECT_OK(whole); EXPECT_OK(two);
        }
        if (cut) two->be->prepare = real.prepare;
        gtr_destroy(whole); gtr_destroy(two);
    }
}

/* ---- proof 6: an op of the user's own: y = w x^2 + x, w for each column ---- */
static int custom_calls;
static gtr_result square_forward(const gtr_custom_call *c)
{
    int64_t i, n = gtr__count(&c->out_shape), cols = gtr__count(&c->in_shape[1]);
    const gtr_float *x = (const gtr_float *)c->in[0], *w = (const gtr_float *)c->in[1];
    gtr_float *y = (gtr_float *)c->out;
    custom_calls++;
    for (i = 0; i < n; i++) y[i] = w[i % cols] * (x[i] * x[i]) + x[i];
    return GTR_OK;
}
static gtr_result square_backward(const gtr_custom_call *c)
{
    int64_t i, n = gtr__count(&c->out_shape), cols = gtr__count(&c->in_shape[1]);
    const gtr_float *x = (const gtr_float *)c->in[0], *w = (const gtr_float *)c->in[1],
        *dy = (const gtr_float *)c->dout;
    gtr_float *dx = (gtr_float *)c->din[0], *dw = (gtr_float *)c->din[1];
    if (dx) for (i = 0; i < n; i++) dx[i] = dy[i] * (2 * w[i % cols] * x[i] + 1);
    for (i = 0; dw && i < cols; i++) dw[i] = 0;
    for (i = 0; dw && i < n; i++) dw[i % cols] += dy[i] * (x[i] * x[i]);
    return GTR_OK;
}
static net with_custom(gtr_context *ctx, bool custom, const gtr_trainer_desc *d)
{
    net n;
    gtr_tensor *h, *w;
    gtr_init init;
    memset(&init, 0, sizeof init);
    init.kind = GTR_INIT_UNIFORM; init.a = 0.5f;
    n.ctx = ctx;
    n.x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
    n.y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    h = gtr_linear(n.x, "fc1", 8);
    w = gtr_parameter(ctx, "w", gtr_shape1(8), init);
    if (custom) {
        gtr_custom_desc c;
        memset(&c, 0, sizeof c);
        c.name = "square"; c.n_in = 2; c.in[0] = h; c.in[1] = w; c.forward = square_forward;
        c.backward = square_backward;
        h = gtr_custom(ctx, c);
    } else h = gtr_add(gtr_mul(w, gtr_mul(h, h)), h);
    n.logits = gtr_linear(gtr_tanh(h), "fc2", CLASSES);
    n.loss = gtr_cross_entropy(n.logits, n.y);
    n.acc = NULL;
    n.t = gtr_trainer_create(n.loss, *d);
    return n;
}
static void custom_gradients(void)      /* against central differences, every parameter and a few of its elements */
{
    static gtr_float v[128], g[128];
    gtr_trainer_desc d = sgd(0.1f);
    gtr_context *ctx = create();
    net n = with_custom(ctx, true, &d);
    const double eps = sizeof(gtr_float) == 8 ? 1e-6 : 1e-2, limit = sizeof(gtr_float) == 8 ? 1e-6 : 2e-3;
    int64_t i, k;
    feed(&n, 0, 16);
    EXPECT_EQ(gtr_backward(n.t), GTR_OK);
    for (i = 0; i < gtr_parameter_count(ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(ctx, i);
        int64_t count = gtr__count(&p->shape);
        double top = 0, worst = 0;
        EXPECT_EQ(gtr_gradient_get(n.t, p, g, gtr__bytes_of(p)), GTR_OK);
        for (k = 0; k < count; k++) if (fabs((double)g[k]) > top) top = fabs((double)g[k]);
        gtr_get(p, v, gtr__bytes_of(p));
        for (k = 0; k < count; k += 5) {
            gtr_float keep = v[k], up, down;
            v[k] = keep + (gtr_float)eps; gtr_set(p, v, gtr__bytes_of(p)); gtr_eval(&n.loss, 1);
            gtr_get(n.loss, &up, sizeof up);
            v[k] = keep - (gtr_float)eps; gtr_set(p, v, gtr__bytes_of(p)); gtr_eval(&n.loss, 1);
            gtr_get(n.loss, &down, sizeof down);
            v[k] = keep;
            worst = GTR__MAX(worst, fabs(((double)up - (double)down) / (2 * eps) - (double)g[k]));
        }
        gtr_set(p, v, gtr__bytes_of(p));
        CHECK(worst <= limit * top, "\"%s\": a gradient through a custom op is off by %g of %g",
            gtr_tensor_name(p), worst, top);
    }
    EXPECT_EQ(gtr_update(n.t), GTR_OK);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
static void custom_op(void)
{
    static const gtr_precision modes[] = { GTR_FP32, GTR_MIXED_BF16 };
    int k, i;
    custom_gradients();
    /* against the same of built-in ops, step by step: on the GPU captured from the second on */
    for (k = 0; k < 2; k++) {
        gtr_trainer_desc d = sgd(0.1f);
        gtr_context *own = create(), *built = create();
        net n, m;
        double nmse = k ? 2e-5 : 1e-10, ratio = k ? 8e-3 : 1e-5;
        d.precision = modes[k];
        n = with_custom(own, true, &d);
        m = with_custom(built, false, &d);
        if (!n.t && gtr_error(own) == GTR_ERR_UNSUPPORTED) {
            SKIP("%s", gtr_error_text(own)); gtr_destroy(own); gtr_destroy(built); continue;
        }
        EXPECT_OK(own);
        custom_calls = 0;
        for (i = 0; i < repeat(20); i++) {
            feed(&n, 16 * i, 16); feed(&m, 16 * i, 16);
            EXPECT_EQ(gtr_step(n.t), GTR_OK);
            EXPECT_EQ(gtr_step(m.t), GTR_OK);
            if (k == 0) parameters_near(own, built, n.t, m.t, 1e-9, 5e-5, "custom op");
            /* roundings between the built-in ops */
            else if (i == 0) parameters_near(own, built, n.t, m.t, 4e-4, 4e-2, "custom op in bf16");
        }
        EXPECT_EQ(gtr_wait(own), GTR_OK);
        EXPECT_EQ(custom_calls, repeat(20));
        CHECK(fabsf(gtr_loss(n.t) - gtr_loss(m.t)) <= (k ? 2e-2f : 1e-5f), "custom op: loss %g, want %g",
            (double)gtr_loss(n.t), (double)gtr_loss(m.t));
        if (k == 0) parameters_near(own, built, NULL, NULL, nmse, ratio, "custom op after its steps");
        EXPECT_OK(own); EXPECT_OK(built);
        gtr_destroy(own); gtr_destroy(built);
    }
}

/* ---- proof 7: memory under several streams ---- */
/* A random plan: nodes on random queues read what was written before and write new values, or add to old ones. */
static uint32_t dice;
static int roll(int n) {
    dice = dice * 1664525u + 1013904223u; return (int)((uint64_t)(dice >> 4) * (uint64_t)n >> 28);
}
enum { NODES = 60, VALUES = 200 };
static gtr__node plan_node[NODES];
static gtr__value plan_value[VALUES];
static int plan_operands[NODES][12];
static void random_plan(gtr__plan *p)
{
    int i, k, streams = 1 + roll(4);
    memset(p, 0, sizeof *p);
    memset(plan_node, 0, sizeof plan_node);
    memset(plan_value, 0, sizeof plan_value);
    p->node = plan_node; p->value = plan_value;
    p->n_node = 4 + roll(NODES - 3);
    p->n_stage = 1 + (roll(4) == 0);
    p->n_stream = streams;
    p->right_begin = roll(3) ? p->n_node : 1 + roll(p->n_node - 1);
    for (i = 0; i < p->n_node; i++) {
        gtr__node *n = &plan_node[i];
        int *op = plan_operands[i], before = p->n_value;
        n->stage = roll(p->n_stage);
        n->stream = roll(streams);
        if (i >= p->right_begin) n->phase = (gtr__phase)(GTR__GUARD + roll(4)); /* to REPORT */
        n->n_in = before ? roll(5) : 0;
        n->n_out = 1 + roll(2);
        if (n->n_in && roll(3) == 0) { n->op = GTR__OP_RELU; n->n_out = 1; }
        n->in = op; n->out = op + n->n_in;
        for (k = 0; k < n->n_in; k++) {         /* mostly what is fresh; some operands are shapes alone */
            op[k] = roll(8) ? GTR__MAX(0, before - 1 - roll(12)) : roll(before);
            if (roll(10)) n->reads |= (uint64_t)1 << k;
            if (roll(20) == 0) op[k] = -1, n->reads &= ~((uint64_t)1 << k);
        }
        for (k = 0; k < n->n_out; k++) {
            gtr__value *v = &plan_value[p->n_value];
            if (before && roll(6) == 0) { n->out[k] = roll(before); n->adds |= (uint64_t)1 << k; continue; }
            n->out[k] = p->n_value++;
            v->shape = gtr_shape1(1 + roll(1 + roll(4000)));
            if (before && n->op == GTR__OP_RELU && n->in[0] >= 0) v->shape = plan_value[n->in[0]].shape;
            v->storage = v->dtype = GTR_F32;
            v->stage = n->stage;
            v->home = roll(12) ? roll(6) ? GTR__HOME_ARENA : GTR__HOME_GRADIENT : roll(2) ? GTR__HOME_KEPT
                : GTR__HOME_LOW;
            /* to what it held before the plan */
            if (v->home == GTR__HOME_GRADIENT && roll(4) == 0) n->adds |= (uint64_t)1 << k;
            v->alias = -1;
            if (roll(8) == 0) {                 /* another shape of it */
                gtr__value *a = &plan_value[p->n_value];
                *a = *v;
                a->home = GTR__HOME_ALIAS; a->alias = p->n_value - 1;
                p->n_value++;
            }
        }
        if (roll(4) == 0) n->ws.bytes = (size_t)(1 + roll(40)) * 256;
        if (i && roll(8) == 0) n->wait.after = 1 + roll(i);
    }
}
/* in: the gradient in whose place it lies; -1 */
typedef struct span { size_t begin, end; int stage, in, value; uint64_t uses; } span;
/* What must be done before each node starts: what its waits say, and its queue; each brings what it
   had to wait for itself. */
static void happens_before(const gtr__plan *p, uint64_t *before)
{
    enum { QUEUES = GTR__MAX_STAGES * GTR__MAX_STREAMS };
    int i, l, last[QUEUES];
    for (l = 0; l < QUEUES; l++) last[l] = -1;
    for (i = 0; i < p->n_node; i++) {
        const gtr__node *n = &p->node[i];
        int queue = n->stage * GTR__MAX_STREAMS + n->stream;
        before[i] = last[queue] < 0 ? 0 : before[last[queue]] | (uint64_t)1 << last[queue];
        for (l = 0; l < n->wait.n; l++) {
            const int on = p->edges.from[n->wait.first + l];
            before[i] |= before[on] | (uint64_t)1 << on;
        }
        last[queue] = i;
    }
}
static bool all_before(uint64_t a, uint64_t b, const uint64_t *before)
{
    for (; b; b &= b - 1) if (a & ~before[__builtin_ctzll(b)]) return false;
    return true;
}
static int root_of(const gtr__plan *p, int v) {
    while (p->value[v].home == GTR__HOME_ALIAS) v = p->value[v].alias;
    return v;
}
/* Whether the first node that uses b makes it where a lies, which it is the last to use: element by element, a
   gradient where batch_norm's dy was, or max_pool's windows are. */
static bool made_over(const gtr__plan *p, const span *a, const span *b, const uint64_t *before)
{
    const gtr__node *n = &p->node[__builtin_ctzll(b->uses)];
    const uint64_t first = b->uses & (~b->uses + 1);
    const gtr__value *x = &p->value[a->value], *y = &p->value[b->value];
    bool over = n->op != GTR__OP_COUNT && gtr__element_wise(n->op);
    if (a->value < 0 || b->value < 0 || a->begin != b->begin || a->end != b->end || !(a->uses & first)
        || x->storage != y->storage || !gtr__shape_equal(&x->shape, &y->shape)) return false;
    if (n->dir == GTR__BWD && n->op == GTR__OP_BATCH_NORM) over = n->in[n->n_in - 1] == a->value;
    if (n->dir == GTR__BWD && n->op == GTR__OP_MAX_POOL) over = n->in[0] == a->value;
    return over && all_before(a->uses & ~first, first, before) && all_before(first, b->uses & ~first, before);
}
/* Counts pairs that share bytes at the same time (*shared), a gradient and what lies in its place among them, and
   operands that are used out of order (*order). *over: values that lie in others' places. */
static void check_plan(const gtr__plan *p, int *shared, int *order, size_t *used, int *over)
{
    static span s[VALUES + 64];
    static uint64_t reads[VALUES], writes[VALUES], adds[VALUES], whole[VALUES], changed[VALUES];
    uint64_t before[64], bit;
    int i, j, k, n = 0;
    *shared = *order = 0; *used = 0; *over = 0;
    happens_before(p, before);
    memset(reads, 0, sizeof reads); memset(writes, 0, sizeof writes); memset(adds, 0, sizeof adds);
    memset(whole, 0, sizeof whole); memset(changed, 0, sizeof changed);
    for (i = 0; i < p->n_node; i++) {
        const gtr__node *q = &p->node[i];
        const bool guards = q->phase == GTR__GUARD, updates = q->phase == GTR__UPDATE; /* all gradients; all weights */
        /* the verdict is GUARD's, and read by what is behind it; what counts steps is REPORT's, and read by all */
        for (k = 0; k < p->n_node; k++) {
            const bool right = p->node[k].phase >= GTR__GUARD;
            if (k < i && !(before[i] >> k & 1) && (q->phase == GTR__REPORT || p->node[k].phase == GTR__REPORT
                || (guards && right) || (p->node[k].phase == GTR__GUARD && q->phase > GTR__GUARD))) (*order)++;
        }
        for (k = 0; k < p->n_value; k++) {
            if ((guards || updates) && p->value[k].home == GTR__HOME_GRADIENT) whole[k] |= (uint64_t)1 << i;
            if (updates && p->value[k].home == GTR__HOME_LOW) changed[k] |= (uint64_t)1 << i;
        }
        for (k = 0; k < q->n_in; k++) if (q->in[k] >= 0 && q->reads >> k & 1)
            reads[root_of(p, q->in[k])] |= (uint64_t)1 << i;
        for (k = 0; k < q->n_out; k++) if (q->out[k] >= 0) {
            writes[root_of(p, q->out[k])] |= (uint64_t)1 << i;
            if (q->adds >> k & 1) adds[root_of(p, q->out[k])] |= (uint64_t)1 << i;
        }
        if (q->ws.bytes) {
            s[n].begin = q->ws.offset; s[n].end = q->ws.offset + q->ws.bytes; s[n].stage = q->stage;
            s[n].in = q->ws.value; s[n].value = -1; s[n++].uses = (uint64_t)1 << i;
        }
    }
    for (i = 0; i < p->n_value; i++) {
        const gtr__value *v = &p->value[i];
        uint64_t all = reads[i] | writes[i];
        if (v->home == GTR__HOME_ALIAS) continue;
        const uint64_t used_by = all | whole[i] | changed[i], made_by = writes[i] | changed[i];
        for (j = 0; j < p->n_node; j++)
            for (k = j + 1, bit = (uint64_t)1 << j; k < p->n_node; k++)
                if (used_by & bit && used_by >> k & 1 && ((made_by & bit) || made_by >> k & 1) && !(before[k] & bit))
                    (*order)++;
        if (v->home != GTR__HOME_ARENA || !all) continue;
        s[n].begin = v->offset; s[n].end = v->offset + gtr__value_bytes(v); s[n].stage = v->stage; s[n].in = v->alias;
        s[n].value = i; s[n++].uses = all;
    }
    for (i = 0; i < n; i++) {
        *used += s[i].end - s[i].begin;
        if (s[i].in >= 0) {                     /* gone when the gradient comes, which stays */
            const gtr__value *g = &p->value[s[i].in];
            const uint64_t held = reads[s[i].in] | adds[s[i].in], all = held | writes[s[i].in];
            if (g->home != GTR__HOME_GRADIENT || g->stage != s[i].stage || s[i].end > gtr__value_bytes(g)
                    || held & all & (~all + 1) || !all_before(s[i].uses, all, before))
                (*shared)++;
        } else if (s[i].end > p->arena[s[i].stage]) (*shared)++;
        for (j = 0; j < i; j++)
            if (s[i].stage == s[j].stage && s[i].in == s[j].in && s[i].begin < s[j].end && s[j].begin < s[i].end &&
                !all_before(s[i].uses, s[j].uses, before) && !all_before(s[j].uses, s[i].uses, before)) {
                if (made_over(p, &s[i], &s[j], before) || made_over(p, &s[j], &s[i], before)) (*over)++;
                else (*shared)++;
            }
    }
}
/* Puts a value that lies in a gradient's place, or is of the arena, where another gradient is written too early for it.
   False if there is none. */
static bool misplace(gtr__plan *p)
{
    int i, k, g, at = roll(p->n_value), from = roll(p->n_value);
    for (i = 0; i < p->n_value; i++) {
        gtr__value *v = &p->value[(at + i) % p->n_value];
        int last = -1;
        if (v->home != GTR__HOME_ARENA) continue;
        for (k = 0; k < p->n_node; k++) {
            int q, n = p->node[k].n_in + p->node[k].n_out;
            for (q = 0; q < n; q++) if (gtr__use(p, &p->node[k], q) == (int)(v - p->value)) last = k;
        }
        for (g = 0; g < p->n_value; g++) {
            int w = (from + g) % p->n_value, q;
            if (p->value[w].home != GTR__HOME_GRADIENT) continue;
            for (k = 0; k <= last; k++) for (q = 0; q < p->node[k].n_out; q++)
                    if (gtr__use(p, &p->node[k], p->node[k].n_in + q) == w) {
                v->alias = w; v->offset = 0; return true;
            }
        }
    }
    return false;
}
static void random_plans(void)
{
    gtr_context *ctx;
    gtr_desc d = desc0();
    gtr__plan p;
    gtr__queue *queue = NULL;
    int i, k, *wait = NULL, plans = small ? 50 : 10000, caught_shared = 0, caught_order = 0, cut = 0, borrowed = 0,
        moved = 0, caught_moved = 0, over = 0;
    size_t arena = 0, all = 0, used;
    d.device = GTR_DEVICE_CPU;
    ctx = gtr_create(d);
    dice = 1;
    for (i = 0; i < plans; i++) {
        gtr__order o;
        int shared, order, waits = 0, which, made;
        random_plan(&p);
        memset(&o, 0, sizeof o);
        if (!CHECK(gtr__order_nodes(ctx, &p, &o) && gtr__pass_memory(ctx, &p, &o, false), "plan %d: %s", i,
                gtr_error_text(ctx)))
            break;
        gtr__mfree(ctx, o.clock);
        GTR__FREE(ctx, wait, queue);
        wait = p.edges.from; queue = p.queues.of;
        check_plan(&p, &shared, &order, &used, &made);
        if (!CHECK(shared == 0 && order == 0,
                "plan %d of %d nodes, %d streams: %d pairs share bytes at the same time, %d uses out of order", i,
                p.n_node, p.n_stream, shared, order))
            break;
        for (k = 0; k < p.n_stage; k++) arena += p.arena[k];
        all += used;
        over += made;
        for (k = 0; k < p.n_value; k++) borrowed += p.value[k].home == GTR__HOME_ARENA && p.value[k].alias >= 0;
        if (i % 4 == 0) {                       /* a value comes where it must not be */
            if (!misplace(&p)) continue;
            check_plan(&p, &shared, &order, &used, &made);
            moved++;
            caught_moved += shared > 0;
            continue;
        }
        for (k = 0; k < p.n_node; k++) waits += p.node[k].wait.n;
        if (!waits) continue;
        cut++;
        which = roll(waits);                    /* one edge is deleted */
        for (k = 0; which >= p.node[k].wait.n; k++) which -= p.node[k].wait.n;
        p.edges.from[p.node[k].wait.first + which] = p.edges.from[p.node[k].wait.first + --p.node[k].wait.n];
        check_plan(&p, &shared, &order, &used, &made);
        caught_shared += shared > 0; caught_order += order > 0;
    }
    GTR__FREE(ctx, wait, queue);
    CHECK(arena * 2 < all, "%zu bytes of arenas for %zu of values: memory is hardly shared", arena, all);
    CHECK(over > plans / 4, "only %d values lie in others' places", over);
    CHECK(borrowed > plans && moved > plans / 20 && caught_moved == moved,
        "%d values lie in a gradient's place; of %d plans with one too late there the checker finds %d", borrowed,
        moved, caught_moved);
    CHECK(cut > plans / 4 && caught_shared > cut / 50 && caught_order > cut / 4,
        "of %d plans with an edge deleted the checker finds bytes shared in %d and uses out of order in %d", cut,
        caught_shared, caught_order);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

static uint32_t delay_dice = 9;
static int delay_most;              /* microseconds */
static gtr_result delay_spin(const void *from, void *to, int64_t n)
{
    uint32_t v = __atomic_fetch_add(&delay_dice, 0x9E3779B9u, __ATOMIC_RELAXED);
    double end;
    GTR__MIX32(v, 77u);
    end = gtr__now() + (double)(v % 1024) / 1023 * delay_most * 1e-6;
    while (gtr__now() < end) {}
    memcpy(to, from, (size_t)n * sizeof(gtr_float));
    return GTR_OK;
}
static gtr_result delay_forward(const gtr_custom_call *c) {
    return delay_spin(c->in[0], c->out, gtr__count(&c->out_shape));
}
static gtr_result delay_backward(const gtr_custom_call *c) {
    return delay_spin(c->dout, c->din[0], gtr__count(&c->out_shape));
}
static gtr_tensor *delay(gtr_context *ctx, gtr_tensor *x, const char *name)
{
    gtr_custom_desc c;
    memset(&c, 0, sizeof c);
    c.name = name; c.n_in = 1; c.in[0] = x; c.forward = delay_forward; c.backward = delay_backward;
    return gtr_custom(ctx, c);
}
/* Takes from the last node of the further streams, before the update, what it waits for. */
static gtr_result prepare_without_wait(void *const *i, gtr__plan *p, void **e)
{
    int k;
    for (k = p->right_begin - 1; k >= 0; k--) if (p->node[k].stream && p->node[k].wait.n) {
        p->node[k].wait.n = 0; removed++; break;
    }
    return real.prepare(i, p, e);
}
static void stream_run(int streams, int most, int steps, bool cut, shot *s)
{
    gtr_trainer_desc d = adam();
    gtr_context *ctx = create();
    gtr_tensor *h;
    net n;
    int i;
    d.streams = streams; d.micro_batches = 2; d.no_matchers = true;
    delay_most = most;
    n.ctx = ctx;
    n.x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
    n.y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    h = delay(ctx, gtr_tanh(gtr_linear(n.x, "fc1", 32)), "d1");
    h = gtr_add(h, delay(ctx, gtr_relu(gtr_linear(h, "fc2", 32)), "d2"));
    h = gtr_dropout(delay(ctx, gtr_gelu(gtr_linear(h, "fc3", 24)), "d3"), "drop", 0.2f);
    n.loss = gtr_cross_entropy(gtr_linear(h, "fc4", CLASSES), n.y);
    n.t = gtr_trainer_create(n.loss, d);
    if (cut) { real = *ctx->be; removed = 0; ctx->be->prepare = prepare_without_wait; }
    for (i = 0; i < steps; i++) { feed(&n, 32 * i, 32); EXPECT_EQ(gtr_step(n.t), GTR_OK); }
    gtr_wait(ctx);
    if (!cut) EXPECT_OK(ctx);
    gtr_error_clear(ctx);
    take(ctx, n.t, true, s);
    EXPECT((strstr(gtr_plan_text(n.t, 32), " after ") != NULL) == (streams > 1));
    gtr_destroy(ctx);
}
static void streams(void)
{
    static shot want, got;
    int i, runs = device == GTR_DEVICE_CUDA ? repeat(50) : 3;
    stream_run(1, 0, 6, false, &want);
    for (i = 0; i < runs; i++) {
        stream_run(4, i ? 200 : 0, 6, false, &got);
        if (!CHECK(equal(&want, &got), "run %d: four streams with delays give other bits than one stream", i + 1))
            break;
    }
    if (device != GTR_DEVICE_CUDA) return;      /* the CPU runs nodes one after the other, whatever they wait for */
    stream_run(4, 4000, 6, true, &got);
    CHECK(removed > 0 && !equal(&want, &got),
        "with a wait deleted (%d) four streams still give the same bits", removed);
}

/* Products whose operands are made on other streams, and sums in place of what gradients of weights still read. */
static uint64_t joined_run(int streams, gtr_precision precision, int steps)
{
    enum { SIDE = 128, ROWS = 256 };
    static unsigned char at[SIDE * 2 * SIDE * sizeof(gtr_float)];
    gtr_trainer_desc d = adam();
    net n;
    uint64_t hash = HASH_BEGIN;
    int64_t i;
    n.ctx = create();
    n.x = gtr_input(n.ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
    n.y = gtr_input(n.ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    gtr_tensor *h = gtr_tanh(gtr_linear(n.x, "in", SIDE));
    for (i = 0; i < 2; i++) {
        gtr_tensor *q, *k, *v;
        gtr_scope_begin(n.ctx, i ? "b" : "a");
        q = gtr_linear(h, "q", SIDE); k = gtr_linear(h, "k", SIDE); v = gtr_linear(h, "v", SIDE);
        h = gtr_add(h, gtr_matmul(q, gtr_scale(gtr_matmul_t(k, true, v, false), 1.0f / ROWS, 0)));
        h = gtr_add(h, gtr_linear(gtr_gelu(gtr_linear(h, "up", 2 * SIDE)), "down", SIDE));
        gtr_scope_end(n.ctx);
    }
    d.streams = streams; d.precision = precision; d.no_matchers = true; d.lr = 1e-3f;
    n.t = gtr_trainer_create(gtr_cross_entropy(gtr_linear(h, "out", CLASSES), n.y), d);
    for (i = 0; i < steps; i++) { feed(&n, 16 * (int)i, ROWS); EXPECT_EQ(gtr_step(n.t), GTR_OK); }
    EXPECT((strstr(gtr_plan_text(n.t, ROWS), " after ") != NULL) == (streams > 1));
    for (i = 0; i < gtr_parameter_count(n.ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(n.ctx, i);
        EXPECT_EQ(gtr_get(p, at, gtr__bytes_of(p)), GTR_OK);
        hash = hash_of(hash, at, gtr__bytes_of(p));
    }
    EXPECT_OK(n.ctx);
    gtr_destroy(n.ctx);
    return hash;
}
static void joined(void)
{
    const int steps = device == GTR_DEVICE_CUDA ? repeat(40) : 2;
    const bool one = !has_bf16() || (small && device == GTR_DEVICE_CPU);
    for (int p = GTR_FP32; p <= (one ? GTR_FP32 : GTR_MIXED_BF16); p++) {
        const uint64_t want = joined_run(1, (gtr_precision)p, steps);
        for (int streams = 2; streams <= 4; streams++)
            CHECK(joined_run(streams, (gtr_precision)p, steps) == want,
                "precision %d: %d streams give other bits than one", p, streams);
    }
}

/* ---- proof 8: captured steps against eager ones ---- */
static void long_run(int optimizer, bool eager, bool no_matchers, gtr_context **ctx, gtr_trainer **t)
{
    gtr_trainer_desc d;
    gtr__plan_entry *e;
    net n;
    int i;
    memset(&d, 0, sizeof d);
    d.optimizer = optimizer ? GTR_ADAMW : GTR_SGD;
    d.lr = optimizer ? 2e-3f : 0.05f; d.momentum = optimizer ? 0 : 0.5f;
    d.schedule = GTR_COSINE; d.warmup_steps = 20; d.total_steps = 300; d.min_lr = 1e-4f;
    d.clip_norm = 0.5f; d.no_matchers = no_matchers;
    *ctx = create();
    n = build(*ctx, GTR_BATCH, DROP, &d);
    *t = n.t;
    gtr_trainer_data(n.t, points(*ctx, 100), 16, true, false);     /* six batches of 16 and one of 4 */
    for (i = 0; i < (small ? 8 : 300); i++) {
        if (eager) {
            gtr_wait(*ctx);
            for (e = (*ctx)->cache.newest; e; e = e->next) gtr__entry_unprepare(*ctx, e);
        }
        if (!CHECK(gtr_step(n.t) == GTR_OK, "step %d: %s", i + 1, gtr_error_text(*ctx))) break;
    }
    EXPECT_EQ(gtr_wait(*ctx), GTR_OK);
    EXPECT_OK(*ctx);
}
static void captured_steps(void)
{
    static shot a, b;
    int optimizer;
    for (optimizer = 0; optimizer < 2; optimizer++) {
        gtr_context *captured, *eager, *plain;
        gtr_trainer *tc, *te, *tp;
        gtr_report rc, re;
        long_run(optimizer, false, false, &captured, &tc);
        long_run(optimizer, true, false, &eager, &te);
        long_run(optimizer, false, true, &plain, &tp);
        take(captured, tc, true, &a); take(eager, te, true, &b);
        CHECK(equal(&a, &b), "captured steps give other bits than eager ones");
        rc = gtr_trainer_report(tc); re = gtr_trainer_report(te);
        EXPECT(rc.step == (small ? 8 : 300) && rc.step == re.step && rc.applied == re.applied && rc.loss == re.loss
            && rc.grad_norm == re.grad_norm && rc.lr == re.lr);
        EXPECT(rc.grad_norm > 0 && rc.loss < 2);
        /* Adam divides by roundings where a gradient is near zero, so there only SGD is held to the limits */
        if (!optimizer) parameters_near(captured, plain, NULL, NULL, 1e-10, 1e-5, "matchers on against off");
        gtr_destroy(captured); gtr_destroy(eager); gtr_destroy(plain);
    }
}

/* ---- proof 12: the memory report ---- */
static long long asked[3], most_asked, blocks;
static void *count_alloc(size_t bytes, gtr_memory kind, void *user)
{
    void *p = guard_alloc(bytes);
    long long now;
    (void)user;
    if (!p) return NULL;
    now = __atomic_add_fetch(&asked[kind], (long long)bytes, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&blocks, 1, __ATOMIC_SEQ_CST);
    if (kind == GTR_MEMORY_DEVICE && now > most_asked) most_asked = now;
    return p;
}
static void count_free(void *p, size_t bytes, gtr_memory kind, void *user)
{
    (void)user;
    __atomic_fetch_sub(&asked[kind], (long long)bytes, __ATOMIC_SEQ_CST);
    __atomic_fetch_sub(&blocks, 1, __ATOMIC_SEQ_CST);
    guard_free(p, bytes);
}
static gtr_desc counted(void)
{
    gtr_desc d = desc0();
    d.allocator.alloc = count_alloc; d.allocator.free = count_free;
    memset(asked, 0, sizeof asked);
    most_asked = blocks = 0;
    return d;
}
/* Device bytes alive, data sets apart: by the user's allocator on the CPU, where data sets are host memory. */
static long long in_use(const gtr_context *ctx)
{
    long long n = (long long)ctx->memory.device_bytes;
    if (ctx->caps.cuda) return n - (long long)gtr__resident_bytes(ctx);
    CHECK(n == asked[GTR_MEMORY_DEVICE], "the context counts %lld bytes, the allocator %lld", n,
        asked[GTR_MEMORY_DEVICE]);
    return n;
}
/* Averages of the parameters: by the recurrence, beside any rule; what evaluates takes them, and what asks for the
   parameters does not. */
static void averages(void)
{
    enum { STEPS = 6 };
    static const gtr_optimizer kinds[] = { GTR_SGD, GTR_ADAM, GTR_LION };
    static gtr_float w[4096], at[4096], average[4096];
    static double want[4096];
    int k, i, s;
    for (k = 0; k < 3; k++) {
        gtr_context *ctx = create();
        gtr_trainer_desc d;
        gtr_tensor *p;
        net n;
        float loss[3];
        size_t count;
        memset(&d, 0, sizeof d);
        d.optimizer = kinds[k]; d.lr = 0.01f; d.ema = 0.75f;
        n = build(ctx, GTR_BATCH, 0, &d);
        p = n.t->params.tensor[0];
        count = gtr__bytes_of(p) / sizeof *w;
        EXPECT(count <= 4096);
        EXPECT_EQ(gtr_average_swap(n.t), GTR_ERR_STATE);
        EXPECT_ERROR(ctx, GTR_ERR_STATE, "no averages yet");
        EXPECT_EQ(gtr_evaluate(n.t, points(ctx, 48), 16, NULL, &loss[0], NULL), GTR_OK);
        for (s = 0; s < STEPS; s++) {
            feed(&n, 16 * s, 16);
            EXPECT_EQ(gtr_step(n.t), GTR_OK);
            EXPECT_EQ(gtr_get(p, w, gtr__bytes_of(p)), GTR_OK);
            for (i = 0; i < (int)count; i++) want[i] = s ? 0.75 * want[i] + 0.25 * (double)w[i] : (double)w[i];
        }
        EXPECT_EQ(gtr_state_get(n.t, p, kinds[k] == GTR_SGD ? 0 : kinds[k] == GTR_ADAM ? 2 : 1, average,
            gtr__bytes_of(p)),
            GTR_OK);
        for (i = 0; i < (int)count; i++) if (fabs((double)average[i] - want[i]) > 1e-6) break;
        CHECK(i == (int)count, "optimizer %d: average %d is %.9g, want %.9g", kinds[k], i, (double)average[i], want[i]);
        EXPECT_EQ(gtr_evaluate(n.t, points(ctx, 48), 16, NULL, &loss[0], NULL), GTR_OK);
        EXPECT_EQ(gtr_get(p, at, gtr__bytes_of(p)), GTR_OK);
        EXPECT(memcmp(at, w, gtr__bytes_of(p)) == 0);
        EXPECT_EQ(gtr_average_swap(n.t), GTR_OK);
        EXPECT_EQ(gtr_get(p, at, gtr__bytes_of(p)), GTR_OK);
        EXPECT(memcmp(at, average, gtr__bytes_of(p)) == 0 && memcmp(at, w, gtr__bytes_of(p)) != 0);
        EXPECT_EQ(gtr_evaluate(n.t, points(ctx, 48), 16, NULL, &loss[1], NULL), GTR_OK);
        EXPECT_EQ(gtr_step(n.t), GTR_ERR_STATE);
        EXPECT_ERROR(ctx, GTR_ERR_STATE, "gtr_average_swap");
        EXPECT_EQ(gtr_average_swap(n.t), GTR_OK);
        EXPECT_EQ(gtr_get(p, at, gtr__bytes_of(p)), GTR_OK);
        EXPECT(memcmp(at, w, gtr__bytes_of(p)) == 0);
        n.t->optim.ema = 0; /* of the parameters themselves */
        EXPECT_EQ(gtr_evaluate(n.t, points(ctx, 48), 16, NULL, &loss[2], NULL), GTR_OK);
        n.t->optim.ema = d.ema;
        CHECK(loss[0] == loss[1] && loss[0] != loss[2], "optimizer %d: losses %g, %g, %g", kinds[k], (double)loss[0],
            (double)loss[1], (double)loss[2]);
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* UPDATE and REPORT in one launch, as a GPU has them, do what they do one after the other, also where the norm's
   statistics are committed, averages are kept, the step is in two halves, and an FP16 step is skipped. */
static void finishes(void)
{
    static const gtr_precision precisions[] = { GTR_TF32, GTR_MIXED_FP16 };
    static shot s[3];
    int k, way, i;
    for (k = 0; k < 4; k++) {
        gtr_report r[3];
        for (way = 0; way < 3; way++) {
            gtr_context *ctx = create();
            gtr_trainer_desc d = adam();
            net n;
            ctx->caps.chains = -1; /* which add in another order, as last layers do */
            ctx->caps.without = matcher_bit(ctx, LAST_LAYER);
            d.precision = precisions[k % 2];
            d.loss_scale = 1e12f; /* FP16: overflows at first */
            d.no_matchers = way == 1;
            if (k > 1) { d.clip_norm = 0.5f; d.ema = 0.5f; }
            n = build(ctx, GTR_BATCH, NORM, &d);
            for (i = 0; i < 40; i++) {
                feed(&n, i % 4 * 16, 16);
                if (way < 2) EXPECT_EQ(gtr_step(n.t), GTR_OK);
                else { EXPECT_EQ(gtr_backward(n.t), GTR_OK); EXPECT_EQ(gtr_update(n.t), GTR_OK); }
            }
            EXPECT_EQ(gtr_wait(ctx), GTR_OK);
            EXPECT(!ctx->caps.cuda || (way == 1) != (strstr(gtr_plan_text(n.t, 16), "update and report") != NULL));
            r[way] = gtr_trainer_report(n.t);
            take(ctx, n.t, true, &s[way]);
            EXPECT_OK(ctx);
            gtr_destroy(ctx);
            EXPECT(r[way].step == 40 && (k % 2 ? r[way].applied < 40 && r[way].applied > 0 : r[way].applied == 40));
            CHECK(equal(&s[way], &s[0]) && r[way].loss == r[0].loss && r[way].applied == r[0].applied
                && r[way].grad_norm == r[0].grad_norm && r[way].loss_scale == r[0].loss_scale,
                "case %d, way %d: other bits", k, way);
        }
    }
}
static void memory_report(void)
{
    static const gtr_optimizer kinds[] = { GTR_SGD, GTR_SGD, GTR_ADAM, GTR_ADAMW, GTR_ADAM, GTR_ADAM };
    int k;
    for (k = 0; k < 6; k++) {
        gtr_context *ctx = gtr_create(counted());
        gtr_trainer_desc d;
        gtr_memory_report r, later;
        char label[64];
        net n;
        memset(&d, 0, sizeof d);
        d.optimizer = kinds[k];
        if (k == 1) d.momentum = 0.9f;
        if (k == 3) { d.micro_batches = 3; d.ema = 0.9f; }
        if (k == 4) d.precision = GTR_MIXED_FP16;
        if (k == 5) d.streams = 3;
        n = build(ctx, GTR_BATCH, DROP | (k != 3 ? NORM : 0) | (k == 2 ? REGION : 0), &d);
        if (k == 5) gtr_keep(n.logits);
        snprintf(label, sizeof label, "trainer %d", k);
        EXPECT_EQ(gtr_memory_plan(n.t, 50, &r), GTR_OK);
        gtr_trainer_data(n.t, points(ctx, 100), 50, true, false);
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
        CHECK((long long)r.total == in_use(ctx), "%s: the plan says %zu bytes, in use are %lld", label,
            r.total, in_use(ctx));
        EXPECT(r.total == r.parameters + r.gradients + r.states + r.inputs + r.activations + r.workspace
            + r.low_precision + r.kept + r.control);
        CHECK(r.gradients > 0 && r.inputs > 0 && r.activations > 0 && (r.states > 0) == (k > 0) && (r.low_precision > 0)
            == (k == 4), "%s: gradients %zu, inputs %zu, activations %zu, states %zu, low precision %zu", label,
            r.gradients, r.inputs, r.activations, r.states, r.low_precision);
        EXPECT_EQ(gtr_memory_plan(n.t, 50, &later), GTR_OK);
        CHECK(later.total == r.total, "%s: the report was %zu before the first step and is %zu now", label,
            r.total, later.total);
        EXPECT(strstr(gtr_memory_text(n.t, 50), "activations") && strstr(gtr_memory_text(n.t, 50), "total"));
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
        CHECK(blocks == 0 && asked[0] == 0 && asked[1] == 0 && asked[2] == 0,
            "%s: %lld blocks are left", label, blocks);
    }
}
/* An input that products in 16 bits alone read has no slot in float32, unless it is kept; the bits of
   training are the same. */
/* A softmax that is nearly 1 in one place, stored in half precision: its gradient is float32's but for rounding, of
   rows and of lines. */
static void peaked_softmax(void)
{
    enum { IN = 4, OUT = 10 };
    static const gtr_float x[IN] = { 1, -1, 0.5f, 0.25f };
    const gtr_precision last = has_bf16() ? GTR_MIXED_BF16 : GTR_MIXED_FP16;
    for (int lines = 0; lines < 2; lines++) for (int gap = 6; gap <= 12; gap += 2) {
        gtr_float g[3][IN * OUT];
        for (int k = 0; k < 3; k++) {
            gtr_context *ctx = create();
            gtr_trainer_desc d = sgd(0.1f);
            d.precision = k == 2 ? last : k ? GTR_MIXED_FP16 : GTR_FP32;
            gtr_float b[OUT] = { 0 }, w[IN * OUT] = { 0 }, y[OUT];
            gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, IN));
            gtr_tensor *z = gtr_linear(in, "a", OUT);
            if (lines) z = gtr_reshape(z, gtr_shape3(GTR_BATCH, OUT / 2, 2));
            gtr_tensor *p = gtr_reshape(gtr_softmax(z, 1), gtr_shape2(GTR_BATCH, OUT));
            gtr_tensor *of = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, OUT));
            gtr_trainer *t = gtr_trainer_create(gtr_mse(p, of), d);
            for (int i = 0; i < OUT; i++) {
                y[i] = 0.1f + 0.05f * (gtr_float)(i % 3);
                b[i] = 0.125f * (gtr_float)(i % 4);
            }
            b[4] = (gtr_float)gap;
            if (lines) b[5] = b[4];
            EXPECT_EQ(gtr_set(gtr_parameter_find(ctx, "a.weight"), w, sizeof w), GTR_OK);
            EXPECT_EQ(gtr_set(gtr_parameter_find(ctx, "a.bias"), b, sizeof b), GTR_OK);
            EXPECT_EQ(gtr_set(in, x, sizeof x), GTR_OK);
            EXPECT_EQ(gtr_set(of, y, sizeof y), GTR_OK);
            EXPECT_EQ(gtr_backward(t), GTR_OK);
            EXPECT_EQ(gtr_gradient_get(t, gtr_parameter_find(ctx, "a.weight"), g[k], sizeof g[k]), GTR_OK);
            EXPECT_OK(ctx);
            gtr_destroy(ctx);
        }
        for (int k = 1; k < 3; k++) {
            double off = 0, all = 0;
            for (int i = 0; i < IN * OUT; i++) {
                off += pow((double)(g[k][i] - g[0][i]), 2);
                all += pow((double)g[0][i], 2);
            }
            CHECK(sqrt(off / all) < 0.02, "lines %d, one logit %d ahead, %s: the gradient is off by %.3f", lines, gap,
                k == 1 ? "FP16" : "the last precision", sqrt(off / all));
        }
    }
}
/* What overflows under FP16 is skipped, also where the loss alone is asked about. */
static void overflows_skipped(void)
{
    for (int k = 0; k < 2; k++) {
        gtr_context *ctx = create();
        gtr_trainer_desc d = adam();
        d.precision = GTR_MIXED_FP16; d.loss_scale = 1e12f; d.nonfinite = k ? GTR_NONFINITE_LOSS : GTR_NONFINITE_ALL;
        net n = build(ctx, GTR_BATCH, 0, &d);
        for (int i = 0; i < 40; i++) { feed(&n, i % 4 * 16, 16); EXPECT_EQ(gtr_step(n.t), GTR_OK); }
        const float loss = gtr_loss(n.t);
        const gtr_report r = gtr_trainer_report(n.t);
        EXPECT_OK(ctx);
        CHECK(loss < 100 && r.applied > 5 && r.applied < 40, "%d: loss %g after %lld updates", k, (double)loss,
            (long long)r.applied);
        gtr_destroy(ctx);
    }
}
static void low_inputs(void)
{
    enum { ROWS = 24 };
    static shot s[2];
    static gtr_float x[ROWS * WIDTH], want[ROWS * WIDTH];
    uint16_t low[ROWS * WIDTH];
    int precision, micro, kept, i;
    for (precision = GTR_MIXED_BF16; precision <= GTR_MIXED_FP16; precision++) for (micro = 1; micro <= 3; micro += 2) {
        const gtr_dtype storage = precision == GTR_MIXED_BF16 ? GTR_BF16 : GTR_F16;
        size_t inputs[2] = { 0, 0 };
        for (kept = 0; kept < 2; kept++) {
            gtr_context *ctx = create();
            gtr_trainer_desc d = adam();
            gtr_memory_report r;
            gtr_tensor *in, *out, *h;
            gtr_trainer *t;
            d.precision = (gtr_precision)precision; d.micro_batches = micro; d.no_matchers = true;
            in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
            out = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
            if (kept) gtr_keep(in);
            h = gtr_linear(
                gtr_relu(gtr_linear(gtr_reshape(in, gtr_shape3(GTR_BATCH, 1, WIDTH)), "fc1", 40)), "fc2", WIDTH);
            t = gtr_trainer_create(gtr_mse(gtr_reshape(h, gtr_shape2(GTR_BATCH, WIDTH)), out), d);
            if (gtr_error(ctx) == GTR_ERR_UNSUPPORTED) {
                SKIP("low inputs: %s", gtr_error_text(ctx)); gtr_destroy(ctx); return;
            }
            EXPECT_EQ(gtr_get(in, x, sizeof x), GTR_ERR_STATE);
            EXPECT_ERROR(ctx, GTR_ERR_STATE, "has not been used by a run");
            for (i = 0; i < 3; i++) {
                gtr_set(in, pool_x + i * ROWS * WIDTH, sizeof x);
                gtr_set(out, pool_x + (i + 3) * ROWS * WIDTH, sizeof x);
                EXPECT_EQ(gtr_step(t), GTR_OK);
            }
            EXPECT_EQ(gtr_memory_plan(t, ROWS, &r), GTR_OK);
            inputs[kept] = r.inputs;
            CHECK((long long)r.total == (long long)ctx->memory.device_bytes, "the plan says %zu bytes, in use are %zu",
                r.total, ctx->memory.device_bytes);
            EXPECT(micro > 1 || strstr(gtr_plan_text(t, ROWS), "pair_step"));
            gtr__convert(low, storage, pool_x + 2 * ROWS * WIDTH, GTR_F32, ROWS * WIDTH);
            gtr__convert(want, GTR_F32, low, storage, ROWS * WIDTH);
            if (kept) memcpy(want, pool_x + 2 * ROWS * WIDTH, sizeof want);
            EXPECT_EQ(gtr_get(in, x, sizeof x), GTR_OK);
            CHECK(!memcmp(x, want, sizeof x), "%s, %d micro-batches: x is not what the step read%s",
                gtr__dtype_name(storage), micro, kept ? ", kept" : "");
            EXPECT_EQ(gtr_get(in, x, sizeof x / 2), GTR_OK);        /* a prefix */
            EXPECT_EQ(gtr_get(in, x, sizeof x * 2), GTR_ERR_SHAPE);
            gtr_error_clear(ctx);
            EXPECT_EQ(gtr_get(out, x, sizeof x), GTR_OK);
            EXPECT(!memcmp(x, pool_x + 5 * ROWS * WIDTH, sizeof x));
            EXPECT_EQ(gtr_eval(&h, 1), GTR_OK);                     /* in float32 */
            EXPECT_EQ(gtr_get(in, x, sizeof x), GTR_OK);
            EXPECT(!memcmp(x, pool_x + 2 * ROWS * WIDTH, sizeof x));
            EXPECT_EQ(gtr_step(t), GTR_OK);                         /* and back again */
            EXPECT_EQ(gtr_get(in, x, sizeof x), GTR_OK);
            EXPECT(!memcmp(x, want, sizeof x));
            EXPECT_OK(ctx);
            take(ctx, t, true, &s[kept]);
            gtr_destroy(ctx);
        }
        CHECK(equal(&s[0], &s[1]), "%s, %d micro-batches: with x kept other bits", gtr__dtype_name(storage), micro);
        CHECK(inputs[1] - inputs[0] == gtr__rounded(sizeof x), "inputs take %zu bytes, and %zu with x kept",
            inputs[0], inputs[1]);
    }
}
/* What is permuted for products alone is a view, no copy; at these sizes the bits are those with copies, which kept
   values are (larger products may be cut otherwise). */
static gtr_tensor *heads(gtr_tensor *x, const char *name, int kind, bool key, bool keep)
{
    static const int dims[3][2][4] = { { { 0, 2, 1, 3 }, { 0, 2, 3, 1 } }, { { 2, 0, 1, 3 }, { 2, 0, 1, 3 } },
        { { 0, 2, 3, 1 }, { 0, 2, 1, 3 } } };
    gtr_shape s;
    memset(&s, 0, sizeof s);
    s.ndim = 4; s.dim[0] = GTR_BATCH; s.dim[1] = 6; s.dim[2] = 2; s.dim[3] = 5;
    x = gtr_permute(gtr_reshape(gtr_linear(x, name, 10), s), dims[kind][key]);
    if (keep) gtr_keep(x);
    return x;
}
static void views(void)
{
    enum { ROWS = 7 };
    static shot s[2];
    int precision, kind, micro, kept, i;
    for (precision = GTR_FP32; precision <= GTR_MIXED_FP16; precision++)
        for (kind = 0; kind < 3; kind++) for (micro = 1; micro <= 2; micro++) {
            int copies[2] = { 0, 0 };
            for (kept = 0; kept < 2; kept++) {
                static const int back[2][4] = { { 0, 2, 1, 3 }, { 1, 2, 0, 3 } };
                gtr_context *ctx = create();
                gtr_trainer_desc d = adam();
                gtr_tensor *x, *in, *out, *q, *k, *v, *h;
                const char *at;
                gtr_trainer *t;
                d.precision = (gtr_precision)precision; d.micro_batches = micro;
                in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
                out = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
                x = gtr_reshape(gtr_linear(in, "in", 60), gtr_shape3(GTR_BATCH, 6, 10));
                q = heads(x, "q", kind, false, kept); k = heads(x, "k", kind, true, kept);
                v = heads(x, "v", kind == 2 ? 0 : kind, false, kept);
                h = gtr_matmul_t(gtr_softmax(gtr_matmul_t(q, kind == 2, k, kind), -1), false, v, false);
                if (kept) gtr_keep(h);
                h = gtr_reshape(gtr_permute(h, back[kind == 1]), gtr_shape2(GTR_BATCH, 60));
                t = gtr_trainer_create(gtr_mse(gtr_linear(h, "out", WIDTH), out), d);
                if (gtr_error(ctx) == GTR_ERR_UNSUPPORTED) {
                    SKIP("views: %s", gtr_error_text(ctx)); gtr_destroy(ctx); return;
                }
                for (i = 0; i < 3; i++) {
                    gtr_set(in, pool_x + i * ROWS * WIDTH, ROWS * WIDTH * sizeof *pool_x);
                    gtr_set(out, pool_x + (i + 3) * ROWS * WIDTH, ROWS * WIDTH * sizeof *pool_x);
                    EXPECT_EQ(gtr_step(t), GTR_OK);
                }
                at = gtr_plan_text(t, ROWS);
                for (; (at = strstr(at, " permute ")) != NULL; at++) copies[kept]++;
                EXPECT_OK(ctx);
                take(ctx, t, true, &s[kept]);
                gtr_destroy(ctx);
            }
            CHECK(copies[0] == 0 && copies[1] >= 4, "kind %d: %d permutations are nodes, %d of what is kept",
                kind, copies[0], copies[1]);
            CHECK(equal(&s[0], &s[1]), "precision %d, kind %d, %d micro-batches: a view gives other bits", precision,
                kind, micro);
        }
}
/* A layer along any dimension but the batch's: x (B, R, C, D) permuted by dims, two layers, permuted back and added.
   No permutation is a node but those that leave neither rows nor columns of adjacent elements, and that of an input of
   float32 to be rounded; with another shape between, all are. */
static gtr_tensor *reshaped(gtr_tensor *x)
{
    const gtr_shape s = gtr_tensor_shape(x);
    return gtr_reshape(gtr_reshape(x, gtr_shape3(s.dim[0], s.dim[1] * s.dim[2], s.dim[3])), s);
}
static gtr_tensor *mixed(gtr_tensor *x, const char *name, const int *dims, int wide, int act, bool nodes)
{
    int back[4], k;
    char second[16];
    gtr_tensor *h = gtr_permute(x, dims);
    gtr_shape s = gtr_tensor_shape(h);
    for (k = 0; k < 4; k++) back[dims[k]] = k;
    snprintf(second, sizeof second, "%s2", name);
    if (nodes) h = reshaped(h);
    h = gtr_linear(h, name, wide);
    h = gtr_linear(act == 2 ? h : act ? gtr_gelu(h) : gtr_relu(h), second, s.dim[3]);
    if (nodes) h = reshaped(h);
    return gtr_add(gtr_permute(h, back), x);
}
static void layer_views(void)
{
    static const int dims[5][4] = { { 0, 1, 3, 2 }, { 0, 2, 3, 1 }, { 0, 2, 1, 3 }, { 0, 3, 1, 2 }, { 0, 3, 2, 1 } };
    static const int sizes[5][5] = { { 3, 17, 20, 24, 5 }, { 19, 3, 16, 8, 2 }, { 18, 2, 33, 12, 3 },
        { 16, 21, 4, 7, 1 }, { 24, 5, 16, 40, 4 } };
    static const double limit[4][2] = { { 1e-10, 1e-5 }, { 1e-6, 2e-3 }, { 5e-3, 1e-1 }, { 2e-5, 8e-3 } };
    static gtr_float data[2 * 5 * 24 * 21 * 36];
    int precision, kind, micro, i, k;
    for (i = 0; i < (int)(sizeof data / sizeof *data); i++) data[i] = (gtr_float)sin(i * 12.9898 + i / 7);
    for (precision = GTR_FP32; precision <= GTR_MIXED_FP16; precision++)
        for (kind = 0; kind < 5; kind++) for (micro = 1; micro <= 2; micro++) {
            const int *size = sizes[kind];
            const int rows = size[4], all = rows * size[0] * size[1] * size[2];
            gtr_context *ctx[2];
            gtr_trainer *t[2];
            int nodes[2] = { 0, 0 };
            if (rows % micro) continue;
            for (k = 0; k < 2; k++) {
                gtr_trainer_desc d;
                gtr_tensor *in, *out, *x;
                const char *at;
                memset(&d, 0, sizeof d);
                ctx[k] = create();
                d.optimizer = GTR_SGD; d.lr = 1e-2f; d.precision = (gtr_precision)precision; d.micro_batches = micro;
                in = gtr_input(ctx[k], "x", GTR_F32, gtr_shape4(GTR_BATCH, size[0], size[1], size[2]));
                out = gtr_input(ctx[k], "y", GTR_F32, gtr_shape4(GTR_BATCH, size[0], size[1], size[2]));
                x = mixed(in, "first", dims[kind], size[3], kind % 3, k);
                x = gtr_linear(x, "flat", size[2]);
                x = mixed(x, "second", dims[kind], size[3], kind % 2, k);
                x = mixed(x, "third", dims[kind], size[3], (kind + 1) % 3, k);
                t[k] = gtr_trainer_create(gtr_mse(x, out), d);
                if (gtr_error(ctx[k]) == GTR_ERR_UNSUPPORTED) {
                    SKIP("layer_views: %s", gtr_error_text(ctx[k])); gtr_destroy(ctx[k]); if (k) gtr_destroy(ctx[0]);
                    return;
                }
                for (i = 0; i < 2; i++) {
                    gtr_set(in, data + i * all, (size_t)all * sizeof *data);
                    gtr_set(out, data + all / 2, (size_t)all * sizeof *data);
                    EXPECT_EQ(gtr_step(t[k]), GTR_OK);
                }
                at = gtr_plan_text(t[k], rows);
                for (; (at = strstr(at, " permute ")) != NULL; at++) nodes[k]++;
                EXPECT_OK(ctx[k]);
            }
            CHECK(nodes[0] == (kind > 2 ? 11 : precision > GTR_TF32) * micro && nodes[1] == 11 * micro,
                "precision %d, kind %d: %d permutations are nodes, %d of what is reshaped", precision, kind, nodes[0],
                nodes[1]);
            parameters_near(ctx[0], ctx[1], t[0], t[1], limit[precision][0], limit[precision][1], "views of layers");
            gtr_destroy(ctx[0]);
            gtr_destroy(ctx[1]);
        }
}
/* One square layer between permutations, added to what it is of: its gradient reads what it is to be added to. */
static void one_layer_views(void)
{
    static const int dims[3][4] = { { 0, 1, 3, 2 }, { 0, 2, 1, 3 }, { 0, 1, 2, 3 } };
    static gtr_float data[3 * 40 * 36 * 48];
    int kind, micro, i, k;
    for (i = 0; i < (int)(sizeof data / sizeof *data); i++) data[i] = (gtr_float)sin(i * 12.9898 + i / 7);
    for (kind = 0; kind < 3; kind++) for (micro = 1; micro <= 3; micro += 2) {
        gtr_context *ctx[2];
        gtr_trainer *t[2];
        for (k = 0; k < 2; k++) {
            gtr_trainer_desc d;
            gtr_tensor *in, *x;
            char name[8] = "a";
            memset(&d, 0, sizeof d);
            ctx[k] = create();
            d.lr = 1e-2f; d.micro_batches = micro;
            in = gtr_input(ctx[k], "x", GTR_F32, gtr_shape4(GTR_BATCH, 40, 36, 48));
            x = gtr_linear(in, "flat", 48);
            for (; *name < 'd'; ++*name) {
                gtr_tensor *h = gtr_permute(x, dims[kind]);
                if (k) h = reshaped(h);
                h = gtr_linear(h, name, gtr_tensor_shape(h).dim[3]);
                if (k) h = reshaped(h);
                x = gtr_add(x, gtr_permute(h, dims[kind]));
            }
            t[k] = gtr_trainer_create(gtr_mse(x, in), d);
            gtr_set(in, data, sizeof data);
            EXPECT_EQ(gtr_step(t[k]), GTR_OK);
            EXPECT_OK(ctx[k]);
        }
        parameters_near(ctx[0], ctx[1], t[0], t[1], 1e-10, 1e-5, "views of one layer");
        gtr_destroy(ctx[0]);
        gtr_destroy(ctx[1]);
    }
}
/* A kept reshape of an input is exact, gtr_get stays within an input's slot, and gtr_gradient in a trainer's plan is
   without the loss scale. */
static void read_back(void)
{
    enum { ROWS = 8 };
    static gtr_float a[64 * WIDTH], b[3 * WIDTH];
    int precision;
    for (precision = GTR_FP32; precision <= GTR_MIXED_FP16; precision++) {
        gtr_context *ctx = create();
        gtr_trainer_desc d = sgd(1e-3f);
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH)),
            *y = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 3));
        gtr_tensor *r = gtr_keep(gtr_reshape(x, gtr_shape3(GTR_BATCH, 2, WIDTH / 2))), *h = gtr_linear(gtr_flatten(r),
            "fc", 3), *loss = gtr_mse(h, y), *g = gtr_gradient(loss, gtr_parameter_find(ctx, "fc.weight"));
        gtr_trainer *t;
        d.precision = (gtr_precision)precision; d.no_matchers = true;
        gtr_keep(g);
        t = gtr_trainer_create(gtr_add(loss, gtr_scale(gtr_mean(gtr_stop_gradient(g), NULL, 0, false), 0, 0)), d);
        if (gtr_error(ctx) == GTR_ERR_UNSUPPORTED) {
            SKIP("read back: %s", gtr_error_text(ctx)); gtr_destroy(ctx); continue;
        }
        gtr_set(x, pool_x, sizeof *a * ROWS * WIDTH); gtr_set(y, pool_x + 999, sizeof *a * ROWS * 3);
        EXPECT_EQ(gtr_backward(t), GTR_OK);
        EXPECT_EQ(gtr_get(r, a, sizeof *a * ROWS * WIDTH), GTR_OK);
        CHECK(!memcmp(a, pool_x, sizeof *a * ROWS * WIDTH), "%d: a kept reshape of an input is rounded", precision);
        EXPECT_EQ(gtr_get(g, a, sizeof b), GTR_OK);
        EXPECT_EQ(gtr_gradient_get(t, gtr_parameter_find(ctx, "fc.weight"), b, sizeof b), GTR_OK);
        CHECK(near(a, b, 3 * WIDTH, 1e-3, 2e-2), "%d: gtr_gradient is %g, the trainer's gradient %g", precision,
            (double)a[0], (double)b[0]);
        EXPECT_EQ(gtr_update(t), GTR_OK);
        gtr_set(x, pool_x, sizeof *a * 64 * WIDTH);         /* the slot has the last run's rows */
        EXPECT_EQ(gtr_get(x, a, sizeof *a * 64 * WIDTH), GTR_ERR_SHAPE);
        gtr_error_clear(ctx);
        gtr_destroy(ctx);
    }
}
/* A loss that is not finite leaves the gradients as backward made them, whatever lay in their place meanwhile. */
static void gradients_of_a_bad_step(void)
{
    enum { ROWS = 16 };
    static shot s[2];
    gtr_context *ctx = create();
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH)),
        *y = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 3));
    gtr_tensor *h = gtr_linear(gtr_tanh(gtr_linear(gtr_relu(gtr_linear(x, "fc1", 32)), "fc2", 32)), "fc3", 3);
    gtr_trainer *t = gtr_trainer_create(gtr_mse(gtr_exp(h), y), sgd(1e-3f));
    gtr_float bias[3] = { 0, 500, 0 };
    gtr_set(gtr_parameter_find(ctx, "fc3.bias"), bias, sizeof bias);
    gtr_set(x, pool_x, sizeof *pool_x * ROWS * WIDTH); gtr_set(y, pool_x + 999, sizeof *pool_x * ROWS * 3);
    EXPECT_EQ(gtr_backward(t), GTR_OK);
    take(ctx, t, true, &s[0]);
    if (gtr_update(t) == GTR_OK) gtr_wait(ctx);
    EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, "fc3");
    take(ctx, t, true, &s[1]);
    CHECK(s[0].bytes == s[1].bytes && !memcmp(s[0].at, s[1].at, s[0].bytes),
        "after a step that was not finite the gradients are others");
    gtr_error_clear(ctx);
    gtr_destroy(ctx);
}
/* A network that has UPDATE waits for all gradients, on whatever stream, and reads nothing in their places. */
static int from_first_gradient(const gtr__plan *p, int at, const gtr__caps *caps, int *node)
{
    int i, first = -1, n = 0;
    (void)caps; (void)node;
    for (i = 0; i < p->n_node; i++)
        if (p->node[i].op == GTR__OP_LINEAR && p->node[i].dir == GTR__BWD && p->node[i].out[0] < 0 && n++ == 1)
            first = i;
    for (i = at; at == first && i < p->n_node; i++) if (p->node[i].op == GTR__OP_UPDATE) return i + 1 - at;
    return 0;
}
static gtr_result no_workspace(gtr__run *run, const gtr__call *c)
{
    (void)run;
    if (c->measure) *c->measure = 0;
    return GTR_OK;
}
static void stored_gradients(gtr__matcher *m)
{
    m->name = "from the second gradient on";
    m->match = from_first_gradient; m->kernel = no_workspace;
}
static void network_with_update(void)
{
    static const gtr__matcher_row row = stored_gradients;
    int streams;
    for (streams = 1; streams <= 4; streams++) {
        gtr_context *ctx = create();
        gtr_trainer_desc d = adam();
        net n;
        gtr__plan_entry *e;
        uint64_t before[64];
        int i, j, k, at = -1, inside = 0;
        if (!ctx || ctx->caps.cuda) { gtr_destroy(ctx); return; }
        ctx->be->matchers = &row; ctx->be->n_matchers = 1;
        d.streams = streams;
        n = build(ctx, GTR_BATCH, 0, &d);
        e = gtr__trainer_entry(n.t, 32, NULL, false);
        for (i = 0; e && i < e->plan.n_node; i++) if (e->plan.node[i].op == GTR__OP_SUBGRAPH) at = i;
        if (CHECK(at >= 0 && e->plan.n_node < 64, "there is no network")) {
            const gtr__plan *p = &e->plan;
            happens_before(p, before);
            for (j = 0; j < at; j++) for (k = 0; k < p->node[j].n_out; k++)
                if (p->node[j].out[k] >= 0 && p->value[root_of(p, p->node[j].out[k])].home == GTR__HOME_GRADIENT)
                    CHECK(before[at] >> j & 1,
                        "%d streams: the network updates by what node %d still writes", streams, j);
            for (k = 0; k < p->node[at].n_in; k++) {
                const int root = root_of(p, p->node[at].in[k]);
                const gtr__value *v = &p->value[root];
                bool made = false;
                for (i = 0; i < at; i++) for (j = 0; j < p->node[i].n_out; j++)
                    made |= p->node[i].out[j] >= 0 && root_of(p, p->node[i].out[j]) == root;
                CHECK(!(p->node[at].reads >> k & 1) || v->home != GTR__HOME_ARENA || made,
                    "%d streams: the network reads %%%d, which nobody writes", streams, p->node[at].in[k]);
                inside += v->home == GTR__HOME_ARENA && v->alias >= 0;
            }
            CHECK(!inside, "%d streams: %d of the network's operands lie in gradients' places", streams, inside);
        }
        gtr_destroy(ctx);
    }
}
/* Matchers of nodes from "fc3" on: two, three, or the first and the third, which moves up. */
static int from_fc3(const gtr__plan *p, int at, int count)
{
    const gtr__node *n = &p->node[at];
    return n->dir == GTR__FWD && n->op == GTR__OP_LINEAR && !strcmp(n->layer, "fc3") ? count : 0;
}
static int two_nodes(const gtr__plan *p, int at, const gtr__caps *caps, int *node)
{
    (void)caps; (void)node;
    return from_fc3(p, at, 2);
}
static int three_nodes(const gtr__plan *p, int at, const gtr__caps *caps, int *node)
{
    (void)caps; (void)node;
    return from_fc3(p, at, 3);
}
static int nodes_apart(const gtr__plan *p, int at, const gtr__caps *caps, int *node)
{
    (void)caps;
    node[0] = at; node[1] = at + 2;
    return from_fc3(p, at, 2);
}
static int behind_fc3(const gtr__plan *p, int at, const gtr__caps *caps, int *node)
{
    (void)caps; (void)node;
    return at ? from_fc3(p, at - 1, 4) : 0;
}
#define LATE_MATCHER(id) \
    static void id##_row(gtr__matcher *m) { m->name = #id; m->match = id; m->kernel = no_workspace; m->late = 1; }
LATE_MATCHER(two_nodes)
LATE_MATCHER(three_nodes)
LATE_MATCHER(nodes_apart)
LATE_MATCHER(behind_fc3)
/* Of matchers that take a node it is given to the one that saves most, of equal ones to the first; less what another
   would save behind it. */
static void matchers_gain(void)
{
    static const struct { gtr__matcher_row row[3]; const char *first, *second; gtr__op member; } cases[] = {
        { { two_nodes_row, three_nodes_row }, "three_nodes", NULL, GTR__OP_COUNT },
        { { three_nodes_row, two_nodes_row }, "three_nodes", NULL, GTR__OP_COUNT },
        { { two_nodes_row, nodes_apart_row }, "two_nodes", NULL, GTR__OP_COUNT },
        { { nodes_apart_row, two_nodes_row }, "nodes_apart", NULL, GTR__OP_LINEAR },
        { { two_nodes_row, behind_fc3_row }, "two_nodes", NULL, GTR__OP_COUNT },
        { { two_nodes_row, nodes_apart_row, behind_fc3_row }, "nodes_apart", NULL, GTR__OP_LINEAR },
    };
    size_t k;
    for (k = 0; k < sizeof cases / sizeof *cases; k++) {
        gtr_context *ctx = create();
        gtr_trainer_desc d = adam();
        net n;
        gtr__plan_entry *e;
        int i, found = 0;
        if (!ctx || ctx->caps.cuda) { gtr_destroy(ctx); return; }
        ctx->be->matchers = cases[k].row;
        ctx->be->n_matchers = cases[k].row[2] ? 3 : 2;
        memset(ctx->caps.unfused, 1, sizeof ctx->caps.unfused);
        n = build(ctx, GTR_BATCH, 0, &d);
        e = gtr__trainer_entry(n.t, 32, NULL, false);
        for (i = 0; e && i < e->plan.n_node; i++) {
            const gtr__node *q = &e->plan.node[i];
            const gtr__subgraph *w = q->op == GTR__OP_SUBGRAPH ? (const gtr__subgraph *)(uintptr_t)q->attr.ptr : NULL;
            if (!w) continue;
            CHECK(!found++ && !strcmp(q->fused, cases[k].first), "case %d: %s", (int)k, q->fused);
            CHECK(cases[k].member == GTR__OP_COUNT || w->node[1].op == cases[k].member, "case %d: its second is %s",
                (int)k, gtr__row(w->node[1].op)->name);
        }
        CHECK(found == 1, "case %d: %d networks", (int)k, found);
        gtr_destroy(ctx);
    }
}
enum { LITTLE = 1 << 20 };
static gtr_result little_left(void *instance, size_t *left, size_t *total)
{
    (void)instance;
    *left = LITTLE;
    *total = 2 * LITTLE;
    return GTR_OK;
}
static void memory_limit(void)
{
    static shot a, b;
    gtr_desc desc = counted();
    gtr_context *ctx;
    gtr_trainer_desc d = adam();
    gtr_memory_report r;
    gtr_dataset *data;
    net n;
    int64_t most, more;
    int i;
    size_t limit = 256 * 1024;
    d.no_matchers = true;                       /* a whole network's kernel takes memory of its own, up to some batch */
    ctx = gtr_create(desc);
    n = build(ctx, GTR_BATCH, DROP, &d);
    EXPECT_EQ(gtr_memory_plan(n.t, 1, &r), GTR_OK);
    gtr_destroy(ctx);
    limit += r.total;                           /* room for some hundred rows, whatever products take */
    desc = counted();
    desc.memory_limit = limit;
    ctx = gtr_create(desc);
    n = build(ctx, GTR_BATCH, DROP, &d);
    data = points(ctx, POOL);
    /* the set lies on the device, too: its bytes are not part of the report */
    if (ctx->caps.cuda) {
        EXPECT_EQ(gtr__dataset_device(data), GTR_OK);
        ctx->desc.memory_limit += gtr__resident_bytes(ctx);
    }
    most = gtr_largest_batch(n.t, limit);
    more = most + most / 20 + 1;
    CHECK(most > 40 && more < POOL, "the largest batch is %lld", (long long)most);
    EXPECT_EQ(gtr_largest_batch(n.t, 0), most);
    if (!ctx->caps.cuda) {      /* without a limit: what the machine has left, and what this context has taken */
        gtr_result (*info)(void *, size_t *, size_t *) = ctx->be->memory_info;
        ctx->be->memory_info = little_left;
        ctx->desc.memory_limit = 0;
        EXPECT_EQ(gtr_largest_batch(n.t, 0), gtr_largest_batch(n.t, LITTLE + ctx->memory.device_bytes));
        EXPECT(gtr_largest_batch(n.t, LITTLE) < gtr_largest_batch(n.t, LITTLE + ctx->memory.device_bytes));
        ctx->be->memory_info = info;
        ctx->desc.memory_limit = limit;
    }
    EXPECT_EQ(gtr_memory_plan(n.t, most, &r), GTR_OK);
    EXPECT(r.total <= limit);
    EXPECT_EQ(gtr_memory_plan(n.t, most + 1, &r), GTR_OK);
    EXPECT(r.total > limit);
    EXPECT_OK(ctx);
    EXPECT_EQ(gtr_trainer_data(n.t, data, most, true, true), GTR_OK);
    for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(n.t), GTR_OK);
    EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    if (!ctx->caps.cuda)
        CHECK(most_asked <= (long long)limit, "with a limit of %zu bytes %lld were taken", limit, most_asked);
    take(ctx, n.t, true, &a);
    EXPECT_EQ(gtr_trainer_data(n.t, data, more, true, true), GTR_ERR_NOMEM);
    EXPECT(!strstr(gtr_error_text(ctx), "device") == !ctx->caps.cuda);
    EXPECT_ERROR(ctx, GTR_ERR_NOMEM, ctx->caps.cuda ? "out of device memory" : "out of memory");
    take(ctx, n.t, true, &b);
    CHECK(equal(&a, &b), "running out of memory changed parameters, states or gradients");
    /* what was refused feeds nothing, nor does what is set for a look; again nothing is lost */
    for (i = 0; i < 2; i++) {
        EXPECT_EQ(gtr_step(n.t), GTR_ERR_STATE);
        EXPECT_ERROR(ctx, GTR_ERR_STATE, "left for one that was refused");
        feed(&n, 0, 4);
    }
    take(ctx, n.t, true, &b);
    EXPECT(equal(&a, &b));
    EXPECT_EQ(gtr_trainer_data(n.t, data, most / 2, true, true), GTR_OK);
    for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(n.t), GTR_OK);
    EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    EXPECT_EQ(gtr_trainer_report(n.t).applied, 6);
    EXPECT_EQ(gtr_trainer_data(n.t, data, most, true, true), GTR_OK);
    EXPECT_EQ(gtr_step(n.t), GTR_OK);
    EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    CHECK(blocks == 0, "%lld blocks are left", blocks);
}

/* On the GPU, where nothing else may run meanwhile: the report against the driver's figure of free memory; and with all
   but 1 GiB taken, the largest batch that fits by that figure runs, and 5 % more is an error that loses nothing. */
enum { WIDE = 2048, FEW = 64, RESERVE = 64 << 20 };
static net wide(gtr_context *ctx, const gtr_trainer_desc *d)
{
    net n;
    gtr_tensor *h;
    n.ctx = ctx;
    n.x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, FEW));
    n.y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    h = gtr_relu(gtr_linear(gtr_relu(gtr_linear(n.x, "fc1", WIDE)), "fc2", WIDE));
    n.logits = gtr_linear(h, "fc3", CLASSES);
    n.loss = gtr_cross_entropy(n.logits, n.y);
    n.acc = NULL;
    n.t = gtr_trainer_create(n.loss, *d);
    return n;
}
static gtr_dataset *bytes_set(gtr_context *ctx, int64_t rows)
{
    gtr_arrays_desc a;
    unsigned char *x = (unsigned char *)malloc((size_t)rows * (FEW + 1));
    uint32_t s = 11;
    int64_t i;
    gtr_dataset *data;
    for (i = 0; i < rows * FEW; i++) { s = s * 1664525u + 1013904223u; x[i] = (unsigned char)(s >> 24); }
    for (i = 0; i < rows; i++) x[rows * FEW + i] = x[i * FEW] % CLASSES;
    memset(&a, 0, sizeof a);
    a.rows = rows;
    a.column[0].data = x; a.column[0].dtype = GTR_U8; a.column[0].shape = gtr_shape1(FEW);
    a.column[1].data = x + rows * FEW; a.column[1].dtype = GTR_U8;
    data = gtr_dataset_arrays(ctx, a);
    free(x);
    return data;
}
static long long driver_free(gtr_context *ctx)
{
    size_t room = 0, total = 0;
    EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    EXPECT_EQ(ctx->be->memory_info(ctx->instance[0], &room, &total), GTR_OK);
    return (long long)room;
}
/* All parameters and states, hashed: they are too large for a shot. */
static uint64_t wide_hash(const net *n)
{
    static gtr_float v[WIDE * WIDE];
    uint64_t h = HASH_BEGIN;
    int64_t i;
    int k;
    for (i = 0; i < gtr_parameter_count(n->ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(n->ctx, i);
        for (k = -1; k < 2; k++) {
            EXPECT_EQ(k < 0 ? gtr_get(p, v, gtr__bytes_of(p)) : gtr_state_get(n->t, p, k, v, gtr__bytes_of(p)), GTR_OK);
            h = hash_of(h, v, gtr__bytes_of(p));
        }
    }
    return h;
}
static void driver_memory(void)
{
    const long long gib = 1ll << 30;
    int run, i;
    if (device != GTR_DEVICE_CUDA || small) return;
    /* the first loads modules and handles, which are not the step's; two for FP32, two for BF16 */
    for (run = 0; run < 4; run++) {
        gtr_trainer_desc d = adam();
        gtr_context *ctx = create();
        gtr_memory_report r;
        gtr_dataset *data;
        long long before, used, told;
        net n;
        if (run / 2) d.precision = ctx->caps.bf16 ? GTR_MIXED_BF16 : GTR_MIXED_FP16;
        before = driver_free(ctx);
        n = wide(ctx, &d);
        data = bytes_set(ctx, 20000);
        EXPECT_EQ(gtr_memory_plan(n.t, 8192, &r), GTR_OK);
        EXPECT_EQ(gtr_trainer_data(n.t, data, 8192, true, true), GTR_OK);
        for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(n.t), GTR_OK);
        used = before - driver_free(ctx);
        told = (long long)(r.total + gtr__resident_bytes(ctx));
        EXPECT_OK(ctx);
        if (run % 2) {
            CHECK(used >= told - (2 << 20) && used <= told + RESERVE, "the report says %lld MiB, the driver gave %lld",
                told >> 20, used >> 20);
            printf("a step of %lld MiB took %lld MiB of the driver's memory\n", told >> 20, used >> 20);
        }
        gtr_destroy(ctx);
    }
    for (run = 0; run < 2; run++) {
        gtr_trainer_desc d = adam();
        gtr_context *ctx = create();
        net n;
        gtr_dataset *data = bytes_set(ctx, 100000);
        void *ballast;
        size_t bytes;
        int64_t most, more;
        uint64_t want;
        if (run) d.precision = ctx->caps.bf16 ? GTR_MIXED_BF16 : GTR_MIXED_FP16;
        n = wide(ctx, &d);
        EXPECT_EQ(gtr_trainer_data(n.t, data, 256, true, true), GTR_OK);
        for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(n.t), GTR_OK);
        bytes = (size_t)((driver_free(ctx) - gib) & -(2ll << 20));
        ballast = ctx->be->alloc(ctx->instance[0], bytes);
        if (!CHECK(ballast && llabs(driver_free(ctx) - gib) <= 8 << 20,
                "with a ballast of %zu bytes %lld MiB are free, want 1024", bytes, driver_free(ctx) >> 20)) {
            gtr_destroy(ctx); continue;
        }
        most = gtr_largest_batch(n.t, 0);
        more = most + most / 20 + 1;
        CHECK(most > 5000 && more < 100000, "the largest batch is %lld", (long long)most);
        EXPECT_EQ(gtr_trainer_data(n.t, data, most, true, true), GTR_OK);
        for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
        printf("with 1 GiB free a batch of %lld runs and leaves %lld MiB\n", (long long)most, driver_free(ctx) >> 20);
        EXPECT_OK(ctx);
        want = wide_hash(&n);
        EXPECT_EQ(gtr_trainer_data(n.t, data, more, true, true), GTR_ERR_NOMEM);
        EXPECT_ERROR(ctx, GTR_ERR_NOMEM, "out of device memory");
        EXPECT_EQ(gtr_step(n.t), GTR_ERR_STATE);                  /* what was refused does not feed */
        EXPECT_ERROR(ctx, GTR_ERR_STATE, "left for one that was refused");
        CHECK(wide_hash(&n) == want, "running out of memory changed parameters or states");
        EXPECT_EQ(gtr_trainer_data(n.t, data, most, true, true), GTR_OK);
        for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
        EXPECT_EQ(gtr_trainer_report(n.t).applied, 9);
        CHECK(wide_hash(&n) != want, "training does not go on");
        EXPECT_OK(ctx);
        ctx->be->free(ctx->instance[0], ballast, bytes);
        gtr_destroy(ctx);
    }
}

/* ---- what a network is ---- */
/* A line a layer, to the character; no line is wider than 120 columns, whatever it is of. */
static void summaries(void)
{
    static const char mlp[] =
        "layer          kind                     output    parameters  multiply-adds\n"
        "image          input                    (N, 784)           0              0\n"
        "label          input                    (N,)               0              0\n"
        "fc1            linear + relu + dropout  (N, 256)     200,960        200,704\n"
        "fc2            linear                   (N, 10)        2,570          2,560\n"
        "cross_entropy  cross_entropy            ()                 0              0\n"
        "parameters: 203,530 trained, 0 frozen, 0 in buffers, 795.0 KiB\n"
        "a row: 203,264 multiply-adds, 3.1 KiB computed\n";
    static const char residual[] =
        "layer           kind               output           parameters  multiply-adds\n"
        "pixels          input              (N, 3, 32, 32)            0              0\n"
        "layer1.0.conv1  conv2d             (N, 64, 32, 32)       1,792      1,769,472\n"
        "layer1.0.bn1    batch_norm + relu  (N, 64, 32, 32)         128              0\n"
        "layer1.0.conv2  conv2d             (N, 64, 32, 32)      36,928     37,748,736\n"
        "add             add + relu         (N, 64, 32, 32)           0              0\n"
        "max_pool        max_pool           (N, 64, 16, 16)           0              0\n"
        "max_pool        max_pool           (N, 64, 8, 8)             0              0\n"
        "reshape         reshape            (N, 4096)                 0              0\n"
        "tied            linear + tanh      (N, 4096)        16,777,216     16,777,216\n"
        "tied            linear             (N, 4096)                 0     16,777,216\n"
        "smooth_l1       smooth_l1          ()                        0              0\n"
        "parameters: 38,848 trained, 16,777,216 frozen, 128 in buffers, 64.1 MiB\n"
        "a row: 73,072,640 multiply-adds, 1.7 MiB computed\n";
    gtr_desc d = desc0();
    const bool preset = device == GTR_DEVICE_CPU;               /* without running anything */
    gtr_init init;
    char name[300];
    int k;
    if (preset) d.preset = GTR_PRESET_SM90;
    gtr_context *ctx = gtr_create(d);
    memset(&init, 0, sizeof init);
    init.frozen = true;
    gtr_tensor *x = gtr_input(ctx, "image", GTR_F32, gtr_shape2(GTR_BATCH, 784)),
        *y = gtr_input(ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH)),
        *h = gtr_dropout(gtr_relu(gtr_linear(x, "fc1", 256)), "drop", 0.5f),
        *out = gtr_linear(h, "fc2", 10);
    const char *text = gtr_summary_text(gtr_cross_entropy(out, y));
    CHECK(!strcmp(text, mlp) || sizeof(gtr_float) == 8, "got\n%swant\n%s", text, mlp);
    text = gtr_summary_text(out);
    CHECK(strstr(text, "\nfc2  ") && !strstr(text, "cross_entropy") && !strstr(text, "label"), "it is %s", text);
    x = gtr_input(ctx, "pixels", GTR_F32, gtr_shape4(GTR_BATCH, 3, 32, 32));
    gtr_scope_begin(ctx, "layer1.0");
    h = gtr_relu(gtr_batch_norm(gtr_conv2d(x, "conv1", 64, 3, 1, 1), "bn1"));
    h = gtr_relu(gtr_add(gtr_conv2d(h, "conv2", 64, 3, 1, 1), h));
    gtr_scope_end(ctx);
    h = gtr_flatten(gtr_max_pool2d(gtr_max_pool2d(h, 2, 2, 0), 2, 2, 0));
    gtr_tensor *w = gtr_parameter(ctx, "tied", gtr_shape2(4096, 4096), init);
    out = gtr_linear_with(gtr_tanh(gtr_linear_with(h, w, NULL)), w, NULL);
    text = gtr_summary_text(gtr_smooth_l1(out, h));
    CHECK(!strcmp(text, residual) || sizeof(gtr_float) == 8, "got\n%swant\n%s", text, residual);
    /* names, chains and shapes of any length, of a network that no memory holds */
    gtr_desc planned;
    memset(&planned, 0, sizeof planned);
    planned.preset = GTR_PRESET_CPU;
    gtr_context *vast = gtr_create(planned);
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    gtr_shape s = gtr_shape4(GTR_BATCH, 1, 1, 1000000);
    s.ndim = 8;
    for (k = 4; k < 8; k++) s.dim[k] = k % 2 ? 1 : 100;
    h = gtr_input(vast, name, GTR_F32, s);
    for (k = 0; k < 9; k++) h = k % 3 ? gtr_relu(h) : gtr_linear(h, (name[k] = 'm', name), 100000);
    /* calls of one op's builder are layers each, with shared weights, too */
    gtr_conv_desc c2;
    memset(&c2, 0, sizeof c2);
    w = gtr_parameter(ctx, "shared.weight", gtr_shape4(3, 3, 1, 1), init);
    text = strstr(gtr_summary_text(gtr_conv2d_with(gtr_conv2d_with(x, w, NULL, c2), w, NULL, c2)), "\nshared  conv2d ");
    EXPECT(text && strstr(text + 1, "\nshared  conv2d "));
    text = gtr_summary_text(h);
    for (const char *c = text; *c; c += strcspn(c, "\n") + 1) CHECK(strcspn(c, "\n") <= 120, "%.*s is wider",
        (int)strcspn(c, "\n"), c);
    CHECK(strstr(text, "\nnnnnnnn") && strstr(text, "e+") && strstr(text, "linear + relu + relu"), "it is\n%s", text);
    /* a recurrence multiplies its inputs and its states: 5 steps of 8 * 3 and 8 * 8, by gates and directions */
    for (k = 0; k < 3; k++) {
        gtr_recurrent_desc rd;
        char want[32];
        memset(&rd, 0, sizeof rd);
        rd.bidirectional = k == 1;
        snprintf(name, sizeof name, "steps%d", k);
        x = gtr_input(vast, name, GTR_F32, gtr_shape3(GTR_BATCH, 5, 3));
        snprintf(name, sizeof name, "cells%d", k);
        h = k == 0 ? gtr_lstm(x, name, 8, rd) : k == 1 ? gtr_gru(x, name, 8, rd) : gtr_rnn(x, name, 8, rd);
        snprintf(want, sizeof want, "\na row: %s multiply-adds,", k == 0 ? "1,760" : k == 1 ? "2,640" : "440");
        text = gtr_summary_text(h);
        CHECK(strstr(text, want), "want%s got\n%s", want, text);
    }
    EXPECT_OK(vast);
    gtr_destroy(vast);
    EXPECT_OK(ctx);
    EXPECT(!gtr_summary_text(NULL)[0]);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_summary_text: a tensor is NULL");
    gtr_destroy(ctx);
}

/* ---- presets, and what a context says of itself ---- */
static void presets(void)
{
    static const gtr_preset list[] = { GTR_PRESET_CPU, GTR_PRESET_SM75, GTR_PRESET_SM87, GTR_PRESET_SM90,
        GTR_PRESET_SM86, GTR_PRESET_SM89, GTR_PRESET_SM100, GTR_PRESET_SM110, GTR_PRESET_SM120, GTR_PRESET_SM121 };
    static const char *const names[] = { "preset CPU", "preset sm_75", "preset sm_87", "preset sm_90", "preset sm_86",
        "preset sm_89", "preset sm_100", "preset sm_110", "preset sm_120", "preset sm_121" };
    gtr_memory_report r, cpu;
    int i;
    memset(&cpu, 0, sizeof cpu);
    for (i = 0; i < (int)(sizeof list / sizeof *list); i++) {
        gtr_desc desc = desc0();
        gtr_trainer_desc d = adam();
        gtr_context *ctx;
        net n;
        float x[WIDTH] = { 0 };
        int64_t most;
        const char *text;
        desc.preset = list[i];
        ctx = gtr_create(desc);
        EXPECT(strstr(gtr_device_text(ctx), names[i]) != NULL && !gtr_on_gpu(ctx));
        n = build(ctx, GTR_BATCH, DROP | NORM, &d);
        EXPECT_OK(ctx);
        text = gtr_plan_text(n.t, 128);
        EXPECT(strstr(text, "plan of a step with batch 128") && strstr(text, names[i]) && strstr(text, "update")
            && strstr(text, "fc3") && strstr(text, "feed"));
        EXPECT(strstr(gtr_memory_text(n.t, 128), names[i]) != NULL);
        EXPECT_EQ(gtr_memory_plan(n.t, 128, &r), GTR_OK);
        EXPECT(r.batch == 128 && r.total > r.parameters && r.parameters > 0);
        EXPECT(strstr(gtr_summary_text(n.loss), "cross_entropy") != NULL);
        most = gtr_largest_batch(n.t, (size_t)256 << 20);
        EXPECT(most > 1000);
        EXPECT_EQ(gtr_memory_plan(n.t, most, &r), GTR_OK);
        EXPECT(r.total <= (size_t)256 << 20);
        EXPECT_EQ(gtr_largest_batch(n.t, 100), 0);
        EXPECT(gtr_largest_batch(n.t, SIZE_MAX / 2) > (int64_t)1 << 30);
        EXPECT_OK(ctx);
        /* it plans, and runs nothing */
        EXPECT_EQ(gtr_set(n.x, x, sizeof x), GTR_ERR_STATE);
        EXPECT_ERROR(ctx, GTR_ERR_STATE, "preset");
        EXPECT_EQ(gtr_step(n.t), GTR_ERR_STATE);
        EXPECT_ERROR(ctx, GTR_ERR_STATE, "preset");
        EXPECT(gtr_predictor_create(n.logits, 1) == NULL);
        EXPECT_ERROR(ctx, GTR_ERR_STATE, "preset");
        d.precision = GTR_MIXED_BF16;           /* Turing has none */
        EXPECT((gtr_trainer_create(n.loss, d) == NULL) == (i == 1));
        if (i == 1) EXPECT_ERROR(ctx, GTR_ERR_UNSUPPORTED, "bfloat16"); else EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
    if (device == GTR_DEVICE_CPU) {             /* the preset's report is the device's */
        gtr_desc desc = desc0();
        gtr_trainer_desc d = adam();
        gtr_context *a, *b = create();
        net n, m = build(b, GTR_BATCH, DROP | NORM, &d);
        desc.preset = GTR_PRESET_CPU;
        a = gtr_create(desc);
        n = build(a, GTR_BATCH, DROP | NORM, &d);
        EXPECT_EQ(gtr_memory_plan(n.t, 77, &r), GTR_OK);
        EXPECT_EQ(gtr_memory_plan(m.t, 77, &cpu), GTR_OK);
        CHECK(!memcmp(&r, &cpu, sizeof r), "the preset's total is %zu, the device's %zu", r.total, cpu.total);
        gtr_destroy(a); gtr_destroy(b);
    }
}
static void device_texts(void)
{
    gtr_desc d = desc0();
    gtr_context *ctx = gtr_create(d);
    EXPECT_OK(ctx);
    EXPECT_EQ(gtr_on_gpu(ctx), device == GTR_DEVICE_CUDA);
    EXPECT(gtr_device_text(ctx)[0] != 0);
    EXPECT(strstr(gtr_environment_text(ctx), "gputrain " GPUTRAIN_VERSION)
        && strstr(gtr_environment_text(ctx), "device"));
    EXPECT(!ctx->caps.mapped == !strstr(gtr_environment_text(ctx), "read in place"));
    if (device == GTR_DEVICE_CPU)
        EXPECT(strstr(gtr_device_text(ctx), "CPU") && !strstr(gtr_device_text(ctx), "no GPU"));
    gtr_destroy(ctx);
    d.device = GTR_DEVICE_AUTO;                 /* a fallback says why */
    ctx = gtr_create(d);
    EXPECT_OK(ctx);
    CHECK(gtr_on_gpu(ctx) || strstr(gtr_device_text(ctx), "no GPU: "), "the device text is \"%s\"",
        gtr_device_text(ctx));
    gtr_destroy(ctx);
    d.device = GTR_DEVICE_CUDA; d.device_index = 4711;      /* asked for and not there: never a silent fallback */
    ctx = gtr_create(d);
    EXPECT(ctx && gtr_error(ctx) != GTR_OK && !gtr_on_gpu(ctx));
    EXPECT(strstr(gtr_error_text(ctx), "CUDA was asked for") != NULL);
    EXPECT(gtr_input(ctx, "x", GTR_F32, gtr_shape1(GTR_BATCH)) == NULL);
    gtr_error_clear(ctx);
    EXPECT(gtr_error(ctx) != GTR_OK);           /* such a context stays what it is */
    gtr_destroy(ctx);
    d = desc0();
    d.threads = -1;
    ctx = gtr_create(d);
    EXPECT(gtr_error(ctx) == GTR_ERR_ARG);
    gtr_destroy(ctx);
    EXPECT(gtr_error(NULL) == GTR_ERR_NOMEM && gtr_error_text(NULL)[0] && gtr_result_text(GTR_ERR_NOMEM)[0]
        && gtr_result_text((gtr_result)99)[0]);
    gtr_destroy(NULL);
}

/* ---- threads ---- */
typedef struct job { uint64_t seed; shot s; gtr_result error; } job;
static pthread_mutex_t check_lock = PTHREAD_MUTEX_INITIALIZER;
static void *train_alone(void *arg)     /* check.h counts without a lock: take() is not for two threads at once */
{
    job *j = (job *)arg;
    gtr_desc desc = desc0();
    gtr_trainer_desc d = adam();
    gtr_context *ctx;
    net n;
    int i;
    desc.seed = j->seed;
    ctx = gtr_create(desc);
    n = build(ctx, GTR_BATCH, DROP | NORM, &d);
    gtr_trainer_data(n.t, points(ctx, 200), 16, true, false);
    for (i = 0; i < repeat(40); i++) gtr_step(n.t);
    gtr_wait(ctx);
    j->error = gtr_error(ctx);
    pthread_mutex_lock(&check_lock);
    take(ctx, n.t, true, &j->s);
    pthread_mutex_unlock(&check_lock);
    gtr_destroy(ctx);
    return NULL;
}
static void two_contexts(void)
{
    static job alone[2], beside[2];
    pthread_t th[2];
    int i, made = 0;
    for (i = 0; i < 2; i++) { alone[i].seed = beside[i].seed = (uint64_t)(i + 1); train_alone(&alone[i]); }
    for (i = 0; i < 2; i++) made += pthread_create(&th[i], NULL, train_alone, &beside[i]) == 0;
    for (i = 0; i < made; i++) pthread_join(th[i], NULL);
    EXPECT_EQ(made, 2);
    for (i = 0; i < 2; i++) {
        EXPECT_EQ(beside[i].error, GTR_OK);
        CHECK(equal(&alone[i].s, &beside[i].s), "context %d gives other bits beside another one", i);
    }
    EXPECT(!equal(&alone[0].s, &alone[1].s));
}
static void same_bits(void)                     /* twice with the same seed; on the CPU with any number of threads */
{
    static shot want, got;
    static const int threads[] = { 1, 1, 2, 4, 8 };
    int k, i;
    for (k = 0; k < (device == GTR_DEVICE_CPU ? 5 : 2); k++) {
        gtr_desc desc = desc0();
        gtr_trainer_desc d = adam();
        gtr_context *ctx;
        net n;
        desc.threads = threads[k];
        ctx = gtr_create(desc);
        n = build(ctx, GTR_BATCH, DROP | NORM, &d);
        gtr_trainer_data(n.t, points(ctx, 900), 256, true, false);
        for (i = 0; i < repeat(20); i++) gtr_step(n.t);
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
        take(ctx, n.t, true, k ? &got : &want);
        if (k) CHECK(equal(&want, &got), "%d threads give other bits", threads[k]);
        gtr_destroy(ctx);
    }
}
enum { PREDICTORS = 4 };
typedef struct asker { gtr_predictor *p; gtr_float *want; int first, bad; } asker;
static void *ask(void *arg)
{
    asker *a = (asker *)arg;
    int i;
    gtr_float out[16 * CLASSES];
    for (i = 0; i < repeat(200); i++) {
        int rows = 1 + (i * 7 + a->first) % 11, first = (a->first + 13 * i) % 100;
        if (gtr_predict(a->p, pool_x + first * WIDTH, rows, out) != GTR_OK
                || !near32(out, a->want + first * CLASSES, rows * CLASSES))
            a->bad++;
    }
    return NULL;
}
static void predictors(void)
{
    static gtr_float want[128 * CLASSES];
    gtr_trainer_desc d = adam();
    gtr_context *ctx = create();
    net n = build(ctx, GTR_BATCH, DROP | NORM, &d);
    asker a[PREDICTORS];
    pthread_t th[PREDICTORS];
    gtr_predictor *p;
    gtr_float one[CLASSES];
    int i, round;
    gtr_trainer_data(n.t, points(ctx, 128), 32, true, false);
    for (i = 0; i < PREDICTORS; i++) {
        a[i].p = gtr_predictor_create(n.logits, 1 + 3 * i); a[i].want = want; a[i].first = 5 * i; a[i].bad = 0;
    }
    for (round = 0; round < 2; round++) {       /* a predictor has the weights as they are at each call */
        for (i = 0; i < 10; i++) EXPECT_EQ(gtr_step(n.t), GTR_OK);
        feed(&n, 0, 128);
        EXPECT_EQ(gtr_eval(&n.logits, 1), GTR_OK);
        EXPECT_EQ(gtr_get(n.logits, want, sizeof want), GTR_OK);
        for (i = 0; i < PREDICTORS; i++) EXPECT_EQ(pthread_create(&th[i], NULL, ask, &a[i]), 0);
        for (i = 0; i < PREDICTORS; i++) pthread_join(th[i], NULL);
        for (i = 0; i < PREDICTORS; i++) CHECK(a[i].bad == 0, "predictor %d: %d answers differ from gtr_eval (%s)", i,
            a[i].bad, gtr_predictor_error_text(a[i].p));
    }
    /* its errors are its own */
    EXPECT_EQ(gtr_predict(a[0].p, NULL, 1, one), GTR_ERR_ARG);
    EXPECT(gtr_predictor_error_text(a[0].p)[0] != 0);
    EXPECT_EQ(gtr_predict(a[1].p, pool_x, 0, one), GTR_ERR_ARG);
    EXPECT_EQ(gtr_predict(NULL, pool_x, 1, one), GTR_ERR_ARG);
    EXPECT_OK(ctx);
    for (i = 0; i < PREDICTORS - 1; i++) gtr_predictor_destroy(a[i].p);     /* the last is left to the context */
    p = gtr_predictor_create(n.loss, 1);
    EXPECT(p == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "predictor");
    EXPECT(gtr_predictor_create(n.logits, (int64_t)1 << 40) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "predictor: 1099511627776 rows, want 1 to 2^38 at a time");
    EXPECT(gtr_predictor_create(n.logits, -1) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "predictor");
    EXPECT_EQ(gtr_step(n.t), GTR_OK);
    EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    gtr_destroy(ctx);
}
/* ---- snapshots ---- */
static gtr_predictor *snapshot_of(gtr_tensor *out, int64_t rows)
{
    gtr_predictor_desc d;
    memset(&d, 0, sizeof d);
    d.out[0] = out; d.max_rows = rows; d.snapshot = true;
    return gtr_predictor_create_ex(out->ctx, d);
}
enum { TAKEN = 60, EACH = 3 * CLASSES };
/* What a network predicts after each of TAKEN steps, and a thread whose predictions must each be one of these, none
   older than the one before. A predictor whose rows act on each other makes plans while others build. */
typedef struct viewer {
    gtr_predictor *p, *joint; const gtr_float *rows; int last, bad; uint64_t taken, stop;
} viewer;
static void *look(void *arg)
{
    viewer *v = (viewer *)arg;
    gtr_float out[EACH], joint[12 * CLASSES];
    for (int k = 0; !__atomic_load_n(&v->stop, __ATOMIC_SEQ_CST); k++) {
        int i = v->last;
        if (gtr_predictor_refresh(v->p) != GTR_OK || gtr_predict(v->p, pool_x, 3, out) != GTR_OK
                || (v->joint && (gtr_predictor_refresh(v->joint) != GTR_OK
                || gtr_predict(v->joint, pool_x, 1 + k % 12, joint) != GTR_OK))) { v->bad++; break; }
        while (i <= TAKEN && memcmp(out, v->rows + i * EACH, sizeof out) != 0) i++;
        if (i > TAKEN) v->bad++; else v->last = i;
        __atomic_add_fetch(&v->taken, 1, __ATOMIC_SEQ_CST);
    }
    __atomic_store_n(&v->stop, 2, __ATOMIC_SEQ_CST);
    return NULL;
}
/* Until the thread has taken a snapshot more. */
static void wait_for(viewer *v, uint64_t taken)
{
    while (__atomic_load_n(&v->taken, __ATOMIC_SEQ_CST) <= taken && __atomic_load_n(&v->stop, __ATOMIC_SEQ_CST) < 2)
        usleep(50);
}
static viewer *viewed;
static bool see(const gtr_progress *p)
{
    (void)p;
    wait_for(viewed, __atomic_load_n(&viewed->taken, __ATOMIC_SEQ_CST));
    return true;
}
/* kind 0: steps by hand, while the graph grows and is evaluated; 1: gtr_fit that evaluates averages and restores the
   best epoch's weights; 2: like 0, and what a profile trains nobody sees. */
static void watched(int kind, const gtr_float *rows)
{
    gtr_trainer_desc d = adam();
    gtr_context *ctx = create();
    d.ema = 0.9f;
    net n = build(ctx, GTR_BATCH, DROP | NORM, &d);
    gtr_dataset *data = points(ctx, 128);
    viewer v;
    pthread_t th;
    gtr_float want[EACH], got[EACH];
    memset(&v, 0, sizeof v);
    v.rows = rows;
    v.p = snapshot_of(n.logits, 3);
    v.joint = kind != 1 ? snapshot_of(gtr_softmax(n.logits, 0), 12) : NULL;
    EXPECT(v.p != NULL);
    gtr_trainer_data(n.t, data, 32, true, false);
    EXPECT_EQ(pthread_create(&th, NULL, look, &v), 0);
    if (kind == 1) {
        gtr_fit_desc f;
        memset(&f, 0, sizeof f);
        viewed = &v;
        f.epochs = TAKEN / 4; f.batch = 32; f.validation = data; f.callback = see; f.silent = true;
        EXPECT_EQ(gtr_fit(n.t, data, f), GTR_OK);
    } else for (int i = 0; i < TAKEN; i++) {
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        if (i % 6 == 0) wait_for(&v, __atomic_load_n(&v.taken, __ATOMIC_SEQ_CST));
        if (kind == 2 && i == 30) EXPECT(gtr_profile(n.t, false)[0] != 0);
        gtr_tensor *more = gtr_relu(gtr_scale(n.logits, (float)i, 0));
        if (i % 10 == 5) { feed(&n, 0, 4); EXPECT_EQ(gtr_eval(&more, 1), GTR_OK); }
    }
    const uint64_t was = __atomic_load_n(&v.taken, __ATOMIC_SEQ_CST);
    wait_for(&v, was); wait_for(&v, was + 1);
    __atomic_store_n(&v.stop, 1, __ATOMIC_SEQ_CST);
    pthread_join(th, NULL);
    CHECK(v.bad == 0 && v.last == TAKEN, "kind %d: %d of %d predictions are of no step; the last of step %d (%s)", kind,
        v.bad, (int)v.taken, v.last, gtr_predictor_error_text(v.p));
    feed(&n, 0, 3);
    EXPECT_EQ(gtr_average_swap(n.t), GTR_OK);
    EXPECT_EQ(gtr_eval(&n.logits, 1), GTR_OK);
    EXPECT_EQ(gtr_get(n.logits, want, sizeof want), GTR_OK);
    EXPECT_EQ(gtr_average_swap(n.t), GTR_OK);
    EXPECT_EQ(gtr_predictor_refresh(v.p), GTR_OK);
    EXPECT_EQ(gtr_predict(v.p, pool_x, 3, got), GTR_OK);
    CHECK(near32(got, want, EACH), "kind %d: another prediction than gtr_eval's", kind);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
static void snapshots_while_training(void)
{
    static gtr_float rows[(TAKEN + 1) * EACH];
    gtr_trainer_desc d = adam();
    gtr_context *ctx = create();
    d.ema = 0.9f;
    net n = build(ctx, GTR_BATCH, DROP | NORM, &d);
    gtr_predictor *p = gtr_predictor_create(n.logits, 3);
    gtr_trainer_data(n.t, points(ctx, 128), 32, true, false);
    for (int i = 0; i <= TAKEN; i++) {
        if (i) EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
        EXPECT_EQ(gtr_predict(p, pool_x, 3, rows + i * EACH), GTR_OK);
    }
    EXPECT_EQ(gtr_predictor_refresh(p), GTR_ERR_STATE);
    CHECK(strstr(gtr_predictor_error_text(p), ".snapshot") != NULL, "%s", gtr_predictor_error_text(p));
    EXPECT_EQ(gtr_predictor_refresh(NULL), GTR_ERR_ARG);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    watched(0, rows);
    if (device != GTR_DEVICE_CUDA) watched(1, rows);    /* there a fit's kernels may do other sums than steps' */
    watched(2, rows);
}
/* gtr_trace is a step, too: a snapshot that another thread asks for between the nodes that commit running statistics
   and that update parameters has both or neither. */
static gtr_result (*real_node)(void *const *instances, gtr__plan *plan, int node);
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
static bool asked_for, taken;
static bool under_lock(const bool *what) {
    pthread_mutex_lock(&asking);
    const bool is = *what;
    pthread_mutex_unlock(&asking);
    return is;
}
static void note_it(bool *what) { pthread_mutex_lock(&asking); *what = true; pthread_mutex_unlock(&asking); }
static void pause_ms(long ms) { const struct timespec t = { 0, ms * 1000000 }; nanosleep(&t, NULL); }
static void *refreshes(void *arg)
{
    while (!under_lock(&asked_for)) pause_ms(1);
    const gtr_result r = gtr_predictor_refresh((gtr_predictor *)arg);
    note_it(&taken);
    return r ? arg : NULL;
}
static gtr_result node_and_wait(void *const *instances, gtr__plan *plan, int node)
{
    const gtr_result r = real_node(instances, plan, node);
    if (plan->node[node].phase < GTR__UPDATE || under_lock(&asked_for)) return r;
    note_it(&asked_for);
    for (int i = 0; i < 200 && !under_lock(&taken); i++) pause_ms(1);   /* it may not be; or else is in between */
    return r;
}
static void traced_snapshot(void)
{
    static gtr_float want[2][3 * CLASSES], got[3 * CLASSES];
    gtr_trainer_desc d = sgd(0.5f);
    net n = build(create(), GTR_BATCH, NORM, &d);
    pthread_t thread;
    void *failed;
    gtr_predictor *p = snapshot_of(n.logits, 3), *shared = gtr_predictor_create(n.logits, 3);
    feed(&n, 0, 32);
    for (int k = 0; k < 3; k++) EXPECT_EQ(gtr_step(n.t), GTR_OK);
    EXPECT_EQ(gtr_wait(n.ctx), GTR_OK);
    EXPECT_EQ(gtr_predict(shared, pool_x, 3, want[0]), GTR_OK);
    real_node = n.ctx->be->run_node;
    n.ctx->be->run_node = node_and_wait;
    asked_for = taken = false;
    if (pthread_create(&thread, NULL, refreshes, p)) { gtr_destroy(n.ctx); SKIP("no thread"); return; }
    EXPECT(*gtr_trace(n.t));
    n.ctx->be->run_node = real_node;
    pthread_join(thread, &failed);
    EXPECT(!failed);
    EXPECT_EQ(gtr_predict(shared, pool_x, 3, want[1]), GTR_OK);
    EXPECT_EQ(gtr_predict(p, pool_x, 3, got), GTR_OK);
    CHECK(!memcmp(got, want[0], sizeof got) || !memcmp(got, want[1], sizeof got),
        "a snapshot is of a step's weights and another one's running statistics");
    EXPECT(memcmp(want[0], want[1], sizeof got) != 0);
    EXPECT_OK(n.ctx);
    gtr_destroy(n.ctx);
}
/* All that a prediction reads stays as it was: weights, running statistics, constants, inputs without a batch. */
static void snapshots(void)
{
    static gtr_float want[2][4 * 4], got[4 * 4];
    const gtr_float factors[2][4] = { { 1, 2, -3, 4 }, { 5, 0, 1, -1 } },
        wide[2][4] = { { 1, 1, 1, 1 }, { 2, 3, 4, 5 } };
    const int32_t ids[2][4] = { { 0, 1, 2, 3 }, { 4, 4, 0, 8 } }, bad[4] = { 0, 9, 0, 0 };
    gtr_context *ctx = create();
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH)),
        *id = gtr_input(ctx, "id", GTR_I32, gtr_shape1(4)), *scale = gtr_input(ctx, "scale", GTR_F32, gtr_shape1(4)),
        *fixed = gtr_constant(ctx, GTR_F32, gtr_shape1(4), wide[0]);
    gtr_tensor *h = gtr_batch_norm(gtr_linear(x, "fc", 4), "norm");
    gtr_tensor *e = gtr_reshape(gtr_embedding(id, "table", 9, 1), gtr_shape1(4));
    gtr_tensor *y = gtr_mul(gtr_add(gtr_mul(h, scale), e), fixed);
    gtr_trainer *t = gtr_trainer_create(gtr_mean(gtr_square(y), NULL, 0, false), sgd(0.1f));
    gtr_set(scale, factors[0], sizeof *factors); gtr_set(id, ids[0], sizeof *ids);
    gtr_predictor *p = snapshot_of(y, 4), *shared = gtr_predictor_create(y, 4);
    if (!CHECK(p && shared, "%s", gtr_error_text(ctx))) { gtr_destroy(ctx); return; }
    EXPECT_EQ(gtr_predict(p, pool_x, 4, want[0]), GTR_OK);
    EXPECT_EQ(gtr_predict(shared, pool_x, 4, got), GTR_OK);
    EXPECT(near32(got, want[0], 16));
    gtr_set(x, pool_x, sizeof *pool_x * 16 * WIDTH);
    for (int k = 0; k < 3; k++) EXPECT_EQ(gtr_step(t), GTR_OK);
    EXPECT_EQ(gtr_set(scale, factors[1], sizeof *factors), GTR_OK);
    EXPECT_EQ(gtr_set(id, ids[1], sizeof *ids), GTR_OK);
    EXPECT_EQ(gtr_set(fixed, wide[1], sizeof *wide), GTR_OK);
    EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    EXPECT_EQ(gtr_predict(shared, pool_x, 4, want[1]), GTR_OK);
    EXPECT(!near32(want[0], want[1], 16));
    EXPECT_EQ(gtr_predict(p, pool_x, 4, got), GTR_OK);
    EXPECT(memcmp(got, want[0], sizeof got) == 0);
    EXPECT_EQ(gtr_predictor_refresh(p), GTR_OK);
    for (int k = 0; k < 2; k++) {
        EXPECT_EQ(gtr_predict(p, pool_x, 4, got), GTR_OK);
        CHECK(memcmp(got, want[1], sizeof got) == 0, "the snapshot is not what is there now (%d)", k);
        if (k) break;
        EXPECT_EQ(gtr_set(id, bad, sizeof bad), GTR_OK);        /* an id that no row has: the snapshot stays */
        EXPECT_EQ(gtr_predictor_refresh(p), GTR_ERR_ARG);
        CHECK(strstr(gtr_predictor_error_text(p), "element 1 is 9") != NULL, "%s", gtr_predictor_error_text(p));
        EXPECT(snapshot_of(y, 4) == NULL);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, "element 1 is 9");
    }
    EXPECT_EQ(gtr_set(id, ids[0], sizeof *ids), GTR_OK);
    EXPECT_EQ(gtr_predictor_refresh(p), GTR_OK);
    gtr_destroy(ctx);
}
/* A predictor's values are gtr_eval's, whether rows act on each other or not, for every number
   of rows that it takes. */
static gtr_result column_sums(const gtr_custom_call *c)
{
    const int rows = (int)c->in_shape[0].dim[0];
    const gtr_float *in = (const gtr_float *)c->in[0];
    int i, j, k;
    for (i = 0; i < rows; i++)
        for (k = 0; k < WIDTH; k++) {
            gtr_float s = 0;
            for (j = 0; j < rows; j++) s += in[j * WIDTH + k];
            ((gtr_float *)c->out)[i * WIDTH + k] = s;
        }
    return GTR_OK;
}
static gtr_tensor *predicted(gtr_context *ctx, gtr_tensor *x, int kind)
{
    static const int swap[2] = { 1, 0 }, zero = 0;
    gtr_custom_desc c;
    gtr_tensor *pair[2];
    switch (kind) {
    case 0: return gtr_softmax(gtr_linear(x, "rows", 4), 1);
    case 1:
        return gtr_reshape(gtr_softmax(gtr_linear(gtr_reshape(x, gtr_shape2(2 * GTR_BATCH, 3)), "thirds", 5), -1),
            gtr_shape2(GTR_BATCH, 10));
    case 2: pair[0] = gtr_slice(x, 1, 1, 3); pair[1] = gtr_batch_norm(x, "norm"); return gtr_concat(pair, 2, 1);
    case 3: return gtr_softmax(x, 0);
    case 4: return gtr_matmul(x, gtr_matmul_t(x, true, x, false));
    case 5: return gtr_sub(x, gtr_mean(x, &zero, 1, true));
    case 6: return gtr_permute(gtr_softmax(gtr_permute(x, swap), 1), swap);
    case 7: return gtr_scale(gtr_gradient(gtr_mean(gtr_mul(x, x), NULL, 0, false), x), 2, 0);
    case 8: return gtr_gradient(gtr_mean(gtr_tanh(gtr_linear(x, "deep", 5)), NULL, 0, false), x);
    default:
        memset(&c, 0, sizeof c);
        c.name = "column_sums"; c.n_in = 1; c.in[0] = x; c.forward = column_sums;
        return gtr_custom(ctx, c);
    }
}
static void predictor_rows(void)
{
    enum { KINDS = 10, APART = 3, MOST = 50 };
    static gtr_float want[MOST * 16], got[MOST * 16];
    int kind, rows;
    for (kind = 0; kind < KINDS; kind++) {
        gtr_context *ctx = create();
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH)), *y = predicted(ctx, x, kind);
        gtr_predictor *p = gtr_predictor_create(y, MOST), *few_rows = gtr_predictor_create(y, 7);
        if (!CHECK(p && few_rows, "kind %d: %s", kind, gtr_error_text(ctx))) { gtr_destroy(ctx); continue; }
        for (rows = 1; rows <= MOST; rows++) {
            const int k = rows * 7 % MOST + 1, n = k * (int)gtr_tensor_shape(y).dim[1];
            gtr_result r;
            gtr_set(x, pool_x, (size_t)(k * WIDTH) * sizeof *pool_x);
            EXPECT_EQ(gtr_eval(&y, 1), GTR_OK);
            EXPECT_EQ(gtr_get(y, want, (size_t)n * sizeof *want), GTR_OK);
            memset(got, 0xff, sizeof got);
            EXPECT_EQ(gtr_predict(p, pool_x, k, got), GTR_OK);
            CHECK(near32(got, want, n), "kind %d: %d of at most %d rows are not gtr_eval's", kind, k, MOST);
            r = gtr_predict(few_rows, pool_x, k, got);
            if (kind < APART || k <= 7)
                CHECK(r == GTR_OK && near32(got, want, n), "kind %d: %d of at most 7 rows are not gtr_eval's", kind, k);
            else EXPECT_EQ(r, GTR_ERR_ARG);
            CHECK((strstr(gtr_predictor_error_text(few_rows), "act on each other") != NULL) == (r != GTR_OK),
                "kind %d: %s", kind, gtr_predictor_error_text(few_rows));
        }
        if (kind == 6) {                        /* what a call returns is its own error, whatever came before */
            gtr_predictor *late = gtr_predictor_create(y, 7);
            EXPECT_EQ(gtr_predict(late, pool_x, 9, got), GTR_ERR_ARG);
            gtr_keep(y->in[0]);
            EXPECT_EQ(gtr_predict(late, pool_x, 3, got), GTR_ERR_UNSUPPORTED);
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Several inputs, of floats and ids, and several outputs: gtr_eval's values, in the order that is asked for. */
static void predictor_several(void)
{
    enum { MOST = 20, IDS = 2 };
    static gtr_float sum[MOST * 4], both[MOST * 3], want_sum[MOST * 4], want_both[MOST * 3];
    static int32_t ids[MOST * IDS];
    gtr_context *ctx = create();
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH)),
        *id = gtr_input(ctx, "id", GTR_I32, gtr_shape2(GTR_BATCH, IDS)),
        *scale = gtr_input(ctx, "scale", GTR_F32, gtr_shape1(4)), *out[2];
    const gtr_float factors[] = { 1, 2, -3, 4 };
    gtr_tensor *h = gtr_linear(x, "fc", 4), *e = gtr_flatten(gtr_embedding(id, "table", 9, 2));
    gtr_predictor_desc d;
    memset(&d, 0, sizeof d);
    out[0] = gtr_mul(gtr_add(h, e), scale); out[1] = gtr_linear(e, "fc2", 3);
    gtr_set(scale, factors, sizeof factors);
    d.out[0] = out[0]; d.out[1] = out[1]; d.max_rows = 7;
    gtr_predictor *p = gtr_predictor_create_ex(ctx, d);
    d.in[0] = id; d.in[1] = x;
    gtr_predictor *turned = gtr_predictor_create_ex(ctx, d);
    if (!CHECK(p && turned, "%s", gtr_error_text(ctx))) { gtr_destroy(ctx); return; }
    for (int i = 0; i < MOST * IDS; i++) ids[i] = i * 5 % 9;
    for (int rows = 1; rows <= MOST; rows += 3) for (int which = 0; which < 2; which++) {
        const void *in[] = { which ? (const void *)ids : (const void *)pool_x, which ? (const void *)pool_x : ids };
        void *to[] = { sum, both };
        gtr_set(x, pool_x, (size_t)(rows * WIDTH) * sizeof *pool_x);
        gtr_set(id, ids, (size_t)(rows * IDS) * sizeof *ids);
        EXPECT_EQ(gtr_eval(out, 2), GTR_OK);
        EXPECT_EQ(gtr_get(out[0], want_sum, (size_t)(rows * 4) * sizeof *sum), GTR_OK);
        EXPECT_EQ(gtr_get(out[1], want_both, (size_t)(rows * 3) * sizeof *both), GTR_OK);
        memset(sum, 0xff, sizeof sum); memset(both, 0xff, sizeof both);
        EXPECT_EQ(gtr_predict_ex(which ? turned : p, in, rows, to), GTR_OK);
        CHECK(near32(sum, want_sum, rows * 4) && near32(both, want_both, rows * 3), "%d rows, inputs %s", rows,
            which ? "turned" : "as made");
    }
    const void *in[] = { pool_x, NULL };
    void *to[] = { sum, both };
    EXPECT_EQ(gtr_predict(p, pool_x, 1, sum), GTR_ERR_ARG);
    CHECK(strstr(gtr_predictor_error_text(p), "2 inputs and 2 outputs") != NULL, "%s", gtr_predictor_error_text(p));
    EXPECT_EQ(gtr_predict_ex(p, in, 1, to), GTR_ERR_ARG);
    in[0] = ids; in[1] = pool_x;
    ids[17 * IDS + 1] = 9;              /* in a piece behind the first */
    EXPECT_EQ(gtr_predict_ex(turned, in, MOST, to), GTR_ERR_ARG);
    CHECK(strstr(gtr_predictor_error_text(turned), "\"id\": element 35 is") != NULL, "%s",
        gtr_predictor_error_text(turned));
    d.in[1] = id;
    EXPECT(!gtr_predictor_create_ex(ctx, d));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "there twice");
    d.in[0] = d.in[1] = NULL;
    d.out[1] = gtr_reshape(out[0], gtr_shape3(GTR_BATCH, 2, 2));
    EXPECT(!gtr_predictor_create_ex(ctx, d));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "reshape of another");
    d.out[0] = d.out[1] = NULL;
    EXPECT(!gtr_predictor_create_ex(ctx, d));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "no output");
    d.out[0] = out[1]; d.in[0] = id; d.in[1] = x;       /* x has nothing to do with it */
    EXPECT(!gtr_predictor_create_ex(ctx, d));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "no input that .out depends on");
    gtr_destroy(ctx);
}
/* A predictor's random numbers are those of a call's rows, in however many pieces, and the same in each call. */
static void predictor_draws(void)
{
    static gtr_float want[6 * 2 * 4], got[6 * 2 * 4];
    gtr_context *ctx = create();
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH)), *h = gtr_linear(x, "fc", 8);
    gtr_tensor *pairs = gtr_reshape(h, gtr_shape2(-2, 4));
    gtr_tensor *y = gtr_flatten(gtr_reshape(gtr_add(pairs, gtr_random_normal(pairs, "noise")),
        gtr_shape3(GTR_BATCH, 2, 4)));
    gtr_predictor *whole = gtr_predictor_create(y, 6), *parts = gtr_predictor_create(y, 2);
    int k;
    if (CHECK(whole && parts, "%s", gtr_error_text(ctx))) for (k = 0; k < 2; k++) {
        EXPECT_EQ(gtr_predict(whole, pool_x, 6, want), GTR_OK);
        EXPECT_EQ(gtr_predict(parts, pool_x, 6 - k, got), GTR_OK);
        CHECK(near32(got, want, (6 - k) * 8), "call %d: in pieces other numbers", k);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* ids behind a call's own are valid ones, at the first call too */
static void predictor_ids(void)
{
    static int32_t ids[16];
    static gtr_float want[16 * 4], got[16 * 4];
    gtr_context *ctx = create();
    gtr_tensor *x = gtr_input(ctx, "ids", GTR_I32, gtr_shape1(GTR_BATCH)), *y = gtr_embedding(x, "table", 10, 4);
    gtr_predictor *p = gtr_predictor_create(y, 16);
    int k;
    gtr_predictor *few = gtr_predictor_create(y, 3);
    for (k = 0; k < 16; k++) ids[k] = (k * 7 + 3) % 10;
    for (k = 9; k > 0; k--) {
        gtr_set(x, ids, (size_t)k * sizeof *ids);
        EXPECT_EQ(gtr_eval(&y, 1), GTR_OK);
        EXPECT_EQ(gtr_get(y, want, (size_t)k * 4 * sizeof *want), GTR_OK);
        EXPECT_EQ(gtr_predict(p, ids, k, got), GTR_OK);
        CHECK(near32(got, want, k * 4), "%d ids", k);
    }
    ids[7] = 10;
    EXPECT_EQ(gtr_predict(few, ids, 9, got), GTR_ERR_ARG);
    EXPECT(strstr(gtr_predictor_error_text(few), "element 7 is 10") != NULL);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

/* ---- gtr_fit ---- */
typedef struct watch { int calls, stop_at, epoch_ends; int64_t last; float metric; bool bad, stop_it; } watch;
static bool watcher(const gtr_progress *p)
{
    watch *w = (watch *)p->user;
    w->calls++;
    w->epoch_ends += p->epoch_end;
    w->last = p->step;
    w->metric = p->val_metric;
    w->bad |= !p->trainer || p->step > p->steps || p->epoch > p->epochs || !(p->loss > 0)
        || gtr_trainer_report(p->trainer).step != p->step;
    if (w->stop_it) gtr_stop(p->trainer->ctx);
    return w->calls != w->stop_at;
}
static gtr_fit_desc fitting(int epochs, int64_t batch, watch *w)
{
    gtr_fit_desc f;
    memset(&f, 0, sizeof f);
    f.epochs = epochs; f.batch = batch; f.silent = true;
    if (w) { memset(w, 0, sizeof *w); f.callback = watcher; f.callback_user = w; }
    return f;
}
static void fit(void)
{
    static shot a, b;
    static gtr_report history[64];
    gtr_trainer_desc d = adam();
    gtr_context *ctx = create(), *loop = create();
    net n, m;
    watch w;
    gtr_fit_desc f = fitting(3, 16, &w);
    gtr_dataset *data = points(ctx, 100), *held = points(ctx, 50), *same = points(loop, 100);
    float loss, acc;
    int i;
    d.lr = 5e-3f; d.no_matchers = true;
    n = build(ctx, GTR_BATCH, DROP | NORM, &d);
    m = build(loop, GTR_BATCH, DROP | NORM, &d);
    f.validation = held; f.metric = n.acc; f.history = history; f.history_size = 64;
    EXPECT_EQ(gtr_fit(n.t, data, f), GTR_OK);
    EXPECT(w.calls == 3 && w.epoch_ends == 3 && w.last == 21 && !w.bad);
    gtr_evaluate(n.t, held, 9, n.acc, &loss, &acc);
    CHECK(fabsf(acc - w.metric) < 1e-6f && acc > 0.5f, "validation said %g, gtr_evaluate says %g",
        (double)w.metric, (double)acc);
    /* the loop beneath it gives the same bits and reports */
    EXPECT_EQ(gtr_trainer_data(m.t, same, 16, true, false), GTR_OK);
    for (i = 0; i < 21; i++) {
        EXPECT_EQ(gtr_step(m.t), GTR_OK);
        CHECK(gtr_loss(m.t) == history[i].loss && history[i].step == i + 1 && history[i].applied == i + 1,
            "history %d: step %lld, loss %g, want %g", i, (long long)history[i].step, (double)history[i].loss,
            (double)gtr_loss(m.t));
    }
    take(ctx, n.t, false, &a); take(loop, m.t, false, &b);
    CHECK(equal(&a, &b), "gtr_fit and a loop of gtr_step end with other bits");
    EXPECT_EQ(gtr_gradient_get(n.t, n.t->params.tensor[0], &loss, sizeof loss), GTR_ERR_STATE);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "gtr_fit keeps none");
    /* stopped by the callback: in the middle of an epoch, at an exact step */
    f = fitting(5, 16, &w);
    f.callback_every = 4;
    w.stop_at = 2;
    EXPECT_EQ(gtr_fit(n.t, data, f), GTR_OK);
    EXPECT(w.calls == 2 && w.last == 8 + 0 && gtr_trainer_report(n.t).step == 21 + 8 && !gtr_stopped(ctx));
    /* stopped by gtr_stop, here from the callback, at the end of the epoch that was cut short: 6 of
       its 7 steps were left */
    f = fitting(5, 16, &w);
    w.stop_it = true;
    EXPECT_EQ(gtr_fit(n.t, data, f), GTR_OK);
    EXPECT(w.calls == 1 && gtr_stopped(ctx) && gtr_trainer_report(n.t).step == 29 + 6);
    EXPECT_EQ(gtr_fit(n.t, data, fitting(1, 16, NULL)), GTR_OK);
    EXPECT(!gtr_stopped(ctx) && gtr_trainer_report(n.t).step == 35 + 7);
    /* without the tail; rows in their order; a history shorter than the run */
    f = fitting(2, 16, NULL);
    f.drop_last = f.no_shuffle = true; f.history = history; f.history_size = 5;
    history[5].step = -7;
    EXPECT_EQ(gtr_fit(n.t, data, f), GTR_OK);
    EXPECT(gtr_trainer_report(n.t).step == 42 + 12 && history[4].step == 47 && history[5].step == -7);
    EXPECT_OK(ctx); EXPECT_OK(loop);
    /* what it refuses */
    EXPECT_EQ(gtr_fit(n.t, data, fitting(1, 101, NULL)), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "101");
    EXPECT_EQ(gtr_fit(n.t, NULL, fitting(1, 8, NULL)), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "no data set");
    EXPECT_EQ(gtr_fit(n.t, same, fitting(1, 8, NULL)), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "another context");
    f = fitting(1, 8, NULL);
    f.metric = m.acc;
    EXPECT_EQ(gtr_fit(n.t, data, f), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "metric");
    f.metric = n.logits;
    EXPECT_EQ(gtr_fit(n.t, data, f), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "metric");
    EXPECT_EQ(gtr_fit(n.t, data, fitting(-1, 8, NULL)), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "epochs");
    EXPECT_EQ(gtr_fit(n.t, data, fitting(1, 16, NULL)), GTR_OK);
    EXPECT_OK(ctx);
    gtr_destroy(ctx); gtr_destroy(loop);
}
static void stop_soon(gtr_context *ctx)
{
    double end = gtr__now() + 0.05;
    while (gtr__now() < end) {}
    gtr_stop(ctx);
}
static void *stopper(void *arg) { stop_soon((gtr_context *)arg); return NULL; }
static void stop_from_thread(void)
{
    gtr_trainer_desc d = adam();
    gtr_context *ctx = create();
    net n = build(ctx, GTR_BATCH, 0, &d);
    gtr_dataset *data = points(ctx, 64);
    pthread_t th;
    double begin = gtr__now();
    EXPECT_EQ(gtr_fit(n.t, data, fitting(1, 16, NULL)), GTR_OK);
    EXPECT_EQ(pthread_create(&th, NULL, stopper, ctx), 0);
    EXPECT_EQ(gtr_fit(n.t, data, fitting(10000000, 16, NULL)), GTR_OK);
    pthread_join(th, NULL);
    EXPECT(gtr_stopped(ctx) && gtr__now() - begin < 20);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

/* ---- several steps in a launch: gtr_fit against a loop of gtr_step, to the last bit ---- */
enum { CHUNK = 16, MOST_STEPS = GTR__RING + 200 };
static int chunk_launches;
/* On the CPU a launch does one step. Here it does what a kernel of several does: as many as its
   first step's record says. */
static gtr_result prepare_chunks(void *const *i, gtr__plan *p, void **e) {
    p->steps = CHUNK; return real.prepare(i, p, e);
}
static gtr_result launch_chunks(void *const *i, void *e, gtr__half part)
{
    int64_t more = 0;
    gtr_result r = GTR_OK;
    __atomic_fetch_add(&chunk_launches, 1, __ATOMIC_RELAXED);
    if (device == GTR_DEVICE_CPU) {
        const gtr__plan *p = (const gtr__plan *)e;
        const gtr__shared *shared = NULL;
        int k;
        for (k = 0; k < p->n_node; k++) if (p->node[k].op == GTR__OP_FEED)
            shared = ((const gtr__feed *)p->node[k].attr.ptr)->shared;
        if (shared && part == GTR__HALF_BOTH) more = shared->record[shared->step % GTR__RING].more;
    }
    for (; r == GTR_OK && more >= 0; more--) r = real.launch(i, e, part);
    return r;
}
static gtr_context *chunk_context(void)
{
    gtr_context *ctx = create();
    real = *ctx->be;
    if (!ctx->caps.cuda) ctx->be->prepare = prepare_chunks;
    ctx->be->launch = launch_chunks;
    chunk_launches = 0;
    return ctx;
}
/* What whole-network kernels know: linear layers and relu, and dropout behind it (RELU_DROP) or behind others. */
enum { NO_DROP, RELU_DROP, OTHER_DROP, RESHAPED_DROP };
static net plain(gtr_context *ctx, const gtr_trainer_desc *d, int drop)
{
    net n;
    gtr_tensor *h;
    n.ctx = ctx;
    n.x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
    n.y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    h = gtr_linear(n.x, "fc1", 24);
    h = drop == OTHER_DROP ? gtr_tanh(h) : gtr_relu(h);
    if (drop == RESHAPED_DROP) h = gtr_reshape(h, gtr_shape3(GTR_BATCH, 4, 6));
    if (drop) h = gtr_dropout(h, "drop1", 0.25f);
    if (drop == RESHAPED_DROP) h = gtr_reshape(h, gtr_shape2(GTR_BATCH, 24));
    h = gtr_linear(h, "fc2", 16);
    h = drop == OTHER_DROP ? gtr_gelu(h) : gtr_relu(h);
    if (drop) h = gtr_dropout(h, "drop2", 0.4f);
    n.logits = gtr_linear(h, "fc3", CLASSES);
    n.loss = gtr_cross_entropy(n.logits, n.y);
    n.acc = gtr_accuracy(n.logits, n.y);
    n.t = gtr_trainer_create(n.loss, *d);
    return n;
}
static uint64_t shot_hash(gtr_context *ctx, gtr_trainer *t)
{
    static shot s;
    take(ctx, t, false, &s);
    return hash_of(HASH_BEGIN, s.at, s.bytes);
}
typedef struct chunk_watch {
    int calls, stop_at; bool by_gtr_stop; int64_t step[MOST_STEPS]; uint64_t hash[MOST_STEPS];
} chunk_watch;
static bool chunk_watcher(const gtr_progress *p)
{
    chunk_watch *w = (chunk_watch *)p->user;
    w->step[w->calls] = p->step;
    w->hash[w->calls++] = shot_hash(p->trainer->ctx, p->trainer);
    if (w->calls != w->stop_at) return true;
    if (w->by_gtr_stop) gtr_stop(p->trainer->ctx);
    return w->by_gtr_stop;
}
static float falling(int64_t step, void *user) { (void)user; return 0.02f / (float)(step / 7 + 1); }
static bool same_report(const gtr_report *a, const gtr_report *b)
{
    return a->step == b->step && a->applied == b->applied && !memcmp(&a->loss, &b->loss, sizeof a->loss)
        && a->lr == b->lr && a->loss_scale == b->loss_scale
        && !memcmp(&a->grad_norm, &b->grad_norm, sizeof a->grad_norm) && a->skipped == b->skipped;
}
/* The launches of a fit of so many steps when one launch does at most most: neither pauses nor sizes are crossed. */
static int chunk_bound(int64_t steps, int64_t rows, int64_t batch, int64_t every, int64_t most)
{
    const int64_t per = (rows + batch - 1) / batch, whole = rows / batch;
    int64_t k, n;
    int launches = 0;
    for (k = 0; k < steps; k += n, launches++) {
        n = GTR__MIN(most, GTR__MIN(GTR__LAUNCH_STEPS, steps - k));
        if (every) n = GTR__MIN(n, every - k % every);
        if (whole < per) n = k % per < whole ? GTR__MIN(n, whole - k % per) : 1;
    }
    return launches;
}
typedef struct chunk_case {
    const char *name; int64_t rows, batch; int epochs; int64_t every; int stop_at; bool by_gtr_stop, planted;
    gtr_trainer_desc d; int drop;
} chunk_case;
static void chunk_run(const chunk_case *c)
{
    static gtr_report history[MOST_STEPS], none;
    static chunk_watch w;
    static shot a, b;
    gtr_context *ctx = chunk_context(), *loop = create();
    net n = plain(ctx, &c->d, c->drop), m = plain(loop, &c->d, c->drop);
    gtr_dataset *data, *same;
    gtr_fit_desc f = fitting(c->epochs, c->batch, NULL);
    gtr__plan_entry *e;
    const int64_t per = (c->rows + c->batch - 1) / c->batch,
        steps = c->stop_at ? c->stop_at * c->every : per * c->epochs;
    const gtr_float before = pool_x[WIDTH * 37 + 2];
    /* as gtr_fit decides; it chooses the kernel */
    const bool several = GTR__MIN(per * c->epochs, c->every ? c->every : INT64_MAX) >= GTR__LAUNCH_FEW;
    int64_t k, most;
    int calls = 0;
    if (c->planted) pool_x[WIDTH * 37 + 2] = (gtr_float)NAN;
    data = points(ctx, (int)c->rows);
    same = points(loop, (int)c->rows);
    pool_x[WIDTH * 37 + 2] = before;
    memset(history, 0, sizeof history);
    memset(&w, 0, sizeof w);
    w.stop_at = c->stop_at; w.by_gtr_stop = c->by_gtr_stop;
    f.history = history; f.history_size = MOST_STEPS;
    f.callback_every = c->every;
    if (c->every) { f.callback = chunk_watcher; f.callback_user = &w; }
    if (c->epochs == 3) f.metric = n.acc;
    EXPECT_EQ(gtr_fit(n.t, data, f), GTR_OK);
    EXPECT_OK(ctx);
    n.t->running.metric = f.metric; n.t->running.several = several;     /* the fit's plan, which reports the metric */
    e = gtr__trainer_entry(n.t, c->batch, data, false);
    n.t->running.metric = NULL; n.t->running.several = false;
    most = e ? GTR__MAX(e->plan.steps, 1) : 1;
    if (ctx->caps.compute >= 80 && several && c->d.clip_norm == 0 && c->d.precision != GTR_MIXED_FP16
            && c->drop != RESHAPED_DROP)
        CHECK(most > 1, "%s: the whole network's kernel does one step a launch", c->name);
    /* on a GPU a launch does what fits a millisecond, as measured */
    k = chunk_bound(steps, c->rows, c->batch, c->every, most);
    CHECK(chunk_launches <= steps && (device == GTR_DEVICE_CPU || most == 1 ? chunk_launches == k
        : chunk_launches >= k && (k == steps || chunk_launches < steps)), "%s: %d launches for %lld steps, want %lld",
        c->name, chunk_launches, (long long)steps, (long long)k);
    m.t->running.several = several;
    EXPECT_EQ(gtr_trainer_data(m.t, same, c->batch, true, false), GTR_OK);
    for (k = 0; k < steps; k++) {
        gtr_report r;
        EXPECT_EQ(gtr_step(m.t), GTR_OK);
        EXPECT_EQ(gtr_wait(loop), GTR_OK);
        r = gtr_trainer_report(m.t);
        CHECK(same_report(&history[k], &r), "%s: history %lld: step %lld, loss %.9g, rate %g, want loss %.9g, rate %g",
            c->name, (long long)k, (long long)history[k].step, (double)history[k].loss, (double)history[k].lr,
            (double)r.loss, (double)r.lr);
        if (!c->every || (k + 1) % c->every) continue;
        CHECK(w.step[calls] == k + 1 && w.hash[calls] == shot_hash(loop, m.t),
            "%s: the callback was called after step %lld, with other bits than after step %lld", c->name,
            (long long)w.step[calls], (long long)k + 1);
        calls++;
    }
    CHECK(calls == w.calls, "%s: %d calls of the callback, want %d", c->name, w.calls, calls);
    EXPECT(steps >= MOST_STEPS || same_report(&history[steps], &none));
    EXPECT_EQ(gtr_stopped(ctx), c->by_gtr_stop);
    take(ctx, n.t, false, &a); take(loop, m.t, false, &b);
    CHECK(equal(&a, &b), "%s: gtr_fit and a loop of gtr_step end with other bits", c->name);
    if (c->drop && steps < 100) {           /* by nodes the masks are the same */
        gtr_context *nodes = create();
        gtr_trainer_desc d = c->d;
        const bool half = d.precision == GTR_MIXED_BF16;
        net o;
        d.no_matchers = true;
        o = plain(nodes, &d, c->drop);
        EXPECT_EQ(gtr_trainer_data(o.t, points(nodes, (int)c->rows), c->batch, true, false), GTR_OK);
        for (k = 0; k < steps; k++) EXPECT_EQ(gtr_step(o.t), GTR_OK);
        EXPECT_EQ(gtr_wait(nodes), GTR_OK);
        parameters_near(ctx, nodes, NULL, NULL, half ? 2e-5 : 1e-6, half ? 8e-3 : 2e-3, c->name);
        if (ctx->caps.compute >= 80 && c->drop != RESHAPED_DROP) CHECK(
            strstr(gtr_plan_text(m.t, c->batch), "many steps in one launch"), "%s: no kernel takes dropout", c->name);
        EXPECT_OK(nodes);
        gtr_destroy(nodes);
    }
    m.t->running.several = false;
    for (k = 0; k < 3; k++) {               /* and the loop by hand goes on where the fit ended */
        if (!k) {
            gtr_trainer_data(n.t, data, c->batch, true, false); gtr_trainer_data(m.t, same, c->batch, true, false);
        }
        EXPECT_EQ(gtr_step(n.t), GTR_OK); EXPECT_EQ(gtr_step(m.t), GTR_OK);
    }
    take(ctx, n.t, false, &a); take(loop, m.t, false, &b);
    CHECK(equal(&a, &b), "%s: three steps after the fit give other bits", c->name);
    EXPECT_OK(ctx); EXPECT_OK(loop);
    gtr_destroy(ctx); gtr_destroy(loop);
}
static void chunks(void)
{
    static gtr_group groups[2];
    chunk_case c[] = {
        { "whole epochs", 160, 8, 2, 0, 0, false, false, adam(), NO_DROP },
            { "a tail, a cosine", 100, 8, 3, 0, 0, false, false, adam(), NO_DROP },
        { "groups, a rate of the user's", 132, 4, 2, 0, 0, false, false, sgd(0.02f), NO_DROP },
            { "a callback in between", 200, 8, 2, 7, 0, false, false, adam(), NO_DROP },
        { "stopped by the callback", 200, 8, 2, 9, 2, false, false, adam(), NO_DROP },
            { "stopped by gtr_stop", 200, 8, 2, 5, 4, true, false, adam(), NO_DROP },
        { "clipping, AdamW", 100, 8, 2, 0, 0, false, false, adam(), NO_DROP },
            { "around the ring", 512, 4, 5, 0, 0, false, false, adam(), NO_DROP },
        { "a step at a time", 64, 8, 2, 1, 0, false, false, adam(), NO_DROP },
            { "batch of all", 40, 40, 30, 0, 0, false, false, adam(), NO_DROP },
        { "TF32", 100, 8, 2, 0, 0, false, false, adam(), NO_DROP },
            { "bfloat16", 100, 8, 2, 0, 0, false, false, adam(), NO_DROP },
        { "float16, steps that are skipped", 100, 8, 3, 0, 0, false, true, adam(), NO_DROP },
        { "dropout, a tail", 100, 8, 2, 0, 0, false, false, sgd(0.01f), RELU_DROP },
            { "dropout, TF32, a callback in between", 600, 8, 4, 70, 0, false, false, sgd(0.01f), RELU_DROP },
        { "dropout, bfloat16", 136, 8, 2, 0, 0, false, false, sgd(0.01f), RELU_DROP },
            { "dropout behind tanh and gelu", 200, 20, 3, 0, 0, false, false, sgd(0.01f), OTHER_DROP },
        { "dropout behind both, TF32", 200, 20, 3, 0, 0, false, false, sgd(0.01f), OTHER_DROP },
        { "dropout behind a reshape", 96, 8, 3, 0, 0, false, false, sgd(0.01f), RESHAPED_DROP },
    };
    int k, all = (int)(sizeof c / sizeof *c);
    memset(groups, 0, sizeof groups);
    groups[0].pattern = "*.bias"; groups[0].lr_scale = 2; groups[0].weight_decay = GTR_ZERO;
    groups[1].pattern = "fc2.*"; groups[1].lr_scale = 0.5f;
    c[1].d.schedule = GTR_COSINE; c[1].d.warmup_steps = 5; c[1].d.total_steps = 30;
    c[2].d.momentum = 0.9f; c[2].d.weight_decay = 1e-3f; c[2].d.schedule = GTR_CUSTOM_SCHEDULE; c[2].d.lr_fn = falling;
    c[2].d.groups = groups; c[2].d.n_groups = 2;
    c[6].d.optimizer = GTR_ADAMW; c[6].d.clip_norm = 0.5f;
    c[10].d.precision = GTR_TF32; c[11].d.precision = GTR_MIXED_BF16; c[12].d.precision = GTR_MIXED_FP16;
    for (k = 13; k < all; k++) c[k].d.momentum = 0.9f;
    c[14].d.precision = c[17].d.precision = GTR_TF32; c[15].d.precision = GTR_MIXED_BF16;
    for (k = 0; k < all; k++) {
        if (small && k != 1 && k != 3 && k != 13) continue;
        if (c[k].d.precision != GTR_MIXED_BF16 || has_bf16()) chunk_run(&c[k]);
    }
}
/* Stopped by another thread at no step in particular: the state is that after some whole number of steps. */
static void *stopper_of_chunks(void *arg)
{
    while (!__atomic_load_n(&chunk_launches, __ATOMIC_RELAXED)) {}
    stop_soon((gtr_context *)arg);
    return NULL;
}
static void chunks_stopped(void)
{
    static shot a, b;
    gtr_trainer_desc d = adam();
    gtr_context *ctx = chunk_context(), *loop = create();
    net n = plain(ctx, &d, NO_DROP), m = plain(loop, &d, NO_DROP);
    gtr_dataset *data = points(ctx, 200), *same = points(loop, 200);
    pthread_t th;
    int64_t k, steps;
    EXPECT_EQ(pthread_create(&th, NULL, stopper_of_chunks, ctx), 0);
    EXPECT_EQ(gtr_fit(n.t, data, fitting(1000000, 8, NULL)), GTR_OK);
    pthread_join(th, NULL);
    steps = gtr_trainer_report(n.t).step;
    EXPECT(gtr_stopped(ctx) && steps > 0 && gtr_trainer_report(n.t).applied == steps);
    m.t->running.several = true;
    EXPECT_EQ(gtr_trainer_data(m.t, same, 8, true, false), GTR_OK);
    for (k = 0; k < steps; k++) if (gtr_step(m.t) != GTR_OK) break;
    EXPECT_EQ(gtr_wait(loop), GTR_OK);
    take(ctx, n.t, false, &a); take(loop, m.t, false, &b);
    CHECK(equal(&a, &b), "stopped after %lld steps, the state is not that after as many", (long long)steps);
    gtr_destroy(ctx); gtr_destroy(loop);
}
/* A value that is not finite in the middle of a launch of several steps: the error names its step, the state is that
   before it, and training goes on. */
static void chunks_nonfinite(void)
{
    static shot a, b;
    enum { BATCH = 8, STEPS = 100, BAD = 50, ROW = (BAD - 1) * BATCH + 2 };
    int run;
    for (run = few() ? 3 : 0; run < 4; run++) {
        const int every = run % 2 * 30, drop = run / 2 ? RELU_DROP : NO_DROP;
        gtr_trainer_desc d = adam();
        gtr_context *ctx = chunk_context(), *loop = create();
        net n = plain(ctx, &d, drop), m = plain(loop, &d, drop);
        gtr_dataset *data, *same = points(loop, BATCH * STEPS);
        gtr_tensor *w = gtr_parameter_find(ctx, "fc1.weight");
        gtr_float good = pool_x[WIDTH * ROW + 3], keep[24 * WIDTH], bad[24 * WIDTH];
        static chunk_watch seen;
        gtr_fit_desc f = fitting(1, BATCH, NULL);
        int k;
        f.no_shuffle = true;
        if (every) {
            memset(&seen, 0, sizeof seen); f.callback = chunk_watcher; f.callback_user = &seen;
            f.callback_every = every;
        }
        pool_x[WIDTH * ROW + 3] = (gtr_float)NAN;
        data = points(ctx, BATCH * STEPS);
        pool_x[WIDTH * ROW + 3] = good;
        EXPECT_EQ(gtr_fit(n.t, data, f), GTR_ERR_NONFINITE);
        CHECK(strstr(gtr_error_text(ctx), "input \"x\"") != NULL, "the error does not name the input: %s",
            gtr_error_text(ctx));
        EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, "step 50:");
        EXPECT_EQ(gtr_trainer_report(n.t).applied, BAD - 1);
        m.t->running.several = true;
        EXPECT_EQ(gtr_trainer_data(m.t, same, BATCH, false, false), GTR_OK);
        for (k = 0; k < BAD - 1; k++) EXPECT_EQ(gtr_step(m.t), GTR_OK);
        take(ctx, n.t, false, &a); take(loop, m.t, false, &b);
        CHECK(equal(&a, &b), "after step %d that is not finite the state is not that after step %d", BAD, BAD - 1);
        /* mended, it goes on where it stopped, with the rest of the epoch, and so does the loop */
        memcpy(data->column[0].host + (WIDTH * ROW + 3) * sizeof good, &good, sizeof good);
        if (ctx->caps.cuda) ctx->be->copy(ctx->instance[0],
            (char *)data->column[0].device + (WIDTH * ROW + 3) * sizeof good, &good, sizeof good, GTR__TO_DEVICE, true);
        EXPECT_EQ(gtr_fit(n.t, data, f), GTR_OK);
        EXPECT_EQ(gtr_trainer_data(m.t, same, BATCH, false, false), GTR_OK);
        for (k = BAD - 1; k < 2 * STEPS; k++) EXPECT_EQ(gtr_step(m.t), GTR_OK);
        EXPECT_EQ(gtr_wait(loop), GTR_OK);
        take(ctx, n.t, false, &a); take(loop, m.t, false, &b);
        CHECK(equal(&a, &b), "after the mend training does not end where it would have");
        /* a weight that is not: the first step of a launch */
        EXPECT_EQ(gtr_get(w, keep, sizeof keep), GTR_OK);
        memcpy(bad, keep, sizeof keep);
        bad[17] = (gtr_float)NAN;
        EXPECT_EQ(gtr_set(w, bad, sizeof bad), GTR_OK);
        EXPECT_EQ(gtr_fit(n.t, data, f), GTR_ERR_NONFINITE);
        CHECK(strstr(gtr_error_text(ctx), "fc1.weight") != NULL, "the error does not name the weight: %s",
            gtr_error_text(ctx));
        EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, "step 201:");
        EXPECT_EQ(gtr_set(w, keep, sizeof keep), GTR_OK);
        take(ctx, n.t, false, &b);
        CHECK(equal(&a, &b), "a weight that is not finite changed the state");
        EXPECT_EQ(gtr_fit(n.t, data, f), GTR_OK);
        EXPECT_EQ(gtr_trainer_report(n.t).applied, 3 * STEPS);
        EXPECT_OK(ctx); EXPECT_OK(loop);
        gtr_destroy(ctx); gtr_destroy(loop);
    }
}

/* ---- tall batches of bytes, which many steps in a launch do by a kernel of their own: gtr_fit against a
   loop of gtr_step ---- */
enum { TALL_WIDTH = 80, TALL_ROWS = 9300, TALL_MOST = 32 };     /* outputs */
static unsigned char tall_x[TALL_ROWS * TALL_WIDTH], tall_y[TALL_ROWS];
static gtr_float tall_t[TALL_ROWS * TALL_MOST];
static net tall_net(gtr_context *ctx, const gtr_trainer_desc *d, bool mse, int64_t outputs)
{
    net n;
    gtr_tensor *h;
    n.ctx = ctx;
    n.x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, TALL_WIDTH));
    n.y = mse ? gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, outputs))
        : gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    h = gtr_tanh(gtr_linear(n.x, "fc1", 40));
    h = gtr_tanh(gtr_linear(h, "fc2", 24));
    n.logits = gtr_linear(h, "fc3", outputs);
    n.loss = mse ? gtr_mse(n.logits, n.y) : gtr_cross_entropy(n.logits, n.y);
    n.acc = mse ? NULL : gtr_accuracy(n.logits, n.y);
    n.t = gtr_trainer_create(n.loss, *d);
    return n;
}
static gtr_dataset *tall_points(gtr_context *ctx, int64_t rows, bool mse, int64_t outputs)
{
    gtr_arrays_desc a;
    memset(&a, 0, sizeof a);
    a.rows = rows;
    a.column[0].data = tall_x; a.column[0].dtype = GTR_U8; a.column[0].shape = gtr_shape1(TALL_WIDTH);
    if (mse) { a.column[1].data = tall_t; a.column[1].shape = gtr_shape1(outputs); }
    else { a.column[1].data = tall_y; a.column[1].dtype = GTR_U8; }
    return gtr_dataset_arrays(ctx, a);
}
/* Some of the first layer's weights just below a power of two, and the largest: rounded to a
   product's operand they are it. */
static void to_the_edge(gtr_context *ctx)
{
    static gtr_float w[40 * TALL_WIDTH];
    gtr_tensor *p = gtr_parameter_find(ctx, "fc1.weight");
    int64_t i;
    EXPECT_EQ(gtr_get(p, w, sizeof w), GTR_OK);
    for (i = 0; i < 40 * TALL_WIDTH; i += 97) w[i] = i & 1 ? 0.99999f : -0.99999f;
    EXPECT_EQ(gtr_set(p, w, sizeof w), GTR_OK);
}
static void tall_batches(void)
{
    static const struct { int64_t batch, rows; gtr_precision precision; bool mse; int64_t outputs; } c[] = {
        { 272, 272 * 9, GTR_TF32, false, 10 }, { 300, 300 * 9 + 77, GTR_TF32, false, 10 },
            { 512, 512 * 9, GTR_TF32, true, 10 },
        { 1000, 1000 * 9, GTR_TF32, false, 10 }, { 1024, 1024 * 9, GTR_MIXED_BF16, true, 10 },
            { 1024, 1024 * 9, GTR_TF32, true, 32 },
        { 700, 700 * 9 + 5, GTR_TF32, false, 20 }, { 400, 400 * 9, GTR_MIXED_BF16, false, 32 },
            { 960, 960 * 9, GTR_TF32, true, 17 },
    };
    static shot a, b;
    uint32_t seed = 11;
    int64_t i, k;
    int j, all = (int)(sizeof c / sizeof *c);
    for (i = 0; i < TALL_ROWS * TALL_WIDTH; i++) tall_x[i] = (unsigned char)((noise(&seed) + 1.0f) * 127.9f);
    for (i = 0; i < TALL_ROWS; i++) tall_y[i] = (unsigned char)(tall_x[i * TALL_WIDTH] / 26 % 10);
    for (i = 0; i < TALL_ROWS * TALL_MOST; i++)
        tall_t[i] = (gtr_float)(tall_x[i * 7 % (TALL_ROWS * TALL_WIDTH)] & 15) / 16;
    for (j = 0; j < all; j += small ? 5 : 1) {     /* two of them: a narrow last layer and a wide one */
        gtr_trainer_desc d = sgd(0.05f);
        gtr_context *ctx = create(), *loop = create(), *same = create();
        const int64_t steps = (c[j].rows + c[j].batch - 1) / c[j].batch;
        const bool half = c[j].precision == GTR_MIXED_BF16;
        net n, m, o;
        char name[64];
        d.momentum = 0.9f; d.precision = c[j].precision;
        snprintf(name, sizeof name, "a batch of %lld, %lld outputs", (long long)c[j].batch, (long long)c[j].outputs);
        if (half && !ctx->caps.bf16) { gtr_destroy(ctx); gtr_destroy(loop); gtr_destroy(same); continue; }
        n = tall_net(ctx, &d, c[j].mse, c[j].outputs); m = tall_net(loop, &d, c[j].mse, c[j].outputs);
        o = tall_net(same, &d, c[j].mse, c[j].outputs);
        if (j & 1) { to_the_edge(ctx); to_the_edge(loop); to_the_edge(same); }
        EXPECT_EQ(gtr_fit(n.t, tall_points(ctx, c[j].rows, c[j].mse, c[j].outputs), fitting(1, c[j].batch, NULL)),
            GTR_OK);
        EXPECT_EQ(gtr_trainer_data(m.t, tall_points(loop, c[j].rows, c[j].mse, c[j].outputs), c[j].batch, true, false),
            GTR_OK);
        o.t->running.several = true;
        EXPECT_EQ(gtr_trainer_data(o.t, tall_points(same, c[j].rows, c[j].mse, c[j].outputs), c[j].batch, true, false),
            GTR_OK);
        for (k = 0; k < steps; k++) { EXPECT_EQ(gtr_step(m.t), GTR_OK); EXPECT_EQ(gtr_step(o.t), GTR_OK); }
        EXPECT_EQ(gtr_wait(loop), GTR_OK); EXPECT_EQ(gtr_wait(same), GTR_OK);
        parameters_near(ctx, loop, NULL, NULL, half ? 2e-5 : 1e-6, half ? 8e-3 : 2e-3, name);
        parameters_near(ctx, loop, n.t, m.t, half ? 2e-4 : 1e-6, half ? 5e-2 : 2e-3, name);
        take(ctx, n.t, true, &a); take(same, o.t, true, &b);
        CHECK(equal(&a, &b), "%s: a launch of many steps and as many launches end with other bits", name);
        EXPECT_OK(ctx); EXPECT_OK(loop); EXPECT_OK(same);
        gtr_destroy(ctx); gtr_destroy(loop); gtr_destroy(same);
    }
    /* a target that is not finite in the middle of a launch: the error names its step, and the
       state is that before it */
    {
        enum { BATCH = 272, BAD = 6, ROW = (BAD - 1) * BATCH + 100 };
        gtr_trainer_desc d = adam();
        gtr_context *ctx = create(), *loop = create();
        const gtr_float good = tall_t[ROW * 10 + 3];
        net n, m;
        gtr_dataset *data, *fine;
        gtr_fit_desc f = fitting(1, BATCH, NULL);
        d.precision = GTR_TF32;
        n = tall_net(ctx, &d, true, 10); m = tall_net(loop, &d, true, 10);
        f.no_shuffle = true;
        fine = tall_points(loop, BATCH * 10, true, 10);
        tall_t[ROW * 10 + 3] = (gtr_float)NAN;
        data = tall_points(ctx, BATCH * 10, true, 10);
        EXPECT_EQ(gtr_fit(n.t, data, f), GTR_ERR_NONFINITE);
        tall_t[ROW * 10 + 3] = good;
        EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, "step 6:");
        EXPECT_EQ(gtr_trainer_report(n.t).applied, BAD - 1);
        m.t->running.several = true;
        EXPECT_EQ(gtr_trainer_data(m.t, fine, BATCH, false, false), GTR_OK);
        for (k = 0; k < BAD - 1; k++) EXPECT_EQ(gtr_step(m.t), GTR_OK);
        EXPECT_EQ(gtr_wait(loop), GTR_OK);
        take(ctx, n.t, false, &a); take(loop, m.t, false, &b);
        CHECK(equal(&a, &b), "after step %d that is not finite the state is not that after step %d", BAD, BAD - 1);
        EXPECT_OK(loop);
        gtr_destroy(ctx); gtr_destroy(loop);
    }
}

/* Which kernel takes a network: one that no longer fits goes by another one, with the same values
   and in twice the time. */
static void kernels_taken(void)
{
    static const struct { int64_t width[6], batch; gtr_precision precision; bool bytes; const char *by; } c[] = {
        { { 784, 256, 128, 10 }, 128, GTR_TF32, true, "[multilayer perceptron, many steps in one launch]" },
        { { 783, 257, 127, 10 }, 128, GTR_TF32, true, "[multilayer perceptron, many steps in one launch]" },
        { { 784, 256, 128, 128, 128, 10 }, 128, GTR_MIXED_BF16, true,
            "[multilayer perceptron, many steps in one launch]" },
        { { 784, 256, 128, 10 }, 1024, GTR_TF32, true, "tall batch of bytes" },
            { { 784, 256, 128, 10 }, 512, GTR_MIXED_BF16, true, "tall batch of bytes" },
        { { 32, 64, 64, 64, 64, 3 }, 1 << 14, GTR_MIXED_FP16, false, "narrow multilayer perceptron" },
        { { 32, 128, 128, 128, 128, 3 }, 1 << 18, GTR_MIXED_FP16, false, "narrow multilayer perceptron" },
    };
    int k, l;
    for (k = 0; k < (int)(sizeof c / sizeof *c); k++) {
        gtr_context *ctx = create();
        gtr_trainer_desc d = adam();
        gtr_arrays_desc a;
        const int64_t rows = 2 * c[k].batch, out = c[k].width[c[k].bytes ? (c[k].width[5] ? 5 : 3) : 5];
        unsigned char *x =
            (unsigned char *)calloc((size_t)rows, (size_t)c[k].width[0] * (c[k].bytes ? 1 : sizeof(gtr_float)));
        gtr_float *y = (gtr_float *)calloc((size_t)(rows * out), sizeof *y);
        gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, c[k].width[0])), *h = in, *want;
        gtr_trainer *t;
        d.precision = c[k].precision;
        for (l = 1; l < 6 && c[k].width[l]; l++) {
            char name[8];
            snprintf(name, sizeof name, "fc%d", l);
            h = gtr_linear(l > 1 ? gtr_relu(h) : h, name, c[k].width[l]);
        }
        want = c[k].bytes ? gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH))
            : gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, out));
        memset(&a, 0, sizeof a);
        a.rows = rows;
        a.column[0].data = x; a.column[0].shape = gtr_shape1(c[k].width[0]);
        a.column[1].data = y;
        if (c[k].bytes) a.column[0].dtype = a.column[1].dtype = GTR_U8; else a.column[1].shape = gtr_shape1(out);
        if (ctx->caps.compute >= 90 && ctx->caps.sm_count >= 128) {
            t = gtr_trainer_create(c[k].bytes ? gtr_cross_entropy(h, want) : gtr_mse(h, want), d);
            EXPECT_EQ(gtr_trainer_data(t, gtr_dataset_arrays(ctx, a), c[k].batch, true, false), GTR_OK);
            t->running.several = true;
            CHECK(strstr(gtr_plan_text(t, c[k].batch), c[k].by), "%lld wide, a batch of %lld: %s does not take it:\n%s",
                (long long)c[k].width[0], (long long)c[k].batch, c[k].by, gtr_plan_text(t, c[k].batch));
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
        free(x); free(y);
    }
}

/* ---- groups, rates, clipping, gradients by hand ---- */
static float custom_rate(int64_t step, void *user) { return *(const float *)user * (float)(step + 1); }
static void rates(void)
{
    gtr_trainer_desc d = sgd(0.1f);
    gtr_context *ctx = create();
    net n;
    float base = 0.01f;
    int i;
    d.schedule = GTR_COSINE; d.warmup_steps = 4; d.total_steps = 20; d.min_lr = 0.01f;
    n = build(ctx, GTR_BATCH, 0, &d);
    for (i = 0; i < 24; i++) {
        double want = i < 4 ? 0.1 * (i + 1) / 4 : i >= 20 ? 0.01
            : 0.01 + 0.045 * (1 + cos(3.14159265358979 * (i - 4) / 16.0));
        feed(&n, 8 * i, 8);
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
        CHECK(fabs((double)gtr_trainer_report(n.t).lr - want) < 1e-7, "cosine step %d: rate %g, want %g", i,
            (double)gtr_trainer_report(n.t).lr, want);
    }
    memset(&d, 0, sizeof d);
    d.schedule = GTR_CUSTOM_SCHEDULE; d.lr_fn = custom_rate; d.lr_user = &base;
    n.t = gtr_trainer_create(n.loss, d);
    for (i = 0; i < 4; i++) {
        gtr_step(n.t);
        gtr_wait(ctx);
        CHECK(fabsf(gtr_trainer_report(n.t).lr - 0.01f * (float)(i + 1)) < 1e-8f, "custom step %d: rate %g", i,
            (double)gtr_trainer_report(n.t).lr);
    }
    base = (float)NAN;                          /* a schedule that goes wrong stops the step, not the trainer */
    EXPECT_EQ(gtr_step(n.t), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "learning rate");
    base = 0.01f;
    EXPECT_EQ(gtr_step(n.t), GTR_OK);
    gtr_wait(ctx);
    EXPECT_EQ(gtr_trainer_report(n.t).applied, 5);
    n.t = gtr_trainer_create(n.loss, sgd(0.5f));
    EXPECT_EQ(gtr_trainer_lr(n.t, (float)NAN), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "rate");
    EXPECT_EQ(gtr_trainer_lr(n.t, -1), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "rate");
    EXPECT_EQ(gtr_trainer_lr(n.t, 0.25f), GTR_OK);
    gtr_step(n.t);
    gtr_wait(ctx);
    EXPECT(gtr_trainer_report(n.t).lr == 0.25f);
    EXPECT(gtr_trainer_create(n.loss, sgd((float)NAN)) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "lr is nan");
    EXPECT(gtr_trainer_create(n.loss, sgd((float)INFINITY)) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "lr is inf");
    d = sgd(0.1f); d.clip_norm = (float)NAN;
    EXPECT(gtr_trainer_create(n.loss, d) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "clip_norm");
    d = sgd(0.1f); d.micro_batches = 65;
    EXPECT(gtr_trainer_create(n.loss, d) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "micro");
    EXPECT(gtr_trainer_create(n.logits, sgd(0.1f)) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "fc5");
    gtr_destroy(ctx);
}
/* p, its gradient and what SGD with rate and decay makes of it */
static void moved_as(gtr_trainer *t, const char *name, const gtr_float *before, double rate, double decay, double coef,
    const char *what)
{
    static gtr_float g[1024], p[1024];
    gtr_tensor *w = gtr_parameter_find(t->ctx, name);
    int64_t i, n = gtr__count(&w->shape), bad = 0;
    EXPECT_EQ(gtr_get(w, p, gtr__bytes_of(w)), GTR_OK);
    if (rate > 0) EXPECT_EQ(gtr_gradient_get(t, w, g, gtr__bytes_of(w)), GTR_OK);
    for (i = 0; i < n; i++) {
        double want = (double)before[i] - (rate > 0 ? rate * (coef * (double)g[i] + decay * (double)before[i]) : 0);
        bad += fabs((double)p[i] - want) > 1e-6;
    }
    CHECK(bad == 0, "%s: %lld elements of \"%s\" are not what the update makes of them", what, (long long)bad, name);
}
static void groups_and_clipping(void)
{
    static gtr_float w[5][1024], g[1024];
    static const char *const names[] = { "fc1.weight", "fc1.bias", "fc3.weight", "fc4.weight", "fc5.bias" };
    gtr_group groups[3];
    gtr_trainer_desc d = sgd(0.1f);
    gtr_context *ctx = create();
    net n;
    gtr_tensor *p;
    int i, k;
    int64_t j;
    double sum = 0, coef;
    memset(groups, 0, sizeof groups);
    groups[0].pattern = "fc3.*"; groups[0].frozen = true;
    groups[1].pattern = "*.bias"; groups[1].weight_decay = GTR_ZERO; groups[1].lr_scale = 2;
    groups[2].pattern = "fc?.w*t"; groups[2].lr_scale = 0.5f;
    groups[2].weight_decay = 0.3f;
    d.weight_decay = 0.1f; d.groups = groups; d.n_groups = 2;
    n = build(ctx, GTR_BATCH, 0, &d);
    EXPECT_OK(ctx);
    for (k = 0; k < 2; k++) {
        for (i = 0; i < 5; i++) { p = gtr_parameter_find(ctx, names[i]); gtr_get(p, w[i], gtr__bytes_of(p)); }
        feed(&n, 16 * k, 16);
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
        moved_as(n.t, names[0], w[0], k ? 0.05 : 0.1, k ? 0.3 : 0.1, 1, "weight");
        moved_as(n.t, names[1], w[1], 0.2, 0, 1, "bias");
        moved_as(n.t, names[2], w[2], 0, 0, 1, "frozen");
        moved_as(n.t, names[4], w[4], 0.2, 0, 1, "bias");
        EXPECT(gtr_trainer_report(n.t).grad_norm == 0);
        d.n_groups = 3;
        if (!k) n.t = gtr_trainer_create(n.loss, d);
    }
    /* clipping: the norm of all gradients is cut to the value, and told before it is cut */
    d = sgd(0.1f);
    d.clip_norm = 0.01f;
    n.t = gtr_trainer_create(n.loss, d);
    for (i = 0; i < 5; i++) { p = gtr_parameter_find(ctx, names[i]); gtr_get(p, w[i], gtr__bytes_of(p)); }
    EXPECT_EQ(gtr_step(n.t), GTR_OK);
    EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    for (i = 0; i < n.t->params.n; i++) {
        p = n.t->params.tensor[i];
        gtr_gradient_get(n.t, p, g, gtr__bytes_of(p));
        for (j = 0; j < gtr__count(&p->shape); j++) sum += (double)g[j] * (double)g[j];
    }
    coef = 0.01 / (sqrt(sum) + 1e-6);
    CHECK(fabs((double)gtr_trainer_report(n.t).grad_norm - sqrt(sum)) < 1e-5 * sqrt(sum) && coef < 0.5,
        "the norm is told as %g, want %g", (double)gtr_trainer_report(n.t).grad_norm, sqrt(sum));
    for (i = 0; i < 5; i++) moved_as(n.t, names[i], w[i], 0.1, 0, coef, "clipped");
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
static void halves_with(int micro, gtr_precision precision)
{
    static shot a, b;
    static gtr_float g[1024], w[1024];
    gtr_trainer_desc d = adam();
    gtr_context *c1 = create(), *c2 = create();
    net n, m;
    gtr_tensor *p;
    int i;
    int64_t j, k;
    d.micro_batches = micro; d.precision = precision; d.no_matchers = true;
    n = build(c1, GTR_BATCH, DROP | NORM, &d); m = build(c2, GTR_BATCH, DROP | NORM, &d);
    if (!n.t && gtr_error(c1) == GTR_ERR_UNSUPPORTED) {
        SKIP("%s", gtr_error_text(c1)); gtr_destroy(c1); gtr_destroy(c2); return;
    }
    p = gtr_parameter_find(c2, "fc2.weight");
    k = gtr__count(&p->shape);
    for (i = 0; i < repeat(10); i++) {          /* the two halves are a step, whatever runs between them */
        feed(&n, 16 * i, 16); feed(&m, 16 * i, 16);
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_EQ(gtr_backward(m.t), GTR_OK);
        if (i & 1) { feed(&m, 0, 64); EXPECT_EQ(gtr_eval(&m.logits, 1), GTR_OK); }
        EXPECT_EQ(gtr_update(m.t), GTR_OK);
        take(c1, n.t, true, &a); take(c2, m.t, true, &b);
        CHECK(equal(&a, &b) && gtr_loss(n.t) == gtr_loss(m.t),
            "step %d: gtr_backward and gtr_update give other bits than gtr_step", i + 1);
    }
    EXPECT_EQ(gtr_update(m.t), GTR_ERR_STATE);
    EXPECT_ERROR(c2, GTR_ERR_STATE, "gtr_backward");
    EXPECT_OK(c1); EXPECT_OK(c2);
    m.t = gtr_trainer_create(m.loss, sgd(0.5f));
    gtr_get(p, w, gtr__bytes_of(p));
    feed(&m, 0, 16);
    EXPECT_EQ(gtr_backward(m.t), GTR_OK);
    EXPECT_EQ(gtr_step(m.t), GTR_ERR_STATE);
    EXPECT_ERROR(c2, GTR_ERR_STATE, "gtr_update");
    for (j = 0; j < k; j++) g[j] = (gtr_float)(j % 5) - 2;
    EXPECT_EQ(gtr_gradient_set(m.t, p, g, gtr__bytes_of(p) - 4), GTR_ERR_SHAPE);
    EXPECT_ERROR(c2, GTR_ERR_SHAPE, "fc2.weight");
    EXPECT_EQ(gtr_gradient_set(m.t, p, g, gtr__bytes_of(p)), GTR_OK);
    EXPECT_EQ(gtr_update(m.t), GTR_OK);
    moved_as(m.t, "fc2.weight", w, 0.5, 0, 1, "an edited gradient");
    EXPECT_OK(c1); EXPECT_OK(c2);
    gtr_destroy(c1); gtr_destroy(c2);
}
static void halves(void)
{
    halves_with(1, GTR_FP32);
    halves_with(3, GTR_FP32);
    halves_with(2, GTR_MIXED_FP16);
    halves_with(1, GTR_MIXED_BF16);
}
/* A gradient that is finite when it is computed again: whether it was set from outside is not guessed. */
static int nan_calls;
static gtr_result nan_forward(const gtr_custom_call *c)
{
    memcpy(c->out, c->in[0], (size_t)gtr__count(&c->out_shape) * sizeof(gtr_float));
    return GTR_OK;
}
static gtr_result nan_backward(const gtr_custom_call *c)
{
    memcpy(c->din[0], c->dout, (size_t)gtr__count(&c->out_shape) * sizeof(gtr_float));
    if (nan_calls++ == 1) ((gtr_float *)c->din[0])[0] = (gtr_float)NAN;
    return GTR_OK;
}
static void edited_gradients(void)
{
    static gtr_float x[16 * WIDTH];
    static const gtr_float bad[8] = { (gtr_float)NAN };
    int set;
    for (set = 0; set < 2; set++) {
        gtr_context *ctx = create();
        gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH)), *h = gtr_linear(in, "fc", 8);
        gtr_custom_desc c;
        gtr_trainer *t;
        int i;
        memset(&c, 0, sizeof c);
        c.name = "nan"; c.n_in = 1; c.in[0] = h; c.forward = nan_forward; c.backward = nan_backward;
        t = gtr_trainer_create(gtr_mean(gtr_custom(ctx, c), NULL, 0, false), sgd(0.1f));
        nan_calls = set ? 2 : 0;
        gtr_set(in, x, sizeof x);
        for (i = 0; i < 2; i++) {               /* the first step's gradient is set, the second's is bad */
            EXPECT_EQ(gtr_backward(t), GTR_OK);
            if (i == set) gtr_gradient_set(t, gtr_parameter_find(ctx, "fc.bias"), set ? bad : x, sizeof bad);
            gtr_update(t);
        }
        gtr_wait(ctx);
        EXPECT_EQ(gtr_error(ctx), GTR_ERR_NONFINITE);
        CHECK(strstr(gtr_error_text(ctx), "step 2: a gradient") && set == !!strstr(gtr_error_text(ctx), "from outside"),
            "%s: %s", set ? "a gradient was set" : "no gradient was set in this step", gtr_error_text(ctx));
        gtr_error_clear(ctx);
        gtr_destroy(ctx);
    }
}
/* A gradient alone that is not finite, of a weight or a bias, of any layer, changes nothing, whoever looks for it: in a
   plan of nodes, of parts, or one that joins the last nodes; then steps go on. Unless the loss alone counts. */
static void set_all(gtr_tensor *p, float value, int64_t most)
{
    static gtr_float v[2048];
    int64_t i, n = gtr__count(&p->shape);
    for (i = 0; i < n; i++) v[i] = i < most ? (gtr_float)value : 0;
    gtr_set(p, v, gtr__bytes_of(p));
}
static void infinite_gradients(void)
{
    enum { WIDE = 40 };
    /* of "b" (A B x + a) + b: the bias of the first, the second weight's first row, the slope of the loss, and x, so
       that one gradient overflows and the loss is 0 */
    static const struct { const char *name; float a, second, slope, x; } cases[] = {
        { "b.weight", 3e38f, 0, 1, 0 }, { "b.bias", 0, 0, 1e38f, 0 }, { "a.weight", 0, 1e30f, 1, 1e19f },
        { "a.bias", 0, 1e38f, 1, 0 } };
    static gtr_float x[8 * WIDE];
    static shot before, after;
    int way, k, i;
    if (sizeof(gtr_float) == 8) return;
    for (way = 0; way < 5; way++) for (k = 0; k < 4; k++) {
        gtr_context *ctx = create();
        gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDE)),
            *y = gtr_linear(gtr_linear(in, "a", WIDE), "b", WIDE);
        gtr_trainer_desc d = adam();
        gtr_trainer *t;
        char text[40];
        d.no_matchers = way == 0; d.micro_batches = way == 1 ? 2 : 1; d.precision = way == 2 ? GTR_TF32 : GTR_FP32;
        d.streams = way == 3; d.nonfinite = way == 4 ? GTR_NONFINITE_LOSS : GTR_NONFINITE_ALL;
        t = gtr_trainer_create(gtr_sum(gtr_scale(y, cases[k].slope, 0), NULL, 0, false), d);
        snprintf(text, sizeof text, "the gradient of \"%s\"", cases[k].name);
        for (i = 0; i < 6; i++) {
            const bool bad = i == 1 || i == 4, found = bad && way != 4;     /* in a first launch, and in a graph's */
            int64_t j;
            for (j = 0; j < 8 * WIDE; j++) x[j] = bad ? (gtr_float)cases[k].x : 0;
            set_all(gtr_parameter_find(ctx, "a.weight"), 0, 0);
            set_all(gtr_parameter_find(ctx, "a.bias"), bad ? cases[k].a : 0, WIDE);
            set_all(gtr_parameter_find(ctx, "b.weight"), bad ? cases[k].second : 0, WIDE);
            set_all(gtr_parameter_find(ctx, "b.bias"), 0, 0);
            gtr_set(in, x, sizeof x);
            if (!bad && cases[k].slope > 1) continue;   /* it would overflow here, too */
            take(ctx, t, false, &before);
            gtr_step(t);
            gtr_wait(ctx);
            if (found) EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, text);
            take(ctx, t, false, &after);
            CHECK(found == equal(&before, &after), "way %d, \"%s\", step %d: %s", way, cases[k].name, i + 1,
                found ? "a gradient that is not finite changed something" : "nothing changed");
            EXPECT_OK(ctx);
        }
        gtr_destroy(ctx);
    }
}
/* The same of gradients that other kernels make, as sums of eight rows that are finite, beside one that stays so. */
static void infinite_sums(void)
{
    enum { WIDE = 8 };
    static const char *const kinds[] = { "table", "table twice", "matmul", "sum", "bias alone", "scale", "norm",
        "strides" };
    static gtr_float x[WIDE * WIDE], none[WIDE * WIDE];
    static int32_t id[WIDE];
    static shot before, after;
    const int turned[2] = { 1, 0 };
    int way, kind, i, j;
    if (sizeof(gtr_float) == 8) return;
    for (way = 0; way < 2; way++) for (kind = 0; kind < 8; kind++) {
        gtr_context *ctx = create();
        gtr_init zero = gtr__init(GTR_INIT_ZERO, 0), fixed = zero;
        gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDE)),
            *at = gtr_input(ctx, "none", GTR_F32, gtr_shape2(GTR_BATCH, WIDE)),
            *ids = gtr_input(ctx, "id", GTR_I32, gtr_shape1(GTR_BATCH)),
            *p = gtr_parameter(ctx, "p", kind < 3 || kind == 7 ? gtr_shape2(WIDE, WIDE) : gtr_shape1(WIDE), zero),
            *y = NULL, *other;
        gtr_trainer_desc d = adam();
        gtr_trainer *t;
        fixed.frozen = true;
        switch (kind) {
        case 0: y = gtr_embedding_with(ids, p); break;
        case 1: y = gtr_add(gtr_embedding_with(ids, p), gtr_embedding_with(ids, p)); break;
        case 2: y = gtr_matmul(in, p); break;
        case 3: y = gtr_mul(in, gtr_add(at, p)); break;
        case 4: y = gtr_mul(in, gtr_linear_with(at, gtr_parameter(ctx, "w", gtr_shape2(WIDE, WIDE), fixed), p)); break;
        case 5: y = gtr_mul(in, p); break;
        case 6: y = gtr_mul(in, gtr_layer_norm_with(at, gtr_parameter(ctx, "w", gtr_shape1(WIDE), fixed), p, 0)); break;
        default: y = gtr_matmul(in, gtr_permute(p, turned)); break;
        }
        other = gtr_sum(gtr_linear(at, "other", 3), NULL, 0, false);
        d.no_matchers = way == 0;
        t = gtr_trainer_create(gtr_add(gtr_sum(gtr_scale(y, 5e37, 0), NULL, 0, false), other), d);
        for (i = 0; i < 6; i++) {
            const bool bad = i == 1 || i == 4;
            for (j = 0; j < WIDE * WIDE; j++) x[j] = bad ? 1 : (gtr_float)0.1;
            for (j = 0; j < WIDE; j++) id[j] = bad ? 3 : j;
            set_all(p, 0, 0);
            gtr_set(in, x, sizeof x); gtr_set(at, none, sizeof none); gtr_set(ids, id, sizeof id);
            take(ctx, t, false, &before);
            gtr_step(t);
            gtr_wait(ctx);
            if (bad) EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, kind < 7 ? "the gradient of \"p\"" : "the gradient of");
            take(ctx, t, false, &after);
            CHECK(bad == equal(&before, &after), "%s, way %d, step %d: %s", kinds[kind], way, i + 1,
                bad ? "a gradient that is not finite changed something" : "nothing changed");
            EXPECT_OK(ctx);
        }
        gtr_destroy(ctx);
    }
}
/* A product whose sum is cut into parts, of more elements than are added up at a time: what the parts' sums
   are added to is its own. */
static void deep_product(void)
{
    enum { M = 72, N = 80, K = 12000 };
    static gtr_float a[M * K], b[K * N], c[M * N];
    gtr_context *ctx = gtr_create(counted());
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(M, K)),
        *w = gtr_input(ctx, "w", GTR_F32, gtr_shape2(K, N)), *y;
    uint32_t s = 9;
    int i, k, bad = 0;
    for (i = 0; i < M * K; i++) a[i] = noise(&s);
    for (i = 0; i < K * N; i++) b[i] = noise(&s);
    y = gtr_matmul(x, w);
    gtr_set(x, a, sizeof a);
    gtr_set(w, b, sizeof b);
    EXPECT_EQ(gtr_eval(&y, 1), GTR_OK);
    EXPECT_EQ(gtr_get(y, c, sizeof c), GTR_OK);
    for (i = 0; i < M * N; i += 7) {
        double want = 0;
        for (k = 0; k < K; k++) want += (double)a[i / N * K + k] * (double)b[k * N + i % N];
        bad += !(fabs(want - (double)c[i]) < 2e-2);
    }
    CHECK(!bad, "%d elements of a product over %d are wrong", bad, K);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* Products of a few rows, which have kernels of their own: every row, and every part of its length. */
static void few_rows(void)
{
    enum { N = 37, K = 333 };
    static gtr_float a[9 * K], w[N * K], c[9 * N];
    gtr_init zero;
    gtr_context *ctx = create();
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, K)), *p, *y;
    uint32_t s = 9;
    int i, k, rows;
    memset(&zero, 0, sizeof zero);
    p = gtr_parameter(ctx, "w", gtr_shape2(N, K), zero);
    for (i = 0; i < 9 * K; i++) a[i] = noise(&s);
    for (i = 0; i < N * K; i++) w[i] = noise(&s);
    y = gtr_linear_with(x, p, NULL);
    gtr_set(p, w, sizeof w);
    for (rows = 1; rows <= 9; rows++) {
        int bad = 0;
        gtr_set(x, a, (size_t)rows * K * sizeof *a);
        EXPECT_EQ(gtr_eval(&y, 1), GTR_OK);
        EXPECT_EQ(gtr_get(y, c, (size_t)rows * N * sizeof *c), GTR_OK);
        for (i = 0; i < rows * N; i++) {
            double want = 0;
            for (k = 0; k < K; k++) want += (double)a[i / N * K + k] * (double)w[i % N * K + k];
            bad += !(fabs(want - (double)c[i]) < 1e-3);
        }
        CHECK(!bad, "%d elements of a product of %d rows are wrong", bad, rows);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* Backward goes as far as something is trained, and no further: not into inputs, nor below what is frozen. */
static void backward_ends(void)
{
    static const gtr_group frozen = { "low.*", 0, 0, true };
    gtr_context *ctx = create();
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 4)), *h;
    gtr_trainer_desc d = sgd(0.1f);
    const char *text, *line;
    d.no_matchers = true;
    h = gtr_softmax(gtr_linear(gtr_exp(gtr_tanh(x)), "low", 4), 1);
    h = gtr_mean(gtr_linear(h, "top", 2), NULL, 0, false);
    text = gtr_plan_text(gtr_trainer_create(h, d), 4);
    EXPECT(strstr(text, "backward \"top\"") && strstr(text, "backward \"low\"") && strstr(text, "softmax backward"));
    /* it reads x and dy, and writes dw and db: the weights are not counted */
    line = strstr(text, "linear backward \"low\"");
    CHECK(line && strstr(line, " 208 B, ") && strstr(line, " 208 B, ") < strchr(line, '\n'), "bytes moved: %.300s",
        line ? line : text);
    CHECK(!strstr(text, "exp backward") && !strstr(text, "tanh backward")
        && !strstr(text, ":exp (4, 4) float32 rows gradient"), "a gradient of inputs is computed:\n%s", text);
    d.groups = &frozen; d.n_groups = 1;
    text = gtr_plan_text(gtr_trainer_create(h, d), 4);
    CHECK(strstr(text, "backward \"top\"") && !strstr(text, "backward \"low\"") && !strstr(text, "softmax backward"),
        "a gradient below what is frozen is computed:\n%s", text);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* gtr_trace makes a real step, node by node; gtr_set_device reads where the values are. */
static void traced(void)
{
    static shot a, b;
    gtr_trainer_desc d = adam();
    gtr_context *c1 = create(), *c2 = create();
    net n, m;
    int i;
    d.clip_norm = 1; d.no_matchers = true;
    n = build(c1, GTR_BATCH, DROP | NORM, &d); m = build(c2, GTR_BATCH, DROP | NORM, &d);
    for (i = 0; i < 6; i++) {
        const char *text;
        feed(&n, 16 * i, 16); feed(&m, 16 * i, 16);
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        if (i % 2 == 0) { EXPECT_EQ(gtr_step(m.t), GTR_OK); continue; }
        text = gtr_trace(m.t);
        EXPECT(strstr(text, "node by node") && strstr(text, "fc4") && strstr(text, " us") && strstr(text, "mean")
            && strstr(text, "not finite 0"));
    }
    take(c1, n.t, true, &a); take(c2, m.t, true, &b);
    CHECK(equal(&a, &b), "traced steps give other bits");
    EXPECT_EQ(gtr_trainer_report(m.t).step, 6);
    EXPECT_OK(c1); EXPECT_OK(c2);
    if (device == GTR_DEVICE_CPU) {             /* there any memory is the device's */
        feed(&n, 64, 32);
        EXPECT_EQ(gtr_set_device(m.x, pool_x + 64 * WIDTH, 32 * WIDTH * sizeof *pool_x, NULL), GTR_OK);
        EXPECT_EQ(gtr_set_device(m.y, pool_y + 64, 32 * sizeof *pool_y, NULL), GTR_OK);
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_EQ(gtr_step(m.t), GTR_OK);
        take(c1, n.t, true, &a); take(c2, m.t, true, &b);
        EXPECT(equal(&a, &b));
    }
    EXPECT_EQ(gtr_set_device(gtr_parameter_find(c2, "fc1.bias"), pool_x, 64, NULL), GTR_ERR_ARG);
    EXPECT_ERROR(c2, GTR_ERR_ARG, "fc1.bias");
    gtr_destroy(c1); gtr_destroy(c2);
}

/* ---- expressions ---- */
static void mark_release(void)
{
    static gtr_float out[4];
    gtr_desc desc = counted();
    gtr_context *ctx = gtr_create(desc);
    gtr_trainer_desc d = sgd(0.1f);
    net n = build(ctx, GTR_BATCH, 0, &d);
    gtr_tensor *w = gtr_parameter_find(ctx, "fc1.weight");
    long long host = 0, blocks0 = 0;
    size_t dev = 0;
    int64_t tensors = ctx->graph.n_tensor, mark;
    int i;
    gtr_init one;
    memset(&one, 0, sizeof one);
    one.kind = GTR_INIT_CONSTANT; one.a = 3;
    for (i = 0; i < 40; i++) {
        gtr_float c[4];
        gtr_tensor *x, *e, *g;
        int k;
        for (k = 0; k < 4; k++) c[k] = (gtr_float)(i + k);
        mark = gtr_mark(ctx);
        x = gtr_constant(ctx, GTR_F32, gtr_shape1(4), c);
        e = gtr_sum(gtr_mul(x, x), NULL, 0, false);
        g = gtr_gradient(e, x);
        EXPECT_EQ(gtr_get(g, out, sizeof out), GTR_OK);
        for (k = 0; k < 4; k++)
            CHECK(out[k] == 2 * c[k], "d sum(x x) / dx is %g, want %g", (double)out[k], (double)(2 * c[k]));
        e = gtr_mean(gtr_dropout(gtr_mul(w, w), NULL, 0.5f), NULL, 0, false);
        EXPECT(gtr_item(e) > 0);
        e = gtr_linear(gtr_input(ctx, "another", GTR_F32, gtr_shape2(GTR_BATCH, 4)), i ? "again" : "first", 2);
        if (i == 0) EXPECT(e != NULL);
        else if (i == 1) { EXPECT(e != NULL); EXPECT_OK(ctx); }
        /* parameters stay when nodes go */
        else { EXPECT(e == NULL); EXPECT_ERROR(ctx, GTR_ERR_ARG, "again.weight"); }
        gtr_release(ctx, mark);
        feed(&n, 0, 8);
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
        if (i == 4) { host = asked[GTR_MEMORY_HOST]; blocks0 = blocks; dev = ctx->memory.device_bytes; }
        if (i > 4) CHECK(asked[GTR_MEMORY_HOST] == host && blocks == blocks0 && ctx->memory.device_bytes == dev,
            "round %d: %lld host bytes, %lld blocks, %zu device bytes; were %lld, %lld, %zu", i, asked[GTR_MEMORY_HOST],
            blocks, ctx->memory.device_bytes, host, blocks0, dev);
    }
    EXPECT_EQ(ctx->graph.n_tensor, tensors + 4);
    EXPECT(gtr_parameter_find(ctx, "first.weight") && gtr_parameter_find(ctx, "again.bias"));
    mark = gtr_mark(ctx);                       /* not under a trainer's or a predictor's feet */
    {
        gtr_tensor *h = gtr_linear_with(n.logits, gtr_parameter(ctx, "w", gtr_shape2(3, 3), one), NULL);
        gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(h, n.y), d);
        gtr_predictor *p;
        EXPECT(t != NULL);
        gtr_release(ctx, mark);
        EXPECT_ERROR(ctx, GTR_ERR_STATE, "trainer");
        feed(&n, 0, 8);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        gtr_trainer_destroy(t);
        p = gtr_predictor_create(h, 1);
        EXPECT(p != NULL);
        gtr_release(ctx, mark);
        EXPECT_ERROR(ctx, GTR_ERR_STATE, "predictor");
        gtr_predictor_destroy(p);
        gtr_release(ctx, mark);
        EXPECT_OK(ctx);
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    }
    gtr_destroy(ctx);
    CHECK(blocks == 0, "%lld blocks are left", blocks);
}
/* Names are found among few, whatever their number; those that are released or taken back are free again, and what
   stays is found at its new place. */
static void many_names(void)
{
    enum { NAMES = 6000 };
    gtr_desc desc = counted();
    gtr_context *ctx = gtr_create(desc);
    char name[24];
    gtr_init one;
    int round, i;
    memset(&one, 0, sizeof one);
    for (round = 0; round < 3; round++) {
        const int64_t mark = gtr_mark(ctx), had = gtr_parameter_count(ctx);
        int64_t longest = 0;
        gtr_tensor *x = NULL;
        for (i = 0; i < NAMES; i++) {
            snprintf(name, sizeof name, "in%d", i);
            if (i % 3 == 0) x = gtr_input(ctx, name, GTR_F32, gtr_shape2(GTR_BATCH, 2));
            else if (i % 3 == 1) gtr_dropout(x, name, 0.5f);
            snprintf(name, sizeof name, "p%d.%d", round, i);
            if (i % 3 == 2) gtr_parameter(ctx, name, gtr_shape1(2), one);
        }
        EXPECT_OK(ctx);
        EXPECT_EQ(gtr_parameter_count(ctx), had + NAMES / 3);
        EXPECT(ctx->graph.n_named >= ctx->graph.n_tensor);
        for (int64_t bin = 0; bin < ctx->graph.n_named; bin++) {
            int64_t n = 0;
            for (gtr_tensor *t = ctx->graph.named[bin]; t; t = t->next_named) n++;
            longest = GTR__MAX(longest, n);
        }
        CHECK(longest > 0 && longest < 12, "%lld names in a bin", (long long)longest);
        EXPECT(!gtr_input(ctx, "in3", GTR_F32, gtr_shape1(GTR_BATCH)));
        EXPECT_ERROR(ctx, GTR_ERR_ARG, "already");
        EXPECT(!gtr_dropout(x, "in4", 0.5f));
        EXPECT_ERROR(ctx, GTR_ERR_ARG, "already");
        EXPECT(!gtr_linear(x, "p0", 0));
        EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "p0");
        EXPECT(gtr__find_named(ctx, GTR__OP_DROPOUT, "in4") && !gtr__find_named(ctx, GTR__OP_INPUT, "in4"));
        gtr_release(ctx, mark);
        EXPECT(!gtr__find_named(ctx, GTR__OP_INPUT, "in3") && !gtr__find_named(ctx, GTR__OP_DROPOUT, "in4"));
        EXPECT(ctx->graph.n_tensor == gtr_parameter_count(ctx));
        for (i = 0; i < ctx->graph.n_tensor; i++) {
            gtr_tensor *t = ctx->graph.tensor[i];
            if (!CHECK(t->id == i && gtr_parameter_find(ctx, t->name) == t, "parameter %d is not found", i)) break;
        }
    }
    gtr_destroy(ctx);
    CHECK(blocks == 0, "%lld blocks are left", blocks);
}
static void gradients(void)
{
    static gtr_float x[8 * WIDTH], a[8 * WIDTH], b[16 * WIDTH], c[16 * WIDTH];
    gtr_trainer_desc d = sgd(0.1f);
    gtr_context *ctx = create();
    net n = build(ctx, GTR_BATCH, 0, &d);
    gtr_tensor *w = gtr_parameter_find(ctx, "fc1.weight"), *gx, *gw, *penalty, *list[4], *both, *none;
    int i;
    gx = gtr_gradient(n.loss, n.x);
    gw = gtr_gradient(n.loss, w);
    EXPECT(gtr_tensor_shape(gx).ndim == 2 && gtr_tensor_shape(gx).dim[0] == GTR_BATCH
        && gtr_tensor_shape(gw).dim[0] == 16);
    none = gtr_gradient(n.loss, gtr_parameter(ctx, "lonely", gtr_shape1(4), gtr__init(GTR_INIT_CONSTANT, 1)));
    feed(&n, 0, 8);
    list[0] = n.loss; list[1] = gx; list[2] = gw; list[3] = none;
    EXPECT_EQ(gtr_eval(list, 4), GTR_OK);
    EXPECT_EQ(gtr_get(gx, a, sizeof a), GTR_OK);
    EXPECT_EQ(gtr_get(gw, b, sizeof b), GTR_OK);
    EXPECT_EQ(gtr_get(none, x, 4 * sizeof *x), GTR_OK);
    EXPECT(x[0] == 0 && x[1] == 0 && x[2] == 0 && x[3] == 0);
    EXPECT_EQ(gtr_backward(n.t), GTR_OK);       /* the trainer's gradient of the same batch */
    EXPECT_EQ(gtr_gradient_get(n.t, w, c, sizeof c), GTR_OK);
    EXPECT(near32(b, c, 16 * WIDTH));
    EXPECT_EQ(gtr_update(n.t), GTR_OK);
    /* of the input, by differences */
    memcpy(x, pool_x, sizeof x);
    feed(&n, 0, 8);
    EXPECT_EQ(gtr_eval(list, 2), GTR_OK);
    EXPECT_EQ(gtr_get(gx, a, sizeof a), GTR_OK);
    for (i = 0; i < 8 * WIDTH; i += 7) {
        double up, down, eps = 1e-2;
        gtr_float v = x[i];
        x[i] = v + (gtr_float)eps; gtr_set(n.x, x, sizeof x); gtr_eval(&n.loss, 1); up = (double)gtr_item(n.loss);
        x[i] = v - (gtr_float)eps; gtr_set(n.x, x, sizeof x); gtr_eval(&n.loss, 1); down = (double)gtr_item(n.loss);
        x[i] = v;
        CHECK(fabs((up - down) / (2 * eps) - (double)a[i]) < 2e-4, "d loss / d x[%d] is %g, by differences %g", i,
            (double)a[i], (up - down) / (2 * eps));
    }
    /* a gradient in an expression: evaluated, but not differentiated again */
    penalty = gtr_sum(gtr_mul(gx, gx), NULL, 0, false);
    both = gtr_add(n.loss, penalty);
    feed(&n, 0, 8);
    EXPECT_EQ(gtr_eval(&both, 1), GTR_OK);
    EXPECT(gtr_item(both) > 0);
    EXPECT_OK(ctx);
    EXPECT(gtr_gradient(both, w) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_UNSUPPORTED, "gradient of a gradient");
    EXPECT(gtr_trainer_create(both, d) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_UNSUPPORTED, "gradient of a gradient");
    EXPECT(gtr_trainer_create(gtr_add(n.loss, gtr_stop_gradient(penalty)), d) != NULL);
    EXPECT_OK(ctx);
    EXPECT(gtr_gradient(n.logits, w) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "gradient");
    EXPECT(gtr_gradient(n.loss, n.y) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "int32");
    gtr_destroy(ctx);
}
static void kept_values(void)
{
    static gtr_float a[16 * 24], b[16 * 24];
    gtr_trainer_desc d = sgd(0.1f);
    gtr_context *ctx = create();
    net n = build(ctx, GTR_BATCH, DROP, &d);
    gtr_tensor *drop = gtr__find_named(ctx, GTR__OP_DROPOUT, "drop"), *flat, *h = NULL;
    int i, zeros = 0;
    /* not kept: told so, by name */
    feed(&n, 0, 16);
    EXPECT_EQ(gtr_step(n.t), GTR_OK);
    EXPECT_EQ(gtr_get(drop, a, sizeof a), GTR_ERR_STATE);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "\"drop\" was not kept");
    EXPECT_EQ(gtr_get(n.logits, a, 16 * CLASSES * sizeof *a), GTR_ERR_STATE);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "gtr_keep");
    EXPECT(gtr_item(n.loss) == gtr_loss(n.t));  /* what a step reports can be read */
    gtr_destroy(ctx);
    ctx = create();
    n = build(ctx, GTR_BATCH, DROP, &d);
    drop = gtr_keep(gtr__find_named(ctx, GTR__OP_DROPOUT, "drop"));
    for (i = 0; i < ctx->graph.n_tensor; i++)
        if (ctx->graph.tensor[i]->op == GTR__OP_TANH) h = gtr_keep(ctx->graph.tensor[i]);
    feed(&n, 0, 16);
    EXPECT_EQ(gtr_step(n.t), GTR_OK);
    EXPECT_EQ(gtr_get(drop, a, sizeof a), GTR_OK);
    EXPECT_EQ(gtr_get(h, b, sizeof b), GTR_OK);
    for (i = 0; i < 16 * 24; i++) {
        zeros += a[i] == 0;
        if (a[i] != 0 && fabs((double)a[i] - (double)b[i] / 0.75) > 1e-6) break;
    }
    CHECK(i == 16 * 24 && zeros > 40, "what dropout kept is not its input / 0.75 (element %d, %d zeros)", i, zeros);
    EXPECT_EQ(gtr_get(drop, a, sizeof a - 4), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "drop");
    feed(&n, 0, 16);                            /* evaluation keeps them too, and drops nothing */
    EXPECT_EQ(gtr_eval(&n.loss, 1), GTR_OK);
    EXPECT_EQ(gtr_get(drop, a, sizeof a), GTR_OK);
    EXPECT_EQ(gtr_get(h, b, sizeof b), GTR_OK);
    EXPECT(!memcmp(a, b, sizeof a));
    EXPECT_EQ(gtr_eval_train(&n.loss, 1), GTR_OK);  /* and in training mode they are drawn */
    EXPECT_EQ(gtr_get(drop, a, sizeof a), GTR_OK);
    for (i = zeros = 0; i < 16 * 24; i++) zeros += a[i] == 0;
    EXPECT(zeros > 40 && zeros < 200);
    /* another shape of a fetched value is the value */
    flat = gtr_reshape(n.logits, gtr_shape1(-CLASSES));
    EXPECT_EQ(gtr_eval(&flat, 1), GTR_OK);
    EXPECT_EQ(gtr_get(flat, a, 16 * CLASSES * sizeof *a), GTR_OK);
    EXPECT_EQ(gtr_get(n.logits, b, 16 * CLASSES * sizeof *b), GTR_OK);
    EXPECT(!memcmp(a, b, 16 * CLASSES * sizeof *a));
    /* a value is what the last run made of it: planning a larger batch does not change it, or it is gone */
    gtr_keep(n.logits);
    feed(&n, 0, 4);
    EXPECT_EQ(gtr_eval(&n.logits, 1), GTR_OK);
    EXPECT_EQ(gtr_get(n.logits, b, 4 * CLASSES * sizeof *b), GTR_OK);
    feed(&n, 0, 16);
    EXPECT_EQ(gtr_eval(&n.logits, 1), GTR_OK);
    feed(&n, 0, 4);
    EXPECT_EQ(gtr_eval(&n.logits, 1), GTR_OK);
    EXPECT_EQ(gtr_get(n.logits, a, 4 * CLASSES * sizeof *a), GTR_OK);
    EXPECT(!memcmp(a, b, 4 * CLASSES * sizeof *a));
    EXPECT_EQ(gtr_get(n.logits, a, 16 * CLASSES * sizeof *a), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "(4, 3)");
    EXPECT_EQ(gtr_trainer_data(n.t, points(ctx, 512), 256, true, false), GTR_OK);
    if (gtr_get(n.logits, a, 4 * CLASSES * sizeof *a) == GTR_OK) EXPECT(!memcmp(a, b, 4 * CLASSES * sizeof *a));
    else EXPECT_ERROR(ctx, GTR_ERR_STATE, "is kept, but the last run did not need it");
    n.t = gtr_trainer_create(n.loss, d);
    feed(&n, 0, 16);
    /* a batch that only one of two inputs has */
    gtr_set(n.y, pool_y, 4 * sizeof *pool_y);
    EXPECT_EQ(gtr_step(n.t), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "with 4");
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* What a run fetched is read until parameters or inputs change and another run has been; what is kept, always. */
static void read_later(void)
{
    enum { ROWS = 16, BYTES = ROWS * CLASSES * sizeof(gtr_float) };
    static gtr_float old[ROWS * CLASSES], now[ROWS * CLASSES];
    gtr_trainer_desc d = sgd(0.5f);
    for (int how = 0; how < 8; how++) {
        net n = build(create(), GTR_BATCH, 0, &d);
        gtr_tensor *scores = gtr_softmax(n.logits, 1), *sum = gtr_sum(n.logits, NULL, 0, false);
        const float was = (feed(&n, 0, ROWS), gtr_item(sum));
        EXPECT_EQ(gtr_eval(&n.logits, 1), GTR_OK);
        EXPECT_EQ(gtr_eval(&scores, 1), GTR_OK);        /* nothing has changed yet */
        EXPECT_EQ(gtr_get(n.logits, old, BYTES), GTR_OK);
        EXPECT_EQ(gtr_eval(&n.logits, 1), GTR_OK);
        if (how == 5) feed(&n, 64, ROWS);
        EXPECT_EQ(gtr_get(n.logits, now, BYTES), GTR_OK);   /* as the last run fetched it */
        EXPECT(!memcmp(old, now, BYTES));
        switch (how) {
        case 0: EXPECT_EQ(gtr_step(n.t), GTR_OK); break;
        case 1: EXPECT_EQ(gtr_backward(n.t), GTR_OK); EXPECT_EQ(gtr_update(n.t), GTR_OK); break;
        case 2: EXPECT(gtr_trace(n.t)[0] != 0); break;
        case 3: EXPECT_EQ(gtr_trainer_data(n.t, points(n.ctx, 64), ROWS, true, false), GTR_OK);
            EXPECT_EQ(gtr_train_for(n.t, 5), GTR_OK); break;
        case 4: gtr_set(gtr_parameter_find(n.ctx, "fc1.bias"), pool_x, 16 * sizeof *pool_x); break;
        case 5: break;
        case 6: EXPECT_EQ(gtr_parameters_blend(n.ctx, "fc4.weight", "fc4.weight", 0.5f), GTR_OK); break;
        case 7: gtr_keep(n.logits); EXPECT_EQ(gtr_eval(&n.logits, 1), GTR_OK); EXPECT_EQ(gtr_step(n.t), GTR_OK); break;
        }
        EXPECT_EQ(gtr_eval(&scores, 1), GTR_OK);
        if (how == 7) EXPECT_EQ(gtr_get(n.logits, now, BYTES), GTR_OK);
        else {
            EXPECT_EQ(gtr_get(n.logits, now, BYTES), GTR_ERR_STATE);
            EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "fetched before the last run, and parameters or inputs have changed");
        }
        if (how != 6 && how != 7) CHECK(gtr_item(sum) != was, "%d: gtr_item gives what was before", how);
        EXPECT_EQ(gtr_eval(&n.logits, 1), GTR_OK);
        EXPECT_EQ(gtr_get(n.logits, now, BYTES), GTR_OK);
        EXPECT((how == 6) == !memcmp(old, now, BYTES));
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
}
/* Gradients are there behind a step that leaves them, and at no other time. */
static void gradients_of_no_step(void)
{
    static gtr_float g[16];
    gtr_trainer_desc d = sgd(0.1f);
    gtr_fit_desc f;
    net n = build(create(), GTR_BATCH, 0, &d);
    gtr_tensor *p = gtr_parameter_find(n.ctx, "fc1.bias");
    memset(&f, 0, sizeof f);
    f.batch = 16; f.silent = true;
    feed(&n, 0, 16);
    EXPECT_EQ(gtr_gradient_get(n.t, p, g, sizeof g), GTR_ERR_STATE);
    EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "\"fc1.bias\": no step was made yet");
    d.ema = 0.9f;
    gtr_trainer *averages = gtr_trainer_create(n.loss, d);
    EXPECT_EQ(gtr_state_get(averages, p, 0, g, sizeof g), GTR_ERR_STATE);
    EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "no averages yet");
    EXPECT_EQ(gtr_trainer_prepare(n.t, 16), GTR_OK);
    EXPECT_EQ(gtr_gradient_get(n.t, p, g, sizeof g), GTR_ERR_STATE);
    EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "no step was made yet");
    EXPECT_EQ(gtr_backward(n.t), GTR_OK);
    EXPECT_EQ(gtr_gradient_get(n.t, p, g, sizeof g), GTR_OK);
    EXPECT_EQ(gtr_update(n.t), GTR_OK);
    const char *path = check_path("ckpt");
    EXPECT_EQ(gtr_checkpoint_save(n.t, path), GTR_OK);
    EXPECT_EQ(gtr_fit(n.t, points(n.ctx, 64), f), GTR_OK);
    EXPECT_EQ(gtr_gradient_get(n.t, p, g, sizeof g), GTR_ERR_STATE);
    EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "gtr_fit keeps none");
    EXPECT_EQ(gtr_checkpoint_load(n.t, path), GTR_OK);
    EXPECT_EQ(gtr_gradient_get(n.t, p, g, sizeof g), GTR_ERR_STATE);
    EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "no step was made yet");
    EXPECT_EQ(unlink(path), 0);
    EXPECT_EQ(gtr_step(averages), GTR_OK);
    EXPECT_EQ(gtr_state_get(averages, p, 0, g, sizeof g), GTR_OK);
    EXPECT_EQ(gtr_step(n.t), GTR_OK);
    EXPECT_EQ(gtr_gradient_get(n.t, p, g, sizeof g), GTR_OK);
    EXPECT_OK(n.ctx);
    gtr_destroy(n.ctx);
}
/* What a plan computes as another tensor: steps of a loop of cells, and what cuts x into them, by one recurrence;
   attention with dropout, evaluated, by what has none. Returns it, and what is computed of it. */
static gtr_tensor *stood_for(gtr_context *ctx, int kind, gtr_tensor **x, gtr_tensor **loss)
{
    enum { STEPS = 4 };
    gtr_tensor *h = NULL, *c = NULL, *t = NULL, *cut;
    gtr_attention_desc d = { 0 };
    *x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, STEPS, 6));
    if (kind >= 5) {
        d.dropout = 0.5f;
        cut = gtr_reshape(*x, gtr_shape4(GTR_BATCH, STEPS, kind == 5 ? 2 : 1, kind == 5 ? 3 : 6));
        if (kind == 7) { /* heads of q that share one of k and v: the last op is a reshape */
            gtr_tensor *one = gtr_reshape(*x, gtr_shape4(GTR_BATCH, STEPS, 1, 6));
            cut = gtr_concat((gtr_tensor *[2]){ *x, gtr_tanh(*x) }, 2, 2);
            t = gtr_attention(gtr_reshape(cut, gtr_shape4(GTR_BATCH, STEPS, 2, 6)), one, one, d);
        } else t = gtr_attention(cut, cut, cut, d);
        if (kind == 6) t = gtr_reshape(t, gtr_shape2(GTR_BATCH, STEPS * 6));
        h = gtr_reshape(t, gtr_shape2(GTR_BATCH, STEPS * (kind == 7 ? 12 : 6)));
    }
    for (int k = 0; k < STEPS && kind < 5; k++) {
        cut = gtr_reshape(gtr_slice(*x, 1, k, k + 1), gtr_shape2(GTR_BATCH, 6));
        h = kind == 0 ? gtr_rnn_cell(cut, h, "cell", 5) : kind == 1 ? gtr_gru_cell(cut, h, "cell", 5)
            : gtr_lstm_cell(cut, h, &c, "cell", 5);
        if (k == 1) t = kind == 3 ? cut : kind == 4 ? c : h;
    }
    *loss = gtr_mean(gtr_square(gtr_linear(h, "out", 3)), NULL, 0, false);
    return t;
}
static void kept_stand_ins(void)
{
    enum { ROWS = 8 };
    static gtr_float want[ROWS * 48], got[ROWS * 48];
    gtr_trainer_desc d = sgd(0.1f);
    for (int kind = 0; kind < 8; kind++) {
        gtr_context *ctx = create();
        gtr_tensor *x, *loss, *t = stood_for(ctx, kind, &x, &loss);
        const int64_t per = -gtr__count(&t->shape);
        const size_t bytes = (size_t)(ROWS * per) * sizeof *got;
        gtr_set(x, pool_x, ROWS * 24 * sizeof *pool_x);
        EXPECT_EQ(gtr_eval(&t, 1), GTR_OK);
        EXPECT_EQ(gtr_get(t, want, bytes), GTR_OK);
        EXPECT(gtr_item(t) == (float)want[0]);
        gtr_predictor *p = gtr_predictor_create(t, ROWS);
        EXPECT_EQ(gtr_predict(p, pool_x, ROWS, got), GTR_OK);
        CHECK(within(got, want, ROWS * per, 1e-10, 1e-5), "%d: predicted", kind);
        gtr_predictor_destroy(p);
        gtr_keep(t);
        for (int trains = 0; trains < 3; trains++) {
            gtr_trainer *trainer = trains == 2 ? gtr_trainer_create(loss, d) : NULL;
            EXPECT_EQ(trains == 2 ? gtr_step(trainer) : trains ? gtr_eval_train(&loss, 1) : gtr_eval(&loss, 1), GTR_OK);
            memset(got, 0, sizeof got);
            EXPECT_EQ(gtr_get(t, got, bytes), GTR_OK);
            if (!trains || kind < 5)
                CHECK(within(got, want, ROWS * per, 1e-10, 1e-5), "%d, %d: %g, want %g", kind, trains, (double)got[0],
                    (double)want[0]);
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* A name that no parameter has gives NULL without an error: what is done with that has one. */
static void of_null(gtr_context *ctx, gtr_trainer *t)
{
    static const char *const names[] = { "gtr_set: ", "gtr_set_device: ", "gtr_get: ", "gtr_item: ", "gtr_eval: ",
        "gtr_eval: ", "gtr_gradient_get: ", "optimizer state 0: " };
    gtr_tensor *none = gtr_parameter_find(ctx, "fc1.wieght"), *pair[2];
    pair[0] = gtr_parameter_at(ctx, 0); pair[1] = none;
    EXPECT_OK(ctx);
    for (int k = 0; k < 8; k++) {
        const gtr_result r = k == 0 ? gtr_set(none, pool_x, 4) : k == 1 ? gtr_set_device(none, pool_x, 4, NULL)
            : k == 2 ? gtr_get(none, pool_x, 4) : k == 3 ? gtr_item(none) != gtr_item(none) ? GTR_ERR_ARG : GTR_OK
            : k == 4 ? gtr_eval(pair, 2) : k == 5 ? gtr_eval_train(pair + 1, 1)
            : k == 6 ? gtr_gradient_get(t, none, pool_x, 4) : gtr_state_set(t, none, 0, pool_x, 4);
        EXPECT_EQ(r, GTR_ERR_ARG);
        if (k % 2) EXPECT_EQ(gtr_save(ctx, "no/such/folder/model"), GTR_ERR_ARG);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, names[k]);
        EXPECT_OK(ctx);
    }
    gtr_set(none, pool_x, 4);
    gtr_error_clear(ctx);
    EXPECT_OK(ctx);
    gtr_set(none, pool_x, 4);           /* the first of two errors is kept */
    EXPECT_EQ(gtr_trainer_lr(t, -1), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_set: a tensor is NULL: gtr_parameter_find has none of that name");
    EXPECT_OK(ctx);
}
/* What a fit's data fed and nobody kept can't be computed anew: the error says what keeps it, and stops no gtr_save. */
static void item_of_fed(void)
{
    const char *path = check_path("safetensors");
    gtr_trainer_desc d = sgd(0.1f);
    for (int kept = 0; kept < 2; kept++) for (int get = 0; get < 2; get++) {
        net n = build(create(), GTR_BATCH, 0, &d);
        gtr_fit_desc f;
        gtr_float v = 0;
        memset(&f, 0, sizeof f);
        f.batch = 16; f.silent = true;
        gtr_tensor *most = gtr_max(n.logits, NULL, 0, false);
        gtr_tensor *loss = gtr_add(n.loss, gtr_scale(most, 1e-3f, 0));
        if (kept) gtr_keep(most);
        gtr_trainer *t = gtr_trainer_create(loss, d);
        EXPECT_EQ(gtr_fit(t, points(n.ctx, 64), f), GTR_OK);
        EXPECT_OK(n.ctx);
        if (get) EXPECT_EQ(gtr_get(most, &v, sizeof v), kept ? GTR_OK : GTR_ERR_STATE);
        else v = (gtr_float)gtr_item(most);
        CHECK((v == v && v != 0) == (kept != 0) || get, "%g, kept %d", (double)v, kept);
        EXPECT_EQ(gtr_error(n.ctx), kept ? GTR_OK : GTR_ERR_STATE);
        EXPECT_EQ(gtr_save(n.ctx, path), GTR_OK);
        EXPECT_EQ(unlink(path), 0);
        if (!kept && !get) CHECK(strstr(gtr_error_text(n.ctx), "\"x\" was not set") != NULL
            && strstr(gtr_error_text(n.ctx), "; gtr_item of ") != NULL, "%s", gtr_error_text(n.ctx));
        if (kept) EXPECT_OK(n.ctx);
        else EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "gtr_keep");
        gtr_item(most);                 /* another error behind it does stop it */
        gtr_relu(gtr_input(n.ctx, "", GTR_F32, gtr_shape0()));
        EXPECT_EQ(gtr_save(n.ctx, path), kept ? GTR_ERR_ARG : GTR_ERR_STATE);
        gtr_destroy(n.ctx);
    }
}
static void bad_use(void)
{
    gtr_trainer_desc d = adam();
    gtr_context *ctx = create(), *other = create();
    net n = build(ctx, GTR_BATCH, 0, &d), m = build(other, GTR_BATCH, 0, NULL);
    gtr_dataset *data = points(ctx, 20), *wrong;
    gtr_arrays_desc a;
    static int32_t labels[20];
    gtr_tensor *pair[2];
    static shot before, after;
    take(ctx, n.t, true, &before);
    d.n_groups = 2;                             /* which are nowhere */
    EXPECT(gtr_trainer_create(n.loss, d) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "2 groups, want 0 to 15 at .groups");
    /* not set */
    EXPECT_EQ(gtr_step(n.t), GTR_ERR_STATE);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "\"x\" was not set");
    EXPECT_EQ(gtr_eval(&n.loss, 1), GTR_ERR_STATE);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "was not set");
    /* labels out of range, set by hand and in a data set */
    memcpy(labels, pool_y, sizeof labels);
    labels[7] = CLASSES;
    gtr_set(n.x, pool_x, 20 * WIDTH * sizeof *pool_x);
    EXPECT_EQ(gtr_set(n.y, labels, sizeof labels), GTR_OK);
    EXPECT_EQ(gtr_step(n.t), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "input \"y\": element 7 is 3, want 0 to 2 for cross_entropy");
    EXPECT_EQ(gtr_backward(n.t), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "element 7 is 3");
    EXPECT(!strcmp(gtr_trace(n.t), ""));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "element 7 is 3");
    labels[7] = -1;
    EXPECT_EQ(gtr_set(n.y, labels, sizeof labels), GTR_OK);
    EXPECT_EQ(gtr_eval(&n.loss, 1), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "element 7 is -1");
    EXPECT(gtr_eval(&n.logits, 1) == GTR_OK && gtr_eval(&n.acc, 1) == GTR_OK);     /* which have no range */
    labels[7] = -100;                           /* ignored */
    EXPECT_EQ(gtr_set(n.y, labels, sizeof labels), GTR_OK);
    EXPECT_EQ(gtr_eval(&n.loss, 1), GTR_OK);
    memset(&a, 0, sizeof a);
    labels[7] = 5;
    a.rows = 20;
    a.column[0].data = pool_x; a.column[0].shape = gtr_shape1(WIDTH);
    a.column[1].data = labels; a.column[1].dtype = GTR_I32;
    wrong = gtr_dataset_arrays(ctx, a);
    EXPECT_EQ(gtr_trainer_data(n.t, wrong, 4, true, false), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "row 7");
    EXPECT_EQ(gtr_fit(n.t, wrong, fitting(1, 4, NULL)), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "row 7");
    EXPECT_EQ(gtr_evaluate(n.t, wrong, 4, NULL, NULL, NULL), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "row 7");
    a.column[1].data = NULL;                    /* a column too few; rows of another size */
    wrong = gtr_dataset_arrays(ctx, a);
    EXPECT_EQ(gtr_trainer_data(n.t, wrong, 4, true, false), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "1 column ");
    a.column[0].shape = gtr_shape1(WIDTH - 1);
    a.column[1].data = pool_y;
    wrong = gtr_dataset_arrays(ctx, a);
    EXPECT_EQ(gtr_trainer_data(n.t, wrong, 4, true, false), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "(5,)");
    /* a batch larger than the set, or none */
    EXPECT_EQ(gtr_trainer_data(n.t, data, 21, true, false), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "a batch of 21, want 1 to the 20 rows");
    EXPECT_EQ(gtr_trainer_data(n.t, data, 0, true, false), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "a batch of 0");
    EXPECT(!strcmp(gtr_plan_text(n.t, 0), ""));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "a batch of 0");
    /* sizes in bytes */
    EXPECT_EQ(gtr_set(n.x, pool_x, WIDTH * sizeof *pool_x + 1), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "multiple of");
    EXPECT_EQ(gtr_set(n.x, NULL, WIDTH * sizeof *pool_x), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "NULL");
    EXPECT_EQ(gtr_set(n.logits, pool_x, 4), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "computed");
    EXPECT_EQ(gtr_set(gtr_parameter_find(ctx, "fc1.bias"), pool_x, 4), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "fc1.bias");
    /* tensors of another context */
    EXPECT(gtr_add(n.logits, m.logits) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "different contexts");
    EXPECT_ERROR(other, GTR_ERR_ARG, "different contexts");
    EXPECT(gtr_gradient(n.loss, m.x) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "different contexts");
    pair[0] = n.logits; pair[1] = m.logits;
    EXPECT_EQ(gtr_eval(pair, 2), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "different contexts");
    EXPECT(gtr_gradient_get(n.t, gtr_parameter_find(other, "fc1.bias"), pool_x, 64) != GTR_OK);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "fc1.bias");
    /* NULL goes through */
    EXPECT(gtr_relu(NULL) == NULL && gtr_linear(NULL, "z", 3) == NULL && gtr_trainer_create(NULL, d) == NULL);
    EXPECT_EQ(gtr_step(NULL), GTR_ERR_ARG);
    EXPECT_OK(ctx);
    of_null(ctx, n.t);
    take(ctx, n.t, true, &after);
    CHECK(equal(&before, &after), "bad input changed parameters or states");
    feed(&n, 0, 8);
    EXPECT_EQ(gtr_step(n.t), GTR_OK);
    EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    EXPECT_OK(ctx); EXPECT_OK(other);
    gtr_destroy(ctx); gtr_destroy(other);
}

/* ---- all at once: regions, stages, streams, shared weights, a kept value, in every precision, against
   the plain network ---- */
static net combined(gtr_context *ctx, int parts, const gtr_trainer_desc *d)
{
    net n;
    gtr_tensor *h, *s, *w, *b;
    n.ctx = ctx;
    n.x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
    n.y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    w = gtr_parameter(ctx, "shared.weight", gtr_shape2(16, 16), gtr__init(GTR_INIT_UNIFORM, 0.3));
    b = gtr_parameter(ctx, "shared.bias", gtr_shape1(16), gtr__init(GTR_INIT_ZERO, 0));
    h = s = gtr_tanh(gtr_linear(n.x, "fc1", 16));
    if (parts & REGION) gtr_recompute_begin(ctx);
    h = gtr_dropout(gtr_relu(gtr_linear_with(h, w, b)), "drop1", 0.2f);
    h = gtr_add(gtr_batch_norm(h, "norm"), s);
    if (parts & REGION) gtr_recompute_end(ctx);
    if (parts & STAGES) gtr_stage(ctx, 1);
    if (parts & REGION) gtr_recompute_begin(ctx);
    h = gtr_gelu(gtr_linear_with(h, w, b));         /* the same weights on the other stage */
    h = gtr_mul(h, gtr_sigmoid(gtr_linear(s, "gate", 16)));
    if (parts & REGION) gtr_recompute_end(ctx);
    if (parts & STAGES) gtr_stage(ctx, 2);
    h = gtr_keep(gtr_add(h, s));                    /* from stage 0 past 1 */
    n.logits = gtr_linear(gtr_reshape(h, gtr_shape2(GTR_BATCH, 16)), "out", CLASSES);
    n.loss = gtr_add(gtr_cross_entropy(n.logits, n.y), gtr_scale(gtr_mean(gtr_mul(h, h), NULL, 0, false), 0.01f, 0));
    n.acc = h;
    if (parts & STAGES) gtr_stage(ctx, 0);
    n.t = gtr_trainer_create(n.loss, *d);
    return n;
}
static void combinations(void)
{
    static const int parts[] = { 0, REGION, STAGES, REGION | STAGES }, micros[] = { 1, 3, 7 };
    static const gtr_precision modes[] = { GTR_FP32, GTR_MIXED_BF16, GTR_MIXED_FP16 };
    static shot want[2], got;
    static gtr_float kept[32 * 16], kept0[2][32 * 16];
    int mode, m, micro, k, i;
    /* Weights shared by stages and a value that is read on several are cast on each: in low precision a sum of their
       gradients is then rounded elsewhere, so cut networks are compared among themselves. Of seven micro-batches those
       of one stream and stage are stamped, others are recorded. */
    for (mode = 0; mode < 3; mode++)
        for (m = 0; m < 3; m++)
            for (k = 0, micro = micros[m]; k < 8; k++) {
                gtr_trainer_desc d = adam();
                gtr_context *ctx = create();
                gtr_tensor *logits;
                net n;
                int base = mode && parts[k % 4] & STAGES ? 1 : 0;
                if (few() && (mode != 1 || micro > 1)) { gtr_destroy(ctx); continue; }
                d.precision = modes[mode]; d.micro_batches = micro; d.streams = k < 4 ? 1 : 3; d.no_matchers = true;
                n = combined(ctx, parts[k % 4], &d);
                if (!n.t && gtr_error(ctx) == GTR_ERR_UNSUPPORTED) {
                    if (!k) SKIP("%s", gtr_error_text(ctx));
                    gtr_destroy(ctx); continue;
                }
                for (i = 0; i < 6; i++) {
                    int rows = i % 3 == 2 ? 19 : 32;
                    feed(&n, 32 * i, rows);
                    EXPECT_EQ(gtr_step(n.t), GTR_OK);
                    logits = n.logits;
                    if (i == 3) EXPECT_EQ(gtr_eval(&logits, 1), GTR_OK);    /* another plan in the same arena */
                }
                EXPECT_EQ(gtr_step(n.t), GTR_OK);
                EXPECT_EQ(gtr_get(n.acc, kept, 19 * 16 * sizeof *kept), GTR_OK);
                EXPECT_EQ(gtr_wait(ctx), GTR_OK);
                EXPECT_OK(ctx);
                take(ctx, n.t, true, k == 2 * base ? &want[base] : &got);
                if (k == 2 * base) memcpy(kept0[base], kept, sizeof kept);
                else CHECK(equal(&want[base], &got) && !memcmp(kept, kept0[base], 19 * 16 * sizeof *kept),
                    "precision %d, %d micro-batches, %s, %s, %d streams: other bits than the plain network",
                    (int)modes[mode], micro, parts[k % 4] & REGION ? "recomputed" : "kept",
                    parts[k % 4] & STAGES ? "three stages" : "one stage", d.streams);
                gtr_destroy(ctx);
            }
}
/* The checker of random plans over the plans that trainers make, on all devices. */
static void real_plans(void)
{
    int k, seen = 0, several = 0, over = 0;
    for (k = 0; k < 5 * 5 * 4 * 2; k++) {
        const bool region = k / 25 & 1, stages = k / 50 & 1;
        gtr_desc desc = desc0();
        gtr_trainer_desc d = adam();
        gtr_context *ctx;
        gtr__plan_entry *e;
        net n;
        int shared, order, made;
        size_t used;
        desc.preset = (gtr_preset)(k % 5);
        d.streams = k / 5 % 5;
        d.precision = k / 100 ? GTR_MIXED_FP16 : GTR_FP32;
        ctx = gtr_create(desc);
        n = combined(ctx, (region ? REGION : 0) | (stages ? STAGES : 0), &d);
        e = gtr__trainer_entry(n.t, 64, NULL, true);
        if (CHECK(e != NULL, "no plan: %s", gtr_error_text(ctx)) && e->plan.n_node <= 64 && e->plan.n_value <= VALUES) {
            seen++;
            check_plan(&e->plan, &shared, &order, &used, &made);
            over += made;
            CHECK(shared == 0 && order == 0,
                "%s, %d streams, variant %d: %d pairs share bytes at the same time, %d uses out of order",
                gtr_device_text(ctx), d.streams, k, shared, order);
            if (d.streams == 0) several += e->plan.n_stream > 1;
            CHECK(d.streams || e->plan.n_stream == 1 || (ctx->caps.cuda && !region),
                "%s, variant %d: %d streams, want 1", gtr_device_text(ctx), k, e->plan.n_stream);
        }
        gtr_destroy(ctx);
    }
    CHECK(several >= 12, "%d plans chose several streams", several);
    CHECK(seen > 100, "only %d plans were small enough to be checked", seen);
    CHECK(over > seen, "only %d values lie in others' places", over);
}

/* ---- ops of several outputs ---- */
/* Gates of one layer, by gtr_split or by slices of it: r tanh(c) + (1 - r) z; the last part is read by nobody. */
static gtr_tensor *gate(gtr_tensor *h, bool split, int k)
{
    return split ? gtr_output(h, k) : gtr_slice(h, 1, 6 * k, 6 * k + 6);
}
static net gated(gtr_context *ctx, bool split, int parts, const gtr_trainer_desc *d, gtr_tensor **kept)
{
    net n;
    gtr_tensor *h, *r;
    n.ctx = ctx;
    n.x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
    n.y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    if (parts & REGION) gtr_recompute_begin(ctx);
    h = gtr_linear(n.x, "gates", 24);
    if (parts & STAGES) gtr_stage(ctx, 1);
    if (split) h = gtr_split(h, -1, 4);
    r = gtr_sigmoid(gate(h, split, 1));
    if (parts & DROP) r = gtr_dropout(r, "drop", 0.25f);
    kept[0] = gtr_keep(gate(h, split, 2));
    h = gtr_add(gtr_mul(r, gtr_tanh(gate(h, split, 0))), gtr_mul(gtr_scale(r, -1, 1), kept[0]));
    if (parts & REGION) gtr_recompute_end(ctx);
    kept[1] = h;
    n.logits = gtr_linear(h, "head", CLASSES);
    n.loss = gtr_cross_entropy(n.logits, n.y);
    n.acc = NULL;
    if (parts & STAGES) gtr_stage(ctx, 0);
    n.t = d ? gtr_trainer_create(n.loss, *d) : NULL;
    return n;
}
static void split_as_slices(void)
{
    static const gtr_precision modes[] = { GTR_FP32, GTR_MIXED_BF16, GTR_MIXED_FP16 };
    static shot a, b;
    static gtr_float va[64 * 6], vb[64 * 6];
    int parts, k, i, micro;
    for (parts = 0; parts < 8; parts++) for (k = 0; k < 3; k++) for (micro = 1; micro <= 3; micro += 2) {
        gtr_context *c[2] = { create(), create() };
        gtr_tensor *kept[2][2];
        net n[2];
        gtr_trainer_desc d = adam();
        const int way = (parts & 1 ? DROP : 0) | (parts & 2 ? REGION : 0) | (parts & 4 ? STAGES : 0);
        d.precision = modes[k]; d.micro_batches = micro;
        for (i = 0; i < 2; i++) c[i]->caps.chains = -1; /* whether a chain pays, whose sums are others, may differ */
        for (i = 0; i < 2; i++) n[i] = gated(c[i], i == 0, way, &d, kept[i]);
        if (k && gtr_error(c[0]) == GTR_ERR_UNSUPPORTED) SKIP("%s", gtr_error_text(c[0]));
        else {
            EXPECT_OK(c[0]); EXPECT_OK(c[1]);
            for (i = 0; i < 6; i++) {
                feed(&n[0], i * 16, 16); feed(&n[1], i * 16, 16);
                EXPECT_EQ(gtr_step(n[0].t), GTR_OK); EXPECT_EQ(gtr_step(n[1].t), GTR_OK);
            }
            take(c[0], n[0].t, true, &a); take(c[1], n[1].t, true, &b);
            CHECK(equal(&a, &b), "a split is not its slices: variant %d, precision %d, %d parts", parts, k, micro);
            for (i = 0; i < 2; i++) EXPECT_EQ(gtr_get(kept[i][0], i ? vb : va, 16 * 6 * sizeof *va), GTR_OK);
            CHECK(!memcmp(va, vb, 16 * 6 * sizeof *va), "a kept part: variant %d, precision %d", parts, k);
            EXPECT_OK(c[0]); EXPECT_OK(c[1]);
        }
        gtr_destroy(c[0]); gtr_destroy(c[1]);
    }
}
/* What is to be had of an output: its name, shape and dtype, its value by gtr_eval, a trace and a predictor, a gradient
   by it, where it is read and where it is not. */
static void outputs_read(void)
{
    static gtr_float v[3][16 * 6], w[16 * 6], g[16 * 6];
    gtr_context *ctx = create();
    gtr_trainer_desc d = sgd(0.1f);
    gtr_tensor *kept[2], *h, *part[4], *fetch[4], *by[2];
    gtr_predictor *p;
    net n = gated(ctx, true, 0, &d, kept);
    int k, i;
    h = gtr_split(gtr_linear(n.x, "other", 18), 1, 3);
    for (k = 0; k < 3; k++) {
        const gtr_shape s = gtr_tensor_shape(part[k] = gtr_output(h, k));
        CHECK(s.ndim == 2 && s.dim[0] == GTR_BATCH && s.dim[1] == 6 && gtr_tensor_dtype(part[k]) == GTR_F32,
            "output %d has another shape", k);
        EXPECT(!strcmp(gtr_tensor_name(part[k]), "slice"));
    }
    EXPECT(part[0] == h && gtr_output(part[2], 1) == part[1] && gtr_output(part[1], 0) == h);
    EXPECT(gtr_output(n.x, 0) == n.x && gtr_output(NULL, 0) == NULL);
    feed(&n, 0, 16);
    EXPECT_EQ(gtr_eval(part, 3), GTR_OK);
    for (k = 0; k < 3; k++) EXPECT_EQ(gtr_get(part[k], v[k], sizeof v[k]), GTR_OK);
    EXPECT_EQ(gtr_eval(&part[1], 1), GTR_OK);       /* alone */
    EXPECT_EQ(gtr_get(part[1], w, sizeof w), GTR_OK);
    EXPECT(!memcmp(v[1], w, sizeof w));
    fetch[0] = gtr_slice(h->in[0]->in[0], 1, 12, 18);
    EXPECT_EQ(gtr_eval(fetch, 1), GTR_OK);
    EXPECT_EQ(gtr_get(fetch[0], w, sizeof w), GTR_OK);
    EXPECT(!memcmp(v[2], w, sizeof w));
    by[0] = gtr_gradient(gtr_sum(gtr_mul(part[2], part[2]), NULL, 0, false), part[2]);
    by[1] = gtr_gradient(gtr_sum(part[0], NULL, 0, false), part[1]);
    EXPECT_EQ(gtr_eval(by, 2), GTR_OK);
    for (k = 0; k < 2; k++) {
        bool same = gtr_get(by[k], g, sizeof g) == GTR_OK;
        for (i = 0; i < 16 * 6; i++) same = same && g[i] == (k ? 0 : 2 * v[2][i]);
        CHECK(same, "a gradient by an output: %d", k);
    }
    p = gtr_predictor_create(part[2], 16);
    EXPECT_EQ(gtr_predict(p, pool_x, 16, w), GTR_OK);
    EXPECT(!memcmp(v[2], w, sizeof w) || near32(v[2], w, 16 * 6));
    EXPECT(strstr(gtr_plan_text(n.t, 16), " slice + ") && strstr(gtr_trace(n.t), " slice \"gates\""));
    EXPECT_OK(ctx);
    EXPECT(gtr_output(h, 3) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "output: split of \"other\" has no number 3");
    EXPECT(gtr_output(n.x, 1) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "has no number 1");
    EXPECT(gtr_output(h, -1) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "has no number -1");
    EXPECT(gtr_split(n.x, 1, 5) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "split of \"x\": got float32 (N, 6), 5 parts of dimension 1");
    EXPECT(gtr_split(n.x, 0, 2) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "split of \"x\": got float32 (N, 6), 2 parts of dimension 0");
    EXPECT(gtr_split(n.x, 2, 1) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "axis 2");
    gtr_destroy(ctx);
}
/* Outputs of other shapes and dtypes: labels that an op makes of x, and what it weighs them by. */
static gtr_result label_shape(int n_in, const gtr_shape *in, gtr_shape *out, void *user)
{
    (void)n_in; (void)user;
    out[0] = in[0];
    out[1].ndim = 1; out[1].dim[0] = in[0].dim[0];
    return GTR_OK;
}
static gtr_result label_forward(const gtr_custom_call *c)
{
    const int64_t n = c->out_shapes[1].dim[0], m = c->in_shape[0].dim[1];
    const gtr_float *x = (const gtr_float *)c->in[0];
    int64_t i, k;
    for (i = 0; i < n; i++) {
        double sum = 0;
        for (k = 0; k < m; k++) {
            ((gtr_float *)c->outs[0])[i * m + k] = 2 * x[i * m + k];
            sum += fabs((double)x[i * m + k]);
        }
        ((int32_t *)c->outs[1])[i] = (int64_t)(sum * 64) % 4 ? (int32_t)((int64_t)(sum * 64) % CLASSES) : -100;
    }
    return GTR_OK;
}
static gtr_result label_backward(const gtr_custom_call *c)
{
    int64_t i;
    if (c->douts[1]) return GTR_ERR_USER;
    for (i = 0; c->din[0] && i < gtr__count(&c->in_shape[0]); i++)
        ((gtr_float *)c->din[0])[i] = c->dout ? 2 * ((const gtr_float *)c->dout)[i] : 0;
    return GTR_OK;
}
static void outputs_as_labels(void)
{
    static shot a, b;
    static int32_t labels[48];
    gtr_context *c[2] = { create(), create() };
    gtr_tensor *made = NULL;
    net n[2];
    int k, i;
    for (k = 0; k < 2; k++) {
        gtr_tensor *x, *h;
        gtr_trainer_desc d = adam();
        d.micro_batches = 3;
        x = n[k].x = gtr_input(c[k], "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
        n[k].y = gtr_input(c[k], "y", GTR_I32, gtr_shape1(GTR_BATCH));
        h = gtr_scale(x, 2, 0);
        if (!k) {
            gtr_custom_desc u;
            memset(&u, 0, sizeof u);
            u.name = "label"; u.n_in = 1; u.in[0] = x; u.n_out = 2; u.out_dtype[1] = GTR_I32; u.shape = label_shape;
            u.forward = label_forward; u.backward = label_backward;
            h = gtr_custom(c[k], u);
            made = gtr_output(h, 1);
            EXPECT(!strcmp(gtr_tensor_name(made), "label") && gtr_tensor_dtype(made) == GTR_I32);
            EXPECT(gtr_gradient(gtr_mean(h, NULL, 0, false), made) == NULL);
            EXPECT_ERROR(c[k], GTR_ERR_SHAPE, "want float32");
        }
        h = gtr_linear(gtr_tanh(gtr_linear(h, "fc1", 12)), "fc2", CLASSES);
        n[k].loss = gtr_cross_entropy(h, k ? n[k].y : made);
        n[k].t = gtr_trainer_create(n[k].loss, d);
    }
    for (i = 0; i < 5; i++) {
        feed(&n[0], i * 48, 48); feed(&n[1], i * 48, 48);
        EXPECT_EQ(gtr_eval(&made, 1), GTR_OK);
        EXPECT_EQ(gtr_get(made, labels, sizeof labels), GTR_OK);
        gtr_set(n[1].y, labels, sizeof labels);
        EXPECT_EQ(gtr_step(n[0].t), GTR_OK); EXPECT_EQ(gtr_step(n[1].t), GTR_OK);
        CHECK(gtr_loss(n[0].t) == gtr_loss(n[1].t), "step %d: loss %.9g, want %.9g", i, (double)gtr_loss(n[0].t),
            (double)gtr_loss(n[1].t));
    }
    take(c[0], n[0].t, true, &a); take(c[1], n[1].t, true, &b);
    CHECK(equal(&a, &b), "labels that an op makes train otherwise than the same that are set");
    for (k = 0; k < 2; k++) { EXPECT_OK(c[k]); gtr_destroy(c[k]); }
}
static void several_outputs(void) { split_as_slices(); outputs_read(); outputs_as_labels(); }

/* Callbacks may share what they use: custom ops keep their order on streams that the library chose, and a
   memory limit chooses one. */
static gtr_result plus_one(const gtr_custom_call *c)
{
    const float *x = (const float *)c->in[0];
    float *y = (float *)c->out;
    int64_t i;
    for (i = 0; i < c->out_shape.dim[0] * c->out_shape.dim[1]; i++) y[i] = x[i] + 1;
    return GTR_OK;
}
static void custom_in_order(void)
{
    int lean, i, k, custom = 0;
    for (lean = 0; lean < 2; lean++) {
        gtr_desc desc = desc0();
        gtr_custom_desc c;
        gtr_context *ctx;
        gtr_tensor *x, *list[4];
        gtr_trainer *t;
        gtr__plan_entry *e;
        memset(&c, 0, sizeof c);
        desc.preset = GTR_PRESET_SM90;
        desc.memory_limit = (size_t)4 << 30;
        ctx = gtr_create(desc);
        x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 8));
        for (i = 0; i < 4; i++) {
            static const char *const names[] = { "a", "b", "c", "d" };
            c.name = "plus_one"; c.n_in = 1; c.in[0] = gtr_linear(x, names[i], 8); c.forward = plus_one;
            list[i] = gtr_mul(gtr_linear_with(gtr_custom(ctx, c), gtr_parameter_find(ctx, "a.weight"), NULL),
                gtr_tanh(c.in[0]));
        }
        t = gtr_trainer_create(gtr_mean(gtr_concat(list, 4, 1), NULL, 0, false), adam());
        e = t ? gtr__trainer_entry(t, 64, NULL, true) : NULL;
        if (!CHECK(e != NULL, "no plan: %s", gtr_error_text(ctx))) continue;
        if (lean) EXPECT_EQ(gtr__entry_again(ctx, e, true), GTR_OK);
        CHECK((e->plan.n_stream > 1) == !lean, "%d streams%s", e->plan.n_stream, lean ? " of a lean plan" : "");
        for (k = 0; k < e->plan.n_node; k++)
            if (e->plan.node[k].op == GTR__OP_CUSTOM) { custom++; EXPECT_EQ(e->plan.node[k].stream, 0); }
        gtr_destroy(ctx);
    }
    CHECK(custom >= 8, "%d custom ops", custom);
}

/* Waiting for the device may repeat steps, which makes plans. Here it does so while one more than is kept is asked
   for. */
static gtr_result (*real_wait)(void *);
static gtr_trainer *planning;
static int planned_meanwhile;
static gtr_result wait_and_plan(void *instance)
{
    for (int k = 0; planning && k < 3; k++, planned_meanwhile++) {
        gtr_trainer *t = planning;
        planning = NULL;
        EXPECT(gtr__trainer_entry(t, 3000 + k, NULL, false) != NULL);
        planning = k < 2 ? t : NULL;
    }
    return real_wait(instance);
}
static void plans_meanwhile(void)
{
    gtr_context *ctx = create();
    gtr_trainer_desc d = sgd(0.1f);
    net n = build(ctx, GTR_BATCH, 0, &d);
    const gtr__plan_entry *got;
    int count = 0;
    real_wait = ctx->be->wait;
    ctx->be->wait = wait_and_plan;
    for (int i = 1; i <= GTR__PLANS; i++) EXPECT(gtr__trainer_entry(n.t, i, NULL, false) != NULL);
    planning = n.t; planned_meanwhile = 0;
    got = gtr__trainer_entry(n.t, 2000, NULL, false);
    ctx->be->wait = real_wait;
    EXPECT_EQ(planned_meanwhile, 3);
    for (const gtr__plan_entry *e = ctx->cache.newest; e; e = e->next, count++) if (e == got) got = NULL;
    CHECK(!got && count == GTR__PLANS, "%d plans are kept, the last one %s", count, got ? "is not" : "is");
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* What the plan of a graph of every kind of node is said to be, where the context then gets one more with a recomputed
   region on a second stage, if others. */
static char *planned(gtr_preset preset, gtr_precision precision, size_t limit, bool others, gtr_memory_report *m)
{
    static gtr_float data[96 * 32 * 64];
    gtr_desc desc = desc0();
    gtr_trainer_desc d = adam();
    gtr_context *ctx;
    gtr_tensor *x, *h, *p;
    gtr_trainer *t;
    char *text;
    int k;
    desc.preset = preset; desc.memory_limit = limit;
    if (preset) desc.device = GTR_DEVICE_AUTO;
    d.precision = precision;
    ctx = gtr_create(desc);
    x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 32, 64));
    h = gtr_softmax(gtr_matmul_t(gtr_linear(x, "q", 64), false, gtr_linear(x, "k", 64), true), 2);
    h = gtr_layer_norm(gtr_add(x, gtr_linear(gtr_matmul(h, gtr_linear(x, "v", 64)), "o", 64)), "norm", 1, 0);
    h = gtr_mul(gtr_tanh(gtr_linear(h, "a", 64)), gtr_sigmoid(gtr_linear(h, "b", 64)));
    h = gtr_add(gtr_mean(gtr_mul(h, h), NULL, 0, false), gtr_mean(gtr_exp(gtr_linear(h, "c", 8)), NULL, 0, false));
    t = gtr_trainer_create(h, d);
    if (!preset) EXPECT_EQ(gtr_set(x, data, sizeof data), GTR_OK);
    if (others) {
        gtr_stage(ctx, 1);
        gtr_recompute_begin(ctx);
        p = gtr_tanh(gtr_linear(gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 8)), "other", 8));
        gtr_recompute_end(ctx);
        p = gtr_mean(gtr_mul(p, gtr_linear(p, "more", 8)), NULL, 0, false);
        EXPECT(gtr_trainer_create(p, adam()) != NULL);
    }
    text = strdup(gtr_plan_text(t, 96));
    EXPECT_EQ(gtr_memory_plan(t, 96, m), GTR_OK);
    for (k = 0; k < (preset || !limit ? 0 : 3); k++) EXPECT_EQ(gtr_step(t), GTR_OK);
    EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    return text;
}
/* A plan is its own graph's: neither a memory limit that it does not reach nor regions and stages of other graphs
   change it. Where it passes the limit a plan that takes less runs instead. */
static void own_plans(void)
{
    const int presets = GTR_PRESET_SM121 + 1;
    int k;
    for (k = 0; k < 2 * presets; k++) {
        const gtr_preset preset = (gtr_preset)(k % presets);
        const gtr_precision precision = k < presets ? GTR_FP32 : GTR_TF32;
        gtr_memory_report all, limited, other;
        char *text[3];
        text[0] = planned(preset, precision, 0, false, &all);
        text[1] = planned(preset, precision, (size_t)1 << 30, false, &limited);
        text[2] = planned(preset, precision, 0, true, &other);
        CHECK(!strcmp(text[0], text[1]), "preset %d: under a limit another plan: %.90s", (int)preset, text[1]);
        CHECK(!strcmp(text[0], text[2]), "preset %d: beside others another plan: %.90s", (int)preset, text[2]);
        EXPECT_EQ(limited.total, all.total);
        EXPECT_EQ(other.activations + other.workspace, all.activations + all.workspace);
        free(text[0]); free(text[1]); free(text[2]);
        if (preset == GTR_PRESET_CPU || (!preset && device == GTR_DEVICE_CPU)) continue;
        text[0] = planned(preset, precision, all.total - 1, false, &limited);
        CHECK(limited.total < all.total && strstr(text[0], ", 1 stream,"),
            "a limit of a byte less: %zu of %zu bytes: %.90s", limited.total, all.total, text[0]);
        free(text[0]);
    }
}
/* ---- what a review found ---- */
static gtr_float first_of(gtr_trainer *t, gtr_tensor *p)
{
    static gtr_float g[4096];
    gtr_gradient_get(t, p, g, gtr__bytes_of(p));
    return g[0];
}
/* gtr_gradient inside a trainer's graph, behind stop_gradient: it must not touch the trainer's own gradients */
static void gradient_inside(void)
{
    gtr_context *c1 = create(), *c2 = create();
    gtr_trainer_desc d = sgd(0.01f);
    int k;
    d.no_matchers = true;
    for (k = 1; k <= 2; k++) {
        net a, b;
        gtr_tensor *g;
        char name[16];
        d.micro_batches = k;
        snprintf(name, sizeof name, "m%d", k);
        gtr_scope_begin(c1, name); gtr_scope_begin(c2, name);
        a = build(c1, GTR_BATCH, 0, &d);
        b = build(c2, GTR_BATCH, 0, NULL);
        g = gtr_gradient(b.loss, c2->graph.parameter[c2->graph.n_parameter - 2]);
        b.loss = gtr_add(b.loss, gtr_scale(gtr_stop_gradient(gtr_mean(gtr_mul(g, g), NULL, 0, false)), 0, 0));
        b.t = gtr_trainer_create(b.loss, d);
        feed(&a, 0, 16); feed(&b, 0, 16);
        EXPECT_EQ(gtr_step(a.t), GTR_OK);
        EXPECT_EQ(gtr_step(b.t), GTR_OK);
        EXPECT_OK(c1); EXPECT_OK(c2);
        EXPECT(fabs((double)first_of(a.t, c1->graph.parameter[c1->graph.n_parameter - 2])
            - (double)first_of(b.t, c2->graph.parameter[c2->graph.n_parameter - 2])) < 1e-6);
        gtr_scope_end(c1); gtr_scope_end(c2);
    }
    gtr_destroy(c1); gtr_destroy(c2);
}
/* between gtr_backward and gtr_update: low copies that came meanwhile are written, and plans that are forgotten
   are not the pending one */
static void between_halves(void)
{
    gtr_context *ctx = create();
    gtr_trainer_desc low = sgd(0.1f), d = sgd(0.1f);
    net n = build(ctx, GTR_BATCH, 0, &d);
    gtr_trainer *t2;
    gtr_tensor *w = gtr_parameter_find(ctx, "fc5.weight");
    low.precision = GTR_MIXED_FP16;
    t2 = gtr_trainer_create(n.loss, low);
    feed(&n, 0, 16);
    EXPECT_EQ(gtr_backward(n.t), GTR_OK);
    EXPECT_EQ(gtr_step(t2), GTR_OK);
    gtr_keep(n.logits);
    EXPECT_EQ(gtr_update(n.t), GTR_OK);
    EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    if (CHECK(gtr__storage_of(w)->low[1] != NULL, "no low copy")) {
        static gtr_float master[WIDTH * 16];
        static uint16_t copy[WIDTH * 16];
        size_t i, count = gtr__bytes_of(w) / sizeof *master, bad = 0;
        gtr_get(w, master, gtr__bytes_of(w));
        ctx->be->copy(ctx->instance[0], copy, gtr__storage_of(w)->low[1], count * 2, GTR__TO_HOST, true);
        for (i = 0; i < count; i++) bad += copy[i] != gtr__to_f16((float)master[i]);
        CHECK(bad == 0, "%zu of %zu low copies are not their master's", bad, count);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* a predictor needs inputs without a batch to be set; an expression of parameters alone is
   current; plans do not pile up */
static void current_values(void)
{
    gtr_context *ctx = create();
    gtr_trainer_desc d = sgd(0.1f);
    net n = build(ctx, GTR_BATCH, 0, &d);
    gtr_tensor *bias = gtr_input(ctx, "offset", GTR_F32, gtr_shape1(CLASSES)), *w = gtr_parameter_find(ctx, "fc5.bias"),
        *norm = gtr_sum(gtr_mul(w, w), NULL, 0, false);
    gtr_float zeros[CLASSES] = { 0 };
    gtr_memory_report m;
    gtr__plan_entry *e;
    float before, after;
    int i, count = 0;
    EXPECT(gtr_predictor_create(gtr_add(n.logits, bias), 4) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "offset");
    before = gtr_item(norm);
    feed(&n, 0, 16);
    EXPECT_EQ(gtr_step(n.t), GTR_OK);
    after = gtr_item(norm);
    EXPECT(before != after);
    gtr_set(w, zeros, sizeof zeros);
    EXPECT(gtr_item(norm) == 0);
    for (i = 1; i < 200; i++) EXPECT_EQ(gtr_memory_plan(n.t, i, &m), GTR_OK);
    for (e = ctx->cache.newest; e; e = e->next) count++;
    CHECK(count < 10, "%d plans are kept of 199 that were looked at", count);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* Ever new batch sizes: plans do not pile up, the one between its halves stays, and training goes right through it. */
static void ever_new_batches(void)
{
    enum { MOST = 1500 };
    static gtr_float x[MOST], y[MOST];
    const int sizes = small || device == GTR_DEVICE_CUDA ? 300 : MOST;
    gtr_context *ctx = gtr_create(counted());
    gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 1)),
        *want = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 1));
    gtr_tensor *out = gtr_linear(in, "fc", 1), *loss = gtr_mse(out, want);
    gtr_trainer *t = gtr_trainer_create(loss, sgd(0.1f));
    gtr_float got[2];
    gtr__plan_entry *e;
    double w, b;
    long long held = 0;
    int i, k, plans = 0;
    for (i = 0; i < MOST; i++) { x[i] = (gtr_float)(i % 17) / 8 - 1; y[i] = 3 * x[i] - (gtr_float)(i % 5) / 4; }
    /* recipes are compared as bytes: there are no gaps between their fields, nor half a word at the end */
    EXPECT_EQ(sizeof(gtr__recipe), sizeof(int64_t) + (2 + 32 + GTR__MAX_REPORT) * sizeof(void *) + 12 * sizeof(int));
    EXPECT_EQ(sizeof(gtr__recipe) % 8, 0);
    gtr_get(gtr_parameter_find(ctx, "fc.weight"), got, sizeof *got);
    gtr_get(gtr_parameter_find(ctx, "fc.bias"), got + 1, sizeof *got);
    w = got[0]; b = got[1];
    for (k = 0; k < sizes; k++) {
        const int rows = sizes - k;             /* the largest first: from then on no slot grows */
        double dw = 0, db = 0;
        gtr_set(in, x, (size_t)rows * sizeof *x);
        gtr_set(want, y, (size_t)rows * sizeof *y);
        if (k % 100 == 99) {                    /* between the halves more plans come than are kept */
            EXPECT_EQ(gtr_backward(t), GTR_OK);
            for (i = 0; i < 150; i++) {
                gtr_set(in, x, (size_t)(i + 1) * sizeof *x); EXPECT_EQ(gtr_eval(&out, 1), GTR_OK);
            }
            EXPECT_EQ(gtr_update(t), GTR_OK);
        } else EXPECT_EQ(gtr_step(t), GTR_OK);
        for (i = 0; i < rows; i++) { const double e = 2 * (w * x[i] + b - y[i]) / rows; dw += e * x[i]; db += e; }
        w -= 0.1 * dw; b -= 0.1 * db;
        if (k == sizes / 2) { gtr_wait(ctx); held = asked[GTR_MEMORY_HOST]; }
    }
    gtr_wait(ctx);
    for (e = ctx->cache.newest; e; e = e->next) plans++;
    CHECK(plans < 150, "%d plans are kept of more than %d", plans, sizes);
    CHECK(asked[GTR_MEMORY_HOST] < held + held / 100, "%lld bytes of host memory, and %lld after half of the sizes",
        asked[GTR_MEMORY_HOST], held);
    gtr_get(gtr_parameter_find(ctx, "fc.weight"), got, sizeof *got);
    gtr_get(gtr_parameter_find(ctx, "fc.bias"), got + 1, sizeof *got);
    CHECK(fabs(got[0] - w) < 1e-3 && fabs(got[1] - b) < 1e-3, "%g x + %g, want %g x + %g", (double)got[0],
        (double)got[1], w, b);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* Gradients of parameters leave the first stream, but for the last: nothing else is left there, and GUARD need not wait
   for another. */
static void last_gradient(void)
{
    gtr_desc c;
    gtr_context *ctx;
    gtr__plan_entry *e;
    net n;
    gtr_trainer_desc d = adam();
    int i, apart = 0;
    memset(&c, 0, sizeof c);
    c.preset = GTR_PRESET_SM90;
    ctx = gtr_create(c);
    n = build(ctx, GTR_BATCH, 0, &d);
    e = gtr__trainer_entry(n.t, 64, NULL, false);
    if (!CHECK(e != NULL, "no plan: %s", gtr_error_text(ctx))) return;
    for (i = 0; i < e->plan.right_begin; i++) apart += e->plan.node[i].stream != 0;
    CHECK(apart >= 4 && e->plan.node[e->plan.right_begin - 1].stream == 0, "%d nodes apart; %s", apart,
        gtr_plan_text(n.t, 64));
    gtr_destroy(ctx);
}
/* What a device that looks at any time sees of a record that the host writes for a step that is repeated: single steps
   of the host's instructions, behind each of which a record that says it is the step's is the old or the new one. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__)
#include <signal.h>
static gtr__record *slot, whole[2];
static volatile int looks, seen_early;
static void single_step(int signal)
{
    (void)signal;
    looks++;
    seen_early += *(volatile uint64_t *)&slot->step == GTR__RING + 5 && memcmp(slot, &whole[0], sizeof *slot) != 0
        && memcmp(slot, &whole[1], sizeof *slot) != 0;
}
#define SINGLE_STEPS(flags) __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t" flags \
    "\n\tpopfq\n\tlea 128(%%rsp), %%rsp" : : : "memory", "cc")
static void published_last(void)
{
    gtr__runner *r = (gtr__runner *)calloc(1, sizeof *r);
    gtr__record now;
    struct sigaction to, was;
    memset(&to, 0, sizeof to);
    to.sa_handler = single_step;
    r->shared = (gtr__shared *)calloc(1, sizeof *r->shared);
    slot = &r->shared->record[5];
    for (int again = 0; again < 3; again++) {
        memset(&now, 0x11 * (again + 1), sizeof now);
        now.step = again ? GTR__RING + 5 : 0;           /* as it was copied from the ring */
        whole[0] = *slot;
        whole[1] = now;
        whole[1].step = GTR__RING + 5;
        sigaction(SIGTRAP, &to, &was);
        SINGLE_STEPS("orq $0x100, (%%rsp)");
        gtr__record_write(r, GTR__RING + 5, &now);
        SINGLE_STEPS("andq $~0x100, (%%rsp)");
        sigaction(SIGTRAP, &was, NULL);
        EXPECT(!memcmp(slot, &whole[1], sizeof now));
    }
    if (!looks) SKIP("no single steps here");
    CHECK(!seen_early, "%d of %d times a record was its step's before it was whole", seen_early, looks);
    free(r->shared);
    free(r);
}
#else
static void published_last(void) { SKIP("single steps are x86-64's"); }
#endif
/* What gtr_set brings, few bytes or many, two at a time of either, is what the next run reads, whatever was queued. */
static void queued_sets(void)
{
    enum { WIDE = 256, ROWS = 200, STEPS = 48 };
    static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
    static const int sizes[] = { 2, 2, 3, 3, 150, 3, 150, 150, 4, ROWS, 4, ROWS, 199, 1, 1, 1 };
    static gtr_float x[(ROWS + STEPS) * WIDE], got[2][8 * WIDE], seen[2][STEPS];
    const int steps = small ? 16 : STEPS;
    uint32_t seed = 5;
    int i, k, waits;
    for (i = 0; i < (ROWS + STEPS) * WIDE; i++) x[i] = noise(&seed) + (gtr_float)(i / WIDE) / STEPS;
    for (waits = 0; waits < 2; waits++) {
        gtr_context *ctx = create();
        gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDE)), *h = in, *mean, *w;
        gtr_trainer *t;
        for (i = 0; i < 6; i++) h = gtr_tanh(gtr_linear(h, names[i], i < 5 ? WIDE : 8));
        t = gtr_trainer_create(gtr_mse(h, gtr_slice(in, 1, 0, 8)), sgd(0.1f));
        mean = gtr_mean(in, NULL, 0, false);
        for (i = 0; i < steps; i++) {
            const int rows = sizes[i % 16];
            double sum = 0;
            gtr_set(in, x + i * WIDE, (size_t)(rows * WIDE) * sizeof *x);
            if (i % 5 != 4) EXPECT_EQ(gtr_step(t), GTR_OK);
            if (i % 3 == 2) EXPECT_EQ(gtr_step(t), GTR_OK);
            if (waits) EXPECT_EQ(gtr_wait(ctx), GTR_OK);
            if (i % 7 != 6) continue;
            gtr_eval(&mean, 1);
            gtr_get(mean, &seen[waits][i], sizeof **seen);
            for (k = 0; k < rows * WIDE; k++) sum += (double)x[i * WIDE + k];
            sum /= rows * WIDE;
            CHECK(fabs((double)seen[waits][i] - sum) < 1e-5 * (1 + fabs(sum)),
                "set %d: the mean seen is %.9g, want %.9g", i, (double)seen[waits][i], sum);
        }
        w = gtr_parameter_find(ctx, "f.weight");
        EXPECT_EQ(gtr_get(w, got[waits], sizeof got[waits]), GTR_OK);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
    CHECK(!memcmp(got[0], got[1], sizeof *got) && !memcmp(seen[0], seen[1], sizeof *seen),
        "a loop of gtr_set and gtr_step gives other bits than one that waits");
}
/* Values come from a user's memory, and go there, whatever its address. */
static void unaligned(void)
{
    enum { ROWS = 9 };
    static const int32_t id[ROWS] = { 3, 0, 4, 1, 4, 3, 2, 2, 0 };
    static gtr_float x[ROWS * 4];
    static char from[3][sizeof x + 3], to[2][2][ROWS * 5 * sizeof *x + 3];
    static shot s[2];
    uint32_t seed = 5;
    int odd, i;
    for (i = 0; i < ROWS * 4; i++) x[i] = noise(&seed);
    for (odd = 0; odd < 2; odd++) {
        gtr_context *ctx = create();
        gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 4)),
            *ids = gtr_input(ctx, "ids", GTR_I32, gtr_shape1(GTR_BATCH)), *labels, *h, *w;
        gtr_trainer_desc d = adam();
        gtr_trainer *t;
        gtr_predictor *p;
        memcpy(from[0] + odd, x, sizeof x); memcpy(from[1] + odd, id, sizeof id);
        memcpy(from[2] + odd, x, 4 * sizeof *x);
        labels = gtr_constant(ctx, GTR_I32, gtr_shape1(ROWS), from[1] + odd);
        h = gtr_mul(in, gtr_constant(ctx, GTR_F32, gtr_shape1(4), from[2] + odd));
        h = gtr_add(gtr_linear(h, "fc", 5), gtr_embedding(ids, "table", 6, 5));
        t = gtr_trainer_create(gtr_add(gtr_mean(gtr_mul(h, h), NULL, 0, false),
            gtr_cross_entropy(gtr_embedding_with(labels, gtr_parameter_find(ctx, "table.weight")),
                labels)), d);
        EXPECT(t != NULL);
        EXPECT_EQ(gtr_set(in, from[0] + odd, sizeof x), GTR_OK);
        EXPECT_EQ(gtr_set(ids, from[1] + odd, sizeof id), GTR_OK);
        w = gtr_parameter_find(ctx, "fc.weight");
        EXPECT_EQ(gtr_set(w, from[0] + odd, 20 * sizeof *x), GTR_OK);
        for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(t), GTR_OK);
        EXPECT_EQ(gtr_gradient_get(t, w, to[odd][0] + odd, 20 * sizeof *x), GTR_OK);
        EXPECT_EQ(gtr_eval(&h, 1), GTR_OK);
        EXPECT_EQ(gtr_get(h, to[odd][0] + odd, ROWS * 5 * sizeof *x), GTR_OK);
        CHECK(!memcmp(to[odd][0] + odd, to[0][0], ROWS * 5 * sizeof *x), "values at an odd address are others");
        p = gtr_predictor_create(gtr_linear_with(in, w, NULL), 4);
        EXPECT_EQ(gtr_predict(p, from[0] + odd, ROWS, to[odd][1] + odd), GTR_OK);
        CHECK(!memcmp(to[odd][1] + odd, to[0][1], ROWS * 5 * sizeof *x), "a prediction at an odd address is another");
        gtr_predictor_destroy(p);
        take(ctx, t, true, &s[odd]);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
    CHECK(equal(&s[0], &s[1]), "training from an odd address goes another way");
}
/* recomputation saves memory in reduced precision too */
static void recomputed_low(void)
{
    int low;
    for (low = 0; low < 2; low++) {
        size_t bytes[2];
        int region;
        for (region = 0; region < 2; region++) {
            gtr_context *ctx = create();
            gtr_trainer_desc d = adam();
            gtr_memory_report m;
            gtr_tensor *h = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 64)),
                *y = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 64));
            gtr_trainer *t;
            int k;
            d.precision = low ? GTR_MIXED_FP16 : GTR_FP32;
            d.no_matchers = true;
            for (k = 0; k < 9; k++) {
                char name[24];
                snprintf(name, sizeof name, "fc%d", k);
                if (region && k % 3 == 0) gtr_recompute_begin(ctx);
                h = gtr_exp(gtr_tanh(gtr_linear(h, name, 64))); /* exp is float32: casts come in between */
                if (region && k % 3 == 2) gtr_recompute_end(ctx);
            }
            t = gtr_trainer_create(gtr_mse(h, y), d);
            EXPECT_EQ(gtr_memory_plan(t, 4096, &m), GTR_OK);
            bytes[region] = m.activations;
            gtr_destroy(ctx);
        }
        CHECK(bytes[1] < bytes[0] * 3 / 4, "precision %d: %zu bytes recomputed, %zu kept", low, bytes[1], bytes[0]);
    }
}
/* Ops whose gradient goes where x equals y: a region that hands y on, which is kept, computes x again, and what is
   chosen to be computed again may be x alone. In 16 bits both must be rounded in the same places, or no element is
   equal and the gradient is lost. */
static void compared_again(void)
{
    static const char *const names[] = { "max_pool", "max", "sort", "norm" };
    for (int k = 0; k < 16; k++) {
        enum { KEPT, REGION_AGAIN, CHOSEN, WAYS = CHOSEN + GTR__AGAIN_SHARES };
        float dw[WAYS][4], x[4 * 12], largest = 0, off = 0;
        const int how = k % 4, axis = 1;
        const bool sum = k / 4 % 2, half = k / 8;
        if (!half && !has_bf16()) continue;
        for (int i = 0; i < 48; i++) x[i] = sinf(1.7f * (float)(i * i + how)) + 0.1f;
        for (int again = KEPT; again < WAYS; again++) {
            gtr_context *ctx = create();
            gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, 2, 3, 2)), *h;
            gtr_trainer_desc d = adam();
            gtr_trainer *t;
            if (again == REGION_AGAIN) gtr_recompute_begin(ctx);
            h = gtr_tanh(gtr_linear(in, "l", 2));
            if (sum) h = gtr_residual(in, h, "r");
            h = how == 0   ? gtr_max_pool2d(h, 2, 2, 1)
                : how == 1 ? gtr_max(h, &axis, 1, false)
                : how == 2 ? gtr_sort(h, 1, false)
                           : gtr_norm(h, INFINITY, &axis, 1, false);
            if (again == REGION_AGAIN) gtr_recompute_end(ctx);
            d.precision = half ? GTR_MIXED_FP16 : GTR_MIXED_BF16;
            d.loss_scale = half ? 8.0f : 0;
            t = gtr_trainer_create(gtr_mean(gtr_square(gtr_scale(h, 1, 0.3f)), NULL, 0, false), d);
            if (again >= CHOSEN) t->again.choice = GTR__AGAIN(again - CHOSEN + 1, GTR__AGAIN_PARTS - 1);
            EXPECT_EQ(gtr_set(in, x, sizeof x), GTR_OK);
            EXPECT_EQ(gtr_backward(t), GTR_OK);
            EXPECT_EQ(gtr_gradient_get(t, gtr_parameter_find(ctx, "l.weight"), dw[again], sizeof dw[0]), GTR_OK);
            EXPECT_OK(ctx);
            gtr_destroy(ctx);
        }
        for (int i = 0; i < 4; i++) {
            largest = fmaxf(largest, fabsf(dw[0][i]));
            for (int again = REGION_AGAIN; again < WAYS; again++) off = fmaxf(off, fabsf(dw[0][i] - dw[again][i]));
        }
        CHECK(off <= (half ? 0.006f : 0.04f) * largest, "%s of %s, %s: gradients recomputed are %g off, of %g",
            names[how], sum ? "a sum" : "a product", half ? "float16" : "bfloat16", (double)off, (double)largest);
    }
}

/* A profile's rates are what its bytes, flops and microseconds give, and its nodes (by_node) or ops add up. */
static void profile_adds_up(const char *text)
{
    double us, share, mb, mflop, gb_s, tflop_s, sum[4] = { 0 }, step = 0;
    const char *line, *at;
    bool all = false, ops = false;
    at = strstr(text, ": ");
    CHECK(at && sscanf(at, ": %lf us as launched", &step) == 1 && step > 0, "the first line of %s", text);
    for (line = strchr(text, '\n'); line && *++line; line = strchr(line, '\n')) {
        const char *end = strchr(line, '\n'), *u = strstr(line, " us ");
        if (!end || !u || u > end) continue;
        for (at = u; at > line && strchr("0123456789.", at[-1]); at--) { }
        if (!CHECK(sscanf(at, "%lf us %lf %% %lf MB %lf MFLOP %lf GB/s %lf TFLOP/s", &us, &share, &mb, &mflop, &gb_s,
                          &tflop_s) == 6, "a line of a profile: %s", line)) return;
        if ((at = strstr(line, " x ")) && at < end) ops = true;
        if (!ops) { sum[0] += us; sum[1] += mb; sum[2] += mflop; }
        all = strstr(line, "a node, in all") && strstr(line, "a node, in all") < end;
        if (us < 0.1) continue;         /* too few digits are shown */
        /* what rounding hides */
        CHECK(fabs(gb_s - mb / us * 1e3) <= 0.51 + (0.0006 + mb * 0.006 / us) / us * 1e3,
              "%g MB in %g us are %g GB/s", mb, us, gb_s);
        CHECK(fabs(tflop_s - mflop / us) <= 0.0051 + (0.0006 + mflop * 0.006 / us) / us,
              "%g MFLOP in %g us are %g TFLOP/s", mflop, us, tflop_s);
        CHECK(fabs(share - us / step * 100) <= 0.051 + (0.51 + share * 0.0051) / step,
              "%g of %g us are %g %%", us, step, share);
        if (all) CHECK(fabs(sum[0] - us) <= 1 + 0.01 * us && fabs(sum[1] - mb) <= 0.1 && fabs(sum[2] - mflop) <= 0.1,
                       "%g us, %g MB, %g MFLOP of %g, %g, %g", us, mb, mflop, sum[0], sum[1], sum[2]);
    }
    CHECK(all, "the last line of %s", text);
}
/* What is fused costs what its parts cost together: a layer's product, and more. */
static void flops_fused(void)
{
    gtr_context *ctx = create();
    gtr_trainer_desc d = adam();
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 24));
    gtr_tensor *y = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 5));
    const gtr__plan *p;
    gtr__plan_entry *e;
    gtr_trainer *t;
    int i, fused = 0;
    d.no_matchers = true;
    t = gtr_trainer_create(gtr_mse(gtr_linear(gtr_tanh(gtr_linear(x, "a", 40)), "b", 5), y), d);
    e = gtr__observed(t, 64, false, "flops_fused");
    if (CHECK(e != NULL, "no plan: %s", gtr_error_text(ctx))) {
        for (p = &e->plan, i = 0; i < p->n_node; i++) {
            const gtr__node *n = &p->node[i];
            const bool last = !strcmp(n->layer, "b");
            EXPECT(n->flops >= 0 && n->flops < 1e6);
            if (n->op != GTR__OP_LINEAR_ACT && n->op != GTR__OP_LINEAR_DACT) continue;
            CHECK(n->flops > 2.0 * 64 * 40 * (last ? 5 : 24), "%s \"%s\" has %g flops", gtr__row(n->op)->name,
                  n->layer, n->flops);
            fused++;
        }
        if (device == GTR_DEVICE_CPU) EXPECT(fused > 0);
        gtr__observed_drop(ctx, e);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* Contexts leave no file open. */
static void files_closed(void)
{
#ifdef __linux__
    gtr_desc desc = desc0();
    int i, round, n[2] = { 0, 0 };
    desc.threads = 0;                           /* as many as there are cores, says the system in files */
    if (device != GTR_DEVICE_CPU) gtr_destroy(gtr_create(desc));        /* the driver keeps some open */
    for (round = 0; round < 2; round++) {
        for (i = 3; i < 256; i++) n[round] += fcntl(i, F_GETFD) >= 0;
        for (i = 0; i < 3 && !round; i++) gtr_destroy(gtr_create(desc));
    }
    EXPECT_EQ(n[1], n[0]);
#else
    SKIP("not Linux");
#endif
}
/* gtr_profile runs steps and nodes many times and changes no bit that a user sees. */
static void profiled_with(gtr_trainer_desc d, int parts, bool data, bool by_node)
{
    static shot a, b;
    gtr_context *c1 = create(), *c2 = create();
    net n = build(c1, GTR_BATCH, parts, &d), m = build(c2, GTR_BATCH, parts, &d);
    gtr_report before, after;
    const char *text;
    int i;
    if (!n.t && gtr_error(c1) == GTR_ERR_UNSUPPORTED) {
        SKIP("%s", gtr_error_text(c1)); gtr_destroy(c1); gtr_destroy(c2); return;
    }
    if (data) {
        EXPECT_EQ(gtr_trainer_data(n.t, points(c1, 70), 32, true, false), GTR_OK);
        EXPECT_EQ(gtr_trainer_data(m.t, points(c2, 70), 32, true, false), GTR_OK);
    }
    for (i = 0; i < 9; i++) {
        if (!data) { feed(&n, 16 * i, 16); feed(&m, 16 * i, 16); }
        if (i == 6 || (i == 2 && !small)) {    /* once before the tail batch, once after it */
            take(c2, m.t, true, &a);
            before = gtr_trainer_report(m.t);
            text = gtr_profile(m.t, by_node);
            CHECK(strstr(text, "as launched") && strstr(text, " us") && strstr(text, "in all")
                && strstr(text, data ? "batch 32" : "batch 16"), "the profile is \"%s\"", text);
            profile_adds_up(text);
            EXPECT(!by_node
                || (strstr(text, "update \"optimizer\"") && strstr(text, "fc4") && !strstr(text, "one kernel")));
            after = gtr_trainer_report(m.t);
            take(c2, m.t, true, &b);
            CHECK(equal(&a, &b) && same_report(&before, &after),
                "a profile changes parameters, states, gradients or the report");
        }
        EXPECT_EQ(gtr_step(n.t), GTR_OK); EXPECT_EQ(gtr_step(m.t), GTR_OK);
    }
    take(c1, n.t, true, &a); take(c2, m.t, true, &b);
    CHECK(equal(&a, &b) && gtr_loss(n.t) == gtr_loss(m.t), "after a profile training goes another way");
    EXPECT_EQ(gtr_trainer_report(m.t).step, i);
    EXPECT_OK(c1); EXPECT_OK(c2);
    gtr_destroy(c1); gtr_destroy(c2);
}
/* Where the launch of a node alone fails (on the CPU what is launched is the plan), there is no profile,
   and nothing has changed. */
static gtr_result launch_no_node(void *const *i, void *e, gtr__half part) {
    return ((const gtr__plan *)e)->n_value ? real.launch(i, e, part) : GTR_ERR_USER;
}
static void profiled_badly(void)
{
    static shot a, b;
    gtr_desc desc = desc0();
    gtr_context *ctx;
    gtr_trainer_desc d = adam();
    net n;
    int k;
    if (device != GTR_DEVICE_CPU) return;
    /* with a limit that leaves no room to see what the device reaches, and without one */
    for (k = small; k < 2; k++) {
        desc.memory_limit = k ? 0 : 1 << 20;
        ctx = gtr_create(desc);
        real = *ctx->be;
        n = build(ctx, GTR_BATCH, NORM, &d);
        EXPECT_EQ(gtr_trainer_data(n.t, points(ctx, 70), 32, true, false), GTR_OK);
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        take(ctx, n.t, true, &a);
        EXPECT(strstr(gtr_profile(n.t, true), "in all") != NULL);
        EXPECT(!strstr(gtr_profile(n.t, true), "floors by 0 GB/s of a copy and 0 TFLOP/s") == (k == 1));
        ctx->desc.memory_limit = ((size_t)64 << 20) + ctx->memory.device_bytes - 1; /* a byte less than it would take */
        EXPECT(strstr(gtr_profile(n.t, true), "floors by 0 GB/s of a copy and 0 TFLOP/s") != NULL);
        ctx->desc.memory_limit = desc.memory_limit;
        EXPECT_OK(ctx);
        ctx->be->launch = launch_no_node;
        EXPECT(!strcmp(gtr_profile(n.t, true), ""));
        EXPECT_ERROR(ctx, GTR_ERR_USER, "callback");
        ctx->be->launch = real.launch;
        take(ctx, n.t, true, &b);
        CHECK(equal(&a, &b), "a profile that failed changed parameters, states or gradients");
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Launches that no report counted are waited for, and then forgotten. */
static void uncounted(void)
{
    gtr_context *ctx = create();
    gtr_trainer_desc d = adam();
    net n = build(ctx, GTR_BATCH, 0, &d);
    int i;
    EXPECT_EQ(gtr_trainer_data(n.t, points(ctx, 70), 32, true, false), GTR_OK);
    EXPECT_EQ(gtr_step(n.t), GTR_OK);
    n.t->runner->launched += GTR__RING;
    for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(n.t), GTR_OK);
    EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    EXPECT_EQ(gtr_trainer_report(n.t).applied, 4);
    EXPECT(n.t->runner->launched == n.t->runner->shared->launches);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
static void profiled(void)
{
    gtr_trainer_desc d = adam(), e = sgd(0.1f);
    gtr_group group;
    gtr_context *ctx = create();
    memset(&group, 0, sizeof group);
    group.pattern = "fc2.*"; group.lr_scale = 0.5f;
    if (few()) { gtr_destroy(ctx); return; }    /* a profile runs thousands of steps */
    if (!small) profiled_with(d, 0, true, false);
    d.clip_norm = 1; d.groups = &group; d.n_groups = 1;
    profiled_with(d, DROP | NORM, true, true);
    d.precision = GTR_MIXED_FP16;
    if (!small) profiled_with(d, DROP, false, false);
    e.momentum = 0.9f; e.micro_batches = 2; e.precision = GTR_MIXED_BF16;
    profiled_with(e, NORM | REGION, false, true);
    e.precision = GTR_FP32;
    if (device == GTR_DEVICE_CPU && !small) profiled_with(e, STAGES, true, false);
    EXPECT(!strcmp(gtr_profile(NULL, false), ""));
    EXPECT(!strcmp(gtr_profile(build(ctx, GTR_BATCH, 0, &d).t, false), ""));     /* no inputs yet */
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "was not set");
    gtr_destroy(ctx);
}

/* ---- gradients of tables as lookups: what the dense way gives, to the bit ---- */
enum { LOOKUP_BATCH = 1201, LOOKUP_TABLES = 5, LOOKUP_MOST = 2000 * 132 };
static const int64_t lookup_rows[LOOKUP_TABLES] = { 5000, 4100, 2000, 9000, 100 },
    lookup_width[LOOKUP_TABLES] = { 16, 3, 132, 8, 8 }, lookup_ids[LOOKUP_TABLES] = { 2, 1, 1, 5, 1 };
enum { PLAIN, TWICE, A_PRODUCT_TOO, FROZEN };
typedef struct lookup_kind { gtr_trainer_desc desc; int table1, parts; } lookup_kind;   /* parts: tables as lookups */
typedef struct lookup_net { gtr_context *ctx; gtr_tensor *id[LOOKUP_TABLES], *x, *y; gtr_trainer *t; } lookup_net;
static lookup_net lookup_build(const lookup_kind *k, bool dense, gtr_preset preset)
{
    const gtr_group groups[] = { { "e0.*", 0.5f, 0.01f, false }, { "e1.*", 0, 0, true } };
    gtr_trainer_desc d = k->desc;
    gtr_tensor *part[LOOKUP_TABLES + 2], *table;
    char name[8];
    lookup_net n;
    int i, parts = 0;
    gtr_desc of = desc0();
    of.preset = preset;
    n.ctx = gtr_create(of);
    n.ctx->caps.chains = -1;        /* which add in another order */
    for (i = 0; i < LOOKUP_TABLES; i++) {
        snprintf(name, sizeof name, "i%d", i);
        n.id[i] = gtr_input(n.ctx, name, GTR_I32, gtr_shape2(GTR_BATCH, lookup_ids[i]));
        name[0] = 'e';
        part[parts++] = gtr_flatten(gtr_embedding(n.id[i], name, lookup_rows[i], lookup_width[i]));
    }
    n.x = part[parts++] = gtr_input(n.ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3));
    n.y = gtr_input(n.ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 2));
    table = gtr_parameter_find(n.ctx, "e1.weight");
    if (k->table1 == TWICE) part[parts++] = gtr_flatten(gtr_embedding_with(n.id[4], table));
    if (k->table1 == A_PRODUCT_TOO) part[parts++] = gtr_matmul_t(n.x, false, gtr_slice(table, 0, 5, 9), true);
    d.no_matchers = dense;
    d.groups = groups;
    d.n_groups = k->table1 == FROZEN ? 2 : 1;
    n.t = gtr_trainer_create(gtr_mse(gtr_linear(gtr_relu(gtr_linear(gtr_concat(part, parts, -1), "fc1", 24)), "fc2", 2),
        n.y), d);
    CHECK(gtr_error(n.ctx) == GTR_OK && n.t, "%s", gtr_error_text(n.ctx));
    return n;
}
/* Half of the ids are one and the same. Every third step in its halves, with a gradient doubled between them. */
static void lookup_step(lookup_net *n, uint32_t seed, double big, bool halves)
{
    static int32_t id[5 * LOOKUP_BATCH];
    static gtr_float v[LOOKUP_MOST];
    const int64_t rows = LOOKUP_BATCH - (seed % 3 == 2 ? 100 : 0);
    gtr_tensor *p = gtr_parameter_find(n->ctx, "e3.weight");
    uint32_t s = seed;
    int64_t i;
    int k;
    for (k = 0; k < LOOKUP_TABLES; k++) {
        for (i = 0; i < rows * lookup_ids[k]; i++) {
            id[i] = (int32_t)((noise(&s) + 1) * 0.5f * (float)lookup_rows[k]) % (int32_t)lookup_rows[k];
            if (noise(&s) < 0) id[i] = 7;
        }
        EXPECT_EQ(gtr_set(n->id[k], id, (size_t)(rows * lookup_ids[k]) * sizeof *id), GTR_OK);
    }
    for (i = 0; i < 3 * rows; i++) v[i] = (gtr_float)noise(&s);
    v[4] = (gtr_float)big;
    EXPECT_EQ(gtr_set(n->x, v, (size_t)(3 * rows) * sizeof *v), GTR_OK);
    EXPECT_EQ(gtr_set(n->y, v + 3, (size_t)(2 * rows) * sizeof *v), GTR_OK);
    if (!halves) { EXPECT_EQ(gtr_step(n->t), GTR_OK); return; }
    EXPECT_EQ(gtr_backward(n->t), GTR_OK);
    EXPECT_EQ(gtr_gradient_get(n->t, p, v, gtr__bytes_of(p)), GTR_OK);
    for (i = 0; i < 9000 * 8; i++) v[i] *= 2;
    EXPECT_EQ(gtr_gradient_set(n->t, p, v, gtr__bytes_of(p)), GTR_OK);
    EXPECT_EQ(gtr_update(n->t), GTR_OK);
}
static void lookups_like(const lookup_net *a, const lookup_net *b, bool exact, bool gradients, const char *when)
{
    static gtr_float x[LOOKUP_MOST], y[LOOKUP_MOST];
    int64_t i, count = gtr_parameter_count(a->ctx);
    int k;
    for (i = 0; i < count; i++) for (k = gradients ? -2 : -1; k < a->t->optim.all; k++) {
        gtr_tensor *p = gtr_parameter_at(a->ctx, i), *q = gtr_parameter_at(b->ctx, i);
        const size_t bytes = gtr__bytes_of(p);
        const int64_t n = (int64_t)(bytes / sizeof *x);
        gtr_result r = k == -2 ? gtr_gradient_get(a->t, p, x, bytes) : k == -1 ? gtr_get(p, x, bytes)
            : gtr_state_get(a->t, p, k, x, bytes);
        gtr_result s = k == -2 ? gtr_gradient_get(b->t, q, y, bytes) : k == -1 ? gtr_get(q, y, bytes)
            : gtr_state_get(b->t, q, k, y, bytes);
        if (r == GTR_ERR_STATE && s == r) { gtr_error_clear(a->ctx); gtr_error_clear(b->ctx); continue; }  /* frozen */
        CHECK(r == GTR_OK && s == GTR_OK && (exact ? !memcmp(x, y, bytes) : near(x, y, n, 1e-10, 1e-4)),
            "%s: %d of \"%s\" differs (%s)", when, k, p->name, gtr_error_text(a->ctx));
    }
}
static int occurrences(const char *text, const char *of)
{
    int n = 0;
    for (; (text = strstr(text, of)) != NULL; text++) n++;
    return n;
}
static void table_gradients(void)
{
    const lookup_kind kinds[] = {
        { { .optimizer = GTR_ADAM, .weight_decay = 0.01f }, PLAIN, 4 },
        { { .optimizer = GTR_SGD, .momentum = 0.9f, .nesterov = true, .ema = 0.9f }, TWICE, 3 },
        { { .optimizer = GTR_ADAMW, .clip_norm = 0.01f, .streams = 4 }, A_PRODUCT_TOO, 3 },
        { { .optimizer = GTR_RMSPROP, .momentum = 0.5f, .nonfinite = GTR_NONFINITE_LOSS }, FROZEN, 3 },
        { { .optimizer = GTR_LION, .precision = GTR_MIXED_FP16 }, PLAIN, 4 },
        { { .optimizer = GTR_ADAM, .precision = GTR_MIXED_BF16 }, PLAIN, 4 },
        { { .optimizer = GTR_SGD, .micro_batches = 3 }, PLAIN, 0 },
    };
    int k, i;
    for (k = 0; k < (int)(sizeof kinds / sizeof *kinds); k++) {
        const bool exact = !(kinds[k].desc.clip_norm > 0);   /* the norm's terms are added in another order */
        if (kinds[k].desc.precision == GTR_MIXED_BF16 && !has_bf16()) continue;
        lookup_net a = lookup_build(&kinds[k], false, GTR_PRESET_NONE),
            b = lookup_build(&kinds[k], true, GTR_PRESET_NONE), c = lookup_build(&kinds[k], false, GTR_PRESET_SM90);
        char when[32];
        const int lookups = occurrences(gtr_plan_text(c.t, LOOKUP_BATCH), " lookups gradient");
#ifdef GPUTRAIN_CUDA /* whose matcher may take lookups of several tables as one */
        CHECK(lookups >= 2 * kinds[k].parts && lookups <= 3 * kinds[k].parts, "%d: %d", k, lookups);
#else
        EXPECT_EQ(lookups, 3 * kinds[k].parts);
#endif
        EXPECT_EQ(occurrences(gtr_plan_text(c.t, 100000), " lookups "), 0);
        gtr_destroy(c.ctx);
        EXPECT_EQ(occurrences(gtr_plan_text(b.t, LOOKUP_BATCH), " lookups "), 0);
        i = occurrences(gtr_plan_text(a.t, LOOKUP_BATCH), " lookups gradient");
        CHECK(!a.ctx->caps.lookups ? i == 0 : i == 2 * kinds[k].parts || i == 3 * kinds[k].parts,
            "%d gradients as lookups, want %d", i, 3 * kinds[k].parts);
        for (i = 0; i < 7; i++) {
            snprintf(when, sizeof when, "kind %d, step %d", k, i);
            lookup_step(&a, (uint32_t)(2 + i), 0.5, i == 3); lookup_step(&b, (uint32_t)(2 + i), 0.5, i == 3);
            if (i > 4) lookups_like(&a, &b, exact, i == 6, when);
        }
        lookups_like(&a, &b, exact, true, "again");
        CHECK(strstr(gtr_trace(a.t), "e3.weight") && strstr(gtr_trace(b.t), "e3.weight"), "the trace has no table");
        lookups_like(&a, &b, exact, true, "traced");
        lookup_step(&a, 2, 0.5, false); lookup_step(&b, 2, 0.5, false);
        if (kinds[k].desc.precision != GTR_MIXED_FP16) {
            lookup_step(&a, 3, (double)NAN, false); lookup_step(&b, 3, (double)NAN, false);
            EXPECT_EQ(gtr_wait(a.ctx), GTR_ERR_NONFINITE);
            EXPECT_EQ(gtr_wait(b.ctx), GTR_ERR_NONFINITE);
            CHECK(!strcmp(gtr_error_text(a.ctx), gtr_error_text(b.ctx)), "%s; %s", gtr_error_text(a.ctx),
                gtr_error_text(b.ctx));
            gtr_error_clear(a.ctx);
            gtr_error_clear(b.ctx);
        }
        gtr_destroy(a.ctx);
        gtr_destroy(b.ctx);
    }
}

/* ---- tables looked up in one launch, which writes where they are concatenated to: as one by one, of up to 2048 ids
   to the bit ---- */
enum { JOINED, SAME_TWICE, KEPT_PART, USED_TWICE, IN_RUNS, ALONG, MANY_TABLES, TABLE_KINDS };
static lookup_net tables_build(int kind, const gtr_trainer_desc *how, bool alone)
{
    const int tables = kind == MANY_TABLES ? 20 : 6;
    gtr_trainer_desc d = *how;
    gtr_tensor *part[24], *y, *loss;
    char name[8];
    lookup_net n;
    int i, parts = 0;
    n.ctx = create();
    n.ctx->caps.chains = -1;        /* which add in another order */
    n.id[0] = gtr_input(n.ctx, "ids", GTR_I32, gtr_shape2(GTR_BATCH, 2));
    n.x = gtr_input(n.ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 1, 8));
    n.y = gtr_input(n.ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 2));
    for (i = 0; i < tables; i++) {
        snprintf(name, sizeof name, "e%d", i);
        y = gtr_embedding(n.id[0], name, i % 3 == 2 ? 40 : 4000, kind == ALONG ? 3 + 5 * i : 8);
        part[parts++] = kind == IN_RUNS || kind == ALONG ? y : gtr_flatten(y);
        if (i == 2 && kind != IN_RUNS && kind != ALONG) part[parts++] = gtr_flatten(n.x);
    }
    if (kind == SAME_TWICE) part[parts++] = part[0];
    if (kind == IN_RUNS) part[parts++] = n.x;
    if (kind == KEPT_PART) gtr_keep(part[1]);
    y = gtr_flatten(gtr_concat(part, parts, kind == IN_RUNS ? 1 : -1));
    loss = gtr_mse(gtr_linear(gtr_relu(gtr_linear(y, "fc1", 24)), "fc2", 2), n.y);
    if (kind == USED_TWICE) loss = gtr_add(loss, gtr_mean(gtr_mul(part[4], part[4]), NULL, 0, false));
    d.no_matchers = alone;
    n.t = gtr_trainer_create(loss, d);
    CHECK(gtr_error(n.ctx) == GTR_OK && n.t, "%s", gtr_error_text(n.ctx));
    return n;
}
static void tables_in_groups(void)
{
    /* launches of several tables, forward and backward; a plan's node has some 60 operands */
    static const int launches[TABLE_KINDS] = { 2, 2, 2, 2, 2, 2, 5 };
    static const gtr_trainer_desc hows[] = { { .optimizer = GTR_ADAM },
        { .optimizer = GTR_SGD, .precision = GTR_MIXED_FP16 }, { .optimizer = GTR_ADAM, .micro_batches = 2 } };
    enum { ROWS = 700 };
    static int32_t id[2 * ROWS];
    static gtr_float v[8 * ROWS];
    int kind, h, i, step;
    for (kind = 0; kind < TABLE_KINDS; kind++) for (h = 0; h < 3; h++) {
        lookup_net n[2];
        char when[48];
        int way;
        for (way = 0; way < 2; way++) {
            uint32_t s = 3;
            n[way] = tables_build(kind, &hows[h], way);
            for (step = 0; step < 3; step++) {
                for (i = 0; i < 2 * ROWS; i++) id[i] = i % 5 ? (int32_t)((noise(&s) + 1) * 20) % 40 : i % 3 - 1;
                for (i = 0; i < 2 * ROWS; i++) id[i] += id[i] < 0;
                for (i = 0; i < 8 * ROWS; i++) v[i] = (gtr_float)noise(&s);
                EXPECT_EQ(gtr_set(n[way].id[0], id, sizeof id), GTR_OK);
                EXPECT_EQ(gtr_set(n[way].x, v, sizeof v), GTR_OK);
                EXPECT_EQ(gtr_set(n[way].y, v, 2 * ROWS * sizeof *v), GTR_OK);
                EXPECT_EQ(gtr_step(n[way].t), GTR_OK);
            }
            i = occurrences(gtr_plan_text(n[way].t, ROWS), "lookups of several tables");
            CHECK(i == (way || !n[way].ctx->caps.cuda ? 0 : launches[kind] * (h == 2 ? 2 : 1)),
                "kind %d, %d: %d launches\n%s", kind, h, i, gtr_plan_text(n[way].t, ROWS));
        }
        snprintf(when, sizeof when, "tables, kind %d, %d", kind, h);
        lookups_like(&n[0], &n[1], true, true, when);
        gtr_destroy(n[0].ctx);
        gtr_destroy(n[1].ctx);
    }
}

/* UPDATE finds the segment of each of its tiles among many, small and large. */
static void many_parameters(void)
{
    enum { MANY = 1100, LONG = 60000 };
    static gtr_float before[MANY * 131 + MANY / 100 * LONG], after[LONG];
    gtr_context *ctx = create();
    gtr_tensor *p[MANY], *loss = NULL;
    gtr_trainer_desc d = { .optimizer = GTR_SGD, .lr = 0.5f };
    gtr_trainer *t;
    gtr_init init = { .kind = GTR_INIT_UNIFORM, .a = 1 };
    char name[16];
    size_t at = 0;
    int i, j, k, bad = 0;
    for (i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "p%d", i);
        p[i] = gtr_parameter(ctx, name, gtr_shape1(i % 100 == 50 ? LONG : 1 + i % 130), init);
        loss = i ? gtr_add(loss, gtr_sum(gtr_scale(p[i], (float)i, 0), NULL, 0, false))
            : gtr_sum(gtr_scale(p[i], 0, 0), NULL, 0, false);
        EXPECT_EQ(gtr_get(p[i], before + at, gtr__bytes_of(p[i])), GTR_OK);
        at += gtr__bytes_of(p[i]) / sizeof *after;
    }
    t = gtr_trainer_create(loss, d);
    for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(t), GTR_OK);     /* the second goes through them from the end */
    for (at = 0, i = 0; i < MANY; i++) {
        EXPECT_EQ(gtr_get(p[i], after, gtr__bytes_of(p[i])), GTR_OK);
        for (k = 0; k < (int)(gtr__bytes_of(p[i]) / sizeof *after); k++, at++) {
            for (j = 0; j < 3; j++) before[at] -= (gtr_float)0.5 * (gtr_float)i;
            bad += after[k] != before[at];
        }
    }
    CHECK(!bad, "%d elements were not updated as they should (%s)", bad, gtr_error_text(ctx));
    gtr_destroy(ctx);
}

/* ---- a batch_norm in two places of a graph ---- */
enum { PLACE_C = 3, PLACE_N = 7 };
/* frozen: the second place has desc.frozen */
typedef struct places { int micro; bool plain, region, frozen, own; } places;
typedef struct placed { double w[PLACE_C], b[PLACE_C], s[PLACE_C], mean[PLACE_C], var[PLACE_C]; } placed;
static gtr_tensor *find(gtr_context *ctx, const char *name) { return gtr_parameter_find(ctx, name); }
static gtr_trainer *places_build(gtr_context *ctx, const places *c, gtr_tensor **x, gtr_tensor **y)
{
    const gtr_shape rows = gtr_shape2(GTR_BATCH, PLACE_C), one = gtr_shape1(PLACE_C);
    gtr_batch_norm_desc d = { 0 }, still = { .frozen = true };
    gtr_trainer_desc by = { .lr = 0.5f, .micro_batches = c->micro };
    gtr_init fixed = { .frozen = true }, ones = { .kind = GTR_INIT_CONSTANT, .a = 1, .frozen = true };
    for (int k = 0; k < 3; k++) x[k] = gtr_input(ctx, k == 0 ? "a" : k == 1 ? "b" : "p", GTR_F32, rows);
    if (c->region) gtr_recompute_begin(ctx);
    if (c->own) {
        gtr_parameter(ctx, "n.running_mean", one, fixed); gtr_parameter(ctx, "n.running_var", one, ones);
        y[0] = gtr_batch_norm_with(x[0], NULL, NULL, find(ctx, "n.running_mean"), find(ctx, "n.running_var"), d);
    } else y[0] = gtr_batch_norm(x[0], "n");
    y[1] = gtr_batch_norm_with(x[1], c->plain ? NULL : find(ctx, "n.weight"), c->plain ? NULL : find(ctx, "n.bias"),
        find(ctx, "n.running_mean"), find(ctx, "n.running_var"), c->frozen ? still : d);
    gtr_tensor *h = gtr_relu(gtr_add(y[0], y[1]));
    if (c->region) gtr_recompute_end(ctx);
    ones.frozen = false;
    h = gtr_mul(gtr_mul(h, gtr_parameter(ctx, "s", one, ones)), x[2]);
    return gtr_trainer_create(gtr_mean(h, NULL, 0, false), by);
}
/* A step of it in double. */
static void places_step(const places *c, gtr_float (*x)[PLACE_N * PLACE_C], placed *m)
{
    const placed old = *m;
    const double share = 1.0 / (PLACE_N * PLACE_C);
    for (int q = 0; q < c->micro; q++) for (int j = 0; j < PLACE_C; j++) {
        const int from = PLACE_N * q / c->micro, to = PLACE_N * (q + 1) / c->micro;
        double xh[2][PLACE_N], w[2], b[2];
        for (int k = 0; k < 2; k++) {
            const bool still = k && c->frozen, plain = k ? c->plain : c->own;
            double mean = 0, var = 0;
            for (int i = from; i < to; i++) mean += (double)x[k][i * PLACE_C + j] / (to - from);
            for (int i = from; i < to; i++) var += pow((double)x[k][i * PLACE_C + j] - mean, 2) / (to - from);
            const double by = still ? old.mean[j] : mean, rstd = 1 / sqrt((still ? old.var[j] : var) + 1e-5);
            for (int i = from; i < to; i++) xh[k][i] = ((double)x[k][i * PLACE_C + j] - by) * rstd;
            w[k] = plain ? 1 : old.w[j]; b[k] = plain ? 0 : old.b[j];
            if (still) continue;
            m->mean[j] = 0.9 * m->mean[j] + 0.1 * mean;
            m->var[j] = 0.9 * m->var[j] + 0.1 * var * (to - from) / (to - from - 1);
        }
        for (int i = from; i < to; i++) {
            const double h = xh[0][i] * w[0] + b[0] + xh[1][i] * w[1] + b[1],
                d = 0.5 * share * (double)x[2][i * PLACE_C + j] * (h > 0);
            m->s[j] -= d * h;
            for (int k = 0; k < 2; k++) if (!(k ? c->plain : c->own)) {
                m->w[j] -= d * old.s[j] * xh[k][i]; m->b[j] -= d * old.s[j];
            }
        }
    }
}
static void place_near(gtr_context *ctx, const char *name, const double *want, const char *what)
{
    gtr_float got[PLACE_C] = { 0 }, to[PLACE_C];
    gtr_tensor *p = find(ctx, name);
    for (int j = 0; j < PLACE_C; j++) to[j] = (gtr_float)want[j];
    if (p) EXPECT_EQ(gtr_get(p, got, sizeof got), GTR_OK);
    CHECK(!p || near(got, to, PLACE_C, 1e-9, 3e-5), "%s: \"%s\" is %g %g %g, want %g %g %g", what, name,
        (double)got[0], (double)got[1], (double)got[2], want[0], want[1], want[2]);
}
static void norm_in_two_places(void)
{
    static const places cases[] = { { 1, false, false, false, false }, { 2, false, false, false, false },
        { 1, true, false, false, false }, { 3, false, true, false, false }, { 1, false, false, true, false },
        { 2, true, true, false, true } };
    for (int n = 0; n < (int)(sizeof cases / sizeof *cases); n++) {
        const places *c = &cases[n];
        gtr_context *ctx = create();
        gtr_tensor *x[3], *y[2];
        gtr_float v[3][PLACE_N * PLACE_C], got[PLACE_N * PLACE_C];
        placed m = { { 1, 1, 1 }, { 0 }, { 1, 1, 1 }, { 0 }, { 1, 1, 1 } };
        int64_t count = 0;
        uint32_t seed = 5;
        char what[40];
        gtr_trainer *t = places_build(ctx, c, x, y);
        if (!CHECK(t != NULL, "%s", gtr_error_text(ctx))) { gtr_destroy(ctx); continue; }
        for (int step = 0; step < 4; step++) {
            for (int k = 0; k < 3; k++) {
                for (int i = 0; i < PLACE_N * PLACE_C; i++)
                    v[k][i] = (gtr_float)(noise(&seed) * (float)(1 + k) + (float)(k == 1 ? step : 0));
                EXPECT_EQ(gtr_set(x[k], v[k], sizeof v[k]), GTR_OK);
            }
            EXPECT_EQ(gtr_step(t), GTR_OK);
            places_step(c, v, &m);
            snprintf(what, sizeof what, "case %d, step %d", n, step);
            place_near(ctx, "n.weight", m.w, what); place_near(ctx, "n.bias", m.b, what);
            place_near(ctx, "n.running_mean", m.mean, what); place_near(ctx, "n.running_var", m.var, what);
            place_near(ctx, "s", m.s, what);
        }
        if (!c->own) EXPECT_EQ(gtr_get(find(ctx, "n.num_batches_tracked"), &count, sizeof count), GTR_OK);
        EXPECT_EQ(count, c->own ? 0 : 4 * c->micro * (2 - c->frozen));
        EXPECT(!gtr_parameter_trainable(find(ctx, "n.running_mean")));
        EXPECT_EQ(gtr_eval(&y[1], 1), GTR_OK);          /* in evaluation both normalise by the same */
        EXPECT_EQ(gtr_get(y[1], got, sizeof got), GTR_OK);
        for (int i = 0, j = 0; i < PLACE_N * PLACE_C; i++, j = i % PLACE_C) {
            const double want = ((double)v[1][i] - m.mean[j]) / sqrt(m.var[j] + 1e-5) * (c->plain ? 1 : m.w[j])
                + (c->plain ? 0 : m.b[j]);
            CHECK(fabs((double)got[i] - want) < 1e-4, "case %d: in evaluation %g, want %g", n, (double)got[i], want);
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}

/* ---- a batch with itself: CLIP's loss ---- */
enum { CLIP_IN = 3, CLIP_D = 4, CLIP_W = CLIP_D * CLIP_IN, CLIP_ALL = 2 * CLIP_W + 1, CLIP_N = 9 };
typedef struct clip { gtr_context *ctx; gtr_tensor *x[2], *w[2], *scale, *sim, *rows, *loss, *acc, *best; } clip;
static gtr_tensor *clip_side(clip *c, int k)
{
    const int last = -1;
    const gtr_linear_desc d = { .out = CLIP_D, .no_bias = true };
    c->x[k] = gtr_input(c->ctx, k ? "text" : "image", GTR_F32, gtr_shape2(GTR_BATCH, CLIP_IN));
    gtr_tensor *h = gtr_linear_ex(c->x[k], k ? "fb" : "fa", d);
    c->w[k] = find(c->ctx, k ? "fb.weight" : "fa.weight");
    return gtr_div(h, gtr_norm(h, 2, &last, 1, true));
}
static clip clip_build(gtr_context *ctx)
{
    const int swap[] = { 1, 0 }, columns = 1;
    const gtr_init two = { .kind = GTR_INIT_CONSTANT, .a = 2 };
    clip c = { .ctx = ctx };
    gtr_tensor *a = clip_side(&c, 0), *b = clip_side(&c, 1);
    c.scale = gtr_parameter(ctx, "scale", gtr_shape1(1), two);
    c.sim = gtr_mul(gtr_matmul_t(a, false, b, true), gtr_exp(c.scale));
    c.rows = gtr_arange(c.x[0], 0);
    c.loss = gtr_scale(gtr_add(gtr_cross_entropy(c.sim, c.rows),
        gtr_cross_entropy(gtr_permute(c.sim, swap), c.rows)), 0.5f, 0);
    c.acc = gtr_accuracy(c.sim, c.rows);
    c.best = gtr_max(c.sim, &columns, 1, false);
    return c;
}
/* The loss of rows from to to - 1 of x, by p: weights of both sides, and scale; sim: their similarities. */
static double clip_part(const double *p, gtr_float (*x)[CLIP_N * CLIP_IN], int from, int to,
    double (*sim)[CLIP_N])
{
    double e[2][CLIP_N][CLIP_D], sum = 0;
    for (int k = 0; k < 2; k++) for (int i = from; i < to; i++) {
        double norm = 0;
        for (int d = 0; d < CLIP_D; d++) {
            e[k][i][d] = 0;
            for (int j = 0; j < CLIP_IN; j++)
                e[k][i][d] += p[k * CLIP_W + d * CLIP_IN + j] * (double)x[k][i * CLIP_IN + j];
            norm += e[k][i][d] * e[k][i][d];
        }
        for (int d = 0; d < CLIP_D; d++) e[k][i][d] /= sqrt(norm);
    }
    for (int i = from; i < to; i++) for (int j = from; j < to; j++) {
        sim[i][j] = 0;
        for (int d = 0; d < CLIP_D; d++) sim[i][j] += e[0][i][d] * e[1][j][d] * exp(p[2 * CLIP_W]);
    }
    for (int i = from; i < to; i++) {
        double row = 0, column = 0;
        for (int j = from; j < to; j++) { row += exp(sim[i][j]); column += exp(sim[j][i]); }
        sum += (log(row) + log(column)) / 2 - sim[i][i];
    }
    return sum / (to - from);
}
static double clip_loss(const double *p, gtr_float (*x)[CLIP_N * CLIP_IN], int n, int parts)
{
    double sum = 0, sim[CLIP_N][CLIP_N];
    for (int q = 0; q < parts; q++) if (n * (q + 1) / parts > n * q / parts)
        sum += clip_part(p, x, n * q / parts, n * (q + 1) / parts, sim)
            * (n * (q + 1) / parts - n * q / parts) / n;
    return sum;
}
static void clip_get(const clip *c, gtr_trainer *t, double *p)
{
    gtr_tensor *const of[] = { c->w[0], c->w[1], c->scale };
    gtr_float v[CLIP_W];
    for (int k = 0; k < 3; k++) {
        const int n = k < 2 ? CLIP_W : 1;
        const size_t bytes = (size_t)n * sizeof *v;
        EXPECT_EQ(t ? gtr_gradient_get(t, of[k], v, bytes) : gtr_get(of[k], v, bytes), GTR_OK);
        for (int i = 0; i < n; i++) p[k * CLIP_W + i] = (double)v[i];
    }
}
static void clip_set(const clip *c, gtr_float (*x)[CLIP_N * CLIP_IN], int n)
{
    uint32_t seed = (uint32_t)n;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < CLIP_N * CLIP_IN; i++) x[k][i] = (gtr_float)noise(&seed);
        EXPECT_EQ(gtr_set(c->x[k], x[k], (size_t)(n * CLIP_IN) * sizeof **x), GTR_OK);
    }
}
/* What is fetched in evaluation, of all rows, whatever a trainer's micro-batches are. */
static void clip_values(const clip *c, const double *p, gtr_float (*x)[CLIP_N * CLIP_IN], int n)
{
    gtr_tensor *of[] = { c->sim, c->rows, c->best, c->loss };
    gtr_float sim[CLIP_N * CLIP_N], best[CLIP_N], loss;
    double want[CLIP_N][CLIP_N];
    int32_t rows[CLIP_N];
    const size_t line = (size_t)n * sizeof *sim;
    const double l = clip_part(p, x, 0, n, want);
    EXPECT_EQ(gtr_eval(of, 4), GTR_OK);
    EXPECT_EQ(gtr_get(c->sim, sim, line * (size_t)n), GTR_OK);
    EXPECT_EQ(gtr_get(c->rows, rows, (size_t)n * sizeof *rows), GTR_OK);
    EXPECT_EQ(gtr_get(c->best, best, line), GTR_OK);
    EXPECT_EQ(gtr_get(c->loss, &loss, sizeof loss), GTR_OK);
    CHECK(fabs((double)loss - l) < 1e-5, "%d rows: the loss is %g, want %g", n, (double)loss, l);
    for (int i = 0; i < n; i++) {
        double most = want[i][0];
        CHECK(rows[i] == i, "row %d is number %d", i, rows[i]);
        for (int j = 0; j < n; j++) {
            most = fmax(most, want[i][j]);
            CHECK(fabs((double)sim[i * n + j] - want[i][j]) < 1e-4, "%d, %d: %g, want %g", i, j,
                (double)sim[i * n + j], want[i][j]);
        }
        CHECK(fabs((double)best[i] - most) < 1e-4, "the most of %d is %g, want %g", i, (double)best[i], most);
    }
}
static void contrast(void)
{
    static const int sizes[] = { 7, 4, 1, CLIP_N, 7 };
    gtr_float x[2][CLIP_N * CLIP_IN];
    for (int parts = 1; parts < 4; parts++) {
        gtr_context *ctx = create();
        const clip c = clip_build(ctx);
        gtr_trainer_desc d = { .lr = 0.3f, .micro_batches = parts };
        gtr_trainer *t = gtr_trainer_create(c.loss, d);
        if (!CHECK(t != NULL, "%s", gtr_error_text(ctx))) { gtr_destroy(ctx); return; }
        for (int s = 0; s < (int)(sizeof sizes / sizeof *sizes); s++) {
            double p[CLIP_ALL], g[CLIP_ALL];
            const int n = sizes[s];
            clip_set(&c, x, n);
            clip_get(&c, NULL, p);
            const double want = clip_loss(p, x, n, parts);
            if (parts == 2) clip_values(&c, p, x, n);
            EXPECT_EQ(gtr_step(t), GTR_OK);
            CHECK(fabs((double)gtr_loss(t) - want) < 2e-5, "%d rows in %d: the loss is %g, want %g", n, parts,
                (double)gtr_loss(t), want);
            clip_get(&c, t, g);
            for (int i = 0; i < CLIP_ALL; i++) {
                const double was = p[i], h = 1e-5;
                p[i] = was + h; double slope = clip_loss(p, x, n, parts);
                p[i] = was - h; slope = (slope - clip_loss(p, x, n, parts)) / (2 * h);
                p[i] = was;
                CHECK(fabs(g[i] - slope) < 1e-5 + 1e-4 * fabs(slope), "%d rows in %d: gradient %d is %g, want %g", n,
                    parts, i, g[i], slope);
            }
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* A data set with a tail batch, its evaluation, and a predictor whose rows act on each other. */
static void contrast_fit(void)
{
    gtr_float x[2][CLIP_N * CLIP_IN], out[CLIP_N], want[CLIP_N];
    gtr_context *ctx = create();
    const clip c = clip_build(ctx);
    gtr_arrays_desc a = { .rows = CLIP_N };
    double p[CLIP_ALL], sim[CLIP_N][CLIP_N];
    gtr_trainer *t = gtr_trainer_create(c.loss, (gtr_trainer_desc){ .lr = 0.1f });
    clip_set(&c, x, CLIP_N);
    for (int k = 0; k < 2; k++) {
        a.column[k].data = x[k]; a.column[k].dtype = GTR_F32; a.column[k].shape = gtr_shape1(CLIP_IN);
    }
    gtr_dataset *data = gtr_dataset_arrays(ctx, a);
    gtr_fit_desc f = { .epochs = 3, .batch = 4, .silent = true, .validation = data, .metric = c.acc };
    float before = 0, after = 0, right = 0;
    EXPECT_EQ(gtr_evaluate(t, data, 4, NULL, &before, NULL), GTR_OK);
    EXPECT_EQ(gtr_fit(t, data, f), GTR_OK);
    EXPECT_EQ(gtr_evaluate(t, data, 4, c.acc, &after, &right), GTR_OK);
    clip_get(&c, NULL, p);
    const double parts = (4 * clip_part(p, x, 0, 4, sim) + 4 * clip_part(p, x, 4, 8, sim)
        + clip_part(p, x, 8, 9, sim)) / 9;
    CHECK(after < before && fabs((double)after - parts) < 1e-5, "evaluated, of batches of 4, 4 and 1: %g, before %g, "
        "want %g", (double)after, (double)before, parts);
    EXPECT(right * 9 >= 1 && right <= 1);       /* the last batch's one row is right */
    gtr_predictor *r = gtr_predictor_create_ex(ctx, (gtr_predictor_desc){ .out = { c.best }, .max_rows = CLIP_N });
    const void *in[] = { x[0], x[1] };
    void *to[] = { out };
    for (int n = CLIP_N; n > 3; n -= 4) {
        for (int k = 0; k < 2; k++)
            EXPECT_EQ(gtr_set(c.x[k], x[k], (size_t)(n * CLIP_IN) * sizeof **x), GTR_OK);
        gtr_tensor *best = c.best;
        EXPECT_EQ(gtr_eval(&best, 1), GTR_OK);
        EXPECT_EQ(gtr_get(best, want, (size_t)n * sizeof *want), GTR_OK);
        EXPECT_EQ(gtr_predict_ex(r, in, n, to), GTR_OK);
        CHECK(near32(out, want, n), "%d rows are predicted otherwise than evaluated", n);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

/* ---- a target network ---- */
static gtr_tensor *target_net(gtr_context *ctx, gtr_tensor *x, const char *scope)
{
    gtr_scope_begin(ctx, scope);
    gtr_tensor *h = gtr_relu(gtr_batch_norm(gtr_linear(x, "fc1", 24), "norm"));
    h = gtr_linear(h, "fc2", 3);
    gtr_scope_end(ctx);
    return h;
}
/* What of a context's parameters begin with prefix: their values, behind each other, and which count; how many. */
static int target_get(gtr_context *ctx, const char *prefix, double *v, bool *counts)
{
    int n = 0;
    for (int64_t i = 0; i < gtr_parameter_count(ctx); i++) {
        gtr_float f[1024];
        int64_t count;
        gtr_tensor *p = gtr_parameter_at(ctx, i);
        const bool wide = gtr_tensor_dtype(p) == GTR_I64;
        const int some = wide ? 1 : (int)(gtr__bytes_of(p) / sizeof *f);
        if (strncmp(gtr_tensor_name(p), prefix, strlen(prefix))) continue;
        EXPECT_EQ(gtr_get(p, wide ? (void *)&count : f, gtr__bytes_of(p)), GTR_OK);
        for (int k = 0; k < some; k++) { counts[n] = wide; v[n++] = wide ? (double)count : (double)f[k]; }
    }
    return n;
}
static void blended_of(gtr_precision precision)
{
    enum { N = 8, MOST = 1024 };
    static double to[MOST], from[MOST], got[MOST];
    static bool counts[MOST];
    static const float taus[] = { 0.25f, 0, 0.005f, 1, 0.5f };
    gtr_context *ctx[2] = { create(), create() };
    gtr_tensor *x[2], *target[2], *out[2];
    gtr_trainer *t[2];
    gtr_trainer_desc d = { .optimizer = GTR_ADAM, .lr = 0.01f, .precision = precision };
    for (int k = 0; k < 2; k++) {
        x[k] = gtr_input(ctx[k], "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH));
        out[k] = target_net(ctx[k], x[k], "online");
        target[k] = target_net(ctx[k], gtr_scale(x[k], 1, 0.5f), "target");
        t[k] = gtr_trainer_create(gtr_mse(out[k], gtr_stop_gradient(target[k])), d);
        if (!CHECK(t[k] != NULL, "%s", gtr_error_text(ctx[k]))) return;
    }
    copy_parameters(ctx[1], ctx[0]);
    gtr_trainer *alone = gtr_trainer_create(gtr_mean(gtr_square(out[0]), NULL, 0, false), sgd(0.05f));
    gtr_predictor *p = snapshot_of(target[0], N);
    gtr_float before[N * 3], after[N * 3];
    EXPECT_EQ(gtr_predict(p, pool_x, N, before), GTR_OK);
    for (int s = 0; s < (int)(sizeof taus / sizeof *taus); s++) {
        for (int k = 0; k < 2; k++) {
            EXPECT_EQ(gtr_set(x[k], pool_x + s * N * WIDTH, sizeof *pool_x * N * WIDTH), GTR_OK);
            EXPECT_EQ(gtr_step(t[k]), GTR_OK);
        }
        CHECK(gtr_loss(t[0]) == gtr_loss(t[1]), "step %d: the target's low copies are not what was blended", s);
        EXPECT_EQ(gtr_step(alone), GTR_OK);
        const int n = target_get(ctx[0], "target.", to, counts), m = target_get(ctx[0], "online.", from, counts);
        EXPECT(n > 100 && n == m);
        EXPECT_EQ(gtr_parameters_blend(ctx[0], "target.", "online.", taus[s]), GTR_OK);
        EXPECT_EQ(target_get(ctx[0], "target.", got, counts), n);
        for (int i = 0; i < n; i++) {
            const double tau = counts[i] ? 1 : (double)taus[s], want = (1 - tau) * to[i] + tau * from[i];
            EXPECT(!counts[i] || from[i] != to[i]);
            CHECK(fabs(got[i] - want) <= 2e-7 * (fabs(to[i]) + fabs(from[i])), "tau %g: element %d is %g, want %g "
                "of %g and %g", tau, i, got[i], want, to[i], from[i]);
        }
        copy_parameters(ctx[1], ctx[0]);        /* by gtr_set */
    }
    EXPECT_EQ(gtr_predict(p, pool_x, N, after), GTR_OK);
    EXPECT(memcmp(before, after, sizeof before) == 0);
    EXPECT_EQ(gtr_predictor_refresh(p), GTR_OK);
    EXPECT_EQ(gtr_predict(p, pool_x, N, after), GTR_OK);
    EXPECT(memcmp(before, after, sizeof before) != 0);
    for (int k = 0; k < 2; k++) { EXPECT_OK(ctx[k]); gtr_destroy(ctx[k]); }
}
static void blended(void)
{
    blended_of(GTR_FP32);
    if (has_bf16()) blended_of(GTR_MIXED_BF16);
    blended_of(GTR_MIXED_FP16);
}
/* More than one launch has; and averages, which are what was blended. */
static void blended_many(void)
{
    enum { MANY = 197 };
    gtr_context *ctx = create();
    gtr_tensor *to[MANY], *loss = NULL;
    gtr_float last[MANY];
    gtr_trainer_desc d = { .lr = 0.125f, .ema = 0.5f };
    char name[24];
    for (int i = 0; i < 2 * MANY; i++) {
        const gtr_init init = { .kind = GTR_INIT_CONSTANT, .a = (float)(1 + i) };
        snprintf(name, sizeof name, "%s.%d", i < MANY ? "to" : "from", i % MANY);
        gtr_tensor *p = gtr_parameter(ctx, name, gtr_shape1(1 + i % MANY % 7), init);
        if (i >= MANY) continue;
        to[i] = p;
        p = gtr_sum(p, NULL, 0, false);
        loss = loss ? gtr_add(loss, p) : p;
    }
    gtr_trainer *t = gtr_trainer_create(loss, d);
    if (!CHECK(t != NULL, "%s", gtr_error_text(ctx))) { gtr_destroy(ctx); return; }
    for (int s = 0; s < 3; s++) {
        EXPECT_EQ(gtr_parameters_blend(ctx, "to.", "from.", 0.5f), GTR_OK);
        for (int i = 0; i < MANY; i++) {
            gtr_float v[7], want = (gtr_float)(1 + i);
            for (int k = 0; k <= s; k++)
                want = (gtr_float)0.5 * ((k ? want - (gtr_float)0.125 : want) + (gtr_float)(1 + MANY + i));
            last[i] = want;
            EXPECT_EQ(gtr_get(to[i], v, gtr__bytes_of(to[i])), GTR_OK);
            for (int k = 0; k < 1 + i % 7; k++)
                CHECK(v[k] == want, "\"to.%d\" is %g, want %g", i, (double)v[k], (double)want);
        }
        EXPECT_EQ(gtr_step(t), GTR_OK);
    }
    EXPECT_EQ(gtr_average_swap(t), GTR_OK);
    for (int i = 0; i < MANY; i++) {
        gtr_float v[7];
        EXPECT_EQ(gtr_get(to[i], v, gtr__bytes_of(to[i])), GTR_OK);
        CHECK(v[0] == last[i] - (gtr_float)0.0625, "the average of \"to.%d\" is %g, want %g", i, (double)v[0],
            (double)last[i] - 0.0625);
    }
    EXPECT_EQ(gtr_average_swap(t), GTR_OK);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
static void blended_badly(void)
{
    gtr_context *ctx = create();
    const gtr_init one = { .kind = GTR_INIT_CONSTANT, .a = 1 }, two = { .kind = GTR_INIT_CONSTANT, .a = 2 };
    gtr_tensor *p = gtr_parameter(ctx, "to.a", gtr_shape1(3), one), *image;
    gtr_float v[3];
    gtr_parameter(ctx, "from.a", gtr_shape1(3), two);
    EXPECT_EQ(gtr_parameters_blend(ctx, "to.", "from.", 1.5f), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_parameters_blend: tau 1.5 is not in 0 to 1");
    EXPECT_EQ(gtr_parameters_blend(ctx, "to.", "from.", (float)NAN), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "tau nan");
    EXPECT_EQ(gtr_parameters_blend(ctx, NULL, "from.", 0.5f), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_parameters_blend: to or from is NULL");
    EXPECT_EQ(gtr_parameters_blend(ctx, "to.", NULL, 0.5f), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_parameters_blend: to or from is NULL");
    EXPECT_EQ(gtr_parameters_blend(ctx, "two.", "from.", 0.5f), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "no parameter's name begins with two.");
    EXPECT_EQ(gtr_parameters_blend(ctx, "to.", "none.", 0.5f), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "\"none.a\" missing");
    EXPECT_EQ(gtr_parameters_blend(ctx, "", "to.", 0.5f), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "\"to.to.a\" missing");
    gtr_parameter(ctx, "to.to.a", gtr_shape1(3), one);
    gtr_parameter(ctx, "from.to.a", gtr_shape1(3), one);
    EXPECT_EQ(gtr_parameters_blend(ctx, "to.", "to.to.", 0.5f), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "its source \"to.to.a\" (3,), want that of the shape, dtype and layout, and not "
        "of \"to.\"");
    gtr_parameter(ctx, "to.b", gtr_shape1(3), one);
    gtr_parameter(ctx, "from.b", gtr_shape1(4), two);
    EXPECT_EQ(gtr_parameters_blend(ctx, "to.", "from.", 0.5f), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "\"to.b\" (3,), and its source \"from.b\" (4,), want that of the shape");
    image = gtr_input(ctx, "image", GTR_F32, gtr_shape4(GTR_BATCH, 2, 3, 3));
    gtr_linear(gtr_flatten(gtr_relu(gtr_conv2d(image, "conv", 2, 3, 1, 1))), "last.fc", 4);
    gtr_linear(gtr_input(ctx, "flat", GTR_F32, gtr_shape2(GTR_BATCH, 18)), "first.fc", 4);
    EXPECT_EQ(gtr_parameters_blend(ctx, "last.", "first.", 0.5f), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "\"last.fc.weight\" (4, 18), and its source \"first.fc.weight\" (4, 18)");
    EXPECT_EQ(gtr_get(p, v, sizeof v), GTR_OK);
    EXPECT(v[0] == 1 && v[2] == 1);             /* nothing has changed */
    EXPECT_EQ(gtr_parameters_blend(ctx, "to.a", "to.a", 0.5f), GTR_OK);
    EXPECT_EQ(gtr_parameters_blend(ctx, "to.a", "from.a", 1), GTR_OK);
    EXPECT_EQ(gtr_get(p, v, sizeof v), GTR_OK);
    EXPECT(v[0] == 2 && v[1] == 2 && v[2] == 2);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

static void all(void)
{
    RUN(blended);
    RUN(blended_many);
    RUN(blended_badly);
    RUN(contrast);
    RUN(contrast_fit);
    RUN(norm_in_two_places);
    RUN(gradient_inside);
    RUN(between_halves);
    RUN(current_values);
    RUN(ever_new_batches);
    RUN(last_gradient);
    RUN(published_last);
    RUN(queued_sets);
    RUN(unaligned);
    RUN(recomputed_low);
    RUN(compared_again);
    RUN(two_trainers);
    RUN(batch_sizes);
    RUN(micro_batches);
    RUN(recomputed);
    RUN(recompute_chosen); RUN(recompute_chosen_anew);
    RUN(stages);
    RUN(custom_op);
    RUN(random_plans);
    RUN(streams);
    RUN(joined);
    RUN(captured_steps);
    RUN(memory_report);
    RUN(averages);
    RUN(finishes);
    RUN(peaked_softmax);
    RUN(overflows_skipped);
    RUN(low_inputs);
    RUN(views);
    RUN(layer_views);
    RUN(one_layer_views);
    RUN(read_back);
    RUN(gradients_of_a_bad_step);
    RUN(network_with_update);
    RUN(matchers_gain);
    RUN(memory_limit);
    RUN(driver_memory);
    RUN(presets);
    RUN(summaries);
    RUN(device_texts);
    RUN(two_contexts);
    RUN(same_bits);
    RUN(predictors);
    RUN(snapshots);
    RUN(snapshots_while_training);
    RUN(traced_snapshot);
    RUN(predictor_rows);
    RUN(predictor_several);
    RUN(predictor_draws);
    RUN(predictor_ids);
    RUN(fit);
    RUN(stop_from_thread);
    RUN(chunks);
    RUN(chunks_stopped);
    RUN(chunks_nonfinite);
    RUN(tall_batches);
    RUN(kernels_taken);
    RUN(rates);
    RUN(groups_and_clipping);
    RUN(halves);
    RUN(edited_gradients);
    RUN(infinite_gradients);
    RUN(infinite_sums);
    RUN(deep_product);
    RUN(few_rows);
    RUN(backward_ends);
    RUN(traced);
    RUN(mark_release);
    RUN(many_names);
    RUN(gradients);
    RUN(kept_values);
    RUN(read_later);
    RUN(gradients_of_no_step);
    RUN(kept_stand_ins);
    RUN(item_of_fed);
    RUN(bad_use);
    RUN(combinations);
    RUN(real_plans);
    RUN(custom_in_order);
    RUN(own_plans);
    RUN(plans_meanwhile);
    RUN(several_outputs);
    RUN(flops_fused);
    RUN(files_closed);
    RUN(profiled);
    RUN(profiled_badly);
    RUN(uncounted);
    RUN(table_gradients);
    RUN(tables_in_groups);
    RUN(many_parameters);
}
int main(int argc, char **argv)
{
    small = getenv("GTR_TEST_SMALL") != NULL;
    pool_fill();
    check_begin(argc, argv);
    check_devices(all, &device);
    return check_done();
}
