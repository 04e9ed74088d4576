/* The device that a program's tests run on, and contexts on it. GTR_TEST_SMALL: the fewest repetitions, for sanitizers;
   GTR_TEST_MAX_SM sets gtr_desc.max_sm. Behind gputrain.h's implementation and check.h. */
static gtr_device device = GTR_DEVICE_CPU;
CHECK_ATTRIBUTE((unused)) static int small;

static gtr_desc desc0(void)
{
    gtr_desc d;
    const char *sm = getenv("GTR_TEST_MAX_SM");
    memset(&d, 0, sizeof d);
    d.device = device;
    d.seed = 7;
    d.threads = 2;
    if (sm) d.max_sm = atoi(sm);
    return d;
}
/* For graphs that are drawn: activations that few networks have, those without a kink first. */
enum { SMOOTH_ACTS = 15, ACTS = 22 };
CHECK_ATTRIBUTE((unused)) static gtr_tensor *activation(int k, gtr_tensor *x)
{
    switch (k) {
    case 0: return gtr_sin(x);
    case 1: return gtr_cos(x);
    case 2: return gtr_silu(x);
    case 3: return gtr_mish(x);
    case 4: return gtr_softplus(x, 1.5f);
    case 5: return gtr_elu(x, 1);
    case 6: return gtr_neg(x);
    case 7: return gtr_square(gtr_tanh(x));
    case 8: return gtr_expm1(gtr_tanh(x));
    case 9: return gtr_sqrt(gtr_softplus(x, 1));
    case 10: return gtr_log1p(gtr_softplus(x, 2));
    case 11: return gtr_rsqrt(gtr_scale(gtr_sigmoid(x), 1, 0.5f));
    case 12: return gtr_reciprocal(gtr_scale(gtr_sigmoid(x), 1, 0.5f));
    case 13: return gtr_pow_scalar(gtr_scale(gtr_sigmoid(x), 1, 0.5f), 1.75f);
    case 14: return gtr_pow(gtr_scale(gtr_sigmoid(x), 1, 0.5f), gtr_tanh(x));
    case 15: return gtr_selu(x);
    case 16: return gtr_hard_swish(x);
    case 17: return gtr_hard_sigmoid(x);
    case 18: return gtr_relu6(x);
    case 19: return gtr_leaky_relu(x, 0.1f);
    case 20: return gtr_clamp(x, -1, 2);
    default: return gtr_abs(x);
    }
}
CHECK_ATTRIBUTE((unused)) static float noise(uint32_t *s) {
    *s = *s * 1664525u + 1013904223u; return (float)(*s >> 8) / 8388608.0f - 1.0f;
}
/* testing.md T6: both limits hold; a NaN fails. */
CHECK_ATTRIBUTE((unused)) static bool within(const gtr_float *a, const gtr_float *b, int64_t n,
    double nmse, double ratio)
{
    double err = 0, ref = 0, most = 0, top = 0;
    int64_t i;
    for (i = 0; i < n; i++) {
        double d = (double)a[i] - (double)b[i];
        if (!(d - d == 0)) return false;
        err += d * d; ref += (double)b[i] * (double)b[i];
        if (fabs(d) > most) most = fabs(d);
        if (fabs((double)b[i]) > top) top = fabs((double)b[i]);
    }
    return err <= nmse * ref && most <= ratio * top;
}
