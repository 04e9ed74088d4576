/* Going on: a run that is cut anywhere and continued, in a new process, ends with the bytes of one that was not. Each
   optimizer, dropout, augmentation, averages, FP16's scale, in mid-epoch, by loops and by gtr_fit; what a checkpoint
   of something else gets, and that nothing has changed then. The new processes are this program:
       test_checkpoint --go-on CASE WAY cpu|cuda FOLDER */
#define _XOPEN_SOURCE 700
#define GPUTRAIN_STATIC
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include "check.h"
#include "device.h"
#include "points.h"
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

enum { ROWS = 100, BATCH = 16, EPOCH = 7, STEPS = 3 * EPOCH, CUT = 10, SIDE = 8, ROOM = 1 << 18 };
enum { PLAIN, NORM, IMAGES };       /* PLAIN: what kernels of whole networks take */
enum { LOOP, SET, FIT, WAYS };      /* fed from a data set, by gtr_set, by gtr_fit */
static const char *const way_names[] = { "loop", "gtr_set", "gtr_fit" };
typedef struct { const char *name; gtr_trainer_desc d; int shape; } row;
enum { CASES = 14 };
static row cases[CASES];
static char folder[256], self[512];
static row *add(int i, const char *name, gtr_optimizer o, int shape)
{
    row *r = &cases[i];
    memset(r, 0, sizeof *r);
    r->name = name; r->d.optimizer = o; r->shape = shape;
    r->d.lr = o == GTR_SGD ? 0.05f : 2e-3f;
    return r;
}
static void make_cases(void)
{
    int i = 0;
    add(i++, "SGD", GTR_SGD, PLAIN);
    add(i++, "momentum", GTR_SGD, NORM)->d.momentum = 0.9f;
    row *r = add(i++, "Nesterov, groups", GTR_SGD, PLAIN);
    r->d.momentum = 0.9f; r->d.nesterov = true;
    add(i++, "Adam", GTR_ADAM, PLAIN);
    add(i++, "AdamW, dropout", GTR_ADAMW, NORM);
    add(i++, "RMSprop", GTR_RMSPROP, NORM);
    add(i++, "RMSprop, momentum", GTR_RMSPROP, PLAIN)->d.momentum = 0.9f;
    add(i++, "Lion", GTR_LION, NORM);
    add(i++, "averages", GTR_ADAM, NORM)->d.ema = 0.9f;
    add(i++, "augmentation", GTR_ADAM, IMAGES);
    r = add(i++, "FP16", GTR_ADAM, NORM);
    r->d.precision = GTR_MIXED_FP16; r->d.loss_scale = 137438953472.0f;
    add(i++, "BF16", GTR_SGD, PLAIN)->d.precision = GTR_MIXED_BF16;
    r = add(i++, "cosine, clipped, in parts", GTR_ADAM, NORM);
    r->d.schedule = GTR_COSINE; r->d.warmup_steps = 3; r->d.total_steps = 30; r->d.clip_norm = 0.5f;
    r->d.micro_batches = 2; r->d.ema = 0.8f;
    r = add(i++, "cosine of the fit", GTR_SGD, NORM);
    r->d.schedule = GTR_COSINE; r->d.warmup_steps = 2; r->d.momentum = 0.5f;
}

