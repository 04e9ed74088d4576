/* Graphs whose tensors are other shapes of others, lie on several stages, are kept over micro-batches, or are not what
   they seemed: what gtr_gradient, gtr_keep, gtr_get and gtr_set say of them. Each proof runs on the CPU, and again on
   the GPU where there is one. */
#include "private.h"
#include "check.h"
#include "device.h"
#include "stack.h"

static gtr_context *create(void) { return gtr_create(desc0()); }
static gtr_trainer_desc sgd(float lr) { gtr_trainer_desc d; memset(&d, 0, sizeof d); d.lr = lr; return d; }
static gtr_init constant(float a) {
    gtr_init i; memset(&i, 0, sizeof i); i.kind = GTR_INIT_CONSTANT; i.a = a; return i;
}
static gtr_init normal(void) { gtr_init i; memset(&i, 0, sizeof i); i.kind = GTR_INIT_NORMAL; i.a = 0.5f; return i; }
static gtr_tensor *total(gtr_tensor *x) { return gtr_sum(x, NULL, 0, false); }
static uint32_t dice = 1;
static int roll(int n) { dice = dice * 1664525u + 1013904223u; return (int)((dice >> 8) % (uint32_t)n); }
static double first_of(gtr_tensor *t)
{
    gtr_float v[64];
    gtr_shape s = t ? gtr_tensor_shape(t) : gtr_shape0();
    return t && gtr_get(t, v, (size_t)llabs(gtr__count(&s)) * sizeof *v) == GTR_OK ? (double)v[0] : NAN;
}

