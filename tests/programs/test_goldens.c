/* Replays fixtures/goldens.bin, what PyTorch computes (gen_goldens.py says how it is made and laid out), through the
   public API: every op and loss with its gradients, batch_norm, four accumulated micro-batches, labels that are ignored
   in micro-batches and evaluations, each optimizer alone over 100 steps, and networks over 10 steps. Limits: NMSE
   1e-10 and max|difference| / max|wanted| 1e-5; losses 1e-5. Integers are equal. */
#include "private.h"
#include "check.h"
#include "elementwise.h"
#include <math.h>
#include <unistd.h>
#include "made.h"

#define MAX_IN 8

static gtr_device device;               /* that contexts are made for */
static bool small;                      /* one case of each */
#include "stack.h"
static gtr_context *test_context(void)
{
    gtr_desc d;
    memset(&d, 0, sizeof d);
    d.device = device;
    if (getenv("GTR_TEST_MAX_SM")) d.max_sm = atoi(getenv("GTR_TEST_MAX_SM"));
    return gtr_create(d);
}

typedef struct record {
    const char *name; uint32_t length, kind; gtr_shape shape; int64_t count; const unsigned char *data; bool asked;
} record;
static record *records;
static uint32_t n_records;
static unsigned char *file;

static uint32_t read_u32(const unsigned char **p)
{
    uint32_t v;
    memcpy(&v, *p, 4);
    *p += 4;
    return v;
}
static bool load(const char *path)
{
    FILE *f = fopen(path, "rb");
    const unsigned char *p;
    long size;
    uint32_t i, k;
    if (!f) return false;
    fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);
    file = (unsigned char *)malloc((size_t)size);
    if (fread(file, 1, (size_t)size, f) != (size_t)size || memcmp(file, "gtrgold1", 8)) return false;
    fclose(f);
    p = file + 8;
    n_records = read_u32(&p);
    records = (record *)calloc(n_records, sizeof *records);
    for (i = 0; i < n_records; i++) {
        record *r = &records[i];
        r->length = read_u32(&p);
        r->name = (const char *)p;
        p += r->length;
        r->kind = read_u32(&p);
        r->shape.ndim = (int)read_u32(&p);
        for (r->count = 1, k = 0; k < (uint32_t)r->shape.ndim; k++) r->count *= r->shape.dim[k] = read_u32(&p);
        r->data = p;
        p += r->kind == 2 ? 12 : 4 * r->count;
    }
    return p == file + size;
}
/* The record "<op>#<k>/<what>", or NULL. */
static const record *find(const char *op, int k, const char *what)
{
    char name[128];
    uint32_t i, n = (uint32_t)snprintf(name, sizeof name, "%s#%d/%s", op, k, what);
    for (i = 0; i < n_records; i++) if (records[i].length == n && !memcmp(records[i].name, name, n)) {
        records[i].asked = true;
        return &records[i];
    }
    return NULL;
}
static const record *find_at(const char *op, int k, const char *what, int at)
{
    char name[64];
    snprintf(name, sizeof name, "%s%d", what, at);
    return find(op, k, name);
}
static const record *find_in(const char *op, int k, const char *folder, const char *what)
{
    char name[96];
    snprintf(name, sizeof name, "%s/%s", folder, what);
    return find(op, k, name);
}

/* A record's elements, 4 bytes each, to be freed. */
static void *values(const record *r)
{
    void *out = malloc((size_t)(4 * r->count + 4));
    if (r->kind == 2) {
        uint32_t seed;
        int32_t log2;
        float shift;
        memcpy(&seed, r->data, 4);
        memcpy(&log2, r->data + 4, 4);
        memcpy(&shift, r->data + 8, 4);
        made((float *)out, r->count, seed, log2, shift);
    } else memcpy(out, r->data, (size_t)(4 * r->count));
    return out;
}

/* got against the record: what is compared is named by op, k and what. */
static void compare(const char *op, int k, const char *what, const float *got, const record *r)
{
    float *want;
    double error = 0, norm = 0, worst = 0, most = 0;
    int64_t i;
    if (!r) { CHECK(r != NULL, "%s#%d %s: no such record", op, k, what); return; }
    want = (float *)values(r);
    if (!strncmp(op, "edges ", 6)) { /* of all sizes: each by itself */
        for (i = 0; i < r->count; i++)
            CHECK(fabs((double)got[i] - want[i]) <= 5e-6 * fabs((double)want[i]) + 1e-37 || got[i] == want[i]
                || (got[i] != got[i] && want[i] != want[i]), "%s#%d %s: element %d is %g, want %g", op, k, what, (int)i,
                (double)got[i], (double)want[i]);
        free(want);
        return;
    }
    for (i = 0; i < r->count; i++) {
        double d = (double)got[i] - want[i];
        if (want[i] - want[i] != 0) {
            CHECK(got[i] == want[i] || (got[i] != got[i] && want[i] != want[i]), "%s#%d %s: element %d is %g, want %g",
                op, k, what, (int)i, (double)got[i], (double)want[i]);
            continue;
        }
        error += d * d;
        norm += (double)want[i] * want[i];
        if (!(fabs(d) <= worst)) worst = fabs(d);
        if (fabs(want[i]) > most) most = fabs(want[i]);
    }
    CHECK(error <= 1e-10 * norm && worst <= 1e-5 * most, "%s#%d %s: NMSE %.2e, largest difference %.2e of %.2e", op, k,
        what, error / (norm + 1e-300), worst, most);
    free(want);
}
static void compare_tensor(const char *op, int k, const char *what, gtr_tensor *t, const record *r)
{
    if (!t || !r) { CHECK(t && r, "%s#%d %s: not there", op, k, what); return; }
    if (r->kind == 1) {
        int32_t *got = (int32_t *)calloc((size_t)r->count + 1, 4), *want = (int32_t *)values(r);
        gtr_result e = gtr_get(t, got, (size_t)(4 * r->count));
        CHECK(!e && !memcmp(got, want, (size_t)(4 * r->count)), "%s#%d %s: integers differ: %s", op, k, what,
            gtr_result_text(e));
        free(got);
        free(want);
    } else {
        float *got = (float *)calloc((size_t)r->count + 1, 4);
        gtr_result e = gtr_get(t, got, (size_t)(4 * r->count));
        if (e) CHECK(!e, "%s#%d %s: %s", op, k, what, gtr_result_text(e));
        else compare(op, k, what, got, r);
        free(got);
    }
}
static gtr_result set_tensor(gtr_tensor *t, const record *r)
{
    void *v = values(r);
    gtr_result e = gtr_set(t, v, (size_t)(4 * r->count));
    free(v);
    return e;
}
static gtr_tensor *constant(gtr_context *ctx, const record *r)
{
    void *v = values(r);
    gtr_tensor *t = gtr_constant(ctx, r->kind == 1 ? GTR_I32 : GTR_F32, r->shape, v);
    free(v);
    return t;
}

/* One line an op: how it is built from inputs x and attributes i (n of them) and f. */
typedef gtr_tensor *(*builder)(gtr_tensor **x, int n_x, const int *i, int n, const float *f);
#define BUILD(name, expression) \
    static gtr_tensor *build_##name(gtr_tensor **x, int n_x, const int *i, int n, const float *f) { \
        (void)n_x; (void)i; (void)n; (void)f; return expression; }
