/* A text read by the character: two blocks of a transformer (A. Vaswani and others, 2017), or an LSTM, learn which byte
   follows of 48, and write on as they learn. It shows causal attention, cells over steps, rows that a function makes,
   and a predictor that is fed what it said.
     cc -O3 -march=native examples/15_chars.c -o chars -lm -pthread && ./chars README.md
     ./chars README.md lstm
   Any text of more than 5000 bytes will do. Done when, in the last tenth of README.md, which training does not see, the
   next byte takes at most 2.75 nats: by how often each byte is there it takes 3.9. */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include <math.h>
#include <stdio.h>

enum { LENGTH = 48, BYTES = 256, WIDTH = 64, ROUNDS = 3, ROWS = 1600 };
#define TARGET 2.75

typedef struct text { unsigned char *byte; int64_t n; } text;
static text text_of(const char *path)
{
    text t = { NULL, 0 };
    FILE *f = fopen(path, "rb");
    if (!f) return t;
    fseek(f, 0, SEEK_END);
    t.n = ftell(f);
    rewind(f);
    t.byte = t.n > 0 ? (unsigned char *)malloc((size_t)t.n) : NULL;
    if (!t.byte || fread(t.byte, 1, (size_t)t.n, f) != (size_t)t.n) t.n = 0;
    fclose(f);
    return t;
}
/* Rows from anywhere in the text, others in each epoch. */
static bool windows(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    const text *t = (const text *)user;
    int32_t *in = (int32_t *)column[0], *next = (int32_t *)column[1];
    int64_t row;
    int k;
    for (row = begin; row < end; row++) {
        uint64_t place = ((uint64_t)epoch << 32 | (uint64_t)row) * 0x9e3779b97f4a7c15u;
        place = (place ^ place >> 29) * 0xbf58476d1ce4e5b9u;
        place = (place ^ place >> 32) % (uint64_t)(t->n - LENGTH);
        for (k = 0; k < LENGTH; k++) { *in++ = t->byte[place + k]; *next++ = t->byte[place + k + 1]; }
    }
    return true;
}
static gtr_dataset *windows_of(gtr_context *ctx, text *t, int64_t rows)
{
    gtr_callback_desc d;
    int k;
    memset(&d, 0, sizeof d);
    d.rows = rows; d.columns = 2; d.fill = windows; d.user = t;
    for (k = 0; k < 2; k++) { d.column[k].dtype = GTR_I32; d.column[k].shape = gtr_shape1(LENGTH); }
    d.column[0].name = "text"; d.column[1].name = "next"; d.name = "windows";
    return gtr_dataset_callback(ctx, d);
}
/* (N, LENGTH, WIDTH), the k-th of which knows of the bytes up to the k-th alone. */
static gtr_tensor *transformer(gtr_tensor *ids)
{
    gtr_transformer_desc d;
    gtr_tensor *x = gtr_embedding(ids, "byte", BYTES, WIDTH);
    memset(&d, 0, sizeof d);
    d.heads = 4; d.norm_first = d.gelu = d.attention.causal = true;
    x = gtr_add(x, gtr_embedding(gtr_arange(ids, 1), "place", LENGTH, WIDTH));
    x = gtr_transformer_block(gtr_transformer_block(x, "block1", d), "block2", d);
    return gtr_layer_norm(x, "norm", 1, 0);
}
static gtr_tensor *lstm(gtr_tensor *ids)
{
    gtr_tensor *x = gtr_embedding(ids, "byte", BYTES, WIDTH), *h = NULL, *c = NULL, *all[LENGTH];
    int k;
    for (k = 0; k < LENGTH; k++)
        all[k] = h = gtr_lstm_cell(gtr_reshape(gtr_slice(x, 1, k, k + 1), gtr_shape2(GTR_BATCH, WIDTH)), h, &c, "lstm",
            2 * WIDTH);
    return gtr_stack(all, LENGTH, 1);
}
/* Goes on from the beginning of a line: no place attends what lies behind it. */
static void write_on(gtr_predictor *p, int n)
{
    static float chance[LENGTH][BYTES];
    int32_t known[LENGTH] = { '\n' };
    unsigned s = 7;
    int k, at = 1;
    for (k = 0; k < n; k++) {
        double u;
        int byte = 0;
        if (gtr_predict(p, known, 1, chance) != GTR_OK) return;
        s = s * 1664525u + 1013904223u;
        u = (s >> 8) / 16777216.0;
        while (byte < BYTES - 1 && (u -= chance[at - 1][byte]) > 0) byte++;
        putchar(byte);
        if (at == LENGTH) memmove(known, known + 1, (LENGTH - 1) * sizeof *known);
        else at++;
        known[at - 1] = byte;
    }
    puts("\n");
}

int main(int argc, char **argv)
{
    static gtr_desc desc;                       /* all zero: the defaults */
    static gtr_trainer_desc how;
    static gtr_fit_desc fit;
    const bool cells = argc > 2 && strcmp(argv[2], "lstm") == 0;
    text all = text_of(argc > 1 ? argv[1] : "README.md"), seen = all, rest = all;
    gtr_context *ctx;
    gtr_tensor *ids, *next, *logits, *loss;
    gtr_trainer *trainer;
    gtr_predictor *predictor;
    float nats = 0;
    int k, failed = 0;

    if (all.n < 5000) return fprintf(stderr, "a text of more than 5000 bytes is wanted\n"), 2;
    seen.n = all.n / 10 * 9;
    rest.byte += seen.n; rest.n -= seen.n;
    ctx = gtr_create(desc);
    ids = gtr_input(ctx, "text", GTR_I32, gtr_shape2(GTR_BATCH, LENGTH));
    next = gtr_input(ctx, "next", GTR_I32, gtr_shape2(GTR_BATCH, LENGTH));
    logits = gtr_linear(cells ? lstm(ids) : transformer(ids), "out", BYTES);
    loss = gtr_cross_entropy(gtr_reshape(logits, gtr_shape2(-LENGTH, BYTES)), gtr_reshape(next, gtr_shape1(-LENGTH)));
    how.optimizer = GTR_ADAM; how.lr = 3e-3f; how.schedule = GTR_COSINE;
    fit.batch = 16; fit.epochs = 3;
    how.total_steps = ROUNDS * fit.epochs * ROWS / fit.batch;
    trainer = gtr_trainer_create(loss, how);
    predictor = gtr_predictor_create(gtr_softmax(logits, 2), 1);
    for (k = 0; k < ROUNDS && !failed; k++) {
        failed = gtr_fit(trainer, windows_of(ctx, &seen, ROWS), fit) != GTR_OK;
        if (!failed) write_on(predictor, 240);
    }
    failed |= gtr_evaluate(trainer, windows_of(ctx, &rest, 400), 16, NULL, &nats, NULL) != GTR_OK;
    printf("%.2f nats a byte (at most %.2f)\n", (double)nats, TARGET);
    if (gtr_error(ctx)) fprintf(stderr, "%s\n", gtr_error_text(ctx));
    failed |= gtr_error(ctx) != GTR_OK || !((double)nats <= TARGET);
    gtr_destroy(ctx);
    free(all.byte);
    return failed;
}
