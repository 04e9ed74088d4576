/* Networks that a chain takes: products, element-wise ops and losses that are local to rows, forward and backward in
   one launch. Graphs of every kind that has a name here, and drawn ones: their gradients against nodes in the same
   precision and in float32, steps behind them, the same bits in every run. On the CPU there are no chains: there a few
   cases compare nodes with nodes. DRAWS: how many graphs are drawn. */
#include "private.h"
#include "check.h"
#include "device.h"
#include "matchers.h"

typedef gtr_tensor *tensor;
#ifndef DRAWS
#define DRAWS 60
#endif
enum { MOST_INPUTS = 6 };
/* What a network is built in: its inputs and, while it is built, a source of names and of draws. */
typedef struct build {
    gtr_context *ctx; tensor input[MOST_INPUTS]; int64_t width[MOST_INPUTS]; int n_inputs, names; uint32_t draw;
} build;

static tensor input(build *b, int64_t width)      /* 0: labels */
{
    char name[16];
    const int i = b->n_inputs++;
    snprintf(name, sizeof name, "in%d", i);
    b->width[i] = width;
    return b->input[i] = gtr_input(b->ctx, name, width ? GTR_F32 : GTR_I32,
        width ? gtr_shape2(GTR_BATCH, width) : gtr_shape1(GTR_BATCH));
}
static const char *fresh(build *b)
{
    static char name[16];
    snprintf(name, sizeof name, "l%d", b->names++);
    return name;
}
static tensor linear(build *b, tensor x, int64_t out) { return gtr_linear(x, fresh(b), out); }
static tensor classes(build *b, tensor h, int64_t n) { return gtr_cross_entropy(linear(b, h, n), input(b, 0)); }
static tensor squares(build *b, tensor h, int64_t n) { return gtr_mse(linear(b, h, n), input(b, n)); }

static bool stripped;       /* chains are those whose warps have rows of their own, networks of few weights */
static tensor residual(build *b)
{
    tensor h = linear(b, input(b, 84), 96);
    for (int i = 0; i < 3; i++) h = gtr_add(h, linear(b, gtr_gelu(linear(b, h, 160)), 96));
    return classes(b, h, 10);
}
static tensor heads(build *b)
{
    tensor h = gtr_tanh(linear(b, gtr_tanh(linear(b, input(b, 24), 128)), 128));
    return gtr_add(gtr_add(classes(b, h, 6), gtr_scale(squares(b, h, 1), 0.5f, 0)),
        squares(b, gtr_sigmoid(linear(b, h, 20)), 3));
}
static tensor shared(build *b)
{
    tensor h = gtr_tanh(gtr_linear(input(b, 40), "s", 40));
    for (int i = 0; i < 4; i++)
        h = gtr_tanh(gtr_linear_with(h, gtr_parameter_find(b->ctx, "s.weight"), gtr_parameter_find(b->ctx, "s.bias")));
    return classes(b, h, 3);
}
static tensor deep(build *b)
{
    tensor h = input(b, 33);
    for (int i = 0; i < 40; i++) h = gtr_tanh(linear(b, h, 33));
    return squares(b, h, 2);
}
/* A recurrence over columns of one input, which begin anywhere, and are operands of products and others. */
static tensor unrolled(build *b)
{
    tensor x = input(b, 58), h = gtr_tanh(gtr_linear(gtr_slice(x, 1, 0, 7), "x", 8)), part;
    for (int i = 1; i < 6; i++) {
        part = gtr_linear_with(gtr_slice(x, 1, 7 * i, 7 * i + 7), gtr_parameter_find(b->ctx, "x.weight"), NULL);
        h = gtr_tanh(gtr_add(part, i == 1 ? gtr_linear(h, "h", 8)
            : gtr_linear_with(h, gtr_parameter_find(b->ctx, "h.weight"), gtr_parameter_find(b->ctx, "h.bias"))));
    }
    h = gtr_mul(h, gtr_slice(x, 1, 44, 52));
    part = gtr_split(gtr_slice(x, 1, 2, 26), 1, 3);
    return squares(b, gtr_tanh(gtr_add(linear(b, h, 8), gtr_sub(gtr_output(part, 2), part))), 3);
}
/* Of a row's outputs the one that an id names, below 2 as labels are, in two ways. */
static tensor picked(build *b)
{
    tensor h = gtr_tanh(linear(b, input(b, 19), 70)), q = linear(b, h, 5), ids = gtr_reshape(input(b, 0),
        gtr_shape2(GTR_BATCH, 1)), one = gtr_gather(q, 1, ids), rest = gtr_gather(gtr_tanh(linear(b, h, 90)), 1, ids);
    return gtr_add(gtr_mse(one, input(b, 1)), squares(b, gtr_tanh(gtr_mul(linear(b, h, 1), rest)), 1));
}
static tensor thin(build *b) { return squares(b, gtr_gelu_tanh(linear(b, gtr_tanh(linear(b, input(b, 1), 1)), 3)), 1); }
static tensor broad(build *b) { /* without ReLU: of few rows, one that rounding decides the other way is too much */
    return squares(b, gtr_tanh(linear(b, gtr_sigmoid(linear(b, input(b, 50), 1000)), 36)), 7);
}
static tensor dropped(build *b)
{
    tensor h = input(b, 64);
    for (int i = 0; i < 3; i++) {
        char name[16]; snprintf(name, sizeof name, "d%d", i); h = gtr_dropout(gtr_tanh(linear(b, h, 120)), name, 0.3f);
    }
    return classes(b, h, 10);
}
static tensor gated(build *b)
{
    tensor h = gtr_sigmoid(linear(b, input(b, 37), 91)), k = gtr_tanh(linear(b, h, 45)),
        m = gtr_sub(gtr_scale(gtr_mul(k, linear(b, h, 45)), 0.5f, 0.1f), k);
    const gtr_init half = { GTR_INIT_UNIFORM, 0.5f, false };
    m = gtr_add(gtr_mul(m, gtr_exp(gtr_scale(k, 0.1f, 0))), gtr_parameter(b->ctx, "row", gtr_shape1(45), half));
    return gtr_add(gtr_scale(classes(b, m, 13), 0.7f, 0), gtr_bce_with_logits(linear(b, m, 5), input(b, 5)));
}
static const int last_axis = 1;
static tensor along(tensor x, bool keep) { return gtr_logsumexp(x, &last_axis, 1, keep); }
/* A density of so many components: log_softmax, what each row has one of, a mean as the loss. */
static tensor mixture(build *b, int n)
{
    tensor h = gtr_tanh(linear(b, gtr_tanh(linear(b, input(b, 8), 64)), 64)), width = linear(b, h, n),
        share = gtr_log_softmax(linear(b, h, n), 1),
        z = gtr_mul(gtr_sub(linear(b, h, n), input(b, 1)), gtr_exp(gtr_scale(width, -1, 0)));
    return gtr_scale(gtr_mean(along(gtr_add(share, gtr_sub(gtr_scale(gtr_square(z), -0.5f, 0), width)), false), NULL, 0,
        false), -1, 0);
}
static tensor mixture_of_3(build *b) { return mixture(b, 3); }
static tensor mixture_of_5(build *b) { return mixture(b, 5); }
static tensor energies(build *b) /* of more columns than a warp has lanes; two losses */
{
    tensor h = gtr_tanh(linear(b, input(b, 19), 70)), e = linear(b, h, 150);
    return gtr_add(gtr_mean(gtr_add(along(e, true), gtr_tanh(along(gtr_scale(e, 0.2f, -5), true))), NULL, 0, false),
        gtr_scale(gtr_sum(linear(b, h, 3), NULL, 0, false), 1e-2f, 0));
}
static tensor attended(build *b) /* softmax between layers, which others read, too */
{
    tensor h = gtr_tanh(linear(b, input(b, 30), 48)), p = gtr_softmax(linear(b, h, 40), 1),
        q = gtr_softmax(gtr_scale(linear(b, gtr_add(linear(b, p, 48), h), 33), 2, 0), 1);
    return gtr_add(squares(b, q, 3), classes(b, gtr_add(gtr_mul(h, linear(b, p, 48)), linear(b, q, 48)), 7));
}
/* Operands of one column: inputs, of a layer, sums and means of rows, and their gradients. */
static tensor columns(build *b)
{
    tensor x = input(b, 1), h = gtr_tanh(linear(b, input(b, 12), 36)), one = gtr_tanh(linear(b, h, 1)),
        k = gtr_sub(gtr_mul(h, x), gtr_add(one, linear(b, h, 36)));
    k = gtr_sub(k, gtr_mean(k, &last_axis, 1, true));
    k = gtr_mul(gtr_sub(gtr_scale(one, 0.5f, 1), gtr_tanh(k)), gtr_sum(gtr_scale(h, 0.1f, 0), &last_axis, 1, true));
    return squares(b, gtr_mul(linear(b, k, 20), gtr_sigmoid(linear(b, k, 1))), 5);
}
/* Rows that are joined and cut: of layers and inputs, of one column, from any column on, by several readers. */
static tensor joined(build *b)
{
    tensor x = input(b, 13), h = gtr_tanh(linear(b, x, 27)), k = gtr_sigmoid(linear(b, h, 1)), part[4], all, two;
    part[0] = h; part[1] = x; part[2] = k; part[3] = gtr_scale(h, 0.5f, 0.1f);
    all = gtr_concat(part, 4, 1);
    two = gtr_split(gtr_slice(gtr_tanh(linear(b, all, 44)), 1, 3, 43), 1, 4); /* nobody reads the last part */
    part[0] = gtr_output(two, 1); part[1] = gtr_mul(gtr_slice(all, 1, 30, 40), gtr_output(two, 2));
    return gtr_add(squares(b, gtr_concat(part, 2, 1), 4), gtr_scale(squares(b, gtr_add(two, gtr_slice(all, 1, 0, 10)),
        2), 0.3f, 0));
}
/* Parts of whole four columns; a part in front of others is the next layer's alone. */
static tensor joined_even(build *b)
{
    tensor h = gtr_tanh(linear(b, input(b, 16), 32)), part[3];
    part[0] = gtr_gelu(linear(b, h, 16)); part[1] = gtr_slice(h, 1, 8, 24); part[2] = input(b, 8);
    return classes(b, gtr_tanh(linear(b, gtr_concat(part, 3, 1), 40)), 6);
}
/* A variational autoencoder: halves of a layer, numbers that are drawn, two losses, of which one's gradient comes
   behind the other's. */