static gtr_tensor *split_joined(gtr_tensor *t, int n)
{
    return gtr_add(gtr_mul(t, gtr_output(t, n - 1)), gtr_output(t, n / 2));
}
static gtr_tensor *tiled(gtr_tensor *x, const int *i, int n)
{
    int64_t times[GTR_MAX_DIMS];
    int k;
    for (k = 0; k < n; k++) times[k] = i[k];
    return gtr_tile(x, times);
}
static gtr_tensor *padded(gtr_tensor *x, const int *i, int n, float value)
{
    int64_t pad[2 * GTR_MAX_DIMS];
    int k;
    for (k = 1; k < n; k++) pad[k - 1] = i[k];
    return gtr_pad(x, pad, n / 2, (gtr_pad_mode)i[0], value);
}
static gtr_tensor *masked_of(gtr_tensor *t) { return gtr_add(t, gtr_square(gtr_output(t, 1))); }
#define OPS(X) \
    X(matmul,          gtr_matmul_t(x[0], i[0] != 0, x[1], i[1] != 0)) \
    X(linear,          gtr_linear_with(x[0], x[1], x[2])) \
    X(linear_no_bias,  gtr_linear_with(x[0], x[1], NULL)) \
    X(reshape,         gtr_reshape(x[0], shape_of(i, n))) \
    X(flatten,         gtr_flatten(x[0])) \
    X(permute,         gtr_permute(x[0], i)) \
    X(concat,          gtr_concat(x, n_x, i[0])) \
    X(slice,           gtr_slice(x[0], i[0], i[1], i[2])) \
    X(slice_step,      gtr_slice_step(x[0], i[0], i[1], i[2], i[3])) \
    X(split,           split_joined(gtr_split(x[0], i[0], i[1]), i[1])) \
    X(sum,             gtr_sum(x[0], i + 1, n - 1, i[0] != 0)) \
    X(mean,            gtr_mean(x[0], i + 1, n - 1, i[0] != 0)) \
    X(softmax,         gtr_softmax(x[0], i[0])) \
    X(argmax,          gtr_argmax(x[0], i[0])) \
    X(logsumexp,       gtr_logsumexp(x[0], i + 1, n - 1, i[0] != 0)) \
    X(max,             gtr_max(x[0], i + 1, n - 1, i[0] != 0)) \
    X(min,             gtr_min(x[0], i + 1, n - 1, i[0] != 0)) \
    X(prod,            gtr_prod(x[0], i + 1, n - 1, i[0] != 0)) \
    X(var,             gtr_var(x[0], i + 1, n - 1, true, i[0] != 0)) \
    X(var_biased,      gtr_var(x[0], i + 1, n - 1, false, i[0] != 0)) \
    X(norm1,           gtr_norm(x[0], 1, i + 1, n - 1, i[0] != 0)) \
    X(norm2,           gtr_norm(x[0], 2, i + 1, n - 1, i[0] != 0)) \
    X(norm_inf,        gtr_norm(x[0], (float)INFINITY, i + 1, n - 1, i[0] != 0)) \
    X(softmax_mask,    masked_of(gtr_softmax_mask(x[0], x[1], i[0]))) \
    X(log_softmax,     gtr_log_softmax(x[0], i[0])) \
    X(argmin,          gtr_argmin(x[0], i[0])) \
    X(cumsum,          gtr_cumsum(x[0], i[0])) \
    X(sort,            gtr_sort(x[0], i[0], i[1] != 0)) \
    X(sort_places,     gtr_output(gtr_sort(x[0], i[0], i[1] != 0), 1)) \
    X(top_k,           gtr_top_k(x[0], i[1], i[0])) \
    X(top_k_places,    gtr_output(gtr_top_k(x[0], i[1], i[0]), 1)) \
    X(roll,            gtr_roll(x[0], i[1], i[0])) \
    X(flip,            gtr_flip(x[0], i, n)) \
    X(stack,           gtr_stack(x, n_x, i[0])) \
    X(tile,            tiled(x[0], i, n)) \
    X(pad,             padded(x[0], i, n, f[0])) \
    X(gather_rows,     gtr_gather_rows(x[0], x[1])) \
    X(scatter_add_rows, gtr_scatter_add_rows(x[0], x[1], i[0])) \
    X(gather,          gtr_gather(x[0], i[0], x[1])) \
    X(to_float,        gtr_to_float(x[0])) \
    X(to_int,          gtr_to_int(x[0])) \
    X(one_hot,         gtr_one_hot(x[0], i[0])) \
    X(embedding,       gtr_embedding_with(x[0], x[1])) \
    X(cross_entropy,   gtr_cross_entropy_ex(x[0], x[1], cross_entropy_of(i, f))) \
    X(accuracy,        gtr_accuracy(x[0], x[1])) \
    X(mse,             gtr_mse(x[0], x[1])) \
    X(bce_with_logits, gtr_bce_with_logits(x[0], x[1])) \
    X(mse_ex, gtr_mse_ex(x[0], x[1], loss_of(x, n_x, i, f))) \
    X(l1, gtr_l1_ex(x[0], x[1], loss_of(x, n_x, i, f))) \
    X(smooth_l1, gtr_smooth_l1_ex(x[0], x[1], loss_of(x, n_x, i, f))) \
    X(huber, gtr_huber_ex(x[0], x[1], loss_of(x, n_x, i, f))) \
    X(bce, gtr_bce_ex(x[0], x[1], loss_of(x, n_x, i, f))) \
    X(bce_with_logits_ex, gtr_bce_with_logits_ex(x[0], x[1], loss_of(x, n_x, i, f))) \
    X(focal, gtr_focal_ex(x[0], x[1], loss_of(x, n_x, i, f))) \
    X(kl_div, gtr_kl_div_ex(x[0], x[1], loss_of(x, n_x, i, f))) \
    X(quantile, gtr_quantile_ex(x[0], x[1], quantile_of(x, n_x, i, f[0]))) \
    X(poisson_nll, gtr_poisson_nll_ex(x[0], x[1], loss_of(x, n_x, i, f))) \
    X(gaussian_nll, gtr_gaussian_nll_ex(x[0], x[1], x[2], loss_of(x, n_x, i, f))) \
    X(cosine_embedding, gtr_cosine_embedding_ex(x[0], x[1], gtr_constant(x[0]->ctx, GTR_F32, gtr_shape1(4), f + 6), \
        loss_of(x, n_x, i, f))) \
    X(cross_entropy_ex, gtr_cross_entropy_ex(x[0], x[1], weighted_of(x, n_x, i, f))) \
    X(nll, gtr_nll_ex(x[0], x[1], weighted_of(x, n_x, i, f))) \
    X(ctc,             gtr_ctc_ex(x[0], x[1], ctc_of(x, i))) \
    X(where,           gtr_add(gtr_where(gtr_round(x[0]), x[1], x[2]), gtr_scale(x[0], 0, 0))) \
    X(layer_norm,      gtr_layer_norm_with(x[0], x[1], n_x > 2 ? x[2] : NULL, f[0])) \
    X(rms_norm,        gtr_rms_norm_with(x[0], x[1], f[0])) \
    X(prelu,           gtr_prelu_with(x[0], x[1])) \
    X(bilinear,        gtr_bilinear_with(x[0], x[1], x[2], n_x > 3 ? x[3] : NULL)) \
    X(cell,            cell_of(x, i)) \
    X(attention,       attention_of(x, n_x, i, f[0])) \
    X(multihead,       multihead_of(x, i)) \
    X(positions,       gtr_add_positions(x[0], f[0])) \
    X(rope,            gtr_rope(x[0], f[0], i[0])) \
    X(conv,            gtr_conv2d_with(x[0], x[1], n_x > 2 ? x[2] : NULL, conv_of(i))) \
    X(conv_transpose,  gtr_conv_transpose2d_with(x[0], x[1], n_x > 2 ? x[2] : NULL, conv_of(i))) \
    X(max_pool,        gtr_max_pool2d_ex(x[0], pool_of(i, true))) \
    X(avg_pool,        gtr_avg_pool2d_ex(x[0], pool_of(i, false))) \
    X(adaptive_avg_pool, gtr_adaptive_avg_pool2d(x[0], i[0], i[1])) \
    X(global_avg_pool, gtr_global_avg_pool(x[0])) \
    X(upsample,        gtr_upsample2d(x[0], i[0], i[1] != 0)) \
    X(pixel_shuffle,   gtr_pixel_shuffle(x[0], i[0])) \
    X(group_norm,      gtr_group_norm_with(x[0], n_x > 1 ? x[1] : NULL, n_x > 2 ? x[2] : NULL, i[0], f[0])) \
    X(instance_norm,   gtr_instance_norm(x[0], NULL, 0)) \
    X(layout,          layout_of(x[0], x[1], x[2], n_x > 3 ? x[3] : NULL, i[0])) \
    X(stop_gradient,   gtr_add(gtr_mul(gtr_stop_gradient(x[0]), x[1]), gtr_scale(x[0], 0, 0)))

