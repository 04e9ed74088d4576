#pragma once
#include <stdlib.h>
#define INFINITY ((float)(1e+300 * 1e+300))
#define NAN      ((float)(INFINITY * 0.0F))
#define HUGE_VAL ((double)INFINITY)
#define DOMAIN    1
#define SING      2
#define OVERFLOW  3
#define UNDERFLOW 4
#define TLOSS     5
#define PLOSS     6
#ifdef __cplusplus
extern "C" {
#endif
double exp(double), expm1(double), log(double), log1p(double), log2(double), pow(double, double), sqrt(double);
double sin(double), cos(double), tan(double), tanh(double), erf(double), floor(double), ceil(double), rint(double);
double fabs(double), fma(double, double, double), fmod(double, double), ldexp(double, int), frexp(double, int *);
double hypot(double, double), round(double), trunc(double), lgamma(double), cbrt(double), exp2(double);
float expf(float), logf(float), powf(float, float), sqrtf(float), sinf(float), cosf(float), tanhf(float);
float floorf(float), ceilf(float), rintf(float), fabsf(float), fmaf(float, float, float), fmodf(float, float);
double j0(double), j1(double), jn(int, double), y0(double), y1(double), yn(int, double);
#ifdef __cplusplus
}
#endif
