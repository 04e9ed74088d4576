/* What of the host's memory the library has: check_done wants none of it left. Included before gputrain.h, whose
   malloc, calloc and free these become, by build/library.c and by tests with a library of their own: their blocks
   count, too. */
#define GTR_TEST_COUNTED
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
static void *counted_aligned_alloc(size_t to, size_t bytes) { return counted(aligned_alloc(to, bytes)); }
static void counted_free(void *p)
{
    if (p) __atomic_sub_fetch(&counted_blocks, 1, __ATOMIC_RELAXED);
    free(p);
}
#define malloc counted_malloc
#define calloc counted_calloc
#define aligned_alloc counted_aligned_alloc
#define free counted_free