typedef struct { gtr_context *ctx; gtr_tensor *x, *y, *loss, *acc; gtr_trainer *t; gtr_dataset *data, *held; } net;
static uint8_t pixels[POOL * SIDE * SIDE];
static gtr_dataset *data_of(gtr_context *ctx, int shape, int rows)
{
    gtr_arrays_desc a;
    gtr_augment_desc g;
    if (shape != IMAGES) return points(ctx, rows);
    memset(&a, 0, sizeof a);
    memset(&g, 0, sizeof g);
    a.rows = rows;
    a.column[0].data = pixels; a.column[0].dtype = GTR_U8; a.column[0].shape = gtr_shape3(1, SIDE, SIDE);
    a.column[1].data = pool_y; a.column[1].dtype = GTR_I32;
    gtr_dataset *d = gtr_dataset_arrays(ctx, a);
    g.pad = 2; g.flip = 0.5f; g.cutout = 3; g.brightness = 0.2f; g.mean[0] = 0.5f; g.std[0] = 0.25f;
    gtr_dataset_augment(d, 0, g);
    return d;
}
static net build_in(gtr_desc desc, int shape, gtr_trainer_desc d, int width)
{
    net n;
    gtr_tensor *h;
    gtr_group group;
    memset(&group, 0, sizeof group);
    group.pattern = "*.bias"; group.lr_scale = 0.5f;
    n.ctx = gtr_create(desc);
    n.x = gtr_input(n.ctx, "x", GTR_F32, shape == IMAGES ? gtr_shape4(GTR_BATCH, 1, SIDE, SIDE)
        : gtr_shape2(GTR_BATCH, WIDTH));
    n.y = gtr_input(n.ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    if (shape == IMAGES) {
        h = gtr_flatten(gtr_relu(gtr_batch_norm(gtr_conv2d(n.x, "conv", 6, 3, 1, 1), "norm")));
    } else h = gtr_relu(gtr_linear(n.x, "fc1", width));
    if (shape == NORM) h = gtr_dropout(gtr_batch_norm(h, "norm"), "drop", 0.25f);
    n.acc = gtr_linear(gtr_relu(gtr_linear(h, "fc2", 16)), "fc3", CLASSES);
    n.loss = gtr_cross_entropy(n.acc, n.y);
    n.acc = gtr_accuracy(n.acc, n.y);
    if (d.nesterov) { d.groups = &group; d.n_groups = 1; }
    n.t = gtr_trainer_create(n.loss, d);
    n.data = data_of(n.ctx, shape, ROWS);
    n.held = data_of(n.ctx, shape, 50);
    return n;
}
static net build(const row *r) { return build_in(desc0(), r->shape, r->d, 24); }

/* Everything that the public functions give of a run: parameters, buffers, states, the last report. */
static size_t state_of(const net *n, unsigned char *to)
{
    size_t at = 0;
    const gtr_report report = gtr_trainer_report(n->t);
    for (int64_t i = 0; i < gtr_parameter_count(n->ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(n->ctx, i);
        const size_t bytes = gtr_tensor_bytes(p);
        if (gtr_get(p, to + at, bytes) != GTR_OK) return 0;
        at += bytes;
        for (int k = 0; k < n->t->optim.all && gtr_parameter_trainable(p); k++, at += bytes)
            if (gtr_state_get(n->t, p, k, to + at, bytes) != GTR_OK) return 0;
    }
    const double v[] = { (double)report.step, (double)report.applied, report.loss, report.grad_norm, report.lr,
        report.loss_scale, report.skipped };
    memcpy(to + at, v, sizeof v);
    return at + sizeof v;
}
/* What a run has left: losses by step, those of validations, its state and its checkpoint. */
typedef struct {
    float loss[STEPS], lr[STEPS], held[4]; gtr_report history[STEPS]; size_t bytes, size;
    unsigned char state[ROOM], file[ROOM];
} outcome;
static outcome whole, parts;
static void leave(const net *n, outcome *o)
{
    EXPECT_OK(n->ctx);
    o->bytes = state_of(n, o->state);
    o->size = gtr_checkpoint_bytes(n->t);
    if (o->size > ROOM) o->size = 0;
    EXPECT_EQ(gtr_checkpoint_get(n->t, o->file, o->size), GTR_OK);
    EXPECT_OK(n->ctx);
}
static void compare(const outcome *a, const outcome *b, const char *what, const char *way)
{
    int i, losses = 0;
    for (i = 0; i < STEPS; i++) losses += memcmp(&a->loss[i], &b->loss[i], 4) || memcmp(&a->lr[i], &b->lr[i], 4);
    CHECK(!losses, "%s, %s: %d losses or rates differ", what, way, losses);
    CHECK(!memcmp(a->held, b->held, sizeof a->held), "%s, %s: validation losses differ", what, way);
    CHECK(!memcmp(a->history, b->history, sizeof a->history), "%s, %s: histories differ", what, way);
    CHECK(a->bytes > 0 && a->bytes == b->bytes && !memcmp(a->state, b->state, a->bytes), "%s, %s: states differ",
        what, way);
    CHECK(a->size > 0 && a->size == b->size && !memcmp(a->file, b->file, a->size), "%s, %s: checkpoints differ",
        what, way);
}
static char *path_of(const char *name)
{
    static char path[4][600];
    static int k;
    snprintf(path[k = (k + 1) % 4], sizeof path[0], "%s/%s", folder, name);
    return path[k];
}
static void by_hand(net *n, int way, int from, int to, outcome *o)
{
    for (int i = from; i < to; i++) {
        if (way == SET) {
            const int at = i * 13 % 512, rows = i % 3 ? BATCH : 9;
            gtr_set(n->x, pool_x + at * WIDTH, (size_t)(rows * WIDTH) * sizeof *pool_x);
            gtr_set(n->y, pool_y + at, (size_t)rows * 4);
        }
        EXPECT_EQ(gtr_step(n->t), GTR_OK);
        o->loss[i] = gtr_loss(n->t);
        o->lr[i] = gtr_trainer_report(n->t).lr;
    }
}
/* A fit whose callback, every CUT steps, ends it there or kills the process. */
typedef struct { outcome *o; int stop, died; } watch;
static bool watching(const gtr_progress *p)
{
    const watch *w = (const watch *)p->user;
    const int epoch = p->step / EPOCH > 3 ? 3 : (int)(p->step / EPOCH);
    w->o->held[epoch] = p->val_loss == p->val_loss ? p->val_loss : 0;
    if (w->died && p->step == CUT) raise(SIGKILL);
    return !(w->stop && p->step == CUT);
}
static gtr_fit_desc fit_of(net *n, watch *w, const char *path)
{
    gtr_fit_desc f;
    memset(&f, 0, sizeof f);
    f.epochs = 3; f.batch = BATCH; f.silent = true; f.validation = n->held; f.metric = n->acc;
    f.callback = watching; f.callback_user = w; f.callback_every = CUT;
    f.history = w->o->history; f.history_size = STEPS;
    f.checkpoint = path; f.checkpoint_steps = 4;
    return f;
}
static void note(outcome *o)
{
    for (int i = 0; i < STEPS; i++) { o->loss[i] = o->history[i].loss; o->lr[i] = o->history[i].lr; }
}
static bool can(const row *r, int way) {
    return !(way == SET && r->shape == IMAGES) && (way == FIT || r->d.schedule != GTR_COSINE || r->d.total_steps);
}
static int go_on(int which, int way)
{
    FILE *f;
    net n = build(&cases[which]);
    watch w = { &parts, 0, 0 };
    memset(&parts, 0, sizeof parts);
    if (way == FIT) {
        gtr_fit_desc d = fit_of(&n, &w, path_of("run"));
        d.resume = true;
        EXPECT_EQ(gtr_fit(n.t, n.data, d), GTR_OK);
        note(&parts);
    } else {
        EXPECT_EQ(gtr_checkpoint_load(n.t, path_of("run")), GTR_OK);
        if (way == LOOP) EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, true, false), GTR_OK);
        by_hand(&n, way, CUT, STEPS, &parts);
    }
    leave(&n, &parts);
    gtr_destroy(n.ctx);
    if (!(f = fopen(path_of("out"), "wb")) || fwrite(&parts, sizeof parts, 1, f) != 1 || fclose(f)) return 1;
    return check_failed != 0;
}
/* In a process of its own, which is another program image. Returns its exit status, or -1. */
static int another(const char *what, int which, int way)
{
    char a[16], b[16];
    int status = -1;
    snprintf(a, sizeof a, "%d", which);
    snprintf(b, sizeof b, "%d", way);
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        execl(self, self, what, a, b, device == GTR_DEVICE_CUDA ? "cuda" : "cpu", folder, (char *)NULL);
        _exit(127);
    }
    if (pid > 0) waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
