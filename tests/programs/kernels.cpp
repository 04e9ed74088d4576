/* What is opened and made at run time, without a GPU: the driver, programs' texts, NVRTC, the cache. Compiled with
   gputrain_cuda.cu inside, which shows its private functions; where there is no NVRTC, only the driver is tried.
   usage: kernels list folder arch[:k/n]...: compiles each variant that the list names, a line each, for each
   architecture, or the k-th and each n-th behind it; the cache is tried in the folder, an absolute path. kernels many
   folder rounds: by processes and threads at once, and by processes that are killed. */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
static void *open_library(const char *path, int mode), *find_symbol(void *library, const char *name);
/* A call that is to fail, the one that has fails == 0 left before it. */
static int fails = -1, calls, listed;
static bool lucky() { calls++; return fails < 0 || fails-- != 0; }
#define dlopen open_library
#define dlsym find_symbol
#define open(...) (lucky() ? open(__VA_ARGS__) : -1)
#define read(...) (lucky() ? read(__VA_ARGS__) : -1)
#define write(...) (lucky() ? write(__VA_ARGS__) : -1)
#define rename(...) (lucky() ? rename(__VA_ARGS__) : -1)
#define mkdir(...) (lucky() ? mkdir(__VA_ARGS__) : -1)
#define unlink(...) (lucky() ? unlink(__VA_ARGS__) : -1)
#define opendir(...) (listed++, lucky() ? opendir(__VA_ARGS__) : NULL)
#include "../../gputrain_cuda.cu"
#undef dlopen
#undef dlsym
#undef open
#undef read
#undef write
#undef rename
#undef mkdir
#undef unlink
#undef opendir

