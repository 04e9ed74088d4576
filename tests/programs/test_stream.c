/* Data sets that the device does not hold: rows of a callback, and rows that are read ahead; by the bytes that training
   on the same rows in the device's memory has. */
#include <pthread.h>
#include <stdbool.h>
#include <time.h>
/* Where is_late, the thread `late` comes late to each lock, so that a reader has gone on since its last look. */
static pthread_t late;
static bool is_late;
static void nap(long nanoseconds)
{
    const struct timespec t = { 0, nanoseconds };
    nanosleep(&t, NULL);
}
static int lock_late(pthread_mutex_t *m)
{
    if (is_late && pthread_equal(pthread_self(), late)) nap(1000000);
    return pthread_mutex_lock(m);
}
#define pthread_mutex_lock lock_late
#include "counted.h"
#define GPUTRAIN_STATIC
#define GPUTRAIN_IMPLEMENTATION
#include "../../gputrain.h"
#undef pthread_mutex_lock
#include "check.h"
#include "elementwise.h"
#include <dirent.h>
#include <math.h>
#include <unistd.h>
#include "device.h"
#include "stack.h"

enum { ROWS = 203, SIDE = 6, PIXELS = SIDE * SIDE, CLASSES = 5, STEPS = 400 };
typedef enum { RESIDENT, STREAMED, CALLED, CALLED_HERE, KINDS } kind;
static bool in_place; /* data sets and staging, as the GPU's memory were the host's */
static gtr_context *created(void)
{
    gtr_context *ctx = gtr_create(desc0());
    ctx->caps.mapped = in_place;
    return ctx;
}
/* On a GPU each kind once more, in place. */
static int passes(void)
{
    gtr_context *ctx = gtr_create(desc0());
    const int n = ctx->caps.cuda ? 2 : 1;
    gtr_destroy(ctx);
    return n;
}
static const char *const kinds[] = { "resident", "streamed", "a callback's", "a callback's, of this thread" };
static uint8_t pixels[ROWS][PIXELS];
static int32_t labels[ROWS];

static void rows_make(void)
{
    uint32_t s = 5;
    for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < PIXELS; i++) { s = s * 1664525u + 1013904223u; pixels[r][i] = (uint8_t)(s >> 24); }
        labels[r] = (int32_t)(s >> 8) % CLASSES;
    }
}
/* What a callback is told, and what it shall do. */
typedef struct { int64_t calls, rows, epochs, bad_epoch, bad_row, inside, overlapped; bool poison; } source;
static source source0(void)
{
    source s;
    memset(&s, 0, sizeof s);
    s.bad_epoch = -1;
    return s;
}
static bool fill(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    source *s = (source *)user;
    s->overlapped |= s->inside++;
    s->calls++;
    s->rows += end - begin;
    if (epoch >= s->epochs) s->epochs = epoch + 1;
    for (int64_t r = begin; r < end; r++) {
        if (epoch == s->bad_epoch && r == s->bad_row && !s->poison) { s->inside--; return false; }
        memcpy((uint8_t *)column[0] + (r - begin) * PIXELS, pixels[r], PIXELS);
        ((int32_t *)column[1])[r - begin] = epoch == s->bad_epoch && r == s->bad_row ? CLASSES + 2 : labels[r];
    }
    s->inside--;
    return true;
}
/* Labels of an epoch's first batch alone count; *user: of rows from 12 on, so many were asked for. */
static bool fill_first(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    source s = source0();
    fill(&s, epoch, begin, end, column);
    for (int64_t r = begin; r < end; r++) if (r >= 12) {
        ((int32_t *)column[1])[r - begin] = -100;
        ++*(int64_t *)user;
    }
    return true;
}
static void columns_of(gtr_column *c)
{
    c[0].dtype = GTR_U8; c[0].shape = gtr_shape3(1, SIDE, SIDE); c[0].name = "image"; c[0].data = pixels;
    c[1].dtype = GTR_I32; c[1].name = "label"; c[1].data = labels;
}
static void called_of(gtr_column *c) { columns_of(c); c[0].data = c[1].data = NULL; }
static gtr_dataset *set_of(gtr_context *ctx, kind k, source *s)
{
    gtr_arrays_desc a;
    gtr_callback_desc c;
    memset(&a, 0, sizeof a);
    memset(&c, 0, sizeof c);
    columns_of(a.column); called_of(c.column);
    a.rows = c.rows = ROWS;
    c.columns = 2; c.fill = fill; c.user = s; c.same_thread = k == CALLED_HERE; c.name = "made";
    gtr_dataset *d = k >= CALLED ? gtr_dataset_callback(ctx, c) : gtr_dataset_arrays(ctx, a);
    gtr_dataset_stream(d, k == RESIDENT ? GTR_STREAM_NEVER : GTR_STREAM_ALWAYS);
    return d;
}
/* A way to train, and what came of it. */
typedef struct {
    const char *name;
    int micro, epochs;
    int64_t batch;
    gtr_precision precision;
    bool no_shuffle, drop_last, augmented, convolution, loop, validated, plain;
} way;
typedef struct { gtr_float weight[8192]; size_t n; gtr_report report[STEPS]; float value[4]; int64_t steps; } outcome;
typedef struct { gtr_context *ctx; gtr_tensor *x, *y, *logits, *loss; gtr_trainer *t; } net;

static net net_of(const way *w)
{
    net m;
    gtr_trainer_desc d;
    memset(&d, 0, sizeof d);
    m.ctx = created();
    m.x = gtr_input(m.ctx, "image", GTR_F32, w->convolution || w->augmented
        ? gtr_shape4(GTR_BATCH, 1, SIDE, SIDE) : gtr_shape2(GTR_BATCH, PIXELS));
    m.y = gtr_input(m.ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH));
    gtr_tensor *h = m.x;
    if (w->convolution) h = gtr_relu(gtr_conv2d(h, "conv", 4, 3, 1, 1));
    if (m.x->shape.ndim > 2) h = gtr_flatten(h);
    h = gtr_relu(gtr_linear(h, "fc1", 24));
    if (!w->plain) h = gtr_dropout(h, "drop", 0.25f);
    m.logits = gtr_linear(h, "fc2", CLASSES);
    m.loss = gtr_cross_entropy(m.logits, m.y);
    d.optimizer = w->plain ? GTR_SGD : GTR_ADAM; d.lr = 3e-3f; d.micro_batches = w->micro; d.precision = w->precision;
    m.t = gtr_trainer_create(m.loss, d);
    return m;
}
static void weights_of(gtr_context *ctx, outcome *o)
{
    o->n = 0;
    for (int64_t i = 0; i < ctx->graph.n_parameter; i++) {
        gtr_get(ctx->graph.parameter[i], o->weight + o->n, gtr__bytes_of(ctx->graph.parameter[i]));
        o->n += gtr__bytes_of(ctx->graph.parameter[i]) / sizeof(gtr_float);
    }
}

/* What came of training over a set of this kind. */
static void run(const way *w, kind k, source *s, outcome *o)
{
    net m = net_of(w);
    gtr_dataset *d = set_of(m.ctx, k, s), *held = set_of(m.ctx, k, s);
    gtr_augment_desc a;
    gtr_fit_desc f;
    memset(&a, 0, sizeof a); memset(&f, 0, sizeof f); memset(o, 0, sizeof *o);
    a.pad = 1; a.flip = 0.5f; a.mean[0] = 0.25f; a.std[0] = 0.5f;
    if (w->augmented) for (int i = 0; i < 2; i++) EXPECT_EQ(gtr_dataset_augment(i ? held : d, 0, a), GTR_OK);
    const int64_t per = w->drop_last ? ROWS / w->batch : (ROWS + w->batch - 1) / w->batch;
    o->steps = per * w->epochs;
    if (w->loop) {
        EXPECT_EQ(gtr_trainer_data(m.t, d, w->batch, !w->no_shuffle, w->drop_last), GTR_OK);
        for (int64_t i = 0; i < o->steps; i++) {
            EXPECT_EQ(gtr_step(m.t), GTR_OK);
            if (i % 3 == 0) { gtr_wait(m.ctx); o->report[i] = gtr_trainer_report(m.t); }
            if (w->validated && i % 5 == 0) EXPECT_EQ(gtr_evaluate(m.t, held, 50, NULL, &o->value[2], NULL), GTR_OK);
        }
    } else {
        f.epochs = w->epochs; f.batch = w->batch; f.no_shuffle = w->no_shuffle; f.drop_last = w->drop_last;
        f.silent = true; f.history = o->report; f.history_size = STEPS;
        f.validation = w->validated ? held : NULL;
        EXPECT_EQ(gtr_fit(m.t, d, f), GTR_OK);
        const gtr_fit_end end = gtr_fit_ended(m.t);
        EXPECT(k ? end.data_wait >= 0 && end.data_wait <= 1.5f : end.data_wait == 0);
    }
    EXPECT_EQ(gtr_evaluate(m.t, held, 64, NULL, &o->value[0], NULL), GTR_OK);
    EXPECT_EQ(gtr_evaluate(m.t, held, ROWS, NULL, &o->value[1], NULL), GTR_OK);
    weights_of(m.ctx, o);
    EXPECT_OK(m.ctx);
    gtr_destroy(m.ctx);
}
static void same(const way *w, const char *of, const outcome *a, const outcome *b)
{
    int64_t at = 0;
    size_t i = 0;
    while (i < a->n && !memcmp(&a->weight[i], &b->weight[i], sizeof *a->weight)) i++;
    CHECK(a->n == b->n && i == a->n, "%s, %s: element %zu of %zu, %zu is %.9g, resident %.9g", w->name, of, i, a->n,
        b->n, (double)b->weight[i], (double)a->weight[i]);
    while (at < a->steps && !memcmp(&a->report[at], &b->report[at], sizeof *a->report)) at++;
    CHECK(at == a->steps, "%s, %s: step %lld's loss is %.9g, resident %.9g", w->name, of, (long long)at + 1,
        (double)b->report[at].loss, (double)a->report[at].loss);
    for (i = 0; i < 4; i++) CHECK(!memcmp(&a->value[i], &b->value[i], 4), "%s, %s: value %zu is %.9g, resident %.9g",
        w->name, of, i, (double)b->value[i], (double)a->value[i]);
}
static const way ways[] = {
    { "a fit", 0, 3, 16, GTR_FP32, false, false, false, false, false, true, false },
    { "in order", 0, 3, 16, GTR_FP32, true, false, false, false, false, false, false },
    { "without tails", 0, 3, 20, GTR_FP32, false, true, false, false, false, true, false },
    { "a plain network, many steps a launch", 0, 12, 8, GTR_FP32, false, false, false, false, false, false, true },
    { "the same in BF16", 0, 12, 8, GTR_MIXED_BF16, false, false, false, false, false, false, true },
    { "micro-batches", 3, 2, 17, GTR_FP32, false, false, false, false, false, true, false },
    { "augmented", 0, 3, 16, GTR_FP32, false, false, true, false, false, true, false },
    { "a convolution, a loop", 0, 2, 16, GTR_FP32, false, false, false, true, true, true, false },
    { "augmented, BF16, a loop", 2, 2, 16, GTR_MIXED_BF16, false, false, true, true, true, false, false },
    { "FP16", 0, 3, 32, GTR_MIXED_FP16, false, true, false, false, false, true, false },
    { "one batch", 0, 4, ROWS, GTR_FP32, false, false, false, false, false, true, false },
    { "single rows", 0, 1, 1, GTR_FP32, false, false, false, false, false, false, true }
};
static way way_of(const char *name)
{
    size_t i = 0;
    while (strcmp(ways[i].name, name)) i++;
    return ways[i];
}
static void same_bytes(void)
{
    static outcome of[2];
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const way *w = &ways[i];
        if (small && i % 3 != 1) continue;
        net m = net_of(w);
        const gtr_result can = gtr_error(m.ctx);
        gtr_destroy(m.ctx);
        if (can == GTR_ERR_UNSUPPORTED) continue;
        for (int j = 0; j < KINDS * passes(); j++) {
            const int k = j % KINDS;
            source s = source0();
            in_place = j >= KINDS;
            run(w, (kind)k, &s, &of[j > 0]);
            in_place = false;
            if (j) same(w, kinds[k], &of[0], &of[1]);
            CHECK(!s.overlapped, "%s: calls at once", w->name);
            if (k >= CALLED) EXPECT(s.rows >= (int64_t)w->epochs * (w->drop_last ? ROWS / w->batch * w->batch : ROWS));
            if (k >= CALLED) EXPECT(w->no_shuffle ? s.calls < s.rows : s.calls > 0);
            if (k >= CALLED) EXPECT_EQ(s.epochs, w->epochs + (w->loop && k == CALLED ? s.epochs - w->epochs : 0));
        }
    }
}

