/* test_ops.c with GTR_F32 in double, on the CPU: the gradient checks, and bad arguments once more. */
#ifndef GPUTRAIN_DOUBLE
#define GPUTRAIN_DOUBLE
#endif
#undef GPUTRAIN_CUDA
#include "test_ops.c"
