/* What makes kernels at run time, without a GPU: programs' texts, NVRTC, the cache. Compiled with gputrain_cuda.cu
   inside, which shows its private functions; skipped where there is no NVRTC.
   usage: kernels list folder arch...: compiles each variant that the list names, a line each, for each architecture;
   the cache is tried in the folder, an absolute path. */
#define cudaDriverGetVersion kernels_driver_version     /* a driver that takes every NVRTC */
#include "../gputrain_cuda.cu"
extern "C" cudaError_t kernels_driver_version(int *version) { *version = 99000; return cudaSuccess; }

static int passed, failed;
#define EXPECT(that) do { if (that) passed++; else { failed++; printf("FAIL line %d: %s\n", __LINE__, #that); } } while (0)

/* What the host is told while kernels are compiled, and after how many seconds it has them stopped (0: never). */
static int told, told_done, told_all;
static double stops;
static bool compiling(void *user, int done, int all, double seconds)
{
    (void)user;
    told++; told_done = done; told_all = all;
    return !stops || seconds < stops;
}
/* An instance without a device, for an architecture. */
static gtr__cuda *instance(const char *arch)
{
    static gtr__cuda of[8];
    int k = 0;
    while (*of[k].arch && strcmp(of[k].arch, arch)) k++;
    snprintf(of[k].arch, sizeof of[k].arch, "%s", arch);
    of[k].host.compiling = compiling;
    return &of[k];
}
static gtr__compilation asked(const char *name, const char *arch)
{
    gtr__compilation c;
    memset((void *)&c, 0, sizeof c);
    c.on = instance(arch);
    snprintf(c.name, sizeof c.name, "%s", name);
    c.key = gtr__compilation_key(&c);
    return c;
}
/* Has it compiled, or finds it on disk. */
static gtr__compilation made(const char *name, const char *arch, bool *from_disk)
{
    gtr__compilation c = asked(name, arch);
    const int before = gtr__process.from_disk;
    gtr__compile_all(instance(arch), &c, 1);
    *from_disk = gtr__process.from_disk > before;
    return c;
}

/* Compiles all lines of a file for an architecture; every kernel of the source must have one. */
static void compile_list(const char *path, const char *arch)
{
    static gtr__compilation all[512];
    char line[256];
    int n = 0;
    FILE *f = fopen(path, "r");
    EXPECT(f != NULL);
    while (f && n < 512 && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (*line) all[n++] = asked(line, arch);
    }
    if (f) fclose(f);
    for (const char *p = gtr__kernel_text; (p = strstr(p, "GTR__GLOBAL void gtr__")) != NULL; ) {
        size_t length = 0;
        int k = 0;
        p += strlen("GTR__GLOBAL void ");
        while (gtr__letter_or_digit(p[length])) length++;
        while (k < n && (strncmp(all[k].name, p, length) || gtr__letter_or_digit(all[k].name[length]))) k++;
        if (k == n) { failed++; printf("FAIL %.*s is not in %s\n", (int)length, p, path); }
    }
    EXPECT(gtr__compile_all(instance(arch), all, n) == GTR_OK && told_done == n && told_all == n);
    for (int k = 0; k < n; k++) {
        if (all[k].image.data) passed++;
        else { failed++; printf("FAIL for %s: %s\n", arch, all[k].why); }
        free(all[k].image.data);
    }
}

static char bytes[1 << 20];
static size_t file_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f) fclose(f);
    return n;
}
static void file_write(const char *path, size_t n)
{
    FILE *f = fopen(path, "wb");
    EXPECT(f && fwrite(bytes, 1, n, f) == n);
    if (f) fclose(f);
}
static bool taken(uint64_t key)
{
    gtr__compiled c;
    const bool is = gtr__cache_read(instance("sm_80"), key, &c);
    if (is) free(c.data);
    return is;
}

