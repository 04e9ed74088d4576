/* Going on: a run that is cut anywhere and continued, in a new process, ends with the bytes of one that was not. Each
   optimizer, dropout, augmentation, averages, FP16's scale, in mid-epoch, by loops and by gtr_fit; what a checkpoint
   of something else gets, and that nothing has changed then. The new processes are this program:
       test_checkpoint --go-on CASE WAY cpu|cuda FOLDER */
#define _XOPEN_SOURCE 700
#include "private.h"
#include "check.h"
#include "copies.h"
#include "device.h"
#include "stack.h"
#include "points.h"
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

enum { ROWS = 100, BATCH = 16, EPOCH = 7, STEPS = 3 * EPOCH, CUT = 10, SIDE = 8, ROOM = 1 << 18 };
enum { PLAIN, NORM, IMAGES };       /* PLAIN: what kernels of whole networks take */
enum { LOOP, SET, FIT, WAYS };      /* fed from a data set, by gtr_set, by gtr_fit */
static const char *const way_names[] = { "loop", "gtr_set", "gtr_fit" };
typedef struct { const char *name; gtr_trainer_desc d; int shape; } row;
static row cases[32];
static int n_cases;
static char folder[256], self[512];
static row *add(const char *name, gtr_optimizer o, int shape)
{
    if (n_cases == (int)GTR__LENGTH(cases)) abort();
    row *r = &cases[n_cases++];
    r->name = name; r->d.optimizer = o; r->shape = shape;
    r->d.lr = o == GTR_SGD ? 0.05f : 2e-3f;
    return r;
}
static void make_cases(void)
{
    add("SGD", GTR_SGD, PLAIN);
    add("momentum", GTR_SGD, NORM)->d.momentum = 0.9f;
    row *r = add("Nesterov, groups", GTR_SGD, PLAIN);
    r->d.momentum = 0.9f; r->d.nesterov = true;
    add("Adam", GTR_ADAM, PLAIN);
    add("AdamW, dropout", GTR_ADAMW, NORM);
    add("RMSprop", GTR_RMSPROP, NORM);
    add("RMSprop, momentum", GTR_RMSPROP, PLAIN)->d.momentum = 0.9f;
    add("Lion", GTR_LION, NORM);
    add("averages", GTR_ADAM, NORM)->d.ema = 0.9f;
    add("augmentation", GTR_ADAM, IMAGES);
    r = add("FP16", GTR_ADAM, NORM);
    r->d.precision = GTR_MIXED_FP16; r->d.loss_scale = 137438953472.0f;
    add("BF16", GTR_SGD, PLAIN)->d.precision = GTR_MIXED_BF16;
    r = add("cosine, clipped, in parts", GTR_ADAM, NORM);
    r->d.schedule = GTR_COSINE; r->d.warmup_steps = 3; r->d.total_steps = 30; r->d.clip_norm = 0.5f;
    r->d.micro_batches = 2; r->d.ema = 0.8f;
    r = add("cosine of the fit", GTR_SGD, NORM);
    r->d.schedule = GTR_COSINE; r->d.warmup_steps = 2; r->d.momentum = 0.5f;
    r = add("plateau, the best epoch's weights", GTR_SGD, NORM);
    r->d.schedule = GTR_PLATEAU; r->d.plateau_patience = -1; r->d.gamma = 0.5f; r->d.lr = 1.5f; r->d.ema = 0.9f;
    r = add("plateau, all epochs better", GTR_SGD, NORM);
    r->d.schedule = GTR_PLATEAU; r->d.plateau_patience = -1; r->d.threshold = 0.9f;
    r = add("one cycle of the fit", GTR_SGD, PLAIN);
    r->d.schedule = GTR_ONE_CYCLE;
    r = add("Adagrad", GTR_ADAGRAD, NORM);
    r->d.lr_decay = 0.25f; r->d.initial_accumulator = 0.5f;
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
    f.restore_best = n->t && n->t->desc.schedule == GTR_PLATEAU;
    return f;
}
static void note(outcome *o)
{
    for (int i = 0; i < STEPS; i++) { o->loss[i] = o->history[i].loss; o->lr[i] = o->history[i].lr; }
}
static bool can(const row *r, int way) {
    return !(way == SET && r->shape == IMAGES) && (way == FIT || r->d.total_steps
        || (r->d.schedule != GTR_COSINE && r->d.schedule != GTR_ONE_CYCLE));
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
static void put_away(void)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    while (d && (e = readdir(d)) != NULL) if (!strncmp(e->d_name, "run", 3)) unlink(path_of(e->d_name));
    if (d) closedir(d);
}
static void new_process(void)
{
    for (int which = 0; which < n_cases; which++) for (int way = 0; way < WAYS; way++) {
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

/* A fit whose patience is over has ended in its checkpoint, too; more patience goes on, at the rate of a plateau. */
static void patience_over(void)
{
    for (int more = 0; more < 3; more++) {
        row r = cases[0];
        r.d.lr = 1e-3f; r.d.schedule = GTR_PLATEAU; r.d.plateau_patience = -1; r.d.gamma = 0.5f; r.d.threshold = 0.9f;
        watch w = { &whole, 0, 0 };
        net n = build(&r);
        gtr_fit_desc d = fit_of(&n, &w, path_of("run"));
        d.epochs = 6; d.callback = NULL; d.callback_every = 0; d.callback_user = NULL;
        d.history = NULL; d.history_size = 0;
        d.min_delta = 1e9f; d.patience = more == 2 ? 3 : 1; d.resume = more > 0; d.restore_best = true;
        EXPECT_EQ(gtr_fit(n.t, n.data, d), GTR_OK);
        const gtr_fit_end end = gtr_fit_ended(n.t);
        EXPECT_EQ(end.why, GTR_END_PATIENCE);
        EXPECT_EQ(end.steps, (more == 2 ? 4 : 2) * EPOCH);
        EXPECT_EQ(end.best_epoch, 1);
        EXPECT(end.restored);
        CHECK(gtr_trainer_report(n.t).lr == r.d.lr * (more == 2 ? 0.25f : 1), "%g", (double)gtr_trainer_report(n.t).lr);
        gtr_destroy(n.ctx);
    }
    unlink(path_of("run"));
}
/* A trainer of another desc.lr goes on at that, lowered as often as the one that was saved. */
static void another_rate(void)
{
    static unsigned char at[ROOM];
    size_t size = 0;
    for (int k = 0; k < 3; k++) {
        row r = cases[0];
        r.d.lr = k ? 1e-4f : 1e-3f; r.d.schedule = GTR_PLATEAU; r.d.plateau_patience = -1; r.d.gamma = 0.5f;
        r.d.min_lr = k == 2 ? 8e-5f : 0;    /* the least that it may be */
        net n = build(&r);
        if (k) EXPECT_EQ(gtr_checkpoint_set(n.t, at, size), GTR_OK);
        EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, true, false), GTR_OK);
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        if (!k) for (int i = 0; i < 3; i++) EXPECT_EQ(gtr_trainer_plateau(n.t, 1, false), GTR_OK);
        EXPECT_EQ(gtr_step(n.t), GTR_OK);
        EXPECT_EQ(gtr_wait(n.ctx), GTR_OK);
        const double lr = (double)gtr_trainer_report(n.t).lr;
        CHECK(fabs(lr - (k == 2 ? 8e-5 : (double)r.d.lr / 4)) < 1e-9, "%d: %g", k, lr);
        if (!k) EXPECT_EQ(gtr_checkpoint_get(n.t, at, size = gtr_checkpoint_bytes(n.t)), GTR_OK);
        gtr_destroy(n.ctx);
    }
}
/* Cut behind each step, in memory; into a trainer that has gone elsewhere, before and after it is fed. */
static void each_step(void)
{
    static unsigned char at[STEPS + 1][ROOM];
    size_t size[STEPS + 1];
    const int cuts = small ? 3 : STEPS + 1;
    const row *r = &cases[8];
    net n = build(r);
    memset(&whole, 0, sizeof whole);
    EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, true, false), GTR_OK);
    for (int k = 0; k <= STEPS; k++) {
        size[k] = gtr_checkpoint_bytes(n.t);
        EXPECT_EQ(gtr_checkpoint_get(n.t, at[k], size[k]), GTR_OK);
        if (k < STEPS) by_hand(&n, LOOP, k, k + 1, &whole);
        if (k == 1) EXPECT_EQ(gtr_trainer_lr(n.t, 4e-3f), GTR_OK);
    }
    leave(&n, &whole);
    net m = build(r);
    for (int j = 0; j < cuts; j++) {
        const int k = (j * 8 + 3) % (STEPS + 1);
        if (j % 2) EXPECT_EQ(gtr_checkpoint_set(m.t, at[k], size[k]), GTR_OK);
        EXPECT_EQ(gtr_trainer_data(m.t, m.data, BATCH, true, false), GTR_OK);
        if (j % 2 == 0) EXPECT_EQ(gtr_checkpoint_set(m.t, at[k], size[k]), GTR_OK);
        EXPECT_EQ(gtr_checkpoint_bytes(m.t), size[k]);
        EXPECT_EQ(gtr_checkpoint_get(m.t, parts.file, size[k]), GTR_OK);
        CHECK(!memcmp(parts.file, at[k], size[k]), "step %d: what is set is not what is got", k);
        EXPECT_EQ(gtr_trainer_report(m.t).step, k);
        memcpy(&parts, &whole, offsetof(outcome, bytes));
        by_hand(&m, LOOP, k, 2, &parts);
        if (k < 2) EXPECT_EQ(gtr_trainer_lr(m.t, 4e-3f), GTR_OK);
        by_hand(&m, LOOP, k < 2 ? 2 : k, STEPS, &parts);
        leave(&m, &parts);
        compare(&whole, &parts, "cut behind each step", "loop");
        EXPECT_EQ(gtr_trainer_data(m.t, NULL, 0, false, false), GTR_OK);    /* elsewhere */
        by_hand(&m, SET, 0, 2, &parts);
    }
    EXPECT_EQ(gtr_checkpoint_get(m.t, at[0], 7), GTR_ERR_SHAPE);
    EXPECT_ERROR(m.ctx, GTR_ERR_SHAPE, "7 bytes");
    gtr_destroy(n.ctx);
    gtr_destroy(m.ctx);
}

