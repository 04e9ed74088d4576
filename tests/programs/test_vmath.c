/* exp, log, tanh, erf, log1p, expm1, sin, cos, pow and sigmoid of the CPU backend against libm in double: every 1021st
   float, or with GTR_FLOATS=1 every one (make campaign-floats); zeros, infinities, NaN and subnormals by themselves;
   and that a value's bits depend on neither its place in an array nor the array's length. */
#include "private.h"
#include "check.h"
#include <float.h>

enum { RUN_LENGTH = 4096 };
static uint64_t stride = 1021;

static void run_op(int op, const float *x, float *y, int64_t n)
{
    gtr__unary_apply(gtr__unary_find(op), 1, 0, NULL, x, NULL, y, n, 0);
}
static void run_exp(const float *x, float *y, int64_t n) { run_op(GTR__OP_EXP, x, y, n); }
static void run_log(const float *x, float *y, int64_t n) { run_op(GTR__OP_LOG, x, y, n); }
static void run_tanh(const float *x, float *y, int64_t n) { run_op(GTR__OP_TANH, x, y, n); }
static void run_sigmoid(const float *x, float *y, int64_t n) { run_op(GTR__OP_SIGMOID, x, y, n); }
static void run_erf(const float *x, float *y, int64_t n)
{
    int64_t i;
    for (i = 0; i < n; i++) y[i] = GTR__ERFF(x[i]);
}
static void run_log1p(const float *x, float *y, int64_t n) { run_op(GTR__OP_LOG1P, x, y, n); }
static void run_expm1(const float *x, float *y, int64_t n) { run_op(GTR__OP_EXPM1, x, y, n); }
static void run_sin(const float *x, float *y, int64_t n) { run_op(GTR__OP_SIN, x, y, n); }
static void run_cos(const float *x, float *y, int64_t n) { run_op(GTR__OP_COS, x, y, n); }
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

/* Floats from first to last, by their bits. Sigmoid's exp(-x) is infinite below, where it is under 6e-39. */
typedef struct function {
    const char *name;
    void (*run)(const float *x, float *y, int64_t n);
    double (*want)(double x);
    double most; /* ulp */
    uint32_t first, last;
} function;
static const function functions[] = {
    { "exp", run_exp, exp, 1.1, 0, 0xffffffffu },
    { "log", run_log, log, 1.0, 0, 0xffffffffu },
    { "tanh", run_tanh, tanh, 2.0, 0, 0xffffffffu },
    { "erf", run_erf, erf, 2.1, 0, 0xffffffffu },
    { "log1p", run_log1p, log1p, 1.8, 0, 0xffffffffu },
    { "expm1", run_expm1, expm1, 1.7, 0, 0xffffffffu },
    { "sin", run_sin, sin, 1.6, 0, 0xffffffffu },
    { "cos", run_cos, cos, 1.6, 0, 0xffffffffu },
    { "sigmoid", run_sigmoid, sigmoid, 2.5, 0, 0x7fffffffu },
    { "sigmoid of negative x", run_sigmoid, sigmoid, 2.5, 0x80000000u, 0xc2b17217u },
};

