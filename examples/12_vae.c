/* A variational autoencoder (D. Kingma and M. Welling, 2014) that is told the class, trained on images of 8x8 pixels:
   then it writes each digit twice. It shows noise that is drawn in the graph, a loss made of two, layers that two
   places share, and an evaluation without data.
     cc -O3 -march=native examples/12_vae.c -o vae -lm -pthread && ./vae examples/digits.csv
   Data: E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository, 1998,
   as scikit-learn packages it; licence CC BY 4.0. Every fifth sample is the test set. Done when these are described in
   at most 21.4 nats each: without a code, by their class alone, it takes 21.9. */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include <stdio.h>

enum { PIXELS = 64, CODE = 8, HIDDEN = 256, EPOCHS = 60 };
#define TARGET 21.4

/* A linear layer, or what it is already, once more. */
static gtr_tensor *layer(gtr_context *ctx, gtr_tensor *x, const char *name, int64_t out)
{
    char part[2][32];
    gtr_tensor *weight;
    snprintf(part[0], sizeof part[0], "%s.weight", name);
    snprintf(part[1], sizeof part[1], "%s.bias", name);
    weight = gtr_parameter_find(ctx, part[0]);
    return weight ? gtr_linear_with(x, weight, gtr_parameter_find(ctx, part[1])) : gtr_linear(x, name, out);
}
/* Logits of the pixels, from a code and what is known of the class. */
static gtr_tensor *decode(gtr_context *ctx, gtr_tensor *code, gtr_tensor *class_)
{
    gtr_tensor *both[2];
    both[0] = code; both[1] = class_;
    return layer(ctx, gtr_relu(layer(ctx, gtr_concat(both, 2, 1), "decode1", HIDDEN)), "decode2", PIXELS);
}
static void draw(const float *pixel, int n)
{
    int x, y, i;
    for (y = 0; y < 8; y++, putchar('\n')) for (i = 0; i < n; i++, putchar(' ')) for (x = 0; x < 8; x++)
        putchar(" .:-=+*#@"[(int)(pixel[i * PIXELS + 8 * y + x] * 8 + 0.5f)]);
    putchar('\n');
}

int main(int argc, char **argv)
{
    static gtr_desc desc;                       /* all zero: the defaults */
    static gtr_csv_desc csv;
    static gtr_trainer_desc how;
    static gtr_fit_desc fit;
    static gtr_loss_desc pixel;
    static const int32_t digits[10] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    float pixels[10 * PIXELS], nats = 0;
    gtr_context *ctx = gtr_create(desc);
    gtr_dataset *train, *test;
    gtr_tensor *x, *y, *class_, *in[2], *h, *mean, *log_var, *code, *divergence, *loss, *written;
    gtr_trainer *trainer;
    int k, failed;

    csv.scale = 1.0f / 16;                      /* 0..16 become 0..1 */
    train = gtr_dataset_csv(ctx, argc > 1 ? argv[1] : "examples/digits.csv", csv);
    test = gtr_dataset_split(train, 5);
    x = gtr_input(ctx, "image", GTR_F32, gtr_shape2(GTR_BATCH, PIXELS));
    y = gtr_input(ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH));
    class_ = gtr_embedding(y, "class", 10, CODE);

    in[0] = x; in[1] = class_;
    h = gtr_relu(gtr_linear(gtr_concat(in, 2, 1), "encode", HIDDEN));
    mean = gtr_linear(h, "mean", CODE);
    log_var = gtr_linear(h, "log_var", CODE);
    code = gtr_add(mean, gtr_mul(gtr_exp(gtr_scale(log_var, 0.5f, 0)), gtr_random_normal(mean, "noise")));
    /* of N(mean, exp(log_var)) from N(0, 1), a mean over all elements, as sums of an image's; and of its pixels */
    divergence = gtr_mean(gtr_sub(gtr_add(gtr_exp(log_var), gtr_mul(mean, mean)), log_var), NULL, 0, false);
    pixel.reduction = GTR_REDUCE_BATCH_MEAN;
    loss = gtr_add(gtr_bce_with_logits_ex(decode(ctx, code, class_), x, pixel),
        gtr_scale(divergence, CODE / 2.0f, -CODE / 2.0f));

    how.optimizer = GTR_ADAM;
    how.lr = 2e-3f;
    how.schedule = GTR_COSINE;
    fit.epochs = EPOCHS;
    fit.batch = 32;
    trainer = gtr_trainer_create(loss, how);
    gtr_fit(trainer, train, fit);
    gtr_evaluate(trainer, test, 64, NULL, &nats, NULL);

    written = gtr_sigmoid(decode(ctx, gtr_random_normal(class_, "codes"), class_));
    gtr_set(y, digits, sizeof digits);
    for (k = 0; k < 2 && !gtr_error(ctx) && !gtr_eval(&written, 1); k++) {     /* new codes each time */
        if (gtr_get(written, pixels, sizeof pixels)) break;
        draw(pixels, 10);
    }
    failed = gtr_error(ctx) != GTR_OK || !(nats <= TARGET);
    if (gtr_error(ctx)) fprintf(stderr, "%s\n", gtr_error_text(ctx));
    else printf("%.2f nats a test image, wanted at most %.1f\n", (double)nats, TARGET);
    gtr_destroy(ctx);
    return failed;
}