/* What n's state is, beside what public calls show of it: where it goes from here. */
static size_t all_of(net *n, unsigned char *to)
{
    const size_t at = state_of(n, to), more = gtr_checkpoint_bytes(n->t);
    return gtr_checkpoint_get(n->t, to + at, more) ? 0 : at + more;
}
static unsigned char before[2 * ROOM], after[2 * ROOM];
/* gtr_load_ex takes some of them, from memory, too, under names of which another part is the file's. */
static void some_of_a_checkpoint(const net *n)
{
    static gtr_float a[4096], b[4096], other[4096];
    gtr_load_report r;
    gtr_load_desc d;
    net m = build(&cases[0]);
    gtr_tensor *p = gtr_parameter_at(m.ctx, 0), *rest = gtr_parameter_at(m.ctx, 1);
    const size_t bytes = gtr_tensor_bytes(p), size = gtr_checkpoint_bytes(n->t);
    unsigned char *image = (unsigned char *)malloc(size);
    char names[600], front[600];
    EXPECT_EQ(gtr_checkpoint_get(n->t, image, size), GTR_OK);
    memset(other, 0, sizeof other);
    for (int k = 0; k < 3; k++) {
        memset(&d, 0, sizeof d);
        d.data = image; d.bytes = size; d.report = &r;
        snprintf(names, sizeof names, "%s", gtr_tensor_name(p));
        d.names = names;
        snprintf(front, sizeof front, "%.*s", (int)strcspn(names, ".") + 1, names);
        if (k == 1) d.strip = d.prefix = front;
        if (k == 2) { d.names = NULL; d.partial = true; d.prefix = d.strip = front; }
        EXPECT(!gtr_set(p, other, bytes) && !gtr_set(rest, other, gtr_tensor_bytes(rest)));
        EXPECT_EQ(gtr_load_ex(m.ctx, NULL, d), GTR_OK);
        CHECK(k == 2 ? r.loaded > 1 && r.loaded + r.missing == gtr_parameter_count(m.ctx)
            : r.loaded == 1 && !r.missing && r.unused == gtr_parameter_count(m.ctx) - 1, "%d: %s", k, r.text);
        EXPECT(!gtr_get(gtr_parameter_at(n->ctx, 0), a, bytes) && !gtr_get(p, b, bytes) && !memcmp(a, b, bytes));
        EXPECT(!gtr_get(rest, b, gtr_tensor_bytes(rest)) && (k == 2 || !memcmp(b, other, gtr_tensor_bytes(rest))));
        EXPECT(!strstr(r.text, "state.") && !strstr(r.text, "gputrain."));
    }
    image[size / 2] ^= 1;
    EXPECT(gtr_load_ex(m.ctx, NULL, d) != GTR_OK);
    gtr_error_clear(m.ctx);
    EXPECT_OK(m.ctx);
    free(image);
    gtr_destroy(m.ctx);
}
/* A load that fails with this, and changes nothing. */
static void refused(net *n, const unsigned char *file, size_t size, gtr_result want, const char *part, const char *what)
{
    const size_t bytes = all_of(n, before);
    const gtr_result r = gtr_checkpoint_set(n->t, file, size);
    CHECK(r == want && gtr_error(n->ctx) == want && strstr(gtr_error_text(n->ctx), part),
        "%s: '%s' (%s), want '%s' with \"%s\"", what, gtr_result_text(r), gtr_error_text(n->ctx),
        gtr_result_text(want), part);
    gtr_error_clear(n->ctx);
    CHECK(bytes && all_of(n, after) == bytes && !memcmp(before, after, bytes), "%s: something has changed", what);
}
static void steps(net *n, int k)
{
    static outcome none;
    EXPECT_EQ(gtr_trainer_data(n->t, n->data, BATCH, true, false), GTR_OK);
    by_hand(n, LOOP, 0, k, &none);
}
static void others(void)
{
    static unsigned char file[ROOM];
    const row *adam = &cases[3];
    struct { const char *what; int shape, width; gtr_trainer_desc d; uint64_t seed; gtr_result want; const char *part; }
        table[] = {
        { "SGD", PLAIN, 24, cases[0].d, 7, GTR_ERR_STATE,
            "a checkpoint of GTR_ADAM, this trainer is of GTR_SGD" },
        { "Nesterov", PLAIN, 24, cases[2].d, 7, GTR_ERR_STATE, "of GTR_SGD with Nesterov's momentum" },
        { "AdamW", PLAIN, 24, cases[4].d, 7, GTR_ERR_STATE, "GTR_ADAMW" },
        { "RMSprop", PLAIN, 24, cases[6].d, 7, GTR_ERR_STATE, "GTR_RMSPROP with momentum" },
        { "averages", PLAIN, 24, cases[8].d, 7, GTR_ERR_STATE, "averages" },
        { "FP16", PLAIN, 24, adam->d, 7, GTR_ERR_STATE, "precision GTR_FP32, this trainer is of GTR_MIXED_FP16" },
        { "another width", PLAIN, 25, adam->d, 7, GTR_ERR_SHAPE,
            "model.fc1.weight\" is F32 (24, 6) in the file, the model wants F32 (25, 6)" },
        { "batch_norm", NORM, 24, adam->d, 7, GTR_ERR_SHAPE, "norm." },
        { "images", IMAGES, 24, adam->d, 7, GTR_ERR_STATE, "of other values" },
        { "another seed", PLAIN, 24, adam->d, 8, GTR_ERR_STATE, "seed 7, this context has 8, which gives" } };
    table[5].d.precision = GTR_MIXED_FP16;
    net n = build(adam);
    steps(&n, 5);
    const size_t size = gtr_checkpoint_bytes(n.t);
    EXPECT_EQ(gtr_checkpoint_get(n.t, file, size), GTR_OK);
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        gtr_desc desc = desc0();
        desc.seed = table[k].seed;
        net m = build_in(desc, table[k].shape, table[k].d, table[k].width);
        steps(&m, 3);
        refused(&m, file, size, table[k].want, table[k].part, table[k].what);
        gtr_destroy(m.ctx);
    }
    size_t head = 8;        /* the figures come first, and their version */
    for (int i = 0; i < 8; i++) head += (size_t)file[i] << 8 * i;
    file[head] = 3;
    refused(&n, file, size, GTR_ERR_VERSION, "of version 3, want 1 to 2", "a version to come");
    file[head] = 2;
    refused(&n, file, size - 1, GTR_ERR_FORMAT, "bytes of data", "cut");
    /* data that t is fed from; a place between two halves; no memory; a model's file */
    EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, true, true), GTR_OK);
    refused(&n, file, size, GTR_ERR_STATE, "drop_last 0; here: 100, 16, 1, 1 (for other data, gtr_checkpoint_load "
        "first, then", "drop_last");
    EXPECT_EQ(gtr_trainer_data(n.t, n.held, BATCH, true, false), GTR_OK);
    refused(&n, file, size, GTR_ERR_STATE, "100 rows", "another data set");
    refused(&n, NULL, size, GTR_ERR_ARG, "NULL", "NULL");
    EXPECT_EQ(gtr_backward(n.t), GTR_OK);
    EXPECT_EQ(gtr_checkpoint_save(n.t, path_of("run")), GTR_ERR_STATE);
    EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "between gtr_backward and gtr_update");
    EXPECT_EQ(gtr_checkpoint_set(n.t, file, size), GTR_ERR_STATE);
    EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "between gtr_backward and gtr_update");
    EXPECT_EQ(gtr_backward(n.t), GTR_ERR_STATE);
    EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "want gtr_update first");
    EXPECT_EQ(gtr_update(n.t), GTR_OK);
    EXPECT_EQ(gtr_save(n.ctx, path_of("run")), GTR_OK);
    EXPECT_EQ(gtr_checkpoint_load(n.t, path_of("run")), GTR_ERR_FORMAT);
    EXPECT_ERROR(n.ctx, GTR_ERR_FORMAT, "no checkpoint");
    EXPECT_EQ(gtr_checkpoint_save(NULL, path_of("run")), GTR_ERR_ARG);
    EXPECT(gtr_checkpoint_bytes(NULL) == 0 && gtr_checkpoint_load(NULL, "x") && gtr_checkpoint_set(NULL, file, size));
    EXPECT_EQ(gtr_checkpoint_save(n.t, ""), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "empty");
    EXPECT_EQ(gtr_checkpoint_save(n.t, NULL), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "NULL");
    EXPECT_EQ(gtr_checkpoint_load(n.t, path_of("none")), GTR_ERR_IO);
    EXPECT_ERROR(n.ctx, GTR_ERR_IO, strerror(ENOENT));
    /* gtr_load takes the parameters of a checkpoint, whatever the trainer */
    EXPECT_EQ(gtr_checkpoint_save(n.t, path_of("run")), GTR_OK);
    net m = build(&cases[0]);
    EXPECT_EQ(gtr_load(m.ctx, path_of("run")), GTR_OK);
    for (int64_t i = 0; i < gtr_parameter_count(n.ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(n.ctx, i), *q = gtr_parameter_at(m.ctx, i);
        const size_t bytes = gtr_tensor_bytes(p);
        EXPECT(!gtr_get(p, before, bytes) && !gtr_get(q, after, bytes) && !memcmp(before, after, bytes));
    }
    some_of_a_checkpoint(&n);
    EXPECT_OK(n.ctx); EXPECT_OK(m.ctx);
    unlink(path_of("run"));
    gtr_destroy(n.ctx);
    gtr_destroy(m.ctx);
}
/* A checkpoint's checksum, as who writes one makes it: its last four bytes, of all before. */
static uint32_t sum_of(const unsigned char *file, size_t size)
{
    gtr__crc c;
    gtr__crc_begin(&c, GTR__CRC32C);
    gtr__crc_add(&c, file, size);
    return ~c.sum;
}
static void sums_fit(unsigned char *file, size_t size) { gtr__le_put(file + size - 4, 4, sum_of(file, size - 4)); }
static size_t small_checkpoint(net *n, unsigned char *file)
{
    *n = build_in(desc0(), PLAIN, cases[3].d, 4);
    EXPECT_EQ(gtr_note_set(n->ctx, "note", "of this model"), GTR_OK);
    steps(n, 3);
    const size_t size = gtr_checkpoint_bytes(n->t);
    EXPECT_EQ(gtr_checkpoint_get(n->t, file, size), GTR_OK);
    EXPECT_EQ(gtr__le_number(file + size - 4, 4), sum_of(file, size - 4));
    return size;
}
/* Each bit of a checkpoint that flips is an error, in its header, numbers, checksum and notes alike; so are bytes that
   change, runs that are zero, as a disk's lost block is, and parts that change places. */
