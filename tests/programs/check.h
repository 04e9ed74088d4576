/* What every test program here shares: counted checks, each failure a line `FAIL file:line what`, and a
   last line of the counts.
       static void adding(void) { CHECK(1 + 1 == 2, "1 + 1 is %d", 1 + 1); EXPECT_EQ(1 + 1, 2); }
       int main(int argc, char **argv) { check_begin(argc, argv); RUN(adding); return check_done(); }
   Arguments are names of tests to run (parts of them); without, all run. GTR_TEST_LEAVE: those to leave out.
   GTR_TEST_ROW: of tables, the rows of that name alone, or of several, a line each. A name that no test or row has is a
   failure; of several programs that are given the same names (GTR_TEST_SHARED is set, by run.sh) each says which it has
   not, and run.sh which none has.
   GTR_TEST_PART=k/n: this process is the k-th, from 0, of n that share the program's tests: it runs every n-th of them;
   of those that RUN_IN_PARTS names, every n-th case.
   Include after gputrain.h. */
#ifndef CHECK_H
#define CHECK_H
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__GNUC__) || defined(__clang__)
#define CHECK_ATTRIBUTE(x) __attribute__(x)
#else
#define CHECK_ATTRIBUTE(x)
#endif

static long long check_passed, check_failed, check_skipped;
static int check_argc, check_part, check_parts = 1, check_dealt;      /* check_dealt: tests that were to be shared */
static char **check_argv;
enum { CHECK_NAMES = 64, CHECK_SEEN = 1024 };
static int check_named[CHECK_NAMES], check_rows_named[CHECK_NAMES];   /* by argument, by line: a test, a row has it */
static const char *check_seen[CHECK_SEEN]; /* names of tests and rows that this program has, for who mistypes one */
static int check_n_seen;
static const char *volatile check_now = "";  /* the test or row that runs, and in which process */
static pid_t check_pid;

/* The condition, and what to say if it does not hold, as for printf. EXPECT says the condition itself. */
#define CHECK(ok, ...) check_note((ok) ? 1 : 0, __FILE__, __LINE__, __VA_ARGS__)
#define EXPECT(ok) CHECK(ok, "%s", #ok)
#define EXPECT_EQ(got, want) check_equal((long long)(got), (long long)(want), __FILE__, __LINE__, #got)
/* The context has this error, and its text has part in it; both are then forgotten. */
#define EXPECT_ERROR(ctx, code, part) check_error(ctx, code, part, __FILE__, __LINE__)
#define EXPECT_OK(ctx) check_error(ctx, GTR_OK, "", __FILE__, __LINE__)
/* Counts one skipped check and says why. */
#define SKIP(...) check_skip(__FILE__, __LINE__, __VA_ARGS__)
#define RUN(test) do { if (!getenv("GTR_TEST_ROW") && check_dealt_to_it(#test)) test(); } while (0)
#define RUN_ROWS(test) do { if (check_dealt_to_it(#test)) test(); } while (0)          /* it asks check_row */
#define RUN_IN_PARTS(test) do { if (check_wanted(#test)) test(); } while (0)   /* it asks check_mine of each case */

static int check_note(int ok, const char *file, int line, const char *format, ...)
    CHECK_ATTRIBUTE((unused, format(printf, 4, 5)));
static int check_note(int ok, const char *file, int line, const char *format, ...)
{
    va_list ap;
    if (ok) { check_passed++; return 1; }
    check_failed++;
    printf("FAIL %s:%d ", file, line);
    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
    printf("\n");
    fflush(stdout);
    return 0;
}
CHECK_ATTRIBUTE((unused)) static int check_equal(long long got, long long want, const char *file, int line,
    const char *what)
{
    return check_note(got == want, file, line, "%s is %lld, want %lld", what, got, want);
}
CHECK_ATTRIBUTE((unused)) static int check_error(gtr_context *ctx, gtr_result code, const char *part,
    const char *file, int line)
{
    int ok = check_note(gtr_error(ctx) == code && strstr(gtr_error_text(ctx), part), file, line,
        "error is '%s' (%s), want '%s' with \"%s\"", gtr_result_text(gtr_error(ctx)), gtr_error_text(ctx),
        gtr_result_text(code), part);
    gtr_error_clear(ctx);
    return ok;
}
static void check_skip(const char *file, int line, const char *format, ...)
    CHECK_ATTRIBUTE((unused, format(printf, 3, 4)));
