/* Mistakes in training, running, saving and predicting, of other kinds than test_mistakes.c has: schedules that do
   not fit the fit, fields that cancel each other, calls at the wrong moment, in callbacks and in other threads, states,
   checkpoints, averages, predictors of steps, allocators. */
#include "mistakes.h"
#include <pthread.h>

/* Silent by what the interface is, with the reason. */
static const silence known[] = {
    { "threads by a variable of the environment that is none", "whose variables these are is not known" },
    { "a function of whole numbers, whose rate is always 0", "warm-ups begin with 0, and lr_fn is asked once a step" },
    { "a loop of fits of an epoch, in each of which a cosine begins anew", "warm restarts are made so" },
    { "a state that goes its own way, which no loss reads", "a predictor or another trainer may" },
    { "an evaluation by running statistics that no step has made", "an untrained network may be measured" },
    { "training by a mean that a model would bring", "0 and 1 are what is documented, and where fine-tuning begins" },
    { "a prediction of a row with NaN", "inputs are not searched at each call; the result is NaN" },
    { "a prediction by weights that were neither trained nor loaded", "gtr_set may have given them" }
};

/* What a log gets is part of what a program is told. */
static void heard(gtr_level level, const char *text, void *user) { (void)level; note((world *)user, text); }
static void logged(world *w) { w->cd.log = heard; w->cd.log_user = w; }
static gtr_result loud(world *w) { w->fd.silent = false; return fit(w); }
static gtr_trainer *grouped(world *w, const gtr_group *groups, int n)
{
    w->td.groups = groups; w->td.n_groups = n;
    return trainer(w);
}
static gtr_tensor *named(world *w, const char *name) { return gtr_parameter_find(context(w), name); }
static void stepped(world *w)
{
    set_inputs(w);
    gtr_step(trainer(w));
}
static void normed(world *w) { w->h = gtr_relu(gtr_batch_norm(gtr_linear(input(w), "fc1", 8), "bn")); }

/* Right programs that stand near to mistakes. */
static bool does_all(const gtr_progress *p)
{
    world *w = (world *)p->user;
    float l, m;
    gtr_float out[ROWS * 3];
    if (!w->p) w->p = gtr_predictor_create(w->logits, 8);
    return !gtr_evaluate(p->trainer, w->data, 8, w->fd.metric, &l, &m) && !gtr_save(w->ctx, path_of("in.safetensors"))
        && !gtr_predict(w->p, features, ROWS, out) && !gtr_trainer_lr(p->trainer, 0.005f);
}
static void right_programs(void)
{
    RIGHT("a callback that evaluates, saves, predicts and sets the rate") {
        w->fd.epochs = 2; w->fd.metric = gtr_accuracy(scores(w), labels(w));
        w->fd.callback = does_all; w->fd.callback_user = w;
        loud(w);
    }
    RIGHT("early stopping by what is held out, the log, a checkpoint and a schedule that ends with the fit") {
        w->held = gtr_dataset_split(samples(w), 4);
        w->fd.validation = w->held; w->fd.epochs = 6; w->fd.patience = 2; w->fd.restore_best = true;
        w->fd.log_file = path_of("right.csv"); w->fd.checkpoint = path_of("right.checkpoint");
        w->td.schedule = GTR_COSINE; w->td.warmup_steps = 3; w->td.min_lr = 1e-4f;
        fit(w);
    }
    RIGHT("averages over a fit that is long enough") { w->td.ema = 0.9f; w->fd.epochs = 30; logged(w); fit(w); }
    RIGHT("a plateau that has epochs to wait for") {
        w->td.schedule = GTR_PLATEAU; w->td.plateau_patience = 2; w->fd.epochs = 4;
        fit(w);
    }
    RIGHT("a group that shields from a second one, and biases without decay") {
        static const gtr_group parts[] = { { "*.bias", 0, GTR_ZERO, false }, { "fc2.*", 0, 0, false },
            { "*", 0.1f, 0, false } };
        w->td.optimizer = GTR_ADAMW;
        grouped(w, parts, 3);
        fit(w);
    }
    RIGHT("the first of several scores, and a context destroyed before its predictor, which it owns") {
        set_inputs(w);
        gtr_predictor_create(scores(w), 8);
        gtr_item(w->logits);
    }
    RIGHT("two trainers of one network, one after the other") {
        stepped(w);
        w->t = gtr_trainer_create(w->loss, w->td);
        gtr_step(w->t);
        if (!(gtr_loss(w->t) > 0)) note(w, "no loss");
    }
}

/* Fields of a context. */
static void *nothing(size_t bytes, gtr_memory kind, void *user) { (void)bytes; (void)kind; (void)user; return NULL; }
static void *host_alone(size_t bytes, gtr_memory kind, void *user)
{
    (void)user;
    return kind == GTR_MEMORY_DEVICE ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
}
static void frees_host(void *p, size_t bytes, gtr_memory kind, void *user)
{
    (void)bytes; (void)kind; (void)user;
    free(p);
}
static void *askew(size_t bytes, gtr_memory kind, void *user)
{
    (void)kind; (void)user;
    char *p = (char *)aligned_alloc(256, (bytes + 16 + 255) / 256 * 256);
    return p ? p + 16 : NULL;
}
static void frees(void *p, size_t bytes, gtr_memory kind, void *user) { (void)p; (void)bytes; (void)kind; (void)user; }
static void frees_askew(void *p, size_t bytes, gtr_memory kind, void *user)
{
    (void)bytes; (void)kind; (void)user;
    if (p) free((char *)p - 16);
}
static void contexts(void)
{
    RIGHT("user pointers without their callbacks, as a program that has them always sets them") {
        w->cd.allocator.user = w; w->cd.log_user = w; w->td.lr_user = w; w->fd.callback_user = w;
        fit(w);
    }
    MISTAKE("an allocator that has nothing", "out of host memory") {
        w->cd.allocator.alloc = nothing; w->cd.allocator.free = frees;
        if (!context(w)) note(w, gtr_error_text(w->ctx));
    }
    MISTAKE("an allocator that has nothing for the device", "out of memory|allocator") {
        w->cd.allocator.alloc = host_alone; w->cd.allocator.free = frees_host; w->cd.allocator.cuda = true;
        fit(w);
    }
    MISTAKE("an allocator without free's alignment: 16 bytes, as malloc's", "allocator|align|64") {
        w->cd.allocator.alloc = askew; w->cd.allocator.free = frees_askew;
        fit(w);
    }
    MISTAKE("an allocator without alloc", "allocator|alloc") { w->cd.allocator.free = frees; fit(w); }
    MISTAKE("device_index -1 for any", "device_index|-1") { w->cd.device_index = -1; fit(w); }
    MISTAKE("a stream of CUDA's beside the CPU", "cuda_stream|GTR_DEVICE_CPU") {
        w->cd.device = GTR_DEVICE_CPU; w->cd.cuda_stream = w;
        fit(w);
    }
    MISTAKE("a preset that is none", "preset|99") { w->cd.preset = (gtr_preset)99; trainer(w); }
    MISTAKE("threads by a variable of the environment that is none", "GPUTRAIN_THREADS") {
        setenv("GPUTRAIN_THREADS", "4", 1);
        logged(w);
        loud(w);
        unsetenv("GPUTRAIN_THREADS");
    }
}

