/* Timings of whole training steps, through gtr_fit as a user would train, beside PyTorch and JAX
   where they are installed.
   usage: bench 03_fashion [row...]            the examples compiled lie in one folder; without rows: the
                                               GPU's on a GPU, else the CPU's; what is no row's name is the beginning
                                               of several's; "all": all; "list": names them; "report": the table of
                                               what build/bench.json holds, measuring nothing
   Environment: BENCH_BUILD (how this was compiled), BENCH_WHO (its name in the results: gputrain), BENCH_FASHION
   (folder of Fashion-MNIST, gunzipped), BENCH_PYTHON (python3), BENCH_PEERS (eager,graph,compile,jit,scan; "none";
   compile-max is PyTorch's max-autotune, which may take a minute a row), BENCH_LIMIT (seconds after which no further
   variant of a peer is prepared for a row: 60), BENCH_SHARD (2/3: the second of three parts of the rows),
   BENCH_CONTROL=1 (trains in a coarser precision than is said, or bends the gradient: parity must fail), BENCH_PARITY=0
   (leaves the proof out), BENCH_CHECK=1 (rows of the GPU run on the CPU, too, float32 for TF32:
   for the proof; limits are not looked at, and nothing is written to build/bench.json), BENCH_BATCH (with it: the most
   rows of a batch).
   Prints a table and merges into build/bench.json; progress goes to build/bench.log. Steps are timed by the wall clock
   in blocks, each ending when the device has finished; ours and the peers' take turns, since a GPU's clock changes as
   it warms. A workload is a row of the table below: the peers' programs get it on their command line, and
   know no rows themselves.

   A row names its network by words with spaces between, which work on a stack of tensors; bench.c builds the network of
   them, and so do torch_bench.py and jax_bench.py (network.py). A word's arguments follow a colon, with commas between.
   Dimension 0 is the batch, and shapes leave it out.
     floats:SHAPE bytes:SHAPE bits:SHAPE labels:C ids:K,V
         pushes an input, the data set's next column: -1 to 1; bytes, which become 0 to 1; 0 or 1; a class below C;
         K ids, of which number k is from kV to (k+1)V - 1, so that each has V rows of a table for itself
     linear:M batch_norm embedding:V,E dropout:P
         a layer, with biases, of the topmost tensor, which it replaces
     conv:O,KERNEL,STRIDE,PADDING,GROUPS conv_no_bias:... conv_transpose:...
         convolutions of images C,H,W or of C,L; the last arguments may be left out: 1, 0, 1
     max_pool:KERNEL,STRIDE,PADDING avg_pool:... global_avg_pool upsample:FACTOR
         of the same; a stride left out is the kernel; upsample repeats the nearest element
     sample
         N(m, exp(v)) of a tensor whose last dimension's first half is m and whose second half v, m + exp(v/2) noise
     kl:A
         A times the mean of such a distribution's divergence from N(0, 1), exp(v) + m m - v - 1, over all elements
     relu tanh gelu sin softplus softmax scale:A mean:AXIS reshape:SHAPE permute:AXES
         the same by an operation; softmax is along the last dimension
     add mul matmul matmul_t concat:K,AXIS
         of the topmost two, the lower one first (matmul_t: a b^T); of the topmost K, along the last dimension; AXIS 1:
         the channels
     cross_entropy mse bce
         of a prediction and, above it, its target; bce takes logits
     dup over swap
         pushes the topmost tensor again; the one below it again; exchanges the two
     K( ... )
         K times what stands between
   What is left is the loss. Where it is one cross_entropy, gtr_fit's metric is the accuracy.
   A row of a pass (forward, dx or dw) times that of the network's second convolution alone, of three alike. Peers have
   its operands in the row's precision, and dw, too, which is float32 here. */
#define _GNU_SOURCE
#define GPUTRAIN_IMPLEMENTATION
#include "../../gputrain.h"
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP, PROCESS, EPOCH };          /* what is timed */
enum { ADAM, MOMENTUM };

typedef struct workload {
    const char   *name;
    int           kind;
    const char   *network;              /* in the words above */
    int64_t       batch, rows;          /* rows 0: 60000, Fashion-MNIST where the columns are its own; else random */
    gtr_precision precision;
    int           optimizer;
    gtr_nonfinite nonfinite;
    int           threads, busy;        /* threads: so many, of the CPU; busy: one more process spins on each core */
    double        limit_us;             /* 0: none */
    double        compile;              /* so many times faster than PyTorch compiled */
    double        of_best, of_torch;    /* of the best peer's time; of PyTorch's best */
    double        of_peak;              /* at least so much of the multiply-adds that the cores can do */
    double        memory;               /* of PyTorch's best, beside the parameters */
    const char   *neighbour;            /* at most 1.3 times as long as this row, stage by stage */
    const char   *pass;                 /* forward, dx, dw: what is timed of a step */
    const char   *same;                 /* computes what this row does: neither peers nor proof anew */
    const char   *program;              /* of a process: the example's name */
} workload;

#define LAYERS(in, a, act, b, c, out) "bytes:" #in " linear:" #a " " #act " linear:" #b " " #act " " c "linear:" #out
#define SMALL      LAYERS(784, 256, relu, 128, "", 10) " labels:10 cross_entropy"
#define FIELD(n)   "floats:32 4( linear:" #n " relu ) linear:3 floats:3 mse", .precision = GTR_MIXED_FP16
#define WIDE       "floats:4096 3( linear:4096 relu ) linear:4096 floats:4096 mse", .batch = 4096, .rows = 32768
#define BESIDE     .precision = GTR_TF32, .compile = 1.5, .neighbour = "mlp-small-b128-tf32"
#define TO_10      "linear:10 labels:10 cross_entropy"
#define RES_GELU   "bytes:784 linear:256 4( dup linear:512 gelu linear:256 add ) " TO_10, .batch = 128
#define RES_BN     "bytes:784 linear:512 4( dup batch_norm relu linear:512 relu linear:512 add ) " TO_10, .batch = 256
#define RES_WIDE   "floats:2048 6( dup linear:2048 relu linear:2048 add ) floats:2048 mse", \
                   .batch = 4096, .rows = 1 << 15
#define MLP_BN     "bytes:784 linear:1024 batch_norm relu linear:512 batch_norm relu linear:256 batch_norm relu " \
                   TO_10, .batch = 512
#define MLP_DEEP   "floats:64 19( linear:64 relu ) linear:64 floats:64 mse", .batch = 32, .rows = 1 << 15
#define MLP_GELU   "floats:300 2( linear:500 gelu ) linear:3 floats:3 mse", .batch = 1024, .rows = 1 << 16
#define FIELD_GELU "floats:63 4( linear:64 gelu ) linear:4 floats:4 mse", .batch = 1 << 17, .rows = 1 << 20
#define ENCODER    "bytes:784 dup linear:512 relu linear:128 relu linear:32 relu linear:128 relu linear:512 relu " \
                   "linear:784 swap bce", .batch = 256
/* (Kingma and Welling, 2014); a row's divergence to a row's bce, each a sum, as 784 elements' mean to 20's */
#define VAE        "bytes:784 dup linear:400 relu linear:40 swap over sample linear:400 relu linear:784 swap bce " \
                   "swap kl:0.0127551 add", .batch = 128
#define TWO_HEADS  "floats:24 2( linear:128 tanh ) dup linear:6 labels:6 cross_entropy swap linear:1 floats:1 mse " \
                   "add", .batch = 64, .rows = 1 << 16
#define CTR        "8( ids:1,50000 embedding:50000,16 reshape:16 ) floats:13 concat:9 2( linear:400 relu ) " \
                   "linear:1 bits:1 bce", .batch = 4096, .rows = 1 << 20
#define MIXER      "floats:16,64 4( dup permute:2,1 linear:64 gelu linear:16 permute:2,1 add " \
                   "dup linear:256 gelu linear:64 add ) mean:1 " TO_10, .batch = 128, .rows = 1 << 14
#define SIREN      "floats:256 4( linear:256 scale:3 sin ) linear:3 floats:3 mse", .rows = 1 << 16
#define CHAIN4     "floats:256 4( dup linear:256 scale:2 sin softplus mul ) linear:3 floats:3 mse", .rows = 1 << 15
#define HEADS      "reshape:32,2,32 permute:2,1,3 "
#define ATTENTION  "floats:32,64 2( dup dup linear:64 " HEADS "over linear:64 " HEADS "matmul_t scale:0.1767766953 " \
                   "softmax swap linear:64 " HEADS "matmul permute:2,1,3 reshape:32,64 linear:64 add " \
                   "dup linear:256 gelu linear:64 add ) mean:1 " TO_10, .batch = 32, .rows = 1 << 13
#define CNN        "bytes:1,28,28 conv:32,3,1,1 relu max_pool:2 conv:64,3,1,1 relu max_pool:2 reshape:3136 " \
                   "linear:128 relu " TO_10
/* He, Zhang, Ren, Sun, 2016, with the stem for small images; a stage's first block halves the image. */
#define CONV_BN(c, kernel, stride, padding) \
                   "conv_no_bias:" #c "," #kernel "," #stride "," #padding " batch_norm "
#define RES_SAME(c) "dup " CONV_BN(c, 3, 1, 1) "relu " CONV_BN(c, 3, 1, 1) "add relu "
#define RES_HALF(c) "dup " CONV_BN(c, 3, 2, 1) "relu " CONV_BN(c, 3, 1, 1) "swap " CONV_BN(c, 1, 2, 0) "add relu "
#define STAGES     RES_SAME(64) RES_SAME(64) RES_HALF(128) RES_SAME(128) RES_HALF(256) RES_SAME(256) \
                   RES_HALF(512) RES_SAME(512) "global_avg_pool "
