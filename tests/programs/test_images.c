/* Networks of images, whose values lie with channels last inside, against the same networks of ops that know nothing of
   it: convolutions by slices and products, pools and norms by reductions. Every value between, gradients by images,
   weights and what is between, training, micro-batches, recomputation, predictors; and what plans have no node for. A
   ResNet-18 of PyTorch's (gen_goldens.py) from its file and back. */
#include "private.h"
#include "check.h"
#include <math.h>
#include <unistd.h>
#include "device.h"
#include "stack.h"
#include "made.h"

typedef gtr_tensor *tensor;
enum { ROWS = 7, MOST = 40 };
/* What a network is built in. plain: by other ops; keep: every value between is marked; again: it is computed anew in
   the backward pass; frozen: batch_norm as in evaluation; dropped: a network has its dropout, or, where
   it folds, nine channels. */
typedef struct build {
    gtr_context *ctx; bool plain, keep, again, frozen, dropped; tensor x, mid[MOST]; int n_mid;
} build;
static tensor mid(build *b, tensor t) { if (b->n_mid < MOST) b->mid[b->n_mid++] = t; return b->keep ? gtr_keep(t) : t; }
static gtr_init uniform(double a)
{
    gtr_init i;
    memset(&i, 0, sizeof i);
    i.kind = GTR_INIT_UNIFORM; i.a = (float)a;
    return i;
}
static tensor parameter(build *b, const char *name, const char *part, gtr_shape s)
{
    char full[64];
    snprintf(full, sizeof full, "%s.%s", name, part);
    return gtr_parameter(b->ctx, full, s, uniform(0.5));
}
static tensor permuted(tensor x, int a, int b, int c, int d)
{
    const int dims[4] = { a, b, c, d };
    return gtr_permute(x, dims);
}
/* A convolution at stride 1 of the group's channels: what lies under each tap, side by side, times the weight. */
static tensor taps_product(tensor x, tensor w, int64_t at, int64_t end, int padding)
{
    const gtr_shape s = gtr_tensor_shape(w), image = gtr_tensor_shape(x);
    const int64_t pad[4] = { padding, padding, padding, padding };
    tensor tap[64], t = padding ? gtr_pad(x, pad, 2, GTR_PAD_CONSTANT, 0) : x;
    int n = 0;
    for (int64_t y = 0; y < s.dim[2]; y++) for (int64_t k = 0; k < s.dim[3]; k++)
        tap[n++] = gtr_slice(gtr_slice(gtr_slice(t, 1, at * s.dim[1], (at + 1) * s.dim[1]), 2, y,
            y + image.dim[2] + 2 * padding - s.dim[2] + 1), 3, k, k + image.dim[3] + 2 * padding - s.dim[3] + 1);
    w = gtr_slice(permuted(w, 0, 2, 3, 1), 0, at * (s.dim[0] / end), (at + 1) * (s.dim[0] / end));
    w = gtr_reshape(w, gtr_shape2(s.dim[0] / end, s.dim[1] * s.dim[2] * s.dim[3]));
    return permuted(gtr_linear_with(permuted(n > 1 ? gtr_concat(tap, n, 1) : tap[0], 0, 2, 3, 1), w, NULL), 0, 3, 1, 2);
}
static tensor channel_of(tensor p, int64_t n) { return gtr_reshape(p, gtr_shape3(n, 1, 1)); }
static tensor conv(build *b, tensor x, const char *name, int out, int kernel, int padding, int groups)
{
    gtr_conv_desc d;
    memset(&d, 0, sizeof d);
    d.out = out; d.kernel = kernel; d.padding = padding; d.groups = groups;
    if (!b->plain) return mid(b, gtr_conv2d_ex(x, name, d));
    tensor w = parameter(b, name, "weight", gtr_shape4(out, gtr_tensor_shape(x).dim[1] / groups, kernel, kernel)),
        bias = parameter(b, name, "bias", gtr_shape1(out)), part[16];
    for (int k = 0; k < groups; k++) part[k] = taps_product(x, w, k, groups, padding);
    return mid(b, gtr_add(groups > 1 ? gtr_concat(part, groups, 1) : part[0], channel_of(bias, out)));
}
/* Transposed, of kernel 2 and stride 2: pixels do not overlap. */
static tensor up(build *b, tensor x, const char *name, int out)
{
    const gtr_shape s = gtr_tensor_shape(x);
    if (!b->plain) return mid(b, gtr_conv_transpose2d(x, name, out, 2, 2, 0));
    tensor w = parameter(b, name, "weight", gtr_shape4(s.dim[1], out, 2, 2)),
        bias = parameter(b, name, "bias", gtr_shape1(out));
    tensor t = gtr_matmul(permuted(x, 0, 2, 3, 1), gtr_reshape(w, gtr_shape2(s.dim[1], 4 * out)));
    gtr_shape six = gtr_shape4(s.dim[0], s.dim[2], s.dim[3], out);
    const int dims[6] = { 0, 3, 1, 4, 2, 5 };
    six.ndim = 6; six.dim[4] = six.dim[5] = 2;
    t = gtr_permute(gtr_reshape(t, six), dims);
    t = gtr_reshape(t, gtr_shape4(s.dim[0], out, 2 * s.dim[2], 2 * s.dim[3]));
    return mid(b, gtr_add(t, channel_of(bias, out)));
}
/* Pools of 2 by 2, side by side. */
static tensor halved(build *b, tensor x, bool largest)
{
    const gtr_shape s = gtr_tensor_shape(x);
    const int over[2] = { 3, 5 };
    if (!b->plain) return mid(b, largest ? gtr_max_pool2d(x, 2, 0, 0) : gtr_avg_pool2d(x, 2, 0, 0));
    gtr_shape six = gtr_shape4(s.dim[0], s.dim[1], s.dim[2] / 2, 2);
    six.ndim = 6; six.dim[4] = s.dim[3] / 2; six.dim[5] = 2;
    tensor t = gtr_reshape(x, six);
    return mid(b, largest ? gtr_max(t, over, 2, false) : gtr_mean(t, over, 2, false));
}
static tensor doubled(build *b, tensor x)
{
    const gtr_shape s = gtr_tensor_shape(x);
    const int64_t times[6] = { 1, 1, 1, 2, 1, 2 };
    if (!b->plain) return mid(b, gtr_upsample2d(x, 2, false));
    gtr_shape six = gtr_shape4(s.dim[0], s.dim[1], s.dim[2], 1);
    six.ndim = 6; six.dim[4] = s.dim[3]; six.dim[5] = 1;
    return mid(b, gtr_reshape(gtr_tile(gtr_reshape(x, six), times), gtr_shape4(s.dim[0], s.dim[1], 2 * s.dim[2],
        2 * s.dim[3])));
}
static tensor norm(build *b, tensor x, const char *name)
{
    const gtr_shape s = gtr_tensor_shape(x);
    const int over[3] = { 0, 2, 3 };
    gtr_batch_norm_desc d;
    memset(&d, 0, sizeof d);
    d.frozen = b->frozen;
    if (!b->plain) return mid(b, gtr_batch_norm_ex(x, name, d));
    tensor w = parameter(b, name, "weight", gtr_shape1(s.dim[1])), bias = parameter(b, name, "bias",
        gtr_shape1(s.dim[1]));
    tensor t = gtr_sub(x, gtr_mean(x, over, 3, true));
    t = gtr_mul(t, gtr_rsqrt(gtr_scale(gtr_mean(gtr_square(t), over, 3, true), 1, 1e-5f)));
    return mid(b, gtr_add(gtr_mul(t, channel_of(w, s.dim[1])), channel_of(bias, s.dim[1])));
}
static tensor image(build *b, int channels, int side)
{
    return b->x = gtr_input(b->ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, channels, side, side));
}

static tensor simple(build *b)
{
    tensor h = halved(b, gtr_relu(conv(b, image(b, 3, 8), "c1", 6, 3, 1, 1)), true);
    if (b->again) gtr_recompute_begin(b->ctx);
    h = mid(b, gtr_tanh(conv(b, h, "c2", 8, 3, 1, 2)));
    h = halved(b, h, false);
    if (b->again) gtr_recompute_end(b->ctx);
    if (b->dropped) h = gtr_dropout(h, "drop", 0.25f);
    return gtr_linear(gtr_flatten(h), "fc", 5);
}
static tensor residual(build *b)
{
    tensor h = gtr_relu(norm(b, conv(b, image(b, 3, 6), "c1", 8, 3, 1, 1), "n1")), skip = h;
    const int sides[2] = { 2, 3 };
    if (b->again) gtr_recompute_begin(b->ctx);
    h = gtr_relu(norm(b, conv(b, h, "c2", 8, 3, 1, 8), "n2"));
    h = norm(b, conv(b, h, "c3", 8, 1, 0, 1), "n3");
    if (b->again) gtr_recompute_end(b->ctx);
    h = mid(b, gtr_relu(gtr_add(h, skip)));
    if (b->dropped) h = gtr_dropout(h, "drop", 0.25f);
    return gtr_linear(b->plain ? gtr_mean(h, sides, 2, false) : gtr_global_avg_pool(h), "fc", 4);
}
static tensor skips(build *b)
{
    tensor pair[3], a = mid(b, gtr_tanh(conv(b, image(b, 2, 8), "d1", 4, 3, 1, 1))), h;
    if (b->again) gtr_recompute_begin(b->ctx);
    h = mid(b, gtr_tanh(conv(b, halved(b, a, true), "d2", 6, 3, 1, 1)));
    if (b->again) gtr_recompute_end(b->ctx);
    if (b->dropped) h = gtr_dropout(h, "drop", 0.25f);
    pair[0] = up(b, h, "up", 4); pair[1] = doubled(b, h); pair[2] = a;
    h = mid(b, gtr_concat(pair, 3, 1));
    return conv(b, gtr_relu(h), "out", 1, 3, 1, 1);
}
/* One weight in two convolutions and a penalty, computed and frozen ones, a mask of rows,
    sums and broadcasts between. */
static tensor shared(build *b)
{
    const int sides[2] = { 2, 3 }, one = 1;
    tensor x = image(b, 4, 6), w = gtr_parameter(b->ctx, "w", gtr_shape4(4, 4, 3, 3), uniform(0.3)), t, h = x;
    gtr_conv_desc d;
    memset(&d, 0, sizeof d);
    d.padding = 1;
    for (int k = 0; k < 4; k++) {
        tensor of = k < 2 ? w : k < 3 ? gtr_tanh(gtr_scale(w, 2, 0)) : gtr_stop_gradient(w);
        h = gtr_tanh(b->plain ? taps_product(h, of, 0, 1, 1) : gtr_conv2d_with(h, of, NULL, d));
        h = mid(b, k == 1 ? gtr_mul(h, gtr_sigmoid(gtr_mean(h, sides, 2, true)))
            : k == 2 ? gtr_sub(h, gtr_max(h, &one, 1, true)) : h);
        if (k == 1 && b->dropped) h = gtr_dropout(h, "drop", 0.25f);
    }
    t = gtr_softmax(h, 1);
    h = mid(b, gtr_add(t, gtr_mul(x, gtr_reshape(gtr_slice(gtr_reshape(w, gtr_shape1(144)), 0, 0, 6), gtr_shape1(6)))));
    return gtr_add(gtr_linear(gtr_flatten(h), "fc", 3), gtr_scale(gtr_mean(gtr_square(w), NULL, 0, false), 0.1f, 0));
}
/* A layer of what is flattened; plain: its weight is a parameter like others, and lies as it is logically. */
static tensor columns(build *b, tensor x, const char *name, int out, bool bias)
{
    gtr_linear_desc d;
    memset(&d, 0, sizeof d);
    d.out = out; d.no_bias = !bias;
    if (!b->plain) return gtr_linear_ex(x, name, d);
    tensor w = parameter(b, name, "weight", gtr_shape2(out, gtr_tensor_shape(x).dim[1]));
    return gtr_linear_with(x, w, bias ? parameter(b, name, "bias", gtr_shape1(out)) : NULL);
}
/* Two layers of the same columns, one behind an activation, and a penalty. */
static tensor flat(build *b)
{
    tensor h = halved(b, gtr_relu(conv(b, image(b, 3, 8), "c1", 6, 3, 1, 1)), true), y;
    if (b->dropped) h = gtr_dropout(h, "drop", 0.25f);
    if (b->again) gtr_recompute_begin(b->ctx);
    h = mid(b, gtr_flatten(h));
    y = mid(b, gtr_add(columns(b, h, "fa", 9, true), columns(b, gtr_scale(gtr_tanh(h), 2, 0), "fb", 9, false)));
    if (b->again) gtr_recompute_end(b->ctx);
    tensor w = gtr_parameter_find(b->ctx, "fa.weight");
    w = gtr_mul(gtr_square(w), gtr_sigmoid(w));
    return gtr_add(columns(b, gtr_relu(y), "fc", 5, true), gtr_mean(w, NULL, 0, false));
}
static tensor lines(build *b)
{
    b->x = gtr_input(b->ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 2, 16));
    tensor h = gtr_conv1d(gtr_tanh(gtr_conv1d(b->x, "c1", 4, 3, 2, 1)), "c2", 3, 3, 1, 1);
    if (b->again) gtr_recompute_begin(b->ctx);
    h = mid(b, gtr_tanh(gtr_flatten(h)));
    if (b->again) gtr_recompute_end(b->ctx);
    return columns(b, h, "fc", 6, false);
}
/* What draws, and what is to see columns as they are logically, does; frozen: a pixel an image, or a channel. */
static tensor assorted(build *b)
{
    tensor h = halved(b, conv(b, image(b, 3, 4), "c1", 5, 3, 1, 1), false), f = gtr_flatten(h), y;
    if (b->again) gtr_recompute_begin(b->ctx);
    y = columns(b, f, "fa", 6, true);
    y = gtr_add(y, columns(b, gtr_dropout(f, "between", 0.25f), "fb", 6, true));
    if (b->again) gtr_recompute_end(b->ctx);
    y = gtr_add(y, gtr_linear_with(gtr_slice(gtr_flatten(b->x), 1, 7, 27), gtr_parameter_find(b->ctx, "fa.weight"),
        NULL));
    y = mid(b, gtr_add(y, gtr_slice(gtr_softmax(f, 1), 1, 3, 9)));
    y = gtr_add(y, columns(b, gtr_flatten(conv(b, h, "one", 1, 1, 0, 1)), "f1", 6, true));
    return gtr_add(y, columns(b, gtr_flatten(halved(b, h, true)), "f2", 6, true));
}
/* A norm along channels, by permutations to rows of them and back. */
static tensor around(build *b)
{
    const int sides[2] = { 2, 3 };
    tensor h = mid(b, gtr_tanh(conv(b, image(b, 3, 6), "c1", 8, 3, 1, 1))), k;
    if (b->again) gtr_recompute_begin(b->ctx);
    k = gtr_layer_norm(permuted(h, 0, 2, 3, 1), "ln", 1, 0);
    k = mid(b, gtr_tanh(conv(b, permuted(k, 0, 3, 1, 2), "c2", 8, 1, 0, 1)));
    if (b->again) gtr_recompute_end(b->ctx);
    if (b->dropped) k = gtr_dropout(k, "drop", 0.25f);
    h = mid(b, gtr_add(h, k));
    return gtr_linear(b->plain ? gtr_mean(h, sides, 2, false) : gtr_global_avg_pool(h), "fc", 4);
}
/* flat: so many permutations are left in a plan, and as many backward. */
typedef struct network { const char *name; tensor (*make)(build *b); int channels, side, out; bool norms;
    int flat; } network;