static gtr_shape shape_of(const int *i, int n)
{
    gtr_shape s;
    int k;
    memset(&s, 0, sizeof s);
    for (s.ndim = n, k = 0; k < n; k++) s.dim[k] = i[k];
    return s;
}
static gtr_cross_entropy_desc cross_entropy_of(const int *i, const float *f)
{
    gtr_cross_entropy_desc d;
    memset(&d, 0, sizeof d);
    d.label_smoothing = f[0];
    d.ignore_index = i[0];
    d.ignore_zero = i[0] == 0;
    return d;
}
static gtr_loss_desc loss_of(gtr_tensor **x, int n_x, const int *i, const float *f)
{
    gtr_loss_desc d;
    memset(&d, 0, sizeof d);
    d.reduction = (gtr_reduction)i[0];
    if (i[1]) d.weight = x[n_x - 1];
    d.log_target = i[2] & 1; d.no_log_input = (i[2] & 2) != 0; d.full = (i[2] & 4) != 0;
    if (i[2] & 8) d.pos_weight = x[2];
    d.beta = f[0]; d.delta = f[1]; d.alpha = f[2]; d.gamma = f[3]; d.margin = f[4]; d.eps = f[5];
    return d;
}
static gtr_loss_desc quantile_of(gtr_tensor **x, int n_x, const int *i, float q)
{
    gtr_loss_desc d;
    memset(&d, 0, sizeof d);
    d.reduction = (gtr_reduction)i[0];
    if (i[1]) d.weight = x[n_x - 1];
    d.quantile = q;
    return d;
}
static gtr_cross_entropy_desc weighted_of(gtr_tensor **x, int n_x, const int *i, const float *f)
{
    gtr_cross_entropy_desc d = { f[0], x[1]->dtype == GTR_I32 ? i[2] : 0, false, (gtr_reduction)i[0], NULL, NULL };
    if (i[1] & 1) d.weight = x[2];
    if (i[1] & 2) d.sample_weight = x[n_x - 1];
    return d;
}
static gtr_ctc_desc ctc_of(gtr_tensor **x, const int *i)
{
    gtr_ctc_desc d;
    memset(&d, 0, sizeof d);
    d.reduction = (gtr_reduction)i[0]; d.blank = i[1]; d.zero_infinity = i[2] != 0;
    if (i[3]) d.lengths = x[2];
    if (i[4]) d.label_lengths = x[2 + i[3]];
    return d;
}
static gtr_conv_desc conv_of(const int *i)
{
    gtr_conv_desc d;
    memset(&d, 0, sizeof d);
    d.stride = i[0]; d.stride_w = i[1]; d.padding = i[2]; d.padding_w = i[3] ? i[3] : -1;
    d.dilation = i[4]; d.dilation_w = i[5]; d.groups = i[6];
    d.output_padding = i[7]; d.output_padding_w = i[8] ? i[8] : -1;
    return d;
}
static gtr_pool_desc pool_of(const int *i, bool largest)
{
    gtr_pool_desc d;
    memset(&d, 0, sizeof d);
    d.kernel = i[0]; d.kernel_w = i[1]; d.stride = i[2]; d.stride_w = i[3];
    d.padding = i[4]; d.padding_w = i[5] ? i[5] : -1;
    if (largest) { d.dilation = i[6]; d.dilation_w = i[7]; }
    d.round_up = i[8] != 0; d.exclude_padding = !largest && i[9];
    return d;
}
static gtr_tensor *image_of(gtr_tensor *x, gtr_tensor *w, gtr_tensor *b)
{
    gtr_conv_desc d;
    memset(&d, 0, sizeof d);
    d.padding = 1;
    return gtr_conv2d_with(x, w, b, d);
}
static gtr_tensor *joined(gtr_tensor *a, gtr_tensor *b, gtr_tensor *c, int axis)
{
    gtr_tensor *t[3];
    t[0] = a; t[1] = b; t[2] = c;
    return gtr_concat(t, c ? 3 : 2, axis);
}
static gtr_tensor *turned(gtr_tensor *x, int a, int b, int c, int d)
{
    int dims[4];
    dims[0] = a; dims[1] = b; dims[2] = c; dims[3] = d;
    return gtr_permute(x, dims);
}
/* Steps of a recurrence over x (N, T, I), of i[0] gates; the last states. */
static gtr_tensor *cell_of(gtr_tensor **x, const int *i)
{
    const gtr_shape s = gtr_tensor_shape(x[0]), row = gtr_shape2(s.dim[0], s.dim[2]);
    gtr_tensor **more = x + 3 + 2 * i[1], *h = i[2] ? more[0] : NULL, *c = i[2] && i[0] == 4 ? more[1] : NULL;
    gtr_cell w;
    w.weight_ih = x[1]; w.weight_hh = x[2];
    w.bias_ih = i[1] ? x[3] : NULL; w.bias_hh = i[1] ? x[4] : NULL;
    for (int64_t k = 0; k < s.dim[1]; k++) {
        gtr_tensor *t = gtr_reshape(gtr_slice(x[0], 1, k, k + 1), row);
        h = i[0] == 4 ? gtr_lstm_cell_with(t, h, &c, w) : (i[0] == 3 ? gtr_gru_cell_with : gtr_rnn_cell_with)(t, h, w);
    }
    return c ? joined(h, c, NULL, 1) : h;
}
static gtr_tensor *attention_of(gtr_tensor **x, int n_x, const int *i, float scale)
{
    gtr_attention_desc d;
    memset(&d, 0, sizeof d);
    d.causal = i[0] != 0; d.scale = scale;
    if (i[1]) d.lengths = x[3];
    if (i[2]) d.mask = x[n_x - 1];
    return gtr_attention(x[0], x[1], x[2], d);
}
static gtr_tensor *multihead_of(gtr_tensor **x, const int *i)
{
    gtr_tensor **of = x + 1 + i[1];
    gtr_attention_desc d;
    gtr_multihead w;
    memset(&d, 0, sizeof d);
    w.in_proj_weight = of[0]; w.out_proj_weight = of[1];
    w.in_proj_bias = i[2] ? of[2] : NULL; w.out_proj_bias = i[2] ? of[3] : NULL;
    return gtr_multihead_attention_with(x[0], i[1] ? x[1] : NULL, w, i[0], d);
}
/* The lines of layouts() in gen_goldens.py, in their order. */
static gtr_tensor *layout_of(gtr_tensor *x, gtr_tensor *w, gtr_tensor *b, gtr_tensor *v, int line)
{
    static const int sides[] = { 2, 3 }, all[] = { 1, 2, 3 }, channels[] = { 0, 2, 3 }, rows[] = { 1, 3 }, one = 1,
        none = 0, last = 3, high = 2;
    static const int64_t across[] = { 1, 3, 1, 1 }, both[] = { 1, 2, 1, 2 }, pad[] = { 1, 0, 2, 1 };
    gtr_tensor *h = image_of(x, w, b), *t = gtr_tanh(h), *p;
    gtr_conv_desc d;
    memset(&d, 0, sizeof d);
    switch (line) {
    case 0: return gtr_softmax(h, 1);
    case 1: return gtr_log_softmax(h, 3);
    case 2: return gtr_mean(t, sides, 2, false);
    case 3: return gtr_mul(h, gtr_mean(t, sides, 2, true));
    case 4: return gtr_sum(h, &one, 1, false);
    case 5: return gtr_mul(gtr_relu(h), gtr_sum(h, &one, 1, true));
    case 6: return gtr_max(h, all, 3, false);
    case 7: return gtr_mul(gtr_max(h, &one, 1, true), h);
    case 8: return gtr_mean(t, channels, 3, false);
    case 9: return gtr_sub(h, gtr_mean(h, channels, 3, true));
    case 10: return gtr_sum(t, rows, 2, false);
    case 11: return gtr_mean(h, &none, 1, false);
    case 12: return gtr_mul(gtr_sum(gtr_square(h), all, 3, true), h);
    case 13: return gtr_var(h, sides, 2, true, true);
    case 14: return gtr_logsumexp(h, &one, 1, false);
    case 15: return gtr_sum(t, &last, 1, false);
    case 16: case 17: case 18: case 19: return joined(h, x, t, line - 16);
    case 20: return gtr_slice(t, 0, 1, 2);
    case 21: return gtr_slice(t, 1, 1, 3);
    case 22: return gtr_slice(t, 2, 1, 3);
    case 23: return image_of(gtr_slice(t, 3, 2, 5), w, NULL);
    case 24: return gtr_add(gtr_tanh(gtr_mul(h, v)), v);
    case 25: return gtr_div(t, gtr_scale(v, 1, 2));
    case 26: return gtr_tanh(gtr_add(h, v));
    case 27: return gtr_mul(v, t);
    case 28: return gtr_add(gtr_mul(h, v), v);
    case 29: return image_of(gtr_sub(t, v), w, NULL);
    case 30: return gtr_mul(h, v);
    case 31: return gtr_mul(t, v);
    case 32: return image_of(gtr_add(h, v), w, b);
    case 33: return turned(gtr_linear_with(turned(h, 0, 2, 3, 1), v, NULL), 0, 3, 1, 2);
    case 34: return turned(h, 0, 2, 3, 1);
    case 35: return image_of(gtr_tile(gtr_slice(turned(t, 1, 0, 2, 3), 1, 0, 1), across), w, NULL);
    case 36: d.stride = 2; return gtr_conv2d_with(gtr_reshape(gtr_relu(h), gtr_shape3(2, 3, 20)), v, NULL, d);
    case 37: return gtr_linear_with(gtr_flatten(gtr_relu(h)), v, NULL);
    case 38: return image_of(t, w, b);
    case 39: return image_of(t, gtr_add(gtr_scale(gtr_tanh(w), 2, 0), w), NULL);
    case 40: return gtr_add(gtr_mean(gtr_square(h), NULL, 0, false), gtr_scale(gtr_sum(gtr_square(w), NULL, 0, false),
        0.25f, 0));
    case 41: return gtr_linear_with(gtr_mean(t, sides, 2, false), gtr_reshape(w, gtr_shape2(27, 3)), NULL);
    case 42: return image_of(t, gtr_stop_gradient(w), NULL);
    case 43: d.padding = 1; return gtr_conv_transpose2d_with(t, w, b, d);
    case 44: return turned(h, 0, 3, 2, 1);
    case 45: return gtr_cumsum(h, 1);
    case 46: return gtr_roll(gtr_flip(t, &high, 1), 1, 3);
    case 47: return image_of(gtr_pad(h, pad, 2, GTR_PAD_CONSTANT, 0.5f), w, NULL);
    case 48: case 49: return gtr_layer_norm_with(h, v, NULL, 0.125f);
    case 50: return gtr_prelu_with(h, v);
    case 51: return gtr_matmul(t, v);
    case 52: return gtr_matmul_t(gtr_reshape(h, gtr_shape3(2, 3, 20)), false, gtr_reshape(t, gtr_shape3(2, 3, 20)),
        true);
    case 53: return gtr_sort(h, 1, false);
    case 54: return gtr_where(gtr_less(x, h), gtr_scale(h, 2, 0), t);
    case 55: { gtr_tensor *two[2]; two[0] = h; two[1] = x; return gtr_stack(two, 2, 1); }
    case 56: return gtr_tile(h, both);
    case 57: return gtr_softmax(gtr_reshape(h, gtr_shape3(2, 12, 5)), 1);
    case 58: p = gtr_split(t, 1, 3); return image_of(joined(gtr_output(p, 2), gtr_output(p, 1), p, 1), w, NULL);
    case 59: return gtr_add(gtr_max_pool2d(gtr_relu(h), 2, 2, 0), gtr_avg_pool2d(h, 2, 2, 0));
    case 60: return gtr_mean(gtr_upsample2d(gtr_max_pool2d(h, 2, 2, 0), 2, false), &one, 1, false);
    default: return gtr_add(gtr_mean(h, &one, 1, true), gtr_max(h, sides, 2, true));
    }
}
OPS(BUILD)
#define BUILD_UNARY(ID, name, kinds, flags, built, plain, torch) \
    static gtr_tensor *unary_##name(gtr_tensor *x) { return built; } BUILD(name, unary_##name(x[0]))