/* How far got is from want in units of the last place that a float as large as want has. 1e9: of another kind. */
static double ulps(float got, double want)
{
    const double over = 340282356779733661637539395458142568448.0; /* rounds to infinity */
    uint64_t bits;
    double unit;
    if (want != want || got != got) return want != want && got != got ? 0 : 1e9;
    if (fabs(want) >= over) return got == (want > 0 ? INFINITY : -INFINITY) ? 0 : 1e9;
    if (isinf(got)) return 1e9;
    if (want == 0) return got == 0 && !signbit(got) == !signbit(want) ? 0 : 1e9;
    memcpy(&bits, &want, sizeof bits);
    bits = bits >> 52 & 0x7ff; /* its exponent, + 1023; a float's is at least -126 */
    bits = (GTR__MAX(bits, 1023 - 126) - 23) << 52;
    memcpy(&unit, &bits, sizeof unit);
    return fabs((double)got - want) / unit;
}
static void errors(void)
{
    static float x[RUN_LENGTH], y[RUN_LENGTH];
    size_t f;
    for (f = 0; f < sizeof functions / sizeof functions[0]; f++) {
        const function *fn = &functions[f];
        double most = 0;
        uint64_t b = fn->first;
        float at = 0;
        if (!check_wanted("errors") && !check_wanted(fn->name)) continue;
        while (b <= fn->last) {
            int n = 0, i;
            for (; n < RUN_LENGTH && b <= fn->last; n++, b += stride) x[n] = gtr__bits_float((uint32_t)b);
            fn->run(x, y, n);
            for (i = 0; i < n; i++) {
                const double u = ulps(y[i], fn->want((double)x[i]));
                if (u > most) { most = u; at = x[i]; }
            }
        }
        printf("%s: at most %.3f ulp, at %a\n", fn->name, most, (double)at);
        fflush(stdout);
        CHECK(most <= fn->most, "%s(%a) is %.3f ulp off, want at most %.1f", fn->name, (double)at, most, fn->most);
    }
}
static void special_values(void)
{
    static const float x[] = { 0.0f, -0.0f, INFINITY, -INFINITY, NAN, -NAN, 1e-45f, -1e-45f, 1e-40f, -1e-40f, FLT_MIN,
        -FLT_MIN, FLT_MAX, -FLT_MAX, 1, -1, 88.7228317f, 88.7228394f, -87.3365479f, -103.972076f, -103.972084f,
        -103.27893f, -104, -105, 9.01f, -9.01f, 3.9f, -4, 0.99999994f, 1.00000012f };
    const int n = (int)(sizeof x / sizeof x[0]);
    float y[sizeof x / sizeof x[0]];
    size_t f;
    for (f = 0; f < 8; f++) {
        functions[f].run(x, y, n);
        for (int i = 0; i < n; i++) {
            const double want = functions[f].want((double)x[i]);
            CHECK(ulps(y[i], want) <= functions[f].most, "%s(%a) is %a, want %a", functions[f].name, (double)x[i],
                  (double)y[i], want);
        }
    }
    run_sigmoid(x, y, 6);
    EXPECT(y[0] == 0.5f && y[1] == 0.5f && y[2] == 1 && y[3] == 0 && y[4] != y[4] && y[5] != y[5]);
}
/* pow of pairs: any floats; x in [1/2, 2) and near 1 to powers up to 2^24, of which some are integers; all special
   values. As an op of two tensors, and of a constant. */
