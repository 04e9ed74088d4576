// What kernels call: CUDA's intrinsic functions, and inline PTX, which statement::run interprets. cuda.h includes it.

inline uint32_t __float_as_uint(float v) { uint32_t u; memcpy(&u, &v, 4); return u; }
inline float __uint_as_float(uint32_t u) { float v; memcpy(&v, &u, 4); return v; }
inline int __float_as_int(float v) { return (int)__float_as_uint(v); }
inline float __int_as_float(int i) { return __uint_as_float((uint32_t)i); }
inline long long __double_as_longlong(double v) { long long u; memcpy(&u, &v, 8); return u; }
inline double __longlong_as_double(long long u) { double v; memcpy(&v, &u, 8); return v; }
inline int __popc(uint32_t u) { return __builtin_popcount(u); }
inline int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
inline uint32_t __umulhi(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
inline uint32_t __funnelshift_l(uint32_t lo, uint32_t hi, uint32_t by) {
    return (uint32_t)(((uint64_t)hi << 32 | lo) << (by & 31) >> 32);
}
namespace emu {
// PTX's prmt: digit i of `which` says what byte i of the result is: byte 0-7 of b:a, or, with bit 3, 8 times that
// byte's highest bit.
inline uint32_t prmt(uint32_t a, uint32_t b, uint32_t which) {
    const uint64_t all = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    for (int i = 0; i < 4; i++) {
        const uint32_t digit = which >> 4 * i, byte = (uint32_t)(all >> (digit & 7) * 8 & 255);
        r |= (digit & 8 ? byte & 128 ? 255u : 0u : byte) << 8 * i;
    }
    return r;
}
}
inline uint32_t __byte_perm(uint32_t a, uint32_t b, uint32_t which) { return emu::prmt(a, b, which & 0x7777); }
inline uint32_t __vcmples2(uint32_t a, uint32_t b) {
    return ((int16_t)a <= (int16_t)b ? 0xffffu : 0) | ((int16_t)(a >> 16) <= (int16_t)(b >> 16) ? 0xffff0000u : 0);
}
inline uint32_t __vcmpgts2(uint32_t a, uint32_t b) { return ~__vcmples2(a, b); }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __fsqrt_rn(float v) { return sqrtf(v); }
inline float __expf(float v) { return expf(v); }
inline float __logf(float v) { return logf(v); }
inline float __fdividef(float a, float b) { return a / b; }
inline float rsqrtf(float v) { return 1 / sqrtf(v); }
inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline uint32_t min(uint32_t a, uint32_t b) { return a < b ? a : b; }
inline uint32_t max(uint32_t a, uint32_t b) { return a > b ? a : b; }
inline long long min(long long a, long long b) { return a < b ? a : b; }
inline long long max(long long a, long long b) { return a > b ? a : b; }
inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }
template <typename T> inline T __ldg(const T *p) { return *p; }
template <typename T> inline T __ldcg(const T *p) { asm volatile("" ::: "memory"); return *p; }
template <typename T> inline T __ldcv(const T *p) { emu::yield(); return __ldcg(p); }
template <typename T> inline void __stcg(T *p, T v) { *p = v; }
template <typename T> inline T atomicAdd(T *p, T v) { T old = *p; *p = old + v; return old; }
inline uint32_t atomicAdd(uint32_t *p, int v) { return atomicAdd(p, (uint32_t)v); }
template <typename T> inline T atomicOr(T *p, T v) { T old = *p; *p = old | v; return old; }
inline uint32_t atomicOr(uint32_t *p, int v) { return atomicOr(p, (uint32_t)v); }
template <typename T> inline T atomicMax(T *p, T v) { T old = *p; if (v > old) *p = v; return old; }
template <typename T> inline T atomicCAS(T *p, T expected, T v) { T old = *p; if (old == expected) *p = v; return old; }
inline void __threadfence() { emu::yield(); }
inline void __threadfence_block() { }
inline void __threadfence_system() { emu::yield(); }
inline void __syncthreads() { emu::barrier_sync(0, 0, 0, true); }
inline int __syncthreads_or(int v) { return emu::barrier_sync(0, 0, v, true) & 1; }
inline int __syncthreads_and(int v) { return !(emu::barrier_sync(0, 0, v, true) & 2); }
inline uint64_t __cvta_generic_to_global(const void *p) { return (uint64_t)(uintptr_t)p; }
inline void *__cvta_global_to_generic(size_t p) { return (void *)(uintptr_t)p; }
inline size_t __cvta_generic_to_shared(const void *p) { return emu::shared_address(p); }
inline void *__cvta_shared_to_generic(size_t at) { return emu::shared_at((uint32_t)at); }