#define BUILD_BINARY(ID, name, kinds, flags, built, plain, torch) \
    static gtr_tensor *binary_##name(gtr_tensor *x, gtr_tensor *y) { return built; } \
    BUILD(name, binary_##name(x[0], x[1]))
UNARY_TESTS(BUILD_UNARY) BINARY_TESTS(BUILD_BINARY)

static void test_op_case(const char *op, builder build, int k)
{
    gtr_context *ctx = test_context();
    gtr_tensor *x[MAX_IN], *fetch[MAX_IN + 1], *out, *loss = NULL;
    const record *in[MAX_IN], *r_i = find(op, k, "i"), *r_f = find(op, k, "f"), *r_g = find(op, k, "g"), *r_d;
    int n_x, n_fetch = 0, at[MAX_IN + 1], j;
    int *i = r_i ? (int *)values(r_i) : NULL;
    float *f = r_f ? (float *)values(r_f) : NULL;
    char what[32];

    for (n_x = 0; n_x < MAX_IN && (in[n_x] = find_at(op, k, "in", n_x)) != NULL; n_x++) {
        snprintf(what, sizeof what, "in%d", n_x);
        x[n_x] = gtr_input(ctx, what, in[n_x]->kind == 1 ? GTR_I32 : GTR_F32, in[n_x]->shape);
    }
    out = build(x, n_x, i, r_i ? (int)r_i->count : 0, f);
    for (j = 0; j < n_x; j++) CHECK(!set_tensor(x[j], in[j]), "%s#%d: setting in%d: %s", op, k, j, gtr_error_text(ctx));
    fetch[n_fetch++] = out;
    if (find(op, k, "d0") || find(op, k, "d1"))
        loss = r_g ? gtr_sum(gtr_mul(out, constant(ctx, r_g)), NULL, 0, false) : out;
    for (j = 0; loss && j < n_x; j++)
        if (find_at(op, k, "d", j)) { at[n_fetch] = j; fetch[n_fetch++] = gtr_gradient(loss, x[j]); }
    if (gtr_eval(fetch, n_fetch)) CHECK(0, "%s#%d: %s", op, k, gtr_error_text(ctx));
    else {
        compare_tensor(op, k, "output", out, find(op, k, "out"));
        for (j = 1; j < n_fetch; j++) {
            r_d = find_at(op, k, "d", at[j]);
            snprintf(what, sizeof what, "gradient of in%d", at[j]);
            compare_tensor(op, k, what, fetch[j], r_d);
        }
    }
    free(i);
    free(f);
    gtr_destroy(ctx);
}
static void test_op(const char *op, builder build)
{
    static const char why[] =
        "no cases in tests/fixtures/goldens.bin: tests/generate/gen_goldens.py makes them (with PyTorch)";
    int k, most = small ? 1 : 1000;
    if (!check_row(strncmp(op, "edges ", 6) ? op : op + 6)) return;
    for (k = 0; k < most && find(op, k, "in0"); k++) test_op_case(op, build, k);
    if (!k && getenv("GTR_TEST_GOLDENS")) CHECK(0, "%s: %s", op, why);     /* none may lack them */
    else if (!k) SKIP("%s: %s", op, why);
}

static void test_batch_norm(void)
{
    static const char *const op = "batch_norm", *const own[4] = { "weight", "bias", "mean", "var" };
    static const char *const full[4] = { "bn.weight", "bn.bias", "bn.running_mean", "bn.running_var" };
    int k, j;
    for (k = 0; find(op, k, "in0"); k++) {
        gtr_context *ctx = test_context();
        const record *in = find(op, k, "in0");
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, in->shape), *y = gtr_batch_norm(x, "bn"), *loss, *fetch[4];
        set_tensor(x, in);
        for (j = 0; j < 4; j++) CHECK(!set_tensor(gtr_parameter_find(ctx, full[j]), find(op, k, own[j])),
            "batch_norm#%d: setting %s: %s", k, full[j], gtr_error_text(ctx));
        gtr_eval(&y, 1);
        compare_tensor(op, k, "in evaluation", y, find(op, k, "eval"));
        loss = gtr_sum(gtr_mul(y, constant(ctx, find(op, k, "g"))), NULL, 0, false);
        fetch[0] = y;
        fetch[1] = gtr_gradient(loss, x);
        fetch[2] = gtr_gradient(loss, gtr_parameter_find(ctx, "bn.weight"));
        fetch[3] = gtr_gradient(loss, gtr_parameter_find(ctx, "bn.bias"));
        gtr_eval_train(fetch, 4);
        compare_tensor(op, k, "in training", y, find(op, k, "train"));
        compare_tensor(op, k, "gradient of x", fetch[1], find(op, k, "d0"));
        compare_tensor(op, k, "gradient of weight", fetch[2], find(op, k, "dweight"));
        compare_tensor(op, k, "gradient of bias", fetch[3], find(op, k, "dbias"));
        /* gtr_eval_train changes no state */
        for (j = 0; j < 4; j++) compare_tensor(op, k, full[j], gtr_parameter_find(ctx, full[j]), find(op, k, own[j]));
        CHECK(!gtr_error(ctx), "batch_norm#%d: %s", k, gtr_error_text(ctx));
        gtr_destroy(ctx);
    }
}

/* Sets every parameter that has a record of its name. */
static void set_parameters(gtr_context *ctx, const char *op, int k)
{
    int64_t j;
    for (j = 0; j < gtr_parameter_count(ctx); j++) {
        gtr_tensor *p = gtr_parameter_at(ctx, j);
        const record *r = find(op, k, gtr_tensor_name(p));
        if (r) CHECK(!set_tensor(p, r), "%s#%d: setting %s: %s", op, k, gtr_tensor_name(p), gtr_error_text(ctx));
    }
}
static void compare_gradients(gtr_context *ctx, gtr_trainer *t, const char *op, int k)
{
    int64_t j;
    for (j = 0; j < gtr_parameter_count(ctx); j++) {
        gtr_tensor *p = gtr_parameter_at(ctx, j);
        const record *r = find_in(op, k, "grad", gtr_tensor_name(p));
        float *got;
        if (!r) continue;
        got = (float *)calloc((size_t)r->count, 4);
        CHECK(!gtr_gradient_get(t, p, got, (size_t)(4 * r->count)), "%s#%d: gradient of %s: %s", op, k,
            gtr_tensor_name(p), gtr_error_text(ctx));
        compare(op, k, gtr_tensor_name(p), got, r);
        free(got);
    }
}
static void compare_end(gtr_context *ctx, const char *op, int k)
{
    int64_t j;
    for (j = 0; j < gtr_parameter_count(ctx); j++) {
        gtr_tensor *p = gtr_parameter_at(ctx, j);
        const record *r = find_in(op, k, "end", gtr_tensor_name(p));
        if (r && gtr_tensor_dtype(p) == GTR_I64) {
            int64_t got = -1;
            int32_t *want = (int32_t *)values(r);
            CHECK(!gtr_get(p, &got, sizeof got) && got == *want, "%s#%d: %s is %lld", op, k, gtr_tensor_name(p),
                (long long)got);
            free(want);
        } else if (r) compare_tensor(op, k, gtr_tensor_name(p), p, r);
    }
}
static void compare_loss(const char *op, int k, int step, float got)
{
    float *want = (float *)values(find(op, k, "loss"));
    CHECK(fabsf(got - want[step]) <= 1e-5f, "%s#%d: loss of step %d is %.8f, PyTorch's %.8f", op, k, step + 1,
        got, want[step]);
    free(want);
}