static void check_skip(const char *file, int line, const char *format, ...)
{
    va_list ap;
    check_skipped++;
    printf("SKIP %s:%d ", file, line);
    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
    printf("\n");
}
/* A crash says where, then ends the process as it would have ended. */
static void check_crash(int number)
{
    static const char said[] = "FAIL a crash in or behind ";
    signal(number, SIG_DFL);
    if (getpid() == check_pid && (write(1, said, sizeof said - 1) < 0 || write(1, check_now, strlen(check_now)) < 0
            || write(1, "\n", 1) < 0)) { }
    raise(number);
}
CHECK_ATTRIBUTE((unused)) static void check_begin(int argc, char **argv)
{
    const char *part = getenv("GTR_TEST_PART");
    static const int crashes[] = { SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS };
    check_argc = argc; check_argv = argv;
    check_pid = getpid();
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t k = 0; k < sizeof crashes / sizeof *crashes; k++) {
        struct sigaction had;   /* a sanitizer's handler says more */
        if (!sigaction(crashes[k], NULL, &had) && had.sa_handler == SIG_DFL) signal(crashes[k], check_crash);
    }
    if (part && (sscanf(part, "%d/%d", &check_part, &check_parts) != 2 || check_part < 0
            || check_part >= check_parts)) {
        printf("GTR_TEST_PART is %s, not of the form 1/8\n", part);
        exit(2);
    }
}
/* Whether this process runs the i-th of what its parts share. */
CHECK_ATTRIBUTE((unused)) static int check_mine(int i) { return i % check_parts == check_part; }
static void check_see(const char *name)
{
    int i = 0;
    while (i < check_n_seen && strcmp(check_seen[i], name)) i++;
    if (i == check_n_seen && i < CHECK_SEEN) check_seen[check_n_seen++] = name;
}
CHECK_ATTRIBUTE((unused)) static int check_wanted(const char *name)
{
    const char *leave = getenv("GTR_TEST_LEAVE");
    const size_t length = strlen(name);
    int i, wanted = check_argc < 2;
    if (!getenv("GTR_TEST_ROW")) check_see(name);
    for (i = 1; i < check_argc; i++) if (strstr(name, check_argv[i])) wanted = check_named[i % CHECK_NAMES] = 1;
    for (; leave && *leave; leave += strcspn(leave, " "), leave += strspn(leave, " "))
        if (strcspn(leave, " ") == length && !memcmp(leave, name, length)) return 0;
    if (wanted) check_now = name;
    return wanted;
}
/* Whether GTR_TEST_ROW asks for a row of a table, which the caller then tests: "linear" for "linear, used" and
   "linear_with", too. */
CHECK_ATTRIBUTE((unused)) static int check_row(const char *name)
{
    const char *only = getenv("GTR_TEST_ROW");
    int wanted = !only;
    if (only) check_see(name);
    for (int k = 0; only; k++) {
        const size_t n = strcspn(only, "\n");
        if (!strncmp(only, name, n) && (!name[n] || name[n] == ',' || !strncmp(name + n, "_with", 5)))
            wanted = check_rows_named[k % CHECK_NAMES] = 1;
        only = only[n] ? only + n + 1 : NULL;
    }
    if (wanted) check_now = name;
    return wanted;
}
/* Whether this process runs the test, one of those that its parts share. */
CHECK_ATTRIBUTE((unused)) static int check_dealt_to_it(const char *name)
{
    return check_wanted(name) && check_mine(check_dealt++);
}
/* The path of a file or folder in build/ that no other process of the tests uses, ending in name. The text is
   overwritten by the eighth call after this one. */
