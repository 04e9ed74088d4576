/* The networks that are timed (bench.c) and compared between two revisions (oracle.c), rows of a table, and the data
   that they train on. Behind gputrain.h's implementation.

   A row names its network by words with spaces between, which work on a stack of tensors; graph_of() builds the network
   of them, and so do torch_bench.py and jax_bench.py (network.py). A word's arguments follow a colon, with commas
   between. Dimension 0 is the batch, and shapes leave it out.
     floats:SHAPE bytes:SHAPE bits:SHAPE labels:C ids:K,V tokens:T,V
         pushes an input, the data set's next column: -1 to 1; bytes, which become 0 to 1; 0 or 1; a class below C;
         K ids, of which number k is from kV to (k+1)V - 1, so that each has V rows of a table for itself; T ids below V
     linear:M batch_norm embedding:V,E dropout:P layer_norm group_norm:G
         a layer, with biases, of the topmost tensor, which it replaces; layer_norm is along the channels of images, and
         along the last dimension of all else
     shared:K
         the network's linear layer number K, from 1 on, once more, with the same weight and bias
     lstm:H,LAYERS gru:H,LAYERS
         of a series (T, I) the last layer's state behind the last step, (H)
     cells:H
         of a series (T, I) the state behind the last step, (H), of an LSTM by hand: a cell a step
     positions block:HEADS
         of a series (T, E): a learned vector added to each step; a causal block of a transformer that normalises what
         attention and the two linear layers read, with 4 E GELUs between these
     attention:HEADS
         of a series (T, 3 E) of queries, keys and values what each step attends of itself and those before it, (T, E)
     conv:O,KERNEL,STRIDE,PADDING,GROUPS conv_no_bias:... conv_transpose:...
         convolutions of images C,H,W or of C,L; the last arguments may be left out: 1, 0, 1
     max_pool:KERNEL,STRIDE,PADDING avg_pool:... global_avg_pool upsample:FACTOR pixel_shuffle:FACTOR
         of the same; a stride left out is the kernel; upsample repeats the nearest element
     sample
         N(m, exp(v)) of a tensor whose last dimension's first half is m and whose second half v, m + exp(v/2) noise
     kl:A
         A times the mean of such a distribution's divergence from N(0, 1), exp(v) + m m - v - 1, over all elements
     relu tanh gelu sin softplus exp square softmax log_softmax logsumexp scale:A mean:AXIS average slice:BEGIN,END
     reshape:SHAPE permute:AXES
         the same by an operation; softmax, log_softmax, logsumexp and slice are along the last dimension, average is
         the mean of all elements
     add sub mul matmul matmul_t pick concat:K,AXIS
         of the topmost two, the lower one first (matmul_t: a b^T; pick: of each row of a the element that b, ids:1,C,
         names); of the topmost K, along the last dimension; AXIS 1: the channels
     cross_entropy mse bce
         of a prediction and, above it, its target; bce takes logits
     dup over third swap
         pushes the topmost tensor again; the one below it; the one below that; exchanges the topmost two
     K( ... )
         K times what stands between
     cross_entropy of (T, C) and T classes is the mean over all steps.
   What is left is the loss. Where it is one cross_entropy, gtr_fit's metric is the accuracy. */
