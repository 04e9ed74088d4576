/* What makes kernels at run time, without a GPU: programs' texts, NVRTC, the cache. Compiled with gputrain_cuda.cu
   inside, which shows its private functions; skipped where there is no NVRTC.
   usage: kernels list folder arch...: compiles each variant that the list names, a line each, for each architecture;
   the cache is tried in the folder, an absolute path. */
#define cudaDriverGetVersion kernels_driver_version     /* a driver that takes every NVRTC */
#include "../gputrain_cuda.cu"
extern "C" cudaError_t kernels_driver_version(int *version) { *version = 99000; return cudaSuccess; }

static int passed, failed;
#define EXPECT(that) do { if (that) passed++; else { failed++; printf("FAIL line %d: %s\n", __LINE__, #that); } } while (0)

static gtr__compilation asked(const char *name, const char *arch)
{
    gtr__compilation c;
    memset((void *)&c, 0, sizeof c);
    c.arch = arch;
    snprintf(c.name, sizeof c.name, "%s", name);
    c.key = gtr__compilation_key(&c);
    return c;
}

/* Kernels of programs that have all ops, forward and backward, between them; returns how many. */
static int all_steps(gtr__compilation *to, const char *arch)
{
    gtr__program_kernel m;
    char name[192];
    int n = 0, done = 0;
    memset((void *)&m, 0, sizeof m);
    for (int k = 0; k < GTR__PROGRAM_LOADS; k++) { m.load[k].t = k % 3; m.at[k].n = k % 2; m.at[k].small = k != 7; }
    auto add = [&](int kind, int op, int side) {
        gtr__program_step *s = &m.step[m.steps++];
        s->kind = (int16_t)kind; s->op = (int16_t)op; s->side = (int16_t)side;
        s->storage = (int16_t)(done % 3); s->out.t = done % 3; s->out.add = done % 4 == 0; s->band = done % 5 == 0;
        s->out.p = done % 6 ? &m : NULL;
        done++;
    };
    auto end = [&] {
        m.loads = n % (GTR__PROGRAM_LOADS + 1); m.count = 4 + n % 2; m.width = 4;
        gtr__variant_name(gtr__program_variant(m), name, sizeof name);
        to[n++] = asked(name, arch);
        m.steps = 0;
    };
    for (const int kind : { GTR__STEP_COPY, GTR__STEP_DROP, GTR__STEP_DRAW }) add(kind, 0, 0);
    for (int op = 0; op < GTR__OP_COUNT; op++)
        for (int side = 0; side < 3; side++) {
            const int kind = gtr__step_of((gtr__op)op);
            if (kind != GTR__STEP_BINARY && (kind != GTR__STEP_UNARY || side > 1)) continue;
            if (m.steps == GTR__PROGRAM_SLOTS) end();
            add(kind, op, side);
        }
    end();
    return n;
}