/* A file is taken whole or not at all: cut and changed at every 64th byte, longer by one, of another key. */
static void cache_files(const char *folder)
{
    char path[1024], other[1024];
    bool from_disk;
    setenv("GPUTRAIN_KERNEL_CACHE", folder, 1);
    const gtr__compilation c = made("gtr__k_fill", "sm_80", &from_disk);
    EXPECT(!from_disk && c.image.data);
    const gtr__compilation again = made("gtr__k_fill", "sm_80", &from_disk);
    EXPECT(from_disk && again.image.bytes == c.image.bytes && !memcmp(again.image.data, c.image.data, c.image.bytes)
        && !strcmp(again.image.name, c.image.name));
    snprintf(path, sizeof path, "%s/%016llx.kernel", folder, (unsigned long long)c.key);
    const size_t n = file_read(path);
    EXPECT(n > c.image.bytes);
    for (size_t i = 0; i < n; i += 64) {
        file_write(path, i);
        EXPECT(!taken(c.key));
        bytes[i] ^= 1;
        file_write(path, n);
        EXPECT(!taken(c.key));
        bytes[i] ^= 1;
    }
    file_write(path, n + 1);
    EXPECT(!taken(c.key));
    file_write(path, n);
    EXPECT(taken(c.key));
    snprintf(other, sizeof other, "%s/%016llx.kernel", folder, (unsigned long long)c.key + 1);
    file_write(other, n);
    EXPECT(!taken(c.key + 1));
    unlink(other);
    free(c.image.data); free(again.image.data);
}

/* Folders that are not the user's alone, or not to be had: nothing is read or written, and nothing fails. */
static void cache_folders(const char *folder)
{
    char sub[1024], why[256];
    gtr__cuda *g = instance("sm_80");
    bool from_disk;
    snprintf(sub, sizeof sub, "%s/open", folder);
    setenv("GPUTRAIN_KERNEL_CACHE", sub, 1);
    EXPECT(!mkdir(sub, 0700) && !chmod(sub, 0777));
    const gtr__compilation c = made("gtr__k_fill", "sm_80", &from_disk);
    EXPECT(c.image.data && !taken(c.key));
    EXPECT(!chmod(sub, 0700));
    gtr__cache_write(g, c.key, &c.image);
    EXPECT(taken(c.key));
    EXPECT(!chmod(sub, 0722) && !taken(c.key));
    for (const char *none : { "", "/proc/none", "/dev/null/none" }) {
        setenv("GPUTRAIN_KERNEL_CACHE", none, 1);
        gtr__cache_write(g, c.key, &c.image);
        EXPECT(!taken(c.key));
    }
    unsetenv("GPUTRAIN_KERNEL_CACHE");
    for (const char *none : { "XDG_CACHE_HOME", "HOME" }) unsetenv(none);
    gtr__cache_write(g, c.key, &c.image);
    EXPECT(!taken(c.key));
    snprintf(sub, sizeof sub, "%s/desc/of/the/user", folder);
    EXPECT(gtr__set_cache(g, sub, why));
    gtr__cache_write(g, c.key, &c.image);
    EXPECT(taken(c.key));
    EXPECT(gtr__set_cache(g, "", why) && !taken(c.key));
    char far[600];
    memset(far, 'a', sizeof far); far[599] = 0;
    EXPECT(!gtr__set_cache(g, far, why) && strstr(why, "599"));
    EXPECT(gtr__set_cache(g, NULL, why) && !taken(c.key));
    snprintf(sub, sizeof sub, "%s/xdg", folder);
    setenv("XDG_CACHE_HOME", sub, 1);
    gtr__cache_write(g, c.key, &c.image);
    EXPECT(taken(c.key));
    free(c.image.data);
}
static void touch(const char *path, const char *name, long long bytes, long days)
{
    char file[1200];
    const struct timeval when[2] = { { time(NULL) - days * 86400, 0 }, { time(NULL) - days * 86400, 0 } };
    snprintf(file, sizeof file, "%s/%s", path, name);
    FILE *f = fopen(file, "wb");
    EXPECT(f && !ftruncate(fileno(f), bytes));
    if (f) fclose(f);
    EXPECT(!utimes(file, when));
}
static bool there(const char *path, const char *name)
{
    char file[1200];
    snprintf(file, sizeof file, "%s/%s", path, name);
    return !access(file, F_OK);
}
/* The folder is bounded in bytes and age, and what is not the cache's stays. */
static void cache_bounds(const char *folder)
{
    char sub[1024];
    snprintf(sub, sizeof sub, "%s/bounds", folder);
    setenv("GPUTRAIN_KERNEL_CACHE", sub, 1);
    EXPECT(!mkdir(sub, 0700));
    touch(sub, "0123456789abcde0.kernel", 100 << 20, 3);
    touch(sub, "0123456789abcde1.kernel", 100 << 20, 2);
    touch(sub, "0123456789abcde2.kernel", 100 << 20, 1);
    touch(sub, "0123456789abcde3.kernel", 10, 1000);
    touch(sub, "0123456789abcde2.kernel.77.1", 10, 1);
    touch(sub, "0123456789abcde2.kernel.77.2", 10, 0);
    touch(sub, "notes.kernel.txt", 10, 1000);
    gtr__cache_trim(instance("sm_80"));
    EXPECT(!there(sub, "0123456789abcde0.kernel") && there(sub, "0123456789abcde1.kernel"));
    EXPECT(there(sub, "0123456789abcde2.kernel") && !there(sub, "0123456789abcde3.kernel"));
    EXPECT(!there(sub, "0123456789abcde2.kernel.77.1") && there(sub, "0123456789abcde2.kernel.77.2"));
    EXPECT(there(sub, "notes.kernel.txt"));
}
/* The host has a compilation stopped: it ends within a second, with no error, and what is done is kept. */
static void stopping()
{
    static gtr__compilation all[64];
    struct timespec begin;
    int k = 0;
    setenv("GPUTRAIN_KERNEL_CACHE", "", 1);
    for (gtr__compilation &c : all) {
        c = asked("", "sm_90a");
        snprintf(c.name, sizeof c.name, "gtr__k_resident<%d, %d, %d>", k % 3, k / 3 % 2, k / 6 * 2);
        k++;
    }
    stops = 0.3;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    EXPECT(gtr__compile_all(instance("sm_90a"), all, 64) == GTR_ERR_USER);
    const double seconds = gtr__seconds_since(&begin);
    printf("stopped after %.2f s, asked to at 0.3\n", seconds);
    EXPECT(told > 0 && told_done < 64);
    for (gtr__compilation &c : all) free(c.image.data);
    stops = 0;
}