static tensor variational(build *b, int64_t n, int64_t code)
{
    tensor x = input(b, n), h = linear(b, gtr_tanh(linear(b, x, 40)), 2 * code), mean = gtr_slice(h, 1, 0, code),
        logs = gtr_slice(h, 1, code, 2 * code),
        z = gtr_add(mean, gtr_mul(gtr_random_normal(mean, "z"), gtr_exp(gtr_scale(logs, 0.5f, 0)))),
        far = gtr_sub(gtr_add(gtr_square(mean), gtr_exp(logs)), gtr_scale(logs, 1, 1));
    return gtr_add(gtr_mse(linear(b, gtr_tanh(linear(b, z, 40)), n), x),
        gtr_scale(gtr_mean(far, NULL, 0, false), 0.05f, 0));
}
static tensor variational_odd(build *b) { return variational(b, 23, 7); }
static tensor variational_even(build *b) { return variational(b, 24, 8); }
static tensor noisy(build *b)
{
    tensor h = gtr_tanh(linear(b, input(b, 9), 30)), u = gtr_random_uniform(h, "u"), g = gtr_random_gumbel(h, "g");
    return squares(b, gtr_softmax(linear(b, gtr_add(gtr_mul(h, u), gtr_scale(g, 0.1f, 0)), 30), 1), 3);
}
/* What a chain takes, may be in the middle of, or has to leave alone. */
static tensor drawn_op(build *b, int op, tensor x, tensor other, int64_t n, bool alike)
{
    static const int last = 1;
    static const gtr_init init = { GTR_INIT_UNIFORM, 0.5f, false };
    const gtr_linear_desc bare = { n, true };
    tensor y;
    switch (op) {
    case 0: return gtr_tanh(x);
    case 1: return gtr_gelu(x);
    case 2: return gtr_scale(x, -0.8f, 0.3f); /* no ReLU: rounding puts some units on its other side */
    case 3: return gtr_scale(gtr_sigmoid(x), 0.7f, -0.2f);
    case 4: return alike ? gtr_add(x, other) : gtr_gelu_tanh(x);
    case 5: return alike ? gtr_mul(gtr_tanh(x), other) : gtr_exp(gtr_scale(gtr_tanh(x), 0.3f, 0));
    case 6: return alike ? gtr_sub(other, x) : gtr_log(gtr_scale(gtr_sigmoid(x), 1, 0.5f));
    case 7: return gtr_dropout(x, fresh(b), 0.3f);
    case 8: return gtr_add(x, gtr_parameter(b->ctx, fresh(b), gtr_shape1(n), init));
    case 9: return gtr_linear_ex(x, fresh(b), bare);
    case 10: return gtr_sub(x, linear(b, gtr_tanh(linear(b, x, 24)), n));
    /* a weight that is used twice, as it is and squared */
    case 11:
        y = gtr_parameter(b->ctx, fresh(b), gtr_shape2(n, n), init);
        return gtr_scale(gtr_add(gtr_linear_with(gtr_tanh(gtr_linear_with(x, y, NULL)), y, NULL),
            gtr_linear_with(x, gtr_mul(y, y), NULL)), 0.3f, 0);
    case 12: return gtr_mul(x, gtr_parameter(b->ctx, fresh(b), gtr_shape1(n), init));
    case 13: return gtr_mul(x, gtr_parameter(b->ctx, fresh(b), gtr_shape1(1), init));
    case 14: return gtr_batch_norm(x, fresh(b));
    case 15: return gtr_softmax(x, 1);
    case 16: return gtr_div(x, gtr_scale(gtr_sigmoid(alike ? other : x), 1, 0.5f));
    case 17: return gtr_sub(x, gtr_mean(x, &last, 1, true));
    case 18: return gtr_add(x, gtr_stop_gradient(gtr_tanh(x)));
    case 19:
        gtr_recompute_begin(b->ctx);
        y = gtr_tanh(linear(b, x, 16));
        gtr_recompute_end(b->ctx);
        return linear(b, y, n);
    case 20: { tensor both[2]; both[0] = x; both[1] = gtr_tanh(x); return linear(b, gtr_concat(both, 2, 1), n); }
    case 21: return n % 2 ? x : gtr_reshape(gtr_tanh(gtr_reshape(x, gtr_shape3(GTR_BATCH, 2, n / 2))), x->shape);
    default: return linear(b, n > 1 ? gtr_slice(x, 1, n / 2, n) : x, n);
    }
}
enum { DRAWN_OPS = 23, DRAWN_LOSSES = 5 };
static tensor drawn_loss(build *b, int kind, tensor h, int n)
{
    gtr_cross_entropy_desc smooth;
    memset(&smooth, 0, sizeof smooth);
    smooth.label_smoothing = 0.1f; smooth.ignore_index = 1;
    if (kind == 0) return classes(b, h, 1 + n);
    if (kind == 1) return gtr_scale(gtr_cross_entropy_ex(linear(b, h, 1 + n), input(b, 0), smooth), 0.6f, 0.1f);
    if (kind == 2) return gtr_bce_with_logits(linear(b, h, n), input(b, n));
    if (kind == 3) return gtr_mse(linear(b, h, n), gtr_tanh(linear(b, h, n)));
    return squares(b, h, n);
}
/* Values of a few widths; each op takes what was drawn, and the last few values have a head each. */
static tensor drawn(build *b)
{
    enum { VALUES = 24 };
    tensor value[VALUES], loss = NULL;
    int64_t width[VALUES];
    int n = 1, i;
    const int all = 6 + (int)(b->draw % 18);
    const int local = b->draw % 3 ? 14 : DRAWN_OPS; /* two of three of what a chain takes, or but for its gradient */
    uint32_t s = b->draw * 2654435761u + 12345;
#define DRAW(k) (int)(((s = s * 1664525u + 1013904223u) >> 8) % (uint32_t)(k))
    width[0] = 1 + DRAW(70);
    value[0] = input(b, width[0]);
    for (; n < all; n++) {
        const int from = n - 1 - DRAW(n < 3 ? n : 3), other = DRAW(n), op = DRAW(3 * local / 2);
        width[n] = width[from];
        if (op < local && (n > 1 || DRAW(2)))
            value[n] = drawn_op(b, op, value[from], value[other], width[n], width[other] == width[n]);
        else {
            width[n] = stripped ? 1 + DRAW(40) : DRAW(3) ? 8 * (1 + DRAW(20)) : 1 + DRAW(150);
            value[n] = linear(b, value[from], width[n]);
        }
        if (!DRAW(4)) value[n] = activation(DRAW(SMOOTH_ACTS), value[n]);       /* behind a layer, or in a tail */
    }
    for (i = 0; i < 1 + (int)(b->draw % 3); i++) {
        const int kind = DRAW(DRAWN_LOSSES), wide = 1 + DRAW(12);
        tensor one = drawn_loss(b, kind, value[n - 1 - i], wide);
        loss = !loss ? one : DRAW(4) ? gtr_add(loss, one) : gtr_mul(loss, one);
    }
#undef DRAW
    return loss;
}
static tensor norm(build *b, tensor x) { return gtr_batch_norm(x, fresh(b)); }
/* Normed layers: a bias or none, an activation or none, one of a large mean; widths that end inside a tile. */
static tensor normed(build *b)
{
    const gtr_linear_desc bare = { 200, true };
    tensor h = gtr_tanh(norm(b, linear(b, input(b, 64), 96)));
    h = gtr_gelu(norm(b, gtr_linear_ex(h, fresh(b), bare)));
    h = norm(b, linear(b, h, 72));
    return classes(b, gtr_sigmoid(norm(b, gtr_scale(linear(b, h, 136), 30, 500))), 12);
}
/* A norm's input is the residual stream, and its gradient is added to that's. */
static tensor normed_residual(build *b)
{
    tensor h = linear(b, input(b, 48), 128);
    for (int i = 0; i < 3; i++)
        h = gtr_add(h, linear(b, gtr_tanh(linear(b, gtr_tanh(norm(b, h)), 64)), 128));
    return squares(b, h, 8);
}
/* Rows of no whole 16 bytes, a norm whose output two products read. */
static tensor normed_odd(build *b)
{
    tensor h = gtr_tanh(norm(b, linear(b, input(b, 37), 91))), k = linear(b, h, 80);
    h = norm(b, gtr_add(k, linear(b, h, 80)));
    return gtr_add(squares(b, gtr_tanh(h), 6), classes(b, h, 5));
}
/* The end of a network in one launch: see last_layers. */
static tensor hidden(build *b, int64_t in, int64_t width)
{
    return linear(b, gtr_tanh(linear(b, input(b, in), 24)), width);
}
static tensor head_classes(build *b) { return classes(b, gtr_relu(hidden(b, 20, 128)), 10); }
static tensor head_many(build *b) { return classes(b, gtr_tanh(hidden(b, 20, 72)), 100); }
static tensor head_most(build *b) { return classes(b, gtr_sigmoid(hidden(b, 20, 232)), 128); }
static tensor head_too_many(build *b) { return classes(b, gtr_relu(hidden(b, 20, 64)), 129); }
static tensor head_odd(build *b) { return classes(b, gtr_gelu(hidden(b, 20, 37)), 7); }
static tensor head_one(build *b) { return squares(b, gtr_relu(hidden(b, 20, 40)), 1); }
static tensor head_straight(build *b) { return squares(b, gtr_scale(hidden(b, 20, 52), 2, 1), 33); }
static tensor head_alone(build *b) { return classes(b, input(b, 50), 18); }
static tensor head_binary(build *b)
{
    return gtr_bce_with_logits(linear(b, gtr_gelu(hidden(b, 20, 48)), 5), input(b, 5));
}
static tensor head_smooth(build *b)
{
    gtr_cross_entropy_desc smooth;
    gtr_linear_desc bare = { 20, true };
    memset(&smooth, 0, sizeof smooth);
    smooth.label_smoothing = 0.1f; smooth.ignore_index = 1;
    const tensor h = gtr_relu(hidden(b, 20, 33));
    return gtr_cross_entropy_ex(gtr_linear_ex(h, fresh(b), bare), input(b, 0), smooth);
}
static tensor head_itself(build *b)            /* its target is what it reads */
{
    const tensor y = linear(b, gtr_relu(hidden(b, 20, 32)), 6);
    return gtr_add(gtr_mse(y, gtr_stop_gradient(y)), classes(b, gtr_relu(hidden(b, 20, 16)), 5));
}
static tensor head_wide_and_small(build *b)    /* of which one takes more shared memory than the other */
{
    return gtr_add(classes(b, gtr_relu(hidden(b, 20, 1024)), 10), classes(b, gtr_tanh(hidden(b, 20, 300)), 10));
}
static tensor head_two(build *b)
{
    tensor h = gtr_relu(hidden(b, 20, 64));
    return gtr_add(classes(b, gtr_relu(linear(b, h, 48)), 9), squares(b, gtr_tanh(linear(b, h, 16)), 3));
}
static tensor head_five(build *b)      /* more than have a ticket */
{
    tensor h = gtr_relu(hidden(b, 20, 40)), loss = classes(b, h, 4);
    for (int i = 0; i < 4; i++) {
        tensor k = gtr_tanh(linear(b, h, 24 + i));
        loss = gtr_add(loss, i % 2 ? classes(b, k, 3 + i) : squares(b, k, 2));
    }
    return loss;
}
/* Few weights, whose gradients a block's registers hold. */
static tensor narrow_tanh(build *b)
{
    tensor h = input(b, 3);
    for (int i = 0; i < 3; i++) h = gtr_tanh(linear(b, h, 32));
    return squares(b, h, 1);
}
static tensor narrow_residual(build *b)
{
    const gtr_linear_desc bare = { 24, true };
    tensor h = gtr_gelu(linear(b, input(b, 17), 24));
    h = gtr_add(h, gtr_sigmoid(gtr_linear_ex(h, fresh(b), bare)));
    return gtr_add(gtr_scale(classes(b, gtr_mul(h, gtr_tanh(linear(b, h, 24))), 6), 0.5f, 0), squares(b, h, 2));
}
static tensor narrow_shared(build *b)
{
    tensor h = gtr_tanh(gtr_linear(input(b, 20), "s", 20)), w = gtr_parameter_find(b->ctx, "s.weight");
    h = gtr_dropout(gtr_tanh(gtr_linear_with(h, w, gtr_parameter_find(b->ctx, "s.bias"))), "drop", 0.2f);
    return gtr_bce_with_logits(linear(b, gtr_linear_with(h, w, NULL), 5), input(b, 5));
}
static tensor narrow_wide(build *b)
{
    return classes(b, gtr_tanh(linear(b, gtr_tanh(linear(b, input(b, 40), 64)), 64)), 10);
}
static tensor narrow_picked(build *b)
{
    tensor h = gtr_tanh(linear(b, input(b, 19), 33)), ids = gtr_reshape(input(b, 0), gtr_shape2(GTR_BATCH, 1));
    return gtr_mse(gtr_gather(linear(b, h, 5), 1, ids), input(b, 1));
}
static tensor narrow_joined(build *b)
{
    tensor x = input(b, 5), h = gtr_tanh(linear(b, x, 22)), part[3];
    part[0] = gtr_slice(h, 1, 3, 17); part[1] = x; part[2] = linear(b, h, 1);
    return squares(b, gtr_tanh(linear(b, gtr_concat(part, 3, 1), 30)), 2);
}
enum { ALL = 2 };      /* taken: by one chain, with all layers */
typedef struct network { const char *name; tensor (*make)(build *b); int64_t batch; int micro, taken; } network;
static const network networks[] = {
    { "residual", residual, 128, 1, true }, { "heads", heads, 64, 1, true }, { "shared weights", shared, 50, 1, true },
    { "unrolled", unrolled, 45, 1, true }, { "picked", picked, 61, 1, true },
    { "gated", gated, 77, 1, true }, { "deep", deep, 32, 1, true }, { "dropout", dropped, 100, 1, true },
    { "thin", thin, 3, 1, true }, { "broad", broad, 9, 1, true }, { "one row", residual, 1, 1, true },
        { "heads, micro-batches", heads, 70, 3, false },
    { "dropout, micro-batches", dropped, 33, 2, false }, { "many rows", heads, 5000, 1, true },
        { "residual, a row more", residual, 257, 1, true }, { "norms", normed, 256, 1, false },
    { "norms, few rows", normed, 5, 1, false }, { "norms, rows that end in a tile", normed, 301, 1, false },
    { "norms, many rows", normed, 1100, 1, false }, { "norms, micro-batches", normed, 257, 3, false },
    { "mixture of 5", mixture_of_5, 61, 1, ALL }, { "mixture of 3", mixture_of_3, 300, 1, ALL },
    { "mixture of 5, one row", mixture_of_5, 1, 1, ALL }, { "energies", energies, 37, 1, ALL },
    { "softmax in the middle", attended, 45, 1, ALL }, { "softmax, many rows", attended, 2100, 1, ALL },
    { "narrow", narrow_tanh, 29, 1, ALL }, { "narrow, many rows", narrow_tanh, 3001, 1, ALL },
    { "joined", joined, 53, 1, ALL }, { "joined, many rows", joined, 2500, 1, ALL },
    { "joined, whole fours", joined_even, 40, 1, ALL }, { "joined, one row", joined, 1, 1, ALL },
    { "variational", variational_odd, 50, 1, ALL }, { "variational, whole fours", variational_even, 300, 1, ALL },
    { "variational, micro-batches", variational_odd, 50, 2, false }, { "noisy", noisy, 41, 1, ALL },
    { "columns, one row", columns, 1, 1, true }, { "mixture, micro-batches", mixture_of_3, 50, 2, false },
    { "norms in residuals", normed_residual, 256, 1, true },
    { "norms in residuals, micro-batches", normed_residual, 130, 2, false },
    { "norms, odd widths", normed_odd, 200, 1, false },
};
enum { N_NETWORKS = sizeof networks / sizeof *networks };
static const network ends[] = {
    { "10 classes, an odd batch", head_classes, 37, 1, true }, { "100 classes", head_many, 50, 1, true },
    { "128 classes", head_most, 130, 1, true }, { "129 classes", head_too_many, 16, 1, false },
    { "an odd width", head_odd, 33, 1, true }, { "one output", head_one, 48, 1, true },
    { "no activation", head_straight, 65, 1, true }, { "no hidden layer", head_alone, 29, 1, true },
    { "logits of pairs", head_binary, 31, 1, true }, { "ignored labels", head_smooth, 70, 1, true },
    { "two of them", head_two, 40, 1, true },
    { "five of them", head_five, 36, 1, true }, { "one row", head_classes, 1, 1, true },
    { "a target of its own", head_itself, 21, 1, true }, { "wide and small", head_wide_and_small, 40, 1, true },
    { "micro-batches", head_smooth, 77, 3, true }, { "pairs, micro-batches", head_binary, 50, 2, true },
    { "many rows", head_classes, 1100, 1, true },
};
enum { N_ENDS = sizeof ends / sizeof *ends };