/* Rows so long that a slot has few batches of them: pieces, also of a run that begins and is set back amid them. */
enum { LONG = 16384, FEW = 47 };
static float line_of(int64_t epoch, int64_t r, int64_t i) { return (float)((r * 31 + i * 7 + epoch) % 101) / 50 - 1; }
static bool long_rows(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    int64_t *refuse = (int64_t *)user;
    for (int64_t r = begin; r < end; r++) {
        if (refuse && refuse[0] == epoch && refuse[1] == r) return false;
        for (int64_t i = 0; i < LONG; i++) ((gtr_float *)column[0])[(r - begin) * LONG + i] = line_of(0, r, i);
        ((gtr_float *)column[1])[r - begin] = line_of(0, r, 3);
        if (refuse && refuse[2] == epoch && refuse[3] == r) ((gtr_float *)column[0])[(r - begin) * LONG + 5] = NAN;
    }
    return true;
}
static gtr_dataset *long_set(gtr_context *ctx, kind k, int64_t *refuse)
{
    static gtr_float x[FEW][LONG], y[FEW];
    void *const to[2] = { x, y };
    gtr_arrays_desc a;
    gtr_callback_desc c;
    memset(&a, 0, sizeof a);
    memset(&c, 0, sizeof c);
    long_rows(NULL, 0, 0, FEW, to);
    a.column[0].data = x; a.column[0].shape = gtr_shape1(LONG); a.column[1].data = y; a.rows = FEW;
    memcpy(c.column, a.column, sizeof c.column);
    c.column[0].data = c.column[1].data = NULL;
    c.rows = FEW; c.columns = 2; c.fill = long_rows; c.user = refuse; c.same_thread = k == CALLED_HERE;
    gtr_dataset *d = k >= CALLED ? gtr_dataset_callback(ctx, c) : gtr_dataset_arrays(ctx, a);
    if (k) gtr_dataset_stream(d, GTR_STREAM_ALWAYS);
    return d;
}
static net long_net(void)
{
    net m;
    gtr_trainer_desc d;
    memset(&d, 0, sizeof d);
    memset(&m, 0, sizeof m);
    m.ctx = created();
    m.x = gtr_input(m.ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, LONG));
    m.y = gtr_input(m.ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 1));
    m.loss = gtr_mse(gtr_linear(gtr_dropout(m.x, "drop", 0.5f), "fc", 1), m.y);
    d.optimizer = GTR_ADAM; d.lr = 1e-4f;
    m.t = gtr_trainer_create(m.loss, d);
    return m;
}
static void pieces(void)
{
    static gtr_float want[LONG + 1], got[LONG + 1];
    static const int64_t batches[] = { 3, 7, 40, FEW };
    for (int b = 0; b < 4; b += small ? 2 : 1) for (int j = 0; j < KINDS * passes(); j++) {
        const int k = j % KINDS;
        in_place = j >= KINDS;
        net m = long_net();
        in_place = false;
        gtr_dataset *d = long_set(m.ctx, (kind)k, NULL);
        float loss = 0;
        void *saved[2] = { NULL, NULL };
        size_t bytes = 0;
        EXPECT_EQ(gtr_trainer_data(m.t, d, batches[b], true, b == 2), GTR_OK);
        for (int i = 0; i < 40; i++) {
            if (i == 10 || i == 11) { /* checkpoints, to which it goes back later: to the second first */
                bytes = gtr_checkpoint_bytes(m.t);
                saved[i - 10] = malloc(bytes);
                EXPECT_EQ(gtr_checkpoint_get(m.t, saved[i - 10], bytes), GTR_OK);
            }
            if (i == 22 || i == 24) EXPECT_EQ(gtr_checkpoint_set(m.t, saved[i == 22], bytes), GTR_OK);
            if (i == 30) EXPECT(strlen(gtr_trace(m.t)) > 0);
            EXPECT_EQ(gtr_step(m.t), GTR_OK);
        }
        free(saved[0]); free(saved[1]);
        loss = gtr_loss(m.t);
        EXPECT_EQ(gtr_trainer_report(m.t).step, 10 + 40 - 24 + 1);
        gtr_get(m.ctx->graph.parameter[0], j ? got : want, LONG * sizeof *got);
        (j ? got : want)[LONG] = loss;
        CHECK(!j || !memcmp(want, got, sizeof want), "batches of %lld, %s%s: other bytes", (long long)batches[b],
            kinds[k], j < KINDS ? "" : ", in place");
        EXPECT_OK(m.ctx);
        gtr_destroy(m.ctx);
    }
}
/* What ends a fit: at the same step, whatever was read ahead. */
static void failures(void)
{
    for (int k = CALLED; k < KINDS; k++) for (int b = 0; b < 2; b++) {
        int64_t refuse[4] = { 1, 29, -1, -1 };
        net m = long_net();
        gtr_dataset *d = long_set(m.ctx, (kind)k, refuse);
        gtr_fit_desc f;
        memset(&f, 0, sizeof f);
        f.epochs = 3; f.batch = 5; f.silent = true; f.no_shuffle = b == 0;
        EXPECT_EQ(gtr_fit(m.t, d, f), GTR_ERR_USER);
        if (!b) EXPECT_EQ(gtr_trainer_report(m.t).step, 15);
        EXPECT_ERROR(m.ctx, GTR_ERR_USER, b ? "\"gtr_dataset_callback\": its callback failed in epoch 1 (from 0), row "
            "29" : "its callback failed in epoch 1 (from 0), rows 25 to 29");
        EXPECT_EQ(gtr_fit_ended(m.t).why, GTR_END_ERROR);
        refuse[0] = -1; /* it is mended, and goes on */
        f.epochs = 1;
        const int64_t at = gtr_trainer_report(m.t).step;
        EXPECT_EQ(gtr_fit(m.t, d, f), GTR_OK);
        EXPECT_EQ(gtr_trainer_report(m.t).step, 30);
        EXPECT(at < 20 && at >= 10);
        refuse[2] = 3; refuse[3] = 17; /* not finite */
        EXPECT_EQ(gtr_fit(m.t, d, f), GTR_ERR_NONFINITE);
        EXPECT_ERROR(m.ctx, GTR_ERR_NONFINITE, "the input \"x\", data set \"gtr_dataset_callback\", row 17, column 0, "
            "element 5, is not finite");
        refuse[2] = -1;
        EXPECT_EQ(gtr_fit(m.t, d, f), GTR_OK);
        refuse[0] = 0;
        EXPECT_EQ(gtr_evaluate(m.t, d, 10, NULL, NULL, NULL), GTR_ERR_USER);
        EXPECT_ERROR(m.ctx, GTR_ERR_USER, "its callback failed in an evaluation, rows 20 to 29");
        gtr_destroy(m.ctx);
    }
    for (int k = CALLED; k < KINDS; k++) { /* a label that is no class */
        way w = ways[0];
        source s = source0();
        gtr_fit_desc f;
        memset(&f, 0, sizeof f);
        f.epochs = 3; f.batch = 20; f.silent = f.no_shuffle = true;
        s.bad_epoch = 1; s.bad_row = 77; s.poison = true;
        net m = net_of(&w);
        gtr_dataset *d = set_of(m.ctx, (kind)k, &s);
        EXPECT_EQ(gtr_fit(m.t, d, f), GTR_ERR_ARG);
        EXPECT_EQ(gtr_trainer_report(m.t).step, 14);
        EXPECT_ERROR(m.ctx, GTR_ERR_ARG, "data set \"made\": epoch 1 (from 0), row 77, column 1: 7, want 0 to 4 for ");
        gtr_destroy(m.ctx);
    }
}
/* What fill may not call: the run ends, on a thread of its own or not; what it may call. */
static struct { net m; gtr_dataset *d; gtr_predictor *p; int call; gtr_result got; } inside;
static bool calling(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    source s = source0();
    gtr_fit_desc f;
    gtr_metrics_desc of;
    gtr_metrics metrics;
    float loss, x[PIXELS] = { 0 }, out[CLASSES];
    const int64_t one = 0;
    (void)user;
    memset(&f, 0, sizeof f); memset(&of, 0, sizeof of);
    f.silent = true;
    of.scores = inside.m.logits; of.labels = inside.m.y;
    switch (begin > 100 ? inside.call : -1) {
    case 0: inside.got = gtr_step(inside.m.t); break;
    case 1: inside.got = gtr_fit(inside.m.t, inside.d, f); break;
    case 2: inside.got = gtr_train_for(inside.m.t, 1); break;
    case 3: inside.got = gtr_evaluate(inside.m.t, inside.d, 10, NULL, &loss, NULL); break;
    case 4: inside.got = gtr_evaluate_metrics(inside.m.t, inside.d, of, &metrics); break;
    case 5: inside.got = gtr_trainer_data(inside.m.t, inside.d, 10, true, false); break;
    case 6: inside.got = gtr_predict(inside.p, x, 1, out); break;
    case 7: inside.got = gtr_dataset_row(inside.d, 0, one) ? GTR_ERR_STATE : GTR_OK; break;
    default: break;
    }
    return fill(&s, epoch, begin, end, column);
}
/* Every call that is not allowed in a fill, in one: each is refused, by the thread that makes it, and none changes
   anything. */