/* ---- gradients by other shapes ---- */
/* What flows through r alone, what flows into s, what a stop lets through, a loss by itself; in both orders. */
static void by_alias(void)
{
    int order;
    for (order = 0; order < 2; order++) {
        gtr_context *ctx = create();
        gtr_float two = 2;
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape1(GTR_BATCH)), *z = gtr_scale(x, 1, 0),
            *r = gtr_reshape(z, gtr_shape2(GTR_BATCH, 1)), *rr = gtr_flatten(r), *s = gtr_stop_gradient(z);
        gtr_tensor *p = gtr_parameter(ctx, "p", gtr_shape0(), constant(2)), *q = gtr_reshape(p, gtr_shape1(1));
        gtr_tensor *a = gtr_add(total(gtr_mul(z, z)), total(gtr_scale(r, 3, 0))),
            *b = gtr_add(total(gtr_mul(z, z)), total(gtr_scale(s, 3, 0)));
        gtr_tensor *c = gtr_add(gtr_add(a, total(gtr_mul(rr, rr))),
            total(gtr_scale(gtr_reshape(s, gtr_shape2(GTR_BATCH, 1)), 5, 0)));
        gtr_tensor *e = gtr_add(gtr_mul(p, p), total(gtr_scale(q, 3, 0))), *stopped = gtr_stop_gradient(p);
        const struct { gtr_tensor *loss, *by; double want; } rows[] = {
            { a, z, 7 }, { a, r, 3 }, { b, z, 4 }, { b, s, 3 }, { c, z, 11 }, { c, r, 7 }, { c, rr, 4 },
                { c, s, 5 }, { c, x, 11 },
            { e, p, 7 }, { e, q, 3 }, { stopped, p, 0 }, { stopped, stopped, 1 }, { p, p, 1 }, { q, q, 1 },
                { q, p, 1 }, { a, a, 1 },
            { gtr_reshape(a, gtr_shape2(1, 1)), a, 1 }, { gtr_mul(stopped, p), p, 2 },
            { gtr_mul(stopped, p), stopped, 2 } };
        enum { N = sizeof rows / sizeof *rows };
        gtr_tensor *g[N];
        int i, k;
        for (k = 0; k < N; k++) { i = order ? N - 1 - k : k; g[i] = gtr_gradient(rows[i].loss, rows[i].by); }
        gtr_set(x, &two, sizeof two);
        EXPECT_EQ(gtr_eval(g, N), GTR_OK);
        for (i = 0; i < N; i++) CHECK(first_of(g[i]) == rows[i].want, "row %d, order %d: together %g, want %g", i,
            order, first_of(g[i]), rows[i].want);
        for (i = 0; i < N; i++) {
            gtr_eval(&g[i], 1);
            CHECK(first_of(g[i]) == rows[i].want, "row %d, order %d: alone %g, want %g", i, order,
                first_of(g[i]), rows[i].want);
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* d loss / d loss is 1, with whatever else it is asked for. */
static void by_loss(void)
{
    gtr_context *ctx = create();
    static const gtr_float v[6] = { 1, -2, 3, 0.5f, 0.25f, -1 }, t[6] = { 0, 1, 1, 0, 0.5f, 1 };
    static const int32_t labels[2] = { 2, 0 };
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3)), *y = gtr_input(ctx, "y", GTR_I32,
        gtr_shape1(GTR_BATCH)), *target = gtr_input(ctx, "t", GTR_F32, gtr_shape2(GTR_BATCH, 3));
    gtr_tensor *losses[7];
    int i;
    losses[0] = gtr_cross_entropy(x, y); losses[1] = gtr_mse(x, target); losses[2] = gtr_bce_with_logits(x, target);
    losses[3] = gtr_mean(x, NULL, 0, false);
    losses[4] = gtr_accuracy(x, y); losses[5] = gtr_scale(losses[1], 2, 1);
    losses[6] = gtr_reshape(losses[0], gtr_shape2(1, 1));
    gtr_set(x, v, sizeof v); gtr_set(y, labels, sizeof labels); gtr_set(target, t, sizeof t);
    for (i = 0; i < 7; i++) {
        gtr_tensor *list[3], *dx = gtr_gradient(losses[i], x);
        static gtr_float a[6], b[6];
        list[0] = dx; list[1] = gtr_gradient(losses[i], losses[i]); list[2] = losses[i];
        EXPECT_EQ(gtr_eval(list, 1), GTR_OK);
        EXPECT_EQ(gtr_get(dx, a, sizeof a), GTR_OK);
        EXPECT_EQ(gtr_eval(list, 3), GTR_OK);
        EXPECT_EQ(gtr_get(dx, b, sizeof b), GTR_OK);
        CHECK(!memcmp(a, b, sizeof a), "loss %d: its gradient by x changes when that by itself is asked for", i);
        CHECK(first_of(list[1]) == 1, "loss %d: d loss / d loss is %g", i, first_of(list[1]));
        EXPECT_EQ(gtr_eval(&list[1], 1), GTR_OK);
        CHECK(first_of(list[1]) == 1, "loss %d: d loss / d loss alone is %g", i, first_of(list[1]));
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* Another shape of a value on another stage: read back by gtr_eval, gtr_get and gtr_keep, after other values; of inputs
   and parameters too. */
static void on_another_stage(void)
{
    gtr_context *ctx = create();
    static gtr_float v[2][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }, got[4];
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 2)), *z = gtr_scale(x, 2, 0),
        *p = gtr_parameter(ctx, "p", gtr_shape2(2, 2), constant(3)), *list[5], *w, *loss, *g, *kept;
    gtr_trainer *t;
    int i, k;
    gtr_stage(ctx, 1);
    list[0] = gtr_reshape(z, gtr_shape3(GTR_BATCH, 2, 1)); list[1] = gtr_flatten(list[0]);
    list[2] = gtr_stop_gradient(z);
    list[3] = gtr_reshape(x, gtr_shape1(-2)); list[4] = gtr_reshape(p, gtr_shape1(4));
    kept = gtr_keep(gtr_reshape(gtr_scale(z, 3, 0), gtr_shape3(GTR_BATCH, 1, 2)));
    gtr_stage(ctx, 0);
    for (k = 0; k < 5; k++) for (i = 0; i < 2; i++) {
        gtr_set(x, v[i], sizeof v[i]);
        EXPECT_EQ(gtr_eval(&list[k], 1), GTR_OK);
        EXPECT_EQ(gtr_get(list[k], got, sizeof got), GTR_OK);
        CHECK(got[0] == (k == 4 ? 3 : v[i][0] * (k == 3 ? 1 : 2)) && got[3] == (k == 4 ? 3
            : v[i][3] * (k == 3 ? 1 : 2)), "tensor %d, values %d: got %g, %g", k, i, (double)got[0], (double)got[3]);
    }
    /* a gradient built on another stage than what it is by, of another shape of what lies there */
    gtr_stage(ctx, 1);
    w = gtr_linear(kept, "fc", 2);
    loss = gtr_mean(gtr_mul(w, w), NULL, 0, false);
    gtr_stage(ctx, 0);
    g = gtr_keep(gtr_gradient(loss, kept));
    t = gtr_trainer_create(
        gtr_add(loss, gtr_scale(gtr_stop_gradient(gtr_mean(gtr_flatten(g), NULL, 0, false)), 0, 0)), sgd(0));
    for (i = 0; i < 2; i++) {
        gtr_float want[4];
        gtr_set(x, v[i], sizeof v[i]);
        EXPECT_EQ(gtr_eval(&g, 1), GTR_OK);
        EXPECT_EQ(gtr_get(g, want, sizeof want), GTR_OK);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        EXPECT_EQ(gtr_get(kept, got, sizeof got), GTR_OK);
        EXPECT(got[0] == 6 * v[i][0] && got[3] == 6 * v[i][3]);
        EXPECT_EQ(gtr_get(g, got, sizeof got), GTR_OK);
        CHECK(within(got, want, 4, 1e-2, 1e-1), "the kept gradient is %g, want %g", (double)got[0], (double)want[0]);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* Random graphs of 12 elements a row, in three shapes. separate: every other shape is followed by x * 1, so that it is
   a value of its own whose gradient needs no rule for aliases. */
enum { TENSORS = 14, ROW = 12, ROWS = 6, ASKED = 5 };
typedef struct random_graph {
    gtr_context *ctx; gtr_tensor *x, *p, *t[TENSORS], *loss, *g[ASKED]; gtr_trainer *trainer; int form[TENSORS];
} random_graph;
static gtr_shape in_form(int form, int64_t rows) {
    return form == 0 ? gtr_shape2(rows, ROW) : form == 1 ? gtr_shape3(rows, 3, 4) : gtr_shape3(rows, 2, 6);
}
static gtr_tensor *own_value(gtr_tensor *t, bool separate) { return separate ? gtr_scale(t, 1, 0) : t; }
enum { SEPARATE = 1, STAGES = 2 };
static random_graph random_one(uint32_t seed, int how, const gtr_trainer_desc *d)
{
    const bool separate = how & SEPARATE;
    uint32_t s = seed * 2654435761u;
    random_graph r;
    gtr_tensor *sum = NULL, *w;
    int i;
    memset(&r, 0, sizeof r);
    dice = seed;
    r.ctx = create();
    r.x = r.t[0] = gtr_input(r.ctx, "x", GTR_F32, in_form(0, GTR_BATCH));
    r.p = r.t[1] = gtr_parameter(r.ctx, "p", in_form(0, 1), normal());
    w = gtr_parameter(r.ctx, "w", gtr_shape2(ROW, ROW), normal());
    r.form[1] = 4;
    for (i = 2; i < TENSORS; i++) {
        int from = roll(i), other = roll(i), kind = i == 2 ? 9 : roll(9), from_p = from == 1 || r.form[from] >= 4;
        gtr_tensor *a = r.t[from], *b = r.t[other];
        r.form[i] = r.form[from];
        if (how & STAGES) gtr_stage(r.ctx, noise(&s) < 0);
        if (kind < 3) {
            int to = roll(3);
            r.form[i] = to + (from_p ? 4 : 0);
            r.t[i] = own_value(gtr_reshape(a, in_form(to, from_p ? 1 : GTR_BATCH)), separate);
        } else if (kind == 3) r.t[i] = own_value(gtr_stop_gradient(a), separate);
        else if (kind == 4) r.t[i] = roll(2) ? gtr_tanh(a) : activation(roll(SMOOTH_ACTS), a);
        else if (kind == 5) r.t[i] = gtr_scale(a, 0.5f, 0.25f);
        else if (kind == 7) {
            r.t[i] = gtr_linear_with(own_value(gtr_reshape(a, in_form(0, from_p ? 1 : GTR_BATCH)), separate),
                roll(2) ? w : gtr_reshape(w, gtr_shape2(ROW, ROW)), NULL);
            r.form[i] = from_p ? 4 : 0;
        }
        else {              /* the other in this one's form; a product with the rows' if there is one */
            int form = r.form[from] % 4, b_p = other == 1 || r.form[other] >= 4;
            if (kind == 9) { a = r.t[0]; b = r.t[1]; form = 0; from_p = 0; b_p = 1; }
            b = own_value(gtr_reshape(b, in_form(form, b_p ? 1 : GTR_BATCH)), separate);
            r.t[i] = kind == 6 ? gtr_mul(a, b) : gtr_add(gtr_mul(a, a), b);
            r.form[i] = form + (from_p && b_p ? 4 : 0);
        }
    }
    if (how & STAGES && d) for (i = 2; i < TENSORS; i++) gtr_keep(r.t[i]);
    for (i = TENSORS - 4; i < TENSORS; i++) {
        gtr_tensor *m = gtr_mean(gtr_mul(r.t[i], r.t[i]), NULL, 0, false);
        sum = sum ? gtr_add(sum, m) : m;
    }
    r.loss = gtr_add(sum, gtr_mean(gtr_mul(r.t[2], r.t[2]), NULL, 0, false));
    if (how & STAGES) gtr_stage(r.ctx, noise(&s) < 0);
    for (i = 0; i < ASKED; i++) r.g[i] = gtr_keep(gtr_gradient(r.loss, i == 0 && roll(2) ? r.x : r.t[roll(TENSORS)]));
    if (d) {                /* in a trainer's graph behind a stop, and worth nothing there */
        gtr_tensor *all = r.loss;
        for (i = 0; i < ASKED; i++)
            all = gtr_add(all, gtr_scale(gtr_stop_gradient(gtr_mean(r.g[i], NULL, 0, false)), 0, 0));
        if (how & STAGES) for (i = 2; i < TENSORS; i++)
            all = gtr_add(all, gtr_scale(gtr_stop_gradient(gtr_mean(r.t[i], NULL, 0, false)), 0, 0));
        r.trainer = gtr_trainer_create(all, *d);
    }
    return r;
}
static gtr_float some[ROWS * ROW];
static bool run_random(random_graph *r, bool backwards)
{
    gtr_tensor *list[ASKED];
    int i;
    gtr_set(r->x, some, sizeof some);
    for (i = 0; i < ASKED; i++) list[i] = r->g[backwards ? ASKED - 1 - i : i];
    return CHECK((r->trainer ? gtr_backward(r->trainer) : gtr_eval(list, ASKED)) == GTR_OK, "%s",
        gtr_error_text(r->ctx));
}
static void same_gradients(const random_graph *a, const random_graph *b, double nmse, double ratio,
    const char *what, unsigned seed)
{
    static gtr_float u[ROWS * ROW], v[ROWS * ROW];
    int i;
    for (i = 0; i < ASKED; i++) {
        gtr_shape s = gtr_tensor_shape(a->g[i]);
        int64_t n = gtr__count(&s) < 0 ? ROWS * ROW : ROW;
        EXPECT_EQ(gtr_get(a->g[i], u, (size_t)n * sizeof *u), GTR_OK);
        EXPECT_EQ(gtr_get(b->g[i], v, (size_t)n * sizeof *v), GTR_OK);
        CHECK(within(u, v, n, nmse, ratio), "graph %u, %s: gradient %d by %s is %g, %g ..., want %g, %g ...", seed,
            what, i, gtr_tensor_name(a->g[i]->in[1]), (double)u[0], (double)u[1], (double)v[0], (double)v[1]);
    }
    EXPECT_OK(a->ctx); EXPECT_OK(b->ctx);
}
static void same_values(random_graph *a, random_graph *b, const char *what, unsigned seed)
{
    static gtr_float u[ROWS * ROW], v[ROWS * ROW];
    int i;
    EXPECT_EQ(gtr_eval(b->t, TENSORS), GTR_OK);
    for (i = TENSORS - 1; i >= 2; i--) {        /* what a shape is of comes after it: no value from there serves */
        int64_t n = a->form[i] >= 4 ? ROW : ROWS * ROW;
        if (!a->trainer) EXPECT_EQ(gtr_eval(&a->t[i], 1), GTR_OK);      /* alone */
        EXPECT_EQ(gtr_get(a->t[i], u, (size_t)n * sizeof *u), GTR_OK);
        EXPECT_EQ(gtr_get(b->t[i], v, (size_t)n * sizeof *v), GTR_OK);
        CHECK(within(u, v, n, 1e-10, 1e-5), "graph %u, %s: tensor %d, %s, is %g ..., want %g ...", seed, what, i,
            gtr_tensor_name(a->t[i]), (double)u[0], (double)v[0]);
    }
    EXPECT_OK(a->ctx); EXPECT_OK(b->ctx);
}
/* The same in a trainer's graph: kept gradients, those of the trainer, and where there are stages all values. */
static void in_a_trainer(unsigned seed, random_graph *b, int how, int micro, gtr_precision precision)
{
    const double nmse = precision ? 5e-3 : 1e-10, ratio = precision ? 6e-2 : 1e-5;
    gtr_float want[ROW], got[ROW];
    gtr_trainer_desc d = sgd(0.1f);
    random_graph c;
    d.micro_batches = micro; d.precision = precision; d.no_matchers = true; d.loss_scale = 16;
    c = random_one(seed, how, &d);
    if (!c.trainer) {
        if (gtr_error(c.ctx) != GTR_ERR_UNSUPPORTED)
            CHECK(strstr(gtr_error_text(c.ctx), "no parameter") != NULL, "%s", gtr_error_text(c.ctx));
    } else if (run_random(&c, false)) {
        gtr_tensor *dp = gtr_gradient(b->loss, b->p);
        same_gradients(&c, b, nmse, ratio, micro == 1 ? "kept" : "kept, micro-batches", seed);
        if (how & STAGES) same_values(&c, b, micro == 1 ? "kept, stages" : "kept, stages, micro-batches", seed);
        EXPECT_EQ(gtr_eval(&dp, 1), GTR_OK);
        EXPECT_EQ(gtr_get(dp, want, sizeof want), GTR_OK);
        EXPECT_EQ(gtr_gradient_get(c.trainer, c.p, got, sizeof got), GTR_OK);
        CHECK(within(got, want, ROW, nmse, ratio), "graph %u: the trainer's own gradient is %g, want %g", seed,
            (double)got[0], (double)want[0]);
    }
    gtr_destroy(c.ctx);
}
static void random_graphs(void)
{
    unsigned seed;
    int i;
    for (i = 0; i < ROWS * ROW; i++) some[i] = (gtr_float)(i * 37 % 101) / 50 - 1;
    for (seed = 1; seed <= (small ? 3u : 100u); seed++) {
        if (!check_mine((int)seed)) continue;
        random_graph a = random_one(seed, 0, NULL), b = random_one(seed, SEPARATE, NULL),
            c = random_one(seed, STAGES, NULL);
        if (run_random(&a, false) && run_random(&b, false)) same_gradients(&a, &b, 1e-10, 1e-5, "eval", seed);
        if (run_random(&a, true)) same_gradients(&a, &b, 1e-10, 1e-5, "eval, other order", seed);
        if (run_random(&c, false)) same_gradients(&c, &b, 1e-10, 1e-5, "eval, stages", seed);
        same_values(&c, &b, "eval, stages", seed);
        in_a_trainer(seed, &b, 0, 1, GTR_FP32);
        in_a_trainer(seed, &b, 0, 4, GTR_FP32);
        in_a_trainer(seed, &b, 0, 1, GTR_MIXED_BF16);
        in_a_trainer(seed, &b, 0, 4, GTR_MIXED_FP16);
        in_a_trainer(seed, &b, STAGES, 1, GTR_FP32);
        in_a_trainer(seed, &b, STAGES, 4, GTR_FP32);
        gtr_destroy(a.ctx); gtr_destroy(b.ctx); gtr_destroy(c.ctx);
    }
}

/* ---- gradients that an op only passes on ---- */
/* Random graphs of sums whose operands are used elsewhere too: their gradients share places where they may. Behind a
   factor of 1 they do not, and nothing differs but the order in which parts of a gradient are added. */
enum { PLACES = 8, PLACE_ROWS = 6, PLACE_NODES = 14 };
typedef struct placed {
    gtr_float g[4 * PLACE_NODES][PLACES * PLACES], x[PLACE_ROWS * PLACES], y[PLACE_ROWS * PLACES];
    int parameters, copies, factors;
} placed;
static gtr_tensor *sum_of(gtr_tensor *a, gtr_tensor *b, bool minus, bool apart)
{
    if (apart) { a = gtr_scale(a, 1, 0); b = gtr_scale(b, 1, 0); }
    return minus ? gtr_sub(a, b) : gtr_add(a, b);
}
static void place_graph(uint32_t seed, int micro, bool apart, placed *out)
{
    static gtr_float v[PLACE_ROWS * PLACES];
    gtr_context *ctx = create();
    gtr_trainer_desc d = sgd(0.1f);
    gtr_tensor *t[PLACE_NODES + 1], *loss, *inner = NULL, *pending = NULL, *given[2];
    gtr_trainer *trainer;
    gtr__plan_entry *e;
    int i, n = 0;
    char name[16];
    memset(out, 0, sizeof *out);
    dice = seed;
    for (i = 0; i < PLACE_ROWS * PLACES; i++) v[i] = (gtr_float)(roll(64) - 32) / 16;
    t[n++] = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, PLACES));
    while (n <= PLACE_NODES) {
        gtr_tensor *a = t[roll(n)], *b = t[roll(n)];
        const int what = n < 3 ? 0 : roll(13);
        snprintf(name, sizeof name, "fc%d", n);
        if (what < 3) t[n] = gtr_linear(a, name, PLACES);
        else if (what < 7) t[n] = sum_of(a, b, what == 6, apart);
        else if (what == 7) t[n] = b->id & 1 ? activation(roll(ACTS), a) : gtr_relu(a);
        else if (what == 8)
            t[n] = gtr_reshape(gtr_scale(gtr_reshape(a, gtr_shape1(-PLACES)), 0.5f, 0), gtr_shape2(GTR_BATCH, PLACES));
        else if (what == 9) t[n] = gtr_mul(a, gtr_sigmoid(b));
        else t[n] = pending ? gtr_linear(pending, name, PLACES) : gtr_tanh(b);
        /* an activation now, the layer behind it further on: fused, its gradient's node stands elsewhere */
        if (what >= 10) {
            snprintf(name, sizeof name, "up%d", n);
            pending = gtr_linear(a, name, PLACES);
            pending = roll(2) ? gtr_relu(pending) : activation(roll(ACTS), pending);
        }
        if (what >= 3 && what < 7) inner = t[n];
        n++;
    }
    loss = gtr_mean(gtr_mul(t[n - 1], t[n - 1]), NULL, 0, false);
    for (i = 2; i < n - 1; i += 3)
        loss = gtr_add(loss, gtr_mean(gtr_tanh(sum_of(t[i], t[i + 1], false, apart)), NULL, 0, false));
    given[0] = gtr_gradient(loss, t[0]);
    given[1] = gtr_gradient(loss, inner ? inner : t[1]);
    if (seed & 1) for (i = 0; i < 2; i++) {
        gtr_keep(given[i]);
        loss = gtr_add(loss, gtr_scale(gtr_stop_gradient(gtr_mean(given[i], NULL, 0, false)), 0, 0));
    }
    d.micro_batches = micro; d.streams = 1 + (int)(seed % 4); d.no_matchers = true;
    trainer = gtr_trainer_create(loss, d);
    EXPECT_EQ(gtr_set(t[0], v, sizeof v), GTR_OK);
    for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(trainer), GTR_OK);
    for (i = 0; i < gtr_parameter_count(ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(ctx, i);
        if (gtr__trainer_index(trainer, p) >= 0)
            EXPECT_EQ(gtr_gradient_get(trainer, p, out->g[out->parameters++], gtr__bytes_of(p)), GTR_OK);
    }
    if (seed & 1) {
        EXPECT_EQ(gtr_get(given[0], out->x, sizeof out->x), GTR_OK);
        EXPECT_EQ(gtr_get(given[1], out->y, sizeof out->y), GTR_OK);
    }
    e = gtr__trainer_entry(trainer, PLACE_ROWS, NULL, false);
    for (i = 0; e && i < e->plan.n_node; i++) {
        const gtr__node *q = &e->plan.node[i];
        out->copies += q->dir == GTR__BWD && (q->op == GTR__OP_ADD || q->op == GTR__OP_SUB);
        out->factors += q->dir == GTR__BWD && q->op == GTR__OP_SCALE;
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
static void shared_places(void)
{
    static placed a, b;
    int i, copies = 0, all = 0;
    for (i = 0; i < (small ? 24 : 240); i++) {
        const int micro = 1 + i / 2 % 2;
        const uint32_t seed = 77u + (uint32_t)i * 7919u;
        bool near;
        place_graph(seed, micro, false, &a); place_graph(seed, micro, true, &b);
        copies += a.copies; all += b.copies + b.factors - a.factors;
        /* all in one: some are what rounding leaves of 0 */
        near = within(a.g[0], b.g[0], 4 * PLACE_NODES * PLACES * PLACES, 1e-9, 1e-4);
        CHECK(near && a.parameters == b.parameters, "graph %u, %d parts: gradients that share places differ",
            (unsigned)seed, micro);
        near = within(a.x, b.x, PLACE_ROWS * PLACES, 1e-9, 1e-4) && within(a.y, b.y, PLACE_ROWS * PLACES, 1e-9, 1e-4);
        CHECK(near, "graph %u, %d parts: kept gradients that share places differ", (unsigned)seed, micro);
    }
    printf("of sums' gradients %d of %d are copied\n", copies, all);
    CHECK(copies > 0 && copies < all, "%d of %d copies are left", copies, all);
}

/* ---- what is added to a layer ---- */
enum {
    BLOCK_PLAIN, BLOCK_GELU, BLOCK_LATER, BLOCK_FIRST, BLOCK_KEPT, BLOCK_TWICE, BLOCK_BETWEEN, BLOCK_ROW, BLOCK_SELF,
    BLOCKS
};
/* A block h + layer(h); the number of its nodes that add, forward. fused false: nothing is fused to layers. */
static int block(int kind, bool fused, int micro, gtr_float *g, gtr_float *loss)
{
    static gtr_float v[12 * 5];
    gtr_context *ctx = create();
    gtr_trainer_desc d = sgd(0.1f);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 5)), *h = gtr_tanh(gtr_linear(x, "in", 7)),
        *y = gtr_linear(h, "fc", 7), *z = y, *all = NULL;
    gtr_trainer *t;
    gtr__plan_entry *e;
    int i, adds = 0;
    if (!fused) ctx->caps.unfused[GTR__OP_LINEAR_ACT] = 1;
    if (kind == BLOCK_GELU || kind == BLOCK_BETWEEN || kind == BLOCK_SELF) z = gtr_gelu(y);
    if (kind == BLOCK_SELF) h = y;
    if (kind == BLOCK_LATER) h = gtr_relu(gtr_linear(h, "later", 7));
    if (kind == BLOCK_KEPT) gtr_keep(y);
    if (kind == BLOCK_BETWEEN) h = gtr_tanh(y);
    if (kind == BLOCK_ROW) h = gtr_parameter(ctx, "row", gtr_shape1(7), normal());
    z = kind == BLOCK_FIRST ? gtr_add(z, h) : gtr_add(h, z);
    if (kind == BLOCK_TWICE) all = gtr_mean(gtr_tanh(y), NULL, 0, false);
    x = gtr_mean(gtr_tanh(gtr_linear(z, "out", 3)), NULL, 0, false);
    if (all) x = gtr_mul(x, all);
    for (i = 0; i < 12 * 5; i++) v[i] = (gtr_float)(i * 7 % 16 - 8) / 8;
    d.micro_batches = micro; d.no_matchers = true;
    t = gtr_trainer_create(x, d);
    EXPECT_EQ(gtr_set(ctx->graph.tensor[0], v, sizeof v), GTR_OK);
    for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(t), GTR_OK);
    *loss = gtr_loss(t);
    EXPECT_EQ(gtr_gradient_get(t, gtr_parameter_at(ctx, 0), g, 7 * 5 * sizeof *g), GTR_OK);
    e = gtr__trainer_entry(t, 12, NULL, false);
    for (i = 0; e && i < e->plan.n_node; i++)
        adds += e->plan.node[i].op == GTR__OP_ADD && e->plan.node[i].dir == GTR__FWD;
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    return adds;
}
static void residuals(void)
{
    int kind, micro;
    for (kind = 0; kind < BLOCKS; kind++) for (micro = 1; micro < 3; micro++) {
        gtr_float a[7 * 5], b[7 * 5], loss[2];
        const int alone = block(kind, false, micro, a, &loss[0]), adds = block(kind, true, micro, b, &loss[1]);
        CHECK(adds == (kind < BLOCK_KEPT ? 0 : alone) && alone == micro, "block %d, %d parts: %d nodes add, %d alone",
            kind, micro, adds, alone);
        if (device == GTR_DEVICE_CPU) CHECK(loss[0] == loss[1] && !memcmp(a, b, sizeof a),
            "block %d, %d parts: a layer that adds gives %.9g, layer and addition %.9g", kind, micro,
            (double)loss[1], (double)loss[0]);
        else CHECK(within(a, b, 7 * 5, 1e-9, 1e-4), "block %d, %d parts: gradients differ", kind, micro);
    }
}

