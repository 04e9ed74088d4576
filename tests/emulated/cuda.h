// A GPU in software, for machines without one: CUDA's driver and what kernels are written in, so that
// gputrain_cuda.cu, translated by translate.c, is C++ that runs on the host. A kernel's threads are fibers, which one
// thread of the host switches between where they wait: for barriers, for each other's values, for memory that another
// fiber writes. Kernels and copies run when they are enqueued; a captured graph is a list of them. So it shows what a
// kernel computes, which memory it touches (the address sanitizer sees both sides), that every barrier that threads
// wait at is reached by all whom it expects, that a graph has the edges that it needs, many a barrier that is missing.
// It shows nothing of time, of races between memory operations, of the order of streams outside of a graph.
// EMU_COMPUTE: the compute capability that the code is compiled for, and that of the GPU: 75, 80, 86, 87, 89, 90; with
// EMU_HOPPER what sm_90a alone has.
// Kernels compiled ahead do without constants that are known at run time (gtr__variant_knows). With EMU_TEXTS=n (0) the
// first n variants of each kernel that has such constants are compiled with them at their launch, as by NVRTC.
// A test may set how many at run time (emu_texts), and of which kernel (emu_texts_of; NULL: all). emu_prefers is a way
// that products and convolutions are computed by wherever it fits, not the one with the least estimate.
// A program's environment: EMU_SM multiprocessors (8), EMU_MB of memory (8192), EMU_SEED that draws the order of a
// graph's nodes (1); with EMU_PROFILE=1 it prints at its end how often and how long each kernel ran.
#ifndef EMU_CUDA
#define EMU_CUDA
#define __CUDACC_VER_MAJOR__ 12 // of the compiler that it stands for
#define __CUDACC_VER_MINOR__ 9
#include_next <cuda.h>
#include <cuda_runtime_api.h>
#include <vector_functions.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>
#include <time.h>
#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, bytes) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(p, bytes) ((void)0)
#endif

#undef __global__
#undef __device__
#undef __host__
#undef __forceinline__
#undef __noinline__
#undef __launch_bounds__
#undef __shared__
#undef __grid_constant__
// the driver that the .cu opens is the program itself, which is linked with -rdynamic
#define dlopen(path, mode) dlopen(NULL, mode)
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __shared__ EMU_SHARED
#define __grid_constant__
#define __builtin_assume(x) assert(x)
#define __CUDA_ARCH__ (EMU_COMPUTE * 10)
#define __CUDA_ARCH_LIST__ (EMU_COMPUTE * 10)
#ifdef EMU_HOPPER
#define __CUDA_ARCH_FEAT_SM90_ALL
#endif