/* Fields of a trainer. */
static void optimizers(void)
{
    RIGHT("what a precision or .frozen switches off, and is there for when it is switched on") {
        static const gtr_group off = { "fc1.*", 0.1f, 0.1f, true };
        w->td.loss_scale = 1024;
        grouped(w, &off, 1);
        fit(w);
    }
    RIGHT("only the loss checked, under FP16, which checks all always") {
        w->td.precision = GTR_MIXED_FP16; w->td.nonfinite = GTR_NONFINITE_LOSS;
        trainer(w);
    }
    MISTAKE("nesterov of RMSprop", "nesterov|SGD") {
        w->td.optimizer = GTR_RMSPROP; w->td.momentum = 0.9f; w->td.nesterov = true;
        trainer(w);
    }
    MISTAKE("momentum of Adagrad", "momentum|SGD") {
        w->td.optimizer = GTR_ADAGRAD; w->td.momentum = 0.9f;
        trainer(w);
    }
    MISTAKE("initial_accumulator of Adam", "initial_accumulator|Adagrad") {
        w->td.optimizer = GTR_ADAM; w->td.initial_accumulator = 0.1f;
        trainer(w);
    }
    MISTAKE("beta2 below 0", "beta2|-0.999") { w->td.optimizer = GTR_ADAM; w->td.beta2 = -0.999f; trainer(w); }
    MISTAKE("eps below 0", "eps|-1e-08") { w->td.optimizer = GTR_ADAM; w->td.eps = -1e-8f; trainer(w); }
    MISTAKE("lr_decay below 0", "lr_decay|-0.1") {
        w->td.optimizer = GTR_ADAGRAD; w->td.lr_decay = -0.1f;
        trainer(w);
    }
    MISTAKE("an infinite rate", "lr|inf") { w->td.lr = (float)INFINITY; trainer(w); }
    MISTAKE("a momentum of NaN", "momentum|nan") { w->td.momentum = (float)NAN; trainer(w); }
    MISTAKE("a decoupled decay by which each step throws weights beyond 0", "weight_decay|30|lr") {
        w->td.optimizer = GTR_ADAMW; w->td.lr = 0.1f; w->td.weight_decay = 30;
        loud(w);
    }
    MISTAKE("clip_norm of GTR_ZERO, by which nothing moves", "clip_norm|2e-38") {
        w->td.clip_norm = GTR_ZERO;
        loud(w);
    }
    MISTAKE("clip_norm of NaN", "clip_norm|nan") { w->td.clip_norm = (float)NAN; trainer(w); }
    MISTAKE("an ema below 0", "ema|-0.5") { w->td.ema = -0.5f; trainer(w); }
    MISTAKE("an ema of NaN", "ema|nan") { w->td.ema = (float)NAN; trainer(w); }
    MISTAKE("averages of 10000 steps in a fit of 3", "ema|0.9999|3 steps") { w->td.ema = 0.9999f; loud(w); }
    MISTAKE("a loss scale below 0", "loss_scale|-1") {
        w->td.precision = GTR_MIXED_FP16; w->td.loss_scale = -1;
        trainer(w);
    }
    MISTAKE("an infinite loss scale", "loss_scale|inf") {
        w->td.precision = GTR_MIXED_FP16; w->td.loss_scale = (float)INFINITY;
        trainer(w);
    }
    MISTAKE("a check for what is not finite that is none", "nonfinite|7") {
        w->td.nonfinite = (gtr_nonfinite)7;
        trainer(w);
    }
    MISTAKE("micro_batches below 0", "micro|-2") { w->td.micro_batches = -2; trainer(w); }
    RIGHT("more micro-batches than the batch has rows, of which some are empty, as a tail's are") {
        w->td.micro_batches = 16;
        fit(w);
    }
    MISTAKE("micro-batches of one row under batch_norm", "batch_norm|micro") {
        normed(w);
        w->td.micro_batches = 8;
        fit(w);
    }
    MISTAKE("streams below 0", "streams|-1") { w->td.streams = -1; trainer(w); }
}
static float by_integers(int64_t step, void *user) { (void)user; return (float)(step / 1000); }
static float sets_rate(int64_t step, void *user)
{
    (void)step;
    gtr_trainer_lr(((world *)user)->t, 0.5f);
    return 0.01f;
}
static float steps_once(int64_t step, void *user)
{
    static int depth;
    if (!depth++) gtr_step(((world *)user)->t);
    return 0.01f / (float)(step + 1);
}
static void schedules(void)
{
    MISTAKE("a least rate above the first", "min_lr|0.1|lr|0.01") {
        w->td.schedule = GTR_COSINE; w->td.min_lr = 0.1f;
        loud(w);
    }
    MISTAKE("a least rate below 0", "min_lr|-1") { w->td.schedule = GTR_COSINE; w->td.min_lr = -1; trainer(w); }
    MISTAKE("warmup_steps below 0", "warmup_steps|-5") { w->td.warmup_steps = -5; trainer(w); }
    MISTAKE("a warm-up longer than all of the fit", "warmup_steps|1000|3 steps") {
        w->td.warmup_steps = 1000;
        loud(w);
    }
    MISTAKE("a warm-up of a plateau", "warmup_steps|GTR_PLATEAU") {
        w->td.schedule = GTR_PLATEAU; w->td.warmup_steps = 3;
        trainer(w);
    }
    MISTAKE("a warm-up of one's own schedule", "warmup_steps|GTR_CUSTOM_SCHEDULE") {
        w->td.schedule = GTR_CUSTOM_SCHEDULE; w->td.lr_fn = by_integers; w->td.warmup_steps = 3;
        trainer(w);
    }
    MISTAKE("total_steps -1 for not known", "total_steps|-1") {
        w->td.schedule = GTR_LINEAR; w->td.total_steps = -1;
        trainer(w);
    }
    MISTAKE("decay_steps below 0", "decay_steps|-3") {
        w->td.schedule = GTR_EXPONENTIAL; w->td.gamma = 0.9f; w->td.decay_steps = -3;
        trainer(w);
    }
    MISTAKE("a factor below 0", "gamma|-0.5") {
        w->td.schedule = GTR_STEP_DECAY; w->td.decay_steps = 3; w->td.gamma = -0.5f;
        trainer(w);
    }
    MISTAKE("a first factor below 0", "start_factor|-1") {
        w->td.schedule = GTR_LINEAR; w->td.start_factor = -1;
        trainer(w);
    }
    MISTAKE("a last factor in percent", "end_factor|10") {
        w->td.schedule = GTR_LINEAR; w->td.end_factor = 10;
        trainer(w);
    }
    MISTAKE("div_factor for its reciprocal", "div_factor|0.04") {
        w->td.schedule = GTR_ONE_CYCLE; w->td.div_factor = 0.04f;
        trainer(w);
    }
    MISTAKE("final_div_factor without one-cycle", "final_div_factor|GTR_ONE_CYCLE") {
        w->td.schedule = GTR_COSINE; w->td.final_div_factor = 100;
        trainer(w);
    }
    MISTAKE("anneal_linear of a cosine", "anneal_linear|GTR_ONE_CYCLE") {
        w->td.schedule = GTR_COSINE; w->td.anneal_linear = true;
        trainer(w);
    }
    MISTAKE("one cycle whose total_steps are epochs", "one-cycle|total_steps|4|12") {
        w->td.schedule = GTR_ONE_CYCLE; w->td.total_steps = 4; w->fd.epochs = 4;
        loud(w);
    }
    MISTAKE("a loop of fits of an epoch, in each of which a cosine begins anew", "cosine|total_steps") {
        w->td.schedule = GTR_COSINE;
        for (int epoch = 0; epoch < 4; epoch++) loud(w);
    }
    MISTAKE("decay_steps in epochs, by which the rate is nothing soon", "decay_steps|1|rate") {
        w->td.schedule = GTR_STEP_DECAY; w->td.decay_steps = 1; w->fd.epochs = 20;
        loud(w);
    }
    MISTAKE("a plateau's cooldown below 0", "plateau_cooldown|-1") {
        w->td.schedule = GTR_PLATEAU; w->td.plateau_cooldown = -1;
        trainer(w);
    }
    MISTAKE("a plateau's threshold below 0", "threshold|-0.1") {
        w->td.schedule = GTR_PLATEAU; w->td.threshold = -0.1f;
        trainer(w);
    }
    MISTAKE("threshold_absolute without a plateau", "threshold_absolute|GTR_PLATEAU") {
        w->td.threshold_absolute = true;
        trainer(w);
    }
    MISTAKE("a plateau that waits for more epochs than there are", "plateau_patience|20|3 epochs") {
        w->td.schedule = GTR_PLATEAU; w->td.plateau_patience = 20; w->fd.epochs = 3;
        loud(w);
    }
    RIGHT("a plateau's value of NaN, which is no better, as PyTorch's is not") {
        w->td.schedule = GTR_PLATEAU;
        gtr_trainer_plateau(trainer(w), (float)NAN, false);
    }
    MISTAKE("a function of whole numbers, whose rate is always 0", "lr_fn|rate|0") {
        w->td.schedule = GTR_CUSTOM_SCHEDULE; w->td.lr_fn = by_integers;
        loud(w);
    }
    MISTAKE("a function of the rate that sets the rate", "gtr_trainer_lr|lr_fn") {
        w->td.schedule = GTR_CUSTOM_SCHEDULE; w->td.lr_fn = sets_rate; w->td.lr_user = w;
        fit(w);
    }
    MISTAKE("a function of the rate that steps", "gtr_step|lr_fn") {
        w->td.schedule = GTR_CUSTOM_SCHEDULE; w->td.lr_fn = steps_once; w->td.lr_user = w;
        stepped(w);
    }
    MISTAKE("gtr_trainer_lr of infinity", "gtr_trainer_lr|inf") { gtr_trainer_lr(trainer(w), (float)INFINITY); }
}
static void groups(void)
{
    static const gtr_group below = { "fc1.*", 0, -0.1f, false }, nan_scale = { "fc1.*", (float)NAN, 0, false },
        statistics = { "bn.running_*", 0, 0, true },
        no_effect = { "*.bias", 0, 0, false }, list = { "fc1.*, fc2.*", 0.1f, 0, false };
    MISTAKE("a group's decay below 0", "group 0|weight_decay|-0.1") { grouped(w, &below, 1); }
    MISTAKE("a group's rate of NaN", "group 0|lr_scale|nan") { grouped(w, &nan_scale, 1); }
    MISTAKE("running statistics frozen by a group", "group 0|bn.running_|gtr_batch_norm_desc") {
        logged(w);
        normed(w);
        grouped(w, &statistics, 1);
    }
    MISTAKE("biases without decay by a 0, which is the trainer's", "group 0|*.bias|weight_decay|GTR_ZERO") {
        w->td.optimizer = GTR_ADAMW; w->td.weight_decay = 0.1f;
        logged(w);
        grouped(w, &no_effect, 1);
        loud(w);
    }
    MISTAKE("two patterns in one group", "fc1.*, fc2.*|fits no parameter|,") { grouped(w, &list, 1); }
    MISTAKE("n_groups below 0", "-1 groups") { grouped(w, &below, -1); }
}

