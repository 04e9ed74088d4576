/* The smallest program: a network of eight hidden units learns XOR from its truth table. C and C++, no files.
   cc -O3 -march=native examples/01_smallest.c -lm -pthread && ./a.out */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include <stdio.h>
int main(void)
{
    static const float question[4][2] = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 } }, answer[4] = { 0, 1, 1, 0 };
    static gtr_desc desc;                   /* all zero: the defaults */
    static gtr_trainer_desc how;
    float said[4] = { 0, 0, 0, 0 };
    int i, right = 0;

    gtr_context *ctx = gtr_create(desc);
    gtr_tensor *x = gtr_input(ctx, "question", GTR_F32, gtr_shape2(GTR_BATCH, 2));
    gtr_tensor *y = gtr_input(ctx, "answer", GTR_F32, gtr_shape2(GTR_BATCH, 1));
    gtr_tensor *logit = gtr_linear(gtr_tanh(gtr_linear(x, "hidden", 8)), "out", 1);
    gtr_tensor *yes = gtr_sigmoid(logit);
    gtr_trainer *trainer;

    how.optimizer = GTR_ADAM;
    how.lr = 0.05f;
    trainer = gtr_trainer_create(gtr_bce_with_logits(logit, y), how);
    for (i = 0; i < 400; i++) {
        gtr_set(x, question, sizeof question);
        gtr_set(y, answer, sizeof answer);
        gtr_step(trainer);
    }
    gtr_set(x, question, sizeof question);
    gtr_eval(&yes, 1);
    gtr_get(yes, said, sizeof said);
    for (i = 0; i < 4; i++) {
        printf("%.0f xor %.0f = %.3f\n", question[i][0], question[i][1], said[i]);
        right += (said[i] > 0.5f) == (answer[i] > 0.5f);
    }
    if (gtr_error(ctx)) fprintf(stderr, "%s\n", gtr_error_text(ctx));
    gtr_destroy(ctx);
    return right == 4 ? 0 : 1;
}