namespace emu {
// >>warps
struct lane_value { uint64_t given, got; int from; };          // what a lane gives and gets; exchange: from which lane
inline void nothing(int, void **) { }
inline lane_value *value_of(void *argument) { return (lane_value *)argument; }
inline void exchange(int n, void **argument) {
    for (int i = 0; i < n; i++) {
        lane_value *v = value_of(argument[i]);
        void *from = v && v->from >= 0 && v->from < n ? argument[v->from] : NULL;
        if (v) v->got = from ? value_of(from)->given : v->given;
    }
}
template <typename T> inline T shuffle(uint32_t mask, T value, int from, const char *site) {
    static_assert(sizeof(T) <= 8, "a shuffled value of up to 8 bytes");
    lane_value v = { 0, 0, from };
    memcpy(&v.given, &value, sizeof value);
    warp_collective(WARP, mask, site, &v, exchange);
    memcpy(&value, &v.got, sizeof value);
    return value;
}
// Each lane gets the reduction, in the order of lanes, of what all give.
template <typename F> inline void reduce(int n, void **argument, F with) {
    uint64_t all = 0;
    for (int i = 0; i < n; i++) if (argument[i]) all = with(all, value_of(argument[i])->given, i);
    for (int i = 0; i < n; i++) if (argument[i]) value_of(argument[i])->got = all;
}
inline void vote(int n, void **argument) {
    reduce(n, argument, [](uint64_t all, uint64_t v, int lane) { return all | (uint64_t)(v != 0) << lane; });
}
inline void reduce_or(int n, void **argument) {
    reduce(n, argument, [](uint64_t all, uint64_t v, int) { return all | v; });
}
inline void reduce_max(int n, void **argument) {
    reduce(n, argument, [](uint64_t all, uint64_t v, int) { return std::max(all, v); });
}
inline uint32_t warp_reduce(uint32_t mask, uint64_t value, collective_fn act, const char *site) {
    lane_value v = { value, 0, 0 };
    warp_collective(WARP, mask, site, &v, act);
    return (uint32_t)v.got;
}
}
inline void __syncwarp(uint32_t mask = ~0u) { emu::warp_collective(emu::WARP, mask, "syncwarp", NULL, emu::nothing); }
template <typename T> inline T __shfl_sync(uint32_t mask, T v, int from, int width = 32) {
    const int lane = emu::now->rank & 31;
    return emu::shuffle(mask, v, (lane & ~(width - 1)) | (from & (width - 1)), "shfl");
}
template <typename T> inline T __shfl_xor_sync(uint32_t mask, T v, int with, int width = 32) {
    const int lane = emu::now->rank & 31, from = lane ^ with;
    return emu::shuffle(mask, v, (from ^ lane) & ~(width - 1) && from > lane ? lane : from, "shfl.xor");
}
template <typename T> inline T __shfl_up_sync(uint32_t mask, T v, int by, int width = 32) {
    const int lane = emu::now->rank & 31, from = lane - by;
    return emu::shuffle(mask, v, from < (lane & ~(width - 1)) ? lane : from, "shfl.up");
}
template <typename T> inline T __shfl_down_sync(uint32_t mask, T v, int by, int width = 32) {
    const int lane = emu::now->rank & 31, from = lane + by;
    return emu::shuffle(mask, v, from > (lane | (width - 1)) ? lane : from, "shfl.down");
}
inline uint32_t __ballot_sync(uint32_t mask, int v) { return emu::warp_reduce(mask, v != 0, emu::vote, "ballot"); }
inline int __any_sync(uint32_t mask, int v) { return emu::warp_reduce(mask, v != 0, emu::vote, "any") != 0; }
inline int __all_sync(uint32_t mask, int v) { return emu::warp_reduce(mask, v == 0, emu::vote, "all") == 0; }
inline uint32_t __reduce_max_sync(uint32_t mask, uint32_t v) {
    return emu::warp_reduce(mask, v, emu::reduce_max, "reduce.max");
}