static void flipped(void)
{
    static unsigned char file[ROOM], one[ROOM];
    uint32_t seed = 5;
    int taken = 0, moved = 0;
    net n;
    EXPECT_EQ(sum_of((const unsigned char *)"123456789", 9), 0xe3069283u);
    EXPECT_EQ(gtr__crc32((const unsigned char *)"123456789", 9), 0xcbf43926u);
    const size_t size = small_checkpoint(&n, file);
    steps(&n, 1);
    const size_t bytes = all_of(&n, before), every = small || few() ? 997 : 1;
    memcpy(one, file, size);
    for (size_t bit = 0; bit < 8 * size; bit += every) {
        one[bit / 8] = (unsigned char)(file[bit / 8] ^ 1u << bit % 8);
        taken += gtr_checkpoint_set(n.t, one, size) == GTR_OK;
        gtr_error_clear(n.ctx);
        one[bit / 8] = file[bit / 8];
        if (bit / every % 101 == 0) moved += all_of(&n, after) != bytes || memcmp(before, after, bytes);
    }
    for (int i = 0; i < (small || few() ? 20 : 2000); i++) {
        size_t at[3];
        for (int k = 0; k < 3; k++) at[k] = (seed = seed * 1664525u + 1013904223u) % (uint32_t)size;
        const size_t length = GTR__MIN(at[2] % 64 + 1, size - GTR__MAX(at[0], at[1]));
        memcpy(one, file, size);
        if (i % 3 == 0) memset(one + at[0], 0, length);
        else if (i % 3 == 1) for (int k = 0; k < 3; k++) one[at[k]] = (unsigned char)(seed >> 8 * k);
        else { memcpy(one + at[0], file + at[1], length); memcpy(one + at[1], file + at[0], length); }
        if (!memcmp(one, file, size)) continue;
        taken += gtr_checkpoint_set(n.t, one, size) == GTR_OK;
        gtr_error_clear(n.ctx);
    }
    CHECK(!taken, "%d damaged checkpoints were taken for another", taken);
    CHECK(!moved && all_of(&n, after) == bytes && !memcmp(before, after, bytes), "%d refused ones changed something",
        moved);
    /* from a file, gtr_load's too; what is added after it was saved */
    for (int k = 0; k < 4; k++) {
        memcpy(one, file, size);
        if (k < 3) one[k == 0 ? size - 9 : k == 1 ? size / 2 : size - 1] ^= 4;
        FILE *f = fopen(path_of("run"), "wb");
        EXPECT(f && fwrite(one, 1, size, f) == size && !fclose(f));
        for (int load = 0; load < 2; load++) {
            EXPECT_EQ(load ? gtr_load(n.ctx, path_of("run")) : gtr_checkpoint_load(n.t, path_of("run")),
                k < 3 ? GTR_ERR_FORMAT : GTR_OK);
            if (k < 3) EXPECT_ERROR(n.ctx, GTR_ERR_FORMAT, "another checksum (CRC32C)");
        }
    }
    unlink(path_of("run"));
    gtr_destroy(n.ctx);
}
/* What a row of a table stands for is in a checkpoint by its name: rows of the next library may stand elsewhere. */
static void came_since(gtr__matcher *m) { m->name = "a matcher that came since"; }
static void by_name(void)
{
    static unsigned char file[ROOM];
    static gtr__matcher_row rows[2] = { came_since };
    gtr__figures g;
    size_t head = 8;
    net n, m;
    size_t size = small_checkpoint(&n, file);
    for (int i = 0; i < 8; i++) head += (size_t)file[i] << 8 * i;
    gtr__words(file + head, &g, GTR__N_FIGURES);
    EXPECT(g.optimizer == (int64_t)gtr__hash(0, "ADAM") && g.precision == (int64_t)gtr__hash(0, "FP32"));
    m = build_in(desc0(), PLAIN, cases[3].d, 4);
    rows[1] = m.ctx->be->matchers[0];
    m.ctx->be->matchers = rows; m.ctx->be->n_matchers = 2;
    n.ctx->caps.without = 1;
    EXPECT_EQ(gtr_checkpoint_get(n.t, file, size), GTR_OK);
    EXPECT_EQ(gtr_checkpoint_set(m.t, file, size), GTR_OK);
    EXPECT_EQ(m.ctx->caps.without, 2);
    gtr__le_put(file + head + offsetof(gtr__figures, optimizer), 8, gtr__hash(0, "ADAMS"));
    sums_fit(file, size);
    refused(&n, file, size, GTR_ERR_STATE, "an optimizer that this library does not know", "one to come");
    EXPECT_OK(m.ctx);
    gtr_destroy(n.ctx);
    gtr_destroy(m.ctx);
}
/* fixtures/checkpoint_v1.safetensors: of a fit that its callback stopped at step CUT, by a library whose checkpoints
   had rows by number and no checksum. It loads, and its fit goes on. */
static void older(void)
{
    static unsigned char file[ROOM];
    const char *path = "tests/fixtures/checkpoint_v1.safetensors";
    watch w = { &parts, 0, 0 };
    float bias[4];
    net n = build_in(desc0(), PLAIN, cases[3].d, 4), m = build_in(desc0(), PLAIN, cases[0].d, 4);
    EXPECT_EQ(gtr_checkpoint_load(m.t, path), GTR_ERR_STATE);
    EXPECT_ERROR(m.ctx, GTR_ERR_STATE, "a checkpoint of GTR_ADAM, this trainer is of GTR_SGD");
    EXPECT_EQ(gtr_load(m.ctx, path), GTR_OK);
    EXPECT_EQ(gtr_checkpoint_load(n.t, path), GTR_OK);
    const gtr_report r = gtr_trainer_report(n.t);
    CHECK(r.step == CUT && r.loss == 1.0803777f && r.lr == 2e-3f, "step %lld, loss %.9g, rate %.9g", (long long)r.step,
        r.loss, r.lr);
    for (int k = 0; k < 2; k++) {
        EXPECT_EQ(gtr_get(gtr_parameter_find(k ? m.ctx : n.ctx, "fc1.bias"), bias, sizeof bias), GTR_OK);
        CHECK(bias[0] == 0.312568337f && bias[3] == -0.2586734f, "fc1.bias %.9g, %.9g", bias[0], bias[3]);
    }
    EXPECT_EQ(strcmp(gtr_note(n.ctx, "who"), "version 1"), 0);
    /* saved again it is one of today's */
    const size_t size = gtr_checkpoint_bytes(n.t);
    EXPECT_EQ(gtr_checkpoint_get(n.t, file, size), GTR_OK);
    EXPECT_EQ(gtr__le_number(file + size - 4, 4), sum_of(file, size - 4));
    gtr_destroy(n.ctx);
    gtr_destroy(m.ctx);
    n = build_in(desc0(), PLAIN, cases[3].d, 4);
    gtr_fit_desc d = fit_of(&n, &w, path_of("run"));
    FILE *from = fopen(path, "rb"), *to = fopen(d.checkpoint, "wb");
    const size_t bytes = from ? fread(file, 1, sizeof file, from) : 0;
    EXPECT(bytes && to && fwrite(file, 1, bytes, to) == bytes && !fclose(from) && !fclose(to));
    d.resume = true; d.monitor = GTR_METRIC_TENSOR; d.restore_best = true; d.patience = 5;
    memset(&parts, 0, sizeof parts);
    EXPECT_EQ(gtr_fit(n.t, n.data, d), GTR_OK);
    const gtr_fit_end end = gtr_fit_ended(n.t);
    CHECK(end.steps == STEPS && end.best >= 0.379999995f && end.best_epoch >= 1 && parts.history[0].step == 1,
        "%lld steps, best %g in epoch %d", (long long)end.steps, end.best, end.best_epoch);
    EXPECT_OK(n.ctx);
    put_away();
    gtr_destroy(n.ctx);
}
/* Bytes that change, files that are cut, with a checksum that fits: what is accepted is a checkpoint, what is not
   changes nothing. */
