/* Fashion-MNIST as well as a small residual network can: 60,000 images of clothes, varied anew in each epoch. It shows
   what recent recipes are made of: convolutions with batch norms, residuals, random crops, mirroring and cutout in the
   gather, label smoothing, SGD with Nesterov's momentum and no decay of norms, a cosine schedule with warm-up, and an
   average of the weights (EMA), which is what is tested. `make resnet` fetches the data and runs it; by hand:
     nvcc -O3 -Xcompiler -march=native -DGPUTRAIN_CUDA examples/07_resnet.c
     gputrain_cuda.cu -o resnet && ./resnet folder
     cc -O3 -march=native examples/07_resnet.c -o resnet -lm -pthread && ./resnet folder
   Arguments: the folder with the four files of H. Xiao, K. Rasul, R. Vollgraf, "Fashion-MNIST", 2017 (licence MIT),
   gunzipped; then, if wanted, in this order, the seed (0), the precision (fp32, tf32, bf16, fp16), the epochs, the
   width (channels of the first layer), the batch, the learning rate, the side of the cutout, the padding of the crop.
   What is left out or 0 is chosen by the device: on a GPU bf16, 20 epochs of width 64, some half a minute of an H200,
   for an accuracy of at least 0.945; on a CPU fp32, 1 epoch of width 16, 90 s of one core, for 0.88.
   The network: D. Page, "How to train your ResNet", 2018. */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static gtr_dataset *load(gtr_context *ctx, const char *folder, const char *part, gtr_augment_desc how)
{
    char images[1024], labels[1024];
    gtr_dataset *set;
    snprintf(images, sizeof images, "%s/%s-images-idx3-ubyte", folder, part);
    snprintf(labels, sizeof labels, "%s/%s-labels-idx1-ubyte", folder, part);
    set = gtr_dataset_idx(ctx, images, labels);
    if (set) gtr_dataset_augment(set, 0, how);                  /* what is random in it is so in training alone */
    return set;
}
static gtr_tensor *conv(gtr_context *ctx, gtr_tensor *x, const char *name, int channels)
{
    static gtr_conv_desc desc;
    desc.out = channels;
    desc.kernel = 3;
    desc.padding = 1;
    desc.no_bias = true;                                        /* the norm has one */
    gtr_scope_begin(ctx, name);
    x = gtr_relu(gtr_batch_norm(gtr_conv2d_ex(x, "conv", desc), "norm"));
    gtr_scope_end(ctx);
    return x;
}
static gtr_tensor *residual(gtr_context *ctx, gtr_tensor *x, const char *name, int channels)
{
    gtr_tensor *branch;
    gtr_scope_begin(ctx, name);
    branch = conv(ctx, conv(ctx, x, "1", channels), "2", channels);
    gtr_scope_end(ctx);
    return gtr_residual(x, branch, NULL);
}
static gtr_tensor *resnet(gtr_context *ctx, gtr_tensor *x, int width)
{
    gtr_linear_desc last = { 10, true };
    gtr_tensor *h = conv(ctx, x, "prepare", width);                                     /* 28 x 28 */
    h = gtr_max_pool2d(conv(ctx, h, "layer1", 2 * width), 2, 0, 0);                     /* 14 x 14 */
    h = residual(ctx, h, "residual1", 2 * width);
    h = gtr_max_pool2d(conv(ctx, h, "layer2", 4 * width), 2, 0, 0);                     /* 7 x 7 */
    h = gtr_max_pool2d(conv(ctx, h, "layer3", 8 * width), 2, 0, 0);                     /* 3 x 3 */
    h = residual(ctx, h, "residual3", 8 * width);
    h = gtr_flatten(gtr_max_pool2d(h, 3, 0, 0));
    return gtr_scale(gtr_linear_ex(h, "linear", last), 0.125f, 0);
}