static bool read_parts(void)
{
    FILE *f = fopen(path_of("out"), "rb");
    const bool ok = f && fread(&parts, sizeof parts, 1, f) == 1;
    if (f) fclose(f);
    unlink(path_of("out"));
    return ok;
}
static void new_process(void)
{
    for (int which = 0; which < CASES; which++) for (int way = 0; way < WAYS; way++) {
        const row *r = &cases[which];
        static outcome half;
        watch w = { &whole, 0, 0 }, v = { &half, 1, 0 };
        if (!can(r, way) || (small && (which + way) % 3) || (few() && which % 4)) continue;
        net n = build(r), m = build(r);
        if (gtr_error(n.ctx) == GTR_ERR_UNSUPPORTED) { gtr_destroy(n.ctx); gtr_destroy(m.ctx); continue; }
        memset(&whole, 0, sizeof whole);
        memset(&half, 0, sizeof half);
        if (way == FIT) {
            EXPECT_EQ(gtr_fit(n.t, n.data, fit_of(&n, &w, path_of("other"))), GTR_OK);
            EXPECT_EQ(gtr_fit(m.t, m.data, fit_of(&m, &v, path_of("run"))), GTR_OK);
            note(&whole);
        } else {
            if (way == LOOP) EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, true, false), GTR_OK);
            if (way == LOOP) EXPECT_EQ(gtr_trainer_data(m.t, m.data, BATCH, true, false), GTR_OK);
            by_hand(&n, way, 0, STEPS, &whole);
            by_hand(&m, way, 0, CUT, &half);
            EXPECT_EQ(gtr_checkpoint_save(m.t, path_of("run")), GTR_OK);
        }
        leave(&n, &whole);
        EXPECT_OK(m.ctx);
        EXPECT_EQ(gtr_trainer_report(m.t).step, CUT);
        gtr_destroy(m.ctx);
        EXPECT_EQ(another("--go-on", which, way), 0);
        if (CHECK(read_parts(), "%s, %s: nothing came of the new process", r->name, way_names[way])) {
            if (way != FIT) { memcpy(parts.loss, half.loss, CUT * 4); memcpy(parts.lr, half.lr, CUT * 4); }
            else memcpy(parts.held, half.held, sizeof *half.held * 2);
            compare(&whole, &parts, r->name, way_names[way]);
        }
        if (way == FIT) {       /* and one that is killed in mid-fit, at a step that was not saved */
            unlink(path_of("run"));
            another("--die", which, way);
            EXPECT_EQ(another("--go-on", which, way), 0);
            if (read_parts()) {
                memcpy(parts.held, whole.held, sizeof *half.held * 2);
                compare(&whole, &parts, r->name, "killed");
            }
        }
        gtr_destroy(n.ctx);
        unlink(path_of("run"));
        unlink(path_of("other"));
    }
}
static int die(int which)
{
    net n = build(&cases[which]);
    watch w = { &parts, 0, 1 };
    gtr_fit(n.t, n.data, fit_of(&n, &w, path_of("run")));
    return 1;
}

static void all(void)
{
    RUN(new_process);
}
int main(int argc, char **argv)
{
    small = getenv("GTR_TEST_SMALL") != NULL;
    pool_fill();
    for (int i = 0; i < POOL * SIDE * SIDE; i++) pixels[i] = (uint8_t)(i * 37 + i / 64 * 11 + pool_y[i / 64] * 60);
    make_cases();
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) snprintf(self, sizeof self, "%s", argv[0]);
    if (argc == 6 && !strncmp(argv[1], "--", 2)) {
        device = !strcmp(argv[4], "cuda") ? GTR_DEVICE_CUDA : GTR_DEVICE_CPU;
        snprintf(folder, sizeof folder, "%s", argv[5]);
        return !strcmp(argv[1], "--die") ? die(atoi(argv[2])) : go_on(atoi(argv[2]), atoi(argv[3]));
    }
    check_begin(argc, argv);
    snprintf(folder, sizeof folder, "%.200s/gputrain-checkpoint-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(folder)) { printf("no folder %s\n", folder); return 1; }
    check_devices(all, &device);
    CHECK(rmdir(folder) == 0 || check_argc > 1, "files are left in %s", folder);
    return check_done();
}