// What a program may set between launches, and read: the comment at the top.
extern "C" {
struct way_of_test { int given, kernel, m, n, split, ranges; };         // 0: any
extern struct way_of_test emu_prefers;
extern int emu_texts;
extern const char *emu_texts_of;
void emu_kernels(void (*each)(const char *name, long launches));        // of all that ran
}
namespace emu {

[[noreturn]] inline void fail(const char *what, const char *detail = "") {
    fprintf(stderr, "emulated GPU: %s%s\n", what, detail);
    abort();
}
// A kernel's name, from the program's symbols.
inline std::string name_of(const void *kernel) {
    char command[160], line[512] = "?";
    Dl_info of;
    const bool found = dladdr(kernel, &of) != 0;
    snprintf(command, sizeof command, "addr2line -fCse /proc/%d/exe %#lx 2>/dev/null", (int)getpid(),
             (unsigned long)((uintptr_t)kernel - (found ? (uintptr_t)of.dli_fbase : 0)));
    FILE *p = popen(command, "r");
    if (p && fgets(line, sizeof line, p)) line[strcspn(line, "\n")] = 0;
    if (p) pclose(p);
    return line;
}
// The same of many, each of which is given to a function.
template <typename F> inline void names_of(const std::vector<const void *> &kernels, F each) {
    const std::string path = "/proc/" + std::to_string(getpid()) + "/exe";
    std::string command = "addr2line -fCse " + path;
    for (const void *k : kernels) {
        Dl_info of;
        char text[32];
        const bool found = dladdr(k, &of) != 0;
        snprintf(text, sizeof text, " %#lx", (unsigned long)((uintptr_t)k - (found ? (uintptr_t)of.dli_fbase : 0)));
        command += text;
    }
    FILE *p = kernels.empty() ? NULL : popen((command + " 2>/dev/null").c_str(), "r");
    char line[1024];
    for (size_t k = 0; p && k < kernels.size() && fgets(line, sizeof line, p); k++) {
        line[strcspn(line, "\n")] = 0;
        each(k, line);
        if (!fgets(line, sizeof line, p)) break;
    }
    if (p) pclose(p);
}
inline int setting(const char *name, int otherwise) { const char *s = getenv(name); return s ? atoi(s) : otherwise; }
// Pages that are zero, and take memory once they are written.
inline char *map_memory(size_t bytes, const char *purpose) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) fail("no memory for ", purpose);
    return (char *)p;
}
// What a multiprocessor of EMU_COMPUTE has: kB of shared memory, of which a block can ask for all but one, and threads.
constexpr int shared_kb = EMU_COMPUTE >= 90 ? 228
    : EMU_COMPUTE == 80 || EMU_COMPUTE == 87 ? 164 : EMU_COMPUTE >= 80 ? 100 : 65;
constexpr int sm_threads = EMU_COMPUTE == 75 ? 1024 : EMU_COMPUTE == 80 || EMU_COMPUTE >= 90 ? 2048 : 1536;
constexpr int block_shared = (shared_kb - 1) << 10;
inline int sm_count() { static const int n = setting("EMU_SM", 8); return n; }

// >>fibers: threads of a kernel. Stacks are kept for the next kernel. WINDOW: a block's bytes of the arena of shared
// memory; SLOTS: the arena's windows, one for each block that runs at a time.
enum { WINDOW = 1 << 18, SLOTS = 4096, STACK = 128 << 10, WARP = 32, BARRIERS = 16 };
constexpr size_t arena_bytes = (size_t)WINDOW * SLOTS;
struct block;
struct fiber {
    void *sp;
    fiber *next, *before;       // in the ring of fibers that can run; next NULL: it waits, or has ended
    block *home;
    uint3 thread;
    int rank;                   // among its block's threads
    uint32_t cluster_phase;     // the phase of its cluster's barrier in which it arrived
    int votes;                  // of all threads at the barrier that it waited at
    bool ended;
    char *stack;
#ifdef __SANITIZE_ADDRESS__
    void *fake;
#endif
};
struct collective {             // one instruction that lanes of a warp, or of a warp group, execute together
    collective *next;           // in the list of its warp's, or of the unused ones
    const char *site;           // the instruction
    uint32_t mask, arrived_lanes;
    int width, arrived;         // width: WARP, or 128 for a warp group
    fiber *lane_of[128];        // of the lanes that have arrived
    void *argument[128];
};
// expected threads, 0: all of the block that live; votes: bit 0, a thread arrived with a value that is not 0; bit 1, a
// thread arrived with 0. Of those that arrived, `waits` wait.
struct barrier { int expected, arrived, votes; fiber *waiting[1024]; int waits; };
struct cluster { int blocks, arrived, live; uint32_t phase; block *member[16]; std::vector<fiber *> waiting; };
struct block {
    uint3 index;
    cluster *group;
    int rank, slot, threads, live;          // its rank in the cluster, its window of the arena
    size_t used;                // bytes of shared memory, and 64 between variables
    char *shared;
    std::map<const void *, size_t> variables;
    barrier bar[BARRIERS];
    collective *open[32];       // by warp: those that lanes still have to arrive at
};
struct device_thread {          // a thread of the host, and the kernel that it runs
    char *arena = NULL;
    std::vector<char *> stacks;
    std::vector<std::unique_ptr<block>> spare;
    collective *unused = NULL;
    void *sp = NULL;
    fiber *ring = NULL;
    bool hurries = false;       // wake() has a fiber run next; else behind all that can run
    const std::function<void()> *body = NULL;
    dim3 grid, size;
    const void *kernel = NULL;
    ~device_thread() {
        if (arena) ASAN_UNPOISON_MEMORY_REGION(arena, arena_bytes);
        for (char *s : stacks) munmap(s, STACK);
        while (unused) { collective *c = unused; unused = c->next; delete c; }
        if (arena) munmap(arena, arena_bytes);
    }
#ifdef __SANITIZE_ADDRESS__
    void *fake = NULL; const void *bottom = NULL; size_t bottom_size = 0;
#endif
};
inline device_thread &here() { static thread_local device_thread t; return t; }
inline thread_local fiber *now;
inline thread_local dim3 grid_now, size_now;

