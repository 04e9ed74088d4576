/* The device that a program's tests run on, and contexts on it. GTR_TEST_SMALL: the fewest repetitions, for sanitizers; GTR_TEST_MAX_SM sets
   gtr_desc.max_sm. Behind gputrain.h's implementation and check.h. */
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
static float noise(uint32_t *s) { *s = *s * 1664525u + 1013904223u; return (float)(*s >> 8) / 8388608.0f - 1.0f; }
