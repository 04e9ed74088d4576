/* Regression with the tensor API alone: no layers, no trainer, no data set. An expression is built, its gradients are
   asked for as tensors, both are evaluated, and the update is made by hand with gtr_set. The data are y = 2 a - 3 b +
   0.5 a b + 1 with a little noise; gradient descent has to find the four numbers again.
     cc -O3 -march=native examples/05_regression.c -o regression -lm -pthread && ./regression */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include <math.h>
#include <stdio.h>

#define ROWS 512

static float uniform(void)                      /* in -1 .. 1 */
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 8388608.0f - 1;
}

int main(void)
{
    static const float truth[4] = { 2, -3, 0.5f, 1 };
    static const char *const name[4] = { "a", "b", "a b", "1" };
    static float feature[ROWS][3], target[ROWS][1];
    static gtr_desc desc;
    gtr_init zero;
    gtr_context *ctx = gtr_create(desc);
    gtr_tensor *x, *y, *w, *bias, *error, *loss, *spread, *r2, *fetch[3];
    float weight[3], shift, dweight[3], dshift, explained;
    int step, i, right = 0;

    for (i = 0; i < ROWS; i++) {
        feature[i][0] = uniform();
        feature[i][1] = uniform();
        feature[i][2] = feature[i][0] * feature[i][1];
        target[i][0] = truth[0] * feature[i][0] + truth[1] * feature[i][1] + truth[2] * feature[i][2] + truth[3]
            + 0.05f * uniform();
    }

    zero.kind = GTR_INIT_ZERO;
    zero.a = 0;
    zero.frozen = false;
    x = gtr_constant(ctx, GTR_F32, gtr_shape2(ROWS, 3), feature);
    y = gtr_constant(ctx, GTR_F32, gtr_shape2(ROWS, 1), target);
    w = gtr_parameter(ctx, "w", gtr_shape2(3, 1), zero);
    bias = gtr_parameter(ctx, "bias", gtr_shape1(1), zero);
    error = gtr_sub(gtr_add(gtr_matmul(x, w), bias), y);        /* (ROWS, 1) */
    loss = gtr_mean(gtr_mul(error, error), NULL, 0, false);

    fetch[0] = loss;
    fetch[1] = gtr_gradient(loss, w);
    fetch[2] = gtr_gradient(loss, bias);
    for (step = 0; step <= 400 && !gtr_error(ctx); step++) {
        gtr_eval(fetch, 3);
        if (step % 100 == 0) printf("step %3d: mean squared error %.6f\n", step, gtr_item(loss));
        gtr_get(w, weight, sizeof weight);
        gtr_get(bias, &shift, sizeof shift);
        gtr_get(fetch[1], dweight, sizeof dweight);
        gtr_get(fetch[2], &dshift, sizeof dshift);
        for (i = 0; i < 3; i++) weight[i] -= 0.5f * dweight[i];
        shift -= 0.5f * dshift;
        gtr_set(w, weight, sizeof weight);
        gtr_set(bias, &shift, sizeof shift);
    }

    /* Any further expression of the same tensors: the share of y's variance that is explained. */
    spread = gtr_sub(y, gtr_mean(y, NULL, 0, false));
    r2 = gtr_scale(gtr_div(loss, gtr_mean(gtr_mul(spread, spread), NULL, 0, false)), -1, 1);
    explained = gtr_item(r2);

    for (i = 0; i < 4; i++) {
        float found = i < 3 ? weight[i] : shift;
        printf("%-4s found %8.4f, true %8.4f\n", name[i], found, truth[i]);
        right += fabsf(found - truth[i]) < 0.02f;
    }
    printf("explained variance %.5f\n", explained);
    if (gtr_error(ctx)) fprintf(stderr, "%s: %s\n", gtr_result_text(gtr_error(ctx)), gtr_error_text(ctx));
    gtr_destroy(ctx);
    return right == 4 && explained > 0.99f ? 0 : 1;
}
