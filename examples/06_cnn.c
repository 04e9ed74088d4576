/* Fashion-MNIST by a convolutional network: 60,000 images of clothes, from files to accuracy. It shows images
   (N, C, H, W), convolutions and pooling; all else is as in 03_fashion.c. `make cnn` fetches the data and runs it; by
   hand:
     cc -O3 -march=native examples/06_cnn.c -o cnn -lm -pthread && ./cnn folder
     nvcc -O3 -Xcompiler -march=native -DGPUTRAIN_CUDA examples/06_cnn.c
     gputrain_cuda.cu -o cnn
   Arguments: the folder with the four files of H. Xiao, K. Rasul, R. Vollgraf, "Fashion-MNIST", 2017 (licence MIT),
   gunzipped; then, if wanted, the seed (0), the precision (fp32, tf32, bf16, fp16) and the epochs (5). */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TARGET 0.905

static gtr_dataset *load(gtr_context *ctx, const char *folder, const char *part)
{
    static gtr_augment_desc normal;     /* of all pixels for training */
    char images[1024], labels[1024];
    gtr_dataset *set;
    snprintf(images, sizeof images, "%s/%s-images-idx3-ubyte", folder, part);
    snprintf(labels, sizeof labels, "%s/%s-labels-idx1-ubyte", folder, part);
    normal.mean[0] = 0.286f;
    normal.std[0] = 0.353f;
    set = gtr_dataset_idx(ctx, images, labels);
    if (set) gtr_dataset_augment(set, 0, normal);
    return set;
}

int main(int argc, char **argv)
{
    static const char *const precisions[] = { "fp32", "tf32", "bf16", "fp16" };
    static gtr_desc desc;
    static gtr_trainer_desc how;
    static gtr_fit_desc fit;
    gtr_context *ctx;
    gtr_dataset *train, *test;
    gtr_tensor *x, *y, *h, *logits;
    gtr_trainer *trainer;
    float accuracy = 0;
    int i;

    if (argc < 2) {
        fprintf(stderr, "usage: %s folder [seed [fp32|tf32|bf16|fp16 [epochs]]]\n", argv[0]);
        return 2;
    }
    desc.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    for (i = 0; i < 4; i++) if (argc > 3 && !strcmp(argv[3], precisions[i])) how.precision = (gtr_precision)i;
    fit.epochs = argc > 4 ? atoi(argv[4]) : 5;

    ctx = gtr_create(desc);
    printf("%s\n", gtr_device_text(ctx));
    fflush(stdout);
    train = load(ctx, argv[1], "train");
    test = load(ctx, argv[1], "t10k");

    x = gtr_input(ctx, "image", GTR_F32, gtr_shape4(GTR_BATCH, 1, 28, 28)); /* bytes become 0..1, then normal */
    y = gtr_input(ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH));
    h = gtr_relu(gtr_conv2d(x, "conv1", 32, 3, 1, 1));                      /* 32 channels; kernel, stride, padding */
    h = gtr_max_pool2d(h, 2, 0, 0);                                         /* 14 x 14 */
    h = gtr_relu(gtr_conv2d(h, "conv2", 64, 3, 1, 1));
    h = gtr_max_pool2d(h, 2, 0, 0);                                         /* 7 x 7 */
    h = gtr_flatten(h);
    h = gtr_relu(gtr_linear(h, "fc1", 128));
    logits = gtr_linear(h, "fc2", 10);

    how.optimizer = GTR_ADAM;
    how.lr = 1e-3f;
    trainer = gtr_trainer_create(gtr_cross_entropy(logits, y), how);
    fit.batch = 128;
    fit.validation = test;
    fit.metric = gtr_accuracy(logits, y);
    gtr_fit(trainer, train, fit);
    gtr_evaluate(trainer, test, 1000, fit.metric, NULL, &accuracy);

    if (gtr_error(ctx)) fprintf(stderr, "%s: %s\n", gtr_result_text(gtr_error(ctx)), gtr_error_text(ctx));
    gtr_destroy(ctx);
    printf("Fashion-MNIST, %s, %d epochs: test accuracy %.4f\n", precisions[how.precision], fit.epochs, accuracy);
    return accuracy >= TARGET ? 0 : 1;
}