namespace emu {
// >>ptx: operands of an asm statement
struct operand {
    void *p;            // the variable, of one that the statement writes; NULL: it only reads v
    uint64_t v;
    const void *at() const { return p ? p : &v; }
    uint32_t u() const { uint32_t x; memcpy(&x, at(), 4); return x; }
    uint64_t ul() const { uint64_t x; memcpy(&x, at(), 8); return x; }
    uint16_t h() const { uint16_t x; memcpy(&x, at(), 2); return x; }
    float f() const { float x; memcpy(&x, at(), 4); return x; }
    void set(uint32_t x) { memcpy(p, &x, 4); }
    void set(float x) { memcpy(p, &x, 4); }
};
template <typename T> inline operand in_out(T &x) { operand o = { (void *)&x, 0 }; return o; }
template <typename T> inline operand in(T x) { operand o = { NULL, 0 }; memcpy(&o.v, &x, sizeof x); return o; }
struct token { bool named; int64_t v; };            // %v, or the number v
struct statement;
struct instruction {    // a parsed one; what shape, kind, more, flag and other mean stands at each act
    std::string name;
    std::vector<token> token_;          // its operands, in the order of its text
    void (*act)(const instruction &, operand *);
    int shape = 0, kind = 0, more = 0;
    bool flag = false, other = false;
    int64_t value(operand *o, size_t i) const { return token_[i].named ? (int64_t)o[token_[i].v].u() : token_[i].v; }
    operand &at(operand *o, size_t i) const {
        if (!token_[i].named) fail("an operand is a number: ", name.c_str());
        return o[token_[i].v];
    }
};
struct statement {
    const char *text;
    std::atomic<std::vector<instruction> *> parsed;             // NULL until it first runs
    void run(operand *o) {
        std::vector<instruction> *list = parsed.load(std::memory_order_acquire);
        if (!list) parsed.store(list = parse(), std::memory_order_release);
        for (const instruction &i : *list) i.act(i, o);
    }
    std::vector<instruction> *parse() const;
};

inline float half_of(uint16_t h) { _Float16 v; memcpy(&v, &h, 2); return v; }
inline float bfloat_of(uint16_t h) { return __uint_as_float((uint32_t)h << 16); }
inline uint32_t tf32_of(uint32_t u) { return (u & 0x7f800000u) == 0x7f800000u ? u : (u + 0x1000u) & ~0x1fffu; }
enum { TF32, BF16, F16 };
inline float low_of(int kind, uint32_t u) { return kind == BF16 ? bfloat_of((uint16_t)u) : half_of((uint16_t)u); }
inline float high_of(int kind, uint32_t u) { return low_of(kind, u >> 16); }

// d (rows x n, each row `pitch` apart) += a (rows x k) b (k x n)
__attribute__((optimize("O3"), target("avx2,fma")))
inline void accumulate(float *d, int pitch, const float *a, const float *b, int rows, int n, int k) {
    for (int r = 0; r < rows; r++)
        for (int q = 0; q < k; q++) {
            const float x = a[r * k + q], *y = b + q * n;
            float *to = d + r * pitch;
            for (int c = 0; c < n; c++) to[c] += x * y[c];
        }
}
inline float drop_to_tf32(uint32_t u) { return __uint_as_float(u & ~0x1fffu); }     // what tensor cores read of a float
// Word w of the lane with group g = lane / 4 and t = lane % 4, of a fragment of A, 16 rows of k.
inline void unpack_a(float *a, int k, int kind, int g, int t, int w, uint32_t u) {
    float *to = a + (g + (w & 1) * 8) * k;
    if (kind == TF32) to[t + w / 2 * 4] = drop_to_tf32(u);
    else { to[2 * t + w / 2 * 8] = low_of(kind, u); to[2 * t + w / 2 * 8 + 1] = high_of(kind, u); }
}
// mma.sync: 16 x 8 by k of i.more, elements of i.kind; arguments are each lane's operands
struct product { const instruction *i; operand *o; };
inline void multiply(int, void **argument) {
    const instruction &i = *((product *)argument[0])->i;
    const int k = i.more, a_words = k == 8 && i.kind != TF32 ? 2 : 4, b_words = a_words / 2;
    float a[16 * 16], b[16 * 8], d[16 * 8];
    for (int l = 0; l < 32; l++) {
        operand *o = ((product *)argument[l])->o;
        const int g = l / 4, t = l % 4;
        for (int w = 0; w < a_words; w++) unpack_a(a, k, i.kind, g, t, w, i.at(o, 4 + (size_t)w).u());
        for (int w = 0; w < b_words; w++) {
            const uint32_t u = i.at(o, 4 + (size_t)(a_words + w)).u();
            float *to = b + g;
            if (i.kind == TF32) to[(t + w * 4) * 8] = drop_to_tf32(u);
            else { to[(2 * t + w * 8) * 8] = low_of(i.kind, u); to[(2 * t + w * 8 + 1) * 8] = high_of(i.kind, u); }
        }
        for (int c = 0; c < 4; c++) d[(g + c / 2 * 8) * 8 + 2 * t + c % 2] = i.at(o, (size_t)c).f();
    }
    accumulate(d, 8, a, b, 16, 8, k);
    for (int l = 0; l < 32; l++) {
        operand *o = ((product *)argument[l])->o;
        const int g = l / 4, t = l % 4;
        for (int c = 0; c < 4; c++) i.at(o, (size_t)c).set(d[(g + c / 2 * 8) * 8 + 2 * t + c % 2]);
    }
}
inline void do_mma(const instruction &i, operand *o) {
    product p = { &i, o };
    warp_collective(WARP, ~0u, "mma", &p, multiply);
}
// ldmatrix, stmatrix (i.other), transposed (i.flag): 8 x 8 words of 16 bits; lane l has the address of row l % 8 of
// matrix l / 8
inline void matrices(int, void **argument) {
    const instruction &i = *((product *)argument[0])->i;
    const bool store = i.other, turned = i.flag;
    operand *of[32];
    for (int l = 0; l < 32; l++) of[l] = ((product *)argument[l])->o;
    for (int m = 0; m < 4; m++)
        for (int l = 0; l < 32; l++)
            for (int e = 0; e < 2; e++) {
                const int major = l / 4, minor = 2 * (l % 4) + e;
                const int row = turned ? minor : major, column = turned ? major : minor;
                const uint32_t address = i.at(of[m * 8 + row], store ? 0 : 4).u();
                if (address % 16) fail("a row of a matrix that is not aligned");
                uint16_t *there = (uint16_t *)shared_at(address) + column;
                operand &word = i.at(of[l], (size_t)(store ? 1 + m : m));
                if (store) *there = (uint16_t)(word.u() >> 16 * e);
                else word.set((word.u() & 0xffff0000u >> 16 * e) | (uint32_t)*there << 16 * e);
            }
}
inline void do_matrix(const instruction &i, operand *o) {
    product p = { &i, o };
    warp_collective(WARP, ~0u, i.other ? "stmatrix" : "ldmatrix", &p, matrices);
}
// wgmma: 64 x N by 32 bytes of k. A panel is what a matrix descriptor says: byte offsets, and the swizzle's mode: 0
// none, 1 of 128 bytes, 2 of 64, 3 of 32.
struct panel { uint32_t start, leading, stride; int mode; };
inline panel panel_of(uint64_t d) {
    auto field = [=](int bit) { return (uint32_t)(d >> bit & 0x3fff) << 4; };
    panel p = { field(0), field(16), field(32), (int)(d >> 62) };
    return p;
}
inline uint32_t swizzled(uint32_t address, int mode) {
    const uint32_t mask = mode == 0 ? 0 : mode == 1 ? 7 : mode == 2 ? 3 : 1;
    return address ^ ((address >> 7 & mask) << 4);
}
// The offset of element (row, k) of A, or (k, row) of B. Lines lie in groups of 8, in spans of so many bytes; along a
// line is k (k_inner), or row. The descriptor's two distances, of groups and of spans, are swapped for rows inside and
// no swizzle.
inline uint32_t panel_at(const panel &p, bool k_inner, int size, int row, int k) {
    const int log_span = p.mode == 0 ? 4 : 8 - p.mode;
    const uint32_t line = (uint32_t)(k_inner ? row : k), byte = (uint32_t)((k_inner ? k : row) * size);
    const bool swapped = !k_inner && p.mode == 0;
    const uint32_t group = swapped ? p.leading : p.stride, span = swapped ? p.stride : p.leading;
    const uint32_t inside = (line % 8 << log_span) + (byte & ((1u << log_span) - 1));
    return swizzled(p.start + line / 8 * group + (byte >> log_span) * span + inside, p.mode);
}
// Element (r, q) of a panel of rows x k goes to to[r * by_row + q * by_k].
inline void gather(float *to, int rows, int k, int by_row, int by_k, const panel &p, bool k_inner, int kind) {
    const int size = kind == TF32 ? 4 : 2;
    const char *base = here().arena + (size_t)now->home->slot * WINDOW;
    for (int r = 0; r < rows; r++)
        for (int q = 0; q < k; q++) {
            const uint32_t at = panel_at(p, k_inner, size, r, q);
            if (at >= WINDOW) fail("wgmma reads outside of shared memory");
            uint32_t u = 0;
            memcpy(&u, base + at, (size_t)size);
            to[r * by_row + q * by_k] = kind == TF32 ? drop_to_tf32(u) : low_of(kind, u);
        }
}
// D (64 x N) = A B, or D += A B. i.shape: N; i.flag: A is in registers. Operands: D, A or its descriptor, B's
// descriptor, whether to add, and of 16-bit kinds whether A (of a descriptor) and B are transposed.
inline void multiply_group(int, void **argument) {
    const instruction &i = *((product *)argument[0])->i;
    const int n = i.shape, k = i.kind == TF32 ? 8 : 16;
    const size_t words = (size_t)n / 2, b_at = words + (i.flag ? 4 : 1), add_at = b_at + 1;
    const bool turned = i.token_.size() > add_at + 1;
    static thread_local float a[64 * 16], b[16 * 256];
    static thread_local float d[64][256];
    auto element = [](int l, int c) -> float & {            // register c of lane l
        return d[l / 32 * 16 + l % 32 / 4 + (c & 2) * 4][c / 4 * 8 + 2 * (l % 4) + (c & 1)];
    };
    operand *o0 = ((product *)argument[0])->o;
    for (int l = 0; l < 128; l++) {
        operand *o = ((product *)argument[l])->o;
        const int g = l % 32 / 4, t = l % 4;
        const bool add = i.value(o, add_at) != 0;
        if (i.at(o, b_at).ul() != i.at(o0, b_at).ul()) fail("wgmma of several descriptors in a group");
        for (int c = 0; c < n / 2; c++) element(l, c) = add ? i.at(o, (size_t)c).f() : 0;
        for (int w = 0; i.flag && w < 4; w++)
            unpack_a(a + l / 32 * 16 * k, k, i.kind, g, t, w, i.at(o, words + (size_t)w).u());
    }
    const bool a_k_inner = !turned || !i.value(o0, add_at + 1);
    const bool b_k_inner = !turned || !i.value(o0, i.token_.size() - 1);
    if (!i.flag) gather(a, 64, k, k, 1, panel_of(i.at(o0, words).ul()), a_k_inner, i.kind);
    gather(b, n, k, 1, n, panel_of(i.at(o0, b_at).ul()), b_k_inner, i.kind);
    accumulate(d[0], 256, a, b, 64, n, k);
    for (int l = 0; l < 128; l++) {
        operand *o = ((product *)argument[l])->o;
        for (int c = 0; c < n / 2; c++) i.at(o, (size_t)c).set(element(l, c));
    }
}
inline void do_wgmma(const instruction &i, operand *o) {
    product p = { &i, o };
    warp_collective(128, 0, "wgmma", &p, multiply_group);
}

// >>mbarriers: the phase's parity; arrivals that a phase expects, and that this one still does; bytes that it still
// expects (below 0: delivered before they were expected)
struct mbarrier { uint64_t phase : 1, count : 20, pending : 20; int64_t bytes : 23; };
inline mbarrier &mbarrier_at(uint32_t address) {
    static_assert(sizeof(mbarrier) == 8, "an mbarrier has 8 bytes");
    if (address % 8) fail("an mbarrier that is not aligned");
    return *(mbarrier *)shared_at(address);
}
inline void advance(mbarrier &m) {
    if (m.pending || m.bytes) return;
    m.phase ^= 1;
    m.pending = m.count;
}
inline void arrive(uint32_t address, uint32_t times) {
    mbarrier &m = mbarrier_at(address);
    if (m.pending < times) fail("more arrivals at an mbarrier than it was made for");
    m.pending -= times;
    advance(m);
}
inline void deliver(uint32_t address, int64_t bytes) {
    mbarrier &m = mbarrier_at(address);
    m.bytes -= bytes;
    advance(m);
}
inline bool passed(uint32_t address, uint32_t parity) { return mbarrier_at(address).phase != (parity & 1); }

// >>tensor maps: what encode_tiled and encode_im2col of driver.h put into a CUtensorMap. Dimension 0 is contiguous.
struct tensor_map {
    char *data;
    uint32_t extent[5];
    uint64_t stride[5];         // bytes, from dimension 1 on
    uint16_t box[5], channels, pixels;
    int16_t lower[3], upper[3];
    uint8_t step[5], rank, size, swizzle, im2col, round;
};
static_assert(sizeof(tensor_map) <= sizeof(CUtensorMap), "room for a map");
inline const tensor_map &map_of(uint64_t p) { return *(const tensor_map *)(uintptr_t)p; }
// Copies `count` elements from coordinates `at` on to shared memory at `to`, 0 where they are outside of the tensor; or
// back (store), none where they are outside.
inline void move_pixel(const tensor_map &m, const int64_t *at, int count, uint32_t to, bool store) {
    bool inside = true;
    int64_t offset = 0;
    for (int d = 1; d < m.rank; d++) {
        inside = inside && at[d] >= 0 && at[d] < (int64_t)m.extent[d];
        offset += at[d] * (int64_t)m.stride[d];
    }
    for (int i = 0; i < count; i++) {
        const int64_t x = at[0] + i;
        const bool there = inside && x >= 0 && x < (int64_t)m.extent[0];
        char *s = shared_at(swizzled(to + (uint32_t)(i * m.size), m.swizzle)), *g = m.data + offset + x * m.size;
        if (store) { if (there) memcpy(g, s, m.size); continue; }
        if (there) memcpy(s, g, m.size); else memset(s, 0, m.size);
        if (m.round) { uint32_t u; memcpy(&u, s, 4); u = tf32_of(u); memcpy(s, &u, 4); }
    }
}
// A box of the map, from coordinates `at` on. Returns its bytes.
inline int64_t move_tile(const tensor_map &m, const int64_t *at, uint32_t address, bool store) {
    int64_t i[5] = {0}, p[5];
    uint32_t to = address;
    if (address % 128) fail("a tile that is not aligned");
    for (;;) {
        for (int d = 0; d < 5; d++) p[d] = d < m.rank ? at[d] + i[d] * m.step[d] : 0;
        move_pixel(m, p, m.box[0], to, store);
        to += (uint32_t)(m.box[0] * m.size);
        int d = 1;
        while (d < m.rank && ++i[d] == m.box[d]) i[d++] = 0;
        if (d >= m.rank) break;
    }
    return to - address;
}
// m.pixels pixels of m.channels channels, for one tap of a convolution: base pixels from `at` on, which run row by row
// from m.lower to m.extent + m.upper of each spatial dimension, each moved by `tap`. Returns their bytes.
inline int64_t move_im2col(const tensor_map &m, const int64_t *at, const int64_t *tap, uint32_t address) {
    int64_t p[5] = { at[0], at[1], at[2], at[3], at[4] };
    uint32_t to = address;
    const int spatial = m.rank - 2;
    for (int i = 0; i < m.pixels; i++) {
        int64_t q[5] = { p[0], p[1], p[2], p[3], p[4] };
        for (int d = 0; d < spatial; d++) q[1 + d] += tap[d];
        move_pixel(m, q, m.channels, to, false);
        to += (uint32_t)(m.channels * m.size);
        int d = 0;
        while (d < spatial && (p[1 + d] += m.step[1 + d]) >= (int64_t)m.extent[1 + d] + m.upper[d]) {
            p[1 + d] = m.lower[d];
            d++;
        }
        if (d == spatial) p[1 + spatial]++;
    }
    return to - address;
}

// >>instructions: act_x(i, o) executes i, whose asm statement has operands o, for the calling thread; i.at(o, k) is i's
// operand k.
inline void act_nothing(const instruction &, operand *) { }
inline void act_ex2(const instruction &i, operand *o) { i.at(o, 0).set(exp2f(i.at(o, 1).f())); }
inline void act_max(const instruction &i, operand *o) {     // of floats: NaN if one is
    const float a = i.at(o, 1).f(), b = i.at(o, 2).f();
    i.at(o, 0).set(b > a || b != b ? b : a);
}
inline void act_rcp(const instruction &i, operand *o) { i.at(o, 0).set(1 / i.at(o, 1).f()); }
inline void act_sqrt(const instruction &i, operand *o) { i.at(o, 0).set(sqrtf(i.at(o, 1).f())); }
inline void act_rsqrt(const instruction &i, operand *o) { i.at(o, 0).set(1 / sqrtf(i.at(o, 1).f())); }
inline void act_cp_async(const instruction &i, operand *o) {
    const int64_t bytes = i.value(o, 2), there = i.token_.size() > 3 ? i.value(o, 3) : bytes;
    char *to = shared_at(i.at(o, 0).u());
    const char *from = (const char *)(uintptr_t)i.at(o, 1).ul();
    if ((uintptr_t)to % (size_t)bytes || (there && (uintptr_t)from % (size_t)bytes))
        fail("cp.async that is not aligned");
    memset(to, 0, (size_t)bytes);
    memcpy(to, from, (size_t)there);
}
inline void act_tf32(const instruction &i, operand *o) { i.at(o, 0).set(tf32_of(i.at(o, 1).u())); }
inline void act_pack(const instruction &i, operand *o) {        // flag: relu
    uint16_t w[2];
    for (int k = 0; k < 2; k++) {
        float v = i.at(o, (size_t)(2 - k)).f();
        if (i.flag) v = v > 0 || v != v ? v : 0;
        if (i.kind == F16) { __half_raw r = __float2half_rn(v); w[k] = r.x; }
        else { __nv_bfloat16_raw r = __float2bfloat16_rn(v); w[k] = r.x; }
    }
    i.at(o, 0).set((uint32_t)w[0] | (uint32_t)w[1] << 16);
}
inline void act_cluster_arrive(const instruction &, operand *) { cluster_arrive(); }
inline void act_cluster_wait(const instruction &, operand *) { cluster_wait(); }
inline void act_mapa(const instruction &i, operand *o) {
    const uint32_t rank = i.at(o, 2).u();
    cluster *g = now->home->group;
    if ((int)rank >= g->blocks) fail("no such block in the cluster");
    i.at(o, 0).set(shared_address_in(i.at(o, 1).u(), g->member[rank]));
}
// Loads and stores: i.shape words, each of i.more bytes; i.kind: of shared memory; i.flag: a load of what other threads
// may store meanwhile.
inline char *memory_at(const instruction &i, operand *o, size_t k) {
    return i.kind ? shared_at(i.at(o, k).u()) : (char *)(uintptr_t)i.at(o, k).ul();
}
inline void act_load(const instruction &i, operand *o) {
    if (i.flag) yield();
    const char *p = memory_at(i, o, (size_t)i.shape);
    if ((uintptr_t)p % (size_t)(i.shape * i.more)) fail("a load that is not aligned: ", i.name.c_str());
    for (int k = 0; k < i.shape; k++) memcpy(i.at(o, (size_t)k).p, p + k * i.more, (size_t)i.more);
}
inline void act_store(const instruction &i, operand *o) {
    char *p = memory_at(i, o, 0);
    if ((uintptr_t)p % (size_t)(i.shape * i.more)) fail("a store that is not aligned: ", i.name.c_str());
    for (int k = 0; k < i.shape; k++) memcpy(p + k * i.more, i.at(o, 1 + (size_t)k).at(), (size_t)i.more);
}
inline void act_count(const instruction &i, operand *o) {
    *(uint32_t *)(uintptr_t)i.at(o, 0).ul() += (uint32_t)i.value(o, 1);
}
inline void act_mbarrier_init(const instruction &i, operand *o) {
    mbarrier m = { 0, (uint64_t)i.value(o, 1), (uint64_t)i.value(o, 1), 0 };
    mbarrier_at(i.at(o, 0).u()) = m;
}
inline void act_mbarrier_arrive(const instruction &i, operand *o) {
    arrive(i.at(o, 0).u(), i.token_.size() > 1 ? (uint32_t)i.value(o, 1) : 1);
}
inline void act_mbarrier_expect(const instruction &i, operand *o) {
    mbarrier_at(i.at(o, 0).u()).bytes += i.value(o, 1);
    arrive(i.at(o, 0).u(), 1);
}
inline void act_mbarrier_try(const instruction &i, operand *o) {
    if (!passed(i.at(o, 0).u(), i.at(o, 1).u())) yield();
    o[0].set((uint32_t)passed(i.at(o, 0).u(), i.at(o, 1).u()));
}
inline void act_mbarrier_wait(const instruction &i, operand *o) {       // flag: operand 0 receives the result
    const uint32_t bar = i.at(o, 0).u(), parity = i.at(o, 1).u();
    for (int64_t turn = 0; !passed(bar, parity); turn++) {
        if (turn == 20000000) {
            if (i.flag) { o[0].set(0u); return; }
            fail("deadlock at an mbarrier of ", name_of(here().kernel).c_str());
        }
        yield();
    }
    if (i.flag) o[0].set(1u);
}
// The coordinates that operands first, first + 1, ... are; 0 for dimensions that the map does not have.
struct coordinates { int64_t at[5]; };
inline coordinates coordinates_of(const instruction &i, operand *o, size_t first, const tensor_map &m) {
    coordinates c = {};
    for (size_t d = 0; d < m.rank; d++) c.at[d] = (int32_t)i.at(o, first + d).u();
    return c;
}
inline void act_tensor_load(const instruction &i, operand *o) {
    const tensor_map &m = map_of(i.at(o, 1).ul());
    const coordinates c = coordinates_of(i, o, 2, m);
    deliver(i.at(o, 2 + (size_t)m.rank).u(), move_tile(m, c.at, i.at(o, 0).u(), false));
}
inline void act_im2col_load(const instruction &i, operand *o) {
    const tensor_map &m = map_of(i.at(o, 1).ul());
    const coordinates c = coordinates_of(i, o, 2, m);
    int64_t tap[3];
    for (int d = 0; d < m.rank - 2; d++) tap[d] = i.at(o, 3 + (size_t)(m.rank + d)).h();
    if (!m.im2col) fail("a map that is not one of im2col");
    deliver(i.at(o, 2 + (size_t)m.rank).u(), move_im2col(m, c.at, tap, i.at(o, 0).u()));
}
inline void act_tensor_store(const instruction &i, operand *o) {
    const tensor_map &m = map_of(i.at(o, 0).ul());
    move_tile(m, coordinates_of(i, o, 1, m).at, i.at(o, 1 + (size_t)m.rank).u(), true);
}
// i.flag: into the blocks of the cluster whose bits operand 4 has, each at the same offset, and to its mbarrier
inline void act_bulk_load(const instruction &i, operand *o) {
    const uint32_t to = i.at(o, 0).u(), bytes = i.at(o, 2).u(), bar = i.at(o, 3).u();
    const char *from = (const char *)(uintptr_t)i.at(o, 1).ul();
    if (bytes % 16 || (uintptr_t)from % 16 || to % 16) fail("a bulk copy that is not aligned");
    cluster *g = now->home->group;
    for (int b = 0; b < g->blocks; b++) {
        if (i.flag ? !(i.at(o, 4).h() >> b & 1) : g->member[b] != now->home) continue;
        memcpy(shared_at(shared_address_in(to, g->member[b])), from, bytes);
        deliver(shared_address_in(bar, g->member[b]), bytes);
    }
}
inline void act_bulk_share(const instruction &i, operand *o) {
    memcpy(shared_at(i.at(o, 0).u()), shared_at(i.at(o, 1).u()), i.at(o, 2).u());
    deliver(i.at(o, 3).u(), i.at(o, 2).u());
}
inline void act_barrier(const instruction &i, operand *o) {             // flag: the thread waits
    barrier_sync((int)i.value(o, 0), i.token_.size() > 1 ? (int)i.value(o, 1) : 0, 0, i.flag);
}
inline void act_barrier_or(const instruction &i, operand *o) {          // of operand 1 of the statement, into operand 0
    const int votes = barrier_sync((int)i.value(o, 0), (int)i.value(o, 1), o[1].u() != 0, true);
    o[0].set((uint32_t)(votes & 1));
}
inline void act_pair(const instruction &i, operand *o) {
    const uint64_t v = (uint64_t)(uint32_t)i.value(o, 2) << 32 | (uint32_t)i.value(o, 1);
    memcpy(i.at(o, 0).p, &v, 8);
}
inline void act_store_async(const instruction &i, operand *o) {          // and a barrier that counts the bytes
    act_store(i, o);
    deliver(i.at(o, 1 + i.shape).u(), 4u * (uint32_t)i.shape);
}
inline void act_tid(const instruction &, operand *o) { o[0].set((uint32_t)now->thread.x); }
inline void act_prmt(const instruction &i, operand *o) {
    i.at(o, 0).set(prmt((uint32_t)i.value(o, 1), (uint32_t)i.value(o, 2), (uint32_t)i.value(o, 3)));
}
inline void act_fma2(const instruction &i, operand *o) {        // of two numbers of 16 bits; NaN is 0x7fff
    uint32_t all = 0;
    for (int k = 0; k < 2; k++) {
        float v[3];
        for (int n = 0; n < 3; n++) {
            const uint16_t bits = (uint16_t)(i.at(o, (size_t)n + 1).u() >> 16 * k);
            __half_raw h = { bits };
            v[n] = i.kind == BF16 ? __uint_as_float((uint32_t)bits << 16) : __half2float(__half(h));
        }
        const float r = fmaf(v[0], v[1], v[2]);
        const uint16_t bits = i.kind == BF16 ? __nv_bfloat16_raw(__float2bfloat16_rn(r)).x
            : __half_raw(__float2half_rn(r)).x;
        all |= (uint32_t)(r != r ? 0x7fffu : bits) << 16 * k;
    }
    i.at(o, 0).set(all);
}
inline void act_redux_or(const instruction &i, operand *o) {
    i.at(o, 0).set(warp_reduce(~0u, i.at(o, 1).u(), reduce_or, "redux.or"));
}

// By how they begin: the first that fits. cp.async.bulk.tensor and statements in braces are statement::parse's.
struct pattern { const char *begins; void (*act)(const instruction &, operand *); };
static const pattern patterns[] = {
    { "griddepcontrol", act_nothing }, { "fence", act_nothing }, { "prefetch", act_nothing },
    { "setmaxnreg", act_nothing }, { "createpolicy", act_nothing },
    { "cp.async.commit_group", act_nothing }, { "cp.async.wait_group", act_nothing },
    { "cp.async.bulk.commit_group", act_nothing }, { "cp.async.bulk.wait_group", act_nothing },
    { "cp.async.bulk.prefetch", act_nothing }, { "wgmma.wait_group", act_nothing }, { "wgmma.fence", act_nothing },
    { "wgmma.commit_group", act_nothing }, { "ex2.", act_ex2 }, { "max.NaN.f32", act_max },
    { "rcp.", act_rcp }, { "sqrt.", act_sqrt },
    { "rsqrt.", act_rsqrt }, { "cvt.rna.tf32", act_tf32 }, { "cvt.rn.", act_pack }, { "mov.b64", act_pair },
    { "mov.u32", act_tid }, { "prmt", act_prmt }, { "fma.rn.", act_fma2 },
    { "redux.sync.or", act_redux_or }, { "mma.sync", do_mma },
    { "ldmatrix", do_matrix }, { "stmatrix", do_matrix }, { "ld.", act_load },
    { "st.async", act_store_async }, { "st.", act_store },
    { "red.relaxed.gpu.global.add.u32", act_count }, { "cp.async.cg", act_cp_async }, { "cp.async.ca", act_cp_async },
    { "cp.async.bulk.shared::cluster.global", act_bulk_load },
    { "cp.async.bulk.shared::cluster.shared::cta", act_bulk_share }, { "mapa", act_mapa },
    { "barrier.cluster.arrive", act_cluster_arrive }, { "barrier.cluster.wait", act_cluster_wait },
    { "bar.sync", act_barrier }, { "barrier.sync", act_barrier }, { "bar.arrive", act_barrier },
    { "mbarrier.init", act_mbarrier_init }, { "mbarrier.arrive.expect_tx", act_mbarrier_expect },
    { "mbarrier.arrive", act_mbarrier_arrive } };

// %0, %1, ... and numbers, in the order of the text.
inline std::vector<token> tokens_of(const char *p, const char *end) {
    std::vector<token> list;
    while (p < end) {
        const unsigned char c = (unsigned char)*p;
        if (c == '%' && p + 1 < end && isdigit((unsigned char)p[1])) {
            list.push_back({ true, strtol(p + 1, (char **)&p, 10) });
        } else if (isdigit(c)) {
            list.push_back({ false, (int64_t)strtoull(p, (char **)&p, 0) });
        } else if (isalpha(c) || c == '%') {
            while (p < end && (isalnum((unsigned char)*p) || strchr("_.:%", *p))) p++;
        } else p++;
    }
    return list;
}
inline int kind_of(const std::string &s) {
    return s.find("tf32") != s.npos ? TF32 : s.find("bf16") != s.npos ? BF16 : F16;
}
// What i.act needs of the instruction's name, and of its text.
inline void describe(instruction &i, const std::string &text) {
    const std::string &s = i.name;
    auto has = [&](const char *what) { return s.find(what) != s.npos; };
    if (i.act == do_mma) { i.kind = kind_of(s); i.more = has("n8k16") ? 16 : 8; }
    if (i.act == do_matrix) { i.flag = has(".trans"); i.other = has("stmatrix"); }
    if (i.act == act_fma2) i.kind = kind_of(s);
    if (i.act == act_pack) { i.kind = kind_of(s); i.flag = has("relu"); }
    if (i.act == act_load || i.act == act_store || i.act == act_store_async) {
        i.kind = has(".shared"); i.shape = has(".v4") ? 4 : has(".v2") ? 2 : 1;
        i.more = has("64") ? 8 : 4; i.flag = has("relaxed") || has("acquire");
    }
    if (i.act == act_tid && text.find("%tid.x") == text.npos) fail("no such PTX: ", text.c_str());
    if (i.act == act_bulk_load) i.flag = has("multicast");
    if (i.act == act_barrier) i.flag = has(".sync");
}
inline std::vector<instruction> *statement::parse() const {
    auto *list = new std::vector<instruction>();
    const char *p = text;
    if (*p == '{') {        // a predicate, and the instruction that uses it
        const char *found;
        instruction i;
        i.name = text;
        if ((found = strstr(text, "wgmma.mma_async"))) {
            const char *shape = strstr(found, "m64n"), *body = strchr(found, '{'), *tail = strstr(body, ", p, ");
            i.act = do_wgmma; i.shape = atoi(shape + 4); i.kind = kind_of(std::string(found, body));
            i.token_ = tokens_of(body, tail);
            i.flag = i.token_.size() == (size_t)i.shape / 2 + 5;
            // the number that says whether to add stands in front: setp.ne.b32 p, %add, 0; behind p: two signs, and
            // what is transposed
            i.token_.push_back({ true, atoi(strchr(text, '%') + 1) });
            const std::vector<token> flags = tokens_of(tail, strchr(tail, ';'));
            for (size_t k = 2; k < flags.size(); k++) i.token_.push_back(flags[k]);
        } else if ((found = strstr(text, "mbarrier.try_wait"))) {
            i.act = strstr(text, "LOOK") ? act_mbarrier_wait : act_mbarrier_try;
            i.flag = strstr(text, "selp") != NULL;
            i.token_ = tokens_of(found, strchr(found, ';'));
        } else if ((found = strstr(text, "bar.red.or"))) {
            i.act = act_barrier_or;
            i.token_ = tokens_of(found, strchr(found, ';'));
        } else fail("no such PTX: ", text);
        list->push_back(i);
        return list;
    }
    while (*p) {
        while (*p && (isspace((unsigned char)*p) || *p == ';')) p++;
        if (!*p) break;
        const char *end = p + strcspn(p, ";"), *space = p + strcspn(p, " ;");
        instruction i;
        i.name = std::string(p, space);
        i.act = NULL;
        auto has = [&](const char *what) { return i.name.find(what) != i.name.npos; };
        if (!strncmp(p, "cp.async.bulk.tensor", 20))
            i.act = has("im2col") ? act_im2col_load : has("mbarrier") ? act_tensor_load : act_tensor_store;
        for (const pattern &q : patterns) if (!i.act && !strncmp(p, q.begins, strlen(q.begins))) i.act = q.act;
        if (!i.act) fail("no such PTX: ", text);
        i.token_ = tokens_of(space, end);
        describe(i, std::string(p, end));
        list->push_back(i);
        p = end;
    }
    return list;
}
}
