/* Programs with one mistake each, as test_mistakes*.c are made of: each must end in an error, or in a line on
   stderr without a log callback, and the text must have the words that name what is wrong and the cure. What is silent,
   and whose text lacks a word, is printed; GTR_MISTAKES=1, or -v, prints all texts (the last name before a crash or a
   hang, too). Beside them stand right programs, which must be quiet. These programs have the declarations alone, and
   are linked with the library (private.h). */
#include "../../gputrain.h"
#include "check.h"
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "device.h"
#ifdef __GNUC__ /* no program makes all that others do */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#endif

enum { ROWS = 24 };
#define FOLDER "mistakes" /* in a folder of the process's own under build */
static gtr_float features[ROWS * 4], wide[ROWS * 64], onehot[ROWS * 3], target[ROWS], ones[ROWS];
static double doubles[ROWS * 4];
static int32_t label[ROWS], from_one[ROWS], binary[ROWS], signs[ROWS], whole[ROWS * 4];
static uint8_t bytes[ROWS * 64], bits[ROWS];

/* A program: what most of them have, and all descriptors, zero but for what most need. */
typedef struct world {
    const char *what, *words; bool right;
    gtr_context *ctx, *other;
    gtr_tensor *x, *y, *h, *logits, *loss;
    gtr_trainer *t; gtr_dataset *data, *held; gtr_predictor *p;
    gtr_desc cd; gtr_trainer_desc td; gtr_fit_desc fd; gtr_arrays_desc ad; gtr_csv_desc csv; gtr_npy_desc npy;
    gtr_images_desc images; gtr_augment_desc aug; gtr_metrics_desc md; gtr_windows_desc windows; gtr_init init;
    gtr_text_desc txt; gtr_ragged_desc ragged;
    gtr_cross_entropy_desc ce; gtr_loss_desc ld; gtr_custom_desc custom; gtr_callback_desc call; gtr_conv_desc conv;
    gtr_predictor_desc pd; gtr_metrics out;
    gtr_float value[ROWS * 64]; char text[4096];
} world;
/* A mistake that is silent by what the interface is, and why it is. */
typedef struct silence { const char *what, *why; } silence;
static const silence *silences;
static int n_silences, mistakes, silent;
static bool show;

