/* Runs the scripts of fixtures/graphs.bin, random graphs and training runs, through the public API, and compares what
   is computed with what PyTorch computed (gen_graphs.py draws them and says what a script is). GTR_GRAPHS: another
   file; GTR_GRAPHS_SEED: one case alone. A case that fails prints its seed, each value that differs, and its script.
   oracle.c includes it with SCRIPTS_ONLY, and has its own compare(), failed() and main(). */
#include "../../gputrain.h"
#include "check.h"
#include <fnmatch.h>
#include <math.h>
#include "device.h"
#include "elementwise.h"
#include "made.h"

#define MOST 400            /* tensors in a script, words in a line */
#define FOLD 40

/* The limits by precision: of NMSE twice to four times, of the ratio one and a half to two times what gen_graphs.py
   lets thrice what rounding does reach where a value counts. */
static const struct { const char *name; gtr_precision precision; double nmse, ratio; } precisions[4] = {
    { "fp32", GTR_FP32, 4e-10, 2e-5 }, { "tf32", GTR_TF32, 5e-5, 1.8e-2 },
    { "fp16", GTR_MIXED_FP16, 2e-5, 1.2e-2 }, { "bf16", GTR_MIXED_BF16, 8e-4, 7.5e-2 } };

typedef struct script {
    uint32_t seed, precisions;
    const char *text;
    size_t length;
    const unsigned char *checks;        /* from here on, one behind the other */
    uint32_t n_check;
} script;
/* A script being run. */
typedef struct state {
    const script *s;
    int precision;
    const char *next;                   /* line */
    const unsigned char *at;            /* the next check */
    uint32_t left;
    bool said, over;                    /* the script was printed; nothing more can be run */
    gtr_context *ctx;
    gtr_tensor *t[MOST];
    int n;
    char *words[MOST];                  /* of the line, then NULL */
    int n_words;
    char line[1024], copy[1024];
    int input[32], n_input;             /* tensors that are inputs, and their lines */
    char input_line[32][256];
    gtr_trainer *trainer[4];
    gtr_tensor *loss[4];
    float clip[4], rate[4];
    int states[4], n_trainer;           /* how many states an optimizer has */
    gtr_group group[4];
    char pattern[4][32];
    int n_group;
    bool plans;                         /* parameters are given no values: a context with a preset has none */
    bool times_1;                       /* what a loss takes comes times 1: see node() */
    struct { gtr_tensor *x, *part; int axis, parts; } split[32];
    int n_split;
} state;

static unsigned char *file;
static size_t file_size;

/* --- what gen_graphs.py does alike */
static float *new_made(int64_t n, uint32_t seed, int log2, float shift)
{
    float *v = (float *)malloc((size_t)n * sizeof *v);
    if (v) made(v, n, seed, log2, shift);
    return v;
}
static int32_t *made_ids(int64_t n, uint32_t classes, uint32_t every, int ignored, uint32_t seed)
{
    int32_t *v = (int32_t *)malloc((size_t)n * sizeof *v);
    int64_t i;
    for (i = 0; v && i < n; i++) {
        uint32_t r = mix((uint32_t)i, seed);
        v[i] = (int32_t)(r % classes);
        if (every && i && (r >> 8) % every == 0) v[i] = ignored;
        if (every && !i && ignored >= 0 && (uint32_t)ignored < classes) v[i] = (ignored + 1) % (int32_t)classes;
    }
    return v;
}
/* --- checks */
static void failed(state *c, const char *format, ...) CHECK_ATTRIBUTE((format(printf, 2, 3)));
/* The next check: values, NULL if they could not be had, against what the file has. */
static void compare(state *c, const char *what, const void *values);
static void gave_up(state *c, const char *what)
{
    failed(c, "%s: %s", what, gtr_error_text(c->ctx));
    c->over = true;
}
static int next_count(const state *c)
{
    uint32_t n = 0;
    if (c->left) memcpy(&n, c->at + 4, 4);
    return (int)n;
}
static void pass_over(state *c)
{
    uint16_t kept = 0;
    if (!c->left) return;
    memcpy(&kept, c->at + 2, 2);
    c->at += 8 + 4 * (size_t)kept;
    c->left--;
}
/* What is done with a failure's text: by who includes this, with SCRIPTS_ONLY. */
static void report_failure(state *c, const char *text);
static void failed(state *c, const char *format, ...)
{
    char text[600];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    report_failure(c, text);
}
#ifndef SCRIPTS_ONLY
static void folded(double *out, const void *values, int kind, int64_t n)
{
    int64_t i;
    for (i = 0; i < FOLD; i++) out[i] = 0;
    for (i = 0; i < n; i++) {
        const double v = kind ? (double)((const int32_t *)values)[i] : (double)((const float *)values)[i];
        out[i % FOLD] += n > FOLD && mix((uint32_t)i, 9) >> 31 ? -v : v;
    }
}
static void report_failure(state *c, const char *text)
{
    CHECK(0, "seed %u %s, \"%s\": %s", c->s->seed, precisions[c->precision].name, c->line, text);
    if (!c->said) printf("seed %u is:\n%.*s", c->s->seed, (int)c->s->length, c->s->text);
    c->said = true;
}
static void compare(state *c, const char *what, const void *values)
{
    double got[FOLD], want[FOLD], error = 0, norm = 0, most = 0, top = 0;
    uint16_t kept;
    uint32_t n;
    int i, kind, worst = 0;
    if (c->over) return;
    if (!c->left) { failed(c, "%s: no check is left", what); c->over = true; return; }
    memcpy(&kept, c->at + 2, 2);
    memcpy(&n, c->at + 4, 4);
    kind = c->at[1];
    for (i = 0; i < kept; i++) {
        float f;
        int32_t k;
        memcpy(&f, c->at + 8 + 4 * i, 4);
        memcpy(&k, c->at + 8 + 4 * i, 4);
        want[i] = kind ? (double)k : (double)f;
    }
    const unsigned char mask = c->at[0];
    pass_over(c);
    if (!(mask >> c->precision & 1) || !n) return;
    if (!values) { failed(c, "%s: %s", what, gtr_error_text(c->ctx)); gtr_error_clear(c->ctx); return; }
    folded(got, values, kind, n);
    for (i = 0; i < kept; i++) {
        const double d = fabs(got[i] - want[i]);
        error += d * d; norm += want[i] * want[i];
        if (!(d <= most)) { most = d; worst = i; }
        if (fabs(want[i]) > top) top = fabs(want[i]);
    }
    const double nmse = precisions[c->precision].nmse, ratio = precisions[c->precision].ratio;
    if (kind ? most == 0 : error <= nmse * norm && most <= ratio * top) { check_passed++; return; }
    failed(c, "%s (%u elements, %s%d): got %.9g, want %.9g; NMSE %.2g, largest difference %.2g of %.3g", what, n,
           n > FOLD ? "sum " : "element ", worst, got[worst], want[worst], norm > 0 ? error / norm : error, most, top);
}
#endif
static void compare_tensor(state *c, const char *what, int k)
{
    const int n = next_count(c);
    int32_t *v = (int32_t *)calloc((size_t)n + 1, 4);
    char text[100];
    snprintf(text, sizeof text, "%s %d (%s)", what, k, gtr_tensor_name(c->t[k]));
    compare(c, text, v && !gtr_get(c->t[k], v, (size_t)n * 4) ? v : NULL);
    free(v);
}
static void compare_value(state *c, const char *what, float v) { compare(c, what, &v); }