/* Steps by hand. */
static void steps(void)
{
    MISTAKE("an error that is cleared, and its NULL used all the same", "cross_entropy|NULL") {
        w->logits = gtr_linear(hidden(w), "fc2", 0);
        gtr_error_clear(w->ctx);
        w->t = gtr_trainer_create(gtr_cross_entropy(w->logits, labels(w)), w->td);
    }
    MISTAKE("a second trainer that has none of the first one's data", "gtr_step|\"x\"|gtr_trainer_data") {
        gtr_trainer_data(trainer(w), samples(w), 8, true, false);
        gtr_step(w->t);
        w->t = gtr_trainer_create(w->loss, w->td);
        gtr_step(w->t);
    }
    MISTAKE("a data set that is destroyed, and fed all the same", "gtr_step|destroyed|gtr_trainer_data") {
        gtr_trainer_data(trainer(w), samples(w), 8, true, false);
        gtr_step(w->t);
        gtr_dataset_destroy(w->data);
        gtr_step(w->t);
    }
    MISTAKE("a fit's data set that is destroyed before steps by hand", "gtr_step|\"x\"|gtr_trainer_data") {
        fit(w);
        gtr_dataset_destroy(w->data);
        gtr_step(w->t);
    }
    MISTAKE("a batch of 0 rows fed", "gtr_trainer_data|batch of 0") {
        gtr_trainer_data(trainer(w), samples(w), 0, true, false);
    }
    MISTAKE("a batch of more rows than are fed, without the tail", "gtr_trainer_data|batch of 128|24") {
        gtr_trainer_data(trainer(w), samples(w), 128, true, true);
    }
    MISTAKE("a step made ready for a batch of 0", "gtr_trainer_prepare|batch of 0") {
        set_inputs(w);
        gtr_trainer_prepare(trainer(w), 0);
    }
    MISTAKE("a weight set to NaN", "fc1.weight|not finite") {
        set_inputs(w);
        trainer(w);
        w->value[3] = (gtr_float)NAN;
        gtr_set(named(w, "fc1.weight"), w->value, 128);
        gtr_step(w->t);
        gtr_wait(w->ctx);
    }
    MISTAKE("averages exchanged before the first update", "gtr_average_swap|update") {
        w->td.ema = 0.9f;
        gtr_average_swap(trainer(w));
    }
    MISTAKE("a checkpoint while averages are exchanged", "gtr_checkpoint_save|gtr_average_swap") {
        w->td.ema = 0.5f;
        stepped(w);
        gtr_average_swap(w->t);
        gtr_checkpoint_save(w->t, path_of("swapped.checkpoint"));
    }
    MISTAKE("a fit while averages are exchanged", "gtr_fit|gtr_average_swap") {
        w->td.ema = 0.5f;
        stepped(w);
        gtr_average_swap(w->t);
        fit(w);
    }
    MISTAKE("a trace between gtr_backward and gtr_update", "gtr_trace|gtr_update") {
        set_inputs(w);
        gtr_backward(trainer(w));
        gtr_trace(w->t);
    }
    MISTAKE("a profile between gtr_backward and gtr_update", "gtr_profile|gtr_update") {
        set_inputs(w);
        gtr_backward(trainer(w));
        gtr_profile(w->t, false);
    }
    MISTAKE("some milliseconds between gtr_backward and gtr_update", "gtr_train_for|gtr_update") {
        set_inputs(w);
        gtr_backward(trainer(w));
        gtr_train_for(w->t, 1);
    }
    MISTAKE("no tensor for a summary", "gtr_summary_text|NULL") { scores(w); gtr_summary_text(named(w, "fc3")); }
}
static void gradients(void)
{
    static const gtr_group lower = { "fc1.*", 0, 0, true };
    MISTAKE("a gradient before any step", "gradient|fc1.weight|gtr_backward") {
        trainer(w);
        gtr_gradient_get(w->t, named(w, "fc1.weight"), w->value, 128);
    }
    MISTAKE("a frozen layer's gradient", "gradient|fc1.weight|frozen") {
        grouped(w, &lower, 1);
        stepped(w);
        gtr_gradient_get(w->t, named(w, "fc1.weight"), w->value, 128);
    }
    MISTAKE("a gradient of a layer that the loss has not", "gradient|fc9.weight|loss") {
        gtr_linear(hidden(w), "fc9", 4);
        stepped(w);
        gtr_gradient_get(w->t, named(w, "fc9.weight"), w->value, 128);
    }
    MISTAKE("a gradient by a name that is wrong", "gradient|NULL") {
        stepped(w);
        gtr_gradient_get(w->t, named(w, "fc1.wieght"), w->value, 128);
    }
    MISTAKE("a gradient to nowhere", "gradient|NULL") {
        stepped(w);
        gtr_gradient_get(w->t, named(w, "fc1.weight"), NULL, 128);
    }
    MISTAKE("a gradient changed behind gtr_step, which nothing reads", "gtr_gradient_set|gtr_backward") {
        stepped(w);
        gtr_gradient_set(w->t, named(w, "fc1.weight"), w->value, 128);
    }
    MISTAKE("a gradient set to NaN", "gradient|set from outside|not finite") {
        set_inputs(w);
        gtr_backward(trainer(w));
        w->value[3] = (gtr_float)NAN;
        gtr_gradient_set(w->t, named(w, "fc1.weight"), w->value, 128);
        gtr_update(w->t);
        gtr_wait(w->ctx);
    }
    MISTAKE("a state by a number that none has", "state|fc1.weight|7") {
        w->td.optimizer = GTR_ADAM;
        stepped(w);
        gtr_state_get(w->t, named(w, "fc1.weight"), 7, w->value, 128);
    }
    MISTAKE("a state numbered -1, the last", "state|fc1.weight|-1") {
        w->td.optimizer = GTR_ADAM;
        stepped(w);
        gtr_state_get(w->t, named(w, "fc1.weight"), -1, w->value, 128);
    }
    MISTAKE("averages asked for without .ema", "state|fc1.weight|ema") {
        w->td.optimizer = GTR_ADAM;
        stepped(w);
        gtr_state_get(w->t, named(w, "fc1.weight"), 2, w->value, 128);
    }
    MISTAKE("a frozen layer's momentum", "state|fc1.weight|frozen") {
        w->td.momentum = 0.9f;
        grouped(w, &lower, 1);
        gtr_state_get(w->t, named(w, "fc1.weight"), 0, w->value, 128);
    }
    MISTAKE("half of a state", "state|fc1.weight|64|128") {
        w->td.momentum = 0.9f;
        trainer(w);
        gtr_state_set(w->t, named(w, "fc1.weight"), 0, w->value, 64);
    }
    MISTAKE("Adam's mean squares below 0", "fc1.weight|below 0") {
        w->td.optimizer = GTR_ADAM;
        trainer(w);
        for (int i = 0; i < 32; i++) w->value[i] = -1;
        gtr_state_set(w->t, named(w, "fc1.weight"), 1, w->value, 128);
        for (int i = 0; i < 3; i++) stepped(w);
        gtr_wait(w->ctx);
    }
    MISTAKE("a momentum of NaN set by hand", "fc1.weight|nan") {
        w->td.momentum = 0.9f;
        trainer(w);
        w->value[3] = (gtr_float)NAN;
        gtr_state_set(w->t, named(w, "fc1.weight"), 0, w->value, 128);
        for (int i = 0; i < 3; i++) stepped(w);
        gtr_wait(w->ctx);
    }
}
static void two_networks(world *w)
{
    gtr_scope_begin(context(w), "online");
    gtr_linear(input(w), "fc", 3);
    gtr_scope_end(w->ctx);
    gtr_scope_begin(w->ctx, "target");
    gtr_linear(w->x, "fc", 3);
    gtr_scope_end(w->ctx);
}
static void blends(void)
{
    MISTAKE("a share of 1.5 of the online network", "gtr_parameters_blend|tau|1.5") {
        two_networks(w);
        gtr_parameters_blend(w->ctx, "target.", "online.", 1.5f);
    }
    MISTAKE("a share of NaN", "gtr_parameters_blend|tau|nan") {
        two_networks(w);
        gtr_parameters_blend(w->ctx, "target.", "online.", (float)NAN);
    }
    MISTAKE("a target network that is not there", "gtr_parameters_blend|begins with target.") {
        scores(w);
        gtr_parameters_blend(w->ctx, "target.", "fc1.", 0.5f);
    }
    MISTAKE("an online network that is not there", "gtr_parameters_blend|online.weight") {
        scores(w);
        gtr_parameters_blend(w->ctx, "fc1.", "online.", 0.5f);
    }
    MISTAKE("a target network of another width", "gtr_parameters_blend|fc2.weight|(3, 8)|fc1.weight|(8, 4)") {
        scores(w);
        gtr_parameters_blend(w->ctx, "fc2.", "fc1.", 0.5f);
    }
    RIGHT("a network blended with itself") {
        scores(w);
        gtr_parameters_blend(w->ctx, "fc1.", "fc1.", 0.5f); /* target and online of one name */
    }
    RIGHT("parameters copied from where they are") {
        scores(w);
        gtr_parameters_copy(w->ctx, w->ctx);
    }
    MISTAKE("a blend without a name", "gtr_parameters_blend|NULL") {
        scores(w);
        gtr_parameters_blend(w->ctx, NULL, "fc1.", 0.5f);
    }
}