#define RESNET18   "floats:3,32,32 " CONV_BN(64, 3, 1, 1) "relu " STAGES TO_10, .batch = 512, .rows = 1 << 13
/* torchvision's */
#define RESNET_224 "floats:3,224,224 " CONV_BN(64, 7, 2, 3) "relu max_pool:3,2,1 " STAGES \
                   "linear:1000 labels:1000 cross_entropy", .batch = 64, .rows = 1 << 9
#define RESNET8    "floats:3,32,32 " CONV_BN(16, 3, 1, 1) "relu " RES_SAME(16) RES_HALF(32) RES_HALF(64) \
                   "global_avg_pool " TO_10, .batch = 64, .rows = 1 << 12
#define LENET      "bytes:1,28,28 conv:16,5,1,2 relu max_pool:2 conv:32,5 relu max_pool:2 reshape:800 " \
                   "linear:120 relu " TO_10, .batch = 256
#define RGB64      "floats:3,64,64 conv:32,3,1,1 relu max_pool:2 conv:64,3,1,1 relu max_pool:2 conv:128,3,1,1 relu " \
                   "max_pool:2 conv:128,3,1,1 relu global_avg_pool linear:100 labels:100 cross_entropy", \
                   .batch = 256, .rows = 1 << 12
/* Howard et al., 2017 */
#define SEPARABLE(from, to, stride) \
                   "conv_no_bias:" #from ",3," #stride ",1," #from " batch_norm relu " CONV_BN(to, 1, 1, 0) "relu "
#define MOBILE     "floats:3,32,32 " CONV_BN(32, 3, 1, 1) "relu " SEPARABLE(32, 64, 1) SEPARABLE(64, 128, 2) \
                   SEPARABLE(128, 128, 1) SEPARABLE(128, 256, 2) SEPARABLE(256, 256, 1) \
                   "global_avg_pool " TO_10, .batch = 256, .rows = 1 << 13
#define STRIDED    "floats:3,32,32 conv:32,3,2,1 relu conv:64,3,2,1 relu conv:128,3,2,1 relu reshape:2048 " \
                   TO_10, .batch = 128, .rows = 1 << 14
/* Ronneberger, Fischer, Brox, 2015: what is left at the top before a pool joins what comes back to its size. */
#define UNET       "floats:1,64,64 2( conv:16,3,1,1 relu ) dup max_pool:2 2( conv:32,3,1,1 relu ) dup max_pool:2 " \
                   "2( conv:64,3,1,1 relu ) upsample:2 concat:2,1 2( conv:32,3,1,1 relu ) upsample:2 concat:2,1 " \
                   "2( conv:16,3,1,1 relu ) conv:1,1 bits:1,64,64 bce", .batch = 32, .rows = 1 << 11
#define CONV_CODER "floats:3,32,32 dup conv:32,3,2,1 gelu conv:64,3,2,1 gelu conv_transpose:32,4,2,1 gelu " \
                   "conv_transpose:3,4,2,1 swap mse", .batch = 128, .rows = 1 << 13
#define WINDOWS    "floats:6,128 conv:64,5,1,2 batch_norm relu max_pool:2 conv:128,5,1,2 batch_norm relu max_pool:2 " \
                   "conv:128,5,1,2 batch_norm relu global_avg_pool linear:6 labels:6 cross_entropy", \
                   .batch = 256, .rows = 1 << 14
#define OF_COMPILED .compile = 1 / 0.7
#define TF32_ROW   .precision = GTR_TF32
#define BF16_ROW   .precision = GTR_MIXED_BF16
/* Eight alike before a small loss: one costs an eighth of the step, forward and both gradients. */
#define CONVS(c, side) \
                   "floats:" #c "," #side "," #side " 8( conv_no_bias:" #c ",3,1,1 ) global_avg_pool " \
                   "floats:" #c " mse", .batch = 512, .rows = 512, .optimizer = MOMENTUM, .of_torch = 1
#define PASS(c, side, which) { "conv3x3-" #c "-" #side "-" which, STEP, \
                   "floats:" #c "," #side "," #side " 3( conv_no_bias:" #c ",3,1,1 ) global_avg_pool " \
                   "floats:" #c " mse", .batch = 512, .rows = 512, BF16_ROW, .pass = which, .of_torch = 1 }
#define PASSES(c, side) PASS(c, side, "forward"), PASS(c, side, "dx"), PASS(c, side, "dw")
#define CPU_STEP   .threads = 2, .of_torch = 0.6
static workload table[] = {
    { "mlp-small-b128-tf32",          STEP, SMALL, .batch = 128, .precision = GTR_TF32, .limit_us = 10 },
    { "mlp-small-b1024-tf32",         STEP, SMALL, .batch = 1024, .precision = GTR_TF32, .limit_us = 22 },
    { "mlp-small-w783-b128-tf32",     STEP, LAYERS(783, 257, relu, 127, "", 10) " labels:10 cross_entropy",
      .batch = 128, BESIDE },
    { "mlp-small-w785-b128-tf32",     STEP, LAYERS(785, 255, relu, 129, "", 10) " labels:10 cross_entropy",
      .batch = 128, BESIDE },
    { "mlp-small-b127-tf32",          STEP, SMALL, .batch = 127, BESIDE },
    { "mlp-small-b96-tf32",           STEP, SMALL, .batch = 96, BESIDE },
    { "mlp-small-tanh-mse-b128-tf32", STEP, LAYERS(784, 256, tanh, 128, "", 10) " floats:10 mse",
      .batch = 128, BESIDE },
    { "mlp-small-sgd-b128-tf32",      STEP, SMALL,
      .batch = 128, .precision = GTR_TF32, .optimizer = MOMENTUM, .compile = 1.5 },
    { "mlp-small-dropout-b128-tf32",  STEP,
      "bytes:784 linear:256 relu dropout:0.2 linear:128 relu linear:10 labels:10 cross_entropy", .batch = 128, BESIDE },
    { "mlp-small-5l-b128-tf32",       STEP,
      LAYERS(784, 256, relu, 128, "2( linear:128 relu ) ", 10) " labels:10 cross_entropy", .batch = 128, BESIDE },
    { "mlp-small-2out-b128-tf32",     STEP, LAYERS(784, 256, relu, 128, "", 2) " labels:2 cross_entropy",
      .batch = 128, BESIDE },
    { "mlp-small-b128-bf16",          STEP, SMALL, .batch = 128, .precision = GTR_MIXED_BF16, .compile = 1.5 },
    { "mlp-wide-bf16",                STEP, WIDE, .precision = GTR_MIXED_BF16, .limit_us = 2850, .memory = 1 },
    { "mlp-wide-bf16-lossguard",      STEP, WIDE, .precision = GTR_MIXED_BF16, .limit_us = 2600, .memory = 1,
        .nonfinite = GTR_NONFINITE_LOSS, .same = "mlp-wide-bf16" },
    { "mlp-wide-tf32",                STEP, WIDE, .precision = GTR_TF32, .limit_us = 5250, .memory = 1.25 },
    { "mlp-wide-tf32-lossguard",      STEP, WIDE, .precision = GTR_TF32, .limit_us = 5000, .memory = 1.25,
        .nonfinite = GTR_NONFINITE_LOSS, .same = "mlp-wide-tf32" },
    { "field-64-fp16",                STEP, FIELD(64), .batch = 1 << 18, .rows = 1 << 21, .limit_us = 100,
        .memory = 0.15 },
    { "field-64-2e14-fp16",           STEP, FIELD(64), .batch = 1 << 14, .rows = 1 << 17, .limit_us = 20 },
    { "field-128-fp16",               STEP, FIELD(128), .batch = 1 << 18, .rows = 1 << 21, .limit_us = 300,
        .memory = 0.15 },
    { "res-gelu-b128-tf32",           STEP, RES_GELU, .precision = GTR_TF32, .of_best = 0.6 },
    { "res-gelu-b128-bf16",           STEP, RES_GELU, .precision = GTR_MIXED_BF16, .of_best = 0.6 },
    { "res-bn-b256-tf32",             STEP, RES_BN, .precision = GTR_TF32, .of_best = 0.6 },
    { "res-bn-b256-bf16",             STEP, RES_BN, .precision = GTR_MIXED_BF16, .of_best = 0.6 },
    { "res-wide-bf16",                STEP, RES_WIDE, .precision = GTR_MIXED_BF16, .of_torch = 0.9 },
    { "mlp-bn-b512-tf32",             STEP, MLP_BN, .precision = GTR_TF32, .of_best = 0.6 },
    { "mlp-bn-b512-bf16",             STEP, MLP_BN, .precision = GTR_MIXED_BF16, .of_best = 0.6 },
    { "mlp-deep-b32-tf32",            STEP, MLP_DEEP, .precision = GTR_TF32, .of_best = 0.25 },
    { "mlp-gelu-b1024-tf32",          STEP, MLP_GELU, .precision = GTR_TF32, .of_best = 0.5 },
    { "field-gelu-2e17-fp16",         STEP, FIELD_GELU, .precision = GTR_MIXED_FP16, .of_best = 0.5 },
    { "autoencoder-b256-tf32",        STEP, ENCODER, .precision = GTR_TF32, .of_best = 0.6 },
    { "vae",                          STEP, VAE, .precision = GTR_TF32, .of_best = 0.6 },
    { "two-heads-b64-tf32",           STEP, TWO_HEADS, .precision = GTR_TF32, .of_best = 0.35 },
    { "ctr-b4096-tf32",               STEP, CTR, .precision = GTR_TF32, .of_best = 0.6 },
    { "mixer-b128-tf32",              STEP, MIXER, .precision = GTR_TF32, .of_best = 0.45 },
    { "attention-b32-tf32",           STEP, ATTENTION, .precision = GTR_TF32, .of_best = 0.6 },
    { "attention-b32-bf16",           STEP, ATTENTION, .precision = GTR_MIXED_BF16, .of_best = 0.6 },
    { "siren-b64-tf32",               STEP, SIREN, .batch = 64, .precision = GTR_TF32, .of_best = 0.6 },
    { "siren-b4096-tf32",             STEP, SIREN, .batch = 4096, .precision = GTR_TF32, .of_best = 0.9 },
    { "chain4-b128-tf32",             STEP, CHAIN4, .batch = 128, .precision = GTR_TF32, .of_best = 0.6 },
    { "chain4-b128-bf16",             STEP, CHAIN4, .batch = 128, .precision = GTR_MIXED_BF16, .of_best = 0.6 },
    { "cnn-b128-bf16",                STEP, CNN, BF16_ROW, .batch = 128, .limit_us = 70, .memory = 0.3 },
    { "cnn-b128-tf32",                STEP, CNN, TF32_ROW, .batch = 128, .limit_us = 80, .memory = 0.3 },
    { "cnn-b1024-bf16",               STEP, CNN, BF16_ROW, .batch = 1024, .limit_us = 230, .memory = 0.3 },
    { "cnn-b1024-tf32",               STEP, CNN, TF32_ROW, .batch = 1024, .limit_us = 300, .memory = 0.3 },
    { "resnet18-b512-bf16",           STEP, RESNET18, BF16_ROW, .limit_us = 5000, .memory = 0.6 },
    { "resnet18-b512-tf32",           STEP, RESNET18, TF32_ROW, .limit_us = 10000, .memory = 0.6 },
    { "resnet18-224-b64-bf16",        STEP, RESNET_224, BF16_ROW, .of_torch = 0.9 },
    { "lenet-b256-tf32",              STEP, LENET, TF32_ROW, OF_COMPILED },
    { "rgb64-b256-bf16",              STEP, RGB64, BF16_ROW, OF_COMPILED },
    { "separable-b256-bf16",          STEP, MOBILE, BF16_ROW, OF_COMPILED },
    { "separable-b256-tf32",          STEP, MOBILE, TF32_ROW, OF_COMPILED },
    { "strided-b128-tf32",            STEP, STRIDED, TF32_ROW, OF_COMPILED },
    { "unet-b32-bf16",                STEP, UNET, BF16_ROW, OF_COMPILED },
    { "unet-b32-tf32",                STEP, UNET, TF32_ROW, OF_COMPILED },
    { "conv-coder-b128-tf32",         STEP, CONV_CODER, TF32_ROW, OF_COMPILED },
    { "conv1d-b256-tf32",             STEP, WINDOWS, TF32_ROW, OF_COMPILED },
    { "conv-64-32",                   STEP, CONVS(64, 32), BF16_ROW },
    { "conv-128-16",                  STEP, CONVS(128, 16), BF16_ROW },
    { "conv-256-8",                   STEP, CONVS(256, 8), BF16_ROW },
    { "conv-512-4",                   STEP, CONVS(512, 4), BF16_ROW },
    PASSES(64, 32), PASSES(128, 16), PASSES(256, 8), PASSES(512, 4),
    { "process-mlp",     PROCESS, SMALL, TF32_ROW, .batch = 128, .limit_us = 550e3, .program = "03_fashion" },
    { "process-cnn",     PROCESS, CNN, TF32_ROW, .batch = 128, .limit_us = 750e3, .program = "06_cnn" },
    { "cpu-mlp-1t",      EPOCH,   SMALL, .batch = 128, .threads = 1, .of_torch = 0.66 },
    { "cpu-mlp-2t",      EPOCH,   SMALL, .batch = 128, .threads = 2, .of_torch = 0.66, .of_peak = 0.6 },
    { "cpu-mlp-2t-busy", EPOCH,   SMALL, .batch = 128, .threads = 2, .busy = 1, .of_torch = 0.66 },
    { "cpu-cnn-2t",      EPOCH,   CNN, .batch = 128, .threads = 2, .of_torch = 0.66 },
    { "cpu-res-gelu-2t",    STEP, RES_GELU, CPU_STEP },
    { "cpu-res-bn-2t",      STEP, RES_BN, CPU_STEP },
    { "cpu-mlp-bn-2t",      STEP, MLP_BN, CPU_STEP },
    { "cpu-mlp-deep-2t",    STEP, MLP_DEEP, CPU_STEP },
    { "cpu-mlp-gelu-2t",    STEP, MLP_GELU, CPU_STEP },
    { "cpu-field-gelu-2t",  STEP, FIELD_GELU, CPU_STEP },
    { "cpu-autoencoder-2t", STEP, ENCODER, CPU_STEP },
    { "cpu-vae-2t",         STEP, VAE, CPU_STEP },
    { "cpu-two-heads-2t",   STEP, TWO_HEADS, CPU_STEP },
    { "cpu-ctr-2t",         STEP, CTR, CPU_STEP },
    { "cpu-mixer-2t",       STEP, MIXER, CPU_STEP },
    { "cpu-attention-2t",   STEP, ATTENTION, CPU_STEP },
    { "cpu-resnet-small-2t", STEP, RESNET8, CPU_STEP },
};
enum { ROWS = sizeof table / sizeof *table, TURNS = 7 };