static bool heading;        /* the matcher of last layers alone is tried, in place of chains */
static gtr_trainer *trainer_of(build *b, const network *c, uint32_t draw, gtr_precision precision, bool nodes)
{
    gtr_trainer_desc d;
    memset(&d, 0, sizeof d);
    memset(b, 0, sizeof *b);
    gtr_group first = { "", 0, 0, true };
    d.lr = 0.01f; d.precision = precision; d.no_matchers = nodes; d.micro_batches = c->micro; d.loss_scale = 64;
    if (draw % 5 == 1) d.clip_norm = 0.5f;
    b->ctx = gtr_create(desc0());
    b->ctx->caps.chains = nodes || heading ? 0 : stripped ? 2 : 1;
    if (heading) b->ctx->caps.without = ~matcher_bit(b->ctx, LAST_LAYER);
    if (stripped) b->ctx->caps.without = matcher_bit(b->ctx, "narrow multilayer perceptron, steps in one launch");
    b->draw = draw;
    tensor loss = c->make(b);
    if (draw % 11 == 3) {
        first.pattern = gtr_tensor_name(gtr_parameter_at(b->ctx, 0)); d.groups = &first; d.n_groups = 1;
    }
    return gtr_trainer_create(loss, d);
}
static void set_inputs(build *b, int64_t rows, uint32_t seed)
{
    for (int i = 0; i < b->n_inputs; i++) {
        const int64_t n = rows * (b->width[i] ? b->width[i] : 1);
        gtr_float *x = (gtr_float *)malloc((size_t)n * sizeof *x);
        int32_t *y = (int32_t *)malloc((size_t)n * sizeof *y);
        for (int64_t k = 0; k < n; k++) { x[k] = (gtr_float)noise(&seed); y[k] = (int32_t)(k % 2); }
        EXPECT_EQ(b->width[i] ? gtr_set(b->input[i], x, (size_t)n * sizeof *x)
            : gtr_set(b->input[i], y, (size_t)n * sizeof *y), GTR_OK);
        free(x); free(y);
    }
}
enum { STEPS = 3 };
/* Gradients of a first step, one behind another, and losses of STEPS more. */
static gtr_float *gradients(build *b, gtr_trainer *t, int64_t batch, int64_t *count, float *loss)
{
    const int64_t n = gtr_parameter_count(b->ctx);
    gtr_float *g, *at;
    *count = 0;
    for (int64_t i = 0; i < n; i++) *count += (int64_t)(gtr__bytes_of(gtr_parameter_at(b->ctx, i)) / sizeof *g);
    g = at = (gtr_float *)calloc((size_t)*count + 1, sizeof *g);
    set_inputs(b, batch, 5);
    EXPECT_EQ(gtr_step(t), GTR_OK); /* gtr_backward would go by nodes */
    for (int64_t i = 0; i < n; i++) {
        tensor p = gtr_parameter_at(b->ctx, i);
        /* drawn values may be in nobody's way to the loss */
        if (gtr__trainer_index(t, p) >= 0) EXPECT_EQ(gtr_gradient_get(t, p, at, gtr__bytes_of(p)), GTR_OK);
        at += gtr__bytes_of(p) / sizeof *g;
    }
    loss[0] = gtr_loss(t);
    for (int i = 1; i <= STEPS; i++) {
        set_inputs(b, batch, 5 + (uint32_t)i); EXPECT_EQ(gtr_step(t), GTR_OK); loss[i] = gtr_loss(t);
    }
    EXPECT_OK(b->ctx);
    return g;
}
/* Whether this device has the instructions and the shared memory. */
static bool able(const gtr_context *ctx) {
    return ctx->caps.cuda && ctx->caps.compute >= 80 && ctx->caps.shared >= 160 << 10;
}
static bool chained(gtr_trainer *t, int64_t batch) {
    const char *text = gtr_plan_text(t, batch); return text && strstr(text, heading ? "[" LAST_LAYER "]" : "[chain]");
}
static double off(const gtr_float *a, const gtr_float *b, int64_t n)
{
    double err = 0, all = 1e-60;
    for (int64_t i = 0; i < n; i++) {
        err += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]); all += (double)b[i] * (double)b[i];
    }
    return err / all;
}
/* No parameter's gradient is further off than ten times as far as all are, or as it is by nodes: g of a chain, nodes,
   in float32. */
