/* A small GAN (I. Goodfellow et al., 2014): a generator learns to place points on a ring of eight Gaussian blobs,
   against a critic that learns to tell its points from real ones. It shows a training loop written by hand, two
   trainers over one graph with frozen groups, and weights shared by three uses of one network. The critic judges two
   points at a time (Z. Lin et al., PacGAN, 2018), or else the generator soon makes one blob only; the rates fall by a
   function of the user's own.
     cc -O3 -march=native examples/04_gan.c -o gan -lm -pthread && ./gan
   Done when all eight blobs are met and four of five points lie within 2.5 standard deviations of one (of a
   plain ring's, three). */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MODES  8
#define SIGMA  0.1f
#define NOISE  4
#define PACK   2                        /* points to a row */
#define BATCH  128                      /* rows to a step */
#define STEPS  4000
#define SHOWN  2000                     /* points in the picture */

/* Numbers of the program's own: xorshift, and Box-Muller for normal ones. */
static uint64_t state = 88172645463325252u;
static float uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (float)(state >> 40) / 16777216.0f;
}
static float normal(void) { return sqrtf(-2 * logf(uniform() + 1e-8f)) * cosf(6.2831853f * uniform()); }
static void noise(float *z, int points) { int i; for (i = 0; i < points * NOISE; i++) z[i] = normal(); }
/* The learning rate: constant, then falling to 0 over the second half. */
static float rate(int64_t step, void *base)
{
    float left = 2 * (1 - (float)step / STEPS);
    return *(const float *)base * (left < 1 ? left : 1);
}
static void centre(int mode, float *at) {
    at[0] = cosf(6.2831853f * (float)mode / MODES); at[1] = sinf(6.2831853f * (float)mode / MODES);
}
static void real_points(float *out, int points)
{
    int i;
    for (i = 0; i < points; i++) {
        centre((int)(uniform() * MODES), out + 2 * i);
        out[2 * i] += SIGMA * normal();
        out[2 * i + 1] += SIGMA * normal();
    }
}

/* A network whose parameters can be used more than once: points (N, 2 PACK) -> score (N, 1). */
typedef struct critic { gtr_tensor *w[3], *b[3]; } critic;
static critic critic_create(gtr_context *ctx)
{
    static const int size[4] = { 2 * PACK, 128, 128, 1 };
    critic c;
    char name[16];
    gtr_init init;
    int i;
    memset(&init, 0, sizeof init);
    init.kind = GTR_INIT_UNIFORM;
    gtr_scope_begin(ctx, "critic");
    for (i = 0; i < 3; i++) {
        init.a = 1 / sqrtf((float)size[i]);
        snprintf(name, sizeof name, "fc%d.weight", i + 1);
        c.w[i] = gtr_parameter(ctx, name, gtr_shape2(size[i + 1], size[i]), init);
        snprintf(name, sizeof name, "fc%d.bias", i + 1);
        c.b[i] = gtr_parameter(ctx, name, gtr_shape1(size[i + 1]), init);
    }
    gtr_scope_end(ctx);
    return c;
}
static gtr_tensor *critic_score(const critic *c, gtr_tensor *points)
{
    gtr_tensor *h = gtr_relu(gtr_linear_with(points, c->w[0], c->b[0]));
    h = gtr_relu(gtr_linear_with(h, c->w[1], c->b[1]));
    return gtr_linear_with(h, c->w[2], c->b[2]);
}

/* Prints the points as a picture; returns the share of them within 2.5 standard deviations of a blob, and how many
   blobs have at least a quarter of their fair share. */
static double look(const float *point, int rows, int *met)
{
    enum { WIDE = 64, HIGH = 28 };
    static int ink[HIGH][WIDE];
    int hit[MODES], i, x, y, good = 0, mode;
    memset(ink, 0, sizeof ink);
    memset(hit, 0, sizeof hit);
    for (i = 0; i < rows; i++) {
        float px = point[2 * i], py = point[2 * i + 1], at[2];
        x = (int)((px + 1.6f) / 3.2f * WIDE);
        y = (int)((1.6f - py) / 3.2f * HIGH);
        if (px > -1.6f && py < 1.6f && x < WIDE && y < HIGH) ink[y][x]++;
        for (mode = 0; mode < MODES; mode++) {
            centre(mode, at);
            if (hypotf(px - at[0], py - at[1]) < 2.5f * SIGMA) { hit[mode]++; good++; break; }
        }
    }
    for (y = 0; y < HIGH; y++) {
        for (x = 0; x < WIDE; x++) putchar(" .:-=+*#@"[ink[y][x] > 8 ? 8 : ink[y][x]]);
        putchar('\n');
    }
    for (*met = 0, mode = 0; mode < MODES; mode++) *met += hit[mode] * MODES * 4 >= rows;
    return (double)good / rows;
}