/* --- words of a line */
static int number(const state *c, int k) { return k < c->n_words ? atoi(c->words[k]) : 0; }
static float real(const state *c, int k) { return k < c->n_words ? strtof(c->words[k], NULL) : 0; }
static gtr_tensor *at(const state *c, int k)
{
    const int i = number(c, k);
    return k < c->n_words && i >= 0 && i < c->n ? c->t[i] : NULL;
}
static void split(state *c, const char *line, size_t length)
{
    char *p;
    snprintf(c->line, sizeof c->line, "%.*s", (int)length, line);
    memcpy(c->copy, c->line, sizeof c->copy);
    c->n_words = 0;
    for (p = strtok(c->copy, " "); p && c->n_words < MOST - 1; p = strtok(NULL, " ")) c->words[c->n_words++] = p;
    c->words[c->n_words] = NULL;
}
static gtr_shape shape_at(const state *c, int k)
{
    gtr_shape s;
    int i;
    memset(&s, 0, sizeof s);
    for (s.ndim = number(c, k), i = 0; i < s.ndim; i++) s.dim[i] = number(c, k + 1 + i);
    return s;
}
static int64_t elements(gtr_shape s, int64_t rows)
{
    int64_t n = 1;
    int i;
    for (i = 0; i < s.ndim; i++) n *= s.dim[i] < 0 ? -s.dim[i] * rows : s.dim[i];
    return n;
}
#define NUMBERS(type, name) static const type *name(const state *c, int k, int n) \
{ \
    static type out[MOST]; \
    int i; \
    for (i = 0; i < n; i++) out[i] = number(c, k + i); \
    return out; \
}
NUMBERS(int, numbers)
NUMBERS(int64_t, longs)
static const char *own_name(const state *c)
{
    static char name[16];
    snprintf(name, sizeof name, "t%d", c->n);
    return name;
}
static void set_made(state *c, gtr_tensor *t, uint32_t seed, int log2, float shift)
{
    const int64_t n = t ? elements(gtr_tensor_shape(t), 1) : 0;
    float *v = new_made(n, seed, log2, shift);
    if (t && !c->plans && gtr_set(t, v, (size_t)n * 4)) gave_up(c, "setting a parameter");
    free(v);
}
static void set_part(state *c, const char *part, uint32_t seed, int log2, float shift)
{
    char name[40];
    snprintf(name, sizeof name, "%s.%s", own_name(c), part);
    gtr_tensor *p = gtr_parameter_find(c->ctx, name);
    if (p) set_made(c, p, seed, log2, shift);
}