static void each_gradient(const build *b, gtr_float *const *g, const char *name, uint32_t draw, double nmse, int64_t n)
{
    double all = 0;
    int64_t at = 0, count;
    for (int64_t i = 0; i < n; i++) all += (double)g[2][i] * (double)g[2][i];
    for (int64_t i = 0; i < gtr_parameter_count(b->ctx); i++, at += count) {
        const tensor p = gtr_parameter_at(b->ctx, i);
        double power = 0;
        count = (int64_t)(gtr__bytes_of(p) / sizeof **g);
        for (int64_t k = 0; k < count; k++) power += (double)g[2][at + k] * (double)g[2][at + k];
        const double ours = off(g[0] + at, g[2] + at, count) * power, nodes = off(g[1] + at, g[2] + at, count) * power;
        CHECK(ours <= 10 * nodes + 10 * nmse * (power + 1e-3 * all * (double)count / (double)n) + 1e-30,
            "%s %u: gradient of \"%s\", square error to float32 %.3g of %.3g, by nodes %.3g", name, draw,
            gtr_tensor_name(p), ours, power, nodes);
    }
}
/* The chain's error to float32 is at most three times that of nodes in the same precision, and a rounding of all. Its
   gradient: off[0] is not a number if one is missing. */
static bool compare(const network *c, uint32_t draw, gtr_precision precision)
{
    static const double limit[] = { 1e-10, 1e-6, 2e-5, 5e-7 };
    build b[4];         /* the chain, nodes, nodes in float32, the chain again */
    gtr_float *g[4] = { NULL, NULL, NULL, NULL };
    float loss[4][STEPS + 1];
    int64_t n = 0;
    int k, made = 0;
    bool is = false;
    for (k = 0; k < 4; k++) {
        gtr_trainer *t = trainer_of(&b[k], c, draw, k == 2 ? GTR_FP32 : precision, k == 1 || k == 2);
        made++;
        if (!t) {
            if (gtr_error(b[k].ctx) == GTR_ERR_UNSUPPORTED) SKIP("%s: %s", c->name, gtr_error_text(b[k].ctx));
            else CHECK(0, "%s: %s", c->name, gtr_error_text(b[k].ctx));
            break;
        }
        g[k] = gradients(&b[k], t, c->batch, &n, loss[k]);
        if (k == 0) is = chained(t, c->batch);
        if (k == 0 && c->taken && able(b[0].ctx) && precision != GTR_FP32)
            CHECK(is && (c->taken != ALL || heading || !strstr(gtr_plan_text(t, c->batch), " linear")),
                "%s: not a chain, or not one of all\n%s", c->name, gtr_plan_text(t, c->batch));
    }
    if (k == 4) {
        const double ours = off(g[0], g[2], n), nodes = off(g[1], g[2], n),
            thinnest = (c->make == thin ? 5 : 1) * limit[precision];    /* nodes round nothing where k is 1 */
        CHECK(ours <= 3 * nodes + (c->make == drawn ? 5 * limit[precision] : thinnest),
            "%s %u, precision %d: NMSE of the gradient to float32 %.3g, by nodes %.3g", c->name, draw,
            (int)precision, ours, nodes);
        each_gradient(&b[0], g, c->name, draw, nodes + thinnest, n);
        for (k = 0; k <= STEPS; k++)
            CHECK(fabs((double)loss[0][k] - (double)loss[2][k]) <= 3 * fabs((double)loss[1][k] - (double)loss[2][k])
                + (precision == GTR_MIXED_BF16 ? 2e-2 : 2e-3) * (fabs((double)loss[2][k]) + 0.1),
                "%s %u, precision %d: loss %d is %.9g, by nodes %.9g, in float32 %.9g", c->name, draw, (int)precision,
                k, (double)loss[0][k], (double)loss[1][k], (double)loss[2][k]);
        CHECK(!memcmp(g[0], g[3], (size_t)n * sizeof **g) && !memcmp(loss[0], loss[3], sizeof loss[0]),
            "%s %u, precision %d: other bits in another run", c->name, draw, (int)precision);
    }
    for (k = 0; k < made; k++) { free(g[k]); gtr_destroy(b[k].ctx); }
    return is;
}
static void kinds(void)
{
    for (int i = 0; i < (device == GTR_DEVICE_CPU ? 4 : N_NETWORKS); i++)
        for (int p = GTR_TF32; p <= GTR_MIXED_FP16; p++)
            if (check_mine(3 * i + p) && (!small || (p == GTR_TF32 + i % 3
                && (i < 4 || (networks[i].taken == ALL && networks[i].batch < 100)))))
                compare(&networks[i], 0, (gtr_precision)p);
}
/* A layer of few outputs, its loss and the gradient of what it reads, by their one kernel. */
static void last_layers(void)
{
    heading = true;
    for (int i = 0; i < N_ENDS && (device != GTR_DEVICE_CPU || i < 2); i++)
        for (int p = GTR_TF32; p <= GTR_MIXED_FP16; p++)
            if (check_mine(3 * i + p))
                CHECK(!compare(&ends[i], 0, (gtr_precision)p) || ends[i].taken, "%s: taken", ends[i].name);
    heading = false;
}
/* Logits that a user reads are those of a step. */
static void last_kept(void)
{
    for (int p = GTR_TF32; p <= GTR_MIXED_FP16; p++) {
        build b;
        gtr_trainer_desc d;
        gtr_float x[2][21 * 11];
        memset(&d, 0, sizeof d);
        memset(&b, 0, sizeof b);
        b.ctx = gtr_create(desc0());
        b.ctx->caps.without = ~matcher_bit(b.ctx, LAST_LAYER);
        tensor logits = linear(&b, gtr_relu(hidden(&b, 20, 72)), 11), y = input(&b, 0), list[1] = { logits },
            loss = gtr_cross_entropy(logits, y);
        gtr_keep(logits);
        d.precision = (gtr_precision)p; d.lr = 1e-9f;
        gtr_trainer *t = gtr_trainer_create(loss, d);
        if (!t) { SKIP("%s", gtr_error_text(b.ctx)); gtr_destroy(b.ctx); continue; }
        set_inputs(&b, 21, 3);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        EXPECT_EQ(gtr_get(logits, x[0], sizeof x[0]), GTR_OK);
        EXPECT_EQ(gtr_eval(list, 1), GTR_OK);
        EXPECT_EQ(gtr_get(logits, x[1], sizeof x[1]), GTR_OK);
        EXPECT(within(x[0], x[1], 21 * 11, p == GTR_MIXED_BF16 ? 1e-4 : 1e-6, p == GTR_MIXED_BF16 ? 5e-2 : 1e-2));
        heading = true;
        if (able(b.ctx)) CHECK(chained(t, 21), "none in\n%s", gtr_plan_text(t, 21));
        heading = false;
        EXPECT_OK(b.ctx);
        gtr_destroy(b.ctx);
    }
}
static void draws(void)
{
    const uint32_t n = small ? 6u : device == GTR_DEVICE_CPU ? DRAWS / 10 : DRAWS;
    int chains = 0;
    bool cuda = false;
    for (uint32_t i = 0; i < n; i++) {
        network c = { "drawn", drawn, 2 + (int64_t)(i * 37 % 300), i % 7 == 5 ? 2 : 1, false };
        chains += compare(&c, i, (gtr_precision)(GTR_TF32 + i % 3));
    }
    gtr_context *ctx = gtr_create(desc0());
    cuda = able(ctx);
    gtr_destroy(ctx);
    if (cuda) CHECK((stripped ? 4 : 2) * chains > (int)n, "%d chains in %u graphs", chains, n);
}
static const network narrow[] = {
    { "narrow", narrow_tanh, 1000, 1, true }, { "narrow residual", narrow_residual, 333, 1, true },
    { "narrow, shared weights", narrow_shared, 40, 1, true }, { "widths of 64", narrow_wide, 200, 1, true },
    { "narrow, picked", narrow_picked, 129, 1, true }, { "thin, one row", thin, 1, 1, true },
    { "narrow, whole tiles", narrow_tanh, 256, 1, true }, { "narrow, micro-batches", narrow_tanh, 150, 2, false },
    { "narrow, many rows", narrow_tanh, 20000, 1, true }, { "narrow, unrolled", unrolled, 300, 1, false },
    { "narrow, mixture", mixture_of_3, 200, 1, true }, { "narrow, joined", narrow_joined, 300, 1, true },
    { "narrow, variational", variational_even, 129, 1, false }, { "narrow, noisy", noisy, 70, 1, true },
};
/* The same by the kernel whose warps have rows of their own, and random ones. */
static void strips(void)
{
    stripped = true;
    for (int i = 0; i < (device == GTR_DEVICE_CPU ? 0 : small ? 6 : (int)(sizeof narrow / sizeof *narrow)); i++)
        for (int p = GTR_TF32; p <= GTR_MIXED_FP16; p++)
            if (check_mine(3 * i + p) && (!small || p == GTR_TF32 + i % 3)) compare(&narrow[i], 0, (gtr_precision)p);
    stripped = false;
}
static void strips_drawn(void)
{
    stripped = true;
    if (device != GTR_DEVICE_CPU) draws();
    stripped = false;
}
/* A value inside that is kept, and what gtr_eval makes of the same tensors. */
static void kept(void)
{
    build b;
    gtr_trainer_desc d;
    gtr_float x[16 * 96], seen[16 * 96];
    memset(&d, 0, sizeof d);
    memset(&b, 0, sizeof b);
    b.ctx = gtr_create(desc0());
    b.ctx->caps.chains = 1;
    tensor h = linear(&b, input(&b, 20), 96), k = gtr_gelu(h), loss = classes(&b, gtr_add(h, linear(&b, k, 96)), 5),
        list[1] = { k };
    gtr_keep(k);
    d.precision = GTR_TF32; d.lr = 1e-9f;
    gtr_trainer *t = gtr_trainer_create(loss, d);
    set_inputs(&b, 16, 3);
    EXPECT_EQ(gtr_step(t), GTR_OK);
    EXPECT_EQ(gtr_get(k, x, sizeof x), GTR_OK);
    EXPECT_EQ(gtr_eval(list, 1), GTR_OK);
    EXPECT_EQ(gtr_get(k, seen, sizeof seen), GTR_OK);
    EXPECT(within(x, seen, 16 * 96, 1e-6, 2e-3));
    EXPECT_OK(b.ctx);
    gtr_destroy(b.ctx);
}
/* Steps that overflow change nothing; the last, smaller batch of a data set; a value that is not finite is named. */
static void guarded(void)
{
    network c = { "residual", residual, 32, 1, true };
    build b;
    gtr_trainer *t = trainer_of(&b, &c, 0, GTR_MIXED_FP16, false);
    static gtr_float before[160 * 96], after[160 * 96];
    if (!t) { SKIP("%s", gtr_error_text(b.ctx)); gtr_destroy(b.ctx); return; }
    tensor w = gtr_parameter_find(b.ctx, "l1.weight");
    set_inputs(&b, 32, 1);
    EXPECT_EQ(gtr_step(t), GTR_OK);
    EXPECT_EQ(gtr_get(w, before, sizeof before), GTR_OK);
    {
        static gtr_float x[32 * 84];
        for (int i = 0; i < 32 * 84; i++) x[i] = (gtr_float)6e4;
        EXPECT_EQ(gtr_set(b.input[0], x, sizeof x), GTR_OK);
    }
    EXPECT_EQ(gtr_step(t), GTR_OK);
    EXPECT_EQ(gtr_wait(b.ctx), GTR_OK);
    EXPECT(gtr_trainer_report(t).skipped);
    EXPECT_EQ(gtr_get(w, after, sizeof after), GTR_OK);
    EXPECT(!memcmp(before, after, sizeof before));
    set_inputs(&b, 11, 2);
    EXPECT_EQ(gtr_step(t), GTR_OK);
    EXPECT_EQ(gtr_wait(b.ctx), GTR_OK);
    EXPECT(!gtr_trainer_report(t).skipped);
    EXPECT_OK(b.ctx);
    gtr_destroy(b.ctx);
}