/* Products by hand, of matrices as they lie, transposed, permuted, stacked or shared by a stack, each followed by an
   activation, or added to; how many nodes that activate or add are left. fused false: nothing is fused to products. */
static gtr_tensor *activated(int act, gtr_tensor *x)
{
    return act == 0 ? gtr_scale(x, 0.5f, 0.25f) : act == 1 ? gtr_relu(x) : act == 2 ? gtr_gelu(x) : gtr_tanh(x);
}
static gtr_tensor *turned(gtr_tensor *x, bool t)
{
    static const int last_two[] = { 0, 1, 3, 2 };
    return t ? gtr_permute(x, last_two) : x;
}
static int by_hand(int act, int form, bool fused, gtr_float *g, gtr_float *loss)
{
    static const int heads[] = { 0, 2, 1, 3 };
    static gtr_float v[6 * 5 * 8];
    const bool ta = form & 1, tb = (form & 2) != 0, added = (form & 4) != 0;
    gtr_context *ctx = create();
    gtr_trainer_desc d = sgd(0.1f);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 5, 8)), *q[3], *y, *z, *w;
    gtr_trainer *t;
    gtr__plan_entry *e;
    int i, apart = 0;
    if (!fused) ctx->caps.unfused[GTR__OP_LINEAR_ACT] = ctx->caps.unfused[GTR__OP_LINEAR_DACT] = 1;
    for (i = 0; i < 3; i++) {
        static const char *const names[] = { "q", "k", "v" };
        q[i] = gtr_permute(gtr_reshape(gtr_linear(x, names[i], 8), gtr_shape4(GTR_BATCH, 5, 2, 4)), heads);
    }
    y = gtr_matmul_t(turned(q[0], ta), ta, turned(q[1], !tb), tb);
    z = activated(act, y);
    if (added) z = gtr_add(z, gtr_matmul_t(q[1], false, q[0], true));
    z = activated(act, gtr_matmul(gtr_softmax(z, -1), q[2]));
    w = gtr_parameter(ctx, "w", tb ? gtr_shape2(7, 8) : gtr_shape2(8, 7), normal());
    z = activated(act, gtr_matmul_t(gtr_reshape(gtr_permute(z, heads), gtr_shape3(GTR_BATCH, 5, 8)), false, w, tb));
    w = gtr_parameter(ctx, "u", gtr_shape2(7, 7), normal());
    y = gtr_matmul_t(z, false, w, tb);
    z = added ? gtr_add(z, activated(act, y)) : y;
    for (i = 0; i < 6 * 5 * 8; i++) v[i] = (gtr_float)(i * 7 % 16 - 8) / 8;
    d.no_matchers = true;
    t = gtr_trainer_create(gtr_mean(gtr_mul(z, z), NULL, 0, false), d);
    EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
    for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(t), GTR_OK);
    *loss = gtr_loss(t);
    EXPECT_EQ(gtr_gradient_get(t, gtr_parameter_find(ctx, "q.weight"), g, 8 * 8 * sizeof *g), GTR_OK);
    EXPECT_EQ(gtr_gradient_get(t, gtr_parameter_find(ctx, "w"), g + 8 * 8, 8 * 7 * sizeof *g), GTR_OK);
    e = gtr__trainer_entry(t, 6, NULL, false);
    for (i = 0; e && i < e->plan.n_node; i++) {
        const gtr__node *n = &e->plan.node[i];
        apart += n->dir == GTR__FWD && (gtr__unary_find((int)n->op) != NULL || n->op == GTR__OP_ADD);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    return apart;
}
static void products_by_hand(void)
{
    int act, form;
    for (act = 0; act < 4; act++) for (form = 0; form < 8; form++) {
        gtr_float a[8 * 15], b[8 * 15], loss[2];
        const int alone = by_hand(act, form, false, a, &loss[0]), apart = by_hand(act, form, true, b, &loss[1]);
        /* backward of ReLU and tanh reads what they made, so that it stays apart from its sum; softmax scales itself */
        CHECK(alone == (form & 4 ? 6 : act ? 3 : 2) && apart == (form & 4 && act % 2),
            "activation %d, form %d: %d nodes beside products, alone %d", act, form, apart, alone);
        if (device == GTR_DEVICE_CPU) CHECK(loss[0] == loss[1] && !memcmp(a, b, sizeof a),
            "activation %d, form %d: products with epilogues give %.9g, node by node %.9g", act, form, (double)loss[1],
            (double)loss[0]);
        else CHECK(within(a, b, 8 * 15, 1e-9, 1e-4), "activation %d, form %d: gradients differ", act, form);
    }
}

/* A gradient that is made and used inside a region whose values are computed again: the same bits without it. */
static void gradient_in_region(void)
{
    gtr_float loss[2] = { 0, 1 };
    int kind, region, i;
    for (kind = 0; kind < 4; kind++) {
        for (region = 0; region < 2; region++) {
            static gtr_float v[12 * 5];
            gtr_context *ctx = create();
            gtr_trainer_desc d = sgd(0.1f);
            gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 5)),
                *h = gtr_tanh(gtr_linear(x, "a", 6)), *k, *g;
            gtr_trainer *t;
            if (region) gtr_recompute_begin(ctx);
            k = gtr_tanh(gtr_linear(h, "b", 6));
            if (kind & 1) k = gtr_tanh(gtr_scale(k, 0.5f, 0.1f));
            g = gtr_gradient(gtr_mean(gtr_tanh(gtr_mul(k, k)), NULL, 0, false), kind & 2 ? k : h);
            h = gtr_mul(gtr_add(h, gtr_linear(gtr_stop_gradient(gtr_scale(g, 3, 0)), "g", 6)), k);
            if (region) gtr_recompute_end(ctx);
            d.no_matchers = true;
            t = gtr_trainer_create(gtr_mean(gtr_tanh(gtr_linear(h, "o", 3)), NULL, 0, false), d);
            for (i = 0; i < 12 * 5; i++) v[i] = (gtr_float)(i * 7 % 16 - 8) / 8;
            EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
            for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(t), GTR_OK);
            loss[region] = gtr_loss(t);
            EXPECT_OK(ctx);
            gtr_destroy(ctx);
        }
        CHECK(loss[0] == loss[1], "kind %d: a loss of %.9g, and %.9g in a region", kind, (double)loss[0],
            (double)loss[1]);
    }
}