static const network networks[] = {
    { "a plain one", simple, 3, 8, 5, false, 0 }, { "a residual one", residual, 3, 6, 4, true, 0 },
    { "one with skips", skips, 2, 8, 64, false, 0 }, { "a flat one", flat, 3, 8, 5, false, 0 },
    { "one of lines", lines, 2, 4, 6, false, 0 }, { "a mixed one", assorted, 3, 4, 6, false, 2 },
    { "one weight", shared, 4, 6, 3, false, 1 }, { "one of rows", around, 3, 6, 4, false, 0 } };
enum { NETWORKS = sizeof networks / sizeof *networks };
/* Networks of tests that take each of them through all of training: under small the last one is in the others alone. */
static int in_all(void) { return small ? NETWORKS - 1 : NETWORKS; }

static tensor begin(build *b, const network *n, tensor *loss)
{
    b->ctx = gtr_create(desc0());
    b->n_mid = 0;
    tensor y = n->make(b), t = gtr_input(b->ctx, "t", GTR_F32, gtr_tensor_shape(y));
    *loss = gtr_mse(y, t);
    for (int64_t k
        = 0; k < gtr_parameter_count(b->ctx); k++) {        /* by name: they were not made in the same order */
        gtr_tensor *p = gtr_parameter_at(b->ctx, k);
        const gtr_shape s = gtr_tensor_shape(p);
        float v[2048];
        if (!gtr_parameter_trainable(p)) continue;
        made(v, gtr__count(&s), (uint32_t)gtr__hash(3, gtr_tensor_name(p)), -1, s.ndim == 1 ? 0.5f : 0);
        EXPECT(gtr_set(p, v, (size_t)gtr__count(&s) * 4) == GTR_OK);
    }
    static float x[ROWS * 768], goal[ROWS * 64];
    made(x, ROWS * n->channels * n->side * n->side, 11, 0, 0);
    made(goal, ROWS * n->out, 12, 0, 0);
    EXPECT(gtr_set(b->x, x, sizeof *x * (size_t)(ROWS * n->channels * n->side * n->side)) == GTR_OK);
    EXPECT(gtr_set(t, goal, sizeof *goal * (size_t)(ROWS * n->out)) == GTR_OK);
    CHECK(!gtr_error(b->ctx), "%s: %s", n->name, gtr_error_text(b->ctx));
    return y;
}
static float *got(tensor t, int64_t *n)
{
    gtr_shape s = gtr_tensor_shape(t);
    for (int k = 0; k < s.ndim; k++) if (s.dim[k] < 0) s.dim[k] *= -ROWS;
    *n = gtr__count(&s);
    float *v = (float *)malloc((size_t)*n * 4);
    CHECK(gtr_get(t, v, (size_t)*n * 4) == GTR_OK, "%s: %s", gtr_tensor_name(t), gtr_error_text(t->ctx));
    return v;
}
/* Two tensors of two contexts. */
static void same(const network *n, const char *what, int k, tensor a, tensor b, double ratio)
{
    int64_t na, nb;
    float *u = got(a, &na), *v = got(b, &nb);
    const gtr_shape s = gtr_tensor_shape(a), t = gtr_tensor_shape(b);
    CHECK(na == nb && s.ndim == t.ndim && (ratio > 0 ? within(u, v, na, ratio * ratio, ratio) : !memcmp(u, v,
        (size_t)na * 4)),
        "%s: %s %d differs", n->name, what, k);
    free(u); free(v);
}

/* Every value between, in both modes, and gradients by it, by the image and by each weight. */
static void between(void)
{
    for (int q = 0; q < NETWORKS; q++) for (int keep = 0; keep < 2; keep++) {
        const network *n = &networks[q];
        build b[2];
        tensor loss[2], y[2], fetch[2][2 * MOST + 40];
        int count[2] = { 0, 0 };
        memset(b, 0, sizeof b);
        b[1].plain = true; b[0].keep = keep != 0;
        for (int k = 0; k < 2; k++) {
            y[k] = begin(&b[k], n, &loss[k]);
            fetch[k][count[k]++] = y[k];
            for (int i = 0; i < b[k].n_mid; i++) fetch[k][count[k]++] = b[k].mid[i];
            for (int i = 0; i < b[k].n_mid; i++) fetch[k][count[k]++] = gtr_gradient(loss[k], b[k].mid[i]);
            fetch[k][count[k]++] = gtr_gradient(loss[k], b[k].x);
            for (int64_t i = 0; i < gtr_parameter_count(b[0].ctx); i++) {
                tensor p = gtr_parameter_at(b[0].ctx, i);
                if (gtr_parameter_trainable(p))
                    fetch[k][count[k]++] = gtr_gradient(loss[k], gtr_parameter_find(b[k].ctx, gtr_tensor_name(p)));
            }
            CHECK(gtr_eval_train(fetch[k], count[k]) == GTR_OK, "%s: %s", n->name, gtr_error_text(b[k].ctx));
        }
        EXPECT_EQ(count[0], count[1]);
        for (int i = 0; i < count[0]; i++) {
            /* a bias in front of a norm has no gradient but rounding */
            const char *of = i > 2 * b[0].n_mid + 1 ? gtr_tensor_name(fetch[0][i]->in[1]) : "";
            if (!(n->norms && strstr(of, ".bias") && of[0] == 'c')) same(n, "fetched", i, fetch[0][i], fetch[1][i],
                2e-4);
        }
        for (int k = 0; k < 2; k++) gtr_destroy(b[k].ctx);
    }
}
/* Some steps: parameters and losses, with micro-batches, recomputation and kept values. */
static void train(build *b, const network *n, gtr_trainer_desc d, float *losses)
{
    tensor loss;
    begin(b, n, &loss);
    d.lr = 0.1f; d.momentum = 0.5f;
    gtr_trainer *t = gtr_trainer_create(loss, d);
    for (int k = 0; k < 3 && gtr_error(b->ctx) != GTR_ERR_UNSUPPORTED; k++) {
        CHECK(gtr_step(t) == GTR_OK, "%s: %s", n->name, gtr_error_text(b->ctx));
        losses[k] = gtr_loss(t);
    }
}
static void same_end(const network *n, const char *what, const build *a, const build *b, const float *la,
    const float *lb,
    double ratio)
{
    for (int k = 0; k < 3; k++) CHECK(ratio > 0 ? fabsf(la[k] - lb[k]) <= ratio * (1 + fabsf(lb[k])) : la[k] == lb[k],
        "%s, %s: loss %d is %.8f, want %.8f", n->name, what, k, la[k], lb[k]);
    for (int64_t i = 0; i < gtr_parameter_count(a->ctx); i++) {
        tensor p = gtr_parameter_at(a->ctx, i), q = gtr_parameter_find(b->ctx, gtr_tensor_name(p));
        if (gtr_parameter_trainable(p)) same(n, what, (int)i, p, q, ratio);
    }
}
static void training(void)
{
    for (int q = 0; q < in_all(); q++) for (int micro = 1; micro < 4; micro += 2) {
        const network *n = &networks[q];
        build b[5];
        float losses[5][3];
        gtr_trainer_desc d;
        memset(b, 0, sizeof b); memset(&d, 0, sizeof d);
        d.micro_batches = micro;
        b[1].plain = b[2].again = b[3].keep = true;
        for (int k = 0; k < 5; k++) { d.no_matchers = k == 4; train(&b[k], n, d, losses[k]); }
        same_end(n, "against other ops", &b[0], &b[1], losses[0], losses[1], 2e-4);
        same_end(n, "recomputed", &b[0], &b[2], losses[0], losses[2], device == GTR_DEVICE_CPU ? 0 : 1e-5);
        same_end(n, "kept", &b[0], &b[3], losses[0], losses[3], device == GTR_DEVICE_CPU ? 0 : 1e-5);
        if (device == GTR_DEVICE_CPU) same_end(n, "node by node", &b[0], &b[4], losses[0], losses[4], 0);
        for (int k = 0; k < 5; k++) gtr_destroy(b[k].ctx);
    }
}
/* What draws draws for an element by its place in the tensor, however that lies: behind a pool of single pixels, or a
   permutation of an input with channels last, as behind the input itself. */
enum { PLAIN, POOLED, TURNED, BUILDS };
static tensor drawn_from(gtr_context *ctx, gtr_shape s, int how, tensor *x)
{
    const int dims[4] = { 0, 3, 1, 2 };
    gtr_shape turned = s;
    tensor h;
    if (how == TURNED) { turned.dim[1] = s.dim[2]; turned.dim[2] = s.dim[3]; turned.dim[3] = s.dim[1]; }
    h = *x = gtr_input(ctx, "x", GTR_F32, turned);
    return how == TURNED ? gtr_permute(h, dims) : how == POOLED ? gtr_max_pool2d(h, 1, 1, 0) : h;
}
static void places(void)
{
    /* n 0: two images without a batch, -k: k times the batch */
    static const struct { int n, c, h, w; } shapes[] = { { -1, 8, 4, 4 }, { -1, 3, 5, 3 }, { -1, 6, 0, 7 },
        { 0, 5, 3, 3 }, { -2, 4, 2, 6 }, { -1, 300, 2, 2 }, { -1, 16, 20, 12 }, { 0, 8, 6, 6 }, { -1, 7, 1, 1 },
        { -1, 1, 4, 5 } };
    enum { DRAWS = 5 };
    for (size_t q = 0; q < sizeof shapes / sizeof *shapes; q++) {
        const int64_t n = shapes[q].n, c = shapes[q].c, h = shapes[q].h, w = shapes[q].w,
            pixels = (h ? h : 1) * w, rows = n ? -n * ROWS : 2, count = rows * c * pixels;
        const gtr_shape s = h ? gtr_shape4(n ? n : 2, c, h, w) : gtr_shape3(n ? n : 2, c, w);
        float *v = (float *)malloc((size_t)count * 4), *turned = (float *)malloc((size_t)count * 4);
        tensor x, got_by[BUILDS][DRAWS];
        gtr_context *ctx[BUILDS];
        made(v, count, 21, 0, 0);
        for (int64_t i = 0; i < count; i++)
            turned[(i / pixels / c * pixels + i % pixels) * c + i / pixels % c] = v[i];
        for (int how = 0; how < (h ? BUILDS : TURNED); how++) {
            ctx[how] = gtr_create(desc0());
            tensor *t = got_by[how], of = drawn_from(ctx[how], s, how, &x);
            t[0] = gtr_dropout(of, "drop", 0.3f);
            t[1] = gtr_mul(gtr_dropout(gtr_tanh(of), "dropped", 0.3f), gtr_random_normal(of, "normal"));
            t[2] = gtr_add(of, gtr_random_uniform(gtr_abs(of), "uniform"));
            t[3] = gtr_dropout2d(of, "channels", 0.3f);
            t[4] = gtr_gradient(gtr_sum(gtr_mul(t[0], t[1]), NULL, 0, false), of);
            EXPECT_EQ(gtr_set(x, how == TURNED ? turned : v, (size_t)count * 4), GTR_OK);
            CHECK(gtr_eval_train(t, DRAWS) == GTR_OK, "%s", gtr_error_text(ctx[how]));
        }
        for (int how = POOLED; how < (h ? BUILDS : TURNED); how++) {
            for (int k = 0; k < DRAWS; k++) {
                int64_t na, nb;
                float *a = got(got_by[how][k], &na), *b = got(got_by[PLAIN][k], &nb);
                CHECK(na == nb && !memcmp(a, b, (size_t)na * 4), "shape %d, %s: draw %d differs", (int)q,
                    how == POOLED ? "pooled" : "permuted", k);
                free(a); free(b);
            }
            gtr_destroy(ctx[how]);
        }
        gtr_destroy(ctx[PLAIN]);
        free(v); free(turned);
    }
}
/* With dropout: the same masks in micro-batches, when computed anew and of other ops, others in each step. */
static void dropped(void)
{
    for (int q = 0; q < in_all(); q++) {
        const network *n = &networks[q];
        build b[4];
        float losses[4][3];
        gtr_trainer_desc d;
        memset(b, 0, sizeof b); memset(&d, 0, sizeof d);
        for (int k = 0; k < 4; k++) {
            b[k].dropped = true; b[k].again = k == 2; b[k].plain = k == 3;
            d.micro_batches = k == 1 && !n->norms ? 3 : 0;      /* a part's statistics are its own */
            train(&b[k], n, d, losses[k]);
        }
        same_end(n, "dropout in micro-batches", &b[1], &b[0], losses[1], losses[0], 2e-5);
        same_end(n, "dropout recomputed", &b[2], &b[0], losses[2], losses[0], device == GTR_DEVICE_CPU ? 0 : 1e-5);
        same_end(n, "dropout against other ops", &b[3], &b[0], losses[3], losses[0], 2e-4);
        for (int k = 0; k < 4; k++) gtr_destroy(b[k].ctx);
    }
}
static void low_precision(void)
{
    static const gtr_precision low[] = { GTR_TF32, GTR_MIXED_BF16, GTR_MIXED_FP16 };
    for (int q = 0; q < in_all(); q++) for (int p = 0; p < 3; p++) {
        const network *n = &networks[q];
        build b[2];
        float losses[2][3];
        gtr_trainer_desc d;
        memset(b, 0, sizeof b);
        for (int k = 0; k < 2; k++) {
            memset(&d, 0, sizeof d);
            if (!k) d.precision = low[p];
            d.loss_scale = 64;
            train(&b[k], n, d, losses[k]);
        }
        const bool lacks = gtr_error(b[0].ctx) == GTR_ERR_UNSUPPORTED;
        if (lacks) SKIP("%s: %s", n->name, gtr_error_text(b[0].ctx));
        for (int k = 0; k < 3 && !lacks; k++)
            CHECK(fabsf(losses[0][k] - losses[1][k]) <= (p == 1 ? 5e-2 : 1e-2) * losses[1][k],
                "%s in precision %d: loss %g, in float32 %g", n->name, (int)low[p], losses[0][k], losses[1][k]);
        for (int k = 0; k < 2; k++) gtr_destroy(b[k].ctx);
    }
}
static void predictors(void)
{
    for (int q = 0; q < in_all(); q++) for (int rows = 2; rows < 5; rows++) {
        const network *n = &networks[q];
        build b;
        tensor loss;
        memset(&b, 0, sizeof b);
        tensor y = begin(&b, n, &loss);
        float x[ROWS * 256], out[ROWS * 64];
        int64_t count;
        gtr_predictor *p = gtr_predictor_create(y, rows);
        if (!CHECK(p != NULL, "%s: %s", n->name, gtr_error_text(b.ctx))) { gtr_destroy(b.ctx); continue; }
        made(x, ROWS * n->channels * n->side * n->side, 11, 0, 0);
        EXPECT(gtr_predict(p, x, ROWS, out) == GTR_OK && gtr_eval(&y, 1) == GTR_OK);
        float *want = got(y, &count);
        CHECK(within(out, want, count, 1e-12, 1e-5), "%s: a predictor of %d rows", n->name, rows);
        free(want);
        gtr_predictor_destroy(p);
        gtr_destroy(b.ctx);
    }
}
/* Lines of a plan with a permutation, or its backward. */
static int occurrences(const char *plan, const char *word)
{
    int n = 0;
    for (const char *s = plan; (s = strstr(s, word)) != NULL; s++) n++;
    return n;
}
static int permutations(const char *plan, bool backward)
{
    return occurrences(plan, backward ? " permute backward \"" : " permute \"");
}
/* Images are turned once, where they are fed or, if they are read otherwise, too, behind it, and flattened as they lie:
   no conversion is left, but for what draws, goes along columns, or shares a weight with what lies otherwise. */