int main(int argc, char **argv)
{
    static const char *const precisions[] = { "fp32", "tf32", "bf16", "fp16" };
    static const gtr_group undecayed = { "*.norm.*", 0, GTR_ZERO, false };
    static gtr_desc desc;
    static gtr_augment_desc augment;
    static gtr_cross_entropy_desc entropy;
    static gtr_trainer_desc how;
    static gtr_fit_desc fit;
    const time_t start = time(NULL);
    gtr_context *ctx;
    gtr_dataset *train, *test;
    gtr_tensor *x, *y, *logits;
    gtr_trainer *trainer;
    double number[9] = { 0 }, target;                           /* the arguments that are numbers, or 0 */
    float accuracy = 0;
    int64_t steps;
    int i, width, gpu, failed;

    if (argc < 2) {
        fprintf(stderr, "usage: %s folder [seed [fp32|tf32|bf16|fp16 [epochs [width [batch [lr [cutout [pad]]]]]]]]\n",
            argv[0]);
        return 2;
    }
    for (i = 2; i < argc && i < 10; i++) number[i - 1] = strtod(argv[i], NULL);
    desc.seed = (uint64_t)number[1];
    ctx = gtr_create(desc);
    gpu = gtr_on_gpu(ctx);
    how.precision = gpu ? GTR_MIXED_BF16 : GTR_FP32;
    for (i = 0; i < 4; i++) if (argc > 3 && !strcmp(argv[3], precisions[i])) how.precision = (gtr_precision)i;
    fit.epochs = number[3] > 0 ? (int)number[3] : gpu ? 20 : 1;
    width = number[4] > 0 ? (int)number[4] : gpu ? 64 : 16;
    fit.batch = number[5] > 0 ? (int64_t)number[5] : gpu ? 512 : 128;
    how.lr = number[6] > 0 ? (float)number[6] : gpu ? 0.4f : 0.1f;
    augment.cutout = number[7] > 0 ? (int)number[7] : gpu ? 8 : 0;
    augment.pad = number[8] > 0 ? (int)number[8] : 2;
    augment.mean[0] = 0.286f;
    augment.std[0] = 0.353f;
    augment.height = augment.width = 28;
    augment.flip = 0.5f;
    target = gpu ? 0.945 : 0.88;
    printf("%s\n%s, %d epochs, %d channels and more, batches of %d%s\n", gtr_device_text(ctx),
        precisions[how.precision], fit.epochs, width, (int)fit.batch,
        gpu ? "" : ": without a GPU a narrower network and fewer epochs, unless told otherwise");
    fflush(stdout);
    train = load(ctx, argv[1], "train", augment);
    test = load(ctx, argv[1], "t10k", augment);

    x = gtr_input(ctx, "image", GTR_F32, gtr_shape4(GTR_BATCH, 1, 28, 28));
    y = gtr_input(ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH));
    logits = resnet(ctx, x, width);

    how.optimizer = GTR_SGD;
    how.momentum = 0.9f;
    how.nesterov = true;
    how.weight_decay = 5e-4f;
    how.groups = &undecayed;
    how.n_groups = 1;
    how.schedule = GTR_COSINE;
    steps = gtr_dataset_rows(train) / fit.batch * fit.epochs;
    how.warmup_steps = steps / 5;
    how.ema = steps > 400 ? 1 - 40 / (float)steps : 0.9f;       /* over the last fortieth, where the rate is low */
    entropy.label_smoothing = 0.1f;
    trainer = gtr_trainer_create(gtr_cross_entropy_ex(logits, y, entropy), how);
    fit.validation = test;
    fit.metric = gtr_accuracy(logits, y);
    gtr_fit(trainer, train, fit);
    gtr_evaluate(trainer, test, 1000, fit.metric, NULL, &accuracy);                     /* of the averages */

    failed = gtr_error(ctx) != GTR_OK;
    if (failed) fprintf(stderr, "%s: %s\n", gtr_result_text(gtr_error(ctx)), gtr_error_text(ctx));
    gtr_destroy(ctx);
    printf("Fashion-MNIST, residual network, %d epochs: test accuracy %.4f in %.0f s, wanted %.3f\n", fit.epochs,
        accuracy, difftime(time(NULL), start), target);
    return failed || accuracy < target;
}