static struct {
    net m; gtr_tensor *x, *y, *image, *ids, *of[4]; gtr_dataset *d, *set; gtr_predictor *p, *snapshot; bool done;
} all_in;
#define IS_REFUSED(call) do { \
    gtr__innermost->refused = NULL; \
    (void)(call); \
    CHECK(gtr__innermost->refused != NULL, "%s is not refused in a fill", #call); \
} while (0)
#define STATE(call) do { gtr_result got = GTR_OK; IS_REFUSED(got = (call)); \
    CHECK(got == GTR_ERR_STATE, "%s: %s", #call, gtr_result_text(got)); } while (0)
#define NONE(call) do { const void *got = NULL; IS_REFUSED(got = (call)); CHECK(!got, "%s has made something", #call); \
    } while (0)
#define ELEMENTWISE(ID, name, kinds, flags, built, plain, torch) NONE(built);
static void builders_inside(void)
{
    gtr_context *ctx = all_in.m.ctx;
    gtr_tensor *x = all_in.x, *y = all_in.y, *w = all_in.of[0], *image = all_in.image, *ids = all_in.ids;
    const int axes[2] = { 0, 1 };
    const int64_t two[4] = { 1, 2, 1, 1 };
    const gtr_float v[6] = { 0 };
    gtr_init init;
    memset(&init, 0, sizeof init);
    UNARY_TESTS(ELEMENTWISE) BINARY_TESTS(ELEMENTWISE)
    NONE(gtr_input(ctx, "new", GTR_F32, gtr_shape1(GTR_BATCH)));
    NONE(gtr_parameter(ctx, "new", gtr_shape1(3), init));
    NONE(gtr_constant(ctx, GTR_F32, gtr_shape1(6), v));
    NONE(gtr_matmul_t(x, false, w, true));
    NONE(gtr_where(x, y, x));
    NONE(gtr_reshape(x, gtr_shape3(GTR_BATCH, 2, 3)));
    NONE(gtr_permute(x, axes));
    NONE(gtr_concat(all_in.of + 1, 2, 1));
    NONE(gtr_slice(x, 1, 0, 2));
    NONE(gtr_split(x, 1, 2));
    NONE(gtr_output(x, 0));
    NONE(gtr_sum(x, NULL, 0, false));
    NONE(gtr_norm(x, 2, NULL, 0, false));
    NONE(gtr_argmin(x, 1));
    NONE(gtr_softmax(x, 1));
    NONE(gtr_dropout(x, "new", 0.5f));
    NONE(gtr_dropout2d(image, "new", 0.5f));
    NONE(gtr_random_normal(x, "new"));
    NONE(gtr_stop_gradient(x));
    NONE(gtr_cumsum(x, 1));
    NONE(gtr_sort(x, 1, true));
    NONE(gtr_top_k(x, 2, 1));
    NONE(gtr_one_hot(ids, 5));
    NONE(gtr_gather_rows(w, ids));
    NONE(gtr_scatter_add_rows(ids, x, 4));
    NONE(gtr_pad(x, two, 1, GTR_PAD_CONSTANT, 0));
    NONE(gtr_tile(x, two));
    NONE(gtr_roll(x, 1, 1));
    NONE(gtr_flip(x, axes + 1, 1));
    NONE(gtr_stack(all_in.of + 1, 2, 1));
    NONE(gtr_accuracy(x, ids));
    NONE(gtr_max_pool2d(image, 2, 0, 0));
    NONE(gtr_adaptive_avg_pool2d(image, 2, 2));
    NONE(gtr_global_avg_pool(image));
    NONE(gtr_upsample2d(image, 2, true));
    NONE(gtr_pixel_shuffle(image, 2));
    NONE(gtr_gradient(all_in.m.loss, w));
    NONE(gtr_linear(x, "new", 3));
    NONE(gtr_linear_with(x, w, NULL));
    NONE(gtr_embedding(ids, "new", 7, 3));
    NONE(gtr_standardise(x, "new", NULL, 0));
    NONE(gtr_batch_norm(image, "new"));
    NONE(gtr_layer_norm(x, "new", 1, 0));
    NONE(gtr_group_norm(image, "new", 2, 0));
    NONE(gtr_conv2d(image, "new", 3, 3, 1, 1));
    NONE(gtr_prelu(x, "new", true));
    NONE(gtr_bilinear(x, y, "new", 2));
    NONE(gtr_gru_cell(x, NULL, "new", 2));
    NONE(gtr_residual(x, y, "new"));
    NONE(gtr_cross_entropy(x, ids));
    NONE(gtr_mse(x, y));
    NONE(gtr_keep(x) == x ? NULL : x);
    EXPECT(!x->keep);
    IS_REFUSED((gtr_scope_begin(ctx, "new"), 0));
    IS_REFUSED((gtr_stage(ctx, 1), 0));
    IS_REFUSED((gtr_recompute_begin(ctx), 0));
    IS_REFUSED((gtr_release(ctx, 0), 0));
}
static void runs_inside(void)
{
    gtr_context *ctx = all_in.m.ctx;
    gtr_tensor *x = all_in.x, *w = all_in.of[0];
    gtr_trainer *t = all_in.m.t;
    gtr_fit_desc f;
    gtr_metrics_desc of;
    gtr_metrics metrics;
    gtr_memory_report memory;
    gtr_trainer_desc d;
    float loss, value[64 * PIXELS] = { 0 };
    const size_t bytes = gtr_tensor_bytes(w);
    memset(&f, 0, sizeof f); memset(&of, 0, sizeof of); memset(&d, 0, sizeof d);
    f.silent = true; of.scores = all_in.m.logits; of.labels = all_in.m.y;
    STATE(gtr_set(w, value, bytes));
    STATE(gtr_set_device(x, value, gtr_tensor_bytes(x), NULL));
    STATE(gtr_get(w, value, bytes));
    STATE(gtr_eval(&x, 1));
    STATE(gtr_eval_train(&x, 1));
    IS_REFUSED(gtr_item(w));
    STATE(gtr_wait(ctx));
    STATE(gtr_parameters_copy(ctx, ctx));
    NONE(gtr_trainer_create(all_in.m.loss, d));
    IS_REFUSED((gtr_trainer_destroy(t), 0));
    STATE(gtr_trainer_data(t, all_in.set, 4, true, false));
    STATE(gtr_step(t));
    STATE(gtr_backward(t));
    STATE(gtr_update(t));
    STATE(gtr_gradient_get(t, w, value, bytes));
    STATE(gtr_gradient_set(t, w, value, bytes));
    STATE(gtr_state_get(t, w, 0, value, bytes));
    STATE(gtr_state_set(t, w, 0, value, bytes));
    STATE(gtr_average_swap(t));
    IS_REFUSED(gtr_loss(t));
    STATE(gtr_trainer_lr(t, 0.5f));
    STATE(gtr_trainer_plateau(t, 1, true));
    STATE(gtr_fit(t, all_in.set, f));
    STATE(gtr_train_for(t, 1));
    STATE(gtr_evaluate(t, all_in.set, 4, NULL, &loss, NULL));
    STATE(gtr_evaluate_metrics(t, all_in.set, of, &metrics));
    IS_REFUSED((gtr_error_clear(ctx), 0));
    IS_REFUSED(gtr_environment_text(ctx));
    IS_REFUSED(gtr_plan_text(t, 8));
    STATE(gtr_memory_plan(t, 8, &memory));
    IS_REFUSED(gtr_memory_text(t, 8));
    IS_REFUSED(gtr_largest_batch(t, 1 << 20));
    IS_REFUSED(gtr_trace(t));
    IS_REFUSED(gtr_profile(t, false));
    IS_REFUSED((gtr_destroy(ctx), 0));
}
static void sets_inside(void)
{
    gtr_context *ctx = all_in.m.ctx;
    gtr_dataset *d = all_in.set, *two[2] = { d, d };
    const char *path = "no/such/file", *paths[1] = { path };
    const int64_t rows[2] = { 0, 1 };
    const float in[PIXELS] = { 0 };
    float out[CLASSES];
    gtr_arrays_desc a;
    gtr_callback_desc c;
    gtr_images_desc i;
    gtr_csv_desc csv;
    gtr_npy_desc npy;
    gtr_windows_desc w;
    gtr_augment_desc g;
    gtr_predictor_desc p;
    memset(&a, 0, sizeof a); memset(&c, 0, sizeof c); memset(&i, 0, sizeof i); memset(&csv, 0, sizeof csv);
    memset(&npy, 0, sizeof npy); memset(&w, 0, sizeof w); memset(&g, 0, sizeof g); memset(&p, 0, sizeof p);
    columns_of(a.column); called_of(c.column);
    a.rows = c.rows = 9; c.columns = 2; c.fill = fill; w.history = 2; w.horizon = 1; p.out[0] = all_in.m.logits;
    NONE(gtr_dataset_arrays(ctx, a));
    NONE(gtr_dataset_callback(ctx, c));
    NONE(gtr_dataset_idx(ctx, path, path));
    NONE(gtr_dataset_cifar(ctx, paths, 1, 10));
    NONE(gtr_dataset_images(ctx, path, i));
    NONE(gtr_dataset_csv(ctx, path, csv));
    NONE(gtr_dataset_npy(ctx, paths, 1, npy));
    NONE(gtr_dataset_npz(ctx, path, npy));
    NONE(gtr_dataset_split(d, 2));
    NONE(gtr_dataset_split_random(d, 0.5f, 1, -1));
    NONE(gtr_dataset_split_last(d, 0.5f, -1));
    NONE(gtr_dataset_subset(d, rows, 2));
    NONE(gtr_dataset_sample(d, NULL, -1, 3, 1));
    NONE(gtr_dataset_concat(ctx, two, 2));
    NONE(gtr_dataset_windows(d, w));
    STATE(gtr_dataset_append(d, (const void *const[2]) { pixels, labels }, 1));
    STATE(gtr_dataset_augment(d, 0, g));
    STATE(gtr_dataset_stream(d, GTR_STREAM_ALWAYS));
    STATE(gtr_dataset_note(d, 1));
    IS_REFUSED((gtr_dataset_destroy(d), 0));
    STATE(gtr_save(ctx, path));
    STATE(gtr_load(ctx, path));
    STATE(gtr_note_set(ctx, "a", "b"));
    STATE(gtr_checkpoint_save(all_in.m.t, path));
    STATE(gtr_checkpoint_load(all_in.m.t, path));
    IS_REFUSED(gtr_checkpoint_bytes(all_in.m.t));
    STATE(gtr_checkpoint_get(all_in.m.t, out, 4));
    STATE(gtr_checkpoint_set(all_in.m.t, out, 4));
    NONE(gtr_predictor_create(all_in.m.logits, 1));
    NONE(gtr_predictor_create_ex(ctx, p));
    STATE(gtr_predictor_refresh(all_in.snapshot));
    STATE(gtr_predict(all_in.p, in, 1, out));
    IS_REFUSED((gtr_predictor_destroy(all_in.p), 0));
    gtr__innermost->refused = NULL;
    EXPECT_EQ(gtr_predict(all_in.snapshot, in, 1, out), GTR_OK);
    EXPECT(gtr_dataset_row(d, 0, 1) && !gtr_stopped(ctx) && gtr_tensor_bytes(all_in.x) && !gtr_error(ctx));
    EXPECT(!gtr__innermost->refused);
}
static bool all_calling(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    source s = source0();
    gtr_context *ctx = all_in.m.ctx;
    (void)user;
    if (begin > 100 && !all_in.done) {
        const int64_t n = ctx->graph.n_tensor, k = ctx->graph.n_parameter;
        builders_inside();
        runs_inside();
        sets_inside();
        EXPECT(ctx->graph.n_tensor == n && ctx->graph.n_parameter == k && !ctx->building.scope_depth
            && !ctx->building.in_region && !ctx->building.stage);
        gtr_save(ctx, "no/such/folder/model");
        all_in.done = true;
    }
    return fill(&s, epoch, begin, end, column);
}
static void all_inside(void)
{
    for (int how = 0; how < 4; how++) {
        const way w = ways[0];
        gtr_callback_desc c;
        gtr_predictor_desc p;
        source s = source0();
        gtr_result r = GTR_OK;
        memset(&c, 0, sizeof c); memset(&p, 0, sizeof p); memset(&all_in, 0, sizeof all_in);
        all_in.m = net_of(&w);
        gtr_context *ctx = all_in.m.ctx;
        all_in.x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 6));
        all_in.y = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 6));
        all_in.image = gtr_input(ctx, "images", GTR_F32, gtr_shape4(GTR_BATCH, 4, 6, 6));
        all_in.ids = gtr_input(ctx, "ids", GTR_I32, gtr_shape1(GTR_BATCH));
        all_in.of[0] = gtr_parameter_at(ctx, 0);
        all_in.of[1] = all_in.x; all_in.of[2] = all_in.y;
        all_in.set = set_of(ctx, RESIDENT, &s);
        p.out[0] = all_in.m.logits; p.snapshot = true;
        all_in.snapshot = gtr_predictor_create_ex(ctx, p);
        all_in.p = gtr_predictor_create(all_in.m.logits, 1);
        called_of(c.column);
        c.rows = ROWS; c.columns = 2; c.fill = all_calling; c.same_thread = how & 1; c.name = "my source";
        all_in.d = gtr_dataset_callback(ctx, c);
        EXPECT_OK(ctx);
        if (how < 2) {
            EXPECT_EQ(gtr_trainer_data(all_in.m.t, all_in.d, 20, false, false), GTR_OK);
            for (int i = 0; i < 11 && !r; i++) r = gtr_step(all_in.m.t);
        } else r = gtr_evaluate(all_in.m.t, all_in.d, 20, NULL, NULL, NULL);
        EXPECT(r == GTR_ERR_STATE && all_in.done);
        EXPECT_ERROR(ctx, GTR_ERR_STATE, "gtr_save: in the callback of data set \"my source\"");
        EXPECT_OK(ctx);
        EXPECT_EQ(gtr_evaluate(all_in.m.t, all_in.d, 20, NULL, NULL, NULL), GTR_OK);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Averages (.ema) are evaluated under the weights' lock, which a refresh waits for: in a fill it would for ever. */
