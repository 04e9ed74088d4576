/* Words that a microphone hears, which the program says itself: vowels by two formants, hisses and stops, at any pitch,
   speed and loudness, in noise. A depthwise convolution over log-mel frames and a GRU (K. Cho and others, 2014) learn
   five words; then the device learns a sixth from twenty recordings, by a new last layer alone. It shows convolutions
   in front of a recurrence, last states, parameters that are frozen for one trainer, and weights that move into a
   larger layer.
     cc -O3 -march=native examples/14_keywords.c -o keywords -lm -pthread && ./keywords
   Done when, of other recordings than it learned from, 92 of 100 are told of five words, and 80 of the sixth. */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RATE = 8000, WINDOW = 256, HOP = 128, FRAMES = 48, BANDS = 20, SAMPLES = HOP * (FRAMES - 1) + WINDOW };
enum { WORDS = 6, OLD = 5, HIDDEN = 32, LEARNED = 600, HEARD = 300, SHOWN = 20 };
#define TARGET 0.92
#define TARGET_NEW 0.8

static unsigned seed = 1;
static double chance(double from, double to)
{
    seed = seed * 1664525u + 1013904223u;
    return from + (to - from) * (seed >> 8) / 16777216.0;
}
/* Sounds of a word: vowels, s and sh by their noise, stops, which are silent. */
static const char *const word[WORDS] = { "ies", "nou", "atap", "stop", "lefa", "uni" };
static void sound_of(char c, double *low, double *high, double *voice, double *hiss)
{
    static const char vowels[] = "iaoueln";
    static const double formant[][2] = { { 300, 2300 }, { 750, 1250 }, { 500, 900 }, { 320, 700 }, { 500, 1900 },
        { 360, 1100 }, { 250, 1500 } };
    const char *at = strchr(vowels, c);
    *low = 400; *high = 1500;
    *voice = at ? 1 : 0;
    *hiss = c == 's' ? 0.5 : c == 'f' ? 0.15 : c == 'h' ? 0.3 : 0;
    if (at) { *low = formant[at - vowels][0]; *high = formant[at - vowels][1]; }
}
static void say(int w, float *samples)
{
    const int n = (int)strlen(word[w]), all = (int)chance(0.55 * SAMPLES, 0.95 * SAMPLES),
        first = (int)chance(0, SAMPLES - all);
    const double pitch = chance(90, 220), size = chance(0.9, 1.15), loud = chance(0.3, 1), noise = chance(0.002, 0.03);
    double phase = 0, was = 0, low = 400, high = 1500, voice = 0, hiss = 0;
    int k, h;
    for (k = 0; k < SAMPLES; k++) {
        const double r = chance(-1, 1);
        double y = 0, l = low, g = high, v = 0, s = 0;
        const int at = k < first || k >= first + all ? -1 : (k - first) * n / all;
        if (at >= 0) sound_of(word[w][at], &l, &g, &v, &s);
        low += (l - low) * 0.004; high += (g - high) * 0.004;           /* a mouth takes its time */
        voice += (v - voice) * 0.01; hiss += (s - hiss) * 0.01;
        phase += pitch * (1 + 0.1 * sin(k * 0.0005)) / RATE;
        for (h = 1; voice > 0.01 && h * pitch < 3500; h++) {
            const double f = h * pitch, a = (f - low * size) / 120, b = (f - high * size) / 180;
            y += (1 / (1 + a * a) + 0.6 / (1 + b * b)) * sin(6.2831853 * h * phase);
        }
        samples[k] = (float)(loud * (0.3 * voice * y + hiss * (r - was)) + noise * chance(-1, 1));
        was = r;
    }
}
/* Power of a window's frequencies, by the transform of halves (J. Cooley and J. Tukey, 1965). */
static void transform(double *re, double *im, int n)
{
    static double t[2][WINDOW];
    int k;
    if (n == 1) return;
    for (k = 0; k < n; k++) { t[0][k] = re[k]; t[1][k] = im[k]; }
    for (k = 0; k < n; k++) { re[k / 2 + k % 2 * (n / 2)] = t[0][k]; im[k / 2 + k % 2 * (n / 2)] = t[1][k]; }
    transform(re, im, n / 2);
    transform(re + n / 2, im + n / 2, n / 2);
    for (k = 0; k < n / 2; k++) {
        const double c = cos(6.2831853 * k / n), s = -sin(6.2831853 * k / n), a = re[k], b = im[k],
            x = c * re[k + n / 2] - s * im[k + n / 2], y = s * re[k + n / 2] + c * im[k + n / 2];
        re[k] = a + x; im[k] = b + y;
        re[k + n / 2] = a - x; im[k + n / 2] = b - y;
    }
}
static double mel(double hertz) { return 1127 * log(1 + hertz / 700); }
static void listen(const float *samples, float *frames)
{
    const double step = mel(RATE / 2) / (BANDS + 1);
    double re[WINDOW], im[WINDOW];
    int f, k, b;
    for (f = 0; f < FRAMES; f++) {
        double band[BANDS] = { 0 };
        for (k = 0; k < WINDOW; k++) {
            re[k] = samples[f * HOP + k] * (0.5 - 0.5 * cos(6.2831853 * k / WINDOW));
            im[k] = 0;
        }
        transform(re, im, WINDOW);
        for (k = 1; k < WINDOW / 2; k++) {
            const double at = mel((double)k * RATE / WINDOW) / step, part = at - floor(at);
            const double power = re[k] * re[k] + im[k] * im[k];
            b = (int)at;                        /* triangles: band b rises to b + 1, band b - 1 falls */
            if (b < BANDS) band[b] += part * power;
            if (b > 0) band[b - 1] += (1 - part) * power;
        }
        for (b = 0; b < BANDS; b++) frames[f * BANDS + b] = (float)(log(band[b] + 1e-3) / 4);
    }
}
/* n recordings of words first to last, one after the other. */
static gtr_dataset *recordings(gtr_context *ctx, int n, int first, int last)
{
    static float samples[SAMPLES], frames[LEARNED][FRAMES * BANDS];
    static int32_t label[LEARNED];
    static gtr_arrays_desc d;
    int k;
    for (k = 0; k < n; k++) {
        label[k] = first + k % (last - first + 1);
        say(label[k], samples);
        listen(samples, frames[k]);
    }
    d.rows = n;
    d.column[0].data = frames; d.column[0].shape = gtr_shape2(FRAMES, BANDS);
    d.column[1].data = label; d.column[1].dtype = GTR_I32;
    return gtr_dataset_arrays(ctx, d);          /* which has a copy */
}
static void show(gtr_context *ctx, const char *name, gtr_dataset *d, int row)
{
    const float *v = (const float *)gtr_dataset_row(d, 0, row);
    int b, f;
    (void)ctx;
    printf("\"%s\", low sounds below, time to the right\n", name);
    for (b = BANDS - 2; b >= 0; b -= 2) {
        for (f = 0; f < FRAMES; f++) {
            const int k = (int)((v[f * BANDS + b] + v[f * BANDS + b + 1] + 2.5f) * 1.6f);
            putchar(" .:-=+*#%@"[k < 0 ? 0 : k > 9 ? 9 : k]);
        }
        puts("");
    }
}
/* (N, HIDDEN), of frames (N, FRAMES, BANDS): each band's course, then what several say together, then all in order. */
static gtr_tensor *heard(gtr_tensor *x)
{
    static gtr_conv_desc course;
    static gtr_recurrent_desc order;
    static gtr_tensor *last;
    const int turned[] = { 0, 2, 1 };
    course.out = course.groups = BANDS; course.kernel = 5; course.padding = 2;
    x = gtr_conv2d_ex(gtr_permute(x, turned), "course", course);
    x = gtr_relu(gtr_conv1d(x, "bands", HIDDEN, 1, 1, 0));
    order.h_last = &last;
    gtr_gru(gtr_permute(x, turned), "gru", HIDDEN, order);
    return last;
}
int main(void)
{
    static gtr_desc desc;                       /* all zero: the defaults */
    static gtr_trainer_desc how, anew;
    static gtr_group ears[3];
    static gtr_fit_desc fit;
    static float w[WORDS * HIDDEN], b[WORDS];
    gtr_context *ctx = gtr_create(desc);
    gtr_dataset *train = recordings(ctx, LEARNED, 0, OLD - 1), *test = recordings(ctx, HEARD, 0, OLD - 1), *few,
        *new_word;
    gtr_tensor *x = gtr_input(ctx, "frames", GTR_F32, gtr_shape3(GTR_BATCH, FRAMES, BANDS)), *h = heard(x),
        *y = gtr_input(ctx, "word", GTR_I32, gtr_shape1(GTR_BATCH)), *old = gtr_linear(h, "words", OLD),
        *all = gtr_linear(h, "more", WORDS), *right = gtr_accuracy(old, y), *right_all = gtr_accuracy(all, y);
    gtr_trainer *t, *adapts;
    float before = 0, after = 0, still = 0;
    int k, failed;

    show(ctx, word[3], train, 3);
    how.optimizer = GTR_ADAM; how.lr = 8e-3f; how.schedule = GTR_COSINE;
    fit.epochs = 15; fit.batch = 25;
    t = gtr_trainer_create(gtr_cross_entropy(old, y), how);
    failed = gtr_fit(t, train, fit) != GTR_OK || gtr_evaluate(t, test, 50, right, NULL, &before) != GTR_OK;

    /* the old words' rows of the last layer, and another one; what hears stays as it is */
    few = recordings(ctx, WORDS * SHOWN, 0, WORDS - 1);
    new_word = recordings(ctx, 100, WORDS - 1, WORDS - 1);
    failed |= gtr_get(gtr_parameter_find(ctx, "words.weight"), w, OLD * HIDDEN * sizeof *w) != GTR_OK;
    failed |= gtr_get(gtr_parameter_find(ctx, "words.bias"), b, OLD * sizeof *b) != GTR_OK;
    failed |= gtr_set(gtr_parameter_find(ctx, "more.weight"), w, sizeof w) != GTR_OK;
    failed |= gtr_set(gtr_parameter_find(ctx, "more.bias"), b, sizeof b) != GTR_OK;
    ears[0].pattern = "course.*"; ears[1].pattern = "bands.*"; ears[2].pattern = "gru.*";
    for (k = 0; k < 3; k++) ears[k].frozen = true;
    anew = how;
    anew.lr = 2e-2f; anew.groups = ears; anew.n_groups = 3;
    adapts = gtr_trainer_create(gtr_cross_entropy(all, y), anew);
    fit.epochs = 100; fit.batch = WORDS * 4; fit.silent = true;
    failed |= gtr_fit(adapts, few, fit) != GTR_OK;
    failed |= gtr_evaluate(adapts, new_word, 50, right_all, NULL, &after) != GTR_OK;
    failed |= gtr_evaluate(adapts, test, 50, right_all, NULL, &still) != GTR_OK;
    printf("five words: %.1f of 100 (at least %.0f); \"%s\", of %d recordings: %.0f (at least %.0f), and the five: "
        "%.1f\n", 100 * (double)before, 100 * TARGET, word[WORDS - 1], SHOWN, 100 * (double)after, 100 * TARGET_NEW,
        100 * (double)still);
    if (gtr_error(ctx)) fprintf(stderr, "%s\n", gtr_error_text(ctx));
    failed |= gtr_error(ctx) != GTR_OK || !((double)before >= TARGET) || !((double)after >= TARGET_NEW);
    gtr_destroy(ctx);
    return failed;
}