static void mutants(void)
{
    static unsigned char file[ROOM], one[ROOM];
    uint32_t seed = 99;
    int taken = 0, i, k;
    net n = build_in(desc0(), PLAIN, cases[3].d, 4);
    steps(&n, 3);
    const size_t size = gtr_checkpoint_bytes(n.t);
    EXPECT_EQ(gtr_checkpoint_get(n.t, file, size), GTR_OK);
    size_t head = 8;
    for (i = 0; i < 8; i++) head += (size_t)file[i] << 8 * i;
    steps(&n, 1);
    const size_t bytes = all_of(&n, before);
    for (i = 0; i < (small ? 50 : 1500); i++) {
        size_t cut = size;
        memcpy(one, file, size);
        seed = seed * 1664525u + 1013904223u;
        if (i % 5 == 0) cut = seed % size;
        else for (k = 0; k <= i % 3; k++) {     /* in the header, in the figures */
            seed = seed * 1664525u + 1013904223u;
            const size_t at = i % 2 ? (seed >> 4) % head : head + (seed >> 4) % sizeof(gtr__figures);
            one[at] = (unsigned char)(i % 4 < 2 ? one[at] ^ 1u << seed % 8 : seed >> 24);
        }
        if (cut > 4) sums_fit(one, cut);
        const gtr_result r = gtr_checkpoint_set(n.t, one, cut);
        CHECK((r == GTR_OK) == (gtr_error(n.ctx) == GTR_OK), "mutant %d: %s", i, gtr_error_text(n.ctx));
        gtr_error_clear(n.ctx);
        taken += !r;
        if (!r) {           /* it can go on, and back */
            gtr_result s = gtr_step(n.t);
            if (!s) s = gtr_wait(n.ctx);
            CHECK(s == GTR_OK || s == GTR_ERR_NONFINITE || s == GTR_ERR_ARG, "mutant %d, step: %s", i,
                gtr_error_text(n.ctx));
            gtr_error_clear(n.ctx);
            n.ctx->caps.without = 0;        /* what a run has done without stays */
            EXPECT_EQ(gtr_checkpoint_set(n.t, file, size), GTR_OK);
            steps(&n, 1);
        }
        CHECK(all_of(&n, after) == bytes && !memcmp(before, after, bytes), "mutant %d: something has changed", i);
    }
    CHECK(small || (taken > 20 && taken < 1400), "%d mutants were taken", taken);
    gtr_destroy(n.ctx);
}

/* Copies to and from the device that fail, one after the other. */
static void failing_copies(void)
{
    static unsigned char file[ROOM];
    net n = build(&cases[8]), m = build(&cases[8]);
    steps(&n, 5);
    EXPECT_EQ(gtr_evaluate(n.t, n.held, 10, NULL, &(float){ 0 }, NULL), GTR_OK);
    const size_t size = gtr_checkpoint_bytes(n.t);
    EXPECT_EQ(gtr_checkpoint_get(n.t, file, size), GTR_OK);
    steps(&m, 2);
    EXPECT_EQ(gtr_evaluate(m.t, m.held, 50, NULL, &(float){ 0 }, NULL), GTR_OK);
    real_copy = m.ctx->be->copy;
    const size_t bytes = all_of(&m, before);
    for (int what = 0; what < 3; what++) for (int k = 0, done = 0; !done; k++) {
        m.ctx->be->copy = bad_copy;
        copies_left = k;
        const gtr_result r = what == 0 ? gtr_parameters_copy(m.ctx, n.ctx)
            : what == 1 ? gtr_checkpoint_get(m.t, after, bytes) : gtr_checkpoint_set(m.t, file, size);
        m.ctx->be->copy = real_copy;
        done = copies_left >= 0;
        if (what == 1 && done) EXPECT_ERROR(m.ctx, GTR_ERR_SHAPE, "gtr_checkpoint_get");
        else CHECK(r == (done ? GTR_OK : GTR_ERR_NOMEM), "%d, copy %d fails: '%s'", what, k, gtr_result_text(r));
        gtr_error_clear(m.ctx);
        if (!done || what == 1) CHECK(all_of(&m, after) == bytes && !memcmp(before, after, bytes),
            "%d, copy %d fails: something has changed", what, k);
        if (done) CHECK(k > (what == 1 ? 0 : 10), "%d copies", k);
        if (done && what == 0) { EXPECT(all_of(&m, before) == bytes); }
    }
    EXPECT(all_of(&m, after) == all_of(&n, before) && !memcmp(before, after, bytes));
    gtr_destroy(n.ctx);
    gtr_destroy(m.ctx);
}

/* Allocations that fail, one after the other, of what is kept for good and what is not. */
static struct { int at, seen; long alive; } memory;
static void *bad_alloc(size_t bytes, gtr_memory kind, void *user)
{
    (void)kind; (void)user;
    if (++memory.seen == memory.at) return NULL;
    memory.alive++;
    return guard_alloc(bytes);
}
static void bad_free(void *p, size_t bytes, gtr_memory kind, void *user)
{
    (void)kind; (void)user;
    memory.alive--;
    guard_free(p, bytes);
}
static void failing_allocations(void)
{
    static unsigned char file[ROOM], one[ROOM];
    gtr_desc d = desc0();
    gtr_fit_desc f;
    int hits = 0;
    char run[600];
    snprintf(run, sizeof run, "%s/run", folder);
    d.device = GTR_DEVICE_CPU;
    d.allocator.alloc = bad_alloc; d.allocator.free = bad_free;
    memset(&memory, 0, sizeof memory);
    net n = build_in(d, NORM, cases[8].d, 24), m = build_in(d, NORM, cases[8].d, 24);
    steps(&n, 4);
    EXPECT_EQ(gtr_evaluate(n.t, n.held, 10, NULL, &(float){ 0 }, NULL), GTR_OK);
    const size_t size = gtr_checkpoint_bytes(n.t);
    EXPECT_EQ(gtr_checkpoint_get(n.t, file, size), GTR_OK);
    steps(&m, 1);
    memset(&f, 0, sizeof f);
    f.epochs = 1; f.batch = BATCH; f.silent = true; f.checkpoint = run; f.resume = true; f.keep_last = 1;
    EXPECT_EQ(gtr_checkpoint_save(m.t, run), GTR_OK);
    const size_t bytes = all_of(&m, before);
    for (int what = 0; what < 6; what++) for (int at = 1; ; at++, hits++) {
        memory.seen = 0;
        memory.at = at;
        const gtr_result r = what == 0 ? gtr_checkpoint_get(m.t, one, gtr_checkpoint_bytes(m.t))
            : what == 1 ? gtr_checkpoint_save(m.t, run) : what == 2 ? gtr_checkpoint_load(m.t, run)
            : what == 3 ? gtr_parameters_copy(m.ctx, m.ctx) : what == 4 ? gtr_checkpoint_set(m.t, file, size)
            : gtr_fit(m.t, m.data, f);
        const bool struck = memory.seen >= at;
        memory.at = 0;
        if (!struck) { CHECK(r == GTR_OK, "%d without a fault: %s", what, gtr_error_text(m.ctx)); break; }
        CHECK(gtr_error(m.ctx) == GTR_ERR_NOMEM, "%d, allocation %d: %s", what, at, gtr_error_text(m.ctx));
        gtr_error_clear(m.ctx);
        if (what == 5) {        /* what was saved is whole */
            EXPECT_EQ(gtr_checkpoint_load(m.t, run), GTR_OK);
            continue;
        }
        CHECK(all_of(&m, after) == bytes && !memcmp(before, after, bytes), "%d, allocation %d: something has changed",
            what, at);
    }
    CHECK(hits > 100, "%d allocations failed", hits);
    put_away();
    gtr_destroy(n.ctx);
    gtr_destroy(m.ctx);
    EXPECT_EQ(memory.alive, 0);
}

/* By hand: another trainer's parameters and states, set one by one, are its trainer; of each optimizer, for states of
   some may be negative. */
