/* The device that a program's tests run on, and contexts on it. GTR_TEST_SMALL: the fewest repetitions, for sanitizers;
   GTR_TEST_MAX_SM sets gtr_desc.max_sm. Behind gputrain.h's implementation and check.h. */
static gtr_device device = GTR_DEVICE_CPU;
static int small;

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