static int over_layers, over_at;
/* Layers of which each has a weight's and a bias's gradient; under layer over_at lies one of zero weights, whose own
   gradient overflows by the input, 1e38 in all elements. */
static tensor overflowing(build *b)
{
    const gtr_init zero = { GTR_INIT_ZERO, 0, false };
    tensor h = input(b, 32), large = input(b, 32);
    for (int i = 0; i < over_layers; i++) {
        if (i == over_at)
            h = gtr_add(h, gtr_linear_with(large, gtr_parameter(b->ctx, "zero", gtr_shape2(32, 32), zero), NULL));
        h = gtr_tanh(linear(b, h, 32));
    }
    return gtr_scale(squares(b, h, 1), 1e12f, 0);
}
/* A gradient that is not finite is seen in launches of more outputs than a word has bits, wherever among them it is. */
static void many_gradients(void)
{
    static gtr_float large[16 * 32], w[32 * 32];
    for (int i = 0; i < 16 * 32; i++) large[i] = (gtr_float)1e38;
    for (int k = 0; k < (small ? 3 : 15); k++) {
        const network c = { "many gradients", overflowing, 16, 1, true };
        build b;
        over_layers = 21 + 8 * (k / 3 % 3); over_at = k % 3 * (over_layers - 1) / 2;
        gtr_trainer *t = trainer_of(&b, &c, 0, k < 9 ? GTR_TF32 : GTR_FP32, k >= 12);
        if (b.ctx->caps.compute >= 90 && able(b.ctx) && k < 9)
            CHECK(chained(t, 16), "%d layers: no chain", over_layers);
        set_inputs(&b, 16, 1);
        EXPECT_EQ(gtr_set(b.input[1], large, sizeof large), GTR_OK);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        CHECK(gtr_wait(b.ctx) == GTR_ERR_NONFINITE && strstr(gtr_error_text(b.ctx), "\"zero\""),
            "%d layers, zeros under %d: %s", over_layers, over_at, gtr_error_text(b.ctx));
        gtr_error_clear(b.ctx);
        EXPECT_EQ(gtr_get(gtr_parameter_find(b.ctx, "zero"), w, sizeof w), GTR_OK);
        for (int i = 0; i < 32 * 32; i++) if (w[i] != 0) { CHECK(false, "weight %d is %g", i, (double)w[i]); break; }
        gtr_destroy(b.ctx);
    }
}

