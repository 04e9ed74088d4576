#pragma once
#include <stdlib.h>
#define CLOCKS_PER_SEC ((clock_t)1000)
#define TIME_UTC 1
typedef long clock_t;
typedef __int64 time_t;
struct timespec { time_t tv_sec; long tv_nsec; };
#ifdef __cplusplus
extern "C" {
#endif
clock_t clock(void);
time_t time(time_t *t);
int timespec_get(struct timespec *t, int base);
#ifdef __cplusplus
}
#endif