static gtr_predictor *refreshed;
static gtr_result refresh_result;
static bool refreshing(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    source s = source0();
    (void)user;
    if (begin > 100) refresh_result = gtr_predictor_refresh(refreshed);
    return fill(&s, epoch, begin, end, column);
}
static void refresh_inside(void)
{
    for (int how = 0; how < 4; how++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_callback_desc c;
        gtr_predictor_desc p;
        gtr_trainer_desc t;
        source s = source0();
        memset(&c, 0, sizeof c); memset(&p, 0, sizeof p); memset(&t, 0, sizeof t);
        gtr_tensor *x = gtr_input(ctx, "image", GTR_F32, gtr_shape2(GTR_BATCH, PIXELS)),
            *y = gtr_input(ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH)), *logits = gtr_linear(x, "fc", CLASSES);
        t.ema = how < 2 ? 0.5f : 0;
        gtr_trainer *trainer = gtr_trainer_create(gtr_cross_entropy(logits, y), t);
        p.out[0] = logits; p.snapshot = true;
        refreshed = gtr_predictor_create_ex(ctx, p);
        EXPECT_EQ(gtr_trainer_data(trainer, set_of(ctx, RESIDENT, &s), 20, true, false), GTR_OK);
        EXPECT_EQ(gtr_step(trainer), GTR_OK);
        called_of(c.column);
        c.rows = ROWS; c.columns = 2; c.fill = refreshing; c.same_thread = how & 1; c.name = "my source";
        gtr_dataset *d = gtr_dataset_callback(ctx, c);
        refresh_result = GTR_OK;
        EXPECT_EQ(gtr_evaluate(trainer, d, 20, NULL, NULL, NULL), GTR_ERR_STATE);
        EXPECT_ERROR(ctx, GTR_ERR_STATE, "gtr_predictor_refresh: in the callback of data set \"my source\"");
        EXPECT_EQ(refresh_result, GTR_ERR_STATE);
        CHECK(strstr(gtr_predictor_error_text(refreshed), "in the callback of a data set"), "%s",
            gtr_predictor_error_text(refreshed));
        EXPECT_EQ(gtr_predictor_refresh(refreshed), GTR_OK);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
static void calls_inside(void)
{
    static const char *const names[] = { "gtr_step", "gtr_fit", "gtr_train_for", "gtr_evaluate", "gtr_evaluate_metrics",
        "gtr_trainer_data" };
    for (int k = 0; k < 8; k++) for (int how = 0; how < 6; how++) { /* a fit's, a loop's, an evaluation's rows */
        const way w = ways[0];
        const bool may = k >= 6;
        char text[200];
        gtr_callback_desc c;
        gtr_fit_desc f;
        gtr_predictor_desc p;
        gtr_result r = GTR_OK;
        memset(&c, 0, sizeof c); memset(&f, 0, sizeof f); memset(&p, 0, sizeof p); memset(&inside, 0, sizeof inside);
        inside.m = net_of(&w);
        p.out[0] = inside.m.logits; p.snapshot = true;
        inside.p = gtr_predictor_create_ex(inside.m.ctx, p);
        called_of(c.column);
        c.rows = ROWS; c.columns = 2; c.fill = calling; c.same_thread = how & 1; c.name = "my source";
        inside.d = gtr_dataset_callback(inside.m.ctx, c);
        inside.call = k;
        EXPECT_OK(inside.m.ctx);
        f.silent = f.no_shuffle = true; f.batch = 20;
        if (how < 2) r = gtr_fit(inside.m.t, inside.d, f);
        else if (how < 4) {
            EXPECT_EQ(gtr_trainer_data(inside.m.t, inside.d, 20, true, false), GTR_OK);
            for (int i = 0; i < 11 && !r; i++) r = gtr_step(inside.m.t);
        } else r = gtr_evaluate(inside.m.t, inside.d, 20, NULL, NULL, NULL);
        snprintf(text, sizeof text, "%s: in the callback of data set \"my source\"", may ? "" : names[k]);
        CHECK(r == (may ? GTR_OK : GTR_ERR_STATE) && inside.got == r, "call %d, way %d: %d, inside %d", k, how, (int)r,
            (int)inside.got);
        if (!may) EXPECT_ERROR(inside.m.ctx, GTR_ERR_STATE, text);
        EXPECT_OK(inside.m.ctx);
        inside.call = -1; /* and goes on */
        EXPECT_EQ(gtr_fit(inside.m.t, inside.d, f), GTR_OK);
        EXPECT_EQ(gtr_evaluate(inside.m.t, inside.d, 20, NULL, NULL, NULL), GTR_OK);
        gtr_destroy(inside.m.ctx);
    }
}
/* What is refused, and how. */
static void refusals(void)
{
    const way w = ways[0];
    source s = source0();
    net m = net_of(&w);
    gtr_context *ctx = m.ctx;
    gtr_dataset *d = set_of(ctx, CALLED, &s), *r = set_of(ctx, RESIDENT, &s), *both[2] = { r, d };
    const int64_t row = 3;
    const float one = 1;
    const void *more[2] = { pixels, labels };
    gtr_windows_desc windows;
    gtr_callback_desc c;
    memset(&windows, 0, sizeof windows);
    memset(&c, 0, sizeof c);
    windows.history = 3;
    static const char why[] = "its rows are a callback's";
#define REFUSED(call) do { EXPECT(!(call)); EXPECT_ERROR(ctx, GTR_ERR_STATE, why); } while (0)
    REFUSED(gtr_dataset_split(d, 5));
    REFUSED(gtr_dataset_split_random(d, 0.5f, 1, -1));
    REFUSED(gtr_dataset_split_random(d, 0.5f, 1, 1));
    REFUSED(gtr_dataset_split_last(d, 0.5f, 1));
    REFUSED(gtr_dataset_subset(d, &row, 1));
    REFUSED(gtr_dataset_sample(d, &one, 1, 10, 1));
    REFUSED(gtr_dataset_sample(d, NULL, -1, 10, 1));
    REFUSED(gtr_dataset_concat(ctx, both + 1, 1));
    REFUSED(gtr_dataset_windows(d, windows));
    REFUSED(gtr_standardise(gtr_input(ctx, "new", GTR_F32, gtr_shape2(GTR_BATCH, PIXELS)), "s", d, 0));
    EXPECT_EQ(gtr_dataset_append(d, more, 1), GTR_ERR_STATE);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "gtr_dataset_append of made: its rows are a callback's");
    EXPECT(!gtr_dataset_split(d, 5));
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "gtr_dataset_split of made: its rows are a callback's");
    EXPECT(!gtr_dataset_concat(ctx, both, 2));
    EXPECT(gtr_error(ctx));
    gtr_error_clear(ctx);
    EXPECT(gtr_dataset_row(d, 0, 0) == NULL);
    EXPECT_EQ(gtr_dataset_rows(d), ROWS);
    EXPECT_EQ(gtr_dataset_stream(d, GTR_STREAM_NEVER), GTR_ERR_STATE);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "are always streamed");
    EXPECT_EQ(gtr_dataset_stream(r, (gtr_streaming)7), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_dataset_stream of gtr_dataset_arrays: 7 is no gtr_streaming");
    EXPECT_EQ(gtr_evaluate(m.t, r, 10, NULL, NULL, NULL), GTR_OK);
    EXPECT_EQ(gtr_dataset_stream(r, GTR_STREAM_ALWAYS), GTR_ERR_STATE);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "in use already");
    EXPECT_EQ(gtr_dataset_stream(NULL, GTR_STREAM_AUTO), GTR_ERR_ARG);
    c.rows = 1; c.columns = 1;
    EXPECT(!gtr_dataset_callback(ctx, c));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "fill NULL");
    c.fill = fill; c.columns = 17;
    EXPECT(!gtr_dataset_callback(ctx, c));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "17 columns");
    c.columns = 2; c.column[1].dtype = GTR_F64;
    EXPECT(!gtr_dataset_callback(ctx, c));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_dataset_callback: column 1 is of dtype");
    c.column[1].dtype = GTR_F32; c.column[1].shape = gtr_shape1(0);
    EXPECT(!gtr_dataset_callback(ctx, c));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "gtr_dataset_callback: a row of column 1");
    gtr_destroy(ctx);
}