#include <math.h>
#include <unistd.h>
#include "../programs/made.h"

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
    double        keeps;                /* of ours: this share of activations is kept (.recompute), 0: all */
    double        of_peak;              /* at least so much of the multiply-adds that the cores can do */
    double        memory;               /* of PyTorch's best, beside the parameters */
    const char   *neighbour;            /* at most 1.3 times as long as this row, stage by stage */
    const char   *pass;                 /* forward, dx, dw: what is timed of a step */
    const char   *same;                 /* computes what this row does: neither peers nor proof anew */
    const char   *program;              /* of a process: the example's name */
    int           trainers;             /* so many networks, each with a trainer of its own, step in turn; 0: one */
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
#define SERIES(of) "floats:100,6 " of " linear:1 floats:1 mse", .batch = 32, .rows = 1 << 12
#define LSTM_WIDE  "floats:128,256 lstm:256,2 linear:1 floats:1 mse", .batch = 64, .rows = 1 << 10
#define LSTM_SHORT "floats:16,32 lstm:64,1 linear:1 floats:1 mse", .batch = 32, .rows = 1 << 12
#define LSTM_CELLS "floats:16,32 cells:64 linear:1 floats:1 mse", .batch = 32, .rows = 1 << 12
/* Radford et al., 2019: GPT-2's blocks, of characters */
#define GPT(blocks, width, heads, steps) \
                   "tokens:" #steps ",96 embedding:96," #width " positions " #blocks "( block:" #heads " ) " \
                   "layer_norm linear:96 tokens:" #steps ",96 cross_entropy", .rows = 1 << 12
#define GPT_TINY   GPT(2, 64, 4, 64), .batch = 32
#define GPT_CHAR   GPT(6, 384, 6, 256), .batch = 64
#define ATTEND     "floats:1024,64 linear:1536 attention:8 linear:64 floats:1024,64 mse", .batch = 8, .rows = 1 << 7
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
/* Kinds of networks with little arithmetic around what is not a product. */
#define COLUMNS    "floats:3 4( linear:32 tanh ) linear:1 floats:1 mse", .batch = 1 << 16, .rows = 1 << 19
/* Bishop, 1994: a Gaussian mixture of five for each row */
#define MIXTURE    "floats:8 2( linear:64 tanh ) dup linear:5 log_softmax swap dup linear:5 swap linear:5 " \
                   "floats:1 sub over scale:-1 exp mul square scale:-0.5 swap sub add logsumexp average scale:-1", \
                   .batch = 256, .rows = 1 << 16
#define BRANCHES   "floats:64 linear:128 relu linear:32 floats:64 shared:1 relu shared:2 sub square linear:1 " \
                   "bits:1 bce", .batch = 256, .rows = 1 << 16
#define IN_TURN    "floats:17 2( linear:64 tanh ) linear:6 floats:6 mse", .batch = 64, .rows = 1 << 16, .trainers = 3
#define PICKED     "floats:8 2( linear:128 relu ) linear:4 ids:1,4 pick floats:1 mse", .batch = 64, .rows = 1 << 16
/* Wang et al., 2021 */
#define CROSS      "8( ids:1,50000 embedding:50000,16 reshape:16 ) floats:13 concat:9 dup " \
                   "3( dup linear:141 third mul add ) swap 2( linear:256 relu ) concat:2 linear:1 bits:1 bce", \
                   .batch = 4096, .rows = 1 << 20
#define TIME(a, b) "over slice:" #a "," #b " shared:1 swap shared:2 add tanh "
#define UNROLLED   "floats:96 dup slice:0,6 linear:64 tanh over slice:6,12 shared:1 swap linear:64 add tanh " \
                   TIME(12, 18) TIME(18, 24) TIME(24, 30) TIME(30, 36) TIME(36, 42) TIME(42, 48) TIME(48, 54) \
                   TIME(54, 60) TIME(60, 66) TIME(66, 72) TIME(72, 78) TIME(78, 84) TIME(84, 90) \
                   "swap slice:90,96 shared:1 swap shared:2 add tanh linear:4 floats:4 mse", \
                   .batch = 32, .rows = 1 << 15
#define GROUPS     "floats:3,32,32 conv:64,3,1,1 4( dup conv_no_bias:64,3,1,1 group_norm:8 relu " \
                   "conv_no_bias:64,3,1,1 group_norm:8 add relu ) global_avg_pool " TO_10, .batch = 256, .rows = 1 << 13
/* Liu et al., 2022 */
#define CONVNEXT   "floats:3,32,32 conv:64,2,2 4( dup conv:64,7,1,3,64 layer_norm conv:256,1 gelu conv:64,1 add ) " \
                   "global_avg_pool " TO_10, .batch = 256, .rows = 1 << 13