/* stderr while a mistake is made, but for a fit's progress and the line about kernels that took long. */
static int err_file, err_was;
static void err_begin(void)
{
    fflush(stderr);
    err_was = dup(2);
    err_file = open(FOLDER "/stderr", O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(err_file, 2);
}
static void err_end(char *text, size_t size)
{
    size_t at = strlen(text);
    char line[2048];
    fflush(stderr);
    dup2(err_was, 2);
    close(err_was);
    lseek(err_file, 0, SEEK_SET);
    FILE *f = fdopen(err_file, "r");
    while (f && fgets(line, sizeof line, f)) {
        if (!strncmp(line, "epoch ", 6) || !strncmp(line, "gputrain: kernels: ", 19)) continue;
        if (at + strlen(line) >= size) continue;
        strcpy(text + at, line);
        at += strlen(line);
    }
    if (f) fclose(f);
}
static world *world_begin(const char *what, const char *words, bool right)
{
    world *w = (world *)calloc(1, sizeof *w);
    if (!w) abort();
    w->what = what; w->words = words; w->right = right;
    w->cd = desc0();
    w->fd.batch = 8; w->fd.silent = true;
    w->td.lr = 0.01f;
    if (show) printf("%s%s\n", right ? "(right) " : "", what);
    fflush(stdout);
    err_begin();
    return w;
}
static void note(world *w, const char *text)
{
    const size_t at = strlen(w->text);
    snprintf(w->text + at, sizeof w->text - at, "%s\n", text);
}
static gtr_context *context(world *w)
{
    if (!w->ctx) w->ctx = gtr_create(w->cd);
    return w->ctx;
}
/* The first of the words, parted by '|', that text lacks; "" if none. */
static const char *lacks(const char *text, const char *words, char *word)
{
    for (;; words++) {
        const size_t n = strcspn(words, "|");
        memcpy(word, words, n);
        word[n] = 0;
        if (!strstr(text, word)) return word;
        words += n;
        if (!*words) return "";
    }
}
static world *world_end(world *w)
{
    char word[200];
    if (w->ctx) gtr_wait(w->ctx); /* a GPU tells of a callback's mistake when it has come to it */
    if (w->ctx && gtr_error(w->ctx)) note(w, gtr_error_text(w->ctx));
    if (w->other && gtr_error(w->other)) note(w, gtr_error_text(w->other));
    if (w->p && *gtr_predictor_error_text(w->p)) note(w, gtr_predictor_error_text(w->p));
    if (w->p) gtr_predictor_destroy(w->p);
    gtr_destroy(w->ctx);
    gtr_destroy(w->other);
    err_end(w->text, sizeof w->text);
    const char *lack = w->right ? "" : lacks(w->text, w->words, word);
    const bool none = !w->text[0], good = w->right ? none : !none && !*lack;
    int k = 0;
    while (k < n_silences && strcmp(silences[k].what, w->what)) k++;
    const bool is_known = k < n_silences;
    mistakes += !w->right;
    if (show) printf("    %s%s%s%s", none ? "(silent)\n" : w->text, !none && *lack ? "    LACKS \"" : "",
        !none ? lack : "", !none && *lack ? "\"\n" : "");
    if (good || (none && is_known)) { check_passed++; silent += none && !w->right; }
    else if (w->right) CHECK(0, "%s: it is right, and is told: %s", w->what, w->text);
    else if (none) { silent++; CHECK(0, "%s: silent, want an error with \"%s\"", w->what, w->words); }
    else CHECK(0, "%s: lacks \"%s\" in: %s", w->what, lack, w->text);
    free(w);
    return NULL;
}
/* One mistake, and what its text must have; a right program. */
#define MISTAKE(what, words) for (world *w = world_begin(what, words, false); w; w = world_end(w))
#define RIGHT(what) for (world *w = world_begin(what, "", true); w; w = world_end(w))

static void made_data(void)
{
    uint32_t s = 7;
    for (int i = 0; i < ROWS; i++) {
        label[i] = i % 3; from_one[i] = i % 3 + 1; binary[i] = i % 2; signs[i] = i % 2 ? 1 : -1;
        bits[i] = (uint8_t)(i % 2);
        onehot[i * 3 + i % 3] = 1; target[i] = (gtr_float)i / ROWS; ones[i] = (gtr_float)(i % 2);
        for (int k = 0; k < 4; k++) {
            features[i * 4 + k] = noise(&s) + (gtr_float)(k == i % 3);
            doubles[i * 4 + k] = (double)features[i * 4 + k]; whole[i * 4 + k] = i + k;
        }
    }
    for (int i = 0; i < ROWS * 64; i++) { bytes[i] = (uint8_t)(i * 37 % 251); wide[i] = bytes[i]; }
}
static const char *path_of(const char *name)
{
    static char path[4][100];
    static int k;
    k = (k + 1) % 4;
    snprintf(path[k], sizeof path[k], FOLDER "/%s", name);
    return path[k];
}
static const char *file_of(const char *name, const void *data, size_t size)
{
    const char *path = path_of(name);
    FILE *f = fopen(path, "wb");
    if (f) { fwrite(data, 1, size, f); fclose(f); }
    return path;
}
static const char *text_file(const char *name, const char *text) { return file_of(name, text, strlen(text)); }
#define FILE_OF(name, literal) file_of(name, literal, sizeof(literal) - 1)
static void column(world *w, int k, const void *data, gtr_dtype dtype, gtr_shape shape)
{
    w->ad.column[k].data = data; w->ad.column[k].dtype = dtype; w->ad.column[k].shape = shape;
}
static gtr_dataset *arrays(world *w)
{
    if (!w->ad.rows) w->ad.rows = ROWS;
    return w->data = gtr_dataset_arrays(context(w), w->ad);
}
/* Features and labels, where a mistake brought no others. */
static gtr_dataset *samples(world *w)
{
    if (w->data) return w->data;
    if (!w->ad.column[0].data) column(w, 0, features, GTR_F32, gtr_shape1(4));
    if (!w->ad.column[1].data) column(w, 1, label, GTR_I32, gtr_shape0());
    return arrays(w);
}
static gtr_dataset *with_labels(world *w, const void *data, gtr_dtype dtype, gtr_shape shape)
{
    column(w, 1, data, dtype, shape);
    return samples(w);
}
static gtr_tensor *input(world *w)
{
    if (!w->x) w->x = gtr_input(context(w), "x", GTR_F32, gtr_shape2(GTR_BATCH, 4));
    return w->x;
}
static gtr_tensor *labels(world *w)
{
    input(w);
    if (!w->y) w->y = gtr_input(context(w), "y", GTR_I32, gtr_shape1(GTR_BATCH));
    return w->y;
}
static gtr_tensor *hidden(world *w)
{
    if (!w->h) w->h = gtr_relu(gtr_linear(input(w), "fc1", 8));
    return w->h;
}
static gtr_tensor *scores(world *w)
{
    if (!w->logits) w->logits = gtr_linear(hidden(w), "fc2", 3);
    return w->logits;
}
static gtr_tensor *loss(world *w)
{
    if (!w->loss) w->loss = gtr_cross_entropy(scores(w), labels(w));
    return w->loss;
}
static gtr_trainer *trainer(world *w)
{
    if (!w->t) w->t = gtr_trainer_create(loss(w), w->td);
    return w->t;
}
static gtr_result fit(world *w)
{
    if (!trainer(w)) return GTR_ERR_ARG;
    samples(w);
    return gtr_fit(w->t, w->data, w->fd);
}
/* One number of floats is predicted: target (N, 1). */
static gtr_tensor *floats(world *w, int64_t n)
{
    input(w);
    if (!w->y) w->y = gtr_input(context(w), "y", GTR_F32, gtr_shape2(GTR_BATCH, n));
    return w->y;
}
static gtr_tensor *one_score(world *w) { return w->logits = gtr_linear(hidden(w), "fc2", 1); }
static void regression(world *w)
{
    w->loss = gtr_mse(one_score(w), floats(w, 1));
    if (!w->ad.column[1].data) column(w, 1, target, GTR_F32, gtr_shape1(1));
}
static void set_inputs(world *w)
{
    gtr_set(input(w), features, sizeof features);
    gtr_set(labels(w), label, sizeof label);
}
static gtr_dataset *csv(world *w, const char *text)
{
    return w->data = gtr_dataset_csv(context(w), text_file("table.csv", text), w->csv);
}
static gtr_dataset *text_of(world *w, const char *name, const char *text)
{
    return w->data = gtr_dataset_text(context(w), text_file(name, text), w->txt);
}
/* A folder of a sub-folder a letter, each of one image. */
static const char *folder_made(const char *name, const char *classes, const char *image_bytes)
{
    const char *folder = path_of(name);
    char path[200], in[100];
    mkdir(folder, 0700);
    for (; *classes; classes++) {
        snprintf(path, sizeof path, "%s/%c", folder, *classes);
        mkdir(path, 0700);
        snprintf(in, sizeof in, "%s/%c/1.pgm", name, *classes);
        text_file(in, image_bytes);
    }
    return folder;
}
static gtr_dataset *folder_of(world *w, const char *name, const char *classes, const char *image_bytes)
{
    return gtr_dataset_images(context(w), folder_made(name, classes, image_bytes), w->images);
}
/* A file of numpy.save. */
static const char *npy(const char *name, const char *dtype, const char *shape, const void *data, size_t size)
{
    char head[128 + sizeof doubles];
    const size_t start = 80;
    memset(head, ' ', start);
    memcpy(head, "\x93NUMPY\1\0\x46\0", 10);
    const int n = snprintf(head + 10, start - 10, "{'descr': %s, 'fortran_order': False, 'shape': %s, }", dtype, shape);
    head[10 + n] = ' ';
    head[start - 1] = '\n';
    memcpy(head + start, data, size);
    return file_of(name, head, start + size);
}
static gtr_dataset *arrays_of(world *w, const char *x, const char *y)
{
    const char *paths[2] = { x, y };
    return w->data = gtr_dataset_npy(context(w), paths, y ? 2 : 1, w->npy);
}
static const char *x_npy(void) { return npy("x.npy", "'<f4'", "(24, 4)", features, sizeof features); }
/* Files of IDX. */
static void idx_head(unsigned char *at, int type, int n, int64_t a, int64_t b, int64_t c)
{
    const int64_t dim[3] = { a, b, c };
    memset(at, 0, 16);
    at[2] = (unsigned char)type; at[3] = (unsigned char)n;
    for (int k = 0; k < n; k++) at[4 + 4 * k + 3] = (unsigned char)dim[k];
}
static const char *idx_images(int64_t rows)
{
    unsigned char f[16 + sizeof bytes];
    idx_head(f, 8, 3, rows, 8, 8);
    memcpy(f + 16, bytes, (size_t)rows * 64);
    return file_of("images.idx3", f, 16 + (size_t)rows * 64);
}
static const char *idx_labels(int64_t rows, int32_t shift)
{
    unsigned char f[8 + ROWS];
    idx_head(f, 8, 1, rows, 0, 0);
    for (int64_t i = 0; i < rows; i++) f[8 + i] = (unsigned char)(label[i] + shift);
    return file_of("labels.idx1", f, 8 + (size_t)rows);
}
/* A safetensors file of one tensor of floats. */
static const char *tensors(const char *name, const char *header, size_t data)
{
    char f[600];
    const size_t n = strlen(header);
    memset(f, 0, sizeof f);
    f[0] = (char)n; f[1] = (char)(n >> 8);
    memcpy(f + 8, header, n);
    return file_of(name, f, 8 + n + data);
}
static void loads(world *w, const char *path) { scores(w); gtr_load(w->ctx, path); }
static gtr_result measured(world *w, gtr_tensor *s, gtr_tensor *l)
{
    w->md.scores = s; w->md.labels = l;
    trainer(w);
    return gtr_evaluate_metrics(w->t, samples(w), w->md, &w->out);
}
static gtr_tensor *image(world *w, int64_t c, int64_t h, int64_t wd)
{
    return w->x = gtr_input(context(w), "x", GTR_F32, gtr_shape4(GTR_BATCH, c, h, wd));
}
static void augmented(world *w, gtr_shape row)
{
    if (!w->ad.column[0].data) column(w, 0, bytes, GTR_U8, row);
    samples(w);
    gtr_dataset_augment(w->data, 0, w->aug);
}
static world *filled; /* whose trainer a fill uses, which it must not */
static bool rows_of(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *to)
{
    (void)epoch;
    for (int64_t r = begin; r < end; r++) {
        memcpy((gtr_float *)to[0] + (r - begin) * 4, features + r * 4, 4 * sizeof *features);
        ((int32_t *)to[1])[r - begin] = ((const int32_t *)user)[r];
    }
    return true;
}
static gtr_dataset *callback(world *w, bool (*fill)(void *, int64_t, int64_t, int64_t, void *const *))
{
    if (!w->call.rows) w->call.rows = ROWS;
    if (!w->call.columns) w->call.columns = 2;
    w->call.column[0].shape = gtr_shape1(4);
    if (w->call.columns > 1 && !w->call.column[1].dtype) w->call.column[1].dtype = GTR_I32;
    w->call.fill = fill;
    if (!w->call.user) w->call.user = label;
    filled = w;
    return w->data = gtr_dataset_callback(context(w), w->call);
}
/* main of a program of mistakes: of them n are silent by what the interface is. */
static int mistakes_main(int argc, char **argv, void (*all)(void), const silence *known, int n_known)
{
    static char *wanted[64];
    silences = known; n_silences = n_known;
    int n = 0;
    show = getenv("GTR_MISTAKES") != NULL;
    for (int i = 0; i < argc && n < 64; i++) {
        if (i && !strcmp(argv[i], "-v")) show = true;
        else wanted[n++] = argv[i];
    }
    check_begin(n, wanted);
    small = getenv("GTR_TEST_SMALL") != NULL;
    char own[64], remove[80];
    mkdir("build", 0777);
    snprintf(own, sizeof own, "build/mistakes-%ld", (long)getpid());
    snprintf(remove, sizeof remove, "rm -rf mistakes-%ld", (long)getpid());
    CHECK(!mkdir(own, 0700) && !chdir(own) && !mkdir(FOLDER, 0700), "%s: no folder for files", own);
    made_data();
    check_devices(all, &device);
    printf("%d mistakes, %d of them silent\n", mistakes, silent);
    EXPECT(!chdir("..") && !system(remove));
    return check_done();
}
