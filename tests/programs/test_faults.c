/* Faults, and what a step asks of the device: runtime calls, launches, non-finite values, failing allocations and
   failing backends. Everything runs on the CPU, and again on the GPU where there is one. */
#include "private.h"
#include "check.h"
#include "device.h"

/* Rows of 6 floats in 0.5 to 1.5 and a class of 3; one element is planted. */
static gtr_dataset *points(gtr_context *ctx, int rows, float plant, int planted_row)
{
    static float x[4096 * 6];
    static int32_t y[4096];
    gtr_arrays_desc a;
    uint32_t s = 5;
    int i;
    memset(&a, 0, sizeof a);
    for (i = 0; i < rows * 6; i++) x[i] = 1 + 0.5f * noise(&s);
    for (i = 0; i < rows; i++) y[i] = x[6 * i] + x[6 * i + 1] > 2.2f ? 0 : x[6 * i + 2] > 1 ? 1 : 2;
    if (planted_row >= 0) x[6 * planted_row + 3] = plant;
    a.rows = rows;
    a.column[0].data = x; a.column[0].shape = gtr_shape1(6);
    a.column[1].data = y; a.column[1].dtype = GTR_I32;
    return gtr_dataset_arrays(ctx, a);
}

/* ---- what a step asks of the backend: its table's functions, counted ---- */
static gtr__backend real;
static int calls, launches, copies, events, fail_at;    /* fail_at: the call that fails; 0 none */
static bool fail_on, fired;                             /* fail_on: all calls from fail_at on */
static bool unknown;            /* one that failed asked for free memory: rows are then taken to fit, no error */
static bool strike(void)
{
    bool hit;
    calls++;
    hit = fail_at && (calls == fail_at || (fail_on && calls > fail_at));
    fired |= hit;
    return hit;
}
static void *w_alloc(void *i, size_t n) { return strike() ? NULL : real.alloc(i, n); }
static void *w_host_alloc(void *i, size_t n, void **d) { if (strike()) return NULL; return real.host_alloc(i, n, d); }
static gtr_result w_copy(void *i, void *d, const void *s, size_t n, gtr__copy k, bool w) {
    copies++; return strike() ? GTR_ERR_CUDA : real.copy(i, d, s, n, k, w);
}
static gtr_result w_zero(void *i, void *d, size_t n) { return strike() ? GTR_ERR_CUDA : real.zero(i, d, n); }
static gtr_result w_wait(void *i) { return strike() ? GTR_ERR_CUDA : real.wait(i); }
static gtr_result w_upload(void *i, void *d, const void *s, size_t n, void *a, void **e) {
    copies++; return strike() ? GTR_ERR_CUDA : real.upload(i, d, s, n, a, e);
}
static gtr_result w_ready(void *i, void *e) { events++; return strike() ? GTR_ERR_CUDA : real.ready(i, e); }
static gtr_result w_memory_info(void *i, size_t *f, size_t *t) {
    const bool was = fired;
    if (!strike()) return real.memory_info(i, f, t);
    fired = was; unknown = true;
    return GTR_ERR_CUDA;
}
static gtr_result w_prepare(void *const *i, gtr__plan *p, void **e) {
    return strike() ? GTR_ERR_CUDA : real.prepare(i, p, e);
}
static gtr_result w_launch(void *const *i, void *e, gtr__half p) {
    launches++; return strike() ? GTR_ERR_CUDA : real.launch(i, e, p);
}
static gtr_result w_run_node(void *const *i, gtr__plan *p, int n) {
    return strike() ? GTR_ERR_CUDA : real.run_node(i, p, n);
}
static void wrap(gtr_context *ctx)
{
    real = *ctx->be;
    ctx->be->alloc = w_alloc; ctx->be->host_alloc = w_host_alloc; ctx->be->copy = w_copy; ctx->be->zero = w_zero;
    ctx->be->wait = w_wait;
    ctx->be->upload = w_upload; ctx->be->ready = w_ready; ctx->be->memory_info = w_memory_info;
    ctx->be->prepare = w_prepare;
    ctx->be->launch = w_launch; ctx->be->run_node = w_run_node;
    calls = launches = copies = events = fail_at = 0;
    fail_on = fired = unknown = false;
}

typedef struct net { gtr_context *ctx; gtr_tensor *x, *y, *logits, *loss, *acc; gtr_trainer *t; } net;
/* carried: rows are added to those of the step before. */
static net mlp_of(gtr_context *ctx, gtr_trainer_desc d, bool carried)
{
    net n;
    gtr_tensor *h, *s = carried ? gtr_state(ctx, "carried", gtr_shape2(GTR_BATCH, 6)) : NULL;
    n.ctx = ctx;
    n.x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 6));
    n.y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    h = carried ? gtr_tanh(gtr_add(n.x, s)) : n.x;
    if (carried) gtr_state_next(s, h);
    h = gtr_relu(gtr_linear(h, "fc1", 16));
    h = gtr_relu(gtr_linear(h, "fc2", 12));
    n.logits = gtr_linear(h, "fc3", 3);
    n.loss = gtr_cross_entropy(n.logits, n.y);
    n.acc = gtr_accuracy(n.logits, n.y);
    n.t = gtr_trainer_create(n.loss, d);
    return n;
}
static net mlp(gtr_context *ctx, gtr_trainer_desc d) { return mlp_of(ctx, d, false); }
static gtr_trainer_desc adam(void) { gtr_trainer_desc d; memset(&d, 0, sizeof d); d.optimizer = GTR_ADAM; return d; }

static void runtime_calls(void)
{
    gtr_context *ctx = gtr_create(desc0());
    net n = mlp(ctx, adam());
    gtr_dataset *data = points(ctx, 64, 0, -1);
    float x[8 * 6];
    int32_t y[8];
    int i, per_set, most;
    uint32_t s = 3;
    gtr_fit_desc f;
    EXPECT_OK(ctx);
    gtr_trainer_data(n.t, data, 8, true, false);
    wrap(ctx);
    for (i = 0; i < 20; i++) {
        calls = launches = 0;
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        if (i >= 2) CHECK(calls == 1 && launches == 1,
            "step %d made %d backend calls, %d of them launches, want one launch", i + 1, calls, launches);
    }
    gtr_wait(ctx);
    memset(&f, 0, sizeof f);
    f.batch = 8; f.epochs = 4; f.silent = true;
    gtr_fit(n.t, data, f);          /* plans and captures */
    calls = launches = 0;
    gtr_fit(n.t, data, f);
    n.t->running.several = true;            /* the fit's plan */
    /* of a launch, which goes on into the next epoch */
    most = GTR__MAX(gtr__trainer_entry(n.t, 8, data, false)->plan.steps, 1);
    n.t->running.several = false;
    CHECK(n.ctx->caps.cuda && most > 1 ? launches <= 32 / GTR__LAUNCH_FEW : launches == (31 + most) / most,
        "gtr_fit launched %d times for 32 steps in 4 epochs, at most %d steps a launch", launches, most);
    CHECK(calls <= launches + 3 * 4 + 16, "gtr_fit made %d backend calls for 32 steps in 4 epochs", calls);
    for (i = 0; i < 48; i++) x[i] = noise(&s);
    for (i = 0; i < 8; i++) y[i] = i % 3;
    per_set = ctx->caps.cuda ? 1 : 0;
    for (i = 0; i < 8; i++) {
        calls = launches = copies = events = 0;
        gtr_set(n.x, x, sizeof x);
        gtr_set(n.y, y, sizeof y);
        gtr_step(n.t);
        /* each input: an upload, and the look at the event that guards the slot */
        if (i >= 4) CHECK(launches == 1 && copies == 2 * per_set && events <= 2 * per_set && calls == launches
            + copies + events, "a step with gtr_set made %d launches, %d copies, %d event calls of %d calls", launches,
            copies, events, calls);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

/* ---- steps queue up behind a callback that waits ---- */
static volatile int flag;
#ifdef GPUTRAIN_CUDA
#include <cuda_runtime_api.h>
static void CUDART_CB wait_for_flag(void *user)
{
    double end = gtr__now() + 20;
    (void)user;
    while (!flag && gtr__now() < end) {}
}
/* Nothing behind it on the context's stream runs until the flag is set. */
static void hold(gtr_context *ctx)
{
    flag = 0;
    EXPECT_EQ(cudaLaunchHostFunc((cudaStream_t)ctx->desc.cuda_stream, wait_for_flag, NULL), 0);
}
static gtr_context *held_context(void)
{
    gtr_desc d = desc0();
    cudaStream_t stream = NULL;
    if (device == GTR_DEVICE_CUDA) cudaStreamCreate(&stream);
    d.cuda_stream = stream;
    return gtr_create(d);
}
#else
static void hold(gtr_context *ctx) { (void)ctx; }
static gtr_context *held_context(void) { return gtr_create(desc0()); }
#endif
/* A net whose (positive) input passes through a learned factor and a logarithm: a negative number becomes NaN there,
   and a number next to zero has a finite logarithm and an infinite gradient. */
static net logarithmic(gtr_context *ctx, gtr_trainer_desc d)
{
    net n;
    gtr_init one;
    gtr_tensor *h;
    memset(&one, 0, sizeof one);
    one.kind = GTR_INIT_CONSTANT; one.a = 1;
    n.ctx = ctx;
    n.x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 6));
    n.y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    h = gtr_scale(gtr_log(gtr_mul(n.x, gtr_parameter(ctx, "in.weight", gtr_shape1(6), one))), 0.01f, 0);
    h = gtr_relu(gtr_linear(h, "fc1", 16));
    n.logits = gtr_linear(h, "fc2", 3);
    n.loss = gtr_cross_entropy(n.logits, n.y);
    n.acc = gtr_accuracy(n.logits, n.y);
    n.t = gtr_trainer_create(n.loss, d);
    return n;
}
static void queued_steps(void)
{
    gtr_context *ctx;
    net n;
    int i;
    double begin;
    if (device != GTR_DEVICE_CUDA || small) { SKIP("steps queue on a GPU, and not under a sanitizer"); return; }
    ctx = held_context();
    n = mlp(ctx, adam());
    gtr_trainer_data(n.t, points(ctx, 64, 0, -1), 8, true, false);
    for (i = 0; i < 3; i++) gtr_step(n.t);
    EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    hold(ctx);
    begin = gtr__now();
    for (i = 0; i < 32; i++) EXPECT_EQ(gtr_step(n.t), GTR_OK);
    CHECK(gtr__now() - begin < 5, "queueing 32 steps took %.1f s: something waited", gtr__now() - begin);
    CHECK(gtr_trainer_report(n.t).step == 3, "a step was done before the flag was set");
    flag = 1;
    EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    EXPECT_EQ(gtr_trainer_report(n.t).step, 35);
    gtr_destroy(ctx);
}

/* ---- launches: bounds that follow from the nodes of each network ---- */
/* What a step puts on the stream. On the GPU its first, eager launch is caught in a graph and the graph's nodes are
   counted: kernels, the library's too, copies, fills and host functions. On the CPU: nodes. */