static void plans(void)
{
    for (int q = 0; q < NETWORKS; q++) for (int kind = 0; kind < 3; kind++) {
        const network *n = &networks[q];
        if (n->make == shared) continue;
        build b;
        tensor loss;
        gtr_trainer_desc d;
        memset(&b, 0, sizeof b); memset(&d, 0, sizeof d);
        b.frozen = kind == 1; b.dropped = kind == 2;
        begin(&b, n, &loss);
        gtr_trainer *t = gtr_trainer_create(loss, d);
        const char *text = gtr_plan_text(t, ROWS);
        const int fed = strstr(text, " permute \"x\"") != NULL, n_forward = permutations(text, false) - fed;
        CHECK(*text && n_forward == n->flat && permutations(text, true) == n->flat,
            "%s, %d: %d and %d permutations in\n%s", n->name, kind, n_forward, permutations(text, true), text);
        CHECK(q || strstr(text, "max_pool dx + activation gradient"), "%s, %d: relu's gradient is a pass of its own "
            "in\n%s", n->name, kind, text);
        gtr_destroy(b.ctx);
    }
}

/* Permutations of what a convolution makes, whose channels are last in a plan, or in front of one: with the conversion
   each is one copy, forward and back, where the dimensions between them can be cut alike. The bits are those of two
   copies and, of a pixel shuffle, of a loop. left: so many are in a plan. Kinds: plain, in parts, computed again,
   16 bits, in parts and again. */
typedef struct { const char *name; int channels, height, width, r, left; } rearrangement;
static tensor rearranged(build *b, const rearrangement *n, tensor *c)
{
    const int64_t h = n->height, w = n->width, r = n->r, all = n->channels;
    const int apart[6] = { 0, 1, 3, 5, 2, 4 }, last[3] = { 0, 2, 1 };
    b->x = gtr_input(b->ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, 3, h, w));
    tensor y = *c = conv(b, b->x, "c1", n->channels, 3, 1, 1);
    gtr_shape s = gtr_shape4(GTR_BATCH, all, h / r, r);
    if (b->again) gtr_recompute_begin(b->ctx);
    if (!strcmp(n->name, "shuffle")) y = gtr_pixel_shuffle(y, r);
    if (!strcmp(n->name, "unshuffle")) {
        s.ndim = 6; s.dim[4] = w / r; s.dim[5] = r;
        y = gtr_reshape(gtr_permute(gtr_reshape(y, s), apart), gtr_shape4(GTR_BATCH, all * r * r, h / r, w / r));
        y = conv(b, y, "c2", 4, 1, 0, 1);
    }
    if (!strcmp(n->name, "tokens")) y = gtr_permute(gtr_reshape(y, gtr_shape3(GTR_BATCH, all, h * w)), last);
    if (!strcmp(n->name, "across")) y = permuted(gtr_reshape(y, gtr_shape4(GTR_BATCH, h, all, w)), 0, 2, 3, 1);
    if (!strcmp(n->name, "turn")) y = permuted(permuted(y, 0, 3, 2, 1), 0, 1, 3, 2);
    if (b->again) gtr_recompute_end(b->ctx);
    return y;
}
static gtr_trainer *rearranged_trainer(build *b, const rearrangement *n, int kind, tensor *y, tensor *c, tensor *g)
{
    gtr_trainer_desc d;
    tensor loss;
    memset(&d, 0, sizeof d);
    b->again = kind == 2 || kind == 4;
    d.lr = 0.5f; d.micro_batches = kind == 1 || kind == 4 ? ROWS : 1;
    if (kind == 3) d.precision = b->ctx->caps.bf16 ? GTR_MIXED_BF16 : GTR_MIXED_FP16;
    *y = rearranged(b, n, c);
    loss = gtr_mean(gtr_square(gtr_tanh(*y)), NULL, 0, false);
    *g = gtr_gradient(loss, *c);
    return gtr_trainer_create(loss, d);
}
static void shuffled(const rearrangement *n, tensor y, tensor c)
{
    const int64_t h = n->height, w = n->width, r = n->r;
    int64_t all, of;
    float *to = got(y, &all), *from = got(c, &of);
    EXPECT(all == of);
    for (int64_t i = 0; i < all; i++) {
        const int64_t x = i % (w * r), row = i / (w * r) % (h * r), channel = i / (w * r) / (h * r);
        const int64_t k = ((channel * r + row % r) * r + x % r) * h * w + row / r * w + x / r;
        if (!CHECK(k < of && to[i] == from[k], "%d channels, %d x %d, by %d: element %d differs", n->channels,
            n->height, n->width, n->r, (int)i)) break;
    }
    free(to); free(from);
}
static void rearrangements(void)
{
    static const rearrangement table[] = { { "shuffle", 9, 4, 5, 3, 1 }, { "shuffle", 8, 3, 1, 2, 1 },
        { "shuffle", 4, 1, 3, 2, 1 }, { "shuffle", 12, 5, 7, 2, 1 }, { "shuffle", 18, 1, 1, 3, 1 },
        { "shuffle", 5, 3, 4, 1, 1 }, { "unshuffle", 3, 4, 6, 2, 1 }, { "unshuffle", 5, 2, 2, 1, 1 },
        { "tokens", 6, 3, 5, 1, 1 }, { "turn", 6, 3, 5, 1, 1 }, { "across", 6, 4, 5, 1, 2 } };
    static float x[ROWS * 3 * 64];
    made(x, ROWS * 3 * 64, 31, 0, 0);
    for (int i = 0; i < (int)(sizeof table / sizeof *table); i++) for (int kind = 0; kind < 5; kind++) {
        const rearrangement *n = &table[i];
        const network net = { n->name, NULL, 3, n->height, n->channels, false, 0 };
        const int left = n->left * (kind == 1 || kind == 4 ? ROWS : 1);
        build b[3];
        tensor y[3], c[3], g[3];
        memset(b, 0, sizeof b);
        for (int k = 0; k < 3; k++) {           /* 1: of two copies; 2: for a GPU */
            gtr_desc d = desc0();
            if (k == 2) d.preset = GTR_PRESET_SM90;
            b[k].ctx = gtr_create(d);
            b[k].ctx->caps.unfused[GTR__OP_PERMUTE] = k == 1;
            gtr_trainer *t = rearranged_trainer(&b[k], n, kind, &y[k], &c[k], &g[k]);
            const char *text = gtr_plan_text(t, ROWS);
            const int forward = permutations(text, false) - occurrences(text, " permute \"x\""),
                back = permutations(text, true);
            CHECK(k == 1 || (back == left && (b[k].again || forward == left)),
                "%s %d, %d: %d and %d permutations in\n%s", n->name, i, kind, forward, back, text);
            if (k == 2) continue;
            EXPECT_EQ(gtr_set(b[k].x, x, sizeof *x * (size_t)(ROWS * 3 * n->height * n->width)), GTR_OK);
            for (int step = 0; step < 3; step++) EXPECT_EQ(gtr_step(t), GTR_OK);
            EXPECT_EQ(gtr_eval(&g[k], 1), GTR_OK);
            EXPECT_EQ(gtr_eval(&y[k], 1), GTR_OK);
            EXPECT_EQ(gtr_eval(&c[k], 1), GTR_OK);
            EXPECT_OK(b[k].ctx);
        }
        same(&net, "output, kind", kind, y[0], y[1], 0);
        same(&net, "gradient, kind", kind, g[0], g[1], 0);
        for (int64_t k = 0; k < gtr_parameter_count(b[0].ctx); k++) same(&net, "parameter", (int)k,
            gtr_parameter_at(b[0].ctx, k), gtr_parameter_at(b[1].ctx, k), 0);
        if (!strcmp(n->name, "shuffle")) shuffled(n, y[0], c[0]);
        for (int k = 0; k < 3; k++) gtr_destroy(b[k].ctx);
    }
}

/* A layer whose weight lies with channels last against one whose weight does not: first values, gradients and states
   that are read, models and checkpoints that are passed from one to the other and back. */
static void set_in(build *b, const network *n, float *x, float *goal, tensor *t)
{
    tensor y = n->make(b);
    *t = gtr_input(b->ctx, "t", GTR_F32, gtr_tensor_shape(y));
    made(x, ROWS * n->channels * n->side * n->side, 11, 0, 0);
    made(goal, ROWS * n->out, 12, 0, 0);
    EXPECT(gtr_set(b->x, x, sizeof *x * (size_t)(ROWS * n->channels * n->side * n->side)) == GTR_OK);
    EXPECT(gtr_set(*t, goal, sizeof *goal * (size_t)(ROWS * n->out)) == GTR_OK);
    *t = gtr_mse(y, *t);
}
static tensor flat_line(build *b)
{
    tensor h = gtr_flatten(gtr_max_pool2d(gtr_relu(gtr_conv2d(image(b, 3, 8), "c1", 6, 3, 1, 1)), 2, 2, 0)), w;
    if (!b->plain) return gtr_linear(gtr_relu(gtr_linear(h, "fa", 7)), "fb", 5);
    w = gtr_parameter(b->ctx, "fa.weight", gtr_shape2(7, 96), uniform(1 / sqrt(96.0)));
    h = gtr_linear_with(h, w, gtr_parameter(b->ctx, "fa.bias", gtr_shape1(7), uniform(1 / sqrt(96.0))));
    return gtr_linear(gtr_relu(h), "fb", 5);
}
static void compare_trained(const network *n, const char *what, build *b, gtr_trainer **t, double ratio)
{
    for (int64_t i = 0; i < gtr_parameter_count(b[0].ctx); i++) {
        tensor p[2] = { gtr_parameter_at(b[0].ctx, i), NULL };
        const size_t bytes = gtr_tensor_bytes(p[0]);
        float v[2][2][1024];
        p[1] = gtr_parameter_find(b[1].ctx, gtr_tensor_name(p[0]));
        same(n, what, (int)i, p[0], p[1], ratio);
        for (int k = 0; k < 2; k++) {
            EXPECT(gtr_gradient_get(t[k], p[k], v[k][0], bytes) == GTR_OK);
            EXPECT(gtr_state_get(t[k], p[k], 0, v[k][1], bytes) == GTR_OK);
        }
        for (int j = 0; j < 2; j++) CHECK(within(v[0][j], v[1][j], (int64_t)(bytes / 4), ratio * ratio, ratio),
            "%s: %s, %s of %s differs", n->name, what, j ? "state" : "gradient", gtr_tensor_name(p[0]));
    }
}
static void passed_on(void)
{
    static const network net = { "columns", flat_line, 3, 8, 5, false, 0 };
    float x[ROWS * 192], goal[ROWS * 5], v[672], w[672];
    build b[2];
    tensor loss[2];
    gtr_trainer *t[2];
    gtr_trainer_desc d;
    memset(b, 0, sizeof b); memset(&d, 0, sizeof d);
    d.lr = 0.1f; d.momentum = 0.5f; d.clip_norm = 0.5f; d.weight_decay = 0.01f;
    for (int k = 0; k < 2; k++) {
        b[k].ctx = gtr_create(desc0());
        b[k].plain = k == 1;
        set_in(&b[k], &net, x, goal, &loss[k]);
        t[k] = gtr_trainer_create(loss[k], d);
        CHECK(t[k] != NULL, "%s", gtr_error_text(b[k].ctx));
        const char *text = gtr_plan_text(t[k], ROWS);
        EXPECT(permutations(text, false) == k && permutations(text, true) == k);
    }
    for (int64_t i = 0; i < gtr_parameter_count(b[0].ctx); i++) {
        tensor p = gtr_parameter_at(b[0].ctx, i);
        same(&net, "first values", (int)i, p, gtr_parameter_find(b[1].ctx, gtr_tensor_name(p)), 0);
    }
    for (int step = 0; step < 3; step++) for (int k = 0; k < 2; k++) EXPECT(gtr_step(t[k]) == GTR_OK);
    compare_trained(&net, "after 3 steps", b, t, 2e-4);
    for (int from = 0; from < 2; from++) {
        const size_t bytes = gtr_checkpoint_bytes(t[from]);
        void *checkpoint = malloc(bytes);
        EXPECT(gtr_step(t[from]) == GTR_OK && gtr_checkpoint_get(t[from], checkpoint, bytes) == GTR_OK);
        EXPECT(gtr_checkpoint_set(t[!from], checkpoint, bytes) == GTR_OK);
        for (int k = 0; k < 2; k++) {
            tensor p = gtr_parameter_find(b[k].ctx, "fa.weight");
            EXPECT(gtr_get(p, k ? w : v, sizeof v) == GTR_OK);
        }
        EXPECT(!memcmp(v, w, sizeof v));
        for (int k = 0; k < 2; k++) EXPECT(gtr_step(t[k]) == GTR_OK);
        compare_trained(&net, from ? "from a checkpoint" : "from a checkpoint of theirs", b, t, 2e-4);
        tensor p = gtr_parameter_find(b[!from].ctx, "fa.weight");
        made(v, 672, 5, 0, 0);
        EXPECT(gtr_state_set(t[!from], p, 0, v, sizeof v) == GTR_OK && gtr_set(p, v, sizeof v) == GTR_OK);
        EXPECT(gtr_state_get(t[!from], p, 0, w, sizeof w) == GTR_OK && !memcmp(v, w, sizeof v));
        EXPECT(gtr_get(p, w, sizeof w) == GTR_OK && !memcmp(v, w, sizeof v));
        EXPECT(gtr_checkpoint_set(t[!from], checkpoint, bytes) == GTR_OK);
        EXPECT(gtr_checkpoint_set(t[from], checkpoint, bytes) == GTR_OK);
        free(checkpoint);
    }
    size_t bytes = 0;           /* the best epoch's weights, which a checkpoint has, too */
    EXPECT(gtr_step(t[0]) == GTR_OK && gtr__weights_move(t[0], NULL, false, &bytes) == GTR_OK && bytes > sizeof v);
    uint8_t *best = (uint8_t *)malloc(bytes);
    EXPECT(gtr__weights_move(t[0], best, false, NULL) == GTR_OK && gtr__weights_move(t[1], best, true, NULL) == GTR_OK);
    free(best);
    for (int64_t i = 0; i < gtr_parameter_count(b[0].ctx); i++) {
        tensor p = gtr_parameter_at(b[0].ctx, i);
        same(&net, "the best epoch's", (int)i, p, gtr_parameter_find(b[1].ctx, gtr_tensor_name(p)), 0);
    }
    for (int k = 0; k < 2; k++) gtr_destroy(b[k].ctx);
}