CHECK_ATTRIBUTE((unused)) static const char *check_path(const char *name)
{
    static char paths[8][160];
    static int calls;
    char *path = paths[calls++ % 8];
    mkdir("build", 0777);
    snprintf(path, sizeof paths[0], "build/test.%ld.%s", (long)getpid(), name);
    return path;
}
/* Memory for a test's gtr_allocator, with a pattern behind its last byte: who writes too far is noticed when it is
   freed, without a sanitizer. */
#define GUARD_BYTES 64
CHECK_ATTRIBUTE((unused)) static void *guard_alloc(size_t bytes)
{
    unsigned char *p = (unsigned char *)aligned_alloc(256, (bytes + GUARD_BYTES + 255) / 256 * 256);
    if (p) memset(p + bytes, 0x5a, GUARD_BYTES);
    return p;
}
CHECK_ATTRIBUTE((unused)) static void guard_free(void *block, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)block;
    int i = 0;
    while (p && i < GUARD_BYTES && p[bytes + (size_t)i] == 0x5a) i++;
    check_note(!p || i == GUARD_BYTES, __FILE__, __LINE__, "byte %d behind a block of %llu bytes was written", i,
        (unsigned long long)bytes);
    check_passed -= !p || i == GUARD_BYTES;     /* not a check of its own */
    free(block);
}
/* Runs all on the CPU, then on the GPU where there is one, with *device set. GTR_TEST_DEVICE=cuda: the GPU alone, and
   there must be one. */
CHECK_ATTRIBUTE((unused)) static void check_devices(void (*all)(void), gtr_device *device)
{
    const char *only = getenv("GTR_TEST_DEVICE");
    int cuda = only && !strcmp(only, "cuda");
    gtr_desc d;
    gtr_context *ctx;
    if (!cuda) all();
    memset(&d, 0, sizeof d);
    *device = d.device = GTR_DEVICE_CUDA;
    ctx = gtr_create(d);
    if (gtr_error(ctx) == GTR_OK) { gtr_destroy(ctx); all(); return; }
    if (cuda) CHECK(0, "GTR_TEST_DEVICE=cuda: %s", gtr_error_text(ctx));
    else SKIP("on the GPU: %s", gtr_error_text(ctx));
    gtr_destroy(ctx);
}
CHECK_ATTRIBUTE((unused)) static void check_lacks(const char *name, int length)
{
    static int listed;
    const int shared = getenv("GTR_TEST_SHARED") != NULL;
    printf(shared ? "nothing here is named %.*s, which alone is no failure\n" : "nothing here tests %.*s\n", length,
        name);
    if (shared) return;
    check_failed++;
    for (int i = 0; i < check_n_seen && !listed; i++) printf(i ? " %s" : "what there is: %s", check_seen[i]);
    if (check_n_seen && !listed++) printf("\n");
}
#if defined(GTR_TEST_LINKED) && !defined(GTR_TEST_COUNTED)
#define GTR_TEST_COUNTED
extern long counted_blocks;     /* counted.h, of the library that this is linked with */
#endif
CHECK_ATTRIBUTE((unused)) static int check_done(void)
{
    const char *row = getenv("GTR_TEST_ROW");
    int i;
#ifdef GTR_TEST_COUNTED
    CHECK(!counted_blocks, "%ld blocks of memory that the library took are left", counted_blocks);
#endif
    for (i = 1; i < check_argc; i++) if (!check_named[i % CHECK_NAMES]) check_lacks(check_argv[i],
        (int)strlen(check_argv[i]));
    for (i = 0; row; i++) {
        const int n = (int)strcspn(row, "\n");
        if (!check_rows_named[i % CHECK_NAMES]) check_lacks(row, n);
        row = row[n] ? row + n + 1 : NULL;
    }
    printf("%lld passed, %lld failed, %lld skipped\n", check_passed, check_failed, check_skipped);
    return check_failed != 0;
}
#endif
