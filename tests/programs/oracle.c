/* What the library plans and computes, a line each, so that the lines of two revisions say whether a change between
   them changed anything: `sh tests/oracle.sh OLD` builds this program with either and compares.
   usage: oracle [option...] [part[:case]...]     a case: how its name begins; without, all of all parts
     plans      gtr_plan_text of networks at their true batches, for each preset in each precision, and of the graphs'
                trainers; on a GPU the device's own plans, too, which alone have its matchers
     networks   those networks trained, by gtr_fit over a data set (fit) and by gtr_set and gtr_step (step): hashes of
                all that they leave
     graphs     the scripts of fixtures/graphs.bin (GTR_GRAPHS: another file): a hash of all values that they compute
   Options:
     --full     networks at their true sizes and batches, for a GPU; else small ones (GTR_ORACLE_BATCH: the most rows)
     --steps N  of each training, 4 to 20, even; else 20
     --micro N  networks in so many micro-batches, where a batch has as many rows (GTR_ORACLE_BATCH)
     --hash     plans as hashes
     --each     each value of a graph in a line of its own
     --shard 2/3   the second third of the cases
     --cpu      on the CPU, though there is a GPU
   A line is the part, the case, the precision and what is to be the same, an error's text included. With
   -DGPUTRAIN_CUDA it is linked with gputrain_cuda.o, and runs on the GPU if there is one. Run from the top folder. */
#define GPUTRAIN_IMPLEMENTATION
#define SCRIPTS_ONLY
#include "test_torch.c"
#include "../bench/network.h"
#include "hash.h"

enum { MOST_STEPS = 20, SMALL_ROWS = 8, FEW_ROWS = 3 };
static struct { int steps, micro, shard, shards; bool full, hash, each; char **wanted; int n_wanted; } options =
    { .steps = MOST_STEPS, .shard = 1, .shards = 1 };
static int at_case;

/* Whether a case is asked for, and of this shard. */
static bool wanted(const char *part, const char *name)
{
    const size_t length = strlen(part);
    bool found = !options.n_wanted;
    int i;
    for (i = 0; i < options.n_wanted; i++) {
        const char *w = options.wanted[i];
        if (strncmp(w, part, length) || (w[length] && w[length] != ':')) continue;
        found = found || !w[length] || !strncmp(w + length + 1, name, strlen(w + length + 1));
    }
    return found && at_case++ % options.shards == options.shard - 1;
}
static void print_hash(const char *what, uint64_t h) { printf(" %s%016llx", what, (unsigned long long)h); }
/* " error: TEXT" of all that failed since it was "". */
static char said[1200];
static void say(const char *what, const char *text)
{
    char *at = said + strlen(said);
    snprintf(at, sizeof said - (size_t)(at - said), " error: %s%s%s", what, *what ? ": " : "", text);
    while ((at = strchr(at, '\n')) != NULL) *at = ' ';
}
static void say_error(gtr_context *ctx)
{
    if (gtr_error(ctx)) say("", gtr_error_text(ctx));
    gtr_error_clear(ctx);
}
static void report_failure(state *c, const char *text)
{
    say(c->line, text);
    gtr_error_clear(c->ctx);
}

/* --- networks */
/* A network to be planned or trained: a row of the benchmark's, or a script whose last tensor is the loss, and the one
   before it the prediction. */
typedef struct subject { char name[48]; workload w; const char *script; gtr_trainer_desc how; } subject;
#define BLOCK(middle, end) \
    "input 1 0 0 3 -1 16 64\nids 10 0 -100 2 1 -1\nlayer_norm 0 1 1e-5 11\nlinear 2 64 1 12\nlinear 2 64 1 14\n" \
    "linear 2 64 1 16\nreshape 3 4 -1 16 4 16\npermute 6 4 0 2 1 3\nreshape 4 4 -1 16 4 16\npermute 8 4 0 2 1 3\n" \
    "reshape 5 4 -1 16 4 16\npermute 10 4 0 2 1 3\nmatmul 7 0 9 1\nscale 12 0.25 0\nsoftmax 13 -1\n" \
    "dropout 14 0.1 1\nmatmul 15 0 11 0\npermute 16 4 0 2 1 3\nreshape 17 3 -1 16 64\nlinear 18 64 1 18\nadd 0 19\n" \
    middle "rms_norm 20 1 1e-5 20\nlinear 21 256 1 21\ngelu_tanh 22\nlinear 23 64 1 23\n" end \
    "add 20 24\nmean 25 0 1 1\nlinear 26 10 1 25\ncross_entropy 27 1 0.1 -100\n"