/* Epochs over a shuffled data set of floats, bytes and labels, of which a loss leaves out some, the last batch smaller,
   with a metric that nobody in the step waits for. */
static void fitted(void)
{
    enum { ROWS = 150, STEPS_FIT = 10 };
    static gtr_float x[ROWS * 84];
    static uint8_t bytes[ROWS * 12];
    static int32_t y[ROWS];
    gtr_report history[2][STEPS_FIT];
    uint32_t seed = 9;
    int i, k;
    for (i = 0; i < ROWS * 84; i++) x[i] = (gtr_float)noise(&seed);
    for (i = 0; i < ROWS * 12; i++) bytes[i] = (uint8_t)(i * 29 + i / 7);
    for (i = 0; i < ROWS; i++) y[i] = i % 7 ? i % 10 : -100;
    for (k = 0; k < 2; k++) {
        build b;
        gtr_trainer_desc d;
        gtr_fit_desc f;
        gtr_arrays_desc a;
        memset(&b, 0, sizeof b); memset(&d, 0, sizeof d); memset(&f, 0, sizeof f); memset(&a, 0, sizeof a);
        b.ctx = gtr_create(desc0());
        b.ctx->caps.chains = 1;
        tensor h = linear(&b, input(&b, 84), 96);
        h = gtr_add(h, linear(&b, input(&b, 12), 96));
        for (i = 0; i < 2; i++) h = gtr_add(h, linear(&b, gtr_gelu(linear(&b, h, 160)), 96));
        tensor logits = linear(&b, h, 10), labels = input(&b, 0);
        d.precision = GTR_TF32; d.lr = 0.01f; d.no_matchers = k == 1;
        gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(logits, labels), d);
        a.rows = ROWS;
        a.column[0].data = x; a.column[0].dtype = GTR_F32; a.column[0].shape = gtr_shape1(84);
        a.column[1].data = bytes; a.column[1].dtype = GTR_U8; a.column[1].shape = gtr_shape1(12);
        a.column[2].data = y; a.column[2].dtype = GTR_I32;
        f.batch = 32; f.epochs = 2; f.silent = true; f.metric = gtr_accuracy(logits, labels);
        f.history = history[k]; f.history_size = STEPS_FIT;
        EXPECT_EQ(gtr_fit(t, gtr_dataset_arrays(b.ctx, a), f), GTR_OK);
        EXPECT_OK(b.ctx);
        gtr_destroy(b.ctx);
    }
    for (i = 0; i < STEPS_FIT; i++)
        CHECK(fabs((double)history[0][i].loss - (double)history[1][i].loss) <= 2e-3,
            "step %d: loss %.9g, by nodes %.9g", i, (double)history[0][i].loss, (double)history[1][i].loss);
}