/* A norm with its activation, against the two; kept: the value between, which is then stored. */
static int normed(gtr_tensor *(*act)(gtr_tensor *), int64_t c, bool fused, bool kept, gtr_float *g, gtr_float *shown)
{
    static gtr_float v[30 * 5];
    gtr_context *ctx = create();
    gtr_trainer_desc d = sgd(0.1f);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 5)),
        *n = gtr_batch_norm(gtr_linear(x, "in", c), "bn"), *y;
    gtr_trainer *t;
    gtr__plan_entry *e;
    int i, alone = 0;
    if (!fused) ctx->caps.unfused[GTR__OP_BATCH_NORM] = 1;
    if (kept) gtr_keep(n);
    y = gtr_linear(act(n), "out", 3);
    for (i = 0; i < 30 * 5; i++) v[i] = (gtr_float)(i * 7 % 16 - 8) / 8;
    d.no_matchers = true;
    t = gtr_trainer_create(gtr_mean(gtr_tanh(y), NULL, 0, false), d);
    EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
    for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(t), GTR_OK);
    EXPECT_EQ(gtr_gradient_get(t, gtr_parameter_at(ctx, 0), g, (size_t)c * 5 * sizeof *g), GTR_OK);
    e = gtr__trainer_entry(t, 30, NULL, false);
    for (i = 0; e && i < e->plan.n_node; i++)
        alone += e->plan.node[i].dir == GTR__FWD && gtr__unary_find((int)e->plan.node[i].op) != NULL;
    EXPECT_EQ(gtr_eval(&y, 1), GTR_OK);
    EXPECT_EQ(gtr_get(y, shown, 30 * 3 * sizeof *shown), GTR_OK);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    return alone;
}
static gtr_tensor *twice(gtr_tensor *x) { return gtr_scale(x, 2, -0.25f); }
static void norm_acts(void)
{
    static gtr_tensor *(*const acts[])(gtr_tensor *) = { gtr_relu, gtr_tanh, gtr_sigmoid, gtr_exp, twice, gtr_gelu };
    static const int64_t channels[] = { 1, 7, 70 };
    static gtr_float a[70 * 5], b[70 * 5], shown[2][30 * 3];
    int i, k, kept;
    for (i = 0; i < 6; i++) for (k = 0; k < 3; k++) for (kept = 0; kept < 2; kept++) {
        const int64_t c = channels[k];
        const int two = normed(acts[i], c, false, kept, a, shown[0]), one = normed(acts[i], c, true, kept, b, shown[1]);
        CHECK(one == two - (!kept && i < 5), "activation %d, %d channels: %d unary nodes, alone %d", i, (int)c, one,
            two);
        CHECK(within(a, b, (int)c * 5, 1e-9, 1e-4) && within(shown[0], shown[1], 30 * 3, 1e-9, 1e-4),
            "activation %d, %d channels: a norm with it gives something else", i, (int)c);
        if (device == GTR_DEVICE_CPU) CHECK(!memcmp(a, b, (size_t)c * 5 * sizeof *a) && !memcmp(shown[0], shown[1],
            sizeof shown[0]), "activation %d, %d channels: other bits", i, (int)c);
    }
}

/* What one fused op makes, against what it is made of: a softmax of what is scaled, losses' forward and backward. */
enum { STEP_SOFTMAX, STEP_MSE, STEP_BCE, STEPS };
static int step_nodes(int kind, int64_t n, int inner, gtr_precision precision, int fused, gtr_float *g, gtr_float *loss)
{
    static gtr_float v[40 * 5];
    const gtr__op op = kind == STEP_SOFTMAX ? GTR__OP_SOFTMAX : GTR__OP_PAIR_STEP;
    gtr_context *ctx = create();
    gtr_trainer_desc d = sgd(0.1f);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 5)), *h = gtr_linear(x, "a", n * inner), *y,
        *other = gtr_linear(x, "b", n * inner);
    gtr_trainer *t;
    gtr__plan_entry *e;
    int i, alone = 0;
    if (!fused) ctx->caps.unfused[op] = 1;
    if (kind == STEP_SOFTMAX) {
        h = gtr_reshape(h, gtr_shape3(GTR_BATCH, n, inner));
        other = gtr_reshape(other, gtr_shape3(GTR_BATCH, n, inner));
        y = gtr_softmax(gtr_scale(h, 0.7f, 0.25f), 1);
        y = gtr_scale(gtr_sum(gtr_mul(y, other), NULL, 0, false), 0.125f, 0);
    } else y = (kind == STEP_MSE ? gtr_mse : gtr_bce_with_logits)(h, gtr_stop_gradient(other));
    for (i = 0; i < 40 * 5; i++) v[i] = (gtr_float)(i * 7 % 16 - 8) / 8;
    d.no_matchers = true; d.precision = precision;
    t = gtr_trainer_create(y, d);
    if (!t) { SKIP("%s", gtr_error_text(ctx)); gtr_destroy(ctx); return -1; }
    EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
    for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(t), GTR_OK);
    *loss = gtr_loss(t);
    EXPECT_EQ(gtr_gradient_get(t, gtr_parameter_at(ctx, 0), g, (size_t)(n * inner * 5) * sizeof *g), GTR_OK);
    e = gtr__trainer_entry(t, 40, NULL, false);
    for (i = 0; e && i < e->plan.n_node; i++)
        alone += e->plan.node[i].op == GTR__OP_SCALE || e->plan.node[i].op == GTR__OP_MSE
            || e->plan.node[i].op == GTR__OP_BCE_WITH_LOGITS;
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    return alone;
}
static void fused_steps(void)
{
    static const int64_t sizes[] = { 1, 7, 70, 300, 1500, 5200 };
    static const gtr_precision precisions[] = { GTR_FP32, GTR_MIXED_BF16 };
    static gtr_float a[5200 * 3 * 5], b[5200 * 3 * 5];
    gtr_float one, two;
    int kind, k, i;
    for (kind = 0; kind < STEPS; kind++) for (k = 0; k < 6; k++) for (i = 0; i < 4; i++) {
        const int inner = i % 2 * 2 + 1, p = i / 2;
        const int64_t n = sizes[k] * inner;
        const int apart = step_nodes(kind, sizes[k], inner, precisions[p], 0, a, &one);
        const int whole = step_nodes(kind, sizes[k], inner, precisions[p], 1, b, &two);
        if (apart < 0) continue;
        CHECK(whole == apart - 2, "kind %d, %d by %d: %d nodes alone, of %d", kind, (int)sizes[k], inner, whole, apart);
        CHECK(fabs((double)(one - two)) <= 1e-2 * fabs((double)one), "kind %d, %d by %d: a loss of %g, fused %g", kind,
            (int)sizes[k], inner, (double)one, (double)two);
        if (!p || device == GTR_DEVICE_CUDA)    /* the CPU rounds what it stores */
            CHECK(one == two && !memcmp(a, b, (size_t)n * 5 * sizeof *a), "kind %d, %d by %d, precision %d: other bits",
                kind, (int)sizes[k], inner, p);
    }
}

/* Residual blocks of so many columns, whose norms' gradients are summed in float32, and rounded for a product. Returns
   how many nodes do nothing but round. norm: layer_norm, rms_norm, layer_norm without bias, one of frozen weights. */
enum { ROUNDING_ROWS = 2800, ROUNDING_NORMS = 4 };
static int rounding_nodes(int norm, int wide, int rows, int micro, gtr_precision precision, bool fused, gtr_float *g)
{
    static int32_t v[ROUNDING_ROWS];
    gtr_context *ctx = create();
    gtr_trainer_desc d = sgd(0.1f);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_I32, gtr_shape1(GTR_BATCH)), *h = gtr_embedding(x, "in", 5, wide);
    gtr_trainer *t;
    gtr__plan_entry *e;
    int i, alone = 0;
    if (!fused) ctx->caps.unfused[GTR__OP_LAYER_NORM] = ctx->caps.unfused[GTR__OP_RMS_NORM] = 1;
    for (i = 0; i < 3; i++) {
        gtr_init one = gtr__init(GTR_INIT_CONSTANT, 1), zero = gtr__init(GTR_INIT_ZERO, 0);
        gtr_tensor *y;
        gtr_scope_begin(ctx, i ? i > 1 ? "c" : "b" : "a");
        one.frozen = norm == 3;
        y = norm == 0 ? gtr_layer_norm(h, "norm", 1, 0) : norm == 1 ? gtr_rms_norm(h, "norm", 1, 0)
            : gtr_layer_norm_with(h, gtr_parameter(ctx, "weight", gtr_shape1(wide), one),
                norm == 2 ? NULL : gtr_parameter(ctx, "bias", gtr_shape1(wide), zero), 0);
        h = gtr_add(h, gtr_linear(gtr_linear(gtr_gelu(y), "in", 8), "out", wide));
        gtr_scope_end(ctx);
    }
    for (i = 0; i < rows; i++) v[i] = i * 7 % 5;
    d.no_matchers = true; d.precision = precision; d.loss_scale = precision == GTR_MIXED_FP16 ? 64 : 0;
    d.micro_batches = micro;
    t = gtr_trainer_create(gtr_mean(gtr_square(h), NULL, 0, false), d);
    if (!t) { SKIP("%s", gtr_error_text(ctx)); gtr_destroy(ctx); return -1; }
    EXPECT_EQ(gtr_set(x, v, (size_t)rows * sizeof *v), GTR_OK);
    for (i = 0; i < 2; i++) EXPECT_EQ(gtr_step(t), GTR_OK);
    EXPECT_EQ(gtr_gradient_get(t, gtr_parameter_at(ctx, 0), g, (size_t)(wide * 5) * sizeof *g), GTR_OK);
    e = gtr__trainer_entry(t, rows, NULL, false);
    for (i = 0; e && i < e->plan.n_node; i++)
        alone += e->plan.node[i].op == GTR__OP_ADD && e->plan.node[i].dir == GTR__BWD;
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    return alone;
}
static void rounded_norms_of(int norm, int wide, int rows, int micro, gtr_precision precision)
{
    static gtr_float a[2100 * 5], b[2100 * 5];
    const int apart = rounding_nodes(norm, wide, rows, micro, precision, false, a),
        whole = rounding_nodes(norm, wide, rows, micro, precision, true, b),
        low = 2 * micro;
    if (apart < 0) return;
    CHECK(whole == apart - low, "norm %d of %d x %d, precision %d: %d nodes that round, of %d", norm, rows, wide,
        (int)precision, whole, apart);
    CHECK(!memcmp(a, b, (size_t)wide * 5 * sizeof *a), "norm %d of %d x %d, precision %d: other bits", norm, rows, wide,
        (int)precision);
}
static void rounded_norms(void)
{
    static const int sizes[] = { 7, 8, 84, 200, 384, 2100, 600 }, warps[] = { 256, 384, 512 };
    if (device != GTR_DEVICE_CUDA) return;      /* the CPU has no such kernel */
    for (int k = 0; k < 7; k += small ? 3 : 1) for (int norm = 0; norm < 4; norm++)
        rounded_norms_of(norm % 2, sizes[k], 40, 1, norm / 2 ? GTR_MIXED_FP16 : GTR_MIXED_BF16);
    for (int norm = 0; norm < ROUNDING_NORMS; norm++) {
        rounded_norms_of(norm, 36, 40, 1, GTR_MIXED_BF16);
        rounded_norms_of(norm, 36, 40, 2, GTR_MIXED_BF16);
    }
    /* rows that a warp holds; one node makes all gradients of so many */
    for (int k = 0; k < 3; k++) rounded_norms_of(k % 2, warps[k], small ? 200 : 1100, 1, GTR_MIXED_BF16);
    for (int norm = 0; norm < ROUNDING_NORMS && !small; norm++)
        rounded_norms_of(norm, 384, ROUNDING_ROWS, 1, GTR_MIXED_BF16);
}

/* How many backward nodes norms have in the plan for a GPU that need not be there, and on how many of the further
   streams gradients of parameters are made. */
static int norm_nodes(int64_t rows, int micro, int of_user, int *streams)
{
    gtr_desc c;
    gtr_trainer_desc d = sgd(0.1f);
    bool on[GTR__MAX_STREAMS] = { false };
    int i, n = 0;
    memset(&c, 0, sizeof c);
    c.preset = GTR_PRESET_SM90;
    gtr_context *ctx = gtr_create(c);
    gtr_tensor *h = gtr_linear(gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 5)), "in", 64);
    for (i = 0; i < 3; i++) {
        gtr_scope_begin(ctx, i ? i > 1 ? "c" : "b" : "a");
        h = gtr_add(h, gtr_linear(gtr_gelu(gtr_linear(gtr_layer_norm(h, "norm", 1, 0), "up", 256)), "down", 64));
        gtr_scope_end(ctx);
    }
    d.precision = GTR_TF32; d.no_matchers = true; d.micro_batches = micro; d.streams = of_user;
    gtr_trainer *t = gtr_trainer_create(gtr_mean(gtr_square(h), NULL, 0, false), d);
    gtr__plan_entry *e = t ? gtr__trainer_entry(t, rows, NULL, true) : NULL;
    for (i = 0; e && i < e->plan.n_node; i++) {
        const gtr__node *q = &e->plan.node[i];
        n += q->op == GTR__OP_LAYER_NORM && q->dir == GTR__BWD;
        if (q->wait.only_gradients) on[q->stream] = true;
    }
    for (*streams = 0, i = 1; i < GTR__MAX_STREAMS; i++) *streams += on[i];
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    return n;
}
static void norms_aside(void)
{
    int streams;
    if (device == GTR_DEVICE_CUDA || sizeof(gtr_float) == 8) return;     /* of no device */
    EXPECT_EQ(norm_nodes(2048, 1, 0, &streams), 6);
    CHECK(streams == 3, "gradients of parameters are made on %d further streams", streams);
    EXPECT_EQ(norm_nodes(16384, 1, 0, &streams), 6);                /* 2^20 elements */
    EXPECT_EQ(norm_nodes(16385, 1, 0, &streams), 3);
    EXPECT_EQ(norm_nodes(2048, 2, 0, &streams), 6);                 /* a node for each part: there is one stream */
    EXPECT_EQ(norm_nodes(2048, 1, 1, &streams), 3);
    EXPECT_EQ(streams, 0);
    EXPECT_EQ(norm_nodes(2048, 1, 2, &streams), 6);
    EXPECT_EQ(streams, 1);
}