/* Layers of recurrences: values, last states, and gradients of a sum of all of these. */
static void test_recurrent(void)
{
    static const char *const op = "recurrent", *const outs[] = { "y", "h", "c" }, *const factors[] = { "gy", "gh",
        "gc" };
    const record *r;
    int k, j, s;
    for (k = 0; k < (small ? 1 : 1000) && (r = find(op, k, "i")) != NULL; k++) {
        gtr_context *ctx = test_context();
        int *i = (int *)values(r), states = i[1] * (1 + i[2]), kinds = i[0] == 4 ? 2 : 1, n = 0;
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, find(op, k, "in0")->shape), *first[2][6] = { { NULL } },
            *last[2][6], *out[3], *loss = NULL, *d[32];
        gtr_recurrent_desc c;
        memset(&c, 0, sizeof c);
        c.layers = i[1]; c.bidirectional = i[2] != 0; c.no_bias = !i[3]; c.time_first = i[5] != 0; c.relu = !i[0];
        c.h_last = last[0]; c.c_last = kinds > 1 ? last[1] : NULL;
        if (i[4]) { c.h = first[0]; c.c = kinds > 1 ? first[1] : NULL; }
        set_tensor(x, find(op, k, "in0"));
        for (s = 0; s < kinds; s++) for (j = 0; i[4] && j < states; j += i[4]) {
            char name[16];
            snprintf(name, sizeof name, "%s%d", outs[s + 1], j);
            r = find(op, k, name);
            first[s][j] = gtr_input(ctx, name, GTR_F32, r->shape);
            set_tensor(first[s][j], r);
        }
        r = find(op, k, "lengths");
        if (r) { c.lengths = gtr_input(ctx, "lengths", GTR_I32, r->shape); set_tensor(c.lengths, r); }
        out[0] = (i[0] == 4 ? gtr_lstm : i[0] == 3 ? gtr_gru : gtr_rnn)(x, "rnn", i[6], c);
        for (s = 0; s < kinds; s++) out[s + 1] = gtr_stack(last[s], states, 0);
        set_parameters(ctx, op, k);
        EXPECT_EQ(gtr_parameter_count(ctx), states * (i[3] ? 4 : 2));
        for (s = 0; s <= kinds; s++) {
            gtr_tensor *t = gtr_sum(gtr_mul(out[s], constant(ctx, find(op, k, factors[s]))), NULL, 0, false);
            loss = loss ? gtr_add(loss, t) : t;
            d[n++] = out[s];
        }
        d[n++] = gtr_gradient(loss, x);
        for (s = 0; s < kinds; s++) for (j = 0; j < states; j++)
            if (first[s][j]) d[n++] = gtr_gradient(loss, first[s][j]);
        CHECK(!gtr_eval(d, n), "recurrent#%d: %s", k, gtr_error_text(ctx));
        for (s = 0; s <= kinds; s++) compare_tensor(op, k, outs[s], out[s], find(op, k, outs[s]));
        n = kinds + 1;
        compare_tensor(op, k, "gradient of x", d[n++], find(op, k, "d0"));
        for (s = 0; s < kinds; s++) for (j = 0; j < states; j++) if (first[s][j])
            compare_tensor(op, k, s ? "gradient of c" : "gradient of h", d[n++], find_at(op, k, s ? "dc" : "dh", j));
        for (j = 0; j < gtr_parameter_count(ctx); j++) d[j] = gtr_gradient(loss, gtr_parameter_at(ctx, j));
        CHECK(!gtr_eval(d, (int)j), "recurrent#%d: %s", k, gtr_error_text(ctx));
        for (j = 0; j < gtr_parameter_count(ctx); j++) {
            const char *name = gtr_tensor_name(gtr_parameter_at(ctx, j));
            compare_tensor(op, k, name, d[j], find_in(op, k, "grad", name));
        }
        CHECK(!gtr_error(ctx), "recurrent#%d: %s", k, gtr_error_text(ctx));
        free(i);
        gtr_destroy(ctx);
    }
    CHECK(k > 0, "recurrent: no cases in tests/fixtures/goldens.bin");
}

static void test_micro_batches(void)
{
    static const char *const op = "micro";
    gtr_context *ctx = test_context();
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 6)),
        *y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    gtr_tensor *h = gtr_linear(gtr_relu(gtr_batch_norm(gtr_linear(x, "fc1", 8), "bn")), "fc2", 3);
    gtr_trainer_desc d;
    gtr_trainer *t;
    int step;
    memset(&d, 0, sizeof d);
    d.lr = 0.125f;
    d.momentum = 0.875f;
    d.micro_batches = 4;
    t = gtr_trainer_create(gtr_cross_entropy(h, y), d);
    set_parameters(ctx, op, 0);
    for (step = 0; step < 3; step++) {
        set_tensor(x, find_at(op, 0, "x", step));
        set_tensor(y, find_at(op, 0, "y", step));
        CHECK(!gtr_step(t), "micro-batches: %s", gtr_error_text(ctx));
        if (step == 0) compare_gradients(ctx, t, op, 0);
        compare_loss(op, 0, step, gtr_loss(t));
    }
    compare_end(ctx, op, 0);
    CHECK(!gtr_error(ctx), "micro-batches: %s", gtr_error_text(ctx));
    gtr_destroy(ctx);
}

/* Labels that are ignored: micro-batches and evaluations in batches give what PyTorch does over the whole. */
static void test_ignored(void)
{
    static const char *const op = "ignored";
    static const int micros[] = { 3, 1, 2, 7 }, batches[] = { 8, 1, 72 };
    int k, m, step, b;
    for (k = 0; find(op, k, "f"); k++) for (m = 0; m < (small ? 1 : 4); m++) {
        gtr_context *ctx = test_context();
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 3, 6)),
            *y = gtr_input(ctx, "y", GTR_I32, gtr_shape2(GTR_BATCH, 3));
        gtr_tensor *h = gtr_reshape(gtr_linear(gtr_tanh(gtr_linear(x, "fc1", 8)), "fc2", 5), gtr_shape2(-3, 5)),
            *label = gtr_reshape(y, gtr_shape1(-3));
        float *f = (float *)values(find(op, k, "f")), *want = (float *)values(find(op, k, "eval")),
            set_x[72 * 18], loss, accuracy;
        int32_t set_y[72 * 3];
        gtr_arrays_desc a;
        gtr_cross_entropy_desc c;
        gtr_trainer_desc d;
        gtr_trainer *t;
        memset(&a, 0, sizeof a); memset(&c, 0, sizeof c); memset(&d, 0, sizeof d);
        c.label_smoothing = f[0]; c.ignore_index = (int32_t)f[1];
        d.lr = 0.125f; d.momentum = 0.875f; d.micro_batches = micros[m];
        t = gtr_trainer_create(gtr_cross_entropy_ex(h, label, c), d);
        set_parameters(ctx, op, k);
        for (step = 0; step < 3; step++) {
            const record *rx = find_at(op, k, "x", step), *ry = find_at(op, k, "y", step);
            void *vx = values(rx), *vy = values(ry);
            memcpy(set_x + step * 24 * 18, vx, 24 * 18 * sizeof *set_x);
            memcpy(set_y + step * 24 * 3, vy, 24 * 3 * sizeof *set_y);
            free(vx); free(vy);
            set_tensor(x, rx);
            set_tensor(y, ry);
            CHECK(!gtr_step(t), "ignored#%d, %d micro-batches: %s", k, micros[m], gtr_error_text(ctx));
            if (step == 0) compare_gradients(ctx, t, op, k);
            compare_loss(op, k, step, gtr_loss(t));
        }
        compare_end(ctx, op, k);
        a.rows = 72;
        a.column[0].data = set_x; a.column[0].shape = gtr_shape2(3, 6);
        a.column[1].data = set_y; a.column[1].dtype = GTR_I32; a.column[1].shape = gtr_shape1(3);
        for (b = 0; b < 3; b++) {
            CHECK(!gtr_evaluate(t, gtr_dataset_arrays(ctx, a), batches[b], gtr_accuracy(h, label), &loss, &accuracy),
                "ignored#%d: %s", k, gtr_error_text(ctx));
            CHECK(fabsf(loss - want[0]) <= 1e-5f && fabsf(accuracy - want[1]) <= 1e-5f,
                "ignored#%d evaluated by %d: loss %.8f and accuracy %.8f, PyTorch's %.8f and %.8f", k, batches[b], loss,
                accuracy, want[0], want[1]);
        }
        CHECK(!gtr_error(ctx), "ignored#%d: %s", k, gtr_error_text(ctx));
        free(f); free(want);
        gtr_destroy(ctx);
    }
}