#define PICTURES \
    "input 1 0 0 4 -1 3 16 16\ninput 2 0 0 2 -1 5\nconv 0 16 3 5 1 1 1 2 1 1 1 1 0 0 0 31\ngroup_norm 2 4 1e-5 33\n" \
    "silu 3\nmax_pool 4 3 3 2 2 1 1 1 1 0\nconv 5 32 3 3 1 1 2 2 2 2 2 0 0 0 0 35\ninstance_norm 6 1e-5 37\n" \
    "prelu 7 1 38\ndropout2d 8 0.2\navg_pool 9 2 2 2 2 0 0 0 1\nconv 10 16 3 3 2 2 1 1 1 1 1 1 1 1 1 39\n" \
    "upsample 11 2 1\npixel_shuffle 12 2\npad 13 2 1 0 1 1 1 1\nadaptive_pool 14 2 2\nflatten 15\nlinear 16 5 1 41\n" \
    "mse 17 1\n"
static const gtr_group groups[] = { { "fc1.*", 0.5f, 0, false }, { "*.bias", 0, GTR_ZERO, false },
    { "fc2.weight", 0, 0, true } };
#define ADAMW  .optimizer = GTR_ADAMW
/* What the benchmark's rows have not. */
static const subject extras[] = {
    { "adamw-cosine-clip", { .network = SMALL, .batch = 128 }, .how = { ADAMW, .clip_norm = 1, .schedule = GTR_COSINE,
        .warmup_steps = 4, .total_steps = 18 } },
    { "lion-averages", { .network = SMALL, .batch = 128 },
        .how = { .optimizer = GTR_LION, .weight_decay = 0.1f, .ema = 0.9f } },
    { "rmsprop-decay", { .network = SMALL, .batch = 128 }, .how = { .optimizer = GTR_RMSPROP, .momentum = 0.5f,
        .weight_decay = 1e-3f, .schedule = GTR_STEP_DECAY, .decay_steps = 7 } },
    { "nesterov-groups", { .network = SMALL, .batch = 128 }, .how = { .momentum = 0.9f, .nesterov = true,
        .weight_decay = 1e-4f, .groups = groups, .n_groups = 3 } },
    { "sgd-one-cycle", { .network = SMALL, .batch = 128 }, .how = { .schedule = GTR_ONE_CYCLE, .total_steps = 20 } },
    { "op-by-op", { .network = SMALL, .batch = 128 }, .how = { .no_matchers = true } },
    { "micro-batches", { .network = RES_BN }, .how = { .momentum = 0.9f, .micro_batches = 2, .clip_norm = 1 } },
    { "micro-images", { .network = RESNET8 }, .how = { ADAMW, .micro_batches = 2 } },
    { "micro-many", { .batch = 30 }, BLOCK("recompute 1\n", "recompute 0\n"), { ADAMW, .micro_batches = 7 } },
    { "streams", { .network = TWO_HEADS }, .how = { ADAMW, .streams = 3, .no_matchers = true } },
    { "field-averages", { .network = FIELD_GELU }, .how = { ADAMW, .ema = 0.99f } },
    { "block", { .batch = 24 }, BLOCK("", ""), { ADAMW } },
    { "block-recomputed", { .batch = 24 }, BLOCK("recompute 1\n", "recompute 0\n"), { ADAMW } },
    { "block-stages", { .batch = 24 }, BLOCK("stage 1\n", ""), { ADAMW, .micro_batches = 3 } },
    { "pictures", { .batch = 12 }, PICTURES, { .momentum = 0.9f } },
    { "element-wise", { .batch = 40 }, "", { .momentum = 0.9f } },       /* element_wise() */
};
enum { EXTRAS = sizeof extras / sizeof *extras };
/* A script: all element-wise ops of what lies between 0 and 1, added. */
#define NAME(ID, name, ...) #name,
static const char *element_wise(void)
{
    static const char *const unary[] = { UNARY_TESTS(NAME) }, *const binary[] = { PUBLIC_BINARY_TESTS(NAME) };
    enum { UNARY = sizeof unary / sizeof *unary, ALL = UNARY + sizeof binary / sizeof *binary };
    static char text[4096];
    int n = snprintf(text, sizeof text, "input 1 -2 0.5 2 -1 12\nlinear 0 12 1 5\nsigmoid 1\n"), k;
    for (k = 0; k < ALL; k++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s 2%s\nadd %d %d\n",
            k < UNARY ? unary[k] : binary[k - UNARY], k < UNARY ? "" : " 0", 2 * k + 2, 2 * k + 3);
    snprintf(text + n, sizeof text - (size_t)n, "mean %d 0 0\n", 2 * k + 2);
    return text;
}
/* The rows of the table whose network no row before has, then the extras; false behind the last. */
static bool subject_at(int k, subject *s)
{
    int i, j;
    for (i = 0; i < ROWS; i++) {
        for (j = 0; strcmp(table[j].network, table[i].network); j++) { }
        if (j < i || k--) continue;
        memset(s, 0, sizeof *s);
        s->w = table[i];
        s->how = trainer_of(&s->w, GTR_FP32);
        snprintf(s->name, sizeof s->name, "%s", s->w.name);
        for (j = 0; j < 4; j++) {       /* rows' names may end in a precision */
            char *end = strrchr(s->name, '-');
            if (end && !strcmp(end + 1, precisions[j].name)) *end = 0;
        }
        return true;
    }
    if (k >= EXTRAS) return false;
    *s = extras[k];
    if (s->script && !*s->script) s->script = element_wise();
    return true;
}
/* The network with images of 12 x 12 and at most 96 channels, without images with 512 features for more than 1024, with
   attention of 24 steps; as it is where it gives shapes that would not fit. */