static int passed, failed;
#define EXPECT(that) \
    do { if (that) passed++; else { failed++; printf("FAIL line %d: %s\n", __LINE__, #that); } } while (0)

/* What the host is told while kernels are compiled, and after how many seconds it has them stopped (0: never). */
static int told, told_done, told_all;
static double stops;
static gtr__outcome outcome;
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
/* ---- a driver of which each case says what it has ---- */
static struct { bool there; int version, devices; CUresult init; const char *lacks; } driver;
static int retained, wrong_context;
static CUcontext current;
static const char *launched;
static unsigned attributes;
static CUresult say_version(int *v) { *v = driver.version; return CUDA_SUCCESS; }
static CUresult say_init(unsigned) { return driver.init; }
static CUresult say_count(int *n) { *n = driver.devices; return CUDA_SUCCESS; }
static CUresult say_text(CUresult, const char **text) { *text = "what the driver says"; return CUDA_SUCCESS; }
static CUresult retain(CUcontext *c, CUdevice) { retained++; *c = (CUcontext)&retained; return CUDA_SUCCESS; }
static CUresult release(CUdevice) { retained--; return CUDA_SUCCESS; }
static CUresult get_current(CUcontext *c) { *c = current; return CUDA_SUCCESS; }
static CUresult set_current(CUcontext c) { current = c; return CUDA_SUCCESS; }
static CUresult launch_by_attributes(const gtr__launch_config *c, CUfunction, void **, void **) {
    launched = "attributes"; attributes = c->n_attribute; return CUDA_SUCCESS;
}
static CUresult launch_plain() { launched = "plain"; return CUDA_SUCCESS; }
static CUresult launch_together() { launched = "together"; return CUDA_SUCCESS; }
static CUresult load(CUmodule *m, const void *) {
    if (!lucky()) return CUDA_ERROR_INVALID_IMAGE;
    *m = (CUmodule)&driver;
    return CUDA_SUCCESS;
}
static CUresult get(CUfunction *f, CUmodule, const char *) {
    if (!lucky()) return CUDA_ERROR_NOT_FOUND;
    *f = (CUfunction)&driver;
    return CUDA_SUCCESS;
}
/* of what has to happen in the device's context */
static CUresult other() { wrong_context += !current; return CUDA_SUCCESS; }
static CUresult of_device() { return CUDA_SUCCESS; }
static void *open_library(const char *path, int mode)
{
    return strcmp(path, "libcuda.so.1") ? dlopen(path, mode) : driver.there ? &driver : NULL;
}
static void *find_symbol(void *library, const char *name)
{
    static const struct { const char *name; void *f; } entry[] = {
        { "cuDriverGetVersion", (void *)say_version }, { "cuInit", (void *)say_init },
        { "cuDeviceGetCount", (void *)say_count }, { "cuGetErrorString", (void *)say_text },
        { "cuGetErrorName", (void *)say_text }, { "cuDevicePrimaryCtxRetain", (void *)retain },
        { "cuDevicePrimaryCtxRelease_v2", (void *)release }, { "cuCtxGetCurrent", (void *)get_current },
        { "cuCtxSetCurrent", (void *)set_current }, { "cuLaunchKernelEx", (void *)launch_by_attributes },
        { "cuLaunchKernel", (void *)launch_plain }, { "cuLaunchCooperativeKernel", (void *)launch_together },
        { "cuModuleLoadData", (void *)load }, { "cuModuleGetFunction", (void *)get },
    };
    char word[80];
    if (library != &driver) return dlsym(library, name);
    snprintf(word, sizeof word, "%s ", name);
    if (driver.lacks && strstr(driver.lacks, word)) return NULL;
    for (auto &e : entry) if (!strcmp(e.name, name)) return e.f;
    return strncmp(name, "cuDevice", 8) ? (void *)other : (void *)of_device;
}
static void driver_is(bool there, int version, CUresult init, int devices, const char *lacks)
{
    memset(&gtr__driver, 0, sizeof gtr__driver);
    driver = { there, version, devices, init, lacks };
}
/* What creating an instance says on this driver. */
static gtr_result created(char *why)
{
    gtr__host host;
    gtr__instance_desc desc;
    void *instance;
    memset(&host, 0, sizeof host); memset(&desc, 0, sizeof desc);
    host.alloc = [](void *, size_t n) { return calloc(1, n); };
    host.free = [](void *, void *p, size_t) { free(p); };
    const gtr_result r = GTR__CUDA_SYMBOL()->create(&host, desc, &instance, why);
    EXPECT(!retained && !current && !wrong_context && !instance);
    return r;
}
#define NEWER "cuLaunchKernelEx cuOccupancyMaxActiveClusters cuTensorMapEncodeTiled cuTensorMapEncodeIm2col " \
    "cuStreamGetCaptureInfo_v3 cuStreamUpdateCaptureDependencies_v2 "
static void drivers()
{
    static const struct {
        bool there; int version; CUresult init; int devices; const char *lacks; gtr_result r; const char *why;
    } all[] = {
        { false, 0, CUDA_SUCCESS, 0, NULL, GTR_ERR_UNSUPPORTED, "no NVIDIA driver" },
        { true, 0, CUDA_SUCCESS, 0, NULL, GTR_ERR_UNSUPPORTED, "no NVIDIA driver" },
        { true, 13000, CUDA_SUCCESS, 1, "cuDriverGetVersion ", GTR_ERR_UNSUPPORTED, "no NVIDIA driver" },
        { true, 13000, CUDA_ERROR_STUB_LIBRARY, 1, NULL, GTR_ERR_UNSUPPORTED, "no NVIDIA driver" },
        { true, 11020, CUDA_SUCCESS, 1, "cuGraphInstantiateWithFlags ", GTR_ERR_UNSUPPORTED, "11.2, and 11.4 is the" },
        { true, 11040, CUDA_SUCCESS, 1, "cuStreamBeginCapture_v2 ", GTR_ERR_UNSUPPORTED, "driver too old" },
        { true, 12000, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 1, NULL, GTR_ERR_UNSUPPORTED, "what the driver says" },
        { true, 12000, CUDA_ERROR_NO_DEVICE, 0, NULL, GTR_ERR_UNSUPPORTED, "a driver, but no NVIDIA GPU" },
        { true, 12000, CUDA_SUCCESS, 0, NULL, GTR_ERR_UNSUPPORTED, "a driver, but no NVIDIA GPU" },
        { true, 12000, CUDA_ERROR_OUT_OF_MEMORY, 1, NULL, GTR_ERR_NOMEM, "out of memory" },
        { true, 12000, CUDA_ERROR_UNKNOWN, 1, NULL, GTR_ERR_CUDA, "what the driver says" },
        /* behind here the device is opened, and has no compute capability, or there is no NVRTC */
        { true, 11040, CUDA_SUCCESS, 1, NEWER "cuEventElapsedTime_v2 ", GTR_ERR_UNSUPPORTED, "" },
        { true, 99000, CUDA_SUCCESS, 1, NULL, GTR_ERR_UNSUPPORTED, "" },
    };
    for (auto &c : all) {
        char why[256] = "";
        driver_is(c.there, c.version, c.init, c.devices, c.lacks);
        EXPECT(created(why) == c.r && strstr(why, c.why) && (*c.why || !strstr(why, "driver too")));
    }
}
/* A kernel starts by what the driver has. */
static const char *start_on(int version, const char *lacks, unsigned cluster, bool together)
{
    gtr__cuda g;
    gtr__run run;
    memset((void *)&g, 0, sizeof g); memset((void *)&run, 0, sizeof run);
    snprintf(g.arch, sizeof g.arch, "sm_80");
    run.on = &g; g.host.compiling = compiling;
    const gtr__launch_desc l = { GTR__KERNEL(gtr__k_fill), NULL, 1, 32, 0, cluster, together, NULL };
    driver_is(true, version, CUDA_SUCCESS, 1, lacks);
    char why[256];
    launched = "not"; attributes = 0;
    EXPECT(gtr__driver_open(why) == GTR_OK);
    EXPECT((gtr__launch(&run, &l) == GTR_OK) == (strcmp(launched, "not") != 0));
    return launched;
}
static void launches()
{
    const int before = retained;
    EXPECT(!strcmp(start_on(12000, NULL, 1, false), "attributes") && attributes == 0);
    EXPECT(!strcmp(start_on(12000, NULL, 1, true), "attributes") && attributes == 1);
    EXPECT(!strcmp(start_on(12000, NULL, 2, true), "attributes") && attributes == 2);
    EXPECT(!strcmp(start_on(11040, NEWER, 1, false), "plain"));
    EXPECT(!strcmp(start_on(11040, NEWER, 1, true), "together"));
    EXPECT(!strcmp(start_on(11040, NEWER, 2, true), "not"));
    EXPECT(retained == before + 1);     /* by the module, which was loaded once */
}
/* What stands in place of newer headers' types and numbers is what they say. */
#if CUDA_VERSION >= 12030
#define SAME(a, b) static_assert((int)(a) == (int)(b), #a)
#define SAME_MEMBER(a, m, b, n) SAME(offsetof(a, m), offsetof(b, n))
SAME(sizeof(gtr__launch_config), sizeof(CUlaunchConfig));
SAME_MEMBER(gtr__launch_config, block, CUlaunchConfig, blockDimX);
SAME_MEMBER(gtr__launch_config, shared, CUlaunchConfig, sharedMemBytes);
SAME_MEMBER(gtr__launch_config, stream, CUlaunchConfig, hStream);
SAME_MEMBER(gtr__launch_config, attribute, CUlaunchConfig, attrs);
SAME_MEMBER(gtr__launch_config, n_attribute, CUlaunchConfig, numAttrs);
SAME(sizeof(gtr__launch_attribute), sizeof(CUlaunchAttribute));
SAME_MEMBER(gtr__launch_attribute, size, CUlaunchAttribute, value);
SAME(sizeof(gtr__graph_edge), sizeof(CUgraphEdgeData)); SAME_MEMBER(gtr__graph_edge, type, CUgraphEdgeData, type);
SAME(GTR__LAUNCH_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
SAME(GTR__LAUNCH_CLUSTER, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME(GTR__LAUNCH_PROGRAMMATIC, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
SAME(GTR__EDGE_PROGRAMMATIC, CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
SAME(GTR__EDGE_PROGRAMMATIC, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
SAME(GTR__TENSOR_PROMOTION, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
static void numbers()
{
    EXPECT(gtr__tensor_type(GTR_F32, false) == CU_TENSOR_MAP_DATA_TYPE_FLOAT32
        && gtr__tensor_type(GTR_F32, true) == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32
        && gtr__tensor_type(GTR_BF16, true) == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
        && gtr__tensor_type(GTR_F16, true) == CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
    EXPECT(gtr__tensor_swizzle(0) == CU_TENSOR_MAP_SWIZZLE_128B && gtr__tensor_swizzle(1) == CU_TENSOR_MAP_SWIZZLE_64B
        && gtr__tensor_swizzle(2) == CU_TENSOR_MAP_SWIZZLE_32B && CU_TENSOR_MAP_INTERLEAVE_NONE == 0
        && CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE == 0);
}
#else
static void numbers() { }
#endif

/* Which way gradients of weights in TF32 take on an H100: the shapes are test_ops.c's linear_long_cases, so that a GPU
   runs each; the last's turned copy would have more than four times the library's workspace. */
static void routes()
{
    static const struct { int64_t out, in, rows; bool library; int turned; } way[] = {
        { 1536, 384, 1024, true, 0 }, { 768, 3072, 1024, true, 1 }, { 3072, 768, 1024, true, 2 },
        { 768, 384, 2048, true, 0 }, { 64, 64, 2048, false, 0 }, { 1024, 1536, 1 << 19, true, 0 } };
    static char there[16];
    gtr__caps caps;
    memset(&caps, 0, sizeof caps);
    caps.compute = 90; caps.sm_count = 132; caps.arch_feature = caps.tf32 = true;
    caps.believed = gtr__believed_of(90, 132, 0, 0, 0, false);
    caps.product_workspace = (size_t)32 << 20;
    for (const auto &w : way) {
        gtr__product p = gtr__product_none();
        p.m = p.lda = w.out; p.n = p.ldb = p.ldc = w.in; p.k = w.rows;
        p.a = p.b = p.c = p.sums = there;
        const gtr__choice c = gtr__product_choice(&p, &caps, GTR_TF32);
        EXPECT(!!c.library == w.library && c.transpose == w.turned);
        EXPECT(!w.library || (c.ranges == 1 && c.ws_bytes > 0 && c.ws_bytes <= caps.product_workspace));
        EXPECT(c.copy_bytes <= 4 * caps.product_workspace);
        p.k++;                                      /* rows that nothing divides are neither turned nor cut */
        EXPECT(gtr__product_choice(&p, &caps, GTR_TF32).transpose == 0);
    }
}

/* ---- kernels ---- */
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
    gtr__compile_all(instance(arch), &c, 1, true, &outcome);
    *from_disk = gtr__process.from_disk > before;
    return c;
}

/* Kernels of programs that have all ops, forward and backward, between them; returns how many. */
static int all_steps(gtr__compilation *to, const char *arch)
{
    gtr__program_kernel m;
    char name[192];
    int n = 0, done = 0;
    memset((void *)&m, 0, sizeof m);
    for (int k = 0; k < GTR__PROGRAM_LOADS; k++) { m.load[k].t = k % 3; m.at[k].n = k % 2; m.at[k].narrow = k != 7; }
    auto add = [&](int kind, int op, int side) {
        gtr__program_instr *s = &m.instr[m.instrs++];
        s->kind = (int16_t)kind; s->op = (int16_t)op; s->side = (int16_t)side;
        s->storage = (int16_t)(done % 3); s->out.t = done % 3; s->out.add = done % 4 == 0; s->band = done % 5 == 0;
        s->out.p = done % 6 ? &m : NULL;
        done++;
    };
    auto end = [&] {
        m.loads = n % (GTR__PROGRAM_LOADS + 1); m.count = 4 + n % 2; m.width = 4;
        gtr__variant_name(gtr__program_variant(m), name, sizeof name);
        to[n++] = asked(name, arch);
        m.instrs = 0;
    };
    for (const int kind : { GTR__INSTR_COPY, GTR__INSTR_DROP, GTR__INSTR_DRAW }) add(kind, 0, 0);
    for (int op = 0; op < GTR__OP_COUNT; op++)
        for (int side = 0; side < 3; side++) {
            const int kind = gtr__instr_of((gtr__op)op);
            if (kind != GTR__INSTR_BINARY && (kind != GTR__INSTR_UNARY || side > 1)) continue;
            if (m.instrs == GTR__PROGRAM_SLOTS) end();
            add(kind, op, side);
        }
    end();
    return n;
}

/* Compiles all lines of a file for an architecture, and all kernels without arguments of a template; each that has these
   must have a line. */
static void compile_list(const char *path, const char *given)
{
    static gtr__compilation all[512];
    char line[256], name[128], arch[32] = "";
    int n = 0, part = 0, parts = 1, left = 0;
    EXPECT(sscanf(given, "%31[^:]:%d/%d", arch, &part, &parts) >= 1 && parts > 0);
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
        if (k < n) continue;
        const char *line = p, *before;              /* its line; the one before, which may have the template's */
        while (line > gtr__kernel_text && line[-1] != '\n') line--;
        for (before = line; before > gtr__kernel_text + 1 && (before == line || before[-1] != '\n'); ) before--;
        const bool of_template = !strncmp(before, "template", 8) && line[-2] != ';';
        if (!strncmp(line, "GTR__GLOBAL", 11) && !of_template && n < 480) {
            snprintf(name, sizeof name, "%.*s", (int)length, p);
            all[n++] = asked(name, arch);
        } else { failed++; printf("FAIL %.*s is not in %s\n", (int)length, p, path); }
    }
    n += all_steps(all + n, arch);
    for (int k = part % parts; k < n; k += parts) all[left++] = all[k];
    n = left;
    EXPECT(gtr__compile_all(instance(arch), all, n, true, &outcome) == GTR_OK && outcome.compiled == n);
    gtr__report_compiled(instance(arch), &outcome);
    EXPECT(told_done == n && told_all == n);
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
    const uint64_t magic = name[0] == '0' ? GTR__CACHE_MAGIC : 0;
    EXPECT(f && (!bytes || fwrite(&magic, sizeof magic, 1, f) == 1) && !fflush(f) && !ftruncate(fileno(f), bytes));
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
    touch(sub, "0123456789abcde2.kernel.77.3", 0, 1);
    touch(sub, "notes.kernel.txt", 10, 1000);
    /* a user's own, whatever they are called: old, and so large that nothing else had room */
    static const char *const own[] = { "f123456789abcde3.kernel", "abcdefghijklmnop.kernel", "f123456789abcde4.kernel.1.2",
        "0123456789ABCDEF.kernel", "0123456789abcde5.kernel.txt", "0123456789abcde6.kernel.1", ".written.txt" };
    for (const char *name : own) touch(sub, name, 300 << 20, 1000);
    gtr__cache_trim(instance("sm_80"));
    for (const char *name : own) EXPECT(there(sub, name));
    EXPECT(!there(sub, "0123456789abcde2.kernel.77.3"));
    EXPECT(!there(sub, "0123456789abcde0.kernel") && there(sub, "0123456789abcde1.kernel"));
    EXPECT(there(sub, "0123456789abcde2.kernel") && !there(sub, "0123456789abcde3.kernel"));
    EXPECT(!there(sub, "0123456789abcde2.kernel.77.1") && there(sub, "0123456789abcde2.kernel.77.2"));
    EXPECT(there(sub, "notes.kernel.txt"));
    /* it is not listed again until much was written, by whichever process, and then from time to time */
    listed = 0;
    touch(sub, "0123456789abcde3.kernel", 10, 1000);
    for (int k = 0; k < 100; k++) { gtr__cache_written += 100000; gtr__cache_trim(instance("sm_80")); }
    EXPECT(listed == 0 && there(sub, "0123456789abcde3.kernel"));
    for (int k = 0; k < 400; k++) { gtr__cache_written += 100000; gtr__cache_trim(instance("sm_80")); }
    EXPECT(listed == 1 && !there(sub, "0123456789abcde3.kernel"));
}
/* What the log says of a folder, once; NULL: nothing. */
static char noted[700];
static int notes;
static void note_log(void *, gtr_level, const char *text) { notes++; snprintf(noted, sizeof noted, "%s", text); }
static const char *told_of(const char *folder)
{
    gtr__cuda g;
    memset((void *)&g, 0, sizeof g);
    g.host.log = note_log;
    notes = 0; *noted = 0;
    if (folder) setenv("GPUTRAIN_KERNEL_CACHE", folder, 1); else unsetenv("GPUTRAIN_KERNEL_CACHE");
    gtr__cache_warn(&g);
    EXPECT(notes == (*noted != 0) && (!notes || strstr(noted, "are not kept")));
    EXPECT(!notes || !folder || strlen(folder) > 400 || strstr(noted, folder));
    return notes ? noted : NULL;
}
static void cache_told(const char *folder)
{
    static char sub[1200], far[6000];
    char why[256];
    snprintf(sub, sizeof sub, "%s/told", folder);
    EXPECT(!told_of(sub) && !told_of(""));
    EXPECT(!chmod(sub, 0775) && told_of(sub) && strstr(noted, "chmod go-w"));
    EXPECT(!chmod(sub, 0700) && !told_of(sub));
    EXPECT(told_of("/dev/null") && told_of("/dev/null/none") && told_of("/proc/none"));
    snprintf(far, sizeof far, "%s/%01000d", sub, 0);
    EXPECT(told_of(far) && strstr(noted, "longer"));
    for (const char *none : { "XDG_CACHE_HOME", "HOME" }) unsetenv(none);
    EXPECT(told_of(NULL) && strstr(noted, "HOME"));
    setenv("HOME", sub, 1);
    EXPECT(!told_of(NULL) && there(sub, ".cache/gputrain"));
    /* a sealed list that is not there is no folder, and none is made; what is there is what it is */
    driver_is(true, 12000, CUDA_SUCCESS, 1, NULL);
    snprintf(sub, sizeof sub, "%s/told/kernels.list", folder);
    setenv("GPUTRAIN_KERNEL_CACHE", sub, 1);
    EXPECT(created(why) == GTR_ERR_IO && strstr(why, "kernels.list") && !there(folder, "told/kernels.list"));
    EXPECT(told_of(sub) && !there(folder, "told/kernels.list"));
    snprintf(sub, sizeof sub, "%s/told/of.v2/", folder);
    EXPECT(!told_of(sub) && there(folder, "told/of.v2"));
    sub[strlen(sub) - 1] = 0;
    EXPECT(!told_of(sub));
    snprintf(sub, sizeof sub, "%s/told/bad.list", folder);
    FILE *f = fopen(sub, "w");
    EXPECT(f && fputs("of 8 bytes, twice", f) >= 0 && !fclose(f));
    setenv("GPUTRAIN_KERNEL_CACHE", sub, 1);
    EXPECT(created(why) == GTR_ERR_VERSION && strstr(why, "bad.list"));
    /* folders that the environment names are names, not patterns, and one that is too long is none */
    snprintf(sub, sizeof sub, "%s/told/of [a-z]*/.local/lib/python3.9/x-packages/nvidia/cuda/lib", folder);
    static const char by[] = "told/of by/.local/lib/python3.9/x-packages/nvidia/cuda/lib";
    snprintf(far, sizeof far, "mkdir -p '%s' '%s/%s' && touch '%s/x.so' '%s/%s/x.so'", sub, folder, by, sub, folder, by);
    EXPECT(!system(far));
    snprintf(far, sizeof far, "%s/told/of [a-z]*", folder);
    setenv("HOME", far, 1);
    int seen = 0;
    gtr__library_of_pip("x.so", [&](const char *path) { EXPECT(!strncmp(path, far, strlen(far))); seen++; return false; });
    EXPECT(seen == 1);
    /* a process with more rights than its user goes by no variable, and keeps nothing */
    if (!getuid()) {
        const pid_t child = fork();
        int status = 1;
        snprintf(sub, sizeof sub, "%s/told", folder);
        if (!child) {
            if (seteuid(65534)) _exit(2);
            setenv("CUDA_PATH", folder, 1);
            _exit(gtr__variable("CUDA_PATH") || gtr__variable("HOME") || gtr__cache_given(instance("sm_80"))
                || !told_of(sub) || !strstr(noted, "more rights"));
        }
        EXPECT(child > 0 && waitpid(child, &status, 0) == child && !status);
    }
    unsetenv("HOME"); unsetenv("GPUTRAIN_KERNEL_CACHE");
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
    EXPECT(gtr__compile_all(instance("sm_90a"), all, 64, true, &outcome) == GTR_ERR_USER);
    const double seconds = gtr__seconds_since(&begin);
    printf("stopped after %.2f s, asked to at 0.3\n", seconds);
    EXPECT(told > 0 && told_done < 64);
    for (gtr__compilation &c : all) free(c.image.data);
    stops = 0;
}

/* Each call of the cache fails once, on an empty folder and on a full one: a kernel is had all the same. Each call that
   compiles or loads fails once: that kernel is not had, which is said, and is had the next time. */
static void failures(const char *folder)
{
    char sub[1024], file[1200];
    snprintf(sub, sizeof sub, "%s/failures", folder);
    setenv("GPUTRAIN_KERNEL_CACHE", sub, 1);
    for (int full = 0; full < 2; full++)
        for (int k = 0, done = 0; !done; k++) {
            bool from_disk;
            gtr__compilation c = asked("gtr__k_fill", "sm_80");
            snprintf(file, sizeof file, "%s/%016llx.kernel", sub, (unsigned long long)c.key);
            if (!full) {
                unlink(file);
                snprintf(file, sizeof file, "%s/.written", sub);
                unlink(file); rmdir(sub);
            }
            fails = k; calls = 0;
            c = made("gtr__k_fill", "sm_80", &from_disk);
            done = fails >= 0;
            fails = -1;
            EXPECT(c.image.data && k < 40);
            free(c.image.data);
        }
    for (int k = 0; k < 2; k++) {       /* cuModuleLoadData, cuModuleGetFunction */
        gtr__cuda *g = instance("sm_80");
        gtr__compilation c = asked("gtr__k_check", "sm_80");
        char why[256];
        driver_is(true, 12000, CUDA_SUCCESS, 1, NULL);
        EXPECT(gtr__driver_open(why) == GTR_OK);
        setenv("GPUTRAIN_KERNEL_CACHE", "", 1);
        fails = k;
        EXPECT(gtr__make(g, &c, 1, true, &outcome) == GTR_ERR_UNSUPPORTED && strstr(c.why, "gtr__k_check") && !gtr__is_loaded(g, c.name));
        fails = -1;
        if (k) EXPECT(gtr__make(g, &c, 1, true, &outcome) == GTR_OK && gtr__is_loaded(g, c.name));
    }
}

/* Variants that no plan holds are unloaded where they are many, and never while a step is captured; a context is kept
   for each that is loaded. */
static void unloading()
{
    gtr__cuda *g = instance("sm_80");
    gtr__held held = { NULL, 0 };
    char why[256];
    driver_is(true, 12000, CUDA_SUCCESS, 1, NULL);
    EXPECT(gtr__driver_open(why) == GTR_OK);
    const int before = gtr__process.n_loaded, kept = retained;
    auto load = [&](int from, int n) {
        for (int k = from; k < from + n; k++) {
            gtr__compilation c = asked("", "sm_80");
            snprintf(c.name, sizeof c.name, "variant<%d>", k);
            c.image.data = why;
            EXPECT(gtr__load_module(g, &c) == GTR_OK && gtr__is_loaded(g, c.name));
        }
    };
    auto key = [&](int k) {
        char name[32];
        snprintf(name, sizeof name, "variant<%d>", k);
        return gtr__loaded_key(g, name);
    };
    load(0, GTR__UNHELD_MOST / 2);
    gtr__unload_unheld(g);
    EXPECT(gtr__process.n_loaded == before + GTR__UNHELD_MOST / 2);
    load(GTR__UNHELD_MOST / 2, GTR__UNHELD_MOST);
    for (int k = 0; k < 20; k += 2) EXPECT(gtr__held_add(&held, key(k)) && gtr__held_add(&held, key(k)));
    EXPECT(held.n == 10);
    gtr__capture_count(1);
    gtr__unload_unheld(g);
    EXPECT(gtr__process.n_loaded == before + GTR__UNHELD_MOST * 3 / 2);
    gtr__capture_count(-1);
    gtr__unload_unheld(g);
    EXPECT(gtr__process.n_loaded == 10 && retained == kept - before + 10);
    for (int k = 0; k < 20; k++) EXPECT((gtr__loaded_at(key(k))->key != 0) == (k % 2 == 0));
    gtr__held_drop(&held);
    load(100, GTR__UNHELD_MOST);
    gtr__unload_unheld(g);
    EXPECT(gtr__process.n_loaded == 0 && retained == kept - before);
}

/* ---- many at once ---- */
static const char *const few[] = { "gtr__k_fill", "gtr__k_check", "gtr__k_report", "gtr__k_guard", "gtr__k_map<false, 1>" };
static void *make_few(void *arch)
{
    gtr__outcome of;
    for (const char *name : few) {
        gtr__compilation c = asked(name, (const char *)arch);
        gtr__process_hold();
        gtr__compile_all(instance((const char *)arch), &c, 1, false, &of);
        gtr__process_drop();
        if (!c.image.data) _exit(3);
        free(c.image.data);
    }
    return NULL;
}
static int process_of_threads()
{
    static char arch[2][8] = { "sm_80", "sm_90" };
    pthread_t thread[16];
    for (char *a : arch) instance(a);
    for (int k = 0; k < 16; k++) if (pthread_create(&thread[k], NULL, make_few, arch[k % 2])) return 3;
    for (pthread_t t : thread) pthread_join(t, NULL);
    return 0;
}
/* Files of the folder that are not taken; those that were being written do not count. */
static int broken_files(const char *folder, int *whole)
{
    int broken = 0;
    DIR *d = opendir(folder);
    struct dirent *e;
    *whole = 0;
    while (d && (e = readdir(d)) != NULL) {
        const char *kind = strstr(e->d_name, ".kernel");
        if (!kind || kind[7]) continue;
        if (taken(strtoull(e->d_name, NULL, 16))) ++*whole;
        else broken++;
    }
    if (d) closedir(d);
    return broken;
}
static int many_at_once(const char *self, const char *folder, int rounds)
{
    int failures = 0, broken = 0, whole = 0, killed = 0;
    setenv("GPUTRAIN_KERNEL_CACHE", folder, 1);
    for (int round = 0; round < rounds; round++) {
        pid_t child[8];
        const bool all = round == 0;            /* at first eight, to the end; then one that is killed */
        char path[1200], command[1400];
        if (round % 10 == 0) {
            snprintf(command, sizeof command, "rm -rf '%s'", folder);
            if (system(command)) return 2;
        }
        for (int k = 0; k < (all ? 8 : 1); k++)
            if (!(child[k] = fork())) { execl(self, self, "process", folder, (char *)NULL); _exit(4); }
        if (!all) { usleep((useconds_t)(20000 + round * 7919 % 400000)); killed += !kill(child[0], SIGKILL); }
        for (int k = 0; k < (all ? 8 : 1); k++) {
            int status = 0;
            waitpid(child[k], &status, 0);
            failures += all && status != 0;
        }
        snprintf(path, sizeof path, "%s", folder);
        broken += broken_files(path, &whole);
        if (all) printf("8 processes of 16 threads: %d failed, %d files, %d broken\n", failures, whole, broken);
        failures += all && whole != 11;           /* and that NVRTC compiles */
    }
    printf("%d killed, %d broken files, %d failed\n", killed, broken, failures);
    return broken || failures;
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
        gtr__usual_device(g, arch);
        w.all = (gtr__compilation *)calloc(2, sizeof *w.all); w.n = 2;
        strcpy(w.all[0].name, "gtr__k_fill"); strcpy(w.all[1].name, "gtr__k_map<false, 1>");
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
    EXPECT(!strcmp(gtr__list_arch(s, 75, true), "sm_75") && !strcmp(gtr__list_arch(s, 87, true), "sm_86"));
    EXPECT(!strcmp(gtr__list_arch(s, 80, true), "sm_80") && !strcmp(gtr__list_arch(s, 90, true), "sm_90a") && !gtr__list_arch(s, 100, true)
        && !strcmp(gtr__list_arch(s, 90, false), "sm_90"));
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
    for (const char *bad : { "short", "of 8 byte" "s, twice" }) {       /* files that are none */
        snprintf(path, sizeof path, "%s/bad.list", folder);
        f = fopen(path, "w");
        EXPECT(f && fputs(bad, f) >= 0);
        if (f) fclose(f);
        gtr__sealed *none = gtr__list_open(path);
        EXPECT(none && !gtr__list_check(none, gtr__process.text_hash, why) && strstr(why, "broken"));
        free(none);
    }
    /* entries that lie, under a hash that does not */
    gtr__list_entry *first = (gtr__list_entry *)(uintptr_t)(s->word + sizeof(gtr__list_head) / 8);
    uint64_t *last = (uint64_t *)(uintptr_t)&s->word[s->words - 1];
    for (int k = 0; k < 6; k++) {
        const gtr__list_entry was = *first;
        if (k == 0) first->words = 0;
        if (k == 1) first->words = ~(uint64_t)0 / 8;
        if (k == 2) first->bytes = ~(uint64_t)0 - 8;
        if (k == 3) first->bytes += 8;
        if (k == 4) memset(first->name, 'x', sizeof first->name);
        if (k == 5) memset(first->entry, 'x', sizeof first->entry);
        *last = gtr__hash_words(s->word, (s->words - 1) * 8, 1);
        EXPECT(!gtr__list_check(s, gtr__process.text_hash, why));
        *first = was;
    }
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
    char *text = gtr__program_text(gtr__source_text(), "gtr__k_fill", "#define GTR__KNOWN_HERE 1\n");
    EXPECT(text && strstr(text, "#define GTR__KNOWN_HERE 1\n") == text);
    EXPECT(text && strlen(text) < 100000 && strstr(text, "gtr__k_fill(") && !strstr(text, "gtr__k_guard("));
    free(text);
}

/* What a program's kernel has as constants says what its steps and loads are; 0 is behind the last of each. */
static void programs()
{
    static const int16_t kinds[] = { GTR__INSTR_COPY, GTR__INSTR_BAND, GTR__INSTR_SPREAD, GTR__INSTR_DROP, GTR__INSTR_DRAW,
        GTR__INSTR_UNARY, GTR__INSTR_BINARY };
    uint32_t seed = 1;
    auto draw = [&](int n) { seed = seed * 1664525u + 1013904223u; return (int)((seed >> 8) % (uint32_t)n); };
    for (int round = 0; round < 20000; round++) {
        gtr__program_kernel m;
        uint64_t c[GTR__PROGRAM_CONSTANTS];
        memset((void *)&m, 0, sizeof m);
        m.loads = draw(GTR__PROGRAM_LOADS + 1); m.instrs = 1 + draw(GTR__PROGRAM_SLOTS);
        m.count = 1 + draw(1000); m.width = draw(2) ? 4 : 1;
        for (int k = 0; k < GTR__PROGRAM_SLOTS; k++) {
            gtr__program_instr *s = &m.instr[k];
            m.at[k].n = draw(3); m.at[k].narrow = draw(8) != 0; m.at[k].sa[1] = draw(2);
            if (k < m.loads) m.load[k].t = draw(3);
            s->kind = kinds[draw(7)]; s->op = (int16_t)draw(GTR__OP_COUNT); s->side = (int16_t)draw(3);
            s->storage = (int16_t)draw(3); s->band = (int8_t)draw(3);
            s->out.p = draw(2) ? &m : NULL; s->out.t = draw(3); s->out.add = draw(2);
        }
        bool same = true, far = false;
        gtr__program_constants(m, c);
        for (int k = 0; k < GTR__PROGRAM_SLOTS + 1; k++) {
            const gtr__instr_facts f = gtr__instr_decoded(gtr__instr_bits(k, c[1], c[2], c[3], c[4]));
            const gtr__program_instr s = m.instr[k < m.instrs ? k : 0];
            const bool formula = s.kind == GTR__INSTR_UNARY || s.kind == GTR__INSTR_BINARY;
            if (k >= m.instrs) { same = same && f.kind == 0; continue; }
            far = far || (m.at[k].n && !m.at[k].narrow);
            same = same && f.kind == (formula || s.kind >= GTR__INSTR_DROP ? s.kind : (int)GTR__INSTR_COPY)
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
        for (int k = 0; k < GTR__PROGRAM_SLOTS; k++) far = far || (m.at[k].n && !m.at[k].narrow);
        same = same && far == ((c[0] & GTR__PROGRAM_FAR) != 0) && (c[0] >> 62) == 0
            && (m.width == 4 && m.count % 4 == 0) == ((c[0] & GTR__PROGRAM_WHOLE) != 0);
        if (same) passed++; else { failed++; printf("FAIL program %d is not what its constants say\n", round); }
    }
}

int main(int argc, char **argv)
{
    gtr__nvrtc *n = &gtr__process.nvrtc;
    if (argc == 4 && !strcmp(argv[1], "many")) return many_at_once(argv[0], argv[2], atoi(argv[3]));
    if (argc == 3 && !strcmp(argv[1], "process")) {
        gtr__nvrtc_open(instance("sm_80"), n);
        return n->version ? process_of_threads() : 5;
    }
    char why[256];
    if (argc < 4) return 2;
    setenv("GPUTRAIN_KERNEL_CACHE", "", 1);
    numbers();
    routes();
    drivers();
    driver_is(true, 99000, CUDA_SUCCESS, 1, NULL);      /* it takes every NVRTC */
    EXPECT(gtr__driver_open(why) == GTR_OK);
    if (!n->version) gtr__nvrtc_open(instance("sm_80"), n);
    if (!n->version) {
        printf("kernels skipped: %s; %d passed, %d failed\n", n->why, passed, failed);
        return failed != 0;
    }
    gtr__process.text_hash = 1;
    names();
    programs();
    cache_files(argv[2]);
    cache_folders(argv[2]);
    cache_bounds(argv[2]);
    cache_told(argv[2]);
    failures(argv[2]);
    unloading();
    stopping();
    lists(argv[2]);
    setenv("GPUTRAIN_KERNEL_CACHE", "", 1);
    launches();
    for (int k = 3; k < argc; k++) compile_list(argv[1], argv[k]);
    printf("NVRTC %d.%d: %d passed, %d failed\n", n->version / 1000, n->version % 1000 / 10, passed, failed);
    return failed != 0;
}