/* A loss of one element that a norm makes, whose gradient is a constant that is stored, behind more and more nodes. */
static void norm_as_loss(void)
{
    for (int n = 0; n < 40; n++) {
        gtr_context *ctx = create();
        const gtr_float one[5] = { 1, 2, 3, 4, 5 };
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 5)),
            *h = gtr_reshape(gtr_mean(gtr_linear(x, "in", 3), NULL, 0, false), gtr_shape2(1, 1));
        for (int i = 0; i < n; i++) h = gtr_tanh(h);
        gtr_trainer *t = gtr_trainer_create(gtr_layer_norm(h, "norm", 1, 0), sgd(0.5f));
        gtr_float bias = 1;
        EXPECT_EQ(gtr_set(x, one, sizeof one), GTR_OK);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        EXPECT_EQ(gtr_get(gtr_parameter_find(ctx, "norm.bias"), &bias, sizeof bias), GTR_OK);
        CHECK(bias == (gtr_float)-0.5, "%d nodes: bias is %g, the gradient of the loss itself is 1", n, (double)bias);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}

/* ---- element-wise programs ---- */
/* A graph drawn from a seed: element-wise ops, with operands that are broadcast, reshaped, sliced, joined, drawn, used
   again, drop out, and now and then a layer or a mean between. Returns its loss. */
static gtr_tensor *drawn_graph(gtr_context *ctx, unsigned seed)
{
    gtr_tensor *v[40], *column, *pair[4], *x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 6, 8)),
        *y = gtr_input(ctx, "y", GTR_F32, gtr_shape3(GTR_BATCH, 6, 8)), *loss;
    const int axis = 2, steps = 6 + (int)(seed % 9);
    unsigned r = seed * 2654435761u + 12345;
    int n = 0, i;
    v[n++] = x; v[n++] = y; v[n++] = gtr_linear(x, "in", 8);
    column = gtr_mean(v[2], &axis, 1, true);
    for (i = 0; i < steps; i++) {
        gtr_tensor *a = v[n - 1 - (int)(r >> 8) % 3 % n], *b = v[(r >> 16) % (unsigned)n], *t = a;
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        switch ((r >> 24) % 23) {
        case 0: t = gtr_add(a, b); break;
        case 1: t = gtr_sub(b, a); break;
        case 2: t = gtr_tanh(gtr_mul(a, b)); break;
        case 3: t = gtr_div(a, gtr_scale(gtr_sigmoid(b), 1, 0.5f)); break;
        case 4: t = gtr_mul(a, column); break;
        case 5: t = gtr_add(gtr_parameter(ctx, name, gtr_shape1(8), normal()), a); break;
        case 6: t = gtr_mul(a, gtr_sigmoid(a)); break;
        case 7: t = activation((int)(r >> 4) % ACTS, a); break;
        case 8: t = gtr_dropout(a, name, 0.25f); break;
        case 9: t = gtr_log(gtr_scale(gtr_exp(gtr_tanh(a)), 1, 1)); break;
        case 10: t = gtr_relu(gtr_reshape(a, gtr_shape2(GTR_BATCH, 48)));
            t = gtr_reshape(t, gtr_shape3(GTR_BATCH, 6, 8)); break;
        case 11: t = gtr_sub(a, gtr_mean(a, &axis, 1, true)); break;
        case 12: t = gtr_linear(a, name, 8); if (r & 64) t = activation((int)(r >> 8) % ACTS, t); break;
        case 13: t = gtr_add(a, gtr_random_normal(b, name)); break;
        case 14: t = gtr_mul(a, gtr_random_uniform(a, name)); break;
        case 15: case 16:                               /* gates; halves and their rows */
            t = gtr_split(a, r & 256 ? 1 : 2, 2);
            pair[0] = gtr_mul(t, gtr_sigmoid(gtr_output(t, 1)));
            pair[1] = r & 512 ? gtr_sub(b == a ? t : gtr_tanh(t), gtr_output(t, 1)) : gtr_exp(gtr_tanh(t));
            t = gtr_concat(pair, 2, r & 256 ? 1 : 2); break;
        case 17: t = gtr_mul(a, gtr_tanh(gtr_slice(b, 2, 3, 4))); break;
        case 18: t = gtr_sub(gtr_mul(gtr_slice(a, 1, 2, 3), a), gtr_slice(b, 1, 4, 5)); break;
        case 19: t = gtr_reshape(gtr_slice(gtr_reshape(a, gtr_shape2(GTR_BATCH, 48)), 1, 5, 29),
                gtr_shape3(GTR_BATCH, 3, 8));
            pair[0] = gtr_mul(t, t); pair[1] = r & 1024 ? t : gtr_slice(b, 1, 0, 3);
            t = gtr_concat(pair, 2, 1); break;
        case 20: t = gtr_add(gtr_linear(gtr_slice(a, 2, 0, 5), name, 8), gtr_slice(y, 2, 7, 8)); break;
        case 21: pair[0] = gtr_tanh(gtr_slice(a, 2, 0, 2)); pair[1] = gtr_slice(y, 2, 0, 1);
            pair[2] = gtr_tanh(gtr_slice(b, 2, 3, 5)); pair[3] = gtr_exp(gtr_slice(y, 2, 0, 3));
            t = gtr_concat(pair, 4, 2); break;
        default: t = gtr_mul(a, gtr_parameter(ctx, name, gtr_shape2(6, 1), normal())); break;
        }
        v[n++] = gtr_scale(t, 0.75f, 0);
        r = r * 1664525u + 1013904223u;
    }
    for (loss = v[n - 1], i = 2; i < n - 1; i += 3) loss = gtr_add(loss, v[i]);
    return gtr_mean(gtr_tanh(loss), NULL, 0, false);
}
/* Losses and parameters of three steps; returns how many nodes programs took. */
static int drawn_steps(unsigned seed, gtr_precision precision, int micro, bool programs, gtr_float *bits, int *n_bits)
{
    static gtr_float v[12 * 48];
    gtr_context *ctx = create();
    gtr_trainer_desc d = sgd(0.05f);
    int i, k, taken = 0;
    gtr_trainer *t;
    ctx->caps.chains = -1;      /* they may add a product's terms in another order */
    gtr_tensor *loss = drawn_graph(ctx, seed);
    d.precision = precision; d.micro_batches = micro; d.no_matchers = !programs;
    t = gtr_trainer_create(loss, d);
    *n_bits = 0;
    if (!t) { SKIP("%s", gtr_error_text(ctx)); gtr_destroy(ctx); return -1; }
    for (k = 0; k < 2; k++) {
        for (i = 0; i < 12 * 48; i++) v[i] = (gtr_float)((i * 37 + k * 11) % 64 - 32) / 32;
        EXPECT_EQ(gtr_set(ctx->graph.tensor[k], v, sizeof v), GTR_OK);
    }
    for (i = 0; i < 3; i++) { EXPECT_EQ(gtr_step(t), GTR_OK); bits[(*n_bits)++] = (gtr_float)gtr_loss(t); }
    for (i = 0; i < (int)gtr_parameter_count(ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(ctx, i);
        const int64_t count = gtr__count(&p->shape);
        EXPECT_EQ(gtr_get(p, bits + *n_bits, (size_t)count * sizeof *bits), GTR_OK);
        *n_bits += (int)count;
    }
    gtr__plan_entry *e = gtr__trainer_entry(t, 12, NULL, false);
    for (i = 0; e && i < e->plan.n_node; i++)
        if (e->plan.node[i].op == GTR__OP_SUBGRAPH && strstr(e->plan.node[i].fused, "element-wise"))
            taken += ((const gtr__subgraph *)e->plan.node[i].attr.ptr)->n_node;
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    return taken;
}
static void programs(void)
{
    static gtr_float a[8192], b[8192];
    const unsigned graphs = getenv("GTR_TEST_SMALL") ? 6 : 120;
    int taken = 0, all = 0, n_a, n_b, p;
    unsigned seed;
    for (seed = 0; seed < graphs; seed++) for (p = 0; p < 3; p++) {
        if (!check_mine((int)seed)) continue;
        static const gtr_precision precisions[] = { GTR_FP32, GTR_MIXED_BF16, GTR_MIXED_FP16 };
        const int micro = seed % 3 ? 1 : 2;
        const int none = drawn_steps(seed, precisions[p], micro, false, a, &n_a),
            some = drawn_steps(seed, precisions[p], micro, true, b, &n_b);
        if (none < 0 || some < 0) continue;
        EXPECT_EQ(none, 0);
        CHECK(n_a == n_b && !memcmp(a, b, (size_t)n_a * sizeof *a), "graph %u, precision %d: other bits with programs",
            seed, (int)precisions[p]);
        taken += some;
        all++;
    }
    CHECK(taken > 10 * all, "programs took %d nodes of %d plans", taken, all);
}

/* Of a variational autoencoder: halves are read in their place, noise is drawn where it is used, and gradients of the
   halves are written to theirs. What is made of bfloat16 keeps the sum of two such gradients for itself. */
static void absorbed(void)
{
    static const gtr_precision precisions[] = { GTR_FP32, GTR_MIXED_BF16 };
    for (int k = 0; k < 4; k++) {
        gtr_desc desc = desc0();
        if (k > 1) desc.preset = GTR_PRESET_SM90;
        gtr_context *ctx = gtr_create(desc);
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 36)),
            *h = gtr_linear(gtr_relu(gtr_linear(x, "l0", 24)), "l1", 16), *m = gtr_split(h, 1, 2),
            *v = gtr_output(m, 1),
            *z = gtr_add(m, gtr_mul(gtr_exp(gtr_scale(v, 0.5f, 0)), gtr_random_normal(m, "noise"))),
            *kl = gtr_mean(gtr_sub(gtr_add(gtr_exp(v), gtr_mul(m, m)), v), NULL, 0, false),
            *out = gtr_linear(gtr_relu(gtr_linear(z, "l2", 24)), "l3", 36);
        gtr_trainer_desc d = sgd(0.1f);
        d.precision = precisions[k % 2];
        ctx->caps.chains = -1;
        gtr_trainer *t = gtr_trainer_create(gtr_add(gtr_bce_with_logits(out, x), kl), d);
        if (gtr_error(ctx) == GTR_ERR_UNSUPPORTED) {
            SKIP("absorbed: %s", gtr_error_text(ctx)); gtr_destroy(ctx); continue;
        }
        const char *text = gtr_plan_text(t, 8);
        EXPECT(text && strstr(text, "random") && !strstr(text, " random \""));
        EXPECT(text && strstr(text, "slice +") && !strstr(text, " slice \"") && strstr(text, "+ slice backward \""));
        EXPECT(k % 2 || (text && !strstr(text, " slice backward \"l1\"  (")));
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}

/* Bytes that a plan asks for are its work, about: four times the nodes want about four times as much, of a chain, of
   one value that many read, and of layers between which programs of their own stand. */
