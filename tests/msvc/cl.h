/* In front of a source: Microsoft's compiler as far as clang can act it. It is neither clang nor gcc, has none of their
   attributes and builtins, and says of C++ that it is of 1998. The compiler's own headers come before that, the C
   library's behind it. */
#pragma once
#pragma GCC system_header
#define __MM_MALLOC_H   /* clang's, which would include the C library */
#include <float.h>
#include <immintrin.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#undef __clang__
#undef __ATOMIC_SEQ_CST
#undef __FINITE_MATH_ONLY__
#undef __FMA__
#undef __OPTIMIZE__
#undef __SSE2__
#undef __STRICT_ANSI__
#undef __x86_64__
#ifdef __cplusplus
#undef __cplusplus
#define __cplusplus 199711L
#endif
#pragma GCC poison __asm__ __atomic_load_n __atomic_store_n __atomic_exchange_n __atomic_add_fetch __atomic_fetch_add
#pragma GCC poison __atomic_compare_exchange_n __atomic_thread_fence __attribute__ __builtin_assume __builtin_expect
#pragma GCC poison __builtin_fma __builtin_fmaf __builtin_ia32_pause __builtin_prefetch __int128 __thread __typeof__