static int step_launches(gtr_context *ctx, gtr__plan_entry *e)
{
#ifdef GPUTRAIN_CUDA
    /* with few multiprocessors the library takes smaller products, in several launches */
    if (device == GTR_DEVICE_CUDA && !ctx->desc.max_sm) {
        cudaStream_t stream = (cudaStream_t)ctx->desc.cuda_stream;
        cudaGraph_t graph = NULL;
        static cudaGraphNode_t node[1024];
        size_t n = 1024, i;
        int count = 0;
        void *exec = NULL;
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
        EXPECT_EQ(ctx->be->prepare(ctx->instance, &e->plan, &exec), GTR_OK);
        EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        EXPECT_EQ(ctx->be->launch(ctx->instance, exec, GTR__HALF_BOTH), GTR_OK);
        EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
        if (!CHECK(graph && cudaGraphGetNodes(graph, node, &n) == cudaSuccess && n < 1024,
                "a step could not be caught"))
            n = 0;
        for (i = 0; i < n; i++) {
            enum cudaGraphNodeType type;
            EXPECT_EQ(cudaGraphNodeGetType(node[i], &type), cudaSuccess);
            count += type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy
                || type == cudaGraphNodeTypeMemset || type == cudaGraphNodeTypeHost;
        }
        CHECK(count > 3, "%d launches were caught", count);
        if (graph) cudaGraphDestroy(graph);
        ctx->be->release(ctx->instance, exec);
        return count;
    }
#endif
    (void)ctx;
    return e->plan.n_node;
}
/* more: launches on the GPU beyond one a node */
static void launch_bound(const char *name, gtr_tensor *loss, gtr_trainer_desc d, int64_t batch, int bound, int more)
{
    gtr_context *ctx = loss->ctx;
    gtr_trainer *t;
    gtr__plan_entry *e = NULL;
    float *x = (float *)calloc((size_t)batch * 784, sizeof *x);
    int32_t *y = (int32_t *)calloc((size_t)batch, sizeof *y);
    int i, count;
    d.no_matchers = true;
    t = gtr_trainer_create(loss, d);
    for (i = 0; t && i < t->feeding.n_inputs; i++) {
        gtr_tensor *in = t->feeding.input[i];
        size_t bytes = (size_t)(batch * -gtr__count(&in->shape)) * 4;
        EXPECT_EQ(gtr_set(in, in->dtype == GTR_I32 ? (void *)y : (void *)x, bytes), GTR_OK);
    }
    /* the library's handles are made: a capture may not */
    for (i = 0; t && i < 2; i++) EXPECT_EQ(gtr_step(t), GTR_OK);
    e = t ? gtr__trainer_entry(t, batch, NULL, false) : NULL;
    if (CHECK(e && gtr__entry_ready(ctx, e, t->runner) == GTR_OK, "%s: no plan: %s", name, gtr_error_text(ctx))) {
        count = step_launches(ctx, e);
        if (!CHECK(count <= bound + (device == GTR_DEVICE_CUDA ? more : 0) && e->plan.n_node <= bound,
                "%s: %d launches of %d nodes, want at most %d, on the GPU %d launches", name, count, e->plan.n_node,
                bound, bound + more))
            printf("%s", gtr_plan_text(t, batch));
        else if (device == GTR_DEVICE_CUDA)
            printf("%s: %d launches of %d nodes, bound %d\n", name, count, e->plan.n_node, bound + more);
    }
    gtr_trainer_destroy(t);
    free(x); free(y);
}
static void launch_counts(void)
{
    gtr_context *ctx = held_context();
    gtr_trainer_desc d = adam(), sgd;
    gtr_tensor *image = gtr_input(ctx, "image", GTR_F32, gtr_shape2(GTR_BATCH, 784));
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 20)),
        *y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    gtr_tensor *target = gtr_input(ctx, "target", GTR_F32, gtr_shape2(GTR_BATCH, 4)), *h, *r, *loss;
    int i, more;
    memset(&sgd, 0, sizeof sgd);
    /* feed, guard, update, report: 4. A linear layer with its activation: 1 forward, 1 for dw and db, 1 for dx and the
       activation's gradient (not the first). Cross-entropy both ways: 1; mse: 2, and 1 that adds up
       the sums of its blocks. */
    h = gtr_relu(gtr_linear(gtr_relu(gtr_linear(image, "a1", 256)), "a2", 128));
    loss = gtr_cross_entropy(gtr_linear(h, "a3", 10), y);
    /* without a library and clusters, k of the first layer's products is cut into ranges, which a launch sums: 62
       instead of 85 us a step */
    more = ctx->caps.compute < 90 && !ctx->caps.product_workspace ? 2 : 0;
    launch_bound("three-layer MLP, Adam", loss, d, 128, 4 + 3 + 1 + 3 + 2, more);
    d.precision = GTR_TF32;
    launch_bound("three-layer MLP, Adam, TF32", loss, d, 128, 4 + 3 + 1 + 3 + 2, more);
    d.precision = GTR_FP32;
    launch_bound("linear regression, SGD", gtr_mse(gtr_linear(x, "b1", 4), target), sgd, 32, 4 + 1 + 2 + 1, 1);
    h = gtr_tanh(gtr_linear(x, "c1", 16));
    d.clip_norm = 1;
    launch_bound("two layers, tanh, clipping", gtr_mse(gtr_linear(h, "c2", 4), target), d, 32, 4 + 2 + 2 + 2 + 1, 1);
    d.clip_norm = 0;
    /* norm: forward, backward, commit; relu both ways */
    h = gtr_relu(gtr_batch_norm(gtr_linear(x, "d1", 16), "d2"));
    launch_bound("batch_norm", gtr_cross_entropy(gtr_linear(h, "d3", 10), y), d, 32, 4 + 2 + 1 + 2 + 1 + 5, 0);
    /* dropout both ways, and relu's gradient on its own */
    h = gtr_dropout(gtr_relu(gtr_linear(x, "e1", 16)), "e2", 0.5f);
    launch_bound("dropout", gtr_cross_entropy(gtr_linear(h, "e3", 10), y), d, 32, 4 + 2 + 1 + 2 + 1 + 3, 0);
    h = gtr_gelu(gtr_linear(x, "f1", 20));
    /* add and relu: 1; relu's gradient 1, add's is the same */
    r = gtr_relu(gtr_add(h, x));
    launch_bound("residual", gtr_cross_entropy(gtr_linear(r, "f2", 10), y), d, 32, 4 + 2 + 1 + 1 + 2 + 1 + 2, 0);
    /* a block: norm 1, relu 1, two layers, add 1; backward 2 a layer, relu's gradient with its layer's, norm's
       1; one commit for all */
    for (i = 0, h = gtr_linear(x, "g0", 16); i < 3; i++) {
        static const char *names[3][3] = { { "g1", "g2", "g3" }, { "g4", "g5", "g6" }, { "g7", "g8", "g9" } };
        r = gtr_relu(gtr_linear(gtr_relu(gtr_batch_norm(h, names[i][0])), names[i][1], 24));
        r = gtr_linear(r, names[i][2], 16);
        /* what is subtracted: its gradient takes 1 */
        h = i == 1 ? gtr_add(r, h) : i ? gtr_add(h, r) : gtr_sub(h, r);
    }
    launch_bound("residual blocks", gtr_cross_entropy(gtr_linear(h, "g10", 10), y), d, 32,
        4 + 1 + 1 + 1 + 1 + 1 + 2 + 3 * (5 + 2 * 2 + 1) + 1, 0);
    /* a layer whose input's gradient is added to its output's, which it reads: one copy */
    h = gtr_linear(x, "h0", 16);
    launch_bound("residual layer", gtr_cross_entropy(gtr_linear(gtr_add(h, gtr_linear(h, "h1", 16)), "h2", 10), y), d,
        32, 4 + 3 + 1 + 1 + 5 + 1, 0);
    h = gtr_linear(x, "k0", 16);
    launch_bound("twice itself", gtr_cross_entropy(gtr_linear(gtr_add(h, h), "k1", 10), y), d, 32,
        4 + 2 + 1 + 1 + 3 + 2, 0);
    /* each loss gets its share of the seed, and goes forward and backward in one; 1 adds them, 1 scales */
    h = gtr_relu(gtr_linear(x, "m0", 16));
    loss = gtr_add(gtr_cross_entropy(gtr_linear(h, "m1", 10), y),
        gtr_scale(gtr_mse(gtr_linear(h, "m2", 4), target), 0.5f, 0));
    launch_bound("two losses", loss, d, 32, 4 + 3 + 2 + 2 + 2 * 2 + 1 + 1, 1);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