#define MAX_TIMES 64
typedef struct figure {
    char work[48], who[32]; double time[MAX_TIMES]; int n; double us, us_min, us_max, rest_bytes, floor_us, feed_us;
} figure;
static figure figures[512];
static int n_figures, misses;
static const char *fashion_program, *fashion_folder, *python, *who;
static char device[512] = "CPU";
static bool reporting, checking;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}
static int by_size(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b; return d < 0 ? -1 : d > 0;
}
static void settle(figure *f)
{
    if (!f->n) return;
    qsort(f->time, (size_t)f->n, sizeof *f->time, by_size);
    f->us = f->time[f->n / 2];
    f->us_min = f->time[0];
    f->us_max = f->time[f->n - 1];
}
static figure *find(const char *work, const char *name)
{
    int i;
    for (i = 0; i < n_figures; i++) if (!strcmp(figures[i].work, work) && !strcmp(figures[i].who, name))
        return &figures[i];
    return NULL;
}
/* An empty figure: a new one, or in place of the one that was there. */
static figure *new_figure(const char *work, const char *name)
{
    figure *f = find(work, name);
    if (!f && n_figures == sizeof figures / sizeof *figures) exit(3);
    if (!f) f = &figures[n_figures++];
    memset(f, 0, sizeof *f);
    snprintf(f->work, sizeof f->work, "%s", work);
    snprintf(f->who, sizeof f->who, "%s", name);
    return f;
}
static void expect(int ok, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    printf("    %s ", ok ? "ok  " : "MISS");
    vprintf(format, ap);
    putchar('\n');
    va_end(ap);
    misses += !ok;
}
static const workload *row_of(const char *name)
{
    int k;
    for (k = 0; k < ROWS; k++) if (!strcmp(table[k].name, name)) return &table[k];
    return NULL;
}

/* Whether an argument names this row: as a whole or, where it is no row's name, by its beginning. */
static bool names(const char *argument, const workload *w)
{
    return !strcmp(argument, "all") || !strncmp(argument, w->name, strlen(argument) + (row_of(argument) != NULL));
}

static bool on_cpu(const workload *w) { return w->threads > 0 || checking; }
static gtr_precision precision_of(const workload *w)
{
    return on_cpu(w) && w->precision == GTR_TF32 ? GTR_FP32 : w->precision;
}

static bool have_fashion(void)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/train-images-idx3-ubyte", fashion_folder);
    return access(path, R_OK) == 0;
}
/* 60000 rows of bytes:784, or bytes:1,28,28, and labels:10 are Fashion-MNIST. */
static bool on_fashion(const workload *w)
{
    bool images = !strncmp(w->network, "bytes:784 ", 10) || !strncmp(w->network, "bytes:1,28,28 ", 14);
    return !w->rows && images && strstr(w->network, " labels:10 ") && have_fashion();
}

