/* What the fuzzers of readers share: what must hold, and an allocator that counts bytes: asked for in all, alive now,
   and alive at most. Behind gputrain.h's implementation. */
#define MUST(x) do { if (!(x)) { fprintf(stderr, "line %d: %s\n", __LINE__, #x); abort(); } } while (0)
static size_t asked, alive, most;
static void *count_alloc(size_t bytes, gtr_memory kind, void *user)
{
    (void)kind; (void)user;
    asked += bytes; alive += bytes; most = GTR__MAX(most, alive);
    return aligned_alloc(256, (bytes + 255) / 256 * 256);
}
static void count_free(void *p, size_t bytes, gtr_memory kind, void *user)
{
    (void)kind; (void)user;
    alive -= bytes;
    free(p);
}