/* --- nodes */
static gtr_tensor *make_leaf(state *c)
{
    const char *op = c->words[0];
    const gtr_shape s = shape_at(c, !strcmp(op, "ids") ? 5 : 4);
    gtr_init init;
    gtr_tensor *t;
    memset(&init, 0, sizeof init);
    if (!strcmp(op, "const")) {
        float *v = new_made(elements(s, 1), (uint32_t)number(c, 1), number(c, 2), real(c, 3));
        t = gtr_constant(c->ctx, GTR_F32, s, v);
        free(v);
        return t;
    }
    if (!strcmp(op, "param") || !strcmp(op, "frozen")) {
        init.frozen = op[0] == 'f';
        t = gtr_parameter(c->ctx, own_name(c), s, init);
        set_made(c, t, (uint32_t)number(c, 1), number(c, 2), real(c, 3));
        return t;
    }
    c->input[c->n_input] = c->n;
    snprintf(c->input_line[c->n_input++], sizeof c->input_line[0], "%.255s", c->line);
    return gtr_input(c->ctx, own_name(c), !strcmp(op, "ids") ? GTR_I32 : GTR_F32, s);
}
static gtr_tensor *make_matmul(state *c)
{
    if (!number(c, 2) && !number(c, 4)) return gtr_matmul(at(c, 1), at(c, 3));
    return gtr_matmul_t(at(c, 1), number(c, 2) != 0, at(c, 3), number(c, 4) != 0);
}
static gtr_tensor *make_linear(state *c)
{
    gtr_linear_desc d;
    gtr_tensor *x = at(c, 1), *y;
    const gtr_shape s = gtr_tensor_shape(x);
    memset(&d, 0, sizeof d);
    d.out = number(c, 2);
    d.no_bias = !number(c, 3);
    y = d.no_bias ? gtr_linear_ex(x, own_name(c), d) : gtr_linear(x, own_name(c), d.out);
    set_part(c, "weight", (uint32_t)number(c, 4), s.dim[s.ndim - 1] < 8 ? -1 : -2, 0);
    set_part(c, "bias", (uint32_t)number(c, 4) + 1, -1, 0);
    return y;
}
static gtr_tensor *make_batch_norm(state *c)
{
    static const char *const part[4] = { "weight", "bias", "running_mean", "running_var" };
    gtr_batch_norm_desc d;
    gtr_tensor *y;
    int k;
    memset(&d, 0, sizeof d);
    d.momentum = real(c, 2);
    d.eps = real(c, 3);
    d.frozen = number(c, 5) != 0;
    if (d.momentum == 0.1f && d.eps == 1e-5f && !d.frozen) y = gtr_batch_norm(at(c, 1), own_name(c));
    else y = gtr_batch_norm_ex(at(c, 1), own_name(c), d);
    for (k = 0; k < 4; k++) set_part(c, part[k], (uint32_t)(number(c, 4) + k), -1, k % 3 ? 0 : 1);
    return y;
}
static gtr_tensor *make_embedding(state *c)
{
    gtr_tensor *y = gtr_embedding(at(c, 1), own_name(c), number(c, 2), number(c, 3));
    set_part(c, "weight", (uint32_t)number(c, 4), 0, 0);
    return y;
}
static gtr_tensor *make_concat(state *c)
{
    gtr_tensor *x[16];
    int k, n = number(c, 2);
    for (k = 0; k < n && k < 16; k++) x[k] = at(c, 3 + k);
    return gtr_concat(x, n, number(c, 1));
}
static gtr_tensor *operand(const state *c, int k) { return c->times_1 ? gtr_scale(at(c, k), 1, 0) : at(c, k); }
static gtr_tensor *make_cross_entropy(state *c)
{
    gtr_tensor *x = operand(c, 1);
    gtr_cross_entropy_desc d;
    memset(&d, 0, sizeof d);
    d.label_smoothing = real(c, 3);
    d.ignore_index = number(c, 4);
    d.ignore_zero = !d.ignore_index;
    if (d.label_smoothing == 0 && d.ignore_index == -100) return gtr_cross_entropy(x, at(c, 2));
    return gtr_cross_entropy_ex(x, at(c, 2), d);
}
static gtr_tensor *make_labelled(state *c)
{
    const bool nll = !strcmp(c->words[5], "nll");
    gtr_tensor *x = operand(c, 1);
    gtr_cross_entropy_desc d;
    memset(&d, 0, sizeof d);
    d.weight = at(c, 3);
    d.sample_weight = at(c, 4);
    d.label_smoothing = real(c, 6);
    if (gtr_tensor_dtype(at(c, 2)) == GTR_I32) { /* of probabilities none is ignored */
        d.ignore_index = number(c, 7);
        d.ignore_zero = !d.ignore_index;
    }
    d.reduction = (gtr_reduction)number(c, 8);
    return nll ? gtr_nll_ex(x, at(c, 2), d) : gtr_cross_entropy_ex(x, at(c, 2), d);
}
#define LOSSES(X) X(mse) X(l1) X(smooth_l1) X(huber) X(bce_with_logits) X(bce) X(focal) X(kl_div) X(poisson_nll)
#define LOSSES3(X) X(gaussian_nll) X(cosine_embedding)
#define LOSS(name) if (!strcmp(what, #name)) return plain ? gtr_##name(x, t) : gtr_##name##_ex(x, t, d);
#define LOSS3(name) if (!strcmp(what, #name)) return plain ? gtr_##name(x, t, v) : gtr_##name##_ex(x, t, v, d);
static gtr_tensor *make_loss(state *c)
{
    const char *what = c->words[6];
    const bool kl = !strcmp(what, "kl_div");
    gtr_tensor *x = operand(c, 1), *t = kl && at(c, 2) ? gtr_scale(at(c, 2), 1, 0) : at(c, 2), *v = at(c, 3);
    const int flags = number(c, 10);
    gtr_loss_desc d;
    memset(&d, 0, sizeof d);
    d.weight = at(c, 4);
    d.pos_weight = at(c, 5);
    d.reduction = (gtr_reduction)number(c, 7);
    *(!strcmp(what, "smooth_l1") ? &d.beta : !strcmp(what, "huber") ? &d.delta : !strcmp(what, "focal") ? &d.gamma
        : !strcmp(what, "cosine_embedding") ? &d.margin : &d.eps) = real(c, 8);
    d.alpha = real(c, 9);
    d.full = (flags & 1) != 0;
    d.no_log_input = (flags & 2) != 0;
    d.log_target = (flags & 4) != 0;
    const bool plain = !d.weight && !d.pos_weight && !d.reduction && real(c, 8) == 0 && d.alpha == 0 && !flags;
    LOSSES(LOSS)
    LOSSES3(LOSS3)
    return NULL;
}
static void set_row_norm(state *c)
{
    set_part(c, "weight", (uint32_t)number(c, 4), -1, 1);
    set_part(c, "bias", (uint32_t)number(c, 4) + 1, -1, 0);
}
static gtr_tensor *make_layer(state *c)
{
    const char *op = c->words[0], *name = own_name(c);
    gtr_tensor *x = at(c, 1), *y;
    if (!strcmp(op, "prelu")) {
        y = gtr_prelu(x, name, number(c, 2) != 0);
        set_part(c, "weight", (uint32_t)number(c, 3), -1, 0);
    } else if (!strcmp(op, "bilinear")) {
        y = gtr_bilinear(x, at(c, 2), name, number(c, 3));
        set_part(c, "weight", (uint32_t)number(c, 4), -1, 0);
        set_part(c, "bias", (uint32_t)number(c, 4) + 1, -1, 0);
    } else {
        y = (op[0] == 'l' ? gtr_layer_norm : gtr_rms_norm)(x, name, number(c, 2), real(c, 3));
        set_row_norm(c);
    }
    return y;
}
/* kernel, stride, padding and, behind them, dilation from word k on; x of three dimensions: those of the width. */
/* Of a sequence x the height's figures are the width's. */
static gtr_conv_desc window_at(const state *c, const gtr_tensor *x, int k, int dilation)
{
    gtr_conv_desc d;
    memset(&d, 0, sizeof d);
    d.kernel = number(c, k); d.kernel_w = number(c, k + 1);
    d.stride = number(c, k + 2); d.stride_w = number(c, k + 3);
    d.padding = number(c, k + 4); d.padding_w = number(c, k + 5) ? number(c, k + 5) : -1;
    if (dilation) { d.dilation = number(c, k + 6); d.dilation_w = number(c, k + 7); }
    if (gtr_tensor_shape(x).ndim == 3) {
        d.stride = d.stride_w; d.padding = d.padding_w > 0 ? d.padding_w : 0; d.dilation = d.dilation_w;
    }
    return d;
}
static void set_output_padding(const state *c, gtr_conv_desc *d, int k)
{
    d->output_padding = number(c, k);
    d->output_padding_w = number(c, k + 1) ? number(c, k + 1) : -1;
}
static gtr_tensor *make_conv(state *c)
{
    const char *name = own_name(c);
    gtr_tensor *x = at(c, 1), *y, *w;
    gtr_conv_desc d = window_at(c, at(c, 1), 3, true);
    const bool square = d.kernel == d.kernel_w && d.stride == d.stride_w && number(c, 7) == number(c, 8);
    const bool back = number(c, 13) != 0;
    d.out = number(c, 2);
    d.groups = number(c, 11);
    d.no_bias = !number(c, 12);
    set_output_padding(c, &d, 14);
    if (square && d.dilation == 1 && d.dilation_w == 1 && d.groups == 1 && !d.no_bias && !number(c, 14)
        && !number(c, 15))
        y = (back ? gtr_conv_transpose2d : gtr_tensor_shape(x).ndim == 3 ? gtr_conv1d : gtr_conv2d)(x, name, d.out,
            d.kernel, d.stride, d.padding);
    else y = (back ? gtr_conv_transpose2d_ex : gtr_conv2d_ex)(x, name, d);
    char weight[40];
    snprintf(weight, sizeof weight, "%s.weight", name);
    if ((w = gtr_parameter_find(c->ctx, weight)) != NULL) {
        gtr_shape s = gtr_tensor_shape(w);
        const int64_t per = elements(s, 1) / s.dim[0];
        set_part(c, "weight", (uint32_t)number(c, 16), per < 8 ? -1 : -2, 0);
    }
    set_part(c, "bias", (uint32_t)number(c, 16) + 1, -1, 0);
    return y;
}
static gtr_tensor *make_conv_with(state *c)
{
    gtr_conv_desc d = window_at(c, at(c, 1), 4, true);
    d.kernel = d.kernel_w = 0; /* the weight's */
    d.groups = number(c, 12);
    set_output_padding(c, &d, 14);
    return (number(c, 13) ? gtr_conv_transpose2d_with : gtr_conv2d_with)(at(c, 1), at(c, 2), at(c, 3), d);
}
static gtr_tensor *make_pool(state *c)
{
    const bool most = c->words[0][0] == 'm';
    const gtr_conv_desc w = window_at(c, at(c, 1), 2, most);
    const int rest = most ? 10 : 8;
    gtr_pool_desc d;
    memset(&d, 0, sizeof d);
    d.kernel = w.kernel; d.kernel_w = w.kernel_w;
    d.stride = w.stride; d.stride_w = w.stride_w;
    d.padding = w.padding; d.padding_w = w.padding_w;
    d.dilation = w.dilation; d.dilation_w = w.dilation_w;
    d.round_up = number(c, rest) != 0;
    d.exclude_padding = !most && number(c, rest + 1);
    return (most ? gtr_max_pool2d_ex : gtr_avg_pool2d_ex)(at(c, 1), d);
}
static gtr_tensor *make_image_norm(state *c)
{
    const bool groups = c->words[0][0] == 'g';
    const int seed = number(c, groups ? 4 : 3);
    gtr_tensor *y = groups ? gtr_group_norm(at(c, 1), own_name(c), number(c, 2), real(c, 3))
        : gtr_instance_norm(at(c, 1), seed < 0 ? NULL : own_name(c), real(c, 2));
    if (seed < 0) return y;
    set_part(c, "weight", (uint32_t)seed, -1, 1);
    set_part(c, "bias", (uint32_t)seed + 1, -1, 0);
    return y;
}
static gtr_tensor *make_stack(state *c)
{
    gtr_tensor *x[16];
    int k, n = number(c, 2);
    for (k = 0; k < n && k < 16; k++) x[k] = at(c, 3 + k);
    return gtr_stack(x, n, number(c, 1));
}
/* a a b, by callbacks on the host */
static gtr_result custom_forward(const gtr_custom_call *q)
{
    const float *a = (const float *)q->in[0], *b = (const float *)q->in[1];
    int64_t i, n = elements(q->out_shape, 1);
    for (i = 0; i < n; i++) ((float *)q->out)[i] = a[i] * a[i] * b[i];
    return GTR_OK;
}
static gtr_result custom_backward(const gtr_custom_call *q)
{
    const float *a = (const float *)q->in[0], *b = (const float *)q->in[1], *d = (const float *)q->dout;
    int64_t i, n = elements(q->out_shape, 1);
    for (i = 0; i < n && q->din[0]; i++) ((float *)q->din[0])[i] = 2 * a[i] * b[i] * d[i];
    for (i = 0; i < n && q->din[1]; i++) ((float *)q->din[1])[i] = a[i] * a[i] * d[i];
    return GTR_OK;
}
static gtr_tensor *make_custom(state *c)
{
    gtr_custom_desc d;
    memset(&d, 0, sizeof d);
    d.name = "a a b";
    d.n_in = 2;
    d.in[0] = at(c, 1);
    d.in[1] = at(c, 2);
    d.forward = custom_forward;
    d.backward = custom_backward;
    return gtr_custom(c->ctx, d);
}
/* A slice that is one of several equal parts is, every other time, an output of a split, which such slices share. */
static gtr_tensor *make_slice(state *c)
{
    gtr_tensor *x = at(c, 1);
    const int axis = number(c, 2), begin = number(c, 3), end = number(c, 4), wide = end - begin;
    const int whole = (int)gtr_tensor_shape(x).dim[axis], parts = wide > 0 ? whole / wide : 0;
    int k = 0;
    if (parts < 2 || parts > 30 || whole % wide || begin % wide || (number(c, 1) + axis) % 2)
        return gtr_slice(x, axis, begin, end);
    while (k < c->n_split && (c->split[k].x != x || c->split[k].axis != axis || c->split[k].parts != parts)) k++;
    if (k == 32) return gtr_slice(x, axis, begin, end);
    if (k == c->n_split) {
        c->split[k].x = x; c->split[k].axis = axis; c->split[k].parts = parts;
        c->split[c->n_split++].part = gtr_split(x, axis, parts);
    }
    return gtr_output(c->split[k].part, begin / wide);
}
#define NODES(X) \
    X(input,           make_leaf(c)) \
    X(param,           make_leaf(c)) \
    X(frozen,          make_leaf(c)) \
    X(const,           make_leaf(c)) \
    X(ids,             make_leaf(c)) \
    X(linear,          make_linear(c)) \
    X(linear_with,     gtr_linear_with(at(c, 1), at(c, 2), at(c, 3))) \
    X(batch_norm,      make_batch_norm(c)) \
    X(embedding,       make_embedding(c)) \
    X(embedding_with,  gtr_embedding_with(at(c, 1), at(c, 2))) \
    X(dropout,         gtr_dropout(at(c, 1), own_name(c), real(c, 2))) \
    X(matmul,          make_matmul(c)) \
    X(custom,          make_custom(c)) \
    X(scale,           gtr_scale(at(c, 1), real(c, 2), real(c, 3))) \
    X(reshape,         gtr_reshape(at(c, 1), shape_at(c, 2))) \
    X(flatten,         gtr_flatten(at(c, 1))) \
    X(permute,         gtr_permute(at(c, 1), numbers(c, 3, number(c, 2)))) \
    X(concat,          make_concat(c)) \
    X(slice,           make_slice(c)) \
    X(sum,             gtr_sum(at(c, 1), numbers(c, 4, number(c, 3)), number(c, 3), number(c, 2) != 0)) \
    X(mean,            gtr_mean(at(c, 1), numbers(c, 4, number(c, 3)), number(c, 3), number(c, 2) != 0)) \
    X(prod,            gtr_prod(at(c, 1), numbers(c, 4, number(c, 3)), number(c, 3), number(c, 2) != 0)) \
    X(max,             gtr_max(at(c, 1), numbers(c, 4, number(c, 3)), number(c, 3), number(c, 2) != 0)) \
    X(min,             gtr_min(at(c, 1), numbers(c, 4, number(c, 3)), number(c, 3), number(c, 2) != 0)) \
    X(logsumexp,       gtr_logsumexp(at(c, 1), numbers(c, 4, number(c, 3)), number(c, 3), number(c, 2) != 0)) \
    X(var,             gtr_var(at(c, 1), numbers(c, 5, number(c, 3)), number(c, 3), number(c, 4) != 0, \
                               number(c, 2) != 0)) \
    X(norm,            gtr_norm(at(c, 1), real(c, 4), numbers(c, 5, number(c, 3)), number(c, 3), number(c, 2) != 0)) \
    X(softmax,         gtr_softmax(at(c, 1), number(c, 2))) \
    X(log_softmax,     gtr_log_softmax(at(c, 1), number(c, 2))) \
    X(cumsum,          gtr_cumsum(at(c, 1), number(c, 2))) \
    X(argmax,          gtr_argmax(at(c, 1), number(c, 2))) \
    X(argmin,          gtr_argmin(at(c, 1), number(c, 2))) \
    X(sort,            gtr_sort(at(c, 1), number(c, 2), number(c, 3) != 0)) \
    X(top_k,           gtr_top_k(at(c, 1), number(c, 3), number(c, 2))) \
    X(output,          gtr_output(at(c, 1), number(c, 2))) \
    X(gather_rows,     gtr_gather_rows(at(c, 1), at(c, 2))) \
    X(scatter_add_rows, gtr_scatter_add_rows(at(c, 1), at(c, 2), number(c, 3))) \
    X(one_hot,         gtr_one_hot(at(c, 1), number(c, 2))) \
    X(where,           gtr_where(at(c, 1), at(c, 2), at(c, 3))) \
    X(stack,           make_stack(c)) \
    X(flip,            gtr_flip(at(c, 1), numbers(c, 3, number(c, 2)), number(c, 2))) \
    X(roll,            gtr_roll(at(c, 1), number(c, 3), number(c, 2))) \
    X(tile,            gtr_tile(at(c, 1), longs(c, 3, number(c, 2)))) \
    X(pad,             gtr_pad(at(c, 1), longs(c, 5, 2 * number(c, 2)), number(c, 2), (gtr_pad_mode)number(c, 3), \
                               real(c, 4))) \
    X(layer_norm,      make_layer(c)) \
    X(rms_norm,        make_layer(c)) \
    X(prelu,           make_layer(c)) \
    X(bilinear,        make_layer(c)) \
    X(layer_norm_with, gtr_layer_norm_with(at(c, 1), at(c, 2), at(c, 3), real(c, 4))) \
    X(rms_norm_with,   gtr_rms_norm_with(at(c, 1), at(c, 2), real(c, 3))) \
    X(prelu_with,      gtr_prelu_with(at(c, 1), at(c, 2))) \
    X(bilinear_with,   gtr_bilinear_with(at(c, 1), at(c, 2), at(c, 3), at(c, 4))) \
    X(conv,            make_conv(c)) \
    X(conv_with,       make_conv_with(c)) \
    X(max_pool,        make_pool(c)) \
    X(avg_pool,        make_pool(c)) \
    X(adaptive_pool,   gtr_adaptive_avg_pool2d(at(c, 1), number(c, 2), number(c, 3))) \
    X(global_pool,     gtr_global_avg_pool(at(c, 1))) \
    X(upsample,        gtr_upsample2d(at(c, 1), number(c, 2), number(c, 3) != 0)) \
    X(pixel_shuffle,   gtr_pixel_shuffle(at(c, 1), number(c, 2))) \
    X(dropout2d,       gtr_dropout2d(at(c, 1), own_name(c), real(c, 2))) \
    X(group_norm,      make_image_norm(c)) \
    X(instance_norm,   make_image_norm(c)) \
    X(group_norm_with, gtr_group_norm_with(at(c, 1), at(c, 2), at(c, 3), number(c, 4), real(c, 5))) \
    X(loss,            make_loss(c)) \
    X(labelled,        make_labelled(c)) \
    X(stop_gradient,   gtr_stop_gradient(at(c, 1))) \
    X(accuracy,        gtr_accuracy(at(c, 1), at(c, 2))) \
    X(cross_entropy,   make_cross_entropy(c)) \
    X(mse,             gtr_mse(at(c, 1), at(c, 2))) \
    X(bce,             gtr_bce_with_logits(operand(c, 1), at(c, 2))) \
    X(gradient,        gtr_gradient(at(c, 1), at(c, 2)))