/* ---- non-finite values ---- */
enum { BATCH = 8, STEPS = 100, BAD = 50 };
static size_t state_bytes(const net *n, unsigned char *to)
{
    size_t at = 0;
    int64_t i;
    int k;
    for (i = 0; i < gtr_parameter_count(n->ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(n->ctx, i);
        gtr_get(p, to + at, gtr__bytes_of(p));
        at += gtr__bytes_of(p);
        for (k = 0; k < 2; k++, at += gtr__bytes_of(p)) gtr_state_get(n->t, p, k, to + at, gtr__bytes_of(p));
    }
    return at;
}
/* where: 0 input, 1 a value on the way to the loss, 2 a gradient, 3 a weight */
static void nonfinite_at(int where, const char *named)
{
    static unsigned char want49[1 << 16], want100[1 << 16], got[1 << 16];
    static const float plants[] = { 0, -1.0f, 1e-44f, 1.25f };
    int i, run, first_bad = (BAD - 1) * BATCH + 2;
    const float good = 1.25f, plant = where == 0 ? (float)NAN : plants[where];
    size_t bytes = 0;
    char step[32];
    snprintf(step, sizeof step, "step %d:", BAD);
    for (run = 0; run < 2; run++) {                 /* what it would have been; then with the plant */
        gtr_context *ctx = held_context();
        net n = logarithmic(ctx, adam());
        gtr_dataset *data = points(ctx, BATCH * STEPS, run ? plant : good, first_bad);
        gtr_result r = GTR_OK;
        gtr_trainer_data(n.t, data, BATCH, false, false);
        EXPECT_OK(ctx);
        if (run == 0) {
            for (i = 0; i < STEPS; i++) {
                if (i == BAD - 1) bytes = state_bytes(&n, want49);
                gtr_step(n.t);
            }
            EXPECT_EQ(gtr_wait(ctx), GTR_OK);
            state_bytes(&n, want100);
            gtr_destroy(ctx);
            continue;
        }
        if (where == 3) {
            gtr_tensor *w = gtr_parameter_find(ctx, "fc1.weight");
            gtr_float keep[96], bad[96];
            for (i = 0; i < BAD - 1; i++) gtr_step(n.t);
            gtr_get(w, keep, sizeof keep);
            memcpy(bad, keep, sizeof keep);
            bad[17] = (gtr_float)NAN;
            gtr_set(w, bad, sizeof bad);
            gtr_step(n.t);
            r = gtr_wait(ctx);
            CHECK(strstr(gtr_error_text(ctx), named) != NULL, "the error does not name \"%s\": %s", named,
                gtr_error_text(ctx));
            gtr_set(w, keep, sizeof keep);
        } else {
            /* under a sanitizer launches wait */
            if (ctx->caps.cuda && !small) { gtr_step(n.t); gtr_step(n.t); gtr_step(n.t); gtr_wait(ctx); hold(ctx); }
            for (i = ctx->caps.cuda && !small ? 3 : 0; i < STEPS && r == GTR_OK; i++) r = gtr_step(n.t);
            if (ctx->caps.cuda && !small) EXPECT_EQ(i, STEPS);        /* all were queued before the first was done */
            flag = 1;
            if (r == GTR_OK) r = gtr_wait(ctx);
            CHECK(strstr(gtr_error_text(ctx), named) != NULL, "the error does not name \"%s\": %s", named,
                gtr_error_text(ctx));
            /* the mend */
            memcpy(data->column[0].host + ((size_t)first_bad * 6 + 3) * sizeof good, &good, sizeof good);
            if (ctx->caps.cuda) ctx->be->copy(ctx->instance[0], (char *)data->column[0].device
                + ((size_t)first_bad * 6 + 3) * sizeof good, &good, sizeof good, GTR__TO_DEVICE, true);
        }
        EXPECT_EQ(r, GTR_ERR_NONFINITE);
        EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, step);
        EXPECT_EQ(state_bytes(&n, got), bytes);
        CHECK(!memcmp(got, want49, bytes), "plant %d: state is not that after step %d", where, BAD - 1);
        EXPECT_EQ(gtr_trainer_report(n.t).applied, BAD - 1);
        for (i = BAD - 1; i < STEPS; i++) EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
        EXPECT_OK(ctx);
        state_bytes(&n, got);
        CHECK(!memcmp(got, want100, bytes),
            "plant %d: after the mend training does not end where it would have", where);
        gtr_destroy(ctx);
    }
}
static void nonfinite(void)
{
    nonfinite_at(0, "input \"x\"");
    if (small && device == GTR_DEVICE_CUDA) return;     /* the rest is the same kernels, some ten thousand times */
    nonfinite_at(1, "output of log");
    nonfinite_at(2, "gradient of \"mul\"");
    nonfinite_at(3, "fc1.weight");
}
static void nonfinite_scaled(void)
{
    gtr_trainer_desc d = adam();
    gtr_context *ctx = gtr_create(desc0());
    int i, n_skipped = 0;
    net n;
    d.precision = GTR_MIXED_FP16;
    n = logarithmic(ctx, d);
    gtr_trainer_data(n.t, points(ctx, BATCH * 20, 1e-44f, 9 * BATCH), BATCH, false, false);
    for (i = 0; i < 20; i++) {
        gtr_report r;
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
        r = gtr_trainer_report(n.t);
        n_skipped += r.skipped;
        if (i == 9) CHECK(r.skipped && r.loss_scale == 65536 && r.applied == 9,
            "step 10 is not skipped: scale %g, applied %lld", (double)r.loss_scale, (long long)r.applied);
        if (i == 10) CHECK(r.loss_scale == 32768, "after a skip the scale is %g, want 32768", (double)r.loss_scale);
    }
    EXPECT_EQ(n_skipped, 1);
    EXPECT_EQ(gtr_trainer_report(n.t).applied, 19);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

/* A step's error that comes to light where rows are appended: they are not, and are by the next call. */
static void appended_then(void)
{
    gtr_context *ctx = gtr_create(desc0());
    net n = mlp(ctx, adam());
    gtr_dataset *data = points(ctx, 32, NAN, 5), *more = points(ctx, 2, 0, -1);
    const void *rows[2];
    for (int i = 0; i < 2; i++) rows[i] = gtr_dataset_row(more, i, 0);
    EXPECT_EQ(gtr_trainer_data(n.t, data, 32, false, false), GTR_OK);
    EXPECT_EQ(gtr_step(n.t), GTR_OK);
    EXPECT_EQ(gtr_dataset_append(data, rows, 2), GTR_ERR_NONFINITE);
    EXPECT_EQ(gtr_dataset_rows(data), 32);
    EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, "row 5, column 0");
    EXPECT_EQ(gtr_dataset_append(data, rows, 2), GTR_OK);
    EXPECT_EQ(gtr_dataset_rows(data), 34);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

/* What an error says of a function of the user's that fails, of what stops gradients, of parts of a batch, and of a
   trainer that was not made. */
static int forward_fails, backward_fails;
static gtr_result failing_forward(const gtr_custom_call *c)
{
    for (int i = 0; device == GTR_DEVICE_CPU && i < 8; i++) ((gtr_float *)c->out)[i] = ((const gtr_float *)c->in[0])[i];
    return forward_fails ? GTR_ERR_ARG : GTR_OK;
}
static gtr_result failing_backward(const gtr_custom_call *c) { (void)c; return backward_fails ? GTR_ERR_ARG : GTR_OK; }
static void told(void)
{
    gtr_context *ctx = gtr_create(desc0());
    gtr_custom_desc d;
    gtr_fit_desc f;
    gtr_float x[8] = { 0 };
    memset(&d, 0, sizeof d); memset(&f, 0, sizeof f);
    gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 2)), *h = gtr_linear(in, "fc", 2);
    d.name = "mine"; d.n_in = 1; d.in[0] = h; d.forward = failing_forward; d.backward = failing_backward;
    gtr_tensor *loss = gtr_mean(gtr_custom(ctx, d), NULL, 0, false);
    gtr_trainer *t = gtr_trainer_create(loss, adam());
    for (int k = 0; k < 2; k++) {
        forward_fails = !k; backward_fails = k;
        gtr_set(in, x, sizeof x);
        gtr_step(t);
        gtr_wait(ctx);
        EXPECT_ERROR(ctx, GTR_ERR_USER, device != GTR_DEVICE_CPU ? "custom op \"mine\": " : k
            ? "custom op \"mine\": its backward function failed" : "custom op \"mine\": its forward function failed");
    }
    d.backward = NULL; d.name = "stopping";
    EXPECT(!gtr_trainer_create(gtr_mean(gtr_custom(ctx, d), NULL, 0, false), adam()));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "on no parameter that can be trained, as \"stopping\" passes no gradient on");
    EXPECT(!gtr_trainer_create(gtr_mean(in, NULL, 0, false), adam()));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "depends on no parameter that can be trained");
    gtr_trainer_desc parts = adam();
    parts.micro_batches = 4;
    t = gtr_trainer_create(gtr_mean(gtr_batch_norm(h, "bn"), NULL, 0, false), parts);
    EXPECT_EQ(gtr_step(t), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "with a batch of 1 (a micro-batch, of 4 that 4 rows are cut into): got");
    gtr_dataset *data = points(ctx, 8, 0, -1);
    EXPECT_EQ(gtr_fit(NULL, data, f), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_fit of gtr_dataset_arrays: the trainer is NULL");
    EXPECT_EQ(gtr_trainer_data(NULL, data, 2, false, false), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_trainer_data of gtr_dataset_arrays: the trainer is NULL");
    EXPECT_EQ(gtr_evaluate(NULL, data, 2, NULL, NULL, NULL), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_evaluate of gtr_dataset_arrays: the trainer is NULL");
    EXPECT(gtr_fit(NULL, NULL, f) == GTR_ERR_ARG && gtr_error(ctx) == GTR_OK);
    gtr_destroy(ctx);
}

/* ---- the k-th allocation, and the k-th call of the backend, fails ---- */
static long alive;
static int allocations, fail_allocation;
static bool fail_all;
static void *f_alloc(size_t bytes, gtr_memory kind, void *user)
{
    void *p;
    (void)kind; (void)user;
    allocations++;
    if (fail_allocation && (allocations == fail_allocation || (fail_all && allocations > fail_allocation))) {
        fired = true; return NULL;
    }
    p = guard_alloc(bytes);
    if (p) __atomic_fetch_add(&alive, 1, __ATOMIC_SEQ_CST);
    return p;
}
static void f_free(void *p, size_t bytes, gtr_memory kind, void *user) {
    (void)kind; (void)user;
    if (p) { __atomic_fetch_sub(&alive, 1, __ATOMIC_SEQ_CST); guard_free(p, bytes); }
}

static char old_path[64], log_path[64];
static unsigned char old_file[1 << 16];
static size_t old_size;
static size_t slurp(const char *path, unsigned char *to, size_t room)
{
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(to, 1, room, f) : 0;
    if (f) fclose(f);
    return n;
}
static bool fill(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    (void)user;
    for (int64_t i = begin * 6; i < end * 6; i++) ((gtr_float *)column[0])[i - begin * 6] = (gtr_float)((i
        + epoch) % 7);
    for (int64_t r = begin; r < end; r++) ((int32_t *)column[1])[r - begin] = (int32_t)(r % 3);
    return true;
}
static gtr_dataset *made(gtr_context *ctx)
{
    gtr_callback_desc c;
    memset(&c, 0, sizeof c);
    c.rows = 11; c.columns = 2; c.column[0].shape = gtr_shape1(6); c.column[0].name = "x"; c.column[1].dtype = GTR_I32;
    c.fill = fill;
    return gtr_dataset_callback(ctx, c);
}
/* The whole life of a context; every result is looked at by the library alone. */
static void life(bool wrapped, int at, bool on)
{
    gtr_desc d = desc0();
    gtr_context *ctx;
    net n;
    gtr_dataset *data;
    gtr_fit_desc f;
    gtr_tensor *h, *bn;
    gtr_predictor *p;
    float x[12] = { 0 }, out[6];
    int32_t y[2] = { 0, 1 };
    gtr_report history[4];
    gtr_result saved;
    bool old;
    d.threads = 1;
    d.allocator.alloc = f_alloc; d.allocator.free = f_free;
    fired = unknown = false;
    allocations = 0;
    fail_allocation = wrapped ? 0 : at;
    fail_all = on;
    ctx = gtr_create(d);
    if (wrapped && ctx) { wrap(ctx); fail_at = at; fail_on = on; }
    n.x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 6));
    n.y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    h = gtr_relu(gtr_linear(n.x, "fc1", 8));
    bn = gtr_batch_norm(h, "bn");
    n.logits = gtr_linear(gtr_dropout(bn, "drop", 0.2f), "fc2", 3);
    n.loss = gtr_cross_entropy(n.logits, n.y);
    n.t = gtr_trainer_create(n.loss, adam());
    gtr_set(n.x, x, sizeof x);
    gtr_set(n.y, y, sizeof y);
    gtr_step(n.t);
    gtr_step(n.t);
    gtr_loss(n.t);
    data = ctx ? points(ctx, 10, 0, -1) : NULL;
    memset(&f, 0, sizeof f);
    f.batch = 4; f.validation = data; f.silent = true; f.history = history; f.history_size = 4;
    f.log_file = log_path;
    if (data) gtr_fit(n.t, data, f);
    f.validation = made(ctx);
    if (f.validation) gtr_fit(n.t, f.validation, f);
    p = gtr_predictor_create(n.logits, 2);
    gtr_predict(p, x, 2, out);
    gtr_eval(&n.logits, 1);
    gtr_get(n.logits, out, sizeof out);
    if (n.t) gtr_memory_text(n.t, 4);
    gtr_summary_text(n.loss);
    saved = gtr_save(ctx, old_path);
    {
        unsigned char now[1 << 16];
        size_t size = slurp(old_path, now, sizeof now);
        old = size == old_size && !memcmp(now, old_file, size);
        if (old_size) CHECK(old || (saved == GTR_OK && size > 8),
            "%s %d: after a save that returned '%s' the file is neither old nor new",
            wrapped ? "backend call" : "allocation", at, gtr_result_text(saved));
        if (old_size && !old) {
            FILE *g = fopen(old_path, "wb");
            if (g) { fwrite(old_file, 1, old_size, g); fclose(g); }
        }
    }
    gtr_load(ctx, old_path);
    /* a GPU that is full is tried again without the sets that nothing reads: then all else is as if it had had room */
    if (fired && ctx) CHECK(gtr_error(ctx) != GTR_OK || (p && p->own_ctx.errors.code)
        || (ctx->caps.cuda && !on && saved == GTR_OK && old), "%s %d failed and nobody said so",
        wrapped ? "backend call" : "allocation", at);
    if (unknown && !fired) { EXPECT_OK(ctx); EXPECT_EQ(saved, GTR_OK); }
    /* with the fault gone, the context can be used, or be destroyed */
    fail_allocation = fail_at = 0;
    if (ctx && !ctx->errors.dead) {
        gtr_float one[1] = { 3 }, two[1] = { 0 };
        gtr_tensor *c;
        gtr_error_clear(ctx);
        c = gtr_scale(gtr_constant(ctx, GTR_F32, gtr_shape1(1), one), 2, 1);
        if (!ctx->caps.cuda || gtr_error(ctx) != GTR_ERR_CUDA) CHECK(gtr_get(c, two, sizeof two) == GTR_OK
            && two[0] == 7, "%s %d: the context is of no use afterwards: %s", wrapped ? "backend call" : "allocation",
            at, gtr_error_text(ctx));
    }
    gtr_destroy(ctx);
    CHECK(alive == 0, "%s %d%s: %ld allocations are left", wrapped ? "backend call" : "allocation", at,
        on ? " and all after it" : "", alive);
    alive = 0;
}
static void faults(void)
{
    int k, n, step = small ? 151 : 1;
    snprintf(old_path, sizeof old_path, "%s", check_path("safetensors"));
    snprintf(log_path, sizeof log_path, "%s", check_path("csv"));
    remove(log_path);
    remove(old_path);
    old_size = 0;
    life(false, 0, false);
    old_size = slurp(old_path, old_file, sizeof old_file);
    EXPECT(old_size > 100);
    life(false, 0, false);
    n = allocations;
    EXPECT(n > 100);
    for (k = 1; k <= n; k += step) { life(false, k, false); life(false, k, true); }
    life(true, 0, false);
    n = calls;
    EXPECT(n > 30);
    for (k = 1; k <= n; k += step) { life(true, k, false); life(true, k, true); }
    remove(old_path);
    remove(log_path);
}