static void test_optimizers(void)
{
    static const char *const op = "optimizer";
    bool has[GTR__N_OPTIMIZERS] = { false };
    int k, s, which;
    int64_t i;
    for (k = 0; find(op, k, "f"); k++) {
        gtr_context *ctx = test_context();
        const record *r[2], *r_norm = find(op, k, "norm");
        float *f = (float *)values(find(op, k, "f")), *norm = r_norm ? (float *)values(r_norm) : NULL, g[64];
        gtr_tensor *p[2];
        gtr_trainer_desc d;
        gtr_trainer *t;
        gtr_init init;
        memset(&init, 0, sizeof init);
        memset(&d, 0, sizeof d);
        for (which = 0; which < 2; which++) {
            r[which] = find_at(op, k, "p", which);
            p[which] = gtr_parameter(ctx, which ? "p1" : "p0", r[which]->shape, init);
            set_tensor(p[which], r[which]);
        }
        d.optimizer = (gtr_optimizer)(int)f[0];
        if (CHECK((size_t)d.optimizer < GTR__N_OPTIMIZERS, "optimizer#%d is of kind %d", k, (int)d.optimizer))
            has[d.optimizer] = true;
        d.lr = f[1];
        d.momentum = f[2];
        d.nesterov = f[3] != 0;
        d.weight_decay = f[4];
        d.beta1 = f[5];
        d.beta2 = f[6];
        d.clip_norm = f[7];
        if (d.optimizer == GTR_ADAGRAD) { d.lr_decay = f[8]; d.initial_accumulator = f[9]; }
        t = gtr_trainer_create(gtr_add(gtr_sum(p[0], NULL, 0, false), gtr_sum(p[1], NULL, 0, false)), d);
        for (s = 0; s < (small ? 10 : 100); s++) {
            gtr_backward(t);
            for (which = 0; which < 2; which++) {
                made(g, r[which]->count, (uint32_t)(5000 + 2 * s + which), 0, 0);
                for (i = 0; i < r[which]->count && s % 7 == 0; i++) g[i] *= 4;
                gtr_gradient_set(t, p[which], g, (size_t)(4 * r[which]->count));
            }
            gtr_update(t);
            if (norm) {
                gtr_wait(ctx);
                CHECK(fabsf(gtr_trainer_report(t).grad_norm - norm[s]) <= 1e-5f * norm[s],
                    "optimizer#%d: norm of step %d is %g, PyTorch's %g", k, s + 1,
                    gtr_trainer_report(t).grad_norm, norm[s]);
            }
            for (which = 0; s == 9 && which < 2; which++)
                compare_tensor(op, k, "after 10 steps", p[which], find_at(op, k, "ten", which));
        }
        for (which = 0; !small && which < 2; which++)
            compare_tensor(op, k, "after 100 steps", p[which], find_at(op, k, "end", which));
        CHECK(!gtr_error(ctx), "optimizer#%d: %s", k, gtr_error_text(ctx));
        free(f);
        free(norm);
        gtr_destroy(ctx);
    }
    for (s = 0; s < (int)GTR__N_OPTIMIZERS; s++) CHECK(has[s], "goldens have no scenario of optimizer %d", s);
}

static void test_networks(void)
{
    static const char *const op = "mlp";
    int k, step;
    for (k = 0; find(op, k, "i"); k++) {
        gtr_context *ctx = test_context();
        int *i = (int *)values(find(op, k, "i"));
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 20)), *h = x, *y, *loss;
        gtr_trainer_desc d;
        gtr_trainer *t;
        y = i[1] == 0 ? gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH))
            : gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 5));
        h = gtr_linear(h, "fc1", 16);
        h = i[0] == 0 ? gtr_relu(h) : i[0] == 1 ? gtr_tanh(h) : gtr_gelu(h);
        h = gtr_linear(h, "fc2", 12);
        h = i[0] == 0 ? gtr_relu(h) : i[0] == 1 ? gtr_tanh(h) : gtr_gelu(h);
        h = gtr_linear(h, "fc3", 5);
        loss = i[1] == 0 ? gtr_cross_entropy(h, y) : i[1] == 1 ? gtr_mse(h, y) : gtr_bce_with_logits(h, y);
        memset(&d, 0, sizeof d);
        d.optimizer = i[2] ? GTR_ADAM : GTR_SGD;
        d.lr = i[2] ? 0.001f : 0.0625f;
        d.momentum = i[2] ? 0 : 0.875f;
        t = gtr_trainer_create(loss, d);
        set_parameters(ctx, op, k);
        for (step = 0; step < 10; step++) {
            set_tensor(x, find_at(op, k, "x", step));
            set_tensor(y, find_at(op, k, "y", step));
            CHECK(!gtr_step(t), "mlp#%d: %s", k, gtr_error_text(ctx));
            if (step == 0) compare_gradients(ctx, t, op, k);
            compare_loss(op, k, step, gtr_loss(t));
        }
        compare_end(ctx, op, k);
        CHECK(!gtr_error(ctx), "mlp#%d: %s", k, gtr_error_text(ctx));
        free(i);
        gtr_destroy(ctx);
    }
}

/* The networks of image_networks() in gen_goldens.py: a small CNN, a residual block, two of U-Net's kind, one over
   windows of a series, one that is separable by depth. */
static gtr_tensor *conv_layer(gtr_tensor *x, const char *name, int out, int kernel, int stride, int padding, int groups)
{
    gtr_conv_desc d;
    memset(&d, 0, sizeof d);
    d.out = out; d.kernel = kernel; d.stride = stride; d.padding = padding; d.groups = groups; d.no_bias = true;
    return gtr_conv2d_ex(x, name, d);
}
static gtr_tensor *image_network(gtr_context *ctx, int k, gtr_tensor **x)
{
    gtr_tensor *h, *a;
    gtr_conv_desc d;
    memset(&d, 0, sizeof d);
    if (k < 2) {
        *x = gtr_input(ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, 2, 8, 8));
        h = gtr_relu(gtr_batch_norm(conv_layer(*x, "conv1", 6, 3, 1, 1, 1), "bn"));
        h = gtr_tanh(gtr_conv2d(gtr_max_pool2d(h, 2, 0, 0), "conv2", 8, 3, 2, 1));
        return gtr_linear(gtr_flatten(h), "fc", 3);
    }
    if (k == 2) {
        *x = gtr_input(ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, 3, 6, 6));
        h = gtr_relu(gtr_batch_norm(conv_layer(*x, "conv1", 6, 3, 2, 1, 1), "bn1"));
        h = gtr_batch_norm(conv_layer(h, "conv2", 6, 3, 1, 1, 1), "bn2");
        a = gtr_batch_norm(conv_layer(*x, "downsample.0", 6, 1, 2, 0, 1), "downsample.1");
        return gtr_linear(gtr_global_avg_pool(gtr_relu(gtr_add(h, a))), "fc", 3);
    }
    if (k == 3) {
        *x = gtr_input(ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, 2, 8, 8));
        a = gtr_tanh(gtr_conv2d(*x, "down1", 4, 3, 1, 1));
        h = gtr_tanh(gtr_conv2d(gtr_avg_pool2d(a, 2, 0, 0), "down2", 8, 3, 1, 1));
        return gtr_conv2d(joined(a, gtr_conv_transpose2d(h, "up", 4, 2, 2, 0), NULL, 1), "out", 1, 3, 1, 1);
    }
    if (k == 4) {
        *x = gtr_input(ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, 2, 6, 4));
        a = gtr_tanh(gtr_group_norm(gtr_conv2d(*x, "down1", 4, 3, 1, 1), "gn", 2, 0));
        h = gtr_tanh(gtr_conv2d(gtr_max_pool2d(a, 2, 0, 0), "down2", 8, 3, 1, 1));
        d.out = 1; d.kernel = 3; d.kernel_w = 1; d.padding = 1; d.padding_w = -1;
        return gtr_conv2d_ex(joined(gtr_upsample2d(h, 2, true), gtr_pixel_shuffle(h, 2), a, 1), "out", d);
    }
    if (k == 5) {
        *x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 3, 20));
        h = gtr_max_pool2d(gtr_tanh(gtr_conv1d(*x, "conv1", 6, 5, 1, 2)), 2, 0, 0);
        d.out = 8; d.kernel = 3; d.stride = d.padding = d.dilation = 2; d.no_bias = true;
        h = gtr_relu(gtr_batch_norm(gtr_conv2d_ex(h, "conv2", d), "bn"));
        return gtr_linear(gtr_global_avg_pool(h), "fc", 3);
    }
    *x = gtr_input(ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, 4, 6, 6));
    h = gtr_relu6(gtr_batch_norm(conv_layer(*x, "dw", 4, 3, 2, 1, 4), "bn1"));
    h = gtr_relu6(gtr_batch_norm(conv_layer(h, "pw", 10, 1, 1, 0, 1), "bn2"));
    return gtr_linear(gtr_flatten(gtr_adaptive_avg_pool2d(h, 1, 1)), "fc", 3);
}
static void test_images(void)
{
    static const char *const op = "images";
    int k, step;
    for (k = 0; find(op, k, "i"); k++) {
        gtr_context *ctx = test_context();
        int *i = (int *)values(find(op, k, "i"));
        float *eval = (float *)values(find(op, k, "eval")), got;
        gtr_tensor *x, *h = image_network(ctx, k, &x), *y, *loss;
        const bool pixels = k == 3 || k == 4;
        gtr_trainer_desc d;
        gtr_trainer *t;
        y = pixels ? gtr_input(ctx, "y", GTR_F32, gtr_tensor_shape(h)) : gtr_input(ctx, "y", GTR_I32,
            gtr_shape1(GTR_BATCH));
        loss = pixels ? gtr_bce_with_logits(h, y) : gtr_cross_entropy(h, y);
        memset(&d, 0, sizeof d);
        d.optimizer = i[0] ? GTR_ADAM : GTR_SGD;
        d.lr = i[0] ? 0.001f : 0.0625f;
        d.momentum = i[0] ? 0 : 0.875f;
        t = gtr_trainer_create(loss, d);
        set_parameters(ctx, op, k);
        for (step = 0; step < 10; step++) {
            set_tensor(x, find_at(op, k, "x", step));
            set_tensor(y, find_at(op, k, "y", step));
            CHECK(!gtr_step(t), "images#%d: %s", k, gtr_error_text(ctx));
            if (step == 0) compare_gradients(ctx, t, op, k);
            compare_loss(op, k, step, gtr_loss(t));
        }
        compare_end(ctx, op, k);
        gtr_eval(&loss, 1);
        got = gtr_item(loss);
        CHECK(fabsf(got - *eval) <= 1e-5f * (1 + *eval), "images#%d: loss in evaluation is %.8f, PyTorch's %.8f", k,
            got,
            *eval);
        CHECK(!gtr_error(ctx), "images#%d: %s", k, gtr_error_text(ctx));
        free(i);
        free(eval);
        gtr_destroy(ctx);
    }
}