extern "C" void emu_switch(void **save, void *to);
#if defined(__x86_64__)
asm(".text\n.weak emu_switch\n.type emu_switch,@function\nemu_switch:\n"
    "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
    "movq %rsp, (%rdi)\nmovq %rsi, %rsp\n"
    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n");
#else
#error "emulated GPU: a switch of stacks is written for x86-64"
#endif

inline void unlink(device_thread &d, fiber *f) {
    if (f->next == f) d.ring = NULL;
    else { f->next->before = f->before; f->before->next = f->next; if (d.ring == f) d.ring = f->next; }
}
inline void wake(fiber *f) {
    device_thread &d = here();
    if (!d.ring) { d.ring = f->next = f->before = f; return; }
    fiber *behind = d.hurries && now && now->next ? now->next : d.ring;     // f is inserted in front of it
    f->next = behind; f->before = behind->before;
    f->before->next = f; behind->before = f;
}
inline void switch_to(fiber *from, fiber *to) {
    device_thread &d = here();
    now = to;
#ifdef __SANITIZE_ADDRESS__
    if (to) __sanitizer_start_switch_fiber(from ? from->ended ? NULL : &from->fake : &d.fake, to->stack, STACK);
    else __sanitizer_start_switch_fiber(from->ended ? NULL : &from->fake, d.bottom, d.bottom_size);
#endif
    emu_switch(from ? &from->sp : &d.sp, to ? to->sp : d.sp);
#ifdef __SANITIZE_ADDRESS__
    const void *bottom; size_t size;
    __sanitizer_finish_switch_fiber(from ? from->fake : d.fake, &bottom, &size);
    if (from && !d.bottom) { d.bottom = bottom; d.bottom_size = size; }
#endif
}
// Lets the other fibers that can run do so before the calling one goes on.
inline void yield() {
    fiber *f = now;
    device_thread &d = here();
    if (f->next == f) return;
    d.ring = f->next;
    switch_to(f, f->next);
}
// Suspends the calling fiber until another calls wake(f).
inline void park() {
    fiber *f = now;
    device_thread &d = here();
    fiber *next = f->next == f ? NULL : f->next;
    unlink(d, f);
    f->next = NULL;
    switch_to(f, next);
}
inline void finish_barriers(block *b);
inline void fiber_main() {
    fiber *f = now;
#ifdef __SANITIZE_ADDRESS__
    device_thread &d0 = here();
    const void *bottom; size_t size;
    __sanitizer_finish_switch_fiber(NULL, &bottom, &size);
    if (!d0.bottom) { d0.bottom = bottom; d0.bottom_size = size; }
#endif
    (*here().body)();
    f->ended = true;
    f->home->live--;
    f->home->group->live--;
    finish_barriers(f->home);
    park();
}

// >>waiting
inline void finish_barrier(barrier &b) {
    const int n = b.waits, votes = b.votes;
    b.arrived = b.waits = b.votes = 0;
    for (int i = 0; i < n; i++) { b.waiting[i]->votes = votes; if (b.waiting[i] != now) wake(b.waiting[i]); }
}
// bar.sync, or bar.arrive where not `wait`: the calling thread arrives at barrier id of its block, which expects so
// many threads (0: all that live). Returns the barrier's votes where `wait`.
inline int barrier_sync(int id, int expected, int value, bool wait) {
    fiber *f = now;
    if (id < 0 || id >= BARRIERS) fail("no such barrier");
    barrier &b = f->home->bar[id];
    b.expected = expected;
    b.arrived++;
    b.votes |= value ? 1 : 2;
    if (wait) b.waiting[b.waits++] = f;
    if (b.arrived >= (expected ? expected : f->home->live)) { finish_barrier(b); return f->votes; }
    if (wait) park();
    return f->votes;
}
// A thread of the block has ended: barriers of all that live expect one less.
inline void finish_barriers(block *b) {
    for (barrier &bar : b->bar) if (bar.arrived && !bar.expected && bar.arrived >= b->live) finish_barrier(bar);
}
typedef void (*collective_fn)(int width, void **arguments);
// The lanes in mask of a warp (width WARP), or all of a warp group (128), execute `site` as one: each waits until the
// last arrives; that one calls act once for all, with the arguments by lane, NULL for lanes that take no part.
inline void warp_collective(int width, uint32_t mask, const char *site, void *argument, collective_fn act) {
    fiber *f = now;
    block *b = f->home;
    device_thread &d = here();
    const int group = f->rank / width, lane = f->rank % width;
    const int missing = (group + 1) * width - b->threads;       // lanes of a last warp that the block does not have
    collective **link = &b->open[group * width / WARP], *c;
    if (missing > 0) mask &= ~0u >> missing;
    while ((c = *link) && (c->mask != mask || c->site != site || c->width != width)) link = &c->next;
    if (!c) {
        if ((c = d.unused)) d.unused = c->next; else c = new collective();
        memset((void *)c, 0, sizeof *c);
        c->mask = mask; c->site = site; c->width = width;
        *link = c;
    }
    c->lane_of[lane] = f;
    c->argument[lane] = argument;
    c->arrived++;
    if (width == WARP) c->arrived_lanes |= 1u << lane;
    if (width == WARP ? (c->arrived_lanes & mask) != mask : c->arrived < width) { park(); return; }
    act(width, c->argument);
    for (int i = 0; i < width; i++) if (c->lane_of[i] && c->lane_of[i] != f) wake(c->lane_of[i]);
    *link = c->next;
    c->next = d.unused;
    d.unused = c;
}
inline void cluster_arrive() {
    cluster *g = now->home->group;
    now->cluster_phase = g->phase;
    if (++g->arrived < g->live) return;
    g->arrived = 0;
    g->phase++;
    for (fiber *f : g->waiting) wake(f);
    g->waiting.clear();
}
inline void cluster_wait() {
    cluster *g = now->home->group;
    if (g->phase != now->cluster_phase) return;
    g->waiting.push_back(now);
    park();
}

// >>shared memory: a block's window of the arena. An address of 32 bits is an offset in the window of the block whose
// thread uses it, or (slot + 1) * WINDOW plus an offset in the window of that slot, for a block of the same cluster.
inline char *shared_at(uint32_t address) {
    const uint32_t slot = address < WINDOW ? (uint32_t)now->home->slot : address / WINDOW - 1;
    return here().arena + (size_t)slot * WINDOW + address % WINDOW;
}
inline uint32_t shared_address(const void *p) {
    const size_t at = (size_t)((const char *)p - here().arena);
    if (at / WINDOW != (size_t)now->home->slot)
        fail("an address that is not of the block's shared memory: ", name_of(here().kernel).c_str());
    return (uint32_t)(at % WINDOW);
}
inline uint32_t shared_address_in(uint32_t address, const block *b) {
    return address % WINDOW + (uint32_t)(b->slot + 1) * WINDOW;
}
inline void *dynamic_shared() { return now->home->shared; }
inline void *shared_variable(const void *key, size_t bytes, size_t align) {
    block *b = now->home;
    auto found = b->variables.find(key);
    if (found == b->variables.end()) {
        size_t from = (b->used + align - 1) / align * align;
        b->used = from + bytes;
        if (b->used - 64 * b->variables.size() > (size_t)block_shared)
            fail("more shared memory than there is: ", name_of(here().kernel).c_str());
        ASAN_UNPOISON_MEMORY_REGION(b->shared + from, bytes);
        memset(b->shared + from, 0xcd, bytes);
        b->used += 64;
        found = b->variables.emplace(key, from).first;
    }
    return b->shared + found->second;
}
template <typename T> inline T &shared() {
    static const char key = 0;
    return *(T *)shared_variable(&key, sizeof(T), alignof(T) < 16 ? 16 : alignof(T));
}

// >>launching
inline block *make_block(device_thread &d, int slot, uint3 index, cluster *group, int rank, size_t bytes) {
    std::unique_ptr<block> b;
    if (d.spare.empty()) b.reset(new block()); else { b = std::move(d.spare.back()); d.spare.pop_back(); }
    b->index = index; b->group = group; b->rank = rank; b->slot = slot;
    b->threads = b->live = (int)(d.size.x * d.size.y * d.size.z);
    b->used = (bytes + 127) / 128 * 128;
    b->shared = d.arena + (size_t)slot * WINDOW + 1024;
    b->variables.clear();
    for (collective *&o : b->open) o = NULL;
    for (barrier &bar : b->bar) bar.arrived = bar.waits = bar.votes = bar.expected = 0;
    ASAN_POISON_MEMORY_REGION(d.arena + (size_t)slot * WINDOW, WINDOW);
    ASAN_UNPOISON_MEMORY_REGION(b->shared, bytes);
    memset(b->shared, 0xcd, bytes);
    return b.release();
}
inline void make_fiber(device_thread &d, fiber *f, block *b, int rank, char *stack) {
    memset((void *)f, 0, sizeof *f);
    f->home = b; f->rank = rank; f->stack = stack;
    const unsigned r = (unsigned)rank;
    f->thread = { r % d.size.x, r / d.size.x % d.size.y, r / (d.size.x * d.size.y) };
    void **sp = (void **)(stack + STACK - 64);
    *--sp = NULL;
    *--sp = (void *)fiber_main;
    for (int i = 0; i < 6; i++) *--sp = NULL;
    f->sp = sp;
    wake(f);
}
// Prints what each thread waits for, of the first 16 that have not ended.
[[noreturn]] inline void report_deadlock(device_thread &d, const std::vector<fiber> &fibers) {
    fprintf(stderr, "emulated GPU: deadlock in %s:\n", name_of(d.kernel).c_str());
    int shown = 0;
    for (const fiber &f : fibers) {
        if (f.ended || shown++ >= 16) continue;
        const block *home = f.home;
        char where[80] = "its cluster's barrier";
        for (int i = 0; i < BARRIERS; i++) {
            const barrier &b = home->bar[i];
            const int expected = b.expected ? b.expected : home->live;
            for (int k = 0; k < b.waits; k++)
                if (b.waiting[k] == &f) snprintf(where, sizeof where, "barrier %d (%d of %d)", i, b.arrived, expected);
        }
        for (int width : { (int)WARP, 128 })
            for (const collective *c = home->open[f.rank / width * width / WARP]; c; c = c->next)
                if (c->width == width && c->lane_of[f.rank % width] == &f)
                    snprintf(where, sizeof where, "%.20s (%d of %d, mask %08x)", c->site, c->arrived, width, c->mask);
        fprintf(stderr, "  block %u thread %d at %s\n", home->index.x, f.rank, where);
    }
    abort();
}
// Runs the blocks of these indices side by side: clusters of per_cluster blocks, each with `bytes` of dynamic shared
// memory. Every other call the threads begin with the last, and in two calls of four a woken fiber runs next (hurries):
// where a barrier is missing between a thread's write and another's read, some of these four orders computes another
// result.
inline void run_blocks(device_thread &d, const std::vector<uint3> &index, int per_cluster, size_t bytes) {
    static thread_local std::vector<fiber> fibers;
    static thread_local unsigned times;
    const bool backwards = times % 2 != 0, hurries = times++ / 2 % 2 != 0;
    std::vector<cluster> clusters((index.size() + (size_t)per_cluster - 1) / (size_t)per_cluster);
    std::vector<block *> blocks;
    const int threads = (int)(d.size.x * d.size.y * d.size.z);
    if (index.size() > SLOTS) fail("too many blocks at a time: ", name_of(d.kernel).c_str());
    fibers.resize(index.size() * (size_t)threads);
    while (d.stacks.size() < fibers.size()) d.stacks.push_back(map_memory(STACK, "stacks"));
    d.ring = NULL;
    d.hurries = hurries;
    for (size_t i = 0; i < index.size(); i++) {
        cluster &g = clusters[i / (size_t)per_cluster];
        const size_t rank = i % (size_t)per_cluster, first = i * (size_t)threads;
        if (rank == 0) { g.blocks = per_cluster; g.arrived = 0; g.live = per_cluster * threads; g.phase = 0; }
        block *b = g.member[rank] = make_block(d, (int)i, index[i], &g, (int)rank, bytes);
        blocks.push_back(b);
        for (int k = 0; k < threads; k++) {
            const int t = backwards ? threads - 1 - k : k;
            make_fiber(d, &fibers[first + (size_t)t], b, t, d.stacks[first + (size_t)t]);
        }
    }
    switch_to(NULL, d.ring);
    for (const fiber &f : fibers) if (!f.ended) report_deadlock(d, fibers);
    for (block *b : blocks) d.spare.emplace_back(b);
}
// How often each kernel ran, and its seconds: for tests (emu_kernels); with EMU_PROFILE printed when the process ends.
struct profile {
    std::mutex lock;
    std::map<const void *, std::pair<int64_t, double>> of;
    ~profile() {
        if (getenv("EMU_PROFILE")) for (const auto &k : of)
            fprintf(stderr, "%9lld %9.3f s  %s\n", (long long)k.second.first, k.second.second,
                    name_of(k.first).c_str());
    }
};
inline profile &kernels_ran() { static profile p; return p; }
inline double seconds() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
// Blocks run one cluster after another; all at a time where the launch is cooperative.
inline void run_kernel(const void *kernel, dim3 grid, dim3 size, size_t bytes, int per_cluster, bool cooperative,
                       const std::function<void()> &body) {
    device_thread &d = here();
    if (now) fail("a kernel from a kernel");
    if (!d.arena) d.arena = map_memory(arena_bytes, "shared memory");
    d.body = &body; d.grid = grid_now = grid; d.size = size_now = size; d.kernel = kernel;
    profile &kept = kernels_ran();
    const double begun = seconds();
    std::vector<uint3> some;
    const size_t most = cooperative ? (size_t)grid.x * grid.y * grid.z : (size_t)per_cluster;
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) {
                some.push_back(uint3{ x, y, z });
                if (some.size() == most) { run_blocks(d, some, per_cluster, bytes); some.clear(); }
            }
    if (!some.empty()) fail("a grid is no multiple of its clusters: ", name_of(kernel).c_str());
    std::lock_guard<std::mutex> held(kept.lock);
    auto &k = kept.of[kernel];
    k.first++;
    k.second += seconds() - begun;
}