/* Compiles all lines of a file for an architecture; every kernel of the source must have one. */
static void compile_list(const char *path, const char *arch)
{
    static gtr__compilation all[512];
    char line[256];
    int n = 0;
    FILE *f = fopen(path, "r");
    EXPECT(f != NULL);
    while (f && n < 480 && fgets(line, sizeof line, f)) {
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
    n += all_steps(all + n, arch);
    gtr__compile_all(all, n);
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
    const bool is = gtr__cache_read(key, &c);
    if (is) free(c.data);
    return is;
}

/* A file is taken whole or not at all: cut and changed at every 64th byte, longer by one, of another key. */
static void cache_files(const char *folder)
{
    char path[1024], other[1024];
    gtr__compilation c = asked("gtr__k_fill", "sm_80"), again = c;
    bool from_disk;
    setenv("GPUTRAIN_KERNEL_CACHE", folder, 1);
    gtr__compile(&c, &from_disk);
    EXPECT(!from_disk && c.image.data);
    gtr__compile(&again, &from_disk);
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
    char sub[1024];
    gtr__compilation c = asked("gtr__k_fill", "sm_86");
    bool from_disk;
    snprintf(sub, sizeof sub, "%s/open", folder);
    setenv("GPUTRAIN_KERNEL_CACHE", sub, 1);
    EXPECT(!mkdir(sub, 0700) && !chmod(sub, 0777));
    gtr__compile(&c, &from_disk);
    EXPECT(c.image.data && !taken(c.key));
    EXPECT(!chmod(sub, 0700));
    gtr__cache_write(c.key, &c.image);
    EXPECT(taken(c.key));
    EXPECT(!chmod(sub, 0722) && !taken(c.key));
    for (const char *none : { "", "/proc/none", "/dev/null/none" }) {
        setenv("GPUTRAIN_KERNEL_CACHE", none, 1);
        gtr__cache_write(c.key, &c.image);
        EXPECT(!taken(c.key));
    }
    unsetenv("GPUTRAIN_KERNEL_CACHE");
    for (const char *none : { "XDG_CACHE_HOME", "HOME" }) unsetenv(none);
    gtr__cache_write(c.key, &c.image);
    EXPECT(!taken(c.key));
    snprintf(sub, sizeof sub, "%s/xdg", folder);
    setenv("XDG_CACHE_HOME", sub, 1);
    gtr__cache_write(c.key, &c.image);
    EXPECT(taken(c.key));
    free(c.image.data);
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
    gtr__compilation c = asked("gtr__k_none", "sm_80");
    gtr__compile(&c, &from_disk);
    EXPECT(!c.image.data && strstr(c.why, "gtr__k_none"));
    char *text = gtr__program_text(gtr__source_text(), "gtr__k_fill");
    EXPECT(text && strlen(text) < 100000 && strstr(text, "gtr__k_fill(") && !strstr(text, "gtr__k_guard("));
    free(text);
}

/* What a program's kernel has as constants says what its steps and loads are; 0 is behind the last of each. */
static void programs()
{
    static const int16_t kinds[] = { GTR__STEP_COPY, GTR__STEP_BAND, GTR__STEP_SPREAD, GTR__STEP_DROP, GTR__STEP_DRAW,
        GTR__STEP_UNARY, GTR__STEP_BINARY };
    uint32_t seed = 1;
    auto draw = [&](int n) { seed = seed * 1664525u + 1013904223u; return (int)((seed >> 8) % (uint32_t)n); };
    for (int round = 0; round < 20000; round++) {
        gtr__program_kernel m;
        uint64_t c[GTR__PROGRAM_CONSTANTS];
        memset((void *)&m, 0, sizeof m);
        m.loads = draw(GTR__PROGRAM_LOADS + 1); m.steps = 1 + draw(GTR__PROGRAM_SLOTS);
        m.count = 1 + draw(1000); m.width = draw(2) ? 4 : 1;
        for (int k = 0; k < GTR__PROGRAM_SLOTS; k++) {
            gtr__program_step *s = &m.step[k];
            m.at[k].n = draw(3); m.at[k].small = draw(8) != 0; m.at[k].sa[1] = draw(2);
            if (k < m.loads) m.load[k].t = draw(3);
            s->kind = kinds[draw(7)]; s->op = (int16_t)draw(GTR__OP_COUNT); s->side = (int16_t)draw(3);
            s->storage = (int16_t)draw(3); s->band = (int8_t)draw(3);
            s->out.p = draw(2) ? &m : NULL; s->out.t = draw(3); s->out.add = draw(2);
        }
        bool same = true, far = false;
        gtr__program_constants(m, c);
        for (int k = 0; k < GTR__PROGRAM_SLOTS + 1; k++) {
            const gtr__step_facts f = gtr__step_decoded(gtr__step_bits(k, c[1], c[2], c[3], c[4]));
            const gtr__program_step s = m.step[k < m.steps ? k : 0];
            const bool formula = s.kind == GTR__STEP_UNARY || s.kind == GTR__STEP_BINARY;
            if (k >= m.steps) { same = same && f.kind == 0; continue; }
            far = far || (m.at[k].n && !m.at[k].small);
            same = same && f.kind == (formula || s.kind >= GTR__STEP_DROP ? s.kind : (int)GTR__STEP_COPY)
                && (!formula || (f.op == s.op && f.side == s.side)) && f.storage == s.storage
                && f.stored == (s.out.p != NULL)
                && (!s.out.p || (f.type == s.out.t && f.adds == s.out.add && f.banded == (s.band != 0)));
        }
        for (int k = 0; k < GTR__PROGRAM_LOADS + 1; k++) {
            const gtr__load_facts f = gtr__load_decoded(gtr__load_bits(k, c[0]));
            same = same && f.is == (k < m.loads);
            if (k < m.loads) same = same && f.type == m.load[k].t && f.strided == (m.at[k].n != 0)
                && f.one == (m.at[k].n == 1 ? 1 : m.at[k].n == 2 && !m.at[k].sa[1]);
        }
        for (int k = 0; k < GTR__PROGRAM_SLOTS; k++) far = far || (m.at[k].n && !m.at[k].small);
        same = same && far == ((c[0] & GTR__PROGRAM_FAR) != 0) && (c[0] >> 62) == 0
            && (m.width == 4 && m.count % 4 == 0) == ((c[0] & GTR__PROGRAM_WHOLE) != 0);
        if (same) passed++; else { failed++; printf("FAIL program %d is not what its constants say\n", round); }
    }
}

int main(int argc, char **argv)
{
    gtr__nvrtc *n = &gtr__process.nvrtc;
    if (argc < 4) return 2;
    gtr__nvrtc_open(n);
    if (!n->version) { printf("skipped: %s\n", n->why); return 0; }
    gtr__process.text_hash = 1;
    names();
    programs();
    cache_files(argv[2]);
    cache_folders(argv[2]);
    setenv("GPUTRAIN_KERNEL_CACHE", "", 1);
    for (int k = 3; k < argc; k++) compile_list(argv[1], argv[k]);
    printf("NVRTC %d.%d: %d passed, %d failed\n", n->version / 1000, n->version % 1000 / 10, passed, failed);
    return failed != 0;
}