/* An evaluation of averages gives the weights back whatever fails in it, and whatever it fails by. */
static void averages_fail_in(bool carried)
{
    gtr_desc d = desc0();
    gtr_trainer_desc how = adam();
    gtr_float was[96], now[96];
    gtr_arrays_desc a;
    memset(&a, 0, sizeof a);
    a.rows = 96; a.column[0].data = memset(now, 0, sizeof now);
    d.allocator.alloc = f_alloc; d.allocator.free = f_free;
    fail_allocation = 0;
    gtr_context *ctx = gtr_create(d);
    how.ema = 0.5f;
    net n = mlp_of(ctx, how, carried);
    gtr_dataset *data = points(ctx, 20, 0, -1), *wrong;
    wrong = gtr_dataset_arrays(ctx, a);
    EXPECT_EQ(gtr_trainer_data(n.t, data, 4, true, false), GTR_OK);
    for (int i = 0; i < 3; i++) gtr_step(n.t);
    gtr_get(ctx->graph.parameter[0], was, sizeof was);
    for (int k = 0, more = 1; k < 2; k++, more = 1) for (int at = 1; more; at++) {
        allocations = 0; fired = false; fail_all = at & 1;
        fail_allocation = (at + 1) / 2;
        const gtr_result r = gtr_evaluate(n.t, k ? wrong : data, 4 + at, NULL, NULL, NULL);
        fail_allocation = 0;
        more = fired;
        EXPECT(fired || k ? r != GTR_OK : r == GTR_OK);
        gtr_error_clear(ctx);
        EXPECT_EQ(gtr_get(ctx->graph.parameter[0], now, sizeof now), GTR_OK);
        CHECK(!ctx->lock.writing, "evaluation %d, allocation %d: weights locked %d times", k, (at + 1) / 2,
            ctx->lock.writing);
        if (ctx->lock.writing) break;
        CHECK(!memcmp(was, now, sizeof was), "evaluation %d, allocation %d: other weights", k, (at + 1) / 2);
        if (memcmp(was, now, sizeof was)) break;
    }
    gtr_destroy(ctx);
    EXPECT_EQ(alive, 0);
}
static void averages_fail(void) { averages_fail_in(false); averages_fail_in(true); }

/* ---- builders take back what they made before they failed ---- */
static const char *const table_notes[7][2] = { { "table.features",
    "\"a\",\"d.year\",\"d.month\",\"d.weekday\",\"d.seconds\"" }, { "table.fills", "2,2024,1,1,0" },
    { "table.categories", "\"kind\"" }, { "kind.0", "u" }, { "kind.1", "v" }, { "y.0", "no" }, { "y.1", "yes" } };