// >>streams: what is enqueued runs at once, or becomes a node of the graph that is captured. A graph's nodes run in an
// order drawn by EMU_SEED, of those that its edges allow: a missing edge shows.
struct node { std::function<void()> work; std::vector<size_t> after; };
struct graph { std::vector<node> nodes; bool ended = false; };
struct stream { std::shared_ptr<graph> capture; std::vector<size_t> last; };     // last: the next node's `after`
struct event { std::shared_ptr<graph> capture; std::vector<size_t> last; timespec when; };
inline stream *stream_of(CUstream s) { return (stream *)s; }
inline bool capturing(CUstream s) {
    stream *t = stream_of(s);
    if (t && t->capture && t->capture->ended) { t->capture.reset(); t->last.clear(); }
    return t && t->capture;
}
inline void look_at_copies();
inline CUresult enqueue(CUstream s, std::function<void()> work) {
    if (!capturing(s)) { look_at_copies(); work(); return CUDA_SUCCESS; }
    stream *t = stream_of(s);
    t->capture->nodes.push_back({ std::move(work), t->last });
    t->last.assign(1, t->capture->nodes.size() - 1);
    return CUDA_SUCCESS;
}
inline void replay(const graph &g) {
    static std::atomic<uint32_t> seed((uint32_t)setting("EMU_SEED", 1));
    const size_t n = g.nodes.size();
    std::vector<size_t> missing(n), ready;
    std::vector<std::vector<size_t>> behind(n);
    for (size_t i = 0; i < n; i++) {
        missing[i] = g.nodes[i].after.size();
        for (size_t a : g.nodes[i].after) behind[a].push_back(i);
        if (!missing[i]) ready.push_back(i);
    }
    while (!ready.empty()) {
        const uint32_t draw = seed.load() * 1664525u + 1013904223u;
        seed.store(draw);
        const size_t k = (size_t)(draw >> 8) % ready.size(), i = ready[k];
        ready.erase(ready.begin() + (ptrdiff_t)k);
        g.nodes[i].work();
        for (size_t b : behind[i]) if (--missing[b] == 0) ready.push_back(b);
    }
}
struct setting_of_kernel {
    size_t shared = 48 << 10;           // bytes that a launch may ask for
    std::function<CUresult(const CUlaunchConfig &, void **)> start;     // launches it
};
inline std::map<const void *, setting_of_kernel> &kernels(std::unique_lock<std::mutex> &held) {
    static std::mutex m;
    static std::map<const void *, setting_of_kernel> all;
    held = std::unique_lock<std::mutex>(m);
    return all;
}
inline CUresult check_launch(const void *kernel, const CUlaunchConfig &c) {
    std::unique_lock<std::mutex> held;
    const size_t threads = (size_t)c.blockDimX * c.blockDimY * c.blockDimZ;
    return c.gridDimX && c.gridDimY && c.gridDimZ && c.gridDimY <= 65535 && c.gridDimZ <= 65535 && threads &&
        threads <= 1024 && c.sharedMemBytes <= std::max(kernels(held)[kernel].shared, (size_t)48 << 10)
        ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
inline CUresult launch(const void *kernel, const CUlaunchConfig &c, std::function<void()> body) {
    int per_cluster = 1;
    bool cooperative = false;
    for (unsigned i = 0; i < c.numAttrs; i++) {
        if (c.attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) per_cluster = (int)c.attrs[i].value.clusterDim.x;
        if (c.attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) cooperative = c.attrs[i].value.cooperative != 0;
    }
    CUresult e = check_launch(kernel, c);
    if (e != CUDA_SUCCESS) return e;
    const dim3 grid(c.gridDimX, c.gridDimY, c.gridDimZ), size(c.blockDimX, c.blockDimY, c.blockDimZ);
    const size_t bytes = c.sharedMemBytes;
    return enqueue(c.hStream, [=] { run_kernel(kernel, grid, size, bytes, per_cluster, cooperative, body); });
}
// Launches a kernel with arguments that lie at *given[0], *given[1] ..., and are copied.
template <typename... P, size_t... I>
inline CUresult launch_typed(const CUlaunchConfig &c, void (*kernel)(P...), void **given, std::index_sequence<I...>) {
    const std::tuple<typename std::remove_const<P>::type...> arguments(*(const P *)given[I]...);
    return launch((const void *)kernel, c, [=] { std::apply(kernel, arguments); });
}
// What translate.c makes of `(const void *)kernel`: `pointer->*kernel`. From then on the kernel can be launched by its
// address, which is its CUfunction (cuLaunchKernelEx).
struct pointer_cast { };
static constexpr pointer_cast pointer = {};
template <typename T> inline const void *operator->*(pointer_cast, T *p) { return (const void *)p; }
inline const void *operator->*(pointer_cast, uintptr_t p) { return (const void *)p; }
template <typename... P> inline const void *operator->*(pointer_cast, void (*kernel)(P...)) {
    std::unique_lock<std::mutex> held;
    auto &start = kernels(held)[(const void *)kernel].start;
    if (!start) start = [kernel](const CUlaunchConfig &c, void **given) {
        return launch_typed(c, kernel, given, std::index_sequence_for<P...>());
    };
    return (const void *)kernel;
}
// Factors of a kernel's estimate, in gputrain_cuda.cu's choice among them (translate.c inserts the calls).
enum { WAY_FEW = 100, WAY_WARPS, WAY_IM2COL, WAY_LINES };
inline double preferred(int kernel, int m, int n, int split, int ranges) {
    const way_of_test &w = emu_prefers;
    return w.given && w.kernel == kernel && (!w.m || (w.m == m && w.n == n)) && (!w.split || w.split == split) &&
        (!w.ranges || w.ranges == ranges) ? 1e-9 : 1;
}
// Convolutions by kernels with an estimate of their own: one that is preferred competes with none. False: with none
// behind it either.
inline bool chosen_anew(double &ns, int kernel) {
    const int wanted = emu_prefers.given ? emu_prefers.kernel : -1;
    if (wanted == kernel) ns = HUGE_VAL;
    return wanted != WAY_WARPS || kernel <= WAY_WARPS;
}
// A kernel's variant with constants of run time, and facts (macros, or NULL): compiled by build.sh if it belongs to the
// sample, into a library beside the program's object that later processes find. Otherwise what was compiled ahead.
inline const void *compiled(const void *ahead, const char *kernel, const char *variant, const char *facts) {
    static std::mutex m;
    static std::map<std::string, const void *> made;
    static std::map<std::string, int> of_kernel;
    if (!emu_texts || (emu_texts_of && strcmp(kernel, emu_texts_of))) return ahead;
    std::unique_lock<std::mutex> held(m);
    const auto found = made.find(variant);
    if (found != made.end()) return found->second;
    if (of_kernel[kernel] >= emu_texts) return ahead;
    of_kernel[kernel]++;
    const std::string text = std::string(facts ? facts : "") + "#include \"gputrain_cuda.cu\"\nextern \"C\" const void "
        "*emu_kernel() { return emu::pointer->*" + variant + "; }\n";
    const std::string path = EMU_FOLDER "/texts/" + std::to_string(std::hash<std::string>()(text)),
        own = path + "." + std::to_string(getpid());
    if (access((path + ".so").c_str(), R_OK)) {
        FILE *f = fopen((own + ".cpp").c_str(), "w");
        if (!f || fputs(text.c_str(), f) < 0 || fclose(f)) fail("cannot write ", own.c_str());
        const std::string command = "EMU_TEXT=" + own + ".cpp sh tests/emulated/build.sh " + own + ".so " EMU_FLAGS
            " && rm " + own + ".cpp " + own + ".so.cpp && mv " + own + ".so " + path + ".so";
        if (system(command.c_str())) fail("does not compile: ", variant);
    }
    void *library = (dlopen)((path + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) fail("cannot open ", dlerror());
    void *entry = dlsym(library, "emu_kernel");
    if (!entry) fail("has no kernel: ", variant);
    return made[variant] = ((const void *(*)())entry)();
}
}

#include "device.h"
#include "driver.h"
#endif