/* Losses and accuracy of pixels are those of rows that a user makes of them, to the bit; nothing is turned for them but
   probabilities, which come with channels first. */
enum { ENTROPY, SMOOTHED, WEIGHTED, EACH_WEIGHTED, SOFT, NLL, SUMMED, BATCH_MEAN, APART, LOSS_KINDS };
static tensor loss_of_pixels(build *b, int kind, tensor *accuracy, tensor *y, tensor *w)
{
    const float by_class[3] = { 0.5f, 2, 1 };
    tensor h = gtr_relu(gtr_conv2d(image(b, 2, 6), "c1", 5, 3, 1, 1)), rows, labels, t;
    const gtr_shape each = gtr_shape1(GTR_BATCH * 36);
    gtr_cross_entropy_desc d;
    memset(&d, 0, sizeof d);
    h = gtr_conv2d(h, "c2", 3, 3, 1, 1);
    *y = gtr_input(b->ctx, "y", kind == SOFT ? GTR_F32 : GTR_I32, kind == SOFT ? gtr_shape4(GTR_BATCH, 3, 6, 6)
        : gtr_shape3(GTR_BATCH, 6, 6));
    *w = kind == EACH_WEIGHTED ? gtr_input(b->ctx, "w", GTR_F32, gtr_shape3(GTR_BATCH, 6, 6)) : NULL;
    if (kind == SMOOTHED) d.label_smoothing = 0.25f;
    if (kind == WEIGHTED) d.weight = gtr_constant(b->ctx, GTR_F32, gtr_shape1(3), by_class);
    d.sample_weight = *w;
    d.ignore_index = kind == WEIGHTED ? 1 : 0;
    d.reduction = kind == SUMMED ? GTR_REDUCE_SUM : kind == BATCH_MEAN ? GTR_REDUCE_BATCH_MEAN
        : kind == APART ? GTR_REDUCE_NONE : GTR_REDUCE_MEAN;
    if (kind == NLL) h = gtr_log_softmax(h, 1);
    rows = gtr_reshape(permuted(h, 0, 2, 3, 1), gtr_shape2(GTR_BATCH * 36, 3));
    labels = kind != SOFT ? gtr_reshape(*y, each) : gtr_reshape(permuted(*y, 0, 2, 3, 1), gtr_tensor_shape(rows));
    *accuracy = kind == SOFT ? NULL : b->plain ? gtr_accuracy(rows, labels) : gtr_accuracy(h, *y);
    if (b->plain && *w) d.sample_weight = gtr_reshape(*w, each);
    if (b->plain) { h = rows; if (kind == BATCH_MEAN) d.reduction = GTR_REDUCE_SUM; } else labels = *y;
    t = kind == NLL ? gtr_nll_ex(h, labels, d) : gtr_cross_entropy_ex(h, labels, d);
    if (b->plain && kind == BATCH_MEAN) t = gtr_scale(t, 1.0f / ROWS, 0);
    if (b->plain && kind == APART) t = gtr_reshape(t, gtr_shape3(GTR_BATCH, 6, 6));
    return kind == APART ? gtr_sum(gtr_square(t), NULL, 0, false) : t;
}
static void pixels(void)
{
    for (int kind = 0; kind < LOSS_KINDS; kind++) for (int micro = 1; micro < 4; micro += 2) {
        build b[2];
        float losses[2][3];
        memset(b, 0, sizeof b);
        for (int k = 0; k < 2; k++) {
            float x[ROWS * 72], probability[ROWS * 108];
            int32_t label[ROWS * 36];
            tensor accuracy, y, w;
            gtr_trainer_desc d;
            memset(&d, 0, sizeof d);
            b[k].ctx = gtr_create(desc0());
            b[k].plain = k == 1;
            tensor loss = loss_of_pixels(&b[k], kind, &accuracy, &y, &w);
            if (!CHECK(loss != NULL, "kind %d: %s", kind, gtr_error_text(b[k].ctx))) continue;
            made(x, ROWS * 72, 21, 0, 0); made(probability, ROWS * 108, 22, -1, 0.5f);
            for (int i = 0; i < ROWS * 36; i++) label[i] = i % 5 == 1 ? kind == WEIGHTED ? 1 : -100 : i * i % 7 % 3;
            EXPECT_EQ(gtr_set(b[k].x, x, sizeof x), GTR_OK);
            EXPECT_EQ(kind == SOFT ? gtr_set(y, probability, sizeof probability) : gtr_set(y, label, sizeof label),
                GTR_OK);
            if (w) EXPECT_EQ(gtr_set(w, probability, ROWS * 36 * sizeof *probability), GTR_OK);
            d.lr = kind == SUMMED || kind == APART ? 1e-3f : 0.1f;
            d.micro_batches = micro;
            gtr_trainer *t = gtr_trainer_create(loss, d);
            if (micro == 1) {
                const char *text = gtr_plan_text(t, ROWS);
                CHECK(permutations(text, false) == (kind == SOFT) && permutations(text, true) == 0,
                    "kind %d: %d and %d permutations in\n%s", kind, permutations(text, false), permutations(text, true),
                    text);
            }
            for (int i = 0; i < 2; i++) { EXPECT_EQ(gtr_step(t), GTR_OK); losses[k][i] = gtr_loss(t); }
            losses[k][2] = accuracy ? gtr_item(accuracy) : 0;
            EXPECT_OK(b[k].ctx);
        }
        const network n = { "pixels", NULL, 2, 6, 108, false, false };
        same_end(&n, "against rows", &b[0], &b[1], losses[0], losses[1], kind == BATCH_MEAN ? 1e-6 : 0);
        for (int k = 0; k < 2; k++) gtr_destroy(b[k].ctx);
    }
}

/* Every kind of convolution in front of norms, sums and activations, which are one node in evaluation. */
static tensor normed(build *b, tensor x, const char *name, int out, int kernel, int groups, int stride, bool back)
{
    char full[32];
    gtr_conv_desc d;
    memset(&d, 0, sizeof d);
    d.out = out; d.kernel = kernel; d.padding = kernel / 2; d.groups = groups; d.stride = stride;
    d.no_bias = name[0] == 'n'; d.output_padding = back && stride > 1;
    x = back ? gtr_conv_transpose2d_ex(x, name, d) : gtr_conv2d_ex(x, name, d);
    snprintf(full, sizeof full, "%s.norm", name);
    b->frozen = strchr(name, 'f') != NULL;
    return norm(b, x, full);
}
static tensor folds(build *b)
{
    const int wide = b->dropped ? 9 : 12;
    gtr_conv_desc d;
    memset(&d, 0, sizeof d);
    d.out = wide; d.kernel = 3; d.padding = 1;
    tensor h = gtr_relu(normed(b, image(b, 3, 16), "few", wide, 3, 1, 1, false)), skip = h;
    h = gtr_tanh(normed(b, h, "n1", wide, 3, 1, 1, false));
    h = gtr_relu(gtr_add(normed(b, h, "c2", wide, 3, 1, 1, false), skip));
    skip = normed(b, h, "nshort", 6, 1, 1, 2, false);
    h = gtr_tanh(normed(b, gtr_relu6(normed(b, h, "depth", wide, 3, wide, 1, false)), "depth2", wide, 3, wide, 1,
        false));
    h = normed(b, h, "n3", 6, 3, 3, 2, false);
    h = gtr_sigmoid(gtr_add(skip, h));
    h = gtr_gelu(normed(b, normed(b, h, "up", 6, 3, 1, 2, true), "one", wide, 1, 1, 1, false));
    h = gtr_relu(gtr_add(h, gtr_conv2d_ex(h, "plain", d)));         /* a convolution and a sum alone */
    h = gtr_add(gtr_conv2d_ex(h, "sum", d), h);
    d.groups = wide;
    h = gtr_relu(gtr_add(gtr_conv2d_ex(h, "depth sum", d), h));
    h = gtr_relu(normed(b, gtr_reshape(h, gtr_shape3(GTR_BATCH, wide, 256)), "line", 7, 3, 1, 1, false));
    return gtr_linear(gtr_flatten(gtr_max_pool2d(h, 16, 0, 0)), "fc", 4);
}
static const network folding = { "one that folds", folds, 3, 16, 4, true, true };
static int norms_of(const gtr__plan *p)
{
    int n = 0;
    for (int i = 0; i < p->n_node; i++) n += p->node[i].op == GTR__OP_BATCH_NORM || p->node[i].op == GTR__OP_ADD
        || p->node[i].op == GTR__OP_SUBGRAPH;
    return n;
}
static void fold(bool odd)
{
    enum { OUT = ROWS * 4 };
    static const char *const rows[] = { "convolution + residual", "convolution dx + activation gradient",
        "relu gradient + batch_norm gradient" };
    build b[2];
    float shown[2][2][3][OUT];
    static float x[ROWS * 768];
    made(x, ROWS * 768, 11, 0, 0);
    memset(b, 0, sizeof b);
    for (int k = 0; k < 2; k++) {
        b[k].dropped = odd;
        tensor loss, y = begin(&b[k], &folding, &loss);
        gtr_trainer_desc d;
        memset(&d, 0, sizeof d);
        d.lr = 0.05f;
        if (k) b[k].ctx->caps.unfused[GTR__OP_CONV] = b[k].ctx->caps.unfused[GTR__OP_BATCH_NORM] = 1;
        gtr_trainer *t = gtr_trainer_create(loss, d);
        gtr_predictor *p = gtr_predictor_create(y, 5);
        if (!CHECK(t && p, "%s", gtr_error_text(b[k].ctx))) continue;
        const int left = norms_of(&p->entry[0]->plan);
        CHECK(k ? left >= 9 : !left, "%d norms and sums are left in a predictor's plan", left);
        const char *text = gtr_plan_text(t, ROWS);
        for (int i = 0; i < 3; i++) CHECK((strstr(text, rows[i]) != NULL) == !k, "%s in\n%s", rows[i], text);
        for (int step = 0; step < 3; step++) {          /* a predictor has the weights and statistics of now */
            CHECK(gtr_step(t) == GTR_OK && gtr_wait(b[k].ctx) == GTR_OK
                && gtr_predict(p, x, ROWS, shown[k][0][step]) == GTR_OK
                && gtr_eval(&y, 1) == GTR_OK && gtr_get(y, shown[k][1][step], sizeof shown[k][1][step]) == GTR_OK,
                "%s", gtr_error_text(b[k].ctx));
        }
        gtr_predictor_destroy(p);
    }
    for (int how = 0; how < 2; how++) for (int step = 0; step < 3; step++) {
        const float *u = shown[0][how][step], *v = shown[1][how][step];
        CHECK(device == GTR_DEVICE_CPU ? !memcmp(u, v, sizeof *u * OUT) : within(u, v, OUT, 1e-9, 1e-4),
            "step %d: %s", step, how ? "evaluated" : "predicted");
        CHECK(within(u, shown[0][1][step], OUT, 1e-9, 1e-4), "step %d: a predictor's", step);
        CHECK(!step || memcmp(u, shown[0][how][step - 1], sizeof *u * OUT), "step %d changes nothing", step);
    }
    for (int64_t i = 0; i < gtr_parameter_count(b[0].ctx); i++)
        if (gtr_tensor_dtype(gtr_parameter_at(b[0].ctx, i)) == GTR_F32) same(&folding, "after steps, parameter", (int)i,
            gtr_parameter_at(b[0].ctx, i), gtr_parameter_at(b[1].ctx, i), device == GTR_DEVICE_CPU ? 0 : 1e-4);
    for (int k = 0; k < 2; k++) gtr_destroy(b[k].ctx);
}

static void folded(void) { fold(false); fold(true); }
/* What a convolution can't carry stays a node: an activation behind one, an addition that what it makes is broadcast
   in. */
