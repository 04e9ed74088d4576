/* A text read by the character: two blocks of a transformer (A. Vaswani and others, 2017), or an LSTM, learn which byte
   follows of 48, and write on as they learn. It shows a text as data, causal attention, a recurrence, and a predictor
   of a step at a time, which is fed what it said.
     cc -O3 -march=native examples/15_chars.c -o chars -lm -pthread && ./chars README.md
     ./chars README.md lstm
   Any text of more than 500 bytes will do. Done when, in the last tenth of README.md, which training does not see, the
   next byte takes at most 2.75 nats: by how often each byte is there it takes 3.4. */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include <stdio.h>
#include <string.h>

enum { LENGTH = 48, BYTES = 256, WIDTH = 64, ROUNDS = 3, ROWS = 1600 };
#define TARGET 2.75

/* Rows from anywhere in a part of the text, others in each epoch. */
static gtr_dataset *windows_of(gtr_context *ctx, const char *path, float begin, float end, int64_t rows)
{
    gtr_text_desc d;
    memset(&d, 0, sizeof d);
    d.length = LENGTH; d.random = rows; d.begin = begin; d.end = end;
    return gtr_dataset_text(ctx, path, d);
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
    gtr_recurrent_desc d;
    memset(&d, 0, sizeof d);
    return gtr_lstm(gtr_embedding(ids, "byte", BYTES, WIDTH), "lstm", 2 * WIDTH, d);
}
/* n lines from their beginning, as long as the windows that were learned. */
static void write_on(gtr_predictor *p, int n)
{
    static gtr_sample_desc how;
    float said[BYTES];
    int k;
    for (; n > 0; n--) {
        int32_t byte = '\n';
        if (gtr_predictor_reset(p) != GTR_OK) return;
        for (k = 0; k < LENGTH && gtr_predict_next(p, &byte, 1, said) == GTR_OK; k++) {
            byte = gtr_sample(said, BYTES, how);
            how.draw++;
            putchar(byte == '\n' ? ' ' : byte);
        }
        puts("");
    }
    puts("");
}

int main(int argc, char **argv)
{
    static gtr_desc desc;                       /* all zero: the defaults */
    static gtr_trainer_desc how;
    static gtr_fit_desc fit;
    static gtr_predictor_desc next_byte;
    const bool recurrent = argc > 2 && strcmp(argv[2], "lstm") == 0;
    const char *path = argc > 1 ? argv[1] : "README.md";
    gtr_context *ctx;
    gtr_dataset *train, *held;
    gtr_tensor *ids, *next, *logits, *loss;
    gtr_trainer *trainer;
    gtr_predictor *predictor;
    float nats = 0;
    int k, failed = 0;

    ctx = gtr_create(desc);
    train = windows_of(ctx, path, 0, 0.9f, ROWS);
    held = windows_of(ctx, path, 0.9f, 1, 400);
    ids = gtr_input(ctx, "text", GTR_I32, gtr_shape2(GTR_BATCH, LENGTH));
    next = gtr_input(ctx, "next", GTR_I32, gtr_shape2(GTR_BATCH, LENGTH));
    logits = gtr_linear(recurrent ? lstm(ids) : transformer(ids), "out", BYTES);
    loss = gtr_cross_entropy(gtr_reshape(logits, gtr_shape2(-LENGTH, BYTES)), gtr_reshape(next, gtr_shape1(-LENGTH)));
    how.optimizer = GTR_ADAM; how.lr = 3e-3f; how.schedule = GTR_COSINE;
    fit.batch = 16; fit.epochs = 3;
    how.total_steps = ROUNDS * fit.epochs * ROWS / fit.batch;
    trainer = gtr_trainer_create(loss, how);
    next_byte.out[0] = logits; next_byte.steps = true;
    predictor = gtr_predictor_create_ex(ctx, next_byte);
    for (k = 0; k < ROUNDS && !failed; k++) {
        failed = gtr_fit(trainer, train, fit) != GTR_OK;
        if (!failed) write_on(predictor, 5);
    }
    failed |= gtr_evaluate(trainer, held, 16, NULL, &nats, NULL) != GTR_OK;
    printf("%.2f nats a byte (at most %.2f)\n", (double)nats, TARGET);
    if (gtr_error(ctx)) fprintf(stderr, "%s\n", gtr_error_text(ctx));
    failed |= gtr_error(ctx) != GTR_OK || !((double)nats <= TARGET);
    gtr_destroy(ctx);
    return failed;
}
