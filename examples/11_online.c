/* A sensor's samples arrive one by one: after each, 2 ms of training on windows of what came so far, while a thread
   predicts 8 ahead from snapshots of the weights. The process is killed, and the next goes on from the last checkpoint
   (the argument; build/online.safetensors is replaced). `make online` runs it (POSIX: it forks); by hand:
     cc -O3 -march=native examples/11_online.c -o online -lm -pthread && ./online
     nvcc -O3 -Xcompiler -march=native -DGPUTRAIN_CUDA examples/11_online.c gputrain_cuda.cu
   Done when predictions since the kill are at most a third as far off as the value at hand. */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
enum { SAMPLES = 1200, KILLED = 550, HISTORY = 32, AHEAD = 8, BATCH = 64 };
static float sensor[SAMPLES + AHEAD], predicted[SAMPLES + AHEAD], x[BATCH * HISTORY], y[BATCH];
static int count; static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int arrived(int n) { pthread_mutex_lock(&lock); n = count += n; pthread_mutex_unlock(&lock); return n; }
static void *predict(void *p) {         /* of the newest window, by the newest weights */
    for (int n; (n = arrived(0)) < SAMPLES; poll(NULL, 0, 1)) if (!gtr_predictor_refresh((gtr_predictor *)p))
        gtr_predict((gtr_predictor *)p, sensor + n - HISTORY, 1, predicted + n - 1 + AHEAD);
    return NULL;
}
static int run(const char *path, int first, int killed) {
    static gtr_desc desc; static gtr_trainer_desc how; static gtr_predictor_desc view;
    gtr_context *ctx = gtr_create(desc);
    gtr_tensor *in = gtr_input(ctx, "history", GTR_F32, gtr_shape2(GTR_BATCH, HISTORY));
    gtr_tensor *want = gtr_input(ctx, "ahead", GTR_F32, gtr_shape2(GTR_BATCH, 1));
    view.out[0] = gtr_linear(gtr_tanh(gtr_linear(in, "fc1", 32)), "fc2", 1); view.snapshot = true;
    how.optimizer = GTR_ADAM; how.lr = 3e-3f;
    gtr_trainer *t = gtr_trainer_create(gtr_mse(view.out[0], want), how);
    if (!killed && !gtr_checkpoint_load(t, path))
        printf("%s: goes on from step %d\n", gtr_device_text(ctx), (int)gtr_trainer_report(t).step);
    gtr_predictor *p = gtr_predictor_create_ex(ctx, view);
    pthread_t thread; float off = 0, still = 0;
    count = p ? first : SAMPLES;
    if (pthread_create(&thread, NULL, predict, p)) return 1;
    for (int n, s = 1; (n = arrived(0)) < SAMPLES; arrived(1)) {
        for (int i = 0; i < BATCH; i++) {       /* any windows whose future is known */
            const int from = (s = (s * 75 + 74) % 65537) % (n - HISTORY - AHEAD + 1);
            memcpy(x + i * HISTORY, sensor + from, HISTORY * sizeof *x); y[i] = sensor[from + HISTORY - 1 + AHEAD];
        }
        gtr_set(in, x, sizeof x); gtr_set(want, y, sizeof y); gtr_train_for(t, 2);
        if (n % 100 == 0) gtr_checkpoint_save(t, path);
        if (n == killed) raise(SIGKILL);
    }
    pthread_join(thread, NULL);
    for (int k = first + AHEAD; k < SAMPLES; k++) if (predicted[k] != 0) {      /* 0: the thread did not come round */
        off += fabsf(predicted[k] - sensor[k]); still += fabsf(sensor[k - AHEAD] - sensor[k]);
    }
    printf("off by %.3f of what the last value is, wanted 0.33 %s\n", (double)(off / still), gtr_error_text(ctx));
    const int bad = gtr_error(ctx) || !(off < 0.33f * still);
    gtr_destroy(ctx);
    return bad;
}
int main(int argc, char **argv) {
    for (int k = 0, s = 1; k < SAMPLES + AHEAD; k++) sensor[k] = 0.5f * sinf(0.21f * (float)k) + 0.3f *
        sinf(0.47f * (float)k) + 0.04f * (float)((s = (s * 75 + 74) % 65537) - 32768) / 32768;      /* with noise */
    const char *path = argc > 1 ? argv[1] : "build/online.safetensors";
    int status = fork();        /* before CUDA is used, which no child may share */
    if (!status) return run(path, 2 * HISTORY, KILLED);
    return wait(&status) < 0 || !WIFSIGNALED(status) || run(path, KILLED, 0);
}
