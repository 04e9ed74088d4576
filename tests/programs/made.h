/* The streams of numbers that gen_graphs.py and gen_goldens.py make their inputs of, bit by bit. */
#ifndef MADE_H
#define MADE_H
static uint32_t mix(uint32_t i, uint32_t seed)
{
    uint32_t x = i * 0x9E3779B1u + seed * 0x85EBCA77u + 1u;
    x ^= x >> 16;
    x *= 0x7FEB352Du;
    x ^= x >> 15;
    x *= 0x846CA68Bu;
    return x ^ x >> 16;
}
/* Uniform in shift +- 2^log2. */
static void made(float *out, int64_t n, uint32_t seed, int log2, float shift)
{
    const double unit = ldexp(1, log2 - 23);
    int64_t i;
    for (i = 0; i < n; i++)
        out[i] = (float)(((double)(mix((uint32_t)i, seed) >> 8) - 8388608.0) * unit + (double)shift);
}
#endif