static const char *small_network(const char *network)
{
    static const char *const sized[] = { "floats:", "bytes:", "bits:", "labels:", "linear:", "conv:", "conv_no_bias:",
        "conv_transpose:", "tokens:" };
    static char out[4096];
    const bool images = strstr(network, "conv") != NULL;
    const bool attends = strstr(network, "block:") || strstr(network, "attention:");
    size_t n = 0;
    int i, k, args, v[5];
    if (options.full || strstr(network, "reshape:")) return network;
    for (; *network; network += strcspn(network, " "), network += strspn(network, " ")) {
        for (i = 0; i < 9 && strncmp(sized[i], network, strlen(sized[i]));) i++;
        if (i == 9) {
            n += (size_t)snprintf(out + n, sizeof out - n, "%.*s ", (int)strcspn(network, " "), network);
            continue;
        }
        args = sscanf(network + strlen(sized[i]), "%d,%d,%d,%d,%d", &v[0], &v[1], &v[2], &v[3], &v[4]);
        n += (size_t)snprintf(out + n, sizeof out - n, "%s", sized[i]);
        for (k = 0; k < args; k++) {
            if (attends) v[k] = !k && args == 2 && v[k] > 24 ? 24 : v[k];
            else if (i < 3 && args == 3 && k) v[k] = v[k] < 12 ? v[k] : 12;
            else if (!k || k == 4) v[k] = images ? v[k] < 96 ? v[k] : 96 : v[k] > 1024 ? 512 : v[k];
            n += (size_t)snprintf(out + n, sizeof out - n, "%d%c", v[k], k + 1 < args ? ',' : ' ');
        }
    }
    return out;
}
static int64_t rows_of(const subject *s)
{
    const char *most = getenv("GTR_ORACLE_BATCH");
    const bool images = s->script || strstr(s->w.network, "conv");
    int64_t rows = most ? atoll(most) : images ? FEW_ROWS : SMALL_ROWS, parts = s->how.micro_batches;
    if (options.micro) parts = options.micro;
    rows = rows < 2 * parts - 1 ? 2 * parts - 1 : rows; /* of two sizes */
    return options.full || s->w.batch < rows ? s->w.batch : rows;
}
/* One that is built. */
typedef struct live {
    gtr_context *ctx;
    gtr_tensor *loss, *scores, *metric, *input[STACK];
    int inputs;
    gtr_trainer *trainer;
    gtr_dataset *data;
    int64_t batch;
} live;
static state built;
static void build_script(const subject *s, int precision, gtr_desc d, live *l, int64_t rows)
{
    static script text;
    int k;
    text.text = s->script;
    text.length = strlen(s->script);
    script_begin(&built, &text, precision, d);
    built.plans = d.preset != GTR_PRESET_NONE;
    while (script_line(&built)) run_line(&built);
    l->ctx = built.ctx;
    l->loss = built.t[built.n - 1];
    l->scores = built.t[built.n - 2];
    l->inputs = built.n_input;
    for (k = 0; k < l->inputs; k++) l->input[k] = built.t[built.input[k]];
    if (rows) l->data = make_data(&built, rows, 0, built.input, built.n_input);
}
/* With data of so many rows, if any. */
static live build(const subject *s, int precision, gtr_desc d, int64_t batch, int64_t rows)
{
    gtr_trainer_desc how = s->how;
    live l;
    int k;
    memset(&l, 0, sizeof l);
    if (s->script) build_script(s, precision, d, &l, rows);
    else {
        workload w = s->w;
        network n;
        w.rows = rows;
        if (rows) w.network = small_network(w.network);
        n = graph_of(&w, d);
        l.ctx = n.ctx;
        l.loss = n.loss;
        l.scores = n.scores;
        l.metric = n.metric;
        l.inputs = n.columns;
        for (k = 0; k < n.columns; k++) l.input[k] = n.column[k].input;
        if (rows) l.data = data_of(&n, &w);
    }
    how.precision = precisions[precision].precision;
    if (options.micro) how.micro_batches = options.micro;
    l.batch = batch;
    l.trainer = gtr_trainer_create(l.loss, how);
    return l;
}