/* Shi et al., 2016 */
#define SUB_PIXEL  "floats:1,32,32 conv:64,5,1,2 tanh conv:32,3,1,1 tanh conv:9,3,1,1 pixel_shuffle:3 " \
                   "floats:1,96,96 mse", .batch = 64, .rows = 1 << 12
/* Channels that are no multiple of 8, which 16 bits would have. */
#define ODD        "floats:5,48,48 conv:20,3,1,1 relu conv:36,3,2,1 relu conv:60,3,1,1 relu global_avg_pool " TO_10, \
                   .batch = 128, .rows = 1 << 11
#define IN_TWO(name, share, ...) \
                   { name "-tf32", STEP, __VA_ARGS__, TF32_ROW, .of_best = share }, \
                   { name "-bf16", STEP, __VA_ARGS__, BF16_ROW, .of_best = share }
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
    IN_TWO("gpt-tiny-b32", 0.6, GPT_TINY),
    IN_TWO("gpt-char-b64", 0.9, GPT_CHAR),
    { "gpt-char-b64-bf16-half",       STEP, GPT_CHAR, BF16_ROW, .keeps = 0.5 },
    { "attention-t1024-d64-bf16",     STEP, ATTEND, BF16_ROW, .of_best = 0.9 },
    { "lstm64-b32-tf32",              STEP, SERIES("lstm:64,1"), .precision = GTR_TF32, .of_best = 0.5 },
    { "lstm64-b32-bf16",              STEP, SERIES("lstm:64,1"), .precision = GTR_MIXED_BF16, .of_best = 0.5 },
    { "gru64-b32-tf32",               STEP, SERIES("gru:64,1"), .precision = GTR_TF32, .of_best = 0.45 },
    { "lstm2x256-b64-tf32",           STEP, LSTM_WIDE, .precision = GTR_TF32, .of_best = 0.3 },
    { "lstm2x256-b64-bf16",           STEP, LSTM_WIDE, .precision = GTR_MIXED_BF16, .of_best = 0.35 },
    { "lstm64-t16-b32-tf32",          STEP, LSTM_SHORT, .precision = GTR_TF32, .of_best = 0.5 },
    { "lstm64-cells16-b32-tf32",      STEP, LSTM_CELLS, .precision = GTR_TF32, .of_best = 0.5 },
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
    { "resnet18-b512-bf16-half",      STEP, RESNET18, BF16_ROW, .keeps = 0.5 },
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
    { "columns-tanh-2e16-tf32",       STEP, COLUMNS, TF32_ROW, .of_best = 0.6 },
    { "mixture-b256-tf32",            STEP, MIXTURE, TF32_ROW, .of_best = 0.6 },
    { "branches-b256-tf32",           STEP, BRANCHES, TF32_ROW, .of_best = 0.6 },
    { "in-turn-b64-tf32",             STEP, IN_TURN, TF32_ROW, .of_best = 0.6 },
    { "picked-b64-tf32",              STEP, PICKED, TF32_ROW, .of_best = 0.6 },
    IN_TWO("cross-b4096", 0.6, CROSS),
    { "unrolled-b32-tf32",            STEP, UNROLLED, TF32_ROW, .of_best = 0.6 },
    IN_TWO("group-norm-b256", 0.9, GROUPS),
    IN_TWO("convnext-b256", 0.9, CONVNEXT),
    { "sub-pixel-b64-tf32",           STEP, SUB_PIXEL, TF32_ROW, .of_best = 0.6 },
    IN_TWO("odd-b128", 0.6, ODD),
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
    { "cpu-gpt-tiny-2t",    STEP, GPT_TINY, CPU_STEP },
    { "cpu-lstm64-2t",      STEP, SERIES("lstm:64,1"), CPU_STEP },
    { "cpu-gru64-2t",       STEP, SERIES("gru:64,1"), CPU_STEP },
    { "cpu-lstm2x256-2t",   STEP, LSTM_WIDE, CPU_STEP },
    { "cpu-lstm64-t16-2t",  STEP, LSTM_SHORT, CPU_STEP },
    { "cpu-lstm64-cells16-2t", STEP, LSTM_CELLS, CPU_STEP },
    { "cpu-resnet-small-2t", STEP, RESNET8, CPU_STEP },
};
enum { ROWS = sizeof table / sizeof *table };

