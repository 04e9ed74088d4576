/* What of the host's memory the library has, of a program that is linked with build/library.c: check_done wants none of
   it left. Included before gputrain.h, whose malloc, calloc and free these become. */
#include <stdlib.h>
#ifdef __SSE2__
#include <immintrin.h> /* which has a free of its own */
#endif

long counted_blocks;
static void *counted(void *p)
{
    if (p) __atomic_add_fetch(&counted_blocks, 1, __ATOMIC_RELAXED);
    return p;
}
static void *counted_malloc(size_t bytes) { return counted(malloc(bytes)); }
static void *counted_calloc(size_t n, size_t bytes) { return counted(calloc(n, bytes)); }
static void counted_free(void *p)
{
    if (p) __atomic_sub_fetch(&counted_blocks, 1, __ATOMIC_RELAXED);
    free(p);
}
#define malloc counted_malloc
#define calloc counted_calloc
#define free counted_free