static void not_carried(void)
{
    enum { OUT = 2 * 4 * 25 };
    float x[OUT], one[8], got[2][2][OUT];
    made(x, OUT, 5, -1, 0);
    made(one, 8, 6, -1, 0);
    for (int k = 0; k < 2; k++) {
        gtr_context *ctx = gtr_create(desc0());
        tensor image = gtr_input(ctx, "x", GTR_F32, gtr_shape4(2, 4, 5, 5)), y[2],
            pixel = gtr_input(ctx, "p", GTR_F32, gtr_shape4(2, 4, 1, 1));
        if (k) ctx->caps.unfused[GTR__OP_CONV] = ctx->caps.unfused[GTR__OP_BATCH_NORM] = 1;
        y[0] = gtr_tanh(gtr_relu(gtr_batch_norm(gtr_conv2d(image, "c", 4, 3, 1, 1), "n")));
        y[1] = gtr_add(gtr_conv2d(pixel, "d", 4, 1, 1, 0), image);
        EXPECT_EQ(gtr_set(image, x, sizeof x), GTR_OK);
        EXPECT_EQ(gtr_set(pixel, one, sizeof one), GTR_OK);
        EXPECT_EQ(gtr_eval(y, 2), GTR_OK);
        for (int i = 0; i < 2; i++) EXPECT_EQ(gtr_get(y[i], got[k][i], sizeof got[k][i]), GTR_OK);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
    for (int i = 0; i < 2; i++)
        CHECK(device == GTR_DEVICE_CPU ? !memcmp(got[0][i], got[1][i], sizeof got[0][i])
            : within(got[0][i], got[1][i], OUT, 1e-9, 1e-4), "%s", i ? "a sum" : "two activations");
}

/* The gradient of a pool or upsample with that of the activation in front, maybe where what it reads lay, against the
   two, each in a place of its own, to the bit, of every kind of window; first, behind: what else reads the activation
   is made before the pool, whose gradient is then not the last of those that are added up, or behind it. Inputs are few
   different numbers, so that windows have several largest. */
enum { POOL_MAX, POOL_AVG, POOL_ADAPTIVE, POOL_UP, POOL_LINEAR, POOL_OPS };
typedef struct { int c, h, w, kernel, kernel_w, stride, stride_w, padding, padding_w, dilation, round_up; } pool_kind;
static const pool_kind pool_kinds[] = {
    { 16, 8, 8, 2, 2, 0, 0, 0, 0, 0, 0 }, { 4, 8, 6, 2, 2, 0, 0, 0, 0, 0, 0 }, { 5, 6, 8, 2, 2, 0, 0, 0, 0, 0, 0 },
    { 8, 0, 12, 2, 2, 0, 0, 0, 0, 0, 0 }, { 24, 5, 6, 1, 2, 0, 0, 0, 0, 0, 0 }, { 8, 6, 5, 2, 1, 0, 0, 0, 0, 0, 0 },
    { 8, 7, 9, 2, 2, 0, 0, 0, 0, 0, 0 }, { 8, 7, 9, 2, 2, 0, 0, 0, 0, 0, 1 }, { 8, 2, 2, 2, 2, 5, 5, 0, 0, 0, 0 },
    { 12, 9, 9, 3, 3, 0, 0, 1, 1, 0, 0 }, { 6, 9, 8, 2, 2, 3, 3, 0, 0, 0, 0 }, { 8, 9, 7, 3, 3, 2, 2, 1, 1, 0, 0 },
    { 8, 6, 8, 2, 2, 1, 1, 0, 0, 0, 0 }, { 7, 9, 9, 3, 3, 1, 1, 1, 1, 0, 0 }, { 4, 9, 11, 3, 2, 2, 1, 1, -1, 0, 1 },
    { 8, 10, 10, 2, 3, 1, 2, 0, 0, 2, 0 }, { 6, 0, 15, 3, 3, 2, 2, 1, 1, 0, 0 }, { 4, 12, 12, 9, 9, 1, 1, 2, 2, 0, 0 },
    { 300, 4, 4, 2, 2, 0, 0, 0, 0, 0, 0 }, { 300, 4, 4, 3, 3, 1, 1, 1, 1, 0, 0 }, { 32, 8, 2, 8, 2, 1, 1, 0, 0, 0, 0 },
    { 8, 16, 8, 16, 1, 1, 1, 0, 0, 0, 0 }, { 5, 18, 8, 3, 1, 3, 1, 0, 0, 2, 0 }, { 32, 8, 7, 8, 1, 1, 1, 0, 0, 0, 0 },
    { 8, 6, 6, 3, 3, 4, 3, 0, 0, 0, 0 }, { 6, 8, 8, 4, 4, 0, 0, 0, 0, 0, 0 },
};
enum { POOL_KINDS = sizeof pool_kinds / sizeof *pool_kinds, POOL_ACTS = 8 };
typedef enum { POOL_ALONE, POOL_BEHIND, POOL_FIRST, POOL_READERS } pool_readers;
static tensor pool_act(int act, tensor x)
{
    switch (act) {
    case 0: return gtr_relu(x);
    case 1: return gtr_tanh(x);
    case 2: return gtr_gelu(x);
    case 3: return gtr_leaky_relu(x, 0.125f);
    case 4: return gtr_relu6(x);
    case 5: return gtr_elu(x, 0.5f);
    case 6: return gtr_softplus(x, 1);
    default: return gtr_scale(x, 0.5f, 0.25f);
    }
}
static tensor mixed(const pool_kind *k, tensor x, const char *name, int out)
{
    return k->h ? gtr_conv2d(x, name, out, 1, 1, 0) : gtr_conv1d(x, name, out, 1, 1, 0);
}
static tensor mean_square(tensor x) { return gtr_mean(gtr_square(x), NULL, 0, false); }
static const struct { gtr__op op; const char *row; } pool_ops[POOL_OPS] = {
    { GTR__OP_MAX_POOL, "max_pool dx + activation gradient" },
    { GTR__OP_AVG_POOL, "avg_pool dx + activation gradient" },
    { GTR__OP_AVG_POOL, "avg_pool dx + activation gradient" },
    { GTR__OP_UPSAMPLE, "upsample dx + activation gradient" },
    { GTR__OP_UPSAMPLE, "upsample dx + activation gradient" } };
static tensor pooled(const pool_kind *k, int op, tensor x)
{
    gtr_pool_desc d;
    memset(&d, 0, sizeof d);
    d.kernel = k->kernel; d.kernel_w = k->kernel_w; d.stride = k->stride; d.stride_w = k->stride_w;
    d.padding = k->padding; d.padding_w = k->padding_w; d.round_up = k->round_up != 0;
    if (op == POOL_AVG) return gtr_avg_pool2d_ex(x, d);
    if (op == POOL_ADAPTIVE) return gtr_adaptive_avg_pool2d(x, k->h ? k->kernel : 1, k->kernel_w);
    d.dilation = k->dilation;
    return op == POOL_MAX ? gtr_max_pool2d_ex(x, d) : gtr_upsample2d(x, k->kernel, op == POOL_LINEAR);
}
typedef struct { int nodes; bool fused, over; float loss[3], *gradient, *weight; int64_t n, n_weight; } pool_seen;
static bool pool_run(const pool_kind *k, int op, int act, pool_readers readers, gtr_precision precision, bool fused,
    pool_seen *seen)
{
    gtr_context *ctx = gtr_create(desc0());
    gtr_trainer_desc how;
    gtr_shape s = k->h ? gtr_shape4(ROWS, k->c, k->h, k->w) : gtr_shape3(ROWS, k->c, k->w);
    memset(&how, 0, sizeof how); memset(seen, 0, sizeof *seen);
    seen->n = gtr__count(&s);
    float *v = (float *)malloc((size_t)seen->n * 4);
    made(v, seen->n, 5, 0, 0);
    for (int64_t i = 0; i < seen->n; i++) v[i] = floorf(v[i] * 4) / 4;
    s.dim[0] = GTR_BATCH;
    tensor x = gtr_input(ctx, "x", GTR_F32, s);
    if (!fused) ctx->caps.unfused[pool_ops[op].op] = ctx->caps.apart = 1;
    tensor h = pool_act(act, mixed(k, x, "c1", k->c)), other = NULL;
    if (readers == POOL_FIRST) other = mixed(k, h, "other", 3);
    tensor loss = mean_square(mixed(k, pooled(k, op, h), "c2", 6));
    if (readers == POOL_BEHIND) other = mixed(k, h, "other", 3);
    if (other) loss = gtr_add(loss, gtr_scale(mean_square(other), 0.5f, 0));
    tensor weight = gtr_parameter_find(ctx, "c1.weight"), dx = gtr_gradient(loss, x);
    how.precision = precision; how.loss_scale = precision == GTR_MIXED_FP16 ? 64 : 0; how.lr = 1e-3f;
    how.no_matchers = true;
    const gtr_shape ws = gtr_tensor_shape(weight);
    seen->n_weight = gtr__count(&ws);
    seen->weight = (float *)malloc((size_t)seen->n_weight * 4);
    seen->gradient = (float *)malloc((size_t)seen->n * 4);
    gtr_get(weight, seen->weight, (size_t)seen->n_weight * 4);
    for (int64_t i = 0; i < seen->n_weight; i++)
        seen->weight[i] = floorf(seen->weight[i] * 4 * sqrtf((float)k->c)) / 4;
    gtr_set(weight, seen->weight, (size_t)seen->n_weight * 4);
    gtr_trainer *t = gtr_trainer_create(loss, how);
    const bool ran = t && gtr_set(x, v, (size_t)seen->n * 4) == GTR_OK;
    if (ran) {
        gtr__plan_entry *e = gtr__trainer_entry(t, ROWS, NULL, false);
        seen->nodes = e ? e->plan.n_node : 0;
        for (int i = 0; i < seen->nodes; i++) {
            const gtr__node *q = &e->plan.node[i];
            if (q->op != GTR__OP_MAX_POOL || q->dir != GTR__BWD) continue;
            const gtr__value *from = &e->plan.value[q->in[0]], *to = &e->plan.value[q->out[0]];
            seen->over |= from->offset == to->offset && from->alias == to->alias;
        }
        seen->fused = strstr(gtr_plan_text(t, ROWS), pool_ops[op].row) != NULL;
        for (int i = 0; i < 3; i++) {
            CHECK(gtr_step(t) == GTR_OK, "%s", gtr_error_text(ctx));
            seen->loss[i] = gtr_loss(t);
        }
        gtr_get(weight, seen->weight, (size_t)seen->n_weight * 4);
        v[seen->n / 3] = NAN; v[0] = -INFINITY;
        CHECK(gtr_set(x, v, (size_t)seen->n * 4) == GTR_OK && gtr_eval(&dx, 1) == GTR_OK
            && gtr_get(dx, seen->gradient, (size_t)seen->n * 4) == GTR_OK, "%s", gtr_error_text(ctx));
    } else CHECK(gtr_error(ctx) == GTR_ERR_UNSUPPORTED, "%s", gtr_error_text(ctx));
    free(v);
    gtr_destroy(ctx);
    return ran;
}
/* Whether windows lie side by side and cover the image. */
static bool beside(const pool_kind *k)
{
    const int high = k->h ? k->h : 1, kernel = k->h ? k->kernel : 1, stride = k->stride && k->h ? k->stride : kernel,
        stride_w = k->stride_w ? k->stride_w : k->kernel_w;
    return !k->padding && k->dilation < 2 && kernel * k->kernel_w <= 16 && high % kernel == 0 && k->w % k->kernel_w == 0
        && (stride == kernel || (high == kernel && stride > kernel))
        && (stride_w == k->kernel_w || (k->w == k->kernel_w && stride_w > k->kernel_w));
}
static void pools(void)
{
    static const gtr_precision precisions[] = { GTR_FP32, GTR_MIXED_BF16, GTR_MIXED_FP16 };
    const int every = !small ? 1 : device == GTR_DEVICE_CPU ? 11 : 4; /* no factor of p, r and op */
    int n = 0;
    for (int q = 0; q < POOL_KINDS; q++) for (int act = 0; act < POOL_ACTS; act++) for (int p = 0; p < 3; p++)
        for (int r = 0; r < POOL_READERS; r++) for (int op = 0; op < POOL_OPS; op++) {
            pool_seen one, two;
            if ((act || op) && (q + act + r + p + op) % (op ? 29 : act > 1 ? 6 : 2)) continue;
            if (op == POOL_AVG && pool_kinds[q].dilation) continue;
            if (n++ % every || !check_mine(n / every)) continue;
            const bool may = r != POOL_FIRST && act != 7 && (act != 6 || !p);
            bool ran = pool_run(&pool_kinds[q], op, act, (pool_readers)r, precisions[p], true, &one);
            ran = pool_run(&pool_kinds[q], op, act, (pool_readers)r, precisions[p], false, &two) && ran;
            if (!ran) SKIP("precision %d", (int)precisions[p]);
            CHECK(!ran || (one.fused == may && !two.fused && one.nodes == two.nodes - may), "op %d, kind %d, "
                "activation %d, precision %d, readers %d: %d nodes, %d without the fusion", op, q, act, p, r, one.nodes,
                two.nodes);
            const bool over = op == POOL_MAX && beside(&pool_kinds[q]) && (r == POOL_ALONE || may);
            CHECK(!ran || ((one.over == over || r == POOL_FIRST) && !two.over),
                "op %d, kind %d, activation %d, precision %d, readers %d: the gradient lies in %s place", op, q,
                act, p, r, one.over ? "the image's" : "its own");
            CHECK(!ran || (!memcmp(one.loss, two.loss, sizeof one.loss) && one.loss[0] > 0
                && !memcmp(one.weight, two.weight, (size_t)one.n_weight * 4)
                && !memcmp(one.gradient, two.gradient, (size_t)one.n * 4)), "op %d, kind %d, activation %d, "
                "precision %d, readers %d: losses %g to %g and %g to %g", op, q, act, p, r, one.loss[0], one.loss[2],
                two.loss[0], two.loss[2]);
            free(one.gradient); free(one.weight);
            free(two.gradient); free(two.weight);
        }
}
/* Three steps from x (ROWS, 3, 12, 12) to h and a layer behind it, and their losses. */
static gtr_trainer *three_steps(gtr_context *ctx, gtr_precision precision, tensor x, tensor h, float *losses)
{
    gtr_trainer_desc how;
    float *v = (float *)malloc(ROWS * 3 * 144 * sizeof *v);
    memset(&how, 0, sizeof how);
    how.precision = precision; how.loss_scale = precision == GTR_MIXED_FP16 ? 64 : 0; how.lr = 0.125f;
    gtr_trainer *t = gtr_trainer_create(mean_square(gtr_linear(gtr_flatten(h), "fc", 5)), how);
    made(v, ROWS * 3 * 144, 5, 0, 0);
    for (int i = 0; t && i < 3; i++) {
        CHECK(gtr_set(x, v, ROWS * 3 * 144 * sizeof *v) == GTR_OK && gtr_step(t) == GTR_OK, "%s", gtr_error_text(ctx));
        losses[i] = gtr_loss(t);
    }
    free(v);
    return t;
}
/* Networks whose gradients lie where what they are made of did, in every precision: as where each has a place of its
   own, to the bit. Where max_pool's does, at the peak, its image is what is saved. Channels are more than batch_norm
   takes at a time. */
static gtr_trainer *over_run(gtr_context *ctx, gtr_precision precision, int channels, bool pool, float *losses)
{
    tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, 3, 12, 12));
    tensor h = gtr_relu(gtr_batch_norm(gtr_conv2d(x, "c1", channels, 3, 1, 1), "n1"));
    h = gtr_relu(gtr_add(gtr_batch_norm(gtr_conv2d(h, "c2", channels, 1, 1, 0), "n2"), h));
    if (pool) h = gtr_max_pool2d(gtr_relu(gtr_conv2d(h, "c3", 2 * channels, 1, 1, 0)), 2, 0, 0);
    return three_steps(ctx, precision, x, h, losses);
}
static void in_place(void)
{
    static const gtr_precision precisions[] = { GTR_FP32, GTR_TF32, GTR_MIXED_BF16, GTR_MIXED_FP16 };
    for (int p = 0; p < 4; p++) for (int k = 0; k < 4; k++) {
        const int channels = k & 1 ? small && device != GTR_DEVICE_CPU ? 24 : 264 : 5;
        if (small && channels > 24 && p != k / 2) continue; /* each of the two wide networks in one precision */
        gtr_context *ctx[2];
        gtr_memory_report m[2];
        float losses[2][3];
        gtr_trainer *t = NULL;
        for (int i = 0; i < 2; i++) {
            ctx[i] = gtr_create(desc0());
            ctx[i]->caps.apart = i;
            t = over_run(ctx[i], precisions[p], channels, k > 1, losses[i]);
            if (t) gtr_memory_plan(t, ROWS, &m[i]);
        }
        if (t) {
            const size_t image = (size_t)(ROWS * channels * 144) * 4, arenas[2] = { m[0].activations
                + m[0].workspace, m[1].activations + m[1].workspace };
            /* on a GPU what a product wants for its work may be the most, and it is not less */
            const size_t less = k == 3 && !p && device == GTR_DEVICE_CPU ? image / 2 : 0;
            CHECK(arenas[0] + less <= arenas[1] && losses[0][0] > 0, "precision %d, network "
                "%d: %zu bytes, %zu with each value in its own place; an image has %zu", p, k, arenas[0], arenas[1],
                image);
            CHECK(!memcmp(losses[0], losses[1], sizeof losses[0]), "precision %d, network %d: losses %g to %g, want "
                "%g to %g", p, k, losses[0][0], losses[0][2], losses[1][0], losses[1][2]);
            for (int64_t i = 0; i < gtr_parameter_count(ctx[0]); i++) {
                tensor a = gtr_parameter_at(ctx[0], i), b = gtr_parameter_at(ctx[1], i);
                const size_t bytes = gtr__bytes_of(a);
                char *v = (char *)malloc(2 * bytes);
                gtr_get(a, v, bytes); gtr_get(b, v + bytes, bytes);
                CHECK(!memcmp(v, v + bytes, bytes), "precision %d, network %d: \"%s\" differs", p, k,
                    gtr_tensor_name(a));
                free(v);
            }
        } else SKIP("%s", gtr_error_text(ctx[0]));
        for (int i = 0; i < 2; i++) gtr_destroy(ctx[i]);
    }
}
/* Blocks whose norm, activation and second convolution are a region: what the convolution reads is not kept but made
   again, by the norm as it was, whose statistics no node takes a second time; or only the norm and the activation, of
   which the convolution's image is kept, so that nothing is made again. Losses and weights are the same, to the bit. */