/* torchvision's ResNet-18, a sixteenth as wide, before its last layer; of images of 32 by 32 with a smaller stem. */
static gtr_tensor *conv_norm(gtr_tensor *x, const char *conv, const char *bn, int out, int kernel, int stride)
{
    return gtr_batch_norm(conv_layer(x, conv, out, kernel, stride, kernel / 2, 1), bn);
}
static gtr_tensor *resnet(gtr_context *ctx, int side, gtr_tensor **x)
{
    gtr_tensor *h = *x = gtr_input(ctx, "x", GTR_F32, gtr_shape4(GTR_BATCH, 3, side, side)), *skip;
    char name[16];
    int k;
    h = gtr_relu(conv_norm(h, "conv1", "bn1", 4, side > 32 ? 7 : 3, side > 32 ? 2 : 1));
    if (side > 32) h = gtr_max_pool2d(h, 3, 2, 1);
    for (k = 0; k < 8; k++) {
        const int out = 4 << k / 2, stride = k % 2 == 0 && k ? 2 : 1;
        snprintf(name, sizeof name, "layer%d", k / 2 + 1);
        gtr_scope_begin(ctx, name);
        gtr_scope_begin(ctx, k % 2 ? "1" : "0");
        skip = h;
        h = gtr_relu(conv_norm(h, "conv1", "bn1", out, 3, stride));
        h = conv_norm(h, "conv2", "bn2", out, 3, 1);
        if (stride > 1) skip = conv_norm(skip, "downsample.0", "downsample.1", out, 1, 2);
        h = gtr_relu(gtr_add(h, skip));
        gtr_scope_end(ctx);
        gtr_scope_end(ctx);
    }
    return gtr_global_avg_pool(h);
}
static const struct { int side; const char *path; } state_dicts[] = {
    { 32, "tests/fixtures/resnet.safetensors" }, { 224, "tests/fixtures/resnet224.safetensors" } };
/* PyTorch's state dict, loaded, saved and loaded again: logits in both modes, and after a step. */
static void test_resnet(void)
{
    static const char *const op = "resnet";
    char path[64];
    int turn;
    snprintf(path, sizeof path, "%s", check_path("safetensors"));
    for (turn = 0; turn < 4; turn++) {
        const int k = turn / 2;
        gtr_context *ctx = test_context();
        gtr_tensor *x, *h = gtr_linear(resnet(ctx, state_dicts[k].side, &x), "fc", 10),
            *y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
        int64_t tracked = 0;
        gtr_trainer_desc d;
        gtr_trainer *t;
        memset(&d, 0, sizeof d);
        d.lr = 0.125f;
        t = gtr_trainer_create(gtr_cross_entropy(h, y), d);
        CHECK(!gtr_load(ctx, turn % 2 ? path : state_dicts[k].path), "resnet#%d: %s", k, gtr_error_text(ctx));
        CHECK(!gtr_get(gtr_parameter_find(ctx, "layer3.0.downsample.1.num_batches_tracked"), &tracked, sizeof tracked)
            && tracked == 7, "resnet#%d: num_batches_tracked is %lld", k, (long long)tracked);
        set_tensor(x, find(op, k, "in0"));
        set_tensor(y, find(op, k, "y"));
        gtr_eval(&h, 1);
        compare_tensor(op, k, "in evaluation", h, find(op, k, "eval"));
        gtr_eval_train(&h, 1);
        compare_tensor(op, k, "in training", h, find(op, k, "train"));
        if (turn % 2 == 0) CHECK(!gtr_save(ctx, path), "resnet#%d: %s", k, gtr_error_text(ctx));
        CHECK(!gtr_step(t), "resnet#%d: %s", k, gtr_error_text(ctx));
        compare_loss(op, k, 0, gtr_loss(t));
        gtr_eval(&h, 1);
        compare_tensor(op, k, "after a step", h, find(op, k, "after"));
        CHECK(!gtr_get(gtr_parameter_find(ctx, "bn1.num_batches_tracked"), &tracked, sizeof tracked) && tracked == 8,
            "resnet#%d: num_batches_tracked is %lld after a step", k, (long long)tracked);
        CHECK(!gtr_error(ctx), "resnet#%d: %s", k, gtr_error_text(ctx));
        gtr_destroy(ctx);
    }
    remove(path);
}
/* An encoder's and a decoder's block of PyTorch's state dict: logits, and after a step. */
static void test_transformer(void)
{
    static const char *const op = "transformer";
    gtr_context *ctx = test_context();
    const record *r[2];
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 6, 8)),
        *q = gtr_input(ctx, "q", GTR_F32, gtr_shape3(GTR_BATCH, 4, 8)),
        *n = gtr_input(ctx, "n", GTR_I32, gtr_shape1(GTR_BATCH)), *y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(-4));
    gtr_transformer_desc e, d;
    gtr_trainer_desc how;
    memset(&e, 0, sizeof e); memset(&d, 0, sizeof d); memset(&how, 0, sizeof how);
    e.heads = 2; e.hidden = 16; e.attention.lengths = n;
    d.heads = 4; d.gelu = d.norm_first = d.attention.causal = true;
    d.memory = gtr_transformer_block(x, "encoder", e); d.memory_attention.lengths = n;
    gtr_tensor *h = gtr_linear(gtr_transformer_block(q, "decoder", d), "out", 5);
    h = gtr_reshape(h, gtr_shape2(-4, 5));
    how.lr = 0.125f;
    gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(h, y), how);
    CHECK(!gtr_load(ctx, "tests/fixtures/transformer.safetensors"), "transformer: %s", gtr_error_text(ctx));
    EXPECT_EQ(gtr_parameter_count(ctx), 12 + 18 + 2);
    r[0] = find(op, 0, "lengths"); r[1] = find(op, 0, "y");
    set_tensor(x, find(op, 0, "in0")); set_tensor(q, find(op, 0, "in1"));
    set_tensor(n, r[0]); set_tensor(y, r[1]);
    gtr_eval(&h, 1);
    compare_tensor(op, 0, "in evaluation", h, find(op, 0, "eval"));
    CHECK(!gtr_step(t), "transformer: %s", gtr_error_text(ctx));
    compare_loss(op, 0, 0, gtr_loss(t));
    gtr_eval(&h, 1);
    compare_tensor(op, 0, "after a step", h, find(op, 0, "after"));
    CHECK(!gtr_error(ctx), "transformer: %s", gtr_error_text(ctx));
    gtr_destroy(ctx);
}
/* A block of transformers' GPT-2 and a layer of its Llama, of the weights, x and y in fixtures/blocks.safetensors,
   which gen_blocks.py writes; then step by step. */