typedef struct site {
    gtr_context *ctx; gtr_tensor *x, *ids, *y, *loss, *w, *cube, *three; gtr_dataset *data, *series;
} site;
static gtr_result near(const gtr_custom_call *call) { (void)call; return GTR_OK; }
static void *b_linear(site *s) { return gtr_linear(s->x, "new", 5); }
static void *b_linear_bare(site *s) {
    gtr_linear_desc d; memset(&d, 0, sizeof d); d.out = 5; d.no_bias = true; return gtr_linear_ex(s->x, "new", d);
}
static void *b_embedding(site *s) { return gtr_embedding(s->ids, "new", 7, 3); }
static void *b_batch_norm(site *s) { return gtr_batch_norm(s->x, "new"); }
static void *b_batch_norm_with(site *s) {
    gtr_batch_norm_desc d; memset(&d, 0, sizeof d);
    gtr_tensor *mean = gtr_parameter_find(s->ctx, "mean6"), *var = gtr_parameter_find(s->ctx, "var6");
    return gtr_batch_norm_with(s->x, NULL, NULL, mean, var, d);
}
static void *b_arange(site *s) { return gtr_arange(s->x, 0); }
static void *b_itself(site *s) {
    gtr_cross_entropy_desc d; memset(&d, 0, sizeof d);
    d.label_smoothing = 0.1f; d.reduction = GTR_REDUCE_SUM;
    return gtr_cross_entropy_ex(gtr_matmul_t(s->x, false, s->x, true), s->y, d);
}
static void *b_dropout(site *s) { return gtr_dropout(s->x, "new", 0.5f); }
static void *b_dropout_unnamed(site *s) { return gtr_dropout(s->x, NULL, 0.5f); }
static void *b_random(site *s) { return gtr_random_normal(s->x, "new"); }
static void *b_layer_norm(site *s) { return gtr_layer_norm(s->x, "new", 1, 0); }
static void *b_rms_norm(site *s) { return gtr_rms_norm(s->x, "new", 1, 0); }
static void *b_prelu(site *s) { return gtr_prelu(s->x, "new", true); }
static void *b_bilinear(site *s) { return gtr_bilinear(s->x, s->x, "new", 3); }
static void *b_cell(site *s) { gtr_tensor *c = NULL; return gtr_lstm_cell(s->x, NULL, &c, "new", 3); }
static void *b_heads(site *s)
{
    gtr_tensor *x = gtr_reshape(s->x, gtr_shape3(GTR_BATCH, 1, gtr_tensor_shape(s->x).dim[1]));
    gtr_attention_desc d;
    memset(&d, 0, sizeof d);
    d.causal = true; d.lengths = s->y; d.dropout = 0.5f;
    return gtr_multihead_attention(x, NULL, "new", 1, d);
}
static void *b_positions(site *s) { return gtr_add_positions(s->cube, 0); }
static void *b_block(site *s)
{
    gtr_tensor *x = gtr_reshape(s->x, gtr_shape3(GTR_BATCH, 1, gtr_tensor_shape(s->x).dim[1]));
    gtr_transformer_desc d;
    memset(&d, 0, sizeof d);
    d.heads = 1; d.hidden = 2; d.memory = x; d.dropout = 0.5f;
    return gtr_transformer_block(x, "new", d);
}
static void *b_residual(site *s) { return gtr_residual(s->x, s->loss->in[0], "new"); }
static void *b_cube(site *s) { return gtr_pow_scalar(s->x, 3); }
static void *b_prelu_with(site *s) { return gtr_prelu_with(s->x, s->w); }
static void *b_bilinear_with(site *s) { return gtr_bilinear_with(s->x, s->x, s->cube, s->three); }
static void *b_where(site *s) { return gtr_where(s->x, s->w, s->x); }
static void *b_gather_rows(site *s) { return gtr_gather_rows(s->cube, s->ids); }
static void *b_gather(site *s) { return gtr_gather(s->three, 0, s->ids); }
static void *b_slice_step(site *s) { return gtr_slice_step(s->cube, 2, 0, gtr_tensor_shape(s->cube).dim[2], 2); }
static void *b_pad(site *s) {
    static const int64_t pads[4] = { 1, 2, 2, 1 }; return gtr_pad(s->cube, pads, 2, GTR_PAD_REFLECT, 0);
}
static void *b_tile(site *s) { static const int64_t times[3] = { 2, 1, 3 }; return gtr_tile(s->cube, times); }
static void *b_flip(site *s) { static const int axes[2] = { 0, 2 }; return gtr_flip(s->cube, axes, 2); }
static void *b_stack(site *s) { gtr_tensor *both[2]; both[0] = both[1] = s->x; return gtr_stack(both, 2, 1); }
static void *b_top_k(site *s) { return gtr_top_k(s->x, 2, 1); }
static void *b_huber(site *s) { return gtr_huber(s->x, s->x); }
static void *b_focal(site *s) {
    gtr_loss_desc d; memset(&d, 0, sizeof d); d.weight = d.pos_weight = s->w; d.reduction = GTR_REDUCE_SUM;
    return gtr_focal_ex(s->x, s->x, d);
}
static void *b_gaussian(site *s) { return gtr_gaussian_nll(s->x, s->x, s->x); }
static void *b_labelled(site *s) {
    gtr_cross_entropy_desc d; memset(&d, 0, sizeof d); d.weight = gtr_parameter_find(s->ctx, "w6");
    d.label_smoothing = 0.1f; return gtr_cross_entropy_ex(s->x, s->y, d);
}
static void *b_parameter(site *s) {
    gtr_init i; memset(&i, 0, sizeof i); i.kind = GTR_INIT_NORMAL; i.a = 1;
    return gtr_parameter(s->ctx, "new", gtr_shape2(3, 4), i);
}
static void *b_constant(site *s) {
    static const gtr_float v[3] = { 1, 2, 3 }; return gtr_constant(s->ctx, GTR_F32, gtr_shape1(3), v);
}
static void *b_input(site *s) { return gtr_input(s->ctx, "new", GTR_F32, gtr_shape1(GTR_BATCH)); }
static void *b_concat(site *s) { gtr_tensor *both[2]; both[0] = both[1] = s->x; return gtr_concat(both, 2, 1); }
static void *b_loss(site *s) { return gtr_cross_entropy(gtr_slice(s->x, 1, 0, 3), s->y); }
static void *b_gradient(site *s) { return gtr_gradient(s->loss, s->x); }
static void *b_custom(site *s)
{
    gtr_custom_desc d;
    memset(&d, 0, sizeof d);
    d.name = "new"; d.n_in = 1; d.in[0] = s->x; d.forward = near;
    return gtr_custom(s->ctx, d);
}
static void *b_trainer(site *s) { return gtr_trainer_create(s->loss, adam()); }
static void *b_predictor(site *s) { return gtr_predictor_create(s->loss->in[0], 4); }
static void *b_snapshot(site *s) {
    gtr_predictor_desc d; memset(&d, 0, sizeof d);
    d.out[0] = s->loss->in[0]; d.max_rows = 4; d.snapshot = true;
    return gtr_predictor_create_ex(s->ctx, d);
}
static void *b_arrays(site *s) { return points(s->ctx, 10, 0, -1); }
static void *b_split(site *s) { return gtr_dataset_split(s->data, 3); }
/* 12 steps of two channels and of an id, with names. */
static gtr_dataset *steps_named(gtr_context *ctx)
{
    static float x[24];
    static int32_t id[12];
    gtr_arrays_desc a;
    memset(&a, 0, sizeof a);
    a.rows = 12;
    a.column[0].data = x; a.column[0].shape = gtr_shape1(2); a.column[0].name = "sold";
    a.column[1].data = id; a.column[1].dtype = GTR_I32; a.column[1].name = "shop";
    return gtr_dataset_arrays(ctx, a);
}
static void *windows_of(site *s, int target, const int64_t *lengths)
{
    gtr_windows_desc w;
    memset(&w, 0, sizeof w);
    w.history = 3; w.horizon = 2; w.target = target; w.lengths = lengths; w.n_lengths = lengths ? 2 : 0;
    return gtr_dataset_windows(s->series, w);
}
static void *b_windows(site *s) { return windows_of(s, 0, NULL); }
static void *b_windows_ids(site *s) { return windows_of(s, 2, NULL); }
static void *b_windows_lengths(site *s) { static const int64_t l[2] = { 7, 5 }; return windows_of(s, 0, l); }
static void *b_subset(site *s) { static const int64_t r[3] = { 4, 0, 4 }; return gtr_dataset_subset(s->series, r, 3); }
static void *b_sample(site *s) { return gtr_dataset_sample(s->series, NULL, -1, 5, 3); }
static void *b_joined(site *s) {
    gtr_dataset *two[2]; two[0] = two[1] = s->series; return gtr_dataset_concat(s->ctx, two, 2);
}
static void *b_last(site *s) { return gtr_dataset_split_last(s->series, 0.25f, -1); }
static void *b_standardised(site *s) { return gtr_standardise(gtr_slice(s->x, 1, 0, 2), "new", s->series, 0); }
static void *b_unstandardised(site *s) { return gtr_unstandardise(s->x, "new"); }
static void *b_beside(site *s) {
    gtr_dataset *one[1]; one[0] = s->series; return gtr_dataset_join(s->ctx, one, 1);
}
static const char *table_file(void)
{
    const char *path = check_path("csv");
    static const char text[] = "a,d,kind,y\n1,2024-01-31,u,no\n,2024-02-01,v,yes\n\n3,2024-02-02,u,yes\n";
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(text, 1, sizeof text - 1, f) != sizeof text - 1 || fclose(f)) EXPECT(!"a file");
    return path;
}
static gtr_dataset *table_of(gtr_context *ctx, bool model)
{
    gtr_csv_desc c;
    memset(&c, 0, sizeof c);
    c.header = true; c.model = model;
    if (!model) { c.dates = "d"; c.categories = "kind"; c.missing = GTR_MISSING_MEDIAN; }
    return gtr_dataset_csv(ctx, table_file(), c);
}
static void *b_table(site *s) { return table_of(s->ctx, true); }
static void *b_ragged(site *s) {
    static const int64_t l[3] = { 7, 0, 5 };
    gtr_ragged_desc w;
    memset(&w, 0, sizeof w);
    w.lengths = l; w.n_lengths = 3; w.name = "steps";
    return gtr_dataset_ragged(s->series, w);
}
static void *b_text(site *s) {
    gtr_text_desc w;
    memset(&w, 0, sizeof w);
    w.length = 3; w.characters = true; w.streams = 2;
    return gtr_dataset_text(s->ctx, table_file(), w);
}
static const struct { const char *name; void *(*build)(site *); } builders[] = {
    { "unstandardise", b_unstandardised }, { "join", b_beside }, { "csv by the model's notes", b_table },
    { "linear", b_linear }, { "linear without bias", b_linear_bare }, { "embedding", b_embedding },
        { "batch_norm", b_batch_norm }, { "batch_norm_with", b_batch_norm_with }, { "arange", b_arange },
        { "matmul_t and cross_entropy", b_itself },
    { "dropout", b_dropout }, { "unnamed dropout", b_dropout_unnamed }, { "parameter", b_parameter },
        { "constant", b_constant },
    { "random", b_random }, { "layer_norm", b_layer_norm }, { "rms_norm", b_rms_norm }, { "prelu", b_prelu },
        { "bilinear", b_bilinear }, { "lstm_cell", b_cell }, { "reshape and multihead_attention", b_heads },
        { "reshape and a block", b_block }, { "positions", b_positions },
        { "residual", b_residual }, { "pow_scalar of 3", b_cube },
    { "prelu_with", b_prelu_with }, { "bilinear_with", b_bilinear_with }, { "where", b_where },
        { "gather_rows", b_gather_rows }, { "pad", b_pad }, { "tile", b_tile }, { "flip", b_flip },
        { "gather", b_gather }, { "slice_step", b_slice_step },
        { "stack", b_stack }, { "top_k", b_top_k }, { "huber", b_huber }, { "focal", b_focal },
        { "gaussian_nll", b_gaussian }, { "cross_entropy of weighted classes", b_labelled },
    { "input", b_input }, { "concat", b_concat }, { "slice and cross_entropy", b_loss }, { "gradient", b_gradient },
        { "custom", b_custom },
    { "trainer", b_trainer }, { "predictor", b_predictor }, { "snapshot", b_snapshot },
    { "arrays", b_arrays }, { "split", b_split }, { "windows", b_windows }, { "windows and an id", b_windows_ids },
        { "windows of two series", b_windows_lengths }, { "ragged rows", b_ragged }, { "text", b_text },
        { "subset", b_subset }, { "sample", b_sample },
        { "concat of sets", b_joined }, { "split_last", b_last }, { "slice and standardise", b_standardised }
};
/* Of a context, what a failed builder must leave as it was: two ops in one call may leave the first. */
typedef struct stock {
    int64_t tensors, parameters, unnamed, rows; long blocks; void *trainers, *predictors, *datasets; size_t device;
} stock;
static stock stock_of(const site *s)
{
    stock k;
    memset(&k, 0, sizeof k);
    k.tensors = s->ctx->graph.n_tensor; k.parameters = s->ctx->graph.n_parameter; k.unnamed = s->ctx->graph.unnamed;
    k.rows = gtr_dataset_rows(s->data) + gtr_dataset_rows(s->series);
    k.blocks = alive; k.device = s->ctx->memory.device_bytes;
    k.trainers = s->ctx->trainers; k.predictors = s->ctx->predictors; k.datasets = s->ctx->datasets;
    return k;
}
/* pad: parameters that are there before, so that the lists of tensors and parameters are full at
   different allocations */