enum { AGAIN_NOT, AGAIN_READ, AGAIN_KEPT, AGAIN_WAYS };
static gtr_trainer *again_run(gtr_context *ctx, gtr_precision precision, int way, float *losses)
{
    char name[8];
    tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, 3, 12, 12)), h = gtr_conv2d(x, "c0", 16, 3, 1, 1), z;
    for (int k = 1; k < 4; k++) {
        snprintf(name, sizeof name, "a%d", k);
        z = gtr_conv2d(h, name, 16, 3, 1, 1);
        if (way != AGAIN_NOT) gtr_recompute_begin(ctx);
        snprintf(name, sizeof name, "n%d", k);
        z = gtr_relu(gtr_batch_norm(z, name));
        if (way == AGAIN_KEPT) gtr_recompute_end(ctx);
        snprintf(name, sizeof name, "b%d", k);
        z = gtr_conv2d(z, name, 16, 3, 1, 1);
        if (way == AGAIN_READ) gtr_recompute_end(ctx);
        h = gtr_relu(gtr_add(z, h));
    }
    return three_steps(ctx, precision, x, h, losses);
}
static void made_again(void)
{
    static const gtr_precision precisions[] = { GTR_FP32, GTR_TF32, GTR_MIXED_BF16, GTR_MIXED_FP16 };
    for (int p = 0; p < 4; p++) {
        gtr_context *ctx[AGAIN_WAYS];
        float losses[AGAIN_WAYS][3];
        size_t held[AGAIN_WAYS] = { 0 };
        int again[AGAIN_WAYS] = { 0 }, took = 0;
        gtr_trainer *t = NULL;
        for (int way = 0; way < AGAIN_WAYS; way++) {
            ctx[way] = gtr_create(desc0());
            t = again_run(ctx[way], precisions[p], way, losses[way]);
            gtr__plan_entry *e = t ? gtr__trainer_entry(t, ROWS, NULL, false) : NULL;
            for (int i = 0; e && i < e->plan.n_node; i++) {
                again[way] += e->plan.node[i].recomputed;
                took += e->plan.node[i].recomputed && e->plan.node[i].training
                    && e->plan.node[i].op == GTR__OP_BATCH_NORM;
            }
            held[way] = e ? e->plan.arena[0] : 0;
        }
        if (!t) SKIP("%s", gtr_error_text(ctx[0]));
        for (int way = 1; way < AGAIN_WAYS && t; way++)
            CHECK(!memcmp(losses[0], losses[way], sizeof losses[0]) && losses[0][0] > 0, "precision %d, way %d: losses "
                "%g to %g, want %g to %g", p, way, losses[way][0], losses[way][2], losses[0][0], losses[0][2]);
        CHECK(!t || (!took && again[AGAIN_READ] == 3 && !again[AGAIN_KEPT]), "precision %d: %d and %d nodes again, %d "
            "take statistics", p, again[AGAIN_READ], again[AGAIN_KEPT], took);
        CHECK(!t || p || held[AGAIN_READ] + ROWS * 16 * 144 * 4 <= held[AGAIN_NOT], "%zu bytes, %zu without a region",
            held[AGAIN_READ], held[AGAIN_NOT]);
        for (int way = 0; way < AGAIN_WAYS; way++) gtr_destroy(ctx[way]);
    }
}
/* What a step of 06_cnn.c's network holds on a GPU whose products may have 32 MiB, this one and a preset's: no more
   than the gradient of the second convolution's image, that of its input and this, and the parts of a weight's
   gradient. Streams of weights' gradients do not keep theirs until the update, and a product of few terms does not ask
   for parts. */
static void held_at_most(void)
{
    static const gtr_precision precisions[] = { GTR_TF32, GTR_MIXED_BF16 };
    for (int k = 0; k < 4 && device != GTR_DEVICE_CPU; k++) {
        const int p = k % 2;
        const int64_t rows = 1024, image = rows * 14 * 14 * 64 * (p ? 2 : 4);
        gtr_desc d = desc0();
        d.preset = k < 2 ? GTR_PRESET_NONE : GTR_PRESET_SM90;
        gtr_context *ctx = gtr_create(d);
        gtr_trainer_desc how;
        gtr_memory_report m;
        memset(&how, 0, sizeof how); memset(&m, 0, sizeof m);
        ctx->caps.product_workspace = (size_t)32 << 20;
        how.optimizer = GTR_ADAM; how.precision = precisions[p];
        tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, 1, 28, 28)), goal = gtr_input(ctx, "y", GTR_I32,
            gtr_shape1(GTR_BATCH)), h = gtr_max_pool2d(gtr_relu(gtr_conv2d(x, "c1", 32, 3, 1, 1)), 2, 0, 0);
        h = gtr_max_pool2d(gtr_relu(gtr_conv2d(h, "c2", 64, 3, 1, 1)), 2, 0, 0);
        h = gtr_linear(gtr_relu(gtr_linear(gtr_flatten(h), "fc1", 128)), "fc2", 10);
        gtr_trainer *t = ctx->caps.compute < 80 ? NULL : gtr_trainer_create(gtr_cross_entropy(h, goal), how);
        if (t) EXPECT_EQ(gtr_memory_plan(t, rows, &m), GTR_OK);
        if (t) CHECK(m.activations + m.workspace <= (size_t)(2 * image) + ((size_t)12 << 20), "%s, precision %d: %zu "
            "bytes, of an image %lld", ctx->caps.name, p, m.activations + m.workspace, (long long)image);
        else SKIP("a GPU of compute capability %d", ctx->caps.compute);
        gtr_destroy(ctx);
    }
}
/* Pixels as rows, which are no copy, are kept and fetched as what they are. */
static void rows_of_pixels(void)
{
    enum { C = 3, SIDE = 4, PIXELS = SIDE * SIDE };
    float x[2 * 2 * PIXELS], want[2 * C * PIXELS], rows[2 * PIXELS * C], loss[2];
    made(x, 2 * 2 * PIXELS, 5, 0, 0);
    for (int kept = 0; kept < 2; kept++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_trainer_desc d;
        memset(&d, 0, sizeof d);
        d.lr = 0.1f;
        tensor in = gtr_input(ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, 2, SIDE, SIDE)),
            y = gtr_conv2d(in, "c", C, 3, 1, 1), r = gtr_reshape(permuted(gtr_scale(y, 1, 0.5f), 0, 2, 3, 1),
                gtr_shape2(GTR_BATCH * PIXELS, C)), l = gtr_mean(gtr_square(gtr_log_softmax(r, 1)), NULL, 0, false);
        gtr_trainer *t = gtr_trainer_create(l, d);
        if (kept) gtr_keep(r);
        CHECK(gtr_set(in, x, sizeof x) == GTR_OK && gtr_eval(&y, 1) == GTR_OK
            && gtr_get(y, want, sizeof want) == GTR_OK && gtr_eval(&r, 1) == GTR_OK
            && gtr_get(r, rows, sizeof rows) == GTR_OK, "%s", gtr_error_text(ctx));
        for (int again = 0; again < 1 + kept; again++) {
            for (int i = 0; i < 2 * PIXELS * C; i++)
                CHECK(fabsf(rows[i] - want[(i / C / PIXELS * C + i % C) * PIXELS + i / C % PIXELS] - 0.5f) < 1e-5f,
                    "element %d of rows, %d, %d", i, kept, again);
            memset(rows, 0, sizeof rows);
            if (again) continue;
            CHECK(gtr_step(t) == GTR_OK && (!kept || gtr_get(r, rows, sizeof rows) == GTR_OK), "%s",
                gtr_error_text(ctx));
            loss[kept] = gtr_loss(t);
        }
        gtr_destroy(ctx);
    }
    CHECK(fabsf(loss[0] - loss[1]) < 1e-5f, "losses %g and %g", loss[0], loss[1]);
}

/* Convolutions large enough for kernels of their own, of every kind of shape, in each precision as on the CPU: y, and
   gradients of image, weight and bias. n, c, h, w, o, kernel (2), stride, padding, dilation, transposed, no bias,
   groups (0: 1). */
static const int large_shapes[][13] = {
    { 33, 64, 20, 20, 192, 3, 3, 1, 0, 1, 0, 0 }, { 16, 256, 8, 8, 256, 3, 3, 1, 1, 1, 0, 1 },
    { 64, 48, 1, 128, 64, 1, 7, 1, 3, 1, 0, 0 }, { 8, 64, 28, 28, 64, 3, 3, 1, 1, 1, 0, 0 },
    { 32, 32, 15, 17, 96, 5, 5, 2, 2, 1, 0, 0 }, { 24, 96, 10, 10, 160, 3, 3, 1, 2, 2, 0, 0 },
    { 48, 24, 12, 12, 40, 3, 3, 1, 1, 1, 0, 0 }, { 40, 64, 9, 9, 32, 2, 2, 2, 0, 1, 1, 0 },
    { 40, 32, 7, 9, 64, 3, 3, 2, 1, 1, 1, 0 }, { 25, 80, 13, 11, 72, 3, 3, 2, 1, 1, 0, 0 },
    { 30, 16, 16, 16, 128, 1, 1, 2, 0, 1, 0, 1 }, { 64, 3, 32, 32, 64, 3, 3, 1, 1, 1, 0, 0 },
    { 5, 3, 64, 60, 48, 7, 7, 2, 3, 1, 0, 0 }, { 70, 6, 1, 128, 40, 1, 5, 1, 2, 1, 0, 0 },
    { 96, 128, 32, 32, 128, 3, 3, 1, 1, 1, 0, 0 }, { 300, 128, 4, 4, 256, 3, 3, 1, 1, 1, 0, 1 },
    { 40, 96, 12, 28, 96, 5, 5, 1, 2, 1, 0, 0 }, { 48, 64, 20, 24, 160, 3, 3, 1, 2, 2, 0, 0 },
    { 48, 64, 16, 16, 64, 3, 3, 1, 1, 1, 1, 0 }, { 64, 32, 64, 64, 96, 3, 3, 2, 1, 1, 0, 0 },
    { 32, 64, 1, 150, 64, 1, 30, 1, 2, 1, 0, 0 }, { 32, 40, 1, 150, 136, 1, 33, 1, 2, 1, 0, 0 },
    { 64, 72, 20, 20, 200, 5, 5, 2, 2, 1, 0, 0 }, { 64, 200, 9, 9, 72, 3, 3, 1, 1, 1, 1, 1 },
    { 64, 256, 16, 16, 256, 3, 3, 1, 1, 1, 0, 0, 2 }, { 64, 144, 16, 16, 192, 3, 3, 1, 1, 1, 1, 0, 3 },
    { 24, 32, 33, 32, 9, 3, 3, 1, 1, 1, 0, 1 }, { 40, 40, 32, 32, 21, 3, 3, 1, 1, 1, 0, 0 },
    { 40, 27, 24, 24, 64, 3, 3, 1, 1, 1, 0, 0 }, { 64, 3, 32, 32, 32, 4, 4, 2, 1, 1, 1, 0 },
    { 30, 64, 16, 18, 13, 3, 3, 2, 1, 1, 1, 1 }, { 50, 35, 16, 16, 11, 5, 5, 1, 2, 1, 0, 0 },
    { 40, 16, 9, 6, 88, 1, 2, 2, 2, 4, 1, 0 },
    { 40, 1, 28, 28, 32, 3, 3, 1, 1, 1, 0, 0 }, { 64, 1, 28, 28, 6, 5, 5, 1, 2, 1, 0, 0 },
    { 64, 6, 14, 14, 16, 5, 5, 1, 0, 1, 0, 0 }, { 40, 2, 31, 33, 10, 3, 5, 2, 1, 1, 0, 0 },
    { 24, 5, 21, 19, 3, 3, 3, 1, 2, 2, 1, 0 }, { 64, 1, 1, 400, 64, 1, 9, 4, 4, 1, 0, 0 },
    { 30, 12, 17, 9, 24, 5, 3, 1, 2, 2, 0, 0 }, { 300, 3, 64, 64, 8, 3, 3, 1, 1, 1, 0, 1 },
    { 300, 64, 32, 32, 64, 3, 3, 1, 1, 1, 0, 1 }, { 20, 64, 56, 56, 64, 3, 3, 1, 1, 1, 0, 0 },
    { 33, 32, 14, 14, 72, 3, 3, 1, 1, 1, 0, 0 }, { 21, 40, 33, 19, 24, 3, 3, 1, 1, 2, 0, 0 },
    { 40, 16, 28, 28, 16, 5, 5, 1, 2, 1, 0, 0 }, { 12, 24, 1, 200, 64, 1, 9, 1, 4, 1, 0, 0 },
    { 11, 56, 30, 70, 48, 2, 5, 1, 1, 1, 1, 0 }, { 130, 128, 4, 5, 136, 3, 3, 1, 1, 1, 0, 0 },
    { 20, 128, 16, 16, 136, 3, 3, 1, 1, 1, 0, 0 }, { 9, 72, 19, 13, 200, 3, 3, 1, 2, 2, 0, 0 },
    { 11, 96, 1, 150, 72, 1, 7, 1, 3, 1, 0, 1 }, { 12, 256, 1, 90, 64, 1, 3, 1, 1, 1, 0, 0 },
    { 6, 112, 14, 18, 104, 3, 3, 1, 1, 1, 1, 0 }, { 8, 100, 12, 20, 65, 3, 3, 1, 1, 1, 0, 0 },
    { 5, 128, 12, 12, 128, 5, 5, 1, 2, 1, 0, 0 }, { 10, 33, 17, 20, 36, 3, 3, 1, 1, 1, 0, 0 },
    { 7, 64, 30, 23, 60, 3, 3, 1, 1, 1, 0, 0 }, { 21, 36, 9, 35, 64, 2, 3, 1, 1, 2, 1, 0 },
    { 9, 8, 7, 9, 64, 3, 3, 1, 2, 1, 0, 0 }, { 5, 96, 12, 21, 80, 3, 3, 1, 1, 1, 0, 0 },
    { 6, 32, 14, 14, 64, 3, 3, 1, 1, 1, 0, 0 }, { 5, 16, 7, 7, 40, 3, 3, 1, 1, 1, 0, 0 },
    { 3, 24, 9, 29, 32, 5, 5, 1, 2, 1, 0, 1 }, { 3, 40, 28, 13, 8, 3, 3, 1, 2, 2, 0, 0 },
    { 4, 64, 10, 12, 16, 3, 2, 1, 0, 1, 1, 0 }, { 40, 16, 1, 61, 32, 1, 7, 1, 3, 1, 0, 0 },
    { 2, 16, 33, 34, 16, 3, 5, 1, 1, 1, 1, 0 }, { 18, 32, 9, 8, 72, 3, 3, 1, 0, 1, 0, 0 },
    { 8, 128, 16, 16, 128, 3, 3, 1, 1, 1, 0, 0, 2 },
    { 16, 32, 20, 16, 9, 3, 3, 1, 1, 1, 0, 1 }, { 12, 45, 20, 20, 33, 3, 3, 1, 1, 1, 1, 0 },
    { 9, 20, 16, 18, 36, 3, 3, 1, 1, 1, 0, 0 }, { 40, 36, 17, 15, 58, 3, 3, 2, 1, 1, 0, 0 },
};
static float *large_gradient(gtr_trainer *t, tensor p, int64_t *n)
{
    const gtr_shape s = gtr_tensor_shape(p);
    *n = gtr__count(&s);
    float *v = (float *)calloc((size_t)*n, 4);
    gtr_gradient_get(t, p, v, (size_t)*n * 4);
    return v;
}
/* The gradient of r in the sum of y r is y. */
static gtr_trainer *large_trainer(gtr_context *ctx, gtr_precision precision, const int *s, tensor all[4])
{
    gtr_trainer_desc how;
    gtr_conv_desc d;
    memset(&how, 0, sizeof how);
    memset(&d, 0, sizeof d);
    d.out = s[4]; d.kernel = s[5]; d.kernel_w = s[6]; d.stride = d.stride_w = s[7]; d.padding = s[8];
    d.padding_w = s[8] ? s[8] : -1; d.dilation = s[9]; d.no_bias = s[11] != 0; d.groups = s[12];
    how.precision = precision; how.loss_scale = 1;
    tensor x = gtr_parameter(ctx, "x", gtr_shape4(s[0], s[1], s[2], s[3]), uniform(1)),
        y = s[10] ? gtr_conv_transpose2d_ex(x, "c", d) : gtr_conv2d_ex(x, "c", d),
        r = gtr_parameter(ctx, "r", gtr_tensor_shape(y), uniform(1)),
        bias = s[11] ? NULL : gtr_parameter_find(ctx, "c.bias");
    all[0] = r; all[1] = x; all[2] = gtr_parameter_find(ctx, "c.weight"); all[3] = bias;
    return gtr_trainer_create(gtr_sum(gtr_mul(y, r), NULL, 0, false), how);
}
static gtr_context *large_run(gtr_desc desc, gtr_precision precision, const int *s, float *v[4], int64_t n[4])
{
    gtr_context *ctx = gtr_create(desc);
    tensor all[4];
    gtr_trainer *t = large_trainer(ctx, precision, s, all);
    gtr_backward(t);
    for (int k = 0; k < 4; k++) v[k] = all[k] ? large_gradient(t, all[k], &n[k]) : NULL;
    return ctx;
}
/* A pixel that is no number reaches the outputs whose windows have it, and no other; so does one of dy dx's pixels. */
static gtr_context *no_numbers_run(gtr_desc desc, gtr_precision precision, const int *s, float *v[4], int64_t n[4])
{
    gtr_context *ctx = gtr_create(desc);
    tensor all[4];
    gtr_trainer *t = large_trainer(ctx, precision, s, all);
    v[2] = v[3] = NULL;
    for (int k = 0; k < 2; k++) {
        const gtr_shape shape = gtr_tensor_shape(all[k]);
        float *one = (float *)calloc((size_t)gtr__count(&shape), 4);
        one[gtr__count(&shape) / 2 + shape.dim[3] / 2] = k ? NAN : INFINITY;
        gtr_set(all[k], one, (size_t)gtr__count(&shape) * 4);
        free(one);
    }
    gtr_backward(t);
    for (int k = 0; k < 2; k++) {
        v[k] = large_gradient(t, all[k], &n[k]);
        for (int64_t i = 0; i < n[k]; i++) v[k][i] = v[k][i] - v[k][i] == 0 ? 1 : 2;
    }
    return ctx;
}
/* Convolutions whose columns are runs of lines that places share, and some that are not, by sums in double: lines in
   pieces, strides, dilation, tall and wide kernels, channels in parts, transposed. */
