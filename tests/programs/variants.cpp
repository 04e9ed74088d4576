/* What a network's first step has compiled: how many variants, of how many PTX instructions, in how many seconds of a
   core, and how many of these NVRTC takes to parse the program. Compiled with gputrain_cuda.cu inside; variants.c
   plans the networks. Exits with 1 where a limit is passed.
   usage: variants table, which has a line a network: name, variants at most, PTX instructions at most */
#include "../../gputrain_cuda.cu"
#include <stdlib.h>

extern "C" int plan_network(const char *name, gtr_result (*prepare)(void *const *instances, gtr__plan *plan, void **));

#define RATIO_MOST 150      /* a variant's seconds by those of an empty kernel */
typedef struct cost { char name[192]; long instructions; double seconds, parsing; } cost;
static cost known[512], *at;    /* of each variant once; at: of which is being compiled */
static int n_known, failed;
static struct { int variants, templates; long instructions; double seconds, parsing; } sum;
static gtr__nvrtc nvrtc;        /* its own functions */
static const char *text;
static double empty = 1e9;

static double now()
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
/* Seconds to compile what a text has of itself: of templates nothing. */
static double compile_text(const char *of, int n, const char *const *option)
{
    void *program = NULL;
    const double begin = now();
    const bool ok = !nvrtc.CreateProgram(&program, of, "text.cu", 0, NULL, NULL)
        && !nvrtc.CompileProgram(program, n, option);
    const double seconds = now() - begin;
    if (program) nvrtc.DestroyProgram(&program);
    failed += !ok;
    return seconds;
}
static long instructions_of(const char *ptx)
{
    long n = 0;
    for (const char *p = ptx; (p = strchr(p, '\n')) != NULL; p++)
        n += p > ptx && p[-1] == ';' && p[1] == '\t' && p[2] != '.' && p[2] != '/';
    return n;
}
static int create(void **program, const char *of, const char *name, int n, const char *const *headers,
    const char *const *names)
{
    text = of;
    return nvrtc.CreateProgram(program, of, name, n, headers, names);
}
static int compile(void *program, int n, const char *const *option)
{
    const double begin = now();
    const int e = nvrtc.CompileProgram(program, n, option);
    size_t bytes = 0;
    at->seconds = now() - begin;
    char *ptx = e || nvrtc.GetPTXSize(program, &bytes) ? NULL : (char *)malloc(bytes + 1);
    if (ptx && !nvrtc.GetPTX(program, ptx)) at->instructions = instructions_of(ptx);
    free(ptx);
    if (strchr(at->name, '<')) at->parsing = compile_text(text, n, option);
    for (int i = 0; i < 3 && n_known == 1; i++) {
        const double seconds = compile_text("__global__ void empty() { }", n, option);
        if (seconds < empty) empty = seconds;
    }
    return e;
}
static void add(const gtr__compilation *wanted, const gtr__cuda *on)
{
    for (at = known; at < known + n_known && strcmp(at->name, wanted->name); ) at++;
    if (at == known + n_known) {
        gtr__compilation c = *wanted;
        gtr__compiling w;
        memset((void *)&w, 0, sizeof w);
        memcpy(at->name, c.name, sizeof c.name);
        n_known++;
        c.on = on;
        gtr__compile(&c, &w);
        if (!c.image.data || !at->instructions) { printf("FAIL %s: %s\n", c.name, c.why); failed++; }
        free(c.image.data);
    }
    sum.variants++; sum.instructions += at->instructions; sum.seconds += at->seconds;
    if (at->parsing > 0) { sum.templates++; sum.parsing += at->parsing; }
}
static gtr_result prepare(void *const *instances, gtr__plan *plan, void **)
{
    gtr__instance *in = (gtr__instance *)instances[0];
    struct gtr__wanted w = { NULL, 0, 0 };
    if (!nvrtc.version) {
        nvrtc = gtr__process.nvrtc;
        gtr__process.nvrtc.CreateProgram = create; gtr__process.nvrtc.CompileProgram = compile;
        gtr__source_text();
    }
    for (int i = 0; i < plan->n_node; i++) gtr__want_node(in, plan, &plan->node[i], gtr__step_watches(plan), &w);
    for (int i = 0; i < w.n && n_known < 512; i++) add(&w.all[i], &in->g);
    gtr__wanted_free(&w);
    return GTR_OK;
}
int main(int argc, char **argv)
{
    char line[256], name[64];
    int variants;
    long instructions;
    FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!f) return 2;
    setenv("GPUTRAIN_KERNEL_CACHE", "", 1);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%63[^# \n] %d %ld", name, &variants, &instructions) != 3) continue;
        memset(&sum, 0, sizeof sum);
        const int r = plan_network(name, prepare);
        if (r == 2) { printf("skipped: no NVRTC\n"); return 0; }
        failed += r != 0 || !sum.variants;
        if (!sum.variants) continue;
        const bool more = sum.variants > variants || (nvrtc.version / 1000 == 13 && sum.instructions > instructions);
        failed += more;
        printf("%-19s %2d variants (at most %d), %5ld PTX instructions (at most %ld); "
            "%.2f s of a core each, parsing %.2f%s\n", name, sum.variants, variants, sum.instructions, instructions,
            sum.seconds / sum.variants, sum.parsing / (sum.templates ? sum.templates : 1), more ? "; FAIL" : "");
        fflush(stdout);
    }
    fclose(f);
    double seconds = 0;
    for (int i = 0; i < n_known; i++) seconds += known[i].seconds;
    const double ratio = n_known ? seconds / n_known / empty : 0;
    printf("NVRTC %d.%d: %d variants in %.1f s, %.0f times an empty kernel's %.3f s each (at most %d)\n",
        nvrtc.version / 1000, nvrtc.version % 1000 / 10, n_known, seconds, ratio, empty, RATIO_MOST);
    return failed || !n_known || ratio > RATIO_MOST;
}