static void states_set(void)
{
    bool has[GTR__N_OPTIMIZERS] = { false };
    for (int which = 0; which < n_cases; which++) {
        if (cases[which].shape == IMAGES || cases[which].d.schedule) continue;
        net n = build(&cases[which]), m = build(&cases[which]);
        if (gtr_error(n.ctx) == GTR_ERR_UNSUPPORTED) { gtr_destroy(n.ctx); gtr_destroy(m.ctx); continue; }
        has[cases[which].d.optimizer] = true;
        steps(&n, 6);
        steps(&m, 6);
        gtr_tensor *p = gtr_parameter_find(m.ctx, "fc1.weight");
        const size_t all = gtr_tensor_bytes(p);
        EXPECT_EQ(gtr_tensor_bytes(n.x), (size_t)WIDTH * sizeof(gtr_float));
        for (int k = 0; k < m.t->optim.all; k++) {      /* spoilt, and mended */
            memset(after, 0x3c, all);
            EXPECT_EQ(gtr_state_set(m.t, p, k, after, all), GTR_OK);
            EXPECT_EQ(gtr_state_get(m.t, p, k, before, all), GTR_OK);
            EXPECT(!memcmp(before, after, all));
            gtr_state_get(n.t, gtr_parameter_find(n.ctx, "fc1.weight"), k, after, all);
            EXPECT_EQ(gtr_state_set(m.t, p, k, after, all), GTR_OK);
        }
        steps(&n, 3);
        steps(&m, 3);
        const size_t bytes = all_of(&n, before);
        EXPECT(all_of(&m, after) == bytes && !memcmp(before, after, bytes));
        EXPECT_EQ(gtr_state_set(m.t, p, m.t->optim.all, after, all), GTR_ERR_STATE);
        EXPECT_ERROR(m.ctx, GTR_ERR_STATE, "optimizer state");
        if (m.t->optim.all) {
            EXPECT_EQ(gtr_state_set(m.t, p, 0, after, all - 4), GTR_ERR_SHAPE);
            EXPECT_ERROR(m.ctx, GTR_ERR_SHAPE, "fc1.weight");
            EXPECT_EQ(gtr_state_set(m.t, p, 0, NULL, all), GTR_ERR_SHAPE);
            gtr_error_clear(m.ctx);
        }
        EXPECT(gtr_state_set(NULL, p, 0, after, all) == GTR_ERR_ARG && gtr_state_set(m.t, NULL, 0, after, all));
        gtr_destroy(n.ctx);
        gtr_destroy(m.ctx);
    }
    for (int k = 0; k < (int)GTR__N_OPTIMIZERS; k++) CHECK(has[k], "no case trains by optimizer %d", k);
}
static void parameters_copied(void)
{
    gtr_desc cpu = desc0();
    cpu.device = GTR_DEVICE_CPU;
    net n = build(&cases[9]), m = build_in(cpu, IMAGES, cases[0].d, 24), o = build(&cases[0]);
    steps(&n, 4);
    for (int back = 0; back < 2; back++) {
        EXPECT_EQ(gtr_parameters_copy(back ? n.ctx : m.ctx, back ? m.ctx : n.ctx), GTR_OK);
        for (int64_t i = 0; i < gtr_parameter_count(n.ctx); i++) {
            gtr_tensor *p = gtr_parameter_at(n.ctx, i), *q = gtr_parameter_at(m.ctx, i);
            const size_t bytes = gtr_tensor_bytes(p);
            EXPECT(!gtr_get(p, before, bytes) && !gtr_get(q, after, bytes) && !memcmp(before, after, bytes));
            memset(after, 0, bytes);
            if (!back) gtr_set(p, after, bytes);
        }
    }
    EXPECT_EQ(gtr_parameters_copy(n.ctx, n.ctx), GTR_OK);
    const size_t bytes = all_of(&o, before);
    EXPECT_EQ(gtr_parameters_copy(o.ctx, n.ctx), GTR_ERR_SHAPE);
    EXPECT_ERROR(o.ctx, GTR_ERR_SHAPE, "\"fc1.weight\" float32 (24, 6) is missing in the other context");
    EXPECT(all_of(&o, after) == bytes && !memcmp(before, after, bytes));
    /* one that has more; and then another shape */
    gtr_context *few = gtr_create(cpu);
    gtr_linear(gtr_input(few, "x", GTR_F32, gtr_shape2(GTR_BATCH, WIDTH)), "fc1", 24);
    EXPECT_EQ(gtr_parameters_copy(few, o.ctx), GTR_OK);
    gtr_linear(gtr_input(few, "z", GTR_F32, gtr_shape2(GTR_BATCH, 3)), "fc2", 16);
    EXPECT_EQ(gtr_parameters_copy(few, o.ctx), GTR_ERR_SHAPE);
    EXPECT_ERROR(few, GTR_ERR_SHAPE, "\"fc2.weight\" float32 (16, 3) is float32 (16, 24)");
    EXPECT_EQ(gtr_parameters_copy(few, NULL), GTR_ERR_ARG);
    EXPECT_ERROR(few, GTR_ERR_ARG, "NULL");
    EXPECT_EQ(gtr_parameters_copy(NULL, few), GTR_ERR_ARG);
    EXPECT_OK(n.ctx); EXPECT_OK(m.ctx); EXPECT_OK(o.ctx);
    gtr_destroy(few); gtr_destroy(n.ctx); gtr_destroy(m.ctx); gtr_destroy(o.ctx);
}