static void shared_lines(void)
{
    static const int shapes[][13] = {
        { 2, 32, 9, 11, 40, 3, 3, 1, 1, 1, 0, 0 }, { 1, 16, 12, 130, 17, 3, 5, 1, 2, 1, 0, 0 },
        { 2, 24, 13, 15, 33, 3, 3, 2, 1, 1, 0, 0 }, { 2, 40, 12, 14, 20, 3, 3, 1, 2, 2, 0, 0 },
        { 1, 12, 20, 21, 8, 9, 7, 3, 4, 1, 0, 0 }, { 2, 36, 7, 8, 34, 4, 4, 2, 1, 1, 1, 0 },
        { 3, 64, 1, 70, 32, 1, 5, 1, 2, 1, 0, 0 }, { 1, 2, 40, 40, 4, 36, 17, 1, 8, 1, 0, 0 },
        { 2, 330, 8, 9, 6, 2, 2, 1, 1, 1, 0, 0 }, { 2, 48, 9, 40, 5, 3, 2, 4, 1, 1, 0, 1 },
        { 5, 35, 6, 6, 3, 5, 5, 1, 2, 1, 1, 0 }, { 3, 33, 14, 14, 65, 3, 3, 1, 0, 1, 0, 0 },
        { 2, 16, 9, 6, 88, 1, 2, 2, 2, 4, 1, 0 },
    };
    static const char *const names[] = { "y", "dx", "dweight", "dbias" };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && device == GTR_DEVICE_CPU; i++) {
        const int *s = shapes[i], back = s[10];
        float *got[4], *want[4], *of[3]; /* r, x, weight */
        double *sum[4];
        int64_t n[4] = { 0 };
        gtr_context *ctx = large_run(desc0(), GTR_FP32, s, got, n);
        tensor all[3] = { gtr_parameter_find(ctx, "r"), gtr_parameter_find(ctx, "x"),
            gtr_parameter_find(ctx, "c.weight") };
        const gtr_shape y = gtr_tensor_shape(all[0]), x = gtr_tensor_shape(all[1]),
            in = back ? y : x, at = back ? x : y;
        CHECK(!gtr_error(ctx), "%s", gtr_error_text(ctx));
        for (int k = 0; k < 4; k++) sum[k] = (double *)calloc((size_t)n[k] + 1, sizeof **sum);
        for (int k = 0; k < 3; k++) {
            of[k] = (float *)malloc((size_t)n[k] * 4);
            CHECK(gtr_get(all[k], of[k], (size_t)n[k] * 4) == GTR_OK, "%s", gtr_error_text(ctx));
        }
        const int64_t w = s[6], taps = s[5] * w, place = at.dim[2] * at.dim[3], pixel = in.dim[2] * in.dim[3];
        for (int64_t p = 0; p < at.dim[0] * at.dim[1] * place; p++)
            for (int64_t t = 0; t < in.dim[1] * taps; t++) {
                const int64_t iy = p % place / at.dim[3] * s[7] - s[8] + t % taps / w * s[9],
                    ix = p % at.dim[3] * s[7] - s[8] + t % w * s[9], o = p / place % at.dim[1],
                    q = (p / place / at.dim[1] * in.dim[1] + t / taps) * pixel + iy * in.dim[3] + ix,
                    from = back ? p : q, to = back ? q : p, k = o * in.dim[1] * taps + t;
                if (iy < 0 || ix < 0 || iy >= in.dim[2] || ix >= in.dim[3]) continue;
                sum[0][to] += (double)of[1][from] * of[2][k];
                sum[1][from] += (double)of[0][to] * of[2][k];
                sum[2][k] += (double)of[1][from] * of[0][to];
            }
        const int64_t each = y.dim[2] * y.dim[3];
        const tensor bias = gtr_parameter_find(ctx, "c.bias");
        float add[512] = { 0 };
        if (bias) CHECK(gtr_get(bias, add, (size_t)n[3] * 4) == GTR_OK, "%s", gtr_error_text(ctx));
        for (int64_t p = 0; p < n[0] && bias; p++) {
            sum[0][p] += add[p / each % y.dim[1]];
            sum[3][p / each % y.dim[1]] += of[0][p];
        }
        for (int k = 0; k < 4; k++) if (got[k]) {
            want[k] = (float *)malloc((size_t)n[k] * 4);
            for (int64_t p = 0; p < n[k]; p++) want[k][p] = (float)sum[k][p];
            CHECK(within(got[k], want[k], n[k], 1e-10, 1e-5), "%s of shape %d", names[k], (int)i);
            free(got[k]); free(want[k]);
        }
        for (int k = 0; k < 4; k++) free(sum[k]);
        for (int k = 0; k < 3; k++) free(of[k]);
        gtr_destroy(ctx);
    }
}
static double distance(const float *a, const float *b, int64_t n)
{
    double far = 0, all = 0;
    for (int64_t i = 0; i < n; i++) {
        far += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        all += (double)b[i] * b[i];
    }
    return sqrt(far / all);
}
/* v, of n elements, of four tensors as a run on desc's device gives them; NULL: it has no such tensor. */
typedef gtr_context *run_of_four(gtr_desc desc, gtr_precision precision, const int *what, float *v[4], int64_t n[4]);
/* Runs it on the device under test and on the CPU: the four may be apart by ratio of their norm, and where even, each
   element by ratio of the largest, too. label says of what kind the run is. */
static void as_on_cpu(run_of_four *run, gtr_precision precision, const int *what, const char *const names[4],
                      double ratio, bool even, const char *label)
{
    float *v[2][4];
    int64_t n[4];
    gtr_desc desc = desc0();
    gtr_context *mine = run(desc, precision, what, v[0], n);
    const bool lacks = gtr_error(mine) == GTR_ERR_UNSUPPORTED;
    desc.device = GTR_DEVICE_CPU;
    gtr_context *other = run(desc, precision, what, v[1], n);
    if (lacks) SKIP("%s: %s", label, gtr_error_text(mine));
    else CHECK(!gtr_error(mine) && !gtr_error(other), "%s: %s%s", label, gtr_error_text(mine), gtr_error_text(other));
    for (int k = 0; k < 4; k++) {
        CHECK(lacks || !v[0][k] == !v[1][k], "%s: %s of one device alone", label, names[k]);
        if (v[0][k] && v[1][k]) CHECK(lacks || within(v[0][k], v[1][k], n[k], ratio * ratio, even ? ratio : 1e30),
            "%s, precision %d: %s is %g of its norm from the CPU's", label, (int)precision, names[k],
            distance(v[0][k], v[1][k], n[k]));
        free(v[0][k]); free(v[1][k]);
    }
    gtr_destroy(mine); gtr_destroy(other);
}
/* run, on the GPU and on the CPU, over the last so many of large_shapes in each precision. */
enum { ALL_LARGE = sizeof large_shapes / sizeof *large_shapes, FEW_LARGE = 10, UNEVEN_LARGE = 4 };
static void each_large(run_of_four *run, const char *const names[4], const double ratios[4], const char *what, int last)
{
    static const gtr_precision precisions[] = { GTR_FP32, GTR_TF32, GTR_MIXED_BF16, GTR_MIXED_FP16 };
    char label[32];
    if (device == GTR_DEVICE_CPU) return;
    for (int p = 0; p < 4; p++) for (int q = ALL_LARGE - last; q < ALL_LARGE; q++) {
        snprintf(label, sizeof label, "%s, shape %d", what, q);
        as_on_cpu(run, precisions[p], large_shapes[q], names, ratios[p], true, label);
    }
}
static void large_values(int last)
{
    static const double ratios[] = { 1e-5, 2e-3, 8e-3, 1e-3 };
    static const char *const names[] = { "y", "dx", "dweight", "dbias" };
    each_large(large_run, names, ratios, "values", last);
}
static void large(void) { large_values(small ? FEW_LARGE : ALL_LARGE); }
/* Channels that are no whole 16 bytes, which Hopper's kernels read in copies: on a GPU in software these are run where
   `large` is left out. */
