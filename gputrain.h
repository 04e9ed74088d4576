/* gputrain.h, 0.1: trains neural networks from C and C++, on the CPU and on NVIDIA GPUs, in two files to copy.

DO THIS in one C or C++ file:
    #define GPUTRAIN_IMPLEMENTATION
    #include "gputrain.h"               // before other headers
and in all others, if there are others:
    #include "gputrain.h"
compile:
    cc -O3 -march=native train.c -lm -pthread   (CPU)
    nvcc -O3 -arch=native -Xcompiler -march=native -DGPUTRAIN_CUDA train.c gputrain_cuda.cu -lcublasLt   (GPU, else CPU)
On Hopper write -arch=sm_90a: its fastest instructions are compiled for that name alone. CUDA 11.4 or newer, C++17.
Licence (MIT-0) and history at the end.

A COMPLETE PROGRAM
    int main(void)
    {
        gtr_context *ctx = gtr_create((gtr_desc){0});   // the GPU if there is one, else the CPU
        gtr_dataset *train = gtr_dataset_idx(ctx, "train-images-idx3-ubyte", "train-labels-idx1-ubyte");
        gtr_dataset *test  = gtr_dataset_idx(ctx, "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte");

        gtr_tensor *x = gtr_input(ctx, "image", GTR_F32, gtr_shape2(GTR_BATCH, 784));   // bytes become 0..1 floats
        gtr_tensor *y = gtr_input(ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH));
        gtr_tensor *h = gtr_relu(gtr_linear(x, "fc1", 256));
        gtr_tensor *logits = gtr_linear(h, "fc2", 10);
        gtr_tensor *loss = gtr_cross_entropy(logits, y);

        gtr_trainer *t = gtr_trainer_create(loss, (gtr_trainer_desc){ .optimizer = GTR_ADAM, .lr = 1e-3f });
        gtr_fit(t, train, (gtr_fit_desc){ .epochs = 5, .batch = 128, .validation = test, .metric =
        gtr_accuracy(logits, y) });
        gtr_save(ctx, "model.safetensors");   // PyTorch reads it, by name

        if (gtr_error(ctx)) fprintf(stderr, "%s\n", gtr_error_text(ctx));
        gtr_destroy(ctx);
    }
Descriptors go by value and 0 in a field is its default, so that C's {0} and C++'s {} are whole descriptors; in C++
before C++20: gtr_fit_desc d = {}; d.epochs = 5; and gtr_create({}). More programs: examples/,
from a truth table to a GAN.

WHAT IT DOES NOT DO
No attention or recurrent layers yet; one GPU; no gradients of gradients; no control flow inside a step
that depends on data (the host chooses which graph to run); no strided tensors; no gzip, of image files PGM and PPM
alone; no build at run time.

CONTENTS (each is a line // >>NAME of this file: search for >>NAME)
    config enums structs functions context tensor op layer loss run parameters trainer predictor data save observe
    backend op-rows formulas random calls plan-structs capabilities tables programs backend-end implementation objects
    errors memory shapes op-table cpu-instance threads vmath products ops conversions finite shape-helpers
    kernel-helpers op:input op:parameter op:constant op:gradient op:part op:reshape op:stop_gradient op:widen op:matmul
    op:linear op:linear_act op:linear_dact op:add op:sub op:mul op:div op:binary op:scale op:relu op:tanh op:sigmoid
    op:gelu op:gelu_tanh op:exp op:log op:unary op:permute op:concat op:slice op:sum op:mean op:logsumexp op:max op:min
    op:prod op:var op:norm op:softmax op:log_softmax op:dropout op:random op:embedding op:scatter_add op:conv
    op:max_pool op:avg_pool op:upsample op:batch_norm op:group_norm op:layer_norm op:rms_norm op:argmax op:cumsum
    op:sort op:take op:one_hot op:accuracy op:cross_entropy op:xent_step op:nll op:divisor op:mse op:bce_with_logits
    op:pair_step op:custom op:copy op:cast op:fill op:feed op:tally op:bn_commit op:guard op:update op:report op:check
    op:network rows program cpu-backend contexts tensors op-builders layer-builders loss-builders plan pass:record
    pass:tally pass:differentiate pass:rematerialise pass:fuse pass:alias pass:select pass:order pass:memory plan-make
    running leaves resolve runner set-get schedule training nonfinite step evaluate metrics fit predicting files
    datasets idx cifar images csv npy dataset-use safetensors json load save-file checkpoint observing release

SHAPES AND DTYPES
A shape is up to 8 extents, slowest first, row-major: (N, C) has C adjacent elements. GTR_BATCH stands for the number of
rows of a run, -k for k times it; everything else about a graph is fixed when it is built, so one graph serves every
batch size. Inputs are GTR_F32 or GTR_I32 (labels, ids), parameters GTR_F32. Data sets may hold GTR_U8, which becomes
scale * byte + shift (0..1 unless said otherwise); gtr_dataset_augment has images normalised, and for training cropped
at random, mirrored and so on, where a batch is gathered. Binary ops broadcast as NumPy does. Parameters have PyTorch's
names, shapes and initial values ("fc1.weight" is (out, in)).
Images are (N, C, H, W), sequences (N, C, L), as PyTorch's. Inside, from the first convolution to flatten, they and the
weights of convolutions lie with channels last, without a word and without copies between; gtr_set, gtr_get and files
do not see it. An input may come as (N, H, W, C), as cameras give it: gtr_permute to (N, C, H, W) then copies nothing. A
data set's column of channels_last goes into either.

GRAPH, PLAN, RUN
Builders (gtr_relu, gtr_linear, ...) record tensors and check them at once; nothing is computed. Wrong arguments give
NULL and an error in the context; NULL passes through all builders, so a model is built first and checked once. A run
makes a plan of the part of the graph that it needs, one per batch size and precision, and keeps it; on the GPU a plan
becomes a graph of kernels in its second run.
    gtr_fit                     epochs over a data set: shuffle, tail batch, validation, progress, history, callback,
                                early stopping, metrics; .checkpoint and .resume: going on tomorrow
    gtr_trainer_data, gtr_step  the same loop by hand, from a data set
    gtr_train_for               so many milliseconds of that
    gtr_set, gtr_step, gtr_loss a loop over data of one's own; gtr_set's values serve the runs that follow it
    gtr_eval, gtr_get           any tensors, in evaluation mode; gtr_eval_train: in training mode
    gtr_predictor, gtr_predict  inference in any thread; gtr_predictor_refresh: while another trains
Training or evaluation is a property of the run (dropout, batch_norm), not of the context. A graph may grow at any
time. Element-wise ops of one index space are one launch, with the bits that they have alone.

GRADIENTS
A trainer differentiates its loss, a scalar, with respect to every parameter below it that is not frozen
(gtr_init.frozen for good, gtr_group.frozen for one trainer). Several losses and trainers may share parameters; each
trainer has its own optimizer states. gtr_gradient gives a gradient as a tensor; gtr_backward and gtr_update are the
halves of gtr_step. micro_batches serve batches that do not fit; gtr_recompute_begin/end trade time for memory. A layer
of one's own is a function that calls these; an op of one's own is gtr_custom.

PRECISION
gtr_trainer_desc.precision: GTR_FP32 (default); GTR_TF32: float32 storage, products on the tensor cores with 10-bit
mantissas; GTR_MIXED_BF16 and GTR_MIXED_FP16: activations and products' inputs in 16 bits, float32 master weights, sums
and losses (norms compute in float32, and store what they are given), and for FP16 a loss scale that adapts itself. The
CPU rounds where the GPU stores, and takes TF32 as FP32. On Turing TF32 means FP32, and BF16 is refused when the trainer
is made. gtr_get, gtr_save and gtr_load always deal in float32.

MEMORY
The context owns everything made in it. Activations share one arena, planned ahead, and the place of gradients that are
not written yet; after a plan's first step nothing is allocated. gtr_memory_text shows what a batch takes before
anything runs, with gtr_desc.preset for a GPU that is not there. Out of memory is an ordinary error: parameters and
files are as they were, and a smaller batch may be tried.

ERRORS AND LOGGING
The first error stays in the context until gtr_error_clear; calls that run, read, save or load also return their own
gtr_result. While it stays gtr_save writes nothing: a model that could not be built, fed, loaded or trained replaces no
file. The library prints nothing but gtr_fit's progress on stderr; never exits, never aborts. In training, a loss or
gradient that is not finite changes no parameter: the call that sees it returns GTR_ERR_NONFINITE, and the text names
the step and the first tensor, or the data set's row and column, and what may help; under FP16 such a step is skipped
instead. Only a faulted device ends a context.

STREAMS AND THREADS
A context is used by one thread at a time, different contexts by different threads as they please; several threads may
predict with one context's weights (gtr_predictor), or while it trains with snapshots of them (gtr_predictor_refresh).
gtr_step enqueues on the GPU and returns; gtr_get, gtr_loss, gtr_wait, gtr_save and the end of gtr_fit wait.
.cuda_stream and .max_sm of gtr_desc share a GPU with others. After
fork() all that the child's copy of a context can do is fail, with GTR_ERR_STATE, and be destroyed; the child may
make its own (on the CPU, if the parent uses CUDA).

DETERMINISM
Same seed, binary and device: same bits, on the CPU for any number of threads. Between devices results agree to
rounding, and so do gtr_fit and a loop of gtr_step on a GPU, where one kernel of gtr_fit may do many steps.

CONFIG MACROS
    GPUTRAIN_IMPLEMENTATION     the implementation goes here; define it in one file
    GPUTRAIN_CUDA               gputrain_cuda.cu is linked in
    GPUTRAIN_STATIC             beside GPUTRAIN_IMPLEMENTATION: all functions static, a private copy for this file
    GPUTRAIN_NO_THREADS         the CPU backend without threads, and no -pthread; chosen where atomics are missing (tcc)
    GPUTRAIN_NO_CUBLASLT        for the .cu: own matrix products only, and no -lcublasLt
    GPUTRAIN_CBLAS              matrix products on the CPU by a CBLAS that you link
    GPUTRAIN_DOUBLE             the CPU backend in double (gtr_float), for gradient checks
    GPUTRAIN_ALLOW_FAST_MATH    do not refuse -ffast-math
*/
#ifndef GPUTRAIN_H
#define GPUTRAIN_H

#define GPUTRAIN_VERSION_MAJOR 0
#define GPUTRAIN_VERSION_MINOR 1
#define GPUTRAIN_VERSION       "0.1"

// >>config
#if defined(GPUTRAIN_IMPLEMENTATION) && defined(__STRICT_ANSI__) && !defined(__cplusplus) && !defined(_WIN32) \
    && !defined(_POSIX_C_SOURCE)
/* a strict -std=c99 hides clock_gettime and fsync unless this comes before the first system header */
#define _POSIX_C_SOURCE 200809L
#endif
#if defined(GPUTRAIN_IMPLEMENTATION) && defined(__MINGW32__) && !defined(__USE_MINGW_ANSI_STDIO)
#define __USE_MINGW_ANSI_STDIO 1 /* printf as C99 has it */
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(GPUTRAIN_STATIC) && !defined(GPUTRAIN_IMPLEMENTATION) && !defined(GPUTRAIN_BACKEND)
#error "gputrain: GPUTRAIN_STATIC is a private copy: define GPUTRAIN_IMPLEMENTATION too, in each file that has it"
#endif
#if defined(__FAST_MATH__) && !defined(GPUTRAIN_ALLOW_FAST_MATH)
#error "gputrain: -ffast-math breaks infinities and reproducible sums; define GPUTRAIN_ALLOW_FAST_MATH to insist"
#endif

#ifndef GTR_API
#  ifdef GPUTRAIN_STATIC
#    if defined(__GNUC__) || defined(__clang__)
#      define GTR_API static __attribute__((unused))
#    else
#      define GTR_API static
#    endif
#  else
#    define GTR_API extern
#  endif
#endif

#ifdef GPUTRAIN_DOUBLE
typedef double gtr_float; /* the element of a GTR_F32 tensor: double, for gradient checks on the CPU */
#else
typedef float gtr_float; /* the element of a GTR_F32 tensor */
#endif

#ifdef __cplusplus
extern "C" {
#endif

// >>enums

/* Results and error codes: GTR_OK is 0. The texts are those of gtr_result_text(). */
#define GTR__RESULTS(X) \
    X(OK, "no error") \
    X(ERR_ARG, "an argument is out of its range") \
    X(ERR_SHAPE, "shapes or dtypes do not fit") \
    X(ERR_NOMEM, "out of memory") \
    X(ERR_IO, "reading or writing a file failed") \
    X(ERR_FORMAT, "a file is not of its format") \
    X(ERR_UNSUPPORTED, "valid, but not supported here") \
    X(ERR_STATE, "not possible in this state") \
    X(ERR_VERSION, "parts of different versions") \
    X(ERR_NONFINITE, "a value is not finite") \
    X(ERR_CUDA, "the CUDA device or driver failed") \
    X(ERR_USER, "a callback of the user's failed")

#define GTR__RESULT_ENUM(id, text) GTR_##id,
typedef enum gtr_result { GTR__RESULTS(GTR__RESULT_ENUM) GTR_RESULT_COUNT } gtr_result;

typedef enum gtr_dtype { GTR_F32, GTR_BF16, GTR_F16, GTR_I32, GTR_U8, GTR_I64, GTR_F64, GTR_DTYPE_COUNT } gtr_dtype;
typedef enum gtr_device { GTR_DEVICE_AUTO, GTR_DEVICE_CPU, GTR_DEVICE_CUDA } gtr_device;
typedef enum gtr_precision { GTR_FP32, GTR_TF32, GTR_MIXED_BF16, GTR_MIXED_FP16 } gtr_precision;
typedef enum gtr_optimizer { GTR_SGD, GTR_ADAM, GTR_ADAMW, GTR_RMSPROP, GTR_LION } gtr_optimizer;
/* Of a loss's terms: sum / their number, sum, themselves, sum / dimension 0. */
typedef enum gtr_reduction { GTR_REDUCE_MEAN, GTR_REDUCE_SUM, GTR_REDUCE_NONE, GTR_REDUCE_BATCH_MEAN } gtr_reduction;
typedef enum gtr_schedule {
    GTR_CONSTANT, GTR_COSINE, GTR_CUSTOM_SCHEDULE, GTR_STEP_DECAY, GTR_EXPONENTIAL, GTR_LINEAR, GTR_ONE_CYCLE,
    GTR_PLATEAU
} gtr_schedule;
/* Why a gtr_fit ended. The texts are those of gtr_end_text. */
#define GTR__ENDS(X) \
    X(NONE, "none has ended") \
    X(EPOCHS, "all epochs are done") \
    X(PATIENCE, "no improvement for .patience epochs") \
    X(SECONDS, ".seconds are over") \
    X(CALLBACK, "the callback returned false") \
    X(STOP, "gtr_stop was called") \
    X(ERROR, "an error")
#define GTR__END_ENUM(id, text) GTR_END_##id,
typedef enum gtr_end { GTR__ENDS(GTR__END_ENUM) GTR_END_COUNT } gtr_end;
/* What a fit may go by: its name, and whether the largest is the best. */
#define GTR__METRICS(X) \
    X(LOSS, "loss", false) X(TENSOR, "metric", true) X(ACCURACY, "accuracy", true) X(TOP_K, "top-k", true) \
    X(PRECISION, "precision", true) X(RECALL, "recall", true) X(F1, "f1", true) /* of class 1 of two */ \
    X(PRECISION_MACRO, "macro precision", true) X(RECALL_MACRO, "macro recall", true) X(F1_MACRO, "macro f1", true) \
    X(PRECISION_MICRO, "micro precision", true) X(RECALL_MICRO, "micro recall", true) X(F1_MICRO, "micro f1", true) \
    X(AUC, "auc", true) X(R2, "r2", true) X(MAE, "mae", false) X(MSE, "mse", false) X(RMSE, "rmse", false)
#define GTR__METRIC_ENUM(id, text, largest) GTR_METRIC_##id,
typedef enum gtr_metric { GTR__METRICS(GTR__METRIC_ENUM) GTR_METRIC_COUNT } gtr_metric;
typedef enum gtr_nonfinite { GTR_NONFINITE_ALL, GTR_NONFINITE_LOSS } gtr_nonfinite;
typedef enum gtr_memory { GTR_MEMORY_HOST, GTR_MEMORY_DEVICE, GTR_MEMORY_STAGING } gtr_memory;
typedef enum gtr_pad_mode { GTR_PAD_CONSTANT, GTR_PAD_REFLECT, GTR_PAD_REPLICATE, GTR_PAD_CIRCULAR } gtr_pad_mode;
/* What stands for a field of a CSV file that is blank, NA, N/A, #N/A, NaN, NULL, None or ?: an error, or the mean or
   the median of what there is of its column, or a constant; or rows with such a field are left out. */
typedef enum gtr_missing {
    GTR_MISSING_ERROR, GTR_MISSING_MEAN, GTR_MISSING_MEDIAN, GTR_MISSING_CONSTANT, GTR_MISSING_DROP
} gtr_missing;
typedef enum gtr_level { GTR_LOG_INFO, GTR_LOG_WARNING } gtr_level;
/* Devices to plan for without having them: gtr_desc.preset. Such a context plans and reports, and runs nothing. */
typedef enum gtr_preset {
    GTR_PRESET_NONE, GTR_PRESET_CPU, GTR_PRESET_SM75, GTR_PRESET_SM87, GTR_PRESET_SM90
} gtr_preset;

// >>structs
typedef struct gtr_context gtr_context;
typedef struct gtr_tensor gtr_tensor;
typedef struct gtr_trainer gtr_trainer;
typedef struct gtr_predictor gtr_predictor;
typedef struct gtr_dataset gtr_dataset;

#define GTR_MAX_DIMS 8
#define GTR_BATCH    (-1) /* the batch's size; -k is k times it */
#define GTR_ZERO     1e-38f /* for a descriptor's field that shall be zero and not its default */

/* A shape: ndim extents, slowest first; row-major. Build one with gtr_shape0() to gtr_shape4() or fill it in. */
typedef struct gtr_shape { int ndim; int64_t dim[GTR_MAX_DIMS]; } gtr_shape;

/* Memory of the user's own. alloc returns memory aligned to 64 bytes (256 for GTR_MEMORY_DEVICE) or NULL; free gets
   what alloc gave. GTR_MEMORY_DEVICE is asked for what gtr_memory_report counts; with CUDA it must be device memory.
   GTR_MEMORY_STAGING is host memory. */
typedef struct gtr_allocator {
    void *(*alloc)(size_t bytes, gtr_memory kind, void *user);
    void (*free)(void *p, size_t bytes, gtr_memory kind, void *user);
    void *user;
    bool cuda; /* GTR_MEMORY_DEVICE goes through it with CUDA too (it returns device pointers) */
} gtr_allocator;
typedef struct gtr_desc {
    gtr_device device; /* 0: the GPU if one works, else the CPU */
    int device_index; /* which GPU; 0: the first (CUDA_VISIBLE_DEVICES applies) */
    uint64_t seed; /* of initial weights, dropout and shuffles */
    int threads; /* CPU threads, the caller's included; 0: one a core */
    int max_sm; /* multiprocessors that a persistent kernel may fill; 0: all */
    size_t memory_limit; /* bytes of device memory this context may take; 0: what there is */
    void *cuda_stream; /* a cudaStream_t to enqueue on; NULL: an own one, of the lowest priority */
    gtr_allocator allocator; /* all zero: malloc and cudaMalloc */
    void (*log)(gtr_level level, const char *text, void *user); /* warnings; NULL: silent */
    void *log_user;
    gtr_preset preset; /* plan for this device without having it */
} gtr_desc;

/* A custom op's call: all data float32 (gtr_float on the CPU) or int32, contiguous; device pointers if the op
   was made with on_device. */
typedef struct gtr_custom_call {
    int n_in, n_out;
    const void *in[8]; /* forward and backward: the inputs */
    gtr_shape in_shape[8];
    void *out; /* forward: to be written. backward: what forward wrote */
    gtr_shape out_shape;
    const void *dout; /* backward: the gradient of out */
    void *din[8]; /* backward: to be written; NULL where not wanted */
    /* of each output; [0] are those above; backward: douts NULL where no gradient comes */
    void *outs[8]; gtr_shape out_shapes[8]; const void *douts[8];
    void *cuda_stream; /* on_device: enqueue here; do not wait, do not allocate */
    void *user;
} gtr_custom_call;
typedef struct gtr_custom_desc {
    const char *name;
    int n_in;
    gtr_tensor *in[8]; /* GTR_F32 (GTR_I32 inputs come as they are, without a gradient) */
    /* out: all outputs'; NULL: like in[0]. Called when the op is built and for each batch: the same, or GTR_ERR_USER */
    gtr_result (*shape)(int n_in, const gtr_shape *in, gtr_shape *out, void *user);
    gtr_result (*forward)(const gtr_custom_call *call);
    gtr_result (*backward)(const gtr_custom_call *call); /* NULL: no gradient */
    bool on_device; /* the callbacks take device pointers and enqueue on call->cuda_stream */
    void *user;
    int n_out; /* 0: 1; several: gtr_output */
    gtr_dtype out_dtype[8]; /* 0: GTR_F32; GTR_I32 has no gradient */
} gtr_custom_desc;
typedef struct gtr_linear_desc {
    int64_t out; /* features out, at least 1 */
    bool no_bias;
} gtr_linear_desc;
typedef struct gtr_batch_norm_desc {
    float eps; /* 0: 1e-5 */
    float momentum; /* 0: 0.1, PyTorch's: running = (1 - momentum) running + momentum batch */
    bool frozen; /* training uses the running statistics, too, and does not change them */
} gtr_batch_norm_desc;
/* Of convolutions and pooling, along height and width alike; what ends in _w, where it is not 0, is the width's. */
typedef struct gtr_conv_desc {
    int64_t out; /* channels out, at least 1 */
    int kernel, kernel_w; /* at least 1 */
    int stride, stride_w; /* 0: 1 */
    int padding, padding_w; /* zeros on each side; padding_w -1: none */
    int dilation, dilation_w; /* from tap to tap; 0: 1 */
    int64_t groups; /* that channels in and out are cut into; 0: 1. As many as channels: depthwise */
    bool no_bias;
    int output_padding, output_padding_w; /* transposed: rows and columns more at the end; -1: none */
} gtr_conv_desc;
typedef struct gtr_pool_desc {
    int kernel, kernel_w; /* at least 1 */
    int stride, stride_w; /* 0: the kernel */
    int padding, padding_w; /* on each side, at most half the kernel; padding_w -1: none */
    int dilation, dilation_w; /* of gtr_max_pool2d alone; 0: 1 */
    bool round_up; /* PyTorch's ceil_mode: windows that hang over the end count */
    bool exclude_padding; /* gtr_avg_pool2d: zeros beyond the image do not count (PyTorch's count_include_pad=False) */
} gtr_pool_desc;
typedef struct gtr_cross_entropy_desc {
    float label_smoothing; /* 0 to 1 */
    int32_t ignore_index; /* rows with this label do not count; 0: -100. To ignore label 0 set ignore_zero */
    bool ignore_zero;
    gtr_reduction reduction;
    gtr_tensor *weight; /* of classes, float32 (C), without a gradient; NULL: 1 */
    gtr_tensor *sample_weight; /* float32 (N) or (N, H, W), times the terms; no mean divides by it; NULL: 1 */
} gtr_cross_entropy_desc;
/* Of the other losses; what a loss does not read is 0. */
typedef struct gtr_loss_desc {
    gtr_reduction reduction;
    gtr_tensor *weight; /* float32, broadcasts to the terms; no mean divides by it; NULL: 1 */
    gtr_tensor *pos_weight; /* float32, broadcasts to x; NULL: 1 */
    float beta, delta; /* above 0; 0: 1 (beta GTR_ZERO: l1) */
    float alpha; /* 0: 0.25; -1: no weights */
    float gamma; /* 0: 2 */
    float margin; /* -1 to 1 */
    float eps; /* 0: poisson_nll 1e-8, gaussian_nll 1e-6 */
    bool log_target; /* kl_div: target is a logarithm, too */
    bool no_log_input; /* poisson_nll: x is no logarithm */
    bool full; /* poisson_nll, gaussian_nll: what x does not change, too */
} gtr_loss_desc;

/* How initial values of a parameter are drawn. */
typedef enum gtr_init_kind { GTR_INIT_ZERO, GTR_INIT_CONSTANT, GTR_INIT_UNIFORM, GTR_INIT_NORMAL } gtr_init_kind;
typedef struct gtr_init {
    gtr_init_kind kind;
    float a; /* constant: the value; uniform: in [-a, a); normal: the standard deviation */
    bool frozen; /* neither gradient nor optimizer state, ever */
} gtr_init;

/* One group of parameters; the first group whose pattern fits a name counts. '*' stands for any run of
   characters, '?' for one. */
typedef struct gtr_group {
    const char *pattern; /* "fc1.*", "*.bias"; it must fit some parameter's full name */
    float lr_scale; /* times the schedule's rate; 0: 1 */
    float weight_decay; /* 0: the trainer's; GTR_ZERO: none */
    bool frozen; /* not trained by this trainer: neither gradient nor state */
} gtr_group;
typedef struct gtr_trainer_desc {
    gtr_optimizer optimizer; /* 0: SGD */
    float lr; /* 0: 1e-3 for Adam and AdamW, 1e-2 for SGD and RMSprop, 1e-4 for Lion */
    float momentum; /* SGD, RMSprop; 0 to 1 */
    bool nesterov; /* SGD with momentum */
    float weight_decay; /* SGD, Adam, RMSprop: added to the gradient; AdamW (0 is its default 0.01), Lion: decoupled */
    float beta1, beta2; /* 0: 0.9, 0.999; RMSprop's alpha is beta2, 0: 0.99; Lion 0.9, 0.99 */
    float eps; /* 0: 1e-8 */
    /* 0: constant. Of attempted step t = 0, 1, ... PyTorch's rates, where each step is one of its schedulers':
       GTR_COSINE: CosineAnnealingLR, from lr to min_lr. GTR_STEP_DECAY: lr gamma^floor(t / decay_steps).
       GTR_EXPONENTIAL: lr gamma^(t / decay_steps). GTR_LINEAR: lr times start_factor, to lr times end_factor.
       GTR_ONE_CYCLE: from lr / div_factor to lr within pct_start of the steps, and to lr / div_factor /
       final_div_factor at the last (OneCycleLR without cycle_momentum). GTR_PLATEAU: ReduceLROnPlateau, which goes by
       gtr_trainer_plateau's values, and by those that gtr_fit monitors, at each epoch's end */
    gtr_schedule schedule;
    int64_t warmup_steps; /* lr (t+1)/warmup in the first steps, t is 0 behind them; not one-cycle, plateau, custom */
    int64_t total_steps; /* cosine, linear, one-cycle: where they end, and stay; 0: each gtr_fit's own steps */
    float min_lr; /* cosine, plateau */
    int64_t decay_steps; /* step: at least 1; exponential: 0: 1. An epoch's steps for PyTorch's rates by epochs */
    float gamma; /* step, plateau (its factor): 0: 0.1; exponential: above 0 */
    float start_factor, end_factor; /* linear; 0: 1/3 and 1. GTR_ZERO: none */
    float pct_start, div_factor, final_div_factor; /* one-cycle; 0: 0.3, 25 and 1e4 */
    bool anneal_linear, three_phase; /* one-cycle */
    int plateau_patience, plateau_cooldown; /* evaluations; patience 0: 10, -1: 0 */
    float threshold; /* plateau: 0: 1e-4 of the best, GTR_ZERO: any */
    bool threshold_absolute;
    /* GTR_CUSTOM_SCHEDULE: the rate of attempted step 0, 1, ...; asked when the step is queued */
    float (*lr_fn)(int64_t step, void *user);
    void *lr_user;
    /* below 1: decay of the parameters' averages, which gtr_evaluate and gtr_fit's validation take, beside batch_norm's
       running statistics as they are; 0: none. 1 / (1 - ema) steps should be few of a run's, and its last */
    float ema;
    float clip_norm; /* clip the global 2-norm of all gradients to this; 0: do not */
    gtr_precision precision; /* 0: FP32 */
    float loss_scale; /* FP16: where the dynamic scale starts; 0: 65536 */
    /* 1 to 64 parts (equal, or one row apart) that a step's batch is computed in, one after the other; its loss is the
       mean of theirs, weighted by rows; 0: 1 */
    int micro_batches;
    int streams; /* 1 to 4 of a step; 0: chosen: 1 on the CPU, with micro-batches, recomputation or a memory_limit */
    gtr_nonfinite nonfinite; /* 0: loss and all gradients are checked before an update */
    const gtr_group *groups; /* n_groups of them, copied; NULL: one group */
    int n_groups;
    bool no_matchers; /* run op by op: no whole-network kernels */
} gtr_trainer_desc;

/* What a step reported. */
typedef struct gtr_report {
    int64_t step; /* attempted steps, this one included: 1 after the first */
    int64_t applied; /* updates applied */
    float loss;
    float grad_norm; /* 2-norm of all gradients before clipping; 0 unless clip_norm is set or the precision is FP16 */
    float lr; /* of group 0 */
    float loss_scale;
    bool skipped; /* FP16: this step's gradients overflowed; no update */
} gtr_report;

/* What gtr_evaluate_metrics compares. scores (N, C, ...) with GTR_I32 labels (N, ...): of C classes. As many labels as
   scores, (N) or (N, K, ...) with K of them side by side: GTR_I32, or float32 with .binary: 0 or 1 each; other float32:
   targets. */
typedef struct gtr_metrics_desc {
    gtr_tensor *scores, *labels; /* of any op, or inputs */
    bool binary;
    bool probabilities; /* scores are these, not logits */
    float threshold; /* of two classes by one score: the probability above which 1 is predicted; 0: 0.5 */
    int top_k; /* 0: 5 */
    int32_t ignore_index; /* labels that do not count, beside negative ones; 0: none, but with ignore_zero */
    bool ignore_zero;
    int64_t batch; /* rows at a time; 0: 1024, or as many as have 2^24 scores */
    int64_t auc_most; /* scores that AUC may hold, 4 bytes of host memory each, else it is NaN; 0: 2^24, -1: none */
} gtr_metrics_desc;
/* 0 where there is no label of the class, or none was predicted. */
typedef struct gtr_class_metrics { double precision, recall, f1, auc; int64_t support; } gtr_class_metrics;
typedef struct gtr_metrics {
    double value[GTR_METRIC_COUNT]; /* by gtr_metric; NaN: these labels have none */
    int64_t counted, ignored; /* labels */
    int64_t classes; /* or, of several labels a row, as many; 0: targets */
    const gtr_class_metrics *of_class; /* classes of them, as all that is pointed to t's until its next evaluation */
    const int64_t *confusion; /* [label * classes + predicted]; NULL: targets, labels side by side, over 1024 classes */
    const char *text; /* a table, the context's until its next text; NULL in gtr_progress */
} gtr_metrics;

/* Progress of gtr_fit, as its callback sees it. */
typedef struct gtr_progress {
    gtr_trainer *trainer;
    int64_t step, steps; /* done and planned in this fit */
    int epoch, epochs; /* 1-based, and how many; the rest of one that was cut short is the first */
    bool epoch_end; /* validation figures are fresh */
    float loss, metric; /* mean over the epoch so far */
    float val_loss, val_metric; /* NaN before the first validation */
    double samples_per_second, seconds_left;
    const gtr_metrics *metrics; /* with gtr_fit_desc.metrics, from the first validation on; else NULL */
    float best; int best_epoch, wait; /* of what is monitored; epochs since then; 0: no epoch has ended yet */
    void *user;
} gtr_progress;
typedef struct gtr_fit_desc {
    int epochs; /* whole ones, after the rest of one that was cut short; 0: 1 */
    int64_t batch; /* rows a step; 0: 32 */
    gtr_dataset *validation; /* evaluated after each epoch */
    gtr_tensor *metric; /* a scalar, averaged beside the loss */
    bool (*callback)(const gtr_progress *p); /* false stops the fit; all work is done when it is called */
    void *callback_user;
    int64_t callback_every; /* steps; 0: at the end of each epoch */
    bool no_shuffle; /* rows in their order */
    bool drop_last; /* leave out the tail batch */
    bool silent; /* no progress on stderr */
    gtr_report *history; /* NULL, or room for history_size reports, filled step by step */
    int64_t history_size;
    /* NULL, or the file that holds this fit's newest gtr_checkpoint_save: every so many steps, seconds or epochs,
       whichever comes first (all 0: every epoch), and where it ends without an error */
    const char *checkpoint;
    int64_t checkpoint_steps;
    double checkpoint_seconds;
    int checkpoint_epochs;
    int keep_last; /* the last so many, at most 30, stay as checkpoint.STEP, too */
    bool keep_best; /* that of the best epoch, by .monitor and .min_delta, as checkpoint.best */
    /* The file at checkpoint, if there is one, is loaded, and the fit that wrote it goes on: epochs counts from that
       one's beginning, so that one that was finished does nothing; history is as if it had not been cut. Of other data,
       batch, no_shuffle or drop_last: GTR_ERR_STATE. */
    bool resume;
    /* Of the validation set, or without one of the epoch's training: what patience, restore_best and GTR_PLATEAU go by
       at each epoch's end. 0: the loss, the less the better; GTR_METRIC_TENSOR: .metric, the more the better; others:
       of .metrics, the errors the less, the rest the more; one that is NaN there: GTR_ERR_ARG */
    gtr_metric monitor;
    bool monitor_least; /* the least .metric is the best */
    gtr_metrics_desc metrics; /* with scores: of the whole validation set, at each epoch's end */
    int patience; /* epochs one after the other without a better value, after which the fit ends; 0: it does not */
    float min_delta; /* a value is better if it is by more than this */
    bool restore_best; /* parameters, buffers and averages become the best epoch's at the end, whatever ended the fit */
    double seconds; /* of the whole call, after which no step begins, and which one step at most is over; 0: any */
} gtr_fit_desc;
/* What a predictor computes, and from what. */
typedef struct gtr_predictor_desc {
    gtr_tensor *out[8]; /* up to the first NULL */
    gtr_tensor *in[8]; /* in the order of gtr_predict_ex's; NULL: as they were made, at most 8 */
    int64_t max_rows; /* 0: 1 */
    bool snapshot; /* from weights of its own: see gtr_predictor_refresh */
} gtr_predictor_desc;
/* How the last gtr_fit ended. */
typedef struct gtr_fit_end {
    gtr_end why;
    int64_t steps;
    double seconds;
    float best; int best_epoch; /* as gtr_progress has them */
    bool restored; /* the weights are that epoch's */
} gtr_fit_end;

/* One column of a data set: rows x shape, contiguous, in host memory; copied, unless borrow is set. */
typedef struct gtr_column {
    const void *data; /* NULL ends the list */
    /* GTR_F32, GTR_I32, GTR_U8, as they are kept; GTR_F64 (double) becomes float32 and GTR_I64 (int64_t) int32, and a
       number beyond their range is an error */
    gtr_dtype dtype;
    gtr_shape shape; /* of one row; ndim 0 for a number */
    float scale, shift; /* GTR_U8 into a float input: scale * value + shift; scale 0: 1/255 */
    const char *name; /* of the input that it is for (see gtr_trainer_data), copied; NULL: none */
    bool channels_last; /* rows are (H, W, C), or (L, C), and go into inputs (N, H, W, C) and (N, C, H, W) alike */
    bool borrow; /* no copy: data is read where it is, and must stay so until the data set is destroyed */
} gtr_column;
/* What becomes of images on their way into a float input: gtr_dataset_augment. mean, std, height and width hold in
   every run, the rest in training alone. All zero: nothing. */
typedef struct gtr_augment_desc {
    /* of each channel: (value - mean) / std, after scale and shift; std 0: 1. Channels from 16 on: as the last here */
    float mean[16], std[16];
    int height, width; /* that are cropped, at random in training, else from the middle; 0: the column's */
    int pad; /* pixels more on each side, before cropping */
    gtr_pad_mode pad_mode; /* 0: of 0, as stored */
    float flip, flip_vertical; /* probability that an image is mirrored, left to right and top to bottom */
    int cutout; /* side of a square of the mean that hides pixels, its centre anywhere in the image; 0: none */
    float brightness; /* b: times a number from 1 - b to 1 + b, before mean and std */
    float contrast; /* c: the distance from mean times one from 1 - c to 1 + c */
} gtr_augment_desc;
typedef struct gtr_arrays_desc { int64_t rows; gtr_column column[16]; } gtr_arrays_desc;
typedef struct gtr_images_desc {
    int height, width; /* that all images become; 0: all have the first one's, and stay as they are */
    /* that the shorter side is resized to, before height x width are cropped from the middle, at least both of them; 0:
       what is cropped is as much of an image as there can be */
    int resize;
    int channels; /* 1: grey, 3: red, green, blue; 0: as the files, all alike */
} gtr_images_desc;
typedef struct gtr_csv_desc {
    /* its values are the classes, whole numbers from 0. 0: the last column; k: the k-th; -1: there is none */
    int label_column;
    bool header; /* the first line holds names: the label's column and a single feature's get theirs */
    char separator; /* 0: ',' */
    bool regression; /* the label is a float32, not a class */
    float scale; /* features are multiplied by it; 0: 1 */
    /* Columns by their names in the header or their numbers from 1: "age,3". A name with a comma is quoted as there */
    const char *label; /* one; NULL: label_column */
    const char *columns; /* the features, in this order; NULL: all the others */
    const char *skip; /* are not looked at */
    const char *categories; /* of strings, at most 14: a column of ids each, for gtr_embedding and gtr_one_hot */
    gtr_missing missing; /* of features; of categories a string as the others, but for GTR_MISSING_ERROR and _DROP */
    float missing_value; /* GTR_MISSING_CONSTANT: after scale */
    bool drop_unlabelled; /* rows without a label are left out; else, but with GTR_MISSING_DROP, they are an error */
    /* a data set read before, of the same columns, for files of validation and use: ids and what fills holes are its,
       and a string that it has not is an error */
    const gtr_dataset *like;
} gtr_csv_desc;

/* Windows over the rows of a data set, which are steps of one series or of several, one behind the other. */
typedef struct gtr_windows_desc {
    int64_t history; /* steps that a window has */
    int64_t horizon; /* steps behind them that are to be predicted */
    int64_t stride; /* steps from a window to the next; 0: 1 */
    int column; /* that windows are of: float32 or bytes, several channels a row */
    /* the k-th column, of which the horizon is or, without one, the step that is the window's last; 0: as the window's,
       and none without a horizon */
    int target;
    int series; /* the k-th column: integers, and a series ends where the next row has another one; 0: there is one */
    const int64_t *lengths; /* or n_lengths of them; NULL: not so. Read by the call alone */
    int64_t n_lengths;
} gtr_windows_desc;
/* Arrays of NumPy's: float16, 32 and 64 become float32; int8 to int64 GTR_I32; uint8 and bool GTR_U8. */
typedef struct gtr_npy_desc {
    const char *arrays; /* of an .npz: these, "x, y", in this order, for inputs in theirs; NULL: all, by their names */
    bool floats; /* int8 to int64 become float32, too */
    bool nonfinite; /* NaN and infinite numbers may be there */
    float scale, shift; /* of uint8, as gtr_column's */
} gtr_npy_desc;

/* Bytes of device memory (host memory on the CPU) that a trainer takes at a batch's size. */
typedef struct gtr_memory_report {
    int64_t batch;
    size_t parameters, gradients, states, inputs, activations, workspace, low_precision, kept, control;
    size_t total; /* the sum: what the allocator is asked for as GTR_MEMORY_DEVICE, data sets apart */
} gtr_memory_report;

// >>functions

// >>context
/* Makes a context: the GPU if one works, else the CPU (gtr_device_text says which, and why). Never NULL but for want of
   a few KiB of host memory: an error (asking for CUDA where there is none: GTR_ERR_UNSUPPORTED) is kept in the context,
   and all builders then return NULL. Any thread; a context is then used by one thread at a time. */
GTR_API gtr_context *gtr_create(gtr_desc desc);
/* Waits for the device, frees the context and everything made in it. NULL: nothing. */
GTR_API void gtr_destroy(gtr_context *ctx);
/* The first error since gtr_create or gtr_error_clear, and its text: what, which op or layer or file, got and wanted.
   The text is the context's, valid until the next call. A NULL context: GTR_ERR_NOMEM. */
GTR_API gtr_result gtr_error(const gtr_context *ctx);
GTR_API const char *gtr_error_text(const gtr_context *ctx);
/* Forgets the error. After GTR_ERR_NONFINITE training may go on; so it may after GTR_ERR_CUDA if blocks of the GPU
   waited for each other in vain. After a device fault (also GTR_ERR_CUDA) the error comes back. */
GTR_API void gtr_error_clear(gtr_context *ctx);
GTR_API const char *gtr_result_text(gtr_result r);
/* One line: the device, and why it was chosen. */
GTR_API const char *gtr_device_text(gtr_context *ctx);
/* True if the context computes on a GPU. */
GTR_API bool gtr_on_gpu(const gtr_context *ctx);
/* Several lines: device, driver, toolkit, what the binary was built for, free memory, multiprocessors, fast
   instructions, threads. */
GTR_API const char *gtr_environment_text(gtr_context *ctx);
/* Waits until the device has done all that was enqueued, and returns what it met. */
GTR_API gtr_result gtr_wait(gtr_context *ctx);

// >>tensor
GTR_API gtr_shape gtr_shape0(void);
GTR_API gtr_shape gtr_shape1(int64_t a);
GTR_API gtr_shape gtr_shape2(int64_t a, int64_t b);
GTR_API gtr_shape gtr_shape3(int64_t a, int64_t b, int64_t c);
GTR_API gtr_shape gtr_shape4(int64_t a, int64_t b, int64_t c, int64_t d);
/* An input (dtype GTR_F32 or GTR_I32) named name, set by gtr_set or fed from a data set. Its first dimension
   is usually GTR_BATCH. */
GTR_API gtr_tensor *gtr_input(gtr_context *ctx, const char *name, gtr_dtype dtype, gtr_shape shape);
/* A parameter, GTR_F32, of a literal shape; values drawn from the context's seed and its full name, unique UTF-8. */
GTR_API gtr_tensor *gtr_parameter(gtr_context *ctx, const char *name, gtr_shape shape, gtr_init init);
/* A constant copied from data (GTR_F32: gtr_float; GTR_I32). No gradient, not saved. */
GTR_API gtr_tensor *gtr_constant(gtr_context *ctx, gtr_dtype dtype, gtr_shape shape, const void *data);
/* Names made between begin and end get "name." in front; scopes nest. */
GTR_API void gtr_scope_begin(gtr_context *ctx, const char *name);
GTR_API void gtr_scope_end(gtr_context *ctx);
/* Tensors built from now on belong to pipeline stage 0 to 7; values that cross from one stage to another are copied. */
GTR_API void gtr_stage(gtr_context *ctx, int stage);
/* What is built between begin and end is not kept for the backward pass but computed again there. Does not nest. */
GTR_API void gtr_recompute_begin(gtr_context *ctx);
GTR_API void gtr_recompute_end(gtr_context *ctx);
/* mark notes how many tensors there are; release frees the nodes (not parameters) built since, and
   the plans that use them. */
GTR_API int64_t gtr_mark(gtr_context *ctx);
GTR_API void gtr_release(gtr_context *ctx, int64_t mark);
/* Keeps t's value readable after every run that computes it; of micro_batches the last one's, but of all rows where the
   batch's rows are t's first dimension, and of a gradient without rows the sum. Returns t. */
GTR_API gtr_tensor *gtr_keep(gtr_tensor *t);
GTR_API gtr_shape gtr_tensor_shape(const gtr_tensor *t); /* GTR_BATCH and its multiples are negative */
GTR_API gtr_dtype gtr_tensor_dtype(const gtr_tensor *t);
/* full name of an input or parameter, else of its op; "" for NULL */
GTR_API const char *gtr_tensor_name(const gtr_tensor *t);
/* Of its value, as gtr_set and gtr_get count them; with a batch: of a batch of one row. NULL: 0. */
GTR_API size_t gtr_tensor_bytes(const gtr_tensor *t);

// >>op
/* Float means GTR_F32. "Broadcasting" is NumPy's. A negative axis counts from the end. Results belong to the context,
   and cost nothing until a run needs them. */
/* a (..., M, K) and b (..., K, N) -> (..., M, N); transpose_a: a is (..., K, M); transpose_b: b is (..., N, K). Leading
   dimensions are equal, or one side has none. */
GTR_API gtr_tensor *gtr_matmul(gtr_tensor *a, gtr_tensor *b);
GTR_API gtr_tensor *gtr_matmul_t(gtr_tensor *a, bool transpose_a, gtr_tensor *b, bool transpose_b);
GTR_API gtr_tensor *gtr_add(gtr_tensor *a, gtr_tensor *b); /* a + b, broadcasting */
GTR_API gtr_tensor *gtr_sub(gtr_tensor *a, gtr_tensor *b); /* a - b, broadcasting */
GTR_API gtr_tensor *gtr_mul(gtr_tensor *a, gtr_tensor *b); /* a * b, broadcasting */
GTR_API gtr_tensor *gtr_div(gtr_tensor *a, gtr_tensor *b); /* a / b, broadcasting */
GTR_API gtr_tensor *gtr_minimum(gtr_tensor *a, gtr_tensor *b); /* broadcasting; at equals half the gradient to each */
GTR_API gtr_tensor *gtr_maximum(gtr_tensor *a, gtr_tensor *b);
GTR_API gtr_tensor *gtr_pow(gtr_tensor *a, gtr_tensor *b); /* a^b, broadcasting */
GTR_API gtr_tensor *gtr_less(gtr_tensor *a, gtr_tensor *b); /* 1 where a < b, else 0; broadcasting; no gradient */
GTR_API gtr_tensor *gtr_greater(gtr_tensor *a, gtr_tensor *b); /* a > b, likewise */
GTR_API gtr_tensor *gtr_equal(gtr_tensor *a, gtr_tensor *b); /* a == b, likewise */
/* a where c is not 0, else b, broadcasting; of the other neither NaN nor gradient comes through. c has no gradient. */
GTR_API gtr_tensor *gtr_where(gtr_tensor *c, gtr_tensor *a, gtr_tensor *b);
GTR_API gtr_tensor *gtr_scale(gtr_tensor *x, float a, float b); /* a x + b */
GTR_API gtr_tensor *gtr_neg(gtr_tensor *x); /* -x */
GTR_API gtr_tensor *gtr_abs(gtr_tensor *x); /* gradient 0 at 0 */
GTR_API gtr_tensor *gtr_sqrt(gtr_tensor *x);
GTR_API gtr_tensor *gtr_rsqrt(gtr_tensor *x); /* 1 / sqrt(x) */
GTR_API gtr_tensor *gtr_square(gtr_tensor *x); /* x^2 */
GTR_API gtr_tensor *gtr_reciprocal(gtr_tensor *x); /* 1 / x */
GTR_API gtr_tensor *gtr_pow_scalar(gtr_tensor *x, float p); /* x^p; of negative x NaN unless p is an integer */
GTR_API gtr_tensor *gtr_clamp(gtr_tensor *x, float lo, float hi); /* lo <= hi; gradient 0 at both */
GTR_API gtr_tensor *gtr_sign(gtr_tensor *x); /* -1, 0 or 1; no gradient */
GTR_API gtr_tensor *gtr_floor(gtr_tensor *x); /* no gradient */
GTR_API gtr_tensor *gtr_round(gtr_tensor *x); /* halves to even; no gradient */
GTR_API gtr_tensor *gtr_is_nan(gtr_tensor *x); /* 1 where x is NaN, else 0; no gradient */
GTR_API gtr_tensor *gtr_sin(gtr_tensor *x);
GTR_API gtr_tensor *gtr_cos(gtr_tensor *x);
GTR_API gtr_tensor *gtr_relu(gtr_tensor *x); /* max(x, 0); gradient 0 at 0 */
GTR_API gtr_tensor *gtr_tanh(gtr_tensor *x);
GTR_API gtr_tensor *gtr_sigmoid(gtr_tensor *x); /* 1 / (1 + exp(-x)) */
GTR_API gtr_tensor *gtr_gelu(gtr_tensor *x); /* x Phi(x), Phi by erf: PyTorch's default */
GTR_API gtr_tensor *gtr_gelu_tanh(gtr_tensor *x); /* the tanh form */
GTR_API gtr_tensor *gtr_leaky_relu(gtr_tensor *x, float slope); /* slope x where x < 0; 0: 0.01 */
GTR_API gtr_tensor *gtr_relu6(gtr_tensor *x); /* min(max(x, 0), 6) */
GTR_API gtr_tensor *gtr_elu(gtr_tensor *x, float alpha); /* alpha (exp(x) - 1) where x < 0; 0: 1 */
GTR_API gtr_tensor *gtr_selu(gtr_tensor *x); /* Klambauer et al., 2017 */
GTR_API gtr_tensor *gtr_silu(gtr_tensor *x); /* x sigmoid(x) */
GTR_API gtr_tensor *gtr_mish(gtr_tensor *x); /* x tanh(log(1 + exp(x))); Misra, 2019 */
GTR_API gtr_tensor *gtr_softplus(gtr_tensor *x, float beta); /* log(1 + exp(beta x)) / beta; 0: 1 */
GTR_API gtr_tensor *gtr_hard_sigmoid(gtr_tensor *x); /* relu6(x + 3) / 6 */
GTR_API gtr_tensor *gtr_hard_swish(gtr_tensor *x); /* x relu6(x + 3) / 6 */
GTR_API gtr_tensor *gtr_exp(gtr_tensor *x);
GTR_API gtr_tensor *gtr_expm1(gtr_tensor *x); /* exp(x) - 1, exact near 0 */
GTR_API gtr_tensor *gtr_log(gtr_tensor *x); /* natural */
GTR_API gtr_tensor *gtr_log1p(gtr_tensor *x); /* log(1 + x), exact near 0 */
GTR_API gtr_tensor *gtr_reshape(gtr_tensor *x, gtr_shape shape); /* no copy; x's elements; a batch wants one in x */
GTR_API gtr_tensor *gtr_flatten(gtr_tensor *x); /* (N, ...) -> (N, product of the rest) */
/* y's dimension i is x's dimension dims[i]; dims holds x's rank of them, each once. A copy, but
   for what matrix products alone read, or write. */
GTR_API gtr_tensor *gtr_permute(gtr_tensor *x, const int *dims);
/* n (1 to 60) tensors alike but for dimension axis, one behind the other. */
GTR_API gtr_tensor *gtr_concat(gtr_tensor *const *x, int n, int axis);
/* Elements begin to end - 1 of dimension axis, which is literal (not the batch). */
GTR_API gtr_tensor *gtr_slice(gtr_tensor *x, int axis, int64_t begin, int64_t end);
/* The first of n (1 to 30) equal parts of x along axis, which is literal (not the batch) and a multiple of n. The
   others: gtr_output(part, 1) to gtr_output(part, n - 1). Copies, each with a gradient. */
GTR_API gtr_tensor *gtr_split(gtr_tensor *x, int axis, int n);
/* Of an op with several outputs (gtr_split, gtr_custom) the one of number k, from 0 on; t is any of them. NULL and
   GTR_ERR_ARG where there is no such output. */
GTR_API gtr_tensor *gtr_output(gtr_tensor *t, int k);
/* Sum and mean over the n axes (0: all), which are kept as 1 if keep. */
GTR_API gtr_tensor *gtr_sum(gtr_tensor *x, const int *axes, int n, bool keep);
GTR_API gtr_tensor *gtr_mean(gtr_tensor *x, const int *axes, int n, bool keep);
/* Over axes as sum: log sum exp(x); the product; max and min, NaN if an element is: the first of equals has the
   gradient, and gtr_output(t, 1) is its index in the reduced dimensions, GTR_I32; var: squared deviations from the
   mean, summed, by their count, less 1 if unbiased; norm: sum |x| (p 1), sqrt(sum x^2) (2) or the largest |x|
   (INFINITY: equals share the gradient), with gradient 0 at 0. */
GTR_API gtr_tensor *gtr_logsumexp(gtr_tensor *x, const int *axes, int n, bool keep);
GTR_API gtr_tensor *gtr_prod(gtr_tensor *x, const int *axes, int n, bool keep);
GTR_API gtr_tensor *gtr_max(gtr_tensor *x, const int *axes, int n, bool keep);
GTR_API gtr_tensor *gtr_min(gtr_tensor *x, const int *axes, int n, bool keep);
GTR_API gtr_tensor *gtr_var(gtr_tensor *x, const int *axes, int n, bool unbiased, bool keep);
GTR_API gtr_tensor *gtr_norm(gtr_tensor *x, float p, const int *axes, int n, bool keep);
GTR_API gtr_tensor *gtr_softmax(gtr_tensor *x, int axis); /* exp(x) / sum exp(x) along axis */
GTR_API gtr_tensor *gtr_log_softmax(gtr_tensor *x, int axis); /* x - log sum exp(x) along axis */
/* In training each element is 0 with probability p (0 <= p < 1), else x / (1 - p); in evaluation x. The mask depends
   on the seed, name, step and where the element is in the step's whole batch (by row and place in it where dimension 0
   is a multiple of the batch, else by place), not on micro-batches: one mask for all where x has no batch. A name is
   made if NULL. */
GTR_API gtr_tensor *gtr_dropout(gtr_tensor *x, const char *name, float p);
GTR_API gtr_tensor *gtr_dropout2d(gtr_tensor *x, const char *name, float p); /* of x (N, C, ...) whole channels */
/* Random numbers of like's shape, no gradient: N(0, 1); uniform in [0, 1), multiples of 2^-24; Gumbel's, -log(-log(
   uniform)). New ones in each step and each run that evaluates, as torch.randn_like; a predictor's are the same in
   each call. Like gtr_dropout's mask they follow from seed, name, step and place; CPU and GPU draw the same bits. */
GTR_API gtr_tensor *gtr_random_normal(gtr_tensor *like, const char *name);
GTR_API gtr_tensor *gtr_random_uniform(gtr_tensor *like, const char *name);
GTR_API gtr_tensor *gtr_random_gumbel(gtr_tensor *like, const char *name);
GTR_API gtr_tensor *gtr_stop_gradient(gtr_tensor *x); /* x; no gradient passes */
GTR_API gtr_tensor *gtr_argmax(gtr_tensor *x, int axis); /* GTR_I32, the first of equals; no gradient */
GTR_API gtr_tensor *gtr_argmin(gtr_tensor *x, int axis);
GTR_API gtr_tensor *gtr_cumsum(gtr_tensor *x, int axis); /* of each element and those before it along axis */
/* x's elements along axis in order, equals as they were, a NaN as the largest; top_k: the k largest, descending, of an
   axis that is not the batch. gtr_output(t, 1): where they were, GTR_I32. */
GTR_API gtr_tensor *gtr_sort(gtr_tensor *x, int axis, bool descending);
GTR_API gtr_tensor *gtr_top_k(gtr_tensor *x, int64_t k, int axis);
/* ids GTR_I32 in [0, classes) -> (..., classes): 1 at the id, else 0; no gradient. Computed ids out of range, here and
   in gather_rows, make NaN; scatter_add_rows drops their rows. */
GTR_API gtr_tensor *gtr_one_hot(gtr_tensor *ids, int64_t classes);
/* x (R, ...), R not the batch, and ids (...), GTR_I32 in [0, R) -> rows x[ids] (..., ...). */
GTR_API gtr_tensor *gtr_gather_rows(gtr_tensor *x, gtr_tensor *ids);
/* ids (...), GTR_I32 in [0, rows), and x (..., ...) -> (rows, ...): sums of the rows of x with that id, in order. */
GTR_API gtr_tensor *gtr_scatter_add_rows(gtr_tensor *ids, gtr_tensor *x, int64_t rows);
/* Elements in front of and behind dimensions, which are not the batch: n pairs of counts, the last dimension's first;
   less than 0 cuts off. By mode: value; x mirrored at its edge (fewer than it has); the edge's element; all of x (cut
   off or not) repeated. */
GTR_API gtr_tensor *gtr_pad(gtr_tensor *x, const int64_t *pad, int n, gtr_pad_mode mode, float value);
/* Not of the batch: tile repeats dimension k times[k] times; roll moves elements by shift along axis, and what leaves
   enters at the other end; flip reverses n axes (0: none). */
GTR_API gtr_tensor *gtr_tile(gtr_tensor *x, const int64_t *times);
GTR_API gtr_tensor *gtr_roll(gtr_tensor *x, int64_t shift, int axis);
GTR_API gtr_tensor *gtr_flip(gtr_tensor *x, const int *axes, int n);
GTR_API gtr_tensor *gtr_stack(gtr_tensor *const *x, int n, int axis); /* 1 to 60 alike, on a new axis */
/* Share of rows of logits (N, C), or pixels of (N, C, ...), whose largest element is at labels (N), or (N, ...),
   GTR_I32; negative labels do not count. A scalar, of the whole step or set as cross_entropy is; NaN if none counts. */
GTR_API gtr_tensor *gtr_accuracy(gtr_tensor *logits, gtr_tensor *labels);
/* PyTorch's MaxPool2d, AvgPool2d (zeros of the padding count) and AdaptiveAvgPool2d, of x (N, C, H, W), or 1d, of
   (N, C, L), by x's rank: kernel by kernel at steps of stride (0: kernel) in the image and padding on each side. The
   largest is NaN if an element is; its gradient goes to the first of equals, or of NaN. Dilation may leave a window
   none but padding: -infinity, of which no gradient comes. */
GTR_API gtr_tensor *gtr_max_pool2d(gtr_tensor *x, int kernel, int stride, int padding);
GTR_API gtr_tensor *gtr_max_pool2d_ex(gtr_tensor *x, gtr_pool_desc desc);
GTR_API gtr_tensor *gtr_avg_pool2d(gtr_tensor *x, int kernel, int stride, int padding);
GTR_API gtr_tensor *gtr_avg_pool2d_ex(gtr_tensor *x, gtr_pool_desc desc);
GTR_API gtr_tensor *gtr_adaptive_avg_pool2d(gtr_tensor *x, int64_t height, int64_t width); /* (N, C, L): height 1 */
GTR_API gtr_tensor *gtr_global_avg_pool(gtr_tensor *x); /* x (N, C, ...) -> means (N, C) */
/* x (N, C, H, W) -> (N, C, factor H, factor W), likewise (N, C, L), as PyTorch's Upsample: the nearest pixel; or
   linear, align_corners False. */
GTR_API gtr_tensor *gtr_upsample2d(gtr_tensor *x, int64_t factor, bool linear);
/* PyTorch's PixelShuffle: x (N, C r r, H, W) -> (N, C, r H, r W). */
GTR_API gtr_tensor *gtr_pixel_shuffle(gtr_tensor *x, int64_t r);
/* An op of the user's own: gtr_custom_desc. The callbacks run during every run, and call nothing of the library but
   gtr_stop; with CUDA and on_device also while it is captured. */
GTR_API gtr_tensor *gtr_custom(gtr_context *ctx, gtr_custom_desc desc);
/* d loss / d x: a tensor of x's shape, to be fetched or used in an expression; zero where loss does not depend on x.
   loss is a scalar. By a reshape, flatten or stop_gradient: of what flows through this tensor alone; a stopped tensor
   counts as a variable of its own. Each of several micro_batches has its part of the gradient of the step's loss.
   Gradients of it are refused. */
GTR_API gtr_tensor *gtr_gradient(gtr_tensor *loss, gtr_tensor *x);

// >>layer
/* x (..., K) -> x W^T + b (..., M), W "name.weight" (M, K) and b "name.bias" (M) from U(-1/sqrt(K), 1/sqrt(K)), as
   PyTorch's Linear. */
GTR_API gtr_tensor *gtr_linear(gtr_tensor *x, const char *name, int64_t out);
GTR_API gtr_tensor *gtr_linear_ex(gtr_tensor *x, const char *name, gtr_linear_desc desc);
/* The same with given w (M, K) and b (M), so that weights can be shared; b NULL: none. */
GTR_API gtr_tensor *gtr_linear_with(gtr_tensor *x, gtr_tensor *w, gtr_tensor *b);
/* ids GTR_I32 of any shape in [0, rows) -> (..., width) rows of "name.weight" (rows, width) from N(0, 1),
   as PyTorch's Embedding. */
GTR_API gtr_tensor *gtr_embedding(gtr_tensor *ids, const char *name, int64_t rows, int64_t width);
GTR_API gtr_tensor *gtr_embedding_with(gtr_tensor *ids, gtr_tensor *table);
/* (x - mean) / deviation, of x (N, ..., C) or (N): of each of C elements the mean and the deviation (of a population;
   0: 1) of all that a column of d of such rows has, float32 or bytes. They are buffers, "name.mean" and "name.std" (C),
   which gtr_save keeps with the model: what is predicted, by gtr_set, gtr_predict or in another program, comes as it is
   measured. There, d NULL: 0 and 1, until gtr_load. Split d before. What is predicted of a standardised target is,
   times "name.std" plus "name.mean" (gtr_parameter_find), in its unit. */
GTR_API gtr_tensor *gtr_standardise(gtr_tensor *x, const char *name, const gtr_dataset *d, int column);
/* x (N, C), or (N, C, ...) of images: in training normalised by the batch's mean and biased variance of each channel,
   in evaluation by the running ones; then times "name.weight" (C) plus "name.bias" (C). Buffers as PyTorch's
   BatchNorm1d and 2d: running_mean, running_var (unbiased), num_batches_tracked. Ioffe and Szegedy, 2015. Training
   needs more than one value a channel. For fine-tuning: a group
   that freezes "name.*" stops weight and bias, while the running statistics go on, as PyTorch's do; desc.frozen stops
   these (PyTorch's eval() of the layer), while weight and bias go on. */
GTR_API gtr_tensor *gtr_batch_norm(gtr_tensor *x, const char *name);
GTR_API gtr_tensor *gtr_batch_norm_ex(gtr_tensor *x, const char *name, gtr_batch_norm_desc desc);
/* PyTorch's Conv2d, of x (N, C, H, W), and Conv1d, of x (N, C, L), by x's rank: a cross-correlation with "name.weight"
   (O, C / groups, kernel, kernel) plus "name.bias" (O), both from U(-k, k), k = 1 / sqrt(C / groups * taps) -> (N, O,
   oh, ow), oh = (H + 2 padding - dilation (kernel - 1) - 1) / stride + 1, cut off. Images and weights lie in memory
   with channels last inside; gtr_set, gtr_get and files have them as written here. */
GTR_API gtr_tensor *gtr_conv2d(gtr_tensor *x, const char *name, int64_t out, int kernel, int stride, int padding);
GTR_API gtr_tensor *gtr_conv1d(gtr_tensor *x, const char *name, int64_t out, int kernel, int stride, int padding);
GTR_API gtr_tensor *gtr_conv2d_ex(gtr_tensor *x, const char *name, gtr_conv_desc desc);
/* The same with given weight and bias (NULL: none); desc's out, kernel and no_bias are theirs. */
GTR_API gtr_tensor *gtr_conv2d_with(gtr_tensor *x, gtr_tensor *weight, gtr_tensor *bias, gtr_conv_desc desc);
/* PyTorch's ConvTranspose2d and 1d: weight (C, O / groups, kernel, kernel), oh = (H - 1) stride - 2 padding +
   dilation (kernel - 1) + output_padding + 1; k = 1 / sqrt(O / groups * taps). */
GTR_API gtr_tensor *gtr_conv_transpose2d(gtr_tensor *x, const char *name, int64_t out, int kernel, int stride,
    int padding);
GTR_API gtr_tensor *gtr_conv_transpose2d_ex(gtr_tensor *x, const char *name, gtr_conv_desc desc);
GTR_API gtr_tensor *gtr_conv_transpose2d_with(gtr_tensor *x, gtr_tensor *weight, gtr_tensor *bias, gtr_conv_desc desc);
/* PyTorch's LayerNorm over the last dims dimensions K (0: 1): x less mean, over the root of biased variance plus eps
   (0: 1e-5), times "name.weight" (K) plus "name.bias" (K). In _with K is weight's; bias NULL: none. */
GTR_API gtr_tensor *gtr_layer_norm(gtr_tensor *x, const char *name, int dims, float eps);
GTR_API gtr_tensor *gtr_layer_norm_with(gtr_tensor *x, gtr_tensor *weight, gtr_tensor *bias, float eps);
/* PyTorch's RMSNorm: the same without mean and bias; eps 0: 2^-23. */
GTR_API gtr_tensor *gtr_rms_norm(gtr_tensor *x, const char *name, int dims, float eps);
GTR_API gtr_tensor *gtr_rms_norm_with(gtr_tensor *x, gtr_tensor *weight, float eps);
/* PyTorch's GroupNorm of x (N, C, ...): as layer_norm, a row's groups of C / groups channels each by itself, weight and
   bias (C); eps 0: 1e-5. instance_norm: a group a channel, as InstanceNorm2d and 1d; name NULL: without weight and
   bias, as theirs are unless affine. In _with both may be NULL. */
GTR_API gtr_tensor *gtr_group_norm(gtr_tensor *x, const char *name, int64_t groups, float eps);
GTR_API gtr_tensor *gtr_group_norm_with(gtr_tensor *x, gtr_tensor *weight, gtr_tensor *bias, int64_t groups, float eps);
GTR_API gtr_tensor *gtr_instance_norm(gtr_tensor *x, const char *name, float eps);
/* PyTorch's PReLU: max(x, 0) + "name.weight" min(x, 0), weight one or, of x (N, C, ...), (C), from 0.25 on. */
GTR_API gtr_tensor *gtr_prelu(gtr_tensor *x, const char *name, bool channels);
GTR_API gtr_tensor *gtr_prelu_with(gtr_tensor *x, gtr_tensor *weight);
/* PyTorch's Bilinear: a (..., A), b (..., B) -> (..., M): a^T "name.weight"[m] b + "name.bias"[m], weight (M, A, B) and
   bias (M) from U(-1/sqrt(A), 1/sqrt(A)). In _with bias NULL: none. */
GTR_API gtr_tensor *gtr_bilinear(gtr_tensor *a, gtr_tensor *b, const char *name, int64_t out);
GTR_API gtr_tensor *gtr_bilinear_with(gtr_tensor *a, gtr_tensor *b, gtr_tensor *weight, gtr_tensor *bias);
/* x + branch, of branch's shape. Where x has another, a projection without bias comes first, "name.weight": where only
   the last dimension differs of x (..., K), a linear layer, (M, K); else, and always of (N, C, H, W), a convolution of
   images or sequences, (O, C, 1, 1) or (O, C, 1), of stride H / h rounded up, and W / w, to h rows and w columns. Where
   only the last of three differs, that is for branch's last op to say, element-wise ones aside: linear after a product,
   a convolution after one of sequences (convolution, pool, norm of channels); after another: GTR_ERR_SHAPE.
   Where shapes are equal there is no parameter, and name may be NULL. He and others, 2016. */
GTR_API gtr_tensor *gtr_residual(gtr_tensor *x, gtr_tensor *branch, const char *name);

// >>loss
/* Each formula is of a term; desc.reduction makes a scalar of all: of the whole step whatever its micro_batches, in
   gtr_evaluate of the set. In float32 under any precision. x and target t are float32 alike; inputs have gradients, at
   kinks PyTorch's. Errors name loss, tensor and shapes: GTR_ERR_SHAPE; GTR_ERR_ARG for a number out of its range. */
/* -weight[label] log softmax(logits)[label]; logits (N, C), C > 1, labels (N) GTR_I32 in [0, C) or ignore_index: 0. The
   mean is the sum by that of weight[label], or 1, over the rows that are not ignored, of step or set; NaN if it is 0
   (in training GTR_ERR_NONFINITE). Where labels have no batch, each part counts its own. Smoothing s: (1 - s) of it and
   s / C of -weight log softmax(logits) summed over the classes.
   Or labels float32 (N, C), probabilities: that sum, times (1 - s) labels + s / C; its mean is over N rows.
   Logits (N, C, H, W) or (N, C, L), labels and sample_weight (N, H, W) or (N, L), probabilities as the logits: pixels
   are rows, and behind convolutions nothing is copied. A term a pixel: GTR_REDUCE_NONE gives (N, H, W). */
GTR_API gtr_tensor *gtr_cross_entropy(gtr_tensor *logits, gtr_tensor *labels);
GTR_API gtr_tensor *gtr_cross_entropy_ex(gtr_tensor *logits, gtr_tensor *labels, gtr_cross_entropy_desc desc);
/* -weight[label] x[label], as cross_entropy of GTR_I32 labels, but for smoothing; x is log_softmax of logits. */
GTR_API gtr_tensor *gtr_nll(gtr_tensor *x, gtr_tensor *labels);
GTR_API gtr_tensor *gtr_nll_ex(gtr_tensor *x, gtr_tensor *labels, gtr_cross_entropy_desc desc);
GTR_API gtr_tensor *gtr_mse(gtr_tensor *x, gtr_tensor *t); /* d^2, d = x - t */
GTR_API gtr_tensor *gtr_mse_ex(gtr_tensor *x, gtr_tensor *t, gtr_loss_desc desc);
GTR_API gtr_tensor *gtr_l1(gtr_tensor *x, gtr_tensor *t); /* |d| */
GTR_API gtr_tensor *gtr_l1_ex(gtr_tensor *x, gtr_tensor *t, gtr_loss_desc desc);
/* d^2 / (2 beta) where |d| < beta, else |d| - beta / 2 */
GTR_API gtr_tensor *gtr_smooth_l1(gtr_tensor *x, gtr_tensor *t);
GTR_API gtr_tensor *gtr_smooth_l1_ex(gtr_tensor *x, gtr_tensor *t, gtr_loss_desc desc);
/* d^2 / 2 where |d| < delta, else delta (|d| - delta / 2) */
GTR_API gtr_tensor *gtr_huber(gtr_tensor *x, gtr_tensor *t);
GTR_API gtr_tensor *gtr_huber_ex(gtr_tensor *x, gtr_tensor *t, gtr_loss_desc desc);
/* pos_weight t log(1 + exp(-x)) + (1 - t) log(1 + exp(x)), t in [0, 1]; of (N, labels) for several labels a row */
GTR_API gtr_tensor *gtr_bce_with_logits(gtr_tensor *x, gtr_tensor *t);
GTR_API gtr_tensor *gtr_bce_with_logits_ex(gtr_tensor *x, gtr_tensor *t, gtr_loss_desc desc);
/* -t log x - (1 - t) log(1 - x), x in [0, 1], logarithms at least -100; dx: (x - t) / max(x (1 - x), 1e-12) */
GTR_API gtr_tensor *gtr_bce(gtr_tensor *x, gtr_tensor *t);
GTR_API gtr_tensor *gtr_bce_ex(gtr_tensor *x, gtr_tensor *t, gtr_loss_desc desc);
/* bce_with_logits times (p + t - 2 p t)^gamma, p = sigmoid(x), and alpha t + (1 - alpha) (1 - t). Lin et al., 2017 */
GTR_API gtr_tensor *gtr_focal(gtr_tensor *x, gtr_tensor *t);
GTR_API gtr_tensor *gtr_focal_ex(gtr_tensor *x, gtr_tensor *t, gtr_loss_desc desc);
/* t (log t - x), 0 where t is 0; x is a logarithm. PyTorch's "batchmean" is GTR_REDUCE_BATCH_MEAN. */
GTR_API gtr_tensor *gtr_kl_div(gtr_tensor *x, gtr_tensor *t);
GTR_API gtr_tensor *gtr_kl_div_ex(gtr_tensor *x, gtr_tensor *t, gtr_loss_desc desc);
/* exp(x) - t x; no_log_input: x - t log(x + eps); full: + t log t - t + log(2 pi t) / 2 where t > 1 */
GTR_API gtr_tensor *gtr_poisson_nll(gtr_tensor *x, gtr_tensor *t);
GTR_API gtr_tensor *gtr_poisson_nll_ex(gtr_tensor *x, gtr_tensor *t, gtr_loss_desc desc);
/* (log v + d^2 / v) / 2, v = max(var, eps), whose gradient is var's; var broadcasts to x; full: + log(2 pi) / 2 */
GTR_API gtr_tensor *gtr_gaussian_nll(gtr_tensor *x, gtr_tensor *t, gtr_tensor *var);
GTR_API gtr_tensor *gtr_gaussian_nll_ex(gtr_tensor *x, gtr_tensor *t, gtr_tensor *var, gtr_loss_desc desc);
/* 1 - c where y is 1, max(0, c - margin) where -1; c = xt / sqrt((xx + 1e-12) (tt + 1e-12)); x, t (..., D), y (...) */
GTR_API gtr_tensor *gtr_cosine_embedding(gtr_tensor *x, gtr_tensor *t, gtr_tensor *y);
GTR_API gtr_tensor *gtr_cosine_embedding_ex(gtr_tensor *x, gtr_tensor *t, gtr_tensor *y, gtr_loss_desc desc);

// >>run
/* Copies bytes from src to an input (any number of rows: its batch is bytes / row), a parameter, buffer or constant.
   The values serve all runs that follow (but not a trainer's while gtr_trainer_data feeds it). Returns at once with
   CUDA but for a full staging slot. Labels and ids out of range are GTR_ERR_ARG of the run that would read them. */
GTR_API gtr_result gtr_set(gtr_tensor *t, const void *src, size_t bytes);
/* The same from device memory of the user's (CUDA) that stays valid until the runs that use it are done; event: a
   cudaEvent_t to wait for, or NULL. On the CPU, from memory that stays valid. Ranges are not checked: a bad
   label or id makes NaN. */
GTR_API gtr_result gtr_set_device(gtr_tensor *t, const void *src, size_t bytes, void *event);
/* Computes the n tensors (in evaluation mode, from the inputs last set) and keeps their values for gtr_get. */
GTR_API gtr_result gtr_eval(gtr_tensor *const *t, int n);
/* The same in training mode: dropout draws, batch_norm uses the batch; no state changes. */
GTR_API gtr_result gtr_eval_train(gtr_tensor *const *t, int n);
/* Copies t's value to dst, bytes of it exactly: a parameter, buffer, input, constant, or what the last run fetched, or
   gtr_keep marked. Waits for the device. An input that nothing but products in 16 bits read comes as they read it,
   rounded, unless gtr_keep marked it. A tensor that no run computed yet and that needs no input is computed. Anything
   else: GTR_ERR_STATE. */
GTR_API gtr_result gtr_get(gtr_tensor *t, void *dst, size_t bytes);
/* The first element of t, whatever its dtype, computed if need be: for losses. NaN on error. */
GTR_API float gtr_item(gtr_tensor *t);

// >>parameters
/* Parameters and buffers (trainable or not) in the order they were made. */
GTR_API int64_t gtr_parameter_count(const gtr_context *ctx);
GTR_API gtr_tensor *gtr_parameter_at(const gtr_context *ctx, int64_t i);
GTR_API gtr_tensor *gtr_parameter_find(const gtr_context *ctx, const char *name); /* NULL if there is none; no error */
GTR_API bool gtr_parameter_trainable(const gtr_tensor *p);
/* Gives each of to's parameters and buffers the value of from's that has its name; from may have more. From another
   context (of the same thread), on whatever device. One that is missing or of another shape is GTR_ERR_SHAPE in to; on
   failure nothing changes. Waits for both. */
GTR_API gtr_result gtr_parameters_copy(gtr_context *to, gtr_context *from);

// >>trainer
/* Trains the parameters that loss, a scalar, depends on. The trainer belongs to the context. Several trainers
   may share parameters. */
GTR_API gtr_trainer *gtr_trainer_create(gtr_tensor *loss, gtr_trainer_desc desc);
/* Frees it before its context is. NULL: nothing. */
GTR_API void gtr_trainer_destroy(gtr_trainer *t);
/* Draws the following steps' inputs from data, batch rows each, epoch after epoch (shuffled by the context's seed and
   the epoch's number, unless not), each epoch ending in a tail batch unless drop_last. A column with a name goes to the
   loss's input of that name (none: GTR_ERR_SHAPE), those without to the other inputs in the order these were made. A
   row's shape is the input's, or takes dimensions of it together or apart: (28, 28) may go to (N, 784), a number to (N)
   and (N, 1), (H, W, C) to (N, H, W, C), but not to (N, C, H, W). data NULL: inputs come from gtr_set again (also
   after gtr_fit). Epochs, and the place in one, count through all calls and fits while data, batch, shuffle and
   drop_last are the same; others start with the first epoch. Waits. */
GTR_API gtr_result gtr_trainer_data(gtr_trainer *t, gtr_dataset *data, int64_t batch, bool shuffle, bool drop_last);
/* One training step: forward, backward, update. Enqueued; does not wait with CUDA. Inputs: from
   gtr_trainer_data or gtr_set. */
GTR_API gtr_result gtr_step(gtr_trainer *t);
/* The two halves of a step: gradients; then guard, clip and update with them. Between them gradients
   can be read and written. */
GTR_API gtr_result gtr_backward(gtr_trainer *t);
GTR_API gtr_result gtr_update(gtr_trainer *t);
/* p's gradient as of the last gtr_step or gtr_backward, in p's shape; FP16: without the loss scale. Waits.
   GTR_ERR_STATE if p is frozen, and after gtr_fit, which keeps none. Not defined after a step that ended in another
   error than GTR_ERR_NONFINITE: before it is made and once it is used up other values may lie in its place. */
GTR_API gtr_result gtr_gradient_get(gtr_trainer *t, gtr_tensor *p, void *dst, size_t bytes);
GTR_API gtr_result gtr_gradient_set(gtr_trainer *t, gtr_tensor *p, const void *src, size_t bytes);
/* Optimizer state of p: which 0: momentum, Adam's or Lion's m, RMSprop's mean square; 1: Adam's v,
   RMSprop's momentum; behind them the average. Waits. The count of updates, which Adam and averages begin by, is not
   set: gtr_checkpoint_load sets all. */
GTR_API gtr_result gtr_state_get(gtr_trainer *t, gtr_tensor *p, int which, void *dst, size_t bytes);
GTR_API gtr_result gtr_state_set(gtr_trainer *t, gtr_tensor *p, int which, const void *src, size_t bytes);
/* Exchanges the trained parameters and their averages (the first update sets these, later ones make them
   ema average + (1 - ema) parameter, as PyTorch's AveragedModel), for what evaluates, predicts or saves; and at the
   next call back. Until then t can't step. GTR_ERR_STATE if there are none yet. Waits. */
GTR_API gtr_result gtr_average_swap(gtr_trainer *t);
/* The last report the device has made, without waiting; step 0 before the first. After gtr_wait
   it is the last step's. */
GTR_API gtr_report gtr_trainer_report(gtr_trainer *t);
/* Waits, and returns the last step's loss; NaN before the first. */
GTR_API float gtr_loss(gtr_trainer *t);
/* Sets the base learning rate from the next step on: scales a schedule (min_lr and lr_fn, too) by lr / desc.lr, so that
   0 stays 0. NaN or negative: GTR_ERR_ARG. */
GTR_API gtr_result gtr_trainer_lr(gtr_trainer *t, float lr);
/* Gives GTR_PLATEAU an evaluation's value, of which the largest, else the least, is best; the rate is min_lr or more,
   and what would change by less than 1e-8 stays. Another schedule, or during a gtr_fit, which gives its own:
   GTR_ERR_STATE. */
GTR_API gtr_result gtr_trainer_plateau(gtr_trainer *t, float value, bool largest);
/* Trains for epochs over data, as gtr_trainer_data feeds it, after what is left of one that was cut short: shuffles,
   tail batches, validation, progress on stderr. Waits at its end, and at an epoch's for validation or a callback;
   else an epoch's line comes when the device has reported it. In the callback other trainers may run; what steps,
   feeds or ends this one, or frees what it uses, is GTR_ERR_STATE, and ends the fit. */
GTR_API gtr_result gtr_fit(gtr_trainer *t, gtr_dataset *data, gtr_fit_desc desc);
/* How the last gtr_fit ended, why GTR_END_NONE before the first; and in words. */
GTR_API gtr_fit_end gtr_fit_ended(const gtr_trainer *t);
GTR_API const char *gtr_end_text(gtr_end why);
/* Steps as gtr_step does, and with its bits, for the rest of a frame or a controller's idle time: one after the other
   while the next should be done in time, by what those of all calls took, but at least one (0 milliseconds or less:
   none): over by at most a step. Goes on where the last call stopped, by gtr_trainer_data's epochs or what gtr_set set.
   On a GPU none is queued behind another, which costs some microseconds a step; beside a renderer that uses a stream of
   higher priority a step may take as long as the frame. gtr_stop ends it. Waits. A batch's first three steps take
   longer: it is planned and captured. */
GTR_API gtr_result gtr_train_for(gtr_trainer *t, double milliseconds);
/* Mean loss and (if metric is not NULL) metric over a data set, in evaluation mode, by batch rows at a time; where
   labels may be ignored a first pass counts them. With gtr_trainer_desc.ema of the averages, once there are. Waits. */
GTR_API gtr_result gtr_evaluate(gtr_trainer *t, gtr_dataset *data, int64_t batch, gtr_tensor *metric,
    float *loss, float *value);
/* Metrics of a whole data set and not means of batches, in evaluation mode, as scikit-learn computes them, in double on
   the host: accuracy (of labels, where a row has several), top-k; precision, recall and F1 of the positive class of
   two, and macro and micro; AUC under ROC (several classes: one against the rest; several labels: their mean; NaN where
   one has no labels of both kinds); of targets R2, MAE, MSE and RMSE (of several side by side their mean). Of the
   averages, as gtr_evaluate. GTR_ERR_SHAPE: other shapes; GTR_ERR_ARG: a label that is no class; GTR_ERR_NONFINITE:
   NaN. Waits. */
GTR_API gtr_result gtr_evaluate_metrics(gtr_trainer *t, gtr_dataset *data, gtr_metrics_desc desc, gtr_metrics *out);
/* Ends a running gtr_fit, or gtr_train_for, of this context after the steps already queued (one that starts later is
   not stopped). Safe in a signal handler and from any thread. */
GTR_API void gtr_stop(gtr_context *ctx);
GTR_API bool gtr_stopped(const gtr_context *ctx); /* whether gtr_stop ended the last fit */

// >>predictor
/* Computes out from its one float or I32 input, in evaluation mode, with the weights as they are at each call: max_rows
   rows (0: 1) at a time and more in pieces. Where rows act on each other (a sum or softmax over the batch, a custom op)
   all of a call's at once, at most max_rows. Has its own memory, stream and error. Made and destroyed in the context's
   thread, before it; each thread uses its own, while nobody trains, builds or sets: behind a gtr_step, which does not
   wait, behind gtr_wait. With .snapshot whenever it likes. */
GTR_API gtr_predictor *gtr_predictor_create(gtr_tensor *out, int64_t max_rows);
/* The same of several inputs and outputs. Inputs are those with a batch that outputs depend on; others were set. */
GTR_API gtr_predictor *gtr_predictor_create_ex(gtr_context *ctx, gtr_predictor_desc desc);
GTR_API void gtr_predictor_destroy(gtr_predictor *p);
/* A predictor with .snapshot has copies of all weights, buffers, constants and inputs without a batch: as they were
   when it was made, then as of the last call of this. It and gtr_predict are called by the predictor's thread while the
   context's trains, builds, sets, loads or does nothing, but destroys neither. Weights are of one step (or gtr_load),
   the last that was queued, never a mixture: on the CPU it waits for a step that runs, on a GPU nobody waits but the
   next gtr_predict; a trainer waits for the copies. Not in a custom op. GTR_ERR_STATE: no .snapshot. */
GTR_API gtr_result gtr_predictor_refresh(gtr_predictor *p);
/* in: rows x the input's row; out: rows x out's row. Waits for the result. GTR_ERR_ARG: NULL, an id out of its range,
   rows below 1 or, where they act on each other, above max_rows. */
GTR_API gtr_result gtr_predict(gtr_predictor *p, const void *in, int64_t rows, void *out);
/* in: of each input, out: of each output. */
GTR_API gtr_result gtr_predict_ex(gtr_predictor *p, const void *const *in, int64_t rows, void *const *out);
/* Of the first call that failed. */
GTR_API const char *gtr_predictor_error_text(const gtr_predictor *p);

// >>data
/* Data sets copy what they are given, keep it on the device and belong to the context. NULL and an error on failure. */
GTR_API gtr_dataset *gtr_dataset_arrays(gtr_context *ctx, gtr_arrays_desc desc);
/* Images (u8, N x ...) and labels (u8, N) in IDX files, gunzipped: columns "image" and "label" (see gtr_trainer_data).
   A row of images has the shape of the file's further dimensions. */
GTR_API gtr_dataset *gtr_dataset_idx(gtr_context *ctx, const char *images, const char *labels);
/* CIFAR's binary files, n of them one behind the other: columns "image" (u8, (3, 32, 32), for inputs (N, 3, 32, 32)
   and (N, 32, 32, 3)) and "label" (u8). classes: 10 for CIFAR-10, whose rows are a label and the image; for CIFAR-100,
   whose rows begin with two labels, 100 for the fine ones and 20 for the coarse ones. A file of other than whole rows,
   or with a label out of range: GTR_ERR_FORMAT. */
GTR_API gtr_dataset *gtr_dataset_cifar(gtr_context *ctx, const char *const *paths, int n, int classes);
/* Images of classes: each sub-folder of folder is a class, of its PGM and PPM files (P2, P3, P5, P6, names in .pgm,
   .ppm or .pnm). Columns "image" (u8, (H, W, C), channels_last) and "label" (GTR_I32, sub-folders' numbers in the
   order of their names' bytes). What begins with a dot and what is beside sub-folders or has another name is not
   looked at. Samples of other than 8 bits are scaled to 0..255; grey is (299 R + 587 G + 114 B) / 1000. Resized as
   PyTorch's interpolate(mode="bilinear", align_corners=False, antialias=True), rounded; sides' ratio is kept, halves
   of pixels are rounded down. Errors name the file. */
GTR_API gtr_dataset *gtr_dataset_images(gtr_context *ctx, const char *folder, gtr_images_desc desc);
/* Of gtr_dataset_images, CSV files with strings for labels, and what was made of them: how many classes, and a label's
   name; NULL when out of range. */
GTR_API int64_t gtr_dataset_classes(const gtr_dataset *d);
GTR_API const char *gtr_dataset_class(const gtr_dataset *d, int64_t label);
/* The same of any column of ids. */
GTR_API int64_t gtr_dataset_categories(const gtr_dataset *d, int column);
GTR_API const char *gtr_dataset_category(const gtr_dataset *d, int column, int64_t id);
/* A row a line. Columns: features (float32, together), each of .categories (GTR_I32), then the label (GTR_I32) if there
   is one; categories, the label and a single feature have the header's names. Fields may be quoted as in RFC 4180, with
   line ends and doubled quotes inside. Where the first label is no number labels are strings; strings' ids are from 0
   in the order in which they appear. Errors name file, line, column, what was found and what was wanted. To
   standardise: gtr_standardise. */
GTR_API gtr_dataset *gtr_dataset_csv(gtr_context *ctx, const char *path, gtr_csv_desc desc);
/* n files of numpy.save: a column each, of as many rows (their first dimension), for the inputs in their order. A
   number out of range, NaN or infinite: an error that names file, row and element. Fortran's order is turned. Other
   dtypes: GTR_ERR_UNSUPPORTED. Takes the file's bytes beside the set's while it reads. */
GTR_API gtr_dataset *gtr_dataset_npy(gtr_context *ctx, const char *const *paths, int n, gtr_npy_desc desc);
/* The same of a file of numpy.savez, whose arrays have names: columns are for the inputs of these names. Compressed
   ones (savez_compressed): GTR_ERR_UNSUPPORTED. */
GTR_API gtr_dataset *gtr_dataset_npz(gtr_context *ctx, const char *path, gtr_npy_desc desc);
/* Moves every k-th row (rows k-1, 2k-1, ...), k >= 2, out of data into a new data set, which is returned.
   Not once data is in use. */
GTR_API gtr_dataset *gtr_dataset_split(gtr_dataset *data, int64_t k);
/* The same of ratio (0 to 1) of the rows, drawn by seed; with column, of classes, of so many of each class, else -1. */
GTR_API gtr_dataset *gtr_dataset_split_random(gtr_dataset *data, float ratio, uint64_t seed, int column);
/* A copy of these rows, in this order; a row may come several times. */
GTR_API gtr_dataset *gtr_dataset_subset(gtr_dataset *data, const int64_t *rows, int64_t n);
/* For unbalanced classes: a copy of n rows that are drawn, each as likely as its weight (NULL: alike) says; with
   column, of classes, weights are the classes', however many rows they have, else column is -1. Row i depends on seed
   and i alone. Drawn once: another seed, or several times as many rows, for other draws an epoch. Split off first what
   validates. */
GTR_API gtr_dataset *gtr_dataset_sample(gtr_dataset *data, const float *weights, int column, int64_t n, uint64_t seed);
/* A copy of the rows of n sets of the same columns, one set behind the other. */
GTR_API gtr_dataset *gtr_dataset_concat(gtr_context *ctx, gtr_dataset *const *sets, int n);
/* Puts n rows behind d's: columns[k] are column k's, of its dtype and shape. In use, too: a trainer that d feeds wants
   gtr_trainer_data or gtr_fit again, and begins an epoch; a GPU gets all of d again then. Not in a callback of a fit
   that reads d. */
GTR_API gtr_result gtr_dataset_append(gtr_dataset *d, const void *const *columns, int64_t n);
/* A data set whose rows are windows: column 0 (history, ...) of a step's shape, and the target (horizon, ...), or one
   step, of the second. A step is stored once, however many windows have it, and none is of two series. Into float
   inputs (N, history, C) or (N, history * C), and by gtr_permute to (N, C, history) into gtr_conv1d; a target of
   integers (GTR_I32) has a copy each. series is copied, and may be destroyed; what is appended to it is in windows that
   are made then. Split before: the windows of what validates then share no step with the others. */
GTR_API gtr_dataset *gtr_dataset_windows(const gtr_dataset *series, gtr_windows_desc desc);
/* What becomes of a column's images, of shape (H, W), (C, H, W) or, with channels last, (H, W, C), in the gather that
   makes a batch of them: no copy, no pass more. Validation data want the same call: what is random is left out there.
   Draws depend on the context's seed, the input's name, the step and the row in its batch: the same on every device
   and for any number of micro-batches and threads. Not once d is in use: GTR_ERR_STATE. A column of another shape or
   dtype than bytes and float32, a crop larger than the padded image, numbers out of range: GTR_ERR_ARG. */
GTR_API gtr_result gtr_dataset_augment(gtr_dataset *d, int column, gtr_augment_desc desc);
/* What input is given of n rows like the column's outside training: out holds n of input's rows, for gtr_set and
   gtr_predict. So what is predicted is scaled, normalised and cropped as what was learned; a data set of one row is
   enough. On the CPU, any thread. */
GTR_API gtr_result gtr_dataset_convert(const gtr_dataset *d, int column, const gtr_tensor *input, const void *rows,
    int64_t n, void *out);
GTR_API int64_t gtr_dataset_rows(const gtr_dataset *d);
GTR_API int gtr_dataset_columns(const gtr_dataset *d);
GTR_API gtr_shape gtr_dataset_shape(const gtr_dataset *d, int column); /* of a row */
GTR_API gtr_dtype gtr_dataset_dtype(const gtr_dataset *d, int column);
/* Row r of a column as it is stored, in host memory, right behind row r - 1 (but for windows); valid as long as the
   data set, and until rows are appended. NULL when out of range. */
GTR_API const void *gtr_dataset_row(const gtr_dataset *d, int column, int64_t r);
GTR_API void gtr_dataset_destroy(gtr_dataset *d); /* before its context; NULL: nothing */

// >>save
/* Writes all parameters and buffers as safetensors with PyTorch's names, through a temporary file beside path that
   replaces it at the end: path is the old file or the whole new one. Waits. A link is followed and the old file's mode
   kept, but not its owner, ACL and other hard links; the folder must be writable and have room for both. A process that
   is killed leaves path.tmp-PROCESS-NUMBER, which the next save removes (not on Windows). Of two at once one wins.
   While the context keeps an error, but one of gtr_save alone, it writes nothing and returns that error, whose text
   then says so: gtr_error_clear allows it. */
GTR_API gtr_result gtr_save(gtr_context *ctx, const char *path);
/* Reads them back, from a checkpoint, too. Strict: the file holds exactly the context's names, shapes and dtypes, or
   nothing changes. Where none may be there: gtr_error_clear, or the error that is kept stops gtr_save. */
GTR_API gtr_result gtr_load(gtr_context *ctx, const char *path);
/* All that t's training goes on from, as gtr_save writes a file: the context's parameters and buffers, t's states and
   averages, steps, rate, loss scale, epoch and place in it; in gtr_fit's callback the fit's own, too. Not the values of
   inputs and constants, nor what another trainer has (one each, then). Between gtr_backward and gtr_update, and
   between two gtr_average_swap: GTR_ERR_STATE. Waits. */
GTR_API gtr_result gtr_checkpoint_save(gtr_trainer *t, const char *path);
/* Goes on from there, in a program that built the same: on the same device with the bits of a run that was not cut, on
   another within rounding. gtr_trainer_data, called before or after, then goes on in that epoch where data set's rows,
   batch, shuffle and drop_last are the checkpoint's. Of another model, optimizer, precision or seed: GTR_ERR_SHAPE or
   GTR_ERR_STATE, which says what differs; rates, decays and the like may be others. On failure nothing changes. */
GTR_API gtr_result gtr_checkpoint_load(gtr_trainer *t, const char *path);
/* The same in memory: how many bytes it takes now (0 on error), and these, all of them. */
GTR_API size_t gtr_checkpoint_bytes(gtr_trainer *t);
GTR_API gtr_result gtr_checkpoint_get(gtr_trainer *t, void *dst, size_t bytes);
GTR_API gtr_result gtr_checkpoint_set(gtr_trainer *t, const void *src, size_t bytes);

// >>observe
/* Texts belong to the context and are valid until the next text call. */
/* The plan of a step at a batch's size: a line a node. */
GTR_API const char *gtr_plan_text(gtr_trainer *t, int64_t batch);
/* Memory of gtr_step at a batch's size, by the plan alone: works with presets. gtr_fit's plan may
   have another workspace. */
GTR_API gtr_result gtr_memory_plan(gtr_trainer *t, int64_t batch, gtr_memory_report *out);
GTR_API const char *gtr_memory_text(gtr_trainer *t, int64_t batch);
/* The largest batch whose total, gtr_step's and gtr_fit's, fits bytes (0: the context's limit, or the device's free
   memory but for 32 MiB); 0 if none does. */
GTR_API int64_t gtr_largest_batch(gtr_trainer *t, size_t bytes);
/* Runs one real step node by node; a line a node: shape, microseconds, minimum, maximum, mean, count of non-finite
   elements. Waits. Where a node fails the text ends, the context has the error, and no step was done. */
GTR_API const char *gtr_trace(gtr_trainer *t);
/* Where a step's time goes: microseconds, share, bytes, flops and rates of each node, and by op; "floor" is what its
   bytes or flops take at the rate of a large copy or product, over its time. Runs steps and nodes many times in a
   trainer made for it (room for its gradients and states is needed) on one batch, then puts the parameters back: all
   but inputs and kept values is as before. A network that one kernel computes is one line; by_node: as with
   no_matchers. After gtr_fit: a step of that. Waits. "" on failure. */
GTR_API const char *gtr_profile(gtr_trainer *t, bool by_node);

#ifdef __cplusplus
}
#endif

// >>backend
/* The seam between the two files. Users need not look here. */
#if defined(GPUTRAIN_IMPLEMENTATION) || defined(GPUTRAIN_BACKEND)
#ifndef GPUTRAIN_SEAM
#define GPUTRAIN_SEAM
#include <string.h>
#define GTR__MAX_LANES  32 /* lane = stage * GTR__MAX_STREAMS + stream */
#define GTR__MAX_STREAMS 4
#define GTR__MAX_STAGES  8
#define GTR__MAX_GROUPS 16
#define GTR__MAX_FEED   16
#define GTR__MAX_REPORT  4 /* loss and metrics in a report */
#define GTR__RING      512
#define GTR__ALIGN     256

// >>op-rows
/* How the precision pass treats an op: LOW takes low inputs and accumulates in float32; FOLLOW computes in float32 and
   has its inputs' storage, parameters aside; FULL is float32; NONE is left as it is (integers, plan nodes). */
typedef enum { GTR__NONE, GTR__LOW, GTR__FOLLOW, GTR__FULL } gtr__class;
/* What backward reads: bit i is input i, bit 16+k output k. */
#define GTR__X0 1u
#define GTR__X1 2u
#define GTR__X2 4u
#define GTR__X3 8u
#define GTR__Y0 (1u << 16)
#define GTR__Y1 (2u << 16)
#define GTR__Y2 (4u << 16)
enum {
    GTR__LEAF = 1, /* no node: input, parameter, constant */
    GTR__ALIAS = 2, /* no node: output 0 is input 0 with another shape; if FULL, in float32 storage */
    GTR__WS = 4, /* kernels use workspace: called with c->measure set, they only write its size */
    GTR__RANDOM = 8, /* reads c->ctl->step and attr->key */
    GTR__MODE = 16, /* differs between training and evaluation; attr i[13] not 0: as in evaluation in both */
    GTR__SEED = 32, /* backward takes a constant gradient: dy->data NULL, its value c->seed (times the loss scale) */
    GTR__JOINT = 64, /* one backward node for all inputs; else input 0 has its own, and the others share one */
    GTR__STATE = 128, /* plan node that writes state: UPDATE or COMMIT only */
    GTR__EW = 256, /* element-wise: forward may write over input 0 */
    GTR__NODIFF0 = 512, GTR__NODIFF1 = 1024, /* input 0 / 1 takes no gradient (labels, ids) */
    GTR__CROSS = 2048, /* the gradient of input 0 reads input 1 only, and that of the others input 0 only */
    GTR__TALLIES = 8192, /* divides by the labels (last input) that count, those not from attr i[0] to i[1], or by the
       sum of floats; what that is for all labels that these are a part of, one more input says, where there is one */
    GTR__APART = 16384, /* as EW: evaluated, row r of a result with the batch in front comes of inputs' rows r */
    GTR__ALONG = 32768, /* but with attr i[0] 0 */
    GTR__SCALES = 262144, /* PASSES0, times attr f[0]; if i[0], this is per share of the step's or set's batch */
    GTR__PASSES0 = 65536, GTR__PASSES1 = 131072, /* input 0's / 1's gradient is the output's, summed where broadcast */
    GTR__LOOKS_UP = 524288, /* input 1's gradient may be one of input 0's lookups: GTR__LOOKUP_ROWS */
    /* training changes state: a node of op attr i[14] with outputs 1 and 3, inputs 3 and 4 and tensor attr i[15] */
    GTR__COMMITS = 4096,
    GTR__PERMUTES = 1048576, /* nothing but a permutation by attr i */
    GTR__VIEWS = 2097152, /* of stacks of matrices, alike or one for all: operands may be views */
    /* element by element: what they read, in other storage; times a mask; of two operands; that no gradient passes */
    GTR__MOVES = 4194304, GTR__DROPS = 8388608, GTR__PAIRS = 16777216, GTR__FLAT = 134217728,
    GTR__SPREADS = 33554432, GTR__AVERAGES = 67108864, /* a sum over dimensions in attr i[0]; divided by their count */
    /* of images: of three dimensions or more, inputs 0, 1 and outputs lie with channels last (gtr__value.last) */
    GTR__IMAGES = 268435456,
    GTR__AXIAL = 536870912, /* attr i[0] is an axis, which results have, too */
    GTR__BANDS = 1073741824 /* copies of bands along it */
};
/* Which of inputs 0 to 3 are GTR_I32, a bit each; all: inputs are of any dtype. The others are float. */
#define GTR__INTS(mask) ((uint64_t)(mask) << 60)
#define GTR__ANY GTR__INTS(15)
#define GTR__MAX_OUT 30 /* outputs of an op */
/* One row per op: X(ID, name, outputs (the most, if its shape function says how many), how many of them are
   differentiable, class, needs, flags, has kernel, has backward). Functions of an op: gtr__shape_<name>; kernels
   gtr__cpu_<name>_fwd/_bwd and gtr__cuda_<name>_fwd/_bwd. Attributes stand at each marker. Leaves, and what passes
   make (NODES), have no shape function. Element-wise ops' rows are their formulas'. */
#define GTR__LEAVES(X) \
    X(INPUT, input, 1, 0, NONE, 0, GTR__LEAF, 0, 0) \
    X(PARAMETER, parameter, 1, 0, NONE, 0, GTR__LEAF, 0, 0) \
    X(CONSTANT, constant, 1, 0, NONE, 0, GTR__LEAF, 0, 0) \
    X(GRADIENT, gradient, 1, 0, NONE, 0, GTR__LEAF, 0, 0) \
    X(PART, part, 1, 1, NONE, 0, GTR__LEAF | GTR__APART, 0, 0)
/* U(X, ID, name, outputs, class, needs) */
#define GTR__FOLDS(U, X) \
    U(X, LOGSUMEXP, logsumexp, 1, FULL, GTR__X0 | GTR__Y0) U(X, MAX, max, 2, FOLLOW, GTR__Y1) \
    U(X, MIN, min, 2, FOLLOW, GTR__Y1) U(X, PROD, prod, 2, FULL, GTR__X0 | GTR__Y0 | GTR__Y1) \
    U(X, VAR, var, 2, FULL, GTR__X0 | GTR__Y1) U(X, NORM, norm, 2, FULL, GTR__X0 | GTR__Y0 | GTR__Y1)
#define GTR__FOLD_ROW(X, ID, name, nout, cls, needs) X(ID, name, nout, 1, cls, needs, GTR__WS | GTR__APART, 1, 1)
#define GTR__BUILT(X) \
    X(RESHAPE, reshape, 1, 1, FOLLOW, 0, GTR__ALIAS | GTR__APART | GTR__ANY, 0, 0) \
    X(STOP_GRADIENT, stop_gradient, 1, 0, FOLLOW, 0, GTR__ALIAS | GTR__APART | GTR__ANY, 0, 0) \
    X(WIDEN, widen, 1, 1, FULL, 0, GTR__ALIAS | GTR__APART, 0, 0) \
    X(MATMUL, matmul, 1, 1, LOW, GTR__X0 | GTR__X1, GTR__WS | GTR__CROSS | GTR__APART | GTR__VIEWS, 1, 1) \
    X(LINEAR, linear, 1, 1, LOW, GTR__X0 | GTR__X1, GTR__WS | GTR__CROSS | GTR__APART | GTR__VIEWS, 1, 1) \
    GTR__BINARY_TABLE(GTR__BINARY_ROW, X) GTR__UNARY_TABLE(GTR__UNARY_ROW, X) \
    X(PERMUTE, permute, 1, 1, FOLLOW, 0, GTR__APART | GTR__PERMUTES, 1, 1) \
    X(CONCAT, concat, 1, 1, FOLLOW, 0, GTR__JOINT | GTR__APART | GTR__AXIAL | GTR__BANDS, 1, 1) \
    X(SLICE, slice, GTR__MAX_OUT, GTR__MAX_OUT, FOLLOW, 0, GTR__APART | GTR__AXIAL | GTR__BANDS, 1, 1) \
    X(CONV, conv, 1, 1, LOW, GTR__X0 | GTR__X1, GTR__WS | GTR__CROSS | GTR__APART | GTR__IMAGES, 1, 1) \
    X(MAX_POOL, max_pool, 1, 1, FOLLOW, GTR__X0 | GTR__Y0, GTR__APART | GTR__IMAGES, 1, 1) \
    X(AVG_POOL, avg_pool, 1, 1, FOLLOW, 0, GTR__APART | GTR__IMAGES, 1, 1) \
    X(UPSAMPLE, upsample, 1, 1, FOLLOW, 0, GTR__APART | GTR__IMAGES, 1, 1) \
    X(SUM, sum, 1, 1, FULL, 0, GTR__WS | GTR__APART | GTR__SPREADS, 1, 1) \
    X(MEAN, mean, 1, 1, FULL, 0, GTR__WS | GTR__APART | GTR__SPREADS | GTR__AVERAGES, 1, 1) \
    GTR__FOLDS(GTR__FOLD_ROW, X) \
    X(SOFTMAX, softmax, 1, 1, FOLLOW, GTR__Y0, GTR__APART | GTR__ALONG | GTR__AXIAL, 1, 1) \
    X(LOG_SOFTMAX, log_softmax, 1, 1, FULL, GTR__Y0, GTR__APART | GTR__ALONG | GTR__AXIAL, 1, 1) \
    X(DROPOUT, dropout, 1, 1, FOLLOW, 0, GTR__RANDOM | GTR__MODE | GTR__APART | GTR__DROPS, 1, 1) \
    X(RANDOM, random, 1, 0, FOLLOW, 0, GTR__RANDOM | GTR__APART, 1, 0) \
    X(EMBEDDING, embedding, 1, 1, FOLLOW, GTR__X0, \
      GTR__WS | GTR__NODIFF0 | GTR__APART | GTR__LOOKS_UP | GTR__INTS(1), 1, 1) \
    X(BATCH_NORM, batch_norm, 4, 1, FOLLOW, GTR__X0 | GTR__X1 | GTR__Y1 | GTR__Y2, \
      GTR__WS | GTR__MODE | GTR__JOINT | GTR__COMMITS | GTR__APART | GTR__IMAGES, 1, 1) \
    X(GROUP_NORM, group_norm, 3, 1, FOLLOW, GTR__X0 | GTR__X1 | GTR__Y1 | GTR__Y2, \
      GTR__WS | GTR__JOINT | GTR__APART | GTR__IMAGES, 1, 1) \
    X(LAYER_NORM, layer_norm, 3, 1, FOLLOW, GTR__X0 | GTR__X1 | GTR__Y1 | GTR__Y2, \
      GTR__WS | GTR__JOINT | GTR__APART, 1, 1) \
    X(RMS_NORM, rms_norm, 2, 1, FOLLOW, GTR__X0 | GTR__X1 | GTR__Y1, GTR__WS | GTR__JOINT | GTR__APART, 1, 1) \
    X(ARGMAX, argmax, 1, 0, FULL, 0, GTR__APART, 1, 0) \
    X(CUMSUM, cumsum, 1, 1, FULL, 0, GTR__APART | GTR__ALONG | GTR__AXIAL, 1, 1) \
    X(SORT, sort, 2, 1, FOLLOW, GTR__Y1, GTR__WS | GTR__APART | GTR__ALONG | GTR__AXIAL, 1, 1) \
    X(TAKE, take, 1, 1, FOLLOW, GTR__X2 | GTR__X3, GTR__NODIFF1 | GTR__APART | GTR__AXIAL | GTR__INTS(14), 1, 1) \
    X(SCATTER_ADD, scatter_add, 1, 1, FOLLOW, GTR__X0, GTR__WS | GTR__NODIFF0 | GTR__INTS(1), 1, 1) \
    X(ONE_HOT, one_hot, 1, 0, FULL, 0, GTR__APART | GTR__INTS(1), 1, 0) \
    X(ACCURACY, accuracy, 1, 0, FULL, 0, GTR__WS | GTR__TALLIES | GTR__INTS(2), 1, 0) \
    X(CROSS_ENTROPY, cross_entropy, 3, 1, FULL, GTR__X0 | GTR__X1 | GTR__Y1 | GTR__Y2, \
      GTR__WS | GTR__SEED | GTR__NODIFF1 | GTR__TALLIES | GTR__INTS(2), 1, 1) \
    X(NLL, nll, 1, 1, FULL, GTR__X1, GTR__NODIFF1 | GTR__APART | GTR__INTS(2), 1, 1) \
    X(DIVISOR, divisor, 1, 0, FULL, 0, GTR__TALLIES, 1, 0) \
    X(MSE, mse, 1, 1, FULL, GTR__X0 | GTR__X1, GTR__WS | GTR__SEED | GTR__JOINT, 1, 1) \
    X(BCE_WITH_LOGITS, bce_with_logits, 1, 1, FULL, GTR__X0 | GTR__X1, GTR__WS | GTR__SEED | GTR__JOINT, 1, 1) \
    X(CUSTOM, custom, 8, 8, FULL, 0xff00ffu, GTR__WS | GTR__JOINT | GTR__ANY, 1, 1)
#define GTR__NODES(X) \
    X(COPY, copy, 1, 1, FOLLOW, 0, GTR__MOVES, 1, 1) \
    X(CAST, cast, 1, 1, NONE, 0, GTR__MOVES, 1, 1) \
    X(FILL, fill, 1, 0, NONE, 0, 0, 1, 0) \
    X(FEED, feed, 1, 0, NONE, 0, 0, 1, 0) \
    X(TALLY, tally, 1, 0, NONE, 0, 0, 1, 0) \
    X(BN_COMMIT, bn_commit, 0, 0, NONE, 0, GTR__STATE, 1, 0) \
    X(GUARD, guard, 0, 0, NONE, 0, GTR__WS, 1, 0) \
    X(UPDATE, update, 0, 0, NONE, 0, GTR__STATE, 1, 0) \
    X(REPORT, report, 0, 0, NONE, 0, 0, 1, 0) \
    X(CHECK, check, 1, 0, NONE, 0, 0, 1, 0) \
    X(LINEAR_ACT, linear_act, 2, 0, LOW, 0, GTR__WS | GTR__VIEWS, 1, 0) \
    X(LINEAR_DACT, linear_dact, 1, 0, LOW, 0, GTR__WS | GTR__VIEWS, 1, 0) \
    X(XENT_STEP, xent_step, 4, 0, FULL, 0, GTR__WS | GTR__TALLIES, 1, 0) \
    X(PAIR_STEP, pair_step, 2, 0, FULL, 0, GTR__WS, 1, 0) \
    X(NETWORK, network, 0, 0, NONE, 0, GTR__WS, 1, 0)
#define GTR__OPS(X) GTR__LEAVES(X) GTR__BUILT(X) GTR__NODES(X)
#define GTR__BN_SET 5 /* operands of BN_COMMIT for one norm */
#define GTR__BN_SETS 12 /* norms that one of its nodes serves */
typedef enum { GTR__FWD, GTR__BWD, GTR__DIR_COUNT } gtr__dir;
typedef enum {
    GTR__FEED, GTR__FORWARD, GTR__BACKWARD, GTR__REDUCE, GTR__GUARD, GTR__UPDATE, GTR__COMMIT, GTR__REPORT,
    GTR__PHASE_COUNT
} gtr__phase;
typedef enum {
    GTR__HOME_NONE, GTR__HOME_PARAMETER, GTR__HOME_LOW, GTR__HOME_STATE, GTR__HOME_GRADIENT,
    GTR__HOME_INPUT, GTR__HOME_KEPT, GTR__HOME_ARENA, GTR__HOME_ALIAS, GTR__HOME_TALLY, GTR__HOME_COUNT
} gtr__home;
/* A table's gradient as lookups, in the dense one's place: for each row its first lookup, an int32, or -1, and so many
   bytes from there a row of floats a lookup: the sum of that row's lookups in their order at the first, else 0. */
#define GTR__LOOKUP_ROWS(rows) (((size_t)(rows) * 4 + GTR__ALIGN - 1) / GTR__ALIGN * GTR__ALIGN)
#define GTR__MAX_LOOKUPS 24 /* such gradients of a step */

// >>formulas
/* Element-wise ops, once for both files: forward in x, a, b; backward in dy, x, y, a, b, of which it reads x or y. Each
   file defines GTR__EXPF, GTR__LOGF, GTR__TANHF, ..., GTR__SELECT(yes, a, b), whose arms are both computed, and GTR__R
   (the type that it computes in). U(X, ID, name, class, needs, flags, forward, backward). NaN goes through all but
   comparisons. */
#define GTR__SQRT1_2    0.70710678118654752440
#define GTR__SQRT2_PI   0.79788456080286535588 /* sqrt(2 / pi) */
#define GTR__1_SQRT2PI  0.39894228040143267794
#define GTR__SELU       1.05070098735548049342
#define GTR__SELU_ALPHA 1.67326324235437728482
#define GTR__C(v)       ((GTR__R)(v))
#define GTR__CLIP(x, lo, hi) ((x) < (lo) ? (lo) : (x) > (hi) ? (hi) : (x))
#define GTR__GELU_U(x)  (GTR__C(GTR__SQRT2_PI) * ((x) + GTR__C(0.044715) * (x) * (x) * (x)))
#define GTR__UNARY_TABLE(U, X) \
    U(X, SCALE, scale, FOLLOW, 0, GTR__SCALES, a * x + b, dy * a) GTR__UNARY_OF_X(U, X) GTR__UNARY_RARE(U, X)
/* What a device's kernels have in line; then (RARE) what they call: of x alone, and with arguments. */
#define GTR__UNARY_OF_X(U, X) \
    U(X, RELU, relu, FOLLOW, GTR__Y0, 0, x < 0 ? 0 : x, y > 0 ? dy : 0) \
    U(X, TANH, tanh, FOLLOW, GTR__Y0, 0, GTR__TANHF(x), dy * (1 - y * y)) \
    U(X, SIGMOID, sigmoid, FOLLOW, GTR__Y0, 0, 1 / (1 + GTR__EXPF(-x)), dy * y * (1 - y)) \
    U(X, GELU, gelu, FOLLOW, GTR__X0, 0, GTR__C(0.5) * x * (1 + GTR__ERFF(x * GTR__C(GTR__SQRT1_2))), \
        dy * (GTR__C(0.5) * (1 + GTR__ERFF(x * GTR__C(GTR__SQRT1_2))) \
            + x * GTR__C(GTR__1_SQRT2PI) * GTR__EXPF(GTR__C(-0.5) * x * x))) \
    U(X, GELU_TANH, gelu_tanh, FOLLOW, GTR__X0, 0, GTR__C(0.5) * x * (1 + GTR__TANHF(GTR__GELU_U(x))), \
        dy * gtr__gelu_tanh_grad(x)) \
    U(X, EXP, exp, FULL, GTR__Y0, 0, GTR__EXPF(x), dy * y) \
    U(X, LOG, log, FULL, GTR__X0, 0, GTR__LOGF(x), dy / x)
#define GTR__UNARY_RARE(U, X) GTR__UNARY_RARE_OF_X(U, X) GTR__UNARY_WITH(U, X)
#define GTR__UNARY_RARE_OF_X(U, X) \
    U(X, NEG, neg, FOLLOW, 0, 0, -x, -dy) \
    U(X, ABS, abs, FOLLOW, GTR__X0, 0, GTR__FABSF(x), x > 0 ? dy : x < 0 ? -dy : 0) \
    U(X, SQRT, sqrt, FOLLOW, GTR__Y0, 0, GTR__SQRTF(x), dy / (y + y)) \
    U(X, RSQRT, rsqrt, FULL, GTR__Y0, 0, 1 / GTR__SQRTF(x), GTR__C(-0.5) * dy * y * y * y) \
    U(X, SQUARE, square, FULL, GTR__X0, 0, x * x, dy * (x + x)) \
    U(X, RECIPROCAL, reciprocal, FULL, GTR__Y0, 0, 1 / x, -dy * y * y) \
    U(X, SIN, sin, FOLLOW, GTR__X0, 0, GTR__SINF(x), dy * GTR__COSF(x)) \
    U(X, COS, cos, FOLLOW, GTR__X0, 0, GTR__COSF(x), -dy * GTR__SINF(x)) \
    U(X, LOG1P, log1p, FULL, GTR__X0, 0, GTR__LOG1PF(x), dy / (1 + x)) \
    U(X, EXPM1, expm1, FULL, GTR__X0, 0, GTR__EXPM1F(x), dy * GTR__EXPF(x)) \
    U(X, SELU, selu, FOLLOW, GTR__X0, 0, \
        GTR__C(GTR__SELU) * GTR__SELECT(x > 0, x, GTR__C(GTR__SELU_ALPHA) * GTR__EXPM1F(x)), \
        dy * GTR__C(GTR__SELU) * GTR__SELECT(x > 0, 1, GTR__C(GTR__SELU_ALPHA) * GTR__EXPF(x))) \
    U(X, SILU, silu, FOLLOW, GTR__X0, 0, x / (1 + GTR__EXPF(-x)), dy * gtr__silu_grad(x)) \
    U(X, MISH, mish, FOLLOW, GTR__X0, 0, gtr__mish(x), dy * gtr__mish_grad(x)) \
    U(X, HARD_SIGMOID, hard_sigmoid, FOLLOW, GTR__X0, 0, GTR__CLIP(x + 3, 0, 6) / 6, \
        (GTR__FABSF(x) < 3 ? dy : 0) / 6) \
    U(X, HARD_SWISH, hard_swish, FOLLOW, GTR__X0, 0, \
        x * (GTR__CLIP(x + 3, 0, 6) / 6), \
        GTR__SELECT(GTR__FABSF(x) < 3, dy * (x / 3 + GTR__C(0.5)), x < 0 ? 0 : dy)) \
    U(X, RELU6, relu6, FOLLOW, GTR__Y0, 0, GTR__CLIP(x, 0, 6), y <= 0 || y >= 6 ? 0 : dy) \
    U(X, SIGN, sign, FOLLOW, 0, GTR__FLAT, x > 0 ? 1 : x < 0 ? -1 : x, 0) \
    U(X, FLOOR, floor, FOLLOW, 0, GTR__FLAT, GTR__FLOORF(x), 0) \
    U(X, ROUND, round, FOLLOW, 0, GTR__FLAT, GTR__RINTF(x), 0) \
    U(X, IS_NAN, is_nan, FOLLOW, 0, GTR__FLAT, x != x ? GTR__C(1) : 0, 0)
#define GTR__UNARY_WITH(U, X) \
    U(X, LEAKY_RELU, leaky_relu, FOLLOW, GTR__X0, 0, x * (x > 0 ? 1 : a), dy * (x > 0 ? 1 : a)) \
    U(X, ELU, elu, FOLLOW, GTR__X0, 0, GTR__SELECT(x > 0, x, a * GTR__EXPM1F(x)), \
        dy * GTR__SELECT(x > 0, 1, a * GTR__EXPF(x))) \
    U(X, SOFTPLUS, softplus, FULL, GTR__X0, 0, \
        (x < 0 ? 0 : x) + GTR__LOG1PF(GTR__EXPF(-GTR__FABSF(a * x))) / a, \
        dy / (1 + GTR__EXPF(-a * x))) \
    U(X, CLAMP, clamp, FOLLOW, GTR__X0, 0, GTR__CLIP(x, a, b), x > a && x < b ? dy : 0) \
    U(X, POW_SCALAR, pow_scalar, FULL, GTR__X0, 0, GTR__POWF(x, a), \
        a == 0 ? 0 : dy * (a * GTR__POWF(x, a - 1)))
/* Functions of x that formulas call, F(name, body). Mish is x t, t = tanh(log(1 + e)) = n / (n + 2), n = e (e + 2),
   e = exp(x); from 20 on t is 1. */
#define GTR__MISH_N(x) const GTR__R m = GTR__SELECT(x > 20, 20, x), e = GTR__EXPF(m), n = e * (e + 2);
#define GTR__FORMULA_FUNCTIONS(F) \
    F(gelu_tanh_grad, { GTR__R t = GTR__TANHF(GTR__GELU_U(x)); \
        return GTR__C(0.5) * (1 + t) + GTR__C(0.5) * x * (1 - t * t) * GTR__C(GTR__SQRT2_PI) \
            * (1 + GTR__C(3 * 0.044715) * x * x); }) \
    F(silu_grad, { const GTR__R s = 1 / (1 + GTR__EXPF(-x)); \
        return s * (1 + x * (1 - s)); }) \
    F(mish, { GTR__MISH_N(x) return x * (n / (n + 2)); }) \
    F(mish_grad, { GTR__MISH_N(x) const GTR__R d = n + 2; \
        return n / d + m * (e / d) * (4 * (e + 1) / d); })
/* U(X, ID, name, class, needs, flags, forward in a, b; gradient of a; gradient of b, in dy, a, b, y). What MASK takes
   out is -0, which sums leave as they are. */
#define GTR__BINARY_TABLE(U, X) GTR__BINARY_OF_AB(U, X) GTR__BINARY_OTHERS(U, X)
#define GTR__BINARY_OF_AB(U, X) \
    U(X, ADD, add, FOLLOW, 0, GTR__PASSES0 | GTR__PASSES1, a + b, dy, dy) \
    U(X, SUB, sub, FOLLOW, 0, GTR__PASSES0, a - b, dy, -dy) \
    U(X, MUL, mul, FOLLOW, GTR__X0 | GTR__X1, GTR__CROSS, a * b, dy * b, dy * a) \
    U(X, DIV, div, FOLLOW, GTR__X1 | GTR__Y0, 0, a / b, dy / b, -dy * y / b) \
    U(X, MINIMUM, minimum, FOLLOW, GTR__X0 | GTR__X1, 0, a != a || a < b ? a : b, \
        a == b ? GTR__C(0.5) * dy : a > b ? 0 : dy, a == b ? GTR__C(0.5) * dy : a < b ? 0 : dy) \
    U(X, MAXIMUM, maximum, FOLLOW, GTR__X0 | GTR__X1, 0, a != a || a > b ? a : b, \
        a == b ? GTR__C(0.5) * dy : a < b ? 0 : dy, a == b ? GTR__C(0.5) * dy : a > b ? 0 : dy) \
    U(X, POW, pow, FULL, GTR__X0 | GTR__X1 | GTR__Y0, 0, GTR__POWF(a, b), \
        b == 0 ? 0 : dy * (b * GTR__POWF(a, b - 1)), \
        a == 0 && b >= 0 ? 0 : dy * (y * GTR__LOGF(a))) \
    U(X, LESS, less, FOLLOW, 0, GTR__FLAT, a < b ? GTR__C(1) : 0, 0, 0) \
    U(X, GREATER, greater, FOLLOW, 0, GTR__FLAT, a > b ? GTR__C(1) : 0, 0, 0)
#define GTR__BINARY_OTHERS(U, X) /* whose builders have other names */ \
    U(X, EQUAL, equal_to, FOLLOW, 0, GTR__FLAT, a == b ? GTR__C(1) : 0, 0, 0) \
    U(X, RECTIFY, rectify, FOLLOW, GTR__X0 | GTR__X1, 0, a > 0 ? a : a * b, a > 0 ? dy : dy * b, a > 0 ? 0 : dy * a) \
    U(X, MASK, mask, FOLLOW, GTR__X0, GTR__NODIFF0, a != 0 ? b : GTR__C(-0.0), 0, a != 0 ? dy : 0) \
    U(X, MASK_NOT, mask_not, FOLLOW, GTR__X0, GTR__NODIFF0, a != 0 ? GTR__C(-0.0) : b, 0, \
        a != 0 ? 0 : dy)
/* Reductions over axes, once for both files: what some elements come to, of which two join; of none x is 0 and k -1.
   LSE: the largest a and the sum b of exp(x - a); MAX, and of -x MIN: the largest a, at k; PROD: a of all but
   c zeros; VAR: mean a, squared deviations b, count c; NORM1, NORM2: the sum a; PEAK: the largest |x| a, of c elements.
   end: the result, and what backward wants. back: dx, given that, or whether x is at k; n: the count less f[0]. */
#define GTR__FOLD_KINDS(X) X(LSE) X(MAX) X(MIN) X(PROD) X(VAR) X(NORM1) X(NORM2) X(PEAK)
#define GTR__FOLD_ENUM(kind) GTR__F_##kind,
enum { GTR__FOLD_KINDS(GTR__FOLD_ENUM) GTR__F_COUNT };
#define GTR__FOLD_CODE(FN, R, EXP, LOG, SQRT, ABS) \
    typedef struct { R a, b, c; int32_t k; } gtr__folded; \
    FN gtr__folded gtr__fold_one(int kind, R x, int64_t k) { \
        const bool none = k < 0; \
        gtr__folded s = { x, (R)0, (R)!none, (int32_t)k }; \
        if (kind == GTR__F_LSE) { s.b = s.c; s.a = none ? -INFINITY : x; } \
        else if (kind == GTR__F_MIN) s.a = -x; \
        else if (kind == GTR__F_PROD) { s.c = (R)(!none & (x == 0)); s.a = x + (R)(x == 0); } \
        else if (kind == GTR__F_NORM2) s.a = x * x; \
        else if (kind >= GTR__F_NORM1) s.a = none && kind == GTR__F_PEAK ? (R)-1 : ABS(x); \
        return s; } \
    FN void gtr__fold_join(gtr__folded *s, int kind, const gtr__folded *t) { \
        const bool nan = t->a != t->a, up = (t->a > s->a) | nan, same = t->a == s->a; \
        if (kind == GTR__F_LSE) { \
            const R d = ABS(t->a - s->a), e = EXP(d == d ? -d : (R)0), q = up ? t->b : s->b; \
            s->b = (up ? s->b : t->b) * e + q; s->a = up ? t->a : s->a; \
        } else if (kind <= GTR__F_MIN) { \
            const bool was = s->a != s->a; \
            if ((t->k >= 0) & ((s->k < 0) | (up & !was) | ((same | (nan & was)) & (t->k < s->k)))) *s = *t; \
        } else if (kind == GTR__F_PROD) { s->a *= t->a; s->c += t->c; } \
        else if (kind == GTR__F_VAR) { \
            const R d = t->a - s->a, n = s->c + t->c, part = t->c / (n > 0 ? n : (R)1); \
            s->a += d * part; s->b += t->b + d * d * part * s->c; s->c = n; \
        } else if (kind < GTR__F_PEAK) s->a += t->a; \
        else { s->c = up ? t->c : s->c + (same ? t->c : (R)0); s->a = up ? t->a : s->a; } } \
    FN R gtr__fold_end(const gtr__folded *s, int kind, R n, R *kept) { \
        *kept = kind == GTR__F_PROD ? (s->c == 1 ? s->a : (R)0) : kind == GTR__F_VAR ? s->a : s->c; \
        return kind == GTR__F_LSE ? s->a + LOG(s->b) : kind == GTR__F_MIN ? -s->a \
            : kind == GTR__F_PROD && s->c > 0 ? s->a * 0 : kind == GTR__F_VAR ? s->b / n \
            : kind == GTR__F_NORM2 ? SQRT(s->a) : s->a; } \
    FN R gtr__fold_back(int kind, R dy, R x, R y, R kept, R n) { \
        const R sign = (R)(x > 0) - (R)(x < 0); \
        if (kind == GTR__F_LSE) return dy * EXP(x - (y < (R)-3e38 ? (R)-3e38 : y)); \
        if (kind <= GTR__F_MIN) return kept > 0 ? dy : (R)0; \
        if (kind == GTR__F_PROD) return dy * ((x == 0 ? kept : y) / (x + (R)(x == 0))); \
        if (kind == GTR__F_VAR) return dy * 2 * (x - kept) / n; \
        if (kind == GTR__F_NORM1) return dy * sign; \
        if (kind == GTR__F_NORM2) return dy * x / (y + (R)(y == 0)); \
        return ABS(x) == y ? dy * sign / kept : (R)0; }
/* X(ID, name, formulas), or X of a row of GTR__OPS. */
#define GTR__UNARY_FORMULAS(X, ID, name, cls, needs, flags, f, g) X(ID, name, f, g)
#define GTR__BINARY_FORMULAS(X, ID, name, cls, needs, flags, f, da, db) X(ID, name, f, da, db)
#define GTR__UNARY_ROW(X, ID, name, cls, needs, flags, f, g) \
    X(ID, name, 1, !((flags) & GTR__FLAT), cls, needs, flags | GTR__EW, 1, 1)
#define GTR__BINARY_ROW(X, ID, name, cls, needs, flags, f, da, db) \
    X(ID, name, 1, !((flags) & GTR__FLAT), cls, needs, flags | GTR__WS | GTR__EW | GTR__PAIRS, 1, 1)
#define GTR__UNARY(X) GTR__UNARY_TABLE(GTR__UNARY_FORMULAS, X)
#define GTR__BINARY(X) GTR__BINARY_TABLE(GTR__BINARY_FORMULAS, X)
#define GTR__OP_ENUM(ID, ...) GTR__OP_##ID,
typedef enum { GTR__OPS(GTR__OP_ENUM) GTR__OP_COUNT } gtr__op;
/* Optimizers, once for both files, in p, d (the gradient, scaled, with the decay that is coupled) and states a, b; k: a
   gtr__rule. Each file defines GTR__O_FMA, GTR__O_MUL, GTR__O_SUB, GTR__O_SIGN and GTR__O_ADAPT(p, f, n, v), which is
   p f + n / (k.root sqrt(v) + k.eps). X(ID, states, whether whole-network
   kernels know it, whose code it adds to, formula). */
#define GTR__MAX_STATES 2
#define GTR__MEAN_SQUARE(v) v = GTR__O_FMA(GTR__O_MUL(k.one_b2, d), d, GTR__O_MUL(k.b2, v))
#define GTR__RULES(X) \
    X(ADAM, 2, 1, a = GTR__O_FMA(k.one_b1, GTR__O_SUB(d, a), a); GTR__MEAN_SQUARE(b); \
      p = GTR__O_ADAPT(p, k.decay, GTR__O_MUL(k.step, a), b)) \
    X(SGD, 0, 1, p = GTR__O_FMA(k.step, d, p)) \
    X(MOMENTUM, 1, 1, a = GTR__O_FMA(k.mu, a, d); p = GTR__O_FMA(k.step, a, p)) \
    X(NESTEROV, 1, 1, a = GTR__O_FMA(k.mu, a, d); p = GTR__O_FMA(k.step, GTR__O_FMA(k.mu, a, d), p)) \
    X(RMSPROP, 1, 0, GTR__MEAN_SQUARE(a); p = GTR__O_ADAPT(p, k.decay, GTR__O_MUL(k.step, d), a)) \
    X(RMSPROP_MOMENTUM, 2, 0, GTR__MEAN_SQUARE(a); b = GTR__O_ADAPT(b, k.mu, d, a); p = GTR__O_FMA(k.step, b, p)) \
    X(LION, 1, 0, \
        p = GTR__O_FMA(p, k.decay, GTR__O_MUL(k.step, GTR__O_SIGN(GTR__O_FMA(k.one_b1, GTR__O_SUB(d, a), a)))); \
      a = GTR__O_FMA(k.one_b2, GTR__O_SUB(d, a), a))
#define GTR__RULE_ENUM(ID, ...) GTR__RULE_##ID,
typedef enum { GTR__RULES(GTR__RULE_ENUM) GTR__RULE_COUNT } gtr__rule_kind;
/* What a rule is made of; wd to step are of a group and step, root and ema (what the average moves by) of a step. */
#define GTR__RULE_FIELDS(X) X(coef) X(wd) X(decay) X(step) X(root) X(ema) X(mu) X(one_b1) X(b2) X(one_b2) X(eps)
#define GTR__RULE_FIELD(name) gtr_float name;
typedef struct { GTR__RULE_FIELDS(GTR__RULE_FIELD) gtr__rule_kind kind; } gtr__rule;
/* Those of a gtr__optim o at rate lr in double; power(beta, t) is beta^t, t the number of this update. */
#define GTR__RULE_WD(o, i) ((o)->decoupled ? 0 : (o)->weight_decay[i])
#define GTR__RULE_DECAY(o, i, lr) ((o)->decoupled ? 1 - (lr) * (o)->weight_decay[i] : 1)
#define GTR__RULE_STEP(o, lr, t, power) (-(lr) / ((o)->corrected ? 1 - power((o)->beta1, t) : 1))
#define GTR__RULE_EMA(o, t) ((t) > 1 ? 1 - (o)->ema : 1)
#define GTR__RULE_ROOT(o, t, power) ((o)->corrected ? 1 / sqrt(1 - power((o)->beta2, t)) : 1)

// >>random
/* Philox4x32-10 (Salmon et al., 2011): c[4] in place, under key k0, k1. */
#define GTR__PHILOX_ROUND(c, k0, k1) do { \
    uint64_t p0_ = (uint64_t)0xD2511F53u * (c)[0], p1_ = (uint64_t)0xCD9E8D57u * (c)[2]; \
    uint32_t n0_ = (uint32_t)(p1_ >> 32) ^ (c)[1] ^ (k0), n2_ = (uint32_t)(p0_ >> 32) ^ (c)[3] ^ (k1); \
    (c)[1] = (uint32_t)p1_; (c)[3] = (uint32_t)p0_; (c)[0] = n0_; (c)[2] = n2_; \
    (k0) += 0x9E3779B9u; (k1) += 0xBB67AE85u; } while (0)
#define GTR__PHILOX(c, key) do { \
    uint32_t k0_ = (uint32_t)(key), k1_ = (uint32_t)((key) >> 32); int r_; \
    for (r_ = 0; r_ < 10; r_++) GTR__PHILOX_ROUND(c, k0_, k1_); } while (0)
/* The counter of element e of row r at step s: block e/4; word e%4 of the result is the element's. Steps below
   2^40, rows below 2^36. */
#define GTR__COUNTER(c, s, r, e) do { \
    (c)[0] = (uint32_t)((uint64_t)(e) >> 2); \
    (c)[1] = (uint32_t)(r); (c)[2] = (uint32_t)(s); \
    (c)[3] = (uint32_t)((uint64_t)(s) >> 32) << 24 | ((uint32_t)((uint64_t)(r) >> 32) & 15u) << 20 \
        | ((uint32_t)((uint64_t)(e) >> 34) & 0xfffffu); } while (0)
#define GTR__UNIFORM(u) ((float)((u) >> 8) * (1.0f / 16777216.0f)) /* 24 bits, in [0, 1) */
#define GTR__LN2_HI 0.693145752f /* 15 bits: its product with an exponent is exact */
#define GTR__LN2_LO 1.42860677e-6f
/* Returns log(1 + f) + n ln 2, f in [-1/3, 1/3]: minimax polynomial to (log(1 + f) - f) / f^2. */
#define GTR__LOG_REDUCED(FMA) \
    float p = FMA(-1.288248152e-1f, f, 1.398750991e-1f); p = FMA(p, f, -1.218649670e-1f); \
    p = FMA(p, f, 1.400521696e-1f); p = FMA(p, f, -1.668031514e-1f); p = FMA(p, f, 2.001044899e-1f); \
    p = FMA(p, f, -2.499980181e-1f); p = FMA(p, f, 3.333321512e-1f); p = FMA(p, f, -0.5f); \
    return FMA(n, GTR__LN2_HI, FMA(n, GTR__LN2_LO, FMA(p, f * f, f)));
/* Four numbers v of a block's words u, the same bits in both files, which define GTR__FMAF and GTR__SQRTF, rounded
   correctly, GTR__BITS_OF and GTR__OF_BITS: products that are summed are GTR__FMAF. Body of float gtr__draw_log(float
   x), log of a normal x > 0. */
enum { GTR__DRAW_UNIFORM, GTR__DRAW_NORMAL, GTR__DRAW_GUMBEL };
#define GTR__DRAW_LOG_BODY \
    { const uint32_t w = GTR__BITS_OF(x), k = (w - 0x3f2aaaabu) & 0xff800000u; \
      const float f = GTR__OF_BITS(w - k) - 1.0f, n = (float)((int32_t)k / 8388608); GTR__LOG_REDUCED(GTR__FMAF) }
/* Body of void gtr__draw_four(int kind, const uint32_t *u, float *v). Normal ones in pairs (Box and Muller, 1958): the
   second word is a quadrant and an angle, |a| <= pi / 4; minimax polynomials in a^2. */
#define GTR__DRAW_FOUR_BODY \
    { for (int k = 0; k < 4; k++) v[k] = GTR__UNIFORM(u[k]); \
      if (kind != GTR__DRAW_UNIFORM) \
          for (int k = 0; k < 4; k++) v[k] = -gtr__draw_log(v[k] > 0 ? v[k] : 2.98023224e-8f); \
      if (kind == GTR__DRAW_GUMBEL) for (int k = 0; k < 4; k++) v[k] = -gtr__draw_log(v[k]); \
      if (kind == GTR__DRAW_NORMAL) for (int k = 0; k < 4; k += 2) { \
          const float a = (float)((int32_t)(u[k + 1] >> 8 & 0x3fffffu) - 0x200000) * 3.74507028e-7f, t = a * a, \
              r = GTR__SQRTF(2.0f * v[k]); \
          float s = GTR__FMAF(GTR__FMAF(-1.95915563e-4f, t, 8.33277591e-3f), t, -1.66666657e-1f); \
          float c = GTR__FMAF(GTR__FMAF(2.44638795e-5f, t, -1.388759e-3f), t, 4.16666493e-2f); \
          s = r * GTR__FMAF(a * t, s, a); c = r * GTR__FMAF(t, GTR__FMAF(c, t, -0.5f), 1.0f); \
          if (u[k + 1] >> 31) c = -c; \
          v[k] = u[k + 1] >> 30 & 1 ? s : c; v[k + 1] = u[k + 1] >> 30 & 1 ? c : s; } }
/* A keyed bijection on [0, n): six rounds of a Feistel network over 2h bits, walked until it lands below n. After four
   rows stay where they were and beside each other more often than by chance. Result in i. */
#define GTR__MIX32(v, k) ((v) = ((v) ^ (k)) * 0x9E3779B1u, (v) ^= (v) >> 15, (v) *= 0x85EBCA77u, (v) ^= (v) >> 13)
#define GTR__SHUFFLE(i, n, key) do { \
    int h_ = 1; while (((uint64_t)1 << (2 * h_)) < (uint64_t)(n)) h_++; \
    GTR__SHUFFLE_IN(i, n, key, h_); } while (0)
/* The same with h, the least such that n is at most 2^2h, known. */
#define GTR__SHUFFLE_IN(i, n, key, h) do { \
    uint32_t m_ = (uint32_t)(((uint64_t)1 << (h)) - 1); uint64_t v_ = (uint64_t)(i); \
      do { uint32_t l_ = (uint32_t)(v_ >> (h)), q_ = (uint32_t)v_ & m_; int r_; \
        for (r_ = 0; r_ < 6; r_++) { uint32_t f_ = q_, \
            k_ = (uint32_t)((key) >> (16 * (r_ & 1))) + (uint32_t)((key) >> 32) * (uint32_t)(r_ + 1); \
          GTR__MIX32(f_, k_); f_ = (l_ ^ f_) & m_; l_ = q_; q_ = f_; } \
        v_ = ((uint64_t)l_ << (h)) | q_; } while (v_ >= (uint64_t)(n)); \
      (i) = (int64_t)v_; } while (0)

// >>calls
/* An op's attributes; what each means stands at the op's marker. */
typedef struct {
    int64_t i[16];
    double f[4];
    uint64_t key; /* GTR__RANDOM: of the seed and the op's full name */
    const void *ptr; /* FEED: gtr__feed; GUARD, UPDATE, REPORT: gtr__optim; CUSTOM: gtr_custom_desc */
} gtr__attr;
/* What a kernel sees of one operand. */
typedef struct {
    void *data; /* NULL: not wanted (outputs), not read (inputs: shape is valid all the same) */
    gtr_dtype dtype; /* storage */
    const int64_t *stride; /* of its dimensions; NULL: element after element */
    int64_t lookups; /* a gradient as so many; 0: dense, as all else */
    int add; /* outputs: add to what is there (a gradient's later writers) */
    int64_t count;
    gtr_shape shape; /* literal */
} gtr__arg;
/* Strides of a stack of matrices (..., rows, columns); item i begins at i / inner * outer + i % inner * item. */
typedef struct { int64_t row, col, inner, item, outer; } gtr__matrix;
/* False where strides are not those of such a stack, or of one with neither rows nor columns of adjacent elements. */
static bool gtr__matrix_of(const gtr_shape *s, const int64_t *stride, gtr__matrix *m) {
    const int n = s->ndim;
    m->inner = n > 2 ? s->dim[n - 3] : 1;
    m->row = s->dim[n - 1]; m->col = 1;
    m->item = n > 2 ? m->row * s->dim[n - 2] : 0; m->outer = m->inner * m->item;
    if (!stride || n < 3) return !stride;
    for (int k = n - 5; k >= 0; k--) if (stride[k] != stride[k + 1] * s->dim[k + 1]) return false;
    m->row = stride[n - 2]; m->col = stride[n - 1]; m->item = stride[n - 3]; m->outer = n > 3 ? stride[n - 4] : 0;
    return m->col == 1 || m->row == 1;
}
/* A window that slides over images: places (N, oh, ow, O) of an image (N, h, w, C), both with channels last, of which
   place (y, x) reads pixel (y sh - ph + ky dh, x sw - pw + kx dw) for each tap (ky, kx), kx fastest. Of three
   dimensions the height is 1. A group has cg of the image's channels and og of the places'. */
typedef struct { int64_t n, h, w, c, oh, ow, o, kh, kw, sh, sw, ph, pw, dh, dw, groups, cg, og; } gtr__window;
static gtr__window gtr__window_of(const int64_t *i, const gtr_shape *image, const gtr_shape *places, int64_t kh,
        int64_t kw, int64_t groups) {
    const int n = image->ndim;
    const int64_t *x = image->dim, *y = places->dim;
    const gtr__window g = { x[0], n > 3 ? x[1] : 1, x[n - 2], x[n - 1], n > 3 ? y[1] : 1, y[n - 2], y[n - 1], kh, kw,
        i[0], i[1], i[2], i[3], i[4], i[5], groups, x[n - 1] / groups, y[n - 1] / groups };
    return g;
}
#define GTR__LAUNCH_STEPS 128 /* no launch does more steps */
#define GTR__LAUNCH_FEW   8 /* nor is one of fewer worth it */
/* A step's changing figures, by the host into a ring in mapped memory, step last. Step s reads record s % GTR__RING. */
typedef struct {
    uint64_t step;
    int64_t first; /* position of the batch's first row in the epoch */
    int64_t rows; /* rows of the data set; 0: src holds the batch itself */
    uint64_t key; /* the epoch's shuffle; 0: in order */
    int64_t more, pad; /* the launch that does this step does so many after it, whose records are written */
    float lr[GTR__MAX_GROUPS];
    uint64_t src[GTR__MAX_FEED];/* address of each input's first row, device memory */
} gtr__record;
/* Of a trainer, on the device. GUARD writes guard, norm, coef; gradients' kernels guard; REPORT all else. The host
   reads it once drained. */
typedef struct {
    uint64_t step; /* attempted steps done; the running step's 0-based number */
    uint64_t applied; /* updates done: Adam's t is this + 1 during UPDATE */
    uint64_t launches; /* steps launched, those after a sticky status included */
    uint64_t bad_step;
    uint32_t status; /* sticky; 1: a value was not finite; 2: blocks waited for each other in vain */
    uint32_t guard; /* not 0: this step must change no state, and the status becomes this */
    float scale; /* loss scale; 1 if there is none */
    uint32_t good; /* steps since the scale last changed */
    float norm; /* 2-norm of the unscaled gradients, if clipped */
    float coef; /* what UPDATE multiplies gradients by: clip / scale */
    uint32_t ticket[8]; /* for kernels whose last block finishes, whose blocks meet; zero between launches */
    /* Reading the host's memory costs a microsecond, and more when many blocks do: REPORT fetches the next step's
       record, FEED a missing one, to record[step % 2], where it is when tag[step % 2] is step + 1; claim is the last
       step that a block set out for. */
    uint64_t tag[2], claim, stuck, pad; /* stuck: steps launched since the sticky status */
    gtr__record record[2];
    /* as a launch that may be given up found them; its steps */
    struct { uint64_t step, applied, launches, steps; float scale; uint32_t good; } begun;
} gtr__ctl;
typedef struct {
    uint64_t step; /* 1-based, written last: entry is whole */
    uint64_t applied;
    float value[GTR__MAX_REPORT]; /* loss, metrics */
    float norm, lr, scale;
    uint32_t skipped;
} gtr__entry;
/* In mapped host memory. Both rings are indexed by step % GTR__RING (entry: the 0-based step). */
typedef struct {
    volatile uint64_t launches; /* ctl's, written by REPORT in this order: entry, bad_step, status, step, launches */
    volatile uint64_t step;
    volatile uint64_t bad_step;
    volatile uint32_t status, pad;
    gtr__entry entry[GTR__RING];
    gtr__record record[GTR__RING];
} gtr__shared;
/* How images come out of (h, w) pixels of a column: (oh, ow) of them. Of channel c, or the last that there is a number
   for, v becomes contrast * (brightness * (v scale[c] + shift[c]) - mean[c]), std in all three. */
#define GTR__CHANNELS 16
typedef struct {
    uint64_t key;
    const int64_t *index; /* where a row begins, in rows of the source, on the device; NULL: row r at r */
    int32_t channels, h, w, oh, ow; /* channels 0: no image, a row as it is */
    int32_t from_last, to_last; /* channels lie last in the column, in the input */
    int32_t pad, mode, cutout, draws, varied; /* draws: in training, of what draws; varied: by gtr_dataset_augment */
    float flip, flip_vertical, brightness, contrast, scale[GTR__CHANNELS], shift[GTR__CHANNELS], mean[GTR__CHANNELS];
} gtr__image;
/* Of one row: pixel (y, x) is the column's (top + y, left + x), counted from the other side if mirrored; those of
   [hole_y, hole_y + cutout) and [hole_x, ...) are 0. */
typedef struct { int32_t top, left, mirror_y, mirror_x, hole_y, hole_x; float brightness, contrast; } gtr__drawn;
/* Body of void gtr__image_draw(const gtr__image *m, uint64_t step, int64_t row, gtr__drawn *d), the same bits in both
   files. */
#define GTR__IMAGE_DRAW_BODY \
    { const int32_t more_y = m->h - m->oh, more_x = m->w - m->ow; \
      d->top = (more_y - (more_y < 0)) / 2; d->left = (more_x - (more_x < 0)) / 2; \
      d->mirror_y = d->mirror_x = 0; d->hole_y = m->oh; d->hole_x = m->ow; d->brightness = d->contrast = 1.0f; \
      if (m->draws) { \
          uint32_t u[8]; \
          for (int k = 0; k < 8; k += 4) { GTR__COUNTER(u + k, step, row, k); GTR__PHILOX(u + k, m->key); } \
          d->top = (int32_t)((uint64_t)u[0] * (uint32_t)(more_y + 2 * m->pad + 1) >> 32) - m->pad; \
          d->left = (int32_t)((uint64_t)u[1] * (uint32_t)(more_x + 2 * m->pad + 1) >> 32) - m->pad; \
          d->mirror_y = GTR__UNIFORM(u[2]) < m->flip_vertical; d->mirror_x = GTR__UNIFORM(u[3]) < m->flip; \
          if (m->cutout) { \
              d->hole_y = (int32_t)((uint64_t)u[4] * (uint32_t)m->oh >> 32) - m->cutout / 2; \
              d->hole_x = (int32_t)((uint64_t)u[5] * (uint32_t)m->ow >> 32) - m->cutout / 2; } \
          d->brightness = GTR__FMAF(m->brightness, 2.0f * GTR__UNIFORM(u[6]) - 1.0f, 1.0f); \
          d->contrast = GTR__FMAF(m->contrast, 2.0f * GTR__UNIFORM(u[7]) - 1.0f, 1.0f); } }
/* Body of int32_t gtr__image_edge(int32_t i, int32_t n, int mode): which of n pixels stands at i; -1: none. */
#define GTR__IMAGE_EDGE_BODY \
    { const int32_t edge = i < 0 ? 0 : n - 1; \
      if (i >= 0 && i < n) return i; \
      return mode == GTR_PAD_REFLECT ? 2 * edge - i : mode == GTR_PAD_REPLICATE ? edge \
          : mode == GTR_PAD_CIRCULAR ? i + (i < 0 ? n : -n) : -1; }
/* FEED: out[k] is made of row elements of input[k]: float (or low) of GTR_U8 or GTR_F32, GTR_I32 of it or GTR_U8. */
/* slot: index in record.src; stored: elements there from a row to the next, which may lie over it */
typedef struct {
    int slot; gtr_dtype from; int64_t row, stored; float scale, shift; gtr__image image;
} gtr__feed_input;
/* shared: as the device sees it */
typedef struct {
    int n; int64_t rows; gtr__feed_input input[2 * GTR__MAX_FEED]; gtr__shared *shared;
} gtr__feed;
/* The optimizer over all parameters: gradient and states are one buffer each, laid out by the segments (offset in
   elements, a multiple of 64; gaps are never read for a result and stay zero). */
typedef struct { gtr_float *p; void *bf16, *f16; int64_t offset, count; int32_t group, pad; } gtr__segment;
typedef struct {
    int n, groups;
    gtr__segment *segments; /* device memory, ascending offsets */
    gtr_float *gradient, *state[GTR__MAX_STATES + 1]; /* the average is the last of all */
    int64_t count; /* elements of gradient, gaps included */
    double beta1, beta2, ema, clip; /* 0: none */
    gtr__rule rule; /* but for coef to ema */
    int states, all; /* of the rule; with an average */
    int decoupled, corrected; /* the decay is; the means are for their beginning at 0 */
    int scaled /* FP16: dynamic loss scale */, loss_only /* guard */;
    double weight_decay[GTR__MAX_GROUPS];
    gtr__shared *shared; /* as the device sees it */
} gtr__optim;
struct gtr__caps;
typedef struct {
    const gtr__attr *attr;
    int n_in, n_out;
    /* forward: inputs; outputs. backward: inputs, outputs, gradients of the differentiable
       outputs; gradients of inputs */
    const gtr__arg *in, *out;
    void *ws; /* workspace, 256-aligned */
    size_t ws_bytes;
    size_t *measure; /* not NULL: write the workspace wanted, do nothing else (instance may be NULL) */
    int *fits; /* of NETWORK, not NULL: write whether it can be launched, do nothing else */
    const struct gtr__caps *caps;
    /* GTR_FP32: full float32 products; GTR_TF32: float32 storage, TF32 products; else by storage */
    gtr_precision    precision;
    int training;
    int recomputed;/* a clone made by re-materialisation */
    float seed; /* backward with GTR__SEED and dy->data NULL: dy is seed * (ctl ? ctl->scale : 1) */
    int64_t row0; /* first row of this micro-batch within the step's batch */
    gtr__ctl *ctl; /* device memory; NULL outside a trainer and gtr_eval_train */
    void *stream; /* set by the backend */
} gtr__call;
typedef gtr_result (*gtr__kernel)(void *instance, const gtr__call *c);
/* Of CONV, whose output (or its gradient) is y: transposed, that is the image. */
static gtr__window gtr__window_conv(const gtr__call *c, const gtr__arg *y) {
    const gtr_shape *x = &c->in[0].shape, *w = &c->in[1].shape;
    const int64_t *i = c->attr->i;
    return gtr__window_of(i, i[7] ? &y->shape : x, i[7] ? x : &y->shape, w->ndim > 3 ? w->dim[1] : 1,
        w->dim[w->ndim - 2], i[6]);
}

/* Of CONV: inputs that are a convolution's; behind them lies what batch_norm and an addition read. Backward: dy, behind
   which lies what an activation's gradient and an addition read. */
static int gtr__conv_inputs(const gtr__call *c) {
    return c->n_in - (c->attr->i[11] ? 4 : 0) - (c->attr->i[12] ? 1 : 0);
}
static const gtr__arg *gtr__conv_dy(const gtr__call *c) {
    return &c->in[gtr__conv_inputs(c) - (c->attr->i[10] ? 2 : 1)];
}
/* Of the backward of pools and UPSAMPLE: what the activation's gradient reads, if not x, lies behind dy. */
static const gtr__arg *gtr__pool_saved(const gtr__call *c) {
    return &c->in[c->n_in - (c->attr->i[12] ? 1 : 0) > 3 ? 3 : 0];
}

// >>plan-structs
typedef struct {
    gtr_shape shape;
    gtr_dtype dtype, storage; /* logical; stored */
    int64_t stride[GTR_MAX_DIMS]; /* of a view, in what it is an alias of; [0] is 0: element after element */
    int64_t lookups; /* a gradient as so many; 0: dense */
    int last; /* the shape is (N, ..., C) of a logical (N, C, ...) of so many dimensions; 0: it is the logical one */
    gtr__home home;
    int alias; /* GTR__HOME_ALIAS: of this value; GTR__HOME_ARENA: -1, or the gradient in whose place it lies */
    size_t offset, bytes; /* in its home; alias: from the other's start */
    int stage;
    int producer; /* first node that writes it; -1: none */
    int only; /* an input's slot in low storage: there is no other */
    int unstored; /* GTR__HOME_GRADIENT: nobody writes it */
    gtr_tensor *tensor; /* whose value it is; NULL */
    int gradient_of; /* value; -1 */
    int micro;
    const void *label; /* const char *: name for texts */
    void *data; /* resolved */
} gtr__value;
typedef struct {
    gtr__op op;
    gtr__dir dir;
    gtr__phase phase;
    int stage, stream;
    int n_in, n_out;
    int *in, *out; /* values; -1: none */
    uint64_t reads; /* bit i: in[i]'s data is read; bit 63 (of adds, too): of all from it on */
    uint64_t adds; /* bit i: out[i] is added to */
    gtr__attr attr;
    int micro;
    int training, recomputed;
    int own; /* in a network: 1 + the output that its kernel makes, see gtr__matcher.own; of a late one: 1; 0: none */
    int region; /* of gtr_recompute_begin; 0: none */
    float seed;
    int64_t row0;
    size_t ws_bytes, ws_offset;
    int ws_value; /* the gradient in whose place the workspace lies; -1: the arena */
    double flops, bytes;
    const char *layer; /* name for texts */
    const char *fused; /* what was fused into it; NULL */
    gtr__call call; /* resolved */
    uint32_t wait_mask; /* lanes it waits for: node wait_node[lane] must be done */
    int wait_node[GTR__MAX_LANES];
    int signals; /* some other lane waits for it */
    int leaf; /* it makes gradients of parameters alone, which nothing but the update waits for */
} gtr__node;
typedef struct {
    gtr__node *node; int n_node; int64_t cap_node;
    gtr__value *value; int n_value; int64_t cap_value;
    int n_stage, n_stream;
    int split; /* first node of the right phases (REDUCE and after) */
    size_t arena[GTR__MAX_STAGES]; /* bytes */
    int lookups, lookup[GTR__MAX_LOOKUPS], of[GTR__MAX_LOOKUPS]; /* gradients as lookups, by place; of parameters */
    int steps, ragged; /* the most that one launch does; whether among them may be ones of fewer rows */
    int waits, unfit; /* 1 + a matcher; 0: none. Its blocks wait for each other; prepare can't do it */
    size_t carry; /* bytes of values that outlive the left phases, besides the arena */
    int64_t batch;
    gtr_precision precision;
} gtr__plan;

// >>capabilities
/* Plain data: all that a pass may know of a device. */
typedef struct gtr__caps {
    char name[96];
    int cuda; /* 0: the CPU */
    int compute; /* 75, 80, 87, 90, ... of the loaded code */
    int sm_count;
    size_t shared; /* bytes of shared memory that a block may have */
    int arch_feature; /* the loaded image has sm_90a's own instructions */
    int bf16, f16, tf32; /* products in these are there */
    int lookups; /* gradients as lookups are */
    size_t product_workspace; /* bytes that a product asks for */
    uint8_t unfused[GTR__OP_COUNT]; /* fused ops that a test does without */
    /* 0; a test says with them how many looks for another's word a block has before it gives a launch up, which block
       (1: the first) is late at the last meeting, for how many that meet there is room, that cuBLASLt is not there,
       that chains are taken at any cost (-1: never) */
    int hurry, late, room, no_library, chains;
    uint32_t without; /* matchers that do not work here, a bit each */
} gtr__caps;

// >>tables
/* What the backend gets of the host. */
typedef struct {
    void *user;
    void *(*alloc)(void *user, size_t bytes); /* host memory; NULL when out */
    void (*free)(void *user, void *p, size_t bytes);
    void *(*device_alloc)(void *user, size_t bytes); /* NULL slot: the backend's own */
    void (*device_free)(void *user, void *p, size_t bytes);
    void (*log)(void *user, gtr_level level, const char *text);
    void (*error)(void *user, gtr_result code, const char *text);
} gtr__host;
typedef struct {
    int device_index, max_sm, threads; void *stream; void *share;
    /* an instance whose device (and pool) to share; NULL */
    bool ahead; /* of the device's other work, which own streams are behind else */
} gtr__instance_desc;
typedef struct { void *to; const void *from; size_t bytes; } gtr__move;
/* left: nodes before plan->split */
typedef enum { GTR__PART_ALL, GTR__PART_LEFT, GTR__PART_RIGHT } gtr__part;
typedef enum { GTR__TO_DEVICE, GTR__TO_HOST, GTR__ON_DEVICE } gtr__copy;
/* A matcher of the select pass: how many nodes from plan->node[at] on its kernel replaces; 0: none. They become one
   NETWORK node, whose operands are all values that they read (in) and write (out), attr->ptr a gtr__network of them; a
   backend's kernel[GTR__OP_NETWORK][GTR__FWD] passes the call on to matchers[attr->i[0]]. */
typedef struct {
    const char *name;
    int (*match)(gtr__plan *plan, int at, const gtr__caps *caps);
    gtr__kernel kernel;
    int steps; /* where it takes a whole plan: the most steps that one launch does */
    int several; /* it pays only where many steps are queued at a time, as gtr_fit does */
    /* where it takes a whole plan, values of the arena are not stored; where it is late, those that it alone uses */
    int bare;
    /* the output of node at + i that it makes by a kernel of its own; -1. NULL: it asks at no node */
    int (*own)(const gtr__plan *plan, int at, int i);
    int unstored; /* these outputs are gradients that it uses up: other values may lie in their places */
    int ragged; /* a step of fewer rows, at the data set's end, is one of so many */
    int waits; /* its blocks wait for each other: they may give a launch up, which changes nothing */
    size_t own_bytes; /* its node keeps these across launches: the last output */
    int late; /* of what late fusions left, in its own order; streams and waits take it as its nodes */
} gtr__matcher;
#define GTR__WHOLE(n) ((n)->op == GTR__OP_NETWORK && !(n)->own)
#define GTR__ALL(n) ((n)->n_in + (n)->n_out)
typedef struct {
    uint32_t seam[10]; /* GTR__SEAM */
    const char *name;
    /* An instance is a device, its streams and handles. On failure writes a sentence to why (256 bytes). */
    gtr_result (*create)(const gtr__host *host, gtr__instance_desc desc, void **instance, char *why);
    void (*destroy)(void *instance);
    void (*capabilities)(void *instance, gtr__caps *caps); /* instance NULL: of this build, without a device */
    void *(*alloc)(void *instance, size_t bytes); /* device memory; NULL when out */
    void (*free)(void *instance, void *p, size_t bytes);
    /* pinned and mapped; *device: its address there */
    void *(*host_alloc)(void *instance, size_t bytes, void **device);
    void (*host_free)(void *instance, void *p, size_t bytes);
    /* on the first stream, in order */
    gtr_result (*copy)(void *instance, void *dst, const void *src, size_t bytes, gtr__copy kind, bool wait);
    gtr_result (*zero)(void *instance, void *dst, size_t bytes); /* likewise */
    gtr_result (*wait)(void *instance); /* until all is done */
    /* n copies behind what other's first stream holds; instance's, which is idle, goes on when they are done */
    gtr_result (*take)(void *instance, void *other, const gtr__move *move, int64_t n);
    /* CUDA's alone: bytes from pinned memory to the device once event after (NULL: none) has passed, beside the first
       stream's work, which waits for them and then notes a point in *event (made if NULL); ready waits for it; wait_for
       makes the stream wait for a user's. */
    gtr_result (*upload)(void *instance, void *dst, const void *src, size_t bytes, void *after, void **event);
    gtr_result (*ready)(void *instance, void *event);
    gtr_result (*wait_for)(void *instance, void *user_event);
    void (*event_free)(void *instance, void *event);
    gtr_result (*memory_info)(void *instance, size_t *free_bytes, size_t *total_bytes);
    void (*environment)(void *instance, char *text, size_t size);
    double (*seconds)(void *instance, int start); /* less what start != 0 gave: the device's time since; waits */
    gtr__kernel kernel[GTR__OP_COUNT][GTR__DIR_COUNT];
    const gtr__matcher *matchers; int n_matchers;
    /* prepare makes *exec of a resolved plan (instances by stage), or sets plan->unfit; launch runs a part of it once:
       eagerly at first, then captured, then as one graph. run_node runs one node eagerly on the first stream. The plan
       outlives exec. */
    gtr_result (*prepare)(void *const *instances, gtr__plan *plan, void **exec);
    gtr_result (*launch)(void *const *instances, void *exec, gtr__part part);
    gtr_result (*run_node)(void *const *instances, gtr__plan *plan, int node);
    void (*release)(void *const *instances, void *exec);
} gtr__backend;
/* What a table begins with: version, and sizes of what the two files share. */
#define GTR__SEAM { 1, sizeof(gtr__backend), sizeof(gtr__plan), sizeof(gtr__node), sizeof(gtr__value), \
    sizeof(gtr__call), sizeof(gtr__ctl), sizeof(gtr__shared), sizeof(gtr__caps), sizeof(gtr__matcher) }
#define GTR__CUDA_SYMBOL gtr_cuda_backend_0_1
#ifdef __cplusplus
extern "C"
#else
extern
#endif
const gtr__backend *GTR__CUDA_SYMBOL(void);
// >>programs
/* Element-wise nodes of one index space as one: a late matcher of both backends moves them side by side, and its kernel
   goes over the elements once, a few at a time, with what the nodes read and make in slots. A slot holds what would be
   stored, rounded, so that no bit depends on what is fused. */
#define GTR__PROGRAM_SLOTS 12 /* loads and steps */
#define GTR__PROGRAM_LOADS 8
#define GTR__PROGRAM_WINDOW 64 /* nodes among which a node's companions are looked for: planning stays linear */
typedef enum {
    GTR__STEP_NONE, GTR__STEP_COPY, GTR__STEP_BAND, GTR__STEP_SPREAD, GTR__STEP_DROP, GTR__STEP_DRAW, GTR__STEP_UNARY,
    GTR__STEP_BINARY
} gtr__step_kind;
#define GTR__OP_FLAGS(ID, name, nout, ndiff, cls, needs, flags, f, b) (uint64_t)(flags),
static const uint64_t gtr__op_flags[GTR__OP_COUNT + 1] = { GTR__OPS(GTR__OP_FLAGS) 0 };
static gtr__step_kind gtr__step_of(gtr__op op) {
    const uint64_t f = gtr__op_flags[op];
    return f & GTR__MOVES ? GTR__STEP_COPY : f & GTR__SPREADS ? GTR__STEP_SPREAD : f & GTR__DROPS ? GTR__STEP_DROP
        : f & GTR__RANDOM ? GTR__STEP_DRAW : f & GTR__EW ? f & GTR__PAIRS ? GTR__STEP_BINARY : GTR__STEP_UNARY
        : f & GTR__BANDS ? GTR__STEP_BAND : GTR__STEP_NONE;
}
/* A step makes operand out of its node: forward (side 0), or the gradient of input side - 1. Slots of its formula's
   operands; what that does not read is one that it does. a: what COPY, BAND, SPREAD and DROP start from. factor: of
   SPREAD. line: elements of DROP's or DRAW's row. begin: of the band, so shaped, of an out of more elements. */
typedef struct {
    const gtr__node *node; gtr__step_kind kind; int side, dy, a, b, y, to, out, add; double factor; int64_t line;
    int64_t begin; gtr_shape band;
} gtr__step;
typedef struct { int slots, steps, loads; uint32_t made; } gtr__program_used; /* made: a bit for each slot of a step */
/* Load k begins as operand load[k] in slot[k], of shape shape[k] broadcast to full[k], or a band of it from
   begin[k] on. A slot holds of memory root (of the plan) all elements (part 0), 1 + the operand that is broadcast, or
   what is broadcast or a band for one step (-1). */
typedef struct {
    int64_t count; gtr__program_used n;
    int slot[GTR__PROGRAM_LOADS], load[GTR__PROGRAM_LOADS], root[GTR__PROGRAM_SLOTS], part[GTR__PROGRAM_SLOTS];
    gtr_shape shape[GTR__PROGRAM_LOADS], full[GTR__PROGRAM_LOADS];
    int64_t begin[GTR__PROGRAM_LOADS];
    gtr__step step[GTR__PROGRAM_SLOTS];
} gtr__program;
/* What a matcher took together. Operands of members, and of program (a late matcher's, if they are one), index c->in,
   then c->out behind it; -1: none. root: the first in the same memory */
typedef struct { int n_node; gtr__node *node; int *root; gtr__program program; } gtr__network;
static const gtr__arg *gtr__operand_of(const gtr__call *c, int id) {
    return id < c->n_in ? &c->in[id] : &c->out[id - c->n_in];
}
static int64_t gtr__shape_inner(const gtr_shape *s, int64_t axis) {
    int64_t n = 1;
    for (int64_t i = axis + 1; i < s->ndim; i++) n *= s->dim[i];
    return n;
}
static int64_t gtr__elements(const gtr_shape *s) { return gtr__shape_inner(s, -1); } /* of a literal shape */
/* x's shape with the dimensions in the mask 1: what y's shape is if they stay. */
static gtr_shape gtr__shape_ones(gtr_shape x, int64_t mask) {
    for (int k = 0; k < x.ndim; k++) if (mask >> k & 1) x.dim[k] = 1;
    return x;
}
/* Elements that random numbers count as one row: see op:dropout. */
static int64_t gtr__drawn_row(const gtr__attr *a, const gtr_shape *s) {
    return a->i[0] || !s->ndim ? gtr__elements(s) : gtr__elements(s) / s->dim[0];
}
static int gtr__bit(uint64_t mask, int k) { return (int)(mask >> (k < 63 ? k : 63) & 1); }
static int gtr__root(const gtr__plan *p, int v) {
    while (v >= 0 && p->value[v].home == GTR__HOME_ALIAS) v = p->value[v].alias;
    return v;
}
/* The root of what a node's k-th operand reads or, behind the inputs, writes; -1: nothing. */
static int gtr__use(const gtr__plan *p, const gtr__node *n, int k) {
    return k < n->n_in && !gtr__bit(n->reads, k) ? -1 : gtr__root(p, n->in[k]);
}
/* Whether one writes what the other reads or writes; a network may do so with any gradient. */
static bool gtr__nodes_depend(const gtr__plan *p, const gtr__node *a, const gtr__node *b) {
    if (GTR__WHOLE(a) || GTR__WHOLE(b)) return true;
    for (int i = 0; i < GTR__ALL(a); i++) {
        const int v = gtr__use(p, a, i);
        for (int k = i < a->n_in ? b->n_in : 0; k < GTR__ALL(b) && v >= 0; k++) if (v == gtr__use(p, b, k)) return true;
    }
    return false;
}
static void gtr__node_move(gtr__plan *p, int from, int to) {
    const gtr__node n = p->node[from];
    const int d = from < to ? 1 : -1;
    for (int i = from; i != to; i += d) p->node[i] = p->node[i + d];
    p->node[to] = n;
}
/* BAND: operands that are the whole and the parts that bands of its rows are copied to or, joins, from: run elements,
   from begin on, each behind the last; 0: no member. Other nodes' parts are their outputs. */
typedef struct { int whole, part, parts, joins; int64_t begin, run; } gtr__banding;
static gtr__banding gtr__bands_of(const gtr__plan *p, const gtr__node *n) {
    const bool joint = (gtr__op_flags[n->op] & GTR__JOINT) != 0, back = n->dir == GTR__BWD;
    const int64_t *at = n->attr.i;
    gtr__banding w = { -1, n->n_in, n->n_out, 0, 0, 0 };
    if (gtr__step_of(n->op) != GTR__STEP_BAND) return w;
    w.parts = !joint ? (int)at[3] : back ? n->n_out : n->n_in;
    w.whole = joint ? n->n_in - 1 : 0;
    if ((w.joins = joint != back) != 0) { w.whole = n->n_in; w.part = joint ? 0 : 1 + w.parts; }
    const gtr_shape *s = &p->value[n->in[w.whole]].shape;
    w.begin = joint ? 0 : at[1] * gtr__shape_inner(s, at[0]);
    w.run = joint ? gtr__shape_inner(&p->value[n->in[0]].shape, at[0] - 1)
        : (at[2] - at[1]) * gtr__shape_inner(s, at[0]);
    if (w.joins && !n->adds && w.parts * w.run != gtr__shape_inner(s, at[0] - 1)) w.run = 0; /* there are zeros */
    for (int k = 0; k < w.parts; k++) if (gtr__use(p, n, w.part + k) < 0) w.run = 0;
    return w;
}
/* The elements of a node that a program may have as a member: of each output or part; 0: it may not. */
static int64_t gtr__program_count(const gtr__plan *p, const gtr__node *n) {
    const gtr__step_kind kind = gtr__step_of(n->op);
    const gtr__banding w = gtr__bands_of(p, n);
    int64_t count = 0;
    if (kind == GTR__STEP_NONE || (kind == GTR__STEP_SPREAD && n->dir == GTR__FWD)) return 0; /* its gradient spreads */
    if (kind == GTR__STEP_BAND && !w.run) return 0;
    for (int k = GTR__ALL(n) - 1; k >= 0; k--) {
        const int root = gtr__use(p, n, k);
        if (root < 0) continue;
        const gtr__value *v = &p->value[n->in[k]];
        const gtr__home home = p->value[root].home;
        const int64_t elements = gtr__elements(&v->shape);
        if (v->stride[0] || v->lookups || v->storage > GTR_F16 || v->stage != n->stage
                || (v->home == GTR__HOME_ALIAS && v->offset)) return 0;
        if (k >= n->n_in && home != GTR__HOME_ARENA && home != GTR__HOME_KEPT) return 0;
        if (k == w.whole) continue;
        if ((k >= n->n_in || w.joins) && !count) count = elements;
        if (k < n->n_in && !w.joins ? elements > count : elements != count) return 0;
    }
    if (!count || (kind == GTR__STEP_DROP ? !n->training : kind != GTR__STEP_DRAW)) return count;
    const int64_t row = gtr__drawn_row(&n->attr, &p->value[n->out[0]].shape);
    return n->attr.i[1] || (row < count && row % 4) ? 0 : count; /* a Philox block is four elements of a row */
}
/* The slot in which a step's operand id is, broadcast, or a load of its own. -1: there is no room, or it is a part of
   what is made here: other elements would be meant. */
static int gtr__program_slot(const gtr__plan *p, gtr__program *q, const gtr__step *t, int id) {
    const gtr_shape *shape = &p->value[id].shape;
    const bool whole = gtr__elements(shape) == q->count, spread = t->kind == GTR__STEP_SPREAD,
        own = !whole && (spread || t->kind == GTR__STEP_BAND);
    const int root = gtr__root(p, id), part = whole ? 0 : own ? -1 : 1 + id;
    gtr__program_used *u = &q->n;
    for (int s = u->slots - 1; s >= 0; s--) {
        if (q->root[s] != root) continue;
        if (q->part[s] == part && !own) return s;
        if (u->made >> s & 1) return -1;
    }
    if (u->slots == GTR__PROGRAM_SLOTS || u->loads == GTR__PROGRAM_LOADS) return -1;
    q->load[u->loads] = id; q->full[u->loads] = t->band; q->begin[u->loads] = own ? t->begin : 0;
    q->shape[u->loads] = spread ? gtr__shape_ones(t->band, t->node->attr.i[0]) : *shape;
    q->root[u->slots] = root; q->part[u->slots] = part;
    return q->slot[u->loads++] = u->slots++;
}
/* Adds a node; linked: it is the first, or reads what others do or make. False, with a part of it in q, where it may be
   no member, is of other elements, or where not all find room. */
static bool gtr__program_add(const gtr__plan *p, gtr__program *q, const gtr__node *n, bool *linked) {
    const gtr__step_kind kind = gtr__step_of(n->op);
    const int before = q->n.slots;
    const gtr__banding w = gtr__bands_of(p, n);
    *linked = !before;
    if (!q->count || gtr__program_count(p, n) != q->count) return false;
    for (int k = 0; k < w.parts; k++) {
        const int at = w.joins ? 0 : k, id = n->out[at], root = gtr__root(p, id), from = w.joins ? w.part + k : w.whole;
        if (id < 0) continue;
        gtr__step s = { n, kind, n->dir == GTR__BWD ? 1 + k : 0, -1, -1, -1, -1, 0, id, gtr__bit(n->adds, at), 1,
            gtr__drawn_row(&n->attr, &p->value[id].shape), w.begin + k * w.run,
            p->value[w.joins ? n->in[from] : id].shape };
        int *const two[4] = { &s.a, &s.b, &s.y, &s.dy }, *const one[3] = { &s.a, &s.y, &s.dy };
        for (int i = 0; i < n->n_in; i++) {
            if (gtr__use(p, n, i) < 0 || (w.run && i != from)) continue;
            int *slot = w.run ? &s.a : kind == GTR__STEP_BINARY ? two[i] : one[i];
            *slot = gtr__program_slot(p, q, &s, n->in[i]);
            if (*slot < 0) return false;
            *linked |= *slot < before;
            if (gtr__op_flags[n->op] & GTR__AVERAGES)
                s.factor = (double)gtr__elements(&p->value[n->in[i]].shape) / (double)q->count;
        }
        if (s.a < 0) s.a = s.y >= 0 ? s.y : s.dy >= 0 ? s.dy : q->n.slots;
        if (s.b < 0) s.b = s.a;
        if (s.y < 0) s.y = s.a;
        if (s.dy < 0) s.dy = s.a;
        for (int t = 0; t < (w.joins ? before : q->n.slots); t++) /* made again, it is added to */
            if (q->root[t] == root && (q->part[t] || (q->n.made >> t & 1 && !s.add))) return false;
        if (q->n.slots == GTR__PROGRAM_SLOTS) return false;
        s.to = q->n.slots++;
        q->n.made |= 1u << s.to;
        q->root[s.to] = root; q->part[s.to] = -w.joins;
        q->step[q->n.steps++] = s;
    }
    return true;
}
/* Whether a node soon behind j, which q has, reads what j, or what reads that, makes, and what was made. */
static bool gtr__program_meets(const gtr__plan *p, gtr__program *q, const gtr__program_used *was, int j) {
    const gtr__program_used now = q->n;
    bool meets = false, linked = true;
    for (int i = j + 1; i < p->split && i < j + GTR__PROGRAM_SLOTS && linked && !meets; i++) {
        const gtr__node *n = &p->node[i];
        uint32_t reads = 0;
        for (int k = 0; k < n->n_in; k++)
            for (int s = 0; s < q->n.slots; s++) reads |= (uint32_t)(q->root[s] == gtr__use(p, n, k)) << s;
        reads &= q->n.made;
        if (!(reads >> was->slots)) continue;
        linked = gtr__program_add(p, q, n, &linked);
        meets = linked && reads & was->made;
    }
    q->n = now;
    return meets;
}
/* Whether count nodes are a program: then q is it. */
static bool gtr__program_make(const gtr__plan *p, gtr__program *q, const gtr__node *n, int count) {
    bool linked;
    memset(&q->n, 0, sizeof q->n);
    q->count = gtr__program_count(p, n);
    while (count && gtr__program_add(p, q, n, &linked)) { n++; count--; }
    return !count;
}
/* Element-wise nodes go down to the first that depends on them where that may be in a program with them: its other
   operands may be made in between. */
static void gtr__program_sink(gtr__plan *p) {
    for (int i = p->split - 2; i >= 0; i--) {
        const int64_t count = gtr__program_count(p, &p->node[i]);
        int j = i + 1;
        const int end = count ? i + GTR__PROGRAM_WINDOW < p->split ? i + GTR__PROGRAM_WINDOW : p->split : 0;
        while (j < end && !gtr__nodes_depend(p, &p->node[i], &p->node[j])) j++;
        if (j >= end || gtr__program_count(p, &p->node[j]) != count) continue;
        while (gtr__bands_of(p, &p->node[i]).joins && j > i + 1 && gtr__nodes_depend(p, &p->node[j - 1], &p->node[j]))
            j--; /* the whole's next bands stay with what makes them */
        gtr__node_move(p, i, j - 1);
    }
}
/* How many nodes from at on are a program; 0: none. */
static int gtr__program_match(gtr__plan *p, int at, const gtr__caps *caps) {
    gtr__program q;
    int members = 1;
    (void)caps;
    if (at == 0) gtr__program_sink(p);
    const gtr__node *first = &p->node[at];
    if (at >= p->split || !gtr__program_make(p, &q, first, 1)) return 0;
    for (int j = at + 1; j < p->split && j < at + GTR__PROGRAM_WINDOW; j++) {
        const gtr__node *n = &p->node[j];
        const gtr__program_used was = q.n;
        bool linked, free = n->stage == first->stage && n->micro == first->micro && n->recomputed == first->recomputed
            && gtr__program_add(p, &q, n, &linked) && (linked || gtr__program_meets(p, &q, &was, j));
        for (int i = at + members; i < j && free; i++) free = !gtr__nodes_depend(p, &p->node[i], n);
        if (free) gtr__node_move(p, j, at + members++); else q.n = was;
    }
    return members > 1 ? members : 0;
}
#endif /* GPUTRAIN_SEAM */
#endif
// >>backend-end
#endif /* GPUTRAIN_H */
#ifdef GPUTRAIN_IMPLEMENTATION
#ifndef GPUTRAIN_IMPLEMENTED
#define GPUTRAIN_IMPLEMENTED

// >>implementation
#define GTR__ARGS void *cpu, const gtr__call *c /* a kernel gets; cpu: a gtr__cpu */
#define GTR__CPU(name) static gtr_result gtr__cpu_##name(GTR__ARGS)
#define GTR__CPU_BOTH(name, run) /* forward and backward, which run has as the argument back */ \
    GTR__CPU(name##_fwd) { const bool back = false; return run; } \
    GTR__CPU(name##_bwd) { const bool back = true; return run; }
#define GTR__SHAPE(name) static gtr_result gtr__shape_##name(gtr__shape_call *s) /* a shape function */
#define GTR__JOB(type, j) const type *j = (const type *)job
#define GTR__SPAN const void *job, int64_t i, int64_t end /* what does elements i to end - 1 of its job gets */
#define GTR__MAX_ARGS 72 /* operands of one call: the most inputs, outputs and gradients */
#if !defined(GPUTRAIN_NO_THREADS) && !defined(_WIN32) && !defined(__ATOMIC_SEQ_CST)
#define GPUTRAIN_NO_THREADS /* tcc: no atomics */
#endif
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef _WIN32
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#else
#include <io.h>
#endif
#define GTR__FMAF  fmaf
#define GTR__BITS_OF(x) gtr__float_bits(x)
#define GTR__OF_BITS(u) gtr__bits_float(u)
#ifdef GPUTRAIN_DOUBLE
#define GTR__MATH(f32, f64) f64
#define GTR__SELECT(yes, a, b) ((yes) ? (a) : (b))
#else
#define GTR__MATH(f32, f64) f32
#define GTR__SELECT gtr__select
#endif
#define GTR__EXPF   GTR__MATH(gtr__expf, exp)
#define GTR__LOGF   GTR__MATH(gtr__logf, log)
#define GTR__TANHF  GTR__MATH(gtr__tanhf, tanh)
#define GTR__ERFF   GTR__MATH(gtr__erff, erf)
#define GTR__SQRTF  GTR__MATH(sqrtf, sqrt)
#define GTR__LOG1PF GTR__MATH(gtr__log1pf, log1p)
#define GTR__FABSF  GTR__MATH(fabsf, fabs)
#define GTR__EXPM1F GTR__MATH(gtr__expm1f, expm1)
#define GTR__SINF(x) GTR__MATH(gtr__sincosf(x, 0), sin(x))
#define GTR__COSF(x) GTR__MATH(gtr__sincosf(x, 1), cos(x))
#define GTR__POWF   GTR__MATH(gtr__powf, pow)
#define GTR__FLOORF GTR__MATH(floorf, floor)
#define GTR__RINTF  GTR__MATH(rintf, rint)
#define GTR__R gtr_float
#ifdef __MINGW_PRINTF_FORMAT
#define GTR__PRINTF(f, a) __attribute__((format(__MINGW_PRINTF_FORMAT, f, a)))
#elif defined(__GNUC__) || defined(__clang__)
#define GTR__PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define GTR__PRINTF(f, a)
#endif
#define GTR__RESTRICT __restrict
#ifdef __cplusplus
#define GTR__ZERO {} /* what a struct begins as */
#else
#define GTR__ZERO { 0 }
#endif
#define GTR__LENGTH(array) (sizeof (array) / sizeof *(array))
#define GTR__MIN(a, b) ((a) < (b) ? (a) : (b))
#define GTR__MAX(a, b) ((a) > (b) ? (a) : (b))
#define GTR__ROUND_UP(n, to) (((n) + (to) - 1) / (to) * (to))

// >>objects
struct gtr_tensor {
    gtr_context *ctx;
    gtr__op op;
    gtr_dtype dtype;
    gtr_shape shape; /* GTR_BATCH and multiples negative */
    int n_in;
    gtr_tensor **in;
    gtr__attr attr;
    char *name; /* full name, or NULL */
    const char *layer; /* its name, or that of the nearest before it that has one; NULL */
    gtr_tensor *next_named; /* in its bin: the last built before it */
    int64_t id; /* index in ctx->tensor */
    const char *builder; /* gtr__kind_of */
    int stage, region;
    bool keep, fed; /* fed: it depends on an input */
    bool last; /* a parameter that lies with channels last, (O, kh, kw, C) of (O, C, kh, kw) */
    size_t counted[3]; /* see gtr__count_blocks */
    int64_t runs; /* of a dimension k times the batch N: how often N lies in it, one behind the other:
            once in (N, k) flattened, k times in (k, N) flattened; 0: once */
    /* parameters, buffers, constants */
    bool trainable; /* a gradient may be wanted */
    bool buffer; /* saved, not trained: running statistics */
    gtr_init init;
    void *data; /* on its stage's device; also an input's slot */
    size_t data_bytes;
    void *low[2]; size_t low_bytes[2]; /* parameters: bf16, f16 copies; inputs: such slots; NULL: not wanted */
    int64_t limit; /* of ops: in[limited], labels or ids, must lie in [0, limit); 0: no limit */
    int limited;
    int32_t ignore; /* or equal this, if has_ignore */
    bool has_ignore;
    int32_t least, most; /* GTR_I32 that the host set: of the values; least > most: not known */
    uint64_t sets; /* how often they were; of ops: which were found in range */
    /* inputs */
    struct gtr__feeding *feeding; /* an input's staging */
    void *tally; /* TALLIES: labels that count, and all, of the set that is evaluated */
    /* fetched and kept values */
    void *kept; size_t kept_bytes; gtr_shape kept_shape; bool kept_filled; uint64_t kept_at;
    gtr_dtype kept_storage; /* an input's slot's, too */
    bool slot_last; /* an input's slot has channels last */
};
#define GTR__TALLY_BYTES 16
/* Different strings, one behind the other, each with a 0; string i begins at[i]. bin: i + 1 by hash, 0: free. */
typedef struct { char *text; uint32_t *at, *bin; int64_t n, cap, used, room, bins; } gtr__strings;
typedef struct {
    gtr_dtype dtype; gtr_shape shape; int64_t row; size_t row_bytes; /* row: elements */
    float scale, shift;
    char *name; /* NULL: none */
    uint8_t *host; /* rows * row_bytes */
    void *device; /* the same on the device; NULL until used. The CPU: host */
    int64_t least, most; /* of integer columns */
    int channels; /* lie first: 1, last: 2; 0: nobody said */
    gtr__image image; /* of a column with channels, or varied; but for what the input and the run add */
    /* windows, that lie over each other: the elements from host on; 0: rows lie one behind the other. stored: from a
       row to the next, or of index. shared: host lies in the first column's */
    int64_t span, stored;
    bool shared;
    const int64_t *index; /* where each row begins, in `stored`; NULL: row r at r */
    gtr__strings names; /* of ids 0, 1, ... */
    bool borrowed; /* host is the caller's */
    gtr_float *fill; /* CSV: of each feature what stands for a missing one; NULL: nothing */
} gtr__column;
struct gtr_dataset {
    gtr_context *ctx;
    gtr_dataset *next, *previous;
    char name[160]; /* for errors: the file or "arrays" */
    int64_t rows, room; /* room: how many fit; 0: the rows */
    int n_columns;
    gtr__column column[16];
    int64_t *index, *device_index; /* of windows of several series: where each begins; NULL: none */
    int classed; /* 1 + the column whose names are the classes'; 0: none */
    bool used;
};
#define GTR__PLANS 128 /* are kept at most, or so many nodes if these are of more than a few: */
#define GTR__PLAN_NODES (1 << 19)
#define GTR__PLAN_BINS  64
struct gtr__cached;
struct gtr_context {
    gtr_desc desc;
    gtr_result error;
    char error_text[1024];
    bool may_save; /* the error is of gtr_save alone */
    bool dead; /* made with an error, device lost, or a child's after fork(): nothing is built or run */
    long process; /* that made it; */
    volatile char *here; /* where the system can: memory that is 1, and 0 in a child of fork() */
    bool preset; /* plans only */
    gtr__backend be[1]; /* a copy of the chosen backend's table */
    gtr__host host;
    gtr__caps caps;
    void *instance[GTR__MAX_STAGES];
    int n_instance;
    char device_text[512];
    char *text; size_t text_size, text_used; /* the last text given out */
    gtr_tensor **tensor; int64_t n_tensor, cap_tensor;
    gtr_tensor **named; int64_t n_named; /* bins of names' hashes: cap_tensor of them, a power of two */
    gtr_tensor **parameter; int64_t n_parameter, cap_parameter;
    char scope[512]; short scope_length[64]; int scope_depth;
    int stage, region, n_regions;
    const char *builder; /* of several ops, between GTR__SINCE and gtr__whole; NULL */
    bool in_region;
    int64_t unnamed; /* counter for names that the user did not give */
    gtr_trainer *trainers;
    gtr_dataset *datasets;
    struct gtr__cached *plans, *oldest_plan; /* the last used first */
    struct gtr__cached *plan_bin[GTR__PLAN_BINS];
    void *arena[GTR__MAX_STAGES]; size_t arena_bytes[GTR__MAX_STAGES];
    uint64_t memory_version; /* changes when a block that plans point to has moved */
    uint64_t writes; /* counts what changes parameters: a kept value from before is of before */
    uint64_t low_version; /* changes when a parameter gets a low-precision copy */
    struct gtr__line *line; /* where snapshots and what changes weights, or enqueues steps, take turns; NULL: none */
    int writing; bool in_line; /* calls of gtr__weights_lock not unlocked yet; the first has entered */
    struct gtr__runner *runner; /* of gtr_eval */
    int32_t *check_flag; /* device: where CHECK writes */
    gtr_predictor *predictors;
    size_t device_bytes; /* of GTR_MEMORY_DEVICE now alive */
    volatile int stop; /* gtr_stop */
    bool stopped;
    int fits; /* that run: one may run another trainer's in its callback */
    int repeating; /* steps that were given up are being queued again */
};
typedef struct { double rate, best; int32_t bad, cooldown; bool any; } gtr__plateau; /* rate: of desc.lr */
struct gtr_trainer {
    gtr_context *ctx;
    gtr_trainer *next;
    gtr_trainer_desc desc; /* defaults filled in; groups are below */
    gtr_group group[GTR__MAX_GROUPS]; int n_groups;
    gtr_tensor *loss, *metric; /* metric: of the running gtr_fit */
    bool several, fitted; /* the running gtr_fit queues many steps at a time; the last steps were a fit's */
    struct gtr__fitting *fit; /* the running gtr_fit's; NULL: none runs */
    bool swapped; /* the parameters are the averages */
    gtr_dataset *validation; /* its own */
    gtr_result refused; /* of a call from its callback that may not be there */
    bool fit_several; gtr_tensor *fit_metric; /* of the last gtr_fit */
    int64_t fit_steps; uint64_t fit_step0;
    gtr_fit_end ended; /* likewise */
    void *metered; /* what its last metrics point to */
    gtr_tensor *scored[2]; /* by the running gtr_fit */
    gtr_tensor **param; int n_param;
    int *group_of;
    int64_t *offset, total; /* elements, in the gradient and state buffers */
    bool *lookups; /* whether the last step left a gradient so */
    gtr_float *gradient; /* device, as the optimizer's states are */
    gtr__segment *segments, *host_segments;
    uint64_t low_version;
    gtr__optim optim;
    struct gtr__runner *runner;
    float lr;
    gtr__plateau plateau;
    double pace; /* seconds that steps of gtr_train_for take; 0: not known */
    gtr_tensor *input[GTR__MAX_FEED]; int n_inputs;
    gtr_dataset *data, *last; /* that feeds steps; NULL: gtr_set does. The one that did last, which may go on */
    int64_t rows; /* of last; with last NULL: of a data set that may go on, as a checkpoint's did; 0: none */
    gtr_precision asked; /* of desc, which has what there is here */
    int64_t batch; bool shuffle, drop_last;
    int64_t data_at; uint64_t data_step0; /* step data_step0 reads batch data_at of all epochs' */
    int column[GTR__MAX_FEED]; /* of each input */
    struct gtr__cached *slot[GTR__RING]; /* the plan of each step in the ring */
    struct gtr__cached *pending; /* gtr_backward was called, gtr_update not yet */
    uint64_t edited; /* 1 + the last step of which gtr_gradient_set set one */
};

// >>errors
#define GTR__VPRINT(to, size, format) \
    do { va_list ap; va_start(ap, format); vsnprintf(to, size, format, ap); va_end(ap); } while (0)
/* Notes the first error and returns code. */
static GTR__PRINTF(3, 4) gtr_result gtr__fail(gtr_context *ctx, gtr_result code, const char *format, ...) {
    if (ctx) ctx->may_save = false;
    if (ctx && ctx->error == GTR_OK) {
        GTR__VPRINT(ctx->error_text, sizeof ctx->error_text, format);
        ctx->error = code;
    }
    return code;
}
/* Puts more behind its text, once. */
static void gtr__error_more(gtr_context *ctx, const char *more) {
    const size_t n = strlen(ctx->error_text), most = sizeof ctx->error_text - 1 - strlen(more);
    if (!strstr(ctx->error_text, more)) strcpy(ctx->error_text + GTR__MIN(n, most), more);
}
#define GTR__FAIL(ctx, code, ...) gtr__fail(ctx, GTR_ERR_##code, __VA_ARGS__)
#define GTR__BAD_ARG(ctx, ...) GTR__FAIL(ctx, ARG, __VA_ARGS__)
#define GTR__BAD_STATE(ctx, ...) GTR__FAIL(ctx, STATE, __VA_ARGS__)

// >>memory
/* Memory aligned to so much, at least 64; what malloc or, zeroed, calloc gave stands in front of it. */
static void *gtr__aligned(size_t bytes, size_t to, bool zeroed) {
    unsigned char *raw, *p;
    if (bytes > SIZE_MAX / 2) return NULL;
    const size_t all = bytes + to + sizeof raw;
    raw = (unsigned char *)(zeroed ? calloc(all, 1) : malloc(all));
    if (!raw) return NULL;
#ifdef MADV_HUGEPAGE /* small pages: a walk every 4 KiB; a data set is read in half the time */
    if (bytes > (size_t)1 << 22) madvise(raw + (4096 - (uintptr_t)raw % 4096), bytes - 8192, MADV_HUGEPAGE);
#endif
    p = raw + sizeof raw;
    p += (to - (uintptr_t)p % to) % to;
    memcpy(p - sizeof raw, &raw, sizeof raw);
    return p;
}
static void gtr__aligned_free(void *p) {
    unsigned char *raw;
    memcpy(&raw, (unsigned char *)p - sizeof raw, sizeof raw);
    free(raw);
}
/* Host memory for bookkeeping: zeroed, aligned to 64, through the user's allocator; the size stands
   in front of the block. */
static void *gtr__host_alloc(const gtr_desc *d, size_t bytes) {
    if (bytes > SIZE_MAX / 2) return NULL;
    const size_t all = bytes + 64;
    const gtr_allocator *by = &d->allocator;
    unsigned char *p = (unsigned char *)(by->alloc ? by->alloc(all, GTR_MEMORY_HOST, by->user)
        : gtr__aligned(all, 64, true));
    if (!p) return NULL;
    if (by->alloc) memset(p, 0, all);
    memcpy(p, &all, sizeof all);
    return p + 64;
}
static void gtr__host_free(const gtr_desc *d, void *block) {
    if (!block) return;
    unsigned char *p = (unsigned char *)block - 64;
    size_t all;
    memcpy(&all, p, sizeof all);
    if (d->allocator.alloc) d->allocator.free(p, all, GTR_MEMORY_HOST, d->allocator.user);
    else gtr__aligned_free(p);
}
static size_t gtr__rounded(size_t bytes) { return GTR__ROUND_UP(bytes, (size_t)GTR__ALIGN); }
/* NULL and GTR_ERR_NOMEM in the context when out. */
static void *gtr__malloc(gtr_context *ctx, size_t bytes) {
    void *p = gtr__host_alloc(&ctx->desc, bytes ? bytes : 1);
    if (!p) GTR__FAIL(ctx, NOMEM, "out of host memory: %zu bytes", bytes);
    return p;
}
/* n elements */
#define GTR__COPY(to, from, n) memcpy(to, from, (size_t)(n) * sizeof *(to))
#define GTR__CLEAR(to, n) memset(to, 0, (size_t)(n) * sizeof *(to))
#define GTR__NEW(ctx, type, n) ((type *)gtr__malloc(ctx, (size_t)(n) * sizeof(type)))
static void gtr__mfree(gtr_context *ctx, const void *p) { gtr__host_free(&ctx->desc, (void *)(uintptr_t)p); }
/* Room for one more of n elements of size; doubles. False when out of memory, everything as it was. */
static bool gtr__grow(gtr_context *ctx, void **array, int64_t n, int64_t *cap, size_t size) {
    if (n < *cap) return true;
    int64_t want = *cap ? *cap * 2 : 16;
    if ((uint64_t)want > SIZE_MAX / 2 / size) { GTR__FAIL(ctx, NOMEM, "out of host memory"); return false; }
    void *p = gtr__malloc(ctx, (size_t)want * size);
    if (!p) return false;
    if (n) memcpy(p, *array, (size_t)n * size);
    gtr__mfree(ctx, *array);
    *array = p;
    *cap = want;
    return true;
}
#define GTR__GROW(ctx, list, n, cap) gtr__grow(ctx, (void **)&(list), n, &(cap), sizeof *(list))
static char *gtr__strdup(gtr_context *ctx, const char *s) {
    size_t n = strlen(s) + 1;
    char *p = GTR__NEW(ctx, char, n);
    if (p) memcpy(p, s, n);
    return p;
}
static bool gtr__mul_ok(uint64_t a, uint64_t b, uint64_t *out) {
    if (a && b > UINT64_MAX / a) return false;
    *out = a * b; return true;
}

// >>shapes
static const int gtr__dtype_sizes[GTR_DTYPE_COUNT] = { sizeof(gtr_float), 2, 2, 4, 1, 8, 8 };
static const char *const gtr__dtype_names[GTR_DTYPE_COUNT] = {
    "float32", "bfloat16", "float16", "int32", "uint8", "int64", "float64" };
static size_t gtr__dtype_size(gtr_dtype d) { return (size_t)gtr__dtype_sizes[d]; }
static bool gtr__is_float(gtr_dtype d) { return d == GTR_F32 || d == GTR_BF16 || d == GTR_F16; }
/* Elements of a literal shape; of a symbolic one -k for k times the batch; INT64_MIN when the product overflows or has
   the batch squared. */
static int64_t gtr__count(const gtr_shape *s) {
    uint64_t n = 1;
    int i, neg = 0;
    for (i = 0; i < s->ndim; i++) {
        int64_t d = s->dim[i];
        if (d == INT64_MIN) return INT64_MIN;
        if (d < 0) { neg++; d = -d; }
        if (!gtr__mul_ok(n, (uint64_t)d, &n) || n > (uint64_t)INT64_MAX / 16) return INT64_MIN;
    }
    if (neg > 1) return INT64_MIN;
    return neg ? -(int64_t)n : (int64_t)n;
}
static bool gtr__shape_equal(const gtr_shape *a, const gtr_shape *b) {
    if (a->ndim != b->ndim) return false;
    for (int i = 0; i < a->ndim; i++) if (a->dim[i] != b->dim[i]) return false;
    return true;
}
/* Which dimension of n is the k-th with channels last, or, of those, logically. */
static int gtr__turned(int k, int n, bool last) {
    return !k ? 0 : last ? k < n - 1 ? k + 1 : 1 : k > 1 ? k - 1 : n - 1;
}
/* Appends to the n characters in buf, which has room for size. */
#define GTR__APPEND(buf, size, n, ...) ((n) += snprintf((buf) + (n), (size) - (size_t)(n), __VA_ARGS__))
/* "(N, 3*N, 784)" into buf; N is the batch. Returns buf. */
#define GTR__TEXT 160
static const char *gtr__shape_text(const gtr_shape *s, char *buf) {
    int n = snprintf(buf, GTR__TEXT, "(");
    for (int i = 0; i < s->ndim && n < GTR__TEXT - 24; i++) {
        const int64_t d = s->dim[i];
        const char *comma = i ? ", " : "";
        if (d == -1) GTR__APPEND(buf, GTR__TEXT, n, "%sN", comma);
        else if (d < 0) GTR__APPEND(buf, GTR__TEXT, n, "%s%llu*N", comma, 0 - (unsigned long long)d);
        else GTR__APPEND(buf, GTR__TEXT, n, "%s%lld", comma, (long long)d);
    }
    GTR__APPEND(buf, GTR__TEXT, n, s->ndim == 1 ? ",)" : ")");
    return buf;
}

// >>op-table
/* A shape function: from input shapes (literal, or symbolic with the batch negative) and attributes to output shapes
   and dtypes. It runs when the op is built and for each batch size. On failure it writes what it got and wanted to why.
   It may set flops of forward (default: one an output element; backward counts as much for each). */
typedef struct {
    const gtr__attr *attr;
    int n_in;
    gtr_shape in[GTR__MAX_ARGS];
    gtr_dtype in_dtype[GTR__MAX_ARGS];
    int n_out; /* 0: row.n_out, the first alone a tensor; else so many, each one: gtr_output */
    gtr_shape out[GTR__MAX_OUT]; /* preset to in[0]'s shape */
    gtr_dtype out_dtype[GTR__MAX_OUT]; /* preset to GTR_F32 */
    double flops;
    int training;
    char why[256];
} gtr__shape_call;
typedef struct {
    const char *name;
    int n_out, n_diff;
    gtr__class cls;
    uint32_t needs;
    uint64_t flags;
    bool has_backward;
    gtr_result (*shape)(gtr__shape_call *s);
} gtr__op_row;
/* The table itself follows the ops: gtr__rows[GTR__OP_COUNT], and gtr__row(op). */

// >>cpu-instance
typedef struct gtr__pool gtr__pool;
/* The CPU backend's instance. */
typedef struct {
    const gtr__host *host;
    gtr__pool *pool; /* NULL: the caller's thread alone */
    int threads;
    bool shares; /* the pool is another instance's */
} gtr__cpu;
/* Runs fn(arg, piece) for every piece in [0, pieces): pieces in any order, on any thread; returns when all are done. */
typedef void (*gtr__piece_fn)(void *arg, int64_t piece);
static void gtr__parallel(gtr__cpu *cpu, int64_t pieces, gtr__piece_fn fn, void *arg);

// >>threads
#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <sys/time.h>
#ifndef GPUTRAIN_NO_THREADS
#include <pthread.h>
#include <signal.h>
#endif
#endif
#ifdef _WIN32
#define GTR__PROCESS() 0L /* no fork() there */
#else
#define GTR__PROCESS() ((long)getpid())
#endif
/* Monotonic seconds. */
static double gtr__now(void) {
#ifdef _WIN32
    LARGE_INTEGER t, f;
    QueryPerformanceCounter(&t);
    QueryPerformanceFrequency(&f);
    return (double)t.QuadPart / (double)f.QuadPart;
#elif defined(CLOCK_MONOTONIC)
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#else /* a strict -std=c99 and a system header before this one: clock_gettime is hidden */
    struct timeval t;
    gettimeofday(&t, NULL);
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
#endif
}
#ifdef GPUTRAIN_NO_THREADS
typedef struct gtr__line { char none; } gtr__line;
static bool gtr__line_init(gtr__line *l) { (void)l; return true; }
static void gtr__line_free(gtr__line *l) { (void)l; }
static void gtr__line_enter(gtr__line *l) { (void)l; }
static void gtr__line_leave(gtr__line *l) { (void)l; }
static int gtr__online_cores(void) { return 1; }
static void gtr__pause(void) { }
static gtr__pool *gtr__pool_create(const gtr__host *host, int threads) { (void)host; (void)threads; return NULL; }
static void gtr__pool_destroy(gtr__pool *pool) { (void)pool; }
static void gtr__parallel(gtr__cpu *cpu, int64_t pieces, gtr__piece_fn fn, void *arg) {
    (void)cpu;
    for (int64_t i = 0; i < pieces; i++) fn(arg, i);
}
#else
/* What differs between POSIX threads and Win32: a thread, a lock with one condition. */
#ifdef _WIN32
typedef HANDLE gtr__thread;
typedef struct gtr__gate { CRITICAL_SECTION lock; CONDITION_VARIABLE changed; } gtr__gate;
static bool gtr__gate_init(gtr__gate *g) {
    InitializeCriticalSection(&g->lock); InitializeConditionVariable(&g->changed); return true;
}
static void gtr__gate_free(gtr__gate *g) { DeleteCriticalSection(&g->lock); }
static void gtr__gate_lock(gtr__gate *g) { EnterCriticalSection(&g->lock); }
static void gtr__gate_unlock(gtr__gate *g) { LeaveCriticalSection(&g->lock); }
static void gtr__gate_sleep(gtr__gate *g) { SleepConditionVariableCS(&g->changed, &g->lock, INFINITE); }
static void gtr__gate_wake(gtr__gate *g) { WakeAllConditionVariable(&g->changed); }
/* Atomics on 64 bits (aligned), all sequentially consistent. */
typedef LONGLONG gtr__word;
static uint64_t gtr__atomic_get(gtr__word *p) { return (uint64_t)InterlockedCompareExchange64(p, 0, 0); }
static uint64_t gtr__atomic_swap(gtr__word *p, uint64_t v) { return (uint64_t)InterlockedExchange64(p, (LONGLONG)v); }
static uint64_t gtr__atomic_add(gtr__word *p, uint64_t v) {
    return (uint64_t)InterlockedExchangeAdd64(p, (LONGLONG)v) + v;
}
static bool gtr__atomic_cas(gtr__word *p, uint64_t *was, uint64_t v) {
    uint64_t got = (uint64_t)InterlockedCompareExchange64(p, (LONGLONG)v, (LONGLONG)*was);
    bool done = got == *was;
    *was = got;
    return done;
}
static void gtr__pause(void) { YieldProcessor(); }
#else
typedef pthread_t gtr__thread;
typedef struct gtr__gate { pthread_mutex_t lock; pthread_cond_t changed; } gtr__gate;
static bool gtr__gate_init(gtr__gate *g) {
    if (pthread_mutex_init(&g->lock, NULL)) return false;
    if (!pthread_cond_init(&g->changed, NULL)) return true;
    pthread_mutex_destroy(&g->lock);
    return false;
}
static void gtr__gate_free(gtr__gate *g) { pthread_cond_destroy(&g->changed); pthread_mutex_destroy(&g->lock); }
static void gtr__gate_lock(gtr__gate *g) { pthread_mutex_lock(&g->lock); }
static void gtr__gate_unlock(gtr__gate *g) { pthread_mutex_unlock(&g->lock); }
static void gtr__gate_sleep(gtr__gate *g) { pthread_cond_wait(&g->changed, &g->lock); }
static void gtr__gate_wake(gtr__gate *g) { pthread_cond_broadcast(&g->changed); }
typedef uint64_t gtr__word;
static uint64_t gtr__atomic_get(gtr__word *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
static uint64_t gtr__atomic_swap(gtr__word *p, uint64_t v) { return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); }
static uint64_t gtr__atomic_add(gtr__word *p, uint64_t v) { return __atomic_add_fetch(p, v, __ATOMIC_SEQ_CST); }
static bool gtr__atomic_cas(gtr__word *p, uint64_t *was, uint64_t v) {
    return __atomic_compare_exchange_n(p, was, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
static void gtr__pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}
#endif
/* A lock that threads get in the order in which they ask: steps that follow each other shut no refresh out. */
typedef struct gtr__line { gtr__gate gate; uint64_t last, turn; } gtr__line;
static bool gtr__line_init(gtr__line *l) { return gtr__gate_init(&l->gate); }
static void gtr__line_free(gtr__line *l) { gtr__gate_free(&l->gate); }
static void gtr__line_enter(gtr__line *l) {
    gtr__gate_lock(&l->gate);
    for (const uint64_t mine = l->last++; l->turn != mine;) gtr__gate_sleep(&l->gate);
    gtr__gate_unlock(&l->gate);
}
static void gtr__line_leave(gtr__line *l) {
    gtr__gate_lock(&l->gate);
    l->turn++;
    gtr__gate_wake(&l->gate);
    gtr__gate_unlock(&l->gate);
}
/* A job's pieces are claimed from ticket: in the lower half the first that is left, in the upper the end of those left.
   The caller takes the first, workers the last: each finds what it wrote in the job before in a cache of its own. fn,
   arg and pieces change only when all pieces are done. Nobody waits for a worker that claimed nothing. */
struct gtr__pool {
    gtr__word ticket; char pad0[56];
    gtr__word done; /* pieces of this job that are finished */
    gtr__word waiting; char pad1[48]; /* the caller sleeps until done is pieces */
    gtr__word sleepers; /* workers on the gate, or on the way there */
    gtr__word stop; char pad2[48];
    gtr__word busy; /* a job is being run: another, from inside it or from another thread, runs in its caller */
    uint32_t pieces;
    gtr__piece_fn fn;
    void *arg;
    int64_t first; /* number of the job's first piece */
    gtr__gate work, end; /* where workers and the caller sleep */
    gtr__host host;
    size_t bytes;
    long process; /* that has the workers: a child of fork() has none, and locks that nobody opens */
    int workers;
    gtr__thread thread[1]; /* workers of them */
};
static bool gtr__pool_left(uint64_t ticket) { return (uint32_t)ticket != ticket >> 32; }
static uint32_t gtr__pool_work(gtr__pool *pool, bool worker) {
    uint32_t did = 0;
    uint64_t t = gtr__atomic_get(&pool->ticket);
    while (gtr__pool_left(t)) {
        if (!gtr__atomic_cas(&pool->ticket, &t, worker ? t - ((uint64_t)1 << 32) : t + 1)) continue;
        uint32_t pieces = pool->pieces; /* before the piece counts as done: after that the next job may be written */
        pool->fn(pool->arg, pool->first + (worker ? (int64_t)(t >> 32) - 1 : (int64_t)(uint32_t)t));
        did++;
        if (gtr__atomic_add(&pool->done, 1) == pieces && gtr__atomic_get(&pool->waiting)) {
            gtr__gate_lock(&pool->end);
            gtr__gate_wake(&pool->end);
            gtr__gate_unlock(&pool->end);
        }
        t = gtr__atomic_get(&pool->ticket);
    }
    return did;
}
/* Spins until there is work, for a time in seconds. */
static bool gtr__pool_spin(gtr__pool *pool, double seconds) {
    double end = gtr__now() + seconds;
    do {
        for (int i = 0; i < 16; i++) {
            if (gtr__pool_left(gtr__atomic_get(&pool->ticket)) || gtr__atomic_get(&pool->stop)) return true;
            gtr__pause();
        }
    } while (gtr__now() < end);
    return false;
}
#define GTR__SPIN_LONG  60e-6 /* longer than the gaps between a step's nodes */
#define GTR__SPIN_SHORT 4e-6
static void gtr__pool_loop(gtr__pool *pool) {
    double spin = GTR__SPIN_LONG;
    while (!gtr__atomic_get(&pool->stop)) {
        if (gtr__pool_spin(pool, spin)) {
            if (gtr__pool_work(pool, true)) spin = GTR__SPIN_LONG;
            continue;
        }
        spin = GTR__MAX(spin * 0.5, GTR__SPIN_SHORT); /* jobs are rare: do not burn the core */
        gtr__gate_lock(&pool->work);
        gtr__atomic_add(&pool->sleepers, 1);
        if (!gtr__pool_left(gtr__atomic_get(&pool->ticket)) && !gtr__atomic_get(&pool->stop))
            gtr__gate_sleep(&pool->work);
        gtr__atomic_add(&pool->sleepers, (uint64_t)-1);
        gtr__gate_unlock(&pool->work);
    }
}
#ifdef _WIN32
static DWORD WINAPI gtr__pool_main(LPVOID arg) { gtr__pool_loop((gtr__pool *)arg); return 0; }
static bool gtr__thread_start(gtr__thread *t, gtr__pool *pool) {
    *t = CreateThread(NULL, 1 << 20, gtr__pool_main, pool, 0, NULL);
    return *t != NULL;
}
static void gtr__thread_join(gtr__thread t) { WaitForSingleObject(t, INFINITE); CloseHandle(t); }
#else
static void *gtr__pool_main(void *arg) { gtr__pool_loop((gtr__pool *)arg); return NULL; }
static bool gtr__thread_start(gtr__thread *t, gtr__pool *pool) {
    pthread_attr_t attr;
#ifdef SIG_SETMASK /* a signal's handler shall run on the user's threads */
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
#endif
    bool ok = !pthread_attr_init(&attr);
    if (ok) {
        pthread_attr_setstacksize(&attr, (size_t)1 << 20); /* convolutions keep 200 KiB there; musl's default is 128 */
        ok = !pthread_create(t, &attr, gtr__pool_main, pool);
        pthread_attr_destroy(&attr);
    }
#ifdef SIG_SETMASK
    pthread_sigmask(SIG_SETMASK, &old, NULL);
#endif
    return ok;
}
static void gtr__thread_join(gtr__thread t) { pthread_join(t, NULL); }
#endif
static int gtr__online_cores(void) {
#ifdef _WIN32
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return (int)info.dwNumberOfProcessors;
#else
    long n = 0;
#if defined(__linux__)
    /* sched_getaffinity is hidden from a strict -std=c99; the kernel also writes the mask as text: count its bits */
    char line[1024];
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f)) {
        const char *s = line + 13;
        if (strncmp(line, "Cpus_allowed:", 13)) continue;
        for (; *s; s++) {
            int d = *s >= '0' && *s <= '9' ? *s - '0' : *s >= 'a' && *s <= 'f' ? *s - 'a' + 10 : 0;
            n += (d & 1) + (d >> 1 & 1) + (d >> 2 & 1) + (d >> 3 & 1);
        }
        break;
    }
    if (f) fclose(f);
    /* a container's share of the machine: microseconds of all cores in a period, or "max" */
    f = fopen("/sys/fs/cgroup/cpu.max", "r");
    if (f) {
        long quota, period;
        if (fscanf(f, "%ld %ld", &quota, &period) == 2 && period > 0) {
            const long share = (quota + period - 1) / period;
            if (share > 0 && share < n) n = share;
        }
        fclose(f);
    }
#endif
#ifdef _SC_NPROCESSORS_ONLN
    { long online = sysconf(_SC_NPROCESSORS_ONLN); if (n < 1 || (online > 0 && online < n)) n = online; }
#elif defined(__APPLE__)
    n = sysconf(58); /* _SC_NPROCESSORS_ONLN, hidden by _POSIX_C_SOURCE */
#endif
    return n < 1 ? 1 : n > 1024 ? 1024 : (int)n;
#endif
}
static void gtr__pool_destroy(gtr__pool *pool) {
    if (!pool) return;
    if (pool->process == GTR__PROCESS()) {
        gtr__gate_lock(&pool->work);
        gtr__atomic_swap(&pool->stop, 1);
        gtr__gate_wake(&pool->work);
        gtr__gate_unlock(&pool->work);
        for (int i = 0; i < pool->workers; i++) gtr__thread_join(pool->thread[i]);
        gtr__gate_free(&pool->work);
        gtr__gate_free(&pool->end);
    }
    gtr__host host = pool->host;
    host.free(host.user, pool, pool->bytes);
}
/* A pool for threads threads, the caller's included. NULL, for gtr__parallel 'the caller alone', if that is one, or
   when memory or threads are out. */
static gtr__pool *gtr__pool_create(const gtr__host *host, int threads) {
    gtr__pool *pool;
    if (threads < 2) return NULL;
    size_t bytes = sizeof *pool + (size_t)threads * sizeof(gtr__thread);
    pool = (gtr__pool *)host->alloc(host->user, bytes);
    if (!pool) return NULL;
    memset(pool, 0, bytes);
    pool->host = *host;
    pool->bytes = bytes;
    pool->process = GTR__PROCESS();
    if (!gtr__gate_init(&pool->work)) { host->free(host->user, pool, bytes); return NULL; }
    if (!gtr__gate_init(&pool->end)) { gtr__gate_free(&pool->work); host->free(host->user, pool, bytes); return NULL; }
    while (pool->workers < threads - 1 && gtr__thread_start(&pool->thread[pool->workers], pool)) pool->workers++;
    if (!pool->workers) { gtr__pool_destroy(pool); return NULL; }
    return pool;
}
/* Waits for the pieces that workers have claimed. Sleeps soon: on a crowded machine a worker, put aside in the middle
   of its piece, needs this thread's core. */
static void gtr__pool_finish(gtr__pool *pool, uint32_t pieces) {
    double end = 0;
    for (;;) {
        for (int i = 0; i < 64; i++) {
            if (gtr__atomic_get(&pool->done) == pieces) return;
            gtr__pause();
        }
        if (end == 0) end = gtr__now() + GTR__SPIN_LONG;
        else if (gtr__now() > end) break;
    }
    gtr__gate_lock(&pool->end);
    gtr__atomic_swap(&pool->waiting, 1);
    while (gtr__atomic_get(&pool->done) != pieces) gtr__gate_sleep(&pool->end);
    gtr__atomic_swap(&pool->waiting, 0);
    gtr__gate_unlock(&pool->end);
}
static void gtr__parallel(gtr__cpu *cpu, int64_t pieces, gtr__piece_fn fn, void *arg) {
    gtr__pool *pool = cpu->pool;
    const int64_t most = (int64_t)1 << 30;
    if (!pool || pieces < 2 || gtr__atomic_swap(&pool->busy, 1)) {
        for (int64_t i = 0; i < pieces; i++) fn(arg, i);
        return;
    }
    for (int64_t first = 0; first < pieces; first += most) {
        pool->fn = fn;
        pool->arg = arg;
        pool->first = first;
        pool->pieces = (uint32_t)GTR__MIN(pieces - first, most);
        gtr__atomic_swap(&pool->done, 0);
        gtr__atomic_swap(&pool->ticket, (uint64_t)pool->pieces << 32);
        /* Without the lock, which a worker whose core is busy may hold: one about to sleep may miss it and the job. */
        if (gtr__atomic_get(&pool->sleepers)) gtr__gate_wake(&pool->work);
        gtr__pool_work(pool, false);
        gtr__pool_finish(pool, pool->pieces);
    }
    gtr__atomic_swap(&pool->busy, 0);
}
#endif

// >>vmath
/* exp, log, tanh, erf, log1p, expm1, pow, sin and cos of floats, from arithmetic, casts of bits and selections alone,
   so that compilers make vectors of the loops that they stand in. Every product that a sum follows is a GTR__FMA: an
   element's bits are the same in a vector and alone. NaN, infinities, zeros and subnormals are as in libm. Most errors
   in ulp, over all floats (make campaign-floats), with fast FMA / without: exp 1.04 / 1.01, log 0.94 / 0.96, tanh 1.91
   / 1.95, erf 1.82 / 2.04; sigmoid's formula 2.49; over every 101st: log1p 1.47 / 1.65, expm1 1.53 / 1.61, sin and cos
   1.49; pow, of eight million pairs, 1.02 / 0.98. */
static uint32_t gtr__float_bits(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
static float gtr__bits_float(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
#if defined(__GNUC__) || defined(__clang__)
#define GTR__INLINE static inline __attribute__((always_inline))
#else
#define GTR__INLINE static inline
#endif
#ifndef GPUTRAIN_DOUBLE
#if defined(__FMA__) || defined(__FP_FAST_FMAF) || (defined(__clang__) && defined(__aarch64__))
#define GTR__FMA(a, b, c) __builtin_fmaf(a, b, c)
#define GTR__FMA_64(a, b, c) __builtin_fma(a, b, c)
#else
#define GTR__FMA(a, b, c) ((a) * (b) + (c))
#define GTR__FMA_64(a, b, c) ((a) * (b) + (c))
#endif
#define GTR__HORNER(x, c) p = GTR__FMA(p, x, c);
/* yes ? a : b, no branch. */
GTR__INLINE float gtr__select(int yes, float a, float b) {
    const uint32_t m = 0u - (uint32_t)yes;
    return gtr__bits_float((gtr__float_bits(a) & m) | (gtr__float_bits(b) & ~m));
}
GTR__INLINE float gtr__pow2(int32_t n) { return gtr__bits_float((uint32_t)(n + 127) << 23); }
/* exp(r) - 1 and n <= 128: x = n ln 2 + r, |r| <= ln 2 / 2 (Cody and Waite's range reduction); minimax polynomial to
   (exp(r) - 1 - r) / r^2. */
GTR__INLINE float gtr__exp_reduced(float x, int32_t *n) {
    const float z = GTR__FMA(x, 1.44269504f, 12582912.0f); /* + 1.5 2^23: the last bits are an integer */
    const int32_t k = (int32_t)(gtr__float_bits(z) - 0x4b400000u), m = k < 128 ? k : 128;
    const float r = GTR__FMA((float)m, -GTR__LN2_LO, GTR__FMA((float)m, -GTR__LN2_HI, x));
    float p = GTR__FMA(1.383583993e-3f, r, 8.367118426e-3f);
    GTR__HORNER(r, 4.166775569e-2f) GTR__HORNER(r, 1.666653901e-1f) GTR__HORNER(r, 4.999999702e-1f)
    *n = m;
    return GTR__FMA(p, r * r, r);
}
GTR__INLINE float gtr__expf(float x) {
    int32_t n;
    const float p = gtr__exp_reduced(gtr__select(x < -104.0f, -104.0f, x), &n) + 1.0f;
    return p * gtr__pow2(n >> 1) * gtr__pow2(n - (n >> 1)); /* 2^n alone may be subnormal or too large */
}
/* (1 - e) / (1 + e), e = exp(-2|x|); from 10 on it is 1. */
GTR__INLINE float gtr__tanhf(float x) {
    const uint32_t u = gtr__float_bits(x), sign = u & 0x80000000u;
    const float a = gtr__bits_float(u ^ sign);
    int32_t n;
    const float p = gtr__exp_reduced(-2.0f * gtr__select(a > 10.0f, 10.0f, a), &n), s = gtr__pow2(n);
    return gtr__bits_float(gtr__float_bits(GTR__FMA(-s, p, 1.0f - s) / GTR__FMA(s, p, 1.0f + s)) | sign);
}
/* 1 - exp(-a - a g(a)), a = |x|: g is a minimax polynomial to -log(1 - erf(a)) / a - 1; from 3.95 on it is 1. */
GTR__INLINE float gtr__erff(float x) {
    const uint32_t u = gtr__float_bits(x), sign = u & 0x80000000u;
    const float b = gtr__bits_float(u ^ sign), a = gtr__select(b > 3.95f, 3.95f, b);
    int32_t n;
    float p = GTR__FMA(-9.387179489e-6f, a, 1.188559836e-4f);
    GTR__HORNER(a, -6.373494980e-4f) GTR__HORNER(a, 1.675659325e-3f) GTR__HORNER(a, -1.694946695e-4f)
    GTR__HORNER(a, -1.914782450e-2f) GTR__HORNER(a, 1.027763039e-1f) GTR__HORNER(a, 6.366195679e-1f)
    GTR__HORNER(a, 1.283791661e-1f)
    p = gtr__exp_reduced(GTR__FMA(-a, p, -a), &n);
    const float s = gtr__pow2(n);
    return gtr__bits_float(gtr__float_bits(GTR__FMA(-s, p, 1.0f - s)) | sign);
}
GTR__INLINE float gtr__log_reduced(float f, float n) { GTR__LOG_REDUCED(GTR__FMA) }
GTR__INLINE float gtr__logf(float x) {
    const uint32_t w = gtr__float_bits(x);
    const int32_t up = 23 * (int32_t)((w - 0x800000u) >> 31); /* subnormals are scaled */
    const uint32_t u = gtr__float_bits(x * gtr__pow2(up)), k = (u - 0x3f2aaaabu) & 0xff800000u; /* u - k: [2/3, 4/3) */
    float y = gtr__log_reduced(gtr__bits_float(u - k) - 1.0f, (float)((int32_t)k / 8388608 - up));
    y = gtr__select(w < 0x7f800000u, y, x);
    y = gtr__select(w > 0x80000000u, gtr__bits_float(0x7fc00000u), y);
    return gtr__select(w << 1 == 0, gtr__bits_float(0xff800000u), y);
}
/* 2^(y log2|x|), whose exponent t is a double: |x| = m 2^n, log2 m = s g(s^2), s = (m - 1) / (m + 1), g a minimax
   polynomial. Special values are C's; y of 2^24 and more, and infinity, are even. */
GTR__INLINE float gtr__powf(float x, float y) {
    const uint32_t w = gtr__float_bits(x), v = w & 0x7fffffffu, b = gtr__float_bits(y) & 0x7fffffffu, inf = 0x7f800000u;
    const int32_t up = 23 * (v < 0x800000u);
    const uint32_t u = gtr__float_bits(gtr__bits_float(v) * gtr__pow2(up)), k = (u - 0x3f2aaaabu) & 0xff800000u;
    const double m = (double)gtr__bits_float(u - k), s = (m - 1) / (m + 1), z = s * s;
    double p = GTR__FMA_64(0.3483732113232547, z, 0.41120785706713625);
    p = GTR__FMA_64(GTR__FMA_64(p, z, 0.577092307415859), z, 0.9617966220347844);
    p = GTR__FMA_64(p, z, 2.885390081835691);
    const double t = GTR__FMA_64(p, s, (double)((int32_t)k / 8388608 - up)) * (double)y;
    const float a = (float)t, e = gtr__select(a > -160.0f, gtr__select(a < 160.0f, a, 160.0f), -160.0f);
    const int32_t n = (int32_t)(gtr__float_bits(e + 12582912.0f) - 0x4b400000u);
    int32_t i;
    float r = gtr__select(a == e, (float)((t - (double)n) * 0.69314718055994531), 0);
    r = gtr__exp_reduced(r, &i) + 1.0f;
    i += n;
    r = r * gtr__pow2(i >> 1) * gtr__pow2(i - (i >> 1));
    const float c = gtr__select(b < 0x4b800000u, gtr__bits_float(b), 16777216.0f);
    const int32_t whole = (int32_t)c, broken = (float)whole != c;
    r = gtr__select((v - 1 < inf - 1) | (b == 0), r, gtr__bits_float((0u - (uint32_t)((v == 0) == (y < 0))) & inf));
    r = gtr__select(v == 0x3f800000u, 1.0f, r);
    r = gtr__bits_float(gtr__float_bits(r) | ((uint32_t)(whole & ~broken) << 31 & w));
    return gtr__select((((v > inf) | (b > inf)) & (b != 0) & (w != 0x3f800000u))
        | (broken & (w - 0x80000001u < inf - 1)), gtr__bits_float(0x7fc00000u), r);
}
/* 1 + x = (1 + f) 2^n; f comes of x itself, not of the rounded sum. */
GTR__INLINE float gtr__log1pf(float x) {
    const uint32_t u = gtr__float_bits(x), w = gtr__float_bits(1.0f + x), k = (w - 0x3f2aaaabu) & 0xff800000u;
    const int32_t n = (int32_t)k / 8388608, m = n < 64 ? n : 64;
    float y = gtr__log_reduced(gtr__select(n != 0, gtr__bits_float(u - k) + (gtr__pow2(-m) - 1.0f), x), (float)n);
    y = gtr__select((w < 0x7f800000u) & (u << 1 != 0), y, x);
    y = gtr__select(w > 0x80000000u, gtr__bits_float(0x7fc00000u), y);
    return gtr__select(w << 1 == 0, gtr__bits_float(0xff800000u), y);
}
GTR__INLINE float gtr__expm1f(float x) {
    int32_t n;
    const float p = gtr__exp_reduced(gtr__select(x < -25.0f, -25.0f, x), &n);
    const int32_t over = n > 127;
    const float s = gtr__pow2(n - over);
    return gtr__select(x == 0, x, GTR__FMA(s, p, s - 1.0f) * (float)(1 + over));
}
/* sin, or with cosine 1 cos: |x| = (n + r) pi / 2, |r| <= 1/2, by integers (Payne and Hanek, 1983): the mantissa times
   the 96 bits of 2 / pi from the first on of which a bit of n mod 4 comes; r is good to 2^-37 of the least there is. */
GTR__INLINE float gtr__sincosf(float x, uint32_t cosine) {
    static const uint32_t bits[8] = { 0, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u,
        0xfe5163abu };
    const uint32_t u = gtr__float_bits(x) & 0x7fffffffu, e = u >> 23, s = GTR__CLIP(e, 126u, 254u) - 120u;
    const uint32_t i = s >> 5, t = s & 31, m = (u & 0x7fffffu) | 0x800000u;
    const uint32_t w0 = bits[i] << t | bits[i + 1] >> 1 >> (31 - t),
        w1 = bits[i + 1] << t | bits[i + 2] >> 1 >> (31 - t), w2 = bits[i + 2] << t | bits[i + 3] >> 1 >> (31 - t);
    const uint64_t p = ((uint64_t)(m * w0) << 32) + (uint64_t)m * w1 + ((uint64_t)m * w2 >> 32);
    const uint32_t below = 0u - (uint32_t)(u < 0x3f000000u), n = ((uint32_t)(p >> 61) + 1) >> 1;
    const int64_t r = (int64_t)(p - ((uint64_t)n << 62));
    const double d = (double)(int32_t)(r >> 32) * 4294967296.0 + (double)((int32_t)((uint32_t)r >> 1)) * 2;
    const float f = gtr__select((int)(below & 1), gtr__bits_float(u), (float)(d * 3.4061215800865545e-19));
    const uint32_t q = (n & ~below) + cosine,
        sign = (q << 30 ^ (gtr__float_bits(x) & (cosine - 1))) & 0x80000000u; /* cos is even */
    const float z = f * f;
    float c = GTR__FMA(2.44331571e-5f, z, -1.38873163e-3f), p3 = GTR__FMA(2.71831149e-6f, z, -1.98393348e-4f);
    c = GTR__FMA(c, z, 4.16666456e-2f);
    c = GTR__FMA(c, z, -0.5f);
    p3 = GTR__FMA(p3, z, 8.33333138e-3f);
    p3 = GTR__FMA(p3, z, -1.66666667e-1f);
    const float y = gtr__select((int)(q & 1), GTR__FMA(c, z, 1.0f), GTR__FMA(p3 * z, f, f));
    return gtr__select(u < 0x7f800000u, gtr__bits_float(gtr__float_bits(y) ^ sign), x - x);
}
#endif

// >>products
/* Vectors of VL elements, register tiles of MR rows by two vectors: what registers hold beside three for operands. */
#if defined(__AVX512F__) && !defined(GPUTRAIN_DOUBLE)
#include <immintrin.h>
#define GTR__VL 16
#define GTR__MR 14
#define GTR__TILES(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14)
typedef __m512 gtr__v;
#define GTR__X86(name) _mm512_##name##_ps
#define GTR__V_SET(p) _mm512_set1_ps(*(p))
/* Where a form without a mask draws a false warning from g++ 12, one with all of it stands. */
#define GTR__V_ALL ((__mmask16)0xffff)
#define GTR__V_SQRT(a) _mm512_maskz_sqrt_ps(GTR__V_ALL, a)
#define GTR__V_MAX(a, b) _mm512_maskz_max_ps(GTR__V_ALL, a, b)
#define GTR__V_HALF(v, i) _mm256_castpd_ps(_mm512_maskz_extractf64x4_pd((__mmask8)15, _mm512_castps_pd(v), i))
#define GTR__V_256(v) _mm256_add_ps(GTR__V_HALF(v, 0), GTR__V_HALF(v, 1))
/* Four elements of each of VL/4 rows that are 4 s apart, a row a lane. */
#define GTR__V_LANES(p, s) \
    _mm512_insertf32x4(_mm512_insertf32x4(_mm512_insertf32x4(_mm512_castps128_ps512(_mm_loadu_ps(p)), \
        _mm_loadu_ps((p) + 4 * (s)), 1), _mm_loadu_ps((p) + 8 * (s)), 2), _mm_loadu_ps((p) + 12 * (s)), 3)
#define GTR__V_LO(a, b) _mm512_maskz_unpacklo_ps(GTR__V_ALL, a, b)
#define GTR__V_HI(a, b) _mm512_maskz_unpackhi_ps(GTR__V_ALL, a, b)
#define GTR__V_PD2(f, a, b) _mm512_castpd_ps(f((__mmask8)0xff, _mm512_castps_pd(a), _mm512_castps_pd(b)))
#define GTR__V_LO2(a, b) GTR__V_PD2(_mm512_maskz_unpacklo_pd, a, b)
#define GTR__V_HI2(a, b) GTR__V_PD2(_mm512_maskz_unpackhi_pd, a, b)
#elif defined(__AVX2__) && (defined(__FMA__) || defined(_MSC_VER)) && !defined(GPUTRAIN_DOUBLE)
#include <immintrin.h>
#define GTR__VL 8
#define GTR__MR 6
#define GTR__TILES(X) X(1) X(2) X(3) X(4) X(5) X(6)
typedef __m256 gtr__v;
#define GTR__X86(name) _mm256_##name##_ps
#define GTR__V_SET(p) _mm256_broadcast_ss(p)
#define GTR__V_SQRT(a) _mm256_sqrt_ps(a)
#define GTR__V_MAX(a, b) _mm256_max_ps(a, b)
#define GTR__V_256(v) (v)
#define GTR__V_LANES(p, s) _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps((p) + 4 * (s)), 1)
#define GTR__V_LO(a, b) _mm256_unpacklo_ps(a, b)
#define GTR__V_HI(a, b) _mm256_unpackhi_ps(a, b)
#define GTR__V_LO2(a, b) _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
#define GTR__V_HI2(a, b) _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
#elif defined(__ARM_NEON) && defined(__aarch64__) && !defined(GPUTRAIN_DOUBLE)
#include <arm_neon.h>
#define GTR__VL 4
#define GTR__MR 12
#define GTR__TILES(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)
typedef float32x4_t gtr__v;
#define GTR__V_ZERO vdupq_n_f32(0)
#define GTR__V_LOAD(p) vld1q_f32(p)
#define GTR__V_STORE(p, v) vst1q_f32(p, v)
#define GTR__V_SET(p) vld1q_dup_f32(p)
#define GTR__V_FMA(a, b, c) vfmaq_f32(c, a, b)
#define GTR__V_SQRT(a) vsqrtq_f32(a)
#define GTR__V_LANES(p, s) vld1q_f32(p)
#define GTR__V_LO(a, b) vzip1q_f32(a, b)
#define GTR__V_HI(a, b) vzip2q_f32(a, b)
#define GTR__V_LO2(a, b) vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)))
#define GTR__V_HI2(a, b) vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)))
#elif defined(__GNUC__) || defined(__clang__)
/* Sixteen bytes by the compiler's own vectors: SSE2, POWER, WebAssembly, and double. */
typedef gtr_float gtr__v __attribute__((vector_size(16)));
typedef gtr_float gtr__v_any __attribute__((vector_size(16), aligned(sizeof(gtr_float)), may_alias));
#define GTR__VL ((int)(16 / sizeof(gtr_float)))
#define GTR__MR 4
#define GTR__TILES(X) X(1) X(2) X(3) X(4)
#define GTR__V_ZERO (gtr__v_zero)
#define GTR__V_LOAD(p) (*(const gtr__v_any *)(p))
#define GTR__V_STORE(p, v) (*(gtr__v_any *)(p) = (v))
#define GTR__V_SET(p) (*(p) - gtr__v_zero)
#if defined(__SSE2__) && !defined(GPUTRAIN_DOUBLE)
#include <emmintrin.h>
#define GTR__V_SQRT(a) _mm_sqrt_ps(a)
#endif
static const gtr__v gtr__v_zero = { 0 };
#else
#define GTR__VL 1
#define GTR__MR 4
#define GTR__TILES(X) X(1) X(2) X(3) X(4)
typedef gtr_float gtr__v;
#define GTR__V_ZERO ((gtr_float)0)
#define GTR__V_LOAD(p) (*(p))
#define GTR__V_STORE(p, v) (*(p) = (v))
#define GTR__V_SET(p) (*(p))
#endif
#ifdef GTR__X86
#define GTR__V_ZERO GTR__X86(setzero)()
#define GTR__V_LOAD(p) GTR__X86(loadu)(p)
#define GTR__V_STORE(p, v) GTR__X86(storeu)(p, v)
#define GTR__V_ADD(a, b) GTR__X86(add)(a, b)
#define GTR__V_MUL(a, b) GTR__X86(mul)(a, b)
#define GTR__V_DIV(a, b) GTR__X86(div)(a, b)
#define GTR__V_FMA(a, b, c) GTR__X86(fmadd)(a, b, c)
#else
#define GTR__V_ADD(a, b) ((a) + (b))
#define GTR__V_MUL(a, b) ((a) * (b))
#define GTR__V_DIV(a, b) ((a) / (b))
#endif
#ifndef GTR__V_FMA
#define GTR__V_FMA(a, b, c) ((a) * (b) + (c))
#endif
#define GTR__NR (2 * GTR__VL)
/* Element by element, x of a and y of b. */
#define GTR__V_EACH(name, formula) static gtr__v name(gtr__v a, gtr__v b) { \
    gtr_float e[GTR__VL], f[GTR__VL]; \
    GTR__V_STORE(e, a); \
    GTR__V_STORE(f, b); \
    for (int i = 0; i < GTR__VL; i++) { const gtr_float x = e[i], y = f[i]; (void)y; e[i] = formula; } \
    return GTR__V_LOAD(e); }
#ifndef GTR__V_SQRT
GTR__V_EACH(gtr__v_sqrt, GTR__SQRTF(x))
#define GTR__V_SQRT(a) gtr__v_sqrt(a, a)
#endif
#define GTR__LARGER(a, b) ((a) > (b) ? (a) : (b))
#ifndef GTR__V_MAX
GTR__V_EACH(gtr__v_max, GTR__LARGER(x, y))
#define GTR__V_MAX(a, b) gtr__v_max(a, b)
#endif
static gtr_float gtr__v_sum(gtr__v v) {
#ifdef GTR__V_256
    const __m256 h = GTR__V_256(v);
    __m128 q = _mm_add_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
    q = _mm_add_ps(q, _mm_movehl_ps(q, q));
    return _mm_cvtss_f32(_mm_add_ss(q, _mm_shuffle_ps(q, q, 1)));
#else
    gtr_float e[GTR__VL], sum = 0;
    GTR__V_STORE(e, v);
    for (int i = 0; i < GTR__VL; i++) sum += e[i];
    return sum;
#endif
}
#if defined(__GNUC__)
#define GTR__PREFETCH(p, write) __builtin_prefetch(p, write)
#else
#define GTR__PREFETCH(p, write) ((void)(p))
#endif
/* Compilers must not fear that the arrays of an element-wise loop overlap: they are the same or apart. */
#if defined(__clang__)
#define GTR__IVDEP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define GTR__IVDEP _Pragma("GCC ivdep")
#elif defined(_MSC_VER)
#define GTR__IVDEP __pragma(loop(ivdep))
#else
#define GTR__IVDEP
#endif
#define GTR__FORMULA_FUNCTION(name, body) GTR__INLINE gtr_float gtr__##name(gtr_float x) body
GTR__FORMULA_FUNCTIONS(GTR__FORMULA_FUNCTION)
/* The loops of each formula of GTR__UNARY over the whole vectors of n elements: gcc -O2 makes vectors only where
   nothing is left over. Outputs may lie on inputs of the same call. */
#define GTR__BACKWARD_ARGS gtr_float a, gtr_float b, const gtr_float *dys, const gtr_float *xs, const gtr_float *ys, \
    gtr_float *dxs, int64_t n, int add
#define GTR__BACKWARD_IN const gtr_float dy = dys[i], x = xs[i], y = ys[i]; (void)dy; (void)x; (void)y;
#define GTR__UNARY_LOOPS(ID, name, forward, backward) \
static void gtr__unary_##name##_forward(gtr_float a, gtr_float b, const gtr_float *xs, gtr_float *ys, int64_t n) \
{ \
    int64_t i; \
    (void)a; (void)b; \
    n &= -GTR__VL; \
    GTR__IVDEP \
    for (i = 0; i < n; i++) { const gtr_float x = xs[i]; ys[i] = forward; } \
} \
static void gtr__unary_##name##_backward(GTR__BACKWARD_ARGS) \
{ \
    int64_t i; \
    (void)a; (void)b; \
    n &= -GTR__VL; \
    if (add) { \
        GTR__IVDEP \
        for (i = 0; i < n; i++) { GTR__BACKWARD_IN dxs[i] += backward; } \
    } else { \
        GTR__IVDEP \
        for (i = 0; i < n; i++) { GTR__BACKWARD_IN dxs[i] = backward; } \
    } \
}
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed" /* loops that call libm stay scalar */
#endif
GTR__UNARY(GTR__UNARY_LOOPS)
#ifdef __clang__
#pragma clang diagnostic pop
#endif
/* Forward: y = f(x), y may be x. Backward: dx = or (add) += f'(x) dy, dx may be dy; x and y are addresses that may be
   read in any case, values only where the op's needs name them. */
typedef struct {
    int op;
    void (*forward)(gtr_float a, gtr_float b, const gtr_float *x, gtr_float *y, int64_t n);
    void (*backward)(GTR__BACKWARD_ARGS);
} gtr__unary_row;
#define GTR__UNARY_KERNELS(ID, name, ...) { GTR__OP_##ID, gtr__unary_##name##_forward, gtr__unary_##name##_backward },
static const gtr__unary_row gtr__unary_rows[] = { GTR__UNARY(GTR__UNARY_KERNELS) };
/* NULL for an op that is not in GTR__UNARY. */
static const gtr__unary_row *gtr__unary_find(int op) {
    for (size_t i = 0; i < GTR__LENGTH(gtr__unary_rows); i++)
        if (gtr__unary_rows[i].op == op) return &gtr__unary_rows[i];
    return NULL;
}
/* out = f(x) or, from dy, its backward, of any n elements. What whole vectors leave over goes through the same loop in
   a vector of its own: a value's bits depend neither on its place in an array nor on the array's length. */
static void gtr__unary_apply(const gtr__unary_row *row, gtr_float a, gtr_float b, const gtr_float *dy,
        const gtr_float *x, const gtr_float *y, gtr_float *out, int64_t n, int add) {
    const int64_t whole = n & -GTR__VL;
    const size_t rest = (size_t)(n - whole) * sizeof *x;
    const gtr_float *from[4] = { x, dy, y, add ? out : NULL };
    gtr_float t[4][GTR__VL];
    if (dy) row->backward(a, b, dy, x, y, out, whole, add);
    else row->forward(a, b, x, out, whole);
    if (!rest) return;
    memset(t, 0, sizeof t);
    for (int k = 0; k < 4; k++) if (from[k]) memcpy(t[k], from[k] + whole, rest);
    gtr__unary_apply(row, a, b, dy ? t[1] : NULL, t[0], t[2], t[3], GTR__VL, add);
    memcpy(out + whole, t[3], rest);
}
/* Rows of a register tile: X(row, g, o), row = g + o. Addresses are pointer g plus 0, 1 or 2 strides,
   which x86 has modes for. */
#define GTR__ROWS_1(X) X(0, 0, 0)
#define GTR__ROWS_2(X) GTR__ROWS_1(X)  X(1, 0, 1)
#define GTR__ROWS_3(X) GTR__ROWS_2(X)  X(2, 0, 2)
#define GTR__ROWS_4(X) GTR__ROWS_3(X)  X(3, 3, 0)
#define GTR__ROWS_5(X) GTR__ROWS_4(X)  X(4, 3, 1)
#define GTR__ROWS_6(X) GTR__ROWS_5(X)  X(5, 3, 2)
#define GTR__ROWS_7(X) GTR__ROWS_6(X)  X(6, 6, 0)
#define GTR__ROWS_8(X) GTR__ROWS_7(X)  X(7, 6, 1)
#define GTR__ROWS_9(X) GTR__ROWS_8(X)  X(8, 6, 2)
#define GTR__ROWS_10(X) GTR__ROWS_9(X)  X(9, 9, 0)
#define GTR__ROWS_11(X) GTR__ROWS_10(X) X(10, 9, 1)
#define GTR__ROWS_12(X) GTR__ROWS_11(X) X(11, 9, 2)
#define GTR__ROWS_13(X) GTR__ROWS_12(X) X(12, 12, 0)
#define GTR__ROWS_14(X) GTR__ROWS_13(X) X(13, 12, 1)
#define GTR__BASE_0(g) const gtr_float *a##g = a + (g) * rs;
#define GTR__BASE_1(g)
#define GTR__BASE_2(g)
#define GTR__NEXT_0(g) a##g += next;
#define GTR__NEXT_1(g)
#define GTR__NEXT_2(g)
#define GTR__ROW_BASE(i, g, o)  GTR__BASE_##o(g)
#define GTR__ROW_NEXT(i, g, o)  GTR__NEXT_##o(g)
#define GTR__ROW_ZERO1(i, g, o) gtr__v c##i = GTR__V_ZERO;
#define GTR__ROW_ZERO2(i, g, o) GTR__ROW_ZERO1(i, g, o) gtr__v d##i = GTR__V_ZERO;
#define GTR__ROW_STEP1(i, g, o) x = GTR__V_SET(a##g + (o) * rs); c##i = GTR__V_FMA(x, b0, c##i);
#define GTR__ROW_STEP2(i, g, o) GTR__ROW_STEP1(i, g, o) d##i = GTR__V_FMA(x, b1, d##i);
#define GTR__ROW_FROM1(i, g, o) c##i = GTR__V_ADD(c##i, GTR__V_LOAD(from + (i) * fs));
#define GTR__ROW_FROM2(i, g, o) GTR__ROW_FROM1(i, g, o) d##i = GTR__V_ADD(d##i, GTR__V_LOAD(from + (i) * fs + GTR__VL));
#define GTR__ROW_BIAS1(i, g, o) c##i = GTR__V_ADD(c##i, b0);
#define GTR__ROW_BIAS2(i, g, o) GTR__ROW_BIAS1(i, g, o) d##i = GTR__V_ADD(d##i, b1);
#define GTR__ROW_STORE1(i, g, o) GTR__V_STORE(c + (i) * cs, c##i);
#define GTR__ROW_STORE2(i, g, o) GTR__ROW_STORE1(i, g, o) GTR__V_STORE(c + (i) * cs + GTR__VL, d##i);
/* c (rows, 1 or 2 vectors) = a b + from + bias; from and bias may be NULL, from may be c. The k loop is bound by FMAs:
   28 against 16 loads. Rows of a are as apart, columns 1 (by_row), or the other way about (by_col), unpacked; k is a
   multiple of run, and skip elements more lie between a run of columns and the next. */
#define GTR__TILE_ARGS int64_t k, int64_t run, int64_t skip, const gtr_float *a, int64_t as, \
    const gtr_float *b, int64_t bs, \
    const gtr_float *from, int64_t fs, const gtr_float *bias, gtr_float *c, int64_t cs
typedef void (*gtr__tile_fn)(GTR__TILE_ARGS);
#define GTR__TILE_B1(p) const gtr__v b0 = GTR__V_LOAD(p);
#define GTR__TILE_B2(p) const gtr__v b0 = GTR__V_LOAD(p), b1 = GTR__V_LOAD((p) + GTR__VL);
#define GTR__TILE(R, V, by, row_step, col_step) \
static void gtr__tile##V##_by_##by##_##R(GTR__TILE_ARGS) { \
    const int64_t rs = row_step; \
    gtr__v x; \
    GTR__ROWS_##R(GTR__ROW_BASE) GTR__ROWS_##R(GTR__ROW_ZERO##V) \
    for (; k > 0; k -= run) { \
        int64_t next = col_step; \
        for (int64_t l = run; l > 0; l--) { \
            GTR__TILE_B##V(b) \
            b += bs; \
            GTR__ROWS_##R(GTR__ROW_STEP##V) GTR__ROWS_##R(GTR__ROW_NEXT) \
        } \
        next = skip; \
        GTR__ROWS_##R(GTR__ROW_NEXT) \
    } \
    if (from) { GTR__ROWS_##R(GTR__ROW_FROM##V) } \
    if (bias) { GTR__TILE_B##V(bias) GTR__ROWS_##R(GTR__ROW_BIAS##V) } \
    GTR__ROWS_##R(GTR__ROW_STORE##V) \
    (void)as; \
}
#define GTR__TILES_OF(R) GTR__TILE(R, 1, row, as, 1) GTR__TILE(R, 2, row, as, 1) \
    GTR__TILE(R, 1, col, 1, as) GTR__TILE(R, 2, col, 1, as)
GTR__TILES(GTR__TILES_OF)
#define GTR__TILE_ROW(R) { { gtr__tile1_by_row_##R, gtr__tile2_by_row_##R }, \
    { gtr__tile1_by_col_##R, gtr__tile2_by_col_##R } },
/* [rows - 1][by column][vectors - 1] */
static const gtr__tile_fn gtr__tile_table[GTR__MR][2][2] = { GTR__TILES(GTR__TILE_ROW) };
/* Products C = A B of m x k and k x n, and what is done with C on the way to memory. A[i][l] = a[i*ars + l*acs],
   B[l][j] = b[l*brs + j*bcs]; of either's strides one is 1 (acs is 0 where a row of A is all one number). C is
   row-major. The cut into pieces, blocks of k and parts of a sum depends on shapes alone. */
typedef struct {
    int64_t m, n, k;
    const gtr_float *a, *b;
    int64_t ars, acs, brs, bcs;
    int64_t run, skip; /* A's columns are runs of so many, skip elements more apart; run 0: one run */
    gtr_float *c;
    int64_t ldc;
    int add; /* add to what is in c */
    int64_t items, inner; /* so many products; item i lies at i / inner * outer + i % inner * item: */
    int64_t a_item, b_item, c_item, a_outer, b_outer, c_outer;
    int64_t sums; /* or their sum of so many, in this order */
    /* epilogue: bias (n), or row_bias (m); then, unless NULL, to (shape of c, or c) gets an activation of it, or its
       gradient of c and what it saved, and more is added, piece by piece, in a near cache */
    const gtr_float *bias, *row_bias;
    const gtr__unary_row *act;
    gtr_float act_a, act_b, *to;
    const gtr_float *saved, *more;
    /* the cut */
    int64_t rows, cols; /* of a block of C: a piece */
    int64_t row_blocks, col_blocks;
    int64_t strip, kc; /* columns and k's of a block of B at once */
    bool pack_a, pack_b;
    int64_t group; /* items a piece, if items are small */
    int64_t parts, part_k; /* k cut into sums of its own, combined in order: a large k and a small C */
    gtr_float *partial; /* parts x m x n, if parts > 1 */
    int64_t pieces;
} gtr__gemm;
#define GTR__ITEM(g, x, i) ((g)->x + (i) / (g)->inner * (g)->x##_outer + (i) % (g)->inner * (g)->x##_item)
#ifdef GPUTRAIN_DOUBLE
#define GTR__PACK_B 8192 /* elements of a block of B: 64 KiB */
#else
#define GTR__PACK_B 16384
#endif
#define GTR__PACK_KC 256 /* most k's of a packed block of A */
#define GTR__PACK_AS (GTR__PACK_KC + 16)
#define GTR__LINE (64 / (int)sizeof(gtr_float))
#define GTR__PIECE 2e6 /* flops worth a piece: about 8 us at 268 GFLOP/s */
#define GTR__DOT_ROWS 8 /* up to so many rows of A against rows of B^T as they lie are dot products */
#define GTR__DOT_COLS 4 /* and up to so many columns of B against rows of A */
static bool gtr__gemm_dots(const gtr__gemm *g) {
    const int64_t least = g->m <= GTR__DOT_ROWS ? GTR__VL : g->n <= GTR__DOT_COLS ? 2 * GTR__VL : INT64_MAX;
    return g->acs == 1 && g->brs == 1 && g->k >= least;
}
#define GTR__FEW 8 /* blocks of C; of fewer a large k is cut, too */
static void gtr__gemm_cut_c(gtr__gemm *g, double flops, bool large) {
    const int64_t panels = GTR__MAX((g->n + GTR__NR - 1) / GTR__NR, 1);
    flops *= (double)(1 + 32 / GTR__MAX(g->k * g->sums, 1)); /* what is done with C beside its sums */
    /* not narrower than 16 pieces need: short rows of C far apart share few sets of a cache and make short epilogues */
    int64_t high, wide = large ? 4 : GTR__MAX((int64_t)(GTR__PIECE * (double)panels / GTR__MAX(flops, 1.0)),
        panels * g->m * g->items / 2048);
    wide = GTR__MIN(GTR__MAX(wide, 1), panels);
    g->col_blocks = (panels + wide - 1) / wide;
    g->cols = (panels + g->col_blocks - 1) / g->col_blocks * GTR__NR;
    g->col_blocks = (g->n + g->cols - 1) / g->cols;
    /* rows are cut only where columns give few pieces: each repeats the packing of B */
    high = (int64_t)(flops / GTR__PIECE / (double)GTR__MAX(g->col_blocks, 1));
    if (large) {
        const bool by_k = g->k >= 2048 && g->items == 1 && g->sums == 1;
        high = GTR__MAX(g->m / 256, 1);
        if (!by_k || high * g->col_blocks >= GTR__FEW) high = GTR__MAX(high, (15 + g->col_blocks) / g->col_blocks);
    }
    high = GTR__MAX(GTR__MIN(high, GTR__MAX(g->m / 128, g->sums > 1 ? GTR__MIN(g->m / 32, 4) : 1)), 1);
    g->rows = GTR__ROUND_UP(GTR__MAX((g->m + high - 1) / high, 1), 4);
    g->row_blocks = (g->m + g->rows - 1) / g->rows;
    g->group = 1;
    if (g->items > 1 && g->row_blocks * g->col_blocks == 1)
        g->group = GTR__MAX((int64_t)(GTR__PIECE / GTR__MAX(flops, 1.0)), 1);
}
static void gtr__gemm_cut(gtr__gemm *g) {
    const double n = (double)g->n, flops = 2.0 * (double)g->m * (double)g->k * (double)g->sums
        * (gtr__gemm_dots(g) ? 2 * n : g->n <= GTR__VL ? GTR__NR : n); /* of an item; more for shapes that run slower */
    const bool large = flops > 64 * GTR__PIECE;
    gtr__gemm_cut_c(g, flops, large);
    g->parts = 1;
    g->part_k = g->k;
    if (g->items == 1 && g->sums == 1 && g->k >= 1024 && g->row_blocks * g->col_blocks < GTR__FEW &&
        !g->row_bias && !gtr__gemm_dots(g)) {
        g->parts = GTR__MAX(GTR__MIN(GTR__MIN(g->k / 512, 16), (int64_t)(flops / GTR__PIECE)), 1);
        g->part_k = GTR__ROUND_UP((g->k + g->parts - 1) / g->parts, 16);
        g->parts = (g->k + g->part_k - 1) / g->part_k;
    }
    /* rows a multiple of 4 KiB apart fall on one set of a first-level cache: a tile's push each other out */
    g->pack_a = g->ars > 1 && g->ars * (int64_t)sizeof(gtr_float) % 4096 == 0;
    g->pack_b = g->bcs != 1 || g->rows >= 4 * GTR__MR;
    g->strip = GTR__MIN(g->cols, (g->pack_a || large ? 2 : 1) * GTR__NR);
    int64_t kc = GTR__MIN(GTR__PACK_B / GTR__MAX(g->strip, 1), 512);
    if (g->pack_a) kc = GTR__MIN(kc, GTR__PACK_KC);
    kc = kc / 4 * 4;
    int64_t blocks = GTR__MAX((g->part_k + kc - 1) / kc, 1);
    g->kc = GTR__ROUND_UP((g->part_k + blocks - 1) / blocks, 4);
    g->pieces = (g->items + g->group - 1) / g->group * g->row_blocks * g->col_blocks * g->parts;
}
static void gtr__tile_copy(const gtr_float *from, int64_t fs, gtr_float *to, int64_t ts, int64_t rows, int64_t width) {
    enum { SOME = 8 }; /* at once: calls of memcpy would cost more */
    for (int64_t i = 0; i < rows; i++, from += fs, to += ts) {
        int64_t j = 0;
        if (width == GTR__NR) { memcpy(to, from, GTR__NR * sizeof *to); continue; }
        for (; j + SOME <= width; j += SOME) memcpy(to + j, from + j, SOME * sizeof *to);
        if (j < width && j) memcpy(to + width - SOME, from + width - SOME, SOME * sizeof *to);
        else for (; j < width; j++) to[j] = from[j];
    }
}
/* Copies k x n of B, in panels of NR columns (the last of VL, if it needs no more), filled up with zeros. */
static void gtr__pack_rows(const gtr_float *b, int64_t brs, int64_t k, int64_t n, gtr_float *to) {
    for (int64_t j = 0; j < n; j += GTR__NR) {
        const int64_t have = GTR__MIN(n - j, GTR__NR), wide = have <= GTR__VL ? GTR__VL : GTR__NR;
        for (int64_t l = 1; have < wide && l <= k; l++) GTR__V_STORE(to + l * wide - GTR__VL, GTR__V_ZERO);
        gtr__tile_copy(b + j, brs, to, wide, k, have);
        to += k * wide;
    }
}
/* to[l*ts + j] = b[j*bcs + l] for VL j's: columns of B, each contiguous, to rows. In vectors of VL/4 rows' four
   elements, transposed four by four. */
static void gtr__pack_group(const gtr_float *b, int64_t bcs, int64_t k, gtr_float *to, int64_t ts) {
    int64_t l = 0, j;
#ifdef GTR__V_LANES
    for (; l + 4 <= k; l += 4, b += 4, to += 4 * ts) {
        gtr__v r0 = GTR__V_LANES(b, bcs), r1 = GTR__V_LANES(b + bcs, bcs), r2 = GTR__V_LANES(b + 2 * bcs, bcs),
            r3 = GTR__V_LANES(b + 3 * bcs, bcs);
        gtr__v a0 = GTR__V_LO(r0, r1), a1 = GTR__V_HI(r0, r1), a2 = GTR__V_LO(r2, r3), a3 = GTR__V_HI(r2, r3);
        GTR__V_STORE(to, GTR__V_LO2(a0, a2));
        GTR__V_STORE(to + ts, GTR__V_HI2(a0, a2));
        GTR__V_STORE(to + 2 * ts, GTR__V_LO2(a1, a3));
        GTR__V_STORE(to + 3 * ts, GTR__V_HI2(a1, a3));
    }
#endif
    for (; l < k; l++, b++, to += ts) for (j = 0; j < GTR__VL; j++) to[j] = b[j * bcs];
}
/* The same as gtr__pack_rows for a B whose columns are contiguous. */
static void gtr__pack_cols(const gtr_float *b, int64_t bcs, int64_t k, int64_t n, gtr_float *to) {
    for (int64_t j = 0; j < n; j += GTR__NR) {
        const int64_t have = GTR__MIN(n - j, GTR__NR), wide = have <= GTR__VL ? GTR__VL : GTR__NR;
        for (int64_t g = 0; g < wide; g += GTR__VL) {
            const gtr_float *from = b + (j + g) * bcs;
            const int64_t rest = GTR__MIN(have - g, GTR__VL);
            if (rest == GTR__VL) { gtr__pack_group(from, bcs, k, to + g, wide); continue; }
            for (int64_t l = 0; l < k; l++)
                for (int64_t i = 0; i < GTR__VL; i++) to[l * wide + g + i] = i < rest ? from[i * bcs + l] : 0;
        }
        to += k * wide;
    }
}
/* Where a block of C is: its pointers stand at C's element (0, 0). */
typedef struct {
    const gtr__gemm *g;
    gtr_float *c; /* where sums over k grow */
    int64_t ldc;
    bool add, first, last; /* to c; first and last block of k */
    bool finish; /* with a bias: not a part */
} gtr__spot;
/* n elements of the epilogue, from at on. */
static void gtr__gemm_act(const gtr__gemm *g, int64_t at, int64_t n) {
    const gtr_float *c = g->c + at, *x = g->saved ? g->saved + at : c;
    gtr_float *to = g->to + at;
    if (g->act) gtr__unary_apply(g->act, g->act_a, g->act_b, g->saved ? c : NULL, x, x, to, n, 0);
    if (g->more) for (int64_t i = 0; i < n; i++) to[i] += g->more[at + i];
}
/* One tile over one block of k. Straight into C where the tile is whole, else by way of the stack. */
static void gtr__tile_run(const gtr__spot *s, int64_t k, const gtr_float *a, int64_t as, bool by_col,
        const gtr_float *b, int64_t bs, int64_t i, int64_t j, int64_t rows, int64_t width) {
    const gtr__gemm *g = s->g;
    const bool from = !s->first || s->add;
    const gtr_float *bias = s->last && s->finish && g->bias ? g->bias + j : NULL;
    const gtr__tile_fn fn = gtr__tile_table[rows - 1][by_col][width > GTR__VL];
    const int64_t run = g->run ? g->run : k;
    gtr_float *c = s->c + i * s->ldc + j;
    for (int64_t r = 0; r < rows; r++) /* C's lines come while its sums are made */
        for (int64_t q = 0; q < width; q += GTR__LINE) GTR__PREFETCH(c + r * s->ldc + q, 1);
    if (width == GTR__NR || width == GTR__VL) {
        fn(k, run, g->skip, a, as, b, bs, from ? c : NULL, s->ldc, bias, c, s->ldc);
    } else {
        const int64_t wide = width > GTR__VL ? GTR__NR : GTR__VL;
        gtr_float tile[GTR__MR * GTR__NR], some[GTR__NR];
        if (bias && width < wide) {
            memset(some, 0, sizeof some); GTR__COPY(some, bias, width); bias = some;
        }
        if (from) {
            if (width < wide) memset(tile, 0, sizeof tile);
            gtr__tile_copy(c, s->ldc, tile, wide, rows, width);
        }
        fn(k, run, g->skip, a, as, b, bs, from ? tile : NULL, wide, bias, tile, wide);
        gtr__tile_copy(tile, wide, c, s->ldc, rows, width);
    }
}
/* All rows of a block over columns from j on and one block of k; a and b stand at its first k, row 0, column j. b NULL:
   pb has them packed. */
static void gtr__gemm_strip(const gtr__spot *s, int64_t k, const gtr_float *a, const gtr_float *b, int64_t i0,
        int64_t i1, int64_t j, int64_t n, gtr_float *pa, gtr_float *pb) {
    const gtr__gemm *g = s->g;
    const bool by_col = g->acs != 1;
    const int64_t whole = g->pack_b ? 0 : n / GTR__NR * GTR__NR; /* columns of B read where they lie */
    const int64_t tiles = (i1 - i0 + GTR__MR - 1) / GTR__MR;
    int64_t t, i = i0, q;
    if (b && g->bcs == 1) gtr__pack_rows(b + whole, g->brs, k, n - whole, pb);
    else if (b) gtr__pack_cols(b, g->bcs, k, n, pb);
    for (t = 0; t < tiles; t++) {
        const int64_t rows = (i1 - i0 + t) / tiles;
        const gtr_float *at = a + i * g->ars;
        int64_t as = by_col ? g->acs : g->ars;
        if (g->pack_a) {
            gtr__tile_copy(at, as, pa, GTR__PACK_AS, rows, k);
            at = pa;
            as = GTR__PACK_AS;
        }
        for (q = 0; q < whole; q += GTR__NR)
            gtr__tile_run(s, k, at, as, by_col, b + q, g->brs, i, j + q, rows, GTR__NR);
        for (; q < n; q += GTR__NR) {
            const int64_t width = GTR__MIN(n - q, GTR__NR);
            gtr__tile_run(s, k, at, as, by_col, pb + (q - whole) * k, width > GTR__VL ? GTR__NR : GTR__VL, i,
                j + q, rows, width);
        }
        i += rows;
    }
}
/* A few rows of x against rows of w as they lie: bound by reading w, so nothing is packed. Two rows of x, xs apart (0:
   one twice), against four of w; y's rows are NR apart. */
static void gtr__dot8(int64_t k, const gtr_float *x, int64_t xs, const gtr_float *w, int64_t ws, gtr_float *y) {
    const gtr_float *x1 = x + xs;
    gtr__v sum[2][4];
    int64_t l = 0;
    for (int q = 0; q < 4; q++) sum[0][q] = sum[1][q] = GTR__V_ZERO;
    for (; l + GTR__VL <= k; l += GTR__VL) {
        const gtr__v u = GTR__V_LOAD(x + l), v = GTR__V_LOAD(x1 + l);
        for (int q = 0; q < 4; q++) {
            const gtr__v t = GTR__V_LOAD(w + q * ws + l);
            sum[0][q] = GTR__V_FMA(u, t, sum[0][q]);
            sum[1][q] = GTR__V_FMA(v, t, sum[1][q]);
        }
    }
    for (int q = 0; q < 4; q++) {
        y[q] = gtr__v_sum(sum[0][q]);
        if (xs) y[GTR__NR + q] = gtr__v_sum(sum[1][q]);
    }
    for (; l < k; l++) for (int q = 0; q < 4; q++) {
        y[q] += x[l] * w[q * ws + l];
        y[GTR__NR + q] += x1[l] * w[q * ws + l];
    }
}
static gtr_float gtr__dot1(int64_t k, const gtr_float *x, const gtr_float *w) {
    gtr__v a = GTR__V_ZERO;
    int64_t l = 0;
    for (; l + GTR__VL <= k; l += GTR__VL) a = GTR__V_FMA(GTR__V_LOAD(x + l), GTR__V_LOAD(w + l), a);
    gtr_float y = gtr__v_sum(a);
    for (; l < k; l++) y += x[l] * w[l];
    return y;
}
/* Roles changed: four rows of A against a column or two of B. */
static void gtr__dot_cols(const gtr__gemm *g, const gtr_float *a, const gtr_float *b, gtr_float *tile, int64_t rows,
        int64_t cols) {
    gtr_float y[2 * GTR__NR] = { 0 };
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4, a += 4 * g->ars, tile += 4 * GTR__NR)
        for (int64_t q = 0; q < cols; q += 2) {
            gtr__dot8(g->k, b + q * g->bcs, q + 1 < cols ? g->bcs : 0, a, g->ars, y);
            for (int64_t p = 0; p < 4; p++) {
                tile[p * GTR__NR + q] = y[p];
                if (q + 1 < cols) tile[p * GTR__NR + q + 1] = y[GTR__NR + p];
            }
        }
    for (; r < rows; r++, a += g->ars, tile += GTR__NR)
        for (int64_t q = 0; q < cols; q++) tile[q] = gtr__dot1(g->k, a, b + q * g->bcs);
}
static void gtr__gemm_dot(const gtr__spot *s, const gtr_float *a, const gtr_float *b, int64_t i0, int64_t i1,
        int64_t j0, int64_t j1) {
    const gtr__gemm *g = s->g;
    gtr_float tile[GTR__MR * GTR__NR];
    int64_t i, j, r, q;
    memset(tile, 0, sizeof tile);
    for (j = j0; j < j1; j += GTR__NR) {
        const int64_t width = GTR__MIN(j1 - j, GTR__NR);
        for (i = i0; i < i1; i += GTR__MR) {
            const int64_t rows = GTR__MIN(i1 - i, GTR__MR);
            if (g->m > GTR__DOT_ROWS) gtr__dot_cols(g, a + i * g->ars, b + j * g->bcs, tile, rows, width);
            else for (q = 0; q + 4 <= width; q += 4) {
                const gtr_float *w = b + (j + q) * g->bcs;
                for (r = 0; r < rows; r += 2) /* MR is even: there is a row behind an odd last one */
                    gtr__dot8(g->k, a + (i + r) * g->ars, r + 1 < rows ? g->ars : 0, w, g->bcs, tile + r * GTR__NR + q);
            }
            for (q = width / 4 * 4; q < width && g->m <= GTR__DOT_ROWS; q++)
                for (r = 0; r < rows; r++)
                    tile[r * GTR__NR + q] = gtr__dot1(g->k, a + (i + r) * g->ars, b + (j + q) * g->bcs);
            for (r = 0; r < rows; r++)
                for (q = 0; q < width; q++) {
                    if (s->add) tile[r * GTR__NR + q] += s->c[(i + r) * s->ldc + j + q];
                    if (g->bias) tile[r * GTR__NR + q] += g->bias[j + q];
                }
            gtr__tile_copy(tile, GTR__NR, s->c + i * s->ldc + j, s->ldc, rows, width);
        }
    }
}
static void gtr__gemm_block(const gtr__gemm *g, int64_t item, int64_t part, int64_t i0, int64_t i1,
        int64_t j0, int64_t j1) {
    gtr_float room_a[GTR__MR * GTR__PACK_AS + GTR__LINE], room_b[GTR__PACK_B + GTR__LINE];
    gtr_float *pa = room_a, *pb = room_b;
    const int64_t l0 = part * g->part_k, l1 = GTR__MIN(l0 + g->part_k, g->k);
    gtr__spot s;
    pa += (64 - (uintptr_t)pa % 64) % 64 / sizeof *pa;
    pb += (64 - (uintptr_t)pb % 64) % 64 / sizeof *pb;
    s.g = g;
    s.finish = g->parts == 1;
    s.c = s.finish ? GTR__ITEM(g, c, item) : g->partial + part * g->m * g->n;
    s.ldc = s.finish ? g->ldc : g->n;
    s.add = s.finish && g->add;
    s.first = s.last = true;
    if (gtr__gemm_dots(g) && g->sums == 1) {
        gtr__gemm_dot(&s, GTR__ITEM(g, a, item), GTR__ITEM(g, b, item), i0, i1, j0, j1); return;
    }
    for (int64_t j = j0; j < j1; j += g->strip) {
        for (int64_t sum = 0; sum < g->sums; sum++) {
            const gtr_float *a = GTR__ITEM(g, a, item + sum), *b = GTR__ITEM(g, b, item + sum) + j * g->bcs;
            for (int64_t l = l0; l < l1; l += g->kc) {
                s.first = sum == 0 && l == l0;
                s.last = sum == g->sums - 1 && l + g->kc >= l1;
                gtr__gemm_strip(&s, GTR__MIN(g->kc, l1 - l), a + l * g->acs, b + l * g->brs, i0, i1, j,
                    GTR__MIN(g->strip, j1 - j), pa, pb);
            }
        }
    }
}
static void gtr__gemm_piece(const gtr__gemm *g, int64_t piece) {
    const int64_t col = piece % g->col_blocks, row = piece / g->col_blocks % g->row_blocks;
    const int64_t part = piece / (g->col_blocks * g->row_blocks) % g->parts,
        group = piece / (g->col_blocks * g->row_blocks * g->parts);
    const int64_t i0 = row * g->rows, i1 = GTR__MIN(i0 + g->rows, g->m), j0 = col * g->cols,
        j1 = GTR__MIN(j0 + g->cols, g->n);
    for (int64_t item = group * g->group; item < GTR__MIN((group + 1) * g->group, g->items); item++) {
        const int64_t c = GTR__ITEM(g, c, item) - g->c;
        gtr__gemm_block(g, item, part, i0, i1, j0, j1);
        const int64_t n = j1 - j0, step = g->row_bias || g->ldc != n ? 1 : i1 - i0;
        for (int64_t i = i0; i < i1 && g->parts == 1; i += step) {
            const int64_t at = c + i * g->ldc + j0;
            gtr_float *row = g->c + at, bias = g->row_bias ? g->row_bias[i] : 0;
            for (int64_t j = 0; j < n && g->row_bias; j++) row[j] += bias;
            if (g->to) gtr__gemm_act(g, at, step * n);
        }
    }
}
/* What one node computes: its products share one cut, so that their pieces fill each other's gaps. */
typedef struct { gtr__gemm gemm[3]; int n; int64_t pieces; } gtr__products;
static void gtr__products_piece(void *arg, int64_t piece) {
    const gtr__products *p = (const gtr__products *)arg;
    int i = 0;
    for (; piece >= p->gemm[i].pieces; i++) piece -= p->gemm[i].pieces;
    gtr__gemm_piece(&p->gemm[i], piece);
}
/* Adds up parts, in their order, and does what the tiles left to be done with the sums. */
#define GTR__COMBINE 4096
static void gtr__combine_piece(void *arg, int64_t piece) {
    const gtr__gemm *g = (const gtr__gemm *)arg;
    const int64_t all = g->m * g->n, at = piece * GTR__COMBINE, n = GTR__MIN(all - at, GTR__COMBINE);
    gtr_float *sum = g->partial + at, *c = g->c + at;
    for (int64_t p = 1; p < g->parts; p++) {
        const gtr_float *more = sum + p * all;
        GTR__IVDEP
        for (int64_t i = 0; i < n; i++) sum[i] += more[i];
    }
    GTR__IVDEP
    for (int64_t i = 0; i < n; i++) c[i] = g->add ? sum[i] + c[i] : sum[i];
    if (g->bias) for (int64_t i = 0; i < n; i++) c[i] += g->bias[(at + i) % g->n];
    if (g->to) gtr__gemm_act(g, at, n);
}
static size_t gtr__products_cut(gtr__products *p, gtr_float *ws) {
    size_t used = 0;
    p->pieces = 0;
    for (int i = 0; i < p->n; i++) {
        gtr__gemm *g = &p->gemm[i];
        gtr__gemm_cut(g);
        if (g->parts > 1) {
            if (ws) g->partial = ws + used;
            used += (size_t)(g->parts * g->m * g->n);
        }
        p->pieces += g->pieces;
    }
    return used * sizeof(gtr_float);
}
#ifdef GPUTRAIN_CBLAS
#include <cblas.h>
#ifdef GPUTRAIN_DOUBLE
#define GTR__CBLAS_GEMM cblas_dgemm
#else
#define GTR__CBLAS_GEMM cblas_sgemm
#endif
/* The library's product, then the epilogue over rows. False where this file's own loop has to do it. */
static bool gtr__gemm_cblas(const gtr__gemm *g) {
    const int64_t lda = GTR__MAX(g->acs == 1 ? g->ars : g->acs, 1), ldb = GTR__MAX(g->bcs == 1 ? g->brs : g->bcs, 1);
    const int64_t ldc = GTR__MAX(g->ldc, g->n); /* of a view's only row */
    if (GTR__MAX(GTR__MAX(g->m, ldc), GTR__MAX(g->k, GTR__MAX(lda, ldb))) > INT_MAX
            || gtr__gemm_dots(g) || !g->acs || g->row_bias || (g->items > 1 && (g->bias || g->to)))
        return false;
    for (int64_t item = 0; item < g->items; item++)
        for (int64_t sum = 0; sum < g->sums; sum++)
            GTR__CBLAS_GEMM(CblasRowMajor, g->acs == 1 ? CblasNoTrans : CblasTrans,
                g->bcs == 1 ? CblasNoTrans : CblasTrans, (int)g->m, (int)g->n, (int)g->k, 1,
                GTR__ITEM(g, a, item + sum), (int)GTR__MAX(lda, g->acs == 1 ? g->k : g->m),
                GTR__ITEM(g, b, item + sum), (int)GTR__MAX(ldb, g->bcs == 1 ? g->n : g->k),
                g->add || sum ? (gtr_float)1 : (gtr_float)0, GTR__ITEM(g, c, item), (int)ldc);
    if (g->bias) for (int64_t i = 0; i < g->m * g->n; i++) g->c[i] += g->bias[i % g->n];
    if (g->to) gtr__gemm_act(g, 0, g->m * g->n);
    return true;
}
#endif
/* Computes the set, or, when the plan is being made, says what workspace it wants. */
static gtr_result gtr__products_run(gtr__products *p, gtr__cpu *cpu, const gtr__call *c) {
    if (c->measure) { *c->measure = gtr__products_cut(p, NULL); return GTR_OK; }
#ifdef GPUTRAIN_CBLAS
    {
        int left = 0;
        for (int i = 0; i < p->n; i++) if (!gtr__gemm_cblas(&p->gemm[i])) p->gemm[left++] = p->gemm[i];
        p->n = left;
    }
#endif
    if (gtr__products_cut(p, (gtr_float *)c->ws) > c->ws_bytes) return GTR_ERR_STATE;
    gtr__parallel(cpu, p->pieces, gtr__products_piece, p);
    for (int i = 0; i < p->n; i++) {
        gtr__gemm *g = &p->gemm[i];
        if (g->parts > 1) gtr__parallel(cpu, (g->m * g->n + GTR__COMBINE - 1) / GTR__COMBINE, gtr__combine_piece, g);
    }
    return GTR_OK;
}

// >>ops
/* Every op: shape function, forward and backward side by side. Builders check attributes, shape functions shapes. A
   kernel is called with
     forward:  in = inputs, out = outputs
     backward: in = inputs, outputs, gradients of the differentiable outputs; out = gradients of the
     inputs (data NULL: not wanted)
   All floats are gtr_float here but for COPY, CAST, FILL, FEED and CHECK, which take every storage. Work is cut into
   pieces by shape alone and sums are made in a fixed order, so that the bits do not depend on the number of threads. */
#ifdef __clang__
#pragma clang diagnostic push
/* it warns where it does not vectorise, also of the unary loops that it inlines here */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

// >>conversions
/* bfloat16 and float16 of a float and back; to nearest, ties to even; a NaN stays one. Selections, no
   branches: the loops vectorise. */
static uint16_t gtr__to_bf16(float f) {
    uint32_t u = gtr__float_bits(f), nan = u >> 16 | 0x40u, rounded = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
    return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}
static float gtr__from_bf16(uint16_t h) { return gtr__bits_float((uint32_t)h << 16); }
static uint16_t gtr__to_f16(float f) {
    uint32_t u = gtr__float_bits(f), a = u & 0x7fffffffu;
    /* exponent 127 becomes 15; 0.5's last place is 2^-24: the sum rounds to it; infinity from 65520 on */
    uint32_t nan = 0x7e00u | (a >> 13 & 0x3ffu), normal = (a - 0x38000000u + 0xfffu + (a >> 13 & 1u)) >> 13;
    uint32_t subnormal = gtr__float_bits(gtr__bits_float(a) + 0.5f) - 0x3f000000u;
    uint32_t r = a > 0x7f800000u ? nan : a >= 0x477ff000u ? 0x7c00u : a >= 0x38800000u ? normal : subnormal;
    return (uint16_t)((u >> 16 & 0x8000u) | r);
}
static float gtr__from_f16(uint16_t h) {
    uint32_t a = h & 0x7fffu, m = a << 13, subnormal = gtr__float_bits((float)(int)a * (1.0f / 16777216.0f));
    uint32_t r = a > 0x7c00u ? (m + 0x70000000u) | 0x400000u : a == 0x7c00u ? 0x7f800000u
        : a >= 0x400u ? m + 0x38000000u : subnormal;
    return gtr__bits_float((uint32_t)(h & 0x8000u) << 16 | r);
}
#define GTR__CONVERT(from, From, to, To, formula) \
    if (src_dtype == from && dst_dtype == to) { \
        const From *GTR__RESTRICT x = (const From *)src; \
        To *GTR__RESTRICT y = (To *)dst; \
        for (int64_t i = 0; i < n; i++) y[i] = formula; \
    }
/* n elements of any float dtype to another, or a copy. dst and src do not overlap. */
static void gtr__convert(void *dst, gtr_dtype dst_dtype, const void *src, gtr_dtype src_dtype, int64_t n) {
    if (n <= 0) return;
    if (dst_dtype == src_dtype) { memcpy(dst, src, (size_t)n * gtr__dtype_size(dst_dtype)); return; }
    GTR__CONVERT(GTR_F32, gtr_float, GTR_BF16, uint16_t, gtr__to_bf16((float)x[i]))
    GTR__CONVERT(GTR_F32, gtr_float, GTR_F16, uint16_t, gtr__to_f16((float)x[i]))
    GTR__CONVERT(GTR_BF16, uint16_t, GTR_F32, gtr_float, gtr__from_bf16(x[i]))
    GTR__CONVERT(GTR_F16, uint16_t, GTR_F32, gtr_float, gtr__from_f16(x[i]))
    GTR__CONVERT(GTR_BF16, uint16_t, GTR_F16, uint16_t, gtr__to_f16(gtr__from_bf16(x[i])))
    GTR__CONVERT(GTR_F16, uint16_t, GTR_BF16, uint16_t, gtr__to_bf16(gtr__from_f16(x[i])))
}

// >>finite
/* Finiteness by the bits, which holds under -ffast-math too. */
#ifdef GPUTRAIN_DOUBLE
typedef uint64_t gtr__bits;
#define GTR__INF_BITS ((uint64_t)0x7ff << 52)
#else
typedef uint32_t gtr__bits;
#define GTR__INF_BITS 0x7f800000u
#endif
#define GTR__ABS_BITS (GTR__INF_BITS | (GTR__INF_BITS - 1))
static gtr__bits gtr__over(const gtr_float *x) { /* the sign bit says whether it is not finite */
    gtr__bits u;
    memcpy(&u, x, sizeof u);
    return (u & GTR__ABS_BITS) + (GTR__ABS_BITS + 1 - GTR__INF_BITS);
}
static bool gtr__nonfinite(const gtr_float *x, int64_t n) {
    gtr__bits any = 0;
    int64_t i = 0;
    for (; i + 256 <= n; i += 256) /* -O2 makes vectors of a loop whose length it knows */
        for (int k = 0; k < 256; k++) any |= gtr__over(x + i + k);
    for (; i < n; i++) any |= gtr__over(x + i);
    return any > GTR__ABS_BITS;
}
static gtr_float gtr__nan(void) {
    gtr__bits u = GTR__INF_BITS | GTR__INF_BITS >> 1;
    gtr_float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

// >>shape-helpers
/* GTR_OK is 0: a result, or a call that returns one, is true where something failed. */
#define GTR__TRY(call) do { const gtr_result r_ = (call); if (r_ != GTR_OK) return r_; } while (0)
static GTR__PRINTF(3, 4) gtr_result gtr__shape_fail(gtr__shape_call *s, gtr_result code, const char *format, ...) {
    GTR__VPRINT(s->why, sizeof s->why, format);
    return code;
}
#define GTR__BAD_SHAPE(s, ...) gtr__shape_fail(s, GTR_ERR_SHAPE, __VA_ARGS__)
/* "got (N, 10) and (N, 3), want equal shapes": the first n inputs (at most 3), then want. */
static gtr_result gtr__shape_want(gtr__shape_call *s, int n, const char *want) {
    char t[3][GTR__TEXT] = { "", "", "" };
    n = GTR__MIN(n, s->n_in);
    for (int i = 0; i < n; i++) gtr__shape_text(&s->in[i], t[i]);
    return GTR__BAD_SHAPE(s, "got %s%s%s%s%s, want %s", t[0], n > 2 ? ", " : n > 1 ? " and " : "", t[1],
        n > 2 ? " and " : "", t[2], want);
}
static bool gtr__shape_valid(const gtr_shape *x) {
    if (x->ndim < 0 || x->ndim > GTR_MAX_DIMS) return false;
    for (int i = 0; i < x->ndim; i++) if (!x->dim[i] || x->dim[i] == INT64_MIN) return false;
    return gtr__count(x) != INT64_MIN;
}
#define GTR__VALID_SHAPE "dimensions that are not zero, at most one multiple of the batch, and fewer than 2^59 elements"
/* Inputs are valid shapes, and of the dtypes that flags name. */
static gtr_result gtr__shape_inputs(gtr__shape_call *s, uint64_t flags) {
    char a[GTR__TEXT];
    for (int i = 0; i < s->n_in; i++) {
        const bool whole = i < 4 && flags >> 60 >> i & 1, any = flags >= GTR__ANY;
        if (!any && !(whole ? s->in_dtype[i] == GTR_I32 : gtr__is_float(s->in_dtype[i])))
            return GTR__BAD_SHAPE(s, "got input %d %s, want %s", i + 1,
                gtr__dtype_names[s->in_dtype[i]], whole ? "int32" : "float32");
        if (!gtr__shape_valid(&s->in[i]))
            return GTR__BAD_SHAPE(s, "got input %d %s, want " GTR__VALID_SHAPE, i + 1,
                s->in[i].ndim > GTR_MAX_DIMS || s->in[i].ndim < 0 ? "of a bad rank" : gtr__shape_text(&s->in[i], a));
    }
    return GTR_OK;
}
static gtr_result gtr__shape_output(gtr__shape_call *s, int k, gtr_shape o) {
    char a[GTR__TEXT];
    s->out[k] = o;
    if (o.ndim < 0 || o.ndim > GTR_MAX_DIMS)
        return GTR__BAD_SHAPE(s, "got a result of rank %d, want at most %d", o.ndim, GTR_MAX_DIMS);
    if (!gtr__shape_valid(&o))
        return GTR__BAD_SHAPE(s, "got a result %s, want " GTR__VALID_SHAPE, gtr__shape_text(&o, a));
    return GTR_OK;
}
static double gtr__shape_flops(const gtr_shape *s, double each) {
    int64_t n = gtr__count(s); return n > 0 ? each * (double)n : 0;
}
/* out[0] is like in[0]: float; of any dtype. */
GTR__SHAPE(same) { s->out[0] = s->in[0]; return GTR_OK; }
GTR__SHAPE(alike) { s->out_dtype[0] = s->in_dtype[0]; return gtr__shape_same(s); }
/* out[0] is NumPy's broadcast of in[0] and in[1]: aligned at the last dimension; two dimensions fit
   if equal or one is 1. */
GTR__SHAPE(broadcast) {
    const gtr_shape *a = &s->in[0], *b = &s->in[1];
    gtr_shape o = gtr_shape0();
    o.ndim = GTR__MAX(a->ndim, b->ndim);
    for (int i = 1; i <= o.ndim; i++) {
        int64_t p = i <= a->ndim ? a->dim[a->ndim - i] : 1, q = i <= b->ndim ? b->dim[b->ndim - i] : 1;
        if (p != q && p != 1 && q != 1)
            return gtr__shape_want(s, 2, "shapes that broadcast: from the last on, dimensions equal or one of them 1");
        o.dim[o.ndim - i] = p == 1 ? q : p;
    }
    return gtr__shape_output(s, 0, o);
}
static int64_t gtr__shape_outer(const gtr_shape *s, int64_t axis) {
    int64_t n = 1;
    for (int64_t i = 0; i < axis; i++) n *= s->dim[i];
    return n;
}

// >>kernel-helpers
#define GTR__CHUNK 16384 /* elements of a piece of cheap work */
#define GTR__DEAR  640 /* of work with a function each: up to 2 us */
#define GTR__BLOCK 256 /* elements of a temporary on the stack */
static gtr_float *gtr__floats(const gtr__arg *x) { return x ? (gtr_float *)x->data : NULL; }
static const gtr_float *gtr__in(const gtr__call *c, int i) { return gtr__floats(&c->in[i]); }
static const int32_t *gtr__in_ints(const gtr__call *c, int i) { return (const int32_t *)c->in[i].data; }
static gtr_float *gtr__out(const gtr__call *c, int i) { return gtr__floats(&c->out[i]); }
static bool gtr__wanted(const gtr__call *c, int i) { return i < c->n_out && c->out[i].data; }
/* The workspace that a kernel wants; what follows computes. */
#define GTR__WANTS(bytes) do if (c->measure) { *c->measure = (bytes); return GTR_OK; } while (0)
/* Calls fn(job, i, end) for parts [i, end) of [0, n), each of group, at least 1. The job of a simple
   kernel is its gtr__call. */
typedef void (*gtr__range_fn)(GTR__SPAN);
typedef struct { gtr__range_fn fn; const void *job; int64_t n, group; } gtr__range;
static void gtr__range_piece(void *arg, int64_t piece) {
    const gtr__range *r = (const gtr__range *)arg;
    r->fn(r->job, piece * r->group, GTR__MIN(r->n, (piece + 1) * r->group));
}
static gtr_result gtr__ranges(void *cpu, gtr__range_fn fn, const void *job, int64_t n, int64_t group) {
    gtr__range r = { fn, job, n, GTR__MAX(group, 1) };
    gtr__parallel((gtr__cpu *)cpu, (n + r.group - 1) / r.group, gtr__range_piece, &r);
    return GTR_OK;
}
/* The sum of a term over n elements in 16 interleaved double sums, then pairwise: good to the last bit
   of a float for any n. */
#define GTR__SUM_BODY(term) { \
    double s[16] = { 0 }; \
    int64_t i = 0; \
    for (; i + 16 <= n; i += 16) for (int j = 0; j < 16; j++) { const int64_t e = i + j; s[j] += term; } \
    for (int64_t e = i; e < n; e++) s[e - i] += term; \
    for (int j = 0; j < 8; j++) s[j] += s[j + 8]; \
    for (int j = 0; j < 4; j++) s[j] += s[j + 4]; \
    return (s[0] + s[2]) + (s[1] + s[3]); }
static double gtr__sum_run(const gtr_float *x, int64_t n) GTR__SUM_BODY(x[e])
static double gtr__dot_run(const gtr_float *x, const gtr_float *y, int64_t n) GTR__SUM_BODY((double)x[e] * (double)y[e])
static double gtr__var_run(const gtr_float *x, double m, int64_t n) GTR__SUM_BODY((x[e] - m) * (x[e] - m))
static void gtr__exp_run(gtr_float *x, int64_t n) {
    gtr__unary_apply(gtr__unary_find(GTR__OP_EXP), 0, 0, NULL, x, NULL, x, n, 0);
}
static gtr_float gtr__max_run(const gtr_float *x, int64_t n) {
    gtr_float m = x[0], e[GTR__VL];
    if (n < GTR__VL) {
        for (int64_t i = 1; i < n; i++) m = GTR__LARGER(x[i], m);
        return m;
    }
    gtr__v v = GTR__V_LOAD(x);
    for (int64_t i = GTR__VL; i < n; i += GTR__VL) v = GTR__V_MAX(GTR__V_LOAD(x + GTR__MIN(i, n - GTR__VL)), v);
    GTR__V_STORE(e, v);
    for (int j = 0; j + 8 < GTR__VL; j++) e[j] = GTR__LARGER(e[j + 8], e[j]);
    for (int j = 0; j < 4 && j + 4 < GTR__VL; j++) e[j] = GTR__LARGER(e[j + 4], e[j]);
    m = e[0];
    for (int j = 1; j < 4 && j < GTR__VL; j++) m = GTR__LARGER(e[j], m);
    return m;
}
/* Dimensions from the fastest on, none of extent 1, neighbours merged where strides allow it. Strides are of dy (and
   y), a, b, out; 0: broadcast. Those of dy and out in dim[0] are 0 or 1 (of out more, where elements go one by one). */
typedef struct { int64_t count; int n; int64_t dim[GTR_MAX_DIMS], stride[4][GTR_MAX_DIMS]; } gtr__nd;
static const gtr__nd gtr__nd_unit = { 1, 0, { 1 }, { { 0 } } };
static void gtr__nd_push(gtr__nd *r, int64_t d, int64_t dy, int64_t a, int64_t b, int64_t out) {
    const int64_t stride[4] = { dy, a, b, out };
    bool merge = r->n > 0;
    if (d == 1) return;
    for (int k = 0; k < 4 && merge; k++) merge = stride[k] == r->stride[k][r->n - 1] * r->dim[r->n - 1];
    if (merge) r->dim[r->n - 1] *= d;
    else {
        for (int k = 0; k < 4; k++) r->stride[k][r->n] = stride[k];
        r->dim[r->n++] = d;
    }
    r->count *= d;
}
/* A full shape with operands broadcast to it. */
static gtr__nd gtr__nd_make(const gtr_shape *full, const gtr_shape *a, const gtr_shape *b, const gtr_shape *out) {
    const gtr_shape *op[4] = { full, a, b, out };
    int64_t step[4] = { 1, 1, 1, 1 }, stride[4];
    gtr__nd r = gtr__nd_unit;
    for (int i = 1; i <= full->ndim; i++) {
        for (int k = 0; k < 4; k++) {
            int64_t e = op[k] && i <= op[k]->ndim ? op[k]->dim[op[k]->ndim - i] : 1;
            stride[k] = e == 1 ? 0 : step[k];
            step[k] *= e;
        }
        gtr__nd_push(&r, full->dim[full->ndim - i], stride[0], stride[1], stride[2], stride[3]);
    }
    return r;
}
/* Adds the offsets of element q; returns its place along dim[0]. */
static int64_t gtr__nd_seek(const gtr__nd *r, int64_t q, int64_t *offset) {
    int64_t along = 0;
    for (int i = 0; i < r->n && q; i++) {
        const int64_t rest = q < r->dim[i] ? 0 : q / r->dim[i], at = q - rest * r->dim[i];
        for (int k = 0; k < 4; k++) offset[k] += at * r->stride[k][i];
        if (!i) along = at;
        q = rest;
    }
    return along;
}
/* A run of n elements t = f(dy, a, b, y, g): dy and y are contiguous, a and b have any stride, 0 and 1 in loops of
   their own; t may be a or dy. What a formula does not name is never read but in unoptimised code, and then from an
   address that may be. */
#define GTR__EW_ARGS gtr_float *t, const gtr_float *pdy, const gtr_float *pa, int64_t sa, const gtr_float *pb, \
    int64_t sb, const gtr_float *py, gtr_float g, int64_t n
typedef void (*gtr__ew_fn)(GTR__EW_ARGS);
#define GTR__EW_LOOP(A, B, formula) { GTR__IVDEP for (int64_t i = 0; i < n; i++) { \
    const gtr_float a = A, b = B, dy = pdy[i], y = py[i]; (void)a; (void)b; (void)dy; (void)y; t[i] = formula; } }
#define GTR__EW(name, formula) \
    static void gtr__ew_##name(GTR__EW_ARGS) \
    { const gtr_float a0 = *pa, b0 = *pb; (void)g; \
      if (sa == 1 && sb == 1) GTR__EW_LOOP(pa[i], pb[i], formula) \
      else if (sa == 1 && !sb) GTR__EW_LOOP(pa[i], b0, formula) \
      else if (!sa && sb == 1) GTR__EW_LOOP(a0, pb[i], formula) \
      else if (!sa && !sb) GTR__EW_LOOP(a0, b0, formula) \
      else GTR__EW_LOOP(pa[i * sa], pb[i * sb], formula) }
#define GTR__EW_BINARY(ID, name, forward, da, db) GTR__EW(name, forward) GTR__EW(name##_da, da) GTR__EW(name##_db, db)
GTR__BINARY(GTR__EW_BINARY)
#define GTR__EW_ROW(ID, name, ...) \
    case GTR__OP_##ID: return side ? side > 1 ? gtr__ew_##name##_db : gtr__ew_##name##_da : gtr__ew_##name;
/* The loop of a binary op; side 1, 2: of the gradient of a, b. NULL: of none. */
static gtr__ew_fn gtr__ew_find(gtr__op op, int side) {
    switch ((int)op) { GTR__BINARY(GTR__EW_ROW) default: return NULL; }
}
GTR__EW(copy, a)
GTR__EW(times, a * g)
/* out = fn over a shape, or += if add. What of dy, a, b and y is NULL is not read. */
typedef struct {
    gtr__nd nd; gtr__ew_fn fn; const gtr_float *dy, *a, *b, *y; gtr_float *out, g; int add;
} gtr__ew_job;
/* n elements of the run that starts at the offsets, from its element along on. */
static void gtr__ew_apply(const gtr__ew_job *w, gtr_float *t, const int64_t *offset, int64_t along, int64_t n) {
    static const gtr_float zero = 0;
    const int64_t sa = w->a ? w->nd.stride[1][0] : 0, sb = w->b ? w->nd.stride[2][0] : 0;
    const gtr_float *dy = w->dy ? w->dy + offset[0] + along : t;
    w->fn(t, dy, w->a ? w->a + offset[1] + along * sa : &zero, sa, w->b ? w->b + offset[2] + along * sb : &zero, sb,
          w->y ? w->y + offset[0] + along : dy, w->g, n);
}
static void gtr__ew_range(GTR__SPAN) {
    GTR__JOB(gtr__ew_job, w);
    const gtr__nd *nd = &w->nd;
    const bool copies = w->fn == gtr__ew_copy && !w->add && nd->n > 1 && nd->stride[1][0] == 1 && nd->stride[3][0] == 1;
    int64_t at[GTR_MAX_DIMS] = { 0 }, offset[4] = { 0, 0, 0, 0 }; /* of the run, without divisions */
    for (int64_t k = 0, q = i; k < nd->n; q /= nd->dim[k++]) at[k] = q % nd->dim[k];
    for (int k = 1; k < nd->n; k++) for (int j = 0; j < 4; j++) offset[j] += at[k] * nd->stride[j][k];
    for (int64_t n, m; i < end; i += n) {
        n = nd->stride[3][0] > 1 ? 1 : GTR__MIN(nd->dim[0] - at[0], end - i);
        gtr_float *out = w->out + offset[3] + at[0] * nd->stride[3][0];
        if (copies && n == nd->dim[0]) { /* many runs at once: they may be short */
            const int64_t rows = GTR__MIN(nd->dim[1] - at[1], (end - i) / n);
            gtr__tile_copy(w->a + offset[1], nd->stride[1][1], out, nd->stride[3][1], rows, n);
            at[1] += rows - 1;
            for (int j = 0; j < 4; j++) offset[j] += (rows - 1) * nd->stride[j][1];
            i += (rows - 1) * n;
        } else if (!w->add) gtr__ew_apply(w, out, offset, at[0], n);
        else for (int64_t j = 0; j < n; j += m) {
            gtr_float t[GTR__BLOCK], *o = out + j;
            m = GTR__MIN(n - j, GTR__BLOCK);
            gtr__ew_apply(w, t, offset, at[0] + j, m);
            GTR__IVDEP
            for (int64_t k = 0; k < m; k++) o[k] += t[k];
        }
        at[0] += n;
        for (int k = 0; k + 1 < nd->n && at[k] == nd->dim[k]; k++) {
            at[k] = 0;
            at[k + 1]++;
            for (int j = 0; j < 4; j++) offset[j] += nd->stride[j][k + 1] - (k ? nd->dim[k] * nd->stride[j][k] : 0);
        }
    }
}
static gtr_result gtr__ew(void *cpu, const gtr__ew_job *w) {
    return gtr__ranges(cpu, gtr__ew_range, w, w->nd.count, GTR__CHUNK);
}
/* The job of an output and two operands broadcast to it; b may be NULL. */
static gtr__ew_job gtr__ew_make(gtr__ew_fn fn, const gtr__arg *a, const gtr__arg *b, const gtr__arg *out) {
    gtr__ew_job w = {
        gtr__nd_make(&out->shape, &a->shape, b ? &b->shape : NULL, &out->shape), fn, NULL, gtr__floats(a),
            gtr__floats(b), NULL, gtr__floats(out), 0, out->add };
    return w;
}
/* Copies or adds rows runs of n elements, from steps of from to steps of to. */
static gtr_result gtr__copy_rows(void *cpu, const gtr_float *x, int64_t from, gtr_float *y, int64_t to,
        int64_t rows, int64_t n, int add) {
    gtr__ew_job w = { gtr__nd_unit, gtr__ew_copy, NULL, x, NULL, NULL, y, 0, add };
    gtr__nd_push(&w.nd, n, 1, 1, 0, 1);
    gtr__nd_push(&w.nd, rows, to, from, 0, to);
    return gtr__ew(cpu, &w);
}
/* out (of the target's shape) = factor times the sum of fn (NULL: of dy) over the dimensions that the target
   broadcasts, in double. The work: blocks of outputs times splits of what is summed. If dim[0] is kept, a block is up
   to GTR__BLOCK columns of it, to which rows are added; if it is summed, a block is one output. Split sums are added in
   ascending order. */
typedef struct {
    gtr__ew_job ew; /* out: the target */
    double factor;
    gtr__nd kept, summed; /* dimensions but dim[0] */
    bool columns;
    int64_t width, across; /* dim[0]; blocks across it */
    int64_t outputs, blocks, space, chunk, splits, group;
    double *part;
} gtr__reduce;
static gtr__reduce gtr__reduce_make(const gtr_shape *full, const gtr_shape *a, const gtr_shape *b,
        const gtr_shape *target) {
    gtr__reduce r = GTR__ZERO;
    const gtr__nd *nd = &r.ew.nd;
    r.ew.nd = gtr__nd_make(full, a, b, target);
    r.kept = r.summed = gtr__nd_unit;
    r.factor = 1;
    for (int i = 1; i < nd->n; i++)
        gtr__nd_push(nd->stride[3][i] ? &r.kept : &r.summed, nd->dim[i], nd->stride[0][i], nd->stride[1][i],
            nd->stride[2][i], nd->stride[3][i]);
    r.columns = nd->stride[3][0] != 0;
    r.width = nd->dim[0];
    r.across = r.columns ? (r.width + GTR__BLOCK - 1) / GTR__BLOCK : 1;
    r.blocks = r.kept.count * r.across;
    r.outputs = r.kept.count * (r.columns ? r.width : 1);
    r.space = r.summed.count * (r.columns ? 1 : r.width);
    int64_t each = r.columns ? GTR__MIN(r.width, GTR__BLOCK) : 1;
    r.chunk = r.space;
    if (r.blocks < 16) r.chunk = GTR__MIN(r.chunk, GTR__MAX(GTR__MAX(GTR__CHUNK / each, 1), (r.space + 63) / 64));
    r.splits = (r.space + r.chunk - 1) / r.chunk;
    r.group = GTR__CHUNK / (each * r.chunk);
    return r;
}
static size_t gtr__reduce_bytes(const gtr__reduce *r) {
    return r->splits > 1 ? (size_t)r->splits * (size_t)r->outputs * sizeof(double) : 0;
}
static void gtr__reduce_store(const gtr__reduce *r, int64_t o, double v) {
    gtr_float x = (gtr_float)(v * r->factor);
    r->ew.out[o] = r->ew.add ? r->ew.out[o] + x : x;
}
static void gtr__reduce_item(const gtr__reduce *r, int64_t split, int64_t block) {
    const int64_t first = block % r->across * GTR__BLOCK,
        cols = r->columns ? GTR__MIN(r->width - first, GTR__BLOCK) : 1;
    const int64_t end = GTR__MIN(r->space, (split + 1) * r->chunk), rows = r->columns ? 1 : r->width,
        most = r->ew.fn ? GTR__BLOCK : r->width;
    int64_t base[4] = { 0, 0, 0, 0 }, n, o;
    double sum[GTR__BLOCK];
    for (int64_t j = 0; j < cols; j++) sum[j] = 0;
    gtr__nd_seek(&r->kept, block / r->across, base);
    for (int64_t q = split * r->chunk; q < end; q += r->columns ? 1 : n) {
        int64_t offset[4] = { base[0], base[1], base[2], 0 }, along = r->columns ? first : q % rows;
        gtr_float t[GTR__BLOCK];
        const gtr_float *v = t;
        gtr__nd_seek(&r->summed, q / rows, offset);
        n = r->columns ? cols : GTR__MIN(GTR__MIN(r->width - along, end - q), most);
        if (r->ew.fn) gtr__ew_apply(&r->ew, t, offset, along, n);
        else v = r->ew.dy + offset[0] + along;
        if (r->columns) for (int64_t j = 0; j < n; j++) sum[j] += v[j];
        else sum[0] += gtr__sum_run(v, n);
    }
    o = base[3] + first;
    if (r->splits > 1) GTR__COPY(r->part + split * r->outputs + o, sum, cols);
    else for (int64_t j = 0; j < cols; j++) gtr__reduce_store(r, o + j, sum[j]);
}
static void gtr__reduce_range(GTR__SPAN) {
    GTR__JOB(gtr__reduce, r);
    for (; i < end; i++) gtr__reduce_item(r, i / r->blocks, i % r->blocks);
}
static void gtr__reduce_combine(const void *job, int64_t o, int64_t end) {
    GTR__JOB(gtr__reduce, r);
    for (; o < end; o++) {
        double sum = 0;
        for (int64_t k = 0; k < r->splits; k++) sum += r->part[k * r->outputs + o];
        gtr__reduce_store(r, o, sum);
    }
}
static gtr_result gtr__reduce_all(void *cpu, gtr__reduce *r, void *ws) {
    r->part = (double *)ws;
    gtr__ranges(cpu, gtr__reduce_range, r, r->splits * r->blocks, r->group);
    if (r->splits > 1) gtr__ranges(cpu, gtr__reduce_combine, r, r->outputs, GTR__BLOCK);
    return GTR_OK;
}
static gtr__reduce gtr__channel_sums(const gtr_shape *x) {
    const gtr_shape to = gtr_shape1(x->dim[x->ndim - 1]), rows = gtr_shape2(gtr__elements(x) / to.dim[0], to.dim[0]);
    return gtr__reduce_make(&rows, &rows, &to, &to);
}

/* y = (x - mean) s + q, or, if there is dy, + dy p + q, each of mean, s, p, q a value a channel; then + from, if it is
   there. Without mean y = x + from. */
typedef struct { const gtr_float *mean, *s, *q, *p, *from; } gtr__affine;
#define GTR__AFFINE(formula) for (int64_t i = 0; i < n; i++) { \
    const gtr_float v = (x[i] - mean[i]) * s[i] + formula; y[i] = add ? y[i] + v : v; }
/* A row of n channels of it, which y may be. */
static void gtr__affine_row(const gtr__affine *a, const gtr_float *x, const gtr_float *dy, gtr_float *y, int64_t row,
        int64_t n, bool add) {
    const gtr_float *mean = a->mean, *s = a->s, *q = a->q, *p = a->p, *from = a->from ? a->from + row * n : NULL;
    x += row * n; y += row * n;
    if (dy) dy += row * n;
    if (dy) GTR__AFFINE((dy[i] * p[i] + q[i])) else if (mean) GTR__AFFINE(q[i])
    for (int64_t i = 0; from && i < n; i++) y[i] += from[i];
}
/* rstd, unless NULL, and what it is times weight, of each channel. */
static void gtr__bn_scale(const gtr_float *var, const gtr_float *weight, int64_t n, double eps, gtr_float *rstd,
        gtr_float *s) {
    for (int64_t k = 0; k < n; k++) {
        const gtr_float r = (gtr_float)(1 / sqrt((double)var[k] + eps));
        s[k] = r * weight[k];
        if (rstd) rstd[k] = r;
    }
}

// >>op:input
// >>op:parameter
// >>op:constant

// >>op:gradient
/* d loss / d x: loss a scalar; x's shape. */

// >>op:part
/* Output i[0] of an op of several. */

// >>op:reshape
/* The same elements in another shape, any dtype. f[0]: rank, i[0..7]: dimensions, one of which may be -k, k times the
   batch, which for literal inputs follows from the number of elements. */
GTR__SHAPE(reshape) {
    int n = (int)s->attr->f[0];
    int64_t have, want;
    char a[GTR__TEXT], b[GTR__TEXT];
    gtr__shape_alike(s);
    gtr_shape o = gtr_shape0();
    o.ndim = n;
    GTR__COPY(o.dim, s->attr->i, n);
    if (!gtr__shape_valid(&o))
        return GTR__BAD_SHAPE(s,
            "got the new shape %s, want dimensions that are not zero and at most one multiple of the batch",
            gtr__shape_text(&o, a));
    have = gtr__count(&s->in[0]); want = gtr__count(&o);
    if (want < 0 && have > 0 && have % -want == 0) {
        for (int i = 0; i < n; i++) if (o.dim[i] < 0) o.dim[i] = -o.dim[i] * (have / -want);
        want = have;
    }
    if (have != want) return GTR__BAD_SHAPE(s, "got %s into %s, want as many elements",
        gtr__shape_text(&s->in[0], a), gtr__shape_text(&o, b));
    s->out[0] = o;
    return GTR_OK;
}

// >>op:stop_gradient
/* y = x, of which no gradient passes. */
#define gtr__shape_stop_gradient gtr__shape_alike

// >>op:widen
/* x in float32 storage, under any precision: what a loss computes with. */
#define gtr__shape_widen gtr__shape_same

// >>op:matmul
/* y = op(a) op(b): a (..., M, K), b (..., N, K) -> (..., M, N). i[3]: a is (..., K, M); i[4]: b is (..., K, N); a
   layer's are zero. Leading dimensions are equal, or one has none. */
GTR__SHAPE(matmul) {
    static const char *const want[2][2] = { { "(..., M, K) and (..., K, N)", "(..., M, K) and (..., N, K)" },
            { "(..., K, M) and (..., K, N)", "(..., K, M) and (..., N, K)" } };
    const gtr_shape *a = &s->in[0], *b = &s->in[1];
    const int ta = s->attr->i[3] != 0, tb = !s->attr->i[4];
    bool same = a->ndim == b->ndim;
    if (a->ndim < 2 || b->ndim < 2) return gtr__shape_want(s, 2, "at least two dimensions each");
    int64_t k = a->dim[a->ndim - 1 - ta];
    for (int i = 0; same && i < a->ndim - 2; i++) same = a->dim[i] == b->dim[i];
    if (k != b->dim[b->ndim - 2 + tb] || !(same || a->ndim == 2 || b->ndim == 2))
        return gtr__shape_want(s, 2, want[ta][tb]);
    gtr_shape o = a->ndim >= b->ndim ? *a : *b;
    o.dim[o.ndim - 2] = a->dim[a->ndim - 2 + ta]; o.dim[o.ndim - 1] = b->dim[b->ndim - 1 - tb];
    s->flops = gtr__shape_flops(&o, k > 0 ? 2.0 * (double)k : 0);
    return gtr__shape_output(s, 0, o);
}
typedef struct { int64_t m, n, k, items; gtr__matrix a, b; } gtr__matmul_dims; /* of op(a), op(b) */
static gtr__matrix gtr__matrix_t(gtr__matrix m) { const int64_t row = m.row; m.row = m.col; m.col = row; return m; }
static gtr__matrix gtr__matrix_in(const gtr__arg *x, bool transposed) {
    gtr__matrix m = GTR__ZERO;
    gtr__matrix_of(&x->shape, x->stride, &m);
    return transposed ? gtr__matrix_t(m) : m;
}
static gtr__matmul_dims gtr__matmul_shape(const gtr__call *c) {
    const bool ta = c->attr->i[3] != 0, tb = !c->attr->i[4];
    const gtr_shape *a = &c->in[0].shape, *b = &c->in[1].shape;
    const int64_t a0 = a->ndim > 1 ? a->dim[a->ndim - 2] : 1, a1 = a->dim[a->ndim - 1], b0 = b->dim[b->ndim - 2],
        b1 = b->dim[b->ndim - 1];
    gtr__matmul_dims d;
    d.m = ta ? a1 : a0; d.k = ta ? a0 : a1; d.n = tb ? b0 : b1;
    d.a = gtr__matrix_in(&c->in[0], ta); d.b = gtr__matrix_in(&c->in[1], tb);
    d.items = GTR__MAX(c->in[0].count / GTR__MAX(a0 * a1, 1), c->in[1].count / GTR__MAX(b0 * b1, 1));
    /* all items of a are rows of one product, if they lie so */
    const bool strided = c->in->stride || c->in[c->n_in - 1].stride || c->out->stride;
    if (d.items > 1 && !ta && d.a.item && !d.b.item && !strided) { d.m *= d.items; d.items = 1; }
    return d;
}
/* A product a item, to out or, t, its transpose; one out for all gets their sum in order. True: as the transposed. */
static bool gtr__matmul_add(gtr__products *p, int64_t m, int64_t n, int64_t k, int64_t items, const gtr_float *a,
        gtr__matrix x, const gtr_float *b, gtr__matrix y, const gtr__arg *out, bool t) {
    const gtr__matrix z = gtr__matrix_in(out, t);
    const struct { const gtr_float *p; int64_t n; gtr__matrix m; } of[2] = { { a, m, x }, { b, n, gtr__matrix_t(y) } },
        *l = &of[z.col != 1], *r = &of[z.col == 1];
    gtr__gemm *g = &p->gemm[p->n++];
    g->m = l->n; g->n = r->n; g->k = k;
    g->a = l->p; g->ars = l->m.row; g->acs = l->m.col; g->a_item = l->m.item; g->a_outer = l->m.outer;
    g->b = r->p; g->brs = r->m.col; g->bcs = r->m.row; g->b_item = r->m.item; g->b_outer = r->m.outer;
    g->c = gtr__floats(out); g->ldc = z.row * z.col; g->c_item = z.item; g->c_outer = z.outer;
    g->add = out->add;
    g->items = z.item ? items : 1; g->sums = z.item ? 1 : items;
    g->inner = GTR__MAX(x.inner, y.inner);
    return l != of;
}
/* Gradients are products again: da = dy op(b)^T, db = op(a)^T dy, and a bias's ones times dy. */
GTR__CPU(linear_bwd) {
    static const gtr_float one = 1;
    const bool ta = c->attr->i[3] != 0, tb = !c->attr->i[4];
    const gtr__matmul_dims d = gtr__matmul_shape(c);
    const gtr__matrix y = gtr__matrix_in(&c->in[c->n_in - 1], false), ones = { 1, 0, 1, 0, 0 };
    const gtr_float *a = gtr__in(c, 0), *b = gtr__in(c, 1), *dy = gtr__in(c, c->n_in - 1);
    gtr__products p = GTR__ZERO;
    if (gtr__wanted(c, 1)) gtr__matmul_add(&p, d.k, d.n, d.m, d.items, a, gtr__matrix_t(d.a), dy, y, &c->out[1], tb);
    if (gtr__wanted(c, 0)) gtr__matmul_add(&p, d.m, d.k, d.n, d.items, dy, y, b, gtr__matrix_t(d.b), &c->out[0], ta);
    if (gtr__wanted(c, 2)) gtr__matmul_add(&p, 1, d.n, d.m, d.items, &one, ones, dy, y, &c->out[2], false);
    return gtr__products_run(&p, (gtr__cpu *)cpu, c);
}
#define gtr__cpu_matmul_fwd gtr__cpu_linear_fwd
#define gtr__cpu_matmul_bwd gtr__cpu_linear_bwd

// >>op:linear
/* y = x w^T + b: x (..., K), w (M, K), b (M) or absent -> (..., M); dx = dy w, dw = dy^T x, db = sum of dy's rows. */
GTR__SHAPE(linear) {
    const gtr_shape *x = &s->in[0], *w = &s->in[1], *b = s->n_in > 2 ? &s->in[2] : NULL;
    gtr_shape o = *x;
    if (x->ndim < 1 || w->ndim != 2 || x->dim[x->ndim - 1] != w->dim[1]
        || (b && (b->ndim != 1 || b->dim[0] != w->dim[0])))
        return gtr__shape_want(s, s->n_in, b ? "x (..., K), weight (M, K) and bias (M,)"
            : "x (..., K) and weight (M, K)");
    o.dim[x->ndim - 1] = w->dim[0];
    s->flops = gtr__shape_flops(&o, 2.0 * (double)w->dim[1]);
    return gtr__shape_output(s, 0, o);
}
/* What a fused op's attributes name, of the product in c: to out[0]. */
static gtr_result gtr__linear_act(GTR__ARGS, gtr__products *p, const gtr_float *saved) {
    gtr__gemm *g = p->gemm;
    g->act = gtr__unary_find((int)c->attr->i[0]);
    g->act_a = (gtr_float)c->attr->f[0]; g->act_b = (gtr_float)c->attr->f[1];
    g->to = gtr__out(c, 0); g->saved = saved;
    if (c->attr->i[2]) g->more = gtr__in(c, c->n_in - 1);
    return g->act || c->attr->i[0] < 0 ? gtr__products_run(p, (gtr__cpu *)cpu, c) : GTR_ERR_ARG;
}
/* act: 1: with an activation, 2: with its backward */
static gtr_result gtr__linear_forward(GTR__ARGS, int act) {
    const gtr__matmul_dims d = gtr__matmul_shape(c);
    gtr__products p = GTR__ZERO;
    const bool across = gtr__matmul_add(&p, d.m, d.n, d.k, d.items, gtr__in(c, 0), d.a, gtr__in(c, 1), d.b,
        &c->out[act == 1 && gtr__wanted(c, 1)], false);
    if (act < 2 && c->n_in - (c->attr->i[2] != 0) > 2) *(across ? &p.gemm->row_bias : &p.gemm->bias) = gtr__in(c, 2);
    return act ? gtr__linear_act(cpu, c, &p, act == 2 ? gtr__in(c, 2) : NULL)
        : gtr__products_run(&p, (gtr__cpu *)cpu, c);
}
GTR__CPU(linear_fwd) { return gtr__linear_forward(cpu, c, 0); }

// >>op:linear_act
/* pre = x w^T + b, out[0] = act(pre) + r, out[1] = pre or absent. i[0]: the act's op; -1: none; f[0], f[1] its a, b.
   i[2]: the last input is r, lying as out[0]. i[3], i[4]: as matmul's. */
GTR__CPU(linear_act_fwd) { return gtr__linear_forward(cpu, c, 1); }

// >>op:linear_dact
/* out[0] = act'(dy w): dy (..., M), w (M, K), and (..., K), the act's x or y, whichever its backward reads -> (..., K):
   the gradient of a product's first operand and of the activation before it. Attributes as linear_act's. */
GTR__CPU(linear_dact_fwd) { return gtr__linear_forward(cpu, c, 2); }

// >>op:add
// >>op:sub
// >>op:mul
// >>op:div
// >>op:binary
/* y = f(a, b), formulas and gradients in GTR__BINARY; NumPy's broadcasting. A broadcast operand's gradient is summed,
   in double, over the dimensions that it lacks. */
static gtr_result gtr__binary_forward(GTR__ARGS, gtr__ew_fn fn) {
    GTR__WANTS(0);
    gtr__ew_job w = gtr__ew_make(fn, &c->in[0], &c->in[1], &c->out[0]);
    return gtr__ew(cpu, &w);
}
static gtr_result gtr__binary_backward(GTR__ARGS, gtr__ew_fn da, gtr__ew_fn db) {
    size_t most = 0;
    for (int k = 0; k < c->n_out && k < 2; k++) {
        const bool whole = c->in[k].count == c->in[3].count;
        if (!c->measure && !c->out[k].data) continue;
        gtr__reduce r = gtr__reduce_make(&c->in[3].shape, &c->in[0].shape, &c->in[1].shape, &c->in[k].shape);
        if (c->measure) { if (!whole) most = GTR__MAX(most, gtr__reduce_bytes(&r)); continue; }
        r.ew.fn = k ? db : da;
        r.ew.a = gtr__in(c, 0); r.ew.b = gtr__in(c, 1); r.ew.y = gtr__in(c, 2); r.ew.dy = gtr__in(c, 3);
        r.ew.out = gtr__out(c, k); r.ew.add = c->out[k].add;
        if (whole) gtr__ew(cpu, &r.ew);
        else gtr__reduce_all(cpu, &r, c->ws);
    }
    GTR__WANTS(most);
    return GTR_OK;
}
#define GTR__BINARY_OP(ID, name, ...) \
    GTR__SHAPE(name) { return gtr__shape_broadcast(s); } \
    GTR__CPU_BOTH(name, back ? gtr__binary_backward(cpu, c, gtr__ew_##name##_da, gtr__ew_##name##_db) \
        : gtr__binary_forward(cpu, c, gtr__ew_##name))
GTR__BINARY(GTR__BINARY_OP)

// >>op:scale
// >>op:relu
// >>op:tanh
// >>op:sigmoid
// >>op:gelu
// >>op:gelu_tanh
// >>op:exp
// >>op:log
// >>op:unary
/* y = f(x), formulas and gradients in GTR__UNARY; f[0], f[1]: a, b. Gelu: Hendrycks and Gimpel, 2016. */
typedef struct {
    const gtr__unary_row *row; int add; gtr_float a, b; const gtr_float *dy, *x, *y; gtr_float *out;
} gtr__unary_job;
static void gtr__unary_range(GTR__SPAN) {
    GTR__JOB(gtr__unary_job, w);
    gtr__unary_apply(w->row, w->a, w->b, w->dy ? w->dy + i : NULL, w->x + i, w->y + i, w->out + i, end - i, w->add);
}
static gtr_result gtr__unary_run(GTR__ARGS, int op, const gtr_float *x, bool back) {
    gtr__unary_job w = { gtr__unary_find(op), c->out[0].add, (gtr_float)c->attr->f[0], (gtr_float)c->attr->f[1], NULL,
        x, NULL, gtr__out(c, 0) };
    if (back) { w.y = gtr__in(c, 1); w.dy = gtr__in(c, 2); }
    if (!w.x) w.x = w.dy;
    if (!w.y) w.y = w.x;
    if (!w.row) return GTR_ERR_UNSUPPORTED;
    if (w.out) gtr__ranges(cpu, gtr__unary_range, &w, c->in[0].count, GTR__DEAR);
    return GTR_OK;
}
#define GTR__UNARY_OP(ID, name, ...) \
    GTR__SHAPE(name) { return gtr__shape_same(s); } \
    GTR__CPU_BOTH(name, gtr__unary_run(cpu, c, GTR__OP_##ID, gtr__in(c, 0), back))
GTR__UNARY(GTR__UNARY_OP)

// >>op:permute
/* y's dimension k is x's dimension i[k]; dx is the inverse permutation of dy. */
GTR__SHAPE(permute) {
    const gtr_shape *x = &s->in[0];
    uint32_t seen = 0;
    for (int k = 0; k < x->ndim; k++) {
        int64_t d = s->attr->i[k];
        if (d < 0 || d >= x->ndim || (seen >> d & 1u))
            return gtr__shape_want(s, 1, "each dimension of it once in dims");
        seen |= 1u << d;
        s->out[0].dim[k] = x->dim[d];
    }
    return GTR_OK;
}
/* A transposition: y's dim[0] is skip apart in x, x's adjacent elements are y's dim[t]. Items: tiles of VL elements of
   dim[0] by all of dim[t]. */
typedef struct {
    const gtr__ew_job *ew;
    gtr__nd outer;
    int64_t tiles, n, skip, rows, step;
} gtr__transpose_job;
static void gtr__transpose_range(GTR__SPAN) {
    GTR__JOB(gtr__transpose_job, w);
    gtr_float tile[GTR__BLOCK];
    for (; i < end; i++) {
        const int64_t j = i % w->tiles * GTR__VL, wide = GTR__MIN(w->n - j, GTR__VL), most = GTR__BLOCK / GTR__VL;
        int64_t offset[4] = { 0, 0, 0, 0 };
        gtr__nd_seek(&w->outer, i / w->tiles, offset);
        const gtr_float *x = w->ew->a + offset[1] + j * w->skip;
        gtr_float *y = w->ew->out + offset[3] + j;
        if (wide == GTR__VL && !w->ew->add) { gtr__pack_group(x, w->skip, w->rows, y, w->step); continue; }
        for (int64_t l = 0; l < w->rows; l += most) {
            const int64_t rows = GTR__MIN(w->rows - l, most);
            if (wide == GTR__VL) gtr__pack_group(x + l, w->skip, rows, tile, GTR__VL);
            else for (int64_t r = 0; r < rows; r++)
                for (int64_t k = 0; k < wide; k++) tile[r * GTR__VL + k] = x[l + r + k * w->skip];
            for (int64_t r = 0; r < rows; r++) {
                gtr_float *to = y + (l + r) * w->step;
                const gtr_float *from = tile + r * GTR__VL;
                for (int64_t k = 0; k < wide; k++) to[k] = w->ew->add ? to[k] + from[k] : from[k];
            }
        }
    }
}
static void gtr__permute(void *cpu, const gtr__arg *x, const int64_t *dims, const gtr__arg *out) {
    int64_t stride[GTR_MAX_DIMS], step = 1, to = 1;
    int t = 0;
    gtr__ew_job w = {
        gtr__nd_unit, gtr__ew_copy, NULL, gtr__floats(x), NULL, NULL, gtr__floats(out), 0, out->add };
    for (int k = x->shape.ndim - 1; k >= 0; k--) { stride[k] = step; step *= x->shape.dim[k]; }
    for (int k = x->shape.ndim - 1; k >= 0; k--) {
        gtr__nd_push(&w.nd, x->shape.dim[dims[k]], to, stride[dims[k]], 0, to);
        to *= x->shape.dim[dims[k]];
    }
    while (t < w.nd.n && w.nd.stride[1][t] != 1) t++;
    if (!w.out) return;
    if (t == 0 || t == w.nd.n) { gtr__ew(cpu, &w); return; }
    gtr__transpose_job j = { &w, gtr__nd_unit, (w.nd.dim[0] + GTR__VL - 1) / GTR__VL, w.nd.dim[0], w.nd.stride[1][0],
            w.nd.dim[t], w.nd.stride[3][t] };
    for (int k = 1; k < w.nd.n; k++)
        if (k != t) gtr__nd_push(&j.outer, w.nd.dim[k], w.nd.stride[0][k], w.nd.stride[1][k], 0, w.nd.stride[3][k]);
    gtr__ranges(cpu, gtr__transpose_range, &j, j.outer.count * j.tiles, GTR__CHUNK / (j.rows * GTR__VL));
}
GTR__CPU(permute_fwd) {
    gtr__permute(cpu, &c->in[0], c->attr->i, &c->out[0]); return GTR_OK;
}
GTR__CPU(permute_bwd) {
    int64_t dims[GTR_MAX_DIMS] = { 0 };
    for (int k = 0; k < c->in[0].shape.ndim; k++) dims[c->attr->i[k]] = k;
    gtr__permute(cpu, &c->in[2], dims, &c->out[0]);
    return GTR_OK;
}

// >>op:concat
/* y: the inputs one behind the other along axis i[0], which is literal. */
GTR__SHAPE(concat) {
    const int axis = (int)s->attr->i[0];
    gtr_shape o = s->in[0];
    for (int k = 0; k < s->n_in; k++) {
        bool good = s->in[k].ndim == o.ndim;
        for (int i = 0; good && i < o.ndim; i++) good = i == axis ? s->in[k].dim[i] > 0 : s->in[k].dim[i] == o.dim[i];
        if (!good) {
            char a[GTR__TEXT], b[GTR__TEXT];
            return GTR__BAD_SHAPE(s,
                "got %s and, as number %d, %s, want shapes alike but for dimension %d, which is not the batch",
                gtr__shape_text(&s->in[0], a), k + 1, gtr__shape_text(&s->in[k], b), axis);
        }
        if (k && s->in[k].dim[axis] > INT64_MAX / 16 - o.dim[axis])
            return GTR__BAD_SHAPE(s, "got too many elements along dimension %d", axis);
        if (k) o.dim[axis] += s->in[k].dim[axis];
    }
    return gtr__shape_output(s, 0, o);
}
/* Copies bands of the whole to the parts or, joins, back; 0 where no part is. */
static gtr_result gtr__bands_run(GTR__ARGS, bool joint, bool back) {
    const bool joins = joint != back;
    const int64_t *at = c->attr->i, n = !joint ? at[3] : back ? c->n_out : c->n_in;
    const gtr__arg *whole = joins ? c->out : c->in + (joint ? c->n_in - 1 : 0),
        *part = !joins ? c->out : c->in + (joint ? 0 : 1 + n);
    const int64_t outer = gtr__shape_outer(&whole->shape, at[0]), row = whole->count / outer,
        inner = row / whole->shape.dim[at[0]], each = (at[2] - at[1]) * inner;
    gtr_float *w = gtr__floats(whole);
    int64_t left = joint ? 0 : row;
    for (int64_t k = 0; k < n && left; k++) left -= part[k].data ? each : 0;
    if (joins && left && !whole->add) GTR__CLEAR(w, whole->count);
    w += joint ? 0 : at[1] * inner;
    for (int64_t k = 0, run; k < n; k++, w += run) {
        gtr_float *p = gtr__floats(&part[k]);
        run = joint ? c->in[k].count / outer : each;
        if (p && joins) gtr__copy_rows(cpu, p, run, w, row, outer, run, whole->add);
        else if (p) gtr__copy_rows(cpu, w, row, p, run, outer, run, part[k].add);
    }
    return GTR_OK;
}
GTR__CPU_BOTH(concat, gtr__bands_run(cpu, c, true, back))

// >>op:slice
/* y: elements i[1] to i[2] - 1 of dimension i[0], which is literal; i[3] outputs, each of the elements behind those of
   the one before it. dx is their dy there, else 0. */
GTR__SHAPE(slice) {
    const int64_t axis = s->attr->i[0], begin = s->attr->i[1], end = s->attr->i[2];
    char a[GTR__TEXT];
    if (s->in[0].dim[axis] < 0 || begin < 0 || begin >= end || end > s->in[0].dim[axis])
        return gtr__shape_fail(s, GTR_ERR_ARG,
            "got begin %lld and end %lld in dimension %lld of %s, want 0 <= begin < end within a dimension that is "
            "not the batch", (long long)begin, (long long)end, (long long)axis, gtr__shape_text(&s->in[0], a));
    s->n_out = (int)s->attr->i[3];
    for (int k = 0; k < s->n_out; k++) { s->out[k] = s->in[0]; s->out[k].dim[axis] = end - begin; }
    return GTR_OK;
}
GTR__CPU_BOTH(slice, gtr__bands_run(cpu, c, false, back))

// >>op:sum
/* y = sum of x over the dimensions whose bit is set in i[0], accumulated in double; i[1]: they stay, as
   1. dx = dy broadcast. */
GTR__SHAPE(sum) {
    const gtr_shape *x = &s->in[0];
    gtr_shape o = gtr_shape0();
    for (int k = 0; k < x->ndim; k++) {
        bool summed = (s->attr->i[0] >> k & 1) != 0;
        if (!summed || s->attr->i[1]) o.dim[o.ndim++] = summed ? 1 : x->dim[k];
    }
    s->out[0] = o;
    s->flops = gtr__shape_flops(x, 1);
    return GTR_OK;
}
static gtr_result gtr__sum_all(GTR__ARGS, bool mean, bool back) {
    gtr__arg y = back ? c->in[2] : c->out[0];
    const double factor = mean ? (double)y.count / (double)c->in[0].count : 1;
    y.shape = gtr__shape_ones(c->in[0].shape, c->attr->i[0]);
    if (back) {
        GTR__WANTS(0);
        gtr__ew_job w = gtr__ew_make(gtr__ew_times, &y, NULL, &c->out[0]);
        w.g = (gtr_float)factor;
        return w.out ? gtr__ew(cpu, &w) : GTR_OK;
    }
    gtr__reduce r = gtr__reduce_make(&c->in[0].shape, NULL, NULL, &y.shape);
    GTR__WANTS(gtr__reduce_bytes(&r));
    r.ew.dy = gtr__in(c, 0); r.ew.out = gtr__out(c, 0);
    r.factor = factor;
    return gtr__reduce_all(cpu, &r, c->ws);
}
GTR__CPU_BOTH(sum, gtr__sum_all(cpu, c, false, back))

// >>op:mean
/* sum divided by the number of elements summed; attributes as sum's. */
#define gtr__shape_mean gtr__shape_sum
GTR__CPU_BOTH(mean, gtr__sum_all(cpu, c, true, back))

// >>op:logsumexp
// >>op:max
// >>op:min
// >>op:prod
// >>op:var
// >>op:norm
/* Of x over the dimensions of i[0], which with i[1] stay as 1: i[2] is GTR__F_LSE and so on, f[0] what var divides by
   less than the count. The second output is the place found (GTR_I32), or what backward wants. In double. */
#define GTR__FOLD_EXP(v) (double)GTR__EXPF((gtr_float)(v))
GTR__FOLD_CODE(GTR__INLINE, double, GTR__FOLD_EXP, log, sqrt, fabs)
GTR__SHAPE(fold) {
    const int64_t kind = s->attr->i[2];
    int64_t n = 1;
    GTR__TRY(gtr__shape_sum(s));
    s->out[1] = s->out[0];
    if (kind != GTR__F_MAX && kind != GTR__F_MIN) return GTR_OK;
    for (int k = 0; k < s->in[0].ndim; k++) if (s->attr->i[0] >> k & 1) n *= GTR__MAX(s->in[0].dim[k], 1);
    if (n > INT32_MAX) return gtr__shape_want(s, 1, "fewer than 2^31 elements along the axes");
    s->n_out = 2;
    s->out_dtype[1] = GTR_I32;
    return GTR_OK;
}
/* Lanes are outputs side by side (across 1), or a share each of one output. step: apart in x. */
#define GTR__LANES 64
#define GTR__SHARES 16
typedef struct {
    const gtr__call *c; const gtr_float *x, *dy, *y, *aux; const int32_t *place; /* dy to place: of backward */
    gtr__nd kept, summed; int kind; double n; int64_t across, step;
} gtr__fold;
/* Of backward a is dy, b y, c what was kept. */
typedef struct { double a[GTR__LANES], b[GTR__LANES], c[GTR__LANES]; int32_t k[GTR__LANES]; } gtr__lanes;
#define GTR__LANE(u, j) gtr__folded u = { s->a[j], s->b[j], s->c[j], s->k[j] }
static gtr__folded gtr__fold_exps(const gtr_float *x, int64_t n) {
    gtr__folded s = { gtr__max_run(x, n), 0, 1, 0 };
    gtr_float e[GTR__BLOCK];
    for (int64_t i = 0; i < n; i += GTR__BLOCK) {
        const int64_t some = GTR__MIN(n - i, GTR__BLOCK);
        for (int64_t j = 0; j < some; j++) e[j] = x[i + j] - (gtr_float)s.a;
        gtr__exp_run(e, some);
        s.b += gtr__sum_run(e, some);
    }
    return s;
}
#define GTR__FOLD_LOOP(KIND) case GTR__F_##KIND: \
    if (!w->dy) { GTR__IVDEP for (int64_t j = 0; j < n; j++) { \
        GTR__LANE(u, j); \
        const gtr__folded t = gtr__fold_one(GTR__F_##KIND, (double)x[j * w->step], w->across ? q : q + j); \
        gtr__fold_join(&u, GTR__F_##KIND, &t); \
        s->a[j] = u.a; s->b[j] = u.b; s->c[j] = u.c; s->k[j] = u.k; \
    } } else { GTR__IVDEP for (int64_t j = 0; j < n; j++) { \
        const gtr_float d = (gtr_float)gtr__fold_back(GTR__F_##KIND, s->a[j], (double)x[j * w->step], s->b[j], \
            s->c[j], w->n); \
        dx[j * w->step] = w->c->out[0].add ? dx[j * w->step] + d : d; \
    } } break;
/* n lanes get an element each, from the one at on, of place q, or from there on. */
static void gtr__fold_run(const gtr__fold *w, gtr__lanes *s, int64_t n, int64_t at, int64_t q) {
    gtr_float *dx = gtr__out(w->c, 0) + at;
    const gtr_float *x = w->x ? w->x + at : dx;
    switch (w->kind) { GTR__FOLD_KINDS(GTR__FOLD_LOOP) default: break; }
}
static void gtr__fold_range(GTR__SPAN) {
    GTR__JOB(gtr__fold, w);
    const gtr__folded none = gtr__fold_one(w->kind, 0, -1);
    const gtr__arg *aux = w->c->out + 1;
    const bool exps = w->kind == GTR__F_LSE && !w->across && !w->dy && w->step == 1;
    gtr__lanes all, *const s = &all;
    for (int64_t n; i < end; i += w->across ? n : 1) {
        int64_t base[4] = { 0, 0, 0, 0 };
        const int64_t rest = w->kept.dim[0] - gtr__nd_seek(&w->kept, i, base);
        if (w->place) {
            gtr__nd_seek(&w->summed, w->place[i], base);
            gtr__out(w->c, 0)[base[0]] += w->dy[i];
            n = 1;
            continue;
        }
        n = w->across ? GTR__MIN(GTR__MIN(rest, end - i), GTR__LANES) : exps ? 1
            : GTR__MIN(w->summed.dim[0], w->dy ? GTR__LANES : GTR__SHARES);
        for (int64_t j = 0, o = i; j < n; j++, o += w->across) {
            s->a[j] = w->dy ? w->dy[o] : none.a; s->b[j] = w->y ? w->y[o] : none.b;
            s->c[j] = w->aux ? w->aux[o] : none.c; s->k[j] = none.k;
        }
        for (int64_t q = 0, m; q < w->summed.count; q += m) {
            int64_t at[4] = { base[0], 0, 0, 0 };
            m = w->across ? 1 : w->summed.dim[0];
            gtr__nd_seek(&w->summed, q, at);
            if (exps) {
                const gtr__folded t = gtr__fold_exps(w->x + at[0], m);
                GTR__LANE(u, 0);
                if (q) gtr__fold_join(&u, GTR__F_LSE, &t); else u = t;
                if (u.b == u.b) { s->a[0] = u.a; s->b[0] = u.b; continue; }
            }
            for (int64_t e = 0; e < m; e += n)
                gtr__fold_run(w, s, w->across ? n : GTR__MIN(m - e, n), at[0] + e * w->step, q + e);
        }
        for (int64_t j = 0; j < (w->across ? n : 1) && !w->dy; j++) {
            GTR__LANE(u, j);
            double kept;
            for (int64_t k = 1; k < n && !w->across; k++) { const GTR__LANE(t, k); gtr__fold_join(&u, w->kind, &t); }
            gtr__out(w->c, 0)[i + j] = (gtr_float)gtr__fold_end(&u, w->kind, w->n, &kept);
            if (w->c->n_out < 2) continue;
            if (aux->dtype == GTR_I32) ((int32_t *)aux->data)[i + j] = u.k;
            else gtr__floats(aux)[i + j] = (gtr_float)kept;
        }
    }
}
static gtr_result gtr__fold_all(GTR__ARGS, bool back) {
    const gtr_shape to = gtr__shape_ones(c->in[0].shape, c->attr->i[0]);
    const gtr__nd nd = gtr__nd_make(&c->in[0].shape, NULL, NULL, &to);
    gtr__fold w = GTR__ZERO;
    GTR__WANTS(0);
    w.c = c; w.x = gtr__in(c, 0); w.kind = (int)c->attr->i[2]; w.kept = w.summed = gtr__nd_unit;
    for (int k = 0; k < nd.n; k++)
        gtr__nd_push(nd.stride[3][k] ? &w.kept : &w.summed, nd.dim[k], nd.stride[0][k], 0, 0, nd.stride[3][k]);
    w.n = (double)w.summed.count - c->attr->f[0];
    w.across = w.kept.n && (w.kept.stride[0][0] == 1
        || (w.summed.count < GTR__LANES && w.kind != (back ? GTR__F_NORM1 : GTR__F_LSE)));
    w.step = (w.across ? &w.kept : &w.summed)->stride[0][0];
    if (back) { w.dy = gtr__in(c, c->n_in - 1); w.y = gtr__in(c, 1); }
    if (c->n_in > 3 && c->in[2].dtype == GTR_I32) w.place = gtr__in_ints(c, 2);
    else if (c->n_in > 3) w.aux = gtr__in(c, 2);
    if (!c->out[0].data) return GTR_OK;
    if (w.place && !c->out[0].add) gtr__copy_rows(cpu, NULL, 0, gtr__out(c, 0), 0, 1, c->in[0].count, 0);
    return gtr__ranges(cpu, gtr__fold_range, &w, w.kept.count, GTR__MAX(
        GTR__CHUNK / 4 / w.summed.count, w.across ? GTR__CLIP(w.kept.dim[0] / 128 * 8, 8, GTR__LANES) : 1));
}
#define GTR__FOLD_KERNELS(X, ID, name, ...) \
    GTR__SHAPE(name) { return gtr__shape_fold(s); } \
    GTR__CPU_BOTH(name, gtr__fold_all(cpu, c, back))
GTR__FOLDS(GTR__FOLD_KERNELS, )

// >>op:softmax
// >>op:log_softmax
/* y = exp(x - max x) / sum exp(x - max x) along axis i[0]; dx = y (dy - sum(dy y)). i[1], unless 0: x goes
   through that op first, and dx through its gradient (on a GPU SCALE alone); f[0], f[1] its a, b. i[2]: log_softmax:
   y = x - max x - log sum exp(x - max x); dx = dy - exp(y) sum(dy). */
GTR__SHAPE(softmax) {
    s->flops = gtr__shape_flops(&s->in[0], 5); return GTR_OK;
}
#define GTR__AXIS GTR__JOB(gtr__call, c); const int64_t n = c->in[0].shape.dim[c->attr->i[0]], \
    inner = gtr__shape_inner(&c->in[0].shape, c->attr->i[0])
static void gtr__softmax_range(GTR__SPAN) {
    GTR__AXIS;
    const bool logs = c->attr->i[2] != 0, whole = inner == 1 && !logs;
    for (int64_t r = i; whole && r < end; r++) {
        const gtr_float *x = gtr__in(c, 0) + r * n, m = gtr__max_run(x, n);
        gtr_float *y = gtr__out(c, 0) + r * n;
        for (int64_t k = 0; k < n; k++) y[k] = x[k] - m;
    }
    if (whole) gtr__exp_run(gtr__out(c, 0) + i * n, (end - i) * n);
    for (; whole && i < end; i++) {
        gtr_float *y = gtr__out(c, 0) + i * n;
        const gtr_float f = (gtr_float)(1 / gtr__sum_run(y, n));
        for (int64_t k = 0; k < n; k++) y[k] *= f;
    }
    for (; i < end; i++) {
        const int64_t at = i / inner * n * inner + i % inner;
        const gtr_float *x = gtr__in(c, 0) + at;
        gtr_float *y = gtr__out(c, 0) + at, m = x[0], t[GTR__BLOCK];
        double sum = 0;
        if (inner == 1) {
            const gtr__folded all = gtr__fold_exps(x, n);
            m = (gtr_float)all.a;
            const gtr_float f = (gtr_float)log(all.b);
            for (int64_t k = 0; k < n; k++) y[k] = x[k] - m - f;
            continue;
        }
        for (int64_t k = inner; k < n * inner; k += inner) m = x[k] > m ? x[k] : m;
        for (int64_t first = 0; first < n; first += GTR__BLOCK) {
            const int64_t some = GTR__MIN(n - first, GTR__BLOCK);
            for (int64_t k = 0; k < some; k++) y[(first + k) * inner] = t[k] = x[(first + k) * inner] - m;
            gtr__exp_run(t, some);
            for (int64_t k = 0; k < some; k++) sum += t[k];
            for (int64_t k = 0; !logs && k < some; k++) y[(first + k) * inner] = t[k];
        }
        const gtr_float f = (gtr_float)(logs ? log(sum) : 1 / sum);
        for (int64_t k = 0; k < n * inner; k += inner) y[k] = logs ? y[k] - f : y[k] * f;
    }
}
static void gtr__softmax_back_range(GTR__SPAN) {
    GTR__AXIS;
    const int add = c->out[0].add, logs = c->attr->i[2] != 0;
    for (; i < end; i++) {
        const int64_t at = i / inner * n * inner + i % inner;
        const gtr_float *y = gtr__in(c, 1) + at, *dy = gtr__in(c, 2) + at;
        gtr_float *dx = gtr__out(c, 0) + at, t[GTR__BLOCK];
        double sum = 0;
        if (inner == 1 && !logs) {
            const gtr_float all = (gtr_float)gtr__dot_run(y, dy, n);
            GTR__IVDEP
            for (int64_t k = 0; k < n; k++) {
                const gtr_float d = y[k] * (dy[k] - all);
                dx[k] = add ? dx[k] + d : d;
            }
            continue;
        }
        if (inner == 1) sum = gtr__sum_run(dy, n);
        else for (int64_t k = 0; k < n * inner; k += inner) sum += (double)dy[k] * (logs ? 1 : (double)y[k]);
        for (int64_t k = 0; k < n; k++) {
            const int64_t e = k % GTR__BLOCK, some = GTR__MIN(n - k, GTR__BLOCK);
            for (int64_t j = 0; logs && !e && j < some; j++) t[j] = y[(k + j) * inner];
            if (logs && !e) gtr__exp_run(t, some);
            const gtr_float d = logs ? dy[k * inner] - t[e] * (gtr_float)sum
                : y[k * inner] * (dy[k * inner] - (gtr_float)sum);
            dx[k * inner] = add ? dx[k * inner] + d : d;
        }
    }
}
static gtr_result gtr__softmax_run(GTR__ARGS, bool back) {
    const gtr__arg *y = c->out, dy[3] = { *y, *y, *y };
    const int64_t n = c->in[0].shape.dim[c->attr->i[0]];
    const int op = (int)c->attr->i[1];
    gtr__call of = *c;
    if (!y->data) return GTR_OK;
    if (op && !back) { GTR__TRY(gtr__unary_run(cpu, c, op, gtr__in(c, 0), false)); of.in = y; }
    gtr__ranges(cpu, back ? gtr__softmax_back_range : gtr__softmax_range, &of, y->count / n, GTR__DEAR / n);
    of.in = dy;
    return op && back ? gtr__unary_run(cpu, &of, op, NULL, true) : GTR_OK;
}
GTR__CPU_BOTH(softmax, gtr__softmax_run(cpu, c, back))
#define gtr__shape_log_softmax gtr__shape_softmax
#define gtr__cpu_log_softmax_fwd gtr__cpu_softmax_fwd
#define gtr__cpu_log_softmax_bwd gtr__cpu_softmax_bwd

// >>op:dropout
/* In training y = x keep / (1 - p), dx = dy keep / (1 - p); in evaluation y = x. f[0]: p; i[0]: dimension 0 is not
   the batch. Element e of row r (the first dimension; e within the row) is kept if the uniform number of counter
   (step, row0 + r, e) is at least p; with i[0] row0 and r are 0 and e the linear index. i[1], unless 0: each i[1] rows
   (with i[0]: elements) are those from i[3] on of i[2] in the whole batch, and count as there. Backward draws the mask
   again. i[5]: rows for the batch's. Srivastava et al., 2014. */
GTR__SHAPE(dropout) {
    s->flops = gtr__shape_flops(&s->in[0], s->training ? 20 : 1); return GTR_OK;
}
static int64_t gtr__in_whole(const gtr__attr *a, int64_t i) {
    return a->i[1] ? i / a->i[1] * a->i[2] + i % a->i[1] + a->i[3] : i;
}
GTR__INLINE float gtr__draw_log(float x) GTR__DRAW_LOG_BODY
GTR__INLINE void gtr__draw_four(int kind, const uint32_t *u, float *v) GTR__DRAW_FOUR_BODY
/* n numbers of a row from its element e on, a multiple of 4; v has room for 3 more. */
static void gtr__draw_line(const gtr__attr *a, const gtr__ctl *ctl, int64_t row0, int kind, int64_t row, int64_t e,
        int64_t n, float *v) {
    const uint64_t step = ctl ? ctl->step : 0;
    const int64_t counted = a->i[0] ? 0 : row0 + gtr__in_whole(a, row), by = a->i[0] && a->i[1] ? 1 : 4;
    for (int64_t j = 0; j < n; j += by) {
        const int64_t at = a->i[0] ? gtr__in_whole(a, e + j) : e + j;
        uint32_t k[4];
        float four[4];
        GTR__COUNTER(k, step, counted, at);
        GTR__PHILOX(k, a->key);
        gtr__draw_four(kind, k, four);
        if (by == 1) v[j] = four[at % 4]; else GTR__COPY(v + j, four, 4);
    }
}
/* n elements of a row, at most GTR__BLOCK, from e on: y (+)= x keep / (1 - p). x NULL: y = RANDOM's numbers. */
static void gtr__dropout_line(const gtr__attr *a, const gtr__ctl *ctl, int64_t row0, int64_t row, int64_t e,
        const gtr_float *x, gtr_float *y, int64_t n, int add) {
    const float p = (float)a->f[0];
    const gtr_float factor = (gtr_float)(1 / (1 - a->f[0]));
    float u[GTR__BLOCK + 4];
    gtr__draw_line(a, ctl, row0, x ? GTR__DRAW_UNIFORM : (int)a->i[4], row, e, n, u);
    if (!x) for (int64_t j = 0; j < n; j++) y[j] = u[j];
    else if (add) for (int64_t j = 0; j < n; j++) y[j] += u[j] >= p ? x[j] * factor : 0;
    else for (int64_t j = 0; j < n; j++) y[j] = u[j] >= p ? x[j] * factor : 0;
}
/* Items are rows in cuts of GTR__BLOCK elements. x: what is dropped of; NULL: RANDOM. */
typedef struct { const gtr__call *c; const gtr_float *x; int64_t rows, n, cuts; } gtr__draw_job;
static void gtr__draw_range(GTR__SPAN) {
    GTR__JOB(gtr__draw_job, w);
    const gtr__call *c = w->c;
    for (; i < end; i++) {
        const int64_t row = i / w->cuts, e = i % w->cuts * GTR__BLOCK, n = GTR__MIN(w->n - e, GTR__BLOCK);
        const int64_t at = row * w->n + e;
        gtr__dropout_line(c->attr, c->ctl, c->row0, row, e, w->x ? w->x + at : NULL, gtr__out(c, 0) + at, n,
            c->out[0].add);
    }
}
static gtr_result gtr__draw_run(GTR__ARGS, const gtr_float *x) {
    const int64_t n = gtr__drawn_row(c->attr, &c->out[0].shape);
    const gtr__draw_job w = { c, x, c->out[0].count / n, n, (n + GTR__BLOCK - 1) / GTR__BLOCK };
    return gtr__ranges(cpu, gtr__draw_range, &w, w.rows * w.cuts, GTR__DEAR / GTR__MIN(w.n, GTR__BLOCK));
}
static gtr_result gtr__dropout_run(GTR__ARGS, const gtr__arg *x) {
    if (!c->out[0].data) return GTR_OK;
    if (c->training && c->attr->f[0] > 0) return gtr__draw_run(cpu, c, gtr__floats(x));
    return gtr__copy_rows(cpu, gtr__floats(x), 0, gtr__out(c, 0), 0, 1, x->count, c->out[0].add);
}
GTR__CPU_BOTH(dropout, gtr__dropout_run(cpu, c, &c->in[back ? 2 : 0]))

// >>op:random
/* y: numbers of kind i[4], GTR__DRAW_..., of x's shape, which is not read. i[0] to i[3], counters: dropout's. */
#define gtr__shape_random gtr__shape_dropout
GTR__CPU(random_fwd) { return gtr__draw_run(cpu, c, NULL); }

// >>op:embedding
/* y[..., :] = table[ids[...], :]: ids (...) GTR_I32, table (V, E) -> (..., E); an id outside [0, V) gives a row of NaN.
   dtable: dy's rows added where they came from, in ascending position; or as lookups. */
GTR__SHAPE(embedding) {
    gtr_shape o = s->in[0];
    if (s->in[1].ndim != 2 || s->in[1].dim[0] < 0 || o.ndim >= GTR_MAX_DIMS)
        return gtr__shape_want(s, 2, "ids (...) of at most 7 dimensions and a table (V, E)");
    o.dim[o.ndim++] = s->in[1].dim[1];
    return gtr__shape_output(s, 0, o);
}
static void gtr__embedding_range(GTR__SPAN) {
    GTR__JOB(gtr__call, c);
    const int64_t rows = c->in[1].shape.dim[0], n = c->in[1].shape.dim[1];
    for (; i < end; i++) {
        const int64_t id = gtr__in_ints(c, 0)[i];
        gtr_float *y = gtr__out(c, 0) + i * n;
        const gtr_float *x = id >= 0 && id < rows ? gtr__in(c, 1) + id * n : NULL;
        if (x && c->out[0].add) for (int64_t j = 0; j < n; j++) y[j] += x[j];
        else if (x) GTR__COPY(y, x, n);
        else for (int64_t j = 0; j < n; j++) y[j] = gtr__nan();
    }
}
/* Positions sorted by blocks of 2^shift rows of the table, which are cleared and added to in a near cache; last[b]
   ends block b's in order. */
typedef struct { const gtr__call *c; int64_t blocks, *last, *order; int shift; } gtr__embedding_job;
static gtr__embedding_job gtr__embedding_make(const gtr__call *c) {
    const int64_t rows = c->in[1].shape.dim[0], n = c->in[1].shape.dim[1];
    gtr__embedding_job w = { c, 0, (int64_t *)c->ws, NULL, 0 };
    while (w.shift < 40 && (n << w.shift < GTR__CHUNK || rows >> w.shift > 4096)) w.shift++;
    w.blocks = ((rows - 1) >> w.shift) + 1;
    if (w.last) w.order = w.last + w.blocks + 1;
    return w;
}
static void gtr__embedding_sort(const gtr__embedding_job *w) {
    const int64_t rows = w->c->in[1].shape.dim[0], count = w->c->in[0].count;
    const int32_t *ids = gtr__in_ints(w->c, 0);
    GTR__CLEAR(w->last, w->blocks + 1);
    for (int64_t i = 0; i < count; i++) if (ids[i] >= 0 && ids[i] < rows) w->last[(ids[i] >> w->shift) + 1]++;
    for (int64_t b = 0; b < w->blocks; b++) w->last[b + 1] += w->last[b];
    for (int64_t i = 0; i < count; i++) if (ids[i] >= 0 && ids[i] < rows) w->order[w->last[ids[i] >> w->shift]++] = i;
}
static void gtr__embedding_back_range(const void *job, int64_t b, int64_t end) {
    GTR__JOB(gtr__embedding_job, w);
    const int64_t rows = w->c->in[1].shape.dim[0], n = w->c->in[1].shape.dim[1];
    gtr_float *table = gtr__out(w->c, 1);
    for (; b < end; b++) {
        const int64_t first = b << w->shift, some = GTR__MIN(rows - first, (int64_t)1 << w->shift);
        if (!w->c->out[1].add) GTR__CLEAR(table + first * n, some * n);
        for (int64_t p = b ? w->last[b - 1] : 0; p < w->last[b]; p++) {
            const gtr_float *dy = gtr__in(w->c, 3) + w->order[p] * n;
            gtr_float *d = table + gtr__in_ints(w->c, 0)[w->order[p]] * n;
            GTR__IVDEP
            for (int64_t j = 0; j < n; j++) d[j] += dy[j];
        }
    }
}
GTR__CPU(embedding_fwd) {
    GTR__WANTS(0);
    return gtr__ranges(cpu, gtr__embedding_range, c, c->in[0].count, GTR__CHUNK / c->in[1].shape.dim[1]);
}
GTR__CPU(embedding_bwd) {
    const gtr__embedding_job w = gtr__embedding_make(c);
    GTR__WANTS((size_t)(w.blocks + 1 + c->in[0].count) * sizeof *w.last);
    if (!gtr__wanted(c, 1)) return GTR_OK;
    gtr__embedding_sort(&w);
    return gtr__ranges(cpu, gtr__embedding_back_range, &w, w.blocks, 1);
}

// >>op:scatter_add
/* y (i[0], ...): rows of x (..., ...) added where ids (...) say, as in embedding's dtable; dx = dy[ids]. */
GTR__SHAPE(scatter_add) {
    const gtr_shape *ids = &s->in[0], *x = &s->in[1];
    gtr_shape o = gtr_shape1(s->attr->i[0]);
    bool good = x->ndim >= ids->ndim;
    for (int k = 0; k < x->ndim; k++)
        if (k >= ids->ndim) o.dim[o.ndim++] = x->dim[k];
        else good &= x->dim[k] == ids->dim[k];
    return good ? gtr__shape_output(s, 0, o) : gtr__shape_want(s, 2, "ids (...) and x (..., E)");
}
/* As embedding, of whose table and rows the one is the result of the other. */
static gtr_result gtr__scatter_add(GTR__ARGS, bool back) {
    gtr__arg table = back ? c->in[3] : c->out[0], rows = back ? c->out[1] : c->in[1];
    table.shape = gtr_shape2(c->attr->i[0], table.count / c->attr->i[0]);
    const gtr__arg in[4] = { c->in[0], table, rows, rows }, out[2] = { rows, table };
    gtr__call as = *c;
    as.in = in; as.out = out; as.n_in = 4; as.n_out = 2;
    return !back ? gtr__cpu_embedding_bwd(cpu, &as)
        : c->measure || rows.data ? gtr__cpu_embedding_fwd(cpu, &as) : GTR_OK;
}
GTR__CPU_BOTH(scatter_add, gtr__scatter_add(cpu, c, back))

// >>op:conv
/* x (N, C, H, W) or (N, C, L), weight (O, C / groups, kh, kw) or (O, C / groups, k), bias (O) or none ->
   y (N, O, oh, ow) or (N, O, ol): oh = (H + 2 padding - dilation (kh - 1) - 1) / stride + 1, cut off, likewise ow, ol;
   y = bias + sum over taps and the group's channels of weight times what gtr__window says, 0 beyond the image.
   i[7], transposed: weight (C, O / groups, kh, kw); y is what dx of such a convolution from y's shape to x's is for
   dy = x; oh = (H - 1) stride - 2 padding + dilation (kh - 1) + output padding + 1.
   i[0], i[1]: stride, i[2], i[3]: padding, i[4], i[5]: dilation (height, width), i[6]: groups; i[8], i[9]: output
   padding. i[10], unless 0: y is that op's of it, f[0], f[1] its a, b. Before it what is made is i[11], unless 0:
   normalised as batch_norm's is in evaluation, whose other inputs are the next four, f[2] its eps; i[12], unless 0:
   added the last input, which is like y. With i[10] the backward node that makes dx goes on with it to the gradient of
   an activation in front, which reads the input behind dy; with i[12] dx is added to the last input, which is like it.
   Kernels see channels last: x (N, H, W, C), weight (O, kh, kw, C / groups), y (N, oh, ow, O). */
GTR__SHAPE(conv) {
    const gtr_shape *x = &s->in[0], *w = &s->in[1], *b = s->n_in > 2 ? &s->in[2] : NULL;
    const int64_t *i = s->attr->i, groups = i[6], n = x->ndim, back = i[7];
    gtr_shape o = *x;
    char t[3][GTR__TEXT];
    bool fits = (n == 3 || n == 4) && w->ndim == n && x->dim[1] > 0 && w->dim[0] > 0;
    /* what is larger than 2^38 would not fit into 64 bits times a stride or dilation */
    for (int k = 2; fits && k < n; k++) fits = x->dim[k] > 0 && w->dim[k] > 0 && (x->dim[k] | w->dim[k]) >> 38 == 0;
    if (fits) {
        o.dim[1] = back ? w->dim[1] * groups : w->dim[0];
        fits = x->dim[1] == (back ? w->dim[0] : w->dim[1] * groups) && w->dim[0] % groups == 0
            && (!b || (b->ndim == 1 && b->dim[0] == o.dim[1]));
    }
    if (!fits) return GTR__BAD_SHAPE(s, "got x %s, weight %s%s%s and %lld group%s, want %s%s, groups that "
        "divide C and O", gtr__shape_text(x, t[0]), gtr__shape_text(w, t[1]), b ? ", bias " : "",
        b ? gtr__shape_text(b, t[2]) : "", (long long)groups, groups > 1 ? "s" : "",
        n == 3 ? back ? "(N, C, L), (C, O / groups, K)" : "(N, C, L), (O, C / groups, K)"
            : back ? "(N, C, H, W), (C, O / groups, KH, KW)" : "(N, C, H, W), (O, C / groups, KH, KW)",
        b ? ", bias (O,)" : "");
    for (int k = 2; k < n; k++) {
        const int64_t at = k - n + 2, span = i[4 + at] * (w->dim[k] - 1) + 1, size = x->dim[k], pad = 2 * i[2 + at];
        if (!back && size + pad < span)
            return GTR__BAD_SHAPE(s, "got x %s and a kernel of %lld (dilated %lld) along dimension %d, want at "
                "most the %lld of the image and its padding", gtr__shape_text(x, t[0]), (long long)w->dim[k],
                (long long)span, k, (long long)(size + pad));
        o.dim[k] = back ? (size - 1) * i[at] - pad + span + i[8 + at] : (size + pad - span) / i[at] + 1;
        if (o.dim[k] < 1) return GTR__BAD_SHAPE(s, "got x %s, of which nothing is left with padding %lld",
            gtr__shape_text(x, t[0]), (long long)(pad / 2));
    }
    s->flops = gtr__shape_flops(back ? x : &o, 2.0 * (double)gtr__count(w) / (double)w->dim[0]);
    return gtr__shape_output(s, 0, o);
}
/* What becomes of y's sums, where it stands; other tensors are like y. */
typedef struct {
    gtr_float *y;
    gtr__affine affine;
    const gtr__unary_row *act; /* NULL: none */
    gtr_float a, b;
    const gtr_float *had, *saved; /* what is added to; what act's backward reads; NULL: nothing, and its forward */
} gtr__conv_epilogue;
/* Its begin and end of count places that lie at y, of each the n channels from c on: all, unless count is 1. */
static void gtr__conv_begin(const gtr__conv_epilogue *e, gtr_float *y, int64_t count, int64_t c, int64_t n) {
    (void)c;
    if (e->had) GTR__COPY(y, e->had + (y - e->y), count * n);
}
static void gtr__conv_end(const gtr__conv_epilogue *e, gtr_float *y, int64_t count, int64_t c, int64_t n) {
    const int64_t at = y - e->y;
    gtr__affine f = e->affine;
    if (f.mean) { f.mean += c; f.s += c; f.q += c; }
    if (f.from) f.from += at;
    for (int64_t r = 0; r < count && (f.mean || f.from); r++) gtr__affine_row(&f, y, NULL, y, r, n, false);
    if (e->saved) gtr__unary_apply(e->act, e->a, e->b, y, e->saved + at, e->saved + at, y, count * n, 0);
    else if (e->act) gtr__unary_apply(e->act, e->a, e->b, NULL, y, NULL, y, count * n, 0);
}
/* Columns of A that are gathered at once: cs channels from c on, of ys taps from y on down and xs from x on across,
   channels fastest, then y: places beside each other share the pixels that lie under both. l: the first of the n among
   all columns. */
typedef struct { int64_t c, x, y, cs, xs, ys, l, n; } gtr__conv_cols;
#define GTR__CONV_K 320 /* a panel of B and a tile's rows of A fit into a first-level cache */
#define GTR__CONV_ROWS (8 * GTR__MR)
/* The first of a zeroed b, then the next; false behind the last. Without taps there is one, of no columns. */
static bool gtr__conv_next(const gtr__window *g, gtr__conv_cols *b) {
    const int64_t ys = GTR__MIN(g->kh, 32), xs = GTR__MIN(g->kw, g->dw > 1 ? 1 : GTR__CONV_K / GTR__MAX(ys, 1)),
        most = xs && ys ? GTR__CONV_K / (xs * ys) : g->cg, parts = (g->cg + most - 1) / most;
    b->l += b->n;
    if (b->cs && (b->y += b->ys) >= g->kh) {
        b->y = 0;
        if ((b->x += b->xs) >= g->kw) { b->x = 0; b->c += b->cs; }
    }
    b->ys = GTR__MIN(ys, g->kh - b->y);
    b->xs = GTR__MIN(xs, g->kw - b->x);
    b->cs = GTR__MIN((g->cg + parts - 1) / parts, g->cg - b->c);
    b->n = b->cs * b->xs * b->ys;
    return b->c < g->cg;
}
/* Rows of C = A B (+ bias), a group at a time: C's rows are places, columns of A what lies under them, B has (k, n) of
   each group. Place (y, x) is pixel (down y, across x) of the image y, of high x wide pixels. */
typedef struct {
    gtr__window g;
    const gtr_float *x, *weight, *bias;
    gtr_float *b, *y;
    int64_t rows, k, n, nb; /* nb: B's columns, with zeros to whole vectors; in panels of up to two */
    int64_t high, wide, down, across;
    bool direct, own; /* A's rows are x's as they lie; each place has a copy of its own of what lies under it */
    bool runs; /* columns of A are runs, one a line of taps, of a copy of the image's lines that places share */
    int64_t most; /* else places of a line at once */
    int64_t step, steps, cols; /* a piece: so many places, of which there are steps, and columns of C */
    int64_t tap, tap_y, tap_x, taps; /* weight's tap of the first of A, how many to the next; all */
    int64_t row_step, col_step; /* from a column of A, of C to the next, in weight */
    int add;
    const gtr__conv_epilogue *e;
} gtr__conv_job;
/* The parts of a job that follow from its window; short lines are copied place by place. */
static void gtr__conv_plan(gtr__conv_job *w) {
    const gtr__window *g = &w->g;
    w->rows = g->n * g->oh * g->ow;
    w->k = g->kh * g->kw * g->cg;
    w->n = g->og;
    w->nb = GTR__ROUND_UP(g->og, GTR__VL);
    w->direct = g->kh * g->kw == 1 && g->sh * g->sw == 1 && !g->ph && !g->pw && g->h == g->oh && g->w == g->ow
        && w->down * w->across == 1 && g->c * (int64_t)sizeof(gtr_float) % 4096;
    w->own = (g->ow < 6 || (g->dw > 1 ? 1 : g->kw) < g->sw) && w->down * w->across == 1;
    const int64_t pieces = GTR__MAX((g->ow + GTR__CONV_ROWS - 1) / GTR__CONV_ROWS, 1);
    w->most = (g->ow + pieces - 1) / pieces;
}
/* Coordinate of the pixel (back: place) under tap k of place (pixel) at along a dimension; -1: there is none. */
static int64_t gtr__window_line(bool back, int64_t at, int64_t k, int64_t step, int64_t pad, int64_t apart,
        int64_t size) {
    at = back ? at + pad - k * apart : at * step - pad + k * apart;
    if (back && step > 1) { if (at < 0 || at % step) return -1; at /= step; }
    return at < size ? GTR__MAX(at, -1) : -1;
}
/* Places i to i + rows - 1, of line y of image n from x on (own, direct: and of lines that follow), and A's rows. */
typedef struct { const gtr_float *a; int64_t i, rows, n, y, x; } gtr__conv_line;
/* Lines of one length of some of places i to end - 1, of how many is returned. */
static int64_t gtr__conv_lines(const gtr__conv_job *w, int64_t i, int64_t end, gtr__conv_line *line, int *lines) {
    const int64_t wide = w->g.ow, high = w->g.oh, most = GTR__MIN(end - i, GTR__CONV_ROWS);
    int64_t all = 0, rows;
    for (*lines = 0; all < most; all += rows, i += rows) {
        rows = w->direct || w->own ? most : GTR__MIN(GTR__MIN(w->most, wide - i % wide), end - i);
        if (all + rows > GTR__CONV_ROWS || (all && rows != line->rows)) break;
        const gtr__conv_line l = { NULL, i, rows, i / wide / high, i / wide % high, i % wide };
        line[(*lines)++] = l;
    }
    return all;
}
/* Columns b of count pixels from (y, x) of image n on, pixel by pixel: ys lines' channels from c on. */
static void gtr__conv_pixels(const gtr__conv_job *w, const gtr__conv_cols *b, int64_t n, int64_t y, int64_t x,
        int64_t count, int64_t c, gtr_float *to) {
    const gtr__window *g = &w->g;
    const int64_t cs = b->cs, pitch = b->ys * cs;
    for (int64_t ky = 0; ky < b->ys; ky++, y += g->dh, to += cs) {
        const bool in = y >= 0 && y < g->h;
        const int64_t first = in ? GTR__CLIP(-x, 0, count) : count, end = GTR__MAX(GTR__MIN(count, g->w - x), first);
        const gtr_float *from = w->x + ((n * g->h + y) * g->w + x + first) * g->c + c;
        for (int64_t p = 0; p < count; p++) {
            if (p == first) p = end;
            if (p < count) for (int64_t k = 0; k < cs; k++) to[p * pitch + k] = 0;
        }
        if (first == end) continue;
        if (b->ys == 1 && cs == g->c) GTR__COPY(to + first * pitch, from, (end - first) * cs);
        else if (cs == 1) for (int64_t p = first; p < end; p++, from += g->c) to[p * pitch] = *from;
        else for (int64_t p = first; p < end; p++, from += g->c) {
            gtr_float *dst = to + p * pitch;
            int64_t k = 0;
            for (; k + GTR__VL <= cs; k += GTR__VL) GTR__V_STORE(dst + k, GTR__V_LOAD(from + k));
            for (; k < cs; k++) dst[k] = from[k];
        }
    }
}
/* Makes columns b of group q of A's rows in room; returns from row to row of a line. */
static int64_t gtr__conv_fill(const gtr__conv_job *w, const gtr__conv_cols *b, int64_t q, gtr__conv_line *line,
        int lines, gtr_float *room) {
    const gtr__window *g = &w->g;
    const int64_t c = q * g->cg + b->c;
    for (int i = 0; i < lines; i++) {
        const int64_t step = w->own ? 1 : line[i].rows, pixels = (step - 1) * g->sw + b->xs;
        int64_t n = line[i].n, y = line[i].y, x = line[i].x;
        if (w->runs) {
            const gtr__conv_line *up = &line[i - 1];
            const bool below = i && up->n == n && up->x == x && up->y + 1 == y && g->dh == 1 && g->sh < b->ys;
            gtr__conv_cols one = *b;
            one.ys = 1;
            line[i].a = below ? up->a + g->sh * pixels * b->cs : room;
            for (int64_t ky = below ? b->ys - g->sh : 0; ky < b->ys; ky++, room += pixels * b->cs)
                gtr__conv_pixels(w, &one, n, y * g->sh - g->ph + (b->y + ky) * g->dh,
                    x * g->sw - g->pw + b->x * g->dw, pixels, c, room);
            continue;
        }
        line[i].a = w->direct ? w->x + line[i].i * g->c + c : room;
        for (int64_t r = 0; r < line[i].rows && !w->direct && b->n; r += step, room += pixels * b->ys * b->cs) {
            gtr__conv_pixels(w, b, n, y * g->sh - g->ph + b->y * g->dh, x * g->sw - g->pw + b->x * g->dw, pixels, c,
                room);
            if (++x == g->ow) { x = 0; if (++y == g->oh) { y = 0; n++; } }
        }
    }
    return w->direct ? g->c : w->own ? b->n : g->sw * (w->runs ? 1 : b->ys) * b->cs;
}
static gtr_float *gtr__conv_to(const gtr__conv_job *w, const gtr__conv_line *l) {
    return w->y + ((l->n * w->high + l->y * w->down) * w->wide + l->x * w->across) * w->g.o;
}
static void gtr__conv_block(const gtr__conv_job *w, int64_t q, gtr__conv_line *line, int lines, gtr_float *room,
        int64_t first, int64_t end) {
    gtr__gemm g = GTR__ZERO;
    gtr__spot s = { &g, NULL, w->across * w->g.o, w->add != 0, true, true, true };
    gtr__conv_cols b = GTR__ZERO;
    g.bias = w->bias ? w->bias + q * w->n : NULL;
    for (; gtr__conv_next(&w->g, &b); s.first = false) {
        const int64_t pitch = gtr__conv_fill(w, &b, q, line, lines, room);
        g.run = w->runs ? b.xs * b.cs : 0;
        g.skip = (line->rows - 1) * pitch;
        s.last = b.l + b.n == w->k;
        for (int64_t p = first; p < end; p += GTR__NR)
            for (int i = 0; i < lines; i++) {
                const int64_t tiles = (line[i].rows + GTR__MR - 1) / GTR__MR, wide = GTR__MIN(w->nb - p, GTR__NR);
                s.c = gtr__conv_to(w, &line[i]) + q * w->n;
                for (int64_t t = 0, r = 0, rows; t < tiles; t++, r += rows) {
                    rows = (line[i].rows + t) / tiles;
                    gtr__tile_run(&s, b.n, line[i].a + r * pitch, pitch, false,
                        w->b + (q * w->nb + p) * w->k + b.l * wide, wide, r, p, rows, GTR__MIN(w->n - p, GTR__NR));
                }
            }
    }
}
/* fn of n columns of C, from col on, of lines. */
static void gtr__conv_each(const gtr__conv_job *w, const gtr__conv_line *line, int lines, int64_t col, int64_t n,
        void (*fn)(const gtr__conv_epilogue *, gtr_float *, int64_t, int64_t, int64_t)) {
    for (; lines--; line++) {
        const int64_t count = w->across > 1 || n < w->g.o ? 1 : line->rows;
        for (int64_t r = 0; r < line->rows; r += count)
            fn(w->e, gtr__conv_to(w, line) + r * w->across * w->g.o + col, count, col, n);
    }
}
static void gtr__conv_range(GTR__SPAN) {
    GTR__JOB(gtr__conv_job, w);
    gtr_float room[GTR__CONV_ROWS * GTR__CONV_K];
    gtr__conv_line line[GTR__CONV_ROWS];
    for (int lines; i < end; i++) {
        const int64_t col = i / w->steps * w->cols, wide = GTR__MIN(w->n - col, w->cols), all = w->g.groups * w->n,
            last = GTR__MIN((i % w->steps + 1) * w->step, w->rows);
        for (int64_t row = i % w->steps * w->step; row < last; ) {
            row += gtr__conv_lines(w, row, last, line, &lines);
            gtr__conv_each(w, line, lines, col, wide < w->n ? wide : all, gtr__conv_begin);
            for (int64_t q = 0; q < w->g.groups; q++) gtr__conv_block(w, q, line, lines, room, col, col + wide);
            gtr__conv_each(w, line, lines, col, wide < w->n ? wide : all, gtr__conv_end);
        }
    }
}
/* B of each group, a vector of columns at a time, in the order of gtr__conv_next. */
static void gtr__conv_pack(GTR__SPAN) {
    GTR__JOB(gtr__conv_job, w);
    for (; i < end; i++) {
        const int64_t q = i / (w->nb / GTR__VL), o = i % (w->nb / GTR__VL) * GTR__VL,
            wide = GTR__MIN(w->n - o, GTR__VL);
        const int64_t panel = o / GTR__NR * GTR__NR, pitch = GTR__MIN(w->nb - panel, GTR__NR);
        gtr_float *to = w->b + (q * w->nb + panel) * w->k + o - panel;
        gtr__conv_cols b = GTR__ZERO;
        while (gtr__conv_next(&w->g, &b))
            for (int64_t t = 0; t < b.xs * b.ys; t++, to += b.cs * pitch) {
                const int64_t y = w->runs ? t / b.xs : t % b.ys, x = w->runs ? t % b.xs : t / b.ys, cg = w->g.cg,
                    tap = w->tap + (b.y + y) * w->tap_y + (b.x + x) * w->tap_x;
                const gtr_float *from = w->weight + (w->row_step == 1 ? (q * w->n * w->taps + tap) * cg
                    : (q * cg * w->taps + tap) * w->n) + b.c * w->row_step + o * w->col_step;
                if (w->row_step == 1 && wide == GTR__VL) gtr__pack_group(from, w->col_step, b.cs, to, pitch);
                else for (int64_t r = 0; r < b.cs; r++, from += w->row_step)
                    for (int64_t j = 0; j < GTR__VL; j++) to[r * pitch + j] = j < wide ? from[j * w->col_step] : 0;
            }
    }
}
/* Of an image that is written back to, along one dimension: places pixels, r, r + step ..., have n taps, first, first +
   gap ..., and are places of a convolution of stride 1 of these turned round. */
typedef struct { int64_t places, first, gap, n, pad, apart; } gtr__conv_phase;
static gtr__conv_phase gtr__conv_phase_of(int64_t r, int64_t size, int64_t step, int64_t pad, int64_t apart,
        int64_t k) {
    gtr__conv_phase p = { (size - r + step - 1) / step, 0, 1, 0, 0, 0 };
    while (p.gap < k && p.gap * apart % step) p.gap++;
    while (p.first < k && (r + pad - p.first * apart) % step) p.first++;
    p.n = p.first < k ? (k - 1 - p.first) / p.gap + 1 : 0;
    p.apart = p.gap * apart / step;
    p.pad = (p.n - 1) * p.apart - (r + pad - p.first * apart) / step;
    return p;
}
/* Pieces: rows enough to pay for reading B, then columns, as many as 16 threads want. */
static void gtr__conv_product(void *cpu, gtr__conv_job *w) {
    gtr__conv_plan(w);
    w->runs = !w->direct && !w->own && w->g.kw * w->g.cg >= GTR__NR;
    const double flops = 2.0 * (double)w->k * (double)(w->nb * w->g.groups);
    const int64_t few = (int64_t)(GTR__PIECE / GTR__MAX(flops, 1.0)) + 1,
        line = w->own || w->direct ? GTR__MR : w->g.ow > GTR__CONV_ROWS ? w->most : w->g.ow;
    int64_t cuts;
    w->step = GTR__MAX(few, GTR__MIN(GTR__CONV_ROWS, w->rows / 2));
    w->steps = (w->rows + w->step - 1) / GTR__MAX(w->step, 1);
    cuts = GTR__MIN(16 / GTR__MAX(w->steps, 1), (int64_t)((double)w->rows * flops / GTR__PIECE));
    cuts = w->g.groups > 1 ? 1 : GTR__CLIP(cuts, 1, GTR__MAX(w->nb / (2 * GTR__NR), 1));
    w->cols = GTR__ROUND_UP((w->n + cuts - 1) / cuts, GTR__NR);
    cuts = (w->n + w->cols - 1) / w->cols;
    w->step = GTR__MAX(GTR__MIN(w->step, GTR__MAX(w->rows * cuts / 16, 2 * GTR__MR)), few);
    w->step = GTR__ROUND_UP(w->step, line);
    w->steps = (w->rows + w->step - 1) / w->step;
    gtr__ranges(cpu, gtr__conv_pack, w, w->g.groups * w->nb / GTR__VL, GTR__CHUNK / GTR__VL / GTR__MAX(w->k, 1));
    gtr__ranges(cpu, gtr__conv_range, w, w->steps * cuts, 1);
}
/* Few channels of many groups: a group a lane. t[k] += x[k xs] w[k ws], and of further taps xt, wt apart */
static void gtr__depthwise_add(gtr_float *t, const gtr_float *x, int64_t xs, int64_t xt, const gtr_float *w, int64_t ws,
        int64_t wt, int64_t taps, int64_t n) {
    int64_t k = 0;
    if (xs == 1 && ws == 1) for (; k + GTR__VL <= n; k += GTR__VL) {
        gtr__v sum = GTR__V_LOAD(t + k);
        for (int64_t i = 0; i < taps; i++)
            sum = GTR__V_FMA(GTR__V_LOAD(x + i * xt + k), GTR__V_LOAD(w + i * wt + k), sum);
        GTR__V_STORE(t + k, sum);
    }
    for (; k < n; k++) for (int64_t i = 0; i < taps; i++) t[k] += x[i * xt + k * xs] * w[i * wt + k * ws];
}
#define GTR__DEPTHWISE(g) ((g)->groups > 1 && (g)->cg * (g)->og <= 4)
typedef struct {
    gtr__window g;
    bool back;
    const gtr_float *x, *b, *bias; /* b (channels per group of y, of x, taps, groups) */
    gtr_float *y;
    int add;
    const gtr__conv_epilogue *e;
    int64_t part, parts; /* of dweight: places of a part of its sums, which lie as b does */
} gtr__depthwise_job;
static void gtr__depthwise_range(GTR__SPAN) {
    GTR__JOB(gtr__depthwise_job, w);
    const gtr__window *g = &w->g;
    const bool back = w->back;
    const int64_t wide = back ? g->w : g->ow, high = back ? g->h : g->oh, in_w = back ? g->ow : g->w,
        in_h = back ? g->oh : g->h, from = back ? g->og : g->cg, per = back ? g->cg : g->og, taps = g->kh * g->kw,
        step = back ? -g->dw : g->dw;
    for (; i < end; i++) {
        const int64_t n = i / wide / high;
        gtr_float *y = w->y + i * per * g->groups, t[GTR__BLOCK];
        gtr__conv_begin(w->e, y, 1, 0, per * g->groups);
        for (int64_t first = 0, some; first < g->groups; first += some) {
            some = GTR__MIN(g->groups - first, GTR__BLOCK);
            for (int64_t o = 0; o < per; o++) {
                for (int64_t k = 0; k < some; k++) t[k] = w->bias ? w->bias[(first + k) * per + o] : 0;
                for (int64_t ky = 0; ky < g->kh; ky++) {
                    const int64_t iy = gtr__window_line(back, i / wide % high, ky, g->sh, g->ph, g->dh, in_h);
                    for (int64_t kx = 0, run; kx < g->kw && iy >= 0; kx += run) {
                        const int64_t ix = gtr__window_line(back, i % wide, kx, g->sw, g->pw, g->dw, in_w);
                        run = 1;
                        if (ix < 0) continue;
                        while (kx + run < g->kw && (!back || g->sw == 1) && ix + run * step >= 0
                            && ix + run * step < in_w) run++;
                        for (int64_t c = 0; c < from; c++)
                            gtr__depthwise_add(t, w->x + (((n * in_h + iy) * in_w + ix) * g->groups + first) * from + c,
                                from, step * g->groups * from, w->b + ((o * from + c) * taps + ky * g->kw + kx)
                                * g->groups + first, 1, g->groups, run, some);
                    }
                }
                gtr_float *to = y + first * per + o;
                for (int64_t k = 0; k < some; k++) to[k * per] = w->add ? to[k * per] + t[k] : t[k];
            }
        }
        gtr__conv_end(w->e, y, 1, 0, per * g->groups);
    }
}
/* Sums of a part of the places, a block of groups at a time; the image is y, the gradient of the places x. */
static void gtr__depthwise_dw_range(GTR__SPAN) {
    GTR__JOB(gtr__depthwise_job, w);
    const gtr__window *g = &w->g;
    const int64_t taps = g->kh * g->kw, all = taps * g->cg * g->o, places = g->n * g->oh * g->ow;
    for (; i < end; i++) {
        const int64_t part = i % w->parts, first = i / w->parts * GTR__BLOCK,
            some = GTR__MIN(g->groups - first, GTR__BLOCK);
        gtr_float *sum = (gtr_float *)w->b + part * all + first;
        for (int64_t r = 0; r < all / g->groups; r++) GTR__CLEAR(sum + r * g->groups, some);
        for (int64_t p = part * w->part; p < GTR__MIN(places, (part + 1) * w->part); p++)
            for (int64_t tap = 0; tap < taps; tap++) {
                const int64_t y = gtr__window_line(false, p / g->ow % g->oh, tap / g->kw, g->sh, g->ph, g->dh, g->h),
                    x = gtr__window_line(false, p % g->ow, tap % g->kw, g->sw, g->pw, g->dw, g->w);
                const gtr_float *dy = w->x + p * g->o + first * g->og,
                    *from = w->y + (((p / g->ow / g->oh * g->h + y) * g->w + x) * g->groups + first) * g->cg;
                for (int64_t o = 0; o < g->og && y >= 0 && x >= 0; o++)
                    for (int64_t c = 0; c < g->cg; c++)
                        gtr__depthwise_add(sum + ((o * g->cg + c) * taps + tap) * g->groups, dy + o, g->og, 0, from + c,
                            g->cg, 0, 1, some);
            }
    }
}
/* Weight (O, taps, C / groups) into a job's b or, to, from the sums there, whose parts are added up. */
static void gtr__depthwise_weight(const gtr__depthwise_job *w, gtr_float *weight, gtr_float *b, bool to) {
    const gtr__window *g = &w->g;
    const int64_t taps = g->kh * g->kw, all = taps * g->cg * g->o;
    for (int64_t o = 0; o < g->o; o++)
        for (int64_t t = 0; t < taps; t++)
            for (int64_t c = 0; c < g->cg; c++, weight++) {
                const int64_t u = w->back ? c * g->og + o % g->og : o % g->og * g->cg + c,
                    at = (u * taps + t) * g->groups + o / g->og;
                gtr_float v = b[at];
                if (!to) { b[at] = *weight; continue; }
                for (int64_t p = 1; p < w->parts; p++) v += b[p * all + at];
                *weight = w->add ? *weight + v : v;
            }
}
static gtr_result gtr__depthwise_run(GTR__ARGS, gtr__depthwise_job *w) {
    const gtr__window *g = &w->g;
    gtr__depthwise_weight(w, (gtr_float *)gtr__in(c, 1), (gtr_float *)w->b, false);
    return gtr__ranges(cpu, gtr__depthwise_range, w, g->n * (w->back ? g->h * g->w : g->oh * g->ow),
        GTR__CHUNK / (g->kh * g->kw * GTR__MAX(g->c, g->o)));
}
/* y = the places of image x, or, back, the image of places x, of dx unless NULL saved; y and x lie with channels
   last. */
static gtr_result gtr__conv_run(GTR__ARGS, const gtr__window *of, bool back,
        const gtr__arg *x, const gtr__arg *bias, const gtr__arg *y, const gtr__arg *saved) {
    const int64_t per = back ? of->og : of->cg, n = back ? of->cg : of->og, taps = of->kh * of->kw,
        weights = taps * per * of->groups * GTR__ROUND_UP(n, GTR__VL);
    const gtr_float *from = gtr__floats(x), *b = gtr__floats(bias),
        *added = c->attr->i[12] ? gtr__in(c, c->n_in - 1) : NULL;
    const gtr__arg *norm = c->attr->i[11] ? &c->in[gtr__conv_inputs(c)] : NULL;
    const int add = y->add || (saved && added);
    gtr__conv_epilogue e = { gtr__floats(y), { NULL, NULL, NULL, NULL, saved ? NULL : added },
        gtr__unary_find((int)c->attr->i[10]), (gtr_float)c->attr->f[0], (gtr_float)c->attr->f[1],
        saved ? added : NULL, gtr__floats(saved) };
    GTR__WANTS((size_t)(weights + (norm ? norm->count : 0)) * sizeof(gtr_float));
    if (norm) {
        gtr_float *s = (gtr_float *)c->ws + weights;
        gtr__bn_scale(gtr__floats(&norm[3]), gtr__floats(&norm[0]), norm->count, c->attr->f[2], NULL, s);
        e.affine.mean = gtr__floats(&norm[2]); e.affine.s = s; e.affine.q = gtr__floats(&norm[1]);
    }
    if (GTR__DEPTHWISE(of)) {
        gtr__depthwise_job w = { *of, back, from, (gtr_float *)c->ws, b, e.y, add, &e, 0, 1 };
        return gtr__depthwise_run(cpu, c, &w);
    }
    gtr__conv_job w = GTR__ZERO;
    w.g = *of; w.x = from; w.weight = gtr__in(c, 1); w.bias = b; w.b = (gtr_float *)c->ws; w.y = e.y;
    w.high = of->oh; w.wide = of->ow; w.down = w.across = 1; w.taps = taps; w.tap_y = of->kw; w.tap_x = w.row_step = 1;
    w.col_step = taps * of->cg; w.add = add; w.e = &e;
    if (!back) { gtr__conv_product(cpu, &w); return GTR_OK; }
    w.high = of->h; w.wide = of->w; w.down = of->sh; w.across = of->sw; w.row_step = taps * of->cg; w.col_step = 1;
    for (int64_t ry = 0; ry < GTR__MIN(of->sh, of->h); ry++)
        for (int64_t rx = 0; rx < GTR__MIN(of->sw, of->w); rx++) {
            const gtr__conv_phase v = gtr__conv_phase_of(ry, of->h, of->sh, of->ph, of->dh, of->kh),
                h = gtr__conv_phase_of(rx, of->w, of->sw, of->pw, of->dw, of->kw);
            const gtr__window g = { of->n, of->oh, of->ow, of->o, v.places, h.places, of->c, v.n, h.n, 1, 1, v.pad,
                h.pad, v.apart, h.apart, of->groups, of->og, of->cg };
            w.g = g;
            w.y = e.y + (ry * of->w + rx) * of->c;
            w.tap_y = -v.gap * of->kw; w.tap_x = -h.gap;
            w.tap = (v.first + (v.n - 1) * v.gap) * of->kw + h.first + (h.n - 1) * h.gap;
            gtr__conv_product(cpu, &w);
        }
    return GTR_OK;
}
/* dweight, dbias: of each part of the places sums over its rows of A^T times dy, and of dy, added up in order. */
typedef struct {
    gtr__conv_job w; const gtr_float *dy; gtr_float *sum, *dw; int64_t parts, blocks, part;
    double *bias; /* dbias of each part; NULL: not wanted */
} gtr__conv_dw_job;
static void gtr__conv_bias_add(const gtr_float *dy, int64_t pitch, int64_t rows, int64_t n, double *to) {
    for (int64_t first = 0, some; first < n; first += some, dy += some, to += some) {
        gtr_float t[GTR__BLOCK] = { 0 };
        some = GTR__MIN(n - first, GTR__BLOCK);
        for (int64_t r = 0; r < rows; r++) for (int64_t k = 0; k < some; k++) t[k] += dy[r * pitch + k];
        for (int64_t k = 0; k < some; k++) to[k] += (double)t[k];
    }
}
static void gtr__conv_dw_range(GTR__SPAN) {
    GTR__JOB(gtr__conv_dw_job, d);
    const gtr__conv_job *w = &d->w;
    gtr_float room[GTR__CONV_ROWS * GTR__CONV_K], room_b[GTR__CONV_ROWS * 2 * GTR__NR + GTR__LINE], *pb = room_b;
    gtr__conv_line line[GTR__CONV_ROWS];
    pb += (64 - (uintptr_t)pb % 64) % 64 / sizeof *pb;
    for (; i < end; i++) {
        const int64_t part = i % d->parts, q = i / d->parts % w->g.groups,
            last = GTR__MIN(w->rows, (part + 1) * d->part), image = w->g.oh * w->g.ow;
        gtr__conv_cols b = GTR__ZERO;
        for (int64_t k = i / d->parts / w->g.groups; k >= 0; k--) (void)gtr__conv_next(&w->g, &b);
        gtr__gemm g = GTR__ZERO;
        gtr__spot s = { &g, d->sum + ((part * w->g.groups + q) * w->k + b.l) * w->n, w->n, false, true, true, true };
        int lines;
        if (d->bias && !b.l) GTR__CLEAR(d->bias + part * w->g.o + q * w->n, w->n);
        g.m = b.n; g.n = w->n; g.ars = 1; g.brs = w->g.o; g.bcs = 1; g.pack_b = b.n >= 4 * GTR__MR;
        for (int64_t row = part * d->part, rows; row < last; row += rows) {
            const gtr_float *dy = d->dy + row * w->g.o + q * w->n;
            /* lines of one image lie evenly apart */
            rows = gtr__conv_lines(w, row, w->runs ? GTR__MIN(last, row - row % image + image) : last, line, &lines);
            g.acs = gtr__conv_fill(w, &b, q, line, lines, room);
            if (d->bias && !b.l) gtr__conv_bias_add(dy, w->g.o, rows, w->n, d->bias + part * w->g.o + q * w->n);
            s.first = row == part * d->part;
            g.run = line->rows;
            g.skip = (b.xs - w->g.sw) * b.ys * b.cs;
            if (w->runs && lines > 1) g.skip = line[1].a - line->a - g.run * g.acs;
            const int64_t runs = w->runs ? b.ys : 1, run = b.n / GTR__MAX(runs, 1),
                down = ((line->rows - 1) * w->g.sw + b.xs) * b.cs;
            for (int64_t j = 0; j < w->n; j += 2 * GTR__NR)
                for (int64_t ky = 0; ky < runs; ky++)
                    gtr__gemm_strip(&s, rows, line->a + ky * (down - run), ky && g.pack_b ? NULL : dy + j, ky * run,
                        (ky + 1) * run, j, GTR__MIN(w->n - j, 2 * GTR__NR), NULL, pb);
        }
    }
}
/* Adds up the parts; of each group some rows of dweight at a time, turned in tiles. */
static void gtr__conv_dw_combine(GTR__SPAN) {
    GTR__JOB(gtr__conv_dw_job, d);
    const gtr__conv_job *w = &d->w;
    for (; i < end; i++) {
        const int64_t q = i / (w->nb / GTR__VL), o = i % (w->nb / GTR__VL) * GTR__VL,
            wide = GTR__MIN(w->n - o, GTR__VL);
        const gtr_float *from = d->sum + q * w->k * w->n + o;
        gtr__conv_cols b = GTR__ZERO;
        while (gtr__conv_next(&w->g, &b))
            for (int64_t t = 0; t < b.xs * b.ys; t++)
                for (int64_t c = 0, some; c < b.cs; c += some, from += some * w->n) {
                    const int64_t y = w->runs ? t / b.xs : t % b.ys, x = w->runs ? t % b.xs : t / b.ys;
                    gtr_float tile[GTR__VL][GTR__VL], *to = d->dw + ((q * w->n + o) * w->taps
                        + (b.y + y) * w->g.kw + b.x + x) * w->g.cg + b.c + c;
                    some = GTR__MIN(b.cs - c, GTR__VL);
                    for (int64_t r = 0; r < some; r++) {
                        GTR__COPY(tile[r], from + r * w->n, wide);
                        for (int64_t p = 1; p < d->parts; p++)
                            for (int64_t j = 0; j < wide; j++) tile[r][j] += from[p * w->g.o * w->k + r * w->n + j];
                    }
                    for (int64_t j = 0; j < wide; j++, to += w->taps * w->g.cg)
                        for (int64_t r = 0; r < some; r++) to[r] = w->add ? to[r] + tile[r][j] : tile[r][j];
                }
    }
}
static gtr_result gtr__conv_dw(GTR__ARGS, const gtr__window *g, const gtr__arg *x,
        const gtr__arg *dy, bool bias) {
    const int64_t k = g->kh * g->kw * g->cg, each = g->oh * g->ow, rows = g->n * each;
    gtr__conv_dw_job d = GTR__ZERO;
    gtr__conv_cols b = GTR__ZERO;
    d.w.g = *g; d.w.x = gtr__floats(x); d.w.add = c->out[1].add; d.w.down = d.w.across = 1;
    d.w.taps = g->kh * g->kw; d.dy = gtr__floats(dy); d.sum = (gtr_float *)c->ws; d.dw = gtr__out(c, 1);
    gtr__conv_plan(&d.w);
    d.w.runs = !d.w.direct && !d.w.own && g->kw * g->cg >= GTR__NR && 2 * each >= GTR__CONV_ROWS;
    while (gtr__conv_next(g, &b)) d.blocks++;
    const bool lanes = GTR__DEPTHWISE(g);
    if (lanes) d.blocks = (g->groups + GTR__BLOCK - 1) / GTR__BLOCK;
    d.parts = GTR__MAX(GTR__MIN(16 / (d.blocks * (lanes ? 1 : g->groups)), rows / 256), 1);
    d.part = (rows + d.parts - 1) / d.parts;
    if (g->ow < d.part) d.part = GTR__ROUND_UP(d.part, g->ow);
    d.parts = (rows + d.part - 1) / d.part;
    GTR__WANTS((size_t)(d.parts * g->o) * (sizeof(double) * bias + (size_t)k * sizeof(gtr_float)));
    if (bias) { d.bias = (double *)c->ws; d.sum = (gtr_float *)(d.bias + d.parts * g->o); }
    if (lanes) {
        gtr__depthwise_job w = { *g, false, d.dy, d.sum, NULL, (gtr_float *)d.w.x, d.w.add, NULL, d.part, d.parts };
        gtr__ranges(cpu, gtr__depthwise_dw_range, &w, d.parts * d.blocks, 1);
        gtr__depthwise_weight(&w, d.dw, d.sum, true);
        return GTR_OK;
    }
    const double flops = 2.0 * (double)d.part * (double)d.w.nb * (double)GTR__MIN(k, GTR__CONV_K);
    gtr__ranges(cpu, gtr__conv_dw_range, &d, d.parts * d.blocks * g->groups, (int64_t)(GTR__PIECE / flops));
    for (int64_t o = 0; o < g->o && bias; o++) {
        double sum = 0;
        for (int64_t p = 0; p < d.parts; p++) sum += d.bias[p * g->o + o];
        gtr__out(c, 2)[o] = (gtr_float)sum + (c->out[2].add ? gtr__out(c, 2)[o] : 0);
    }
    return gtr__ranges(cpu, gtr__conv_dw_combine, &d, g->groups * d.w.nb / GTR__VL,
        GTR__CHUNK / (GTR__VL * k * d.parts));
}
GTR__CPU(conv_fwd) {
    const gtr__window g = gtr__window_conv(c, &c->out[0]);
    return gtr__conv_run(cpu, c, &g, c->attr->i[7] != 0, &c->in[0], gtr__conv_inputs(c) > 2 ? &c->in[2] : NULL,
        &c->out[0], NULL);
}
GTR__CPU(conv_bwd) {
    const gtr__arg *dy = gtr__conv_dy(c), *x = &c->in[0];
    const bool back = c->attr->i[7] != 0;
    const gtr__window g = gtr__window_conv(c, dy);
    if (gtr__wanted(c, 0))
        return gtr__conv_run(cpu, c, &g, !back, dy, NULL, &c->out[0], c->attr->i[10] ? dy + 1 : NULL);
    size_t dw = 0;
    gtr__call m = *c;
    if (c->measure) m.measure = &dw;
    const bool both = gtr__wanted(c, 1) && gtr__wanted(c, 2) && !back && !GTR__DEPTHWISE(&g);
    if (gtr__wanted(c, 1)) GTR__TRY(gtr__conv_dw(cpu, &m, &g, back ? dy : x, back ? x : dy, both));
    if (both || !gtr__wanted(c, 2)) { if (c->measure) *c->measure = dw; return GTR_OK; }
    gtr__reduce r = gtr__channel_sums(&dy->shape);
    GTR__WANTS(GTR__MAX(dw, gtr__reduce_bytes(&r)));
    r.ew.dy = gtr__floats(dy); r.ew.out = gtr__out(c, 2); r.ew.add = c->out[2].add;
    return gtr__reduce_all(cpu, &r, c->ws);
}

// >>op:max_pool
static gtr_result gtr__shape_image(gtr__shape_call *s) {
    const gtr_shape *x = &s->in[0];
    bool fits = x->ndim == 3 || x->ndim == 4;
    for (int k = 1; fits && k < x->ndim; k++) fits = x->dim[k] > 0;
    return fits ? GTR_OK : gtr__shape_want(s, 1, "(N, C, H, W) or (N, C, L)");
}
/* y (N, C, oh, ow) = the largest of x (N, C, H, W) under the window, NaN if one is, padding aside, of which a window
   alone is -inf; likewise (N, C, L). dx: dy to the first of equals, or of NaN. i[0] to i[5] and, backward, i[10] and
   i[12]: as CONV's, but x is no input twice, and dx is rounded to type i[13] before the activation's gradient; i[6],
   i[7]: the kernel's height and width; i[8]: sizes are rounded up, while a window begins within the image or the
   padding in front. Kernels see channels last. */
GTR__SHAPE(max_pool) {
    const gtr_shape *x = &s->in[0];
    const int64_t *i = s->attr->i;
    char t[GTR__TEXT];
    GTR__TRY(gtr__shape_image(s));
    for (int k = 2; k < x->ndim; k++) {
        const int at = k - x->ndim + 2;
        const int64_t size = x->dim[k] + 2 * i[2 + at] - i[4 + at] * (i[6 + at] - 1) - 1 + (i[8] ? i[at] - 1 : 0);
        if (size < 0 || i[6 + at] < 2 * i[2 + at])
            return GTR__BAD_SHAPE(s, "got %s and a window of %lld with padding %lld along dimension %d, want it "
                "within the image and its padding, which is at most half the window", gtr__shape_text(x, t),
                (long long)i[6 + at],
                (long long)i[2 + at], k);
        s->out[0].dim[k] = size / i[at] + 1;
        if (i[8] && (s->out[0].dim[k] - 1) * i[at] >= x->dim[k] + i[2 + at]) s->out[0].dim[k]--;
    }
    s->flops = gtr__shape_flops(&s->out[0], (double)(i[6] * i[7]));
    return GTR_OK;
}
/* What pooling and resampling go over: lines of channels, of places or, back, of pixels; images: blocks of channels. */
typedef struct { const gtr__call *c; gtr__window g; const gtr_float *x, *y; gtr_float *to; } gtr__pool_job;
static gtr_result gtr__pool_ranges(void *cpu, const gtr__pool_job *w, gtr__range_fn fn, bool images) {
    const gtr__window *g = &w->g;
    if (images) return gtr__ranges(cpu, fn, w, g->n * ((g->c + GTR__BLOCK - 1) / GTR__BLOCK), 1);
    return gtr__ranges(cpu, fn, w, w->c->out[0].count / g->c, GTR__CHUNK / 4 / (g->c * GTR__MIN(g->kh * g->kw, 64)));
}
static gtr_result gtr__pool_run(GTR__ARGS, gtr__range_fn fn, bool back, bool images) {
    const gtr__arg *x = &c->in[0], *y = back ? &c->in[2] : &c->out[0];
    const int64_t *i = c->attr->i;
    const gtr__pool_job w = { c, gtr__window_of(i, &x->shape, &y->shape, i[6], i[7], 1), gtr__in(c, 0),
        gtr__floats(y), gtr__out(c, 0) };
    return w.to ? gtr__pool_ranges(cpu, &w, fn, images) : GTR_OK;
}
/* Before and behind the sums of n elements of dx: 0 or what they are added to; as it is stored, and the activation's
   gradient of that. */
static void gtr__pool_begin(const gtr__call *c, gtr_float *dx, int64_t n) {
    if (c->attr->i[12]) GTR__COPY(dx, gtr__in(c, c->n_in - 1) + (dx - gtr__out(c, 0)), n);
    else if (!c->out[0].add) GTR__CLEAR(dx, n);
}
static void gtr__pool_end(const gtr__call *c, gtr_float *dx, int64_t n) {
    const gtr_dtype type = (gtr_dtype)c->attr->i[13];
    if (!c->attr->i[10]) return;
    const gtr_float *saved = (const gtr_float *)gtr__pool_saved(c)->data + (dx - gtr__out(c, 0));
    for (int64_t k = 0, some; k < n && type != GTR_F32; k += some) {
        uint16_t low[GTR__BLOCK];
        some = GTR__MIN(n - k, GTR__BLOCK);
        gtr__convert(low, type, dx + k, GTR_F32, some);
        gtr__convert(dx + k, GTR_F32, low, type, some);
    }
    gtr__unary_apply(gtr__unary_find((int)c->attr->i[10]), (gtr_float)c->attr->f[0], (gtr_float)c->attr->f[1], dx,
        saved, saved, dx, n, 0);
}
/* Places *first to *end - 1 along one dimension whose windows reach pixel k. */
static void gtr__window_places(int64_t k, int64_t step, int64_t pad, int64_t reach, int64_t places, int64_t *first,
        int64_t *end) {
    *first = k + pad < reach ? 0 : (k + pad - reach) / step + 1;
    *end = GTR__MIN(places, (k + pad) / step + 1);
}
/* Pixels that the place below has first come while pixel x of this one, under tap (ky, kx), is used. */
static void gtr__pool_ahead(const gtr__window *g, int64_t ky, int64_t kx, const gtr_float *x, int64_t some) {
    for (int64_t k = ky + g->sh < g->kh || kx + g->sw < g->kw ? some : 0; k + GTR__LINE <= some; k += GTR__LINE)
        GTR__PREFETCH(x + g->sh * g->w * g->c + k, 0);
}
/* The next four taps of place (oy, ox) that lie within the image, or fewer: how many; where their pixels are in it. */
typedef struct { int64_t ky, kx, at[4]; } gtr__taps;
static int gtr__taps_next(const gtr__window *g, int64_t oy, int64_t ox, const gtr_float *x, int64_t some,
        gtr__taps *t) {
    int n = 0;
    for (; t->ky < g->kh; t->ky++, t->kx = 0) {
        const int64_t iy = gtr__window_line(false, oy, t->ky, g->sh, g->ph, g->dh, g->h);
        for (; t->kx < g->kw && iy >= 0; t->kx++) {
            const int64_t ix = gtr__window_line(false, ox, t->kx, g->sw, g->pw, g->dw, g->w);
            if (ix < 0) continue;
            if (n == 4) return n;
            t->at[n] = (iy * g->w + ix) * g->c;
            gtr__pool_ahead(g, t->ky, t->kx, x + t->at[n++], some);
        }
    }
    return n;
}
static void gtr__max_pool_range(GTR__SPAN) {
    GTR__JOB(gtr__pool_job, w);
    const gtr__window *g = &w->g;
    for (; i < end; i++) {
        const int64_t oy = i / g->ow % g->oh, ox = i % g->ow;
        const gtr_float *x = w->x + i / g->ow / g->oh * g->h * g->w * g->c;
        gtr_float *y = w->to + i * g->c;
        gtr__taps t = GTR__ZERO;
        for (int64_t k = 0; k < g->c; k++) y[k] = -(gtr_float)INFINITY;
        for (int n; (n = gtr__taps_next(g, oy, ox, x, g->c, &t)) != 0; ) {
            const gtr_float *of[4];
            for (int k = 0; k < 4; k++) of[k] = x + t.at[k < n ? k : 0]; /* the first again changes nothing */
            const gtr_float *a = of[0], *b = of[1], *c = of[2], *d = of[3];
            GTR__IVDEP
            for (int64_t k = 0; k < g->c; k++) {
                gtr_float v = y[k];
                v = a[k] > v || a[k] != a[k] ? a[k] : v;
                v = b[k] > v || b[k] != b[k] ? b[k] : v;
                v = c[k] > v || c[k] != c[k] ? c[k] : v;
                y[k] = d[k] > v || d[k] != d[k] ? d[k] : v;
            }
        }
    }
}
/* fn of lines *from to to - 1 of dx, of each pixel some channels. */
static void gtr__pool_lines(const gtr__pool_job *w, void (*fn)(const gtr__call *, gtr_float *, int64_t), gtr_float *dx,
        int64_t *from, int64_t to, int64_t some) {
    const int64_t c = w->g.c, end = to * w->g.w, run = some == c ? end - *from * w->g.w : 1;
    for (int64_t p = *from * w->g.w; p < end; p += run) fn(w->c, dx + p * c, run * some);
    *from = GTR__MAX(*from, to);
}
#define GTR__MAX_POOL_BACK(j) { \
    const bool here = x##j[k] == y[k] || x##j[k] != x##j[k]; /* then y is NaN, too */ \
    to##j[k] += here ? left : 0; \
    left = here ? 0 : left; }
static void gtr__max_pool_back_place(const gtr__pool_job *w, int64_t n, int64_t oy, int64_t ox, int64_t first,
        int64_t some, gtr_float *dx) {
    const gtr__window *g = &w->g;
    const int64_t at = ((n * g->oh + oy) * g->ow + ox) * g->c + first;
    const gtr_float *y = gtr__in(w->c, 1) + at, *image = w->x + n * g->h * g->w * g->c + first;
    gtr_float dy[GTR__BLOCK], none[GTR__BLOCK];
    gtr__taps t = GTR__ZERO;
    GTR__COPY(dy, w->y + at, some);
    for (int have; (have = gtr__taps_next(g, oy, ox, image, some, &t)) != 0; ) {
        const gtr_float *x[4];
        gtr_float *to[4];
        if (have < 4) GTR__CLEAR(none, some);
        for (int k = 0; k < 4; k++) { x[k] = k < have ? image + t.at[k] : y; to[k] = k < have ? dx + t.at[k] : none; }
        const gtr_float *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
        gtr_float *to0 = to[0], *to1 = to[1], *to2 = to[2], *to3 = to[3];
        GTR__IVDEP
        for (int64_t k = 0; k < some; k++) {
            gtr_float left = dy[k];
            GTR__MAX_POOL_BACK(0) GTR__MAX_POOL_BACK(1) GTR__MAX_POOL_BACK(2) GTR__MAX_POOL_BACK(3)
            dy[k] = left;
        }
    }
}
/* Images by blocks of channels: what windows give pixels is added in the order of places. A line begins and ends in a
   near cache: before the first windows that reach it and behind the last. */
static void gtr__max_pool_back_range(GTR__SPAN) {
    GTR__JOB(gtr__pool_job, w);
    const gtr__window *g = &w->g;
    const int64_t blocks = (g->c + GTR__BLOCK - 1) / GTR__BLOCK, pixels = g->h * g->w;
    for (; i < end; i++) {
        const int64_t n = i / blocks, first = i % blocks * GTR__BLOCK, some = GTR__MIN(g->c - first, GTR__BLOCK);
        gtr_float *dx = w->to + n * pixels * g->c + first;
        for (int64_t oy = 0, begun = 0, done = 0; oy <= g->oh; oy++) {
            const int64_t top = oy < g->oh ? GTR__MIN(oy * g->sh - g->ph, g->h) : g->h,
                reach = oy < g->oh ? GTR__MIN(top + (g->kh - 1) * g->dh + 1, g->h) : g->h;
            gtr__pool_lines(w, gtr__pool_begin, dx, &begun, GTR__MAX(reach, top), some);
            gtr__pool_lines(w, gtr__pool_end, dx, &done, top, some);
            for (int64_t ox = 0; ox < g->ow && oy < g->oh; ox++)
                gtr__max_pool_back_place(w, n, oy, ox, first, some, dx);
        }
    }
}
GTR__CPU(max_pool_fwd) { return gtr__pool_run(cpu, c, gtr__max_pool_range, false, false); }
GTR__CPU(max_pool_bwd) { return gtr__pool_run(cpu, c, gtr__max_pool_back_range, true, true); }

// >>op:avg_pool
/* The mean under the window; attributes as max_pool's. It divides by the kernel's taps within image and padding, or,
   i[9], within the image. i[11], adaptive: (i[6], i[7]) are y's height and width, and place k of n is the mean of
   pixels from k size / n, cut off, to (k + 1) size / n, rounded up. Kernels see channels last. */
GTR__SHAPE(avg_pool) {
    const int n = s->in[0].ndim;
    if (!s->attr->i[11]) return gtr__shape_max_pool(s);
    GTR__TRY(gtr__shape_image(s));
    for (int k = 2; k < n; k++) s->out[0].dim[k] = s->attr->i[8 + k - n];
    s->flops = gtr__shape_flops(&s->in[0], 1);
    return GTR_OK;
}
/* Pixels *from to *to - 1 of place k along a dimension (across: the width), and by how many they are divided. */
static int64_t gtr__avg_window(const gtr__pool_job *w, bool across, int64_t k, int64_t *from, int64_t *to) {
    const gtr__window *g = &w->g;
    const int64_t size = across ? g->w : g->h, places = across ? g->ow : g->oh, pad = across ? g->pw : g->ph,
        kernel = across ? g->kw : g->kh, at = k * (across ? g->sw : g->sh) - pad, *i = w->c->attr->i;
    *from = i[11] ? k * size / places : GTR__MAX(at, 0);
    *to = i[11] ? ((k + 1) * size + places - 1) / places : GTR__MIN(at + kernel, size);
    return i[11] || i[9] ? *to - *from : GTR__MIN(at + kernel, size + pad) - at;
}
static void gtr__avg_places(const gtr__pool_job *w, bool across, int64_t k, int64_t *first, int64_t *end) {
    const gtr__window *g = &w->g;
    const int64_t size = across ? g->w : g->h, places = across ? g->ow : g->oh;
    if (!w->c->attr->i[11]) gtr__window_places(k, across ? g->sw : g->sh, across ? g->pw : g->ph,
        across ? g->kw : g->kh, places, first, end);
    else { *first = k * places / size; *end = ((k + 1) * places - 1) / size + 1; }
}
static void gtr__avg_pool_range(GTR__SPAN) {
    GTR__JOB(gtr__pool_job, w);
    const gtr__window *g = &w->g;
    for (; i < end; i++) {
        int64_t y0, y1, x0, x1;
        const double f = 1 / ((double)gtr__avg_window(w, false, i / g->ow % g->oh, &y0, &y1)
            * (double)gtr__avg_window(w, true, i % g->ow, &x0, &x1));
        const gtr_float *x = w->x + i / g->ow / g->oh * g->h * g->w * g->c;
        for (int64_t first = 0, some; first < g->c; first += some) {
            double sum[GTR__BLOCK] = { 0 };
            some = GTR__MIN(g->c - first, GTR__BLOCK);
            for (int64_t y = y0; y < y1; y++)
                for (int64_t at = y * g->w + x0; at < y * g->w + x1; at++)
                    for (int64_t k = 0; k < some; k++) sum[k] += x[at * g->c + first + k];
            for (int64_t k = 0; k < some; k++) w->to[i * g->c + first + k] = (gtr_float)(sum[k] * f);
        }
    }
}
static void gtr__avg_pool_back_range(GTR__SPAN) {
    GTR__JOB(gtr__pool_job, w);
    const gtr__window *g = &w->g;
    for (; i < end; i++) {
        int64_t y0, y1, x0, x1, from, to;
        gtr_float *dx = w->to + i * g->c;
        gtr__avg_places(w, false, i / g->w % g->h, &y0, &y1);
        gtr__avg_places(w, true, i % g->w, &x0, &x1);
        gtr__pool_begin(w->c, dx, g->c);
        for (int64_t y = y0; y < y1; y++)
            for (int64_t x = x0; x < x1; x++) {
                const gtr_float f = (gtr_float)(1 / ((double)gtr__avg_window(w, false, y, &from, &to)
                    * (double)gtr__avg_window(w, true, x, &from, &to)));
                const gtr_float *dy = w->y + ((i / g->w / g->h * g->oh + y) * g->ow + x) * g->c;
                for (int64_t k = 0; k < g->c; k++) dx[k] += dy[k] * f;
            }
        gtr__pool_end(w->c, dx, g->c);
    }
}
GTR__CPU(avg_pool_fwd) { return gtr__pool_run(cpu, c, gtr__avg_pool_range, false, false); }
GTR__CPU(avg_pool_bwd) { return gtr__pool_run(cpu, c, gtr__avg_pool_back_range, true, false); }

// >>op:upsample
/* x (N, C, H, W) or (N, C, L) -> y, of which i[6], i[7] are height and width: the nearest, pixel k size / n of place k
   of n, cut off; or, i[8], linear along both, at (k + 1/2) size / n - 1/2, at least 0, as PyTorch's interpolate with
   align_corners False. dx: each pixel's sum, in ascending places; i[10], i[12], i[13]: as max_pool's. Kernels see
   channels last. */
GTR__SHAPE(upsample) {
    const int n = s->in[0].ndim;
    GTR__TRY(gtr__shape_image(s));
    for (int k = 2; k < n; k++) s->out[0].dim[k] = s->attr->i[8 + k - n];
    return GTR_OK;
}
/* Pixels at[0], at[1] and weights share[0], share[1] of place k of n along a dimension of size pixels. */
static void gtr__resample(int64_t k, int64_t n, int64_t size, bool linear, int64_t *at, gtr_float *share) {
    const gtr_float from = ((gtr_float)k + GTR__C(0.5)) * (gtr_float)size / (gtr_float)n - GTR__C(0.5),
        x = from < 0 ? 0 : from;
    at[0] = linear ? (int64_t)x : k * size / n;
    at[1] = GTR__MIN(at[0] + 1, size - 1);
    share[1] = linear ? x - (gtr_float)at[0] : 0;
    share[0] = 1 - share[1];
}
static void gtr__upsample_range(GTR__SPAN) {
    GTR__JOB(gtr__pool_job, w);
    const gtr__window *g = &w->g;
    const bool linear = w->c->attr->i[8] != 0;
    for (; i < end; i++) {
        int64_t y[2], x[2];
        gtr_float fy[2], fx[2], *to = w->to + i * g->c;
        gtr__resample(i / g->ow % g->oh, g->oh, g->h, linear, y, fy);
        gtr__resample(i % g->ow, g->ow, g->w, linear, x, fx);
        const gtr_float *image = w->x + i / g->ow / g->oh * g->h * g->w * g->c, *p[4];
        for (int q = 0; q < 4; q++) p[q] = image + (y[q >> 1] * g->w + x[q & 1]) * g->c;
        if (!linear) GTR__COPY(to, p[0], g->c);
        else for (int64_t k = 0; k < g->c; k++)
            to[k] = fy[0] * (fx[0] * p[0][k] + fx[1] * p[1][k]) + fy[1] * (fx[0] * p[2][k] + fx[1] * p[3][k]);
    }
}
static gtr_float gtr__resample_share(int64_t k, int64_t n, int64_t size, bool linear, int64_t i) {
    int64_t at[2];
    gtr_float share[2];
    gtr__resample(k, n, size, linear, at, share);
    return (at[0] == i ? share[0] : 0) + (at[1] == i ? share[1] : 0);
}
static void gtr__upsample_back_range(GTR__SPAN) {
    GTR__JOB(gtr__pool_job, w);
    const gtr__window *g = &w->g;
    const bool linear = w->c->attr->i[8] != 0;
    for (; i < end; i++) {
        const int64_t iy = i / g->w % g->h, ix = i % g->w, n = i / g->w / g->h;
        const int64_t y1 = GTR__MIN(g->oh, (iy + 2) * g->oh / g->h + 1),
            x1 = GTR__MIN(g->ow, (ix + 2) * g->ow / g->w + 1);
        gtr_float *dx = w->to + i * g->c;
        gtr__pool_begin(w->c, dx, g->c);
        for (int64_t y = GTR__MAX(iy - 1, 0) * g->oh / g->h; y < y1; y++) {
            const gtr_float fy = gtr__resample_share(y, g->oh, g->h, linear, iy);
            for (int64_t x = GTR__MAX(ix - 1, 0) * g->ow / g->w; x < x1 && fy != 0; x++) {
                const gtr_float f = fy * gtr__resample_share(x, g->ow, g->w, linear, ix);
                const gtr_float *dy = w->y + ((n * g->oh + y) * g->ow + x) * g->c;
                for (int64_t k = 0; k < g->c && f != 0; k++) dx[k] += dy[k] * f;
            }
        }
        gtr__pool_end(w->c, dx, g->c);
    }
}
GTR__CPU(upsample_fwd) { return gtr__pool_run(cpu, c, gtr__upsample_range, false, false); }
GTR__CPU(upsample_bwd) { return gtr__pool_run(cpu, c, gtr__upsample_back_range, true, false); }

// >>op:batch_norm
/* x (N, C, ...), weight (C), bias (C), running_mean (C), running_var (C) -> y like x, mean (C), rstd (C), var (C). In
   training mean and var (biased) are those of the batch, in two passes, in evaluation the running ones; rstd = 1 /
   sqrt(var + eps); y = (x - mean) rstd weight + bias. With xh = (x - mean) rstd and n values a channel:
     dbias = sum dy; dweight = sum dy xh; dx = weight rstd (dy - dbias / n - xh dweight / n), in
     evaluation weight rstd dy.
   f[0]: eps, f[1]: momentum (of BN_COMMIT); i[13]: frozen. Running statistics have no gradient. i[2], unless 0: to y is
   added the last input, like it; i[1], unless 0: y is that op's of it, f[2], f[3] its a, b.
   Kernels see the channels last. Ioffe and Szegedy, 2015. */
GTR__SHAPE(batch_norm) {
    static const char *const names[4] = { "weight", "bias", "running_mean", "running_var" };
    const gtr_shape *x = &s->in[0];
    char a[GTR__TEXT], b[GTR__TEXT];
    for (int k = 1; k < s->n_in; k++) {
        s->out[k < 4 ? k : 3] = s->in[1];
        if (x->ndim < 2 || x->dim[1] < 0 || s->in[k].ndim != 1 || s->in[k].dim[0] != x->dim[1])
            return GTR__BAD_SHAPE(s, "got x %s and %s %s, want (N, C, ...) and (C,)", gtr__shape_text(x, a),
                names[k - 1], gtr__shape_text(&s->in[k], b));
    }
    if (s->training && gtr__count(x) == x->dim[1])
        return gtr__shape_want(s, 1, "more than one value a channel in training");
    s->flops = gtr__shape_flops(x, s->training ? 8 : 4);
    return GTR_OK;
}
GTR__EW(bn_variance, (dy - b) * (dy - b))
GTR__EW(bn_dweight, dy * (a - b))
typedef struct { const gtr__call *c; const gtr_float *x, *dy; gtr__affine affine; } gtr__bn_job;
static void gtr__bn_range(const void *job, int64_t run, int64_t end) {
    GTR__JOB(gtr__bn_job, w);
    const int64_t n = w->c->in[1].count;
    const int add = w->c->out[0].add;
    const gtr__attr *a = w->c->attr;
    const gtr__unary_row *act = w->dy ? NULL : gtr__unary_find((int)a->i[1]);
    for (; run < end; run++) {
        gtr_float *y = gtr__out(w->c, 0) + run * n;
        gtr__affine_row(&w->affine, w->x, w->dy, gtr__out(w->c, 0), run, n, add != 0);
        if (act) gtr__unary_apply(act, (gtr_float)a->f[2], (gtr_float)a->f[3], NULL, y, NULL, y, n, 0);
    }
}
static gtr_result gtr__bn_run(void *cpu, const gtr__bn_job *w) {
    const int64_t n = w->c->in[1].count;
    return gtr__ranges(cpu, gtr__bn_range, w, w->c->in[0].count / n, GTR__CHUNK / n);
}
static size_t gtr__bn_vectors(const gtr__call *c, int n) {
    return gtr__rounded((size_t)n * (size_t)c->in[1].count * sizeof(gtr_float));
}
GTR__CPU(batch_norm_fwd) {
    const int64_t channels = c->in[1].count;
    gtr__reduce r = gtr__channel_sums(&c->in[0].shape);
    gtr_float *mean = gtr__out(c, 1), *rstd = gtr__out(c, 2), *var = gtr__out(c, 3), *p = (gtr_float *)c->ws;
    gtr__bn_job w = { c, gtr__in(c, 0), NULL, { mean, p, gtr__in(c, 2), p,
        c->attr->i[2] ? gtr__in(c, c->n_in - 1) : NULL } };
    GTR__WANTS(gtr__bn_vectors(c, 1) + gtr__reduce_bytes(&r));
    if (c->training) {
        void *part = (char *)c->ws + gtr__bn_vectors(c, 1);
        r.ew.dy = r.ew.a = gtr__in(c, 0); r.ew.b = mean;
        r.factor = (double)channels / (double)c->in[0].count;
        r.ew.out = mean;
        gtr__reduce_all(cpu, &r, part);
        r.ew.fn = gtr__ew_bn_variance; r.ew.out = var;
        gtr__reduce_all(cpu, &r, part);
    } else {
        GTR__COPY(mean, c->in[3].data, channels);
        GTR__COPY(var, c->in[4].data, channels);
    }
    gtr__bn_scale(var, gtr__in(c, 1), channels, c->attr->f[0], rstd, p);
    return gtr__bn_run(cpu, &w);
}
GTR__CPU(batch_norm_bwd) {
    const int64_t channels = c->in[1].count;
    const gtr_float *rstd = gtr__in(c, 7);
    gtr__reduce r = gtr__channel_sums(&c->in[0].shape);
    GTR__WANTS(gtr__bn_vectors(c, 5) + gtr__reduce_bytes(&r));
    gtr_float *db = (gtr_float *)c->ws, *dw = db + channels, *p = dw + channels, *q = p + channels, *s = q + channels;
    gtr__bn_job w = { c, gtr__in(c, 0), gtr__in(c, 9), { gtr__in(c, 6), s, q, p, NULL } };
    const double n = (double)c->in[0].count / (double)channels;
    void *part = (char *)c->ws + gtr__bn_vectors(c, 5);
    r.ew.dy = w.dy; r.ew.a = w.x; r.ew.b = w.affine.mean;
    GTR__CLEAR(db, 2 * channels);
    if (c->training || c->out[2].data) { r.ew.out = db; gtr__reduce_all(cpu, &r, part); }
    if (c->training || c->out[1].data) {
        r.ew.fn = gtr__ew_bn_dweight; r.ew.out = dw; gtr__reduce_all(cpu, &r, part);
    }
    for (int64_t k = 0; k < channels; k++) {
        p[k] = gtr__in(c, 1)[k] * rstd[k];
        q[k] = c->training ? (gtr_float)(-p[k] * (db[k] / n)) : 0;
        s[k] = c->training ? (gtr_float)(-p[k] * ((double)rstd[k] * rstd[k] * dw[k] / n)) : 0;
        dw[k] *= rstd[k];
    }
    if (c->out[1].data) gtr__copy_rows(cpu, dw, 0, gtr__out(c, 1), 0, 1, channels, c->out[1].add);
    if (c->out[2].data) gtr__copy_rows(cpu, db, 0, gtr__out(c, 2), 0, 1, channels, c->out[2].add);
    return c->out[0].data ? gtr__bn_run(cpu, &w) : GTR_OK;
}

// >>op:group_norm
/* x (N, C, ...), weight (C) and bias (C), or neither -> y like x, rstd (N, G), mean (N, G), G = i[0] groups of C / G
   channels: rstd = 1 / sqrt(variance + f[0]); with xh = (x - mean) rstd, y = xh weight + bias; dbias, dweight = sums of
   dy, dy xh; with g = dy weight, dx = rstd (g - mean g - xh mean(g xh)), means over a row's group. Kernels see the
   channels last. Wu and He, 2018; Ulyanov, Vedaldi and Lempitsky, 2016. */
GTR__SHAPE(group_norm) {
    const gtr_shape *x = &s->in[0];
    const int64_t groups = s->attr->i[0];
    char t[3][GTR__TEXT];
    bool fits = x->ndim > 1 && x->dim[1] > 0 && x->dim[1] % groups == 0;
    for (int k = 1; fits && k < s->n_in; k++) fits = s->in[k].ndim == 1 && s->in[k].dim[0] == x->dim[1];
    for (int k = 0; k < s->n_in; k++) gtr__shape_text(&s->in[k], t[k]);
    if (!fits) return GTR__BAD_SHAPE(s, "got x %s, %lld groups%s%s%s%s, want (N, C, ...), groups that divide C%s", t[0],
        (long long)groups, s->n_in > 1 ? ", weight " : "", s->n_in > 1 ? t[1] : "", s->n_in > 2 ? ", bias " : "",
        s->n_in > 2 ? t[2] : "", s->n_in > 1 ? ", weight and bias (C,)" : "");
    if (gtr__shape_inner(x, 1) * (x->dim[1] / groups) == 1) return gtr__shape_want(s, 1, "more than one value a group");
    s->out[1] = s->out[2] = gtr_shape2(x->dim[0], groups);
    s->flops = gtr__shape_flops(x, 8);
    return GTR_OK;
}
typedef struct {
    const gtr__call *c; const gtr_float *x, *dy, *weight, *bias; int64_t pixels, channels, groups, wide;
} gtr__gn_job;
static gtr__gn_job gtr__gn_of(const gtr__call *c, bool back) {
    const gtr_shape *x = &c->in[0].shape;
    const bool affine = c->n_in > (back ? 5 : 1);
    const int64_t channels = x->dim[x->ndim - 1];
    const gtr__gn_job w = { c, gtr__in(c, 0), back ? gtr__in(c, c->n_in - 1) : NULL, affine ? gtr__in(c, 1) : NULL,
        affine ? gtr__in(c, 2) : NULL, c->in[0].count / channels / x->dim[0], channels, c->attr->i[0],
        channels / c->attr->i[0] };
    return w;
}
/* Sums over pixels of n channels: off mean, and that squared; with dy of dy, and dy xh. */
static void gtr__gn_sums(const gtr__gn_job *w, int64_t at, int64_t n, double mean, double rstd, double *a, double *b) {
    for (int64_t k = 0; k < n; k++) a[k] = b[k] = 0;
    for (int64_t p = 0; p < w->pixels; p++, at += w->channels) {
        const gtr_float *x = w->x + at, *dy = w->dy ? w->dy + at : x;
        for (int64_t k = 0; k < n; k++) {
            const double d = (double)x[k] - mean, g = w->dy ? (double)dy[k] : d;
            a[k] += g; b[k] += g * d * rstd;
        }
    }
}
static void gtr__gn_range(GTR__SPAN) {
    GTR__JOB(gtr__gn_job, w);
    const gtr__call *c = w->c;
    const double values = (double)w->pixels * (double)w->wide;
    double a[GTR__BLOCK], b[GTR__BLOCK], *part = (double *)c->ws;
    for (int64_t n; i < end; i++) {
        const int64_t at = i / w->groups * w->pixels * w->channels, c0 = i % w->groups * w->wide;
        double mean = w->dy ? (double)gtr__in(c, c->n_in - 2)[i] : 0, s1 = 0, s2 = 0;
        double rstd = w->dy ? (double)gtr__in(c, c->n_in - 3)[i] : 1;
        for (int pass = w->dy ? 1 : 0; pass < 2; pass++) {
            s1 = s2 = 0;
            for (int64_t k = 0; k < w->wide; k += n) {
                n = GTR__MIN(w->wide - k, GTR__BLOCK);
                gtr__gn_sums(w, at + c0 + k, n, mean, rstd, a, b);
                for (int64_t j = 0; j < n; j++) {
                    const double f = w->weight && w->dy ? (double)w->weight[c0 + k + j] : 1;
                    s1 += f * a[j]; s2 += f * b[j];
                    if (!w->dy || !w->weight) continue;
                    double *to = part + (i / w->groups * 2) * w->channels + c0 + k + j;
                    to[0] = a[j]; to[w->channels] = b[j];
                }
            }
            if (!w->dy) { if (pass) rstd = 1 / sqrt(s2 / values + c->attr->f[0]); else mean = s1 / values; }
        }
        if (!w->dy) { gtr__out(c, 1)[i] = (gtr_float)rstd; gtr__out(c, 2)[i] = (gtr_float)mean; }
        if (!gtr__out(c, 0)) continue;
        s1 /= values; s2 /= values;
        gtr_float *y = gtr__out(c, 0) + at + c0;
        const gtr_float *x = w->x + at + c0, *dy = w->dy ? w->dy + at + c0 : x;
        const gtr_float m = (gtr_float)mean, r = (gtr_float)rstd, t1 = (gtr_float)s1, t2 = (gtr_float)s2;
        for (int64_t p = 0; p < w->pixels; p++, y += w->channels, x += w->channels, dy += w->channels)
            for (int64_t k = 0; k < w->wide; k++) {
                const gtr_float f = w->weight ? w->weight[c0 + k] : 1, xh = (x[k] - m) * r;
                if (!w->dy) y[k] = w->bias ? xh * f + w->bias[c0 + k] : xh;
                else y[k] = r * (dy[k] * f - t1 - xh * t2) + (c->out[0].add ? y[k] : 0);
            }
    }
}
GTR__CPU(group_norm_fwd) {
    const gtr__gn_job w = gtr__gn_of(c, false);
    GTR__WANTS(0);
    return gtr__ranges(cpu, gtr__gn_range, &w, c->in[0].shape.dim[0] * w.groups,
        GTR__CHUNK / 4 / (w.pixels * w.wide));
}
GTR__CPU(group_norm_bwd) {
    const gtr__gn_job w = gtr__gn_of(c, true);
    const int64_t rows = c->in[0].shape.dim[0];
    GTR__WANTS(c->n_in > 5 ? (size_t)(rows * 2 * w.channels) * sizeof(double) : 0);
    gtr__ranges(cpu, gtr__gn_range, &w, rows * w.groups, GTR__CHUNK / 4 / (w.pixels * w.wide));
    for (int q = 1; q < c->n_out; q++) /* bias is input 2 */
        for (int64_t k = 0; k < w.channels && c->out[q].data; k++) {
            double sum = 0;
            for (int64_t n = 0; n < rows; n++) sum += ((double *)c->ws)[(n * 2 + (q == 1)) * w.channels + k];
            gtr__out(c, q)[k] = (gtr_float)sum + (c->out[q].add ? gtr__out(c, q)[k] : 0);
        }
    return GTR_OK;
}

// >>op:layer_norm
/* x (..., K), weight (K), bias (K) or none -> y like x, rstd (...), mean (...): rstd = 1 / sqrt(variance + f[0]); with
   xh = (x - mean) rstd, y = xh weight + bias; dbias, dweight = sums over rows of dy, dy xh; with g = dy weight,
   dx = rstd (g - mean g - xh mean(g xh)). rms_norm: no mean, mean g or bias.
   Ba, Kiros and Hinton, 2016; Zhang and Sennrich, 2019. */
GTR__SHAPE(layer_norm) {
    const gtr_shape *x = &s->in[0], *w = &s->in[1];
    gtr_shape rows = *x;
    bool good = w->ndim > 0 && w->ndim <= x->ndim;
    rows.ndim -= good ? w->ndim : 0;
    for (int k = 0; good && k < w->ndim; k++) good = w->dim[k] > 0 && w->dim[k] == x->dim[rows.ndim + k];
    if (!good || (s->n_in > 2 && !gtr__shape_equal(w, &s->in[2])))
        return gtr__shape_want(s, s->n_in, "x (..., K), weight (K), bias (K), K not the batch");
    if (!(s->attr->f[0] > 0 && s->attr->f[0] < 1e30))
        return gtr__shape_fail(s, GTR_ERR_ARG, "eps is %g, want 0 or more", s->attr->f[0]);
    s->out[1] = s->out[2] = rows;
    s->flops = gtr__shape_flops(x, 8);
    return GTR_OK;
}
static double gtr__ln_dot(const gtr_float *dy, const gtr_float *w, const gtr_float *x, gtr_float mean, int64_t n)
    GTR__SUM_BODY((double)(dy[e] * w[e]) * (double)(x[e] - mean))
GTR__EW(ln_dweight, dy * ((y - a) * b))
/* Forward, or dx. mean NULL: rms_norm. */
typedef struct { const gtr__call *c; const gtr_float *dy; gtr_float *mean, *rstd; int64_t n; } gtr__ln_job;
static void gtr__ln_range(GTR__SPAN) {
    GTR__JOB(gtr__ln_job, j);
    const int64_t n = j->n;
    const gtr_float *w = gtr__in(j->c, 1), *bias = j->c->n_in > 2 ? gtr__in(j->c, 2) : NULL;
    const int add = j->c->out[0].add;
    for (; i < end; i++) {
        const gtr_float *x = gtr__in(j->c, 0) + i * n, *dy = j->dy ? j->dy + i * n : NULL;
        gtr_float *y = gtr__out(j->c, 0) + i * n, s = 0, q = 0;
        if (dy) {
            q = j->mean ? (gtr_float)(gtr__dot_run(dy, w, n) / (double)n) : 0;
            s = (gtr_float)(gtr__ln_dot(dy, w, x, j->mean ? j->mean[i] : 0, n) / (double)n);
            s *= j->rstd[i] * j->rstd[i];
        } else {
            const double mean = j->mean ? gtr__sum_run(x, n) / (double)n : 0;
            if (j->mean) j->mean[i] = (gtr_float)mean;
            j->rstd[i] = (gtr_float)(1 / sqrt(gtr__var_run(x, mean, n) / (double)n + j->c->attr->f[0]));
        }
        const gtr_float r = j->rstd[i], m = j->mean ? j->mean[i] : 0;
        if (!dy) for (int64_t k = 0; k < n; k++) y[k] = (x[k] - m) * r * w[k] + (bias ? bias[k] : 0);
        else for (int64_t k = 0; k < n; k++)
            y[k] = r * (dy[k] * w[k] - q - (x[k] - m) * s) + (add ? y[k] : 0);
    }
}
static gtr_result gtr__ln_rows(void *cpu, const gtr__ln_job *j) {
    return gtr__ranges(cpu, gtr__ln_range, j, j->c->in[0].count / j->n, GTR__CHUNK / j->n);
}
GTR__CPU(layer_norm_fwd) {
    const gtr__ln_job j = { c, NULL, c->n_out > 2 ? gtr__out(c, 2) : NULL, gtr__out(c, 1), c->in[1].count };
    GTR__WANTS(0);
    return gtr__ln_rows(cpu, &j);
}
GTR__CPU(layer_norm_bwd) {
    const gtr__arg *rstd = &c->in[c->n_out + 1], *dy = &c->in[c->n_in - 1];
    const gtr__ln_job j = { c, gtr__floats(dy), dy > rstd + 1 ? gtr__floats(&rstd[1]) : NULL,
        gtr__floats(rstd), c->in[1].count };
    const gtr_shape full = gtr_shape2(dy->count / j.n, j.n), row = gtr_shape2(full.dim[0], 1), to = gtr_shape2(1, j.n);
    gtr__reduce r = gtr__reduce_make(&full, &row, &row, &to);
    GTR__WANTS(gtr__reduce_bytes(&r));
    r.ew.dy = j.dy; r.ew.a = j.mean; r.ew.b = j.rstd; r.ew.y = gtr__in(c, 0);
    for (int k = 1; k < c->n_out; k++) if (c->out[k].data) {
        r.ew.fn = k == 1 ? gtr__ew_ln_dweight : NULL; r.ew.out = gtr__out(c, k); r.ew.add = c->out[k].add;
        gtr__reduce_all(cpu, &r, c->ws);
    }
    return c->out[0].data ? gtr__ln_rows(cpu, &j) : GTR_OK;
}

// >>op:rms_norm
/* See layer_norm; y, rstd. */
#define gtr__shape_rms_norm gtr__shape_layer_norm
#define gtr__cpu_rms_norm_fwd gtr__cpu_layer_norm_fwd
#define gtr__cpu_rms_norm_bwd gtr__cpu_layer_norm_bwd

// >>op:argmax
/* y (GTR_I32): the index of x's largest element along axis i[0], which goes; the first of equals; NaN
   counts as the largest. */
GTR__SHAPE(argmax) {
    const int64_t axis = s->attr->i[0];
    gtr_shape o = gtr_shape0();
    if (s->in[0].dim[axis] > INT32_MAX) return gtr__shape_want(s, 1, "fewer than 2^31 elements along the axis");
    for (int k = 0; k < s->in[0].ndim; k++) if (k != axis) o.dim[o.ndim++] = s->in[0].dim[k];
    s->out[0] = o;
    s->out_dtype[0] = GTR_I32;
    s->flops = gtr__shape_flops(&s->in[0], 1);
    return GTR_OK;
}
static int32_t gtr__argmax_run(const gtr_float *x, int64_t n, int64_t step) {
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++) {
        const gtr_float v = x[i * step], m = x[best * step];
        if (v > m || (v != v && m == m)) best = i;
    }
    return (int32_t)best;
}
static void gtr__argmax_range(GTR__SPAN) {
    GTR__AXIS;
    for (; i < end; i++)
        ((int32_t *)c->out[0].data)[i] = gtr__argmax_run(gtr__in(c, 0) + i / inner * n * inner + i % inner, n, inner);
}
GTR__CPU(argmax_fwd) {
    return gtr__ranges(cpu, gtr__argmax_range, c, c->out[0].count, GTR__CHUNK / c->in[0].shape.dim[c->attr->i[0]]);
}

// >>op:cumsum
/* y: along axis i[0], the sum of x's elements up to this one; dx: dy's from this one on. */
#define gtr__shape_cumsum gtr__shape_same
static void gtr__cumsum_range(GTR__SPAN) {
    GTR__AXIS;
    const bool back = c->n_in > 1;
    for (; i < end; i++) {
        double sum = 0;
        for (int64_t k = 0; k < n; k++) {
            const int64_t e = (i / inner * n + (back ? n - 1 - k : k)) * inner + i % inner;
            gtr_float *y = gtr__out(c, 0) + e;
            sum += gtr__in(c, back ? 2 : 0)[e];
            *y = c->out[0].add ? *y + (gtr_float)sum : (gtr_float)sum;
        }
    }
}
GTR__CPU(cumsum_fwd) {
    const int64_t n = c->in[0].shape.dim[c->attr->i[0]];
    if (c->out[0].data) gtr__ranges(cpu, gtr__cumsum_range, c, c->out[0].count / n, GTR__CHUNK / n);
    return GTR_OK;
}
#define gtr__cpu_cumsum_bwd gtr__cpu_cumsum_fwd

// >>op:sort
/* y: the first i[1] (0: all) of x's elements along axis i[0] in ascending, with i[2] descending, order, equals in
   theirs; a NaN is the largest. Output 1 (GTR_I32): where they were. dx is dy there, else 0. */
GTR__SHAPE(sort) {
    const int64_t axis = s->attr->i[0], k = s->attr->i[1], n = s->in[0].dim[axis];
    char text[GTR__TEXT];
    if (n > INT32_MAX) return gtr__shape_want(s, 1, "fewer than 2^31 elements along the axis");
    if (k < 0 || (k && (n < 0 || k > n)))
        return GTR__BAD_SHAPE(s, "got k %lld and axis %lld of %s, want from 1 to all elements, of an axis that is not "
            "the batch", (long long)(k == INT64_MIN ? 0 : k), (long long)axis, gtr__shape_text(&s->in[0], text));
    s->n_out = 2;
    s->out_dtype[1] = GTR_I32;
    if (k) s->out[0].dim[axis] = k;
    s->out[1] = s->out[0];
    return GTR_OK;
}
/* Keys are in order as x's elements, or with down the other way round. */
typedef GTR__MATH(uint32_t, uint64_t) gtr__sort_key;
typedef struct { gtr__sort_key key; int32_t at; } gtr__sort_item;
/* The first m of n: few are inserted one by one, else all go by bytes of keys from a to b and back. */
static gtr__sort_item *gtr__sort_line(const gtr_float *x, int64_t step, int64_t n, int64_t m, int down,
        gtr__sort_item *a, gtr__sort_item *b) {
    enum { BYTES = sizeof a->key };
    const gtr__sort_key top = (gtr__sort_key)1 << (8 * BYTES - 1);
    const bool few = m <= 32;
    for (int64_t i = 0, k = 0, e; i < n; i++) {
        const gtr_float v = x[i * step] + 0; /* -0 is 0 */
        gtr__sort_item t = { 0, (int32_t)i };
        memcpy(&t.key, &v, sizeof v);
        t.key = (v != v ? 0 : t.key & top ? t.key : ~(t.key | top)) ^ (gtr__sort_key)(down - 1);
        if (few && k == m && t.key >= a[m - 1].key) continue;
        for (e = k < m ? k++ : m - 1; few && e && t.key < a[e - 1].key; e--) a[e] = a[e - 1];
        a[few ? e : i] = t;
    }
    if (few) return a;
    uint32_t count[BYTES][256] = { { 0 } };
    for (int64_t i = 0; i < n; i++) for (int j = 0; j < BYTES; j++) count[j][a[i].key >> 8 * j & 255]++;
    for (int j = 0; j < BYTES; j++) {
        uint32_t *to = count[j], sum = 0;
        gtr__sort_item *const from = a;
        if (to[a->key >> 8 * j & 255] == n) continue;
        for (int k = 0; k < 256; k++) { sum += to[k]; to[k] = sum - to[k]; }
        for (int64_t i = 0; i < n; i++) b[to[from[i].key >> 8 * j & 255]++] = from[i];
        a = b; b = from;
    }
    return a;
}
static void gtr__sort_range(GTR__SPAN) {
    GTR__AXIS;
    const int64_t m = c->out[0].shape.dim[c->attr->i[0]];
    for (; i < end; i++) {
        const int64_t o = i / inner, j = i % inner, to = o * m * inner + j;
        gtr__sort_item *ws = (gtr__sort_item *)c->ws + 2 * i * n;
        int32_t *at = (int32_t *)c->out[1].data + to;
        const gtr_float *x = gtr__in(c, 0) + o * n * inner + j;
        ws = gtr__sort_line(x, inner, n, m, (int)c->attr->i[2], ws, ws + n);
        for (int64_t k = 0; k < m; k++) gtr__out(c, 0)[to + k * inner] = x[(at[k * inner] = ws[k].at) * inner];
    }
}
static void gtr__sort_back_range(GTR__SPAN) {
    GTR__AXIS;
    const int64_t m = c->in[1].shape.dim[c->attr->i[0]], across = inner > 1;
    for (int64_t wide; i < end; i += wide) {
        const int64_t o = i / inner, j = i % inner, to = o * m * inner + j;
        const int32_t *at = gtr__in_ints(c, 2) + to;
        const gtr_float *dy = gtr__in(c, 3) + to;
        gtr_float *dx = gtr__out(c, 0) + o * n * inner + j;
        wide = GTR__MIN(end - i, inner - j);
        for (int64_t k = 0; k < (across ? m : 1); k++, at += inner, dy += inner)
            for (int64_t e = 0; e < (across ? wide : m); e++) dx[at[e] * inner + e * across] += dy[e];
    }
}
GTR__CPU(sort_fwd) {
    const int64_t count = c->in[0].count, n = c->in[0].shape.dim[c->attr->i[0]];
    const bool back = c->n_in > 1;
    GTR__WANTS(back ? 0 : (size_t)count * 2 * sizeof(gtr__sort_item));
    if (!c->out[0].data) return GTR_OK;
    if (back && !c->out[0].add) gtr__copy_rows(cpu, NULL, 0, gtr__out(c, 0), 0, 1, count, 0);
    return gtr__ranges(cpu, back ? gtr__sort_back_range : gtr__sort_range, c, count / n,
        GTR__MAX(GTR__CHUNK / 16 / n, GTR__MIN(gtr__shape_inner(&c->in[0].shape, c->attr->i[0]) / 4, 16)));
}
#define gtr__cpu_sort_bwd gtr__cpu_sort_fwd

// >>op:take
/* y: along axis i[0] the elements of x (n) that ids (m) name; f[0] for one below 0. Of element j dx is the sum of those
   of dy that order (m) names from starts[j] to starts[j + 1] - 1 (n + 1). */
GTR__SHAPE(take) {
    gtr_shape o = s->in[0];
    o.dim[s->attr->i[0]] = s->in[1].dim[0];
    return gtr__shape_output(s, 0, o);
}
static void gtr__take_range(GTR__SPAN) {
    GTR__JOB(gtr__call, c);
    const bool back = c->n_in > 4;
    const gtr__arg *x = &c->in[back ? 5 : 0], *y = &c->out[0];
    const int64_t axis = c->attr->i[0], n = y->shape.dim[axis], inner = gtr__shape_inner(&y->shape, axis);
    const int32_t *ids = gtr__in_ints(c, back ? 3 : 1), *starts = gtr__in_ints(c, 2);
    for (; i < end; i++) {
        const int64_t j = i % n, last = back ? starts[j + 1] : j + 1;
        gtr_float *to = gtr__floats(y) + i * inner;
        for (int64_t e = 0; !y->add && e < inner; e++) to[e] = back || ids[j] >= 0 ? (gtr_float)0
            : (gtr_float)c->attr->f[0];
        for (int64_t t = back ? starts[j] : j; t < last; t++) if (ids[t] >= 0) {
            const gtr_float *from = gtr__floats(x) + (i / n * x->shape.dim[axis] + ids[t]) * inner;
            for (int64_t e = 0; e < inner; e++) to[e] += from[e];
        }
    }
}
GTR__CPU(take_fwd) {
    const int64_t inner = gtr__shape_inner(&c->in[0].shape, c->attr->i[0]);
    if (c->out[0].data) gtr__ranges(cpu, gtr__take_range, c, c->out[0].count / inner, GTR__CHUNK / inner);
    return GTR_OK;
}
#define gtr__cpu_take_bwd gtr__cpu_take_fwd

// >>op:one_hot
/* y (..., i[0]): 1 where the index is ids' (...), else 0; NaN for an id outside. */
GTR__SHAPE(one_hot) {
    gtr_shape o = s->in[0];
    if (o.ndim >= GTR_MAX_DIMS) return gtr__shape_want(s, 1, "at most 7 dimensions");
    o.dim[o.ndim++] = s->attr->i[0];
    return gtr__shape_output(s, 0, o);
}
static void gtr__one_hot_range(GTR__SPAN) {
    GTR__JOB(gtr__call, c);
    const int64_t n = c->attr->i[0];
    for (; i < end; i++) {
        const int64_t id = gtr__in_ints(c, 0)[i];
        for (int64_t k = 0; k < n; k++)
            gtr__out(c, 0)[i * n + k] = id < 0 || id >= n ? gtr__nan() : id == k;
    }
}
GTR__CPU(one_hot_fwd) {
    return gtr__ranges(cpu, gtr__one_hot_range, c, c->in[0].count, GTR__CHUNK / c->attr->i[0]);
}

// >>op:accuracy
/* logits (N, C), labels (N) GTR_I32 -> a scalar: the share of rows with a label that counts whose argmax is the
   label; NaN if there is no such row. Labels from i[0] to i[1], the negative ones, do not count. With tally's output
   as third input the divisor is, of what counts in all the labels that tally had, the share that N is of these:
   weighted by N, values of parts then add to the whole's. */
static double gtr__divisor(const gtr__call *c, int64_t counted) {
    const int64_t *tally = c->n_in > 2 ? (const int64_t *)c->in[2].data : NULL;
    return tally ? (double)tally[0] * (double)c->in[1].count / (double)tally[1] : (double)counted;
}
GTR__SHAPE(accuracy) {
    if (s->in[0].ndim != 2 || s->in[1].ndim != 1 || s->in[0].dim[0] != s->in[1].dim[0] || s->in[0].dim[1] < 0)
        return gtr__shape_want(s, 2, "logits (N, C) and labels (N,), of images a row a pixel");
    s->out[0] = gtr_shape0();
    s->flops = gtr__shape_flops(&s->in[0], 5);
    return GTR_OK;
}
static void gtr__accuracy_range(GTR__SPAN) {
    GTR__JOB(gtr__call, c);
    const int64_t n = c->in[0].shape.dim[1];
    for (; i < end; i++)
        ((int32_t *)c->ws)[i] = gtr__in_ints(c, 1)[i] >= 0 ? gtr__argmax_run(gtr__in(c, 0) + i * n, n, 1) : -1;
}
GTR__CPU(accuracy_fwd) {
    const int64_t rows = c->in[0].shape.dim[0];
    const int32_t *most = (const int32_t *)c->ws;
    int64_t right = 0, counted = 0;
    GTR__WANTS((size_t)rows * sizeof *most);
    gtr__ranges(cpu, gtr__accuracy_range, c, rows, GTR__CHUNK / c->in[0].shape.dim[1]);
    for (int64_t i = 0; i < rows; i++) {
        counted += most[i] >= 0; right += most[i] >= 0 && most[i] == gtr__in_ints(c, 1)[i];
    }
    const double divisor = gtr__divisor(c, counted);
    *gtr__out(c, 0) = divisor > 0 ? (gtr_float)((double)right / divisor) : gtr__nan();
    return GTR_OK;
}

// >>op:cross_entropy
/* logits x (N, C), labels (N) GTR_I32 -> loss (a scalar), lse (N, 2): log sum exp x as max x and the rest, for their
   sum would round away what large logits differ by, or NaN twice; count (1): counted rows. f[0]: smoothing s, i[0],
   i[1]: ignore_index. loss = mean over the rows whose label is not ignored of (1 - s)(lse - x[label]) + s (lse -
   mean x), NaN if there is none, or if a label that is not ignored lies outside [0, C). A third input makes another
   count, as accuracy's, and the mean is the sum by that. dx = dloss / count (exp(x - lse) - (1 - s)[label] - s / C), by
   expm1 at the label, 0 in ignored rows, NaN in rows of a bad label. */
GTR__SHAPE(cross_entropy) {
    if (s->in[1].ndim == 2) return gtr__shape_want(s, 2, "float32 labels (N, C), or int32 (N,)");
    GTR__TRY(gtr__shape_accuracy(s));
    if (s->in[0].dim[1] == 1) return GTR__BAD_SHAPE(s, "got one class, want at least two");
    s->out[1] = gtr_shape2(s->in[0].dim[0], 2);
    s->out[2] = gtr_shape1(1);
    return GTR_OK;
}
#define GTR__XENT_BLOCK 1024
#define GTR__XENT_ROWS  64
/* Rows from i on whose terms are made together. */
static int64_t gtr__xent_rows(int64_t n, int64_t i, int64_t end) {
    return GTR__MIN(end - i, GTR__MAX(1, GTR__MIN(GTR__XENT_BLOCK / n, GTR__XENT_ROWS)));
}
/* t (rows, k) = exp(x - m), x from column first on of n, m (rows, 2) in two parts; adds the sums of x - m to shifted if
   it is there. */
static void gtr__xent_terms(const gtr_float *x, int64_t n, int64_t first, int64_t k, const gtr_float *m, int64_t rows,
        gtr_float *t, double *shifted) {
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t j = 0; j < k; j++) t[r * k + j] = x[r * n + first + j] - m[2 * r] - m[2 * r + 1];
        if (shifted) shifted[r] += gtr__sum_run(t + r * k, k);
    }
    gtr__exp_run(t, rows * k);
}
static void gtr__xent_range(GTR__SPAN) {
    GTR__JOB(gtr__call, c);
    const int64_t n = c->in[0].shape.dim[1];
    const double smooth = c->attr->f[0];
    for (int64_t rows; i < end; i += rows) {
        const gtr_float *x = gtr__in(c, 0) + i * n;
        gtr_float t[GTR__XENT_BLOCK], m[2 * GTR__XENT_ROWS];
        double sum[GTR__XENT_ROWS], shifted[GTR__XENT_ROWS];
        rows = gtr__xent_rows(n, i, end);
        for (int64_t r = 0; r < rows; r++) {
            m[2 * r] = gtr__max_run(x + r * n, n);
            m[2 * r + 1] = 0; sum[r] = shifted[r] = 0;
        }
        for (int64_t first = 0, k; first < n; first += k) {
            k = GTR__MIN(n - first, GTR__XENT_BLOCK);
            gtr__xent_terms(x, n, first, k, m, rows, t, smooth > 0 ? shifted : NULL);
            for (int64_t r = 0; r < rows; r++) sum[r] += gtr__sum_run(t + r * k, k);
        }
        for (int64_t r = 0; r < rows; r++) {
            const int64_t label = gtr__in_ints(c, 1)[i + r];
            const double all = log(sum[r]);
            double loss = 0;
            gtr__out(c, 1)[2 * (i + r)] = all != all ? (gtr_float)all : m[2 * r];
            gtr__out(c, 1)[2 * (i + r) + 1] = (gtr_float)all;
            if (label >= 0 && label < n) {
                loss = all - ((double)x[r * n + label] - (double)m[2 * r]);
                if (smooth > 0) loss = (smooth < 1 ? (1 - smooth) * loss : 0) + smooth * (all - shifted[r] / (double)n);
            } else if (label != c->attr->i[0]) loss = (double)gtr__nan();
            ((double *)c->ws)[i + r] = label == c->attr->i[0] ? 0 : loss;
        }
    }
}
GTR__CPU(cross_entropy_fwd) {
    const int64_t rows = c->in[0].shape.dim[0];
    double sum = 0;
    int64_t counted = 0;
    GTR__WANTS((size_t)rows * sizeof sum);
    gtr__ranges(cpu, gtr__xent_range, c, rows, GTR__DEAR / c->in[0].shape.dim[1]);
    for (int64_t i = 0; i < rows; i++) {
        sum += ((const double *)c->ws)[i];
        counted += gtr__in_ints(c, 1)[i] != c->attr->i[0];
    }
    const double count = gtr__divisor(c, counted);
    *gtr__out(c, 0) = count > 0 ? (gtr_float)(sum / count) : gtr__nan();
    *gtr__out(c, 2) = (gtr_float)count;
    return GTR_OK;
}
typedef struct {
    const gtr__call *c; const gtr__arg *dx; const gtr_float *lse; gtr_float g;
} gtr__xent_job;
/* Columns first to first + k - 1 of row i's gradient, from t = exp(x - lse), which is overwritten. */
static void gtr__xent_back_row(const gtr__xent_job *w, int64_t i, int64_t n, int64_t first, int64_t k, gtr_float *t) {
    const double smooth = w->c->attr->f[0];
    const gtr_float g = w->g, off = (gtr_float)(smooth / (double)n), *lse = w->lse + 2 * i;
    const int64_t label = gtr__in_ints(w->c, 1)[i];
    gtr_float *dx = gtr__floats(w->dx) + i * n + first;
    if (label == w->c->attr->i[0]) {
        if (!w->dx->add) GTR__CLEAR(dx, k);
        return;
    }
    for (int64_t j = 0; j < k; j++) t[j] = t[j] - off;
    if (label >= first && label < first + k) t[label - first] =
        (gtr_float)(expm1((double)gtr__in(w->c, 0)[i * n + label] - (double)lse[0] - (double)lse[1]) + smooth) - off;
    if (label < 0 || label >= n) for (int64_t j = 0; j < k; j++) t[j] = gtr__nan();
    if (w->dx->add) for (int64_t j = 0; j < k; j++) dx[j] += g * t[j];
    else for (int64_t j = 0; j < k; j++) dx[j] = g * t[j];
}
static void gtr__xent_back_range(GTR__SPAN) {
    GTR__JOB(gtr__xent_job, w);
    const int64_t n = w->c->in[0].shape.dim[1];
    for (int64_t rows; i < end; i += rows) {
        gtr_float t[GTR__XENT_BLOCK];
        rows = gtr__xent_rows(n, i, end);
        for (int64_t first = 0, k; first < n; first += k) {
            k = GTR__MIN(n - first, GTR__XENT_BLOCK);
            gtr__xent_terms(gtr__in(w->c, 0) + i * n, n, first, k, w->lse + 2 * i, rows, t, NULL);
            for (int64_t r = 0; r < rows; r++) gtr__xent_back_row(w, i + r, n, first, k, t + r * k);
        }
    }
}
static gtr_result gtr__xent_backward(GTR__ARGS, const gtr__arg *dx, const void *lse,
        const void *counted, double dy) {
    const double count = *(const gtr_float *)counted;
    gtr__xent_job w = { c, dx, (const gtr_float *)lse, (gtr_float)(count > 0 ? dy / count : 0) };
    return gtr__ranges(cpu, gtr__xent_back_range, &w, c->in[0].shape.dim[0], GTR__DEAR / c->in[0].shape.dim[1]);
}
/* The gradient that a loss's backward starts from: operand i, if it is there and has data. */
static double gtr__seed(const gtr__call *c, int i) {
    if (i < c->n_in && c->in[i].data) return *gtr__in(c, i);
    return c->seed * (c->ctl ? c->ctl->scale : 1.0);
}
GTR__CPU(cross_entropy_bwd) {
    const int lse = c->n_in - 3; /* the last three: lse, count, dloss */
    GTR__WANTS(0);
    if (!c->out[0].data) return GTR_OK;
    return gtr__xent_backward(cpu, c, &c->out[0], c->in[lse].data, c->in[lse + 1].data, gtr__seed(c, lse + 2));
}

// >>op:xent_step
/* cross_entropy and its backward from the constant gradient: logits, labels -> loss, lse, count, dlogits.
   Attributes as cross_entropy's. */
GTR__CPU(xent_step_fwd) {
    GTR__TRY(gtr__cpu_cross_entropy_fwd(cpu, c));
    return c->measure || !c->out[3].data ? GTR_OK
        : gtr__xent_backward(cpu, c, &c->out[3], c->out[1].data, c->out[2].data, gtr__seed(c, c->n_in));
}
/* mean of f(x, t) over all elements, and its two gradients by formulas in a = x, b = t and g = dloss / n. */
GTR__SHAPE(mean_loss) {
    if (!gtr__shape_equal(&s->in[0], &s->in[1])) return gtr__shape_want(s, 2, "equal shapes");
    s->out[0] = gtr_shape0();
    s->flops = gtr__shape_flops(&s->in[0], 3);
    return GTR_OK;
}
static gtr_result gtr__mean_loss_forward(GTR__ARGS, gtr__ew_fn fn) {
    gtr__reduce r = gtr__reduce_make(&c->in[0].shape, &c->in[0].shape, &c->in[0].shape, NULL);
    GTR__WANTS(gtr__reduce_bytes(&r));
    r.ew.fn = fn; r.ew.a = gtr__in(c, 0); r.ew.b = gtr__in(c, 1); r.ew.out = gtr__out(c, 0);
    r.factor = 1 / (double)c->in[0].count;
    return gtr__reduce_all(cpu, &r, c->ws);
}
static gtr_result gtr__mean_loss_backward(GTR__ARGS, gtr__ew_fn dx, gtr__ew_fn dt) {
    GTR__WANTS(0);
    for (int k = 0; k < c->n_out && k < 2; k++) {
        gtr__ew_job w = gtr__ew_make(k ? dt : dx, &c->in[0], &c->in[1], &c->out[k]);
        w.g = (gtr_float)(gtr__seed(c, 3) / (double)c->in[0].count);
        if (w.out) gtr__ew(cpu, &w);
    }
    return GTR_OK;
}
#define GTR__MEAN_LOSS(name, loss, dx, dt) \
    GTR__EW(name, loss) GTR__EW(name##_dx, dx) GTR__EW(name##_dt, dt) \
    GTR__SHAPE(name) { return gtr__shape_mean_loss(s); } \
    GTR__CPU_BOTH(name, back ? gtr__mean_loss_backward(cpu, c, gtr__ew_##name##_dx, gtr__ew_##name##_dt) \
        : gtr__mean_loss_forward(cpu, c, gtr__ew_##name))

// >>op:nll
/* x (N, C), or (C) without a gradient, labels (N) GTR_I32 -> f[0] x[n, label] + f[1] (N): 0 where the label is i[0],
   NaN where it is another outside [0, C). dx: f[0] dy there, else 0. */
GTR__SHAPE(nll) {
    const gtr_shape *x = &s->in[0];
    s->out[0] = s->in[1];
    return s->out[0].ndim == 1 && (x->ndim == 1 || (x->ndim == 2 && x->dim[0] == s->out[0].dim[0]))
        && x->dim[x->ndim - 1] > 1 ? GTR_OK : gtr__shape_want(s, 2, "(N, C), C above 1, and labels (N,)");
}
/* Backward where there is dy. */
static void gtr__nll_range(GTR__SPAN) {
    GTR__JOB(gtr__call, c);
    const gtr_shape *x = &c->in[0].shape;
    const int64_t n = x->dim[x->ndim - 1], step = x->ndim == 2 ? n : 0;
    const gtr_float *dy = c->n_in > 3 ? gtr__in(c, 3) : NULL, a = (gtr_float)c->attr->f[0];
    for (; i < end; i++) {
        const int64_t k = gtr__in_ints(c, 1)[i];
        const bool none = k == c->attr->i[0], bad = k < 0 || k >= n;
        gtr_float *y = gtr__out(c, 0) + (dy ? i * n : i);
        if (!dy) *y = none ? 0 : bad ? gtr__nan() : a * gtr__in(c, 0)[i * step + k] + (gtr_float)c->attr->f[1];
        else if (!c->out[0].add) GTR__CLEAR(y, n);
        if (dy && !none && !bad) y[k] += a * dy[i];
    }
}
GTR__CPU(nll_fwd) {
    if (c->out[0].data) gtr__ranges(cpu, gtr__nll_range, c, c->in[1].count, GTR__CHUNK / 8);
    return GTR_OK;
}
#define gtr__cpu_nll_bwd gtr__cpu_nll_fwd

// >>op:divisor
/* The sum of x; with tally's output as second input x's share of that of all. NaN for 0. No gradient. */
GTR__SHAPE(divisor) {
    s->out[0] = gtr_shape0();
    return GTR_OK;
}
GTR__CPU(divisor_fwd) {
    const double n = (double)c->in[0].count, *tally = c->n_in > 1 ? (const double *)c->in[1].data : NULL;
    const double sum = tally ? tally[0] * n / tally[1] : gtr__sum_run(gtr__in(c, 0), c->in[0].count);
    (void)cpu;
    *gtr__out(c, 0) = sum != 0 ? (gtr_float)sum : gtr__nan();
    return GTR_OK;
}

// >>op:mse
/* x, t alike -> mean (x - t)^2; dx = 2 (x - t) dloss / n, dt = -dx */
GTR__MEAN_LOSS(mse, (a - b) * (a - b), 2 * g * (a - b), 2 * g * (b - a))

// >>op:bce_with_logits
/* x, t alike -> mean of max(x, 0) - x t + log(1 + exp(-|x|)); dx = (sigmoid(x) - t) dloss / n, dt = -x dloss / n */
GTR__MEAN_LOSS(bce_with_logits, (a > 0 ? a : 0) - a * b + GTR__LOG1PF(GTR__EXPF(-GTR__FABSF(a))),
        g * (GTR__C(1) / (GTR__C(1) + GTR__EXPF(-a)) - b), -g * a)

// >>op:pair_step
/* mse or bce_with_logits, attr i[2], and its backward from the constant gradient: x, t -> loss, dx. */
GTR__CPU(pair_step_fwd) {
    const bool mse = c->attr->i[2] == GTR__OP_MSE;
    gtr__call back = *c;
    back.out = c->out + 1; back.n_out = 1;
    GTR__TRY((mse ? gtr__cpu_mse_fwd : gtr__cpu_bce_with_logits_fwd)(cpu, c));
    return c->measure ? GTR_OK : (mse ? gtr__cpu_mse_bwd : gtr__cpu_bce_with_logits_bwd)(cpu, &back);
}

// >>op:custom
/* The user's op: ptr is its gtr_custom_desc. Gradients that are added to what is there go through workspace. */
GTR__SHAPE(custom) {
    const gtr_custom_desc *d = (const gtr_custom_desc *)s->attr->ptr;
    s->n_out = d->n_out;
    for (int k = 0; k < s->n_in; k++) if (!gtr__is_float(s->in_dtype[k]) && s->in_dtype[k] != GTR_I32)
        return GTR__BAD_SHAPE(s, "got input %d %s, want float32 or int32", k + 1, gtr__dtype_names[s->in_dtype[k]]);
    if (d->shape) {
        GTR__CLEAR(s->out, d->n_out);
        gtr_result r = d->shape(s->n_in, s->in, s->out, d->user);
        if (r)
            return gtr__shape_fail(s, GTR_ERR_USER, "the shape function returned: %s",
                (unsigned)r < GTR_RESULT_COUNT ? gtr_result_text(r) : "an unknown code");
    }
    for (int k = 0; k < d->n_out; k++) {
        if (d->out_dtype[k] != GTR_F32 && d->out_dtype[k] != GTR_I32)
            return GTR__BAD_SHAPE(s, "got output %d of another dtype than float32 and int32", k);
        s->out_dtype[k] = d->out_dtype[k];
        GTR__TRY(gtr__shape_output(s, k, s->out[k]));
    }
    return GTR_OK;
}
static gtr_custom_call gtr__custom_call(const gtr__call *c, const gtr_custom_desc *d, const gtr__arg *y) {
    gtr_custom_call u = GTR__ZERO;
    u.n_in = d->n_in; u.n_out = d->n_out;
    for (int k = 0; k < d->n_in; k++) { u.in[k] = c->in[k].data; u.in_shape[k] = c->in[k].shape; }
    for (int k = 0; k < d->n_out; k++) { u.outs[k] = y[k].data; u.out_shapes[k] = y[k].shape; }
    u.out = y->data; u.out_shape = y->shape;
    u.cuda_stream = c->stream;
    u.user = d->user;
    return u;
}
GTR__CPU(custom_fwd) {
    const gtr_custom_desc *d = (const gtr_custom_desc *)c->attr->ptr;
    gtr_custom_call u = gtr__custom_call(c, d, c->out);
    (void)cpu;
    GTR__WANTS(0);
    return d->forward(&u) == GTR_OK ? GTR_OK : GTR_ERR_USER;
}
GTR__CPU(custom_bwd) {
    const gtr_custom_desc *d = (const gtr_custom_desc *)c->attr->ptr;
    const int n = d->n_in;
    size_t at = 0;
    gtr_custom_call u = gtr__custom_call(c, d, &c->in[n]);
    for (int k = 0; k < n && k < c->n_out; k++) {
        u.din[k] = c->out[k].data;
        if (!c->out[k].add) continue;
        if (!c->measure && c->out[k].data) u.din[k] = (char *)c->ws + at;
        at += GTR__ROUND_UP((size_t)c->in[k].count * sizeof(gtr_float), GTR__ALIGN);
    }
    GTR__WANTS(at);
    if (!d->backward || at > c->ws_bytes) return GTR_ERR_STATE;
    for (int k = 0; k < d->n_out; k++) u.douts[k] = c->in[n + d->n_out + k].data;
    u.dout = u.douts[0];
    if (d->backward(&u)) return GTR_ERR_USER;
    for (int k = 0; k < n && k < c->n_out; k++) if (c->out[k].add && c->out[k].data)
        gtr__copy_rows(cpu, (const gtr_float *)u.din[k], 0, gtr__out(c, k), 0, 1, c->in[k].count, 1);
    return GTR_OK;
}
/* Copies between storages in pieces, or adds, in float, rounding once. job: source, destination. */
static void gtr__convert_range(GTR__SPAN) {
    const gtr__arg *from = ((const gtr__arg *const *)job)[0], *to = ((const gtr__arg *const *)job)[1];
    const size_t a = gtr__dtype_size(from->dtype), b = gtr__dtype_size(to->dtype);
    const char *src = (const char *)from->data + (size_t)i * a;
    char *dst = (char *)to->data + (size_t)i * b;
    if (!to->add) { gtr__convert(dst, to->dtype, src, from->dtype, end - i); return; }
    for (int64_t n; i < end; i += n, src += (size_t)n * a, dst += (size_t)n * b) {
        gtr_float x[GTR__BLOCK], y[GTR__BLOCK];
        n = GTR__MIN(end - i, GTR__BLOCK);
        gtr__convert(x, GTR_F32, src, from->dtype, n);
        gtr__convert(y, GTR_F32, dst, to->dtype, n);
        for (int64_t j = 0; j < n; j++) y[j] += x[j];
        gtr__convert(dst, to->dtype, y, GTR_F32, n);
    }
}
static gtr_result gtr__convert_run(void *cpu, const gtr__arg *src, const gtr__arg *dst) {
    const gtr__arg *job[2] = { src, dst };
    bool floats = gtr__is_float(src->dtype) && gtr__is_float(dst->dtype);
    if (!dst->data) return GTR_OK;
    if (!floats && (src->dtype != dst->dtype || dst->add)) return GTR_ERR_UNSUPPORTED;
    return gtr__ranges(cpu, gtr__convert_range, job, src->count, GTR__CHUNK);
}

// >>op:copy
/* y = x, the bytes, from one stage to another; dx = dy or += dy. */
GTR__CPU_BOTH(copy, gtr__convert_run(cpu, &c->in[back ? 2 : 0], &c->out[0]))

// >>op:cast
/* y = x in another storage, rounded to nearest even; dx = dy in x's. The logical dtype stays. */
#define gtr__cpu_cast_fwd gtr__cpu_copy_fwd
#define gtr__cpu_cast_bwd gtr__cpu_copy_bwd

// >>op:fill
/* out[0] = f[0], times the loss scale if i[0]. */
GTR__CPU(fill_fwd) {
    const gtr_float v = (gtr_float)(c->attr->f[0] * (c->attr->i[0] && c->ctl ? (double)c->ctl->scale : 1.0));
    const gtr__arg *y = &c->out[0];
    (void)cpu;
    for (int64_t i = 0; i < y->count; i++)
        gtr__convert((char *)y->data + (size_t)i * gtr__dtype_size(y->dtype), y->dtype, &v, GTR_F32, 1);
    return GTR_OK;
}

// >>op:feed
/* ptr: gtr__feed. out[k] = this micro-batch's rows of input k: row r is the data set's row number first + row0 + r of
   the epoch's order, or, if the record has no rows, the r-th from src on. Nothing once the status is set, so that a bad
   step's batch stays. */
#define GTR__FEED_AHEAD 8 /* rows whose bytes are on their way */
typedef struct {
    const gtr__feed_input *in; const gtr__arg *out; const gtr__record *record; int64_t first, row0; uint64_t step;
} gtr__feed_job;
static void gtr__feed_floats(const gtr__feed_input *in, gtr_dtype to, const uint8_t *src, void *dst) {
    const gtr_float scale = in->scale, shift = in->shift;
    for (int64_t i = 0, n; i < in->row; i += n) {
        gtr_float t[GTR__BLOCK], *y = to == GTR_F32 ? (gtr_float *)dst : t; /* float32 straight to its place */
        n = to == GTR_F32 ? in->row : GTR__MIN(in->row - i, GTR__BLOCK);
        for (int64_t j = 0; j < n; j++) y[j] = scale * src[i + j] + shift;
        if (to != GTR_F32) gtr__convert((uint16_t *)dst + i, to, t, GTR_F32, n);
    }
}
static const char *gtr__feed_row(const gtr__feed_job *w, int64_t r) {
    int64_t i = w->first + r;
    if (w->record->rows > 0 && w->record->key) GTR__SHUFFLE(i, w->record->rows, w->record->key);
    if (w->in->image.index) i = w->in->image.index[i];
    return (const char *)(uintptr_t)w->record->src[w->in->slot]
        + (size_t)(i * w->in->stored) * gtr__dtype_size(w->in->from);
}
GTR__INLINE void gtr__image_draw(const gtr__image *m, uint64_t step, int64_t row, gtr__drawn *d) GTR__IMAGE_DRAW_BODY
GTR__INLINE int32_t gtr__image_edge(int32_t i, int32_t n, int mode) GTR__IMAGE_EDGE_BODY
/* n pixels of channel c from column x of the image on, into y. line: the channel's row in the source, whose pixels are
   step apart; NULL: beyond it. */
static void gtr__feed_pixels(const gtr__feed_input *in, const gtr__drawn *d, const void *line, int64_t step, int32_t c,
        int32_t x, int32_t n, gtr_float *y) {
    const gtr__image *m = &in->image;
    const int32_t k = GTR__MIN(c, GTR__CHANNELS - 1), first = d->left + (d->mirror_x ? m->ow - 1 - x : x);
    const int32_t ahead = d->mirror_x ? first - m->w + 1 : -first, behind = d->mirror_x ? first + 1 : m->w - first;
    const int32_t lo = line ? GTR__MIN(GTR__MAX(ahead, 0), n) : 0, hi = line ? GTR__MAX(GTR__MIN(behind, n), lo) : 0;
    const gtr_float a = (gtr_float)m->scale[k] * (d->brightness * d->contrast),
        b = d->contrast * (d->brightness * (gtr_float)m->shift[k] - m->mean[k]);
    const int64_t by = d->mirror_x ? -step : step;
    const uint8_t *bytes = (const uint8_t *)line;
    const gtr_float *floats = (const gtr_float *)line;
    if (in->from == GTR_U8) for (int64_t j = lo; j < hi; j++) y[j] = a * bytes[first * step + by * j] + b;
    else for (int64_t j = lo; j < hi; j++) y[j] = a * floats[first * step + by * j] + b;
    for (int32_t j = lo ? 0 : hi; j < n; j = j + 1 == lo ? hi : j + 1) {
        const int32_t at = line ? gtr__image_edge(d->mirror_x ? first - j : first + j, m->w, m->mode) : -1;
        y[j] = at < 0 ? b : a * (in->from == GTR_U8 ? bytes[at * step] : floats[at * step]) + b;
    }
}
/* Images as they are. */
static void gtr__image_whole(gtr__image *m, int64_t channels, int64_t h, int64_t w, float scale, float shift) {
    memset(m, 0, sizeof *m);
    m->channels = (int32_t)channels;
    m->h = m->oh = (int32_t)h; m->w = m->ow = (int32_t)w;
    for (int k = 0; k < GTR__CHANNELS; k++) { m->scale[k] = scale; m->shift[k] = shift; }
}
/* n pixels of some channels from c on, at (y, x) of the image, into v, pixel by pixel. */
static void gtr__feed_line(const gtr__feed_input *in, const gtr__drawn *d, const char *src, int32_t y, int32_t x,
        int32_t n, int32_t c, int32_t some, gtr_float *v) {
    const gtr__image *m = &in->image;
    const int32_t up = gtr__image_edge(d->top + (d->mirror_y ? m->oh - 1 - y : y), m->h, m->mode);
    const int64_t area = (int64_t)m->h * m->w, step = m->from_last ? m->channels : 1;
    const int32_t hole = GTR__MAX(d->hole_x - x, 0), hole_end = GTR__MIN(d->hole_x + m->cutout - x, n);
    const bool hidden = y >= d->hole_y && y - d->hole_y < m->cutout;
    for (int32_t k = 0; k < some; k++) {
        const int64_t line = (int64_t)up * m->w * step + (m->from_last ? c + k : (c + k) * area);
        gtr_float t[GTR__BLOCK], *to = some > 1 ? t : v;
        gtr__feed_pixels(in, d, up < 0 ? NULL : src + line * (int64_t)gtr__dtype_size(in->from), step, c + k, x, n, to);
        for (int32_t j = hole; hidden && j < hole_end; j++) to[j] = 0;
        for (int32_t j = 0; j < n && some > 1; j++) v[j * some + k] = t[j];
    }
}
static void gtr__feed_image(const gtr__feed_job *w, int64_t r, const char *src, void *dst) {
    const gtr__image *m = &w->in->image;
    const int32_t few = m->to_last ? GTR__MIN(m->channels, GTR__BLOCK) : 1;
    const gtr_dtype dtype = w->out->dtype;
    const size_t size = gtr__dtype_size(dtype);
    gtr__drawn d;
    gtr__image_draw(m, w->step, w->row0 + r, &d);
    for (int32_t c = 0, some; c < m->channels; c += some) {
        some = GTR__MIN(m->channels - c, few);
        for (int32_t y = 0; y < m->oh; y++) for (int32_t x = 0, n; x < m->ow; x += n) {
            const bool whole = !m->to_last || some == m->channels; /* what is made at once lies together */
            const int64_t at = m->to_last ? ((int64_t)y * m->ow + x) * m->channels + c
                : ((int64_t)c * m->oh + y) * m->ow + x;
            char *const to = (char *)dst + (size_t)at * size;
            gtr_float t[GTR__BLOCK];
            n = GTR__MIN(m->ow - x, GTR__BLOCK / some);
            gtr__feed_line(w->in, &d, src, y, x, n, c, some, whole && dtype == GTR_F32 ? (gtr_float *)(void *)to : t);
            if (whole && dtype != GTR_F32) gtr__convert(to, dtype, t, GTR_F32, (int64_t)n * some);
            for (int64_t j = 0; j < n && !whole; j++)
                gtr__convert(to + (size_t)(j * m->channels) * size, dtype, t + j * some, GTR_F32, some);
        }
    }
}
static void gtr__feed_range(const void *job, int64_t r, int64_t end) {
    GTR__JOB(gtr__feed_job, w);
    const gtr_dtype from = w->in->from, to = w->out->dtype;
    const gtr__image *m = &w->in->image;
    const int64_t row = w->in->row, near_bytes = GTR__MIN(w->in->stored * (int64_t)gtr__dtype_size(from), 4096);
    const char *ahead[GTR__FEED_AHEAD]; /* shuffled rows lie where no hardware expects them */
    int64_t asked = r;
    for (; r < end; r++) {
        for (; asked < end && asked < r + GTR__FEED_AHEAD; asked++) {
            const char *a = ahead[asked % GTR__FEED_AHEAD] = gtr__feed_row(w, asked);
            for (int64_t j = 0; j < near_bytes; j += 64) GTR__PREFETCH(a + j, 0);
        }
        const char *src = ahead[r % GTR__FEED_AHEAD];
        char *dst = (char *)w->out->data + (size_t)(r * row) * gtr__dtype_size(to);
        if (m->channels && (m->varied || m->from_last != m->to_last)) gtr__feed_image(w, r, src, dst);
        else if (from != GTR_U8) gtr__convert(dst, to, src, from, row);
        else if (to == GTR_I32) for (int64_t j = 0; j < row; j++)
            ((int32_t *)(void *)dst)[j] = ((const uint8_t *)src)[j];
        else gtr__feed_floats(w->in, to, (const uint8_t *)src, dst);
    }
}
GTR__CPU(feed_fwd) {
    const gtr__feed *f = (const gtr__feed *)c->attr->ptr;
    const gtr__record *record = &f->shared->record[(c->ctl ? c->ctl->step : 0) % GTR__RING];
    if (c->ctl && c->ctl->status) return GTR_OK;
    for (int k = 0; k < f->n && k < c->n_out; k++) {
        const gtr_dtype from = f->input[k].from, to = c->out[k].dtype;
        const gtr__feed_job w = { &f->input[k], &c->out[k], record,
            (record->rows > 0 ? record->first : 0) + c->row0, c->row0, c->ctl ? c->ctl->step : 0 };
        if (!c->out[k].data) continue;
        if (to != from && !(gtr__is_float(to) && (from == GTR_U8 || from == GTR_F32))
                && !(to == GTR_I32 && from == GTR_U8))
            return GTR_ERR_UNSUPPORTED;
        /* a row's place takes as long as 24 elements */
        gtr__ranges(cpu, gtr__feed_range, &w, c->out[k].count / w.in->row, GTR__CHUNK / (w.in->row + 24));
    }
    return GTR_OK;
}

// >>op:tally
/* labels (N) GTR_I32 -> (or +=) two GTR_I64: labels that count, those not from attr i[0] to i[1]; all. Of floats two
   doubles: sum; all. */
GTR__CPU(tally_fwd) {
    const int64_t n = c->in[0].count;
    int64_t *y = (int64_t *)c->out[0].data, counted = 0;
    double *sum = (double *)c->out[0].data;
    (void)cpu;
    if (!c->out[0].add) memset(y, 0, GTR__TALLY_BYTES);
    if (gtr__is_float(c->in[0].dtype)) { sum[0] += gtr__sum_run(gtr__in(c, 0), n); sum[1] += (double)n; return GTR_OK; }
    for (int64_t i = 0; i < n; i++)
        counted += gtr__in_ints(c, 0)[i] < c->attr->i[0] || gtr__in_ints(c, 0)[i] > c->attr->i[1];
    y[0] += counted;
    y[1] += n;
    return GTR_OK;
}

// >>op:bn_commit
/* in: sets of five, of as many norms: mean, var (C) of the batch; running_mean, running_var (C), num_batches_tracked
   (I64 or none), which are written unless this step is guarded: running = (1 - m) running + m batch, of the unbiased
   variance. f[0]: m; i[0]: values a channel, both the same for all sets. No two sets have the same statistics. */
GTR__CPU(bn_commit_fwd) {
    const double m = c->attr->f[0], n = (double)c->attr->i[0], unbias = n > 1 ? n / (n - 1) : 1;
    (void)cpu;
    if (c->ctl && (c->ctl->guard || c->ctl->status)) return GTR_OK;
    for (int i = 0; i < c->n_in; i += GTR__BN_SET) {
        gtr_float *mean = (gtr_float *)c->in[i + 2].data, *var = (gtr_float *)c->in[i + 3].data;
        for (int64_t k = 0; k < c->in[i].count; k++) {
            mean[k] = (gtr_float)((1 - m) * (double)mean[k] + m * (double)gtr__in(c, i)[k]);
            var[k] = (gtr_float)((1 - m) * (double)var[k] + m * unbias * (double)gtr__in(c, i + 1)[k]);
        }
        if (c->in[i + 4].data) ++*(int64_t *)c->in[i + 4].data;
    }
    return GTR_OK;
}

// >>op:guard
/* in: a loss, then gradients as lookups; ptr: gtr__optim. Writes ctl's norm (2-norm of the gradients
   without the loss scale, if clipped or scaled, summed in double), coef (what UPDATE multiplies gradients by) and guard
   (a loss, or unless loss_only a gradient, is not finite, or the status is set). */
#define GTR__GUARD_PIECES 64
typedef struct { double sum; uint64_t bad; } gtr__guard_sum;
typedef struct {
    const gtr_float *g; int64_t chunk; bool sums, checks; gtr__guard_sum *part;
} gtr__guard_job;
static void gtr__guard_range(GTR__SPAN) {
    GTR__JOB(gtr__guard_job, w);
    gtr__guard_sum s = { 0, 0 }, *to = &w->part[i / w->chunk];
    for (int64_t n; i < end; i += n) { /* both looks at a part while it is in the nearest cache */
        n = GTR__MIN(end - i, 2048);
        if (w->checks) s.bad |= gtr__nonfinite(w->g + i, n);
        if (w->sums) s.sum += gtr__dot_run(w->g + i, w->g + i, n);
    }
    *to = s;
}
GTR__CPU(guard_fwd) {
    const gtr__optim *o = (const gtr__optim *)c->attr->ptr;
    gtr__ctl *ctl = c->ctl;
    gtr__guard_job w;
    double sum = 0, scale, norm;
    bool bad = false;
    GTR__WANTS(GTR__GUARD_PIECES * sizeof(gtr__guard_sum));
    for (int i = 0; i < c->n_in; i++) bad |= gtr__nonfinite(gtr__in(c, i), c->in[i].count);
    w.g = o->gradient; w.sums = o->clip > 0 || o->scaled; w.checks = !o->loss_only; w.part = (gtr__guard_sum *)c->ws;
    w.chunk = GTR__MAX(GTR__ROUND_UP((o->count + GTR__GUARD_PIECES - 1) / GTR__GUARD_PIECES, 64), GTR__CHUNK);
    if (w.sums || w.checks) {
        gtr__ranges(cpu, gtr__guard_range, &w, o->count, w.chunk);
        for (int64_t i = 0; i * w.chunk < o->count; i++) { sum += w.part[i].sum; bad |= w.part[i].bad != 0; }
    }
    scale = ctl->scale;
    norm = w.sums ? sqrt(sum) / scale : 0;
    ctl->norm = (float)norm;
    ctl->coef = (float)((o->clip > 0 && o->clip / (norm + 1e-6) < 1 ? o->clip / (norm + 1e-6) : 1) / scale);
    ctl->guard = bad || ctl->status ? 1u : 0u;
    return GTR_OK;
}

// >>op:update
/* ptr: gtr__optim. One pass over all parameters; nothing if ctl->guard. The rule (GTR__RULES) is PyTorch's of that
   name: Kingma and Ba, 2015; Loshchilov and Hutter, 2019; and Chen et al., 2023, for Lion, which PyTorch has not. Then,
   if averages are kept, e += (1 - ema)(p - e), the first time e = p. Low copies of p are refreshed in the same pass.
   Bytes an element: 12, and 8 a state. Each element goes through the same vector operations wherever it lies: a tail is
   padded. (No compiler makes vectors of sqrtf while it must set errno.) in: GUARD's, but for the loss. */
typedef struct { const gtr__optim *o; gtr__rule rule[GTR__MAX_GROUPS]; } gtr__update_job;
#define GTR__RULE_VECTOR(name) gtr__v name;
#define GTR__RULE_SET(name) k.name = GTR__V_SET(&rule->name);
typedef struct { GTR__RULE_FIELDS(GTR__RULE_VECTOR) } gtr__rule_vectors;
static const gtr_float gtr__minus_one = -1;
GTR__V_EACH(gtr__v_sign, (gtr_float)((x > 0) - (x < 0)))
#define GTR__O_FMA(a, b, c) GTR__V_FMA(a, b, c)
#define GTR__O_MUL(a, b) GTR__V_MUL(a, b)
#define GTR__O_SUB(a, b) GTR__V_FMA(minus, b, a)
#define GTR__O_SIGN(a) gtr__v_sign(a, a)
#define GTR__O_ADAPT(p, f, n, v) GTR__V_FMA(p, f, GTR__V_DIV(n, GTR__V_FMA(GTR__V_SQRT(v), k.root, k.eps)))
#define GTR__RULE_LOOP(ID, states, fused, formula) \
    if (rule->kind == GTR__RULE_##ID) for (int64_t i = 0; i < n; i += GTR__VL) { \
        gtr__v p = GTR__V_LOAD(w + i), d = GTR__V_FMA(k.wd, p, GTR__V_MUL(k.coef, GTR__V_LOAD(g + i))), a = p, b = p; \
        if (states > 0) a = GTR__V_LOAD(s0 + i); \
        if (states > 1) b = GTR__V_LOAD(s1 + i); \
        formula; \
        if (states > 0) GTR__V_STORE(s0 + i, a); \
        if (states > 1) GTR__V_STORE(s1 + i, b); \
        GTR__V_STORE(w + i, p); \
        if (!s2) continue; \
        a = GTR__V_LOAD(s2 + i); \
        GTR__V_STORE(s2 + i, GTR__O_FMA(k.ema, GTR__O_SUB(p, a), a)); \
    }
static void gtr__update_run(const gtr__rule *rule, gtr_float *w, const gtr_float *g, gtr_float *const *s, int64_t n) {
    gtr_float *s0 = s[0], *s1 = s[1], *s2 = s[2]; /* s2: the average */
    const gtr__v minus = GTR__V_SET(&gtr__minus_one);
    gtr__rule_vectors k;
    GTR__RULE_FIELDS(GTR__RULE_SET)
    GTR__RULES(GTR__RULE_LOOP)
}
static void gtr__update_part(const gtr__update_job *w, const gtr__segment *s, int64_t at, int64_t n) {
    const gtr__optim *o = w->o;
    const gtr__rule *k = &w->rule[s->group];
    const int64_t whole = n - n % GTR__VL, rest = n - whole;
    gtr_float *p = s->p + at, *state[GTR__MAX_STATES + 1] = { NULL };
    const gtr_float *g = o->gradient + s->offset + at;
    int i;
    for (i = 0; i < o->all; i++) state[i < o->states ? i : GTR__MAX_STATES] = o->state[i] + s->offset + at;
    gtr__update_run(k, p, g, state, whole);
    if (rest) {
        gtr_float t[3 + GTR__MAX_STATES][GTR__VL] = { { 0 } }, *padded[GTR__MAX_STATES + 1] = { NULL };
        const size_t bytes = (size_t)rest * sizeof *p;
        memcpy(t[0], p + whole, bytes);
        memcpy(t[1], g + whole, bytes);
        for (i = 0; i <= GTR__MAX_STATES; i++) if (state[i]) memcpy(padded[i] = t[2 + i], state[i] + whole, bytes);
        gtr__update_run(k, t[0], t[1], padded, GTR__VL);
        memcpy(p + whole, t[0], bytes);
        for (i = 0; i <= GTR__MAX_STATES; i++) if (state[i]) memcpy(state[i] + whole, t[2 + i], bytes);
    }
    if (s->bf16) gtr__convert((uint16_t *)s->bf16 + at, GTR_BF16, p, GTR_F32, n);
    if (s->f16) gtr__convert((uint16_t *)s->f16 + at, GTR_F16, p, GTR_F32, n);
}
/* A stretch of the gradient buffer, with the segments or parts of them that lie in it. */
static void gtr__update_range(const void *job, int64_t begin, int64_t end) {
    GTR__JOB(gtr__update_job, w);
    const gtr__optim *o = w->o;
    int lo = 0, hi = o->n;
    while (lo < hi) { /* the first segment that ends behind begin */
        int mid = lo + (hi - lo) / 2;
        if (o->segments[mid].offset + o->segments[mid].count > begin) hi = mid; else lo = mid + 1;
    }
    for (; lo < o->n && o->segments[lo].offset < end; lo++) {
        const gtr__segment *s = &o->segments[lo];
        int64_t first = GTR__MAX(begin, s->offset), last = GTR__MIN(end, s->offset + s->count);
        for (; first < last; first += 2048) gtr__update_part(w, s, first - s->offset, GTR__MIN(last - first, 2048));
    }
}
GTR__CPU(update_fwd) {
    const gtr__optim *o = (const gtr__optim *)c->attr->ptr;
    const gtr__ctl *ctl = c->ctl;
    const gtr__record *record = &o->shared->record[ctl->step % GTR__RING];
    const double t = (double)ctl->applied + 1;
    gtr__update_job w;
    if (ctl->guard || ctl->status) return GTR_OK;
    w.o = o;
    for (int i = 0; i < GTR__MAX_GROUPS && i < GTR__MAX(o->groups, 1); i++) {
        gtr__rule *k = &w.rule[i];
        const double lr = record->lr[i];
        *k = o->rule;
        k->coef = ctl->coef;
        k->wd = (gtr_float)GTR__RULE_WD(o, i);
        k->decay = (gtr_float)GTR__RULE_DECAY(o, i, lr);
        k->step = (gtr_float)GTR__RULE_STEP(o, lr, t, pow);
        k->root = (gtr_float)GTR__RULE_ROOT(o, t, pow);
        k->ema = (gtr_float)GTR__RULE_EMA(o, t);
    }
    return gtr__ranges(cpu, gtr__update_range, &w, o->count, GTR__CHUNK);
}

// >>op:report
/* in: up to GTR__MAX_REPORT scalars, the loss first; i[0]: the gtr__shared, as an integer; ptr: gtr__optim, or NULL
   outside a trainer. Writes the step's entry, then advances ctl: a guarded step halves the loss scale and is skipped,
   or without a scale sets the status. */
GTR__CPU(report_fwd) {
    gtr__shared *shared = (gtr__shared *)(uintptr_t)c->attr->i[0];
    const gtr__optim *o = (const gtr__optim *)c->attr->ptr;
    gtr__ctl *ctl = c->ctl;
    gtr__entry *e = &shared->entry[ctl->step % GTR__RING];
    bool scaled = o && o->scaled, stuck = ctl->status != 0, guard = ctl->guard != 0;
    (void)cpu;
    ctl->launches++;
    if (!stuck) { /* a stuck step has its entry already */
        for (int k = 0; k < GTR__MAX_REPORT; k++)
            e->value[k] = k < c->n_in && c->in[k].data ? (float)*(const gtr_float *)c->in[k].data : 0.0f;
        e->norm = ctl->norm; e->lr = shared->record[ctl->step % GTR__RING].lr[0]; e->scale = ctl->scale;
        e->skipped = guard && scaled;
        e->applied = ctl->applied + (o && !guard);
        *(volatile uint64_t *)&e->step = ctl->step + 1;
        if (guard && scaled) {
            ctl->scale = ctl->scale * 0.5f > 1.0f ? ctl->scale * 0.5f : 1.0f;
            ctl->good = 0;
            ctl->step++;
        } else if (guard) {
            ctl->status = 1;
            ctl->bad_step = ctl->step + 1;
        } else {
            if (o) ctl->applied++;
            ctl->good++;
            if (scaled && ctl->good >= 2000) {
                ctl->scale = ctl->scale * 2 < 16777216.0f ? ctl->scale * 2 : 16777216.0f; ctl->good = 0;
            }
            ctl->step++;
        }
    }
    shared->step = ctl->step; shared->bad_step = ctl->bad_step; shared->status = ctl->status;
    shared->launches = ctl->launches;
    return GTR_OK;
}

// >>op:check
/* out[0] (GTR_I32) = 1 if any element of in[0], of any storage, is not finite, else 0. */
GTR__CPU(check_fwd) {
    const gtr__arg *x = &c->in[0];
    uint16_t inf = x->dtype == GTR_BF16 ? 0x7f80u : 0x7c00u;
    bool bad = false;
    (void)cpu;
    if (x->dtype == GTR_F32) bad = gtr__nonfinite((const gtr_float *)x->data, x->count);
    else if (gtr__is_float(x->dtype)) for (int64_t i = 0; i < x->count; i++)
        bad |= (((const uint16_t *)x->data)[i] & inf) == inf;
    *(int32_t *)c->out[0].data = bad;
    return GTR_OK;
}

// >>op:network
/* What a matcher took together (gtr__matcher); attr ptr: gtr__network. */
GTR__CPU(network_fwd);

// >>rows
#define GTR__ROW(shape, name, nout, ndiff, cls, needs, flags, b) \
    { name, nout, ndiff, GTR__##cls, (uint32_t)(needs), (uint64_t)(flags), (b) != 0, shape },
#define GTR__NODE_ROW(ID, name, nout, ndiff, cls, needs, flags, f, b) \
    GTR__ROW(NULL, #name, nout, ndiff, cls, needs, flags, b)
#define GTR__OP_ROW(ID, name, nout, ndiff, cls, needs, flags, f, b) \
    GTR__ROW(gtr__shape_##name, #name, nout, ndiff, cls, needs, flags, b)
static const gtr__op_row gtr__rows[GTR__OP_COUNT] = {
    GTR__LEAVES(GTR__NODE_ROW) GTR__BUILT(GTR__OP_ROW) GTR__NODES(GTR__NODE_ROW)
};
static const gtr__op_row *gtr__row(gtr__op op) { return &gtr__rows[op]; }
#define GTR__KERNEL_0(kernel) NULL
#define GTR__KERNEL_1(kernel) kernel
#define GTR__OP_CPU(ID, name, nout, ndiff, cls, needs, flags, f, b) { \
    GTR__KERNEL_##f(gtr__cpu_##name##_fwd), GTR__KERNEL_##b(gtr__cpu_##name##_bwd) },
static const gtr__kernel gtr__cpu_kernels[GTR__OP_COUNT][GTR__DIR_COUNT] = { GTR__OPS(GTR__OP_CPU) };

// >>program
/* A program on the CPU: strips of GTR__BLOCK elements go through all steps, by the loops that the ops themselves
   run. */
typedef struct {
    const gtr__program *p; const gtr__call *c;
    const gtr_float *lies[GTR__PROGRAM_SLOTS]; gtr__nd nd[GTR__PROGRAM_SLOTS]; /* as the elements go; NULL: else */
} gtr__program_job;
/* n elements of what lies otherwise from element i on: into t or, store, from it. */
static void gtr__program_move(const gtr__arg *x, int64_t begin, const gtr__nd *nd, gtr_float *t, int64_t i, int64_t n,
        bool store) {
    const int64_t step = nd->stride[1][0];
    for (int64_t j = 0, m; j < n; j += m) {
        int64_t offset[4] = { 0, begin, 0, 0 };
        const int64_t along = gtr__nd_seek(nd, i + j, offset);
        char *at = (char *)x->data + (size_t)offset[1] * gtr__dtype_size(x->dtype);
        m = step > 1 ? 1 : GTR__MIN(nd->dim[0] - along, n - j);
        if (store) { gtr__convert(at, x->dtype, t + j, GTR_F32, m); continue; }
        gtr__convert(t + j, GTR_F32, at, x->dtype, step ? m : 1);
        for (int64_t q = 1; !step && q < m; q++) t[j + q] = t[j];
    }
}
/* r = the step's result, or r += it. */
static void gtr__program_result(const gtr__program_job *w, const gtr__step *s, const gtr_float *const *at, gtr_float *r,
        int64_t i, int64_t n) {
    const gtr__attr *attr = &s->node->attr;
    const gtr_float *x = s->kind == GTR__STEP_DRAW ? NULL : at[s->a], *y = at[s->y], *dy = at[s->dy];
    if (s->kind == GTR__STEP_UNARY) {
        gtr__unary_apply(gtr__unary_find((int)s->node->op), (gtr_float)attr->f[0], (gtr_float)attr->f[1],
            s->side ? dy : NULL, x, y, r, n, s->add);
        return;
    }
    if (!x || (s->kind == GTR__STEP_DROP && s->node->training && attr->f[0] != 0)) {
        for (int64_t j = 0, m; j < n; j += m) {
            const int64_t row = (i + j) / s->line, e = (i + j) % s->line;
            m = GTR__MIN(s->line - e, n - j);
            gtr__dropout_line(attr, w->c->ctl, s->node->row0, row, e, x ? x + j : NULL, r + j, m, s->add);
        }
        return;
    }
    const gtr__ew_fn fn = s->kind == GTR__STEP_BINARY ? gtr__ew_find(s->node->op, s->side)
        : s->kind == GTR__STEP_SPREAD ? gtr__ew_times : gtr__ew_copy;
    gtr_float t[GTR__BLOCK];
    fn(s->add ? t : r, dy, x, 1, at[s->b], 1, y, (gtr_float)s->factor, n);
    if (!s->add) return;
    GTR__IVDEP
    for (int64_t k = 0; k < n; k++) r[k] += t[k];
}
/* Stores what step s makes, or adds it to what is there; returns what is stored, which is in t, unless it lies so. */
static const gtr_float *gtr__program_step(const gtr__program_job *w, const gtr__step *s, const gtr_float *const *at,
        gtr_float *t, int64_t i, int64_t n) {
    const gtr__arg *out = gtr__operand_of(w->c, s->out);
    const gtr_dtype dtype = out->dtype;
    const bool band = out->data && out->count != w->p->count;
    char *to = band ? NULL : (char *)out->data;
    uint16_t low[GTR__BLOCK];
    if (to) to += (size_t)i * gtr__dtype_size(dtype);
    gtr_float *r = to && dtype == GTR_F32 ? (gtr_float *)(void *)to : t;
    if (s->add && band) gtr__program_move(out, s->begin, &w->nd[s->to], t, i, n, false);
    else if (s->add && r == t) gtr__convert(t, GTR_F32, to, dtype, n);
    gtr__program_result(w, s, at, r, i, n);
    if (band) gtr__program_move(out, s->begin, &w->nd[s->to], t, i, n, true);
    if (dtype == GTR_F32) return r;
    gtr__convert(to ? (void *)to : (void *)low, dtype, r, GTR_F32, n);
    gtr__convert(t, GTR_F32, to ? (const void *)to : (const void *)low, dtype, n);
    return t;
}
static void gtr__program_range(GTR__SPAN) {
    GTR__JOB(gtr__program_job, w);
    const gtr__program *p = w->p;
    gtr_float t[GTR__PROGRAM_SLOTS][GTR__BLOCK];
    const gtr_float *at[GTR__PROGRAM_SLOTS] = { NULL };
    for (int64_t n; i < end; i += n) {
        n = GTR__MIN(end - i, GTR__BLOCK);
        for (int k = 0; k < p->n.loads; k++) {
            const int to = p->slot[k];
            at[to] = w->lies[to] ? w->lies[to] + i : t[to];
            if (at[to] == t[to])
                gtr__program_move(gtr__operand_of(w->c, p->load[k]), p->begin[k], &w->nd[to], t[to], i, n, false);
        }
        for (const gtr__step *s = p->step; s < p->step + p->n.steps; s++)
            at[s->to] = gtr__program_step(w, s, at, t[s->to], i, n);
    }
}
static gtr_result gtr__program_run(GTR__ARGS) {
    gtr__program_job w;
    GTR__WANTS(0);
    w.p = &((const gtr__network *)c->attr->ptr)->program; w.c = c;
    for (int k = 0; k < w.p->n.loads; k++) {
        const gtr__arg *x = gtr__operand_of(c, w.p->load[k]);
        const int to = w.p->slot[k];
        w.lies[to] = x->count == w.p->count && x->dtype == GTR_F32 ? (const gtr_float *)x->data : NULL;
        if (!w.lies[to]) w.nd[to] = gtr__nd_make(&w.p->full[k], &w.p->shape[k], NULL, NULL);
    }
    for (const gtr__step *s = w.p->step; s < w.p->step + w.p->n.steps; s++)
        w.nd[s->to] = gtr__nd_make(&s->band, &gtr__operand_of(c, s->out)->shape, NULL, NULL);
    gtr__ranges(cpu, gtr__program_range, &w, w.p->count, 2 * GTR__BLOCK);
    return GTR_OK;
}

#ifdef __clang__
#pragma clang diagnostic pop
#endif

// >>cpu-backend
/* The CPU backend runs the nodes of a plan one after the other in the caller's thread, each over the pool. */
#define GTR__HOST const gtr__host *host = ((gtr__cpu *)instance)->host
static void *gtr__cpu_alloc(void *instance, size_t bytes) {
    GTR__HOST;
    return host->device_alloc ? host->device_alloc(host->user, bytes) : gtr__aligned(bytes, GTR__ALIGN, false);
}
static void gtr__cpu_free(void *instance, void *p, size_t bytes) {
    GTR__HOST;
    if (host->device_alloc && p) host->device_free(host->user, p, bytes);
    else if (p) gtr__aligned_free(p);
}
static void *gtr__cpu_host_alloc(void *instance, size_t bytes, void **device) {
    GTR__HOST;
    return *device = host->alloc(host->user, bytes);
}
static void gtr__cpu_host_free(void *instance, void *p, size_t bytes) {
    GTR__HOST;
    host->free(host->user, p, bytes);
}
static gtr_result gtr__cpu_create(const gtr__host *host, gtr__instance_desc desc, void **instance, char *why) {
    const gtr__cpu *share = (const gtr__cpu *)desc.share;
    const int threads = desc.threads ? desc.threads : gtr__online_cores();
    gtr__cpu *cpu = (gtr__cpu *)host->alloc(host->user, sizeof *cpu);
    if (!cpu) { snprintf(why, 256, "out of host memory"); return GTR_ERR_NOMEM; }
    memset(cpu, 0, sizeof *cpu);
    cpu->host = host;
    cpu->shares = share != NULL;
    cpu->pool = share ? share->pool : gtr__pool_create(host, threads);
    cpu->threads = share ? share->threads : cpu->pool ? threads : 1;
    *instance = cpu;
    return GTR_OK;
}
static void gtr__cpu_destroy(void *instance) {
    gtr__cpu *cpu = (gtr__cpu *)instance;
    if (!cpu->shares) gtr__pool_destroy(cpu->pool);
    cpu->host->free(cpu->host->user, cpu, sizeof *cpu);
}
static void gtr__cpu_capabilities(void *instance, gtr__caps *caps) {
    memset(caps, 0, sizeof *caps);
    snprintf(caps->name, sizeof caps->name, "CPU, %d thread%s", instance ? ((gtr__cpu *)instance)->threads : 1,
            instance && ((gtr__cpu *)instance)->threads != 1 ? "s" : "");
    caps->bf16 = caps->f16 = caps->tf32 = 1;
}
static gtr_result gtr__cpu_copy(void *instance, void *dst, const void *src, size_t bytes, gtr__copy kind, bool wait) {
    (void)instance; (void)kind; (void)wait;
    if (bytes) memmove(dst, src, bytes);
    return GTR_OK;
}
static gtr_result gtr__cpu_zero(void *instance, void *dst, size_t bytes) {
    (void)instance;
    if (bytes) memset(dst, 0, bytes);
    return GTR_OK;
}
static gtr_result gtr__cpu_wait(void *instance) { (void)instance; return GTR_OK; }
static gtr_result gtr__cpu_take(void *instance, void *other, const gtr__move *move, int64_t n) {
    (void)instance; (void)other;
    for (; n--; move++) memcpy(move->to, move->from, move->bytes);
    return GTR_OK;
}
static gtr_result gtr__cpu_event_use(void *instance, void *event) { (void)instance; (void)event; return GTR_OK; }
static void gtr__cpu_event_free(void *instance, void *event) { (void)instance; (void)event; }
static gtr_result gtr__cpu_memory_info(void *instance, size_t *free_bytes, size_t *total_bytes) {
    (void)instance;
    *free_bytes = *total_bytes = 0;
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
    *free_bytes = *total_bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
#endif
#if defined(_SC_AVPHYS_PAGES) && defined(_SC_PAGESIZE)
    *free_bytes = (size_t)sysconf(_SC_AVPHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
#endif
    return *total_bytes ? GTR_OK : GTR_ERR_UNSUPPORTED;
}
static void gtr__cpu_environment(void *instance, char *text, size_t size) {
    gtr__cpu *cpu = (gtr__cpu *)instance;
    size_t f, t;
    gtr__cpu_memory_info(instance, &f, &t);
    snprintf(text, size, "device: CPU\nthreads: %d\nvectors: %s\nmemory: %.1f GiB free of %.1f GiB\n", cpu->threads,
#if defined(__AVX512F__)
        "AVX-512",
#elif defined(__AVX2__) && defined(__FMA__)
        "AVX2 and FMA",
#elif defined(__ARM_NEON)
        "NEON",
#else
        "plain C (compile with -march=native for more)",
#endif
        (double)f / (1 << 30), (double)t / (1 << 30));
}
static double gtr__cpu_seconds(void *instance, int start) { (void)instance; (void)start; return gtr__now(); }
/* Reduced-precision storage on the CPU: inputs are widened into workspace behind the kernel's own, outputs are computed
   in float32 there and rounded once when stored. Ops that move storage (row class NONE, and COPY) see it as it is. */
static bool gtr__cpu_widens(const gtr__op_row *row, const gtr__arg *a) {
    return row->cls != GTR__NONE && a->dtype != GTR_F32 && gtr__is_float(a->dtype);
}
static gtr_result gtr__cpu_call(void *instance, gtr__op op, gtr__dir dir, const gtr__call *call) {
    const gtr__op_row *row = gtr__row(op);
    gtr__kernel kernel = gtr__cpu_kernels[op][dir];
    gtr__arg arg[2 * GTR__MAX_ARGS]; /* inputs, outputs */
    gtr__call c = *call;
    size_t own = 0, at;
    int i, n = c.n_in + c.n_out;
    bool any = false;
    for (i = 0; i < n; i++) any |= gtr__cpu_widens(row, gtr__operand_of(call, i));
    if (!any) {
        if (c.measure && !(row->flags & GTR__WS)) { *c.measure = 0; return GTR_OK; }
        return kernel(instance, &c);
    }
    if (c.n_in > GTR__MAX_ARGS || c.n_out > GTR__MAX_ARGS) return GTR_ERR_UNSUPPORTED;
    for (i = 0; i < n; i++) {
        arg[i] = *gtr__operand_of(call, i);
        if (gtr__cpu_widens(row, &arg[i])) arg[i].dtype = GTR_F32;
    }
    c.in = arg; c.out = arg + c.n_in;
    if (row->flags & GTR__WS) { /* the kernel's own share comes first */
        c.measure = &own;
        GTR__TRY(kernel(instance, &c));
        own = gtr__rounded(own);
    }
    for (i = 0, at = own; i < n; i++) {
        const gtr__arg *a = gtr__operand_of(call, i);
        if (a->dtype == arg[i].dtype) continue;
        if (!call->measure && a->data) {
            arg[i].data = (char *)call->ws + at;
            if (i < c.n_in || a->add) gtr__convert(arg[i].data, GTR_F32, a->data, a->dtype, a->count);
        }
        at += GTR__ROUND_UP((size_t)a->count * sizeof(gtr_float), GTR__ALIGN);
    }
    if (call->measure) { *call->measure = at; return GTR_OK; }
    c.measure = NULL;
    c.ws_bytes = own;
    gtr_result r = kernel(instance, &c);
    for (i = 0; !r && i < c.n_out; i++)
        if (call->out[i].dtype != c.out[i].dtype && c.out[i].data)
            gtr__convert(call->out[i].data, call->out[i].dtype, c.out[i].data, GTR_F32, c.out[i].count);
    return r;
}
static gtr_result gtr__cpu_run_node(void *const *instances, gtr__plan *plan, int node) {
    gtr__node *n = &plan->node[node];
    return gtr__cpu_call(instances[n->stage], n->op, n->dir, &n->call);
}
static gtr_result gtr__cpu_prepare(void *const *instances, gtr__plan *plan, void **exec) {
    (void)instances; *exec = plan; return GTR_OK;
}
static gtr_result gtr__cpu_launch(void *const *instances, void *exec, gtr__part part) {
    gtr__plan *plan = (gtr__plan *)exec;
    int i, first = part == GTR__PART_RIGHT ? plan->split : 0, end = part == GTR__PART_LEFT ? plan->split : plan->n_node;
    for (i = first; i < end; i++) GTR__TRY(gtr__cpu_run_node(instances, plan, i));
    return GTR_OK;
}
static void gtr__cpu_release(void *const *instances, void *exec) { (void)instances; (void)exec; }
static const gtr__matcher gtr__cpu_matchers[] = {
    { "element-wise program", gtr__program_match, gtr__program_run, 1, 0, 1, NULL, 0, 0, 0, 0, 1 }
};
GTR__CPU(network_fwd) { return gtr__cpu_matchers[c->attr->i[0]].kernel(cpu, c); }
static const gtr__backend gtr__cpu_backend = {
    GTR__SEAM, "CPU", gtr__cpu_create, gtr__cpu_destroy, gtr__cpu_capabilities, gtr__cpu_alloc, gtr__cpu_free,
    gtr__cpu_host_alloc, gtr__cpu_host_free, gtr__cpu_copy, gtr__cpu_zero, gtr__cpu_wait, gtr__cpu_take, NULL,
    gtr__cpu_event_use, gtr__cpu_event_use, gtr__cpu_event_free, gtr__cpu_memory_info, gtr__cpu_environment,
    gtr__cpu_seconds,
    { GTR__OPS(GTR__OP_CPU) }, gtr__cpu_matchers, 1, gtr__cpu_prepare, gtr__cpu_launch, gtr__cpu_run_node,
    gtr__cpu_release
};

// >>contexts
/* By the bits: it holds under -ffast-math. */
static bool gtr__finite(double x) { uint64_t u; memcpy(&u, &x, sizeof u); return (u >> 52 & 0x7ff) != 0x7ff; }
/* Of later chapters. */
static void gtr__feeding_free(gtr_tensor *t);
static void gtr__plans_forget(gtr_context *ctx, int64_t id);
#define GTR__RESULT_TEXT(id, text) text,
const char *gtr_result_text(gtr_result r) {
    static const char *const texts[] = { GTR__RESULTS(GTR__RESULT_TEXT) "unknown result" };
    return texts[(unsigned)r < GTR_RESULT_COUNT ? r : GTR_RESULT_COUNT];
}
/* A child of fork() has neither the context's threads nor its device: there it is dead, and is freed without waiting
   for them. Each step asks: by a load from a page that the kernel clears for a child; else by getpid, some 100 ns. */
static void gtr__process_note(gtr_context *ctx) {
    ctx->process = GTR__PROCESS();
#if defined(MADV_WIPEONFORK) && defined(MAP_ANONYMOUS)
    void *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && madvise(page, 1, MADV_WIPEONFORK) == 0) *(ctx->here = (volatile char *)page) = 1;
    else if (page != MAP_FAILED) munmap(page, 1);
#endif
}
static void gtr__left_free(void *instance, void *p, size_t bytes) { (void)instance; (void)p; (void)bytes; }
static void gtr__left_destroy(void *instance) { (void)instance; }
static bool gtr__forked(gtr_context *ctx) {
    if (ctx->here ? *ctx->here : ctx->process == GTR__PROCESS()) return false;
    ctx->error = GTR_OK;
    GTR__BAD_STATE(ctx, "this context is of process %ld, and this is a child of its fork(): make one here; "
            "this one can be destroyed", ctx->process);
    ctx->dead = true;
    if (ctx->caps.cuda && !ctx->preset) { /* what is the device's stays the parent's */
        ctx->be->free = ctx->be->host_free = gtr__left_free;
        ctx->be->destroy = gtr__left_destroy;
        ctx->be->wait = gtr__cpu_wait; ctx->be->event_free = gtr__cpu_event_free; ctx->be->release = gtr__cpu_release;
    }
    return true;
}
static bool gtr__usable(gtr_context *ctx) { return ctx && !gtr__forked(ctx) && !ctx->dead; }
#define GTR__USABLE(x) ((x) && gtr__usable((x)->ctx))
gtr_result gtr_error(const gtr_context *ctx) {
    gtr__usable((gtr_context *)(uintptr_t)ctx);
    return ctx ? ctx->error : GTR_ERR_NOMEM;
}
const char *gtr_error_text(const gtr_context *ctx) {
    if (!ctx) return "out of host memory: there is no context";
    return gtr_error(ctx) ? ctx->error_text : "";
}
void gtr_error_clear(gtr_context *ctx) {
    if (!gtr__usable(ctx)) return; /* a lost device stays lost */
    ctx->error = GTR_OK;
    ctx->error_text[0] = 0;
    ctx->may_save = false;
}
/* Texts for the user grow in one buffer of the context. */
static void gtr__text_begin(gtr_context *ctx) { ctx->text_used = 0; if (ctx->text) ctx->text[0] = 0; }
static GTR__PRINTF(2, 3) void gtr__textf(gtr_context *ctx, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (n < 0) return;
    if (ctx->text_used + (size_t)n + 1 > ctx->text_size) {
        const size_t size = GTR__MAX(ctx->text_size * 2, ctx->text_used + (size_t)n + 256);
        char *p = GTR__NEW(ctx, char, size);
        if (!p) return;
        if (ctx->text) memcpy(p, ctx->text, ctx->text_used);
        gtr__mfree(ctx, ctx->text);
        ctx->text = p;
        ctx->text_size = size;
    }
    va_start(ap, format);
    vsnprintf(ctx->text + ctx->text_used, ctx->text_size - ctx->text_used, format, ap);
    va_end(ap);
    ctx->text_used += (size_t)n;
}
static const char *gtr__text(gtr_context *ctx) { return ctx->text && ctx->text_used ? ctx->text : ""; }
/* What a backend gets of a context or a predictor (gtr__host): both begin with a gtr_desc. */
static void *gtr__host_cb_alloc(void *user, size_t bytes) { return gtr__host_alloc((const gtr_desc *)user, bytes); }
static void gtr__host_cb_free(void *user, void *p, size_t bytes) {
    (void)bytes; gtr__host_free((const gtr_desc *)user, p);
}
static void *gtr__host_cb_device_alloc(void *user, size_t bytes) {
    const gtr_allocator *a = &((const gtr_desc *)user)->allocator;
    return a->alloc(bytes, GTR_MEMORY_DEVICE, a->user);
}
static void gtr__host_cb_device_free(void *user, void *p, size_t bytes) {
    const gtr_allocator *a = &((const gtr_desc *)user)->allocator;
    a->free(p, bytes, GTR_MEMORY_DEVICE, a->user);
}
static void gtr__host_cb_log(void *user, gtr_level level, const char *text) {
    const gtr_desc *d = (const gtr_desc *)user;
    if (d->log) d->log(level, text, d->log_user);
}
static void gtr__host_cb_error(void *user, gtr_result code, const char *text) {
    gtr_context *ctx = (gtr_context *)user;
    gtr__fail(ctx, code, "%s", text);
    if (code == GTR_ERR_CUDA) ctx->dead = true;
}
/* Device memory of a context: rounded to GTR__ALIGN, counted against its limit. NULL and GTR_ERR_NOMEM when out. */
static size_t gtr__device_size(size_t bytes) { return gtr__rounded(bytes ? bytes : 1); }
static void *gtr__device_alloc(gtr_context *ctx, int stage, size_t bytes) {
    const size_t limit = ctx->desc.memory_limit, used = ctx->device_bytes;
    void *p = NULL;
    bytes = gtr__device_size(bytes);
    if (limit && (bytes > limit || used > limit - bytes))
        GTR__FAIL(ctx, NOMEM, "out of device memory: %zu bytes more than the %zu in use pass the limit of %zu",
            bytes, used, limit);
    else if (!(p = ctx->be->alloc(ctx->instance[stage], bytes)))
        GTR__FAIL(ctx, NOMEM, "out of device memory: %zu bytes asked for beside %zu in use", bytes, used);
    else ctx->device_bytes += bytes;
    return p;
}
static void gtr__instance_free(gtr_context *ctx, void *instance, void *p, size_t bytes) {
    if (!p) return;
    ctx->device_bytes -= gtr__device_size(bytes);
    ctx->be->free(instance, p, gtr__device_size(bytes));
}
static void gtr__device_free(gtr_context *ctx, int stage, void *p, size_t bytes) {
    gtr__instance_free(ctx, ctx->instance[stage], p, bytes);
}
/* A backend's failure as an error of the context, unless the backend has already told more. */
static gtr_result gtr__backend_result(gtr_context *ctx, gtr_result r, const char *what) {
    return r ? gtr__fail(ctx, r, "%s: %s", what, gtr_result_text(r)) : r;
}
#define GTR__MOVER(name, KIND) static gtr_result name(gtr_context *ctx, int stage, void *dst, const void *src, \
    size_t bytes, const char *what) { \
    return gtr__backend_result(ctx, ctx->be->copy(ctx->instance[stage], dst, src, bytes, KIND, true), what); }
GTR__MOVER(gtr__to_device, GTR__TO_DEVICE)
GTR__MOVER(gtr__to_host, GTR__TO_HOST)
static gtr_result gtr__instance_create(gtr_context *ctx, int stage, char *why) {
    gtr__instance_desc d = GTR__ZERO;
    d.device_index = ctx->desc.device_index; d.max_sm = ctx->desc.max_sm; d.threads = ctx->desc.threads;
    d.stream = stage ? NULL : ctx->desc.cuda_stream;
    d.share = stage ? ctx->instance[0] : NULL;
    return ctx->be->create(&ctx->host, d, &ctx->instance[stage], why);
}
static gtr_result gtr__stage_ready(gtr_context *ctx, int stage) {
    char why[256] = "";
    while (ctx->n_instance <= stage) {
        gtr_result r = gtr__instance_create(ctx, ctx->n_instance, why);
        if (r) {
            ctx->instance[ctx->n_instance] = NULL; return gtr__fail(ctx, r, "stage %d: %s", ctx->n_instance, why);
        }
        ctx->n_instance++;
    }
    return GTR_OK;
}
static gtr_result gtr__try_cuda(gtr_context *ctx, char *why) {
#if defined(GPUTRAIN_CUDA) && !defined(GPUTRAIN_DOUBLE)
    const gtr__backend *be = GTR__CUDA_SYMBOL();
    if (memcmp(be->seam, gtr__cpu_backend.seam, sizeof be->seam) != 0) {
        snprintf(why, 256, "gputrain_cuda.cu is of another version than gputrain.h"); return GTR_ERR_VERSION;
    }
    memcpy(ctx->be, be, sizeof ctx->be);
    ctx->host.device_alloc = ctx->desc.allocator.alloc && ctx->desc.allocator.cuda ? gtr__host_cb_device_alloc : NULL;
    ctx->host.device_free = ctx->host.device_alloc ? gtr__host_cb_device_free : NULL;
    gtr_result r = gtr__instance_create(ctx, 0, why);
    if (!r) ctx->be->capabilities(ctx->instance[0], &ctx->caps);
    else { ctx->instance[0] = NULL; ctx->error = GTR_OK; }
    return r;
#else
    (void)ctx;
    snprintf(why, 256, "%s", sizeof(gtr_float) > 4 ? "built with GPUTRAIN_DOUBLE, which is for the CPU"
        : "built without CUDA (-DGPUTRAIN_CUDA and gputrain_cuda.cu)");
    return GTR_ERR_UNSUPPORTED;
#endif
}
static void gtr__preset_caps(gtr__caps *caps, gtr_preset preset) {
    static const int compute[] = { 75, 87, 90 }, sms[] = { 40, 16, 132 };
    const int i = preset == GTR_PRESET_SM90 ? 2 : preset == GTR_PRESET_SM87 ? 1 : 0;
    if (preset == GTR_PRESET_CPU) { snprintf(caps->name, sizeof caps->name, "preset CPU"); return; }
    snprintf(caps->name, sizeof caps->name, "preset sm_%d", compute[i]);
    caps->cuda = 1; caps->compute = compute[i]; caps->sm_count = sms[i];
    caps->bf16 = caps->tf32 = compute[i] >= 80;
    caps->lookups = 1;
    caps->product_workspace = (size_t)(compute[i] >= 90 ? 32 : 4) << 20;
}
static void gtr__device_describe(gtr_context *ctx, const char *why) {
    if (ctx->preset) snprintf(ctx->device_text, sizeof ctx->device_text, "%s: plans and reports only", ctx->caps.name);
    else if (ctx->caps.cuda) snprintf(ctx->device_text, sizeof ctx->device_text,
        "%s%s", ctx->caps.name, ctx->caps.compute == 90 && !ctx->caps.arch_feature
        ? " (built for plain sm_90: compile with -arch=sm_90a for its own matrix instructions)" : "");
    else snprintf(ctx->device_text, sizeof ctx->device_text, "%s%s%s", ctx->caps.name, why[0] ? "; no GPU: " : "", why);
}
gtr_context *gtr_create(gtr_desc desc) {
    const bool half = !desc.allocator.alloc != !desc.allocator.free;
    if (half) memset(&desc.allocator, 0, sizeof desc.allocator); /* what it gives could not be given back */
    gtr_context *ctx = (gtr_context *)gtr__host_alloc(&desc, sizeof *ctx);
    char why[256] = "";
    gtr_result r = GTR_ERR_UNSUPPORTED;
    if (!ctx) return NULL;
    ctx->desc = desc;
    ctx->host.user = ctx;
    ctx->host.alloc = gtr__host_cb_alloc; ctx->host.free = gtr__host_cb_free;
    ctx->host.log = gtr__host_cb_log; ctx->host.error = gtr__host_cb_error;
    ctx->memory_version = 1;
    gtr__process_note(ctx);
    ctx->preset = desc.preset != GTR_PRESET_NONE;
    ctx->dead = true; /* until it is whole */
    if (desc.threads < 0 || desc.device_index < 0 || desc.max_sm < 0 || half ||
        (unsigned)desc.device > GTR_DEVICE_CUDA || (unsigned)desc.preset > GTR_PRESET_SM90) {
        GTR__BAD_ARG(ctx,
            "gtr_create: threads, device_index and max_sm are at least 0, device and preset of their enums, an "
            "allocator has alloc and free");
        return ctx;
    }
    if (desc.device != GTR_DEVICE_CPU && !ctx->preset) r = gtr__try_cuda(ctx, why);
    if (r && desc.device == GTR_DEVICE_CUDA && !ctx->preset) {
        gtr__fail(ctx, r, "CUDA was asked for: %s", why);
        snprintf(ctx->device_text, sizeof ctx->device_text, "none: %s", why);
        return ctx;
    }
    if (r) {
        *ctx->be = gtr__cpu_backend;
        ctx->host.device_alloc = desc.allocator.alloc ? gtr__host_cb_device_alloc : NULL;
        ctx->host.device_free = desc.allocator.alloc ? gtr__host_cb_device_free : NULL;
        r = gtr__instance_create(ctx, 0, why);
        if (r) { ctx->instance[0] = NULL; gtr__fail(ctx, r, "gtr_create: %s", why); return ctx; }
        ctx->be->capabilities(ctx->instance[0], &ctx->caps);
        if (ctx->preset) gtr__preset_caps(&ctx->caps, desc.preset);
    }
    ctx->n_instance = 1;
    ctx->dead = ctx->error == GTR_ERR_CUDA;
    gtr__device_describe(ctx, why);
    return ctx;
}
const char *gtr_device_text(gtr_context *ctx) { return ctx ? ctx->device_text : "none"; }
bool gtr_on_gpu(const gtr_context *ctx) { return ctx && ctx->caps.cuda && !ctx->preset && !ctx->dead; }
const char *gtr_environment_text(gtr_context *ctx) {
    char text[2048] = "";
    if (!ctx) return "";
    gtr__text_begin(ctx);
    gtr__textf(ctx, "gputrain %s\nchosen: %s\n", GPUTRAIN_VERSION, ctx->device_text);
    if (ctx->instance[0] && !gtr__forked(ctx)) ctx->be->environment(ctx->instance[0], text, sizeof text);
    gtr__textf(ctx, "%s", text);
    gtr__textf(ctx, "in use by this context: %zu bytes\n", ctx->device_bytes);
    return gtr__text(ctx);
}
/* Set by signal handlers and other threads: atomic where volatile alone is not. */
#ifdef __ATOMIC_SEQ_CST
static void gtr__stop_set(gtr_context *ctx, int v) { __atomic_store_n(&ctx->stop, v, __ATOMIC_SEQ_CST); }
static int gtr__stop_get(gtr_context *ctx) { return __atomic_load_n(&ctx->stop, __ATOMIC_SEQ_CST); }
#else
static void gtr__stop_set(gtr_context *ctx, int v) { ctx->stop = v; }
static int gtr__stop_get(gtr_context *ctx) { return ctx->stop; }
#endif
void gtr_stop(gtr_context *ctx) { if (ctx) gtr__stop_set(ctx, 1); }
bool gtr_stopped(const gtr_context *ctx) { return ctx && ctx->stopped; }

// >>tensors
static gtr_shape gtr__shape_more(gtr_shape s, int64_t d) { s.dim[s.ndim++] = d; return s; }
gtr_shape gtr_shape0(void) { gtr_shape s; memset(&s, 0, sizeof s); return s; }
gtr_shape gtr_shape1(int64_t a) { return gtr__shape_more(gtr_shape0(), a); }
gtr_shape gtr_shape2(int64_t a, int64_t b) { return gtr__shape_more(gtr_shape1(a), b); }
gtr_shape gtr_shape3(int64_t a, int64_t b, int64_t c) { return gtr__shape_more(gtr_shape2(a, b), c); }
gtr_shape gtr_shape4(int64_t a, int64_t b, int64_t c, int64_t d) { return gtr__shape_more(gtr_shape3(a, b, c), d); }
static uint64_t gtr__hash(uint64_t h, const char *s) { /* FNV-1a, finished by a mix so that near names are far apart */
    h ^= 0xcbf29ce484222325u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    h ^= h >> 31; h *= 0x9e3779b97f4a7c15u; h ^= h >> 29;
    return h;
}
/* How errors and plans call a tensor: its name, or its op's. */
static const char *gtr__label(const gtr_tensor *t) {
    if (t->op == GTR__OP_PART) t = t->in[0];
    return t->name ? t->name : gtr__row(t->op)->name;
}
/* What a fetched tensor's elements lie in: itself, or what it is another shape of. */
static gtr_tensor *gtr__stored_as(gtr_tensor *t) {
    while (gtr__row(t->op)->flags & GTR__ALIAS) t = t->in[0];
    return t;
}
/* What a builder returns with an error. */
#define GTR__NONE(...) (gtr__fail(__VA_ARGS__), (gtr_tensor *)NULL)
#define GTR__NO(x, code, ...) GTR__NONE((x)->ctx, GTR_ERR_##code, __VA_ARGS__)
static char *gtr__full_name(gtr_context *ctx, const char *name) {
    char buf[1024];
    if (!name || !name[0]) { GTR__BAD_ARG(ctx, "a name is empty"); return NULL; }
    int n = snprintf(buf, sizeof buf, "%s%s", ctx->scope, name);
    if (n < 0 || n >= 512) {
        GTR__BAD_ARG(ctx, "the name \"%.60s...\" is longer than 511 bytes", buf); return NULL;
    }
    return gtr__strdup(ctx, buf);
}
static gtr_tensor **gtr__named(const gtr_context *ctx, const char *name) {
    return ctx->named + (gtr__hash(0, name) & (uint64_t)(ctx->n_named - 1));
}
static void gtr__named_add(gtr_tensor *t) {
    if (!t->name) return;
    gtr_tensor **bin = gtr__named(t->ctx, t->name);
    t->next_named = *bin;
    *bin = t;
}
static bool gtr__named_grow(gtr_context *ctx) {
    if (ctx->n_named >= ctx->cap_tensor) return true;
    gtr_tensor **bins = GTR__NEW(ctx, gtr_tensor *, ctx->cap_tensor);
    if (!bins) return false;
    gtr__mfree(ctx, ctx->named);
    ctx->named = bins;
    ctx->n_named = ctx->cap_tensor;
    for (int64_t i = 0; i < ctx->n_tensor; i++) gtr__named_add(ctx->tensor[i]);
    return true;
}
/* t, or the next behind it in its bin, of this op and name. */
static gtr_tensor *gtr__namesake(gtr_tensor *t, gtr__op op, const char *name) {
    while (t && (t->op != op || strcmp(t->name, name))) t = t->next_named;
    return t;
}
static gtr_tensor *gtr__find_named(const gtr_context *ctx, gtr__op op, const char *name) {
    return ctx->named ? gtr__namesake(*gtr__named(ctx, name), op, name) : NULL;
}
static void gtr__tensor_free(gtr_tensor *t) {
    gtr_context *ctx = t->ctx;
    gtr_tensor **at = t->name && ctx->named ? gtr__named(ctx, t->name) : NULL;
    while (at && *at && *at != t) at = &(*at)->next_named;
    if (at && *at) *at = t->next_named;
    gtr__feeding_free(t);
    gtr__device_free(ctx, t->stage, t->data, t->data_bytes);
    for (int i = 0; i < 2; i++) gtr__device_free(ctx, t->stage, t->low[i], t->low[i] ? t->low_bytes[i] : 0);
    gtr__device_free(ctx, t->stage, t->kept, t->kept_bytes);
    gtr__device_free(ctx, t->stage, t->tally, GTR__TALLY_BYTES);
    if (t->op == GTR__OP_CUSTOM) gtr__mfree(ctx, t->attr.ptr);
    gtr__mfree(ctx, t->in);
    gtr__mfree(ctx, t->name);
    gtr__mfree(ctx, t);
}
/* A builder that fails takes back what it made since there were so many tensors; no plan has them. */
static gtr_tensor *gtr__undo(gtr_context *ctx, int64_t since) {
    while (ctx->n_parameter && ctx->parameter[ctx->n_parameter - 1]->id >= since) ctx->n_parameter--;
    while (ctx->n_tensor > since) gtr__tensor_free(ctx->tensor[--ctx->n_tensor]);
    return NULL;
}
static const char *gtr__kind_of(const gtr_context *ctx, gtr__op op) {
    return ctx && ctx->builder ? ctx->builder : gtr__row(op)->name;
}
/* A tensor without shape yet, appended to the context. name is taken over (freed on failure). */
static gtr_tensor *gtr__tensor_new(gtr_context *ctx, gtr__op op, int n_in, gtr_tensor *const *in, char *name) {
    gtr_tensor *t = GTR__NEW(ctx, gtr_tensor, 1);
    if (!t) { gtr__mfree(ctx, name); return NULL; }
    t->ctx = ctx; t->op = op; t->name = name; t->n_in = n_in; t->stage = ctx->stage;
    t->builder = gtr__kind_of(ctx, op);
    if (n_in && gtr__row(op)->flags & (GTR__ALIAS | GTR__LEAF)) t->stage = in[n_in - 1]->stage; /* where they lie */
    for (int i = 0; i < n_in && !t->layer; i++) t->layer = in[i]->layer;
    if (name) t->layer = name;
    t->region = ctx->in_region ? ctx->region : 0;
    if (n_in) {
        t->in = GTR__NEW(ctx, gtr_tensor *, n_in);
        if (!t->in) { gtr__tensor_free(t); return NULL; }
        GTR__COPY(t->in, in, n_in);
    }
    t->fed = op == GTR__OP_INPUT;
    for (int i = 0; i < n_in; i++) t->fed |= in[i]->fed;
    if (!GTR__GROW(ctx, ctx->tensor, ctx->n_tensor, ctx->cap_tensor) || !gtr__named_grow(ctx)) {
        gtr__tensor_free(t); return NULL;
    }
    gtr__named_add(t);
    t->id = ctx->n_tensor;
    ctx->tensor[ctx->n_tensor++] = t;
    return t;
}
/* Which op it is, for texts: linear "fc1"; without a name by its inputs: add of "x" and relu after "fc1". */
#define GTR__OP_TEXT 400
static const char *gtr__op_text(const char *op, const char *scope, const char *name, int n_in,
        gtr_tensor *const *in, char *buf) {
    char *at = buf + sprintf(buf, "%s", op);
    if (name) sprintf(at, " \"%.150s%.150s\"", scope, name);
    for (int i = 0; !name && i < n_in && i < 3; i++) {
        const bool own = in[i]->name != NULL;
        at += sprintf(at, "%s%s", i ? " and " : " of ", own ? "" : gtr__row(in[i]->op)->name);
        if (in[i]->layer) at += sprintf(at, "%s\"%.60s\"", own ? "" : " after ", in[i]->layer);
    }
    return buf;
}
static const char *gtr__called(const gtr_tensor *t, char *buf) {
    return gtr__op_text(t->builder, "", t->name, t->n_in, t->in, buf);
}
/* NULL and an error of a builder: who, its name, if any, of what; what it got of x, and what it wanted. */
static GTR__PRINTF(5, 6) gtr_tensor *gtr__reject(gtr_tensor *x, gtr_result code, const char *who, const char *name,
        const char *format, ...) {
    char of[GTR__OP_TEXT], shape[GTR__TEXT], why[300];
    GTR__VPRINT(why, sizeof why, format);
    gtr__op_text("", "", NULL, 1, &x, of);
    return GTR__NONE(x->ctx, code, "%s%s%.150s%.150s%s%s: got %s %s%s", who, name ? " \"" : "",
        name ? x->ctx->scope : "", name ? name : "", name ? "\"" : "", of, gtr__dtype_names[x->dtype],
        gtr__shape_text(&x->shape, shape), why);
}
#define GTR__REJECT(x, code, who, name, ...) gtr__reject(x, GTR_ERR_##code, who, name, __VA_ARGS__)
static int gtr__batch_axis(const gtr_shape *s) { int i = 0; while (i < s->ndim && s->dim[i] > 0) i++; return i; }
/* The runs of t's output of this shape, from those of its first input with a batch. */
static int64_t gtr__batch_runs(const gtr_tensor *t, const gtr_shape *s) {
    const gtr_tensor *x = NULL;
    for (int i = 0; i < t->n_in && !x; i++) if (gtr__batch_axis(&t->in[i]->shape) < t->in[i]->shape.ndim) x = t->in[i];
    const int at = gtr__batch_axis(s), from = x ? gtr__batch_axis(&x->shape) : 0;
    if (!x || at == s->ndim) return 0;
    const int64_t k = s->dim[at], outer = gtr__shape_outer(s, at);
    int64_t runs = GTR__MAX(x->runs, 1), before = runs * gtr__shape_outer(&x->shape, from);
    if (gtr__row(t->op)->flags & GTR__ALIAS) runs = before % outer ? 0 : before / outer;
    else if (k != x->shape.dim[from]) runs = 0;
    return runs && k % runs == 0 ? runs : 0;
}
static gtr_result gtr__shape_outputs(const gtr__op_row *row, gtr__shape_call *s) {
    GTR__TRY(gtr__shape_inputs(s, row->flags));
    for (int i = 0; i < row->n_out; i++) s->out[i] = s->in[0];
    return row->shape(s);
}
/* The tensor of t's output k, in ctx's list: they follow t where there are several. */
static gtr_tensor *gtr__output_of(const gtr_context *ctx, gtr_tensor *t, int64_t k) {
    gtr_tensor *o = ctx->n_tensor - t->id > k + 1 ? ctx->tensor[t->id + k + 1] : t;
    return o->op == GTR__OP_PART && o->in[0] == t ? o : k ? NULL : t;
}
/* NULL beside a tensor is an error, or comes of the one that there is. */
static bool gtr__there(const char *who, int n, gtr_tensor *const *in) {
    gtr_context *ctx = NULL;
    int none = 0;
    for (int i = n; i > 0; i--) if (in[i - 1]) ctx = in[i - 1]->ctx; else none = i;
    if (none && gtr__usable(ctx)) GTR__BAD_ARG(ctx, "%s: argument %d is NULL", who, none);
    return !none;
}
static bool gtr__all_there(const char *who, gtr_tensor *a, gtr_tensor *b, gtr_tensor *c) {
    gtr_tensor *in[] = { a, b, c };
    return gtr__there(who, 3, in);
}
/* The one way ops are built: checks that inputs are there and of one context, runs the shape function, appends the
   tensor, or, with several outputs, one that nobody has and theirs behind it. name: the layer's or NULL; put behind the
   scope. */
static gtr_tensor *gtr__op_new(gtr__op op, int n_in, gtr_tensor *const *in, const gtr__attr *attr, const char *name) {
    const gtr__op_row *row = gtr__row(op);
    gtr_context *ctx = in[0] ? in[0]->ctx : NULL;
    const char *const kind = gtr__kind_of(ctx, op);
    gtr__shape_call s = GTR__ZERO;
    char who[GTR__OP_TEXT], *full = NULL;
    if (!gtr__there(kind, n_in, in) || !gtr__usable(ctx)) return NULL;
    for (int i = 0; i < n_in; i++) {
        if (in[i]->ctx != ctx) {
            gtr__op_text(kind, ctx->scope, name, n_in, in, who);
            GTR__BAD_ARG(ctx, "%s: its inputs belong to different contexts", who);
            return GTR__NONE(in[i]->ctx, GTR_ERR_ARG, "%s: its inputs belong to different contexts", who);
        }
        s.in[i] = in[i]->shape;
        s.in_dtype[i] = in[i]->dtype;
    }
    s.attr = attr; s.n_in = n_in;
    gtr_result r = gtr__shape_outputs(row, &s);
    for (int i = 0; !r && i < GTR__MAX(s.n_out, 1); i++)
        if (gtr__count(&s.out[i]) == INT64_MIN) {
            r = GTR_ERR_SHAPE;
            snprintf(s.why, sizeof s.why, "the product of its output's sizes is too large, or has the batch squared");
        }
    if (r) {
        gtr__op_text(kind, ctx->scope, name, n_in, in, who);
        return GTR__NONE(ctx, r, "%s: %s", who, s.why);
    }
    if (name && !(full = gtr__full_name(ctx, name))) return NULL;
    gtr_tensor *t = gtr__tensor_new(ctx, op, n_in, in, full), *o = t;
    if (!t) return NULL;
    for (int i = 0; i < GTR__MAX(s.n_out, 1); i++) {
        if (s.n_out > 1 && !(o = gtr__tensor_new(ctx, GTR__OP_PART, 1, &t, NULL))) return gtr__undo(ctx, t->id);
        o->shape = s.out[i]; o->dtype = s.out_dtype[i]; o->attr.i[0] = i;
        o->runs = gtr__batch_runs(t, &s.out[i]);
    }
    t->attr = *attr; t->shape = s.out[0];
    return gtr__output_of(t->ctx, t, 0);
}
gtr_tensor *gtr_output(gtr_tensor *t, int k) {
    char who[GTR__OP_TEXT];
    if (!GTR__USABLE(t)) return NULL;
    if (t->op == GTR__OP_PART) t = t->in[0];
    gtr_tensor *o = k < 0 ? NULL : gtr__output_of(t->ctx, t, k);
    return o ? o : GTR__NO(t, ARG, "output: %s has no number %d", gtr__called(t, who), k);
}
static gtr_result gtr__check_shape(gtr_context *ctx, const char *what, const char *name,
        const gtr_shape *s, bool literal) {
    char text[GTR__TEXT];
    if (s->ndim < 0 || s->ndim > GTR_MAX_DIMS) return GTR__FAIL(ctx, SHAPE,
        "%s \"%s\": %d dimensions, want 0 to %d", what, name, s->ndim, GTR_MAX_DIMS);
    for (int i = 0; i < s->ndim; i++)
        if (s->dim[i] == 0 || (literal && s->dim[i] < 0) || (i && s->dim[i] < 0) || s->dim[i] < -((int64_t)1 << 40))
            return GTR__FAIL(ctx, SHAPE, "%s \"%s\": got shape %s, want sizes of at least 1%s", what, name,
                gtr__shape_text(s, text), literal ? "" : " (the first may be GTR_BATCH)");
    if (gtr__count(s) == INT64_MIN) return GTR__FAIL(ctx, SHAPE,
        "%s \"%s\": the product of the sizes %s is too large", what, name, gtr__shape_text(s, text));
    return GTR_OK;
}
gtr_tensor *gtr_input(gtr_context *ctx, const char *name, gtr_dtype dtype, gtr_shape shape) {
    char *full;
    if (!gtr__usable(ctx) || !(full = gtr__full_name(ctx, name))) return NULL;
    if (dtype != GTR_F32 && dtype != GTR_I32)
        GTR__BAD_ARG(ctx, "input \"%s\": dtype %s, want float32 or int32", full,
            (unsigned)dtype < GTR_DTYPE_COUNT ? gtr__dtype_names[dtype] : "unknown");
    else if (gtr__find_named(ctx, GTR__OP_INPUT, full))
        GTR__BAD_ARG(ctx, "input \"%s\": there is one of this name already", full);
    else if (gtr__check_shape(ctx, "input", full, &shape, false) == GTR_OK) {
        gtr_tensor *t = gtr__tensor_new(ctx, GTR__OP_INPUT, 0, NULL, full);
        if (t) { t->shape = shape; t->dtype = dtype; t->runs = 1; }
        return t;
    }
    gtr__mfree(ctx, full);
    return NULL;
}
static void gtr__draw(gtr_float *p, int64_t n, const gtr_init *init, uint64_t key) {
    const bool uniform = init->kind == GTR_INIT_UNIFORM;
    for (int64_t i = 0; i < n; i += 4) {
        uint32_t c[4];
        float v[4];
        GTR__COUNTER(c, 0, 0, i);
        GTR__PHILOX(c, key);
        gtr__draw_four(uniform ? GTR__DRAW_UNIFORM : GTR__DRAW_NORMAL, c, v);
        for (int k = 0; k < 4 && i + k < n; k++)
            p[i + k] = init->a * (uniform ? 2.0f * v[k] - 1.0f : v[k]);
    }
}
static gtr_init gtr__init(gtr_init_kind kind, double a) {
    gtr_init i; memset(&i, 0, sizeof i); i.kind = kind; i.a = (float)a; return i;
}
static bool gtr__savable(gtr_context *ctx, const char *name);
static gtr_tensor *gtr__leaf_new(gtr_context *ctx, gtr__op op, const char *name, gtr_dtype dtype, gtr_shape shape,
        gtr_init init, bool buffer) {
    char *full = NULL;
    if (!gtr__usable(ctx)) return NULL;
    if (name && !(full = gtr__full_name(ctx, name))) return NULL;
    bool ok = !full || gtr__savable(ctx, full);
    ok = ok && gtr__check_shape(ctx, gtr__row(op)->name, full ? full : "", &shape, true) == GTR_OK;
    if (ok && full && gtr__find_named(ctx, op, full))
        ok = !GTR__BAD_ARG(ctx,
            "parameter \"%s\": there is one of this name already (give the layer another name, or share it with "
            "gtr_..._with)", full);
    ok = ok && (op != GTR__OP_PARAMETER || GTR__GROW(ctx, ctx->parameter, ctx->n_parameter, ctx->cap_parameter));
    if (!ok) { gtr__mfree(ctx, full); return NULL; }
    gtr_tensor *t = gtr__tensor_new(ctx, op, 0, NULL, full);
    if (!t) return NULL;
    t->shape = shape; t->dtype = dtype; t->buffer = buffer; t->init = init;
    t->trainable = op == GTR__OP_PARAMETER && !buffer && !init.frozen && dtype == GTR_F32;
    t->data_bytes = (size_t)gtr__count(&shape) * gtr__dtype_size(dtype);
    if (op == GTR__OP_PARAMETER) ctx->parameter[ctx->n_parameter++] = t;
    return t;
}
/* Its memory and first values: host memory's, or, NULL, those of its init. */
static bool gtr__leaf_fill(gtr_tensor *t, const void *values) {
    static const char what[] = "a parameter's first values";
    gtr_context *ctx = t->ctx;
    const int64_t n = gtr__count(&t->shape);
    void *host = NULL;
    if (ctx->preset) return true;
    if (gtr__stage_ready(ctx, t->stage) || !(t->data = gtr__device_alloc(ctx, t->stage, t->data_bytes))) return false;
    if (!values && t->init.kind == GTR_INIT_ZERO)
        return !gtr__backend_result(ctx, ctx->be->zero(ctx->instance[t->stage], t->data, t->data_bytes), what);
    if (!values && !(host = gtr__malloc(ctx, t->data_bytes))) return false;
    if (host && t->init.kind == GTR_INIT_CONSTANT) for (int64_t i = 0; i < n; i++) ((gtr_float *)host)[i] = t->init.a;
    else if (host) gtr__draw((gtr_float *)host, n, &t->init, gtr__hash(ctx->desc.seed, t->name));
    const bool ok = !gtr__to_device(ctx, t->stage, t->data, values ? values : host, t->data_bytes, what);
    gtr__mfree(ctx, host);
    return ok;
}
/* What failed, if it is the first error, has the name. */
static bool gtr__leaf_made(gtr_tensor *t, const void *values) {
    gtr_context *ctx = t->ctx;
    const bool first = !ctx->error, ok = gtr__leaf_fill(t, values);
    char text[GTR__TEXT], more[GTR__TEXT + 600];
    snprintf(more, sizeof more, " (%s \"%s\" %s)", gtr__row(t->op)->name, t->name ? t->name : "",
        gtr__shape_text(&t->shape, text));
    if (first && !ok) gtr__error_more(ctx, more);
    return ok;
}
/* A builder of several ops begins and ends: all of them, or none; errors name it, and not the op. Its parameters get
   memory at the end, when all shapes are known to fit. */
#define GTR__SINCE(x, who) const int64_t since = (x) ? (x)->ctx->builder = who, (x)->ctx->n_tensor : 0
static gtr_tensor *gtr__whole(gtr_tensor *x, int64_t since, gtr_tensor *t) {
    if (!x) return t;
    gtr_context *ctx = x->ctx;
    ctx->builder = NULL;
    int64_t k = ctx->n_parameter;
    while (k && ctx->parameter[k - 1]->id >= since) k--;
    for (; t && k < ctx->n_parameter; k++)
        if (!ctx->parameter[k]->data && !gtr__leaf_made(ctx->parameter[k], NULL)) t = NULL;
    return t ? t : gtr__undo(ctx, since);
}
static gtr_tensor *gtr__leaf(gtr_context *ctx, gtr__op op, const char *name, gtr_dtype dtype, gtr_shape shape,
        const void *values, gtr_init init, bool buffer) {
    gtr_tensor *t = gtr__leaf_new(ctx, op, name, dtype, shape, init, buffer);
    return t && !gtr__leaf_made(t, values) ? gtr__undo(ctx, t->id) : t;
}
gtr_tensor *gtr_parameter(gtr_context *ctx, const char *name, gtr_shape shape, gtr_init init) {
    if (!gtr__usable(ctx)) return NULL;
    if ((unsigned)init.kind > GTR_INIT_NORMAL || !gtr__finite(init.a))
        return GTR__NONE(ctx, GTR_ERR_ARG,
            "parameter \"%s\": its initial values are not of a known kind and finite", name ? name : "");
    if (!name) return GTR__NONE(ctx, GTR_ERR_ARG, "a parameter needs a name");
    return gtr__leaf(ctx, GTR__OP_PARAMETER, name, GTR_F32, shape, NULL, init, false);
}
/* What the host has set of labels or ids, aligned or not; v NULL: not known. */
static void gtr__note_range(gtr_tensor *x, const void *v, int64_t n) {
    int32_t least = v ? INT32_MAX : 1, most = v ? INT32_MIN : 0, a;
    for (; v && n-- > 0; v = (const char *)v + 4) {
        memcpy(&a, v, 4); least = GTR__MIN(least, a); most = GTR__MAX(most, a);
    }
    x->least = least; x->most = most;
    x->sets++;
}
gtr_tensor *gtr_constant(gtr_context *ctx, gtr_dtype dtype, gtr_shape shape, const void *data) {
    if (!gtr__usable(ctx)) return NULL;
    if (!data || (dtype != GTR_F32 && dtype != GTR_I32))
        return GTR__NONE(ctx, GTR_ERR_ARG, "a constant needs data of dtype float32 or int32");
    gtr_tensor *t = gtr__leaf(ctx, GTR__OP_CONSTANT, NULL, dtype, shape, data, gtr__init(GTR_INIT_ZERO, 0), false);
    if (t && t->data && dtype == GTR_I32) gtr__note_range(t, data, gtr__count(&shape));
    return t;
}
void gtr_scope_begin(gtr_context *ctx, const char *name) {
    if (!gtr__usable(ctx)) return;
    size_t used = strlen(ctx->scope);
    if (!name || !name[0] || used + strlen(name) + 2 > sizeof ctx->scope) {
        GTR__BAD_ARG(ctx, "gtr_scope_begin: the name is empty or the scopes together are longer than 510 bytes");
        return;
    }
    snprintf(ctx->scope + used, sizeof ctx->scope - used, "%s.", name);
    if (ctx->scope_depth < (int)GTR__LENGTH(ctx->scope_length))
        ctx->scope_length[ctx->scope_depth++] = (short)used;
    else {
        ctx->scope[used] = 0; GTR__BAD_ARG(ctx, "gtr_scope_begin: more than 64 scopes inside each other");
    }
}
void gtr_scope_end(gtr_context *ctx) {
    if (!gtr__usable(ctx)) return;
    if (!ctx->scope_depth) { GTR__BAD_STATE(ctx, "gtr_scope_end without gtr_scope_begin"); return; }
    ctx->scope[ctx->scope_length[--ctx->scope_depth]] = 0;
}
void gtr_stage(gtr_context *ctx, int stage) {
    if (!gtr__usable(ctx)) return;
    if (stage < 0 || stage >= GTR__MAX_STAGES)
        GTR__BAD_ARG(ctx, "gtr_stage: %d, want 0 to %d", stage, GTR__MAX_STAGES - 1);
    else if (gtr__stage_ready(ctx, stage) == GTR_OK) ctx->stage = stage;
}
void gtr_recompute_begin(gtr_context *ctx) {
    if (!gtr__usable(ctx)) return;
    if (ctx->in_region) { GTR__BAD_STATE(ctx, "gtr_recompute_begin inside another"); return; }
    ctx->in_region = true;
    ctx->region = ++ctx->n_regions;
}
void gtr_recompute_end(gtr_context *ctx) {
    if (!gtr__usable(ctx)) return;
    if (!ctx->in_region) GTR__BAD_STATE(ctx, "gtr_recompute_end without gtr_recompute_begin");
    ctx->in_region = false;
}
int64_t gtr_mark(gtr_context *ctx) { return ctx ? ctx->n_tensor : 0; }
gtr_tensor *gtr_keep(gtr_tensor *t) {
    if (t && !t->keep && gtr__usable(t->ctx)) {
        t->keep = gtr__stored_as(t)->keep = true;
        gtr__plans_forget(t->ctx, t->id);
    }
    return t;
}
gtr_shape gtr_tensor_shape(const gtr_tensor *t) { return t ? t->shape : gtr_shape0(); }
gtr_dtype gtr_tensor_dtype(const gtr_tensor *t) { return t ? t->dtype : GTR_F32; }
const char *gtr_tensor_name(const gtr_tensor *t) { return t ? gtr__label(t) : ""; }
size_t gtr_tensor_bytes(const gtr_tensor *t) {
    const int64_t n = t ? gtr__count(&t->shape) : 0;
    return t ? (size_t)(n < 0 ? -n : n) * gtr__dtype_size(t->dtype) : 0;
}
int64_t gtr_parameter_count(const gtr_context *ctx) { return ctx ? ctx->n_parameter : 0; }
gtr_tensor *gtr_parameter_at(const gtr_context *ctx, int64_t i) {
    return ctx && i >= 0 && i < ctx->n_parameter ? ctx->parameter[i] : NULL;
}
gtr_tensor *gtr_parameter_find(const gtr_context *ctx, const char *name) {
    return ctx && name ? gtr__find_named(ctx, GTR__OP_PARAMETER, name) : NULL;
}
bool gtr_parameter_trainable(const gtr_tensor *p) { return p && p->trainable; }

// >>op-builders
static gtr_tensor *gtr__op1(gtr__op op, gtr_tensor *x) {
    gtr__attr a = GTR__ZERO; return gtr__op_new(op, 1, &x, &a, NULL);
}
static gtr_tensor *gtr__op_of(gtr__op op, gtr_tensor *x, gtr_tensor *y, const gtr__attr *at, const char *name) {
    gtr_tensor *const in[] = { x, y };
    return gtr__op_new(op, 2, in, at, name);
}
static gtr_tensor *gtr__op2(gtr__op op, gtr_tensor *x, gtr_tensor *y) {
    gtr__attr a = GTR__ZERO; return gtr__op_of(op, x, y, &a, NULL);
}
/* axis -1 is the last; -1 as result: out of range, and the error is noted */
static int gtr__axis(gtr_tensor *x, int axis, gtr__op op) {
    int a = axis < 0 ? axis + x->shape.ndim : axis;
    if (a >= 0 && a < x->shape.ndim) return a;
    GTR__BAD_ARG(x->ctx, "%s: axis %d of a tensor with %d dimensions", gtr__kind_of(x->ctx, op), axis, x->shape.ndim);
    return -1;
}
gtr_tensor *gtr_matmul_t(gtr_tensor *a, bool transpose_a, gtr_tensor *b, bool transpose_b) {
    gtr__attr at = GTR__ZERO;
    at.i[3] = transpose_a; at.i[4] = !transpose_b;
    return gtr__op_of(GTR__OP_MATMUL, a, b, &at, NULL);
}
gtr_tensor *gtr_matmul(gtr_tensor *a, gtr_tensor *b) { return gtr_matmul_t(a, false, b, false); }
#define GTR__BINARY_BUILDER(X, ID, name, ...) \
    gtr_tensor *gtr_##name(gtr_tensor *a, gtr_tensor *b) { return gtr__op2(GTR__OP_##ID, a, b); }
GTR__BINARY_OF_AB(GTR__BINARY_BUILDER, )
gtr_tensor *gtr_equal(gtr_tensor *a, gtr_tensor *b) { return gtr__op2(GTR__OP_EQUAL, a, b); }
gtr_tensor *gtr_where(gtr_tensor *c, gtr_tensor *a, gtr_tensor *b) {
    if (!gtr__all_there("where", c, a, b)) return NULL;
    GTR__SINCE(c, "where");
    return gtr__whole(c, since, gtr_add(gtr__op2(GTR__OP_MASK, c, a), gtr__op2(GTR__OP_MASK_NOT, c, b)));
}
#define GTR__UNARY_BUILDER(X, ID, name, ...) \
    gtr_tensor *gtr_##name(gtr_tensor *x) { return gtr__op1(GTR__OP_##ID, x); }
GTR__UNARY_OF_X(GTR__UNARY_BUILDER, ) GTR__UNARY_RARE_OF_X(GTR__UNARY_BUILDER, )
/* with the arguments a and b of its formula, which are right */
static gtr_tensor *gtr__op_with(gtr__op op, gtr_tensor *x, float a, float b, bool right, const char *want) {
    gtr__attr at = GTR__ZERO;
    if (!x) return NULL;
    if (!right)
        return GTR__NO(x, ARG, "%s: got %g and %g, want %s", gtr__kind_of(x->ctx, op), a, b, want);
    at.f[0] = a; at.f[1] = b;
    return gtr__op_new(op, 1, &x, &at, NULL);
}
#define GTR__OP_WITH(ID, a, b, right, want) { return gtr__op_with(GTR__OP_##ID, x, a, b, right, want); }
gtr_tensor *gtr_scale(gtr_tensor *x, float a, float b)
    GTR__OP_WITH(SCALE, a, b, gtr__finite(a) && gtr__finite(b), "finite numbers")
gtr_tensor *gtr_leaky_relu(gtr_tensor *x, float slope)
    GTR__OP_WITH(LEAKY_RELU, slope != 0 ? slope : 0.01f, 0, gtr__finite(slope), "a finite slope")
gtr_tensor *gtr_elu(gtr_tensor *x, float alpha)
    GTR__OP_WITH(ELU, alpha != 0 ? alpha : 1.0f, 0, gtr__finite(alpha), "a finite alpha")
gtr_tensor *gtr_softplus(gtr_tensor *x, float beta)
    GTR__OP_WITH(SOFTPLUS, beta != 0 ? beta : 1.0f, 0, gtr__finite(beta) && beta >= 0, "a finite beta of at least 0")
gtr_tensor *gtr_clamp(gtr_tensor *x, float lo, float hi) GTR__OP_WITH(CLAMP, lo, hi, lo <= hi, "bounds in order")
/* as PyTorch, which takes these powers so, too */
gtr_tensor *gtr_pow_scalar(gtr_tensor *x, float p) {
    const int64_t since = x ? x->ctx->n_tensor : 0;
    gtr_tensor *cube = p == 3 ? gtr_mul(gtr_square(x), x) : NULL;
    if (p == 3) return cube || !x ? cube : gtr__undo(x->ctx, since);
    return p == 2 ? gtr_square(x) : p == 0.5f ? gtr_sqrt(x) : p == -0.5f ? gtr_rsqrt(x) : p == -1 ? gtr_reciprocal(x)
        : gtr__op_with(GTR__OP_POW_SCALAR, x, p, 0, gtr__finite(p), "a finite exponent");
}
gtr_tensor *gtr_stop_gradient(gtr_tensor *x) { return gtr__op1(GTR__OP_STOP_GRADIENT, x); }
gtr_tensor *gtr_reshape(gtr_tensor *x, gtr_shape shape) {
    gtr__attr at = GTR__ZERO;
    char a[GTR__TEXT], b[GTR__TEXT];
    if (!x) return NULL;
    if (shape.ndim < 0 || shape.ndim > GTR_MAX_DIMS)
        return GTR__NO(x, SHAPE, "reshape: %d dimensions, want 0 to %d", shape.ndim, GTR_MAX_DIMS);
    at.f[0] = shape.ndim;
    for (int i = 0; i < shape.ndim; i++) at.i[i] = shape.dim[i];
    if (gtr__count(&x->shape) > 0 && gtr__shape_valid(&shape) && gtr__count(&shape) < 0)
        return GTR__NO(x, SHAPE, "reshape: got %s into %s, want one without the batch, too",
                gtr__shape_text(&x->shape, a), gtr__shape_text(&shape, b));
    return gtr__op_new(GTR__OP_RESHAPE, 1, &x, &at, NULL);
}
gtr_tensor *gtr_flatten(gtr_tensor *x) {
    if (!x) return NULL;
    gtr_shape s = gtr_shape2(x->shape.ndim ? x->shape.dim[0] : 1, 1);
    for (int i = 1; i < x->shape.ndim; i++) s.dim[1] *= x->shape.dim[i]; /* each a factor of a count that was checked */
    return gtr_reshape(x, s);
}
gtr_tensor *gtr_permute(gtr_tensor *x, const int *dims) {
    gtr__attr at = GTR__ZERO;
    if (!x) return NULL;
    if (!dims) return GTR__NO(x, ARG, "permute: dims is NULL");
    for (int i = 0; i < x->shape.ndim; i++) at.i[i] = dims[i];
    return gtr__op_new(GTR__OP_PERMUTE, 1, &x, &at, NULL);
}
/* Of ops along an axis, i[0]; a, b, c: i[1] to i[3]. */
static gtr_tensor *gtr__along(gtr__op op, gtr_tensor *const *x, int n, int axis, int64_t a, int64_t b, int64_t c) {
    gtr__attr at = GTR__ZERO;
    if (!gtr__there(gtr__kind_of(x[0] ? x[0]->ctx : NULL, op), n, x)) return NULL;
    at.i[0] = gtr__axis(x[0], axis, op); at.i[1] = a; at.i[2] = b; at.i[3] = c;
    return at.i[0] < 0 ? NULL : gtr__op_new(op, n, x, &at, NULL);
}
#define GTR__MAX_LIST 60
static bool gtr__is_list(gtr_tensor *const *x, int n, const char *who) {
    if (!x || n < 1) return false;
    if (n > GTR__MAX_LIST) return x[0] && GTR__NO(x[0], ARG, "%s: %d tensors, want 1 to %d", who, n, GTR__MAX_LIST);
    return gtr__there(who, n, x);
}
gtr_tensor *gtr_concat(gtr_tensor *const *x, int n, int axis) {
    if (!gtr__is_list(x, n, "concat")) return NULL;
    return gtr__along(GTR__OP_CONCAT, x, n, axis, 0, 0, 0);
}
gtr_tensor *gtr_slice(gtr_tensor *x, int axis, int64_t begin, int64_t end) {
    return gtr__along(GTR__OP_SLICE, &x, 1, axis, begin, end, 1);
}
gtr_tensor *gtr_split(gtr_tensor *x, int axis, int n) {
    char text[GTR__TEXT];
    const int a = x ? gtr__axis(x, axis, GTR__OP_SLICE) : -1;
    const int64_t all = a < 0 ? 0 : x->shape.dim[a];
    if (a >= 0 && (n < 1 || n > GTR__MAX_OUT || all % n)) return GTR__NO(x, ARG,
        "split: %d parts of dimension %d of %s, want 1 to %d equal ones", n, a, gtr__shape_text(&x->shape, text),
        GTR__MAX_OUT);
    return a < 0 ? NULL : gtr__along(GTR__OP_SLICE, &x, 1, a, 0, all / n, n);
}
gtr_tensor *gtr_softmax(gtr_tensor *x, int axis) { return gtr__along(GTR__OP_SOFTMAX, &x, 1, axis, 0, 0, 0); }
gtr_tensor *gtr_log_softmax(gtr_tensor *x, int axis) { return gtr__along(GTR__OP_LOG_SOFTMAX, &x, 1, axis, 0, 1, 0); }
gtr_tensor *gtr_argmax(gtr_tensor *x, int axis) { return gtr__along(GTR__OP_ARGMAX, &x, 1, axis, 0, 0, 0); }
static bool gtr__are_axes(gtr_tensor *x, const int *axes, int n, const char *who) {
    return n == 0 || (n > 0 && n <= x->shape.ndim && axes)
        || GTR__NO(x, ARG, "%s: %d axes of %d dimensions", who, n, x->shape.ndim);
}
static gtr_tensor *gtr__reduction(gtr__op op, gtr_tensor *x, const int *axes, int n, bool keep, int kind, double f) {
    gtr__attr at = GTR__ZERO;
    if (!x) return NULL;
    if (!gtr__are_axes(x, axes, n, gtr__row(op)->name)) return NULL;
    for (int i = 0; i < (n ? n : x->shape.ndim); i++) {
        int a = n ? gtr__axis(x, axes[i], op) : i;
        if (a < 0) return NULL;
        if (at.i[0] >> a & 1)
            return GTR__NO(x, ARG, "%s: axis %d is named twice", gtr__row(op)->name, a);
        at.i[0] |= (int64_t)1 << a;
    }
    at.i[1] = keep; at.i[2] = kind; at.f[0] = f;
    return gtr__op_new(op, 1, &x, &at, NULL);
}
#define GTR__REDUCTION(name, ID, kind) gtr_tensor *gtr_##name(gtr_tensor *x, const int *axes, int n, bool keep) { \
    return gtr__reduction(GTR__OP_##ID, x, axes, n, keep, kind, 0); }
GTR__REDUCTION(sum, SUM, 0)
GTR__REDUCTION(mean, MEAN, 0)
GTR__REDUCTION(logsumexp, LOGSUMEXP, GTR__F_LSE)
GTR__REDUCTION(max, MAX, GTR__F_MAX)
GTR__REDUCTION(min, MIN, GTR__F_MIN)
GTR__REDUCTION(prod, PROD, GTR__F_PROD)
gtr_tensor *gtr_argmin(gtr_tensor *x, int axis) {
    gtr_tensor *t = gtr_min(x, &axis, 1, false); return t ? gtr_output(t, 1) : NULL;
}
gtr_tensor *gtr_var(gtr_tensor *x, const int *axes, int n, bool unbiased, bool keep) {
    return gtr__reduction(GTR__OP_VAR, x, axes, n, keep, GTR__F_VAR, unbiased);
}
gtr_tensor *gtr_norm(gtr_tensor *x, float p, const int *axes, int n, bool keep) {
    const int kind = p == 1 ? GTR__F_NORM1 : p == 2 ? GTR__F_NORM2 : GTR__F_PEAK;
    if (x && kind == GTR__F_PEAK && !(p > 1e38f))
        return GTR__NO(x, ARG, "norm: p is %g, want 1, 2 or INFINITY", p);
    return gtr__reduction(GTR__OP_NORM, x, axes, n, keep, kind, 0);
}
gtr_tensor *gtr_cumsum(gtr_tensor *x, int axis) { return gtr__along(GTR__OP_CUMSUM, &x, 1, axis, 0, 0, 0); }
gtr_tensor *gtr_sort(gtr_tensor *x, int axis, bool descending) {
    return gtr__along(GTR__OP_SORT, &x, 1, axis, 0, descending, 0);
}
gtr_tensor *gtr_top_k(gtr_tensor *x, int64_t k, int axis) {
    GTR__SINCE(x, "top_k");
    return gtr__whole(x, since, gtr__along(GTR__OP_SORT, &x, 1, axis, k ? k : INT64_MIN, 1, 0));
}
/* x and elements in front of and behind its own along axis, by a gtr_pad_mode or, 4, turned round. */
static gtr_tensor *gtr__take(gtr_tensor *x, int axis, int64_t before, int64_t behind, int mode, float value) {
    gtr__attr at = GTR__ZERO;
    gtr_context *ctx = x->ctx;
    gtr_tensor *in[4];
    const int64_t n = x->shape.dim[axis], most = 1 << 28;
    const bool mirror = mode == GTR_PAD_REFLECT, good = n > 0 && n < most && before > -most && before < most
        && behind > -most && behind < most;
    const int64_t m = good ? n + before + behind : 0;
    char text[GTR__TEXT];
    if (m < 1 || m >= most || (mirror && (before >= n || behind >= n)))
        return GTR__NO(x, ARG, "%s: dimension %d of \"%s\" %s, %lld elements in front and %lld behind, want %s",
            ctx->builder, axis, gtr__label(x), gtr__shape_text(&x->shape, text), (long long)before, (long long)behind,
            n < 0 ? "another than the batch" : mirror ? "fewer than it has" : "1 to 2^28 in all");
    int32_t *ids = GTR__NEW(ctx, int32_t, 2 * m + n + 2);
    if (!ids) return NULL;
    int32_t *order = ids + m, *starts = order + m;
    for (int64_t i = 0; i < m; i++) {
        const int64_t k = i - before, edge = k < 0 ? 0 : n - 1, round = k % n + (k % n < 0 ? n : 0);
        ids[i] = (int32_t)(mode > GTR_PAD_CIRCULAR ? n - 1 - i : k >= 0 && k < n ? k : mirror ? 2 * edge - k
            : mode == GTR_PAD_REPLICATE ? edge : mode == GTR_PAD_CIRCULAR ? round : -1);
        if (ids[i] >= 0) starts[ids[i] + 2]++;
    }
    for (int64_t j = 2; j < n + 2; j++) starts[j] += starts[j - 1];
    for (int64_t i = 0; i < m; i++) if (ids[i] >= 0) order[starts[ids[i] + 1]++] = (int32_t)i;
    in[0] = x; at.i[0] = axis; at.f[0] = value;
    for (int k = 0; k < 3; k++)
        in[k + 1] = gtr_constant(ctx, GTR_I32, gtr_shape1(k == 1 ? n + 1 : m), k ? k == 1 ? starts : order : ids);
    gtr__mfree(ctx, ids);
    return gtr__op_new(GTR__OP_TAKE, 4, in, &at, NULL);
}
gtr_tensor *gtr_pad(gtr_tensor *x, const int64_t *pad, int n, gtr_pad_mode mode, float value) {
    if (x && !(pad && n > 0 && n <= x->shape.ndim && (unsigned)mode <= GTR_PAD_CIRCULAR))
        return GTR__NO(x, ARG, "pad: %d dimensions, mode %d", n, (int)mode);
    GTR__SINCE(x, "pad");
    gtr_tensor *t = x;
    for (int i = 0; i < n && t; i++, pad += 2)
        if (pad[0] || pad[1]) t = gtr__take(t, x->shape.ndim - 1 - i, pad[0], pad[1], (int)mode, value);
    return gtr__whole(x, since, t);
}
gtr_tensor *gtr_tile(gtr_tensor *x, const int64_t *times) {
    if (x && !times) return GTR__NO(x, ARG, "tile: times is NULL");
    GTR__SINCE(x, "tile");
    gtr_tensor *t = x;
    for (int k = 0; t && k < x->shape.ndim; k++) if (times[k] != 1) {
        const int64_t n = x->shape.dim[k], m = times[k] < 1 || times[k] > INT32_MAX / n ? 0 : n * times[k];
        t = gtr__take(t, k, 0, m - n, GTR_PAD_CIRCULAR, 0);
    }
    return gtr__whole(x, since, t);
}
gtr_tensor *gtr_roll(gtr_tensor *x, int64_t shift, int axis) {
    GTR__SINCE(x, "roll");
    const int a = x ? gtr__axis(x, axis, GTR__OP_TAKE) : -1;
    if (a >= 0) shift %= GTR__MAX(x->shape.dim[a], 1);
    return gtr__whole(x, since, a < 0 ? NULL : gtr__take(x, a, shift, -shift, GTR_PAD_CIRCULAR, 0));
}
gtr_tensor *gtr_flip(gtr_tensor *x, const int *axes, int n) {
    if (!x || !gtr__are_axes(x, axes, n, "flip")) return NULL;
    GTR__SINCE(x, "flip");
    gtr_tensor *t = x;
    for (int i = 0; t && i < n; i++) {
        const int a = gtr__axis(t, axes[i], GTR__OP_TAKE);
        t = a < 0 ? NULL : gtr__take(t, a, 0, 0, GTR_PAD_CIRCULAR + 1, 0);
    }
    return gtr__whole(x, since, t);
}
gtr_tensor *gtr_stack(gtr_tensor *const *x, int n, int axis) {
    gtr_tensor *t[GTR__MAX_LIST];
    if (!gtr__is_list(x, n, "stack")) return NULL;
    GTR__SINCE(x[0], "stack");
    for (int i = 0; i < n; i++) {
        gtr_shape s = x[i]->shape;
        const int a = axis < 0 ? axis + s.ndim + 1 : axis;
        if (a < 0 || a > s.ndim || s.ndim == GTR_MAX_DIMS) {
            GTR__BAD_ARG(x[0]->ctx, "stack: axis %d of tensors with %d dimensions", axis, s.ndim);
            return gtr__whole(x[0], since, NULL);
        }
        for (int k = s.ndim++; k > a; k--) s.dim[k] = s.dim[k - 1];
        s.dim[a] = 1;
        t[i] = gtr_reshape(x[i], s);
    }
    return gtr__whole(x[0], since, gtr_concat(t, n, axis));
}
/* The window of desc into i, see op:conv; false, with an error, where a figure is out of range. */
static bool gtr__window_desc(gtr_tensor *x, const char *who, const char *name, const gtr_conv_desc *d, int64_t *i) {
    static const char *const names[] = { "stride", "padding", "dilation", "groups", "output_padding", "kernel" };
    const int across[] = { d->stride_w, d->padding_w, d->dilation_w, 0, d->output_padding_w, d->kernel_w };
    i[0] = d->stride ? d->stride : 1; i[1] = d->stride_w ? d->stride_w : i[0];
    i[2] = d->padding; i[3] = d->padding_w ? GTR__MAX(d->padding_w, 0) : i[2];
    i[4] = d->dilation ? d->dilation : 1; i[5] = d->dilation_w ? d->dilation_w : i[4];
    i[6] = i[7] = d->groups ? d->groups : 1;
    i[8] = d->output_padding; i[9] = d->output_padding_w ? GTR__MAX(d->output_padding_w, 0) : i[8];
    if (x->shape.ndim == 3) { i[0] = i[4] = 1; i[2] = i[8] = 0; }
    for (int k = 0; k < 12; k++) {
        const bool pads = k / 2 == 1 || k / 2 == 4;
        const int64_t v = k < 10 ? i[k] : k > 10 && d->kernel_w ? d->kernel_w : d->kernel,
            most = k / 2 == 4 ? GTR__MAX(i[k - 8], i[k - 4]) - 1 : k / 2 == 3 ? INT64_MAX : 1 << 20;
        if (v < !pads || v > most) return GTR__REJECT(x, ARG, who, name, ", %s%s %lld, want %d to %lld%s",
            names[k / 2], k % 2 && across[k / 2] ? "_w" : "", (long long)v, !pads,
            (long long)most, k / 2 == 4 ? ", below stride or dilation" : "") != NULL;
    }
    return true;
}
static gtr_tensor *gtr__pooling(gtr__op op, gtr_tensor *x, gtr_pool_desc d, bool dilates) {
    gtr__attr at = GTR__ZERO;
    gtr_conv_desc w = GTR__ZERO;
    if (!GTR__USABLE(x)) return NULL;
    w.kernel = d.kernel; w.kernel_w = d.kernel_w; w.padding = d.padding; w.padding_w = d.padding_w;
    w.stride = d.stride ? d.stride : d.kernel;
    w.stride_w = d.stride_w ? d.stride_w : d.stride ? d.stride : d.kernel_w;
    w.dilation = d.dilation; w.dilation_w = d.dilation_w;
    if (!dilates && (d.dilation || d.dilation_w))
        return GTR__REJECT(x, ARG, "avg_pool", NULL, ", dilation (%d, %d), want 0", d.dilation, d.dilation_w);
    if (!gtr__window_desc(x, gtr__kind_of(x->ctx, op), NULL, &w, at.i)) return NULL;
    at.i[6] = x->shape.ndim == 3 ? 1 : d.kernel; at.i[7] = d.kernel_w ? d.kernel_w : d.kernel;
    at.i[8] = d.round_up; at.i[9] = d.exclude_padding;
    return gtr__op_new(op, 1, &x, &at, NULL);
}
static gtr_pool_desc gtr__pool_desc(int kernel, int stride, int padding) {
    gtr_pool_desc d = GTR__ZERO;
    d.kernel = kernel; d.stride = stride; d.padding = padding;
    return d;
}
gtr_tensor *gtr_max_pool2d_ex(gtr_tensor *x, gtr_pool_desc d) { return gtr__pooling(GTR__OP_MAX_POOL, x, d, true); }
gtr_tensor *gtr_avg_pool2d_ex(gtr_tensor *x, gtr_pool_desc d) { return gtr__pooling(GTR__OP_AVG_POOL, x, d, false); }
gtr_tensor *gtr_max_pool2d(gtr_tensor *x, int kernel, int stride, int padding) {
    return gtr_max_pool2d_ex(x, gtr__pool_desc(kernel, stride, padding));
}
gtr_tensor *gtr_avg_pool2d(gtr_tensor *x, int kernel, int stride, int padding) {
    return gtr_avg_pool2d_ex(x, gtr__pool_desc(kernel, stride, padding));
}
/* What makes an image of height by width: of adaptive pooling, and of resampling. */
static gtr_tensor *gtr__resized(gtr__op op, gtr_tensor *x, int64_t height, int64_t width, bool linear, bool means) {
    gtr__attr at = GTR__ZERO;
    at.i[0] = at.i[1] = at.i[4] = at.i[5] = 1;
    at.i[6] = height; at.i[7] = width; at.i[8] = linear;
    at.i[11] = means;
    if (height < 1 || width < 1) return GTR__REJECT(x, ARG, gtr__kind_of(x->ctx, op), NULL,
        ", height %lld and width %lld, want at least 1", (long long)height, (long long)width);
    return gtr__op_new(op, 1, &x, &at, NULL);
}
gtr_tensor *gtr_adaptive_avg_pool2d(gtr_tensor *x, int64_t height, int64_t width) {
    if (!GTR__USABLE(x)) return NULL;
    if (x->shape.ndim == 3 && height != 1)
        return GTR__REJECT(x, ARG, "adaptive_avg_pool", NULL, " and height %lld, want 1 of (N, C, L)",
            (long long)height);
    GTR__SINCE(x, "adaptive_avg_pool");
    return gtr__whole(x, since, gtr__resized(GTR__OP_AVG_POOL, x, height, width, false, true));
}
gtr_tensor *gtr_global_avg_pool(gtr_tensor *x) {
    int axes[GTR_MAX_DIMS];
    if (!GTR__USABLE(x)) return NULL;
    if (x->shape.ndim < 3) return GTR__REJECT(x, SHAPE, "global_avg_pool", NULL, ", want (N, C, ...)");
    for (int k = 2; k < x->shape.ndim; k++) axes[k - 2] = k;
    GTR__SINCE(x, "global_avg_pool");
    return gtr__whole(x, since, gtr_mean(x, axes, x->shape.ndim - 2, false));
}
gtr_tensor *gtr_upsample2d(gtr_tensor *x, int64_t factor, bool linear) {
    if (!GTR__USABLE(x)) return NULL;
    const int n = x->shape.ndim;
    if ((n != 3 && n != 4) || factor < 1 || factor > 1 << 20 || (factor > 1 && gtr__count(&x->shape) >> 38 > 0))
        return GTR__REJECT(x, SHAPE, "upsample", NULL, ", factor %lld, want (N, C, H, W) or (N, C, L), 1 to 2^20, "
            "fewer than 2^59 elements", (long long)factor);
    return gtr__resized(GTR__OP_UPSAMPLE, x, n > 3 ? factor * x->shape.dim[2] : 1, factor * x->shape.dim[n - 1], linear,
        false);
}
gtr_tensor *gtr_pixel_shuffle(gtr_tensor *x, int64_t r) {
    static const int dims[6] = { 0, 1, 4, 2, 5, 3 };
    if (!GTR__USABLE(x)) return NULL;
    const int64_t *d = x->shape.dim;
    if (x->shape.ndim != 4 || r < 1 || r > 1 << 15 || d[1] < 1 || d[1] % (r * r) || x->dtype != GTR_F32)
        return GTR__REJECT(x, SHAPE, "pixel_shuffle", NULL, " and r %lld, want float32 (N, C r r, H, W) and r from "
            "1 to 2^15", (long long)r);
    gtr_shape s = gtr_shape4(d[0], d[1] / (r * r), r, r), o = gtr_shape4(d[0], d[1] / (r * r), r * d[2], r * d[3]);
    GTR__SINCE(x, "pixel_shuffle");
    s = gtr__shape_more(gtr__shape_more(s, d[2]), d[3]);
    return gtr__whole(x, since, gtr_reshape(gtr_permute(gtr_reshape(x, s), dims), o));
}
static gtr_tensor *gtr__random_new(gtr__op op, gtr_tensor *x, const char *name, gtr__attr at) {
    char own[40];
    at.i[0] = !(x->shape.ndim && x->shape.dim[0] < 0);
    for (;;) {
        if (!name) snprintf(own, sizeof own, "%s%lld", gtr__row(op)->name, (long long)x->ctx->unnamed);
        gtr_tensor *t = gtr__op_new(op, 1, &x, &at, name ? name : own);
        if (!t) return NULL;
        x->ctx->unnamed += !name;
        if (!gtr__namesake(t->next_named, op, t->name)) {
            t->attr.key = gtr__hash(x->ctx->desc.seed ^ at.key, t->name);
            return t;
        }
        if (name) GTR__BAD_ARG(x->ctx, "%s \"%s\": there is one of this name already", gtr__row(op)->name, t->name);
        gtr__undo(x->ctx, t->id);
        if (name) return NULL; /* a name that was made and is the user's too: the next */
    }
}
static bool gtr__dropout_fits(gtr_tensor *x, const char *who, const char *name, float p) {
    if (!GTR__USABLE(x)) return false;
    return (p >= 0 && p < 1) || GTR__REJECT(x, ARG, who, name, ", p is %g, want 0 <= p < 1", p);
}
gtr_tensor *gtr_dropout(gtr_tensor *x, const char *name, float p) {
    gtr__attr at = GTR__ZERO;
    if (!gtr__dropout_fits(x, "dropout", name, p)) return NULL;
    at.f[0] = p;
    return gtr__random_new(GTR__OP_DROPOUT, x, name, at);
}
gtr_tensor *gtr_dropout2d(gtr_tensor *x, const char *name, float p) {
    if (!gtr__dropout_fits(x, "dropout2d", name, p)) return NULL;
    if (x->shape.ndim < 3 || x->shape.dim[1] < 1 || x->dtype != GTR_F32)
        return GTR__REJECT(x, SHAPE, "dropout2d", name, ", want float32 (N, C, ...)");
    GTR__SINCE(x, "dropout2d");
    gtr_tensor *one = gtr_stop_gradient(x);
    for (int k = 2; k < x->shape.ndim; k++) one = gtr_slice(one, k, 0, 1);
    one = one ? gtr_dropout(gtr_equal(one, one), name, p) : NULL;
    return gtr__whole(x, since, one ? gtr_mul(x, one) : NULL);
}
#define GTR__DRAWN(name_, KIND) gtr_tensor *gtr_random_##name_(gtr_tensor *like, const char *name) { \
    gtr__attr at = GTR__ZERO; \
    at.i[4] = GTR__DRAW_##KIND; at.key = 1; /* not what a dropout of this name draws */ \
    return GTR__USABLE(like) ? gtr__random_new(GTR__OP_RANDOM, like, name, at) : NULL; }
GTR__DRAWN(normal, NORMAL)
GTR__DRAWN(uniform, UNIFORM)
GTR__DRAWN(gumbel, GUMBEL)
/* Labels and ids have a range, which the runs that read them check (gtr__check_ranges). */
static gtr_tensor *gtr__limit(gtr_tensor *t, int64_t limit) {
    if (t) t->limit = limit;
    return t;
}
gtr_tensor *gtr_one_hot(gtr_tensor *ids, int64_t classes) {
    gtr__attr at = GTR__ZERO;
    at.i[0] = GTR__MAX(classes, 0);
    gtr_tensor *t = gtr__op_new(GTR__OP_ONE_HOT, 1, &ids, &at, NULL);
    return gtr__limit(t, classes);
}
gtr_tensor *gtr_gather_rows(gtr_tensor *x, gtr_tensor *ids) {
    if (!gtr__all_there("gather_rows", x, ids, x)) return NULL;
    gtr_shape s = ids->shape, table = gtr_shape2(x->shape.ndim ? x->shape.dim[0] : -1, 1);
    for (int k = 1; k < x->shape.ndim; k++) table.dim[1] *= x->shape.dim[k];
    if (table.dim[0] < 0 || s.ndim + x->shape.ndim > GTR_MAX_DIMS + 1)
        return GTR__NO(x, SHAPE,
            "gather_rows: want x (R, ...), R not the batch, and at most 8 dimensions of the result");
    for (int k = 1; k < x->shape.ndim; k++) s = gtr__shape_more(s, x->shape.dim[k]);
    GTR__SINCE(x, "gather_rows");
    return gtr__whole(x, since, gtr_reshape(gtr_embedding_with(ids, gtr_reshape(x, table)), s));
}
gtr_tensor *gtr_scatter_add_rows(gtr_tensor *ids, gtr_tensor *x, int64_t rows) {
    gtr__attr at = GTR__ZERO;
    at.i[0] = GTR__MAX(rows, 0);
    gtr_tensor *t = gtr__op_of(GTR__OP_SCATTER_ADD, ids, x, &at, NULL);
    return gtr__limit(t, rows);
}
gtr_tensor *gtr_custom(gtr_context *ctx, gtr_custom_desc desc) {
    gtr__attr at = GTR__ZERO;
    if (!gtr__usable(ctx)) return NULL;
    if (desc.n_in < 1 || desc.n_in > 8 || desc.n_out < 0 || desc.n_out > 8 || !desc.forward || !desc.name)
        return GTR__NONE(ctx, GTR_ERR_ARG,
            "custom \"%s\": it has %d inputs and %d outputs, want 1 to 8, a name and a forward function",
            desc.name ? desc.name : "", desc.n_in, desc.n_out);
    if (!desc.n_out) desc.n_out = 1;
    gtr_custom_desc *copy = GTR__NEW(ctx, gtr_custom_desc, 1);
    if (!copy) return NULL;
    *copy = desc;
    at.ptr = copy;
    gtr_tensor *t = gtr__op_new(GTR__OP_CUSTOM, desc.n_in, desc.in, &at, desc.name);
    if (!t) gtr__mfree(ctx, copy);
    else copy->name = gtr__label(t);
    return t;
}
static bool gtr__takes_gradient(const gtr__op_row *row, int input) {
    return !((input == 0 && row->flags & GTR__NODIFF0) || (input == 1 && row->flags & GTR__NODIFF1));
}
/* Marks what a gradient that starts at t reaches, and says whether a GRADIENT is among it. Inputs come before what uses
   them, so one sweep from t down does. */
static bool gtr__gradient_reach(const gtr_tensor *t, unsigned char *seen) {
    bool met = false;
    seen[t->id] = 1;
    for (int64_t i = t->id; i >= 0; i--) {
        const gtr_tensor *x = t->ctx->tensor[i];
        const gtr__op_row *row = gtr__row(x->op);
        if (!seen[i] || x->dtype != GTR_F32) continue;
        met |= x->op == GTR__OP_GRADIENT;
        if (!row->n_diff || (x->op == GTR__OP_CUSTOM && !((const gtr_custom_desc *)x->attr.ptr)->backward) ||
            (x->op == GTR__OP_PART && gtr__row(x->in[0]->op)->n_diff <= x->attr.i[0])) continue;
        for (int k = 0; k < x->n_in; k++) if (gtr__takes_gradient(row, k)) seen[x->in[k]->id] = 1;
    }
    return met;
}
static gtr_result gtr__check_loss(gtr_tensor *loss, const char *what) {
    gtr_context *ctx = loss->ctx;
    char text[GTR__TEXT], who[GTR__OP_TEXT];
    if (loss->dtype != GTR_F32 || gtr__count(&loss->shape) != 1)
        return GTR__FAIL(ctx, SHAPE, "%s: the loss, %s, has shape %s and dtype %s, want one float32", what,
                gtr__called(loss, who), gtr__shape_text(&loss->shape, text), gtr__dtype_names[loss->dtype]);
    unsigned char *seen = GTR__NEW(ctx, unsigned char, ctx->n_tensor);
    if (!seen) return GTR_ERR_NOMEM;
    bool bad = gtr__gradient_reach(loss, seen);
    gtr__mfree(ctx, seen);
    return bad ? GTR__FAIL(ctx, UNSUPPORTED,
        "%s: the loss \"%s\" depends on a gradient; a gradient of a gradient is not computed (gtr_stop_gradient "
        "cuts it)", what, gtr__label(loss)) : GTR_OK;
}
gtr_tensor *gtr_gradient(gtr_tensor *loss, gtr_tensor *x) {
    gtr_tensor *const in[] = { loss, x };
    if (!gtr__all_there("gradient", loss, x, x) || !gtr__usable(loss->ctx)) return NULL;
    if (x->ctx != loss->ctx)
        return GTR__NO(loss, ARG, "gradient: its inputs belong to different contexts");
    if (x->dtype != GTR_F32) return GTR__NO(loss, SHAPE,
        "gradient: \"%s\" is %s, want float32", gtr__label(x), gtr__dtype_names[x->dtype]);
    if (gtr__check_loss(loss, "gradient")) return NULL;
    gtr_tensor *t = gtr__tensor_new(loss->ctx, GTR__OP_GRADIENT, 2, in, NULL);
    if (t) { t->shape = x->shape; t->dtype = GTR_F32; t->runs = x->runs; }
    return t;
}

// >>layer-builders
/* A layer's parameter, or buffer. A name that does not fit is longer than any may be. */
static gtr_tensor *gtr__layer_part(gtr_tensor *x, const char *name, const char *part, gtr_dtype dtype, gtr_shape shape,
        gtr_init init, bool buffer) {
    char buf[600];
    snprintf(buf, sizeof buf, "%s.%s", name, part);
    return gtr__leaf_new(x->ctx, GTR__OP_PARAMETER, buf, dtype, shape, init, buffer);
}
static bool gtr__layer_name(gtr_tensor *x, const char *name, const char *what) {
    if (!GTR__USABLE(x)) return false;
    if (name && name[0]) return true;
    GTR__BAD_ARG(x->ctx, "%s: a layer needs a name", what);
    return false;
}
/* An op of x, a weight and, unless NULL, a bias; eps is its attribute f[0]. */
static gtr_tensor *gtr__weighted(gtr__op op, double eps, gtr_tensor *x, gtr_tensor *w, gtr_tensor *b,
        const char *name) {
    gtr__attr at = GTR__ZERO;
    gtr_tensor *const in[] = { x, w, b };
    at.f[0] = eps;
    return gtr__op_new(op, b ? 3 : 2, in, &at, name);
}
/* The same with a weight of w's shape and, unless NULL, a bias of b's, first of init and init_b: a layer. */
static gtr_tensor *gtr__layer(gtr__op op, double eps, gtr_tensor *x, const char *name, gtr_shape w, gtr_init init,
        const gtr_shape *b, gtr_init init_b) {
    GTR__SINCE(x, NULL);
    gtr_tensor *weight = gtr__layer_part(x, name, "weight", GTR_F32, w, init, false), *bias = NULL, *t = NULL;
    if (weight && b) bias = gtr__layer_part(x, name, "bias", GTR_F32, *b, init_b, false);
    if (bias || !b) t = gtr__weighted(op, eps, x, weight, bias, name);
    return gtr__whole(x, since, t);
}
gtr_tensor *gtr_linear_ex(gtr_tensor *x, const char *name, gtr_linear_desc desc) {
    if (!gtr__layer_name(x, name, "linear")) return NULL;
    if (desc.out < 1 || x->shape.ndim < 1 || x->shape.dim[x->shape.ndim - 1] < 1 || x->dtype != GTR_F32)
        return GTR__REJECT(x, SHAPE, "linear", name, " and %lld features out, want float32 (..., K) and at least 1",
            (long long)desc.out);
    const gtr_shape w = gtr_shape2(desc.out, x->shape.dim[x->shape.ndim - 1]), b = gtr_shape1(desc.out);
    const gtr_init init = gtr__init(GTR_INIT_UNIFORM, 1 / sqrt((double)w.dim[1]));
    return gtr__layer(GTR__OP_LINEAR, 0, x, name, w, init, desc.no_bias ? NULL : &b, init);
}
gtr_tensor *gtr_linear(gtr_tensor *x, const char *name, int64_t out) {
    gtr_linear_desc d = GTR__ZERO;
    d.out = out;
    return gtr_linear_ex(x, name, d);
}
gtr_tensor *gtr_linear_with(gtr_tensor *x, gtr_tensor *w, gtr_tensor *b) {
    return gtr__weighted(GTR__OP_LINEAR, 0, x, w, b, NULL);
}
gtr_tensor *gtr_embedding_with(gtr_tensor *ids, gtr_tensor *table) {
    return gtr__limit(gtr__op2(GTR__OP_EMBEDDING, ids, table), table ? table->shape.dim[0] : 0);
}
gtr_tensor *gtr_embedding(gtr_tensor *ids, const char *name, int64_t rows, int64_t width) {
    if (!gtr__layer_name(ids, name, "embedding")) return NULL;
    if (ids->dtype != GTR_I32 || rows < 1 || width < 1) return GTR__REJECT(ids, SHAPE, "embedding", name,
        ", %lld rows and width %lld, want int32 and at least 1", (long long)rows, (long long)width);
    const gtr_init init = gtr__init(GTR_INIT_NORMAL, 1);
    return gtr__limit(gtr__layer(GTR__OP_EMBEDDING, 0, ids, name, gtr_shape2(rows, width), init, NULL, init), rows);
}
static gtr_tensor *gtr__conv_new(gtr_tensor *x, gtr_tensor *w, gtr_tensor *b, gtr_conv_desc d, bool back,
        const char *who, const char *name) {
    gtr__attr at = GTR__ZERO;
    gtr_tensor *const in[] = { x, w, b };
    if (!gtr__there(who, 2, in) || !gtr__usable(x->ctx)) return NULL;
    d.kernel = 1; d.kernel_w = 0;
    if (!gtr__window_desc(x, who, name, &d, at.i)) return NULL;
    if (!back && (d.output_padding > 0 || d.output_padding_w > 0))
        return GTR__REJECT(x, ARG, who, name, ", output_padding (%d, %d), want 0: it is conv_transpose2d's",
            d.output_padding, d.output_padding_w);
    at.i[7] = back;
    GTR__SINCE(x, who);
    return gtr__whole(x, since, gtr__op_new(GTR__OP_CONV, b ? 3 : 2, in, &at, name));
}
static gtr_tensor *gtr__conv_layer(gtr_tensor *x, const char *name, gtr_conv_desc d, bool back, const char *who) {
    int64_t i[16], fan;
    if (!gtr__layer_name(x, name, who) || !gtr__window_desc(x, who, name, &d, i)) return NULL;
    const gtr_shape *s = &x->shape;
    const int n = s->ndim;
    const bool image = (n == 3 || n == 4) && s->dim[1] > 0;
    if (!image || d.out < 1 || s->dim[1] % i[6] || d.out % i[6] || x->dtype != GTR_F32)
        return GTR__REJECT(x, SHAPE, who, name, ", %lld channels out and %lld group%s, want float32 (N, C, H, W) or "
            "(N, C, L), at least 1, and groups that divide both", (long long)d.out, (long long)i[6],
            i[6] == 1 ? "" : "s");
    gtr_shape w = gtr_shape2(back ? s->dim[1] : d.out, (back ? d.out : s->dim[1]) / i[6]);
    if (n > 3) w = gtr__shape_more(w, d.kernel);
    w = gtr__shape_more(w, d.kernel_w ? d.kernel_w : d.kernel);
    fan = gtr__shape_inner(&w, 0);
    const gtr_init init = gtr__init(GTR_INIT_UNIFORM, 1 / sqrt((double)fan));
    GTR__SINCE(x, who);
    gtr_tensor *weight = gtr__layer_part(x, name, "weight", GTR_F32, w, init, false), *bias = NULL, *t = NULL;
    if (weight) weight->last = true;
    if (weight && !d.no_bias) bias = gtr__layer_part(x, name, "bias", GTR_F32, gtr_shape1(d.out), init, false);
    if (weight && (bias || d.no_bias)) t = gtr__conv_new(x, weight, bias, d, back, who, name);
    return gtr__whole(x, since, t);
}
static gtr_conv_desc gtr__conv_desc(int64_t out, int kernel, int stride, int padding) {
    gtr_conv_desc d = GTR__ZERO;
    d.out = out; d.kernel = kernel; d.stride = stride; d.padding = padding;
    return d;
}
gtr_tensor *gtr_conv2d(gtr_tensor *x, const char *name, int64_t out, int kernel, int stride, int padding) {
    return gtr__conv_layer(x, name, gtr__conv_desc(out, kernel, stride, padding), false, "conv2d");
}
gtr_tensor *gtr_conv1d(gtr_tensor *x, const char *name, int64_t out, int kernel, int stride, int padding) {
    return gtr__conv_layer(x, name, gtr__conv_desc(out, kernel, stride, padding), false, "conv1d");
}
gtr_tensor *gtr_conv2d_ex(gtr_tensor *x, const char *name, gtr_conv_desc d) {
    return gtr__conv_layer(x, name, d, false, "conv2d");
}
gtr_tensor *gtr_conv2d_with(gtr_tensor *x, gtr_tensor *weight, gtr_tensor *bias, gtr_conv_desc desc) {
    return gtr__conv_new(x, weight, bias, desc, false, "conv2d", NULL);
}
gtr_tensor *gtr_conv_transpose2d(gtr_tensor *x, const char *name, int64_t out, int kernel, int stride, int padding) {
    return gtr__conv_layer(x, name, gtr__conv_desc(out, kernel, stride, padding), true, "conv_transpose2d");
}
gtr_tensor *gtr_conv_transpose2d_ex(gtr_tensor *x, const char *name, gtr_conv_desc d) {
    return gtr__conv_layer(x, name, d, true, "conv_transpose2d");
}
gtr_tensor *gtr_conv_transpose2d_with(gtr_tensor *x, gtr_tensor *weight, gtr_tensor *bias, gtr_conv_desc desc) {
    return gtr__conv_new(x, weight, bias, desc, true, "conv_transpose2d", NULL);
}
gtr_tensor *gtr_batch_norm_ex(gtr_tensor *x, const char *name, gtr_batch_norm_desc desc) {
    gtr__attr at = GTR__ZERO;
    static const char *const parts[] = { "weight", "bias", "running_mean", "running_var", "num_batches_tracked" };
    gtr_tensor *in[6], *t;
    if (!gtr__layer_name(x, name, "batch_norm")) return NULL;
    if (x->dtype != GTR_F32 || x->shape.ndim < 2 || x->shape.dim[1] < 1 || !(desc.eps >= 0)
        || !(desc.momentum >= 0 && desc.momentum <= 1) || desc.eps > 1e30f)
        return GTR__REJECT(x, SHAPE, "batch_norm", name, ", eps %g and momentum %g, want float32 (N, C, ...), eps >= 0 "
            "and momentum in 0 to 1", desc.eps, desc.momentum);
    GTR__SINCE(x, NULL);
    gtr_shape c = gtr_shape1(x->shape.dim[1]);
    in[0] = t = x;
    for (int k = 1; t && k <= 5; k++) {
        const gtr_init init = gtr__init(k % 3 == 1 ? GTR_INIT_CONSTANT : GTR_INIT_ZERO, k % 3 == 1);
        t = in[k] = gtr__layer_part(x, name, parts[k - 1], k < 5 ? GTR_F32 : GTR_I64,
            k < 5 ? c : gtr_shape0(), init, k > 2);
    }
    at.f[0] = desc.eps > 0 ? desc.eps : 1e-5;
    at.f[1] = desc.momentum > 0 ? desc.momentum : 0.1;
    at.i[13] = desc.frozen;
    at.i[14] = GTR__OP_BN_COMMIT;
    at.i[15] = t ? t->id : 0;
    if (t) t = gtr__op_new(GTR__OP_BATCH_NORM, 5, in, &at, name);
    return gtr__whole(x, since, t);
}
gtr_tensor *gtr_batch_norm(gtr_tensor *x, const char *name) {
    gtr_batch_norm_desc d = GTR__ZERO;
    return gtr_batch_norm_ex(x, name, d);
}
static gtr_tensor *gtr__row_norm(gtr__op op, double eps, gtr_tensor *x, const char *name, int dims, bool bias) {
    gtr_shape k = gtr_shape0();
    if (!gtr__layer_name(x, name, gtr__row(op)->name)) return NULL;
    const int n = x->shape.ndim;
    if (dims < 0 || GTR__MAX(dims, 1) > n)
        return GTR__REJECT(x, SHAPE, gtr__row(op)->name, name, ", dims %d, want 1 to its %d", dims, n);
    for (int i = n - GTR__MAX(dims, 1); i < n; i++) k = gtr__shape_more(k, x->shape.dim[i]);
    return gtr__layer(op, eps, x, name, k, gtr__init(GTR_INIT_CONSTANT, 1), bias ? &k : NULL,
        gtr__init(GTR_INIT_ZERO, 0));
}
#define GTR__LAYER_NORM GTR__OP_LAYER_NORM, eps != 0 ? (double)eps : 1e-5, x
#define GTR__RMS_NORM GTR__OP_RMS_NORM, eps != 0 ? (double)eps : 1.0 / 8388608, x
gtr_tensor *gtr_layer_norm(gtr_tensor *x, const char *name, int dims, float eps) {
    return gtr__row_norm(GTR__LAYER_NORM, name, dims, true);
}
gtr_tensor *gtr_layer_norm_with(gtr_tensor *x, gtr_tensor *weight, gtr_tensor *bias, float eps) {
    return gtr__weighted(GTR__LAYER_NORM, weight, bias, NULL);
}
gtr_tensor *gtr_rms_norm(gtr_tensor *x, const char *name, int dims, float eps) {
    return gtr__row_norm(GTR__RMS_NORM, name, dims, false);
}
gtr_tensor *gtr_rms_norm_with(gtr_tensor *x, gtr_tensor *weight, float eps) {
    return gtr__weighted(GTR__RMS_NORM, weight, NULL, NULL);
}
static gtr_tensor *gtr__group_norm(gtr_tensor *x, gtr_tensor *w, gtr_tensor *b, int64_t groups, float eps,
        const char *name) {
    gtr__attr at = GTR__ZERO;
    gtr_tensor *const in[] = { x, w, b };
    if (!GTR__USABLE(x)) return NULL;
    at.i[0] = groups;
    at.f[0] = eps != 0 ? (double)eps : 1e-5;
    if (groups < 1 || !(at.f[0] >= 0) || !w != !b) return GTR__REJECT(x, ARG, gtr__kind_of(x->ctx,
        GTR__OP_GROUP_NORM), name, ", %lld groups, eps %g, %s weight and %s bias, want at least 1, at least 0, and "
        "both or neither", (long long)groups, (double)eps, w ? "a" : "no", b ? "a" : "no");
    return gtr__op_new(GTR__OP_GROUP_NORM, w ? 3 : 1, in, &at, name);
}
gtr_tensor *gtr_group_norm_with(gtr_tensor *x, gtr_tensor *weight, gtr_tensor *bias, int64_t groups, float eps) {
    return gtr__group_norm(x, weight, bias, groups, eps, NULL);
}
static gtr_tensor *gtr__group_norm_layer(gtr_tensor *x, const char *name, int64_t groups, float eps, const char *who) {
    if (!gtr__layer_name(x, name, who)) return NULL;
    if (x->dtype != GTR_F32 || x->shape.ndim < 2 || x->shape.dim[1] < 1)
        return GTR__REJECT(x, SHAPE, who, name, ", want float32 (N, C, ...)");
    GTR__SINCE(x, who);
    const gtr_shape c = gtr_shape1(x->shape.dim[1]);
    gtr_tensor *w = gtr__layer_part(x, name, "weight", GTR_F32, c, gtr__init(GTR_INIT_CONSTANT, 1), false),
        *b = w ? gtr__layer_part(x, name, "bias", GTR_F32, c, gtr__init(GTR_INIT_ZERO, 0), false) : NULL;
    return gtr__whole(x, since, b ? gtr__group_norm(x, w, b, groups, eps, name) : NULL);
}
gtr_tensor *gtr_group_norm(gtr_tensor *x, const char *name, int64_t groups, float eps) {
    return gtr__group_norm_layer(x, name, groups, eps, "group_norm");
}
gtr_tensor *gtr_instance_norm(gtr_tensor *x, const char *name, float eps) {
    if (!GTR__USABLE(x)) return NULL;
    const int64_t channels = x->shape.ndim > 2 ? x->shape.dim[1] : 0;
    if (channels < 1) return GTR__REJECT(x, SHAPE, "instance_norm", name, ", want (N, C, ...)");
    if (name) return gtr__group_norm_layer(x, name, channels, eps, "instance_norm");
    GTR__SINCE(x, "instance_norm");
    return gtr__whole(x, since, gtr__group_norm(x, NULL, NULL, channels, eps, NULL));
}
gtr_tensor *gtr_prelu_with(gtr_tensor *x, gtr_tensor *weight) {
    if (!gtr__all_there("prelu", x, weight, x)) return NULL;
    gtr_shape s = gtr_shape1(gtr__count(&weight->shape));
    char text[GTR__TEXT];
    if (s.dim[0] != 1 && (x->shape.ndim < 2 || x->shape.dim[1] != s.dim[0]))
        return GTR__REJECT(x, SHAPE, "prelu", NULL, " and weight %s, want (N, C, ...) and (C,), or (1,)",
            gtr__shape_text(&weight->shape, text));
    while (s.ndim + 1 < x->shape.ndim) s = gtr__shape_more(s, 1);
    GTR__SINCE(x, "prelu");
    return gtr__whole(x, since, gtr__op2(GTR__OP_RECTIFY, x, gtr_reshape(weight, s)));
}
gtr_tensor *gtr_prelu(gtr_tensor *x, const char *name, bool channels) {
    if (!gtr__layer_name(x, name, "prelu")) return NULL;
    if (x->dtype != GTR_F32 || (channels && (x->shape.ndim < 2 || x->shape.dim[1] < 1)))
        return GTR__REJECT(x, SHAPE, "prelu", name, ", want float32%s", channels ? " (N, C, ...) for channels" : "");
    GTR__SINCE(x, "prelu");
    const gtr_shape c = gtr_shape1(channels ? x->shape.dim[1] : 1);
    gtr_tensor *w = gtr__layer_part(x, name, "weight", GTR_F32, c, gtr__init(GTR_INIT_CONSTANT, 0.25), false);
    gtr_tensor *t = gtr_prelu_with(x, w);
    return gtr__whole(x, since, t);
}
/* Rows of b times all of W, which makes matrices (M, A) to multiply a's with. */
gtr_tensor *gtr_bilinear_with(gtr_tensor *a, gtr_tensor *b, gtr_tensor *weight, gtr_tensor *bias) {
    if (!gtr__all_there("bilinear", a, b, weight)) return NULL;
    const int64_t *w = weight->shape.dim;
    const int n = a->shape.ndim;
    gtr_shape to = a->shape, one = a->shape;
    char t3[3][GTR__TEXT];
    bool fits = n >= 1 && n <= 6 && weight->shape.ndim == 3 && w[1] == to.dim[n - 1] && b->shape.ndim == n
        && w[2] == b->shape.dim[n - 1] && (!bias || (bias->shape.ndim == 1 && bias->shape.dim[0] == w[0]));
    for (int k = 0; fits && k < n - 1; k++) fits = to.dim[k] == b->shape.dim[k];
    if (!fits) return GTR__REJECT(a, SHAPE, "bilinear", NULL, ", b %s, weight %s%s%s, want (..., A), (..., B), "
        "(M, A, B)%s", gtr__shape_text(&b->shape, t3[0]), gtr__shape_text(&weight->shape, t3[1]), bias ? ", bias " : "",
        bias ? gtr__shape_text(&bias->shape, t3[2]) : "", bias ? ", (M,)" : "");
    to.dim[n - 1] = w[0];
    to = gtr__shape_more(to, w[1]); one = gtr__shape_more(one, 1);
    GTR__SINCE(a, "bilinear");
    gtr_tensor *t = gtr_linear_with(b, gtr_reshape(weight, gtr_shape2(w[0] * w[1], w[2])), NULL);
    t = gtr_matmul(gtr_reshape(t, to), gtr_reshape(a, one));
    to.ndim--;
    t = gtr_reshape(t, to);
    return gtr__whole(a, since, bias ? gtr_add(t, bias) : t);
}
gtr_tensor *gtr_bilinear(gtr_tensor *a, gtr_tensor *b, const char *name, int64_t out) {
    if (!gtr__all_there("bilinear", a, b, a) || !gtr__layer_name(a, name, "bilinear")) return NULL;
    GTR__SINCE(a, "bilinear");
    const int n = a->shape.ndim, m = b->shape.ndim;
    const gtr_shape s = gtr_shape3(out, n ? a->shape.dim[n - 1] : 0, m ? b->shape.dim[m - 1] : 0);
    const gtr_init init = gtr__init(GTR_INIT_UNIFORM, 1 / sqrt((double)GTR__MAX(s.dim[1], 1)));
    gtr_tensor *w = gtr__layer_part(a, name, "weight", GTR_F32, s, init, false),
        *c = w ? gtr__layer_part(a, name, "bias", GTR_F32, gtr_shape1(out), init, false) : NULL,
        *t = c ? gtr_bilinear_with(a, b, w, c) : NULL;
    return gtr__whole(a, since, t);
}
/* Of three dimensions, what made t, element-wise ops aside: 1 an op of sequences (N, C, L), 0 a product; else -1. */
static int gtr__of_images(const gtr_tensor *t) {
    while (t->n_in && !(gtr__row(t->op)->flags & GTR__IMAGES) && gtr__row(t->op)->flags & GTR__EW) t = t->in[0];
    return gtr__row(t->op)->flags & GTR__IMAGES ? 1 : gtr__row(t->op)->cls == GTR__LOW ? 0 : -1;
}
gtr_tensor *gtr_residual(gtr_tensor *x, gtr_tensor *branch, const char *name) {
    char a[GTR__TEXT], b[GTR__TEXT];
    int64_t stride[4] = { 1 };
    gtr_linear_desc l = GTR__ZERO;
    gtr_conv_desc c = gtr__conv_desc(0, 1, 1, 0);
    if (!gtr__all_there("residual", x, branch, x) || !gtr__usable(x->ctx)) return NULL;
    const gtr_shape *s = &x->shape, *to = &branch->shape;
    const int n = s->ndim;
    int k = 0;
    while (k < n && s->dim[k] == to->dim[k]) k++; /* the first that differs */
    const int images = n == 3 && k == 2 ? gtr__of_images(branch) : n == 4;
    const bool same = k == n, row = k == n - 1 && !images;
    bool good = n == to->ndim && (same || (name && (row || (k && images >= 0 && (n == 3 || n == 4)))));
    for (k = 2; good && !same && !row && k < n; k++) {
        stride[k] = to->dim[k] > 0 ? (s->dim[k] - 1) / to->dim[k] + 1 : 0;
        good = stride[k] > 0 && stride[k] <= 1 << 20 && (s->dim[k] - 1) / stride[k] + 1 == to->dim[k];
    }
    if (!good) return GTR__NO(x, SHAPE, "residual \"%s%s\": got x %s and branch %s, want equal shapes or, with a name, "
        "another last dimension%s, or images (N, C, H, W) or (N, C, L) that a stride makes as large", x->ctx->scope,
        name ? name : "", gtr__shape_text(s, a), gtr__shape_text(to, b), n == 3 ? " of a product" : "");
    GTR__SINCE(x, NULL);
    l.no_bias = c.no_bias = true;
    l.out = row ? to->dim[n - 1] : 0; c.out = to->dim[1];
    c.stride = (int)stride[2]; c.stride_w = (int)stride[n > 3 ? 3 : 2];
    gtr_tensor *t = same ? x : row ? gtr_linear_ex(x, name, l) : gtr_conv2d_ex(x, name, c);
    x->ctx->builder = "residual";
    return gtr__whole(x, since, t ? gtr_add(t, branch) : NULL);
}

// >>loss-builders
static gtr_tensor *gtr__widen(gtr_tensor *x) { return gtr__op1(GTR__OP_WIDEN, x); }
/* Whether t (NULL: yes) is of this dtype and of shape to, or, with broadcast, broadcasts to it. */
static bool gtr__loss_fits(const char *op, gtr_context *ctx, const char *what, const gtr_tensor *t, gtr_dtype dtype,
        gtr_shape to, bool broadcast) {
    char got[GTR__TEXT], want[GTR__TEXT];
    if (!t) return true;
    const int n = t->shape.ndim;
    bool fits = t->dtype == dtype && (broadcast ? n <= to.ndim : n == to.ndim);
    for (int i = 1; i <= n && fits; i++)
        fits = t->shape.dim[n - i] == to.dim[to.ndim - i] || (broadcast && t->shape.dim[n - i] == 1);
    return fits || GTR__FAIL(ctx, SHAPE, "%s: got %s \"%s\" %s %s, want %s %s%s", op, what,
        gtr__label(t), gtr__dtype_names[t->dtype], gtr__shape_text(&t->shape, got), gtr__dtype_names[dtype],
        broadcast ? "broadcasting to " : "equal to ", gtr__shape_text(&to, want)) == GTR_OK;
}
/* Of terms t what a loss is. divisor: of the mean, instead of their number. */
static gtr_tensor *gtr__loss_end(gtr_tensor *t, gtr_tensor *weight, gtr_reduction how, gtr_tensor *divisor) {
    if (weight) t = gtr_mul(t, gtr__widen(weight));
    if (!t || how == GTR_REDUCE_NONE) return t;
    const gtr_shape *s = &t->shape;
    const bool per = how == GTR_REDUCE_BATCH_MEAN && s->ndim, batch = gtr__batch_axis(s) < s->ndim,
        sum = how == GTR_REDUCE_SUM || (per && s->dim[0] > 0);
    gtr_tensor *all = (sum || divisor ? gtr_sum : gtr_mean)(t, NULL, 0, false);
    if (per || (sum && batch))
        all = gtr_scale(all, !per ? 1 : sum ? 1 / (float)s->dim[0] : (float)gtr__shape_inner(s, 0), 0);
    if (all && sum && batch) all->attr.i[0] = 1; /* parts' sums are averaged by their shares */
    return divisor ? gtr_div(all, divisor) : all;
}
/* X(name, an op that is its plain form or 0, fields of its descriptor that not all losses read), of x and target t. */
#define GTR__LOSSES(X) X(mse, GTR__OP_MSE, "") X(bce_with_logits, GTR__OP_BCE_WITH_LOGITS, "pos_weight") X(l1, 0, "") \
    X(huber, 0, "delta") X(smooth_l1, 0, "beta") X(bce, 0, "") X(focal, 0, "pos_weight alpha gamma") \
    X(kl_div, 0, "log_target") X(poisson_nll, 0, "eps no_log_input full")
#define GTR__LOSS_ENUM(name, plain, reads) GTR__L_##name,
typedef enum { GTR__LOSSES(GTR__LOSS_ENUM) GTR__L_gaussian_nll, GTR__L_cosine_embedding } gtr__kind;
static float gtr__or(float v, float other) { return v != 0 ? v : other; }
static gtr_tensor *gtr__dot(gtr_tensor *a, gtr_tensor *b) {
    const int last = -1;
    return gtr_sum(gtr_mul(a, b), &last, 1, false);
}
#define GTR__LOG_2PI 1.8378770664f
/* Terms of x, target t and v, all in float32. */
static gtr_tensor *gtr__terms(gtr__kind kind, gtr_tensor *x, gtr_tensor *t, gtr_tensor *v, const gtr_loss_desc *d) {
    gtr_tensor *p = gtr_stop_gradient(x), *e = gtr_sub(x, t), *c, *y;
    const float k = gtr__or(kind == GTR__L_huber ? d->delta : d->beta, 1), alpha = gtr__or(d->alpha, 0.25f);
    if (!p || !e) return NULL;
    switch (kind) {
    case GTR__L_mse: return gtr_square(e);
    case GTR__L_huber: case GTR__L_smooth_l1: case GTR__L_l1:
        if (kind == GTR__L_l1 || k == GTR_ZERO) return gtr_abs(e);
        c = gtr_stop_gradient(gtr_clamp(e, -k, k)); /* its gradient is 0 */
        return gtr_mul(gtr_scale(c, kind == GTR__L_huber ? 1 : 1 / k, 0), gtr_sub(e, gtr_scale(c, 0.5f, 0)));
    case GTR__L_bce_with_logits: case GTR__L_focal:
        y = d->pos_weight ? gtr_mul(t, gtr__widen(d->pos_weight)) : t;
        y = gtr_add(gtr_mul(y, gtr_softplus(gtr_neg(x), 1)), gtr_mul(gtr_scale(t, -1, 1), gtr_softplus(x, 1)));
        if (kind == GTR__L_bce_with_logits) return y;
        c = gtr_add(gtr_mul(gtr_sigmoid(x), gtr_scale(t, -1, 1)), gtr_mul(gtr_sigmoid(gtr_neg(x)), t));
        if (d->gamma > GTR_ZERO && d->gamma < 1) c = gtr_clamp(c, 1e-30f, 1); /* its power's slope is finite */
        if (d->gamma != GTR_ZERO) y = gtr_mul(y, gtr_pow_scalar(c, gtr__or(d->gamma, 2)));
        return alpha < 0 ? y : gtr_mul(y, gtr_scale(t, 2 * alpha - 1, 1 - alpha));
    case GTR__L_bce: /* x's gradient is not that of the terms: it comes by x - p, which is 0, times it */
        c = gtr_clamp(gtr_mul(p, gtr_scale(p, -1, 1)), 1e-12f, 1);
        e = gtr_mul(gtr_sub(x, p), gtr_div(gtr_stop_gradient(e), c));
        y = gtr_clamp(gtr_log1p(gtr_neg(p)), -100, 0);
        return gtr_sub(e, gtr_add(y, gtr_mul(t, gtr_sub(gtr_clamp(gtr_log(p), -100, 0), y))));
    case GTR__L_kl_div:
        y = d->log_target ? t : gtr_log(gtr_clamp(t, 2e-38f, INFINITY));
        return gtr_mul(d->log_target ? gtr_exp(t) : t, gtr_sub(y, x));
    case GTR__L_poisson_nll:
        y = d->no_log_input ? gtr_log(gtr_scale(x, 1, gtr__or(d->eps, 1e-8f))) : x;
        y = gtr_sub(d->no_log_input ? x : gtr_exp(x), gtr_mul(t, y));
        if (!d->full) return y;
        c = gtr_clamp(t, 1, INFINITY);
        c = gtr_sub(gtr_mul(gtr_scale(c, 1, 0.5f), gtr_log(c)), gtr_scale(c, 1, -GTR__LOG_2PI / 2));
        return gtr_add(y, gtr_mul(c, gtr_greater(t, gtr_scale(t, 0, 1))));
    case GTR__L_gaussian_nll:
        c = gtr_stop_gradient(v);
        c = gtr_add(gtr_clamp(c, gtr__or(d->eps, 1e-6f), INFINITY), gtr_sub(v, c));
        return gtr_scale(gtr_add(gtr_log(c), gtr_div(gtr_square(e), c)), 0.5f, d->full ? GTR__LOG_2PI / 2 : 0);
    default:
        c = gtr_mul(gtr_scale(gtr__dot(x, x), 1, 1e-12f), gtr_scale(gtr__dot(t, t), 1, 1e-12f));
        c = gtr_div(gtr__dot(x, t), gtr_sqrt(c));
        y = gtr_mul(gtr_scale(v, -0.5f, 0.5f), gtr_relu(gtr_scale(c, 1, -d->margin)));
        return gtr_add(gtr_mul(gtr_scale(v, 0.5f, 0.5f), gtr_scale(c, -1, 1)), y);
    }
}
static bool gtr__loss_fields(const char *op, const char *reads, gtr_context *ctx, const gtr_loss_desc *d) {
    static const char *const name[] = { "alpha", "margin", "beta", "delta", "gamma", "eps", "pos_weight", "log_target",
        "no_log_input", "full" };
    const float field[] = { d->alpha, d->margin, d->beta, d->delta, d->gamma, d->eps, (float)(d->pos_weight != NULL),
        (float)d->log_target, (float)d->no_log_input, (float)d->full };
    for (int i = 0; i < 10; i++) {
        const bool read = strstr(reads, name[i]) != NULL;
        const float v = field[i], least = i < 2 ? -1 : GTR_ZERO, most = i < 2 ? 1 : 1e30f;
        if (v != 0 && !(read && v >= least && v <= most)) return GTR__BAD_ARG(ctx, "%s: %s is %g, want 0%s", op,
            name[i], (double)v, !read ? ": it is not read" : i < 2 ? " or -1 to 1" : " or 1e-38 to 1e30") == GTR_OK;
    }
    return (unsigned)d->reduction < 4 || GTR__BAD_ARG(ctx, "%s: reduction %d", op, (int)d->reduction) == GTR_OK;
}
static gtr_tensor *gtr__loss(gtr__kind kind, const char *op, int plain, const char *reads, gtr_tensor *x, gtr_tensor *t,
        gtr_tensor *v, gtr_loss_desc d) {
    if (!gtr__all_there(op, x, t, kind < GTR__L_gaussian_nll ? x : v)) return NULL;
    const bool rows = kind == GTR__L_cosine_embedding;
    gtr_shape to = x->shape;
    if (rows && to.ndim) to.ndim--;
#define GTR__FITS(what, t, to, broadcast) gtr__loss_fits(op, x->ctx, what, t, GTR_F32, to, broadcast)
    if (!gtr__loss_fields(op, reads, x->ctx, &d)
        || !GTR__FITS("x", x, x->shape, false) || !GTR__FITS("target", t, x->shape, false)
        || !GTR__FITS(rows ? "y" : "var", v, to, !rows) || !GTR__FITS("weight", d.weight, to, true)
        || !GTR__FITS("pos_weight", d.pos_weight, x->shape, true)) return NULL;
    if (plain && !d.reduction && !d.weight && !d.pos_weight) return gtr__op2((gtr__op)plain, x, t);
    GTR__SINCE(x, op);
    t = gtr__terms(kind, gtr__widen(x), gtr__widen(t), gtr__widen(v), &d);
    return gtr__whole(x, since, gtr__loss_end(t, d.weight, d.reduction, NULL));
}
#define GTR__X_T gtr_tensor *x, gtr_tensor *t
#define GTR__BOTH_FORMS(name, desc_t, parameters, made) \
    gtr_tensor *gtr_##name##_ex(parameters, desc_t desc) { return made; } \
    gtr_tensor *gtr_##name(parameters) { desc_t desc = GTR__ZERO; return made; }
#define GTR__LOSS_BUILDER(name, plain, reads) \
    GTR__BOTH_FORMS(name, gtr_loss_desc, GTR__X_T, gtr__loss(GTR__L_##name, #name, plain, reads, x, t, NULL, desc))
#define GTR__X_T_V GTR__X_T, gtr_tensor *v
#define GTR__LOSS_BUILDER3(name, reads) \
    GTR__BOTH_FORMS(name, gtr_loss_desc, GTR__X_T_V, gtr__loss(GTR__L_##name, #name, 0, reads, x, t, v, desc))
GTR__LOSSES(GTR__LOSS_BUILDER) GTR__LOSS_BUILDER3(gaussian_nll, "eps full")
GTR__LOSS_BUILDER3(cosine_embedding, "margin")
/* Of logits (N, C, ...) the shape (N, ...). */
static gtr_shape gtr__classless(gtr_shape s) {
    if (s.ndim > 1) memmove(s.dim + 1, s.dim + 2, (size_t)(--s.ndim - 1) * sizeof *s.dim);
    return s;
}
/* Logits of more than two dimensions and their labels as rows, (N ..., C) and (N ...) or (N ..., C): where channels lie
   last all of them are views. */
static bool gtr__as_rows(const char *op, gtr_tensor **x, gtr_tensor **labels, bool soft) {
    gtr_tensor **const in[2] = { x, labels };
    const int n = (*x)->shape.ndim;
    if (n < 3) return true;
    if (!soft && !gtr__loss_fits(op, (*x)->ctx, "labels", *labels, GTR_I32, gtr__classless((*x)->shape), false))
        return false;
    for (int i = 0; i < 2 && *in[i]; i++) {
        gtr_tensor *t = *in[i];
        int dims[GTR_MAX_DIMS];
        const int64_t classes = i && !soft ? 1 : t->shape.dim[1], rows = gtr__count(&t->shape) / classes;
        for (int k = 0; k < n; k++) dims[k] = gtr__turned(k, n, true);
        *in[i] = i && !soft ? gtr_reshape(t, gtr_shape1(rows)) : gtr_reshape(gtr_permute(t, dims),
            gtr_shape2(rows, classes));
    }
    return *x && *labels;
}
gtr_tensor *gtr_accuracy(gtr_tensor *logits, gtr_tensor *labels) {
    gtr_tensor *const from = logits;
    gtr__attr at = GTR__ZERO;
    at.i[0] = INT32_MIN; at.i[1] = -1;
    if (!gtr__all_there("accuracy", logits, labels, logits)) return NULL;
    GTR__SINCE(from, "accuracy");
    return gtr__whole(from, since, !gtr__as_rows("accuracy", &logits, &labels, false) ? NULL
        : gtr__op_of(GTR__OP_ACCURACY, logits, labels, &at, NULL));
}
/* cross_entropy, which is plain where it may be, or NLL: a x[label] + b. */
static gtr_tensor *gtr__of_labels(gtr__op op, gtr_tensor *x, gtr_tensor *labels, gtr__attr at, float a, float b) {
    at.f[0] = a; at.f[1] = b;
    gtr_tensor *t = gtr__op_of(op, x, labels, &at, NULL);
    if (!t) return NULL;
    t->limited = 1; t->has_ignore = true; t->ignore = (int32_t)at.i[0];
    return gtr__limit(t, x->shape.dim[x->shape.ndim - 1]);
}
static gtr_tensor *gtr__labelled(bool nll, gtr_tensor *x, gtr_tensor *labels, gtr_cross_entropy_desc d) {
    const char *const op = nll ? "nll" : "cross_entropy";
    gtr_tensor *const from = x;
    if (!gtr__all_there(op, x, labels, x)) return NULL;
    const gtr_shape shape = x->shape, terms = gtr__classless(shape), classes = gtr_shape1(shape.dim[1]);
    const bool soft = !nll && labels->dtype == GTR_F32 && labels->shape.ndim == shape.ndim && shape.ndim > 1;
    const float s = d.label_smoothing, share = shape.ndim > 1 ? -s / (float)shape.dim[1] : 0;
    const int last = -1;
    gtr__attr at = GTR__ZERO;
    at.i[0] = at.i[1] = d.ignore_zero ? 0 : d.ignore_index ? d.ignore_index : -100;
    if (!(s >= 0 && s <= !nll && (unsigned)d.reduction < 4)) return GTR__NO(x, ARG,
        "%s: label_smoothing is %g, want 0 to %d; reduction %d", op, s, !nll, (int)d.reduction);
    if (soft && !GTR__FITS("labels", labels, shape, false)) return NULL;
    GTR__SINCE(from, op);
    const gtr__op whole = nll ? GTR__OP_NLL : GTR__OP_CROSS_ENTROPY;
    gtr_tensor *t = !gtr__as_rows(op, &x, &labels, soft) ? NULL : soft ? x
        : gtr__of_labels(whole, x, labels, at, nll ? -1 : s, 0);
    if (!t || !(soft || nll || d.reduction || d.weight || d.sample_weight)) return gtr__whole(from, since, t);
    if (!soft) gtr__undo(x->ctx, t->id); /* it was for its checks */
    if (!GTR__FITS("weight", d.weight, classes, false) || !GTR__FITS("sample_weight", d.sample_weight, terms, false))
        return gtr__whole(from, since, NULL);
    gtr_tensor *w = gtr_stop_gradient(gtr__widen(d.weight));
    gtr_tensor *all = nll ? gtr__widen(x) : gtr_log_softmax(gtr__widen(x), 1);
    if (w) all = gtr_mul(all, w);
    if (soft) t = gtr__dot(all, gtr_scale(gtr__widen(labels), s - 1, share));
    else t = gtr__of_labels(GTR__OP_NLL, all, labels, at, s - 1, 0);
    gtr_tensor *one = soft ? t : gtr__leaf(labels->ctx, GTR__OP_CONSTANT, NULL, GTR_F32, classes, NULL,
        gtr__init(GTR_INIT_CONSTANT, 1), false), *by;
    by = one = soft ? t : gtr__of_labels(GTR__OP_NLL, one, labels, at, 1, 0);
    if (!soft && s > 0) t = gtr_add(t, gtr_mul(gtr_scale(gtr_sum(all, &last, 1, false), share, 0), one));
    if (!soft && w) by = gtr__of_labels(GTR__OP_NLL, w, labels, at, 1, 0);
    const bool divides = !soft && !d.reduction;
    if (divides && (by = gtr__op1(GTR__OP_DIVISOR, by)) != NULL) { by->layer = op; by->attr.i[2] = d.weight != NULL; }
    if (terms.ndim > 1) t = gtr_reshape(t, terms);
    t = one && by && (w || !d.weight) ? gtr__loss_end(t, d.sample_weight, d.reduction, divides ? by : NULL) : NULL;
    return gtr__whole(from, since, t);
}
GTR__BOTH_FORMS(cross_entropy, gtr_cross_entropy_desc, GTR__X_T, gtr__labelled(false, x, t, desc))
GTR__BOTH_FORMS(nll, gtr_cross_entropy_desc, GTR__X_T, gtr__labelled(true, x, t, desc))

// >>plan
/* From tensors to a list of nodes, by passes:
     record: tensors in the order they were built become nodes, once per micro-batch, with literal shapes; where an
       operand is wanted in another precision or on another stage, a cast or copy node comes in between
     tally: in front of that, labels that count are counted, of all micro-batches
     differentiate: backward nodes, from the loss to the parameters
     rematerialise: clones of forward nodes in front of the backward nodes that read them
     fuse: the fusion table
     alias: a gradient that an op only passes on shares its output's place; behind fuse, which moves nodes
     select: the backend's matchers
     order: streams, and the waits between them
     memory: workspace and offsets, by liveness under happens-before: in place of later gradients, or in the arena */
/* What a plan is for; compared as bytes: no gaps, and what is not used is 0 (gtr__recipe0). */
typedef struct {
    int64_t batch;
    gtr_trainer *trainer; /* NULL: evaluation */
    gtr_dataset *data; /* whose columns FEED reads, in the inputs' order; NULL: what gtr_set set */
    gtr_tensor *fetch[32]; /* kept for the caller */
    gtr_tensor *report[GTR__MAX_REPORT]; /* scalars that REPORT writes: loss, metric */
    int n_fetch, n_report, training, micro, streams;
    int feeds; /* FEED and REPORT nodes; predictors have none */
    int no_matchers, several; /* several: steps are queued many at a time */
    int set; /* the batch is a part of a set, evaluated part by part. 1: labels that count are
            those of the set; 2: these are counted, and no more */
    gtr_precision precision;
} gtr__recipe;
/* What the passes know of a value besides gtr__value. */
typedef struct {
    int form; /* the next of a value's forms, behind the one that its op made: gtr__form; -1 */
    int gradient; /* value; -1 */
    int gradient_root; /* a low copy's gradient goes to its master's value; -1 */
    int at; /* how many nodes there were when it was made: those do not read it */
    bool written, wants, stop; /* gradient: has a writer; is wanted; value: no gradient passes */
    bool summed; /* its part of a kept gradient is counted */
    bool own; /* an alias that a gradient is asked by, a variable of its own: gtr__pass_on */
    bool constant; float seed; /* its gradient is this (times the loss scale), as far as it is known, and not stored */
} gtr__extra;
/* Of a tensor: is recorded; no, a gtr__early has its values; was recorded ahead. */
enum { GTR__REACHED = 1, GTR__MADE = 2, GTR__SEEN = 4 };
/* Labels that are no input are made ahead of all micro-batches where they are counted, and not again. */
typedef struct { int64_t labels; int value[64]; } gtr__early; /* tensor id; by micro-batch */
typedef struct {
    gtr_context *ctx;
    gtr__plan *plan;
    const gtr__recipe *r;
    gtr__extra *extra; int64_t cap_extra;
    int *map; /* tensor id -> value in this micro-batch; -1 */
    int *shared; /* tensor id -> value of a leaf, the same in all */
    unsigned char *reach; /* tensor id -> GTR__REACHED... of what is being recorded */
    unsigned char *whole; /* of what all micro-batches record */
    int *tally; /* tensor id -> TALLY's value for it; -1 */
    gtr__early *early; int n_early; int64_t cap_early;
    int64_t row0, rows; /* of the micro-batch */
    int micro;
    gtr__phase phase;
    bool failed, ahead; /* ahead: of all micro-batches */
    bool alone; /* alone: gtr_gradient's own differentiation, which no trainer's buffer takes */
} gtr__build;
#define GTR__V(v) b->plan->value[v]
static const char *gtr__value_name(const gtr__plan *plan, int v) {
    const gtr__value *x = &plan->value[v];
    if (x->label) return (const char *)x->label;
    return x->tensor ? gtr__label(x->tensor) : "";
}
/* Predictors compute on one instance, whatever the stages. */
static int gtr__stage_of(const gtr__build *b, const gtr_tensor *t) { return b->r->feeds ? t->stage : 0; }
static int gtr__value_new(gtr__build *b, gtr_shape shape, gtr_dtype dtype, gtr_tensor *t) {
    gtr__plan *p = b->plan;
    if (b->failed || !GTR__GROW(b->ctx, p->value, p->n_value, p->cap_value)
            || !GTR__GROW(b->ctx, b->extra, p->n_value, b->cap_extra)) {
        b->failed = true; return -1;
    }
    gtr__value *v = &p->value[p->n_value];
    memset(v, 0, sizeof *v);
    v->shape = shape; v->dtype = v->storage = dtype; v->home = GTR__HOME_ARENA;
    v->alias = v->producer = v->gradient_of = -1;
    v->tensor = t;
    v->stage = t ? gtr__stage_of(b, t) : 0;
    v->micro = b->micro;
    gtr__extra *x = &b->extra[p->n_value];
    memset(x, 0, sizeof *x);
    x->form = x->gradient = x->gradient_root = -1;
    x->at = p->n_node;
    return p->n_value++;
}
/* A value of no tensor, in the other's shape, storage and stage, and called like it. */
static int gtr__value_like(gtr__build *b, int of, gtr_dtype dtype) {
    int v = gtr__value_new(b, GTR__V(of).shape, dtype, NULL);
    if (v < 0) return v;
    GTR__V(v).storage = GTR__V(of).storage;
    GTR__V(v).stage = GTR__V(of).stage;
    GTR__V(v).last = GTR__V(of).last;
    GTR__V(v).label = gtr__value_name(b->plan, of);
    return v;
}
static int gtr__alias_new(gtr__build *b, int of, gtr_shape shape, size_t offset) {
    const int v = gtr__value_like(b, of, GTR__V(of).dtype);
    if (v < 0) return v;
    gtr__value *x = &GTR__V(v);
    const gtr__value *o = &GTR__V(of);
    x->shape = shape; x->last = 0; x->tensor = o->tensor; x->label = o->label; x->gradient_of = o->gradient_of;
    x->home = GTR__HOME_ALIAS; x->alias = of; x->offset = offset;
    return v;
}
/* The same in the shape and layout of v. */
static int gtr__alias_like(gtr__build *b, int of, int v) {
    const int w = gtr__alias_new(b, of, GTR__V(v).shape, 0);
    if (w >= 0) GTR__V(w).last = GTR__V(v).last;
    return w;
}
static uint64_t gtr__low_bits(int n) { return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1; }
/* A node's operands, to be filled in; all are read, none is added to. False when out of memory. */
static bool gtr__operands(gtr__build *b, gtr__node *n, int n_in, int n_out) {
    n->in = GTR__NEW(b->ctx, int, n_in + n_out);
    if (!n->in) { b->failed = true; return false; }
    n->out = n->in + n_in;
    n->n_in = n_in; n->n_out = n_out;
    for (int i = 0; i < n_in + n_out; i++) n->in[i] = -1;
    n->reads = gtr__low_bits(n_in);
    n->adds = 0;
    return true;
}
/* A node at the end of the list, operands to be filled in. NULL when out of memory. */
static gtr__node *gtr__node_new(gtr__build *b, gtr__op op, gtr__dir dir, int n_in, int n_out) {
    gtr__plan *p = b->plan;
    if (b->failed || !GTR__GROW(b->ctx, p->node, p->n_node, p->cap_node)) {
        b->failed = true; return NULL;
    }
    gtr__node *n = &p->node[p->n_node];
    memset(n, 0, sizeof *n);
    n->op = op; n->dir = dir; n->phase = b->phase; n->micro = b->micro;
    n->training = b->r->training; n->row0 = b->row0; n->layer = "";
    if (!gtr__operands(b, n, n_in, n_out)) return NULL;
    p->n_node++;
    return n;
}
static gtr_shape gtr__literal(gtr_shape s, int64_t rows) {
    for (int i = 0; i < s.ndim; i++) if (s.dim[i] < 0) s.dim[i] = -s.dim[i] * rows;
    return s;
}
/* Shape s of n dimensions, those in front of it 1, with channels last; or, of such a shape, the logical one. */
static gtr_shape gtr__shape_turned(gtr_shape s, int n, bool last) {
    gtr_shape x = s, o = gtr_shape0();
    for (x.ndim = 0; x.ndim < n - s.ndim; x.ndim++) x.dim[x.ndim] = 1;
    for (int k = 0; k < s.ndim; k++) x.dim[x.ndim++] = s.dim[k];
    for (int k = 0; k < n; k++) o = gtr__shape_more(o, x.dim[gtr__turned(k, n, last)]);
    return o;
}
static gtr_shape gtr__shape_logical(const gtr__value *v) {
    return v->last ? gtr__shape_turned(v->shape, v->last, false) : v->shape;
}
static gtr_dtype gtr__low_dtype(gtr_precision p) {
    return p == GTR_MIXED_BF16 ? GTR_BF16 : p == GTR_MIXED_FP16 ? GTR_F16 : GTR_F32;
}

// >>pass:record
static int gtr__differentiate_for(gtr__build *b, gtr_tensor *gradient);
/* The form of v that lies on this stage in this storage and layout (gtr__value.last); -1: nobody has asked for it. */
static int gtr__form(const gtr__build *b, int v, int stage, gtr_dtype storage, int last) {
    while (v >= 0 && (GTR__V(v).stage != stage || GTR__V(v).storage != storage || GTR__V(v).last != last))
        v = b->extra[v].form;
    return v;
}
/* An input's form in low storage, if that is another one. */
static int gtr__fed_low(const gtr__build *b, int v) {
    const int w = gtr__form(b, v, GTR__V(v).stage, gtr__low_dtype(b->plan->precision), GTR__V(v).last);
    return w == v ? -1 : w;
}
/* Notes w as a form of v, whose gradient, where to_master, goes to v's. */
static int gtr__form_add(gtr__build *b, int v, int w, bool to_master) {
    if (w < 0) return w;
    if (to_master) b->extra[w].gradient_root = v;
    b->extra[w].form = b->extra[v].form;
    return b->extra[v].form = w;
}
/* Inputs without a batch are copied to their slot by gtr_set; the others are fed. */
static bool gtr__batched(const gtr_tensor *t) { return t->shape.ndim && t->shape.dim[0] < 0; }
/* The whole batch of an input, in its slot; low: the slot that FEED fills in low storage. */
static int gtr__input_value(gtr__build *b, gtr_tensor *t, bool low) {
    gtr_dtype storage = low ? gtr__low_dtype(b->plan->precision) : t->dtype;
    int v, whole = b->shared[t->id];
    gtr_shape s = gtr__literal(t->shape, b->r->batch);
    v = gtr__form(b, whole, gtr__stage_of(b, t), storage, 0);
    if (v < 0) {
        v = gtr__value_new(b, s, t->dtype, t);
        if (v < 0) return -1;
        GTR__V(v).home = GTR__HOME_INPUT;
        GTR__V(v).storage = storage;
        if (low) gtr__form_add(b, whole, v, true); else b->shared[t->id] = v;
    }
    whole = v;
    if (b->r->micro == 1 || !gtr__batched(t)) return whole;
    return gtr__alias_new(b, whole, gtr__literal(t->shape, b->rows),
        (size_t)(gtr__count(&s) / b->r->batch * b->row0) * gtr__dtype_size(storage));
}
static int gtr__leaf_value(gtr__build *b, gtr_tensor *t) {
    int v = b->shared[t->id];
    if (v >= 0) return v;
    v = gtr__value_new(b, t->last ? gtr__shape_turned(t->shape, t->shape.ndim, true) : t->shape, t->dtype, t);
    if (v < 0) return v;
    GTR__V(v).last = t->last ? t->shape.ndim : 0;
    GTR__V(v).home = t->buffer ? GTR__HOME_STATE : GTR__HOME_PARAMETER;
    return b->shared[t->id] = v;
}
static gtr__node *gtr__simple_node(gtr__build *b, gtr__op op, int from, int to, int region) {
    gtr__node *n = gtr__node_new(b, op, GTR__FWD, 1, 1);
    if (!n) return NULL;
    n->in[0] = from; n->out[0] = to;
    n->stage = GTR__V(to).stage; n->layer = gtr__value_name(b->plan, from); n->region = region;
    return n;
}
static void gtr__turn(gtr__attr *a, int n, bool last) {
    for (int k = 0; k < n; k++) a->i[k] = gtr__turned(k, n, last);
}
static int gtr__form_make(gtr__build *b, int head, gtr__op op, int v, int stage, gtr_dtype storage, int region) {
    const int w = gtr__value_like(b, v, GTR__V(v).dtype);
    if (w < 0) return w;
    GTR__V(w).stage = stage; GTR__V(w).storage = storage;
    gtr__form_add(b, head, w, false);
    return gtr__simple_node(b, op, v, w, region) ? w : -1;
}
/* The form of head, of which v is one, in the other layout: with channels last, of n dimensions, or 0, as it is
   logically. Where no two elements change places it is v in another shape. */
static int gtr__form_turned(gtr__build *b, int head, int v, int n, int region) {
    const gtr__value x = GTR__V(v);
    const gtr_shape s = gtr__shape_logical(&x), turned = gtr__shape_turned(s, n ? n : x.last, true);
    const int64_t channels = turned.dim[turned.ndim - 1];
    int w;
    if (channels == 1 || gtr__elements(&turned) == turned.dim[0] * channels)
        w = gtr__form_add(b, head, gtr__alias_new(b, v, n ? turned : s, 0), false);
    else {
        if (s.ndim < n) v = gtr__alias_new(b, v, gtr__shape_turned(turned, n, false), 0);
        w = v < 0 ? v : gtr__form_make(b, head, GTR__OP_PERMUTE, v, x.stage, x.storage, region);
        if (w >= 0) gtr__turn(&b->plan->node[b->plan->n_node - 1].attr, turned.ndim, n != 0);
    }
    if (w < 0) return w;
    GTR__V(w).shape = n ? turned : s; GTR__V(w).last = n;
    if (!n) GTR__V(w).tensor = x.tensor;
    return w;
}
/* An operand as an op wants it: on its stage, in its precision, with channels last of `last` dimensions, or 0. A
   conversion is a node, but of parameters, whose low copies the update writes, and of inputs, which FEED converts. */
static int gtr__operand(gtr__build *b, gtr_tensor *from, gtr__class cls, int stage, int last, int region) {
    const int head = b->map[from->id];
    const gtr_dtype low = gtr__low_dtype(b->plan->precision);
    if (head < 0) { b->failed = true; return -1; }
    const gtr__value made = GTR__V(head);
    const bool narrows = cls == GTR__LOW && made.dtype == GTR_F32 && made.storage == GTR_F32;
    int v = gtr__form(b, head, stage, narrows ? low : made.storage, last), w;
    if (v >= 0) return v;
    if (last != made.last) {
        v = gtr__operand(b, from, cls, stage, last ? 0 : made.last, region);
        return v < 0 ? v : gtr__form_turned(b, head, v, last, region);
    }
    v = gtr__form(b, head, stage, made.storage, last);
    if (v < 0) v = gtr__form_make(b, head, GTR__OP_COPY, head, stage, made.storage, region);
    if (v < 0 || !narrows || low == GTR_F32) return v;
    w = gtr__root(b->plan, v);
    if (GTR__V(w).home == GTR__HOME_INPUT && GTR__V(w).stage == stage && gtr__batched(GTR__V(w).tensor)) {
        w = gtr__input_value(b, GTR__V(w).tensor, true);
        if (w >= 0 && from->op != GTR__OP_INPUT) w = gtr__alias_like(b, w, v);
        return gtr__form(b, head, stage, low, last) == w ? w : gtr__form_add(b, head, w, true);
    }
    if (GTR__V(v).home != GTR__HOME_PARAMETER) return gtr__form_make(b, head, GTR__OP_CAST, v, stage, low, region);
    w = gtr__value_like(b, v, GTR_F32);
    if (w < 0) return -1;
    GTR__V(w).storage = low;
    GTR__V(w).home = GTR__HOME_LOW;
    GTR__V(w).tensor = GTR__V(v).tensor;
    return gtr__form_add(b, head, w, true);
}
static int gtr__widened(gtr__build *b, const gtr_tensor *from, int v, int region) {
    const int head = b->map[from->id], stage = GTR__V(v).stage,
        old = gtr__form(b, head, stage, GTR_F32, GTR__V(v).last);
    if (old >= 0 || GTR__V(v).dtype != GTR_F32) return old >= 0 ? old : v;
    return gtr__form_make(b, head, GTR__OP_CAST, v, stage, GTR_F32, region);
}
static bool gtr__among(gtr_tensor *const *list, int n, const gtr_tensor *t) {
    for (int i = 0; i < n; i++) if (list[i] == t) return true;
    return false;
}
/* dst (+)= factor * src: the backward of SCALE, which every backend has with addition. */
static void gtr__accumulate(gtr__build *b, int dst, int src, double factor, bool add) {
    gtr__node *n = gtr__node_new(b, GTR__OP_SCALE, GTR__BWD, 3, 1);
    if (!n) return;
    n->in[0] = n->in[1] = n->in[2] = src; n->reads = 4; n->out[0] = dst; n->adds = add;
    n->attr.f[0] = factor;
    n->stage = GTR__V(dst).stage;
    n->layer = gtr__value_name(b->plan, dst);
    n->flops = (double)gtr__count(&GTR__V(src).shape);
}
static bool gtr__reported(const gtr__build *b, gtr_tensor *t) {
    for (int i = 0; i < b->r->n_report; i++) if (gtr__stored_as(b->r->report[i]) == gtr__stored_as(t)) return true;
    return false;
}
static bool gtr__fetched(const gtr__build *b, gtr_tensor *t) {
    return t->keep || gtr__reported(b, t) || gtr__among(b->r->fetch, b->r->n_fetch, t);
}
/* Whether micro-batches' values one behind the other are the whole batch's. */
static bool gtr__joined(const gtr_tensor *t) { return gtr__batched(t) && t->runs == 1; }
/* A fetched value has a buffer of its tensor's. Micro-batches lie in it one behind the other if that joins them; else
   the last one does. Of a gradient it is the sum of their parts, of a report the mean. */
static void gtr__keep_value(gtr__build *b, int v, gtr_tensor *t) {
    v = gtr__root(b->plan, v);
    gtr__value *x = &GTR__V(v);
    if (x->home != GTR__HOME_ARENA || !x->tensor) return;
    if (b->r->micro > 1 && gtr__reported(b, t)) return;
    if (b->r->micro == 1 || gtr__joined(x->tensor)) {
        x->home = GTR__HOME_KEPT;
        if (b->row0) x->offset = (size_t)(gtr__count(&x->shape) / b->rows * b->row0) * gtr__dtype_size(x->storage);
    } else if (x->tensor->op == GTR__OP_GRADIENT && gtr__count(&x->tensor->shape) > 0) {
        int *sum = &b->shared[x->tensor->id];
        const bool first = *sum < 0;
        if (b->extra[v].summed) return;
        b->extra[v].summed = true;
        if (first) *sum = gtr__value_new(b, x->tensor->shape, GTR_F32, x->tensor);
        if (*sum < 0) return;
        GTR__V(*sum).home = GTR__HOME_KEPT;
        b->phase = GTR__BACKWARD;
        gtr__accumulate(b, *sum, v, 1, !first);
        b->phase = GTR__FORWARD;
    } else if (b->micro == b->r->micro - 1) x->home = GTR__HOME_KEPT;
}
/* Where the rows of a random op's micro-batch lie in the whole batch, so that it draws for each what it would there. */
static void gtr__place_rows(const gtr__build *b, const gtr_tensor *t, gtr__node *n) {
    const int at = gtr__batch_axis(&t->shape);
    n->attr.i[5] = -t->shape.dim[0];
    if (b->r->micro == 1 || at == t->shape.ndim) return;
    const int64_t k = -t->shape.dim[at], runs = GTR__MAX(t->runs, 1);
    const int64_t unit = k / runs * (at ? gtr__shape_inner(&t->shape, at) : 1);
    if (at == 0 && runs == 1) { n->row0 = k * b->row0; return; }
    n->row0 = 0;
    n->attr.i[1] = unit * b->rows; n->attr.i[2] = unit * b->r->batch; n->attr.i[3] = unit * b->row0;
}
/* Recorded ahead, and again or before: a batch's statistics are committed once. */
static bool gtr__again(const gtr__build *b, const gtr_tensor *t) {
    return b->ahead && ((b->whole[t->id] & (GTR__REACHED | GTR__MADE)) == GTR__REACHED || b->whole[t->id] & GTR__SEEN);
}
/* Element by element, or another view of them. */
static bool gtr__flat(const gtr__op_row *row) { return (row->flags & (GTR__ALIAS | GTR__EW | GTR__DROPS)) != 0; }
/* How many dimensions t's operands, and, kept, its outputs, have with channels last; 0: as they are logically. Ops of
   images want it; element-wise ones, and those that go along an axis, follow what they read. attr's axes follow. */
static int gtr__layout(const gtr__build *b, const gtr_tensor *t, gtr__attr *attr, bool *kept) {
    const gtr__op_row *row = gtr__row(t->op);
    const int n = t->in[0]->shape.ndim;
    const bool sums = row->flags & GTR__SPREADS, axial = row->flags & GTR__AXIAL,
        flat = gtr__flat(row) && (!(row->flags & GTR__ALIAS) || gtr__shape_equal(&t->shape, &t->in[0]->shape));
    *kept = true;
    if (row->flags & GTR__IMAGES) return n > 2 ? n : 0;
    if (!sums && !axial && !flat) return 0;
    bool any = false, fits = true;
    const int most = flat ? t->shape.ndim : n;
    for (int i = 0; i < t->n_in; i++) {
        const gtr_shape *s = &t->in[i]->shape;
        const int at = gtr__batch_axis(s);
        any |= GTR__V(b->map[t->in[i]->id]).last == most && s->ndim == most;
        fits &= at == s->ndim || (at == 0 && s->ndim == most);
    }
    if (!most || !any || !fits) return 0;
    int64_t mask = 0;
    if (axial) attr->i[0] = gtr__turned((int)attr->i[0], n, false);
    for (int k = 0; sums && k < n; k++) mask |= (t->attr.i[0] >> k & 1) << gtr__turned(k, n, false);
    if (!sums) return most;
    *kept = t->attr.i[1] != 0; /* else what is left must be in its order: no channels, or nothing but these behind N */
    if (!*kept && !(mask >> (n - 1) & 1) && (mask | 1 | (int64_t)1 << (n - 1)) != ((int64_t)1 << n) - 1) return 0;
    attr->i[0] = mask;
    return n;
}
/* A permutation from channels last, or of an input to them, is another view of what lies so: true. */
static bool gtr__record_turn(gtr__build *b, gtr_tensor *t) {
    gtr__attr turn = GTR__ZERO;
    const int n = t->shape.ndim;
    if (!(gtr__row(t->op)->flags & GTR__PERMUTES) || n < 3 || gtr__fetched(b, t)) return false;
    for (int k = 0; k < b->r->n_fetch; k++) if (gtr__stored_as(b->r->fetch[k]) == t) return false;
    const int made = GTR__V(b->map[t->in[0]->id]).last, last = made ? 0 : n;
    gtr__turn(&turn, n, made != 0);
    if (memcmp(turn.i, t->attr.i, (size_t)n * sizeof *turn.i) != 0) return false;
    if (!made && (n == 3 || gtr__stored_as(t->in[0])->op != GTR__OP_INPUT)) return false; /* others may be strides */
    int v = gtr__operand(b, t->in[0], GTR__NONE, gtr__stage_of(b, t), made, t->region);
    if (v >= 0 && (v = gtr__alias_new(b, v, GTR__V(v).shape, 0)) >= 0) GTR__V(v).last = last;
    b->map[t->id] = v;
    return true;
}
static bool gtr__record_shapes(gtr__build *b, gtr_tensor *t, gtr__shape_call *s) {
    char got[GTR__TEXT], want[GTR__TEXT], who[GTR__OP_TEXT];
    gtr_result r = gtr__shape_outputs(gtr__row(t->op), s);
    for (int i = 0; !r && i < GTR__MAX(s->n_out, 1); i++) { /* a custom op's function might say this, and then that */
        const gtr_tensor *o = gtr__output_of(b->ctx, t, i); /* or released */
        const gtr_shape was = o ? gtr__literal(o->shape, b->rows) : s->out[i];
        if (!gtr__shape_equal(&s->out[i], &was))
            r = gtr__shape_fail(s, GTR_ERR_USER, "its shape is %s, and was %s when it was built",
                    gtr__shape_text(&s->out[i], got), gtr__shape_text(&was, want));
    }
    if (!r) return true;
    gtr__fail(b->ctx, r, "%s, with a batch of %lld: %s", gtr__called(t, who), (long long)b->rows, s->why);
    b->failed = true;
    return false;
}
static void gtr__record_op(gtr__build *b, gtr_tensor *t) {
    if (gtr__record_turn(b, t)) return;
    const gtr__op_row *row = gtr__row(t->op);
    const int region = b->ahead ? 0 : t->region, tally = b->tally[t->id];
    gtr_dtype storage = GTR_F32;
    int operand[GTR__MAX_ARGS], i, first = -1;
    gtr__shape_call s = GTR__ZERO;
    gtr__attr attr = t->attr;
    bool any = false, kept;
    gtr__attr stored = attr;
    const int last = gtr__layout(b, t, &stored, &kept);
    if (row->flags & GTR__ALIAS) for (i = 0; i < GTR_MAX_DIMS; i++) if (attr.i[i] < 0) attr.i[i] = -attr.i[i] * b->rows;
    for (i = 0; i < t->n_in; i++) {
        const gtr_shape *as = &t->in[i]->shape;
        const int own = as->ndim == last || (gtr__flat(row) && gtr__count(as) != 1) ? last : 0;
        operand[i] = gtr__operand(b, t->in[i], row->cls, gtr__stage_of(b, t), own, region);
        if (operand[i] < 0) { b->failed = true; return; }
        s.in[i] = gtr__shape_logical(&GTR__V(operand[i]));
        s.in_dtype[i] = GTR__V(operand[i]).dtype;
        if (s.in_dtype[i] != GTR_F32) continue;
        if (GTR__V(operand[i]).storage != GTR_F32) { any = true; storage = GTR__V(operand[i]).storage; }
    }
    any &= row->cls == GTR__FOLLOW;
    for (int k = 0; k < 2 && any; k++) /* parameters decide nothing, nor does what products read, too */
        for (i = 0; i < t->n_in && any; i++) {
            if (s.in_dtype[i] != GTR_F32 || gtr__stored_as(t->in[i])->op == GTR__OP_PARAMETER) continue;
            const int v = gtr__form(b, b->map[t->in[i]->id], gtr__stage_of(b, t), storage, GTR__V(operand[i]).last);
            any = v >= 0;
            if (k) operand[i] = v;
        }
    s.attr = &attr; s.n_in = t->n_in;
    s.training = b->r->training && !(row->flags & GTR__MODE && attr.i[13]);
    if (!gtr__record_shapes(b, t, &s)) return;
    if (row->flags & GTR__ALIAS) {
        int v = row->cls == GTR__FULL ? gtr__widened(b, t->in[0], operand[0], region) : operand[0];
        v = v < 0 ? v : gtr__alias_new(b, v, last ? gtr__shape_turned(s.out[0], last, true) : s.out[0], 0);
        if (v < 0) return;
        GTR__V(v).last = last;
        b->extra[v].stop = row->n_diff == 0;
        b->map[t->id] = v;
        return;
    }
    if (row->cls == GTR__LOW) storage = gtr__low_dtype(b->plan->precision);
    else if (!any) storage = GTR_F32;
    const int n_out = s.n_out ? s.n_out : row->n_out;
    for (i = 0; i < n_out; i++) {
        const bool turns = last && kept && s.out[i].ndim == last;
        int v = gtr__value_new(b, turns ? gtr__shape_turned(s.out[i], last, true) : s.out[i], s.out_dtype[i], t);
        if (v < 0) return;
        GTR__V(v).last = turns ? last : 0;
        if (i == 0) first = v;
        if (s.out_dtype[i] == GTR_F32 && i < GTR__MAX(row->n_diff, 1)) GTR__V(v).storage = storage;
        GTR__V(v).stage = gtr__stage_of(b, t);
        if (i >= GTR__MAX(row->n_diff, 1)) GTR__V(v).tensor = NULL, GTR__V(v).label = gtr__label(t);
    }
    gtr__node *n = gtr__node_new(b, t->op, GTR__FWD, t->n_in + (tally >= 0), n_out);
    if (!n) return;
    GTR__COPY(n->in, operand, t->n_in);
    if (tally >= 0) n->in[t->n_in] = tally;
    for (i = 0; i < n_out; i++) n->out[i] = first + i;
    n->attr = stored; n->stage = gtr__stage_of(b, t); n->region = region;
    n->layer = t->layer ? t->layer : gtr__label(t); n->training = s.training;
    n->recomputed = gtr__again(b, t);
    if (row->flags & GTR__RANDOM) gtr__place_rows(b, t, n);
    if (gtr__step_of(t->op) == GTR__STEP_DRAW) n->reads = 0; /* but for the shape */
    if (row->flags & GTR__SCALES && attr.i[0])
        n->attr.f[0] *= (double)(b->r->set ? b->r->data->rows : b->r->batch) / (double)b->rows;
    n->flops = s.flops > 0 ? s.flops : (double)gtr__count(&s.out[0]);
    b->map[t->id] = first;
}
static void gtr__record_tensor(gtr__build *b, gtr_tensor *t) {
    int v = -1;
    if (t->op == GTR__OP_INPUT) v = gtr__input_value(b, t, false);
    else if (t->op == GTR__OP_PARAMETER || t->op == GTR__OP_CONSTANT) v = gtr__leaf_value(b, t);
    else if (t->op == GTR__OP_GRADIENT) v = gtr__differentiate_for(b, t);
    else if (t->op == GTR__OP_PART) { v = b->map[t->in[0]->id] + (int)t->attr.i[0]; GTR__V(v).tensor = t; }
    else { gtr__record_op(b, t); v = b->map[t->id]; }
    b->map[t->id] = v;
    if (v < 0) { b->failed = true; return; }
    if (!gtr__fetched(b, t) || gtr__again(b, t)) return;
    if (t->op > GTR__OP_CONSTANT && GTR__V(v).last) v = gtr__operand(b, t, GTR__NONE, GTR__V(v).stage, 0, 0);
    if (v >= 0) gtr__keep_value(b, v, t);
}
/* Marks what a tensor needs. Inputs come before what uses them, so one sweep from the end does. */
static void gtr__mark_reach(gtr_context *ctx, unsigned char *reach) {
    for (int64_t i = ctx->n_tensor - 1; i >= 0; i--)
        if ((reach[i] & (GTR__REACHED | GTR__MADE)) == GTR__REACHED)
            for (int k = 0; k < ctx->tensor[i]->n_in; k++) reach[ctx->tensor[i]->in[k]->id] |= GTR__REACHED;
}
static void gtr__reach(gtr__build *b, unsigned char *reach) {
    for (int k = 0; k < b->r->n_fetch; k++) reach[b->r->fetch[k]->id] |= GTR__REACHED;
    for (int k = 0; k < b->r->n_report; k++) reach[b->r->report[k]->id] |= GTR__REACHED;
    gtr__mark_reach(b->ctx, reach);
}
static void gtr__micro_begin(gtr__build *b, int m, int parts) {
    b->micro = m;
    b->row0 = b->r->batch * m / parts;
    b->rows = b->r->batch * (m + 1) / parts - b->row0;
}
/* No tensor has a value yet in this micro-batch, but those that were made ahead. */
static void gtr__micro_forget(gtr__build *b) {
    gtr__plan *plan = b->plan;
    for (int64_t i = 0; i < b->ctx->n_tensor; i++) b->map[i] = -1;
    for (int k = 0; k < b->n_early; k++) b->map[b->early[k].labels] = b->early[k].value[b->micro];
    for (int v = 0; v < plan->n_value; v++) {
        const gtr__home home = plan->value[v].home;
        if (home == GTR__HOME_ARENA || home == GTR__HOME_KEPT) b->extra[v].written = false;
        if (home != GTR__HOME_PARAMETER && home != GTR__HOME_STATE) continue;
        for (int *at = &b->extra[v].form; *at >= 0;) /* copies on other stages are made again */
            if (plan->value[*at].home == GTR__HOME_LOW) at = &b->extra[*at].form; else *at = b->extra[*at].form;
    }
}
static void gtr__record_reached(gtr__build *b) {
    for (int64_t i = 0; i < b->ctx->n_tensor && !b->failed; i++)
        if ((b->reach[i] & (GTR__REACHED | GTR__MADE)) == GTR__REACHED) gtr__record_tensor(b, b->ctx->tensor[i]);
}

// >>pass:tally
/* What divides by the labels that count divides, in a part of a step or set, by its share of those of the whole, so
   that the weighted sum over all parts is what the whole would give. So labels are counted ahead of all parts. */
#define GTR__RANGE(type) do { \
        const type *v = (const type *)(const void *)c->host; \
        type lo = v[0], hi = v[0]; \
        for (i = 1; i < n; i++) { lo = GTR__MIN(lo, v[i]); hi = GTR__MAX(hi, v[i]); } \
        c->least = lo; c->most = hi; \
    } while (0)
static void gtr__column_range(gtr__column *c, int64_t rows) {
    int64_t i, n = c->span ? c->span : rows * c->row;
    if (c->dtype == GTR_U8) GTR__RANGE(uint8_t);
    if (c->dtype == GTR_I32) GTR__RANGE(int32_t);
}
/* Fails with why and what, and lists both sides. */
static gtr_result gtr__data_fail(gtr_dataset *d, gtr_tensor *const *input, int n, const char *why, const char *what) {
    char text[512], shape[GTR__TEXT];
    size_t at = 0;
    for (int i = 0; i < d->n_columns + n && at < sizeof text; i++) {
        const gtr__column *c = i < d->n_columns ? &d->column[i] : NULL;
        const gtr_tensor *t = c ? NULL : input[i - d->n_columns];
        const char *name = c ? c->name : t->name;
        at += (size_t)snprintf(text + at, sizeof text - at, name ? "%s \"%s\" %s %s" : "%s -%s %s %s",
                !i ? "" : i == d->n_columns ? "; inputs" : ",", name ? name : "",
                gtr__shape_text(c ? &c->shape : &t->shape, shape),
                gtr__dtype_names[c ? c->dtype : t->dtype]);
    }
    return GTR__FAIL(d->ctx, SHAPE, "data set \"%s\": %s%s: %d columns%s", d->name, why, what, d->n_columns, text);
}
/* The column of each input: one with a name is that of the input of this name, the others are in order those of the
   others. */
static gtr_result gtr__data_match(gtr_dataset *d, gtr_tensor *const *input, int n, int *column) {
    int i, k;
    if (d->n_columns != n) return gtr__data_fail(d, input, n, "a column for each input is wanted", "");
    for (i = 0; i < n; i++) column[i] = -1;
    for (k = 0; k < n; k++) {
        const char *name = d->column[k].name;
        if (!name) continue;
        for (i = 0; i < n && (column[i] >= 0 || strcmp(input[i]->name, name)); i++) {}
        if (i == n) return gtr__data_fail(d, input, n, "there is no input for column ", name);
        column[i] = k;
    }
    for (i = k = 0; i < n; i++) {
        if (column[i] >= 0) continue;
        while (d->column[k].name) k++;
        column[i] = k++;
    }
    return GTR_OK;
}
static gtr_tensor *gtr__labels_of(const gtr_tensor *t) { return t->in[t->n_in - 1]; }
/* Whether t's divisor may differ between parts: not where labels have no batch, or come from a set's column in which
   all of them count. (A step's data may change, and its plan stay.) */
static bool gtr__tallies(const gtr__build *b, gtr_tensor *const *inputs, int n_inputs, const gtr_tensor *t) {
    gtr_dataset *d = b->r->data;
    int column[GTR__MAX_FEED];
    if (!(gtr__row(t->op)->flags & GTR__TALLIES) || !gtr__batched(gtr__labels_of(t))) return false;
    if (b->r->set && gtr__data_match(d, inputs, n_inputs, column)) return true;
    for (int i = 0; b->r->set && i < n_inputs; i++) {
        gtr__column *c = &d->column[column[i]];
        if (inputs[i] != gtr__stored_as(gtr__labels_of(t)) || gtr__is_float(c->dtype)) continue;
        if (c->least > c->most) gtr__column_range(c, d->rows);
        return t->attr.i[0] <= c->most && t->attr.i[1] >= c->least;
    }
    return true;
}
/* Counts t's labels: those of inputs in one pass over their slot, others where each micro-batch's are made. */
static void gtr__tally_labels(gtr__build *b, gtr_tensor *t) {
    gtr_tensor *labels = gtr__labels_of(t);
    const int64_t n = b->ctx->n_tensor;
    const int parts = gtr__stored_as(labels)->op == GTR__OP_INPUT ? 1 : b->r->micro, stage = gtr__stage_of(b, t);
    int m, e = 0;
    while (e < b->n_early && b->early[e].labels != labels->id) e++;
    GTR__CLEAR(b->reach, n);
    for (m = 0; m < b->n_early; m++) b->reach[b->early[m].labels] = GTR__MADE;
    b->reach[labels->id] |= GTR__REACHED;
    gtr__mark_reach(b->ctx, b->reach);
    if (parts > 1 && e == b->n_early) {
        b->failed = !GTR__GROW(b->ctx, b->early, b->n_early, b->cap_early);
        if (b->failed) return;
        memset(&b->early[b->n_early++], -1, sizeof *b->early);
        b->early[e].labels = labels->id;
    }
    for (m = 0; m < parts && !b->failed; m++) {
        gtr__micro_begin(b, m, parts);
        gtr__micro_forget(b);
        gtr__record_reached(b);
        if (parts > 1) b->early[e].value[m] = b->map[labels->id];
        const int v = b->failed ? -1 : gtr__operand(b, labels, GTR__NONE, stage, 0, 0);
        gtr__node *node = v < 0 ? NULL : gtr__node_new(b, GTR__OP_TALLY, GTR__FWD, 1, 1);
        if (!node) { b->failed = true; return; }
        node->in[0] = v; node->out[0] = b->tally[t->id];
        node->adds = m || b->r->set;
        node->attr = t->attr; node->stage = stage; node->layer = gtr__label(labels);
    }
    for (int64_t i = 0; i < n; i++) if (b->reach[i] & GTR__REACHED) b->whole[i] |= GTR__SEEN;
}
/* b->whole: what is needed, and then what is still to be recorded. */
static void gtr__pass_tally(gtr__build *b, gtr_tensor *const *inputs, int n_inputs) {
    const int64_t n = b->ctx->n_tensor;
    if (b->failed || (b->r->micro == 1 && !b->r->set)) return;
    for (int64_t i = 0; i < n && !b->failed; i++) {
        gtr_tensor *t = b->ctx->tensor[i];
        if (!(b->whole[i] & GTR__REACHED) || !gtr__tallies(b, inputs, n_inputs, t)) continue;
        const int v = b->tally[i] = gtr__value_new(b, gtr_shape1(2), GTR_I64, t);
        if (v >= 0 && b->r->set) GTR__V(v).home = GTR__HOME_TALLY;
        gtr_tensor *labels = gtr__labels_of(t);
        if (gtr__stored_as(labels)->op != GTR__OP_INPUT && b->r->micro > 1)
            b->whole[labels->id] |= GTR__MADE;
    }
    if (b->r->set == 1) return;
    for (int64_t i = 0; i < n; i++) b->whole[i] &= GTR__MADE;
    if (!b->r->set) gtr__reach(b, b->whole);
    b->reach = b->whole + n;
    b->ahead = true;
    for (int64_t i = 0; i < n && !b->failed; i++) if (b->tally[i] >= 0) gtr__tally_labels(b, b->ctx->tensor[i]);
    b->ahead = false;
    b->reach = b->whole;
}

// >>pass:differentiate
/* What v's gradient goes to: a low copy's master, what an alias is another shape of; -1: v has its own. */
static int gtr__gradient_to(const gtr__build *b, int v) {
    const gtr__value *x = &GTR__V(v);
    return b->extra[v].gradient_root >= 0 ? b->extra[v].gradient_root : x->home == GTR__HOME_ALIAS ? x->alias : -1;
}
/* The value that v's gradient belongs to. */
static int gtr__master(const gtr__build *b, int v) {
    while (!b->extra[v].own && gtr__gradient_to(b, v) >= 0) v = gtr__gradient_to(b, v);
    return v;
}
static bool gtr__fill(gtr__build *b, int v, double with) {
    gtr__node *n = v < 0 ? NULL : gtr__node_new(b, GTR__OP_FILL, GTR__FWD, 0, 1);
    if (!n) { b->failed = true; return false; }
    n->out[0] = v;
    n->attr.f[0] = with;
    n->stage = GTR__V(v).stage;
    return true;
}
/* The gradient of v, made if need be: of a parameter that is trained, in the trainer's buffer. A constant is stored. */
static int gtr__gradient_value(gtr__build *b, int v) {
    int root = gtr__master(b, v), g = b->extra[root].gradient;
    if (g < 0) {
        g = gtr__value_like(b, root, GTR_F32);
        if (g < 0) return -1;
        GTR__V(g).gradient_of = root;
        if (b->r->trainer && !b->alone && GTR__V(root).home == GTR__HOME_PARAMETER) {
            GTR__V(g).home = GTR__HOME_GRADIENT;
            GTR__V(g).tensor = GTR__V(root).tensor;
        }
        b->extra[root].gradient = g;
    }
    if (b->extra[root].constant) {
        b->extra[root].constant = false;
        if (!gtr__fill(b, g, b->extra[root].seed)) return -1;
        b->plan->node[b->plan->n_node - 1].attr.i[0] = b->r->trainer && !b->alone;
        b->plan->node[b->plan->n_node - 1].layer = gtr__value_name(b->plan, root);
        b->extra[root].written = true;
    }
    if (v == root || GTR__V(v).home != GTR__HOME_ALIAS) return g;
    return gtr__alias_like(b, g, v);
}
static bool gtr__stopped(const gtr__build *b, int v) {
    for (; v >= 0 && !b->extra[v].own; v = gtr__gradient_to(b, v)) if (b->extra[v].stop) return true;
    return false;
}
static bool gtr__has_gradient(const gtr__build *b, int v) {
    const gtr__extra *x = &b->extra[gtr__master(b, v)];
    return !gtr__stopped(b, v) && x->gradient >= 0 && x->written;
}
static bool gtr__wants(const gtr__build *b, int v) {
    return b->plan->value[v].dtype == GTR_F32 && !gtr__stopped(b, v) && b->extra[gtr__master(b, v)].wants;
}
static bool *gtr__written(gtr__build *b, int v) { return &b->extra[gtr__master(b, v)].written; }
/* All that reads alias v has given its part: v's gradient goes on to what v is another shape of, unless v stops it. */
static void gtr__pass_on(gtr__build *b, int v) {
    const int to = b->extra[v].own && b->extra[v].written && !b->extra[v].stop ? gtr__gradient_to(b, v) : -1;
    if (to < 0 || !gtr__wants(b, to)) return;
    int g = gtr__gradient_value(b, to);
    if (g >= 0) g = gtr__alias_like(b, g, v);
    if (g < 0) return;
    gtr__accumulate(b, g, b->extra[v].gradient, 1, *gtr__written(b, to));
    *gtr__written(b, to) = true;
}
/* One backward node of forward node f for its inputs in mask. */
static void gtr__backward_node(gtr__build *b, int f, uint64_t mask, float seed) {
    const gtr__node fn = b->plan->node[f]; /* a copy: the list moves */
    const gtr__op_row *row = gtr__row(fn.op);
    const int n_diff = GTR__MIN(row->n_diff, fn.n_out), n_forward = GTR__ALL(&fn);
    int k, extra_src[GTR__MAX_ARGS], extra_dst[GTR__MAX_ARGS], grads[GTR__MAX_ARGS], n_extra = 0;
    uint32_t needs = row->needs;
    uint64_t adds = 0;
    if (row->flags & GTR__CROSS) needs &= mask & 1 ? ~(uint32_t)GTR__X0 : (uint32_t)GTR__X0;
    for (k = 0; k < fn.n_in; k++) {
        grads[k] = -1;
        if (!(mask >> k & 1)) continue;
        const int g = grads[k] = gtr__gradient_value(b, fn.in[k]);
        bool again = false;
        if (g < 0) return;
        for (int j = 0; j < k; j++)
            again |= grads[j] >= 0 && gtr__root(b->plan, grads[j]) == gtr__root(b->plan, g);
        if (!again) { adds |= (uint64_t)*gtr__written(b, fn.in[k]) << k; continue; }
        /* the same tensor twice: the second into a value of its own, added behind */
        if ((grads[k] = gtr__value_like(b, g, GTR_F32)) < 0) return;
        extra_src[n_extra] = grads[k]; extra_dst[n_extra++] = g;
    }
    gtr__node *n = gtr__node_new(b, fn.op, GTR__BWD, n_forward + n_diff, fn.n_in);
    if (!n) return;
    GTR__COPY(n->in, fn.in, n_forward); /* out follows in */
    GTR__COPY(n->out, grads, fn.n_in);
    n->adds = adds;
    n->reads = (needs & 0xffff & gtr__low_bits(fn.n_in)) | (needs >> 16 & gtr__low_bits(fn.n_out)) << fn.n_in;
    for (k = 0; k < n_diff; k++) {
        const bool has = gtr__has_gradient(b, fn.out[k]); /* else: for its shape */
        n->in[n_forward + k] = has ? b->extra[gtr__root(b->plan, fn.out[k])].gradient : fn.out[k];
        n->reads |= (uint64_t)has << (n_forward + k);
    }
    n->attr = fn.attr; n->row0 = fn.row0; n->training = fn.training;
    n->stage = fn.op == GTR__OP_COPY ? GTR__V(fn.in[0]).stage : fn.stage;
    n->layer = fn.layer; n->seed = seed; n->flops = fn.flops;
    for (k = 0; k < fn.n_in; k++) if (mask >> k & 1) *gtr__written(b, fn.in[k]) = true;
    for (k = 0; k < n_extra; k++) gtr__accumulate(b, extra_dst[k], extra_src[k], 1, true);
}
static bool gtr__differentiable(const gtr__node *n) {
    if (n->dir != GTR__FWD || !gtr__row(n->op)->has_backward) return false;
    return n->op != GTR__OP_CUSTOM || ((const gtr_custom_desc *)n->attr.ptr)->backward;
}
/* Whether node i hands the constant that its output's gradient is on to its inputs in mask, and no node is needed: sums
   of losses, and factors of them. */
static bool gtr__hand_on(gtr__build *b, int i, uint64_t mask) {
    const gtr__node *n = &b->plan->node[i];
    const uint64_t flags = gtr__row(n->op)->flags;
    const int out = n->out[0];
    const float seed = flags & GTR__SCALES ? b->extra[out].seed * (float)n->attr.f[0] : b->extra[out].seed;
    if (b->alone || gtr__count(&GTR__V(out).shape) != 1) return false;
    for (int k = 0; k < n->n_in; k++) {
        const gtr__value *x = &GTR__V(n->in[k]);
        if (!(mask >> k & 1)) continue;
        if (!(flags & (k ? GTR__PASSES1 : GTR__PASSES0 | GTR__SCALES)) || gtr__count(&x->shape) != 1) return false;
        if (x->home != GTR__HOME_ARENA && x->home != GTR__HOME_KEPT) return false; /* a parameter's is stored */
        if (x->stage != n->stage || gtr__master(b, n->in[k]) != n->in[k] || b->extra[n->in[k]].written) return false;
    }
    for (int k = 0; k < n->n_in; k++) {
        gtr__extra *x = &b->extra[n->in[k]];
        if (!(mask >> k & 1)) continue;
        x->seed = x->constant ? x->seed + seed : seed;
        x->constant = true;
    }
    return true;
}
/* Backward nodes for forward nodes first to end - 1. extra[].wants of what is to be differentiated by is set. */
static void gtr__differentiate(gtr__build *b, int loss, float seed, int first, int end) {
    const bool asked = b->extra[gtr__master(b, loss)].wants; /* by the loss itself */
    int i, k, alias = b->alone ? b->plan->n_value - 1 : -1;
    if (gtr__stopped(b, loss)) return;
    for (i = first; i < end && !b->failed; i++) { /* what lies on a way from there to the loss */
        gtr__node *n = &b->plan->node[i];
        const gtr__op_row *row = gtr__row(n->op);
        bool any = false;
        if (!gtr__differentiable(n)) continue;
        for (k = 0; k < n->n_in; k++) any |= gtr__takes_gradient(row, k) && gtr__wants(b, n->in[k]);
        for (k = 0; k < GTR__MIN(row->n_diff, n->n_out); k++) if (any) b->extra[n->out[k]].wants = true;
    }
    loss = gtr__master(b, loss);
    if (!b->extra[loss].written) { b->extra[loss].constant = true; b->extra[loss].seed = seed; }
    /* stored where it is read by itself, or must not have the loss scale, which seeds have */
    if ((asked || (b->alone && b->r->trainer)) && gtr__gradient_value(b, loss) < 0) return;
    for (i = end - 1; i >= first && !b->failed; i--) {
        for (; alias >= 0 && b->extra[alias].at > i; alias--) gtr__pass_on(b, alias);
        const gtr__node *n = &b->plan->node[i];
        const gtr__op_row *row = gtr__row(n->op);
        const int n_diff = GTR__MIN(row->n_diff, n->n_out);
        const int constant = n_diff == 1 && b->extra[n->out[0]].constant ? n->out[0] : -1;
        uint64_t mask = 0;
        bool here = constant >= 0;
        if (!gtr__differentiable(n)) continue;
        for (k = 0; k < n_diff; k++) { /* of several a constant is stored */
            const int v = b->plan->node[i].out[k];
            if (n_diff > 1 && b->extra[v].constant && gtr__gradient_value(b, v) < 0) return;
            here |= gtr__has_gradient(b, v);
        }
        n = &b->plan->node[i];
        for (k = 0; k < n->n_in && here; k++) if (gtr__takes_gradient(row, k) && gtr__wants(b, n->in[k]))
            mask |= (uint64_t)1 << k;
        if (!mask) continue;
        if (constant >= 0 && gtr__hand_on(b, i, mask)) continue;
        if (constant >= 0 && !(row->flags & GTR__SEED) && gtr__gradient_value(b, constant) < 0) return;
        seed = constant >= 0 ? b->extra[constant].seed : 0;
        if (row->flags & GTR__JOINT) { gtr__backward_node(b, i, mask, seed); continue; }
        if (mask & ~(uint64_t)1) gtr__backward_node(b, i, mask & ~(uint64_t)1, seed); /* weights first */
        if (mask & 1) gtr__backward_node(b, i, 1, seed);
    }
    for (; alias >= 0 && !b->failed; alias--) gtr__pass_on(b, alias);
}
/* By what is wanted, of a micro-batch's loss. */
static void gtr__differentiate_micro(gtr__build *b, int loss, int first, int end) {
    b->phase = GTR__BACKWARD;
    gtr__differentiate(b, loss, (float)((double)b->rows / (double)b->r->batch), first, end);
}
/* gtr_gradient: here the backward nodes of its loss, by all tensors that gradients of it are asked for. What a
   trainer's differentiation knows of values is put aside meanwhile. */
static int gtr__differentiate_for(gtr__build *b, gtr_tensor *gradient) {
    gtr_tensor *loss = gradient->in[0];
    const gtr__phase phase = b->phase;
    const int n_kept = b->plan->n_value;
    if (b->map[gradient->id] >= 0) return b->map[gradient->id]; /* came with another of this loss */
    gtr__extra *kept = GTR__NEW(b->ctx, gtr__extra, n_kept);
    if (!kept) { b->failed = true; return -1; }
    GTR__COPY(kept, b->extra, n_kept);
    for (int k = 0; k < n_kept; k++) {
        b->extra[k].wants = b->extra[k].written = b->extra[k].constant = false;
        b->extra[k].gradient = -1;
    }
    for (int64_t i = 0; i < b->ctx->n_tensor; i++) {
        gtr_tensor *t = b->ctx->tensor[i];
        const int v = t->op == GTR__OP_GRADIENT && b->reach[i] && t->in[0] == loss ? b->map[t->in[1]->id] : -1;
        if (v >= 0) b->extra[v].wants = true, b->extra[v].own = GTR__V(v).home == GTR__HOME_ALIAS;
    }
    b->alone = true;
    gtr__differentiate_micro(b, b->map[loss->id], 0, b->plan->n_node);
    b->phase = phase;
    for (int64_t i = 0; i < b->ctx->n_tensor && !b->failed; i++) {
        gtr_tensor *t = b->ctx->tensor[i];
        if (!b->reach[i] || t->op != GTR__OP_GRADIENT || t->in[0] != loss || b->map[t->in[1]->id] < 0) continue;
        int v = b->map[t->in[1]->id];
        int g = gtr__gradient_value(b, v);
        if (g >= 0 && !gtr__has_gradient(b, v) && gtr__fill(b, g, 0)) *gtr__written(b, v) = true; /* no path */
        const int last = g < 0 ? 0 : GTR__V(g).last;
        if (g >= 0 && (last || GTR__V(gtr__root(b->plan, g)).tensor)) { /* asked for twice: a buffer for each */
            int w = gtr__value_new(b, gtr__shape_logical(&GTR__V(g)), GTR_F32, t);
            if (w >= 0) GTR__V(w).stage = GTR__V(g).stage;
            gtr__node *n = w < 0 ? NULL : gtr__simple_node(b, last ? GTR__OP_PERMUTE : GTR__OP_COPY, g, w, 0);
            if (n && last) gtr__turn(&n->attr, last, false);
            g = w;
        } else if (g >= 0) GTR__V(gtr__root(b->plan, g)).tensor = t;
        b->map[t->id] = g;
    }
    b->alone = false;
    for (int k = 0; k < n_kept; k++) {
        b->extra[k].wants = kept[k].wants; b->extra[k].written = kept[k].written;
        b->extra[k].gradient = kept[k].gradient; b->extra[k].constant = kept[k].constant; b->extra[k].own = false;
    }
    gtr__mfree(b->ctx, kept);
    return b->failed ? -1 : b->map[gradient->id];
}

// >>pass:rematerialise
/* What backward reads of a group (a region and micro-batch), and forward nodes elsewhere do not, is computed again by
   clones in front of the first that reads it. Masks and statistics come out the same, so the bits are the same. */
static int gtr__group(const gtr__build *b, const gtr__node *n) {
    return n->phase == GTR__FORWARD && n->region ? n->region * b->r->micro + n->micro : 0;
}
/* A clone of node i of group g: it reads clones of its group's values. */
static void gtr__clone_node(gtr__build *b, int i, int g, const int *owner, int *clone_of) {
    gtr__plan *p = b->plan;
    const gtr__node o = p->node[i];
    gtr__node *n = gtr__node_new(b, o.op, o.dir, o.n_in, o.n_out);
    if (!n) return;
    int *in = n->in, *out = n->out, k;
    *n = o;
    n->in = in; n->out = out; n->phase = GTR__BACKWARD; n->region = 0; n->recomputed = 1;
    b->micro = o.micro;
    for (k = 0; k < o.n_in && !b->failed; k++) {
        const int v = o.in[k], r = v < 0 ? -1 : gtr__root(p, v), c = r >= 0 && owner[r] == g ? clone_of[r] : -1;
        in[k] = c < 0 ? v : v == r ? c : gtr__alias_new(b, c, p->value[v].shape, 0);
    }
    for (k = 0; k < o.n_out && !b->failed; k++)
        clone_of[o.out[k]] = out[k] = gtr__value_like(b, o.out[k], p->value[o.out[k]].dtype);
}
static void gtr__pass_rematerialise(gtr__build *b) {
    gtr__plan *p = b->plan;
    const int n_old = p->n_node, n_value = p->n_value, groups = (b->ctx->n_regions + 1) * b->r->micro;
    enum { NONE, INSIDE, READ, CLONED }; /* need: of a group; read elsewhere in forward too; to be cloned */
    const size_t ints = (size_t)groups + 3 * (size_t)n_value + 2 * (size_t)n_old;
    int *at = GTR__NEW(b->ctx, int, ints), i, k, v;
    if (!at) { b->failed = true; return; }
    int *owner = at + groups, *need = owner + n_value, *clone_of = need + n_value;
    int *clones = clone_of + n_value, *anchor = clones + n_old; /* by node: how many come in front; of its clone */
    for (v = 0; v < n_value; v++) clone_of[v] = -1;
    for (i = 0; i < n_old; i++) at[gtr__group(b, &p->node[i])] = i; /* a group's last node, for the next loop */
    for (i = 0; i < n_old; i++) {
        const gtr__node *n = &p->node[i];
        const int g = gtr__group(b, n);
        for (k = 0; g && k < n->n_out; k++)
            if ((v = n->out[k]) >= 0) { owner[v] = g; need[v] = p->value[v].home == GTR__HOME_ARENA ? INSIDE : READ; }
        for (k = 0; k < n->n_in; k++) /* a gradient inside the region comes before what clones may read */
            if ((v = gtr__use(p, n, k)) >= 0 && owner[v] &&
                (n->phase == GTR__FORWARD ? owner[v] != g : i < at[owner[v]])) need[v] = READ;
    }
    for (i = n_old - 1; i >= 0; i--) {
        const gtr__node *n = &p->node[i];
        for (k = 0; n->phase == GTR__BACKWARD && k < n->n_in; k++)
            if ((v = gtr__use(p, n, k)) >= 0 && need[v] % 2 && owner[v] % b->r->micro == n->micro) {
                need[v] = CLONED;
                at[owner[v]] = i;
            }
    }
    for (i = n_old - 1; i >= 0; i--) { /* clones need their own inputs */
        const gtr__node *n = &p->node[i];
        const int g = gtr__group(b, n);
        anchor[i] = -1;
        for (k = 0; g && k < n->n_out; k++) if (n->out[k] >= 0 && need[n->out[k]] == CLONED) anchor[i] = at[g];
        if (anchor[i] < 0) continue;
        clones[anchor[i]]++;
        for (k = 0; k < n->n_in; k++)
            if (n->in[k] >= 0 && owner[v = gtr__root(p, n->in[k])] == g && need[v] == INSIDE) need[v] = CLONED;
    }
    for (i = 0; i < n_old && !b->failed; i++)
        if (anchor[i] >= 0) gtr__clone_node(b, i, gtr__group(b, &p->node[i]), owner, clone_of);
    for (i = 0; i < n_old && !b->failed; i++) /* backward reads the clones */
        for (k = 0; p->node[i].phase == GTR__BACKWARD && k < p->node[i].n_in && !b->failed; k++) {
            const int from = p->node[i].in[k], r = from < 0 ? -1 : gtr__root(p, from);
            if (r < 0 || r >= n_value || need[r] != CLONED || owner[r] % b->r->micro != p->node[i].micro) continue;
            p->node[i].in[k] = from == r ? clone_of[r] : gtr__alias_new(b, clone_of[r], p->value[from].shape, 0);
        }
    gtr__node *list = b->failed ? NULL : GTR__NEW(b->ctx, gtr__node, p->cap_node);
    b->failed = !list;
    for (i = k = 0; list && i < n_old; i++) {
        v = k; k += clones[i]; clones[i] = v;
        list[k++] = p->node[i];
    }
    for (i = 0, v = n_old; list && i < n_old; i++) if (anchor[i] >= 0) list[clones[anchor[i]]++] = p->node[v++];
    if (list) { gtr__mfree(b->ctx, p->node); p->node = list; }
    gtr__mfree(b->ctx, at);
}

// >>pass:fuse
typedef struct { gtr__build *b; int *readers, *writers, losses; } gtr__fuse; /* by root: nodes that read, write it */
#define GTR__FUSE_WINDOW 512 /* how far apart the two may stand: planning stays linear */
/* first (LINEAR: any product) is followed by second (COUNT: any of GTR__UNARY); make decides and makes the fused node
   in out */
typedef struct {
    const char *name;
    gtr__op first;
    gtr__dir first_dir;
    gtr__op second;
    gtr__dir second_dir;
    gtr__op fused;
    bool at_first, late; /* it takes the first one's place; it is of what no matcher took */
    bool (*make)(gtr__fuse *f, const gtr__node *a, const gtr__node *b, gtr__node *out);
} gtr__fusion;
#define GTR__MAKE(name) \
    static bool gtr__make_##name(gtr__fuse *f, const gtr__node *a, const gtr__node *b, gtr__node *out)
/* Makes out a's with room for more inputs, and b's output in the place of its first. */
static bool gtr__make_begin(gtr__fuse *f, const gtr__node *a, const gtr__node *b, int more, gtr__node *out) {
    if (!gtr__operands(f->b, out, a->n_in + more, a->n_out)) return false;
    GTR__COPY(out->in, a->in, a->n_in);
    GTR__COPY(out->out, a->out, a->n_out);
    out->out[0] = b->out[0];
    out->attr = a->attr;
    return true;
}
/* product, then activation: the value between is stored only if somebody else reads it */
GTR__MAKE(act) {
    int mid = a->out[0];
    if (b->in[0] != mid || !gtr__operands(f->b, out, a->n_in, 2)) return false;
    GTR__COPY(out->in, a->in, a->n_in);
    out->out[0] = b->out[0];
    out->out[1] = f->readers[mid] > 1 || f->b->plan->value[mid].home != GTR__HOME_ARENA ? mid : -1;
    memcpy(out->attr.f, b->attr.f, sizeof out->attr.f);
    out->attr.i[0] = b->op;
    out->attr.i[1] = a->op;
    return true;
}
/* a layer, with its activation or without, then what is added to it, which may be made later than the layer */
GTR__MAKE(residual) {
    gtr__value *v = f->b->plan->value;
    const int made = a->out[0], mid = v[made].stride[0] ? v[made].alias : made, k = b->in[0] == mid, add = b->in[k];
    if (b->in[!k] != mid || add == mid || a->attr.i[2] || f->readers[mid] != 1 || v[mid].home != GTR__HOME_ARENA
            || v[add].storage != v[b->out[0]].storage || !gtr__shape_equal(&v[add].shape, &v[mid].shape))
        return false;
    for (const gtr__node *n = a + 1; n <= b; n++) /* nobody up to b reads what the activation was applied to */
        for (int i = 0; i < n->n_in && n->op != GTR__OP_COUNT && a->n_out > 1 && a->out[1] >= 0; i++)
            if (gtr__use(f->b->plan, n, i) == gtr__root(f->b->plan, a->out[1])) return false;
    if (!gtr__make_begin(f, a, b, 1, out)) return false;
    out->in[a->n_in] = add;
    if (made != mid) { v[made].storage = v[add].storage; v[made].alias = b->out[0]; out->out[0] = made; } /* a view */
    if (a->n_out == 1) out->attr.i[0] = -1; /* no activation */
    out->attr.i[2] = 1;
    return true;
}
/* a norm or convolution, then an activation whose gradient does not read what it made; softmax of what is scaled, and
   its gradient */
GTR__MAKE(norm) {
    const gtr__value *v = f->b->plan->value;
    const gtr__node *act = gtr__row(b->op)->flags & GTR__EW ? b : a, *norm = act == a ? b : a;
    const int mid = a->out[0];
    if (b->in[b->n_in - 1] != mid || mid < 0 || a->adds || b->adds || f->readers[mid] != 1 || f->writers[mid] != 1
            || v[mid].home != GTR__HOME_ARENA || v[mid].storage != v[b->out[0]].storage
            || !gtr__make_begin(f, a, b, 0, out)) return false;
    out->reads = a->reads;
    out->attr = norm->attr;
    out->attr.i[gtr__row(norm->op)->flags & GTR__CROSS ? 10 : 1] = act->op;
    GTR__COPY(out->attr.f + (gtr__row(norm->op)->flags & GTR__COMMITS ? 2 : 0), act->attr.f, 2);
    return true;
}
/* Whether b alone reads what a makes, as its operand k, so that a may run in b's place and store what b does. */
static bool gtr__only_reader(const gtr__fuse *f, const gtr__node *a, const gtr__node *b, int k) {
    const gtr__value *v = f->b->plan->value;
    const int mid = a->out[0];
    if (b->in[k] != mid) return false;
    for (const gtr__node *n = a + 1; n < b; n++)
        if (n->op != GTR__OP_COUNT && gtr__nodes_depend(f->b->plan, a, n)) return false;
    return mid >= 0 && !a->adds && !b->adds && f->readers[mid] == 1 && f->writers[mid] == 1
        && v[mid].home == GTR__HOME_ARENA && v[mid].storage == v[b->out[0]].storage;
}
static const int gtr__conv_act = 10, gtr__conv_added = 12, gtr__bn_act = 1, gtr__bn_added = 2; /* places in attr.i */
/* a norm or convolution, then what is added to it, which may be made later */
GTR__MAKE(added) {
    const gtr__value *v = f->b->plan->value;
    const bool conv = gtr__row(a->op)->flags & GTR__CROSS;
    const int k = b->in[0] == a->out[0], add = b->in[k];
    if (add == a->out[0] || !gtr__only_reader(f, a, b, !k) || v[add].storage != v[b->out[0]].storage
            || !gtr__shape_equal(&v[add].shape, &v[b->out[0]].shape) || v[add].stride[0]
            || a->attr.i[conv ? gtr__conv_act : gtr__bn_act] || a->attr.i[conv ? gtr__conv_added : gtr__bn_added]
            || !gtr__make_begin(f, a, b, 1, out)) return false;
    out->in[a->n_in] = add;
    out->reads = a->reads | (uint64_t)1 << a->n_in;
    out->attr.i[conv ? gtr__conv_added : gtr__bn_added] = 1;
    out->training = a->training;
    return true;
}
/* a convolution, then batch_norm with its running statistics, whose figures nobody reads */
GTR__MAKE(affine) {
    const int own = b->n_in - 1;
    if (b->training || !gtr__only_reader(f, a, b, 0) || a->attr.i[gtr__conv_act] || a->attr.i[gtr__conv_added]
            || a->attr.i[11]) return false;
    for (int k = 1; k < b->n_out; k++) if (b->out[k] >= 0 && f->readers[b->out[k]]) return false;
    if (!gtr__make_begin(f, a, b, own, out)) return false;
    GTR__COPY(out->in + a->n_in, b->in + 1, own);
    out->attr.i[gtr__conv_act] = b->attr.i[gtr__bn_act]; out->attr.i[11] = 1;
    out->attr.i[gtr__conv_added] = b->attr.i[gtr__bn_added];
    out->attr.f[0] = b->attr.f[2]; out->attr.f[1] = b->attr.f[3]; out->attr.f[2] = b->attr.f[0];
    return true;
}
/* Whether of what a and earlier nodes made of a gradient b is the only one to read, behind a. */
static bool gtr__last_reader(const gtr__fuse *f, const gtr__node *a, const gtr__node *b) {
    const gtr__plan *p = f->b->plan;
    const int root = gtr__root(p, a->out[0]), dy = b->in[b->n_in - 1];
    int uses = 1;
    if (root != gtr__root(p, dy) || p->value[root].home != GTR__HOME_ARENA
            || !gtr__shape_equal(&p->value[dy].shape, &p->value[a->out[0]].shape)) return false;
    for (const gtr__node *n = a - GTR__MIN(a - p->node, GTR__FUSE_WINDOW); n <= a; n++)
        for (int k = 0; k < GTR__ALL(n) && n->op != GTR__OP_COUNT; k++) uses += gtr__use(p, n, k) == root;
    return uses == f->readers[root] + f->writers[root];
}
/* dx of a convolution, pool or upsample, or all that it adds to, then the gradient of the activation in front of it */
GTR__MAKE(image_dact) {
    const gtr__plan *p = f->b->plan;
    const int needs = (gtr__row(b->op)->needs & GTR__Y0) != 0, saved = b->in[needs], to = b->out[0], g = a->out[0],
        more = saved != a->in[0] || !gtr__bit(a->reads, 0), n_in = a->n_in + more;
    if (g < 0 || to < 0 || b->adds || !gtr__row(b->op)->needs || a->attr.i[gtr__conv_act] || !gtr__last_reader(f, a, b)
            || p->value[to].home == GTR__HOME_ALIAS || p->value[to].storage != p->value[g].storage) return false;
    for (const gtr__node *n = a + 1; n < b; n++) /* computed again, perhaps */
        for (int k = n->n_in; k < GTR__ALL(n) && n->op != GTR__OP_COUNT; k++)
            if (gtr__use(p, n, k) == gtr__root(p, saved)) return false;
    if (!gtr__make_begin(f, a, b, more + (a->adds != 0), out)) return false;
    if (more) out->in[a->n_in] = saved;
    if (a->adds) out->in[n_in] = g;
    out->reads = a->reads | (uint64_t)more << a->n_in | (uint64_t)(a->adds != 0) << n_in;
    out->attr.i[gtr__conv_act] = b->op; out->attr.i[gtr__conv_added] = a->adds != 0;
    out->attr.i[13] = p->value[g].storage;
    GTR__COPY(out->attr.f, b->attr.f, 2);
    return true;
}
/* a product's input gradient, then the gradient of the activation in front of it */
GTR__MAKE(dact) {
    int g = a->out[0], saved = gtr__row(b->op)->needs & GTR__Y0 ? b->in[1] : b->in[0];
    if (g < 0 || a->adds || b->adds || b->in[2] != g || f->readers[g] != 1 || f->writers[g] != 1
            || f->b->plan->value[g].home != GTR__HOME_ARENA)
        return false;
    if (f->b->plan->value[a->in[0]].shape.ndim < f->b->plan->value[a->in[1]].shape.ndim
            || a->attr.i[3]) return false; /* of a sum, or transposed */
    if (!gtr__row(b->op)->needs) return false; /* SCALE reads nothing: no saved operand to take */
    if (!gtr__operands(f->b, out, 3, 1)) return false;
    out->in[0] = a->in[a->n_in - 1]; out->in[1] = a->in[1]; out->in[2] = saved; out->out[0] = b->out[0];
    memcpy(out->attr.f, b->attr.f, sizeof out->attr.f);
    out->attr.i[0] = b->op; out->attr.i[4] = !a->attr.i[4];
    return true;
}
/* a loss and the gradient of its first input in one pass, when the loss's own gradient is a constant */
GTR__MAKE(loss) {
    const int n = a->n_in + a->n_out;
    if (b->adds || b->reads >> (b->n_in - 1) & 1 || b->out[0] < 0 || memcmp(a->in, b->in, (size_t)n * sizeof(int)) != 0)
        return false;
    for (int k = 1; k < b->n_out; k++) if (b->out[k] >= 0) return false;
    if (!gtr__operands(f->b, out, a->n_in, a->n_out + 1)) return false;
    GTR__COPY(out->in, a->in, n);
    out->in[n] = b->out[0];
    out->seed = b->seed;
    out->attr.i[2] = a->op; out->attr.i[3] = ++f->losses;
    return true;
}
#define GTR__FUSION(text, a, a_dir, b, b_dir, op, at_first, late, make) { \
    text, GTR__OP_##a, GTR__##a_dir, GTR__OP_##b, GTR__##b_dir, GTR__OP_##op, at_first, late, gtr__make_##make },
static const gtr__fusion gtr__fusions[] = {
    GTR__FUSION("product + activation", LINEAR, FWD, COUNT, FWD, LINEAR_ACT, 1, 0, act)
    GTR__FUSION("product dx + activation gradient", LINEAR, BWD, COUNT, BWD, LINEAR_DACT, 0, 0, dact)
    GTR__FUSION("cross_entropy forward + backward", CROSS_ENTROPY, FWD, CROSS_ENTROPY, BWD, XENT_STEP, 1, 0, loss)
    GTR__FUSION("product + residual", LINEAR, FWD, ADD, FWD, LINEAR_ACT, 0, 1, residual)
    GTR__FUSION("product + activation + residual", LINEAR_ACT, FWD, ADD, FWD, LINEAR_ACT, 0, 1, residual)
    GTR__FUSION("batch_norm + residual", BATCH_NORM, FWD, ADD, FWD, BATCH_NORM, 0, 1, added)
    GTR__FUSION("batch_norm + activation", BATCH_NORM, FWD, COUNT, FWD, BATCH_NORM, 1, 1, norm)
    GTR__FUSION("convolution + batch_norm", CONV, FWD, BATCH_NORM, FWD, CONV, 0, 1, affine)
    GTR__FUSION("convolution + residual", CONV, FWD, ADD, FWD, CONV, 0, 1, added)
    GTR__FUSION("convolution + activation", CONV, FWD, COUNT, FWD, CONV, 1, 1, norm)
    GTR__FUSION("convolution dx + activation gradient", CONV, BWD, COUNT, BWD, CONV, 1, 1, image_dact)
    GTR__FUSION("max_pool dx + activation gradient", MAX_POOL, BWD, COUNT, BWD, MAX_POOL, 1, 1, image_dact)
    GTR__FUSION("avg_pool dx + activation gradient", AVG_POOL, BWD, COUNT, BWD, AVG_POOL, 1, 1, image_dact)
    GTR__FUSION("upsample dx + activation gradient", UPSAMPLE, BWD, COUNT, BWD, UPSAMPLE, 1, 1, image_dact)
    GTR__FUSION("scale + softmax", SCALE, FWD, SOFTMAX, FWD, SOFTMAX, 1, 1, norm)
    GTR__FUSION("softmax + scale gradients", SOFTMAX, BWD, SCALE, BWD, SOFTMAX, 1, 1, norm)
    GTR__FUSION("mse forward + backward", MSE, FWD, MSE, BWD, PAIR_STEP, 1, 1, loss)
    GTR__FUSION("bce forward + backward", BCE_WITH_LOGITS, FWD, BCE_WITH_LOGITS, BWD, PAIR_STEP, 1, 1, loss)
};
/* layers and matmuls */
static bool gtr__multiplies(gtr__op op) {
    return op != GTR__OP_COUNT && !(~gtr__row(op)->flags & (GTR__VIEWS | GTR__CROSS));
}
static bool gtr__fits(const gtr__node *n, gtr__op op, gtr__dir dir) {
    return n->dir == dir && (op == GTR__OP_COUNT ? gtr__step_of(n->op) == GTR__STEP_UNARY
        : n->op == op || (gtr__multiplies(op) && gtr__multiplies(n->op)));
}
static void gtr__close_up(gtr__plan *p) {
    const int split = p->split;
    int i, k;
    for (i = k = 0; i < p->n_node; i++) {
        if (p->node[i].op == GTR__OP_COUNT) { p->split -= i < split; continue; }
        if (k != i) p->node[k] = p->node[i];
        k++;
    }
    p->n_node = k;
}
static void gtr__count_uses(const gtr__plan *p, int *readers, int *writers) {
    for (int i = 0; i < p->n_node; i++)
        for (int k = 0; k < GTR__ALL(&p->node[i]); k++) {
            const int v = gtr__use(p, &p->node[i], k);
            if (v >= 0) (k < p->node[i].n_in ? readers : writers)[v]++;
        }
}
static void gtr__pass_fuse(gtr__build *b, bool late) {
    gtr__plan *p = b->plan;
    gtr__fuse f = { b, GTR__NEW(b->ctx, int, 2 * p->n_value), NULL, 0 };
    if (!f.readers) { b->failed = true; return; }
    f.writers = f.readers + p->n_value;
    for (size_t row = 0; row < GTR__LENGTH(gtr__fusions); row++) {
        const gtr__fusion *u = &gtr__fusions[row];
        if (u->late != late || b->ctx->caps.unfused[u->fused]) continue;
        memset(f.readers, 0, 2 * (size_t)p->n_value * sizeof(int));
        gtr__count_uses(p, f.readers, f.writers);
        for (int i = 0; i < p->n_node; i++) {
            const gtr__node *a = &p->node[i];
            if (!gtr__fits(a, u->first, u->first_dir)) continue;
            for (int j = i + 1; j < p->n_node && j < i + GTR__FUSE_WINDOW; j++) {
                const gtr__node *c = &p->node[j];
                if (!gtr__fits(c, u->second, u->second_dir) || a->micro != c->micro || a->stage != c->stage
                        || a->recomputed != c->recomputed) continue;
                gtr__node fused = u->at_first ? *a : *c;
                fused.flops = a->flops + c->flops;
                if (!u->make(&f, a, c, &fused)) continue;
                fused.op = u->fused; fused.dir = u->fused == u->first ? u->first_dir : GTR__FWD; fused.fused = u->name;
                fused.layer = a->layer;
                gtr__mfree(b->ctx, a->in);
                gtr__mfree(b->ctx, c->in);
                p->node[u->at_first ? i : j] = fused;
                p->node[u->at_first ? j : i].op = GTR__OP_COUNT; /* its place is closed below */
                break;
            }
        }
        gtr__close_up(p);
    }
    gtr__mfree(b->ctx, f.readers);
}
// >>pass:alias
/* Of values that share a place: nodes that write it first, again for the first time, last, and read it last; operands
   that read it; operands that can be no views. */
typedef struct { int first, again, last, read, reads, rows; } gtr__uses;
/* Whether node i does nothing but copy value *from to all of value *to. */
static bool gtr__is_copy(const gtr__plan *p, int i, int *from, int *to) {
    const gtr__node *n = &p->node[i];
    const uint64_t flags = gtr__row(n->op)->flags;
    const int dy = n->n_in - 1;
    if (n->dir != GTR__BWD || n->adds || n->n_out != 2 || !(n->reads >> dy & 1)) return false;
    const int k = n->out[0] < 0;
    if (n->out[k] < 0 || (!k && n->out[1] >= 0) || !(flags & (k ? GTR__PASSES1 : GTR__PASSES0))) return false;
    *from = gtr__root(p, n->in[dy]);
    *to = gtr__root(p, n->out[k]);
    const gtr__value *x = &p->value[*from], *y = &p->value[*to];
    return gtr__count(&x->shape) == gtr__count(&y->shape) && x->storage == y->storage && x->stage == y->stage &&
           y->home == GTR__HOME_ARENA;
}
/* Whether a node takes operand k as a view, too: all of a stack of matrices. Sharing a weight, each is a product then:
   not of few rows, nor where more lies as the output does. */
static bool gtr__by_strides(const gtr__plan *p, const gtr__node *n, int k) {
    const gtr__value *v = p->value;
    const gtr_shape *s = &v[n->in[k]].shape;
    if (!(gtr__row(n->op)->flags & GTR__VIEWS) || gtr__root(p, n->in[k]) != n->in[k] || s->ndim < 3
            || s->ndim != v[n->in[0]].shape.ndim || (k >= n->n_in && n->adds >> (k - n->n_in) & 1)) return false;
    const bool alone = (n->n_out < 2 || n->out[1] < 0) && (n->n_in < 3 || v[n->in[2]].shape.ndim < 3);
    if (v[n->in[1]].shape.ndim > 2)
        return v[n->in[1]].shape.ndim == s->ndim && (k < 2 || n->dir == GTR__BWD || alone);
    if (n->dir == GTR__BWD) k = n->out[0] < 0 && n->out[1] < 0; /* a bias alone sums rows */
    return s->dim[s->ndim - 2] >= 16 && (!k || (n->dir == GTR__FWD && alone));
}
/* What permutation i makes (of x, y), or else what it permutes, becomes a view of the other, if nodes that take views
   are all that reads it, and all that writes it. What is permuted to be added the node before adds. */
static bool gtr__be_view(gtr__plan *p, gtr__node *n, int i, gtr__uses *uses) {
    const int x = n->in[n->dir == GTR__BWD ? n->n_in - 1 : 0], y = n->out[0];
    const int root[2] = { gtr__root(p, x), gtr__root(p, y) };
    gtr__value *a = &p->value[x], *b = &p->value[y];
    if (a->storage != b->storage || a->stage != b->stage || (!n->adds && uses[root[1]].first != i)) return false;
    for (int made = !n->adds; made >= 0; made--) {
        gtr__value *v = made ? b : a;
        const gtr_shape *memory = &(made ? a : b)->shape;
        gtr__uses *u = &uses[root[made]], *other = &uses[root[!made]];
        gtr__matrix m;
        if (v->home != GTR__HOME_ARENA || u->rows != 1 || u->again != INT_MAX || (n->adds && u->first != i - 1) ||
            (made ? other->last >= i && u->read - i > GTR__FUSE_WINDOW : u->reads != 1 ||
                p->value[root[1]].home != GTR__HOME_ARENA ||
                gtr__count(memory) != gtr__count(&p->value[root[1]].shape))) continue;
        bool kept = true; /* nobody writes or reads over others in a shared place */
        for (gtr__node *j = n; made && j <= p->node + u->read && other->last >= i; j++)
            for (int k = 0; k < j->n_out; k++) kept &= gtr__use(p, j, j->n_in + k) != root[0];
        for (int k = 0; n->adds && k < n[-1].n_in; k++) kept &= gtr__use(p, n - 1, k) != root[1];
        for (int k = 0; k < memory->ndim; k++) { /* y's dimension k is x's i[k]; backward the other way round */
            const int d = (int)n->attr.i[k], same = made == (n->dir == GTR__FWD);
            v->stride[same ? k : d] = gtr__shape_inner(memory, same ? d : k);
        }
        if (!kept || !gtr__matrix_of(&v->shape, v->stride, &m)) { memset(v->stride, 0, sizeof v->stride); continue; }
        v->home = GTR__HOME_ALIAS; v->alias = made ? x : y; v->offset = 0;
        other->rows++;
        if (made) { other->reads += u->reads; other->read = GTR__MAX(other->read, u->read); }
        else if (!n->adds) other->first = u->first;
        for (int k = 0; n->adds && k < n[-1].n_out; k++) n[-1].adds |= (uint64_t)(n[-1].out[k] == x) << k;
        return true;
    }
    return false;
}
/* A value that begins as a copy of another shares its place, unless one of them, or what shares it already, is written
   before the others are read for the last time, in the order of nodes: no later pass moves a reader behind a writer. */
static void gtr__pass_alias(gtr__build *b) {
    gtr__plan *p = b->plan;
    gtr__uses *uses = GTR__NEW(b->ctx, gtr__uses, p->n_value);
    int i, k, v, from, to;
    if (!uses) { b->failed = true; return; }
    for (v = 0; v < p->n_value; v++) { uses[v].first = uses[v].again = INT_MAX; uses[v].last = uses[v].read = -1; }
    for (i = 0; i < p->n_node; i++)
        for (k = 0; k < GTR__ALL(&p->node[i]); k++) {
            if ((v = gtr__use(p, &p->node[i], k)) < 0) continue;
            uses[v].rows += !gtr__by_strides(p, &p->node[i], k);
            if (k < p->node[i].n_in) { uses[v].read = i; uses[v].reads++; continue; }
            if (uses[v].last < 0) uses[v].first = i;
            else if (uses[v].again == INT_MAX && uses[v].last != i) uses[v].again = i;
            uses[v].last = i;
        }
    for (i = 0; i < p->n_node; i++) {
        if (gtr__row(p->node[i].op)->flags & GTR__PERMUTES && gtr__be_view(p, &p->node[i], i, uses)) {
            gtr__mfree(b->ctx, p->node[i].in);
            p->node[i].op = GTR__OP_COUNT;
            continue;
        }
        if (!gtr__is_copy(p, i, &from, &to) || uses[to].first != i) continue;
        gtr__uses *x = &uses[from], *y = &uses[to];
        const int again = x->last < i ? INT_MAX : x->again;
        if (again <= GTR__MAX(y->read, y->last) || y->again <= x->read) continue;
        const gtr__home home = p->value[from].home;
        if (home != GTR__HOME_ARENA && (home != GTR__HOME_KEPT || y->again != INT_MAX)) continue;
        x->again = GTR__MIN(again, y->again);
        x->last = GTR__MAX(x->last, y->last);
        x->read = GTR__MAX(x->read, y->read);
        x->reads += y->reads;
        x->rows += y->rows;
        p->value[to].home = GTR__HOME_ALIAS; p->value[to].alias = from; p->value[to].offset = 0;
        gtr__mfree(b->ctx, p->node[i].in);
        p->node[i].op = GTR__OP_COUNT;
    }
    gtr__close_up(p);
    gtr__mfree(b->ctx, uses);
}

// >>pass:select
static void gtr__node_clear(gtr_context *ctx, gtr__node *n) {
    if (n->op == GTR__OP_NETWORK && n->attr.ptr) {
        gtr__network *w = (gtr__network *)(uintptr_t)n->attr.ptr;
        for (int i = 0; i < w->n_node; i++) gtr__node_clear(ctx, &w->node[i]);
        gtr__mfree(ctx, w->node);
    }
    if (n->op == GTR__OP_NETWORK || n->op == GTR__OP_FEED) gtr__mfree(ctx, n->attr.ptr);
    gtr__mfree(ctx, n->in);
    gtr__mfree(ctx, n->call.in);
}
/* By value: nodes that use a root; its place among a network's operands, 0 between networks; the first of these in the
   same memory; and these operands, in order. */
typedef struct { int *uses, *place, *first, *operand; } gtr__packing;
/* The operands of nodes at to at + count - 1: what is only read, then what is written. Place is 2 and on. Returns how
   many, *n_in of them only read. */
static int gtr__list_operands(const gtr__plan *p, int at, int count, const gtr__packing *s, int *n_in) {
    const gtr__node *const begin = p->node + at, *const end = begin + count, *q;
    int k, v, n = 0;
    for (q = begin; q < end; q++) for (k = 0; k < q->n_out; k++) if (q->out[k] >= 0) s->place[q->out[k]] = 1;
    for (int made = 0; made < 2; made++) {
        for (q = begin; q < end; q++) for (k = made ? q->n_in : 0; k < q->n_in + made * q->n_out; k++)
            if ((v = q->in[k]) >= 0 && s->place[v] == made) { s->operand[n] = v; s->place[v] = 2 + n++; }
        if (!made) *n_in = n;
    }
    return n;
}
/* What nothing but this network's members use, as the plan numbers it, is not stored, unless they add to it. */
static void gtr__forget_inner(gtr__plan *p, const gtr__network *w, int *uses) {
    for (int back = 0; back < 2; back++) /* and then as before: other networks use it, too */
        for (const gtr__node *q = w->node; q < w->node + w->n_node; q++) for (int k = 0; k < GTR__ALL(q); k++) {
            const int v = gtr__use(p, q, k);
            if (v < 0 || (k >= q->n_in && gtr__bit(q->adds, k - q->n_in))) continue;
            uses[v] += back ? 1 : -1;
            if (!back && !uses[v] && p->value[v].home == GTR__HOME_ARENA) p->value[v].home = GTR__HOME_NONE;
        }
}
/* Nodes at to at + count - 1 become one, and behind it marks for gtr__close_up. False, and nothing changed, when it
   would have views, which no such kernel knows, or memory is out. */
static bool gtr__pack(gtr__build *b, int at, int count, int matcher, const gtr__packing *s) {
    gtr__plan *const p = b->plan;
    const gtr__matcher *by = &b->ctx->be->matchers[matcher];
    const size_t own = by->own_bytes;
    const int extra = own ? gtr__value_new(b, gtr_shape1((int64_t)(own / sizeof(gtr_float))), GTR_F32, NULL) : -1;
    int i, k, n_in = 0, n = gtr__list_operands(p, at, count, s, &n_in);
    gtr__node outer = GTR__ZERO, *q = p->node + at;
    bool views = false;
    for (i = 0; i < n; i++) views |= p->value[s->operand[i]].stride[0] != 0;
    if (extra >= 0) s->operand[n++] = extra;
    gtr__network *w = b->failed || views ? NULL
        : (gtr__network *)gtr__malloc(b->ctx, sizeof *w + (size_t)n * sizeof(int));
    const bool ok = w && (w->node = GTR__NEW(b->ctx, gtr__node, count)) && gtr__operands(b, &outer, n_in, n - n_in);
    if (ok) {
        if (extra >= 0) {
            p->value[extra].home = GTR__HOME_KEPT; p->value[extra].offset = p->carry;
            p->carry += gtr__rounded(own);
        }
        w->n_node = count;
        GTR__COPY(w->node, q, count);
        if (by->late && by->bare) {
            gtr__program_make(p, &w->program, w->node, count);
            gtr__forget_inner(p, w, s->uses);
        }
        for (i = 0; i < w->program.n.loads; i++) w->program.load[i] = s->place[w->program.load[i]] - 2;
        for (i = 0; i < w->program.n.steps; i++) w->program.step[i].out = s->place[w->program.step[i].out] - 2;
        w->root = (int *)(w + 1);
        for (i = n - 1; i >= 0; i--) s->first[gtr__root(p, s->operand[i])] = i;
        for (i = 0; i < n; i++) w->root[i] = s->first[gtr__root(p, s->operand[i])];
        GTR__COPY(outer.in, s->operand, n);
        outer.op = GTR__OP_NETWORK; outer.phase = q->phase; outer.training = q->training; outer.reads = 0;
        outer.layer = by->late ? q->layer : "network"; outer.fused = by->name; outer.own = by->late;
        outer.stage = q->stage; outer.micro = q->micro; outer.recomputed = q->recomputed;
        outer.attr.i[0] = matcher; outer.attr.ptr = w;
        GTR__CLEAR(q, count);
        for (i = 0; i < count; i++) q[i].op = GTR__OP_COUNT;
        for (q = w->node; q < w->node + count; q++) {
            for (k = 0; k < GTR__ALL(q); k++) if (q->in[k] >= 0) {
                const int v = q->in[k] = s->place[q->in[k]] - 2;
                if (k < q->n_in && gtr__bit(q->reads, k) && v < n_in) outer.reads |= (uint64_t)1 << GTR__MIN(v, 63);
            }
            outer.flops += q->flops;
            outer.bytes += q->bytes;
        }
        p->node[at] = outer;
    } else {
        if (w) gtr__mfree(b->ctx, w->node);
        gtr__mfree(b->ctx, w);
        b->failed |= !views;
    }
    for (i = 0; i < n; i++) s->place[s->operand[i]] = 0;
    return ok;
}
static void gtr__mark_own(gtr__plan *p, int at, int count, const gtr__matcher *m) {
    for (int i = 0; i < count && m->own; i++) {
        const int k = p->node[at + i].own = 1 + m->own(p, at, i);
        if (k && m->unstored) p->value[gtr__root(p, p->node[at + i].out[k - 1])].unstored = 1;
    }
}
static void gtr__pass_select(gtr__build *b, bool late) {
    gtr__plan *p = b->plan;
    const size_t room = (size_t)(p->n_value + p->n_node); /* a network may have a value of its own */
    int at, m, count, v, *ints = b->failed || b->r->no_matchers ? NULL : GTR__NEW(b->ctx, int, 4 * room);
    if (!ints) { b->failed |= !b->r->no_matchers; return; }
    const gtr__packing s = { ints, ints + room, ints + 2 * room, ints + 3 * room };
    if (late) gtr__count_uses(p, s.uses, s.uses);
    for (at = 0; at < p->n_node; at += count) {
        for (m = 0, count = 1; m < b->ctx->be->n_matchers && !b->failed; m++) {
            const gtr__matcher *by = &b->ctx->be->matchers[m];
            int n;
            if (by->late != late || (by->several && !b->r->several) || b->ctx->caps.without >> m & 1 ||
                (n = by->match(p, at, &b->ctx->caps)) <= 0) continue;
            gtr__mark_own(p, at, n, by);
            if (!gtr__pack(b, at, n, m, &s)) { /* no other matcher took nodes of this plan's right phases */
                for (v = 0; v < p->n_value; v++) GTR__V(v).unstored = 0;
                continue;
            }
            count = n;
            if (by->waits) p->waits = m + 1;
            if (count < p->n_node) break;
            p->steps = by->steps; p->ragged = by->ragged;
            for (v = 0; v < p->n_value && by->bare && !late; v++)
                if (GTR__V(v).home == GTR__HOME_ARENA) GTR__V(v).home = GTR__HOME_NONE;
            break;
        }
    }
    gtr__close_up(p);
    gtr__mfree(b->ctx, ints);
}

/* What is read of an input in low storage alone FEED does not store in float32, too, unless it is to be kept. */
static void gtr__trim_feeds(gtr__build *b) {
    gtr__plan *p = b->plan;
    for (int i = 0; i < p->n_node; i++)
        for (int j = 0; p->node[i].op == GTR__OP_FEED && j < p->node[i].n_out; j++) {
            const int v = p->node[i].out[j], low = gtr__fed_low(b, v);
            bool read = low < 0;
            for (int64_t t = 0; t < b->ctx->n_tensor && !read; t++) /* itself, or another shape of it */
                read = gtr__fetched(b, b->ctx->tensor[t]) && b->shared[gtr__stored_as(b->ctx->tensor[t])->id] == v;
            for (int n = 0; n < p->n_node && !read; n++) for (int k = 0; k < p->node[n].n_in; k++)
                read |= gtr__use(p, &p->node[n], k) == v;
            if (read) continue;
            p->node[i].out[j] = -1;
            p->value[v].home = GTR__HOME_NONE;
            p->value[low].only = 1;
        }
}

/* An input, output j of a FEED, that a permutation alone reads, which puts its channels last, is fed as that leaves it:
   in its slot it lies with channels last. True if it is so. */
static bool gtr__turn_feed(gtr__build *b, gtr__node *feed, int j) {
    gtr__plan *p = b->plan;
    gtr__feed_input *in = &((gtr__feed *)(uintptr_t)feed->attr.ptr)->input[j];
    const int v = feed->out[j];
    gtr_tensor *t = v < 0 ? NULL : GTR__V(v).tensor;
    gtr__node *reader = NULL;
    if (!t || t->dtype != GTR_F32 || t->shape.ndim < 3 || t->shape.dim[0] != GTR_BATCH || in->row > 1 << 30)
        return false;
    for (int64_t k = 0; k < b->ctx->n_tensor; k++) /* itself, or another shape of it */
        if (gtr__fetched(b, b->ctx->tensor[k]) && gtr__stored_as(b->ctx->tensor[k]) == t) return false;
    for (int i = 0; i < p->n_node; i++) for (int k = 0; k < p->node[i].n_in; k++) {
        if (gtr__use(p, &p->node[i], k) != v) continue;
        if (reader) return false;
        reader = &p->node[i];
    }
    if (!reader || !(gtr__row(reader->op)->flags & GTR__PERMUTES) || reader->dir != GTR__FWD || reader->in[0] != v)
        return false;
    gtr__value *y = &GTR__V(reader->out[0]);
    gtr__image *m = &in->image;
    const int64_t channels = t->shape.dim[1], h = t->shape.ndim == 4 ? t->shape.dim[2] : 1, w = in->row / channels / h;
    if (y->last != t->shape.ndim || y->home != GTR__HOME_ARENA || y->storage != GTR__V(v).storage || reader->adds)
        return false;
    const bool scaled = in->from == GTR_U8;
    if (!m->channels) gtr__image_whole(m, channels, h, w, scaled ? in->scale : 1, scaled ? in->shift : 0);
    else if (m->to_last || m->channels != channels || m->oh != h || m->ow != w) return false;
    m->to_last = 1;
    if (m->from_last && !m->varied) m->channels = 0;
    y->home = GTR__HOME_INPUT; y->tensor = t; y->only = GTR__V(v).only;
    GTR__V(v).home = GTR__HOME_NONE;
    feed->out[j] = reader->out[0];
    gtr__mfree(b->ctx, reader->in);
    reader->op = GTR__OP_COUNT;
    return true;
}
static void gtr__turn_feeds(gtr__build *b) {
    for (int i = 0; i < b->plan->n_node && b->r->micro == 1; i++)
        for (int j = 0; b->plan->node[i].op == GTR__OP_FEED && j < b->plan->node[i].n_out; j++)
            if (gtr__turn_feed(b, &b->plan->node[i], j)) gtr__close_up(b->plan);
}

// >>pass:order
/* Streams for the nodes of the left phases, by a list schedule: each goes, in the plan's order, where it can start
   first, by rough costs; gradients of parameters, which nothing but the update waits for, to the further streams, but
   the last ones to any. With parts or recomputation, whose values are to follow each other in memory, and beside
   networks only such gradients leave the first. Unless the user says how many: none in those cases, and never a node
   that fills the device by itself. */
#define GTR__HOP 1.5 /* microseconds that a wait for another stream costs */
typedef struct { double clock[GTR__MAX_LANES], *written, *read; int *lane; } gtr__schedule;
static double gtr__node_cost(const gtr__node *n) { return 2 + n->flops * 4e-8 + n->bytes * 1e-6; }
/* When a node could start on a stream: what it reads is written, and what it writes is read. */
static double gtr__start_on(const gtr__plan *p, const gtr__schedule *s, const gtr__node *n, int stream) {
    const int lane = n->stage * GTR__MAX_STREAMS + stream;
    double start = s->clock[lane];
    for (int k = 0; k < GTR__ALL(n); k++) {
        const int v = gtr__use(p, n, k);
        if (v < 0) continue;
        start = GTR__MAX(start, s->written[v] + (s->written[v] > 0 && s->lane[v] != lane ? GTR__HOP : 0));
        if (k >= n->n_in) start = GTR__MAX(start, s->read[v]);
    }
    return start;
}
static bool gtr__makes_gradients(const gtr__plan *p, const gtr__node *n) {
    bool all = n->phase == GTR__BACKWARD, writes = false;
    for (int k = 0; k < n->n_out; k++)
        if (n->out[k] >= 0) { writes = true; all &= p->value[gtr__root(p, n->out[k])].home == GTR__HOME_GRADIENT; }
    return all && writes;
}
static void gtr__assign_stream(gtr__plan *p, gtr__schedule *s, gtr__node *n, bool any, bool wide, bool last) {
    const bool side = !wide && n->leaf;
    int k, v, best = side && !last;
    double start = gtr__start_on(p, s, n, best);
    for (k = best + 1; k < p->n_stream && (side || (any && !wide)); k++) {
        const double then = gtr__start_on(p, s, n, k);
        if (then < start) { start = then; best = k; }
    }
    n->stream = best;
    start += gtr__node_cost(n);
    s->clock[n->stage * GTR__MAX_STREAMS + best] = start;
    for (k = 0; k < GTR__ALL(n); k++) {
        if ((v = gtr__use(p, n, k)) < 0) continue;
        if (k < n->n_in) { s->read[v] = GTR__MAX(s->read[v], start); continue; }
        s->written[v] = start;
        s->lane[v] = n->stage * GTR__MAX_STREAMS + best;
    }
}
static void gtr__assign_streams(gtr__build *b) {
    gtr__plan *p = b->plan;
    const bool own = b->r->streams == 0;
    bool apart = b->r->micro > 1 || b->ctx->n_regions || (own && b->ctx->desc.memory_limit);
    gtr__schedule s = GTR__ZERO;
    int i, last = 0;
    for (i = 0; i < p->split; i++) {
        apart |= GTR__WHOLE(&p->node[i]);
        if (!(p->node[i].leaf = gtr__makes_gradients(p, &p->node[i]))) last = i + 1;
    }
    p->n_stream = !own ? b->r->streams : b->ctx->caps.cuda && !apart ? GTR__MAX_STREAMS : 1;
    if (p->n_stream < 2) return;
    s.written = (double *)gtr__malloc(b->ctx, (size_t)p->n_value * (2 * sizeof(double) + sizeof(int)) + 8);
    if (!s.written) { b->failed = true; return; }
    s.read = s.written + p->n_value;
    s.lane = (int *)(s.read + p->n_value);
    for (i = 0; i < p->split; i++) {
        gtr__node *n = &p->node[i];
        const bool fills = n->flops > b->ctx->caps.sm_count * 32e6 || n->bytes > 64e6;
        /* custom ops keep their order: callbacks may share what they use */
        gtr__assign_stream(p, &s, n, !apart, own && (fills || n->op == GTR__OP_CUSTOM), i >= last);
    }
    gtr__mfree(b->ctx, s.written);
}
static int gtr__lane(const gtr__node *n) { return n->stage * GTR__MAX_STREAMS + n->stream; }
/* clock[node * lanes + lane]: the last node of that lane that is done when this node starts; -1 none. */
typedef struct { int lanes; int *clock; } gtr__order;
static int *gtr__clock(const gtr__order *o, int node) { return o->clock + (size_t)node * (size_t)o->lanes; }
static void gtr__wait_for(gtr__plan *p, gtr__order *o, int node, int on) {
    int l = gtr__lane(&p->node[on]), k, *mine = gtr__clock(o, node), *its;
    if (l == gtr__lane(&p->node[node]) || mine[l] >= on) return;
    its = gtr__clock(o, on);
    for (k = 0; k < o->lanes; k++) if (its[k] > mine[k]) mine[k] = its[k];
    mine[l] = on;
    p->node[node].wait_mask |= 1u << l;
    p->node[node].wait_node[l] = on;
    p->node[on].signals = 1;
}
/* Waits for all that a node's operands need: their writers, and for what it writes also their readers. Fills o. The
   memory pass relies on nothing else. */
static bool gtr__order_nodes(gtr_context *ctx, gtr__plan *p, gtr__order *o) {
    int i, k, l, *writer, *reader, last[GTR__MAX_LANES];
    o->lanes = 1;
    for (i = 0; i < p->n_node; i++) o->lanes = GTR__MAX(o->lanes, gtr__lane(&p->node[i]) + 1);
    size_t per = (size_t)p->n_value * (size_t)o->lanes;
    o->clock = GTR__NEW(ctx, int, (size_t)p->n_node * (size_t)o->lanes);
    writer = GTR__NEW(ctx, int, per * 2);
    if (!o->clock || !writer) { gtr__mfree(ctx, writer); gtr__mfree(ctx, o->clock); o->clock = NULL; return false; }
    reader = writer + per;
    for (i = 0; i < (int)(2 * per); i++) writer[i] = -1;
    for (l = 0; l < GTR__MAX_LANES; l++) last[l] = -1;
    for (i = 0; i < p->n_node; i++) {
        gtr__node *n = &p->node[i];
        int lane = gtr__lane(n), *mine = gtr__clock(o, i);
        n->wait_mask = 0; n->signals = 0;
        for (l = 0; l < o->lanes; l++)
            mine[l] = last[lane] >= 0 ? gtr__clock(o, last[lane])[l] : -1;
        mine[lane] = last[lane];
        if (i >= p->split || GTR__WHOLE(n)) /* they may read any gradient */
            for (l = 0; l < o->lanes; l++) if (last[l] >= 0) gtr__wait_for(p, o, i, last[l]);
        for (k = 0; k < GTR__ALL(n); k++) {
            int v = gtr__use(p, n, k);
            size_t at = (size_t)v * (size_t)o->lanes;
            if (v < 0) continue;
            for (l = 0; l < o->lanes; l++) {
                int w = writer[at + (size_t)l], r = k < n->n_in ? -1 : reader[at + (size_t)l];
                if (w >= 0 && w != i) gtr__wait_for(p, o, i, w);
                if (r >= 0 && r != i) gtr__wait_for(p, o, i, r);
            }
            (k < n->n_in ? reader : writer)[at + (size_t)lane] = i;
        }
        last[lane] = i;
    }
    gtr__mfree(ctx, writer);
    return true;
}

// >>pass:memory
/* A value, a node's workspace (value -1), or a wall behind a gradient's place (value -1, node n_node). */
typedef struct {
    int value, node, stage;
    int first, lane; /* node of its first use, and its lane */
    int last, last_lane; /* of its last uses in each lane the one that is known last, about */
    int in; /* the gradient in whose place it lies; -1: the arena */
    size_t bytes, offset, base; /* base: where its place begins, until all have one */
    int left, right; /* of the tree; -1 none */
    bool passed, any_passed; /* over until spans get smaller, and not in these: */
    size_t begin, top, gap; /* the subtree lies from begin to top, with no larger room between */
} gtr__span;
static int gtr__span_order(const void *a, const void *b) {
    const gtr__span *x = (const gtr__span *)a, *y = (const gtr__span *)b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->first != y->first ? (x->first < y->first ? -1 : 1) : (x->value < y->value ? -1 : x->value > y->value);
}
/* Whether all uses of a (last use per lane) are done when node starts. */
static bool gtr__done_before(const gtr__order *o, const int *last_of_a, int node, int node_lane) {
    const int *clock = gtr__clock(o, node);
    for (int l = 0; l < o->lanes; l++) if (last_of_a[l] > (l == node_lane ? node - 1 : clock[l])) return false;
    return true;
}
static size_t gtr__whole_bytes(const gtr__value *v) {
    return (size_t)gtr__count(&v->shape) * gtr__dtype_size(v->storage);
}
static size_t gtr__value_bytes(const gtr__value *v) {
    return !v->lookups ? gtr__whole_bytes(v)
        : GTR__LOOKUP_ROWS(v->shape.dim[0]) + (size_t)(v->lookups * v->shape.dim[1]) * sizeof(float);
}
/* The spans that have a place: a treap a stage, in the order of their offsets, then of their first uses, so that
   those of one place follow each other in time. A subtree of which all is in the way, or nothing, is passed in one
   go, and what is over is in no one's way until spans get smaller: placing is near-linear. */
typedef struct {
    const gtr__plan *p;
    const gtr__order *o;
    gtr__span *span;
    int *last; /* by value, then by node, then a wall's: the last use in each lane; -1 */
    int *time; /* of each subtree, see gtr__sum_up */
    int *done; /* by node: what is done of each lane before it and all behind it of its stage */
    int root[GTR__MAX_STAGES];
    const gtr__span *s; /* who looks for a place, from at on, below end */
    size_t at, end;
} gtr__places;
static const int *gtr__last_uses(const gtr__places *f, const gtr__span *s) {
    return f->last + (size_t)(s->value >= 0 ? s->value : f->p->n_value + s->node) * (size_t)f->o->lanes;
}
static bool gtr__in_front(const gtr__span *a, const gtr__span *b) {
    return a->offset != b->offset ? a->offset < b->offset : a->first < b->first;
}
static uint32_t gtr__priority(int i) { uint32_t v = (uint32_t)i; GTR__MIX32(v, 1u); return v; }
/* A subtree's figures; by lane: the latest use, the earliest first use, the latest first use, the earliest last use. */
static void gtr__sum_up(gtr__places *f, int t) {
    gtr__span *x = &f->span[t];
    const int lanes = f->o->lanes, *last = gtr__last_uses(f, x), side[2] = { x->left, x->right };
    int *time = f->time + (size_t)t * (size_t)lanes * 4, l;
    x->begin = x->passed ? SIZE_MAX : x->offset; x->top = x->passed ? 0 : x->offset + x->bytes; x->gap = 0;
    x->any_passed = x->passed;
    for (l = 0; l < lanes; l++) {
        time[4 * l] = time[4 * l + 2] = -1;
        time[4 * l + 1] = time[4 * l + 3] = INT_MAX;
        if (!x->passed) time[4 * l] = last[l];
    }
    if (!x->passed) time[4 * x->lane + 1] = time[4 * x->lane + 2] = x->first;
    if (!x->passed) time[4 * x->last_lane + 3] = x->last;
    for (int k = 0; k < 2; k++) {
        if (side[k] < 0) continue;
        const gtr__span *y = &f->span[side[k]];
        const int *its = f->time + (size_t)side[k] * (size_t)lanes * 4;
        const size_t from = k ? x->top : y->top, to = k ? y->begin : x->begin;
        x->gap = GTR__MAX(GTR__MAX(x->gap, y->gap), from && to > from && to < SIZE_MAX ? to - from : 0);
        x->any_passed |= y->any_passed;
        x->begin = GTR__MIN(x->begin, y->begin); x->top = GTR__MAX(x->top, y->top);
        for (l = 0; l < 4 * lanes; l++) time[l] = l & 1 ? GTR__MIN(time[l], its[l]) : GTR__MAX(time[l], its[l]);
    }
}
static void gtr__split(gtr__places *f, int t, int at, int *less, int *more) {
    gtr__span *x = &f->span[t];
    if (t < 0) { *less = *more = -1; return; }
    if (gtr__in_front(x, &f->span[at])) { *less = t; gtr__split(f, x->right, at, &x->right, more); }
    else { *more = t; gtr__split(f, x->left, at, less, &x->left); }
    gtr__sum_up(f, t);
}
static int gtr__insert(gtr__places *f, int t, int i) {
    gtr__span *x = &f->span[t], *s = &f->span[i];
    if (t < 0 || gtr__priority(i) > gtr__priority(t)) { gtr__split(f, t, i, &s->left, &s->right); t = i; }
    else if (gtr__in_front(s, x)) x->left = gtr__insert(f, x->left, i);
    else x->right = gtr__insert(f, x->right, i);
    gtr__sum_up(f, t);
    return t;
}
static void gtr__recall(gtr__places *f, int t) {
    gtr__span *x = &f->span[t];
    if (t < 0 || !x->any_passed) return;
    gtr__recall(f, x->left);
    gtr__recall(f, x->right);
    x->passed = false;
    gtr__sum_up(f, t);
}
/* Moves f->at past what of a subtree is in the way. True once there is room. */
static bool gtr__move_past(gtr__places *f, int t) {
    if (t < 0) return false;
    gtr__span *x = &f->span[t];
    const gtr__span *s = f->s;
    const gtr__order *o = f->o;
    const int *time = f->time + (size_t)t * (size_t)o->lanes * 4, *mine = gtr__last_uses(f, s);
    if (x->top <= f->at) return false;
    if (x->begin >= f->at + s->bytes || f->at >= f->end) return true;
    const int *clock = gtr__clock(o, s->first);
    const int *done = f->done + (size_t)s->first * (size_t)o->lanes;
    bool before = true, after = true, over = true, all = x->gap < s->bytes;
    for (int l = 0; l < o->lanes; l++, time += 4) {
        const int by = l == s->lane ? s->first - 1 : clock[l];
        before &= time[0] <= by;
        over &= time[0] <= done[l];
        all &= time[3] > by;
        after = after && (time[1] == INT_MAX || gtr__done_before(o, mine, time[1], l));
        all = all && (time[2] < 0 || !gtr__done_before(o, mine, time[2], l));
    }
    if (after || (before && !over)) return false;
    if (all) { f->at = x->top; return false; }
    bool room = gtr__move_past(f, x->left);
    if (!room && !x->passed && !gtr__done_before(o, gtr__last_uses(f, x), s->first, s->lane) &&
        !gtr__done_before(o, mine, x->first, x->lane)) {
        room = x->offset >= f->at + s->bytes;
        if (!room) f->at = GTR__MAX(f->at, x->offset + x->bytes);
    }
    room = room || gtr__move_past(f, x->right);
    for (int l = (x->passed = true, 0); l < o->lanes; l++) x->passed &= gtr__last_uses(f, x)[l] <= done[l];
    gtr__sum_up(f, t);
    return room;
}
/* The lowest place from at on; end if there is none. */
static size_t gtr__lowest(gtr__places *f, const gtr__span *s, size_t at, size_t end) {
    f->s = s; f->at = at; f->end = end;
    gtr__move_past(f, f->root[s->stage]);
    return GTR__MIN(f->at, end);
}
/* Of a lane's holes those that are written late enough are the last. */
static int gtr__hole_order(const void *a, const void *b) {
    const gtr__span *x = (const gtr__span *)a, *y = (const gtr__span *)b;
    return x->stage != y->stage ? x->stage - y->stage : x->lane != y->lane ? x->lane - y->lane : x->node - y->node;
}
/* The first by node that has room for s, at s->offset. */
static const gtr__span *gtr__find_hole(gtr__places *f, gtr__span *s, const gtr__span *holes, int n_holes, size_t all) {
    const gtr__span *found = NULL, *h;
    for (int j = 0, end; j < n_holes; j = end) {
        int low = j, high, mid;
        end = holes[j].last;
        if (holes[j].stage != s->stage) continue;
        for (high = end; low < high; ) {
            h = &holes[mid = (low + high) / 2];
            if (h->lane == f->o->lanes || gtr__done_before(f->o, gtr__last_uses(f, s), h->first, h->lane)) high = mid;
            else low = mid + 1;
        }
        if (low == end) continue;
        const size_t stop = end < n_holes ? holes[end].offset : all, at = gtr__lowest(f, s, holes[low].offset, stop);
        if (at == stop) continue;
        for (high = end; low + 1 < high; ) {
            mid = (low + high) / 2;
            *(holes[mid].offset <= at ? &low : &high) = mid;
        }
        if (!found || holes[low].node < found->node) { found = &holes[low]; s->offset = at; }
    }
    return found;
}
static void gtr__fill_done(gtr__places *f, bool mixed) {
    const int lanes = f->o->lanes;
    int next[GTR__MAX_STAGES] = { 0 }, i, k;
    for (i = f->p->n_node - 1; i >= 0; i--) {
        const gtr__node *n = &f->p->node[i];
        int *at = f->done + (size_t)i * (size_t)lanes;
        for (k = 0; k < lanes; k++) {
            at[k] = mixed ? -1 : k == gtr__lane(n) ? i - 1 : f->o->clock[(size_t)i * (size_t)lanes + (size_t)k];
            if (next[n->stage]) at[k] = GTR__MIN(at[k], f->done[(size_t)next[n->stage] * (size_t)lanes + (size_t)k]);
        }
        next[n->stage] = i;
    }
}
/* Offsets: largest first, each at the lowest place free of all whose uses are not ordered against its own: in the first
   gradient (holes; first: its first writer; n_node: none) written after all uses that has room, or in the arena. Holes
   lie in a row in front of the arena meanwhile, a wall behind each. */
static bool gtr__place(gtr_context *ctx, gtr__plan *p, const gtr__order *o, gtr__span *spans, int n, gtr__span *holes,
        int n_holes, int *last) {
    gtr__places f = GTR__ZERO;
    size_t arena = 0;
    int i, j;
    bool mixed = false;
    f.p = p; f.o = o; f.span = spans; f.last = last;
    const size_t trees = (size_t)(n + n_holes) * (size_t)o->lanes * 4;
    f.time = GTR__NEW(ctx, int, trees + (size_t)p->n_node * (size_t)o->lanes);
    if (!f.time) return false;
    f.done = f.time + trees;
    for (i = 0; i < n; i++) mixed |= spans[i].stage != p->node[spans[i].first].stage; /* then nothing is known */
    gtr__fill_done(&f, mixed);
    for (i = 0; i < GTR__MAX_STAGES; i++) f.root[i] = -1;
    for (gtr__span *h = holes; h < holes + n_holes; h++)
        h->lane = h->first == p->n_node ? o->lanes : gtr__lane(&p->node[h->first]);
    qsort(holes, (size_t)n_holes, sizeof *holes, gtr__hole_order);
    for (j = n_holes - 1; j >= 0; j--) {
        gtr__span *h = &holes[j];
        h->last = j + 1 < n_holes && h[1].stage == h->stage && h[1].lane == h->lane ? h[1].last : j + 1;
    }
    for (j = 0; j < n_holes; j++) {
        gtr__span *wall = &spans[n + j];
        memset(wall, 0, sizeof *wall);
        holes[j].offset = arena;
        wall->value = -1; wall->node = p->n_node; wall->last = INT_MAX;
        wall->offset = arena + holes[j].bytes;
        arena = gtr__rounded(wall->offset + 1);
        wall->bytes = arena - wall->offset;
        f.root[holes[j].stage] = gtr__insert(&f, f.root[holes[j].stage], n + j);
    }
    qsort(spans, (size_t)n, sizeof *spans, gtr__span_order);
    for (i = 0; i < n; i++) {
        gtr__span *s = &spans[i];
        s->lane = s->last_lane = gtr__lane(&p->node[s->first]);
        const int *last_use = gtr__last_uses(&f, s);
        for (j = 0; j < o->lanes; j++) /* another lane's, if there is one: it is known later */
            if (j != s->lane && last_use[j] > (s->last_lane == s->lane ? -1 : last_use[s->last_lane])) s->last_lane = j;
        s->last = last_use[s->last_lane];
        const gtr__span *in = gtr__find_hole(&f, s, holes, n_holes, arena);
        s->in = in ? in->value : -1;
        s->base = in ? in->offset : arena;
        if (!in) s->offset = gtr__lowest(&f, s, arena, SIZE_MAX);
        if (!in) p->arena[s->stage] = GTR__MAX(p->arena[s->stage], s->offset + s->bytes - arena);
        if (s->bytes) f.root[s->stage] = gtr__insert(&f, f.root[s->stage], i);
        const bool smaller = i + 1 < n && spans[i + 1].bytes != s->bytes;
        for (j = 0; j < GTR__MAX_STAGES && smaller; j++) gtr__recall(&f, f.root[j]);
    }
    for (i = 0; i < n; i++) spans[i].offset -= spans[i].base;
    gtr__mfree(ctx, f.time);
    return true;
}
/* A node's call, with operands in args, but for addresses. */
static gtr__call gtr__call_of(gtr_context *ctx, const gtr__plan *p, const gtr__node *n, gtr__arg *args) {
    gtr__call c = GTR__ZERO;
    for (int k = 0; k < GTR__ALL(n); k++) {
        gtr__arg *a = &args[k];
        const gtr__value *v = n->in[k] < 0 ? NULL : &p->value[n->in[k]];
        memset(a, 0, sizeof *a);
        if (!v) continue;
        a->dtype = v->storage; a->shape = v->shape; a->count = gtr__count(&v->shape); a->lookups = v->lookups;
        if (v->stride[0]) a->stride = v->stride;
        if (k >= n->n_in) a->add = gtr__bit(n->adds, k - n->n_in);
    }
    c.attr = &n->attr; c.n_in = n->n_in; c.n_out = n->n_out; c.in = args; c.out = args + n->n_in;
    c.ws_bytes = n->ws_bytes; c.caps = &ctx->caps; c.precision = p->precision;
    c.training = n->training; c.recomputed = n->recomputed; c.seed = n->seed; c.row0 = n->row0;
    return c;
}
static gtr_result gtr__measure(gtr_context *ctx, gtr__plan *p, gtr__node *n) {
    gtr__arg few[GTR__MAX_ARGS], *args = few;
    static const char wanted = 0; /* a non-NULL address that nobody reads or writes */
    const gtr__op_row *row = gtr__row(n->op);
    n->ws_bytes = 0;
    if (GTR__ALL(n) > GTR__MAX_ARGS && !(args = GTR__NEW(ctx, gtr__arg, GTR__ALL(n))))
        return GTR_ERR_NOMEM;
    gtr__call c = gtr__call_of(ctx, p, n, args);
    for (int k = 0; k < GTR__ALL(n); k++) {
        const int root = gtr__use(p, n, k);
        if (root < 0) continue;
        const gtr__value *v = &p->value[n->in[k]];
        const gtr__home home = p->value[root].home;
        args[k].data = (void *)(uintptr_t)&wanted;
        /* what a network makes for itself need not leave the chip */
        if (k >= n->n_in && n->op == GTR__OP_NETWORK && (home == GTR__HOME_ARENA || home == GTR__HOME_NONE)) continue;
        n->bytes += (double)gtr__value_bytes(v) * (1 + args[k].add);
        if (k < n->n_in && v->lookups) n->bytes -= GTR__MIN(n->bytes, (double)gtr__whole_bytes(v)); /* it counts them */
    }
    const bool none = ctx->caps.cuda && (!(row->flags & GTR__WS) || ctx->preset);
    if (none && row->flags & GTR__WS) n->ws_bytes = row->cls == GTR__LOW ? ctx->caps.product_workspace : 65536;
    c.measure = &n->ws_bytes;
    gtr_result r = none ? GTR_OK : ctx->caps.cuda ? ctx->be->kernel[n->op][n->dir](NULL, &c)
        : gtr__cpu_call(NULL, n->op, n->dir, &c);
    if (args != few) gtr__mfree(ctx, args);
    if (r) gtr__fail(ctx, r, "%s: its workspace could not be planned", n->layer);
    n->ws_bytes = gtr__rounded(n->ws_bytes);
    return r;
}
/* Values that the right phases read must survive what runs between gtr_backward and gtr_update:
   they leave the arena. */
static void gtr__carry(gtr__plan *p) {
    for (int i = p->split; i < p->n_node; i++)
        for (int k = 0; k < p->node[i].n_in; k++) {
            gtr__value *v = p->node[i].in[k] < 0 ? NULL : &p->value[gtr__root(p, p->node[i].in[k])];
            if (!v || v->home != GTR__HOME_ARENA || v->producer >= p->split) continue;
            v->home = GTR__HOME_KEPT; v->tensor = NULL; v->offset = p->carry;
            p->carry += gtr__rounded(gtr__value_bytes(v));
        }
}
static bool gtr__pass_memory(gtr_context *ctx, gtr__plan *p, const gtr__order *o) {
    int i, k, n = 0, n_holes = 0, *last, *first;
    gtr__span *spans, *holes;
    bool ok = false;
    const size_t rows = (size_t)p->n_value + (size_t)p->n_node, lanes = (size_t)o->lanes;
    last = GTR__NEW(ctx, int, (rows + 1) * lanes);
    first = GTR__NEW(ctx, int, p->n_value);
    spans = GTR__NEW(ctx, gtr__span, rows + 2 * (size_t)p->n_value + 1); /* and walls, holes */
    if (!last || !first || !spans) goto done;
    holes = spans + rows + p->n_value;
    for (size_t at = 0; at < (rows + 1) * lanes; at++) last[at] = at < rows * lanes ? -1 : INT_MAX;
    for (i = 0; i < p->n_value; i++) first[i] = -1;
    for (i = 0; i < p->n_node; i++) {
        gtr__node *q = &p->node[i];
        for (k = 0; k < GTR__ALL(q); k++) {
            int v = gtr__use(p, q, k);
            if (v < 0) continue;
            if (first[v] < 0 && k >= q->n_in && p->value[v].home == GTR__HOME_GRADIENT
                    && !gtr__bit(q->adds, k - q->n_in)) {
                gtr__span *h = &holes[n_holes++];
                h->value = v; h->node = n_holes; h->first = p->value[v].unstored ? p->n_node : i;
                h->stage = p->value[v].stage; h->bytes = gtr__whole_bytes(&p->value[v]);
            }
            if (first[v] < 0) first[v] = i;
            last[(size_t)v * lanes + (size_t)gtr__lane(q)] = i;
        }
        if (q->ws_bytes) {
            gtr__span *s = &spans[n++];
            s->value = -1; s->node = i; s->bytes = q->ws_bytes; s->first = i; s->stage = q->stage;
            last[((size_t)p->n_value + (size_t)i) * lanes + (size_t)gtr__lane(q)] = i;
        }
    }
    for (i = 0; i < p->n_value; i++) {
        gtr__value *v = &p->value[i];
        v->bytes = gtr__value_bytes(v);
        if (v->home != GTR__HOME_ARENA || first[i] < 0) continue;
        spans[n].value = i; spans[n].node = -1; spans[n].first = first[i]; spans[n].stage = v->stage;
        spans[n++].bytes = gtr__rounded(v->bytes);
    }
    ok = gtr__place(ctx, p, o, spans, n, holes, n_holes, last);
    for (i = 0; i < n && ok; i++) {
        if (spans[i].value >= 0) {
            p->value[spans[i].value].offset = spans[i].offset; p->value[spans[i].value].alias = spans[i].in;
        }
        else { p->node[spans[i].node].ws_offset = spans[i].offset; p->node[spans[i].node].ws_value = spans[i].in; }
    }
done:
    gtr__mfree(ctx, last); gtr__mfree(ctx, first); gtr__mfree(ctx, spans);
    return ok;
}

// >>plan-make
static void gtr__plan_clear(gtr_context *ctx, gtr__plan *p) {
    for (int i = 0; i < p->n_node; i++) gtr__node_clear(ctx, &p->node[i]);
    gtr__mfree(ctx, p->node);
    gtr__mfree(ctx, p->value);
    memset(p, 0, sizeof *p);
}
/* A row of c as FEED makes it: cropped. */
static gtr_shape gtr__column_fed(const gtr__column *c) {
    gtr_shape s = c->shape;
    const int at = s.ndim - 1 - (c->channels == 2);
    if (!c->image.varied) return s;
    s.dim[at] = c->image.ow;
    if (at) s.dim[at - 1] = c->image.oh;
    return s;
}
/* Whether two shapes, b without its first dimension, differ in nothing but extents of 1. */
static bool gtr__same_extents(const gtr_shape *a, const gtr_shape *b) {
    for (int i = 0, k = 1; i < a->ndim || k < b->ndim; ) {
        if (i < a->ndim && a->dim[i] == 1) { i++; continue; }
        if (k < b->ndim && b->dim[k] == 1) { k++; continue; }
        if (i == a->ndim || k == b->ndim || a->dim[i++] != b->dim[k++]) return false;
    }
    return true;
}
/* Whether rows of c go into input t with their channels on the other side. */
static bool gtr__column_turns(const gtr__column *c, const gtr_tensor *t) {
    const gtr_shape s = gtr__column_fed(c);
    const int n = s.ndim, to = c->channels == 2 ? 1 : n; /* where the input has its channels */
    if (!c->channels || n + 1 != t->shape.ndim || c->image.channels == 1 || t->shape.dim[to] != c->image.channels
            || (to == n && gtr__same_extents(&s, &t->shape))) return false;
    for (int k = 0; k < n - 1; k++) if (t->shape.dim[k + 1 + (to == 1)] != s.dim[k + (to != 1)]) return false;
    return true;
}
/* What FEED does to bring a column's rows, or with c NULL what was set, into input t. */
static gtr__feed_input gtr__feed_from(const gtr__column *c, const gtr_tensor *t, int slot, bool training) {
    gtr__feed_input in = GTR__ZERO;
    in.slot = slot;
    in.from = c ? c->dtype : t->dtype;
    in.scale = c ? c->scale : 1;
    in.shift = c ? c->shift : 0;
    in.row = -gtr__count(&t->shape);
    in.stored = c ? c->stored : in.row;
    const bool turns = c && gtr__column_turns(c, t);
    if (!turns && !(c && (c->image.varied || c->span))) return in;
    in.image = c->image;
    in.image.from_last = c->channels == 2;
    in.image.to_last = turns != (c->channels == 2);
    in.image.draws &= training;
    in.image.key = gtr__hash(gtr__hash(t->ctx->desc.seed, "augment"), t->name);
    return in;
}
/* FEED nodes, one a stage, in front of all: every input's slot in each storage that is read. */
static void gtr__add_feed(gtr__build *b, gtr_tensor **inputs, int n_inputs) {
    int stage, i, k, column[GTR__MAX_FEED];
    if (b->r->data && gtr__data_match(b->r->data, inputs, n_inputs, column)) { b->failed = true; return; }
    for (stage = b->ctx->n_instance - 1; stage >= 0; stage--) {
        gtr__feed *feed = NULL;
        int outs[2 * GTR__MAX_FEED], count = 0;
        for (i = 0; i < n_inputs; i++)
            if (inputs[i]->stage == stage && b->shared[inputs[i]->id] >= 0 && gtr__batched(inputs[i])) break;
        if (i == n_inputs && stage) continue; /* the first stage's fetches the record, inputs or none */
        feed = GTR__NEW(b->ctx, gtr__feed, 1);
        if (!feed) { b->failed = true; return; }
        feed->rows = b->r->batch;
        for (i = 0; i < n_inputs; i++) {
            gtr_tensor *t = inputs[i];
            int whole = b->shared[t->id], v[2];
            if (t->stage != stage || whole < 0 || !gtr__batched(t)) continue;
            v[0] = whole; v[1] = gtr__fed_low(b, whole);
            for (k = 0; k < 2; k++) {
                if (v[k] < 0) continue;
                feed->input[count] = gtr__feed_from(b->r->data ? &b->r->data->column[column[i]] : NULL, t, i,
                    b->r->training != 0);
                outs[count++] = v[k];
            }
        }
        feed->n = count;
        b->phase = GTR__FEED;
        b->row0 = 0; b->micro = 0;
        gtr__node *n = gtr__node_new(b, GTR__OP_FEED, GTR__FWD, 0, count);
        if (!n) { gtr__mfree(b->ctx, feed); return; }
        GTR__COPY(n->out, outs, count);
        n->attr.ptr = feed;
        n->stage = stage;
        n->layer = "inputs";
        gtr__node_move(b->plan, b->plan->n_node - 1, 0);
    }
}
/* The last node, if it commits for norms of o's kind and has room for one more; NULL: a new one is wanted. */
static gtr__node *gtr__commit_with(gtr__build *b, const gtr__node *o, int64_t values) {
    gtr__node *n = &b->plan->node[b->plan->n_node - 1];
    if (n->phase != GTR__COMMIT || n->op != (gtr__op)o->attr.i[14] || n->stage != o->stage || n->micro != o->micro ||
        n->attr.f[0] != o->attr.f[1] || n->attr.i[0] != values || n->n_in == GTR__BN_SET * GTR__BN_SETS) return NULL;
    for (int k = 2; k < n->n_in; k += GTR__BN_SET)
        if (n->in[k] == o->in[3] || n->in[k + 1] == o->in[4]) return NULL;
    return n;
}
static void gtr__add_commits(gtr__build *b) {
    int i, end = b->plan->n_node;
    for (i = 0; i < end && !b->failed; i++) {
        const gtr__node o = b->plan->node[i];
        if (!(gtr__row(o.op)->flags & GTR__COMMITS) || o.dir != GTR__FWD || o.recomputed || !o.training) continue;
        const int tracked = gtr__leaf_value(b, b->ctx->tensor[o.attr.i[15]]);
        const int64_t values = gtr__count(&GTR__V(o.in[0]).shape) / gtr__count(&GTR__V(o.out[1]).shape);
        gtr__node *n = gtr__commit_with(b, &o, values);
        if (!n && (n = gtr__node_new(b, (gtr__op)o.attr.i[14], GTR__FWD, GTR__BN_SET * GTR__BN_SETS, 0)) != NULL) {
            n->n_in = 0;
            n->reads = 0;
            n->attr.f[0] = o.attr.f[1]; n->attr.i[0] = values;
            n->stage = o.stage; n->micro = o.micro; n->layer = o.layer;
        }
        if (!n || tracked < 0) { b->failed = true; return; }
        const int set[GTR__BN_SET] = { o.out[1], o.out[3], o.in[3], o.in[4], tracked };
        memcpy(n->in + n->n_in, set, sizeof set);
        n->reads |= gtr__low_bits(GTR__BN_SET) << n->n_in;
        n->n_in += GTR__BN_SET;
        n->out = n->in + n->n_in;
    }
}
/* The values that a trainer differentiates by: its parameters. */
static void gtr__want_parameters(gtr__build *b) {
    const gtr_trainer *t = b->r->trainer;
    for (int i = 0; i < t->n_param; i++) if (b->shared[t->param[i]->id] >= 0)
        b->extra[b->shared[t->param[i]->id]].wants = true;
}
/* Gradients that one node writes and none reads, of tables larger than what is looked up, are lookups; but not where a
   step is run in parts. */
static void gtr__find_lookups(gtr__build *b) {
    const gtr_trainer *t = b->r->trainer;
    gtr__plan *p = b->plan;
    int i, k, v;
    if (b->r->no_matchers || !b->ctx->caps.lookups) return;
    int *user = GTR__NEW(b->ctx, int, p->n_value); /* of each value: 1 + the node that uses it; -1: several do */
    if (!user) { b->failed = true; return; }
    for (i = 0; i < p->n_node; i++) for (k = 0; k < GTR__ALL(&p->node[i]); k++)
        if ((v = gtr__use(p, &p->node[i], k)) >= 0) user[v] = user[v] ? -1 : 1 + i;
    for (i = 0; i < t->n_param && p->lookups < GTR__MAX_LOOKUPS; i++) {
        if ((v = b->shared[t->param[i]->id]) < 0 || (v = b->extra[v].gradient) < 0 || user[v] <= 0) continue;
        const gtr__node *q = &p->node[user[v] - 1];
        gtr__value as = GTR__V(v);
        if (!(gtr__row(q->op)->flags & GTR__LOOKS_UP) || q->out[1] != v) continue;
        as.lookups = gtr__count(&GTR__V(q->in[0]).shape);
        if (as.lookups > INT32_MAX || gtr__value_bytes(&as) > gtr__whole_bytes(&as)) continue;
        GTR__V(v) = as;
        p->of[p->lookups] = i; p->lookup[p->lookups++] = v;
    }
    gtr__mfree(b->ctx, user);
}
/* A reported scalar's mean over micro-batches, by rows; a gradient's sum; a parameter as it was before UPDATE. */
static void gtr__weigh(gtr__build *b, int *totals, int64_t rows) {
    for (int i = 0, j; i < b->r->n_report; i++) {
        gtr_tensor *t = gtr__stored_as(b->r->report[i]);
        const bool first = totals[i] < 0, own = t->op == GTR__OP_PARAMETER;
        const int v = b->map[b->r->report[i]->id];
        for (j = 0; gtr__stored_as(b->r->report[j]) != t; j++) {}
        if (b->r->micro == 1 && !own) totals[i] = v;
        else if (j < i) totals[i] = totals[j];
        else {
            if (first) totals[i] = gtr__value_new(b, gtr_shape0(), GTR_F32, own ? NULL : t);
            if (totals[i] < 0) return;
            if (!own) GTR__V(totals[i]).home = GTR__HOME_KEPT;
            const double share = t->op == GTR__OP_GRADIENT ? 1 : (double)rows / (double)b->r->batch;
            gtr__accumulate(b, totals[i], v, share, !first);
        }
    }
}
/* A node of the right phases, that reads these. NULL when out of memory. */
static gtr__node *gtr__right_node(gtr__build *b, gtr__op op, gtr__phase phase, const int *in, int n_in,
        const gtr__optim *optim, const char *layer) {
    b->phase = phase;
    gtr__node *n = gtr__node_new(b, op, GTR__FWD, n_in, 0);
    if (!n) return NULL;
    GTR__COPY(n->in, in, n_in);
    n->attr.ptr = optim; n->layer = layer;
    return n;
}
static void gtr__add_right(gtr__build *b, const int *totals, const gtr__optim *optim) {
    int in[1 + GTR__MAX_LOOKUPS];
    b->micro = 0; b->row0 = 0;
    if (b->r->trainer) {
        gtr__find_lookups(b);
        const int lookups = b->plan->lookups;
        in[0] = totals[0];
        GTR__COPY(in + 1, b->plan->lookup, lookups);
        gtr__node *n = gtr__right_node(b, GTR__OP_GUARD, GTR__GUARD, in, 1 + lookups, optim, "gradients");
        if (!n) return;
        n->bytes = optim->loss_only ? 0 : (double)optim->count * sizeof(gtr_float);
        b->phase = GTR__COMMIT;
        gtr__add_commits(b); /* UPDATE and REPORT, one behind the other, may be one launch */
        n = gtr__right_node(b, GTR__OP_UPDATE, GTR__UPDATE, in + 1, lookups, optim, "optimizer");
        if (!n) return;
        const double moved = (3 + 2 * optim->all) * (double)sizeof(gtr_float);
        n->bytes = (double)optim->count * (moved + (b->r->precision >= GTR_MIXED_BF16 ? 2 : 0));
    }
    gtr__right_node(b, GTR__OP_REPORT, GTR__REPORT, totals, b->r->n_report, b->r->trainer ? optim : NULL, "report");
}
static gtr_result gtr__plan_make(gtr_context *ctx, const gtr__recipe *r, gtr_tensor **inputs, int n_inputs,
        const gtr__optim *optim, gtr__plan *plan) {
    gtr__build b = GTR__ZERO;
    gtr__order o = GTR__ZERO;
    int64_t i, n_map = ctx->n_tensor;
    int m, k, loss[64], totals[GTR__MAX_REPORT] = { -1, -1, -1, -1 }, bounds[2 * 64 + 1];
    bool interleave = ctx->n_instance == 1; /* pipelines run all forwards first, so that stages can overlap */
    memset(plan, 0, sizeof *plan);
    b.ctx = ctx; b.plan = plan; b.r = r;
    plan->batch = r->batch; plan->precision = r->precision; plan->n_stage = ctx->n_instance; plan->n_stream = 1;
    b.map = GTR__NEW(ctx, int, 3 * n_map);
    b.whole = b.reach = GTR__NEW(ctx, unsigned char, 2 * n_map);
    if (!b.map || !b.reach) b.failed = true;
    else {
        b.shared = b.map + n_map;
        b.tally = b.shared + n_map;
        for (i = 0; i < 3 * n_map; i++) b.map[i] = -1;
        gtr__reach(&b, b.whole);
    }
    b.phase = GTR__FORWARD;
    gtr__pass_tally(&b, inputs, n_inputs);
    bounds[0] = plan->n_node;
    for (m = 0; m < (r->set == 2 ? 0 : r->micro) && !b.failed; m++) {
        gtr__micro_begin(&b, m, r->micro);
        b.phase = GTR__FORWARD;
        if (b.rows == 0) { bounds[m + 1] = plan->n_node; continue; }
        gtr__micro_forget(&b);
        gtr__record_reached(&b);
        if (b.failed) break;
        if (r->trainer) {
            loss[m] = b.map[r->report[0]->id];
            gtr__want_parameters(&b);
            if (interleave) gtr__differentiate_micro(&b, loss[m], bounds[m], plan->n_node);
        }
        gtr__weigh(&b, totals, b.rows);
        bounds[m + 1] = plan->n_node;
    }
    for (m = 0; r->trainer && !interleave && m < r->micro && !b.failed; m++) {
        gtr__micro_begin(&b, m, r->micro);
        if (b.rows) gtr__differentiate_micro(&b, loss[m], bounds[m], bounds[m + 1]);
    }
    if (!b.failed && r->trainer && ctx->n_regions) gtr__pass_rematerialise(&b);
    if (!b.failed) gtr__pass_fuse(&b, false);
    if (!b.failed) gtr__pass_alias(&b);
    if (!b.failed && r->feeds) {
        gtr__add_feed(&b, inputs, n_inputs);
        plan->split = plan->n_node;
        if (!b.failed) gtr__add_right(&b, totals, optim);
    } else plan->split = plan->n_node;
    gtr__pass_select(&b, false);
    if (!b.failed) gtr__pass_fuse(&b, true);
    if (!ctx->desc.memory_limit) gtr__pass_select(&b, true);
    if (!b.failed) gtr__trim_feeds(&b);
    if (!b.failed) gtr__turn_feeds(&b);
    for (k = 0; k < plan->n_node && !b.failed; k++) {
        const gtr__node *n = &plan->node[k];
        int q, v;
        for (q = n->n_in; q < GTR__ALL(n); q++)
            if ((v = gtr__use(plan, n, q)) >= 0 && plan->value[v].producer < 0) plan->value[v].producer = k;
        if (gtr__measure(ctx, plan, &plan->node[k])) b.failed = true;
    }
    if (!b.failed) gtr__assign_streams(&b);
    if (!b.failed) gtr__carry(plan);
    if (!b.failed && (!gtr__order_nodes(ctx, plan, &o) || !gtr__pass_memory(ctx, plan, &o))) b.failed = true;
    gtr__mfree(ctx, o.clock);
    gtr__mfree(ctx, b.map);
    gtr__mfree(ctx, b.whole);
    gtr__mfree(ctx, b.early);
    gtr__mfree(ctx, b.extra);
    if (!b.failed) return GTR_OK;
    gtr__plan_clear(ctx, plan);
    return ctx->error ? ctx->error : GTR__FAIL(ctx, NOMEM, "out of host memory while planning");
}

// >>running
/* A plan made ready: memory behind its values, kernels' calls filled in, the backend's executable. */
typedef struct gtr__cached {
    struct gtr__cached *next, *previous, *chain; /* used before it and after it; in its bin */
    gtr__recipe recipe;
    int bin;
    bool fresh; /* nobody has asked for it since it was made */
    gtr__plan plan;
    void *exec;
    void *carry;
    uint64_t version; /* ctx->memory_version that the addresses are of */
    uint32_t without; /* ctx->caps.without that the plan is of */
    int64_t highest; /* the highest id of a tensor that it uses */
    gtr_tensor *input[GTR__MAX_FEED]; int n_inputs;
    gtr_tensor **limited; int n_limited; /* ops whose labels or ids have a range, and are an input's */
} gtr__cached;
/* What a queue of runs shares with the device: control word and rings. A trainer has one, and gtr_eval. */
typedef struct gtr__runner {
    gtr_context *ctx;
    gtr__ctl *ctl; /* device */
    gtr__shared *shared, *shared_device;
    uint64_t launched; /* launches so far */
    uint64_t risky; /* up to the last that may be given up */
    uint64_t step; /* the next step's 0-based number */
    int32_t *flag; /* device: a result of CHECK */
    bool stale; /* a launch failed: records that the device fetched ahead are void */
} gtr__runner;
/* Staging of an input: gtr_set writes slots in turn, so that a copy can be on its way while a step reads the other.
   What reads a slot is queued before the other's next event. */
typedef struct gtr__feeding {
    size_t bytes; /* of a slot */
    void *host[2], *mapped[2], *device[2], *event[2];
    int turn, direct[2]; /* read where it lies in host memory */
    const void *source; /* what the next run reads; NULL: nothing was set */
    bool read; /* a step was queued that reads it */
    int64_t rows; /* batch of what was set */
} gtr__feeding;
static gtr_result gtr__drain(gtr_context *ctx) {
    gtr_result r = GTR_OK;
    for (int i = 0; i < ctx->n_instance; i++) {
        gtr_result s = ctx->be->wait(ctx->instance[i]);
        if (!r) r = s;
    }
    return gtr__backend_result(ctx, r, "waiting for the device");
}
/* By the context's thread: no snapshot is taken before as many gtr__weights_unlock. */
static void gtr__weights_lock(gtr_context *ctx) {
    if (ctx->writing++ || !ctx->line) return;
    ctx->in_line = true;
    gtr__line_enter(ctx->line);
}
static void gtr__weights_unlock(gtr_context *ctx) {
    if (--ctx->writing || !ctx->in_line) return;
    ctx->in_line = false;
    gtr__line_leave(ctx->line);
}
static bool gtr__repeat_any(gtr_context *ctx, gtr_result *r);
static gtr_result gtr__wait_all(gtr_context *ctx) {
    gtr_result r;
    do r = gtr__drain(ctx); while (!r && gtr__repeat_any(ctx, &r));
    return r;
}
static void gtr__feeding_slots_free(gtr_tensor *t) {
    gtr__feeding *f = t->feeding;
    for (int i = 0; i < 2; i++) {
        if (f->host[i]) t->ctx->be->host_free(t->ctx->instance[t->stage], f->host[i], f->bytes);
        if (t->ctx->caps.cuda) gtr__device_free(t->ctx, t->stage, f->device[i], f->bytes);
        if (f->event[i]) t->ctx->be->event_free(t->ctx->instance[t->stage], f->event[i]);
    }
    memset(f, 0, sizeof *f);
}
static void gtr__feeding_free(gtr_tensor *t) {
    if (!t->feeding) return;
    gtr__feeding_slots_free(t);
    gtr__mfree(t->ctx, t->feeding);
    t->feeding = NULL;
}
static gtr_result gtr__feeding_new(gtr_tensor *t) {
    if (!t->feeding) t->feeding = GTR__NEW(t->ctx, gtr__feeding, 1);
    return t->feeding ? GTR_OK : GTR_ERR_NOMEM;
}
static gtr_result gtr__feeding_room(gtr_tensor *t, size_t bytes) {
    gtr_context *ctx = t->ctx;
    GTR__TRY(gtr__feeding_new(t));
    gtr__feeding *f = t->feeding;
    if (bytes <= f->bytes) return GTR_OK;
    if (f->bytes && gtr__wait_all(ctx)) return ctx->error;
    gtr__feeding_slots_free(t);
    f->bytes = bytes;
    for (int i = 0; i < 2; i++) {
        f->host[i] = ctx->be->host_alloc(ctx->instance[t->stage], bytes, &f->mapped[i]);
        f->device[i] = ctx->caps.cuda ? f->host[i] ? gtr__device_alloc(ctx, t->stage, bytes) : NULL : f->host[i];
        if (!f->device[i]) {
            gtr__feeding_slots_free(t);
            return GTR__FAIL(ctx, NOMEM, "input \"%s\": out of memory for %zu bytes of staging",
                gtr__label(t), bytes);
        }
    }
    return GTR_OK;
}

// >>leaves
/* Elements as they lie with channels last, of their logical order, or back. */
static void gtr__elements_turn(const gtr_tensor *p, int64_t all, gtr_float *to, const gtr_float *from, bool last) {
    const int64_t channels = p->shape.dim[1], taps = gtr__shape_inner(&p->shape, 1);
    for (int64_t o = 0; o < all; o += channels * taps)
        for (int64_t c = 0; c < channels; c++)
            for (int64_t t = 0; t < taps; t++) {
                const int64_t at = o + c * taps + t, lies = o + t * channels + c;
                to[last ? lies : at] = from[last ? at : lies];
            }
}
static void gtr__parameter_turn(const gtr_tensor *p, gtr_float *to, const gtr_float *from, bool last) {
    gtr__elements_turn(p, gtr__count(&p->shape), to, from, last);
}
/* p's values, or its gradient or state, which lie alike, at `at` on a stage. */
static gtr_result gtr__parameter_get(const gtr_tensor *p, int stage, const void *at, void *dst, const char *what) {
    gtr_float *room = p->last ? (gtr_float *)gtr__malloc(p->ctx, p->data_bytes) : NULL;
    if (p->last && !room) return GTR_ERR_NOMEM;
    const gtr_result r = gtr__to_host(p->ctx, stage, room ? room : dst, at, p->data_bytes, what);
    if (!r && room) gtr__parameter_turn(p, (gtr_float *)dst, room, false);
    gtr__mfree(p->ctx, room);
    return r;
}
static gtr_result gtr__parameter_read(gtr_tensor *p, void *dst) {
    return gtr__parameter_get(p, p->stage, p->data, dst, gtr__label(p));
}
/* One kernel call outside a plan, through a plan of one node. */
static gtr_result gtr__run_single(gtr_context *ctx, int stage, gtr__op op, gtr__arg in, gtr__arg out) {
    gtr__plan plan = GTR__ZERO;
    gtr__node node = GTR__ZERO;
    plan.node = &node; plan.n_node = 1; plan.n_stage = ctx->n_instance; plan.n_stream = 1;
    node.op = op; node.stage = stage; node.layer = "";
    node.call.attr = &node.attr; node.call.n_in = 1; node.call.n_out = 1; node.call.in = &in; node.call.out = &out;
    node.call.caps = &ctx->caps;
    return gtr__backend_result(ctx, ctx->be->run_node(ctx->instance, &plan, 0), gtr__row(op)->name);
}
static gtr__arg gtr__arg_of(void *data, gtr_dtype storage, const gtr_shape *shape) {
    gtr__arg a = GTR__ZERO;
    a.data = data; a.dtype = storage; a.shape = *shape; a.count = gtr__count(shape);
    return a;
}
/* Low copies follow a master that was written from outside; an update writes both itself. */
static gtr_result gtr__refresh_low(gtr_tensor *p) {
    for (int k = 0; k < 2; k++) {
        const gtr__arg low = gtr__arg_of(p->low[k], k ? GTR_F16 : GTR_BF16, &p->shape);
        if (low.data)
            GTR__TRY(gtr__run_single(p->ctx, p->stage, GTR__OP_CAST, gtr__arg_of(p->data, GTR_F32, &p->shape), low));
    }
    return GTR_OK;
}
/* *src as p's elements lie: in *room, to be freed, where that is another order. */
static gtr_result gtr__parameter_lying(const gtr_tensor *p, const void **src, void **room) {
    if (!p->last) return GTR_OK;
    if (!(*room = gtr__malloc(p->ctx, p->data_bytes))) return GTR_ERR_NOMEM;
    gtr__parameter_turn(p, (gtr_float *)*room, (const gtr_float *)*src, true);
    *src = *room;
    return GTR_OK;
}
static gtr_result gtr__parameter_write(gtr_tensor *p, const void *src) {
    void *room = NULL;
    GTR__TRY(gtr__parameter_lying(p, &src, &room));
    p->ctx->writes++;
    gtr__weights_lock(p->ctx);
    const gtr_result r = gtr__to_device(p->ctx, p->stage, p->data, src, p->data_bytes, gtr__label(p));
    gtr__weights_unlock(p->ctx);
    gtr__mfree(p->ctx, room);
    return r ? r : gtr__refresh_low(p);
}

// >>resolve
static void gtr__entry_unprepare(gtr_context *ctx, gtr__cached *e) {
    if (e->exec) ctx->be->release(ctx->instance, e->exec);
    e->exec = NULL;
    e->version = 0;
}
static bool gtr__is_pending(const gtr_context *ctx, const gtr__cached *e) {
    for (const gtr_trainer *t = ctx->trainers; t; t = t->next) if (t->pending == e) return true;
    return false;
}
static bool gtr__gone_wrong(const gtr_trainer *t) { return t->runner && t->runner->shared->status; }
static void gtr__trainer_forget(gtr_trainer *t, const gtr__cached *e) {
    for (int i = 0; i < GTR__RING; i++) if (t->slot[i] == e) t->slot[i] = NULL;
    if (t->pending == e) t->pending = NULL;
}
static void gtr__entry_unlink(gtr_context *ctx, gtr__cached *e) {
    *(e->previous ? &e->previous->next : &ctx->plans) = e->next;
    *(e->next ? &e->next->previous : &ctx->oldest_plan) = e->previous;
}
static void gtr__entry_to_front(gtr_context *ctx, gtr__cached *e) {
    e->previous = NULL;
    e->next = ctx->plans;
    *(ctx->plans ? &ctx->plans->previous : &ctx->oldest_plan) = e;
    ctx->plans = e;
}
static void gtr__entry_free(gtr_context *ctx, gtr__cached *e) {
    gtr__cached **at = &ctx->plan_bin[e->bin];
    while (*at != e) at = &(*at)->chain;
    *at = e->chain;
    gtr__entry_unlink(ctx, e);
    if (e->recipe.trainer) gtr__trainer_forget(e->recipe.trainer, e);
    gtr__entry_unprepare(ctx, e);
    gtr__device_free(ctx, 0, e->carry, e->plan.carry);
    gtr__plan_clear(ctx, &e->plan);
    gtr__mfree(ctx, e->limited);
    gtr__mfree(ctx, e);
}
/* Drops plans: a trainer's, a data set's, or all of tensor id and later ones but those between their halves. */
static void gtr__plans_drop(gtr_context *ctx, const gtr_trainer *t, const gtr_dataset *d, int64_t id) {
    for (gtr__cached *e = ctx->plans, *next; e; e = next) {
        next = e->next;
        if (t ? e->recipe.trainer == t : d ? e->recipe.data == d : e->highest >= id && !gtr__is_pending(ctx, e))
            gtr__entry_free(ctx, e);
    }
}
static void gtr__plans_forget(gtr_context *ctx, int64_t id) {
    if (ctx->plans) gtr__wait_all(ctx);
    gtr__plans_drop(ctx, NULL, NULL, id);
}
/* Grows a device block that plans point to; its contents are lost. The old size is had back if the new one is not. */
static gtr_result gtr__block_grow(gtr_context *ctx, int stage, void **block, size_t *bytes, size_t want,
        const char *what) {
    if (*block && *bytes >= want) return GTR_OK;
    if (*block) {
        if (gtr__wait_all(ctx)) return ctx->error;
        gtr__device_free(ctx, stage, *block, *bytes);
        *block = NULL;
        ctx->memory_version++;
    }
    void *p = gtr__device_alloc(ctx, stage, want);
    if (!p) {
        if (*bytes) *block = ctx->be->alloc(ctx->instance[stage], gtr__device_size(*bytes));
        if (*block) ctx->device_bytes += gtr__device_size(*bytes);
        else *bytes = 0;
        return GTR__FAIL(ctx, NOMEM, "out of device memory: %zu bytes of %s", want, what);
    }
    *block = p;
    *bytes = want;
    return GTR_OK;
}
static gtr_result gtr__entry_memory(gtr_context *ctx, gtr__cached *e) {
    gtr__plan *p = &e->plan;
    for (int i = 0; i < p->n_stage; i++)
        if (p->arena[i]) GTR__TRY(
            gtr__block_grow(ctx, i, &ctx->arena[i], &ctx->arena_bytes[i], p->arena[i], "activations and workspace"));
    if (p->carry && !e->carry && !(e->carry = gtr__device_alloc(ctx, 0, p->carry))) return GTR_ERR_NOMEM;
    for (int i = 0; i < p->n_value; i++) {
        const gtr__value *v = &p->value[i];
        const int k = v->storage == GTR_BF16 ? 0 : 1;
        gtr_tensor *t = v->tensor;
        if (v->home == GTR__HOME_INPUT && v->storage == t->dtype)
            GTR__TRY(gtr__block_grow(ctx, t->stage, &t->data, &t->data_bytes, v->bytes, "inputs"));
        else if (v->home == GTR__HOME_INPUT)
            GTR__TRY(gtr__block_grow(ctx, t->stage, &t->low[k], &t->low_bytes[k], v->bytes, "inputs in low precision"));
        else if (v->home == GTR__HOME_LOW && !t->low[k]) {
            GTR__TRY(gtr__block_grow(ctx, t->stage, &t->low[k], &t->low_bytes[k], v->bytes, "low-precision weights"));
            ctx->low_version++;
            GTR__TRY(gtr__refresh_low(t));
        } else if (v->home == GTR__HOME_TALLY && !t->tally) {
            if (!(t->tally = gtr__device_alloc(ctx, t->stage, GTR__TALLY_BYTES))) return GTR_ERR_NOMEM;
        } else if (v->home == GTR__HOME_KEPT && t) {
            if (v->offset + v->bytes > t->kept_bytes) t->kept_filled = false;
            GTR__TRY(gtr__block_grow(ctx, t->stage, &t->kept, &t->kept_bytes, v->offset + v->bytes, "kept values"));
        }
    }
    return GTR_OK;
}
/* NULL, what has no memory, stays NULL. */
static void *gtr__shifted(void *p, size_t bytes) { return p ? (char *)p + bytes : NULL; }
static int gtr__trainer_index(const gtr_trainer *t, const gtr_tensor *p) {
    for (int i = 0; i < t->n_param; i++) if (t->param[i] == p) return i;
    return -1;
}
static void *gtr__trainer_gradient(const gtr_trainer *t, const gtr_tensor *p) {
    return t->gradient + t->offset[gtr__trainer_index(t, p)];
}
static const gtr__optim *gtr__optim_of(const gtr_trainer *t) { return t ? &t->optim : NULL; }
static void *gtr__value_address(gtr_context *ctx, const gtr__cached *e, int id) {
    const gtr__value *v = &e->plan.value[id];
    gtr_tensor *t = v->tensor;
    int low = v->storage == GTR_BF16 ? 0 : 1;
    switch (v->home) {
    case GTR__HOME_PARAMETER: case GTR__HOME_STATE: return t->data;
    case GTR__HOME_LOW: return t->low[low];
    case GTR__HOME_INPUT: return v->storage == t->dtype ? t->data : t->low[low];
    case GTR__HOME_TALLY: return t->tally;
    case GTR__HOME_GRADIENT: return gtr__trainer_gradient(e->recipe.trainer, t);
    case GTR__HOME_KEPT: return (char *)(t ? t->kept : e->carry) + v->offset;
    case GTR__HOME_ARENA:
        return (char *)(v->alias < 0 ? ctx->arena[v->stage] : gtr__value_address(ctx, e, v->alias)) + v->offset;
    case GTR__HOME_ALIAS: return gtr__shifted(gtr__value_address(ctx, e, v->alias), v->offset);
    default: return NULL;
    }
}
/* Where the rings are, for the nodes that use them. */
static void gtr__bind_shared(gtr__node *n, const gtr__runner *runner) {
    if (n->op == GTR__OP_REPORT) n->attr.i[0] = (int64_t)(uintptr_t)runner->shared_device;
    if (n->op == GTR__OP_FEED) ((gtr__feed *)(uintptr_t)n->attr.ptr)->shared = runner->shared_device;
    if (n->op == GTR__OP_NETWORK) for (int i = 0; i < ((const gtr__network *)n->attr.ptr)->n_node; i++)
        gtr__bind_shared(&((const gtr__network *)n->attr.ptr)->node[i], runner);
}
/* Fills the calls of all nodes. address: of a value; arenas: by stage. */
typedef void *(*gtr__address_fn)(gtr_context *ctx, const gtr__cached *e, int value);
static gtr_result gtr__resolve(gtr_context *ctx, gtr__cached *e, gtr__runner *runner, gtr__address_fn address,
        void *const *arena) {
    gtr__plan *p = &e->plan;
    for (int i = 0; i < p->n_node; i++) {
        gtr__node *n = &p->node[i];
        gtr__arg *args = (gtr__arg *)(uintptr_t)n->call.in;
        if (!args) {
            args = GTR__NEW(ctx, gtr__arg, GTR__ALL(n) + 1);
            if (!args) return GTR_ERR_NOMEM;
        }
        n->call = gtr__call_of(ctx, p, n, args);
        for (int k = 0; k < GTR__ALL(n); k++) if (gtr__use(p, n, k) >= 0) args[k].data = address(ctx, e, n->in[k]);
        gtr__bind_shared(n, runner);
        n->call.ws = n->ws_bytes
            ? (char *)(n->ws_value < 0 ? arena[n->stage] : address(ctx, e, n->ws_value)) + n->ws_offset : NULL;
        n->call.ctl = runner ? runner->ctl : NULL;
    }
    return GTR_OK;
}
static void gtr__do_without(gtr_context *ctx, int m, const char *why) {
    char text[320];
    if (ctx->caps.without >> m & 1) return;
    ctx->caps.without |= 1u << m;
    snprintf(text, sizeof text, "%s; from now on without the kernel of a %s", why, ctx->be->matchers[m].name);
    if (ctx->desc.log) ctx->desc.log(GTR_LOG_WARNING, text, ctx->desc.log_user);
}
static gtr_result gtr__entry_again(gtr_context *ctx, gtr__cached *e) {
    gtr__plan p;
    GTR__TRY(gtr__plan_make(ctx, &e->recipe, e->input, e->n_inputs, gtr__optim_of(e->recipe.trainer), &p));
    gtr__device_free(ctx, 0, e->carry, e->plan.carry);
    e->carry = NULL;
    gtr__plan_clear(ctx, &e->plan);
    e->plan = p;
    return GTR_OK;
}
static gtr_result gtr__entry_ready(gtr_context *ctx, gtr__cached *e, gtr__runner *runner) {
    if (e->exec && e->version == ctx->memory_version && e->without == ctx->caps.without) return GTR_OK;
    if (e->exec && gtr__wait_all(ctx)) return ctx->error;
    gtr__entry_unprepare(ctx, e);
    do {
        if (e->plan.unfit) gtr__do_without(ctx, e->plan.unfit - 1, "there is no room for all of its blocks at a time");
        if (e->plan.unfit) GTR__TRY(gtr__entry_again(ctx, e));
        GTR__TRY(gtr__entry_memory(ctx, e));
        GTR__TRY(gtr__resolve(ctx, e, runner, gtr__value_address, ctx->arena));
        GTR__TRY(gtr__backend_result(ctx, ctx->be->prepare(ctx->instance, &e->plan, &e->exec), "preparing a plan"));
    } while (e->plan.unfit);
    e->version = ctx->memory_version;
    e->without = ctx->caps.without;
    return GTR_OK;
}
/* The tensor of labels or ids that an op's range is for. */
static gtr_tensor *gtr__limited_input(const gtr_tensor *op) { return gtr__stored_as(op->in[op->limited]); }
/* The inputs that tensors depend on, in the order they were made; into e (NULL: not wanted) the ops whose labels or ids
   are an input's and have a range. */
static gtr_result gtr__find_inputs(gtr_context *ctx, gtr_tensor *const *t, int n, gtr_tensor **input, int *n_inputs,
        int64_t *highest, gtr__cached *e) {
    unsigned char *reach = GTR__NEW(ctx, unsigned char, ctx->n_tensor);
    gtr_result r = reach ? GTR_OK : GTR_ERR_NOMEM;
    int64_t cap = 0;
    *n_inputs = 0;
    *highest = 0;
    for (int k = 0; k < n && reach; k++) { reach[t[k]->id] = 1; *highest = GTR__MAX(*highest, t[k]->id); }
    if (reach) gtr__mark_reach(ctx, reach);
    for (int64_t i = 0; i < ctx->n_tensor && !r; i++) {
        gtr_tensor *x = ctx->tensor[i];
        if (!reach[i]) continue;
        if (e && x->limit && gtr__limited_input(x)->op <= GTR__OP_CONSTANT) {
            if (!GTR__GROW(ctx, e->limited, e->n_limited, cap)) r = GTR_ERR_NOMEM;
            else e->limited[e->n_limited++] = x;
        }
        if (x->op != GTR__OP_INPUT) continue;
        if (*n_inputs == GTR__MAX_FEED)
            r = GTR__FAIL(ctx, UNSUPPORTED, "more than %d inputs in one graph", GTR__MAX_FEED);
        else input[(*n_inputs)++] = x;
    }
    gtr__mfree(ctx, reach);
    return r;
}
/* Drops plans used longest ago; not those between their halves, nor of a trainer whose bad step is not told yet. */
static void gtr__plans_trim(gtr_context *ctx) {
    int64_t n = 0, nodes = 0;
    for (gtr__cached *e = ctx->plans; e; e = e->next, n++) nodes += e->plan.n_node;
    for (gtr__cached *e = ctx->oldest_plan, *newer; e != ctx->plans; e = newer) {
        newer = e->previous;
        if (n <= GTR__PLANS && (nodes <= GTR__PLAN_NODES || n <= 4)) return;
        gtr__wait_all(ctx);
        if (gtr__is_pending(ctx, e) || (e->recipe.trainer && gtr__gone_wrong(e->recipe.trainer))) continue;
        n--; nodes -= e->plan.n_node;
        gtr__entry_free(ctx, e);
    }
}
/* The plan for a recipe: from the cache, or made. NULL on error. */
static gtr__cached *gtr__entry_get(gtr_context *ctx, const gtr__recipe *r, const gtr__optim *optim) {
    gtr__cached *e = ctx->plans;
    gtr_tensor *all[32 + GTR__MAX_REPORT];
    uint64_t hash = 0, word;
    int n = 0, i;
    if (!e || memcmp(&e->recipe, r, sizeof *r) != 0) {
        for (size_t at = 0; at < sizeof *r; at += sizeof word) {
            memcpy(&word, (const char *)r + at, sizeof word);
            hash = (hash ^ word) * 0x9e3779b97f4a7c15u; hash ^= hash >> 29;
        }
        for (e = ctx->plan_bin[hash % GTR__PLAN_BINS]; e && memcmp(&e->recipe, r, sizeof *r) != 0; e = e->chain) {}
        if (e) { gtr__entry_unlink(ctx, e); gtr__entry_to_front(ctx, e); }
    }
    if (e) { e->fresh = false; return e; }
    e = GTR__NEW(ctx, gtr__cached, 1);
    if (!e) return NULL;
    e->recipe = *r;
    for (i = 0; i < r->n_fetch; i++) all[n++] = r->fetch[i];
    for (i = 0; i < r->n_report; i++) all[n++] = r->report[i];
    if (gtr__find_inputs(ctx, all, n, e->input, &e->n_inputs, &e->highest, e) ||
        gtr__plan_make(ctx, r, e->input, e->n_inputs, optim, &e->plan)) {
        gtr__mfree(ctx, e->limited);
        gtr__mfree(ctx, e);
        return NULL;
    }
    e->bin = (int)(hash % GTR__PLAN_BINS);
    e->chain = ctx->plan_bin[e->bin];
    ctx->plan_bin[e->bin] = e;
    gtr__entry_to_front(ctx, e);
    e->fresh = true;
    gtr__plans_trim(ctx);
    return e;
}
static gtr__recipe gtr__recipe0(int64_t batch, int training) {
    gtr__recipe r;
    memset(&r, 0, sizeof r);
    r.batch = batch; r.training = training; r.micro = 1; r.streams = 1; r.feeds = true;
    return r;
}

// >>runner
#define GTR__CTL_BYTES 2048 /* the control word, and in its second half the flag, then what gtr__aside puts there */
static void gtr__runner_free(gtr__runner *r) {
    gtr_context *ctx = r->ctx;
    if (r->shared) ctx->be->host_free(ctx->instance[0], r->shared, sizeof *r->shared);
    gtr__device_free(ctx, 0, r->ctl, GTR__CTL_BYTES);
    gtr__mfree(ctx, r);
}
static gtr__runner *gtr__runner_new(gtr_context *ctx, float scale) {
    gtr__runner *r = GTR__NEW(ctx, gtr__runner, 1);
    gtr__ctl zero = GTR__ZERO;
    void *device = NULL;
    if (!r) return NULL;
    r->ctx = ctx;
    zero.scale = scale;
    zero.coef = 1;
    r->ctl = (gtr__ctl *)gtr__device_alloc(ctx, 0, GTR__CTL_BYTES);
    if (r->ctl) r->flag = (int32_t *)((char *)r->ctl + GTR__CTL_BYTES / 2);
    r->shared = r->ctl ? (gtr__shared *)ctx->be->host_alloc(ctx->instance[0], sizeof *r->shared, &device) : NULL;
    r->shared_device = (gtr__shared *)device;
    if (!r->shared) GTR__FAIL(ctx, NOMEM, "out of pinned host memory: %zu bytes", sizeof *r->shared);
    else {
        memset(r->shared, 0, sizeof *r->shared);
        if (gtr__to_device(ctx, 0, r->ctl, &zero, sizeof zero, "a trainer's control block") == GTR_OK) return r;
    }
    gtr__runner_free(r);
    return NULL;
}
static void gtr__fence(void) {
#ifdef __ATOMIC_SEQ_CST
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#elif defined(_WIN32)
    MemoryBarrier();
#endif
}
/* Waits until the ring has room for n steps more: their records and their entries may then be written over. Steps that
   were given up are repeated. */
static gtr_result gtr__runner_room(gtr__runner *r, int n) {
    double start = 0;
    while (r->launched - r->shared->launches + (uint64_t)n > GTR__RING - 1) {
        if (start == 0) start = gtr__now();
        else if (gtr__now() - start > 2.0 || r->shared->status == 2) { /* all are done, counted or not */
            GTR__TRY(gtr__wait_all(r->ctx));
            r->launched = r->shared->launches;
        }
        gtr__pause();
    }
    return GTR_OK;
}
/* Waits, but for this runner's, until steps that may have to be repeated need not be, or are; left: but for so many. */
static gtr_result gtr__settle(gtr_context *ctx, const gtr__runner *but, uint64_t left) {
    if (ctx->dead) return ctx->error;
    for (gtr_trainer *t = ctx->trainers; t; t = t->next) {
        gtr__runner *r = t->runner;
        uint64_t count = r && r != but ? GTR__MIN(r->risky, r->launched) : 0;
        count -= GTR__MIN(count, left);
        const double start = count ? gtr__now() : 0;
        while (count && r->shared->launches < count && gtr__now() - start < 2.0) gtr__pause();
        if (!count || (r->shared->launches >= count && r->shared->status != 2)) continue;
        GTR__TRY(gtr__wait_all(ctx));
        r->launched = r->shared->launches; /* all are done, counted or not */
    }
    return GTR_OK;
}
/* Records that were fetched ahead, or lie in the ring for later steps, will not be those steps' after all. Drained. */
static gtr_result gtr__ctl_write(gtr__runner *r, gtr__ctl *ctl) {
    ctl->tag[0] = ctl->tag[1] = ctl->claim = 0;
    memset(ctl->ticket, 0, sizeof ctl->ticket); /* a meeting that failed may have left some */
    for (int i = 0; i < GTR__RING; i++) { r->shared->record[i].step = UINT64_MAX; r->shared->record[i].more = 0; }
    r->stale = false;
    r->launched = r->shared->launches;
    return gtr__to_device(r->ctx, 0, r->ctl, ctl, sizeof *ctl, "writing the control word");
}
static gtr_result gtr__ctl_read(gtr__runner *r, gtr__ctl *ctl) {
    GTR__TRY(gtr__drain(r->ctx));
    return gtr__to_host(r->ctx, 0, ctl, r->ctl, sizeof *ctl, "reading the control word");
}
/* The device may look at a record before its step is launched: it counts once its step is written. */
static void gtr__record_write(gtr__runner *r, uint64_t step, const gtr__record *rec) {
    gtr__record *to = &r->shared->record[step % GTR__RING];
    uint64_t old = to->step == step ? UINT64_MAX : to->step;
    *(volatile uint64_t *)&to->step = old;
    gtr__fence();
    *to = *rec;
    *(volatile uint64_t *)&to->step = old;
    gtr__fence();
    *(volatile uint64_t *)&to->step = step;
    gtr__fence();
}
/* Launches a part of a plan for n steps; their records are written but for the right part, whose left part had them. */
static gtr_result gtr__runner_launch(gtr__runner *r, gtr__cached *e, gtr__part part, gtr__record *rec, int n) {
    gtr_context *ctx = r->ctx;
    gtr__ctl ctl;
    if (part != GTR__PART_RIGHT) {
        GTR__TRY(gtr__settle(ctx, r, 0));
        GTR__TRY(gtr__runner_room(r, n));
        if (r->stale) { GTR__TRY(gtr__ctl_read(r, &ctl)); GTR__TRY(gtr__ctl_write(r, &ctl)); }
        for (int i = n - 1; i >= 0; i--) {
            rec[i].more = n - 1 - i;
            gtr__record_write(r, r->step + (uint64_t)i, &rec[i]);
        }
    }
    gtr__weights_lock(ctx);
    gtr_result s = ctx->be->launch(ctx->instance, e->exec, part);
    gtr__weights_unlock(ctx);
    if (s) { r->stale = true; return gtr__backend_result(ctx, s, "a step"); }
    if (part != GTR__PART_LEFT) { r->launched += (uint64_t)n; r->step += (uint64_t)n; }
    if (e->plan.waits) r->risky = r->launched;
    return GTR_OK;
}
/* The first of n labels or ids that is out of op's range, and what is wrong with it in text; -1: none. */
#define GTR__RANGE_TEXT 128
static int64_t gtr__out_of_range(const gtr_tensor *op, const void *ids, gtr_dtype dtype, int64_t n, char *text) {
    for (int64_t i = 0; i < n; i++) {
        int32_t v;
        if (dtype == GTR_U8) v = ((const uint8_t *)ids)[i]; else memcpy(&v, (const char *)ids + 4 * i, 4);
        if ((v >= 0 && v < op->limit) || (op->has_ignore && v == op->ignore)) continue;
        snprintf(text, GTR__RANGE_TEXT, "%ld, want 0 to %lld for %s", (long)v, (long long)op->limit - 1, op->builder);
        return i;
    }
    return -1;
}
/* Refuses a run that would read labels or ids out of range. They are looked at once after a gtr_set, and then only if
   an ignored or bad one is among them. fed: a data set's were checked. */
static gtr_result gtr__check_ranges(gtr_context *ctx, const gtr__cached *e, bool fed) {
    char text[GTR__RANGE_TEXT], who[GTR__OP_TEXT];
    for (int k = 0; k < e->n_limited; k++) {
        gtr_tensor *op = e->limited[k], *x = gtr__limited_input(op);
        const bool batched = gtr__batched(x);
        if ((fed && batched) || x->least > x->most || (x->least >= 0 && x->most < op->limit) || op->sets == x->sets)
            continue;
        const int64_t n = batched ? -gtr__count(&x->shape) * x->feeding->rows : gtr__count(&x->shape);
        void *copy = batched ? NULL : gtr__malloc(ctx, (size_t)n * 4);
        const void *ids = batched ? x->feeding->host[x->feeding->turn] : copy;
        if (!ids) return GTR_ERR_NOMEM;
        gtr_result r = copy ? gtr__to_host(ctx, x->stage, copy, x->data, (size_t)n * 4, gtr__label(x)) : GTR_OK;
        const int64_t i = !r ? gtr__out_of_range(op, ids, GTR_I32, n, text) : -1;
        gtr__mfree(ctx, copy);
        if (i >= 0)
            r = GTR__BAD_ARG(ctx, "%s: element %lld is %s", gtr__called(x, who), (long long)i, text);
        if (r) return r;
        if (op->ctx == ctx) op->sets = x->sets; /* a predictor's thread writes no tensors */
    }
    return GTR_OK;
}
/* What FEED reads of inputs that were set by hand. */
static gtr_result gtr__set_inputs(gtr_context *ctx, const gtr__cached *e, gtr__record *rec) {
    for (int i = 0; i < e->n_inputs; i++) if (gtr__batched(e->input[i])) {
        rec->src[i] = (uintptr_t)e->input[i]->feeding->source;
        e->input[i]->feeding->read = true;
    }
    return gtr__check_ranges(ctx, e, false);
}
static gtr_result gtr__batch_of_inputs(gtr_context *ctx, gtr_tensor *const *input, int n, const char *who,
        int64_t *batch) {
    gtr_tensor *first = NULL;
    *batch = 1;
    for (int i = 0; i < n; i++) {
        gtr_tensor *t = input[i];
        if (!t->feeding || !(t->feeding->source || !gtr__batched(t)))
            return GTR__BAD_STATE(ctx, "%s: input \"%s\" was not set (gtr_set, or gtr_trainer_data)", who, t->name);
        if (!gtr__batched(t)) continue;
        if (first && t->feeding->rows != *batch)
            return GTR__FAIL(ctx, SHAPE, "%s: input \"%s\" was set with a batch of %lld and \"%s\" with %lld",
                who, first->name, (long long)*batch, t->name, (long long)t->feeding->rows);
        first = t;
        *batch = t->feeding->rows;
    }
    return GTR_OK;
}

// >>set-get
static gtr_result gtr__input_rows(gtr_tensor *t, size_t bytes, int64_t *rows) {
    int64_t per = gtr__count(&t->shape), size;
    char text[GTR__TEXT];
    if (per < 0) per = -per;
    size = per * (int64_t)gtr__dtype_size(t->dtype);
    if (bytes == 0 || bytes > (size_t)INT64_MAX / 2 || (int64_t)bytes % size
        || (!gtr__batched(t) && (int64_t)bytes != size))
        return GTR__FAIL(t->ctx, SHAPE, "input \"%s\" %s %s: got %zu bytes, want %s%lld",
            t->name, gtr__shape_text(&t->shape, text), gtr__dtype_names[t->dtype], bytes,
            gtr__batched(t) ? "a multiple of " : "", (long long)size);
    *rows = gtr__batched(t) ? (int64_t)bytes / size : 1;
    return GTR_OK;
}
/* A context whose device is lost, or that only plans, runs nothing. */
static gtr_result gtr__runnable(gtr_context *ctx, const char *who) {
    if (!gtr__usable(ctx)) return ctx->error;
    return ctx->preset ? GTR__BAD_STATE(ctx, "%s: a context with a preset plans only", who) : GTR_OK;
}
static gtr_result gtr__set_check(gtr_tensor *t, const void *src, const char *who) {
    if (!t) return GTR_ERR_ARG;
    GTR__TRY(gtr__runnable(t->ctx, who));
    return src ? GTR_OK : GTR__BAD_ARG(t->ctx, "%s \"%s\": the source is NULL", who, gtr__label(t));
}
gtr_result gtr_set(gtr_tensor *t, const void *src, size_t bytes) {
    int64_t rows = 0;
    GTR__TRY(gtr__set_check(t, src, "gtr_set"));
    gtr_context *ctx = t->ctx;
    if (t->op == GTR__OP_PARAMETER || t->op == GTR__OP_CONSTANT) {
        char text[GTR__TEXT];
        if (bytes != t->data_bytes) return GTR__FAIL(ctx, SHAPE, "gtr_set \"%s\" %s: got %zu bytes, want %zu",
            gtr__label(t), gtr__shape_text(&t->shape, text), bytes, t->data_bytes);
        GTR__TRY(gtr__wait_all(ctx));
        gtr__weights_lock(ctx);
        if (t->dtype == GTR_I32) gtr__note_range(t, src, gtr__count(&t->shape));
        const gtr_result r = gtr__parameter_write(t, src);
        gtr__weights_unlock(ctx);
        return r;
    }
    if (t->op != GTR__OP_INPUT) return GTR__BAD_ARG(ctx,
        "gtr_set: \"%s\" is computed; inputs, parameters and constants can be set", gtr__label(t));
    GTR__TRY(gtr__input_rows(t, bytes, &rows));
    if (!gtr__batched(t)) { /* one copy, straight to the slot */
        GTR__TRY(gtr__feeding_new(t));
        GTR__TRY(gtr__settle(ctx, NULL, 0));
        GTR__TRY(gtr__block_grow(ctx, t->stage, &t->data, &t->data_bytes, bytes, "inputs"));
        gtr__weights_lock(ctx);
        if (t->dtype == GTR_I32) gtr__note_range(t, src, (int64_t)(bytes / 4));
        const gtr_result r = gtr__to_device(ctx, t->stage, t->data, src, bytes, t->name);
        gtr__weights_unlock(ctx);
        return r;
    }
    GTR__TRY(gtr__feeding_room(t, bytes));
    gtr__feeding *f = t->feeding;
    const int k = f->turn ^= 1;
    void *instance = ctx->instance[t->stage];
    GTR__TRY(gtr__settle(ctx, NULL, f->read)); /* the last step reads the other slot */
    f->read = false;
    if (f->event[k])
        GTR__TRY(gtr__backend_result(ctx, ctx->be->ready(instance, f->event[k ^ f->direct[k]]), t->name));
    memcpy(f->host[k], src, bytes);
    if (ctx->caps.cuda) {
        f->direct[k] = bytes <= 4096;
        GTR__TRY(gtr__backend_result(ctx, ctx->be->upload(instance, f->device[k], f->host[k], f->direct[k] ? 0 : bytes,
            f->event[!k], &f->event[k]), t->name));
    }
    f->source = f->direct[k] ? f->mapped[k] : f->device[k];
    f->rows = rows;
    if (t->dtype == GTR_I32) gtr__note_range(t, src, (int64_t)(bytes / 4));
    return GTR_OK;
}
gtr_result gtr_set_device(gtr_tensor *t, const void *src, size_t bytes, void *event) {
    int64_t rows;
    gtr_result r = GTR_OK;
    GTR__TRY(gtr__set_check(t, src, "gtr_set_device"));
    if (t->op != GTR__OP_INPUT || !gtr__batched(t))
        return GTR__BAD_ARG(t->ctx, "gtr_set_device: \"%s\" is not an input with a batch", gtr__label(t));
    GTR__TRY(gtr__input_rows(t, bytes, &rows));
    GTR__TRY(gtr__feeding_new(t));
    if (event) r = gtr__backend_result(t->ctx, t->ctx->be->wait_for(t->ctx->instance[t->stage], event), t->name);
    t->feeding->source = src;
    t->feeding->rows = rows;
    gtr__note_range(t, NULL, 0);
    return r;
}
/* Values that this plan keeps can be read from now on. */
static void gtr__mark_filled(gtr__cached *e) {
    for (int i = 0; i < e->plan.n_value; i++) {
        const gtr__value *v = &e->plan.value[i];
        gtr_tensor *t = v->tensor;
        if (v->home == GTR__HOME_INPUT && (v->only || v->storage == v->dtype)) {
            t->kept_storage = v->storage; t->slot_last = v->last != 0;
        }
        if (v->home != GTR__HOME_KEPT || !t) continue;
        t->kept_filled = true; t->kept_at = t->ctx->writes; t->kept_storage = v->storage;
        t->kept_shape = gtr__joined(t) ? gtr__literal(t->shape, e->plan.batch) : v->shape;
    }
}
static gtr_result gtr__runner_ready(gtr_context *ctx) {
    return ctx->runner || (ctx->runner = gtr__runner_new(ctx, 1)) ? GTR_OK : ctx->error;
}
static gtr_result gtr__eval(gtr_tensor *const *t, int n, int training) {
    gtr_context *ctx = NULL;
    gtr__record rec = GTR__ZERO;
    gtr_tensor *input[GTR__MAX_FEED];
    int64_t batch, highest;
    int n_inputs, i;
    if (!t || n < 1) return GTR_ERR_ARG;
    for (i = 0; i < n; i++) {
        if (!t[i]) return GTR_ERR_ARG;
        if (!ctx) ctx = t[i]->ctx;
        if (t[i]->ctx != ctx) return GTR__BAD_ARG(ctx, "gtr_eval: the tensors belong to different contexts");
    }
    GTR__TRY(gtr__runnable(ctx, "gtr_eval"));
    if (n > 32) return GTR__BAD_ARG(ctx, "gtr_eval: %d tensors, want 1 to 32", n);
    GTR__TRY(gtr__find_inputs(ctx, t, n, input, &n_inputs, &highest, NULL));
    GTR__TRY(gtr__batch_of_inputs(ctx, input, n_inputs, "gtr_eval", &batch));
    GTR__TRY(gtr__runner_ready(ctx));
    gtr__recipe recipe = gtr__recipe0(batch, training);
    for (i = 0; i < n; i++) recipe.fetch[i] = t[i];
    recipe.n_fetch = n;
    gtr__cached *e = gtr__entry_get(ctx, &recipe, NULL);
    if (!e) return ctx->error;
    GTR__TRY(gtr__entry_ready(ctx, e, ctx->runner));
    GTR__TRY(gtr__set_inputs(ctx, e, &rec));
    GTR__TRY(gtr__runner_launch(ctx->runner, e, GTR__PART_ALL, &rec, 1));
    gtr__mark_filled(e);
    return GTR_OK;
}
gtr_result gtr_eval(gtr_tensor *const *t, int n) { return gtr__eval(t, n, 0); }
gtr_result gtr_eval_train(gtr_tensor *const *t, int n) { return gtr__eval(t, n, 1); }
/* Whether a value must be computed before it is read: never kept, or of parameters alone, which have changed. */
static bool gtr__outdated(gtr_tensor *t) { return !t->kept_filled || (t->kept_at != t->ctx->writes && !t->fed); }
/* Copies n elements from device memory to dst as their logical dtype. */
static gtr_result gtr__read(gtr_context *ctx, int stage, void *dst, const void *src, gtr_dtype storage, gtr_dtype dtype,
        int64_t n, const char *what) {
    size_t bytes = (size_t)n * gtr__dtype_size(storage);
    if (storage == dtype) return gtr__to_host(ctx, stage, dst, src, bytes, what);
    void *tmp = gtr__malloc(ctx, bytes);
    if (!tmp) return GTR_ERR_NOMEM;
    gtr_result r = gtr__to_host(ctx, stage, tmp, src, bytes, what);
    if (!r) gtr__convert(dst, dtype, tmp, storage, n);
    gtr__mfree(ctx, tmp);
    return r;
}
static gtr_result gtr__get_leaf(gtr_tensor *t, const gtr_tensor *asked, void *dst, size_t bytes, bool first) {
    gtr_context *ctx = t->ctx;
    const size_t size = gtr__dtype_size(t->dtype);
    const bool reduced = t->kept_storage == GTR_BF16 || t->kept_storage == GTR_F16; /* as the last run had it */
    const gtr_dtype storage = t->op == GTR__OP_INPUT && reduced ? t->kept_storage : t->dtype;
    const int low = storage == GTR_F16;
    const void *src = storage == t->dtype ? t->data : t->low[low];
    size_t have = storage == t->dtype ? t->data_bytes : t->low_bytes[low] / gtr__dtype_size(storage) * size;
    char text[GTR__TEXT];
    if (first) have = bytes;
    if (t->op == GTR__OP_INPUT) {
        if (!src) return GTR__BAD_STATE(ctx, "gtr_get: input \"%s\" has not been used by a run", t->name);
        if (bytes <= have && bytes % size == 0) have = bytes; /* a prefix of the slot: the caller knows the batch */
        else if (gtr__batched(t) && t->feeding) /* more may have been set since */
            have = GTR__MIN(have, (size_t)(t->feeding->rows * -gtr__count(&t->shape)) * size);
    }
    if (bytes != have) return GTR__FAIL(ctx, SHAPE, "gtr_get \"%s\" %s: got room for %zu bytes, want %zu",
        gtr__label(asked), gtr__shape_text(&asked->shape, text), bytes, have);
    if (t->last && !first) return gtr__parameter_read(t, dst);
    if (t->op != GTR__OP_INPUT || !t->slot_last || first)
        return gtr__read(ctx, t->stage, dst, src, storage, t->dtype, (int64_t)(bytes / size), gtr__label(t));
    const int64_t row = -gtr__count(&t->shape), n = ((int64_t)(bytes / size) + row - 1) / row * row;
    gtr_float *room = GTR__NEW(ctx, gtr_float, 2 * n);
    const gtr_result r = room ? gtr__read(ctx, t->stage, room, src, storage, t->dtype, n, gtr__label(t))
        : GTR_ERR_NOMEM;
    if (!r) gtr__elements_turn(t, n, room + n, room, false);
    if (!r) memcpy(dst, room + n, bytes);
    gtr__mfree(ctx, room);
    return r;
}
/* first: of its first element alone, and what was not kept is computed anew. */
static gtr_result gtr__get_some(gtr_tensor *t, void *dst, size_t bytes, bool first) {
    char text[GTR__TEXT], who[GTR__OP_TEXT];
    gtr_context *ctx = t->ctx;
    GTR__TRY(gtr__wait_all(ctx));
    gtr_tensor *s = gtr__stored_as(t);
    if (s->op <= GTR__OP_CONSTANT)
        return gtr__get_leaf(s, t, dst, bytes, first);
    if (gtr__outdated(s)) {
        if (t->fed && !first)
            return GTR__BAD_STATE(ctx, "gtr_get: %s was not kept: ask for it in gtr_eval, or mark it "
                    "with gtr_keep before the run", gtr__called(t, who));
        GTR__TRY(gtr_eval(&t, 1));
        GTR__TRY(gtr__wait_all(ctx));
    }
    const size_t size = gtr__dtype_size(t->dtype), want = (size_t)gtr__count(&s->kept_shape) * size;
    if (bytes != want && !first)
        return GTR__FAIL(ctx, SHAPE, "gtr_get %s: got room for %zu bytes, want %zu for %s %s",
                gtr__called(t, who), bytes, want, gtr__shape_text(&s->kept_shape, text),
                gtr__dtype_names[t->dtype]);
    return gtr__read(ctx, s->stage, dst, s->kept, s->kept_storage, t->dtype, (int64_t)(bytes / size), gtr__label(t));
}
gtr_result gtr_get(gtr_tensor *t, void *dst, size_t bytes) {
    if (!t) return GTR_ERR_ARG;
    GTR__TRY(gtr__runnable(t->ctx, "gtr_get"));
    return dst ? gtr__get_some(t, dst, bytes, false)
        : GTR__BAD_ARG(t->ctx, "gtr_get \"%s\": the destination is NULL", gtr__label(t));
}
float gtr_item(gtr_tensor *t) {
    union { gtr_float f; int32_t i; int64_t l; } v;
    if (!t || gtr__runnable(t->ctx, "gtr_item") || gtr__get_some(t, &v, gtr__dtype_size(t->dtype), true))
        return NAN;
    return t->dtype == GTR_F32 ? (float)v.f : t->dtype == GTR_I64 ? (float)v.l : (float)v.i;
}

// >>schedule
/* A row's rate in step s, 0-based, of so many, behind any warm-up; scale: lr / desc.lr. By closed form: nothing to
   save, nothing to recur, but for the plateau's. */
typedef struct { const gtr_trainer *t; const gtr_trainer_desc *d; double lr, scale, s, steps; } gtr__rate_at;
typedef struct { const char *name; bool warms, ends; double (*rate)(const gtr__rate_at *a); } gtr__schedule_row;
static double gtr__part_done(const gtr__rate_at *a) { return a->s >= a->steps ? 1 : a->s / a->steps; }
static double gtr__rate_constant(const gtr__rate_at *a) { return a->lr; }
static double gtr__rate_cosine(const gtr__rate_at *a) {
    const double least = a->d->min_lr * a->scale;
    return least + 0.5 * (a->lr - least) * (1 + cos(3.14159265358979323846 * gtr__part_done(a)));
}
static double gtr__rate_custom(const gtr__rate_at *a) {
    return a->d->lr_fn((int64_t)a->s, a->d->lr_user) * a->scale;
}
static double gtr__rate_step(const gtr__rate_at *a) {
    return a->lr * pow(a->d->gamma, floor(a->s / (double)a->d->decay_steps));
}
static double gtr__rate_exponential(const gtr__rate_at *a) {
    return a->lr * pow(a->d->gamma, a->s / (double)a->d->decay_steps);
}
static double gtr__rate_linear(const gtr__rate_at *a) {
    const double first = a->d->start_factor;
    return a->lr * (first + (a->d->end_factor - first) * gtr__part_done(a));
}
static double gtr__rate_one_cycle(const gtr__rate_at *a) {
    const gtr_trainer_desc *d = a->d;
    const int phases = d->three_phase ? 3 : 2;
    const double pct = d->pct_start, low = a->lr / d->div_factor, last = low / d->final_div_factor;
    const double end[] = { pct * a->steps - 1, d->three_phase ? 2 * pct * a->steps - 2 : a->steps - 1, a->steps - 1 };
    const double rate[] = { low, a->lr, d->three_phase ? low : last, last };
    int i = 0;
    while (i < phases - 1 && a->s > end[i]) i++;
    const double first = i ? end[i - 1] : 0, span = end[i] - first;
    const double part = a->s >= end[i] || !(span > 0) ? 1 : (a->s - first) / span;
    return d->anneal_linear ? rate[i] + (rate[i + 1] - rate[i]) * part
        : rate[i + 1] + (rate[i] - rate[i + 1]) / 2 * (1 + cos(3.14159265358979323846 * part));
}
static double gtr__rate_plateau(const gtr__rate_at *a) { return a->t->plateau.rate * a->scale; }
static const gtr__schedule_row gtr__schedules[] = { /* by gtr_schedule */
    { "constant", true, false, gtr__rate_constant }, { "cosine", true, true, gtr__rate_cosine },
    { "custom", false, false, gtr__rate_custom }, { "step", true, false, gtr__rate_step },
    { "exponential", true, false, gtr__rate_exponential }, { "linear", true, true, gtr__rate_linear },
    { "one-cycle", false, true, gtr__rate_one_cycle }, { "plateau", false, false, gtr__rate_plateau }
};
static gtr_result gtr__schedule_steps(gtr_context *ctx, const gtr_trainer_desc *d, int64_t steps) {
    if (steps >= 1 && d->warmup_steps >= 0 && d->warmup_steps <= steps) return GTR_OK;
    return GTR__BAD_ARG(ctx, "trainer: a %s schedule has %lld steps with %lld of warm-up, want at least "
            "1 and at most as many", gtr__schedules[d->schedule].name, (long long)steps, (long long)d->warmup_steps);
}
#define GTR__DEFAULT(field, value) do if (d->field == 0) d->field = value; while (0)
#define GTR__WRONG(wrong, ...) do if (wrong) return GTR__BAD_ARG(ctx, "trainer: " __VA_ARGS__); while (0)
/* Its numbers are finite and not negative. */
static gtr_result gtr__schedule_check(gtr_context *ctx, gtr_trainer_desc *d) {
    GTR__WRONG((size_t)d->schedule >= GTR__LENGTH(gtr__schedules), "schedule is not of its enum");
    const gtr__schedule_row *row = &gtr__schedules[d->schedule];
    GTR__WRONG(d->warmup_steps != 0 && !row->warms, "a %s schedule has no warmup_steps", row->name);
    GTR__TRY(gtr__schedule_steps(ctx, d, row->ends && d->total_steps ? d->total_steps : INT64_MAX));
    GTR__WRONG(d->schedule == GTR_CUSTOM_SCHEDULE && !d->lr_fn, "GTR_CUSTOM_SCHEDULE needs lr_fn");
    GTR__WRONG(d->decay_steps < (d->schedule == GTR_STEP_DECAY) || (d->schedule == GTR_EXPONENTIAL && d->gamma == 0),
        "GTR_STEP_DECAY needs decay_steps of at least 1, GTR_EXPONENTIAL a gamma above 0");
    GTR__WRONG(d->pct_start > 1 || (d->three_phase && d->pct_start > 0.5f) || d->plateau_patience < -1
        || d->plateau_cooldown < 0, "pct_start above 1 (three_phase: a half), plateau_patience or plateau_cooldown");
    GTR__DEFAULT(decay_steps, 1); GTR__DEFAULT(gamma, 0.1f);
    GTR__DEFAULT(start_factor, 1.0f / 3); GTR__DEFAULT(end_factor, 1);
    GTR__DEFAULT(pct_start, 0.3f); GTR__DEFAULT(div_factor, 25); GTR__DEFAULT(final_div_factor, 1e4f);
    GTR__DEFAULT(plateau_patience, 10); GTR__DEFAULT(threshold, 1e-4f);
    d->plateau_patience = GTR__MAX(d->plateau_patience, 0);
    return GTR_OK;
}
/* The rate of attempted step s; NaN: no length yet. */
static float gtr__rate(const gtr_trainer *t, int64_t s) {
    const gtr_trainer_desc *d = &t->desc;
    const gtr__schedule_row *row = &gtr__schedules[d->schedule];
    const double lr = t->lr;
    const int64_t total = d->total_steps ? d->total_steps : t->fit_steps;
    if (row->ends && !d->total_steps) s -= (int64_t)t->fit_step0;
    if (row->ends && !total) return (float)NAN;
    if (s < d->warmup_steps) return (float)(lr * (double)(s + 1) / (double)d->warmup_steps);
    const gtr__rate_at a = { t, d, lr, lr / (double)d->lr, (double)(s - d->warmup_steps),
        (double)(total - d->warmup_steps) };
    return (float)row->rate(&a);
}
/* At the start of a gtr_fit of so many steps, which may be the schedule's length. */
static gtr_result gtr__rate_begin(gtr_trainer *t, int64_t steps) {
    const gtr_trainer_desc *d = &t->desc;
    const gtr__schedule_row *row = &gtr__schedules[d->schedule];
    const int64_t at = (int64_t)t->runner->step;
    char text[GTR__TEXT];
    t->fit_step0 = t->runner->step; t->fit_steps = steps;
    if (!row->ends) return GTR_OK;
    snprintf(text, sizeof text, "gtr_fit starts where its %s schedule has ended: the rate stays", row->name);
    if (d->total_steps && at >= d->total_steps) gtr__host_cb_log(t->ctx, GTR_LOG_WARNING, text);
    return d->total_steps ? GTR_OK : gtr__schedule_steps(t->ctx, d, steps);
}
gtr_result gtr_trainer_lr(gtr_trainer *t, float lr) {
    if (!t) return GTR_ERR_ARG;
    if (!gtr__usable(t->ctx)) return t->ctx->error;
    if (!(lr >= 0) || !gtr__finite(lr))
        return GTR__BAD_ARG(t->ctx, "gtr_trainer_lr: %g, want a finite rate of at least 0", lr);
    t->lr = lr;
    return GTR_OK;
}
/* Whether v is better than best by more than margin; NaN is not. */
static bool gtr__better(double v, double best, bool largest, double margin) {
    return largest ? v > best + margin : v < best - margin;
}
static void gtr__plateau_value(gtr_trainer *t, double value, bool largest) {
    const gtr_trainer_desc *d = &t->desc;
    gtr__plateau *p = &t->plateau;
    if (!p->any) p->best = largest ? -INFINITY : INFINITY;
    p->any = true;
    const double part = d->threshold_absolute ? 1 : gtr__finite(p->best) ? p->best : 0;
    if (gtr__better(value, p->best, largest, d->threshold * part)) { p->best = value; p->bad = 0; }
    else p->bad++;
    if (p->cooldown > 0) { p->cooldown--; p->bad = 0; }
    if (p->bad <= d->plateau_patience) return;
    const double rate = GTR__MAX(p->rate * d->gamma, (double)d->min_lr);
    if (p->rate - rate > 1e-8) p->rate = rate;
    p->cooldown = d->plateau_cooldown; p->bad = 0;
}
gtr_result gtr_trainer_plateau(gtr_trainer *t, float value, bool largest) {
    if (!t) return GTR_ERR_ARG;
    if (!gtr__usable(t->ctx)) return t->ctx->error;
    if (t->desc.schedule != GTR_PLATEAU || t->fit)
        return GTR__BAD_STATE(t->ctx, "gtr_trainer_plateau: the schedule is %s%s",
            gtr__schedules[t->desc.schedule].name, t->fit ? ", and gtr_fit's own" : "");
    gtr__plateau_value(t, value, largest);
    return GTR_OK;
}

// >>training
static size_t gtr__column_bytes(const gtr_dataset *d, const gtr__column *c) {
    return c->span ? (size_t)c->span * gtr__dtype_size(c->dtype) : (size_t)d->rows * c->row_bytes;
}
/* Host memory on the device of stage 0: a copy or, on the CPU, itself. NULL and an error on failure. */
static void *gtr__rows_on_device(gtr_context *ctx, void *host, size_t bytes, const char *name, int column) {
    void *p = ctx->caps.cuda ? gtr__device_alloc(ctx, 0, bytes) : host;
    gtr_result r = !p ? GTR_ERR_NOMEM : !ctx->caps.cuda ? GTR_OK
        : ctx->be->copy(ctx->instance[0], p, host, bytes, GTR__TO_DEVICE, true);
    if (!r) return p;
    gtr__device_free(ctx, 0, p, bytes);
    gtr__fail(ctx, r, "%s: bringing column %d (%zu bytes) to the device failed", name, column, bytes);
    return NULL;
}
/* Brings every column to the device of stage 0; from then on the rows stay as they are. */
static gtr_result gtr__dataset_device(gtr_dataset *d) {
    for (int i = 0; i < d->n_columns; i++) {
        gtr__column *c = &d->column[i];
        const gtr__column *of = c->shared ? d->column : NULL;
        if (of) c->device = (uint8_t *)of->device + (c->host - of->host);
        else if (!c->device) c->device = gtr__rows_on_device(d->ctx, c->host, gtr__column_bytes(d, c), d->name, i);
        if (!c->device) return d->ctx->error;
    }
    d->used = true;
    return GTR_OK;
}
/* '*' any run, '?' one character */
static bool gtr__glob(const char *p, const char *s) {
    for (; *p; p++, s++) {
        if (*p == '*') {
            while (p[1] == '*') p++;
            for (;; s++) { if (gtr__glob(p + 1, s)) return true; if (!*s) return false; }
        }
        if (!*s || (*p != '?' && *p != *s)) return false;
    }
    return !*s;
}
typedef struct {
    gtr__rule_kind plain, momentum, nesterov; /* with momentum: the plain one, if it has none */
    float lr, beta1, beta2, weight_decay;
    bool decoupled, corrected;
} gtr__optimizer_row;
static const gtr__optimizer_row gtr__optimizers[] = {
    { GTR__RULE_SGD, GTR__RULE_MOMENTUM, GTR__RULE_NESTEROV, 1e-2f, 0.9f, 0.999f, 0, false, false },
    { GTR__RULE_ADAM, GTR__RULE_ADAM, GTR__RULE_ADAM, 1e-3f, 0.9f, 0.999f, 0, false, true },
    { GTR__RULE_ADAM, GTR__RULE_ADAM, GTR__RULE_ADAM, 1e-3f, 0.9f, 0.999f, 0.01f, true, true },
    { GTR__RULE_RMSPROP, GTR__RULE_RMSPROP_MOMENTUM, GTR__RULE_RMSPROP, 1e-2f, 0.9f, 0.99f, 0, false, false },
    { GTR__RULE_LION, GTR__RULE_LION, GTR__RULE_LION, 1e-4f, 0.9f, 0.99f, 0, true, false }
};
#define GTR__N_OPTIMIZERS GTR__LENGTH(gtr__optimizers)
#define GTR__RULE_STATES(ID, states, ...) states,
/* The rule of a trainer whose defaults are filled in. */
static void gtr__optim_rule(gtr__optim *o, const gtr_trainer_desc *d) {
    static const int states[] = { GTR__RULES(GTR__RULE_STATES) };
    const gtr__optimizer_row *row = &gtr__optimizers[d->optimizer];
    gtr__rule *k = &o->rule;
    k->kind = d->nesterov ? row->nesterov : d->momentum > 0 ? row->momentum : row->plain;
    o->states = states[k->kind];
    o->decoupled = row->decoupled; o->corrected = row->corrected;
    o->all = o->states + (d->ema > 0);
    o->beta1 = d->beta1; o->beta2 = d->beta2; o->ema = d->ema;
    k->mu = d->momentum; k->eps = d->eps;
    k->one_b1 = (gtr_float)(1 - o->beta1);
    k->b2 = (gtr_float)o->beta2; k->one_b2 = (gtr_float)(1 - o->beta2);
}
#define GTR__NUMBERS(X) X(lr) X(momentum) X(weight_decay) X(beta1) X(beta2) X(eps) X(min_lr) X(clip_norm) \
    X(loss_scale) X(ema) X(gamma) X(start_factor) X(end_factor) X(pct_start) X(div_factor) X(final_div_factor) \
    X(threshold)
#define GTR__NUMBER(name) { d->name, #name },
static gtr_result gtr__trainer_check(gtr_context *ctx, gtr_trainer_desc *d) {
    const struct { float v; const char *name; } of[] = { GTR__NUMBERS(GTR__NUMBER) };
    for (size_t i = 0; i < GTR__LENGTH(of); i++)
        GTR__WRONG(!(of[i].v >= 0) || !gtr__finite(of[i].v), "%s is %g, want a finite number of at least 0",
            of[i].name, of[i].v);
    GTR__WRONG(d->momentum > 1 || d->beta1 >= 1 || d->beta2 >= 1 || d->ema >= 1,
        "momentum %g, beta1 %g, beta2 %g, ema %g, want at most 1, and the others below 1",
        d->momentum, d->beta1, d->beta2, d->ema);
    GTR__WRONG((unsigned)d->optimizer >= GTR__N_OPTIMIZERS
        || (unsigned)d->precision > GTR_MIXED_FP16 || (unsigned)d->nonfinite > GTR_NONFINITE_LOSS,
        "optimizer, precision or nonfinite is not of its enum");
    const gtr__optimizer_row *row = &gtr__optimizers[d->optimizer];
    GTR__WRONG(d->momentum > 0 && row->momentum == row->plain,
        "momentum is SGD's and RMSprop's; the others have beta1");
    GTR__WRONG(d->nesterov && (!(d->momentum > 0) || row->nesterov == row->plain),
        "nesterov needs SGD with a momentum");
    GTR__TRY(gtr__schedule_check(ctx, d));
    GTR__WRONG(d->micro_batches < 0 || d->micro_batches > 64 || d->streams < 0 || d->streams > GTR__MAX_STREAMS,
        "%d micro-batches and %d streams, want 1 to 64 and 1 to %d", d->micro_batches, d->streams, GTR__MAX_STREAMS);
    GTR__WRONG(d->n_groups < 0 || d->n_groups > GTR__MAX_GROUPS - 1 || (d->n_groups && !d->groups),
        "%d groups, want 0 to %d at .groups", d->n_groups, GTR__MAX_GROUPS - 1);
    for (int i = 0; i < d->n_groups; i++) {
        const gtr_group *g = &d->groups[i];
        GTR__WRONG(!g->pattern || !(g->lr_scale >= 0) || !(g->weight_decay >= 0) || !gtr__finite(g->lr_scale)
            || !gtr__finite(g->weight_decay),
            "group %d needs a pattern, and lr_scale and weight_decay of at least 0", i);
    }
    if (d->precision == GTR_MIXED_BF16 && !ctx->caps.bf16) return GTR__FAIL(ctx, UNSUPPORTED,
        "trainer: %s has no bfloat16 products (sm_80 has); use GTR_MIXED_FP16 or GTR_FP32", ctx->caps.name);
    if (d->precision == GTR_TF32 && !ctx->caps.tf32) d->precision = GTR_FP32;
    GTR__DEFAULT(lr, row->lr);
    GTR__DEFAULT(beta1, row->beta1);
    GTR__DEFAULT(beta2, row->beta2);
    GTR__DEFAULT(eps, 1e-8f);
    GTR__DEFAULT(weight_decay, row->weight_decay);
    GTR__DEFAULT(loss_scale, 65536);
    GTR__DEFAULT(micro_batches, 1);
    return GTR_OK;
}
/* The parameters that a gradient reaches, last made first: about the order in which backward finishes them. */
static gtr_result gtr__trainer_parameters(gtr_trainer *t) {
    gtr_context *ctx = t->ctx;
    unsigned char *reach = GTR__NEW(ctx, unsigned char, ctx->n_tensor);
    uint32_t fits = 0; /* groups whose pattern fits one */
    int g;
    if (!reach) return GTR_ERR_NOMEM;
    gtr__gradient_reach(t->loss, reach);
    t->param = GTR__NEW(ctx, gtr_tensor *, ctx->n_parameter);
    t->group_of = GTR__NEW(ctx, int, ctx->n_parameter);
    t->offset = GTR__NEW(ctx, int64_t, ctx->n_parameter);
    t->lookups = GTR__NEW(ctx, bool, ctx->n_parameter);
    for (int64_t i = ctx->n_parameter - 1; i >= 0 && t->param && t->group_of && t->offset; i--) {
        gtr_tensor *p = ctx->parameter[i];
        for (g = t->n_groups - 2; g >= 0; g--) if (gtr__glob(t->group[g].pattern, p->name)) fits |= 1u << g;
        if (!p->trainable || !reach[p->id]) continue;
        for (g = 0; g < t->n_groups - 1; g++) if (gtr__glob(t->group[g].pattern, p->name)) break;
        if (t->group[g].frozen) continue;
        t->param[t->n_param] = p;
        t->group_of[t->n_param] = g;
        t->offset[t->n_param++] = t->total;
        t->total += GTR__ROUND_UP(gtr__count(&p->shape), 64);
    }
    gtr__mfree(ctx, reach);
    if (!t->param || !t->group_of || !t->offset || !t->lookups) return GTR_ERR_NOMEM;
    for (g = 0; g < t->n_groups - 1; g++)
        if (!(fits >> g & 1)) return GTR__BAD_ARG(ctx,
            "trainer: group %d's pattern \"%s\" fits no parameter (names are like \"fc1.weight\", and '*' stands "
            "for any run)", g, t->group[g].pattern);
    return t->n_param ? GTR_OK : GTR__BAD_ARG(ctx,
        "trainer: the loss \"%s\" depends on no parameter that can be trained", gtr__label(t->loss));
}
static gtr_result gtr__trainer_buffers(gtr_trainer *t) {
    gtr_context *ctx = t->ctx;
    size_t bytes = (size_t)t->total * sizeof(gtr_float);
    for (int i = -1; i < t->optim.all; i++) {
        gtr_float **buffer = i < 0 ? &t->gradient : &t->optim.state[i];
        *buffer = (gtr_float *)gtr__device_alloc(ctx, 0, bytes);
        if (!*buffer) return GTR_ERR_NOMEM;
        GTR__TRY(gtr__backend_result(ctx, ctx->be->zero(ctx->instance[0], *buffer, bytes), "a trainer's buffers"));
    }
    t->host_segments = GTR__NEW(ctx, gtr__segment, t->n_param);
    t->segments = t->host_segments
        ? (gtr__segment *)gtr__device_alloc(ctx, 0, (size_t)t->n_param * sizeof *t->segments) : NULL;
    return t->segments ? GTR_OK : GTR_ERR_NOMEM;
}
/* The segment table follows the parameters' low-precision copies. */
static gtr_result gtr__trainer_segments(gtr_trainer *t) {
    gtr_context *ctx = t->ctx;
    for (int i = 0; i < t->n_param; i++) {
        gtr__segment *s = &t->host_segments[i];
        memset(s, 0, sizeof *s);
        s->p = (gtr_float *)t->param[i]->data;
        s->bf16 = t->param[i]->low[0]; s->f16 = t->param[i]->low[1];
        s->offset = t->offset[i]; s->count = gtr__count(&t->param[i]->shape); s->group = t->group_of[i];
    }
    t->low_version = ctx->low_version;
    return gtr__to_device(ctx, 0, t->segments, t->host_segments, (size_t)t->n_param * sizeof *t->segments,
        "a trainer's segments");
}
static gtr_result gtr__trainer_current(gtr_trainer *t) {
    if (t->low_version == t->ctx->low_version) return GTR_OK;
    GTR__TRY(gtr__wait_all(t->ctx));
    return gtr__trainer_segments(t);
}
static void gtr__note_lookups(gtr_trainer *t, const gtr__plan *p) {
    GTR__CLEAR(t->lookups, t->n_param);
    for (int i = 0; i < p->lookups; i++) t->lookups[p->of[i]] = true;
}
static void gtr__trainer_optim(gtr_trainer *t) {
    gtr__optim *o = &t->optim;
    o->n = t->n_param; o->groups = t->n_groups; o->segments = t->segments;
    o->gradient = t->gradient;
    o->count = t->total;
    o->clip = t->desc.clip_norm;
    o->scaled = t->desc.precision == GTR_MIXED_FP16;
    o->loss_only = t->desc.nonfinite == GTR_NONFINITE_LOSS;
    for (int g = 0; g < t->n_groups; g++)
        o->weight_decay[g] = t->group[g].weight_decay != 0 ? t->group[g].weight_decay : t->desc.weight_decay;
    o->shared = t->runner ? t->runner->shared_device : NULL;
}
static void gtr__trainer_free(gtr_trainer *t) {
    gtr_context *ctx = t->ctx;
    size_t bytes = (size_t)t->total * sizeof(gtr_float);
    if (!gtr__forked(ctx)) gtr__wait_all(ctx);
    gtr__plans_drop(ctx, t, NULL, 0);
    gtr__device_free(ctx, 0, t->gradient, bytes);
    for (int g = 0; g < t->optim.all; g++) gtr__device_free(ctx, 0, t->optim.state[g], bytes);
    gtr__device_free(ctx, 0, t->segments, (size_t)t->n_param * sizeof *t->segments);
    for (int g = 0; g < t->n_groups; g++) gtr__mfree(ctx, t->group[g].pattern);
    gtr__mfree(ctx, t->host_segments);
    gtr__mfree(ctx, t->param); gtr__mfree(ctx, t->group_of); gtr__mfree(ctx, t->offset);
    gtr__mfree(ctx, t->lookups);
    gtr__mfree(ctx, t->metered);
    if (t->runner) gtr__runner_free(t->runner);
    gtr__mfree(ctx, t);
}
gtr_trainer *gtr_trainer_create(gtr_tensor *loss, gtr_trainer_desc desc) {
    const gtr_precision asked = desc.precision;
    int64_t highest;
    if (!loss) return NULL;
    gtr_context *ctx = loss->ctx;
    if (!gtr__usable(ctx) || gtr__trainer_check(ctx, &desc) || gtr__check_loss(loss, "trainer"))
        return NULL;
    gtr_trainer *t = GTR__NEW(ctx, gtr_trainer, 1);
    if (!t) return NULL;
    t->ctx = ctx; t->desc = desc; t->loss = loss; t->lr = desc.lr; t->asked = asked;
    t->plateau.rate = desc.lr;
    gtr__optim_rule(&t->optim, &desc);
    bool ok = true;
    for (int g = 0; g < desc.n_groups && ok; g++) {
        t->group[g] = desc.groups[g];
        t->group[g].pattern = gtr__strdup(ctx, desc.groups[g].pattern);
        ok = t->group[g].pattern != NULL;
        t->n_groups++;
    }
    t->desc.groups = NULL;
    if (ok) t->n_groups++; /* the rest, with the trainer's own figures */
    ok = ok && gtr__trainer_parameters(t) == GTR_OK;
    ok = ok && gtr__find_inputs(ctx, &loss, 1, t->input, &t->n_inputs, &highest, NULL) == GTR_OK;
    if (ok && !ctx->preset) {
        ok = gtr__trainer_buffers(t) == GTR_OK && gtr__trainer_segments(t) == GTR_OK &&
             (t->runner = gtr__runner_new(ctx, desc.precision == GTR_MIXED_FP16 ? desc.loss_scale : 1)) != NULL;
    }
    if (!ok) { gtr__trainer_free(t); return NULL; }
    gtr__trainer_optim(t);
    t->next = ctx->trainers;
    ctx->trainers = t;
    return t;
}
/* What a running gtr_fit can't go on after is refused in its callback, and ends it. */
static gtr_result gtr__refuse(gtr_trainer *t, const char *who) {
    if (!t->fit) return GTR_OK;
    return t->refused = GTR__BAD_STATE(t->ctx, "%s in the callback of gtr_fit, which can't go on then", who);
}
void gtr_trainer_destroy(gtr_trainer *t) {
    gtr_trainer **at;
    if (!t || gtr__refuse(t, "gtr_trainer_destroy")) return;
    gtr__settle(t->ctx, NULL, 0); /* its parameters stay */
    for (at = &t->ctx->trainers; *at; at = &(*at)->next) if (*at == t) { *at = t->next; gtr__trainer_free(t); return; }
}

// >>nonfinite
static bool gtr__check_value(gtr_context *ctx, int stage, void *data, gtr_dtype storage, const gtr_shape *shape) {
    gtr_shape one = gtr_shape0();
    int32_t found = 0;
    if (!data || !gtr__is_float(storage)) return false;
    if (gtr__run_single(ctx, stage, GTR__OP_CHECK, gtr__arg_of(data, storage, shape),
            gtr__arg_of(ctx->check_flag, GTR_I32, &one)))
        return false;
    if (ctx->be->wait(ctx->instance[stage])
            || ctx->be->copy(ctx->instance[0], &found, ctx->check_flag, sizeof found, GTR__TO_HOST, true))
        return false;
    return found != 0;
}
static bool gtr__counts_none(gtr_context *ctx, const gtr__cached *e, int count) {
    gtr_float n = 1;
    const void *at = gtr__value_address(ctx, e, count);
    void *instance = ctx->instance[e->plan.value[count].stage];
    return at && ctx->be->copy(instance, &n, at, sizeof n, GTR__TO_HOST, true) == GTR_OK && n == 0;
}
/* The first such element of an input that gtr_set set. */
static void gtr__find_in_input(gtr_context *ctx, const gtr__value *v, const void *at, char *text, size_t size) {
    const int64_t n = gtr__count(&v->shape), row = n / v->shape.dim[0];
    gtr_float *x = GTR__NEW(ctx, gtr_float, n);
    int64_t i = x && gtr__read(ctx, v->stage, x, at, v->storage, GTR_F32, n, "an input") == GTR_OK ? 0 : n;
    while (i < n && gtr__finite((double)x[i])) i++;
    if (i < n && v->last) snprintf(text, size, ", row %lld,", (long long)(i / row));
    else if (i < n) snprintf(text, size, ", row %lld, element %lld,", (long long)(i / row), (long long)(i % row));
    gtr__mfree(ctx, x);
}
/* The first such value of a step's rows of its data set, if it has one. */
static bool gtr__find_in_data(const gtr_trainer *t, const gtr__record *rec, char *text, size_t size) {
    const gtr_dataset *d = t->data;
    for (int i = 0; d && i < t->n_inputs; i++) {
        const gtr__column *c = &d->column[t->column[i]];
        for (int64_t k = rec->first; c->host && k < GTR__MIN(rec->first + t->batch, d->rows); k++) {
            int64_t row = k, j = 0;
            if (rec->key) GTR__SHUFFLE(row, d->rows, rec->key);
            const gtr_float *x = (const gtr_float *)gtr_dataset_row(d, t->column[i], row);
            if (c->dtype != GTR_F32 || !gtr__nonfinite(x, c->row)) continue;
            while (gtr__finite((double)x[j])) j++;
            snprintf(text, size, "the input \"%.200s\", data set \"%s\", row %lld, column %d, element %lld,",
                t->input[i]->name, d->name, (long long)row, t->column[i], (long long)j);
            return true;
        }
    }
    return false;
}
/* What usually helps, by what is known; first: no update was made before. */
static void gtr__cures(const gtr_trainer *t, bool first, float lr, char *text, size_t size) {
    const gtr_trainer_desc *d = &t->desc;
    int n = 0;
    if (first) GTR__APPEND(text, size, n, "; there was no update before it: look for values out of scale in the data, "
        "and for log, sqrt or a division where 0 may be");
    else {
        GTR__APPEND(text, size, n, "; try a lower rate than %g, ", (double)lr);
        if (d->clip_norm > 0) GTR__APPEND(text, size, n, "a clip_norm below %g", (double)d->clip_norm);
        else GTR__APPEND(text, size, n, "clip_norm");
    }
    if (d->precision == GTR_MIXED_FP16)
        GTR__APPEND(text, size, n, ", %s instead of GTR_MIXED_FP16", t->ctx->caps.bf16 ? "GTR_MIXED_BF16" : "GTR_FP32");
}
static bool gtr__check_one(gtr_context *ctx, const gtr__cached *e, int value, const gtr__node *n,
        char *text, size_t size) {
    const gtr__value *v = &e->plan.value[value];
    char shape[GTR__TEXT];
    const char *name = gtr__value_name(&e->plan, value);
    if (!gtr__check_value(ctx, v->stage, gtr__value_address(ctx, e, value), v->storage, &v->shape)) return false;
    const gtr_shape logical = gtr__shape_logical(v);
    gtr__shape_text(&logical, shape);
    if (v->gradient_of >= 0) snprintf(text, size, "the gradient of \"%s\" %s, made by %s \"%s\"",
        gtr__value_name(&e->plan, v->gradient_of), shape, gtr__row(n->op)->name, n->layer);
    else if (!n) {
        char where[64] = "";
        if (v->home == GTR__HOME_INPUT && v->shape.ndim && e->recipe.micro == 1)
            gtr__find_in_input(ctx, v, gtr__value_address(ctx, e, value), where, sizeof where);
        snprintf(text, size, "the %s \"%s\" %s%s", gtr__row(v->tensor->op)->name, name, shape, where);
    } else {
        const bool none = gtr__row(n->op)->flags & GTR__TALLIES && value == n->out[0]
            && (n->n_out < 3 || gtr__counts_none(ctx, e, n->out[2]));
        const char *why = !none ? "" : n->n_out < 3 && n->attr.i[2] ? ", or their classes have no weight)" : ")";
        snprintf(text, size, "the output of %s \"%s\" %s%s%s", gtr__row(n->op)->name, n->layer, shape,
            none ? " (all labels of the step are ignored" : "", why);
    }
    return true;
}
/* The bad step's batch is still there: its forward and backward run once more, each value checked as it is made; to
   their end, as values lie in gradients' places until these are written. */
static void gtr__find_nonfinite(gtr_context *ctx, gtr__cached *e, bool edited, char *text, size_t size) {
    gtr__plan *p = &e->plan;
    bool found = false;
    for (int i = 0; i < p->n_value; i++)
        if ((p->value[i].home == GTR__HOME_INPUT || p->value[i].home == GTR__HOME_PARAMETER)
                && gtr__check_one(ctx, e, i, NULL, text, size))
            return;
    for (int i = 0; i < p->split; i++) {
        gtr__node *n = &p->node[i];
        if (n->phase == GTR__FEED) continue;
        if (ctx->be->run_node(ctx->instance, p, i) || ctx->be->wait(ctx->instance[n->stage]))
            return;
        for (int k = 0; k < n->n_out && !found; k++)
            found = n->out[k] >= 0 && gtr__check_one(ctx, e, n->out[k], n, text, size);
    }
    if (!found) snprintf(text, size, edited ? "a gradient that was set from outside" : "a gradient");
}
/* To the step at which the device has stopped. Drained. */
static gtr_result gtr__set_back(gtr__runner *r, gtr__ctl *ctl) {
    ctl->status = ctl->guard = 0;
    ctl->stuck = 0;
    r->shared->status = 0;
    r->step = ctl->step;
    return gtr__ctl_write(r, ctl);
}
/* The plan for so many rows, made ready: e, or one for fewer. NULL on error. */
static gtr__cached *gtr__entry_of_rows(gtr_trainer *t, gtr__cached *e, int64_t rows) {
    while (e && gtr__entry_ready(t->ctx, e, t->runner) == GTR_OK) {
        gtr__recipe r = e->recipe;
        if (rows >= e->plan.batch || e->plan.ragged) return e;
        r.batch = rows;
        r.micro = (int)GTR__MIN(r.micro, rows);
        e = gtr__entry_get(t->ctx, &r, &t->optim);
    }
    return NULL;
}
static gtr_result gtr__queue_again(gtr_trainer *t, gtr__record *rec, uint64_t end) {
    for (gtr__runner *r = t->runner; r->step < end; rec++) {
        const int64_t rows = rec->rows > 0 ? rec->rows - rec->first : INT64_MAX;
        gtr__cached *e = gtr__entry_of_rows(t, t->slot[r->step % GTR__RING], rows);
        if (!e) return GTR_ERR_STATE;
        t->slot[r->step % GTR__RING] = e;
        GTR__TRY(gtr__trainer_current(t));
        GTR__TRY(gtr__runner_launch(r, e, GTR__PART_ALL, rec, 1));
    }
    return GTR_OK;
}
/* A launch was given up; it and those behind it changed nothing: they are queued again, without its kernel. */
static gtr_result gtr__repeat(gtr_trainer *t, gtr__ctl *ctl) {
    gtr_context *ctx = t->ctx;
    gtr__runner *r = t->runner;
    const uint64_t from = ctl->step, end = r->step;
    const gtr__cached *e = t->slot[from % GTR__RING];
    gtr__record *rec = GTR__NEW(ctx, gtr__record, end - from);
    char why[200];
    snprintf(why, sizeof why, "step %llu: blocks of the GPU waited for each other in vain (was one held up by a "
            "debugger, a profiler, another process?)", (unsigned long long)from + 1);
    for (uint64_t i = from; i < end && rec; i++) rec[i - from] = r->shared->record[i % GTR__RING];
    if (e && e->plan.waits) gtr__do_without(ctx, e->plan.waits - 1, why);
    ctx->repeating++;
    gtr_result s = gtr__set_back(r, ctl);
    if (s == GTR_OK) s = rec && e ? gtr__queue_again(t, rec, end) : GTR_ERR_STATE;
    ctx->repeating--;
    gtr__mfree(ctx, rec);
    return s == GTR_OK ? s : GTR__FAIL(ctx, CUDA, "%s; it and the %llu queued after it are not all done", why,
            (unsigned long long)(end - from - 1));
}
static gtr_result gtr__tell_bad(gtr_trainer *t);
static bool gtr__repeat_any(gtr_context *ctx, gtr_result *r) {
    for (gtr_trainer *t = ctx->trainers; t && !ctx->repeating; t = t->next)
        if (t->runner && t->runner->shared->status == 2) { *r = gtr__tell_bad(t); return true; }
    return false;
}
/* Called when the device said that a step went wrong: tells how, and sets the run back to that step. */
static gtr_result gtr__tell_bad(gtr_trainer *t) {
    gtr_context *ctx = t->ctx;
    gtr__runner *r = t->runner;
    gtr__ctl ctl;
    char text[512] = "a value", rest[64] = "", cures[256] = "";
    GTR__TRY(gtr__ctl_read(r, &ctl));
    if (ctl.status == 2) return gtr__repeat(t, &ctl);
    const gtr__record rec = r->shared->record[ctl.step % GTR__RING];
    const gtr_result before = ctx->error;
    gtr__cached *e = t->slot[ctl.step % GTR__RING];
    ctx->check_flag = r->flag;
    if (e && ctx->be->n_matchers && !e->recipe.no_matchers) {
        gtr__recipe by_node = e->recipe;
        by_node.no_matchers = true;
        by_node.several = false;
        e = gtr__entry_get(ctx, &by_node, &t->optim);
    }
    if (e) gtr__note_lookups(t, &e->plan);
    const bool edited = t->edited == ctl.step + 1, data = gtr__find_in_data(t, &rec, text, sizeof text);
    if (!data && e && gtr__entry_ready(ctx, e, r) == GTR_OK) gtr__find_nonfinite(ctx, e, edited, text, sizeof text);
    if (!data && !edited && !strstr(text, "the input") && !strstr(text, "all labels"))
        gtr__cures(t, !ctl.applied, rec.lr[0], cures, sizeof cures);
    if (!before && ctx->error == GTR_ERR_NOMEM) ctx->error = GTR_OK; /* to name it */
    const unsigned long long after = r->step - ctl.step - 1;
    t->pending = NULL;
    t->edited = 0;
    GTR__TRY(gtr__set_back(r, &ctl));
    if (after) snprintf(rest, sizeof rest, " and the %llu queued after it", after);
    return GTR__FAIL(ctx, NONFINITE, "step %llu: %s is not finite; this step%s changed nothing%s",
        (unsigned long long)ctl.bad_step, text, rest, cures);
}
static gtr_result gtr__observe(gtr_trainer *t) { return gtr__gone_wrong(t) ? gtr__tell_bad(t) : GTR_OK; }
gtr_result gtr_wait(gtr_context *ctx) {
    if (!ctx) return GTR_ERR_NOMEM;
    if (!gtr__usable(ctx)) return ctx->error;
    gtr_result r = gtr__wait_all(ctx);
    for (gtr_trainer *t = ctx->trainers; t && !r; t = t->next) r = gtr__observe(t);
    return r;
}

// >>step
static gtr__recipe gtr__trainer_recipe(const gtr_trainer *t, int64_t batch, gtr_dataset *data) {
    gtr__recipe r = gtr__recipe0(batch, 1);
    r.trainer = (gtr_trainer *)(uintptr_t)t;
    r.report[r.n_report++] = t->loss;
    if (t->metric && t->metric != t->loss) r.report[r.n_report++] = t->metric;
    r.micro = (int)GTR__MIN(t->desc.micro_batches, batch);
    r.streams = t->desc.streams; r.no_matchers = t->desc.no_matchers; r.precision = t->desc.precision;
    r.data = data;
    return r;
}
/* by_node: without matchers and with dense gradients, for what runs a step in parts. */
static gtr__cached *gtr__trainer_entry(gtr_trainer *t, int64_t batch, gtr_dataset *data, bool by_node) {
    gtr__recipe r = gtr__trainer_recipe(t, batch, data);
    if (t->ctx->be->n_matchers && by_node) r.no_matchers = true;
    r.several = t->several && t->ctx->be->n_matchers && !r.no_matchers;
    if (!t->ctx->be->n_matchers) r.no_matchers = false; /* the same plan: not twice */
    return gtr__entry_get(t->ctx, &r, &t->optim);
}
/* Whether a row of shape a lies as one of b from its dimension `from` on: alike, but for dimensions that are taken
   together in one of them, as (28, 28) is 784; (H, W, C) is not (C, H, W). */
static bool gtr__rows_alike(const gtr_shape *a, const gtr_shape *b, int from) {
    int64_t m = 1, n = 1;
    int i = a->ndim, k = b->ndim, taken = 0; /* 1: more of a in this run, 2: of b */
    while (taken < 3) {
        while (i > 0 && a->dim[i - 1] == 1) i--;
        while (k > from && b->dim[k - 1] == 1) k--;
        if (m == n && i > 0 && k > from) { m *= a->dim[--i]; n *= b->dim[--k]; taken = 0; }
        else if (m < n && i > 0) { m *= a->dim[--i]; taken |= 1; }
        else if (n < m && k > from) { n *= b->dim[--k]; taken |= 2; }
        else return m == n && i == 0 && k == from;
    }
    return false;
}
/* Rows of a column go into input t if they lie as its own do, or would with channels on the other side. */
static gtr_result gtr__column_fits(const gtr_dataset *d, int column, const gtr_tensor *t) {
    const gtr__column *c = &d->column[column];
    const gtr_shape s = gtr__column_fed(c);
    const bool turns = gtr__column_turns(c, t);
    char text[GTR__TEXT], to[GTR__TEXT];
    const char *why = !gtr__batched(t) || t->shape.dim[0] != GTR_BATCH || -gtr__count(&t->shape) != gtr__count(&s)
            || c->dtype == (t->dtype == GTR_F32 ? GTR_I32 : GTR_F32) ? "a row has not its shape or dtype"
        : (c->image.varied || turns || c->span) && t->dtype != GTR_F32 ? "images and windows become float32 alone"
        : !turns && (s.ndim + 1 == t->shape.ndim ? !gtr__same_extents(&s, &t->shape)
            : !gtr__rows_alike(&s, &t->shape, 1)) ? "extents differ"
        : NULL;
    return !why ? GTR_OK : GTR__FAIL(d->ctx, SHAPE, "data set \"%s\": column %d%s%s%s, rows %s %s, does not go into "
        "input \"%s\" %s %s: %s", d->name, column, c->name ? " \"" : "", c->name ? c->name : "", c->name ? "\"" : "",
        gtr__shape_text(&s, text), gtr__dtype_names[c->dtype], t->name, gtr__shape_text(&t->shape, to),
        gtr__dtype_names[t->dtype], why);
}
/* Do the data set's columns fit the inputs, and labels and ids the ranges of plan e (NULL: as yet there is none)?
   column: the column of each input. */
static gtr_result gtr__data_fits(gtr_dataset *d, gtr_tensor *const *input, int n, const gtr__cached *e,
        int *column) {
    gtr_context *ctx = d->ctx;
    char text[GTR__RANGE_TEXT];
    GTR__TRY(gtr__data_match(d, input, n, column));
    for (int i = 0; i < n; i++) {
        gtr__column *c = &d->column[column[i]];
        gtr_tensor *t = input[i];
        int64_t k;
        GTR__TRY(gtr__column_fits(d, column[i], t));
        for (int q = 0; e && q < e->n_limited; q++) {
            const gtr_tensor *op = e->limited[q];
            if (gtr__limited_input(op) != t) continue;
            if (c->least > c->most) gtr__column_range(c, d->rows);
            if (c->least >= 0 && c->most < op->limit) continue;
            if ((k = gtr__out_of_range(op, c->host, c->dtype, d->rows * c->row, text)) < 0) continue;
            return GTR__BAD_ARG(ctx, "data set \"%s\": column %d, row %lld: %s (input \"%s\")", d->name,
                    column[i], (long long)(k / c->row), text, t->name);
        }
    }
    return GTR_OK;
}
static int64_t gtr__steps_per_epoch(int64_t rows, int64_t batch, bool drop_last) {
    return drop_last ? rows / batch : (rows + batch - 1) / batch;
}
static gtr_result gtr__data_check(gtr_context *ctx, gtr_dataset *data, int64_t batch, const char *who) {
    if (!data) return GTR__BAD_ARG(ctx, "%s: there is no data set", who);
    if (data->ctx != ctx)
        return GTR__BAD_ARG(ctx, "%s: data set \"%s\" belongs to another context", who, data->name);
    if (batch < 1 || batch > data->rows)
        return GTR__BAD_ARG(ctx, "%s: a batch of %lld, want 1 to the %lld rows of data set \"%s\"", who,
            (long long)batch, (long long)data->rows, data->name);
    return GTR_OK;
}
/* Plans for a batch and for the tail, and memory for both, before the first step. */
static gtr_result gtr__trainer_plan(gtr_trainer *t) {
    gtr_context *ctx = t->ctx;
    int64_t tail = t->drop_last ? 0 : t->data->rows % t->batch;
    gtr__cached *e = gtr__trainer_entry(t, t->batch, t->data, false);
    if (!e) return ctx->error;
    GTR__TRY(gtr__data_fits(t->data, e->input, e->n_inputs, NULL, t->column));
    GTR__TRY(gtr__entry_memory(ctx, e));
    if (!tail || e->plan.ragged) return GTR_OK;
    bool clear = ctx->error == GTR_OK;
    e = gtr__trainer_entry(t, tail, t->data, false);
    if (e) return gtr__entry_memory(ctx, e);
    size_t n = strlen(ctx->error_text);
    if (clear && ctx->error != GTR_ERR_NOMEM)
        snprintf(ctx->error_text + n, sizeof ctx->error_text - n,
                " (%lld rows end in a batch of %lld; drop_last leaves it out)", (long long)t->data->rows,
                (long long)tail);
    return ctx->error;
}
/* Which batch step s reads, counted on through all epochs: a pure function of s, so that a run can be set back. */
static int64_t gtr__data_batch(const gtr_trainer *t, uint64_t s) { return t->data_at + (int64_t)(s - t->data_step0); }
static void gtr__data_end(gtr_trainer *t) {
    if (t->data) t->data_at = gtr__data_batch(t, t->runner->step);
    t->data = NULL;
}
/* Drains the queue: no run is set back to steps of other data. */
static gtr_result gtr__data_begin(gtr_trainer *t, gtr_dataset *data, int64_t batch, bool shuffle, bool drop_last) {
    int column[GTR__MAX_FEED];
    if (data) {
        GTR__TRY(gtr__data_fits(data, t->input, t->n_inputs, NULL, column));
        gtr__cached *e = gtr__trainer_entry(t, batch, data, false);
        if (!e) return t->ctx->error;
        GTR__TRY(gtr__data_fits(data, e->input, e->n_inputs, e, column));
        GTR__TRY(gtr__dataset_device(data));
    }
    GTR__TRY(gtr__wait_all(t->ctx));
    GTR__TRY(gtr__observe(t));
    gtr__data_end(t);
    if (!data) return GTR_OK;
    const gtr_trainer was = *t;
    if ((t->last ? data != t->last : data->rows != t->rows) || batch != t->batch || shuffle != t->shuffle
        || drop_last != t->drop_last) t->data_at = 0;
    t->data = t->last = data; t->rows = data->rows; t->batch = batch; t->shuffle = shuffle; t->drop_last = drop_last;
    t->data_step0 = t->runner->step;
    const gtr_result r = gtr__trainer_plan(t);
    if (!r) return r;
    t->data = NULL; t->last = was.last; t->rows = was.rows; t->data_at = was.data_at;
    t->batch = was.batch; t->shuffle = was.shuffle; t->drop_last = was.drop_last;
    return r;
}
/* Where step s reads the data set. Returns the rows of its batch. */
static int64_t gtr__position(const gtr_trainer *t, uint64_t s, gtr__record *rec) {
    int64_t per = gtr__steps_per_epoch(t->data->rows, t->batch, t->drop_last), k = gtr__data_batch(t, s);
    int64_t epoch = k / per, first = k % per * t->batch;
    if (rec) {
        int i;
        rec->first = first;
        rec->rows = t->data->rows;
        rec->key = t->shuffle
            ? (gtr__hash(t->ctx->desc.seed, "shuffle") + (uint64_t)epoch * 0x9e3779b97f4a7c15u) | 1 : 0;
        for (i = 0; i < t->n_inputs; i++) rec->src[i] = (uintptr_t)t->data->column[t->column[i]].device;
    }
    return GTR__MIN(t->batch, t->data->rows - first);
}
/* Each group's rate in step s; false and, if it is the next step, an error if the schedule has none. */
static bool gtr__group_rates(const gtr_trainer *t, uint64_t s, gtr__record *rec) {
    const float lr = gtr__rate(t, (int64_t)s);
    for (int g = 0; g < t->n_groups; g++) rec->lr[g] = lr * (t->group[g].lr_scale != 0 ? t->group[g].lr_scale : 1);
    if (lr >= 0 && gtr__finite(lr)) return true;
    if (s == t->runner->step)
        GTR__BAD_ARG(t->ctx, "step %llu: the schedule gave a learning rate of %g%s",
                (unsigned long long)s + 1, (double)lr,
                gtr__schedules[t->desc.schedule].ends ? " (total_steps 0 is for gtr_fit)" : "");
    return false;
}
/* Queues the next step, or up to *n of them where one launch can do several; *n: how many it were. */
static gtr_result gtr__step_part(gtr_trainer *t, gtr__part part, int *n) {
    gtr_context *ctx = t->ctx;
    gtr__record rec[GTR__LAUNCH_STEPS];
    int64_t batch;
    int i, most;
    if (part != GTR__PART_ALL) GTR__TRY(gtr__settle(ctx, NULL, 0));
    GTR__TRY(gtr__observe(t));
    memset(rec, 0, sizeof *rec);
    if (t->data) batch = gtr__position(t, t->runner->step, rec);
    else GTR__TRY(gtr__batch_of_inputs(ctx, t->input, t->n_inputs, "gtr_step", &batch));
    gtr__cached *e = gtr__trainer_entry(t, t->several && part == GTR__PART_ALL ? t->batch : batch, t->data,
            part != GTR__PART_ALL); /* a launch of several may take a tail */
    e = gtr__entry_of_rows(t, e, batch);
    if (!e) return ctx->error;
    GTR__TRY(gtr__trainer_current(t));
    GTR__TRY(t->data ? gtr__check_ranges(ctx, e, true) : gtr__set_inputs(ctx, e, rec));
    most = t->data ? GTR__MIN(*n, GTR__MAX(e->plan.steps, 1)) : 1;
    for (i = 0; i < most; i++) {
        const uint64_t s = t->runner->step + (uint64_t)i;
        if (i) {
            memset(&rec[i], 0, sizeof *rec);
            if (gtr__position(t, s, &rec[i]) != batch && !e->plan.ragged) break;
        }
        if (gtr__group_rates(t, s, &rec[i])) continue;
        if (i) break;
        return GTR_ERR_ARG;
    }
    *n = i;
    while (i-- > 0) t->slot[(t->runner->step + (uint64_t)i) % GTR__RING] = e;
    ctx->writes++;
    t->fitted = false;
    gtr__note_lookups(t, &e->plan);
    GTR__TRY(gtr__runner_launch(t->runner, e, part, rec, *n));
    gtr__mark_filled(e);
    if (part == GTR__PART_LEFT) t->pending = e;
    return GTR_OK;
}
static const char gtr__swaps[] = "gtr_average_swap";
static gtr_result gtr__trainer_whole(gtr_trainer *t, const char *who, bool pending) {
    if (!t) return GTR_ERR_ARG;
    GTR__TRY(gtr__runnable(t->ctx, who));
    if (pending != (t->pending != NULL)) return GTR__BAD_STATE(t->ctx,
        pending ? "%s without gtr_backward before it" : "%s between gtr_backward and gtr_update", who);
    if (t->swapped && who != gtr__swaps)
        return GTR__BAD_STATE(t->ctx, "%s before another %s", who, gtr__swaps);
    return GTR_OK;
}
static gtr_result gtr__trainer_usable(gtr_trainer *t, const char *who, bool pending) {
    if (t && !gtr__runnable(t->ctx, who)) GTR__TRY(gtr__refuse(t, who));
    return gtr__trainer_whole(t, who, pending);
}
gtr_result gtr_trainer_data(gtr_trainer *t, gtr_dataset *data, int64_t batch, bool shuffle, bool drop_last) {
    GTR__TRY(gtr__trainer_usable(t, "gtr_trainer_data", false));
    if (data) GTR__TRY(gtr__data_check(t->ctx, data, batch, "gtr_trainer_data"));
    return gtr__data_begin(t, data, batch, shuffle, drop_last);
}
gtr_result gtr_step(gtr_trainer *t) {
    int n = 1;
    GTR__TRY(gtr__trainer_usable(t, "gtr_step", false));
    return gtr__step_part(t, GTR__PART_ALL, &n);
}
/* Runs between gtr_backward and gtr_update may compute the same loss and metrics, in the same place: what REPORT and
   GUARD read is put aside behind the left part, and back in front of the right one. */
static gtr_result gtr__aside(gtr_trainer *t, bool back) {
    gtr_context *ctx = t->ctx;
    const gtr__plan *p = &t->pending->plan;
    const gtr__node *n = &p->node[p->n_node - 1]; /* REPORT */
    gtr_result r = GTR_OK;
    for (int k = 0; k < n->n_in && !r; k++) {
        const int v = gtr__root(p, n->in[k]);
        void *at = gtr__value_address(ctx, t->pending, v), *aside = (char *)t->runner->flag + 64 * (k + 1);
        r = ctx->be->copy(ctx->instance[p->value[v].stage], back ? at : aside, back ? aside : at,
                gtr__value_bytes(&p->value[v]), GTR__ON_DEVICE, false);
    }
    return gtr__backend_result(ctx, r, "a report put aside");
}
gtr_result gtr_backward(gtr_trainer *t) {
    int n = 1;
    GTR__TRY(gtr__trainer_usable(t, "gtr_backward", false));
    GTR__TRY(gtr__step_part(t, GTR__PART_LEFT, &n));
    return gtr__aside(t, false);
}
gtr_result gtr_update(gtr_trainer *t) {
    GTR__TRY(gtr__trainer_usable(t, "gtr_update", true));
    gtr__cached *e = t->pending;
    gtr_result r = gtr__entry_ready(t->ctx, e, t->runner);
    if (!r) r = gtr__trainer_current(t);
    if (!r) r = gtr__aside(t, true);
    t->ctx->writes++;
    if (!r) r = gtr__runner_launch(t->runner, e, GTR__PART_RIGHT, NULL, 1);
    t->pending = NULL;
    return !r && !t->ctx->caps.cuda ? gtr__observe(t) : r;
}
static gtr_report gtr__report_of(const gtr__entry *e) {
    gtr_report r = GTR__ZERO;
    r.step = (int64_t)e->step; r.applied = (int64_t)e->applied; r.loss = e->value[0]; r.grad_norm = e->norm;
    r.lr = e->lr; r.loss_scale = e->scale; r.skipped = e->skipped != 0;
    return r;
}
gtr_report gtr_trainer_report(gtr_trainer *t) {
    gtr_report none = GTR__ZERO;
    if (!t || !t->runner || gtr__forked(t->ctx)) return none;
    uint64_t s = t->runner->shared->step;
    gtr__fence();
    return s ? gtr__report_of(&t->runner->shared->entry[(s - 1) % GTR__RING]) : none;
}
float gtr_loss(gtr_trainer *t) {
    if (!t || !t->runner || !gtr__usable(t->ctx)) return NAN;
    if (gtr__wait_all(t->ctx) || gtr__observe(t)) return NAN;
    gtr_report r = gtr_trainer_report(t);
    return r.step ? r.loss : NAN;
}
/* Of parameter i's lookups, in their place. */
static gtr_result gtr__gradient_dense(gtr_trainer *t, int i) {
    const gtr_shape *s = &t->param[i]->shape;
    const size_t line = (size_t)s->dim[1] * sizeof(gtr_float), bytes = (size_t)s->dim[0] * line;
    gtr_float *at = t->gradient + t->offset[i];
    char *dense = GTR__NEW(t->ctx, char, 2 * bytes);
    if (!dense) return GTR_ERR_NOMEM;
    const char *form = dense + bytes, *rows = form + GTR__LOOKUP_ROWS(s->dim[0]);
    gtr_result r = gtr__to_host(t->ctx, 0, dense + bytes, at, bytes, "gradient");
    for (int64_t k = 0; r == GTR_OK && k < s->dim[0]; k++) {
        const int32_t met = ((const int32_t *)(const void *)form)[k];
        if (met >= 0) memcpy(dense + (size_t)k * line, rows + (size_t)met * line, line);
    }
    if (r == GTR_OK) r = gtr__to_device(t->ctx, 0, at, dense, bytes, "gradient");
    t->lookups[i] = r != GTR_OK;
    gtr__mfree(t->ctx, dense);
    return r;
}
/* The loss scale that gradients carry between backward and update. */
static float gtr__scale_now(gtr_trainer *t) {
    gtr__ctl ctl;
    if (!t->optim.scaled
            || t->ctx->be->copy(t->ctx->instance[0], &ctl, t->runner->ctl, sizeof ctl, GTR__TO_HOST, true))
        return 1;
    return t->pending || !ctl.step ? ctl.scale : t->runner->shared->entry[(ctl.step - 1) % GTR__RING].scale;
}
static gtr_result gtr__gradient_put(gtr_trainer *t, gtr_float *at, const void *src, size_t bytes) {
    gtr_float *scaled = t->optim.scaled ? (gtr_float *)gtr__malloc(t->ctx, bytes) : NULL;
    if (scaled) {
        const gtr_float s = gtr__scale_now(t);
        memcpy(scaled, src, bytes);
        for (size_t i = 0; i < bytes / sizeof s; i++) scaled[i] *= s;
    } else if (t->optim.scaled) return GTR_ERR_NOMEM;
    gtr_result r = gtr__to_device(t->ctx, 0, at, scaled ? scaled : src, bytes, "gradient");
    gtr__mfree(t->ctx, scaled);
    if (t->pending && !gtr__gone_wrong(t)) t->edited = t->runner->step + 1;
    return r;
}
static gtr_result gtr__buffer_copy(gtr_trainer *t, gtr_tensor *p, gtr_float *buffer, void *host, size_t bytes, bool set,
        const char *what) {
    if (!t || !p) return GTR_ERR_ARG;
    gtr_context *ctx = t->ctx;
    if (!gtr__usable(ctx)) return ctx->error;
    if (buffer == t->gradient) GTR__TRY(gtr__refuse(t, set ? "gtr_gradient_set" : "gtr_gradient_get"));
    int i = gtr__trainer_index(t, p);
    if (i < 0 || !buffer) return GTR__BAD_STATE(ctx, "%s: this trainer has none for \"%s\"%s", what,
        gtr__label(p), i < 0 ? ": it does not train it" : "");
    if (!host || bytes != p->data_bytes) return GTR__FAIL(ctx, SHAPE, "%s of \"%s\": got %zu bytes, want %zu",
        what, gtr__label(p), bytes, p->data_bytes);
    gtr_float *at = buffer + t->offset[i];
    GTR__TRY(gtr__wait_all(ctx));
    if (buffer == t->gradient && t->lookups[i]) GTR__TRY(gtr__gradient_dense(t, i));
    if (!set) return gtr__parameter_get(p, 0, at, host, what);
    const void *src = host;
    void *room = NULL;
    gtr_result r = gtr__parameter_lying(p, &src, &room);
    if (!r)
        r = buffer == t->gradient ? gtr__gradient_put(t, at, src, bytes) : gtr__to_device(ctx, 0, at, src, bytes, what);
    gtr__mfree(ctx, room);
    return r;
}
gtr_result gtr_gradient_get(gtr_trainer *t, gtr_tensor *p, void *dst, size_t bytes) {
    const bool lost = t && t->fitted && gtr__usable(t->ctx);
    gtr_result r = lost ? GTR__BAD_STATE(t->ctx, "gradient of \"%s\": gtr_fit keeps none; ask after "
            "gtr_step or gtr_backward", p ? gtr__label(p) : "")
            : gtr__buffer_copy(t, p, t ? t->gradient : NULL, dst, bytes, false, "gradient");
    if (!r && t->optim.scaled) {
        gtr_float s = 1 / gtr__scale_now(t);
        for (size_t i = 0; i < bytes / sizeof(gtr_float); i++) ((gtr_float *)dst)[i] *= s;
    }
    return r;
}
gtr_result gtr_gradient_set(gtr_trainer *t, gtr_tensor *p, const void *src, size_t bytes) {
    return gtr__buffer_copy(t, p, t ? t->gradient : NULL, (void *)(uintptr_t)src, bytes, true, "gradient");
}
static gtr_result gtr__state_copy(gtr_trainer *t, gtr_tensor *p, int which, void *host, size_t bytes, bool set) {
    gtr_float *state = t && which >= 0 && which < t->optim.all ? t->optim.state[which] : NULL;
    return gtr__buffer_copy(t, p, state, host, bytes, set, "optimizer state");
}
gtr_result gtr_state_get(gtr_trainer *t, gtr_tensor *p, int which, void *dst, size_t bytes) {
    return gtr__state_copy(t, p, which, dst, bytes, false);
}
gtr_result gtr_state_set(gtr_trainer *t, gtr_tensor *p, int which, const void *src, size_t bytes) {
    return gtr__state_copy(t, p, which, (void *)(uintptr_t)src, bytes, true);
}

static bool gtr__averaged(gtr_trainer *t) { return t->optim.ema > 0 && gtr_trainer_report(t).applied; } /* drained */
static gtr_result gtr__average_swap(gtr_trainer *t) {
    gtr_context *ctx = t->ctx;
    gtr_float *average = t->optim.state[t->optim.all - 1];
    size_t bytes = 0;
    gtr_result r = gtr__wait_all(ctx);
    for (int i = 0; i < t->n_param; i++) bytes = GTR__MAX(bytes, t->param[i]->data_bytes);
    void *room = !r ? gtr__device_alloc(ctx, 0, bytes) : NULL;
    if (!room) return r ? r : GTR_ERR_NOMEM;
    gtr__weights_lock(ctx);
    for (int i = 0; i < t->n_param && !r; i++) {
        gtr_tensor *p = t->param[i];
        void *copy[] = { room, p->data, average + t->offset[i], room }; /* each from the one behind it */
        for (int k = 0; k < 3 && !r; k++)
            r = ctx->be->copy(ctx->instance[0], copy[k], copy[k + 1], p->data_bytes, GTR__ON_DEVICE, false);
        if (!r) r = gtr__refresh_low(p);
    }
    gtr__weights_unlock(ctx);
    ctx->writes++;
    r = gtr__backend_result(ctx, r, "averages");
    if (!r) r = gtr__wait_all(ctx);
    if (!r) t->swapped = !t->swapped;
    gtr__device_free(ctx, 0, room, bytes);
    return r;
}
gtr_result gtr_average_swap(gtr_trainer *t) {
    GTR__TRY(gtr__trainer_usable(t, gtr__swaps, false));
    GTR__TRY(gtr__wait_all(t->ctx));
    if (gtr__averaged(t)) return gtr__average_swap(t);
    return GTR__BAD_STATE(t->ctx, "%s: no averages yet, or no gtr_trainer_desc.ema", gtr__swaps);
}

/* What a step takes: seconds; since when, and how many were done then. All zero: not known. */
typedef struct { double seconds, since; uint64_t done; } gtr__pace;
/* Queues up to *n steps that should be done by `end`: as many as fill half of what is left, behind which they are
   waited for and timed. 0: the time is up. */
static gtr_result gtr__step_in_time(gtr_trainer *t, gtr__pace *c, double end, int *n) {
    const gtr__runner *r = t->runner;
    const double then = 2 * c->seconds * (double)(r->launched - r->shared->launches + (uint64_t)*n);
    if (then > 0 && then <= end - gtr__now()) return gtr__step_part(t, GTR__PART_ALL, n);
    GTR__TRY(gtr__wait_all(t->ctx));
    const double now = gtr__now(), left = end - now;
    const uint64_t done = r->shared->launches;
    if (c->since > 0 && done > c->done) c->seconds = (now - c->since) / (double)(done - c->done);
    c->since = now; c->done = done;
    const double fit = c->seconds > 0 ? left / (2 * c->seconds) : 1;
    *n = left <= 0 ? 0 : fit < *n ? (int)GTR__MAX(fit, 1) : *n;
    return *n ? gtr__step_part(t, GTR__PART_ALL, n) : GTR_OK;
}
static void gtr__stop_begin(gtr_context *ctx) { /* what stops a fit stops one in its callback, too */
    if (ctx->fits) return;
    ctx->stopped = false;
    gtr__stop_set(ctx, 0);
}
/* No step is queued behind another: were the device slowed by what else it does, a queued one could not be taken back.
   The pace falls at once, and rises slowly: neither a capture nor a renderer's frame keeps steps away for long. */
gtr_result gtr_train_for(gtr_trainer *t, double milliseconds) {
    const double end = gtr__now() + 1e-3 * milliseconds;
    GTR__TRY(gtr__trainer_usable(t, "gtr_train_for", false));
    if (!gtr__finite(milliseconds))
        return GTR__BAD_ARG(t->ctx, "gtr_train_for: %g milliseconds, want a finite number", milliseconds);
    gtr__stop_begin(t->ctx);
    gtr_result r = gtr__wait_all(t->ctx);
    bool more = milliseconds > 0;
    for (double then = gtr__now(), now; more && !r && !t->ctx->stopped; then = now) {
        int n = 1;
        r = gtr__step_part(t, GTR__PART_ALL, &n);
        if (!r) r = gtr__runner_room(t->runner, GTR__RING - 1);
        now = gtr__now();
        const double over = now - then - t->pace;
        t->pace += t->pace > 0 && over > 0 ? over / 8 : over;
        more = end - now > t->pace;
        t->ctx->stopped = gtr__stop_get(t->ctx) != 0;
    }
    const gtr_result done = gtr__wait_all(t->ctx);
    return r ? r : done ? done : gtr__observe(t);
}

// >>evaluate
static gtr_result gtr__metric_check(gtr_context *ctx, const gtr_tensor *m, const char *who) {
    if (!m || (m->ctx == ctx && m->dtype == GTR_F32 && gtr__count(&m->shape) == 1)) return GTR_OK;
    return GTR__FAIL(ctx, SHAPE, "%s: the metric \"%s\" is not one float32 of this context", who, gtr__label(m));
}
/* A recipe's plan, ready; rec: where its columns are. */
static gtr_result gtr__evaluate_plan(gtr_trainer *t, gtr_dataset *data, gtr__recipe *r, gtr__cached **e,
        gtr__record *rec) {
    gtr_context *ctx = t->ctx;
    int column[GTR__MAX_FEED];
    r->precision = t->desc.precision;
    r->data = data;
    *e = gtr__entry_get(ctx, r, NULL);
    if (!*e) return ctx->error;
    GTR__TRY(gtr__data_fits(data, (*e)->input, (*e)->n_inputs, *e, column));
    for (int i = 0; i < (*e)->n_inputs; i++) rec->src[i] = (uintptr_t)data->column[column[i]].device;
    return gtr__entry_ready(ctx, *e, ctx->runner);
}
static gtr_result gtr__evaluate_entry(gtr_trainer *t, gtr_dataset *data, int64_t n, gtr_tensor *metric, int set,
        gtr__cached **e, gtr__record *rec) {
    gtr__recipe r = gtr__recipe0(n, 0);
    gtr_tensor **to = set == 2 ? r.fetch : r.report;
    int *count = set == 2 ? &r.n_fetch : &r.n_report;
    to[(*count)++] = t->loss;
    if (metric && metric != t->loss) to[(*count)++] = metric;
    r.set = set;
    return gtr__evaluate_plan(t, data, &r, e, rec);
}
/* One pass over a set, in batches; set: gtr__recipe's. sum: of the loss and the metric, weighted by rows; NULL with
   set 2. */
static gtr_result gtr__evaluate_pass(gtr_trainer *t, gtr_dataset *data, int64_t batch, gtr_tensor *metric, int set,
        double *sum) {
    gtr_context *ctx = t->ctx;
    gtr__runner *run = ctx->runner;
    gtr__cached *e = NULL;
    gtr__record rec = GTR__ZERO;
    const uint64_t first = run->step;
    uint64_t done = first;
    rec.rows = data->rows;
    for (int64_t at = 0, n; at < data->rows || done < run->step; ) {
        if (at < data->rows) {
            n = GTR__MIN(batch, data->rows - at);
            if (!e || e->recipe.batch != n) GTR__TRY(gtr__evaluate_entry(t, data, n, metric, set, &e, &rec));
            rec.first = at;
            GTR__TRY(gtr__runner_launch(run, e, GTR__PART_ALL, &rec, 1));
            at += n;
        } else GTR__TRY(gtr__wait_all(ctx));
        for (gtr__fence(); done < run->shared->step; done++) {
            const gtr__entry *entry = &run->shared->entry[done % GTR__RING];
            const double rows = (double)GTR__MIN(batch, data->rows - (int64_t)(done - first) * batch);
            for (int i = 0; sum && i < 2; i++) sum[i] += entry->value[i] * rows;
        }
    }
    if (e) gtr__mark_filled(e);
    return GTR_OK;
}
static gtr_result gtr__evaluate(gtr_trainer *t, gtr_dataset *data, int64_t batch, gtr_tensor *metric, float *loss,
        float *value) {
    gtr__cached *e;
    gtr__record rec;
    double sum[2] = { 0, 0 };
    bool counts = false;
    if (loss) *loss = NAN;
    if (value) *value = NAN;
    if (!t) return GTR_ERR_ARG;
    gtr_context *ctx = t->ctx;
    GTR__TRY(gtr__runnable(ctx, "gtr_evaluate"));
    GTR__TRY(gtr__metric_check(ctx, metric, "gtr_evaluate"));
    GTR__TRY(gtr__data_check(ctx, data, data ? GTR__MIN(batch, data->rows) : batch, "gtr_evaluate"));
    GTR__TRY(gtr__dataset_device(data));
    GTR__TRY(gtr__runner_ready(ctx));
    batch = GTR__MIN(batch, data->rows);
    const int set = batch < data->rows;
    GTR__TRY(gtr__evaluate_entry(t, data, batch, metric, set, &e, &rec));
    for (int i = 0; i < e->plan.n_value; i++) {
        const gtr__value *v = &e->plan.value[i];
        if (v->home != GTR__HOME_TALLY) continue;
        const gtr_result r = ctx->be->zero(ctx->instance[v->stage], v->tensor->tally, GTR__TALLY_BYTES);
        GTR__TRY(gtr__backend_result(ctx, r, "counting labels"));
        counts = true;
    }
    if (counts) GTR__TRY(gtr__evaluate_pass(t, data, batch, metric, 2, NULL));
    GTR__TRY(gtr__evaluate_pass(t, data, batch, metric, set, sum));
    if (loss) *loss = (float)(sum[0] / (double)data->rows);
    if (value) *value = metric ? (float)(sum[metric == t->loss ? 0 : 1] / (double)data->rows) : (float)NAN;
    return GTR_OK;
}
static bool gtr__wants_averages(gtr_trainer *t) {
    return t && t->optim.ema > 0 && !t->swapped && !t->ctx->preset && gtr__usable(t->ctx) &&
        gtr__wait_all(t->ctx) == GTR_OK && gtr__averaged(t);
}
/* What evaluates averages exchanges them for the weights, of which meanwhile nobody takes a snapshot. */
static gtr_result gtr__averages_begin(gtr_trainer *t, bool averages) {
    if (!averages) return GTR_OK;
    gtr__weights_lock(t->ctx);
    return gtr__average_swap(t);
}
static gtr_result gtr__averages_end(gtr_trainer *t, bool averages, gtr_result r) {
    if (!averages) return r;
    const gtr_result back = t->swapped ? gtr__average_swap(t) : GTR_OK;
    gtr__weights_unlock(t->ctx);
    return r ? r : back;
}
gtr_result gtr_evaluate(gtr_trainer *t, gtr_dataset *data, int64_t batch, gtr_tensor *metric, float *loss,
        float *value) {
    const bool averages = gtr__wants_averages(t);
    gtr_result r = gtr__averages_begin(t, averages);
    if (!r) r = gtr__evaluate(t, data, batch, metric, loss, value);
    return gtr__averages_end(t, averages, r);
}

// >>metrics
static int64_t gtr__validation_batch(const gtr_dataset *d) { return GTR__MAX(GTR__MIN(1024, d->rows), 1); }
typedef enum { GTR__OF_CLASSES, GTR__OF_LABELS, GTR__OF_TARGETS } gtr__metered;
typedef struct { float score; int32_t label; } gtr__ranked;
/* scores (outer, width, inner), labels (outer, inner) of classes, else as scores. */
typedef struct {
    gtr_trainer *t; gtr_dataset *data;
    gtr_metrics_desc d;
    gtr__metered kind;
    int64_t outer, width, inner, classes; /* outer: of a row */
    int64_t *support, *predicted, *hits; /* of each class */
    int64_t *confusion, top;
    /* for AUC: scores by class, rounded: equals are equal however they were summed; labels; -1: does not count */
    float *held; int32_t *label; int64_t n_held, curves, most;
    double *sum[4]; /* of each target: mean, squared deviations from it, squared and absolute errors */
    int64_t rows; /* outer ones so far */
    gtr_metrics *out;
} gtr__meter;
#define GTR__METER_FAIL(code, o, text, ...) \
    GTR__FAIL(m->t->ctx, code, "metrics: data set \"%s\", row %lld: " text, m->data->name, \
        (long long)((m->rows + (o)) / m->outer), __VA_ARGS__)
static gtr_result gtr__meter_nan(const gtr__meter *m, const char *what, int64_t o, int64_t k) {
    return GTR__METER_FAIL(NONFINITE, o, "%s %lld of \"%s\" is NaN", what, (long long)k, gtr__label(m->d.scores));
}
static bool gtr__counts(const gtr__meter *m, int32_t y) {
    const int32_t ignore = m->d.ignore_index;
    return y >= 0 && (y != ignore || (ignore == 0 && !m->d.ignore_zero));
}
static void gtr__meter_count(gtr__meter *m, int64_t label, int64_t predicted, bool same) {
    m->support[label]++; m->predicted[predicted]++; m->hits[label] += same;
    if (m->confusion) m->confusion[label * m->classes + predicted]++;
}
/* One label of several classes; x: its scores, inner apart. */
static gtr_result gtr__meter_class(gtr__meter *m, const gtr_float *x, int32_t y, int64_t o) {
    const int64_t n = m->width, at = m->n_held++;
    int64_t best = 0, above = 0;
    double sum = 0;
    if (m->held) m->label[at] = -1;
    if (!gtr__counts(m, y)) { m->out->ignored++; return GTR_OK; }
    if (y >= n) return GTR__METER_FAIL(ARG, o, "label %ld, want 0 to %lld", (long)y, (long long)n - 1);
    const gtr_float own = x[y * m->inner];
    for (int64_t k = 0; k < n; k++) {
        const gtr_float v = x[k * m->inner];
        if (v != v) return gtr__meter_nan(m, "score", o, k);
        if (v > x[best * m->inner]) best = k;
        above += v > own || (v == own && k > y); /* as a stable sort has equals, backwards */
    }
    m->out->counted++; m->top += above < m->d.top_k;
    gtr__meter_count(m, y, best, best == y);
    if (!m->held) return GTR_OK;
    m->label[at] = y;
    if (n == 2) {
        m->held[at] = (float)(m->d.probabilities ? x[m->inner] : x[m->inner] - x[0]);
        return GTR_OK;
    }
    const double most = (double)x[best * m->inner];
    for (int64_t k = 0; k < n; k++) sum += exp((double)x[k * m->inner] - most);
    for (int64_t k = 0; k < n; k++) {
        const double v = (double)x[k * m->inner];
        m->held[k * m->most + at] = (float)(m->d.probabilities ? v : v - most - log(sum));
    }
    return GTR_OK;
}
/* Score k of a row; the n-th of its kind, from 0. */
static gtr_result gtr__meter_label(gtr__meter *m, gtr_float x, int32_t y, int64_t o, int64_t k, int64_t n) {
    const int64_t at = k * m->most + n;
    const double p = m->d.probabilities ? (double)x : 1 / (1 + exp(-(double)x));
    const int predicted = p > (double)m->d.threshold;
    if (x != x) return gtr__meter_nan(m, "score", o, k);
    if (m->held) { m->label[at] = -1; m->held[at] = (float)x; }
    if (!gtr__counts(m, y)) { m->out->ignored++; return GTR_OK; }
    if (y > 1) return GTR__METER_FAIL(ARG, o, "label %ld, want 0 or 1", (long)y);
    m->out->counted++; m->top += predicted == y;
    if (m->held) m->label[at] = y;
    if (m->width == 1) gtr__meter_count(m, y, predicted, predicted == y);
    else { m->support[k] += y; m->predicted[k] += predicted; m->hits[k] += predicted && y; }
    return GTR_OK;
}
/* Welford's mean and deviations. */
static gtr_result gtr__meter_target(gtr__meter *m, double x, double y, int64_t o, int64_t k, int64_t n) {
    const double off = y - m->sum[0][k], error = x - y;
    if (error != error) return gtr__meter_nan(m, x != x ? "score" : "the target of score", o, k);
    m->sum[0][k] += off / (double)(n + 1);
    m->sum[1][k] += off * (y - m->sum[0][k]);
    m->sum[2][k] += error * error;
    m->sum[3][k] += fabs(error);
    m->out->counted++;
    return GTR_OK;
}
static gtr_result gtr__meter_rows(gtr__meter *m, const gtr_float *x, const void *labels, int64_t n) {
    const bool floats = m->d.labels->dtype == GTR_F32;
    const int64_t each = m->kind == GTR__OF_CLASSES ? m->inner : m->width * m->inner;
    for (int64_t o = 0; o < n; o++) for (int64_t i = 0; i < each; i++) {
        const int64_t at = o * each + i, k = i / m->inner, nth = (m->rows + o) * m->inner + i % m->inner;
        const gtr_float target = floats ? ((const gtr_float *)labels)[at] : 0;
        const int32_t y = floats ? target < 0 ? -1 : target > (gtr_float)0.5 : ((const int32_t *)labels)[at];
        if (m->kind == GTR__OF_CLASSES) GTR__TRY(gtr__meter_class(m, x + o * m->width * m->inner + i, y, o));
        else if (m->kind == GTR__OF_TARGETS) GTR__TRY(gtr__meter_target(m, (double)x[at], (double)target, o, k, nth));
        else if (target != target) return gtr__meter_nan(m, "the label of score", o, k);
        else GTR__TRY(gtr__meter_label(m, x[at], y, o, k, nth));
    }
    m->rows += n;
    return GTR_OK;
}
static int gtr__rank_order(const void *a, const void *b) {
    const float x = ((const gtr__ranked *)a)->score, y = ((const gtr__ranked *)b)->score;
    return (x > y) - (x < y);
}
/* The share of pairs of the class and another label whose scores are in order, equals by half (Mann and Whitney). Of
   NaN, inf - inf, there is no order. */
static double gtr__auc(const float *score, const int32_t *label, int32_t of, int64_t most, gtr__ranked *room) {
    int64_t n = 0, ones = 0;
    double ranks = 0;
    for (int64_t i = 0; i < most; i++) if (label[i] >= 0) {
        if (score[i] != score[i]) return NAN;
        room[n].score = score[i]; room[n].label = label[i] == of;
        ones += room[n++].label;
    }
    if (!ones || ones == n) return NAN;
    qsort(room, (size_t)n, sizeof *room, gtr__rank_order);
    for (int64_t i = 0, j = 0, in; i < n; i = j) {
        for (in = 0; j < n && room[j].score == room[i].score; j++) in += room[j].label;
        ranks += (double)in * (double)(i + 1 + j) / 2;
    }
    return (ranks - (double)ones * (double)(ones + 1) / 2) / ((double)ones * (double)(n - ones));
}
static double gtr__share(double a, double b) { return b > 0 ? a / b : 0; }
static gtr_result gtr__meter_areas(gtr__meter *m, gtr_class_metrics *c) {
    gtr__ranked *room = m->held ? GTR__NEW(m->t->ctx, gtr__ranked, m->most) : NULL;
    double *all = &m->out->value[GTR_METRIC_AUC];
    if (m->held && !room) return GTR_ERR_NOMEM;
    *all = m->held ? 0 : NAN;
    for (int64_t k = 0; m->held && k < m->curves; k++) {
        const bool apart = m->kind == GTR__OF_LABELS;
        const double auc = gtr__auc(m->held + k * m->most, m->label + (apart ? k * m->most : 0),
            apart || m->curves == 1 ? 1 : (int32_t)k, m->most, room);
        *all += auc / (double)m->curves;
        c[k].auc = auc;
        if (m->curves == 1) c[1].auc = auc;
    }
    gtr__mfree(m->t->ctx, room);
    return GTR_OK;
}
/* Of one class, or macro or micro: value is its precision, recall and F1. */
static void gtr__meter_three(double *value, double hits, double predicted, double support) {
    value[0] = gtr__share(hits, predicted); value[1] = gtr__share(hits, support);
    value[2] = gtr__share(2 * hits, predicted + support);
}
static gtr_result gtr__meter_classes(gtr__meter *m, gtr_class_metrics *c) {
    double *v = m->out->value, all[3] = { 0, 0, 0 }, three[3], macro[3] = { 0, 0, 0 };
    int64_t present = 0;
    for (int64_t k = 0; k < m->classes; k++) {
        const double hits = (double)m->hits[k], predicted = (double)m->predicted[k], support = (double)m->support[k];
        const bool counts = predicted + support > 0 || (m->kind == GTR__OF_LABELS && m->width > 1);
        gtr__meter_three(three, hits, predicted, support);
        c[k].precision = three[0]; c[k].recall = three[1]; c[k].f1 = three[2]; c[k].auc = NAN;
        c[k].support = m->support[k];
        all[0] += hits; all[1] += predicted; all[2] += support;
        for (int i = 0; i < 3 && counts; i++) macro[i] += three[i];
        present += counts;
        if (k == 1 && m->confusion && m->classes == 2) memcpy(&v[GTR_METRIC_PRECISION], three, sizeof three);
    }
    for (int i = 0; i < 3; i++) v[GTR_METRIC_PRECISION_MACRO + i] = gtr__share(macro[i], (double)present);
    gtr__meter_three(&v[GTR_METRIC_PRECISION_MICRO], all[0], all[1], all[2]);
    v[GTR_METRIC_ACCURACY] = gtr__share(m->kind == GTR__OF_CLASSES ? all[0] : (double)m->top, (double)m->out->counted);
    if (m->kind == GTR__OF_CLASSES) v[GTR_METRIC_TOP_K] = gtr__share((double)m->top, (double)m->out->counted);
    return gtr__meter_areas(m, c);
}
static void gtr__meter_targets(gtr__meter *m) {
    double *v = m->out->value;
    const double n = (double)(m->rows * m->inner), each = (double)m->width;
    v[GTR_METRIC_R2] = n < 2 ? NAN : 0;
    v[GTR_METRIC_MAE] = v[GTR_METRIC_MSE] = v[GTR_METRIC_RMSE] = 0;
    for (int64_t k = 0; k < m->width; k++) {
        const double dev = m->sum[1][k], mse = m->sum[2][k];
        v[GTR_METRIC_R2] += (dev > 0 ? 1 - mse / dev : mse > 0 ? 0 : 1) / each;
        v[GTR_METRIC_MSE] += mse / n / each; v[GTR_METRIC_RMSE] += sqrt(mse / n) / each;
        v[GTR_METRIC_MAE] += m->sum[3][k] / n / each;
    }
}
/* What scores and labels are of. */
static gtr_result gtr__meter_shapes(gtr__meter *m) {
    const gtr_tensor *x = m->d.scores, *y = m->d.labels;
    char of_x[GTR__TEXT], of_y[GTR__TEXT];
    if (!x || !y || x->ctx != m->t->ctx || y->ctx != m->t->ctx)
        return GTR__BAD_ARG(m->t->ctx, "metrics: scores or labels are NULL, or another context's");
    const gtr_shape *s = &x->shape, *l = &y->shape;
    const bool rows = s->ndim && l->ndim && s->dim[0] < 0 && s->dim[0] == l->dim[0] && x->dtype == GTR_F32
        && (y->dtype == GTR_I32 || y->dtype == GTR_F32);
    const int64_t all = rows ? gtr__count(s) / s->dim[0] : 0, labels = rows ? gtr__count(l) / l->dim[0] : 0;
    bool fits = rows && all == labels;
    m->outer = rows ? -s->dim[0] : 1; m->width = rows && s->ndim > 1 ? s->dim[1] : 1; m->inner = all / m->width;
    m->kind = y->dtype == GTR_F32 && !m->d.binary ? GTR__OF_TARGETS : GTR__OF_LABELS;
    m->classes = m->kind == GTR__OF_TARGETS ? 0 : GTR__MAX(m->width, 2);
    if (rows && !fits && y->dtype == GTR_I32 && s->ndim == l->ndim + 1) {
        m->kind = GTR__OF_CLASSES; m->classes = m->width; m->inner = labels;
        fits = memcmp(&s->dim[2], &l->dim[1], (size_t)(l->ndim - 1) * sizeof *l->dim) == 0;
    }
    return fits ? GTR_OK : GTR__FAIL(m->t->ctx, SHAPE, "metrics: scores %s %s and labels %s %s, want float32 "
        "(N, C, ...) and int32 (N, ...), or as many of both", gtr__shape_text(s, of_x), gtr__dtype_names[x->dtype],
        gtr__shape_text(l, of_y), gtr__dtype_names[y->dtype]);
}
/* The plan for n rows; values are read by gtr_get. The loss is there for the set's other columns. */
static gtr_result gtr__meter_entry(gtr__meter *m, int64_t n, gtr__cached **e, gtr__record *rec) {
    gtr__recipe r = gtr__recipe0(n, 0);
    r.report[r.n_report++] = m->t->loss;
    r.fetch[r.n_fetch++] = m->d.scores;
    if (m->d.labels != m->d.scores) r.fetch[r.n_fetch++] = m->d.labels;
    return gtr__evaluate_plan(m->t, m->data, &r, e, rec);
}
static gtr_result gtr__meter_pass(gtr__meter *m) {
    gtr_context *ctx = m->t->ctx;
    const int64_t batch = GTR__MIN(m->d.batch, m->data->rows), of_x = m->outer * m->width * m->inner,
        of_y = m->kind == GTR__OF_CLASSES ? of_x / m->width : of_x;
    const size_t row_x = (size_t)of_x * sizeof(gtr_float), row_y = (size_t)of_y * gtr__dtype_size(m->d.labels->dtype);
    gtr_float *x = (gtr_float *)gtr__malloc(ctx, (size_t)batch * row_x);
    void *y = gtr__malloc(ctx, (size_t)batch * row_y);
    gtr__record rec = GTR__ZERO;
    gtr__cached *e = NULL;
    gtr_result r = x && y ? GTR_OK : GTR_ERR_NOMEM;
    rec.rows = m->data->rows;
    for (int64_t at = 0, n; at < m->data->rows && !r; at += n) {
        n = GTR__MIN(batch, m->data->rows - at);
        rec.first = at;
        r = gtr__meter_entry(m, n, &e, &rec);
        if (!r) r = gtr__runner_launch(ctx->runner, e, GTR__PART_ALL, &rec, 1);
        if (!r) gtr__mark_filled(e);
        if (!r) r = gtr_get(m->d.scores, x, (size_t)n * row_x);
        if (!r) r = gtr_get(m->d.labels, y, (size_t)n * row_y);
        if (!r) r = gtr__meter_rows(m, x, y, n * m->outer);
    }
    gtr__mfree(ctx, x); gtr__mfree(ctx, y);
    return r;
}
static gtr_result gtr__meter_begin(gtr__meter *m) {
    gtr_context *ctx = m->t->ctx;
    GTR__TRY(gtr__runnable(ctx, "gtr_evaluate_metrics"));
    GTR__TRY(gtr__data_check(ctx, m->data, 1, "gtr_evaluate_metrics"));
    gtr_metrics_desc *d = &m->d;
    if (!(d->threshold >= 0 && d->threshold <= 1) || d->top_k < 0 || d->batch < 0 || d->auc_most < -1)
        return GTR__BAD_ARG(ctx, "metrics: threshold %g, want 0 to 1; or top_k, batch or auc_most is negative",
            (double)d->threshold);
    GTR__DEFAULT(threshold, 0.5f); GTR__DEFAULT(top_k, 5); GTR__DEFAULT(auc_most, 1 << 24);
    GTR__TRY(gtr__meter_shapes(m));
    const int64_t some = GTR__MAX((1 << 24) / (m->outer * m->width * m->inner), 1);
    GTR__DEFAULT(batch, GTR__MIN(gtr__validation_batch(m->data), some));
    GTR__TRY(gtr__dataset_device(m->data));
    return gtr__runner_ready(ctx);
}
/* Memory in one block: what out points to, counts, sums, what AUC holds. */
static gtr_result gtr__meter_room(gtr__meter *m, void **block) {
    const int64_t c = m->classes, targets = c ? 0 : m->width;
    const int64_t labels = m->kind == GTR__OF_LABELS ? m->width : 1;
    const bool square = c && c <= 1024 && labels == 1;
    m->curves = m->width == 2 && labels == 1 ? 1 : m->width;
    m->most = m->data->rows * m->outer * m->inner;
    const bool holds = c && m->most <= m->d.auc_most / m->curves;
    const size_t n_held = holds ? (size_t)(m->most * m->curves) : 0, n_labels = holds ? (size_t)(m->most * labels) : 0;
    const size_t counts = (size_t)(3 * c + (square ? c * c : 0)), sums = 4 * (size_t)targets;
    gtr_class_metrics *of = (gtr_class_metrics *)gtr__malloc(m->t->ctx, (size_t)c * sizeof *of + 8 * (counts + sums) +
        4 * (n_held + n_labels));
    if (!of) return GTR_ERR_NOMEM;
    int64_t *count = (int64_t *)(of + c);
    double *sum = (double *)(count + counts);
    *block = of;
    m->out->of_class = c ? of : NULL; m->out->classes = c;
    m->out->confusion = m->confusion = square ? count + 3 * c : NULL;
    m->support = count; m->predicted = count + c; m->hits = count + 2 * c;
    for (int i = 0; i < 4; i++) m->sum[i] = sum + i * targets;
    m->held = holds ? (float *)(sum + sums) : NULL;
    m->label = (int32_t *)(sum + sums) + n_held;
    return GTR_OK;
}
static gtr__meter gtr__meter_of(gtr_trainer *t, gtr_dataset *data, gtr_metrics_desc d, gtr_metrics *out) {
    gtr__meter m = GTR__ZERO;
    m.t = t; m.data = data; m.d = d; m.out = out;
    return m;
}
static gtr_result gtr__metrics(gtr_trainer *t, gtr_dataset *data, gtr_metrics_desc d, gtr_metrics *out) {
    gtr__meter m = gtr__meter_of(t, data, d, out);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < GTR_METRIC_COUNT; i++) out->value[i] = NAN;
    if (!t) return GTR_ERR_ARG;
    GTR__TRY(gtr__meter_begin(&m));
    gtr__mfree(t->ctx, t->metered);
    t->metered = NULL;
    const bool averages = gtr__wants_averages(t);
    gtr_result r = gtr__averages_begin(t, averages);
    if (!r) r = gtr__meter_room(&m, &t->metered);
    if (!r) r = gtr__meter_pass(&m);
    if (!r && m.classes) r = gtr__meter_classes(&m, (gtr_class_metrics *)t->metered);
    if (!r && !m.classes) gtr__meter_targets(&m);
    for (int i = 0; !r && !out->counted && i < GTR_METRIC_COUNT; i++) out->value[i] = NAN;
    r = gtr__averages_end(t, averages, r);
    if (r) { out->of_class = NULL; out->confusion = NULL; out->classes = 0; }
    return r;
}
#define GTR__METRIC_TEXT(id, text, largest) { text, largest },
static const struct { const char *name; bool largest; } gtr__metric_rows[] = { GTR__METRICS(GTR__METRIC_TEXT) };
static const char *gtr__metrics_class(const gtr_dataset *d, int64_t k, char *room) {
    const char *name = gtr_dataset_class(d, k);
    if (name) snprintf(room, 24, "%.20s", name);
    else snprintf(room, 24, "%lld", (long long)k);
    return room;
}
static void gtr__metrics_row(gtr_context *ctx, const char *name, const double *three) {
    gtr__textf(ctx, "%-20s %9.4f %9.4f %9.4f", name, three[0], three[1], three[2]);
}
/* Up to 64 classes a line each, and up to 20 a column of the confusion. */
static void gtr__metrics_classes(gtr_context *ctx, const gtr_dataset *d, const gtr_metrics *m) {
    const double *v = m->value;
    char name[24];
    gtr__textf(ctx, "%-20s %9s %9s %9s %9s %9s\n", "", "precision", "recall", "f1", "auc", "labels");
    for (int64_t k = 0; k < GTR__MIN(m->classes, 64); k++) {
        const gtr_class_metrics *c = &m->of_class[k];
        const double three[] = { c->precision, c->recall, c->f1 };
        gtr__metrics_row(ctx, gtr__metrics_class(d, k, name), three);
        if (c->auc == c->auc) gtr__textf(ctx, " %9.4f", c->auc);
        else gtr__textf(ctx, " %9s", "-");
        gtr__textf(ctx, " %9lld\n", (long long)c->support);
    }
    if (m->classes > 64) gtr__textf(ctx, "and %lld more\n", (long long)m->classes - 64);
    gtr__metrics_row(ctx, "macro", &v[GTR_METRIC_PRECISION_MACRO]); gtr__textf(ctx, "\n");
    gtr__metrics_row(ctx, "micro", &v[GTR_METRIC_PRECISION_MICRO]); gtr__textf(ctx, "\n");
    if (!m->confusion || m->classes > 20) return;
    gtr__textf(ctx, "%-20s", "label \\ predicted");
    for (int64_t k = 0; k < m->classes; k++) gtr__textf(ctx, " %7.7s", gtr__metrics_class(d, k, name));
    for (int64_t i = 0; i < m->classes; i++) {
        gtr__textf(ctx, "\n%-20s", gtr__metrics_class(d, i, name));
        for (int64_t k = 0; k < m->classes; k++) gtr__textf(ctx, " %7lld", (long long)m->confusion[i * m->classes + k]);
    }
    gtr__textf(ctx, "\n");
}
gtr_result gtr_evaluate_metrics(gtr_trainer *t, gtr_dataset *data, gtr_metrics_desc desc, gtr_metrics *out) {
    gtr_metrics own;
    if (!out) out = &own;
    const gtr_result r = gtr__metrics(t, data, desc, out);
    if (r) return r;
    gtr_context *ctx = t->ctx;
    gtr__text_begin(ctx);
    if (out->classes) gtr__metrics_classes(ctx, data, out);
    for (int i = 0; i < GTR_METRIC_COUNT; i++) {
        const bool shown = i < GTR_METRIC_PRECISION_MACRO || i > GTR_METRIC_F1_MICRO;
        const int k = desc.top_k ? desc.top_k : 5;
        if (!shown || out->value[i] != out->value[i] || (i == GTR_METRIC_TOP_K && k >= out->classes)) continue;
        if (i == GTR_METRIC_TOP_K) gtr__textf(ctx, "top-%d %.4f  ", k, out->value[i]);
        else gtr__textf(ctx, "%s %.6g  ", gtr__metric_rows[i].name, out->value[i]);
    }
    gtr__textf(ctx, "of %lld %s", (long long)out->counted, out->classes ? "labels" : "targets");
    if (out->ignored) gtr__textf(ctx, ", %lld ignored", (long long)out->ignored);
    gtr__textf(ctx, "\n");
    out->text = gtr__text(ctx);
    return GTR_OK;
}

// >>fit
#define GTR__MAX_KEPT 30 /* gtr_fit_desc.keep_last at most */
/* What early stopping goes by: the best value, its epoch (0: none), epochs seen and without a better one since; in host
   memory the weights of that epoch, as gtr__weights_move lays them out. All of it that a fit would need to go on. */
typedef struct { double value; int32_t epoch, seen, wait; uint8_t *weights; size_t bytes; } gtr__stopping;
typedef struct gtr__fitting {
    gtr_trainer *t;
    gtr_fit_desc *d;
    gtr_progress p;
    uint64_t first, next; /* steps of this fit; the next report to take */
    int64_t per_epoch, place, rows; /* place: steps of the first epoch that were done before */
    double sum[2], weight; /* of the running epoch */
    double called, began, shown;
    bool terminal, warned, told; /* told: somebody hears of an epoch's end before the next begins */
    int width; /* of the line on the terminal */
    gtr__pace pace; /* between waits for the device */
    gtr__pace timed; double until; /* with .seconds: as gtr_train_for; when they are over, 0: never */
    gtr_end why;
    gtr__stopping stopping;
    gtr_metrics metrics; void *metered; /* what it points to: a callback may measure other sets */
    /* steps done when it was resumed, at the last end of an epoch that was told, at the last checkpoint (-1: none) */
    bool resumed; int64_t before, ended, saved;
    double saved_at; /* when */
    int64_t rows_fed, kept[GTR__MAX_KEPT + 2]; int n_kept; /* of the data set; trainer's steps of keep_last's files */
} gtr__fitting;
/* See >>checkpoint. */
static gtr_result gtr__fit_checkpoint_check(gtr_context *ctx, const gtr_fit_desc *d);
static gtr_result gtr__fit_resume(gtr__fitting *f);
static gtr_result gtr__fit_checkpoint(gtr__fitting *f, int64_t k, bool end);
/* Steps between checkpoints by epochs; 0: there are none. */
static int64_t gtr__fit_every(const gtr__fitting *f) {
    const gtr_fit_desc *d = f->d;
    const bool epochs = d->checkpoint && !d->checkpoint_steps && !(d->checkpoint_seconds > 0);
    return f->per_epoch * GTR__MAX(d->checkpoint_epochs, epochs ? 1 : 0);
}
/* Steps from k on, at most n, before a checkpoint may be due. */
static int64_t gtr__fit_until(const gtr__fitting *f, int64_t k, int64_t n) {
    const int64_t steps = f->d->checkpoint_steps, every = gtr__fit_every(f);
    if (steps) n = GTR__MIN(n, steps - k % steps);
    return every ? GTR__MIN(n, every - (f->place + k) % every) : n;
}
static bool gtr__is_terminal(void) {
#ifdef _WIN32
    return _isatty(2) != 0;
#else
    return isatty(2) != 0;
#endif
}
static void gtr__rate_text(double rate, char *buf, size_t size) {
    if (rate >= 1e6) snprintf(buf, size, "%.2f M samples/s", rate * 1e-6);
    else if (rate >= 1e4) snprintf(buf, size, "%.1f k samples/s", rate * 1e-3);
    else snprintf(buf, size, "%.0f samples/s", rate);
}
/* The line that renews itself, once there are figures; at an epoch's end one of its own. */
static void gtr__fit_show(gtr__fitting *f, bool epoch_end) {
#define GTR__ADD(...) GTR__APPEND(line, sizeof line, n, __VA_ARGS__)
    static const gtr_metric shown[] = { GTR_METRIC_ACCURACY, GTR_METRIC_F1_MACRO, GTR_METRIC_AUC, GTR_METRIC_MAE,
        GTR_METRIC_R2 };
    char line[640], rate[40]; /* floats: up to 45 each */
    double now = gtr__now();
    if (f->d->silent || (!epoch_end && (!f->terminal || !(f->weight > 0) || now - f->shown < 0.1))) return;
    f->shown = now;
    gtr__rate_text(f->p.samples_per_second, rate, sizeof rate);
    int n = snprintf(line, sizeof line, "epoch %d/%d  step %lld/%lld  loss %.4f", f->p.epoch, f->p.epochs,
            (long long)f->p.step, (long long)f->p.steps, (double)f->p.loss);
    if (f->d->metric) GTR__ADD("  %.40s %.4f", gtr__label(f->d->metric), (double)f->p.metric);
    if (epoch_end && f->d->validation) {
        GTR__ADD("  validation loss %.4f", (double)f->p.val_loss);
        if (f->d->metric) GTR__ADD(" %.40s %.4f", gtr__label(f->d->metric), (double)f->p.val_metric);
        for (size_t i = 0; f->p.metrics && i < GTR__LENGTH(shown); i++) {
            const double v = f->metrics.value[shown[i]];
            if (v == v) GTR__ADD(" %s %.4g", gtr__metric_rows[shown[i]].name, v);
        }
    }
    GTR__ADD("  %s", rate);
    if (!epoch_end) GTR__ADD("  %.0f s left", f->p.seconds_left);
#undef GTR__ADD
    if (f->terminal) fprintf(stderr, "\r%-*s%s", GTR__MIN(f->width, (int)sizeof line - 1), line, epoch_end ? "\n" : "");
    else fprintf(stderr, "%s\n", line);
    f->width = epoch_end ? 0 : n;
    fflush(stderr);
}
static void gtr__fit_figures(gtr__fitting *f) {
    f->p.loss = (float)(f->weight > 0 ? f->sum[0] / f->weight : NAN);
    f->p.metric = f->d->metric ? (float)(f->weight > 0 ? f->sum[1] / f->weight : NAN) : (float)NAN;
    f->p.samples_per_second = (double)f->rows / GTR__MAX(gtr__now() - f->began, 1e-9);
    const int64_t n = f->p.step - f->before;
    f->p.seconds_left = n ? (gtr__now() - f->began) * (double)(f->p.steps - f->p.step) / (double)n : 0;
}
/* Under FP16 a step that no loss scale makes finite is skipped as others are. */
static void gtr__fit_warn(gtr__fitting *f, const gtr__entry *e) {
    const gtr__record *rec = &f->t->runner->shared->record[f->next % GTR__RING];
    char text[1024], what[512] = "its loss or a gradient", cures[256] = "";
    if (!gtr__find_in_data(f->t, rec, what, sizeof what)) gtr__cures(f->t, !e->applied, e->lr, cures, sizeof cures);
    snprintf(text, sizeof text, "step %llu was skipped: %s is not finite without a loss scale%s",
        (unsigned long long)e->step, what, cures);
    gtr__host_cb_log(f->t->ctx, GTR_LOG_WARNING, text);
    f->warned = true;
}
/* Takes what the device reported: sums, history; an epoch's line, where nobody waits for it. */
static void gtr__fit_harvest(gtr__fitting *f) {
    gtr_trainer *t = f->t;
    uint64_t end = t->runner->shared->step;
    gtr__fence();
    for (; f->next < end; f->next++) {
        const gtr__entry *e = &t->runner->shared->entry[f->next % GTR__RING];
        if (f->next + (uint64_t)t->runner->shared->record[f->next % GTR__RING].more >= end) break; /* not whole */
        int64_t k = (int64_t)(f->next - f->first), at = (f->place + k) % f->per_epoch;
        int64_t rows = GTR__MIN(t->batch, t->data->rows - at * t->batch);
        if (at == 0) f->sum[0] = f->sum[1] = f->weight = 0;
        if (!e->skipped) {
            f->sum[0] += (double)e->value[0] * (double)rows;
            f->sum[1] += (double)e->value[f->d->metric == t->loss ? 0 : 1] * (double)rows;
            f->weight += (double)rows;
        }
        if (e->skipped && e->scale <= 1 && !f->warned) gtr__fit_warn(f, e);
        if (f->d->history && k < f->d->history_size) f->d->history[k] = gtr__report_of(e);
        f->rows += rows;
        f->p.step = k + 1;
        f->p.epoch = (int)((f->place + k) / f->per_epoch) + 1;
        if (f->told || at + 1 < f->per_epoch) continue;
        gtr__fit_figures(f);
        gtr__fit_show(f, true);
    }
    gtr__fit_figures(f);
}
/* What steps of t change and evaluations read: parameters, buffers, averages; to host memory, or from there. host NULL:
   *bytes of it are counted. Drained. */
static gtr_result gtr__weights_move(gtr_trainer *t, uint8_t *host, bool back, size_t *bytes) {
    gtr_context *ctx = t->ctx;
    const gtr__cached *e = gtr__trainer_entry(t, t->batch, t->data, false);
    bool *state = e ? GTR__NEW(ctx, bool, ctx->n_tensor) : NULL;
    gtr_result r = state ? GTR_OK : GTR_ERR_NOMEM;
    size_t at = 0;
    gtr__weights_lock(ctx);
    for (int i = 0; state && i < e->plan.n_value; i++)
        if (e->plan.value[i].home == GTR__HOME_STATE) state[e->plan.value[i].tensor->id] = true;
    for (int64_t i = 0; i < ctx->n_parameter && !r; i++) {
        gtr_tensor *p = ctx->parameter[i];
        const int k = gtr__trainer_index(t, p);
        if (k < 0 && !state[p->id]) continue;
        void *of[2] = { p->data, k >= 0 && t->optim.ema > 0 ? t->optim.state[t->optim.all - 1] + t->offset[k] : NULL };
        for (int j = 0; j < 2 && of[j] && !r; j++, at += p->data_bytes) {
            const int stage = j ? 0 : p->stage;
            if (host && back) r = gtr__to_device(ctx, stage, of[j], host + at, p->data_bytes, gtr__label(p));
            else if (host) r = gtr__to_host(ctx, stage, host + at, of[j], p->data_bytes, gtr__label(p));
        }
        if (back && !r) r = gtr__refresh_low(p);
    }
    gtr__weights_unlock(ctx);
    ctx->writes += back;
    gtr__mfree(ctx, state);
    if (bytes) *bytes = at;
    return r;
}
/* An epoch has ended. */
static int gtr__monitored(const gtr_fit_desc *d) {
    return 4 * (int)d->monitor + 2 * d->monitor_least + (d->validation != NULL);
}
static gtr_result gtr__fit_watch(gtr__fitting *f) {
    const gtr_fit_desc *d = f->d;
    gtr__stopping *b = &f->stopping;
    const bool held = d->validation != NULL, tensor = d->monitor == GTR_METRIC_TENSOR,
        largest = gtr__metric_rows[d->monitor].largest && !(tensor && d->monitor_least);
    const double v = d->monitor > GTR_METRIC_TENSOR ? f->metrics.value[d->monitor]
        : (double)(tensor ? held ? f->p.val_metric : f->p.metric : held ? f->p.val_loss : f->p.loss);
    if (v != v && d->monitor > GTR_METRIC_TENSOR)
        return GTR__BAD_ARG(f->t->ctx, "gtr_fit: monitor is %s, which the validation set has no value of (precision, "
            "recall and f1 are of two classes: macro and micro of more; r2 and errors of targets)",
            gtr__metric_rows[d->monitor].name);
    if (f->t->desc.schedule == GTR_PLATEAU) gtr__plateau_value(f->t, v, largest);
    b->seen = f->p.epoch; b->wait++; /* of earlier ones a fit that goes on may have watched none */
    if (gtr__better(v, b->epoch ? b->value : largest ? -INFINITY : INFINITY, largest, d->min_delta)) {
        b->value = v; b->epoch = b->seen; b->wait = 0;
        if (b->weights) GTR__TRY(gtr__weights_move(f->t, b->weights, false, NULL));
    }
    f->p.best = b->epoch ? (float)b->value : (float)NAN; f->p.best_epoch = b->epoch; f->p.wait = b->wait;
    if (d->patience && b->wait >= d->patience) f->why = GTR_END_PATIENCE;
    return GTR_OK;
}
/* The queue is drained: reports are whole, validation and the callback may run. */
static gtr_result gtr__fit_pause(gtr__fitting *f, bool epoch_end) {
    gtr_trainer *t = f->t;
    gtr_dataset *const held = epoch_end ? f->d->validation : NULL;
    gtr_result r = GTR_OK;
    GTR__TRY(gtr__wait_all(t->ctx));
    GTR__TRY(gtr__observe(t));
    gtr__fit_harvest(f);
    f->p.epoch_end = epoch_end;
    if (held) r = gtr_evaluate(t, held, gtr__validation_batch(held), f->d->metric, &f->p.val_loss, &f->p.val_metric);
    if (!r && held && f->d->metrics.scores) {
        gtr__mfree(t->ctx, f->metered);
        f->metered = NULL;
        r = gtr__metrics(t, held, f->d->metrics, &f->metrics);
        f->metered = t->metered; t->metered = NULL;
        f->p.metrics = &f->metrics;
    }
    if (!r && epoch_end) r = gtr__fit_watch(f);
    if (r) return r;
    if (epoch_end) { gtr__fit_show(f, true); f->ended = (int64_t)(f->next - f->first); }
    if (f->d->callback && (epoch_end ? f->d->callback_every == 0 : true) && !f->d->callback(&f->p) && !f->why)
        f->why = GTR_END_CALLBACK;
    f->timed.since = 0;
    return t->refused;
}
/* A launch does two milliseconds' steps (its own cost is below 3 % then), one waits while one runs. Steps are timed
   between waits for the device. */
static gtr_result gtr__fit_room(gtr__fitting *f, int *n) {
    gtr__runner *r = f->t->runner;
    const double pace = f->pace.seconds;
    const int most = pace > 2e-3 ? 1 : pace > 0 ? (int)GTR__MIN(2e-3 / pace, GTR__LAUNCH_STEPS) : 16;
    const bool waits = r->launched - r->shared->launches > (uint64_t)most;
    GTR__TRY(gtr__runner_room(r, GTR__RING - 1 - most));
    const uint64_t done = r->shared->launches;
    const double now = gtr__now();
    if (waits && f->pace.done)
        f->pace.seconds = (now - f->pace.since) / (double)GTR__MAX(done - f->pace.done, 1);
    f->pace.done = waits ? done : 0;
    f->pace.since = now;
    *n = GTR__MIN(*n, most);
    return GTR_OK;
}
static gtr_result gtr__fit_run(gtr__fitting *f) {
    gtr_trainer *t = f->t;
    gtr_context *ctx = t->ctx;
    const int64_t every = f->d->callback_every;
    int64_t k = f->before;
    gtr_result r = GTR_OK, end;
    if (f->told && k > 0 && (f->place + k) % f->per_epoch == 0 && f->ended != k) r = gtr__fit_pause(f, true);
    while (k < f->p.steps && !r && (r = t->refused) == GTR_OK && !f->why) {
        const int64_t left = f->told ? f->per_epoch - (f->place + k) % f->per_epoch : f->p.steps - k;
        int n = (int)gtr__fit_until(f, k, GTR__MIN(GTR__LAUNCH_STEPS, left));
        if (every > 0) n = (int)GTR__MIN(n, every - k % every);
        if (gtr__stop_get(ctx)) { ctx->stopped = true; f->why = GTR_END_STOP; break; }
        if ((r = gtr__fit_room(f, &n))) break;
        gtr__fit_harvest(f); /* before the steps to come write over it */
        r = f->until > 0 ? gtr__step_in_time(t, &f->timed, f->until, &n) : gtr__step_part(t, GTR__PART_ALL, &n);
        if (r) break;
        if (!n) { f->why = GTR_END_SECONDS; break; }
        gtr__fit_show(f, false);
        k += n;
        if (every > 0 && k % every == 0) r = gtr__fit_pause(f, false);
        if (!r && f->told && (f->place + k) % f->per_epoch == 0 && !f->why) r = gtr__fit_pause(f, true);
        if (!r) r = gtr__fit_checkpoint(f, k, false);
    }
    end = gtr__wait_all(ctx); /* after an error, too: where the next fit goes on is then known */
    t->fit_steps = 0;
    if (!end) end = gtr__observe(t);
    if (!r && (r = end) == GTR_OK) r = t->refused;
    if (!end || end == GTR_ERR_NONFINITE) gtr__fit_harvest(f); /* steps before the bad one */
    if (!r) r = gtr__fit_checkpoint(f, k, true);
    if (f->terminal && !f->d->silent && f->width) fprintf(stderr, "\n");
    return r;
}
/* The weights are the best epoch's again, after an error too; why it ended is noted, and said. */
static gtr_result gtr__fit_end(gtr__fitting *f, gtr_result r) {
    gtr_trainer *t = f->t;
    const gtr__stopping *b = &f->stopping;
    const bool restore = b->weights && b->epoch && gtr__usable(t->ctx);
    const gtr_result back = restore ? gtr__weights_move(t, b->weights, true, NULL) : GTR_OK;
    const gtr_end why = r || back ? GTR_END_ERROR : f->why ? f->why : GTR_END_EPOCHS;
    const gtr_fit_end end = { why, f->p.step, gtr__now() - f->called, f->p.best, b->epoch, restore && !back };
    t->ended = end;
    gtr__mfree(t->ctx, b->weights);
    if (!t->metered) t->metered = f->metered;
    else gtr__mfree(t->ctx, f->metered);
    if (f->d->silent || (why == GTR_END_EPOCHS && !restore) || why == GTR_END_ERROR) return r ? r : back;
    fprintf(stderr, "stopped after step %lld of %lld: %s", (long long)end.steps, (long long)f->p.steps,
        gtr_end_text(why));
    if (b->epoch) fprintf(stderr, "; best %s %.6g in epoch %d%s", gtr__metric_rows[f->d->monitor].name,
        (double)end.best, b->epoch, restore ? ", whose weights are back" : "");
    fprintf(stderr, "\n");
    return r ? r : back;
}
gtr_fit_end gtr_fit_ended(const gtr_trainer *t) {
    const gtr_fit_end none = GTR__ZERO;
    return t ? t->ended : none;
}
const char *gtr_end_text(gtr_end why) {
#define GTR__END_TEXT(id, text) text,
    static const char *const texts[] = { GTR__ENDS(GTR__END_TEXT) };
    return (size_t)why < GTR_END_COUNT ? texts[why] : "";
}
/* All that the fit will need is there before its first step. */
/* Room for the best epoch's weights. A fit that goes on may have them, and may have ended already. */
static gtr_result gtr__stopping_begin(gtr__fitting *f) {
    const gtr_fit_desc *d = f->d;
    gtr__stopping *b = &f->stopping;
    size_t bytes = 0;
    if (d->restore_best) GTR__TRY(gtr__weights_move(f->t, NULL, false, &bytes));
    if (d->restore_best && (!b->weights || b->bytes != (bytes + 7) / 8 * 8)) {
        gtr__mfree(f->t->ctx, b->weights);
        b->epoch = 0; b->bytes = (bytes + 7) / 8 * 8; /* eights: as a checkpoint has them */
        b->weights = (uint8_t *)gtr__malloc(f->t->ctx, b->bytes);
        if (!b->weights) return GTR_ERR_NOMEM;
    }
    if (b->epoch) { f->p.best = (float)b->value; f->p.best_epoch = b->epoch; }
    f->p.wait = b->wait;
    if (d->patience && b->wait >= d->patience) f->why = GTR_END_PATIENCE;
    return GTR_OK;
}
static gtr_result gtr__fit_begin(gtr__fitting *f, gtr_dataset *data) {
    gtr_trainer *t = f->t;
    const gtr_fit_desc *d = f->d;
    gtr_dataset *const held = d->validation;
    gtr__cached *e;
    gtr__record rec;
    GTR__TRY(gtr__data_begin(t, data, d->batch, !d->no_shuffle, d->drop_last));
    f->next = t->runner->step;
    if (!f->resumed) { f->place = t->data_at % f->per_epoch; f->first = f->next; }
    f->before = (int64_t)(f->next - f->first);
    f->saved = f->resumed ? f->before : -1;
    f->p.step = f->before;
    f->p.epoch = (int)((f->place + GTR__MAX(f->before - 1, 0)) / f->per_epoch) + 1;
    f->p.epochs = d->epochs + (f->place > 0 && d->epochs < INT_MAX);
    f->p.steps = f->per_epoch * f->p.epochs - f->place;
    GTR__TRY(gtr__stopping_begin(f));
    if (held) {
        const int64_t batch = gtr__validation_batch(held), tail = held->rows % batch;
        const int set = batch < held->rows;
        GTR__TRY(gtr__dataset_device(held));
        GTR__TRY(gtr__runner_ready(t->ctx));
        GTR__TRY(gtr__evaluate_entry(t, held, batch, d->metric, set, &e, &rec));
        if (tail) GTR__TRY(gtr__evaluate_entry(t, held, tail, d->metric, set, &e, &rec));
        if (d->metrics.scores) {
            gtr__meter m = gtr__meter_of(t, held, d->metrics, &f->metrics);
            GTR__TRY(gtr__meter_begin(&m));
            GTR__TRY(gtr__meter_entry(&m, GTR__MIN(m.d.batch, held->rows), &e, &rec));
        }
    }
    GTR__TRY(gtr__rate_begin(t, f->p.steps));
    t->fit_step0 = f->first;
    if (f->resumed && !d->silent)
        fprintf(stderr, "%s: going on after step %lld of %lld\n", d->checkpoint, (long long)f->before,
            (long long)f->p.steps);
    return GTR_OK;
}
static gtr_result gtr__fit_check(gtr_context *ctx, const gtr_fit_desc *d) {
    if (d->epochs < 1 || d->callback_every < 0 || d->history_size < 0)
        return GTR__BAD_ARG(ctx, "gtr_fit: epochs, callback_every or history_size is negative");
    if (d->patience < 0 || !(d->min_delta >= 0) || !gtr__finite(d->min_delta) || !(d->seconds >= 0)
            || !gtr__finite(d->seconds))
        return GTR__BAD_ARG(ctx, "gtr_fit: patience %d, min_delta %g or seconds %g, want finite numbers of at least 0",
            d->patience, (double)d->min_delta, d->seconds);
    if ((size_t)d->monitor >= GTR_METRIC_COUNT || (d->monitor == GTR_METRIC_TENSOR && !d->metric)
            || (d->monitor > GTR_METRIC_TENSOR && !d->metrics.scores) || (d->metrics.scores && !d->validation))
        return GTR__BAD_ARG(ctx, "gtr_fit: monitor is not of its enum, or of a .metric or .metrics that are not there, "
            "or .metrics have no .validation");
    GTR__TRY(gtr__metric_check(ctx, d->metric, "gtr_fit"));
    return d->validation ? gtr__data_check(ctx, d->validation, 1, "gtr_fit (validation)") : GTR_OK;
}
gtr_result gtr_fit(gtr_trainer *t, gtr_dataset *data, gtr_fit_desc d) {
    gtr__fitting f = GTR__ZERO;
    f.called = gtr__now();
    GTR__TRY(gtr__trainer_usable(t, "gtr_fit", false));
    gtr_context *ctx = t->ctx;
    if (d.epochs == 0) d.epochs = 1;
    if (d.batch == 0) d.batch = data ? GTR__MIN(32, data->rows) : 32;
    GTR__TRY(gtr__fit_check(ctx, &d));
    GTR__TRY(gtr__observe(t));
    GTR__TRY(gtr__data_check(ctx, data, d.batch, "gtr_fit"));
    GTR__TRY(gtr__fit_checkpoint_check(ctx, &d));
    f.t = t; f.d = &d; f.rows_fed = data->rows;
    gtr__stop_begin(ctx);
    ctx->fits++;
    t->refused = GTR_OK;
    t->metric = d.metric; t->validation = d.validation;
    t->scored[0] = d.metrics.scores; t->scored[1] = d.metrics.labels;
    f.per_epoch = gtr__steps_per_epoch(data->rows, d.batch, d.drop_last);
    f.told = d.validation || (d.callback && !d.callback_every) || d.keep_best || d.patience || d.restore_best
        || t->desc.schedule == GTR_PLATEAU;
    f.until = d.seconds > 0 ? f.called + d.seconds : 0;
    t->several = GTR__MIN(f.told ? f.per_epoch : f.per_epoch * d.epochs,
        d.callback_every ? d.callback_every : INT64_MAX) >= GTR__LAUNCH_FEW;
    f.terminal = gtr__is_terminal();
    if (f.terminal && !d.silent) fprintf(stderr, "%s\n", gtr_device_text(ctx));
    t->fit = &f;
    f.p.val_loss = f.p.val_metric = f.p.best = NAN;
    gtr_result r = gtr__fit_resume(&f);
    if (!r) r = gtr__fit_begin(&f, data);
    if (!r) {
        f.p.trainer = t; f.p.user = d.callback_user;
        f.began = f.saved_at = gtr__now();
        r = gtr__fit_run(&f);
        t->fitted = true; t->fit_metric = d.metric; t->fit_several = t->several;
    }
    r = gtr__fit_end(&f, r);
    t->several = false;
    t->fit = NULL;
    t->metric = t->scored[0] = t->scored[1] = NULL;
    t->validation = NULL;
    ctx->fits--;
    gtr__data_end(t); /* a loop by hand that follows sets its own inputs */
    return r;
}

// >>predicting
/* Where rows stand apart: plans for 1, 2, 4, ... and max_rows rows, of which a call takes the next larger and leaves in
   place what lies behind its rows. Else for max_rows, and for what calls ask for. */
enum { GTR__IN, GTR__OUT, GTR__ARENA, GTR__HELD, GTR__BLOCKS, GTR__PREDICTS = 8 };
struct gtr_predictor {
    gtr_context own; /* a copy with one stage and the predictor's errors; first, for gtr__host_cb_... */
    gtr_context *ctx;
    gtr_predictor *next;
    void *instance[1];
    /* n inputs, GTR__IN, and outs, GTR__OUT: bytes of a row, where rows begin in the block */
    gtr_tensor *of[2][GTR__PREDICTS]; int n[2];
    size_t row[2][GTR__PREDICTS], at[2][GTR__PREDICTS];
    int64_t max_rows;
    bool apart;
    gtr__cached *entry[40]; int n_entry, turn;
    void *block[GTR__BLOCKS]; /* GTR__IN, GTR__OUT, GTR__ARENA: for max_rows; GTR__HELD: the snapshot */
    size_t bytes[GTR__BLOCKS], counted; /* of them; in ctx->device_bytes */
    void **held; /* by tensors' ids: where the snapshot has what lies in memory of theirs; NULL: no snapshot */
    gtr__move *move; int64_t n_move; /* of which it is made */
};
/* Its number among inputs or outs, which are stored as t; -1. */
static int gtr__predictor_find(const gtr_predictor *p, int which, const gtr_tensor *t) {
    int k = p->n[which] - 1;
    while (k >= 0 && gtr__stored_as(p->of[which][k]) != t) k--;
    return k;
}
static void *gtr__predictor_rows(const gtr_predictor *p, int which, const gtr_tensor *t) {
    return (char *)p->block[which] + p->at[which][GTR__MAX(gtr__predictor_find(p, which, t), 0)];
}
static bool gtr__predictor_block(gtr_predictor *p, int which, size_t bytes) {
    if (bytes <= p->bytes[which]) return true;
    void *b = p->ctx->be->alloc(p->instance[0], gtr__device_size(bytes)), *old = p->block[which];
    if (!b) { GTR__FAIL(&p->own, NOMEM, "out of device memory: %zu bytes", bytes); return false; }
    if (old) p->ctx->be->free(p->instance[0], old, gtr__device_size(p->bytes[which]));
    p->block[which] = b; p->bytes[which] = bytes;
    return true;
}
/* Values of a predictor's plan: weights are the context's or the snapshot's, all else is its own. */
static void *gtr__predictor_address(gtr_context *ctx, const gtr__cached *e, int id) {
    const gtr__value *v = &e->plan.value[id];
    const gtr_predictor *p = (const gtr_predictor *)e->carry;
    switch (v->home) {
    case GTR__HOME_INPUT: case GTR__HOME_PARAMETER: case GTR__HOME_STATE:
        return gtr__batched(v->tensor) ? gtr__predictor_rows(p, GTR__IN, v->tensor)
            : p->held ? p->held[v->tensor->id] : v->tensor->data;
    case GTR__HOME_KEPT: return gtr__predictor_rows(p, GTR__OUT, v->tensor);
    case GTR__HOME_ARENA: return (char *)p->block[GTR__ARENA] + v->offset;
    case GTR__HOME_ALIAS: return gtr__shifted(gtr__predictor_address(ctx, e, v->alias), v->offset);
    default: return gtr__value_address(ctx, e, id);
    }
}
static void gtr__predictor_drop(gtr_predictor *p, gtr__cached *e) {
    if (e->exec) p->ctx->be->release(p->instance, e->exec);
    gtr__plan_clear(p->ctx, &e->plan);
    gtr__mfree(p->ctx, e->limited);
    gtr__mfree(p->ctx, e);
}
void gtr_predictor_destroy(gtr_predictor *p) {
    gtr_predictor **at;
    if (!p) return;
    gtr_context *ctx = p->ctx;
    if (!gtr__forked(ctx) && p->instance[0]) ctx->be->wait(p->instance[0]);
    while (p->n_entry) gtr__predictor_drop(p, p->entry[--p->n_entry]);
    ctx->device_bytes -= p->counted;
    for (int i = 0; i < GTR__BLOCKS; i++)
        if (p->block[i]) ctx->be->free(p->instance[0], p->block[i], gtr__device_size(p->bytes[i]));
    if (p->instance[0]) ctx->be->destroy(p->instance[0]);
    for (at = &ctx->predictors; *at; at = &(*at)->next) if (*at == p) { *at = p->next; break; }
    if (p->held) gtr__mfree(ctx, p->own.tensor);
    gtr__mfree(ctx, p->held);
    gtr__mfree(ctx, p->move);
    gtr__mfree(ctx, p);
}
/* Whether each row of all outs comes of the same row of the inputs alone. highest: the outs' last. */
static gtr_result gtr__rows_apart(const gtr_predictor *p, int64_t highest, bool *apart) {
    enum { NONE, APART, MIXED }; /* of the batch */
    unsigned char *rows = GTR__NEW(p->ctx, unsigned char, highest + 1);
    if (!rows) return GTR_ERR_NOMEM;
    for (int64_t i = 0; i <= highest; i++) {
        const gtr_tensor *t = p->ctx->tensor[i];
        const uint64_t flags = gtr__row(t->op)->flags;
        rows[i] = t->op == GTR__OP_INPUT && gtr__batched(t) ? APART : NONE;
        for (int k = 0; k < t->n_in; k++) rows[i] = GTR__MAX(rows[i], rows[t->in[k]->id]);
        if (!t->n_in || !rows[i]) continue;
        if (!gtr__batched(t) || !(flags & (GTR__EW | GTR__APART)) || (flags & GTR__ALONG && !t->attr.i[0]))
            rows[i] = MIXED;
    }
    *apart = true;
    for (int k = 0; k < p->n[GTR__OUT]; k++) *apart = *apart && rows[p->of[GTR__OUT][k]->id] == APART;
    gtr__mfree(p->ctx, rows);
    return GTR_OK;
}
static gtr__cached *gtr__predictor_plan(gtr_predictor *p, int64_t rows) {
    gtr_context *own = &p->own;
    gtr__cached *e = GTR__NEW(own, gtr__cached, 1);
    if (!e) return NULL;
    if (!p->held) { own->tensor = p->ctx->tensor; own->n_tensor = p->ctx->n_tensor; } /* more may have been built */
    e->recipe = gtr__recipe0(rows, 0);
    e->recipe.feeds = false;
    for (int k = 0; k < p->n[GTR__OUT]; k++) e->recipe.fetch[e->recipe.n_fetch++] = p->of[GTR__OUT][k];
    e->carry = p; /* gtr__predictor_address finds the predictor there */
    bool ok = gtr__plan_make(own, &e->recipe, p->of[GTR__IN], p->n[GTR__IN], NULL, &e->plan) == GTR_OK &&
              gtr__find_inputs(own, p->of[GTR__OUT], p->n[GTR__OUT], e->input, &e->n_inputs, &e->highest, e)
                  == GTR_OK &&
              (p->held || gtr__check_ranges(own, e, true) == GTR_OK); /* a snapshot's are checked when it is taken */
    for (int i = 0; i < e->plan.n_value && ok; i++) {
        const gtr__value *v = &e->plan.value[i];
        if (v->home != GTR__HOME_KEPT || gtr__predictor_find(p, GTR__OUT, v->tensor) >= 0) continue;
        GTR__FAIL(own, UNSUPPORTED, "\"%s\" is kept (gtr_keep), which a predictor can't",
                  gtr__value_name(&e->plan, i));
        ok = false;
    }
    if (!ok) { gtr__predictor_drop(p, e); return NULL; }
    return e;
}
static bool gtr__predictor_ready(gtr_predictor *p, gtr__cached *e) {
    if (e->exec) p->ctx->be->release(p->instance, e->exec);
    e->exec = NULL;
    if (gtr__resolve(&p->own, e, NULL, gtr__predictor_address, &p->block[GTR__ARENA])) return false;
    return !gtr__backend_result(&p->own, p->ctx->be->prepare(p->instance, &e->plan, &e->exec), "preparing a plan");
}
/* Pieces draw for rows from row on. False: not as before. */
static bool gtr__same_rows(gtr__node *n, int count, int64_t row) {
    bool same = true;
    for (; count--; n++) {
        const gtr__network *w = (const gtr__network *)n->attr.ptr;
        if (n->op == GTR__OP_NETWORK) same &= gtr__same_rows(w->node, w->n_node, row);
        if (gtr__step_of(n->op) != GTR__STEP_DRAW) continue;
        same &= n->row0 == n->attr.i[5] * row;
        n->row0 = n->attr.i[5] * row;
    }
    return same;
}
/* The plan of the fewest rows that are n or more; where they act on each other of n, made if need be. */
static gtr__cached *gtr__predictor_entry(gtr_predictor *p, int64_t n) {
    gtr__cached *e;
    int i;
    for (i = 0; i < p->n_entry; i++) {
        e = p->entry[i];
        if (p->apart ? e->recipe.batch >= n : e->recipe.batch == n) return e;
    }
    if (!(e = gtr__predictor_plan(p, n))) return NULL;
    if (p->n_entry < 40) i = p->n_entry++;
    else gtr__predictor_drop(p, p->entry[i = p->turn = p->turn % 39 + 1]); /* max_rows' stays */
    p->entry[i] = e;
    const size_t before = p->bytes[2];
    bool ok = gtr__predictor_block(p, GTR__ARENA, e->plan.arena[0]);
    for (int k = before < p->bytes[2] ? 0 : i; k < p->n_entry && ok; k++) ok = gtr__predictor_ready(p, p->entry[k]);
    if (ok) return e;
    p->entry[i] = p->entry[--p->n_entry];
    gtr__predictor_drop(p, e);
    return NULL;
}
/* Blocks of max_rows rows, each input's and out's aligned. */
static bool gtr__predictor_room(gtr_predictor *p) {
    for (int w = 0; w < 2; w++) {
        size_t bytes = 0;
        for (int k = 0; k < p->n[w]; k++) {
            const gtr_tensor *t = p->of[w][k];
            p->row[w][k] = (size_t)-gtr__count(&t->shape) * gtr__dtype_size(t->dtype);
            p->at[w][k] = bytes;
            bytes += gtr__rounded(p->row[w][k] * (size_t)p->max_rows);
        }
        if (!gtr__predictor_block(p, w, bytes)) return false;
    }
    return true;
}
/* desc's inputs: all with a batch that outs depend on, and no others. */
static gtr_result gtr__predictor_inputs(gtr_predictor *p, const gtr_predictor_desc *d, int64_t *highest) {
    gtr_context *ctx = p->ctx;
    gtr_tensor *found[GTR__MAX_FEED];
    int n_found, n = 0, given = 0;
    GTR__TRY(gtr__find_inputs(ctx, p->of[GTR__OUT], p->n[GTR__OUT], found, &n_found, highest, NULL));
    while (given < GTR__PREDICTS && d->in[given]) given++;
    for (int i = 0; i < n_found; i++) {
        int k = 0;
        if (!gtr__batched(found[i]) && !found[i]->data)
            return GTR__BAD_STATE(ctx, "predictor: input \"%s\" was not set", found[i]->name);
        if (!gtr__batched(found[i])) continue;
        while (k < given && d->in[k] != found[i]) k++;
        if (given && k == given)
            return GTR__FAIL(ctx, SHAPE, "predictor: the input \"%s\" is not among .in", found[i]->name);
        if (n == GTR__PREDICTS) return GTR__FAIL(ctx, SHAPE, "predictor: more than %d inputs", GTR__PREDICTS);
        p->of[GTR__IN][given ? k : n] = found[i];
        n++;
    }
    if (!n || (given && n != given))
        return GTR__FAIL(ctx, SHAPE, "predictor: \"%s\" and what else is computed depend on %d inputs with a batch, "
            "want %d, each once", gtr__label(p->of[GTR__OUT][0]), n, given ? given : 1);
    p->n[GTR__IN] = n;
    return GTR_OK;
}
static gtr_result gtr__predictor_outs(gtr_predictor *p, const gtr_predictor_desc *d) {
    int n = 0;
    for (; n < GTR__PREDICTS && d->out[n]; n++) {
        gtr_tensor *t = d->out[n];
        if (t->ctx != p->ctx) return GTR__BAD_ARG(p->ctx, "predictor: \"%s\" is another context's", gtr__label(t));
        if (!t->shape.ndim || t->shape.dim[0] >= 0 || gtr__stored_as(t)->op <= GTR__OP_GRADIENT)
            return GTR__FAIL(p->ctx, SHAPE, "predictor: \"%s\" has no batch in its shape, or is not computed",
                gtr__label(t));
        if (gtr__predictor_find(p, GTR__OUT, gtr__stored_as(t)) >= 0)
            return GTR__BAD_ARG(p->ctx, "predictor: \"%s\" is there twice, or a reshape of another", gtr__label(t));
        p->of[GTR__OUT][p->n[GTR__OUT]++] = t;
    }
    return n ? GTR_OK : GTR__BAD_ARG(p->ctx, "predictor: there is no output (NULL)");
}
/* Room for a snapshot of what outs depend on; what builds meanwhile does not move the list of tensors. */
static gtr_result gtr__predictor_hold(gtr_predictor *p, int64_t highest) {
    gtr_context *ctx = p->ctx;
    const size_t n = (size_t)highest + 1;
    size_t bytes = 0;
    gtr_tensor **list = GTR__NEW(ctx, gtr_tensor *, n);
    p->held = list ? GTR__NEW(ctx, void *, n) : NULL;
    if (!p->held) { gtr__mfree(ctx, list); return GTR_ERR_NOMEM; }
    memcpy(list, ctx->tensor, n * sizeof *list);
    p->own.tensor = list; p->own.n_tensor = highest + 1;
    if (!(p->move = GTR__NEW(ctx, gtr__move, n))) return GTR_ERR_NOMEM;
    for (int k = 0; k < p->n[GTR__OUT]; k++) p->held[p->of[GTR__OUT][k]->id] = p; /* marks what is needed */
    for (int64_t i = highest; i >= 0; i--) {
        const gtr_tensor *t = list[i];
        if (!p->held[i]) continue;
        for (int k = 0; k < t->n_in; k++) p->held[t->in[k]->id] = p;
        if (t->data && !gtr__batched(t)) bytes += gtr__rounded(t->data_bytes);
        else p->held[i] = NULL;
    }
    if (!gtr__predictor_block(p, GTR__HELD, GTR__MAX(bytes, 1))) return GTR_ERR_NOMEM;
    char *at = (char *)p->block[GTR__HELD];
    for (int64_t i = 0; i <= highest; i++) if (p->held[i]) {
        const gtr__move m = { at, list[i]->data, list[i]->data_bytes };
        p->held[i] = at;
        p->move[p->n_move++] = m;
        at += gtr__rounded(m.bytes);
    }
    return GTR_OK;
}
static bool gtr__line_ready(gtr_context *ctx) {
    gtr__line *line = ctx->line ? NULL : GTR__NEW(ctx, gtr__line, 1);
    if (line && gtr__line_init(line)) ctx->line = line;
    if (ctx->line) return true;
    gtr__mfree(ctx, line);
    GTR__FAIL(ctx, NOMEM, "predictor: no lock for its snapshot");
    return false;
}
gtr_result gtr_predictor_refresh(gtr_predictor *p) {
    if (!p) return GTR_ERR_ARG;
    gtr_context *ctx = p->ctx, *own = &p->own;
    if (gtr__forked(ctx)) return GTR__BAD_STATE(own, "%s", ctx->error_text);
    if (!p->held) return GTR__BAD_STATE(own, "gtr_predictor_refresh: this predictor was made without .snapshot, "
        "and has the weights as they are");
    gtr__line_enter(ctx->line);
    gtr_result r = gtr__check_ranges(own, p->entry[0], true);
    if (!r)
        r = gtr__backend_result(own, ctx->be->take(p->instance[0], ctx->instance[0], p->move, p->n_move), "a snapshot");
    gtr__line_leave(ctx->line);
    return r;
}
gtr_predictor *gtr_predictor_create(gtr_tensor *out, int64_t max_rows) {
    gtr_predictor_desc d = GTR__ZERO;
    d.out[0] = out; d.max_rows = max_rows;
    return out ? gtr_predictor_create_ex(out->ctx, d) : NULL;
}
gtr_predictor *gtr_predictor_create_ex(gtr_context *ctx, gtr_predictor_desc desc) {
    gtr__instance_desc d = GTR__ZERO;
    char why[256] = "";
    int64_t highest, rows, max_rows = desc.max_rows ? desc.max_rows : 1;
    int i;
    if (!gtr__usable(ctx)) return NULL;
    if (ctx->preset) { GTR__BAD_STATE(ctx, "predictor: a context with a preset plans only"); return NULL; }
    if (max_rows < 0 || max_rows > (int64_t)1 << 38) {
        GTR__BAD_ARG(ctx, "predictor: %lld rows, want at least 1", (long long)max_rows); return NULL;
    }
    gtr_predictor *p = GTR__NEW(ctx, gtr_predictor, 1);
    if (!p) return NULL;
    p->own = *ctx;
    p->own.n_instance = 1;
    p->own.error = GTR_OK;
    p->own.host.user = &p->own;
    p->ctx = ctx; p->max_rows = max_rows;
    p->next = ctx->predictors;
    ctx->predictors = p;
    d.device_index = ctx->desc.device_index; d.max_sm = ctx->desc.max_sm; d.threads = 1;
    d.ahead = true;
    d.share = ctx->caps.cuda ? ctx->instance[0] : NULL; /* the CPU's compute in their caller's thread, without a pool */
    if (gtr__predictor_outs(p, &desc) || gtr__predictor_inputs(p, &desc, &highest)) goto fail;
    if (ctx->be->create(&p->own.host, d, &p->instance[0], why)) {
        p->instance[0] = NULL;
        GTR__FAIL(ctx, NOMEM, "predictor: %s", why);
        goto fail;
    }
    if (gtr__rows_apart(p, highest, &p->apart) || (desc.snapshot && gtr__predictor_hold(p, highest))) goto fail;
    for (rows = p->apart ? 1 : max_rows; ; rows = GTR__MIN(2 * rows, max_rows)) {
        gtr__cached *e = gtr__predictor_plan(p, rows);
        if (!e) goto fail;
        p->entry[p->n_entry++] = e;
        if (!gtr__predictor_block(p, GTR__ARENA, e->plan.arena[0])) goto fail;
        if (rows == max_rows) break;
    }
    if (!gtr__predictor_room(p)) goto fail;
    for (i = 0; i < GTR__BLOCKS; i++) p->counted += p->bytes[i] ? gtr__device_size(p->bytes[i]) : 0;
    ctx->device_bytes += p->counted;
    if (gtr__backend_result(&p->own, ctx->be->zero(p->instance[0], p->block[GTR__IN], p->bytes[0]), "zeros")) goto fail;
    for (i = 0; i < p->n_entry; i++) if (!gtr__predictor_ready(p, p->entry[i])) goto fail;
    if (p->held && (!gtr__line_ready(ctx) || gtr_predictor_refresh(p))) goto fail;
    if (gtr__wait_all(ctx)) goto fail;
    return p;
fail:
    if (p->own.error) gtr__fail(ctx, p->own.error, "predictor: %s", p->own.error_text);
    gtr_predictor_destroy(p);
    return NULL;
}
/* Ids of n rows from row done on are in their ranges. */
static gtr_result gtr__predict_ranges(gtr_predictor *p, const void *const *in, int64_t done, int64_t n) {
    char text[GTR__RANGE_TEXT];
    for (int i = 0; i < p->entry[0]->n_limited; i++) {
        const gtr_tensor *op = p->entry[0]->limited[i], *x = gtr__limited_input(op);
        const int k = gtr__predictor_find(p, GTR__IN, x);
        if (k < 0) continue;
        const int64_t ids = (int64_t)(p->row[GTR__IN][k] / 4),
            at = gtr__out_of_range(op, (const int32_t *)in[k] + done * ids, GTR_I32, n * ids, text);
        if (at >= 0) return GTR__BAD_ARG(&p->own, "input \"%.100s\": element %lld is %s", x->name,
            (long long)(at + done * ids), text);
    }
    return GTR_OK;
}
gtr_result gtr_predict_ex(gtr_predictor *p, const void *const *in, int64_t rows, void *const *out) {
    if (!p) return GTR_ERR_ARG;
    gtr_context *own = &p->own;
    const gtr__backend *be = p->ctx->be;
    bool null = !in || !out || rows < 1;
    if (gtr__forked(p->ctx)) return GTR__BAD_STATE(own, "%s", p->ctx->error_text);
    for (int k = 0; k < GTR__PREDICTS && !null; k++)
        null = (k < p->n[GTR__IN] && !in[k]) || (k < p->n[GTR__OUT] && !out[k]);
    if (null) return GTR__BAD_ARG(own, "gtr_predict: in and out are not NULL, and rows at least 1");
    if (!p->apart && rows > p->max_rows)
        return GTR__BAD_ARG(own, "gtr_predict: %lld rows, which act on each other, want at most %lld",
                         (long long)rows, (long long)p->max_rows);
    for (int64_t n, done = 0; done < rows; done += n) {
        n = GTR__MIN(rows - done, p->max_rows);
        GTR__TRY(gtr__predict_ranges(p, in, done, n));
        const gtr_result before = own->error;
        own->error = GTR_OK;
        gtr__cached *e = gtr__predictor_entry(p, n);
        if (!e || !(gtr__same_rows(e->plan.node, e->plan.n_node, done) || gtr__predictor_ready(p, e)))
            return own->error;
        if (before) own->error = before;
        gtr_result r = GTR_OK;
        for (int k = 0; k < p->n[GTR__IN] && !r; k++) {
            const size_t row = p->row[GTR__IN][k];
            r = be->copy(p->instance[0], (char *)p->block[GTR__IN] + p->at[GTR__IN][k],
                (const char *)in[k] + (size_t)done * row, (size_t)n * row, GTR__TO_DEVICE, false);
        }
        if (!r) r = be->launch(p->instance, e->exec, GTR__PART_ALL);
        for (int k = 0; k < p->n[GTR__OUT] && !r; k++) {
            const size_t row = p->row[GTR__OUT][k];
            r = be->copy(p->instance[0], (char *)out[k] + (size_t)done * row,
                (char *)p->block[GTR__OUT] + p->at[GTR__OUT][k], (size_t)n * row, GTR__TO_HOST,
                k + 1 == p->n[GTR__OUT]);
        }
        if (r) return gtr__fail(own, r, "%s", gtr_result_text(r));
    }
    return GTR_OK;
}
gtr_result gtr_predict(gtr_predictor *p, const void *in, int64_t rows, void *out) {
    if (!p) return GTR_ERR_ARG;
    if (p->n[GTR__IN] + p->n[GTR__OUT] == 2) return gtr_predict_ex(p, &in, rows, &out);
    return GTR__BAD_ARG(&p->own, "gtr_predict: the predictor has %d inputs and %d outputs: gtr_predict_ex takes them",
        p->n[GTR__IN], p->n[GTR__OUT]);
}
const char *gtr_predictor_error_text(const gtr_predictor *p) {
    return p ? gtr_error_text(&p->own) : "there is no predictor";
}

// >>files
/* Whole files, read and written. Sizes are unsigned and 64 bits wide. On POSIX only what a strict
   -std=c99 shows is used. */
#ifdef _WIN32 /* windows.h has come with the threads */
#  include <fcntl.h>
#  include <process.h>
#  include <sys/stat.h>
#  define GTR__SYS(call) _##call
#  define GTR__STAT      _stat64
#  define GTR__FSTAT     _fstat64
#  define GTR__FSYNC     _commit /* FlushFileBuffers */
#  define GTR__RENAME(from, to) (MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) ? 0 \
    : (errno = EACCES, -1))
#  define GTR__LINK(from, to) (CreateHardLinkA(to, from, NULL) ? 0 : -1)
#  define GTR__CHMOD(name, mode) (void)0
#  define GTR__O_READ    (_O_RDONLY | _O_BINARY | _O_NOINHERIT)
#  define GTR__O_NEW     (_O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT)
#  define GTR__IS_FILE(mode)   (((mode) & _S_IFMT) == _S_IFREG)
#  define GTR__IS_FOLDER(mode) (((mode) & _S_IFMT) == _S_IFDIR)
#else
#  include <dirent.h>
#  include <sys/file.h>
#  ifdef O_CLOEXEC
#  define GTR__O_CLOEXEC O_CLOEXEC
#  else
#  define GTR__O_CLOEXEC 0
#  endif
#  define GTR__SYS(call) call
#  define GTR__STAT      stat
#  define GTR__FSTAT     fstat
#  define GTR__FSYNC     fsync
#  define GTR__RENAME(from, to) rename(from, to)
#  define GTR__LINK(from, to) link(from, to)
#  define GTR__CHMOD(name, mode) chmod(name, mode)
#  define GTR__O_READ    (O_RDONLY | O_NONBLOCK | GTR__O_CLOEXEC) /* the opening of a pipe would block */
#  define GTR__O_NEW     (O_WRONLY | O_CREAT | O_EXCL | GTR__O_CLOEXEC)
#  define GTR__IS_FILE   S_ISREG
#  define GTR__IS_FOLDER S_ISDIR
#endif
#define GTR__RETRY(r, call) do (r) = (call); while ((r) < 0 && errno == EINTR)
#define GTR__PATH "%.400s" /* a path in an error's text: the rest must fit too */
#define GTR__OF_FILE(ctx, code, text, ...) GTR__FAIL(ctx, code, GTR__PATH ": " text, __VA_ARGS__)
#define GTR__BAD_FILE(ctx, ...) GTR__OF_FILE(ctx, FORMAT, __VA_ARGS__)
#define GTR__IO_PIECE (1u << 30)
typedef struct {
    gtr_context *ctx;
    const char *path;
    uint64_t size; /* as it was when opened */
    int fd; /* -1: closed */
} gtr__file;
static gtr_result gtr__file_fail(const gtr__file *f, const char *doing) {
    return GTR__OF_FILE(f->ctx, IO, "%s failed: %s", f->path, doing, strerror(errno));
}
/* Not called again on EINTR: the descriptor is gone then. */
static bool gtr__file_close(gtr__file *f) {
    int fd = f->fd;
    f->fd = -1;
    return fd < 0 || GTR__SYS(close)(fd) == 0 || errno == EINTR;
}
static bool gtr__file_start(gtr__file *f, gtr_context *ctx, const char *path, int flags, unsigned mode) {
    f->ctx = ctx;
    f->path = path;
    f->size = 0;
    GTR__RETRY(f->fd, GTR__SYS(open)(path, flags, mode));
    return f->fd >= 0;
}
static gtr_result gtr__file_open(gtr__file *f, gtr_context *ctx, const char *path) {
    struct GTR__STAT st;
    if (!gtr__file_start(f, ctx, path, GTR__O_READ, 0)) return gtr__file_fail(f, "opening");
    if (GTR__FSTAT(f->fd, &st) != 0) gtr__file_fail(f, "asking for its size");
    else if (!GTR__IS_FILE(st.st_mode))
        GTR__OF_FILE(ctx, IO, "not a regular file but a folder, pipe or device", path);
    else { f->size = (uint64_t)st.st_size; return GTR_OK; }
    gtr__file_close(f);
    return GTR_ERR_IO;
}
static bool gtr__file_sync(gtr__file *f) {
    int r;
    GTR__RETRY(r, GTR__FSYNC(f->fd));
    return r == 0;
}
/* Reads or writes all of bytes, however few a call moves. */
static gtr_result gtr__file_move(gtr__file *f, void *memory, uint64_t bytes, bool out) {
    uint8_t *p = (uint8_t *)memory;
    while (bytes) {
        const unsigned piece = (unsigned)GTR__MIN(bytes, GTR__IO_PIECE);
        int64_t n;
        GTR__RETRY(n, out ? GTR__SYS(write)(f->fd, p, piece) : GTR__SYS(read)(f->fd, p, piece));
        if (n < 0) return gtr__file_fail(f, out ? "writing" : "reading");
        if (n == 0 && !out)
            return GTR__OF_FILE(f->ctx, IO, "became shorter while it was read", f->path);
        p += n;
        bytes -= (uint64_t)n;
    }
    return GTR_OK;
}
/* The next bytes in new memory, *out, that the caller frees on failure too; a 0 stands behind them. */
static gtr_result gtr__file_take(gtr__file *f, uint64_t bytes, uint8_t **out) {
    *out = bytes < SIZE_MAX / 2 ? GTR__NEW(f->ctx, uint8_t, bytes + 1) : NULL;
    if (*out) return gtr__file_move(f, *out, bytes, false);
    return GTR__OF_FILE(f->ctx, NOMEM, "%ju bytes do not fit into memory", f->path, (uintmax_t)bytes);
}
/* After all of it was read: that nothing has been added meanwhile. Closes. */
static gtr_result gtr__file_finish(gtr__file *f) {
    uint8_t more;
    int64_t n;
    GTR__RETRY(n, GTR__SYS(read)(f->fd, &more, 1));
    if (n < 0) gtr__file_fail(f, "reading");
    if (n > 0) GTR__OF_FILE(f->ctx, IO, "became longer while it was read", f->path);
    if (!gtr__file_close(f)) return gtr__file_fail(f, "closing");
    return n == 0 ? GTR_OK : GTR_ERR_IO;
}
static uint64_t gtr__le_get(const uint8_t *p, int bytes) {
    uint64_t v = 0;
    while (bytes-- > 0) v = v << 8 | p[bytes];
    return v;
}
/* A file's bytes, a 0 behind them; NULL and an error on failure. */
static uint8_t *gtr__file_whole(gtr_context *ctx, const char *path, uint64_t *size) {
    gtr__file f;
    uint8_t *bytes = NULL;
    if (gtr__file_open(&f, ctx, path)) return NULL;
    *size = f.size;
    const bool ok = !gtr__file_take(&f, f.size, &bytes) && !gtr__file_finish(&f);
    gtr__file_close(&f);
    if (!ok) gtr__mfree(ctx, bytes);
    return ok ? bytes : NULL;
}
/* True, and an error, for what gzip has made. */
static bool gtr__is_gzip(gtr_context *ctx, const char *path, const uint8_t *head, uint64_t n) {
    if (n < 2 || head[0] != 0x1f || head[1] != 0x8b) return false;
    GTR__BAD_FILE(ctx, "compressed by gzip; gunzip first", path);
    return true;
}

// >>datasets
/* Nothing is linked to the context before it is whole. A long name is cut to its end. */
static gtr_dataset *gtr__dataset_new(gtr_context *ctx, const char *name, int64_t rows) {
    gtr_dataset *d = GTR__NEW(ctx, gtr_dataset, 1);
    const size_t n = strlen(name);
    if (!d) return NULL;
    d->ctx = ctx;
    d->rows = rows;
    if (n < sizeof d->name) memcpy(d->name, name, n + 1);
    else snprintf(d->name, sizeof d->name, "...%s", name + n - (sizeof d->name - 4));
    return d;
}
static void gtr__names_free(gtr_context *ctx, char **name, int64_t n) {
    while (n > 0) gtr__mfree(ctx, name[--n]);
    gtr__mfree(ctx, name);
}
static void gtr__strings_free(gtr_context *ctx, gtr__strings *m) {
    gtr__mfree(ctx, m->text); gtr__mfree(ctx, m->at); gtr__mfree(ctx, m->bin);
}
/* Room for a string of n bytes at m->text + m->used. */
static bool gtr__strings_room(gtr_context *ctx, gtr__strings *m, size_t n) {
    const uint64_t want = (uint64_t)m->used + n + 1, room = GTR__MAX(want, 2 * (uint64_t)m->room);
    if (want <= (uint64_t)m->room) return true;
    char *p = want < UINT32_MAX ? GTR__NEW(ctx, char, room) : NULL;
    if (!p) return !GTR__FAIL(ctx, NOMEM, "out of memory: strings of %ju bytes", (uintmax_t)want);
    if (m->used) memcpy(p, m->text, (size_t)m->used);
    gtr__mfree(ctx, m->text);
    m->text = p; m->room = (int64_t)room;
    return true;
}
/* The number of the string at m->text + m->used, which is added if it is new and may be. -1: not there, no memory. */
static int32_t gtr__strings_id(gtr_context *ctx, gtr__strings *m, bool add) {
    const char *s = m->text + m->used;
    uint64_t h = gtr__hash(0, s);
    if (2 * m->n >= m->bins && add) {
        const int64_t bins = GTR__MAX(2 * m->bins, 16);
        uint32_t *bin = GTR__NEW(ctx, uint32_t, bins);
        if (!bin) return -1;
        for (int64_t i = 0; i < m->n; i++) {
            uint64_t at = gtr__hash(0, m->text + m->at[i]);
            while (bin[at &= (uint64_t)bins - 1]) at++;
            bin[at] = (uint32_t)i + 1;
        }
        gtr__mfree(ctx, m->bin);
        m->bin = bin; m->bins = bins;
    }
    for (; m->bins && m->bin[h &= (uint64_t)m->bins - 1]; h++) {
        const uint32_t i = m->bin[h] - 1;
        if (!strcmp(m->text + m->at[i], s)) return (int32_t)i;
    }
    if (!add || !GTR__GROW(ctx, m->at, m->n, m->cap)) return -1;
    m->bin[h] = (uint32_t)m->n + 1;
    m->at[m->n] = (uint32_t)m->used;
    m->used += (int64_t)strlen(s) + 1;
    return (int32_t)m->n++;
}
static bool gtr__strings_add(gtr_context *ctx, gtr__strings *m, const char *s) {
    if (!gtr__strings_room(ctx, m, strlen(s))) return false;
    strcpy(m->text + m->used, s);
    return gtr__strings_id(ctx, m, true) >= 0;
}
static bool gtr__strings_copy(gtr_context *ctx, gtr__strings *to, const gtr__strings *from) {
    int64_t i = 0;
    while (i < from->n && gtr__strings_add(ctx, to, from->text + from->at[i])) i++;
    return i == from->n;
}
/* c is on the device no more. */
static void gtr__column_off(gtr_dataset *d, gtr__column *c) {
    if (c->device && c->device != c->host && !c->shared)
        gtr__device_free(d->ctx, 0, c->device, gtr__column_bytes(d, c));
    c->device = NULL;
}
static void gtr__dataset_free(gtr_dataset *d) {
    if (!d) return;
    if (d->device_index && d->device_index != d->index)
        gtr__device_free(d->ctx, 0, d->device_index, (size_t)d->rows * sizeof *d->index);
    gtr__mfree(d->ctx, d->index);
    for (int i = 0; i < d->n_columns; i++) {
        gtr__column *c = &d->column[i];
        gtr__column_off(d, c);
        if (!c->borrowed && !c->shared) gtr__mfree(d->ctx, c->host);
        gtr__mfree(d->ctx, c->name);
        gtr__mfree(d->ctx, c->fill);
        gtr__strings_free(d->ctx, &c->names);
    }
    gtr__mfree(d->ctx, d);
}
/* One more column, its rows the caller's, if they are borrowed, or to be written by it; NULL and an error on failure.
   shape is literal and its extents at least 1. */
static gtr__column *gtr__dataset_column_of(gtr_dataset *d, const char *name, gtr_dtype dtype, const gtr_shape *shape,
        float scale, float shift, const void *borrowed) {
    gtr__column *c = &d->column[d->n_columns];
    char text[GTR__TEXT];
    uint64_t bytes;
    c->dtype = dtype;
    c->shape = *shape;
    c->row = c->stored = gtr__count(shape);
    c->scale = scale != 0 ? scale : 1.0f / 255.0f;
    c->shift = shift;
    c->least = 1; /* above most: not looked for yet */
    if (c->row < 1 || !gtr__mul_ok((uint64_t)c->row * gtr__dtype_size(dtype), (uint64_t)d->rows, &bytes)
            || bytes > (uint64_t)INT64_MAX / 16 || bytes > SIZE_MAX / 2) {
        GTR__FAIL(d->ctx, SHAPE, "%s: %jd rows of shape %s overflow", d->name, (intmax_t)d->rows,
            gtr__shape_text(shape, text));
        return NULL;
    }
    c->row_bytes = (size_t)c->row * gtr__dtype_size(dtype);
    c->borrowed = borrowed != NULL;
    c->host = borrowed ? (uint8_t *)(uintptr_t)borrowed : GTR__NEW(d->ctx, uint8_t, bytes);
    c->name = c->host && name && name[0] ? gtr__strdup(d->ctx, name) : NULL;
    d->n_columns++; /* what there is of it is freed with the data set */
    return c->host && (c->name || !name || !name[0]) ? c : NULL;
}
static gtr__column *gtr__dataset_column(gtr_dataset *d, const char *name, gtr_dtype dtype, const gtr_shape *shape,
        float scale, float shift) {
    return gtr__dataset_column_of(d, name, dtype, shape, scale, shift, NULL);
}
/* One more column like c, which may be another data set's. */
static bool gtr__dataset_like(gtr_dataset *d, const gtr__column *c) {
    gtr__column *const to = gtr__dataset_column(d, c->name, c->dtype, &c->shape, c->scale, c->shift);
    if (!to || !gtr__strings_copy(d->ctx, &to->names, &c->names)) return false;
    to->channels = c->channels; to->image = c->image;
    if (!c->fill) return true;
    if (!(to->fill = GTR__NEW(d->ctx, gtr_float, c->row))) return false;
    GTR__COPY(to->fill, c->fill, c->row);
    return true;
}
/* c's rows have their channels first, 1, or last, 2; of other than (H, W) beside these they are images of one line. */
static void gtr__column_channels(gtr__column *c, int channels) {
    const int n = c->shape.ndim, at = channels == 2 ? 0 : n > 2;
    const int64_t have = channels == 2 ? c->shape.dim[n - 1] : n > 2 ? c->shape.dim[0] : 1,
        h = n - (channels == 2 || n > 2) == 2 ? c->shape.dim[at] : 1;
    const bool bytes = c->dtype == GTR_U8;
    c->channels = channels;
    gtr__image_whole(&c->image, have, h, c->row / have / h, bytes ? c->scale : 1, bytes ? c->shift : 0);
}
/* Rows of numbers, each of kind f, i, u or b and so many bytes; fortran: the first dimension's are adjacent. */
typedef struct { char kind; int size; bool fortran; int64_t rows; gtr_shape row; const uint8_t *data; } gtr__npy;
/* An element as a number: integers in *i, all in *f. */
static void gtr__element(const uint8_t *p, char kind, int size, double *f, int64_t *i) {
    float single;
    *i = 0;
    if (kind == 'f' && size == 8) memcpy(f, p, 8);
    else if (kind == 'f' && size == 4) { memcpy(&single, p, 4); *f = single; }
    else if (kind == 'f') {
        uint16_t half;
        gtr_float v;
        memcpy(&half, p, 2);
        gtr__convert(&v, GTR_F32, &half, GTR_F16, 1);
        *f = v;
    } else {
        const uint64_t u = gtr__le_get(p, size), sign = (uint64_t)1 << (8 * size - 1);
        *i = kind == 'i' ? (int64_t)((u ^ sign) - sign) : (int64_t)u;
        *f = (double)*i;
    }
}
/* The array into c, which is of its shape. finite: what is not is an error. */
static gtr_result gtr__column_take(const gtr_dataset *d, const char *name, gtr__column *c, const gtr__npy *a,
        bool finite) {
    const int column = (int)(c - d->column);
    const int64_t n = a->rows * c->row;
    const bool same = !a->fortran && (size_t)a->size == gtr__dtype_size(c->dtype)
        && (c->dtype == GTR_F32) == (a->kind == 'f');
    int64_t r = 0, e = 0, from = 0;
    if (same) memcpy(c->host, a->data, (size_t)n * (size_t)a->size);
    for (int64_t q = 0; q < n && (!same || (finite && c->dtype == GTR_F32)); q++) {
        double f;
        int64_t i, under = c->row, by = a->rows;
        if (!a->fortran || r == 0) from = a->fortran ? 0 : q;
        for (int k = 0; a->fortran && r == 0 && k < c->shape.ndim;
            by *= c->shape.dim[k++]) { /* columns' elements as rows' */
            under /= c->shape.dim[k];
            from += e / under % c->shape.dim[k] * by;
        }
        const int64_t to = a->fortran ? r * c->row + e : q;
        gtr__element(a->data + (size_t)from * (size_t)a->size, a->kind, a->size, &f, &i);
        const gtr_float v = (gtr_float)f;
        if (c->dtype == GTR_F32 && (finite || gtr__finite(f)) && gtr__nonfinite(&v, 1))
            return GTR__FAIL(d->ctx, NONFINITE, GTR__PATH ": column %d, row %jd, element %jd is %g, want a number "
            "within the "
                "range of float32", name, column, (intmax_t)(to / c->row), (intmax_t)(to % c->row), f);
        if (c->dtype == GTR_I32 && (i < INT32_MIN || i > INT32_MAX))
            return GTR__BAD_ARG(d->ctx,
            GTR__PATH ": column %d, row %jd, element %jd is %jd, want one of -2^31 to 2^31 - 1",
                name, column, (intmax_t)(to / c->row), (intmax_t)(to % c->row), (intmax_t)i);
        if (c->dtype == GTR_F32) ((gtr_float *)(void *)c->host)[to] = v;
        else if (c->dtype == GTR_I32) ((int32_t *)(void *)c->host)[to] = (int32_t)i;
        else c->host[to] = (uint8_t)i;
        from++;
        if (++r == a->rows) { r = 0; e++; }
    }
    return GTR_OK;
}
static gtr_dataset *gtr__dataset_link(gtr_dataset *d) {
    d->next = d->ctx->datasets;
    if (d->next) d->next->previous = d;
    d->ctx->datasets = d;
    return d;
}
static gtr_result gtr__column_check(gtr_context *ctx, const gtr_column *c, int i) {
    const gtr_float factor[2] = { c->scale, c->shift };
    char text[GTR__TEXT];
    if (c->dtype != GTR_F32 && c->dtype != GTR_I32 && c->dtype != GTR_U8
            && (c->borrow || (c->dtype != GTR_I64 && c->dtype != GTR_F64)))
        return GTR__BAD_ARG(ctx, "gtr_dataset_arrays: column %d is of dtype %d, want GTR_F32, GTR_I32 or GTR_U8 or, "
        "copied, "
            "GTR_I64 or GTR_F64", i, (int)c->dtype);
    if (c->shape.ndim < 0 || c->shape.ndim >= GTR_MAX_DIMS)
        return GTR__FAIL(ctx, SHAPE, "gtr_dataset_arrays: a row of column %d has %d dimensions, want 0 to %d",
            i, c->shape.ndim, GTR_MAX_DIMS - 1);
    for (int k = 0; k < c->shape.ndim; k++) if (c->shape.dim[k] < 1)
        return GTR__FAIL(ctx, SHAPE,
            "gtr_dataset_arrays: a row of column %d has shape %s, want extents of at least 1", i,
            gtr__shape_text(&c->shape, text));
    if (c->channels_last && (c->shape.ndim < 2 || gtr__count(&c->shape) > 1 << 30))
        return GTR__FAIL(ctx, SHAPE, "gtr_dataset_arrays: column %d has channels last and rows %s, want (H, W, C) or "
            "the like, at most 2^30 elements", i, gtr__shape_text(&c->shape, text));
    if (gtr__nonfinite(factor, 2))
        return GTR__BAD_ARG(ctx, "gtr_dataset_arrays: scale %g and shift %g of column %d, want finite",
            c->scale, c->shift, i);
    return GTR_OK;
}
/* Logs where the first number of a column of floats is that is not finite. */
static void gtr__column_warn(const gtr_dataset *d, int column) {
    const gtr__column *c = &d->column[column];
    const gtr_float *v = (const gtr_float *)(const void *)c->host;
    char text[400];
    int64_t k = 0;
    if (!d->ctx->desc.log || !gtr__nonfinite(v, d->rows * c->row)) return;
    while (!gtr__nonfinite(v + k, 1)) k++;
    snprintf(text, sizeof text, "%s: column %d%s%.80s%s, row %jd, element %jd is %g", d->name, column, c->name ? " \""
        : "",
        c->name ? c->name : "", c->name ? "\"" : "", (intmax_t)(k / c->row), (intmax_t)(k % c->row), (double)v[k]);
    d->ctx->desc.log(GTR_LOG_WARNING, text, d->ctx->desc.log_user);
}
gtr_dataset *gtr_dataset_arrays(gtr_context *ctx, gtr_arrays_desc desc) {
    if (!gtr__usable(ctx)) return NULL;
    if (desc.rows < 1) {
        GTR__BAD_ARG(ctx, "gtr_dataset_arrays: %jd rows, want at least 1", (intmax_t)desc.rows);
        return NULL;
    }
    if (!desc.column[0].data) {
        GTR__BAD_ARG(ctx, "gtr_dataset_arrays: column 0 has no data (NULL)"); return NULL;
    }
    gtr_dataset *d = gtr__dataset_new(ctx, "gtr_dataset_arrays", desc.rows);
    for (int i = 0; d && i < 16 && desc.column[i].data; i++) {
        const gtr_column *from = &desc.column[i];
        gtr__column *c = NULL;
        const bool floats = from->dtype == GTR_F32 || from->dtype == GTR_F64, ok = !gtr__column_check(ctx, from, i);
        const gtr__npy a = { floats ? 'f' : from->dtype == GTR_U8 ? 'u' : 'i', ok ? (int)gtr__dtype_size(from->dtype)
            : 0,
            false, desc.rows, from->shape, (const uint8_t *)from->data };
        if (ok) c = gtr__dataset_column_of(d, from->name, floats ? GTR_F32 : from->dtype == GTR_I64 ? GTR_I32
            : from->dtype, &from->shape, from->scale, from->shift, from->borrow ? from->data : NULL);
        if (!c || (!from->borrow && gtr__column_take(d, d->name, c, &a, false))) { gtr__dataset_free(d); return NULL; }
        if (from->channels_last) gtr__column_channels(c, 2);
        if (floats) gtr__column_warn(d, i);
    }
    return d ? gtr__dataset_link(d) : NULL;
}

// >>idx
/* IDX: 0, 0, type, dimensions; each extent as 4 bytes, big-endian; the data. head holds the first n_head bytes. */
typedef struct { int64_t rows; gtr_shape row; size_t start; uint64_t bytes; } gtr__idx;
static gtr_result gtr__idx_header(gtr_context *ctx, const char *path, const uint8_t *head, size_t n_head, uint64_t size,
        gtr__idx *out) {
    uint64_t want = 1;
    memset(out, 0, sizeof *out);
    if (gtr__is_gzip(ctx, path, head, n_head)) return GTR_ERR_FORMAT;
    if (n_head < 4) return GTR__BAD_FILE(ctx, "%ju bytes, too few for an IDX file", path, (uintmax_t)size);
    if (head[0] || head[1] || !strchr("\x08\x09\x0b\x0c\x0d\x0e", head[2]) || !head[2] || !head[3])
        return GTR__BAD_FILE(ctx,
            "begins %02x %02x %02x %02x, which is no IDX file (0, 0, a type of 8 to 14, dimensions)", path,
            head[0], head[1], head[2], head[3]);
    if (head[2] != 8) return GTR__OF_FILE(ctx, UNSUPPORTED,
        "IDX of type 0x%02x, supported is 0x08 (bytes)", path, head[2]);
    int ndim = head[3];
    if (ndim > GTR_MAX_DIMS) return GTR__OF_FILE(ctx, UNSUPPORTED,
        "%d dimensions, supported are up to %d", path, ndim, GTR_MAX_DIMS);
    out->start = 4 + 4 * (size_t)ndim;
    if (n_head < out->start) return GTR__BAD_FILE(ctx, "cut within its header, at %ju bytes", path, (uintmax_t)size);
    for (int i = 0; i < ndim; i++) {
        const uint8_t *p = head + 4 + 4 * i;
        uint32_t d = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
        if (i && d == 0) return GTR__BAD_FILE(ctx, "dimension %d is 0", path, i);
        if (i) out->row.dim[out->row.ndim++] = d;
        else out->rows = d;
        if (!gtr__mul_ok(want, d, &want))
            return GTR__BAD_FILE(ctx, "the product of its %d dimensions overflows", path, ndim);
    }
    out->bytes = want;
    if (size - out->start != want)
        return GTR__BAD_FILE(ctx, "%ju bytes of data, want %ju from its dimensions", path,
                (uintmax_t)(size - out->start), (uintmax_t)want);
    return out->rows ? GTR_OK : GTR__OF_FILE(ctx, ARG, "an empty data set (0 rows)", path);
}
/* The next byte to be read is then the data's first. */
static gtr_result gtr__idx_open(gtr_context *ctx, const char *path, gtr__file *f, gtr__idx *idx) {
    uint8_t head[4 + 4 * GTR_MAX_DIMS];
    GTR__TRY(gtr__file_open(f, ctx, path));
    uint64_t n = GTR__MIN(f->size, sizeof head);
    gtr_result r = gtr__file_move(f, head, n, false);
    if (!r) r = gtr__idx_header(ctx, path, head, (size_t)n, f->size, idx);
    if (!r && GTR__SYS(lseek)(f->fd, (long)idx->start, SEEK_SET) < 0) r = gtr__file_fail(f, "seeking");
    return r;
}
static bool gtr__idx_column(gtr_dataset *d, const char *name, gtr__file *f, const gtr__idx *idx) {
    gtr__column *c = gtr__dataset_column(d, name, GTR_U8, &idx->row, 0, 0);
    return c && gtr__file_move(f, c->host, idx->bytes, false) == GTR_OK && gtr__file_finish(f) == GTR_OK;
}
gtr_dataset *gtr_dataset_idx(gtr_context *ctx, const char *images, const char *labels) {
    gtr__file fi, fl;
    gtr__idx image, label;
    gtr_dataset *d = NULL;
    char text[GTR__TEXT];
    fi.fd = fl.fd = -1;
    if (!gtr__usable(ctx)) return NULL;
    if (!images || !labels)
        GTR__BAD_ARG(ctx, "gtr_dataset_idx: the path of the %s is NULL", images ? "labels" : "images");
    else if (gtr__idx_open(ctx, images, &fi, &image) == GTR_OK && gtr__idx_open(ctx, labels, &fl, &label) == GTR_OK) {
        if (label.row.ndim != 0)
            GTR__BAD_FILE(ctx, "each label has shape %s, want one number (are images and labels exchanged?)", labels,
                gtr__shape_text(&label.row, text));
        else if (image.rows != label.rows)
            GTR__FAIL(ctx, FORMAT, "%.300s has %jd rows, %.300s has %jd: want as many", images,
                (intmax_t)image.rows, labels, (intmax_t)label.rows);
        else d = gtr__dataset_new(ctx, images, image.rows);
        if (d && gtr__idx_column(d, "image", &fi, &image) && gtr__idx_column(d, "label", &fl, &label))
            return gtr__dataset_link(d);
    }
    gtr__file_close(&fi);
    gtr__file_close(&fl);
    gtr__dataset_free(d);
    return NULL;
}

// >>cifar
/* Rows of CIFAR: the label, or the coarse and the fine one (CIFAR-100), then 32 x 32 bytes of red, green and blue. */
#define GTR__CIFAR_PIXELS 3072
#define GTR__CIFAR_CHUNK  256 /* rows that are read at once */
static gtr_result gtr__cifar_rows(gtr_context *ctx, const char *path, const uint8_t *head, uint64_t size, int labels,
        int64_t *rows) {
    const uint64_t row = GTR__CIFAR_PIXELS + (unsigned)labels;
    if (gtr__is_gzip(ctx, path, head, size % row ? size : 0)) return GTR_ERR_FORMAT;
    *rows = (int64_t)(size / row);
    if (size && !(size % row)) return GTR_OK;
    return GTR__BAD_FILE(ctx, "%ju bytes, want whole rows of %ju (at least one)%s", path, (uintmax_t)size,
        (uintmax_t)row, !size || size % (GTR__CIFAR_PIXELS + 3 - (unsigned)labels) ? ""
        : labels == 1 ? "; it looks like CIFAR-100" : "; it looks like CIFAR-10");
}
/* Takes n rows, of which the first is number at of its file, apart. */
static gtr_result gtr__cifar_split(gtr_context *ctx, const char *path, const uint8_t *rows, int64_t at, int64_t n,
        int classes, uint8_t *image, uint8_t *label) {
    static const char *const called[] = { "label", "coarse label", "fine label" };
    const int labels = classes == 10 ? 1 : 2;
    for (int64_t r = 0; r < n; r++, rows += labels + GTR__CIFAR_PIXELS) {
        for (int k = 0; k < labels; k++) {
            const int most = labels == 1 ? 10 : k ? 100 : 20;
            if (rows[k] >= most) return GTR__BAD_FILE(ctx, "row %jd: %s %d, want 0 to %d", path, (intmax_t)(at + r),
                called[labels == 1 ? 0 : k + 1], rows[k], most - 1);
        }
        label[r] = rows[classes == 100];
        memcpy(image + r * GTR__CIFAR_PIXELS, rows + labels, GTR__CIFAR_PIXELS);
    }
    return GTR_OK;
}
static gtr_result gtr__cifar_open(gtr_context *ctx, const char *path, int labels, gtr__file *f, int64_t *rows) {
    uint8_t head[2] = { 0, 0 };
    GTR__TRY(gtr__file_open(f, ctx, path));
    gtr_result r = gtr__file_move(f, head, GTR__MIN(f->size, sizeof head), false);
    if (!r) r = gtr__cifar_rows(ctx, path, head, f->size, labels, rows);
    if (!r && GTR__SYS(lseek)(f->fd, 0, SEEK_SET) < 0) r = gtr__file_fail(f, "seeking");
    if (r) gtr__file_close(f);
    return r;
}
/* All files' rows into d, whose rows were counted before. */
static gtr_result gtr__cifar_read(gtr_dataset *d, const char *const *paths, int n, int classes, uint8_t *chunk) {
    const int labels = classes == 10 ? 1 : 2;
    int64_t done = 0, rows = 0;
    for (int k = 0; k < n; k++) {
        gtr__file f;
        GTR__TRY(gtr__cifar_open(d->ctx, paths[k], labels, &f, &rows));
        gtr_result r = rows <= d->rows - done ? GTR_OK
            : GTR__OF_FILE(d->ctx, IO, "became longer while it was read", paths[k]);
        for (int64_t at = 0, m; at < rows && !r; at += m, done += m) {
            m = GTR__MIN(rows - at, GTR__CIFAR_CHUNK);
            r = gtr__file_move(&f, chunk, (uint64_t)(m * (GTR__CIFAR_PIXELS + labels)), false);
            if (!r) r = gtr__cifar_split(d->ctx, paths[k], chunk, at, m, classes,
                d->column[0].host + done * GTR__CIFAR_PIXELS, d->column[1].host + done);
        }
        if (!r) r = gtr__file_finish(&f);
        gtr__file_close(&f);
        GTR__TRY(r);
    }
    return done == d->rows ? GTR_OK : GTR__OF_FILE(d->ctx, IO, "files became shorter while they were read",
        paths[0]);
}
gtr_dataset *gtr_dataset_cifar(gtr_context *ctx, const char *const *paths, int n, int classes) {
    const gtr_shape image = gtr_shape3(3, 32, 32), label = gtr_shape0();
    int64_t rows = 0, total = 0;
    gtr__file f;
    if (!gtr__usable(ctx)) return NULL;
    if (!paths || n < 1 || (classes != 10 && classes != 20 && classes != 100)) {
        GTR__BAD_ARG(ctx, "gtr_dataset_cifar: %d paths and %d classes, want at least 1, and 10, 20 or 100",
            paths ? n : 0, classes);
        return NULL;
    }
    for (int k = 0; k < n; k++, total += rows) {
        if (!paths[k]) { GTR__BAD_ARG(ctx, "gtr_dataset_cifar: path %d is NULL", k); return NULL; }
        if (gtr__cifar_open(ctx, paths[k], classes == 10 ? 1 : 2, &f, &rows)) return NULL;
        gtr__file_close(&f);
    }
    uint8_t *chunk = GTR__NEW(ctx, uint8_t, GTR__CIFAR_CHUNK * (GTR__CIFAR_PIXELS + 2));
    gtr_dataset *d = chunk ? gtr__dataset_new(ctx, paths[0], total) : NULL;
    const bool ok = d && gtr__dataset_column(d, "image", GTR_U8, &image, 0, 0)
        && gtr__dataset_column(d, "label", GTR_U8, &label, 0, 0) && !gtr__cifar_read(d, paths, n, classes, chunk);
    gtr__mfree(ctx, chunk);
    if (ok) { gtr__column_channels(&d->column[0], 1); return gtr__dataset_link(d); }
    gtr__dataset_free(d);
    return NULL;
}

// >>images
/* PGM and PPM: P2 (grey) and P3 (colour) in decimal, P5 and P6 in bytes, of two from a largest value of 256 on, high
   first. Spaces and comments, from # to the line's end, stand between numbers; one space in front of bytes. */
typedef struct { int channels; bool text; uint32_t w, h, most; const uint8_t *at, *end; } gtr__pnm;
static bool gtr__pnm_number(gtr__pnm *p, uint32_t *v) {
    int digits = 0;
    for (bool comment = false; p->at < p->end && (comment || *p->at == '#' || strchr(" \t\n\v\f\r", *p->at)); p->at++) {
        if (!*p->at && !comment) return false;
        comment = comment ? *p->at != '\n' && *p->at != '\r' : *p->at == '#';
    }
    for (*v = 0; p->at < p->end && (unsigned)(*p->at - '0') < 10; p->at++, digits++) {
        if (digits == 9) return false;
        *v = *v * 10 + (uint32_t)(*p->at - '0');
    }
    return digits > 0;
}
static gtr_result gtr__pnm_header(gtr_context *ctx, const char *path, const uint8_t *bytes, uint64_t n, gtr__pnm *p) {
    memset(p, 0, sizeof *p);
    if (gtr__is_gzip(ctx, path, bytes, n)) return GTR_ERR_FORMAT;
    if (n < 2) return GTR__BAD_FILE(ctx, "%ju bytes, too few for a PGM or PPM file", path, (uintmax_t)n);
    if (bytes[0] != 'P' || !bytes[1] || !strchr("2356", bytes[1]))
        return GTR__BAD_FILE(ctx, "begins %02x %02x, which is no PGM or PPM file (P2, P3, P5, P6)", path, bytes[0],
            bytes[1]);
    p->text = bytes[1] < '5';
    p->channels = bytes[1] == '2' || bytes[1] == '5' ? 1 : 3;
    p->at = bytes + 2; p->end = bytes + n;
    if (!gtr__pnm_number(p, &p->w) || !gtr__pnm_number(p, &p->h) || !gtr__pnm_number(p, &p->most) || !p->w || !p->h
            || !p->most || p->most > 65535)
        return GTR__BAD_FILE(ctx, "width %u, height %u, largest value %u, want numbers from 1 on, the last to 65535",
            path, p->w, p->h, p->most);
    if (p->text) return GTR_OK;
    const uint64_t want = (uint64_t)p->w * p->h * (unsigned)p->channels;
    const uint64_t size = p->most > 255 ? 2 : 1, have = (uint64_t)(p->end - p->at);
    if (!have || !strchr(" \t\n\v\f\r", *p->at) || !*p->at || have - 1 != want * size)
        return GTR__BAD_FILE(ctx, "%ju bytes of pixels, want %ju of %u x %u", path, (uintmax_t)(have ? have - 1 : 0),
            (uintmax_t)(want * size), p->w, p->h);
    p->at++;
    return GTR_OK;
}
/* All samples, of 8 bits; out has room for w h channels, which are no more than the file has bytes. */
static gtr_result gtr__pnm_samples(gtr_context *ctx, const char *path, gtr__pnm *p, uint8_t *out) {
    const uint64_t n = (uint64_t)p->w * p->h * (unsigned)p->channels;
    uint32_t v = 0, rest;
    for (uint64_t i = 0; i < n; i++) {
        if (p->text && !gtr__pnm_number(p, &v))
            return GTR__BAD_FILE(ctx, "sample %ju of %ju is no number", path, (uintmax_t)i, (uintmax_t)n);
        if (!p->text) { v = *p->at++; if (p->most > 255) v = v << 8 | *p->at++; }
        if (v > p->most)
            return GTR__BAD_FILE(ctx, "sample %ju is %u, want 0 to %u", path, (uintmax_t)i, v, p->most);
        out[i] = (uint8_t)(p->most == 255 ? v : (v * 255 + p->most / 2) / p->most);
    }
    if (p->text && (gtr__pnm_number(p, &rest) || p->at < p->end))
        return GTR__BAD_FILE(ctx, "more than %ju samples, want %u x %u", path, (uintmax_t)n, p->w, p->h);
    return GTR_OK;
}
/* w h pixels of `from` channels into as many of `to`. */
static void gtr__image_channels(const uint8_t *x, uint64_t pixels, int from, int to, uint8_t *y) {
    for (uint64_t i = 0; i < pixels; i++, x += from, y += to) {
        const unsigned grey = from == 1 ? x[0] : (299u * x[0] + 587u * x[1] + 114u * x[2] + 500) / 1000;
        for (int c = 0; c < to; c++) y[c] = (uint8_t)(from == to ? x[c] : grey);
    }
}
/* Which of n elements stand for element i of them resized, scale of n to one, and with which weights: a triangle as
   wide as what is joined, cut at the ends. At most 2 scale + 3. Returns the first, and in *taps how many. */
static int64_t gtr__resize_weights(double scale, int64_t i, int64_t n, float *weight, int64_t *taps) {
    const double reach = scale > 1 ? scale : 1, centre = scale * ((double)i + 0.5);
    const int64_t first = GTR__MAX((int64_t)(centre - reach + 0.5), 0);
    const int64_t end = GTR__MIN((int64_t)(centre + reach + 0.5), n);
    double sum = 0;
    for (int pass = 0; pass < 2; pass++) for (int64_t j = first; j < end; j++) {
        const double off = fabs((double)j + 0.5 - centre) / reach, w = off < 1 ? 1 - off : 0;
        if (pass) weight[j - first] = (float)(w / sum); else sum += w;
    }
    *taps = end - first;
    return first;
}
/* An image of (h, w, c) resized to (nh, nw), and of that the middle (oh, ow). */
static gtr_result gtr__image_resize(gtr_context *ctx, const uint8_t *x, int64_t h, int64_t w, int c, int64_t nh,
        int64_t nw, int64_t oh, int64_t ow, uint8_t *out) {
    const double scale_y = (double)h / (double)nh, scale_x = (double)w / (double)nw;
    const int64_t top = (nh - oh) / 2, left = (nw - ow) / 2, line = ow * c;
    const int64_t most = (int64_t)(2 * GTR__MAX(scale_x, scale_y)) + 4;
    int64_t taps, k = 0;
    /* the rows of x that are read, each of ow pixels */
    const int64_t y0 = GTR__MAX((int64_t)(scale_y * (double)top - scale_y) - 1, 0);
    const int64_t y1 = GTR__MIN((int64_t)(scale_y * (double)(top + oh + 1)) + 3, h);
    uint64_t room;
    float *weight = gtr__mul_ok((uint64_t)(y1 - y0), (uint64_t)line, &room) && room < SIZE_MAX / 8
        ? GTR__NEW(ctx, float, room + (uint64_t)(most + line)) : NULL;
    if (!weight) return GTR__FAIL(ctx, NOMEM, "out of host memory");
    float *const sum = weight + most, *const row = sum + line;
    for (int64_t i = 0; i < ow; i++) {
        const int64_t first = gtr__resize_weights(scale_x, left + i, w, weight, &taps);
        for (int64_t y = y0; y < y1; y++) for (int q = 0; q < c; q++) {
            const uint8_t *from = x + (y * w + first) * c + q;
            float v = 0;
            for (k = 0; k < taps; k++) v += weight[k] * from[k * c];
            row[(y - y0) * line + i * c + q] = v;
        }
    }
    for (int64_t y = 0; y < oh; y++) {
        const int64_t first = gtr__resize_weights(scale_y, top + y, h, weight, &taps) - y0;
        GTR__CLEAR(sum, line);
        for (k = 0; k < taps; k++) for (int64_t i = 0; i < line; i++) sum[i] += weight[k] * row[(first + k) * line + i];
        for (int64_t i = 0; i < line; i++) out[y * line + i] = (uint8_t)GTR__MIN(sum[i] + 0.5f, 255.0f);
    }
    gtr__mfree(ctx, weight);
    return GTR_OK;
}
/* Bytes of a file into one image of desc's, whose fields are known; exact: it has to have that size. */
static gtr_result gtr__image_make(gtr_context *ctx, const char *path, const uint8_t *bytes, uint64_t n,
        const gtr_images_desc *d, bool exact, bool alike, uint8_t *out) {
    gtr__pnm p;
    GTR__TRY(gtr__pnm_header(ctx, path, bytes, n, &p));
    const int64_t h = p.h, w = p.w;
    const uint64_t pixels = (uint64_t)p.w * p.h, samples = pixels * (unsigned)p.channels;
    if (exact && (h != d->height || w != d->width))
        return GTR__BAD_FILE(ctx, "%u x %u pixels, want %d x %d as the first file", path, p.w, p.h, d->width,
            d->height);
    if (alike && p.channels != d->channels)
        return GTR__BAD_FILE(ctx, "%d channels, want %d as the first file", path, p.channels, d->channels);
    if (samples > n || samples > 1 << 30) /* of text, too, a sample has a byte and more */
        return GTR__BAD_FILE(ctx, "%ju bytes, and %u x %u pixels, want as many of them, and no more than 2^30", path,
            (uintmax_t)n, p.w, p.h);
    uint8_t *x = GTR__NEW(ctx, uint8_t, samples + pixels * (unsigned)d->channels);
    if (!x) return GTR_ERR_NOMEM;
    uint8_t *const y = x + samples;
    const bool tall = d->resize ? h >= w : h * d->width >= w * d->height; /* the width is what is given */
    const int64_t side = d->resize ? d->resize : tall ? d->width : d->height;
    const int64_t nh = tall ? h * side / w : side, nw = tall ? side : w * side / h;
    gtr_result r = gtr__pnm_samples(ctx, path, &p, x);
    const bool same = nh == h && nw == w && h == d->height && w == d->width;
    if (!r) gtr__image_channels(x, pixels, p.channels, d->channels, same ? out : y);
    if (!r && !same) r = gtr__image_resize(ctx, y, h, w, d->channels, nh, nw, d->height, d->width, out);
    gtr__mfree(ctx, x);
    return r;
}
/* The entries of a folder one by one; NULL behind the last. */
#ifdef _WIN32
typedef struct { HANDLE h; WIN32_FIND_DATAA entry; bool next; } gtr__folder;
static bool gtr__folder_open(gtr_context *ctx, gtr__folder *f, const char *path) {
    char *all = GTR__NEW(ctx, char, strlen(path) + 3);
    f->next = false;
    f->h = INVALID_HANDLE_VALUE;
    errno = ENOENT;
    if (all) f->h = FindFirstFileA(strcat(strcpy(all, path), "/*"), &f->entry);
    gtr__mfree(ctx, all);
    return f->h != INVALID_HANDLE_VALUE;
}
static const char *gtr__folder_next(gtr__folder *f) {
    if (f->next && !FindNextFileA(f->h, &f->entry)) return NULL;
    f->next = true;
    return f->entry.cFileName;
}
static void gtr__folder_close(gtr__folder *f) { FindClose(f->h); }
#else
typedef struct { DIR *d; } gtr__folder;
static bool gtr__folder_open(gtr_context *ctx, gtr__folder *f, const char *path) {
    (void)ctx;
    return (f->d = opendir(path)) != NULL;
}
static const char *gtr__folder_next(gtr__folder *f) {
    const struct dirent *e = readdir(f->d);
    return e ? e->d_name : NULL;
}
static void gtr__folder_close(gtr__folder *f) { closedir(f->d); }
#endif
static int gtr__name_order(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}
static bool gtr__is_image(const char *name) {
    static const char ends[] = "gpn";
    const size_t n = strlen(name);
    const char *e = name + n - 4;
    if (n < 5 || e[0] != '.' || (e[1] | 32) != 'p' || (e[3] | 32) != 'm') return false;
    return strchr(ends, e[2] | 32) != NULL;
}
/* Paths of the folders, or images, in a folder, sorted, one behind the other in *name. */
static gtr_result gtr__folder_list(gtr_context *ctx, const char *folder, bool folders, char ***name, int64_t *n) {
    struct GTR__STAT st;
    gtr__folder f;
    const char *e;
    int64_t cap = 0;
    gtr_result r = GTR_OK;
    *name = NULL; *n = 0;
    if (!gtr__folder_open(ctx, &f, folder))
        return GTR__OF_FILE(ctx, IO, "opening the folder failed: %s", folder, strerror(errno));
    while (!r && (e = gtr__folder_next(&f)) != NULL) {
        if (e[0] == '.' || (!folders && !gtr__is_image(e))) continue;
        char *path = GTR__NEW(ctx, char, strlen(folder) + strlen(e) + 2);
        if (path) strcat(strcat(strcpy(path, folder), "/"), e);
        if (!path || !GTR__GROW(ctx, *name, *n, cap)) r = GTR_ERR_NOMEM;
        else if (!folders || (GTR__STAT(path, &st) == 0 && GTR__IS_FOLDER(st.st_mode))) {
            (*name)[(*n)++] = path; continue;
        }
        gtr__mfree(ctx, path);
    }
    gtr__folder_close(&f);
    if (!r && !*n) r = folders ? GTR__BAD_FILE(ctx, "no sub-folders, want one for each class", folder)
        : GTR__BAD_FILE(ctx, "no images (.pgm, .ppm, .pnm) of its class", folder);
    if (*n > 1) qsort(*name, (size_t)*n, sizeof **name, gtr__name_order);
    return r;
}
/* All paths of images and their classes' numbers; the classes' paths become names. */
typedef struct { char **path, **name; int32_t *label; int64_t n, names, cap, label_cap; } gtr__image_list;
static gtr_result gtr__image_find(gtr_context *ctx, const char *folder, gtr__image_list *l) {
    GTR__TRY(gtr__folder_list(ctx, folder, true, &l->name, &l->names));
    for (int64_t k = 0; k < l->names; k++) {
        char **path;
        int64_t n, i = 0;
        gtr_result r = gtr__folder_list(ctx, l->name[k], false, &path, &n);
        for (; i < n && !r; i++) {
            if (!GTR__GROW(ctx, l->path, l->n, l->cap) || !GTR__GROW(ctx, l->label, l->n, l->label_cap)) {
                r = GTR_ERR_NOMEM; break;
            }
            l->label[l->n] = (int32_t)k;
            l->path[l->n++] = path[i];
            path[i] = NULL;
        }
        gtr__names_free(ctx, path, n);
        GTR__TRY(r);
        const char *slash = strrchr(l->name[k], '/');
        memmove(l->name[k], slash + 1, strlen(slash));
    }
    return GTR_OK;
}
/* One file as an image of desc's; with out NULL, what desc leaves to the first file. */
static gtr_result gtr__image_read(gtr_context *ctx, const char *path, gtr_images_desc *d, bool exact, bool alike,
        uint8_t *out) {
    gtr__file f;
    gtr__pnm p;
    uint8_t *bytes;
    GTR__TRY(gtr__file_open(&f, ctx, path));
    gtr_result r = gtr__file_take(&f, f.size, &bytes);
    if (!r) r = gtr__file_finish(&f);
    gtr__file_close(&f);
    if (!r && out) r = gtr__image_make(ctx, path, bytes, f.size, d, exact, alike, out);
    else if (!r && !(r = gtr__pnm_header(ctx, path, bytes, f.size, &p))) {
        if (exact) { d->height = (int)p.h; d->width = (int)p.w; }
        if (alike) d->channels = p.channels;
    }
    gtr__mfree(ctx, bytes);
    return r;
}
static gtr_dataset *gtr__images_of(gtr_context *ctx, const char *folder, gtr__image_list *l, gtr_images_desc desc) {
    const bool exact = !desc.height, alike = !desc.channels;
    const gtr_shape none = gtr_shape0();
    if (gtr__image_find(ctx, folder, l) || gtr__image_read(ctx, l->path[0], &desc, exact, alike, NULL)) return NULL;
    const gtr_shape image = gtr_shape3(desc.height, desc.width, desc.channels);
    gtr_dataset *d = gtr__dataset_new(ctx, folder, l->n);
    if (!d) return NULL;
    bool ok = gtr__dataset_column(d, "image", GTR_U8, &image, 0, 0)
        && gtr__dataset_column(d, "label", GTR_I32, &none, 0, 0);
    for (int64_t i = 0; i < l->n && ok; i++)
        ok = !gtr__image_read(ctx, l->path[i], &desc, exact, alike,
            d->column[0].host + (size_t)i * d->column[0].row_bytes);
    for (int64_t i = 0; i < l->names && ok; i++) ok = gtr__strings_add(ctx, &d->column[1].names, l->name[i]);
    if (!ok) { gtr__dataset_free(d); return NULL; }
    memcpy(d->column[1].host, l->label, (size_t)l->n * 4);
    gtr__column_channels(&d->column[0], 2);
    d->classed = 2;
    return gtr__dataset_link(d);
}
gtr_dataset *gtr_dataset_images(gtr_context *ctx, const char *folder, gtr_images_desc desc) {
    gtr__image_list l = GTR__ZERO;
    const int h = desc.height, w = desc.width;
    if (!gtr__usable(ctx)) return NULL;
    if (!folder || h < 0 || w < 0 || h > 1 << 14 || w > 1 << 14 || !h != !w || (desc.resize && (!h
            || desc.resize < GTR__MAX(h, w) || desc.resize > 1 << 14))
            || (desc.channels != 0 && desc.channels != 1 && desc.channels != 3)) {
        GTR__BAD_ARG(ctx, "gtr_dataset_images: folder %s, %d x %d pixels of sides resized to %d, %d channels: want a "
            "folder, both extents to 16384 or none, sides no shorter than those, and 0, 1 or 3",
            folder ? folder : "NULL", w, h, desc.resize, desc.channels);
        return NULL;
    }
    gtr_dataset *d = gtr__images_of(ctx, folder, &l, desc);
    gtr__names_free(ctx, l.path, l.n);
    gtr__names_free(ctx, l.name, l.names);
    gtr__mfree(ctx, l.label);
    return d;
}

// >>csv
#define GTR__IS_DIGIT(c) ((unsigned)((unsigned char)(c) - '0') < 10u)
/* A decimal number as it is written: (-1)^negative * m * 10^e, and a little more if digits beyond the 19th
   were not 0 (inexact). */
typedef struct {
    const char *digits, *digits_end; /* of the mantissa, its point included */
    uint64_t m;
    int64_t e, last_e; /* last_e: exponent of the last digit written */
    bool negative, inexact;
} gtr__decimal;
/* Reads the number at p, whose text ends in a byte that is no part of one. Returns the byte behind; NULL: none. */
static const char *gtr__decimal_read(const char *p, gtr__decimal *n) {
    uint64_t m = 0;
    int64_t e = 0, written = 0;
    const char *point = NULL;
    bool inexact = false;
    n->negative = *p == '-';
    n->digits = p += *p == '-' || *p == '+';
    for (; GTR__IS_DIGIT(*p); p++) {
        if (m < 1000000000000000000u) m = m * 10 + (uint64_t)(*p - '0');
        else { e++; inexact |= *p != '0'; }
    }
    if (*p == '.') for (point = p++; GTR__IS_DIGIT(*p); p++) {
        if (m < 1000000000000000000u) { m = m * 10 + (uint64_t)(*p - '0'); e--; }
        else inexact |= *p != '0';
    }
    if (p - n->digits == (point != NULL)) return NULL; /* not one digit */
    n->digits_end = p;
    n->last_e = point ? point + 1 - p : 0;
    if (*p == 'e' || *p == 'E') {
        const bool minus = p[1] == '-';
        p += 1 + (p[1] == '-' || p[1] == '+');
        if (!GTR__IS_DIGIT(*p)) return NULL;
        for (; GTR__IS_DIGIT(*p); p++) if (written < 100000000000000) written = written * 10 + (*p - '0');
        if (minus) written = -written;
    }
    n->m = m;
    n->e = e + written;
    n->last_e += written;
    n->inexact = inexact;
    return p;
}
/* Any decimal, correctly rounded, by strtod, which gets digits and an exponent but no point: the locale says what one
   is. 800 digits and whether more follow decide every case. */
static gtr_float gtr__decimal_slow(const gtr__decimal *n) {
    char text[840];
    int64_t e = n->last_e;
    int k = 0;
    bool more = false;
    for (const char *p = n->digits; p < n->digits_end; p++) {
        if (*p == '.' || (k == 0 && *p == '0')) continue;
        if (k < 800) text[k++] = *p;
        else { e++; more |= *p != '0'; }
    }
    if (more) { text[k++] = '1'; e--; }
    snprintf(text + k, sizeof text - (size_t)k, "e%d", (int)(e < -999999 ? -999999 : GTR__MIN(e, 999999)));
    return sizeof(gtr_float) == 8 ? (gtr_float)strtod(text, NULL) : (gtr_float)strtof(text, NULL);
}
/* Correctly rounded; infinite beyond the range. */
static gtr_float gtr__decimal_value(const gtr__decimal *n) {
    static const double ten[23] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
        1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    const bool exact = n->m <= (uint64_t)1 << 53 && !n->inexact; /* and so is each power: one rounding is all */
    int64_t e = n->m ? n->e : 0;
    double d = (double)n->m;
    uint64_t bits;
    bool sure = exact && e == 0;
    if (!sure && e >= -66 && e <= 66) {
        sure = sizeof(gtr_float) == 8 && exact && e >= -22 && e <= 22;
        for (; e < -22; e += 22) d /= 1e22;
        for (; e > 22; e -= 22) d *= 1e22;
        d = e < 0 ? d / ten[-e] : d * ten[e];
        memcpy(&bits, &d, 8);
        bits &= 0x1fffffffu;
        /* d is off by at most 3 ulp. Unless it is that close to the middle of two floats, or outside the normal ones,
           rounding it rounds the number. */
        if (sizeof(gtr_float) == 4) sure = d > 2.4e-38 && d < 3.4e38 && (bits < 0x0fffffc0u || bits > 0x10000040u);
    }
    gtr_float v = sure ? (gtr_float)d : gtr__decimal_slow(n);
    return n->negative ? -v : v;
}
/* A class: a whole number of 0 to 2^31 - 1, however written (3, 3.0, 3e0). -1 if it is none. */
static int32_t gtr__decimal_class(const gtr__decimal *n) {
    uint64_t m = n->m;
    int64_t e = n->e;
    if (m == 0 && !n->inexact) return 0;
    if (n->negative || n->inexact) return -1;
    for (; e < 0; e++, m /= 10) if (m % 10) return -1;
    for (; e > 0 && m <= INT32_MAX; e--) m *= 10;
    return m <= INT32_MAX ? (int32_t)m : -1;
}
typedef struct { const char *p; size_t n; bool quoted, escaped; int64_t line; } gtr__field; /* quotes left out */
enum { GTR__CSV_OPEN = -1, GTR__CSV_LABEL = -2, GTR__CSV_SKIP = -3, GTR__CSV_CATEGORY = -4 };
typedef struct {
    gtr_context *ctx;
    const char *name, *begin, *end; /* *end is 0 */
    gtr_csv_desc desc;
    int64_t columns, label, line, first_line; /* label -1: none; lines from 1 */
    const char *header; /* the line of names; NULL: none, or not of as many columns */
    int32_t *role; /* of each column: which feature it is, or GTR__CSV_LABEL, _SKIP, _CATEGORY - which */
    int features, categories;
    bool texts; /* labels are strings */
    bool drop; /* the line that is read is left out */
    gtr__column *x, *y; /* features, label */
} gtr__csv;
static bool gtr__csv_line_end(const gtr__csv *s, const char *p) {
    return *p == '\n' || p == s->end || (*p == '\r' && p[1] == '\n');
}
static const char *gtr__csv_skip(const gtr__csv *s, const char *p) {
    while ((*p == ' ' || *p == '\t') && *p != s->desc.separator) p++;
    return p;
}
static const char *gtr__csv_name(const gtr__csv *s, int64_t k, char *name, size_t size);
/* "line 2, column 3 (counted from 1), "age": ": in front of what is wrong with a field. */
static void gtr__csv_bad(const gtr__csv *s, int64_t line, int64_t column, const char *what, const char *more) {
    char name[80];
    const char *called = gtr__csv_name(s, column, name, sizeof name);
    GTR__BAD_FILE(s->ctx, "line %jd, column %jd (counted from 1)%s%s%s: %s%s", s->name, (intmax_t)line,
        (intmax_t)column + 1, called ? ", \"" : "", called ? called : "", called ? "\"" : "", what, more);
}
/* The field at p, of the column of this number. Returns what ends it, a separator or a line's end; NULL: an error. */
static const char *gtr__csv_field(gtr__csv *s, const char *p, int64_t column, gtr__field *f) {
    const char *last;
    p = gtr__csv_skip(s, p);
    f->quoted = *p == '"'; f->escaped = false; f->line = s->line;
    f->p = last = p;
    for (; !f->quoted && !gtr__csv_line_end(s, p) && *p != s->desc.separator; p++)
        if (*p != ' ' && *p != '\t') last = p + 1;
    f->n = (size_t)(last - f->p);
    if (!f->quoted) return p;
    for (f->p = ++p; *p != '"' || p[1] == '"'; p++) {
        if (p >= s->end) { gtr__csv_bad(s, f->line, column, "a quote that nothing closes", ""); return NULL; }
        if (*p == '"') { p++; f->escaped = true; }
        s->line += *p == '\n';
    }
    f->n = (size_t)(p - f->p);
    p = gtr__csv_skip(s, p + 1);
    if (*p == s->desc.separator || gtr__csv_line_end(s, p)) return p;
    gtr__csv_bad(s, f->line, column, "text behind a closing quote", "");
    return NULL;
}
/* The field's text, of doubled quotes one. Returns its length, less than size; size: it is longer. */
static size_t gtr__csv_text(const gtr__field *f, char *to, size_t size) {
    size_t n = 0;
    for (size_t i = 0; i < f->n && n < size; i++) {
        to[n++] = f->p[i];
        i += f->escaped && f->p[i] == '"';
    }
    if (n < size) to[n] = 0;
    return n;
}
/* How many fields the line at p has from p on; 0: an error. *next: what ends it. */
static int64_t gtr__csv_fields(gtr__csv *s, const char *p, const char **next) {
    gtr__field f;
    for (int64_t n = 1; ; n++) {
        if (!(p = gtr__csv_field(s, p, n - 1, &f))) return 0;
        *next = p;
        if (*p++ != s->desc.separator) return n;
    }
}
/* The header's name of column k, without blanks and quotes around it; NULL: there is none, or a long one. */
static const char *gtr__csv_name(const gtr__csv *s, int64_t k, char *name, size_t size) {
    gtr__csv at = *s;
    gtr__field f = GTR__ZERO;
    at.header = NULL;
    for (const char *p = s->header; p && k >= 0; k--, p += p != NULL) p = gtr__csv_field(&at, p, 0, &f);
    return s->header && k < 0 && f.p && gtr__csv_text(&f, name, size) < size ? name : NULL;
}
static bool gtr__csv_missing(const gtr__field *f) {
    static const char *const none[] = { "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "-nan", "NULL", "null", "None", "?" };
    for (size_t k = 0; k < GTR__LENGTH(none); k++)
        if (f->n == strlen(none[k]) && !memcmp(f->p, none[k], f->n)) return true;
    return f->n == 0;
}
/* What a text in want's place is; hints at what may have been meant. */
static const char *gtr__csv_fail(const gtr__csv *s, const gtr__field *f, int64_t column, const char *want) {
    char text[400], field[32];
    int n = 0;
    for (; n < 24 && (size_t)n < f->n; n++) field[n] = f->p[n] >= 32 && f->p[n] < 127 ? f->p[n] : '?';
    if (n == 24) memcpy(field + 21, "...", 3);
    field[n] = 0;
    snprintf(text, sizeof text, "%s%s%s, want %s", n ? "got '" : "a blank field", field, n ? "'" : "", want);
    gtr__csv_bad(s, f->line, column, text, f->line == 1 ? " (if the first line holds names, set .header)"
        : s->role[column] >= 0 ? " (.missing fills holes, .categories numbers strings, .skip leaves a column out)"
        : !gtr__csv_missing(f) ? ""
        : s->role[column] == GTR__CSV_LABEL ? " (.drop_unlabelled leaves such rows out)"
        : s->desc.missing ? "" : " (.missing makes a string of it, or leaves such rows out)");
    return NULL;
}
/* The string's number in c's names; of those of .like alone, if that is set. */
static const char *gtr__csv_id(gtr__csv *s, gtr__column *c, const gtr__field *f, int64_t column, const char *next,
        int64_t r) {
    gtr__strings *m = &c->names;
    if (memchr(f->p, 0, f->n)) return gtr__csv_fail(s, f, column, "a string without a byte of 0");
    if (!gtr__strings_room(s->ctx, m, f->n)) return NULL;
    gtr__csv_text(f, m->text + m->used, f->n + 1);
    const int32_t id = gtr__strings_id(s->ctx, m, s->desc.like == NULL);
    if (id < 0) return gtr__csv_fail(s, f, column, "one of the strings that .like has there");
    memcpy(c->host + (size_t)r * c->row_bytes, &id, sizeof id);
    return next;
}
/* The field at p into row r of what it belongs to. Returns what ends it, NULL on error. */
static const char *gtr__csv_value(gtr__csv *s, const char *p, int64_t c, int64_t r) {
    const int32_t role = s->drop ? GTR__CSV_SKIP : s->role[c];
    const bool label = role == GTR__CSV_LABEL, is_class = label && !s->desc.regression;
    const char *want = is_class ? "a class: a whole number from 0 to 2147483647" : "a number", *end, *next;
    const gtr_float scale = label || s->desc.scale == 0 ? 1 : s->desc.scale;
    gtr__decimal n;
    gtr__field f;
    next = p = gtr__csv_skip(s, p);
    end = role >= 0 || (label && !s->texts) ? gtr__decimal_read(p, &n) : NULL;
    if (end) next = gtr__csv_skip(s, end);
    f.p = p; f.n = end ? (size_t)(end - p) : 0; f.line = s->line;
    if (!end || (*next != s->desc.separator && !gtr__csv_line_end(s, next))) { /* no bare number */
        if (!(next = gtr__csv_field(s, p, c, &f))) return NULL;
        if (role == GTR__CSV_SKIP) return next;
        const bool missing = gtr__csv_missing(&f);
        if (role <= GTR__CSV_CATEGORY || (label && s->texts)) {
            if (missing && (label || s->desc.missing == GTR_MISSING_ERROR))
                return gtr__csv_fail(s, &f, c, label ? "a label" : "a string");
            return gtr__csv_id(s, label ? s->y : &s->x[(s->features > 0) + GTR__CSV_CATEGORY - role], &f, c, next, r);
        }
        if (missing && !label && s->desc.missing != GTR_MISSING_ERROR) {
            ((gtr_float *)(void *)s->x->host)[r * s->x->row + role] = gtr__nan();
            return next;
        }
        if (!(end = f.n ? gtr__decimal_read(f.p, &n) : NULL) || end != f.p + f.n) return gtr__csv_fail(s, &f, c, want);
    }
    if (is_class) {
        const int32_t v = gtr__decimal_class(&n);
        if (v < 0) return gtr__csv_fail(s, &f, c, "a class: a whole number from 0 to 2147483647; any with .regression");
        memcpy(s->y->host + (size_t)r * s->y->row_bytes, &v, sizeof v);
        return next;
    }
    const gtr_float v = gtr__decimal_value(&n) * scale;
    if (gtr__nonfinite(&v, 1)) return gtr__csv_fail(s, &f, c, "a number within the range of float32");
    if (label) memcpy(s->y->host + (size_t)r * s->y->row_bytes, &v, sizeof v);
    else ((gtr_float *)(void *)s->x->host)[r * s->x->row + role] = v;
    return next;
}
/* Whether the line at p has a hole for which it is left out. */
static bool gtr__csv_drops(const gtr__csv *s, const char *p) {
    const bool all = s->desc.missing == GTR_MISSING_DROP;
    gtr__csv at = *s;
    gtr__field f;
    for (int64_t c = 0; c < s->columns && (all || s->desc.drop_unlabelled); c++) {
        if (!(p = gtr__csv_field(&at, p, c, &f))) return false;
        if ((all ? s->role[c] != GTR__CSV_SKIP : c == s->label) && gtr__csv_missing(&f)) return true;
        if (*p++ != s->desc.separator) return false;
    }
    return false;
}
/* The line at p into row r, if it is not left out. Returns the next line, NULL on error. */
static const char *gtr__csv_line(gtr__csv *s, const char *p, int64_t r) {
    const int64_t line = s->line;
    if (gtr__csv_line_end(s, gtr__csv_skip(s, p)) && (s->columns > 1 || !s->desc.missing)) {
        GTR__BAD_FILE(s->ctx, "line %jd is blank", s->name, (intmax_t)line); return NULL;
    }
    s->drop = gtr__csv_drops(s, p);
    for (int64_t c = 0; c < s->columns; c++) {
        if (!(p = gtr__csv_value(s, p, c, r))) return NULL;
        const bool more = *p == s->desc.separator;
        if (more == (c + 1 == s->columns)) {
            const char *end;
            const int64_t rest = more ? gtr__csv_fields(s, p + 1, &end) : 0;
            GTR__BAD_FILE(s->ctx, "line %jd has %jd columns, want %jd as line %jd has",
                s->name, (intmax_t)line, (intmax_t)(c + 1 + rest), (intmax_t)s->columns, (intmax_t)s->first_line);
            return NULL;
        }
        p += more;
    }
    s->line += p < s->end;
    return *p == '\r' ? p + 2 : p + (p < s->end);
}
/* The column that a name of the header or a number from 1 says; -1: an error. */
static int64_t gtr__csv_find(const gtr__csv *s, const gtr__field *f, const char *list) {
    char text[256], name[256];
    int64_t k = 0, number = 0;
    gtr__csv at = *s;
    gtr__field of;
    at.header = NULL;
    const size_t n = gtr__csv_text(f, text, sizeof text);
    if (n < sizeof text) {
        for (const char *p = s->header; p && k < s->columns; k++, p += p != NULL)
            if ((p = gtr__csv_field(&at, p, 0, &of)) != NULL && gtr__csv_text(&of, name, sizeof name) < sizeof name
                && !strcmp(name, text)) return k;
        for (k = 0; GTR__IS_DIGIT(text[k]) && number <= s->columns; k++) number = number * 10 + (text[k] - '0');
        if (n && !text[k] && number >= 1 && number <= s->columns) return number - 1;
    }
    GTR__OF_FILE(s->ctx, ARG, "%s names \"%.*s\", want %sa number of 1 to %jd", s->name, list, (int)GTR__MIN(f->n, 80),
        f->p, s->header ? "a name of the first line, or " : "", (intmax_t)s->columns);
    return -1;
}
/* Gives the columns of a list, a line of CSV of names and numbers, their role. */
static bool gtr__csv_list(gtr__csv *s, const char *list, const char *called, int32_t role) {
    gtr__csv items = *s;
    gtr__field f;
    if (!list) return true;
    items.desc.separator = ','; items.end = list + strlen(list); items.header = NULL;
    for (const char *p = list; ; p++) {
        if (!(p = gtr__csv_field(&items, p, 0, &f))) return false;
        const int64_t k = gtr__csv_find(s, &f, called);
        if (k < 0) return false;
        const bool category = s->role[k] <= GTR__CSV_CATEGORY;
        if (s->role[k] != GTR__CSV_OPEN && !(category && role == 0))
            return !GTR__OF_FILE(s->ctx, ARG, "column %jd of %s is the label or listed twice", s->name, (intmax_t)k + 1,
                called);
        if (role == GTR__CSV_LABEL) s->label = k;
        s->role[k] = category ? s->role[k] : role == 0 ? s->features++
            : role == GTR__CSV_CATEGORY ? role - s->categories++ : role;
        if (*p != ',' || role == GTR__CSV_LABEL) return true;
    }
}
/* What becomes of each column. */
static bool gtr__csv_roles(gtr__csv *s) {
    const gtr_csv_desc *d = &s->desc;
    const int64_t label = d->label_column < 0 ? -1 : d->label_column == 0 ? s->columns - 1 : d->label_column - 1;
    if (!(s->role = GTR__NEW(s->ctx, int32_t, s->columns))) return false;
    for (int64_t k = 0; k < s->columns; k++) s->role[k] = GTR__CSV_OPEN;
    s->label = -1;
    if (!d->label && label >= s->columns)
        return !GTR__OF_FILE(s->ctx, ARG,
            "label_column is %d, but line %jd has %jd columns (separated by '%c'), want at most %jd",
            s->name, d->label_column, (intmax_t)s->first_line, (intmax_t)s->columns, d->separator,
            (intmax_t)s->columns);
    if (!d->label && label >= 0) s->role[s->label = label] = GTR__CSV_LABEL;
    if (!gtr__csv_list(s, d->label, ".label", GTR__CSV_LABEL) || !gtr__csv_list(s, d->skip, ".skip", GTR__CSV_SKIP)
            || !gtr__csv_list(s, d->categories, ".categories", GTR__CSV_CATEGORY)
            || !gtr__csv_list(s, d->columns, ".columns", 0)) return false;
    for (int64_t k = 0; k < s->columns; k++)
        if (s->role[k] == GTR__CSV_OPEN) s->role[k] = d->columns ? GTR__CSV_SKIP : s->features++;
    if (s->categories > 14) return !GTR__OF_FILE(s->ctx, ARG, "%d .categories, want at most 14", s->name,
        s->categories);
    if (s->features + s->categories) return true;
    if (s->columns > 1) return !GTR__OF_FILE(s->ctx, ARG, "no column is left for features", s->name);
    return !GTR__OF_FILE(s->ctx, ARG, "its only column (separated by '%c') is the label, want features too; for no "
        "label set .label_column = -1", s->name, d->separator);
}
static bool gtr__csv_start(gtr__csv *s, gtr_context *ctx, const char *name, char *text, uint64_t size,
        gtr_csv_desc desc) {
    char *end = text + size;
    const char *p = text, *header = NULL, *next;
    int64_t names = 0;
    memset(s, 0, sizeof *s);
    s->ctx = ctx;
    s->name = name;
    s->desc = desc;
    if (gtr__is_gzip(ctx, name, (const uint8_t *)text, size)) return false;
    if (!desc.separator) s->desc.separator = ',';
    if (size >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3; /* an UTF-8 mark */
    s->line = 1; s->end = end;
    if (desc.header) {
        header = p;
        if (!(names = gtr__csv_fields(s, p, &p))) return false;
        p += *p == '\r';
        p += p < end;
        s->line++;
    }
    while (end > p && (end[-1] == '\n' || end[-1] == '\r'
            || ((end[-1] == ' ' || end[-1] == '\t') && end[-1] != s->desc.separator)))
        end--;
    *end = 0;
    s->begin = p;
    s->end = end;
    s->first_line = s->line;
    if (p == end) return !GTR__OF_FILE(ctx, ARG, "an empty data set (0 rows)", name);
    const bool hole = desc.missing && names < 2 && desc.label_column < 0 && !desc.label; /* in a file of one column */
    if (!hole && gtr__csv_line_end(s, gtr__csv_skip(s, p)))
        return !GTR__BAD_FILE(ctx, "line %jd is blank", name, (intmax_t)s->line);
    if (!(s->columns = gtr__csv_fields(s, p, &next))) return false;
    s->line = s->first_line;
    s->header = names == s->columns ? header : NULL;
    return gtr__csv_roles(s);
}
/* Whether labels are strings: as those of .like, or because the first of a row that is not left out is no number. */
static bool gtr__csv_strings(gtr__csv *s) {
    const gtr_dataset *like = s->desc.like;
    gtr__csv at = *s;
    gtr__decimal n;
    gtr__field f = GTR__ZERO;
    if (s->label < 0 || s->desc.regression) return false;
    if (like) return like->classed > 0;
    const char *p = s->begin;
    while (p < s->end && gtr__csv_drops(&at, p)) {
        if (!gtr__csv_fields(&at, p, &p)) return false;
        p += *p == '\r';
        p += p < s->end;
        at.line++;
    }
    for (int64_t k = 0; k <= s->label && p < s->end; k++) {
        if (!(p = gtr__csv_field(&at, p, k, &f))) return false;
        p += k < s->label;
    }
    const char *end = f.n ? gtr__decimal_read(f.p, &n) : NULL;
    return !gtr__csv_missing(&f) && end != f.p + f.n;
}
static int gtr__floats_order(const void *a, const void *b) {
    const gtr_float x = *(const gtr_float *)a, y = *(const gtr_float *)b;
    return (x > y) - (x < y);
}
/* Holes are NaN as yet. */
static bool gtr__csv_fill(gtr__csv *s, gtr_dataset *d) {
    const gtr_missing how = s->desc.missing;
    gtr__column *c = s->x;
    const gtr_dataset *like = s->desc.like;
    if (!s->features || how == GTR_MISSING_ERROR || how == GTR_MISSING_DROP) return true;
    gtr_float *v = how == GTR_MISSING_MEDIAN ? GTR__NEW(s->ctx, gtr_float, d->rows) : NULL;
    bool ok = (c->fill = GTR__NEW(s->ctx, gtr_float, c->row)) && (v || how != GTR_MISSING_MEDIAN);
    for (int64_t k = 0; k < c->row && ok; k++) {
        gtr_float *x = (gtr_float *)(void *)c->host + k;
        int64_t n = 0;
        double sum = 0;
        for (int64_t r = 0; r < d->rows; r++) if (!gtr__nonfinite(x + r * c->row, 1)) {
            sum += x[r * c->row];
            if (v) v[n] = x[r * c->row];
            n++;
        }
        if (v && n) qsort(v, (size_t)n, sizeof *v, gtr__floats_order);
        c->fill[k] = how == GTR_MISSING_CONSTANT ? s->desc.missing_value : like && like->column[0].fill
            ? like->column[0].fill[k] : !n ? 0 : v ? (gtr_float)(((double)v[n / 2] + (double)v[(n - 1) / 2]) / 2)
            : (gtr_float)(sum / (double)n);
        if (!n && how != GTR_MISSING_CONSTANT && !(like && like->column[0].fill)) {
            int64_t at = 0;
            while (s->role[at] != k) at++;
            ok = !GTR__BAD_FILE(s->ctx, "column %jd (counted from 1) has no value at all, want some to fill its holes "
                "with (.skip leaves it out)", s->name, (intmax_t)at + 1);
        }
        for (int64_t r = 0; r < d->rows; r++) if (gtr__nonfinite(x + r * c->row, 1)) x[r * c->row] = c->fill[k];
    }
    gtr__mfree(s->ctx, v);
    return ok;
}
/* Columns for features, categories and label, their rows to come. */
static bool gtr__csv_columns(gtr__csv *s, gtr_dataset *d) {
    const gtr_dataset *like = s->desc.like;
    gtr_shape shape = gtr_shape1(s->features);
    char name[256];
    int64_t of[15], n = 0, first = 0;
    for (int64_t k = 0; k < s->columns; k++) { /* whose header's name each has */
        if (s->role[k] == 0) first = k;
        if (s->role[k] <= GTR__CSV_CATEGORY) of[GTR__CSV_CATEGORY - s->role[k]] = k;
    }
    s->x = d->column;
    if (s->features && !gtr__dataset_column(d, s->features == 1 ? gtr__csv_name(s, first, name, sizeof name) : NULL,
            GTR_F32, &shape, 0, 0)) return false;
    shape.ndim = 0;
    for (; n < s->categories; n++)
        if (!gtr__dataset_column(d, gtr__csv_name(s, of[n], name, sizeof name), GTR_I32, &shape, 0, 0)) return false;
    if (s->label >= 0 && !(s->y = gtr__dataset_column(d, gtr__csv_name(s, s->label, name, sizeof name),
            s->desc.regression ? GTR_F32 : GTR_I32, &shape, 0, 0))) return false;
    if (s->texts) d->classed = d->n_columns;
    bool alike = !like || like->n_columns == d->n_columns;
    for (int k = 0; like && k < d->n_columns && alike; k++) {
        const gtr__column *from = &like->column[k];
        alike = from->dtype == d->column[k].dtype && from->row == d->column[k].row;
        if (alike && !gtr__strings_copy(s->ctx, &d->column[k].names, &from->names)) return false;
    }
    return alike || !GTR__OF_FILE(s->ctx, SHAPE, "its columns for features, categories and label are other than those "
        "of .like (%s)", s->name, like->name);
}
/* The table in text, which is changed and ends in a 0 at text[size], as a new data set. */
static gtr_dataset *gtr__csv_parse(gtr_context *ctx, const char *name, char *text, uint64_t size, gtr_csv_desc desc) {
    gtr__csv s;
    gtr_dataset *d = NULL;
    int64_t ends = 1, separators = 0, r = 0;
    bool ok = gtr__csv_start(&s, ctx, name, text, size, desc);
    if (ok) {
        s.texts = gtr__csv_strings(&s);
        for (const char *p = s.begin; p < s.end; p++) { ends += *p == '\n'; separators += *p == s.desc.separator; }
        /* a long first line takes little more than the file's fields: a row behind those that they fill is an error */
        d = gtr__dataset_new(ctx, name, GTR__MIN(ends, (ends + separators) / s.columns + 1));
        ok = d && gtr__csv_columns(&s, d);
    }
    for (const char *p = s.begin; ok && p < s.end; r += !s.drop) ok = (p = gtr__csv_line(&s, p, r)) != NULL;
    if (d) d->rows = r;
    if (ok && !r) ok = !GTR__OF_FILE(ctx, ARG, "an empty data set: each row has a hole", name);
    ok = ok && gtr__csv_fill(&s, d);
    gtr__mfree(ctx, s.role);
    if (!ok) { gtr__dataset_free(d); return NULL; }
    return gtr__dataset_link(d);
}
gtr_dataset *gtr_dataset_csv(gtr_context *ctx, const char *path, gtr_csv_desc desc) {
    gtr_dataset *d = NULL;
    uint64_t size;
    const gtr_float scale = desc.scale, hole = desc.missing_value;
    if (!gtr__usable(ctx)) return NULL;
    if (!path) GTR__BAD_ARG(ctx, "gtr_dataset_csv: the path is NULL");
    else if (desc.label_column < -1)
        GTR__OF_FILE(ctx, ARG, "label_column is %d, want 0 (the last), a column from 1, or -1 (none)",
            path, desc.label_column);
    else if (desc.regression && desc.label_column == -1 && !desc.label)
        GTR__OF_FILE(ctx, ARG, "regression wants a label, label_column is -1 (none)", path);
    else if (gtr__nonfinite(&scale, 1))
        GTR__OF_FILE(ctx, ARG, "scale is %g, want a finite number", path, desc.scale);
    else if ((unsigned)desc.missing > GTR_MISSING_DROP || gtr__nonfinite(&hole, 1))
        GTR__OF_FILE(ctx, ARG, "missing is %d and missing_value %g, want a gtr_missing and a finite number", path,
            (int)desc.missing, desc.missing_value);
    else if (desc.separator && strchr("0123456789+-.eE\r\n\"", desc.separator))
        GTR__OF_FILE(ctx, ARG,
            "the separator (character %d) may be part of a number, a line's end or a quote", path, desc.separator);
    else {
        uint8_t *text = gtr__file_whole(ctx, path, &size);
        if (text) d = gtr__csv_parse(ctx, path, (char *)text, size, desc);
        gtr__mfree(ctx, text);
    }
    return d;
}

// >>npy
/* NumPy's arrays: "\x93NUMPY", version, the length of a Python dict, the dict, the elements. */
/* Behind blanks and the word, if it is there. */
static bool gtr__npy_word(const char **p, const char *end, const char *word) {
    const size_t n = strlen(word);
    while (*p < end && (**p == ' ' || **p == '\n')) ++*p;
    if ((size_t)(end - *p) < n || memcmp(*p, word, n)) return false;
    *p += n;
    return true;
}
/* "(3, 4)", "(3,)" or "()": false for anything else. */
static bool gtr__npy_shape(const char **p, const char *end, int64_t *dim, int *ndim) {
    bool more = gtr__npy_word(p, end, "(");
    *ndim = 0;
    if (!more) return false;
    while (!gtr__npy_word(p, end, ")")) {
        int64_t v = 0;
        const char *first = *p;
        for (; *p < end && GTR__IS_DIGIT(**p) && v < INT64_MAX / 16; ++*p) v = v * 10 + (**p - '0');
        if (!more || *p == first || *ndim == GTR_MAX_DIMS + 1) return false;
        dim[(*ndim)++] = v;
        more = gtr__npy_word(p, end, ",");
    }
    return *ndim != 1 || more;
}
/* The dict in [p, end). descr: its dtype. */
static bool gtr__npy_dict(const char *p, const char *end, char *descr, size_t size, gtr__npy *a, int64_t *dim,
        int *ndim) {
    unsigned had = 0;
    bool more = gtr__npy_word(&p, end, "{");
    if (!more) return false;
    while (!gtr__npy_word(&p, end, "}")) {
        static const char *const keys[] = { "'descr'", "'fortran_order'", "'shape'" };
        unsigned k = 0;
        while (k < 3 && !gtr__npy_word(&p, end, keys[k])) k++;
        if (!more || k == 3 || had >> k & 1 || !gtr__npy_word(&p, end, ":")) return false;
        had |= 1u << k;
        if (k == 0) {
            const char *first = gtr__npy_word(&p, end, "'") ? p : NULL;
            while (first && p < end && *p != '\'') p++;
            if (p == end || (!first && *p != '[')) return false;
            snprintf(descr, size, "%.*s", first ? (int)GTR__MIN(p - first, 60) : 14, first ? first : "of a structure");
            if (!first) return true; /* which is refused */
            p++;
        } else if (k == 1) {
            a->fortran = gtr__npy_word(&p, end, "True");
            if (!a->fortran && !gtr__npy_word(&p, end, "False")) return false;
        } else if (!gtr__npy_shape(&p, end, dim, ndim)) return false;
        more = gtr__npy_word(&p, end, ",");
    }
    return had == 7 && gtr__npy_word(&p, end, "") && p == end;
}
static gtr_result gtr__npy_header(gtr_context *ctx, const char *name, const uint8_t *b, uint64_t size, gtr__npy *a) {
    static const char *const known[] = { "<f2", "<f4", "<f8", "|u1", "|i1", "<i2", "<i4", "<i8", "|b1" };
    int64_t dim[GTR_MAX_DIMS + 1];
    char descr[64] = "";
    int ndim = 0, k = 0;
    uint64_t want;
    memset(a, 0, sizeof *a);
    if (gtr__is_gzip(ctx, name, b, size)) return GTR_ERR_FORMAT;
    if (size < 10 || memcmp(b, "\x93NUMPY", 6)) return GTR__BAD_FILE(ctx, "no .npy file: it does not begin with "
        "\\x93NUMPY"
        "%s", name, size > 1 && b[0] == 'P' && b[1] == 'K' ? " (an .npz is for gtr_dataset_npz)" : "");
    const uint64_t at = b[6] == 1 ? 10 : 12, n = size < at ? UINT64_MAX : gtr__le_get(b + 8, (int)at - 8);
    if (b[6] < 1 || b[6] > 3 || b[7])
        return GTR__BAD_FILE(ctx, "version %d.%d of .npy, want 1.0 to 3.0", name, b[6], b[7]);
    if (n > 10000 || n > size - at)
        return GTR__BAD_FILE(ctx, "a header of %ju bytes in a file of %ju, want at most 10000", name, (uintmax_t)n,
            (uintmax_t)size);
    if (!gtr__npy_dict((const char *)b + at, (const char *)b + at + n, descr, sizeof descr, a, dim, &ndim))
        return GTR__BAD_FILE(ctx, "its header is no dict of 'descr', 'fortran_order' and 'shape'", name);
    while (k < (int)GTR__LENGTH(known) && strcmp(descr, known[k])) k++;
    if (k == (int)GTR__LENGTH(known)) return GTR__OF_FILE(ctx, UNSUPPORTED, "dtype %s, supported are <f2 <f4 <f8 |u1 "
        "|i1 "
        "<i2 <i4 <i8 |b1 (NumPy's astype makes them)", name, descr);
    if (ndim < 1 || ndim > GTR_MAX_DIMS)
        return GTR__OF_FILE(ctx, UNSUPPORTED, "%d dimensions, supported are 1 to %d", name, ndim, GTR_MAX_DIMS);
    a->kind = descr[1]; a->size = descr[2] - '0';
    a->rows = dim[0]; a->row.ndim = ndim - 1;
    want = (uint64_t)a->size;
    for (k = 0; k < ndim; k++) {
        if (k) a->row.dim[k - 1] = dim[k];
        if (!dim[k]) return GTR__OF_FILE(ctx, ARG, "an empty array (dimension %d is 0)", name, k);
        if (!gtr__mul_ok(want, (uint64_t)dim[k], &want))
            return GTR__BAD_FILE(ctx, "the product of its %d dimensions overflows", name, ndim);
    }
    a->data = b + at + n;
    return want == size - at - n ? GTR_OK : GTR__BAD_FILE(ctx, "%ju bytes of data, want %ju from its shape and dtype",
        name,
        (uintmax_t)(size - at - n), (uintmax_t)want);
}
/* One more column of *d, which is made for the first, from a file's bytes; false and an error on failure. */
static bool gtr__npy_column(gtr_context *ctx, gtr_dataset **d, const char *name, const char *called,
    const uint8_t *bytes,
        uint64_t size, gtr_npy_desc desc) {
    gtr__npy a;
    if (gtr__npy_header(ctx, name, bytes, size, &a)) return false;
    if (*d && a.rows != (*d)->rows) return !GTR__OF_FILE(ctx, SHAPE, "%jd rows, want %jd as %s has", name,
        (intmax_t)a.rows, (intmax_t)(*d)->rows, (*d)->name);
    if (!*d && !(*d = gtr__dataset_new(ctx, name, a.rows))) return false;
    const bool bytes_too = a.kind == 'u' || a.kind == 'b';
    gtr__column *c = gtr__dataset_column(*d, called, a.kind == 'f' || (desc.floats && !bytes_too) ? GTR_F32
        : bytes_too ? GTR_U8 : GTR_I32, &a.row, a.kind == 'b' ? 1 : desc.scale, a.kind == 'b' ? 0 : desc.shift);
    return c && !gtr__column_take(*d, name, c, &a, !desc.nonfinite);
}
static bool gtr__npy_check(gtr_context *ctx, const char *who, bool paths, int n, const gtr_npy_desc *desc) {
    const gtr_float factor[2] = { desc->scale, desc->shift };
    if (paths && n >= 1 && n <= 16 && !gtr__nonfinite(factor, 2)) return true;
    return !GTR__BAD_ARG(ctx, "%s: %d files, scale %g, shift %g, want 1 to 16 whose paths are not NULL, and finite "
        "numbers",
        who, paths ? n : 0, desc->scale, desc->shift);
}
gtr_dataset *gtr_dataset_npy(gtr_context *ctx, const char *const *paths, int n, gtr_npy_desc desc) {
    gtr_dataset *d = NULL;
    bool all = paths != NULL;
    uint64_t size;
    if (!gtr__usable(ctx)) return NULL;
    for (int k = 0; all && k < n && n <= 16; k++) all = paths[k] != NULL;
    bool ok = gtr__npy_check(ctx, "gtr_dataset_npy", all, n, &desc);
    for (int k = 0; k < n && ok; k++) {
        uint8_t *bytes = gtr__file_whole(ctx, paths[k], &size);
        ok = bytes && gtr__npy_column(ctx, &d, paths[k], NULL, bytes, size, desc);
        gtr__mfree(ctx, bytes);
    }
    if (ok) return gtr__dataset_link(d);
    gtr__dataset_free(d);
    return NULL;
}
/* A zip file's list of members: `left` of them from `at` on, all before `end`. */
typedef struct { const uint8_t *b; uint64_t size, at, end, left, used; } gtr__zip;
typedef struct { char name[256]; const uint8_t *data; uint64_t size; } gtr__member;
static bool gtr__zip_is(const gtr__zip *z, uint64_t at, uint64_t bytes, uint32_t mark) {
    return at <= z->size && bytes <= z->size - at && gtr__le_get(z->b + at, 4) == (0x4b50u | mark << 16);
}
static gtr_result gtr__zip_open(gtr_context *ctx, const char *name, const uint8_t *b, uint64_t size, gtr__zip *z) {
    uint64_t end = size;
    memset(z, 0, sizeof *z);
    z->b = b; z->size = size;
    for (end = size < 22 ? size : size - 22; end < size && !(gtr__zip_is(z, end, 22, 0x0605)
            && gtr__le_get(b + end + 20, 2) == size - end - 22); end--) /* at end 0 on to 2^64 - 1: no place */
        if (size - end > 22 + 65535) { end = size; break; }
    if (end >= size) return GTR__BAD_FILE(ctx, "no .npz file: it has no list of members", name);
    z->left = gtr__le_get(b + end + 10, 2);
    z->at = gtr__le_get(b + end + 16, 4);
    z->end = end;
    if (end >= 20 && gtr__zip_is(z, end - 20, 20, 0x0706)) { /* 64-bit figures */
        const uint64_t big = gtr__le_get(b + end - 12, 8);
        if (!gtr__zip_is(z, big, 56, 0x0606))
            return GTR__BAD_FILE(ctx, "its list of members is not where it says", name);
        z->left = gtr__le_get(b + big + 32, 8);
        z->at = gtr__le_get(b + big + 48, 8);
        z->end = big;
    }
    return z->left <= size / 46 ? GTR_OK : GTR__BAD_FILE(ctx, "%ju members in %ju bytes", name, (uintmax_t)z->left,
        (uintmax_t)size);
}
/* The next member. Its own header, in front of its data, is not asked for more than its length. */
static gtr_result gtr__zip_next(gtr_context *ctx, const char *name, gtr__zip *z, gtr__member *m) {
    const uint8_t *p = z->b + z->at;
    uint64_t field[3]; /* size, size in the file, place */
    if (!gtr__zip_is(z, z->at, 46, 0x0201)) return GTR__BAD_FILE(ctx, "its list of members is cut", name);
    const uint64_t n = gtr__le_get(p + 28, 2), extra = gtr__le_get(p + 30, 2),
        all = 46 + n + extra + gtr__le_get(p + 32, 2);
    if (z->at > z->end || all > z->end - z->at) return GTR__BAD_FILE(ctx, "its list of members is cut", name);
    snprintf(m->name, sizeof m->name, "%.*s", (int)GTR__MIN(n, sizeof m->name - 1), (const char *)p + 46);
    field[0] = gtr__le_get(p + 24, 4); field[1] = gtr__le_get(p + 20, 4); field[2] = gtr__le_get(p + 42, 4);
    for (uint64_t q = 46 + n, most = q + extra; q + 4 <= most; q += 4 + gtr__le_get(p + q + 2, 2))
        for (uint64_t k = 0, at = q + 4; k < 3 && gtr__le_get(p + q, 2) == 1; k++) if (field[k] == 0xffffffffu) {
            if (at + 8 > most) return GTR__BAD_FILE(ctx, "member %s: its sizes are cut", name, m->name);
            field[k] = gtr__le_get(p + at, 8);
            at += 8;
        }
    z->at += all; z->left--;
    if (p[8] & 1 || gtr__le_get(p + 10, 2)) return GTR__OF_FILE(ctx, UNSUPPORTED,
        "member %s is %s (numpy.savez stores as "
        "it is, savez_compressed does not)", name, m->name, p[8] & 1 ? "encrypted" : "compressed");
    if (strstr(m->name, "../")) return GTR__BAD_FILE(ctx, "member %s: no name of an array", name, m->name);
    if (field[0] != field[1] || !gtr__zip_is(z, field[2], 30, 0x0403))
        return GTR__BAD_FILE(ctx, "member %s is not where its list says, or not of that size", name, m->name);
    const uint64_t at = field[2] + 30 + gtr__le_get(z->b + field[2] + 26, 2) + gtr__le_get(z->b + field[2] + 28, 2);
    if (at > z->size || field[0] > z->size - at || (z->used += field[0]) > z->size)
        return GTR__BAD_FILE(ctx, "member %s has %ju bytes at %ju, of a file of %ju, or lies in another", name, m->name,
            (uintmax_t)field[0], (uintmax_t)at, (uintmax_t)z->size);
    m->data = z->b + at; m->size = field[0];
    return GTR_OK;
}
/* A column of the member called so; NULL: of the next, whose name it gets. *found: there was one. */
static bool gtr__npz_column(gtr_context *ctx, gtr_dataset **d, const char *name, gtr__zip *z, const char *wanted,
        gtr_npy_desc desc) {
    gtr__member m;
    char of[700];
    while (z->left) {
        if (gtr__zip_next(ctx, name, z, &m)) return false;
        const size_t n = strlen(m.name), end = n > 4 && !strcmp(m.name + n - 4, ".npy") ? n - 4 : n;
        m.name[end] = 0;
        if (wanted && strcmp(m.name, wanted)) continue;
        if (*d && (*d)->n_columns == 16) return !GTR__OF_FILE(ctx, ARG, "more than 16 arrays (.arrays says which are "
            "wanted)",
            name);
        snprintf(of, sizeof of, GTR__PATH " (%s)", name, m.name);
        return gtr__npy_column(ctx, d, of, wanted ? NULL : m.name, m.data, m.size, desc);
    }
    return !(wanted ? GTR__OF_FILE(ctx, ARG, "there is no array \"%s\"", name, wanted)
        : GTR__OF_FILE(ctx, ARG, "there is no array", name));
}
static gtr_dataset *gtr__npz_parse(gtr_context *ctx, const char *name, const uint8_t *b, uint64_t size,
        gtr_npy_desc desc) {
    gtr_dataset *d = NULL;
    gtr__zip z, from;
    gtr__csv list;
    gtr__field f;
    char wanted[256];
    bool ok = !gtr__zip_open(ctx, name, b, size, &z);
    const char *p = desc.arrays;
    memset(&list, 0, sizeof list);
    list.ctx = ctx; list.name = name; list.desc.separator = ','; list.end = p ? p + strlen(p) : NULL;
    do {
        from = z;
        if (ok && p) ok = (p = gtr__csv_field(&list, p, 0, &f)) != NULL;
        if (ok && p) gtr__csv_text(&f, wanted, sizeof wanted);
        ok = ok && gtr__npz_column(ctx, &d, name, p ? &from : &z, p ? wanted : NULL, desc);
    } while (ok && (p ? *p++ == ',' : z.left));
    if (ok) return gtr__dataset_link(d);
    gtr__dataset_free(d);
    return NULL;
}
gtr_dataset *gtr_dataset_npz(gtr_context *ctx, const char *path, gtr_npy_desc desc) {
    uint64_t size;
    if (!gtr__usable(ctx) || !gtr__npy_check(ctx, "gtr_dataset_npz", path, 1, &desc)) return NULL;
    uint8_t *bytes = gtr__file_whole(ctx, path, &size);
    gtr_dataset *d = bytes ? gtr__npz_parse(ctx, path, bytes, size, desc) : NULL;
    gtr__mfree(ctx, bytes);
    return d;
}

// >>dataset-use
/* What was borrowed is copied: it is going to change. */
static bool gtr__column_own(gtr_dataset *d, gtr__column *c) {
    const size_t bytes = (size_t)d->rows * c->row_bytes;
    uint8_t *own = c->borrowed ? GTR__NEW(d->ctx, uint8_t, bytes) : c->host;
    if (c->borrowed && own) { memcpy(own, c->host, bytes); c->host = own; c->borrowed = false; }
    return own != NULL;
}
/* True, and an error, for a set of windows, which are made last. */
static bool gtr__has_windows(const gtr_dataset *d) {
    if (!d->column[0].span) return false;
    GTR__BAD_STATE(d->ctx, "%s: its rows are windows; cut, join and append to the series, and make windows of "
        "them then", d->name);
    return true;
}
/* No plan and no trainer knows of d any more. */
static void gtr__dataset_forget(gtr_dataset *d) {
    gtr__plans_drop(d->ctx, NULL, d, 0);
    for (gtr_trainer *t = d->ctx->trainers; t; t = t->next) {
        if (t->data == d) t->data = NULL;
        if (t->last == d) { t->last = NULL; t->rows = 0; }
    }
}
/* A new data set with data's columns, as yet without their rows. */
static gtr_dataset *gtr__dataset_alike(const gtr_dataset *data, int64_t rows, const char *how) {
    char name[160];
    if (gtr__has_windows(data)) return NULL;
    snprintf(name, sizeof name, "%.120s (%s)", data->name, how);
    gtr_dataset *d = gtr__dataset_new(data->ctx, name, rows);
    for (int i = 0; d && i < data->n_columns; i++) if (!gtr__dataset_like(d, &data->column[i])) {
        gtr__dataset_free(d);
        d = NULL;
    }
    if (d) d->classed = data->classed;
    return d;
}
/* Moves those rows of data to a new data set, `count` of them, that moves is not 0 of; frees moves. */
static gtr_dataset *gtr__dataset_move(gtr_dataset *data, uint8_t *moves, int64_t count, const char *how) {
    gtr_dataset *d = moves ? gtr__dataset_alike(data, count, how) : NULL;
    for (int i = 0; d && i < data->n_columns; i++) if (!gtr__column_own(data, &data->column[i])) {
        gtr__dataset_free(d);
        d = NULL;
    }
    for (int i = 0; d && i < data->n_columns; i++) { /* nothing can fail any more: move rows out and close the gaps */
        gtr__column *c = &data->column[i];
        uint8_t *moved = d->column[i].host, *kept = c->host;
        for (int64_t r = 0; r < data->rows; r++) {
            const uint8_t *row = c->host + (size_t)r * c->row_bytes;
            memmove(moves[r] ? moved : kept, row, c->row_bytes);
            *(moves[r] ? &moved : &kept) += c->row_bytes;
        }
        gtr__column_range(c, data->rows - count);
    }
    gtr__mfree(data->ctx, moves);
    if (!d) return NULL;
    data->rows -= count;
    return gtr__dataset_link(d);
}
static bool gtr__dataset_unused(const gtr_dataset *d, const char *who) {
    return !d->used || !GTR__BAD_STATE(d->ctx, "%s of %s: it is in use already; split before the first step", who,
        d->name);
}
gtr_dataset *gtr_dataset_split(gtr_dataset *data, int64_t k) {
    char how[64];
    if (!data) return NULL;
    if (k < 2 || k > data->rows) {
        GTR__BAD_ARG(data->ctx, "gtr_dataset_split of %s: k is %jd, want 2 to its %jd rows", data->name,
            (intmax_t)k, (intmax_t)data->rows);
        return NULL;
    }
    if (!gtr__usable(data->ctx) || !gtr__dataset_unused(data, "gtr_dataset_split")) return NULL;
    uint8_t *moves = GTR__NEW(data->ctx, uint8_t, data->rows);
    for (int64_t r = k - 1; moves && r < data->rows; r += k) moves[r] = 1;
    snprintf(how, sizeof how, "every %jd", (intmax_t)k);
    return gtr__dataset_move(data, moves, data->rows / k, how);
}
static int64_t gtr__column_integer(const gtr__column *c, int64_t i) {
    return c->dtype == GTR_U8 ? c->host[i] : ((const int32_t *)(const void *)c->host)[i];
}
/* How many there may be of column's numbers, which are from c->least on; 0 and an error: it has no classes. */
static int64_t gtr__column_classes(gtr_dataset *d, int column, const char *who) {
    gtr__column *c = column < d->n_columns ? &d->column[column] : NULL;
    if (c && (c->dtype == GTR_I32 || c->dtype == GTR_U8) && c->row == 1) {
        gtr__column_range(c, d->rows);
        if (c->most - c->least < 1 << 24) return c->most - c->least + 1;
    }
    GTR__BAD_ARG(d->ctx, "%s of %s: column %d of %d, want one of classes: an integer a row, within 2^24", who, d->name,
        column,
        d->n_columns);
    return 0;
}
gtr_dataset *gtr_dataset_split_random(gtr_dataset *data, float ratio, uint64_t seed, int column) {
    static const char who[] = "gtr_dataset_split_random";
    if (!data || !gtr__usable(data->ctx) || !gtr__dataset_unused(data, who)) return NULL;
    gtr_context *ctx = data->ctx;
    const int64_t n = data->rows, classes = column < 0 ? 1 : gtr__column_classes(data, column, who);
    const uint64_t key = gtr__hash(seed, "split");
    uint8_t *moves = classes ? GTR__NEW(ctx, uint8_t, n) : NULL;
    int64_t *seen = moves ? GTR__NEW(ctx, int64_t, classes) : NULL, count = 0;
    for (int64_t i = 0; seen && i < n && ratio > 0 && ratio < 1; i++) {
        int64_t r = i;
        GTR__SHUFFLE(r, n, key);
        int64_t *c = &seen[column < 0 ? 0 : gtr__column_integer(&data->column[column], r) - data->column[column].least];
        const int64_t were = (int64_t)((double)(*c)++ * (double)ratio + 0.5);
        moves[r] = (int64_t)((double)*c * (double)ratio + 0.5) > were;
        count += moves[r];
    }
    const bool ok = seen && ((count > 0 && count < n) || !GTR__BAD_ARG(ctx, "%s of %s: %g of %jd rows leaves none on "
        "one "
        "side, want a part between 0 and 1 that does not", who, data->name, (double)ratio, (intmax_t)n));
    gtr__mfree(ctx, seen);
    if (ok) return gtr__dataset_move(data, moves, count, "drawn");
    gtr__mfree(ctx, moves);
    return NULL;
}
gtr_dataset *gtr_dataset_subset(gtr_dataset *data, const int64_t *rows, int64_t n) {
    if (!data || !gtr__usable(data->ctx)) return NULL;
    bool ok = rows && n > 0;
    for (int64_t k = 0; ok && k < n; k++) if (rows[k] < 0 || rows[k] >= data->rows)
        ok = !GTR__BAD_ARG(data->ctx, "gtr_dataset_subset of %s: row %jd is number %jd, want 0 to %jd", data->name,
            (intmax_t)k, (intmax_t)rows[k], (intmax_t)data->rows - 1);
    if (!ok) GTR__BAD_ARG(data->ctx, "gtr_dataset_subset of %s: no rows", data->name);
    gtr_dataset *d = ok ? gtr__dataset_alike(data, n, "some rows") : NULL;
    for (int i = 0; d && i < d->n_columns; i++) for (int64_t k = 0; k < n; k++) {
        const gtr__column *c = &data->column[i];
        memcpy(d->column[i].host + (size_t)k * c->row_bytes, c->host + (size_t)rows[k] * c->row_bytes, c->row_bytes);
    }
    return d ? gtr__dataset_link(d) : NULL;
}
gtr_dataset *gtr_dataset_sample(gtr_dataset *data, const float *weights, int column, int64_t n, uint64_t seed) {
    static const char who[] = "gtr_dataset_sample";
    if (!data || !gtr__usable(data->ctx)) return NULL;
    gtr_context *ctx = data->ctx;
    if (n < 1) { GTR__BAD_ARG(ctx, "%s of %s: %jd rows, want at least 1", who, data->name, (intmax_t)n); return NULL; }
    const int64_t classes = column < 0 ? 0 : gtr__column_classes(data, column, who);
    if (column >= 0 && !classes) return NULL;
    const gtr__column *c = column < 0 ? NULL : &data->column[column];
    double *sum = GTR__NEW(ctx, double, data->rows + classes), *each = sum ? sum + data->rows : NULL, all = 0;
    int64_t *rows = sum ? GTR__NEW(ctx, int64_t, n) : NULL;
    bool ok = rows != NULL;
    for (int64_t r = 0; ok && c && r < data->rows; r++) each[gtr__column_integer(c, r) - c->least]++;
    for (int64_t r = 0; ok && r < data->rows; r++) {
        const int64_t k = c ? gtr__column_integer(c, r) : r;
        const double w = !weights ? 1 : c && (k < 0 || !gtr__finite((double)weights[k])) ? -1 : (double)weights[k];
        if (!(w >= 0 && gtr__finite(w))) ok = !GTR__BAD_ARG(ctx, "%s of %s: the weight of row %jd is %g, want finite "
            "and at least 0", who, data->name, (intmax_t)r, w);
        sum[r] = all += c ? w / each[k - c->least] : w;
    }
    if (ok && !(all > 0)) ok = !GTR__BAD_ARG(ctx, "%s of %s: all weights are 0", who, data->name);
    const uint64_t key = gtr__hash(seed, "sample");
    for (int64_t i = 0; ok && i < n; i++) {
        uint32_t u[4];
        GTR__COUNTER(u, 0, i, 0);
        GTR__PHILOX(u, key);
        const double at = ((double)(u[0] >> 6) + (double)u[1] / 4294967296.0) / 67108864.0 * all;
        int64_t lo = 0, hi = data->rows - 1; /* the first whose sum is above it */
        while (lo < hi) { const int64_t mid = lo + (hi - lo) / 2; if (sum[mid] > at) hi = mid; else lo = mid + 1; }
        rows[i] = lo;
    }
    gtr_dataset *d = ok ? gtr_dataset_subset(data, rows, n) : NULL;
    gtr__mfree(ctx, sum);
    gtr__mfree(ctx, rows);
    return d;
}
/* Of two columns what differs but rows; NULL: nothing. */
static const char *gtr__columns_differ(const gtr__column *a, const gtr__column *b) {
    if (a->dtype != b->dtype || !gtr__shape_equal(&a->shape, &b->shape)) return "shape or dtype";
    if (a->scale != b->scale || a->shift != b->shift || a->channels != b->channels
            || memcmp(&a->image, &b->image, sizeof a->image)) return "scale, channels or what becomes of its images";
    if (!a->name != !b->name || (a->name && strcmp(a->name, b->name))) return "name";
    return a->names.used == b->names.used && (!a->names.used || !memcmp(a->names.text, b->names.text,
        (size_t)a->names.used))
        ? NULL : "strings or their order (gtr_csv_desc.like keeps them)";
}
gtr_dataset *gtr_dataset_concat(gtr_context *ctx, gtr_dataset *const *sets, int n) {
    int64_t rows = 0, at = 0;
    if (!gtr__usable(ctx)) return NULL;
    bool ok = sets && n > 0;
    for (int k = 0; ok && k < n; k++) {
        ok = sets[k] && sets[k]->ctx == ctx && sets[k]->rows < INT64_MAX - rows;
        if (!ok) break;
        rows += sets[k]->rows;
        const char *why = sets[k]->n_columns == sets[0]->n_columns ? NULL : "number of columns";
        int i = 0;
        while (!why && i < sets[0]->n_columns && !(why = gtr__columns_differ(&sets[0]->column[i],
            &sets[k]->column[i]))) i++;
        if (why) {
            GTR__FAIL(ctx, SHAPE, "gtr_dataset_concat: column %d of %s is other than that of %s: %s", i, sets[k]->name,
                sets[0]->name, why);
            return NULL;
        }
    }
    if (!ok) { GTR__BAD_ARG(ctx, "gtr_dataset_concat: %d sets, want some of this context", n); return NULL; }
    gtr_dataset *d = gtr__dataset_alike(sets[0], rows, "and others");
    for (int k = 0; d && k < n; at += sets[k++]->rows) for (int i = 0; i < d->n_columns; i++) {
        const gtr__column *c = &sets[k]->column[i];
        memcpy(d->column[i].host + (size_t)at * c->row_bytes, c->host, (size_t)sets[k]->rows * c->row_bytes);
    }
    return d ? gtr__dataset_link(d) : NULL;
}
gtr_result gtr_dataset_append(gtr_dataset *d, const void *const *columns, int64_t n) {
    static const char who[] = "gtr_dataset_append";
    uint8_t *host[16] = { NULL };
    if (!d) return GTR_ERR_ARG;
    gtr_context *ctx = d->ctx;
    if (!gtr__usable(ctx) || gtr__has_windows(d)) return ctx->error;
    bool ok = columns && n > 0 && n < INT64_MAX / 16 - d->rows;
    for (int i = 0; ok && i < d->n_columns; i++) ok = columns[i]
        && d->column[i].row_bytes < SIZE_MAX / 16 / (size_t)(d->rows + n);
    if (!ok) return GTR__BAD_ARG(ctx, "%s to %s: %jd rows, want at least 1 and each of %d columns not NULL", who,
        d->name,
        (intmax_t)n, d->n_columns);
    for (gtr_trainer *t = ctx->trainers; t; t = t->next) if (t->data == d || t->validation == d) {
        GTR__TRY(gtr__refuse(t, who));
        if (t->pending) return GTR__BAD_STATE(ctx, "%s between gtr_backward and gtr_update", who);
    }
    const int64_t room = GTR__MAX(d->rows + n, 2 * d->rows);
    for (int i = 0; i < d->n_columns && d->rows + n > d->room && ok; i++)
        ok = (host[i] = GTR__NEW(ctx, uint8_t, (size_t)room * d->column[i].row_bytes)) != NULL;
    if (ok && d->used) gtr_wait(ctx); /* queued steps may read it */
    for (int i = 0; i < d->n_columns; i++) {
        gtr__column *c = &d->column[i];
        const size_t bytes = (size_t)d->rows * c->row_bytes;
        if (!ok) { gtr__mfree(ctx, host[i]); continue; }
        gtr__column_off(d, c);
        memcpy((host[i] ? host[i] : c->host) + bytes, columns[i], (size_t)n * c->row_bytes); /* which may be d's own */
        if (host[i]) {
            memcpy(host[i], c->host, bytes);
            if (!c->borrowed) gtr__mfree(ctx, c->host);
            c->host = host[i]; c->borrowed = false;
        }
        c->least = 1; c->most = 0;
    }
    if (!ok) return ctx->error;
    if (d->rows + n > d->room) d->room = room;
    d->rows += n;
    gtr__dataset_forget(d);
    return GTR_OK;
}
static bool gtr__dataset_has(const gtr_dataset *d, int column) { return d && column >= 0 && column < d->n_columns; }
/* How many windows there are of `all` steps, `by` apart, none of them in two series. index, NULL or room for as many:
   the step at which each begins. *several: of more than one series. */
static int64_t gtr__windows_of(const gtr_dataset *s, const gtr_windows_desc *w, int64_t *index, bool *several) {
    const int64_t all = w->history + w->horizon, by = w->stride;
    const gtr__column *id = w->series ? &s->column[w->series - 1] : NULL;
    int64_t n = 0;
    *several = false;
    for (int64_t first = 0, end, k = 0; first < s->rows; first = end, k++) {
        end = w->lengths ? first + w->lengths[k] : s->rows;
        if (id) for (end = first + 1; end < s->rows && gtr__column_integer(id, end) == gtr__column_integer(id, first); )
            end++;
        *several |= first > 0;
        for (int64_t at = first; at <= end - all; at += by, n++) if (index) index[n] = at;
    }
    return n;
}
static const char *gtr__windows_misfit(const gtr_dataset *s, const gtr_windows_desc *w) {
    int64_t all = 0;
    const gtr__column *c = gtr__dataset_has(s, w->column) ? &s->column[w->column] : NULL;
    if (s->column[0].span) return "these are windows already";
    if (!c || (c->dtype != GTR_F32 && c->dtype != GTR_U8)) return "want a column of float32 or bytes";
    if (w->target < 0 || w->target > s->n_columns) return "want a target column from 1, or 0";
    if (w->history < 1 || w->horizon < 0 || w->stride < 0 || w->history > s->rows || w->horizon > s->rows - w->history
            || c->shape.ndim == GTR_MAX_DIMS || w->history * c->row > 1 << 30)
        return "want a history of at least 1, with its horizon within the series, and at most 2^30 elements";
    if (w->series && (w->series < 0 || w->series > s->n_columns || s->column[w->series - 1].row != 1
            || s->column[w->series - 1].dtype == GTR_F32)) return "want series by a column of integers, from 1";
    if (w->lengths && w->series) return "want series by a column or by lengths";
    for (int64_t k = 0; w->lengths && k < w->n_lengths; k++) {
        if (w->lengths[k] < 1 || w->lengths[k] > s->rows - all) return "want lengths that are all its rows";
        all += w->lengths[k];
    }
    return w->lengths && all != s->rows ? "want lengths that are all its rows" : NULL;
}
/* One more column of d: of each window the steps from `from` on, `steps` of them; 0: one, as a row. The first one's
   memory, if it is of the same column. */
static bool gtr__windows_column(gtr_dataset *d, const gtr_dataset *s, int column, int of, int64_t from, int64_t steps,
        int64_t by) {
    const gtr__column *c = &s->column[column];
    gtr__column *to = &d->column[d->n_columns];
    gtr_shape shape = c->shape;
    const size_t one = c->row_bytes, size = gtr__dtype_size(c->dtype);
    if (steps) {
        for (int k = shape.ndim++; k > 0; k--) shape.dim[k] = shape.dim[k - 1];
        shape.dim[0] = steps;
    }
    if (c->dtype == GTR_I32) { /* ids go as they lie */
        if (!gtr__dataset_column(d, c->name, c->dtype, &shape, c->scale, c->shift)) return false;
        for (int64_t r = 0; r < d->rows; r++)
            memcpy(to->host + (size_t)r * to->row_bytes,
                c->host + (size_t)((d->index ? d->index[r] : r * by) + from) * one, to->row_bytes);
        if (s->classed == column + 1) d->classed = d->n_columns;
        return gtr__strings_copy(d->ctx, &to->names, &c->names);
    }
    const int64_t span = (s->rows - from) * c->row;
    const bool shared = d->n_columns && column == of;
    uint8_t *const host = shared ? d->column[0].host + (size_t)from * one
        : GTR__NEW(d->ctx, uint8_t, (size_t)span * size);
    if (!host) return false;
    if (!shared) memcpy(host, c->host + (size_t)from * one, (size_t)span * size);
    to->span = span; to->shared = shared;
    if (!gtr__dataset_column_of(d, c->name, c->dtype, &shape, c->scale, c->shift, host)) return false;
    to->borrowed = false;
    to->stored = d->index ? c->row : by * c->row;
    to->index = d->index;
    gtr__image_whole(&to->image, 1, 1, to->row, c->dtype == GTR_U8 ? c->scale : 1, c->dtype == GTR_U8 ? c->shift : 0);
    to->image.index = d->device_index;
    return true;
}
gtr_dataset *gtr_dataset_windows(const gtr_dataset *series, gtr_windows_desc w) {
    char name[160];
    bool several;
    if (!series || !gtr__usable(series->ctx)) return NULL;
    gtr_context *ctx = series->ctx;
    const char *why = gtr__windows_misfit(series, &w);
    const int64_t by = why ? 0 : GTR__MIN(GTR__MAX(w.stride, 1), series->rows);
    if (!why) w.stride = by;
    const int64_t n = why ? 0 : gtr__windows_of(series, &w, NULL, &several);
    if (n < 1) {
        GTR__BAD_ARG(ctx, "gtr_dataset_windows of %s: history %jd, horizon %jd, stride %jd, column %d, target %d, "
            "series %d, of %jd rows: %s", series->name, (intmax_t)w.history, (intmax_t)w.horizon, (intmax_t)w.stride,
            w.column, w.target, w.series, (intmax_t)series->rows, why ? why : "no series is as long as that");
        return NULL;
    }
    snprintf(name, sizeof name, "%.120s (windows)", series->name);
    gtr_dataset *d = gtr__dataset_new(ctx, name, n);
    bool ok = d && (!several || (d->index = GTR__NEW(ctx, int64_t, n)));
    if (ok && several) {
        gtr__windows_of(series, &w, d->index, &several);
        d->device_index = ctx->preset ? d->index
            : (int64_t *)gtr__rows_on_device(ctx, d->index, (size_t)n * sizeof *d->index, name, 0);
        ok = d->device_index != NULL;
    }
    ok = ok && gtr__windows_column(d, series, w.column, w.column, 0, w.history, by);
    if (w.horizon || w.target) {
        const int target = w.target ? w.target - 1 : w.column;
        ok = ok && gtr__windows_column(d, series, target, w.column, w.horizon ? w.history : w.history - 1, w.horizon,
            by);
    }
    if (ok) return gtr__dataset_link(d);
    gtr__dataset_free(d);
    return NULL;
}
int64_t gtr_dataset_rows(const gtr_dataset *d) { return d ? d->rows : 0; }
int gtr_dataset_columns(const gtr_dataset *d) { return d ? d->n_columns : 0; }
int64_t gtr_dataset_categories(const gtr_dataset *d, int column) {
    return gtr__dataset_has(d, column) ? d->column[column].names.n : 0;
}
const char *gtr_dataset_category(const gtr_dataset *d, int column, int64_t id) {
    if (id < 0 || id >= gtr_dataset_categories(d, column)) return NULL;
    return d->column[column].names.text + d->column[column].names.at[id];
}
int64_t gtr_dataset_classes(const gtr_dataset *d) { return d ? gtr_dataset_categories(d, d->classed - 1) : 0; }
const char *gtr_dataset_class(const gtr_dataset *d, int64_t label) {
    return d ? gtr_dataset_category(d, d->classed - 1, label) : NULL;
}
gtr_shape gtr_dataset_shape(const gtr_dataset *d, int column) {
    return gtr__dataset_has(d, column) ? d->column[column].shape : gtr_shape0();
}
gtr_dtype gtr_dataset_dtype(const gtr_dataset *d, int column) {
    return gtr__dataset_has(d, column) ? d->column[column].dtype : GTR_F32;
}
static size_t gtr__column_start(const gtr__column *c, int64_t r) {
    return (size_t)((c->index ? c->index[r] : r) * c->stored) * gtr__dtype_size(c->dtype);
}
const void *gtr_dataset_row(const gtr_dataset *d, int column, int64_t r) {
    return gtr__dataset_has(d, column) && r >= 0 && r < d->rows
        ? d->column[column].host + gtr__column_start(&d->column[column], r) : NULL;
}
/* value[0] and [1]: mean and deviation of each of n elements that c's rows consist of in turn, each `apart` times. Of
   windows that overlap each step counts once, where its elements are the same ones in all of them. */
static void gtr__column_moments(const gtr__column *c, int64_t rows, int64_t n, int64_t apart, gtr_float *const *value) {
    const bool bytes = c->dtype == GTR_U8, once = c->stored < c->row && c->stored % n == 0;
    const int64_t runs = once ? 1 : rows, each = once ? c->span / n * n : c->row, count = runs * (each / n);
    for (int64_t k = 0; k < n; k++) {
        double mean = 0, sum = 0;
        for (int pass = 0; pass < 2; pass++) {
            if (pass) mean = sum / (double)count;
            sum = 0;
            for (int64_t r = 0; r < runs; r++) {
                const uint8_t *row = once ? c->host : c->host + gtr__column_start(c, r);
                const gtr_float *x = (const gtr_float *)(const void *)row;
                for (int64_t at = k * apart; at < each; at += n * apart) for (int64_t i = at; i < at + apart; i++) {
                    const double v = (bytes ? (double)(c->scale * row[i] + c->shift) : (double)x[i]) - mean;
                    sum += pass ? v * v : v;
                }
            }
        }
        value[0][k] = (gtr_float)mean;
        value[1][k] = sum > 0 ? (gtr_float)sqrt(sum / (double)count) : 1;
    }
}
gtr_tensor *gtr_standardise(gtr_tensor *x, const char *name, const gtr_dataset *d, int column) {
    static const char *const parts[2] = { "mean", "std" };
    const gtr_float first[2] = { 0, 1 };
    if (!gtr__layer_name(x, name, "standardise")) return NULL;
    const int64_t n = x->shape.ndim > 1 ? x->shape.dim[x->shape.ndim - 1] : 1;
    const gtr__column *c = gtr__dataset_has(d, column) ? &d->column[column] : NULL;
    const bool fits = c && d->ctx == x->ctx && (c->dtype == GTR_F32 || c->dtype == GTR_U8)
        && c->row == -gtr__count(&x->shape);
    if (x->dtype != GTR_F32 || x->shape.ndim < 1 || x->shape.dim[0] != GTR_BATCH || n < 1 || (d && !fits))
        return GTR__REJECT(x, SHAPE, "standardise", name, ", and column %d of %s, want float32 (N, ..., C) and a "
            "column of such rows, float32 or bytes", column, d ? d->name : "no data set");
    gtr_float *value[2];
    if (!(value[0] = GTR__NEW(x->ctx, gtr_float, 2 * n))) return NULL;
    value[1] = value[0] + n;
    for (int64_t k = 0; k < 2 * n; k++) value[0][k] = first[k >= n];
    if (c) gtr__column_moments(c, d->rows, n, !gtr__column_turns(c, x) ? 1 : c->channels == 2 ? c->image.channels
        : c->row / n, value);
    GTR__SINCE(x, NULL);
    gtr_tensor *t = gtr__widen(x);
    for (int k = 0; k < 2 && t; k++) {
        gtr_tensor *p = gtr__layer_part(x, name, parts[k], GTR_F32, gtr_shape1(n), gtr__init(GTR_INIT_ZERO, 0), true);
        t = p && gtr__leaf_made(p, value[k]) ? k ? gtr_div(t, p) : gtr_sub(t, p) : NULL;
    }
    gtr__mfree(x->ctx, value[0]);
    return gtr__whole(x, since, t);
}
/* What of a is out of its range for images of m's size; NULL: nothing. */
static const char *gtr__augment_misfit(const gtr__image *m, const gtr_augment_desc *a) {
    const int most = 1 << 24;
    const float part[] = { a->flip, a->flip_vertical, a->brightness, a->contrast };
    const bool mirrors = a->pad_mode == GTR_PAD_REFLECT;
    if (m->h > most || m->w > most) return "images of so many pixels";
    for (int k = 0; k < 4; k++) if (!(part[k] >= 0 && part[k] <= (k < 2 ? 1.0f : 1e6f)))
        return "flips are 0 to 1, brightness and contrast at least 0";
    for (int k = 0; k < 16; k++) if (!gtr__finite(a->mean[k]) || !gtr__finite(a->std[k]) || a->std[k] < 0)
        return "means are finite, and deviations above 0";
    if (a->pad < 0 || a->pad > most || a->cutout < 0 || a->cutout > most || (unsigned)a->pad_mode > GTR_PAD_CIRCULAR)
        return "pad, pad_mode or cutout";
    if ((mirrors || a->pad_mode == GTR_PAD_CIRCULAR) && a->pad > GTR__MIN(m->h, m->w) - mirrors)
        return "pad wants as many pixels in the image";
    return a->height < 0 || a->width < 0 || a->height > m->h + 2 * a->pad || a->width > m->w + 2 * a->pad
        ? "want a crop within the image and its pad" : NULL;
}
gtr_result gtr_dataset_augment(gtr_dataset *d, int column, gtr_augment_desc a) {
    const gtr_augment_desc none = GTR__ZERO;
    char text[GTR__TEXT];
    if (!d) return GTR_ERR_ARG;
    if (!gtr__usable(d->ctx)) return d->ctx->error;
    if (!gtr__dataset_has(d, column))
        return GTR__BAD_ARG(d->ctx, "gtr_dataset_augment of %s: column %d of %d", d->name, column, d->n_columns);
    if (d->used) return GTR__BAD_STATE(d->ctx, "gtr_dataset_augment of %s: it is in use already", d->name);
    gtr__column *c = &d->column[column], as = *c;
    gtr__image *m = &as.image;
    const char *why = c->span ? "windows are no images"
        : c->dtype == GTR_I32 || c->shape.ndim < 2 || c->shape.ndim > 3 || c->row > 1 << 30
        ? "want bytes or float32 of shape (H, W), (C, H, W)" : NULL;
    if (!why) gtr__column_channels(&as, c->channels);
    if (!why) why = gtr__augment_misfit(m, &a);
    if (why) return GTR__BAD_ARG(d->ctx, "gtr_dataset_augment of %s: column %d, rows %s %s: %s", d->name, column,
        gtr__shape_text(&c->shape, text), gtr__dtype_names[c->dtype], why);
    gtr__plans_drop(d->ctx, NULL, d, 0);
    if (a.height) m->oh = a.height;
    if (a.width) m->ow = a.width;
    m->pad = a.pad; m->mode = (int32_t)a.pad_mode; m->cutout = a.cutout;
    m->flip = a.flip; m->flip_vertical = a.flip_vertical; m->brightness = a.brightness; m->contrast = a.contrast;
    m->draws = m->pad || m->oh != m->h || m->ow != m->w || m->flip > 0 || m->flip_vertical > 0 || m->cutout
        || m->brightness > 0 || m->contrast > 0;
    for (int k = 0; k < GTR__CHANNELS; k++) {
        const float std = a.std[k] > 0 ? a.std[k] : 1;
        m->scale[k] /= std; m->shift[k] /= std; m->mean[k] = a.mean[k] / std;
    }
    m->varied = memcmp(&a, &none, sizeof a) != 0;
    *c = as;
    return GTR_OK;
}
gtr_result gtr_dataset_convert(const gtr_dataset *d, int column, const gtr_tensor *input, const void *rows, int64_t n,
        void *out) {
    gtr__record record = GTR__ZERO;
    gtr__arg y = GTR__ZERO;
    if (!d) return GTR_ERR_ARG;
    if (!gtr__dataset_has(d, column) || !input || input->ctx != d->ctx || input->op != GTR__OP_INPUT || !rows || !out
            || n < 1)
        return GTR__BAD_ARG(d->ctx, "gtr_dataset_convert of %s: column %d of %d, %s, %lld rows, %s", d->name, column,
            d->n_columns, input && input->ctx == d->ctx && input->op == GTR__OP_INPUT ? "an input" : "no input of its",
            (long long)n, rows && out ? "" : "NULL");
    GTR__TRY(gtr__column_fits(d, column, input));
    gtr__feed_input in = gtr__feed_from(&d->column[column], input, 0, false);
    in.stored = d->column[column].row; in.image.index = NULL; /* windows of the caller's lie one behind the other */
    const gtr__feed_job w = { &in, &y, &record, 0, 0, 0 };
    record.src[0] = (uintptr_t)rows;
    y.data = out; y.dtype = input->dtype;
    gtr__feed_range(&w, 0, n);
    return GTR_OK;
}
void gtr_dataset_destroy(gtr_dataset *d) {
    if (!d) return;
    for (gtr_trainer *t = d->ctx->trainers; t; t = t->next)
        if ((t->data == d || t->validation == d) && gtr__refuse(t, "gtr_dataset_destroy")) return;
    if (d->used) gtr_wait(d->ctx); /* queued steps may read it */
    gtr__dataset_forget(d);
    if (d->next) d->next->previous = d->previous;
    if (d->previous) d->previous->next = d->next;
    else d->ctx->datasets = d->next;
    gtr__dataset_free(d);
}

// >>safetensors
/* safetensors: u64 N, little-endian; N bytes of JSON; data. The header is checked whole (grammar, names, ranges) before
   anything is made of it. Its strings are compared where they lie: it costs at most two thirds of itself again. */
#define GTR__ST_HEADER  100000000u /* bytes */
#define GTR__ST_TENSORS 1000000u
#define GTR__ST_NAME    1024u /* bytes */
enum { GTR__ST_F32, GTR__ST_I64 }; /* those that a model holds; the others are known, and refused */
static const struct { char name[12]; int bits; } gtr__st_dtypes[] = {
    {"F32", 32}, {"I64", 64}, {"BOOL", 8}, {"U8", 8}, {"I8", 8}, {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8},
    {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16}, {"U16", 16}, {"F16", 16}, {"BF16", 16}, {"I32", 32},
    {"U32", 32}, {"C64", 64}, {"F64", 64}, {"U64", 64}, {"F4", 4}, {"F6_E2M3", 6}, {"F6_E3M2", 6} };
typedef struct {
    uint32_t name, shape; /* where they stand in the header: at the opening quote, at the '[' */
    uint64_t begin, end; /* of its data */
    int32_t part; /* of the list; -1 */
    uint8_t dtype;
} gtr__st_entry;
typedef struct {
    gtr_context *ctx;
    const char *path;
    const uint8_t *head;
    uint32_t size, at; /* of the header; the next byte to look at */
    uint64_t data; /* bytes behind the header */
    uint64_t length; /* of the string last passed, as UTF-8 */
    gtr__st_entry *entry; /* n of them */
    uint32_t *key; /* n_key keys of __metadata__, at the end of entry's block: a tensor takes 32 bytes of it and more
            than 48 of the header, a key 4 and 6 of the header: two thirds of the header's size are room for all */
    uint32_t n, n_key;
    bool has_metadata;
    gtr_tensor *const *list; int64_t n_list; /* what it is to hold: the context's parameters, or a checkpoint's parts */
    const char *among; /* other names than those that begin so are left alone; NULL: there may be none */
} gtr__st;
/* Sorts in place, whatever the order was, in n log n. Elements of at most 32 bytes. */
typedef int (*gtr__compare_fn)(const void *a, const void *b, const void *arg);
static void gtr__swap(uint8_t *a, uint8_t *b, size_t size) {
    uint8_t t[32]; memcpy(t, a, size); memcpy(a, b, size); memcpy(b, t, size);
}
static void gtr__sort(void *base, size_t n, size_t size, gtr__compare_fn order, const void *arg) {
    uint8_t *v = (uint8_t *)base;
    size_t start = n / 2, end = n, i, k;
    while (end > 1) { /* a heap is made from the middle to the front, then gives its largest to the end */
        if (start > 0) start--;
        else gtr__swap(v, v + --end * size, size);
        for (i = start; (k = 2 * i + 1) < end; i = k) {
            if (k + 1 < end && order(v + k * size, v + (k + 1) * size, arg) < 0) k++;
            if (order(v + i * size, v + k * size, arg) >= 0) break;
            gtr__swap(v + i * size, v + k * size, size);
        }
    }
}

// >>json
#define GTR__END (-1) /* of a string */
#define GTR__BAD (-2)
/* The next code point of UTF-8 (RFC 3629: shortest form, no surrogates), GTR__END at the end of n bytes, GTR__BAD. */
static int32_t gtr__utf8_next(const uint8_t *s, size_t n, size_t *at) {
    static const int32_t least[4] = { 0, 0x80, 0x800, 0x10000 };
    if (*at >= n) return GTR__END;
    int32_t c = s[(*at)++];
    if (c < 0x80) return c;
    if (c < 0xc2 || c > 0xf4) return GTR__BAD;
    int more = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
    c &= 0x3f >> more;
    for (int i = 0; i < more; i++) {
        if (*at >= n || (s[*at] & 0xc0) != 0x80) return GTR__BAD;
        c = c << 6 | (s[(*at)++] & 0x3f);
    }
    return c < least[more] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ? GTR__BAD : c;
}
static int32_t gtr__json_hex(const uint8_t *s, size_t n, size_t *at) {
    int32_t v = 0;
    for (int i = 0; i < 4; i++, (*at)++) {
        const int c = *at < n ? s[*at] : 0, letter = c | 32;
        if (!GTR__IS_DIGIT(c) && (letter < 'a' || letter > 'f')) return GTR__BAD;
        v = v << 4 | (GTR__IS_DIGIT(c) ? c - '0' : letter - 'a' + 10);
    }
    return v;
}
/* The next code point of a JSON string, from behind its opening quote; GTR__END at the closing one, which is passed. */
static int32_t gtr__json_next(const uint8_t *s, size_t n, size_t *at) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int32_t c = gtr__utf8_next(s, n, at), low;
    const char *p;
    if (c == '"') return GTR__END;
    if (c < 0x20) return GTR__BAD; /* a control character, the end of the header, no UTF-8 */
    if (c != '\\') return c;
    if (*at >= n) return GTR__BAD;
    c = s[(*at)++];
    if (c != 'u') {
        p = c ? strchr(from, c) : NULL;
        return p ? (unsigned char)to[p - from] : GTR__BAD;
    }
    c = gtr__json_hex(s, n, at);
    if (c < 0xd800 || c > 0xdfff) return c;
    if (c > 0xdbff || *at + 1 >= n || s[*at] != '\\' || s[*at + 1] != 'u') return GTR__BAD; /* half of a pair */
    *at += 2;
    low = gtr__json_hex(s, n, at);
    return low < 0xdc00 || low > 0xdfff ? GTR__BAD : 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00));
}
/* Compares the valid string at a with n bytes of text, which next reads, by code points. */
static int gtr__json_compare(const gtr__st *s, uint32_t a, const void *text, size_t n,
        int32_t (*next)(const uint8_t *, size_t, size_t *)) {
    size_t i = (size_t)a + 1, k = 0;
    int32_t c, d;
    do {
        c = gtr__json_next(s->head, s->size, &i);
        d = next((const uint8_t *)text, n, &k);
    } while (c == d && c >= 0);
    return c < d ? -1 : c > d;
}
/* The same with text of C, which need not be UTF-8. */
static int gtr__json_order(const gtr__st *s, uint32_t a, const char *text) {
    return gtr__json_compare(s, a, text, strlen(text), gtr__utf8_next);
}
static bool gtr__json_begins(const gtr__st *s, uint32_t a, const char *text) {
    size_t i = (size_t)a + 1;
    while (*text && gtr__json_next(s->head, s->size, &i) == (unsigned char)*text) text++;
    return !*text;
}
/* The string at a for a message, as the header has it, cut to size. Returns buf. */
static const char *gtr__json_text(const gtr__st *s, uint32_t a, char *buf, size_t size) {
    size_t at = (size_t)a + 1, end = at;
    while (gtr__json_next(s->head, s->size, &at) >= 0 && at - a + 4 < size) end = at;
    snprintf(buf, size, "%.*s%s", (int)(end - a - 1), (const char *)s->head + a + 1, s->head[end] == '"' ? "" : "...");
    return buf;
}
static gtr_result gtr__st_fail(const gtr__st *s, const char *want) {
    char got[24];
    if (s->at >= s->size) snprintf(got, sizeof got, "its end");
    else
        snprintf(got, sizeof got, s->head[s->at] > 32 && s->head[s->at] < 127 ? "'%c'" : "byte 0x%02x", s->head[s->at]);
    return GTR__BAD_FILE(s->ctx, "header byte %u: got %s, want %s", s->path, (unsigned)s->at, got, want);
}
static GTR__PRINTF(4, 5) gtr_result gtr__st_about(const gtr__st *s, const gtr__st_entry *e, gtr_result code,
        const char *format, ...) {
    char name[200], what[400];
    GTR__VPRINT(what, sizeof what, format);
    return gtr__fail(s->ctx, code, GTR__PATH ": tensor \"%s\"%s", s->path,
        gtr__json_text(s, e->name, name, sizeof name), what);
}
#define GTR__BAD_ENTRY(s, e, ...) gtr__st_about(s, e, GTR_ERR_FORMAT, __VA_ARGS__)
static void gtr__st_space(gtr__st *s) {
    while (s->at < s->size && s->head[s->at] && strchr(" \n\r\t", s->head[s->at])) s->at++;
}
/* Passes the character if it comes next, after spaces. */
static bool gtr__st_take(gtr__st *s, char c) {
    gtr__st_space(s);
    if (s->at >= s->size || s->head[s->at] != (uint8_t)c) return false;
    s->at++;
    return true;
}
static gtr_result gtr__st_need(gtr__st *s, char c, const char *want) {
    return gtr__st_take(s, c) ? GTR_OK : gtr__st_fail(s, want);
}
/* Passes a string; *where is its opening quote. */
static gtr_result gtr__st_string(gtr__st *s, const char *want, uint32_t *where) {
    size_t at;
    int32_t c;
    GTR__TRY(gtr__st_need(s, '"', want));
    *where = s->at - 1;
    s->length = 0;
    for (at = s->at; (c = gtr__json_next(s->head, s->size, &at)) >= 0; s->at = (uint32_t)at)
        s->length += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (c == GTR__BAD) return gtr__st_fail(s,
        "a character of a string (UTF-8, no control character, JSON's escapes) or its closing quote");
    s->at = (uint32_t)at;
    return GTR_OK;
}
static gtr_result gtr__st_int(gtr__st *s, int64_t *out) {
    uint32_t begin;
    gtr__st_space(s);
    *out = 0;
    for (begin = s->at; s->at < s->size && GTR__IS_DIGIT(s->head[s->at]); s->at++) {
        int d = s->head[s->at] - '0';
        if (*out > (INT64_MAX - d) / 10) return gtr__st_fail(s, "a number of at most 2^63 - 1");
        *out = *out * 10 + d;
    }
    if (s->at == begin) return gtr__st_fail(s, "a whole number, not negative");
    if (s->head[begin] != '0' || s->at == begin + 1) return GTR_OK;
    s->at = begin;
    return gtr__st_fail(s, "a whole number without leading zeros");
}
static gtr_result gtr__st_ints(gtr__st *s, int64_t *v, int most, int *n) {
    *n = 0;
    GTR__TRY(gtr__st_need(s, '[', "'['"));
    if (gtr__st_take(s, ']')) return GTR_OK;
    do {
        if (*n == most) return gtr__st_fail(s, most == 2 ? "two numbers" : "at most 8 dimensions");
        GTR__TRY(gtr__st_int(s, &v[(*n)++]));
    } while (gtr__st_take(s, ','));
    return gtr__st_need(s, ']', "',' or ']'");
}
static gtr_result gtr__st_metadata(gtr__st *s) {
    uint32_t key, value;
    if (s->has_metadata) return gtr__st_fail(s, "__metadata__ once only");
    s->has_metadata = true;
    GTR__TRY(gtr__st_need(s, '{', "'{' of __metadata__"));
    if (gtr__st_take(s, '}')) return GTR_OK;
    do {
        GTR__TRY(gtr__st_string(s, "a key of __metadata__", &key));
        GTR__TRY(gtr__st_need(s, ':', "':'"));
        GTR__TRY(gtr__st_string(s, "a string, as all values of __metadata__ are", &value));
        *--s->key = key;
        s->n_key++;
    } while (gtr__st_take(s, ','));
    return gtr__st_need(s, '}', "',' or '}'");
}
static gtr_result gtr__st_record(gtr__st *s, gtr__st_entry *e) {
    static const char *const fields[3] = { "dtype", "shape", "data_offsets" };
    const size_t n_dtypes = GTR__LENGTH(gtr__st_dtypes);
    bool seen[3] = { false, false, false };
    int64_t v[GTR_MAX_DIMS];
    char text[64];
    uint32_t at;
    int i, n;
    GTR__TRY(gtr__st_need(s, '{', "'{' of a tensor"));
    if (gtr__st_take(s, '}')) return GTR__BAD_ENTRY(s, e, ": dtype, shape and data_offsets are missing");
    do {
        GTR__TRY(gtr__st_string(s, "dtype, shape or data_offsets", &at));
        for (i = 0; i < 3 && gtr__json_order(s, at, fields[i]) != 0; i++) {}
        if (i == 3) return GTR__BAD_ENTRY(s, e, ": a field that is not dtype, shape or data_offsets");
        if (seen[i]) return GTR__BAD_ENTRY(s, e, ": a field twice");
        seen[i] = true;
        GTR__TRY(gtr__st_need(s, ':', "':'"));
        gtr__st_space(s);
        if (i == 1) e->shape = s->at;
        GTR__TRY(i ? gtr__st_ints(s, v, i == 1 ? GTR_MAX_DIMS : 2, &n) : gtr__st_string(s, "a string, the dtype", &at));
        if (i == 0) {
            e->dtype = 0;
            while (e->dtype < n_dtypes && gtr__json_order(s, at, gtr__st_dtypes[e->dtype].name)) e->dtype++;
            if (e->dtype == n_dtypes) return GTR__BAD_ENTRY(s, e, ": its dtype \"%s\" is not known",
                gtr__json_text(s, at, text, sizeof text));
        } else if (i == 2) {
            if (n != 2) return GTR__BAD_ENTRY(s, e, ": data_offsets are not two numbers");
            e->begin = (uint64_t)v[0];
            e->end = (uint64_t)v[1];
        }
    } while (gtr__st_take(s, ','));
    GTR__TRY(gtr__st_need(s, '}', "',' or '}'"));
    for (i = 0; i < 3; i++) if (!seen[i])
        return GTR__BAD_ENTRY(s, e, ": its %s %s missing", fields[i], i == 2 ? "are" : "is");
    return GTR_OK;
}
static gtr_result gtr__st_scan(gtr__st *s) {
    if (s->size == 0 || s->head[0] != '{') return gtr__st_fail(s, "'{' as the first byte");
    s->at = 1;
    if (!gtr__st_take(s, '}')) {
        do {
            gtr__st_entry e = GTR__ZERO;
            e.part = -1;
            GTR__TRY(gtr__st_string(s, "a tensor's name", &e.name));
            if (s->length == 0) return GTR__BAD_ENTRY(s, &e, ": an empty name");
            if (s->length > GTR__ST_NAME) return GTR__BAD_ENTRY(s, &e, ": a name longer than 1024 bytes");
            GTR__TRY(gtr__st_need(s, ':', "':'"));
            if (gtr__json_order(s, e.name, "__metadata__") == 0) { GTR__TRY(gtr__st_metadata(s)); continue; }
            if (s->n == GTR__ST_TENSORS) return GTR__BAD_ENTRY(s, &e, ": more than a million tensors");
            GTR__TRY(gtr__st_record(s, &e));
            s->entry[s->n++] = e;
        } while (gtr__st_take(s, ','));
        GTR__TRY(gtr__st_need(s, '}', "',' or '}'"));
    }
    for (; s->at < s->size; s->at++) if (s->head[s->at] != ' ')
        return gtr__st_fail(s, "nothing but spaces behind the last '}'");
    return GTR_OK;
}
static gtr_shape gtr__st_shape(const gtr__st *s, const gtr__st_entry *e) {
    gtr__st at = *s;
    gtr_shape shape = gtr_shape0();
    at.at = e->shape;
    gtr__st_ints(&at, shape.dim, GTR_MAX_DIMS, &shape.ndim);
    return shape;
}
static gtr_result gtr__st_check_range(const gtr__st *s, const gtr__st_entry *e) {
    const gtr_shape shape = gtr__st_shape(s, e);
    const uintmax_t begin = e->begin, end = e->end;
    uint64_t bits = 1;
    char text[GTR__TEXT];
    bool ok = true;
    for (int i = 0; ok && i < shape.ndim; i++) ok = gtr__mul_ok(bits, (uint64_t)shape.dim[i], &bits);
    gtr__shape_text(&shape, text);
    if (!ok || !gtr__mul_ok(bits, (uint64_t)gtr__st_dtypes[e->dtype].bits, &bits))
        return GTR__BAD_ENTRY(s, e, ": the size of shape %s overflows", text);
    if (begin > end || end > s->data)
        return GTR__BAD_ENTRY(s, e,
            ": data_offsets %ju to %ju, want a range within the %ju bytes of data", begin, end,
            (uintmax_t)s->data);
    if (bits % 8 || end - begin != bits / 8)
        return GTR__BAD_ENTRY(s, e, ": %ju bytes of data, want %ju bits for %s %s", end - begin,
            (uintmax_t)bits, gtr__st_dtypes[e->dtype].name, text);
    return GTR_OK;
}
static int gtr__st_by_offset(const void *a, const void *b, const void *arg) {
    const gtr__st_entry *x = (const gtr__st_entry *)a, *y = (const gtr__st_entry *)b;
    (void)arg;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}
/* Orders keys, and entries, which begin with their name. */
static int gtr__st_by_name(const void *a, const void *b, const void *arg) {
    const gtr__st *s = (const gtr__st *)arg;
    const uint32_t y = *(const uint32_t *)b + 1;
    return gtr__json_compare(s, *(const uint32_t *)a, s->head + y, s->size - y, gtr__json_next);
}
static void gtr__st_free(gtr__st *s) { gtr__mfree(s->ctx, s->entry); }
/* Header of s->size bytes at s->head, s->data bytes behind it: entries in the order of their names, or an error.
   gtr__st_free after both. */
static gtr_result gtr__st_parse(gtr__st *s) {
    const size_t room = (size_t)s->size / 12 * 8 + sizeof *s->entry;
    uint64_t at = 0;
    s->entry = (gtr__st_entry *)gtr__malloc(s->ctx, room);
    if (!s->entry) return GTR_ERR_NOMEM;
    s->key = (uint32_t *)(void *)((char *)s->entry + room);
    GTR__TRY(gtr__st_scan(s));
    for (uint32_t i = 0; i < s->n; i++) GTR__TRY(gtr__st_check_range(s, &s->entry[i]));
    gtr__sort(s->entry, s->n, sizeof *s->entry, gtr__st_by_offset, NULL);
    for (uint32_t i = 0; i < s->n; at = s->entry[i++].end)
        if (s->entry[i].begin != at)
            return GTR__BAD_ENTRY(s, &s->entry[i], ": its data begin at %ju, want %ju, where the last tensor's end",
                (uintmax_t)s->entry[i].begin, (uintmax_t)at);
    if (at != s->data)
        return GTR__BAD_FILE(s->ctx, "%ju bytes of data, want %ju, where the last tensor's end", s->path,
            (uintmax_t)s->data, (uintmax_t)at);
    gtr__sort(s->entry, s->n, sizeof *s->entry, gtr__st_by_name, s);
    for (uint32_t i = 1; i < s->n; i++) if (gtr__st_by_name(&s->entry[i - 1], &s->entry[i], s) == 0)
        return GTR__BAD_ENTRY(s, &s->entry[i], ": there twice");
    gtr__sort(s->key, s->n_key, sizeof *s->key, gtr__st_by_name, s);
    for (uint32_t i = 1; i < s->n_key; i++) if (gtr__st_by_name(&s->key[i - 1], &s->key[i], s) == 0) {
        s->at = s->key[i]; return gtr__st_fail(s, "each key of __metadata__ once only");
    }
    return GTR_OK;
}
static void gtr__le_put(uint8_t *p, int bytes, uint64_t v) {
    for (int i = 0; i < bytes; i++) p[i] = (uint8_t)(v >> 8 * i);
}
/* The size of the header from the file's first bytes (8, or all there are). */
static gtr_result gtr__st_start(gtr__st *s, gtr_context *ctx, const char *path, const uint8_t *first,
        uint64_t file_bytes) {
    memset(s, 0, sizeof *s);
    s->ctx = ctx;
    s->path = path;
    if (file_bytes < 8) return GTR__BAD_FILE(ctx,
        "%ju bytes, want at least 8 of a safetensors file", path, (uintmax_t)file_bytes);
    uint64_t n = gtr__le_get(first, 8);
    if (n > GTR__ST_HEADER) {
        if (gtr__is_gzip(ctx, path, first, 8)) return GTR_ERR_FORMAT;
        if (memcmp(first, "PK\3\4", 4) == 0) return GTR__BAD_FILE(ctx,
            "a zip file (of torch.save?), want safetensors (safetensors.torch.save_file)", path);
        return GTR__BAD_FILE(ctx, "a header of %ju bytes, want at most %u", path, (uintmax_t)n, GTR__ST_HEADER);
    }
    if (n > file_bytes - 8) return GTR__BAD_FILE(ctx,
        "a header of %ju bytes in a file of %ju", path, (uintmax_t)n, (uintmax_t)file_bytes);
    s->size = (uint32_t)n;
    s->data = file_bytes - 8 - n;
    return GTR_OK;
}

// >>load
static int gtr__st_of(gtr_dtype d) { return d == GTR_I64 ? GTR__ST_I64 : GTR__ST_F32; }
/* The entry of that name, or NULL. */
static gtr__st_entry *gtr__st_find(const gtr__st *s, const char *name) {
    uint32_t lo = 0, hi = s->n;
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        const int order = gtr__json_order(s, s->entry[mid].name, name);
        if (order == 0) return &s->entry[mid];
        if (order < 0) lo = mid + 1;
        else hi = mid;
    }
    return NULL;
}
/* Gives every entry its part: the names, shapes and dtypes of file and list are the same, or GTR_ERR_SHAPE. */
static gtr_result gtr__st_match(gtr__st *s) {
    char got[GTR__TEXT], want[GTR__TEXT];
    gtr_shape shape;
    uint32_t i;
    for (i = 0; i < s->n; i++)
        if (s->entry[i].dtype > GTR__ST_I64)
            return gtr__st_about(s, &s->entry[i], GTR_ERR_UNSUPPORTED, " is of dtype %s, supported are F32 and I64",
                gtr__st_dtypes[s->entry[i].dtype].name);
    for (int64_t k = 0; k < s->n_list; k++) {
        const gtr_tensor *p = s->list[k];
        const char *dtype = gtr__st_dtypes[gtr__st_of(p->dtype)].name;
        gtr__st_entry *e = gtr__st_find(s, p->name);
        gtr__shape_text(&p->shape, want);
        if (!e)
            return GTR__OF_FILE(s->ctx, SHAPE,
                "tensor \"%.200s\" %s %s of the model is missing in the file (which has %u tensors, the model %jd)",
                s->path, p->name, dtype, want, (unsigned)s->n, (intmax_t)s->n_list);
        shape = gtr__st_shape(s, e);
        if (e->dtype != gtr__st_of(p->dtype) || !gtr__shape_equal(&shape, &p->shape))
            return gtr__st_about(s, e, GTR_ERR_SHAPE, " is %s %s in the file, the model wants %s %s",
                gtr__st_dtypes[e->dtype].name, gtr__shape_text(&shape, got), dtype, want);
        e->part = (int32_t)k;
    }
    for (i = 0; i < s->n && (s->entry[i].part >= 0 || (s->among && !gtr__json_begins(s, s->entry[i].name, s->among)));)
        i++;
    if (i == s->n) return GTR_OK;
    shape = gtr__st_shape(s, &s->entry[i]);
    return gtr__st_about(s, &s->entry[i], GTR_ERR_SHAPE,
        " %s %s is not in the model (which has %jd tensors, the file %u)", gtr__st_dtypes[s->entry[i].dtype].name,
        gtr__shape_text(&shape, got), (intmax_t)s->n_list, (unsigned)s->n);
}
static size_t gtr__st_bytes(const gtr_tensor *p) {
    return (size_t)gtr__count(&p->shape) * (p->dtype == GTR_I64 ? 8 : 4);
}
/* Exchanges the elements at memory, p's, with as many of a file, which is little-endian and has float32 for double. */
static void gtr__st_swap(const gtr_tensor *p, void *memory, uint8_t *file) {
    int64_t *wide = (int64_t *)memory, i, n = gtr__count(&p->shape);
    gtr_float *v = (gtr_float *)memory;
    uint64_t in;
    if (p->dtype == GTR_I64) for (i = 0; i < n; i++, file += 8) {
        in = gtr__le_get(file, 8);
        gtr__le_put(file, 8, (uint64_t)wide[i]);
        memcpy(&wide[i], &in, 8);
    } else for (i = 0; i < n; i++, file += 4) {
        const uint32_t old = gtr__float_bits((float)v[i]);
        v[i] = gtr__bits_float((uint32_t)gtr__le_get(file, 4));
        gtr__le_put(file, 4, old);
    }
}
static void *gtr__st_room(gtr_context *ctx, gtr_tensor *const *list, int64_t n) {
    size_t most = 0;
    for (int64_t k = 0; k < n; k++) most = GTR__MAX(most, list[k]->data_bytes);
    return gtr__malloc(ctx, most);
}
/* Parts of a checkpoint that lie in host memory; they are taken from a file before its values are applied. */
static bool gtr__on_host(const gtr_tensor *p) { return p->stage < 0; }
/* Puts back the parts of the first n entries. */
static void gtr__st_undo(gtr__st *s, uint8_t *data, void *room, uint32_t n) {
    while (n-- > 0) {
        const int32_t part = s->entry[n].part;
        if (part < 0 || gtr__on_host(s->list[part])) continue;
        gtr__st_swap(s->list[part], room, data + s->entry[n].begin);
        gtr__parameter_write(s->list[part], room);
    }
}
/* Writes all parts. Old values take the new ones' place in data, so that a write that fails is undone. */
static gtr_result gtr__st_apply(gtr__st *s, uint8_t *data, void *room) {
    gtr_result r = GTR_OK;
    uint32_t i;
    gtr__weights_lock(s->ctx);
    for (i = 0; i < s->n && !r; i++) {
        const int32_t part = s->entry[i].part;
        gtr_tensor *p = part < 0 ? NULL : s->list[part];
        if (!p || gtr__on_host(p)) continue;
        r = gtr__parameter_read(p, room);
        if (r) break;
        gtr__st_swap(p, room, data + s->entry[i].begin);
        r = gtr__parameter_write(p, room);
    }
    if (r) gtr__st_undo(s, data, room, i);
    gtr__weights_unlock(s->ctx);
    return r;
}
/* What stops save and load before they begin. A step that was not finite does not: parameters are those before it. */
static gtr_result gtr__st_may(gtr_context *ctx, const char *path, const char *call) {
    if (!ctx) return GTR_ERR_ARG;
    if (!path || !*path) return GTR__BAD_ARG(ctx, "%s: the path is %s", call, path ? "empty" : "NULL");
    if (!gtr__usable(ctx)) return GTR__BAD_STATE(ctx, "%s: this context is not usable any more", call);
    if (ctx->preset) return GTR__BAD_STATE(ctx, "%s: a context with a preset holds no values", call);
    gtr_result r = gtr_wait(ctx);
    return r == GTR_ERR_NONFINITE ? GTR_OK : r;
}
/* Copies of tensors under names of their own, as a checkpoint has them: beside parameters a trainer's states, which lie
   like these. In a build with doubles their 8 bytes are an int64's. */
typedef struct { gtr_context *ctx; gtr_tensor *copy, **list; int64_t n; } gtr__parts;
static const char gtr__of_model[] = "model.", gtr__of_run[] = "gputrain.checkpoint";
static gtr_result gtr__parts_add(gtr__parts *c, const gtr_tensor *like, void *data, int stage, const char *before) {
    char name[GTR__ST_NAME];
    gtr_tensor *p = c->list[c->n] = &c->copy[c->n];
    *p = *like;
    p->data = data; p->stage = stage;
    if (data != like->data) p->low[0] = p->low[1] = NULL;
    if (p->dtype == GTR_F32 && sizeof(gtr_float) == 8) p->dtype = GTR_I64;
    snprintf(name, sizeof name, "%s%s", before, like->name);
    p->name = gtr__strdup(c->ctx, name);
    if (!p->name) return GTR_ERR_NOMEM;
    c->n++;
    return GTR_OK;
}
/* n rows of int64 in host memory. */
static gtr_result gtr__parts_host(gtr__parts *c, const char *name, void *data, int64_t n, int64_t width) {
    gtr_tensor like = GTR__ZERO;
    like.ctx = c->ctx; like.name = (char *)(uintptr_t)name; like.dtype = GTR_I64;
    like.shape = gtr_shape2(n, width); like.data_bytes = (size_t)(n * width) * 8;
    return gtr__parts_add(c, &like, data, -1, "");
}
/* All of a context's parameters and, if t is not NULL, its states, with room for two more. gtr__parts_free after it. */
static gtr_result gtr__parts_make(gtr__parts *c, gtr_context *ctx, const gtr_trainer *t) {
    const int64_t most = ctx->n_parameter + (t ? (int64_t)t->n_param * t->optim.all : 0) + 3; /* gtr__parts_host's */
    char before[32];
    c->ctx = ctx;
    c->copy = GTR__NEW(ctx, gtr_tensor, most);
    c->list = GTR__NEW(ctx, gtr_tensor *, most);
    if (!c->copy || !c->list) return GTR_ERR_NOMEM;
    for (int64_t i = 0; i < ctx->n_parameter; i++) {
        const gtr_tensor *p = ctx->parameter[i];
        GTR__TRY(gtr__parts_add(c, p, p->data, p->stage, gtr__of_model));
    }
    for (int k = 0; t && k < t->optim.all; k++) {
        snprintf(before, sizeof before, "state.%d.", k);
        for (int i = 0; i < t->n_param; i++)
            GTR__TRY(gtr__parts_add(c, t->param[i], t->optim.state[k] + t->offset[i], 0, before));
    }
    return GTR_OK;
}
static void gtr__parts_free(gtr__parts *c) {
    for (int64_t i = 0; i < c->n; i++) gtr__mfree(c->ctx, c->copy[i].name);
    if (!c->ctx) return;
    gtr__mfree(c->ctx, c->copy);
    gtr__mfree(c->ctx, c->list);
}
/* Opens a file and parses its header; *head is to be freed, and s by gtr__st_free, on failure too. */
static gtr_result gtr__st_open(gtr__st *s, gtr__file *f, gtr_context *ctx, const char *path, uint8_t **head) {
    uint8_t first[8];
    memset(s, 0, sizeof *s);
    s->ctx = ctx;
    GTR__TRY(gtr__file_open(f, ctx, path));
    gtr_result r = gtr__file_move(f, first, GTR__MIN(f->size, 8), false);
    if (!r) r = gtr__st_start(s, ctx, path, first, f->size);
    if (!r) r = gtr__file_take(f, s->size, head);
    s->head = *head;
    if (!r) r = gtr__st_parse(s);
    if (r) gtr__file_close(f);
    return r;
}
static gtr_result gtr__st_data(gtr__st *s, gtr__file *f, uint8_t **data) {
    gtr_result r = gtr__file_take(f, s->data, data);
    if (!r) r = gtr__file_finish(f);
    gtr__file_close(f);
    return r;
}
gtr_result gtr_load(gtr_context *ctx, const char *path) {
    gtr__file f;
    gtr__st s;
    gtr__parts c = GTR__ZERO;
    uint8_t *head = NULL, *data = NULL;
    void *room = NULL;
    GTR__TRY(gtr__st_may(ctx, path, "gtr_load"));
    gtr_result r = gtr__st_open(&s, &f, ctx, path, &head);
    if (!r) {
        s.list = ctx->parameter; s.n_list = ctx->n_parameter;
        if (gtr__st_find(&s, gtr__of_run)) {
            s.among = gtr__of_model;
            r = gtr__parts_make(&c, ctx, NULL);
            s.list = c.list; s.n_list = c.n;
        }
        if (!r) r = gtr__st_match(&s);
        if (!r) r = gtr__st_data(&s, &f, &data);
        gtr__file_close(&f);
    }
    if (!r) r = (room = gtr__st_room(ctx, s.list, s.n_list)) != NULL ? gtr__st_apply(&s, data, room) : GTR_ERR_NOMEM;
    gtr__mfree(ctx, head);
    gtr__mfree(ctx, data);
    gtr__mfree(ctx, room);
    gtr__st_free(&s);
    gtr__parts_free(&c);
    return r;
}
gtr_result gtr_parameters_copy(gtr_context *to, gtr_context *from) {
    static const char call[] = "gtr_parameters_copy";
    char got[GTR__TEXT], want[GTR__TEXT], *data, *at;
    size_t bytes = 0, most = 0;
    int64_t n;
    GTR__TRY(gtr__st_may(to, "-", call));
    if (!from) return GTR__BAD_ARG(to, "%s: from is NULL", call);
    gtr_result r = gtr__st_may(from, "-", call);
    if (r) return gtr__fail(to, r, "%s: %s", call, gtr_error_text(from));
    gtr_tensor *const *p = to->parameter;
    for (n = 0; n < to->n_parameter; bytes += p[n++]->data_bytes) most = GTR__MAX(most, p[n]->data_bytes);
    if (!(data = GTR__NEW(to, char, bytes + most))) return GTR_ERR_NOMEM;
    for (n = 0, at = data; n < to->n_parameter && !r; at += p[n++]->data_bytes) {
        gtr_tensor *q = gtr_parameter_find(from, p[n]->name);
        if (!q || q->dtype != p[n]->dtype || !gtr__shape_equal(&q->shape, &p[n]->shape))
            r = GTR__FAIL(to, SHAPE, "%s: \"%s\" %s %s is %s%s%s in the other context", call, p[n]->name,
                gtr__dtype_names[p[n]->dtype], gtr__shape_text(&p[n]->shape, want),
                q ? gtr__dtype_names[q->dtype] : "", q ? " " : "missing", q ? gtr__shape_text(&q->shape, got) : "");
        else if ((r = gtr__parameter_read(q, at)) != GTR_OK) gtr__fail(to, r, "%s: reading \"%s\"", call, p[n]->name);
    }
    gtr__weights_lock(to);
    for (n = 0, at = data; n < to->n_parameter && !r; at += p[n++]->data_bytes) {
        if ((r = gtr__parameter_read(p[n], data + bytes)) != GTR_OK) break;
        r = gtr__parameter_write(p[n], at);
        memcpy(at, data + bytes, p[n]->data_bytes); /* what was there, for the way back */
    }
    while (r && at > data && n-- > 0) gtr__parameter_write(p[n], at -= p[n]->data_bytes);
    gtr__weights_unlock(to);
    gtr__mfree(to, data);
    return r;
}

// >>save-file
typedef struct {
    gtr_context *ctx;
    const char *path;
    gtr_tensor **order; int64_t n; /* what the file holds, in its order */
    uint8_t *memory; /* where it goes, if not NULL */
    char *header; /* the 8 bytes of its size included */
    size_t header_bytes, header_room;
} gtr__save;
/* Wide elements first, so that each tensor's data are aligned to its element; then by name. */
static int gtr__save_order(const void *a, const void *b, const void *arg) {
    const gtr_tensor *x = *(gtr_tensor *const *)a, *y = *(gtr_tensor *const *)b;
    const int u = x->dtype == GTR_I64, v = y->dtype == GTR_I64;
    (void)arg;
    return u != v ? v - u : strcmp(x->name, y->name);
}
/* What the format, and so gtr_load, would refuse: a parameter's name when it is made, */
static bool gtr__savable(gtr_context *ctx, const char *name) {
    const size_t n = strlen(name);
    size_t at = 0;
    int32_t c;
    while ((c = gtr__utf8_next((const uint8_t *)name, n, &at)) >= 0) {}
    if (c == GTR__END && strcmp(name, "__metadata__") != 0) return true;
    GTR__BAD_ARG(ctx, "parameter \"%.200s\": its name can't be saved, want UTF-8, not __metadata__", name);
    return false;
}
/* and too many. */
static gtr_result gtr__save_check(gtr_context *ctx, const char *path, int64_t n) {
    if (n <= GTR__ST_TENSORS) return GTR_OK;
    return GTR__OF_FILE(ctx, UNSUPPORTED, "%jd tensors, a file holds at most %u", path,
            (intmax_t)n, GTR__ST_TENSORS);
}
static GTR__PRINTF(2, 3) void gtr__save_add(gtr__save *s, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    s->header_bytes += (size_t)vsnprintf(s->header + s->header_bytes, s->header_room - s->header_bytes, format, ap);
    va_end(ap);
}
/* Its data begin at a multiple of 8. */
static gtr_result gtr__save_header(gtr__save *s) {
    uint64_t at = 0, end;
    s->header_room = 128;
    for (int64_t k = 0; k < s->n; k++) /* escapes; 10 numbers of up to 20 digits */
        s->header_room += 6 * strlen(s->order[k]->name) + 320;
    s->header = GTR__NEW(s->ctx, char, s->header_room);
    if (!s->header) return GTR_ERR_NOMEM;
    s->header_bytes = 8;
    gtr__save_add(s, "{\"__metadata__\":{\"format\":\"pt\"}");
    for (int64_t k = 0; k < s->n; k++, at = end) {
        const gtr_tensor *p = s->order[k];
        gtr__save_add(s, ",\"");
        for (const char *c = p->name; *c; c++)
            gtr__save_add(s, *c == '"' || *c == '\\' ? "\\%c" : (unsigned char)*c < 0x20 ? "\\u%04x" : "%c", *c);
        gtr__save_add(s, "\":{\"dtype\":\"%s\",\"shape\":[", gtr__st_dtypes[gtr__st_of(p->dtype)].name);
        for (int i = 0; i < p->shape.ndim; i++) gtr__save_add(s, i ? ",%jd" : "%jd", (intmax_t)p->shape.dim[i]);
        end = at + gtr__st_bytes(p);
        gtr__save_add(s, "],\"data_offsets\":[%ju,%ju]}", (uintmax_t)at, (uintmax_t)end);
    }
    gtr__save_add(s, "}");
    while (s->header_bytes % 8) gtr__save_add(s, " ");
    gtr__le_put((uint8_t *)s->header, 8, s->header_bytes - 8);
    if (s->header_bytes - 8 <= GTR__ST_HEADER) return GTR_OK;
    return GTR__OF_FILE(s->ctx, UNSUPPORTED, "a header of %ju bytes, at most %u are allowed", s->path,
        (uintmax_t)s->header_bytes - 8, GTR__ST_HEADER);
}
static gtr_result gtr__save_put(gtr__save *s, gtr__file *f, void *bytes, size_t n) {
    if (!s->memory) return gtr__file_move(f, bytes, n, true);
    memcpy(s->memory, bytes, n);
    s->memory += n;
    return GTR_OK;
}
static gtr_result gtr__save_data(gtr__save *s, gtr__file *f) {
    void *room = gtr__st_room(s->ctx, s->order, s->n), *out = gtr__st_room(s->ctx, s->order, s->n);
    gtr_result r = room && out ? gtr__save_put(s, f, s->header, s->header_bytes) : GTR_ERR_NOMEM;
    for (int64_t k = 0; !r && k < s->n; k++) {
        gtr_tensor *p = s->order[k];
        if (gtr__on_host(p)) memcpy(room, p->data, p->data_bytes);
        else if ((r = gtr__parameter_read(p, room))) break;
        gtr__st_swap(p, room, (uint8_t *)out);
        r = gtr__save_put(s, f, out, gtr__st_bytes(p));
    }
    gtr__mfree(s->ctx, room);
    gtr__mfree(s->ctx, out);
    return r;
}
/* Brings a rename in folder to the disk. Some file systems cannot (EINVAL), and a folder may be closed to readers
   (EACCES): no error. On Windows the rename itself has done it. */
static bool gtr__path_sync(const char *folder) {
    gtr__file f;
    if (!gtr__file_start(&f, NULL, folder, GTR__O_READ, 0)) return errno == EACCES;
    bool ok = gtr__file_sync(&f) || errno == EINVAL;
    return gtr__file_close(&f) && ok;
}
static void gtr__folder_of(char *to, size_t size, const char *path) {
    const char *slash = strrchr(path, '/');
    snprintf(to, size, "%.*s", slash > path ? (int)(slash - path) : 1, slash ? path : ".");
}
#ifdef _WIN32
static gtr_result gtr__save_target(const gtr__save *s, char **out) {
    return (*out = gtr__strdup(s->ctx, s->path)) != NULL ? GTR_OK : GTR_ERR_NOMEM;
}
static bool gtr__locked(int fd, const char *name, bool must) { (void)fd; (void)name; (void)must; return true; }
static int gtr__lock_copy(int fd) { (void)fd; return -1; }
static void gtr__lock_end(int lock) { (void)lock; }
static void gtr__temporaries_remove(const char *path, char *name, size_t size) { (void)path; (void)name; (void)size; }
#else
#if defined(__STRICT_ANSI__) && !defined(__cplusplus) && !defined(__USE_XOPEN2K)
ssize_t readlink(const char *path, char *to, size_t room); /* hidden where a system header came before this one */
#endif
/* The file that path means when links have been followed, there yet or not. *out is to be freed, on failure too. */
static gtr_result gtr__save_target(const gtr__save *s, char **out) {
    char link[4096], *p = gtr__strdup(s->ctx, s->path);
    for (int hops = 0; (*out = p) != NULL; hops++) {
        const ssize_t n = readlink(p, link, sizeof link);
        const char *slash = strrchr(p, '/');
        const size_t folder = n < 1 || *link == '/' || !slash ? 0 : (size_t)(slash + 1 - p);
        if (n < 0) return GTR_OK;
        if (hops == 40 || n == (ssize_t)sizeof link)
            return GTR__OF_FILE(s->ctx, IO, "a link to itself, or too long", s->path);
        p = GTR__NEW(s->ctx, char, folder + (size_t)n + 1);
        if (p) { memcpy(p, *out, folder); memcpy(p + folder, link, (size_t)n); p[folder + (size_t)n] = 0; }
        gtr__mfree(s->ctx, *out);
    }
    return GTR_ERR_NOMEM;
}
/* Who holds the lock of a temporary file may rename or remove it; a process that dies lets go. True when it was had and
   the file is still called name. must: false for one that was just made: the file system may have no locks. */
static bool gtr__locked(int fd, const char *name, bool must) {
    struct stat a, b;
    int r;
    GTR__RETRY(r, flock(fd, LOCK_EX | LOCK_NB));
    if (r != 0 && (must || errno == EWOULDBLOCK)) return false;
    return fstat(fd, &a) == 0 && stat(name, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
/* The lock outlasts the file's close, until gtr__lock_end: else another save might remove it before it is renamed. */
static int gtr__lock_copy(int fd) {
    const int lock = dup(fd);
    if (lock >= 0) fcntl(lock, F_SETFD, FD_CLOEXEC);
    return lock;
}
static void gtr__lock_end(int lock) { if (lock >= 0) (close)(lock); }
/* What savers of path that were killed have left beside it: name.tmp-PROCESS-NUMBER, and nobody has the lock. */
static void gtr__temporaries_remove(const char *path, char *name, size_t size) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *digits = "0123456789";
    const size_t n = strlen(base);
    gtr__file f;
    struct dirent *e;
    gtr__folder_of(name, size, path);
    DIR *d = opendir(name);
    while (d && (e = readdir(d)) != NULL) {
        const char *c = e->d_name;
        if (strncmp(c, base, n) || strncmp(c + n, ".tmp-", 5) || strlen(c += n + 5) > 40) continue;
        const size_t k = strspn(c, digits), m = k && c[k] == '-' ? strspn(c + k + 1, digits) : 0;
        if (!m || c[k + 1 + m]) continue;
        snprintf(name, size, "%.*s%s", (int)(base - path), path, e->d_name);
        if (!gtr__file_start(&f, NULL, name, O_WRONLY | O_NONBLOCK | GTR__O_CLOEXEC, 0)) continue;
        if (gtr__locked(f.fd, name, true)) unlink(name);
        gtr__file_close(&f);
    }
    if (d) closedir(d);
}
#endif
/* Write, flush, close, rename, flush the folder: until the rename target, which path leads to, is what it was. */
static gtr_result gtr__save_file(gtr__save *s, const char *target, char *name, size_t size) {
    struct GTR__STAT st, end;
    gtr__file f;
    const bool old = GTR__STAT(s->path, &st) == 0;
    int i, lock;
    if (old && !GTR__IS_FILE(st.st_mode)) /* a rename would replace /dev/null */
        return GTR__OF_FILE(s->ctx, IO, "is there, but not a regular file", s->path);
    if (old && GTR__STAT(target, &end) != 0)
        return GTR__OF_FILE(s->ctx, IO, "a link that leads to no name of its file", s->path);
    gtr__temporaries_remove(target, name, size);
    for (i = 0; i < 1000; i++) {
        snprintf(name, size, "%s.tmp-%ld-%d", target, (long)GTR__SYS(getpid)(), i);
        const bool made = gtr__file_start(&f, s->ctx, name, GTR__O_NEW, old ? 0600u : 0666u);
        if (made ? gtr__locked(f.fd, name, false) : errno != EEXIST) break;
        gtr__file_close(&f); /* another save took it for one that was left */
    }
    f.path = s->path;
    if (f.fd < 0) return gtr__file_fail(&f, "making a file beside it");
    gtr_result r = gtr__save_data(s, &f);
    if (!r && old) GTR__CHMOD(name, st.st_mode & 0777); /* where it fails the file is its owner's alone */
    if (!r && !gtr__file_sync(&f)) r = gtr__file_fail(&f, "bringing it to the disk");
    lock = gtr__lock_copy(f.fd);
    if (!gtr__file_close(&f) && !r) r = gtr__file_fail(&f, "closing");
    if (!r) GTR__RETRY(i, GTR__RENAME(name, target));
    if (!r && i < 0) r = gtr__file_fail(&f, "renaming");
    if (r) GTR__SYS(unlink)(name);
    gtr__lock_end(lock);
    if (r) return r;
    gtr__folder_of(name, size, target);
    return gtr__path_sync(name) ? GTR_OK : gtr__file_fail(&f, "bringing the folder's entry to the disk");
}
/* Orders the parts, and makes the header of them. */
static gtr_result gtr__save_begin(gtr__save *s, gtr_context *ctx, const char *path, gtr_tensor **order, int64_t n) {
    memset(s, 0, sizeof *s);
    s->ctx = ctx; s->path = path; s->order = order; s->n = n;
    gtr__sort(order, (size_t)n, sizeof *order, gtr__save_order, NULL);
    return gtr__save_header(s);
}
static gtr_result gtr__save_parts(gtr_context *ctx, const char *path, gtr_tensor **order, int64_t n) {
    gtr__save s;
    char *target = NULL, *name = NULL;
    gtr_result r = gtr__save_begin(&s, ctx, path, order, n);
    if (!r) r = gtr__save_target(&s, &target);
    if (!r && (name = GTR__NEW(ctx, char, strlen(target) + 64)) == NULL) r = GTR_ERR_NOMEM;
    if (!r) r = gtr__save_file(&s, target, name, strlen(target) + 64);
    gtr__mfree(ctx, s.header);
    gtr__mfree(ctx, target);
    gtr__mfree(ctx, name);
    return r;
}
static gtr_result gtr__save_to(gtr_context *ctx, const char *path) {
    gtr_result r = gtr__st_may(ctx, path, "gtr_save");
    if (!r) r = gtr__save_check(ctx, path, ctx->n_parameter);
    if (r) return r;
    gtr_tensor **order = GTR__NEW(ctx, gtr_tensor *, ctx->n_parameter);
    if (!order) return GTR_ERR_NOMEM;
    if (ctx->n_parameter) GTR__COPY(order, ctx->parameter, ctx->n_parameter);
    r = gtr__save_parts(ctx, path, order, ctx->n_parameter);
    gtr__mfree(ctx, order);
    return r;
}
/* With an error, which the wait may find, the model may not be the one that was meant, and path's a good one. */
static bool gtr__save_refused(gtr_context *ctx) {
    const bool refuse = ctx->error && !ctx->may_save;
    if (refuse)
        gtr__error_more(ctx, "; gtr_save writes nothing while this error is kept: gtr_error_clear allows it");
    return refuse;
}
static gtr_result gtr__checkpoint_out(gtr_trainer *t, const char *path, const char *call, uint8_t *memory,
    size_t *bytes);
/* Of the context, or of t if it is not NULL. */
static gtr_result gtr__save_guarded(gtr_context *ctx, gtr_trainer *t, const char *path) {
    static const char call[] = "gtr_checkpoint_save";
    if (!gtr__usable(ctx)) return t ? gtr__checkpoint_out(t, path, call, NULL, NULL) : gtr__save_to(ctx, path);
    gtr_wait(ctx);
    const bool refuse = gtr__save_refused(ctx);
    const gtr_result r = refuse ? ctx->error : t ? gtr__checkpoint_out(t, path, call, NULL, NULL)
        : gtr__save_to(ctx, path);
    ctx->may_save = ctx->error && !refuse;
    return r;
}
gtr_result gtr_save(gtr_context *ctx, const char *path) { return gtr__save_guarded(ctx, NULL, path); }

// >>checkpoint
/* A checkpoint is safetensors: "model.NAME" of the context's parameters and buffers, "state.K.NAME" of a trainer's
   states, "gputrain.checkpoint", gtr__figures as int64 (numbers of floats by a double's bits), and the reports of a fit
   that keeps a history. Random numbers have no state beside the step: see >>random. */
#define GTR__CHECKPOINT_VERSION 1
typedef struct { int64_t step, applied, skipped; double loss, norm, lr, scale; } gtr__past; /* a report in a file */
typedef struct {
    int64_t version, seed, optimizer, momentum, precision, averages; /* must be the trainer's; momentum 2: Nesterov's */
    int64_t step, applied, good, evaluated; /* evaluated: runs of gtr_eval, which draw by their number */
    int64_t cuda, without; /* caps.without, of that backend */
    int64_t rows, batch, shuffle, drop_last, place; /* of the data set that feeds it, or did; rows 0: none */
    double scale, lr, lr0; /* lr0: desc.lr */
    gtr__past last; /* report */
    int64_t fits, first, begun, ended, n_kept, kept[GTR__MAX_KEPT + 2]; /* fits: gtr_fit runs, and these are its */
    double sum[2], weight, val_loss, val_metric, best;
    int64_t monitor, epoch, seen, wait; /* what best is of; epochs as gtr__stopping has them */
    double plateau, plateau_best; /* rate; of its values */
    int64_t plateau_bad, plateau_cooldown, plateau_any;
} gtr__figures;
#define GTR__N_FIGURES ((int64_t)(sizeof(gtr__figures) / 8))
#define GTR__N_PAST ((int64_t)(sizeof(gtr__past) / 8))
static const char gtr__of_past[] = "gputrain.history", gtr__of_best[] = "gputrain.best"; /* a fit's best weights */
static gtr__past gtr__past_of(gtr_report e) {
    const gtr__past p = { e.step, e.applied, e.skipped, e.loss, e.grad_norm, e.lr, e.loss_scale };
    return p;
}
static void gtr__figures_fit(gtr__fitting *f, gtr__figures *g) {
    gtr__fit_harvest(f);
    g->fits = 1; g->first = (int64_t)f->first; g->begun = f->place; g->ended = f->ended;
    g->n_kept = f->n_kept;
    GTR__COPY(g->kept, f->kept, f->n_kept);
    g->sum[0] = f->sum[0]; g->sum[1] = f->sum[1]; g->weight = f->weight;
    g->val_loss = f->p.val_loss; g->val_metric = f->p.val_metric;
    g->monitor = gtr__monitored(f->d);
    g->best = f->stopping.value; g->epoch = f->stopping.epoch; g->seen = f->stopping.seen; g->wait = f->stopping.wait;
}
/* Eights of bytes of the best epoch's weights, if a fit has them. */
static int64_t gtr__fit_best(const gtr__fitting *f) {
    return f && f->stopping.weights && f->stopping.epoch ? (int64_t)((f->stopping.bytes + 7) / 8) : 0;
}
static int gtr__momentum_of(const gtr_trainer *t) { return (t->desc.momentum > 0) + t->desc.nesterov; }
static gtr_result gtr__figures_now(gtr_trainer *t, gtr__figures *g) {
    const gtr_context *ctx = t->ctx;
    gtr__ctl ctl;
    GTR__TRY(gtr__ctl_read(t->runner, &ctl));
    memset(g, 0, sizeof *g);
    g->version = GTR__CHECKPOINT_VERSION; g->seed = (int64_t)ctx->desc.seed; g->optimizer = t->desc.optimizer;
    g->momentum = gtr__momentum_of(t); g->precision = t->asked; g->averages = t->optim.ema > 0;
    g->step = (int64_t)ctl.step; g->applied = (int64_t)ctl.applied; g->good = ctl.good;
    g->evaluated = ctx->runner ? (int64_t)ctx->runner->step : 0;
    g->cuda = ctx->caps.cuda; g->without = ctx->caps.without;
    if (t->rows) {
        g->rows = t->rows; g->batch = t->batch; g->shuffle = t->shuffle; g->drop_last = t->drop_last;
        g->place = t->data ? gtr__data_batch(t, ctl.step) : t->data_at;
    }
    g->scale = ctl.scale; g->lr = t->lr; g->lr0 = t->desc.lr;
    g->plateau = t->plateau.rate; g->plateau_best = t->plateau.best; g->plateau_bad = t->plateau.bad;
    g->plateau_cooldown = t->plateau.cooldown; g->plateau_any = t->plateau.any;
    g->last = gtr__past_of(gtr_trainer_report(t));
    if (t->fit) gtr__figures_fit(t->fit, g);
    return GTR_OK;
}
static int64_t gtr__fit_noted(const gtr__fitting *f) {
    return f && f->d->history ? GTR__MIN((int64_t)(f->next - f->first), f->d->history_size) : 0;
}
/* To path, to memory of *bytes, or, both NULL, how many these would be. */
static gtr_result gtr__checkpoint_out(gtr_trainer *t, const char *path, const char *call, uint8_t *memory,
        size_t *bytes) {
    gtr_context *ctx = t->ctx;
    gtr__figures g;
    gtr__parts c = GTR__ZERO;
    gtr__save s = GTR__ZERO;
    size_t all = 0;
    GTR__TRY(gtr__st_may(ctx, path || bytes == NULL ? path : "-", call));
    GTR__TRY(gtr__trainer_whole(t, call, false));
    GTR__TRY(gtr__figures_now(t, &g));
    const int64_t n = gtr__fit_noted(t->fit), best = gtr__fit_best(t->fit);
    gtr__past *past = GTR__NEW(ctx, gtr__past, n);
    gtr_result r = past ? gtr__parts_make(&c, ctx, t) : GTR_ERR_NOMEM;
    for (int64_t i = 0; i < n && !r; i++) past[i] = gtr__past_of(t->fit->d->history[i]);
    if (!r) r = gtr__parts_host(&c, gtr__of_run, &g, 1, GTR__N_FIGURES);
    if (!r && n) r = gtr__parts_host(&c, gtr__of_past, past, n, GTR__N_PAST);
    if (!r && best) r = gtr__parts_host(&c, gtr__of_best, t->fit->stopping.weights, best, 1);
    if (!r) r = gtr__save_check(ctx, path ? path : call, c.n);
    if (!r && path) r = gtr__save_parts(ctx, path, c.list, c.n);
    else if (!r) {
        r = gtr__save_begin(&s, ctx, call, c.list, c.n);
        for (int64_t i = 0; i < c.n; i++) all += gtr__st_bytes(c.list[i]);
        all += s.header_bytes;
        if (!r && memory && *bytes != all)
            r = GTR__FAIL(ctx, SHAPE, "%s: got room for %zu bytes, want %zu", call, *bytes, all);
        s.memory = memory;
        if (!r && memory) r = gtr__save_data(&s, NULL);
        *bytes = all;
        gtr__mfree(ctx, s.header);
    }
    gtr__parts_free(&c);
    gtr__mfree(ctx, past);
    return r;
}
gtr_result gtr_checkpoint_save(gtr_trainer *t, const char *path) {
    return t ? gtr__save_guarded(t->ctx, t, path) : GTR_ERR_ARG;
}
size_t gtr_checkpoint_bytes(gtr_trainer *t) {
    size_t n = 0;
    return t && !gtr__checkpoint_out(t, NULL, "gtr_checkpoint_bytes", NULL, &n) ? n : 0;
}
gtr_result gtr_checkpoint_get(gtr_trainer *t, void *dst, size_t bytes) {
    static const char call[] = "gtr_checkpoint_get";
    if (!t) return GTR_ERR_ARG;
    GTR__TRY(gtr__runnable(t->ctx, call));
    return dst ? gtr__checkpoint_out(t, NULL, call, (uint8_t *)dst, &bytes)
        : GTR__BAD_ARG(t->ctx, "%s: the destination is NULL", call);
}
/* A file's int64s as they lie in memory. */
static void gtr__words(const uint8_t *data, void *to, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const uint64_t v = gtr__le_get(data + 8 * i, 8);
        memcpy((uint8_t *)to + 8 * i, &v, 8);
    }
}
#define GTR__DIFFERS(...) GTR__OF_FILE(t->ctx, STATE, __VA_ARGS__)
/* What must be the trainer's. */
static gtr_result gtr__figures_same(const gtr_trainer *t, const char *path, const gtr__figures *g) {
    static const char *const optimizers[] = { "SGD", "ADAM", "ADAMW", "RMSPROP", "LION" },
        *const precisions[] = { "FP32", "TF32", "MIXED_BF16", "MIXED_FP16" },
        *const momentum[] = { "", " with momentum", " with Nesterov's momentum" };
    const int own = gtr__momentum_of(t);
    if (g->optimizer != t->desc.optimizer || g->momentum != own)
        return GTR__DIFFERS("a checkpoint of GTR_%s%s, this trainer is of GTR_%s%s", path, optimizers[g->optimizer],
            momentum[g->momentum], optimizers[t->desc.optimizer], momentum[own]);
    if (g->precision != t->asked)
        return GTR__DIFFERS("a checkpoint of precision GTR_%s, this trainer is of GTR_%s", path,
            precisions[g->precision], precisions[t->asked]);
    if (g->averages != (t->optim.ema > 0))
        return GTR__DIFFERS("a checkpoint with%s averages (.ema), this trainer has %s", path,
            g->averages ? "" : "out", g->averages ? "none" : "them");
    if ((uint64_t)g->seed != t->ctx->desc.seed)
        return GTR__DIFFERS("a checkpoint of gtr_desc.seed %ju, this context has %ju", path,
            (uintmax_t)(uint64_t)g->seed, (uintmax_t)t->ctx->desc.seed);
    return GTR_OK;
}
#define GTR__UPTO(v, most) ((v) >= 0 && (v) <= (most))
#define GTR__REAL(v) ((v) >= 0 && gtr__finite((float)(v)))
/* Whether they are ones that a run can have. */
static bool gtr__figures_good(const gtr__figures *g) {
    const int64_t most = INT64_MAX >> 8;
    bool ok = GTR__UPTO(g->optimizer, (int64_t)GTR__N_OPTIMIZERS - 1) && GTR__UPTO(g->momentum, 2)
        && GTR__UPTO(g->precision, GTR_MIXED_FP16) && GTR__UPTO(g->step, most)
        && GTR__UPTO(g->applied, g->step) && GTR__UPTO(g->good, g->step) && GTR__UPTO(g->evaluated, most)
        && GTR__UPTO(g->rows, most) && GTR__UPTO(g->batch, g->rows) && GTR__UPTO(g->place, most)
        && GTR__REAL(g->plateau) && GTR__UPTO(g->plateau_bad, INT32_MAX) && GTR__UPTO(g->plateau_cooldown, INT32_MAX)
        && (!g->rows || g->batch) && GTR__REAL(g->lr) && g->scale > 1e-30 && GTR__REAL(g->scale);
    if (g->fits) {
        const int64_t per = ok && g->rows ? gtr__steps_per_epoch(g->rows, g->batch, g->drop_last != 0) : 0;
        ok = per && g->fits == 1 && GTR__UPTO(g->first, g->step) && GTR__UPTO(g->begun, per - 1)
            && GTR__UPTO(g->n_kept, GTR__MAX_KEPT + 1) && GTR__UPTO(g->ended, g->step - g->first)
            && GTR__UPTO(g->seen, INT32_MAX) && GTR__UPTO(g->epoch, g->seen) && GTR__UPTO(g->wait, g->seen)
            && (g->begun + g->step - g->first) % per == g->place % per;
        for (int i = 0; i < g->n_kept && ok; i++) ok = GTR__UPTO(g->kept[i], g->step);
    }
    return ok;
}
/* The figures of a parsed file with its data, or an error. */
static gtr_result gtr__figures_of(const gtr__st *s, const uint8_t *data, gtr__figures *g) {
    const gtr__st_entry *e = gtr__st_find(s, gtr__of_run);
    int64_t version = 0;
    if (!e) return GTR__BAD_FILE(s->ctx, "no checkpoint: it has no \"%s\" (gtr_load reads a model's file)", s->path,
        gtr__of_run);
    if (e->end - e->begin >= 8) gtr__words(data + e->begin, &version, 1);
    if (version != GTR__CHECKPOINT_VERSION) return gtr__st_about(s, e, GTR_ERR_VERSION,
        ": a checkpoint of version %jd, want %d", (intmax_t)version, GTR__CHECKPOINT_VERSION);
    if (e->end - e->begin != sizeof *g)
        return GTR__BAD_ENTRY(s, e, ": want I64 (1, %jd)", (intmax_t)GTR__N_FIGURES);
    gtr__words(data + e->begin, g, GTR__N_FIGURES);
    return gtr__figures_good(g) ? GTR_OK : GTR__BAD_ENTRY(s, e, ": figures that no run has");
}
/* Goes on with the data set that feeds t, or a fit's, or with one that is to come: its figures are the checkpoint's. */
static gtr_result gtr__place_same(const gtr_trainer *t, const char *path, const gtr__figures *g) {
    const gtr__fitting *f = t->fit;
    const gtr_fit_desc *d = f ? f->d : NULL;
    const intmax_t was[4] = { g->rows, g->batch, g->shuffle, g->drop_last }, now[4] = {
        f ? f->rows_fed : t->data ? t->data->rows : 0, f ? d->batch : t->batch, f ? !d->no_shuffle : t->shuffle,
        f ? d->drop_last : t->drop_last };
    if (!was[0] || !now[0] || !memcmp(was, now, sizeof was)) return GTR_OK;
    return GTR__DIFFERS("a checkpoint of %jd rows, batch %jd, shuffle %jd, drop_last %jd; here: %jd, %jd, %jd, %jd",
        path, was[0], was[1], was[2], was[3], now[0], now[1], now[2], now[3]);
}
/* A drained runner is at ctl's step, whose report is e. */
static gtr_result gtr__run_put(gtr__runner *r, const gtr__ctl *at, const gtr__entry *e) {
    gtr__ctl ctl = *at;
    GTR__TRY(gtr__ctl_write(r, &ctl));
    r->step = ctl.step;
    if (ctl.step) r->shared->entry[(ctl.step - 1) % GTR__RING] = *e;
    r->shared->status = ctl.status;
    r->shared->step = ctl.step;
    return GTR_OK;
}
/* Both runners as the figures have them, after which nothing fails; else as they were. */
static gtr_result gtr__runs_put(gtr_trainer *t, const gtr__figures *g) {
    gtr__runner *const run[2] = { t->runner, t->ctx->runner };
    gtr__ctl old[2], ctl;
    gtr__entry was[2], e = GTR__ZERO;
    gtr_result r = GTR_OK;
    int i;
    for (i = 0; i < 2 && run[i]; i++) {
        GTR__TRY(gtr__ctl_read(run[i], &old[i]));
        was[i] = run[i]->shared->entry[(old[i].step - 1) % GTR__RING];
    }
    for (i = 0; i < 2 && run[i] && !r; i++) {
        ctl = old[i];
        ctl.status = ctl.guard = 0; ctl.stuck = 0;
        ctl.step = (uint64_t)(i ? g->evaluated : g->step);
        if (!i) {
            e.step = ctl.step; e.applied = (uint64_t)g->last.applied; e.skipped = g->last.skipped != 0;
            e.value[0] = (float)g->last.loss; e.norm = (float)g->last.norm; e.lr = (float)g->last.lr;
            e.scale = (float)g->last.scale;
            ctl.applied = (uint64_t)g->applied; ctl.good = (uint32_t)g->good; ctl.scale = (float)g->scale;
        }
        r = gtr__run_put(run[i], &ctl, i ? &was[1] : &e);
    }
    while (r && i-- > 0) gtr__run_put(run[i], &old[i], &was[i]);
    return r;
}
static void gtr__figures_take(gtr_trainer *t, const gtr__figures *g) {
    gtr_context *ctx = t->ctx;
    if ((double)t->desc.lr == g->lr0) t->lr = (float)g->lr; /* else the program has a rate of its own now */
    else t->lr = t->desc.lr;
    t->plateau.rate = g->plateau; t->plateau.best = g->plateau_best; t->plateau.bad = (int32_t)g->plateau_bad;
    t->plateau.cooldown = (int32_t)g->plateau_cooldown; t->plateau.any = g->plateau_any != 0;
    for (int m = 0; m < ctx->be->n_matchers && g->cuda == ctx->caps.cuda; m++)
        ctx->caps.without |= (uint32_t)g->without & 1u << m;
    t->edited = 0;
    t->data_at = g->rows ? g->place : 0;
    t->data_step0 = t->runner->step;
    if (t->data && !t->fit) return;
    t->data = t->last = NULL; t->fitted = false;
    t->rows = g->rows; t->batch = g->batch; t->shuffle = g->shuffle != 0; t->drop_last = g->drop_last != 0;
}
/* A fit that goes on has the checkpoint's sums, best epoch and history. */
static void gtr__fit_take(gtr__fitting *f, const gtr__figures *g, const uint8_t *past, int64_t n) {
    gtr_fit_desc *d = f->d;
    gtr__past p;
    if (!g->fits) return;
    f->resumed = true;
    f->first = (uint64_t)g->first; f->place = g->begun; f->ended = g->ended;
    f->n_kept = (int)g->n_kept;
    GTR__COPY(f->kept, g->kept, g->n_kept);
    f->sum[0] = g->sum[0]; f->sum[1] = g->sum[1]; f->weight = g->weight;
    f->p.val_loss = (float)g->val_loss; f->p.val_metric = (float)g->val_metric;
    if (g->monitor == gtr__monitored(d)) {
        gtr__stopping *b = &f->stopping;
        b->value = g->best; b->epoch = (int32_t)g->epoch; b->seen = (int32_t)g->seen; b->wait = (int32_t)g->wait;
    }
    for (int64_t i = 0; d->history && i < GTR__MIN(GTR__MIN(n, d->history_size), g->step - g->first); i++) {
        gtr_report *e = &d->history[i];
        gtr__words(past + i * (int64_t)sizeof p, &p, GTR__N_PAST);
        e->step = p.step; e->applied = p.applied; e->skipped = p.skipped != 0; e->loss = (float)p.loss;
        e->grad_norm = (float)p.norm; e->lr = (float)p.lr; e->loss_scale = (float)p.scale;
    }
}
/* Of a parsed file and its data. Everything is checked and allocated before the first write. */
static gtr_result gtr__checkpoint_in(gtr_trainer *t, gtr__st *s, uint8_t *data) {
    gtr_context *ctx = t->ctx;
    gtr__figures g;
    gtr__parts c = GTR__ZERO;
    void *room = NULL;
    uint8_t *best = NULL;
    size_t bytes = 0;
    GTR__TRY(gtr__figures_of(s, data, &g));
    GTR__TRY(gtr__figures_same(t, s->path, &g));
    GTR__TRY(gtr__place_same(t, s->path, &g));
    const gtr__st_entry *e = gtr__st_find(s, gtr__of_past);
    const uint8_t *past = e ? data + e->begin : NULL;
    const int64_t n = e ? (int64_t)((e->end - e->begin) / sizeof(gtr__past)) : 0;
    gtr_result r = gtr__parts_make(&c, ctx, t);
    if (!r) r = gtr__parts_host(&c, gtr__of_run, &g, 1, GTR__N_FIGURES);
    if (!r && e) r = gtr__parts_host(&c, gtr__of_past, data, n, GTR__N_PAST);
    if (!r && (e = gtr__st_find(s, gtr__of_best)) != NULL) {
        bytes = (size_t)(e->end - e->begin);
        r = gtr__parts_host(&c, gtr__of_best, data, (int64_t)(bytes / 8), 1);
        best = r ? NULL : (uint8_t *)gtr__malloc(ctx, bytes);
        if (!r && !best) r = GTR_ERR_NOMEM;
        if (!r) gtr__words(data + e->begin, best, (int64_t)(bytes / 8));
    }
    s->list = c.list; s->n_list = c.n;
    if (!r) r = gtr__st_match(s);
    if (!r && g.evaluated) r = gtr__runner_ready(ctx);
    if (!r && (room = gtr__st_room(ctx, c.list, ctx->n_parameter)) == NULL) r = GTR_ERR_NOMEM;
    gtr__weights_lock(ctx);
    if (!r) r = gtr__st_apply(s, data, room);
    if (!r && (r = gtr__runs_put(t, &g)) != GTR_OK) gtr__st_undo(s, data, room, s->n);
    gtr__weights_unlock(ctx);
    if (!r) {
        gtr__figures_take(t, &g);
        if (t->fit) gtr__fit_take(t->fit, &g, past, n);
        if (t->fit && t->fit->stopping.epoch && t->fit->d->restore_best) {
            t->fit->stopping.weights = best; t->fit->stopping.bytes = bytes;
            best = NULL;
        }
    }
    gtr__mfree(ctx, best);
    gtr__parts_free(&c);
    gtr__mfree(ctx, room);
    return r;
}
static gtr_result gtr__checkpoint_read(gtr_trainer *t, const char *path, const char *call) {
    gtr_context *ctx = t->ctx;
    gtr__file f;
    gtr__st s;
    uint8_t *head = NULL, *data = NULL;
    GTR__TRY(gtr__st_may(ctx, path, call));
    gtr_result r = gtr__st_open(&s, &f, ctx, path, &head);
    if (!r) r = gtr__st_data(&s, &f, &data);
    if (!r) r = gtr__checkpoint_in(t, &s, data);
    gtr__mfree(ctx, head);
    gtr__mfree(ctx, data);
    gtr__st_free(&s);
    return r;
}
gtr_result gtr_checkpoint_load(gtr_trainer *t, const char *path) {
    static const char call[] = "gtr_checkpoint_load";
    GTR__TRY(gtr__trainer_usable(t, call, false));
    return gtr__checkpoint_read(t, path, call);
}
gtr_result gtr_checkpoint_set(gtr_trainer *t, const void *src, size_t bytes) {
    static const char call[] = "gtr_checkpoint_set";
    gtr__st s;
    uint8_t *data = NULL;
    GTR__TRY(gtr__trainer_usable(t, call, false));
    gtr_context *ctx = t->ctx;
    if (!src) return GTR__BAD_ARG(ctx, "%s: the source is NULL", call);
    GTR__TRY(gtr__st_may(ctx, call, call));
    GTR__TRY(gtr__st_start(&s, ctx, call, (const uint8_t *)src, bytes));
    s.head = (const uint8_t *)src + 8;
    gtr_result r = gtr__st_parse(&s);
    if (!r && (data = GTR__NEW(ctx, uint8_t, s.data)) == NULL) r = GTR_ERR_NOMEM;
    if (!r && s.data) memcpy(data, s.head + s.size, s.data);
    if (!r) r = gtr__checkpoint_in(t, &s, data);
    gtr__mfree(ctx, data);
    gtr__st_free(&s);
    return r;
}
/* The folder where path, or what it leads to, will be. */
static gtr_result gtr__fit_folder(gtr_context *ctx, const char *path) {
    gtr__save s = GTR__ZERO;
    struct GTR__STAT st;
    char *target = NULL, *folder = NULL;
    s.ctx = ctx; s.path = path;
    gtr_result r = gtr__save_target(&s, &target);
    const size_t size = target ? strlen(target) + 4 : 0;
    if (!r && (folder = GTR__NEW(ctx, char, size)) == NULL) r = GTR_ERR_NOMEM;
    if (!r) {
        gtr__folder_of(folder, size, target);
        if (GTR__STAT(strcat(folder, "/."), &st) != 0)
            r = GTR__OF_FILE(ctx, IO, "the folder for checkpoints, %s: %s", path, folder, strerror(errno));
    }
    gtr__mfree(ctx, target); gtr__mfree(ctx, folder);
    return r;
}
/* What a fit asks of its checkpoints; no file that is there is replaced while an error is kept. */
static gtr_result gtr__fit_checkpoint_check(gtr_context *ctx, const gtr_fit_desc *d) {
    const bool asks = d->checkpoint_steps || d->checkpoint_seconds != 0 || d->checkpoint_epochs || d->keep_last
        || d->keep_best || d->resume;
    if (d->checkpoint ? !*d->checkpoint : asks)
        return GTR__BAD_ARG(ctx, "gtr_fit: .checkpoint is %s", d->checkpoint ? "empty" : "NULL, but how it is kept or "
            "resumed is not");
    if (d->checkpoint_steps < 0 || !(d->checkpoint_seconds >= 0) || d->checkpoint_epochs < 0 || d->keep_last < 0
            || d->keep_last > GTR__MAX_KEPT)
        return GTR__BAD_ARG(ctx, "gtr_fit: checkpoint_steps, _seconds or _epochs is negative, or keep_last not 0 to %d",
            GTR__MAX_KEPT);
    if (!d->checkpoint) return GTR_OK;
    return gtr__save_refused(ctx) ? ctx->error : gtr__fit_folder(ctx, d->checkpoint);
}
/* The checkpoint that was just written, under its step's number, too; those before the last so many go. */
static gtr_result gtr__fit_rotate(gtr__fitting *f, char *name, size_t size) {
    gtr_context *ctx = f->t->ctx;
    gtr__save s = GTR__ZERO;
    char *target = NULL;
    s.ctx = ctx; s.path = f->d->checkpoint;
    snprintf(name, size, "%s.%jd", f->d->checkpoint, (intmax_t)f->kept[f->n_kept - 1]);
    gtr_result r = gtr__save_target(&s, &target);
    GTR__SYS(unlink)(name);
    if (!r && GTR__LINK(target, name) != 0) r = gtr__save_guarded(ctx, f->t, name);
    gtr__mfree(ctx, target);
    for (; !r && f->n_kept > f->d->keep_last; f->n_kept--) {
        snprintf(name, size, "%s.%jd", f->d->checkpoint, (intmax_t)f->kept[0]);
        GTR__SYS(unlink)(name);
        memmove(f->kept, f->kept + 1, (size_t)(f->n_kept - 1) * sizeof *f->kept);
    }
    return r;
}
/* A fit that was killed behind a checkpoint may not have come to its keep_last file. */
static gtr_result gtr__fit_resume(gtr__fitting *f) {
    const gtr_fit_desc *d = f->d;
    struct GTR__STAT st;
    if (!d->resume || (GTR__STAT(d->checkpoint, &st) != 0 && errno == ENOENT)) return GTR_OK;
    GTR__TRY(gtr__checkpoint_read(f->t, d->checkpoint, "gtr_fit"));
    if (!d->keep_last || !f->n_kept || f->kept[f->n_kept - 1] != (int64_t)f->t->runner->step) return GTR_OK;
    const size_t size = strlen(d->checkpoint) + 32;
    char *name = GTR__NEW(f->t->ctx, char, size);
    const gtr_result r = name ? gtr__fit_rotate(f, name, size) : GTR_ERR_NOMEM;
    gtr__mfree(f->t->ctx, name);
    return r;
}
/* Behind step k of the fit, or at its end: writes what is due. In the file kept names all that may be there. */
static gtr_result gtr__fit_checkpoint(gtr__fitting *f, int64_t k, bool end) {
    const gtr_fit_desc *d = f->d;
    gtr_context *ctx = f->t->ctx;
    const int64_t at = f->place + k, every = gtr__fit_every(f);
    const bool epoch_end = at % f->per_epoch == 0;
    const bool better = d->keep_best && epoch_end && f->ended == k && !end && f->stopping.epoch == f->stopping.seen;
    if (!d->checkpoint || f->saved == k) return GTR_OK;
    if (!better && !end && !(d->checkpoint_steps && k % d->checkpoint_steps == 0) && !(every && at % every == 0)
            && !(d->checkpoint_seconds > 0 && gtr__now() - f->saved_at >= d->checkpoint_seconds))
        return GTR_OK;
    GTR__TRY(gtr__wait_all(ctx));
    GTR__TRY(gtr__observe(f->t));
    const size_t size = strlen(d->checkpoint) + 32;
    char *name = GTR__NEW(ctx, char, size);
    if (!name) return GTR_ERR_NOMEM;
    if (d->keep_last && (!f->n_kept || f->kept[f->n_kept - 1] != (int64_t)f->first + k))
        f->kept[f->n_kept++] = (int64_t)f->first + k;
    gtr_result r = gtr__save_guarded(ctx, f->t, d->checkpoint);
    if (!r && better) {
        snprintf(name, size, "%s.best", d->checkpoint);
        r = gtr__save_guarded(ctx, f->t, name);
    }
    if (!r && d->keep_last) r = gtr__fit_rotate(f, name, size);
    gtr__mfree(ctx, name);
    f->saved = k; f->saved_at = gtr__now();
    return r;
}

// >>observing
static const char *const gtr__phase_names[] = {
    "feed", "forward", "backward", "reduce", "guard", "update", "commit", "report" };
static const char *const gtr__home_names[] = { "none", "parameter", "low", "state", "gradient", "input", "kept",
        "arena", "alias", "tally" };
/* A plan that was made to be looked at is not kept. */
static void gtr__observed_drop(gtr_context *ctx, gtr__cached *e) { if (e->fresh) gtr__entry_free(ctx, e); }
static gtr__cached *gtr__observed(gtr_trainer *t, int64_t batch, const char *who) {
    if (!GTR__USABLE(t)) return NULL;
    if (batch < 1 || batch > (int64_t)1 << 40) {
        GTR__BAD_ARG(t->ctx, "%s: a batch of %lld, want 1 to 2^40", who, (long long)batch);
        return NULL;
    }
    return gtr__trainer_entry(t, batch, t->data, false);
}
static void gtr__text_value(gtr_context *ctx, const gtr__plan *p, int v) {
    char s[GTR__TEXT];
    const gtr__value *x = &p->value[v], *root = &p->value[gtr__root(p, v)];
    gtr__textf(ctx, "%s%%%d%s%s", x->gradient_of >= 0 ? "d" : "", v, gtr__value_name(p, v)[0] ? ":" : "",
        gtr__value_name(p, v));
    gtr__textf(ctx, " %s %s %s ", gtr__shape_text(&x->shape, s), gtr__dtype_names[x->storage],
        x->lookups ? "lookups" : x->stride[0] ? "view" : x->last ? "last" : "rows");
    if (root->home == GTR__HOME_ARENA && root->alias >= 0) gtr__textf(ctx, "in d%%%d", root->alias);
    else gtr__textf(ctx, "%s", gtr__home_names[root->home]);
    if (root->home == GTR__HOME_ARENA) gtr__textf(ctx, "+%zu", root->offset + (x == root ? 0 : x->offset));
}
static void gtr__text_bytes(double b, char *buf, size_t size) {
    if (b >= 1048576) snprintf(buf, size, "%.1f MiB", b / 1048576);
    else if (b >= 1024) snprintf(buf, size, "%.1f KiB", b / 1024);
    else snprintf(buf, size, "%.0f B", b);
}
/* A node's place and phase, op, or ops of nodes taken together, and layer. */
static void gtr__text_node(gtr_context *ctx, const gtr__plan *p, int i) {
    const gtr__node *n = &p->node[i];
    const bool several = n->op == GTR__OP_NETWORK && n->own;
    const gtr__network *w = several ? (const gtr__network *)n->attr.ptr : NULL;
    gtr__textf(ctx, "%3d %-8s ", i, gtr__phase_names[n->phase]);
    if (p->n_stage > 1 || p->n_stream > 1) gtr__textf(ctx, "%d.%d ", n->stage, n->stream);
    for (int k = 0; k < (several ? w->n_node : 1); k++) {
        const gtr__node *q = several ? &w->node[k] : n;
        gtr__textf(ctx, "%s%s%s", k ? " + " : "", gtr__row(q->op)->name, q->dir == GTR__BWD ? " backward" : "");
    }
    gtr__textf(ctx, " \"%s\"", n->layer);
}
const char *gtr_plan_text(gtr_trainer *t, int64_t batch) {
    gtr__cached *e = gtr__observed(t, batch, "gtr_plan_text");
    double flops = 0, bytes = 0;
    int i, k;
    char buf[32];
    if (!e) return "";
    gtr_context *ctx = t->ctx;
    gtr__plan *p = &e->plan;
    gtr__text_begin(ctx);
    gtr__textf(ctx, "plan of a step with batch %lld: %d nodes, %d values, %d stage%s, %d stream%s, on %s\n",
        (long long)batch, p->n_node, p->n_value, p->n_stage, p->n_stage > 1 ? "s" : "", p->n_stream,
        p->n_stream > 1 ? "s" : "", ctx->caps.name);
    for (i = 0; i < p->n_node; i++) {
        gtr__node *n = &p->node[i];
        bool first = true;
        gtr__text_node(ctx, p, i);
        if (e->recipe.micro > 1) gtr__textf(ctx, " micro %d", n->micro);
        if (n->recomputed) gtr__textf(ctx, " again");
        if (n->fused) gtr__textf(ctx, " [%s]", n->fused);
        for (k = 0; k < GTR__MAX_LANES; k++) if (n->wait_mask >> k & 1) gtr__textf(ctx, " after %d", n->wait_node[k]);
        gtr__textf(ctx, "  (");
        for (k = 0; k < n->n_in; k++) if (n->in[k] >= 0 && gtr__bit(n->reads, k)) {
            if (!first) gtr__textf(ctx, ", ");
            first = false; gtr__text_value(ctx, p, n->in[k]);
        }
        gtr__textf(ctx, ") ->");
        for (k = 0; k < n->n_out; k++) if (n->out[k] >= 0) {
            gtr__textf(ctx, gtr__bit(n->adds, k) ? " += " : " "); gtr__text_value(ctx, p, n->out[k]);
        }
        gtr__text_bytes(n->bytes, buf, sizeof buf);
        gtr__textf(ctx, "  %s, %.3g Mflop", buf, n->flops * 1e-6);
        if (n->ws_bytes) {
            gtr__text_bytes((double)n->ws_bytes, buf, sizeof buf); gtr__textf(ctx, ", workspace %s", buf);
            if (n->ws_value >= 0) gtr__textf(ctx, " in d%%%d", n->ws_value);
            gtr__textf(ctx, "+%zu", n->ws_offset);
        }
        gtr__textf(ctx, "\n");
        flops += n->flops; bytes += n->bytes;
    }
    gtr__text_bytes(bytes, buf, sizeof buf);
    gtr__textf(ctx, "in all %s moved, %.4g Mflop\n", buf, flops * 1e-6);
    gtr__observed_drop(ctx, e);
    return gtr__text(ctx);
}
/* Inputs' slots and kept values of the plan: each tensor once, by the largest value. */
static void gtr__count_blocks(const gtr__plan *p, gtr_memory_report *m) {
    for (int i = 0; i < p->n_value; i++) {
        const gtr__value *v = &p->value[i];
        size_t *to[3] = { &m->inputs, &m->low_precision, &m->kept }, now = gtr__rounded(v->offset + v->bytes), *had;
        const gtr__home h = v->home;
        const int k = h == GTR__HOME_INPUT ? 0 : h == GTR__HOME_LOW ? 1 : h == GTR__HOME_KEPT ? 2 : -1;
        if (k < 0 || !v->tensor) continue;
        had = &v->tensor->counted[k == 2 ? 2 : v->storage != v->dtype];
        if (now > *had) { *to[k] += now - *had; *had = now; }
    }
}
gtr_result gtr_memory_plan(gtr_trainer *t, int64_t batch, gtr_memory_report *out) {
    gtr_memory_report m = GTR__ZERO;
    size_t bytes, values[GTR__MAX_STAGES];
    if (!out) return t ? GTR__BAD_ARG(t->ctx, "gtr_memory_plan: out is NULL") : GTR_ERR_ARG;
    *out = m;
    gtr__cached *e = gtr__observed(t, batch, "gtr_memory_plan");
    if (!e) return t ? t->ctx->error : GTR_ERR_ARG;
    gtr_context *ctx = t->ctx;
    m.batch = batch;
    for (int64_t i = 0; i < ctx->n_tensor; i++) {
        gtr_tensor *x = ctx->tensor[i];
        if (x->op == GTR__OP_PARAMETER || x->op == GTR__OP_CONSTANT) m.parameters += gtr__rounded(x->data_bytes);
        memset(x->counted, 0, sizeof x->counted);
        if (x->feeding && ctx->caps.cuda) m.inputs += 2 * gtr__rounded(x->feeding->bytes);
    }
    bytes = gtr__rounded((size_t)t->total * sizeof(gtr_float));
    m.gradients = bytes;
    m.states = bytes * (size_t)t->optim.all;
    gtr__count_blocks(&e->plan, &m);
    m.kept += gtr__rounded(e->plan.carry);
    memset(values, 0, sizeof values); /* workspace is what the arena has beyond them */
    for (int k = 0; k < e->plan.n_value; k++) {
        const gtr__value *v = &e->plan.value[k];
        if (v->home == GTR__HOME_ARENA && v->alias < 0)
            values[v->stage] = GTR__MAX(values[v->stage], v->offset + gtr__rounded(v->bytes));
    }
    for (int k = 0; k < e->plan.n_stage; k++) {
        size_t arena = gtr__rounded(e->plan.arena[k]), v = GTR__MIN(values[k], arena);
        m.workspace += arena - v;
        m.activations += v;
    }
    m.control = GTR__CTL_BYTES + gtr__rounded((size_t)t->n_param * sizeof(gtr__segment));
    m.total = m.parameters + m.gradients + m.states + m.inputs + m.activations + m.workspace + m.low_precision
        + m.kept + m.control;
    *out = m;
    gtr__observed_drop(ctx, e);
    return GTR_OK;
}
const char *gtr_memory_text(gtr_trainer *t, int64_t batch) {
    gtr_memory_report m;
    char buf[32];
    size_t i, bytes[10];
    static const char *const names[10] = { "parameters", "gradients", "optimizer states", "inputs", "activations",
        "workspace", "low-precision copies", "kept values", "control", "total" };
    if (gtr_memory_plan(t, batch, &m)) return "";
    memcpy(bytes, (const char *)&m + offsetof(gtr_memory_report, parameters), sizeof bytes);
    gtr__text_begin(t->ctx);
    gtr__textf(t->ctx, "memory of a step with batch %lld on %s\n", (long long)batch, t->ctx->caps.name);
    for (i = 0; i < 10; i++) {
        gtr__text_bytes((double)bytes[i], buf, sizeof buf);
        gtr__textf(t->ctx, "%-22s %14zu bytes  %s\n", names[i], bytes[i], buf);
    }
    return gtr__text(t->ctx);
}
/* The total at a batch, of gtr_step's plan or gtr_fit's, whichever is larger; SIZE_MAX if there is no such plan. */
static size_t gtr__total_at(gtr_trainer *t, int64_t batch) {
    const bool several = t->several, good = t->ctx->error == GTR_OK;
    gtr_memory_report m;
    size_t most = 0;
    for (int k = 0; k < (t->ctx->be->n_matchers ? 2 : 1) && most < SIZE_MAX; k++) {
        t->several = k != 0;
        most = gtr_memory_plan(t, batch, &m) == GTR_OK ? GTR__MAX(most, m.total) : SIZE_MAX;
    }
    t->several = several;
    if (good && t->ctx->error == GTR_ERR_SHAPE) gtr_error_clear(t->ctx); /* the graph can't have this size */
    return most;
}
static size_t gtr__resident_bytes(const gtr_context *ctx) {
    size_t n = 0;
    if (ctx->caps.cuda)
        for (const gtr_dataset *d = ctx->datasets; d; d = d->next)
            for (int i = 0; i < d->n_columns; i++) if (d->column[i].device)
                n += d->column[i].shared ? 0 : gtr__rounded(gtr__column_bytes(d, &d->column[i]));
    return n;
}
int64_t gtr_largest_batch(gtr_trainer *t, size_t bytes) {
    int64_t low, high = 1, least;
    size_t all;
    if (!GTR__USABLE(t)) return 0;
    gtr_context *ctx = t->ctx;
    bool good = ctx->error == GTR_OK;
    if (!bytes) {
        size_t f = 0, sets = gtr__resident_bytes(ctx);
        bytes = ctx->desc.memory_limit;
        if (!bytes) {
            if (ctx->preset || ctx->be->memory_info(ctx->instance[0], &f, &all)) {
                GTR__BAD_ARG(ctx, "gtr_largest_batch: the device's memory is not known; give a number of bytes");
                return 0;
            }
            bytes = f + ctx->device_bytes; /* what this context has counts as its own */
            if (ctx->caps.cuda) bytes -= GTR__MIN(bytes, (size_t)32 << 20); /* what the driver rounds up, and graphs */
        }
        bytes -= GTR__MIN(bytes, sets); /* but for data sets, which the report leaves out */
    }
    while (high < 2 * 64 && gtr__total_at(t, high) == SIZE_MAX) high++; /* batch_norm wants two rows in each part */
    low = high - 1;
    least = high;
    while (high < (int64_t)1 << 40 && gtr__total_at(t, high) <= bytes) { low = high; high *= 2; }
    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        if (gtr__total_at(t, mid) <= bytes) low = mid; else high = mid;
    }
    if (least == 2 * 64) gtr__observed(t, least, "gtr_largest_batch"); /* none: the error says why */
    return low < least || (good && ctx->error) ? 0 : low;
}
static void gtr__trace_value(gtr_context *ctx, gtr__cached *e, int v) {
    const gtr__value *x = &e->plan.value[v];
    int64_t n = gtr__count(&x->shape), i, bad = 0, good = 0;
    double least = 0, most = 0, sum = 0;
    char s[GTR__TEXT];
    const gtr_shape shape = gtr__shape_logical(x);
    if (!gtr__is_float(x->dtype)) {
        gtr__textf(ctx, "  %s %s", gtr__shape_text(&shape, s), gtr__dtype_names[x->dtype]); return;
    }
    gtr_float *host = GTR__NEW(ctx, gtr_float, n);
    if (!host) return;
    if (gtr__read(ctx, x->stage, host, gtr__value_address(ctx, e, v), x->storage, GTR_F32, n, "trace") == GTR_OK)
        for (i = 0; i < n; i++) {
            double y = host[i];
            if (!gtr__finite(y)) { bad++; continue; }
            if (!good || y < least) least = y;
            if (!good || y > most) most = y;
            sum += y; good++;
        }
    gtr__mfree(ctx, host);
    gtr__textf(ctx, "  %s%s %s min %.4g max %.4g mean %.4g not finite %lld", x->gradient_of >= 0 ? "gradient of " : "",
        x->gradient_of >= 0 ? gtr__value_name(&e->plan, x->gradient_of) : "", gtr__shape_text(&shape, s), least,
        most, good ? sum / (double)good : NAN, (long long)bad);
}
/* The next step's plan, ready to be run node by node, and its record in the ring. NULL on error. */
static gtr__cached *gtr__observed_step(gtr_trainer *t, const char *who, bool by_node, int *steps) {
    gtr__record rec = GTR__ZERO;
    gtr__ctl ctl;
    int64_t batch = 1;
    if (gtr__trainer_usable(t, who, false) || gtr__observe(t)) return NULL;
    if (t->data) batch = gtr__position(t, t->runner->step, &rec);
    else if (gtr__batch_of_inputs(t->ctx, t->input, t->n_inputs, who, &batch)) return NULL;
    gtr__cached *e = gtr__trainer_entry(t, batch, t->data, by_node);
    if (!e || gtr__entry_ready(t->ctx, e, t->runner) || gtr__wait_all(t->ctx) || gtr__trainer_segments(t))
        return NULL;
    if (t->runner->stale && (gtr__ctl_read(t->runner, &ctl) || gtr__ctl_write(t->runner, &ctl)))
        return NULL;
    if ((t->data ? gtr__check_ranges(t->ctx, e, true) : gtr__set_inputs(t->ctx, e, &rec))) return NULL;
    if (!gtr__group_rates(t, t->runner->step, &rec)) return NULL;
    for (int i = 0; i < *steps; i++) gtr__record_write(t->runner, t->runner->step + (uint64_t)i, &rec);
    t->slot[t->runner->step % GTR__RING] = e;
    gtr__note_lookups(t, &e->plan);
    return e;
}
const char *gtr_trace(gtr_trainer *t) {
    int i, k, steps = 1;
    gtr_result r;
    gtr__cached *e = t ? gtr__observed_step(t, "gtr_trace", true, &steps) : NULL;
    if (!e) return "";
    gtr_context *ctx = t->ctx;
    gtr__text_begin(ctx);
    gtr__textf(ctx, "step %llu, batch %lld, node by node\n", (unsigned long long)t->runner->step + 1,
        (long long)e->plan.batch);
    for (i = 0; i < e->plan.n_node; i++) {
        gtr__node *n = &e->plan.node[i];
        double us = -ctx->be->seconds(ctx->instance[n->stage], 1);
        r = ctx->be->run_node(ctx->instance, &e->plan, i);
        us += ctx->be->seconds(ctx->instance[n->stage], 0);
        if (!r) r = gtr__wait_all(ctx);
        if (r) { /* no step was done: the next one has this one's number, and a record of its own */
            gtr__backend_result(ctx, r, n->layer);
            t->runner->stale = true;
            return gtr__text(ctx);
        }
        gtr__text_node(ctx, &e->plan, i);
        gtr__textf(ctx, "  %.1f us", us * 1e6);
        for (k = 0; k < n->n_out; k++) if (n->out[k] >= 0) gtr__trace_value(ctx, e, n->out[k]);
        gtr__textf(ctx, "\n");
    }
    t->runner->launched++;
    t->runner->step++;
    gtr__mark_filled(e);
    return gtr__text(ctx);
}
/* Seconds of a step, launched as gtr_fit does, after those that run eagerly or capture; 0 on error. */
static double gtr__step_seconds(gtr_trainer *t) {
    double s = 0, began;
    for (int k = 0; k < 4; k++) {
        const uint64_t from = t->runner->step, want = k < 3 ? 1 : (uint64_t)(0.05 / GTR__MAX(s, 1e-6)) + 3;
        for (began = gtr__now(); t->runner->step - from < want; ) {
            int n = GTR__LAUNCH_STEPS;
            if (gtr__step_part(t, GTR__PART_ALL, &n)) return 0;
        }
        if (gtr__wait_all(t->ctx) || gtr__observe(t)) return 0;
        s = (gtr__now() - began) / (double)(t->runner->step - from);
    }
    return s;
}
/* Seconds of a node, from two plans of many: a launch's own cost goes out in the difference. Below 0: error. */
static double gtr__node_seconds(gtr_context *ctx, const gtr__node *node) {
    gtr__node many[16];
    gtr__plan p = GTR__ZERO;
    void *exec = NULL;
    double s = 0, before = 0;
    int i, k;
    p.node = many; p.n_node = p.split = ctx->caps.cuda ? 16 : 1; p.n_stage = ctx->n_instance; p.n_stream = 1;
    for (i = 0; i < p.n_node; i++) {
        many[i] = *node; many[i].wait_mask = 0; many[i].signals = many[i].stream = 0;
        if (!i || node->phase < GTR__UPDATE) continue;
        k = gtr__lane(&many[i]); /* UPDATE starts before its predecessor ends, which is not to be another UPDATE */
        many[i].wait_mask = (uint32_t)1 << k; many[i].wait_node[k] = i - 1; many[i - 1].signals = 1;
    }
    gtr_result r = ctx->be->prepare(ctx->instance, &p, &exec);
    for (k = 0; k < 4 && !r && exec; k++) { /* eager, captured, one launch, three */
        before = s;
        s = -ctx->be->seconds(ctx->instance[0], 1);
        for (i = 0; i < (k < 3 ? 1 : 3) && !r; i++) r = ctx->be->launch(ctx->instance, exec, GTR__PART_ALL);
        s += ctx->be->seconds(ctx->instance[0], 0);
    }
    if (exec) ctx->be->release(ctx->instance, exec);
    return gtr__backend_result(ctx, r, node->layer) == GTR_OK ? GTR__MAX(s - before, s / 3) / (2 * p.n_node) : -1;
}
/* What the device reaches here: bytes a second of a copy, flops of a large product in this precision; zeros without the
   room to try. Operands are random, and below 2 in each format: products of plain numbers are faster. */
static void gtr__ceilings(gtr_context *ctx, gtr_precision precision, double *rate) {
    const size_t bytes = (size_t)(ctx->caps.cuda ? 256 : 64) << 20, limit = ctx->desc.memory_limit;
    const int64_t n = ctx->caps.cuda ? 4096 : 768;
    const gtr_dtype store = precision == GTR_MIXED_BF16 ? GTR_BF16 : precision == GTR_MIXED_FP16 ? GTR_F16 : GTR_F32;
    const gtr_shape shape[2] = { gtr_shape1((int64_t)(bytes / 2 / sizeof(gtr_float))), gtr_shape2(n, n) };
    char *p = limit && (bytes > limit || ctx->device_bytes > limit - bytes) ? NULL
        : (char *)ctx->be->alloc(ctx->instance[0], bytes);
    uint32_t seed[1021], i, k; /* a prime: no two rows of a matrix are alike */
    size_t at, size = bytes / 2;
    gtr__arg arg[3];
    gtr__node node = GTR__ZERO;
    for (i = 0; i < 1021; i++) {
        seed[i] = i; GTR__MIX32(seed[i], 1u); GTR__MIX32(seed[i], 2u);
        seed[i] = (seed[i] & (store == GTR_F32 ? 0x807fffffu : 0x807f807fu)) | 0x3f003f00u;
    }
    if (p) ctx->be->copy(ctx->instance[0], p, seed, sizeof seed, GTR__TO_DEVICE, true);
    for (at = sizeof seed; p && at < bytes; at *= 2)
        ctx->be->copy(ctx->instance[0], p + at, p, GTR__MIN(at, bytes - at), GTR__ON_DEVICE, true);
    rate[0] = rate[1] = 0;
    for (k = 0; p && k < 2; k++, size = (size_t)(n * n) * gtr__dtype_size(store)) {
        for (i = 0; i < 2 + k; i++) arg[i] = gtr__arg_of(p + i * size, k ? store : GTR_F32, &shape[k]);
        node.op = k ? GTR__OP_MATMUL : GTR__OP_COPY; node.layer = "profile"; node.call.attr = &node.attr;
        node.call.caps = &ctx->caps; node.call.precision = precision;
        node.call.in = arg; node.call.n_in = 1 + (int)k; node.call.out = arg + 1 + k; node.call.n_out = 1;
        node.call.ws = p + 3 * size; node.call.ws_bytes = k ? bytes - 3 * size : 0;
        rate[k] = (k ? 2.0 * (double)(n * n * n) : (double)bytes) / GTR__MAX(gtr__node_seconds(ctx, &node), 1e-9);
    }
    if (p) ctx->be->free(ctx->instance[0], p, bytes);
}
/* The rest of a line of a profile; of: seconds, floor, bytes, flops. The rows sum up by op. */
static void gtr__profile_line(gtr_context *ctx, size_t begin, const double *of, double step) {
    gtr__textf(ctx, "%*s %10.2f us %5.1f %% %10.3f MB %11.3f MFLOP %7.0f GB/s %7.2f TFLOP/s  ",
        (int)GTR__MAX(64 - (int)(ctx->text_used - begin), 1), "", of[0] * 1e6, of[0] / GTR__MAX(step, 1e-12) * 100,
        of[2] * 1e-6, of[3] * 1e-6, of[2] * 1e-9 / GTR__MAX(of[0], 1e-12), of[3] * 1e-12 / GTR__MAX(of[0], 1e-12));
    gtr__textf(ctx, of[1] > 0 ? "floor %.1f %%\n" : "-\n", of[1] / GTR__MAX(of[0], 1e-12) * 100);
}
static bool gtr__profile(gtr_trainer *t, double step, gtr__cached *e) {
    gtr_context *ctx = t->ctx;
    const int all = GTR__OP_COUNT * 2;
    double rate[2], of[GTR__OP_COUNT * 2 + 1][4];
    int count[GTR__OP_COUNT * 2 + 1], i, j;
    memset(of, 0, sizeof of);
    memset(count, 0, sizeof count);
    gtr__ceilings(ctx, t->desc.precision, rate);
    gtr__textf(ctx,
        "profile of a step with batch %lld on %s: %.2f us as launched; floors by %.0f GB/s of a copy and %.3g "
        "TFLOP/s of a product, measured now\n", (long long)e->plan.batch, ctx->caps.name, step * 1e6, rate[0] * 1e-9,
        rate[1] * 1e-12);
    for (i = 0; i < e->plan.n_node; i++) {
        const gtr__node *n = &e->plan.node[i];
        const size_t begin = ctx->text_used;
        const int k = (int)n->op * 2 + (int)n->dir;
        double one[4];
        const gtr__runner *r = t->runner;
        const gtr__record last = r->shared->record[(r->step - 1) % GTR__RING];
        for (j = 1; n->op == GTR__OP_NETWORK && j < GTR__RING; j++) /* it may report, and go on to the next step */
            gtr__record_write(t->runner, r->shared->step + (uint64_t)j - 1, &last);
        if ((one[0] = e->plan.n_node == 1 ? step : gtr__node_seconds(ctx, n)) < 0) return false;
        one[1] = rate[0] > 0 && rate[1] > 0 ? GTR__MAX(n->bytes / rate[0], n->flops / rate[1]) : 0;
        one[2] = n->bytes; one[3] = n->flops;
        if (n->phase == GTR__GUARD) /* gradients added many times may overflow */
            ctx->be->zero(ctx->instance[0], &t->runner->ctl->guard, sizeof(uint32_t));
        gtr__text_node(ctx, &e->plan, i);
        if (GTR__WHOLE(n))
            gtr__textf(ctx, " [%s: one kernel for %d nodes]", n->fused, ((const gtr__network *)n->attr.ptr)->n_node);
        else if (n->fused) gtr__textf(ctx, " [%s]", n->fused);
        gtr__profile_line(ctx, begin, one, step);
        for (j = 0; j < 4; j++) { of[k][j] += one[j]; of[all][j] += one[j]; }
        count[k]++; count[all]++;
    }
    for (i = 0; i <= all; i++) {
        const size_t begin = ctx->text_used;
        if (!count[i]) continue;
        gtr__textf(ctx, "%3d x %s%s", count[i], i == all ? "a node, in all" : gtr__row((gtr__op)(i / 2))->name,
            i % 2 ? " backward" : "");
        gtr__profile_line(ctx, begin, of[i], step);
    }
    return true;
}
const char *gtr_profile(gtr_trainer *t, bool by_node) {
    gtr__cached *e = NULL;
    gtr_dataset *data;
    size_t bytes = 0;
    int64_t i;
    int steps = GTR__RING - 1;
    double step = 0;
    bool ok;
    if (gtr__trainer_usable(t, "gtr_profile", false) || gtr__wait_all(t->ctx)) return "";
    gtr_context *ctx = t->ctx;
    for (i = 0; i < ctx->n_parameter; i++) bytes += ctx->parameter[i]->data_bytes;
    char *held = GTR__NEW(ctx, char, bytes);
    gtr__weights_lock(ctx);
    for (i = 0, bytes = 0, ok = held != NULL; i < ctx->n_parameter && ok; bytes += ctx->parameter[i++]->data_bytes)
        ok = gtr__parameter_read(ctx->parameter[i], held + bytes) == GTR_OK;
    gtr_trainer_desc d = t->desc;
    d.groups = t->group; d.n_groups = t->n_groups - 1; d.lr = t->lr; d.no_matchers |= by_node;
    if (t->optim.scaled && gtr_trainer_report(t).step) d.loss_scale = gtr_trainer_report(t).loss_scale;
    /* a trainer like t: t's own states and counters are left alone */
    gtr_trainer *u = ok ? gtr_trainer_create(t->loss, d) : NULL;
    if (u) {
        data = t->data;
        if (t->fitted && !data) { data = t->last; u->metric = t->fit_metric; u->several = t->fit_several; }
        u->fit_steps = GTR__MAX(t->fit_steps, 1);
        if (!data || gtr_trainer_data(u, data, t->batch, t->shuffle, true) == GTR_OK) step = gtr__step_seconds(u);
        if (step > 0) e = gtr__observed_step(u, "gtr_profile", by_node, &steps);
        gtr__text_begin(ctx);
        if (e && (!gtr__profile(u, step, e) || gtr__wait_all(ctx))) e = NULL;
        gtr_trainer_destroy(u);
        for (i = 0, bytes = 0; i < ctx->n_parameter && !ctx->dead; bytes += ctx->parameter[i++]->data_bytes)
            if (gtr__parameter_write(ctx->parameter[i], held + bytes)) e = NULL;
    }
    gtr__weights_unlock(ctx);
    gtr__mfree(ctx, held);
    return e ? gtr__text(ctx) : "";
}

// >>release
void gtr_release(gtr_context *ctx, int64_t mark) {
    gtr_trainer *t;
    int64_t i, n;
    if (!gtr__usable(ctx) || mark < 0 || mark >= ctx->n_tensor) return;
    for (t = ctx->trainers; t; t = t->next) {
        const gtr_tensor *of[] = { t->metric, t->scored[0], t->scored[1] };
        for (i = 0; i < 3; i++)
            if (of[i] && of[i]->id >= mark && gtr__refuse(t, "gtr_release of the metric")) return;
    }
    const char *who = "trainer";
    const gtr_tensor *used = NULL;
    for (t = ctx->trainers; t && !used; t = t->next) if (t->loss->id >= mark) used = t->loss;
    for (gtr_predictor *p = ctx->predictors; p && !used; p = p->next)
        for (i = 0; i < p->n[GTR__OUT]; i++) {
            const gtr_tensor *out = p->of[GTR__OUT][i];
            if (out->id >= mark) { used = out; who = "predictor"; }
        }
    if (used) {
        GTR__BAD_STATE(ctx, "gtr_release: a %s uses \"%s\", which was built after the mark", who, gtr__label(used));
        return;
    }
    for (t = ctx->trainers; t; t = t->next) if (t->fit_metric && t->fit_metric->id >= mark) t->fit_metric = NULL;
    gtr__plans_forget(ctx, mark);
    gtr__wait_all(ctx);
    for (i = ctx->n_tensor; i-- > mark;) if (ctx->tensor[i]->op != GTR__OP_PARAMETER) { /* each the first of its bin */
        gtr__tensor_free(ctx->tensor[i]);
        ctx->tensor[i] = NULL;
    }
    for (i = n = mark; i < ctx->n_tensor; i++) if (ctx->tensor[i]) {
        ctx->tensor[n] = ctx->tensor[i];
        ctx->tensor[n]->id = n; n++;
    }
    ctx->n_tensor = n;
}
void gtr_destroy(gtr_context *ctx) {
    gtr_desc desc;
    gtr_trainer *t;
    int i;
    if (!ctx) return;
    for (t = ctx->trainers; t; t = t->next) gtr__refuse(t, "gtr_destroy");
    if (ctx->fits) return;
    if (!gtr__forked(ctx) && ctx->instance[0]) gtr__wait_all(ctx);
    while (ctx->predictors) gtr_predictor_destroy(ctx->predictors);
    while (ctx->trainers) gtr_trainer_destroy(ctx->trainers);
    gtr__plans_forget(ctx, 0);
    while (ctx->datasets) gtr_dataset_destroy(ctx->datasets);
    if (ctx->runner) gtr__runner_free(ctx->runner);
    while (ctx->n_tensor) gtr__tensor_free(ctx->tensor[--ctx->n_tensor]);
    for (i = 0; i < GTR__MAX_STAGES; i++) gtr__device_free(ctx, i, ctx->arena[i], ctx->arena_bytes[i]);
    for (i = GTR__MAX_STAGES - 1; i >= 0; i--) if (ctx->instance[i]) ctx->be->destroy(ctx->instance[i]);
    if (ctx->line && !gtr__forked(ctx)) gtr__line_free(ctx->line); /* a child may have a copy that is locked */
    gtr__mfree(ctx, ctx->line);
    gtr__mfree(ctx, ctx->tensor);
    gtr__mfree(ctx, ctx->named);
    gtr__mfree(ctx, ctx->parameter);
    gtr__mfree(ctx, ctx->text);
#ifdef MADV_WIPEONFORK
    if (ctx->here) munmap((void *)(uintptr_t)ctx->here, 1);
#endif
    desc = ctx->desc;
    gtr__host_free(&desc, ctx);
}

#endif /* GPUTRAIN_IMPLEMENTED */
#endif /* GPUTRAIN_IMPLEMENTATION */

/* HISTORY
   2026-11-20  0.1: the engine on CPU and CUDA, whole networks in one launch; layers, losses, optimizers; data, files
   2026-11-21  0.1: epochs go on from fit to fit; columns have names; ignored labels; batch_norm .frozen; CUDA 11.4 on;
                    several streams a step; norms in 16 bits; RMSprop, Lion, averages of weights (.ema)
   2026-11-22  0.1: ops of several outputs, gtr_split; 32 more element-wise ops, in one launch; random numbers;
                    layer_norm, rms_norm, prelu, bilinear; ops over axes and by index; losses as PyTorch's; tables'
                    gradients as lookups; Hopper's instructions; chains of small layers in one launch;
                    NULL beside a tensor, and fields that a loss does not read, are errors; images: convolutions,
                    pooling, resampling, batch, group and instance norms, channels last inside; losses of pixels;
                    CIFAR's files, augmentation, columns with channels last, folders of images; predictors' batch_norm
                    is the convolution's; what convolutions alone read is fed with channels last
   2026-11-23  0.1: gradients of pooling and resampling go on to the activation's in front, in one launch;
                    checkpoints, gtr_fit's .checkpoint and .resume; states set, parameters copied between contexts;
                    schedules: step, exponential, linear, one-cycle, plateau; fits that end by themselves,
                    gtr_train_for; metrics of whole sets; what is not finite by row and column, and what may help;
                    tables with names, strings and holes, gtr_standardise; .npy and .npz; arrays of double and
                    int64_t, and arrays without a copy; sets joined, cut at random, sampled and appended to; windows
                    over series; predictors of several inputs and outputs, and their snapshots of weights; convolutions
                    of few channels and gradients of weights by lines of pixels on Hopper

   LICENCE: MIT No Attribution (MIT-0)
   Copyright 2026 the gputrain authors
   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
   documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
   rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
   permit persons to whom the Software is furnished to do so. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY
   KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR
   PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR
   OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
   SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