static size_t asked;
static void *asking(size_t bytes, gtr_memory kind, void *user)
{
    (void)user;
    if (kind == GTR_MEMORY_HOST) asked += bytes;
    return guard_alloc(bytes);
}
static void giving(void *p, size_t bytes, gtr_memory kind, void *user)
{
    (void)kind; (void)user;
    guard_free(p, bytes);
}
static gtr_tensor *long_graph(gtr_context *ctx, int shape, int n)
{
    gtr_tensor *x = gtr_linear(gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 4)), "in", 4), *y = x,
        *w = gtr_parameter(ctx, "w", gtr_shape2(4, 4), normal());
    for (int i = 0; i < n; i++)
        if (shape == 0) y = gtr_mul(gtr_tanh(y), x);
        else if (shape == 1) y = gtr_add(y, gtr_scale(x, 0.5f, (float)i));
        else y = gtr_add(y, gtr_sigmoid(gtr_linear_with(gtr_tanh(y), w, NULL)));
    return gtr_mean(y, NULL, 0, false);
}
static void planning_is_linear(void)
{
    for (int shape = 0; shape < 3; shape++) {
        size_t bytes[2];
        int nodes[2], k;
        for (k = 0; k < 2; k++) {
            gtr_desc desc = desc0();
            desc.allocator.alloc = asking; desc.allocator.free = giving;
            gtr_context *ctx = gtr_create(desc);
            ctx->caps.chains = -1;      /* they may take all of it */
            gtr_trainer *t = gtr_trainer_create(long_graph(ctx, shape, k ? 6400 : 1600), sgd(0.1f));
            asked = 0;
            gtr__plan_entry *e = gtr__trainer_entry(t, 8, NULL, false);
            bytes[k] = asked;
            nodes[k] = e ? e->plan.n_node : 0;
            EXPECT_OK(ctx);
            gtr_destroy(ctx);
        }
        CHECK(nodes[0] > 100 && nodes[1] > 3 * nodes[0] && bytes[1] < 6 * bytes[0],
            "shape %d: %d nodes ask for %zu bytes, %d for %zu", shape, nodes[0], bytes[0], nodes[1], bytes[1]);
    }
}

/* ---- what is stored in 16 bits ---- */
/* Beside values of 16 bits parameters decide nothing, on whatever stage, and constants, which may be large or tiny,
   keep float32; norms and softmax store what they are given. An input that products read, too, is added as they read
   it, so that nothing of a residual network is cast. */
static gtr_dtype stored(gtr_trainer *t, const gtr_tensor *of)
{
    const gtr__plan *p = &gtr__trainer_entry(t, 4, NULL, false)->plan;
    int i, k;
    for (i = 0; i < p->n_node; i++)
        for (k = 0; k < p->node[i].n_out; k++)
            if (p->node[i].dir == GTR__FWD && p->node[i].out[k] >= 0 && p->value[p->node[i].out[k]].tensor == of)
                return p->value[p->node[i].out[k]].storage;
    return GTR_U8;
}
static void who_is_float32(void)
{
    static const gtr_float large[3] = { 1e5f, 1e5f, 1e5f };
    static gtr_float v[4 * 3], y[4 * 3];
    int stage, i;
    for (i = 0; i < 12; i++) { v[i] = (gtr_float)(i * 7 % 5) - 2; y[i] = 100000 + v[i]; }
    for (stage = 0; stage < 2; stage++) {
        gtr_context *ctx = create();
        gtr_trainer_desc d = sgd(0.1f);
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3)),
            *target = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 3));
        gtr_tensor *par = gtr_parameter(ctx, "par", gtr_shape1(3), normal()), *h = gtr_linear(x, "a", 3), *shifted,
            *scaled, *normed, *soft, *loss;
        gtr_trainer *t;
        gtr_stage(ctx, stage);
        scaled = gtr_mul(gtr_linear(h, "b", 3), par);
        normed = gtr_batch_norm(scaled, "c");
        soft = gtr_softmax(normed, 1);
        shifted = gtr_add(gtr_linear(normed, "d", 3), gtr_constant(ctx, GTR_F32, gtr_shape1(3), large));
        gtr_stage(ctx, 0);
        loss = gtr_add(gtr_mse(shifted, target), gtr_scale(gtr_mean(soft, NULL, 0, false), 0, 0));
        d.precision = GTR_MIXED_BF16; d.no_matchers = true;
        t = gtr_trainer_create(loss, d);
        if (!t) { SKIP("%s", gtr_error_text(ctx)); gtr_destroy(ctx); continue; }
        gtr_set(x, v, sizeof v); gtr_set(target, y, sizeof y);
        for (i = 0; i < 100; i++) EXPECT_EQ(gtr_step(t), GTR_OK);
        CHECK(gtr_loss(t) < 2, "stage %d: beside a constant of 1e5 the loss is %g", stage, (double)gtr_loss(t));
        CHECK(stored(t, h) == GTR_BF16 && stored(t, scaled) == GTR_BF16 && stored(t, normed) == GTR_BF16,
            "stage %d: linear, mul by a parameter and batch_norm are stored as %d, %d, %d", stage, (int)stored(t, h),
            (int)stored(t, scaled), (int)stored(t, normed));
        CHECK(stored(t, soft) == GTR_BF16 && stored(t, shifted) == GTR_F32,
            "stage %d: softmax and add of a constant are stored as %d, %d", stage, (int)stored(t, soft),
            (int)stored(t, shifted));
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
static void residuals_in_16_bits(void)
{
    static gtr_float v[4 * 6];
    gtr_context *ctx = create();
    gtr_trainer_desc d = sgd(0.1f);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 2, 3)), *y = gtr_reshape(x, gtr_shape2(-2, 3)),
        *h = gtr_add(y, gtr_linear(gtr_relu(gtr_linear(y, "a", 5)), "b", 3));
    gtr_trainer *t;
    int i, casts = 0;
    h = gtr_add(h, gtr_linear(gtr_softmax(gtr_linear(h, "c", 5), 1), "d", 3));
    d.precision = GTR_MIXED_BF16; d.no_matchers = true;
    t = gtr_trainer_create(gtr_mse(h, y), d);
    if (!t) { SKIP("%s", gtr_error_text(ctx)); gtr_destroy(ctx); return; }
    for (i = 0; i < 24; i++) v[i] = (gtr_float)(i * 7 % 5) - 2;
    EXPECT_EQ(gtr_set(x, v, sizeof v), GTR_OK);
    EXPECT_EQ(gtr_step(t), GTR_OK);
    const gtr__plan *p = &gtr__trainer_entry(t, 4, NULL, false)->plan;
    for (i = 0; i < p->n_node; i++) casts += p->node[i].op == GTR__OP_CAST;
    CHECK(casts == 0 && stored(t, h) == GTR_BF16, "%d casts, the sum is stored as %d", casts, (int)stored(t, h));
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

/* ---- values kept over micro-batches ---- */
/* Of a step in equal and unequal parts: rows come back in their order, a gradient without rows as the sum of its parts,
   a reported loss of another shape as the mean, and what has neither as the last part's, in its own size. The step is
   the same with kept values and without. */
enum { PARTS_ROWS = 7, PARTS_WIDTH = 3 };
typedef struct parts {
    gtr_float gx[PARTS_ROWS * PARTS_WIDTH], gh[PARTS_ROWS * 2], gw[2 * PARTS_WIDTH], trained[2 * PARTS_WIDTH];
} parts;
static void one_in_parts(int micro, int streams, int stage, bool keep, parts *out)
{
    static gtr_float v[PARTS_ROWS * PARTS_WIDTH], rows[2 * PARTS_ROWS];
    const int turn[2] = { 1, 0 }, last = PARTS_ROWS - PARTS_ROWS * (micro - 1) / micro;
    gtr_context *ctx = create();
    gtr_trainer_desc d = sgd(0.5f);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, PARTS_WIDTH)), *h, *turned, *sum, *ex, *mean,
        *loss, *list[6], *shaped, *w;
    gtr_trainer *t;
    gtr_float s[1];
    int i;
    for (i = 0; i < PARTS_ROWS * PARTS_WIDTH; i++) v[i] = (gtr_float)(i * 29 % 17) / 8 - 1;
    h = gtr_tanh(gtr_linear(x, "fc", 2));
    w = gtr_parameter_find(ctx, "fc.weight");
    gtr_stage(ctx, stage);
    turned = gtr_permute(h, turn);              /* (2, N): the batch comes second */
    sum = gtr_sum(h, NULL, 0, false);
    ex = gtr_exp(sum);                          /* whose backward reads what it made: a part's must not be another's */
    mean = gtr_mean(gtr_mul(h, h), NULL, 0, false);
    loss = gtr_add(mean, gtr_scale(ex, 0.1f, 0));
    gtr_stage(ctx, 0);
    list[0] = gtr_gradient(mean, x); list[1] = gtr_gradient(mean, h); list[2] = gtr_gradient(mean, w);
    list[3] = turned; list[4] = sum; list[5] = ex;
    for (i = 0; i < 6; i++) {
        if (keep) gtr_keep(list[i]);
        loss = gtr_add(loss, gtr_scale(gtr_stop_gradient(gtr_mean(list[i], NULL, 0, false)), 0, 0));
    }
    shaped = gtr_reshape(loss, gtr_shape2(1, 1));
    d.micro_batches = micro; d.streams = streams; d.no_matchers = true;
    t = gtr_trainer_create(shaped, d);
    gtr_set(x, v, sizeof v);
    EXPECT_EQ(gtr_step(t), GTR_OK);
    EXPECT_EQ(gtr_get(shaped, s, sizeof s), GTR_OK);
    CHECK((float)s[0] == gtr_loss(t) && gtr_item(shaped) == gtr_loss(t),
        "%d parts: the loss read back is %g, reported %g", micro, (double)s[0], (double)gtr_loss(t));
    EXPECT_EQ(gtr_gradient_get(t, w, out->trained, sizeof out->trained), GTR_OK);
    if (keep) {
        EXPECT_EQ(gtr_get(list[0], out->gx, sizeof out->gx), GTR_OK);
        EXPECT_EQ(gtr_get(list[1], out->gh, sizeof out->gh), GTR_OK);
        EXPECT_EQ(gtr_get(list[2], out->gw, sizeof out->gw), GTR_OK);
        EXPECT_EQ(gtr_get(turned, rows, sizeof rows), micro == 1 ? GTR_OK : GTR_ERR_SHAPE);
        gtr_error_clear(ctx);
        EXPECT_EQ(gtr_get(turned, rows, (size_t)(2 * last) * sizeof *rows), GTR_OK);
        EXPECT_EQ(gtr_get(sum, s, sizeof s), GTR_OK);
        for (i = 0; i < 2 * last; i++) s[0] -= rows[i];
        CHECK(fabs((double)s[0]) < 1e-5, "%d parts: the sum kept is not that of the rows kept, but %g more",
            micro, (double)s[0]);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
static void kept_parts(void)
{
    int micro, streams, stage;
    for (stage = 0; stage < 2; stage++) for (streams = 1; streams <= 2; streams++) {
        parts one, many, bare;
        one_in_parts(1, streams, stage, true, &one);
        for (micro = 1; micro <= 3; micro++) {
            one_in_parts(micro, streams, stage, true, &many);
            one_in_parts(micro, streams, stage, false, &bare);
            CHECK(!memcmp(many.trained, bare.trained, sizeof bare.trained),
                "%d parts, %d streams, stage %d: a step with kept values gives %g, without %g", micro, streams, stage,
                (double)many.trained[0], (double)bare.trained[0]);
            CHECK(within(many.gx, one.gx, PARTS_ROWS * PARTS_WIDTH, 1e-10, 1e-5),
                "%d parts, %d streams: d loss / d x is %g ..., in one %g", micro, streams, (double)many.gx[0],
                (double)one.gx[0]);
            CHECK(within(many.gh, one.gh, PARTS_ROWS * 2, 1e-10, 1e-5),
                "%d parts, %d streams: d loss / d h is %g ..., in one %g", micro, streams, (double)many.gh[0],
                (double)one.gh[0]);
            CHECK(within(many.gw, one.gw, 2 * PARTS_WIDTH, 1e-10, 1e-5),
                "%d parts, %d streams: d loss / d w is %g ..., in one %g", micro, streams, (double)many.gw[0],
                (double)one.gw[0]);
        }
    }
}

/* Rows that parts do not put one behind the other are the last part's, and are not taken for the batch's. */
static void kept_turned(void)
{
    static const int swap[2] = { 1, 0 };
    enum { N = 4, C = 3 };
    int micro, i, j;
    for (micro = 1; micro <= 2; micro++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, C)), *turned, *loss;
        gtr_trainer_desc d;
        gtr_trainer *t;
        gtr_float v[N * C], got[N * C];
        const int rows = N / micro, first = N - rows;
        for (i = 0; i < N * C; i++) v[i] = (gtr_float)i;
        turned = gtr_keep(gtr_scale(gtr_reshape(gtr_permute(x, swap), gtr_shape1(-C)), 1, 1));
        loss = gtr_mean(gtr_mul(gtr_reshape(turned, gtr_shape2(GTR_BATCH, C)), gtr_linear(x, "a", C)), NULL, 0, false);
        memset(&d, 0, sizeof d);
        d.micro_batches = micro;
        t = gtr_trainer_create(loss, d);
        gtr_set(x, v, sizeof v);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        if (micro > 1) {
            EXPECT_EQ(gtr_get(turned, got, sizeof got), GTR_ERR_SHAPE);
            EXPECT_ERROR(ctx, GTR_ERR_SHAPE, sizeof(gtr_float) == 4 ? "want 24 for (6,)" : "for (6,)");
        }
        EXPECT_EQ(gtr_get(turned, got, (size_t)(rows * C) * sizeof *got), GTR_OK);
        for (i = 0; i < C; i++)
            for (j = 0; j < rows; j++) EXPECT(got[i * rows + j] == v[(first + j) * C + i] + 1);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}