/* A sealed list: what is listed is read, for the architecture that fits; a list that is cut, changed or of other sources
   is refused, as a file and as C's array. */
static void lists(const char *folder)
{
    static const char *const archs[] = { "75", "80", "86", "90", "90a" };
    char path[1024], why[256], line[2048];
    struct gtr__wanted w = { NULL, 0, 0 };
    gtr__compiled c;
    snprintf(path, sizeof path, "%s/kernels.list", folder);
    setenv("GPUTRAIN_KERNEL_LIST", path, 1);
    setenv("GPUTRAIN_KERNEL_CACHE", "", 1);
    for (const char *arch : archs) {
        gtr__cuda *g = instance("");
        gtr__list_device(g, arch);
        w.all = (gtr__compilation *)calloc(2, sizeof *w.all); w.n = 2;
        strcpy(w.all[0].name, "gtr__k_fill"); strcpy(w.all[1].name, "gtr__k_map<false, false>");
        gtr__list_wanted(g, &w);
        gtr__wanted_free(&w);
        *g->arch = 0;
    }
    gtr__sealed *s = gtr__list_open(path);
    EXPECT(s && gtr__list_check(s, gtr__process.text_hash, why) && gtr__listed.n == 10);
    if (!s) return;
    EXPECT(gtr__list_read(s, "gtr__k_fill", "sm_86", &c) && strstr(c.name, "gtr__k_fill"));
    free(c.data);
    EXPECT(!gtr__list_read(s, "gtr__k_fill", "sm_87", &c) && !gtr__list_read(s, "gtr__k_guard", "sm_80", &c));
    EXPECT(!strcmp(gtr__list_arch(s, 75), "sm_75") && !strcmp(gtr__list_arch(s, 87), "sm_86"));
    EXPECT(!strcmp(gtr__list_arch(s, 80), "sm_80") && !strcmp(gtr__list_arch(s, 90), "sm_90a") && !gtr__list_arch(s, 100));
    gtr__cuda *g = instance("");
    g->sealed = s;
    EXPECT(gtr__unseal(g, 87, why) == GTR_OK && g->compute == 86 && !strcmp(g->arch, "sm_86") && !g->arch_feature);
    EXPECT(gtr__unseal(g, 90, why) == GTR_OK && g->arch_feature);
    EXPECT(gtr__unseal(g, 100, why) == GTR_ERR_UNSUPPORTED && strstr(why, "10.0"));
    gtr__process.text_hash++;
    EXPECT(gtr__unseal(g, 90, why) == GTR_ERR_VERSION && strstr(why, "other versions"));
    gtr__process.text_hash--;
    unsigned char *byte = (unsigned char *)(uintptr_t)s->word;
    for (size_t i = 0; i < s->words * 8; i += 64) {
        byte[i] ^= 1;
        EXPECT(gtr__unseal(g, 90, why) == GTR_ERR_VERSION);
        byte[i] ^= 1;
        const gtr__sealed cut = { s->word, i / 8 };
        EXPECT(!gtr__list_check(&cut, gtr__process.text_hash, why));
    }
    snprintf(path, sizeof path, "%s/kernels.inc", folder);
    EXPECT(gtr__list_write(path, s->word, s->words));
    FILE *f = fopen(path, "r");
    size_t n = 0;
    unsigned long long word;
    while (f && fscanf(f, " 0x%llxu,", &word) == 1 && n < s->words && word == s->word[n]) n++;
    EXPECT(f && n == s->words && !fgets(line, sizeof line, f));
    if (f) fclose(f);
    EXPECT(!gtr__list_write("/dev/null/kernels.inc", s->word, s->words));
    EXPECT(!gtr__list_open("") && !gtr__list_open(NULL) && !gtr__list_open(folder));
    *g->arch = 0;
    g->sealed = NULL;
    free(s);
}