int main(void)
{
    static float z[SHOWN * NOISE], points[SHOWN * 2];
    static gtr_desc desc;
    static gtr_trainer_desc how;
    float critic_rate = 2e-3f, generator_rate = 1e-3f;
    gtr_group freeze_critic, freeze_generator;
    gtr_context *ctx = gtr_create(desc);
    gtr_tensor *noise_in, *real_in, *h, *made, *score_real, *score_made, *score_fooled, *loss_c, *loss_g;
    gtr_trainer *train_critic, *train_generator;
    gtr_predictor *generator;
    critic c;
    double good = 0;
    int step, met = 0;

    printf("%s\n", gtr_device_text(ctx));
    fflush(stdout);
    noise_in = gtr_input(ctx, "noise", GTR_F32, gtr_shape3(GTR_BATCH, PACK, NOISE));
    real_in = gtr_input(ctx, "real", GTR_F32, gtr_shape2(GTR_BATCH, PACK * 2));
    gtr_scope_begin(ctx, "generator");
    h = gtr_relu(gtr_linear(noise_in, "fc1", 128));
    h = gtr_relu(gtr_linear(h, "fc2", 128));
    made = gtr_flatten(gtr_linear(h, "fc3", 2));                /* (N, PACK, 2) -> (N, 2 PACK) */
    gtr_scope_end(ctx);

    c = critic_create(ctx);
    score_real = critic_score(&c, real_in);
    score_made = critic_score(&c, gtr_stop_gradient(made));
    score_fooled = critic_score(&c, made);
    /* A target of the score's shape: 0 x + 1, or 0 x + 0. */
    loss_c = gtr_add(gtr_bce_with_logits(score_real, gtr_scale(gtr_stop_gradient(score_real), 0, 1)),
                     gtr_bce_with_logits(score_made, gtr_scale(gtr_stop_gradient(score_made), 0, 0)));
    loss_g = gtr_bce_with_logits(score_fooled, gtr_scale(gtr_stop_gradient(score_fooled), 0, 1));

    memset(&freeze_critic, 0, sizeof freeze_critic);
    memset(&freeze_generator, 0, sizeof freeze_generator);
    freeze_critic.pattern = "critic.*";
    freeze_generator.pattern = "generator.*";
    freeze_critic.frozen = freeze_generator.frozen = true;
    how.optimizer = GTR_ADAM;
    how.schedule = GTR_CUSTOM_SCHEDULE;
    how.lr_fn = rate;
    how.beta1 = 0.5f;
    how.n_groups = 1;
    how.groups = &freeze_generator;
    how.lr_user = &critic_rate;
    train_critic = gtr_trainer_create(loss_c, how);
    how.groups = &freeze_critic;
    how.lr_user = &generator_rate;
    train_generator = gtr_trainer_create(loss_g, how);

    for (step = 1; step <= STEPS && !gtr_error(ctx); step++) {
        noise(z, BATCH * PACK);
        real_points(points, BATCH * PACK);
        gtr_set(noise_in, z, BATCH * PACK * NOISE * sizeof *z);
        gtr_set(real_in, points, BATCH * PACK * 2 * sizeof *points);
        gtr_step(train_critic);
        noise(z, BATCH * PACK);
        gtr_set(noise_in, z, BATCH * PACK * NOISE * sizeof *z);
        gtr_step(train_generator);
        if (step % (STEPS / 4) == 0)
            printf("step %d: critic %.3f, generator %.3f\n", step, gtr_loss(train_critic), gtr_loss(train_generator));
    }

    generator = gtr_predictor_create(made, SHOWN / PACK);
    noise(z, SHOWN);
    if (generator && !gtr_predict(generator, z, SHOWN / PACK, points)) good = look(points, SHOWN, &met);
    gtr_predictor_destroy(generator);
    if (gtr_error(ctx)) fprintf(stderr, "%s: %s\n", gtr_result_text(gtr_error(ctx)), gtr_error_text(ctx));
    gtr_destroy(ctx);
    printf("%d of %d blobs met, %.3f of the points near one\n", met, MODES, good);
    return met == MODES && good >= 0.8 ? 0 : 1;
}