/* >> network: built of a row's words */
enum { FLOATS, BYTES, BITS, LABELS, IDS, MOST = 16 };     /* inputs, and what a word takes */
typedef struct column { int kind; gtr_shape shape; int64_t limit; } column;     /* limit: of labels, or of each id */
typedef struct value { gtr_tensor *t; int depth; } value;       /* depth: layers and products from the inputs to here */
typedef struct network {
    gtr_context *ctx;
    gtr_tensor *loss, *metric;
    gtr_trainer *trainer;
    gtr_dataset *data;
    column column[MOST];
    int columns, depth, top;
    value stack[MOST];
    bool fashion;
    char name[16];
    double flops;                       /* of the products of a step, for one row of the batch */
} network;
/* dims: what dimensions 1 and on are. */
static gtr_shape shape_of(const double *dims, int n)
{
    gtr_shape s = gtr_shape1(GTR_BATCH);
    for (; s.ndim <= n && s.ndim < GTR_MAX_DIMS; s.ndim++) s.dim[s.ndim] = (int64_t)dims[s.ndim - 1];
    return s;
}
static const char *named(network *n, const char *kind, int number)
{
    snprintf(n->name, sizeof n->name, "%s%d", kind, number);
    return n->name;
}
static gtr_tensor *input(network *n, int kind, const double *arg, int args)
{
    static const char *const columns[] = { "image", "label" };      /* of an IDX data set */
    column *c = &n->column[n->columns++];
    const char *name = n->fashion && n->columns <= 2 ? columns[n->columns - 1] : named(n, "x", n->columns);
    c->kind = kind;
    c->limit = (int64_t)arg[args - 1];
    c->shape = shape_of(arg, kind == LABELS ? 0 : kind == IDS ? 1 : args);
    return gtr_input(n->ctx, name, kind >= LABELS ? GTR_I32 : GTR_F32, c->shape);
}
static gtr_tensor *permuted(gtr_tensor *x, const double *arg, int args)
{
    int dims[GTR_MAX_DIMS] = { 0 }, i;
    for (i = 0; i < args && i + 1 < GTR_MAX_DIMS; i++) dims[i + 1] = (int)arg[i];
    return gtr_permute(x, dims);
}
static gtr_tensor *joined(const value *x, int n, int axis)
{
    gtr_tensor *part[MOST];
    int i;
    for (i = 0; i < n; i++) part[i] = x[i].t;
    return gtr_concat(part, n, axis);
}
static gtr_conv_desc filters(const double *arg, bool no_bias)
{
    gtr_conv_desc d;
    memset(&d, 0, sizeof d);
    d.out = (int64_t)arg[0];
    d.kernel = (int)arg[1];
    d.stride = (int)arg[2];
    d.padding = (int)arg[3];
    d.groups = (int64_t)arg[4];
    d.no_bias = no_bias;
    return d;
}
static gtr_tensor *cross_entropy(network *n, gtr_tensor *logits, gtr_tensor *labels)
{
    n->metric = gtr_accuracy(logits, labels);
    return gtr_cross_entropy(logits, labels);
}
static gtr_tensor *sampled(gtr_tensor *x, const char *name)
{
    gtr_tensor *m = gtr_split(x, -1, 2), *v = gtr_output(m, 1);
    return gtr_add(m, gtr_mul(gtr_exp(gtr_scale(v, 0.5f, 0)), gtr_random_normal(m, name)));
}
static gtr_tensor *divergence(gtr_tensor *x, float a)
{
    gtr_tensor *m = gtr_split(x, -1, 2), *v = gtr_output(m, 1);
    return gtr_scale(gtr_mean(gtr_sub(gtr_add(gtr_exp(v), gtr_mul(m, m)), v), NULL, 0, false), a, -a);
}
enum { PLAIN, DEEPER, PRODUCT, CONV, CONV_BACK };
/* Word; tensors it takes (-1: as many as its argument says); arguments; what it is; the tensor it leaves. */
#define WORDS(X) \
    X(floats,        0, 1, PLAIN,   input(n, FLOATS, arg, args)) \
    X(bytes,         0, 1, PLAIN,   input(n, BYTES, arg, args)) \
    X(bits,          0, 1, PLAIN,   input(n, BITS, arg, args)) \
    X(labels,        0, 1, PLAIN,   input(n, LABELS, arg, args)) \
    X(ids,           0, 2, PLAIN,   input(n, IDS, arg, args)) \
    X(linear,        1, 1, PRODUCT, gtr_linear(x[0].t, named(n, "fc", count), (int64_t)arg[0])) \
    X(batch_norm,    1, 0, DEEPER,  gtr_batch_norm(x[0].t, named(n, "bn", count))) \
    X(conv,          1, 2, CONV,    gtr_conv2d_ex(x[0].t, named(n, "conv", count), filters(arg, false))) \
    X(conv_no_bias,  1, 2, CONV,    gtr_conv2d_ex(x[0].t, named(n, "filter", count), filters(arg, true))) \
    X(conv_transpose, 1, 2, CONV_BACK, \
      gtr_conv_transpose2d_ex(x[0].t, named(n, "back", count), filters(arg, false))) \
    X(max_pool,      1, 1, PLAIN,   gtr_max_pool2d(x[0].t, (int)arg[0], (int)arg[1], (int)arg[2])) \
    X(avg_pool,      1, 1, PLAIN,   gtr_avg_pool2d(x[0].t, (int)arg[0], (int)arg[1], (int)arg[2])) \
    X(global_avg_pool, 1, 0, PLAIN, gtr_global_avg_pool(x[0].t)) \
    X(upsample,      1, 1, PLAIN,   gtr_upsample2d(x[0].t, (int64_t)arg[0], false)) \
    X(embedding,     1, 2, DEEPER,  gtr_embedding(x[0].t, named(n, "emb", count), (int64_t)arg[0], (int64_t)arg[1])) \
    X(dropout,       1, 1, PLAIN,   gtr_dropout(x[0].t, named(n, "drop", count), (float)arg[0])) \
    X(sample,        1, 0, PLAIN,   sampled(x[0].t, named(n, "noise", count))) \
    X(kl,            1, 1, PLAIN,   divergence(x[0].t, (float)arg[0])) \
    X(relu,          1, 0, PLAIN,   gtr_relu(x[0].t)) \
    X(tanh,          1, 0, PLAIN,   gtr_tanh(x[0].t)) \
    X(gelu,          1, 0, PLAIN,   gtr_gelu(x[0].t)) \
    X(sin,           1, 0, PLAIN,   gtr_sin(x[0].t)) \
    X(softplus,      1, 0, PLAIN,   gtr_softplus(x[0].t, 1)) \
    X(softmax,       1, 0, PLAIN,   gtr_softmax(x[0].t, -1)) \
    X(scale,         1, 1, PLAIN,   gtr_scale(x[0].t, (float)arg[0], 0)) \
    X(mean,          1, 1, PLAIN,   gtr_mean(x[0].t, &(int){ (int)arg[0] }, 1, false)) \
    X(reshape,       1, 1, PLAIN,   gtr_reshape(x[0].t, shape_of(arg, args))) \
    X(permute,       1, 1, PLAIN,   permuted(x[0].t, arg, args)) \
    X(add,           2, 0, PLAIN,   gtr_add(x[0].t, x[1].t)) \
    X(mul,           2, 0, PLAIN,   gtr_mul(x[0].t, x[1].t)) \
    X(matmul,        2, 0, PRODUCT, gtr_matmul(x[0].t, x[1].t)) \
    X(matmul_t,      2, 0, PRODUCT, gtr_matmul_t(x[0].t, false, x[1].t, true)) \
    X(concat,       -1, 1, PLAIN,   joined(x, args ? (int)arg[0] : 0, args > 1 ? (int)arg[1] : -1)) \
    X(cross_entropy, 2, 0, PLAIN,   cross_entropy(n, x[0].t, x[1].t)) \
    X(mse,           2, 0, PLAIN,   gtr_mse(x[0].t, x[1].t)) \
    X(bce,           2, 0, PLAIN,   gtr_bce_with_logits(x[0].t, x[1].t))
typedef gtr_tensor *word_function(network *n, const value *x, const double *arg, int args, int count);
typedef struct word { const char *name; int takes, args, kind; word_function *make; } word;
#define WORD_FUNCTION(name, takes, least, kind, result) \
    static gtr_tensor *make_##name(network *n, const value *x, const double *arg, int args, int count) \
    { (void)n; (void)x; (void)arg; (void)args; (void)count; return result; }
#define WORD_ROW(name, takes, least, kind, result) { #name, takes, least, kind, make_##name },
WORDS(WORD_FUNCTION)
static const word words[] = { WORDS(WORD_ROW) { NULL, 0, 0, 0, NULL } };

static double elements(const gtr_shape *s)
{
    double n = 1;
    int i;
    for (i = 1; i < s->ndim; i++) n *= (double)s->dim[i];
    return n;
}
/* A product costs as much forward and for each operand's gradient, which nobody needs for an input of the network.
   A transposed convolution is one from y to x, backwards. */
static double flops_of(int kind, value x, gtr_tensor *y, const double *arg)
{
    gtr_shape a = gtr_tensor_shape(x.t), b = gtr_tensor_shape(y), from = kind == CONV_BACK ? b : a;
    gtr_shape to = kind == CONV_BACK ? a : b;
    double terms = (double)from.dim[kind == PRODUCT ? from.ndim - 1 : 1];
    int i;
    if (kind != PRODUCT) terms /= arg[4] > 0 ? arg[4] : 1;
    for (i = 2; kind != PRODUCT && i < from.ndim; i++) terms *= arg[1];
    return (x.depth ? 6 : 4) * elements(&to) * terms;
}
static void do_word(network *n, const char *text, int *count)
{
    size_t length = strcspn(text, ":");
    double arg[GTR_MAX_DIMS] = { 0 };
    int args = 0, takes, i, depth = 0;
    const char *at = text[length] ? text + length : NULL;
    const word *w = words;
    value *end = &n->stack[n->top], *x, y;
    for (; at && args < GTR_MAX_DIMS; at = strchr(at + 1, ',')) arg[args++] = atof(at + 1);
    n->metric = NULL;
    if (!strcmp(text, "dup") && n->top >= 1 && n->top < MOST) { *end = end[-1]; n->top++; return; }
    if (!strcmp(text, "over") && n->top >= 2 && n->top < MOST) { *end = end[-2]; n->top++; return; }
    if (!strcmp(text, "swap") && n->top >= 2) { y = end[-1]; end[-1] = end[-2]; end[-2] = y; return; }
    while (w->name && (strlen(w->name) != length || memcmp(w->name, text, length))) w++;
    takes = w->takes < 0 ? (int)arg[0] : w->takes;
    if (!w->name || takes > n->top || args < w->args || (!takes && (n->top == MOST || n->columns == MOST))) {
        printf("bench: the word %s cannot stand there in a network\n", text);
        exit(3);
    }
    x = end - takes;
    for (i = 0; i < takes; i++) depth = GTR__MAX(depth, x[i].depth);
    y.t = w->make(n, x, arg, args, ++count[w - words]);
    y.depth = depth + (w->kind != PLAIN);
    if (y.t && w->kind >= PRODUCT) n->flops += flops_of(w->kind, x[0], y.t, arg);
    *x = y;
    n->top += 1 - takes;
}
/* Up to the end, or behind the ")" of a repetition's body. */
static const char *do_words(network *n, const char *at, int *count)
{
    char text[64];
    const char *body;
    int times;
    for (at += strspn(at, " "); *at && *at != ')'; at += strspn(at, " ")) {
        snprintf(text, sizeof text, "%.*s", (int)strcspn(at, " "), at);
        body = at += strlen(text);
        if (body[-1] != '(') do_word(n, text, count);
        else for (times = atoi(text); times > 0; times--) at = do_words(n, body, count);
    }
    return at + (*at == ')');
}
/* The graph alone: loss, metric, columns, depth, flops. */
static network graph_of(const workload *w, gtr_desc d)
{
    network n;
    int count[sizeof words / sizeof *words] = { 0 };
    memset(&n, 0, sizeof n);
    n.ctx = gtr_create(d);
    n.fashion = on_fashion(w);
    do_words(&n, w->network, count);
    n.loss = n.stack[0].t;
    n.depth = n.stack[0].depth;
    return n;
}
static int depth(const workload *w, double *flops)
{
    gtr_desc d;
    network n;
    memset(&d, 0, sizeof d);
    d.preset = GTR_PRESET_CPU;
    n = graph_of(w, d);
    gtr_destroy(n.ctx);
    if (flops) *flops = n.flops;
    return n.depth;
}