static tensor plain(build *b) {
    return classes(b, gtr_tanh(linear(b, gtr_tanh(linear(b, input(b, 64), 512)), 512)), 10);
}
/* Where the kernel of a whole network has no room a chain takes it; where a cluster has none, nodes do, to the bit. */
static void crowded(void)
{
    static const network c = { "plain", plain, 16, 1, true };
    for (int room = 1; room <= 8; room += 7) {
        build b[2];
        gtr_float *g[2] = { NULL, NULL };
        float loss[2][STEPS + 1];
        int64_t n = 0;
        for (int k = 0; k < 2; k++) {
            gtr_trainer *t = trainer_of(&b[k], &c, 0, GTR_TF32, k > 0);
            b[k].ctx->caps.room = room;
            b[k].ctx->caps.without = matcher_bit(b[k].ctx, LAST_LAYER);
            g[k] = gradients(&b[k], t, c.batch, &n, loss[k]);
            if (b[k].ctx->caps.compute >= 90 && able(b[k].ctx))
                EXPECT_EQ((int)chained(t, c.batch), room > 1 && k == 0);
        }
        if (room == 1 && b[0].ctx->caps.compute >= 90)
            EXPECT(!memcmp(g[0], g[1], (size_t)n * sizeof **g) && !memcmp(loss[0], loss[1], sizeof loss[0]));
        EXPECT(within(g[0], g[1], n, 1e-5, 8e-3));
        for (int k = 0; k < 2; k++) { free(g[k]); gtr_destroy(b[k].ctx); }
    }
}