static const char *path_of(const char *name)
{
    static char path[8][96];
    static int k;
    k = (k + 1) % 8;
    snprintf(path[k], sizeof path[k], "%s", check_path(name));
    return path[k];
}
static void write_to(const char *path, const void *head, size_t n, const void *data, size_t bytes)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(head, 1, n, f) != n || fwrite(data, 1, bytes, f) != bytes || fclose(f)) {
        printf("cannot write %s\n", path); exit(1);
    }
}
static const char *npy_of(const char *name, const char *descr, const char *shape, const void *data, size_t bytes)
{
    char head[129];
    const char *path = path_of(name);
    const int n = snprintf(head + 10, 118, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape);
    memcpy(head, "\x93NUMPY\1\0\166\0", 10);
    memset(head + 10 + n, ' ', (size_t)(118 - n));
    head[127] = '\n';
    write_to(path, head, 128, data, bytes);
    return path;
}
/* What is made of a data set: of files that are mapped, the same rows, which stay there. */
typedef enum { SPLIT, DRAWN, STRATIFIED, LAST, SUBSET, OF_PART, SAMPLED, JOINED, APPENDED, WINDOWS, PARTS } part;
static gtr_dataset *part_of(gtr_dataset *d, part k)
{
    static const int64_t some[] = { 5, 200, 7, 7, 31, 90, 4, 66, 67, 68, 120, 119 };
    const void *more[2] = { pixels, gtr_dataset_row(d, 1, 0) };
    gtr_dataset *both[2] = { NULL, d };
    gtr_windows_desc w;
    memset(&w, 0, sizeof w);
    int64_t first[160];
    for (int i = 0; i < 160; i++) first[i] = i + 4;
    if (k >= OF_PART && k < WINDOWS) both[0] = gtr_dataset_split(d, 3);
    switch (k) {
    case SPLIT: return gtr_dataset_split(d, 4);
    case DRAWN: return gtr_dataset_split_random(d, 0.3f, 5, -1);
    case STRATIFIED: return gtr_dataset_split_random(d, 0.3f, 5, 1);
    case LAST: return gtr_dataset_split_last(d, 0.3f, 1);
    case SUBSET: return gtr_dataset_subset(d, some, 12);
    case OF_PART: return gtr_dataset_split_random(gtr_dataset_subset(d, some + 5, 6), 0.5f, 1, -1);
    case SAMPLED: return gtr_dataset_sample(d, NULL, 1, 90, 3);
    case JOINED: return gtr_dataset_concat(d->ctx, both, 2);
    case APPENDED:
        for (int i = 0; i < 2; i++) EXPECT_EQ(gtr_dataset_append(both[0], more, 1), GTR_OK);
        return both[0];
    default: w.history = 2; w.target = 2; return gtr_dataset_windows(gtr_dataset_subset(d, first, 160), w);
    }
}
static void part_of_mapped(const char *images, const char *classes, part k)
{
    static outcome of[2];
    const way w = way_of("one batch");
    const bool windows = k == WINDOWS;
    char name[20];
    for (int map = 0; map < 2; map++) {
        net m = net_of(&w);
        gtr_fit_desc f;
        memset(&f, 0, sizeof f); memset(&of[map], 0, sizeof of[map]);
        gtr_dataset *d = (map ? gtr_dataset_idx_map : gtr_dataset_idx)(m.ctx, images, classes), *p = part_of(d, k);
        EXPECT_OK(m.ctx);
        for (int64_t r = 0; r < gtr_dataset_rows(p); r++) of[map].report[r].loss = ((const uint8_t *)gtr_dataset_row(p,
            0, r))[3];
        if (map && k < JOINED) EXPECT_EQ(gtr_dataset_stream(p, GTR_STREAM_NEVER), GTR_ERR_STATE);
        if (map && k < JOINED) EXPECT_ERROR(m.ctx, GTR_ERR_STATE, "parts of files that are mapped");
        gtr_standardise(windows ? gtr_input(m.ctx, "w", GTR_F32, gtr_shape3(GTR_BATCH, 2, PIXELS)) : m.x, "norm", p, 0);
        EXPECT_EQ(gtr_dataset_stream(d, GTR_STREAM_AUTO), GTR_OK);
        f.epochs = 2; f.batch = 30; f.silent = true; f.history = of[map].report + ROWS; f.history_size = STEPS - ROWS;
        of[map].steps = STEPS - 1; f.validation = windows ? NULL : p;
        EXPECT_EQ(gtr_fit(m.t, d, f), GTR_OK);
        for (int i = 0; i < 2; i++) {
            if (!windows) EXPECT_EQ(gtr_evaluate(m.t, p, 3 + i, NULL, &of[map].value[i], NULL), GTR_OK);
            if (!i) gtr_dataset_destroy(d); /* a part keeps the files */
        }
        weights_of(m.ctx, &of[map]);
        EXPECT_OK(m.ctx);
        gtr_destroy(m.ctx);
    }
    snprintf(name, sizeof name, "part %d", (int)k);
    same(&w, name, &of[0], &of[1]);
}
static int files_open(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;
    while (dir && readdir(dir)) n++;
    if (dir) closedir(dir);
    return n;
}
/* Files that are mapped: as those that are read, streamed and not. */
static void mapped(void)
{
    static outcome of[6];
    static uint8_t bytes[ROWS];
    const uint8_t idx3[] = { 0, 0, 8, 3, 0, 0, 0, ROWS, 0, 0, 0, SIDE, 0, 0, 0, SIDE },
        idx1[] = { 0, 0, 8, 1, 0, 0, 0, ROWS };
    const char *images = path_of("images"), *names[2];
    const way w = ways[0];
    const int open = files_open();
    char shape[40];
    for (int r = 0; r < ROWS; r++) bytes[r] = (uint8_t)labels[r];
    write_to(images, idx3, sizeof idx3, pixels, sizeof pixels);
    const char *classes = path_of("labels");
    write_to(classes, idx1, sizeof idx1, bytes, sizeof bytes);
    snprintf(shape, sizeof shape, "(%d, %d)", ROWS, PIXELS);
    names[0] = npy_of("x.npy", "|u1", shape, pixels, sizeof pixels);
    snprintf(shape, sizeof shape, "(%d,)", ROWS);
    names[1] = npy_of("y.npy", "<i4", shape, labels, sizeof labels);
    for (int k = 0; k < 6; k++) {
        net m = net_of(&w);
        gtr_npy_desc n;
        gtr_fit_desc f;
        memset(&n, 0, sizeof n); memset(&f, 0, sizeof f); memset(&of[k], 0, sizeof of[k]);
        n.map = k > 3;
        gtr_dataset *d = k > 2 ? gtr_dataset_npy(m.ctx, names, 2, n) : k ? gtr_dataset_idx_map(m.ctx, images, classes)
            : gtr_dataset_idx(m.ctx, images, classes);
        EXPECT_OK(m.ctx);
        if (k == 2 || k == 5) EXPECT_EQ(gtr_dataset_stream(d, GTR_STREAM_ALWAYS), GTR_OK);
        EXPECT(!memcmp(gtr_dataset_row(d, 0, 7), pixels[7], PIXELS));
        f.epochs = 2; f.batch = 9; f.silent = true; f.history = of[k].report; f.history_size = STEPS;
        of[k].steps = 46;
        EXPECT_EQ(gtr_fit(m.t, d, f), GTR_OK);
        if (k == 1) EXPECT_EQ(gtr_dataset_rows(gtr_dataset_subset(d, (const int64_t[]){ 1, 2 }, 2)), 2);
        weights_of(m.ctx, &of[k]);
        EXPECT_OK(m.ctx);
        gtr_destroy(m.ctx);
        if (k) same(&w, k == 1 ? "mapped" : k == 2 ? "mapped and streamed" : k == 3 ? "npy" : "npy mapped", &of[0],
            &of[k]);
    }
    gtr_context *ctx = gtr_create(desc0());
    gtr_npy_desc n;
    memset(&n, 0, sizeof n);
    n.map = true;
    names[1] = npy_of("y.npy", "<i8", "(3,)", pixels, 24);
    EXPECT(!gtr_dataset_npy(ctx, names + 1, 1, n));
    EXPECT_ERROR(ctx, GTR_ERR_UNSUPPORTED, "i8: a file that is mapped wants f4, i4");
    names[1] = npy_of("y.npy", "<f4", "(3,)", pixels, 11);
    EXPECT(!gtr_dataset_npy(ctx, names + 1, 1, n));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "11 bytes of data");
    EXPECT(!gtr_dataset_npy(ctx, names, 2, n));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "11 bytes of data");
    write_to(names[1], "", 0, "", 0);
    EXPECT(!gtr_dataset_npy(ctx, names + 1, 1, n));
    EXPECT_ERROR(ctx, GTR_ERR_IO, "mapping failed");
    EXPECT(!gtr_dataset_idx_map(ctx, images, images));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "want one number");
    EXPECT(!gtr_dataset_idx_map(ctx, images, NULL));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "labels is NULL");
    EXPECT(!gtr_dataset_idx_map(ctx, images, "build/there is none"));
    EXPECT_ERROR(ctx, GTR_ERR_IO, "opening failed");
    EXPECT(gtr_dataset_idx_map(ctx, images, classes) != NULL);
    EXPECT_EQ(files_open(), open);
    gtr_destroy(ctx);
    for (int k = 0; k < PARTS; k++) part_of_mapped(images, classes, (part)k);
    unlink(images); unlink(classes); unlink(names[0]); unlink(names[1]);
}
/* Windows over several series, which do not lie one behind the other. */
static void windows(void)
{
    static gtr_float series[150][3], got[2][2][STEPS];
    static const int64_t lengths[] = { 60, 20, 70 };
    uint32_t s = 9;
    for (int i = 0; i < 450; i++) series[i / 3][i % 3] = noise(&s);
    for (int many = 0; many < 2; many++) for (int j = 0; j < 2 * passes(); j++) {
        const int k = j > 0;
        in_place = j > 1;
        gtr_context *ctx = created();
        in_place = false;
        gtr_arrays_desc a;
        gtr_windows_desc w;
        gtr_trainer_desc td;
        memset(&a, 0, sizeof a); memset(&w, 0, sizeof w); memset(&td, 0, sizeof td);
        a.rows = 150; a.column[0].data = series; a.column[0].shape = gtr_shape1(3);
        w.history = 12; w.horizon = 2; w.stride = 2; w.lengths = many ? lengths : NULL; w.n_lengths = many ? 3 : 0;
        gtr_dataset *d = gtr_dataset_windows(gtr_dataset_arrays(ctx, a), w);
        if (j % 2) gtr_dataset_stream(d, GTR_STREAM_ALWAYS);
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 12, 3));
        gtr_tensor *y = gtr_input(ctx, "y", GTR_F32, gtr_shape3(GTR_BATCH, 2, 3));
        gtr_tensor *loss = gtr_mse(gtr_linear(gtr_flatten(x), "fc", 6), gtr_flatten(y));
        gtr_trainer *t = gtr_trainer_create(loss, td);
        EXPECT_EQ(gtr_trainer_data(t, d, 8, true, false), GTR_OK);
        for (int i = 0; i < 40; i++) { gtr_step(t); got[many][k][i] = gtr_loss(t); }
        gtr_evaluate(t, d, 16, NULL, &((float *)got[many][k])[100], NULL);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
        CHECK(!k || !memcmp(got[many][0], got[many][1], sizeof got[many][0]), "windows of %d series", 1 + 2 * many);
    }
}
/* Sequences of different lengths, whose values are stored once, train as the same ones, padded, on the device. */
static void ragged(void)
{
    enum { SEQUENCES = 45, T = 9, WIDE = 3, RUNS = 40 };
    static gtr_float value[SEQUENCES * T][WIDE], padded[SEQUENCES][T][WIDE];
    static int64_t lengths[SEQUENCES];
    static int32_t length[SEQUENCES], label[SEQUENCES];
    static float got[2][RUNS + 1];
    uint32_t s = 3;
    int64_t n = 0;
    for (int r = 0; r < SEQUENCES; r++) {
        lengths[r] = length[r] = (int32_t)(r * 7 % (T + 1));
        label[r] = r % CLASSES;
        for (int i = 0; i < T; i++) for (int c = 0; c < WIDE; c++) {
            padded[r][i][c] = i < length[r] ? noise(&s) : 0;
            if (i < length[r]) value[n + i][c] = padded[r][i][c];
        }
        n += length[r];
    }
    for (int k = 0; k < 2; k++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_arrays_desc a, b;
        gtr_ragged_desc w;
        gtr_trainer_desc td;
        gtr_recurrent_desc how;
        gtr_tensor *last[1], *x = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, T, WIDE));
        memset(&a, 0, sizeof a); memset(&b, 0, sizeof b); memset(&w, 0, sizeof w); memset(&td, 0, sizeof td);
        memset(&how, 0, sizeof how);
        a.rows = k ? n : SEQUENCES; b.rows = SEQUENCES;
        a.column[0].data = k ? (void *)value : (void *)padded;
        a.column[0].shape = k ? gtr_shape1(WIDE) : gtr_shape2(T, WIDE);
        a.column[1].data = k ? NULL : length; a.column[1].dtype = k ? GTR_F32 : GTR_I32;
        a.column[2].data = k ? NULL : label; a.column[2].dtype = k ? GTR_F32 : GTR_I32;
        b.column[0].data = label; b.column[0].dtype = GTR_I32;
        w.lengths = lengths; w.n_lengths = SEQUENCES; w.beside = gtr_dataset_arrays(ctx, b);
        gtr_dataset *d = gtr_dataset_arrays(ctx, a);
        if (k) d = gtr_dataset_ragged(d, w);
        how.lengths = gtr_input(ctx, "n", GTR_I32, gtr_shape1(GTR_BATCH));
        how.h_last = last;
        gtr_tensor *y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
        gtr_lstm(x, "lstm", 8, how);
        td.optimizer = GTR_ADAM;
        gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(gtr_linear(last[0], "out", CLASSES), y), td);
        EXPECT_EQ(gtr_trainer_data(t, d, 8, true, false), GTR_OK);
        for (int i = 0; i < RUNS; i++) { EXPECT_EQ(gtr_step(t), GTR_OK); got[k][i] = gtr_loss(t); }
        EXPECT_EQ(gtr_evaluate(t, d, 16, NULL, &got[k][RUNS], NULL), GTR_OK);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
    CHECK(got[0][0] != got[0][7] && !memcmp(got[0], got[1], sizeof got[0]), "padded in the gather it has other losses");
}
/* States that go from a batch of a text's streams to the next, which gtr_set sets, are those of a stream as a whole. */
static void kept_states(void)
{
    enum { STREAMS = 3, PARTS = 4, T = 5, IDS = 11, HIDDEN = 6, ALL = PARTS * T };
    char text[STREAMS * ALL + 1];
    static const int axes[2] = { 0, 1 };
    gtr_float state[2][STREAMS][HIDDEN], ends[2][2][STREAMS][HIDDEN];
    char path[64];
    for (int i = 0; i < STREAMS * ALL + 1; i++) text[i] = (char)(i * i % IDS);
    snprintf(path, sizeof path, "%s", check_path("text"));
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(text, 1, sizeof text, f) != sizeof text || fclose(f)) EXPECT(!"a file");
    for (int whole = 0; whole < 2; whole++) {
        const int length = whole ? ALL : T;
        gtr_context *ctx = gtr_create(desc0());
        gtr_text_desc w;
        gtr_trainer_desc td;
        gtr_recurrent_desc how;
        memset(&w, 0, sizeof w); memset(&td, 0, sizeof td); memset(&how, 0, sizeof how);
        gtr_tensor *x = gtr_input(ctx, "text", GTR_I32, gtr_shape2(GTR_BATCH, length)), *y = gtr_input(ctx, "next",
            GTR_I32, gtr_shape2(GTR_BATCH, length)), *first[2], *last[2];
        for (int k = 0; k < 2; k++) first[k] = gtr_input(ctx, k ? "c" : "h", GTR_F32, gtr_shape2(GTR_BATCH, HIDDEN));
        how.h = &first[0]; how.c = &first[1]; how.h_last = &last[0]; how.c_last = &last[1];
        gtr_tensor *out = gtr_linear(gtr_lstm(gtr_embedding(x, "at", IDS, 4), "lstm", HIDDEN, how), "out", IDS);
        gtr_tensor *loss = gtr_cross_entropy(gtr_reshape(out, gtr_shape2(-length, IDS)), gtr_reshape(y,
            gtr_shape1(-length)));
        for (int k = 0; k < 2; k++) loss = gtr_add(loss, gtr_scale(gtr_mean(gtr_keep(last[k]), axes, 2, false), 0, 0));
        gtr_trainer *t = gtr_trainer_create(loss, td);
        EXPECT_EQ(gtr_trainer_lr(t, 0), GTR_OK);
        w.length = length; w.streams = STREAMS;
        gtr_dataset *d = gtr_dataset_text(ctx, path, w);
        EXPECT_EQ(gtr_dataset_rows(d), whole ? STREAMS : STREAMS * PARTS);
        EXPECT_EQ(gtr_trainer_data(t, d, STREAMS, false, false), GTR_OK);
        memset(state, 0, sizeof state);
        for (int i = 0; i < (whole ? 1 : PARTS); i++) {
            for (int k = 0; k < 2; k++) EXPECT_EQ(gtr_set(first[k], state[k], sizeof state[k]), GTR_OK);
            EXPECT_EQ(gtr_step(t), GTR_OK);
            for (int k = 0; k < 2; k++) EXPECT_EQ(gtr_get(last[k], state[k], sizeof state[k]), GTR_OK);
        }
        memcpy(ends[whole], state, sizeof state);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
    unlink(path);
    const gtr_float *a = &ends[0][0][0][0], *b = &ends[1][0][0][0];
    double most = 0;
    for (int i = 0; i < 2 * STREAMS * HIDDEN; i++) {
        const double by = fabs((double)(a[i] - b[i]));
        CHECK(by < 1e-5 && b[i] != 0, "state %d: %g, of the whole %g", i, (double)a[i], (double)b[i]);
        most = fmax(most, fabs((double)b[i]));
    }
    EXPECT(most > 0.01);
}
/* Ids that are no input beside a data set's. */
static void constant_ids(void)
{
    static const int32_t ids[3] = { 2, -5, 1 };
    for (int k = 0; k < KINDS; k++) for (int good = 0; good < 2; good++) {
        const way w = ways[0];
        const int32_t fine[3] = { 2, 0, 1 };
        source s = source0();
        net m = net_of(&w);
        gtr_trainer_desc td;
        memset(&td, 0, sizeof td);
        gtr_tensor *at = gtr_constant(m.ctx, GTR_I32, gtr_shape1(3), good ? fine : ids);
        at = gtr_embedding(at, "at", 3, CLASSES);
        gtr_tensor *h = gtr_add(m.logits, gtr_mean(at, NULL, 0, false));
        gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(h, m.y), td);
        gtr_dataset *d = set_of(m.ctx, (kind)k, &s);
        EXPECT_EQ(gtr_trainer_data(t, d, 16, true, false), GTR_OK);
        EXPECT_EQ(gtr_step(t), good ? GTR_OK : GTR_ERR_ARG);
        if (!good) EXPECT_ERROR(m.ctx, GTR_ERR_ARG, "element 1 is -5, want 0 to 2");
        EXPECT_EQ(gtr_evaluate(t, d, 30, NULL, NULL, NULL), good ? GTR_OK : GTR_ERR_ARG);
        gtr_error_clear(m.ctx);
        gtr_destroy(m.ctx);
    }
}
/* Inputs without a column: gtr_set's values. */
static void beside(void)
{
    static gtr_float want[3], noises[20 * 3];
    uint32_t seed = 3;
    for (int i = 0; i < 60; i++) noises[i] = noise(&seed);
    for (int k = 0; k < KINDS; k++) {
        source s = source0();
        const gtr_float factor = 0.5f;
        float loss[3] = { 0, 0, 0 };
        gtr_context *ctx = gtr_create(desc0());
        gtr_trainer_desc td;
        memset(&td, 0, sizeof td);
        gtr_tensor *x = gtr_input(ctx, "image", GTR_F32, gtr_shape2(GTR_BATCH, PIXELS));
        gtr_tensor *z = k ? gtr_input(ctx, "z", GTR_F32, gtr_shape2(GTR_BATCH, 3)) : NULL;
        gtr_tensor *f = gtr_input(ctx, "factor", GTR_F32, gtr_shape1(1)), *y = gtr_input(ctx, "label", GTR_I32,
            gtr_shape1(GTR_BATCH));
        gtr_tensor *h = gtr_mul(gtr_linear(x, "fc", CLASSES), f);
        if (z) h = gtr_add(h, gtr_linear(z, "fz", CLASSES));
        gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(h, y), td);
        gtr_dataset *d = set_of(ctx, (kind)k, &s);
        EXPECT_EQ(gtr_trainer_data(t, d, 20, false, false), GTR_OK);
        EXPECT_EQ(gtr_step(t), GTR_ERR_STATE);
        EXPECT_ERROR(ctx, GTR_ERR_STATE, k ? "has no column for input \"z\"" : "has no column for input \"factor\"");
        gtr_set(f, &factor, sizeof factor);
        if (z) gtr_set(z, noises, 15 * 3 * sizeof *noises);
        if (z) EXPECT_EQ(gtr_step(t), GTR_ERR_STATE);
        if (z) EXPECT_ERROR(ctx, GTR_ERR_STATE, "of which gtr_set set 15 rows: want the 20 of a batch");
        for (int i = 0; i < 12; i++) { /* the last one of 3 rows */
            if (z && i % 4 == 0) { noises[0] += 1; gtr_set(z, noises, sizeof noises); }
            EXPECT_EQ(gtr_step(t), GTR_OK);
            if (i == 0 || i == 10) loss[i / 10] = gtr_loss(t);
        }
        loss[2] = gtr_loss(t);
        noises[0] -= z ? 3 : 0;
        if (k == 1) memcpy(want, loss, sizeof loss);
        CHECK(k < 2 || !memcmp(want, loss, sizeof loss), "%s: other losses", kinds[k]);
        EXPECT_EQ(gtr_evaluate(t, d, 20, NULL, loss, NULL), GTR_OK);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
    const way w = ways[0];
    source s = source0();
    net m = net_of(&w); /* a set in the device's memory, and an input without a column */
    gtr_tensor *more = gtr_input(m.ctx, "more", GTR_F32, gtr_shape2(GTR_BATCH, CLASSES));
    gtr_trainer_desc td;
    memset(&td, 0, sizeof td);
    gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(gtr_add(m.logits, more), m.y), td);
    EXPECT_EQ(gtr_trainer_data(t, set_of(m.ctx, RESIDENT, &s), 4, false, false), GTR_ERR_SHAPE);
    EXPECT_ERROR(m.ctx, GTR_ERR_SHAPE, "a column for each input is wanted (but for what gtr_set gives a set that is "
        "streamed)");
    gtr_destroy(m.ctx);
}
/* A profile is of one batch, whatever the others hold, and of a network that it does not train: at a rate that is much
   too large its loss stays finite. */