/* Names and keys of variants, what a kernel that does not compile says, what a program's text has. */
static void names()
{
    char name[192];
    bool from_disk;
    gtr__variant_name(GTR__VARIANT(gtr__k_max_pool_pairs, __nv_bfloat16, 2, true, false), name, sizeof name);
    EXPECT(!strcmp(name, "gtr__k_max_pool_pairs<__nv_bfloat16, 2, true, false>"));
    gtr__variant_name(GTR__KERNEL(gtr__k_fill), name, sizeof name);
    EXPECT(!strcmp(name, "gtr__k_fill"));
    EXPECT(asked("gtr__k_fill", "sm_80").key != asked("gtr__k_fill", "sm_90").key);
    EXPECT(asked("gtr__k_fill", "sm_80").key != asked("gtr__k_guard", "sm_80").key);
    const gtr__compilation c = made("gtr__k_none", "sm_80", &from_disk);
    EXPECT(!c.image.data && strstr(c.why, "gtr__k_none"));
    char *text = gtr__program_text(gtr__source_text(), "gtr__k_fill");
    EXPECT(text && strlen(text) < 100000 && strstr(text, "gtr__k_fill(") && !strstr(text, "gtr__k_guard("));
    free(text);
}

int main(int argc, char **argv)
{
    gtr__nvrtc *n = &gtr__process.nvrtc;
    if (argc < 4) return 2;
    gtr__nvrtc_open(n);
    if (!n->version) { printf("skipped: %s\n", n->why); return 0; }
    gtr__process.text_hash = 1;
    names();
    cache_files(argv[2]);
    cache_folders(argv[2]);
    cache_bounds(argv[2]);
    stopping();
    lists(argv[2]);
    setenv("GPUTRAIN_KERNEL_CACHE", "", 1);
    for (int k = 3; k < argc; k++) compile_list(argv[1], argv[k]);
    printf("NVRTC %d.%d: %d passed, %d failed\n", n->version / 1000, n->version % 1000 / 10, passed, failed);
    return failed != 0;
}