/* ---- a traced step that fails ---- */
static int fails;
static gtr_result pass_forward(const gtr_custom_call *c)
{
    size_t n = 1;
    int i;
    if (fails) return GTR_ERR_USER;
    for (i = 0; i < c->out_shape.ndim; i++) n *= (size_t)c->out_shape.dim[i];
    memcpy(c->out, c->in[0], n * sizeof(gtr_float));
    return GTR_OK;
}
static gtr_result pass_backward(const gtr_custom_call *c)
{
    size_t n = 1;
    int i;
    for (i = 0; i < c->out_shape.ndim; i++) n *= (size_t)c->out_shape.dim[i];
    memcpy(c->din[0], c->dout, n * sizeof(gtr_float));
    return GTR_OK;
}
static gtr_tensor *custom(gtr_tensor *x, const char *name,
    gtr_result (*shape)(int, const gtr_shape *, gtr_shape *, void *))
{
    gtr_custom_desc d;
    memset(&d, 0, sizeof d);
    d.name = name; d.n_in = 1; d.in[0] = x; d.forward = pass_forward; d.backward = pass_backward; d.shape = shape;
    return gtr_custom(x->ctx, d);
}
/* After a trace in which an op failed, steps train on their own values, also where gtr_set has moved these; the
   failed one is no step. */
static void trace_that_fails(void)
{
    gtr_float v[64], w[2][3];
    gtr_report r[2];
    int i, k;
    for (k = 0; k < 2; k++) {
        gtr_context *ctx = create();
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3)), *h, *loss;
        gtr_trainer *t;
        h = custom(gtr_linear(x, "fc", 1), "pass", NULL);
        loss = gtr_mean(gtr_mul(h, h), NULL, 0, false);
        t = gtr_trainer_create(loss, sgd(0.1f));
        for (i = 0; i < 6; i++) {
            const int rows = i < 3 ? 1 : 16;                        /* more than ever: the slot moves */
            int j;
            for (j = 0; j < 48; j++) v[j] = (gtr_float)(i + 1) / 4 - (gtr_float)j / 16;
            gtr_set(x, v, (size_t)(rows * 3) * sizeof *v);
            if (k && i % 2) {
                gtr_wait(ctx);      /* a step before may be under way */
                fails = 1;
                EXPECT(!strstr(gtr_trace(t), "custom"));
                fails = 0;
                EXPECT_ERROR(ctx, GTR_ERR_USER, "pass");
                EXPECT_EQ(gtr_trainer_report(t).step, i);
            }
            if (k && i % 3 == 2) EXPECT(strstr(gtr_trace(t), "custom") != NULL);
            else EXPECT_EQ(gtr_step(t), GTR_OK);
        }
        EXPECT_EQ(gtr_get(gtr_parameter_find(ctx, "fc.weight"), w[k], sizeof w[k]), GTR_OK);
        r[k] = gtr_trainer_report(t);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
    CHECK(!memcmp(w[0], w[1], sizeof w[0]), "steps after traces that failed give %g, want %g", (double)w[1][0],
        (double)w[0][0]);
    EXPECT(r[0].step == 6 && r[1].step == 6 && r[0].loss == r[1].loss && r[0].applied == r[1].applied);
}

/* ---- ranges, shapes, names ---- */
/* Labels and ids are restricted by what a run computes, not by what else was ever built of the same input; through
   other shapes too. */
static void ranges(void)
{
    enum { R = 4 };
    static gtr_float v[R * 5];
    static const int32_t wide[R] = { 4, 0, 3, 1 }, narrow[R] = { 2, 0, 1, 2 }, ignored[R] = { 7, 2, 1, 0 },
        minus[R] = { 1, -1, 0, 2 };
    gtr_context *ctx = create();
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 5)), *y = gtr_input(ctx, "y", GTR_I32,
        gtr_shape1(GTR_BATCH)), *z = gtr_input(ctx, "z", GTR_I32, gtr_shape2(GTR_BATCH, 1));
    gtr_tensor *five = gtr_cross_entropy(gtr_linear(x, "five", 5), y), *small_head = gtr_linear(x, "three", 3),
        *three = gtr_cross_entropy(small_head, y), *by7, *shaped, *ids, *got[2], *fixed, *long_ids;
    gtr_cross_entropy_desc e;
    gtr_trainer *t5 = gtr_trainer_create(five, sgd(0.1f)), *t3 = gtr_trainer_create(three, sgd(0.1f));
    gtr_arrays_desc a;
    gtr_dataset *data;
    gtr_predictor *p;
    gtr_float out[R * 2];
    memset(&e, 0, sizeof e);
    e.ignore_index = 7;
    by7 = gtr_cross_entropy_ex(small_head, y, e);
    shaped = gtr_cross_entropy(small_head,
        gtr_stop_gradient(gtr_reshape(gtr_reshape(z, gtr_shape3(GTR_BATCH, 1, 1)), gtr_shape1(GTR_BATCH))));
    ids = gtr_embedding(gtr_flatten(z), "table", 3, 2);
    gtr_set(x, v, sizeof v); gtr_set(y, wide, sizeof wide); gtr_set(z, wide, sizeof wide);
    EXPECT_EQ(gtr_step(t5), GTR_OK);
    EXPECT_OK(ctx);
    EXPECT_EQ(gtr_step(t3), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "input \"y\": element 0 is 4, want 0 to 2 for cross_entropy");
    got[0] = five; got[1] = three;
    EXPECT_EQ(gtr_eval(got, 2), GTR_ERR_ARG);
    gtr_error_clear(ctx);
    EXPECT_EQ(gtr_eval(&shaped, 1), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "input \"z\": element 0 is 4, want 0 to 2 for cross_entropy");
    EXPECT_EQ(gtr_eval(&ids, 1), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "for embedding");
    EXPECT_EQ(gtr_trainer_report(t5).step, 1);
    EXPECT(gtr_trainer_report(t3).step == 0 && gtr_trainer_report(t3).applied == 0);
    gtr_set(y, narrow, sizeof narrow); gtr_set(z, narrow, sizeof narrow);
    EXPECT(gtr_step(t3) == GTR_OK && gtr_step(t5) == GTR_OK && gtr_eval(&shaped, 1) == GTR_OK
        && gtr_eval(&ids, 1) == GTR_OK);
    gtr_set(y, minus, sizeof minus);
    EXPECT_EQ(gtr_backward(t5), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "element 1 is -1");
    gtr_set(y, ignored, sizeof ignored);        /* each use has its own ignored label */
    EXPECT_EQ(gtr_eval(&by7, 1), GTR_OK);
    EXPECT_EQ(gtr_eval(&by7, 1), GTR_OK);
    EXPECT_EQ(gtr_eval(&three, 1), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "element 0 is 7");
    /* data sets: what fits one trainer may not fit another; a refused one changes nothing */
    memset(&a, 0, sizeof a);
    a.rows = R;
    a.column[0].data = v; a.column[0].shape = gtr_shape1(5); a.column[1].data = wide; a.column[1].dtype = GTR_I32;
    data = gtr_dataset_arrays(ctx, a);
    EXPECT_EQ(gtr_trainer_data(t5, data, 2, false, false), GTR_OK);
    EXPECT_EQ(gtr_trainer_data(t3, data, 2, false, false), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "column 1, row 0: 4, want 0 to 2 for cross_entropy, or its "
        ".ignore_index, -100 (input \"y\")");
    EXPECT_EQ(gtr_evaluate(t3, data, 2, NULL, NULL, NULL), GTR_ERR_ARG);
    gtr_error_clear(ctx);
    EXPECT(t3->feeding.data == NULL && gtr_evaluate(t5, data, 2, NULL, NULL, NULL) == GTR_OK && gtr_step(t5) == GTR_OK);
    EXPECT_EQ(gtr_trainer_data(t5, NULL, 0, false, false), GTR_OK);
    /* inputs without a batch */
    fixed = gtr_input(ctx, "fixed", GTR_I32, gtr_shape1(R));
    long_ids = gtr_embedding(fixed, "rows", 3, 2);
    gtr_set(fixed, wide, sizeof wide);
    EXPECT_EQ(gtr_eval(&long_ids, 1), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "\"fixed\": element 0 is 4, want 0 to 2");
    gtr_set(fixed, narrow, sizeof narrow);
    EXPECT_EQ(gtr_eval(&long_ids, 1), GTR_OK);
    /* a predictor */
    p = gtr_predictor_create(ids, 4);
    EXPECT(p && gtr_predict(p, narrow, R, out) == GTR_OK);
    EXPECT(p && gtr_predict(p, wide, R, out) == GTR_ERR_ARG
        && strstr(gtr_predictor_error_text(p), "\"z\": element 0 is 4, want 0 to 2 for embedding"));
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* A custom op's shape function that says one thing when the graph is built and another when it is planned. */
static int mood;
static gtr_result moody(int n, const gtr_shape *in, gtr_shape *out, void *user)
{
    (void)n; (void)user;
    *out = in[0];
    if (mood == 1) out->dim[1] *= 1000;
    if (mood == 2) out->ndim = 1;
    if (mood == 3) out->dim[0] += 3;
    return GTR_OK;
}
static void shapes_that_change(void)
{
    static gtr_float v[12], got[12];
    int k;
    for (k = 0; k <= 3; k++) {
        gtr_context *ctx = create();
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3)), *c, *w;
        gtr_trainer *t;
        mood = 0;
        c = custom(x, "moody", moody);
        w = gtr_mul(c, gtr_parameter(ctx, "w", gtr_shape1(3), constant(1)));
        t = gtr_trainer_create(gtr_mean(w, NULL, 0, false), sgd(0.1f));
        gtr_set(x, v, sizeof v);
        mood = k;
        EXPECT_EQ(gtr_eval(&c, 1), k ? GTR_ERR_USER : GTR_OK);
        if (k) EXPECT_ERROR(ctx, GTR_ERR_USER, "custom \"moody\", with a batch of 4: its shape is");
        EXPECT_EQ(gtr_step(t), k ? GTR_ERR_USER : GTR_OK);
        gtr_error_clear(ctx);
        EXPECT((gtr_predictor_create(c, 4) == NULL) == (k != 0));
        gtr_error_clear(ctx);
        mood = 0;
        EXPECT(gtr_eval(&c, 1) == GTR_OK && gtr_get(c, got, sizeof got) == GTR_OK && gtr_step(t) == GTR_OK);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* An op without a name is told by its inputs' names, or by the layer nearest before it. */