static tensor stack(build *b, int layers, int64_t width)
{
    tensor h = input(b, width);
    for (int i = 0; i < layers; i++) h = gtr_relu(linear(b, h, width));
    return squares(b, h, width);
}
static tensor many_layers(build *b) { return stack(b, 20, 64); }
static tensor large_layers(build *b) { return stack(b, 4, 1024); }
/* Left to the estimate: many small layers are one, large ones of many rows are not. */
static void chosen(void)
{
    static const network of[] = { { "many layers", many_layers, 32, 1, true },
        { "large layers", large_layers, 4096, 1, false }, { "mixture", mixture_of_5, 64, 1, true },
        { "variational", variational_even, 128, 1, true } };
    for (int i = 0; i < 4; i++) {
        build b;
        gtr_trainer *t = trainer_of(&b, &of[i], 0, GTR_TF32, false);
        b.ctx->caps.chains = 0;
        CHECK(t && chained(t, of[i].batch) == (of[i].taken && able(b.ctx)),
            "%s: %s", of[i].name, t ? gtr_plan_text(t, of[i].batch) : gtr_error_text(b.ctx));
        gtr_destroy(b.ctx);
    }
}

static tensor many_joined(build *b)
{
    enum { STEPS_JOINED = 200 };
    tensor x = input(b, 7 * STEPS_JOINED), part[2];
    part[1] = gtr_slice(x, 1, 0, 7);
    part[0] = gtr_tanh(linear(b, part[1], 2000));
    for (int i = 1; i < STEPS_JOINED; i++) {
        tensor h = gtr_concat(part, 2, 1);
        part[0] = gtr_tanh(i == 1 ? gtr_linear(h, "h", 2000)
            : gtr_linear_with(h, gtr_parameter_find(b->ctx, "h.weight"), gtr_parameter_find(b->ctx, "h.bias")));
        part[1] = gtr_slice(x, 1, 7 * i, 7 * i + 7);
    }
    return squares(b, part[0], 3);
}
static gtr__matcher_row chain_row;
static int (*chain_match)(const gtr__plan *plan, int at, const gtr__caps *caps, int *node);
static int64_t nodes_read;
static int counted(const gtr__plan *plan, int at, const gtr__caps *caps, int *node)
{
    const int taken = chain_match(plan, at, caps, node);
    nodes_read += taken < 0 ? -8 * taken : GTR__MAX(taken, 1);   /* declined: an eighth of what was read */
    return taken;
}
static void counted_row(gtr__matcher *m)
{
    chain_row(m);
    chain_match = m->match;
    m->match = counted;
}
/* Where chains may begin at each of many joins, and none pays, planning reads each node less than ten times. */
static void declined(void)
{
    static const network c = { "many joined", many_joined, 256, 1, false };
    gtr__matcher_row rows[GTR__MAX_MATCHERS];
    build b;
    gtr_trainer *t = trainer_of(&b, &c, 0, GTR_TF32, false);
    gtr__backend *be = (gtr__backend *)b.ctx->be;
    const gtr__matcher_row *before = be->matchers;
    const uint32_t bit = matcher_bit(b.ctx, "chain");
    int nodes = 0;
    if (!t || !able(b.ctx)) { SKIP("%s", t ? "no chains" : gtr_error_text(b.ctx)); gtr_destroy(b.ctx); return; }
    b.ctx->caps.chains = 0;
    for (int k = 0; k < be->n_matchers; k++) {
        rows[k] = before[k];
        if (bit >> k & 1) { chain_row = before[k]; rows[k] = counted_row; }
    }
    be->matchers = rows;
    nodes_read = 0;
    const char *text = gtr_plan_text(t, c.batch);
    be->matchers = before;
    EXPECT(text && sscanf(strchr(text, ':') + 1, "%d", &nodes) == 1 && nodes > 1000 && !chained(t, c.batch));
    CHECK(nodes_read > nodes / 2 && nodes_read < 10 * (int64_t)nodes,
        "%lld nodes were read of %d", (long long)nodes_read, nodes);
    gtr_destroy(b.ctx);
}

static void all(void)
{
    RUN(fitted);
    RUN(chosen);
    RUN(crowded);
    RUN_IN_PARTS(kinds);
    RUN_IN_PARTS(last_layers);
    RUN(last_kept);
    RUN(draws);
    RUN_IN_PARTS(strips);
    RUN(strips_drawn);
    RUN(kept);
    RUN(guarded);
    RUN(many_gradients);
    RUN(declined);
}
int main(int argc, char **argv)
{
    check_begin(argc, argv);
    small = getenv("GTR_TEST_SMALL") != NULL;
    check_devices(all, &device);
    return check_done();
}