/* >> data: the stream that the peers' programs make as well (network.py) */
static float mixed(uint32_t i, uint32_t seed)
{
    uint32_t x = i * 0x9E3779B1u + seed * 0x85EBCA77u + 1u;
    x ^= x >> 16;
    x *= 0x7FEB352Du;
    x ^= x >> 15;
    x *= 0x846CA68Bu;
    x ^= x >> 16;
    return (float)(x >> 8) / 8388608.0f - 1;
}
static void draw(const column *c, void *to, int64_t n, int64_t wide, uint32_t seed)
{
    int64_t i;
    for (i = 0; i < n; i++) {
        float r = mixed((uint32_t)i, seed), below = (float)c->limit * 0.49999f * (1 + r);
        switch (c->kind) {
        case FLOATS: ((float *)to)[i] = r; break;
        case BYTES:  ((uint8_t *)to)[i] = (uint8_t)(127.5f * (1 + r)); break;
        case BITS:   ((float *)to)[i] = r > 0; break;
        default:     ((int32_t *)to)[i] = (int32_t)below + (int32_t)(c->kind == IDS ? i % wide * c->limit : 0);
        }
    }
}
static gtr_dataset *data_of(const network *n, const workload *w)
{
    gtr_arrays_desc d;
    gtr_dataset *set;
    void *data[MOST];
    int k;
    if (n->fashion) {
        char images[1024], labels[1024];
        snprintf(images, sizeof images, "%s/train-images-idx3-ubyte", fashion_folder);
        snprintf(labels, sizeof labels, "%s/train-labels-idx1-ubyte", fashion_folder);
        return gtr_dataset_idx(n->ctx, images, labels);
    }
    memset(&d, 0, sizeof d);
    d.rows = w->rows ? w->rows : 60000;
    for (k = 0; k < n->columns; k++) {
        const column *c = &n->column[k];
        int64_t wide = (int64_t)elements(&c->shape);
        d.column[k].dtype = c->kind == BYTES ? GTR_U8 : c->kind >= LABELS ? GTR_I32 : GTR_F32;
        d.column[k].shape.ndim = c->shape.ndim - 1;
        memcpy(d.column[k].shape.dim, c->shape.dim + 1, sizeof c->shape.dim - sizeof *c->shape.dim);
        d.column[k].data = data[k] = malloc((size_t)(d.rows * wide) * 4);
        draw(c, data[k], d.rows * wide, wide, (uint32_t)k + 1);
    }
    set = gtr_dataset_arrays(n->ctx, d);
    for (k = 0; k < n->columns; k++) free(data[k]);
    return set;
}
static network network_of(const workload *w, gtr_precision precision)
{
    network n;
    gtr_desc d;
    gtr_trainer_desc how;
    memset(&d, 0, sizeof d);
    memset(&how, 0, sizeof how);
    d.device = on_cpu(w) ? GTR_DEVICE_CPU : GTR_DEVICE_CUDA;
    d.threads = w->threads;
    n = graph_of(w, d);
    n.data = data_of(&n, w);
    how.optimizer = w->optimizer == ADAM ? GTR_ADAM : GTR_SGD;
    how.momentum = w->optimizer == ADAM ? 0 : 0.9f;
    how.lr = w->optimizer == ADAM ? 1e-3f : 1e-2f;
    how.precision = precision;
    how.nonfinite = w->nonfinite;
    n.trainer = gtr_trainer_create(n.loss, how);
    return n;
}
static bool network_end(network *n, const char *what)
{
    bool ok = !gtr_error(n->ctx);
    if (!ok) expect(0, "%s: %s", what, gtr_error_text(n->ctx));
    gtr_destroy(n->ctx);
    return ok;
}

/* >> peers: a program that is started once and asked line by line. "row ..." prepares a row's variants and answers
   "READY who rest_bytes"
   for each; "block who" times a block: "TIME us"; "parity", "epochs", "process". Every answer's last line is "END", all
   else is said to the user. */
typedef struct peer {
    const char *program, *module; pid_t pid; FILE *to; int from, used, at; char buffer[4096]; bool absent;
    figure *figure[8]; int n;
} peer;
static peer peers[2] = { { "torch_bench.py", "torch", 0, NULL, 0, 0, 0, "", false, { NULL }, 0 },
    { "jax_bench.py", "jax", 0, NULL, 0, 0, 0, "", false, { NULL }, 0 } };