/* What gtr_fit keeps: the newest, the last so many, the best; what it refuses. */
static int files(void)
{
    DIR *d = opendir(folder);
    int n = 0;
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n - 2;
}
static int64_t step_of(const char *name)
{
    net n = build(&cases[4]);
    const gtr_result r = gtr_checkpoint_load(n.t, path_of(name));
    const int64_t step = r ? -1 : gtr_trainer_report(n.t).step;
    gtr_destroy(n.ctx);
    return step;
}
static float best_loss; static int best_epoch;
static bool best_of(const gtr_progress *p)
{
    if (p->epoch == 1 || p->val_loss < best_loss) { best_loss = p->val_loss; best_epoch = p->epoch; }
    if (p->epoch == 6) gtr_trainer_lr(p->trainer, 3.0f);        /* no epoch behind it is as good */
    return true;
}
/* The names of .keep_best and .keep_last, too, before any training: a folder is there. */
static void tried_before(net *n, gtr_fit_desc f)
{
    static char run[600], other[640];
    for (int k = 0; k < 2; k++) {
        const bool best = k % 2 == 0;
        snprintf(run, sizeof run, "%s/before", folder);
        f.checkpoint = run; f.keep_best = best; f.keep_last = best ? 0 : 2; f.epochs = 2; f.resume = false;
        snprintf(other, sizeof other, best ? "%s.best" : "%s.%lld", run, (long long)gtr_trainer_report(n->t).step
            + 2 * EPOCH);
        EXPECT_EQ(mkdir(other, 0700), 0);
        EXPECT_EQ(gtr_fit(n->t, n->data, f), GTR_ERR_IO);
        EXPECT_ERROR(n->ctx, GTR_ERR_IO, "is there, but not a regular file");
        EXPECT_EQ(rmdir(other), 0);
    }
}
static void kept(void)
{
    static char run[600], gone[600];
    net n = build(&cases[4]);
    gtr_fit_desc f;
    int k;
    memset(&f, 0, sizeof f);
    snprintf(run, sizeof run, "%s/run", folder);
    snprintf(gone, sizeof gone, "%s/no/run", folder);
    f.epochs = 6; f.batch = BATCH; f.silent = true; f.validation = n.held; f.callback = best_of;
    f.checkpoint = run; f.keep_last = 3; f.keep_best = true;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
    EXPECT_EQ(files(), 5);
    EXPECT_EQ(step_of("run"), 6 * EPOCH);
    for (k = 4; k <= 6; k++) {
        char name[32];
        snprintf(name, sizeof name, "run.%d", k * EPOCH);
        EXPECT_EQ(step_of(name), k * EPOCH);
    }
    EXPECT_EQ(step_of("run.best"), best_epoch * EPOCH);
    /* finished: nothing is done, but for the best epoch's file and a link that it was killed before; with more epochs
       it goes on, and what it keeps too */
    net m = build(&cases[4]);
    char last[700];
    snprintf(last, sizeof last, "%s.%d", run, 6 * EPOCH);
    EXPECT_EQ(unlink(last), 0);
    EXPECT_EQ(best_epoch, 6);
    snprintf(last, sizeof last, "%s.best", run);
    EXPECT_EQ(unlink(last), 0);
    f.resume = true; f.validation = m.held;
    EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_OK);
    EXPECT_EQ(gtr_trainer_report(m.t).step, 6 * EPOCH);
    EXPECT(all_of(&n, before) == all_of(&m, after));
    EXPECT_EQ(files(), 5);
    snprintf(last, sizeof last, "run.%d", 6 * EPOCH);
    EXPECT_EQ(step_of(last), 6 * EPOCH);
    EXPECT_EQ(step_of("run.best"), 6 * EPOCH);
    struct stat was[4], is[4];
    const char *const names[] = { "run", "run.best", "run.42", "run.35" };
    for (k = 0; k < 4; k++) EXPECT_EQ(stat(path_of(names[k]), &was[k]), 0);
    EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_OK);         /* all there: nothing is written, as on a read-only mount */
    for (k = 0; k < 4; k++)
        CHECK(!stat(path_of(names[k]), &is[k]) && was[k].st_ino == is[k].st_ino && !memcmp(&was[k].st_ctim,
            &is[k].st_ctim, sizeof is[k].st_ctim), "%s was written anew", names[k]);
    EXPECT_EQ(step_of("run.best"), 6 * EPOCH);
    EXPECT_EQ(unlink(path_of("run.best")), 0);          /* a link to run: of another run, or half a copy, instead */
    FILE *whole = fopen(path_of("run"), "rb");
    const size_t half = whole ? fread(after, 1, sizeof after, whole) / 2 : 0;
    EXPECT(half > 4000 && !fclose(whole));
    FILE *damaged = fopen(path_of("run.best"), "wb");
    EXPECT(damaged && fwrite(after, 1, half, damaged) == half && !fclose(damaged));
    EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_OK);
    EXPECT_EQ(step_of("run.best"), 6 * EPOCH);
    f.epochs = 7; f.keep_last = 2; f.checkpoint_epochs = 2;
    EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_OK);
    EXPECT_EQ(gtr_trainer_report(m.t).step, 7 * EPOCH);
    EXPECT_EQ(files(), 4);
    EXPECT_EQ(step_of("run.49"), 7 * EPOCH);
    EXPECT_EQ(step_of("run.42"), 6 * EPOCH);
    EXPECT_EQ(step_of("run.best"), best_epoch * EPOCH);
    EXPECT(best_epoch < 7);
    EXPECT_EQ(gtr_fit(n.t, n.data, (gtr_fit_desc){ .epochs = 1, .batch = BATCH, .silent = true }), GTR_OK);
    EXPECT(state_of(&n, before) && state_of(&n, before) == state_of(&m, after)
        && !memcmp(before, after, state_of(&n, before)));
    /* the checkpoint is gone, so that a fit begins anew; what was kept of it is there */
    EXPECT_EQ(rename(path_of("run"), path_of("elsewhere")), 0);
    net anew = build(&cases[4]);
    gtr_fit_desc first = f;
    first.epochs = 1; first.validation = anew.held;
    EXPECT_EQ(gtr_fit(anew.t, anew.data, first), GTR_OK);
    EXPECT_EQ(step_of("run"), EPOCH);
    gtr_destroy(anew.ctx);
    EXPECT_EQ(unlink(path_of("run.7")), 0);
    EXPECT_EQ(rename(path_of("elsewhere"), path_of("run")), 0);
    /* refusals, before anything is done */
    f.batch = 8;
    EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_ERR_STATE);
    EXPECT_ERROR(m.ctx, GTR_ERR_STATE, "batch 16");
    f.batch = BATCH;
    for (k = 0; k < 7; k++) {
        gtr_fit_desc bad = f;
        if (k == 0) bad.checkpoint = NULL;
        if (k == 1) bad.checkpoint = "";
        if (k == 2) bad.checkpoint_steps = -1;
        if (k == 3) bad.checkpoint_seconds = NAN;
        if (k == 4) bad.checkpoint_epochs = -1;
        if (k == 5) bad.keep_last = 31;
        if (k == 6) bad.keep_last = -1;
        EXPECT_EQ(gtr_fit(m.t, m.data, bad), GTR_ERR_ARG);
        EXPECT_ERROR(m.ctx, GTR_ERR_ARG, k < 5 ? "checkpoint" : "keep_last is ");
    }
    gtr_linear(m.x, "fc1", 3);      /* an error that is kept */
    EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_ERR_ARG);
    EXPECT_ERROR(m.ctx, GTR_ERR_ARG, "fc1.weight");
    EXPECT(all_of(&n, before) && state_of(&m, after) && !memcmp(before, after, state_of(&n, before)));
    /* by time: all that takes no time is due at each step; a folder that is not there ends the fit */
    f.checkpoint_epochs = 0; f.checkpoint_seconds = 1e-9; f.keep_last = 30; f.resume = false; f.epochs = 1;
    EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_OK);
    EXPECT_EQ(files(), 2 + EPOCH + 2);
    f.checkpoint = gone;
    const int64_t steps = gtr_trainer_report(m.t).step;
    EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_ERR_IO);
    EXPECT_ERROR(m.ctx, GTR_ERR_IO, "/no/.: ");
    EXPECT_EQ(gtr_trainer_report(m.t).step, steps);         /* before any training */
    gone[strlen(gone) - 4] = 0;                             /* /no leads nowhere */
    EXPECT_EQ(symlink("nowhere/run", gone), 0);
    EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_ERR_IO);
    EXPECT_ERROR(m.ctx, GTR_ERR_IO, "nowhere/.: ");
    unlink(gone);
    /* a folder, and a name that is as long as may be, beside which nothing of a longer one can be made */
    f.checkpoint = folder;
    EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_ERR_IO);
    EXPECT_ERROR(m.ctx, GTR_ERR_IO, "is there, but not a regular file");
    snprintf(gone, sizeof gone, "%s/%0250d", folder, 0);
    f.checkpoint = gone;
    EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_ERR_IO);
    EXPECT_ERROR(m.ctx, GTR_ERR_IO, "making a file beside it failed");
    EXPECT_EQ(gtr_trainer_report(m.t).step, steps);
    tried_before(&m, f);
    EXPECT_EQ(gtr_trainer_report(m.t).step, steps);
    snprintf(gone, sizeof gone, "%s/%0240d", folder, 0);    /* with room for one suffix, not for two */
    f.keep_best = true; f.keep_last = 2;
    const gtr_result r = gtr_fit(m.t, m.data, f);
    CHECK(r == GTR_OK || (r == GTR_ERR_IO && gtr_trainer_report(m.t).step == steps), "a long name's .best after %d "
        "steps: %s", (int)(gtr_trainer_report(m.t).step - steps), gtr_error_text(m.ctx));
    gtr_error_clear(m.ctx);
    unlink(gone);
    for (k = 0; k <= steps + EPOCH; k++) {
        snprintf(last, sizeof last, k ? "%s.%d" : "%s.best", gone, k);
        unlink(last);
    }
    snprintf(gone, sizeof gone, "%s/%0250d", folder, 0);
    /* one that was finished is only read */
    snprintf(last, sizeof last, "%s/run", folder);
    f.checkpoint = last; f.keep_last = 0; f.keep_best = false;
    EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_OK);
    EXPECT_EQ(rename(last, gone), 0);
    f.checkpoint = gone; f.resume = true;
    EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_OK);
    f.epochs = 2;
    EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_ERR_IO);
    EXPECT_ERROR(m.ctx, GTR_ERR_IO, "making a file beside it failed");
    unlink(gone);
    put_away();
    EXPECT_EQ(files(), 0);
    gtr_destroy(n.ctx);
    gtr_destroy(m.ctx);
}
/* From the callback the fit's own state is saved, too; a load there is refused. */
static float epoch_loss;
static bool saves(const gtr_progress *p)
{
    if (p->step == 2 * CUT) epoch_loss = p->loss;
    if (!p->user) return true;
    if (p->step == CUT) EXPECT_EQ(gtr_checkpoint_save(p->trainer, (const char *)p->user), GTR_OK);
    if (p->step == CUT) EXPECT_EQ(gtr_checkpoint_load(p->trainer, (const char *)p->user), GTR_ERR_STATE);
    return true;
}
static void called_inside(void)
{
    static char run[600];
    net n = build(&cases[13]), m = build(&cases[13]), o = build(&cases[13]);
    gtr_fit_desc f;
    memset(&f, 0, sizeof f);
    snprintf(run, sizeof run, "%s", path_of("run"));
    f.epochs = 1; f.batch = 4; f.silent = true; f.callback_every = CUT; f.callback = saves; f.callback_user = run;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_ERR_STATE);
    EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "gtr_checkpoint_load in the callback of gtr_fit");
    f.callback_user = NULL;
    EXPECT_EQ(gtr_fit(o.t, o.data, f), GTR_OK);
    const float loss = epoch_loss;
    f.checkpoint = run; f.resume = true;
    EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_OK);
    CHECK(loss == epoch_loss, "the epoch's mean is %g, and %g where it was cut", loss, epoch_loss);
    const size_t bytes = all_of(&o, before);
    EXPECT(all_of(&m, after) == bytes && !memcmp(before, after, bytes));
    /* a loop's checkpoint: the fit begins there, in mid-epoch */
    gtr_destroy(n.ctx); gtr_destroy(o.ctx);
    n = build(&cases[3]); o = build(&cases[3]);
    steps(&n, 5);
    steps(&o, 5);
    EXPECT_EQ(gtr_checkpoint_save(n.t, run), GTR_OK);
    gtr_destroy(n.ctx);
    n = build(&cases[3]);
    f.callback = NULL; f.callback_every = 0; f.batch = BATCH;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
    f.checkpoint = NULL; f.resume = false;
    EXPECT_EQ(gtr_fit(o.t, o.data, f), GTR_OK);
    EXPECT_EQ(gtr_trainer_report(n.t).step, 2 * EPOCH);
    const size_t again = all_of(&o, before);
    EXPECT(all_of(&n, after) == again && !memcmp(before, after, again));
    unlink(run);
    gtr_destroy(n.ctx); gtr_destroy(m.ctx); gtr_destroy(o.ctx);
}
/* A fit that its callback ends at an epoch's end, before or behind the validation: this is done once. */
static bool ends_there(const gtr_progress *p) { return p->step != *(const int *)p->user; }
static void ends_of_epochs(void)
{
    static const int never = 0, there = EPOCH;
    for (int every = 0; every <= EPOCH; every += EPOCH) {
        net n = build(&cases[8]), m = build(&cases[8]), o = build(&cases[8]);
        gtr_fit_desc f;
        char run[600];
        memset(&f, 0, sizeof f);
        snprintf(run, sizeof run, "%s/run", folder);
        f.epochs = 3; f.batch = BATCH; f.silent = true; f.callback = ends_there; f.callback_every = every;
        f.callback_user = (void *)(uintptr_t)&never; f.validation = n.held;
        EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
        f.callback_user = (void *)(uintptr_t)&there; f.validation = m.held; f.checkpoint = run;
        EXPECT_EQ(gtr_fit(m.t, m.data, f), GTR_OK);
        EXPECT_EQ(gtr_trainer_report(m.t).step, EPOCH);
        f.callback_user = (void *)(uintptr_t)&never; f.validation = o.held; f.resume = true;
        EXPECT_EQ(gtr_fit(o.t, o.data, f), GTR_OK);
        const size_t bytes = all_of(&n, before);
        CHECK(all_of(&o, after) == bytes && !memcmp(before, after, bytes), "callbacks every %d steps: states differ",
            every);
        EXPECT_OK(o.ctx);
        unlink(run);
        gtr_destroy(n.ctx); gtr_destroy(m.ctx); gtr_destroy(o.ctx);
    }
}
/* A rate that the program has changed is the program's; one that the run has changed is the run's. */
static void rates(void)
{
    gtr_trainer_desc d = cases[3].d;
    net n = build(&cases[3]);
    d.lr *= 2;
    net m = build_in(desc0(), PLAIN, d, 24);
    EXPECT_EQ(gtr_trainer_lr(n.t, 1e-2f), GTR_OK);
    steps(&n, 2);
    const size_t size = gtr_checkpoint_bytes(n.t);
    EXPECT_EQ(gtr_checkpoint_get(n.t, parts.file, size), GTR_OK);
    gtr_trainer_lr(m.t, 0.5f);
    EXPECT_EQ(gtr_checkpoint_set(m.t, parts.file, size), GTR_OK);
    steps(&m, 1);
    EXPECT(gtr_trainer_report(m.t).lr == d.lr);
    EXPECT_EQ(gtr_trainer_lr(n.t, 0), GTR_OK);
    EXPECT_EQ(gtr_checkpoint_set(n.t, parts.file, size), GTR_OK);
    steps(&n, 1);
    EXPECT(gtr_trainer_report(n.t).lr == 1e-2f);
    gtr_destroy(n.ctx);
    gtr_destroy(m.ctx);
}
/* Back from a step that was not finite, with steps behind it that were queued. */
static void nonfinite(void)
{
    static unsigned char file[ROOM];
    net n = build(&cases[8]), m = build(&cases[8]);
    steps(&n, 9);
    steps(&m, 4);
    const size_t size = gtr_checkpoint_bytes(m.t);
    EXPECT_EQ(gtr_checkpoint_get(m.t, file, size), GTR_OK);
    EXPECT_EQ(gtr_trainer_lr(m.t, 1e38f), GTR_OK);
    gtr_result r = GTR_OK;
    for (int i = 0; i < 5 && !r; i++) r = gtr_step(m.t);
    if (!r) r = gtr_wait(m.ctx);
    EXPECT_EQ(r, GTR_ERR_NONFINITE);
    EXPECT_EQ(gtr_checkpoint_save(m.t, path_of("run")), GTR_ERR_NONFINITE);     /* it replaces no good one */
    EXPECT_EQ(gtr_checkpoint_set(m.t, file, size), GTR_OK);
    EXPECT_ERROR(m.ctx, GTR_ERR_NONFINITE, "");
    EXPECT_EQ(files(), 0);
    steps(&m, 5);
    const size_t bytes = all_of(&n, before);
    EXPECT(all_of(&m, after) == bytes && !memcmp(before, after, bytes));
    gtr_destroy(n.ctx);
    gtr_destroy(m.ctx);
}
/* Two trainers over one network, each of some layers: a checkpoint each. */
static void pair_of(gtr_trainer **t, net *n, gtr_dataset **data)
{
    for (int k = 0; k < 2; k++) {
        gtr_group other;
        gtr_trainer_desc d;
        memset(&d, 0, sizeof d); memset(&other, 0, sizeof other);
        other.pattern = k ? "fc1.*" : "fc3.*"; other.frozen = true;
        d.optimizer = k ? GTR_SGD : GTR_ADAM; d.momentum = k ? 0.9f : 0; d.groups = &other; d.n_groups = 1;
        t[k] = gtr_trainer_create(n->loss, d);
        data[k] = points(n->ctx, k ? 64 : ROWS);
    }
}
static void two_trainers(void)
{
    net n[2];
    gtr_trainer *t[2][2];
    gtr_dataset *data[2][2];
    static unsigned char file[2][ROOM], end[2][2][ROOM];
    size_t size[2];
    int i, k, who;
    for (who = 0; who < 2; who++) {
        n[who] = build(&cases[4]);
        pair_of(t[who], &n[who], data[who]);
        for (k = 0; k < 2 && who; k++) EXPECT_EQ(gtr_checkpoint_set(t[1][k], file[k], size[k]), GTR_OK);
        for (k = 0; k < 2; k++) EXPECT_EQ(gtr_trainer_data(t[who][k], data[who][k], BATCH, true, false), GTR_OK);
        for (i = who ? 5 : 0; i < 12; i++) {
            for (k = 0; k < 2 && i == 5 && !who; k++) {
                size[k] = gtr_checkpoint_bytes(t[0][k]);
                EXPECT_EQ(gtr_checkpoint_get(t[0][k], file[k], size[k]), GTR_OK);
            }
            for (k = 0; k < 2; k++) EXPECT_EQ(gtr_step(t[who][k]), GTR_OK);
        }
        for (k = 0; k < 2; k++) EXPECT_EQ(gtr_checkpoint_get(t[who][k], end[who][k], size[k]), GTR_OK);
        EXPECT_OK(n[who].ctx);
    }
    for (k = 0; k < 2; k++) CHECK(!memcmp(end[0][k], end[1][k], size[k]), "trainer %d has gone elsewhere", k);
    EXPECT_EQ(gtr_checkpoint_set(t[1][0], file[1], size[1]), GTR_ERR_STATE);
    EXPECT_ERROR(n[1].ctx, GTR_ERR_STATE, "GTR_SGD with momentum, this trainer is of GTR_ADAM");
    for (who = 0; who < 2; who++) gtr_destroy(n[who].ctx);
}
/* From one device to the other: values are the same, to the bit. */
static void between_devices(void)
{
    gtr_desc cpu = desc0();
    cpu.device = GTR_DEVICE_CPU;
    for (int which = 8; which < 13; which += 2) {
        const row *r = &cases[which];
        net n = build(r), m = build_in(cpu, r->shape, r->d, 24);
        steps(&n, 6);
        const size_t size = gtr_checkpoint_bytes(n.t), bytes = state_of(&n, before);
        EXPECT_EQ(gtr_checkpoint_get(n.t, parts.file, size), GTR_OK);
        EXPECT_EQ(gtr_checkpoint_set(m.t, parts.file, size), GTR_OK);
        EXPECT(state_of(&m, after) == bytes && !memcmp(before, after, bytes));
        EXPECT_EQ(gtr_checkpoint_get(m.t, whole.file, size), GTR_OK);
        EXPECT_EQ(gtr_checkpoint_set(n.t, whole.file, size), GTR_OK);
        EXPECT(state_of(&n, after) == bytes && !memcmp(before, after, bytes));
        steps(&m, 1);
        EXPECT_OK(n.ctx); EXPECT_OK(m.ctx);
        gtr_destroy(n.ctx);
        gtr_destroy(m.ctx);
    }
}