static void test_blocks(void)
{
    enum { N = 2, T = 7, E = 24 };
    static const char *const names[] = { "gpt2", "llama" };
    gtr_context *ctx = test_context();
    gtr_init none;
    gtr_predictor_desc how;
    gtr_tensor *x = gtr_input(ctx, "in", GTR_F32, gtr_shape3(GTR_BATCH, T, E)), *from, *y[2], *want[2];
    memset(&none, 0, sizeof none); memset(&how, 0, sizeof how);
    from = gtr_parameter(ctx, "x", gtr_shape3(N, T, E), none);
    for (int k = 0; k < 2; k++) {
        char name[16];
        gtr_transformer_desc d;
        memset(&d, 0, sizeof d);
        d.kind = k ? GTR_BLOCK_LLAMA : GTR_BLOCK_GPT2;
        d.heads = 6; d.hidden = 40; d.eps = 1e-5f;
        if (k) { d.groups = 3; d.rope_base = 500; }
        how.out[k] = y[k] = gtr_transformer_block(x, names[k], d);
        snprintf(name, sizeof name, "%s.y", names[k]);
        want[k] = gtr_parameter(ctx, name, gtr_shape3(N, T, E), none);
    }
    CHECK(!gtr_load(ctx, "tests/fixtures/blocks.safetensors"), "blocks: %s", gtr_error_text(ctx));
    EXPECT_EQ(gtr_parameter_count(ctx), 12 + 9 + 3);
    static float v[N][T][E], w[2][N][T][E], got[2][N][T][E], one[2][N][E];
    gtr_get(from, v, sizeof v);
    how.max_rows = N;
    gtr_predictor *whole = gtr_predictor_create_ex(ctx, how);
    how.steps = true;
    gtr_predictor *next = gtr_predictor_create_ex(ctx, how);
    const void *in[1] = { v };
    void *out[2] = { got[0], got[1] }, *outs[2] = { one[0], one[1] };
    CHECK(whole && next, "blocks: %s", gtr_error_text(ctx));
    EXPECT_EQ(gtr_predict_ex(whole, in, N, out), GTR_OK);
    double off[2][2] = { { 0, 0 }, { 0, 0 } };
    for (int k = 0; k < 2; k++) gtr_get(want[k], w[k], sizeof w[k]);
    for (int t = 0; t < T; t++) {
        float step[N][E];
        for (int n = 0; n < N; n++) memcpy(step[n], v[n][t], sizeof step[n]);
        in[0] = step;
        EXPECT_EQ(gtr_predict_ex(next, in, N, outs), GTR_OK);
        for (int i = 0; i < 2 * N * E; i++) {
            const int k = i / (N * E), n = i / E % N, e = i % E;
            const double a = fabs((double)got[k][n][t][e] - (double)w[k][n][t][e]),
                b = fabs((double)one[k][n][e] - (double)w[k][n][t][e]);
            if (!(a <= off[k][0])) off[k][0] = a;
            if (!(b <= off[k][1])) off[k][1] = b;
        }
    }
    for (int k = 0; k < 2; k++) CHECK(off[k][0] < 2e-5 && off[k][1] < 2e-5,
        "%s's block is %g off, %g step by step", names[k], off[k][0], off[k][1]);
    CHECK(!gtr_error(ctx), "blocks: %s", gtr_error_text(ctx));
    gtr_destroy(ctx);
}
/* A network with another last layer takes the others' values from a context that has the file's. */
static void test_another_head(void)
{
    gtr_context *from = test_context(), *ctx = test_context();
    gtr_tensor *x[2], *h[2], *y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH)), *loss;
    const record *images = find("resnet", 1, "in0"), *labels = find("resnet", 1, "y");
    const int rows = (int)images->shape.dim[0];
    float was[3 * 32], is[3 * 32], first = 0;
    int64_t i, classes = 0;
    int step, *label = (int *)values(labels);
    gtr_trainer_desc d;
    gtr_trainer *t;
    h[0] = resnet(from, state_dicts[1].side, &x[0]);
    h[1] = resnet(ctx, state_dicts[1].side, &x[1]);
    gtr_linear(h[0], "fc", 10);
    loss = gtr_cross_entropy(gtr_linear(h[1], "fc", 3), y);
    EXPECT_OK(ctx);
    gtr_load(ctx, state_dicts[1].path);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "tensor \"fc.weight\" is F32 (10, 32) in the file, the model wants F32 (3, 32)");
    gtr_load(from, state_dicts[1].path);
    for (i = 0; i < gtr_parameter_count(ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(ctx, i), *q = gtr_parameter_find(from, gtr_tensor_name(p));
        static int64_t value[32 * 32 * 9];         /* the largest is float32, the others are few */
        size_t bytes = gtr__bytes_of(p);
        if (!strncmp(gtr_tensor_name(p), "fc.", 3)) { classes++; continue; }
        CHECK(q && bytes <= sizeof value && !gtr_get(q, value, bytes) && !gtr_set(p, value, bytes), "%s: %s; %s",
            gtr_tensor_name(p), gtr_error_text(from), gtr_error_text(ctx));
    }
    EXPECT_EQ(classes, 2);
    EXPECT_EQ(i, gtr_parameter_count(from));
    for (i = 0; i < rows; i++) label[i] %= 3;
    for (i = 0; i < 2; i++) {
        set_tensor(x[i], images);
        gtr_eval(&h[i], 1);
        gtr_get(h[i], i ? is : was, sizeof *is * (size_t)rows * 32);
    }
    CHECK(rows <= 3 && !memcmp(was, is, sizeof *is * (size_t)rows * 32), "features of the same weights differ");
    gtr_set(y, label, sizeof *label * (size_t)rows);
    memset(&d, 0, sizeof d);
    d.lr = 0.03125f;
    d.momentum = 0.875f;
    t = gtr_trainer_create(loss, d);
    for (step = 0; step < 6; step++) {
        EXPECT_EQ(gtr_step(t), GTR_OK);
        if (!step) first = gtr_loss(t);
    }
    CHECK(gtr_loss(t) < 0.5f * first, "loss %.4f of step 1 became %.4f", first, gtr_loss(t));
    EXPECT_OK(from);
    EXPECT_OK(ctx);
    free(label);
    gtr_destroy(ctx);
    gtr_destroy(from);
}

#define OP_TEST(name, expression) test_op(#name, build_##name);
#define ELEMENTWISE_TEST(ID, name, kinds, flags, built, plain, torch) \
    if (*torch || find(#name, 0, "in0")) test_op(#name, build_##name); \
    if (*torch) test_op("edges " #name, build_##name);
/* Behind all tests: a case that no test asks for proves nothing. */
static void all_asked(void)
{
    for (uint32_t i = 0; i < n_records; i++)
        CHECK(records[i].asked,
            "%.*s of tests/fixtures/goldens.bin: no test asks for it; an op's cases want a line in OPS",
            (int)records[i].length, records[i].name);
}
static void ops(void) { OPS(OP_TEST) UNARY_TESTS(ELEMENTWISE_TEST) BINARY_TESTS(ELEMENTWISE_TEST) }

static void all_on(gtr_device where, const char *name)
{
    device = where;
    printf("goldens on %s\n", name);
    RUN_ROWS(ops);
    if (check_row("batch_norm")) RUN_ROWS(test_batch_norm);
    if (check_row("recurrent")) RUN_ROWS(test_recurrent);
    RUN(test_micro_batches);
    RUN(test_ignored);
    RUN(test_optimizers);
    RUN(test_networks);
    RUN(test_images);
    RUN(test_resnet);
    if (check_row("transformer_block")) RUN_ROWS(test_transformer);
    if (check_row("transformer_block")) RUN_ROWS(test_blocks);
    RUN(test_another_head);
}

int main(int argc, char **argv)
{
    const char *only = getenv("GTR_TEST_DEVICE");
    gtr_context *ctx;
    check_begin(argc, argv);
    small = getenv("GTR_TEST_SMALL") != NULL;
    if (!CHECK(load("tests/fixtures/goldens.bin"),
            "tests/fixtures/goldens.bin cannot be read: run from the top folder"))
        return check_done();
    if (only && !strcmp(only, "cpu")) SKIP("goldens on CUDA: GTR_TEST_DEVICE is cpu");
    else {
        device = GTR_DEVICE_CUDA;
        ctx = test_context();
        if (!gtr_error(ctx)) all_on(GTR_DEVICE_CUDA, gtr_device_text(ctx));
        else if (only) CHECK(0, "%s", gtr_error_text(ctx));
        else SKIP("goldens on CUDA: %s", gtr_error_text(ctx));
        gtr_destroy(ctx);
    }
    if (!only || strcmp(only, "cuda")) all_on(GTR_DEVICE_CPU, "the CPU");
    if (!small && argc < 2 && check_parts == 1 && !getenv("GTR_TEST_LEAVE") && !getenv("GTR_TEST_ROW")) all_asked();
    free(records);
    free(file);
    return check_done();
}