/* States that are carried. */
static gtr_tensor *carried(world *w)
{
    gtr_tensor *was = gtr_state(context(w), "was", gtr_shape2(GTR_BATCH, 8)), *both[2];
    both[0] = input(w); both[1] = was;
    w->h = gtr_tanh(gtr_linear(gtr_concat(both, 2, 1), "fc1", 8));
    return was;
}
static void states(void)
{
    MISTAKE("a state that nothing says the next of", "\"was\"|gtr_state_next") { carried(w); logged(w); loud(w); }
    MISTAKE("a state's next of another shape", "gtr_state_next|was|(N, 3)|(N, 8)") {
        gtr_tensor *was = carried(w);
        gtr_state_next(was, scores(w));
    }
    MISTAKE("a state's next said twice", "gtr_state_next|was") {
        gtr_tensor *was = carried(w);
        gtr_state_next(was, w->h);
        gtr_state_next(was, w->h);
    }
    MISTAKE("an input for a state", "gtr_state_next|\"x\"|gtr_state") { gtr_state_next(input(w), hidden(w)); }
    MISTAKE("a state's next that is NULL", "gtr_state_next|was|NULL") { gtr_state_next(carried(w), NULL); }
    MISTAKE("a state's next said behind the trainer", "gtr_state_next|was|trainer") {
        gtr_tensor *was = carried(w);
        trainer(w);
        gtr_state_next(was, w->h);
    }
    MISTAKE("a state of one batch's size", "was|(8, 4)|GTR_BATCH") {
        gtr_state(context(w), "was", gtr_shape2(8, 4));
    }
    MISTAKE("a state whose rows are shuffled", ".streams|.no_shuffle") {
        gtr_tensor *was = carried(w);
        gtr_state_next(was, w->h);
        loud(w);
    }
    MISTAKE("a state and a tail batch", "was|drop_last") {
        gtr_tensor *was = carried(w);
        gtr_state_next(was, w->h);
        w->fd.batch = 9; w->fd.no_shuffle = true;
        loud(w);
    }
    MISTAKE("a state set for another batch than the inputs", "\"was\"|3 rows|24") {
        gtr_tensor *was = carried(w);
        gtr_state_next(was, w->h);
        trainer(w);
        gtr_set(was, w->value, 3 * 8 * sizeof *w->value);
        stepped(w);
    }
    MISTAKE("a predictor of a state that nothing says the next of", "\"was\"|gtr_state_next") {
        carried(w);
        w->p = gtr_predictor_create(scores(w), 8);
    }
    MISTAKE("a state that goes its own way, which no loss reads", "was") {
        gtr_tensor *was = gtr_state(context(w), "was", gtr_shape2(GTR_BATCH, 8));
        gtr_state_next(was, gtr_add(was, hidden(w)));
        logged(w);
        loud(w);
    }
}