static void profiled(void)
{
    way w;
    memset(&w, 0, sizeof w);
    w.plain = true;
    for (int k = RESIDENT; k < KINDS; k++) {
        int64_t others = 0;
        int32_t first[ROWS];
        source s = source0();
        net m = net_of(&w);
        gtr_arrays_desc a;
        gtr_callback_desc c;
        memset(&a, 0, sizeof a); memset(&c, 0, sizeof c);
        columns_of(a.column); called_of(c.column);
        a.rows = c.rows = ROWS; a.column[1].data = first;
        for (int r = 0; r < ROWS; r++) first[r] = r < 12 ? labels[r] : -100;
        c.columns = 2; c.fill = fill_first; c.user = &others; c.same_thread = k == CALLED_HERE;
        gtr_dataset *d = k >= CALLED ? gtr_dataset_callback(m.ctx, c) : gtr_dataset_arrays(m.ctx, a);
        gtr_dataset_stream(d, k == RESIDENT ? GTR_STREAM_NEVER : GTR_STREAM_ALWAYS);
        EXPECT_EQ(gtr_trainer_data(m.t, d, 12, false, false), GTR_OK);
        m.ctx->desc.memory_limit = m.ctx->memory.device_bytes + ((size_t)64 << 20); /* none for the device's */
        for (int again = 0; again < 2; again++) {
            CHECK(strstr(gtr_profile(m.t, true), "batch 12 on"), "%s: no profile: %s", kinds[k], gtr_error_text(m.ctx));
            EXPECT_OK(m.ctx);
            EXPECT_EQ(others, 0);
            EXPECT_EQ(gtr_trainer_data(m.t, set_of(m.ctx, (kind)k, &s), 12, true, false), GTR_OK);
            gtr_trainer_lr(m.t, 1e30f);
        }
        gtr_destroy(m.ctx);
    }
}
/* Sets that change or go while they are read ahead, trainers in turn, and what else asks for steps. */
static void lives(void)
{
    way w = way_of("augmented, BF16, a loop");
    const void *more[2] = { pixels, labels };
    w.precision = GTR_FP32;     /* which every chip has */
    for (int k = STREAMED; k < KINDS; k++) {
        source s = source0(), other = source0();
        net m = net_of(&w);
        gtr_dataset *d = set_of(m.ctx, (kind)k, &s), *e = set_of(m.ctx, (kind)k, &other);
        gtr_trainer_desc td;
        gtr_metrics metrics;
        gtr_metrics_desc md;
        memset(&td, 0, sizeof td); memset(&md, 0, sizeof md);
        gtr_trainer *u = gtr_trainer_create(m.loss, td);
        EXPECT_EQ(gtr_trainer_data(m.t, d, 16, true, false), GTR_OK);
        EXPECT_EQ(gtr_trainer_data(u, d, 5, true, true), GTR_OK);
        for (int i = 0; i < 30; i++) EXPECT_EQ(gtr_step(i % 3 ? m.t : u), GTR_OK);
        EXPECT_EQ(gtr_backward(u), GTR_OK);
        EXPECT_EQ(gtr_update(u), GTR_OK);
        EXPECT_EQ(gtr_train_for(u, 3), GTR_OK);
        md.scores = m.logits; md.labels = m.y;
        EXPECT_EQ(gtr_evaluate_metrics(m.t, d, md, &metrics), GTR_OK);
        EXPECT_EQ(metrics.counted, ROWS);
        EXPECT_EQ(gtr_step(m.t), GTR_OK);
        m.ctx->desc.memory_limit = m.ctx->memory.device_bytes + ((size_t)64 << 20); /* none for the device's */
        EXPECT(strstr(gtr_profile(m.t, true), "is streamed: the device waited for data"));
        m.ctx->desc.memory_limit = 0;
        EXPECT_EQ(gtr_step(m.t), GTR_OK);
        if (k == STREAMED) EXPECT_EQ(gtr_dataset_append(d, more, 7), GTR_OK);
        else gtr_dataset_destroy(d);
        EXPECT_EQ(gtr_step(m.t), GTR_ERR_STATE);
        gtr_error_clear(m.ctx);
        EXPECT_EQ(gtr_trainer_data(m.t, k == STREAMED ? d : e, 16, true, false), GTR_OK);
        EXPECT_EQ(gtr_step(m.t), GTR_OK);
        EXPECT_EQ(gtr_trainer_data(m.t, e, 16, true, false), GTR_OK);
        EXPECT_EQ(gtr_step(m.t), GTR_OK);
        EXPECT_OK(m.ctx);
        gtr_destroy(m.ctx); /* amid reading */
        CHECK(!s.overlapped && !other.overlapped, "%s: calls at once", kinds[k]);
    }
}
/* A source without an end, of which a fit takes what it has time for; and nobody asks it once the fit has ended, what
   came of its validation. */