/* A plan's lines, or its hash, each behind what it is of. */
static void print_plan(gtr_context *ctx, gtr_trainer *t, int64_t batch, const char *of)
{
    const char *text = t ? gtr_plan_text(t, batch) : "";
    size_t length;
    say_error(ctx);
    if (said[0] || options.hash) {
        printf("%s", of);
        print_hash("", hash_of(HASH_BEGIN, text, strlen(text)));
        printf("%s\n", said);
    }
    for (; *text && !options.hash; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        printf("%s %.*s\n", of, (int)length, text);
    }
    said[0] = 0;
}
static const char *const presets[] = { "device", "cpu", "sm_75", "sm_87", "sm_90" };      /* by gtr_preset */
static gtr_desc preset_desc(int preset)
{
    gtr_desc d = desc0();
    if (preset) d.device = GTR_DEVICE_AUTO;
    d.preset = (gtr_preset)preset;
    return d;
}
static int first_preset(void) { return device == GTR_DEVICE_CUDA ? GTR_PRESET_NONE : GTR_PRESET_CPU; }
static void plans(void)
{
    subject s;
    int k, preset, p;
    char of[128];
    for (k = 0; subject_at(k, &s); k++) {
        if (!wanted("plans", s.name)) continue;
        for (preset = first_preset(); preset <= GTR_PRESET_SM90; preset++) for (p = 0; p < 4; p++) {
            live l = build(&s, p, preset_desc(preset), s.w.batch, 0);
            snprintf(of, sizeof of, "plans %s %s %s", s.name, presets[preset], precisions[p].name);
            print_plan(l.ctx, l.trainer, l.batch, of);
            gtr_destroy(l.ctx);
        }
    }
}