/* Fits. */
static void fits(void)
{
    MISTAKE("early stopping by the rows that are learned", "validation|the training set|patience") {
        w->fd.validation = samples(w); w->fd.patience = 2; w->fd.epochs = 4;
        loud(w);
    }
    MISTAKE("a patience of more epochs than there are", "patience|10|3 epochs") {
        w->held = gtr_dataset_split(samples(w), 4);
        w->fd.validation = w->held; w->fd.patience = 10; w->fd.epochs = 3;
        loud(w);
    }
    MISTAKE("early stopping by the least accuracy", "monitor_least|accuracy") {
        w->fd.metric = gtr_accuracy(scores(w), labels(w));
        w->fd.monitor = GTR_METRIC_TENSOR; w->fd.monitor_least = true; w->fd.patience = 2; w->fd.epochs = 4;
        loud(w);
    }
    MISTAKE("the least F1", "monitor_least|GTR_METRIC_TENSOR") {
        w->held = gtr_dataset_split(samples(w), 4);
        w->fd.validation = w->held; w->fd.metrics.scores = scores(w); w->fd.metrics.labels = labels(w);
        w->fd.monitor = GTR_METRIC_F1_MACRO; w->fd.monitor_least = true; w->fd.patience = 2; w->fd.epochs = 4;
        fit(w);
    }
    MISTAKE("an accuracy that is to grow by one percent, 1", "min_delta|1|accuracy") {
        w->held = gtr_dataset_split(samples(w), 4);
        w->fd.validation = w->held; w->fd.metrics.scores = scores(w); w->fd.metrics.labels = labels(w);
        w->fd.monitor = GTR_METRIC_ACCURACY; w->fd.patience = 2; w->fd.epochs = 4; w->fd.min_delta = 1;
        loud(w);
    }
    MISTAKE("min_delta below 0", "min_delta|-0.1") { w->fd.patience = 2; w->fd.min_delta = -0.1f; fit(w); }
    MISTAKE("a metric of whole numbers", "metric|to_int|float32") {
        w->fd.metric = gtr_to_int(gtr_accuracy(scores(w), labels(w)));
        fit(w);
    }
    MISTAKE("callback_every below 0", "callback_every|-1") {
        w->fd.callback = does_all; w->fd.callback_every = -1;
        fit(w);
    }
    MISTAKE("history_size below 0", "history_size|-1") {
        gtr_report r[2];
        w->fd.history = r; w->fd.history_size = -1;
        fit(w);
    }
    MISTAKE("seconds of NaN", "seconds|nan") { w->fd.seconds = (double)NAN; fit(w); }
    MISTAKE("keep_last below 0", "keep_last|-1") {
        w->fd.checkpoint = path_of("fit.checkpoint"); w->fd.keep_last = -1;
        fit(w);
    }
    MISTAKE("checkpoint_seconds of NaN", "checkpoint_seconds|nan") {
        w->fd.checkpoint = path_of("fit.checkpoint"); w->fd.checkpoint_seconds = (double)NAN;
        fit(w);
    }
    MISTAKE("the table for the checkpoint", "table.csv|checkpoint") {
        w->fd.checkpoint = text_file("table.csv", "1,2,0\n3,4,1\n");
        fit(w);
    }
    MISTAKE("the table for the log", "table.csv|log") {
        w->fd.log_file = text_file("table.csv", "1,2,0\n3,4,1\n");
        fit(w);
    }
    MISTAKE("a path without an ending for the log", "log_file|.csv") { w->fd.log_file = path_of("log"); fit(w); }
    MISTAKE("a set whose rows all go to validation", "rows") {
        w->held = gtr_dataset_split(samples(w), 1);
        w->fd.validation = w->held;
        fit(w);
    }
}
static void evaluations(void)
{
    float l, v;
    RIGHT("an evaluation's parts that are not wanted, and a value without its metric, which is NaN") {
        gtr_evaluate(trainer(w), samples(w), 8, NULL, &l, &v);
        if (v == v) note(w, "a value");
        w->fd.metric = gtr_accuracy(scores(w), labels(w));
        gtr_evaluate(w->t, w->data, 8, w->fd.metric, &l, NULL);
        gtr_evaluate(w->t, w->data, 8, NULL, NULL, NULL);
        w->md.scores = scores(w); w->md.labels = labels(w);
        gtr_evaluate_metrics(w->t, w->data, w->md, NULL);
    }
    MISTAKE("an evaluation of batches of -1 rows", "gtr_evaluate|batch of -1") {
        gtr_evaluate(trainer(w), samples(w), -1, NULL, &l, NULL);
    }
    MISTAKE("an evaluation's metric of each row", "gtr_evaluate|metric|fc2") {
        scores(w);
        gtr_evaluate(trainer(w), samples(w), 8, w->logits, &l, &v);
    }
    MISTAKE("metrics of batches of -1 rows", "batch|-1") {
        w->md.scores = scores(w); w->md.labels = labels(w); w->md.batch = -1;
        gtr_evaluate_metrics(trainer(w), samples(w), w->md, &w->out);
    }
    MISTAKE("an AUC of at most -2 scores", "auc_most|-2") {
        w->md.scores = scores(w); w->md.labels = labels(w); w->md.auc_most = -2;
        gtr_evaluate_metrics(trainer(w), samples(w), w->md, &w->out);
    }
    MISTAKE("metrics that ignore both 0 and 2", "ignore_zero|ignore_index") {
        w->md.scores = scores(w); w->md.labels = labels(w); w->md.ignore_index = 2; w->md.ignore_zero = true;
        gtr_evaluate_metrics(trainer(w), samples(w), w->md, &w->out);
    }
    MISTAKE("labels ignored that are targets", "ignore_index|classes") {
        regression(w);
        w->md.scores = w->logits; w->md.labels = w->y; w->md.ignore_index = -100;
        gtr_evaluate_metrics(trainer(w), samples(w), w->md, &w->out);
    }
    MISTAKE("probabilities of targets", "probabilities|targets") {
        regression(w);
        w->md.scores = w->logits; w->md.labels = w->y; w->md.probabilities = true;
        gtr_evaluate_metrics(trainer(w), samples(w), w->md, &w->out);
    }
    MISTAKE("the best -1 of the classes", "top_k|-1") {
        w->md.scores = scores(w); w->md.labels = labels(w); w->md.top_k = -1;
        gtr_evaluate_metrics(trainer(w), samples(w), w->md, &w->out);
    }
    MISTAKE(".binary of three classes", "binary|as many labels as scores") {
        w->md.scores = scores(w); w->md.labels = labels(w); w->md.binary = true;
        gtr_evaluate_metrics(trainer(w), samples(w), w->md, &w->out);
    }
    MISTAKE("an evaluation by running statistics that no step has made", "bn|running") {
        normed(w);
        logged(w);
        gtr_evaluate(trainer(w), samples(w), 8, NULL, &l, NULL);
    }
}