static bool endless_rows(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    source *s = (source *)user;
    if (begin <= s->bad_row && s->bad_row < end) return false;
    memset(column[0], (int)(epoch + begin) & 255, (size_t)(end - begin) * PIXELS);
    memset(column[1], 0, (size_t)(end - begin) * sizeof(int32_t));
    return true;
}
/* Waits for what does not come, until it shall stop. */
static bool stopped_rows(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    (void)epoch; (void)begin;
    memset(column[0], 0, (size_t)(end - begin) * PIXELS);
    memset(column[1], 0, (size_t)(end - begin) * sizeof(int32_t));
    if (end <= 80) return true;
    gtr_stop((gtr_context *)user);
    return false;
}
static void stopped(void)
{
    for (int k = 0; k < 4; k++) {
        const way w = ways[0];
        gtr_callback_desc c;
        gtr_fit_desc f;
        net m = net_of(&w);
        source s = source0();
        memset(&c, 0, sizeof c); memset(&f, 0, sizeof f);
        called_of(c.column);
        c.columns = 2; c.fill = stopped_rows; c.rows = ROWS; c.user = m.ctx; c.same_thread = k & 1;
        gtr_dataset *d = gtr_dataset_callback(m.ctx, c);
        f.epochs = 3; f.batch = 16; f.silent = f.no_shuffle = true; f.validation = k > 1 ? d : NULL;
        EXPECT_EQ(gtr_fit(m.t, k > 1 ? set_of(m.ctx, RESIDENT, &s) : d, f), GTR_OK);
        EXPECT_EQ(gtr_fit_ended(m.t).why, GTR_END_STOP);
        const int64_t steps = gtr_fit_ended(m.t).steps; /* at once, or when the rows are at an end */
        EXPECT(k > 1 ? steps == (ROWS + 15) / 16 : k ? steps == 5 : steps <= 5);
        EXPECT_OK(m.ctx);
        EXPECT_EQ(gtr_trainer_data(m.t, d, 81, false, false), GTR_OK); /* a loop by hand is told */
        EXPECT_EQ(gtr_step(m.t), GTR_ERR_USER);
        EXPECT_ERROR(m.ctx, GTR_ERR_USER, "rows 0 to 80");
        gtr_destroy(m.ctx);
    }
}
static void endless(void)
{
    for (int k = 0; k < 2; k++) {
        const way w = ways[0];
        source s = source0(), valid = source0();
        gtr_callback_desc c;
        gtr_fit_desc f;
        net m = net_of(&w);
        memset(&c, 0, sizeof c); memset(&f, 0, sizeof f);
        called_of(c.column);
        c.columns = 2; c.fill = endless_rows; c.same_thread = k > 0;
        c.rows = (int64_t)1 << 53; c.user = &s;
        gtr_dataset *d = gtr_dataset_callback(m.ctx, c);
        c.rows = 100000; c.user = &valid; valid.bad_row = 50000;
        f.epochs = INT_MAX; f.seconds = 0.01; f.silent = true; f.batch = k ? 1 : 16;
        EXPECT_EQ(gtr_fit(m.t, d, f), GTR_OK);
        EXPECT_EQ(gtr_fit_ended(m.t).why, GTR_END_SECONDS);
        EXPECT(gtr_fit_ended(m.t).steps > 0);
        EXPECT_EQ(gtr_trainer_data(m.t, d, 1, true, false), GTR_OK);
        EXPECT_EQ(gtr_step(m.t), GTR_OK);
        f.validation = gtr_dataset_callback(m.ctx, c);
        f.seconds = 0; f.epochs = 1;
        EXPECT_EQ(gtr_fit(m.t, set_of(m.ctx, RESIDENT, &s), f), GTR_ERR_USER);
        EXPECT_ERROR(m.ctx, GTR_ERR_USER, "its callback failed in an evaluation, rows 4");
        EXPECT(!m.ctx->runner->stream->data && !m.t->runner->stream->data);
        gtr_destroy(m.ctx);
    }
}
/* A GPU with too little room for the set: it is streamed without a word. */
static void chosen(void)
{
    gtr_desc d = desc0();
    if (device == GTR_DEVICE_CPU) return;
    for (int k = 0; k < 3; k++) {
        enum { MANY = 4000 };
        gtr_arrays_desc a;
        gtr_trainer_desc td;
        memset(&a, 0, sizeof a); memset(&td, 0, sizeof td);
        d.memory_limit = (size_t)24 << 20;
        gtr_context *ctx = gtr_create(d);
        gtr_float *x = (gtr_float *)calloc((size_t)MANY * 2048, sizeof *x); /* 32 MB; the half fits */
        a.rows = k == 1 ? MANY / 4 : MANY; a.column[0].data = x; a.column[0].shape = gtr_shape1(2048);
        gtr_dataset *set = gtr_dataset_arrays(ctx, a);
        free(x);
        if (k == 2) gtr_dataset_stream(set, GTR_STREAM_NEVER);
        gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 2048));
        gtr_trainer *t = gtr_trainer_create(gtr_mean(gtr_linear(in, "fc", 8), NULL, 0, false), td);
        const gtr_result r = gtr_trainer_data(t, set, 32, true, false);
        EXPECT_EQ(r, k == 2 ? GTR_ERR_NOMEM : GTR_OK);
        EXPECT_EQ(set->streamed, k == 0);
        if (!r) for (int i = 0; i < 300; i++) EXPECT_EQ(gtr_step(t), GTR_OK);
        if (!r) EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* Room is judged by the plans that read a set: x (N, 512) normalised 12 times, or through 4096 columns. */