/* ---- averages are the model ---- */
static net averaged(float ema)
{
    gtr_trainer_desc d;
    memset(&d, 0, sizeof d);
    d.optimizer = GTR_ADAM; d.lr = 5e-3f; d.ema = ema;
    return build_in(desc0(), NORM, d, 24);
}
static gtr_tensor *logits_of(const net *n) { return n->acc->in[0]; }
/* The loss of the held rows as a program has it that knows nothing of averages: from a file, or from a context. */
static float loss_elsewhere(const char *path, gtr_context *from)
{
    net m = averaged(0);
    float loss = 0;
    EXPECT_EQ(path ? gtr_load(m.ctx, path) : gtr_parameters_copy(m.ctx, from), GTR_OK);
    EXPECT_EQ(gtr_evaluate(m.t, m.held, gtr_dataset_rows(m.held), NULL, &loss, NULL), GTR_OK);
    EXPECT_OK(m.ctx);
    gtr_destroy(m.ctx);
    return loss;
}
static float loss_here(net *n)
{
    float loss = 0;
    EXPECT_EQ(gtr_evaluate(n->t, n->held, gtr_dataset_rows(n->held), NULL, &loss, NULL), GTR_OK);
    return loss;
}
static bool saves_itself(const gtr_progress *p)
{
    const float *out = p->epoch_end ? &p->val_loss : NULL;
    const char *path = (const char *)p->user;
    EXPECT_EQ(gtr_save(p->trainer->ctx, path), GTR_OK);
    CHECK(out && loss_elsewhere(path, NULL) == *out, "epoch %d: %g was validated, saved was %g", p->epoch,
        (double)*out, (double)loss_elsewhere(path, NULL));
    return true;
}
/* Predictors p and q (a snapshot) of n give what one of a context gives that has n's model alone. */
static void predicted(net *n, gtr_predictor *p, gtr_predictor *q, const char *what)
{
    static gtr_float out[3][7 * CLASSES];
    net m = averaged(0);
    gtr_predictor *r = gtr_predictor_create(logits_of(&m), 7);
    EXPECT_EQ(gtr_parameters_copy(m.ctx, n->ctx), GTR_OK);
    EXPECT_EQ(gtr_wait(n->ctx), GTR_OK);
    EXPECT_EQ(gtr_predictor_refresh(q), GTR_OK);
    EXPECT_EQ(gtr_predict(p, pool_x, 7, out[0]), GTR_OK);
    EXPECT_EQ(gtr_predict(q, pool_x, 7, out[1]), GTR_OK);
    EXPECT_EQ(gtr_predict(r, pool_x, 7, out[2]), GTR_OK);
    CHECK(!memcmp(out[0], out[2], sizeof *out) && !memcmp(out[1], out[2], sizeof *out),
        "%s: predicted is not what is saved", what);
    gtr_destroy(m.ctx);
}
/* Of one parameter that is loaded its average is the model, beside those of the others, which go on. */
static void some_averages(const char *run, const char *best)
{
    static gtr_float v[5][4096];
    net n = averaged(0.9f), m = averaged(0);
    gtr_tensor *p = n.t->params.tensor[0], *q = n.t->params.tensor[1];
    gtr_load_report r;
    gtr_load_desc d;
    memset(&d, 0, sizeof d);
    d.names = gtr_tensor_name(p); d.report = &r;
    EXPECT_EQ(gtr_checkpoint_load(n.t, run), GTR_OK);
    EXPECT_EQ(gtr_parameters_copy(m.ctx, n.ctx), GTR_OK);
    EXPECT_EQ(gtr_get(gtr_parameter_find(m.ctx, gtr_tensor_name(q)), v[0], gtr__bytes_of(q)), GTR_OK);
    EXPECT_EQ(gtr_get(q, v[1], gtr__bytes_of(q)), GTR_OK);
    EXPECT(memcmp(v[0], v[1], gtr__bytes_of(q)) != 0);     /* averages and weights differ */
    EXPECT_EQ(gtr_load_ex(n.ctx, best, d), GTR_OK);
    EXPECT(r.loaded == 1 && !r.missing && !r.wrong);
    EXPECT_EQ(gtr_load(m.ctx, best), GTR_OK);
    EXPECT_EQ(gtr_get(gtr_parameter_find(m.ctx, gtr_tensor_name(p)), v[2], gtr__bytes_of(p)), GTR_OK);
    EXPECT_EQ(gtr_parameters_copy(m.ctx, n.ctx), GTR_OK);
    EXPECT_EQ(gtr_get(gtr_parameter_find(m.ctx, gtr_tensor_name(p)), v[3], gtr__bytes_of(p)), GTR_OK);
    EXPECT_EQ(gtr_get(gtr_parameter_find(m.ctx, gtr_tensor_name(q)), v[4], gtr__bytes_of(q)), GTR_OK);
    EXPECT(!memcmp(v[2], v[3], gtr__bytes_of(p)) && !memcmp(v[0], v[4], gtr__bytes_of(q)));
    EXPECT_EQ(gtr_get(q, v[4], gtr__bytes_of(q)), GTR_OK);
    EXPECT(!memcmp(v[1], v[4], gtr__bytes_of(q)));
    EXPECT_OK(n.ctx); EXPECT_OK(m.ctx);
    gtr_destroy(n.ctx);
    gtr_destroy(m.ctx);
}
/* What is saved, predicted, copied, and loaded from a checkpoint is what was validated; also in a callback, and where
   the trainer is gone. What is set from outside is the model then. */