/* --- training */
static uint64_t bytes_hash(uint64_t h, gtr_tensor *t, int64_t rows)
{
    const gtr_shape s = gtr_tensor_shape(t);
    const size_t n = gtr_tensor_bytes(t) * (size_t)(s.ndim && s.dim[0] < 0 ? rows : 1);
    void *v = malloc(n + 1);
    if (!gtr_get(t, v, n)) h = hash_of(h, v, n);
    free(v);
    return h;
}
static uint64_t parameters_hash(const live *l, bool trainable)
{
    uint64_t h = HASH_BEGIN;
    int64_t i;
    for (i = 0; i < gtr_parameter_count(l->ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(l->ctx, i);
        if (gtr_parameter_trainable(p) == trainable) h = bytes_hash(h, p, 1);
    }
    return h;
}
/* As many states as there are of each parameter, which one that is not there ends. */
static uint64_t states_hash(const live *l)
{
    uint64_t h = HASH_BEGIN;
    int64_t i;
    int which;
    for (i = 0; i < gtr_parameter_count(l->ctx) && !gtr_error(l->ctx); i++) {
        gtr_tensor *p = gtr_parameter_at(l->ctx, i);
        const size_t n = gtr_tensor_bytes(p);
        void *v = malloc(n + 1);
        for (which = 0; !gtr_state_get(l->trainer, p, which, v, n); which++) h = hash_of(h, v, n);
        gtr_error_clear(l->ctx);
        free(v);
    }
    return h;
}
static uint64_t checkpoint_hash(const live *l)
{
    const size_t n = gtr_checkpoint_bytes(l->trainer);
    void *v = malloc(n + 1);
    const uint64_t h = gtr_checkpoint_get(l->trainer, v, n) ? 0 : hash_of(HASH_BEGIN, v, n);
    free(v);
    return h;
}
/* Inputs are rows of the data from this one on. */
static void feed_rows(const live *l, int64_t first, int64_t rows)
{
    int k;
    for (k = 0; k < l->inputs; k++) {
        const size_t n = gtr_tensor_bytes(l->input[k]) * (size_t)rows;
        void *v = malloc(n + 1);
        if (!gtr_dataset_convert(l->data, k, l->input[k], gtr_dataset_row(l->data, k, first), rows, v))
            gtr_set(l->input[k], v, n);
        free(v);
    }
}
/* What is evaluated of a batch, and computed as in training. */
static uint64_t fetched_hash(const live *l)
{
    gtr_tensor *t[3];
    uint64_t h = HASH_BEGIN;
    int training, k, n = 0;
    t[n++] = l->loss;
    t[n++] = l->scores;
    if (l->metric) t[n++] = l->metric;
    feed_rows(l, 0, l->batch);
    for (training = 0; training < 2; training++)
        if (!(training ? gtr_eval_train : gtr_eval)(t, n)) for (k = 0; k < n; k++) h = bytes_hash(h, t[k], l->batch);
    return h;
}
static uint64_t report_hash(uint64_t h, const gtr_report *r)
{
    const int64_t whole[3] = { r->step, r->applied, r->skipped };
    const float real[4] = { r->loss, r->grad_norm, r->lr, r->loss_scale };
    return hash_of(hash_of(h, whole, sizeof whole), real, sizeof real);
}
static uint64_t train_by_fit(const live *l)
{
    gtr_report history[MOST_STEPS];
    gtr_fit_desc fit;
    uint64_t h = HASH_BEGIN;
    float value[2] = { 0, 0 };
    int k;
    memset(&fit, 0, sizeof fit);
    memset(history, 0, sizeof history);
    fit.epochs = 2;
    fit.batch = l->batch;
    fit.validation = l->data;
    fit.metric = l->metric;
    fit.silent = true;
    fit.history = history;
    fit.history_size = options.steps;
    if (gtr_fit(l->trainer, l->data, fit)) return 0;
    for (k = 0; k < options.steps; k++) h = report_hash(h, &history[k]);
    gtr_evaluate(l->trainer, l->data, l->batch, l->metric, &value[0], &value[1]);
    return hash_of(h, value, sizeof value);
}
/* Steps are queued one behind the other, but for two losses that are waited for; one has fewer rows. */
static uint64_t train_by_steps(const live *l, int64_t tail)
{
    const int half = options.steps / 2;
    uint64_t h = HASH_BEGIN;
    gtr_report r;
    int k;
    for (k = 0; k < options.steps; k++) {
        feed_rows(l, k % (half - 1) * l->batch, k == half + 1 ? tail : l->batch);
        if (gtr_step(l->trainer)) return 0;
        if (k % half != half - 1) continue;
        gtr_loss(l->trainer);
        gtr_wait(l->ctx);
        r = gtr_trainer_report(l->trainer);
        h = report_hash(h, &r);
    }
    return h;
}
static void train(const subject *s, int precision, bool by_fit)
{
    const int64_t batch = rows_of(s), tail = batch / 2 > 2 ? batch / 2 : 2;
    live l = build(s, precision, desc0(), batch, (options.steps / 2 - 1) * batch + tail);
    char of[128];
    snprintf(of, sizeof of, "networks %s %s %s", s->name, precisions[precision].name, by_fit ? "fit" : "step");
    printf("%s", of);
    if (l.trainer && l.data) {
        const uint64_t reports = by_fit ? train_by_fit(&l) : train_by_steps(&l, tail);
        say_error(l.ctx);
        printf(" loss=%.9g", (double)gtr_loss(l.trainer));
        print_hash("reports=", reports);
        print_hash("parameters=", parameters_hash(&l, true));
        print_hash("buffers=", parameters_hash(&l, false));
        print_hash("states=", states_hash(&l));
        print_hash("checkpoint=", checkpoint_hash(&l));
        print_hash("fetched=", fetched_hash(&l));
    }
    say_error(l.ctx);
    printf("%s\n", said);
    said[0] = 0;
    gtr_destroy(l.ctx);
}
static void networks(void)
{
    subject s;
    int k, p;
    for (k = 0; subject_at(k, &s); k++) {
        if (!wanted("networks", s.name)) continue;
        for (p = 0; p < 4; p++) { train(&s, p, true); train(&s, p, false); fflush(stdout); }
    }
}

/* --- graphs */
static char graph[64];
static uint64_t values_hash;
static int n_values;
static void compare(state *c, const char *what, const void *values)
{
    const size_t n = (size_t)next_count(c) * 4;
    const uint64_t h = values ? hash_of(HASH_BEGIN, values, n) : 0;
    if (c->over) return;
    if (!c->left) { failed(c, "%s: no check is left", what); c->over = true; return; }
    pass_over(c);
    if (!n) return;
    if (!values) failed(c, "%s: %s", what, gtr_error_text(c->ctx));
    if (options.each) { printf("%s %d %s", graph, n_values, what); print_hash("", h); putchar('\n'); }
    values_hash = hash_of(values_hash, &h, sizeof h);
    n_values++;
}
static void compute_graph(const script *s, int precision)
{
    snprintf(graph, sizeof graph, "graphs %u %s", s->seed, precisions[precision].name);
    values_hash = HASH_BEGIN;
    n_values = 0;
    script_begin(&built, s, precision, desc0());
    run_script(&built);
    printf("%s", graph);
    print_hash("", values_hash);
    printf(" of %d values%s\n", n_values, said);
    said[0] = 0;
}
/* Of each trainer of a script at the batch of its first run, which is not done. */
static void plan_graph(const script *s, int preset)
{
    static const struct { const char *name; int batch; } runs[] = { { "step", 2 }, { "halves", 2 }, { "fit", 4 },
        { "data", 4 }, { "eval", 0 }, { "evaluate", 0 }, { "params", 0 }, { "states", 0 }, { "predict", 0 },
        { "lr", 0 } };
    const int precision = (int)((s->seed + (uint32_t)preset) % 4);
    bool planned[4] = { false };
    char of[128];
    int i, k;
    script_begin(&built, s, precision, preset_desc(preset));
    built.plans = true;
    while (script_line(&built)) {
        if (!built.n_words) continue;
        for (i = 0; i < 10 && strcmp(built.words[0], runs[i].name);) i++;
        if (i == 10) { run_line(&built); continue; }
        k = number(&built, 1);
        if (!runs[i].batch || planned[k]) continue;
        planned[k] = true;
        snprintf(of, sizeof of, "plans %u-%d %s %s", s->seed, k, presets[preset], precisions[precision].name);
        print_plan(built.ctx, built.trainer[k], number(&built, runs[i].batch), of);
    }
    if (said[0]) printf("plans %u %s %s%s\n", s->seed, presets[preset], precisions[precision].name, said);
    said[0] = 0;
    gtr_destroy(built.ctx);
}
static void graphs(bool planned)
{
    const unsigned char *p = file + 12, *end = file + file_size;
    const char *part = planned ? "plans" : "graphs";
    uint32_t n, i;
    char name[16];
    int k;
    memcpy(&n, file + 8, 4);
    for (i = 0; i < n; i++) {
        script s;
        if (!read_script(&p, end, &s)) { printf("%s: the file ends in case %u of %u\n", part, i, n); return; }
        snprintf(name, sizeof name, "%u", s.seed);
        if (!wanted(part, name)) continue;
        for (k = first_preset(); planned && k <= GTR_PRESET_SM90; k++) plan_graph(&s, k);
        for (k = 0; !planned && k < 4; k++) if (s.precisions >> k & 1) compute_graph(&s, k);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const char *path = getenv("GTR_GRAPHS") ? getenv("GTR_GRAPHS") : "tests/fixtures/graphs.bin";
    gtr_context *ctx;
    gtr_desc d;
    int k;
    memset(&d, 0, sizeof d);
    options.wanted = argv;
    for (k = 1; k < argc; k++) {
        const bool named = !strncmp(argv[k], "--", 2);
        const char *o = argv[k] + (named ? 2 : 0);
        if (!named) options.wanted[options.n_wanted++] = argv[k];
        else if (!strcmp(o, "full")) options.full = true;
        else if (!strcmp(o, "hash")) options.hash = true;
        else if (!strcmp(o, "each")) options.each = true;
        else if (!strcmp(o, "cpu")) d.device = GTR_DEVICE_CPU;
        else if (!strcmp(o, "steps") && k + 1 < argc) options.steps = atoi(argv[++k]);
        else if (!strcmp(o, "micro") && k + 1 < argc) options.micro = atoi(argv[++k]);
        else if (strcmp(o, "shard") || k + 1 == argc) options.shard = 0;
        else if (sscanf(argv[++k], "%d/%d", &options.shard, &options.shards) != 2) options.shard = 0;
    }
    if (options.shard < 1 || options.shard > options.shards || options.steps < 4 || options.steps > MOST_STEPS
            || options.steps % 2) {
        fprintf(stderr, "oracle: no such option, no shard like 2/3, or steps that are not 4 to 20 and even\n");
        return 2;
    }
    if (!load(path)) { fprintf(stderr, "oracle: %s cannot be read: run from the top folder\n", path); return 2; }
    ctx = gtr_create(d);
    device = gtr_on_gpu(ctx) ? GTR_DEVICE_CUDA : GTR_DEVICE_CPU;
    fprintf(stderr, "%s\n", gtr_device_text(ctx));
    gtr_destroy(ctx);
    plans();
    graphs(true);
    networks();
    graphs(false);
    free(file);
    return 0;
}