/* Calls in callbacks, in functions of a network, in other threads. */
static bool trains(const gtr_progress *p) { return gtr_train_for(p->trainer, 1) == GTR_OK; }
static bool plateaus(const gtr_progress *p) { return gtr_trainer_plateau(p->trainer, 1, false) == GTR_OK; }
static bool goes_back(const gtr_progress *p)
{
    return gtr_checkpoint_load(p->trainer, FOLDER "/back.checkpoint") == GTR_OK;
}
static bool destroys_data(const gtr_progress *p) { gtr_dataset_destroy(((world *)p->user)->data); return true; }
static bool destroys_held(const gtr_progress *p) { gtr_dataset_destroy(((world *)p->user)->held); return true; }
static bool appends(const gtr_progress *p)
{
    const void *more[2] = { features, label };
    return gtr_dataset_append(((world *)p->user)->data, more, 2) == GTR_OK;
}
static bool releases(const gtr_progress *p) { gtr_release(((world *)p->user)->ctx, 0); return true; }
static void *saves_there(void *user) { gtr_save(((world *)user)->ctx, path_of("there.safetensors")); return NULL; }
static void *steps_there(void *user) { gtr_step(((world *)user)->t); return NULL; }
static void *predicts_there(void *user)
{
    gtr_float out[ROWS * 4];
    gtr_predict(((world *)user)->p, features, ROWS, out);
    return NULL;
}
static void *builds_there(void *user) { gtr_relu(((world *)user)->logits); return NULL; }
static void *sets_there(void *user) { gtr_set(((world *)user)->x, features, sizeof features); return NULL; }
static void *creates_there(void *user)
{
    world *w = (world *)user;
    gtr_trainer_create(w->loss, w->td);
    return NULL;
}
static void *makes_predictor_there(void *user)
{
    world *w = (world *)user;
    if (!w->p) w->p = gtr_predictor_create(w->logits, 8);
    return NULL;
}
static void *makes_parameter_there(void *user)
{
    world *w = (world *)user;
    w->init.kind = GTR_INIT_ZERO;
    if (!gtr_parameter_find(w->ctx, "p")) gtr_parameter(w->ctx, "p", gtr_shape1(4), w->init);
    return NULL;
}
static void *destroys_there(void *user) { gtr_destroy(((world *)user)->ctx); return NULL; }
static bool elsewhere(world *w, void *(*call)(void *))
{
    pthread_t other;
    if (pthread_create(&other, NULL, call, w)) return false;
    pthread_join(other, NULL);
    return true;
}
static bool saves_elsewhere(const gtr_progress *p) { return elsewhere((world *)p->user, saves_there); }
static bool steps_elsewhere(const gtr_progress *p) { return elsewhere((world *)p->user, steps_there); }
static bool builds_elsewhere(const gtr_progress *p) { return elsewhere((world *)p->user, builds_there); }
static bool sets_elsewhere(const gtr_progress *p) { return elsewhere((world *)p->user, sets_there); }
static bool creates_elsewhere(const gtr_progress *p) { return elsewhere((world *)p->user, creates_there); }
static bool makes_predictor_elsewhere(const gtr_progress *p)
{
    return elsewhere((world *)p->user, makes_predictor_there);
}
static bool makes_parameter_elsewhere(const gtr_progress *p)
{
    return elsewhere((world *)p->user, makes_parameter_there);
}
static bool destroys_all(const gtr_progress *p) { gtr_destroy(((world *)p->user)->ctx); return true; }
static bool destroys_elsewhere(const gtr_progress *p) { return elsewhere((world *)p->user, destroys_there); }
static void called_back(world *w, bool (*callback)(const gtr_progress *))
{
    w->fd.callback = callback; w->fd.callback_user = w;
    fit(w);
}
static gtr_result predicts_inside(const gtr_custom_call *c)
{
    static int depth; /* not without an end, where nobody refuses it */
    gtr_float out[ROWS * 4];
    memcpy(c->out, c->in[0], sizeof(gtr_float) * (size_t)(c->out_shape.dim[0] * c->out_shape.dim[1]));
    return depth++ ? GTR_OK : gtr_predict(((world *)c->user)->p, features, 1, out);
}
static gtr_result predicts_beside(const gtr_custom_call *c)
{
    memcpy(c->out, c->in[0], sizeof(gtr_float) * (size_t)(c->out_shape.dim[0] * c->out_shape.dim[1]));
    return elsewhere((world *)c->user, predicts_there) ? GTR_OK : GTR_ERR_USER;
}
static gtr_result sets_inside(const gtr_custom_call *c)
{
    memcpy(c->out, c->in[0], sizeof(gtr_float) * (size_t)(c->out_shape.dim[0] * c->out_shape.dim[1]));
    return gtr_set(((world *)c->user)->x, features, sizeof features);
}
static gtr_result asks_inside(const gtr_custom_call *c)
{
    memcpy(c->out, c->in[0], sizeof(gtr_float) * (size_t)(c->out_shape.dim[0] * c->out_shape.dim[1]));
    return gtr_item(((world *)c->user)->h) < 1000 ? GTR_OK : GTR_ERR_USER;
}
static gtr_result builds_inside(const gtr_custom_call *c)
{
    memcpy(c->out, c->in[0], sizeof(gtr_float) * (size_t)(c->out_shape.dim[0] * c->out_shape.dim[1]));
    gtr_relu(((world *)c->user)->x);
    return GTR_OK;
}
static gtr_result steps_inside(const gtr_custom_call *c)
{
    static int depth;
    memcpy(c->out, c->in[0], sizeof(gtr_float) * (size_t)(c->out_shape.dim[0] * c->out_shape.dim[1]));
    return depth++ ? GTR_OK : gtr_step(((world *)c->user)->t);
}
static gtr_tensor *own_op(world *w, gtr_result (*forward)(const gtr_custom_call *))
{
    w->custom.name = "mine"; w->custom.n_in = 1; w->custom.in[0] = input(w); w->custom.forward = forward;
    w->custom.user = w;
    return gtr_custom(w->ctx, w->custom);
}
static void steps_in_log(gtr_level level, const char *text, void *user)
{
    world *w = (world *)user;
    static int depth;
    (void)level; (void)text;
    if (depth++ < 1) gtr_step(w->t);
    depth--;
}
static void in_callbacks(void)
{
    MISTAKE("some milliseconds of training in a fit's callback", "gtr_train_for|callback") { called_back(w, trains); }
    MISTAKE("a plateau's value in a fit's callback", "gtr_trainer_plateau|gtr_fit") {
        w->td.schedule = GTR_PLATEAU;
        called_back(w, plateaus);
    }
    MISTAKE("a checkpoint loaded in a fit's callback", "gtr_checkpoint_load|callback") {
        gtr_checkpoint_save(trainer(w), FOLDER "/back.checkpoint");
        called_back(w, goes_back);
    }
    MISTAKE("the training set destroyed in a callback", "gtr_dataset_destroy|callback") {
        called_back(w, destroys_data);
    }
    MISTAKE("the validation set destroyed in a callback", "gtr_dataset_destroy|callback") {
        w->held = gtr_dataset_split(samples(w), 4);
        w->fd.validation = w->held; w->fd.epochs = 2;
        called_back(w, destroys_held);
    }
    MISTAKE("rows put behind the training set's in a callback", "gtr_dataset_append|callback") {
        w->fd.epochs = 2;
        called_back(w, appends);
    }
    MISTAKE("all of the graph let go in a callback", "gtr_release") { called_back(w, releases); }
    MISTAKE("a model saved by a thread while another is in a fit", "gtr_save|thread") {
        called_back(w, saves_elsewhere);
    }
    MISTAKE("a step by a thread while another is in a fit", "gtr_step|thread") { called_back(w, steps_elsewhere); }
    MISTAKE("a layer built by a thread while another is in a fit", "relu|thread") {
        called_back(w, builds_elsewhere);
    }
    MISTAKE("an input set by a thread while another is in a fit", "gtr_set|thread") {
        called_back(w, sets_elsewhere);
    }
    MISTAKE("a trainer made by a thread while another is in a fit", "trainer|thread") {
        called_back(w, creates_elsewhere);
    }
    MISTAKE("a predictor made by a thread while another is in a fit", "predictor|thread") {
        called_back(w, makes_predictor_elsewhere);
    }
    MISTAKE("a parameter made by a thread while another is in a fit", "gtr_parameter|thread") {
        called_back(w, makes_parameter_elsewhere);
    }
    MISTAKE("a context destroyed in its fit's callback", "gtr_destroy|callback") { called_back(w, destroys_all); }
    MISTAKE("a context destroyed by a thread while another is in a fit", "gtr_destroy|another thread|gtr_fit") {
        called_back(w, destroys_elsewhere);
    }
    MISTAKE("a log that steps", "gtr_step|log") {
        w->cd.log = steps_in_log; w->cd.log_user = w;
        w->logits = gtr_linear(gtr_stop_gradient(hidden(w)), "fc2", 3);
        for (int i = 0; i < 2; i++) stepped(w);
    }
    MISTAKE("an op of one's own that sets an input", "gtr_set|callback") {
        gtr_tensor *t = own_op(w, sets_inside);
        set_inputs(w);
        gtr_eval(&t, 1);
    }
    MISTAKE("an op of one's own that asks for a number of the graph", "gtr_item|callback") {
        gtr_tensor *t = own_op(w, asks_inside);
        w->h = gtr_mean(w->x, NULL, 0, false);
        set_inputs(w);
        gtr_eval(&t, 1);
    }
    MISTAKE("an op of one's own that builds", "relu|callback") {
        gtr_tensor *t = own_op(w, builds_inside);
        set_inputs(w);
        gtr_eval(&t, 1);
    }
    MISTAKE("an op of one's own that steps", "gtr_step|callback") {
        w->h = gtr_linear(own_op(w, steps_inside), "fc1", 8);
        stepped(w);
        gtr_wait(w->ctx);
    }
    MISTAKE("an op of one's own that predicts by itself", "gtr_predict") {
        alarm(20);
        w->p = gtr_predictor_create(own_op(w, predicts_inside), ROWS);
        predicts_there(w);
        alarm(0);
    }
}