static void averages_are_the_model(void)
{
    static gtr_float w[4096], at[4096], a[4096];
    char saved[600], run[600], best[640];
    net n = averaged(0.9f), o;
    gtr_fit_desc f;
    gtr_tensor *p = n.t->params.tensor[0];
    gtr_predictor_desc d;
    snprintf(saved, sizeof saved, "%s", path_of("saved")); snprintf(run, sizeof run, "%s", path_of("run"));
    snprintf(best, sizeof best, "%s.best", run);
    memset(&f, 0, sizeof f); memset(&d, 0, sizeof d);
    d.out[0] = logits_of(&n); d.max_rows = 7; d.snapshot = true;
    gtr_predictor *live = gtr_predictor_create(logits_of(&n), 7), *held = gtr_predictor_create_ex(n.ctx, d);
    const float begun = loss_here(&n);
    EXPECT(loss_elsewhere(NULL, n.ctx) == begun);
    predicted(&n, live, held, "before a step");
    f.epochs = 3; f.batch = BATCH; f.silent = true; f.validation = n.held; f.callback = saves_itself;
    f.callback_user = saved; f.checkpoint = run; f.keep_best = true;
    EXPECT_EQ(gtr_fit(n.t, n.data, f), GTR_OK);
    const float loss = loss_here(&n);
    EXPECT(loss != begun && gtr_fit_ended(n.t).best < begun);
    EXPECT_EQ(gtr_save(n.ctx, saved), GTR_OK);
    EXPECT(loss_elsewhere(saved, NULL) == loss && loss_elsewhere(NULL, n.ctx) == loss);
    EXPECT(loss_elsewhere(run, NULL) == loss && loss_elsewhere(best, NULL) == gtr_fit_ended(n.t).best);
    predicted(&n, live, held, "after a fit");
    EXPECT_EQ(gtr_get(p, w, gtr__bytes_of(p)), GTR_OK);        /* the weights are what is trained on */
    EXPECT_EQ(gtr_average_swap(n.t), GTR_OK);
    EXPECT_EQ(gtr_get(p, a, gtr__bytes_of(p)), GTR_OK);
    EXPECT(memcmp(a, w, gtr__bytes_of(p)) != 0 && loss_here(&n) == loss && loss_elsewhere(NULL, n.ctx) == loss);
    predicted(&n, live, held, "swapped");
    EXPECT_EQ(gtr_average_swap(n.t), GTR_OK);
    predicted(&n, live, held, "swapped back");
    /* a fit that had ended is resumed, and does nothing */
    o = averaged(0.9f);
    f.resume = true; f.validation = o.held;
    EXPECT_EQ(gtr_fit(o.t, o.data, f), GTR_OK);
    EXPECT(loss_here(&o) == loss && loss_elsewhere(NULL, o.ctx) == loss);
    EXPECT_EQ(gtr_get(o.t->params.tensor[0], at, gtr__bytes_of(p)), GTR_OK);
    EXPECT(!memcmp(at, w, gtr__bytes_of(p)));
    gtr_trainer_destroy(o.t);
    EXPECT(loss_elsewhere(NULL, o.ctx) == loss);
    EXPECT_EQ(gtr_get(gtr_parameter_find(o.ctx, gtr_tensor_name(p)), at, gtr__bytes_of(p)), GTR_OK);
    EXPECT(!memcmp(at, a, gtr__bytes_of(p)));
    gtr_destroy(o.ctx);
    /* one that trains without averages has the last word */
    gtr_trainer_desc plain;
    memset(&plain, 0, sizeof plain);
    gtr_trainer *t = gtr_trainer_create(n.loss, plain);
    EXPECT_EQ(gtr_trainer_data(t, n.data, BATCH, true, false), GTR_OK);
    EXPECT_EQ(gtr_step(t), GTR_OK);
    EXPECT_EQ(gtr_save(n.ctx, saved), GTR_OK);
    net m = averaged(0);
    EXPECT_EQ(gtr_load(m.ctx, saved), GTR_OK);
    EXPECT_EQ(gtr_get(p, w, gtr__bytes_of(p)), GTR_OK);
    EXPECT_EQ(gtr_get(m.t->params.tensor[0], at, gtr__bytes_of(p)), GTR_OK);
    EXPECT(!memcmp(at, w, gtr__bytes_of(p)));
    predicted(&n, live, held, "after another trainer");
    gtr_trainer_destroy(t);
    predicted(&n, live, held, "and without it");
    /* what is loaded or set is the model, to whoever evaluates */
    EXPECT_EQ(gtr_load(n.ctx, best), GTR_OK);
    EXPECT(loss_here(&n) == gtr_fit_ended(n.t).best && loss_elsewhere(NULL, n.ctx) == loss_here(&n));
    some_averages(run, best);
    EXPECT_EQ(gtr_trainer_data(n.t, n.data, BATCH, true, false), GTR_OK);
    for (int k = 0; k < 3; k++) EXPECT_EQ(gtr_step(n.t), GTR_OK);
    for (int i = 0; i < 4096; i++) w[i] = 0.01f * (gtr_float)(i % 17);
    EXPECT_EQ(gtr_set(p, w, gtr__bytes_of(p)), GTR_OK);
    EXPECT(loss_elsewhere(NULL, n.ctx) == loss_here(&n));
    EXPECT_EQ(gtr_save(n.ctx, saved), GTR_OK);
    EXPECT_EQ(gtr_load(m.ctx, saved), GTR_OK);
    EXPECT_EQ(gtr_get(m.t->params.tensor[0], at, gtr__bytes_of(p)), GTR_OK);
    EXPECT(!memcmp(at, w, gtr__bytes_of(p)));
    predicted(&n, live, held, "after gtr_set");
    if (!few()) EXPECT(gtr_profile(n.t, false)[0] != 0 && loss_elsewhere(NULL, n.ctx) == loss_here(&n));
    EXPECT_OK(n.ctx); EXPECT_OK(m.ctx);
    unlink(saved); unlink(run); unlink(best);
    gtr_destroy(n.ctx); gtr_destroy(m.ctx);
}

static void all(void)
{
    RUN(new_process);
    RUN(each_step);
    RUN(patience_over);
    RUN(another_rate);
    RUN(others);
    RUN(flipped);
    RUN(by_name);
    RUN(older);
    RUN(mutants);
    RUN(failing_copies);
    RUN(failing_allocations);
    RUN(states_set);
    RUN(parameters_copied);
    RUN(kept);
    RUN(called_inside);
    RUN(ends_of_epochs);
    RUN(rates);
    RUN(nonfinite);
    RUN(two_trainers);
    RUN(between_devices);
    RUN(averages_are_the_model);
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
