/* The stack that calls of the library need of their caller's. Where this is included RUN runs a test of the CPU in a
   thread whose stack is painted, and checks that no more than SMALL_STACK of it was written, the test's own frames
   included; where frames are wider than users have them (no optimiser, sanitizers, GTR_TEST_SMALL) as ever.
   GTR_TEST_STACK: how much each test took is shown. Include after check.h and what declares `device`. */
#ifndef STACK_H
#define STACK_H
#include <pthread.h>

#define SMALL_STACK (64 << 10)
#ifdef __has_feature
#define STACK_FEATURE(x) __has_feature(x)
#else
#define STACK_FEATURE(x) 0
#endif
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) \
    && !STACK_FEATURE(address_sanitizer) && !STACK_FEATURE(thread_sanitizer) && !STACK_FEATURE(memory_sanitizer)
#define STACK_COUNTS (device == GTR_DEVICE_CPU && !getenv("GTR_TEST_SMALL"))
#else
#define STACK_COUNTS 0
#endif
#undef RUN
#define RUN(test) do { \
    if (!check_dealt_to_it(#test)) break; \
    if (STACK_COUNTS) stack_run(test, #test); else test(); \
} while (0)

static unsigned char stack_block[1 << 20] CHECK_ATTRIBUTE((aligned(4096)));
static const unsigned char *stack_top;
static void *stack_main(void *test)
{
    stack_top = (const unsigned char *)__builtin_frame_address(0);
    (*(void (**)(void))test)();
    return NULL;
}
CHECK_ATTRIBUTE((unused)) static void stack_run(void (*test)(void), const char *name)
{
    pthread_attr_t attr;
    pthread_t thread;
    const unsigned char *at = stack_block;
    memset(stack_block, 0x5a, sizeof stack_block);
    pthread_attr_init(&attr);
    if (CHECK(!pthread_attr_setstack(&attr, stack_block, sizeof stack_block)
        && !pthread_create(&thread, &attr, stack_main, &test), "%s: no thread with a stack of its own", name)) {
        pthread_join(thread, NULL);
        while (*at == 0x5a) at++;
        const long long took = stack_top - at;
        CHECK(took <= SMALL_STACK, "%s took %lld bytes of stack, want at most %d", name, took, SMALL_STACK);
        if (getenv("GTR_TEST_STACK")) printf("%s: %lld bytes of stack\n", name, took);
    }
    pthread_attr_destroy(&attr);
}
#endif