/* Checkpoints and models. */
static const char *const kept = FOLDER "/kept.checkpoint";
static void resumed(world *w)
{
    w->fd.checkpoint = kept; w->fd.resume = true;
    if (!w->fd.epochs) w->fd.epochs = 3;
    fit(w);
}
static void checkpoints(void)
{
    RIGHT("a fit of two epochs with a checkpoint") { w->fd.checkpoint = kept; w->fd.epochs = 2; fit(w); }
    MISTAKE("epochs of this call, not of all, on resume, so that nothing is done", "resume|step 6 of 6|.epochs") {
        w->fd.epochs = 2; w->fd.silent = false;
        resumed(w);
    }
    MISTAKE("resume in the rows' order, which were shuffled", "kept.checkpoint|shuffle 1") {
        w->fd.no_shuffle = true;
        resumed(w);
    }
    MISTAKE("resume without the tail batch", "kept.checkpoint|drop_last") { w->fd.drop_last = true; resumed(w); }
    MISTAKE("resume with as many other rows", "kept.checkpoint|rows") {
        for (int i = 0; i < ROWS * 4; i++) w->value[i] = 1 - features[i];
        column(w, 0, w->value, GTR_F32, gtr_shape1(4));
        resumed(w);
    }
    MISTAKE("resume with averages that were not there", "kept.checkpoint|ema") { w->td.ema = 0.5f; resumed(w); }
    MISTAKE("resume with a momentum that was not there", "kept.checkpoint|momentum") {
        w->td.momentum = 0.9f;
        resumed(w);
    }
    MISTAKE("a checkpoint of which a byte is another", "flipped.checkpoint|CRC") {
        const size_t n = gtr_checkpoint_bytes(trainer(w));
        char *all = (char *)malloc(n);
        gtr_checkpoint_get(w->t, all, n);
        all[n / 2] ^= 1;
        gtr_checkpoint_load(w->t, file_of("flipped.checkpoint", all, n));
        free(all);
    }
    MISTAKE("a checkpoint's bytes without the last", "gtr_checkpoint_set|bytes") {
        const size_t n = gtr_checkpoint_bytes(trainer(w));
        char *all = (char *)malloc(n);
        gtr_checkpoint_get(w->t, all, n);
        gtr_checkpoint_set(w->t, all, n - 1);
        free(all);
    }
    MISTAKE("a checkpoint without a path", "gtr_checkpoint_save|NULL") { gtr_checkpoint_save(trainer(w), NULL); }
    MISTAKE("a checkpoint's bytes of NULL", "gtr_checkpoint_set|NULL") { gtr_checkpoint_set(trainer(w), NULL, 100); }
    MISTAKE("a checkpoint loaded while averages are exchanged", "gtr_checkpoint_load|gtr_average_swap") {
        w->td.ema = 0.5f;
        stepped(w);
        gtr_checkpoint_save(w->t, path_of("ema.checkpoint"));
        gtr_average_swap(w->t);
        gtr_checkpoint_load(w->t, path_of("ema.checkpoint"));
    }
    MISTAKE("a model saved over the checkpoint that is to be gone on from", "gtr_save|over.checkpoint|checkpoint") {
        w->fd.checkpoint = FOLDER "/over.checkpoint";
        fit(w);
        gtr_save(w->ctx, FOLDER "/over.checkpoint");
    }
    MISTAKE("a model saved over its table", "gtr_save|table.csv") {
        csv(w, "1,2,0\n3,4,1\n5,6,0\n");
        scores(w);
        gtr_save(w->ctx, FOLDER "/table.csv");
    }
}
static void models(void)
{
    gtr_save_desc s;
    gtr_load_desc l;
    memset(&s, 0, sizeof s);
    memset(&l, 0, sizeof l);
    RIGHT("a model in a file") { fit(w); gtr_save(w->ctx, FOLDER "/model.safetensors"); }
    MISTAKE("a model saved in doubles", ".dtype|float64|GTR_F32") {
        s.dtype = GTR_F64;
        scores(w);
        gtr_save_ex(w->ctx, path_of("doubles.safetensors"), s);
    }
    s.dtype = GTR_F32;
    MISTAKE("a part saved that is not there", "gtr_save|fc7.*") {
        s.names = "fc7.*";
        scores(w);
        gtr_save_ex(w->ctx, path_of("part.safetensors"), s);
    }
    MISTAKE("a part of a model by a layer's name", "gtr_save|\"fc1\"|fc1.weight") {
        s.names = "fc1";
        scores(w);
        gtr_save_ex(w->ctx, path_of("part.safetensors"), s);
    }
    s.names = NULL;
    MISTAKE("a weight beyond 16 bits", "half.safetensors|fc1.weight|1e+06|F16") {
        s.dtype = GTR_F16;
        scores(w);
        w->value[3] = 1e6f;
        gtr_set(named(w, "fc1.weight"), w->value, 128);
        gtr_save_ex(w->ctx, path_of("half.safetensors"), s);
    }
    s.dtype = GTR_F32;
    MISTAKE("room for 10 bytes of a model", "gtr_save_get|10") {
        scores(w);
        gtr_save_get(w->ctx, s, w->value, 10);
    }
    MISTAKE("a path and bytes in memory", "gtr_load|path|.data") {
        scores(w);
        l.data = features; l.bytes = sizeof features;
        gtr_load_ex(w->ctx, FOLDER "/model.safetensors", l);
    }
    MISTAKE("bytes in memory without their number", "gtr_load|0 bytes") {
        scores(w);
        l.bytes = 0;
        gtr_load_ex(w->ctx, NULL, l);
    }
    MISTAKE("a number of bytes without bytes", "gtr_load|.bytes|.data") {
        scores(w);
        l.data = NULL; l.bytes = 100;
        gtr_load_ex(w->ctx, FOLDER "/model.safetensors", l);
    }
    l.bytes = 0;
    MISTAKE("names parted by semicolons", "gtr_load|fc1.*; fc2.*|comma") {
        scores(w);
        l.names = "fc1.*; fc2.*";
        gtr_load_ex(w->ctx, FOLDER "/model.safetensors", l);
    }
    MISTAKE("a part that the file has not", "lower.safetensors|fc2.weight") {
        fit(w);
        s.names = "fc1.*"; l.names = "fc2.*";
        gtr_save_ex(w->ctx, FOLDER "/lower.safetensors", s);
        gtr_load_ex(w->ctx, FOLDER "/lower.safetensors", l);
    }
    l.names = s.names = NULL;
    MISTAKE("a prefix without its point", "model.safetensors|netfc1.bias|net.fc1.weight") {
        gtr_scope_begin(context(w), "net");
        scores(w);
        gtr_scope_end(w->ctx);
        l.prefix = "net";
        gtr_load_ex(w->ctx, FOLDER "/model.safetensors", l);
    }
    l.prefix = NULL;
    MISTAKE("a partial load of which nothing fits", "model.safetensors|none of its 4|net.fc1.weight") {
        gtr_scope_begin(context(w), "net");
        scores(w);
        gtr_scope_end(w->ctx);
        l.partial = true;
        gtr_load_ex(w->ctx, FOLDER "/model.safetensors", l);
    }
    l.partial = false;
    MISTAKE("what is stripped, without its point", "module.safetensors|becomes \".fc1") {
        gtr_scope_begin(context(w), "module");
        scores(w);
        gtr_scope_end(w->ctx);
        gtr_save(w->ctx, FOLDER "/module.safetensors");
        gtr_destroy(w->ctx);
        w->ctx = NULL; w->x = w->h = w->logits = NULL;
        scores(w);
        l.strip = "module";
        gtr_load_ex(w->ctx, FOLDER "/module.safetensors", l);
    }
    l.strip = NULL;
    MISTAKE("a partial load that left out a layer of another width, and no report", "fc1.weight|(16, 4)") {
        logged(w);
        w->h = gtr_relu(gtr_linear(input(w), "fc1", 16));
        w->logits = gtr_linear(w->h, "fc2", 3);
        l.partial = true;
        gtr_load_ex(w->ctx, FOLDER "/model.safetensors", l);
    }
    l.partial = false;
    MISTAKE("an empty pattern of what is saved", "gtr_save|\"\" of .names") {
        s.names = "";
        scores(w);
        gtr_save_ex(w->ctx, path_of("empty.safetensors"), s);
    }
    s.names = NULL;
    MISTAKE("a model of NaN saved", "gtr_save|fc1.weight|nan") {
        logged(w);
        scores(w);
        w->value[3] = (gtr_float)NAN;
        gtr_set(named(w, "fc1.weight"), w->value, 128);
        gtr_save(w->ctx, FOLDER "/nan.safetensors");
    }
    MISTAKE("a model of NaN loaded", "nan.safetensors|fc1.weight|nan") {
        logged(w);
        scores(w);
        gtr_load(w->ctx, FOLDER "/nan.safetensors");
    }
    MISTAKE("a note without a key", "gtr_note_set|key") { gtr_note_set(context(w), "", "mine"); }
    MISTAKE("a note whose key is NULL", "gtr_note_set|key") { gtr_note_set(context(w), NULL, "mine"); }
    MISTAKE("training by a mean that a model would bring", "norm|data set|gtr_load") {
        w->h = gtr_relu(gtr_linear(gtr_standardise(input(w), "norm", NULL, 0), "fc1", 8));
        logged(w);
        loud(w);
    }
}