static void told_apart(void)
{
    gtr_context *ctx = create();
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3)),
        *y = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 4)), *h, *list[2], *loss;
    static const gtr_float one[1] = { 1 }, v[6] = { -1, 1, 1, 1, 1, 1 };
    gtr_trainer_desc d = sgd(0.1f);
    gtr_trainer *t;
    EXPECT(!gtr_add(x, y));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "add of \"x\" and \"y\": got (N, 3) and (N, 4)");
    gtr_scope_begin(ctx, "block");
    h = gtr_tanh(gtr_relu(gtr_linear(x, "fc1", 4)));
    gtr_scope_end(ctx);
    EXPECT(!gtr_mul(h, gtr_linear(y, "fc2", 2)));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "mul of tanh after \"block.fc1\" and \"fc2\": got");
    EXPECT(!gtr_matmul(h, gtr_constant(ctx, GTR_F32, gtr_shape0(), one)));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "matmul of tanh after \"block.fc1\" and constant: got");
    list[0] = gtr_scale(x, 2, 0); list[1] = y;
    EXPECT(!gtr_concat(list, 2, 0));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "concat of scale after \"x\" and \"y\"");
    EXPECT(!gtr_linear_with(x, gtr_parameter(ctx, "w", gtr_shape2(3, 2), constant(1)), NULL));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "linear of \"x\" and \"w\": got");
    EXPECT_EQ(gtr_get(h, (void *)(uintptr_t)v, 4), GTR_ERR_STATE);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "tanh of relu after \"block.fc1\" was not kept");
    EXPECT(!gtr_trainer_create(h, d));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "tanh of relu after \"block.fc1\"");
    /* a value that is not finite, in a graph with several of its op */
    loss = gtr_mean(gtr_add(gtr_log(gtr_linear_with(x, gtr_parameter(ctx, "v", gtr_shape2(2, 3), constant(1)), NULL)),
        gtr_log(gtr_scale(gtr_slice(x, 1, 0, 1), 1, 0))), NULL, 0, false);
    t = gtr_trainer_create(loss, d);
    EXPECT(strstr(gtr_plan_text(t, 2), "scale + log \"x\"") && strstr(gtr_plan_text(t, 2), "mean \"x\""));
    gtr_set(x, v, sizeof v);
    gtr_step(t);
    EXPECT_EQ(gtr_wait(ctx), GTR_ERR_NONFINITE);
    EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, "the output of log \"x\" (2, 1)");
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

/* Layers side by side, residuals, a weight that two layers share, in parts and with values that are kept: products of
   one shape in one launch give the bits that they give one by one. Where there are no such launches it is twice the
   same. */
enum { BESIDE = 32, BESIDE_TOKENS = 37, BESIDE_ROWS = 6, BESIDE_STEPS = 4 };
static const int beside_turn[4] = { 0, 2, 1, 3 };
static gtr_tensor *beside_heads(gtr_tensor *x, const char *name)
{
    const int64_t tokens = gtr_tensor_shape(x).dim[1];
    return gtr_permute(gtr_reshape(gtr_linear(x, name, BESIDE), gtr_shape4(GTR_BATCH, tokens, 2, BESIDE / 2)),
        beside_turn);
}
static gtr_tensor *beside_block(gtr_context *ctx, gtr_tensor *x, const char *scope, gtr_tensor *shared)
{
    gtr_tensor *q, *k, *p, *y;
    gtr_scope_begin(ctx, scope);
    q = beside_heads(x, "q"); k = beside_heads(x, "k");
    p = gtr_softmax(gtr_scale(gtr_matmul_t(q, false, k, true), 0.25f, 0), -1);
    y = gtr_permute(gtr_matmul(p, beside_heads(x, "v")), beside_turn);
    x = gtr_add(x, gtr_linear(gtr_reshape(y, gtr_tensor_shape(x)), "o", BESIDE));
    x = gtr_add(x, gtr_linear(gtr_gelu(gtr_linear(x, "up", 2 * BESIDE)), "down", BESIDE));
    gtr_scope_end(ctx);
    return shared ? gtr_add(x, gtr_linear_with(x, shared, NULL)) : x;
}
/* Has plans go without late matchers. */
static void no_late_matchers(gtr_context *ctx)
{
    gtr__matcher m;
    int i;
    for (i = 0; i < ctx->be->n_matchers; i++) {
        gtr__matcher_of(ctx->be, i, &m);
        if (m.late) ctx->caps.without |= 1u << i;
    }
}
/* Parameters behind some steps, and whether a launch takes several products. */
static bool beside_run(gtr_trainer_desc d, int tokens, bool alone, gtr_float *out, int64_t *count, gtr_result *r)
{
    static gtr_float x[BESIDE_ROWS * BESIDE_TOKENS * BESIDE];
    const int axis[1] = { 1 };
    gtr_desc desc = desc0();
    if (d.micro_batches > 1) desc.memory_limit = (size_t)(tokens == BESIDE_TOKENS) << 30;
    gtr_context *ctx = gtr_create(desc);
    gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, tokens, BESIDE)), *h = in,
        *shared = gtr_parameter(ctx, "shared", gtr_shape2(BESIDE, BESIDE), constant(0.01f));
    uint32_t seed = 5;
    int i;
    bool together;
    if (alone) no_late_matchers(ctx);
    h = beside_block(ctx, h, "a", NULL);
    if (d.micro_batches > 1) gtr_keep(h);
    h = beside_block(ctx, beside_block(ctx, h, "b", shared), "c", shared);
    h = gtr_mean(h, axis, 1, false);
    h = gtr_add(gtr_mse(gtr_linear(h, "one", 3), gtr_scale(gtr_linear(h, "two", 3), 2, 1)),
        gtr_scale(total(gtr_mul(h, h)), 0.01f, 0));
    gtr_trainer *t = gtr_trainer_create(h, d);
    for (i = 0; i < (int)(sizeof x / sizeof *x); i++) x[i] = (gtr_float)noise(&seed);
    gtr_set(in, x, (size_t)(BESIDE_ROWS * tokens * BESIDE) * sizeof *x);
    for (i = 0; i < BESIDE_STEPS; i++) gtr_step(t);
    *r = gtr_wait(ctx);
    if (t && *r == GTR_OK) *r = gtr_error(ctx);
    *count = 0;
    for (i = 0; i < gtr_parameter_count(ctx) && *r == GTR_OK; i++) {
        gtr_tensor *p = gtr_parameter_at(ctx, i);
        const gtr_shape s = gtr_tensor_shape(p);
        EXPECT_EQ(gtr_get(p, out + *count, (size_t)gtr__count(&s) * sizeof *out), GTR_OK);
        *count += gtr__count(&s);
    }
if (*r) fprintf(stderr, "%s\n", gtr_error_text(ctx));
    together = t && strstr(gtr_plan_text(t, BESIDE_ROWS), "side by side") != NULL;
    EXPECT_EQ(together, t && !alone && ctx->caps.cuda && ctx->caps.arch_feature && d.precision != GTR_FP32);
    gtr_destroy(ctx);
    return together;
}
static void beside(void)
{
    enum { MOST = 60000 };
    gtr_float *v[2] = { (gtr_float *)calloc(MOST, sizeof(gtr_float)), (gtr_float *)calloc(MOST, sizeof(gtr_float)) };
    int p, parts, k;
    for (p = GTR_FP32; p <= GTR_MIXED_FP16; p++)
        for (parts = 0; parts <= (small ? 1 : 3); parts++) {
            gtr_trainer_desc d = sgd(1e-3f);
            int64_t n[2];
            gtr_result r[2];
            d.precision = (gtr_precision)p; d.micro_batches = parts;
            for (k = 0; k < 2; k++) beside_run(d, parts % 2 ? 16 : BESIDE_TOKENS, k > 0, v[k], &n[k], &r[k]);
            EXPECT_EQ(r[0], r[1]);
            if (r[0] == GTR_ERR_UNSUPPORTED) continue;
            CHECK(r[0] == GTR_OK && n[0] == n[1] && n[0] > 20000 && !memcmp(v[0], v[1], (size_t)n[0] * sizeof **v),
                "precision %d in %d parts: products side by side give others than one by one", p, parts);
        }
    free(v[0]); free(v[1]);
}

/* Element-wise nodes behind products, in the products' launch or in one together, give the bits that they have in
   launches of their own: all activations; pairs of what was made, of the layer's input, of a row; one value that two
   go on with; a gradient that is added to; arguments that are far. */
enum { TAILS = 6, TAIL_WIDE = 96, TAIL_ROWS = 70, TAIL_STEPS = 3 };
static gtr_tensor *tail_layer(gtr_tensor *x, int kind, int number, gtr_tensor *row, float far)
{
    const char *const names[4] = { "a", "b", "c", "d" };
    gtr_tensor *h = gtr_linear(x, names[number], TAIL_WIDE);
    const int k = kind * 4 + 3 - number;
    h = k < ACTS ? activation(k, gtr_scale(h, 0.5f, 0.1f)) : gtr_sin(gtr_scale(h, far, 0));
    switch (number) {
    case 0: return gtr_mul(h, x);
    case 1: return gtr_add(gtr_tanh(h), row);
    case 2: return gtr_sub(x, gtr_maximum(h, row));
    default: return gtr_add(gtr_mul(h, h), gtr_sigmoid(h));
    }
}
static void tail_run(int kind, gtr_precision precision, bool alone, gtr_float *out, int64_t *count)
{
    static gtr_float x[TAIL_ROWS * TAIL_WIDE];
    gtr_context *ctx = gtr_create(desc0());
    gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, TAIL_WIDE)), *h = in,
        *row = gtr_parameter(ctx, "row", gtr_shape1(TAIL_WIDE), constant(0.25f));
    gtr_trainer_desc d = sgd(1e-3f);
    uint32_t seed = 5;
    int i;
    ctx->caps.chains = -1;      /* they may add a product's terms in another order */
    if (alone) no_late_matchers(ctx);
    /* in 16 bits what a product hands to its activation is not rounded */
    const bool single = alone && precision <= GTR_TF32;
    ctx->caps.unfused[GTR__OP_LINEAR_ACT] = ctx->caps.unfused[GTR__OP_LINEAR_DACT] = single;
    for (i = 0; i < 4; i++) h = tail_layer(h, kind, i, row, precision == GTR_MIXED_FP16 ? 100 : 4e5f);
    d.precision = precision;
    h = gtr_linear(h, "out", 3);
    gtr_trainer *t = gtr_trainer_create(gtr_scale(total(gtr_mul(h, h)), 0.001f, 0), d);
    *count = 0;
    if (gtr_error(ctx) == GTR_ERR_UNSUPPORTED) { gtr_destroy(ctx); return; }
    for (i = 0; i < TAIL_ROWS * TAIL_WIDE; i++) x[i] = (gtr_float)noise(&seed);
    gtr_set(in, x, sizeof x);
    for (i = 0; i < TAIL_STEPS; i++) gtr_step(t);
    EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    EXPECT_OK(ctx);
    *count = 0;
    for (i = 0; i < gtr_parameter_count(ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(ctx, i);
        const gtr_shape s = gtr_tensor_shape(p);
        EXPECT_EQ(gtr_get(p, out + *count, (size_t)gtr__count(&s) * sizeof *out), GTR_OK);
        *count += gtr__count(&s);
    }
    const char *text = t ? gtr_plan_text(t, TAIL_ROWS) : "";
    CHECK(!strstr(text, "linear_act") == single, "%s", text);
    gtr_destroy(ctx);
}
static void tails(void)
{
    enum { MOST = 60000 };
    gtr_float *v[2] = { (gtr_float *)calloc(MOST, sizeof(gtr_float)), (gtr_float *)calloc(MOST, sizeof(gtr_float)) };
    int p, kind, k;
    for (p = GTR_FP32; p <= GTR_MIXED_FP16; p++)
        for (kind = 0; kind < (small ? 2 : TAILS); kind++) {
            int64_t n[2];
            for (k = 0; k < 2; k++) tail_run(kind, (gtr_precision)p, k > 0, v[k], &n[k]);
            if (!n[0] && !n[1]) { SKIP("tails: precision %d", p); continue; }
            CHECK(n[0] == n[1] && n[0] > 30000 && !memcmp(v[0], v[1], (size_t)n[0] * sizeof **v),
                "precision %d, kind %d: steps behind products give others than in launches of their own", p, kind);
        }
    free(v[0]); free(v[1]);
}

static void all(void)
{
    RUN(by_alias);
    RUN(by_loss);
    RUN(on_another_stage);
    RUN_IN_PARTS(random_graphs);
    RUN(shared_places);
    RUN(residuals);
    RUN(products_by_hand);
    RUN(gradient_in_region);
    RUN(norm_acts);
    RUN(fused_steps);
    RUN(rounded_norms);
    RUN(norms_aside);
    RUN(norm_as_loss);
    RUN_IN_PARTS(programs);
    RUN(tails);
    RUN(absorbed);
    RUN(planning_is_linear);
    RUN(who_is_float32);
    RUN(residuals_in_16_bits);
    RUN(kept_parts);
    RUN(kept_turned);
    RUN(trace_that_fails);
    RUN(ranges);
    RUN(shapes_that_change);
    RUN(told_apart);
    RUN(beside);
}
int main(int argc, char **argv)
{
    small = getenv("GTR_TEST_SMALL") != NULL;
    check_begin(argc, argv);
    check_devices(all, &device);
    return check_done();
}