static site site_new(int pad)
{
    site s;
    gtr_desc d = desc0();
    gtr_tensor *h;
    char name[16];
    memset(&s, 0, sizeof s);
    d.threads = 1;
    d.allocator.alloc = f_alloc; d.allocator.free = f_free;
    d.memory_limit = (size_t)1 << 30;           /* which nothing passes: no plan is made again */
    fail_allocation = 0;
    s.ctx = gtr_create(d);
    s.x = gtr_input(s.ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 6));
    s.y = gtr_input(s.ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    s.ids = gtr_input(s.ctx, "ids", GTR_I32, gtr_shape1(GTR_BATCH));
    h = gtr_linear(s.x, "old", 3);
    s.loss = gtr_cross_entropy(h, s.y);
    s.w = gtr_parameter(s.ctx, "w", gtr_shape1(1), h->note->init);
    s.cube = gtr_parameter(s.ctx, "cube", gtr_shape3(3, 6, 6), h->note->init);
    s.three = gtr_parameter(s.ctx, "three", gtr_shape1(3), h->note->init);
    gtr_parameter(s.ctx, "w6", gtr_shape1(6), h->note->init);
    gtr_init fixed = h->note->init;
    fixed.frozen = true;
    gtr_parameter(s.ctx, "mean6", gtr_shape1(6), fixed);
    gtr_parameter(s.ctx, "var6", gtr_shape1(6), fixed);
    for (; pad > 0; pad--) {
        snprintf(name, sizeof name, "pad%d", pad);
        gtr_parameter(s.ctx, name, gtr_shape1(1), h->note->init);
    }
    s.data = points(s.ctx, 12, 0, -1);
    s.series = steps_named(s.ctx);
    for (int k = 0; k < 7; k++) gtr_note_set(s.ctx, table_notes[k][0], table_notes[k][1]);
    EXPECT_OK(s.ctx);
    return s;
}
/* What training notes of a table, and a predictor that reads one, fail whole. */
static void tables_fail(void)
{
    bool more = true;
    for (int at = 1, k = 0; more; at += small ? 3 : 1) {
        gtr_desc d = desc0();
        d.threads = 1;
        d.allocator.alloc = f_alloc; d.allocator.free = f_free;
        fail_allocation = 0;
        gtr_context *ctx = gtr_create(d);
        gtr_tensor *in[2], *y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
        in[0] = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 5));
        in[1] = gtr_one_hot(gtr_input(ctx, "kind", GTR_I32, gtr_shape1(GTR_BATCH)), 2);
        gtr_tensor *out = gtr_linear(gtr_concat(in, 2, 1), "fc", 2);
        gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(out, y), adam());
        gtr_predictor *p = gtr_predictor_create(out, 2);
        gtr_dataset *data = table_of(ctx, false);
        gtr_float got[6];
        void *to[1];
        to[0] = got;
        EXPECT_OK(ctx);
        allocations = 0; fired = false; fail_all = false;
        fail_allocation = at;
        const gtr_result r = k ? gtr_predict_dataset(p, data, to) : gtr_trainer_data(t, data, 2, false, false);
        fail_allocation = 0;
        CHECK(fired ? r == GTR_ERR_NOMEM : r == GTR_OK, "call %d, allocation %d: %d", k, at, (int)r);
        const char *features = gtr_note(ctx, "table.features"), *fills = gtr_note(ctx, "table.fills");
        CHECK(!features == !fills && (features || r || k), "call %d, allocation %d: notes of a part", k, at);
        more = fired;
        if (!fired && !k) { more = true; k = 1; at = small ? -2 : 0; }
        gtr_destroy(ctx);
        CHECK(alive == 0, "call %d, allocation %d: %ld blocks are left", k, at, alive);
        alive = 0;
    }
}
/* A predictor's memory is the context's: its limit holds, and one that is refused leaves nothing. */
static void predictors_limited(void)
{
    site s = site_new(0);
    const size_t before = s.ctx->memory.device_bytes;
    gtr_tensor *out = s.loss->in[0];
    gtr_predictor *p = gtr_predictor_create(out, 64);
    const size_t took = s.ctx->memory.device_bytes - before;
    EXPECT(p && took > 0);
    gtr_predictor_destroy(p);
    EXPECT_EQ(s.ctx->memory.device_bytes, before);
    s.ctx->desc.memory_limit = before + took - 1;
    EXPECT(!gtr_predictor_create(out, 64));
    EXPECT_ERROR(s.ctx, GTR_ERR_NOMEM, "pass the limit");
    EXPECT(s.ctx->memory.device_bytes == before && !s.ctx->predictors);
    gtr_error_clear(s.ctx);
    s.ctx->desc.memory_limit = before + 2 * took;
    EXPECT((p = gtr_predictor_create(out, 64)) != NULL);
    EXPECT_OK(s.ctx);
    gtr_destroy(s.ctx);
    EXPECT_EQ(alive, 0);
}
static void builder_fails(int b, int pad, bool on)
{
    site s = site_new(pad);
    stock before, after;
    int k;
    void *made = NULL;
    for (k = 1; !made && k < 400; k++) {
        before = stock_of(&s);
        allocations = 0; fail_allocation = k; fail_all = on; fired = false;
        made = builders[b].build(&s);
        fail_allocation = 0;
        if (made) { CHECK(!fired, "%s, allocation %d of %d pads failed, untold", builders[b].name, k, pad); break; }
        after = stock_of(&s);
        if ((builders[b].build == b_loss || builders[b].build == b_standardised || builders[b].build == b_itself
                || builders[b].build == b_heads || builders[b].build == b_block)
                && after.tensors == before.tensors + 1)
            gtr_release(s.ctx, before.tensors), after = stock_of(&s);
        CHECK(fired && gtr_error(s.ctx) == GTR_ERR_NOMEM, "%s, allocation %d of %d pads: %s", builders[b].name, k, pad,
            gtr_error_text(s.ctx));
        if (!CHECK(!memcmp(&before, &after, sizeof before),
                "%s, allocation %d, %d pads: %lld tensors, %lld parameters, %ld blocks before and %lld, %lld, %ld "
                "after it failed", builders[b].name, k, pad, (long long)before.tensors, (long long)before.parameters,
                before.blocks, (long long)after.tensors, (long long)after.parameters, after.blocks))
            break;
        gtr_error_clear(s.ctx);
    }
    CHECK(made || !fired, "%s, %d pads: it is not built at last: %s", builders[b].name, pad, gtr_error_text(s.ctx));
    if (builders[b].build == b_dropout_unnamed && made)
        EXPECT_EQ(((gtr_tensor *)made)->attr.draw.key, gtr__hash(7, "dropout0"));
    gtr_destroy(s.ctx);
    CHECK(alive == 0, "%s: %ld blocks are left", builders[b].name, alive);
    alive = 0;
}
static void builders_fail(void)
{
    int b, pad;
    for (b = 0; b < (int)(sizeof builders / sizeof *builders); b++)
        for (pad = small ? 14 : 8; pad < (small ? 15 : 16); pad++) {
            builder_fails(b, pad, false); builder_fails(b, pad, true);
        }
}
/* The longest names, and those that differ behind 400 bytes: a layer is built, whole, or not at all. */
static void long_names(void)
{
    gtr_context *ctx = gtr_create(desc0());
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 4)),
        *ids = gtr_input(ctx, "ids", GTR_I32, gtr_shape1(GTR_BATCH)), *t[3];
    gtr_tensor *deep = gtr_input(ctx, "deep", GTR_I32, (gtr_shape){ 8, { -1, 1, 1, 1, 1, 1, 1, 1 } });
    char name[1400];
    int n, i;
    memset(name, 'a', sizeof name);
    name[410] = 0;
    name[409] = 'b';
    EXPECT(gtr_linear(x, name, 2) != NULL);
    name[409] = 'c';
    EXPECT(gtr_linear(x, name, 2) != NULL);
    EXPECT_OK(ctx);
    for (n = 480; n < 1300; n += n < 520 ? 1 : 97) {
        int64_t tensors = gtr_mark(ctx), parameters = gtr_parameter_count(ctx);
        memset(name, 'd', sizeof name);
        name[n] = 0;
        t[0] = gtr_linear(x, name, 2); name[0] = 'e'; t[1] = gtr_batch_norm(x, name); name[0] = 'f';
        t[2] = gtr_embedding(ids, name, 3, 2);
        CHECK(!t[0] == (n + 7 > 511) && !t[1] == (n + 20 > 511) && !t[2] == (n + 7 > 511),
            "names of %d bytes: linear %d, batch_norm %d, embedding %d", n, !!t[0], !!t[1], !!t[2]);
        for (i = 0; i < 3; i++) {
            tensors += t[i] ? (i == 0 ? 3 : i == 1 ? 6 : 2) : 0; parameters += t[i] ? (i == 0 ? 2 : i == 1 ? 5 : 1) : 0;
        }
        CHECK(gtr_mark(ctx) == tensors && gtr_parameter_count(ctx) == parameters,
            "names of %d bytes: %lld tensors and %lld parameters, want %lld and %lld", n, (long long)gtr_mark(ctx),
            (long long)gtr_parameter_count(ctx), (long long)tensors, (long long)parameters);
        if (!t[1]) EXPECT_ERROR(ctx, GTR_ERR_ARG, "longer than 511 bytes");
    }
    n = (int)gtr_parameter_count(ctx);
    EXPECT(!gtr_embedding(deep, "deep", 3, 2));             /* fails behind its table */
    EXPECT_EQ(gtr_parameter_count(ctx), n);
    gtr_error_clear(ctx);
    EXPECT(gtr_embedding(ids, "deep", 3, 2) != NULL);
    EXPECT(gtr_dropout(x, "dropout0", 0.5f) != NULL);       /* what the first unnamed one would be called */
    EXPECT(gtr_dropout(x, NULL, 0.5f) != NULL);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