#define NODE(name, expression) if (!strcmp(c->words[0], #name)) { c->t[c->n] = expression; found = true; }
#define UNARY_NODE(ID, name, kinds, flags, built, plain, torch) \
    if (!found && !strcmp(c->words[0], #name)) { gtr_tensor *x = at(c, 1); c->t[c->n] = built; found = true; }
#define BINARY_NODE(ID, name, kinds, flags, built, plain, torch) \
    if (!strcmp(c->words[0], #name)) { gtr_tensor *x = at(c, 1), *y = at(c, 2); c->t[c->n] = built; found = true; }
/* What a loss refuses for where it comes from, as a softmax for logits, comes times 1 when it is built again. */
static bool node(state *c)
{
    bool found = false;
    NODES(NODE)
    UNARY_TESTS(UNARY_NODE)
    PUBLIC_BINARY_TESTS(BINARY_NODE)
    if (!found) return false;
    if (!c->t[c->n] && !c->times_1 && gtr_error(c->ctx) == GTR_ERR_ARG) {
        gtr_error_clear(c->ctx);
        c->times_1 = true;
        node(c);
        c->times_1 = false;
        return true;
    }
    if (!c->t[c->n]) gave_up(c, "building");
    c->n++;
    return true;
}

/* --- data */
/* The values of the k-th input, rows of them, to be freed. */
static void *input_values(const state *c, int k, int64_t rows, int run, size_t *bytes)
{
    static state line;      /* for its words alone */
    split(&line, c->input_line[k], strlen(c->input_line[k]));
    const bool ids = !strcmp(line.words[0], "ids");
    const int64_t n = elements(gtr_tensor_shape(c->t[c->input[k]]), rows);
    *bytes = (size_t)n * 4;
    if (ids)
        return made_ids(n, (uint32_t)number(&line, 1), (uint32_t)number(&line, 2), number(&line, 3),
                        (uint32_t)(number(&line, 4) + 977 * run));
    return new_made(n, (uint32_t)(number(&line, 1) + 977 * run), number(&line, 2), real(&line, 3));
}
static void feed(state *c, int64_t rows, int run)
{
    int k;
    for (k = 0; k < c->n_input && !c->over; k++) {
        size_t bytes;
        void *v = input_values(c, k, rows, run, &bytes);
        if (gtr_set(c->t[c->input[k]], v, bytes)) gave_up(c, "gtr_set");
        free(v);
    }
}
/* A data set for n inputs: columns in their order, or the other way round with names. */
static gtr_dataset *make_data(state *c, int64_t rows, int run, const int *inputs, int n)
{
    gtr_arrays_desc d;
    gtr_dataset *data;
    int i, k;
    memset(&d, 0, sizeof d);
    d.rows = rows;
    for (i = 0; i < n && i < 8; i++) {
        size_t bytes;
        const int j = c->s->seed % 2 ? n - 1 - i : i;
        gtr_shape s = gtr_tensor_shape(c->t[inputs[i]]);
        if (c->s->seed % 2) d.column[j].name = gtr_tensor_name(c->t[inputs[i]]);
        for (k = 0; k < c->n_input && c->input[k] != inputs[i]; k++) {}
        d.column[j].data = input_values(c, k, rows, run, &bytes);
        d.column[j].dtype = gtr_tensor_dtype(c->t[inputs[i]]);
        d.column[j].shape.ndim = s.ndim - 1;
        for (k = 1; k < s.ndim; k++) d.column[j].shape.dim[k - 1] = s.dim[k];
    }
    data = gtr_dataset_arrays(c->ctx, d);
    for (i = 0; i < n && i < 8; i++) free((void *)d.column[i].data);
    if (!data) gave_up(c, "a data set");
    return data;
}

/* --- lines that run something */
static float falling(int64_t step, void *user) { return (float)((double)*(float *)user / (double)(1 + step)); }
/* Groups that others before them leave nothing, which a trainer refuses, go. */
static void drop_shadowed(state *c)
{
    for (int g = c->n_group - 1, k; g > 0; g--) {
        int64_t i = 0;
        for (; i < gtr_parameter_count(c->ctx); i++) {
            const char *name = gtr_tensor_name(gtr_parameter_at(c->ctx, i));
            for (k = 0; k < g && fnmatch(c->group[k].pattern, name, 0); k++) {}
            if (k == g && !fnmatch(c->group[g].pattern, name, 0)) break;
        }
        if (i < gtr_parameter_count(c->ctx)) continue;
        for (k = g, c->n_group--; k < c->n_group; k++) c->group[k] = c->group[k + 1];
    }
}
static void run_trainer(state *c)
{
    gtr_trainer_desc d;
    memset(&d, 0, sizeof d);
    d.optimizer = number(c, 2) == 0 ? GTR_SGD : number(c, 2) == 1 ? GTR_ADAM : GTR_ADAMW;
    d.lr = real(c, 3);
    d.momentum = real(c, 4);
    d.nesterov = number(c, 5) != 0;
    d.weight_decay = real(c, 6);
    if (d.optimizer != GTR_SGD) { d.beta1 = real(c, 7); d.beta2 = real(c, 8); }
    d.clip_norm = real(c, 9);
    d.schedule = number(c, 10) == 2 ? GTR_CUSTOM_SCHEDULE : number(c, 10) ? GTR_COSINE : GTR_CONSTANT;
    if (number(c, 10) == 2) { d.lr_fn = falling; d.lr_user = &c->rate[c->n_trainer]; }
    c->rate[c->n_trainer] = d.lr;
    d.warmup_steps = number(c, 11);
    d.total_steps = number(c, 12);
    d.min_lr = real(c, 13);
    d.micro_batches = number(c, 14);
    d.streams = number(c, 15);
    d.no_matchers = number(c, 16) != 0;
    d.nonfinite = number(c, 17) ? GTR_NONFINITE_LOSS : GTR_NONFINITE_ALL;
    d.precision = precisions[c->precision].precision;
    d.loss_scale = d.precision == GTR_MIXED_FP16 ? 256 : 0;      /* LOSS_SCALE */
    if (d.optimizer != GTR_SGD) d.momentum = 0;
    drop_shadowed(c);
    d.groups = c->n_group ? c->group : NULL;
    d.n_groups = c->n_group;
    c->clip[c->n_trainer] = d.clip_norm;
    c->states[c->n_trainer] = d.optimizer != GTR_SGD ? 2 : d.momentum > 0;
    c->loss[c->n_trainer] = at(c, 1);
    c->trainer[c->n_trainer] = gtr_trainer_create(at(c, 1), d);
    if (!c->trainer[c->n_trainer]) {
        if (gtr_error(c->ctx) == GTR_ERR_UNSUPPORTED && d.precision == GTR_MIXED_BF16) c->over = true;      /* Turing */
        else gave_up(c, "gtr_trainer_create");
    }
    c->n_trainer++;
    c->n_group = 0;
}
static void run_group(state *c)
{
    gtr_group *g = &c->group[c->n_group];
    memset(g, 0, sizeof *g);
    snprintf(c->pattern[c->n_group], sizeof c->pattern[0], "%s", c->words[1]);
    g->pattern = c->pattern[c->n_group++];
    g->lr_scale = real(c, 2);
    g->weight_decay = real(c, 3) < 0 ? GTR_ZERO : real(c, 3);
    g->frozen = number(c, 4) != 0;
}
static void run_eval(state *c)
{
    gtr_tensor *fetch[32];
    int k, n = number(c, 4), want[32];
    const bool training = number(c, 1) != 0;
    for (k = 0; k < n && k < 32; k++) { want[k] = number(c, 5 + k); fetch[k] = at(c, 5 + k); }
    feed(c, number(c, 2), number(c, 3));
    if (!c->over && (training ? gtr_eval_train : gtr_eval)(fetch, n)) gave_up(c, "gtr_eval");
    for (k = 0; k < n && !c->over; k++) compare_tensor(c, "tensor", want[k]);
}
static void compare_gradients(state *c, gtr_trainer *t)
{
    int64_t j;
    for (j = 0; j < gtr_parameter_count(c->ctx); j++) {
        gtr_tensor *p = gtr_parameter_at(c->ctx, j);
        const int n = next_count(c);
        float *v = (float *)calloc((size_t)n + 1, 4);
        char text[100];
        if (gtr_parameter_trainable(p)) {
            snprintf(text, sizeof text, "gradient of %s", gtr_tensor_name(p));
            compare(c, text, n && !gtr_gradient_get(t, p, v, (size_t)n * 4) ? v : NULL);
        }
        free(v);
    }
}
static void run_step(state *c)
{
    const int k = number(c, 1), grads = number(c, 4), n = number(c, 5);
    int i, kept[32];
    for (i = 0; i < n && i < 32; i++) kept[i] = number(c, 6 + i);
    feed(c, number(c, 2), number(c, 3));
    if (!c->over && gtr_step(c->trainer[k])) gave_up(c, "gtr_step");
    if (c->over) return;
    compare_value(c, "loss", gtr_loss(c->trainer[k]));
    if (c->clip[k] > 0) { gtr_wait(c->ctx); compare_value(c, "norm", gtr_trainer_report(c->trainer[k]).grad_norm); }
    for (i = 0; i < n && i < 32; i++) compare_tensor(c, "kept tensor", kept[i]);
    if (grads) compare_gradients(c, c->trainer[k]);
}
static void run_halves(state *c)
{
    gtr_trainer *t = c->trainer[number(c, 1)];
    const float factor = real(c, 4);
    int64_t j, i;
    feed(c, number(c, 2), number(c, 3));
    if (!c->over && gtr_backward(t)) gave_up(c, "gtr_backward");
    for (j = 0; j < gtr_parameter_count(c->ctx) && !c->over; j++) {
        gtr_tensor *p = gtr_parameter_at(c->ctx, j);
        const int64_t n = elements(gtr_tensor_shape(p), 1);
        float *v = (float *)calloc((size_t)n + 1, 4);
        const gtr_result r = gtr_parameter_trainable(p) ? gtr_gradient_get(t, p, v, (size_t)n * 4) : GTR_ERR_STATE;
        gtr_error_clear(c->ctx);
        for (i = 0; i < n; i++) v[i] *= factor;
        if (!r && gtr_gradient_set(t, p, v, (size_t)n * 4)) gave_up(c, "gtr_gradient_set");
        free(v);
        if (!r) break;
    }
    if (!c->over && gtr_update(t)) gave_up(c, "gtr_update");
    if (!c->over) compare_value(c, "loss", gtr_loss(t));
}
static void run_data(state *c)
{
    gtr_trainer *t = c->trainer[number(c, 1)];
    const int batch = number(c, 4), drop = number(c, 5), n = number(c, 6);
    gtr_dataset *data = make_data(c, number(c, 2), number(c, 3), numbers(c, 7, c->n_words - 7), c->n_words - 7);
    int k;
    if (!c->over && gtr_trainer_data(t, data, batch, false, drop != 0)) gave_up(c, "gtr_trainer_data");
    for (k = 0; k < n && !c->over; k++) {
        if (gtr_step(t)) gave_up(c, "gtr_step");
        else compare_value(c, "loss", gtr_loss(t));
    }
    if (!c->over && gtr_trainer_data(t, NULL, 0, false, false)) gave_up(c, "gtr_trainer_data");
}
static void run_fit(state *c)
{
    gtr_report history[64];
    float loss[64];
    gtr_fit_desc d;
    int k, n;
    memset(&d, 0, sizeof d);
    d.batch = number(c, 4);
    d.epochs = number(c, 5);
    d.drop_last = number(c, 6) != 0;
    d.no_shuffle = d.silent = true;
    d.history = history;
    d.history_size = 64;
    memset(history, 0, sizeof history);
    gtr_dataset *data = make_data(c, number(c, 2), number(c, 3), numbers(c, 7, c->n_words - 7), c->n_words - 7);
    n = next_count(c);
    if (!c->over && gtr_fit(c->trainer[number(c, 1)], data, d)) gave_up(c, "gtr_fit");
    for (k = 0; k < n && k < 64; k++) loss[k] = history[k].loss;
    compare(c, "history", loss);
}
static void run_evaluate(state *c)
{
    const int metric = number(c, 5), batch = number(c, 4);
    gtr_trainer *t = c->trainer[number(c, 1)];
    gtr_dataset *data = make_data(c, number(c, 2), number(c, 3), numbers(c, 6, c->n_words - 6), c->n_words - 6);
    float loss = 0, value = 0;
    if (!c->over && gtr_evaluate(t, data, batch, metric >= 0 ? c->t[metric] : NULL, &loss, &value))
        gave_up(c, "gtr_evaluate");
    compare_value(c, "loss of a set", loss);
    if (metric >= 0) compare_value(c, "metric of a set", value);
}
static void run_params(state *c)
{
    int64_t j;
    for (j = 0; j < gtr_parameter_count(c->ctx); j++) {
        gtr_tensor *p = gtr_parameter_at(c->ctx, j);
        const int n = next_count(c);
        const bool counter = gtr_tensor_dtype(p) == GTR_I64;
        int64_t tracked = 0;
        int32_t count = 0;
        float *v = (float *)calloc((size_t)n + 1, 4);
        char text[100];
        snprintf(text, sizeof text, "parameter %s", gtr_tensor_name(p));
        if (counter && !gtr_get(p, &tracked, sizeof tracked)) { count = (int32_t)tracked; compare(c, text, &count); }
        else compare(c, text, !counter && !gtr_get(p, v, (size_t)n * 4) ? v : NULL);
        free(v);
    }
}
static void run_states(state *c)
{
    gtr_trainer *t = c->trainer[number(c, 1)];
    int64_t j;
    int which;
    for (j = 0; j < gtr_parameter_count(c->ctx); j++) {
        gtr_tensor *p = gtr_parameter_at(c->ctx, j);
        for (which = 0; which < c->states[number(c, 1)] && gtr_parameter_trainable(p); which++) {
            const int64_t n = elements(gtr_tensor_shape(p), 1);
            float *v = (float *)calloc((size_t)n + 1, 4);
            char text[100];
            snprintf(text, sizeof text, "state %d of %s", which, gtr_tensor_name(p));
            if (!gtr_state_get(t, p, which, v, (size_t)n * 4)) compare(c, text, v);
            else gtr_error_clear(c->ctx);       /* not trained: no check either */
            free(v);
        }
    }
}
static void run_predict(state *c)
{
    const int out = number(c, 1), most = number(c, 2), rows = number(c, 3), run = number(c, 4), n = next_count(c);
    const bool sure = number(c, 5) != 0;
    size_t bytes;
    float *x = (float *)input_values(c, 0, rows, run, &bytes), *y = (float *)calloc((size_t)n + 1, 4);
    gtr_predictor *p = gtr_predictor_create(c->t[out], most);
    if (!p) gave_up(c, "gtr_predictor_create");
    else if (elements(gtr_tensor_shape(c->t[out]), rows) != n) { failed(c, "shape"); c->over = true; }
    else if (!gtr_predict(p, x, rows, y)) compare(c, "prediction", y);
    else if (rows > most && !sure && strstr(gtr_predictor_error_text(p), "act on each other")) pass_over(c);
    else { failed(c, "gtr_predict: %s", gtr_predictor_error_text(p)); c->over = true; }
    gtr_predictor_destroy(p);
    free(x);
    free(y);
}
static void run_lr(state *c)
{
    if (gtr_trainer_lr(c->trainer[number(c, 1)], real(c, 2))) gave_up(c, "gtr_trainer_lr");
}
static void run_stage(state *c) { gtr_stage(c->ctx, number(c, 1)); }
static void run_recompute(state *c) { if (number(c, 1)) gtr_recompute_begin(c->ctx); else gtr_recompute_end(c->ctx); }
static void run_keep(state *c) { gtr_keep(at(c, 1)); }
static void run_line(state *c)
{
    static const struct { const char *name; void (*f)(state *c); } lines[] = {
        { "trainer", run_trainer }, { "group", run_group }, { "eval", run_eval }, { "step", run_step },
        { "halves", run_halves }, { "data", run_data }, { "fit", run_fit }, { "evaluate", run_evaluate },
        { "params", run_params }, { "states", run_states }, { "predict", run_predict }, { "stage", run_stage },
        { "recompute", run_recompute }, { "keep", run_keep }, { "lr", run_lr } };
    size_t k;
    if (node(c)) return;
    for (k = 0; k < sizeof lines / sizeof *lines; k++)
        if (!strcmp(c->words[0], lines[k].name)) { lines[k].f(c); return; }
    failed(c, "no such line");
    c->over = true;
}
static void script_begin(state *c, const script *s, int precision, gtr_desc d)
{
    memset(c, 0, sizeof *c);
    c->s = s;
    c->precision = precision;
    c->next = s->text;
    c->at = s->checks;
    c->left = s->n_check;
    c->ctx = gtr_create(d);
}
/* The next line's words; false behind the last, and where nothing more can be run. */
static bool script_line(state *c)
{
    const char *end = c->s->text + c->s->length, *line = c->next, *stop;
    if (c->over || line >= end) return false;
    stop = (const char *)memchr(line, '\n', (size_t)(end - line));
    if (!stop) stop = end;
    split(c, line, (size_t)(stop - line));
    c->next = stop + 1;
    return true;
}
static void run_script(state *c)
{
    while (script_line(c)) if (c->n_words) run_line(c);
    if (!c->over && c->left) failed(c, "%u checks are left", c->left);
    if (!c->over && gtr_error(c->ctx)) failed(c, "%s", gtr_error_text(c->ctx));
    gtr_destroy(c->ctx);
}

/* --- the file */
static bool load(const char *path)
{
    FILE *f = fopen(path, "rb");
    long size;
    if (!f) return false;
    fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);
    file = (unsigned char *)malloc((size_t)size + 1);
    file_size = (size_t)size;
    const bool ok = file && size >= 12 && fread(file, 1, file_size, f) == file_size && !memcmp(file, "gtrgraf1", 8);
    fclose(f);
    return ok;
}
/* The script at *p, which moves behind it; false where the file is cut. */
static bool read_script(const unsigned char **p, const unsigned char *end, script *s)
{
    uint32_t head[3], k;
    if (end - *p < 16) return false;
    memcpy(head, *p, 12);
    s->seed = head[0]; s->precisions = head[1]; s->length = head[2];
    s->text = (const char *)*p + 12;
    if ((size_t)(end - *p) < 16 + s->length) return false;
    *p += 12 + s->length;
    memcpy(&s->n_check, *p, 4);
    s->checks = *p += 4;
    for (k = 0; k < s->n_check; k++) {
        uint16_t kept;
        if (end - *p < 8) return false;
        memcpy(&kept, *p + 2, 2);
        if (kept > FOLD || end - *p < 8 + 4 * kept) return false;
        *p += 8 + 4 * kept;
    }
    return true;
}
#ifndef SCRIPTS_ONLY
/* Every case of the file; for sanitizers some. */
static void random_graphs(void)
{
    static state c;
    const unsigned char *p = file + 12, *end = file + file_size;
    const char *only = getenv("GTR_GRAPHS_SEED");
    const uint32_t every = !small ? 1 : device == GTR_DEVICE_CUDA ? 37 : 9;
    uint32_t n, i;
    int precision;
    memcpy(&n, file + 8, 4);
    for (i = 0; i < n; i++) {
        script s;
        if (!CHECK(read_script(&p, end, &s), "the file ends in case %u of %u", i, n)) return;
        if (only ? (uint32_t)strtoul(only, NULL, 10) != s.seed : i % every) continue;
        if (!check_mine((int)(i / every))) continue;
        for (precision = 0; precision < 4; precision++) {
            const bool same = precision == 1 && device == GTR_DEVICE_CPU;       /* the CPU takes TF32 as FP32 */
            if (!(s.precisions >> precision & 1) || same) continue;
            script_begin(&c, &s, precision, desc0());
            run_script(&c);
        }
    }
}

static void all(void) { RUN_IN_PARTS(random_graphs); }     /* run_cuda.sh cuts it into parts itself */
int main(int argc, char **argv)
{
    const char *path = getenv("GTR_GRAPHS") ? getenv("GTR_GRAPHS") : "tests/fixtures/graphs.bin";
    check_begin(argc, argv);
    small = getenv("GTR_TEST_SMALL") != NULL;
    if (CHECK(load(path), "%s cannot be read: run from the top folder", path)) check_devices(all, &device);
    free(file);
    return check_done();
}
#endif