static const char *fashion_folder = "";         /* "": data are random */
static bool have_fashion(void)
{
    char path[1024];
    if (!*fashion_folder) return false;
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
enum { FLOATS, BYTES, BITS, LABELS, IDS, TOKENS, STACK = 16, TRAINERS = 4 };    /* inputs, and what a word takes */
/* limit: of labels, or of each id */
typedef struct column { int kind; gtr_tensor *input; gtr_shape shape; int64_t limit; } column;
typedef struct value { gtr_tensor *t; int depth; } value;       /* depth: layers and products from the inputs to here */
typedef struct network {
    gtr_context *ctx;
    gtr_tensor *loss, *losses[TRAINERS];    /* the first network's; all networks' */
    gtr_tensor *metric, *scores;        /* scores: of the last word that is a loss, its prediction */
    gtr_trainer *trainer, *trainers[TRAINERS];      /* the first one; all */
    gtr_dataset *data;
    column column[STACK];
    int columns, depth, top;
    value stack[STACK];
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
    column *c = &n->column[n->columns++];           /* several networks have the first one's inputs */
    const char *name = n->fashion && n->columns <= 2 ? columns[n->columns - 1] : named(n, "x", n->columns);
    if (c->input) return c->input;
    c->kind = kind;
    c->limit = (int64_t)arg[args - 1];
    c->shape = shape_of(arg, kind == LABELS ? 0 : kind >= IDS ? 1 : args);
    return c->input = gtr_input(n->ctx, name, kind >= LABELS ? GTR_I32 : GTR_F32, c->shape);
}
static gtr_tensor *permuted(gtr_tensor *x, const double *arg, int args)
{
    int dims[GTR_MAX_DIMS] = { 0 }, i;
    for (i = 0; i < args && i + 1 < GTR_MAX_DIMS; i++) dims[i + 1] = (int)arg[i];
    return gtr_permute(x, dims);
}
static gtr_tensor *joined(const value *x, int n, int axis)
{
    gtr_tensor *part[STACK];
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
    gtr_shape s = gtr_tensor_shape(logits);
    if (s.ndim == 3) {
        logits = gtr_reshape(logits, gtr_shape2(-s.dim[1], s.dim[2]));
        labels = gtr_reshape(labels, gtr_shape1(-s.dim[1]));
    }
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
static gtr_tensor *picked(gtr_tensor *x, gtr_tensor *ids) { return gtr_gather(x, 1, ids); }
static gtr_tensor *repeated_layer(network *n, gtr_tensor *x, int number)
{
    char name[32];
    gtr_tensor *weight, *bias;
    named(n, "fc", number);
    snprintf(name, sizeof name, "%s.weight", n->name);
    weight = gtr_parameter_find(n->ctx, name);
    snprintf(name, sizeof name, "%s.bias", n->name);
    bias = gtr_parameter_find(n->ctx, name);
    return gtr_linear_with(x, weight, bias);
}
static gtr_tensor *last_state(gtr_tensor *x, const char *name, const double *arg, bool lstm)
{
    gtr_tensor *last[8] = { NULL };
    gtr_recurrent_desc d;
    memset(&d, 0, sizeof d);
    d.layers = arg[1] > 8 ? 8 : (int)arg[1];
    d.h_last = last;
    if (lstm) gtr_lstm(x, name, (int64_t)arg[0], d); else gtr_gru(x, name, (int64_t)arg[0], d);
    return last[d.layers > 1 ? d.layers - 1 : 0];
}
static gtr_tensor *by_cells(gtr_tensor *x, const char *name, int64_t hidden)
{
    gtr_tensor *h = NULL, *c = NULL;
    gtr_shape s = gtr_tensor_shape(x);
    int64_t k;
    for (k = 0; k < s.dim[1]; k++)
        h = gtr_lstm_cell(gtr_reshape(gtr_slice(x, 1, k, k + 1), gtr_shape2(GTR_BATCH, s.dim[2])), h, &c, name, hidden);
    return h;
}
static gtr_tensor *placed(gtr_tensor *x, const char *name)
{
    gtr_shape s = gtr_tensor_shape(x);
    return gtr_add(x, gtr_embedding(gtr_arange(x, 1), name, s.dim[1], s.dim[2]));
}
static gtr_tensor *block(gtr_tensor *x, const char *name, int64_t heads)
{
    gtr_transformer_desc d;
    memset(&d, 0, sizeof d);
    d.heads = heads;
    d.norm_first = d.gelu = d.attention.causal = true;
    return gtr_transformer_block(x, name, d);
}
static gtr_tensor *attended(gtr_tensor *x, int64_t heads)
{
    gtr_shape s = gtr_tensor_shape(x);
    int64_t width = s.dim[2] / 3;
    gtr_attention_desc d;
    gtr_tensor *part[3];
    int k;
    for (k = 0; k < 3; k++) part[k] = gtr_reshape(gtr_slice(x, 2, k * width, (k + 1) * width),
        gtr_shape4(GTR_BATCH, s.dim[1], heads, width / heads));
    memset(&d, 0, sizeof d);
    d.causal = true;
    return gtr_reshape(gtr_attention(part[0], part[1], part[2], d), gtr_shape3(GTR_BATCH, s.dim[1], width));
}
static gtr_tensor *normalized(gtr_tensor *x, const char *name)
{
    static const int last[] = { 0, 2, 3, 1 }, second[] = { 0, 3, 1, 2 };
    if (gtr_tensor_shape(x).ndim < 4) return gtr_layer_norm(x, name, 1, 0);
    return gtr_permute(gtr_layer_norm(gtr_permute(x, last), name, 1, 0), second);
}
enum { PLAIN, DEEPER, PRODUCT, CONV, CONV_BACK };
/* Word; tensors it takes (-1: as many as its argument says); arguments; what it is; the tensor it leaves. */
#define WORDS(X) \
    X(floats,        0, 1, PLAIN,   input(n, FLOATS, arg, args)) \
    X(bytes,         0, 1, PLAIN,   input(n, BYTES, arg, args)) \
    X(bits,          0, 1, PLAIN,   input(n, BITS, arg, args)) \
    X(labels,        0, 1, PLAIN,   input(n, LABELS, arg, args)) \
    X(ids,           0, 2, PLAIN,   input(n, IDS, arg, args)) \
    X(tokens,        0, 2, PLAIN,   input(n, TOKENS, arg, args)) \
    X(linear,        1, 1, PRODUCT, gtr_linear(x[0].t, named(n, "fc", count), (int64_t)arg[0])) \
    X(shared,        1, 1, PRODUCT, repeated_layer(n, x[0].t, (int)arg[0])) \
    X(lstm,          1, 2, DEEPER,  last_state(x[0].t, named(n, "lstm", count), arg, true)) \
    X(gru,           1, 2, DEEPER,  last_state(x[0].t, named(n, "gru", count), arg, false)) \
    X(cells,         1, 1, DEEPER,  by_cells(x[0].t, named(n, "cell", count), (int64_t)arg[0])) \
    X(positions,     1, 0, DEEPER,  placed(x[0].t, named(n, "pos", count))) \
    X(block,         1, 1, DEEPER,  block(x[0].t, named(n, "block", count), (int64_t)arg[0])) \
    X(attention,     1, 1, DEEPER,  attended(x[0].t, (int64_t)arg[0])) \
    X(layer_norm,    1, 0, PLAIN,   normalized(x[0].t, named(n, "ln", count))) \
    X(group_norm,    1, 1, PLAIN,   gtr_group_norm(x[0].t, named(n, "gn", count), (int64_t)arg[0], 0)) \
    X(batch_norm,    1, 0, DEEPER,  gtr_batch_norm(x[0].t, named(n, "bn", count))) \
    X(conv,          1, 2, CONV,    gtr_conv2d_ex(x[0].t, named(n, "conv", count), filters(arg, false))) \
    X(conv_no_bias,  1, 2, CONV,    gtr_conv2d_ex(x[0].t, named(n, "filter", count), filters(arg, true))) \
    X(conv_transpose, 1, 2, CONV_BACK, \
      gtr_conv_transpose2d_ex(x[0].t, named(n, "back", count), filters(arg, false))) \
    X(max_pool,      1, 1, PLAIN,   gtr_max_pool2d(x[0].t, (int)arg[0], (int)arg[1], (int)arg[2])) \
    X(avg_pool,      1, 1, PLAIN,   gtr_avg_pool2d(x[0].t, (int)arg[0], (int)arg[1], (int)arg[2])) \
    X(global_avg_pool, 1, 0, PLAIN, gtr_global_avg_pool(x[0].t)) \
    X(upsample,      1, 1, PLAIN,   gtr_upsample2d(x[0].t, (int64_t)arg[0], false)) \
    X(pixel_shuffle, 1, 1, PLAIN,   gtr_pixel_shuffle(x[0].t, (int64_t)arg[0])) \
    X(embedding,     1, 2, DEEPER,  gtr_embedding(x[0].t, named(n, "emb", count), (int64_t)arg[0], (int64_t)arg[1])) \
    X(dropout,       1, 1, PLAIN,   gtr_dropout(x[0].t, named(n, "drop", count), (float)arg[0])) \
    X(sample,        1, 0, PLAIN,   sampled(x[0].t, named(n, "noise", count))) \
    X(kl,            1, 1, PLAIN,   divergence(x[0].t, (float)arg[0])) \
    X(relu,          1, 0, PLAIN,   gtr_relu(x[0].t)) \
    X(tanh,          1, 0, PLAIN,   gtr_tanh(x[0].t)) \
    X(gelu,          1, 0, PLAIN,   gtr_gelu(x[0].t)) \
    X(sin,           1, 0, PLAIN,   gtr_sin(x[0].t)) \
    X(softplus,      1, 0, PLAIN,   gtr_softplus(x[0].t, 1)) \
    X(exp,           1, 0, PLAIN,   gtr_exp(x[0].t)) \
    X(square,        1, 0, PLAIN,   gtr_square(x[0].t)) \
    X(softmax,       1, 0, PLAIN,   gtr_softmax(x[0].t, -1)) \
    X(log_softmax,   1, 0, PLAIN,   gtr_log_softmax(x[0].t, -1)) \
    X(logsumexp,     1, 0, PLAIN,   gtr_logsumexp(x[0].t, &(int){ -1 }, 1, false)) \
    X(average,       1, 0, PLAIN,   gtr_mean(x[0].t, NULL, 0, false)) \
    X(slice,         1, 2, PLAIN,   gtr_slice(x[0].t, -1, (int64_t)arg[0], (int64_t)arg[1])) \
    X(scale,         1, 1, PLAIN,   gtr_scale(x[0].t, (float)arg[0], 0)) \
    X(mean,          1, 1, PLAIN,   gtr_mean(x[0].t, &(int){ (int)arg[0] }, 1, false)) \
    X(reshape,       1, 1, PLAIN,   gtr_reshape(x[0].t, shape_of(arg, args))) \
    X(permute,       1, 1, PLAIN,   permuted(x[0].t, arg, args)) \
    X(add,           2, 0, PLAIN,   gtr_add(x[0].t, x[1].t)) \
    X(sub,           2, 0, PLAIN,   gtr_sub(x[0].t, x[1].t)) \
    X(pick,          2, 0, PLAIN,   picked(x[0].t, x[1].t)) \
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
    static gtr_tensor *word_##name(network *n, const value *x, const double *arg, int args, int count) \
    { (void)n; (void)x; (void)arg; (void)args; (void)count; return result; }
#define WORD_ROW(name, takes, least, kind, result) { #name, takes, least, kind, word_##name },
WORDS(WORD_FUNCTION)
static const word words[] = { WORDS(WORD_ROW) { NULL, 0, 0, 0, NULL } };

static double elements_of_row(const gtr_shape *s)
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
    return (x.depth ? 6 : 4) * elements_of_row(&to) * terms;
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
    if (!strcmp(text, "dup") && n->top >= 1 && n->top < STACK) { *end = end[-1]; n->top++; return; }
    if (!strcmp(text, "over") && n->top >= 2 && n->top < STACK) { *end = end[-2]; n->top++; return; }
    if (!strcmp(text, "third") && n->top >= 3 && n->top < STACK) { *end = end[-3]; n->top++; return; }
    if (!strcmp(text, "swap") && n->top >= 2) { y = end[-1]; end[-1] = end[-2]; end[-2] = y; return; }
    while (w->name && (strlen(w->name) != length || memcmp(w->name, text, length))) w++;
    takes = w->takes < 0 ? (int)arg[0] : w->takes;
    if (!w->name || takes > n->top || args < w->args || (!takes && (n->top == STACK || n->columns == STACK))) {
        printf("the word %s cannot stand there in a network\n", text);
        exit(3);
    }
    x = end - takes;
    for (i = 0; i < takes; i++) if (x[i].depth > depth) depth = x[i].depth;
    y.t = w->make(n, x, arg, args, ++count[w - words]);
    y.depth = depth + (w->kind != PLAIN);
    if (takes == 2 && !gtr_tensor_shape(y.t).ndim) n->scores = x[0].t;
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
static int trainers_of(const workload *w) { return w->trainers ? w->trainers : 1; }
/* The graph alone: losses, metric, columns, depth, flops. */
static network graph_of(const workload *w, gtr_desc d)
{
    network n;
    int k;
    memset(&n, 0, sizeof n);
    n.ctx = gtr_create(d);
    n.fashion = on_fashion(w);
    for (k = 0; k < trainers_of(w); k++) {
        int count[sizeof words / sizeof *words] = { 0 };
        char scope[16];
        snprintf(scope, sizeof scope, "net%d", k + 1);
        if (w->trainers) gtr_scope_begin(n.ctx, scope);
        n.top = n.columns = 0;
        do_words(&n, w->network, count);
        if (w->trainers) gtr_scope_end(n.ctx);
        n.losses[k] = n.stack[0].t;
    }
    n.loss = n.losses[0];
    n.depth = n.stack[0].depth;
    return n;
}
/* >> data: the stream that the peers' programs make as well (network.py) */
static void draw(const column *c, void *to, int64_t n, int64_t wide, uint32_t seed)
{
    int64_t i;
    if (c->kind == FLOATS) made((float *)to, n, seed, 0, 0);
    for (i = 0; i < n && c->kind != FLOATS; i++) {
        float r = (float)(mix((uint32_t)i, seed) >> 8) / 8388608.0f - 1, below = (float)c->limit * 0.49999f * (1 + r);
        switch (c->kind) {
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
    void *data[STACK];
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
        int64_t wide = (int64_t)elements_of_row(&c->shape);
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
static gtr_trainer_desc trainer_of(const workload *w, gtr_precision precision)
{
    gtr_trainer_desc how;
    memset(&how, 0, sizeof how);
    how.optimizer = w->optimizer == ADAM ? GTR_ADAM : GTR_SGD;
    how.momentum = w->optimizer == ADAM ? 0 : 0.9f;
    how.lr = w->optimizer == ADAM ? 1e-3f : 1e-2f;
    how.precision = precision;
    how.nonfinite = w->nonfinite;
    return how;
}