static void uneven(void) { large_values(UNEVEN_LARGE); }
/* Their copies are large; a lean plan does without. */
static void lean_copies(void)
{
    if (device == GTR_DEVICE_CPU) return;
    gtr_context *ctx = gtr_create(desc0());
    gtr_trainer_desc how;
    size_t most[2] = { 0, 0 };
    memset(&how, 0, sizeof how);
    how.precision = GTR_MIXED_FP16;
    tensor x = gtr_input(ctx, "x", GTR_F32, gtr_shape4(64, 36, 128, 128));
    gtr_trainer *t = gtr_trainer_create(gtr_sum(gtr_conv2d(x, "c", 60, 3, 1, 1), NULL, 0, false), how);
    gtr__plan_entry *e = t ? gtr__trainer_entry(t, 64, NULL, false) : NULL;
    for (int lean = 0; e && lean < 2; lean++) {
        if (lean) CHECK(gtr__entry_again(ctx, e, true) == GTR_OK, "%s", gtr_error_text(ctx));
        for (int i = 0; i < e->plan.n_node; i++)
            if (e->plan.node[i].op == GTR__OP_CONV) most[lean] = GTR__MAX(most[lean], e->plan.node[i].ws.bytes);
    }
    CHECK(most[0] > (size_t)150 << 20 && most[1] <= (size_t)80 << 20,
        "workspaces of %zu and, in a lean plan, %zu bytes", most[0], most[1]);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
static void no_numbers(void)
{
    static const double ratios[] = { 1e-6, 1e-6, 1e-6, 1e-6 };
    static const char *const names[] = { "y", "dx", NULL, NULL };
    each_large(no_numbers_run, names, ratios, "no numbers", small ? FEW_LARGE : ALL_LARGE);
}

/* What epilogues of convolutions of few channels, 16 to 96, do, over several tiles of theirs: bias, activation, what is
   added in front and behind, and its gradient by what it reads, on a GPU as on the CPU. */
static gtr_context *epilogue_run(gtr_desc desc, gtr_precision precision, const int *what, float *v[4],
                                 int64_t n[4])
{
    const int wide = what[0], act = what[1];
    static const char *const names[] = { "a.weight", "b.weight", "b.bias" };
    gtr_context *ctx = gtr_create(desc);
    gtr_trainer_desc how;
    memset(&how, 0, sizeof how);
    how.precision = precision; how.loss_scale = 1;
    tensor x = gtr_parameter(ctx, "x", gtr_shape4(20, 24, 20, 36), uniform(1)),
        h = pool_act(act, gtr_conv2d(x, "a", wide, 3, 1, 1)),
        y = pool_act(act, gtr_add(gtr_conv2d(h, "b", wide, 3, 1, 1), h)),
        z = pool_act(act, gtr_batch_norm(gtr_conv2d(y, "c", 24, 3, 1, 1), "norm")),
        r = gtr_parameter(ctx, "r", gtr_tensor_shape(z), uniform(1));
    gtr_trainer *t = gtr_trainer_create(gtr_sum(gtr_mul(gtr_add(z, x), r), NULL, 0, false), how);
    gtr_backward(t);
    v[0] = large_gradient(t, x, &n[0]);
    for (int k = 0; k < 3; k++) v[k + 1] = large_gradient(t, gtr_parameter_find(ctx, names[k]), &n[k + 1]);
    return ctx;
}
static void epilogues(void)
{
    static const gtr_precision precisions[] = { GTR_MIXED_BF16, GTR_MIXED_FP16, GTR_TF32 };
    static const char *const names[] = { "dx", "dweight of a", "dweight of b", "dbias of b" };
    /* Roundings of the precision, four of BF16's, eight of the others'; with a kink the root of one's, for as large a
       part of all values is on its other side. The CPU rounds to 16 bits where a GPU does, but never to TF32: there,
       the root of five. */
    static const int wide[] = { 40, 40, 40, 96, 96, 16, 24, 16, 24 };
    static const double smooth[] = { 8e-3, 2e-3, 4e-3 }, kinked[] = { 2e-2, 2e-2, 5e-2 };
    char label[64];
    if (device == GTR_DEVICE_CPU) return;
    for (int i = 0; i < 9; i += small ? 2 : 1) for (int act = 0; act < (small ? 1 : POOL_ACTS); act++) {
        const int p = i % 3, what[2] = { wide[i], act };
        const bool kink = act == 0 || (act >= 3 && act <= 5);
        snprintf(label, sizeof label, "%d channels, activation %d", what[0], act);
        as_on_cpu(epilogue_run, precisions[p], what, names, kink ? kinked[p] : smooth[p], false, label);
    }
}

/* batch_norm over many rows, an activation and what is added behind it, on few multiprocessors, so that each has more
   rows than it holds, and on all: on a GPU as on the CPU. what: n, channels, height, width, activation (-1: none), what
   is added to all float32 values, whether a tensor is added, multiprocessors. */
static gtr_context *norm_run(gtr_desc desc, gtr_precision precision, const int *what, float *v[4], int64_t n[4])
{
    static const char *const names[] = { "norm.weight", "norm.bias" };
    desc.max_sm = what[7];
    gtr_context *ctx = gtr_create(desc);
    gtr_trainer_desc how;
    memset(&how, 0, sizeof how);
    how.precision = precision; how.loss_scale = 1;
    const float offset = precision == GTR_FP32 ? (float)what[5] : 0;
    const gtr_shape s = gtr_shape4(what[0], what[1], what[2], what[3]);
    tensor x = gtr_parameter(ctx, "x", s, uniform(1)), r = gtr_parameter(ctx, "r", s, uniform(1)),
        y = gtr_batch_norm(gtr_scale(gtr_conv2d(x, "a", what[1], 1, 1, 0), 1, offset), "norm");
    if (what[6]) y = gtr_add(y, gtr_conv2d(x, "b", what[1], 1, 1, 0));
    if (what[4] >= 0) y = pool_act(what[4], y);
    gtr_trainer *t = gtr_trainer_create(gtr_sum(gtr_mul(y, r), NULL, 0, false), how);
    gtr_backward(t);
    v[0] = large_gradient(t, r, &n[0]);
    v[1] = large_gradient(t, x, &n[1]);
    for (int k = 0; k < 2; k++) v[k + 2] = large_gradient(t, gtr_parameter_find(ctx, names[k]), &n[k + 2]);
    return ctx;
}
static void norms(void)
{
    static const gtr_precision precisions[] = { GTR_FP32, GTR_MIXED_BF16, GTR_MIXED_FP16 };
    static const char *const names[] = { "y", "dx", "dweight", "dbias" };
    static const int shapes[][8] = {
        { 9, 64, 33, 31, 0, 0, 0, 2 }, { 40, 8, 40, 41, -1, 0, 1, 3 }, { 21, 72, 20, 23, 2, 0, 1, 5 },
        { 7, 24, 70, 31, 0, 0, 1, 1 }, { 20, 40, 33, 32, 1, 9, 0, 4 }, { 64, 16, 16, 17, 0, 0, 0, 0 },
        { 256, 64, 32, 32, 0, 0, 0, 0 }, { 128, 128, 32, 31, -1, 0, 0, 0 }, { 256, 96, 16, 17, 0, 0, 1, 0 },
    };
    /* Roundings of the precision; where relu follows, its gradient of values that are 0 but for them. */
    static const double ratios[] = { 2e-5, 8e-3, 1e-3 };
    char label[32];
    if (device == GTR_DEVICE_CPU) return;
    for (int p = 0; p < 3; p++) for (int i = 0; i < (small ? 6 : 9); i++) {
        snprintf(label, sizeof label, "shape %d", i);
        as_on_cpu(norm_run, precisions[p], shapes[i], names, ratios[p] * (shapes[i][4] ? 1 : 3), false, label);
    }
}

/* Convolutions of few channels, which have kernels of their own on a GPU, where a max_pool of windows beside each other
   joins them and what lies between is computed again for gradients. All numbers are few and short, so that sums are
   exact in each precision, windows have several largest, and devices differ by the activation alone. what: n, channels,
   height (0: none), width, channels out, kernel, width's, stride, padding, dilation, the pool's window (0: none), its
   width, activation (-1: none), whether there is a bias, the pool's stride (0: its window) and padding. */
static float *shortened(tensor t, uint32_t seed, int64_t *n)
{
    const gtr_shape s = gtr_tensor_shape(t);
    *n = gtr__count(&s);
    float *v = (float *)malloc((size_t)*n * 4);
    made(v, *n, seed, 0, 0);
    for (int64_t i = 0; i < *n; i++) v[i] = floorf(v[i] * 4) / 8;
    gtr_set(t, v, (size_t)*n * 4);
    return v;
}
static bool small_pool(const int *s) { return s[10] * s[11] > 1 && s[10] * s[11] <= 4 && !s[14]; }
static gtr_context *few_run(gtr_desc desc, gtr_precision precision, const int *s, float *v[4], int64_t n[4])
{
    gtr_context *ctx = gtr_create(desc);
    gtr_trainer_desc how;
    gtr_conv_desc d;
    gtr_pool_desc pool;
    memset(&how, 0, sizeof how); memset(&d, 0, sizeof d); memset(&pool, 0, sizeof pool);
    d.out = s[4]; d.kernel = s[5]; d.kernel_w = s[6]; d.stride = d.stride_w = s[7]; d.padding = d.padding_w = s[8];
    d.dilation = s[9]; d.no_bias = !s[13];
    if (!s[8]) d.padding_w = -1;
    pool.kernel = s[10]; pool.kernel_w = s[11]; pool.stride = s[14]; pool.padding = s[15];
    how.precision = precision; how.loss_scale = 1; how.lr = 1;
    const gtr_shape shape = s[2] ? gtr_shape4(s[0], s[1], s[2], s[3]) : gtr_shape3(s[0], s[1], s[3]);
    tensor x = gtr_input(ctx, "x", GTR_F32, shape),
        y = s[2] ? gtr_conv2d_ex(x, "c", d) : gtr_conv1d(x, "c", s[4], s[6], s[7], s[8]);
    if (s[12] >= 0) y = pool_act(s[12], y);
    if (s[10]) y = gtr_max_pool2d_ex(y, pool);
    tensor r = gtr_parameter(ctx, "r", gtr_tensor_shape(y), uniform(1)), w = gtr_parameter_find(ctx, "c.weight");
    gtr_trainer *t = gtr_trainer_create(gtr_sum(gtr_mul(y, r), NULL, 0, false), how);
    const int64_t all = (int64_t)s[0] * s[1] * (s[2] ? s[2] : 1) * s[3];
    float *image = (float *)malloc((size_t)all * 4);
    made(image, all, 7, 0, 0);
    for (int64_t i = 0; i < all; i++) image[i] = floorf(image[i] * 4) / 4;
    gtr_set(x, image, (size_t)all * 4);
    free(image);
    tensor bias = s[13] ? gtr_parameter_find(ctx, "c.bias") : NULL, all_of[4] = { r, w, bias, NULL };
    if (t && gtr_on_gpu(ctx) && precision != GTR_FP32 && small_pool(s) && ctx->caps.compute >= 80)
        CHECK(strstr(gtr_plan_text(t, s[0]), "convolution + max_pool"), "%s", gtr_plan_text(t, s[0]));
    for (int k = 0; k < 4; k++) v[k] = all_of[k] ? shortened(all_of[k], 11 + (uint32_t)k, &n[k]) : NULL;
    if (t) gtr_step(t);
    for (int k = 0; k < 4; k++) if (v[k]) {         /* which moves by the gradient */
        float *to = (float *)malloc((size_t)n[k] * 4);
        gtr_get(all_of[k], to, (size_t)n[k] * 4);
        for (int64_t i = 0; i < n[k]; i++) v[k][i] -= to[i];
        free(to);
    }
    return ctx;
}
static void few_channels(void)
{
    static const gtr_precision precisions[] = { GTR_FP32, GTR_TF32, GTR_MIXED_BF16, GTR_MIXED_FP16 };
    static const double ratios[] = { 1e-5, 1e-3, 2e-2, 2e-2 };
    static const char *const names[] = { "y", "dweight", "dbias", "none" };
    static const int shapes[][16] = {
        { 5, 1, 28, 28, 32, 3, 3, 1, 1, 1, 2, 2, 0, 1 }, { 3, 1, 28, 28, 16, 5, 5, 1, 2, 1, 2, 2, 0, 1 },
        { 3, 3, 20, 22, 40, 3, 3, 1, 1, 1, 2, 2, -1, 0 }, { 2, 3, 17, 19, 6, 5, 5, 1, 0, 1, 2, 2, 1, 1 },
        { 7, 6, 0, 64, 64, 1, 5, 1, 2, 1, 1, 2, 0, 1 }, { 2, 3, 21, 23, 70, 3, 3, 2, 1, 1, 0, 0, 2, 1 },
        { 2, 3, 30, 30, 24, 7, 7, 2, 3, 1, 0, 0, -1, 1 }, { 4, 2, 9, 14, 8, 3, 2, 1, 2, 2, 1, 3, 0, 1 },
        { 60, 1, 6, 7, 20, 3, 3, 1, 1, 1, 2, 2, 0, 1 }, { 3, 5, 13, 9, 9, 3, 3, 2, 1, 1, 3, 1, 4, 1 },
        { 3, 3, 12, 14, 17, 3, 3, 1, 1, 1, 0, 0, 3, 1 }, { 2, 5, 11, 9, 20, 2, 3, 1, 1, 1, 0, 0, 5, 0 },
        { 4, 6, 7, 13, 40, 2, 3, 1, 1, 1, 0, 0, 6, 1 }, { 2, 2, 15, 8, 12, 5, 3, 2, 2, 1, 0, 0, 7, 1 },
        { 9, 3, 0, 40, 12, 1, 7, 2, 3, 1, 0, 0, 0, 1 }, { 4, 3, 16, 16, 33, 5, 5, 1, 2, 1, 4, 1, 0, 0 },
        { 2, 1, 40, 36, 16, 3, 3, 1, 1, 1, 3, 3, 0, 1 }, { 3, 1, 12, 12, 24, 9, 9, 1, 4, 1, 2, 2, 0, 1 },
        { 3, 24, 12, 11, 10, 3, 3, 1, 1, 1, 0, 0, 0, 1 }, { 2, 64, 9, 20, 16, 3, 3, 1, 1, 1, 0, 0, -1, 1 },
        { 2, 40, 11, 7, 3, 3, 2, 2, 2, 1, 0, 0, 0, 0 }, { 5, 33, 0, 50, 16, 1, 5, 1, 2, 1, 0, 0, 0, 1 },
        { 3, 3, 1, 40, 12, 1, 5, 3, 1, 1, 0, 0, 0, 1 }, { 16, 3, 1, 256, 64, 3, 3, 1, 1, 1, 3, 3, 0, 1, 1, 1 },
        { 3, 16, 33, 40, 16, 3, 3, 1, 1, 1, 0, 0, 0, 1 }, { 2, 104, 13, 37, 17, 3, 3, 2, 1, 1, 0, 0, -1, 1 },
        { 5, 8, 7, 150, 32, 5, 3, 3, 2, 2, 0, 0, -1, 1 }, { 9, 136, 5, 4, 24, 3, 3, 1, 2, 1, 0, 0, -1, 0 },
        { 3, 16, 64, 56, 1, 1, 1, 1, 0, 1, 0, 0, -1, 1 }, { 4, 24, 50, 60, 13, 1, 1, 2, 0, 1, 0, 0, 0, 1 },
        { 3, 48, 0, 700, 6, 1, 7, 1, 3, 1, 0, 0, 0, 1 }, { 40, 32, 4, 4, 8, 3, 3, 1, 1, 1, 0, 0, -1, 1 },
        { 264, 3, 1, 256, 64, 3, 3, 1, 1, 1, 3, 3, 0, 1, 1, 1 },
        { 700, 1, 28, 28, 32, 3, 3, 1, 1, 1, 2, 2, 0, 1 }, { 64, 3, 64, 64, 32, 3, 3, 1, 1, 1, 2, 2, 0, 1 },
        { 100, 3, 32, 32, 64, 3, 3, 1, 1, 1, 0, 0, 0, 1 }, { 8, 3, 224, 224, 64, 7, 7, 2, 3, 1, 0, 0, -1, 1 },
    };
    const int count = (int)(sizeof shapes / sizeof *shapes) - (small ? 5 : 0);
    char label[32];
    if (device == GTR_DEVICE_CPU) return;
    for (int p = 0; p < 4; p++) for (int i = 0; i < count; i++) {
        if (small && p % 3 == 0 && i % 3) continue;         /* FP32, FP16 */
        snprintf(label, sizeof label, "shape %d", i);
        as_on_cpu(few_run, precisions[p], shapes[i], names, shapes[i][12] <= 0 ? 1e-6 : ratios[p], false, label);
    }
}
static void all(void)
{
    RUN(folded);
    RUN(not_carried);
    RUN_IN_PARTS(pools);
    RUN(in_place);
    RUN(held_at_most);
    RUN(made_again);
    RUN(rows_of_pixels);
    RUN(between);
    RUN(training);
    RUN(places);
    RUN(dropped);
    RUN(low_precision);
    RUN(predictors);
    RUN(plans);
    RUN(rearrangements);
    RUN(passed_on);
    RUN(pixels);
    RUN(large);
    RUN(uneven);
    RUN(lean_copies);
    RUN(no_numbers);
    RUN(shared_lines);
    RUN(epilogues);
    RUN(norms);
    RUN(few_channels);
}
int main(int argc, char **argv)
{
    check_begin(argc, argv);
    small = getenv("GTR_TEST_SMALL") != NULL;
    check_devices(all, &device);
    return check_done();
}