enum { NARROW = 512 };
static gtr_dataset *zeros(gtr_context *ctx, int64_t rows)
{
    gtr_arrays_desc a;
    memset(&a, 0, sizeof a);
    void *x = calloc((size_t)rows, NARROW * sizeof(gtr_float));
    a.rows = rows; a.column[0].data = x; a.column[0].shape = gtr_shape1(NARROW);
    gtr_dataset *d = gtr_dataset_arrays(ctx, a);
    free(x);
    return d;
}
static gtr_trainer *wide_or_deep(gtr_context *ctx, bool deep)
{
    static const int64_t eight[] = { 1, 8 };
    gtr_trainer_desc td;
    char name[16];
    memset(&td, 0, sizeof td);
    gtr_tensor *h = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, NARROW));
    for (int k = 0; k < 12 && deep; k++) { sprintf(name, "norm%d", k); h = gtr_layer_norm(h, name, 1, 0); }
    if (!deep) h = gtr_linear(gtr_tile(h, eight), "fc", 1);
    return gtr_trainer_create(gtr_mean(h, NULL, 0, false), td);
}
static bool enough(const gtr_progress *p) { return p->step < 2; }
static void room_of_both(void)
{
    if (device == GTR_DEVICE_CPU) return;
    for (int k = 0; k < 5; k++) {
        gtr_desc d = desc0();
        gtr_fit_desc f;
        memset(&f, 0, sizeof f);
        d.memory_limit = (size_t)32 << 20;
        gtr_context *ctx = gtr_create(d);
        /* deep: training of 1024 rows would take 24 MB and more, their evaluation 6; 4096 are 8 MB. wide: 1024 take
           18 MB in both, 8192 are 16 MB */
        const bool deep = k < 2;
        gtr_trainer *t = wide_or_deep(ctx, deep);
        gtr_dataset *held = zeros(ctx, k > 2 ? 13000 : deep ? 4096 : 1024), *train = zeros(ctx, deep ? 64 : 8192);
        f.validation = k == 1 || k == 3 ? NULL : held;
        f.batch = k > 2 ? 1024 : 32; f.silent = true; f.callback = enough; f.callback_every = 1;
        if (k == 1 || k > 2) {
            EXPECT_EQ(gtr_evaluate(t, held, deep ? 1024 : 64, NULL, NULL, NULL), GTR_OK);
            EXPECT(held->column[0].device && !held->streamed);
        }
        EXPECT_EQ(gtr_fit(t, train, f), GTR_OK);
        EXPECT_OK(ctx);
        CHECK(train->streamed == !deep, "case %d: the training set is streamed: %d", k, train->streamed);
        CHECK(!held->column[0].device == (k > 2), "case %d: the other is on the device: %d", k,
            held->column[0].device != NULL);        /* where it is evaluated alone it makes way for a fit */
        gtr_destroy(ctx);
    }
}

/* A reader that goes on between two looks at how far it is: no more goes to the device than lies in a slot. */
static bool fill_slowly(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    nap(300000);
    return fill(user, epoch, begin, end, column);
}
static void reader_goes_on(void)
{
    enum { BATCH = 13, STEPS_TAKEN = 64 };
    static outcome o[2];
    way w;
    memset(&w, 0, sizeof w);
    w.name = "a reader that goes on";
    late = pthread_self();
    for (int k = 0; k < 2; k++) {
        net m = net_of(&w);
        source s = source0();
        gtr_callback_desc c;
        memset(&c, 0, sizeof c);
        called_of(c.column);
        c.rows = ROWS; c.columns = 2; c.fill = k ? fill_slowly : fill; c.user = &s; c.same_thread = !k;
        gtr_dataset *d = gtr_dataset_callback(m.ctx, c);
        EXPECT_EQ(gtr_trainer_data(m.t, d, BATCH, false, false), GTR_OK);
        is_late = k == 1;
        for (int64_t i = 0; i < STEPS_TAKEN; i++) {
            EXPECT_EQ(gtr_step(m.t), GTR_OK);
            const gtr__stream *to = m.t->runner->stream;
            CHECK(gtr__piece_of(to, to->sent - 1) == gtr__piece_of(to, i), "step %lld: sent until batch %lld, of "
                "another slot", (long long)i, (long long)to->sent);
        }
        is_late = false;
        weights_of(m.ctx, &o[k]);
        EXPECT_OK(m.ctx);
        gtr_destroy(m.ctx);
    }
    same(&w, "a callback's", &o[0], &o[1]);
}

/* Sets that a GPU reads in place take none of its memory; of two that borrow the same rows one is copied, for the
   driver maps nothing twice. Rows are appended, and sets destroyed, between steps. */
static void in_place_sets(void)
{
    static gtr_float losses[2][12];
    if (passes() == 1) return;
    for (int k = 0; k < 2; k++) {
        way w = ways[0];
        in_place = k > 0;
        net m = net_of(&w);
        in_place = false;
        gtr_arrays_desc a;
        gtr_dataset *of[2];
        memset(&a, 0, sizeof a);
        columns_of(a.column);
        a.rows = ROWS; a.column[0].borrow = a.column[1].borrow = true;
        for (int i = 0; i < 2; i++) of[i] = gtr_dataset_arrays(m.ctx, a);
        for (int i = 0; i < 12; i++) {
            if (i == 6) EXPECT_EQ(gtr_dataset_append(of[0], (const void *const[]){ pixels, labels }, 50), GTR_OK);
            if (i == 9) gtr_dataset_destroy(of[1]);
            if (i % 3 == 0) EXPECT_EQ(gtr_trainer_data(m.t, of[i % 6 == 3 && i < 9], 16, true, false), GTR_OK);
            EXPECT_EQ(gtr_step(m.t), GTR_OK);
            losses[k][i] = gtr_loss(m.t);
            if (i == 0 || i == 6 || i == 11) EXPECT(of[0]->column[0].in_place == k && !of[0]->streamed);
            if (i == 0) CHECK((gtr__resident_bytes(m.ctx) > 0) == !k, "%zu bytes", gtr__resident_bytes(m.ctx));
        }
        EXPECT_OK(m.ctx);
        gtr_destroy(m.ctx);
        for (int i = 0; i < 12 && k; i++) EXPECT_EQ(losses[1][i], losses[0][i]);
    }
}

static void all(void)
{
    RUN(same_bytes);
    RUN(reader_goes_on);
    RUN(pieces);
    RUN(failures);
    RUN(calls_inside);
    RUN(all_inside);
    RUN(refresh_inside);
    RUN(refusals);
    RUN(mapped);
    RUN(windows);
    RUN(in_place_sets);
    RUN(constant_ids);
    RUN(beside);
    RUN(profiled);
    RUN(lives);
    RUN(endless);
    RUN(stopped);
    RUN(chosen);
    RUN(room_of_both);
    RUN(ragged);
    RUN(kept_states);
}
int main(int argc, char **argv)
{
    check_begin(argc, argv);
    small = getenv("GTR_TEST_SMALL") != NULL;
    rows_make();
    check_devices(all, &device);
    return check_done();
}