static void peer_end(peer *p)
{
    if (!p->pid) return;
    fclose(p->to);
    close(p->from);
    kill(p->pid, SIGKILL);
    waitpid(p->pid, NULL, 0);
    p->pid = 0;
    p->n = 0;
}
static bool peer_start(peer *p)
{
    int in[2], out[2];
    char path[256];
    const char *which = getenv("BENCH_PEERS");
    if (p->absent || (which && !strcmp(which, "none"))) return false;
    if (p->pid) return true;
    snprintf(path, sizeof path,
        "%s -c 'import importlib.util as u, sys; sys.exit(u.find_spec(\"%s\") is None)' >/dev/null 2>&1",
        python, p->module);
    p->absent = system(path) != 0;
    if (p->absent || pipe(in) || pipe(out)) return false;
    snprintf(path, sizeof path, "tests/bench/%s", p->program);
    fflush(NULL);
    p->pid = fork();
    if (!p->pid) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        close(out[0]);
        execlp(python, python, path, "serve", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    p->to = fdopen(in[1], "w");
    p->from = out[0];
    p->used = p->at = 0;
    return p->pid > 0;
}
/* The next line of an answer; false at its end, and when the program dies or takes too long: it is then started
   anew by the next row. */
static bool peer_line(peer *p, char *line, size_t size)
{
    size_t n = 0;
    while (p->pid) {
        if (p->at == p->used) {
            struct pollfd wait = { p->from, POLLIN, 0 };
            p->at = 0;
            p->used = poll(&wait, 1, 180000) > 0 ? (int)read(p->from, p->buffer, sizeof p->buffer) : 0;
            if (p->used <= 0) { printf("    %s ended, or did not answer\n", p->program); peer_end(p); return false; }
        }
        line[n] = p->buffer[p->at++];
        if (line[n] == '\n') { line[n] = 0; return strcmp(line, "END") != 0; }
        if (n + 2 < size) n++;
    }
    return false;
}
static void peer_ask(peer *p, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vfprintf(p->to, format, ap);
    va_end(ap);
    fputc('\n', p->to);
    fflush(p->to);
}
/* A job, and the workload that it is about. */
static void peer_ask_row(peer *p, const char *job, const workload *w)
{
    static const char *const precisions[] = { "fp32", "tf32", "bf16", "fp16" };
    peer_ask(p, "%s {\"name\": \"%s\", \"network\": \"%s\", \"batch\": %lld, \"rows\": %lld, \"precision\": \"%s\", "
             "\"opt\": \"%s\", \"fashion\": \"%s\", \"device\": \"%s\", \"threads\": %d, \"limit\": %s, "
             "\"pass\": \"%s\"}",
             job, w->name, w->network, (long long)w->batch, (long long)w->rows, precisions[precision_of(w)],
             w->optimizer == ADAM ? "adam" : "momentum", on_fashion(w) ? fashion_folder : "",
             on_cpu(w) ? "cpu" : "cuda", w->threads, getenv("BENCH_LIMIT") ? getenv("BENCH_LIMIT") : "60",
             w->pass ? w->pass : "");
}
static void peer_row(peer *p, const workload *w)
{
    char line[512], name[32];
    double rest;
    p->n = 0;
    if (!peer_start(p)) return;
    peer_ask_row(p, "row", w);
    while (peer_line(p, line, sizeof line)) {
        if (sscanf(line, "READY %31s %lf", name, &rest) != 2) { printf("    %s\n", line); continue; }
        if (p->n == 8) continue;
        p->figure[p->n] = new_figure(w->name, name);
        p->figure[p->n++]->rest_bytes = rest;
    }
}
/* A block of each variant. */
static void peers_turn(void)
{
    char line[512];
    double us;
    int k, i;
    for (k = 0; k < 2; k++)
        for (i = 0; i < peers[k].n && peers[k].pid; i++) {
            figure *f = peers[k].figure[i];
            peer_ask(&peers[k], "block %s", f->who);
            while (peer_line(&peers[k], line, sizeof line)) {
                if (sscanf(line, "TIME %lf", &us) != 1) printf("    %s\n", line);
                else if (f->n < MAX_TIMES) f->time[f->n++] = us;
            }
        }
}
static void peers_settle(void)
{
    int k, i;
    for (k = 0; k < 2; k++) for (i = 0; i < peers[k].n; i++) settle(peers[k].figure[i]);
}
/* Times of the job asked for, a line each. */
static void peer_times(peer *p, const char *work, const char *name)
{
    char line[512];
    double us;
    figure *f = NULL;
    while (peer_line(p, line, sizeof line)) {
        if (sscanf(line, "TIME %lf", &us) != 1) { printf("    %s\n", line); continue; }
        if (!f) f = new_figure(work, name);
        f->time[f->n++] = us;
    }
    if (f) settle(f);
}

/* >> timing */
typedef struct clock_state {
    figure *f; double last; int64_t step; int skip, blocks, turns; double unit; int64_t batch; double rest_bytes;
} clock_state;
/* After a turn of the peers a block of ours goes by before one counts: caches and clocks are ours again. */
static bool tick(const gtr_progress *p)
{
    clock_state *c = (clock_state *)p->user;
    double t = now();
    gtr_memory_report m;
    if (c->batch && c->rest_bytes == 0 && gtr_memory_plan(p->trainer, c->batch, &m) == GTR_OK)
        c->rest_bytes = (double)(m.activations + m.workspace + m.low_precision + m.kept);
    if (c->skip > 0) c->skip--;
    else if (c->f->n < MAX_TIMES) {
        c->f->time[c->f->n++] = (t - c->last) / (c->unit > 0 ? c->unit : (double)(p->step - c->step));
        c->blocks--;
        if (c->turns) { peers_turn(); c->skip = 1; }
    }
    c->step = p->step;
    c->last = now();
    return c->blocks > 0;
}
/* What the plan's bytes and flops take at this device's own rates, node by node, and what a small network's layers take
   to hear of each other: an exchange between multiprocessors, 0.8 us on an H200, forward and backward between layers
   (one, where rows are so many that each multiprocessor has its own). */
static void look_at_plan(const workload *w, network *n, figure *f)
{
    double rate[2], bytes = 0;
    int i, steps = GTR__RING - 1;
    gtr__cached *e;
    if (gtr_trainer_data(n->trainer, n->data, w->batch, true, true) != GTR_OK
            || !(e = gtr__observed_step(n->trainer, "bench", false, &steps)))
        return;
    gtr__ceilings(n->ctx, precision_of(w), rate);
    for (i = 0; i < gtr_parameter_count(n->ctx); i++) bytes += (double)gtr_parameter_at(n->ctx, i)->data_bytes;
    f->floor_us = on_cpu(w) || bytes > 4e6 ? 0 : 0.8 * (w->batch > 4096 ? 1 : 2 * (n->depth - 1));
    for (i = 0; i < e->plan.n_node; i++) {
        const gtr__node *node = &e->plan.node[i];
        f->floor_us += rate[0] > 0 && rate[1] > 0 ? GTR__MAX(node->bytes / rate[0], node->flops / rate[1]) * 1e6 : 0;
        if (node->op == GTR__OP_FEED) f->feed_us += gtr__node_seconds(n->ctx, node) * 1e6;
    }
    printf("    plan of %d node%s; a copy %.2f TB/s, a product %.0f TFLOP/s\n", e->plan.n_node,
        e->plan.n_node > 1 ? "s" : "", rate[0] * 1e-12, rate[1] * 1e-12);
}
/* The node of the second convolution that makes its result (forward), or the gradient of its input (dx) or weight
   (dw), and no other. */
static const gtr__node *node_of(const gtr__plan *plan, const char *pass)
{
    static const char *const passes[] = { "dx", "dw" };     /* of inputs 0 and 1 */
    int i;
    for (i = 0; i < plan->n_node; i++) {
        const gtr__node *node = &plan->node[i];
        bool back = node->phase == GTR__BACKWARD;
        if (node->op != GTR__OP_CONV || !node->layer || strcmp(node->layer, "filter2")) continue;
        if (!back ? !strcmp(pass, "forward") : node->n_out == 2 && (node->out[0] < 0) != (node->out[1] < 0)
                && !strcmp(pass, passes[node->out[0] < 0])) return node;
    }
    return NULL;
}
static void time_pass(network *n, const workload *w, figure *f)
{
    int steps = GTR__RING - 1, k;
    gtr__cached *e;
    const gtr__node *node;
    gtr_trainer_data(n->trainer, n->data, w->batch, true, true);
    for (k = 0; k < 3; k++) gtr_step(n->trainer);       /* products of plain numbers, as memory has them, are faster */
    e = gtr__observed_step(n->trainer, "bench", false, &steps);
    node = e ? node_of(&e->plan, w->pass) : NULL;
    if (!node) { expect(0, "%s: no node of the plan makes it alone", w->name); return; }
    while (f->n < (checking ? 1 : TURNS)) {
        f->time[f->n++] = gtr__node_seconds(n->ctx, node) * 1e6;
        peers_turn();
    }
}
/* False where this build cannot. */
static bool time_steps(const workload *w, figure *f)
{
    network n = network_of(w, precision_of(w));
    clock_state c = { NULL, 0, 0, 3, 1, 0, 0, w->batch, 0 };
    figure trial;
    gtr_fit_desc fit;
    if (gtr_error(n.ctx) == GTR_ERR_UNSUPPORTED) {
        printf("    %s\n", gtr_error_text(n.ctx)); gtr_destroy(n.ctx); return false;
    }
    if (w->pass) { time_pass(&n, w, f); network_end(&n, w->name); return true; }
    memset(&trial, 0, sizeof trial);
    memset(&fit, 0, sizeof fit);
    c.f = &trial;
    fit.epochs = 1000000;
    fit.batch = w->batch;
    fit.metric = n.metric;
    fit.callback = tick;
    fit.callback_user = &c;
    fit.callback_every = on_cpu(w) ? 1 : 8;
    gtr_fit(n.trainer, n.data, fit);
    if (trial.n) {              /* a block is as long as the peers' */
        fit.callback_every = (int64_t)fmin(fmax(60e3 / trial.time[0], (double)fit.callback_every), 20000);
        c.f = f;
        c.skip = 2;
        c.blocks = checking ? 1 : TURNS;
        c.turns = 1;
        gtr_fit(n.trainer, n.data, fit);
    }
    f->rest_bytes = c.rest_bytes;
    if (!gtr_error(n.ctx)) look_at_plan(w, &n, f);
    network_end(&n, w->name);
    return true;
}
static void time_epochs(const workload *w, figure *f)
{
    network n = network_of(w, w->precision);
    clock_state c = { NULL, 0, 0, 1, 5, 0, 1, 0, 0 };
    pid_t spinner[256];
    int i, cores = w->busy ? (int)sysconf(_SC_NPROCESSORS_ONLN) : 0;
    gtr_fit_desc fit;
    c.f = f;
    for (i = 0; i < cores && i < 256; i++)
        if ((spinner[i] = fork()) == 0) for (;;) { }
    memset(&fit, 0, sizeof fit);
    fit.epochs = 6;
    fit.batch = w->batch;
    fit.metric = n.metric;
    fit.callback = tick;
    fit.callback_user = &c;
    gtr_fit(n.trainer, n.data, fit);
    for (i = 0; i < cores && i < 256; i++) if (spinner[i] > 0) {
        kill(spinner[i], SIGKILL); waitpid(spinner[i], NULL, 0);
    }
    network_end(&n, w->name);
}
static void time_process(const workload *w, figure *f)
{
    char command[2048], line[256], last[256] = "";
    int k;
    const char *name = strrchr(fashion_program, '/');
    int folder = name ? (int)(name + 1 - fashion_program) : 0;
    snprintf(command, sizeof command, "'%.*s%s' '%s' 0 tf32 2>>build/bench.log", folder, fashion_program, w->program,
        fashion_folder);
    for (k = 0; k < 6; k++) {
        double start = now();
        FILE *p = popen(command, "r");
        while (p && fgets(line, sizeof line, p)) snprintf(last, sizeof last, "%s", line);
        if (!p || pclose(p)) { expect(0, "%s: %s", w->name, last); return; }
        if (k) f->time[f->n++] = now() - start;         /* the first reads the files from the disk */
    }
    printf("    %s", last);
}
static bool peer_wanted(const char *name)
{
    const char *which = getenv("BENCH_PEERS");
    char list[256], *at;
    snprintf(list, sizeof list, "%s", which ? which : "eager,graph,compile,jit,scan");
    for (at = strtok(list, ","); at; at = strtok(NULL, ",")) if (!strcmp(at, name)) return true;
    return false;
}

/* Multiply-adds in registers: what the cores could do. */
#if defined(__AVX512F__)
#define VEC 64
#define CHAINS 24
#elif defined(__AVX__)
#define VEC 32
#define CHAINS 12
#else
#define VEC 16
#define CHAINS 12
#endif
typedef float vec __attribute__((vector_size(VEC)));
static void *multiply_add(void *result)
{
    vec a[CHAINS], x, y;
    double best = 0, start, rate;
    int k, i, round;
    for (k = 0; k < VEC / 4; k++) { x[k] = 0.999f; y[k] = 0.001f; }
    for (k = 0; k < CHAINS; k++) a[k] = x;
    for (round = 0; round < 12; round++) {
        start = now();
        for (i = 0; i < 4000000; i++) {
#pragma GCC unroll 32
            for (k = 0; k < CHAINS; k++) a[k] = a[k] * x + y;
        }
        rate = 2.0 * CHAINS * (VEC / 4) * 4000000 / (now() - start) * 1e-3;
        if (rate > best) best = rate;
    }
    for (k = 1; k < CHAINS; k++) a[0] += a[k];
    *(double *)result = a[0][0] > -1e30f ? best : 0;
    return NULL;
}
static double peak_gflops(int threads)
{
    static double known[65];
    pthread_t t[64];
    double each[64], sum = 0;
    int k;
    if (threads > 64) threads = 64;
    if (known[threads] > 0) return known[threads];
    for (k = 0; k < threads; k++) pthread_create(&t[k], NULL, multiply_add, &each[k]);
    for (k = 0; k < threads; k++) { pthread_join(t[k], NULL); sum += each[k]; }
    return known[threads] = sum;
}

/* >> parity: do both sides compute the same? Our weights at steps 1, 100 and 400 go to the peer as safetensors, with
   our loss and gradients there; the peer repeats them and trains from our first weights on the same batches. Rows in
   order, no tail. Masks of dropout and noise are each side's own: there is nothing to compare. The steps are done by
   the kernels that are timed, gtr_fit's, which keep no gradients: what a step made of the first optimizer state says
   what its gradient was. */
static void first_states(network *n, float *to)
{
    int i;
    for (i = 0; i < gtr_parameter_count(n->ctx); i++) {
        gtr_tensor *x = gtr_parameter_at(n->ctx, i);
        if (!gtr_parameter_trainable(x)) continue;
        gtr_state_get(n->trainer, x, 0, to, x->data_bytes);
        to += x->data_bytes / sizeof *to;
    }
}
/* Coarser than said, for parity to fail by; where there is nothing coarser, the gradient is bent. */
static gtr_precision control_precision(const workload *w)
{
    gtr_precision said = precision_of(w);
    return said == GTR_MIXED_BF16 ? said : said == GTR_FP32 && !on_cpu(w) ? GTR_TF32 : GTR_MIXED_BF16;
}
static void save_step(network *n, int step, const float *g, int64_t count)
{
    char path[64];
    FILE *f;
    snprintf(path, sizeof path, "build/parity/%d.gradient", step);
    f = fopen(path, "wb");
    if (f) { fwrite(g, sizeof *g, (size_t)count, f); fclose(f); }
    snprintf(path, sizeof path, "build/parity/%d.loss", step);
    f = fopen(path, "w");
    if (f) { fprintf(f, "%.9g\n", gtr_loss(n->trainer)); fclose(f); }
    snprintf(path, sizeof path, "build/parity/%d.after", step);
    gtr_save(n->ctx, path);
}
/* at: the steps proved; how many there were; the last of them in mean. */
static void compare(peer *p, const int *at, double mean)
{
    bool whole = false;
    char line[512];
    double ours, theirs, exact, nmse, peer_nmse;
    int step;
    peer_ask(p, "parity %d %d %d %d %d", at[0], at[1], at[2], at[3], at[4]);
    while (peer_line(p, line, sizeof line)) {
        if (sscanf(line, "PARITY %d %lf %lf %lf %lf %lf", &step, &ours, &theirs, &exact, &nmse, &peer_nmse) == 6) {
            bool close = fabs(ours - theirs) <= 1e-4 || fabs(ours - exact) <= fmax(1e-4, 2 * fabs(theirs - exact));
            expect(close && nmse <= fmax(2 * peer_nmse, 1e-10),
                   "step %d: loss %.6f, peer's at our weights %.6f, float64's %.6f; gradient's NMSE to float64 %.2e, "
                   "peer's %.2e", step, ours, theirs, exact, nmse, peer_nmse);
        }
        else if (sscanf(line, "BUFFERS %d %lf %lf", &step, &nmse, &peer_nmse) == 3)
            expect(nmse <= fmax(2 * peer_nmse, 1e-10), "step %d: running statistics' NMSE to float64 %.2e, peer's %.2e",
                   step, nmse, peer_nmse);
        else if ((whole = sscanf(line, "MEAN %lf", &theirs) == 1))
            expect(fabs(mean - theirs) <= 0.01, "mean loss of steps %d to %d: %.5f, peer's %.5f",
                   at[3] - at[4] + 1, at[3], mean, theirs);
        else printf("    %s\n", line);
    }
    if (!whole) expect(0, "the proof was not finished");
}
/* Microseconds. */
static double slowest(const workload *w)
{
    double us = 0;
    int i;
    for (i = 0; i < n_figures; i++) if (!strcmp(figures[i].work, w->name)) us = GTR__MAX(us, figures[i].us);
    return us;
}
static void parity(const workload *w)
{
    static const int full[] = { 1, 100, 400, 469, 100 }, tenth[] = { 1, 10, 40, 47, 10 };   /* see compare */
    const int *at = on_cpu(w) && full[3] * slowest(w) > 60e6 ? tenth : full;
    bool control = getenv("BENCH_CONTROL") != NULL;
    gtr_precision precision = control ? control_precision(w) : precision_of(w);
    float bend = control && precision == precision_of(w) ? 1.05f : 1;
    network n;
    char path[64];
    double mean = 0;
    int step, i, k = 0;
    int64_t j, count = 0;
    float *before, *g;
    if (strstr(w->network, " dropout:") || strstr(w->network, " sample ")) return;
    if (getenv("BENCH_PARITY") && !strcmp(getenv("BENCH_PARITY"), "0")) return;
    if (!peers[0].pid) { printf("    no PyTorch: parity not measured\n"); return; }
    n = network_of(w, precision);
    mkdir("build/parity", 0777);
    for (i = 0; i < gtr_parameter_count(n.ctx); i++) {
        gtr_tensor *x = gtr_parameter_at(n.ctx, i);
        if (gtr_parameter_trainable(x)) count += gtr__count(&x->shape);
    }
    before = (float *)malloc((size_t)count * 2 * sizeof *before);
    g = before + count;
    n.trainer->several = true;
    n.trainer->metric = n.metric;
    gtr_trainer_data(n.trainer, n.data, w->batch, false, true);
    for (step = 1; step <= at[3] && !gtr_error(n.ctx); step++) {
        if (k < 3 && step == at[k]) {
            k++;
            snprintf(path, sizeof path, "build/parity/%d.safetensors", step);
            gtr_save(n.ctx, path);
            first_states(&n, before);
            gtr_step(n.trainer);
            first_states(&n, g);
            for (j = 0; j < count; j++)
                g[j] = bend * (float)(w->optimizer == MOMENTUM ? g[j] - (double)n.trainer->optim.rule.mu * before[j]
                    : before[j] + ((double)g[j] - before[j]) / (1 - n.trainer->optim.beta1));
            save_step(&n, step, g, count);
        } else gtr_step(n.trainer);
        if (step > at[3] - at[4]) mean += gtr_loss(n.trainer) / at[4];
    }
    free(before);
    if (network_end(&n, "parity")) compare(&peers[0], at, mean);
}

/* >> output */
static const char *peers_of(const workload *w) { return w->same ? w->same : w->name; }
/* The least time of the peers whose name begins so; NULL: none. */
static const figure *best_of(const workload *w, const char *begins)
{
    const figure *best = NULL;
    int i;
    for (i = 0; i < n_figures; i++) {
        const figure *f = &figures[i];
        bool peers = !strcmp(f->work, peers_of(w)) && strncmp(f->who, "gputrain", 8);
        if (peers && f->us > 0 && !strncmp(f->who, begins, strlen(begins)) && (!best || f->us < best->us)) best = f;
    }
    return best;
}
static void expect_share(const workload *w, const figure *ours, double most, const char *of)
{
    const figure *best = most > 0 ? best_of(w, of) : NULL;
    if (!best) return;
    expect(ours->us <= most * best->us, "%.2f of %s's time, at most %.2f", ours->us / best->us, best->who, most);
}
static void print_epoch(const workload *w, const figure *ours)
{
    const figure *other;
    double flops, peak = peak_gflops(w->threads), rate;
    depth(w, &flops);
    flops *= 60000;
    rate = flops / ours->us * 1e-3;
    printf("    %.1f GFLOP an epoch, %.0f GFLOP/s, %.1f %% of the %.0f GFLOP/s of multiply-adds that %d thread%s "
           "reached here\n", flops * 1e-9, rate, rate / peak * 100, peak, w->threads, w->threads > 1 ? "s" : "");
    if (w->of_peak > 0) expect(rate >= w->of_peak * peak, "at least %.0f %% of the peak", w->of_peak * 100);
    if (!w->busy || !(other = find("cpu-mlp-2t", ours->who))) return;
    expect(ours->us <= 3 * other->us, "%.2f times the quiet time, at most 3", ours->us / other->us);
}
static void print_row(const workload *w, const figure *ours)
{
    const figure *compiled = find(peers_of(w), "torch-compile"), *other;
    double unit = w->kind == STEP ? 1 : 1e6, best = 0, flops = 0;
    int i, digits = w->kind == STEP ? 2 : 3;
    printf("  %-16s %10s %10s %10s %9s %12s\n", "", w->pass ? "us" : w->kind == STEP ? "us a step" : w->kind == PROCESS
        ? "seconds" : "s an epoch", "least", "most", "to ours", w->pass ? "TFLOP/s" : "MiB beside");
    if (w->pass) depth(w, &flops);
    for (i = 0; i < n_figures; i++) {
        const figure *f = &figures[i];
        bool own = !strncmp(f->who, "gputrain", 8);
        if (strcmp(f->work, own ? w->name : peers_of(w))) continue;
        printf("  %-16s %10.*f %10.*f %10.*f %8.2fx", f->who, digits, f->us / unit, digits, f->us_min / unit, digits,
            f->us_max / unit, f->us / ours->us);
        if (f->rest_bytes > 0) printf(" %12.1f", f->rest_bytes / 1048576);
        if (w->pass) printf(" %12.1f", flops * (double)w->batch / 8 / f->us * 1e-6);   /* one product of 2 + 3 + 3 */
        if (!own && !strncmp(f->who, "torch", 5) && f->rest_bytes > 0 && (best == 0 || f->rest_bytes < best))
            best = f->rest_bytes;
        putchar('\n');
    }
    if (ours->floor_us > 0) printf("  %-16s %10.2f %31.2fx\n", "floor", ours->floor_us, ours->floor_us / ours->us);
    if (ours->feed_us > 0)
        printf("    the gather takes %.2f us, %.1f %% of the step\n", ours->feed_us, ours->feed_us / ours->us * 100);
    if (checking) return;
    if (strcmp(ours->who, "gputrain")) {                /* a build for older chips has one limit */
        if (compiled) expect(ours->us < compiled->us, "%.2f us, PyTorch compiled %.2f", ours->us, compiled->us);
        fflush(stdout);
        return;
    }
    if (w->limit_us > 0) expect(ours->us <= w->limit_us, "%.2f of at most %.2f", ours->us / unit, w->limit_us / unit);
    if (w->compile > 0 && compiled) expect(ours->us * w->compile <= compiled->us,
        "%.3f times faster than PyTorch compiled, at least %.3f", compiled->us / ours->us, w->compile);
    if (w->memory > 0 && best > 0) expect(ours->rest_bytes <= w->memory * best,
        "memory %.2f of PyTorch's best, at most %.2f", ours->rest_bytes / best, w->memory);
    if (w->neighbour && (other = find(w->neighbour, ours->who))) {
        double stages = (double)(depth(w, NULL) - 1) / (depth(row_of(w->neighbour), NULL) - 1);
        expect(ours->us <= 1.3 * stages * other->us, "%.2f times %s%s, at most 1.30", ours->us / other->us / stages,
            w->neighbour, stages > 1 ? " a stage" : "");
    }
    expect_share(w, ours, w->of_best, "");
    expect_share(w, ours, w->of_torch, "torch");
    if (w->kind == EPOCH && !reporting) print_epoch(w, ours);
    fflush(stdout);
}
/* One line a row: ours, the floor over ours, each peer's time and ours over it, memory, the gather's share. */
static void print_table(void)
{
    static const char *const names[] = {
        "torch-eager", "torch-graph", "torch-compile", "torch-compile-max", "jax-jit", "jax-scan" };
    int k, i, j;
    printf("\n%-30s %-15s %9s %9s %9s %6s", "us (seconds for a process, an epoch)", "", "median", "least",
        "most", "floor");
    for (j = 0; j < 6; j++) printf(" %17s", names[j]);
    printf(" %14s %6s\n", "MiB (best)", "feed");
    for (k = 0; k < ROWS; k++) for (i = 0; i < n_figures; i++) {
        const figure *f = &figures[i], *p;
        const workload *w = &table[k];
        double unit = w->kind == STEP ? 1 : 1e6, best = 0;
        if (strcmp(f->work, w->name) || strncmp(f->who, "gputrain", 8)) continue;
        printf("%-30s %-15s %9.*f %9.*f %9.*f ", w->name, f->who, unit > 1 ? 3 : 1, f->us / unit, unit > 1 ? 3 : 1,
            f->us_min / unit, unit > 1 ? 3 : 1, f->us_max / unit);
        if (f->floor_us > 0) printf("%6.2f", f->floor_us / f->us); else printf("%6s", "-");
        for (j = 0; j < 6; j++) {
            p = find(peers_of(w), names[j]);
            if (p && p->us > 0) printf(" %9.*f (%5.2f)", unit > 1 ? 3 : 1, p->us / unit, f->us / p->us);
            else printf(" %17s", "-");
            if (p && j < 4 && p->rest_bytes > 0 && (best == 0 || p->rest_bytes < best)) best = p->rest_bytes;
        }
        if (f->rest_bytes > 0) printf(" %6.1f", f->rest_bytes / 1048576); else printf(" %6s", "-");
        if (best > 0) printf(" (%5.1f)", best / 1048576); else printf(" %7s", "");
        if (f->feed_us > 0) printf(" %4.1f %%\n", f->feed_us / f->us * 100); else printf(" %6s\n", "-");
    }
}
static double number(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    return at ? atof(at + strlen(key)) : 0;
}
/* What earlier runs measured: this run's rows take the place of theirs. */
static void read_json(void)
{
    FILE *f = fopen("build/bench.json", "r");
    char line[1024], work[48], name[32];
    while (f && fgets(line, sizeof line, f)) {
        figure *g;
        if (sscanf(line, "{\"work\": \"%47[^\"]\", \"who\": \"%31[^\"]\"", work, name) != 2 || !row_of(work)) continue;
        g = new_figure(work, name);
        g->us = number(line, "\"us\": ");
        g->us_min = number(line, "\"us_min\": ");
        g->us_max = number(line, "\"us_max\": ");
        g->rest_bytes = number(line, "\"rest_bytes\": ");
        g->floor_us = number(line, "\"floor_us\": ");
        g->feed_us = number(line, "\"feed_us\": ");
    }
    if (f) fclose(f);
}
static void write_json(void)
{
    FILE *f = fopen("build/bench.json", "w");
    time_t t = time(NULL);
    char date[32];
    int i, n = 0;
    if (!f) return;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&t));
    fprintf(f, "{\"gpu\": \"%s\", \"date\": \"%s\", \"build\": \"%s\", \"rows\": [", device, date,
        getenv("BENCH_BUILD") ? getenv("BENCH_BUILD") : "");
    for (i = 0; i < n_figures; i++) {
        const figure *g = &figures[i];
        if (g->us <= 0) continue;
        fprintf(f, "%s\n{\"work\": \"%s\", \"who\": \"%s\", \"us\": %.3f, \"us_min\": %.3f, \"us_max\": %.3f",
            n++ ? "," : "", g->work, g->who, g->us, g->us_min, g->us_max);
        if (g->rest_bytes > 0) fprintf(f, ", \"rest_bytes\": %.0f", g->rest_bytes);
        if (g->floor_us > 0) fprintf(f, ", \"floor_us\": %.2f", g->floor_us);
        if (g->feed_us > 0) fprintf(f, ", \"feed_us\": %.2f", g->feed_us);
        fprintf(f, "}");
    }
    fprintf(f, "\n]}\n");
    fclose(f);
}