static void powers(void)
{
    static const float special[] = { 0.0f, -0.0f, 1, -1, INFINITY, -INFINITY, NAN, -NAN, 1e-45f, -1e-45f, FLT_MIN,
        -FLT_MIN, 1e-40f, -1e-40f, FLT_MAX, -FLT_MAX, 2, -2, 3, -3, 0.5f, -0.5f, 1.5f, -1.5f, 16777215, -16777215,
        16777216,
        33554436, 8388607.5f, -8388607.5f, 4194303.5f, 0.99999994f, -0.99999994f, 1.00000012f };
    enum { SPECIAL = sizeof special / sizeof special[0] };
    static float x[RUN_LENGTH], y[RUN_LENGTH], z[RUN_LENGTH], one[RUN_LENGTH];
    const int rounds = stride < 1021 ? 8000 : 800;
    uint64_t bits = 88172645463325252u;
    double most = 0;
    int at = 0, i, round;
    for (round = 0; round <= rounds; round++) {
        const int n = round ? RUN_LENGTH : SPECIAL * SPECIAL;
        for (i = 0; i < n; i++) {
            uint32_t u, v;
            bits ^= bits << 13; bits ^= bits >> 7; bits ^= bits << 17;
            u = (uint32_t)bits; v = (uint32_t)(bits >> 32);
            if (round & 1) u = 0x3f000000u + (round % 3 ? u >> 8 : 0x7fff00u + (u >> 23));
            x[i] = round ? gtr__bits_float(u) : special[i / SPECIAL];
            y[i] = round ? gtr__bits_float(round & 2 ? v : 0x35000000u + (v >> 4) % 0x16000000u) : special[i % SPECIAL];
            if (round % 8 > 4) y[i] = rintf(y[i]);
        }
        gtr__ew_pow(z, z, x, y, 1, z, 0, n);
        for (i = 0; i < n; i++) {
            const double want = pow((double)x[i], (double)y[i]), u = fabs(want) < 1e-46 && want != 0
                ? (z[i] == 0 && !signbit(z[i]) == !signbit(want) ? 0 : 1e9) : ulps(z[i], want);
            if (u > most) most = u, at = i;
            if (!CHECK(u <= 1.1, "pow(%a, %a) is %a, want %a", (double)x[i], (double)y[i], (double)z[i], want)) return;
        }
        if (round % 100) continue;
        for (i = 0; i < SPECIAL; i++) {
            gtr__unary_apply(gtr__unary_find(GTR__OP_POW_SCALAR), special[i], 0, NULL, x, NULL, z, n, 0);
            for (int k = 0; k < n; k++) y[k] = special[i];
            gtr__ew_pow(one, one, x, y, 1, one, 0, n);
            for (int k = 0; k < n; k++)
                if (memcmp(&one[k], &z[k], 4)) {
                    CHECK(0, "pow_scalar(%a, %a) differs", (double)x[k], (double)y[k]);
                    return;
                }
        }
    }
    printf("pow: at most %.3f ulp, element %d\n", most, at);
}
/* Each op's loops over every length up to LENGTH from every place on, forward, backward and adding, against one element
   at a time. */
static void places(void)
{
    enum { LENGTH = 40, PLACES = 17 };
    static float dy[LENGTH + PLACES], x[LENGTH + PLACES], y[LENGTH + PLACES], out[LENGTH + PLACES];
    static float want[3][LENGTH + PLACES];
    size_t r;
    int i, n, from, way;
    for (i = 0; i < LENGTH + PLACES; i++) {
        x[i] = (float)(1 + i) * 0.07f;
        y[i] = (float)((i * 37) % 64) / 65;
        dy[i] = (float)((i * 29) % 64) / 32 - 1;
    }
    for (r = 0; r < sizeof gtr__unary_rows / sizeof gtr__unary_rows[0]; r++) {
        const gtr__unary_row *row = &gtr__unary_rows[r];
        for (way = 0; way < 3; way++)
            for (i = 0; i < LENGTH + PLACES; i++) {
                float *one = &want[way][i];
                *one = 0.25f;
                gtr__unary_apply(row, 2, 1, way ? dy + i : NULL, x + i, y + i, one, 1, way == 2);
            }
        for (way = 0; way < 3; way++)
            for (n = 0; n <= LENGTH; n++)
                for (from = 0; from < PLACES; from++) {
                    for (i = 0; i < LENGTH + PLACES; i++) out[i] = 0.25f;
                    gtr__unary_apply(row, 2, 1, way ? dy + from : NULL, x + from, y + from, out + from, n, way == 2);
                    for (i = 0; i < LENGTH + PLACES; i++) {
                        const float hope = i >= from && i < from + n ? want[way][i] : 0.25f;
                        if (memcmp(&out[i], &hope, sizeof hope)) break;
                    }
                    CHECK(i == LENGTH + PLACES, "op %d: way %d, %d elements from %d on: element %d is wrong", row->op,
                        way, n, from, i);
                }
    }
}
int main(int argc, char **argv)
{
    const char *all = getenv("GTR_FLOATS");
    if (all) stride = strtoull(all, NULL, 10);
    if (stride < 1) stride = 1;
    check_begin(argc, argv);
    errors();
    RUN(special_values);
    RUN(powers);
    RUN(places);
    return check_done();
}