/* ---- after fork() ---- */
#ifndef _WIN32
#include <sys/wait.h>
typedef struct family { net n; gtr_dataset *data; gtr_predictor *p; float x[12]; } family;
#define FAILS(call) do { \
    if ((call) != GTR_ERR_STATE) { fprintf(stderr, "after fork(): " #call " is no error\n"); return 2; } } while (0)
#define NOTHING(call) do { \
    if (call) { fprintf(stderr, "after fork(): " #call " made something\n"); return 2; } } while (0)
static int in_child(family *f)
{
    gtr_context *ctx = f->n.ctx;
    gtr_fit_desc fit;
    gtr_memory_report m;
    gtr_init init;
    gtr_tensor *fc1 = gtr_parameter_find(ctx, "fc1.weight");
    float v[96];
    memset(&fit, 0, sizeof fit);
    memset(&init, 0, sizeof init);
    fit.batch = 4; fit.silent = true;
    FAILS(gtr_step(f->n.t));
    FAILS(gtr_error(ctx));
    gtr_error_clear(ctx);
    FAILS(gtr_error(ctx));
    FAILS(gtr_wait(ctx)); FAILS(gtr_backward(f->n.t)); FAILS(gtr_update(f->n.t)); FAILS(gtr_fit(f->n.t, f->data, fit));
    FAILS(gtr_trainer_data(f->n.t, f->data, 4, true, false)); FAILS(gtr_trainer_lr(f->n.t, 0.5f));
    FAILS(gtr_evaluate(f->n.t, f->data, 4, NULL, v, NULL));
    FAILS(gtr_set(f->n.x, f->x, sizeof f->x)); FAILS(gtr_set_device(f->n.x, f->x, sizeof f->x, NULL));
    FAILS(gtr_get(fc1, v, sizeof v)); FAILS(gtr_eval(&f->n.logits, 1)); FAILS(gtr_eval_train(&f->n.logits, 1));
    FAILS(gtr_gradient_get(f->n.t, fc1, v, sizeof v)); FAILS(gtr_gradient_set(f->n.t, fc1, v, sizeof v));
    FAILS(gtr_state_get(f->n.t, fc1, 0, v, sizeof v));
    FAILS(gtr_save(ctx, "build/never")); FAILS(gtr_load(ctx, "build/never")); FAILS(gtr_memory_plan(f->n.t, 4, &m));
    FAILS(gtr_state_set(f->n.t, fc1, 0, v, sizeof v)); FAILS(gtr_checkpoint_save(f->n.t, "build/never"));
    FAILS(gtr_checkpoint_load(f->n.t, "build/never")); FAILS(gtr_checkpoint_get(f->n.t, v, sizeof v));
    FAILS(gtr_checkpoint_set(f->n.t, v, sizeof v)); FAILS(gtr_parameters_copy(ctx, ctx));
    NOTHING(gtr_checkpoint_bytes(f->n.t));
    FAILS(gtr_predict(f->p, f->x, 2, v));
    NOTHING(gtr_loss(f->n.t) == gtr_loss(f->n.t)); NOTHING(gtr_item(f->n.loss) == gtr_item(f->n.loss));
    NOTHING(gtr_trainer_report(f->n.t).step);
    NOTHING(gtr_plan_text(f->n.t, 4)[0]); NOTHING(gtr_memory_text(f->n.t, 4)[0]); NOTHING(gtr_trace(f->n.t)[0]);
    NOTHING(gtr_profile(f->n.t, false)[0]); NOTHING(gtr_summary_text(f->n.loss)[0]);
    NOTHING(gtr_largest_batch(f->n.t, 1 << 20)); NOTHING(gtr_on_gpu(ctx));
    NOTHING(gtr_relu(f->n.x)); NOTHING(gtr_linear(f->n.x, "more", 2));
    NOTHING(gtr_input(ctx, "z", GTR_F32, gtr_shape1(1)));
    NOTHING(gtr_parameter(ctx, "p", gtr_shape1(1), init)); NOTHING(gtr_constant(ctx, GTR_F32, gtr_shape1(1), v));
    NOTHING(gtr_gradient(f->n.loss, f->n.x));
    NOTHING(gtr_trainer_create(f->n.loss, adam())); NOTHING(gtr_predictor_create(f->n.logits, 1));
    NOTHING(points(ctx, 4, 0, -1)); NOTHING(gtr_dataset_split(f->data, 2));
    gtr_scope_begin(ctx, "s"); gtr_scope_end(ctx); gtr_stage(ctx, 1); gtr_recompute_begin(ctx); gtr_recompute_end(ctx);
    gtr_keep(f->n.logits);
    gtr_release(ctx, gtr_mark(ctx)); gtr_environment_text(ctx); gtr_device_text(ctx); gtr_stop(ctx);
    return strstr(gtr_error_text(ctx), "fork") ? 0 : 2;
}
/* stage 0: everything is called, then destroyed piece by piece; 1: the context is destroyed at once; 2: and
   the child makes its own */
static int child(family *f, int stage)
{
    int r = stage == 0 ? in_child(f) : 0;
    if (stage == 0) { gtr_predictor_destroy(f->p); gtr_trainer_destroy(f->n.t); gtr_dataset_destroy(f->data); }
    gtr_destroy(f->n.ctx);
    if (device == GTR_DEVICE_CPU && alive) { fprintf(stderr, "after fork(): %ld blocks are left\n", alive); r = 3; }
    if (stage == 2 && device == GTR_DEVICE_CPU) {
        gtr_desc d = desc0();
        gtr_context *ctx;
        net n;
        d.threads = 1;              /* a sanitizer bears no new threads here */
        ctx = gtr_create(d);
        n = mlp(ctx, adam());
        gtr_trainer_data(n.t, points(ctx, 16, 0, -1), 4, true, false);
        if (gtr_step(n.t) != GTR_OK || gtr_wait(ctx) != GTR_OK) r = 4;
        gtr_destroy(ctx);
    }
    return r;
}
static void forks(void)
{
    gtr_desc d = desc0();
    family f;
    int stage, status = -1, i;
    memset(&f, 0, sizeof f);
    d.threads = 4;
    d.allocator.alloc = f_alloc; d.allocator.free = f_free;
    fail_allocation = 0;
    f.n = mlp(gtr_create(d), adam());
    f.data = points(f.n.ctx, 32, 0, -1);
    f.p = gtr_predictor_create(f.n.logits, 4);
    gtr_trainer_data(f.n.t, f.data, 8, true, false);
    for (i = 0; i < 6; i++) EXPECT_EQ(gtr_step(f.n.t), GTR_OK);
    EXPECT_EQ(gtr_wait(f.n.ctx), GTR_OK);
    for (stage = 0; stage < 6; stage++) {
        pid_t pid;
        /* as where the system has no such page */
        if (stage == 3 && f.n.ctx->here) { munmap((void *)(uintptr_t)f.n.ctx->here, 1); f.n.ctx->here = NULL; }
        fflush(stdout);
        pid = fork();
        if (!pid) { alarm(30); _exit(child(&f, stage % 3)); }
        if (!CHECK(pid > 0, "no process")) break;
        waitpid(pid, &status, 0);
        CHECK(status == 0, "the child of stage %d ended with %s %d", stage, WIFSIGNALED(status) ? "signal" : "status",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        for (i = 0; i < 6; i++) EXPECT_EQ(gtr_step(f.n.t), GTR_OK);          /* the parent goes on */
    }
    EXPECT_OK(f.n.ctx);
    gtr_destroy(f.n.ctx);
    EXPECT_EQ(alive, 0);
    alive = 0;
}
#else
static void forks(void) { SKIP("no fork() here"); }
#endif

/* A call that returns GTR_OK leaves no error, one that fails leaves its own: for each allocation of the planning of a
   first step, or of the first evaluation of two gradients. */
static void planning_tells_of(bool gradients)
{
    gtr_tensor *both[2];
    float x[4 * 6] = { 0 };
    int32_t y[4] = { 0, 1, 2, 0 };
    int k, n = 1, in_step = 0;
    for (k = 1; k <= n; k += small ? 7 : 1) {
        gtr_desc d = desc0();
        gtr_context *ctx;
        gtr_result r;
        net m;
        d.threads = 1;
        d.allocator.alloc = f_alloc; d.allocator.free = f_free;
        fail_allocation = 0;
        ctx = gtr_create(d);
        m = mlp(ctx, adam());
        gtr_set(m.x, x, sizeof x);
        gtr_set(m.y, y, sizeof y);
        both[0] = gtr_gradient(m.loss, m.logits);
        both[1] = gtr_gradient(m.loss, gtr_parameter_find(ctx, "fc1.weight"));
        allocations = 0;
        fired = fail_all = false;
        fail_allocation = k;
        r = gradients ? gtr_eval(both, 2) : gtr_step(m.t);
        CHECK(r == gtr_error(ctx) && (r == GTR_ERR_NOMEM) == fired,
            "allocation %d of a step failed: it returned '%s', the context's error is '%s'", k, gtr_result_text(r),
            gtr_error_text(ctx));
        if (!fired) in_step = 1;
        else n = k + 1 + (small ? 7 : 0);
        fail_allocation = 0;
        gtr_error_clear(ctx);
        EXPECT_EQ(gtr_step(m.t), GTR_OK);
        gtr_destroy(ctx);
        EXPECT_EQ(alive, 0);
        alive = 0;
    }
    EXPECT(in_step && n > 20);
}
static void planning_tells(void) { planning_tells_of(false); planning_tells_of(true); }
/* Arguments that no call may take at their word. */
static void arguments(void)
{
    gtr_desc d = desc0();
    gtr_context *ctx;
    net n;
    gtr_trainer_desc t = adam();
    gtr_tensor *x, *w;
    const int32_t ids[3] = { -5, 6, 7 };
    const gtr_float values[2] = { 2.5f, 3 };
    gtr_float g[18] = { 0 };
    fail_allocation = 0;
    d.allocator.alloc = f_alloc;    /* who can't give back is not asked */
    ctx = gtr_create(d);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "alloc and free");
    gtr_destroy(ctx);
    EXPECT_EQ(alive, 0);
    alive = 0;
    d = desc0();
    ctx = gtr_create(d);
    t.precision = GTR_MIXED_FP16;
    n = mlp(ctx, t);
    EXPECT_OK(ctx);
    EXPECT_EQ(gtr_memory_plan(n.t, 4, NULL), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "out is NULL");
    w = gtr_parameter_find(ctx, "fc3.bias");
    EXPECT_EQ(gtr_gradient_set(n.t, w, g, SIZE_MAX / 4), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "fc3.bias");
    EXPECT_EQ(gtr_gradient_set(n.t, NULL, g, sizeof g), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_gradient_set: the parameter is NULL");
    /* the first element, whatever its type: a counter of 64 bits, ids, a vector */
    x = gtr_input(ctx, "norm", GTR_F32, gtr_shape2(GTR_BATCH, 2));
    gtr_batch_norm(x, "bn");
    w = gtr_parameter_find(ctx, "bn.num_batches_tracked");
    { const int64_t many = 5000000000; EXPECT_EQ(gtr_set(w, &many, sizeof many), GTR_OK); }
    CHECK(gtr_item(w) == 5e9f, "a counter of 5000000000 reads as %g", (double)gtr_item(w));
    CHECK(gtr_item(gtr_parameter_find(ctx, "bn.running_var")) == 1, "the first element of two is not read");
    w = gtr_constant(ctx, GTR_I32, gtr_shape1(3), ids);
    CHECK(gtr_item(w) == -5 && gtr_item(gtr_reshape(w, gtr_shape2(3, 1))) == -5, "the first of three ids reads as %g",
        (double)gtr_item(w));
    w = gtr_constant(ctx, GTR_F32, gtr_shape1(2), values);
    CHECK(gtr_item(w) == 2.5f && gtr_item(gtr_scale(w, 2, 0)) == 5 && gtr_item(gtr_argmax(w, 0)) == 1,
        "computed values: %g", (double)gtr_item(gtr_argmax(w, 0)));
    EXPECT_OK(ctx);
    CHECK(isnan(gtr_item(n.x)), "an input that was not set has a value");
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "\"x\"");
    gtr_destroy(ctx);
}

/* ---- the least noticed: bounds, guards, statistics ---- */
/* FP16's loss scale halves down to 1 and no further; it doubles after 2000 good steps, up to 2^24. */
static void scale_bounds(void)
{
    gtr_trainer_desc d;
    gtr_context *ctx = gtr_create(desc0());
    gtr_report r;
    net n;
    int i;
    memset(&d, 0, sizeof d);
    d.precision = GTR_MIXED_FP16; d.loss_scale = 5; d.lr = GTR_ZERO;
    n = logarithmic(ctx, d);
    gtr_trainer_data(n.t, points(ctx, 2, 1e-44f, 0), 2, false, false);
    for (i = 0; i < 5; i++) {
        static const float want[] = { 5, 2.5f, 1.25f, 1, 1 };
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
        r = gtr_trainer_report(n.t);
        CHECK(r.skipped && r.loss_scale == want[i], "skipped step %d has scale %g, want %g", i + 1,
            (double)r.loss_scale, (double)want[i]);
    }
    if (!small) {
        const gtr_float x[12] = { 1 };
        d.loss_scale = 8388608.0f * 1.5f;       /* of a loss that is small enough for it */
        n.t = gtr_trainer_create(gtr_scale(gtr_mean(gtr_linear(n.x, "low", 2), NULL, 0, false), 1e-6f, 0), d);
        gtr_set(n.x, x, sizeof x);
        for (i = 0; i < 4001; i++) gtr_step(n.t);
        EXPECT_EQ(gtr_wait(ctx), GTR_OK);
        r = gtr_trainer_report(n.t);
        CHECK(!r.skipped && r.loss_scale == 16777216.0f && r.applied == 4001,
            "after 4000 good steps the scale is %g, %lld applied", (double)r.loss_scale, (long long)r.applied);
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* What a device's fault leaves: nothing runs, the error stays. Any other error of a backend's passes. */
static void dead(void)
{
    gtr_context *ctx = gtr_create(desc0());
    net n = mlp(ctx, adam());
    gtr_float x[6] = { 0 };
    int32_t y[1] = { 0 };
    gtr_set(n.x, x, sizeof x);
    gtr_set(n.y, y, sizeof y);
    ctx->host.error(ctx->host.user, GTR_ERR_STATE, "a plain error");
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "a plain error");
    EXPECT_EQ(gtr_on_gpu(ctx), device == GTR_DEVICE_CUDA);
    EXPECT_EQ(gtr_step(n.t), GTR_OK);
    EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    ctx->host.error(ctx->host.user, GTR_ERR_CUDA, "the device is gone");
    gtr_error_clear(ctx);
    CHECK(gtr_error(ctx) == GTR_ERR_CUDA && strstr(gtr_error_text(ctx), "is gone"),
        "the error of a lost device is '%s'", gtr_error_text(ctx));
    EXPECT(!gtr_on_gpu(ctx) && !gtr_relu(n.logits) && !gtr_constant(ctx, GTR_F32, gtr_shape1(6), x)
        && !gtr_trainer_create(n.loss, adam()) && !gtr_predictor_create(n.logits, 1) && !points(ctx, 4, 0, -1));
    EXPECT_EQ(gtr_step(n.t), GTR_ERR_CUDA);
    EXPECT_EQ(gtr_set(n.x, x, sizeof x), GTR_ERR_CUDA);
    EXPECT_EQ(gtr_eval(&n.logits, 1), GTR_ERR_CUDA);
    EXPECT_EQ(gtr_get(n.logits, x, sizeof x), GTR_ERR_CUDA);
    EXPECT_EQ(gtr_wait(ctx), GTR_ERR_CUDA);
    EXPECT(isnan(gtr_loss(n.t)) && isnan(gtr_item(n.loss)) && gtr_largest_batch(n.t, 1 << 30) == 0
        && !gtr_plan_text(n.t, 4)[0]);
    EXPECT(gtr_save(ctx, "build/none") != GTR_OK && gtr_load(ctx, "build/none") != GTR_OK);
    gtr_destroy(ctx);
}
/* Labels that are computed are checked by nobody before a run: a bad one is NaN in its row and in the loss. A
   constant's are; an ignored one counts nowhere. */
static void label_guards(void)
{
    static const int32_t labels[5][4] = {
        { 0, 2, 1, 0 }, { 0, 3, 1, 0 }, { 0, -1, 1, 0 }, { 0, -100, 1, 0 }, { -100, -100, -100, -100 } };
    static const gtr_float x[12] = { 1, 2, 3, 0, 1, 0, -1, 0, 2, 0.5f, 0.25f, 0 };
    int k, i, j, computed;
    for (computed = 0; computed < 2; computed++) for (k = 0; k < (computed ? 2 : 5); k++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_init zero;
        gtr_tensor *both[2], *p, *y = gtr_constant(ctx, GTR_I32, gtr_shape1(4), labels[k]);
        gtr_float loss[1], dx[12], hot[20];
        double want = 0, count = 0;
        memset(&zero, 0, sizeof zero);
        memset(hot, 0, sizeof hot);
        for (i = 0; i < 4 && computed; i++) hot[5 * i + labels[k][i]] = 1;
        if (computed) y = gtr_argmax(gtr_constant(ctx, GTR_F32, gtr_shape2(4, 5), hot), 1);
        p = gtr_parameter(ctx, "logits", gtr_shape2(4, 3), zero);
        gtr_set(p, x, sizeof x);
        both[0] = gtr_cross_entropy(p, y);
        both[1] = gtr_gradient(both[0], p);
        if (!computed && (k == 1 || k == 2)) {
            EXPECT_EQ(gtr_eval(both, 2), GTR_ERR_ARG);
            EXPECT_ERROR(ctx, GTR_ERR_ARG, k == 1 ? "element 1 is 3, want 0 to 2" : "element 1 is -1, want 0 to 2");
            gtr_destroy(ctx);
            continue;
        }
        EXPECT_EQ(gtr_eval(both, 2), GTR_OK);
        gtr_get(both[0], loss, sizeof loss);
        gtr_get(both[1], dx, sizeof dx);
        for (i = 0; i < 4; i++) count += labels[k][i] != -100;
        for (i = 0; i < 4; i++) {
            const gtr_float *r = x + 3 * i;
            const int l = labels[k][i];
            const double sum = exp((double)r[0]) + exp((double)r[1]) + exp((double)r[2]);
            const int bad = l != -100 && (l < 0 || l > 2);
            if (l != -100) want += bad ? (double)NAN : log(sum) - (double)r[l];
            for (j = 0; j < 3; j++) {
                const double g = l == -100 ? 0 : bad ? (double)NAN : (exp((double)r[j]) / sum - (j == l)) / count;
                CHECK(isnan(g) ? isnan(dx[3 * i + j]) : fabs(g - (double)dx[3 * i + j]) < 1e-6,
                    "labels %d, row %d: gradient %g, want %g", k, i, (double)dx[3 * i + j], g);
            }
        }
        want /= count;
        CHECK(isnan(want) ? isnan(loss[0]) : fabs(want - (double)loss[0]) < 1e-6, "labels %d: loss %g, want %g", k,
            (double)loss[0], want);
        gtr_destroy(ctx);
    }
}
/* A trace's figures are those of the values that it lists. */
static void trace_figures(void)
{
    static const float x[6] = { 1, 0, 7.389056f, 0.36787944f, 1, 1 };
    gtr_trainer_desc d;
    gtr_context *ctx = gtr_create(desc0());
    gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3)), *w, *above, *below;
    gtr_trainer *t;
    gtr_init one;
    const char *text, *line;
    memset(&one, 0, sizeof one);
    memset(&d, 0, sizeof d);
    one.kind = GTR_INIT_CONSTANT; one.a = 1;
    w = gtr_parameter(ctx, "w", gtr_shape1(3), one);
    /* all the same, above zero and below: 0 is no start for either */
    above = gtr_scale(gtr_sigmoid(in), 0, 3);
    below = gtr_scale(gtr_tanh(in), 0, -4);
    t = gtr_trainer_create(
        gtr_mean(gtr_mul(gtr_add(gtr_relu(gtr_log(in)), gtr_add(above, below)), w), NULL, 0, false), d);
    gtr_set(in, x, sizeof x);
    text = gtr_trace(t);
    EXPECT_OK(ctx);
    line = strstr(text, "log");
    CHECK(line && strstr(line, "min -1 max 2 mean 0.2 not finite 1")
        && strstr(line, "min -1 max 2 mean 0.2 not finite 1") < strchr(line, '\n'), "the trace of a logarithm: %.200s",
        line ? line : text);
    CHECK(strstr(text, "min 3 max 3 mean 3 not finite 0")
        && strstr(text, "min -4 max -4 mean -4 not finite 0"), "%s", text);
    gtr_destroy(ctx);
}
/* What goes wrong in a fit's last step is that fit's error; what goes wrong in a traced step is named,
   whatever ran before it. */
static void last_and_traced(void)
{
    gtr_context *ctx = gtr_create(desc0());
    gtr_trainer_desc d = adam();
    gtr_fit_desc f;
    gtr_float x[8 * 6];
    const int32_t y[8] = { 0 };
    const char *text;
    net n;
    int i;
    d.no_matchers = true;
    n = logarithmic(ctx, d);
    memset(&f, 0, sizeof f);
    f.batch = 4; f.no_shuffle = f.silent = true;
    EXPECT_EQ(gtr_fit(n.t, points(ctx, 12, -1, 11), f), GTR_ERR_NONFINITE);
    EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, "step 3");
    n.t = gtr_trainer_create(n.loss, d);
    for (i = 0; i < 48; i++) x[i] = 1;
    gtr_set(n.x, x, sizeof x);
    gtr_set(n.y, y, sizeof y);
    for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(n.t), GTR_OK);
    EXPECT_EQ(gtr_wait(ctx), GTR_OK);
    x[3] = -1;
    gtr_set(n.x, x, sizeof x / 2);      /* of another batch, and so another plan */
    gtr_set(n.y, y, sizeof y / 2);
    text = gtr_trace(n.t);
    gtr_wait(ctx);
    CHECK(gtr_error(ctx) == GTR_ERR_NONFINITE && strstr(gtr_error_text(ctx), "step 4")
        && strstr(gtr_error_text(ctx), "log") && strstr(gtr_error_text(ctx), "(4, 6)"), "after a trace of %d bytes: %s",
        (int)strlen(text), gtr_error_text(ctx));
    gtr_error_clear(ctx);
    gtr_destroy(ctx);
}
/* Inputs, with a batch and without, ids and constants that several stages read: as in one. */
static void shared_over_stages(void)
{
    static gtr_float after[2][64];
    float loss[2];
    int k, i;
    for (k = 0; k < 2; k++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 4)),
            *f = gtr_input(ctx, "f", GTR_F32, gtr_shape1(4)), *y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
        const gtr_float c[4] = { 1, -1, 2, 0.5f };
        gtr_tensor *add = gtr_constant(ctx, GTR_F32, gtr_shape1(4), c), *h;
        gtr_trainer_desc d = adam();
        gtr_trainer *t;
        gtr_float xs[24], fs[4] = { 0.5f, 2, -1, 1 };
        int32_t ys[6] = { 0, 1, 2, 2, 1, 0 };
        uint32_t s = 11;
        d.micro_batches = 2; d.no_matchers = true;
        for (i = 0; i < 24; i++) xs[i] = noise(&s);
        h = gtr_add(gtr_linear(gtr_mul(x, f), "a", 4), gtr_embedding(y, "e", 3, 4));
        for (i = 1; i < 4; i++) {
            char name[8];
            if (k) gtr_stage(ctx, i % 3);
            snprintf(name, sizeof name, "b%d", i);
            h = gtr_add(gtr_tanh(gtr_linear(gtr_add(h, x), name, 4)),
                gtr_mul(gtr_add(gtr_mul(x, f), add), gtr_embedding_with(y, gtr_parameter_find(ctx, "e.weight"))));
        }
        t = gtr_trainer_create(gtr_cross_entropy(gtr_slice(h, 1, 0, 3), y), d);
        gtr_set(x, xs, sizeof xs); gtr_set(f, fs, sizeof fs); gtr_set(y, ys, sizeof ys);
        for (i = 0; i < 3; i++) EXPECT_EQ(gtr_step(t), GTR_OK);
        loss[k] = gtr_loss(t);
        EXPECT_OK(ctx);
        gtr_get(gtr_parameter_find(ctx, "a.weight"), after[k], 16 * sizeof(gtr_float));
        gtr_get(gtr_parameter_find(ctx, "e.weight"), after[k] + 16, 12 * sizeof(gtr_float));
        gtr_destroy(ctx);
    }
    CHECK(loss[0] == loss[1] && !memcmp(after[0], after[1], sizeof *after),
        "inputs shared over stages: loss %g, in one stage %g", (double)loss[1], (double)loss[0]);
}

static void all(void)
{
    RUN(scale_bounds);
    RUN(dead);
    RUN(label_guards);
    RUN(trace_figures);
    RUN(last_and_traced);
    RUN(shared_over_stages);
    RUN(planning_tells);
    RUN(arguments);
    RUN(runtime_calls);
    RUN(queued_steps);
    RUN(launch_counts);
    RUN(nonfinite);
    RUN(nonfinite_scaled);
    RUN(appended_then);
    RUN(told);
    RUN(faults);
    RUN(averages_fail);
    RUN(tables_fail);
    RUN(builders_fail);
    RUN(predictors_limited);
    RUN(long_names);
    RUN(forks);
}
int main(int argc, char **argv)
{
    small = getenv("GTR_TEST_SMALL") != NULL;
    check_begin(argc, argv);
    check_devices(all, &device);
    remove(check_path("csv"));
    return check_done();
}