static bool wanted(const workload *w, int argc, char **argv, bool gpu)
{
    int i;
    if (argc < 3) return gpu != (w->threads > 0);
    for (i = 2; i < argc; i++) if (names(argv[i], w)) return true;
    return false;
}
/* A row whose peers are another's asks for none, unless that one was never measured. */
static void run_row(const workload *w, bool gpu)
{
    figure *ours;
    double start = now();
    int k;
    printf("\n%s\n", w->name);
    if (w->kind == STEP && !gpu && !on_cpu(w)) { printf("    needs a GPU\n"); return; }
    if (w->kind == PROCESS && !have_fashion()) { printf("    needs Fashion-MNIST: make data\n"); return; }
    for (k = 0; k < 2; k++) peers[k].n = 0;
    for (k = 0; w->kind == STEP && !w->same && k < (w->threads || w->pass ? 1 : 2); k++) peer_row(&peers[k], w);
    ours = new_figure(w->name, who);
    if (w->kind == STEP) {
        if (!time_steps(w, ours)) return;
        peers_settle();
        settle(ours);
        if (!w->same && !w->pass) parity(w);
    } else if (w->kind == EPOCH) {
        time_epochs(w, ours);
        if (!w->busy && peer_wanted("eager") && peer_start(&peers[0])) {
            peer_ask_row(&peers[0], "epochs", w);
            peer_times(&peers[0], w->name, "torch");
        }
    } else {
        time_process(w, ours);
        for (k = 0; k < 2; k++) {
            if (!peer_wanted(k ? "graph" : "eager") || !peer_start(&peers[0])) continue;
            peer_ask(&peers[0], "process %s %s %s", k ? "graph" : "eager", fashion_folder,
                strstr(w->network, "conv") ? "cnn" : "mlp");
            peer_times(&peers[0], w->name, k ? "torch-graph" : "torch-eager");
        }
    }
    settle(ours);
    if (ours->n) print_row(w, ours);
    else expect(0, "%s was not timed", w->name);
    printf("    this row took %.1f s\n", (now() - start) * 1e-6);
    if (!checking) write_json();
}
int main(int argc, char **argv)
{
    gtr_desc d;
    gtr_context *ctx;
    bool gpu;
    int k, i, at = 0, part = 1, parts = 1;
    reporting = argc == 3 && !strcmp(argv[2], "report");
    if (argc < 2) { fprintf(stderr, "usage: bench 03_fashion [row...|all|list|report]\n"); return 2; }
    for (k = 0; argc == 3 && !strcmp(argv[2], "list") && k < ROWS; k++) puts(table[k].name);
    if (argc == 3 && !strcmp(argv[2], "list")) return 0;
    for (i = 2; i < argc && !reporting; i++) {
        for (k = 0; k < ROWS && !names(argv[i], &table[k]); k++) { }
        if (k == ROWS) { fprintf(stderr, "bench: there is no row %s (\"list\" names them)\n", argv[i]); return 2; }
    }
    if (getenv("BENCH_SHARD") && *getenv("BENCH_SHARD")
            && (sscanf(getenv("BENCH_SHARD"), "%d/%d", &part, &parts) != 2 || part < 1 || part > parts)) {
        fprintf(stderr, "bench: a shard is like 2/3\n"); return 2;
    }
    fashion_program = argv[1];
    fashion_folder = getenv("BENCH_FASHION") ? getenv("BENCH_FASHION") : "build/fashion";
    checking = getenv("BENCH_CHECK") != NULL;
    if (checking && getenv("BENCH_BATCH"))
        for (k = 0; k < ROWS; k++) table[k].batch = GTR__MIN(table[k].batch, atoll(getenv("BENCH_BATCH")));
    python = getenv("BENCH_PYTHON") ? getenv("BENCH_PYTHON") : "python3";
    who = getenv("BENCH_WHO") ? getenv("BENCH_WHO") : "gputrain";
    mkdir("build", 0777);
    if (!freopen("build/bench.log", "a", stderr)) return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGPIPE, SIG_IGN);
    read_json();
    if (reporting) {
        for (k = 0; k < ROWS; k++)
            for (i = 0; i < n_figures; i++)
                if (!strcmp(figures[i].work, table[k].name) && !strncmp(figures[i].who, "gputrain", 8)) {
                    printf("\n%s\n", table[k].name); print_row(&table[k], &figures[i]);
                }
    } else {
        memset(&d, 0, sizeof d);
        ctx = gtr_create(d);
        gpu = gtr_on_gpu(ctx);
        snprintf(device, sizeof device, "%s", gtr_device_text(ctx));
        printf("%s\n%s\n%s\n", device, gtr_environment_text(ctx), getenv("BENCH_BUILD") ? getenv("BENCH_BUILD") : "");
        gtr_destroy(ctx);
        for (k = 0; k < ROWS; k++) if (wanted(&table[k], argc, argv, gpu) && at++ % parts == part - 1)
            run_row(&table[k], gpu);
        for (k = 0; k < 2; k++) peer_end(&peers[k]);
    }
    print_table();
    printf("\n%s: build/bench.json; %d figure%s missed\n", reporting ? "read" : "written", misses,
        misses == 1 ? "" : "s");
    return misses ? 1 : 0;
}