/* Predictors. */
static gtr_tensor *window(world *w)
{
    if (!w->x) w->x = gtr_input(context(w), "x", GTR_F32, gtr_shape3(GTR_BATCH, 6, 4));
    return w->x;
}
static gtr_predictor *stepwise(world *w, gtr_tensor *out)
{
    w->pd.out[0] = out; w->pd.steps = true;
    return w->p = gtr_predictor_create_ex(w->ctx, w->pd);
}
static void predictors(void)
{
    gtr_float out[ROWS * 8];
    gtr_recurrent_desc r;
    gtr_attention_desc a;
    memset(&r, 0, sizeof r);
    memset(&a, 0, sizeof a);
    RIGHT("a network that was trained on windows, step by step") {
        gtr_tensor *h = gtr_gru(window(w), "gru", 4, r);
        if (!stepwise(w, h)) note(w, "no predictor");
        for (int k = 0; k < 10; k++) gtr_predict_next(w->p, features, 1, out);
    }
    MISTAKE("a next step of a predictor of windows", "gtr_predict_next|.steps") {
        w->p = gtr_predictor_create(gtr_gru(window(w), "gru", 4, r), 1);
        gtr_predict_next(w->p, features, 1, out);
    }
    MISTAKE("windows into a predictor of steps", "gtr_predict|gtr_predict_next") {
        stepwise(w, gtr_gru(window(w), "gru", 4, r));
        gtr_predict(w->p, features, 1, out);
    }
    MISTAKE("a predictor of steps of a network without steps", "steps|fc1|(N, 1)") { stepwise(w, scores(w)); }
    MISTAKE("steps of a mean over all of them", "steps|mean") {
        const int axis = 1;
        stepwise(w, gtr_mean(gtr_gru(window(w), "gru", 4, r), &axis, 1, false));
    }
    MISTAKE("steps of both ways", "steps|bidirectional") {
        r.bidirectional = true;
        stepwise(w, gtr_gru(window(w), "gru", 4, r));
    }
    r.bidirectional = false;
    MISTAKE("steps of an attention to what comes", "steps|.causal") {
        stepwise(w, gtr_multihead_attention(window(w), NULL, "att", 2, a));
    }
    MISTAKE("a step more than a window of attention has", "gtr_predict_next|6|gtr_predictor_reset") {
        a.causal = true;
        stepwise(w, gtr_multihead_attention(window(w), NULL, "att", 2, a));
        for (int k = 0; k < 7; k++) gtr_predict_next(w->p, features, 1, out);
    }
    MISTAKE("a step of more rows than were said", "gtr_predict_next|2 rows|max_rows") {
        stepwise(w, gtr_gru(window(w), "gru", 4, r));
        gtr_predict_next(w->p, features, 2, out);
    }
    MISTAKE("-1 of gtr_sample, of no logits, fed on", "\"y\"|-1|0 to 2") {
        gtr_sample_desc s;
        memset(&s, 0, sizeof s);
        const int32_t id = gtr_sample((const float *)doubles, 0, s);
        w->p = gtr_predictor_create(gtr_embedding(labels(w), "e", 3, 4), 1);
        gtr_predict(w->p, &id, 1, out);
    }
    MISTAKE("a predictor with an input twice", "predictor|\"x\"|twice") {
        w->pd.out[0] = scores(w); w->pd.in[0] = w->pd.in[1] = w->x;
        w->p = gtr_predictor_create_ex(w->ctx, w->pd);
    }
    MISTAKE("a predictor from a layer in the middle", "predictor|relu|input") {
        w->pd.out[0] = scores(w); w->pd.in[0] = w->h;
        w->p = gtr_predictor_create_ex(w->ctx, w->pd);
    }
    MISTAKE("a predictor from its output", "predictor|input") {
        w->pd.out[0] = w->pd.in[0] = scores(w);
        w->p = gtr_predictor_create_ex(w->ctx, w->pd);
    }
    MISTAKE("a prediction of a row with NaN", "gtr_predict|row 5|not finite") {
        memcpy(w->value, features, sizeof features);
        w->value[21] = (gtr_float)NAN;
        w->p = gtr_predictor_create(scores(w), 8);
        gtr_predict(w->p, w->value, ROWS, out);
    }
    MISTAKE("a prediction of all rows of nothing", "gtr_predict_dataset|NULL") {
        void *to[1];
        to[0] = out;
        w->p = gtr_predictor_create(scores(w), 8);
        gtr_predict_dataset(w->p, NULL, to);
    }
    MISTAKE("a prediction of all rows to nowhere", "gtr_predict_dataset|NULL") {
        w->p = gtr_predictor_create(scores(w), 8);
        gtr_predict_dataset(w->p, samples(w), NULL);
    }
    MISTAKE("a prediction of rows of another width", "column 0|(8,)|\"x\"|(N, 4)") {
        void *to[1];
        to[0] = out;
        w->p = gtr_predictor_create(scores(w), 8);
        column(w, 0, wide, GTR_F32, gtr_shape1(8));
        gtr_predict_dataset(w->p, samples(w), to);
    }
    MISTAKE("room for one output of two", "gtr_predict|output 1|NULL") {
        const void *from[1];
        void *to[2] = { NULL, NULL };
        from[0] = features; to[0] = out;
        w->pd.out[0] = scores(w); w->pd.out[1] = w->h;
        w->p = gtr_predictor_create_ex(w->ctx, w->pd);
        gtr_predict_ex(w->p, from, 1, to);
    }
    MISTAKE("nodes let go that a predictor has", "gtr_release|predictor") {
        const int64_t mark = gtr_mark(context(w));
        w->p = gtr_predictor_create(scores(w), 8);
        gtr_release(w->ctx, mark);
    }
    MISTAKE("a thread that predicts while another trains, without a snapshot", "gtr_predict|thread|.snapshot") {
        gtr_tensor *same = own_op(w, predicts_beside);
        w->p = gtr_predictor_create(scores(w), ROWS);
        w->loss = gtr_cross_entropy(gtr_linear(same, "fc3", 3), labels(w));
        fit(w);
    }
    MISTAKE("a prediction by weights that were neither trained nor loaded", "gtr_predict|gtr_load") {
        logged(w);
        w->p = gtr_predictor_create(scores(w), 8);
        gtr_predict(w->p, features, ROWS, out);
    }
}
static void all(void)
{
    mistakes = silent = 0;
    RUN(right_programs);
    RUN(contexts);
    RUN(optimizers);
    RUN(schedules);
    RUN(groups);
    RUN(steps);
    RUN(gradients);
    RUN(blends);
    RUN(states);
    RUN(fits);
    RUN(evaluations);
    RUN(in_callbacks);
    RUN(checkpoints);
    RUN(models);
    RUN(predictors);
}
int main(int argc, char **argv) { return mistakes_main(argc, argv, all, known, 8); }
