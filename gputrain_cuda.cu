// gputrain_cuda.cu - version 0.1 - the CUDA backend of gputrain.h: kernels, cuBLASLt, streams, graphs.
//
// Compile it beside your program and define GPUTRAIN_CUDA for both:
//     nvcc -O3 -arch=native -DGPUTRAIN_CUDA train.c gputrain_cuda.cu -lcublasLt
// Toolkits from CUDA 11.4 on compile it, as C++17.
// Define GPUTRAIN_NO_CUBLASLT to build without cuBLASLt: own products alone, and nothing to link.
//
// The file calls nothing of gputrain.h by name: it is handed a table (gtr__host) and exports one
// (gtr_cuda_backend_0_1).
// All else is static, nothing is mutable outside an instance. Which path a kernel takes is chosen by the architecture
// that the loaded code was compiled for (a probe kernel reports it). Licence: that of gputrain.h.
//
// Contents: device helpers, runtime, products, the other ops, kernels of whole networks, the table. Markers:
// "// >>name", "// >>op:name".

#define GPUTRAIN_BACKEND
#include "gputrain.h"

#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#ifndef GPUTRAIN_NO_CUBLASLT
#include <cublasLt.h>
#endif
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#if GPUTRAIN_VERSION_MAJOR != 0 || GPUTRAIN_VERSION_MINOR != 1
#error "gputrain_cuda.cu is of version 0.1 and gputrain.h is of another: take both files from one release"
#endif
#ifdef GPUTRAIN_DOUBLE
#error "gputrain: GPUTRAIN_DOUBLE is for the CPU alone"
#endif
#if CUDART_VERSION < 11040
#error "gputrain_cuda.cu wants CUDA 11.4 or newer"
#endif
#if !defined(_MSC_VER) && __cplusplus < 201703L
#error "gputrain_cuda.cu is C++17: add -std=c++17, which compilers older than g++ 11 do not take by themselves"
#endif
#if CUDART_VERSION < 11070
#define __grid_constant__       // kernels then copy their parameters where they index them
#endif

// >>device-helpers
#define GTR__DEVICE __device__ __forceinline__

#define GTR__R     float
#define GTR__EXPF  expf
#define GTR__LOGF  logf
#define GTR__TANHF tanhf
#define GTR__ERFF  gtr__erf
#define GTR__LOG1PF gtr__log1p
#define GTR__EXPM1F gtr__expm1
#define GTR__SINF  gtr__sin
#define GTR__COSF  gtr__cos
#define GTR__POWF  gtr__pow
#define GTR__FLOORF floorf
#define GTR__RINTF rintf
#define GTR__FABSF fabsf
#define GTR__SELECT(yes, a, b) ((yes) ? (a) : (b))
#define GTR__FMAF  __fmaf_rn
#define GTR__SQRTF __fsqrt_rn
#define GTR__BITS_OF(x) __float_as_uint(x)
#define GTR__OF_BITS(u) __uint_as_float(u)

// What every kernel launcher may read of its instance: the first member of the whole (see runtime).
#define GTR__UNWATCHED (2 * GTR__MAX_LOOKUPS + 1)
typedef struct gtr__span { const float *p; int64_t count; } gtr__span;
typedef struct gtr__cuda {
    gtr__host host;
    int device;
    int sm_count;               // multiprocessors to fill: those there, or desc.max_sm if fewer
    int compute;                // 75, 80, 87, 90, ...: what the loaded code was compiled for, not what the device is
    int arch_feature;           // the loaded code has sm_90a's own instructions
    size_t shared_max;          // bytes of shared memory a block may opt in to
    int overlap;                // kernels start while what they wait for ends, set by the runtime where that is safe: 1
                                // on their stream, 2 by the edges of a graph that is captured, whatever the streams
    uint64_t early;             // bit k: no node that the running call waits for writes its in[k], which may be read
    int starts, began;          // before those have ended; kernels started so far, and when this call began
    const void *running;        // that call
    void *group;                // NULL, or a gtr__group that products may join
    uint64_t watch;             // bit k: out[k] of the running call is a gradient, and if its kernel checks that it is
                                // finite and clears the bit, GUARD need not read it
    gtr__span unwatched[GTR__UNWATCHED];    // gradients, or parts, that GUARD has to read;
    int n_unwatched;            // -1: all of them
    int poisoned;               // the device is lost; cause says why
    char cause[256];
} gtr__cuda;

// Notes an error with the host and returns its code. instance may be NULL.
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
static inline gtr_result gtr__fail(void *instance, gtr_result code, const char *format, ...) {
    gtr__cuda *g = (gtr__cuda *)instance;
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (g && g->host.error) g->host.error(g->host.user, code, text);
    return code;
}

// Errors after which CUDA asks for the process to end: nothing on the device can be trusted.
static inline bool gtr__fatal(cudaError_t e) {
    int n = (int)e;
    return n == 700 || n == 702 || n == 710 || (n >= 714 && n <= 719) || n == 721 || n == 810;
}

// Turns a return code of CUDA into a result: GTR_OK, or an error noted with what was done. Fatal
// codes poison the instance.
static inline gtr_result gtr__check(void *instance, cudaError_t e, const char *what) {
    gtr__cuda *g = (gtr__cuda *)instance;
    if (e == cudaSuccess) return GTR_OK;
    cudaGetLastError();
    if (e == cudaErrorMemoryAllocation) return gtr__fail(instance, GTR_ERR_NOMEM, "%s: out of device memory", what);
    if (g && gtr__fatal(e)) {
        if (!g->poisoned) {
            g->poisoned = 1;
            snprintf(g->cause, sizeof g->cause, "%s: %s (%s, %d)", what, cudaGetErrorString(e),
                cudaGetErrorName(e), (int)e);
        }
        return gtr__fail(instance, GTR_ERR_CUDA,
            "the device is lost, the process must be started anew; first cause: %s", g->cause);
    }
    return gtr__fail(instance, GTR_ERR_CUDA, "%s: %s (%s, %d)", what, cudaGetErrorString(e),
        cudaGetErrorName(e), (int)e);
}

// Starts a kernel on the call's stream and checks that it started: return GTR__LAUNCH(instance, c, kernel, grid, block,
// shared, args...); A kernel with template arguments goes in parentheses. Every kernel's first
// statement is gtr__enter().
#define GTR__LAUNCH(instance, c, kernel, grid, block, shared, ...) \
    gtr__start(instance, (cudaStream_t)(c)->stream, #kernel, kernel, dim3(grid), dim3(block), shared, 1u, __VA_ARGS__)

#if CUDART_VERSION >= 13000
#define GTR__VERSIONED(name, version) name
#else
#define GTR__VERSIONED(name, version) name##version
#endif
// What comes next in a captured stream, a kernel, begins while what it waits for ends, where that is kernels alone.
// A driver that can't is done without.
static inline void gtr__overlap_edges(cudaStream_t stream) {
#if CUDART_VERSION >= 12030
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t *on;
    const cudaGraphEdgeData *given;
    cudaGraphNodeType type = cudaGraphNodeTypeKernel;
    cudaGraphNode_t node[GTR__MAX_LANES];
    cudaGraphEdgeData edge[GTR__MAX_LANES];
    size_t n = 0;
    cudaError_t e = GTR__VERSIONED(cudaStreamGetCaptureInfo, _v3)(stream, &status, NULL, NULL, &on, &given, &n);
    if (e == cudaSuccess && n > GTR__MAX_LANES) return;
    memset(edge, 0, sizeof edge);
    for (size_t i = 0; e == cudaSuccess && i < n && type == cudaGraphNodeTypeKernel; i++) {
        e = cudaGraphNodeGetType(node[i] = on[i], &type);
        edge[i].from_port = cudaGraphKernelNodePortProgrammatic;
        edge[i].type = cudaGraphDependencyTypeProgrammatic;
    }
    if (e == cudaSuccess && n && type == cudaGraphNodeTypeKernel)
        e = GTR__VERSIONED(cudaStreamUpdateCaptureDependencies, _v2)(stream, node, edge, n,
            cudaStreamSetCaptureDependencies);
    if (e != cudaSuccess) cudaGetLastError();
#else
    (void)stream;
#endif
}

#if CUDART_VERSION >= 11080
template <typename... P, typename... A>
static gtr_result gtr__start(void *instance, cudaStream_t stream, const char *name, void (*kernel)(P...), dim3 grid,
        dim3 block, size_t shared, unsigned cluster, A &&...args) {
    gtr__cuda *g = (gtr__cuda *)instance;
    cudaLaunchAttribute attribute[2];
    cudaLaunchConfig_t config;
    memset(attribute, 0, sizeof attribute);
    memset((void *)&config, 0, sizeof config);
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = attribute;
    g->starts++;
    if (g->overlap == 2) gtr__overlap_edges(stream);
    else if (g->overlap) {
        attribute[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    if (cluster > 1) {
        attribute[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attribute[config.numAttrs].val.clusterDim.x = cluster;
        attribute[config.numAttrs].val.clusterDim.y = 1;
        attribute[config.numAttrs++].val.clusterDim.z = 1;
    }
    return gtr__check(instance, cudaLaunchKernelEx(&config, kernel, static_cast<A &&>(args)...), name);
}
#else           // before launch attributes: Hopper's code, which alone uses them, is compiled by newer toolkits alone
template <typename... P, typename... A>
static gtr_result gtr__start(void *instance, cudaStream_t stream, const char *name, void (*kernel)(P...), dim3 grid,
                             dim3 block, size_t shared, unsigned, A &&...args) {
    return [&](typename std::remove_const<P>::type... given) {
        void *list[] = { (void *)&given... };
        return gtr__check(instance, cudaLaunchKernel((const void *)kernel, grid, block, list, shared, stream), name);
    }(static_cast<A &&>(args)...);
}
#endif

// A kernel whose blocks wait for each other, all of them and, unless cluster is 1, so many; m: its only parameter.
struct gtr__together {
    const void *kernel;
    void *m;
    int blocks, threads;
    size_t bytes;               // of shared memory
    int cluster;
#if CUDART_VERSION >= 11080
    cudaLaunchAttribute attribute[2];
    cudaLaunchConfig_t config;
    void describe(void *stream)
    {
        memset((void *)attribute, 0, sizeof attribute);
        memset((void *)&config, 0, sizeof config);
        attribute[0].id = cudaLaunchAttributeCooperative;
        attribute[0].val.cooperative = 1;
        attribute[1].id = cudaLaunchAttributeClusterDimension;
        attribute[1].val.clusterDim.x = (unsigned)cluster;
        attribute[1].val.clusterDim.y = attribute[1].val.clusterDim.z = 1;
        config.gridDim = dim3((unsigned)blocks); config.blockDim = dim3((unsigned)threads);
        config.dynamicSmemBytes = bytes;
        config.stream = (cudaStream_t)stream; config.attrs = attribute; config.numAttrs = cluster > 1 ? 2 : 1;
    }
#endif
    // Whether the device has room for all blocks at a time.
    bool fits(void *instance, const gtr__caps *caps)
    {
        const int device = ((gtr__cuda *)instance)->device;
        int each = 0, sms = 0, able = 0;
        cudaError_t e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
        if (e == cudaSuccess) e = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
        if (e == cudaSuccess) e = cudaDeviceGetAttribute(&able, cudaDevAttrCooperativeLaunch, device);
        if (e == cudaSuccess) e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, bytes);
        int room = each * sms;
#if CUDART_VERSION >= 11080
        describe(NULL);
        config.attrs = attribute + 1; config.numAttrs = 1;
        if (e == cudaSuccess && cluster > 1) {
            e = cudaOccupancyMaxActiveClusters(&each, kernel, &config);
            room = cluster * each;
        }
#endif
        if (caps->room && room > caps->room) room = caps->room;
        if (e != cudaSuccess) cudaGetLastError();
        return e == cudaSuccess && able && room >= blocks;
    }
    // Starts it; or, under c->fits, says there whether it could be.
    gtr_result start(void *instance, const gtr__call *c, const char *name)
    {
        if (c->fits) { *c->fits = fits(instance, c->caps); return GTR_OK; }
        cudaError_t e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
        void *args[1] = { m };
        if (e != cudaSuccess) return gtr__check(instance, e, "cudaFuncSetAttribute");
#if CUDART_VERSION >= 11080
        describe(c->stream);
        return gtr__check(instance, cudaLaunchKernelExC(&config, kernel, args), name);
#else
        const dim3 grid((unsigned)blocks), block((unsigned)threads);
        e = cudaLaunchCooperativeKernel(kernel, grid, block, args, bytes, (cudaStream_t)c->stream);
        return gtr__check(instance, e, name);
#endif
    }
};
template <typename M>
static gtr__together gtr__all_of(void (*kernel)(M), M *m, int blocks, int threads, size_t bytes, int cluster) {
    gtr__together t;
    t.kernel = (const void *)kernel; t.m = (void *)m;
    t.blocks = blocks; t.threads = threads; t.bytes = bytes; t.cluster = cluster;
    return t;
}

// Blocks for a grid-stride loop over items, per_block a round; never more than fill the device a few times over.
static inline unsigned gtr__blocks(void *instance, int64_t items, int64_t per_block) {
    int64_t blocks = (items + per_block - 1) / per_block, most = (int64_t)((gtr__cuda *)instance)->sm_count * 16;
    return (unsigned)(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

// Before it touches memory, a kernel waits until its predecessor's writes are there, and lets its successor be set up
// meanwhile. Both do nothing but under gtr__cuda.overlap. All threads call it: a successor trusts that what its
// predecessor waited for is done.
static GTR__DEVICE void gtr__enter() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Storage to float and back, by type and by number.
static GTR__DEVICE float gtr__load(const float *p)         { return *p; }
static GTR__DEVICE float gtr__load(const __nv_bfloat16 *p) { return __bfloat162float(*p); }
static GTR__DEVICE float gtr__load(const __half *p)        { return __half2float(*p); }
static GTR__DEVICE void  gtr__store(float *p, float v)         { *p = v; }
static GTR__DEVICE void  gtr__store(__nv_bfloat16 *p, float v) { *p = __float2bfloat16_rn(v); }
static GTR__DEVICE void  gtr__store(__half *p, float v)        { *p = __float2half_rn(v); }
// As it will be read, once it is stored.
static GTR__DEVICE float gtr__rounded(int t, float v) {
    return t == GTR_BF16 ? __bfloat162float(__float2bfloat16_rn(v))
        : t == GTR_F16 ? __half2float(__float2half_rn(v)) : v;
}
static int gtr__elem(int t) { return t == GTR_BF16 || t == GTR_F16 ? 2 : t == GTR_I64 ? 8 : t == GTR_U8 ? 1 : 4; }
static int64_t gtr__ceil(int64_t n, int64_t d) { return (n + d - 1) / d; }

static GTR__DEVICE bool gtr__infinite(float v) {     // or NaN
    return (__float_as_uint(v) & 0x7f800000u) == 0x7f800000u;
}
// Sets guard, if there is one, where a gradient is not finite: GUARD need not read it again. All write the same.
static GTR__DEVICE void gtr__watch(uint32_t *guard, const float *v, int n = 1) {
    bool bad = false;
#pragma unroll
    for (int i = 0; i < n; i++) bad |= gtr__infinite(v[i]);
    if (guard && bad) *guard = 1;
}
static GTR__DEVICE float gtr__get(const void *p, int dtype, int64_t i) {
    return dtype == GTR_F32 ? ((const float *)p)[i]
         : dtype == GTR_BF16 ? gtr__load((const __nv_bfloat16 *)p + i) : gtr__load((const __half *)p + i);
}
static GTR__DEVICE void gtr__put(void *p, int dtype, int64_t i, float v) {
    if (dtype == GTR_F32) gtr__store((float *)p + i, v);
    else if (dtype == GTR_BF16) gtr__store((__nv_bfloat16 *)p + i, v);
    else gtr__store((__half *)p + i, v);
}
// Four elements from index i on; the address is a multiple of their size together.
static GTR__DEVICE float4 gtr__get4(const void *p, int dtype, int64_t i) {
    if (dtype == GTR_F32) return *(const float4 *)((const float *)p + i);
    uint2 u = *(const uint2 *)((const uint16_t *)p + i);
    float2 lo, hi;
    if (dtype == GTR_BF16) {
        lo = make_float2(__uint_as_float(u.x << 16), __uint_as_float(u.x & 0xffff0000u));
        hi = make_float2(__uint_as_float(u.y << 16), __uint_as_float(u.y & 0xffff0000u));
    } else {
        __half2 a, b;
        memcpy(&a, &u.x, 4);
        memcpy(&b, &u.y, 4);
        lo = __half22float2(a);
        hi = __half22float2(b);
    }
    return make_float4(lo.x, lo.y, hi.x, hi.y);
}
static GTR__DEVICE void gtr__put4(void *p, int dtype, int64_t i, float4 v) {
    if (dtype == GTR_F32) { *(float4 *)((float *)p + i) = v; return; }
    uint2 u;
    if (dtype == GTR_BF16) {
        __nv_bfloat162 a = __floats2bfloat162_rn(v.x, v.y), b = __floats2bfloat162_rn(v.z, v.w);
        memcpy(&u.x, &a, 4);
        memcpy(&u.y, &b, 4);
    } else {
        __half2 a = __floats2half2_rn(v.x, v.y), b = __floats2half2_rn(v.z, v.w);
        memcpy(&u.x, &a, 4);
        memcpy(&u.y, &b, 4);
    }
    *(uint2 *)((uint16_t *)p + i) = u;
}

// Runs the statements with T as the type that dtype names; other dtypes run nothing.
#define GTR__BY_DTYPE(dtype, T, ...) do { \
    if ((dtype) == GTR_F32) { typedef float T; __VA_ARGS__ } \
    else if ((dtype) == GTR_BF16) { typedef __nv_bfloat16 T; __VA_ARGS__ } \
    else if ((dtype) == GTR_F16) { typedef __half T; __VA_ARGS__ } } while (0)

// Reductions of a fixed order. All lanes (threads) get the result: a butterfly adds the same pairs on both sides. HALF:
// of the lanes that it is over.
template <int HALF = 16, typename V> static GTR__DEVICE V gtr__warp_sum(V v) {
#pragma unroll
    for (int i = HALF; i; i >>= 1) v += __shfl_xor_sync(0xffffffffu, v, i);
    return v;
}
template <int HALF = 16>
static GTR__DEVICE float gtr__warp_max(float v)      // of equals and numbers; NaN loses
{
#pragma unroll
    for (int i = HALF; i; i >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, i));
    return v;
}
static GTR__DEVICE float4 gtr__add4(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
static GTR__DEVICE float4 gtr__shuffle_add4(float4 v, int o) {
    return gtr__add4(v, make_float4(__shfl_xor_sync(0xffffffffu, v.x, o), __shfl_xor_sync(0xffffffffu, v.y, o),
        __shfl_xor_sync(0xffffffffu, v.z, o), __shfl_xor_sync(0xffffffffu, v.w, o)));
}
// All threads of a block of a multiple of 32 threads call them; scratch is 32 of shared
// memory, free again on return.
template <typename V> static GTR__DEVICE V gtr__block_sum(V v, V *scratch) {
    int warps = (int)(blockDim.x + 31) / 32, lane = (int)threadIdx.x & 31;
    v = gtr__warp_sum(v);
    if (lane == 0) scratch[threadIdx.x / 32] = v;
    __syncthreads();
    v = gtr__warp_sum(lane < warps ? scratch[lane] : (V)0);
    __syncthreads();
    return v;
}
static GTR__DEVICE float gtr__block_max(float v, float *scratch) {
    int warps = (int)(blockDim.x + 31) / 32, lane = (int)threadIdx.x & 31;
    v = gtr__warp_max(v);
    if (lane == 0) scratch[threadIdx.x / 32] = v;
    __syncthreads();
    v = gtr__warp_max(lane < warps ? scratch[lane] : -INFINITY);
    __syncthreads();
    return v;
}
// True in all threads of the last block to come here, whose reads then see what the others wrote before: ticket
// is zero before and after.
static GTR__DEVICE bool gtr__last_block(uint32_t *ticket, unsigned blocks) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(ticket, 1u) == blocks - 1;
        if (last) *ticket = 0;
    }
    __syncthreads();
    if (last) __threadfence();
    return last;
}

// The element-wise formulas; op is the number of a unary op (a constant folds the switch away). Backward reads x or y,
// whichever its row names; the other may be anything.
// Good to 1e-7 of 1, which gelu adds. 1 - 2^(t P(t)), t = |x|: P fits log2(erfc(t)) / t up to 4.3, and is negative
// beyond. The library's erff branches, so that of a thread's elements one waits for the other: three times as long.
static GTR__DEVICE float gtr__erf(float x) {
    const float t = fabsf(x);
    float p = fmaf(-4.53586072e-05f, t, 0.000445507729f), e;
    p = fmaf(fmaf(fmaf(p, t, -0.00148944196f), t, -0.000774629065f), t, 0.0282536801f);
    p = fmaf(fmaf(fmaf(p, t, -0.148481607f), t, -0.918416381f), t, -1.62790859f);
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(p * t));
    return copysignf(1.0f - e, x);
}

// One comparison, which the compiler is kept from making a part of a switch: a switch's table is memory that a launch
// has not read yet, and comes later than a step of a product.
static GTR__DEVICE bool gtr__is(int value, int which) {
    asm("" : "+r"(value));
    return value == which;
}
// 32 bits of 2 / pi, of which word 0 is what stands in front. No table: the toolkit's sinf keeps these bits in memory
// and has a stack, and so would each kernel that may call it; with a table in constant memory each launch of each
// kernel of the file takes 0.4 us longer on an H200.
static GTR__DEVICE uint32_t gtr__two_over_pi(int i) {
    return gtr__is(i, 0) ? 0u : gtr__is(i, 1) ? 0xa2f9836eu : gtr__is(i, 2) ? 0x4e441529u
        : gtr__is(i, 3) ? 0xfc2757d1u : gtr__is(i, 4) ? 0xf534ddc0u : gtr__is(i, 5) ? 0xdb629599u
        : gtr__is(i, 6) ? 0x3c439041u : 0xfe5163abu;
}
// sin (q 0) and cos (q 1) by |x| = n pi / 2 + r, |r| <= pi / 4. From 2^17 on (Payne and Hanek, 1983) the mantissa is
// multiplied by the 96 bits of 2 / pi from the first on of which a bit of n mod 4 comes.
static __device__ __noinline__ float gtr__sincos(float x, uint32_t q) {
    const uint32_t u = __float_as_uint(x) & 0x7fffffffu, at = (u >> 23) - 120u, sign = q ? 0u : __float_as_uint(x);
    float t = fabsf(x), r;
    if (u < 0x48000000u) {      // each product is exact, but for the last one's rounding
        const float n = rintf(t * 0.636619772f);
        r = fmaf(n, 1.71512449e-15f, fmaf(n, 4.37113883e-08f, fmaf(n, -1.57079637f, t)));
        q += (uint32_t)n;
    } else if (u < 0x7f800000u) {
        const uint32_t m = (u & 0x7fffffu) | 0x800000u;
        uint32_t bits[4];
#pragma unroll
        for (int i = 0; i < 4; i++) bits[i] = gtr__two_over_pi((int)(at >> 5) + i);
        const uint64_t p = ((uint64_t)(m * __funnelshift_l(bits[1], bits[0], at)) << 32)
            + (uint64_t)m * __funnelshift_l(bits[2], bits[1], at)
            + ((uint64_t)m * __funnelshift_l(bits[3], bits[2], at) >> 32);
        const uint32_t n = ((uint32_t)(p >> 61) + 1) >> 1;
        r = (float)((double)(int64_t)(p - ((uint64_t)n << 62)) * 3.4061215800865545e-19);
        q += n;
    } else return x - x;
    const float z = r * r, c = fmaf(fmaf(fmaf(2.44331571e-5f, z, -1.38873163e-3f), z, 4.16666456e-2f), z, -0.5f),
        s = fmaf(fmaf(fmaf(2.71831149e-6f, z, -1.98393348e-4f), z, 8.33333138e-3f), z, -1.66666667e-1f);
    const float y = q & 1 ? fmaf(c, z, 1.0f) : fmaf(s * z, r, r);
    return __uint_as_float(__float_as_uint(y) ^ ((q << 30 ^ sign) & 0x80000000u));
}
static GTR__DEVICE float gtr__sin(float x) { return gtr__sincos(x, 0); }
static GTR__DEVICE float gtr__cos(float x) { return gtr__sincos(x, 1); }
// Calls: long.
static __device__ __noinline__ float gtr__log1p(float x) { return log1pf(x); }
static __device__ __noinline__ float gtr__expm1(float x) { return expm1f(x); }
static __device__ __noinline__ float gtr__pow(float x, float y) { return powf(x, y); }
#define GTR__FORMULA_FUNCTION(name, body) static GTR__DEVICE float gtr__##name(float x) body
GTR__FORMULA_FUNCTIONS(GTR__FORMULA_FUNCTION)
// What kernels have in line, and whole-network kernels know: 0 and what it makes of 0 are finite, but for LOG.
#define GTR__KNOWN_TABLE(U, X) U(X, SCALE, scale, FOLLOW, 0, GTR__SCALES, a * x + b, dy * a) GTR__UNARY_OF_X(U, X)
#define GTR__KNOWN(X) GTR__KNOWN_TABLE(GTR__UNARY_FORMULAS, X)
#define GTR__LABEL(ID, name, forward, backward) case GTR__OP_##ID:
static bool gtr__unary_op(int op) { return op >= 0 && gtr__step_of((gtr__op)op) == GTR__STEP_UNARY; }
static bool gtr__known(int op) { switch (op) { GTR__KNOWN(GTR__LABEL) return true; default: return false; } }
static GTR__DEVICE float gtr__unary_fwd(int op, float x, float a, float b) {
#define GTR__CASE(ID, name, forward, backward) case GTR__OP_##ID: return forward;
    switch (op) { GTR__UNARY(GTR__CASE) default: return x; }
#undef GTR__CASE
}
static GTR__DEVICE float gtr__unary_bwd(int op, float dy, float x, float y, float a, float b) {
    (void)b;
#define GTR__CASE(ID, name, forward, backward) case GTR__OP_##ID: return backward;
    switch (op) { GTR__UNARY(GTR__CASE) default: return dy; }
#undef GTR__CASE
}

// >>runtime
// An instance is a device, its streams and, shared between instances of one device, the handle of cuBLASLt. A plan's
// nodes run on lanes: lane = stage * GTR__MAX_STREAMS + stream is stream number `stream` of instances[stage]. The first
// stream of instances[0] is the main one: other lanes fork from it and are joined to it,
// eagerly and in a capture alike.

#include <atomic>
#include <new>

#if !defined(GPUTRAIN_NO_CUBLASLT) && !defined(GPUTRAIN_LINK_CUBLASLT) && defined(__linux__)
// cuBLASLt is loaded when the first product wants it, which takes 40 ms: a program whose networks have kernels of their
// own does without. Define GPUTRAIN_LINK_CUBLASLT where it is to be linked as ever (statically, say).
#include <dlfcn.h>
static void *gtr__cublaslt_open() {
    char name[40];
    snprintf(name, sizeof name, "libcublasLt.so.%d", CUDART_VERSION / 1000);
    return dlopen(name, RTLD_LAZY | RTLD_LOCAL);
}
static void *gtr__cublaslt(const char *function) {
    static void *const library = gtr__cublaslt_open();
    return library ? dlsym(library, function) : NULL;
}
#define GTR__CUBLASLT(function) ((decltype(&::function))gtr__cublaslt(#function))
#define cublasLtCreate(handle) (gtr__cublaslt("cublasLtCreate") ? GTR__CUBLASLT(cublasLtCreate)(handle) \
    : CUBLAS_STATUS_NOT_SUPPORTED)
#define cublasLtGetStatusName(status) (gtr__cublaslt("cublasLtGetStatusName") \
    ? GTR__CUBLASLT(cublasLtGetStatusName)(status) : "the library was not found")
#define cublasLtGetVersion() (gtr__cublaslt("cublasLtGetVersion") ? GTR__CUBLASLT(cublasLtGetVersion)() : 0)
#define cublasLtDestroy                      GTR__CUBLASLT(cublasLtDestroy)
#define cublasLtMatmul                       GTR__CUBLASLT(cublasLtMatmul)
#define cublasLtMatmulAlgoGetHeuristic       GTR__CUBLASLT(cublasLtMatmulAlgoGetHeuristic)
#define cublasLtMatmulDescCreate             GTR__CUBLASLT(cublasLtMatmulDescCreate)
#define cublasLtMatmulDescDestroy            GTR__CUBLASLT(cublasLtMatmulDescDestroy)
#define cublasLtMatmulDescSetAttribute       GTR__CUBLASLT(cublasLtMatmulDescSetAttribute)
#define cublasLtMatmulPreferenceCreate       GTR__CUBLASLT(cublasLtMatmulPreferenceCreate)
#define cublasLtMatmulPreferenceDestroy      GTR__CUBLASLT(cublasLtMatmulPreferenceDestroy)
#define cublasLtMatmulPreferenceSetAttribute GTR__CUBLASLT(cublasLtMatmulPreferenceSetAttribute)
#define cublasLtMatrixLayoutCreate           GTR__CUBLASLT(cublasLtMatrixLayoutCreate)
#define cublasLtMatrixLayoutDestroy          GTR__CUBLASLT(cublasLtMatrixLayoutDestroy)
#define cublasLtMatrixLayoutSetAttribute     GTR__CUBLASLT(cublasLtMatrixLayoutSetAttribute)
#endif

#ifndef GPUTRAIN_NO_CUBLASLT
// One product's algorithm, found by the heuristic once: a pure function of the key.
typedef struct gtr__algorithm_key {
    int64_t m, n, k, batch, lda, ldb, ldc, a_batch, b_batch, c_batch;
    uint64_t ws;
    int32_t type_ab, type_c, compute, epilogue, trans_a, trans_b, beta, align_a, align_b, align_c, align_bias, pad;
} gtr__algorithm_key;
typedef struct gtr__algorithm { gtr__algorithm_key key; int found; cublasLtMatmulAlgo_t algo; } gtr__algorithm;
#endif

typedef struct gtr__common {
    gtr__host host;             // of the instance that made it: it is freed through the same
    std::atomic_flag lock;      // instances of several threads share it
    int users;
#ifndef GPUTRAIN_NO_CUBLASLT
    cublasLtHandle_t lt;        // made by the first product that wants it: 2 ms, and 70 for the first heuristic
    int alone;                  // it could not be
#endif
} gtr__common;

// Mapped memory through which a custom op's host function gets its operands.
typedef struct gtr__staging {
    const void *key; int direction; void *stream; size_t bytes; void *host, *device;
} gtr__staging;

typedef struct gtr__instance {
    gtr__cuda g;                // first: kernels see only this
    gtr__common *common;
    cudaStream_t stream[GTR__MAX_STREAMS + 1];      // the last one of uploads
    int own_first;              // stream[0] is not the user's
    cudaEvent_t fence;          // orders instances of one plan, or the streams of one, among themselves
    cudaEvent_t begin, end;     // of seconds()
    char name[96];
    int major, minor;
    size_t memory;
    gtr__staging *staging;
    int n_staging, cap_staging;
#ifndef GPUTRAIN_NO_CUBLASLT
    gtr__algorithm *algorithm;  // this instance's own, so that reading needs no lock
    int n_algorithm, cap_algorithm;
#endif
} gtr__instance;

#define GTR__TRY(expression) do { gtr_result result_ = (expression); if (result_ != GTR_OK) return result_; } while (0)

// The instance's device is current while this lives; then the caller's is again.
struct gtr__on_device {
    int before, now;
    explicit gtr__on_device(const gtr__instance *in) : before(in->g.device), now(in->g.device)
    {
        if (cudaGetDevice(&before) != cudaSuccess) cudaGetLastError();
        if (before != now && cudaSetDevice(now) != cudaSuccess) cudaGetLastError();
    }
    ~gtr__on_device() { if (before != now && cudaSetDevice(before) != cudaSuccess) cudaGetLastError(); }
    gtr__on_device(const gtr__on_device &) = delete;
    gtr__on_device &operator=(const gtr__on_device &) = delete;
};

// For cleaning up: what it meets has been reported before, or cannot be helped.
static void gtr__quiet(cudaError_t e) { if (e != cudaSuccess) cudaGetLastError(); }

static void gtr__lock(gtr__common *common)   { while (common->lock.test_and_set(std::memory_order_acquire)) { } }
static void gtr__unlock(gtr__common *common) { common->lock.clear(std::memory_order_release); }

static gtr_result gtr__alive(gtr__instance *in) {
    if (!in->g.poisoned) return GTR_OK;
    return gtr__fail(in, GTR_ERR_CUDA,
        "the device is lost, the process must be started anew; first cause: %s", in->g.cause);
}

// What the loaded code was compiled for, which a device cannot tell: a JIT of older PTX lacks
// what its architecture has.
static __global__ void gtr__probe_kernel(int *out) {
    gtr__enter();
#ifdef __CUDA_ARCH__
    out[0] = __CUDA_ARCH__ / 10;
#endif
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    out[1] = 1;
#else
    out[1] = 0;
#endif
}

#define GTR__TEXT_OF(...) #__VA_ARGS__
#define GTR__TEXT(...)    GTR__TEXT_OF(__VA_ARGS__)
#ifdef __CUDA_ARCH_LIST__
#define GTR__BUILT_FOR GTR__TEXT(__CUDA_ARCH_LIST__)
#else
#define GTR__BUILT_FOR "unknown"
#endif

static constexpr int gtr__last_of(int only) { return only; }
template <typename... R> static constexpr int gtr__last_of(int, R... rest) { return gtr__last_of(rest...); }

// Finds out what the loaded code can do. Reports into why.
static gtr_result gtr__probe(gtr__instance *in, const cudaDeviceProp *prop, char *why) {
    int *device = NULL, got[2] = {0, 0};
    cudaFuncAttributes attributes;
    cudaError_t e = cudaFuncGetAttributes(&attributes, gtr__probe_kernel);
    if (e == cudaSuccess) e = cudaMalloc((void **)&device, sizeof got);
    if (e == cudaSuccess) {
        gtr__probe_kernel<<<1, 1, 0, in->stream[0]>>>(device);
        e = cudaGetLastError();
    }
    if (e == cudaSuccess) e = cudaMemcpyAsync(got, device, sizeof got, cudaMemcpyDeviceToHost, in->stream[0]);
    if (e == cudaSuccess) e = cudaStreamSynchronize(in->stream[0]);
    if (device) gtr__quiet(cudaFree(device));
    in->g.compute = got[0];
    in->g.arch_feature = got[1];
    if (e == cudaSuccess && got[0] >= 75) return GTR_OK;
    gtr__quiet(e);
    if (e == cudaSuccess || e == cudaErrorNoKernelImageForDevice || e == cudaErrorInvalidDeviceFunction
            || e == cudaErrorUnsupportedPtxVersion || e == cudaErrorInvalidKernelImage) {
        snprintf(why, 256,
            "no kernel image for this GPU (%.60s, compute capability %d.%d); the binary was built for %.60s: "
            "compile with -arch=sm_%d%d", prop->name, prop->major, prop->minor, GTR__BUILT_FOR,
            prop->major, prop->minor);
        return GTR_ERR_UNSUPPORTED;
    }
    if (e == cudaErrorMemoryAllocation) {
        snprintf(why, 256, "out of memory: other work fills the GPU (%.80s)", prop->name);
        return GTR_ERR_NOMEM;
    }
    snprintf(why, 256, "the GPU (%.80s) does not run a kernel: %s", prop->name, cudaGetErrorString(e));
    return GTR_ERR_CUDA;
}

// Whether there is a device at all; why tells apart what is missing.
static gtr_result gtr__find_device(int index, char *why) {
    int n = 0, driver = 0, runtime = 0;
    cudaError_t e = cudaGetDeviceCount(&n);
    gtr__quiet(e);
    gtr__quiet(cudaDriverGetVersion(&driver));
    gtr__quiet(cudaRuntimeGetVersion(&runtime));
    if (driver == 0) { snprintf(why, 256, "no NVIDIA driver"); return GTR_ERR_UNSUPPORTED; }
    if (e == cudaErrorInsufficientDriver || e == cudaErrorCompatNotSupportedOnDevice
            || e == cudaErrorSystemDriverMismatch) {
        snprintf(why, 256, "driver too old for the runtime: it supports CUDA %d.%d, this program was built with %d.%d",
                 driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
        return GTR_ERR_UNSUPPORTED;
    }
    if (e == cudaErrorNoDevice || (e == cudaSuccess && n == 0)) {
        snprintf(why, 256, "a driver, but no NVIDIA GPU (or CUDA_VISIBLE_DEVICES hides it)");
        return GTR_ERR_UNSUPPORTED;
    }
    if (e == cudaErrorMemoryAllocation) {
        snprintf(why, 256, "out of memory: CUDA could not start"); return GTR_ERR_NOMEM;
    }
    if (e != cudaSuccess) { snprintf(why, 256, "CUDA did not start: %s", cudaGetErrorString(e)); return GTR_ERR_CUDA; }
    if (index < 0 || index >= n) {
        snprintf(why, 256, "GPU %d was asked for, and there are %d", index, n); return GTR_ERR_ARG;
    }
    return GTR_OK;
}

static void gtr__cuda_destroy(void *instance) {
    gtr__instance *in = (gtr__instance *)instance;
    if (!in) return;
    {
        gtr__on_device scope(in);
        for (int i = 0; i <= GTR__MAX_STREAMS; i++) {
            if (!in->stream[i]) continue;
            gtr__quiet(cudaStreamSynchronize(in->stream[i]));
            if (i || in->own_first) gtr__quiet(cudaStreamDestroy(in->stream[i]));
        }
        for (int i = 0; i < in->n_staging; i++) gtr__quiet(cudaFreeHost(in->staging[i].host));
        cudaEvent_t events[3] = { in->fence, in->begin, in->end };
        for (cudaEvent_t e : events) if (e) gtr__quiet(cudaEventDestroy(e));
        gtr__common *common = in->common;
        if (common) {
            gtr__lock(common);
            int left = --common->users;
            gtr__unlock(common);
            if (left == 0) {
                gtr__host host = common->host;
#ifndef GPUTRAIN_NO_CUBLASLT
                if (common->lt) cublasLtDestroy(common->lt);
#endif
                common->~gtr__common();
                host.free(host.user, common, sizeof *common);
            }
        }
    }
    gtr__host host = in->g.host;
    if (in->staging) host.free(host.user, in->staging, (size_t)in->cap_staging * sizeof *in->staging);
#ifndef GPUTRAIN_NO_CUBLASLT
    if (in->algorithm) host.free(host.user, in->algorithm, (size_t)in->cap_algorithm * sizeof *in->algorithm);
#endif
    host.free(host.user, in, sizeof *in);
}

// Everything of create() that can fail after the memory is there; destroy() undoes what was done.
static gtr_result gtr__set_up(gtr__instance *in, gtr__instance_desc desc, char *why) {
    static_assert(sizeof(cudaStream_t) == sizeof(void *), "streams are handles");
    cudaDeviceProp prop;
    gtr__on_device scope(in);
    cudaError_t e = cudaSetDevice(in->g.device);
    if (e == cudaSuccess) e = cudaGetDeviceProperties(&prop, in->g.device);
    in->own_first = !desc.stream;
    if (desc.stream) in->stream[0] = (cudaStream_t)desc.stream;
    for (int i = desc.stream ? 1 : 0; e == cudaSuccess && i <= GTR__MAX_STREAMS; i++)
        e = cudaStreamCreateWithFlags(&in->stream[i], cudaStreamNonBlocking);
    if (e == cudaSuccess) e = cudaEventCreateWithFlags(&in->fence, cudaEventDisableTiming);
    if (e == cudaSuccess) e = cudaEventCreate(&in->begin);
    if (e == cudaSuccess) e = cudaEventCreate(&in->end);
    if (e != cudaSuccess) {
        gtr__quiet(e);
        if (e == cudaErrorMemoryAllocation) {
            snprintf(why, 256, "out of memory: other work fills GPU %d", in->g.device); return GTR_ERR_NOMEM;
        }
        snprintf(why, 256, "GPU %d could not be opened: %s", in->g.device, cudaGetErrorString(e));
        return GTR_ERR_CUDA;
    }
    snprintf(in->name, sizeof in->name, "%.90s", prop.name);
    in->major = prop.major;
    in->minor = prop.minor;
    in->memory = prop.totalGlobalMem;
    in->g.shared_max = prop.sharedMemPerBlockOptin;
    in->g.sm_count = prop.multiProcessorCount;
    if (desc.max_sm > 0 && desc.max_sm < in->g.sm_count) in->g.sm_count = desc.max_sm;
    return gtr__probe(in, &prop, why);
}

static gtr_result gtr__cuda_create(const gtr__host *host, gtr__instance_desc desc, void **instance, char *why) {
    gtr__instance *share = (gtr__instance *)desc.share, *in;
    gtr_result r;
    *instance = NULL;
    why[0] = 0;
    if (desc.stream == (void *)cudaStreamLegacy || desc.stream == (void *)cudaStreamPerThread) {
        snprintf(why, 256, "the default stream cannot be captured: give a stream made by cudaStreamCreate");
        return GTR_ERR_ARG;
    }
    if (share) desc.device_index = share->g.device;
    else if ((r = gtr__find_device(desc.device_index, why)) != GTR_OK) return r;
    in = (gtr__instance *)host->alloc(host->user, sizeof *in);
    if (!in) { snprintf(why, 256, "out of memory"); return GTR_ERR_NOMEM; }
    memset((void *)in, 0, sizeof *in);
    in->g.host = *host;
    in->g.device = desc.device_index;
    in->g.n_unwatched = -1;
    if (share) {
        in->common = share->common;
        gtr__lock(in->common);
        in->common->users++;
        gtr__unlock(in->common);
    } else {
        void *p = host->alloc(host->user, sizeof(gtr__common));
        if (!p) {
            host->free(host->user, in, sizeof *in);
            snprintf(why, 256, "out of memory");
            return GTR_ERR_NOMEM;
        }
        in->common = new (p) gtr__common();
        in->common->lock.clear();
        in->common->host = *host;
        in->common->users = 1;
    }
    r = gtr__set_up(in, desc, why);
    if (r != GTR_OK) { gtr__cuda_destroy(in); return r; }
    *instance = in;
    return GTR_OK;
}

static void gtr__cuda_capabilities(void *instance, gtr__caps *caps) {
    const gtr__instance *in = (const gtr__instance *)instance;
    memset((void *)caps, 0, sizeof *caps);
    caps->cuda = 1;
    if (in) {
        memcpy(caps->name, in->name, sizeof caps->name);
        caps->compute = in->g.compute;
        caps->sm_count = in->g.sm_count;
        caps->shared = in->g.shared_max;
        caps->arch_feature = in->g.arch_feature;
    } else {
        snprintf(caps->name, sizeof caps->name, "CUDA code for %.60s", GTR__BUILT_FOR);
#ifdef __CUDA_ARCH_LIST__
        caps->compute = gtr__last_of(__CUDA_ARCH_LIST__) / 10;
#else
        caps->compute = 75;
#endif
        caps->sm_count = 16;
    }
    caps->f16 = 1;
    caps->bf16 = caps->tf32 = caps->compute >= 80;
    caps->lookups = 1;
#ifndef GPUTRAIN_NO_CUBLASLT
    caps->product_workspace = caps->compute >= 90 ? (size_t)32 << 20 : (size_t)4 << 20;
#endif
}

// >>runtime-memory

static void *gtr__cuda_alloc(void *instance, size_t bytes) {
    gtr__instance *in = (gtr__instance *)instance;
    void *p = NULL;
    if (gtr__alive(in) != GTR_OK) return NULL;
    gtr__on_device scope(in);
    if (in->g.host.device_alloc) return in->g.host.device_alloc(in->g.host.user, bytes);
    cudaError_t e = cudaMalloc(&p, bytes ? bytes : 1);
    if (e == cudaErrorMemoryAllocation) { cudaGetLastError(); return NULL; }
    return gtr__check(in, e, "cudaMalloc") == GTR_OK ? p : NULL;
}

static void gtr__cuda_free(void *instance, void *p, size_t bytes) {
    gtr__instance *in = (gtr__instance *)instance;
    if (!p) return;
    gtr__on_device scope(in);
    if (in->g.host.device_alloc) { if (in->g.host.device_free) in->g.host.device_free(in->g.host.user, p, bytes); }
    else if (in->g.poisoned) gtr__quiet(cudaFree(p));
    else gtr__check(in, cudaFree(p), "cudaFree");
}

static void *gtr__cuda_host_alloc(void *instance, size_t bytes, void **device) {
    gtr__instance *in = (gtr__instance *)instance;
    void *p = NULL;
    *device = NULL;
    if (gtr__alive(in) != GTR_OK) return NULL;
    gtr__on_device scope(in);
    cudaError_t e = cudaHostAlloc(&p, bytes ? bytes : 1, cudaHostAllocMapped | cudaHostAllocPortable);
    if (e == cudaErrorMemoryAllocation) { cudaGetLastError(); return NULL; }
    if (gtr__check(in, e, "cudaHostAlloc") != GTR_OK) return NULL;
    if (gtr__check(in, cudaHostGetDevicePointer(device, p, 0), "cudaHostGetDevicePointer") == GTR_OK) return p;
    gtr__quiet(cudaFreeHost(p));
    return NULL;
}

static void gtr__cuda_host_free(void *instance, void *p, size_t bytes) {
    gtr__instance *in = (gtr__instance *)instance;
    (void)bytes;
    if (!p) return;
    gtr__on_device scope(in);
    if (in->g.poisoned) gtr__quiet(cudaFreeHost(p));
    else gtr__check(in, cudaFreeHost(p), "cudaFreeHost");
}

// Room for one more in a list that grows by doubling; false when out of memory.
static bool gtr__more_room(gtr__instance *in, void **list, int n, int *cap, size_t size) {
    if (n < *cap) return true;
    int more = *cap ? 2 * *cap : 32;
    void *p = in->g.host.alloc(in->g.host.user, (size_t)more * size);
    if (!p) { gtr__fail(in, GTR_ERR_NOMEM, "out of host memory"); return false; }
    if (*list) {
        memcpy(p, *list, (size_t)n * size);
        in->g.host.free(in->g.host.user, *list, (size_t)*cap * size);
    }
    *list = p;
    *cap = more;
    return true;
}

// Pinned, mapped memory of at least `bytes` for a custom op: the same at each call with the same arguments, until the
// instance is destroyed, and zeroed when it is made. Its first word is not zero once the user's function failed
// (gtr__custom_failed).
#define GTR__INSTANCE_STAGING
static void *gtr__instance_staging(void *instance, const void *key, int direction, void *stream, size_t bytes,
        void **device) {
    gtr__instance *in = (gtr__instance *)instance;
    for (int i = 0; i < in->n_staging; i++) {
        gtr__staging *s = &in->staging[i];
        if (s->key != key || s->direction != direction || s->stream != stream || s->bytes < bytes) continue;
        *device = s->device;
        return s->host;
    }
    void *list = in->staging, *p = NULL;
    bool room = gtr__more_room(in, &list, in->n_staging, &in->cap_staging, sizeof *in->staging);
    in->staging = (gtr__staging *)list;
    if (!room) return NULL;
    p = gtr__cuda_host_alloc(in, bytes, device);
    if (!p) {
        gtr__fail(in, GTR_ERR_NOMEM, "out of host memory for a custom op");
        return NULL;
    }
    memset(p, 0, bytes);
    gtr__staging made = { key, direction, stream, bytes, p, *device };
    in->staging[in->n_staging++] = made;
    return p;
}
// After a wait: whether a custom op's function failed since the last one.
static gtr_result gtr__custom_failed(gtr__instance *in) {
    gtr_result r = GTR_OK;
    for (int i = 0; i < in->n_staging; i++) {
        volatile uint32_t *failed = (volatile uint32_t *)in->staging[i].host;
        if (!*failed) continue;
        const char *name = ((const gtr_custom_desc *)in->staging[i].key)->name;
        r = gtr__fail(in, GTR_ERR_USER, "custom op \"%s\": a function of its failed with result %u", name ? name : "",
                (unsigned)*failed);
        *failed = 0;
    }
    return r;
}

static gtr_result gtr__cuda_copy(void *instance, void *dst, const void *src, size_t bytes, gtr__copy kind, bool wait) {
    gtr__instance *in = (gtr__instance *)instance;
    GTR__TRY(gtr__alive(in));
    gtr__on_device scope(in);
    enum cudaMemcpyKind k = kind == GTR__TO_DEVICE ? cudaMemcpyHostToDevice : kind == GTR__TO_HOST
        ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
    if (bytes) GTR__TRY(gtr__check(in, cudaMemcpyAsync(dst, src, bytes, k, in->stream[0]), "cudaMemcpyAsync"));
    if (!wait) return GTR_OK;
    GTR__TRY(gtr__check(in, cudaStreamSynchronize(in->stream[0]), "cudaStreamSynchronize"));
    return gtr__custom_failed(in);
}

static gtr_result gtr__cuda_zero(void *instance, void *dst, size_t bytes) {
    gtr__instance *in = (gtr__instance *)instance;
    GTR__TRY(gtr__alive(in));
    gtr__on_device scope(in);
    return bytes ? gtr__check(in, cudaMemsetAsync(dst, 0, bytes, in->stream[0]), "cudaMemsetAsync") : GTR_OK;
}

static gtr_result gtr__cuda_wait(void *instance) {
    gtr__instance *in = (gtr__instance *)instance;
    GTR__TRY(gtr__alive(in));
    gtr__on_device scope(in);
    for (int i = 0; i <= GTR__MAX_STREAMS; i++)
        GTR__TRY(gtr__check(in, cudaStreamSynchronize(in->stream[i]), "cudaStreamSynchronize"));
    return gtr__custom_failed(in);
}

static gtr_result gtr__cuda_upload(void *instance, void *dst, const void *src, size_t bytes, void *after,
                                   void **event) {
    gtr__instance *in = (gtr__instance *)instance;
    const cudaStream_t beside = in->stream[GTR__MAX_STREAMS];
    cudaError_t e = cudaSuccess;
    GTR__TRY(gtr__alive(in));
    gtr__on_device scope(in);
    if (bytes) {
        if (after) e = cudaStreamWaitEvent(beside, (cudaEvent_t)after, 0);
        if (e == cudaSuccess) e = cudaMemcpyAsync(dst, src, bytes, cudaMemcpyHostToDevice, beside);
        if (e == cudaSuccess) e = cudaEventRecord(in->fence, beside);
        if (e == cudaSuccess) e = cudaStreamWaitEvent(in->stream[0], in->fence, 0);
    }
    if (e == cudaSuccess && !*event) e = cudaEventCreateWithFlags((cudaEvent_t *)event, cudaEventDisableTiming);
    if (e == cudaSuccess) e = cudaEventRecord((cudaEvent_t)*event, in->stream[0]);
    return gtr__check(in, e, "an upload");
}

static gtr_result gtr__cuda_ready(void *instance, void *event) {
    gtr__instance *in = (gtr__instance *)instance;
    GTR__TRY(gtr__alive(in));
    gtr__on_device scope(in);
    return event ? gtr__check(in, cudaEventSynchronize((cudaEvent_t)event), "cudaEventSynchronize") : GTR_OK;
}

static gtr_result gtr__cuda_wait_for(void *instance, void *user_event) {
    gtr__instance *in = (gtr__instance *)instance;
    GTR__TRY(gtr__alive(in));
    gtr__on_device scope(in);
    return gtr__check(in, cudaStreamWaitEvent(in->stream[0], (cudaEvent_t)user_event, 0), "cudaStreamWaitEvent");
}

static void gtr__cuda_event_free(void *instance, void *event) {
    gtr__on_device scope((gtr__instance *)instance);
    if (event) gtr__quiet(cudaEventDestroy((cudaEvent_t)event));
}

static gtr_result gtr__cuda_memory_info(void *instance, size_t *free_bytes, size_t *total_bytes) {
    gtr__instance *in = (gtr__instance *)instance;
    *free_bytes = *total_bytes = 0;
    GTR__TRY(gtr__alive(in));
    gtr__on_device scope(in);
    return gtr__check(in, cudaMemGetInfo(free_bytes, total_bytes), "cudaMemGetInfo");
}

static void gtr__cuda_environment(void *instance, char *text, size_t size) {
    gtr__instance *in = (gtr__instance *)instance;
    size_t room = 0, total = 0;
    int driver = 0, runtime = 0;
    char library[48] = "left out";
    gtr__on_device scope(in);
    gtr__quiet(cudaDriverGetVersion(&driver));
    gtr__quiet(cudaRuntimeGetVersion(&runtime));
    gtr__quiet(cudaMemGetInfo(&room, &total));
#ifndef GPUTRAIN_NO_CUBLASLT
    snprintf(library, sizeof library, "%llu", (unsigned long long)cublasLtGetVersion());
#endif
    snprintf(text, size, "device %d: %s, compute capability %d.%d, %d multiprocessors in use\n"
        "memory: %.0f MiB, %.0f MiB free\n" "driver for CUDA %d.%d, runtime %d.%d, cuBLASLt %s\n"
        "built for %s; code in use is of architecture %d, TF32 and BF16 products %s, Hopper's own matrix "
        "instructions %s\n", in->g.device, in->name, in->major, in->minor, in->g.sm_count,
        (double)in->memory / 1048576.0, (double)room / 1048576.0, driver / 1000, driver % 1000 / 10, runtime / 1000,
        runtime % 1000 / 10, library, GTR__BUILT_FOR, in->g.compute, in->g.compute >= 80 ? "in" : "missing",
        in->g.arch_feature ? "in" : in->major == 9 ? "missing (-arch=sm_90a has them)" : "not of this GPU");
}

static double gtr__cuda_seconds(void *instance, int start) {
    gtr__instance *in = (gtr__instance *)instance;
    float ms = 0;
    if (gtr__alive(in) != GTR_OK) return 0;
    gtr__on_device scope(in);
    if (gtr__check(in, cudaEventRecord(start ? in->begin : in->end, in->stream[0]), "cudaEventRecord")
            != GTR_OK || start)
        return 0;
    if (gtr__check(in, cudaEventSynchronize(in->end), "cudaEventSynchronize") != GTR_OK) return 0;
    return gtr__check(in, cudaEventElapsedTime(&ms, in->begin, in->end), "cudaEventElapsedTime") == GTR_OK
        ? ms * 1e-3 : 0;
}

// >>runtime-plan

static gtr__kernel gtr__cuda_kernel(int op, int dir);   // from the table, at the end of the file

typedef struct gtr__cuda_exec {
    gtr__plan *plan;
    int n_node, n_stage;
    size_t bytes;               // of this block, calls and events included
    gtr__host host;
    int device;
    gtr__call *call;            // a node's call with its stream
    cudaEvent_t *event;         // of the nodes that others wait for
    bool *started;              // kernels of the backend's own
    cudaEvent_t fork, join[GTR__MAX_LANES];
    struct { int runs; cudaGraphExec_t graph; } part[3];
} gtr__cuda_exec;

static int gtr__lane(const gtr__node *node) { return node->stage * GTR__MAX_STREAMS + node->stream; }

static cudaStream_t gtr__lane_stream(void *const *instances, int lane) {
    return ((gtr__instance *)instances[lane / GTR__MAX_STREAMS])->stream[lane % GTR__MAX_STREAMS];
}

static void gtr__range(const gtr__cuda_exec *x, gtr__part part, int *begin, int *end) {
    *begin = part == GTR__PART_RIGHT ? x->plan->split : 0;
    *end = part == GTR__PART_LEFT ? x->plan->split : x->n_node;
}

static gtr__instance *gtr__other_instance(void *const *instances, int n_stage, int stage) {
    return stage < n_stage && instances[stage] != instances[0] ? (gtr__instance *)instances[stage] : NULL;
}

// Copies go to each instance's first stream, a plan starts and ends on the main one: with several instances, the main
// stream waits for the others' before a launch, and they for it afterwards.
static gtr_result gtr__gather(void *const *instances, int n_stage) {
    gtr__instance *main = (gtr__instance *)instances[0], *in;
    for (int s = 1; s < n_stage; s++) {
        if (!(in = gtr__other_instance(instances, n_stage, s))) continue;
        gtr__on_device scope(in);
        GTR__TRY(gtr__check(main, cudaEventRecord(in->fence, in->stream[0]), "cudaEventRecord"));
        GTR__TRY(gtr__check(main, cudaStreamWaitEvent(main->stream[0], in->fence, 0), "cudaStreamWaitEvent"));
    }
    return GTR_OK;
}
static gtr_result gtr__spread(void *const *instances, int n_stage) {
    gtr__instance *main = (gtr__instance *)instances[0], *in;
    bool recorded = false;
    gtr__on_device scope(main);
    for (int s = 1; s < n_stage; s++) {
        if (!(in = gtr__other_instance(instances, n_stage, s))) continue;
        if (!recorded) GTR__TRY(gtr__check(main, cudaEventRecord(main->fence, main->stream[0]), "cudaEventRecord"));
        recorded = true;
        GTR__TRY(gtr__check(main, cudaStreamWaitEvent(in->stream[0], main->fence, 0), "cudaStreamWaitEvent"));
    }
    return GTR_OK;
}

// Behind the last element of an operand, or of what a view of one spans.
static const char *gtr__arg_end(const gtr__arg *a) {
    int64_t last = a->stride ? 0 : a->count - 1;
    for (int i = 0; a->stride && i < a->shape.ndim; i++) last += (a->shape.dim[i] - 1) * a->stride[i];
    return (const char *)a->data + (last + 1) * gtr__elem(a->dtype);
}
// Which of a call's inputs a node that it waits for does not write. What that node waited for has ended before its last
// kernel began to work. Nodes that write more than their outputs are left out.
static uint64_t gtr__unwritten(const gtr__cuda_exec *x, int by, const gtr__call *call) {
    const gtr__node *before = &x->plan->node[by];
    const gtr__call *wrote = &x->call[by];
    uint64_t mask = 0;
    if (!x->started[by] || (before->phase != GTR__FORWARD && before->phase != GTR__BACKWARD)
        || before->op == GTR__OP_CUSTOM || GTR__WHOLE(before)) return 0;
    for (int k = 0; k < call->n_in && k < 64; k++) {
        const char *in = (const char *)call->in[k].data;
        bool free = in != NULL;
        for (int j = 0; j < wrote->n_out && free; j++) {
            const char *out = (const char *)wrote->out[j].data;
            free = !out || gtr__arg_end(&call->in[k]) <= out || gtr__arg_end(&wrote->out[j]) <= in;
        }
        mask |= (uint64_t)free << k;
    }
    return mask;
}

// Whether GUARD wants of gradients that they are finite, and no norm.
static bool gtr__guards_alone(const gtr__plan *plan) {
    for (int i = plan->split; i < plan->n_node; i++) {
        const gtr__node *n = &plan->node[i];
        if (n->op == GTR__OP_NETWORK) n = ((const gtr__network *)n->attr.ptr)->node;
        const gtr__optim *o = (const gtr__optim *)n->attr.ptr;
        if (n->op == GTR__OP_GUARD) return o->clip == 0 && !o->scaled && !o->loss_only;
    }
    return false;
}
// Which of a node's outputs are gradients of parameters.
static uint64_t gtr__gradients_of(const gtr__plan *plan, const gtr__node *node) {
    uint64_t mask = 0;
    for (int k = 0; k < node->n_out; k++)
        if (node->out[k] >= 0 && plan->value[gtr__root(plan, node->out[k])].home == GTR__HOME_GRADIENT)
            mask |= (uint64_t)1 << k;
    return mask;
}
// Where a gradient's floats lie; of lookups, their rows.
static gtr__span gtr__gradient_span(const gtr__arg *a) {
    gtr__span s = { (const float *)a->data, a->count };
    if (a->lookups) {
        s.p = (const float *)((const char *)a->data + GTR__LOOKUP_ROWS(a->shape.dim[0]));
        s.count = a->lookups * a->shape.dim[1];
    }
    return s;
}
// After a node: what it wrote of gradients and did not check is left to GUARD.
static void gtr__leave_to_guard(gtr__cuda *g, const gtr__call *call) {
    for (int k = 0; k < call->n_out && g->n_unwatched >= 0; k++) {
        if (!(g->watch >> k & 1) || !call->out[k].data) continue;
        const gtr__span s = gtr__gradient_span(&call->out[k]);
        int i = 0;
        while (i < g->n_unwatched && (g->unwatched[i].p != s.p || g->unwatched[i].count < s.count)) i++;
        if (i < g->n_unwatched) continue;
        const bool apart = call->out[k].stride || call->out[k].dtype != GTR_F32 || ((uintptr_t)s.p & 15);
        if (i == GTR__UNWATCHED || apart) g->n_unwatched = -1;
        else g->unwatched[g->n_unwatched++] = s;
    }
    g->watch = 0;
}
// Where a kernel of the running call is to put that what it makes at a and b, where they are, is not finite; NULL: they
// are not both such gradients. Unless it only asks, it will.
static uint32_t *gtr__watches(void *instance, const gtr__call *c, const void *a, const void *b, bool asks = false) {
    gtr__cuda *g = (gtr__cuda *)instance;
    uint64_t mask[2] = { 0, 0 };
    if (c->measure || !g->watch) return NULL;   // measuring needs no instance
    const gtr__call *running = (const gtr__call *)g->running;
    for (int k = 0; k < running->n_out; k++)
        for (int i = 0; i < 2; i++)
            if (running->out[k].data && running->out[k].data == (i ? b : a)) mask[i] |= g->watch & (uint64_t)1 << k;
    if ((a && !mask[0]) || (b && !mask[1]) || !(mask[0] | mask[1])) return NULL;
    if (!asks) g->watch &= ~(mask[0] | mask[1]);
    return &c->ctl->guard;
}
static gtr_result gtr__run_one(gtr__instance *in, const gtr__node *node, const gtr__call *call, int overlap) {
    gtr__kernel kernel = gtr__cuda_kernel(node->op, node->dir);
    if (!kernel) return gtr__fail(in, GTR_ERR_UNSUPPORTED, "node of %s: op %d has no CUDA kernel",
        node->layer ? node->layer : "?", (int)node->op);
    gtr__on_device scope(in);
#ifdef GPUTRAIN_NO_OVERLAP
    overlap = 0;
#endif
    in->g.overlap = in->g.compute >= 90 ? overlap : 0;
    in->g.began = in->g.starts;
    in->g.running = call;
    gtr_result r = kernel(in, call);
    in->g.overlap = 0;
    in->g.early = 0;
    return r;
}

// Enqueues the nodes of a part on their lanes. A node's kernel may overlap the end of its predecessor where that is the
// sole thing it waits for; of all that it waits for on one device, whatever the lane, where a graph's edges say so.
// Lanes are joined even after an error, so that a capture can be ended.
static gtr_result gtr__enqueue(void *const *instances, gtr__cuda_exec *x, int begin, int end, bool captured) {
    gtr__instance *main = (gtr__instance *)instances[0];
    uint32_t used = 0;
    int last[GTR__MAX_LANES] = { 0 };       // 1 + the last node on a lane
    gtr_result r = GTR_OK;
    cudaStream_t first = main->stream[0];
    // not where gradients may be set by hand
    const bool watched = begin == 0 && end == x->n_node && x->n_stage == 1 && gtr__guards_alone(x->plan);
    main->g.n_unwatched = watched ? 0 : -1;
    for (int i = begin; i < end; i++) used |= 1u << gtr__lane(&x->plan->node[i]);
    {
        gtr__on_device scope(main);
        if (used & ~1u) GTR__TRY(gtr__check(main, cudaEventRecord(x->fork, first), "cudaEventRecord"));
        for (int lane = 1; lane < GTR__MAX_LANES; lane++)
            if (used >> lane & 1) GTR__TRY(gtr__check(main,
                cudaStreamWaitEvent(gtr__lane_stream(instances, lane), x->fork, 0), "cudaStreamWaitEvent"));
    }
    for (int i = begin; r == GTR_OK && i < end; i++) {
        const gtr__node *node = &x->plan->node[i];
        gtr__instance *in = (gtr__instance *)instances[node->stage];
        cudaStream_t stream = (cudaStream_t)x->call[i].stream;
        int lane = gtr__lane(node);
        bool waits = false;
        uint64_t early = last[lane] ? gtr__unwritten(x, last[lane] - 1, &x->call[i]) : ~(uint64_t)0;
        for (int l = 0; r == GTR_OK && l < GTR__MAX_LANES; l++) {
            int other = node->wait_mask >> l & 1 ? node->wait_node[l] : -1;
            if (other < begin || other >= i || !x->event[other]) continue;      // of an earlier part: joined already
            waits = true;
            early &= gtr__unwritten(x, other, &x->call[i]);
            r = gtr__check(in, cudaStreamWaitEvent(stream, x->event[other], 0), "cudaStreamWaitEvent");
        }
        in->g.early = early;
        // Blocks of a leaf, if they came before they can work, would keep those out that others wait for: a step of
        // 128 rows in 256-512 residuals took 132 us instead of 117. Behind the last node nobody waits.
        const bool joins = waits && captured && x->n_stage == 1 && CUDART_VERSION >= 12030 && !node->leaf
            && (node->phase == GTR__FORWARD || node->phase == GTR__BACKWARD || i + 1 == end);
        in->g.watch = watched && x->call[i].ctl ? gtr__gradients_of(x->plan, node) : 0;
        if (r == GTR_OK) r = gtr__run_one(in, node, &x->call[i], waits ? 2 * joins : last[lane] > 0);
        gtr__leave_to_guard(&in->g, &x->call[i]);
        x->started[i] = in->g.starts != in->g.began;
        last[lane] = i + 1;
        if (r == GTR_OK && x->event[i]) {
            gtr__on_device scope(in);
            r = gtr__check(in, cudaEventRecord(x->event[i], stream), "cudaEventRecord");
        }
    }
    for (int lane = 1; lane < GTR__MAX_LANES; lane++) {
        if (!(used >> lane & 1)) continue;
        gtr__instance *in = (gtr__instance *)instances[lane / GTR__MAX_STREAMS];
        gtr__on_device scope(in);
        gtr_result joined = gtr__check(in, cudaEventRecord(x->join[lane], gtr__lane_stream(instances, lane)),
            "cudaEventRecord");
        if (joined == GTR_OK)
            joined = gtr__check(in, cudaStreamWaitEvent(first, x->join[lane], 0), "cudaStreamWaitEvent");
        if (r == GTR_OK) r = joined;
    }
    main->g.n_unwatched = -1;
    return r;
}

// Captures a part into an executable graph. On failure nothing has run and the streams are as before.
static gtr_result gtr__capture(void *const *instances, gtr__cuda_exec *x, gtr__part part, cudaGraphExec_t *out) {
    gtr__instance *main = (gtr__instance *)instances[0];
    cudaGraph_t graph = NULL;
    cudaGraphExec_t made = NULL;
    int begin, end;
    gtr__range(x, part, &begin, &end);
    gtr__on_device scope(main);
    GTR__TRY(gtr__check(main, cudaStreamBeginCapture(main->stream[0], cudaStreamCaptureModeThreadLocal),
        "cudaStreamBeginCapture"));
    gtr_result r = gtr__enqueue(instances, x, begin, end, true);
    cudaError_t ended = cudaStreamEndCapture(main->stream[0], &graph);
    if (r != GTR_OK) gtr__quiet(ended);
    else r = gtr__check(main, ended, "capturing a step into a graph");
    if (r == GTR_OK) r = gtr__check(main, cudaGraphInstantiateWithFlags(&made, graph, 0), "cudaGraphInstantiate");
    if (r == GTR_OK) r = gtr__check(main, cudaGraphUpload(made, main->stream[0]), "cudaGraphUpload");
    if (graph) gtr__quiet(cudaGraphDestroy(graph));
    if (r != GTR_OK && made) gtr__quiet(cudaGraphExecDestroy(made));
    if (r == GTR_OK) *out = made;
    return r;
}

static void gtr__cuda_release(void *const *instances, void *exec) {
    gtr__cuda_exec *x = (gtr__cuda_exec *)exec;
    if (!x) return;
    gtr__host host = x->host;
    {
        gtr__on_device scope((gtr__instance *)instances[0]);
        for (int i = 0; i < 3; i++) if (x->part[i].graph) gtr__quiet(cudaGraphExecDestroy(x->part[i].graph));
        if (x->fork) gtr__quiet(cudaEventDestroy(x->fork));
        for (int i = 0; i < GTR__MAX_LANES; i++) if (x->join[i]) gtr__quiet(cudaEventDestroy(x->join[i]));
        for (int i = 0; i < x->n_node; i++) if (x->event[i]) gtr__quiet(cudaEventDestroy(x->event[i]));
    }
    host.free(host.user, x, x->bytes);
}

// Whether a network's kernel can be launched.
static bool gtr__fits(void *const *instances, const gtr__node *node) {
    gtr__instance *in = (gtr__instance *)instances[node->stage];
    gtr__call call = node->call;
    int fits = 1;
    if (node->op != GTR__OP_NETWORK) return true;
    if (call.caps->without >> node->attr.i[0] & 1) return false;
    gtr__on_device scope(in);
    call.fits = &fits;
    return gtr__cuda_kernel(node->op, node->dir)(in, &call) != GTR_OK || fits;  // what else is wrong the launch tells
}
static gtr_result gtr__cuda_prepare(void *const *instances, gtr__plan *plan, void **exec) {
    gtr__instance *main = (gtr__instance *)instances[0];
    size_t n = (size_t)plan->n_node, bytes = sizeof(gtr__cuda_exec) + n * (sizeof(gtr__call) + sizeof(cudaEvent_t) + 1);
    gtr__cuda_exec *x;
    *exec = NULL;
    plan->unfit = 0;
    GTR__TRY(gtr__alive(main));
    for (size_t i = 0; i < n; i++) {
        const gtr__node *node = &plan->node[i];
        if (!gtr__fits(instances, node)) { plan->unfit = 1 + (int)node->attr.i[0]; return GTR_OK; }
        if (!gtr__cuda_kernel(node->op, node->dir))
            return gtr__fail(main, GTR_ERR_UNSUPPORTED, "node of %s: op %d has no CUDA kernel",
                node->layer ? node->layer : "?", (int)node->op);
    }
    x = (gtr__cuda_exec *)main->g.host.alloc(main->g.host.user, bytes);
    if (!x) return gtr__fail(main, GTR_ERR_NOMEM, "out of host memory for a plan of %d nodes", plan->n_node);
    memset((void *)x, 0, bytes);
    x->plan = plan;
    x->n_node = plan->n_node;
    x->n_stage = plan->n_stage > 0 ? plan->n_stage : 1;
    x->bytes = bytes;
    x->host = main->g.host;
    x->call = (gtr__call *)(x + 1);
    x->event = (cudaEvent_t *)(x->call + n);
    x->started = (bool *)(x->event + n);
    cudaError_t e;
    {
        gtr__on_device scope(main);
        e = cudaEventCreateWithFlags(&x->fork, cudaEventDisableTiming);
    }
    for (size_t i = 0; e == cudaSuccess && i < n; i++) {
        const gtr__node *node = &plan->node[i];
        int lane = gtr__lane(node);
        gtr__on_device scope((gtr__instance *)instances[node->stage]);
        x->call[i] = node->call;
        x->call[i].stream = (void *)gtr__lane_stream(instances, lane);
        if (node->signals) e = cudaEventCreateWithFlags(&x->event[i], cudaEventDisableTiming);
        if (e == cudaSuccess && lane && !x->join[lane])
            e = cudaEventCreateWithFlags(&x->join[lane], cudaEventDisableTiming);
    }
    if (e != cudaSuccess) {
        gtr_result r = gtr__check(main, e, "cudaEventCreate");
        gtr__cuda_release(instances, x);
        return r;
    }
    *exec = x;
    return GTR_OK;
}

static gtr_result gtr__cuda_launch(void *const *instances, void *exec, gtr__part part) {
    gtr__cuda_exec *x = (gtr__cuda_exec *)exec;
    gtr__instance *main = (gtr__instance *)instances[0];
    bool several = false;
    int begin, end;
    GTR__TRY(gtr__alive(main));
    gtr__range(x, part, &begin, &end);
    if (begin >= end) return GTR_OK;
    for (int s = 1; s < x->n_stage; s++) several |= gtr__other_instance(instances, x->n_stage, s) != NULL;
    if (several) GTR__TRY(gtr__gather(instances, x->n_stage));
    if (x->part[part].runs == 0) {
        GTR__TRY(gtr__enqueue(instances, x, begin, end, false));
    } else {
        if (!x->part[part].graph) GTR__TRY(gtr__capture(instances, x, part, &x->part[part].graph));
        cudaError_t e = cudaGraphLaunch(x->part[part].graph, main->stream[0]);
        if (e != cudaSuccess && !gtr__fatal(e)) {   // perhaps because the caller's current device is another one
            gtr__quiet(e);
            gtr__on_device scope(main);
            e = cudaGraphLaunch(x->part[part].graph, main->stream[0]);
        }
        GTR__TRY(gtr__check(main, e, "cudaGraphLaunch"));
    }
    if (x->part[part].runs < 2) x->part[part].runs++;
    return several ? gtr__spread(instances, x->n_stage) : GTR_OK;
}

static gtr_result gtr__cuda_run_node(void *const *instances, gtr__plan *plan, int node) {
    const gtr__node *n = &plan->node[node];
    gtr__instance *in = (gtr__instance *)instances[n->stage];
    gtr__call call = n->call;
    int n_stage = plan->n_stage > 0 ? plan->n_stage : 1;
    GTR__TRY(gtr__alive(in));
    call.stream = (void *)in->stream[0];
    GTR__TRY(gtr__gather(instances, n_stage));      // a node may read what another instance wrote
    GTR__TRY(gtr__spread(instances, n_stage));
    return gtr__run_one(in, n, &call, false);
}

// >>products
// All products are one shape: C (m, n) = sum over j < kb and k of A_j (m, k) B_j (k, n), for each of a batch, with an
// epilogue. Small ones run on own kernels, in one launch, because at their size latency counts and not flops: the plain
// one, and Hopper's (products-wgmma) of tensor cores where rows are of whole 16 bytes; large ones on cuBLASLt.

#include <type_traits>

// Where a product's operands are: (m, k), (k, n); (n) or (m), or NULL; (m, n), or NULL: what add adds, as C is stored;
// what the activation's backward reads; C; what the activation is applied to; (m): sums of A over k, the gradient of a
// bias beside that of its weight.
typedef struct gtr__product_set { const void *a, *b, *bias, *from, *saved; void *c, *pre, *sums; } gtr__product_set;
#define GTR__SETS 4
// Operands lie with k contiguous (x and w in x w^T) or with the other dimension contiguous. Strides are in elements.
typedef struct gtr__product : gtr__product_set {
    int type_a, type_b;
    int a_k, b_k;               // 1: k is the contiguous dimension
    int64_t m, n, k, batch, kb;
    int64_t lda, ldb, ldc;
    int64_t a_batch, b_batch, c_batch;      // 0: the same operand for all of the batch
    // not 0: item i of the batch lies at i / inner * outer + i % inner * batch
    int64_t inner, a_outer, b_outer, c_outer;
    int64_t a_kb, b_kb;
    int type_c, add;            // add: to what is at from; NULL: to C itself
    int type_bias, bias_m;      // bias_m: (m), not (n)
    int type_pre;
    int act;                    // a unary op's number, or -1; its backward where saved is not NULL
    float act_a, act_b;
    int type_saved;
    int type_sums, add_sums;
    uint32_t *guard;            // set if C or a sum is not finite; NULL: it is not looked at
    int sets;                   // not 0: so many products in one launch, each of the operands at its set, on the host
    const gtr__product_set *set;
} gtr__product;

// float32 units; tensor cores on float32; on bf16 or f16
enum { GTR__PRODUCT_FMA, GTR__PRODUCT_TF32, GTR__PRODUCT_HALF };

// How a product runs: a pure function of shapes, dtypes, precision and capabilities.
typedef struct gtr__choice {
    int library;                // cuBLASLt
    int kind;
    int tile;                   // 32 or 64: edge of a block's part of C
    int wgmma_m, wgmma_n, wgmma_split;  // tiles and cluster of Hopper's own kernel; 0: it does not take the product
    int split;                  // blocks (one cluster) that share the sum of a tile: 1, 2, 4, 8
    int ranges;                 // own kernel: k is cut into so many; a further launch sums their parts
    int transpose;              // library: A is transposed into the workspace first
    int outer, weighted;        // k is 1; C is one row, a sum of B's: bound by bytes, these have kernels of their own
    int even;                   // Hopper's own: A (1), B (2) are copied there first, into rows of whole 16 bytes
    size_t copy_bytes, sums_bytes, parts_bytes, ws_bytes;
    double ns;                  // the estimate by which it was chosen
} gtr__choice;

static gtr__product gtr__product_none(void) {
    gtr__product p;
    memset(&p, 0, sizeof p);
    p.batch = p.kb = 1;
    p.act = -1;
    return p;
}

// >>products-ptx
// One instruction each. Where an architecture lacks it, the kernels that need it are not started.

static GTR__DEVICE uint32_t gtr__shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

// Copies 16 (4) bytes of global to shared memory, or zeros if not ok; visible after gtr__copies_done and a barrier.
static GTR__DEVICE void gtr__copy16(void *dst, const void *src, bool ok) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(gtr__shared_address(dst)),
        "l"(__cvta_generic_to_global(src)), "r"(ok ? 16 : 0) : "memory");
#else
    *(uint4 *)dst = ok ? *(const uint4 *)src : make_uint4(0, 0, 0, 0);
#endif
}
static GTR__DEVICE void gtr__copy4(void *dst, const void *src, bool ok) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(gtr__shared_address(dst)),
        "l"(__cvta_generic_to_global(src)), "r"(ok ? 4 : 0) : "memory");
#else
    *(uint32_t *)dst = ok ? *(const uint32_t *)src : 0;
#endif
}
static GTR__DEVICE void gtr__copies_commit() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int LEFT> static GTR__DEVICE void gtr__copies_done()     // all groups but the last LEFT
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" :: "n"(LEFT) : "memory");
#endif
}
// Four 8x8 matrices of 16-bit words (8x4 of 32-bit ones): lane l gives row l%8 of matrix l/8 and gets
// words (l/4, l%4) of each.
static GTR__DEVICE void gtr__matrix4(uint32_t *r, uint32_t address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]),
        "=r"(r[2]), "=r"(r[3]) : "r"(address) : "memory");
}
static GTR__DEVICE void gtr__matrix4_t(uint32_t *r, uint32_t address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]),
        "=r"(r[2]), "=r"(r[3]) : "r"(address) : "memory");
}
static GTR__DEVICE void gtr__matrix4(uint32_t *r, const void *p) {
    gtr__matrix4(r, gtr__shared_address(p));
}
static GTR__DEVICE void gtr__matrix4_t(uint32_t *r, const void *p) {
    gtr__matrix4_t(r, gtr__shared_address(p));
}
// Rounds to nearest: the tensor cores themselves cut, which costs a factor of seven in the error's square.
static GTR__DEVICE uint32_t gtr__to_tf32(uint32_t u) {
#if __CUDA_ARCH__ >= 800
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(u) : "f"(__uint_as_float(u)));
#endif
    return u;
}
// d (16x8) += a (16 x 32 bytes) b (32 bytes x 8)
#if __CUDA_ARCH__ >= 800
#define GTR__MMA(name, kind) static GTR__DEVICE void gtr__mma_##name(float *d, const uint32_t *a, const uint32_t *b) { \
    asm("mma.sync.aligned." kind ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); }
GTR__MMA(f16, "m16n8k16.row.col.f32.f16.f16")
#else
#define GTR__MMA(name, kind) static GTR__DEVICE void gtr__mma_##name(float *, const uint32_t *, const uint32_t *) {}
static GTR__DEVICE void gtr__mma_f16(float *d, const uint32_t *a, const uint32_t *b) {      // Turing has half of it
    for (int i = 0; i < 2; i++)
        asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[2 * i]), "r"(a[2 * i + 1]), "r"(b[i]));
}
#endif
GTR__MMA(tf32, "m16n8k8.row.col.f32.tf32.tf32")
GTR__MMA(bf16, "m16n8k16.row.col.f32.bf16.bf16")
// A barrier of all threads of a cluster, by its two halves and whole: what they wrote to shared memory in front of it
// is seen behind it, and nobody writes into another block's before that block has begun. gtr__cluster_part, in front of
// a block's end, waits for no writes.
static GTR__DEVICE void gtr__cluster_arrive() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
static GTR__DEVICE void gtr__cluster_wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}
static GTR__DEVICE void gtr__cluster_barrier() { gtr__cluster_arrive(); gtr__cluster_wait(); }
static GTR__DEVICE void gtr__cluster_part() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
#endif
}
#if __CUDA_ARCH__ >= 900
// Of what is here in this block's shared memory, in that of the cluster's block number rank.
static GTR__DEVICE uint32_t gtr__cluster_at(uint32_t here, int rank) {
    uint32_t address;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(here), "r"(rank));
    return address;
}
static GTR__DEVICE uint32_t gtr__cluster_address(const void *p, int rank) {
    return gtr__cluster_at(gtr__shared_address(p), rank);
}
#endif
// Four floats there.
static GTR__DEVICE float4 gtr__cluster_get4(const float *p, int rank) {
    float4 v = make_float4(0, 0, 0, 0);
#if __CUDA_ARCH__ >= 900
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z),
        "=f"(v.w) : "r"(gtr__cluster_address(p, rank)) : "memory");
#else
    (void)p; (void)rank;
#endif
    return v;
}
// Barriers in shared memory, by their addresses: of a number of arrivals, and of bytes that bulk copies bring; a turn
// is over when all have come.
#if __CUDA_ARCH__ >= 900
static GTR__DEVICE void gtr__bar_set(uint32_t bar, uint32_t count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(bar), "r"(count) : "memory");
}
static GTR__DEVICE void gtr__bars_are_set() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
template <int TIMES = 1>
static GTR__DEVICE void gtr__bar_arrive(uint32_t bar) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "n"(TIMES) : "memory");
}
static GTR__DEVICE void gtr__bar_expect(uint32_t bar, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(bytes) : "memory");
}
// Whether the turn of this parity is over; waits some microseconds for it.
[[maybe_unused]] static GTR__DEVICE bool gtr__bar_passed(uint32_t bar, uint32_t parity) {
    uint32_t there;
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}\n"
        : "=r"(there) : "r"(bar), "r"(parity) : "memory");
    return there != 0;
}
// One that another block of the cluster arrives at, too.
static GTR__DEVICE void gtr__bar_arrive_far(uint32_t bar) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(bar) : "memory");
}
[[maybe_unused]] static GTR__DEVICE bool gtr__bar_passed_far(uint32_t bar, uint32_t parity) {
    uint32_t there;
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}\n" : "=r"(there) : "r"(bar), "r"(parity) : "memory");
    return there != 0;
}
// Looks at a barrier in vain, each of some microseconds in the hardware, before a wait ends: seconds.
#define GTR__BAR_POLLS 1048576
// Until a phase is over. False: it was not over in seconds. The loop is one short piece of assembly: one that read a
// timer cost tall batches 3 %.
[[maybe_unused]] static GTR__DEVICE bool gtr__bar_wait(uint32_t bar, uint32_t parity) {
    uint32_t there;
    asm volatile("{\n.reg .pred p;\n.reg .u32 turn;\nmov.u32 turn, 0;\nLOOK:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n@p bra THERE;\nadd.u32 turn, turn, 1;\n"
                 "setp.ge.u32 p, turn, %3;\n@!p bra LOOK;\nsetp.ne.u32 p, turn, turn;\nTHERE:\n"
                 "selp.u32 %0, 1, 0, p;\n}\n"
                 : "=r"(there) : "r"(bar), "r"(parity), "n"(GTR__BAR_POLLS) : "memory");
    return there != 0;
}
// The same for what the same block has begun, which nobody else can hold up: that it has no end is a fault.
[[maybe_unused]] static GTR__DEVICE void gtr__bar_await(uint32_t bar, uint32_t parity) {
    asm volatile("{\n.reg .pred p;\n.reg .u32 turn;\nmov.u32 turn, 0;\nLOOK:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra THERE;\nadd.u32 turn, turn, 1;\n"
                 "setp.lt.u32 p, turn, %2;\n@p bra LOOK;\ntrap;\nTHERE:\n}\n"
                 :: "r"(bar), "r"(parity), "n"(GTR__BAR_POLLS) : "memory");
}
#endif

#if CUDART_VERSION >= 12000
#define GTR__TENSOR_MAPS 1
#else
#define GTR__TENSOR_MAPS 0
#endif

#if GTR__TENSOR_MAPS
#include <cuda.h>
typedef CUresult (*gtr__tensor_encode)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
    const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
    CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
// The driver's function, asked for at run time: nothing more to link.
static gtr__tensor_encode gtr__tensor_encoder(void) {
    void *f = NULL;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    cudaError_t e = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found);
#else
    cudaError_t e = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &f, cudaEnableDefault, &found);
#endif
    if (e != cudaSuccess) cudaGetLastError();
    return e == cudaSuccess && found == cudaDriverEntryPointSuccess ? (gtr__tensor_encode)f : NULL;
}
#endif

// >>products-epilogue

// A thread's elements, moved at once where there are four.
template <int N> struct gtr__floats { float v[N]; };
template <int N> static GTR__DEVICE gtr__floats<N> gtr__get_of(const void *p, int type, int64_t at) {
    gtr__floats<N> x = {};
    if constexpr (N == 4) {
        const float4 f = p ? gtr__get4(p, type, at) : make_float4(0, 0, 0, 0);
        x.v[0] = f.x; x.v[1] = f.y; x.v[2] = f.z; x.v[3] = f.w;
    } else if (p) x.v[0] = gtr__get(p, type, at);
    return x;
}
template <int N>
static GTR__DEVICE void gtr__put_of(void *p, int type, int64_t at, const gtr__floats<N> &x) {
    if constexpr (N == 4) gtr__put4(p, type, at, make_float4(x.v[0], x.v[1], x.v[2], x.v[3]));
    else gtr__put(p, type, at, x.v[0]);
}
// Calls, not inlined: a kernel has one copy of the formulas, and a call costs little beside a tile. The formula is
// chosen once for all N: their chains of instructions run beside each other. Formulas that are not known are calls for
// each element, as four of each in each kernel would be a third of the file's code.
static __device__ __noinline__ float gtr__rare_fwd(int op, float x, float a, float b) {
    return gtr__unary_fwd(op, x, a, b);
}
static __device__ __noinline__ float gtr__rare_bwd(int op, float dy, float s, float a, float b) {
    return gtr__unary_bwd(op, dy, s, s, a, b);
}
template <int N>
static __device__ __noinline__ gtr__floats<N> gtr__act(int op, gtr__floats<N> x, float a, float b) {
#define GTR__CASE(ID, name, forward, backward) if (gtr__is(op, GTR__OP_##ID)) { \
        _Pragma("unroll") for (int i = 0; i < N; i++) x.v[i] = gtr__unary_fwd(GTR__OP_##ID, x.v[i], a, b); return x; }
    GTR__KNOWN(GTR__CASE)
#undef GTR__CASE
    if ((uint32_t)op >= GTR__OP_COUNT) return x;
#pragma unroll
    for (int i = 0; i < N; i++) x.v[i] = gtr__rare_fwd(op, x.v[i], a, b);
    return x;
}
template <int N> static __device__ __noinline__
gtr__floats<N> gtr__dact(int op, gtr__floats<N> dy, gtr__floats<N> s, float a, float b) {
#define GTR__CASE(ID, name, forward, backward) if (gtr__is(op, GTR__OP_##ID)) { \
        _Pragma("unroll") for (int i = 0; i < N; i++) \
            dy.v[i] = gtr__unary_bwd(GTR__OP_##ID, dy.v[i], s.v[i], s.v[i], a, b); return dy; }
    GTR__KNOWN(GTR__CASE)
#undef GTR__CASE
    if ((uint32_t)op >= GTR__OP_COUNT) return dy;
#pragma unroll
    for (int i = 0; i < N; i++) dy.v[i] = gtr__rare_bwd(op, dy.v[i], s.v[i], a, b);
    return dy;
}
// What C's elements are added to; NULL: nothing.
static GTR__DEVICE const void *gtr__product_had(const gtr__product &p) {
    return !p.add ? NULL : p.from ? p.from : p.c;
}
// Activation or its backward, addition, store: of four elements of C in a row, or one, with their bias; at is their
// place in C; what the activation's backward reads and what C had are loaded by then, where they are wanted.
template <int N> static GTR__DEVICE
void gtr__epilogue(const gtr__product &p, gtr__floats<N> v, const gtr__floats<N> &saved, const gtr__floats<N> &had,
                   int64_t at) {
    if (p.pre) gtr__put_of(p.pre, p.type_pre, at, v);
    if (p.saved) v = gtr__dact(p.act, v, saved, p.act_a, p.act_b);
    else if (p.act >= 0) v = gtr__act(p.act, v, p.act_a, p.act_b);
#pragma unroll
    for (int i = 0; i < N; i++) if (p.add) v.v[i] += had.v[i];
    if (p.guard) gtr__watch(p.guard, v.v, N);
    gtr__put_of(p.c, p.type_c, at, v);
}
// The same with the bias of column n, and loads.
template <int N> static GTR__DEVICE
void gtr__epilogue(const gtr__product &p, gtr__floats<N> v, int64_t n, int64_t at) {
    const gtr__floats<N> bias = gtr__get_of<N>(p.bias, p.type_bias, n);
#pragma unroll
    for (int i = 0; i < N; i++) v.v[i] += bias.v[i];
    gtr__epilogue(p, v, gtr__get_of<N>(p.saved, p.type_saved, at), gtr__get_of<N>(gtr__product_had(p), p.type_c, at),
                  at);
}

// >>products-kernel

// What the launcher works out once for all blocks, in 32 bits where it fits: a block's first 100 instructions cost as
// much as its last 100.
typedef struct gtr__product_cut {
    int m, n, k;
    uint32_t lda, ldb, ldc;
    int64_t step_a, step_b;     // bytes from one tile of k to the next
    int size_a, size_b;         // bytes of an element
    uint32_t tiles_m, tiles_n;
    int flat;                   // the grid is one line of blocks, because a side is too long for a grid's
    int split_log;              // a cluster is 1 << split_log blocks
    uint32_t batch;
    int ranges;                 // of k: the grid's z is the batch's place within a range's
    int share, rest;            // tiles of k of each block of all ranges; the first `rest` blocks take one more
    int k_tiles;                // of one of kb
    int early;                  // operands that the launch before does not write: 1 of map_a, 2 of map_b
    int stages;                 // 4, or 2 where copies are not asynchronous
    int vec_a, vec_b, vec_c;    // rows can be moved 16 bytes (C: four elements) at a time
} gtr__product_cut;

// A block's tile of an operand: 128 bytes of k by T of the other dimension. Rows are padded so that neither the
// fragments' loads nor the copies meet in a bank. ES is an element's size in shared memory; K
// says that k is contiguous.
template <int ES, int T, bool K> struct gtr__operand {
    static constexpr int depth = 128 / ES;                      // elements of k
    static constexpr int rows = K ? T : depth, columns = K ? depth : T;
    static constexpr int pitch = columns + (K ? 16 / ES : 8);
    static constexpr int bytes = rows * pitch * ES;
};

// Fetches a tile whose first element is at from, height rows and width columns of it being in the matrix, with zeros
// outside; safe is any good address. CONVERT: the kernel computes in float32 and the operand may be stored otherwise.
template <int ES, int T, bool K, bool CONVERT>
static GTR__DEVICE void gtr__fetch(char *tile, const char *from, const char *safe, int dtype,
        uint32_t pitch, int height, int width, bool vec) {
    typedef gtr__operand<ES, T, K> tile_t;
    if (vec) {
        constexpr int per = 16 / ES, chunks = tile_t::columns / per, step = 128 / chunks;
        int r = (int)threadIdx.x / chunks, c = (int)threadIdx.x % chunks * per;
        const char *src = from + ((uint64_t)pitch * (uint32_t)r + (uint32_t)c) * ES;
        char *dst = tile + (r * tile_t::pitch + c) * ES;
#pragma unroll
        for (int i = 0; i < tile_t::rows / step; i++) {
            bool ok = r + i * step < height && c < width;
            gtr__copy16(dst + i * (step * tile_t::pitch * ES), ok ? src : safe, ok);
            src += (uint64_t)pitch * (step * ES);
        }
        return;
    }
    // 4 bytes at a time where they are aligned; of rows of k no more lanes than there are columns: what lies beyond
    // them in the tile only reaches elements of C beyond it.
    const int per = ES == 2 && (((uintptr_t)from >> 1 | pitch | (uint32_t)width) & 1) == 0 ? 2 : 1;
    int log = tile_t::columns == 32 ? 5 : tile_t::columns == 64 ? 6 : 7;
    if (per == 2) log--;
    while (!K && log && per << (log - 1) >= width) log--;
    const int c = ((int)threadIdx.x & ((1 << log) - 1)) * per, step = 128 >> log;
    int r = (int)threadIdx.x >> log;
    int64_t at = (int64_t)((uint64_t)pitch * (uint32_t)r) + c;
    char *dst = tile + (r * tile_t::pitch + c) * ES;
#pragma unroll 4
    for (; r < tile_t::rows; r += step) {
        bool ok = r < height && c < width;
        if (CONVERT && dtype != GTR_F32) *(float *)dst = ok ? gtr__get(from, dtype, at) : 0.0f;
        else if (ES * per == 4) gtr__copy4(dst, ok ? from + at * ES : safe, ok);
        else *(uint16_t *)dst = ok ? ((const uint16_t *)from)[at] : (uint16_t)0;
        at += (int64_t)pitch * step;
        dst += step * tile_t::pitch * ES;
    }
}

// Fragments of the 16x(32 bytes) of A from row m, and of the (32 bytes)x16 of B from column n, at step s
// of four of a tile's depth.
template <int KIND, int T, bool AK>
static GTR__DEVICE void gtr__fragment_a(uint32_t *f, const char *tile, int m, int s) {
    constexpr int ES = KIND == GTR__PRODUCT_HALF ? 2 : 4;
    constexpr int pitch = gtr__operand<ES, T, AK>::pitch;
    int lane = (int)threadIdx.x & 31;
    if constexpr (AK) {
        gtr__matrix4(f, tile + (m + (lane & 15)) * pitch * ES + s * 32 + (lane >> 4) * 16);
    } else if constexpr (ES == 2) {
        gtr__matrix4_t(f, tile + ((s * 16 + (lane >> 4) * 8 + (lane & 7)) * pitch + m + (lane >> 3 & 1) * 8) * ES);
    } else {
        const uint32_t *p = (const uint32_t *)tile + (s * 8 + (lane & 3)) * pitch + m + (lane >> 2);
        f[0] = p[0];
        f[1] = p[8];
        f[2] = p[4 * pitch];
        f[3] = p[4 * pitch + 8];
    }
    if constexpr (KIND == GTR__PRODUCT_TF32)
        for (int i = 0; i < 4; i++) f[i] = gtr__to_tf32(f[i]);
}
template <int KIND, int T, bool BK>
static GTR__DEVICE void gtr__fragment_b(uint32_t *f, const char *tile, int n, int s) {
    constexpr int ES = KIND == GTR__PRODUCT_HALF ? 2 : 4;
    constexpr int pitch = gtr__operand<ES, T, BK>::pitch;
    int lane = (int)threadIdx.x & 31;
    if constexpr (BK) {
        gtr__matrix4(f, tile + (n + (lane >> 4) * 8 + (lane & 7)) * pitch * ES + s * 32 + (lane >> 3 & 1) * 16);
    } else if constexpr (ES == 2) {
        gtr__matrix4_t(f, tile + ((s * 16 + (lane >> 3 & 1) * 8 + (lane & 7)) * pitch + n + (lane >> 4) * 8) * ES);
    } else {
        const uint32_t *p = (const uint32_t *)tile + (s * 8 + (lane & 3)) * pitch + n + (lane >> 2);
        f[0] = p[0];
        f[1] = p[4 * pitch];
        f[2] = p[8];
        f[3] = p[4 * pitch + 8];
    }
    if constexpr (KIND == GTR__PRODUCT_TF32)
        for (int i = 0; i < 4; i++) f[i] = gtr__to_tf32(f[i]);
}

// A block's accumulators and the two inner products. Four warps, two by two, each a quarter of the tile.
template <int KIND, int T, bool AK, bool BK> struct gtr__block_mma {
    static constexpr int MI = T / 32, NI = T / 16;
    float acc[MI][NI][4];
    GTR__DEVICE void clear()
    {
#pragma unroll
        for (int i = 0; i < MI * NI * 4; i++) acc[i / (NI * 4)][i / 4 % NI][i % 4] = 0;
    }
    GTR__DEVICE void add(const char *a, const char *b, int type)
    {
        int warp = (int)threadIdx.x / 32, m = (warp >> 1) * (T / 2), n = (warp & 1) * (T / 2);
#pragma unroll
        for (int s = 0; s < 4; s++) {
            uint32_t fa[MI][4], fb[NI][2];
#pragma unroll
            for (int i = 0; i < MI; i++) gtr__fragment_a<KIND, T, AK>(fa[i], a, m + i * 16, s);
#pragma unroll
            for (int j = 0; j < NI; j += 2) {
                uint32_t f[4];
                gtr__fragment_b<KIND, T, BK>(f, b, n + j * 8, s);
                fb[j][0] = f[0]; fb[j][1] = f[1]; fb[j + 1][0] = f[2]; fb[j + 1][1] = f[3];
            }
            if constexpr (KIND == GTR__PRODUCT_TF32) {
#pragma unroll
                for (int i = 0; i < MI * NI; i++) gtr__mma_tf32(acc[i / NI][i % NI], fa[i / NI], fb[i % NI]);
            } else if (type == GTR_BF16) {
#pragma unroll
                for (int i = 0; i < MI * NI; i++) gtr__mma_bf16(acc[i / NI][i % NI], fa[i / NI], fb[i % NI]);
            } else {
#pragma unroll
                for (int i = 0; i < MI * NI; i++) gtr__mma_f16(acc[i / NI][i % NI], fa[i / NI], fb[i % NI]);
            }
        }
    }
    GTR__DEVICE void spill(float *c)
    {
        int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x & 31;
        int m = (warp >> 1) * (T / 2) + (lane >> 2), n = (warp & 1) * (T / 2) + 2 * (lane & 3);
#pragma unroll
        for (int i = 0; i < MI; i++)
#pragma unroll
            for (int j = 0; j < NI; j++) {
                float *d = c + (m + i * 16) * (T + 8) + n + j * 8;
                *(float2 *)d = make_float2(acc[i][j][0], acc[i][j][1]);
                *(float2 *)(d + 8 * (T + 8)) = make_float2(acc[i][j][2], acc[i][j][3]);
            }
    }
};

// 16x8 threads; a thread's rows and columns lie so that the loads of four at a time meet no bank twice.
template <int T, bool AK, bool BK> struct gtr__block_fma {
    static constexpr int RM = T / 16, RN = T / 8;
    float acc[RM][RN];
    static GTR__DEVICE int row(int i) {
        int y = (int)threadIdx.x >> 3; return AK ? y + 16 * i : y * RM + i;
    }
    static GTR__DEVICE int column(int j) {
        int x = (int)threadIdx.x & 7; return BK ? x + 8 * j : j / 4 * 32 + x * 4 + j % 4;
    }
    GTR__DEVICE void clear()
    {
#pragma unroll
        for (int i = 0; i < RM * RN; i++) acc[i / RN][i % RN] = 0;
    }
    // Four of k of each of N rows (columns), of which a V lies side by side where k does not.
    template <bool K, int N, typename V, typename F>
    static GTR__DEVICE void load(float (*f)[4], const float *tile, int pitch, int k, F place) {
        constexpr int W = K ? 1 : sizeof(V) / 4;
#pragma unroll
        for (int q = 0; q < (K ? 1 : 4); q++)
#pragma unroll
            for (int i = 0; i < N; i += W)
                if constexpr (K) *(float4 *)f[i] = *(const float4 *)(tile + place(i) * pitch + k);
                else {
                    const V v = *(const V *)(tile + (k + q) * pitch + place(i));
#pragma unroll
                    for (int w = 0; w < W; w++) f[i + w][q] = ((const float *)&v)[w];
                }
    }
    GTR__DEVICE void add(const char *tile_a, const char *tile_b, int)
    {
        constexpr int pa = gtr__operand<4, T, AK>::pitch, pb = gtr__operand<4, T, BK>::pitch;
        const float *a = (const float *)tile_a, *b = (const float *)tile_b;
#pragma unroll 2
        for (int k = 0; k < 32; k += 4) {
            __align__(16) float fa[RM][4], fb[RN][4];
            load<AK, RM, float2>(fa, a, pa, k, row);
            load<BK, RN, float4>(fb, b, pb, k, column);
#pragma unroll
            for (int q = 0; q < 4; q++)
#pragma unroll
                for (int i = 0; i < RM * RN; i++)
                    acc[i / RN][i % RN] = fmaf(fa[i / RN][q], fb[i % RN][q], acc[i / RN][i % RN]);
        }
    }
    GTR__DEVICE void spill(float *c)
    {
#pragma unroll
        for (int i = 0; i < RM * RN; i++) c[row(i / RN) * (T + 8) + column(i % RN)] = acc[i / RN][i % RN];
    }
};

// Sum over a cluster's blocks, in the order of their ranks, of four floats each: get(r) those of block r. All loads
// start before the first is used.
template <typename F> static GTR__DEVICE float4 gtr__cluster_sum4(int split, F get) {
    float4 v = get(0), part[8];
    if (split == 1) return v;
#pragma unroll
    for (int r = 1; r < 8; r++) part[r] = r < split ? get(r) : make_float4(0, 0, 0, 0);
#pragma unroll
    for (int r = 1; r < 8; r++)
        if (r < split) { v.x += part[r].x; v.y += part[r].y; v.z += part[r].z; v.w += part[r].w; }
    return v;
}
static GTR__DEVICE float4 gtr__cluster_sum4(const float *p, int split) {
    if (split == 1) return *(const float4 *)p;
    return gtr__cluster_sum4(split, [&](int r) { return gtr__cluster_get4(p, r); });
}

// Which tile of C, and which of the batch, a cluster makes.
static GTR__DEVICE uint3 gtr__product_place(const gtr__product_cut &cut) {
    uint32_t x = blockIdx.x >> cut.split_log, y = blockIdx.y, z = blockIdx.z;
    if (cut.flat) {
        z = x / (cut.tiles_m * cut.tiles_n);
        x -= z * (cut.tiles_m * cut.tiles_n);
        y = x / cut.tiles_m;
        x -= y * cut.tiles_m;
    }
    return make_uint3(x, y, z);
}
// sum and a thread's terms of the sum of a row of A in a tile of it: every (128 / T)-th of k.
template <int ES, int T, bool K>
static GTR__DEVICE float gtr__product_row_sum(float sum, const char *tile, int type) {
    typedef gtr__operand<ES, T, K> tile_t;
#pragma unroll 4
    for (int k = (int)threadIdx.x / T; k < tile_t::depth; k += 128 / T) {
        const int m = (int)threadIdx.x % T, at = K ? m * tile_t::pitch + k : k * tile_t::pitch + m;
        sum += ES == 4 ? ((const float *)tile)[at] : gtr__get(tile, type, at);
    }
    return sum;
}
// What a thread stores of a block's rows of a cluster's M x N tile: four columns, or one, from column on, of every
// step-th row from row to end; place is that of its columns in the tile's row 0.
struct gtr__product_lane {
    int column, row, step, end; int64_t place;
    GTR__DEVICE int64_t at(const gtr__product_cut &cut, int r) const {
        return place + (int64_t)((uint64_t)cut.ldc * (uint32_t)r);
    }
};
template <int M, int N, int THREADS> static GTR__DEVICE
gtr__product_lane gtr__product_lane_of(const gtr__product_cut &cut, int m0, int n0, int64_t base_c) {
    int log = N == 32 ? 3 : N == 64 ? 4 : 5;
    if (!cut.vec_c) for (log = 0; 1 << log < min(cut.n - n0, N); ) log++;
    const int column = ((int)threadIdx.x & ((1 << log) - 1)) << (cut.vec_c ? 2 : 0), rows = M >> cut.split_log,
        first = ((int)blockIdx.x & ((1 << cut.split_log) - 1)) * rows;
    return { column, first + ((int)threadIdx.x >> log), THREADS >> log,
        column < min(cut.n - n0, N) ? min(first + rows, min(cut.m - m0, M)) : 0,
        base_c + n0 + column + (int64_t)((uint64_t)cut.ldc * (uint32_t)m0) };
}
// The bias of its columns, the first of which has that at first, where it is of columns; fetched before it is wanted.
static GTR__DEVICE
gtr__floats<4> gtr__product_bias(const gtr__product &p, const gtr__product_cut &cut, int n, int64_t first = 0) {
    if (cut.vec_c) return gtr__get_of<4>(n < cut.n && !p.bias_m ? p.bias : NULL, p.type_bias, first + n);
    return { { gtr__get_of<1>(n < cut.n && !p.bias_m ? p.bias : NULL, p.type_bias, first + n).v[0] } };
}
// What the epilogue reads of four elements of a row.
struct gtr__product_reads { gtr__floats<4> saved, had; };
template <typename L> static GTR__DEVICE
gtr__product_reads gtr__product_read(const gtr__product &p, const gtr__product_cut &cut, const L &lane, int r) {
    const bool in = r < lane.end && cut.vec_c;
    const int64_t at = lane.at(cut, r);
    return { gtr__get_of<4>(in ? p.saved : NULL, p.type_saved, at),
        gtr__get_of<4>(in ? gtr__product_had(p) : NULL, p.type_c, at) };
}
template <int W> static GTR__DEVICE
void gtr__product_element(const gtr__product &p, float4 c, const gtr__floats<4> &bias, const gtr__floats<W> &saved,
                          const gtr__floats<W> &had, int m, int64_t at) {
    gtr__floats<W> x = gtr__floats<W>();
    const gtr__floats<4> all = { { c.x, c.y, c.z, c.w } };
    const float row = p.bias_m ? gtr__get_of<1>(p.bias, p.type_bias, m).v[0] : 0.0f;
#pragma unroll
    for (int i = 0; i < W; i++) x.v[i] = all.v[i] + (p.bias_m ? row : bias.v[i]);
    gtr__epilogue(p, x, saved, had, at);
}
// A block's rows of the cluster's tile of C: get(r, q) sums the cluster's parts of row r from column q on, four
// elements. With the epilogue, which reads for a row, now for the first, while the one before is stored. Short: a block
// waits for its instructions, too.
template <typename L, typename F>
static GTR__DEVICE void gtr__product_store(const gtr__product &p, const gtr__product_cut &cut, int m0,
        const L &lane, const gtr__floats<4> &bias, gtr__product_reads now, F get) {
    const int q = lane.column, step = lane.step;
    auto at = [&](int r) { return lane.at(cut, r); };
    if (!cut.vec_c) {
#pragma unroll 1
        for (int r = lane.row; r < lane.end; r += step) {
            float4 c = get(r, q & ~3);
            c.x = q & 2 ? (q & 1 ? c.w : c.z) : q & 1 ? c.y : c.x;
            gtr__product_element<1>(p, c, bias, gtr__get_of<1>(p.saved, p.type_saved, at(r)),
                gtr__get_of<1>(gtr__product_had(p), p.type_c, at(r)), m0 + r, at(r));
        }
        return;
    }
    if (!p.saved && !p.add) {
        const gtr__floats<4> none = {};
#pragma unroll 1
        for (int r = lane.row; r < lane.end; r += step)
            gtr__product_element<4>(p, get(r, q), bias, none, none, m0 + r, at(r));
        return;
    }
#pragma unroll 1
    for (int r = lane.row; r < lane.end; r += step) {
        const gtr__product_reads next = gtr__product_read(p, cut, lane, r + step);
        gtr__product_element<4>(p, get(r, q), bias, now.saved, now.had, m0 + r, at(r));
        now = next;
    }
}
static GTR__DEVICE void gtr__product_put_sum(const gtr__product &p, int64_t at, float s) {
    if (p.add_sums) s += gtr__get(p.sums, p.type_sums, at);
    gtr__watch(p.guard, &s);
    gtr__put(p.sums, p.type_sums, at, s);
}
// The same of the sums of A's columns: 128 / T partial ones a block.
template <int T>
static GTR__DEVICE void gtr__product_store_sums(const gtr__product &p, const gtr__product_cut &cut,
                                                               const float *sums, int m0, int64_t base) {
    const int tid = (int)threadIdx.x, split = 1 << cut.split_log, rows = T >> cut.split_log;
    const int row0 = ((int)blockIdx.x & (split - 1)) * rows;
    if (tid >= rows) return;
    float4 v = make_float4(0, 0, 0, 0);
#pragma unroll 1
    for (int part = 0; part < 128 / T; part++) {
        float4 u = gtr__cluster_sum4(sums + part * T + row0 + (tid & ~3), split);
        v.x += u.x; v.y += u.y; v.z += u.z; v.w += u.w;
    }
    float s = (tid & 2) ? (tid & 1 ? v.w : v.z) : (tid & 1 ? v.y : v.x);
    const int r = row0 + tid;
    if (r >= min(cut.m - m0, T)) return;
    gtr__product_put_sum(p, base + m0 + r, s);
}

// Where item i of the batch lies.
static GTR__DEVICE int64_t gtr__item_at(const gtr__product &p, uint32_t i, int64_t item, int64_t outer) {
    const uint32_t row = p.inner ? i / (uint32_t)p.inner : 0;
    return row * outer + (i - row * (uint32_t)p.inner) * item;
}

// A block's part of a cluster's TxT tile of C: count tiles of k through cut.stages slots, which fetch(slot) fills, one
// behind the other; the sum in shared memory; a share of the rows of all blocks' sums, to C. A has, in memory, `type`.
template <int KIND, int T, bool AK, bool BK, typename L, typename F>
static GTR__DEVICE void gtr__product_block(const gtr__product &p, const gtr__product_cut &cut, int count, int type,
        bool wants_sums, int m0, const L &lane, const gtr__floats<4> &bias, uint32_t range, F fetch) {
    constexpr int ES = KIND == GTR__PRODUCT_HALF ? 2 : 4;
    constexpr int at_b = gtr__operand<ES, T, AK>::bytes, slot_bytes = at_b + gtr__operand<ES, T, BK>::bytes;
    typename std::conditional<KIND == GTR__PRODUCT_FMA, gtr__block_fma<T, AK, BK>,
        gtr__block_mma<KIND, T, AK, BK>>::type block;
    extern __shared__ __align__(16) char gtr__pool[];
    const int split = 1 << cut.split_log, ahead = cut.stages - 1;
    int slot = 0, fill = 0;
    float sum = 0;                      // of row threadIdx.x % T of A, every (128 / T)-th of k
    block.clear();
    for (int i = -ahead; i < count; i++) {
        if (i >= 0) {
            if (ahead == 3) gtr__copies_done<2>();
            else if (ahead == 2) gtr__copies_done<1>();
            else gtr__copies_done<0>();
            __syncthreads();            // tile i is there, and everybody is done with the slot that is filled now
        }
        if (i + ahead < count) {
            fetch(gtr__pool + fill * slot_bytes);
            if (++fill == cut.stages) fill = 0;
        }
        gtr__copies_commit();
        if (i < 0) continue;
        const char *tile = gtr__pool + slot * slot_bytes;
        block.add(tile, tile + at_b, type);
        if (wants_sums) sum = gtr__product_row_sum<ES, T, AK>(sum, tile, type);
        if (++slot == cut.stages) slot = 0;
    }
    gtr__copies_done<0>();
    __syncthreads();
    float *c = (float *)gtr__pool, *sums = c + T * (T + 8);
    block.spill(c);
    if (wants_sums) sums[threadIdx.x] = sum;
    if (split > 1) gtr__cluster_barrier(); else __syncthreads();
    gtr__product_store(p, cut, m0, lane, bias, gtr__product_read(p, cut, lane, lane.row),
        [&](int r, int q) { return gtr__cluster_sum4(c + r * (T + 8) + q, split); });
    if (wants_sums) gtr__product_store_sums<T>(p, cut, sums, m0, (int64_t)range * cut.m);
    if (split > 1) gtr__cluster_part();     // no block may end while its memory is read
}

// One TxT tile of C per cluster, whose blocks share the sum over k: each leaves its part in shared memory and finishes
// some of the rows with everybody's. Bound by latency at the sizes it is for (a chain of one fetch, K/depth/split
// tiles, one exchange, one store), then by the bytes a multiprocessor draws from L2: 2 T depth elements a tile of k for
// T T depth multiply-adds. Accumulates in float32. Kept short, each part standing once: a kernel that runs for two
// microseconds also waits for its instructions.
template <int KIND, int T, bool AK, bool BK>
static __global__ void __launch_bounds__(128)
        gtr__product_kernel(const __grid_constant__ gtr__product p, const __grid_constant__ gtr__product_cut cut) {
    constexpr int ES = KIND == GTR__PRODUCT_HALF ? 2 : 4;
    constexpr bool FMA = KIND == GTR__PRODUCT_FMA;
    typedef gtr__operand<ES, T, AK> tile_a;
    typedef gtr__operand<ES, T, BK> tile_b;
    constexpr int depth = tile_a::depth;
    const int rank = (int)blockIdx.x & ((1 << cut.split_log) - 1);
    const uint3 place = gtr__product_place(cut);
    const uint32_t range = cut.ranges > 1 ? place.z / cut.batch : 0, which = place.z - range * cut.batch;
    const int part = ((int)range << cut.split_log) + rank;
    const int m0 = (int)place.x * T, n0 = (int)place.y * T, left_m = min(cut.m - m0, T), left_n = min(cut.n - n0, T);
    const char *a = (const char *)p.a + gtr__item_at(p, which, p.a_batch, p.a_outer) * cut.size_a;
    const char *b = (const char *)p.b + gtr__item_at(p, which, p.b_batch, p.b_outer) * cut.size_b;
    const int64_t base_c = gtr__item_at(p, which, p.c_batch, p.c_outer) + (place.z - which) * p.c_batch;
    const char *first_a = a + (AK ? (uint64_t)cut.lda * (uint32_t)m0 : (uint32_t)m0) * cut.size_a;
    const char *first_b = b + (BK ? (uint64_t)cut.ldb * (uint32_t)n0 : (uint32_t)n0) * cut.size_b;
    const int count = cut.share + (part < cut.rest);
    int kt = part * cut.share + min(part, cut.rest);        // the tile of k that is fetched next, and its place in kb
    int64_t j = 0;
    if (p.kb > 1) { j = kt / cut.k_tiles; kt -= (int)j * cut.k_tiles; }
    const char *next_a = first_a + kt * cut.step_a, *next_b = first_b + kt * cut.step_b;
    if (j) {
        next_a += gtr__item_at(p, (uint32_t)j, p.a_kb, p.a_outer) * cut.size_a;
        next_b += gtr__item_at(p, (uint32_t)j, p.b_kb, p.b_outer) * cut.size_b;
    }

    gtr__enter();
    const gtr__product_lane lane = gtr__product_lane_of<T, T, 128>(cut, m0, n0, base_c);
    const gtr__floats<4> bias = gtr__product_bias(p, cut, n0 + lane.column);
    gtr__product_block<KIND, T, AK, BK>(p, cut, count, p.type_a, p.sums && !n0, m0, lane, bias, range, [&](char *tile) {
        int left_k = min(cut.k - kt * depth, depth);
        gtr__fetch<ES, T, AK, FMA>(tile, next_a, a, p.type_a, cut.lda, AK ? left_m : left_k,
            AK ? left_k : left_m, cut.vec_a);
        gtr__fetch<ES, T, BK, FMA>(tile + tile_a::bytes, next_b, b, p.type_b, cut.ldb, BK ? left_n : left_k,
            BK ? left_k : left_n, cut.vec_b);
        next_a += cut.step_a;
        next_b += cut.step_b;
        if (++kt == cut.k_tiles) {
            kt = 0;
            j++;
            next_a = first_a + gtr__item_at(p, (uint32_t)j, p.a_kb, p.a_outer) * cut.size_a;
            next_b = first_b + gtr__item_at(p, (uint32_t)j, p.b_kb, p.b_outer) * cut.size_b;
        }
    });
}

// >>products-wgmma
// C in tiles of M x N on Hopper's own matrix instructions: a warp brings 128 bytes of k of both operands a stage (bulk
// tensor copies, which round float32 to TF32), groups of four warps multiply 64 rows each. The blocks of a cluster
// share the sum over k: each sends the others their rows of its part, and finishes its own.
//
//   producer (a thread)  --full-->  consumers (M / 16 warps)  --parts, bulk copies: arrived-->  the rows' owner
//                        <-empty--
//
// Bound by latency, as the plain kernel is, then by the bytes that a multiprocessor draws from L2: (M + N) / (M N) of
// an element a multiply-add. Seen on an H200, in a chain, beside the plain kernel and cuBLASLt: TF32 256x512x512
// 3.6 us, 6.4 and 6.9; dx of it 4.2, 6.4 and 6.6; dw with its bias's 4.9, 7.4 and 6.5; BF16 3.0, 5.1 and 3.0. Tiles of
// 128 x 128 lost: a stage of theirs takes as long as two of 128 x 64, and their exchange 2 us more. Of float32 the
// instruction takes from shared memory what has k across alone: where rows are k, A goes through registers, and B is
// turned in its place.
// The accumulators of such an instruction, in its text and as operands of constraint c.
#define GTR__L4 "{%0, %1, %2, %3"
#define GTR__L16 GTR__L4 ", %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define GTR__L20 GTR__L16 ", %16, %17, %18, %19"
#define GTR__L32 GTR__L20 ", %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define GTR__L36 GTR__L32 ", %32, %33, %34, %35"
#define GTR__L64 GTR__L36 ", %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, " \
    "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define GTR__A4(c, i)  c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define GTR__A16(c, i) GTR__A4(c, i), GTR__A4(c, i + 4), GTR__A4(c, i + 8), GTR__A4(c, i + 12)
#define GTR__A20(c)    GTR__A16(c, 0), GTR__A4(c, 16)
#define GTR__A32(c)    GTR__A16(c, 0), GTR__A16(c, 16)
#define GTR__A36(c)    GTR__A32(c), GTR__A4(c, 32)
#define GTR__A64(c)    GTR__A32(c), GTR__A16(c, 32), GTR__A16(c, 48)
#if GTR__TENSOR_MAPS
// SWAP: C's rows are B's N, and A's M its columns: so the operand whose rows are k, of float32 one in registers alone,
// of 16 bits in panels of 64 columns, is always A, or both are.
template <int M, int N, bool SWAP> struct gtr__wgmma_tile {
    static constexpr int rows = SWAP ? N : M, columns = SWAP ? M : N, stage = (M + N) * 128,
        pitch = columns + (SWAP ? 4 : 8), parts = rows * pitch * 4, threads = 2 * M + 32;
};
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
static GTR__DEVICE void gtr__tensor_load(uint32_t to, const CUtensorMap *map, int column, int row, int z,
                                                        uint32_t bar) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];"
        :: "r"(to), "l"(map), "r"(column), "r"(row), "r"(z), "r"(bar) : "memory");
}
template <int LEFT> static GTR__DEVICE void gtr__wgmma_until() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(LEFT) : "memory");
}
// 128 bytes a row in panels of groups of 8 rows, 1024 bytes apart. Rows are k: panels of 64 columns, 8192 bytes apart.
static GTR__DEVICE uint64_t gtr__wgmma_panel(uint32_t address) {
    uint64_t d;
    asm("mov.b64 %0, {%1, %2};" : "=l"(d) : "r"(((address & 0x3ffffu) >> 4) + (8192u >> 4 << 16)),
        "r"(1u << 30 | 1024u >> 4));
    return d;
}
#define GTR__WGMMA_D(SHAPE, TYPES, LIST, A, B, P, MODES, ...) \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" P ", 0;\nwgmma.mma_async.sync.aligned.m64n" SHAPE ".f32." TYPES \
        LIST "}, %" A ", %" B ", p, 1, 1" MODES ";\n}\n" : __VA_ARGS__ : "l"(a), "l"(b), "r"(add))
#define GTR__WGMMA_N(K, TYPES, MODES) do { \
    if constexpr (N == 32) GTR__WGMMA_D("32" K, TYPES, GTR__L16, "16", "17", "18", MODES, GTR__A16("+f", 0)); \
    else if constexpr (N == 64) GTR__WGMMA_D("64" K, TYPES, GTR__L32, "32", "33", "34", MODES, GTR__A32("+f")); \
    else GTR__WGMMA_D("128" K, TYPES, GTR__L64, "64", "65", "66", MODES, GTR__A64("+f")); } while (0)
#define GTR__WGMMA_T(TYPES) do { \
    if constexpr (AK && BK) GTR__WGMMA_N("k16", TYPES, ", 0, 0"); \
    else if constexpr (BK) GTR__WGMMA_N("k16", TYPES, ", 1, 0"); \
    else GTR__WGMMA_N("k16", TYPES, ", 1, 1"); } while (0)
#define GTR__WGMMA_R(SHAPE, LIST, A0, A1, A2, A3, B, P, ...) \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" P ", 0;\nwgmma.mma_async.sync.aligned.m64n" SHAPE \
        "k8.f32.tf32.tf32 " LIST "}, {%" A0 ", %" A1 ", %" A2 ", %" A3 "}, %" B ", p, 1, 1;\n}\n" : __VA_ARGS__ \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add))
// d (64 x N) += A B over 8 of k, float32, A in registers.
template <int N>
static GTR__DEVICE void gtr__wgmma_rs(float *d, const uint32_t *a, uint64_t b, int add) {
    if constexpr (N == 32) GTR__WGMMA_R("32", GTR__L16, "16", "17", "18", "19", "20", "21", GTR__A16("+f", 0));
    else if constexpr (N == 64) GTR__WGMMA_R("64", GTR__L32, "32", "33", "34", "35", "36", "37", GTR__A32("+f"));
    else GTR__WGMMA_R("128", GTR__L64, "64", "65", "66", "67", "68", "69", GTR__A64("+f"));
}
// d (64 x N) += A B over 32 bytes of k.
template <int TYPE, int N, bool AK, bool BK>
static GTR__DEVICE void gtr__wgmma(float *d, uint64_t a, uint64_t b, int add) {
    if constexpr (TYPE == GTR_F32) GTR__WGMMA_N("k8", "tf32.tf32 ", "");
    else if constexpr (TYPE == GTR_BF16) GTR__WGMMA_T("bf16.bf16 ");
    else GTR__WGMMA_T("f16.f16 ");
}
// Float32 with rows of k in panels of 32 columns becomes, in its place, rows of 32 of k, which alone the instruction
// takes from shared memory.
template <int M, int N> static GTR__DEVICE void gtr__wgmma_turn(char *tile) {
    constexpr int warps = M / 16, units = N / 4 / warps;
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x / 32;
    float v[units][4];
#pragma unroll
    for (int u = 0; u < units; u++) {
        const int unit = u * warps + warp, q = unit & 7;        // four of k from 4 q on
        const char *from = tile + unit / 8 * 4096 + q * 512 + (lane & 3) * 4;
#pragma unroll
        for (int i = 0; i < 4; i++) v[u][i] = *(const float *)(from + i * 128 + ((lane >> 2 ^ (q * 4 + i & 7)) << 4));
    }
    asm volatile("bar.sync 1, %0;" :: "n"(2 * M) : "memory");
#pragma unroll
    for (int u = 0; u < units; u++) {
        const int unit = u * warps + warp, q = unit & 7;
        *(float4 *)(tile + unit / 8 * 4096 + lane * 128 + ((q ^ (lane & 7)) << 4))
            = make_float4(v[u][0], v[u][1], v[u][2], v[u][3]);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync 1, %0;" :: "n"(2 * M) : "memory");
}
#endif

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
template <int TYPE, int M, int N, bool AK, bool BK, bool SWAP> struct gtr__wgmma_block {
    // A in registers; C's rows are B's; B turned in shared memory
    static constexpr bool RS = TYPE == GTR_F32 && !AK, TURN = TYPE == GTR_F32 && !BK;
    static constexpr int depth = TYPE == GTR_F32 ? 32 : 64;
    typedef gtr__wgmma_tile<M, N, SWAP> tile_t;
    const gtr__product &p;
    const gtr__product_cut &cut;
    char *ring;
    float *parts;               // of this block's rows, by all of the cluster
    uint32_t full, empty, arrived;
    int tid, warp, split, rank, m0, n0, z, part, count;      // z: of the batch, whose k the part-th block sums from
    float sum[2];               // of A's columns: of rows row and row + 8, or of 2 lane and the next
    bool wants_sums;

    // By one thread. At first what the launch before does not write, as far as the ring goes.
    GTR__DEVICE void produce(const CUtensorMap *map_a, const CUtensorMap *map_b) const {
        const int za = (SWAP ? p.b_batch : p.a_batch) ? z : 0, zb = (SWAP ? p.a_batch : p.b_batch) ? z : 0;
        const int first_a = SWAP ? n0 : m0, first_b = SWAP ? m0 : n0;
        asm volatile("prefetch.tensormap [%0];" :: "l"(map_a) : "memory");
        asm volatile("prefetch.tensormap [%0];" :: "l"(map_b) : "memory");
        for (int pass = cut.early ? 0 : 1; pass < 2; pass++) {
            int kt = part * cut.share + min(part, cut.rest), j = kt / cut.k_tiles, slot = 0;
            uint32_t turn = 1;
            kt -= j * cut.k_tiles;
            if (pass) gtr__enter();
#pragma unroll 1
            for (int i = 0; i < (pass ? count : min(count, cut.stages)); i++) {
                const uint32_t to = gtr__shared_address(ring) + slot * tile_t::stage, bar = full + 8 * slot;
                const int begun = pass && i < cut.stages ? cut.early : 0, now = pass ? 3 & ~begun : cut.early;
                if (i >= cut.stages) gtr__bar_await(empty + 8 * slot, turn);
                if (!begun) gtr__bar_expect(bar, tile_t::stage);
                if (now & 1) for (int c = 0; c < (AK ? 1 : M / depth); c++)
                    gtr__tensor_load(to + c * depth * 128, map_a, AK ? kt * depth : first_a + c * depth,
                        AK ? first_a : kt * depth, za + j, bar);
                if (now & 2) for (int c = 0; c < (BK ? 1 : N / depth); c++)
                    gtr__tensor_load(to + (M + c * depth) * 128, map_b, BK ? kt * depth : first_b + c * depth,
                        BK ? first_b : kt * depth, zb + j, bar);
                if (++kt == cut.k_tiles) { kt = 0; j++; }
                if (++slot == cut.stages) { slot = 0; turn ^= 1; }
            }
        }
    }
    // A's part of a stage: 16 columns of a panel of 32 in rows of k, whose 16-byte pieces are permuted by k % 8.
    GTR__DEVICE void fetch_a(uint32_t (*f)[4], const char *tile) {
        const int k = tid & 3, c = (warp & 1) * 16 + (tid >> 2 & 7);
        const char *panel = tile + warp / 2 * 4096;
#pragma unroll
        for (int e = 0; e < 16; e++) {
            f[e / 4][e % 4] = *(const uint32_t *)(panel + (e / 4 * 8 + e % 4 / 2 * 4 + k) * 128
                + (((c + e % 2 * 8) >> 2 ^ (k + e % 4 / 2 * 4)) << 4) + (c & 3) * 4);
            if constexpr (SWAP) continue;
            sum[e % 2] += __uint_as_float(f[e / 4][e % 4]);
            f[e / 4][e % 4] = gtr__to_tf32(f[e / 4][e % 4]);
        }
    }
    // Two columns of 16 of k's rows, of 16 bits.
    GTR__DEVICE void add_sums(const char *tile) {
        const char *panel = tile + warp / 4 * 8192 + (warp & 3) * 2048;
        uint32_t v[16];
#pragma unroll
        for (int e = 0; e < 16; e++)
            v[e] = *(const uint32_t *)(panel + e * 128 + (((tid >> 2 & 7) ^ (e & 7)) << 4) + (tid & 3) * 4);
#pragma unroll
        for (int e = 0; e < 16; e++) {
            sum[0] += gtr__get(&v[e], TYPE, 0);
            sum[1] += gtr__get(&v[e], TYPE, 1);
        }
    }
    GTR__DEVICE void multiply(float *d) {
        int slot = 0, before = 0;
        uint32_t turn = 0;
#pragma unroll 1
        for (int i = 0; i < count; i++) {
            gtr__bar_await(full + 8 * slot, turn);
            char *tile = ring + slot * tile_t::stage;
            const uint32_t from = gtr__shared_address(tile);
            const uint64_t a = gtr__wgmma_panel(from + warp / 4 * 8192), b = gtr__wgmma_panel(from + M * 128);
            if constexpr (TURN) gtr__wgmma_turn<M, N>(tile + M * 128);
            if constexpr (!AK && !RS) if (wants_sums) add_sums(tile);
            [[maybe_unused]] uint32_t f[4][4];
            if constexpr (RS) fetch_a(f, tile);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int s = 0; s < 4; s++)
                if constexpr (RS) gtr__wgmma_rs<N>(d, f[s], b + s * 2, i || s);
                else gtr__wgmma<TYPE, N, AK, BK>(d, a + s * (AK ? 2 : 128), b + s * (BK ? 2 : 128), i || s);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            gtr__wgmma_until<RS ? 0 : 1>();     // what lies in registers can't be replaced before
            if (RS ? i + cut.stages < count : i && i + cut.stages <= count)
                if ((tid & 31) == 0) gtr__bar_arrive(empty + 8 * (RS ? slot : before));
            before = slot;
            if (++slot == cut.stages) { slot = 0; turn ^= 1; }
        }
        gtr__wgmma_until<0>();
        asm volatile("bar.sync 1, %0;" :: "n"(2 * M) : "memory");
    }
    // Into the ring, which nobody reads or fills any more: [row][pitch], four parts of a row's sum behind its columns.
    GTR__DEVICE void spill(const float *d) const {
        const int row = warp * 16 + ((tid & 31) >> 2), column = 2 * (tid & 3);
        float *c = (float *)ring + (SWAP ? column * tile_t::pitch + row : row * tile_t::pitch + column);
#pragma unroll
        for (int i = 0; i < N / 8; i++) {
            if constexpr (SWAP) {
                float *at = c + 8 * i * tile_t::pitch;
                at[0] = d[4 * i]; at[tile_t::pitch] = d[4 * i + 1];
                at[8] = d[4 * i + 2]; at[tile_t::pitch + 8] = d[4 * i + 3];
                continue;
            }
            *(float2 *)(c + 8 * i) = make_float2(d[4 * i], d[4 * i + 1]);
            *(float2 *)(c + 8 * tile_t::pitch + 8 * i) = make_float2(d[4 * i + 2], d[4 * i + 3]);
        }
        if (wants_sums) {
            const int first = RS ? row : warp / 4 * 64 + 2 * (tid & 31);
            float *at = (float *)ring + tile_t::columns + first * tile_t::pitch + (RS ? tid & 3 : warp & 3);
            at[0] = sum[0];
            at[(RS ? 8 : 1) * tile_t::pitch] = sum[1];
        }
        if (split > 1) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("bar.sync 1, %0;" :: "n"(2 * M) : "memory");
    }
    // Sends each other block of the cluster its rows, and waits for what they send.
    GTR__DEVICE void exchange() const {
        const uint32_t bytes = tile_t::parts >> cut.split_log;
        if (tid && tid < split) {
            const int owner = (tid + rank) & (split - 1);
            asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                :: "r"(gtr__cluster_at(gtr__shared_address(parts) + rank * bytes, owner)),
                "r"(gtr__shared_address(ring) + owner * bytes), "r"(bytes), "r"(gtr__cluster_at(arrived, owner))
                : "memory");
        }
        while (!gtr__bar_passed_far(arrived, 0)) {}
    }
    GTR__DEVICE void consume(uint32_t place) {
        float d[N / 2];
        gtr__enter();
        const gtr__product_lane lane = gtr__product_lane_of<tile_t::rows, tile_t::columns, 2 * M>(cut, m0, n0,
            place * p.c_batch);
        const gtr__floats<4> bias = gtr__product_bias(p, cut, n0 + lane.column);
        const gtr__product_reads reads = gtr__product_read(p, cut, lane, lane.row);
        if (split > 1) gtr__cluster_wait();
        multiply(d);
        spill(d);
        if (split > 1) exchange();
        const int rows = tile_t::rows >> cut.split_log, r = rank * rows + tid, at = m0 + r;
        auto all = [&](int row, int q) {    // its own rows lie where it made them
            return gtr__cluster_sum4(split, [&](int i) {
                return *(const float4 *)((i == rank ? (const float *)ring : parts)
                    + (i * rows + (row & (rows - 1))) * tile_t::pitch + q); });
        };
        gtr__product_store(p, cut, m0, lane, bias, reads, all);
        if (!wants_sums || tid >= rows || at >= cut.m) return;
        const float4 v = all(r, tile_t::columns);
        const float s = v.x + v.y + v.z + v.w;
        gtr__product_put_sum(p, (int64_t)(part >> cut.split_log) * cut.m + at, s);
    }
};
#endif

// Of so many products in a launch.
template <int SETS> struct gtr__product_sets { CUtensorMap map[SETS][2]; gtr__product_set at[SETS]; };
template <int SETS> static GTR__DEVICE
decltype(auto) gtr__product_at(const gtr__product &all, const gtr__product_sets<SETS> &sets, uint32_t i) {
    if constexpr (SETS == 1) return (all);
    else {
        gtr__product p = all;
        static_cast<gtr__product_set &>(p) = sets.at[i];
        return p;
    }
}
template <int TYPE, int M, int N, bool AK, bool BK, bool SWAP, int SETS>
static __global__ void __launch_bounds__(2 * M + 32)
gtr__wgmma_kernel(const __grid_constant__ gtr__product all, const __grid_constant__ gtr__product_cut cut,
                  const __grid_constant__ gtr__product_sets<SETS> sets) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    typedef gtr__wgmma_block<TYPE, M, N, AK, BK, SWAP> block_t;
    typedef typename block_t::tile_t tile_t;
    extern __shared__ __align__(16) char gtr__pool[];
    const int tid = (int)threadIdx.x, split = 1 << cut.split_log, rank = (int)blockIdx.x & (split - 1);
    const uint3 place = gtr__product_place(cut);
    const int range = cut.ranges > 1 ? (int)(place.z / cut.batch) : 0, part = (range << cut.split_log) + rank;
    const uint32_t set = SETS > 1 ? place.z / (uint32_t)all.batch : 0, z = place.z - set * (uint32_t)all.batch;
    auto &&p = gtr__product_at(all, sets, set);
    char *ring = gtr__pool + (-gtr__shared_address(gtr__pool) & 1023);
    float *parts = (float *)(ring + cut.stages * tile_t::stage);
    const uint32_t full = gtr__shared_address(parts) + (split > 1 ? tile_t::parts : 0), empty = full + 8 * cut.stages;
    block_t block = { p, cut, ring, parts, full, empty, empty + 8 * cut.stages, tid, tid / 32, split, rank,
        (int)place.x * tile_t::rows, (int)place.y * tile_t::columns, (int)z - range * (int)cut.batch, part,
        cut.share + (part < cut.rest), { 0, 0 }, !AK && !SWAP && p.sums && place.y == 0 };
    if (tid == 0) {
        for (int i = 0; i < cut.stages; i++) {
            gtr__bar_set(full + 8 * i, 1);
            gtr__bar_set(empty + 8 * i, M / 16);
        }
        gtr__bar_set(block.arrived, 1);
        gtr__bars_are_set();
        if (split > 1) gtr__bar_expect(block.arrived, tile_t::parts - (tile_t::parts >> cut.split_log));
    }
    if (split > 1) gtr__cluster_arrive();
    __syncthreads();
    if (tid < 2 * M) block.consume(z);
    else {
        if (tid == 2 * M) block.produce(&sets.map[set][0], &sets.map[set][1]);
        __syncwarp();
        if (split > 1) gtr__cluster_wait();
    }
    if (split > 1) gtr__cluster_part();     // no block may end while its memory is read
#endif
}
#endif

// >>products-sums

// What rows are multiplied by, or NULL, and where the sum of that goes, or NULL.
typedef struct gtr__weights {
    const void *p; int type; void *sum; int type_sum, add_sum; uint32_t *guard;
} gtr__weights;
// Sums of the columns of x (rows, m): block (i, s) takes 32 W columns and the s-th range of rows, each warp every 32nd
// row; reads x once, W elements, 1 or 4, at a time. partial (gridDim.y, m), and behind it the weights', gets the sums,
// or out where there is one range.
template <int W>
static __global__ void __launch_bounds__(1024) gtr__column_sums_kernel(const void *x, int type_x, int64_t rows,
        int64_t m, float *partial, void *out, int type_out, int add, gtr__weights w) {
    __shared__ float part[32][32 * W + 1];
    gtr__enter();
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
    const int64_t begin = rows * blockIdx.y / gridDim.y, end = rows * (blockIdx.y + 1) / gridDim.y,
        first = (int64_t)blockIdx.x * 32 * W, column = first + lane * W;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float weight = 0.0f;
    if (column < m)
        GTR__BY_DTYPE(type_x, T,
            const T *from = (const T *)x + column;
            _Pragma("unroll 8")
            for (int64_t r = begin + warp; r < end; r += 32) {
                const float f = w.p ? gtr__get(w.p, w.type, r) : 1.0f;
                weight += f;
                if (W == 1) { sum.x = fmaf(f, gtr__load(from + r * m), sum.x); continue; }
                const float4 v = gtr__get4(from, type_x, r * m);
                sum.x = fmaf(f, v.x, sum.x); sum.y = fmaf(f, v.y, sum.y);
                sum.z = fmaf(f, v.z, sum.z); sum.w = fmaf(f, v.w, sum.w);
            });
    part[warp][lane * W] = sum.x;
    if (W == 4) {
        part[warp][lane * W + 1] = sum.y; part[warp][lane * W + 2] = sum.z; part[warp][lane * W + 3] = sum.w;
    }
    if (lane == 0) part[warp][32 * W] = weight;
    __syncthreads();
#pragma unroll
    for (int j = 0; j <= W; j++) {
        const bool last = j == W;
        if (last && (warp || blockIdx.x || !w.sum)) continue;
        const float all = gtr__warp_sum(part[lane][j * 32 + warp]);
        const int64_t mine = last ? 0 : first + j * 32 + warp;
        void *to = last ? w.sum : out;
        const int type = last ? w.type_sum : type_out;
        if (lane || mine >= m) continue;
        if (partial) partial[last ? gridDim.y * m + blockIdx.y : blockIdx.y * m + mine] = all;
        else {
            const float v = (last ? w.add_sum : add) ? gtr__get(to, type, mine) + all : all;
            gtr__watch(w.guard, &v);
            gtr__put(to, type, mine, v);
        }
    }
}
// C where k is 1: an element of A by one of B, PER at a time. Bound by bytes: those of the epilogue.
template <int PER>
static __global__ void __launch_bounds__(256) gtr__outer_kernel(const __grid_constant__ gtr__product p, int64_t step_a,
                                                                int64_t step_b) {
    gtr__enter();
    const int64_t step = (int64_t)gridDim.x * 256 * PER, all = p.m * p.n;
    for (int64_t at = ((int64_t)blockIdx.x * 256 + threadIdx.x) * PER; at < all; at += step) {
        const int64_t row = all <= INT32_MAX ? (int64_t)((uint32_t)at / (uint32_t)p.n) : at / p.n, n = at - row * p.n;
        const float a = gtr__get(p.a, p.type_a, row * step_a);
        gtr__floats<PER> v;
#pragma unroll
        for (int k = 0; k < PER; k++) v.v[k] = a * gtr__get(p.b, p.type_b, (n + k) * step_b);
        gtr__epilogue(p, v, n, at);
    }
}
// Finishes a product whose k was cut into ranges: sums each element of C over them, in their order, PER elements at a
// time, with the epilogue, and, from their parts in sums, those of p.sums. Reads 4 bytes a range and element.
template <int PER> static __global__ void __launch_bounds__(128)
gtr__ranges_kernel(const __grid_constant__ gtr__product p, const float *parts, const float *sums, int ranges) {
    gtr__enter();
    const int64_t step = (int64_t)gridDim.x * blockDim.x, all = p.batch * p.m * p.n;
    for (int64_t at = (int64_t)(gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x; sums && at < p.m; at += step) {
        float s = 0;
#pragma unroll 8
        for (int r = 0; r < ranges; r++) s += sums[r * p.m + at];
        gtr__product_put_sum(p, at, s);
    }
    for (int64_t at = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * PER; at < all; at += step * PER) {
        gtr__floats<PER> v = {};
#pragma unroll 8
        for (int r = 0; r < ranges; r++) {
            const gtr__floats<PER> u = gtr__get_of<PER>(parts, GTR_F32, r * all + at);
#pragma unroll
            for (int i = 0; i < PER; i++) v.v[i] += u.v[i];
        }
        gtr__epilogue(p, v, at % p.n, at);
    }
}

// >>products-choice

static size_t gtr__pad256(size_t bytes) { return (bytes + 255) & ~(size_t)255; }

// Columns of a block's sums, and ranges of rows: enough blocks for the device, and at least 512 rows each.
static int gtr__sum_columns(int64_t m) { return m >= 256 && m % 128 == 0 ? 128 : 32; }
static int gtr__sum_ranges(int64_t rows, int64_t m, int sm_count) {
    int64_t want = 2 * (int64_t)sm_count / gtr__ceil(m, gtr__sum_columns(m)), most = rows / 512;
    want = want < most ? want : most;
    return (int)(want < 1 ? 1 : want < 64 ? want : 64);
}

// Whether C may be summed from parts: its rows follow one another, and its bias is of columns.
static bool gtr__product_in_parts(const gtr__product *p) {
    return !p->inner && !p->bias_m && p->ldc == p->n && (p->batch == 1 || p->c_batch == p->m * p->n);
}
// Whether cuBLASLt can do it, passes before and after it included.
static bool gtr__library_can(const gtr__product *p, const gtr__caps *caps) {
    bool post = p->pre || p->saved || p->act >= 0;
    if (!caps->product_workspace || p->kb != 1 || p->type_a != p->type_b) return false;
    if (p->type_c != GTR_F32 && p->type_c != p->type_a) return false;
    if (p->add && !p->from && (post || p->bias)) return false;
    // its passes go over C as a whole
    if ((post || p->bias || p->from) && !gtr__product_in_parts(p)) return false;
    // What is added behind an activation would meet a product that the library had rounded to 16 bits, maybe twice.
    if (p->from && post && p->type_c != GTR_F32) return false;
    return !p->sums || (p->batch == 1 && !p->a_k);
}

static bool gtr__rows16(int64_t pitch, int type) { return pitch * gtr__elem(type) % 16 == 0; }

// One model of what products take, in nanoseconds of an H200, of 900 timings there 12 % off (the clock, a factor
// of all terms, decides nothing): a launch, `launch`; for each 128 bytes of k `alone`, or `shared` by each block that a
// multiprocessor holds, up to `room`, if that is more; for a cluster's sum `exchange`. A block makes m x n of C.
enum { GTR__WAY_FMA, GTR__WAY_MMA, GTR__WAY_WGMMA };
static const struct gtr__way { int kernel, m, n, room; float launch, alone, shared, exchange; } gtr__ways[] = {
    { GTR__WAY_FMA,    32, 32, 4, 2000,  770,  490, 900 }, { GTR__WAY_FMA,    64, 64, 3, 2300, 1400, 1300, 900 },
    { GTR__WAY_MMA,    32, 32, 4, 2000,  480,  205, 750 }, { GTR__WAY_MMA,    64, 64, 3, 2300,  720,  435, 700 },
    { GTR__WAY_WGMMA,  64, 32, 2, 1850,  191,  125,  75 }, { GTR__WAY_WGMMA,  64, 64, 2, 2280,  226,  147,  30 },
    { GTR__WAY_WGMMA, 128, 64, 2, 2400,  294,  293, 600 },
};
static bool gtr__way_takes(const gtr__way &w, const gtr__product *p, const gtr__caps *caps, int kind, int64_t blocks,
                           int split, int ranges) {
    const bool f32 = kind == GTR__PRODUCT_TF32;
    if ((w.kernel == GTR__WAY_FMA) != (kind == GTR__PRODUCT_FMA) || (ranges > 1 && !gtr__product_in_parts(p)))
        return false;
    if (w.kernel != GTR__WAY_WGMMA) return split == 1 || caps->compute >= 90;
    return GTR__TENSOR_MAPS && caps->arch_feature && !p->inner && !(p->a_k && p->sums)
        // clusters leave multiprocessors of a group over; those that wait for others to end are slow
        && (split == 1 || blocks <= caps->sm_count * (8 - split / 4) / (w.m == 128 ? 8 : 4))
        && (p->a_k < p->b_k ? w.n == 32 : f32 || (w.m == 64 && (w.n == 64 || p->a_k)))
        && (p->lda | p->ldb | p->a_batch | p->b_batch | p->a_kb | p->b_kb) % (f32 ? 4 : 8) == 0
        && (p->kb == 1 || (p->a_kb && p->b_kb));
}
// Of a product in so many tiles, whose sums the blocks of clusters and ranges of k share.
static double gtr__way_ns(const gtr__way &w, const gtr__product *p, const gtr__caps *caps, int kind, int64_t tiles,
                          int split, int ranges) {
    // by how many of A and B have k contiguous: what goes through registers or is turned makes steps longer
    static const float layout[2][3] = { { 2.3f, 1.28f, 1 }, { 2.4f, 1.18f, 1.15f } };
    const bool half = kind == GTR__PRODUCT_HALF;
    // large clusters leave multiprocessors of a group over
    const int fill = w.kernel == GTR__WAY_WGMMA && split == 8 ? 3 : 4;
    const int64_t waves = gtr__ceil(tiles * split * ranges, gtr__ceil(caps->sm_count * fill, 4)),
        depth = gtr__ceil(gtr__ceil(p->k, half ? 64 : 32) * p->kb, split * ranges),
        bytes = (p->lda | p->ldb) * gtr__elem(p->type_a);
    const double room = (double)(waves < w.room ? waves : w.room), c = (double)p->m * (double)p->n * (double)p->batch,
        rows = w.m * w.n / (w.m == 128 ? 1024.0 : 512.0) / split;       // that a thread stores, four columns wide
    double step = room * w.shared > w.alone ? room * w.shared : w.alone;
    if (w.kernel == GTR__WAY_WGMMA) step *= layout[half][p->a_k + p->b_k];
    auto uneven = [&](int64_t ld, int along) {          // rows that are no whole 16 bytes come by the element
        return gtr__rows16(ld, p->type_a) ? 0 : (half ? 5 : 0.8) * (along && p->k < 64 ? (double)p->k / 64 : 1);
    };
    if (w.kernel == GTR__WAY_MMA) step *= (half ? 1.35 : 1) * (p->a_k + p->b_k ? 1 : 1.2)
        * (1 + uneven(p->lda, p->a_k) + uneven(p->ldb, p->b_k));
    if (bytes % 32 && step < 1.5 * room * w.shared) step = 1.5 * room * w.shared;       // parts of sectors
    return ceil((double)waves / room) * (w.launch + (double)depth * step
            + rows * (p->saved ? 370 : p->act >= 0 ? 200 : 0))
        + (split > 1 ? w.exchange + 40 * split + 1000 * (double)(waves - 1) : 0)
        // one more launch, which begins as the first ends, or behind it
        + (ranges > 1 ? (caps->compute >= 90 ? 1700 : 3000) + ranges * (76 + c / 500) : 0);
}
// The library: tiles of 128 x 128, of which few are cut along k, and passes around what it makes. Of float32 with k
// across in both it is slow, but where A is turned first; of rows that are no whole 16 bytes it takes any time.
static double gtr__library_ns(const gtr__product *p, const gtr__caps *caps, int kind) {
    const bool half = kind == GTR__PRODUCT_HALF, fma = kind == GTR__PRODUCT_FMA, across = !half && !fma && !p->a_k
        && !p->b_k,
        turned = across && p->m >= 1024 && p->n >= 1024 && p->k >= 1024, rows16 = fma || (gtr__rows16(p->lda, p->type_a)
            && gtr__rows16(p->ldb, p->type_b) && gtr__rows16(p->ldc, p->type_c));
    const double tiles = (double)(gtr__ceil(p->m, 128) * gtr__ceil(p->n, 128) * p->batch), k = (double)p->k,
        waves = tiles / caps->sm_count, c = (double)p->m * (double)p->n * (double)p->batch,
        step = (fma ? 90 : half ? 3.9 : 9) * (across && !turned ? 2 : 1) * (rows16 ? 1 : 4);
    if (!rows16 && c * k < 2e9) return HUGE_VAL;
    return (half ? 2300 : fma ? 4000 : 3300) + (half ? 1.75 : fma ? 6 : 4.4) * (k < 1600 ? k : 1600)
        + (waves < 1 && (turned || !across) ? waves : ceil(waves)) * k * step + (half ? 0.6e-3 : 1.2e-3) * c
        + (turned ? 2500 + (double)p->m * k / 400 : 0) + (p->sums ? 1000 + (k < 1600 ? k : 1600) + 0.55 * k : 0)
        + (p->saved || p->act >= 0 ? 1500 + c / 1000 : 0);     // by whether pre is kept the rounding must not change
}

// Rows of width elements that are copied into rows of whole 16 bytes, per of which make one; units of them in all.
typedef struct gtr__even_rows { const void *from; void *to; uint32_t units, per; int64_t width, ld; } gtr__even_rows;
// Operands whose rows aren't of whole 16 bytes become copies at ws whose rows are (1: A, 2: B), of so many bytes; none
// where items of a batch don't lie one behind the other.
static int gtr__product_even(gtr__product *p, void *ws, gtr__even_rows *rows, size_t *bytes) {
    const int64_t size = gtr__elem(p->type_a), deep = p->batch * p->kb;
    int even = 0;
    *bytes = 0;
    for (int i = 0; i < 2 && !p->inner && p->type_a == p->type_b; i++) {
        const bool k = i ? p->b_k : p->a_k;
        const int64_t other = i ? p->n : p->m, high = k ? other : p->k, width = k ? p->k : other;
        const void **data = i ? &p->b : &p->a;
        int64_t *ld = i ? &p->ldb : &p->lda,
            *step = p->kb > 1 ? i ? &p->b_kb : &p->a_kb : i ? &p->b_batch : &p->a_batch;
        const bool several = deep > 1 && *step;
        const int64_t per = gtr__ceil(width * size, 16), all = high * (several ? deep : 1);
        if (*ld * size % 16 == 0 && (!several || *step * size % 16 == 0)) continue;
        if ((several && *step != high * *ld) || (double)all * (double)per > 1e9) return 0;
        rows[i] = { *data, (char *)ws + *bytes, (uint32_t)(all * per), (uint32_t)per, width, *ld };
        *data = rows[i].to;
        *ld = per * 16 / size;
        if (several) *step = high * *ld;
        *bytes += gtr__pad256((size_t)rows[i].units * 16);
        even |= 1 << i;
    }
    return even;
}

// Whether a product is one of those that are bound by bytes.
static bool gtr__product_streams(const gtr__product *p, const gtr__caps *caps, gtr__choice *c) {
    if (p->batch > 1 || p->kb > 1 || p->m * p->n * p->k < 16384) return false;
    c->outer = p->k == 1 && p->ldc == p->n && !p->sums && !p->bias_m;
    c->weighted = p->m == 1 && p->k > 1 && !p->a_k && p->lda == 1 && !p->b_k && p->ldb == p->n && p->act < 0
        && !p->bias && !p->pre && !p->saved && !p->from;
    if (c->weighted) c->sums_bytes = gtr__pad256((size_t)gtr__sum_ranges(p->k, p->n, caps->sm_count)
        * (size_t)(p->n + 1) * 4);
    return c->outer || c->weighted;
}
static int gtr__product_kind(const gtr__product *p, const gtr__caps *caps, gtr_precision precision) {
    if (p->type_a != p->type_b) return GTR__PRODUCT_FMA;
    if (p->type_a == GTR_F16 || (p->type_a == GTR_BF16 && caps->compute >= 80)) return GTR__PRODUCT_HALF;
    return p->type_a == GTR_F32 && precision == GTR_TF32 && caps->compute >= 80 ? GTR__PRODUCT_TF32 : GTR__PRODUCT_FMA;
}
static gtr__choice gtr__product_choice(const gtr__product *p, const gtr__caps *caps, gtr_precision precision) {
    gtr__choice c;
    memset(&c, 0, sizeof c);
    c.ranges = 1;
    c.kind = gtr__product_kind(p, caps, precision);
    const bool half = c.kind == GTR__PRODUCT_HALF, tf32 = c.kind == GTR__PRODUCT_TF32;
    if (gtr__product_streams(p, caps, &c)) return c;
    gtr__product even = *p;
    gtr__even_rows rows[2];
    size_t even_bytes;
    double best = HUGE_VAL, plain = HUGE_VAL;
    const int64_t k_tiles = gtr__ceil(p->k, half ? 64 : 32) * p->kb;
    int plain_ranges = 1;
    c.even = gtr__product_even(&even, NULL, rows, &even_bytes);
    for (const gtr__way &w : gtr__ways) {
        const bool hopper = w.kernel == GTR__WAY_WGMMA;
        const gtr__product *q = hopper ? &even : p;
        const bool turned = hopper && q->a_k > q->b_k;          // C's columns are the M of the instruction then
        const int64_t tiles = gtr__ceil(q->m, turned ? w.n : w.m) * gtr__ceil(q->n, turned ? w.m : w.n)
            * q->batch;
        double &least = hopper ? best : plain;
        for (int ranges = 1; ranges <= 64 && ranges <= k_tiles; ranges *= 2)
            for (int split = 1; split <= 8 && split * ranges <= k_tiles; split *= 2) {
                if (!gtr__way_takes(w, q, caps, c.kind, tiles * split * ranges, split, ranges)) continue;
                const double ns = gtr__way_ns(w, q, caps, c.kind, tiles, split, ranges)
                    + (hopper && c.even ? 2200 + (double)even_bytes / 1500 : 0);
                if (ns >= least) continue;
                least = ns;
                if (!hopper) { c.tile = w.m; c.split = split; plain_ranges = ranges; continue; }
                c.wgmma_m = w.m; c.wgmma_n = w.n; c.wgmma_split = split; c.ranges = ranges;
            }
    }
    if (plain <= best) { best = plain; c.wgmma_m = 0; c.ranges = plain_ranges; }
    c.ns = best;
    gtr__product each = *p;         // of whose strides of a batch the library has one
    if (p->inner) each.batch /= p->inner;
    const double library = !gtr__library_can(p, caps) ? HUGE_VAL
        : gtr__library_ns(&each, caps, c.kind) * (double)(p->inner ? p->inner : 1);
    c.library = library < best;
    if (c.library) { c.ns = library; c.ranges = 1; }
    if (c.library || !c.wgmma_m) c.even = 0;
    if (c.even) c.copy_bytes = even_bytes;
    if (p->sums) {
        int ranges = c.library ? gtr__sum_ranges(p->k, p->m, caps->sm_count) : 1;
        if (ranges < c.ranges) ranges = c.ranges;
        c.sums_bytes = ranges > 1 ? gtr__pad256((size_t)ranges * (size_t)p->m * 4) : 0;
    }
    if (c.ranges > 1)
        c.parts_bytes = gtr__pad256((size_t)(p->batch * p->m) * (size_t)p->n * (size_t)c.ranges * 4);
    if (!c.library) return c;
    // Both operands with k across: Hopper's TF32 instructions take at most one so (238 instead of 345
    // TFLOP/s seen at 4096^3).
    c.transpose = tf32 && caps->compute >= 90 && !p->a_k && !p->b_k && p->batch == 1 && p->m >= 1024 && p->n >= 1024
        && p->k >= 1024;
    if (c.transpose) c.copy_bytes = gtr__pad256((size_t)p->m * (size_t)p->k * 4);
    // Room for C's parts, so that the library can cut k over the device: with less it summed 131072 terms in one block.
    double parts = 2.0 * 64 * 64 * caps->sm_count / ((double)(p->m * p->n) * (double)p->batch);
    double bytes = (parts > 16 ? parts : 16) * 4.0 * (double)p->m * (double)p->n * (double)p->batch;
    c.ws_bytes = bytes < (double)caps->product_workspace ? gtr__pad256((size_t)bytes) : caps->product_workspace;
    return c;
}

// >>products-own

static bool gtr__aligned(const void *p, size_t bytes) { return ((uintptr_t)p & (bytes - 1)) == 0; }

// Whether rows of an operand can be fetched 16 bytes at a time.
static int gtr__vectors(const void *p, int64_t pitch, int64_t width, int64_t stride0, int64_t stride1, int64_t per) {
    return gtr__aligned(p, 16) && pitch % per == 0 && width % per == 0 && stride0 % per == 0 && stride1 % per == 0;
}
// Whether four elements at a time of C, or of what lies as it does, can be moved.
static int gtr__fours(const void *p, int type) { return !p || gtr__aligned(p, type == GTR_F32 ? 16 : 8); }

// Whether C and all that is read or written with it can be moved four elements at a time.
static int gtr__product_fours(const gtr__product *p) {
    return p->n % 4 == 0 && p->ldc % 4 == 0 && p->c_batch % 4 == 0 && p->c_outer % 4 == 0 && gtr__fours(p->c, p->type_c)
        && gtr__fours(p->from, p->type_c) && gtr__fours(p->bias, p->type_bias) && gtr__fours(p->pre, p->type_pre)
        && gtr__fours(p->saved, p->type_saved);
}

// What the blocks of a launch are told, and their grid, for tiles of M x N and depth.
static gtr_result gtr__product_cut_for(void *instance, const gtr__product *p, int64_t split, int64_t ranges, int M,
                                       int N, int depth, gtr__product_cut *cut, dim3 *grid) {
    memset(cut, 0, sizeof *cut);
    const int64_t tiles_m = gtr__ceil(p->m, M), tiles_n = gtr__ceil(p->n, N),
        k_tiles = gtr__ceil(p->k, depth), deep = p->batch * ranges * (p->sets ? p->sets : 1);
    const double blocks = (double)tiles_m * (double)tiles_n * (double)deep * (double)split, most = 2147483647.0;
    const int64_t lengths[6] = { p->m, p->n, p->k, p->lda, p->ldb, p->ldc };
    for (int64_t length : lengths)
        if (length > 2147483647 - 128) return gtr__fail(instance, GTR_ERR_UNSUPPORTED,
            "a product with a dimension of %lld is too large", (long long)length);
    if (blocks > most || (double)k_tiles * (double)p->kb > most)
        return gtr__fail(instance, GTR_ERR_UNSUPPORTED,
            "a product of %.0f blocks, %lld deep, is too large for one launch", blocks, (long long)k_tiles);
    cut->m = (int)p->m; cut->n = (int)p->n; cut->k = (int)p->k;
    cut->lda = (uint32_t)p->lda; cut->ldb = (uint32_t)p->ldb; cut->ldc = (uint32_t)p->ldc;
    cut->size_a = p->type_a == GTR_F32 ? 4 : 2;
    cut->size_b = p->type_b == GTR_F32 ? 4 : 2;
    cut->tiles_m = (uint32_t)tiles_m;
    cut->tiles_n = (uint32_t)tiles_n;
    while (1 << cut->split_log < split) cut->split_log++;
    cut->flat = tiles_n > 65535 || deep > 65535;
    *grid = cut->flat ? dim3((unsigned)blocks)
                      : dim3((unsigned)(tiles_m * split), (unsigned)tiles_n, (unsigned)deep);
    cut->k_tiles = (int)k_tiles;
    cut->batch = (uint32_t)p->batch;
    cut->ranges = (int)ranges;
    cut->share = (int)(k_tiles * p->kb / (split * ranges));
    cut->rest = (int)(k_tiles * p->kb % (split * ranges));
    cut->vec_c = gtr__product_fours(p);
    return GTR_OK;
}

template <typename... P, typename... A>
static gtr_result gtr__product_launch(void *instance, const gtr__call *c, const char *name, void (*kernel)(P...),
        dim3 grid, int threads, size_t shared, int split, A &&...args) {
    if (shared > 48 * 1024) {
        gtr_result r = gtr__check(instance, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
            (int)shared), "cudaFuncSetAttribute");
        if (r != GTR_OK) return r;
    }
    return gtr__start(instance, (cudaStream_t)c->stream, name, kernel, grid, dim3((unsigned)threads), shared,
        (unsigned)split, static_cast<A &&>(args)...);
}

template <int KIND, int T, bool AK, bool BK>
static gtr_result gtr__product_start(void *instance, const gtr__call *c, const gtr__product *p,
                                     const gtr__choice *choice) {
    const gtr__cuda *g = (const gtr__cuda *)instance;
    constexpr int ES = KIND == GTR__PRODUCT_HALF ? 2 : 4, per = 16 / ES;
    typedef gtr__operand<ES, T, AK> tile_a;
    typedef gtr__operand<ES, T, BK> tile_b;
    gtr__product_cut cut;
    dim3 grid;
    GTR__TRY(gtr__product_cut_for(instance, p, choice->split, choice->ranges, T, T, tile_a::depth, &cut, &grid));
    cut.step_a = (AK ? 1 : p->lda) * tile_a::depth * cut.size_a;
    cut.step_b = (BK ? 1 : p->ldb) * tile_b::depth * cut.size_b;
    cut.stages = g->compute >= 80 ? 4 : 2;
    bool plain = ES == 2 || p->type_a == GTR_F32;
    cut.vec_a = plain && p->a_outer % per == 0
        && gtr__vectors(p->a, p->lda, AK ? p->k : p->m, p->a_batch, p->a_kb, per);
    plain = ES == 2 || p->type_b == GTR_F32;
    cut.vec_b = plain && p->b_outer % per == 0
        && gtr__vectors(p->b, p->ldb, BK ? p->k : p->n, p->b_batch, p->b_kb, per);
    size_t ring = (size_t)cut.stages * (tile_a::bytes + tile_b::bytes), out = (size_t)T * (T + 8) * 4 + 128 * 4,
        shared = ring > out ? ring : out;
    return gtr__product_launch(instance, c, "gtr__product_kernel", gtr__product_kernel<KIND, T, AK, BK>, grid, 128,
        shared, choice->split, *p, cut);
}

#if GTR__TENSOR_MAPS
// An operand in boxes of 128 bytes of its contiguous dimension: k of M rows, or columns of as many rows of k. Outside
// are zeros; float32 is rounded to TF32 on its way if asked.
static bool gtr__product_map(gtr__tensor_encode encode, CUtensorMap *map, const void *data, int type, int k_first,
        int64_t k, int64_t rows, int64_t ld, int64_t deep, int64_t step, int M, bool round) {
    const cuuint64_t size = type == GTR_F32 ? 4 : 2, extent[3] = { (cuuint64_t)(k_first ? k : rows),
        (cuuint64_t)(k_first ? rows : k), (cuuint64_t)(step ? deep : 1) },
        stride[2] = { (cuuint64_t)ld * size, (cuuint64_t)(step ? step : ld) * size };
    const cuuint32_t box[3] = { (cuuint32_t)(128 / size), (cuuint32_t)(k_first ? M : 128 / size), 1 },
        one[3] = { 1, 1, 1 };
    return (uintptr_t)data % 16 == 0 && encode(map, type == GTR_F32
        ? round ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : type == GTR_BF16
        ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, (void *)(uintptr_t)data, extent,
        stride, box, one, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

// Whether an operand may be read before the kernel before has ended: that is this call's own, or did not write it.
static int gtr__early(const gtr__cuda *g, const gtr__call *c, const void *data) {
    for (int k = 0; k < c->n_in && g->overlap && c == g->running; k++)
        if (c->in[k].data == data) return g->starts != g->began || (k < 64 && (g->early >> k & 1));
    return 0;
}
// *ran is false where the operands don't lie so that they can be brought.
template <int TYPE, int M, int N, bool AK, bool BK, bool SWAP, int SETS>
static gtr_result gtr__wgmma_start_sets(void *instance, const gtr__call *c, const gtr__product *p,
                                        const gtr__choice *choice, bool *ran) {
    typedef gtr__wgmma_tile<M, N, SWAP> tile_t;
    gtr__product_cut cut;
    gtr__product_sets<SETS> sets;
    dim3 grid;
    gtr__tensor_encode encode = gtr__tensor_encoder();
    GTR__TRY(gtr__product_cut_for(instance, p, choice->wgmma_split, choice->ranges, tile_t::rows, tile_t::columns,
                                TYPE == GTR_F32 ? 32 : 64, &cut, &grid));
    const int64_t deep = p->kb * p->batch;
    cut.early = 3;
    for (int i = 0; i < (SETS > 1 ? p->sets : 1); i++) {
        const gtr__product_set &at = sets.at[i] = SETS > 1 ? p->set[i] : *p;
        if (!encode || !gtr__product_map(encode, &sets.map[i][SWAP], at.a, TYPE, p->a_k, p->k, p->m, p->lda, deep,
                                         p->kb > 1 ? p->a_kb : p->a_batch, tile_t::rows, AK || SWAP)
            || !gtr__product_map(encode, &sets.map[i][!SWAP], at.b, TYPE, p->b_k, p->k, p->n, p->ldb, deep,
                                 p->kb > 1 ? p->b_kb : p->b_batch, tile_t::columns, true)) return GTR_OK;
        cut.early &= gtr__early((const gtr__cuda *)instance, c, at.a) << SWAP
            | gtr__early((const gtr__cuda *)instance, c, at.b) << !SWAP;
    }
    *ran = true;
    // Room for another block, of this launch or the next; few large ones want more on its way.
    const int parts = choice->wgmma_split > 1 ? tile_t::parts : 0;
    const bool many = M == 64 || (int64_t)grid.x * grid.y * grid.z > ((const gtr__cuda *)instance)->sm_count;
    const int most = (many ? 110592 - parts : 196608 - tile_t::parts) / tile_t::stage;
    const int want = cut.share + (cut.rest > 0);
    cut.stages = want < most ? want : most;
    while (cut.stages * tile_t::stage < tile_t::parts) cut.stages++;
    const size_t shared = 1032 + (size_t)cut.stages * (tile_t::stage + 16) + (size_t)parts;
    return gtr__product_launch(instance, c, "gtr__wgmma_kernel", gtr__wgmma_kernel<TYPE, M, N, AK, BK, SWAP, SETS>,
        grid, tile_t::threads, shared, choice->wgmma_split, *p, cut, sets);
}
template <int TYPE, int M, int N, bool AK, bool BK, bool SWAP = !AK && BK>
static gtr_result gtr__wgmma_start(void *instance, const gtr__call *c, const gtr__product *p, const gtr__choice *choice,
                                   bool *ran) {
    return p->sets ? gtr__wgmma_start_sets<TYPE, M, N, AK, BK, SWAP, GTR__SETS>(instance, c, p, choice, ran)
                   : gtr__wgmma_start_sets<TYPE, M, N, AK, BK, SWAP, 1>(instance, c, p, choice, ran);
}
template <int TYPE, bool AK, bool BK>
static gtr_result gtr__wgmma_tiles(void *instance, const gtr__call *c, const gtr__product *p, const gtr__choice *choice,
                                   bool *ran) {
    if constexpr (TYPE == GTR_F32)
        if (choice->wgmma_m == 128) return gtr__wgmma_start<TYPE, 128, 64, AK, BK>(instance, c, p, choice, ran);
    if constexpr (TYPE == GTR_F32 || BK)
        if (choice->wgmma_n == 32) return gtr__wgmma_start<TYPE, 64, 32, AK, BK>(instance, c, p, choice, ran);
    return gtr__wgmma_start<TYPE, 64, 64, AK, BK>(instance, c, p, choice, ran);
}
template <int TYPE>
static gtr_result gtr__wgmma_layout(void *instance, const gtr__call *c, const gtr__product *p,
                                    const gtr__choice *choice, bool *ran) {
    if (p->a_k && p->b_k) return gtr__wgmma_tiles<TYPE, true, true>(instance, c, p, choice, ran);
    if (p->a_k) return gtr__wgmma_tiles<TYPE, false, true>(instance, c, p, choice, ran);
    if (p->b_k) return gtr__wgmma_start<TYPE, 64, 32, false, true, false>(instance, c, p, choice, ran);
    return gtr__wgmma_tiles<TYPE, false, false>(instance, c, p, choice, ran);
}
#endif

template <int KIND, int T>
static gtr_result gtr__product_layout(void *instance, const gtr__call *c, const gtr__product *p,
                                      const gtr__choice *choice) {
    if (p->a_k && p->b_k) return gtr__product_start<KIND, T, true, true>(instance, c, p, choice);
    if (p->a_k) return gtr__product_start<KIND, T, true, false>(instance, c, p, choice);
    if (p->b_k) return gtr__product_start<KIND, T, false, true>(instance, c, p, choice);
    return gtr__product_start<KIND, T, false, false>(instance, c, p, choice);
}

template <int KIND>
static gtr_result gtr__product_tile(void *instance, const gtr__call *c, const gtr__product *p,
                                    const gtr__choice *choice) {
    return choice->tile == 32 ? gtr__product_layout<KIND, 32>(instance, c, p, choice)
                              : gtr__product_layout<KIND, 64>(instance, c, p, choice);
}

static gtr_result gtr__product_whole(void *instance, const gtr__call *c, const gtr__product *p,
                                     const gtr__choice *choice) {
#if GTR__TENSOR_MAPS
    if (choice->wgmma_m) {
        bool ran = false;
        gtr_result r = p->type_a == GTR_F32 ? gtr__wgmma_layout<GTR_F32>(instance, c, p, choice, &ran)
            : p->type_a == GTR_BF16 ? gtr__wgmma_layout<GTR_BF16>(instance, c, p, choice, &ran)
            : gtr__wgmma_layout<GTR_F16>(instance, c, p, choice, &ran);
        if (r != GTR_OK || ran) return r;
    }
#endif
    for (int i = 0; i < p->sets; i++) {         // one by one
        gtr__product q = *p;
        static_cast<gtr__product_set &>(q) = p->set[i];
        q.sets = 0;
        GTR__TRY(gtr__product_whole(instance, c, &q, choice));
    }
    if (p->sets) return GTR_OK;
    if (choice->kind == GTR__PRODUCT_TF32) return gtr__product_tile<GTR__PRODUCT_TF32>(instance, c, p, choice);
    if (choice->kind == GTR__PRODUCT_HALF) return gtr__product_tile<GTR__PRODUCT_HALF>(instance, c, p, choice);
    return gtr__product_tile<GTR__PRODUCT_FMA>(instance, c, p, choice);
}

// Sums of a matrix's columns, as the C that their parts are summed into.
static gtr__product gtr__product_sums(int64_t m, void *out, int type_out, int add) {
    gtr__product p = gtr__product_none();
    p.m = 1; p.n = p.ldc = m;
    p.c = out; p.type_c = type_out; p.add = add;
    return p;
}
static gtr_result gtr__ranges_sum(void *instance, const gtr__call *c, const gtr__product &p, const float *parts,
                                  const float *sums, int ranges) {
    const int64_t all = p.batch * p.m * p.n;
    const bool four = gtr__product_fours(&p);
    return GTR__LAUNCH(instance, c, (four ? gtr__ranges_kernel<4> : gtr__ranges_kernel<1>),
        gtr__blocks(instance, four ? all / 4 : all, 128), 128, 0, p, parts, sums, ranges);
}

// ws may be short of what was asked for: then fewer ranges.
static gtr_result gtr__column_sums(void *instance, const gtr__call *c, const void *x, int type_x, int64_t rows,
        int64_t m, void *out, int type_out, int add, void *ws, size_t ws_bytes, gtr__weights w = {}) {
    int ranges = gtr__sum_ranges(rows, m, c->caps ? c->caps->sm_count : ((gtr__cuda *)instance)->sm_count);
    if (ranges > 1 && (!ws || (size_t)ranges * (size_t)(w.p ? m + 1 : m) * 4 > ws_bytes)) ranges = 1;
    float *partial = ranges > 1 ? (float *)ws : NULL;
    const dim3 blocks((unsigned)gtr__ceil(m, gtr__sum_columns(m)), (unsigned)ranges),
        narrow((unsigned)gtr__ceil(m, 32), (unsigned)ranges);
    gtr_result r = gtr__sum_columns(m) == 128 && gtr__fours(x, type_x) ? GTR__LAUNCH(instance, c,
        (gtr__column_sums_kernel<4>), blocks, 1024, 0, x, type_x, rows, m, partial, out, type_out, add, w)
        : GTR__LAUNCH(instance, c, (gtr__column_sums_kernel<1>), narrow, 1024, 0, x, type_x, rows, m, partial, out,
        type_out, add, w);
    if (r != GTR_OK || ranges == 1) return r;
    gtr__product p = gtr__product_sums(m, out, type_out, add);
    p.sums = w.sum; p.type_sums = w.type_sum; p.add_sums = w.add_sum; p.guard = w.guard;
    return gtr__ranges_sum(instance, c, p, partial, w.sum ? partial + ranges * m : NULL, ranges);
}

// A long k in ranges, whose parts (ranges, batch, m, n) run(product) puts into the workspace, and behind them those of
// the bias's sums; then the sums of them with the epilogue.
template <typename F> static gtr_result gtr__product_in_ranges(void *instance, const gtr__call *c,
        const gtr__product *given, const gtr__choice *choice, F run) {
    if (choice->ranges == 1) return run(given);
    gtr__product p = *given;
    float *parts = (float *)c->ws, *sums = (float *)((char *)c->ws + choice->parts_bytes);
    p.c = parts; p.type_c = GTR_F32; p.c_batch = p.m * p.n; p.add = 0; p.act = -1;
    p.bias = p.saved = p.pre = NULL;
    p.guard = NULL;
    if (p.sums) { p.sums = sums; p.type_sums = GTR_F32; p.add_sums = 0; }
    GTR__TRY(run(&p));
    return gtr__ranges_sum(instance, c, *given, parts, given->sums ? sums : NULL, choice->ranges);
}
static gtr_result gtr__product_own(void *instance, const gtr__call *c, const gtr__product *given,
                                   const gtr__choice *choice) {
    if (choice->weighted) return gtr__column_sums(instance, c, given->b, given->type_b, given->k, given->n, given->c,
        given->type_c, given->add, c->ws, c->ws_bytes,
        { given->a, given->type_a, given->sums, given->type_sums, given->add_sums, given->guard });
    if (choice->outer) {
        const bool four = gtr__product_fours(given);
        return GTR__LAUNCH(instance, c, (four ? gtr__outer_kernel<4> : gtr__outer_kernel<1>), gtr__blocks(instance,
            given->m * given->n / (four ? 4 : 1), 256), 256, 0, *given, given->a_k ? given->lda : 1,
            given->b_k ? given->ldb : 1);
    }
    return gtr__product_in_ranges(instance, c, given, choice,
        [&](const gtr__product *p) { return gtr__product_whole(instance, c, p, choice); });
}

// >>products-library
// What the library does not do stands around it in passes of their own, which are bound by device memory.

#ifndef GPUTRAIN_NO_CUBLASLT

// Bias, activation and the like over what the library left in C: reads and writes C once, reads saved once.
template <int PER> static __global__ void __launch_bounds__(256)
        gtr__finish_kernel(const __grid_constant__ gtr__product p, int64_t items) {
    gtr__enter();
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < items; i += (int64_t)gridDim.x * blockDim.x) {
        int64_t at = i * PER, n = !p.bias ? 0 : at <= UINT32_MAX && p.n <= UINT32_MAX
            ? (int64_t)((uint32_t)at % (uint32_t)p.n) : at % p.n;
        gtr__epilogue(p, gtr__get_of<PER>(p.c, p.type_c, at), n, at);
    }
}
// The activation or its backward alone, where all lies alike: 16 bytes at a time, four of them in flight.
template <int OP>
static GTR__DEVICE void gtr__finish4(const gtr__product &p, uint4 &v, const uint4 &saved, int at) {
    float4 x = gtr__get4(&v, p.type_c, at);
    if (p.saved) {
        const float4 s = gtr__get4(&saved, p.type_c, at);
        x = make_float4(gtr__unary_bwd(OP, x.x, s.x, s.x, p.act_a, p.act_b),
            gtr__unary_bwd(OP, x.y, s.y, s.y, p.act_a, p.act_b), gtr__unary_bwd(OP, x.z, s.z, s.z, p.act_a, p.act_b),
            gtr__unary_bwd(OP, x.w, s.w, s.w, p.act_a, p.act_b));
    } else x = make_float4(gtr__unary_fwd(OP, x.x, p.act_a, p.act_b), gtr__unary_fwd(OP, x.y, p.act_a, p.act_b),
        gtr__unary_fwd(OP, x.z, p.act_a, p.act_b), gtr__unary_fwd(OP, x.w, p.act_a, p.act_b));
    gtr__put4(&v, p.type_c, at, x);
}
template <int OP>
static __global__ void __launch_bounds__(256)
        gtr__finish_act_kernel(const __grid_constant__ gtr__product p, int64_t items) {
    gtr__enter();
    const int64_t first = (int64_t)blockIdx.x * 1024 + threadIdx.x;
    uint4 v[4], saved[4], *c = (uint4 *)p.c;
#pragma unroll
    for (int u = 0; u < 4; u++) {
        v[u] = saved[u] = make_uint4(0, 0, 0, 0);
        if (first + u * 256 >= items) continue;
        v[u] = c[first + u * 256];
        if (p.saved) saved[u] = ((const uint4 *)p.saved)[first + u * 256];
    }
#pragma unroll
    for (int u = 0; u < 4; u++) {
        if (first + u * 256 >= items) continue;
        gtr__finish4<OP>(p, v[u], saved[u], 0);
        if (p.type_c != GTR_F32) gtr__finish4<OP>(p, v[u], saved[u], 4);
        c[first + u * 256] = v[u];
    }
}
typedef void (*gtr__finish_act)(const gtr__product p, int64_t items);
#define GTR__FINISH_ACT(ID, name, forward, backward) { GTR__OP_##ID, gtr__finish_act_kernel<GTR__OP_##ID> },
static const struct { int op; gtr__finish_act kernel; } gtr__finish_acts[] = { GTR__KNOWN(GTR__FINISH_ACT) };
#undef GTR__FINISH_ACT

// y (width, height) = x (height, width) transposed, float32: reads and writes 4 bytes an element.
static __global__ void __launch_bounds__(256)
        gtr__transpose_kernel(const float *x, float *y, int64_t height, int64_t width, uint32_t across) {
    __shared__ float tile[32][33];
    gtr__enter();
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
    const int64_t r0 = (int64_t)(blockIdx.x / across) * 32, c0 = (int64_t)(blockIdx.x % across) * 32;
#pragma unroll
    for (int i = warp; i < 32; i += 8)
        if (r0 + i < height && c0 + lane < width) tile[i][lane] = x[(r0 + i) * width + c0 + lane];
    __syncthreads();
#pragma unroll
    for (int i = warp; i < 32; i += 8)
        if (c0 + i < width && r0 + lane < height) y[(c0 + i) * height + r0 + lane] = tile[lane][i];
}

// Activations that the library may apply. Its GELU is the tanh form, and good enough for 16 bits alone. Its ReLU keeps
// NaN in some algorithms and makes 0 of it in others, which would hide a fault from the guard: an algorithm is tried on
// NaN before it is used.
static const struct { int op; cublasLtEpilogue_t plain, bias; bool half_only, tried; } gtr__epilogues[] = {
    { GTR__OP_GELU_TANH, CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS, true, false },
    { GTR__OP_RELU, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU_BIAS, false, true },
};

static cudaDataType_t gtr__library_type(int dtype) {
    return dtype == GTR_F32 ? CUDA_R_32F : dtype == GTR_BF16 ? CUDA_R_16BF : CUDA_R_16F;
}

static gtr_result gtr__library_check(void *instance, cublasStatus_t status, const char *what) {
    if (status == CUBLAS_STATUS_SUCCESS) return GTR_OK;
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) return gtr__check(instance, e, what);
    return gtr__fail(instance, status == CUBLAS_STATUS_ALLOC_FAILED ? GTR_ERR_NOMEM : GTR_ERR_CUDA, "%s: %s", what,
        cublasLtGetStatusName(status));
}

// NULL: it is not there, and own products do.
static gtr_result gtr__library_handle(gtr__instance *in, const gtr__caps *caps, cublasLtHandle_t *handle) {
    gtr_result r = GTR_OK;
    gtr__lock(in->common);
    if (!in->common->lt && !in->common->alone) {
        const bool missing = caps && caps->no_library;
        const cublasStatus_t s = missing ? CUBLAS_STATUS_NOT_INITIALIZED : cublasLtCreate(&in->common->lt);
        if (s == CUBLAS_STATUS_ALLOC_FAILED) r = gtr__library_check(in, s, "cublasLtCreate");
        else if (s != CUBLAS_STATUS_SUCCESS) {
            char text[160];
            in->common->lt = NULL;
            in->common->alone = 1;
            gtr__quiet(cudaGetLastError());
            snprintf(text, sizeof text, "cuBLASLt does not start (%s): own products do, slower where they are large",
                     cublasLtGetStatusName(s));
            if (in->g.host.log) in->g.host.log(in->g.host.user, GTR_LOG_WARNING, text);
        }
    }
    *handle = in->common->lt;
    gtr__unlock(in->common);
    return r;
}

// The greatest power of two, 256 at most, that divides an address.
static int32_t gtr__alignment(const void *p) {
    int32_t a = 256;
    while (a > 1 && ((uintptr_t)p & (uintptr_t)(a - 1))) a /= 2;
    return a;
}

// What cublasLtMatmul is called with; the library counts columns first, so its A is our B.
typedef struct gtr__library_call {
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t a, b, c;
} gtr__library_call;

static void gtr__library_end(gtr__library_call *l) {
    if (l->a) cublasLtMatrixLayoutDestroy(l->a);
    if (l->b) cublasLtMatrixLayoutDestroy(l->b);
    if (l->c) cublasLtMatrixLayoutDestroy(l->c);
    if (l->desc) cublasLtMatmulDescDestroy(l->desc);
}

static cublasStatus_t gtr__library_layout(cublasLtMatrixLayout_t *layout, int type, int64_t rows, int64_t columns,
        int64_t ld, int64_t batch, int64_t stride) {
    int32_t count = (int32_t)batch;
    if (ld < rows) ld = rows;       // of a view's only row
    cublasStatus_t s = cublasLtMatrixLayoutCreate(layout, gtr__library_type(type), (uint64_t)rows,
        (uint64_t)columns, ld);
    if (s == CUBLAS_STATUS_SUCCESS && batch > 1)
        s = cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count);
    if (s == CUBLAS_STATUS_SUCCESS && batch > 1) s =
        cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride);
    return s;
}

static cublasStatus_t gtr__library_begin(gtr__library_call *l, const gtr__product *p, const gtr__algorithm_key *key) {
    cublasOperation_t ta = key->trans_a ? CUBLAS_OP_T : CUBLAS_OP_N, tb = key->trans_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasLtEpilogue_t epilogue = (cublasLtEpilogue_t)key->epilogue;
    cublasStatus_t s = cublasLtMatmulDescCreate(&l->desc, (cublasComputeType_t)key->compute, CUDA_R_32F);
    if (s == CUBLAS_STATUS_SUCCESS)
        s = cublasLtMatmulDescSetAttribute(l->desc, CUBLASLT_MATMUL_DESC_TRANSA, &ta, sizeof ta);
    if (s == CUBLAS_STATUS_SUCCESS)
        s = cublasLtMatmulDescSetAttribute(l->desc, CUBLASLT_MATMUL_DESC_TRANSB, &tb, sizeof tb);
    if (s == CUBLAS_STATUS_SUCCESS)
        s = cublasLtMatmulDescSetAttribute(l->desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
    if (s == CUBLAS_STATUS_SUCCESS && key->align_bias)
        s = cublasLtMatmulDescSetAttribute(l->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &p->bias, sizeof p->bias);
    if (s == CUBLAS_STATUS_SUCCESS)
        s = gtr__library_layout(&l->a, p->type_b, p->b_k ? p->k : p->n, p->b_k ? p->n : p->k, p->ldb,
            p->batch, p->b_batch);
    if (s == CUBLAS_STATUS_SUCCESS)
        s = gtr__library_layout(&l->b, p->type_a, p->a_k ? p->k : p->m, p->a_k ? p->m : p->k, p->lda,
            p->batch, p->a_batch);
    if (s == CUBLAS_STATUS_SUCCESS) s = gtr__library_layout(&l->c, p->type_c, p->n, p->m, p->ldc, p->batch, p->c_batch);
    return s;
}

// Asks the heuristic. No sums in the output's place, whose order the library does not promise, and
// none rounded to 16 bits.
static bool gtr__library_search(cublasLtHandle_t handle, const gtr__library_call *l, const gtr__algorithm_key *key,
        cublasLtMatmulAlgo_t *algo) {
    cublasLtMatmulPreference_t wish = NULL;
    cublasLtMatmulHeuristicResult_t found;
    uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    uint32_t align_a = (uint32_t)key->align_b, align_b = (uint32_t)key->align_a, align_c = (uint32_t)key->align_c;
    size_t room = (size_t)key->ws;
    int n = 0;
    memset((void *)&found, 0, sizeof found);
    cublasStatus_t s = cublasLtMatmulPreferenceCreate(&wish);
    if (s == CUBLAS_STATUS_SUCCESS)
        s = cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof room);
    if (s == CUBLAS_STATUS_SUCCESS) s = cublasLtMatmulPreferenceSetAttribute(wish,
        CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes, sizeof schemes);
    if (s == CUBLAS_STATUS_SUCCESS) s = cublasLtMatmulPreferenceSetAttribute(wish,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &align_a, sizeof align_a);
    if (s == CUBLAS_STATUS_SUCCESS) s = cublasLtMatmulPreferenceSetAttribute(wish,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &align_b, sizeof align_b);
    if (s == CUBLAS_STATUS_SUCCESS) s = cublasLtMatmulPreferenceSetAttribute(wish,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &align_c, sizeof align_c);
    if (s == CUBLAS_STATUS_SUCCESS) s = cublasLtMatmulPreferenceSetAttribute(wish,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &align_c, sizeof align_c);
    if (s == CUBLAS_STATUS_SUCCESS)
        s = cublasLtMatmulAlgoGetHeuristic(handle, l->desc, l->a, l->b, l->c, l->c, wish, 1, &found, &n);
    if (wish) cublasLtMatmulPreferenceDestroy(wish);
    if (s != CUBLAS_STATUS_SUCCESS || n < 1 || found.state != CUBLAS_STATUS_SUCCESS || found.workspaceSize > room)
        return false;
    *algo = found.algo;
    return true;
}

// Whether NaN comes through: with a factor that is NaN every sum is. Writes over C, and waits for the stream; false in
// a capture, where nothing may wait, but what is captured ran eagerly before.
static gtr_result gtr__library_keeps_nan(gtr__instance *in, cublasLtHandle_t handle, const gtr__library_call *l,
        const gtr__product *p, const cublasLtMatmulAlgo_t *algo, void *ws, size_t ws_bytes,
        cudaStream_t stream, int *keeps) {
    const float alpha = NAN, beta = 0;
    cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
    uint32_t first = 0;
    *keeps = 0;
    GTR__TRY(gtr__check(in, cudaStreamIsCapturing(stream, &state), "cudaStreamIsCapturing"));
    if (state != cudaStreamCaptureStatusNone) return GTR_OK;
    GTR__TRY(gtr__library_check(in, cublasLtMatmul(handle, l->desc, &alpha, p->b, l->a, p->a, l->b, &beta, p->c, l->c,
        p->c, l->c, algo, ws, ws_bytes, stream), "cublasLtMatmul"));
    GTR__TRY(gtr__check(in, cudaMemcpyAsync(&first, p->c, p->type_c == GTR_F32 ? 4 : 2, cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync"));
    GTR__TRY(gtr__check(in, cudaStreamSynchronize(stream), "cudaStreamSynchronize"));
    *keeps = p->type_c == GTR_F32 ? (first & 0x7fffffffu) > 0x7f800000u
        : (first & 0x7fffu) > (p->type_c == GTR_BF16 ? 0x7f80u : 0x7c00u);
    return GTR_OK;
}

// The remembered or now found algorithm; NULL with GTR_OK if the library has none. tried: of those that keep NaN.
static gtr_result gtr__library_algorithm(gtr__instance *in, cublasLtHandle_t handle, const gtr__library_call *l,
        const gtr__algorithm_key *key, const gtr__product *p, bool tried, void *ws, cudaStream_t stream,
        const cublasLtMatmulAlgo_t **algo) {
    *algo = NULL;
    for (int i = 0; i < in->n_algorithm; i++) {
        if (memcmp(&in->algorithm[i].key, key, sizeof *key)) continue;
        if (in->algorithm[i].found) *algo = &in->algorithm[i].algo;
        return GTR_OK;
    }
    void *list = in->algorithm;
    bool room = gtr__more_room(in, &list, in->n_algorithm, &in->cap_algorithm, sizeof *in->algorithm);
    in->algorithm = (gtr__algorithm *)list;
    if (!room) return GTR_ERR_NOMEM;
    gtr__algorithm *a = &in->algorithm[in->n_algorithm++];
    memset((void *)a, 0, sizeof *a);
    a->key = *key;
    a->found = gtr__library_search(handle, l, key, &a->algo);
    if (a->found && tried)
        GTR__TRY(gtr__library_keeps_nan(in, handle, l, p, &a->algo, ws, (size_t)key->ws, stream, &a->found));
    if (a->found) *algo = &a->algo;
    return GTR_OK;
}

// Runs the product alone with an epilogue of the library's; *ran says whether it could.
static gtr_result gtr__library_matmul(gtr__instance *in, cublasLtHandle_t handle, const gtr__call *c,
                                      const gtr__product *p, const gtr__choice *choice, cublasLtEpilogue_t epilogue,
                                      bool bias, bool tried, void *ws, size_t ws_bytes, bool *ran) {
    gtr__algorithm_key key;
    gtr__library_call l;
    const cublasLtMatmulAlgo_t *algo;
    float alpha = 1, beta = p->add ? 1.0f : 0.0f;
    *ran = false;
    memset(&key, 0, sizeof key);
    memset(&l, 0, sizeof l);
    key.m = p->m; key.n = p->n; key.k = p->k; key.batch = p->batch;
    key.lda = p->lda; key.ldb = p->ldb; key.ldc = p->ldc;
    key.a_batch = p->a_batch; key.b_batch = p->b_batch; key.c_batch = p->c_batch;
    key.ws = ws_bytes;
    key.type_ab = p->type_a; key.type_c = p->type_c;
    key.compute = choice->kind == GTR__PRODUCT_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    key.epilogue = (int32_t)epilogue;
    key.trans_a = p->b_k;       // the library's A
    key.trans_b = !p->a_k;
    key.beta = p->add;
    key.align_a = gtr__alignment(p->a); key.align_b = gtr__alignment(p->b);
    key.align_c = p->from && gtr__alignment(p->from) < gtr__alignment(p->c) ? gtr__alignment(p->from)
        : gtr__alignment(p->c);
    key.align_bias = bias ? gtr__alignment(p->bias) : 0;
    gtr_result r = gtr__library_check(in, gtr__library_begin(&l, p, &key), "describing a product to cuBLASLt");
    if (r == GTR_OK) r = gtr__library_algorithm(in, handle, &l, &key, p, tried, ws, (cudaStream_t)c->stream, &algo);
    if (r == GTR_OK && algo) {
        r = gtr__library_check(in, cublasLtMatmul(handle, l.desc, &alpha, p->b, l.a, p->a, l.b, &beta,
            p->from ? p->from : p->c, l.c, p->c, l.c, algo, ws, ws_bytes, (cudaStream_t)c->stream), "cublasLtMatmul");
        *ran = r == GTR_OK;
    }
    gtr__library_end(&l);
    return r;
}

// The whole product with the passes before and after it; *ran is false if the library has nothing for
// it, and nothing was done.
static gtr_result gtr__product_library(void *instance, const gtr__call *c, const gtr__product *given,
        const gtr__choice *choice, bool *ran) {
    gtr__instance *in = (gtr__instance *)instance;
    gtr__product p = *given;
    char *ws = (char *)c->ws, *rest = ws + choice->copy_bytes;
    cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    bool bias = p.bias && p.type_bias == p.type_c && !p.saved, act = false, tried = false;
    const void *later = p.act >= 0 || (p.bias && !bias) ? p.from : NULL;     // added behind the activation
    cublasLtHandle_t handle;
    *ran = false;
    GTR__TRY(gtr__library_handle(in, c->caps, &handle));
    if (!handle) return GTR_OK;
    // A bias's gradient comes with the product where that is not large: of 2048x2048x4096 it costs the library 18 us,
    // a pass of its own 7, of 500x500x1024 2 and 9.
    if (given->sums && !given->add_sums && !p.add && p.type_sums == p.type_c && !choice->transpose
        && (double)p.m * (double)p.n * (double)p.k < 2e9) {
        p.bias = p.sums;
        GTR__TRY(gtr__library_matmul(in, handle, c, &p, choice, CUBLASLT_EPILOGUE_BGRADB, true, false, rest,
                                     choice->ws_bytes, ran));
        p.bias = NULL;
        if (*ran) return GTR_OK;
    }
    if (given->sums && !given->add_sums)        // first: A was just written, and lies in the cache still
        GTR__TRY(gtr__column_sums(instance, c, given->a, given->type_a, given->k, given->m, given->sums,
            given->type_sums, 0, rest, choice->sums_bytes));
    if (later) { p.add = 0; p.from = NULL; }
    if (bias) epilogue = CUBLASLT_EPILOGUE_BIAS;
    for (const auto &e : gtr__epilogues) {
        if (p.act != e.op || p.pre || p.saved || (p.bias && !bias) || (e.half_only && p.type_c == GTR_F32)) continue;
        epilogue = bias ? e.bias : e.plain;
        tried = e.tried;
        act = true;
    }
    if (choice->transpose) {
        uint32_t across = (uint32_t)gtr__ceil(p.m, 32);
        GTR__TRY(GTR__LAUNCH(instance, c, gtr__transpose_kernel, (unsigned)(across * gtr__ceil(p.k, 32)), 256, 0,
            (const float *)p.a, (float *)(void *)ws, p.k, p.m, across));
        p.a = ws;
        p.a_k = 1;
        p.lda = p.k;
    }
    GTR__TRY(gtr__library_matmul(in, handle, c, &p, choice, epilogue, bias, tried, rest, choice->ws_bytes, ran));
    if (!*ran && epilogue != CUBLASLT_EPILOGUE_DEFAULT) {
        const bool left = p.bias || p.act >= 0;
        bias = act = false;
        epilogue = CUBLASLT_EPILOGUE_DEFAULT;
        if (!(left && p.add))
            GTR__TRY(gtr__library_matmul(in, handle, c, &p, choice, epilogue, false, false, rest, choice->ws_bytes,
                                         ran));
    }
    if (!*ran) return GTR_OK;
    if (bias) p.bias = NULL;
    if (act) p.act = -1;
    if (p.bias || p.act >= 0 || p.pre || later) {
        int per = gtr__product_fours(&p) ? 4 : 1;
        int64_t items = p.batch * p.m * p.n / per, wide = p.type_c == GTR_F32 ? 4 : 8;
        p.add = later != NULL; p.from = later;
        gtr__finish_act alone = NULL;
        if (!later && !p.bias && !p.pre && (!p.saved || p.type_saved == p.type_c) && items * per % wide == 0
            && items * per / wide <= (int64_t)INT32_MAX * 1024 && gtr__aligned(p.c, 16) && gtr__aligned(p.saved, 16))
            for (const auto &f : gtr__finish_acts) if (f.op == p.act) alone = f.kernel;
        if (alone) GTR__TRY(GTR__LAUNCH(instance, c, alone, (unsigned)gtr__ceil(items * per / wide, 1024), 256, 0,
            p, items * per / wide));
        else GTR__TRY(
            GTR__LAUNCH(instance, c, (per == 4 ? gtr__finish_kernel<4> : gtr__finish_kernel<1>),
                gtr__blocks(instance, items, 256), 256, 0, p, items));
    }
    if (!given->sums || !given->add_sums) return GTR_OK;
    return gtr__column_sums(instance, c, given->a, given->type_a, given->k, given->m, given->sums, given->type_sums, 1,
        rest, choice->sums_bytes);
}
#endif

// >>products-run

// Products of one form, whose launch waits for more of them (>>match-groups).
typedef struct gtr__group { gtr__product p; gtr__choice choice; gtr__product_set set[GTR__SETS]; } gtr__group;
static bool gtr__product_joins(void *instance, const gtr__call *c, const gtr__product *p, const gtr__choice *choice) {
    gtr__group *group = (gtr__group *)((gtr__cuda *)instance)->group;
    if (!group || choice->library || choice->ranges > 1 || choice->even || !choice->wgmma_m) return false;
    gtr__product *first = &group->p, q;
    if (!first->sets) { memcpy((void *)first, p, sizeof *p); group->choice = *choice; }
    const uintptr_t *x = (const uintptr_t *)(const gtr__product_set *)p,
        *y = (const uintptr_t *)(const gtr__product_set *)first;
    for (size_t i = 0; i < sizeof(gtr__product_set) / sizeof *x; i++)
        if (!x[i] != !y[i] || (x[i] ^ y[i]) & 15) return false;
    memcpy((void *)&q, first, sizeof q);        // but for its operands it must be the same
    static_cast<gtr__product_set &>(q) = *p;
    q.sets = 0;
    q.set = NULL;
    if (first->sets == GTR__SETS || memcmp(&q, p, sizeof q) || memcmp(choice, &group->choice, sizeof *choice))
        return false;
    if (p->guard) gtr__watches(instance, c, p->c, p->sums);
    group->set[first->sets++] = *p;
    first->set = group->set;
    return true;
}
static gtr_result gtr__product_by(void *instance, const gtr__call *c, const gtr__product *p,
                                  const gtr__choice *choice) {
#ifndef GPUTRAIN_NO_CUBLASLT
    if (choice->library) {
        bool ran;
        gtr_result r = gtr__product_library(instance, c, p, choice, &ran);
        if (r != GTR_OK || ran) return r;
    }
#endif
    if (p->guard) gtr__watches(instance, c, p->c, p->sums);
    return gtr__product_own(instance, c, p, choice);
}
// The copies, 16 bytes a thread. Bound by bytes: each is read and written once.
template <typename T>
static __global__ void __launch_bounds__(256) gtr__even_kernel(const __grid_constant__ gtr__even_rows a,
                                                               const __grid_constant__ gtr__even_rows b) {
    gtr__enter();
    constexpr int N = 16 / sizeof(T);
    for (uint32_t g = blockIdx.x * 256 + threadIdx.x; g < a.units + b.units; g += gridDim.x * 256) {
        const bool second = g >= a.units;
        const gtr__even_rows &x = second ? b : a;
        const uint32_t u = second ? g - a.units : g, row = u / x.per, column = (u - row * x.per) * N;
        const T *from = (const T *)x.from + row * x.ld + column;
        T v[N];
#pragma unroll
        for (int k = 0; k < N; k++) v[k] = column + k < x.width ? from[k] : T(0);
        uint4 all;
        memcpy(&all, v, 16);
        ((uint4 *)x.to)[u] = all;
    }
}
static gtr_result gtr__product_make_even(void *instance, const gtr__call *c, gtr__product *p, void *ws) {
    gtr__even_rows rows[2] = { {}, {} };
    size_t bytes;
    gtr__product_even(p, ws, rows, &bytes);
    const unsigned blocks = gtr__blocks(instance, (int64_t)rows[0].units + rows[1].units, 256);
    return p->type_a == GTR_F32
        ? GTR__LAUNCH(instance, c, gtr__even_kernel<float>, blocks, 256, 0, rows[0], rows[1])
        : GTR__LAUNCH(instance, c, gtr__even_kernel<uint16_t>, blocks, 256, 0, rows[0], rows[1]);
}
// Those of the call, or of its instance.
static const gtr__caps *gtr__caps_of(void *instance, const gtr__call *c, gtr__caps *own) {
    if (c->caps) return c->caps;
    gtr__cuda_capabilities(instance, own);
    return own;
}
// Runs a product, or raises what is measured to the workspace that it wants.
static gtr_result gtr__product_run(void *instance, const gtr__call *c, const gtr__product *p) {
    gtr__caps own;
    const gtr__caps *caps = gtr__caps_of(instance, c, &own);
    gtr__choice choice = gtr__product_choice(p, caps, c->precision);
    // never at the same time: the library's own, and sums before or after it; parts, when it
    // has nothing for the product
    size_t bytes = choice.copy_bytes + (choice.sums_bytes > choice.ws_bytes ? choice.sums_bytes : choice.ws_bytes);
    const size_t before = choice.parts_bytes + choice.sums_bytes, all = before + (choice.even ? choice.copy_bytes : 0);
    if ((choice.ranges > 1 || choice.even) && bytes < all) bytes = all;
    if (c->measure) {
        if (bytes > *c->measure) *c->measure = bytes;
        return GTR_OK;
    }
    if (bytes && (!c->ws || c->ws_bytes < bytes)) {
        choice.library = 0;
        choice.ranges = 1;
        if (choice.even) choice.even = choice.wgmma_m = 0;
    }
    if (gtr__product_joins(instance, c, p, &choice)) return GTR_OK;
    if (choice.even) {
        gtr__product q = *p;
        GTR__TRY(gtr__product_make_even(instance, c, &q, (char *)c->ws + before));
        return gtr__product_by(instance, c, &q, &choice);
    }
    if (choice.library && p->inner) {           // of whose strides of a batch there is one
        gtr__product q = *p;
        q.inner = q.a_outer = q.b_outer = q.c_outer = 0;
        q.batch = p->batch / p->inner;
        q.a_batch = p->a_outer; q.b_batch = p->b_outer; q.c_batch = p->c_outer;
        q.guard = NULL;                         // not all of them might watch
        for (int64_t i = 0; i < p->inner; i++) {
            q.a = (const char *)p->a + i * p->a_batch * gtr__elem(p->type_a);
            q.b = (const char *)p->b + i * p->b_batch * gtr__elem(p->type_b);
            q.c = (char *)p->c + i * p->c_batch * gtr__elem(p->type_c);
            GTR__TRY(gtr__product_by(instance, c, &q, &choice));
        }
        return GTR_OK;
    }
    return gtr__product_by(instance, c, p, &choice);
}

static gtr_result gtr__product_badly(void *instance, const char *what) {
    return gtr__fail(instance, GTR_ERR_ARG, "%s: operands do not fit the kernel", what);
}

// While workspace is measured no address is known yet: an output counts as wanted if it has one, or if none has.
static bool gtr__wanted(const gtr__call *c, int i) {
    bool any = false;
    if (i >= c->n_out) return false;
    for (int j = 0; j < c->n_out; j++) any |= c->out[j].data != NULL;
    return c->out[i].data || (c->measure && !any);
}
// A stand-in where an address is not known yet but its being there matters.
static void *gtr__some(const gtr__call *c, const gtr__arg *arg) {
    return arg->data ? arg->data : c->measure ? (void *)(uintptr_t)256 : NULL;
}

// >>op:matmul
// a (..., M, K) or transposed (i[3]) times b (..., N, K), as a layer's weight lies, or (..., K, N) (i[4]). An operand
// without leading dimensions serves all of the batch; its gradient is one product whose k runs over the batch too.

// An operand or, if t, its transpose.
typedef struct gtr__side { const gtr__arg *arg; bool t; gtr__matrix at; } gtr__side;

static gtr__side gtr__matmul_side(const gtr__arg *arg, bool transposed) {
    gtr__side s = { arg, transposed, {} };
    gtr__matrix_of(&arg->shape, arg->stride, &s.at);
    return s;
}
static gtr__side gtr__matmul_t(gtr__side s) { s.t = !s.t; return s; }
// Whether its second dimension is the one whose elements are adjacent.
static bool gtr__matmul_along(const gtr__side &s) {
    return s.t ? s.at.row == 1 && s.at.col != 1 : s.at.col == 1;
}

// to (m, n) = left (m, k) right (k, n); where the batch's items share to, the sum over them. *across: as the transposed
// product.
static gtr__product gtr__product_of(gtr__side to, gtr__side left, gtr__side right, int64_t m, int64_t n, int64_t k,
                                    int64_t batch, bool *across) {
    gtr__product p = gtr__product_none();
    const bool swap = *across = to.at.col != 1;
    if (swap) { const gtr__side t = gtr__matmul_t(left); left = gtr__matmul_t(right); right = t; }
    p.m = swap ? n : m; p.n = swap ? m : n; p.k = k;
    p.a = left.arg->data; p.type_a = left.arg->dtype; p.a_k = gtr__matmul_along(left);
    p.b = right.arg->data; p.type_b = right.arg->dtype; p.b_k = !gtr__matmul_along(right);
    p.lda = left.at.col == 1 ? left.at.row : left.at.col;
    p.ldb = right.at.col == 1 ? right.at.row : right.at.col;
    p.c = to.arg->data; p.type_c = to.arg->dtype; p.add = to.arg->add; p.ldc = swap ? to.at.col : to.at.row;
    if (batch == 1) return p;
    p.a_outer = left.at.outer; p.b_outer = right.at.outer; p.c_outer = to.at.outer;
    if (to.at.item) { p.batch = batch; p.a_batch = left.at.item; p.b_batch = right.at.item; p.c_batch = to.at.item; }
    else { p.kb = batch; p.a_kb = left.at.item; p.b_kb = right.at.item; }
    for (const gtr__side *s : { &to, &left, &right })   // else one stride is enough
        if (s->at.item && s->at.inner < batch && s->at.outer != s->at.inner * s->at.item) p.inner = s->at.inner;
    if (!p.inner) p.a_outer = p.b_outer = p.c_outer = 0;
    return p;
}
static gtr_result gtr__matmul_one(void *instance, const gtr__call *c, const gtr__arg *out, gtr__side left,
        gtr__side right, int64_t m, int64_t n, int64_t k, int64_t batch, const gtr__arg *sums = NULL,
        const gtr__arg *from = NULL) {
    bool across;
    gtr__product p = gtr__product_of(gtr__matmul_side(out, false), left, right, m, n, k, batch, &across);
    if (sums) { p.sums = gtr__some(c, sums); p.type_sums = sums->dtype; p.add_sums = sums->add; }
    if (from) { p.from = gtr__some(c, from); p.add = 1; }
    p.guard = gtr__watches(instance, c, p.c, p.sums, true);
    return gtr__product_run(instance, c, &p);
}
typedef struct gtr__matmul_sizes { int64_t m, n, k, batch; gtr__side a, b; } gtr__matmul_sizes;

// False where there is nothing to multiply.
static bool gtr__matmul_shape(const gtr__call *c, gtr__matmul_sizes *s) {
    const bool ta = c->attr->i[3] != 0, tb = !c->attr->i[4];
    const gtr__arg *x = &c->in[0], *y = &c->in[1];
    const gtr_shape *a = &x->shape, *b = &y->shape;
    if (a->ndim < 1 || b->ndim < 2 || !x->count || !y->count) return false;
    const int64_t rows = a->ndim > 1 ? a->dim[a->ndim - 2] : 1, columns = a->dim[a->ndim - 1];
    s->m = ta ? columns : rows;
    s->k = ta ? rows : columns;
    s->n = b->dim[b->ndim - (tb ? 2 : 1)];
    const int64_t lead_a = x->count / (s->m * s->k), lead_b = y->count / (s->k * s->n);
    s->batch = lead_a > lead_b ? lead_a : lead_b;
    s->a = gtr__matmul_side(x, ta);
    s->b = gtr__matmul_side(y, tb);
    bool whole = lead_b == 1 && !ta;
    for (int i = 0; i < c->n_in; i++) whole = whole && !c->in[i].stride;
    for (int i = 0; i < c->n_out; i++) whole = whole && !c->out[i].stride;
    if (whole) {                // rows of all the batch make one matrix
        s->m *= s->batch;
        s->batch = 1;
    }
    return true;
}

#define gtr__cuda_matmul_fwd gtr__cuda_linear_fwd
#define gtr__cuda_matmul_bwd gtr__cuda_linear_bwd
// da = dy op(b)^T, db = op(a)^T dy, both sides swapped where the operand lies transposed. The gradient of a bias, the
// sums of dy's columns, comes in the launch of its weight's: the tiles pass through shared memory anyway.
static gtr_result gtr__cuda_linear_bwd(void *instance, const gtr__call *c) {
    gtr__matmul_sizes s;
    if (c->n_in < 4 || !gtr__matmul_shape(c, &s)) return gtr__product_badly(instance, "product's gradient");
    const gtr__arg *dy = &c->in[c->n_in - 1], *db = gtr__wanted(c, 2) ? &c->out[2] : NULL,
        *from = c->attr->i[5] ? dy - 1 : NULL;
    const gtr__side y = gtr__matmul_side(dy, false), yt = gtr__matmul_t(y), at = gtr__matmul_t(s.a),
        bt = gtr__matmul_t(s.b);
    gtr_result r = GTR_OK;
    if (c->measure) *c->measure = 0;
    if (gtr__wanted(c, 0))
        r = s.a.t ? gtr__matmul_one(instance, c, &c->out[0], s.b, yt, s.k, s.m, s.n, s.batch, NULL, from)
                  : gtr__matmul_one(instance, c, &c->out[0], y, bt, s.m, s.k, s.n, s.batch, NULL, from);
    if (r == GTR_OK && gtr__wanted(c, 1))
        return s.b.t ? gtr__matmul_one(instance, c, &c->out[1], yt, s.a, s.n, s.k, s.m, s.batch, db)
                     : gtr__matmul_one(instance, c, &c->out[1], at, y, s.k, s.n, s.m, s.batch);
    if (r != GTR_OK || !db) return r;
    if (c->measure) {           // a frozen weight under a bias that is trained
        int ranges = gtr__sum_ranges(s.m, s.n, c->caps ? c->caps->sm_count : 1);
        size_t bytes = ranges > 1 ? (size_t)ranges * (size_t)s.n * 4 : 0;
        if (bytes > *c->measure) *c->measure = bytes;
        return GTR_OK;
    }
    gtr__weights none = {};
    none.guard = gtr__watches(instance, c, db->data, NULL);
    return gtr__column_sums(instance, c, dy->data, dy->dtype, s.m, s.n, db->data, db->dtype, db->add, c->ws,
                            c->ws_bytes, none);
}

// >>op:linear
// x (N, K), w (M, K), b (M): y (N, M) = x w^T + b, a matmul with an epilogue; so is its gradient.

// act: 1: with the activation that the attributes name; 2: with its backward, at what it saved.
static gtr_result gtr__linear_run(void *instance, const gtr__call *c, int act) {
    const int rest = c->n_in - (c->attr->i[2] != 0);
    const gtr__arg *b = rest > 2 ? &c->in[2] : NULL, *pre = act == 1 && c->n_out > 1 ? &c->out[1] : NULL;
    gtr__matmul_sizes s;
    bool across;
    if (!gtr__matmul_shape(c, &s) || (act == 2 && !b)) return gtr__product_badly(instance, "product");
    if (c->measure) *c->measure = 0;
    gtr__product p = gtr__product_of(gtr__matmul_side(&c->out[0], false), s.a, s.b, s.m, s.n, s.k, s.batch, &across);
    if (rest < c->n_in) { p.from = gtr__some(c, &c->in[rest]); p.add = 1; }
    if (act == 2) { p.saved = gtr__some(c, b); p.type_saved = b->dtype; }
    else if (b) { p.bias = gtr__some(c, b); p.type_bias = b->dtype; p.bias_m = across; }
    if (pre && (pre->data || (c->measure && !c->out[0].data))) { p.pre = gtr__some(c, pre); p.type_pre = pre->dtype; }
    if (act) {
        p.act = (int)c->attr->i[0];
        p.act_a = (float)c->attr->f[0];
        p.act_b = (float)c->attr->f[1];
    }
    return gtr__product_run(instance, c, &p);
}
static gtr_result gtr__cuda_linear_fwd(void *instance, const gtr__call *c) {
    return gtr__linear_run(instance, c, 0);
}

// >>op:linear_act
// out[0] = act(x w^T + b) + r, out[1] = x w^T + b if it has a place; attr i[0]: act's op number, f[0], f[1]: its a and
// b; i[2]: the last input is r.
static gtr_result gtr__cuda_linear_act_fwd(void *instance, const gtr__call *c) {
    return gtr__linear_run(instance, c, 1);
}

// >>op:linear_dact
// out[0] (N, K) = backward of act at in[2] (its x or y, whichever it reads) of dy w; dy = in[0] (N, M), w = in[1] (M,
// K); attr as linear_act.
static gtr_result gtr__cuda_linear_dact_fwd(void *instance, const gtr__call *c) {
    return gtr__linear_run(instance, c, 2);
}

// >>op:conv
// y (N, oh, ow, O) = x (N, H, W, C) under the window gtr__window times weight (O, kh, kw, C / groups), and bias; the
// gradients of each. All are one of three products of each group, whose gathered operand is never stored:
//   PLACES  (places, og) = image gathered (places, taps cg) times weight^T: y, and dx of a transposed one
//   IMAGE   (pixels, cg) = places gathered (pixels, taps og) times weight: dx, and y of a transposed one
//   WEIGHT  (og, taps cg) = places^T (og, places) times image gathered: dweight; k is cut into ranges
// Of a stride, pixels of an image fall into classes by their remainders, of which each has taps of its own: IMAGE makes
// a product of each class, in which neighbours read neighbours, and no term is zero for its remainder.
enum { GTR__CONV_PLACES, GTR__CONV_IMAGE, GTR__CONV_WEIGHT };

// Division of what is below 2^31.
typedef struct gtr__fast { uint32_t by, factor, shift; } gtr__fast;
static gtr__fast gtr__fast_of(int64_t by) {
    gtr__fast f = { (uint32_t)(by < 1 ? 1 : by), 0, 0 };
    while ((uint64_t)1 << f.shift < f.by) f.shift++;
    f.factor = (uint32_t)(((((uint64_t)1 << f.shift) - f.by) << 32) / f.by + 1);
    return f;
}
static GTR__DEVICE uint32_t gtr__quotient(uint32_t x, const gtr__fast &f) {
    return (__umulhi(x, f.factor) + x) >> f.shift;
}

// One direction of a window. Row i of the gathered operand, at tap j of its class, reads offset + i step + j tap, where
// that is within `from`. rows and taps: of the classes with more, and with less by one.
typedef struct gtr__conv_axis {
    int from, to;               // lengths of what is gathered and of what has the rows
    int kernel, stride, padding, dilation;
    int each, across;           // IMAGE: from one of a class's taps to its next, in taps, and in places
    gtr__fast rows[2], taps[2];
} gtr__conv_axis;
typedef struct gtr__conv_class {
    int at, offset, step, tap, first, each, count, taps;
    gtr__fast rows, by;
} gtr__conv_class;
typedef struct gtr__conv_cut : gtr__product_cut {
    gtr__conv_axis y, x;
    gtr__fast channels;         // of a tap
    int groups, images, pitch;  // pitch: elements from pixel to pixel of what is gathered
    int per_a, per_b;           // elements of these that are copied at a time
    int whole;                  // IMAGE: a tile of k is of one tap
    int table;                  // where in shared memory the rows lie
} gtr__conv_cut;

template <int FORM> static GTR__DEVICE gtr__conv_class gtr__conv_class_of(const gtr__conv_axis &a, int at) {
    if (FORM != GTR__CONV_IMAGE)
        return { 0, -a.padding, a.stride, a.dilation, 0, 1, a.to, a.kernel, a.rows[0], a.taps[0] };
    int t = 0, most = min(a.each, a.kernel);
    while (t < most && (at + a.padding - t * a.dilation) % a.stride) t++;
    const int taps = t < most ? (a.kernel - t + a.each - 1) / a.each : 0,
        count = (a.to - at + a.stride - 1) / a.stride;
    return { at, (at + a.padding - t * a.dilation) / a.stride, 1, -a.across, t, a.each, count, taps,
        a.rows[(uint32_t)count != a.rows[0].by], a.taps[(uint32_t)taps != a.taps[0].by] };
}
// Where row i begins: a pixel's number, and its y and x, which may be outside.
typedef struct gtr__conv_row { uint32_t pixel; int y, x; } gtr__conv_row;
static GTR__DEVICE gtr__conv_row gtr__conv_row_of(const gtr__conv_cut &cut, const gtr__conv_class &y,
                                                  const gtr__conv_class &x, uint32_t i) {
    const uint32_t line = gtr__quotient(i, x.rows), n = gtr__quotient(line, y.rows);
    gtr__conv_row r;
    r.y = (int)(line - n * y.rows.by) * y.step + y.offset;
    r.x = (int)(i - line * x.rows.by) * x.step + x.offset;
    r.pixel = (n * (uint32_t)cut.y.from + (uint32_t)r.y) * (uint32_t)cut.x.from + (uint32_t)r.x;
    return r;
}
// Which pixel of C row i is. IMAGE.
static GTR__DEVICE uint32_t gtr__conv_pixel(const gtr__conv_cut &cut, const gtr__conv_class &y,
                                            const gtr__conv_class &x, uint32_t i) {
    const uint32_t line = gtr__quotient(i, x.rows), n = gtr__quotient(line, y.rows);
    return (n * (uint32_t)cut.y.to + (line - n * y.rows.by) * (uint32_t)cut.y.stride + (uint32_t)y.at)
        * (uint32_t)cut.x.to + (i - line * x.rows.by) * (uint32_t)cut.x.stride + (uint32_t)x.at;
}
// Element k of taps by channels: how far it is from where a row begins, and, IMAGE, its tap of the weight.
typedef struct gtr__conv_tap { uint32_t pixel; int y, x, channel, tap; } gtr__conv_tap;
static GTR__DEVICE gtr__conv_tap gtr__conv_tap_of(const gtr__conv_cut &cut, const gtr__conv_class &y,
                                                  const gtr__conv_class &x, uint32_t k) {
    const uint32_t j = gtr__quotient(k, cut.channels), line = gtr__quotient(j, x.by), column = j - line * x.by.by;
    gtr__conv_tap t;
    t.y = (int)line * y.tap;
    t.x = (int)column * x.tap;
    t.pixel = (uint32_t)t.y * (uint32_t)cut.x.from + (uint32_t)t.x;
    t.channel = (int)(k - j * cut.channels.by);
    t.tap = (y.first + (int)line * y.each) * cut.x.kernel + x.first + (int)column * x.each;
    return t;
}

// As gtr__fetch: place(c) is column c of the tile, of which row r lies at the address that it makes of r, or, NULL, is
// zero; per elements at a time. Only width columns reach C, where k is not along them.
template <int ES, int T, bool K, bool CONVERT, typename F>
static GTR__DEVICE void gtr__conv_fetch(char *tile, const char *safe, int dtype, int per, int width, F place) {
    typedef gtr__operand<ES, T, K> tile_t;
    constexpr int most = 16 / ES, chunks = tile_t::columns / most, rows = 128 / chunks;
    if (per == most) {
        const int c = (int)threadIdx.x % chunks * most, first = (int)threadIdx.x / chunks;
        const auto row = place(c);
#pragma unroll
        for (int r = 0; r < tile_t::rows; r += rows) {
            const char *src = row(first + r);
            gtr__copy16(tile + ((first + r) * tile_t::pitch + c) * ES, src ? src : safe, src != NULL);
        }
        return;
    }
    int log = tile_t::columns == 32 ? 5 : tile_t::columns == 64 ? 6 : 7;
    if (per == 2) log--;
    while (!K && log && per << (log - 1) >= width) log--;
    const int c = ((int)threadIdx.x & ((1 << log) - 1)) * per;
    const auto row = place(c);
#pragma unroll 4
    for (int r = (int)threadIdx.x >> log; r < tile_t::rows; r += 128 >> log) {
        const char *src = row(r);
        char *dst = tile + (r * tile_t::pitch + c) * ES;
        if (CONVERT && dtype != GTR_F32) *(float *)dst = src ? gtr__get(src, dtype, 0) : 0.0f;
        else if (ES * per == 4) gtr__copy4(dst, src ? src : safe, src != NULL);
        else *(uint16_t *)dst = src ? *(const uint16_t *)src : (uint16_t)0;
    }
}
// What a thread stores of an image: its rows are pixels of a class.
struct gtr__conv_lane : gtr__product_lane {
    const gtr__conv_cut &all;
    const gtr__conv_class &y, &x;
    int m0;
    GTR__DEVICE int64_t at(const gtr__product_cut &cut, int r) const {
        return place + (int64_t)((uint64_t)cut.ldc * gtr__conv_pixel(all, y, x, (uint32_t)(m0 + r)));
    }
};
// What a block's threads know alike, and how they fetch.
template <int KIND, int T, int FORM> struct gtr__conv_block {
    static constexpr bool FMA = KIND == GTR__PRODUCT_FMA, AK = FORM != GTR__CONV_WEIGHT, BK = FORM == GTR__CONV_PLACES;
    static constexpr int ES = KIND == GTR__PRODUCT_HALF ? 2 : 4;
    typedef gtr__operand<ES, T, AK> tile_a;
    typedef gtr__operand<ES, T, BK> tile_b;
    static constexpr int depth = tile_a::depth, rows = AK ? T : depth;
    const gtr__product &p;
    const gtr__conv_cut &cut;
    const gtr__conv_class &y, &x;
    const char *a, *b;
    int *table;                 // of gathered rows: numbers of pixels, y, x; WEIGHT: one for each slot
    int m, k, m0, n0, kt, slot, ahead;

    // Rows from number first on, for what is fetched behind the next barrier.
    GTR__DEVICE void put(int at, uint32_t first) const {
        const uint32_t i = first + threadIdx.x;
        int *t = table + at * 3 * rows + threadIdx.x;
        if ((int)threadIdx.x >= rows) return;
        const gtr__conv_row r = gtr__conv_row_of(cut, y, x, i);
        t[0] = (int)r.pixel;
        t[rows] = i < (uint32_t)(AK ? m : k) ? r.y : INT32_MIN / 2;      // so far out that no tap is within
        t[2 * rows] = r.x;
    }
    // Before the first tile: what is fetched up to the first barrier of the loop, and behind it.
    GTR__DEVICE void begin() {
        ahead = cut.stages - 1;
        for (int i = 0; i < (AK ? 1 : cut.stages); i++) put(i, (uint32_t)(AK ? m0 : (kt + i) * depth));
    }
    // Column `at` of what is gathered, of so many; from its row r on.
    GTR__DEVICE auto gathered(const char *from, int size, int at, int end, const int *t) const {
        const gtr__conv_tap tap = gtr__conv_tap_of(cut, y, x, (uint32_t)at);
        const bool in = at < end;
        const uint32_t pitch = (uint32_t)cut.pitch * (uint32_t)size;
        const char *first = from + (int64_t)tap.channel * size;
        return [this, tap, in, first, pitch, t](int r) -> const char * {
            const int line = t[rows + r] + tap.y, column = t[2 * rows + r] + tap.x;
            if (!in || (uint32_t)line >= (uint32_t)cut.y.from || (uint32_t)column >= (uint32_t)cut.x.from) return NULL;
            return first + (uint64_t)((uint32_t)t[r] + tap.pixel) * pitch;
        };
    }
    // IMAGE: rows of B, each at its tap and channel of the weight.
    GTR__DEVICE void fetch_weight(char *tile, int first, int left_k, int left_n) const {
        auto at = [this](int row) {
            const gtr__conv_tap tap = gtr__conv_tap_of(cut, y, x, (uint32_t)row);
            return b + ((int64_t)((uint64_t)cut.ldb * (uint32_t)tap.channel) + (int64_t)tap.tap * cut.n + n0)
                * cut.size_b;
        };
        if (cut.whole) {
            gtr__fetch<ES, T, false, FMA>(tile, at(first), b, p.type_b, cut.ldb, left_k, left_n, cut.vec_b);
            return;
        }
        gtr__conv_fetch<ES, T, false, FMA>(tile, b, p.type_b, cut.per_b, left_n, [&](int c) {
            return [this, at, c, first, left_k, left_n](int r) -> const char * {
                return c < left_n && r < left_k ? at(first + r) + c * cut.size_b : NULL;
            };
        });
    }
    GTR__DEVICE void fetch(char *tile) {
        char *const tile_of_b = tile + tile_a::bytes;
        const int first = kt * depth, left_m = min(m - m0, T), left_n = min(cut.n - n0, T),
            left_k = min(k - first, depth);
        if constexpr (FORM == GTR__CONV_WEIGHT) {
            const int *t = table + slot * 3 * rows;
            gtr__fetch<ES, T, false, FMA>(tile, a + ((uint64_t)cut.lda * (uint32_t)first + (uint32_t)m0) * cut.size_a,
                a, p.type_a, cut.lda, left_k, left_m, cut.vec_a);
            gtr__conv_fetch<ES, T, false, FMA>(tile_of_b, b, p.type_b, cut.per_b, left_n,
                [&](int c) { return gathered(b, cut.size_b, n0 + c, cut.n, t); });
            if (++slot == cut.stages) slot = 0;
            if (ahead) ahead--;
            else put(slot, (uint32_t)(kt + 1) * depth);
        } else {
            gtr__conv_fetch<ES, T, true, FMA>(tile, a, p.type_a, cut.per_a, T,
                [&](int c) { return gathered(a, cut.size_a, first + c, k, table); });
        }
        if constexpr (FORM == GTR__CONV_PLACES)
            gtr__fetch<ES, T, true, FMA>(tile_of_b,
                b + ((uint64_t)cut.ldb * (uint32_t)n0 + (uint32_t)first) * cut.size_b, b, p.type_b, cut.ldb, left_n,
                left_k, cut.vec_b);
        if constexpr (FORM == GTR__CONV_IMAGE) fetch_weight(tile_of_b, first, left_k, left_n);
        kt++;
    }
};
// As gtr__product_kernel, with one operand gathered: rows of it lie in a table, worked out once (WEIGHT: once a tile of
// k), taps are worked out by each thread for the column that it copies. Bound by the tensor cores, or by what a
// multiprocessor draws from L2: 2 T depth elements a tile of k for T T depth multiply-adds, as an image is read once
// for each tap; from device memory once. Accumulates in float32.
template <int KIND, int T, int FORM>
static __global__ void __launch_bounds__(128)
        gtr__conv_kernel(const __grid_constant__ gtr__product p, const __grid_constant__ gtr__conv_cut cut) {
    typedef gtr__conv_block<KIND, T, FORM> block_t;
    extern __shared__ __align__(16) char gtr__pool[];
    const int rank = (int)blockIdx.x & ((1 << cut.split_log) - 1);
    const uint3 place = gtr__product_place(cut);
    const uint32_t range = cut.ranges > 1 ? place.z / cut.batch : 0, which = place.z - range * cut.batch,
        among = which / (uint32_t)cut.groups, group = which - among * (uint32_t)cut.groups,
        line = FORM == GTR__CONV_IMAGE ? among / (uint32_t)cut.x.stride : 0;
    const gtr__conv_class y = gtr__conv_class_of<FORM>(cut.y, (int)line),
        x = gtr__conv_class_of<FORM>(cut.x, (int)(among - line * (uint32_t)cut.x.stride));
    const bool image = FORM == GTR__CONV_IMAGE;
    const int m = image ? cut.images * y.count * x.count : cut.m,
        k = image ? y.taps * x.taps * (int)cut.channels.by : cut.k,
        tiles = (int)(((uint32_t)k + block_t::depth - 1) / block_t::depth), parts = cut.ranges << cut.split_log,
        part = ((int)range << cut.split_log) + rank, share = tiles / parts, rest = tiles - share * parts,
        m0 = (int)place.x * T, n0 = (int)place.y * T;
    if (image && m0 >= m) { gtr__enter(); return; }
    block_t block = { p, cut, y, x, (const char *)p.a + group * p.a_batch * cut.size_a,
        (const char *)p.b + group * p.b_batch * cut.size_b, (int *)(gtr__pool + cut.table), m, k, m0, n0,
        part * share + min(part, rest), 0, 0 };
    block.begin();
    __syncthreads();
    gtr__enter();
    gtr__product_lane own = gtr__product_lane_of<T, T, 128>(cut, m0, n0,
        group * p.c_batch + (int64_t)range * cut.batch * p.c_batch);
    const gtr__floats<4> bias = gtr__product_bias(p, cut, n0 + own.column, (int64_t)group * cut.n);
    auto run = [&](const auto &lane) {
        gtr__product_block<KIND, T, block_t::AK, block_t::BK>(p, cut, share + (part < rest), p.type_a, p.sums && !n0,
            m0, lane, bias, range, [&](char *tile) { block.fetch(tile); });
    };
    if constexpr (FORM != GTR__CONV_IMAGE) run(own);
    else {
        own.place -= (int64_t)((uint64_t)cut.ldc * (uint32_t)m0);
        own.end = min(own.end, m - m0);
        run(gtr__conv_lane{ own, cut, y, x, m0 });
    }
}

template <int KIND, int T, int FORM>
static gtr_result gtr__conv_start(void *instance, const gtr__call *c, const gtr__product *p, gtr__conv_cut cut,
                                  const gtr__choice *choice) {
    typedef gtr__conv_block<KIND, T, FORM> block_t;
    constexpr int ES = block_t::ES, most = 16 / ES;
    const bool plain_a = ES == 2 || p->type_a == GTR_F32, plain_b = ES == 2 || p->type_b == GTR_F32;
    dim3 grid;
    GTR__TRY(gtr__product_cut_for(instance, p, choice->split, choice->ranges, T, T, block_t::depth, &cut, &grid));
    cut.stages = ((const gtr__cuda *)instance)->compute < 80 ? 2 : T == 128 ? 3 : 4;
    // of what lies as rows of channels, of which a group has so many
    auto along = [&](const void *data, int64_t channels, int64_t pitch, bool plain) {
        for (int per = most; per > 1; per = per > 2 && ES == 2 ? 2 : 1)
            if (plain && gtr__aligned(data, (size_t)per * ES) && channels % per == 0 && pitch % per == 0) return per;
        return 1;
    };
    cut.per_a = along(p->a, cut.channels.by, cut.pitch, plain_a);
    cut.per_b = FORM == GTR__CONV_IMAGE ? along(p->b, p->n, p->ldb, plain_b)
        : along(p->b, cut.channels.by, cut.pitch, plain_b);
    cut.vec_a = plain_a && gtr__vectors(p->a, p->lda, p->m, p->a_batch, 0, most);
    cut.vec_b = plain_b && gtr__vectors(p->b, p->ldb, block_t::BK ? p->k : p->n, p->b_batch, 0, most);
    cut.whole = cut.channels.by % block_t::depth == 0;
    const size_t ring = (size_t)cut.stages * (block_t::tile_a::bytes + block_t::tile_b::bytes),
        out = (size_t)T * (T + 8) * 4 + 128 * 4, table = (size_t)(block_t::AK ? 1 : cut.stages) * 3 * block_t::rows * 4;
    cut.table = (int)(ring > out ? ring : out);
    return gtr__product_launch(instance, c, "gtr__conv_kernel", gtr__conv_kernel<KIND, T, FORM>, grid, 128,
        (size_t)cut.table + table, choice->split, *p, cut);
}
template <int FORM>
static gtr_result gtr__conv_kind(void *instance, const gtr__call *c, const gtr__product *p, const gtr__conv_cut &cut,
                                 const gtr__choice *choice) {
    const bool large = choice->tile == 128;
    if (choice->kind == GTR__PRODUCT_TF32)
        return large ? gtr__conv_start<GTR__PRODUCT_TF32, 128, FORM>(instance, c, p, cut, choice)
                     : gtr__conv_start<GTR__PRODUCT_TF32, 64, FORM>(instance, c, p, cut, choice);
    if (choice->kind == GTR__PRODUCT_HALF)
        return large ? gtr__conv_start<GTR__PRODUCT_HALF, 128, FORM>(instance, c, p, cut, choice)
                     : gtr__conv_start<GTR__PRODUCT_HALF, 64, FORM>(instance, c, p, cut, choice);
    return choice->tile == 32 ? gtr__conv_start<GTR__PRODUCT_FMA, 32, FORM>(instance, c, p, cut, choice)
                              : gtr__conv_start<GTR__PRODUCT_FMA, 64, FORM>(instance, c, p, cut, choice);
}
#define GTR__CONV_WIDE (3 * 2 * 128 * 144 + 2304)      // bytes of shared memory that tiles of 128 want at most
// By the model of products of the same shape; only FMA, bound by what it multiplies, has the small tile.
static gtr__choice gtr__conv_choice(const gtr__product *p, int64_t classes, const gtr__caps *caps,
                                    gtr_precision precision) {
    gtr__choice c;
    memset(&c, 0, sizeof c);
    c.kind = gtr__product_kind(p, caps, precision);
    c.tile = 64;
    c.split = c.ranges = 1;
    c.ns = HUGE_VAL;
    const int64_t k_tiles = gtr__ceil(p->k, c.kind == GTR__PRODUCT_HALF ? 64 : 32);
    for (const gtr__way &w : gtr__ways) {
        const int64_t tiles = gtr__ceil(p->m, w.m) * gtr__ceil(p->n, w.n) * p->batch;
        if (w.kernel == GTR__WAY_WGMMA || (w.kernel == GTR__WAY_MMA && w.m == 32)) continue;
        for (int ranges = 1; ranges <= (classes > 1 ? 1 : 64) && ranges <= k_tiles; ranges *= 2)
            for (int split = 1; split <= 8 && split * ranges <= k_tiles; split *= 2) {
                if (!gtr__way_takes(w, p, caps, c.kind, tiles * split * ranges, split, ranges)) continue;
                const double ns = gtr__way_ns(w, p, caps, c.kind, tiles, split, ranges);
                if (ns < c.ns) { c.ns = ns; c.tile = w.m; c.split = split; c.ranges = ranges; }
            }
    }
    // tiles of 128, of which a multiprocessor draws half as much for a multiply-add, where they fill the device
    const int64_t wide = gtr__ceil(p->m, 128) * gtr__ceil(p->n, 128) * p->batch;
    const bool parts = classes == 1 && gtr__product_in_parts(p);
    int ranges = 1;
    while (parts && ranges < 64 && wide * ranges < caps->sm_count && ranges * 16 <= k_tiles) ranges *= 2;
    if (c.kind != GTR__PRODUCT_FMA && caps->shared >= GTR__CONV_WIDE && p->m > 64 && p->n > 64
            && wide * ranges >= caps->sm_count) {
        c.tile = 128; c.split = 1; c.ranges = ranges;
    }
    if (c.ranges == 1) return c;
    c.parts_bytes = gtr__pad256((size_t)(p->batch * p->m) * (size_t)p->n * (size_t)c.ranges * 4);
    if (p->sums) c.sums_bytes = gtr__pad256((size_t)c.ranges * (size_t)p->m * 4);
    return c;
}
static gtr__conv_axis gtr__conv_axis_of(bool image, int64_t size, int64_t places, int64_t kernel, int64_t stride,
                                        int64_t padding, int64_t dilation) {
    int64_t common = stride, rest = dilation % stride;
    while (rest) { const int64_t next = common % rest; common = rest; rest = next; }
    const int64_t each = image ? stride / common : 1, rows = image ? size : places, classes = image ? stride : 1;
    return { (int)(image ? places : size), (int)rows, (int)kernel, (int)stride, (int)padding, (int)dilation, (int)each,
        (int)(dilation / common), { gtr__fast_of(gtr__ceil(rows, classes)), gtr__fast_of(rows / classes) },
        { gtr__fast_of(gtr__ceil(kernel, each)), gtr__fast_of(kernel / each) } };
}
static gtr_result gtr__conv_cut_of(void *instance, const gtr__window *g, bool image, gtr__conv_cut *cut) {
    const int64_t longest[] = { g->n * g->h * g->w, g->n * g->oh * g->ow, g->o * g->kh * g->kw * g->cg, g->c,
        g->h + 2 * g->ph + g->kh * g->dh, g->w + 2 * g->pw + g->kw * g->dw, g->sh, g->sw };
    for (int64_t length : longest)
        if (length > INT32_MAX / 2) return gtr__fail(instance, GTR_ERR_UNSUPPORTED,
            "a convolution with a length of %lld is too large", (long long)length);
    memset((void *)cut, 0, sizeof *cut);
    cut->y = gtr__conv_axis_of(image, g->h, g->oh, g->kh, g->sh, g->ph, g->dh);
    cut->x = gtr__conv_axis_of(image, g->w, g->ow, g->kw, g->sw, g->pw, g->dw);
    cut->channels = gtr__fast_of(image ? g->og : g->cg);
    cut->groups = (int)g->groups; cut->images = (int)g->n; cut->pitch = (int)(image ? g->o : g->c);
    return GTR_OK;
}
static gtr_result gtr__conv_product(void *instance, const gtr__call *c, const gtr__window *g, int form,
                                    const gtr__product &p) {
    const bool image = form == GTR__CONV_IMAGE;
    const int64_t classes = image ? g->sh * g->sw : 1;
    gtr__caps own;
    const gtr__caps *caps = gtr__caps_of(instance, c, &own);
    gtr__choice choice = gtr__conv_choice(&p, classes, caps, c->precision);
    const size_t bytes = choice.parts_bytes + choice.sums_bytes;
    if (c->measure) {
        if (bytes > *c->measure) *c->measure = bytes;
        return GTR_OK;
    }
    if (bytes && (!c->ws || c->ws_bytes < bytes)) choice.ranges = 1;
    gtr__conv_cut cut;
    GTR__TRY(gtr__conv_cut_of(instance, g, image, &cut));
    if (p.guard) gtr__watches(instance, c, p.c, p.sums);
    return gtr__product_in_ranges(instance, c, &p, &choice, [&](const gtr__product *q) {
        return form == GTR__CONV_WEIGHT ? gtr__conv_kind<GTR__CONV_WEIGHT>(instance, c, q, cut, &choice)
            : image ? gtr__conv_kind<GTR__CONV_IMAGE>(instance, c, q, cut, &choice)
                    : gtr__conv_kind<GTR__CONV_PLACES>(instance, c, q, cut, &choice);
    });
}

// Depthwise: each channel with its own window, of which a tile product would be zero all but its diagonal.
typedef struct gtr__depthwise {
    const void *x, *w, *bias, *dy;
    void *y;                    // dweight: parts of it, of each range of rows
    int type_x, type_w, type_bias, type_dy, type_y, add, act;   // act: as gtr__product's
    float act_a, act_b;
    int image;                  // y is an image, of places x
    int log;                    // 1 << log threads lie along channels
} gtr__depthwise;
#define GTR__DEPTHWISE_TAPS 9   // whose sums a thread has at a time
// y, or dx. A thread makes W channels of a row, of whose class it walks the taps; a block's weights lie in shared
// memory, channels last. Bound by bytes: x once (its neighbours' taps come from the caches), y once.
template <int W> static __global__ void __launch_bounds__(256)
gtr__depthwise_kernel(const __grid_constant__ gtr__depthwise d, const __grid_constant__ gtr__conv_cut cut) {
    extern __shared__ __align__(16) char gtr__pool[];
    float *weight = (float *)gtr__pool;
    const int line = d.image ? (int)blockIdx.z / cut.x.stride : 0, column = (int)blockIdx.z - line * cut.x.stride;
    auto class_of = [&](const gtr__conv_axis &a, int at) {
        return d.image ? gtr__conv_class_of<GTR__CONV_IMAGE>(a, at) : gtr__conv_class_of<GTR__CONV_PLACES>(a, 0);
    };
    const gtr__conv_class y = class_of(cut.y, line), x = class_of(cut.x, column);
    const int taps = cut.y.kernel * cut.x.kernel, wide = W << d.log, first = (int)blockIdx.y * wide,
        lane = ((int)threadIdx.x & ((1 << d.log) - 1)) * W, channel = first + lane;
    gtr__enter();
    for (int i = (int)threadIdx.x; i < taps * wide; i += 256) {
        const int t = i / wide, at = first + i - t * wide;
        weight[i] = at < cut.groups ? gtr__get(d.w, d.type_w, (int64_t)at * taps + t) : 0.0f;
    }
    __syncthreads();
    if (channel >= cut.groups) return;
    const gtr__floats<W> bias = gtr__get_of<W>(d.bias, d.type_bias, channel);
    const uint32_t rows = (uint32_t)(cut.images * y.count * x.count), step = 256u >> d.log;
    for (uint32_t i = blockIdx.x * step + (threadIdx.x >> d.log); i < rows; i += gridDim.x * step) {
        const gtr__conv_row r = gtr__conv_row_of(cut, y, x, i);
        gtr__floats<W> sum = bias;
        for (int v = 0; v < y.taps; v++) {
            const int at_y = r.y + v * y.tap;
            if ((uint32_t)at_y >= (uint32_t)cut.y.from) continue;
            const uint32_t pixel = r.pixel + (uint32_t)(v * y.tap) * (uint32_t)cut.x.from;
            const float *w = weight + ((y.first + v * y.each) * cut.x.kernel + x.first) * wide + lane;
#pragma unroll 3
            for (int u = 0; u < x.taps; u++) {
                const int at_x = r.x + u * x.tap;
                if ((uint32_t)at_x >= (uint32_t)cut.x.from) continue;
                const gtr__floats<W> f = gtr__get_of<W>(d.x, d.type_x,
                    (int64_t)((uint64_t)(pixel + (uint32_t)(u * x.tap)) * (uint32_t)cut.pitch) + channel);
#pragma unroll
                for (int k = 0; k < W; k++) sum.v[k] = fmaf(f.v[k], w[u * x.each * wide + k], sum.v[k]);
            }
        }
        const int64_t at = (int64_t)((uint64_t)(d.image ? gtr__conv_pixel(cut, y, x, i) : i) * (uint32_t)cut.pitch)
            + channel;
        if (d.act >= 0) sum = gtr__act(d.act, sum, d.act_a, d.act_b);
        if (d.add) {
            const gtr__floats<W> had = gtr__get_of<W>(d.y, d.type_y, at);
#pragma unroll
            for (int k = 0; k < W; k++) sum.v[k] += had.v[k];
        }
        gtr__put_of(d.y, d.type_y, at, sum);
    }
}
// dweight: block (i, s, t) sums the i-th range of places for 32 W channels and nine taps: each thread every so many-th
// place, then these in their order. Bound by bytes: x and dy once for nine taps.
template <int W> static __global__ void __launch_bounds__(256)
gtr__depthwise_dweight_kernel(const __grid_constant__ gtr__depthwise d, const __grid_constant__ gtr__conv_cut cut) {
    constexpr int N = GTR__DEPTHWISE_TAPS;
    __shared__ float part[256 * W];
    const gtr__conv_class y = gtr__conv_class_of<GTR__CONV_WEIGHT>(cut.y, 0),
        x = gtr__conv_class_of<GTR__CONV_WEIGHT>(cut.x, 0);
    const int taps = cut.y.kernel * cut.x.kernel, wide = W << d.log, first = (int)blockIdx.y * wide,
        channel = first + ((int)threadIdx.x & ((1 << d.log) - 1)) * W, begin = (int)blockIdx.z * N;
    const uint64_t rows = (uint64_t)((int64_t)cut.images * y.count * x.count);
    const uint32_t end = (uint32_t)(rows * (blockIdx.x + 1) / gridDim.x), step = 256u >> d.log;
    float sum[N][W] = {};
    gtr__enter();
    for (uint32_t i = (uint32_t)(rows * blockIdx.x / gridDim.x) + (threadIdx.x >> d.log);
            i < end && channel < cut.groups; i += step) {
        const gtr__conv_row r = gtr__conv_row_of(cut, y, x, i);
        const gtr__floats<W> dy = gtr__get_of<W>(d.dy, d.type_dy,
            (int64_t)((uint64_t)i * (uint32_t)cut.pitch) + channel);
        int line = begin / cut.x.kernel, column = begin - line * cut.x.kernel;
#pragma unroll
        for (int t = 0; t < N; t++) {
            const int at_y = r.y + line * y.tap, at_x = r.x + column * x.tap;
            const bool in = (uint32_t)at_y < (uint32_t)cut.y.from && (uint32_t)at_x < (uint32_t)cut.x.from
                && line < cut.y.kernel;
            const uint32_t pixel = r.pixel + (uint32_t)(line * y.tap) * (uint32_t)cut.x.from
                + (uint32_t)(column * x.tap);
            const gtr__floats<W> f = gtr__get_of<W>(in ? d.x : NULL, d.type_x,
                (int64_t)((uint64_t)pixel * (uint32_t)cut.pitch) + channel);
#pragma unroll
            for (int k = 0; k < W; k++) sum[t][k] = fmaf(dy.v[k], f.v[k], sum[t][k]);
            if (++column == cut.x.kernel) { column = 0; line++; }
        }
    }
#pragma unroll
    for (int t = 0; t < N; t++) {
#pragma unroll
        for (int k = 0; k < W; k++) part[threadIdx.x * W + k] = sum[t][k];
        __syncthreads();
        const int at = first + (int)threadIdx.x;
        if ((int)threadIdx.x < wide && at < cut.groups && begin + t < taps) {
            float all = 0;
            for (int i = (int)threadIdx.x; i < 256 * W; i += wide) all += part[i];
            ((float *)d.y)[((int64_t)blockIdx.x * cut.groups + at) * taps + begin + t] = all;
        }
        __syncthreads();
    }
}
// Threads along channels of a block, of which each has four or, else, one.
static int gtr__depthwise_log(int64_t channels, int per) {
    int log = 0;
    while (log < 5 && (int64_t)per << log < channels) log++;
    return log;
}
static bool gtr__depthwise_takes(const gtr__window *g) {
    return g->cg == 1 && g->og == 1 && g->kh * g->kw <= 64 && g->c <= 65535 * 32 && g->sh * g->sw <= 65535;
}
// In ranges of places for so many blocks.
static int64_t gtr__depthwise_ranges(const gtr__window *g, const gtr__caps *caps) {
    const int per = g->c % 4 ? 1 : 4, log = gtr__depthwise_log(g->c, per);
    const int64_t others = gtr__ceil(g->c, per << log) * gtr__ceil(g->kh * g->kw, GTR__DEPTHWISE_TAPS),
        want = 6 * (int64_t)caps->sm_count / others, most = g->n * g->oh * g->ow / ((256 >> log) * 8);
    return want < 1 || most < 1 ? 1 : want < most ? want : most;
}
static gtr_result gtr__depthwise_run(void *instance, const gtr__call *c, const gtr__window *g, gtr__depthwise d,
                                     int64_t ranges) {
    const bool four = g->c % 4 == 0 && gtr__fours(d.x, d.type_x) && gtr__fours(d.bias, d.type_bias)
        && gtr__fours(d.dy, d.type_dy) && gtr__fours(d.y, d.type_y);
    const int64_t classes = d.image ? g->sh * g->sw : 1, taps = g->kh * g->kw,
        rows = (d.image ? g->n * g->h * g->w : g->n * g->oh * g->ow) / classes;
    gtr__conv_cut cut;
    GTR__TRY(gtr__conv_cut_of(instance, g, d.image != 0, &cut));
    d.log = gtr__depthwise_log(g->c, four ? 4 : 1);
    const int64_t wide = (four ? 4 : 1) << d.log, slabs = gtr__ceil(g->c, wide);
    if (ranges) return GTR__LAUNCH(instance, c,
        (four ? gtr__depthwise_dweight_kernel<4> : gtr__depthwise_dweight_kernel<1>), dim3((unsigned)ranges,
        (unsigned)slabs, (unsigned)gtr__ceil(taps, GTR__DEPTHWISE_TAPS)), 256, 0, d, cut);
    const unsigned blocks = (unsigned)gtr__ceil(gtr__blocks(instance, rows, 256 >> d.log), slabs * classes);
    return GTR__LAUNCH(instance, c, (four ? gtr__depthwise_kernel<4> : gtr__depthwise_kernel<1>),
        dim3(blocks, (unsigned)slabs, (unsigned)classes), 256, (size_t)(taps * wide) * 4, d, cut);
}
static gtr_result gtr__depthwise_dweight(void *instance, const gtr__call *c, const gtr__window *g,
        const gtr__product &p, int64_t ranges) {
    const int64_t n = p.batch * p.n;
    gtr__depthwise d = {};
    d.x = p.b; d.type_x = p.type_b; d.dy = p.a; d.type_dy = p.type_a; d.y = c->ws;
    GTR__TRY(gtr__depthwise_run(instance, c, g, d, ranges));
    gtr__weights none = {};
    none.guard = gtr__watches(instance, c, p.c, NULL);
    return gtr__column_sums(instance, c, c->ws, GTR_F32, ranges, n, p.c, p.type_c, p.add, NULL, 0, none);
}

// Whether it is a product as it stands: one tap, that every pixel is under. (Of a transposed one there may be more.)
static bool gtr__conv_plain(const gtr__window *g) {
    return g->groups * g->kh * g->kw * g->sh * g->sw == 1 && !g->ph && !g->pw && g->h == g->oh && g->w == g->ow;
}
// y = the places of image x, or the image of places x.
static gtr_result gtr__conv_run(void *instance, const gtr__call *c, const gtr__window *g, bool image,
        const gtr__arg *x, const gtr__arg *bias, const gtr__arg *y) {
    const gtr__arg *w = &c->in[1];
    const int64_t k = g->kh * g->kw * g->cg;
    gtr__product p = gtr__product_none();
    if (!y->count && !c->measure) return GTR_OK;
    p.a = x->data; p.type_a = x->dtype; p.b = w->data; p.type_b = w->dtype;
    p.a_k = 1; p.b_k = !image;
    p.batch = g->groups;
    p.lda = image ? g->o : g->c; p.ldb = k; p.ldc = image ? g->c : g->o;
    p.a_batch = image ? g->og : g->cg; p.b_batch = g->og * k; p.c_batch = p.n = image ? g->cg : g->og;
    p.m = g->n * g->oh * g->ow; p.k = k;
    if (image) {                // the largest class's
        const gtr__conv_axis v = gtr__conv_axis_of(true, g->h, g->oh, g->kh, g->sh, g->ph, g->dh),
            u = gtr__conv_axis_of(true, g->w, g->ow, g->kw, g->sw, g->pw, g->dw);
        p.m = g->n * v.rows[0].by * u.rows[0].by;
        p.k = (int64_t)v.taps[0].by * u.taps[0].by * g->og;
        p.batch *= g->sh * g->sw;
    }
    if (bias) { p.bias = gtr__some(c, bias); p.type_bias = bias->dtype; }
    p.c = y->data; p.type_c = y->dtype; p.add = y->add;
    if (c->attr->i[10]) { p.act = (int)c->attr->i[10]; p.act_a = (float)c->attr->f[0]; p.act_b = (float)c->attr->f[1]; }
    if (gtr__depthwise_takes(g)) {
        const gtr__depthwise d = { p.a, p.b, p.bias, NULL, p.c, p.type_a, p.type_b, p.type_bias, 0, p.type_c, p.add,
            p.act, p.act_a, p.act_b, image, 0 };
        return c->measure ? GTR_OK : gtr__depthwise_run(instance, c, g, d, 0);
    }
    return gtr__conv_plain(g) ? gtr__product_run(instance, c, &p)
        : gtr__conv_product(instance, c, g, image ? GTR__CONV_IMAGE : GTR__CONV_PLACES, p);
}
static gtr_result gtr__conv_dweight(void *instance, const gtr__call *c, const gtr__window *g, const gtr__arg *image,
        const gtr__arg *places, const gtr__arg *dw, const gtr__arg *sums) {
    gtr__product p = gtr__product_none();
    p.m = g->og; p.n = g->kh * g->kw * g->cg; p.k = g->n * g->oh * g->ow; p.batch = g->groups;
    p.a = places->data; p.type_a = places->dtype; p.lda = g->o; p.a_batch = g->og;
    p.b = image->data; p.type_b = image->dtype; p.ldb = g->c; p.b_batch = g->cg;
    p.c = dw->data; p.type_c = dw->dtype; p.add = dw->add; p.ldc = p.n; p.c_batch = p.m * p.n;
    if (sums) { p.sums = gtr__some(c, sums); p.type_sums = sums->dtype; p.add_sums = sums->add; }
    p.guard = gtr__watches(instance, c, p.c, p.sums, true);
    gtr__caps own;
    const int64_t ranges = gtr__depthwise_takes(g) ? gtr__depthwise_ranges(g, gtr__caps_of(instance, c, &own)) : 0;
    const size_t bytes = (size_t)ranges * (size_t)dw->count * 4;
    if (ranges && c->measure) {
        if (bytes > *c->measure) *c->measure = bytes;
        return GTR_OK;
    }
    if (ranges && c->ws && c->ws_bytes >= bytes) return gtr__depthwise_dweight(instance, c, g, p, ranges);
    return gtr__conv_plain(g) && p.k ? gtr__product_run(instance, c, &p)
        : gtr__conv_product(instance, c, g, GTR__CONV_WEIGHT, p);
}
static gtr_result gtr__cuda_conv_fwd(void *instance, const gtr__call *c) {
    const gtr__window g = gtr__window_conv(c, &c->out[0]);
    if (c->measure) *c->measure = 0;
    return gtr__conv_run(instance, c, &g, c->attr->i[7] != 0, &c->in[0], c->n_in > 2 ? &c->in[2] : NULL, &c->out[0]);
}
// The bias's gradient, sums of dy over all but channels, comes with the weight's where dy are its rows of one group.
static gtr_result gtr__cuda_conv_bwd(void *instance, const gtr__call *c) {
    const gtr__arg *dy = &c->in[c->n_in - 1], *x = &c->in[0], *db = gtr__wanted(c, 2) ? &c->out[2] : NULL;
    const gtr__window g = gtr__window_conv(c, dy);
    const bool back = c->attr->i[7] != 0, beside = db && !back && g.groups == 1 && !gtr__depthwise_takes(&g);
    if (c->measure) *c->measure = 0;
    if (gtr__wanted(c, 0)) GTR__TRY(gtr__conv_run(instance, c, &g, !back, dy, NULL, &c->out[0]));
    if (gtr__wanted(c, 1)) {
        GTR__TRY(gtr__conv_dweight(instance, c, &g, back ? dy : x, back ? x : dy, &c->out[1], beside ? db : NULL));
        if (beside) return GTR_OK;
    }
    if (!db) return GTR_OK;
    const int64_t rows = dy->count / db->count;
    if (c->measure) {
        const int ranges = gtr__sum_ranges(rows, db->count, c->caps ? c->caps->sm_count : 1);
        const size_t bytes = ranges > 1 ? (size_t)ranges * (size_t)db->count * 4 : 0;
        if (bytes > *c->measure) *c->measure = bytes;
        return GTR_OK;
    }
    gtr__weights none = {};
    none.guard = gtr__watches(instance, c, db->data, NULL);
    return gtr__column_sums(instance, c, dy->data, dy->dtype, rows, db->count, db->data, db->dtype, db->add, c->ws,
                            c->ws_bytes, none);
}

// >>blocks
// What kernels whose blocks exchange are made of: words that carry their own arrival, and a barrier of the whole grid.
// Everybody who waits has the one deadline: a block that has polled in vain for long enough gives the
// launch up, and then all do.
//
//   publisher --st.relaxed, a word with the step's tag--> L2 <--ld.relaxed, again until the tag is there-- awaiter
//
// Polls in vain after which a block gives up: a second or so.
#define GTR__DEADLINE (1 << 21)
// The thread's index, read again: what is made of it takes no register from phase to phase.
static GTR__DEVICE int gtr__thread() {
    int i;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(i));
    return i;
}
static GTR__DEVICE void gtr__publish(uint32_t *p, uint32_t v) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "r"(v) : "memory");
}
static GTR__DEVICE void gtr__publish2(uint32_t *p, uint32_t a, uint32_t b) {
    asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};" :: "l"(__cvta_generic_to_global(p)), "r"(a),
        "r"(b) : "memory");
}
static GTR__DEVICE void gtr__publish4(uint32_t *p, uint4 v) {
    asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};"
        :: "l"(__cvta_generic_to_global(p)), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}
// Eight bytes that are one word.
static GTR__DEVICE void gtr__publish8(void *p, uint64_t v) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "l"(v) : "memory");
}
static GTR__DEVICE uint64_t gtr__poll8(const void *p) {
    uint64_t v;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p)) : "memory");
    return v;
}
// One, two or four words by one load.
static GTR__DEVICE void gtr__poll_words(uint32_t &v, const uint32_t *p) {
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p)) : "memory");
}
static GTR__DEVICE void gtr__poll_words(uint2 &v, const uint32_t *p) {
    asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(v.x),
        "=r"(v.y) : "l"(__cvta_generic_to_global(p)) : "memory");
}
static GTR__DEVICE void gtr__poll_words(uint4 &v, const uint32_t *p) {
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(__cvta_generic_to_global(p)) : "memory");
}
static GTR__DEVICE uint32_t gtr__poll(const uint32_t *p) { uint32_t v; gtr__poll_words(v, p); return v; }
static GTR__DEVICE uint4 gtr__poll4(const uint32_t *p) { uint4 v; gtr__poll_words(v, p); return v; }
static GTR__DEVICE void gtr__arrived_words(uint32_t &v, uint32_t tag) { v = tag; }
static GTR__DEVICE void gtr__arrived_words(uint2 &v, uint32_t tag) { v = make_uint2(tag, tag); }
static GTR__DEVICE void gtr__arrived_words(uint4 &v, uint32_t tag) {
    v = make_uint4(tag, tag, tag, tag);
}
static GTR__DEVICE uint32_t gtr__unlike_words(uint32_t v, uint32_t tag) { return v ^ tag; }
static GTR__DEVICE uint32_t gtr__unlike_words(const uint2 &v, uint32_t tag) {
    return (v.x ^ tag) | (v.y ^ tag);
}
static GTR__DEVICE uint32_t gtr__unlike_words(const uint4 &v, uint32_t tag) {
    return (v.x ^ tag) | (v.y ^ tag) | (v.z ^ tag) | (v.w ^ tag);
}
// A number as a word: float32 whose last two bits are cut, so that NaN stays NaN, and are the step's tag (bit 0) and a
// mark that the step before was bad (bit 1).
static GTR__DEVICE uint32_t gtr__word_pack(float v, uint32_t mark) {
    return (__float_as_uint(v) & ~3u) | mark;
}
static GTR__DEVICE void gtr__publish4(uint32_t *p, float a, float b, float c, float d, uint32_t mark) {
    gtr__publish4(p, make_uint4(gtr__word_pack(a, mark), gtr__word_pack(b, mark), gtr__word_pack(c, mark),
        gtr__word_pack(d, mark)));
}
static GTR__DEVICE float gtr__word_number(uint32_t u) { return __uint_as_float(u & ~3u); }
static GTR__DEVICE float4 gtr__word_numbers(const uint4 &u) {
    return make_float4(gtr__word_number(u.x), gtr__word_number(u.y), gtr__word_number(u.z), gtr__word_number(u.w));
}
template <int N> static GTR__DEVICE void gtr__publish(uint32_t *p, const float (&v)[N], uint32_t mark) {
    if constexpr (N == 2) gtr__publish2(p, gtr__word_pack(v[0], mark), gtr__word_pack(v[1], mark));
    else gtr__publish(p, gtr__word_pack(v[0], mark));
}
// A thread's state of waiting: the tag that words of this step have, marks that arrived with them, polls in vain.
struct gtr__waiting { uint32_t tag, bad; int turns; };
// N times four words (two, one), at(i) the i-th's address, until none is missing: all are polled at once, as loads that
// wait for each other cost a trip to L2 each. Those beyond n are the first again, or, FEW, are
// zeros that are not polled.
template <int N, bool FEW = false, typename V, typename F>
static GTR__DEVICE void gtr__await_words(V *v, int n, gtr__waiting &awaited, F at) {
    uint32_t all;
#pragma unroll
    for (int i = 0; FEW && i < N; i++) gtr__arrived_words(v[i], awaited.tag);
#pragma unroll 1
    do {
        all = 0;
#pragma unroll
        for (int i = 0; i < N; i++) if (!FEW || i < n) gtr__poll_words(v[i], at(i < n ? i : 0));
#pragma unroll
        for (int i = 0; i < N; i++) all |= gtr__unlike_words(v[i], awaited.tag);
    } while ((all & 1) && ++awaited.turns < GTR__DEADLINE);
    awaited.bad |= all & 2u;
}
static GTR__DEVICE uint32_t gtr__await_word(const uint32_t *p, gtr__waiting &awaited) {
    uint32_t u[1];
    gtr__await_words<1>(u, 1, awaited, [&](int) { return p; });
    return u[0];
}
// The grid's barrier is a count in a word of ctl. What a block wrote before it counted itself in is seen
// by whoever sees the count.
static GTR__DEVICE uint32_t gtr__poll_acquire(const uint32_t *p) {
    uint32_t v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p)) : "memory");
    return v;
}
static GTR__DEVICE void gtr__fence_gpu() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
static GTR__DEVICE void gtr__count_in(uint32_t *p) {
    gtr__fence_gpu();           // and so the count need not release once more
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" :: "l"(__cvta_generic_to_global(p)) : "memory");
}
// The count's highest bit says that the launch is abandoned: a block past its deadline sets it by compare-and-swap,
// while the count is short of what all wait for. So at a launch's last barrier, before which nobody writes what cannot
// be rolled back, either every block sees the count full or none ever does. The last block to leave
// reports that to the host.
#define GTR__ABANDONED 0x80000000u
// By one thread: until `target` blocks have counted themselves in since the launch began; turns: polls that were in
// vain before. False: the launch is abandoned.
static GTR__DEVICE bool gtr__grid_wait(uint32_t *ticket, uint32_t target, int turns) {
    uint32_t come;
    while ((int32_t)(come = gtr__poll_acquire(ticket)) < (int32_t)target)
        if ((come & GTR__ABANDONED)
            || (++turns >= GTR__DEADLINE && atomicCAS(ticket, come, come | GTR__ABANDONED) == come))
            return false;
    return true;
}
// A test's block that arrives at the last barrier when the others have abandoned it; by the thread that counts it in.
static GTR__DEVICE void gtr__grid_late(uint32_t *ticket, int late) {
    if (late != (int)blockIdx.x + 1) return;
    for (int turn = 0; turn < 4 * GTR__DEADLINE && !(gtr__poll_acquire(ticket) & GTR__ABANDONED); turn++) {}
}
// By one thread of the block that reports, before its first barrier: a snapshot of what an abandoned launch rolls back.
static GTR__DEVICE void gtr__grid_snapshot(gtr__ctl *ctl, uint64_t steps) {
    ctl->begun.step = ctl->step; ctl->begun.applied = ctl->applied; ctl->begun.launches = ctl->launches;
    ctl->begun.steps = steps; ctl->begun.scale = ctl->scale; ctl->begun.good = ctl->good;
}

// Which row of a data set of so many, in an epoch's order, a step's row r is, the step's first being the epoch's
// `first`; rows 0: r. half: GTR__SHUFFLE_IN's h, KNOWN.
template <bool KNOWN>
static GTR__DEVICE int64_t gtr__origin(int64_t r, const int64_t &rows, const int64_t &first, const uint64_t &key,
        const int &half = 0) {
    if (rows > 0) {
        r += first;
        if (r >= rows) r %= rows;       // never outside, whatever the record says
        if (key && KNOWN) GTR__SHUFFLE_IN(r, rows, key, half);
        else if (key) GTR__SHUFFLE(r, rows, key);
    }
    return r;
}

// >>ops
// Every op but the products. Tensors are float32, bfloat16 or float16 in any mix; arithmetic is float32. How they are
// stored is a branch that all threads take alike, around loads of four elements: it costs nothing beside the bytes, and
// one kernel serves every mix. Sums have an order that depends on shapes and the number of multiprocessors alone;
// counts of integers have none to keep.
// Workspace is not zeroed and streams may run two nodes of one op at once, so a sum too long for one launch ends in a
// second one; GUARD alone, of which there is one at a time, ends in its last block.

#define GTR__T 256              // threads a block where nothing else is said
#define GTR__BATCHED 2          // groups of four that a thread of an element-wise kernel has in flight, of each operand

// >>operands
// An operand as kernels see it. t is a gtr_dtype; integers that are only moved pass as GTR_F32, which keeps their bits.
typedef struct gtr__opd { void *p; int t, add; } gtr__opd;

static gtr__opd gtr__opd_of(const gtr__arg *a) {
    gtr__opd o;
    o.p = a ? a->data : NULL;
    o.t = a ? (int)a->dtype : (int)GTR_F32;
    o.add = a ? a->add : 0;
    return o;
}
// Whether four elements from p on may be loaded at once.
static bool gtr__wide(const void *p, int type) { return ((uintptr_t)p & (uintptr_t)(4 * gtr__elem(type) - 1)) == 0; }
static bool gtr__wide(gtr__opd o) { return gtr__wide(o.p, o.t); }
static int gtr__sms(const gtr__call *c) { return c->caps && c->caps->sm_count > 0 ? c->caps->sm_count : 64; }
static int64_t gtr__min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t gtr__max64(int64_t a, int64_t b) { return a > b ? a : b; }
static gtr_result gtr__measured(const gtr__call *c, size_t bytes) { *c->measure = bytes; return GTR_OK; }
// Blocks for so many threads' work; threads stride beyond 32 blocks a multiprocessor, some six rounds of what is
// resident at once, which keeps the last round's idle part small.
static unsigned gtr__grid(const gtr__call *c, int64_t items) {
    return (unsigned)gtr__max64(1, gtr__min64(gtr__ceil(items, GTR__T), (int64_t)gtr__sms(c) * 32));
}
// From least to most, of the first power of two that is n at least.
static int gtr__log_up(int64_t n, int least, int most) {
    while (least < most && (int64_t)1 << least < n) least++;
    return least;
}
static GTR__DEVICE int64_t gtr__quotient(int64_t a, int64_t b) {    // of numbers that are mostly small
    return ((uint64_t)a | (uint64_t)b) >> 32 ? a / b : (int64_t)((uint32_t)a / (uint32_t)b);
}
static GTR__DEVICE int64_t gtr__quotient_of(int64_t n, const gtr__fast &f) {
    return (uint64_t)n >> 31 ? n / f.by : (int64_t)gtr__quotient((uint32_t)n, f);
}
// Extents before, of and behind dimension axis.
static void gtr__around(const gtr_shape *s, int axis, int64_t *outer, int64_t *n, int64_t *inner) {
    *outer = *inner = 1;
    for (int d = 0; d < s->ndim; d++) *(d < axis ? outer : inner) *= d == axis ? 1 : s->dim[d];
    *n = axis < s->ndim ? s->dim[axis] : 1;
}

// n <= 4 elements from index i on as bits, not yet converted, so that a thread's loads do not wait for each
// other. n 4: i is aligned.
static GTR__DEVICE uint4 gtr__raw(const void *p, int t, int64_t i, int n) {
    uint4 r = make_uint4(0, 0, 0, 0);
    if (t == GTR_BF16 || t == GTR_F16) {
        const uint16_t *q = (const uint16_t *)p + i;
        if (n == 4) { uint2 s = *(const uint2 *)q; r.x = s.x; r.y = s.y; }
        else {
            r.x = q[0];
            if (n > 1) r.x |= (uint32_t)q[1] << 16;
            if (n > 2) r.y = q[2];
        }
    } else {
        const uint32_t *q = (const uint32_t *)p + i;
        if (n == 4) r = *(const uint4 *)q;
        else {
            r.x = q[0];
            if (n > 1) r.y = q[1];
            if (n > 2) r.z = q[2];
        }
    }
    return r;
}
static GTR__DEVICE void gtr__cook(uint4 r, int t, float *v) {
    if (t == GTR_F32) {
        v[0] = __uint_as_float(r.x); v[1] = __uint_as_float(r.y); v[2] = __uint_as_float(r.z);
        v[3] = __uint_as_float(r.w);
    } else if (t == GTR_BF16) {
        v[0] = __uint_as_float(r.x << 16); v[1] = __uint_as_float(r.x & 0xffff0000u);
        v[2] = __uint_as_float(r.y << 16); v[3] = __uint_as_float(r.y & 0xffff0000u);
    } else if (t == GTR_F16) {
        __half2 a, b;
        memcpy(&a, &r.x, 4);
        memcpy(&b, &r.y, 4);
        float2 lo = __half22float2(a), hi = __half22float2(b);
        v[0] = lo.x; v[1] = lo.y; v[2] = hi.x; v[3] = hi.y;
    } else {
        v[0] = (float)(int)r.x; v[1] = (float)(int)r.y; v[2] = (float)(int)r.z; v[3] = (float)(int)r.w;
    }
}
static GTR__DEVICE void gtr__take(const void *p, int t, int64_t i, int n, float *v) {
    gtr__cook(gtr__raw(p, t, i, n), t, v);
}
// N groups of W elements from x's at(u) on, which is a multiple of W, or zeros where it is negative. The type is asked
// for once.
template <typename T, int W> struct alignas(sizeof(T) * W) gtr__few { T v[W]; };
template <int W, int N, typename F> static GTR__DEVICE void gtr__take_all(const gtr__opd &x, float (&v)[N][W], F at) {
    GTR__BY_DTYPE(x.t, T, gtr__few<T, W> r[N];
#pragma unroll
        for (int u = 0; u < N; u++) {
            const int64_t i = at(u);
            memset(&r[u], 0, sizeof r[u]);
            if (i >= 0) r[u] = *(const gtr__few<T, W> *)((const T *)x.p + i);
        }
#pragma unroll
        for (int u = 0; u < N; u++)
#pragma unroll
            for (int k = 0; k < W; k++) v[u][k] = gtr__load(&r[u].v[k]););
}
// Stores n <= 4 elements, or adds them to what is there.
static GTR__DEVICE void gtr__give(gtr__opd o, int64_t i, int n, float *v) {
    if (o.add) {
        float w[4];
        gtr__take(o.p, o.t, i, n, w);
#pragma unroll
        for (int k = 0; k < 4; k++) v[k] = w[k] + v[k];
    }
    if (o.t == GTR_I32) {
#pragma unroll
        for (int k = 0; k < 4; k++) if (k < n) ((int32_t *)o.p)[i + k] = (int32_t)v[k];
    } else if (n == 4) gtr__put4(o.p, o.t, i, make_float4(v[0], v[1], v[2], v[3]));
    else {
#pragma unroll
        for (int k = 0; k < 3; k++) if (k < n) gtr__put(o.p, o.t, i + k, v[k]);
    }
}
static GTR__DEVICE float gtr__give1(gtr__opd o, int64_t i, float v) {
    if (o.add) v = gtr__get(o.p, o.t, i) + v;
    gtr__put(o.p, o.t, i, v);
    return v;
}

// A team is 1 to 32 neighbouring lanes, a power of two, or the whole block. All threads of the block call these; all
// get the result. scratch: 32 of shared memory, used by blocks only and free again on return.
static GTR__DEVICE float gtr__team_sum(float v, int team, float *scratch) {
    if (team > 32) return gtr__block_sum(v, scratch);
    for (int i = team >> 1; i; i >>= 1) v += __shfl_xor_sync(0xffffffffu, v, i);
    return v;
}
static GTR__DEVICE float gtr__team_max(float v, int team, float *scratch) {
    if (team > 32) return gtr__block_max(v, scratch);
    for (int i = team >> 1; i; i >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, i));
    return v;
}
// Threads a row of n elements is worth: at least 16 elements a lane; a block above 1024.
static int gtr__team(int64_t n, int64_t rows, int64_t sms) {
    int team = 1;
    if (n > 1024) return GTR__T;
    const int each = rows * gtr__ceil(n, 16) < sms * 2048 ? 4 : 16;     // of a lane: more where all are busy without
    while (team < 32 && (int64_t)team * each < n) team *= 2;
    return team;
}
// The gradient of a loss: given, or the constant seed times the loss scale.
static GTR__DEVICE float gtr__dloss(gtr__opd dy, float seed, const gtr__ctl *ctl) {
    return dy.p ? gtr__get(dy.p, dy.t, 0) : seed * (ctl ? ctl->scale : 1.0f);
}

// >>strides
// Where an element of a tensor of these dimensions lies in two others, slowest dimension first. Neighbours are
// merged, ones are dropped.
typedef struct gtr__dims { int n, small; int64_t dim[GTR_MAX_DIMS], sa[GTR_MAX_DIMS], sb[GTR_MAX_DIMS]; } gtr__dims;

// Strides of x broadcast to the shape y (aligned at the end): 0 where x has one element.
static void gtr__broadcast(const gtr_shape *x, const gtr_shape *y, int64_t *stride) {
    int64_t s = 1;
    for (int d = y->ndim - 1, k = x ? x->ndim - 1 : -1; d >= 0; d--, k--) {
        int64_t n = k >= 0 ? x->dim[k] : 1;
        stride[d] = n == 1 ? 0 : s;
        s *= n;
    }
}
static void gtr__dims_make(gtr__dims *m, const gtr_shape *y, const int64_t *sa, const int64_t *sb) {
    int64_t count = 1;
    int at = GTR_MAX_DIMS;      // filled from the fastest down, moved to the front at the end
    memset(m, 0, sizeof *m);
    for (int d = y->ndim - 1; d >= 0; d--) {
        if (y->dim[d] == 1) continue;
        count *= y->dim[d];
        if (at < GTR_MAX_DIMS && sa[d] == m->sa[at] * m->dim[at] && sb[d] == m->sb[at] * m->dim[at]) {
            m->dim[at] *= y->dim[d]; continue;
        }
        at--;
        m->dim[at] = y->dim[d]; m->sa[at] = sa[d]; m->sb[at] = sb[d];
    }
    if (at == GTR_MAX_DIMS) { at--; m->dim[at] = 1; }
    m->n = GTR_MAX_DIMS - at;
    for (int k = 0; k < m->n; k++) { m->dim[k] = m->dim[at + k]; m->sa[k] = m->sa[at + k]; m->sb[k] = m->sb[at + k]; }
    m->small = count < 0x7fffffff;
}
// Whether groups of four neighbours lie together (or are one element) everywhere.
static bool gtr__dims_wide(const gtr__dims *m, const int64_t *s) {
    if (m->dim[m->n - 1] % 4 || (s[m->n - 1] != 1 && s[m->n - 1] != 0)) return false;
    if (s[m->n - 1]) for (int k = 0; k < m->n - 1; k++) if (s[k] % 4) return false;
    return true;
}
static GTR__DEVICE void gtr__dims_at(const gtr__dims &m, int64_t i, int64_t *a, int64_t *b) {
    int64_t oa = 0, ob = 0;
    int k = m.n - 1;
    if (m.small) {
        uint32_t r = (uint32_t)i;
        for (; k > 0; k--) {
            uint32_t q = r / (uint32_t)m.dim[k], e = r - q * (uint32_t)m.dim[k];
            oa += e * m.sa[k]; ob += e * m.sb[k];
            r = q;
        }
        i = r;
    } else {
        for (; k > 0; k--) {
            int64_t q = i / m.dim[k], e = i - q * m.dim[k];
            oa += e * m.sa[k]; ob += e * m.sb[k];
            i = q;
        }
    }
    *a = oa + i * m.sa[0]; *b = ob + i * m.sb[0];
}

// >>map
// y (+)= act(a) or a op b element by element, a and b read through strides. op, act -1: none. Serves the unary and
// binary ops, copies, casts and broadcasts. Bound by bytes: storage of a, b and y per element, once each where not
// broadcast. In place over a or b where those are not broadcast: a thread has read what it writes.
typedef struct gtr__map {
    gtr__opd a, b, y; gtr__dims d; int64_t count; int width, linear, op, act; float f0, f1;
} gtr__map;

static GTR__DEVICE void gtr__binary4(int op, float *x, const float *w) {
#define GTR__CASE(ID, name, forward, da, db) case GTR__OP_##ID: _Pragma("unroll") for (int k = 0; k < 4; k++) { \
    float a = x[k], b = w[k]; x[k] = forward; } break;
    switch (op) { GTR__BINARY(GTR__CASE) default: break; }
#undef GTR__CASE
}
// RARE: of any op, by a call, which a kernel for the others is better without.
template <bool RARE> static GTR__DEVICE void gtr__unary4(int op, float *v, float a, float b) {
    (void)a; (void)b;
    if constexpr (RARE) {
        const gtr__floats<4> y = gtr__act<4>(op, { { v[0], v[1], v[2], v[3] } }, a, b);
        v[0] = y.v[0]; v[1] = y.v[1]; v[2] = y.v[2]; v[3] = y.v[3];
    } else
#define GTR__CASE(ID, name, forward, backward) case GTR__OP_##ID: _Pragma("unroll") for (int k = 0; k < 4; k++) { \
    float x = v[k]; v[k] = forward; } break;
    switch (op) { GTR__KNOWN(GTR__CASE) default: break; }
#undef GTR__CASE
}
template <bool RARE>
static GTR__DEVICE void gtr__unary4_bwd(int op, float *g, const float *s, float a, float b) {
    (void)a; (void)b;
    if constexpr (RARE) {
        const gtr__floats<4> d = gtr__dact<4>(op, { { g[0], g[1], g[2], g[3] } }, { { s[0], s[1], s[2], s[3] } }, a, b);
        g[0] = d.v[0]; g[1] = d.v[1]; g[2] = d.v[2]; g[3] = d.v[3];
    } else
#define GTR__CASE(ID, name, forward, backward) \
    case GTR__OP_##ID: _Pragma("unroll") for (int k = 0; k < 4; k++) { \
        [[maybe_unused]] float dy = g[k], x = s[k], y = s[k]; g[k] = backward; } break;
    switch (op) { GTR__KNOWN(GTR__CASE) default: break; }
#undef GTR__CASE
}

template <bool STRIDED, bool RARE> static __global__ void __launch_bounds__(GTR__T) gtr__k_map(const gtr__map m) {
    gtr__enter();
    int64_t groups = (m.count + m.width - 1) / m.width, step = (int64_t)gridDim.x * GTR__T;
    bool ia = !STRIDED || m.d.sa[m.d.n - 1] != 0, ib = !STRIDED || m.d.sb[m.d.n - 1] != 0;
    for (int64_t g = (int64_t)blockIdx.x * GTR__T + threadIdx.x; g < groups; g += GTR__BATCHED * step) {
        uint4 ra[GTR__BATCHED], rb[GTR__BATCHED];
#pragma unroll
        for (int u = 0; u < GTR__BATCHED; u++) {
            int64_t i = (g + u * step) * m.width, left = m.count - i, oa = i, ob = i;
            int n = left < m.width ? (int)left : m.width;
            if (left <= 0) continue;
            if (STRIDED) gtr__dims_at(m.d, i, &oa, &ob);
            ra[u] = gtr__raw(m.a.p, m.a.t, oa, ia ? n : 1);
            if (m.op >= 0) rb[u] = gtr__raw(m.b.p, m.b.t, ob, ib ? n : 1);
        }
#pragma unroll
        for (int u = 0; u < GTR__BATCHED; u++) {
            int64_t i = (g + u * step) * m.width, left = m.count - i;
            int n = left < m.width ? (int)left : m.width;
            float x[4], w[4];
            if (left <= 0) continue;
            gtr__cook(ra[u], m.a.t, x);
            if (!ia) x[1] = x[2] = x[3] = x[0];
            if (m.op >= 0) {
                gtr__cook(rb[u], m.b.t, w);
                if (!ib) w[1] = w[2] = w[3] = w[0];
                gtr__binary4(m.op, x, w);
            }
            gtr__unary4<RARE>(m.act, x, m.f0, m.f1);
            gtr__give(m.y, i, n, x);
        }
    }
}
// dims NULL: a and b are laid out like y. Else strides are set in m->d.
static gtr_result gtr__map_run(void *instance, const gtr__call *c, gtr__map *m) {
    bool wide = gtr__wide(m->a) && gtr__wide(m->b) && gtr__wide(m->y);
    if (m->count == 0) return GTR_OK;
    if (m->d.n == 0) { m->d.n = 1; m->d.dim[0] = m->count; m->d.sa[0] = m->d.sb[0] = 1; m->d.small = 1; }
    if (m->op < 0) for (int k = 0; k < m->d.n; k++) m->d.sb[k] = 0;
    m->linear = m->d.n == 1 && m->d.sa[0] == 1 && (m->op < 0 || m->d.sb[0] == 1);
    m->width = wide && (m->linear || (gtr__dims_wide(&m->d, m->d.sa) && gtr__dims_wide(&m->d, m->d.sb))) ? 4 : 1;
    unsigned grid = gtr__grid(c, gtr__ceil(m->count, m->width));
    const bool rare = m->act >= 0 && !gtr__known(m->act);
    return GTR__LAUNCH(instance, c, (m->linear ? rare ? gtr__k_map<false, true> : gtr__k_map<false, false>
        : rare ? gtr__k_map<true, true> : gtr__k_map<true, false>), grid, GTR__T, 0, *m);
}
// y (+)= act(a), alike in layout: copies, casts, unary ops.
static gtr_result gtr__map_one(void *instance, const gtr__call *c, const gtr__arg *a, const gtr__arg *y, int act,
        double f0, double f1) {
    gtr__map m;
    memset(&m, 0, sizeof m);
    if (!y->data) return GTR_OK;
    m.a = gtr__opd_of(a); m.y = gtr__opd_of(y);
    m.b.t = GTR_F32;
    m.count = y->count; m.op = -1; m.act = act; m.f0 = (float)f0; m.f1 = (float)f1;
    if (m.a.t == GTR_I32 && m.y.t == GTR_I32) m.a.t = m.y.t = GTR_F32;
    return gtr__map_run(instance, c, &m);
}

// >>unary
// dx (+)= f(dy, x or y). Bound by bytes: dy, the one value that the row names, and dx.
typedef struct gtr__grad1 { gtr__opd dy, x, y, dx; int64_t count; int width, op; float f0, f1; } gtr__grad1;

template <bool RARE> static __global__ void __launch_bounds__(GTR__T) gtr__k_unary_bwd(const gtr__grad1 m) {
    gtr__enter();
    int64_t groups = (m.count + m.width - 1) / m.width, step = (int64_t)gridDim.x * GTR__T;
    for (int64_t g = (int64_t)blockIdx.x * GTR__T + threadIdx.x; g < groups; g += GTR__BATCHED * step) {
        uint4 rg[GTR__BATCHED], rs[GTR__BATCHED];
#pragma unroll
        for (int u = 0; u < GTR__BATCHED; u++) {
            int64_t i = (g + u * step) * m.width, left = m.count - i;
            int n = left < m.width ? (int)left : m.width;
            if (left <= 0) continue;
            rg[u] = gtr__raw(m.dy.p, m.dy.t, i, n);
            rs[u] = make_uint4(0, 0, 0, 0);
            if (m.x.p) rs[u] = gtr__raw(m.x.p, m.x.t, i, n);
            else if (m.y.p) rs[u] = gtr__raw(m.y.p, m.y.t, i, n);
        }
#pragma unroll
        for (int u = 0; u < GTR__BATCHED; u++) {
            int64_t i = (g + u * step) * m.width, left = m.count - i;
            int n = left < m.width ? (int)left : m.width;
            float v[4], s[4];
            if (left <= 0) continue;
            gtr__cook(rg[u], m.dy.t, v);
            gtr__cook(rs[u], m.x.p ? m.x.t : m.y.t, s);
            gtr__unary4_bwd<RARE>(m.op, v, s, m.f0, m.f1);
            gtr__give(m.dx, i, n, v);
        }
    }
}

#define GTR__OP_NEEDS(ID, name, nout, ndiff, cls, needs, flags, f, b) (uint32_t)(needs),
static const uint32_t gtr__cuda_needs[GTR__OP_COUNT] = { GTR__OPS(GTR__OP_NEEDS) };     // what backward reads

static gtr_result gtr__unary_run_bwd(void *instance, const gtr__call *c, int op) {
    gtr__grad1 m;
    memset(&m, 0, sizeof m);
    if (!c->out[0].data || c->out[0].count == 0) return GTR_OK;
    m.dy = gtr__opd_of(&c->in[2]); m.dx = gtr__opd_of(&c->out[0]);
    m.x.t = m.y.t = GTR_F32;
    if (gtr__cuda_needs[op] & GTR__X0) m.x = gtr__opd_of(&c->in[0]);
    if (gtr__cuda_needs[op] & GTR__Y0) m.y = gtr__opd_of(&c->in[1]);
    m.count = c->out[0].count; m.op = op; m.f0 = (float)c->attr->f[0]; m.f1 = (float)c->attr->f[1];
    m.width = gtr__wide(m.dy) && gtr__wide(m.x) && gtr__wide(m.y) && gtr__wide(m.dx) ? 4 : 1;
    return GTR__LAUNCH(instance, c, (gtr__known(op) ? gtr__k_unary_bwd<false> : gtr__k_unary_bwd<true>),
        gtr__grid(c, gtr__ceil(m.count, m.width)), GTR__T, 0, m);
}

// >>op:scale
// >>op:relu
// >>op:tanh
// >>op:sigmoid
// >>op:gelu
// >>op:gelu_tanh
// >>op:exp
// >>op:log
// >>op:unary
#define GTR__UNARY_LAUNCHERS(ID, name, forward, backward) \
    static gtr_result gtr__cuda_##name##_fwd(void *instance, const gtr__call *c) \
    { return gtr__map_one(instance, c, &c->in[0], &c->out[0], GTR__OP_##ID, c->attr->f[0], c->attr->f[1]); } \
    static gtr_result gtr__cuda_##name##_bwd(void *instance, const gtr__call *c) \
    { return gtr__unary_run_bwd(instance, c, GTR__OP_##ID); }
GTR__UNARY(GTR__UNARY_LAUNCHERS)

// >>reduce
// out[o] (+)= sum over r of value(o, r) / div, o over the kept dimensions, r over the summed ones. Operands: 0 and 3
// laid out like the full tensor, 1 and 2 broadcast to it. Bound by bytes: each operand once. Kept dimensions innermost:
// threads side by side take neighbouring outputs; summed ones innermost: a team takes an output. Few outputs and many
// terms: the terms are cut into S pieces, whose sums part[o][s] a second kernel adds.
#define GTR__VALUE_ENUM(ID, name, forward, da, db) GTR__VALUE_##ID##_A, GTR__VALUE_##ID##_B,
enum { GTR__VALUE_X, GTR__BINARY(GTR__VALUE_ENUM) GTR__VALUE_NORM };

typedef struct gtr__red {
    const void *p[4];
    int t[4];
    int nk, nr, small;
    // strides: full, operand 1, operand 2
    int64_t kd[GTR_MAX_DIMS], rd[GTR_MAX_DIMS], ks[GTR_MAX_DIMS][3], rs[GTR_MAX_DIMS][3];
    int64_t kept, terms, per;       // per: terms a piece
    int pieces, kind, team, columns;// team: threads an output; columns: outputs side by side, 0 for the team form
    float div;
    gtr__opd out;
    float *part;
} gtr__red;

static GTR__DEVICE void gtr__red_at(int n, int small, const int64_t *dim, const int64_t (*s)[3],
        int64_t i, int64_t *o) {
    o[0] = o[1] = o[2] = 0;
    for (int k = n - 1; k >= 0; k--) {
        int64_t e = i;
        if (k > 0) {
            int64_t q = small ? (int64_t)((uint32_t)i / (uint32_t)dim[k]) : i / dim[k];
            e = i - q * dim[k];
            i = q;
        }
        o[0] += e * s[k][0]; o[1] += e * s[k][1]; o[2] += e * s[k][2];
    }
}
static GTR__DEVICE float gtr__red_formula(int kind, float dy, float a, float b, float y) {
#define GTR__CASE(ID, name, forward, da, db) case GTR__VALUE_##ID##_A: return da; case GTR__VALUE_##ID##_B: return db;
    switch (kind) {
    GTR__BINARY(GTR__CASE)
    case GTR__VALUE_NORM: return dy * ((y - a) * b);    // of a row with mean a and rstd b
    default: return dy;
    }
#undef GTR__CASE
}
// PLAIN: operand 0 is the only one.
template <bool PLAIN>
static GTR__DEVICE float gtr__red_value(const gtr__red &m, const int64_t *k, int64_t r) {
    int64_t o[3];
    gtr__red_at(m.nr, m.small, m.rd, m.rs, r, o);
    float dy = gtr__get(m.p[0], m.t[0], k[0] + o[0]), a = 0.0f, b = 0.0f, y = 0.0f;
    if (!PLAIN && m.p[1]) a = gtr__get(m.p[1], m.t[1], k[1] + o[1]);
    if (!PLAIN && m.p[2]) b = gtr__get(m.p[2], m.t[2], k[2] + o[2]);
    if (!PLAIN && m.p[3]) y = gtr__get(m.p[3], m.t[3], k[0] + o[0]);
    return gtr__red_formula(m.kind, dy, a, b, y);
}
static GTR__DEVICE void gtr__red_end(const gtr__red &m, int64_t o, float v) {
    if (m.pieces > 1) m.part[o * m.pieces + blockIdx.y] = v;
    else gtr__give1(m.out, o, v / m.div);
}
// Several running sums keep several loads in flight.
template <bool PLAIN>
static GTR__DEVICE float gtr__red_run(const gtr__red &m, const int64_t *k, int64_t r,
        int64_t end, int64_t step) {
    const int N = PLAIN ? 8 : 4;
    float s[N] = { 0.0f }, v[N];
    if (PLAIN && m.nr == 1 && m.t[0] == GTR_F32) {      // what most sums are: no branch between the loads
        const float *x = (const float *)m.p[0] + k[0];
        int64_t stride = m.rs[0][0];
        for (; r + (N - 1) * step < end; r += N * step) {
#pragma unroll
            for (int u = 0; u < N; u++) v[u] = x[(r + u * step) * stride];
#pragma unroll
            for (int u = 0; u < N; u++) s[u] += gtr__red_formula(m.kind, v[u], 0.0f, 0.0f, 0.0f);
        }
    }
    for (; r + (N - 1) * step < end; r += N * step) {
#pragma unroll
        for (int u = 0; u < N; u++) v[u] = gtr__red_value<PLAIN>(m, k, r + u * step);
#pragma unroll
        for (int u = 0; u < N; u++) s[u] += v[u];
    }
    for (; r < end; r += step) s[0] += gtr__red_value<PLAIN>(m, k, r);
#pragma unroll
    for (int half = N / 2; half; half /= 2) {
#pragma unroll
        for (int u = 0; u < half; u++) s[u] += s[u + half];
    }
    return s[0];
}
template <bool PLAIN> static __global__ void __launch_bounds__(1024) gtr__k_reduce_team(const gtr__red m) {
    __shared__ float scratch[32];
    gtr__enter();
    int64_t o = (int64_t)blockIdx.x * (blockDim.x / m.team) + threadIdx.x / m.team, k[3], begin = blockIdx.y * m.per;
    float v = 0.0f;
    if (o < m.kept) {
        gtr__red_at(m.nk, m.small, m.kd, m.ks, o, k);
        v = gtr__red_run<PLAIN>(m, k, begin + threadIdx.x % m.team,
            begin + m.per < m.terms ? begin + m.per : m.terms, m.team);
    }
    v = gtr__team_sum(v, m.team, scratch);
    if (o < m.kept && threadIdx.x % m.team == 0) gtr__red_end(m, o, v);
}
template <bool PLAIN> static __global__ void __launch_bounds__(512) gtr__k_reduce_columns(const gtr__red m) {
    __shared__ float sum[512];
    gtr__enter();
    int rows = 512 / m.columns, column = (int)threadIdx.x % m.columns, row = (int)threadIdx.x / m.columns;
    int64_t o = (int64_t)blockIdx.x * m.columns + column, k[3], begin = blockIdx.y * m.per;
    float v = 0.0f;
    if (o < m.kept) {
        gtr__red_at(m.nk, m.small, m.kd, m.ks, o, k);
        v = gtr__red_run<PLAIN>(m, k, begin + row, begin + m.per < m.terms ? begin + m.per : m.terms, rows);
    }
    sum[threadIdx.x] = v;
    for (int half = rows / 2; half; half /= 2) {
        __syncthreads();
        if (row < half) sum[threadIdx.x] += sum[threadIdx.x + half * m.columns];
    }
    if (o < m.kept && row == 0) gtr__red_end(m, o, sum[threadIdx.x]);
}
// A warp adds an output's pieces.
static __global__ void __launch_bounds__(GTR__T)
        gtr__k_reduce_pieces(const float *part, int64_t kept, int pieces, float div, gtr__opd out) {
    gtr__enter();
    int64_t o = (int64_t)blockIdx.x * (GTR__T / 32) + threadIdx.x / 32;
    float v = 0.0f;
    if (o >= kept) return;
    for (int s = (int)threadIdx.x % 32; s < pieces; s += 32) v += part[o * pieces + s];
    v = gtr__warp_sum(v);
    if (threadIdx.x % 32 == 0) gtr__give1(out, o, v / div);
}
// Sets dimensions and how the work is cut, from shapes and the number of multiprocessors alone. reduced: bit d for
// dimension d of full.
static void gtr__red_make(gtr__red *m, const gtr__call *c, const gtr_shape *full, uint32_t reduced, const gtr_shape *a,
        const gtr_shape *b) {
    int64_t s[3][GTR_MAX_DIMS], dim[GTR_MAX_DIMS], st[GTR_MAX_DIMS][3];
    int kept[GTR_MAX_DIMS], n = 0, sms = gtr__sms(c);
    memset(m, 0, sizeof *m);
    gtr__broadcast(full, full, s[0]);
    gtr__broadcast(a, full, s[1]);
    gtr__broadcast(b, full, s[2]);
    m->kept = m->terms = 1;
    for (int d = full->ndim - 1; d >= 0; d--) {         // fastest first
        int keep = !(reduced >> d & 1);
        if (full->dim[d] == 1) continue;
        *(keep ? &m->kept : &m->terms) *= full->dim[d];
        if (n && kept[n - 1] == keep && s[0][d] == st[n - 1][0] * dim[n - 1] && s[1][d] == st[n - 1][1] * dim[n - 1] &&
            s[2][d] == st[n - 1][2] * dim[n - 1]) { dim[n - 1] *= full->dim[d]; continue; }
        dim[n] = full->dim[d]; kept[n] = keep;
        for (int j = 0; j < 3; j++) st[n][j] = s[j][d];
        n++;
    }
    for (int i = n - 1; i >= 0; i--) {
        int at = kept[i] ? m->nk++ : m->nr++;
        (kept[i] ? m->kd : m->rd)[at] = dim[i];
        for (int j = 0; j < 3; j++) (kept[i] ? m->ks : m->rs)[at][j] = st[i][j];
    }
    m->small = m->kept < 0x7fffffff && m->terms < 0x7fffffff;
    m->pieces = 1; m->per = m->terms; m->div = 1.0f;
    if (n && kept[0]) {
        m->columns = 32;
        while (m->columns > 1 && m->columns / 2 >= m->kept) m->columns /= 2;
        while (m->columns > 8 && gtr__ceil(m->kept, m->columns) < sms) m->columns /= 2;
        int64_t rows = 512 / m->columns, blocks = gtr__ceil(m->kept, m->columns);
        if (m->terms > rows * 64 && blocks < 2 * sms)
            m->pieces = (int)gtr__min64(gtr__min64(gtr__ceil(m->terms, rows * 16), gtr__ceil(4 * sms, blocks)), 512);
    } else {
        m->team = m->terms > 1024 ? (m->kept == 1 ? 1024 : GTR__T) : gtr__team(m->terms, m->kept, sms);
        if (m->terms > (int64_t)m->team * 16 && m->terms > 1024 && m->kept < 2 * sms)
            m->pieces = (int)gtr__min64(
                gtr__min64(gtr__ceil(m->terms, (int64_t)m->team * 8), gtr__ceil(4 * sms, m->kept)), 1024);
    }
    if (m->pieces > 1) {
        m->per = gtr__ceil(m->terms, m->pieces);
        m->pieces = (int)gtr__ceil(m->terms, m->per);
    }
}
static size_t gtr__red_bytes(const gtr__red *m) {
    return m->pieces > 1 ? (size_t)m->kept * (size_t)m->pieces * sizeof(float) : 0;
}

static gtr_result gtr__red_launch(void *instance, const gtr__call *c, gtr__red *m) {
    gtr_result r;
    m->part = (float *)c->ws;
    if (m->pieces > 1 && c->ws_bytes < gtr__red_bytes(m))
        return gtr__fail(instance, GTR_ERR_STATE, "sum: workspace of %zu bytes is too small", c->ws_bytes);
    if (m->kept == 0) return GTR_OK;
    bool plain = !m->p[1] && !m->p[2] && !m->p[3];
    int threads = m->columns ? 512 : m->team > GTR__T ? m->team : GTR__T;
    dim3 grid((unsigned)gtr__ceil(m->kept, m->columns ? m->columns : threads / m->team), (unsigned)m->pieces);
    if (m->columns) r = plain ? GTR__LAUNCH(instance, c, gtr__k_reduce_columns<true>, grid, threads, 0, *m)
        : GTR__LAUNCH(instance, c, gtr__k_reduce_columns<false>, grid, threads, 0, *m);
    else r = plain ? GTR__LAUNCH(instance, c, gtr__k_reduce_team<true>, grid, threads, 0, *m)
        : GTR__LAUNCH(instance, c, gtr__k_reduce_team<false>, grid, threads, 0, *m);
    if (r || m->pieces == 1) return r;
    return GTR__LAUNCH(instance, c, gtr__k_reduce_pieces, (unsigned)gtr__ceil(m->kept, GTR__T / 32), GTR__T, 0, m->part,
        m->kept, m->pieces, m->div, m->out);
}

// >>binary
// da (+)= f(dy, a, b, y) and db likewise, for inputs that are not broadcast. Bound by bytes: dy, what
// the row names, da and db.
typedef struct gtr__grad2 {
    gtr__opd dy, a, b, y, da, db; gtr__dims d; int64_t count; int width, linear, op;
} gtr__grad2;

static GTR__DEVICE void gtr__binary4_bwd(int op, int side, const float *g, const float *s,
        const float *t, const float *f, float *d) {
#define GTR__CASE(ID, name, forward, da, db) \
    case GTR__OP_##ID: _Pragma("unroll") for (int k = 0; k < 4; k++) { \
        [[maybe_unused]] float dy = g[k], a = s[k], b = t[k], y = f[k]; d[k] = side ? db : da; } break;
    switch (op) { GTR__BINARY(GTR__CASE) default: break; }
#undef GTR__CASE
}
static __global__ void __launch_bounds__(GTR__T) gtr__k_binary_bwd(const gtr__grad2 m) {
    gtr__enter();
    int64_t groups = (m.count + m.width - 1) / m.width, step = (int64_t)gridDim.x * GTR__T;
    int na = (int)(m.d.sa[m.d.n - 1] != 0), nb = (int)(m.d.sb[m.d.n - 1] != 0);
    for (int64_t g = (int64_t)blockIdx.x * GTR__T + threadIdx.x; g < groups; g += step) {
        int64_t i = g * m.width, oa = i, ob = i;
        int n = m.count - i < m.width ? (int)(m.count - i) : m.width;
        uint4 rg, ra = make_uint4(0, 0, 0, 0), rb = ra, ry = ra;
        float v[4], a[4], b[4], y[4], d[4];
        if (!m.linear) gtr__dims_at(m.d, i, &oa, &ob);
        rg = gtr__raw(m.dy.p, m.dy.t, i, n);
        if (m.a.p) ra = gtr__raw(m.a.p, m.a.t, oa, na ? n : 1);
        if (m.b.p) rb = gtr__raw(m.b.p, m.b.t, ob, nb ? n : 1);
        if (m.y.p) ry = gtr__raw(m.y.p, m.y.t, i, n);
        gtr__cook(rg, m.dy.t, v); gtr__cook(ra, m.a.t, a); gtr__cook(rb, m.b.t, b); gtr__cook(ry, m.y.t, y);
        if (!na) a[1] = a[2] = a[3] = a[0];
        if (!nb) b[1] = b[2] = b[3] = b[0];
        if (m.da.p) { gtr__binary4_bwd(m.op, 0, v, a, b, y, d); gtr__give(m.da, i, n, d); }
        if (m.db.p) { gtr__binary4_bwd(m.op, 1, v, a, b, y, d); gtr__give(m.db, i, n, d); }
    }
}
static gtr_result gtr__binary_run_fwd(void *instance, const gtr__call *c, int op) {
    gtr__map m;
    int64_t sa[GTR_MAX_DIMS], sb[GTR_MAX_DIMS];
    if (c->measure) return gtr__measured(c, 0);
    memset(&m, 0, sizeof m);
    m.a = gtr__opd_of(&c->in[0]); m.b = gtr__opd_of(&c->in[1]); m.y = gtr__opd_of(&c->out[0]);
    m.count = c->out[0].count; m.op = op; m.act = -1;
    gtr__broadcast(&c->in[0].shape, &c->out[0].shape, sa);
    gtr__broadcast(&c->in[1].shape, &c->out[0].shape, sb);
    gtr__dims_make(&m.d, &c->out[0].shape, sa, sb);
    return gtr__map_run(instance, c, &m);
}
// in: a, b, y, dy; out: da, db.
static gtr_result gtr__binary_run_bwd(void *instance, const gtr__call *c, int op, int value) {
    gtr__grad2 m;
    const gtr_shape *full = &c->in[3].shape;
    uint32_t needs = gtr__cuda_needs[op];
    size_t most = 0;
    gtr_result r = GTR_OK;
    memset(&m, 0, sizeof m);
    m.dy = gtr__opd_of(&c->in[3]);
    m.a.t = m.b.t = m.y.t = m.da.t = m.db.t = GTR_F32;
    if (needs & GTR__X0) m.a = gtr__opd_of(&c->in[0]);
    if (needs & GTR__X1) m.b = gtr__opd_of(&c->in[1]);
    if (needs & GTR__Y0) m.y = gtr__opd_of(&c->in[2]);
    m.count = c->in[3].count;
    if (m.count == 0) return c->measure ? gtr__measured(c, 0) : GTR_OK;
    for (int side = 0; side < 2 && !r; side++) {
        const gtr__arg *out = side < c->n_out ? &c->out[side] : NULL;
        uint32_t reduced = 0;
        gtr__red s;
        if (!out || (!out->data && !c->measure)) continue;
        if (out->count == m.count) { *(side ? &m.db : &m.da) = gtr__opd_of(out); continue; }
        for (int d = full->ndim - 1, k = out->shape.ndim - 1; d >= 0; d--, k--)
            if (full->dim[d] != 1 && (k < 0 || out->shape.dim[k] == 1)) reduced |= 1u << d;
        gtr__red_make(&s, c, full, reduced, &c->in[0].shape, &c->in[1].shape);
        if (c->measure) { if (most < gtr__red_bytes(&s)) most = gtr__red_bytes(&s); continue; }
        s.p[0] = m.dy.p; s.p[1] = m.a.p; s.p[2] = m.b.p; s.p[3] = m.y.p;
        s.t[0] = m.dy.t; s.t[1] = m.a.t; s.t[2] = m.b.t; s.t[3] = m.y.t;
        s.kind = value + side; s.out = gtr__opd_of(out);
        r = gtr__red_launch(instance, c, &s);
    }
    if (c->measure) return gtr__measured(c, most);
    if (r || (!m.da.p && !m.db.p)) return r;
    int64_t sa[GTR_MAX_DIMS], sb[GTR_MAX_DIMS];
    gtr__broadcast(&c->in[0].shape, full, sa);
    gtr__broadcast(&c->in[1].shape, full, sb);
    gtr__dims_make(&m.d, full, sa, sb);
    m.op = op;
    m.linear = m.d.n == 1 && (m.d.sa[0] == 1 || !m.a.p) && (m.d.sb[0] == 1 || !m.b.p);
    m.width = gtr__wide(m.dy) && gtr__wide(m.a) && gtr__wide(m.b) && gtr__wide(m.y) && gtr__wide(m.da)
        && gtr__wide(m.db) && (m.linear || (gtr__dims_wide(&m.d, m.d.sa) && gtr__dims_wide(&m.d, m.d.sb))) ? 4 : 1;
    return GTR__LAUNCH(instance, c, gtr__k_binary_bwd, gtr__grid(c, gtr__ceil(m.count, m.width)), GTR__T, 0, m);
}

// >>op:add
// >>op:sub
// >>op:mul
// >>op:div
// >>op:binary
#define GTR__BINARY_LAUNCHERS(ID, name, forward, da, db) \
    static gtr_result gtr__cuda_##name##_fwd(void *instance, const gtr__call *c) { \
        return gtr__binary_run_fwd(instance, c, GTR__OP_##ID); } \
    static gtr_result gtr__cuda_##name##_bwd(void *instance, const gtr__call *c) \
    { return gtr__binary_run_bwd(instance, c, GTR__OP_##ID, GTR__VALUE_##ID##_A); }
GTR__BINARY(GTR__BINARY_LAUNCHERS)

// >>program
// A program's steps for four elements a thread at a time, which all threads of the launch take alike. What it loads and
// makes is in slots of shared memory, each thread's own, so that no barrier is needed and a slot's number may be any.
// Bound by bytes: what is loaded and stored, once.
typedef struct gtr__program_step {
    gtr__opd out;
    int16_t kind, op, side, storage;
    int8_t dy, a, b, y, to, band;   // band: 1 + which of at; 0: out lies as the elements go
    float f0, f1;
    int64_t line, row0;         // of what draws: elements of a row, first row
    uint64_t key;
} gtr__program_step;
typedef struct gtr__program_kernel {
    int loads, steps, width;
    int64_t count;
    const gtr__ctl *ctl;
    int slot[GTR__PROGRAM_LOADS];
    gtr__opd load[GTR__PROGRAM_LOADS];
    gtr__dims at[GTR__PROGRAM_SLOTS];   // of loads, and then of bands that steps write
    gtr__program_step step[GTR__PROGRAM_SLOTS];
} gtr__program_kernel;

static GTR__DEVICE float gtr__draw_log(float x) GTR__DRAW_LOG_BODY
static GTR__DEVICE void gtr__draw_four(int kind, const uint32_t *u, float *v) GTR__DRAW_FOUR_BODY
// Four numbers: by a call, which a kernel with other steps is better with.
static __device__ __noinline__ float4 gtr__draw_call(int kind, uint64_t key, uint64_t step, int64_t row, int64_t e) {
    uint32_t r[4];
    float v[4];
    GTR__COUNTER(r, step, row, e);
    GTR__PHILOX(r, key);
    gtr__draw_four(kind, r, v);
    return make_float4(v[0], v[1], v[2], v[3]);
}
// DROP, or DRAW of kind s.op.
static GTR__DEVICE void gtr__program_draw(const gtr__program_step &s, const gtr__ctl *ctl, int64_t i, float *v) {
    const int64_t row = i / s.line, e = i - row * s.line;
    const bool draw = s.kind == GTR__STEP_DRAW;
    float4 u = gtr__draw_call(draw ? s.op : GTR__DRAW_UNIFORM, s.key, ctl ? ctl->step : 0, s.row0 + row, e);
    const int first = (int)(e & 3);             // not 0 where elements go one by one
    if (first) u.x = first == 1 ? u.y : first == 2 ? u.z : u.w;
    const float four[4] = { u.x, u.y, u.z, u.w };
#pragma unroll
    for (int k = 0; k < 4; k++) v[k] = draw ? four[k] : four[k] >= s.f0 ? v[k] * s.f1 : 0.0f;
}
// slot: of this thread, GTR__T apart.
static GTR__DEVICE void gtr__program_do(const gtr__program_kernel &m, const gtr__program_step &s, float4 *slot,
                                        int64_t i, int n) {
    float v[4], w[4], d[4], y[4];
    memcpy(v, &slot[s.a * GTR__T], 16);
    if (s.kind == GTR__STEP_UNARY || s.kind == GTR__STEP_BINARY) {
        memcpy(w, &slot[s.b * GTR__T], 16);
        memcpy(d, &slot[s.dy * GTR__T], 16);
        memcpy(y, &slot[s.y * GTR__T], 16);
    }
    if (s.kind == GTR__STEP_UNARY) {
        if (s.side) {
            gtr__unary4_bwd<true>(s.op, d, v, s.f0, s.f1);
            memcpy(v, d, 16);
        } else gtr__unary4<true>(s.op, v, s.f0, s.f1);
    } else if (s.kind == GTR__STEP_BINARY) {
        if (s.side) {
            gtr__binary4_bwd(s.op, s.side - 1, d, v, w, y, d);
            memcpy(v, d, 16);
        } else gtr__binary4(s.op, v, w);
    } else if (s.kind == GTR__STEP_DROP || s.kind == GTR__STEP_DRAW) gtr__program_draw(s, m.ctl, i, v);
    int64_t o = i, unused;
    if (s.band) gtr__dims_at(m.at[s.band - 1], i, &o, &unused);
    if (s.out.p) gtr__give(s.out, o, n, v);
#pragma unroll
    for (int k = 0; k < 4; k++) v[k] = gtr__rounded(s.storage, v[k]);
    memcpy(&slot[s.to * GTR__T], v, 16);
}
// All loads before any is waited for, then the steps.
static __global__ void __launch_bounds__(GTR__T, 3) gtr__k_program(const __grid_constant__ gtr__program_kernel m) {
    extern __shared__ float4 gtr__slots[];
    gtr__enter();
    float4 *slot = gtr__slots + threadIdx.x;
    const int64_t groups = (m.count + m.width - 1) / m.width, step = (int64_t)gridDim.x * GTR__T;
    for (int64_t g = (int64_t)blockIdx.x * GTR__T + threadIdx.x; g < groups; g += step) {
        const int64_t i = g * m.width;
        const int n = m.count - i < m.width ? (int)(m.count - i) : m.width;
        uint4 raw[GTR__PROGRAM_LOADS];
#pragma unroll
        for (int k = 0; k < GTR__PROGRAM_LOADS; k++) {
            if (k >= m.loads) continue;
            int64_t o = i, unused;
            const bool one = m.at[k].n && m.at[k].sa[m.at[k].n - 1] == 0;
            if (m.at[k].n) gtr__dims_at(m.at[k], i, &o, &unused);
            raw[k] = gtr__raw(m.load[k].p, m.load[k].t, o, one ? 1 : n);
        }
#pragma unroll
        for (int k = 0; k < GTR__PROGRAM_LOADS; k++) {
            if (k >= m.loads) continue;
            float v[4];
            gtr__cook(raw[k], m.load[k].t, v);
            if (m.at[k].n && m.at[k].sa[m.at[k].n - 1] == 0) v[1] = v[2] = v[3] = v[0];
            memcpy(&slot[m.slot[k] * GTR__T], v, 16);
        }
        for (int s = 0; s < m.steps; s++) gtr__program_do(m, m.step[s], slot, i, n);
    }
}
static gtr__program_step gtr__program_step_of(const gtr__call *c, const gtr__step *s) {
    gtr__program_step t;
    memset(&t, 0, sizeof t);
    const gtr__attr *attr = &s->node->attr;
    const gtr__arg *out = gtr__operand_of(c, s->out);
    t.out = gtr__opd_of(out); t.out.add = s->add;
    t.kind = (int16_t)s->kind; t.op = (int16_t)s->node->op; t.side = (int16_t)s->side;
    t.storage = (int16_t)out->dtype;
    t.a = (int8_t)s->a; t.b = (int8_t)s->b; t.dy = (int8_t)s->dy; t.y = (int8_t)s->y; t.to = (int8_t)s->to;
    t.f0 = (float)attr->f[0]; t.f1 = (float)attr->f[1];
    if (gtr__op_flags[s->node->op] & GTR__AVERAGES) {           // as its own kernel has it
        t.kind = GTR__STEP_UNARY; t.op = GTR__OP_SCALE; t.side = 0;
        t.f0 = (float)s->factor; t.f1 = 0.0f;
    }
    if (s->kind == GTR__STEP_DRAW) t.op = (int16_t)attr->i[4];
    else if (s->kind != GTR__STEP_DROP) return t;
    else if (!s->node->training || attr->f[0] == 0) t.kind = GTR__STEP_COPY;
    t.f1 = (float)(1.0 / (1.0 - attr->f[0]));
    t.key = attr->key;
    t.line = s->line;
    t.row0 = attr->i[0] ? 0 : s->node->row0;
    return t;
}
static void gtr__program_kernel_of(const gtr__program *p, const gtr__call *c, gtr__program_kernel *m) {
    bool wide = true;
    int place = p->n.loads;
    memset((void *)m, 0, sizeof *m);
    m->loads = p->n.loads; m->steps = p->n.steps; m->count = p->count; m->ctl = c->ctl;
    for (int k = 0; k < p->n.loads; k++) {
        const gtr__arg *load = gtr__operand_of(c, p->load[k]);
        int64_t stride[GTR_MAX_DIMS];
        m->slot[k] = p->slot[k];
        m->load[k] = gtr__opd_of(load);
        m->load[k].p = (char *)load->data + p->begin[k] * gtr__elem(m->load[k].t);
        wide = wide && gtr__wide(m->load[k]);
        if (load->count == p->count) continue;    // at[k].n 0: it lies as the elements go
        gtr__broadcast(&p->shape[k], &p->full[k], stride);
        gtr__dims_make(&m->at[k], &p->full[k], stride, stride);
        wide = wide && gtr__dims_wide(&m->at[k], m->at[k].sa);
    }
    for (int k = 0; k < p->n.steps; k++) {
        const gtr__step *s = &p->step[k];
        const gtr__arg *out = gtr__operand_of(c, s->out);
        gtr__program_step *t = &m->step[k];
        *t = gtr__program_step_of(c, s);
        if (out->count != p->count && out->data) {
            int64_t stride[GTR_MAX_DIMS];
            gtr__dims *at = &m->at[place];
            t->out.p = (char *)out->data + s->begin * gtr__elem(t->out.t);
            t->band = (int8_t)++place;
            gtr__broadcast(&out->shape, &s->band, stride);
            gtr__dims_make(at, &s->band, stride, stride);
            wide = wide && gtr__dims_wide(at, at->sa);
        }
        wide = wide && gtr__wide(t->out);
    }
    m->width = wide ? 4 : 1;
}
static gtr_result gtr__program_launch(void *instance, const gtr__call *c, const gtr__program *p,
                                      const gtr__program_kernel *m) {
    return GTR__LAUNCH(instance, c, gtr__k_program, gtr__grid(c, gtr__ceil(m->count, m->width)), GTR__T,
        (size_t)p->n.slots * GTR__T * sizeof(float4), *m);
}
static gtr_result gtr__cuda_program(void *instance, const gtr__call *c) {
    const gtr__program *p = &((const gtr__network *)c->attr->ptr)->program;
    gtr__program_kernel m;
    if (c->measure) return gtr__measured(c, 0);
    if (c->fits) { *c->fits = 1; return GTR_OK; }
    gtr__program_kernel_of(p, c, &m);
    return gtr__program_launch(instance, c, p, &m);
}

// >>op:sum
static gtr_result gtr__sum_run(void *instance, const gtr__call *c, int mean) {
    gtr__red m;
    gtr__red_make(&m, c, &c->in[0].shape, (uint32_t)c->attr->i[0], NULL, NULL);
    if (c->measure) return gtr__measured(c, gtr__red_bytes(&m));
    m.p[0] = c->in[0].data; m.t[0] = (int)c->in[0].dtype;
    m.kind = GTR__VALUE_X; m.out = gtr__opd_of(&c->out[0]);
    if (mean) m.div = (float)m.terms;
    return gtr__red_launch(instance, c, &m);
}
// dx (+)= dy broadcast, over the number of terms. Bytes: dx, and dy once in its shape.
static gtr_result gtr__sum_run_bwd(void *instance, const gtr__call *c, int mean) {
    const gtr_shape *x = &c->in[0].shape;
    int64_t sa[GTR_MAX_DIMS], sb[GTR_MAX_DIMS] = { 0 }, s = 1;
    gtr__map m;
    if (c->measure) return gtr__measured(c, 0);
    if (!c->out[0].data) return GTR_OK;
    memset(&m, 0, sizeof m);
    for (int d = x->ndim - 1; d >= 0; d--) {
        bool gone = (uint32_t)c->attr->i[0] >> d & 1;
        sa[d] = gone || x->dim[d] == 1 ? 0 : s;
        if (!gone) s *= x->dim[d];
    }
    m.a = gtr__opd_of(&c->in[2]); m.y = gtr__opd_of(&c->out[0]);
    m.b.t = GTR_F32;
    m.count = c->out[0].count; m.op = -1; m.act = mean ? (int)GTR__OP_SCALE : -1;
    m.f0 = s ? (float)((double)s / (double)gtr__max64(1, m.count)) : 0.0f;
    gtr__dims_make(&m.d, x, sa, sb);
    return gtr__map_run(instance, c, &m);
}
static gtr_result gtr__cuda_sum_fwd(void *instance, const gtr__call *c) { return gtr__sum_run(instance, c, 0); }
static gtr_result gtr__cuda_sum_bwd(void *instance, const gtr__call *c) { return gtr__sum_run_bwd(instance, c, 0); }
// >>op:mean
static gtr_result gtr__cuda_mean_fwd(void *instance, const gtr__call *c) { return gtr__sum_run(instance, c, 1); }
static gtr_result gtr__cuda_mean_bwd(void *instance, const gtr__call *c) { return gtr__sum_run_bwd(instance, c, 1); }

// >>op:logsumexp
// >>op:max
// >>op:min
// >>op:prod
// >>op:var
// >>op:norm
// Cut as sums are: lanes of a team (m.columns outputs side by side, or one) each fold every lanes'th element, and join
// in a tree; JOIN: of pieces' results, which a first launch left. Bound by bytes: x once.
GTR__FOLD_CODE(static GTR__DEVICE, float, expf, logf, sqrtf, fabsf)
typedef struct gtr__fold { gtr__red m; gtr__opd kept; gtr__folded *part; int kind; float n; } gtr__fold;
template <bool JOIN> static __global__ void __launch_bounds__(1024) gtr__k_fold(const __grid_constant__ gtr__fold w) {
    __shared__ gtr__folded all[1024];
    gtr__enter();
    const gtr__red &m = w.m;
    const int t = (int)threadIdx.x, side = m.columns ? m.columns : 1, lanes = m.columns ? 512 / side : m.team,
        lane = m.columns ? t / side : t % lanes, column = m.columns ? t % side : t / lanes;
    const int64_t o = (int64_t)blockIdx.x * ((int)blockDim.x / lanes) + column, begin = blockIdx.y * m.per,
        end = begin + m.per < m.terms ? begin + m.per : m.terms;
    gtr__folded s = gtr__fold_one(w.kind, 0.0f, -1);
    int64_t k[3], at[3];
    if (o < m.kept) {
        if (!JOIN) gtr__red_at(m.nk, m.small, m.kd, m.ks, o, k);
        for (int64_t r = begin + lane; r < end; r += 4 * lanes) {
            gtr__folded v[4];
#pragma unroll
            for (int u = 0; u < 4; u++) {
                const int64_t e = r + u * lanes;
                if (e >= end) v[u] = gtr__fold_one(w.kind, 0.0f, -1);
                else if (JOIN) v[u] = w.part[o * m.terms + e];
                else {
                    gtr__red_at(m.nr, m.small, m.rd, m.rs, e, at);
                    v[u] = gtr__fold_one(w.kind, gtr__get(m.p[0], m.t[0], k[0] + at[0]), e);
                }
            }
#pragma unroll
            for (int u = 0; u < 4; u++) gtr__fold_join(&s, w.kind, &v[u]);
        }
    }
    all[t] = s;
    for (int half = lanes / 2; half; half /= 2) {
        __syncthreads();
        if (lane < half) gtr__fold_join(&all[t], w.kind, &all[t + half * side]);
    }
    if (o >= m.kept || lane) return;
    if (m.pieces > 1) { w.part[o * m.pieces + blockIdx.y] = all[t]; return; }
    float kept;
    gtr__give1(m.out, o, gtr__fold_end(&all[t], w.kind, w.n, &kept));
    if (w.kept.p && w.kept.t == GTR_I32) ((int32_t *)w.kept.p)[o] = all[t].k;
    else if (w.kept.p) ((float *)w.kept.p)[o] = kept;
}
static gtr_result gtr__fold_run(void *instance, const gtr__call *c) {
    gtr__fold w;
    memset((void *)&w, 0, sizeof w);
    gtr__red *m = &w.m;
    gtr__red_make(m, c, &c->in[0].shape, (uint32_t)c->attr->i[0], NULL, NULL);
    const size_t bytes = m->pieces > 1 ? (size_t)(m->kept * m->pieces) * sizeof(gtr__folded) : 0;
    if (c->measure) return gtr__measured(c, bytes);
    if (c->ws_bytes < bytes) return gtr__fail(instance, GTR_ERR_STATE, "a reduction's workspace is too small");
    m->p[0] = c->in[0].data; m->t[0] = (int)c->in[0].dtype; m->out = gtr__opd_of(&c->out[0]);
    if (c->n_out > 1) w.kept = gtr__opd_of(&c->out[1]);
    w.part = (gtr__folded *)c->ws; w.kind = (int)c->attr->i[2]; w.n = (float)((double)m->terms - c->attr->f[0]);
    const int threads = m->columns ? 512 : m->team > GTR__T ? m->team : GTR__T;
    const dim3 grid((unsigned)gtr__ceil(m->kept, m->columns ? m->columns : threads / m->team), (unsigned)m->pieces);
    gtr_result r = GTR__LAUNCH(instance, c, gtr__k_fold<false>, grid, threads, 0, w);
    if (r || m->pieces == 1) return r;
    m->terms = m->per = m->pieces; m->pieces = 1; m->columns = 0; m->team = 32;
    return GTR__LAUNCH(instance, c, gtr__k_fold<true>, (unsigned)gtr__ceil(m->kept, GTR__T / 32), GTR__T, 0, w);
}
// Bytes: dx, and what of x, y and dy the formula names. d: an element's place in y, and among those that are reduced.
typedef struct gtr__unfold { gtr__opd x, y, dy, dx, kept; gtr__dims d; int64_t count; int kind; float n; } gtr__unfold;
static __global__ void __launch_bounds__(GTR__T) gtr__k_unfold(const __grid_constant__ gtr__unfold w) {
    gtr__enter();
    for (int64_t i = (int64_t)blockIdx.x * GTR__T + threadIdx.x; i < w.count; i += (int64_t)gridDim.x * GTR__T) {
        int64_t o, e;
        gtr__dims_at(w.d, i, &o, &e);
        const float x = w.x.p ? gtr__get(w.x.p, w.x.t, i) : 0.0f, y = w.y.p ? gtr__get(w.y.p, w.y.t, o) : 0.0f,
            kept = !w.kept.p ? 0.0f : w.kept.t == GTR_I32 ? (float)(((const int32_t *)w.kept.p)[o] == (int32_t)e)
                : ((const float *)w.kept.p)[o];
        gtr__give1(w.dx, i, gtr__fold_back(w.kind, gtr__get(w.dy.p, w.dy.t, o), x, y, kept, w.n));
    }
}
static gtr_result gtr__fold_run_bwd(void *instance, const gtr__call *c) {
    const gtr_shape *x = &c->in[0].shape;
    int64_t sa[GTR_MAX_DIMS], sb[GTR_MAX_DIMS], place[2] = { 1, 1 };
    gtr__unfold w;
    if (c->measure) return gtr__measured(c, 0);
    if (!c->out[0].data) return GTR_OK;
    memset((void *)&w, 0, sizeof w);
    for (int d = x->ndim - 1; d >= 0; d--) {
        const int gone = (int)((uint32_t)c->attr->i[0] >> d & 1);
        sa[d] = gone || x->dim[d] == 1 ? 0 : place[0]; sb[d] = !gone || x->dim[d] == 1 ? 0 : place[1];
        place[gone] *= x->dim[d];
    }
    gtr__dims_make(&w.d, x, sa, sb);
    w.x = gtr__opd_of(&c->in[0]); w.y = gtr__opd_of(&c->in[1]); w.dy = gtr__opd_of(&c->in[c->n_in - 1]);
    w.kept.t = GTR_F32;
    if (c->n_in > 3) w.kept = gtr__opd_of(&c->in[2]);
    w.dx = gtr__opd_of(&c->out[0]);
    w.count = c->out[0].count; w.kind = (int)c->attr->i[2]; w.n = (float)((double)place[1] - c->attr->f[0]);
    return GTR__LAUNCH(instance, c, gtr__k_unfold, gtr__grid(c, w.count), GTR__T, 0, w);
}
#define GTR__FOLD_LAUNCHERS(X, ID, name, nout, cls, needs) \
    static gtr_result gtr__cuda_##name##_fwd(void *instance, const gtr__call *c) { \
        return gtr__fold_run(instance, c); } \
    static gtr_result gtr__cuda_##name##_bwd(void *instance, const gtr__call *c) { \
        return gtr__fold_run_bwd(instance, c); }
GTR__FOLDS(GTR__FOLD_LAUNCHERS, )

// >>parts
// Copies of a few blocks of rows, converted and added where asked: part q is outer runs of run elements, ps and pd
// apart. src NULL: zeros. A thread has width elements of a run, which wide_s and wide_d say are one access. Bound by
// bytes: each element read and written once.
typedef struct gtr__part_copy {
    const void *src; void *dst; int64_t outer, run, ps, pd; signed char ts, td, add, width, wide_s, wide_d;
} gtr__part_copy;
template <int N> struct gtr__parts { gtr__part_copy part[N]; int n; };

static GTR__DEVICE void gtr__part_run(const gtr__part_copy &q, bool poison) {
    const int width = q.width;
    int64_t line = (q.run + width - 1) / width, groups = q.outer * line, step = (int64_t)gridDim.x * GTR__T;
    gtr__opd out;
    out.p = q.dst; out.t = q.td; out.add = q.add;
    for (int64_t g = (int64_t)blockIdx.x * GTR__T + threadIdx.x; g < groups; g += step) {
        int64_t row = q.outer == 1 ? 0 : groups < 0x7fffffff ? (int64_t)((uint32_t)g / (uint32_t)line) : g / line,
            at = (g - row * line) * width;
        int n = q.run - at < width ? (int)(q.run - at) : width;
        float v[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
        if (q.src && q.wide_s) gtr__take(q.src, q.ts, row * q.ps + at, n, v);
        else if (q.src) {
#pragma unroll
            for (int k = 0; k < 4; k++) if (k < n) v[k] = gtr__get(q.src, q.ts, row * q.ps + at + k);
        }
        if (poison) v[0] = v[1] = v[2] = v[3] = __uint_as_float(0x7fc00000u);
        if (q.wide_d) { gtr__give(out, row * q.pd + at, n, v); continue; }
#pragma unroll
        for (int k = 0; k < 4; k++) if (k < n) gtr__give1(out, row * q.pd + at + k, v[k]);
    }
}
static __global__ void __launch_bounds__(GTR__T) gtr__k_parts(const __grid_constant__ gtr__parts<64> m) {
    gtr__enter();
    gtr__part_run(m.part[blockIdx.y], false);
}
template <int N>
static void gtr__part_add(gtr__parts<N> *m, const void *src, int ts, void *dst, int td, int add, int64_t outer,
        int64_t run, int64_t ps, int64_t pd) {
    gtr__part_copy *q;
    if (!dst || outer <= 0 || run <= 0 || m->n >= N) return;
    q = &m->part[m->n++];
    if (ts == GTR_I32 && td == GTR_I32) ts = td = GTR_F32;
    q->src = src; q->dst = dst; q->outer = outer; q->run = run; q->ps = ps; q->pd = pd;
    q->ts = (signed char)ts; q->td = (signed char)td; q->add = (signed char)add;
}
static signed char gtr__part_wide(const gtr__part_copy *q, const void *p, int t, int64_t pitch) {
    return (q->outer == 1 || pitch % 4 == 0) && (uintptr_t)p % (uintptr_t)(4 * gtr__elem(t)) == 0;
}
// Sets each part's width, and returns the grid.
template <int N> static dim3 gtr__parts_grid(const gtr__call *c, gtr__parts<N> *m) {
    int64_t most = 1;
    for (int k = 0; k < m->n; k++) {
        gtr__part_copy *q = &m->part[k];
        q->wide_s = gtr__part_wide(q, q->src, q->ts, q->ps);
        q->wide_d = gtr__part_wide(q, q->dst, q->td, q->pd);
        q->width = q->wide_s || q->wide_d ? 4 : 1;
        most = gtr__max64(most, q->outer * gtr__ceil(q->run, q->width));
    }
    return dim3(gtr__grid(c, most), (unsigned)m->n);
}
static gtr_result gtr__parts_run(void *instance, const gtr__call *c, gtr__parts<64> *m) {
    if (m->n == 0) return GTR_OK;
    dim3 grid = gtr__parts_grid(c, m);
    return GTR__LAUNCH(instance, c, gtr__k_parts, grid, GTR__T, 0, *m);
}
static void *gtr__shift(const void *p, int t, int64_t elements) {
    return p ? (char *)p + elements * gtr__elem(t) : NULL;
}

// >>op:concat
// Bands of the whole along axis i[0], one for each of n parts shaped like these, are copied to the parts or, join, from
// them: one copy. A part that is not there is 0.
static gtr_result gtr__bands(void *instance, const gtr__call *c, const gtr__arg *part, const gtr__arg *like, int n,
        const gtr__arg *whole, bool join) {
    gtr__parts<64> m;
    int64_t outer, all, inner, at = 0;
    memset((void *)&m, 0, sizeof m);
    gtr__around(&whole->shape, (int)c->attr->i[0], &outer, &all, &inner);
    for (int k = 0; k < n; k++) {
        int64_t run = like[k].count / outer;            // a gradient that is not wanted has no shape
        void *band = gtr__shift(whole->data, whole->dtype, at);
        if (!join) gtr__part_add(&m, band, whole->dtype, part[k].data, part[k].dtype, part[k].add, outer, run,
            all * inner, run);
        else if (part[k].data || !whole->add) gtr__part_add(&m, part[k].data, part[k].dtype, band, whole->dtype,
            whole->add, outer, run, run, all * inner);
        at += run;
    }
    return gtr__parts_run(instance, c, &m);
}
static gtr_result gtr__cuda_concat_fwd(void *instance, const gtr__call *c) {
    return gtr__bands(instance, c, c->in, c->in, c->n_in, &c->out[0], true);
}
static gtr_result gtr__cuda_concat_bwd(void *instance, const gtr__call *c) {
    return gtr__bands(instance, c, c->out, c->in, c->n_out, &c->in[c->n_in - 1], false);
}

// >>op:slice
static gtr_result gtr__slice_run(void *instance, const gtr__call *c, const gtr__arg *x, const gtr__arg *y, bool back) {
    const int64_t *at = c->attr->i, line = x->count / x->shape.dim[at[0]], n = at[3];
    gtr__arg part[GTR__MAX_OUT + 2];            // and what lies in front of them and behind
    memcpy(part + 1, y, (size_t)n * sizeof *y);
    part[0] = part[n + 1] = *y;
    part[0].data = part[n + 1].data = NULL;
    part[0].count = line * at[1]; part[n + 1].count = x->count - line * (at[1] + n * (at[2] - at[1]));
    return gtr__bands(instance, c, part, part, (int)n + 2, x, back);
}
static gtr_result gtr__cuda_slice_fwd(void *instance, const gtr__call *c) {
    return gtr__slice_run(instance, c, &c->in[0], c->out, false);
}
static gtr_result gtr__cuda_slice_bwd(void *instance, const gtr__call *c) {
    return gtr__slice_run(instance, c, &c->out[0], &c->in[1 + c->attr->i[3]], true);
}

// >>op:permute
// (batch, rows, columns) -> (batch, columns, rows) through tiles in shared memory, so that both sides move whole lines:
// of up to 4096 elements, as square as the matrix lets them be; WX, WY: elements of an access. Other orders keep lines
// whole already or are gathered by the map. Bound by bytes: each element once in, once out.
typedef struct gtr__turned {
    gtr__opd x, y; int64_t batch, rows, columns, down, across; int log_rows, log_columns;   // tiles, and a tile's
} gtr__turned;
template <int WX, int WY>
static __global__ void __launch_bounds__(GTR__T) gtr__k_transpose(const __grid_constant__ gtr__turned m) {
    extern __shared__ float gtr__tile[];
    float *tile = gtr__tile;
    gtr__enter();
    const int tr = 1 << m.log_rows, tc = 1 << m.log_columns, pitch = tc + 1, threads = (int)blockDim.x;
    const int64_t tiles = m.batch * m.down * m.across;
    for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const int64_t row = gtr__quotient(t, m.across), b = gtr__quotient(row, m.down), base = b * m.rows * m.columns,
            r0 = (row - b * m.down) << m.log_rows, c0 = (t - row * m.across) << m.log_columns;
        for (int e = (int)threadIdx.x * WX; e < tr << m.log_columns; e += 4 * threads * WX) {
            float v[4][WX];
            gtr__take_all(m.x, v, [&](int u) {
                const int at = e + u * threads * WX;
                const int64_t r = r0 + (at >> m.log_columns), c = c0 + (at & (tc - 1));
                return r < m.rows && c < m.columns && at < tr << m.log_columns ? base + r * m.columns + c : -1;
            });
#pragma unroll
            for (int u = 0; u < 4; u++) {
                const int at = e + u * threads * WX;
#pragma unroll
                for (int k = 0; k < WX; k++)
                    if (at < tr << m.log_columns) tile[(at >> m.log_columns) * pitch + (at & (tc - 1)) + k] = v[u][k];
            }
        }
        __syncthreads();
#pragma unroll 4
        for (int e = (int)threadIdx.x * WY; e < tr << m.log_columns; e += threads * WY) {
            const int c = e >> m.log_rows, r = e & (tr - 1);
            float v[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
            if (c0 + c >= m.columns || r0 + r >= m.rows) continue;
#pragma unroll
            for (int k = 0; k < WY; k++) v[k] = tile[(r + k) * pitch + c];
            gtr__give(m.y, base + (c0 + c) * m.rows + r0 + r, WY, v);
        }
        __syncthreads();
    }
}
static gtr_result gtr__turn_run(void *instance, const gtr__call *c, gtr__opd x, gtr__opd y, int64_t batch, int64_t rows,
        int64_t columns) {
    gtr__turned m;
    m.x = x; m.y = y; m.batch = batch; m.rows = rows; m.columns = columns;
    m.log_columns = gtr__log_up(columns, 2, 6); m.log_rows = gtr__log_up(rows, 2, 12 - m.log_columns);
    m.log_columns = gtr__log_up(columns, 2, 12 - m.log_rows);
    m.down = gtr__ceil(rows, (int64_t)1 << m.log_rows); m.across = gtr__ceil(columns, (int64_t)1 << m.log_columns);
    const int64_t tiles = batch * m.down * m.across, each = (int64_t)1 << (m.log_rows + m.log_columns);
    const int threads = (int)gtr__max64(32, gtr__min64(GTR__T, each / 16));
    const bool wx = columns % 4 == 0 && gtr__wide(x), wy = rows % 4 == 0 && gtr__wide(y);
    return GTR__LAUNCH(instance, c, (wx ? wy ? gtr__k_transpose<4, 4> : gtr__k_transpose<4, 1>
        : wy ? gtr__k_transpose<1, 4> : gtr__k_transpose<1, 1>), gtr__grid(c, tiles * GTR__T), threads,
        (size_t)(each + ((int64_t)1 << m.log_rows)) * sizeof(float), m);
}
// y's dimension k is x's dimension dim[k].
static gtr_result gtr__permute_run(void *instance, const gtr__call *c, const gtr__arg *x, const gtr__arg *y,
        const int *dim) {
    int64_t stride[GTR_MAX_DIMS], sa[GTR_MAX_DIMS], sb[GTR_MAX_DIMS] = { 0 }, s = 1;
    gtr__map m;
    memset(&m, 0, sizeof m);
    if (!y->data || y->count == 0) return GTR_OK;
    for (int d = x->shape.ndim - 1; d >= 0; d--) { stride[d] = s; s *= x->shape.dim[d]; }
    for (int d = 0; d < y->shape.ndim; d++) sa[d] = stride[dim[d]];
    m.a = gtr__opd_of(x); m.y = gtr__opd_of(y);
    if (m.a.t == GTR_I32 && m.y.t == GTR_I32) m.a.t = m.y.t = GTR_F32;
    m.b.t = GTR_F32;
    m.count = y->count; m.op = m.act = -1;
    gtr__dims_make(&m.d, &y->shape, sa, sb);
    const gtr__dims *d = &m.d;
    int at = d->n - 2;
    if (at >= 0 && at <= 1 && d->sa[at] == 1 && d->sa[at + 1] == d->dim[at] && d->dim[at] * d->dim[at + 1] >= 64
        && (at == 0 || d->sa[0] == d->dim[1] * d->dim[2]))
        return gtr__turn_run(instance, c, m.a, m.y, at ? d->dim[0] : 1, d->dim[at + 1], d->dim[at]);
    return gtr__map_run(instance, c, &m);
}
static gtr_result gtr__cuda_permute_fwd(void *instance, const gtr__call *c) {
    int dim[GTR_MAX_DIMS];
    for (int d = 0; d < GTR_MAX_DIMS; d++) dim[d] = (int)c->attr->i[d];
    return gtr__permute_run(instance, c, &c->in[0], &c->out[0], dim);
}
static gtr_result gtr__cuda_permute_bwd(void *instance, const gtr__call *c) {
    int dim[GTR_MAX_DIMS] = { 0 };
    for (int d = 0; d < c->in[0].shape.ndim; d++) dim[c->attr->i[d]] = d;
    return gtr__permute_run(instance, c, &c->in[2], &c->out[0], dim);
}

// >>op:copy
// Whole copies of one storage go as bytes, 16 at a time; the rest through the map. Bytes: twice the tensor.
static __global__ void __launch_bounds__(GTR__T) gtr__k_bytes(char *dst, const char *src, int64_t bytes, int wide) {
    gtr__enter();
    int64_t i = (int64_t)blockIdx.x * GTR__T + threadIdx.x, step = (int64_t)gridDim.x * GTR__T,
        whole = wide ? bytes / 16 : 0;
    for (int64_t k = i; k < whole; k += step) ((uint4 *)dst)[k] = ((const uint4 *)src)[k];
    for (int64_t k = whole * 16 + i; k < bytes; k += step) dst[k] = src[k];
}
static gtr_result gtr__cuda_copy_fwd(void *instance, const gtr__call *c) {
    const gtr__arg *x = &c->in[0], *y = &c->out[0];
    int64_t bytes = y->count * gtr__elem(y->dtype);
    if (bytes == 0) return GTR_OK;
    if (x->dtype != y->dtype) return gtr__map_one(instance, c, x, y, -1, 0, 0);
    int wide = (((uintptr_t)x->data | (uintptr_t)y->data) & 15) == 0;
    return GTR__LAUNCH(instance, c, gtr__k_bytes, gtr__grid(c, gtr__ceil(bytes, wide ? 32 : 1)), GTR__T, 0,
        (char *)y->data, (const char *)x->data, bytes, wide);
}
static gtr_result gtr__cuda_copy_bwd(void *instance, const gtr__call *c) {
    return gtr__map_one(instance, c, &c->in[2], &c->out[0], -1, 0, 0);
}

// >>op:cast
static gtr_result gtr__cuda_cast_fwd(void *instance, const gtr__call *c) {
    return gtr__map_one(instance, c, &c->in[0], &c->out[0], -1, 0, 0);
}
static gtr_result gtr__cuda_cast_bwd(void *instance, const gtr__call *c) {
    return gtr__map_one(instance, c, &c->in[2], &c->out[0], -1, 0, 0);
}

// >>op:fill
static __global__ void __launch_bounds__(GTR__T)
        gtr__k_fill(gtr__opd y, int64_t count, float value, const gtr__ctl *scaled) {
    gtr__enter();
    if (scaled) value *= scaled->scale;
    for (int64_t i = (int64_t)blockIdx.x * GTR__T + threadIdx.x; i < count; i += (int64_t)gridDim.x * GTR__T) {
        float v[4] = { value, 0.0f, 0.0f, 0.0f };
        gtr__give(y, i, 1, v);
    }
}
static gtr_result gtr__cuda_fill_fwd(void *instance, const gtr__call *c) {
    const gtr__ctl *scaled = c->attr->i[0] ? c->ctl : NULL;
    if (c->out[0].count == 0) return GTR_OK;
    return GTR__LAUNCH(instance, c, gtr__k_fill, gtr__grid(c, c->out[0].count), GTR__T, 0, gtr__opd_of(&c->out[0]),
        c->out[0].count, (float)c->attr->f[0], scaled);
}

// >>op:softmax
// >>op:log_softmax
// Rows side by side: a team a row, max and sum in one pass (the sum rescaled when the max grows), then the values.
// Bound by bytes: x read twice, the second time mostly from the cache, y written once. Backward:
// y and dy twice, dx once.
// n >= 1 values join a max m and the sum r of exp(v - m) over all but one of those that reach it: beside that one's 1 a
// small r keeps its digits, which the loss of a sure row is made of.
static GTR__DEVICE void gtr__online(float *m, float *r, const float *v, int n) {
    float top = *m, sum = *r;
#pragma unroll
    for (int k = 0; k < 4; k++) if (k < n) top = fmaxf(top, v[k]);
    bool one = top > *m;            // whose 1 is left out
    if (one) sum = (sum + 1.0f) * expf(*m - top);       // nothing, if m was -inf
#pragma unroll
    for (int k = 0; k < 4; k++) if (k < n) {
        if (one && v[k] == top) one = false;
        // NaN, which fmaxf passes over, gets through
        else if (v[k] != v[k] || top > -INFINITY) sum += expf(v[k] - top);
    }
    *m = top; *r = sum;
}
// Four of a lane's elements of a row, from its i'th on; how many there are.
static GTR__DEVICE int gtr__row_four(gtr__opd x, int64_t at, int64_t i, int64_t n, int team, float *v) {
    int k = 0;
#pragma unroll
    for (int u = 0; u < 4; u++) if (i + u * team < n) { v[u] = gtr__get(x.p, x.t, at + i + u * team); k++; }
    return k;
}
// The team's max, and sum as above, of a row of n elements from index at on, of which a lane has its first four.
static GTR__DEVICE void gtr__row_stats(gtr__opd x, int64_t at, int64_t n, int lane, int team, bool live,
        const float *first, int k, float *scratch, float *max, float *rest) {
    float m = -INFINITY, r = 0.0f, top;
    gtr__online(&m, &r, first, k);
    if (live) for (int64_t i = lane + 4 * team; i < n; i += 4 * team) {
        float v[4];
        k = gtr__row_four(x, at, i, n, team, v);
        gtr__online(&m, &r, v, k);
    }
    top = gtr__team_max(m, team, scratch);
    bool reach = m == top;          // a lane at the top gives its r and counts its 1 apart
    float ones = gtr__team_sum(reach ? 1.0f : 0.0f, team, scratch);
    r = gtr__team_sum(reach || m == -INFINITY ? r : (r + 1.0f) * expf(m - top), team, scratch) + (ones - 1.0f);
    *rest = fabsf(top) == INFINITY ? NAN : r;   // a row of nothing but -inf, or with inf, has no softmax
    *max = top;
}
// scaled: of a x + b instead of x, rounded as if it were stored, of a lane's first four.
// logs: log_softmax.
typedef struct gtr__rows {
    gtr__opd x, y, dy, dx; int64_t rows, n, inner; int team, scaled, logs; float a, b;
} gtr__rows;
static GTR__DEVICE float gtr__soft(const gtr__rows &m, float x, float max, float rest) {
    return m.logs ? x - max - log1pf(rest) : expf(x - max) / (rest + 1.0f);
}
static GTR__DEVICE float gtr__soft_bwd(const gtr__rows &m, float y, float dy, float dot) {
    return m.logs ? dy - expf(y) * dot : y * (dy - dot);
}
static GTR__DEVICE float gtr__soft_term(const gtr__rows &m, float y, float dy) { return m.logs ? dy : y * dy; }
static __global__ void __launch_bounds__(GTR__T) gtr__k_softmax(const gtr__rows m) {
    __shared__ float scratch[32];
    gtr__enter();
    int teams = GTR__T / m.team, lane = (int)threadIdx.x % m.team;
    for (int64_t base = (int64_t)blockIdx.x * teams; base < m.rows; base += (int64_t)gridDim.x * teams) {
        int64_t row = base + threadIdx.x / m.team, at = row * m.n;
        bool live = row < m.rows;
        float max, sum, first[4];
        const int k = live ? gtr__row_four(m.x, at, lane, m.n, m.team, first) : 0;
        if (m.scaled)
#pragma unroll
            for (int u = 0; u < 4; u++)
                first[u] = gtr__rounded(m.x.t, gtr__unary_fwd(GTR__OP_SCALE, first[u], m.a, m.b));
        gtr__row_stats(m.x, at, m.n, lane, m.team, live, first, k, scratch, &max, &sum);
#pragma unroll
        for (int u = 0; u < 4; u++)
            if (u < k) gtr__give1(m.y, at + lane + u * m.team, gtr__soft(m, first[u], max, sum));
        if (live) for (int64_t i = lane + 4 * m.team; i < m.n; i += m.team)
            gtr__give1(m.y, at + i, gtr__soft(m, gtr__get(m.x.p, m.x.t, at + i), max, sum));
    }
}
static __global__ void __launch_bounds__(GTR__T) gtr__k_softmax_bwd(const gtr__rows m) {
    __shared__ float scratch[32];
    gtr__enter();
    int teams = GTR__T / m.team, lane = (int)threadIdx.x % m.team;
    for (int64_t base = (int64_t)blockIdx.x * teams; base < m.rows; base += (int64_t)gridDim.x * teams) {
        int64_t row = base + threadIdx.x / m.team, at = row * m.n;
        bool live = row < m.rows;
        float dot = 0.0f, y[4], dy[4];
        const int k = live ? gtr__row_four(m.y, at, lane, m.n, m.team, y) : 0;
        if (live) gtr__row_four(m.dy, at, lane, m.n, m.team, dy);
#pragma unroll
        for (int u = 0; u < 4; u++) if (u < k) dot += gtr__soft_term(m, y[u], dy[u]);
        if (live) for (int64_t i = lane + 4 * m.team; i < m.n; i += m.team)
            dot += gtr__soft_term(m, gtr__get(m.y.p, m.y.t, at + i), gtr__get(m.dy.p, m.dy.t, at + i));
        dot = gtr__team_sum(dot, m.team, scratch);
#pragma unroll
        for (int u = 0; u < 4; u++) if (u < k) {
            float v = gtr__soft_bwd(m, y[u], dy[u], dot);
            if (m.scaled) v = gtr__unary_bwd(GTR__OP_SCALE, gtr__rounded(m.dx.t, v), 0.0f, 0.0f, m.a, m.b);
            gtr__give1(m.dx, at + lane + u * m.team, v);
        }
        if (live) for (int64_t i = lane + 4 * m.team; i < m.n; i += m.team)
            gtr__give1(m.dx, at + i,
                gtr__soft_bwd(m, gtr__get(m.y.p, m.y.t, at + i), gtr__get(m.dy.p, m.dy.t, at + i), dot));
    }
}
// Along another dimension: a thread a line, neighbours side by side.
static __global__ void __launch_bounds__(GTR__T) gtr__k_softmax_lines(const gtr__rows m) {
    gtr__enter();
    for (int64_t line = (int64_t)blockIdx.x * GTR__T + threadIdx.x; line < m.rows * m.inner;
            line += (int64_t)gridDim.x * GTR__T) {
        int64_t at = line / m.inner * m.n * m.inner + line % m.inner;
        if (m.dx.p) {
            float dot = 0.0f;
            for (int64_t i = at; i < at + m.n * m.inner; i += m.inner)
                dot += gtr__soft_term(m, gtr__get(m.y.p, m.y.t, i), gtr__get(m.dy.p, m.dy.t, i));
            for (int64_t i = at; i < at + m.n * m.inner; i += m.inner)
                gtr__give1(m.dx, i, gtr__soft_bwd(m, gtr__get(m.y.p, m.y.t, i), gtr__get(m.dy.p, m.dy.t, i), dot));
        } else {
            float max = -INFINITY, sum = 0.0f;
            for (int64_t i = 0; i < m.n; i++) {
                float v[4]; v[0] = gtr__get(m.x.p, m.x.t, at + i * m.inner); gtr__online(&max, &sum, v, 1);
            }
            if (fabsf(max) == INFINITY) sum = NAN;
            for (int64_t i = at; i < at + m.n * m.inner; i += m.inner)
                gtr__give1(m.y, i, gtr__soft(m, gtr__get(m.x.p, m.x.t, i), max, sum));
        }
    }
}
// Attr i[1], unless 0: SCALE, before it or behind its gradient, by f[0] and f[1]: a launch of its own, in place, where
// rows are long.
static gtr_result gtr__softmax_run(void *instance, const gtr__call *c, gtr__rows *m) {
    const gtr__arg *y = &c->out[0];
    gtr__around(&c->in[0].shape, (int)c->attr->i[0], &m->rows, &m->n, &m->inner);
    if (m->rows * m->n * m->inner == 0) return GTR_OK;
    m->team = gtr__team(m->n, m->rows, gtr__sms(c));
    m->a = (float)c->attr->f[0]; m->b = (float)c->attr->f[1]; m->logs = c->attr->i[2] != 0;
    const bool scaled = c->attr->i[1] != 0, back = m->dx.p != NULL;
    m->scaled = scaled && m->inner == 1 && m->n <= 4 * m->team;
    const bool apart = scaled && !m->scaled;
    if (apart && !back) {
        GTR__TRY(gtr__map_one(instance, c, &c->in[0], y, GTR__OP_SCALE, m->a, m->b));
        m->x = m->y;
    }
    const unsigned grid = gtr__grid(c, m->rows * (m->inner > 1 ? m->inner : m->team));
    GTR__TRY(m->inner > 1 ? GTR__LAUNCH(instance, c, gtr__k_softmax_lines, grid, GTR__T, 0, *m)
        : back ? GTR__LAUNCH(instance, c, gtr__k_softmax_bwd, grid, GTR__T, 0, *m)
        : GTR__LAUNCH(instance, c, gtr__k_softmax, grid, GTR__T, 0, *m));
    return apart && back ? gtr__map_one(instance, c, y, y, GTR__OP_SCALE, m->a, 0) : GTR_OK;
}
static gtr_result gtr__cuda_softmax_fwd(void *instance, const gtr__call *c) {
    gtr__rows m;
    memset(&m, 0, sizeof m);
    m.x = gtr__opd_of(&c->in[0]); m.y = gtr__opd_of(&c->out[0]);
    return gtr__softmax_run(instance, c, &m);
}
static gtr_result gtr__cuda_softmax_bwd(void *instance, const gtr__call *c) {
    gtr__rows m;
    memset(&m, 0, sizeof m);
    if (!c->out[0].data) return GTR_OK;
    m.y = gtr__opd_of(&c->in[1]); m.dy = gtr__opd_of(&c->in[2]); m.dx = gtr__opd_of(&c->out[0]);
    return gtr__softmax_run(instance, c, &m);
}

#define gtr__cuda_log_softmax_fwd gtr__cuda_softmax_fwd
#define gtr__cuda_log_softmax_bwd gtr__cuda_softmax_bwd

// >>op:dropout
// The mask is drawn again in backward. A thread takes the four elements of one Philox block. Bytes: x and y; about 100
// instructions a block. PARTS: rows, or with i[0] elements, lie in the whole batch as the attributes say;
// elements then draw one by one.
typedef struct gtr__drop {
    gtr__opd x, y;
    int64_t rows, line, row0, run, whole, shift;
    int wide, kind;
    float p, scale;
    uint64_t key;
    const gtr__ctl *ctl;
} gtr__drop;

// n <= 4 numbers of a row from element e on.
template <bool PARTS>
static GTR__DEVICE void gtr__draws(const gtr__drop &m, int kind, uint64_t step, int64_t row, int64_t e, int n,
        float *v) {
    uint32_t r[4];
    if (PARTS && m.rows == 1) {
        for (int k = 0; k < n; k++) {
            const int64_t i = (e + k) / m.run * m.whole + (e + k) % m.run + m.shift;
            float four[4];
            GTR__COUNTER(r, step, 0, i);
            GTR__PHILOX(r, m.key);
            gtr__draw_four(kind, r, four);
            v[k] = four[i & 3];
        }
        return;
    }
    GTR__COUNTER(r, step, PARTS ? row / m.run * m.whole + row % m.run + m.shift : m.row0 + row, e);
    GTR__PHILOX(r, m.key);
    gtr__draw_four(kind, r, v);
}
// FILL: RANDOM, which has no x.
template <bool PARTS, bool FILL> static __global__ void __launch_bounds__(GTR__T) gtr__k_draw(const gtr__drop m) {
    gtr__enter();
    uint64_t step = m.ctl ? m.ctl->step : 0;
    int64_t per = (m.line + 3) / 4, total = m.rows * per;
    for (int64_t g = (int64_t)blockIdx.x * GTR__T + threadIdx.x; g < total; g += (int64_t)gridDim.x * GTR__T) {
        int64_t row = total < 0x7fffffff ? (int64_t)((uint32_t)g / (uint32_t)per) : g / per, e = (g - row * per) * 4,
            at = row * m.line + e;
        int n = m.line - e < 4 ? (int)(m.line - e) : 4;
        float v[4] = { 0.0f, 0.0f, 0.0f, 0.0f }, u[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
        if (FILL) gtr__draws<PARTS>(m, m.kind, step, row, e, n, v);
        else {
            if (m.wide || n < 4) gtr__take(m.x.p, m.x.t, at, n, v);
            else for (int k = 0; k < 4; k++) v[k] = gtr__get(m.x.p, m.x.t, at + k);
            gtr__draws<PARTS>(m, GTR__DRAW_UNIFORM, step, row, e, n, u);
#pragma unroll
            for (int k = 0; k < 4; k++) v[k] = u[k] >= m.p ? v[k] * m.scale : 0.0f;
        }
        if (m.wide || n < 4) gtr__give(m.y, at, n, v);
        else for (int k = 0; k < 4; k++) gtr__give1(m.y, at + k, v[k]);
    }
}
// x NULL: RANDOM.
static gtr_result gtr__draw_run(void *instance, const gtr__call *c, const gtr__arg *x, const gtr__arg *y) {
    gtr__drop m;
    if (!y->data || y->count == 0) return GTR_OK;
    memset(&m, 0, sizeof m);
    m.x = gtr__opd_of(x); m.y = gtr__opd_of(y);
    m.rows = c->attr->i[0] || y->shape.ndim == 0 ? 1 : y->shape.dim[0];
    m.line = y->count / m.rows;
    m.row0 = c->attr->i[0] ? 0 : c->row0;
    m.wide = (m.rows == 1 || m.line % 4 == 0) && gtr__wide(m.x) && gtr__wide(m.y);
    m.kind = (int)c->attr->i[4];
    m.p = (float)c->attr->f[0]; m.scale = (float)(1.0 / (1.0 - c->attr->f[0]));
    m.key = c->attr->key; m.ctl = c->ctl;
    m.run = c->attr->i[1]; m.whole = c->attr->i[2]; m.shift = c->attr->i[3];
    void (*kernel)(const gtr__drop) = x ? m.run ? gtr__k_draw<true, false> : gtr__k_draw<false, false>
        : m.run ? gtr__k_draw<true, true> : gtr__k_draw<false, true>;
    const dim3 grid(gtr__grid(c, m.rows * gtr__ceil(m.line, 4)));
    return gtr__start(instance, (cudaStream_t)c->stream, "gtr__k_draw", kernel, grid, dim3(GTR__T), 0, 1u, m);
}
static gtr_result gtr__dropout_run(void *instance, const gtr__call *c, const gtr__arg *x, const gtr__arg *y) {
    if (c->training && c->attr->f[0] > 0) return gtr__draw_run(instance, c, x, y);
    return y->data && y->count ? gtr__map_one(instance, c, x, y, -1, 0, 0) : GTR_OK;
}
static gtr_result gtr__cuda_dropout_fwd(void *instance, const gtr__call *c) {
    return gtr__dropout_run(instance, c, &c->in[0], &c->out[0]);
}
static gtr_result gtr__cuda_dropout_bwd(void *instance, const gtr__call *c) {
    return gtr__dropout_run(instance, c, &c->in[2], &c->out[0]);
}

// >>op:random
static gtr_result gtr__cuda_random_fwd(void *instance, const gtr__call *c) {
    return gtr__draw_run(instance, c, NULL, &c->out[0]);
}

// >>op:embedding
// One launch serves several tables (gtr__tables_match), and writes into a band of what they are concatenated to.

#define GTR__EMB_GROUP 16
// Rows of so many elements that some op's positions read or write: each of `rows` of them begins pitch behind the last.
typedef struct gtr__band { gtr__opd at; int64_t rows, pitch; } gtr__band;
static GTR__DEVICE int64_t gtr__band_row(const gtr__band &b, int64_t i, int64_t line) {
    return b.rows == 1 ? i * b.pitch : i / b.rows * b.pitch + i % b.rows * line;
}
static bool gtr__band_wide(const gtr__band &b) { return gtr__wide(b.at) && b.pitch % 4 == 0; }
// Forward: rows copied by id. Bound by bytes: a row read and written a position. Behind the tables' come copies of what
// is concatenated with them.
typedef struct gtr__emb_rows {
    const int32_t *id; gtr__opd table; gtr__band y; int64_t n, rows, line; int width;
} gtr__emb_rows;
typedef struct gtr__emb_fwd { gtr__emb_rows table[GTR__EMB_GROUP]; gtr__parts<32> rest; int n; } gtr__emb_fwd;
static __global__ void __launch_bounds__(GTR__T) gtr__k_embedding(const __grid_constant__ gtr__emb_fwd all) {
    gtr__enter();
    if ((int)blockIdx.y >= all.n) { gtr__part_run(all.rest.part[blockIdx.y - all.n], false); return; }
    const gtr__emb_rows &m = all.table[blockIdx.y];
    const int width = m.width;
    int64_t per = m.line / width, total = m.n * per;
    for (int64_t g = (int64_t)blockIdx.x * GTR__T + threadIdx.x; g < total; g += (int64_t)gridDim.x * GTR__T) {
        int64_t i = total < 0x7fffffff ? (int64_t)((uint32_t)g / (uint32_t)per) : g / per, e = (g - i * per) * width;
        int32_t k = m.id[i];
        float v[4] = { NAN, NAN, NAN, NAN };
        if (k >= 0 && k < m.rows) gtr__take(m.table.p, m.table.t, k * m.line + e, width, v);
        gtr__give(m.y.at, gtr__band_row(m.y, i, m.line) + e, width, v);
    }
}
// Backward: a block owns band neighbouring rows of the table, and as many columns as its lanes have. It collects the
// positions whose id is one of them, sorts them by row and position, and adds up dy's rows: lanes take 64 of a row's
// positions within a tile of positions in order, the sums of these are added in order, and so are the tiles' sums,
// however many rows a block owns, and whether it takes all positions at once or, where it has no room for them or a
// row's many positions lie in several tiles, a tile at a time. Of a gradient as lookups, met gets each row's first
// position, the sum is there in out, and the others are cleared. Bound by bytes: dy once, what is written once, ids
// once a block from the L2.
#define GTR__EMB_T    512
#define GTR__EMB_TILE 2048
#define GTR__EMB_LONG 64
#define GTR__EMB_COLUMNS 64
typedef struct gtr__emb {
    const int32_t *id; gtr__band dy; gtr__opd out; int32_t *met; int64_t n, rows, line, chunks, band; uint32_t *guard;
    int width, wide, lanes, first;      // wide: dy can be read so many at a time; first block
} gtr__emb;
typedef struct gtr__emb_bwd { gtr__emb table[GTR__EMB_GROUP]; int n; } gtr__emb_bwd;
typedef struct gtr__emb_block {
    uint64_t key[GTR__EMB_TILE];        // row within the band << 32 | position
    uint16_t start[GTR__EMB_TILE], end[GTR__EMB_TILE];  // where its row's keys are
    uint16_t unit[GTR__EMB_TILE];       // where the positions begin that lanes take together
    float part[2 * GTR__EMB_TILE / GTR__EMB_LONG][GTR__EMB_COLUMNS];
    int keys, units, longs, apart;      // longs: rows are long; apart: one of these lies in several tiles
} gtr__emb_block;
// The sum of a long row's stretch that begins at i; two of them begin within 64 places at most, and one of these is
// another row's first.
static GTR__DEVICE float *gtr__emb_part(gtr__emb_block &b, int i, bool first) {
    return b.part[i / GTR__EMB_LONG * 2 + first];
}
static GTR__DEVICE bool gtr__emb_apart(uint64_t a, uint64_t b) { return (uint32_t)(a ^ b) >= GTR__EMB_TILE; }
static GTR__DEVICE int gtr__emb_bound(const gtr__emb_block &b, int n, uint64_t key) {
    int lo = 0;
    while (lo < n) {
        const int mid = (lo + n) / 2;
        if (b.key[mid] < key) lo = mid + 1; else n = mid;
    }
    return lo;
}
static GTR__DEVICE int gtr__emb_collect(const gtr__emb &m, gtr__emb_block &b, int64_t from, int64_t to,
        int64_t row0, int64_t rows) {
    __syncthreads();
    if (threadIdx.x == 0) b.keys = b.units = b.longs = b.apart = 0;
    __syncthreads();
    const bool wide = ((uintptr_t)m.id & 15) == 0;
    const int64_t left = ((int64_t)1 << 31) - row0;     // rows that an id can be of
    const uint32_t some = (uint32_t)(left < 0 ? 0 : left < rows ? left : rows);
    for (int64_t g = from / 4 + threadIdx.x; g * 4 < to; g += 4 * GTR__EMB_T) {        // from is a multiple of 4
        int32_t id[16];
#pragma unroll
        for (int u = 0; u < 4; u++) {
            const int64_t at = (g + u * GTR__EMB_T) * 4;
            const int4 none = make_int4(INT_MIN, INT_MIN, INT_MIN, INT_MIN);
            const int4 four = wide && at + 4 <= to ? *(const int4 *)(m.id + at) : none;
            id[4 * u] = four.x; id[4 * u + 1] = four.y; id[4 * u + 2] = four.z; id[4 * u + 3] = four.w;
#pragma unroll
            for (int k = 0; k < 4; k++) if (!wide || at + 4 > to) id[4 * u + k] = at + k < to ? m.id[at + k] : INT_MIN;
        }
#pragma unroll
        for (int u = 0; u < 16; u++) {
            const uint32_t row = (uint32_t)id[u] - (uint32_t)row0;
            if (row >= some) continue;
            const int k = atomicAdd(&b.keys, 1);
            const int64_t at = (g + u / 4 * GTR__EMB_T) * 4 + u % 4;
            if (k < GTR__EMB_TILE) b.key[k] = (uint64_t)row << 32 | (uint64_t)at;
        }
    }
    __syncthreads();
    return b.keys;
}
// A few keys count which are before them.
static GTR__DEVICE void gtr__emb_sort_few(gtr__emb_block &b, int n) {
    const int i = (int)threadIdx.x;
    const uint64_t mine = i < n ? b.key[i] : 0;
    int rank = 0, start = 0, end = 0;
    if (i < n)
#pragma unroll 8
        for (int j = 0; j < n; j++) {
            const uint64_t key = b.key[j];
            rank += key < mine; start += key >> 32 < mine >> 32; end += key >> 32 <= mine >> 32;
        }
    __syncthreads();
    if (i < n) { b.key[rank] = mine; b.start[rank] = (uint16_t)start; b.end[rank] = (uint16_t)end; }
    __syncthreads();
}
// Bitonic, in which a warp's 64 keys are its own where they are so near.
static GTR__DEVICE void gtr__emb_sort_many(gtr__emb_block &b, int n) {
    int size = 2;
    while (size < n) size *= 2;
    for (int i = n + (int)threadIdx.x; i < size; i += GTR__EMB_T) b.key[i] = ~(uint64_t)0;
    __syncthreads();
    for (int k = 2; k <= size; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            if (j >= 64 || (j == 32 && k > 64)) __syncthreads();
            else __syncwarp();
            for (int i = (int)threadIdx.x; i < size / 2; i += GTR__EMB_T) {
                const int lo = 2 * i - (i & (j - 1));
                const uint64_t x = b.key[lo], y = b.key[lo + j];
                if ((x > y) == !(lo & k)) { b.key[lo] = y; b.key[lo + j] = x; }
            }
        }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < n; i += GTR__EMB_T) {
        b.start[i] = (uint16_t)gtr__emb_bound(b, n, b.key[i] >> 32 << 32);
        b.end[i] = (uint16_t)gtr__emb_bound(b, n, ((b.key[i] >> 32) + 1) << 32);
    }
    __syncthreads();
}
// Each position that is the first of a stretch of its row becomes a unit.
static GTR__DEVICE void gtr__emb_sort(gtr__emb_block &b, int n) {
    if (n <= GTR__EMB_T) gtr__emb_sort_few(b, n); else gtr__emb_sort_many(b, n);
    for (int i = (int)threadIdx.x; i < n; i += GTR__EMB_T) {
        const int in = i - b.start[i];
        if (in % GTR__EMB_LONG) continue;
        b.unit[atomicAdd(&b.units, 1)] = (uint16_t)i;
        if (!in) continue;
        b.longs = 1;
        if (gtr__emb_apart(b.key[b.start[i]], b.key[b.end[i] - 1])) b.apart = 1;
    }
    __syncthreads();
}
// Sums of units, and where join is set the sums of long rows, whose n positions are those from base on.
static GTR__DEVICE void gtr__emb_sum(const gtr__emb &m, gtr__emb_block &b, int64_t base,
        int64_t row0, int64_t column, bool join) {
    const int at = (int)threadIdx.x % m.lanes * m.width;
    for (int u = (int)threadIdx.x / m.lanes; u < b.units && column < m.line; u += GTR__EMB_T / m.lanes) {
        const int i = b.unit[u];
        const uint64_t row = b.key[i] >> 32;
        const int start = b.start[i], end = b.end[i],
            stop = end < i + GTR__EMB_LONG ? end : i + GTR__EMB_LONG;
        const bool whole = end - start <= GTR__EMB_LONG;
        const int ahead = whole && gtr__emb_apart(b.key[start], b.key[end - 1]) ? 1 : 4;   // several tiles': one by one
        const int32_t met = m.met && base ? m.met[row0 + (int64_t)row] : -1,
            first = met >= 0 && met < base ? met : (int32_t)b.key[start];
        gtr__opd out = m.out;
        float s[4] = { 0.0f, 0.0f, 0.0f, 0.0f }, none[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
        if (join && (whole || i != start)) continue;
        out.add = m.met ? first < base : m.out.add || base > 0;
        const int64_t to = (m.met ? first : row0 + (int64_t)row) * m.line + column;
        if (join) for (int e = start; e < end; e += GTR__EMB_LONG)
#pragma unroll
            for (int k = 0; k < 4; k++) s[k] += k < m.width ? gtr__emb_part(b, e, e == start)[at + k] : 0.0f;
        else for (int e = i; e < stop; e += ahead) {
            const int until = e + ahead < stop ? e + ahead : stop;
            float v[4][4];
            if (ahead == 1 && e > i && gtr__emb_apart(b.key[e], b.key[e - 1])) {
                gtr__give(out, to, m.width, s);
                out.add = 1;
#pragma unroll
                for (int k = 0; k < 4; k++) s[k] = 0.0f;
            }
#pragma unroll
            for (int q = 0; q < 4; q++)
                if (e + q < until) {
                    const int64_t from = gtr__band_row(m.dy, (uint32_t)b.key[e + q], m.line) + column;
                    if (m.wide) gtr__take(m.dy.at.p, m.dy.at.t, from, m.width, v[q]);
                    else
#pragma unroll
                        for (int k = 0; k < 4; k++)
                            v[q][k] = k < m.width ? gtr__get(m.dy.at.p, m.dy.at.t, from + k) : 0.0f;
                }
#pragma unroll
            for (int q = 0; q < 4; q++) if (e + q < until) {
                const int32_t p = (int32_t)b.key[e + q];
#pragma unroll
                for (int k = 0; k < 4; k++) if (k < m.width) s[k] += v[q][k];
                if (m.met && p != first) gtr__give(m.out, p * m.line + column, m.width, none);
            }
        }
        if (!join && !whole) {
#pragma unroll
            for (int k = 0; k < 4; k++) if (k < m.width) gtr__emb_part(b, i, i == start)[at + k] = s[k];
            continue;
        }
        gtr__give(out, to, m.width, s);
        gtr__watch(m.guard, s, 4);
        if (m.met && column == 0) m.met[row0 + (int64_t)row] = first;
    }
    __syncthreads();
}
static __global__ void __launch_bounds__(GTR__EMB_T)
gtr__k_embedding_bwd(const __grid_constant__ gtr__emb_bwd all) {
    __shared__ gtr__emb_block b;
    gtr__enter();
    int k = 0;
    while (k + 1 < all.n && (int)blockIdx.x >= all.table[k + 1].first) k++;
    const gtr__emb &m = all.table[k];
    const int64_t block = (int)blockIdx.x - m.first, columns = m.lanes * m.width, row0 = block / m.chunks * m.band,
        column = block % m.chunks * columns + threadIdx.x % m.lanes * m.width,
        rows = m.rows - row0 < m.band ? m.rows - row0 : m.band;
    float none[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
    if (m.met) for (int64_t r = threadIdx.x; r < rows; r += GTR__EMB_T) m.met[row0 + r] = -1;
    else if (!m.out.add) for (int64_t r = threadIdx.x / m.lanes; r < rows && column < m.line; r += GTR__EMB_T / m.lanes)
        gtr__give(m.out, (row0 + r) * m.line + column, m.width, none);
    int n = gtr__emb_collect(m, b, 0, m.n, row0, rows);
    if (n <= GTR__EMB_TILE) gtr__emb_sort(b, n);
    const int64_t tile = n > GTR__EMB_TILE || b.apart ? GTR__EMB_TILE : m.n;
    for (int64_t base = 0; base < m.n; base += tile) {
        if (tile < m.n) {
            n = gtr__emb_collect(m, b, base, base + tile < m.n ? base + tile : m.n, row0, rows);
            gtr__emb_sort(b, n);
        }
        // of lookups a block has all columns, as it alone knows the rows' first positions
        for (int64_t c = column; m.met ? c - column < m.line : c == column; c += columns) {
            gtr__emb_sum(m, b, base, row0, c, false);
            if (b.longs) gtr__emb_sum(m, b, base, row0, c, true);
        }
    }
    // positions whose id is no row's are cleared, too
    const int64_t step = (m.rows + m.band - 1) / m.band * GTR__EMB_T;
    for (int64_t i = block * GTR__EMB_T + threadIdx.x; m.met && i < m.n; i += step)
        if (m.id[i] < 0 || m.id[i] >= m.rows)
            for (int64_t c = 0; c < m.line; c++) ((float *)m.out.p)[i * m.line + c] = 0.0f;
}
static void gtr__emb_rows_of(const gtr__call *c, gtr__emb_rows *m) {
    const gtr__arg *id = &c->in[0], *table = &c->in[1];
    m->id = (const int32_t *)id->data; m->table = gtr__opd_of(table);
    m->n = id->count; m->rows = table->shape.dim[0]; m->line = table->shape.dim[1];
    m->y.at = gtr__opd_of(&c->out[0]); m->y.rows = 1; m->y.pitch = m->line;
}
static gtr_result gtr__emb_fwd_run(void *instance, const gtr__call *c, gtr__emb_fwd *all) {
    dim3 grid = gtr__parts_grid(c, &all->rest);
    for (int k = 0; k < all->n; k++) {
        gtr__emb_rows *m = &all->table[k];
        m->width = m->line % 4 == 0 && gtr__wide(m->table) && gtr__band_wide(m->y) ? 4 : 1;
        const unsigned blocks = gtr__grid(c, m->n * (m->line / m->width));
        if (blocks > grid.x) grid.x = blocks;
    }
    grid.y = (unsigned)(all->n + all->rest.n);
    return GTR__LAUNCH(instance, c, gtr__k_embedding, grid, GTR__T, 0, *all);
}
static gtr_result gtr__cuda_embedding_fwd(void *instance, const gtr__call *c) {
    gtr__emb_fwd all;
    if (c->measure) return gtr__measured(c, 0);
    if (c->out[0].count == 0) return GTR_OK;
    memset((void *)&all, 0, sizeof all);
    gtr__emb_rows_of(c, &all.table[all.n++]);
    return gtr__emb_fwd_run(instance, c, &all);
}
static void gtr__emb_of(const gtr__call *c, const gtr__arg *out, gtr__emb *m) {
    gtr__arg whole = *out;
    m->id = (const int32_t *)c->in[0].data; m->n = c->in[0].count;
    m->rows = out->shape.dim[0]; m->line = out->shape.dim[1];
    m->dy.at = gtr__opd_of(&c->in[3]); m->dy.rows = 1; m->dy.pitch = m->line;
    if (out->lookups) {
        m->met = (int32_t *)out->data; whole.data = (char *)out->data + GTR__LOOKUP_ROWS(m->rows);
    }
    m->out = gtr__opd_of(&whole);
}
static gtr_result gtr__emb_bwd_run(void *instance, const gtr__call *c, gtr__emb_bwd *all) {
    int blocks = 0;
    for (int k = 0; k < all->n; k++) {
        gtr__emb *m = &all->table[k];
        m->guard = gtr__watches(instance, c, m->met ? m->met : m->out.p, NULL);
        m->width = m->line % 4 == 0 && gtr__wide(m->out) ? 4 : 1;
        m->wide = m->width == 1 || gtr__band_wide(m->dy);
        const int64_t columns = gtr__min64(m->line, GTR__EMB_COLUMNS);
        for (m->lanes = 1; m->lanes < 32 && m->lanes * m->width < columns; ) m->lanes *= 2;
        m->chunks = m->met ? 1 : gtr__ceil(m->line, m->lanes * m->width);
        // a block reads all ids; of more than its room for keys it makes tiles
        const int64_t most = gtr__ceil(gtr__sms(c) * (1024 / GTR__EMB_T), m->chunks),
            want = gtr__max64(gtr__ceil(most, all->n), gtr__min64(most, m->n / (GTR__EMB_TILE / 4)));
        m->band = gtr__ceil(m->rows, gtr__min64(m->rows, want));
        m->first = blocks;
        blocks += (int)(gtr__ceil(m->rows, m->band) * m->chunks);
    }
    return GTR__LAUNCH(instance, c, gtr__k_embedding_bwd, (unsigned)blocks, GTR__EMB_T, 0, *all);
}
// A low gradient made of several tiles is gathered in float32 first, so that it is rounded once.
static gtr_result gtr__cuda_embedding_bwd(void *instance, const gtr__call *c) {
    const gtr__arg *out = &c->out[1];
    gtr__emb_bwd all;
    gtr__arg whole = *out;
    bool scratch = out->dtype != GTR_F32 && c->in[0].count > GTR__EMB_TILE;
    if (c->measure) return gtr__measured(c, scratch ? (size_t)out->count * 4 : 0);
    if (!out->data || out->count == 0) return GTR_OK;
    if (scratch) { whole.data = c->ws; whole.dtype = GTR_F32; whole.add = 0; }
    memset((void *)&all, 0, sizeof all);
    gtr__emb_of(c, &whole, &all.table[all.n++]);
    const gtr_result r = gtr__emb_bwd_run(instance, c, &all);
    return r || !scratch ? r : gtr__map_one(instance, c, &whole, out, -1, 0, 0);
}

// >>op:scatter_add
// As embedding, of whose table and rows the one is the result of the other.
static gtr_result gtr__scatter_add(void *instance, const gtr__call *c, bool back) {
    gtr__arg table = back ? c->in[3] : c->out[0], rows = back ? c->out[1] : c->in[1];
    table.shape.ndim = 2; table.shape.dim[0] = c->attr->i[0]; table.shape.dim[1] = table.count / c->attr->i[0];
    const gtr__arg in[4] = { c->in[0], table, rows, rows }, out[2] = { rows, table };
    gtr__call as = *c;
    as.in = in; as.out = out; as.n_in = 4; as.n_out = 2;
    return !back ? gtr__cuda_embedding_bwd(instance, &as)
        : c->measure || rows.data ? gtr__cuda_embedding_fwd(instance, &as) : GTR_OK;
}
static gtr_result gtr__cuda_scatter_add_fwd(void *instance, const gtr__call *c) {
    return gtr__scatter_add(instance, c, false);
}
static gtr_result gtr__cuda_scatter_add_bwd(void *instance, const gtr__call *c) {
    return gtr__scatter_add(instance, c, true);
}

// Tables of parameters that are looked up one node after the other, and the concatenation behind them (backward: in
// front), where nobody else reads what of theirs it moves.
static bool gtr__tables_alike(const gtr__plan *plan, const gtr__node *a, const gtr__node *n) {
    if (plan->n_stage > 1 || n->op != GTR__OP_EMBEDDING || n->dir != a->dir || n->micro != a->micro) return false;
    if (n->dir == GTR__FWD) return plan->value[gtr__root(plan, n->in[1])].home <= GTR__HOME_LOW;
    for (; a < n; a++) if (a->op == n->op && a->out[1] == n->out[1]) return false;      // a table looked up twice
    return n->out[1] >= 0 && plan->value[n->out[1]].home == GTR__HOME_GRADIENT;
}
static int gtr__operands_of(const gtr__node *n) {
    int count = 0;
    for (int k = 0; k < GTR__ALL(n); k++) count += n->in[k] >= 0;
    return count;
}
// How often nodes read or write value root, in whatever shape.
static int gtr__tables_uses(const gtr__plan *plan, int root) {
    int uses = 0;
    for (int i = 0; i < plan->n_node; i++) {
        const gtr__node *n = &plan->node[i];
        for (int k = 0; k < GTR__ALL(n); k++)
            uses += n->in[k] >= 0 && (k >= n->n_in || n->reads >> k & 1) && gtr__root(plan, n->in[k]) == root;
    }
    return uses;
}
// Whether what of the tables' (from node on) the concatenation moves may be left where it moves it to.
static bool gtr__tables_join(const gtr__plan *plan, const gtr__node *node, int tables, const gtr__node *join) {
    const bool back = join->dir == GTR__BWD;
    const int whole = back ? join->in[join->n_in - 1] : join->out[0], axis = (int)join->attr.i[0];
    int64_t inner = 1;
    int found = 0;
    for (int d = axis + 1; d < plan->value[whole].shape.ndim; d++) inner *= plan->value[whole].shape.dim[d];
    for (int k = 0; k < (back ? join->n_out : join->n_in); k++) {
        const int part = back ? join->out[k] : join->in[k], root = part < 0 ? -1 : gtr__root(plan, part);
        for (int t = 0; t < tables && root >= 0; t++) {
            const int rows = back ? node[t].in[node[t].n_in - 1] : node[t].out[0];
            const gtr__value *v = &plan->value[rows];
            if (gtr__root(plan, rows) != root) continue;
            if (plan->value[root].home != GTR__HOME_ARENA || v->storage != plan->value[whole].storage || join->adds
                || plan->value[part].shape.dim[axis] * inner % v->shape.dim[v->shape.ndim - 1]
                || gtr__tables_uses(plan, root) != 2) return false;
            found++;
        }
    }
    return found > 0;
}
static int gtr__tables_match(gtr__plan *plan, int at, const gtr__caps *caps) {
    const gtr__node *n = &plan->node[at], *end = plan->node + plan->n_node, *join = NULL;
    const bool back = n->dir == GTR__BWD;
    int tables = 0, operands = 0;       // of which a node has some 60 at most
    (void)caps;
    if (back && n->op == GTR__OP_CONCAT) { join = n++; operands = gtr__operands_of(join); }
    for (; n < end && tables < GTR__EMB_GROUP && gtr__tables_alike(plan, &plan->node[at], n); n++, tables++)
        if ((operands += gtr__operands_of(n)) > 62) break;
    if (!back && n < end && n->op == GTR__OP_CONCAT && n->dir == GTR__FWD && n->micro == plan->node[at].micro
        && operands + gtr__operands_of(n) < 62) join = n;
    if (join && (!tables || join->n_in - tables > 24 || !gtr__tables_join(plan, n - tables, tables, join))) {
        if (back) return 0;
        join = NULL;
    }
    return tables > 1 || join ? tables + (join != NULL) : 0;
}
static gtr__call gtr__mlp_call(const gtr__call *c, const gtr__node *n, gtr__arg *in, gtr__arg *out);
static gtr_result gtr__tables_run(void *instance, const gtr__call *c) {
    const gtr__network *w = (const gtr__network *)c->attr->ptr;
    const bool back = w->node[0].dir == GTR__BWD;
    const gtr__node *join = &w->node[back ? 0 : w->n_node - 1];
    gtr__emb_fwd fwd;
    gtr__emb_bwd bwd;
    gtr__parts<64> rest;
    gtr__arg in[64], out[64];
    if (c->measure) return gtr__measured(c, 0);
    if (c->fits) { *c->fits = 1; return GTR_OK; }
    memset((void *)&fwd, 0, sizeof fwd); memset((void *)&bwd, 0, sizeof bwd); memset((void *)&rest, 0, sizeof rest);
    for (int i = 0; i < w->n_node; i++) {
        if (w->node[i].op != GTR__OP_EMBEDDING) continue;
        const gtr__call one = gtr__mlp_call(c, &w->node[i], in, out);
        out[1].add = (int)(w->node[i].adds >> 1 & 1);
        if (back) gtr__emb_of(&one, &out[1], &bwd.table[bwd.n++]);
        else gtr__emb_rows_of(&one, &fwd.table[fwd.n++]);
    }
    if (join->op == GTR__OP_CONCAT) {
        const gtr__call move = gtr__mlp_call(c, join, in, out);
        const gtr__arg *whole = back ? &in[move.n_in - 1] : &out[0];
        int64_t outer, all, inner, at = 0;
        gtr__around(&whole->shape, (int)join->attr.i[0], &outer, &all, &inner);
        for (int k = 0; k < (back ? move.n_out : move.n_in); k++) {
            const gtr__arg *part = back ? &out[k] : &in[k];
            const int64_t run = in[k].shape.dim[join->attr.i[0]] * inner;
            void *band = gtr__shift(whole->data, whole->dtype, at);
            bool found = false;
            at += run;
            if (!part->data) continue;
            for (int t = 0; t < fwd.n + bwd.n && !found; t++) {
                gtr__band *b = back ? &bwd.table[t].dy : &fwd.table[t].y;
                if (b->at.p != part->data) continue;
                found = true;
                b->at.p = band; b->rows = run / b->pitch; b->pitch = all * inner;
            }
            if (found) continue;
            if (back) gtr__part_add(&rest, band, whole->dtype, part->data, part->dtype, 0, outer, run, all * inner,
                run);
            else gtr__part_add(&fwd.rest, part->data, part->dtype, band, whole->dtype, 0, outer, run, run,
                all * inner);
        }
    }
    if (!back) return gtr__emb_fwd_run(instance, c, &fwd);
    GTR__TRY(gtr__emb_bwd_run(instance, c, &bwd));
    return gtr__parts_run(instance, c, &rest);
}

// >>op:max_pool
// Pooling and resampling of images with channels last: what a place gathers of the pixels under it, or, back, a pixel
// of the places that read it, in ascending order, W neighbouring channels a thread. Along each dimension those are a
// run, found in whole numbers. Bound by bytes: forward x and y once each, back dy and dx, and for max_pool x, too: what
// windows share comes from the caches.
enum gtr__slide_kind { GTR__SLIDE_MAX, GTR__SLIDE_MEAN, GTR__SLIDE_NEAREST, GTR__SLIDE_LINEAR };
typedef struct gtr__slide_axis {
    int size, places, kernel, step, pad, dilation; gtr__fast by_size, by_places, by_step;
} gtr__slide_axis;
typedef struct gtr__slide_run { int first, n, step; } gtr__slide_run;
typedef struct gtr__slide {
    gtr__opd from, to, x, y;            // x, y: of max_pool's gradient
    int64_t items, lines, channels;     // lines: groups of W channels
    gtr__fast by_lines;
    gtr__slide_axis axis[2];            // height, width
    bool adaptive, within;              // avg_pool's i[10], i[9]
    int log[3];                         // of tiles of max_pool's gradient: rows, columns, lines
} gtr__slide;

// Pixel of place k, and what of it the next one has.
static GTR__DEVICE int gtr__slide_linear(const gtr__slide_axis &a, int k, float *next) {
    const float at = ((float)k + 0.5f) * (float)a.size / (float)a.places - 0.5f, x = at < 0.0f ? 0.0f : at;
    const int i = min((int)x, a.size - 1);
    *next = x - (float)i;
    return i;
}
// What place k gives pixel i, and takes of it.
static GTR__DEVICE float gtr__slide_share(const gtr__slide_axis &a, int k, int i) {
    float next;
    const int at = gtr__slide_linear(a, k, &next);
    return (at == i ? 1.0f - next : 0.0f) + (min(at + 1, a.size - 1) == i ? next : 0.0f);
}
// Pixels of place k.
template <gtr__slide_kind KIND> static GTR__DEVICE gtr__slide_run gtr__slide_reads(const gtr__slide &m, int d, int k) {
    const gtr__slide_axis &a = m.axis[d];
    gtr__slide_run r = { 0, 1, 1 };
    if (KIND == GTR__SLIDE_LINEAR) {
        float next;
        r.first = gtr__slide_linear(a, k, &next);
        r.n = r.first + 1 < a.size ? 2 : 1;
    } else if (KIND == GTR__SLIDE_NEAREST || (KIND == GTR__SLIDE_MEAN && m.adaptive)) {
        r.first = (int)gtr__quotient_of((int64_t)k * a.size, a.by_places);
        if (KIND == GTR__SLIDE_MEAN)
            r.n = (int)gtr__quotient_of((int64_t)(k + 1) * a.size + a.places - 1, a.by_places) - r.first;
    } else {
        const int at = k * a.step - a.pad, skip = at < 0 ? (a.dilation - 1 - at) / a.dilation : 0;
        int end = a.kernel;
        if (at + (a.kernel - 1) * a.dilation >= a.size) end = (a.size - at + a.dilation - 1) / a.dilation;
        r.first = at + skip * a.dilation; r.n = end - skip; r.step = a.dilation;
    }
    return r;
}
// Places that read pixel i, or more.
template <gtr__slide_kind KIND>
static GTR__DEVICE gtr__slide_run gtr__slide_readers(const gtr__slide &m, int d, int i) {
    const gtr__slide_axis &a = m.axis[d];
    const int64_t n = a.places, size = a.size;
    int first, last;
    if (KIND == GTR__SLIDE_LINEAR) {            // from which it is less than a pixel away, but for rounding
        const int64_t lo = (2 * (int64_t)i - 1) * n - size, hi = (2 * (int64_t)i + 3) * n - size;
        first = lo <= 2 * size ? 0 : (int)gtr__quotient(lo, 2 * size) - 1;
        last = hi < 0 ? 0 : (int)gtr__quotient(hi, 2 * size) + 1;
        if (last > a.places - 1) last = a.places - 1;
        while (first < last && gtr__slide_share(a, first, i) == 0.0f) first++;
        while (first < last && gtr__slide_share(a, last, i) == 0.0f) last--;
    } else if (KIND == GTR__SLIDE_NEAREST || (KIND == GTR__SLIDE_MEAN && m.adaptive)) {
        first = (int)gtr__quotient_of(i * n + (KIND == GTR__SLIDE_NEAREST ? size - 1 : 0), a.by_size);
        last = (int)gtr__quotient_of((i + 1) * n - 1, a.by_size);
    } else {
        const int reach = (a.kernel - 1) * a.dilation + 1;
        first = i + a.pad < reach ? 0 : (int)gtr__quotient_of(i + a.pad - reach, a.by_step) + 1;
        last = min(a.places - 1, (int)gtr__quotient_of(i + a.pad, a.by_step));
    }
    return { first, last - first + 1, 1 };
}
// By how many along dimension d avg_pool divides.
static GTR__DEVICE int gtr__slide_taps(const gtr__slide &m, int d, int k) {
    const gtr__slide_axis &a = m.axis[d];
    const int at = k * a.step - a.pad;
    return m.adaptive || m.within ? gtr__slide_reads<GTR__SLIDE_MEAN>(m, d, k).n : min(a.kernel, a.size + a.pad - at);
}
// each(at, y, x) for groups of N of the runs' pixels or places, at -1 behind the last; from where base is, row by row
// of width elements of the channels.
template <int N, typename F> static GTR__DEVICE void gtr__slide_over(const gtr__slide &m, int64_t base, int width,
        const gtr__slide_run &down, const gtr__slide_run &across, F each) {
    int j = across.n > 0 ? 0 : down.n, i = 0;
    while (j < down.n) {
        int64_t at[N];
        int y[N], x[N];
#pragma unroll
        for (int u = 0; u < N; u++) {
            y[u] = down.first + j * down.step; x[u] = across.first + i * across.step;
            at[u] = j < down.n ? base + ((int64_t)y[u] * width + x[u]) * m.channels : -1;
            if (++i == across.n) { i = 0; j++; }
        }
        each(at, y, x);
    }
}
// What a thread makes: image n's y, x, of channels from c on.
struct gtr__slide_spot {
    int64_t n, at;
    int y, x, c;
    GTR__DEVICE gtr__slide_spot(const gtr__slide &m, int64_t g, bool back, int w) {
        const gtr__fast &height = back ? m.axis[0].by_size : m.axis[0].by_places,
            &width = back ? m.axis[1].by_size : m.axis[1].by_places;
        const int64_t line = gtr__quotient_of(g, m.by_lines), row = gtr__quotient_of(line, width);
        c = (int)(g - line * m.lines) * w;
        n = gtr__quotient_of(row, height);
        y = (int)(row - n * height.by); x = (int)(line - row * width.by);
        at = line * m.channels + c;
    }
    GTR__DEVICE int64_t base(const gtr__slide &m, int height, int width) const {
        return n * height * width * m.channels + c;
    }
};
template <gtr__slide_kind KIND, bool BACK, int W, int N>
static __global__ void __launch_bounds__(GTR__T) gtr__k_slide(const __grid_constant__ gtr__slide m) {
    gtr__enter();
    const gtr__slide_axis &h = m.axis[0], &w = m.axis[1];
    const int from_height = BACK ? h.places : h.size, from_width = BACK ? w.places : w.size;
    for (int64_t g = (int64_t)blockIdx.x * GTR__T + threadIdx.x; g < m.items; g += (int64_t)gridDim.x * GTR__T) {
        const gtr__slide_spot s(m, g, BACK, W);
        const int64_t base = s.base(m, from_height, from_width);
        const gtr__slide_run down = BACK ? gtr__slide_readers<KIND>(m, 0, s.y) : gtr__slide_reads<KIND>(m, 0, s.y),
            across = BACK ? gtr__slide_readers<KIND>(m, 1, s.x) : gtr__slide_reads<KIND>(m, 1, s.x);
        float r[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
        if (KIND == GTR__SLIDE_MAX) r[0] = r[1] = r[2] = r[3] = -INFINITY;
        auto rows = [&](const gtr__slide_run &some, float share) {
            gtr__slide_over<N>(m, base, from_width, some, across, [&](const int64_t (&at)[N], const int (&y)[N],
                    const int (&x)[N]) {
                float v[N][W];
                gtr__take_all(m.from, v, [&](int u) { return at[u]; });
#pragma unroll
                for (int u = 0; u < N; u++) if (at[u] >= 0) {
                    float f = 1.0f;
                    if (KIND == GTR__SLIDE_LINEAR)
                        f = share * (BACK ? gtr__slide_share(w, x[u], s.x) : gtr__slide_share(w, s.x, x[u]));
                    if (KIND == GTR__SLIDE_MEAN && BACK)
                        f = 1.0f / ((float)gtr__slide_taps(m, 0, y[u]) * (float)gtr__slide_taps(m, 1, x[u]));
                    if (KIND == GTR__SLIDE_LINEAR && f == 0.0f) continue;
#pragma unroll
                    for (int k = 0; k < W; k++)
                        if (KIND == GTR__SLIDE_MAX) r[k] = v[u][k] > r[k] || v[u][k] != v[u][k] ? v[u][k] : r[k];
                        else r[k] += v[u][k] * f;
                }
            });
        };
        if (KIND != GTR__SLIDE_LINEAR) rows(down, 1.0f);
        else for (int j = down.first; j < down.first + down.n; j++)
            rows({ j, 1, 1 }, BACK ? gtr__slide_share(h, j, s.y) : gtr__slide_share(h, s.y, j));
        if (KIND == GTR__SLIDE_MEAN && !BACK) {
            const float taps = (float)gtr__slide_taps(m, 0, s.y) * (float)gtr__slide_taps(m, 1, s.x);
#pragma unroll
            for (int k = 0; k < W; k++) r[k] /= taps;
        }
        gtr__give(m.to, s.at, W, r);
    }
}
// Of the channels in mask, in which pixel (y, x) is the largest of a window, those in which none before it is.
template <int W> static GTR__DEVICE unsigned gtr__slide_first(const gtr__slide &m, int64_t base,
        const gtr__slide_run &down, const gtr__slide_run &across, int y, int x, const float (&best)[W], unsigned mask) {
    for (int j = down.first; j <= y && mask; j += down.step)
        for (int i = across.first; i < (j < y ? across.first + across.n * across.step : x) && mask; i += across.step) {
            float v[1][W];
            gtr__take_all(m.x, v, [&](int) { return base + ((int64_t)j * m.axis[1].size + i) * m.channels; });
#pragma unroll
            for (int k = 0; k < W; k++) if (gtr__rounded(m.y.t, v[0][k]) == best[k]) mask &= ~(1u << k);
        }
    return mask;
}
// dx (+)= the gradients of the windows of which a pixel is the first of the largest: of large windows.
template <int W>
static __global__ void __launch_bounds__(GTR__T) gtr__k_max_pool_bwd(const __grid_constant__ gtr__slide m) {
    const int N = 4;
    gtr__enter();
    const gtr__slide_axis &h = m.axis[0], &w = m.axis[1];
    for (int64_t g = (int64_t)blockIdx.x * GTR__T + threadIdx.x; g < m.items; g += (int64_t)gridDim.x * GTR__T) {
        const gtr__slide_spot s(m, g, true, W);
        const int64_t image = s.base(m, h.size, w.size);
        float r[4] = { 0.0f, 0.0f, 0.0f, 0.0f }, v[1][W];
        gtr__take_all(m.x, v, [&](int) { return s.at; });
        gtr__slide_over<N>(m, s.base(m, h.places, w.places), w.places, gtr__slide_readers<GTR__SLIDE_MAX>(m, 0, s.y),
                gtr__slide_readers<GTR__SLIDE_MAX>(m, 1, s.x), [&](const int64_t (&at)[N], const int (&y)[N],
                const int (&x)[N]) {
            float best[N][W], dy[N][W];
            gtr__take_all(m.y, best, [&](int u) { return at[u]; });
            gtr__take_all(m.from, dy, [&](int u) { return at[u]; });
#pragma unroll
            for (int u = 0; u < N; u++) if (at[u] >= 0) {
                unsigned mask = 0;
#pragma unroll
                for (int k = 0; k < W; k++) mask |= (gtr__rounded(m.y.t, v[0][k]) == best[u][k] ? 1u : 0u) << k;
                if (h.dilation > 1 && (s.y + h.pad - y[u] * h.step) % h.dilation) mask = 0;
                if (w.dilation > 1 && (s.x + w.pad - x[u] * w.step) % w.dilation) mask = 0;
                if (mask) mask = gtr__slide_first(m, image, gtr__slide_reads<GTR__SLIDE_MAX>(m, 0, y[u]),
                    gtr__slide_reads<GTR__SLIDE_MAX>(m, 1, x[u]), s.y, s.x, best[u], mask);
#pragma unroll
                for (int k = 0; k < W; k++) if (mask >> k & 1) r[k] += dy[u][k];
            }
        });
        gtr__give(m.to, s.at, W, r);
    }
}
// The same, of small windows that do not overlap: a thread has a place, and the pixels from there to the next.
template <int W>
static __global__ void __launch_bounds__(GTR__T) gtr__k_max_pool_bwd_apart(const __grid_constant__ gtr__slide m) {
    const int N = 4;
    gtr__enter();
    const gtr__slide_axis &h = m.axis[0], &w = m.axis[1];
    for (int64_t g = (int64_t)blockIdx.x * GTR__T + threadIdx.x; g < m.items; g += (int64_t)gridDim.x * GTR__T) {
        const gtr__slide_spot s(m, g, false, W);
        const gtr__slide_run down = gtr__slide_reads<GTR__SLIDE_MAX>(m, 0, s.y),
            across = gtr__slide_reads<GTR__SLIDE_MAX>(m, 1, s.x);
        const int64_t image = s.base(m, h.size, w.size);
        float best[W], dy[1][W];
        int where[W], tap = 0;
        gtr__take_all(m.from, dy, [&](int) { return s.at; });
#pragma unroll
        for (int k = 0; k < W; k++) { best[k] = -INFINITY; where[k] = 0; }
        gtr__slide_over<N>(m, image, w.size, down, across, [&](const int64_t (&at)[N], const int (&)[N],
                const int (&)[N]) {
            float v[N][W];
            gtr__take_all(m.x, v, [&](int u) { return at[u]; });
#pragma unroll
            for (int u = 0; u < N; u++, tap++)
#pragma unroll
                for (int k = 0; k < W; k++)
                    if (at[u] >= 0 && (v[u][k] > best[k] || v[u][k] != v[u][k])) { best[k] = v[u][k]; where[k] = tap; }
        });
#pragma unroll
        for (int k = 0; k < W; k++) if (best[k] != best[k]) where[k] = -1;
        const int y0 = s.y ? s.y * h.step - h.pad : 0, y1 = s.y < h.places - 1 ? (s.y + 1) * h.step - h.pad : h.size,
            x0 = s.x ? s.x * w.step - w.pad : 0, x1 = s.x < w.places - 1 ? (s.x + 1) * w.step - w.pad : w.size;
        for (int y = max(y0, 0); y < min(y1, h.size); y++)
            for (int x = max(x0, 0); x < min(x1, w.size); x++) {
                const int j = y - down.first, i = x - across.first;
                const bool in = j >= 0 && j < down.n && i >= 0 && i < across.n;
                float r[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
#pragma unroll
                for (int k = 0; k < W; k++) r[k] = in && where[k] == j * across.n + i ? dy[0][k] : 0.0f;
                gtr__give(m.to, image + ((int64_t)y * w.size + x) * m.channels, W, r);
            }
    }
}
// The same, of small windows. For each of the places that read a block's tile of pixels shared memory has the tap of
// the first of the largest, a byte a channel; 255: none, a NaN is. Pixels gather by it.
#define GTR__SLIDE_ROOM 4096
template <int W> static GTR__DEVICE uint32_t gtr__slide_best(const gtr__slide &m, int64_t image, int py, int px) {
    const int N = 3;
    const gtr__slide_axis &h = m.axis[0], &w = m.axis[1];
    float best[W];
    uint32_t tap[W], all = 0;
#pragma unroll
    for (int k = 0; k < W; k++) { best[k] = -INFINITY; tap[k] = 255; }
    gtr__slide_over<N>(m, image, w.size, gtr__slide_reads<GTR__SLIDE_MAX>(m, 0, py),
            gtr__slide_reads<GTR__SLIDE_MAX>(m, 1, px), [&](const int64_t (&at)[N], const int (&y)[N],
            const int (&x)[N]) {
        float v[N][W];
        gtr__take_all(m.x, v, [&](int u) { return at[u]; });
#pragma unroll
        for (int u = 0; u < N; u++) if (at[u] >= 0) {
            int j = y[u] + h.pad - py * h.step, i = x[u] + w.pad - px * w.step;
            if (h.dilation > 1) j /= h.dilation;
            if (w.dilation > 1) i /= w.dilation;
#pragma unroll
            for (int k = 0; k < W; k++)
                if (v[u][k] > best[k] || tap[k] == 255 || v[u][k] != v[u][k]) {
                    best[k] = v[u][k]; tap[k] = (uint32_t)(j * w.kernel + i);
                }
        }
    });
#pragma unroll
    for (int k = 0; k < W; k++) all |= (best[k] != best[k] ? 255u : tap[k]) << 8 * k;
    return all;
}
template <int W>
static __global__ void __launch_bounds__(GTR__T, 3) gtr__k_max_pool_bwd_tile(const __grid_constant__ gtr__slide m) {
    const int N = 4;
    __shared__ uint32_t best[GTR__SLIDE_ROOM];
    gtr__enter();
    const gtr__slide_axis &h = m.axis[0], &w = m.axis[1];
    const int tid = (int)threadIdx.x, lines = 1 << m.log[2], high = 1 << m.log[0], wide = 1 << m.log[1],
        down = (h.size + high - 1) >> m.log[0], across = (w.size + wide - 1) >> m.log[1];
    const int64_t parts = (m.lines + lines - 1) >> m.log[2];
    for (int64_t t = blockIdx.x; t < m.items; t += gridDim.x) {
        const int64_t q = gtr__quotient(t, parts), r = gtr__quotient(q, across), n = gtr__quotient(r, down),
            line0 = (t - q * parts) << m.log[2];
        const int y0 = (int)(r - n * down) << m.log[0], x0 = (int)(q - r * across) << m.log[1],
            y1 = min(y0 + high, h.size), x1 = min(x0 + wide, w.size),
            py0 = gtr__slide_readers<GTR__SLIDE_MAX>(m, 0, y0).first,
            px0 = gtr__slide_readers<GTR__SLIDE_MAX>(m, 1, x0).first;
        const gtr__slide_run last_y = gtr__slide_readers<GTR__SLIDE_MAX>(m, 0, y1 - 1),
            last_x = gtr__slide_readers<GTR__SLIDE_MAX>(m, 1, x1 - 1);
        const int rows = last_y.first + last_y.n - py0, columns = last_x.first + last_x.n - px0;
        for (int e = tid; e < rows * columns << m.log[2]; e += GTR__T) {
            const int64_t line = line0 + (e & (lines - 1));
            const int p = e >> m.log[2], y = p / columns;
            if (line < m.lines) best[e] = gtr__slide_best<W>(m, n * h.size * w.size * m.channels + line * W, py0 + y,
                px0 + p - y * columns);
        }
        __syncthreads();
        for (int e = tid; e < 1 << (m.log[0] + m.log[1] + m.log[2]); e += GTR__T) {
            const int64_t line = line0 + (e & (lines - 1));
            const int x = x0 + (e >> m.log[2] & (wide - 1)), y = y0 + (e >> (m.log[1] + m.log[2]));
            float sum[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
            if (line >= m.lines || y >= y1 || x >= x1) continue;
            gtr__slide_over<N>(m, n * h.places * w.places * m.channels + line * W, w.places,
                    gtr__slide_readers<GTR__SLIDE_MAX>(m, 0, y), gtr__slide_readers<GTR__SLIDE_MAX>(m, 1, x),
                    [&](const int64_t (&at)[N], const int (&py)[N], const int (&px)[N]) {
                uint32_t mask[N];
                float dy[N][W];
#pragma unroll
                for (int u = 0; u < N; u++) {
                    int j = y + h.pad - py[u] * h.step, i = x + w.pad - px[u] * w.step;
                    bool in = at[u] >= 0;
                    if (h.dilation > 1) { in = in && j % h.dilation == 0; j /= h.dilation; }
                    if (w.dilation > 1) { in = in && i % w.dilation == 0; i /= w.dilation; }
                    const uint32_t got = in ? best[(((py[u] - py0) * columns + px[u] - px0) << m.log[2])
                        + (e & (lines - 1))] : 0xffffffffu;
                    mask[u] = 0;
#pragma unroll
                    for (int k = 0; k < W; k++) mask[u] |= ((got >> 8 * k & 255u) == (uint32_t)(j * w.kernel + i)) << k;
                }
                gtr__take_all(m.from, dy, [&](int u) { return mask[u] ? at[u] : -1; });
#pragma unroll
                for (int u = 0; u < N; u++)
#pragma unroll
                    for (int k = 0; k < W; k++) if (mask[u] >> k & 1) sum[k] += dy[u][k];
            });
            gtr__give(m.to, ((n * h.size + y) * w.size + x) * m.channels + line * W, W, sum);
        }
        __syncthreads();
    }
}
// Tiles for it, in m, and how many; 0: windows are too large.
static int64_t gtr__slide_tiles(gtr__slide *m, int64_t images) {
    const gtr__slide_axis *a = m->axis;
    int64_t tiles = images, room = 1;
    m->log[2] = gtr__log_up(m->lines, 0, 3);
    m->log[0] = gtr__log_up(a[0].size, 0, m->log[2] < 3 ? 4 : 3);
    m->log[1] = gtr__log_up(a[1].size, 0, 10 - m->log[2] - m->log[0]);
    for (int d = 0; d < 2; d++) {
        const int64_t tile = (int64_t)1 << m->log[d], reach = (int64_t)(a[d].kernel - 1) * a[d].dilation + 1;
        room *= gtr__min64((tile + reach - 2) / a[d].step + 1, a[d].places);
        tiles *= gtr__ceil(a[d].size, tile);
    }
    if (room << m->log[2] > GTR__SLIDE_ROOM || (int64_t)a[0].kernel * a[1].kernel > 64) return 0;
    return tiles * gtr__ceil(m->lines, (int64_t)1 << m->log[2]);
}
// back: c's inputs end in dy. Returns W, or 0: sizes are beyond what kernels count in.
static int gtr__slide_make(gtr__slide *m, const gtr__call *c, bool back) {
    const gtr__arg *y = back ? &c->in[c->n_in - 1] : &c->out[0];
    const int64_t *i = c->attr->i;
    const gtr__window g = gtr__window_of(i, &c->in[0].shape, &y->shape, i[6], i[7], 1);
    const int64_t size[2] = { g.h, g.w }, places[2] = { g.oh, g.ow }, kernel[2] = { g.kh, g.kw },
        step[2] = { g.sh, g.sw }, pad[2] = { g.ph, g.pw }, dilation[2] = { g.dh, g.dw };
    memset((void *)m, 0, sizeof *m);
    for (int d = 0; d < 2; d++) {
        gtr__slide_axis *a = &m->axis[d];
        const int64_t most = gtr__max64(gtr__max64(size[d], places[d]), gtr__max64(kernel[d] * dilation[d], pad[d]));
        if (most >= 1 << 29) return 0;
        a->size = (int)size[d]; a->places = (int)places[d]; a->kernel = (int)kernel[d];
        a->step = (int)gtr__min64(step[d], 1 << 30);
        a->pad = (int)pad[d]; a->dilation = (int)dilation[d];
        a->by_size = gtr__fast_of(a->size); a->by_places = gtr__fast_of(a->places); a->by_step = gtr__fast_of(a->step);
    }
    m->from = gtr__opd_of(back ? y : &c->in[0]); m->to = gtr__opd_of(&c->out[0]);
    m->channels = g.c;
    const int width = g.c % 4 == 0 && gtr__wide(m->from) && gtr__wide(m->to) ? 4 : 1;
    m->lines = g.c / width;
    m->by_lines = gtr__fast_of(m->lines);
    m->items = c->out[0].count / width;
    return g.c >> 31 ? 0 : width;
}
#define GTR__SLIDE(KIND, BACK, N) do { \
    gtr__slide m; \
    const int width = gtr__slide_make(&m, c, BACK); \
    if (!m.to.p || c->out[0].count == 0) return GTR_OK; \
    if (!width) return gtr__slide_large(instance); \
    m.adaptive = GTR__SLIDE_##KIND == GTR__SLIDE_MEAN && c->attr->i[10]; m.within = c->attr->i[9] != 0; \
    return GTR__LAUNCH(instance, c, (width == 4 ? gtr__k_slide<GTR__SLIDE_##KIND, BACK, 4, N> \
        : gtr__k_slide<GTR__SLIDE_##KIND, BACK, 1, N>), gtr__grid(c, m.items), GTR__T, 0, m); } while (0)
static gtr_result gtr__slide_large(void *instance) {
    return gtr__fail(instance, GTR_ERR_UNSUPPORTED, "an image of 2^29 rows, columns or more");
}
static gtr_result gtr__cuda_max_pool_fwd(void *instance, const gtr__call *c) {
    if (c->attr->i[6] * c->attr->i[7] > 4) GTR__SLIDE(MAX, false, 9);
    GTR__SLIDE(MAX, false, 4);
}
static gtr_result gtr__cuda_max_pool_bwd(void *instance, const gtr__call *c) {
    gtr__slide m;
    int width = gtr__slide_make(&m, c, true);
    bool apart = m.axis[0].kernel * (int64_t)m.axis[1].kernel <= 16;
    if (!m.to.p || c->out[0].count == 0) return GTR_OK;
    if (!width) return gtr__slide_large(instance);
    m.x = gtr__opd_of(&c->in[0]); m.y = gtr__opd_of(&c->in[1]);
    for (int d = 0; d < 2; d++) apart = apart && m.axis[d].dilation == 1 && m.axis[d].kernel <= m.axis[d].step;
    if (!gtr__wide(m.x) || !gtr__wide(m.y)) {
        m.items *= width; m.lines *= width; width = 1;
        m.by_lines = gtr__fast_of(m.lines);
    }
    const int64_t items = m.items, tiles = apart ? 0 : gtr__slide_tiles(&m, c->in[0].shape.dim[0]);
    m.items = tiles;
    if (tiles) return GTR__LAUNCH(instance, c, (width == 4 ? gtr__k_max_pool_bwd_tile<4> : gtr__k_max_pool_bwd_tile<1>),
        gtr__grid(c, tiles * GTR__T), GTR__T, 0, m);
    m.items = items;
    if (!apart) return GTR__LAUNCH(instance, c, (width == 4 ? gtr__k_max_pool_bwd<4> : gtr__k_max_pool_bwd<1>),
        gtr__grid(c, m.items), GTR__T, 0, m);
    m.items = c->in[2].count / width;
    return GTR__LAUNCH(instance, c, (width == 4 ? gtr__k_max_pool_bwd_apart<4> : gtr__k_max_pool_bwd_apart<1>),
        gtr__grid(c, m.items), GTR__T, 0, m);
}

// >>op:avg_pool
static gtr_result gtr__cuda_avg_pool_fwd(void *instance, const gtr__call *c) {
    if (c->attr->i[10] || c->attr->i[6] * c->attr->i[7] > 4) GTR__SLIDE(MEAN, false, 9);
    GTR__SLIDE(MEAN, false, 4);
}
static gtr_result gtr__cuda_avg_pool_bwd(void *instance, const gtr__call *c) { GTR__SLIDE(MEAN, true, 4); }

// >>op:upsample
static gtr_result gtr__cuda_upsample_fwd(void *instance, const gtr__call *c) {
    if (c->attr->i[8]) GTR__SLIDE(LINEAR, false, 2);
    GTR__SLIDE(NEAREST, false, 1);
}
static gtr_result gtr__cuda_upsample_bwd(void *instance, const gtr__call *c) {
    if (c->attr->i[8]) GTR__SLIDE(LINEAR, true, 4);
    GTR__SLIDE(NEAREST, true, 4);
}

// >>op:batch_norm
// A block owns `lanes` groups of W neighbouring channels and all their rows, or a piece of them. Statistics are a mean
// and the squared deviations from it, corrected by what these add up to, so that a large mean costs nothing. Where rows
// are many and blocks few, a first kernel leaves each piece's figures in workspace, and a second joins them in a fixed
// order (Chan, Golub and LeVeque, 1983). Bound by latency up to a megabyte or so, then by bytes: forward x, y once;
// backward x, dy, dx once; and what is read again, for y or dx, where a thread has more rows than it holds: 3 and 5
// times the tensor, less what the cache still has.
#define GTR__BN_T 512
#define GTR__BN_ROWS 4          // that a thread has in flight, and holds
typedef struct gtr__bn {
    gtr__opd x, y, dy, dx, weight, bias, running_mean, running_var, mean, rstd, var, dweight, dbias;
    int64_t channels, rows, per;                // per: rows a piece
    int width, lanes, threads, pieces;
    int training;
    int act;                                    // a unary op's number, or 0
    float eps, act_a, act_b;
    uint32_t *guard;                            // of the gradients of weight and bias
    float *part;                                // [piece][2][channel]
} gtr__bn;
// A thread's part of it: every `step`th row from `first` to `end`, W channels from `channel` on.
// STAGE 0: all at once; 1: figures to part; 2: from part. Of pieces two blocks share a multiprocessor.
#define GTR__BN_BOUNDS(STAGE) __launch_bounds__(GTR__BN_T, (STAGE) ? 2 : 1)
template <int W, int STAGE> struct gtr__bn_own {
    static const int U = GTR__BN_ROWS;
    const gtr__bn &m;
    int lane, row, step, piece;
    int64_t channel, first, end;
    bool live, held;
    GTR__DEVICE gtr__bn_own(const gtr__bn &bn) : m(bn) {
        lane = (int)threadIdx.x % m.lanes; row = (int)threadIdx.x / m.lanes; step = (int)blockDim.x / m.lanes;
        piece = (int)blockIdx.y;
        channel = ((int64_t)blockIdx.x * m.lanes + lane) * W;
        first = piece * m.per + row; end = piece * m.per + count(piece);
        live = channel < m.channels;
        if (!live) first = end;
        held = STAGE == 0 && count(piece) <= U * step;
    }
    GTR__DEVICE int64_t count(int s) const { return s < m.pieces - 1 ? m.per : m.rows - s * m.per; }
    GTR__DEVICE int64_t at(int64_t i) const { return i < end ? i * m.channels + channel : -1; }
    // From row i on; those from end on are 0.
    GTR__DEVICE void take(const gtr__opd &x, int64_t i, float (&v)[U][W]) const {
        gtr__take_all(x, v, [&](int u) { return at(i + u * step); });
    }
    GTR__DEVICE void give(const gtr__opd &y, int64_t i, const float (&v)[W], uint32_t *guard = NULL) const {
        float w[4];
#pragma unroll
        for (int k = 0; k < 4; k++) w[k] = k < W ? v[k] : 0.0f;
        if (!y.p || !live) return;
        gtr__give(y, i * m.channels + channel, W, w);
        gtr__watch(guard, w, W);
    }
    // A figure of each channel.
    GTR__DEVICE void figure(const gtr__opd &o, float (&v)[W]) const {
        float w[1][W];
        gtr__take_all(o, w, [&](int) { return live ? channel : -1; });
#pragma unroll
        for (int k = 0; k < W; k++) v[k] = w[0][k];
    }
    GTR__DEVICE gtr__opd part(int s, int q) const {
        gtr__opd o = { m.part + ((int64_t)s * 2 + q) * m.channels, GTR_F32, 0 };
        return o;
    }
    // Sums over the block's threads of a lane, in every one of them.
    template <int N> GTR__DEVICE void sum(float (&v)[N]) const {
        __shared__ float scratch[GTR__BN_T / 32][32 * N / W];
        for (int o = 16; o >= m.lanes; o >>= 1)
#pragma unroll
            for (int k = 0; k < N; k++) v[k] += __shfl_xor_sync(0xffffffffu, v[k], o);
        __syncthreads();
        if ((int)threadIdx.x % 32 < m.lanes)
#pragma unroll
            for (int k = 0; k < N; k++) scratch[threadIdx.x / 32][lane * N + k] = v[k];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < N; k++) v[k] = 0.0f;
#pragma unroll 4
        for (int s = 0; s < (int)blockDim.x / 32; s++)
#pragma unroll
            for (int k = 0; k < N; k++) v[k] += scratch[s][lane * N + k];
    }
    // Groups of rows in what follows the sums: from the last on in stage 2, as what was read last is in the cache.
    GTR__DEVICE int64_t group(int64_t i) const {
        return STAGE == 2 ? first + (end - 1 - first) / (U * step) * (U * step) - (i - first) : i;
    }
    // each(v) for groups of rows, or, stage 2, part(n, a, b) for pieces' rows and figures.
    template <typename F, typename G> GTR__DEVICE void over(float (&v)[U][W], F each, G part_of) const {
        if (STAGE == 2) for (int s = row; live && s < m.pieces; s += step) {
            float a[W], b[W];
            figure(part(s, 0), a); figure(part(s, 1), b);
            part_of((float)count(s), a, b);
        } else for (int64_t i = first; i < end; i += U * step) each(i);
    }
    // A thread's rows, mean and squared deviations, where it does not hold them all: groups of them are joined in turn.
    GTR__DEVICE float stream(float (&v)[U][W], float (&mean)[W], float (&q)[W]) const {
        float n = 0.0f;
        for (int64_t i = first; i < end; i += U * step) {
            const int64_t left = (end - i + step - 1) / step;
            const int got = left < U ? (int)left : U;
            take(m.x, i, v);
            const float each = 1.0f / (float)got, share = (float)got / (n + (float)got), both = n * share;
            n += (float)got;
#pragma unroll
            for (int w = 0; w < W; w++) {
                float a = 0.0f, b = 0.0f;
#pragma unroll
                for (int u = 0; u < U; u++) a += v[u][w];
                a *= each;
#pragma unroll
                for (int u = 0; u < U; u++) if (u < got) b += (v[u][w] - a) * (v[u][w] - a);
                const float d = a - mean[w];
                mean[w] += d * share;
                q[w] += b + d * d * both;
            }
        }
        return n;
    }
    // Mean and squared deviations of the block's piece (stage 2: of all); what is held is in v then. What the
    // deviations add up to corrects both for the mean's rounding.
    GTR__DEVICE void moments(float (&v)[U][W], float (&mean)[W], float (&q)[W]) const {
        const float share = 1.0f / (float)(STAGE == 2 ? m.rows : count(piece));
        const bool streams = STAGE != 2 && count(piece) > U * step;
        float qr[2 * W], own[W], own_q[W], n = 0.0f;
#pragma unroll
        for (int w = 0; w < W; w++) mean[w] = qr[w] = qr[W + w] = own[w] = own_q[w] = 0.0f;
        if (streams) {
            n = stream(v, own, own_q);
#pragma unroll
            for (int w = 0; w < W; w++) mean[w] = n * own[w];
        } else over(v, [&](int64_t i) {
            take(m.x, i, v);
#pragma unroll
            for (int u = 0; u < U; u++)
#pragma unroll
                for (int w = 0; w < W; w++) mean[w] += v[u][w];
        }, [&](float n, const float (&a)[W], const float (&)[W]) {
#pragma unroll
            for (int w = 0; w < W; w++) mean[w] += n * a[w];
        });
        sum(mean);
#pragma unroll
        for (int w = 0; w < W; w++) mean[w] *= share;
        auto add = [&](int w, float n, float d) { qr[w] += n * (d * d); qr[W + w] += n * d; };
        if (streams)
#pragma unroll
            for (int w = 0; w < W; w++) { add(w, n, own[w] - mean[w]); qr[w] += own_q[w]; }
        else over(v, [&](int64_t i) {
#pragma unroll
            for (int u = 0; u < U; u++) if (i + u * step < end)
#pragma unroll
                for (int w = 0; w < W; w++) add(w, 1.0f, v[u][w] - mean[w]);
        }, [&](float n, const float (&a)[W], const float (&b)[W]) {
#pragma unroll
            for (int w = 0; w < W; w++) { add(w, n, a[w] - mean[w]); qr[w] += b[w]; }
        });
        sum(qr);
#pragma unroll
        for (int w = 0; w < W; w++) {
            const float off = qr[W + w] * share;
            mean[w] += off;
            q[w] = qr[w] - qr[W + w] * off;
            if (q[w] < 0.0f) q[w] = 0.0f;
        }
    }
};
template <int W, int STAGE, bool RARE>
static __global__ void GTR__BN_BOUNDS(STAGE) gtr__k_batch_norm(const __grid_constant__ gtr__bn m) {
    const gtr__bn_own<W, STAGE> p(m);
    float weight[W], shift[W], mean[W], var[W], rstd[W], v[GTR__BN_ROWS][W];
    gtr__enter();
    if (STAGE != 1) { p.figure(m.weight, weight); p.figure(m.bias, shift); }    // ahead of the sums, which needn't wait
    if (m.training || STAGE) {
        p.moments(v, mean, var);
        if (STAGE == 1) {
            if (p.row == 0) { p.give(p.part(p.piece, 0), 0, mean); p.give(p.part(p.piece, 1), 0, var); }
            return;
        }
        const float share = 1.0f / (float)m.rows;
#pragma unroll
        for (int w = 0; w < W; w++) var[w] *= share;
    } else { p.figure(m.running_mean, mean); p.figure(m.running_var, var); }
#pragma unroll
    for (int w = 0; w < W; w++) { rstd[w] = rsqrtf(var[w] + m.eps); weight[w] *= rstd[w]; }
    if (p.row == 0 && p.piece == 0) { p.give(m.mean, 0, mean); p.give(m.rstd, 0, rstd); p.give(m.var, 0, var); }
    for (int64_t j = p.first; j < p.end; j += GTR__BN_ROWS * p.step) {
        const int64_t i = p.group(j);
        if (STAGE || !m.training || !p.held) p.take(m.x, i, v);
#pragma unroll
        for (int u = 0; u < GTR__BN_ROWS; u++) if (i + u * p.step < p.end) {
            float y[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
#pragma unroll
            for (int w = 0; w < W; w++) y[w] = (v[u][w] - mean[w]) * weight[w] + shift[w];
            if (m.act) gtr__unary4<RARE>(m.act, y, m.act_a, m.act_b);
            gtr__give(m.y, p.at(i + u * p.step), W, y);
        }
    }
}
// dbias = sum dy, dweight = sum dy xh, dx = weight rstd (dy - (dbias + xh dweight) / rows), without
// the means in evaluation.
template <int W, int STAGE>
static __global__ void GTR__BN_BOUNDS(STAGE) gtr__k_batch_norm_bwd(const __grid_constant__ gtr__bn m) {
    const gtr__bn_own<W, STAGE> p(m);
    float weight[W], mean[W], rstd[W], ab[2 * W], v[GTR__BN_ROWS][W], g[GTR__BN_ROWS][W], a[W], b[W];
    gtr__enter();
    p.figure(m.weight, weight); p.figure(m.mean, mean); p.figure(m.rstd, rstd);
#pragma unroll
    for (int w = 0; w < 2 * W; w++) ab[w] = 0.0f;
    p.over(v, [&](int64_t i) {
        p.take(m.dy, i, g); p.take(m.x, i, v);
#pragma unroll
        for (int u = 0; u < GTR__BN_ROWS; u++)
#pragma unroll
            for (int w = 0; w < W; w++) { ab[w] += g[u][w]; ab[W + w] += g[u][w] * ((v[u][w] - mean[w]) * rstd[w]); }
    }, [&](float, const float (&a2)[W], const float (&b2)[W]) {
#pragma unroll
        for (int w = 0; w < W; w++) { ab[w] += a2[w]; ab[W + w] += b2[w]; }
    });
    p.sum(ab);
#pragma unroll
    for (int w = 0; w < W; w++) { a[w] = ab[w]; b[w] = ab[W + w]; }
    if (STAGE == 1) {
        if (p.row == 0) { p.give(p.part(p.piece, 0), 0, a); p.give(p.part(p.piece, 1), 0, b); }
        return;
    }
    if (p.row == 0 && p.piece == 0) { p.give(m.dweight, 0, b, m.guard); p.give(m.dbias, 0, a, m.guard); }
    if (!m.dx.p) return;
    const float share = m.training ? 1.0f / (float)m.rows : 0.0f;
#pragma unroll
    for (int w = 0; w < W; w++) { weight[w] *= rstd[w]; a[w] *= share; b[w] *= share * rstd[w]; }
    for (int64_t j = p.first; j < p.end; j += GTR__BN_ROWS * p.step) {
        const int64_t i = p.group(j);
        if (STAGE || !p.held) { p.take(m.dy, i, g); p.take(m.x, i, v); }
#pragma unroll
        for (int u = 0; u < GTR__BN_ROWS; u++) if (i + u * p.step < p.end) {
            float d[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
#pragma unroll
            for (int w = 0; w < W; w++) d[w] = weight[w] * (g[u][w] - a[w] - (v[u][w] - mean[w]) * b[w]);
            gtr__give(m.dx, p.at(i + u * p.step), W, d);
        }
    }
}
// How the work is cut, from shapes and the number of multiprocessors alone (but for operands that lie oddly).
static void gtr__bn_make(gtr__bn *m, const gtr__call *c) {
    const int64_t channels = c->in[1].count;
    bool wide = channels % 4 == 0;
    const int sms = gtr__sms(c), least = wide && gtr__elem((int)c->in[0].dtype) == 2 ? 4 : 2;   // lanes of 32 bytes
    const int width = wide ? 4 : 1;
    memset(m, 0, sizeof *m);
    m->rows = c->in[0].count / channels; m->channels = channels;
    m->lanes = 32 / width;
    while (m->lanes > 1 && m->lanes / 2 * width >= m->channels) m->lanes /= 2;
    // Pieces of whole lines where these are enough to fill the device, else narrower ones.
    const int64_t whole = gtr__ceil(m->channels, m->lanes * width) * (m->rows * m->lanes / (GTR__BN_T * GTR__BN_ROWS));
    while (m->lanes > 1 && m->lanes * width > 4 * least && whole < 2 * sms
        && gtr__ceil(m->channels, m->lanes * width) < sms) m->lanes /= 2;
    const int64_t blocks = gtr__ceil(m->channels, m->lanes * width);
    m->threads = 64;
    while (m->threads < GTR__BN_T && m->threads / m->lanes * GTR__BN_ROWS < m->rows) m->threads *= 2;
    const int64_t held = m->threads / m->lanes * GTR__BN_ROWS;
    m->pieces = 1;
    if (m->rows > held * 4 && blocks < 2 * sms)
        m->pieces = (int)gtr__min64(gtr__min64(gtr__ceil(m->rows, held), gtr__ceil(4 * sms, blocks)), 256);
    m->per = gtr__ceil(m->rows, m->pieces);
    m->pieces = (int)gtr__ceil(m->rows, m->per);
    for (int k = 0; k < c->n_in; k++) wide = wide && gtr__wide(gtr__opd_of(&c->in[k]));
    for (int k = 0; k < c->n_out; k++) wide = wide && gtr__wide(gtr__opd_of(&c->out[k]));
    m->width = wide ? 4 : 1;
    m->lanes *= width / m->width;
    m->x = gtr__opd_of(&c->in[0]); m->weight = gtr__opd_of(&c->in[1]); m->bias = gtr__opd_of(&c->in[2]);
    m->training = c->training; m->part = (float *)c->ws;
}
static size_t gtr__bn_bytes(const gtr__bn *m) {
    return m->pieces > 1 ? (size_t)m->pieces * (size_t)m->channels * 2 * sizeof(float) : 0;
}
// sums: over all of a channel's rows, in two launches where they are in pieces. whole, part, rest: stages 0 to 2.
typedef void (*gtr__bn_kernel)(const gtr__bn);
static gtr_result gtr__bn_launch(void *instance, const gtr__call *c, const gtr__bn *m, bool sums, gtr__bn_kernel whole,
        gtr__bn_kernel part, gtr__bn_kernel rest, const char *name) {
    const dim3 grid((unsigned)gtr__ceil(m->channels, m->lanes * m->width), (unsigned)m->pieces);
    const cudaStream_t stream = (cudaStream_t)c->stream;
    const dim3 block((unsigned)m->threads);
    if (!sums || m->pieces == 1) return gtr__start(instance, stream, name, whole, grid, block, 0, 1u, *m);
    GTR__TRY(gtr__start(instance, stream, name, part, grid, block, 0, 1u, *m));
    return gtr__start(instance, stream, name, rest, grid, block, 0, 1u, *m);
}
template <int W, bool RARE>
static gtr_result gtr__bn_forward(void *instance, const gtr__call *c, const gtr__bn *m) {
    return gtr__bn_launch(instance, c, m, m->training != 0, gtr__k_batch_norm<W, 0, RARE>,
        gtr__k_batch_norm<W, 1, false>, gtr__k_batch_norm<W, 2, RARE>, "gtr__k_batch_norm");
}
template <int W> static gtr_result gtr__bn_backward(void *instance, const gtr__call *c, const gtr__bn *m) {
    return gtr__bn_launch(instance, c, m, true, gtr__k_batch_norm_bwd<W, 0>, gtr__k_batch_norm_bwd<W, 1>,
        gtr__k_batch_norm_bwd<W, 2>, "gtr__k_batch_norm_bwd");
}
static gtr_result gtr__cuda_batch_norm_fwd(void *instance, const gtr__call *c) {
    gtr__bn m;
    gtr__bn_make(&m, c);
    if (c->measure) return gtr__measured(c, gtr__bn_bytes(&m));
    m.running_mean = gtr__opd_of(&c->in[3]); m.running_var = gtr__opd_of(&c->in[4]);
    m.y = gtr__opd_of(&c->out[0]); m.mean = gtr__opd_of(&c->out[1]); m.rstd = gtr__opd_of(&c->out[2]);
    m.var = gtr__opd_of(&c->out[3]);
    m.eps = (float)c->attr->f[0];
    m.act = (int)c->attr->i[1]; m.act_a = (float)c->attr->f[2]; m.act_b = (float)c->attr->f[3];
    const bool rare = m.act && !gtr__known(m.act);
    return (m.width == 4 ? rare ? gtr__bn_forward<4, true> : gtr__bn_forward<4, false>
        : rare ? gtr__bn_forward<1, true> : gtr__bn_forward<1, false>)(instance, c, &m);
}
// in: x, weight, bias, running mean and var, y, mean, rstd, var, dy; out: dx, dweight, dbias.
static gtr_result gtr__cuda_batch_norm_bwd(void *instance, const gtr__call *c) {
    gtr__bn m;
    gtr__bn_make(&m, c);
    if (c->measure) return gtr__measured(c, gtr__bn_bytes(&m));
    m.mean = gtr__opd_of(&c->in[6]); m.rstd = gtr__opd_of(&c->in[7]); m.dy = gtr__opd_of(&c->in[9]);
    m.dx = gtr__opd_of(&c->out[0]);
    m.dweight = gtr__opd_of(c->n_out > 1 ? &c->out[1] : NULL);
    m.dbias = gtr__opd_of(c->n_out > 2 ? &c->out[2] : NULL);
    if (!m.dx.p && !m.dweight.p && !m.dbias.p) return GTR_OK;
    m.guard = gtr__watches(instance, c, m.dweight.p, m.dbias.p);
    return (m.width == 4 ? gtr__bn_backward<4> : gtr__bn_backward<1>)(instance, c, &m);
}

// >>op:layer_norm
// A team a row, a lane U groups of W of its elements at a time, which it keeps where that is all. Statistics
// as batch_norm's: the squared deviations, and what the deviations add up to, correct the mean's rounding. Bound by
// bytes: forward x and y once; backward dx: x, dy, dx once, and where rows are longer than what is held x (dy) again
// for each pass, from the cache. Gradients of weight and bias are sums by >>reduce: dy twice, x once.
typedef struct gtr__ln {
    gtr__opd x, y, dy, dx, weight, bias, mean, rstd;
    int64_t rows, n;
    int team, rms;
    float eps;
} gtr__ln;
// One row, or none: base -1.
template <int W, int U> struct gtr__ln_row {
    const gtr__ln &m;
    int64_t base, first, step;
    bool held;
    GTR__DEVICE gtr__ln_row(const gtr__ln &ln, int64_t row) : m(ln) {
        base = row < m.rows ? row * m.n : -1;
        first = base < 0 ? m.n : (int64_t)((int)threadIdx.x % m.team) * W;
        step = (int64_t)m.team * W;
        held = m.n <= U * step;
    }
    // Those from element i of the row on, or, from 0, of a parameter.
    GTR__DEVICE void take(const gtr__opd &o, int64_t from, int64_t i, float (&v)[U][W]) const {
        gtr__take_all(o, v, [&](int u) { return i + u * step < m.n ? from + i + u * step : -1; });
    }
    // each(i, v, u) for all groups that are there, of x in v, which is loaded unless it is held already.
    template <typename F> GTR__DEVICE void over(bool loaded, float (&v)[U][W], F each) const {
        for (int64_t i = first; i < m.n; i += U * step) {
            if (!loaded || !held) take(m.x, base, i, v);
            each(i);
        }
    }
    GTR__DEVICE bool there(int64_t i, int u) const { return i + u * step < m.n; }
    // Stores group u of those from i on.
    GTR__DEVICE void give(const gtr__opd &o, int64_t i, int u, const float (&v)[W]) const {
        float w[4];
#pragma unroll
        for (int k = 0; k < 4; k++) w[k] = k < W ? v[k] : 0.0f;
        if (there(i, u)) gtr__give(o, base + i + u * step, W, w);
    }
};
template <int W> static __global__ void __launch_bounds__(GTR__T) gtr__k_layer_norm(const __grid_constant__ gtr__ln m) {
    __shared__ float scratch[32];
    const int U = 8, teams = GTR__T / m.team;
    const float share = 1.0f / (float)m.n;
    gtr__enter();
    for (int64_t at = (int64_t)blockIdx.x * teams; at < m.rows; at += (int64_t)gridDim.x * teams) {
        const int64_t row = at + threadIdx.x / m.team;
        const gtr__ln_row<W, U> r(m, row);
        float v[U][W], mean = 0.0f, q = 0.0f, off = 0.0f;
        r.over(false, v, [&](int64_t) {
#pragma unroll
            for (int u = 0; u < U; u++)
#pragma unroll
                for (int k = 0; k < W; k++) mean += v[u][k];
        });
        mean = m.rms ? 0.0f : gtr__team_sum(mean, m.team, scratch) * share;
        r.over(true, v, [&](int64_t i) {
#pragma unroll
            for (int u = 0; u < U; u++) if (r.there(i, u))
#pragma unroll
                for (int k = 0; k < W; k++) { const float d = v[u][k] - mean; q += d * d; off += d; }
        });
        q = gtr__team_sum(q, m.team, scratch);
        if (!m.rms) {
            off = gtr__team_sum(off, m.team, scratch);
            q = fmaxf(q - off * off * share, 0.0f);
            mean += off * share;
        }
        const float rstd = rsqrtf(q * share + m.eps);
        if (r.first == 0) { gtr__give1(m.rstd, row, rstd); if (m.mean.p) gtr__give1(m.mean, row, mean); }
        r.over(true, v, [&](int64_t i) {
            float w[U][W], b[U][W];
            r.take(m.weight, 0, i, w);
            if (m.bias.p) r.take(m.bias, 0, i, b);
#pragma unroll
            for (int u = 0; u < U; u++) {
#pragma unroll
                for (int k = 0; k < W; k++) w[u][k] = (v[u][k] - mean) * rstd * w[u][k] + (m.bias.p ? b[u][k] : 0.0f);
                r.give(m.y, i, u, w[u]);
            }
        });
    }
}
template <int W>
static __global__ void __launch_bounds__(GTR__T) gtr__k_layer_norm_bwd(const __grid_constant__ gtr__ln m) {
    __shared__ float scratch[32];
    const int U = 4, teams = GTR__T / m.team;
    const float share = 1.0f / (float)m.n;
    gtr__enter();
    for (int64_t at = (int64_t)blockIdx.x * teams; at < m.rows; at += (int64_t)gridDim.x * teams) {
        const int64_t row = at + threadIdx.x / m.team;
        const gtr__ln_row<W, U> r(m, row);
        const float rstd = r.base < 0 ? 0.0f : gtr__get(m.rstd.p, m.rstd.t, row),
            mean = r.base < 0 || m.rms ? 0.0f : gtr__get(m.mean.p, m.mean.t, row);
        float v[U][W], g[U][W], w[U][W], a = 0.0f, b = 0.0f;
        auto gradient = [&](int64_t i) {        // of xh, in g
            r.take(m.dy, r.base, i, g); r.take(m.weight, 0, i, w);
#pragma unroll
            for (int u = 0; u < U; u++)
#pragma unroll
                for (int k = 0; k < W; k++) g[u][k] *= w[u][k];
        };
        r.over(false, v, [&](int64_t i) {
            gradient(i);
#pragma unroll
            for (int u = 0; u < U; u++)
#pragma unroll
                for (int k = 0; k < W; k++) { a += g[u][k]; b += g[u][k] * ((v[u][k] - mean) * rstd); }
        });
        a = m.rms ? 0.0f : gtr__team_sum(a, m.team, scratch) * share;
        b = gtr__team_sum(b, m.team, scratch) * share * rstd;
        r.over(true, v, [&](int64_t i) {
            if (!r.held) gradient(i);
#pragma unroll
            for (int u = 0; u < U; u++) {
#pragma unroll
                for (int k = 0; k < W; k++) w[u][k] = rstd * (g[u][k] - a - (v[u][k] - mean) * b);
                r.give(m.dx, i, u, w[u]);
            }
        });
    }
}
static gtr__ln gtr__ln_make(const gtr__call *c, int rms) {
    gtr__ln m;
    memset(&m, 0, sizeof m);
    m.n = c->in[1].count; m.rows = c->in[0].count / m.n;
    m.team = gtr__team(m.n, m.rows, gtr__sms(c));
    m.rms = rms; m.eps = (float)c->attr->f[0];
    m.x = gtr__opd_of(&c->in[0]); m.weight = gtr__opd_of(&c->in[1]);
    return m;
}
static bool gtr__ln_wide(const gtr__ln *m) {
    return m->n % 4 == 0 && gtr__wide(m->x) && gtr__wide(m->y) && gtr__wide(m->dy) && gtr__wide(m->dx)
        && gtr__wide(m->weight) && gtr__wide(m->bias);
}
static gtr_result gtr__ln_launch(void *instance, const gtr__call *c, const gtr__ln *m, const char *name,
        void (*kernel)(const gtr__ln)) {
    const dim3 grid(gtr__grid(c, m->rows * m->team));
    return gtr__start(instance, (cudaStream_t)c->stream, name, kernel, grid, dim3(GTR__T), 0, 1u, *m);
}
// Two outputs: rms_norm.
static gtr_result gtr__cuda_layer_norm_fwd(void *instance, const gtr__call *c) {
    gtr__ln m = gtr__ln_make(c, c->n_out == 2);
    if (c->measure) return gtr__measured(c, 0);
    m.bias = gtr__opd_of(c->n_in > 2 ? &c->in[2] : NULL);
    m.y = gtr__opd_of(&c->out[0]); m.rstd = gtr__opd_of(&c->out[1]); m.mean = gtr__opd_of(m.rms ? NULL : &c->out[2]);
    return gtr__ln_launch(instance, c, &m, "gtr__k_layer_norm",
        gtr__ln_wide(&m) ? gtr__k_layer_norm<4> : gtr__k_layer_norm<1>);
}
// in: x, weight, bias if there is one, y, rstd, mean unless rms, dy; out: dx, dweight, dbias.
static gtr_result gtr__cuda_layer_norm_bwd(void *instance, const gtr__call *c) {
    const gtr__arg *rstd = &c->in[c->n_out + 1], *dy = &c->in[c->n_in - 1], *mean = dy > rstd + 1 ? rstd + 1 : NULL;
    gtr__ln m = gtr__ln_make(c, !mean);
    gtr_shape full, row;
    gtr__red s;
    memset(&full, 0, sizeof full);
    full.ndim = 2; full.dim[0] = m.rows; full.dim[1] = m.n;
    row = full; row.dim[1] = 1;
    gtr__red_make(&s, c, &full, 1u, &row, &row);
    if (c->measure) return gtr__measured(c, gtr__red_bytes(&s));
    s.p[0] = dy->data; s.t[0] = (int)dy->dtype;
    for (int k = 2; k > 0; k--) if (k < c->n_out && c->out[k].data) {
        s.kind = k == 1 ? GTR__VALUE_NORM : GTR__VALUE_X; s.out = gtr__opd_of(&c->out[k]);
        if (k == 1) {
            s.p[1] = mean ? mean->data : NULL; s.p[2] = rstd->data; s.p[3] = m.x.p;
            s.t[1] = s.t[2] = (int)GTR_F32; s.t[3] = m.x.t;
        }
        GTR__TRY(gtr__red_launch(instance, c, &s));
    }
    if (!c->out[0].data) return GTR_OK;
    m.dy = gtr__opd_of(dy); m.dx = gtr__opd_of(&c->out[0]);
    m.rstd = gtr__opd_of(rstd); m.mean = gtr__opd_of(mean);
    return gtr__ln_launch(instance, c, &m, "gtr__k_layer_norm_bwd",
        gtr__ln_wide(&m) ? gtr__k_layer_norm_bwd<4> : gtr__k_layer_norm_bwd<1>);
}

// >>op:rms_norm
#define gtr__cuda_rms_norm_fwd gtr__cuda_layer_norm_fwd
#define gtr__cuda_rms_norm_bwd gtr__cuda_layer_norm_bwd

// >>op:group_norm
// A block a row's group: `wide` neighbouring channels of each of its pixels, W of them a thread, U such groups at a
// time. Statistics as layer_norm's. Bound by bytes: forward x three times, of which two come from the cache where a
// group fits, y once; backward x and dy twice, dx once. Gradients of weight and bias are sums by >>reduce.
typedef struct gtr__gn {
    gtr__opd x, y, dy, dx, weight, bias, mean, rstd;
    int64_t items, pixels, channels;
    uint32_t groups, wide;
    float eps;
} gtr__gn;
template <int W> struct gtr__gn_item {
    static const int U = 4;
    const gtr__gn &m;
    int64_t base, n;                            // its first element; its elements
    uint32_t first;                             // channel
    GTR__DEVICE gtr__gn_item(const gtr__gn &gn, int64_t item) : m(gn) {
        const int64_t row = item / m.groups;
        first = (uint32_t)(item - row * m.groups) * m.wide;
        base = row * m.pixels * m.channels + first;
        n = m.pixels * m.wide;
    }
    // Where its element i lies: in an image, or, of a parameter, among channels.
    GTR__DEVICE int64_t at(int64_t i, bool parameter) const {
        if (i >= n) return -1;
        const int64_t pixel = i / m.wide;
        return parameter ? first + (i - pixel * m.wide) : base + pixel * m.channels + (i - pixel * m.wide);
    }
    GTR__DEVICE void take(const gtr__opd &o, int64_t i, float (&v)[U][W], bool parameter = false) const {
        gtr__take_all(o, v, [&](int u) { return at(i + (int64_t)u * GTR__T * W, parameter); });
    }
    // Of groups from element i on that are there, each(u) of all of which v has x.
    template <typename F> GTR__DEVICE void over(float (&v)[U][W], F each) const {
        for (int64_t i = (int64_t)threadIdx.x * W; i < n; i += (int64_t)U * GTR__T * W) {
            take(m.x, i, v);
            each(i);
        }
    }
    GTR__DEVICE bool there(int64_t i, int u) const { return i + (int64_t)u * GTR__T * W < n; }
    GTR__DEVICE void give(const gtr__opd &o, int64_t i, int u, const float (&v)[W]) const {
        float w[4];
#pragma unroll
        for (int k = 0; k < 4; k++) w[k] = k < W ? v[k] : 0.0f;
        if (there(i, u)) gtr__give(o, at(i + (int64_t)u * GTR__T * W, false), W, w);
    }
    // Weights of the elements from i on; 1 without.
    GTR__DEVICE void weights(int64_t i, float (&w)[U][W]) const {
        if (m.weight.p) take(m.weight, i, w, true);
        else
#pragma unroll
            for (int u = 0; u < U; u++)
#pragma unroll
                for (int k = 0; k < W; k++) w[u][k] = 1.0f;
    }
};
template <int W> static __global__ void __launch_bounds__(GTR__T) gtr__k_group_norm(const __grid_constant__ gtr__gn m) {
    __shared__ float scratch[32];
    const int U = gtr__gn_item<W>::U;
    gtr__enter();
    for (int64_t item = blockIdx.x; item < m.items; item += gridDim.x) {
        const gtr__gn_item<W> r(m, item);
        const float share = 1.0f / (float)r.n;
        float v[U][W], mean = 0.0f, q = 0.0f, off = 0.0f;
        r.over(v, [&](int64_t) {
#pragma unroll
            for (int u = 0; u < U; u++)
#pragma unroll
                for (int k = 0; k < W; k++) mean += v[u][k];
        });
        mean = gtr__block_sum(mean, scratch) * share;
        r.over(v, [&](int64_t i) {
#pragma unroll
            for (int u = 0; u < U; u++) if (r.there(i, u))
#pragma unroll
                for (int k = 0; k < W; k++) { const float d = v[u][k] - mean; q += d * d; off += d; }
        });
        q = gtr__block_sum(q, scratch);
        off = gtr__block_sum(off, scratch);
        mean += off * share;
        const float rstd = rsqrtf(fmaxf(q - off * off * share, 0.0f) * share + m.eps);
        if (threadIdx.x == 0) { gtr__give1(m.rstd, item, rstd); gtr__give1(m.mean, item, mean); }
        r.over(v, [&](int64_t i) {
            float w[U][W], b[U][W];
            r.weights(i, w);
            if (m.bias.p) r.take(m.bias, i, b, true);
#pragma unroll
            for (int u = 0; u < U; u++) {
#pragma unroll
                for (int k = 0; k < W; k++) w[u][k] = (v[u][k] - mean) * rstd * w[u][k] + (m.bias.p ? b[u][k] : 0.0f);
                r.give(m.y, i, u, w[u]);
            }
        });
    }
}
template <int W>
static __global__ void __launch_bounds__(GTR__T) gtr__k_group_norm_bwd(const __grid_constant__ gtr__gn m) {
    __shared__ float scratch[32];
    const int U = gtr__gn_item<W>::U;
    gtr__enter();
    for (int64_t item = blockIdx.x; item < m.items; item += gridDim.x) {
        const gtr__gn_item<W> r(m, item);
        const float share = 1.0f / (float)r.n, rstd = gtr__get(m.rstd.p, m.rstd.t, item),
            mean = gtr__get(m.mean.p, m.mean.t, item);
        float v[U][W], g[U][W], w[U][W], a = 0.0f, b = 0.0f;
        auto gradient = [&](int64_t i) {        // of xh, in g
            r.take(m.dy, i, g); r.weights(i, w);
#pragma unroll
            for (int u = 0; u < U; u++)
#pragma unroll
                for (int k = 0; k < W; k++) g[u][k] *= w[u][k];
        };
        r.over(v, [&](int64_t i) {
            gradient(i);
#pragma unroll
            for (int u = 0; u < U; u++) if (r.there(i, u))
#pragma unroll
                for (int k = 0; k < W; k++) { a += g[u][k]; b += g[u][k] * ((v[u][k] - mean) * rstd); }
        });
        a = gtr__block_sum(a, scratch) * share;
        b = gtr__block_sum(b, scratch) * share * rstd;
        r.over(v, [&](int64_t i) {
            gradient(i);
#pragma unroll
            for (int u = 0; u < U; u++) {
#pragma unroll
                for (int k = 0; k < W; k++) w[u][k] = rstd * (g[u][k] - a - (v[u][k] - mean) * b);
                r.give(m.dx, i, u, w[u]);
            }
        });
    }
}
static gtr__gn gtr__gn_make(const gtr__call *c, bool affine) {
    gtr__gn m;
    const gtr_shape *x = &c->in[0].shape;
    memset(&m, 0, sizeof m);
    m.channels = x->dim[x->ndim - 1];
    m.groups = (uint32_t)c->attr->i[0]; m.wide = (uint32_t)(m.channels / m.groups);
    m.items = x->dim[0] * m.groups;
    m.pixels = c->in[0].count / (x->dim[0] * m.channels);
    m.eps = (float)c->attr->f[0];
    m.x = gtr__opd_of(&c->in[0]);
    if (affine) m.weight = gtr__opd_of(&c->in[1]);
    return m;
}
static bool gtr__gn_wide(const gtr__gn *m) {
    return m->wide % 4 == 0 && gtr__wide(m->x) && gtr__wide(m->y) && gtr__wide(m->dy) && gtr__wide(m->dx)
        && gtr__wide(m->weight) && gtr__wide(m->bias);
}
static gtr_result gtr__gn_launch(void *instance, const gtr__call *c, const gtr__gn *m, const char *name,
        void (*kernel)(const gtr__gn)) {
    const dim3 grid(gtr__grid(c, m->items * GTR__T));
    return gtr__start(instance, (cudaStream_t)c->stream, name, kernel, grid, dim3(GTR__T), 0, 1u, *m);
}
static gtr_result gtr__cuda_group_norm_fwd(void *instance, const gtr__call *c) {
    gtr__gn m = gtr__gn_make(c, c->n_in > 1);
    if (c->measure) return gtr__measured(c, 0);
    m.bias = gtr__opd_of(c->n_in > 1 ? &c->in[2] : NULL);
    m.y = gtr__opd_of(&c->out[0]); m.rstd = gtr__opd_of(&c->out[1]); m.mean = gtr__opd_of(&c->out[2]);
    return gtr__gn_launch(instance, c, &m, "gtr__k_group_norm",
        gtr__gn_wide(&m) ? gtr__k_group_norm<4> : gtr__k_group_norm<1>);
}
// in: x, weight and bias or neither, y, rstd, mean, dy; out: dx, dweight, dbias.
static gtr_result gtr__cuda_group_norm_bwd(void *instance, const gtr__call *c) {
    const gtr__arg *dy = &c->in[c->n_in - 1], *mean = dy - 1, *rstd = dy - 2;
    gtr__gn m = gtr__gn_make(c, c->n_out > 1);
    gtr_shape full, figure;
    gtr__red s;
    memset(&full, 0, sizeof full);
    full.ndim = 4;
    full.dim[0] = m.items / m.groups; full.dim[1] = m.pixels; full.dim[2] = m.groups; full.dim[3] = m.wide;
    figure = full; figure.dim[1] = figure.dim[3] = 1;
    gtr__red_make(&s, c, &full, 3u, &figure, &figure);
    if (c->measure) return gtr__measured(c, c->n_out > 1 ? gtr__red_bytes(&s) : 0);
    s.p[0] = dy->data; s.t[0] = (int)dy->dtype;
    for (int k = 2; k > 0; k--) if (k < c->n_out && c->out[k].data) {
        s.kind = k == 1 ? GTR__VALUE_NORM : GTR__VALUE_X; s.out = gtr__opd_of(&c->out[k]);
        if (k == 1) {
            s.p[1] = mean->data; s.p[2] = rstd->data; s.p[3] = m.x.p;
            s.t[1] = s.t[2] = (int)GTR_F32; s.t[3] = m.x.t;
        }
        GTR__TRY(gtr__red_launch(instance, c, &s));
    }
    if (!c->out[0].data) return GTR_OK;
    m.dy = gtr__opd_of(dy); m.dx = gtr__opd_of(&c->out[0]);
    m.rstd = gtr__opd_of(rstd); m.mean = gtr__opd_of(mean);
    return gtr__gn_launch(instance, c, &m, "gtr__k_group_norm_bwd",
        gtr__gn_wide(&m) ? gtr__k_group_norm_bwd<4> : gtr__k_group_norm_bwd<1>);
}

// >>op:tally
// A block. Bytes: the labels, or floats x.
static __global__ void __launch_bounds__(1024, 1) gtr__k_tally(gtr__opd x, int64_t n, int64_t least, int64_t most,
                                                               void *to, int add) {
    __shared__ double sums[32];
    gtr__enter();
    double v = 0.0, *y = (double *)to;
    int64_t *counts = (int64_t *)to;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        const int label = x.t == GTR_I32 ? ((const int32_t *)x.p)[i] : 0;
        v += x.t != GTR_I32 ? (double)gtr__get(x.p, x.t, i) : label < least || label > most ? 1.0 : 0.0;
    }
    v = gtr__block_sum(v, sums);
    if (threadIdx.x) return;
    if (x.t == GTR_I32) {
        counts[0] = (add ? counts[0] : 0) + (int64_t)v;
        counts[1] = (add ? counts[1] : 0) + n;
        return;
    }
    y[0] = (add ? y[0] : 0.0) + v;
    y[1] = (add ? y[1] : 0.0) + (double)n;
}
static gtr_result gtr__cuda_tally_fwd(void *instance, const gtr__call *c) {
    return GTR__LAUNCH(instance, c, gtr__k_tally, 1, 1024, 0, gtr__opd_of(&c->in[0]), c->in[0].count, c->attr->i[0],
                       c->attr->i[1], c->out[0].data, c->out[0].add);
}

// >>op:divisor
// A block. Bytes: x, where there is no tally.
static __global__ void __launch_bounds__(1024, 1) gtr__k_divisor(gtr__opd x, int64_t n,
                                                                 const double *tally, gtr__opd y) {
    __shared__ double sums[32];
    gtr__enter();
    double v = 0.0;
    if (!tally) for (int64_t i = threadIdx.x; i < n; i += blockDim.x) v += (double)gtr__get(x.p, x.t, i);
    v = tally ? tally[0] * (double)n / tally[1] : gtr__block_sum(v, sums);
    if (threadIdx.x == 0) gtr__give1(y, 0, v != 0.0 ? (float)v : NAN);
}
static gtr_result gtr__cuda_divisor_fwd(void *instance, const gtr__call *c) {
    const double *tally = c->n_in > 1 ? (const double *)c->in[1].data : NULL;
    return GTR__LAUNCH(instance, c, gtr__k_divisor, 1, tally ? 32 : 1024, 0, gtr__opd_of(&c->in[0]), c->in[0].count,
                       tally, gtr__opd_of(&c->out[0]));
}

// >>op:nll
// Bytes: 12 a row, and cache lines of x.
static __global__ void __launch_bounds__(GTR__T) gtr__k_nll(gtr__opd x, const int32_t *label, gtr__opd y, int64_t rows,
                                                            int64_t n, int64_t step, int64_t ignore, float a, float b) {
    gtr__enter();
    for (int64_t i = (int64_t)blockIdx.x * GTR__T + threadIdx.x; i < rows; i += (int64_t)gridDim.x * GTR__T) {
        const int64_t k = label[i];
        gtr__give1(y, i, k == ignore ? 0.0f : k < 0 || k >= n ? NAN : a * gtr__get(x.p, x.t, i * step + k) + b);
    }
}
static gtr_result gtr__cuda_nll_fwd(void *instance, const gtr__call *c) {
    const gtr_shape *x = &c->in[0].shape;
    const int64_t rows = c->in[1].count, n = x->dim[x->ndim - 1];
    return GTR__LAUNCH(instance, c, gtr__k_nll, gtr__grid(c, rows), GTR__T, 0, gtr__opd_of(&c->in[0]),
        (const int32_t *)c->in[1].data, gtr__opd_of(&c->out[0]), rows, n, x->ndim == 2 ? n : 0, c->attr->i[0],
        (float)c->attr->f[0], (float)c->attr->f[1]);
}
// Bytes: dx, written once, but where it is added to: then 12 a row.
static __global__ void __launch_bounds__(GTR__T) gtr__k_nll_bwd(const int32_t *label, gtr__opd dy, gtr__opd dx,
                                                                int64_t rows, int64_t n, int64_t ignore, float a) {
    gtr__enter();
    const int64_t each = dx.add ? 1 : n;
    for (int64_t i = (int64_t)blockIdx.x * GTR__T + threadIdx.x; i < rows * each; i += (int64_t)gridDim.x * GTR__T) {
        const int64_t row = i / each, k = label[row], at = dx.add ? k : i - row * each;
        const bool here = k == at && k != ignore && k >= 0 && k < n;
        if (here || !dx.add) gtr__give1(dx, row * n + at, here ? a * gtr__get(dy.p, dy.t, row) : 0.0f);
    }
}
static gtr_result gtr__cuda_nll_bwd(void *instance, const gtr__call *c) {
    const int64_t rows = c->in[1].count, n = c->in[0].shape.dim[1];
    if (!c->out[0].data) return GTR_OK;
    return GTR__LAUNCH(instance, c, gtr__k_nll_bwd, gtr__grid(c, c->out[0].add ? rows : rows * n), GTR__T, 0,
        (const int32_t *)c->in[1].data, gtr__opd_of(&c->in[3]), gtr__opd_of(&c->out[0]), rows, n, c->attr->i[0],
        (float)c->attr->f[0]);
}

// >>op:bn_commit
// Bytes: 24 a channel. Nothing in a guarded step, which losses say that GUARD has not read. A row of blocks serves a
// norm.
typedef struct gtr__bn_set {
    gtr__opd mean, var;
    float *running_mean, *running_var;
    int64_t *batches, channels;
} gtr__bn_set;
typedef struct gtr__bn_sets {
    gtr__bn_set set[GTR__BN_SETS];
    double momentum, unbias;
    const gtr__ctl *ctl;
    gtr__opd loss; int64_t losses;
} gtr__bn_sets;
// Whether one of a block's threads finds one that is not finite.
static GTR__DEVICE bool gtr__any_infinite(gtr__opd x, int64_t n) {
    bool bad = false;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) bad |= gtr__infinite(gtr__get(x.p, x.t, i));
    return bad;
}
static __global__ void __launch_bounds__(GTR__T) gtr__k_bn_commit(const __grid_constant__ gtr__bn_sets m) {
    gtr__enter();
    if (__syncthreads_or((m.ctl && (m.ctl->guard || m.ctl->status)) || gtr__any_infinite(m.loss, m.losses))) return;
    const gtr__bn_set &s = m.set[blockIdx.y];
    for (int64_t k = (int64_t)blockIdx.x * GTR__T + threadIdx.x; k < s.channels; k += (int64_t)gridDim.x * GTR__T) {
        const double mean = gtr__get(s.mean.p, s.mean.t, k), var = gtr__get(s.var.p, s.var.t, k);
        const double keep = 1.0 - m.momentum;
        s.running_mean[k] = (float)(keep * (double)s.running_mean[k] + m.momentum * mean);
        s.running_var[k] = (float)(keep * (double)s.running_var[k] + m.momentum * m.unbias * var);
        if (k == 0 && s.batches) s.batches[0]++;
    }
}
static gtr_result gtr__bn_commit_run(void *instance, const gtr__call *c, gtr__opd loss, int64_t losses) {
    const double n = (double)c->attr->i[0];
    gtr__bn_sets m;
    int64_t most = 0;
    memset((void *)&m, 0, sizeof m);
    m.momentum = c->attr->f[0]; m.unbias = n > 1 ? n / (n - 1) : 1; m.ctl = (const gtr__ctl *)c->ctl;
    m.loss = loss; m.losses = losses;
    for (int k = 0; k < c->n_in; k += GTR__BN_SET) {
        gtr__bn_set *s = &m.set[k / GTR__BN_SET];
        s->mean = gtr__opd_of(&c->in[k]); s->var = gtr__opd_of(&c->in[k + 1]);
        s->running_mean = (float *)c->in[k + 2].data; s->running_var = (float *)c->in[k + 3].data;
        s->batches = (int64_t *)c->in[k + 4].data;
        s->channels = c->in[k].count;
        if (most < s->channels) most = s->channels;
    }
    const dim3 grid(gtr__grid(c, most), (unsigned)(c->n_in / GTR__BN_SET));
    return GTR__LAUNCH(instance, c, gtr__k_bn_commit, grid, GTR__T, 0, m);
}
static gtr_result gtr__cuda_bn_commit_fwd(void *instance, const gtr__call *c) {
    return gtr__bn_commit_run(instance, c, {}, 0);
}

// >>op:argmax
// The first of equals; NaN counts as the largest. Bytes: x once.
static GTR__DEVICE bool gtr__better(float v, int64_t i, float best, int64_t at) {
    bool nan = v != v, was = best != best;
    if (nan || was) return nan && (!was || i < at);
    return v > best || (v == best && i < at);
}
// A team's largest element of n, stride apart from index at on. values, where: 32 of shared
// memory each, used by blocks.
static GTR__DEVICE int64_t gtr__row_argmax(gtr__opd x, int64_t at, int64_t n, int lane, int team,
        bool live, float *values, int64_t *where, float *top) {
    float v = -INFINITY;
    int64_t k = INT64_MAX;
    if (live) for (int64_t i = lane; i < n; i += team) {
        float w = gtr__get(x.p, x.t, at + i);
        if (gtr__better(w, i, v, k)) { v = w; k = i; }
    }
    for (int o = (team < 32 ? team : 32) >> 1; o; o >>= 1) {
        float w = __shfl_xor_sync(0xffffffffu, v, o);
        int64_t i = __shfl_xor_sync(0xffffffffu, k, o);
        if (gtr__better(w, i, v, k)) { v = w; k = i; }
    }
    if (team > 32) {
        if (threadIdx.x % 32 == 0) { values[threadIdx.x / 32] = v; where[threadIdx.x / 32] = k; }
        __syncthreads();
        for (int w = 0; w < (int)blockDim.x / 32; w++) if (gtr__better(values[w], where[w], v, k)) {
            v = values[w]; k = where[w];
        }
        __syncthreads();
    }
    *top = v;
    return k;
}
static __global__ void __launch_bounds__(GTR__T)
        gtr__k_argmax(gtr__opd x, int32_t *y, int64_t rows, int64_t n, int team) {
    __shared__ float values[32];
    __shared__ int64_t where[32];
    gtr__enter();
    int teams = GTR__T / team, lane = (int)threadIdx.x % team;
    for (int64_t base = (int64_t)blockIdx.x * teams; base < rows; base += (int64_t)gridDim.x * teams) {
        int64_t row = base + threadIdx.x / team;
        float top;
        int64_t k = gtr__row_argmax(x, row * n, n, lane, team, row < rows, values, where, &top);
        if (row < rows && lane == 0) y[row] = (int32_t)k;
    }
}
static __global__ void __launch_bounds__(GTR__T)
        gtr__k_argmax_lines(gtr__opd x, int32_t *y, int64_t lines, int64_t n, int64_t inner) {
    gtr__enter();
    for (int64_t line = (int64_t)blockIdx.x * GTR__T + threadIdx.x; line < lines; line += (int64_t)gridDim.x * GTR__T) {
        int64_t at = line / inner * n * inner + line % inner, k = 0;
        float v = gtr__get(x.p, x.t, at);
        for (int64_t i = 1; i < n; i++) {
            float w = gtr__get(x.p, x.t, at + i * inner);
            if (gtr__better(w, i, v, k)) { v = w; k = i; }
        }
        y[line] = (int32_t)k;
    }
}
static gtr_result gtr__cuda_argmax_fwd(void *instance, const gtr__call *c) {
    int64_t rows, n, inner;
    gtr__around(&c->in[0].shape, (int)c->attr->i[0], &rows, &n, &inner);
    if (rows * n * inner == 0) return GTR_OK;
    if (inner > 1) return GTR__LAUNCH(instance, c, gtr__k_argmax_lines, gtr__grid(c, rows * inner), GTR__T, 0,
        gtr__opd_of(&c->in[0]), (int32_t *)c->out[0].data, rows * inner, n, inner);
    int team = gtr__team(n, rows, gtr__sms(c));
    return GTR__LAUNCH(instance, c, gtr__k_argmax, gtr__grid(c, rows * team), GTR__T, 0, gtr__opd_of(&c->in[0]),
        (int32_t *)c->out[0].data, rows, n, team);
}

// >>op:cumsum
// Lines along the axis: a block of them is a thread each, neighbours side by side; a few long ones a block each, which
// scans tiles of its threads' sums one after the other. Bytes: x and y once. back: from the end on.
typedef struct gtr__scan { gtr__opd x, y; int64_t lines, n, inner; int back; } gtr__scan;
static GTR__DEVICE int64_t gtr__scan_at(const gtr__scan &m, int64_t line, int64_t i) {
    return (line / m.inner * m.n + (m.back ? m.n - 1 - i : i)) * m.inner + line % m.inner;
}
static __global__ void __launch_bounds__(GTR__T) gtr__k_cumsum_lines(const gtr__scan m) {
    gtr__enter();
    for (int64_t l = (int64_t)blockIdx.x * GTR__T + threadIdx.x; l < m.lines; l += (int64_t)gridDim.x * GTR__T) {
        float sum = 0.0f;
        for (int64_t i = 0; i < m.n; i++) {
            const int64_t at = gtr__scan_at(m, l, i);
            gtr__give1(m.y, at, sum += gtr__get(m.x.p, m.x.t, at));
        }
    }
}
static __global__ void __launch_bounds__(GTR__T) gtr__k_cumsum(const gtr__scan m) {
    __shared__ float warps[GTR__T / 32];
    gtr__enter();
    const int t = (int)threadIdx.x;
    for (int64_t l = blockIdx.x; l < m.lines; l += gridDim.x) {
        float before = 0.0f;
        for (int64_t base = 0; base < m.n; base += 4 * GTR__T) {
            float v[4], sum = 0.0f;
#pragma unroll
            for (int u = 0; u < 4; u++) {
                const int64_t i = base + 4 * t + u;
                v[u] = sum += i < m.n ? gtr__get(m.x.p, m.x.t, gtr__scan_at(m, l, i)) : 0.0f;
            }
            float all = sum;
            for (int o = 1; o < 32; o *= 2) {
                const float w = __shfl_up_sync(0xffffffffu, all, o);
                if (t % 32 >= o) all += w;
            }
            __syncthreads();
            if (t % 32 == 31) warps[t / 32] = all;
            __syncthreads();
            const float lane = __shfl_up_sync(0xffffffffu, all, 1);
            float at = before;
            for (int w = 0; w < GTR__T / 32; w++) { if (w == t / 32) at = before; before += warps[w]; }
            if (t % 32) at += lane;
#pragma unroll
            for (int u = 0; u < 4; u++) {
                const int64_t i = base + 4 * t + u;
                if (i < m.n) gtr__give1(m.y, gtr__scan_at(m, l, i), at + v[u]);
            }
        }
    }
}
static gtr_result gtr__cumsum_run(void *instance, const gtr__call *c, const gtr__arg *x, int back) {
    gtr__scan m;
    if (!c->out[0].data || c->out[0].count == 0) return GTR_OK;
    m.x = gtr__opd_of(x); m.y = gtr__opd_of(&c->out[0]); m.back = back;
    gtr__around(&x->shape, (int)c->attr->i[0], &m.lines, &m.n, &m.inner);
    m.lines *= m.inner;
    if (m.n <= 16 || (m.inner > 1 && m.lines >= gtr__sms(c) * 64))
        return GTR__LAUNCH(instance, c, gtr__k_cumsum_lines, gtr__grid(c, m.lines), GTR__T, 0, m);
    return GTR__LAUNCH(instance, c, gtr__k_cumsum, gtr__grid(c, m.lines * GTR__T), GTR__T, 0, m);
}
static gtr_result gtr__cuda_cumsum_fwd(void *instance, const gtr__call *c) {
    return gtr__cumsum_run(instance, c, &c->in[0], 0);
}
static gtr_result gtr__cuda_cumsum_bwd(void *instance, const gtr__call *c) {
    return gtr__cumsum_run(instance, c, &c->in[2], 1);
}

// >>op:sort
// Keys, all different, are an element's bits in order and its index. Tiles of them, or several lines of fewer, are
// sorted in shared memory, where each merge compares the first half with the second turned round, so that all runs
// ascend and what lies behind a line's end stays there. Of many tiles the first k of each go on, where these are at
// most half; else runs of tiles are merged in global memory. Bound by latency, or log^2 n times the keys' bytes.
#define GTR__SORT_TILE 2048
#define GTR__SORT_T    512
typedef struct gtr__sorting {
    gtr__opd x, y; int32_t *index; const uint64_t *from; uint64_t *to;
    int64_t lines, n, inner, k, count, keep, tiles;     // count: keys of a line; keep: of a tile
    int tile, down, merge;              // merge: of a tile the second part alone
} gtr__sorting;
static GTR__DEVICE uint64_t gtr__sort_key(const gtr__sorting &m, int64_t line, int64_t i) {
    const float v = gtr__get(m.x.p, m.x.t, (line / m.inner * m.n + i) * m.inner + line % m.inner);
    uint32_t u = __float_as_uint(v);
    u = v != v ? 0xffffffffu : v == 0.0f ? 0x80000000u : u >> 31 ? ~u : u | 0x80000000u;
    return (uint64_t)(m.down ? ~u : u) << 32 | (uint64_t)i;
}
static __global__ void __launch_bounds__(GTR__SORT_T) gtr__k_sort(const __grid_constant__ gtr__sorting m) {
    __shared__ uint64_t key[GTR__SORT_TILE];
    gtr__enter();
    const int64_t first = (int64_t)blockIdx.x * (GTR__SORT_TILE / m.tile), all = m.lines * m.tiles;
    for (int i = (int)threadIdx.x; i < GTR__SORT_TILE; i += GTR__SORT_T) {
        const int64_t id = first + i / m.tile, line = id / m.tiles, at = id % m.tiles * m.tile + i % m.tile;
        key[i] = id >= all || at >= m.count ? ~(uint64_t)0 : m.from ? m.from[line * m.count + at]
            : gtr__sort_key(m, line, at);
    }
    for (int k = m.merge ? m.tile : 2; k <= m.tile; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            __syncthreads();
            for (int p = (int)threadIdx.x; p < GTR__SORT_TILE / 2; p += GTR__SORT_T) {
                const int lo = 2 * p - (p & (j - 1)), hi = j == k / 2 && !m.merge ? lo ^ (k - 1) : lo + j;
                const uint64_t a = key[lo], b = key[hi];
                if (a > b) { key[lo] = b; key[hi] = a; }
            }
        }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < GTR__SORT_TILE; i += GTR__SORT_T) {
        const int64_t id = first + i / m.tile, line = id / m.tiles, piece = id % m.tiles, place = i % m.tile;
        if (id >= all) continue;
        if (m.to && m.keep < m.tile) { if (place < m.keep) m.to[id * m.keep + place] = key[i]; }
        else if (m.to) { if (piece * m.tile + place < m.count) m.to[line * m.count + piece * m.tile + place] = key[i]; }
        else if (piece * m.tile + place < m.k) {
            const int64_t e = (uint32_t)key[i],
                o = (line / m.inner * m.k + piece * m.tile + place) * m.inner + line % m.inner;
            gtr__give1(m.y, o, gtr__get(m.x.p, m.x.t, (line / m.inner * m.n + e) * m.inner + line % m.inner));
            m.index[o] = (int32_t)e;
        }
    }
}
// Of runs of `run` keys, twice as long as before, or behind a first step (j below half) of parts of them.
static __global__ void __launch_bounds__(GTR__T)
        gtr__k_sort_far(uint64_t *key, int64_t lines, int64_t count, int64_t half, int64_t run, int64_t j) {
    gtr__enter();
    for (int64_t g = (int64_t)blockIdx.x * GTR__T + threadIdx.x; g < lines * half; g += (int64_t)gridDim.x * GTR__T) {
        const int64_t p = g % half, lo = 2 * p - (p & (j - 1)), hi = j == run / 2 ? lo ^ (run - 1) : lo + j;
        if (hi >= count) continue;
        uint64_t *line = key + g / half * count, a = line[lo], b = line[hi];
        if (a > b) { line[lo] = b; line[hi] = a; }
    }
}
static gtr_result gtr__sort_tiles(void *instance, const gtr__call *c, gtr__sorting *m) {
    const int64_t blocks = gtr__ceil(m->lines * m->tiles, GTR__SORT_TILE / m->tile);
    return GTR__LAUNCH(instance, c, gtr__k_sort, (unsigned)blocks, GTR__SORT_T, 0, *m);
}
static gtr_result gtr__cuda_sort_fwd(void *instance, const gtr__call *c) {
    gtr__sorting m;
    memset((void *)&m, 0, sizeof m);
    gtr__around(&c->in[0].shape, (int)c->attr->i[0], &m.lines, &m.n, &m.inner);
    m.lines *= m.inner;
    m.k = c->out[0].shape.dim[c->attr->i[0]]; m.down = c->attr->i[2] != 0;
    m.count = m.n;
    for (m.tile = 1; m.tile < m.n && m.tile < GTR__SORT_TILE; ) m.tile *= 2;
    m.tiles = gtr__ceil(m.n, m.tile); m.keep = m.k <= m.tile / 2 ? m.k : m.tile;
    const int64_t next = m.keep < m.tile ? m.tiles * m.keep : m.n;
    if (c->measure) return gtr__measured(c, m.tiles == 1 ? 0 : (size_t)(2 * m.lines * next) * 8);
    m.x = gtr__opd_of(&c->in[0]); m.y = gtr__opd_of(&c->out[0]); m.index = (int32_t *)c->out[1].data;
    uint64_t *ws = (uint64_t *)c->ws;
    for (int turn = 0; m.tiles > 1 && m.keep < m.tile; turn ^= 1) {
        m.to = ws + turn * m.lines * next;
        GTR__TRY(gtr__sort_tiles(instance, c, &m));
        m.from = m.to; m.to = NULL;
        m.count = m.tiles * m.keep; m.tiles = gtr__ceil(m.count, m.tile);
    }
    if (m.tiles > 1) m.to = ws;
    GTR__TRY(gtr__sort_tiles(instance, c, &m));
    m.from = m.to; m.merge = 1;
    for (int64_t run = 2 * m.tile; run / 2 < m.count; run *= 2) {
        const int64_t half = gtr__ceil(m.count, run) * (run / 2);
        for (int64_t j = run / 2; j >= m.tile; j /= 2)
            GTR__TRY(GTR__LAUNCH(instance, c, gtr__k_sort_far, gtr__grid(c, m.lines * half), GTR__T, 0, ws, m.lines,
                m.count, half, run, j));
        m.to = run < m.count ? ws : NULL;
        GTR__TRY(gtr__sort_tiles(instance, c, &m));
    }
    return GTR_OK;
}
static __global__ void __launch_bounds__(GTR__T)
        gtr__k_unsort(gtr__opd dy, const int32_t *index, gtr__opd dx, int64_t count, int64_t n, int64_t k,
            int64_t inner) {
    gtr__enter();
    for (int64_t i = (int64_t)blockIdx.x * GTR__T + threadIdx.x; i < count; i += (int64_t)gridDim.x * GTR__T)
        gtr__give1(dx, (i / (inner * k) * n + index[i]) * inner + i % inner, gtr__get(dy.p, dy.t, i));
}
static gtr_result gtr__cuda_sort_bwd(void *instance, const gtr__call *c) {
    const gtr__arg *dy = &c->in[3];
    int64_t outer, n, inner;
    if (c->measure) return gtr__measured(c, 0);
    if (!c->out[0].data) return GTR_OK;
    gtr__around(&c->in[0].shape, (int)c->attr->i[0], &outer, &n, &inner);
    const gtr__opd dx = gtr__opd_of(&c->out[0]);
    if (!dx.add && dy->count < c->out[0].count) GTR__TRY(GTR__LAUNCH(instance, c, gtr__k_fill,
        gtr__grid(c, c->out[0].count), GTR__T, 0, dx, c->out[0].count, 0.0f, (const gtr__ctl *)NULL));
    return GTR__LAUNCH(instance, c, gtr__k_unsort, gtr__grid(c, dy->count), GTR__T, 0, gtr__opd_of(dy),
        (const int32_t *)c->in[2].data, dx, dy->count, n, dy->count / (outer * inner), inner);
}

// >>op:take
// A thread an element of y: the one of x that ids names, or, backward, the sum of those that starts and order name.
// Bytes: x and y once, and indices from the cache.
typedef struct gtr__taking {
    gtr__opd x, y; const int32_t *ids, *starts; int64_t count, n, m, inner; float value;
} gtr__taking;
static __global__ void __launch_bounds__(GTR__T) gtr__k_take(const gtr__taking q) {
    gtr__enter();
    for (int64_t i = (int64_t)blockIdx.x * GTR__T + threadIdx.x; i < q.count; i += (int64_t)gridDim.x * GTR__T) {
        const bool small = q.count < 0x7fffffff;
        const int64_t row = small ? (int64_t)((uint32_t)i / (uint32_t)q.inner) : i / q.inner, e = i - row * q.inner,
            outer = small ? (int64_t)((uint32_t)row / (uint32_t)q.n) : row / q.n, j = row - outer * q.n;
        float sum = 0.0f;
        if (!q.starts) {
            const int32_t id = q.ids[j];
            sum = id < 0 ? q.value : gtr__get(q.x.p, q.x.t, (outer * q.m + id) * q.inner + e);
        } else for (int32_t t = q.starts[j]; t < q.starts[j + 1]; t++)
            sum += gtr__get(q.x.p, q.x.t, (outer * q.m + q.ids[t]) * q.inner + e);
        gtr__give1(q.y, i, sum);
    }
}
static gtr_result gtr__take_run(void *instance, const gtr__call *c, const gtr__arg *x, const int32_t *ids,
        const int32_t *starts) {
    const gtr__arg *y = &c->out[0];
    gtr__taking q;
    int64_t outer;
    if (!y->data || y->count == 0) return GTR_OK;
    q.x = gtr__opd_of(x); q.y = gtr__opd_of(y); q.ids = ids; q.starts = starts;
    q.m = x->shape.dim[c->attr->i[0]]; q.count = y->count; q.value = (float)c->attr->f[0];
    gtr__around(&y->shape, (int)c->attr->i[0], &outer, &q.n, &q.inner);
    return GTR__LAUNCH(instance, c, gtr__k_take, gtr__grid(c, q.count), GTR__T, 0, q);
}
static gtr_result gtr__cuda_take_fwd(void *instance, const gtr__call *c) {
    return gtr__take_run(instance, c, &c->in[0], (const int32_t *)c->in[1].data, NULL);
}
static gtr_result gtr__cuda_take_bwd(void *instance, const gtr__call *c) {
    return gtr__take_run(instance, c, &c->in[5], (const int32_t *)c->in[3].data, (const int32_t *)c->in[2].data);
}

// >>op:one_hot
static __global__ void __launch_bounds__(GTR__T)
        gtr__k_one_hot(const int32_t *ids, gtr__opd y, int64_t count, int64_t n) {
    gtr__enter();
    for (int64_t i = (int64_t)blockIdx.x * GTR__T + threadIdx.x; i < count; i += (int64_t)gridDim.x * GTR__T) {
        const int32_t id = ids[i / n];
        gtr__give1(y, i, id < 0 || id >= n ? NAN : id == i % n ? 1.0f : 0.0f);
    }
}
static gtr_result gtr__cuda_one_hot_fwd(void *instance, const gtr__call *c) {
    return GTR__LAUNCH(instance, c, gtr__k_one_hot, gtr__grid(c, c->out[0].count), GTR__T, 0,
        (const int32_t *)c->in[0].data, gtr__opd_of(&c->out[0]), c->out[0].count, c->attr->i[0]);
}

// How rows of the losses over (N, C) are cut: four elements a lane, in one block or, on Hopper, one cluster where that
// is quick, as then the launch is the only one. Else each block leaves two numbers in workspace, and a last kernel of
// one block joins them in a fixed order.
#define GTR__CLUSTER 8          // blocks of a cluster that every such device has
typedef struct gtr__cut { int team, threads, blocks; bool cluster; } gtr__cut;
static gtr__cut gtr__cut_make(const gtr__call *c) {
    int64_t rows = c->in[0].shape.dim[0], n = c->in[0].shape.dim[1];
    gtr__cut k;
    k.team = n > 1024 ? GTR__T : 1;
    while (k.team < 32 && k.team * 4 < n) k.team *= 2;
    k.threads = k.team > 32 ? GTR__T : 512;
    const int64_t blocks = gtr__max64(1, gtr__ceil(rows * k.team, k.threads));
    k.cluster = c->caps->compute >= 90 && blocks > 1 && blocks <= 2 * GTR__CLUSTER;     // at most two rounds
    k.blocks = (int)gtr__min64(blocks, k.cluster ? GTR__CLUSTER : (int64_t)gtr__sms(c) * 4);
    if (k.blocks == 1) k.threads = (int)gtr__min64(k.threads, gtr__ceil(rows * k.team, 32) * 32);
    return k;
}
static size_t gtr__cut_bytes(const gtr__cut *k) { return k->blocks > 1 && !k->cluster ? (size_t)k->blocks * 8 : 0; }
// All threads of a cluster call it: the blocks' two numbers (thread 0's) are added, in order, by thread 0 of block 0,
// for which alone it is true.
static GTR__DEVICE bool gtr__cut_join(float &a, int &b) {
    __shared__ float2 parts[GTR__CLUSTER];
    gtr__cluster_wait();
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0)
        asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};"
                     :: "r"(gtr__cluster_address(&parts[blockIdx.x], 0)), "f"(a), "f"(__int_as_float(b)) : "memory");
#endif
    gtr__cluster_barrier();
    if (blockIdx.x || threadIdx.x) return false;
    a = parts[0].x; b = __float_as_int(parts[0].y);
    for (unsigned k = 1; k < gridDim.x; k++) { a += parts[k].x; b += __float_as_int(parts[k].y); }
    return true;
}

#define GTR__LAUNCH_CUT(instance, c, kernel, k, ...) \
    gtr__start(instance, (cudaStream_t)(c)->stream, #kernel, kernel, dim3((unsigned)(k).blocks), \
        dim3((unsigned)(k).threads), \
               0, (k).cluster ? (unsigned)(k).blocks : 1u, __VA_ARGS__)

// >>op:accuracy
// A third input's data; NULL. And what divides, given the rows that count here.
static const int64_t *gtr__tally_of(const gtr__call *c) { return c->n_in > 2 ? (const int64_t *)c->in[2].data : NULL; }
static GTR__DEVICE double gtr__divisor(const int64_t *tally, int64_t rows, int counted) {
    return tally ? (double)tally[0] * (double)rows / (double)tally[1] : (double)counted;
}
static GTR__DEVICE float gtr__share(int right, double divisor) {
    return divisor > 0.0 ? (float)((double)right / divisor) : NAN;
}
// Bytes: the logits once.
static __global__ void __launch_bounds__(512)
gtr__k_accuracy(gtr__opd x, const int32_t *label, const int64_t *tally, gtr__opd y, int64_t rows, int64_t n, int team,
                int2 *part) {
    __shared__ float values[32];
    __shared__ int64_t where[32];
    __shared__ int scratch[32];
    gtr__enter();
    if (gridDim.x > 1 && !part) gtr__cluster_arrive();
    int teams = (int)blockDim.x / team, lane = (int)threadIdx.x % team, right = 0, counted = 0;
    for (int64_t base = (int64_t)blockIdx.x * teams; base < rows; base += (int64_t)gridDim.x * teams) {
        int64_t row = base + threadIdx.x / team, k;
        float top;
        k = gtr__row_argmax(x, row * n, n, lane, team, row < rows, values, where, &top);
        if (row < rows && lane == 0 && label[row] >= 0) { counted++; right += k == label[row]; }
    }
    right = gtr__block_sum(right, scratch);
    counted = gtr__block_sum(counted, scratch);
    float all = (float)right;   // as many as a cluster takes are exact
    if (gridDim.x > 1 && !part ? !gtr__cut_join(all, counted) : threadIdx.x) return;
    if (gridDim.x > 1 && part) part[blockIdx.x] = make_int2(right, counted);
    else gtr__give1(y, 0, gtr__share((int)all, gtr__divisor(tally, rows, counted)));
}
static __global__ void __launch_bounds__(GTR__T) gtr__k_accuracy_end(const int2 *part, int blocks, const int64_t *tally,
                                                                     int64_t rows, gtr__opd y) {
    __shared__ int scratch[32];
    gtr__enter();
    int right = 0, counted = 0;
    for (int i = (int)threadIdx.x; i < blocks; i += GTR__T) { right += part[i].x; counted += part[i].y; }
    right = gtr__block_sum(right, scratch);
    counted = gtr__block_sum(counted, scratch);
    if (threadIdx.x == 0) gtr__give1(y, 0, gtr__share(right, gtr__divisor(tally, rows, counted)));
}
static gtr_result gtr__cuda_accuracy_fwd(void *instance, const gtr__call *c) {
    gtr__cut k = gtr__cut_make(c);
    const gtr_shape *x = &c->in[0].shape;
    if (c->measure) return gtr__measured(c, gtr__cut_bytes(&k));
    gtr_result r = GTR__LAUNCH_CUT(instance, c, gtr__k_accuracy, k, gtr__opd_of(&c->in[0]),
        (const int32_t *)c->in[1].data, gtr__tally_of(c), gtr__opd_of(&c->out[0]), x->dim[0], x->dim[1], k.team,
        k.cluster ? NULL : (int2 *)c->ws);
    if (r || k.blocks == 1 || k.cluster) return r;
    return GTR__LAUNCH(instance, c, gtr__k_accuracy_end, 1, GTR__T, 0, (const int2 *)c->ws, k.blocks, gtr__tally_of(c),
                       x->dim[0], gtr__opd_of(&c->out[0]));
}

// >>op:cross_entropy
// A team a row: max and sum in one pass, then, in xent_step, the gradient in a second over what is in the cache. Bound
// by bytes: logits once (with the gradient: once more, from the cache mostly, and the gradient written).
typedef struct gtr__xent {
    gtr__opd x, dx, loss, lse, count;
    const int32_t *label;
    const int64_t *tally;
    int64_t rows, n, ignore;
    int team;
    float smooth, seed;
    const gtr__ctl *ctl;
    float2 *part;               // loss; counted rows as bits
} gtr__xent;

static GTR__DEVICE float gtr__xent_dx(const gtr__xent &m, float g, float v, float lse,
        bool hot, bool bad) {
    float p = expf(v - lse) - m.smooth / (float)m.n;
    if (hot) p -= 1.0f - m.smooth;
    return g * (bad ? NAN : p);
}
static GTR__DEVICE void gtr__xent_give(const gtr__xent &m, float loss, int counted) {
    const float divisor = (float)gtr__divisor(m.tally, m.rows, counted);
    gtr__give1(m.loss, 0, divisor > 0.0f ? loss / divisor : NAN);
    if (m.count.p) gtr__give1(m.count, 0, divisor);
}
// Rows that count, by all threads of a block.
static GTR__DEVICE int gtr__xent_counted(const gtr__xent &m, int *counts) {
    int n = 0;
    for (int64_t i = threadIdx.x; i < m.rows && !m.tally; i += blockDim.x) n += m.label[i] != m.ignore;
    return gtr__block_sum(n, counts);
}
// A row, whose logits lie from x's element at on, first their k of this thread's first four; its loss is lane 0's.
typedef struct gtr__xent_row { float lse, loss; bool counted, bad; } gtr__xent_row;
static GTR__DEVICE gtr__xent_row gtr__xent_of_row(const gtr__xent &m, const gtr__opd &x, int64_t at,
        int64_t label, bool live, int lane, int team, const float *first, int k, float *scratch) {
    gtr__xent_row q;
    float top, rest, sum = 0.0f;
    q.counted = label != m.ignore;
    q.bad = q.counted && (label < 0 || label >= m.n);
    gtr__row_stats(x, at, m.n, lane, team, live, first, k, scratch, &top, &rest);
    const float log_sum = log1pf(rest);
    q.lse = top + log_sum;
    q.loss = 0.0f;
    if (m.smooth > 0.0f) {
        if (live) for (int64_t i = lane; i < m.n; i += team) sum += gtr__get(x.p, x.t, at + i) - top;
        sum = gtr__team_sum(sum, team, scratch);
    }
    if (!live || lane || !q.counted) return q;
    q.loss = q.bad ? NAN : log_sum - (gtr__get(x.p, x.t, at + label) - top);
    if (m.smooth > 0.0f) q.loss = (m.smooth < 1.0f || q.bad ? (1.0f - m.smooth) * q.loss : 0.0f)
        + m.smooth * (log_sum - sum / (float)m.n);
    return q;
}
static __global__ void __launch_bounds__(512) gtr__k_xent(const gtr__xent m) {
    __shared__ float scratch[32];
    __shared__ int counts[32];
    gtr__enter();
    if (gridDim.x > 1 && !m.part) gtr__cluster_arrive();
    const int teams = (int)blockDim.x / m.team, lane = (int)threadIdx.x % m.team;
    const float scale = m.ctl ? m.ctl->scale : 1.0f;       // on its way with the first labels
    int rows = 0, all = -1;
    float loss = 0.0f, g = 0.0f;
    for (int64_t base = (int64_t)blockIdx.x * teams; base < m.rows; base += (int64_t)gridDim.x * teams) {
        const int64_t row = base + threadIdx.x / m.team, at = row * m.n;
        const bool live = row < m.rows;
        float first[4];
        const int k = live ? gtr__row_four(m.x, at, lane, m.n, m.team, first) : 0;
        const int64_t y = live ? (int64_t)m.label[row] : m.ignore;
        // the mean's divisor is wanted before the first gradient: every block counts all labels
        if (m.dx.p && all < 0) {
            all = gtr__xent_counted(m, counts);
            const float divisor = (float)gtr__divisor(m.tally, m.rows, all);
            g = divisor > 0.0f ? m.seed * scale / divisor : 0.0f;
        }
        const gtr__xent_row q = gtr__xent_of_row(m, m.x, at, y, live, lane, m.team, first, k, scratch);
        if (live && lane == 0) {
            if (m.lse.p) gtr__give1(m.lse, row, q.lse);
            if (q.counted) { loss += q.loss; rows++; }
        }
        if (!m.dx.p || !live) continue;
#pragma unroll
        for (int u = 0; u < 4; u++) if (u < k) {
            const int64_t i = lane + u * m.team;
            gtr__give1(m.dx, at + i, q.counted ? gtr__xent_dx(m, g, first[u], q.lse, i == y, q.bad) : 0.0f);
        }
        for (int64_t i = lane + 4 * m.team; i < m.n; i += m.team)
            gtr__give1(m.dx, at + i,
                q.counted ? gtr__xent_dx(m, g, gtr__get(m.x.p, m.x.t, at + i), q.lse, i == y, q.bad) : 0.0f);
    }
    loss = gtr__block_sum(loss, scratch);
    if (all < 0 || m.tally) rows = gtr__block_sum(rows, counts);
    else rows = blockIdx.x ? 0 : all;           // counted already
    if (gridDim.x > 1 && !m.part ? !gtr__cut_join(loss, rows) : threadIdx.x) return;
    if (gridDim.x > 1 && m.part) m.part[blockIdx.x] = make_float2(loss, __int_as_float(rows));
    else gtr__xent_give(m, loss, rows);
}
static __global__ void __launch_bounds__(GTR__T) gtr__k_xent_end(const gtr__xent m, int blocks) {
    __shared__ float scratch[32];
    __shared__ int counts[32];
    gtr__enter();
    float loss = 0.0f;
    int rows = 0;
    for (int i = (int)threadIdx.x; i < blocks; i += GTR__T) {
        loss += m.part[i].x;
        rows += __float_as_int(m.part[i].y);
    }
    loss = gtr__block_sum(loss, scratch);
    rows = gtr__block_sum(rows, counts);
    if (threadIdx.x == 0) gtr__xent_give(m, loss, rows);
}
// Four neighbours at a time over all logits, from the saved lse. Bytes: logits and their gradient once.
static __global__ void __launch_bounds__(GTR__T) gtr__k_xent_bwd(const gtr__xent m, gtr__opd dy, int wide) {
    gtr__enter();
    float counted = gtr__get(m.count.p, m.count.t, 0),
        g = counted > 0.0f ? gtr__dloss(dy, m.seed, m.ctl) / counted : 0.0f;
    int64_t total = m.rows * m.n, width = wide ? 4 : 1, groups = (total + width - 1) / width;
    for (int64_t k = (int64_t)blockIdx.x * GTR__T + threadIdx.x; k < groups; k += (int64_t)gridDim.x * GTR__T) {
        int64_t i = k * width, row = total < 0x7fffffff ? (int64_t)((uint32_t)i / (uint32_t)m.n) : i / m.n,
            column = i - row * m.n;
        int n = total - i < width ? (int)(total - i) : (int)width;
        float v[4], lse = gtr__get(m.lse.p, m.lse.t, row);
        int64_t y = m.label[row];
        gtr__take(m.x.p, m.x.t, i, n, v);
#pragma unroll
        for (int u = 0; u < 4; u++) {
            if (u >= n) continue;
            v[u] = y == m.ignore ? 0.0f : gtr__xent_dx(m, g, v[u], lse, column == y, y < 0 || y >= m.n);
            if (++column == m.n && u + 1 < n) {
                column = 0; row++; lse = gtr__get(m.lse.p, m.lse.t, row); y = m.label[row];
            }
        }
        gtr__give(m.dx, i, n, v);
    }
}
static void gtr__xent_make(gtr__xent *m, const gtr__call *c, int team) {
    memset(m, 0, sizeof *m);
    m->x = gtr__opd_of(&c->in[0]); m->label = (const int32_t *)c->in[1].data; m->tally = gtr__tally_of(c);
    m->rows = c->in[0].shape.dim[0]; m->n = c->in[0].shape.dim[1]; m->ignore = c->attr->i[0];
    m->team = team; m->smooth = (float)c->attr->f[0]; m->seed = c->seed; m->ctl = c->ctl; m->part = (float2 *)c->ws;
}
static gtr_result gtr__xent_fwd(void *instance, const gtr__call *c, const gtr__arg *dx) {
    gtr__cut k = gtr__cut_make(c);
    gtr__xent m;
    if (c->measure) return gtr__measured(c, gtr__cut_bytes(&k));
    gtr__xent_make(&m, c, k.team);
    m.loss = gtr__opd_of(&c->out[0]);
    m.lse = gtr__opd_of(c->n_out > 1 ? &c->out[1] : NULL);
    m.count = gtr__opd_of(c->n_out > 2 ? &c->out[2] : NULL);
    m.dx = gtr__opd_of(dx);
    if (k.cluster) m.part = NULL;
    gtr_result r = GTR__LAUNCH_CUT(instance, c, gtr__k_xent, k, m);
    if (r || k.blocks == 1 || k.cluster) return r;
    return GTR__LAUNCH(instance, c, gtr__k_xent_end, 1, GTR__T, 0, m, k.blocks);
}
static gtr_result gtr__xent_bwd(void *instance, const gtr__call *c, const gtr__arg *lse, const gtr__arg *count,
        const gtr__arg *dy, const gtr__arg *dx) {
    gtr__xent m;
    gtr__xent_make(&m, c, 1);
    if (!dx->data) return GTR_OK;
    m.dx = gtr__opd_of(dx); m.lse = gtr__opd_of(lse); m.count = gtr__opd_of(count);
    int wide = gtr__wide(m.x) && gtr__wide(m.dx);
    return GTR__LAUNCH(instance, c, gtr__k_xent_bwd, gtr__grid(c, gtr__ceil(m.rows * m.n, wide ? 4 : 1)), GTR__T, 0, m,
        gtr__opd_of(dy), wide);
}
static gtr_result gtr__cuda_cross_entropy_fwd(void *instance, const gtr__call *c) {
    return gtr__xent_fwd(instance, c, NULL);
}
// in: logits, labels, and a tally or none; loss, lse, count, dloss.
static gtr_result gtr__cuda_cross_entropy_bwd(void *instance, const gtr__call *c) {
    if (c->measure) return gtr__measured(c, 0);
    const gtr__arg *last = c->in + c->n_in - 3;
    return gtr__xent_bwd(instance, c, last, last + 1, last + 2, &c->out[0]);
}

// >>op:xent_step
// Where every block's counting of all labels would cost more than a launch, forward and backward
// run one after the other.
static gtr_result gtr__cuda_xent_step_fwd(void *instance, const gtr__call *c) {
    bool one = c->in[0].shape.dim[0] <= 65536;
    gtr_result r = gtr__xent_fwd(instance, c, one ? &c->out[3] : NULL);
    return r || one || c->measure ? r : gtr__xent_bwd(instance, c, &c->out[1], &c->out[2], NULL, &c->out[3]);
}

// >>op:mse
// Losses over pairs: forward is a sum of terms, in one launch of a block or a cluster where that is quick, else in two;
// backward one pass for both gradients, a step forward with dx. Bytes: x and t, and what is wanted.
typedef struct gtr__pair {
    gtr__opd x, t, dy, dx, dt; int64_t count; int width; bool square; float seed; const gtr__ctl *ctl;
} gtr__pair;
// A pair's term, and its gradient by x: squares, or the cross entropy of a logit.
static GTR__DEVICE float gtr__pair_term(bool square, float x, float t) {
    return square ? (x - t) * (x - t) : fmaxf(x, 0.0f) - x * t + log1pf(expf(-fabsf(x)));
}
static GTR__DEVICE float gtr__pair_dx(bool square, float g, float x, float t) {
    return square ? 2.0f * g * (x - t) : g * (1.0f / (1.0f + expf(-x)) - t);
}

static GTR__DEVICE float gtr__pair_slope(const gtr__pair &m) {
    return gtr__dloss(m.dy, m.seed, m.ctl) / (float)m.count;
}
static __global__ void __launch_bounds__(GTR__T) gtr__k_pair_bwd(const gtr__pair m) {
    gtr__enter();
    float g = gtr__pair_slope(m);
    int64_t groups = (m.count + m.width - 1) / m.width;
    for (int64_t k = (int64_t)blockIdx.x * GTR__T + threadIdx.x; k < groups; k += (int64_t)gridDim.x * GTR__T) {
        int64_t i = k * m.width;
        int n = m.count - i < m.width ? (int)(m.count - i) : m.width;
        float x[4], t[4], a[4], b[4];
        gtr__take(m.x.p, m.x.t, i, n, x);
        gtr__take(m.t.p, m.t.t, i, n, t);
#pragma unroll
        for (int u = 0; u < 4; u++) {
            a[u] = gtr__pair_dx(m.square, g, x[u], t[u]);
            b[u] = m.square ? -a[u] : -g * x[u];
        }
        if (m.dx.p) gtr__give(m.dx, i, n, a);
        if (m.dt.p) gtr__give(m.dt, i, n, b);
    }
}
// All blocks' sums, by one.
static GTR__DEVICE void gtr__pair_join(const float *part, unsigned blocks, int64_t count, gtr__opd out,
        float *scratch) {
    float v = 0.0f;
    for (unsigned b = threadIdx.x; b < blocks; b += blockDim.x) v += __ldcg(part + b);
    v = gtr__block_sum(v, scratch);
    if (threadIdx.x == 0) gtr__give1(out, 0, v / (float)count);
}
static __global__ void __launch_bounds__(GTR__T)
gtr__k_pair_end(const float *part, unsigned blocks, int64_t count, gtr__opd out) {
    __shared__ float scratch[32];
    gtr__enter();
    gtr__pair_join(part, blocks, count, out, scratch);
}
// A block's sum of terms, and the first input's gradient, if it is wanted in this pass; four elements at a time, and
// two such groups in flight. The sums of blocks that are no cluster go to part, where the last one to come joins them,
// if there is a ticket.
template <int W> static __global__ void __launch_bounds__(1024)
gtr__k_pair(const gtr__pair m, float *part, uint32_t *ticket, gtr__opd out) {
    __shared__ float scratch[32];
    gtr__enter();
    if (gridDim.x > 1 && !part) gtr__cluster_arrive();
    const float slope = m.dx.p ? gtr__pair_slope(m) : 0.0f;
    const int64_t step = (int64_t)gridDim.x * blockDim.x * W;
    float sum[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
    for (int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * W; i < m.count; i += 2 * step) {
        float x[2][W], t[2][W];
        const auto at = [&](int u) { return i + u * step < m.count ? i + u * step : -1; };
        gtr__take_all(m.x, x, at); gtr__take_all(m.t, t, at);
#pragma unroll
        for (int u = 0; u < 2; u++) {
            float d[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
            if (at(u) < 0) continue;
#pragma unroll
            for (int e = 0; e < W; e++) sum[e] += gtr__pair_term(m.square, x[u][e], t[u][e]);
            if (!m.dx.p) continue;
#pragma unroll
            for (int e = 0; e < W; e++) d[e] = gtr__pair_dx(m.square, slope, x[u][e], t[u][e]);
            gtr__give(m.dx, at(u), W, d);
        }
    }
    float v = gtr__block_sum((sum[0] + sum[1]) + (sum[2] + sum[3]), scratch);
    int none = 0;
    if (part) {
        if (threadIdx.x == 0) part[blockIdx.x] = v;
        if (ticket && gtr__last_block(ticket, gridDim.x)) gtr__pair_join(part, gridDim.x, m.count, out, scratch);
    } else if (gridDim.x > 1 ? gtr__cut_join(v, none) : threadIdx.x == 0) gtr__give1(out, 0, v / (float)m.count);
}
static gtr_result gtr__pair_run(void *instance, const gtr__call *c, bool square) {
    gtr__pair m;
    // Of terms that are bound by arithmetic a cluster is not enough for as many.
    gtr__cut k = { 1, (int)gtr__min64(1024, gtr__ceil(gtr__max64(c->in[0].count, 1), 256) * 32), 0, false };
    k.blocks = (int)gtr__min64(gtr__ceil(gtr__max64(c->in[0].count, 1), 8192), INT32_MAX);
    k.cluster = k.blocks > 1 && c->caps->compute >= 90 && k.blocks <= (square ? 4 : 1) * GTR__CLUSTER;
    if (k.cluster) k.blocks = (int)gtr__min64(k.blocks, GTR__CLUSTER);
    const bool one = k.blocks == 1 || k.cluster;
    if (!one) {         // as many as are resident; eight elements a thread
        k.threads = GTR__T;
        k.blocks = (int)gtr__min64(gtr__ceil(c->in[0].count, GTR__T * 8), (int64_t)gtr__sms(c) * 6);
    }
    // of the step's first losses: 2 to 4
    const int64_t ticket = c->ctl && c->attr->i[3] > 0 && c->attr->i[3] < 4 ? c->attr->i[3] + 1 : 0;
    if (c->measure) return gtr__measured(c, one ? 0 : (size_t)k.blocks * sizeof(float));
    if (!one && c->ws_bytes < (size_t)k.blocks * sizeof(float))
        return gtr__fail(instance, GTR_ERR_STATE, "loss: workspace of %zu bytes is too small", c->ws_bytes);
    memset(&m, 0, sizeof m);
    m.x = gtr__opd_of(&c->in[0]); m.t = gtr__opd_of(&c->in[1]);
    m.dx = gtr__opd_of(c->n_out > 1 ? &c->out[1] : NULL); m.dy = gtr__opd_of(NULL);
    m.count = c->in[0].count; m.square = square; m.seed = c->seed; m.ctl = c->ctl;
    const bool wide = m.count % 4 == 0 && gtr__wide(m.x) && gtr__wide(m.t) && gtr__wide(m.dx);
    gtr_result r = GTR__LAUNCH_CUT(instance, c, (wide ? gtr__k_pair<4> : gtr__k_pair<1>), k, m,
        one ? (float *)NULL : (float *)c->ws, ticket ? &c->ctl->ticket[ticket] : (uint32_t *)NULL,
        gtr__opd_of(&c->out[0]));
    if (r || one || ticket) return r;
    return GTR__LAUNCH(instance, c, gtr__k_pair_end, 1, GTR__T, 0, (const float *)c->ws, (unsigned)k.blocks, m.count,
        gtr__opd_of(&c->out[0]));
}
static gtr_result gtr__pair_run_bwd(void *instance, const gtr__call *c, bool square) {
    gtr__pair m;
    if (c->measure) return gtr__measured(c, 0);
    memset(&m, 0, sizeof m);
    m.x = gtr__opd_of(&c->in[0]); m.t = gtr__opd_of(&c->in[1]);
    m.dy = gtr__opd_of(c->n_in > 3 ? &c->in[3] : NULL);
    m.dx = gtr__opd_of(&c->out[0]);
    m.dt = gtr__opd_of(c->n_out > 1 ? &c->out[1] : NULL);
    m.count = c->in[0].count; m.square = square; m.seed = c->seed; m.ctl = c->ctl;
    if (m.count == 0 || (!m.dx.p && !m.dt.p)) return GTR_OK;
    m.width = gtr__wide(m.x) && gtr__wide(m.t) && gtr__wide(m.dx) && gtr__wide(m.dt) ? 4 : 1;
    return GTR__LAUNCH(instance, c, gtr__k_pair_bwd, gtr__grid(c, gtr__ceil(m.count, m.width)), GTR__T, 0, m);
}
static gtr_result gtr__cuda_mse_fwd(void *instance, const gtr__call *c) {
    return gtr__pair_run(instance, c, true);
}
static gtr_result gtr__cuda_mse_bwd(void *instance, const gtr__call *c) {
    return gtr__pair_run_bwd(instance, c, true);
}
// >>op:bce_with_logits
static gtr_result gtr__cuda_bce_with_logits_fwd(void *instance, const gtr__call *c) {
    return gtr__pair_run(instance, c, false);
}
static gtr_result gtr__cuda_bce_with_logits_bwd(void *instance, const gtr__call *c) {
    return gtr__pair_run_bwd(instance, c, false);
}
// >>op:pair_step
static gtr_result gtr__cuda_pair_step_fwd(void *instance, const gtr__call *c) {
    return gtr__pair_run(instance, c, c->attr->i[2] == GTR__OP_MSE);
}

// >>op:custom
// The user's function sees float32 (and int32). On the device: operands stored low, and gradients that are stored low
// or added, go through workspace, converted by one kernel before and one behind; else the function works
// on the tensors themselves.
// On the host: one kernel writes all operands into a block of mapped memory, behind a head that says what they are, a
// host function calls the user, and a kernel brings the results back: NaN, if the user's function failed. The block
// belongs to the instance and to (desc, direction, stream): what runs on one stream runs in order, eagerly and in a
// graph alike, and so may share it.

// >>custom-staging
// What the runtime offers: gtr__instance_staging(instance, key, direction, stream, bytes, &device) returns pinned,
// mapped memory of at least `bytes`, zeroed when it is made, the same at each call with the same arguments until the
// instance is destroyed. Its first word is not zero once a user's function failed: the gtr_result, which wait() reports
// as GTR_ERR_USER and clears.
typedef struct gtr__custom_head {
    volatile uint32_t failed, now;      // the first failure's code; the last call's
    gtr_result (*run)(const gtr_custom_call *call);
    void *user;
    int64_t in[8], out[8], dout[8], din[8];     // bytes from the block's start; 0: not there
    int n_in, n_out;
    gtr_shape in_shape[8], out_shape[8];
} gtr__custom_head;
#define GTR__CUSTOM_HEAD 2048
#define GTR__CUSTOM_PARTS 24            // inputs, outputs and their gradients

static __global__ void __launch_bounds__(GTR__T)
        gtr__k_stage(const gtr__parts<GTR__CUSTOM_PARTS> m, const gtr__custom_head head, uint32_t *to) {
    gtr__enter();
    if (to && blockIdx.x == 0 && blockIdx.y == 0)       // all but the first word, which is sticky
        for (int i = 1 + (int)threadIdx.x; i < (int)(sizeof head / 4); i += GTR__T)
            to[i] = ((const uint32_t *)&head)[i];
    if ((int)blockIdx.y < m.n) gtr__part_run(m.part[blockIdx.y], false);
}
static __global__ void __launch_bounds__(GTR__T) gtr__k_unstage(const gtr__parts<8> m, const gtr__custom_head *head) {
    gtr__enter();
    gtr__part_run(m.part[blockIdx.y], head && head->now);
}
static int64_t gtr__custom_room(int64_t *at, int64_t count) {
    int64_t here = *at; *at += (count * 4 + GTR__ALIGN - 1) / GTR__ALIGN * GTR__ALIGN; return here;
}

static void CUDART_CB gtr__custom_host(void *block) {
    gtr__custom_head *h = (gtr__custom_head *)block;
    char *base = (char *)block;
    gtr_custom_call u;
    memset(&u, 0, sizeof u);
    u.n_in = h->n_in; u.n_out = h->n_out; u.user = h->user;
    for (int k = 0; k < 8; k++) {
        u.in[k] = h->in[k] ? base + h->in[k] : NULL;
        u.in_shape[k] = h->in_shape[k];
        u.din[k] = h->din[k] ? base + h->din[k] : NULL;
        u.outs[k] = h->out[k] ? base + h->out[k] : NULL;
        u.out_shapes[k] = h->out_shape[k];
        u.douts[k] = h->dout[k] ? base + h->dout[k] : NULL;
    }
    u.out = u.outs[0]; u.out_shape = u.out_shapes[0]; u.dout = u.douts[0];
    h->now = (uint32_t)h->run(&u);
    if (h->now && !h->failed) h->failed = h->now;
}
static int gtr__custom_type(const gtr__arg *a) { return a->dtype == GTR_I32 ? GTR_I32 : GTR_F32; }
static gtr_result gtr__custom_on_host(void *instance, const gtr__call *c, const gtr_custom_desc *d, bool back) {
    gtr__custom_head head;
    gtr__parts<GTR__CUSTOM_PARTS> before;
    gtr__parts<8> after;
    int64_t at = GTR__CUSTOM_HEAD;
    const int n = d->n_in;
    static_assert(sizeof(gtr__custom_head) <= GTR__CUSTOM_HEAD, "the head fits its place");
    static_assert(sizeof before + sizeof head <= 4096, "and both are a kernel's parameters");
    memset((void *)&head, 0, sizeof head);
    memset((void *)&before, 0, sizeof before);
    memset((void *)&after, 0, sizeof after);
    head.run = back ? d->backward : d->forward; head.user = d->user; head.n_in = n; head.n_out = d->n_out;
    int64_t *place[3] = { head.in, head.out, head.dout };
    gtr_shape *shape[2] = { head.in_shape, head.out_shape };
    for (int part = 0; part < (back ? 3 : 2); part++) for (int k = 0; k < (part ? d->n_out : n); k++) {
        const gtr__arg *a = part == 1 && !back ? &c->out[k] : &c->in[part ? n + (part - 1) * d->n_out + k : k];
        if (part < 2) shape[part][k] = a->shape;
        if (a->data) place[part][k] = gtr__custom_room(&at, a->count);
    }
    for (int k = 0; back && k < c->n_out; k++) if (c->out[k].data) head.din[k] = gtr__custom_room(&at, c->out[k].count);
    char *device = NULL;
    void *block = gtr__instance_staging(instance, (const void *)d, back, c->stream, (size_t)at, (void **)&device);
    if (!block) return GTR_ERR_NOMEM;
    for (int i = 0; i < c->n_in; i++) {
        const gtr__arg *a = &c->in[i];
        const int part = i < n ? 0 : 1 + (i - n) / d->n_out, k = part ? (i - n) % d->n_out : i;
        if (a->data) gtr__part_add(&before, a->data, a->dtype, device + place[part][k], gtr__custom_type(a), 0, 1,
            a->count, 0, 0);
    }
    for (int k = 0; k < c->n_out; k++) if (c->out[k].data) gtr__part_add(&after,
        device + (back ? head.din : head.out)[k], gtr__custom_type(&c->out[k]), c->out[k].data, c->out[k].dtype,
        c->out[k].add, 1, c->out[k].count, 0, 0);
    dim3 grid = gtr__parts_grid(c, &before);
    if (grid.y == 0) grid.y = 1;
    GTR__TRY(GTR__LAUNCH(instance, c, gtr__k_stage, grid, GTR__T, 0, before, head, (uint32_t *)device));
    GTR__TRY(gtr__check(instance, cudaLaunchHostFunc((cudaStream_t)c->stream, gtr__custom_host, block),
        "cudaLaunchHostFunc"));
    if (after.n == 0) return GTR_OK;
    ((gtr__cuda *)instance)->overlap = 0;       // its predecessor is no kernel
    grid = gtr__parts_grid(c, &after);
    return GTR__LAUNCH(instance, c, gtr__k_unstage, grid, GTR__T, 0, after, (const gtr__custom_head *)device);
}
static gtr_result gtr__custom_run(void *instance, const gtr__call *c, bool back) {
    const gtr_custom_desc *d = (const gtr_custom_desc *)c->attr->ptr;
    gtr__parts<GTR__CUSTOM_PARTS> before;
    gtr__parts<8> after;
    gtr_custom_call u;
    int64_t at = 0;
    char *ws = (char *)c->ws;
    if (!c->measure && !(back ? d->backward : d->forward))
        return gtr__fail(instance, GTR_ERR_ARG, "custom op: no function");
    if (!d->on_device) return c->measure ? gtr__measured(c, 0) : gtr__custom_on_host(instance, c, d, back);
    memset((void *)&before, 0, sizeof before);
    memset((void *)&after, 0, sizeof after);
    memset(&u, 0, sizeof u);
    for (int i = 0; i < c->n_in; i++) {         // inputs; in backward, then the outputs and their gradients
        const gtr__arg *a = &c->in[i];
        const void *p = a->data;
        const int k = (i - d->n_in) % d->n_out;
        if (a->dtype == GTR_BF16 || a->dtype == GTR_F16) {
            void *room = ws + gtr__custom_room(&at, a->count);
            if (p) p = room;
            if (!c->measure && p) gtr__part_add(&before, a->data, a->dtype, room, GTR_F32, 0, 1, a->count, 0, 0);
        }
        if (i < d->n_in) { u.in[i] = p; u.in_shape[i] = a->shape; }
        else if (i < d->n_in + d->n_out) { u.outs[k] = (void *)p; u.out_shapes[k] = a->shape; }
        else u.douts[k] = p;
    }
    for (int k = 0; k < c->n_out; k++) {
        const gtr__arg *a = &c->out[k];
        void *p = a->data;
        if (a->add || a->dtype == GTR_BF16 || a->dtype == GTR_F16) {
            void *room = ws + gtr__custom_room(&at, a->count);
            if (!c->measure && p) {
                gtr__part_add(&after, room, GTR_F32, p, a->dtype, a->add, 1, a->count, 0, 0);
                p = room;
            }
        }
        if (back) u.din[k] = p;
        else { u.outs[k] = p; u.out_shapes[k] = a->shape; }
    }
    if (c->measure) return gtr__measured(c, (size_t)at);
    if ((size_t)at > c->ws_bytes)
        return gtr__fail(instance, GTR_ERR_STATE, "custom op: workspace of %zu bytes is too small", c->ws_bytes);
    u.out = u.outs[0]; u.out_shape = u.out_shapes[0]; u.dout = u.douts[0];
    u.n_in = d->n_in; u.n_out = d->n_out; u.cuda_stream = c->stream; u.user = d->user;
    if (before.n) {
        gtr__custom_head none;
        memset((void *)&none, 0, sizeof none);
        dim3 grid = gtr__parts_grid(c, &before);
        GTR__TRY(GTR__LAUNCH(instance, c, gtr__k_stage, grid, GTR__T, 0, before, none, (uint32_t *)NULL));
    }
    if ((back ? d->backward : d->forward)(&u) != GTR_OK) return gtr__fail(instance, GTR_ERR_USER,
        "custom op \"%s\": its %s function failed", d->name ? d->name : "", back ? "backward" : "forward");
    ((gtr__cuda *)instance)->overlap = 0;       // the user's kernels say nothing about when they may be overtaken
    if (after.n == 0) return GTR_OK;
    dim3 grid = gtr__parts_grid(c, &after);
    return GTR__LAUNCH(instance, c, gtr__k_unstage, grid, GTR__T, 0, after, (const gtr__custom_head *)NULL);
}
static gtr_result gtr__cuda_custom_fwd(void *instance, const gtr__call *c) {
    return gtr__custom_run(instance, c, false);
}
static gtr_result gtr__cuda_custom_bwd(void *instance, const gtr__call *c) {
    return gtr__custom_run(instance, c, true);
}

// >>record
// The step's record in device memory, in whole-network kernels too. All threads of a block call it; the first to come
// of all blocks makes the trip to the host, unless the record was fetched ahead.
static GTR__DEVICE const gtr__record *gtr__fetch_record(gtr__ctl *ctl, const gtr__record *ring) {
    static_assert(sizeof(gtr__record) % 16 == 0 && offsetof(gtr__shared, record) % 16 == 0
        && offsetof(gtr__ctl, record) % 16 == 0, "records are copied 16 bytes at a time");
    const volatile uint64_t *const tags = ctl->tag;
    const uint64_t even = tags[0], odd = tags[1], step = ctl->step;         // one trip
    const int k = (int)(step & 1);
    volatile uint64_t *tag = &ctl->tag[k];
    if (__syncthreads_and((k ? odd : even) == step + 1)) return &ctl->record[k];    // threads may see different things
    if (threadIdx.x < 32) {
        int mine = threadIdx.x == 0
            && atomicMax((unsigned long long *)&ctl->claim, (unsigned long long)(step + 1)) < step + 1;
        mine = __shfl_sync(0xffffffffu, mine, 0);
        for (int turn = 0; !mine && __any_sync(0xffffffffu, *tag != step + 1); turn++) mine = turn >= GTR__DEADLINE;
        if (mine) {             // or the one who claimed it is held up: both bring the same
            if (threadIdx.x < sizeof(gtr__record) / 16)
                ((int4 *)&ctl->record[k])[threadIdx.x] = __ldcv((const int4 *)&ring[step % GTR__RING] + threadIdx.x);
            __threadfence();
            __syncwarp();
            if (threadIdx.x == 0) *tag = step + 1;
        }
    }
    __syncthreads();
    __threadfence();
    return &ctl->record[k];
}
// By one warp: the next step's, if the host has written it, in two trips to the host; nobody reads that half before the
// next launch.
static GTR__DEVICE void gtr__fetch_ahead(gtr__ctl *ctl, const gtr__record *ring, uint64_t step) {
    const uint64_t next = step + 1;
    const gtr__record *from = &ring[next % GTR__RING];
    int lane = (int)(threadIdx.x & 31), k = (int)(next & 1);
    if (ctl->tag[k] == next + 1) return;        // another FEED of this step was here
    uint64_t there = lane == 0 ? __ldcv(&from->step) : 0;
    if (__shfl_sync(0xffffffffu, (unsigned long long)there, 0) != next) return;
    __threadfence_system();                     // the step was written last: what is read from here on is whole
    if (lane < (int)(sizeof(gtr__record) / 16)) ((int4 *)&ctl->record[k])[lane] = __ldcv((const int4 *)from + lane);
    __threadfence();
    __syncwarp();
    if (lane == 0) *(volatile uint64_t *)&ctl->tag[k] = next + 1;
}
// After FEED: its copy; without FEED in the plan, the host's.
static GTR__DEVICE float gtr__rate_of(const gtr__ctl *ctl, const gtr__shared *shared, int group) {
    const uint64_t step = ctl->step, even = ctl->tag[0], odd = ctl->tag[1];
    const float rate[2] = { ctl->record[0].lr[group], ctl->record[1].lr[group] };       // all in one trip
    if ((step & 1 ? odd : even) == step + 1) return step & 1 ? rate[1] : rate[0];
    return __ldcv(&shared->record[step % GTR__RING].lr[group]);
}

// >>op:feed
// All inputs in one launch: as many blocks as are resident, each with its share of every input, or fewer for each input
// by itself. The record REPORT fetched ahead: two trips to the host would take longer than all else here. A block works
// out which rows its groups of four elements come from, many at a time, and copies them, four groups of a thread in
// flight. Bound by bytes: each element once in, once out.
#define GTR__FEED_ROWS 512
typedef struct gtr__feed_one { gtr__opd to; int64_t row; float scale, shift; int slot, from; } gtr__feed_one;
typedef struct gtr__feed_all {
    gtr__feed_one in[2 * GTR__MAX_FEED]; int n; uint32_t blocks; int64_t rows, row0; const gtr__record *ring;
    gtr__ctl *ctl;
} gtr__feed_all;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define GTR__FEED_BLOCKS 4      // all that a multiprocessor holds
#else
#define GTR__FEED_BLOCKS 5
#endif
static __global__ void __launch_bounds__(GTR__T, GTR__FEED_BLOCKS)
        gtr__k_feed(const __grid_constant__ gtr__feed_all m) {
    __shared__ int64_t origin[GTR__FEED_ROWS];
    gtr__enter();
    const int64_t block = blockIdx.x;
    if (gridDim.y > 1 && block * GTR__FEED_ROWS >= m.rows * m.in[blockIdx.y].row) return;
    const uint32_t status = *(volatile uint32_t *)&m.ctl->status;
    const gtr__record *record = gtr__fetch_record(m.ctl, m.ring);
    const int64_t rows = record->rows, start = record->first;
    const uint64_t key = record->key;
    uint64_t next = record->src[m.in[blockIdx.y].slot];     // on its way with the others
    if (status) return;
    for (int f = (int)blockIdx.y; f < m.n; f += (int)gridDim.y) {
        const gtr__feed_one &in = m.in[f];
        const char *src = (const char *)(uintptr_t)next;
        if (f + (int)gridDim.y < m.n) next = record->src[m.in[f + (int)gridDim.y].slot];
        const int size = in.from == GTR_U8 ? 1 : 4, out = in.to.t == GTR_BF16 || in.to.t == GTR_F16 ? 2 : 4;
        const int width = in.row % 4 == 0 && ((uintptr_t)src & (unsigned)(4 * size - 1)) == 0
            && ((uintptr_t)in.to.p & (unsigned)(4 * out - 1)) == 0 ? 4 : 1;
        const int64_t line = width == 4 ? in.row / 4 : in.row, groups = m.rows * line, all = gtr__quotient(
            groups + m.blocks - 1, m.blocks), least = line > 1 ? 4 * GTR__T : GTR__FEED_ROWS,   // of one round
            share = all < least ? least : (all + 63) / 64 * 64;
        const int64_t end = groups < (block + 1) * share ? groups : (block + 1) * share;
        for (int64_t g0 = block * share, g1; g0 < end; g0 = g1) {
            const int64_t first = gtr__quotient(g0, line);
            g1 = (first + GTR__FEED_ROWS) * line;
            if (g1 > end) g1 = end;
            if (g1 > g0 + (1 << 30)) g1 = g0 + (1 << 30);
            __syncthreads();
            for (int64_t r = first + threadIdx.x; r * line < g1; r += GTR__T) {
                const int64_t i = gtr__origin<false>(m.row0 + r, rows, start, key);
                origin[r - first] = (i * line - r * line) * width;  // what to add to an element's place
            }
            __syncthreads();
            const uint32_t skip = (uint32_t)(g0 - first * line), left = (uint32_t)(g1 - g0), per = (uint32_t)line;
            for (uint32_t q = threadIdx.x; q < left; q += 4 * GTR__T) {
                uint4 raw[4];
#pragma unroll
                for (int u = 0; u < 4; u++) {
                    raw[u] = make_uint4(0, 0, 0, 0);
                    if (q + u * GTR__T >= left) continue;
                    const int64_t from = origin[(q + u * GTR__T + skip) / per] + (g0 + q + u * GTR__T) * width;
                    if (in.from != GTR_U8) raw[u] = gtr__raw(src, GTR_F32, from, width);
                    else if (width == 4) raw[u].x = *(const uint32_t *)(src + from);
                    else raw[u].x = *(const unsigned char *)(src + from);
                }
#pragma unroll
                for (int u = 0; u < 4; u++) {
                    float v[4];
                    if (q + u * GTR__T >= left) continue;
                    gtr__cook(raw[u], GTR_F32, v);
                    if (in.from == GTR_U8) {
#pragma unroll
                        for (int k = 0; k < 4; k++) {
                            v[k] = (float)(raw[u].x >> 8 * k & 255u);
                            if (in.to.t != GTR_I32) v[k] = fmaf(in.scale, v[k], in.shift);
                        }
                    }
                    gtr__give(in.to, (g0 + q + u * GTR__T) * width, width, v);
                }
            }
        }
    }
}
static gtr__feed_one gtr__feed_of(const gtr__feed_input *q, const gtr__arg *y) {
    gtr__feed_one one = { gtr__opd_of(y), q->row, q->scale, q->shift, q->slot, (int)q->from };
    one.to.add = 0;
    if (q->from == GTR_I32) one.to.t = GTR_F32;     // moved as bits
    return one;
}
static gtr_result gtr__cuda_feed_fwd(void *instance, const gtr__call *c) {
    const gtr__feed *f = (const gtr__feed *)c->attr->ptr;
    gtr__feed_all m;
    int n = 0;
    int64_t most = 0;
    memset(&m, 0, sizeof m);
    for (int k = 0; k < f->n && k < c->n_out; k++) {
        const gtr__feed_input *q = &f->input[k];
        const gtr__arg *y = &c->out[k];
        bool low = y->dtype == GTR_BF16 || y->dtype == GTR_F16;
        if (!y->data || y->count == 0) continue;
        if (q->from == GTR_U8 ? !(low || y->dtype == GTR_F32 || y->dtype == GTR_I32)
            : q->from == GTR_F32 ? !(low || y->dtype == GTR_F32) : y->dtype != q->from || q->from != GTR_I32)
            return gtr__fail(instance, GTR_ERR_UNSUPPORTED,
                "feed: input %d cannot be made from what its source holds", k);
        m.in[n] = gtr__feed_of(q, y);
        m.rows = y->count / q->row;
        most = gtr__max64(most, q->row == 1 ? 2 * y->count : q->row % 4 ? y->count : y->count / 4);
        n++;
    }
    m.row0 = c->row0; m.ring = f->shared->record; m.ctl = c->ctl;
    if (!m.ctl) return gtr__fail(instance, GTR_ERR_STATE, "feed: no control word");
    m.n = n;
    const int64_t blocks = gtr__max64(1, gtr__ceil(most, GTR__T * 4)), resident = (int64_t)gtr__sms(c) * 5;
    m.blocks = (uint32_t)gtr__min64(blocks, resident);
    const dim3 grid(m.blocks, blocks < resident ? (unsigned)gtr__max64(n, 1) : 1u);
    return GTR__LAUNCH(instance, c, gtr__k_feed, grid, GTR__T, 0, m);
}

// >>op:guard
// One pass over losses and gradients: whether all are finite, by their bits, and the sum of squares (four at a time in
// float32, the rest in double). A block that finds one that is not sets ctl's guard, which REPORT left at 0. Where the
// sum is wanted, each block leaves its own, and the last one joins them in a fixed order. Bound by bytes: 4 an element.
typedef struct gtr__guarding {
    gtr__span piece[GTR__UNWATCHED];
    gtr__opd loss; int64_t losses; int n, sums, checks, clipped;
    double clip; gtr__ctl *ctl; double *part;
} gtr__guarding;

static __global__ void __launch_bounds__(GTR__T) gtr__k_guard(const gtr__guarding m) {
    __shared__ double scratch[32];
    gtr__enter();
    uint32_t most = 0;
    double sum = 0.0;
    int bad = blockIdx.x == 0 && threadIdx.x == 0 && m.ctl->status;
    const double scale = (double)m.ctl->scale;
    const int64_t step = (int64_t)gridDim.x * GTR__T, i = (int64_t)blockIdx.x * GTR__T + threadIdx.x;
#define GTR__LOOK(v) do { \
    float v_ = (v); uint32_t u_ = __float_as_uint(v_) & 0x7fffffffu; most = most > u_ ? most : u_; } while (0)
    for (int q = 0; q < m.n; q++) {
        const float *g = m.piece[q].p;
        const int64_t whole = m.piece[q].count / 4;
        for (int64_t k = i; k < whole; k += 4 * step) {
            float4 v[4];
#pragma unroll
            for (int u = 0; u < 4; u++) v[u] = k + u * step < whole ? ((const float4 *)g)[k + u * step]
                : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
            for (int u = 0; u < 4; u++) {
                GTR__LOOK(v[u].x); GTR__LOOK(v[u].y); GTR__LOOK(v[u].z); GTR__LOOK(v[u].w);
                if (m.sums) sum += (double)((v[u].x * v[u].x + v[u].y * v[u].y) + (v[u].z * v[u].z + v[u].w * v[u].w));
            }
        }
        if (i < m.piece[q].count - whole * 4) {
            float v = g[whole * 4 + i];
            GTR__LOOK(v);
            sum += (double)v * (double)v;
        }
    }
    if (m.checks) bad |= most >= 0x7f800000u;
    if (blockIdx.x == 0) for (int64_t j = threadIdx.x; j < m.losses; j += GTR__T)
        bad |= gtr__infinite(gtr__get(m.loss.p, m.loss.t, j));
    if (bad) m.ctl->guard = 1;  // all write the same
    if (m.sums) {
        sum = gtr__block_sum(sum, scratch);
        if (gridDim.x > 1) {
            if (threadIdx.x == 0) m.part[blockIdx.x] = sum;
            if (!gtr__last_block(&m.ctl->ticket[0], gridDim.x)) return;
            sum = 0.0;
            for (unsigned b = threadIdx.x; b < gridDim.x; b += GTR__T) sum += __ldcg(&m.part[b]);
            sum = gtr__block_sum(sum, scratch);
        }
    } else if (blockIdx.x) return;
    if (threadIdx.x) return;
    const double norm = m.sums ? sqrt(sum) / scale : 0.0, factor = m.clipped ? m.clip / (norm + 1e-6) : 1.0;
    m.ctl->norm = (float)norm;
    m.ctl->coef = (float)((factor < 1.0 ? factor : 1.0) / scale);
#undef GTR__LOOK
}
static gtr_result gtr__cuda_guard_fwd(void *instance, const gtr__call *c) {
    const gtr__optim *o = (const gtr__optim *)c->attr->ptr;
    int64_t most = (int64_t)gtr__sms(c) * 8;
    gtr__guarding m;
    if (c->measure) return gtr__measured(c, (size_t)most * 8);
    memset(&m, 0, sizeof m);
    m.sums = o->clip > 0 || o->scaled; m.checks = !o->loss_only; m.clipped = o->clip > 0; m.clip = o->clip;
    m.loss = gtr__opd_of(&c->in[0]); m.losses = c->in[0].count;
    const gtr__cuda *g = (const gtr__cuda *)instance;
    m.ctl = c->ctl; m.part = (double *)c->ws;
    int64_t at = 0, count = 0;
    const bool all = m.sums || (m.checks && g->n_unwatched < 0);
    for (int i = 0; !all && m.checks && i < g->n_unwatched; i++) {
        m.piece[m.n++] = g->unwatched[i];
        count += g->unwatched[i].count;
    }
    for (int k = 1; all && k <= c->n_in && k <= GTR__MAX_LOOKUPS + 1; k++) {
        const bool last = k == c->n_in;     // up to the next gradient of lookups, and its rows
        const int64_t end = last ? o->count : (const float *)c->in[k].data - o->gradient;
        m.piece[m.n].p = o->gradient + at; m.piece[m.n++].count = end - at;
        count += end - at;
        if (last) break;
        m.piece[m.n] = gtr__gradient_span(&c->in[k]);
        count += m.piece[m.n++].count;
        at = end + (c->in[k].count + 63) / 64 * 64;
    }
    unsigned blocks = (unsigned)gtr__max64(1, gtr__min64(gtr__ceil(count, GTR__T * 16), most));
    return GTR__LAUNCH(instance, c, gtr__k_guard, blocks, GTR__T, 0, m);
}

// >>op:report
// One thread. The host reads an entry once it sees the step that the entry is of among the counters, and these in the
// order of the fences: a fence to the host's memory costs most of a microsecond, so there is one, and another only when
// the status is set.
typedef struct gtr__reporting {
    gtr__opd value[GTR__MAX_REPORT]; gtr__shared *shared; gtr__ctl *ctl; int trainer, scaled;
} gtr__reporting;

// By one thread, as by the others below. The entry of a step whose end is known.
static GTR__DEVICE void gtr__report_entry(const gtr__reporting &m, uint64_t step, uint64_t applied,
        float norm, bool guard) {
    volatile gtr__entry *e = &m.shared->entry[step % GTR__RING];
#pragma unroll
    for (int k = 0; k < GTR__MAX_REPORT; k++)
        e->value[k] = m.value[k].p ? gtr__get(m.value[k].p, m.value[k].t, 0) : 0.0f;
    e->norm = norm;
    e->lr = gtr__rate_of(m.ctl, m.shared, 0);
    e->scale = m.ctl->scale;
    e->skipped = guard && m.scaled;
    e->applied = applied + (m.trainer && !guard);
    e->step = step + 1;
}
// Whole-network kernels end in it too.
static GTR__DEVICE void gtr__report_step(const gtr__reporting &m) {
    gtr__ctl *ctl = m.ctl;
    gtr__shared *shared = m.shared;
    const uint64_t step = ctl->step;
    const bool guard = ctl->guard != 0;
    const float scale = ctl->scale;
    ctl->launches++;
    if (ctl->status) ctl->stuck++;
    else {                      // a stuck step has its entry already
        gtr__report_entry(m, step, ctl->applied, ctl->norm, guard);
        if (guard && m.scaled) {
            ctl->scale = scale * 0.5f > 1.0f ? scale * 0.5f : 1.0f;
            ctl->good = 0;
            ctl->step = step + 1;
        } else if (guard) {
            ctl->bad_step = step + 1;
            ctl->status = ctl->guard;
        } else {
            if (m.trainer) ctl->applied++;
            if (++ctl->good >= 2000 && m.scaled) {
                ctl->scale = scale * 2.0f < 16777216.0f ? scale * 2.0f : 16777216.0f;
                ctl->good = 0;
            }
            ctl->step = step + 1;
        }
    }
    shared->bad_step = ctl->bad_step;
    if (ctl->status) __threadfence_system();
    shared->status = ctl->status;
    __threadfence_system();
    shared->step = ctl->step;
    shared->launches = ctl->launches;
    ctl->guard = 0;
}
// Of a launch of several steps that finds the sticky status: counts them. The record of the first
// says how many there are.
static GTR__DEVICE void gtr__report_stuck(const gtr__reporting &m, const gtr__record *ring) {
    const uint64_t step = m.ctl->step + 1 + m.ctl->stuck;
    for (int64_t more = __ldcv(&ring[step % GTR__RING].more); more >= 0; more--) gtr__report_step(m);
}
// The same by UPDATE, for whose time GUARD's word is not awaited: a thread of each of its blocks reads what a step that
// changes the state leaves in the control word; block 0's writes its entry, too, and waits until the host has it. The
// last block's then publishes the step; if GUARD found otherwise, it reports anew.
struct gtr__report_ahead {
    uint64_t applied, launches;
    uint32_t good;
    bool stands;                // what was read and written, as far as is known
    GTR__DEVICE void begin(const gtr__reporting &m, uint64_t step)
    {
        stands = m.ctl->status == 0 && !m.scaled;
        applied = m.ctl->applied; launches = m.ctl->launches; good = m.ctl->good;
        if (blockIdx.x || !stands) return;
        gtr__report_entry(m, step, applied, 0.0f, false);
        __threadfence_system();
    }
    // Once all of the block have read of ctl what they need.
    GTR__DEVICE void end(const gtr__reporting &m, uint64_t step, bool as_read)
    {
        __threadfence();
        if (atomicAdd(&m.ctl->ticket[1], 1u) != gridDim.x - 1) return;
        __threadfence();
        m.ctl->ticket[1] = 0;
        if (!stands || !as_read) { gtr__report_step(m); return; }
        m.ctl->launches = launches + 1;
        m.ctl->applied = applied + (m.trainer != 0);
        m.ctl->good = good + 1;
        m.ctl->step = m.shared->step = step + 1;
        m.shared->launches = launches + 1;
    }
};
static __global__ void gtr__k_report(const gtr__reporting m) {
    gtr__enter();
    const uint64_t step = m.ctl->step;
    __syncthreads();
    if (threadIdx.x == 0) gtr__report_step(m);
    if (threadIdx.x >= 32) gtr__fetch_ahead(m.ctl, m.shared->record, step);
}
static gtr__reporting gtr__reporting_of(const gtr__call *c) {
    const gtr__optim *o = (const gtr__optim *)c->attr->ptr;
    gtr__reporting m;
    memset(&m, 0, sizeof m);
    for (int k = 0; k < c->n_in && k < GTR__MAX_REPORT; k++) m.value[k] = gtr__opd_of(&c->in[k]);
    m.shared = (gtr__shared *)(uintptr_t)c->attr->i[0]; m.ctl = c->ctl;
    m.trainer = o != NULL; m.scaled = o && o->scaled;
    return m;
}
static gtr_result gtr__cuda_report_fwd(void *instance, const gtr__call *c) {
    const gtr__reporting m = gtr__reporting_of(c);
    return GTR__LAUNCH(instance, c, gtr__k_report, 1, 64, 0, m);
}

// >>op:update
// One kernel over all segments, of as many blocks as are resident, each with a tile of the flat gradient at a time. The
// first one's loads are on their way, and the rates are made, before a block waits for its predecessor: GUARD, or what
// runs between GUARD and it, writes none of that. Every other step goes through the tiles from the last one on: what
// the step before did last may lie in the L2 still. If it reports, two warps more see to it (op:report), and the second
// of block 0 fetches the record ahead; if it is GUARD, too, it loads gradients, which its predecessors make, behind
// that. Bound by bytes: 12 an element, 8 a state, 2 for a low copy.
#define GTR__UPDATE_TILE (4 * GTR__T)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define GTR__UPDATE_RESIDENT 3  // all that a multiprocessor holds
#else
#define GTR__UPDATE_RESIDENT 4
#endif
typedef struct gtr__lookups {
    const int32_t *met; const float *rows; int64_t offset, line; int shift;     // log2 of line, or -1
} gtr__lookups;
typedef struct gtr__update_kernel {
    gtr__optim o;
    gtr__lookups form[GTR__MAX_LOOKUPS]; int forms;     // gradients as lookups
    gtr__ctl *ctl;
    int64_t first, last;        // elements from first to last - 1
    gtr__reporting report;
    gtr__opd loss; int64_t losses;      // not 0: it is GUARD, too, but for gradients
    int early;                  // what is reported may be read before the predecessor has ended
} gtr__update_kernel;

static GTR__DEVICE void gtr__load4(const float *p, int n, bool wide, float *v) {
    if (n == 4 && wide) {
        const float4 f = __ldcg((const float4 *)p);
        v[0] = f.x; v[1] = f.y; v[2] = f.z; v[3] = f.w;
        return;
    }
#pragma unroll
    for (int k = 0; k < 4; k++) v[k] = k < n ? p[k] : 0.0f;
}
static GTR__DEVICE void gtr__store4(float *p, int n, bool wide, const float *v) {
    if (n == 4 && wide) { __stcg((float4 *)p, make_float4(v[0], v[1], v[2], v[3])); return; }     // else four stores
#pragma unroll
    for (int k = 0; k < 4; k++) if (k < n) p[k] = v[k];
}
// beta^t by squaring: exact to some ulps of a double for any t, which a float power is not.
static GTR__DEVICE double gtr__power(double beta, uint64_t t) {
    double r = 1.0;
    for (; t; t >>= 1, beta *= beta) if (t & 1) r *= beta;
    return r;
}
// What of the rule is of a step, by group; thread k of GTR__MAX_GROUPS writes its group's. t:
// the number of this update.
typedef struct gtr__rates {
    float step[GTR__MAX_GROUPS], decay[GTR__MAX_GROUPS], wd[GTR__MAX_GROUPS], root, ema;
} gtr__rates;
static GTR__DEVICE void gtr__rates_of(const gtr__optim &o, double rate, uint64_t t, int k,
        gtr__rates *h) {
    h->wd[k] = (float)GTR__RULE_WD(&o, k);
    h->decay[k] = (float)GTR__RULE_DECAY(&o, k, rate);
    h->step[k] = (float)GTR__RULE_STEP(&o, rate, t, gtr__power);
    if (k == 0) { h->root = (float)GTR__RULE_ROOT(&o, t, gtr__power); h->ema = (float)GTR__RULE_EMA(&o, t); }
}
static GTR__DEVICE gtr__rule gtr__rule_of(const gtr__rule &base, const gtr__rates &r,
        int group, float coef) {
    gtr__rule k = base;
    k.coef = coef; k.wd = r.wd[group]; k.decay = r.decay[group]; k.step = r.step[group]; k.root = r.root;
    return k;
}
// How p f + n / (root sqrt(v) + eps) is made: of q = n / (root sqrt(v) + eps), to the nearest float, or quicker.
static __device__ __noinline__ float gtr__adapt_odd(float n, float v, float root, float eps) {
    return n / fmaf(sqrtf(v), root, eps);
}
// The same bits. Root and quotient by Newton's steps from approximate ones are the nearest floats where nothing on the
// way underflows or overflows: v is 0 or in [2^-101, 2^128), the divisor in [2^-60, 2^60), the dividend 0 or in
// [2^-64, 2^60). So there is one branch, not one for each, and it is not taken for rows that were never looked up.
struct gtr__adapt_even {
    static GTR__DEVICE float of(const gtr__rule &k, float p, float f, float n, float v)
    {
        float r, c;
        asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(fmaxf(v, 0x1p-101f)));
        float s = v * r;
        s = fmaf(fmaf(-s, s, v), 0.5f * r, s);
        const float d = fmaf(s, k.root, k.eps);
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(c) : "f"(d));
        c = fmaf(fmaf(-d, c, 1.0f), c, c);
        float q = n * c;
        q = fmaf(fmaf(-d, q, n), c, q);
        q = fmaf(fmaf(-d, q, n), c, q);
        if (n == 0.0f) q = n;
        const uint32_t size = __float_as_uint(n) & 0x7fffffffu;
        const bool even = (v == 0.0f || __float_as_uint(v) - 0x0d000000u < 0x72800000u)
            & (__float_as_uint(d) - 0x21800000u < 0x3c000000u) & (n == 0.0f || size - 0x1f800000u < 0x3e000000u);
        if (!even) q = gtr__adapt_odd(n, v, k.root, k.eps);
        return fmaf(p, f, q);
    }
};
struct gtr__adapt_quick {       // right to two units in the last place
    static GTR__DEVICE float of(const gtr__rule &k, float p, float f, float n, float v)
    {
        float root;
        asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(v));
        return fmaf(p, f, __fdividef(n, fmaf(root, k.root, k.eps)));
    }
};
#define GTR__O_FMA(a, b, c) fmaf(a, b, c)
#define GTR__O_MUL(a, b) ((a) * (b))
#define GTR__O_SUB(a, b) ((a) - (b))
#define GTR__O_SIGN(a) gtr__sign(a)
#define GTR__O_ADAPT(p, f, n, v) ADAPT::of(k, p, f, n, v)
static GTR__DEVICE float gtr__sign(float v) { return (float)((v > 0.0f) - (v < 0.0f)); }
// The rule for N elements: parameters, gradients, states. STATES: that the rule is known to have, or -1; ALL: it may be
// one that whole-network kernels decline.
template <typename ADAPT, int N, int STATES = -1, bool ALL = false>
static GTR__DEVICE void gtr__apply(const gtr__rule &k, float *parameter, const float *gradient,
                                                  float *state0, float *state1) {
#define GTR__RULE_CASE(ID, states, fused, formula) \
    if ((ALL || fused) && (STATES < 0 || STATES == states) && k.kind == GTR__RULE_##ID) { \
        _Pragma("unroll") \
        for (int e = 0; e < N; e++) { \
            float &p = parameter[e], &a = state0[e], &b = state1[e], d = fmaf(k.wd, p, k.coef * gradient[e]); \
            (void)a; (void)b; \
            formula; \
        } \
        return; \
    }
    GTR__RULES(GTR__RULE_CASE)
#undef GTR__RULE_CASE
}
#define GTR__RULE_FUSED(ID, states, fused, formula) fused,
static bool gtr__rule_fused(const gtr__optim *o) {
    static const char fused[] = { GTR__RULES(GTR__RULE_FUSED) };
    return fused[o->rule.kind] != 0;
}
static gtr_result gtr__check_states(void *instance, const gtr__optim *o) {
    for (int i = 0; i < o->all; i++)
        if (!o->state[i]) return gtr__fail(instance, GTR_ERR_STATE, "update: state %d is missing", i);
    return GTR_OK;
}
// The segments that a tile from base on may touch: which one it begins in, and where those behind it begin, which are
// 64 elements apart at least. All threads of a block call find.
struct gtr__update_segments {
    int64_t offset[GTR__UPDATE_TILE / 64 + 1];
    int first;
    GTR__DEVICE void find(const gtr__optim &o, int64_t base)
    {
        const int tid = (int)threadIdx.x;
        for (int lo = -1, hi = o.n; tid < 32; ) {   // segment lo begins at base or before, hi behind it
            const int step = (hi - lo + 31) / 32, k = lo + (tid + 1) * step;
            lo += step * __popc(__ballot_sync(0xffffffffu, k < hi && o.segments[k].offset <= base));
            hi = hi < lo + step ? hi : lo + step;
            if (hi - lo > 1) continue;
            first = lo;
            break;
        }
        __syncthreads();
        if (tid <= GTR__UPDATE_TILE / 64)
            offset[tid] = first + 1 + tid < o.n ? o.segments[first + 1 + tid].offset : INT64_MAX;
        __syncthreads();
    }
    GTR__DEVICE int of(int64_t e) const
    {
        int k = 0;
        while (offset[k] <= e) k++;
        return first + k;
    }
};
// The segment of a thread's next elements, and its gradient's form, -1 if it is dense.
struct gtr__update_cursor {
    const gtr__segment *q;
    int64_t next;               // where the segment behind it begins
    int form;
    GTR__DEVICE void set(const gtr__update_kernel &m, int k)
    {
        q = m.o.segments + k;
        next = k + 1 < m.o.n ? q[1].offset : INT64_MAX;
        const int64_t offset = q->offset;
        for (form = m.forms - 1; form >= 0 && m.form[form].offset != offset; ) form--;
    }
};
struct gtr__update_four {       // elements of one segment
    const gtr__segment *q;
    int n, form;
    float p[4], g[4], a[4], b[4];
    // All but the gradient.
    GTR__DEVICE void load(const gtr__update_kernel &m, gtr__update_cursor &cursor, int64_t e)
    {
        const gtr__optim &o = m.o;
        while (e >= cursor.next) cursor.set(m, (int)(cursor.q - o.segments) + 1);
        while (e < cursor.q->offset) cursor.set(m, (int)(cursor.q - o.segments) - 1);
        q = cursor.q;
        form = cursor.form;
        const int64_t at = e - q->offset, left = e < m.last ? q->count - at : 0;
        n = left <= 0 ? 0 : left < 4 ? (int)left : 4;
        if (n == 0) return;
        gtr__load4(q->p + at, n, ((uintptr_t)q->p & 15) == 0, p);
        if (o.states > 0) gtr__load4(o.state[0] + e, n, true, a);
        if (o.states > 1) gtr__load4(o.state[1] + e, n, true, b);
    }
    GTR__DEVICE void gradient(const gtr__update_kernel &m, int64_t e)
    {
        if (n == 0) return;
        if (form < 0) gtr__load4(m.o.gradient + e, n, true, g);
        else lookup(m.form[form], e - m.form[form].offset);
    }
    GTR__DEVICE void lookup(const gtr__lookups &f, int64_t at)
    {
        int64_t row = f.shift >= 0 ? at >> f.shift : gtr__quotient(at, f.line), from = at - row * f.line,
            met = f.met[row];
        g[0] = g[1] = g[2] = g[3] = 0.0f;
        if (f.line % 4 == 0) {
            if (met >= 0) gtr__load4(f.rows + met * f.line + from, 4, true, g);
            return;
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (k < n && met >= 0) g[k] = f.rows[met * f.line + from];
            if (++from == f.line && k + 1 < n) { from = 0; met = f.met[++row]; }
        }
    }
    GTR__DEVICE void update(const gtr__optim &o, const gtr__rates &rates, float coef, int64_t e)
    {
        if (n == 0) return;
        const int64_t at = e - q->offset;
        gtr__apply<gtr__adapt_even, 4, -1, true>(gtr__rule_of(o.rule, rates, q->group, coef), p, g, a, b);
        gtr__store4(q->p + at, n, ((uintptr_t)q->p & 15) == 0, p);
        if (o.states > 0) gtr__store4(o.state[0] + e, n, true, a);
        if (o.states > 1) gtr__store4(o.state[1] + e, n, true, b);
        if (o.all > o.states) {
            gtr__load4(o.state[o.states] + e, n, true, a);
#pragma unroll
            for (int k = 0; k < 4; k++) a[k] = fmaf(rates.ema, p[k] - a[k], a[k]);
            gtr__store4(o.state[o.states] + e, n, true, a);
        }
        low(q->bf16, GTR_BF16, at);
        low(q->f16, GTR_F16, at);
    }
    GTR__DEVICE void low(void *copy, int type, int64_t at)
    {
        if (!copy) return;
        if (n == 4 && ((uintptr_t)copy & 7) == 0) gtr__put4(copy, type, at, make_float4(p[0], p[1], p[2], p[3]));
        else {
#pragma unroll
            for (int k = 0; k < 4; k++) if (k < n) gtr__put(copy, type, at + k, p[k]);
        }
    }
};
static __global__ void __launch_bounds__(GTR__T + 64, GTR__UPDATE_RESIDENT)
gtr__k_update(const __grid_constant__ gtr__update_kernel m) {
    __shared__ gtr__update_segments segments;
    __shared__ gtr__rates rates;
    __shared__ gtr__report_ahead report;
    __shared__ float coef;
    const uint32_t tiles = (uint32_t)((m.last - m.first + GTR__UPDATE_TILE - 1) / GTR__UPDATE_TILE);
    const uint64_t step = m.ctl->step;
    const bool back = tiles > gridDim.x && step & 1;
    uint32_t tile = blockIdx.x;
    const auto at = [&] { return m.first + (int64_t)(back ? tiles - 1 - tile : tile) * GTR__UPDATE_TILE; };
    const int64_t base = at();
    const int helper = (int)threadIdx.x - GTR__T;
    int64_t e = base + threadIdx.x * 4;
    gtr__update_four four;
    gtr__update_cursor cursor;
    if (const int group = (int)threadIdx.x - 32; group >= 0 && group < GTR__MAX_GROUPS)     // beside warp 0's search
        gtr__rates_of(m.o, (double)gtr__rate_of(m.ctl, m.o.shared, group), m.ctl->applied + 1, group, &rates);
    segments.find(m.o, base);
    if (helper < 0) {
        cursor.set(m, segments.of(e));
        four.load(m, cursor, e);
        if (!m.losses) four.gradient(m, e);
    }
    if (helper == 0) {
        if (!m.early) gtr__enter();
        report.begin(m.report, step);
    }
    gtr__enter();
    if (m.losses && helper < 0) four.gradient(m, e);
    bool bad = false;
    if (threadIdx.x == 0) {
        coef = m.losses ? 1.0f : m.ctl->coef;
        bad = m.ctl->guard || m.ctl->status;
    }
    bad |= gtr__any_infinite(m.loss, m.losses);
    const bool plain = helper == 0 && m.ctl->norm == 0, stop = __syncthreads_or(bad) != 0;
    if (helper == 0) {
        if (stop && m.losses) m.ctl->guard = 1;
        report.end(m.report, step, plain && !stop);
    }
    if (helper >= 32 && blockIdx.x == 0) gtr__fetch_ahead(m.ctl, m.report.shared->record, step);
    if (helper >= 0 || stop) return;
    for (;;) {
        four.update(m.o, rates, coef, e);
        tile += gridDim.x;
        if (tile >= tiles) return;
        e = at() + threadIdx.x * 4;
        four.load(m, cursor, e);
        four.gradient(m, e);
    }
}
// What elements from u->first on to u->last - 1 take.
static gtr_result gtr__update_start(void *instance, const gtr__call *c, gtr__update_kernel *u) {
    const int64_t tiles = gtr__ceil(u->last - u->first, GTR__UPDATE_TILE);
    if (tiles == 0) return GTR_OK;
    return GTR__LAUNCH(instance, c, gtr__k_update, (unsigned)gtr__min64(tiles,
        (int64_t)gtr__sms(c) * GTR__UPDATE_RESIDENT), u->report.ctl ? GTR__T + 64 : GTR__T, 0, *u);
}
static gtr_result gtr__update_make(void *instance, const gtr__call *c, const gtr__optim *o, gtr__update_kernel *u) {
    memset((void *)u, 0, sizeof *u);
    u->o = *o; u->ctl = c->ctl; u->last = o->count;
    return gtr__check_states(instance, o);
}
static void gtr__update_forms(const gtr__call *c, gtr__update_kernel *u) {
    for (; u->forms < c->n_in && u->forms < GTR__MAX_LOOKUPS; u->forms++) {
        const gtr__arg *a = &c->in[u->forms];
        gtr__lookups *f = &u->form[u->forms];
        f->met = (const int32_t *)a->data; f->offset = (const float *)a->data - u->o.gradient;
        f->rows = (const float *)((const char *)a->data + GTR__LOOKUP_ROWS(a->shape.dim[0])); f->line = a->shape.dim[1];
        for (f->shift = 30; f->shift >= 0 && f->line != (int64_t)1 << f->shift; ) f->shift--;
    }
}
static gtr_result gtr__cuda_update_fwd(void *instance, const gtr__call *c) {
    gtr__update_kernel u;
    GTR__TRY(gtr__update_make(instance, c, (const gtr__optim *)c->attr->ptr, &u));
    gtr__update_forms(c, &u);
    return gtr__update_start(instance, c, &u);
}
// The last nodes of a step: UPDATE and REPORT in one launch, and GUARD, if nothing but losses is left to it; between
// GUARD and them what commits statistics.
static int gtr__finish_match(gtr__plan *plan, int at, const gtr__caps *caps) {
    const gtr__node *n = &plan->node[at], *end = plan->node + plan->n_node;
    const gtr__optim *o = (const gtr__optim *)n->attr.ptr;
    (void)caps;
    if (n->op == GTR__OP_GUARD && o->clip == 0 && !o->scaled) for (n++; n->op == GTR__OP_BN_COMMIT; ) n++;
    return n + 2 == end && n->op == GTR__OP_UPDATE && n[1].op == GTR__OP_REPORT && o->count > 0
        ? (int)(end - &plan->node[at]) : 0;
}
static gtr__call gtr__mlp_call(const gtr__call *c, const gtr__node *n, gtr__arg *in, gtr__arg *out);
static gtr_result gtr__finish_run(void *instance, const gtr__call *c) {
    const gtr__network *w = (const gtr__network *)c->attr->ptr;
    const gtr__cuda *g = (const gtr__cuda *)instance;
    const gtr__node *n = w->node, *last = &n[w->n_node - 1];
    gtr__update_kernel u;
    gtr__arg in[GTR__BN_SET * GTR__BN_SETS], out[1];
    static_assert(GTR__BN_SET * GTR__BN_SETS > GTR__MAX_LOOKUPS, "what the nodes read");
    if (c->measure) return gtr__measured(c, 0);
    if (c->fits) { *c->fits = 1; return GTR_OK; }
    GTR__TRY(gtr__update_make(instance, c, (const gtr__optim *)n->attr.ptr, &u));
    const gtr__call report = gtr__mlp_call(c, last, in, out);
    u.report = gtr__reporting_of(&report);
    u.early = 1;
    if (n->op == GTR__OP_GUARD) {
        const gtr__call guard = gtr__mlp_call(c, n++, in, out);
        if (g->n_unwatched == 0 || u.o.loss_only) {
            u.loss = gtr__opd_of(&guard.in[0]); u.losses = guard.in[0].count;
            for (int k = 0; k < last->n_in && g->overlap; k++)
                if (last->in[k] >= 0) u.early &= (int)(g->early >> last->in[k] & 1);
        } else GTR__TRY(gtr__cuda_guard_fwd(instance, &guard));
    }
    for (; n + 1 < last; n++) {
        const gtr__call commit = gtr__mlp_call(c, n, in, out);
        GTR__TRY(gtr__bn_commit_run(instance, &commit, u.loss, u.losses));
    }
    const gtr__call update = gtr__mlp_call(c, n, in, out);
    gtr__update_forms(&update, &u);
    return gtr__update_start(instance, c, &u);
}

// >>op:check
// For finding a bad tensor: it need not be quick. One block, or zero first and any block that meets one
// writes 1. Bytes: x once.
static __global__ void __launch_bounds__(1024) gtr__k_check(gtr__opd x, int64_t count, int wide, int32_t *y) {
    gtr__enter();
    int64_t width = wide ? 4 : 1, groups = (count + width - 1) / width;
    int bad = 0;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < groups; k += (int64_t)gridDim.x * blockDim.x) {
        float v[4];
        gtr__take(x.p, x.t, k * width, count - k * width < width ? (int)(count - k * width) : (int)width, v);
#pragma unroll
        for (int u = 0; u < 4; u++) bad |= (!u || u < width) && gtr__infinite(v[u]);
    }
    bad = __syncthreads_or(bad);
    if (threadIdx.x == 0 && (gridDim.x == 1 || bad)) *y = bad ? 1 : 0;
}
static gtr_result gtr__cuda_check_fwd(void *instance, const gtr__call *c) {
    gtr__opd x = gtr__opd_of(&c->in[0]);
    int64_t count = c->in[0].count;
    int wide = gtr__wide(x);
    unsigned blocks = 1;
    if (x.t != GTR_F32 && x.t != GTR_BF16 && x.t != GTR_F16) count = 0;
    if (count > 65536) {
        blocks = gtr__grid(c, count / 16);
        GTR__TRY(gtr__check(instance, cudaMemsetAsync(c->out[0].data, 0, 4, (cudaStream_t)c->stream),
            "cudaMemsetAsync"));
        ((gtr__cuda *)instance)->overlap = 0;   // its predecessor is no kernel
    }
    return GTR__LAUNCH(instance, c, gtr__k_check, blocks, 1024, 0, x, count, wide, (int32_t *)c->out[0].data);
}

// >>op:network
// Kernels that replace a run of nodes; the ones there are stand in gtr__cuda_matchers. What those of whole multilayer
// perceptrons share: how a plan's nodes are told apart, what a launch gets, and the grid's barriers.

#define GTR__MLP_LAYERS 6

typedef struct gtr__mlp_layer {
    int n, k;                   // out, in
    int act;                    // a unary op's number, or -1
    float act_a, act_b;
    const void *saved;          // what the activation was applied to, where its backward reads that; else NULL
    float *dw, *db;
} gtr__mlp_layer;

typedef struct gtr__mlp {
    gtr__mlp_layer layer[GTR__MLP_LAYERS];
    int layers, batch;
    gtr__feed_one x;            // to: the first layer's input
    gtr__feed_one rest[4];      // what else FEED fills
    int n_rest;
    const gtr__record *record;
    // loss
    int loss;                   // GTR__OP_XENT_STEP, GTR__OP_MSE, GTR__OP_BCE_WITH_LOGITS
    gtr__xent xent;
    gtr__pair pair;
    gtr__opd loss_value, accuracy;
    gtr__optim optim;
    int sums, checks, clipped;
    int hurry, late;            // of GTR__DEADLINE, those that are taken as spent; see gtr__grid_late
    gtr__ctl *ctl;
    gtr__reporting report;
} gtr__mlp;

// >>mlp-device

// Which segment is whose: weights at 2l, biases at 2l + 1.
template <typename L>
static GTR__DEVICE void gtr__mlp_segments(const gtr__optim &o, const L *layer, int layers,
        gtr__segment *to, int first, int step) {
    for (int i = first; i < o.n; i += step) {
        const gtr__segment z = o.segments[i];
        const float *g = o.gradient + z.offset;
#pragma unroll 1
        for (int l = 0; l < layers; l++) {
            if (layer[l].dw == g) to[2 * l] = z;
            if (layer[l].db == g) to[2 * l + 1] = z;
        }
    }
}

// By the last block to leave: the launch's steps have not been done, and those behind it do nothing.
static __device__ __noinline__ void gtr__grid_roll_back(const gtr__reporting &m) {
    gtr__ctl *ctl = m.ctl;
    __threadfence();
    const uint64_t step = __ldcg(&ctl->begun.step), steps = __ldcg(&ctl->begun.steps);
    ctl->step = step; ctl->applied = __ldcg(&ctl->begun.applied);
    ctl->scale = __ldcg(&ctl->begun.scale); ctl->good = __ldcg(&ctl->begun.good);
    ctl->launches = __ldcg(&ctl->begun.launches) + steps;
    ctl->stuck = steps - 1;
    ctl->bad_step = step + 1;
    ctl->status = ctl->guard = 2;
    m.shared->step = step;
    m.shared->bad_step = step + 1;
    __threadfence_system();
    m.shared->status = 2;
    __threadfence_system();
    m.shared->launches = ctl->launches;
}
// By one thread a block, behind all else that it does; a block that knows that the launch is abandoned has published
// what it wrote to ctl before.
static GTR__DEVICE void gtr__grid_leave(const gtr__reporting &m) {
    uint32_t *ticket = m.ctl->ticket;
    if (atomicAdd(&ticket[7], 1u) != gridDim.x - 1) return;
    if ((gtr__poll_acquire(&ticket[5]) | gtr__poll_acquire(&ticket[6])) & GTR__ABANDONED) gtr__grid_roll_back(m);
    ticket[5] = ticket[6] = ticket[7] = 0;
}
// The grid's barrier: waits until `target` blocks have counted themselves in; what they wrote before is seen behind
// it. gtr__mlp_grid_arrive counts this block in; what it does between the two, no other waits for. last: of the launch.
static GTR__DEVICE void gtr__mlp_grid_arrive(const gtr__mlp &m, bool last = false) {
    __syncthreads();
    if (threadIdx.x) return;
    if (last) gtr__grid_late(&m.ctl->ticket[6], m.late);
    gtr__count_in(&m.ctl->ticket[6]);
}
static __device__ __noinline__ bool gtr__mlp_grid_wait(const gtr__mlp &m, uint32_t target, int turns) {
    bool met = true;
    if (threadIdx.x == 0) met = gtr__grid_wait(&m.ctl->ticket[6], target, turns);
    return __syncthreads_and(met) != 0;
}
static GTR__DEVICE void gtr__mlp_grid_leave(const gtr__mlp &m) {
    __syncthreads();
    if (threadIdx.x == 0) gtr__grid_leave(m.report);
}

// To 11 bits, quicker than by the conversion: what a product of 2^13 + 1 pushes out (Dekker, 1971). What is not finite,
// or above 2^114, gives NaN.
static GTR__DEVICE uint32_t gtr__mlp_round(uint32_t u) {
    const float x = __uint_as_float(u), c = __fmul_rn(x, 8193.0f);
    return __float_as_uint(__fsub_rn(c, __fsub_rn(c, x)));
}
// ReLU in place, all others by a call.
static GTR__DEVICE float4 gtr__mlp_act4(int op, float4 x, float a, float b) {
    if (op < 0) return x;
    if (op == GTR__OP_RELU)
        return make_float4(x.x < 0 ? 0.0f : x.x, x.y < 0 ? 0.0f : x.y, x.z < 0 ? 0.0f : x.z, x.w < 0 ? 0.0f : x.w);
    const gtr__floats<4> y = gtr__act<4>(op, { { x.x, x.y, x.z, x.w } }, a, b);
    return make_float4(y.v[0], y.v[1], y.v[2], y.v[3]);
}
static GTR__DEVICE float4 gtr__mlp_dact4(int op, float4 dy, float4 s, float a, float b) {
    if (op == GTR__OP_RELU)
        return make_float4(s.x > 0 ? dy.x : 0.0f, s.y > 0 ? dy.y : 0.0f, s.z > 0 ? dy.z : 0.0f, s.w > 0 ? dy.w : 0.0f);
    const gtr__floats<4> d = gtr__dact<4>(op, { { dy.x, dy.y, dy.z, dy.w } }, { { s.x, s.y, s.z, s.w } }, a, b);
    return make_float4(d.v[0], d.v[1], d.v[2], d.v[3]);
}

// >>mlp-match

// Which of a run of nodes plays which part.
typedef struct gtr__mlp_parts {
    // back[l]: makes layer l - 1's dy
    int layers, feed, forward[GTR__MLP_LAYERS], gradient[GTR__MLP_LAYERS], back[GTR__MLP_LAYERS];
    // dropout behind a hidden layer; then the activation's gradient is a node of its own
    int drop[GTR__MLP_LAYERS], drop_back[GTR__MLP_LAYERS], act_back[GTR__MLP_LAYERS];
    int loss, loss_back, accuracy, guard, update, report;
} gtr__mlp_parts;
// Nodes and their operands: of a plan, or of the call that replaces them (then they are known to fit, and
// addresses may not be there yet).
typedef struct gtr__mlp_view {
    const gtr__node *node; int n; const gtr__plan *plan; const gtr__call *call;
} gtr__mlp_view;

static const gtr__arg *gtr__mlp_arg(const gtr__mlp_view *v, int id) {
    return id < v->call->n_in ? &v->call->in[id] : &v->call->out[id - v->call->n_in];
}
static const gtr_shape *gtr__mlp_shape(const gtr__mlp_view *v, int id) {
    return v->plan ? &v->plan->value[id].shape : &gtr__mlp_arg(v, id)->shape;
}
static gtr_dtype gtr__mlp_storage(const gtr__mlp_view *v, int id) {
    return v->plan ? v->plan->value[id].storage : gtr__mlp_arg(v, id)->dtype;
}
static int64_t gtr__mlp_count(const gtr__mlp_view *v, int id) {
    const gtr_shape *s = gtr__mlp_shape(v, id);
    int64_t n = 1;
    for (int i = 0; i < s->ndim; i++) n *= s->dim[i];
    return n;
}
// The same memory, whatever its shape.
static bool gtr__mlp_same(const gtr__mlp_view *v, int a, int b) {
    if (a < 0 || b < 0) return false;
    return !v->plan
        || (gtr__root(v->plan, a) == gtr__root(v->plan, b) && gtr__mlp_count(v, a) == gtr__mlp_count(v, b));
}
static bool gtr__mlp_fed(const gtr__mlp_view *v, int a) {
    for (int k = 0; k < v->node[0].n_out; k++) if (gtr__mlp_same(v, v->node[0].out[k], a)) return true;
    return false;
}
// A layer's product or its gradient, not a matmul's.
static bool gtr__mlp_of_layer(const gtr__node *n) {
    return !n->attr.i[3] && (n->attr.i[4] != 0) == (n->op == GTR__OP_LINEAR_DACT);
}
static int gtr__mlp_act(const gtr__node *n) { return n->op == GTR__OP_LINEAR_ACT ? (int)n->attr.i[0] : -1; }
// What an activation's backward reads: y, or x, which its node then has to have stored.
static int gtr__mlp_saved(const gtr__node *n) {
    return gtr__cuda_needs[gtr__mlp_act(n)] & GTR__Y0 ? n->out[0] : n->n_out > 1 ? n->out[1] : -1;
}

// The walk over the nodes: what the next one has to read. cur: the last layer's output; dy: the gradient that is on its
// way back, of layer at's.
struct gtr__mlp_parser {
    const gtr__mlp_view *v;
    gtr__mlp_parts *p;
    int cur, dy, at, logits;
    bool forward(const gtr__node *n, int i, bool dropout) {
        if (n->op == GTR__OP_LINEAR || n->op == GTR__OP_LINEAR_ACT) {
            if (p->loss >= 0 || p->layers == GTR__MLP_LAYERS
                    || !(p->layers ? gtr__mlp_same(v, n->in[0], cur) : gtr__mlp_fed(v, n->in[0])))
                return false;
            if (n->op == GTR__OP_LINEAR_ACT && (!gtr__known((int)n->attr.i[0]) || !gtr__mlp_of_layer(n)))
                return false;
            p->forward[p->layers++] = i;
            cur = n->out[0];
        } else if (n->op == GTR__OP_DROPOUT) {
            if (!dropout || p->loss >= 0 || p->layers == 0 || p->drop[p->layers - 1] >= 0
                    || !gtr__mlp_same(v, n->in[0], cur) || !n->training || n->attr.i[0])
                return false;
            p->drop[p->layers - 1] = i;
            cur = n->out[0];
        } else if (n->op == GTR__OP_ACCURACY) {
            if (p->accuracy >= 0 || cur < 0) return false;
            p->accuracy = i;
        } else if (n->op == GTR__OP_XENT_STEP || n->op == GTR__OP_MSE || n->op == GTR__OP_BCE_WITH_LOGITS) {
            if (p->loss >= 0 || p->layers == 0 || p->drop[p->layers - 1] >= 0 || !gtr__mlp_same(v, n->in[0], cur)
                    || !gtr__mlp_fed(v, n->in[1]))
                return false;
            p->loss = i;
            logits = cur;
            if (n->op == GTR__OP_XENT_STEP) { p->loss_back = i; dy = n->out[3]; at = p->layers - 1; }
        } else if (n->op == GTR__OP_LINEAR_DACT) {
            const gtr__node *f = at > 0 ? &v->node[p->forward[at - 1]] : NULL;
            if (!f || p->drop[at - 1] >= 0 || p->gradient[at] < 0 || !gtr__mlp_same(v, n->in[0], dy) || !gtr__mlp_same(
                    v, n->in[1], v->node[p->forward[at]].in[1]) || gtr__mlp_act(f) != (int)n->attr.i[0] || n->attr.f[0]
                    != f->attr.f[0] || n->attr.f[1] != f->attr.f[1] || !gtr__mlp_same(v, n->in[2], gtr__mlp_saved(f)))
                return false;
            p->back[at--] = i;
            dy = n->out[0];
        } else return false;
        return true;
    }
    bool linear_back(const gtr__node *n, int i) {
        const gtr__node *f = at >= 0 ? &v->node[p->forward[at]] : NULL;
        const bool bias = f && f->n_in > 2 && f->in[2] >= 0;
        if (!f || n->n_in < 4 || !gtr__mlp_same(v, n->in[n->n_in - 1], dy) || !gtr__mlp_same(v, n->in[1], f->in[1]))
            return false;
        if (gtr__mlp_act(f) >= 0 && at == p->layers - 1 && p->act_back[p->layers - 1] < 0) return false;
        if (n->out[0] < 0) {
            if (p->gradient[at] >= 0 || n->out[1] < 0 || !gtr__mlp_same(v, n->in[0], f->in[0])
                    || bias != (n->n_out > 2 && n->out[2] >= 0))
                return false;
            p->gradient[at] = i;
        } else {
            if (at == 0 || p->gradient[at] < 0 || n->out[1] >= 0 || (n->n_out > 2 && n->out[2] >= 0)) return false;
            if (p->drop[at - 1] < 0 && v->node[p->forward[at - 1]].op != GTR__OP_LINEAR) return false;
            p->back[at--] = i;
            dy = n->out[0];
        }
        return true;
    }
    bool backward(const gtr__node *n, int i) {
        if (n->op == GTR__OP_LINEAR) return linear_back(n, i);
        if (n->op == GTR__OP_MSE || n->op == GTR__OP_BCE_WITH_LOGITS) {
            if (p->loss < 0 || p->loss_back >= 0 || v->node[p->loss].op != n->op || !gtr__mlp_same(v, n->in[0], cur)
                    || n->n_in < 4 || n->reads >> 3 & 1 || n->out[0] < 0 || (n->n_out > 1 && n->out[1] >= 0))
                return false;
            p->loss_back = i;
            dy = n->out[0];
            at = p->layers - 1;
        } else if (n->op == GTR__OP_DROPOUT) {
            const gtr__node *f = at >= 0 && p->drop[at] >= 0 ? &v->node[p->drop[at]] : NULL;
            if (!f || p->drop_back[at] >= 0 || p->gradient[at] >= 0 || !gtr__mlp_same(v, n->in[2], dy) || n->out[0] < 0
                    || n->attr.f[0] != f->attr.f[0] || n->attr.key != f->attr.key)
                return false;
            p->drop_back[at] = i;
            dy = n->out[0];
        } else if (gtr__known(n->op)) {         // of the last layer, or in front of dropout
            const gtr__node *f = at >= 0 ? &v->node[p->forward[at]] : NULL;
            if (!f || (at != p->layers - 1 && p->drop_back[at] < 0) || p->act_back[at] >= 0 || p->gradient[at] >= 0
                    || gtr__mlp_act(f) != (int)n->op || !gtr__mlp_same(v, n->in[2], dy) || n->out[0] < 0
                    || n->attr.f[0] != f->attr.f[0] || n->attr.f[1] != f->attr.f[1])
                return false;
            if (gtr__cuda_needs[n->op]
                    && !gtr__mlp_same(v, n->in[gtr__cuda_needs[n->op] & GTR__Y0 ? 1 : 0], gtr__mlp_saved(f)))
                return false;
            p->act_back[at] = i;
            dy = n->out[0];
        } else return false;
        return true;
    }
    // All that a step needs was there, and nothing reads what is between.
    bool whole() const {
        if (p->loss < 0 || at != 0) return false;
        for (int l = 0; l < p->layers; l++)
            if (p->gradient[l] < 0 || (p->drop[l] >= 0
                    && (p->drop_back[l] < 0 || (p->act_back[l] < 0 && gtr__mlp_act(&v->node[p->forward[l]]) >= 0))))
                return false;
        if (gtr__mlp_act(&v->node[p->forward[p->layers - 1]]) >= 0 && p->act_back[p->layers - 1] < 0) return false;
        const gtr__node *loss = &v->node[p->loss], *guard = &v->node[p->guard], *report = &v->node[p->report];
        if (guard->n_in != 1 || !gtr__mlp_same(v, guard->in[0], loss->out[0]) || report->n_in < 1 || report->n_in > 2
                || !gtr__mlp_same(v, report->in[0], loss->out[0]))
            return false;
        if (p->accuracy >= 0) {
            const gtr__node *n = &v->node[p->accuracy];
            if (loss->op != GTR__OP_XENT_STEP || !gtr__mlp_same(v, n->in[0], logits)
                    || !gtr__mlp_same(v, n->in[1], loss->in[1]))
                return false;
        }
        return report->n_in == 1 || (p->accuracy >= 0 && gtr__mlp_same(v, report->in[1], v->node[p->accuracy].out[0]))
            || gtr__mlp_same(v, report->in[1], loss->out[0]);
    }
};
// dropout: for a kernel that can do it.
static bool gtr__mlp_parse(const gtr__mlp_view *v, gtr__mlp_parts *p, bool dropout = false) {
    gtr__mlp_parser parser = { v, p, -1, -1, -1, -1 };
    memset(p, -1, sizeof *p);
    p->layers = 0;
    if (v->n < 7 || v->node[0].op != GTR__OP_FEED || v->node[0].n_out > 5) return false;
    p->feed = 0; p->guard = v->n - 3; p->update = v->n - 2; p->report = v->n - 1;
    for (int i = 0; i < v->n; i++) {
        const gtr__node *n = &v->node[i];
        if (n->stage || n->micro || n->recomputed || n->adds || n->row0) return false;
    }
    if (v->node[p->guard].op != GTR__OP_GUARD || v->node[p->update].op != GTR__OP_UPDATE
            || v->node[p->report].op != GTR__OP_REPORT)
        return false;
    const gtr__optim *o = (const gtr__optim *)v->node[p->update].attr.ptr;
    if (o->all > o->states || !gtr__rule_fused(o)) return false;     // averages are UPDATE's own
    for (int i = 1; i < p->guard; i++) {
        const gtr__node *n = &v->node[i];
        if (!(n->dir == GTR__FWD ? parser.forward(n, i, dropout) : parser.backward(n, i))) return false;
    }
    return parser.whole();
}

typedef struct gtr__mlp_cut {
    int layers, batch, size, n[GTR__MLP_LAYERS], k[GTR__MLP_LAYERS];
    int64_t parameters;
} gtr__mlp_cut;

// At most so many outputs and inputs of a layer, and rows.
static bool gtr__mlp_extents(const gtr__mlp_view *v, const gtr__mlp_parts *p, gtr__mlp_cut *c, int64_t n = 512,
        int64_t k = 65536, int64_t rows = 8192) {
    int64_t batch = 0;
    memset(c, 0, sizeof *c);
    c->layers = p->layers;
    for (int l = 0; l < p->layers; l++) {
        const gtr__node *f = &v->node[p->forward[l]];
        const gtr_shape *w = gtr__mlp_shape(v, f->in[1]);
        int64_t x = gtr__mlp_count(v, f->in[0]), y = gtr__mlp_count(v, f->out[0]);
        if (w->ndim != 2 || w->dim[0] < 1 || w->dim[1] < 1 || w->dim[0] > n || w->dim[1] > k || x < 1
                || x % w->dim[1])
            return false;
        if (l == 0) batch = x / w->dim[1];
        if (batch > rows || batch * w->dim[1] != x || batch * w->dim[0] != y) return false;
        c->n[l] = (int)w->dim[0]; c->k[l] = (int)w->dim[1];
        if ((l && c->k[l] != c->n[l - 1])
                || (p->drop[l] >= 0 && gtr__mlp_shape(v, v->node[p->drop[l]].out[0])->dim[0] != batch))
            return false;
        c->parameters += w->dim[0] * (w->dim[1] + 1);
    }
    c->batch = (int)batch;
    c->size = gtr__mlp_storage(v, v->node[p->forward[0]].in[0]) == GTR_F32 ? 4 : 2;
    return true;
}
// Whether a plan's nodes, which were parsed, have values of one type, which nobody keeps, gradients of the trainer's
// alone, and at most so many inputs, which come whole rows at a time.
static bool gtr__mlp_takes(const gtr__mlp_view *v, const gtr__mlp_parts *p, const gtr__mlp_cut *c, int inputs) {
    const gtr__plan *plan = v->plan;
    const gtr__optim *o = (const gtr__optim *)plan->node[p->update].attr.ptr;
    const gtr__feed *f = (const gtr__feed *)plan->node[0].attr.ptr;
    const gtr_dtype t = c->size == 4 ? GTR_F32 : plan->precision == GTR_MIXED_FP16 ? GTR_F16 : GTR_BF16;
    int trained = 0;
    for (int i = 1; i < p->guard; i++) {
        const gtr__node *n = &plan->node[i];
        for (int k = 0; k < n->n_out && i != p->loss && i != p->accuracy; k++) {
            if (n->out[k] < 0) continue;
            const gtr__value *y = &plan->value[gtr__root(plan, n->out[k])];
            const bool gradient = y->home == GTR__HOME_GRADIENT;
            if ((!gradient && y->home != GTR__HOME_ARENA) || y->storage != (gradient ? GTR_F32 : t)) return false;
            trained += gradient;
        }
    }
    for (int l = 0; l < p->layers; l++) {
        const gtr__node *n = &plan->node[p->forward[l]], *g = &plan->node[p->gradient[l]];
        for (int i = 0; i < n->n_in; i++) if (n->in[i] >= 0 && gtr__mlp_storage(v, n->in[i]) != t) return false;
        if (gtr__mlp_storage(v, g->in[g->n_in - 1]) != t) return false;
    }
    if (o->n != trained || f->n > inputs || plan->node[0].n_out != f->n || plan->batch != c->batch)
        return false;
    for (int k = 0; k < f->n; k++) {
        const int y = plan->node[0].out[k];
        if (y < 0 || (f->input[k].from != GTR_U8 && f->input[k].from != GTR_F32 && f->input[k].from != GTR_I32)
                || (gtr__mlp_same(v, y, plan->node[p->forward[0]].in[0]) && f->input[k].row != c->k[0])
                || gtr__mlp_count(v, y) > INT32_MAX / 2 || gtr__mlp_count(v, y) != c->batch * f->input[k].row)
            return false;
    }
    return true;
}

// >>mlp-launch

// The call of one of the nodes, as its own kernel's launcher would get it.
static gtr__call gtr__mlp_call(const gtr__call *c, const gtr__node *n, gtr__arg *in, gtr__arg *out) {
    gtr__mlp_view v = { n, 1, NULL, c };
    gtr__call q = *c;
    for (int k = 0; k < GTR__ALL(n); k++) {
        gtr__arg *a = k < n->n_in ? &in[k] : &out[k - n->n_in];
        int id = k < n->n_in ? n->in[k] : n->out[k - n->n_in];
        memset(a, 0, sizeof *a);
        if (id >= 0) *a = *gtr__mlp_arg(&v, id);
        if (k < n->n_in && !(n->reads >> k & 1)) a->data = NULL;
        a->add = 0;
    }
    q.attr = &n->attr; q.n_in = n->n_in; q.n_out = n->n_out; q.in = in; q.out = out;
    q.training = n->training; q.recomputed = 0; q.seed = n->seed; q.row0 = n->row0;
    return q;
}
static void gtr__mlp_layers(gtr__mlp *m, const gtr__mlp_view *v, const gtr__mlp_parts *p, const gtr__mlp_cut *cut) {
    for (int l = 0; l < p->layers; l++) {
        const gtr__node *f = &v->node[p->forward[l]], *g = &v->node[p->gradient[l]];
        gtr__mlp_layer *L = &m->layer[l];
        auto data = [&](int id) { return id < 0 ? NULL : gtr__mlp_arg(v, id)->data; };
        L->n = cut->n[l]; L->k = cut->k[l];
        L->act = gtr__mlp_act(f); L->act_a = (float)f->attr.f[0]; L->act_b = (float)f->attr.f[1];
        L->saved = L->act >= 0 && !(gtr__cuda_needs[L->act] & GTR__Y0) && f->n_out > 1 ? data(f->out[1]) : NULL;
        L->dw = (float *)data(g->out[1]);
        L->db = g->n_out > 2 ? (float *)data(g->out[2]) : NULL;
    }
}
static gtr_result gtr__mlp_inputs(void *instance, gtr__mlp *m, const gtr__call *c, const gtr__mlp_view *v,
        const void *x) {
    const gtr__node *n = &v->node[0];
    const gtr__feed *f = (const gtr__feed *)n->attr.ptr;
    for (int k = 0; k < f->n && k < n->n_out; k++) {
        const gtr__feed_input *q = &f->input[k];
        const gtr__arg *y = gtr__mlp_arg(v, n->out[k]);
        const bool first = y->data == x;
        if (!first && m->n_rest == 4) return gtr__fail(instance, GTR_ERR_UNSUPPORTED, "network: too many inputs");
        (first ? m->x : m->rest[m->n_rest++]) = gtr__feed_of(q, y);
    }
    m->record = f->shared->record;
    (void)c;
    return m->x.to.p ? GTR_OK : gtr__fail(instance, GTR_ERR_UNSUPPORTED, "network: its input is not fed");
}
static void gtr__mlp_losses(gtr__mlp *m, const gtr__call *c, const gtr__mlp_view *v, const gtr__mlp_parts *p) {
    gtr__arg in[8], out[8];
    const gtr__node *loss = &v->node[p->loss];
    gtr__call q = gtr__mlp_call(c, loss, in, out);
    m->loss = loss->op;
    m->loss_value = gtr__opd_of(&out[0]);
    if (loss->op == GTR__OP_XENT_STEP) {
        gtr__xent_make(&m->xent, &q, 16);
        m->xent.lse = gtr__opd_of(&out[1]);
        m->xent.count = gtr__opd_of(&out[2]);
        if (p->accuracy >= 0) m->accuracy = gtr__opd_of(gtr__mlp_arg(v, v->node[p->accuracy].out[0]));
    } else {
        q = gtr__mlp_call(c, &v->node[p->loss_back], in, out);
        m->pair.x = gtr__opd_of(&in[0]); m->pair.t = gtr__opd_of(&in[1]);
        m->pair.count = in[0].count; m->pair.seed = q.seed; m->pair.ctl = c->ctl;
    }
}
// What the kernel of any network's step gets.
template <typename M> static gtr_result gtr__mlp_step(void *instance, const gtr__call *c, const gtr__mlp_view *v,
        const gtr__mlp_parts *p, M *m) {
    const gtr__optim *o = (const gtr__optim *)v->node[p->update].attr.ptr;
    if (!c->ctl || ((gtr__cuda *)instance)->sm_count != gtr__sms(c))
        return gtr__fail(instance, GTR_ERR_STATE, "network: no trainer");
    m->optim = *o;
    m->sums = o->clip > 0 || o->scaled; m->checks = !o->loss_only; m->clipped = o->clip > 0;
    m->hurry = c->caps->hurry ? GTR__DEADLINE - c->caps->hurry : 0; m->late = c->caps->late;
    m->ctl = m->report.ctl = c->ctl;
    m->report.shared = (gtr__shared *)(uintptr_t)v->node[p->report].attr.i[0];
    m->report.trainer = 1; m->report.scaled = o->scaled;
    return gtr__check_states(instance, o);
}
// What the kernel gets, but for how it is cut.
static gtr_result gtr__mlp_fill(void *instance, const gtr__call *c, const gtr__mlp_view *v, const gtr__mlp_parts *p,
        const gtr__mlp_cut *cut, gtr__mlp *m) {
    const gtr__node *report = &v->node[p->report];
    memset(m, 0, sizeof *m);
    GTR__TRY(gtr__mlp_step(instance, c, v, p, m));
    m->layers = p->layers; m->batch = cut->batch;
    gtr__mlp_layers(m, v, p, cut);
    GTR__TRY(gtr__mlp_inputs(instance, m, c, v, gtr__mlp_arg(v, v->node[p->forward[0]].in[0])->data));
    gtr__mlp_losses(m, c, v, p);
    for (int k = 0; k < report->n_in && k < GTR__MAX_REPORT; k++)
        m->report.value[k] = gtr__opd_of(gtr__mlp_arg(v, report->in[k]));
    return GTR_OK;
}

// >>resident
// A multilayer perceptron that stays in the multiprocessors while a launch does many steps. Blocks are groups x ranks:
// block (g, r) keeps the first layer's weights of its group's columns and its rank's part of k, with their moments, in
// shared memory; 16 rows of the batch are a rank's own from there on. A step has an exchange a layer and one for the
// way back, all of them words published to L2 (see >>blocks):
//
//   publisher              words                                   awaited by
//   block (g, r)           part: x w of its columns and k, all rows   the group's ranks: sum, bias, activation
//   block (g, r)           h: its rank's rows, its group's columns    the rank's groups: each
//                          makes its columns of the next
//                                                                     layer; the last, narrow layer, the loss and its
//                                                                     gradient are made by every group for itself
//   block (g, r)           dz: the same of the first layer            the group's ranks: dw = dz^T
//                          x, whole; update in place
//   whoever has a tile     w: a further layer's, updated              the blocks that hold these weights
//   first group of a rank  loss                                       the reporting block
//
// A block's first team of warps does what the next exchange waits for. Its second, while the first goes back, makes the
// further layers' gradients, tiles over all blocks, publishes their new weights, sums the loss's figures, awaits its
// own weights, and gathers the next step's x. A number that products read is rounded by its publisher, once, so that
// those who await it have nothing to do but multiply.
//
// No word needs a fence or a flag: its lowest bit is the step's tag, the one above a mark that its publisher has found
// a gradient that is not finite, and whoever wants it polls until the tag is there. Buffers alternate by step, and no
// block ends a step before all have read what the one before made (their parts and tiles are wanted),
// so that one bit is enough.
// A bad step is known to all before the next one's update: then each block rolls back to the state before it. One block
// more fetches the records and reports. Bound by latency: 4 trips through L2 of 0.6 us, and by the instructions between
// them, which depend on each other: few warps, so that loads are best issued many at a time.

// threads of each of two teams: one does what the next exchange waits for, the other all else
#define GTR__RES_TEAM    256
#define GTR__RES_T       (2 * GTR__RES_TEAM)
#define GTR__RES_SHIFT   8              // GTR__RES_TEAM is 1 << this
#define GTR__RES_WARPS   (GTR__RES_TEAM / 32)
#define GTR__RES_OUT     32             // outputs of the last layer, at most
#define GTR__RES_RANKS   16
#define GTR__RES_ASKED   11             // words of four that a thread asks for at a time, of new weights
// pitches, in words, of w, dz and bytes of x, where a group has 16 columns and a rank 128 of k at most
#define GTR__RES_KP      144
#define GTR__RES_ZP      24
#define GTR__RES_XP      36

typedef struct gtr__res_layer {
    int slice, width;           // columns of a group, a multiple of 8; of all, padded to a multiple of 16
    int task0, across;          // first of its tiles of 16 x 16; how many side by side along k
    // words in shared memory: rows of w of the group's columns; columns of w of the layer before's
    int forward_at, forward_pitch, back_at, back_pitch;
    // bias of the group's columns (all, in the last layer); own rows' and columns' output, then what the
    // activation was applied to
    int bias_at, own_at;
    int drop_at;                // dropout behind it: factors of own rows and columns, by step; 0: dropped
    float drop, scale;          // its probability, 1 / (1 - p); 0, 1: none
    uint64_t key;
    // exchanged: output, its gradient, new weights, new bias (both of even steps; odd ones' lie s.renewed further on)
    uint32_t *h, *dz, *w, *b;
} gtr__res_layer;
typedef struct gtr__res {
    gtr__mlp m;
    gtr__res_layer layer[GTR__MLP_LAYERS];
    int groups, ranks, rows, spare;     // rows: ranks that have rows of the batch; spare: blocks that make tiles only
    int kr, kp, zp, xp;         // k of a rank, a multiple of 8; words of a row of w, of dz, of x in shared memory
    // x stays the data set's bytes, which are exact: sums are scaled. BF16 rounds them scaled, as
    // all that feeds a product
    int bytes;
    int tasks, most_tasks;
    // words in shared memory
    int left_at, origin_at, label_at, target_at, x_at, state_at, w0_at, middle_at, y_at, d_at, red_at, red_words,
        tile_at, unit_at, end_at;
    int theirs;                 // tiles that fall to workers; the rest to spare blocks
    // fours of words of the further layers' weights that a block holds; words of all that are renewed in a step
    int units, renewed;
    int last_pre;               // the last hidden layer's activation wants its input on the way back
    int target;                 // which of m.rest is the loss's
    int drops;                  // layers with dropout, a bit each
    float dw_scale, db_scale;   // of the first layer's sums
    uint32_t *pool;             // all that is exchanged
    int64_t words;
    uint32_t *part, *dl, *pre, *loss, *verdict, *flag;
    gtr__record *record;
    gtr__rates *rate;
} gtr__res;

// What a kernel knows of the cut: nothing; or three layers, columns of the first a group, ranks, most of k a rank,
// pitches, no more groups of rows than warps and a task of the first layer a warp. TILES, REST: of 8 columns that a
// group has at most, of the first layer and of the others. NARROW is what 256 columns of 784 get on 132
// multiprocessors, BROAD what 257 do: 17 groups of 16 columns would be too many.
enum { GTR__RES_ANY, GTR__RES_NARROW, GTR__RES_BROAD };
template <int CUT>
struct gtr__res_known { enum { LAST = 0, SLICE = 0, RANKS = 0, KR = 0, KP = 0, ZP = 0, XP = 0, TILES = 4, REST = 4 }; };
template <>
struct gtr__res_known<GTR__RES_NARROW> {
    enum {
        LAST = 2, SLICE = 16, RANKS = 8, KR = 128, KP = GTR__RES_KP, ZP = GTR__RES_ZP, XP = GTR__RES_XP,
        TILES = 2, REST = 2
    };
};
template <>
struct gtr__res_known<GTR__RES_BROAD> {
    enum { LAST = 2, SLICE = 32, RANKS = 13, KR = 64, KP = 80, ZP = 40, XP = 20, TILES = 4, REST = 2 };
};
template <int CUT>
static GTR__DEVICE int gtr__res_slice(const gtr__res &s) {
    return CUT ? (int)gtr__res_known<CUT>::SLICE : s.layer[0].slice;
}
template <int CUT>
static GTR__DEVICE int gtr__res_ranks(const gtr__res &s) {
    return CUT ? (int)gtr__res_known<CUT>::RANKS : s.ranks;
}

#define GTR__RES_LEFT (16 * (GTR__RES_OUT + 2))        // words of what a step's figures are made of

// Operands. TF32 rounds what is sent or kept for a product, BF16 where a number is made (TF32's product of such is
// exact); float32 multiplies in halves.
enum { GTR__RES_TF32, GTR__RES_FP32, GTR__RES_BF16 };
template <int P>
static GTR__DEVICE float gtr__res_low(float v) {
    return P == GTR__RES_BF16 ? gtr__rounded(GTR_BF16, v) : v;
}
// As products want it, where it is made once and read often: weights, x.
template <int P> static GTR__DEVICE float gtr__res_ready(float v) {
    if (P == GTR__RES_TF32) return __uint_as_float(gtr__mlp_round(__float_as_uint(v)));
    return gtr__res_low<P>(v);
}
// What is published for products is rounded by its publisher, once; a product cuts off the last bits of a word by
// itself, but for float32's.
template <int P>
static GTR__DEVICE float gtr__res_sent(float v) { return P == GTR__RES_TF32 ? gtr__res_ready<P>(v) : v; }
// A gradient goes to products and to sums, which want it whole: with half of what TF32 keeps added, the cut is to the
// nearest. All that is published so is, zeros too; only what is not finite stays as it is. exact: without it. An
// infinity comes out finite there: the weights' gradients show it.
template <int P> static GTR__DEVICE float gtr__res_published(float v) {
    const uint32_t u = __float_as_uint(v);
    return P == GTR__RES_TF32 && (u & 0x7f800000u) != 0x7f800000u ? __uint_as_float(u + 0x1000u) : v;
}
template <int P> static GTR__DEVICE float gtr__res_exact(float v) {
    return P == GTR__RES_TF32 ? __uint_as_float(__float_as_uint(v) - 0x1000u) : v;
}
template <int P>
static GTR__DEVICE float gtr__res_operand(uint32_t u) {
    return P == GTR__RES_FP32 ? gtr__word_number(u) : __uint_as_float(u);
}
// d (16x8) += a (16x8) b (8x8), both ready.
template <int P> static GTR__DEVICE void gtr__res_mma(float *d, const float *a, const float *b) {
    uint32_t ua[4], ub[2];
#pragma unroll
    for (int i = 0; i < 4; i++) ua[i] = __float_as_uint(a[i]);
#pragma unroll
    for (int i = 0; i < 2; i++) ub[i] = __float_as_uint(b[i]);
    if constexpr (P == GTR__RES_FP32) {
        uint32_t la[4], lb[2];
        float some[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
#pragma unroll
        for (int i = 0; i < 4; i++) {
            ua[i] = gtr__to_tf32(ua[i]); la[i] = gtr__to_tf32(__float_as_uint(a[i] - __uint_as_float(ua[i])));
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            ub[i] = gtr__to_tf32(ub[i]); lb[i] = gtr__to_tf32(__float_as_uint(b[i] - __uint_as_float(ub[i])));
        }
        gtr__mma_tf32(some, la, ub);
        gtr__mma_tf32(some, ua, lb);
        gtr__mma_tf32(some, ua, ub);
#pragma unroll
        for (int i = 0; i < 4; i++) d[i] += some[i];
    } else gtr__mma_tf32(d, ua, ub);
}
// Byte i of u: in 2^23's last place.
template <int P> static GTR__DEVICE float gtr__res_byte(uint32_t u, int i, float scale) {
    const float v = __uint_as_float(__byte_perm(u, 0x4b000000u, 0x7440u | (uint32_t)i)) - 8388608.0f;
    return P == GTR__RES_BF16 ? gtr__res_low<P>(v * scale) : v;
}
static GTR__DEVICE bool gtr__res_infinite(float v) {
    return (__float_as_uint(v) & 0x7fffffffu) >= 0x7f800000u;
}

// What a block keeps beside its pool.
typedef struct gtr__res_head {
    float4 part[GTR__RES_RANKS];        // the reporting block's: ranks' sums
    gtr__rates rate[2];      // by step
    gtr__segment segment[2 * GTR__MLP_LAYERS];
    gtr__rule rule;         // what of it is the same in all steps
    gtr__record record;         // of the launch's first step; the others differ in what follows
    struct { int64_t first; uint64_t key; } step[GTR__LAUNCH_STEPS];
    struct { int layer, n0, k0; } tile[8];
    float scratch[16], share;   // share: of the loss's smoothing, a class's
    uint64_t before;            // steps before the launch, for dropout
    int counts[16], all[2], tiles, half;        // all: counted rows of the batch, by step; half: of the shuffle's bits
    // by team and step: the marks of awaited words (4: they did not arrive); what was wrong here
    uint32_t marks[2][2], own[2][2];
    int stop, wrong;
} gtr__res_head;
// Head is a gtr__res_head or what has its launch in the same members, Net a gtr__res or what is like it.
template <typename Head> static GTR__DEVICE gtr__rule gtr__res_rule(const Head *h, int step, int group) {
    return gtr__rule_of(h->rule, h->rate[step & 1], group, 1.0f);
}
// A root and a reciprocal that are wrong by a last place or two: a gradient is by far more.
struct gtr__res_adapt {
    static GTR__DEVICE float of(const gtr__rule &k, float p, float f, float n, float v)
    {
        asm("sqrt.approx.ftz.f32 %0, %0;" : "+f"(v));
        v = fmaf(v, k.root, k.eps);
        asm("rcp.approx.ftz.f32 %0, %0;" : "+f"(v));
        return fmaf(n, v, p * f);
    }
};
template <int P> static GTR__DEVICE float gtr__res_exp(float v) {
    return P == GTR__RES_FP32 ? expf(v) : __expf(v);
}
template <int P> static GTR__DEVICE float gtr__res_inverse(float v) {
    if (P != GTR__RES_FP32) {
        asm("rcp.approx.ftz.f32 %0, %0;" : "+f"(v));
        return v;
    }
    return 1.0f / v;
}
template <typename Head> static GTR__DEVICE int64_t gtr__res_origin(const Head *h, int step, int64_t r) {
    return gtr__origin<true>(r, h->record.rows, h->step[step].first, h->step[step].key, h->half);
}
// Barriers: 1 and 2 of a team, one of both teams, and those at which one team only arrives for the other: something is
// there, or done with.
enum { GTR__RES_RENEWED = 3, GTR__RES_DONE, GTR__RES_READY };
static GTR__DEVICE int gtr__res_team() { return (int)threadIdx.x / GTR__RES_TEAM; }
// Opaque: what is computed from them is not kept in registers, of which there are too few, over a whole step.
static GTR__DEVICE int gtr__res_opaque(int v) { asm volatile("" : "+r"(v)); return v; }
// opaque, but for its bounds: then its halves are shifts
static GTR__DEVICE int gtr__res_below(int v, int end) {
    v = gtr__res_opaque(v);
    __builtin_assume(v >= 0 && v < end);
    return v;
}
static GTR__DEVICE int gtr__res_thread() {
    return gtr__res_below((int)threadIdx.x % GTR__RES_TEAM, GTR__RES_TEAM);
}
static GTR__DEVICE int gtr__res_lane() { return gtr__res_below((int)threadIdx.x & 31, 32); }
// Where shared memory lies, in a register: else each access works it out anew.
static GTR__DEVICE float *gtr__res_base(char *p) {
    uint32_t at = gtr__shared_address(p);
    asm volatile("" : "+r"(at));
    return (float *)__cvta_shared_to_generic(at);
}
// Not bar.sync: that promises that all who wait do so at the same instruction, which teams do not.
static GTR__DEVICE void gtr__res_bar(int id, int threads) {
    asm volatile("barrier.sync %0, %1;" :: "r"(id), "r"(threads) : "memory");
}
static GTR__DEVICE void gtr__res_arrive(int id, int threads) {
    asm volatile("bar.arrive %0, %1;" :: "r"(id), "r"(threads) : "memory");
}
static GTR__DEVICE void gtr__res_sync() { gtr__res_bar(1 + gtr__res_team(), GTR__RES_TEAM); }
static GTR__DEVICE uint32_t gtr__res_marks(const gtr__res_head *h, int par) {
    return h->marks[0][par] | h->marks[1][par];
}
static GTR__DEVICE uint32_t gtr__res_own(const gtr__res_head *h, int par) {
    return h->own[0][par] | h->own[1][par];
}
// The marks that came with awaited words, for all of the block to see behind the next barrier.
static GTR__DEVICE void gtr__res_pass(gtr__res_head *h, int par, const gtr__waiting &awaited) {
    const uint32_t news = awaited.bad | (awaited.turns >= GTR__DEADLINE ? 4u : 0u);
    if (news) atomicOr(&h->marks[gtr__res_team()][par], news);
}

// >>resident-feed
// The row source. What a step reads of the data set is gathered a step ahead, by the second team: bytes by asynchronous
// copies of words; where rows do not begin at one, the thread that copied them moves them into place.
struct gtr__res_raw { int label; float rate; };
static GTR__DEVICE void gtr__res_origins(const gtr__res &s, float *pool,
        const gtr__res_head *h, int step) {
    const int row = gtr__res_thread();
    int64_t *origin = (int64_t *)(pool + s.origin_at) + (step & 1) * s.rows * 16 + row;
    if (row >= s.rows * 16) return;
    const int64_t from = row < s.m.batch ? gtr__res_origin(h, step, row) : -1;
    // the second: in the data set's first column
    origin[0] = from; origin[2 * s.rows * 16] = from * s.m.layer[0].k;
}
static GTR__DEVICE void gtr__res_copy8(void *dst, const void *src) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" :: "r"(gtr__shared_address(dst)),
        "l"(__cvta_generic_to_global(src)) : "memory");
#else
    *(uint2 *)dst = *(const uint2 *)src;
#endif
}
// The words that have some of `left` bytes from src on, of rows that do not begin at one; and, when they have come, the
// bytes moved to a row's begin.
static __device__ __noinline__ void gtr__res_ask_words(float *to, int xp, const char *src, const int64_t *offset,
        int left, int rows) {
    const int warp = (int)threadIdx.x % GTR__RES_TEAM / 32;
#pragma unroll 1
    for (int c = ((int)threadIdx.x & 31) * 4; c < left + 3; c += 128)
#pragma unroll 1
        for (int r = warp; r < rows; r += 4 * GTR__RES_WARPS) {
            uintptr_t from[4];          // of four rows at once: nothing is read ahead of a copy
#pragma unroll
            for (int i = 0; i < 4; i++) from[i] = (uintptr_t)src
                + (uintptr_t)offset[r + i * GTR__RES_WARPS < rows ? r + i * GTR__RES_WARPS : r];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int off = (int)(from[i] & 3);
                if (c < left + off && r + i * GTR__RES_WARPS < rows) gtr__copy4(
                    (char *)(to + (r + i * GTR__RES_WARPS) * xp) + c, (const void *)(from[i] - off + c), true);
            }
        }
}
static __device__ __noinline__ void gtr__res_move_words(float *x, int xp, const char *src, const int64_t *offset,
        int most, int rows) {
    const int warp = (int)threadIdx.x % GTR__RES_TEAM / 32, lane = (int)threadIdx.x & 31;
    // those that copies may have come to
    const int words = (most + 6) / 4 + 1 < xp - 1 ? (most + 6) / 4 + 1 : xp - 1;
    __syncwarp();
#pragma unroll 1
    for (int r0 = warp; r0 < rows; r0 += 4 * GTR__RES_WARPS)
#pragma unroll 1
        for (int c = lane; c - lane < words; c += 32) {
            const int left = most - 4 * c;
            const uint32_t mask = left >= 4 ? 0xffffffffu : left > 0 ? 0xffffffffu >> (32 - 8 * left) : 0u;
            uint32_t lo[4], hi[4], *row[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int r = r0 + i * GTR__RES_WARPS < rows ? r0 + i * GTR__RES_WARPS : r0, at = c < words ? c : 0;
                row[i] = (uint32_t *)x + r * xp + at;
                lo[i] = row[i][0]; hi[i] = row[i][1];
                lo[i] = __byte_perm(lo[i], hi[i],
                    0x3210u + 0x1111u * (uint32_t)(((uintptr_t)src + (uintptr_t)offset[r]) & 3)) & mask;
            }
            __syncwarp();
#pragma unroll
            for (int i = 0; i < 4; i++) if (c < words && (i == 0 || r0 + i * GTR__RES_WARPS < rows)) *row[i] = lo[i];
        }
}
static GTR__DEVICE void gtr__res_ask(const gtr__res &s, float *pool, gtr__res_head *h, int step,
        int rank, gtr__res_raw &raw) {
    const int64_t *origin = (const int64_t *)(pool + s.origin_at) + (step & 1) * s.rows * 16,
        *offset = origin + 2 * s.rows * 16;
    const int tid = gtr__res_thread(), k0 = rank * s.kr, columns = s.m.layer[0].k,
        left = columns - k0 < s.kr ? columns - k0 : s.kr;
    if (s.bytes && left > 0) {
        const char *src = (const char *)(uintptr_t)h->record.src[s.m.x.slot] + k0;
        float *to = pool + s.x_at + (step & 1) * s.rows * 16 * s.xp;
        if (columns % 8 == 0 && (uintptr_t)src % 8 == 0 && left <= 128) {
            const int at = tid % 16 * 8;
            if (at < left)
#pragma unroll 4
                for (int r = tid / 16; r < s.m.batch; r += GTR__RES_TEAM / 16)
                    gtr__res_copy8((char *)(to + r * s.xp) + at, src + offset[r] + at);
        } else gtr__res_ask_words(to, s.xp, src, offset, left, s.m.batch);
    }
    gtr__copies_commit();
    raw.label = 0;
    if (s.m.loss == GTR__OP_XENT_STEP && tid < s.m.batch) {
        const gtr__feed_one &in = s.m.rest[s.target];
        const char *src = (const char *)(uintptr_t)h->record.src[in.slot];
        raw.label = in.from == GTR_U8 ? (int)((const unsigned char *)src)[origin[tid]]
            : ((const int32_t *)src)[origin[tid]];
    }
    raw.rate = tid < (int)(sizeof(gtr__rates) / 4) ? __ldcg((const float *)&s.rate[step] + tid) : 0.0f;
    if (tid == 0) h->all[step & 1] = 0;
}
static GTR__DEVICE float gtr__res_source(const gtr__feed_one &in, const char *src, int64_t i) {
    return in.from == GTR_U8 ? fmaf(in.scale, (float)((const unsigned char *)src)[i], in.shift)
        : ((const float *)src)[i];
}
// Where x is floats, and what the loss compares with.
static __device__ __noinline__ void gtr__res_take_floats(const gtr__res &s, float *pool, const gtr__res_head *h,
        int step, int rank, int precision) {
    const int64_t *origin = (const int64_t *)(pool + s.origin_at) + (step & 1) * s.rows * 16;
    const int warp = (int)threadIdx.x % GTR__RES_TEAM / 32, lane = (int)threadIdx.x & 31, k0 = rank * s.kr,
        columns = s.m.layer[0].k, kr = s.kr, xp = s.xp;
    const char *src = (const char *)(uintptr_t)h->record.src[s.m.x.slot];
    float *x = pool + s.x_at + (step & 1) * s.rows * 16 * xp;
#pragma unroll 1
    for (int r = warp; r < s.rows * 16; r += GTR__RES_WARPS) {
        const int64_t from = origin[r];
#pragma unroll 4
        for (int c = lane; c < kr; c += 32) {
            const float v = k0 + c < columns && from >= 0 ? gtr__res_source(s.m.x, src, from * columns + k0 + c) : 0.0f;
            x[r * xp + c] = precision == GTR__RES_TF32 ? gtr__res_ready<GTR__RES_TF32>(v)
                : precision == GTR__RES_BF16 ? gtr__res_ready<GTR__RES_BF16>(v) : v;
        }
    }
}
static __device__ __noinline__ void gtr__res_take_targets(const gtr__res &s, float *pool, const gtr__res_head *h,
        int step, int rank) {
    const int64_t *origin = (const int64_t *)(pool + s.origin_at) + (step & 1) * s.rows * 16;
    const gtr__feed_one &to = s.m.rest[s.target];
    const char *at = (const char *)(uintptr_t)h->record.src[to.slot];
    const int n = s.m.layer[s.m.layers - 1].n;
    for (int i = (int)threadIdx.x % GTR__RES_TEAM; i < 16 * GTR__RES_OUT; i += GTR__RES_TEAM) {
        const int r = rank * 16 + i / GTR__RES_OUT, c = i % GTR__RES_OUT;
        float v = 0.0f;
        if (r < s.m.batch && c < n) v = gtr__res_source(to, at, origin[r] * n + c);
        if (to.to.t == GTR_BF16) v = gtr__rounded(GTR_BF16, v);
        pool[s.target_at + (step & 1) * 16 * GTR__RES_OUT + i] = v;
    }
}
// Behind a barrier since gtr__res_ask, and before one. What lies in the rows of no sample, and in k beyond the last,
// stays finite: it is multiplied by zeros.
template <int P>
static GTR__DEVICE void gtr__res_take(const gtr__res &s, float *pool, gtr__res_head *h, int step,
        int rank, const gtr__res_raw &raw) {
    const int64_t *offset = (const int64_t *)(pool + s.origin_at) + (2 + (step & 1)) * s.rows * 16;
    const int tid = gtr__res_thread(), par = step & 1, k0 = rank * s.kr, columns = s.m.layer[0].k;
    const char *src = (const char *)(uintptr_t)h->record.src[s.m.x.slot];
    float *x = pool + s.x_at + par * s.rows * 16 * s.xp;
    gtr__copies_done<0>();
    if (!s.bytes) gtr__res_take_floats(s, pool, h, step, rank, P);
    // beyond lies what belongs to others
    else if (columns % 4 || (uintptr_t)src % 4)
        gtr__res_move_words(x, s.xp, src, offset, columns - k0 < s.kr ? columns - k0 : s.kr, s.m.batch);
    if (s.m.loss == GTR__OP_XENT_STEP) {
        if (tid < s.rows * 16) ((int *)pool)[s.label_at + par * s.rows * 16 + tid] = raw.label;
        if (tid < s.m.batch && raw.label != s.m.xent.ignore) atomicAdd(&h->all[par], 1);
    } else if (rank < s.rows) gtr__res_take_targets(s, pool, h, step, rank);
    if (tid < (int)(sizeof(gtr__rates) / 4)) ((float *)&h->rate[par])[tid] = raw.rate;
}

// >>resident-dropout
// Where element e of 16 rows lies, as fragments do.
static GTR__DEVICE int gtr__res_row(int e) { return (e >> 4 & 7) + (e & 2) * 4; }
static GTR__DEVICE int gtr__res_column(int e) { return (e >> 7) * 8 + (e >> 1 & 6) + (e & 1); }
static GTR__DEVICE int gtr__res_place(int r, int c) {
    return (c >> 3) * 128 + (r & 7) * 16 + (c & 6) * 2 + (r >> 3) * 2 + (c & 1);
}
// The op's masks of a rank's rows and a group's columns, drawn a step ahead by the second team and kept as factors. On
// the way back nobody draws: what was dropped is -0.0 in what the activation's gradient reads, what was kept never is;
// and the factor of what was kept is in the loss's gradient, or in the first layer's sums.
static __device__ __noinline__ void gtr__res_masks(const gtr__res &s, float *pool, uint64_t step, int par,
        int group, int rank) {
    for (int l = 0; l < s.m.layers - 1; l++) {
        const gtr__res_layer &q = s.layer[l];
        const int fours = q.slice / 4;
        float *to = pool + q.drop_at + par * 16 * q.slice;
        for (int i = (int)threadIdx.x % GTR__RES_TEAM; i < 16 * fours && s.drops >> l & 1; i += GTR__RES_TEAM) {
            const int r = i / fours, c = (i - r * fours) * 4;
            uint32_t u[4];
            GTR__COUNTER(u, step, rank * 16 + r, group * q.slice + c);
            GTR__PHILOX(u, q.key);
#pragma unroll
            for (int k = 0; k < 4; k++) to[gtr__res_place(r, c + k)] = GTR__UNIFORM(u[k]) >= q.drop ? q.scale : 0.0f;
        }
    }
}
// An output, and what the activation's gradient reads.
template <int P> static GTR__DEVICE void gtr__res_dropped(float factor, float &out, float &saved) {
    out = factor != 0.0f ? gtr__res_low<P>(out * factor) + 0.0f : -0.0f;
    saved = factor != 0.0f ? saved + 0.0f : -0.0f;
}

// >>resident-middle
// A warp's 16 rows to its place in red (warps, tiles, 32, 4).
template <int MOST>
static GTR__DEVICE void gtr__res_spill(float *red, const float (*acc)[4], int tiles) {
    float *to = red + gtr__res_thread() / 32 * tiles * 128 + gtr__res_lane() * 4;
#pragma unroll
    for (int j = 0; j < MOST; j++) if (j < tiles)
        *(float4 *)(to + j * 128) = make_float4(acc[j][0], acc[j][1], acc[j][2], acc[j][3]);
}
static GTR__DEVICE void gtr__res_keep(float *to, const uint4 &v) {
    *(float4 *)to = gtr__word_numbers(v);
}
// red = a (16, width) w^T: a's words are awaited, 16 of k at a time, four of them a lane's;
// keep: where they go as well.
template <int P, int TILES>
static GTR__DEVICE void gtr__res_product(float *red, const uint32_t *a, int width, const float *w,
        int pitch, int tiles, float *keep, int keep_pitch, gtr__waiting &awaited) {
    const int warp = gtr__res_thread() / 32, lane = gtr__res_lane(), g = lane >> 2, t = lane & 3, steps = width / 16;
    width = gtr__res_opaque(width); pitch = gtr__res_opaque(pitch); keep_pitch = gtr__res_opaque(keep_pitch);
    float acc[2][TILES][4] = {};
    w += g * pitch + 4 * t;
    a += g * width + 4 * t;
#pragma unroll 1
    for (int s0 = warp; s0 < steps; s0 += 2 * GTR__RES_WARPS) {
        uint4 v[4];
        float4 b[2][2];         // of the first two tiles, loaded ahead
        const int n = s0 + GTR__RES_WARPS < steps ? 4 : 2;
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 2; j++) b[i][j] = *(const float4 *)(
                w + (j < tiles ? j * 8 * pitch : 0) + (s0 + (2 * i < n ? i * GTR__RES_WARPS : 0)) * 16);
        auto at = [&](int i) { return a + (i & 1) * 8 * width + (s0 + (i >> 1) * GTR__RES_WARPS) * 16; };
        if (n == 4) gtr__await_words<4>(v, 4, awaited, at);
        else {
            gtr__await_words<2>(v, 2, awaited, at);
            v[2] = v[0]; v[3] = v[1];
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            if (2 * i >= n) continue;
            const int k = (s0 + i * GTR__RES_WARPS) * 16;
            if (keep) {
                gtr__res_keep(keep + g * keep_pitch + 4 * t + k, v[2 * i]);
                gtr__res_keep(keep + (g + 8) * keep_pitch + 4 * t + k, v[2 * i + 1]);
            }
            const float first[4] = { gtr__res_operand<P>(v[2 * i].x), gtr__res_operand<P>(v[2 * i + 1].x),
                gtr__res_operand<P>(v[2 * i].y), gtr__res_operand<P>(v[2 * i + 1].y) };
            const float second[4] = { gtr__res_operand<P>(v[2 * i].z), gtr__res_operand<P>(v[2 * i + 1].z),
                gtr__res_operand<P>(v[2 * i].w), gtr__res_operand<P>(v[2 * i + 1].w) };
#pragma unroll
            for (int j = 0; j < TILES; j++) if (j < tiles) {
                const float4 u = j < 2 ? b[i][j] : *(const float4 *)(w + j * 8 * pitch + k);
                const float b0[2] = { u.x, u.y }, b1[2] = { u.z, u.w };
                gtr__res_mma<P>(acc[i][j], first, b0);
                gtr__res_mma<P>(acc[i][j], second, b1);
            }
        }
    }
#pragma unroll
    for (int j = 0; j < TILES; j++)
#pragma unroll
        for (int e = 0; e < 4; e++) acc[0][j][e] += acc[1][j][e];
    gtr__res_spill<TILES>(red, acc[0], tiles);
}
// acc += two tiles of d, as they came out of a product, by w's rows: columns 2 t and 2 t + 1 of a
// tile stand for t and t + 4.
template <int P, int TILES>
static GTR__DEVICE void gtr__res_onward(float (*acc)[4], const float (*d)[4], const float *w,
        int pitch, int tiles) {
    pitch = gtr__res_opaque(pitch);
    const int lane = gtr__res_lane(), g = lane >> 2, t = lane & 3;
#pragma unroll
    for (int u = 0; u < 2; u++) {
        const float a[4] = { gtr__res_ready<P>(d[u][0]), gtr__res_ready<P>(d[u][2]), gtr__res_ready<P>(d[u][1]),
            gtr__res_ready<P>(d[u][3]) };
        const float *q = w + (u * 8 + 2 * t) * pitch + g;
#pragma unroll
        for (int j = 0; j < TILES; j++) if (j < tiles) {
            const float b[2] = { q[j * 8], q[pitch + j * 8] };
            gtr__res_mma<P>(acc[j], a, b);
        }
    }
}
// The warps' sums of an element, in order; a warp without work has left zeros.
static GTR__DEVICE float gtr__res_total(const float *p, int far) {
    float v[GTR__RES_WARPS];
#pragma unroll
    for (int w = 0; w < GTR__RES_WARPS; w++) v[w] = p[w * far];
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}
// Of one or two elements side by side.
template <int W> static GTR__DEVICE void gtr__res_totals(float (&v)[W], const float *p, int far) {
    if constexpr (W == 1) v[0] = gtr__res_total(p, far);
    else {
        float2 u[GTR__RES_WARPS];
#pragma unroll
        for (int w = 0; w < GTR__RES_WARPS; w++) u[w] = *(const float2 *)(p + w * far);
        v[0] = ((u[0].x + u[1].x) + (u[2].x + u[3].x)) + ((u[4].x + u[5].x) + (u[6].x + u[7].x));
        v[1] = ((u[0].y + u[1].y) + (u[2].y + u[3].y)) + ((u[4].y + u[5].y) + (u[6].y + u[7].y));
    }
}
// an activation's number (or -1), and this and 1 more: dropout is behind it, and it is not ReLU
#define GTR__RES_DROPS 1024
// Activations other than ReLU by calls: their code between all else costs it registers.
static __device__ __noinline__ float gtr__res_other_act(int act, float v, float a, float b) {
    if (act >= GTR__RES_DROPS) act -= GTR__RES_DROPS + 1;
    return gtr__mlp_act4(act, make_float4(v, 0.0f, 0.0f, 0.0f), a, b).x;
}
static __device__ __noinline__ float4 gtr__res_other_dact4(int act, float4 dy, float4 saved, float a, float b) {
    const bool drops = act >= GTR__RES_DROPS;
    if (drops) act -= GTR__RES_DROPS + 1;
    if (act >= 0) dy = gtr__mlp_dact4(act, dy, saved, a, b);
    if (drops && __float_as_uint(saved.x) == 0x80000000u) dy.x = 0.0f;
    if (drops && __float_as_uint(saved.y) == 0x80000000u) dy.y = 0.0f;
    if (drops && __float_as_uint(saved.z) == 0x80000000u) dy.z = 0.0f;
    if (drops && __float_as_uint(saved.w) == 0x80000000u) dy.w = 0.0f;
    return dy;
}
static GTR__DEVICE float gtr__res_dtanh(float dy, float y) { return dy * fmaf(-y, y, 1.0f); }
static GTR__DEVICE float gtr__res_act(const gtr__mlp_layer &L, float v) {
    if (L.act == GTR__OP_RELU) return v < 0 ? 0.0f : v;
    return gtr__res_other_act(L.act, v, L.act_a, L.act_b);
}
static GTR__DEVICE float gtr__res_dact(const gtr__mlp_layer &L, float dy, float saved) {
    if (L.act == GTR__OP_RELU) return saved > 0 ? dy : 0.0f;
    if (L.act == GTR__OP_TANH) return gtr__res_dtanh(dy, saved);
    return gtr__res_other_dact4(L.act, make_float4(dy, 0.0f, 0.0f, 0.0f), make_float4(saved, 1.0f, 1.0f, 1.0f),
        L.act_a, L.act_b).x;
}
// Which fours of words a block holds: layer, row and column (row -1: biases); where they are published (from the first
// layer's on), where they lie.
template <typename F> static GTR__DEVICE void gtr__res_held(const gtr__res &s, int group, F visit) {
    int base = 0;
    for (int l = 1; l < s.m.layers; l++) {
        const gtr__res_layer &q = s.layer[l], &before = s.layer[l - 1];
        const bool last = l == s.m.layers - 1;
        const int row = last ? 0 : group * q.slice, left = q.width - row,
            rows = last ? q.width : left < q.slice ? left > 0 ? left : 0 : q.slice;
        const int across = before.width / 4, column = group * before.slice,
            wide = before.width - column < before.slice ? before.width - column : before.slice;
        const int w = (int)(q.w - s.layer[1].w), b = (int)(q.b - s.layer[1].w);
        for (int i = (int)threadIdx.x; i < rows * across; i += GTR__RES_T) {
            const int r = i / across, c = (i - r * across) * 4;
            visit(base + i, l, row + r, c, w + (row + r) * before.width + c, q.forward_at + r * q.forward_pitch + c);
        }
        base += rows * across;
        for (int i = (int)threadIdx.x; i < rows / 4; i += GTR__RES_T)
            visit(base + i, l, -1, row + i * 4, b + row + i * 4, q.bias_at + i * 4);
        base += rows / 4;
        if (last || wide <= 0) continue;
        for (int i = (int)threadIdx.x; i < q.width * (wide / 4); i += GTR__RES_T) {
            const int r = i / (wide / 4), c = (i - r * (wide / 4)) * 4;
            visit(base + i, l, r, column + c, w + r * before.width + column + c, q.back_at + r * q.back_pitch + c);
        }
        base += q.width * (wide / 4);
    }
    for (int i = base + (int)threadIdx.x; i < s.units; i += GTR__RES_T) visit(i, 0, 0, 0, 0, -1);
}
// Awaits them as step `from` has updated them, to shared memory.
static GTR__DEVICE void gtr__res_weights(const gtr__res &s, float *pool, int from,
        gtr__waiting &awaited) {
    const int tid = gtr__res_thread();
    const uint32_t tag = awaited.tag, *unit = (const uint32_t *)pool + s.unit_at + tid,
        *w = s.layer[1].w + (from & 1) * s.renewed;
    awaited.tag = from >> 1 & 1;
#pragma unroll 1
    for (int u = tid; u < s.units; u += GTR__RES_ASKED * GTR__RES_TEAM) {
        uint4 v[GTR__RES_ASKED];
        uint32_t where[GTR__RES_ASKED];
        const int n = (s.units - u + GTR__RES_TEAM - 1) / GTR__RES_TEAM;
#pragma unroll
        for (int i = 0; i < GTR__RES_ASKED; i++) where[i] = i < n ? unit[i * GTR__RES_TEAM] : 0xffff0000u;
        gtr__await_words<GTR__RES_ASKED, true>(v, n, awaited, [&](int i) { return w + (where[i] & 0xffffu) * 4; });
#pragma unroll
        for (int i = 0; i < GTR__RES_ASKED; i++)
            if (where[i] >> 16 != 0xffffu) gtr__res_keep(pool + (where[i] >> 16) * 4, v[i]);
        unit += GTR__RES_ASKED * GTR__RES_TEAM;
    }
    awaited.tag = tag;
}
// The loss of a rank's rows from the last layer's sums, 16 threads a row. What does not hang on the sums is there
// before; what nobody waits for is done later.
template <int TILES> struct gtr__res_losing {
    float v[TILES / 2], dx[TILES / 2], g, share;
    int label;
    bool counts, bad;
};
template <int P, int TILES>
static GTR__DEVICE void gtr__res_lose(const gtr__res &s, const float *pool, const gtr__res_head *h,
        int rank, int par, float scale, gtr__res_losing<TILES> &q) {
    const int row = rank * 16 + gtr__res_thread() / 16, all = h->all[par];
    const gtr__xent &x = s.m.xent;
    q.label = s.m.loss == GTR__OP_XENT_STEP ? ((const int *)pool)[s.label_at + par * s.rows * 16 + row] : 0;
    q.counts = row < s.m.batch && q.label != x.ignore;
    q.bad = q.counts && (q.label < 0 || q.label >= s.m.layer[s.m.layers - 1].n);
    q.share = h->share;
    q.g = s.m.loss != GTR__OP_XENT_STEP ? gtr__pair_slope(s.m.pair)
        : all ? x.seed * scale * gtr__res_inverse<P>((float)all) : 0.0f;
    if (q.bad) q.g = NAN;
}
// The gradient, to d.
template <int P, int LAST, int TILES>
static GTR__DEVICE void gtr__res_loss(const gtr__res &s, float *pool, const float *red, float *d,
        int pitch, int rank, int par, gtr__res_losing<TILES> &q) {
    const int tid = gtr__res_thread(), lane = tid & 15, r = tid / 16, last = LAST ? LAST : s.m.layers - 1,
        n = s.m.layer[last].n, width = s.layer[last].width;
    float *left = pool + s.left_at + r * GTR__RES_OUT + lane;
#pragma unroll
    for (int i = 0; i < TILES / 2; i++) {
        const int c = lane + i * 16;
        q.v[i] = q.dx[i] = 0.0f;
        if (i * 16 < n && c < n) q.v[i] =
            gtr__res_low<P>(gtr__res_total(red + gtr__res_place(r, c), width * 16) + pool[s.layer[last].bias_at + c]);
    }
    if (s.m.loss == GTR__OP_XENT_STEP) {
        // rest: of the sum of exponentials, but for one of the greatest
        float ones = 0.0f, e[TILES / 2], top = -INFINITY, rest = 0.0f;
#pragma unroll
        for (int i = 0; i < TILES / 2; i++) if (lane + i * 16 < n) top = fmaxf(top, q.v[i]);      // but for NaN
        top = gtr__warp_max<8>(top);
#pragma unroll
        for (int i = 0; i < TILES / 2; i++) {
            const bool greatest = q.v[i] == top, in = i * 16 < n && lane + i * 16 < n;
            // not finite where the greatest is not, or where there is a NaN
            e[i] = in ? gtr__res_exp<P>(q.v[i] - top) : 0.0f;
            ones += in && greatest ? 1.0f : 0.0f;
            rest += in && greatest && fabsf(top) != INFINITY ? 0.0f : e[i];
        }
#pragma unroll
        for (int o = 8; o; o >>= 1) {
            ones += __shfl_xor_sync(0xffffffffu, ones, o);
            rest += __shfl_xor_sync(0xffffffffu, rest, o);
        }
        const float whole = gtr__res_inverse<P>(rest + ones);
        if (lane == 0) {
            left[16 * GTR__RES_OUT - r * GTR__RES_OUT + r] = top;
            left[16 * GTR__RES_OUT - r * GTR__RES_OUT + 16 + r] = rest + (ones - 1.0f);
        }
#pragma unroll
        for (int i = 0; i < TILES / 2; i++) {
            const int c = lane + i * 16;
            if (i * 16 < n && q.counts && c < n) q.dx[i] =
                gtr__res_low<P>(q.g * (e[i] * whole - q.share - (c == q.label ? 1.0f - s.m.xent.smooth : 0.0f)));
            if (i * 16 < width && c < width) {
                d[r * pitch + c] = q.dx[i] * s.layer[last - 1].scale; left[i * 16] = q.v[i];
            }
        }
    } else {
        const float *to = pool + s.target_at + par * 16 * GTR__RES_OUT + r * GTR__RES_OUT;
#pragma unroll
        for (int i = 0; i < TILES / 2; i++) {
            const int c = lane + i * 16;
            if (i * 16 < n && rank * 16 + r < s.m.batch && c < n) {
                const bool square = s.m.loss == GTR__OP_MSE;
                q.dx[i] = gtr__res_low<P>(gtr__pair_dx(square, q.g, q.v[i], to[c]));
                q.v[i] = gtr__pair_term(square, q.v[i], to[c]);
            } else q.v[i] = 0.0f;
            if (i * 16 < width && c < width) {
                d[r * pitch + c] = q.dx[i] * s.layer[last - 1].scale; left[i * 16] = q.v[i];
            }
        }
    }
}
// What the loss's figures are made of, left by the threads that made the gradient: GTR__RES_OUT numbers a row, then the
// greatest and the rest of the sum. A row's share of the loss, to h, and to bad whether it is finite: the second team,
// when nobody waits for it.
static GTR__DEVICE void gtr__res_publish_loss(const gtr__res &s, const float *pool, gtr__res_head *h,
        int rank, int step, uint32_t *bad) {
    const int tid = gtr__res_thread(), lane = tid & 15, r = tid / 16, par = step & 1, n = s.m.layer[s.m.layers - 1].n,
        row = rank * 16 + r, at = s.left_at;
    const float *left = pool + at + r * GTR__RES_OUT + lane;
    float loss = 0.0f, v[2];
    int tally = 0;              // counted, right << 8, labelled << 16
#pragma unroll
    for (int i = 0; i < 2; i++) v[i] = lane + i * 16 < n ? left[i * 16] : 0.0f;
    if (s.m.loss == GTR__OP_XENT_STEP) {
        const gtr__xent &x = s.m.xent;
        const float top = pool[at + 16 * GTR__RES_OUT + r], log_sum = log1pf(pool[at + 16 * GTR__RES_OUT + 16 + r]);
        const int label = ((const int *)pool)[s.label_at + par * s.rows * 16 + row];
        const bool counts = row < s.m.batch && label != x.ignore;
        float sum_of = 0.0f;
        int where = n;          // the first of the greatest; -1: there is a NaN
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int c = lane + i * 16;
            if (c >= n) continue;
            sum_of += v[i] - top;
            if (v[i] != v[i]) where = -1;
            else if (v[i] == top && c < where) where = c;
            if (c == label && counts && x.smooth < 1.0f) loss = (1.0f - x.smooth) * (log_sum - (v[i] - top));
        }
#pragma unroll
        for (int o = 8; o; o >>= 1) {
            if (x.smooth > 0.0f) sum_of += __shfl_xor_sync(0xffffffffu, sum_of, o);
            const int other = __shfl_xor_sync(0xffffffffu, where, o);
            where = where < other ? where : other;
        }
        if (lane == 0 && counts) {
            if (x.smooth > 0.0f) loss += x.smooth * (log_sum - sum_of / (float)x.n);
            if (label < 0 || label >= n) loss = NAN;
            tally = 1;
        }
        if (row < s.m.batch && lane == 0 && s.m.accuracy.p && label >= 0) tally |= 1 << 16 | (where == label) << 8;
    } else loss = v[0] + v[1];
    loss = gtr__warp_sum<8>(loss);
    if (lane) return;
    h->scratch[r] = loss; h->counts[r] = tally;
    // so that the sum of all rows is finite; a mean of none is not
    if (!(fabsf(loss) * (float)(16 * s.rows) <= 3.4e38f) || (s.m.loss == GTR__OP_XENT_STEP && !h->all[par]))
        atomicOr(bad, 2u);
}
// Publishes the loss of a rank's rows, counted, right and labelled ones, for the reporting block. Behind a barrier.
static GTR__DEVICE void gtr__res_figures(const gtr__res &s, const gtr__res_head *h, int rank, int step) {
    const int tid = gtr__res_thread();
    if (tid >= 32) return;
    const float loss = gtr__warp_sum(tid < 16 ? h->scratch[tid] : 0.0f);
    int tally = tid < 16 ? h->counts[tid] : 0;
    tally = gtr__warp_sum<8>(tally);
    if (tid == 0) gtr__publish4(s.loss + (step * s.ranks + rank) * 4, loss, (float)(tally & 255),
        (float)(tally >> 8 & 255), (float)(tally >> 16 & 255), 0);
}

// >>resident-update
// the k-th tile of a block; the number of tiles: none
static GTR__DEVICE int gtr__res_tile(const gtr__res &s, int block, int k) {
    const int workers = s.groups * s.ranks, tile = block < workers ? block + k * workers
        : s.theirs + (block - workers) + k * s.spare;
    return tile < (block < workers ? s.theirs : s.tasks) ? tile : s.tasks;
}
// others have nothing else
static GTR__DEVICE int gtr__res_tile_at(const gtr__res &s, int block) {
    return block < s.groups * s.ranks ? s.tile_at : 0;
}
// A further layer's tile of dw = dz^T h, 16 x 16, and db where it is the first along k; then the update, whose outcome
// is published. A team's. It is made before all know of the step before, so that there are three
// sets of weights and moments.
#define GTR__RES_TILE (3 * 3 * (256 + 16))
// The update of one of a block's tiles from its gradient, whose parts are in a team's registers;
// its outcome is published.
template <int P>
static GTR__DEVICE void gtr__res_tile_update(const gtr__res &s, float *pool, gtr__res_head *h, int block,
        int at, int step, bool last, const float (*acc)[4], float *db, uint32_t mark) {
    const int tid = gtr__res_thread(), warp = tid / 32, lane = tid & 31, g = lane >> 2, t = lane & 3, par = step & 1,
        r = tid >> 4, c = tid & 15;
    float *red = pool + s.red_at + 2 * gtr__res_team() * s.red_words;
    const int l = h->tile[at].layer, n0 = h->tile[at].n0, k0 = h->tile[at].k0;
    const gtr__res_layer &q = s.layer[l];
    const gtr__mlp_layer &L = s.m.layer[l];
    const bool there = n0 + r < L.n && k0 + c < L.k, sent = n0 + r < q.width;
    uint32_t *to = q.w + par * s.renewed + (n0 + r) * s.layer[l - 1].width + k0 + c;
    float *state = pool + gtr__res_tile_at(s, block) + at * GTR__RES_TILE + tid,
        *now = state + (step + 1) % 3 * 3 * 272;
    const float *old = state + step % 3 * 3 * 272;
    const gtr__rule rule = gtr__res_rule(h, step, h->segment[2 * l].group);
    float p = old[0], a = old[272], b = old[544];
    gtr__res_spill<2>(red, acc, 2);
    gtr__res_sync();
    if (there) {
        const float v =
            gtr__res_total(red + (c & 1) * 128 + (r >> 1) * 16 + (c >> 2) * 4 + (r & 1) * 2 + (c >> 1 & 1), 256);
        if (s.m.checks && gtr__res_infinite(v)) { mark |= 2; atomicOr(&h->own[gtr__res_team()][par], 2u); }
        gtr__apply<gtr__res_adapt, 1>(rule, &p, &v, &a, &b);
        if (last) L.dw[(int64_t)(n0 + r) * L.k + k0 + c] = v;
    } else p = 0.0f;
    if (sent) gtr__publish(to, gtr__word_pack(gtr__res_ready<P>(p), mark));
    if (there) { now[0] = p; now[272] = a; now[544] = b; }
    if (k0 == 0) {          // the biases' sums are kept for later
#pragma unroll
        for (int e = 0; e < 2; e++) {
            db[e] = gtr__warp_sum<2>(db[e]);
            if (t == 0) red[2048 + at * 128 + warp * 16 + 2 * g + e] = db[e];
        }
    }
}
// The operands of N tiles are awaited before the first is updated: else whoever awaits the last
// one's weights waits for all.
template <int P, int N>
static GTR__DEVICE void gtr__res_tiles(const gtr__res &s, float *pool, gtr__res_head *h, int block,
        int first, int each, int step, bool last, bool waits) {
    const int tid = gtr__res_thread(), warp = tid / 32, lane = tid & 31, g = lane >> 2, t = lane & 3, par = step & 1,
        total = s.rows * 16;
    const int row = par * total + (warp < 2 * s.rows ? warp * 8 : 0) + t;
    gtr__waiting awaited = { (uint32_t)step >> 1 & 1, 0, s.m.hurry };
#pragma unroll 1
    for (int k = first; k < h->tiles; k += N * each) {
        // columns 2 g and 2 g + 1 stand for g and g + 8, those of h for a tile each; what has been there
        // for long is awaited first
        const uint32_t *z[N], *y[N];
        int pz[N], ph[N];
#pragma unroll
        for (int j = 0; j < N; j++) {           // those beyond the last are the first again
            const int at = k + j * each < h->tiles ? k + j * each : k, l = h->tile[at].layer, n0 = h->tile[at].n0;
            pz[j] = gtr__res_opaque(s.layer[l].width); ph[j] = gtr__res_opaque(s.layer[l - 1].width);
            z[j] = (l == s.m.layers - 1 ? s.dl : s.layer[l].dz) + row * pz[j] + (n0 + 2 * g < pz[j] ? n0 + 2 * g : 0);
            y[j] = s.layer[l - 1].h + row * ph[j] + h->tile[at].k0 + 2 * g;
        }
        float acc[N][2][4] = {}, db[N][2] = {};
#pragma unroll 1
        for (int r0 = warp; r0 < 2 * s.rows; r0 += 2 * GTR__RES_WARPS) {
            const int n = r0 + GTR__RES_WARPS < 2 * s.rows ? 4 : 2;
            uint2 u[N][4], v[4];
#pragma unroll
            for (int j = 0; j < N; j++)
                gtr__await_words<4>(u[j], n, awaited, [&](int i) {
                    return y[j] + ((i >> 1) * GTR__RES_WARPS * 8 + (i & 1) * 4) * ph[j];
                });
            // polls in vain take bandwidth from other blocks
            if (waits) gtr__res_bar(GTR__RES_DONE, GTR__RES_T);
            waits = false;
#pragma unroll
            for (int j = 0; j < N; j++) {
                gtr__await_words<4>(v, n, awaited, [&](int i) {
                    return z[j] + ((i >> 1) * GTR__RES_WARPS * 8 + (i & 1) * 4) * pz[j];
                });
                z[j] += 2 * GTR__RES_WARPS * 8 * pz[j]; y[j] += 2 * GTR__RES_WARPS * 8 * ph[j];
#pragma unroll
                for (int i = 0; i < 4; i += 2) {
                    if (i >= n) continue;
                    const float f[4] = { gtr__word_number(v[i].x), gtr__word_number(v[i].y),
                        gtr__word_number(v[i + 1].x), gtr__word_number(v[i + 1].y) };
                    db[j][0] += gtr__res_exact<P>(f[0]) + gtr__res_exact<P>(f[2]);
                    db[j][1] += gtr__res_exact<P>(f[1]) + gtr__res_exact<P>(f[3]);
                    const float b0[2] = { gtr__res_operand<P>(u[j][i].x), gtr__res_operand<P>(u[j][i + 1].x) },
                        b1[2] = { gtr__res_operand<P>(u[j][i].y), gtr__res_operand<P>(u[j][i + 1].y) };
                    gtr__res_mma<P>(acc[j][0], f, b0);
                    gtr__res_mma<P>(acc[j][1], f, b1);
                }
            }
        }
        if (waits) gtr__res_bar(GTR__RES_DONE, GTR__RES_T);     // warps without rows
        waits = false;
#pragma unroll
        for (int j = 0; j < N; j++) {
            const int at = k + j * each;
            if (at >= h->tiles) continue;
            gtr__res_tile_update<P>(s, pool, h, block, at, step, last, acc[j], db[j], awaited.tag);
            if (at + each < h->tiles) gtr__res_sync();
        }
    }
    if (waits) gtr__res_bar(GTR__RES_DONE, GTR__RES_T);
    if (awaited.turns >= GTR__DEADLINE) atomicOr(s.flag, 2u);
}
// Their biases, of which there are few: behind all that others wait for, and a barrier.
template <int P>
static GTR__DEVICE void gtr__res_tile_biases(const gtr__res &s, float *pool, gtr__res_head *h, int block,
        int first, int each, int step, bool last) {
    const int r = gtr__res_thread(), par = step & 1;
    const float *red = pool + s.red_at + 2 * gtr__res_team() * s.red_words + 2048;
#pragma unroll 1
    for (int k = first; k < h->tiles; k += each) {
        const int l = h->tile[k].layer, n = h->tile[k].n0 + r;
        const gtr__mlp_layer &L = s.m.layer[l];
        if (h->tile[k].k0 || r >= 16 || n >= s.layer[l].width) continue;
        uint32_t mark = (uint32_t)step >> 1 & 1;
        float p = 0.0f;
        if (L.db && n < L.n) {
            float *state = pool + gtr__res_tile_at(s, block) + k * GTR__RES_TILE + 256 + r,
                *now = state + (step + 1) % 3 * 3 * 272;
            const float *old = state + step % 3 * 3 * 272, v = gtr__res_total(red + k * 128 + r, 16);
            float a = old[272], b = old[544];
            p = old[0];
            if (s.m.checks && gtr__res_infinite(v)) { mark |= 2; atomicOr(&h->own[gtr__res_team()][par], 2u); }
            gtr__apply<gtr__res_adapt, 1>(gtr__res_rule(h, step, h->segment[2 * l + 1].group), &p, &v, &a, &b);
            now[0] = p; now[272] = a; now[544] = b;
            if (last) L.db[n] = v;
        }
        gtr__publish(s.layer[l].b + par * s.renewed + n, gtr__word_pack(gtr__res_low<P>(p), mark));
    }
}
// Of k that are multiplied at once: all, where they are known; few of float32's, whose products are long.
template <int P, int CUT>
static __device__ constexpr int gtr__res_turn() {
    return CUT ? (int)gtr__res_known<CUT>::KR : P == GTR__RES_FP32 ? 32 : 64;
}
// acc += 16 rows of x by w's rows, so many of k: lane t has four of k, for two products. x is there before w, which the
// first call waits for; loads are issued one round ahead, as those that wait for each other cost most here.
template <int P, int CUT>
static GTR__DEVICE void gtr__res_forward(float (*acc)[2][4], const float *p, int xp, const float *q,
        int kp, int left, int units, float scale, bool wait) {
    constexpr int TILES = gtr__res_known<CUT>::TILES, turns = gtr__res_turn<P, CUT>() / 32;
    if (!CUT) { xp = gtr__res_opaque(xp); kp = gtr__res_opaque(kp); }
    uint32_t lo[2 * turns], hi[2 * turns];
    float4 w[2][2][2];
#pragma unroll
    for (int i = 0; i < 2 * turns; i++) {
        lo[i] = i * 16 < left ? *(const uint32_t *)(p + i * 4) : 0;
        hi[i] = i * 16 < left ? *(const uint32_t *)(p + 8 * xp + i * 4) : 0;
    }
    if (wait) gtr__res_sync();
    auto fetch = [&](int i) {       // beyond the end: of what lies there, by 0
#pragma unroll
        for (int k = 0; k < 2; k++)
#pragma unroll
            for (int j = 0; j < 2; j++)
                w[i & 1][k][j] = *(const float4 *)(q + (j < units ? j * 8 * kp : 0) + (2 * i + k) * 16);
    };
    fetch(0);
#pragma unroll
    for (int i = 0; i < turns; i++) {
        if (i * 32 >= left) break;
        if (i + 1 < turns) fetch(i + 1);
#pragma unroll
        for (int k = 0; k < 2; k++) {
            float a[2][4];
#pragma unroll
            for (int e = 0; e < 8; e++)
                a[e >> 2][e & 3] = gtr__res_byte<P>(e & 1 ? hi[2 * i + k] : lo[2 * i + k], e >> 1, scale);
#pragma unroll
            for (int j = 0; j < TILES; j++) if (j < units) {
                const float4 b = j < 2 ? w[i & 1][k][j & 1] : *(const float4 *)(q + j * 8 * kp + (2 * i + k) * 16);
                const float b0[2] = { b.x, b.y }, b1[2] = { b.z, b.w };
                gtr__res_mma<P>(acc[j][0], a[0], b0);
                gtr__res_mma<P>(acc[j][1], a[1], b1);
            }
        }
    }
}
// The same where x lies as floats.
template <int P, int TILES>
static GTR__DEVICE void gtr__res_forward_floats(float (*acc)[2][4], const float *p, int xp,
        const float *q, int kp, int kr, int units) {
#pragma unroll 1
    for (int k = 0; k < kr; k += 16) {
        const float4 lo = *(const float4 *)(p + k), hi = *(const float4 *)(p + 8 * xp + k);
        const float a0[4] = { lo.x, hi.x, lo.y, hi.y }, a1[4] = { lo.z, hi.z, lo.w, hi.w };
#pragma unroll
        for (int j = 0; j < TILES; j++) if (j < units) {
            const float4 b = *(const float4 *)(q + j * 8 * kp + k);
            const float b0[2] = { b.x, b.y }, b1[2] = { b.z, b.w };
            gtr__res_mma<P>(acc[j][0], a0, b0);
            gtr__res_mma<P>(acc[j][1], a1, b1);
        }
    }
}
// Publishes x w of a block's columns and k for the owners of the rows: a warp makes 16 rows. Waits for its team.
template <int P, int CUT>
static GTR__DEVICE void gtr__res_parts(const gtr__res &s, const float *pool, const gtr__res_head *h,
        int group, int rank, int step, uint32_t tag) {
    constexpr int TILES = gtr__res_known<CUT>::TILES;
    const int warp = gtr__res_thread() / 32, lane = gtr__res_lane(), g = lane >> 2, t = lane & 3, par = step & 1,
        units = gtr__res_slice<CUT>(s) / 8;
    const int xp = CUT ? (int)gtr__res_known<CUT>::XP : s.xp, kp = CUT ? (int)gtr__res_known<CUT>::KP : s.kp;
    const float scale = s.bytes ? s.m.x.scale : 1.0f, after = P == GTR__RES_BF16 ? 1.0f : scale,
        *x = pool + s.x_at + (par * s.rows * 16 + g) * (s.bytes ? xp : s.xp), *q = pool + s.w0_at + g * kp + 4 * t;
    uint32_t *to = s.part
        + (((par * s.rows + warp) * s.groups + group) * gtr__res_ranks<CUT>(s) + rank) * units * 128 + lane * 4;
    if (!s.bytes || warp >= s.rows) gtr__res_sync();
#pragma unroll 1
    for (int m = warp; m < s.rows; m += GTR__RES_WARPS) {
        float acc[TILES][2][4] = {};
        if (s.bytes)
#pragma unroll 1
            for (int k = 0; k < (CUT ? 1 : s.kr); k += gtr__res_turn<P, CUT>()) gtr__res_forward<P, CUT>(acc,
                x + m * 16 * xp + t + k / 4, xp, q + k, kp, s.kr - k, units, scale, m == warp && k == 0);
        else gtr__res_forward_floats<P, TILES>(acc, x + m * 16 * s.xp + 4 * t, s.xp, q, kp, s.kr, units);
        const uint32_t mark = tag | gtr__res_own(h, par ^ 1);
        uint32_t word[4];
#pragma unroll
        for (int j = 0; j < TILES; j++) if (j < units) {
#pragma unroll
            for (int e = 0; e < 4; e++) word[e] = gtr__word_pack((acc[j][0][e] + acc[j][1][e]) * after, mark);
            gtr__publish4(to + j * 128, make_uint4(word[0], word[1], word[2], word[3]));
        }
        if (CUT) break;
        to += GTR__RES_WARPS * s.groups * s.ranks * units * 128;
    }
}
// The biases of 4 FOURS of the first layer's columns, from c on, a lane each, from a step's dz: alike in each of a
// group's ranks that has rows. keeps: writes them; bad: 2 where a gradient is not finite.
template <int P, int FOURS>
static GTR__DEVICE float gtr__res_bias(const gtr__res &s, float *pool, const gtr__res_head *h, int group,
        int step, int c, bool keeps, bool last, uint32_t &bad) {
    const gtr__rule rule = gtr__res_rule(h, step, h->segment[1].group);
    const int lane = gtr__res_lane(), n = group * s.layer[0].slice + c + lane, par = step & 1,
        zp = gtr__res_opaque(s.zp), apart = 32 / FOURS, from = lane / 4 % FOURS;
    const float *z = pool + s.middle_at + lane / FOURS * zp + lane % FOURS * 4 + c,
        *old = pool + s.layer[0].bias_at + par * 96 + c + lane % (4 * FOURS);
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 4
    for (int r = 0; r < s.rows * 16; r += apart) {
        const float4 u = *(const float4 *)z;
        sum.x += gtr__res_exact<P>(u.x); sum.y += gtr__res_exact<P>(u.y); sum.z += gtr__res_exact<P>(u.z);
        sum.w += gtr__res_exact<P>(u.w);
        z += apart * zp;
    }
#pragma unroll 1                // side by side they take a step 1.4 us longer where one warp has them
    for (int o = FOURS; o < 32; o *= 2) sum = gtr__shuffle_add4(sum, o);
    sum.x = __shfl_sync(0xffffffffu, sum.x, from); sum.y = __shfl_sync(0xffffffffu, sum.y, from);
    sum.z = __shfl_sync(0xffffffffu, sum.z, from); sum.w = __shfl_sync(0xffffffffu, sum.w, from);
    const float v = s.db_scale * (lane & 2 ? (lane & 1 ? sum.w : sum.z) : lane & 1 ? sum.y : sum.x);
    if (lane >= 4 * FOURS || n >= s.m.layer[0].n) return 0.0f;
    float *now = pool + s.layer[0].bias_at + (par ^ 1) * 96 + c + lane, p = old[0], a = old[32], b = old[64];
    if (s.m.checks && gtr__res_infinite(v)) bad |= 2;
    gtr__apply<gtr__res_adapt, 1>(rule, &p, &v, &a, &b);
    if (keeps) { now[0] = p; now[32] = a; now[64] = b; }
    if (last) s.m.layer[0].db[n] = v;
    return p;
}
// acc += z^T x of 16 columns each: z's 2 g and 2 g + 1 stand for g and g + 8, x's even and odd ones are two products.
// 16 rows at a time, the next loaded ahead.
template <int P, bool BYTES, bool KNOWN>
static GTR__DEVICE void gtr__res_backward(float (*acc)[2][4], const float *z, int zp, const float *x,
        int xp, int steps, float scale) {
    if (!KNOWN) { zp = gtr__res_opaque(zp); xp = gtr__res_opaque(xp); }
    const int g = gtr__res_lane() >> 2;
    struct piece {
        float2 z[2][2], f[2][2];
        uint32_t u[2][2];
        GTR__DEVICE void get(const float *z_, int zp_, const float *x_, int xp_, int g_)
        {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                z[i >> 1][i & 1] = *(const float2 *)(z_ + i * 4 * zp_);
                if (BYTES) u[i >> 1][i & 1] = ((const uint16_t *)(x_ + i * 4 * xp_))[g_];
                else f[i >> 1][i & 1] = ((const float2 *)(x_ + i * 4 * xp_))[g_];
            }
        }
    } one, two;
    auto use = [&](const piece &now) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const float a[4] = { now.z[i][0].x, now.z[i][0].y, now.z[i][1].x, now.z[i][1].y };
            const float b0[2] = { BYTES ? gtr__res_byte<P>(now.u[i][0], 0, scale) : now.f[i][0].x,
                BYTES ? gtr__res_byte<P>(now.u[i][1], 0, scale) : now.f[i][1].x };
            const float b1[2] = { BYTES ? gtr__res_byte<P>(now.u[i][0], 1, scale) : now.f[i][0].y,
                BYTES ? gtr__res_byte<P>(now.u[i][1], 1, scale) : now.f[i][1].y };
            gtr__res_mma<P>(acc[i][0], a, b0);
            gtr__res_mma<P>(acc[i][1], a, b1);
        }
    };
    one.get(z, zp, x, xp, g);
#pragma unroll 1
    for (int r = 0; r < steps; r += 4) {        // of 8 rows; their number is even
        const bool more = r + 2 < steps;
        // or what lies behind, unused: half a definition would last the whole step
        two.get(z + 16 * zp, zp, x + 16 * xp, xp, g);
        use(one);
        z += 32 * zp; x += 32 * xp;
        if (r + 4 < steps) one.get(z, zp, x, xp, g);
        if (more) use(two);
    }
}
// A lane's weights and moments of a task: four of k in two rows; by row, step, kind.
struct gtr__res_kept {
    float4 p[2], a[2], b[2];
    GTR__DEVICE void get(const float4 *state, int par)
    {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const float4 *old = state + (i * 2 + par) * 96;
            p[i] = old[0]; a[i] = old[32]; b[i] = old[64];
        }
    }
};
static GTR__DEVICE void gtr__res_four(float *f, const float4 &v) {
    f[0] = v.x; f[1] = v.y; f[2] = v.z; f[3] = v.w;
}
// dw = dz^T x of the first layer's columns and the rank's k, and the update; the weights lie as products want them
// behind it. A warp makes 16 rows by 16 columns. What is no weight stays 0: there x or dz is. Who waits for all
// warps does so behind it.
// listen: awaits dz, and returns the marks; if there are any, nothing is updated.
template <int P, int CUT, typename F>
static GTR__DEVICE uint32_t gtr__res_first(const gtr__res &s, float *pool, gtr__res_head *h, int group,
        int rank, int step, bool last, F listen) {
    const gtr__mlp_layer &L = s.m.layer[0];
    const int warp = gtr__res_thread() / 32, lane = gtr__res_lane(), g = lane >> 2, t = lane & 3, par = step & 1;
    const int slice = gtr__res_slice<CUT>(s), pairs = (s.kr + 15) / 16, tasks = (slice + 15) / 16 * pairs;
    const int zp = CUT ? (int)gtr__res_known<CUT>::ZP : s.zp, xp = CUT ? (int)gtr__res_known<CUT>::XP : s.xp,
        kp = CUT ? (int)gtr__res_known<CUT>::KP : s.kp;
    const float scale = s.bytes ? s.m.x.scale : 1.0f, after = s.dw_scale;
    const gtr__rule rule = gtr__res_rule(h, step, h->segment[0].group);
    int row = 0, c = 0;
    const float *z = pool, *x = pool;
    float4 *state = (float4 *)pool, *w0 = state;
    auto place = [&](int u) {
        const int m = CUT == GTR__RES_NARROW ? 0 : u >= pairs, pair = u - m * pairs;
        row = m * 16 + 2 * g; c = pair * 16 + 4 * t;
        z = pool + s.middle_at + t * zp + m * 16 + 2 * g;
        x = pool + s.x_at + (par * s.rows * 16 + t) * (s.bytes ? xp : s.xp) + pair * (s.bytes ? 4 : 16);
        state = (float4 *)(pool + s.state_at) + u * 384 + lane; w0 = (float4 *)(pool + s.w0_at + row * kp + c);
    };
    place(warp);
    const uint32_t marks = listen();
    if (marks) return marks;
#pragma unroll 1
    for (int u = warp; u < tasks; u += GTR__RES_WARPS) {
        if (u != warp) place(u);
        float acc[2][2][4] = {};
        if (s.bytes) gtr__res_backward<P, true, CUT != 0>(acc, z, zp, x, xp, 2 * s.rows, scale);
        else gtr__res_backward<P, false, false>(acc, z, zp, x, s.xp, 2 * s.rows, scale);
        gtr__res_kept kept;
        kept.get(state, par);
        float v[8], p[8], a[8], b[8], none = 0.0f;          // none: or NaN, where one is not finite
#pragma unroll
        for (int i = 0; i < 2; i++) {
            gtr__res_four(p + i * 4, kept.p[i]); gtr__res_four(a + i * 4, kept.a[i]);
            gtr__res_four(b + i * 4, kept.b[i]);
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const int f = i * 2 + (e >> 1);
                v[i * 4 + e] = (acc[0][e & 1][f] + acc[1][e & 1][f]) * after;
                none = fmaf(v[i * 4 + e], 0.0f, none);
            }
        }
        gtr__apply<gtr__res_adapt, 8>(rule, p, v, a, b);
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const float *q = p + i * 4;
            if (row + i < slice) w0[i * kp / 4] = make_float4(gtr__res_ready<P>(q[0]), gtr__res_ready<P>(q[1]),
                gtr__res_ready<P>(q[2]), gtr__res_ready<P>(q[3]));
            float4 *now = state + (i * 2 + (par ^ 1)) * 96;
            now[0] = make_float4(q[0], q[1], q[2], q[3]);
            now[32] = make_float4(a[i * 4], a[i * 4 + 1], a[i * 4 + 2], a[i * 4 + 3]);
            now[64] = make_float4(b[i * 4], b[i * 4 + 1], b[i * 4 + 2], b[i * 4 + 3]);
        }
        if (none != 0.0f && s.m.checks) atomicOr(&h->own[0][par], 2u);
        if (last)
#pragma unroll 1
            for (int i = 0; i < 2; i++) {
                const int n = group * slice + row + i,
                    live = row + i < slice && n < L.n && c < s.kr ? L.k - rank * s.kr - c : 0;
#pragma unroll
                for (int e = 0; e < 4; e++) if (e < live)
                    L.dw[(int64_t)n * L.k + rank * s.kr + c + e] = i ? v[4 + e] : v[e];
            }
        if (CUT) break;
    }
    // the blocks with least to do
    if constexpr (CUT == GTR__RES_NARROW) if (L.db && warp == tasks % GTR__RES_WARPS) {
        uint32_t bad = 0;
        gtr__res_bias<P, 4>(s, pool, h, group, step, 0, true, last && rank == 0, bad);
        if (bad) atomicOr(&h->own[0][par], bad);
    }
    return 0;
}

// >>resident-kernel
// Weights and moments of this block, from device memory; what the launch leaves, back to it: visit(segment, index in
// it, elements that are there, whether it is this block that writes them, where they lie, distance to the moments).
// Fours of the first layer's, else ones.
template <typename F>
static GTR__DEVICE void gtr__res_each(const gtr__res &s, float *pool, const gtr__res_head *h, int block,
        int step, F visit) {
    const int workers = s.groups * s.ranks, group = block % s.groups, rank = block / s.groups, tid = (int)threadIdx.x,
        slice = s.layer[0].slice, third = step % 3;
    const gtr__mlp_layer &A = s.m.layer[0];
    if (block < workers) {
        const int pairs = (s.kr + 15) / 16, size = (slice + 15) / 16 * pairs * 64, k0 = rank * s.kr;
#pragma unroll 1
        for (int e = tid; e < size; e += GTR__RES_T) {
            const int u = e >> 6, m = u >= pairs, row = m * 16 + (e >> 2 & 7) * 2 + (e >> 5 & 1),
                n = group * slice + row, c = (u - m * pairs) * 16 + (e & 3) * 4;
            visit(0, (int64_t)n * A.k + k0 + c, row < slice && n < A.n && c < s.kr ? A.k - k0 - c : 0, 4, true,
                pool + s.state_at + ((e >> 5) * 2 + (step & 1)) * 384 + (e & 31) * 4, 128);
        }
        const int n = group * slice + tid;
        if (tid < 32) visit(1, n, tid < slice && n < A.n && A.db, 1, rank == 0,
            pool + s.layer[0].bias_at + (step & 1) * 96 + tid, 32);
    }
#pragma unroll 1
    for (int k = 0; k < h->tiles; k++) {
        const int l = h->tile[k].layer, n0 = h->tile[k].n0, k0 = h->tile[k].k0;
        const gtr__mlp_layer &L = s.m.layer[l];
        float *state = pool + gtr__res_tile_at(s, block) + k * GTR__RES_TILE + third * 3 * 272;
        if (tid >= 272) continue;
        const bool bias = tid >= 256;
        const int n = n0 + (bias ? tid - 256 : tid >> 4), c = k0 + (tid & 15);
        if (bias) visit(2 * l + 1, n, k0 == 0 && n < L.n && L.db, 1, true, state + tid, 272);
        else visit(2 * l, (int64_t)n * L.k + c, n < L.n && c < L.k, 1, true, state + tid, 272);
    }
}
static GTR__DEVICE void gtr__res_load(const gtr__res &s, float *pool, const gtr__res_head *h, int block,
        int precision) {
    auto low = [&](float v) { return precision == GTR__RES_BF16 ? gtr__res_low<GTR__RES_BF16>(v) : v; };
    auto ready = [&](float v) { return precision == GTR__RES_TF32 ? gtr__res_ready<GTR__RES_TF32>(v) : low(v); };
    const gtr__optim &o = s.m.optim;
    gtr__res_each(s, pool, h, block, 0, [&](int which, int64_t i, int there, int n, bool, float *p, int far) {
        const gtr__segment &z = h->segment[which];
        const float *a = o.state[0] + z.offset, *b = o.state[1] + z.offset;
        float v[3][4] = {};
#pragma unroll
        for (int e = 0; e < 4; e++) if (e < n && e < there) {
            v[0][e] = z.p[i + e];
            if (o.states > 0) v[1][e] = a[i + e];
            if (o.states > 1) v[2][e] = b[i + e];
        }
#pragma unroll
        for (int e = 0; e < 4; e++) if (e < n) { p[e] = v[0][e]; p[far + e] = v[1][e]; p[2 * far + e] = v[2][e]; }
    });
    if (block >= s.groups * s.ranks) return;
    const int group = block % s.groups, pairs = (s.kr + 15) / 16, size = (s.layer[0].slice + 15) / 16 * pairs * 64;
    gtr__res_held(s, group, [&](int u, int l, int r, int c, int from, int to) {         // what is where, first
        ((uint32_t *)pool)[s.unit_at + u] = (uint32_t)(from / 4) | (uint32_t)(to < 0 ? 0xffff : to / 4) << 16;
        if (to >= 0) *(int4 *)(pool + to) = make_int4(l, r, c, 0);
    });
    __syncthreads();
#pragma unroll 1
    for (int u = (int)threadIdx.x; u < s.units; u += 4 * GTR__RES_T) {          // then four at a time
        float v[4][4] = {}, *to[4];
        bool bias[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const uint32_t place = u + k * GTR__RES_T < s.units
                ? ((const uint32_t *)pool)[s.unit_at + u + k * GTR__RES_T] >> 16 : 0xffff;
            to[k] = place == 0xffff ? NULL : pool + place * 4;
            if (!to[k]) continue;
            const int4 at = *(const int4 *)to[k];
            const gtr__mlp_layer &L = s.m.layer[at.x];
            bias[k] = at.y < 0;
            const float *p = bias[k] ? L.db ? h->segment[2 * at.x + 1].p : NULL
                : at.y < L.n ? h->segment[2 * at.x].p + (int64_t)at.y * L.k : NULL;
            const int live = p ? (bias[k] ? L.n : L.k) - at.z : 0;
#pragma unroll
            for (int e = 0; e < 4; e++) if (e < live) v[k][e] = p[at.z + e];
        }
#pragma unroll
        for (int k = 0; k < 4; k++) if (to[k]) {
#pragma unroll
            for (int e = 0; e < 4; e++)
                to[k][e] = gtr__word_number(__float_as_uint(bias[k] ? low(v[k][e]) : ready(v[k][e])));
        }
    }
    __syncthreads();
    for (int e = (int)threadIdx.x; e < size; e += GTR__RES_T) {
        const int u = e >> 6, m = u >= pairs, row = m * 16 + (e >> 2 & 7) * 2 + (e >> 5 & 1);
        const float *p = pool + s.state_at + (e >> 5) * 768 + (e & 31) * 4;
        if (row < s.layer[0].slice)
            *(float4 *)(pool + s.w0_at + row * s.kp + (u - m * pairs) * 16 + (e & 3) * 4) =
                make_float4(ready(p[0]), ready(p[1]), ready(p[2]), ready(p[3]));
    }
}
static GTR__DEVICE void gtr__res_save(const gtr__res &s, float *pool, const gtr__res_head *h,
        int block, int step) {
    const gtr__optim &o = s.m.optim;
    gtr__res_each(s, pool, h, block, step,
            [&](int which, int64_t i, int there, int n, bool owner, const float *p, int far) {
        const gtr__segment &z = h->segment[which];
        if (!owner) return;
#pragma unroll
        for (int e = 0; e < 4; e++) if (e < n && e < there) {
            z.p[i + e] = p[e];
            if (o.states > 0) o.state[0][z.offset + i + e] = p[far + e];
            if (o.states > 1) o.state[1][z.offset + i + e] = p[2 * far + e];
        }
        if (!z.bf16 && !z.f16) return;
#pragma unroll 1
        for (int e = 0; e < n && e < there; e++) {
            if (z.bf16) gtr__put(z.bf16, GTR_BF16, i + e, p[e]);
            if (z.f16) gtr__put(z.f16, GTR_F16, i + e, p[e]);
        }
    });
}
// The inputs' slots get the step's batch, for whoever reads it behind the launch.
template <int T, typename Net, typename Head>
static GTR__DEVICE void gtr__res_slots(const Net &s, const Head *h, int block, int blocks, int step) {
    const int tid = (int)threadIdx.x;
    for (int r = block + tid / T * blocks; r < s.m.batch; r += blocks * (GTR__RES_T / T)) {
        const int64_t origin = gtr__res_origin(h, step, r);
        for (int f = -1; f < s.m.n_rest; f++) {
            const gtr__feed_one &in = f < 0 ? s.m.x : s.m.rest[f];
            const char *src = (const char *)(uintptr_t)h->record.src[in.slot];
            const int64_t from = origin * in.row, to = (int64_t)r * in.row;
#pragma unroll T == 32 ? 4 : 1
            for (int c = tid % T; c < in.row; c += T) {
                if (in.from == GTR_U8 && in.to.t == GTR_I32)
                    ((int32_t *)in.to.p)[to + c] = ((const unsigned char *)src)[from + c];
                else gtr__put(in.to.p, in.to.t, to + c, gtr__res_source(in, src, from + c));
            }
        }
    }
}
// The first layer's output of a rank's rows and a group's columns, a word or two of it a thread's.
static GTR__DEVICE uint32_t gtr__res_nth(uint32_t v, int) { return v; }
static GTR__DEVICE uint32_t gtr__res_nth(const uint2 &v, int i) { return i ? v.y : v.x; }
template <int P, int CUT, typename V, int N>
static GTR__DEVICE void gtr__res_gather(const gtr__res &s, float *pool, const gtr__res_head *h,
        int group, int rank, int step, gtr__waiting &awaited) {
    constexpr int W = (int)(sizeof(V) / 4);
    const gtr__mlp_layer &L = s.m.layer[0];
    const gtr__res_layer &q = s.layer[0];
    const int par = step & 1, slice = gtr__res_slice<CUT>(s), ranks = gtr__res_ranks<CUT>(s), units = slice * 16,
        e = gtr__res_thread() * W, r = gtr__res_row(e), c = gtr__res_column(e), n = group * slice + c,
        at = (par * s.rows * 16 + rank * 16 + r) * q.width + n;
    if (e >= units) return;
    V v[N];
    const int units_ = CUT ? units : gtr__res_opaque(units);
    const uint32_t *part = s.part + ((par * s.rows + rank) * s.groups + group) * ranks * units + e;
    uint32_t own = awaited.tag | gtr__res_own(h, par ^ 1);
    uint32_t *to = q.h + at;
    float z[W], bias[W], out[W], saved[W];
#pragma unroll
    for (int w = 0; w < W; w++) { z[w] = 0.0f; bias[w] = pool[q.bias_at + par * 96 + c + w]; }
    // the step before's update, while parts are on their way
    if constexpr (CUT != GTR__RES_NARROW) if (step && L.db) {
        uint32_t bad = 0;
        const float held = gtr__res_bias<P, 2>(s, pool, h, group, step - 1, c & ~7, e % 128 < 32 * W, false, bad);
        if (__any_sync(0xffffffffu, bad)) own |= 2;
#pragma unroll
        for (int w = 0; w < W; w++) bias[w] = __shfl_sync(0xffffffffu, held, (c & 6) + w);
    }
#pragma unroll
    for (int w = 0; w < W; w++) bias[w] = gtr__res_low<P>(bias[w]);
    gtr__await_words<N, true>(v, ranks, awaited, [&](int i) { return part + i * units_; });
#pragma unroll
    for (int w = 0; w < W; w++) {
#pragma unroll
        for (int i = 0; i < N; i++) z[w] += gtr__word_number(gtr__res_nth(v[i], w));
        z[w] += bias[w];
        out[w] = n + w < L.n ? gtr__res_low<P>(gtr__res_act(L, z[w])) : 0.0f;
        saved[w] = L.saved ? gtr__res_low<P>(z[w]) : out[w];
        if (q.drop > 0.0f) gtr__res_dropped<P>(pool[q.drop_at + par * units + e + w], out[w], saved[w]);
        out[w] = gtr__res_sent<P>(out[w]);
    }
    own |= awaited.bad;
    if (n < q.width) gtr__publish(to, out, own);
    if (n < q.width && s.last_pre && s.m.layers == 2) gtr__publish(s.pre + at, saved, own);
#pragma unroll
    for (int w = 0; w < W; w++) pool[q.own_at + e + w] = saved[w];
}
// A rank's rows from the first layer's parts to its gradient: the first team.
template <int P, int CUT> struct gtr__res_rows {
    static constexpr int LAST = gtr__res_known<CUT>::LAST, TILES = gtr__res_known<CUT>::TILES,
        REST = gtr__res_known<CUT>::REST;
    // W: of what one thread has side by side
    static constexpr int unroll = LAST ? LAST : 1, W = CUT == GTR__RES_BROAD ? 2 : 1;
    const gtr__res &s;
    float *pool;
    gtr__res_head *h;
    const int group, rank, step;
    gtr__waiting &awaited;
    const int tid, warp, lane, g, t, par, total, last, mine;
    float *y, *d;
    const gtr__res_layer &end, &hidden;
    const gtr__mlp_layer &H;
    const int pitch, d_pitch = 36, end_pitch, hidden_width;
    const bool whole;           // on to layers below the last hidden one, of which all columns are wanted
    const int from, upto, under;
    gtr__res_losing<REST> losing;
    // the group's columns of the last hidden layer's gradient; of the last layer's weights, loaded ahead
    float published[2][4], w[2][4];
    int place;                  // of the former
    uint32_t mark;
    GTR__DEVICE gtr__res_rows(const gtr__res &s, float *pool, gtr__res_head *h, int group, int rank,
            int step, gtr__waiting &awaited) : s(s), pool(pool), h(h), group(group), rank(rank), step(step),
            awaited(awaited), tid(gtr__res_thread()), warp(tid / 32), lane(tid & 31), g(lane >> 2), t(lane & 3),
            par(step & 1), total(s.rows * 16), last(LAST ? LAST : s.m.layers - 1), mine(par * total + rank * 16),
            y(pool + s.y_at), d(pool + s.d_at), end(s.layer[last]), hidden(s.layer[last - 1]), H(s.m.layer[last - 1]),
            pitch(gtr__res_opaque((hidden.width + 31) / 32 * 32 + 16)), end_pitch(gtr__res_opaque(end.forward_pitch)),
            hidden_width(gtr__res_opaque(hidden.width)), whole(last > 1), from(whole ? 0 : group * hidden.slice),
            upto(whole || from + hidden.slice > hidden.width ? hidden.width : from + hidden.slice), under(!whole ? 0
            : LAST == 2 ? gtr__res_slice<CUT>(s) / 8 : s.layer[last - 2].slice / 8), published{}, place(-1) {
    }
    // Through the further layers; the last one's sums are left.
    GTR__DEVICE void forward() {
#pragma unroll unroll
        for (int l = 1; l <= last; l++) {
            const gtr__mlp_layer &L = s.m.layer[l];
            const gtr__res_layer &q = s.layer[l], &before = s.layer[l - 1];
            const int columns = l == last ? q.width : q.slice, base = l == last ? 0 : group * q.slice;
            float *red = pool + s.red_at + (l & 1) * s.red_words;
            if (base < q.width)
                gtr__res_product<P, REST>(red, before.h + mine * before.width, before.width, pool + q.forward_at,
                    q.forward_pitch, columns / 8, l == last ? y : NULL, pitch, awaited);
            gtr__res_pass(h, par, awaited);
            gtr__res_sync();
            if (l < last && base < q.width)
#pragma unroll 1
                for (int e = tid; e < 16 * columns; e += GTR__RES_TEAM) {
                    const int r = gtr__res_row(e), c = gtr__res_column(e), n = base + c, at = (mine + r) * q.width + n;
                    const float z = gtr__res_total(red + e, columns * 16) + pool[q.bias_at + c];
                    float out = n < L.n ? gtr__res_low<P>(gtr__res_act(L, z)) : 0.0f,
                        saved = L.saved ? gtr__res_low<P>(z) : out;
                    if (q.drop > 0.0f) gtr__res_dropped<P>(pool[q.drop_at + par * 16 * columns + e], out, saved);
                    const uint32_t mark = awaited.tag | (gtr__res_marks(h, par) & 2u);
                    pool[q.own_at + e] = saved;
                    if (n >= q.width) continue;
                    gtr__publish(q.h + at, gtr__word_pack(gtr__res_sent<P>(out), mark));
                    if (s.last_pre && l == last - 1) gtr__publish(s.pre + at, gtr__word_pack(saved, mark));
                }
        }
        if (s.last_pre) for (int r = warp; r < 16; r += GTR__RES_WARPS)
                for (int c = lane * 4; c < hidden.width; c += 128) {
            uint4 v[1];
            gtr__await_words<1>(v, 1, awaited, [&](int) { return s.pre + (mine + r) * hidden_width + c; });
            gtr__res_keep(y + r * pitch + c, v[0]);
        }
        if (s.last_pre) gtr__res_sync();
    }
    GTR__DEVICE void fetch(int c0) {
        const float *p = pool + end.forward_at + t * end_pitch + c0 + g;
#pragma unroll
        for (int k = 0; k < 2; k++)         // beyond the last: of what lies there, unused
#pragma unroll
            for (int u = 0; u < 2; u++) {
                w[k][u * 2] = p[k * 8 * end_pitch + u * 8]; w[k][u * 2 + 1] = p[(k * 8 + 4) * end_pitch + u * 8];
            }
    }
    // The last hidden layer's gradient: all of it where there are layers below, and on to the next;
    // else the group's columns.
    GTR__DEVICE void hidden_back() {
        float back[TILES][4] = {};
#pragma unroll 1
        for (int c0 = from + warp * 16; c0 < upto; c0 += GTR__RES_WARPS * 16) {
            float v[2][4] = {};
            float2 saved[2][2];
            if (c0 != from + warp * 16) fetch(c0);
#pragma unroll
            for (int u = 0; u < 2; u++) {
                saved[u][0] = *(const float2 *)(y + g * pitch + c0 + u * 8 + 2 * t);
                saved[u][1] = *(const float2 *)(y + (g + 8) * pitch + c0 + u * 8 + 2 * t);
            }
#pragma unroll
            for (int k = 0; k < REST; k++) if (k * 8 < end.width) {
                const float *p = d + g * d_pitch + k * 8 + t,
                    *far = pool + end.forward_at + (k * 8 + t) * end_pitch + c0 + g;
                const float a[4] = { gtr__res_ready<P>(p[0]), gtr__res_ready<P>(p[8 * d_pitch]),
                    gtr__res_ready<P>(p[4]), gtr__res_ready<P>(p[8 * d_pitch + 4]) };
                const float b0[2] = { k < 2 ? w[k & 1][0] : far[0], k < 2 ? w[k & 1][1] : far[4 * end_pitch] };
                const float b1[2] = { k < 2 ? w[k & 1][2] : far[8], k < 2 ? w[k & 1][3] : far[4 * end_pitch + 8] };
                gtr__res_mma<P>(v[0], a, b0);
                gtr__res_mma<P>(v[1], a, b1);
            }
#pragma unroll
            for (int u = 0; u < 2; u++) {
                float4 f = make_float4(v[u][0], v[u][1], v[u][2], v[u][3]);
                if (H.act == GTR__OP_RELU) f = make_float4(saved[u][0].x > 0 ? f.x : 0.0f,
                    saved[u][0].y > 0 ? f.y : 0.0f, saved[u][1].x > 0 ? f.z : 0.0f, saved[u][1].y > 0 ? f.w : 0.0f);
                else if (H.act == GTR__OP_TANH) f = make_float4(gtr__res_dtanh(f.x, saved[u][0].x), gtr__res_dtanh(f.y,
                    saved[u][0].y), gtr__res_dtanh(f.z, saved[u][1].x), gtr__res_dtanh(f.w, saved[u][1].y));
                else f = gtr__res_other_dact4(H.act, f,
                    make_float4(saved[u][0].x, saved[u][0].y, saved[u][1].x, saved[u][1].y), H.act_a, H.act_b);
                v[u][0] = gtr__res_low<P>(f.x); v[u][1] = gtr__res_low<P>(f.y); v[u][2] = gtr__res_low<P>(f.z);
                v[u][3] = gtr__res_low<P>(f.w);
            }
            if (whole) gtr__res_onward<P, TILES>(back, v, pool + hidden.back_at + c0 * hidden.back_pitch,
                hidden.back_pitch, under);
            if (c0 + 16 > group * hidden.slice && c0 < (group + 1) * hidden.slice) {
                place = c0;
#pragma unroll
                for (int u = 0; u < 2; u++)
#pragma unroll
                    for (int e = 0; e < 4; e++) published[u][e] = v[u][e];
            }
        }
        if (whole) gtr__res_spill<TILES>(pool + s.red_at + (last & 1 ^ 1) * s.red_words, back, under);
    }
    GTR__DEVICE void publish() const {
#pragma unroll
        for (int u = 0; u < 2; u++) {
            const int c = place + u * 8 + 2 * t;
            if (place < 0 || c < group * hidden.slice || c >= (group + 1) * hidden.slice || c >= upto) continue;
            uint32_t *to = hidden.dz + (mine + g) * hidden_width + c;
            gtr__publish2(to, gtr__word_pack(gtr__res_published<P>(published[u][0]), mark),
                gtr__word_pack(gtr__res_published<P>(published[u][1]), mark));
            gtr__publish2(to + 8 * hidden_width, gtr__word_pack(gtr__res_published<P>(published[u][2]), mark),
                gtr__word_pack(gtr__res_published<P>(published[u][3]), mark));
        }
    }
    // From there to the first layer's.
    GTR__DEVICE void further_back() {
#pragma unroll unroll
        for (int l = last - 1; l > 0; l--) {
            const gtr__res_layer &q = s.layer[l], &to = s.layer[l - 1];
            const int slice = LAST == 2 ? gtr__res_slice<CUT>(s) : to.slice, base = group * slice;
            float *red = pool + s.red_at + (l & 1) * s.red_words;
            if (l < last - 1) {
                if (base < to.width) {
                    float acc[TILES][4] = {};
#pragma unroll 1
                    for (int c0 = warp * 16; c0 < q.width; c0 += GTR__RES_WARPS * 16) {
                        uint2 v[4];
                        gtr__await_words<4>(v, 4, awaited, [&](int i) {
                            return q.dz + (mine + g + (i & 1) * 8) * q.width + c0 + (i >> 1) * 8 + 2 * t;
                        });
                        float f[2][4];
#pragma unroll
                        for (int u = 0; u < 2; u++) {
                            f[u][0] = gtr__res_exact<P>(gtr__word_number(v[2 * u].x));
                            f[u][1] = gtr__res_exact<P>(gtr__word_number(v[2 * u].y));
                            f[u][2] = gtr__res_exact<P>(gtr__word_number(v[2 * u + 1].x));
                            f[u][3] = gtr__res_exact<P>(gtr__word_number(v[2 * u + 1].y));
                        }
                        gtr__res_onward<P, TILES>(acc, f, pool + q.back_at + c0 * q.back_pitch,
                            q.back_pitch, slice / 8);
                    }
                    gtr__res_spill<TILES>(red, acc, slice / 8);
                }
                gtr__res_sync();
            }
            if (base < to.width)
#pragma unroll 1
                for (int e = tid * W; e < 16 * slice; e += GTR__RES_TEAM * W) {
                    const int n = base + gtr__res_column(e);
                    float v[W], own[W];
                    gtr__res_totals(v, red + e, slice * 16);
#pragma unroll
                    for (int w = 0; w < W; w++) own[w] = pool[to.own_at + e + w];
#pragma unroll
                    for (int w = 0; w < W; w++) {
                        v[w] = gtr__res_low<P>(
                            gtr__res_dact(s.m.layer[l - 1], v[w], own[w]) * (LAST || l == 1 ? 1.0f : to.scale));
                        v[w] = gtr__res_published<P>(n + w < s.m.layer[l - 1].n ? v[w] : 0.0f);
                    }
                    if (n < to.width) gtr__publish(to.dz + (mine + gtr__res_row(e)) * to.width + n, v, mark);
                }
        }
    }
    GTR__DEVICE void run(float scale) {
        gtr__res_lose<P>(s, pool, h, rank, par, scale, losing);        // here, as all but the sums is known before
        if constexpr (TILES == 2)
            gtr__res_gather<P, CUT, uint32_t, gtr__res_known<CUT>::RANKS>(s, pool, h, group, rank, step, awaited);
        else gtr__res_gather<P, CUT, uint2, CUT ? (int)gtr__res_known<CUT>::RANKS : GTR__RES_RANKS>(s, pool, h, group,
            rank, step, awaited);
        gtr__res_pass(h, par, awaited);
        gtr__res_bar(GTR__RES_RENEWED, GTR__RES_T);      // the weights are there
        forward();
        // What does not depend on the loss is loaded before it; what no other block waits for is published last.
        fetch(from + warp * 16 < upto ? from + warp * 16 : 0);
        gtr__res_loss<P, LAST, REST>(s, pool, pool + s.red_at + (last & 1) * s.red_words, d, d_pitch,
            rank, par, losing);
        gtr__res_sync();
        mark = awaited.tag | (gtr__res_marks(h, par) & 2u);
        hidden_back();
        if (whole) gtr__res_sync();
        else publish();
        further_back();
        if (whole) publish();
        if (group == s.groups - 1)
#pragma unroll
            for (int i = 0; i < REST / 2; i++) {
                const int c = (tid & 15) + i * 16;
                if (i * 16 < end.width && c < end.width) gtr__publish(s.dl + (mine + tid / 16) * end.width + c,
                    gtr__word_pack(gtr__res_published<P>(losing.dx[i]), awaited.tag));
            }
        gtr__res_arrive(GTR__RES_DONE, GTR__RES_T);    // with the weights, and what the figures are made of
    }
};
// All records of the launch, and the rates of each step. All threads of one block.
template <typename Net> static GTR__DEVICE void gtr__res_records(const Net &s) {
    constexpr int pieces = (int)(sizeof(gtr__record) / 16);
    const uint64_t first = s.m.ctl->step;
    constexpr int turns = (GTR__LAUNCH_STEPS * pieces + GTR__RES_T - 1) / GTR__RES_T;
    int4 v[turns];              // all loads at once: they lie in the host's memory
#pragma unroll
    for (int k = 0, i = (int)threadIdx.x; k < turns; k++, i += GTR__RES_T)
        v[k] = __ldcv((const int4 *)&s.m.record[(first + (uint64_t)(i / pieces)) % GTR__RING] + i % pieces);
#pragma unroll
    for (int k = 0, i = (int)threadIdx.x; k < turns; k++, i += GTR__RES_T) if (i < GTR__LAUNCH_STEPS * pieces)
        ((int4 *)s.record)[i] = v[k];
    __syncthreads();
    const int steps = (int)s.record[0].more + 1;
    if (threadIdx.x == 0) gtr__grid_snapshot(s.m.ctl, (uint64_t)steps);
    for (int i = (int)threadIdx.x; i < steps * GTR__MAX_GROUPS; i += GTR__RES_T) {
        const int step = i / GTR__MAX_GROUPS, k = i % GTR__MAX_GROUPS;
        gtr__rates_of(s.m.optim, (double)s.record[step].lr[k], s.m.ctl->applied + 1 + (uint64_t)step, k, &s.rate[step]);
    }
}
// A step's figures from those of its groups of rows; a bad step's end that of the rest of the launch.
static GTR__DEVICE void gtr__res_report(const gtr__mlp &m, const float4 *part, int rows, uint32_t bad,
        int step, int steps) {
    float loss = 0.0f, counted = 0.0f, right = 0.0f, labelled = 0.0f;
    for (int r = 0; r < rows; r++) {
        loss += part[r].x; counted += part[r].y; right += part[r].z; labelled += part[r].w;
    }
    loss = m.loss == GTR__OP_XENT_STEP ? (counted > 0.0f ? loss / counted : NAN) : loss / (float)m.pair.count;
    gtr__give1(m.loss_value, 0, loss);
    if (m.xent.count.p) gtr__give1(m.xent.count, 0, counted);
    if (m.accuracy.p) gtr__give1(m.accuracy, 0, (float)((double)right / (double)labelled));
    m.ctl->norm = 0.0f;
    m.ctl->coef = 1.0f;
    m.ctl->guard = bad;
    gtr__report_step(m.report);
    if (bad) for (step++; step < steps; step++) gtr__report_step(m.report);
}
// The reporting block awaits a step's loss from all groups of rows, and the verdict on it a step later.
// ahead(step) comes first.
template <typename Net, typename F>
static GTR__DEVICE void gtr__res_service(const Net &s, float4 *part, int pitch, int steps, F ahead) {
    const int tid = (int)threadIdx.x;
    gtr__waiting awaited = { 0, 0, s.m.hurry };
#pragma unroll 1
    for (int i = 0; i < steps; i++) {
        uint4 v[1];
        ahead(i);
        if (tid < s.rows) {
            gtr__await_words<1>(v, 1, awaited, [&](int) { return s.loss + (i * pitch + tid) * 4; });
            part[tid] = gtr__word_numbers(v[0]);
        }
        __syncthreads();
        const uint32_t marks = i + 1 < steps ? gtr__await_word(s.verdict + i, awaited) : 0u;
        uint32_t bad = __syncthreads_or((marks & 2u) || awaited.turns >= GTR__DEADLINE);
        if (bad || i + 1 == steps) {        // all others have ended, or are about to
            if (awaited.turns >= GTR__DEADLINE) atomicOr(s.flag, 2u);
            gtr__mlp_grid_arrive(s.m, true);
            if (!gtr__mlp_grid_wait(s.m, 2 * gridDim.x, s.m.hurry)) return;
            const uint32_t flag = gtr__poll(s.flag);
            if (flag & 2) {     // all know it: nobody keeps anything
                if (tid == 0) atomicOr(&s.m.ctl->ticket[6], GTR__ABANDONED);
                return;
            }
            bad |= flag;
        }
        if (tid == 0) gtr__res_report(s.m, part, s.rows, bad, i, steps);
        __syncthreads();
        if (bad) return;
    }
}
// All have made ready: the launch's records are known behind it.
template <typename Net, typename Head> static GTR__DEVICE bool gtr__res_begin(const Net &s, Head *h) {
    const int tid = (int)threadIdx.x;
    gtr__mlp_grid_arrive(s.m);
    if (!gtr__mlp_grid_wait(s.m, gridDim.x, 0)) { gtr__mlp_grid_leave(s.m); return false; }
    gtr__fence_gpu();
    if (tid <= (int)s.record[0].more) {
        h->step[tid].first = s.record[tid].first; h->step[tid].key = s.record[tid].key;
    }
    if (tid == 0) {
        h->record = s.record[0];
        for (h->half = 1; (uint64_t)1 << (2 * h->half) < (uint64_t)h->record.rows; h->half++) {}
    }
    __syncthreads();
    return true;
}
// The launch's last barrier: whether what blocks have is to be stored, and which step, if any,
// was bad and is rolled back.
template <typename Net>
static GTR__DEVICE bool gtr__res_end(const Net &s, int steps, uint32_t bad, int &wrong) {
    if (bad && wrong < 0 && threadIdx.x == 0) atomicOr(s.flag, 1u);
    gtr__mlp_grid_arrive(s.m, true);
    if (!gtr__mlp_grid_wait(s.m, 2 * gridDim.x, s.m.hurry)) return false;
    const uint32_t flag = gtr__poll(s.flag);
    if (wrong < 0 && flag) wrong = steps - 1;
    return !(flag & 2);
}
// The first team: what the next exchange waits for. The step that was not finite, or -1.
template <int P, int CUT>
static GTR__DEVICE int gtr__res_front(const gtr__res &s, float *pool, gtr__res_head *h, int group,
        int rank, int steps, float scale) {
    constexpr int TILES = gtr__res_known<CUT>::TILES;
    const int tid = gtr__res_thread(), slice = gtr__res_slice<CUT>(s), total = s.rows * 16,
        shift = slice > 16 ? 3 : slice > 8 ? 2 : 1;
    gtr__waiting awaited = { 0, 0, s.m.hurry };
#pragma unroll 1
    for (int i = 0; i < steps; i++) {
        const int par = i & 1;
        const bool last = i == steps - 1;
        awaited.tag = (uint32_t)i >> 1 & 1;
        awaited.bad = 0;
        gtr__res_parts<P, CUT>(s, pool, h, group, rank, i, awaited.tag);
        if (rank < s.rows) gtr__res_rows<P, CUT>(s, pool, h, group, rank, i, awaited).run(scale);
        else gtr__res_bar(GTR__RES_RENEWED, GTR__RES_T);
        // the way back: the group's columns of all rows
        const uint32_t marks = gtr__res_first<P, CUT>(s, pool, h, group, rank, i, last, [&] {
            const int width = gtr__res_opaque(s.layer[0].width), zp = CUT ? (int)gtr__res_known<CUT>::ZP
            : gtr__res_opaque(s.zp), c = (tid & ((1 << shift) - 1)) * 4, step = GTR__RES_TEAM >> shift;
            const uint32_t *dz = s.layer[0].dz + par * total * width + group * slice;
            float *z = pool + s.middle_at + c;
            if (c < slice && group * slice + c < s.layer[0].width)
#pragma unroll 1
                for (int r = tid >> shift; r < total; r += TILES * step) {
                    uint4 v[TILES];
                    const int left = (total - r + step - 1) >> (GTR__RES_SHIFT - shift),
                        n = left < TILES ? left : TILES;
                    gtr__await_words<TILES>(v, n, awaited, [&](int k) { return dz + (r + k * step) * width + c; });
#pragma unroll
                    for (int k = 0; k < TILES; k++) if (k < n) gtr__res_keep(z + (r + k * step) * zp, v[k]);
                }
            gtr__res_pass(h, par, awaited);
            if (last) gtr__res_sync();
            else gtr__res_bar(GTR__RES_READY, GTR__RES_T);      // the next step's x has long been there
            const uint32_t all = gtr__res_marks(h, par);
            if (i && group == 0 && rank == 0 && tid == 0) gtr__publish(s.verdict + i - 1, all ? 2u : 0u);
            if (tid == 0) h->marks[0][par ^ 1] = h->own[0][par ^ 1] = 0;
            return all;
        });
        if (marks) {
            if (tid == 0 && (marks & 4)) atomicOr(s.flag, 2u);
            if (last) return i - 1;
            if (tid == 0) h->stop = 1;
            gtr__res_bar(GTR__RES_RENEWED, GTR__RES_T);
            return i - 1;
        }
    }
    // the last's
    if constexpr (CUT != GTR__RES_NARROW) if (rank == 0 && tid / 32 * 8 < slice && s.m.layer[0].db) {
        uint32_t bad = 0;
        gtr__res_bias<P, 2>(s, pool, h, group, steps - 1, tid / 32 * 8, true, true, bad);
        if (bad) atomicOr(&h->own[0][steps & 1 ^ 1], bad);
    }
    return -1;
}
// The last step's biases and figures.
template <int P>
static __device__ __noinline__ void gtr__res_rear_end(const gtr__res &s, float *pool, gtr__res_head *h, int me,
        int group, int rank, int steps) {
    gtr__res_sync();
    gtr__res_tile_biases<P>(s, pool, h, me, 0, 1, steps - 1, true);
    if (rank >= s.rows) return;
    gtr__res_publish_loss(s, pool, h, rank, steps - 1, &h->own[1][steps & 1 ^ 1]);
    gtr__res_sync();
    if (group == 0) gtr__res_figures(s, h, rank, steps - 1);
}
// The second: tiles, the loss, what becomes of the weights, and the next step's x.
template <int P>
static GTR__DEVICE void gtr__res_rear(const gtr__res &s, float *pool, gtr__res_head *h, int me,
        int group, int rank, int steps) {
    gtr__waiting awaited = { 0, 0, s.m.hurry };
#pragma unroll 1
    for (int i = -1; i < steps; i++) {
        gtr__res_raw raw = { 0, 0.0f };
        const int par = i & 1;
        const bool more = i + 1 < steps;
        awaited.tag = (uint32_t)i >> 1 & 1;
        awaited.bad = 0;
        if (i > 0) {
            gtr__res_sync();
            gtr__res_tile_biases<P>(s, pool, h, me, 0, 1, i - 1, false);
        }
        if (i > 0 && rank < s.rows) {
            // while others' weights are on their way; every block has the verdict before it updates
            gtr__res_publish_loss(s, pool, h, rank, i - 1, &h->marks[1][par]);
            gtr__res_weights(s, pool, i - 1, awaited);
            gtr__res_pass(h, par, awaited);
        }
        if (i < 0) {            // before the first
            gtr__res_origins(s, pool, h, 0);
            gtr__res_sync();
        } else {
            gtr__res_bar(GTR__RES_RENEWED, GTR__RES_T);
            if (h->stop) return;
            if (gtr__res_thread() == 0) h->marks[1][par ^ 1] = h->own[1][par ^ 1] = 0;
            if (i > 0 && rank < s.rows && group == 0) gtr__res_figures(s, h, rank, i - 1);
        }
        if (more && s.drops && rank < s.rows)
            gtr__res_masks(s, pool, h->before + (uint64_t)(i + 1), par ^ 1, group, rank);
        if (more) gtr__res_ask(s, pool, h, i + 1, rank, raw);
        if (i + 2 < steps) gtr__res_origins(s, pool, h, i + 2);
        gtr__res_sync();
        if (more) gtr__res_take<P>(s, pool, h, i + 1, rank, raw);
        if (i < 0) gtr__res_bar(GTR__RES_RENEWED, GTR__RES_T);
        else {
            if (more) gtr__res_arrive(GTR__RES_READY, GTR__RES_T);
            gtr__res_tiles<P, 1>(s, pool, h, me, 0, 1, i, !more, rank < s.rows);
        }
    }
    gtr__res_rear_end<P>(s, pool, h, me, group, rank, steps);
}
// What comes before the first step and behind the last is one code for all kernels. Behind this the launch's records
// and the block's own weights are there; false: it is given up.
static __device__ __noinline__ bool gtr__res_prepare(const gtr__res &s, float *pool, gtr__res_head *h, int precision) {
    const int tid = (int)threadIdx.x, me = (int)blockIdx.x, blocks = (int)gridDim.x;
    if (*(const volatile uint32_t *)&s.m.ctl->status) {
        if (me == 0 && tid == 0) gtr__report_stuck(s.m.report, s.m.record);
        return false;
    }
    if (me == blocks - 1) {     // first, as it takes longest
        if (tid == 0) *s.flag = 0;
        gtr__res_records(s);
    }
    // no step's words
    for (int64_t i = ((int64_t)me * GTR__RES_T + tid) * 4; i < s.words; i += (int64_t)blocks * GTR__RES_T * 4)
        *(uint4 *)(s.pool + i) = make_uint4(1, 1, 1, 1);
    if (me < blocks - 1) {
        if (tid < 32) gtr__mlp_segments(s.m.optim, s.m.layer, s.m.layers, h->segment, tid, 32);
#pragma unroll 4
        for (int i = tid * 4; i < s.end_at; i += GTR__RES_T * 4)
            *(float4 *)(pool + i) = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (tid == 32) {
            h->rule = s.m.optim.rule;
            for (int k = 0; k < 4; k++) h->marks[k / 2][k % 2] = h->own[k / 2][k % 2] = 0;
            h->stop = 0;
            h->share = s.m.xent.smooth / (float)s.m.xent.n;
            h->before = s.m.ctl->step;
        }
        if (tid >= 64 && tid < 72) {
            const int k = tid - 64, index = gtr__res_tile(s, me, k);
            int l = 1;
            while (l + 1 < s.m.layers && index >= s.layer[l + 1].task0) l++;
            if (k == 0 || index < s.tasks) {
                h->tile[k].layer = l; h->tile[k].n0 = (index - s.layer[l].task0) / s.layer[l].across * 16;
                h->tile[k].k0 = (index - s.layer[l].task0) % s.layer[l].across * 16;
            }
            if (k == 0 && index >= s.tasks) { h->tiles = 0; h->tile[0].n0 = h->tile[0].k0 = 0; }
            if (index < s.tasks && (k == 7 || gtr__res_tile(s, me, k + 1) >= s.tasks)) h->tiles = k + 1;
        }
        __syncthreads();
        gtr__res_load(s, pool, h, me, precision);
    }
    return gtr__res_begin(s, h);
}
// All but the reporting block: wrong is the step that was not finite, or -1.
static __device__ __noinline__ void gtr__res_finish(const gtr__res &s, float *pool, const gtr__res_head *h,
        int steps, int wrong) {
    const int me = (int)blockIdx.x;
    if (gtr__res_end(s, steps,
            gtr__res_own(h, steps & 1 ^ 1) | (me < s.groups * s.ranks ? 0 : gtr__res_own(h, steps & 1)), wrong)) {
        gtr__res_save(s, pool, h, me, wrong < 0 ? steps : wrong);
        gtr__res_slots<GTR__RES_T>(s, h, me, (int)gridDim.x - 1, wrong < 0 ? steps - 1 : wrong);
    }
}
static __device__ __noinline__ void gtr__res_serve(const gtr__res &s, gtr__res_head *h, int steps) {
    gtr__res_service(s, h->part, s.ranks, steps, [](int) {});
}
template <int P, int CUT>
static __global__ void __launch_bounds__(GTR__RES_T, 1) gtr__k_resident(const __grid_constant__ gtr__res s) {
    extern __shared__ __align__(16) char gtr__pool[];
    __shared__ __align__(16) gtr__res_head head;
    gtr__enter();
    float *pool = gtr__res_base(gtr__pool);
    gtr__res_head *h = (gtr__res_head *)gtr__res_base((char *)&head);
    const int me = (int)blockIdx.x, workers = s.groups * s.ranks, group = me % s.groups, rank = me / s.groups;
    if (!gtr__res_prepare(s, pool, h, P)) return;
    const int steps = (int)s.record[0].more + 1;
    int wrong = -1;             // the step that was not finite
    if (me == (int)gridDim.x - 1) gtr__res_serve(s, h, steps);
    else {
        if (me >= workers) {
            const int team = gtr__res_team(), one = gtr__res_thread();        // tiles only: the teams take turns
#pragma unroll 1
            for (int i = 0; i <= steps; i++) {
                gtr__waiting awaited = { 0, 0, s.m.hurry };
                if (i > 1) gtr__await_word(s.verdict + i - 2, awaited);
                if (awaited.turns >= GTR__DEADLINE) atomicOr(s.flag, 2u);
                if (awaited.bad | (awaited.turns >= GTR__DEADLINE)) { wrong = i - 2; break; }     // the same for all
                if (i == steps) break;
                // no block waits for this one, nor keeps words until it has read them
                if (team >= h->tiles) continue;
                if (one < (int)(sizeof(gtr__rates) / 4))
                    ((float *)&h->rate[i & 1])[one] = __ldcg((const float *)&s.rate[i] + one);
                gtr__res_sync();
                gtr__res_tiles<P, 2>(s, pool, h, me, team, 2, i, i == steps - 1, false);
                gtr__res_sync();
                gtr__res_tile_biases<P>(s, pool, h, me, team, 2, i, i == steps - 1);
            }
        } else {
            if (gtr__res_team()) gtr__res_rear<P>(s, pool, h, me, group, rank, steps);
            else {
                gtr__res_bar(GTR__RES_RENEWED, GTR__RES_T);
                wrong = gtr__res_front<P, CUT>(s, pool, h, group, rank, steps, s.m.ctl->scale);
                if (threadIdx.x == 0) h->wrong = wrong;
            }
        }
        __syncthreads();
        gtr__res_finish(s, pool, h, steps, me < workers ? h->wrong : wrong);
    }
    gtr__mlp_grid_leave(s.m);
}

// >>resident-match
static int gtr__res_up(int n, int to) { return (n + to - 1) / to * to; }
// Groups and ranks, and where all lies: a pure function of extents, multiprocessors and shared
// memory. False: it does not fit.
static bool gtr__res_cut(gtr__res *s, const gtr__mlp_cut *c, bool exchange_pre, bool targets, bool bytes, int slice,
        int ranks, int sm_count, size_t shared) {
    const int last = c->layers - 1, rows = (c->batch + 15) / 16;
    int at = 0;
    auto room = [&](int words) { const int here = at; at += gtr__res_up(words, 8); return here; };
    s->rows = rows; s->ranks = ranks; s->layer[0].slice = slice;
    s->groups = (gtr__res_up(c->n[0], 16) + slice - 1) / slice;
    s->kr = gtr__res_up((c->k[0] + ranks - 1) / ranks, 8);
    const int pairs = (s->kr + 15) / 16, over = (slice + 15) / 16;
    s->kp = slice <= 16 && s->kr <= 128 ? GTR__RES_KP : pairs * 16 + (pairs % 2 ? 0 : 16);
    s->zp = slice > 16 ? 40 : GTR__RES_ZP;
    s->bytes = bytes;
    s->xp = bytes ? gtr__res_up(s->kr + 4, 16) / 4 : s->kp;     // 4 more than a multiple of 8
    if (s->xp % 8 == 0 && bytes) s->xp += 4;
    if (bytes && slice <= 16 && s->kr <= 128) s->xp = GTR__RES_XP;
    s->spare = sm_count - 1 - s->groups * ranks;
    if (rows > ranks || ranks > GTR__RES_RANKS || s->spare < 0 || (s->kr * (ranks - 1) >= c->k[0] && ranks > rows))
        return false;
    s->tasks = 0;
    s->last_pre = exchange_pre;
    s->left_at = room(GTR__RES_LEFT); s->origin_at = room(8 * rows * 16); s->label_at = room(2 * rows * 16);
    s->target_at = room(targets ? 32 * GTR__RES_OUT : 0);
    s->x_at = room(2 * rows * 16 * s->xp);
    s->state_at = room(6 * over * pairs * 256);
    s->w0_at = room(slice * s->kp);
    for (int l = 0; l <= last; l++) {
        gtr__res_layer *q = &s->layer[l];
        q->width = gtr__res_up(c->n[l], l == last ? 8 : 16);
        if (l) q->slice = l == last ? q->width : gtr__res_up((q->width + s->groups - 1) / s->groups, 8);
        if (q->slice > GTR__RES_OUT) return false;
        q->bias_at = room(l ? q->slice : 192);
        q->own_at = room(l < last ? 16 * q->slice : 0);
        q->drop_at = room(s->drops >> l & 1 ? 2 * 16 * q->slice : 0);
        if (l == 0) continue;
        const int before = s->layer[l - 1].width;
        q->forward_pitch = gtr__res_up(before, 32) + 16;
        q->forward_at = room(q->slice * q->forward_pitch);
        q->back_pitch = s->layer[l - 1].slice + 4;
        q->back_at = room(l < last ? q->width * q->back_pitch : 0);
        q->task0 = s->tasks; q->across = (before + 15) / 16;
        s->tasks += (q->width + 15) / 16 * q->across;
    }
    const int workers = s->groups * ranks,
        even = s->spare && s->tasks > workers ? s->tasks / workers * workers : s->tasks;
    const int theirs = s->theirs = s->tasks - even > 3 * s->spare ? s->tasks - 3 * s->spare : even,
        wide = gtr__res_up(s->layer[last - 1].width, 32);
    s->most_tasks = (theirs + workers - 1) / workers;
    if (s->spare && (s->tasks - theirs + s->spare - 1) / s->spare > s->most_tasks)
        s->most_tasks = (s->tasks - theirs + s->spare - 1) / s->spare;
    const int middle = 16 * (wide + 16) + 16 * 36, back = rows * 16 * s->zp;
    s->middle_at = s->y_at = room(middle > back ? middle : back);
    s->d_at = s->y_at + 16 * (wide + 16);
    int widest = 16;
    for (int l = 0; l <= last; l++) widest = s->layer[l].slice > widest ? s->layer[l].slice : widest;
    const int tile_words = 2048 + 128 * s->most_tasks;      // sums of the tiles' warps, and their biases'
    s->red_words = GTR__RES_WARPS * 16 * widest > tile_words ? GTR__RES_WARPS * 16 * widest : tile_words;
    s->red_at = room(2 * s->red_words + tile_words);
    s->tile_at = room((theirs + workers - 1) / workers * GTR__RES_TILE);
    // theirs lie in front of red
    if (s->tasks > theirs && (s->tasks - theirs + s->spare - 1) / s->spare * GTR__RES_TILE > s->red_at) return false;
    s->renewed = s->units = 0;
    for (int l = 1; l <= last; l++) {
        const gtr__res_layer *q = &s->layer[l], *b = &s->layer[l - 1];
        s->renewed += gtr__res_up(q->width * b->width, 64) + gtr__res_up(q->width, 64);
        s->units += q->slice * (b->width / 4) + q->slice / 4 + (l < last ? q->width * (b->slice / 4) : 0);
    }
    s->unit_at = room(s->units);
    s->end_at = at;
    return s->most_tasks <= 8 && s->renewed <= 4 * 65535
        && (size_t)at * 4 + (sizeof(gtr__res_head) + 127) / 128 * 128 <= shared;
}
static bool gtr__res_choose(gtr__res *s, const gtr__mlp_cut *c, bool exchange_pre, bool targets, bool bytes,
        int sm_count, size_t shared) {
    int best = 0, best_slice = 0, best_ranks = 0;
    if (c->layers < 2 || c->n[c->layers - 1] > GTR__RES_OUT || c->batch > GTR__RES_TEAM) return false;
    // cycles, about
    for (int slice = 8; slice <= 32; slice += 8) for (int ranks = 1; ranks <= GTR__RES_RANKS; ranks++) {
        if (!gtr__res_cut(s, c, exchange_pre, targets, bytes, slice, ranks, sm_count, shared)) continue;
        const int tasks = (slice + 15) / 16 * ((s->kr + 15) / 16),
            rounds = (s->rows * slice / 8 + GTR__RES_T / 32 - 1) / (GTR__RES_T / 32);
        int cost = rounds * (300 + 6 * s->kr) + (slice + 15) / 16 * ((ranks + 7) / 8) * 1000 + (
            tasks + GTR__RES_WARPS - 1) / GTR__RES_WARPS * (800 + 60 * s->rows) + s->units / 4 + s->most_tasks * 1500;
        for (int l = 1; l < c->layers - 1; l++) cost += s->layer[l].slice * 20 + s->layer[l - 1].slice * 20;
        // what a kernel is made for
        if (c->layers == 3 && slice == gtr__res_known<GTR__RES_NARROW>::SLICE
                && ranks == gtr__res_known<GTR__RES_NARROW>::RANKS && s->kr <= 128)
            cost -= cost / 4;
        if (best && cost >= best) continue;
        best = cost; best_slice = slice; best_ranks = ranks;
    }
    return best && gtr__res_cut(s, c, exchange_pre, targets, bytes, best_slice, best_ranks, sm_count, shared);
}
static bool gtr__res_drop(const gtr__mlp_view *v, const gtr__mlp_parts *p, int l) {
    return p->drop[l] >= 0 && v->node[p->drop[l]].attr.f[0] > 0;
}
static bool gtr__res_wants(const gtr__mlp_view *v, const gtr__mlp_parts *p, bool *exchange_pre, bool *targets) {
    const int hidden = p->layers > 1 ? p->layers - 2 : 0, act = gtr__mlp_act(&v->node[p->forward[hidden]]);
    // scaled, the output does not show it
    *exchange_pre = act >= 0
        && (!(gtr__cuda_needs[act] & GTR__Y0) || (gtr__res_drop(v, p, hidden) && act != GTR__OP_RELU));
    *targets = v->node[p->loss].op != GTR__OP_XENT_STEP;
    for (int l = 0; l < p->layers; l++) {       // rows and columns of padding have to stay finite
        const int op = gtr__mlp_act(&v->node[p->forward[l]]);
        if (op == GTR__OP_LOG || op == GTR__OP_EXP) return false;
    }
    return p->layers > 1 && p->act_back[p->layers - 1] < 0;
}
static int gtr__res_drops(const gtr__mlp_view *v, const gtr__mlp_parts *p) {
    int bits = 0;
    for (int l = 0; l < p->layers; l++) bits |= gtr__res_drop(v, p, l) << l;
    return bits;
}
// Behind a call's operands: dropout, and the scales that hang on it.
static void gtr__res_dropout(gtr__res *s, const gtr__mlp_view *v, const gtr__mlp_parts *p, bool bf16) {
    for (int l = 0; l < p->layers; l++) {
        gtr__res_layer *q = &s->layer[l];
        q->scale = 1.0f;
        if (!gtr__res_drop(v, p, l)) continue;
        const gtr__attr *a = &v->node[p->drop[l]].attr;
        q->drop = (float)a->f[0]; q->scale = (float)(1.0 / (1.0 - a->f[0])); q->key = a->key;
        if (s->m.layer[l].act != GTR__OP_RELU) s->m.layer[l].act += GTR__RES_DROPS + 1;
    }
    s->db_scale = p->layers > 2 ? s->layer[0].scale : 1.0f;
    s->dw_scale = (s->bytes && !bf16 ? s->m.x.scale : 1.0f) * s->db_scale;
}
// Whether x can stay bytes: what has as many elements a row as x is of bytes that are scaled alone.
static bool gtr__res_bytes(const gtr__mlp_view *v, const gtr__mlp_cut *c) {
    const gtr__feed *f = (const gtr__feed *)v->node[0].attr.ptr;
    int found = 0;
    for (int k = 0; k < f->n; k++) {
        if (f->input[k].row != c->k[0]) continue;
        if (f->input[k].from != GTR_U8 || f->input[k].shift != 0.0f) return false;
        found = 1;
    }
    return found;
}
// A plan's nodes, or those of the call that replaces them, for kernels of many steps.
struct gtr__res_net {
    gtr__mlp_view v;
    gtr__mlp_parts p;
    gtr__mlp_cut cut;
    bool pre, targets;
    gtr__res_net(const gtr__plan *plan) : v{ plan->node, plan->n_node, plan, NULL } {}
    gtr__res_net(const gtr__call *c) : v{ ((const gtr__network *)c->attr->ptr)->node,
            ((const gtr__network *)c->attr->ptr)->n_node, NULL, c } {}
    bool known(bool dropout) {
        return gtr__mlp_parse(&v, &p, dropout) && gtr__mlp_extents(&v, &p, &cut)
            && gtr__res_wants(&v, &p, &pre, &targets);
    }
    bool matches(int at, const gtr__caps *caps, bool dropout) {
        if (at || caps->compute < 80 || caps->sm_count < 1 || v.plan->n_stage != 1
                || v.plan->precision == GTR_MIXED_FP16 || !known(dropout))
            return false;
        const gtr__optim *o = (const gtr__optim *)v.node[p.update].attr.ptr;
        const int64_t work = cut.parameters * cut.batch, most = (int64_t)caps->sm_count * 2500000;
        return gtr__mlp_takes(&v, &p, &cut, 5) && cut.parameters <= 1000000
            && work <= (most > 40000000 ? most : 40000000) && !(o->clip > 0) && !o->scaled
            // the target is among the other inputs
            && !gtr__mlp_same(&v, v.node[p.loss].in[1], v.node[p.forward[0]].in[0]);
    }
    gtr_dtype dtype() const { return gtr__mlp_arg(&v, v.node[p.forward[0]].in[0])->dtype; }
    bool choose(gtr__res *s, int sm_count, size_t shared) {
        s->drops = gtr__res_drops(&v, &p);
        return gtr__res_choose(s, &cut, pre, targets, gtr__res_bytes(&v, &cut), sm_count, shared);
    }
};
static int gtr__res_match(gtr__plan *plan, int at, const gtr__caps *caps) {
    gtr__res_net net(plan);
    gtr__res s;
    return net.matches(at, caps, true) && net.choose(&s, caps->sm_count, caps->shared) ? plan->n_node : 0;
}

// >>resident-launch
// Workspace: what is exchanged, then the flag, records and rates.
static size_t gtr__res_space(gtr__res *s, const gtr__mlp_cut *c, char *ws) {
    const int last = c->layers - 1, total = s->rows * 16;
    int64_t at = 0;
    auto room = [&](int64_t words) { uint32_t *here = (uint32_t *)ws + at; at += (words + 63) / 64 * 64; return here; };
    s->pool = (uint32_t *)ws;
    s->part = room((int64_t)2 * s->rows * s->groups * s->ranks * s->layer[0].slice * 16);
    for (int l = 0; l <= last; l++) {
        gtr__res_layer *q = &s->layer[l];
        if (l < last) { q->h = room((int64_t)2 * total * q->width); q->dz = room((int64_t)2 * total * q->width); }
    }
    for (int l = 1; l <= last; l++) {
        s->layer[l].w = room(s->layer[l].width * s->layer[l - 1].width); s->layer[l].b = room(s->layer[l].width);
    }
    room(s->renewed);           // of odd steps
    s->pre = room(s->last_pre ? (int64_t)2 * total * s->layer[last - 1].width : 0);
    s->dl = room((int64_t)2 * total * s->layer[last].width);
    s->loss = room(GTR__LAUNCH_STEPS * s->ranks * 4);
    s->verdict = room(GTR__LAUNCH_STEPS);
    s->words = at;
    s->flag = room(64);
    s->record = (gtr__record *)room(GTR__LAUNCH_STEPS * (int64_t)sizeof(gtr__record) / 4);
    s->rate = (gtr__rates *)room((GTR__LAUNCH_STEPS * (int64_t)sizeof(gtr__rates) + 3) / 4);
    return (size_t)at * 4;
}
// Which of the other inputs is the loss's target.
static gtr_result gtr__res_target(void *instance, const gtr__mlp &m, bool targets, int *at) {
    const void *to = targets ? m.pair.t.p : (const void *)m.xent.label;
    for (*at = 0; *at < m.n_rest; ++*at) if (m.rest[*at].to.p == to) return GTR_OK;
    return gtr__fail(instance, GTR_ERR_UNSUPPORTED, "network: the loss's target is not fed");
}
template <int P, int CUT> static gtr_result gtr__res_start(void *instance, const gtr__call *c, gtr__res *s) {
    const int blocks = s->groups * s->ranks + s->spare + 1;
    const size_t bytes = (size_t)s->end_at * 4;
    gtr__together all = gtr__all_of(gtr__k_resident<P, CUT>, s, blocks, GTR__RES_T, bytes, 1);
    return all.start(instance, c, "gtr__k_resident");
}
template <int CUT> static bool gtr__res_knows(const gtr__res *s) {
    typedef gtr__res_known<CUT> known;
    bool so = s->m.layers == known::LAST + 1 && s->layer[0].slice == known::SLICE && s->ranks == known::RANKS
        && s->kr <= known::KR && s->rows <= GTR__RES_WARPS && s->kp == known::KP && s->zp == known::ZP
        && (!s->bytes || s->xp == known::XP);
    for (int l = 1; l < s->m.layers; l++) so = so && s->layer[l].slice <= 8 * known::REST;
    return so;
}
template <int P> static gtr_result gtr__res_start_as(void *instance, const gtr__call *c, gtr__res *s) {
    if (gtr__res_knows<GTR__RES_NARROW>(s)) return gtr__res_start<P, GTR__RES_NARROW>(instance, c, s);
    if constexpr (P == GTR__RES_TF32) if (gtr__res_knows<GTR__RES_BROAD>(s))
        return gtr__res_start<P, GTR__RES_BROAD>(instance, c, s);
    return gtr__res_start<P, GTR__RES_ANY>(instance, c, s);
}
static gtr_result gtr__res_run(void *instance, const gtr__call *c) {
    static_assert(sizeof(gtr__res) <= 4096, "a kernel's parameters");
    gtr__res_net net(c);
    gtr__res s;
    memset(&s, 0, sizeof s);
    if (!net.known(true) || !net.choose(&s, gtr__sms(c), c->caps->shared))
        return gtr__fail(instance, GTR_ERR_UNSUPPORTED, "network: not what its matcher took");
    if (c->measure) return gtr__measured(c, gtr__res_space(&s, &net.cut, NULL));
    GTR__TRY(gtr__mlp_fill(instance, c, &net.v, &net.p, &net.cut, &s.m));
    gtr__res_space(&s, &net.cut, (char *)c->ws);
    GTR__TRY(gtr__res_target(instance, s.m, net.targets, &s.target));
    const gtr_dtype t = net.dtype();
    gtr__res_dropout(&s, &net.v, &net.p, t == GTR_BF16);
    if (t == GTR_BF16) return gtr__res_start_as<GTR__RES_BF16>(instance, c, &s);
    if (c->precision == GTR_TF32) return gtr__res_start_as<GTR__RES_TF32>(instance, c, &s);
    return gtr__res_start_as<GTR__RES_FP32>(instance, c, &s);
}

// >>field
// A training step of a narrow multilayer perceptron on a tall batch (a neural field, a physics fit), FEED to REPORT,
// and several steps, in one launch of a block a multiprocessor. Weights lie in shared memory, 64 rows of the batch go
// through all layers and back there and in registers, and the weights' gradients are summed over all rows in registers:
// of a step's activations nothing goes to device memory.
//
//   feeders (4 warps)  --full-->  teams (8 warps): 64 rows at a time, forward and back, dw += dz^T x in registers
//                      <-empty--    |
//                      <-seen---    | sums of all its rows, at the step's end
//                                   v
//   every block --sums--> workspace ---- barrier 1 ----> every block: its slice of the
//   parameters, summed over blocks in
//                                                        order, checked for the guard, updated
//     quick:  new weights, words with the step's tag and a mark that a slice is bad --> every block awaits all words
//     else:   bad, sum of squares --> workspace ---- barrier 2 (with clipping the update comes here, and barrier 3)
//
// A team does 64 rows: four warps (widths to 64; a block has two teams), or all eight, each half a product's columns
// (widths to 128). Where registers can be moved from warp to warp (sm_90a), four warps more are feeders: they gather a
// tile's rows, round them to halves, and arrive at the barrier `full`; a team that has read them arrives at `empty` (x)
// and `seen` (the target). No slot is written before its barrier of the lap before. There, four more warps do all of
// widths above 64 but the weights' gradients, which are left to the eight: see gtr__field_chain.
// Matrices in shared memory are panels of 64 columns of 16 bits, 128 bytes a row, 16-byte pieces permuted by row % 8 as
// wgmma and ldmatrix like it. sm_90a: wgmma; else mma.sync, whose fragments lie in registers the same way. Layer l's
// output stands in the team's place l, and the gradient of its product in place l + apart, which
// nobody reads any more by then:
// see gtr__field_team.
// The gradient of a bias is one column more of its weights' gradient, times ones. Where registers do not hold all
// weights' gradients, blocks have roles: each role does all rows, but only its layers' gradients, and goes back no
// further than the lowest of them.
// A bad step's slices are rolled back by their owners, and the weights are loaded again. A step's first rows are
// gathered while the last one's sums are added up. Before a launch's first update each block takes a snapshot of its
// slice, which it rolls back to when the launch is abandoned.
//
// Bound by latency: registers hold a gradient of 64x64 for each of four layers, so that eight warps are all there are
// to hide it. What does not fit in registers is dear: shared memory leaves L1 so small that it comes from L2, some 250
// cycles each time.
#define GTR__FIELD_T      256
#define GTR__FIELD_UNITS  4     // 64x64 parts of gradients in a warp group's registers
#define GTR__FIELD_ROLES  4
#define GTR__FIELD_ROWS   64
#define GTR__FIELD_PANEL  8192  // bytes of 64 rows
typedef struct gtr__field_layer {
    int n, k, act;              // out, in
    float act_a, act_b;
    const void *w, *bias;
    float *dw, *db;
    int flat_w, flat_b, pitch;  // among the published words; of a row of w there: whole eights
    int frag, nat_w, nat_b;     // in a block's sums, fours: see gtr__field_write
    int panels;                 // of the input
} gtr__field_layer;
typedef struct gtr__field {
    gtr__field_layer layer[GTR__MLP_LAYERS];
    int layers, batch, tiles, small;    // small: at most 8 outputs
    int roles, block0[GTR__FIELD_ROLES + 1], low[GTR__FIELD_ROLES];
    signed char unit[GTR__FIELD_ROLES][GTR__MLP_LAYERS];    // a layer's first unit, or -1
    int flat;                   // all parameters
    int frags, quads, stride;   // a block's sums: fours as they lie in registers, all fours, bytes
    int narrow;                 // the former are 16 bits each
    int w0_at, w1_at, bias_at, place_at;
    int ones_at, team_at, team_bytes, x_at, stage_at, target_at, stage_pitch;
    int ahead, x_step, target_step;      // tiles that lie ready at most; from one's x and target to the next's
    int tally_at;               // likewise, where P is 1
    // of a tile, what ReLUs let through, a bit each; at a step's end a thread's sums of the last bias's
    // gradient and of the loss
    int mask_at;
    int apart;                  // from the place of a layer's output to that of its product's gradient
    int x_slot, t_slot;
    uint32_t reciprocal;        // of the outputs, times 2^32, upwards
    gtr__feed_one feed[4];      // what FEED would fill
    int n_feed;
    float *x_kept, *t_kept;     // inputs that can be read after the launch, or NULL
    int loss;
    float seed, count;
    float *part, *losses, *value;   // value: the loss
    double2 *guard;
    // a step's new weights as their owners publish them, or NULL: see gtr__field_await_weights
    uint32_t *published;
    uint64_t *norms;            // likewise, a block's sum of squares
    int4 *records;              // the next steps', as the reporter has fetched them
    const gtr__record *ring;
    gtr__optim optim;
    int sums, checks, clipped;
    int hurry, late;            // of GTR__DEADLINE, polls that are taken as spent; see gtr__grid_late
    float4 *kept;               // parameters and moments as a launch found them, by fours
    uint4 *slopes;              // see gtr__field_slopes
    gtr__ctl *ctl;
    gtr__reporting report;
} gtr__field;
typedef struct gtr__field_head {
    gtr__segment segment[2 * GTR__MLP_LAYERS];
    gtr__record record;
    gtr__rates rate;
    int64_t origin[256];        // of a team: rows of tiles to come; -1: none
    // of a team and a tile: is there, x was used, the target was; a gradient is there
    uint64_t full[4], empty[4], seen[4], ready[2];
    // where a warp group is ahead, see gtr__field_chain: of a tile, what gradients take; a step's figures
    uint64_t made[3], used[3], ended;
    int shift;                  // of the shuffle
    int go, start;              // one more step is coming, and begins
    int lost;                   // a block did not come
    uint32_t tag;               // steps whose new weights were published
    uint32_t target;            // the count of blocks that the last barrier waited for
    uint32_t served[2];         // tiles of a team before this step
    double sums[32];
    uint64_t step, applied;
    float scale;
    uint32_t good;
    uint64_t first;             // the launch's first step, and how many follow it
    int64_t more;
    int turns;                  // polls that were spent, or taken as such
} gtr__field_head;
#define GTR__FIELD_HEAD ((sizeof(gtr__field_head) + 1023) / 1024 * 1024)

// >>field-ptx
// GTR__FIELD_NO_WGMMA: to try the other way where both are there.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && !defined(GTR__FIELD_NO_WGMMA)
#define GTR__FIELD_WGMMA 1
#else
#define GTR__FIELD_WGMMA 0
#endif
// Threads of a block: four warps more feed the teams, where registers can be moved to the warps that need them.
#define GTR__FIELD_ALL(P, FED) (GTR__FIELD_WGMMA && (FED) ? GTR__FIELD_T + 128 * (P) : GTR__FIELD_T)
// Two floats to a word of halves. RELU: of what is above 0.
template <typename T, bool RELU = false>
static GTR__DEVICE uint32_t gtr__field_pack(float lo, float hi) {
    uint32_t u = 0;
#if __CUDA_ARCH__ >= 800
#define GTR__PACK(TO) asm("cvt.rn." TO "x2.f32 %0, %1, %2;" : "=r"(u) : "f"(hi), "f"(lo))
    constexpr bool half = std::is_same<T, __half>::value;
    if constexpr (RELU && half) GTR__PACK("relu.f16");
    else if constexpr (RELU) GTR__PACK("relu.bf16");
    else if constexpr (half) GTR__PACK("f16");
    else GTR__PACK("bf16");
#undef GTR__PACK
#endif
    return u;
}
template <typename T> static GTR__DEVICE float2 gtr__field_unpack(uint32_t u) {
    if constexpr (std::is_same<T, __half>::value) {
        __half2 h;
        memcpy(&h, &u, 4);
        return __half22float2(h);
    } else return make_float2(__uint_as_float(u << 16), __uint_as_float(u & 0xffff0000u));
}
// v where the half of y is above 0, else 0.
template <typename T> static GTR__DEVICE uint32_t gtr__field_mask(uint32_t v, uint32_t y) {
#if CUDART_VERSION < 12000
    const uint32_t infinite = std::is_same<T, __half>::value ? 0x7c007c00u : 0x7f807f80u;      // behind it are NaNs
    return v & __vcmpgts2(y, 0) & __vcmples2(y, infinite);
#else
    if constexpr (std::is_same<T, __half>::value) {
        __half2 h;
        memcpy(&h, &y, 4);
        return v & __hgt2_mask(h, __half2half2(__ushort_as_half(0)));
    } else {
        __nv_bfloat162 h;
        memcpy(&h, &y, 4);
        return v & __hgt2_mask(h, __bfloat162bfloat162(__ushort_as_bfloat16(0)));
    }
#endif
}
static GTR__DEVICE void gtr__field_put_matrix4(uint32_t address, const uint32_t *r) {
#if __CUDA_ARCH__ >= 900
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" :: "r"(address), "r"(r[0]),
        "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
#else
    const int lane = (int)threadIdx.x & 31;
#pragma unroll
    for (int i = 0; i < 4; i++) {           // the lane that holds the address of matrix i's row lane / 4
        uint32_t to = __shfl_sync(0xffffffffu, address, i * 8 + (lane >> 2));
        asm volatile("st.shared.u32 [%0], %1;" :: "r"(to + (lane & 3) * 4), "r"(r[i]) : "memory");
    }
#endif
}
// What threads wrote to shared memory is seen by wgmma behind the barrier that follows.
static GTR__DEVICE void gtr__field_publish() {
#if GTR__FIELD_WGMMA
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
// Barriers: of a block's teams (all of it but the feeders), of one team, and of its feeders. bar.sync promises that all
// who wait do so at the same instruction.
static GTR__DEVICE void gtr__field_barrier() {
    asm volatile("bar.sync 5, %0;" :: "n"(GTR__FIELD_T) : "memory");
}
static GTR__DEVICE bool gtr__field_any(bool v) {
    uint32_t any;
    asm volatile("{\n.reg .pred p, q;\nsetp.ne.u32 p, %1, 0;\nbar.red.or.pred q, 5, %2, p;\nselp.u32 %0, 1, 0, q;\n}\n"
        : "=r"(any) : "r"((uint32_t)v), "n"(GTR__FIELD_T) : "memory");
    return any != 0;
}
// A step's record is there, and the feeders can gather its first rows: teams arrive only, and do not wait.
template <int P>
static GTR__DEVICE void gtr__field_announce() {
    asm volatile("bar.arrive 6, %0;" :: "n"(GTR__FIELD_T + 128 * P) : "memory");
}
// The step begins, for the feeders, who await it at this barrier; wait: where the teams have no rows, and so nothing
// else holds them back.
template <int P> static GTR__DEVICE void gtr__field_go(bool wait) {
    if (wait) asm volatile("barrier.sync 7, %0;" :: "n"(GTR__FIELD_T + 128 * P) : "memory");
    else asm volatile("bar.arrive 7, %0;" :: "n"(GTR__FIELD_T + 128 * P) : "memory");
}
template <int P>
static GTR__DEVICE void gtr__field_announced() {
    asm volatile("bar.sync 6, %0;" :: "n"(GTR__FIELD_T + 128 * P) : "memory");
}
template <int P> static GTR__DEVICE void gtr__field_team_barrier(int team) {
    if constexpr (P == 2) gtr__field_barrier();
    else asm volatile("bar.sync %0, 128;" :: "r"(team + 1) : "memory");
}
template <int P, bool FED> static GTR__DEVICE void gtr__field_feed_barrier(int team) {
    if constexpr (!FED) gtr__field_team_barrier<P>(team);
    else {
        __syncwarp();       // lanes that waited, or gathered rows, may still have diverged
        asm volatile("bar.sync %0, %1;" :: "r"(team + 3), "n"(64 * P) : "memory");
    }
}
// Barriers in shared memory: a warp that is done arrives; a thread that waits for a phase names its parity.
static GTR__DEVICE void gtr__field_set(uint32_t barrier, uint32_t warps) {
#if GTR__FIELD_WGMMA
    gtr__bar_set(barrier, warps);
#endif
}
template <int TIMES = 1> static GTR__DEVICE void gtr__field_signal(uint32_t barrier) {
#if GTR__FIELD_WGMMA
    __syncwarp();
    if ((threadIdx.x & 31) == 0) gtr__bar_arrive<TIMES>(barrier);
#endif
}
// A barrier of threads of this block alone, as __syncthreads is, and like it without a deadline: all waits for other
// blocks have one, so that whoever is waited for here always arrives. With a deadline a step of 128 columns takes,
// instead of 266 us: 385 with a trap behind it, or as a loop of PTX (ptxas 13.0 serializes products, C7514); 295 as
// waits of a second each; 285 and 282 as a loop that falls through and marks the block as lost.
static GTR__DEVICE void gtr__field_await(uint32_t barrier, uint32_t parity) {
#if GTR__FIELD_WGMMA
    while (!gtr__bar_passed(barrier, parity & 1)) {}
#endif
}
// What all lanes of a warp have, so that the compiler knows it.
static GTR__DEVICE uint32_t gtr__field_same(uint32_t v) {
#if GTR__FIELD_WGMMA
    asm volatile("redux.sync.or.b32 %0, %0, 0xffffffff;" : "+r"(v));
    return v;
#else
    return __shfl_sync(0xffffffffu, v, 0);
#endif
}
// A warp group's registers, from here on.
template <int N, bool MORE> static GTR__DEVICE void gtr__field_registers() {
#if GTR__FIELD_WGMMA
    if constexpr (MORE) asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(N));
    else asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(N));
#endif
}
#if GTR__FIELD_WGMMA
// A panel as wgmma sees it: groups of 8 rows 1024 bytes apart; far: from 64 columns to the next. Both in pieces of 16
// bytes; what comes behind it in the panel is that much more.
static GTR__DEVICE uint32_t gtr__field_word(uint32_t address, uint32_t far) {
    return (address >> 4) + (far >> 4 << 16);
}
static GTR__DEVICE uint64_t gtr__field_panel(uint32_t word) {
    uint64_t d;
    asm("mov.b64 %0, {%1, %2};" : "=l"(d) : "r"(word), "r"(1u << 30 | 1024u >> 4));
    return d;
}
static GTR__DEVICE void gtr__field_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
static GTR__DEVICE void gtr__field_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int LEFT>
static GTR__DEVICE void gtr__field_until() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(LEFT) : "memory");
}
// d (64 x N) = A B, or += where ADD: both in panels. TA, TB: rows are k (else columns).
template <typename T, int N, int TA, int TB, bool ADD>
static GTR__DEVICE void gtr__field_ss(float *d, uint64_t a, uint64_t b) {
#define GTR__SS(N_, TYPE, LIST, ACC, i0, i1, i2, i3, i4) \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #i2 ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N_ "k16.f32." \
        TYPE "." TYPE " " LIST "}, %" #i0 ", %" #i1 ", p, 1, 1, %" #i3 ", %" #i4 ";\n}\n" \
                 : ACC : "l"(a), "l"(b), "n"((int)ADD), "n"(TA), "n"(TB))
#define GTR__SS_ALL(TYPE, c) do { \
    if constexpr (N == 8) GTR__SS(8, TYPE, GTR__L4, GTR__A4(c, 0), 4, 5, 6, 7, 8); \
    else if constexpr (N == 40) GTR__SS(40, TYPE, GTR__L20, GTR__A20(c), 20, 21, 22, 23, 24); \
    else if constexpr (N == 64) GTR__SS(64, TYPE, GTR__L32, GTR__A32(c), 32, 33, 34, 35, 36); \
    else if constexpr (N == 72) GTR__SS(72, TYPE, GTR__L36, GTR__A36(c), 36, 37, 38, 39, 40); \
    else GTR__SS(128, TYPE, GTR__L64, GTR__A64(c), 64, 65, 66, 67, 68); } while (0)
    if constexpr (std::is_same<T, __half>::value) {
        if constexpr (ADD) GTR__SS_ALL("f16", "+f"); else GTR__SS_ALL("f16", "=f");
    }
    else if constexpr (ADD) GTR__SS_ALL("bf16", "+f"); else GTR__SS_ALL("bf16", "=f");
}
// The same with A's 64x16 in registers.
template <typename T, int N, int TB, bool ADD>
static GTR__DEVICE void gtr__field_rs(float *d, const uint32_t *r, uint64_t b) {
#define GTR__RS(N_, TYPE, LIST, ACC, i0, i1, i2, i3, i4, i5, i6) \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #i5 ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N_ "k16.f32." \
        TYPE "." TYPE " " LIST "}, {%" #i0 ", %" #i1 ", %" #i2 ", %" #i3 "}, %" #i4 ", p, 1, 1, %" #i6 ";\n}\n" \
                 : ACC : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(b), "n"((int)ADD), "n"(TB))
#define GTR__RS_ALL(TYPE, c) do { \
    if constexpr (N == 8) GTR__RS(8, TYPE, GTR__L4, GTR__A4(c, 0), 4, 5, 6, 7, 8, 9, 10); \
    else if constexpr (N == 64) GTR__RS(64, TYPE, GTR__L32, GTR__A32(c), 32, 33, 34, 35, 36, 37, 38); \
    else GTR__RS(128, TYPE, GTR__L64, GTR__A64(c), 64, 65, 66, 67, 68, 69, 70); } while (0)
    if constexpr (std::is_same<T, __half>::value) {
        if constexpr (ADD) GTR__RS_ALL("f16", "+f"); else GTR__RS_ALL("f16", "=f");
    }
    else if constexpr (ADD) GTR__RS_ALL("bf16", "+f"); else GTR__RS_ALL("bf16", "=f");
}
#undef GTR__SS
#undef GTR__SS_ALL
#undef GTR__RS
#undef GTR__RS_ALL
#else
static GTR__DEVICE void gtr__field_begin() {}
static GTR__DEVICE void gtr__field_commit() {}
template <int LEFT> static GTR__DEVICE void gtr__field_until() {}
template <typename T>
static GTR__DEVICE void gtr__field_mma(float *d, const uint32_t *a, const uint32_t *b) {
    if constexpr (std::is_same<T, __half>::value) gtr__mma_f16(d, a, b); else gtr__mma_bf16(d, a, b);
}
// Of a panel: row r, piece c.
static GTR__DEVICE uint32_t gtr__field_piece(uint32_t panel, int r, int c) {
    return panel + r * 128 + ((c ^ (r & 7)) << 4);
}
#endif

// >>field-products
// What a product takes from or left in registers is written before gtr__field_begin, and read
// behind gtr__field_until, only.
template <int N> static GTR__DEVICE void gtr__field_hold(float *d) {
#pragma unroll
    for (int i = 0; i < N; i++) asm volatile("" : "+f"(d[i]) :: "memory");
}
template <int N> static GTR__DEVICE void gtr__field_hold(uint32_t *r) {
#pragma unroll
    for (int i = 0; i < N; i++) asm volatile("" : "+r"(r[i]) :: "memory");
}
// Products of a warp group: a is 64 rows, 16 to a warp. Between gtr__field_begin and gtr__field_until nobody touches
// what they read or write in registers.
// d (64 x 8 TILES) += a w^T: rows of w are columns of d; STEPS steps of k, the first being first of w's panel.
template <typename T, int TILES, int STEPS>
static GTR__DEVICE void gtr__field_forward_r(float *d, const uint32_t *a, uint32_t w, int first) {
#if GTR__FIELD_WGMMA
    const uint32_t at = gtr__field_word(w, 16) + first * 2;
#pragma unroll
    for (int s = 0; s < STEPS; s++) gtr__field_rs<T, TILES * 8, 0, true>(d, a + 4 * s, gtr__field_panel(at + s * 2));
#else
    const int lane = (int)threadIdx.x & 31;
#pragma unroll
    for (int s = 0; s < STEPS; s++)
#pragma unroll
        for (int j = 0; j < TILES; j += 2) {
            uint32_t b[4];
            gtr__matrix4(b, gtr__field_piece(w, TILES == 1 ? lane & 7 : j * 8 + (lane >> 4) * 8 + (lane & 7),
                (first + s) * 2 + (lane >> 3 & 1)));
            gtr__field_mma<T>(d + 4 * j, a + 4 * s, b);
            if (TILES > 1) gtr__field_mma<T>(d + 4 * j + 4, a + 4 * s, b + 2);
        }
#endif
}
// The same, a in panels, far_a and far_w apart.
template <typename T, int TILES, int STEPS>
static GTR__DEVICE void gtr__field_forward_s(float *d, uint32_t a, uint32_t far_a, uint32_t w,
        uint32_t far_w, int first) {
#if GTR__FIELD_WGMMA
    const uint32_t from = gtr__field_word(a, 16) + first * 2, at = gtr__field_word(w, 16) + first * 2;
#pragma unroll
    for (int s = 0; s < STEPS; s++) gtr__field_ss<T, TILES * 8, 0, 0, true>(d, gtr__field_panel(
        from + (s / 4) * (far_a >> 4) + s % 4 * 2), gtr__field_panel(at + (s / 4) * (far_w >> 4) + s % 4 * 2));
#else
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5 & 3;
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        uint32_t f[4];
        gtr__matrix4(f,
            gtr__field_piece(a + (s / 4) * far_a, warp * 16 + (lane & 15), (first + (s & 3)) * 2 + (lane >> 4)));
#pragma unroll
        for (int j = 0; j < TILES; j += 2) {
            uint32_t b[4];
            gtr__matrix4(b, gtr__field_piece(w + (s / 4) * far_w,
                TILES == 1 ? lane & 7 : j * 8 + (lane >> 4) * 8 + (lane & 7), (first + (s & 3)) * 2 + (lane >> 3 & 1)));
            gtr__field_mma<T>(d + 4 * j, f, b);
            if (TILES > 1) gtr__field_mma<T>(d + 4 * j + 4, f, b + 2);
        }
    }
#endif
}
// d (64 x 64) = dz w: rows of w are k. a: registers, or panels of dz far_a apart.
template <typename T, int STEPS, bool REGISTERS>
static GTR__DEVICE void gtr__field_back(float *d, const uint32_t *r, uint32_t a,
        uint32_t far_a, uint32_t w) {
#if GTR__FIELD_WGMMA
    const uint32_t from = gtr__field_word(a, 16), at = gtr__field_word(w, 16);
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        if constexpr (REGISTERS) {
            if (s) gtr__field_rs<T, 64, 1, true>(d, r + 4 * s, gtr__field_panel(at + s * 128));
            else gtr__field_rs<T, 64, 1, false>(d, r, gtr__field_panel(at));
        }
        else if (s) gtr__field_ss<T, 64, 0, 1, true>(d, gtr__field_panel(from + (s / 4) * (far_a >> 4) + s % 4 * 2),
            gtr__field_panel(at + s * 128));
        else gtr__field_ss<T, 64, 0, 1, false>(d, gtr__field_panel(from), gtr__field_panel(at));
    }
#else
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5 & 3;
#pragma unroll
    for (int i = 0; i < 32; i++) d[i] = 0.0f;
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        uint32_t f[4];
        if constexpr (REGISTERS) { f[0] = r[4 * s]; f[1] = r[4 * s + 1]; f[2] = r[4 * s + 2]; f[3] = r[4 * s + 3]; }
        else gtr__matrix4(f,
            gtr__field_piece(a + (s / 4) * far_a, warp * 16 + (lane & 15), (s & 3) * 2 + (lane >> 4)));
#pragma unroll
        for (int j = 0; j < 8; j += 2) {
            uint32_t b[4];
            gtr__matrix4_t(b, gtr__field_piece(w, s * 16 + (lane & 15), j + (lane >> 4)));
            gtr__field_mma<T>(d + 4 * j, f, b);
            gtr__field_mma<T>(d + 4 * j + 4, f, b + 2);
        }
    }
#endif
}
// d (64 x 8 TILES) += dz^T x over 64 rows; dz and x: panels. TILES 9: the last is of ones, 16
// rows of them far behind x.
template <typename T, int TILES>
static GTR__DEVICE void gtr__field_outer(float *d, uint32_t dz, uint32_t x, uint32_t far) {
#if GTR__FIELD_WGMMA
    const uint32_t from = gtr__field_word(dz, 16), at = gtr__field_word(x, TILES == 9 ? far : 16);
#pragma unroll
    for (int s = 0; s < 4; s++) gtr__field_ss<T, TILES * 8, 1, 1, true>(d, gtr__field_panel(from + s * 128),
        gtr__field_panel(at + (TILES == 9 ? s * (128 - (128 << 16)) : s * 128)));
#else
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5 & 3;
#pragma unroll
    for (int s = 0; s < 4; s++) {
        uint32_t f[4], b[4];
        gtr__matrix4_t(f,
            gtr__field_piece(dz, s * 16 + (lane >> 4) * 8 + (lane & 7), warp * 2 + (lane >> 3 & 1)));
#pragma unroll
        for (int j = 0; j < TILES; j += 2) {
            gtr__matrix4_t(b, j == 8 ? gtr__field_piece(x + far, lane & 15, 0)
                : gtr__field_piece(x, s * 16 + (lane & 15), j + (lane >> 4)));
            gtr__field_mma<T>(d + 4 * j, f, b);
            if (j + 1 < TILES) gtr__field_mma<T>(d + 4 * j + 4, f, b + 2);
        }
    }
#endif
}
// d (64 x 8) += x^T dz over 64 rows; dz: 16 bytes a row.
template <typename T> static GTR__DEVICE void gtr__field_outer_last(float *d, uint32_t x, uint32_t dz) {
#if GTR__FIELD_WGMMA
    const uint32_t from = gtr__field_word(x, 16), at = gtr__field_word(dz, 128);
#pragma unroll
    for (int s = 0; s < 4; s++) gtr__field_ss<T, 8, 1, 1, true>(d, gtr__field_panel(from + s * 128),
        gtr__field_panel(at + s * 16) - ((uint64_t)(1u << 30 | 1024u >> 4) << 32) + ((uint64_t)8 << 32));
#else
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5 & 3;
#pragma unroll
    for (int s = 0; s < 4; s++) {
        uint32_t f[4], b[4];
        gtr__matrix4_t(f, gtr__field_piece(x, s * 16 + (lane >> 4) * 8 + (lane & 7), warp * 2 + (lane >> 3 & 1)));
        gtr__matrix4_t(b, dz + (s * 16 + (lane & 15)) * 16);
        gtr__field_mma<T>(d, f, b);
    }
#endif
}

// >>field-rows
// A thread's place in its team.
template <int P> struct gtr__field_place {
    int team, half, warp, lane, tid;        // half: which 64 columns; tid: within the team
    // the team's shared memory; for moving 16x16 parts of this warp's rows: lane's row of lane's matrix
    uint32_t at, row, turn;
    char *base;
    // index: within the group
    GTR__DEVICE gtr__field_place(const gtr__field &m, char *pool, int group, int index)
    {
        team = P == 1 ? group : 0; half = P == 1 ? 0 : group;
        warp = (int)threadIdx.x >> 5 & 3; lane = (int)threadIdx.x & 31; tid = P == 1 ? index : group * 128 + index;
        base = pool + m.team_at + team * m.team_bytes;
        at = gtr__field_same(gtr__shared_address(pool) + m.team_at + team * m.team_bytes);
        row = (uint32_t)(warp * 16 + (lane & 15)) * 128; turn = (uint32_t)((lane >> 4 ^ (lane & 7)) << 4);
    }
    GTR__DEVICE uint32_t part(uint32_t panel, int s) const {
        return panel + row + (turn ^ (uint32_t)(s << 5));
    }
    // Of the team's shared memory: see gtr__field_layer.
    GTR__DEVICE uint32_t y_at(const gtr__field &m, int l) const {
        return at + m.place_at + l * (P * GTR__FIELD_PANEL);
    }
    GTR__DEVICE uint32_t dz_at(const gtr__field &m, int l) const { return y_at(m, l + m.apart); }
};
// A layer's weights in the block's.
template <int P>
static GTR__DEVICE uint32_t gtr__field_w(const gtr__field &m, int l) {
    return l ? m.w1_at + (l - 1) * (P * P * GTR__FIELD_PANEL) : m.w0_at;
}
// Which rows of the data set the team's tile number n has, one a thread.
template <int P>
static GTR__DEVICE void gtr__field_origins(const gtr__field &m, gtr__field_head *h,
        const gtr__field_place<P> &p, int tile, int n) {
    const int64_t i = (int64_t)tile * GTR__FIELD_ROWS + p.tid;
    if (p.tid >= GTR__FIELD_ROWS) return;
    const int64_t r = gtr__origin<true>(i, h->record.rows, h->record.first, h->record.key, h->shift);
    h->origin[p.team * 128 + (n & 1) * 64 + p.tid] = i < m.batch ? r : -1;
}
// The tile's inputs to their slots, where they can be read after the launch.
template <int P, int N>
static GTR__DEVICE void gtr__field_keep(const gtr__field &m, const gtr__field_place<P> &p,
        int tile, int slot) {
    const int k = m.layer[0].k, n = m.layer[m.layers - 1].n,
        rows = m.batch - tile * GTR__FIELD_ROWS < GTR__FIELD_ROWS ? m.batch - tile * GTR__FIELD_ROWS : GTR__FIELD_ROWS;
    const int shift = m.stage_pitch == 128 ? 3 : m.stage_pitch == 256 ? 4 : 5, c = p.tid & ((1 << shift) - 1);
    const int64_t row0 = (int64_t)tile * GTR__FIELD_ROWS;
    if (m.x_kept && k % 4 == 0 && ((uintptr_t)m.x_kept & 15) == 0) {
#pragma unroll 4
        for (int r = p.tid >> shift; r < GTR__FIELD_ROWS; r += N >> shift)
            if (r < rows && c * 4 < k) *(float4 *)(m.x_kept + (row0 + r) * k + c * 4) =
                *(const float4 *)(p.base + m.stage_at + r * m.stage_pitch + ((c ^ (r & 7)) << 4));
    } else if (m.x_kept) {
#pragma unroll 1
        for (int e = p.lane; e < k; e += 32)
            for (int r = p.tid >> 5; r < rows; r += N / 32)
                m.x_kept[(row0 + r) * k + e] = *(const float *)(
                    p.base + m.stage_at + r * m.stage_pitch + (((e >> 2) ^ (r & 7)) << 4) + (e & 3) * 4);
    }
#pragma unroll 2
    for (int i = p.tid; m.t_kept && i < rows * n; i += N)
        m.t_kept[row0 * n + i] = *(const float *)(p.base + m.target_at + slot * m.target_step + i * 4);
}
// By N threads. Issues the copies of a tile's rows: x and the target as they lie in the data set. A row of x
// takes stage_pitch bytes.
template <int P, int N>
static GTR__DEVICE void gtr__field_ask_x(const gtr__field &m, const gtr__record *record,
        const int64_t *origin, const gtr__field_place<P> &p) {
    const int k = m.layer[0].k, shift = m.stage_pitch == 128 ? 3 : m.stage_pitch == 256 ? 4 : 5;
    const char *src = (const char *)(uintptr_t)record->src[m.x_slot];
    if (k % 4 == 0 && ((uintptr_t)src & 15) == 0) {
        const int c = p.tid & ((1 << shift) - 1), r0 = p.tid >> shift, step = N >> shift;
        char *to = p.base + m.stage_at + r0 * m.stage_pitch + ((c ^ (r0 & 7)) << 4);
#pragma unroll 4
        // step is a multiple of 8, or 4 with every other row's pieces turned
        for (int r = r0; r < GTR__FIELD_ROWS; r += step) {
            const int64_t o = origin[r];
            const bool ok = o >= 0 && c * 4 < k;
            if (step % 8) to = p.base + m.stage_at + r * m.stage_pitch + ((c ^ (r & 7)) << 4);
            gtr__copy16(to, ok ? src + o * (k * 4) + c * 16 : src, ok);
            to += step * m.stage_pitch;
        }
        return;
    }
    for (int i = p.tid; i < GTR__FIELD_ROWS << (shift + 2); i += N) {
        const int r = i >> (shift + 2), c = i & ((4 << shift) - 1);
        const int64_t o = origin[r];
        const bool ok = o >= 0 && c < k;
        gtr__copy4(p.base + m.stage_at + r * m.stage_pitch + (((c >> 2) ^ (r & 7)) << 4) + (c & 3) * 4,
            ok ? src + o * (k * 4) + c * 4 : src, ok);
    }
}
template <int P, int N>
static GTR__DEVICE void gtr__field_ask_target(const gtr__field &m, const gtr__record *record,
        const int64_t *origin, const gtr__field_place<P> &p, int slot) {
    const int n = m.layer[m.layers - 1].n;
    const char *src = (const char *)(uintptr_t)record->src[m.t_slot];
    for (int i = p.tid; i < GTR__FIELD_ROWS * n; i += N) {
        const int r = n == 1 ? i : (int)__umulhi((uint32_t)i, m.reciprocal), c = i - r * n;
        const int64_t o = origin[r];
        gtr__copy4(p.base + m.target_at + slot * m.target_step + i * 4,
            o >= 0 ? src + o * (n * 4) + c * 4 : src, o >= 0);
    }
}
// x to halves in its panel; kept: to the input's slot as well.
template <typename T, int P, int N>
static GTR__DEVICE void gtr__field_take_x(const gtr__field &m, const gtr__field_place<P> &p, int tile,
        int slot, bool keep) {
    const int shift = m.stage_pitch == 128 ? 2 : m.stage_pitch == 256 ? 3 : 4, c = p.tid & ((1 << shift) - 1);
#pragma unroll 2
    for (int r = p.tid >> shift; r < GTR__FIELD_ROWS; r += N >> shift) {
        const char *row = p.base + m.stage_at + r * m.stage_pitch;
        const float4 a = *(const float4 *)(row + (((2 * c) ^ (r & 7)) << 4)),
            b = *(const float4 *)(row + (((2 * c + 1) ^ (r & 7)) << 4));
        uint4 u;
        u.x = gtr__field_pack<T>(a.x, a.y); u.y = gtr__field_pack<T>(a.z, a.w);
        u.z = gtr__field_pack<T>(b.x, b.y); u.w = gtr__field_pack<T>(b.z, b.w);
        *(uint4 *)(p.base + m.x_at + slot * m.x_step + (c >> 3) * GTR__FIELD_PANEL + r * 128
            + (((c & 7) ^ (r & 7)) << 4)) = u;
    }
    if (keep) gtr__field_keep<P, N>(m, p, tile, slot);
}
// d (64 x 8 TILES) = the bias of layer l, in all rows: a product too, of what is 1 in column l only. Biases stand as
// columns of 8 of 16 bits a row.
template <typename T, int TILES>
static GTR__DEVICE void gtr__field_bias(float *d, uint32_t bias, const uint32_t *a) {
#if GTR__FIELD_WGMMA
    gtr__field_rs<T, TILES * 8, 0, false>(d, a,
        gtr__field_panel(gtr__field_word(bias, 0)) - ((uint64_t)(1u << 30 | 1024u >> 4) << 32) + ((uint64_t)8 << 32));
#else
#pragma unroll
    for (int j = 0; j < TILES; j += 4) {
        uint32_t b[4];
        gtr__matrix4(b, bias + (j * 8 + ((int)threadIdx.x & 31)) * 16);
#pragma unroll
        for (int i = 0; i < 4 && j + i < TILES; i++) {
            const uint32_t c[2] = { b[i], 0 };
            float *to = d + (j + i) * 4;
            to[0] = to[1] = to[2] = to[3] = 0.0f;
            gtr__field_mma<T>(to, a, c);
        }
    }
#endif
}
// What it takes: ones in column l of 16.
template <typename T> struct gtr__field_ones {
    uint32_t a[4];
    GTR__DEVICE gtr__field_ones(int l, int lane)
    {
        a[0] = a[1] = (lane & 3) == (l >> 1) ? gtr__field_pack<T>(l & 1 ? 0.0f : 1.0f, l & 1 ? 1.0f : 0.0f) : 0;
        a[2] = a[3] = 0;
        gtr__field_hold<4>(a);
    }
};
// A warp's part of 64 columns to panel.
template <int P>
static GTR__DEVICE void gtr__field_put(const gtr__field_place<P> &p, uint32_t panel, const uint32_t *y) {
#pragma unroll
    for (int s = 0; s < 4; s++) gtr__field_put_matrix4(p.part(panel, s), y + 4 * s);
}
// Activations: y = f(x) and f'(x), by which the way back multiplies, so that both share what is costly. Errors are a
// quarter of what storage rounds by: 2^-13 of y (of 2^-14 if it is smaller) and of f' (of 2^-4). Other rows of the
// table go by their formulas.
static GTR__DEVICE float gtr__field_exp2(float v) {
    asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(v));
    return v;
}
static GTR__DEVICE float gtr__field_inverse(float v) {
    asm("rcp.approx.ftz.f32 %0, %0;" : "+f"(v));
    return v;
}
#define GTR__LOG2E 1.44269504088896f
template <int OP> static GTR__DEVICE float2 gtr__field_act(float x, float a, float b) {
    if constexpr (OP == GTR__OP_SIGMOID) {
        const float y = gtr__field_inverse(1.0f + gtr__field_exp2(x * -GTR__LOG2E));
        return make_float2(y, fmaf(-y, y, y));
    } else if constexpr (OP == GTR__OP_TANH) {      // a series where the quotient has few bits left
        const float q = x * x, v = fmaf(-2.0f, gtr__field_inverse(1.0f + gtr__field_exp2(x * (2 * GTR__LOG2E))), 1.0f),
            y = q < 0.0625f ? x * fmaf(q, fmaf(q, 2.0f / 15.0f, -1.0f / 3.0f), 1.0f) : v;
        return make_float2(y, fmaf(-y, y, 1.0f));
    } else if constexpr (OP == GTR__OP_GELU_TANH) { // s = (1 + tanh u) / 2; |x| > 100 has no more than 0 and 1
        const float k = 2 * (float)GTR__SQRT2_PI, q = fminf(x * x, 1e4f),
            s = gtr__field_inverse(1.0f + gtr__field_exp2(x * fmaf(q, -0.044715f * k * GTR__LOG2E, -k * GTR__LOG2E)));
        return make_float2(x * s, fmaf(fmaf(-s, s, s) * x, fmaf(q, 3 * 0.044715f * k, k), s));
    } else if constexpr (OP == GTR__OP_GELU) {      // s = Phi(x); Phi(-|x|) over the density is a series in t
        const float t = gtr__field_inverse(fmaf(fabsf(x), 0.28f, 1.0f)),
            density = gtr__field_exp2(fmaf(x * x, -0.5f * GTR__LOG2E, -1.3257480647f)), tail = density * t
            * fmaf(t, fmaf(t, fmaf(t, 0.8169889790f, -0.3218095184f), 0.5120775993f), 0.2460570775f),
            s = x < 0.0f ? tail : 1.0f - tail;
        return make_float2(x * s, fmaf(x, density, s));
    } else {
        const float y = gtr__unary_fwd(OP, x, a, b);
        return make_float2(y, gtr__unary_bwd(OP, 1.0f, x, y, a, b));
    }
}
// Where a thread keeps the derivatives of layer l, THREADS of 16 bytes apart: nobody else reads them, so that they stay
// in L2.
template <int THREADS>
static GTR__DEVICE uint4 *gtr__field_slopes(const gtr__field &m, int l, int thread) {
    return m.slopes + ((int64_t)blockIdx.x * (m.layers - 1) + l) * 1024 + thread;
}
static GTR__DEVICE void gtr__field_words(const uint4 *from, uint32_t *r) {
    const uint4 v = __ldcg(from);
    r[0] = v.x; r[1] = v.y; r[2] = v.z; r[3] = v.w;
}
// The output of layer l from N pairs of its product, in words of halves. RELU: all activations are; of others the
// derivatives go to slopes, less a half: all of a gelu's of small x would be rounded to that, and the gradients of
// layers below may be made of what is more.
template <typename T, int N, int THREADS, bool RELU>
static GTR__DEVICE void gtr__field_output(const gtr__field &m, int l, const float *d, uint32_t *y,
        int thread) {
    if constexpr (RELU) {
#pragma unroll
        for (int i = 0; i < N; i++) y[i] = gtr__field_pack<T, true>(d[2 * i], d[2 * i + 1]);
    } else {
        const gtr__field_layer &L = m.layer[l];
        uint4 *slopes = gtr__field_slopes<THREADS>(m, l, thread);
        const float a = L.act_a, b = L.act_b;
        uint32_t s[4];
#define GTR__EACH(VALUE) \
    _Pragma("unroll") for (int i = 0; i < N; i++) { \
        float x = d[2 * i]; \
        const float2 u = VALUE; \
        x = d[2 * i + 1]; \
        const float2 v = VALUE; \
        y[i] = gtr__field_pack<T>(u.x, v.x); \
        s[i % 4] = gtr__field_pack<T>(u.y - 0.5f, v.y - 0.5f); \
        if (i % 4 == 3) __stcg(slopes + i / 4 * THREADS, make_uint4(s[0], s[1], s[2], s[3])); \
    }
#define GTR__CASE(ID, name, forward, backward) case GTR__OP_##ID: \
    if constexpr (GTR__OP_##ID != GTR__OP_LOG) GTR__EACH((gtr__field_act<GTR__OP_##ID>(x, a, b))) break;
        switch (L.act) { GTR__KNOWN(GTR__CASE) default: GTR__EACH(make_float2(x, 1.0f)) }
#undef GTR__CASE
#undef GTR__EACH
    }
}
// Back through it: z = d f'(x), N pairs; r: f'(x) - 1/2.
template <typename T, int N>
static GTR__DEVICE void gtr__field_through(const float *d, const uint32_t *r, uint32_t *z) {
#pragma unroll
    for (int i = 0; i < N; i++) {
        const float2 v = gtr__field_unpack<T>(r[i]);
        z[i] = gtr__field_pack<T>(fmaf(d[2 * i], v.x, 0.5f * d[2 * i]),
            fmaf(d[2 * i + 1], v.y, 0.5f * d[2 * i + 1]));
    }
}
// What the activation of layer l needs on the way back, the first or the second half of the warp's: loaded ahead.
template <int P, bool RELU>
static GTR__DEVICE void gtr__field_recall(const gtr__field &m, int l, const gtr__field_place<P> &p,
        int half, uint32_t *r) {
#pragma unroll
    for (int s = 0; s < 2; s++) {
        if constexpr (RELU)
            gtr__matrix4(r + 4 * s, p.part(p.y_at(m, l) + p.half * GTR__FIELD_PANEL, half * 2 + s));
        else gtr__field_words(gtr__field_slopes<GTR__FIELD_T>(m, l, (int)threadIdx.x)
            + (half * 2 + s) * GTR__FIELD_T, r + 4 * s);
    }
}
// The gradient of layer l's product from that of its output, likewise; r: the first half.
template <typename T, int P, bool RELU>
static GTR__DEVICE void gtr__field_gradient(const gtr__field &m, int l, const gtr__field_place<P> &p,
        const float *d, uint32_t *r, uint32_t *dz) {
#pragma unroll
    for (int s = 0; s < 2; s++) {
        if constexpr (RELU) {
            uint32_t *z = dz + 8 * s;
#pragma unroll
            for (int i = 0; i < 8; i++) z[i] = gtr__field_pack<T>(d[16 * s + 2 * i], d[16 * s + 2 * i + 1]);
#pragma unroll
            for (int i = 0; i < 8; i++) z[i] = gtr__field_mask<T>(z[i], r[i]);
        } else gtr__field_through<T, 8>(d + 16 * s, r, dz + 8 * s);
        if (s == 0) gtr__field_recall<P, RELU>(m, l, p, 1, r);
    }
}
// Sigmoid less target, and loss, of a logit that has no more than 11 bits itself: by the quick functions, and a series
// where 1 + e has too few of e.
static GTR__DEVICE void gtr__field_bce(float x, float t, float &slope, float &loss) {
    const float e = __expf(-fabsf(x));
    slope = __fdividef(x >= 0.0f ? 1.0f : e, 1.0f + e) - t;
    loss = fmaxf(x, 0.0f) - x * t + (e < 0.015625f ? e * fmaf(e, fmaf(e, 1.0f / 3.0f, -0.5f), 1.0f) : __logf(1.0f + e));
}
// Loss and its gradient of 8 columns from c0 on: d has the product; to z goes the gradient in halves. sums:
// of the gradient's columns.
template <typename T, int P>
static GTR__DEVICE void gtr__field_loss(const gtr__field &m, const gtr__field_place<P> &p,
        const float *target, const float *d, uint32_t *z, int tile, int c0, float g, float &loss, float *sums) {
    const int n = m.layer[m.layers - 1].n, c = c0 + (p.lane & 3) * 2, r = p.warp * 16 + (p.lane >> 2);
    float v[4], x[4], t[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int row = r + (i >> 1) * 8, column = c + (i & 1);
        T low;
        gtr__store(&low, d[i]);
        x[i] = gtr__load(&low);
        t[i] = column < n ? target[row * n + column] : 0.0f;
    }
    if (m.loss == GTR__OP_MSE) {
#pragma unroll
        for (int i = 0; i < 4; i++) { v[i] = 2.0f * g * (x[i] - t[i]); x[i] = (x[i] - t[i]) * (x[i] - t[i]); }
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) { gtr__field_bce(x[i], t[i], v[i], x[i]); v[i] *= g; }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const bool live = c + (i & 1) < n && tile * GTR__FIELD_ROWS + r + (i >> 1) * 8 < m.batch;
        loss += live ? x[i] : 0.0f;
        v[i] = live ? v[i] : 0.0f;
    }
    z[0] = gtr__field_pack<T>(v[0], v[1]);
    z[1] = gtr__field_pack<T>(v[2], v[3]);
    if (sums) {
        const float2 a = gtr__field_unpack<T>(z[0]), b = gtr__field_unpack<T>(z[1]);
        sums[0] += a.x + b.x;
        sums[1] += a.y + b.y;
    }
}
// What a team keeps in registers over all its rows.
struct gtr__field_sums { float dw[GTR__FIELD_UNITS][36], last[4], bias[2], loss; };
// A team's first tile, and how many teams its role has.
template <int P>
static GTR__DEVICE int gtr__field_first(const gtr__field &m, const gtr__field_place<P> &p,
        int role, int *teams) {
    const int blocks = m.block0[role + 1] - m.block0[role];
    *teams = P == 1 ? 2 * blocks : blocks;
    return p.team * blocks + (int)blockIdx.x - m.block0[role];
}
// A step's record to the block's copy of it; by one warp.
static GTR__DEVICE void gtr__field_note(gtr__field_head *h, const gtr__record *record) {
    constexpr int whole = (int)(sizeof(gtr__record) / 16);
    const int lane = (int)threadIdx.x & 31;
    const int4 mine = __ldcg((const int4 *)record + (lane < whole ? lane : 0));
    const uint64_t rows = (uint64_t)__ldcg((const long long *)&record->rows);
    if (lane < whole) ((int4 *)&h->record)[lane] = mine;
    if (lane == 31) {
        int shift = 1;
        while (((uint64_t)1 << (2 * shift)) < rows) shift++;
        h->shift = shift;
        h->go = h->start = 1;
    }
}
// A step's record, and the copies of its first rows. By all threads of teams, when no thread reads the last step's any
// more. Where teams are fed it is their feeders' turn, and teams see the record behind their next barrier.
template <int P, bool FED>
static GTR__DEVICE void gtr__field_open(const gtr__field &m, gtr__field_head *h,
        const gtr__record *record, const gtr__field_place<P> &p, int role) {
    if (threadIdx.x >= GTR__FIELD_T - 32) gtr__field_note(h, record);
    if constexpr (FED) gtr__field_announce<P>();
    else {
        __syncthreads();
        int teams;
        const int first = gtr__field_first<P>(m, p, role, &teams);
        gtr__field_origins<P>(m, h, p, first, 0);
        gtr__field_team_barrier<P>(p.team);
        if (first < m.tiles) {
            gtr__field_ask_x<P, 128 * P>(m, &h->record, h->origin + p.team * 128, p);
            gtr__field_ask_target<P, 128 * P>(m, &h->record, h->origin + p.team * 128, p, 0);
        }
        gtr__copies_commit();
    }
}
// Of a team's tile number count, over all steps: where its x and target lie, and which turn of the barriers that is.
struct gtr__field_turn {
    int slot;
    uint32_t lap, full, empty, seen;
    GTR__DEVICE gtr__field_turn(const gtr__field &m, uint32_t pool, int team, uint32_t count)
    {
        slot = (int)count & (m.ahead - 1); lap = count >> (m.ahead - 1);
        full = pool + (uint32_t)offsetof(gtr__field_head, full) + (uint32_t)(team * 2 + slot) * 8;
        empty = full + (uint32_t)(offsetof(gtr__field_head, empty) - offsetof(gtr__field_head, full));
        seen = full + (uint32_t)(offsetof(gtr__field_head, seen) - offsetof(gtr__field_head, full));
    }
};
// A step's rows to a team, by 64 P threads: the first ones lie ready before the step begins.
template <typename T, int P> struct gtr__field_feeder {
    static constexpr int N = 64 * P;
    const gtr__field &m;
    gtr__field_head *h;
    char *memory;
    const int role;
    uint32_t &count;
    const uint32_t pool;
    int wide_step, wide;        // P 2: counted, for its teams wait for the feeders
    GTR__DEVICE gtr__field_feeder(const gtr__field &m, gtr__field_head *h, char *memory, int role,
            uint32_t &count) : m(m), h(h), memory(memory), role(role), count(count), pool(gtr__shared_address(memory)),
            wide_step(0), wide(P == 2 ? gtr__field_first<P>(m, where(), role, &wide_step) : 0) {
    }
    // These are read again for each tile: registers are few, and what does not fit would come from L2.
    GTR__DEVICE const char *source() const {
        return (const char *)(uintptr_t)((const volatile gtr__record *)&h->record)->src[m.x_slot];
    }
    GTR__DEVICE bool whole(const char *src) const {
        return m.layer[0].k % 4 == 0 && ((uintptr_t)src & 15) == 0;
    }
    // By whole warps.
    GTR__DEVICE gtr__field_place<P> where() const {
        const int index = gtr__thread() - GTR__FIELD_T;
        return gtr__field_place<P>(m, memory, P == 1 ? index >> 6 : 0, P == 1 ? index & 63 : index);
    }
    // The tile of number count.
    GTR__DEVICE int tile_of([[maybe_unused]] const gtr__field_place<P> &p) const {
        if constexpr (P == 2) return wide;
        int teams;
        const int first = gtr__field_first<P>(m, p, role, &teams);
        return first + (int)(count - *(const volatile uint32_t *)&h->served[p.team]) * teams;
    }
    // Issues the copies of its rows.
    GTR__DEVICE void ask() {
        const gtr__field_place<P> p = where();
        const int next = tile_of(p);
        if (next >= m.tiles) return;
        const gtr__field_turn t(m, pool, p.team, count);
        int64_t *origin = h->origin + p.team * 128, *offset = origin + 64;
        gtr__field_origins<P>(m, h, p, next, 0);
        if (p.tid < GTR__FIELD_ROWS) offset[p.tid] = origin[p.tid] * (m.layer[0].k * 4);
        gtr__field_feed_barrier<P, true>(p.team);
        const char *src = source();
        if (whole(src)) {
            const int shift = m.stage_pitch == 128 ? 3 : m.stage_pitch == 256 ? 4 : 5,
                c = (p.tid & ((1 << shift) - 1)) * 16, r0 = p.tid >> shift;
            if (c < m.layer[0].k * 4) {
                const char *from = src + c;
                char *to = p.base + m.stage_at + r0 * m.stage_pitch + c;
#pragma unroll 4
                for (int r = r0; r < GTR__FIELD_ROWS; r += N >> shift, to += (N >> shift) * m.stage_pitch) {
                    const int64_t o = offset[r];
                    gtr__copy16(to, o >= 0 ? from + o : from, o >= 0);
                }
            }
        } else {
#pragma unroll 1
            for (int r = p.tid >> 5; r < GTR__FIELD_ROWS; r += N / 32) {
                const int64_t o = offset[r];
#pragma unroll 1
                for (int c = p.lane * 4; c < m.layer[0].k * 4; c += 128)
                    gtr__copy4(p.base + m.stage_at + r * m.stage_pitch + c, o >= 0 ? src + o + c : src, o >= 0);
            }
        }
        gtr__field_await(t.seen, t.lap ^ 1);
        gtr__field_ask_target<P, N>(m, &h->record, origin, p, t.slot);
        gtr__copies_commit();
    }
    GTR__DEVICE bool begins() const {
        gtr__field_go<P>(true);
        return *(const volatile int *)&h->start != 0;
    }
    // x to halves in the tile's panel: P 1 with fewer registers.
    GTR__DEVICE void convert(const gtr__field_place<P> &p, const gtr__field_turn &t) const {
        if constexpr (P == 1) {         // fewer registers
            const int shift = m.stage_pitch == 128 ? 3 : m.stage_pitch == 256 ? 4 : 5, c = p.tid & ((1 << shift) - 1),
                step = N >> shift;
            const char *from = p.base + m.stage_at + c * 16;
            char *to = p.base + m.x_at + t.slot * m.x_step + (c >> 4) * GTR__FIELD_PANEL + (c & 1) * 8;
#pragma unroll 2
            for (int r = p.tid >> shift; r < GTR__FIELD_ROWS; r += step) {
                const float4 v = *(const float4 *)(from + r * m.stage_pitch);
                *(uint2 *)(to + r * 128 + (((c >> 1 & 7) ^ (r & 7)) << 4)) =
                    make_uint2(gtr__field_pack<T>(v.x, v.y), gtr__field_pack<T>(v.z, v.w));
            }
        } else {
            const int shift = m.stage_pitch == 128 ? 2 : m.stage_pitch == 256 ? 3 : 4, c = p.tid & ((1 << shift) - 1),
                step = N >> shift;
            int r = p.tid >> shift;
            const char *row = p.base + m.stage_at + r * m.stage_pitch + c * 32;
            uint32_t to = p.at + m.x_at + t.slot * m.x_step + (c >> 3) * GTR__FIELD_PANEL + r * 128
                + (((c & 7) ^ (r & 7)) << 4);
#pragma unroll 1
            for (; r < GTR__FIELD_ROWS; r += step) {
                const float4 a = *(const float4 *)row, b = *(const float4 *)(row + 16);
                asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" :: "r"(to), "r"(gtr__field_pack<T>(a.x, a.y)),
                    "r"(gtr__field_pack<T>(a.z, a.w)), "r"(gtr__field_pack<T>(b.x, b.y)),
                    "r"(gtr__field_pack<T>(b.z, b.w)) : "memory");
                row += step * m.stage_pitch;
                to = (to + step * 128) ^ (step % 8 ? 64 : 0);
            }
        }
    }
    // The inputs' slots get the tile, where they can be read after the launch.
    GTR__DEVICE void keep(const gtr__field_place<P> &p, const gtr__field_turn &t, int tile) const {
        const int k = m.layer[0].k, rows = m.batch - tile * GTR__FIELD_ROWS,
            live = rows < GTR__FIELD_ROWS ? rows : GTR__FIELD_ROWS, out = m.layer[m.layers - 1].n;
        const int64_t row0 = (int64_t)tile * GTR__FIELD_ROWS;
        if (m.x_kept && whole(source()) && ((uintptr_t)m.x_kept & 15) == 0) {
            const int shift = m.stage_pitch == 128 ? 3 : m.stage_pitch == 256 ? 4 : 5,
                e = (p.tid & ((1 << shift) - 1)) * 4;
#pragma unroll 2
            for (int r = p.tid >> shift; r < live; r += N >> shift)
                if (e < k) *(float4 *)(m.x_kept + (row0 + r) * k + e) =
                    *(const float4 *)(p.base + m.stage_at + r * m.stage_pitch + e * 4);
        } else if (m.x_kept) {
#pragma unroll 1
            for (int r = p.tid >> 5; r < live; r += N / 32)
                for (int e = p.lane; e < k; e += 32)
                    m.x_kept[(row0 + r) * k + e] = *(const float *)(p.base + m.stage_at + r * m.stage_pitch + e * 4);
        }
#pragma unroll 1
        for (int i = p.tid; m.t_kept && i < live * out; i += N)
            m.t_kept[row0 * out + i] = *(const float *)(p.base + m.target_at + t.slot * m.target_step + i * 4);
    }
    // False: the step does not begin.
    GTR__DEVICE bool run() {
        {
            const gtr__field_place<P> p = where();
            // what no row fills
            for (int i = p.tid * 16; i < GTR__FIELD_ROWS * m.stage_pitch; i += N * 16)
                *(uint4 *)(p.base + m.stage_at + i) = make_uint4(0, 0, 0, 0);
            if (p.tid == 0) h->served[p.team] = count;
            gtr__field_feed_barrier<P, true>(p.team);
        }
        ask();
#pragma unroll 1
        for (;;) {
            const gtr__field_place<P> p = where();
            const int tile = tile_of(p);
            if (tile >= m.tiles) return count != *(const volatile uint32_t *)&h->served[p.team] || begins();
            const gtr__field_turn t(m, pool, p.team, count);
            gtr__copies_done<0>();
            gtr__field_feed_barrier<P, true>(p.team);
            gtr__field_await(t.empty, t.lap ^ 1);
            convert(p, t);
            if (count == *(const volatile uint32_t *)&h->served[p.team] && !begins()) return false;
            if (((const volatile gtr__record *)&h->record)->more == 0) keep(p, t, tile);
            gtr__field_publish();
            gtr__field_signal(t.full);
            gtr__field_feed_barrier<P, true>(p.team);      // all have read it
            count++;
            wide += wide_step;
            ask();
        }
    }
};
// All rows of this team's tiles, there and back. What is stored for others goes while the tensor cores have the next
// product, and the product of a team's weights' gradient a layer later than the gradient that it takes, when all of the
// team have stored theirs.
// FED: P is 1, there is one role, and room for gradients apart. P 2: by mma.sync.
template <typename T, int P, bool RELU, bool FED> struct gtr__field_team {
    const gtr__field &m;
    gtr__field_head *h;
    const gtr__field_place<P> &p;
    uint32_t &count, &turn;
    gtr__field_sums &sum;
    const bool keep, tight;
    const int last, low, high;
    const uint32_t pool_at, ones, own, bias;
    const float g;
    int teams, first, tile, n;
    float d[32];                // a product of the tile
    uint32_t y[16], r[8];       // what it becomes, in halves; what the way back recalls
    GTR__DEVICE gtr__field_team(const gtr__field &m, gtr__field_head *h, char *pool,
            const gtr__field_place<P> &p, int role, bool keep, uint32_t &count, uint32_t &turn, gtr__field_sums &sum)
            : m(m), h(h), p(p), count(count), turn(turn), sum(sum), keep(keep), tight(GTR__FIELD_WGMMA && !FED
            && m.apart == 1), last(m.layers - 1), low(FED ? 0 : (int)gtr__field_same((uint32_t)m.low[role])),
            high(FED ? last - m.small : (int)gtr__field_same((uint32_t)(role ? m.low[role - 1] - 1 : last - m.small))),
            pool_at(gtr__field_same(gtr__shared_address(pool))), ones(pool_at + m.ones_at), own(p.half
            * GTR__FIELD_PANEL), bias(pool_at + m.bias_at + p.half * 1024), g(m.seed * h->scale / m.count), n(0) {
        if constexpr (FED) tally() = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        first = (int)gtr__field_same((uint32_t)gtr__field_first<P>(m, p, role, &teams));
    }
    GTR__DEVICE uint32_t ready() const {
        return pool_at + (uint32_t)offsetof(gtr__field_head, ready) + p.team * 8;
    }
    GTR__DEVICE float4 &tally() const {
        return *(float4 *)(p.base + m.tally_at + (threadIdx.x & 127) * 16);
    }
    // The slot of a tile's x and target, found when it is needed: registers are short. back: how many tiles ago, of
    // those that have begun.
    GTR__DEVICE gtr__field_turn turn_of(uint32_t back) const {
        uint32_t c = count - back;
        asm volatile("" : "+r"(c));
        return gtr__field_turn(m, pool_at, p.team, c);
    }
    GTR__DEVICE uint32_t x_of(uint32_t back) const {
        return p.at + m.x_at + (FED ? turn_of(back).slot * m.x_step : 0);
    }
    // of the next tile
    GTR__DEVICE const int64_t *origin() const { return h->origin + p.team * 128 + (n + 1 & 1) * 64; }
    // Everything between two products: y goes to panel, and is seen by all of the team.
    GTR__DEVICE void share(uint32_t panel, const uint32_t *y) const {
        gtr__field_put<P>(p, panel + own, y);
        gtr__field_publish();
        gtr__field_team_barrier<P>(p.team);
    }
    // All of the team have said so.
    GTR__DEVICE void hear([[maybe_unused]] int i) {
#if GTR__FIELD_WGMMA
        // as often in each tile
        if constexpr (FED) gtr__field_await(ready(), (count - 1) * (uint32_t)(high + 1) + (uint32_t)i);
        else {
            gtr__field_await(ready(), turn);
            turn ^= 1;
        }
#else
        if (P == 1) gtr__field_team_barrier<P>(p.team);
#endif
    }
    // P 1: the first layer's product, and that it is made behind the next tile's first ones: behind
    // the first tile's, of zeros.
    GTR__DEVICE void lowest(uint32_t dz, uint32_t x) {
        constexpr int unit = GTR__FIELD_UNITS - 1;
        if (m.layer[0].panels == 2) {
            gtr__field_hold<36>(sum.dw[unit - 1]);
            gtr__field_hold<36>(sum.dw[unit]);
            gtr__field_begin();
            gtr__field_outer<T, 9>(sum.dw[unit - 1], dz, x, ones - x);
            gtr__field_outer<T, 8>(sum.dw[unit], dz, x + GTR__FIELD_PANEL, 16);
            gtr__field_commit();
        } else if (m.layer[0].k <= 32) {
            gtr__field_hold<36>(sum.dw[unit]);
            gtr__field_begin();
            gtr__field_outer<T, 5>(sum.dw[unit], dz, x, 16);
            gtr__field_commit();
        } else {
            gtr__field_hold<36>(sum.dw[unit]);
            gtr__field_begin();
            gtr__field_outer<T, 9>(sum.dw[unit], dz, x, ones - x);
            gtr__field_commit();
        }
    }
    GTR__DEVICE void take() {
        if constexpr (FED) {
            const gtr__field_turn t = turn_of(0);
            count++;
            gtr__field_await(t.full, t.lap);
        } else {
            if (tile + teams < m.tiles) gtr__field_origins<P>(m, h, p, tile + teams, n + 1);
            gtr__copies_done<0>();
            gtr__field_team_barrier<P>(p.team);
            gtr__field_take_x<T, P, 128 * P>(m, p, tile, 0, keep);
            gtr__field_publish();
            gtr__field_team_barrier<P>(p.team);
        }
    }
    GTR__DEVICE void first_layer() {
        const uint32_t w = pool_at + m.w0_at + own, x_at = x_of(FED ? 1 : 0);
        const gtr__field_ones<T> one(0, p.lane);
        gtr__field_begin();
        gtr__field_bias<T, 8>(d, bias, one.a);
        gtr__field_forward_s<T, 8, 2>(d, x_at, 0, w, 0, 0);
        gtr__field_commit();
        if constexpr (FED) {
            gtr__field_team_barrier<P>(p.team);        // the last tile's gradients are there
            lowest(p.dz_at(m, 0), tile == first ? p.dz_at(m, 0) : x_of(2));
            gtr__field_until<1>();
        } else gtr__field_until<0>();
        gtr__field_hold<32>(d);
#pragma unroll 1
        for (int s = 2; s < m.stage_pitch / 64; s += 2) {
            gtr__field_begin();
            gtr__field_forward_s<T, 8, 2>(d, x_at + (s >> 2) * GTR__FIELD_PANEL, 0,
                w + (s >> 2) * (P * GTR__FIELD_PANEL), 0, s & 3);
            gtr__field_commit();
            gtr__field_until<0>();
            gtr__field_hold<32>(d);
        }
    }
    GTR__DEVICE void further_layers() {
#pragma unroll 1
        for (int l = 1; l <= last; l++) {
            gtr__field_output<T, 16, GTR__FIELD_T, RELU>(m, l - 1, d, y, (int)threadIdx.x);
            if (l == last && m.small) break;
            const uint32_t w = pool_at + gtr__field_w<P>(m, l) + own;
            if constexpr (P == 2) share(p.y_at(m, l - 1), y);
            if constexpr (P == 1) gtr__field_hold<16>(y);
            const gtr__field_ones<T> one(l, p.lane);
            gtr__field_begin();
            gtr__field_bias<T, 8>(d, bias, one.a);
            if constexpr (P == 1) gtr__field_forward_r<T, 8, 4>(d, y, w, 0);
            else gtr__field_forward_s<T, 8, 8>(d, p.y_at(m, l - 1), GTR__FIELD_PANEL, w, P * GTR__FIELD_PANEL, 0);
            gtr__field_commit();
            if constexpr (P == 1) {
                // the last tile's products that read this place are made
                if (FED && (l == 1 || l == m.apart + 1)) gtr__field_team_barrier<P>(p.team);
                gtr__field_put<P>(p, p.y_at(m, l - 1), y);
            }
            gtr__field_until<0>();
            gtr__field_hold<32>(d);
            if constexpr (P == 1) gtr__field_hold<16>(y);
        }
    }
    // A last layer of at most 8 outputs, the loss, and back to its input.
    GTR__DEVICE void small_last(const float *target) {
        float out[4], loss = 0.0f;
        uint32_t z[4] = { 0, 0, 0, 0 };
        const uint32_t w = pool_at + gtr__field_w<P>(m, last);
        if constexpr (P == 2) share(p.y_at(m, last - 1), y);
        if constexpr (P == 1) gtr__field_hold<16>(y);
        const gtr__field_ones<T> one(last, p.lane);
        gtr__field_begin();
        gtr__field_bias<T, 1>(out, pool_at + m.bias_at, one.a);
        if constexpr (P == 1) gtr__field_forward_r<T, 1, 4>(out, y, w, 0);
        else gtr__field_forward_s<T, 1, 8>(out, p.y_at(m, last - 1), GTR__FIELD_PANEL, w, 2048, 0);
        gtr__field_commit();
        if constexpr (P == 1) {
            if (FED && (last == 1 || last == m.apart + 1)) gtr__field_team_barrier<P>(p.team);
            gtr__field_put<P>(p, p.y_at(m, last - 1), y);
        }
        gtr__field_until<0>();
        gtr__field_hold<4>(out);
        if constexpr (P == 1) gtr__field_hold<16>(y);
        float column[2] = { 0.0f, 0.0f };
        gtr__field_loss<T, P>(m, p, target, out, z, tile, 0, g, loss, column);
        if constexpr (FED) {       // registers are short
            float4 &tally = this->tally(), was = tally;
            tally = make_float4(was.x + column[0], was.y + column[1], was.z + loss, 0.0f);
        } else {
            sum.bias[0] += column[0];
            sum.bias[1] += column[1];
        }
        gtr__field_hold<4>(z);
        gtr__field_begin();
        gtr__field_back<T, 1, true>(d, z, 0, 0, w + p.half * 2048);
        gtr__field_commit();
        if (p.half == 0) {
            const int row = p.warp * 16 + (p.lane >> 2);
            uint32_t *to = (uint32_t *)(p.base + (p.dz_at(m, last) - p.at) + row * 16 + (p.lane & 3) * 4);
            to[0] = z[0];
            to[32] = z[1];
            if constexpr (!FED) sum.loss += loss;
        }
        gtr__field_publish();
        if constexpr (P == 2) gtr__field_team_barrier<P>(p.team);
        else gtr__field_signal(ready());
        gtr__field_recall<P, RELU>(m, last - 1, p, 0, r);
        if constexpr (P == 2) {
            gtr__field_hold<4>(sum.last);
            gtr__field_begin();
            gtr__field_outer_last<T>(sum.last, p.y_at(m, last - 1) + own, p.dz_at(m, last));
            gtr__field_commit();
            gtr__field_until<1>();
        } else gtr__field_until<0>();
        gtr__field_hold<32>(d);
        gtr__field_gradient<T, P, RELU>(m, last - 1, p, d, r, y);
        if constexpr (P == 2) gtr__field_until<0>();
    }
    GTR__DEVICE void large_last(const float *target) {
        float loss = 0.0f;
#pragma unroll
        for (int j = 0; j < 8; j++)
            gtr__field_loss<T, P>(m, p, target, d + 4 * j, y + 2 * j, tile, p.half * 64 + j * 8, g, loss, NULL);
        if constexpr (FED) tally().z += loss;
        else sum.loss += loss;
        if constexpr (P == 1) gtr__field_signal(ready());
    }
    // The tile's x and target are used: their slots are free for another's.
    GTR__DEVICE void release() {
        if constexpr (FED) {
            gtr__field_signal(turn_of(1).seen);
            if (tile != first) gtr__field_signal(turn_of(2).empty);
        } else {
            gtr__field_team_barrier<P>(p.team);
            if (tile + teams < m.tiles) gtr__field_ask_target<P, 128 * P>(m, &h->record, origin(), p, 0);
            gtr__copies_commit();
            n++;
        }
    }
    // Back through another role's layers.
    GTR__DEVICE void skip() {
#pragma unroll 1
        for (int l = last - m.small; !FED && l > high; l--) {      // another role's
            if constexpr (P == 2) share(p.dz_at(m, l), y);
            if constexpr (P == 1) gtr__field_hold<16>(y);
            gtr__field_begin();
            gtr__field_back<T, 4 * P, P == 1>(d, y, p.dz_at(m, l), GTR__FIELD_PANEL,
                pool_at + gtr__field_w<P>(m, l) + p.half * (P * GTR__FIELD_PANEL));
            gtr__field_commit();
            gtr__field_recall<P, RELU>(m, l - 1, p, 0, r);
            gtr__field_until<0>();
            gtr__field_hold<32>(d);
            gtr__field_gradient<T, P, RELU>(m, l - 1, p, d, r, y);
        }
    }
    // P 1: back through this role's, a unit of 64 columns a layer.
    GTR__DEVICE void back_units() {
#pragma unroll
        for (int i = 0; i < GTR__FIELD_UNITS; i++) {
            const int l = high - i;
            if (l < low) continue;
            // The gradient of the layer above, and this one's to its place.
            auto above = [&]() {
                hear(i);
                if (i == 0) gtr__field_hold<4>(sum.last); else gtr__field_hold<36>(sum.dw[i ? i - 1 : 0]);
                gtr__field_begin();
                if (i == 0) gtr__field_outer_last<T>(sum.last, p.y_at(m, last - 1), p.dz_at(m, last));
                else
                    gtr__field_outer<T, 9>(sum.dw[i ? i - 1 : 0], p.dz_at(m, l + 1), p.y_at(m, l), ones - p.y_at(m, l));
                gtr__field_commit();
                if (tight) {
                    gtr__field_until<0>();
                    gtr__field_team_barrier<P>(p.team);
                }
                gtr__field_put<P>(p, p.dz_at(m, l), y);
                gtr__field_publish();
            };
            if (i + 1 < GTR__FIELD_UNITS && l > low) {
                gtr__field_hold<16>(y);
                gtr__field_begin();
                gtr__field_back<T, 4, true>(d, y, 0, 0, pool_at + gtr__field_w<P>(m, l));
                gtr__field_commit();
                above();
                gtr__field_signal(ready());
                gtr__field_recall<P, RELU>(m, l - 1, p, 0, r);
                gtr__field_until<1>();
                gtr__field_hold<32>(d);
                gtr__field_hold<16>(y);
                gtr__field_gradient<T, P, RELU>(m, l - 1, p, d, r, y);
            } else {
                above();
                if constexpr (!FED) {
                    gtr__field_signal(ready());
                    gtr__field_until<0>();
                    hear(0);
                    if (l == 0) lowest(p.dz_at(m, 0), p.at + m.x_at);
                    else {
                        gtr__field_hold<36>(sum.dw[i]);
                        gtr__field_begin();
                        gtr__field_outer<T, 9>(sum.dw[i], p.dz_at(m, l), p.y_at(m, l - 1), ones - p.y_at(m, l - 1));
                        gtr__field_commit();
                    }
                }
            }
        }
        if (low > high) {
            gtr__field_until<0>();
            hear(0);
            gtr__field_hold<4>(sum.last);
            gtr__field_begin();
            gtr__field_outer_last<T>(sum.last, p.y_at(m, last - 1), p.dz_at(m, last));
            gtr__field_commit();
        }
        if constexpr (!FED) gtr__field_until<0>();
    }
    // P 2: the gradient of the lowest: its units are the first and the second, or what is behind.
    GTR__DEVICE void lowest2(float (&d0)[36], float (&d1)[36], uint32_t dz, uint32_t x) {
        if (low == 0 && m.layer[0].k <= 32) {
            gtr__field_begin();
            gtr__field_outer<T, 5>(d0, dz + own, x, 16);
            gtr__field_commit();
            gtr__field_until<0>();
        } else {
            gtr__field_begin();
            gtr__field_outer<T, 9>(d0, dz + own, x, ones - x);
            gtr__field_commit();
            gtr__field_until<0>();
        }
        if (m.layer[low].panels == 2) {
            gtr__field_begin();
            gtr__field_outer<T, 8>(d1, dz + own, x + GTR__FIELD_PANEL, 16);
            gtr__field_commit();
            gtr__field_until<0>();
        }
    }
    // P 2: a layer, or two.
    GTR__DEVICE void back_halves() {
        const uint32_t dz = p.dz_at(m, high), x_now = p.at + m.x_at;
        share(dz, y);
        gtr__field_hold<36>(sum.dw[0]);
        gtr__field_hold<36>(sum.dw[1]);
        if (low < high) {
            const uint32_t x = p.y_at(m, high - 1);
            gtr__field_begin();
            gtr__field_back<T, 4 * P, false>(d, y, dz, GTR__FIELD_PANEL,
                pool_at + gtr__field_w<P>(m, high) + p.half * (P * GTR__FIELD_PANEL));
            gtr__field_commit();
            gtr__field_begin();
            gtr__field_outer<T, 9>(sum.dw[0], dz + own, x, ones - x);
            gtr__field_outer<T, 8>(sum.dw[1], dz + own, x + GTR__FIELD_PANEL, 16);
            gtr__field_commit();
            gtr__field_recall<P, RELU>(m, high - 1, p, 0, r);
            gtr__field_until<1>();
            gtr__field_hold<32>(d);
            gtr__field_gradient<T, P, RELU>(m, high - 1, p, d, r, y);
            share(p.dz_at(m, low), y);
            gtr__field_until<0>();
            gtr__field_hold<36>(sum.dw[0]);
            gtr__field_hold<36>(sum.dw[1]);
            gtr__field_hold<36>(sum.dw[2]);
            gtr__field_hold<36>(sum.dw[3]);
            lowest2(sum.dw[2], sum.dw[3], p.dz_at(m, low), low ? p.y_at(m, low - 1) : x_now);
        } else lowest2(sum.dw[0], sum.dw[1], dz, low ? p.y_at(m, low - 1) : x_now);
    }
    GTR__DEVICE void run() {
#pragma unroll 1
        for (tile = first; tile < m.tiles; tile = FED
                ? first + (int)(count - *(const volatile uint32_t *)&h->served[p.team]) * teams : tile + teams) {
            take();
            first_layer();
            if constexpr (!FED) if (tile + teams < m.tiles) gtr__field_ask_x<P, 128 * P>(m, &h->record, origin(), p);
            further_layers();
            const float *target = (const float *)(p.base + m.target_at + (FED ? turn_of(1).slot * m.target_step : 0));
            if (m.small) small_last(target);
            else large_last(target);
            release();
            skip();
            if constexpr (P == 1) back_units();
            else if (low <= high) back_halves();
        }
        if constexpr (FED) {
            const float4 tally = this->tally();
            sum.bias[0] = tally.x; sum.bias[1] = tally.y; sum.loss = tally.z;
            gtr__field_team_barrier<P>(p.team);
            lowest(p.dz_at(m, 0), first < m.tiles ? p.at + m.x_at + turn_of(1).slot * m.x_step : p.dz_at(m, 0));
            gtr__field_until<0>();
            if (first < m.tiles) gtr__field_signal(turn_of(1).empty);
        }
    }
};

// >>field-chain
// Widths above 64 where wgmma is: three warp groups share the work on 64 rows. One takes them there and back, 128
// columns at a time; what is between two products never leaves its registers. Two add up the weights' gradients, half
// of their rows each, of what it has left in shared memory, while it does what follows. Bound by the one group: a
// product of 128x128 is some 720 cycles, and what comes before the next
// 200. In halves of 64 columns, so that one is rounded while the other is made, it is slower: what has its operand in
//   registers takes some 16
// cycles more each time.
#if GTR__FIELD_WGMMA
// In shared memory of a tile: a role's outputs and gradients that weights' gradients are made of, and when: of the last
// layer if it is small, of the role's upper layer, of its lowest. The upper layer's gradient stands where the input of
// a small last one stood.
enum { GTR__FIELD_LAST, GTR__FIELD_UPPER, GTR__FIELD_LOWER };
struct gtr__field_items {
    uint32_t made, used, place;
    GTR__DEVICE gtr__field_items(const gtr__field &m, uint32_t pool, uint32_t at)
    {
        made = pool + (uint32_t)offsetof(gtr__field_head, made);
        used = pool + (uint32_t)offsetof(gtr__field_head, used); place = at + m.place_at;
    }
    GTR__DEVICE uint32_t x(int item) const { return place + item * (2 * GTR__FIELD_PANEL); }
    GTR__DEVICE uint32_t dz(int item) const {
        return place + (item == GTR__FIELD_LAST ? 4 : item == GTR__FIELD_LOWER ? 3 : 0) * (2 * GTR__FIELD_PANEL);
    }
};
static GTR__DEVICE int gtr__field_high(const gtr__field &m, int role) {
    return (int)gtr__field_same((uint32_t)(role ? m.low[role - 1] - 1 : m.layers - 1 - m.small));
}
// d (64x128) = a w^T, bias included; a: in registers.
template <typename T>
static GTR__DEVICE void gtr__field_chain_forward(float *d, uint32_t *a, uint32_t w, uint32_t bias,
        int l, int lane) {
    const gtr__field_ones<T> one(l, lane);
    const uint32_t at = gtr__field_word(w, 16);
    gtr__field_hold<32>(a);
    gtr__field_begin();
    gtr__field_bias<T, 16>(d, bias, one.a);
#pragma unroll
    for (int s = 0; s < 8; s++) gtr__field_rs<T, 128, 0, true>(d, a + 4 * s,
        gtr__field_panel(at + (s / 4) * (2 * GTR__FIELD_PANEL >> 4) + s % 4 * 2));
    gtr__field_commit();
}
template <typename T, bool RELU> struct gtr__field_chain {
    const gtr__field &m;
    gtr__field_head *h;
    const int role;
    uint32_t &count;
    const int last, low, high, tid;
    const gtr__field_place<2> p;
    const uint32_t pool_at, bias, masks;
    const gtr__field_items items;
    const float g;
    float d[64], loss, column[2];       // a product of the tile; sums of the loss and of the last bias's gradient
    uint32_t y[32];                     // what it becomes, in halves
    GTR__DEVICE gtr__field_chain(const gtr__field &m, gtr__field_head *h, char *pool,
            int role, uint32_t &count) : m(m), h(h), role(role), count(count), last(m.layers - 1), low(
            (int)gtr__field_same((uint32_t)m.low[role])), high(gtr__field_high(m, role)), tid(gtr__thread() & 127),
            p(m, pool, 0, tid), pool_at(gtr__field_same(gtr__shared_address(pool))), bias(pool_at + m.bias_at),
            masks(p.at + m.mask_at + tid * 8), items(m, pool_at, p.at), g(m.seed * h->scale / m.count), loss(0.0f) {
        column[0] = column[1] = 0.0f;
    }
    // 128 columns to place, when what stood there was used: the last tile's, or this one's.
    GTR__DEVICE void put(int item, uint32_t panel) const {
        gtr__field_await(items.used + item * 8, count);
        if (panel == items.place && role == 0 && m.small && low < high)
            gtr__field_await(items.used + (GTR__FIELD_UPPER - item) * 8, count ^ item);
        gtr__field_put<2>(p, panel, y);
        gtr__field_put<2>(p, panel + GTR__FIELD_PANEL, y + 16);
        gtr__field_publish();
    }
    // The output of layer l, while the next product is made: to the place that its weights' gradient reads, and a bit
    // where it is above 0.
    GTR__DEVICE void leave(int l) const {
        if (l + 1 == last && m.small) { if (role == 0) put(GTR__FIELD_LAST, items.x(GTR__FIELD_LAST)); }
        else if (l + 1 >= low && l + 1 <= high) {
            const int item = l + 1 > low ? GTR__FIELD_UPPER : GTR__FIELD_LOWER; put(item, items.x(item));
        }
        if (l < low || !RELU) return;
        uint32_t bits[2] = { 0, 0 };
#pragma unroll
        for (int i = 0; i < 32; i++) bits[i / 16] |= gtr__field_mask<T>(0x10001u << i % 16, y[i]);
        asm volatile("st.shared.v2.u32 [%0], {%1, %2};" :: "r"(masks + l * 1024), "r"(bits[0]),
            "r"(bits[1]) : "memory");
    }
    // The gradient of layer l's product from that of its output.
    GTR__DEVICE void gradient(int l) {
        uint32_t r[32];
        if constexpr (RELU) {
            uint32_t bits[2];
            asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(bits[0]),
                "=r"(bits[1]) : "r"(masks + l * 1024) : "memory");
#pragma unroll
            // a bit to all of its half
            for (int i = 0; i < 32; i++)
                asm("prmt.b32 %0, %1, 0, 0xbb99;" : "=r"(r[i]) : "r"(bits[i / 16] << (15 - i % 16)));
            gtr__field_hold<32>(r);
        } else {
            const uint4 *from = gtr__field_slopes<128>(m, l, tid);
#pragma unroll
            for (int i = 0; i < 8; i++) gtr__field_words(from + i * 128, r + 4 * i);
        }
        gtr__field_until<0>();
        gtr__field_hold<64>(d);
        if constexpr (RELU) {
#pragma unroll
            for (int i = 0; i < 32; i++) y[i] = gtr__field_pack<T>(d[2 * i], d[2 * i + 1]) & r[i];
        } else gtr__field_through<T, 32>(d, r, y);
    }
    GTR__DEVICE void first_layer(const gtr__field_turn &now) {
        const uint32_t w = pool_at + m.w0_at, x = p.at + m.x_at + now.slot * m.x_step;
        const gtr__field_ones<T> one(0, p.lane);
        gtr__field_begin();
        gtr__field_bias<T, 16>(d, bias, one.a);
        gtr__field_forward_s<T, 16, 2>(d, x, 0, w, 0, 0);
        gtr__field_commit();
        gtr__field_until<0>();
        gtr__field_hold<64>(d);
#pragma unroll 1
        for (int s = 2; s < m.stage_pitch / 64; s += 2) {
            gtr__field_begin();
            gtr__field_forward_s<T, 16, 2>(d, x + (s >> 2) * GTR__FIELD_PANEL, 0,
                w + (s >> 2) * (2 * GTR__FIELD_PANEL), 0, s & 3);
            gtr__field_commit();
            gtr__field_until<0>();
            gtr__field_hold<64>(d);
        }
        if (low > 0) gtr__field_signal<2>(now.empty);
    }
    // A last layer of at most 8 outputs, the loss, and back to its input.
    GTR__DEVICE void small_last(const float *target, int tile) {
        const uint32_t w = pool_at + gtr__field_w<2>(m, last), at = gtr__field_word(w, 16);
        const gtr__field_ones<T> one(last, p.lane);
        float out[4];
        uint32_t z[4] = { 0, 0, 0, 0 };
        gtr__field_hold<32>(y);
        gtr__field_begin();
        gtr__field_bias<T, 1>(out, bias, one.a);
#pragma unroll
        for (int s = 0; s < 8; s++)
            gtr__field_rs<T, 8, 0, true>(out, y + 4 * s, gtr__field_panel(at + (s / 4) * (2048 >> 4) + s % 4 * 2));
        gtr__field_commit();
        leave(last - 1);
        gtr__field_until<0>();
        gtr__field_hold<4>(out);
        gtr__field_hold<32>(y);
        gtr__field_loss<T, 2>(m, p, target, out, z, tile, 0, g, loss, column);
        gtr__field_hold<4>(z);
        gtr__field_begin();
        gtr__field_rs<T, 128, 1, false>(d, z, gtr__field_panel(gtr__field_word(w, 2048)));
        gtr__field_commit();
        if (role == 0) {
            const int row = p.warp * 16 + (p.lane >> 2);
            const uint32_t to = items.dz(GTR__FIELD_LAST) + row * 16 + (p.lane & 3) * 4;
            asm volatile("st.shared.u32 [%0], %1;" :: "r"(to), "r"(z[0]) : "memory");
            asm volatile("st.shared.u32 [%0], %1;" :: "r"(to + 128), "r"(z[1]) : "memory");
            gtr__field_publish();
            gtr__field_signal(items.made + GTR__FIELD_LAST * 8);
        }
        gradient(last - 1);
    }
    GTR__DEVICE void back() {
#pragma unroll 1
        for (int l = last - m.small; l > low; l--) {
            const uint32_t at = gtr__field_word(pool_at + gtr__field_w<2>(m, l), 2 * GTR__FIELD_PANEL);
            gtr__field_hold<32>(y);
            gtr__field_begin();
            gtr__field_rs<T, 128, 1, false>(d, y, gtr__field_panel(at));
#pragma unroll
            for (int s = 1; s < 8; s++) gtr__field_rs<T, 128, 1, true>(d, y + 4 * s, gtr__field_panel(at + s * 128));
            gtr__field_commit();
            if (l <= high) {
                put(GTR__FIELD_UPPER, items.dz(GTR__FIELD_UPPER));
                gtr__field_signal(items.made + GTR__FIELD_UPPER * 8);
            }
            gradient(l - 1);
        }
        put(GTR__FIELD_LOWER, items.dz(GTR__FIELD_LOWER));
        gtr__field_signal(items.made + GTR__FIELD_LOWER * 8);
    }
    GTR__DEVICE void run() {
        int teams;
        const int first = (int)gtr__field_same((uint32_t)gtr__field_first<2>(m, p, role, &teams));
#pragma unroll 1
        for (int tile = first; tile < m.tiles; tile += teams) {
            const gtr__field_turn now(m, pool_at, 0, count);
            count++;
            gtr__field_await(now.full, now.lap);
            first_layer(now);
#pragma unroll 1
            for (int l = 1; l <= last; l++) {
                gtr__field_output<T, 32, 128, RELU>(m, l - 1, d, y, tid);
                if (l == last && m.small) break;
                gtr__field_chain_forward<T>(d, y, pool_at + gtr__field_w<2>(m, l), bias, l, p.lane);
                leave(l - 1);
                gtr__field_until<0>();
                gtr__field_hold<64>(d);
                gtr__field_hold<32>(y);
            }
            const float *target = (const float *)(p.base + m.target_at + now.slot * m.target_step);
            if (m.small) small_last(target, tile);
            else {
#pragma unroll
                for (int j = 0; j < 16; j++)
                    gtr__field_loss<T, 2>(m, p, target, d + 4 * j, y + 2 * j, tile, j * 8, g, loss, NULL);
            }
            gtr__field_signal<2>(now.seen);
            back();
        }
        asm volatile("st.shared.v2.f32 [%0], {%1, %2};" :: "r"(masks), "f"(column[0]), "f"(column[1]) : "memory");
        asm volatile("st.shared.f32 [%0], %1;" :: "r"(masks + 1024), "f"(loss) : "memory");
        gtr__field_signal(pool_at + (uint32_t)offsetof(gtr__field_head, ended));
    }
};
// The weights' gradients of all of a role's tiles, half of their rows by each of two warp groups.
template <typename T>
static GTR__DEVICE void gtr__field_collect(const gtr__field &m, gtr__field_head *h, char *pool,
        const gtr__field_place<2> &p, int role, uint32_t &count, uint32_t &turn, gtr__field_sums &sum) {
    const int low = (int)gtr__field_same((uint32_t)m.low[role]), high = gtr__field_high(m, role);
    const uint32_t pool_at = gtr__field_same(gtr__shared_address(pool)), ones = pool_at + m.ones_at,
        own = p.half * GTR__FIELD_PANEL;
    const gtr__field_items items(m, pool_at, p.at);
    // Units of one layer: the first of 64 columns, or what is behind, and the second.
    auto units = [&](float *d0, float *d1, uint32_t dz, uint32_t x, int panels, bool few) {
        gtr__field_hold<36>(d0);
        gtr__field_hold<32>(d1);
        if (few) {
            gtr__field_begin();
            gtr__field_outer<T, 5>(d0, dz, x, 16);
            gtr__field_commit();
        } else if (panels == 1) {
            gtr__field_begin();
            gtr__field_outer<T, 9>(d0, dz, x, ones - x);
            gtr__field_commit();
        } else {
            gtr__field_begin();
            gtr__field_outer<T, 9>(d0, dz, x, ones - x);
            gtr__field_outer<T, 8>(d1, dz, x + GTR__FIELD_PANEL, 16);
            gtr__field_commit();
        }
        gtr__field_until<0>();
        gtr__field_hold<36>(d0);
        gtr__field_hold<32>(d1);
    };
    int teams;
    const int first = (int)gtr__field_same((uint32_t)gtr__field_first<2>(m, p, role, &teams));
#pragma unroll 1
    for (int tile = first; tile < m.tiles; tile += teams, count++) {
        if (role == 0 && m.small) {
            gtr__field_await(items.made + GTR__FIELD_LAST * 8, count);
            gtr__field_hold<4>(sum.last);
            gtr__field_begin();
            gtr__field_outer_last<T>(sum.last, items.x(GTR__FIELD_LAST) + own, items.dz(GTR__FIELD_LAST));
            gtr__field_commit();
            gtr__field_until<0>();
            gtr__field_hold<4>(sum.last);
            gtr__field_signal(items.used + GTR__FIELD_LAST * 8);
        }
        const gtr__field_turn now(m, pool_at, 0, count);
        const uint32_t dz = items.dz(GTR__FIELD_LOWER) + own,
            x = low ? items.x(GTR__FIELD_LOWER) : p.at + m.x_at + now.slot * m.x_step;
        const bool few = low == 0 && m.layer[0].k <= 32;
        if (low < high) {
            gtr__field_await(items.made + GTR__FIELD_UPPER * 8, count);
            units(sum.dw[0], sum.dw[1], items.dz(GTR__FIELD_UPPER) + own, items.x(GTR__FIELD_UPPER), 2, false);
            gtr__field_signal(items.used + GTR__FIELD_UPPER * 8);
            gtr__field_await(items.made + GTR__FIELD_LOWER * 8, count);
            units(sum.dw[2], sum.dw[3], dz, x, m.layer[low].panels, few);
        } else {
            gtr__field_await(items.made + GTR__FIELD_LOWER * 8, count);
            units(sum.dw[0], sum.dw[1], dz, x, m.layer[low].panels, few);
        }
        gtr__field_signal(items.used + GTR__FIELD_LOWER * 8);
        if (low == 0) gtr__field_signal(now.empty);
    }
    gtr__field_await(pool_at + (uint32_t)offsetof(gtr__field_head, ended), turn);
    turn ^= 1;
    if (p.half == 0) {
        const char *published = p.base + m.mask_at + p.tid * 8;
        const float2 column = *(const float2 *)published;
        sum.bias[0] = column.x; sum.bias[1] = column.y; sum.loss = *(const float *)(published + 1024);
    }
}
#endif

// >>field-step
// Weights and biases for a step, and columns of ones; by all threads. Others wrote the weights: not by way of L1.
template <typename T, int P> static GTR__DEVICE void gtr__field_load(const gtr__field &m, char *pool) {
    T low;
    uint4 one = make_uint4(0, 0, 0, 0);
    gtr__store(&low, 1.0f);
    memcpy(&one, &low, 2);
    if (threadIdx.x < 16) *(uint4 *)(pool + m.ones_at + threadIdx.x * 128 + ((threadIdx.x & 7) << 4)) = one;
    if (m.layer[0].k <= 32 && threadIdx.x < (3 - P) * GTR__FIELD_ROWS) {
        const int r = (int)threadIdx.x & 63;
        for (int s = 0; s < m.ahead; s++) *(uint4 *)(pool + m.team_at + (threadIdx.x >> 6) * m.team_bytes + m.x_at
            + s * m.x_step + r * 128 + ((4 ^ (r & 7)) << 4)) = one;
    }
#pragma unroll 1
    for (int l = 0; l < m.layers; l++) {
        const gtr__field_layer &L = m.layer[l];
        const int rows = m.small && l == m.layers - 1 ? P * 8 : P * 64, shift = L.panels == 1 ? 3 : 4,
            c = (int)threadIdx.x & ((1 << shift) - 1);
        const bool wide = L.k % 8 == 0 && ((uintptr_t)L.w & 15) == 0;
        char *to = pool + gtr__field_w<P>(m, l) + (c >> 3) * rows * 128;
#pragma unroll 2
        for (int r = (int)threadIdx.x >> shift; r < rows; r += GTR__FIELD_T >> shift) {
            const T *from = (const T *)L.w + r * L.k + c * 8;
            const int left = r < L.n ? L.k - c * 8 : 0, at = r * 128 + (((c & 7) ^ (r & 7)) << 4);
            if (wide) { gtr__copy16(to + at, left > 0 ? (const void *)from : L.w, left > 0); continue; }
            uint16_t u[8];
#pragma unroll
            for (int q = 0; q < 8; q++) u[q] = q < left ? __ldcg((const unsigned short *)from + q) : (unsigned short)0;
            uint4 v;
            memcpy(&v, u, 16);
            *(uint4 *)(to + at) = v;
        }
    }
    unsigned short bias[3];
#pragma unroll
    for (int q = 0; q < 3; q++) {
        const int i = q * GTR__FIELD_T + (int)threadIdx.x, l = i / (P * 64), e = i % (P * 64);
        bias[q] = l < m.layers && m.layer[l].bias && e < m.layer[l].n
            ? __ldcg((const unsigned short *)m.layer[l].bias + e) : (unsigned short)0;
    }
#pragma unroll
    for (int q = 0; q < 3; q++) {
        const int i = q * GTR__FIELD_T + (int)threadIdx.x;
        if (i < 8 * P * 64) *(unsigned short *)(pool + m.bias_at + i % (P * 64) * 16 + i / (P * 64) * 2) = bias[q];
    }
    if (P == 2 && threadIdx.x < P * 64) *(uint32_t *)(pool + m.bias_at + threadIdx.x * 16 + 12) = 0;
    gtr__copies_commit();
    gtr__copies_done<0>();
}
// What the first tile finds of a last one's gradients: see gtr__field_rows.
template <int P> static GTR__DEVICE void gtr__field_clear(const gtr__field &m, char *pool) {
    const int tid = gtr__thread();
    if (P == 1) for (int i = tid & 127; i < GTR__FIELD_PANEL / 16; i += 128) *(uint4 *)(pool + m.team_at
        + (tid >> 7) * m.team_bytes + m.place_at + m.apart * GTR__FIELD_PANEL + i * 16) = make_uint4(0, 0, 0, 0);
}
// Awaits the weights of the next step, which their owners publish: words of the 16 bits, of one that is set where a
// gradient was bad, and of the step's number, which are polled until none is missing. Returns
// GTR__FIELD_BAD, and 1: a block did not come. Where P is 1 and a panel holds a row.
#define GTR__FIELD_BAD   0x8000u
template <typename T> static GTR__DEVICE uint32_t gtr__field_word16(float v, uint32_t mark) {
    T low;
    uint16_t u;
    gtr__store(&low, v);
    memcpy(&u, &low, 2);
    return (uint32_t)u << 16 | mark;
}
static GTR__DEVICE bool gtr__field_missing(const uint4 &v, uint32_t tag) {
    return (((v.x ^ tag) | (v.y ^ tag) | (v.z ^ tag) | (v.w ^ tag)) & (GTR__FIELD_BAD - 1)) != 0;
}
static GTR__DEVICE uint32_t gtr__field_await_weights(const gtr__field &m, gtr__field_head *h,
        char *pool, uint32_t tag) {
    constexpr int slots = 2 * GTR__MLP_LAYERS;      // of 32 rows and, a thread, 8 columns
    const int tid = gtr__thread(), c = tid & 7, r0 = tid >> 3;
    uint4 v[2 * slots];
    uint32_t u[3], marks = 0;
    int turns = *(volatile int *)&h->turns;
    auto live = [&](int i) { return i / 2 < m.layers && r0 + i % 2 * 32 < m.layer[i / 2].n && c * 8 < m.layer[i / 2].k;
        };
#pragma unroll
    for (int i = 0; i < slots; i++)
        v[2 * i] = v[2 * i + 1] = live(i) ? make_uint4(~tag, 0, 0, 0) : make_uint4(tag, tag, tag, tag);
    // Biases, and whether the loss was bad.
    const int e = tid & 63, l = tid >> 6;
    const bool bias[2] = { l < m.layers && m.layer[l].db && e < m.layer[l].n,
        l + 4 < m.layers && m.layer[l + 4].db && e < m.layer[l + 4].n };
    u[0] = bias[0] ? ~tag : tag;
    u[1] = bias[1] ? ~tag : tag;
    u[2] = tid == 0 ? ~tag : tag;
    bool missing;
#pragma unroll 1
    do {
        missing = false;
#pragma unroll
        for (int i = 0; i < slots; i++) {
            const uint32_t *w = m.published + m.layer[i / 2].flat_w
                + (r0 + i % 2 * 32) * m.layer[i / 2].pitch + c * 8;
            if (gtr__field_missing(v[2 * i], tag)) v[2 * i] = gtr__poll4(w);
            if (gtr__field_missing(v[2 * i + 1], tag)) v[2 * i + 1] = gtr__poll4(w + 4);
        }
        if ((u[0] ^ tag) & (GTR__FIELD_BAD - 1)) u[0] = gtr__poll(m.published + m.layer[l].flat_b + e);
        if ((u[1] ^ tag) & (GTR__FIELD_BAD - 1)) u[1] = gtr__poll(m.published + m.layer[l + 4].flat_b + e);
        if ((u[2] ^ tag) & (GTR__FIELD_BAD - 1)) u[2] = gtr__poll(m.published + m.flat);
#pragma unroll
        for (int i = 0; i < 2 * slots; i++) missing |= gtr__field_missing(v[i], tag);
        missing |= (((u[0] ^ tag) | (u[1] ^ tag) | (u[2] ^ tag)) & (GTR__FIELD_BAD - 1)) != 0;
    } while (missing && ++turns < GTR__DEADLINE);
    if (tid == 0) *(volatile int *)&h->turns = turns;
#pragma unroll
    for (int i = 0; i < slots; i++) {
        const int r = r0 + i % 2 * 32;
        const uint4 a = v[2 * i], b = v[2 * i + 1];
        marks |= a.x | a.y | a.z | a.w | b.x | b.y | b.z | b.w;
        if (live(i)) *(uint4 *)(pool + gtr__field_w<1>(m, i / 2) + r * 128 + ((c ^ (r & 7)) << 4)) =
            make_uint4(__byte_perm(a.x, a.y, 0x7632), __byte_perm(a.z, a.w, 0x7632), __byte_perm(b.x, b.y, 0x7632),
            __byte_perm(b.z, b.w, 0x7632));
    }
    if (bias[0]) *(unsigned short *)(pool + m.bias_at + e * 16 + l * 2) = (unsigned short)(u[0] >> 16);
    if (bias[1]) *(unsigned short *)(pool + m.bias_at + e * 16 + l * 2 + 8) = (unsigned short)(u[1] >> 16);
    marks |= u[0] | u[1] | u[2];
    return (marks & GTR__FIELD_BAD) | (missing ? 1u : 0u);
}
// The next step's record to ctl, where all blocks read it, by the reporter's warp; first: of the launch. Those of a
// launch are written before it: so many trips to the host at once.
#define GTR__FIELD_AHEAD 4
static GTR__DEVICE void gtr__field_ahead(const gtr__field &m, const gtr__field_head *h, bool first) {
    constexpr int whole = (int)(sizeof(gtr__record) / 16);
    static_assert(whole <= 16, "half a warp fetches a record");
    const int lane = (int)threadIdx.x & 31, of = lane >> 4, at = lane & 15;
    const uint64_t step = h->step, next = step + 1;
    if (h->record.more == 0) { gtr__fetch_ahead(m.ctl, m.ring, m.ctl->step); return; }
    if (first || step % GTR__FIELD_AHEAD == 0) {
        const int left = GTR__FIELD_AHEAD - (int)(step % GTR__FIELD_AHEAD),
            n = h->record.more < left ? (int)h->record.more : left;
        int4 v[GTR__FIELD_AHEAD / 2] = {};
#pragma unroll
        for (int i = 0; i < GTR__FIELD_AHEAD / 2; i++) if (2 * i + of < n && at < whole)
            v[i] = __ldcv((const int4 *)&m.ring[(next + (uint64_t)(2 * i + of)) % GTR__RING] + at);
#pragma unroll
        for (int i = 0; i < GTR__FIELD_AHEAD / 2; i++) if (2 * i + of < n && at < whole)
            m.records[(int)((next + (uint64_t)(2 * i + of)) % GTR__FIELD_AHEAD) * 16 + at] = v[i];
        __threadfence_block();
        __syncwarp();
    }
    const int k = (int)(next & 1);
    if (lane < whole)
        ((int4 *)&m.ctl->record[k])[lane] = __ldcg(m.records + (int)(next % GTR__FIELD_AHEAD) * 16 + lane);
    __threadfence();
    __syncwarp();
    if (lane == 0) { m.ctl->claim = next + 1; *(volatile uint64_t *)&m.ctl->tag[k] = next + 1; }
}
// A sum over the block's teams.
template <typename V> static GTR__DEVICE V gtr__field_total(V v, V *scratch) {
    const int lane = (int)threadIdx.x & 31;
    v = gtr__warp_sum(v);
    if (lane == 0) scratch[threadIdx.x >> 5] = v;
    gtr__field_barrier();
    v = lane < GTR__FIELD_T / 32 ? scratch[lane] : (V)0;
    v = gtr__warp_sum(v);
    gtr__field_barrier();
    return v;
}
// The grid's barrier: waits for all blocks. False: this one is past its deadline; so it is from then on, as what is
// spent is spent for the launch, at whose last barrier the others learn it.
static GTR__DEVICE bool gtr__field_wait(const gtr__field &m, gtr__field_head *h) {
    bool met = true;
    if (threadIdx.x == 0) {
        const uint32_t target = h->target += gridDim.x;
        int turns = *(volatile int *)&h->turns;
        while (met && gtr__poll_acquire(&m.ctl->ticket[6]) < target) met = ++turns < GTR__DEADLINE;
        *(volatile int *)&h->turns = turns;
    }
    return !gtr__field_any(!met);
}
static GTR__DEVICE void gtr__field_arrive(const gtr__field &m) {
    gtr__field_barrier();
    if (threadIdx.x == 0) gtr__count_in(&m.ctl->ticket[6]);
}
// A launch's last barrier; gave_up: this block was past its deadline before. False: the launch is
// abandoned, and all roll back.
static GTR__DEVICE bool gtr__field_end(const gtr__field &m, bool gave_up) {
    bool stays = true;
    gtr__field_barrier();
    if (threadIdx.x == 0) {
        uint32_t *ticket = &m.ctl->ticket[5];
        if (gave_up) atomicOr(ticket, GTR__ABANDONED);
        gtr__grid_late(ticket, m.late);
        gtr__count_in(ticket);
        stays = gtr__grid_wait(ticket, gridDim.x, m.hurry);
    }
    return !gtr__field_any(!stays);
}
// What gtr__field_write has left in shared memory to the block's sums: a small last layer's gradients, far apart of two
// teams, and the loss.
template <int P>
static GTR__DEVICE void gtr__field_write_last(const gtr__field &m, int role, float *whole,
        const float *lasts, const float *column, int far) {
    constexpr int teams = 3 - P, rows = P * 64;
    const int tid = gtr__thread(), lane = tid & 31, last = m.layers - 1;
    if (m.small && m.unit[role][last] >= 0) {
        const gtr__field_layer &L = m.layer[last];
        float *out = whole + (L.nat_w - m.frags) * 4;
#pragma unroll 1
        for (int r = tid >> 5; r < L.n; r += GTR__FIELD_T / 32)
#pragma unroll 1
            for (int c = lane; c < L.k; c += 32)
                out[r * L.k + c] = teams == 2 ? lasts[r * rows + c] + lasts[far + r * rows + c] : lasts[r * rows + c];
        if (tid < (4 - L.n * L.k % 4) % 4) out[L.n * L.k + tid] = 0.0f;
        if (tid < (L.n + 3) / 4 * 4 && L.db) {
            float v = 0.0f;
            for (int w = 0; w < 4 * teams; w++) v += column[(w >> 2) * far + (w & 3) * 8 + tid];
            whole[(L.nat_b - m.frags) * 4 + tid] = v;
        }
    }
    if (role == 0 && tid == 32) {
        float v = 0.0f;
        for (int w = 0; w < 8; w++) v += column[32 + (teams == 2 ? (w >> 2) * far + (w & 3) : w)];
        m.losses[blockIdx.x] = v;
    }
}
// A unit's 36 numbers, four at a time: at(j).
template <typename T, int P, typename F>
static GTR__DEVICE void gtr__field_write_unit(const gtr__field &m, int role, int unit, char *part,
        float *whole, F at) {
    const int tid = gtr__thread(), lane = tid & 31, group = tid >> 7, slot = tid & 127, warp = slot >> 5;
    const int g = lane >> 2, t = lane & 3;
    int l = m.layers - 1 - m.small;
#pragma unroll 1
    while (l >= 0 && (m.unit[role][l] < 0 || unit < m.unit[role][l] || unit >= m.unit[role][l] + m.layer[l].panels))
        l--;
    if (l < 0) return;
    const gtr__field_layer &L = m.layer[l];
    const int p0 = (unit - m.unit[role][l]) * 8, planes = (L.k + 7) / 8 - p0,
        ones = p0 || !L.db ? -1 : l == 0 && L.k <= 32 ? 4 : 8;
    const int quad = L.frag + p0 * (128 * P) + (P == 1 ? slot : tid), r = (P == 1 ? 0 : group * 64) + warp * 16 + g;
    char *to = part + quad * (m.narrow ? 8 : 16);
    float *bias = whole + (L.nat_b - m.frags) * 4 + r;
#pragma unroll
    for (int j = 0; j < 9; j++) {
        const float4 v = at(j);
        if (j == ones && t == 0) {
            if (r < (L.n + 3) / 4 * 4) bias[0] = v.x;          // whole fours, as they are read
            if (r + 8 < (L.n + 3) / 4 * 4) bias[8] = v.z;
        }
        if (j == 8 || j >= planes) continue;
        if (m.narrow)
            *(uint2 *)(to + j * (1024 * P)) = make_uint2(gtr__field_pack<T>(v.x, v.y), gtr__field_pack<T>(v.z, v.w));
        else *(float4 *)(to + j * (2048 * P)) = v;
    }
}
// A block's sums to workspace. Those of products by fours as they lie in registers, a thread's 16 bytes beside its
// neighbour's: of rows g and g + 8 of a warp's 16, columns 2t and 2t + 1 of 8; behind them the others, in order: whole
// lines go to L2 twice as quickly as pieces of 32 bytes. Where very many blocks are added up the former are rounded to
// 16 bits, as a product's output would be. Of two teams each adds up half of the units, and gives the other one the
// rest by way of shared memory.
#define GTR__FIELD_GIVEN(P) ((P) == 1 ? GTR__FIELD_UNITS / 2 * 36 * 128 : 0)
template <typename T, int P>
static GTR__DEVICE void gtr__field_write(const gtr__field &m, char *pool, int role,
        gtr__field_sums &sum) {
    constexpr int teams = 3 - P, rows = P * 64, half = GTR__FIELD_UNITS / 2;
    const int tid = gtr__thread(), lane = tid & 31, group = tid >> 7, slot = tid & 127, warp = slot >> 5,
        g = lane >> 2, t = lane & 3;
    char *part = (char *)m.part + (int64_t)blockIdx.x * m.stride;
    float *whole = (float *)(part + m.frags * (m.narrow ? 8 : 16)), *first = (float *)(pool + m.team_at + m.place_at);
    const int far = teams == 2 ? m.team_bytes / 4 : 0;         // from one team's to the other's
    float *own = first + group * far, *other = first + (1 - group) * far, *lasts = first + GTR__FIELD_GIVEN(P),
        *column = lasts + 8 * rows;
#pragma unroll
    for (int o = 4; o < 32; o <<= 1) {
        sum.bias[0] += __shfl_xor_sync(0xffffffffu, sum.bias[0], o);
        sum.bias[1] += __shfl_xor_sync(0xffffffffu, sum.bias[1], o);
    }
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) sum.loss += __shfl_xor_sync(0xffffffffu, sum.loss, o);
    auto put = [&](int unit, auto at) { gtr__field_write_unit<T, P>(m, role, unit, part, whole, at); };
    gtr__field_barrier();                      // products that read what stood there are made
    float *to = lasts + (P == 1 ? group * far : group * 64);
#pragma unroll
    for (int i = 0; i < 4; i++) to[(t * 2 + (i & 1)) * rows + warp * 16 + g + (i >> 1) * 8] = sum.last[i];
    if ((P == 1 || group == 0) && lane < 4)
        *(float2 *)(column + group * far + warp * 8 + 2 * t) = make_float2(sum.bias[0], sum.bias[1]);
    if (lane == 0) column[32 + (P == 1 ? group * far : group * 4) + warp] = sum.loss;
    if constexpr (P == 1) {
        auto give = [&](auto which) {       // of the units that the other team adds up
            constexpr int theirs = decltype(which)::value;
#pragma unroll
            for (int i = 0; i < half * 9; i++) {
                const float *d = sum.dw[theirs + i / 9] + i % 9 * 4;
                *(float4 *)(own + (i * 128 + slot) * 4) = make_float4(d[0], d[1], d[2], d[3]);
            }
        };
        auto add = [&](auto which) {
            constexpr int mine = decltype(which)::value;
#pragma unroll
            for (int u = 0; u < half; u++)
                put(mine + u, [&](int j) {
                    const float *d = sum.dw[mine + u] + j * 4;
                    return gtr__add4(make_float4(d[0], d[1], d[2], d[3]),
                        *(const float4 *)(other + ((u * 9 + j) * 128 + slot) * 4));
                });
        };
        const std::integral_constant<int, 0> low;
        const std::integral_constant<int, half> high;
        if (group == 0) give(high); else give(low);
        gtr__field_barrier();
        if (group == 0) add(low); else add(high);
    } else {
        gtr__field_barrier();
#pragma unroll
        for (int u = 0; u < GTR__FIELD_UNITS; u++)
            put(u, [&](int j) { const float *d = sum.dw[u] + j * 4; return make_float4(d[0], d[1], d[2], d[3]); });
    }
    gtr__field_write_last<P>(m, role, whole, lasts, column, far);
}
// A thread's four parameters: two from i on, two from j on, of their segment. live: which of them there are. Published
// they are from at[0] and at[1] on, -1: not; zeros behind a row's end, too.
struct gtr__field_four { float4 p, g, a, b; const gtr__segment *seg; int i, j, at[2]; uint32_t live; };
template <int P>
static GTR__DEVICE void gtr__field_find(const gtr__field &m, const gtr__field_head *h, int q,
        gtr__field_four &f, int *role) {
    f.live = 0; f.seg = h->segment; f.i = f.j = 0; f.at[0] = f.at[1] = -1;
#pragma unroll 1
    for (int l = 0; l < m.layers; l++) {
        const gtr__field_layer &L = m.layer[l];
        const bool small = m.small && l == m.layers - 1;
        int e;
        if (!small && q >= L.frag && q < L.frag + (L.k + 7) / 8 * (128 * P)) {
            e = q - L.frag;
            const int c = e / (128 * P) * 8 + (e & 3) * 2, r = (e & (128 * P - 1)) / 32 * 16 + (e >> 2 & 7);
            f.i = r * L.k + c; f.j = f.i + 8 * L.k;
            f.live = (c < L.k ? c + 1 < L.k ? 3 : 1 : 0) * ((r < L.n ? 1 : 0) + (r + 8 < L.n ? 4 : 0));
            f.seg += 2 * l;
            if (r < L.n) f.at[0] = L.flat_w + r * L.pitch + c;
            if (r + 8 < L.n) f.at[1] = L.flat_w + (r + 8) * L.pitch + c;
        } else {
            const bool bias = q >= L.nat_b && q < L.nat_b + (L.n + 3) / 4;
            const int count = bias ? L.n : L.n * L.k;
            if (bias ? !L.db : !small || q < L.nat_w || q >= L.nat_w + (count + 3) / 4) continue;
            f.i = (q - (bias ? L.nat_b : L.nat_w)) * 4; f.j = f.i + 2;
            f.live = (1u << (count - f.i < 4 ? count - f.i : 4)) - 1;
            f.seg += 2 * l + bias;
            f.at[0] = (bias ? L.flat_b : L.flat_w) + f.i;
            if (f.live & 4) f.at[1] = f.at[0] + 2;
        }
#pragma unroll 1
        for (int r = 0; r < m.roles; r++) if (m.unit[r][l] >= 0) *role = r;
        return;
    }
}
static GTR__DEVICE void gtr__field_get2(const float *p, uint32_t live, float &x, float &y) {
    if (live == 3 && ((uintptr_t)p & 7) == 0) {
        const float2 v = __ldcg((const float2 *)p);
        x = v.x; y = v.y;
    } else {
        if (live & 1) x = __ldcg(p);
        if (live & 2) y = __ldcg(p + 1);
    }
}
static GTR__DEVICE void gtr__field_give2(float *p, uint32_t live, float x, float y) {
    if (live == 3 && ((uintptr_t)p & 7) == 0) { *(float2 *)p = make_float2(x, y); return; }
    if (live & 1) p[0] = x;
    if (live & 2) p[1] = y;
}
template <typename T>
static GTR__DEVICE void gtr__field_give2_low(T *p, uint32_t live, float x, float y) {
    if (live == 3 && ((uintptr_t)p & 3) == 0) { *(uint32_t *)p = gtr__field_pack<T>(x, y); return; }
    if (live & 1) gtr__store(p, x);
    if (live & 2) gtr__store(p + 1, y);
}
static GTR__DEVICE float4 gtr__field_get(const float *p, const gtr__field_four &f) {
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    gtr__field_get2(p + f.i, f.live & 3, v.x, v.y);
    gtr__field_get2(p + f.j, f.live >> 2, v.z, v.w);
    return v;
}
static GTR__DEVICE void gtr__field_give(float *p, const gtr__field_four &f, float4 v) {
    gtr__field_give2(p + f.i, f.live & 3, v.x, v.y);
    gtr__field_give2(p + f.j, f.live >> 2, v.z, v.w);
}
static GTR__DEVICE void gtr__field_state(const gtr__field &m, gtr__field_four &f) {
    const gtr__optim &o = m.optim;
    f.a = f.b = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    f.p = gtr__field_get(f.seg->p, f);
    if (o.states > 0) f.a = gtr__field_get(o.state[0] + f.seg->offset, f);
    if (o.states > 1) f.b = gtr__field_get(o.state[1] + f.seg->offset, f);
}
// Parameters and moments to where they belong.
static GTR__DEVICE void gtr__field_give(const gtr__field &m, const gtr__field_four &f) {
    const gtr__optim &o = m.optim;
    if (o.states > 1) gtr__field_give(o.state[1] + f.seg->offset, f, f.b);
    if (o.states > 0) gtr__field_give(o.state[0] + f.seg->offset, f, f.a);
    gtr__field_give(f.seg->p, f, f.p);
    if (f.seg->bf16) {
        gtr__field_give2_low((__nv_bfloat16 *)f.seg->bf16 + f.i, f.live & 3, f.p.x, f.p.y);
        gtr__field_give2_low((__nv_bfloat16 *)f.seg->bf16 + f.j, f.live >> 2, f.p.z, f.p.w);
    }
    if (f.seg->f16) {
        gtr__field_give2_low((__half *)f.seg->f16 + f.i, f.live & 3, f.p.x, f.p.y);
        gtr__field_give2_low((__half *)f.seg->f16 + f.j, f.live >> 2, f.p.z, f.p.w);
    }
}
// Adam's step of a parameter that has long had no gradient is less than 1e-22: without what follows, for roots and
// quotients of such small numbers take a slow way, and all wait for it.
struct gtr__field_adapt {
    static GTR__DEVICE float of(const gtr__rule &k, float p, float f, float n, float v)
    {
        const bool still = fabsf(n) < 1e-30f;
        return fmaf(p, f, still ? 0.0f : n / fmaf(sqrtf(still ? 1.0f : v), k.root, k.eps));
    }
};
static GTR__DEVICE void gtr__field_update(const gtr__field &m, const gtr__field_head *h,
        gtr__field_four &f, float coef) {
    const gtr__rule rule = gtr__rule_of(m.optim.rule, h->rate, f.seg->group, coef);
    gtr__apply<gtr__field_adapt, 4>(rule, &f.p.x, &f.g.x, &f.a.x, &f.b.x);
}
// What is not done in each step, or seldom, by a block for its slice: what there is is kept, or put back; or the
// gradients that are there are used.
enum { GTR__FIELD_KEEP, GTR__FIELD_BACK, GTR__FIELD_USE };
template <int P>
static __device__ __noinline__ void gtr__field_slice(const gtr__field &m, const gtr__field_head *h,
        int what, float coef) {
    const int per = (m.quads + (int)gridDim.x - 1) / (int)gridDim.x, q0 = (int)blockIdx.x * per;
#pragma unroll 1
    for (int q = q0 + gtr__thread(); q < m.quads && q < q0 + per; q += GTR__FIELD_T) {
        gtr__field_four f;
        float4 *kept = m.kept + (int64_t)q * 3;
        int role;
        gtr__field_find<P>(m, h, q, f, &role);
        if (!f.live) continue;
        if (what == GTR__FIELD_USE) f.g = gtr__field_get(m.optim.gradient + f.seg->offset, f);
        if (what == GTR__FIELD_BACK) { f.p = kept[0]; f.a = kept[1]; f.b = kept[2]; }
        else gtr__field_state(m, f);
        if (what == GTR__FIELD_KEEP) { kept[0] = f.p; kept[1] = f.a; kept[2] = f.b; continue; }
        if (what == GTR__FIELD_USE) gtr__field_update(m, h, f, coef);
        gtr__field_give(m, f);
    }
}
// The blocks' sums of four parameters, of every ways-th block from k on, in order.
template <typename T, typename V, int N>
static GTR__DEVICE float4 gtr__field_gather(const gtr__field &m, const char *from, int role,
        int k, int ways) {
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const int end = m.block0[role + 1];
#pragma unroll 1
    for (int b = m.block0[role] + k; b < end; b += N * ways) {
        V w[N];
#pragma unroll
        for (int i = 0; i < N; i++) {
            memset(&w[i], 0, sizeof(V));
            if (b + i * ways < end) w[i] = __ldcg((const V *)(from + (int64_t)(b + i * ways) * m.stride));
        }
#pragma unroll
        for (int i = 0; i < N; i++) {
            if constexpr (sizeof(V) == 16) v = gtr__add4(v, make_float4(w[i].x, w[i].y, w[i].z, w[i].w));
            else {
                const float2 a = gtr__field_unpack<T>(w[i].x), c = gtr__field_unpack<T>(w[i].y);
                v = gtr__add4(v, make_float4(a.x, a.y, c.x, c.y));
            }
        }
    }
    return v;
}
template <typename T>
static GTR__DEVICE float4 gtr__field_gather(const gtr__field &m, int q, int role, int k, int ways) {
    const int size = m.narrow ? 8 : 16;
    const char *from = (const char *)m.part + (q < m.frags ? q * size : m.frags * size + (q - m.frags) * 16);
    if (m.narrow && q < m.frags) return gtr__field_gather<T, uint2, 18>(m, from, role, k, ways);
    return gtr__field_gather<T, float4, 18>(m, from, role, k, ways);
}
static GTR__DEVICE void gtr__field_check(float4 v, uint32_t live, uint32_t &most, double &sum) {
    const float x = live & 1 ? v.x : 0.0f, y = live & 2 ? v.y : 0.0f, z = live & 4 ? v.z : 0.0f,
        w = live & 8 ? v.w : 0.0f;
    uint32_t a = __float_as_uint(x) & 0x7fffffffu, b = __float_as_uint(y) & 0x7fffffffu,
        c = __float_as_uint(z) & 0x7fffffffu, d = __float_as_uint(w) & 0x7fffffffu;
    a = a > b ? a : b; c = c > d ? c : d; a = a > c ? a : c;
    most = most > a ? most : a;
    sum += (double)((x * x + y * y) + (z * z + w * w));
}
// Inputs' slots as FEED leaves them: of the bad step, whose nodes the host runs one by one then.
static GTR__DEVICE void gtr__field_feed(const gtr__field &m, const gtr__record *record) {
    const int warps = (int)gridDim.x * (GTR__FIELD_T / 32), lane = (int)threadIdx.x & 31;
    for (int r0 = ((int)blockIdx.x * (GTR__FIELD_T / 32) + (int)threadIdx.x / 32) * 32; r0 < m.batch;
            r0 += warps * 32) {
        const int64_t mine = r0 + lane < m.batch ? gtr__origin<false>(r0 + lane, record->rows, record->first,
            record->key) : 0;
        for (int r = 0; r < 32 && r0 + r < m.batch; r++) {
            const int64_t from = __shfl_sync(0xffffffffu, mine, r);
#pragma unroll 1
            for (int f = 0; f < m.n_feed; f++) {
                const gtr__feed_one &in = m.feed[f];
                const float *src = (const float *)(uintptr_t)record->src[in.slot];
                for (int c = lane; c < (int)in.row; c += 32)
                    gtr__put(in.to.p, in.to.t, (int64_t)(r0 + r) * in.row + c, src[from * in.row + c]);
            }
        }
    }
}
// A block's teams through a launch's steps.
template <typename T, int P, bool RELU, bool fed> struct gtr__field_block {
    const gtr__field &m;
    gtr__field_head *h;
    char *pool;
    const int role, tid, blocks, me;
    const bool reporter;        // a warp of the team with the fewest tiles
    uint32_t count, turn;
    const gtr__field_place<P> p;
    // opened: the next step's record is there; there: its weights are; norm_pending: the last one's norm has not been
    // summed. gave_up: this block waited for another in vain; ended: it has counted itself in at the last barrier;
    // stays: nothing is rolled back.
    bool pending, opened, there, norm_pending, was_bad, gave_up, ended, stays;
    // Of a step: the slice of the parameters that this block adds up and updates, and what it finds.
    int64_t more;
    int index, per, q0, mine, ways, wide, way, own, from;
    float whole, coef;
    gtr__field_four four, before;
    bool once, early, quick, bad, updated;
    double sum;
    const gtr__record *now, *next;
    GTR__DEVICE gtr__field_block(const gtr__field &m, gtr__field_head *h, char *pool,
            int role, bool reporter) : m(m), h(h), pool(pool), role(role), tid((int)threadIdx.x),
            blocks((int)gridDim.x), me((int)blockIdx.x), reporter(reporter), count(0), turn(0),
            p(m, pool, (int)gtr__field_same((uint32_t)tid >> 7), tid & 127), pending(false), opened(true), there(false),
            norm_pending(false), was_bad(false), gave_up(false), ended(false), stays(true) {
    }
    // Behind a step whose new weights were published: the norm, and with it the rest of the report; by the reporter.
    GTR__DEVICE void report_norm(uint32_t tag) const {
        double sum = 0.0;
        int turns = *(volatile int *)&h->turns;
        for (int b0 = tid & 31; m.sums && b0 < blocks; b0 += 5 * 32) {
            uint64_t v[5];
            uint32_t all;
            do {
                all = 0;
#pragma unroll
                for (int i = 0; i < 5; i++) {
                    v[i] = tag;
                    if (b0 + i * 32 < blocks) v[i] = gtr__poll8(m.norms + b0 + i * 32);
                }
#pragma unroll
                for (int i = 0; i < 5; i++) all |= ((uint32_t)v[i] ^ tag) & 0xffffu;
            } while (all && ++turns < GTR__DEADLINE);
#pragma unroll
            for (int i = 0; i < 5; i++) sum += __longlong_as_double((long long)(v[i] & ~0xffffull));
        }
        sum = gtr__warp_sum(sum);
        if (tid == GTR__FIELD_T - 32) {
            m.ctl->norm = (float)(sqrt(sum) / (double)m.ctl->scale); m.ctl->coef = (float)(1.0 / (double)m.ctl->scale);
            m.ctl->guard = was_bad ? 1u : 0u;
        }
    }
    // The step begins: weights and rows are there.
    GTR__DEVICE void begin() {
        if (!there) gtr__field_load<T, P>(m, pool);
        gtr__field_clear<P>(m, pool);
        gtr__field_publish();
        gtr__field_barrier();
        if constexpr (fed) gtr__field_go<P>(me - m.block0[role] >= m.tiles);
        opened = false;
        if (reporter) {
            if (norm_pending) report_norm(h->tag);
            if (pending && tid == GTR__FIELD_T - 32) gtr__report_step(m.report);
            __syncwarp();
            gtr__field_ahead(m, h, !pending);
        }
    }
    // The step's gradients, this block's rows of them.
    GTR__DEVICE void gradients() {
        {
            gtr__field_sums sum;
#pragma unroll
            for (int u = 0; u < GTR__FIELD_UNITS; u++)
#pragma unroll
                for (int i = 0; i < 36; i++) sum.dw[u][i] = 0.0f;
#pragma unroll
            for (int i = 0; i < 4; i++) sum.last[i] = 0.0f;
            sum.bias[0] = sum.bias[1] = sum.loss = 0.0f;
#if GTR__FIELD_WGMMA
            if constexpr (P == 2) gtr__field_collect<T>(m, h, pool, p, role, count, turn, sum);
            else
#endif
                gtr__field_team<T, P, RELU, fed>(m, h, pool, p, role, h->record.more == 0, count, turn, sum).run();
            gtr__field_write<T, P>(m, pool, role, sum);
        }
        gtr__field_arrive(m);
        if (!pending) gtr__field_slice<P>(m, h, GTR__FIELD_KEEP, 0.0f);     // nobody's update has begun
    }
    // The slice, while other blocks still sum: loads its parameters and moments.
    GTR__DEVICE void prepare() {
        more = h->record.more;
        index = gtr__thread();
        per = (m.quads + blocks - 1) / blocks; q0 = me * per; mine = m.quads - q0 < per ? m.quads - q0 : per;
        ways = 1;
        while (ways < 8 && per * ways * 2 <= GTR__FIELD_T) ways *= 2;
        wide = GTR__FIELD_T / ways; way = index / wide; own = index % wide;
        once = per <= wide;              // all of a slice at a time, unless there are very many parameters
        // thread 0 is about to wait
        if (index >= 128 && index < 128 + GTR__MAX_GROUPS)
            gtr__rates_of(m.optim, (double)h->record.lr[index - 128], h->applied + 1, index - 128, &h->rate);
        whole = (float)(1.0 / (double)h->scale);
        from = 0;
        four.live = 0; four.at[0] = four.at[1] = -1;
        if (once && own < mine) gtr__field_find<P>(m, h, q0 + own, four, &from);
        four.p = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (way == 0 && four.live) gtr__field_state(m, four);
    }
    // Its gradient, over all blocks.
    GTR__DEVICE void gather() {
        float4 *red = (float4 *)(pool + m.team_at + m.place_at);
        uint32_t most = 0;
        sum = 0.0;
        bad = false;
        for (int q = 0; q < mine; q += wide) {
            if (!once) {
                four.live = 0;
                if (q + own < mine) gtr__field_find<P>(m, h, q0 + q + own, four, &from);
            }
            if (four.live) four.g = gtr__field_gather<T>(m, q0 + q + own, from, way, ways);
            if (ways > 1) {
                red[index] = four.g;
                gtr__field_barrier();
                if (way) four.live = 0;
                if (four.live) {
#pragma unroll
                    for (int k = 1; k < 8; k++) if (k < ways) four.g = gtr__add4(four.g, red[k * wide + index]);
                }
                gtr__field_barrier();
            }
            if (!four.live) continue;
            if (!once) gtr__field_give(m.optim.gradient + four.seg->offset, four, four.g);
            gtr__field_check(four.g, four.live, most, sum);
        }
        if (m.checks) bad = most >= 0x7f800000u;
    }
    // By the reporter; whether it is bad.
    GTR__DEVICE bool report_loss() const {
        float v = 0.0f;
        for (int b0 = index & 31; b0 < m.block0[1]; b0 += 5 * 32) {       // all of 160 blocks' at once
            float w[5];
#pragma unroll
            for (int i = 0; i < 5; i++) w[i] = b0 + i * 32 < m.block0[1] ? __ldcg(&m.losses[b0 + i * 32]) : 0.0f;
#pragma unroll
            for (int i = 0; i < 5; i++) v += w[i];
        }
        v = gtr__warp_sum(v);
        v /= m.count;
        if (index == GTR__FIELD_T - 32) *m.value = v;
        return gtr__infinite(v);
    }
    GTR__DEVICE void keep() const {
            if (updated) gtr__field_give(m, four);
            if (once && four.live) gtr__field_give(m.optim.gradient + four.seg->offset, four, four.g);
    }
    // Quick: publishes the slice's new weights word by word, and awaits all others'. False: a block did not come.
    GTR__DEVICE bool publish() {
        const uint32_t tag = h->tag + 1, mark = tag | (bad ? GTR__FIELD_BAD : 0);
        const float4 v = four.p;
        if (way == 0 && four.at[0] >= 0) gtr__publish2(m.published + four.at[0], gtr__field_word16<T>(v.x, mark),
            gtr__field_word16<T>(v.y, mark));
        if (way == 0 && four.at[1] >= 0) gtr__publish2(m.published + four.at[1], gtr__field_word16<T>(v.z, mark),
            gtr__field_word16<T>(v.w, mark));
        keep();
        if (reporter && index == GTR__FIELD_T - 32) gtr__publish(m.published + m.flat, mark);
        if (m.sums) {
            if (wide > 32) sum = gtr__field_total(sum, h->sums);
            else {
                sum = gtr__warp_sum(sum);
            }
            if (index == 0) gtr__publish8(m.norms + me, ((uint64_t)__double_as_longlong(sum) & ~0xffffull) | tag);
        }
        if constexpr (!fed) {
            gtr__field_open<P, fed>(m, h, next, p, role);
            opened = true;
        }
        const uint32_t marks = gtr__field_await_weights(m, h, pool, tag);
        if (marks & 1) h->lost = 1;
        bad = gtr__field_any((marks & GTR__FIELD_BAD) != 0);
        if (*(const volatile int *)&h->lost) { gave_up = true; return false; }
        return true;
    }
    // Else all learn behind another barrier whether the step was bad. False: the launch ends here.
    GTR__DEVICE bool join() {
        keep();
        bad = gtr__field_any(bad);
        if (m.sums) sum = gtr__field_total(sum, h->sums);
        if (index == 0) m.guard[me] = make_double2(sum, bad ? 1.0 : 0.0);
        if (more == 0) {
            ended = true;
            stays = gtr__field_end(m, false);
            if (!stays) return false;
        } else {
            gtr__field_arrive(m);
            if (!gtr__field_wait(m, h)) { gave_up = true; return false; }
        }
        sum = 0.0;
        bad = false;
        for (int b0 = index & 31; b0 < blocks; b0 += 5 * 32) {
            double2 v[5];
#pragma unroll
            for (int i = 0; i < 5; i++)
                v[i] = b0 + i * 32 < blocks ? __ldcg(&m.guard[b0 + i * 32]) : make_double2(0.0, 0.0);
#pragma unroll
            for (int i = 0; i < 5; i++) { sum += v[i].x; bad |= v[i].y != 0.0; }
        }
        bad = __any_sync(0xffffffffu, bad);
        return true;
    }
    // What is left of the update; whether another step comes.
    GTR__DEVICE bool finish() {
        norm_pending = quick;
        was_bad = bad;
        double norm = 0.0;
        coef = whole;
        if (!quick && (m.clipped || (m.sums && reporter))) {
            sum = gtr__warp_sum(sum);
            norm = sqrt(sum) / (double)h->scale;
            const double factor = m.clipped ? m.optim.clip / (norm + 1e-6) : 1.0;
            if (factor < 1.0) coef = (float)(factor / (double)h->scale);
        }
        if (bad && updated) gtr__field_give(m, before);
        if (!bad && !early) gtr__field_slice<P>(m, h, GTR__FIELD_USE, coef);
        if (!quick && reporter && index == GTR__FIELD_T - 32) {
            m.ctl->norm = (float)norm; m.ctl->coef = coef; m.ctl->guard = bad ? 1u : 0u;
        }
        pending = true;
        const bool stuck = bad && !m.report.scaled;
        if (stuck) gtr__field_feed(m, now);
        if (stuck || more == 0) return false;
        if (!quick) gtr__field_barrier();
        if (index == 0) {         // as gtr__report_step does it
            h->tag += quick;
            h->step++;
            if (bad) { h->scale = h->scale * 0.5f > 1.0f ? h->scale * 0.5f : 1.0f; h->good = 0; }
            else {
                h->applied++;
                if (++h->good >= 2000 && m.report.scaled) {
                    h->scale = h->scale * 2.0f < 16777216.0f ? h->scale * 2.0f : 16777216.0f; h->good = 0;
                }
            }
        }
        return true;
    }
    // The next step's weights and record. False: a block did not come.
    GTR__DEVICE bool proceed() {
        there = quick && !bad;
        if (there) return true;
        if (bad || !early) gtr__field_arrive(m);
        else gtr__field_barrier();
        if (!opened) gtr__field_open<P, fed>(m, h, next, p, role);
        opened = true;
        if ((bad || !early) && !gtr__field_wait(m, h)) { gave_up = true; return false; }
        return true;
    }
    GTR__DEVICE bool step() {
        begin();
        gradients();
        prepare();
        if (!gtr__field_wait(m, h)) { gave_up = true; return false; }
        // Mostly all slices are good, and then a second barrier, or the arrival of all new
        // weights, is the end of the step.
        early = once && !m.clipped; quick = P == 1 && early && m.published && more != 0;
        now = &m.ctl->record[h->step & 1]; next = &m.ctl->record[(h->step + 1) & 1];
        if (fed && quick) {
            gtr__field_open<P, fed>(m, h, next, p, role);
            opened = true;
        }
        gather();
        if (reporter) bad |= report_loss();
        updated = early && !bad && four.live;
        before = four;
        if (updated) gtr__field_update(m, h, four, whole);
        return (quick ? publish() : join()) && finish() && proceed();
    }
    GTR__DEVICE void run(const gtr__record *record) {
        gtr__field_open<P, fed>(m, h, record, p, role);
        if (m.published) {           // no word of an earlier launch may pass for this one's
            for (int i = me * GTR__FIELD_T + tid; i <= m.flat; i += blocks * GTR__FIELD_T)
                gtr__publish(m.published + i, 0);
            if (tid == 0) m.norms[me] = 0;
        }
#pragma unroll 1
        while (step());
        gtr__copies_commit();
        gtr__copies_done<0>();
        if (!ended) stays = gtr__field_end(m, gave_up);
        if (!stays) gtr__field_slice<P>(m, h, GTR__FIELD_BACK, 0.0f);
        if (reporter && stays && norm_pending) report_norm(h->tag + 1);
        if (reporter && tid == GTR__FIELD_T - 32 && stays)      // of the launch's steps, those that were not reported
            for (int64_t i = h->more + 1 - (int64_t)(m.ctl->step - h->first); i > 0; i--) gtr__report_step(m.report);
        if constexpr (fed) {
            if (tid == 0) *(opened ? &h->start : &h->go) = 0;
            if (opened) gtr__field_go<P>(false);
            else gtr__field_announce<P>();
        }
        if (tid == 0) gtr__grid_leave(m.report);
    }
};
// The feeders', and the chain's, part of the kernel, until the launch ends. True: this thread is one of them.
template <typename T, int P, bool RELU>
static GTR__DEVICE bool gtr__field_serves(const gtr__field &m, gtr__field_head *h,
        char *pool, int role) {
    const int tid = (int)threadIdx.x;
    uint32_t count = 0;
#if GTR__FIELD_WGMMA
    if constexpr (P == 2) if (tid >= GTR__FIELD_T + 128) {
        gtr__field_registers<152, true>();
        for (;;) {
            gtr__field_announced<P>();
            if (!*(const volatile int *)&h->go) break;
            gtr__field_go<P>(true);
            if (!*(const volatile int *)&h->start) break;
            gtr__field_chain<T, RELU>(m, h, pool, role, count).run();
        }
        return true;
    }
#endif
    if (tid >= GTR__FIELD_T) {
        gtr__field_registers<24, false>();
        for (;;) {
            gtr__field_announced<P>();
            if (!*(const volatile int *)&h->go || !gtr__field_feeder<T, P>(m, h, pool, role, count).run()) break;
        }
        gtr__copies_done<0>();
        return true;
    }
    gtr__field_registers<P == 2 ? 168 : 240, true>();
    return false;
}
template <typename T, int P, bool RELU, bool FED>
static __global__ void __launch_bounds__(GTR__FIELD_ALL(P, FED), 1) gtr__k_field(const __grid_constant__ gtr__field m) {
    extern __shared__ __align__(16) char gtr__field_pool[];      // more would hold for all kernels of the file
    if constexpr (P == 1 && FED && !GTR__FIELD_WGMMA) return;   // there is no such code without feeders
    gtr__enter();
    char *pool = gtr__field_pool + (0u - gtr__shared_address(gtr__field_pool) & 1023u);
    gtr__field_head *h = (gtr__field_head *)pool;
    const int tid = (int)threadIdx.x, blocks = (int)gridDim.x, me = (int)blockIdx.x;
    const bool reporter = me == blocks - 1 && tid >= GTR__FIELD_T - 32;     // a warp of the team with the fewest tiles
    constexpr bool fed = GTR__FIELD_ALL(P, FED) > GTR__FIELD_T;
    int role = 0;           // one alone where P is 1 and teams are fed
    if (P == 2 || !fed) while (role + 1 < m.roles && me >= m.block0[role + 1]) role++;
    if (*(const volatile uint32_t *)&m.ctl->status) {       // the same for all: written when all have come to the end
        if (me == 0 && tid == 0) { m.ctl->guard = 1; gtr__report_stuck(m.report, m.ring); }
        return;
    }
    gtr__mlp_segments(m.optim, m.layer, m.layers, h->segment, tid, GTR__FIELD_ALL(P, FED));
    if (tid < 21) {
        const uint32_t at = gtr__shared_address(pool) + (uint32_t)offsetof(gtr__field_head, full) + tid * 8;
        gtr__field_set(at, tid < 4 ? P * 2 : tid < 14 || (tid >= 17 && tid < 20) ? P * 4 : 4);
    }
    const gtr__record *record = gtr__fetch_record(m.ctl, m.ring);
    if (tid == 0) {
        h->lost = 0; h->tag = h->target = 0; h->turns = m.hurry;
        h->first = h->step = m.ctl->step; h->applied = m.ctl->applied; h->scale = m.ctl->scale; h->good = m.ctl->good;
        h->more = record->more;
        if (me == blocks - 1) gtr__grid_snapshot(m.ctl, (uint64_t)record->more + 1);
    }
    if constexpr (fed) if (gtr__field_serves<T, P, RELU>(m, h, pool, role)) return;
    gtr__field_block<T, P, RELU, fed>(m, h, pool, role, reporter).run(record);
}

// >>field-match
// Extents and how they are cut; a pure function of both and the number of multiprocessors.
typedef struct gtr__field_cut { int p, bytes; gtr__mlp_cut extents; } gtr__field_cut;
static int gtr__field_room(int compute) {
    return (compute == 80 || compute == 87 ? 163 : compute == 86 || compute == 89 || compute >= 120 ? 99 : 227) * 1024;
}
// How shared memory is cut. chain: widths above 64 go by gtr__field_chain.
static void gtr__field_layout(gtr__field *m, gtr__field_cut *c, bool chain, int room) {
    const int P = c->p, last = m->layers - 1;
    int at = (int)GTR__FIELD_HEAD;
    m->w0_at = at;
    for (int l = 0; l <= last; l++) {
        m->layer[l].panels = l ? P : (m->layer[0].k + 63) / 64;
        if (l == 1) m->w1_at = at;
        // P 1: rows 8 to 15 of a small last one's are multiplied by zeros, and are what follows
        at += m->layer[l].panels * (m->small && l == last ? P * 1024 : P * GTR__FIELD_PANEL);
    }
    m->bias_at = at;
    m->team_at = (at + P * 1024 + 1023) / 1024 * 1024;
    // The most room first: gradients apart from what is still read, two tiles ready.
    for (int way = P == 1 ? 0 : 1; way < 3; way++) {
        int team = 0;
        m->apart = way ? 1 : 3; m->ahead = way < 2 ? 2 : 1;
        m->x_at = team;
        m->x_step = m->layer[0].panels * GTR__FIELD_PANEL;
        m->place_at = team + m->ahead * m->x_step;
        team = m->place_at + (last + m->apart) * P * GTR__FIELD_PANEL + (m->small ? 1024 : P * GTR__FIELD_PANEL);
        if (chain) team = m->place_at + 4 * P * GTR__FIELD_PANEL + 1024;
        m->stage_at = team;
        team += GTR__FIELD_ROWS * m->stage_pitch;
        m->mask_at = team;
        if (chain) team += (last < 2 ? 2 : last) * 1024;
        m->target_at = team;
        m->target_step = GTR__FIELD_ROWS * m->layer[last].n * 4;
        team += m->ahead * m->target_step;
        m->tally_at = team = (team + 15) / 16 * 16;
        if (P == 1) team += 2048;
        m->team_bytes = (team + 1023) / 1024 * 1024;
        const int least = m->place_at + (GTR__FIELD_GIVEN(P) + 8 * P * 64 + 64) * 4;     // what gtr__field_write takes
        if (m->team_bytes < least) m->team_bytes = (least + 1023) / 1024 * 1024;
        m->ones_at = m->team_at + (3 - P) * m->team_bytes;
        c->bytes = m->ones_at + 2048 + 1024;
        if (c->bytes <= room) break;
    }
}
// Roles, from the last layer down; blocks to each by what it has to do.
static bool gtr__field_cast(gtr__field *m, int P, bool chain, int sm_count) {
    const int last = m->layers - 1;
    double cost[GTR__FIELD_ROLES], all = 0.0, forward = 0.0;
    memset(m->unit, -1, sizeof m->unit);
    for (int l = 0; l <= last; l++) forward += m->small && l == last ? P : P * 4.0 * m->layer[l].panels;
    int used = 0, r = 0, l = last;
    for (; l >= 0; l--) {
        const int units = m->small && l == last ? 0 : m->layer[l].panels;
        if (used + units > GTR__FIELD_UNITS) { if (++r == GTR__FIELD_ROLES) return false; used = 0; }
        m->unit[r][l] = (signed char)(P == 1 && l == 0 ? GTR__FIELD_UNITS - units : used);    // see gtr__field_rows
        m->low[r] = l;
        used += units;
    }
    m->roles = r + 1;
    for (r = 0; r < m->roles; r++) {
        cost[r] = (chain ? 1.0 : 0.6) * forward;        // against what comes back: measured
        for (l = last; l >= 0; l--) {
            if (l > m->low[r]) cost[r] += (chain ? 0.67 : 1.0) * (m->small && l == last ? P : 4.0 * P * P);
            if (m->unit[r][l] >= 0) cost[r] += m->small && l == last ? 1 : 4.0 * P * m->layer[l].panels;
        }
        all += cost[r];
    }
    if (sm_count < m->roles) return false;
    double seen = 0.0;
    for (r = 0; r < m->roles; r++) {
        seen += cost[r];
        m->block0[r + 1] = r + 1 == m->roles ? sm_count : (int)(seen / all * sm_count + 0.5);
        if (m->block0[r + 1] <= m->block0[r]) m->block0[r + 1] = m->block0[r] + 1;
    }
    return m->block0[m->roles] == sm_count;
}
// ahead: where there are blocks for gtr__field_chain.
static bool gtr__field_extents(const gtr__mlp_view *v, const gtr__mlp_parts *q, gtr__field *m, gtr__field_cut *c,
        int sm_count, int room, bool ahead) {
    const int last = q->layers - 1;
    memset(m, 0, sizeof *m);
    gtr__mlp_cut &e = c->extents;
    if (q->layers < 2 || q->act_back[last] >= 0 || q->accuracy >= 0
            || !gtr__mlp_extents(v, q, &e, 128, 128, INT32_MAX / 256))
        return false;
    m->layers = q->layers; m->batch = e.batch;
    c->p = 1;
    for (int l = 0; l <= last; l++) {
        const gtr__node *f = &v->node[q->forward[l]];
        gtr__field_layer *L = &m->layer[l];
        L->n = e.n[l]; L->k = e.k[l];
        L->act = gtr__mlp_act(f); L->act_a = (float)f->attr.f[0]; L->act_b = (float)f->attr.f[1];
        if (L->act == GTR__OP_LOG) return false;    // of the columns behind the last is not finite
        if (L->n > 64) c->p = 2;
    }
    const int P = c->p;
    const bool chain = ahead && P == 2;
    m->tiles = (m->batch + GTR__FIELD_ROWS - 1) / GTR__FIELD_ROWS;
    m->small = m->layer[last].n <= 8;
    m->reciprocal = m->layer[last].n > 1
        ? (uint32_t)((((uint64_t)1 << 32) + (uint64_t)m->layer[last].n - 1) / (uint64_t)m->layer[last].n) : 0;
    m->stage_pitch = m->layer[0].k <= 32 ? 128 : m->layer[0].k <= 64 ? 256 : 512;
    gtr__field_layout(m, c, chain, room);
    if (!gtr__field_cast(m, P, chain, sm_count)) return false;
    m->narrow = P == 1 && m->roles == 1 && sm_count >= 64;
    for (int l = 0; l + m->small <= last; l++) {
        m->layer[l].frag = m->frags;
        m->frags += (m->layer[l].k + 7) / 8 * 128 * P;
    }
    m->quads = m->frags;
    for (int l = 0; l <= last; l++) {
        m->layer[l].nat_b = m->quads;
        m->quads += (m->layer[l].n + 3) / 4;
    }
    m->layer[last].nat_w = m->quads;
    if (m->small) m->quads += (m->layer[last].n * m->layer[last].k + 3) / 4;
    m->stride = m->frags * (m->narrow ? 8 : 16) + (m->quads - m->frags) * 16;
    for (int l = 0; l <= last; l++) {
        m->layer[l].flat_w = m->flat;
        m->layer[l].pitch = (m->layer[l].k + 7) / 8 * 8;
        m->flat += m->layer[l].n * m->layer[l].pitch;
        m->layer[l].flat_b = m->flat;
        m->flat += (m->layer[l].n + 3) / 4 * 4;
    }
    return true;
}
static bool gtr__field_relu(const gtr__field *m) {
    for (int l = 0; l + 1 < m->layers; l++) if (m->layer[l].act != GTR__OP_RELU) return false;
    return true;
}
static int gtr__field_match(gtr__plan *plan, int at, const gtr__caps *caps) {
    gtr__mlp_view v = { plan->node, plan->n_node, plan, NULL };
    gtr__mlp_parts p;
    gtr__field m;
    gtr__field_cut c;
    if (at != 0 || caps->compute < 80 || caps->sm_count < 1 || plan->n_stage != 1
            || plan->batch < 4096 || !gtr__mlp_parse(&v, &p)
            || !gtr__field_extents(&v, &p, &m, &c, caps->sm_count, gtr__field_room(caps->compute), false))
        return 0;
    const int bytes = c.bytes;
    gtr__field_extents(&v, &p, &m, &c, caps->sm_count, gtr__field_room(caps->compute), true);
    if (bytes > gtr__field_room(caps->compute) || c.bytes > gtr__field_room(caps->compute)) return 0;
    const gtr__feed *f = (const gtr__feed *)plan->node[0].attr.ptr;
    const int x = plan->node[p.forward[0]].in[0], target = plan->node[p.loss].in[1];
    int found = 0;
    if (c.extents.size != 2 || plan->node[p.loss].op == GTR__OP_XENT_STEP
            || !gtr__mlp_takes(&v, &p, &c.extents, 4) || gtr__mlp_storage(&v, target) != GTR_F32)
        return 0;
    for (int k = 0; k < f->n; k++) {
        const int y = plan->node[0].out[k];
        if (f->input[k].from != GTR_F32) return 0;
        if (gtr__mlp_same(&v, y, x)) found |= 1;
        if (gtr__mlp_same(&v, y, target)) { if (f->input[k].row != m.layer[m.layers - 1].n) return 0; found |= 2; }
    }
    return found == 3 ? plan->n_node : 0;
}

// >>field-launch
typedef struct gtr__field_space {
    size_t losses, guard, value, published, norms, records, kept, slopes, bytes;
} gtr__field_space;
static gtr__field_space gtr__field_space_of(const gtr__field *m, int sm_count) {
    gtr__field_space s;
    s.losses = gtr__pad256((size_t)m->stride * (size_t)sm_count);
    s.guard = s.losses + gtr__pad256((size_t)sm_count * 4);
    s.value = s.guard + gtr__pad256((size_t)sm_count * sizeof(double2));
    s.published = s.value + 256;
    s.norms = s.published + gtr__pad256((size_t)(m->flat + 1) * 4);
    s.records = s.norms + gtr__pad256((size_t)sm_count * 8);
    s.kept = s.records + GTR__FIELD_AHEAD * 256;
    s.slopes = s.bytes = s.kept + gtr__pad256((size_t)m->quads * 3 * sizeof(float4));
    if (!gtr__field_relu(m)) s.bytes += (size_t)sm_count * (size_t)(m->layers - 1) * 1024 * sizeof(uint4);
    return s;
}
template <typename T, int P, bool RELU, bool FED>
static gtr_result gtr__field_start(void *instance, const gtr__call *c, gtr__field *m, int bytes) {
    cudaFuncAttributes of;
    GTR__TRY(gtr__check(instance, cudaFuncGetAttributes(&of, (const void *)gtr__k_field<T, P, RELU, FED>),
        "cudaFuncGetAttributes"));
    // what it was made for
    const int threads = of.maxThreadsPerBlock > GTR__FIELD_T ? GTR__FIELD_T + 128 * P : GTR__FIELD_T;
    const int blocks = ((gtr__cuda *)instance)->sm_count;
    gtr__together all = gtr__all_of(gtr__k_field<T, P, RELU, FED>, m, blocks, threads, (size_t)bytes, 1);
    return all.start(instance, c, "gtr__k_field");
}
template <typename T>
static gtr_result gtr__field_start_of(void *instance, const gtr__call *c, gtr__field *m,
        const gtr__field_cut *cut, bool relu, bool feeders) {
    const bool fed = feeders && m->roles == 1 && m->apart > 1;
    if (cut->p == 2) return relu ? gtr__field_start<T, 2, true, true>(instance, c, m, cut->bytes)
        : gtr__field_start<T, 2, false, true>(instance, c, m, cut->bytes);
    if (relu) return fed ? gtr__field_start<T, 1, true, true>(instance, c, m, cut->bytes)
        : gtr__field_start<T, 1, true, false>(instance, c, m, cut->bytes);
    return fed ? gtr__field_start<T, 1, false, true>(instance, c, m, cut->bytes)
        : gtr__field_start<T, 1, false, false>(instance, c, m, cut->bytes);
}
static gtr_result gtr__field_run(void *instance, const gtr__call *c) {
    static_assert(sizeof(gtr__field) <= 4096, "a kernel's parameters");
    const gtr__network *w = (const gtr__network *)c->attr->ptr;
    gtr__mlp_view v = { w->node, w->n_node, NULL, c };
    gtr__mlp_parts p;
    gtr__field_cut cut;
    gtr__field m;
    gtr__arg in[8], out[8];
    cudaFuncAttributes of;
    GTR__TRY(gtr__check(instance, cudaFuncGetAttributes(&of, (const void *)gtr__k_field<__half, 2, true, true>),
        "cudaFuncGetAttributes"));
    const bool feeders = of.maxThreadsPerBlock > GTR__FIELD_T;     // the code has them
    if (!gtr__mlp_parse(&v, &p)
            || !gtr__field_extents(&v, &p, &m, &cut, gtr__sms(c), gtr__field_room(c->caps->compute), feeders))
        return gtr__fail(instance, GTR_ERR_UNSUPPORTED, "network: not what its matcher took");
    const gtr__field_space space = gtr__field_space_of(&m, gtr__sms(c));
    if (c->measure) return gtr__measured(c, space.bytes);
    const gtr__node *report = &v.node[p.report], *feed = &v.node[0];
    const gtr__feed *f = (const gtr__feed *)feed->attr.ptr;
    GTR__TRY(gtr__mlp_step(instance, c, &v, &p, &m));
    for (int l = 0; l < m.layers; l++) {
        const gtr__node *n = &v.node[p.forward[l]], *back = &v.node[p.gradient[l]];
        gtr__field_layer *L = &m.layer[l];
        auto data = [&](int id) { return id < 0 ? NULL : gtr__mlp_arg(&v, id)->data; };
        L->w = data(n->in[1]);
        L->bias = n->n_in > 2 ? data(n->in[2]) : NULL;
        L->dw = (float *)data(back->out[1]);
        L->db = back->n_out > 2 ? (float *)data(back->out[2]) : NULL;
    }
    const void *x = gtr__mlp_arg(&v, v.node[p.forward[0]].in[0])->data,
        *target = gtr__mlp_arg(&v, v.node[p.loss].in[1])->data;
    m.x_slot = m.t_slot = -1;
    for (int k = 0; k < f->n && k < feed->n_out; k++) {
        const gtr__feed_input *q = &f->input[k];
        const gtr__arg *y = gtr__mlp_arg(&v, feed->out[k]);
        m.feed[m.n_feed++] = gtr__feed_of(q, y);
        if (y->data == x) m.x_slot = q->slot;
        if (y->data == target) m.t_slot = q->slot;
    }
    for (int k = 0; k < m.n_feed; k++) if (m.feed[k].to.t == GTR_F32) {
        if (m.feed[k].slot == m.x_slot) m.x_kept = (float *)m.feed[k].to.p;
        if (m.feed[k].slot == m.t_slot) m.t_kept = (float *)m.feed[k].to.p;
    }
    if (m.x_slot < 0 || m.t_slot < 0)
        return gtr__fail(instance, GTR_ERR_UNSUPPORTED, "network: its inputs are not fed");
    gtr__call q = gtr__mlp_call(c, &v.node[p.loss_back], in, out);
    m.loss = v.node[p.loss].op; m.seed = q.seed; m.count = (float)in[0].count;
    m.part = (float *)c->ws; m.losses = (float *)((char *)c->ws + space.losses);
    m.guard = (double2 *)((char *)c->ws + space.guard); m.value = (float *)((char *)c->ws + space.value);
    if (gtr__mlp_arg(&v, v.node[p.loss].out[0])->data) m.value = (float *)gtr__mlp_arg(&v, v.node[p.loss].out[0])->data;
    const gtr__field_layer &top = m.layer[m.layers - 1];
    if (cut.p == 1 && m.layer[0].panels == 1 && !(m.small && top.k % 8))
        m.published = (uint32_t *)((char *)c->ws + space.published);
    m.norms = (uint64_t *)((char *)c->ws + space.norms);
    m.records = (int4 *)((char *)c->ws + space.records);
    m.kept = (float4 *)((char *)c->ws + space.kept); m.slopes = (uint4 *)((char *)c->ws + space.slopes);
    m.ring = f->shared->record;
    for (int k = 0; k < report->n_in && k < GTR__MAX_REPORT; k++) {
        m.report.value[k].p = m.value; m.report.value[k].t = GTR_F32;
    }
    const gtr_dtype t = gtr__mlp_arg(&v, v.node[p.forward[0]].in[0])->dtype;
    const bool relu = gtr__field_relu(&m);
    return t == GTR_BF16 ? gtr__field_start_of<__nv_bfloat16>(instance, c, &m, &cut, relu, feeders)
        : gtr__field_start_of<__half>(instance, c, &m, &cut, relu, feeders);
}
// >>tall
// The resident network for tall batches of bytes. Rows of the batch are many, so that all is cut otherwise: blocks are
// groups of 16 columns of the first layer x ranks of its k x slabs of the batch's rows, and hold their part of the
// step's batch as it lies in the data set, a byte an element; 16 rows are a block's own in the middle, with all further
// layers' weights in its shared memory; what is left over, spare blocks, makes the further layers' gradients and
// updates. A step has four exchanges on its way, and one beside it:
//
//   publisher            words                                  awaited by
//   block (g, r, slab)   part: x w of its columns, k and rows   the block of a row: sum,
//     activation, all further layers,
//                                                               loss, and back
//   the block of a row   dz of the first layer                  the columns' blocks: dw = dz^T x of their slab's rows
//   block (g, r, slab)   dw of its slab                         the owner of these columns and
//     k: sum over slabs, update
//   the owner            w, updated, as halves                  the blocks of the same columns and k
//   the block of a row   h and dz of the further layers         spare blocks: dw, update
//   spare blocks         images of the further layers' weights  the blocks of rows, a step later
//
// An image is no words but what products read, as it lies in shared memory; the blocks of rows copy it when each task
// has published that its piece is there. Blocks of neighbouring groups have the same rows of x: where clusters are, two
// of them ask for half of x each, and of the image, and both get all of it. A block's last two warps are the producers
// of x: they find out which rows are next and ask for them, and the others do not wait for them between the first
// layer's gradient and the next step. Words, and how a bad step is known to all before the next one's update, are those
// of >>resident: a mark goes with parts to the rows of the block's slab, with their dz to the slab's blocks, and with
// dw to those of other slabs. Products are FP16's, which has TF32's eleven bits: bytes are exact in it, and a power of
// two keeps all else away from the ends of its range; gradients of the further layers are TF32's.

#define GTR__TALL_T      GTR__RES_T
#define GTR__TALL_WARPS  (GTR__TALL_T / 32)
#define GTR__TALL_ROWS   2048       // of a batch, at most
#define GTR__TALL_HIDDEN 3          // layers but the last
#define GTR__TALL_STRIP  64         // columns of a task of a spare block
#define GTR__TALL_TILES  5          // of 8 rows of x that a warp multiplies at a time

typedef struct gtr__tall_layer {
    int width;                  // columns, padded to a multiple of 16
    int task0, across;          // first of its tasks; how many side by side along k
    // words in shared memory: w as halves (float32 in the last layer); what a task's are to be multiplied by
    int forward_at, forward_pitch, bias_at, scale_at;
    uint32_t *h, *dz;           // exchanged: output, its gradient (eights of rows, sixteens of columns, lanes, 4)
} gtr__tall_layer;
typedef struct gtr__tall {
    gtr__mlp m;
    gtr__tall_layer layer[GTR__MLP_LAYERS];
    int groups, ranks, slabs, rows, kr; // rows: sixteens of them; k of a rank, a multiple of 16
    // of rows in a slab; of 16 of k and every other column, that a block owns; words of what a block sends of dw
    int eights, units, share;
    int unit_part;              // 2^16 / units, rounded up: a quotient of less than 2^10 by it
    int ways, deep, tall;       // warps that share a part's k, and dw's rows; sixteens of rows of a task
    // blocks with rows, blocks with rows or columns, blocks that have neither but tasks; sixteens of
    // rows of a block, at most
    int middles, mains, spare, owns;
    int paired;                 // two blocks of the same rows and k, a cluster, ask for half of x each, which both get
    int renew;                  // threads that renew the first layer: all, or all but the askers
    int total, tasks, most_tasks;       // padded rows; tasks, and how many a spare block has
    // bytes of a row of x; words of a column of dz, of an operand, of the last layer's
    int pitch, dz_pitch, op_pitch, hidden_pitch;
    // words in shared memory
    int x_at, dz_at, op_at, hidden_at, logits_at, saved_at, origin_at, ahead_at, target_at, label_at, most_at, sums_at,
        bias_at, red_at, tile_at, end_at;
    int target;                 // which of m.rest is the loss's
    float byte_by, byte_from;   // see gtr__tall_bytes; what to multiply a product with them by
    // the further layers' weights, biases and scales: where in shared memory, how many words
    int image_at, span;
    // of even steps, of odd ones: the image as it becomes, whether a task's piece of it is there
    uint32_t *image, *published;
    uint32_t *pool;             // all that is exchanged
    int64_t words, old;         // old: first word of the image of odd steps
    float4 *own;                // first layer's weights and moments, by step: a block's (p, m, v, bias; threads)
    uint32_t *part, *dw, *first, *dl, *loss, *verdict, *flag, *count;      // first: the first layer's new weights
    uint2 *origin;              // of a step's rows: which of the data set, label
    gtr__record *record;
    gtr__rates *rate;
} gtr__tall;
// what a block is; its slab's first eight rows, how many eights; its first sixteen rows in the
// middle (s.rows: it has none)
typedef struct gtr__tall_me {
    int group, rank, slab, first, eights, row;
} gtr__tall_me;
typedef struct gtr__tall_head { // what a block keeps beside its pool
    gtr__tall_me me;
    float4 row[16];             // loss, counted, right, labelled
    gtr__rates rate[2];      // by step
    gtr__segment segment[2 * (GTR__TALL_HIDDEN + 1)];
    gtr__rule rule;         // what of it is the same in all steps
    gtr__record record;         // of the launch's first step; the others differ in what follows
    struct { int64_t first; uint64_t key; } step[GTR__LAUNCH_STEPS];
    struct { int layer, n0, k0, index; } tile[8];
    uint32_t most[GTR__TALL_WARPS];     // a task's new weights' sizes
    float scale[GTR__TALL_WARPS][8];    // of the rounds of h that are kept
    int counts[GTR__TALL_WARPS], tiles, half;  // half: of the shuffle's bits
    int all[2];                 // by step: how many labels count in the batch
    // x has come; the further layers' new weights have; the pair's other block has room for a step's x
    alignas(8) uint64_t bar, weights, free;
    int departed;                   // the first step for which it has not, and will not have
    bool alike;                 // it has rows in the middle, as this one has
    int stop, lost;             // the block leaves before the next step; the next step's mark: something was not finite
    float factor;               // what to multiply the products of a step's parts with
} gtr__tall_head;
static GTR__DEVICE bool gtr__tall_any(bool v) {
    return __any_sync(0xffffffffu, v);
}
// N times four words, at(i) the i-th's address, until a warp misses none; what is not there(i), is no number. The first
// PAIRS are pairs of halves, whose bits 14 and 30 are tag and mark. All lanes come. While something is missing, one
// lane polls its first word: the way to L2 belongs to those who have something to carry. (An address that is NULL for
// what is not there would do, but ptxas 13.0 tests such an address too early.)
#define GTR__TALL_PAIR_TAG 0x4000u
#define GTR__TALL_PAIR_BAD 0x40000000u
#define GTR__TALL_PAIR     0xbfffbfffu
template <int N, int PAIRS, typename T, typename F>
static GTR__DEVICE void gtr__tall_await_at(uint4 *v, gtr__waiting &awaited, T there, F at) {
    const uint32_t tag = awaited.tag, pair = tag ? GTR__TALL_PAIR_TAG : 0;
    uint32_t words, pairs;
#pragma unroll 1
    while (true) {
        words = pairs = 0;
#pragma unroll
        for (int i = 0; i < N; i++) {
            const uint32_t none = i < PAIRS ? pair : tag;
            if (there(i)) v[i] = gtr__poll4(at(i)); else v[i] = make_uint4(none, none, none, none);
        }
#pragma unroll
        for (int i = 0; i < N; i++) {
            const uint32_t want = i < PAIRS ? pair : tag,
                off = (v[i].x ^ want) | (v[i].y ^ want) | (v[i].z ^ want) | (v[i].w ^ want);
            if (i < PAIRS) pairs |= off; else words |= off;
        }
        if (!gtr__tall_any(((pairs & GTR__TALL_PAIR_TAG) | (words & 1)) != 0)) break;
        if ((threadIdx.x & 31) == 0 && there(0))
            while (((gtr__poll(at(0)) ^ (PAIRS ? pair : tag)) & (PAIRS ? GTR__TALL_PAIR_TAG : 1u)) &&
                   ++awaited.turns < GTR__DEADLINE) {}
        awaited.turns = __shfl_sync(0xffffffffu, awaited.turns, 0) + 1;
        if (awaited.turns >= GTR__DEADLINE) break;
    }
    awaited.bad |= (words & 2u) | (pairs & GTR__TALL_PAIR_BAD ? 2u : 0u);
}
template <int N, typename F>
static GTR__DEVICE void gtr__tall_await4(uint4 *v, int n, gtr__waiting &awaited, F at) {
    gtr__tall_await_at<N, 0>(v, awaited, [&](int i) { return i < n; }, at);
}

// Four words of shared memory at once.
static GTR__DEVICE void gtr__tall_put4(float *p, float a, float b, float c, float d) {
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" :: "r"(gtr__shared_address(p)), "f"(a), "f"(b), "f"(c),
        "f"(d) : "memory");
}
// A power of two that brings most, the bits of the largest magnitude, to 2^14..2^15, and its inverse.
struct gtr__tall_scale {
    float to, from;
    GTR__DEVICE gtr__tall_scale(uint32_t most)
    {
        int up = most == 0 || most >= 0x7f800000u ? 0 : 141 - (int)(most >> 23);
        up = up > 126 ? 126 : up;
        to = __uint_as_float((uint32_t)(127 + up) << 23); from = __uint_as_float((uint32_t)(127 - up) << 23);
    }
};
// The same to 1..2, where halves leave a bit free: pairs of them are words with a tag. What is not finite makes NaN of
// all. A half that is rounded up to 2 would be the tag alone: so the rounded size counts.
static GTR__DEVICE float gtr__tall_pair_scale(uint32_t most, float &to) {
    most = most >= 0x7f800000u ? most : most + 0x1000u;
    int up = 127 - (int)(most >> 23);
    up = up > 126 ? 126 : up < -126 ? -126 : up;
    to = __uint_as_float((uint32_t)(127 + up) << 23);
    return __uint_as_float(most >= 0x7f800000u ? 0x7fc00000u : (uint32_t)(127 - up) << 23);
}
static GTR__DEVICE uint32_t gtr__tall_size(float v) { return __float_as_uint(v) & 0x7fffffffu; }
static GTR__DEVICE uint32_t gtr__tall_max(uint32_t a, uint32_t b) { return a > b ? a : b; }
static GTR__DEVICE uint32_t gtr__tall_warp_most(uint32_t v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xffffffffu, v);
#else
#pragma unroll
    for (int o = 16; o; o >>= 1) v = gtr__tall_max(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
#endif
}
// The block's, behind a barrier; slot: 16 words, which the caller must not use again before another barrier.
static GTR__DEVICE uint32_t gtr__tall_most(uint32_t v, uint32_t *slot) {
    v = gtr__tall_warp_most(v);
    if ((threadIdx.x & 31) == 0) slot[threadIdx.x / 32] = v;
    __syncthreads();
    return gtr__tall_warp_most(slot[threadIdx.x & 15]);
}
static GTR__DEVICE uint32_t gtr__tall_half2(float a, float b) {
    const __half2 v = __floats2half2_rn(a, b);
    uint32_t u;
    memcpy(&u, &v, 4);
    return u;
}
static GTR__DEVICE uint16_t gtr__tall_half(float a) {
    const __half v = __float2half_rn(a);
    uint16_t u;
    memcpy(&u, &v, 2);
    return u;
}
static GTR__DEVICE uint32_t gtr__tall_pair(float a, float b, uint32_t tag, uint32_t bad) {
    return (gtr__tall_half2(a, b) & GTR__TALL_PAIR) | (tag ? GTR__TALL_PAIR_TAG : 0u) | (bad ? GTR__TALL_PAIR_BAD : 0u);
}
static GTR__DEVICE uint32_t gtr__tall_times(uint32_t u, uint32_t by) {      // by: a half twice
    __half2 a, b;
    u &= GTR__TALL_PAIR;
    memcpy(&a, &u, 4);
    memcpy(&b, &by, 4);
    a = __hmul2(a, b);
    memcpy(&u, &a, 4);
    return u;
}
// Which column lies at an even place, where the even ones of sixteen come first; the place behind has the next but one.
static GTR__DEVICE int gtr__tall_column(int place) {
    return (place & ~15) + (place & 6) * 2 + (place >> 3 & 1);
}
// Two bytes, as FP16: in its last places, so that a byte counts 2^-24. For BF16 they are scaled and rounded as nodes do
// it; by: with a power of two.
#define GTR__TALL_BYTE 16777216.0f
template <int P> static GTR__DEVICE uint32_t gtr__tall_bytes(uint32_t w, uint32_t which, float by) {
    const uint32_t u = __byte_perm(w, 0, which);
    if (P != GTR__RES_BF16) return u;
    __half2 v;
    memcpy(&v, &u, 4);
    return gtr__tall_half2(gtr__res_low<P>(__low2float(v) * by), gtr__res_low<P>(__high2float(v) * by));
}
// Where a lane's four words of 8 rows (the n'th) x 16 columns (the m'th) lie: two rows, 2t and 2t + 1, of column 2g,
// then of column 2g + 1; so a product's outcome is published and an operand awaited, 512 bytes a warp.
static GTR__DEVICE int gtr__tall_place(int width, int n, int m) {
    return ((n * (width / 16) + m) * 32 + (gtr__thread() & 31)) * 4;
}
// Which of a layer's tiles of 16 columns x 8 rows are a warp's: m'th sixteen columns, n'th (and n + 1st) eight rows.
struct gtr__tall_unit {
    int m, n, count;
    bool live;
    GTR__DEVICE gtr__tall_unit(int width)
    {
        const int warp = gtr__thread() / 32;
        const bool both = width > 128;
        m = both ? warp : warp >> 1; n = both ? 0 : warp & 1; count = both ? 2 : 1;
        live = m * 16 < width;
    }
};

// >>tall-feed
// Rows of a step's batch: an epoch's last has what is left, which needs no launch of its own. Beyond them x is zero,
// and so is what comes of it.
static GTR__DEVICE int gtr__tall_rows(const gtr__tall &s, const gtr__tall_head *h, int step) {
    const int64_t left = h->record.rows - h->step[step].first;
    return h->record.rows > 0 && left < s.m.batch ? (int)left : s.m.batch;
}
// Of the rows that a block has in the middle, by step.
static GTR__DEVICE int *gtr__tall_labels(const gtr__tall &s, float *pool, int step) {
    return (int *)pool + s.label_at + (step & 1) * 16 * s.owns;
}
// Which rows of the data set a step's are, and how many of its labels count: made by the reporting block, steps ahead,
// as nobody else has time. A step's words are written once in a launch.
#define GTR__TALL_NOT_YET 0xfffffffeu
#define GTR__TALL_NO_ROW  0xffffffffu
// A row and its label are one word of eight bytes.
static GTR__DEVICE uint2 gtr__tall_poll(const uint2 *p) {
    const uint64_t v = gtr__poll8(p);
    return make_uint2((uint32_t)v, (uint32_t)(v >> 32));
}
static GTR__DEVICE void gtr__tall_publish_row(uint2 *p, uint32_t from, int label) {
    gtr__publish8(p, (uint64_t)(uint32_t)label << 32 | from);
}
static GTR__DEVICE void gtr__tall_known(uint2 &v, const uint2 *p, gtr__waiting &awaited) {
    while (v.x == GTR__TALL_NOT_YET && ++awaited.turns < GTR__DEADLINE) v = gtr__tall_poll(p);
}
static GTR__DEVICE int gtr__tall_label(const gtr__tall &s, const gtr__tall_head *h, uint32_t from) {
    const gtr__feed_one &in = s.m.rest[s.target];
    const char *src = (const char *)(uintptr_t)h->record.src[in.slot];
    return in.from == GTR_U8 ? (int)((const unsigned char *)src)[from] : ((const int32_t *)src)[from];
}
static GTR__DEVICE void gtr__tall_foresee(const gtr__tall &s, gtr__tall_head *h, int step) {
    const int tid = gtr__thread(), rows = gtr__tall_rows(s, h, step);
    int count = 0;
#pragma unroll 1
    for (int r = tid; r < s.total; r += GTR__TALL_T) {
        const uint32_t from = r < rows ? (uint32_t)gtr__res_origin(h, step, r) : GTR__TALL_NO_ROW;
        const int label = s.m.loss == GTR__OP_XENT_STEP && r < rows ? gtr__tall_label(s, h, from) : 0;
        gtr__tall_publish_row(s.origin + step * s.total + r, from, label);
        count += s.m.loss == GTR__OP_XENT_STEP && r < rows && label != s.m.xent.ignore;
    }
    count = gtr__warp_sum(count);
    if ((tid & 31) == 0) h->counts[tid / 32] = count;
    __syncthreads();
    if (tid == 0) {
        int all = 0;
        for (int i = 0; i < GTR__TALL_WARPS; i++) all += h->counts[i];
        gtr__publish(s.count + step, (uint32_t)all);
    }
    __syncthreads();
}
// The last two warps request what is not there by polling: mostly they have nothing of the first layer to update.
#define GTR__TALL_ASKERS 64
static GTR__DEVICE int gtr__tall_asker() { return gtr__thread() - (GTR__TALL_T - GTR__TALL_ASKERS); }
static GTR__DEVICE void gtr__tall_prefetch(const char *p, int bytes) {     // to L2
#pragma unroll 1
    for (int i = 0; i < bytes; i += 128)
        asm volatile("prefetch.global.L2 [%0];" :: "l"(__cvta_generic_to_global(p + i)));
}
// What a step needs of these, requested early, to a place of its own: rows of the slab, labels of the block's own rows,
// how many count; and the rate.
static GTR__DEVICE void gtr__tall_ask(const gtr__tall &s, float *pool, gtr__tall_head *h,
        int step, bool worker) {
    const int me = gtr__tall_asker(), b = h->me.row + me / 8 * s.middles;
    const gtr__tall_me &q = h->me;
    uint2 *to = (uint2 *)(pool + s.ahead_at);
    if (me < 0) return;
    if (worker)
        for (int r = me; r < q.eights * 4; r += GTR__TALL_ASKERS)
            gtr__copy16(to + 2 * r, s.origin + step * s.total + q.first * 8 + 2 * r, true);
    to += s.eights * 8;
    if (me < s.owns * 8 && b < s.rows) gtr__copy16(to + 2 * me, s.origin + step * s.total + b * 16 + me % 8 * 2, true);
    if (me == 0) gtr__copy4(to + s.owns * 16, s.count + step, true);
    gtr__copies_commit();
}
static GTR__DEVICE void gtr__tall_ask_rate(const gtr__tall &s, gtr__tall_head *h, int step) {
    const int me = gtr__tall_asker();
    if (me < 0) return;
    for (int i = me; i < (int)(sizeof(gtr__rates) / 4); i += GTR__TALL_ASKERS)
        gtr__copy4((float *)&h->rate[step & 1] + i, (const float *)&s.rate[step] + i, true);
    gtr__copies_commit();
}
static GTR__DEVICE void gtr__tall_take(const gtr__tall &s, float *pool, gtr__tall_head *h, int step,
        bool worker, gtr__waiting &awaited) {
    const int me = gtr__tall_asker(), b = h->me.row + me / 8 * s.middles;
    const gtr__tall_me &q = h->me;
    const uint2 *from = (const uint2 *)(pool + s.ahead_at);
    uint32_t *origin = (uint32_t *)pool + s.origin_at;
    if (me < 0) return;
    gtr__copies_done<0>();      // a thread reads what it has requested itself
    if (worker)
        for (int r = me; r < q.eights * 4; r += GTR__TALL_ASKERS)
            for (int e = 0; e < 2; e++) {
                uint2 v = from[2 * r + e];
                gtr__tall_known(v, s.origin + step * s.total + q.first * 8 + 2 * r + e, awaited);
                origin[2 * r + e] = v.x;
            }
    from += s.eights * 8;
    if (me < s.owns * 8 && b < s.rows)
        for (int e = 0; e < 2; e++) {
            uint2 v = from[2 * me + e];
            gtr__tall_known(v, s.origin + step * s.total + b * 16 + me % 8 * 2 + e, awaited);
            gtr__tall_labels(s, pool, step)[2 * me + e] = v.x < GTR__TALL_NOT_YET ? (int)v.y : 0;
        }
    if (me == 0) {
        uint32_t all = from[s.owns * 16].x;
        while (all == GTR__TALL_NOT_YET && ++awaited.turns < GTR__DEADLINE) all = gtr__poll(s.count + step);
        h->all[step & 1] = (int)all;
    }
}
// Who has no rows in the middle brings x nearer meanwhile.
static GTR__DEVICE void gtr__tall_nearer(const gtr__tall &s, const gtr__tall_head *h, int step,
        gtr__waiting &awaited) {
    const int tid = gtr__thread(), workers = s.groups * s.ranks * s.slabs, busy = s.middles < workers ? s.middles : 0,
        columns = s.m.layer[0].k;
    const char *src = (const char *)(uintptr_t)h->record.src[s.m.x.slot];
    for (int r = (busy ? h->me.row - s.rows : (int)blockIdx.x) + tid * (workers - busy); r < s.m.batch;
            r += GTR__TALL_T * (workers - busy)) {
        const uint2 *p = s.origin + step * s.total + r;
        uint2 v = gtr__tall_poll(p);
        gtr__tall_known(v, p, awaited);
        if (v.x < GTR__TALL_NOT_YET) gtr__tall_prefetch(src + (int64_t)v.x * columns, columns);
    }
}
// The slab's rows of the step's batch: asynchronously, where rows are whole sixteens of bytes. What has no row
// or no column stays zeros.
#if __CUDA_ARCH__ >= 900
#define GTR__TALL_BULK 1        // a row in one copy
#else
#define GTR__TALL_BULK 0
#endif
#if GTR__TALL_BULK
static GTR__DEVICE void gtr__tall_bulk(void *to, const void *from, int bytes, uint64_t *bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        :: "r"(gtr__shared_address(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes),
        "r"(gtr__shared_address(bar)) : "memory");
}
// To the same place of both blocks of a pair, and so for both barriers. There are pairs where this is quick.
static GTR__DEVICE void gtr__tall_bulk_both(void *to, const void *from, int bytes, uint64_t *bar) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3],"
        " %4;" :: "r"(gtr__shared_address(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes),
        "r"(gtr__shared_address(bar)), "h"((uint16_t)3) : "memory");
#else
    gtr__tall_bulk(to, from, bytes, bar);
#endif
}
static GTR__DEVICE bool gtr__tall_came(uint64_t *bar, int step) {
    return gtr__bar_wait(gtr__shared_address(bar), (uint32_t)step & 1);
}
#endif
static GTR__DEVICE bool gtr__tall_whole(const gtr__tall &s, const char *src) {
    return (((uintptr_t)src | (uintptr_t)s.m.layer[0].k) & 15) == 0;
}
// A pair's blocks signal each other room for a step's x; or, on leaving, that there is none from a step on. What one
// has begun to ask for the other has, too, or will: so neither waits for what does not come. Nobody writes to the other
// before both are there, or ends before it does.
static GTR__DEVICE void gtr__tall_room(gtr__tall_head *h, int step, bool departed) {
#if GTR__TALL_BULK
    const int other = (int)(blockIdx.x & 1) ^ 1;
    if (departed) asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(gtr__cluster_address(&h->departed, other)),
        "r"(step) : "memory");
    gtr__bar_arrive_far(gtr__cluster_address(&h->free, other));
#endif
}
static GTR__DEVICE bool gtr__tall_departed(const gtr__tall_head *h, int step) {
    return *(const volatile int *)&h->departed <= step;
}
// Both have rows in the middle, and share what comes of the image.
[[maybe_unused]] static GTR__DEVICE bool gtr__tall_alike(const gtr__tall &s,
        const gtr__tall_head *h, int step) {
    return s.paired && h->alike && !gtr__tall_departed(h, step);
}
static GTR__DEVICE void gtr__tall_pair_barrier(const gtr__tall &s) {
    if (!s.paired) return;
    __syncthreads();
    gtr__cluster_barrier();
}
// What the askers have taken is known to the warps that copy x.
static GTR__DEVICE void gtr__tall_taken(const gtr__tall &s, const gtr__tall_head *h) {
#if GTR__TALL_BULK
    if (gtr__tall_whole(s, (const char *)(uintptr_t)h->record.src[s.m.x.slot])) {
        if (gtr__tall_asker() >= 0) asm volatile("barrier.sync 1, %0;" :: "n"(GTR__TALL_ASKERS) : "memory");
        return;
    }
#endif
    __syncthreads();
}
static GTR__DEVICE void gtr__tall_bring(const gtr__tall &s, float *pool, gtr__tall_head *h, int step) {
    const char *src = (const char *)(uintptr_t)h->record.src[s.m.x.slot];
    const int rank = h->me.rank;
    const uint32_t *origin = (const uint32_t *)pool + s.origin_at;
    const int columns = s.m.layer[0].k, k0 = rank * s.kr, rows = h->me.eights * 8, tid = gtr__thread();
    char *x = (char *)(pool + s.x_at);
#if GTR__TALL_BULK
    if (gtr__tall_whole(s, src)) {
        const int first = h->me.first * 8, all = gtr__tall_rows(s, h, step), there = all - first < rows ? all - first
            : rows, bytes = columns - k0 < s.kr ? columns - k0 : s.kr, me = gtr__tall_asker();
        if (me < 0) return;
        if (s.paired) {
            const uint32_t free = gtr__shared_address(&h->free);
            if (me == 0) gtr__tall_room(h, step, false);
            // it comes to this point, or leaves; or this block does without it, and so gives up
            int turn = 0;
            while (!gtr__tall_departed(h, step) && !gtr__bar_passed_far(free, (uint32_t)step & 1) &&
                   ++turn < GTR__BAR_POLLS) {}
            if (turn == GTR__BAR_POLLS) *(volatile int *)&h->departed = step;
            if (gtr__tall_departed(h, step)) return;
        }
        const int each = s.paired ? 2 : 1, which = s.paired ? (int)(blockIdx.x & 1) : 0;
        if (me == 0) gtr__bar_expect(gtr__shared_address(&h->bar), there > 0 ? (uint32_t)(there * bytes) : 0u);
#pragma unroll 1
        // a thread past its deadline copies any row: as many bytes must arrive as are waited for
        for (int r = me * each + which; r < there; r += GTR__TALL_ASKERS * each) {
            const uint32_t from = origin[r] < GTR__TALL_NOT_YET ? origin[r] : 0;
            if (s.paired) gtr__tall_bulk_both(x + r * s.pitch, src + (int64_t)from * columns + k0, bytes, &h->bar);
            else gtr__tall_bulk(x + r * s.pitch, src + (int64_t)from * columns + k0, bytes, &h->bar);
        }
        if (all < s.m.batch) {
#pragma unroll 1
            for (int r = there > 0 ? there : 0; r < rows; r++)
                for (int c = me * 16; c < bytes; c += GTR__TALL_ASKERS * 16)
                    *(uint4 *)(x + r * s.pitch + c) = make_uint4(0, 0, 0, 0);
            asm volatile("fence.proxy.async;" ::: "memory");    // the next step's come behind it
        }
        return;
    }
#endif
    if (gtr__tall_whole(s, src)) {
        const int wide = s.kr <= 128 ? 8 : s.kr <= 256 ? 16 : 32;
#pragma unroll 2
        for (int r = tid / wide; r < rows; r += GTR__TALL_T / wide) {
            const uint32_t from = origin[r];
            const char *p = src + (from < GTR__TALL_NOT_YET ? (int64_t)from * columns + k0 : 0);
#pragma unroll 2
            for (int c = (tid & (wide - 1)) * 16; c < s.kr; c += wide * 16) {
                const bool ok = from < GTR__TALL_NOT_YET && k0 + c < columns;
                gtr__copy16(x + r * s.pitch + c, ok ? p + c : src, ok);
            }
        }
    } else
#pragma unroll 1
        for (int r = tid / 32; r < rows; r += GTR__TALL_WARPS)
#pragma unroll 1
            for (int c = tid & 31; c < s.kr; c += 32)
                x[r * s.pitch + c] = k0 + c < columns && origin[r] < GTR__TALL_NOT_YET
                    ? src[(int64_t)origin[r] * columns + k0 + c] : (char)0;
    gtr__copies_commit();
}
// Until a step's x is there, for the thread; a barrier is the caller's. These are the block's own copies, which always
// come, and must have come before it leaves. False: the pair's other block has left, or brings nothing.
static GTR__DEVICE bool gtr__tall_brought(const gtr__tall &s, gtr__tall_head *h, int step) {
#if GTR__TALL_BULK
    if (gtr__tall_whole(s, (const char *)(uintptr_t)h->record.src[s.m.x.slot])) {
        if (s.paired && gtr__tall_departed(h, step)) return false;
        return gtr__tall_came(&h->bar, step);
    }
#endif
    gtr__copies_done<0>();
    return true;
}

// >>tall-middle
// acc += w's sixteen rows (BACK: columns) times the operand's eight or sixteen rows. Of sixteen columns and rows of w
// and columns of the operand the even ones come first. scale: by tasks, whose w each have a power of two of their own.
template <bool BACK>
static GTR__DEVICE void gtr__tall_product(float (*acc)[4], const uint32_t *w, int pitch,
        const float *scale, int across, int tall, const uint32_t *op, int op_pitch, int steps,
        const gtr__tall_unit &u) {
    const int lane = gtr__thread() & 31, next = BACK ? 16 * pitch : 8, twice = tall - 1;
    const uint32_t *a = BACK ? w + ((lane >> 4) * 8 + (lane & 7)) * pitch + u.m * 8 + (lane >> 3 & 1) * 4
        : w + (u.m * 16 + (lane & 15)) * pitch + (lane >> 4) * 4;
    auto take = [&](uint32_t *r, const uint32_t *p) { if (BACK) gtr__matrix4_t(r, p); else gtr__matrix4(r, p); };
    auto add = [&](float *to, const uint32_t *ua, const uint32_t *ub, int s) {
        const float f = scale[BACK ? (s >> twice) * across + (u.m >> 2) : (u.m >> twice) * across + (s >> 2)];
        float v[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
        gtr__mma_f16(v, ua, ub);
#pragma unroll
        for (int e = 0; e < 4; e++) to[e] = fmaf(v[e], f, to[e]);
    };
    if (u.count == 2) {
        const uint32_t *b = op + ((lane >> 4) * 8 + (lane & 7)) * op_pitch + (lane >> 3 & 1) * 4;
#pragma unroll 2
        for (int s = 0; s < steps; s++) {
            uint32_t ua[4], ub[4];
            take(ua, a);
            gtr__matrix4(ub, b);
            add(acc[0], ua, ub, s);
            add(acc[1], ua, ub + 2, s);
            a += next; b += 8;
        }
    } else {                    // even and odd steps apart
        const uint32_t *b = op + (u.n * 8 + (lane & 7)) * op_pitch + (lane >> 3) * 4;
#pragma unroll 2
        for (int s = 0; s < steps; s += 2) {
            uint32_t ua[2][4], ub[4];
            const bool two = s + 1 < steps;
            take(ua[0], a);
            gtr__matrix4(ub, b);
            if (two) take(ua[1], a + next);
            add(acc[0], ua[0], ub, s);
            if (two) add(acc[1], ua[1], ub + 2, s + 1);
            a += 2 * next; b += 16;
        }
#pragma unroll
        for (int e = 0; e < 4; e++) acc[0][e] += acc[1][e];
    }
}
// where products want a row
static GTR__DEVICE int gtr__tall_turn(int r) { return (r & ~15) + (r & 1) * 8 + (r >> 1 & 7); }
static GTR__DEVICE int gtr__tall_unturn(int r) { return (r & ~15) + (r & 7) * 2 + (r >> 3 & 1); }
// What has become of the further layers' weights in step `from` is an image of what products want. Whether it is there:
// all tasks have said so of theirs, which the thread that will request it finds out.
#define GTR__TALL_PIECE 10240   // words: few of them, as to issue one copy takes two hundred cycles
#if GTR__TALL_BULK
#define GTR__TALL_ASKS(tid) ((tid) / 32 == GTR__TALL_WARPS - 2)
#else
#define GTR__TALL_ASKS(tid) true
#endif
static GTR__DEVICE uint32_t *gtr__tall_image(const gtr__tall &s, int step, int at) {
    return s.image + (step & 1) * s.span + at - s.image_at;
}
static GTR__DEVICE void gtr__tall_weights_published(const gtr__tall &s, int from,
        gtr__waiting &awaited) {
    const uint32_t tag = (uint32_t)from >> 1 & 1;
    if (!GTR__TALL_ASKS(gtr__thread())) return;
    for (int k = gtr__thread() & 31; k < s.tasks; k += 32) {
        const uint32_t *p = s.published + (from & 1) * s.tasks + k;
        uint32_t v = gtr__poll_acquire(p);
        while (((v ^ tag) & 1) && ++awaited.turns < GTR__DEADLINE) v = gtr__poll_acquire(p);
        awaited.bad |= v & 2u;
    }
    __syncwarp();
}
// Issues its copy, behind the first layer's parts: before, the way to L2 is others', and not all tasks are done. Blocks
// begin with pieces of their own, as all would ask the same part of L2 else.
static GTR__DEVICE void gtr__tall_weights_ask(const gtr__tall &s, float *pool,
        gtr__tall_head *h, int from) {
    const int tid = gtr__thread();
    const uint32_t *image = gtr__tall_image(s, from, s.image_at);
    if (!GTR__TALL_ASKS(tid)) return;
#if GTR__TALL_BULK
    const int lane = tid & 31, pieces = (s.span + GTR__TALL_PIECE - 1) / GTR__TALL_PIECE;
    if (lane == 0) gtr__bar_expect(gtr__shared_address(&h->weights), (uint32_t)s.span * 4);
    __syncwarp();
    if (gtr__tall_alike(s, h, from + 1)) {
        const int half = (s.span / 2 + 3) / 4 * 4, at = blockIdx.x & 1 ? half : 0;
        if (lane == 0)
            gtr__tall_bulk_both(pool + s.image_at + at, image + at, (at ? s.span - half : half) * 4, &h->weights);
        return;
    }
    for (int k = lane; k < pieces; k += 32) {
        const int at = (k + (int)blockIdx.x) % pieces * GTR__TALL_PIECE,
            words = s.span - at < GTR__TALL_PIECE ? s.span - at : GTR__TALL_PIECE;
        gtr__tall_bulk(pool + s.image_at + at, image + at, words * 4, &h->weights);
    }
#else
    for (int i = tid * 4; i < s.span; i += GTR__TALL_T * 4) gtr__copy16(pool + s.image_at + i, image + i, true);
    gtr__copies_commit();
#endif
}
// Whether they have arrived; the caller's barrier follows.
static GTR__DEVICE bool gtr__tall_weights_arrived(gtr__tall_head *h, int from) {
#if GTR__TALL_BULK
    return gtr__tall_came(&h->weights, from + 1);
#else
    gtr__copies_done<0>();
    return true;
#endif
}
// The loss of a row from its logits, whose gradient takes their place: a warp a row, a lane a column. more: what an
// element of a mean over the batch counts, as the batch may have fewer rows than it is divided by.
template <int P>
static GTR__DEVICE void gtr__tall_loss(const gtr__tall &s, gtr__tall_head *h, float *logits,
        const float *target, int label, int all, bool live, float scale, float more) {
    const int warp = gtr__thread() / 32, c = gtr__thread() & 31, n = s.m.layer[s.m.layers - 1].n;
    float *y = logits + warp * 40, loss = 0.0f, dx = 0.0f;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const bool there = c < n;
    const float v = there ? y[c] : -INFINITY;
    if (s.m.loss == GTR__OP_XENT_STEP) {
        const gtr__xent &x = s.m.xent;
        const float g = all ? x.seed * scale / (float)all : 0.0f, top = gtr__warp_max(v);
        const bool counts = live && label != x.ignore, bad = counts && (label < 0 || label >= n),
            is_top = there && v == top;
        float rest = !there || is_top || v == -INFINITY ? 0.0f : v != v ? NAN : expf(v - top),
            ones = is_top ? 1.0f : 0.0f, sum_of = 0.0f;
        int where = !there ? n : v != v ? -1 : is_top ? c : n;
#pragma unroll
        for (int o = 16; o; o >>= 1) {
            const float a = __shfl_xor_sync(0xffffffffu, rest, o), b = __shfl_xor_sync(0xffffffffu, ones, o);
            const int other = __shfl_xor_sync(0xffffffffu, where, o);
            rest += a; ones += b;
            where = where < other ? where : other;
        }
        if (x.smooth > 0.0f) sum_of = gtr__warp_sum(there ? v - top : 0.0f);
        rest = fabsf(top) == INFINITY ? NAN : rest + (ones - 1.0f);
        const float log_sum = log1pf(rest), lse = top + log_sum, hot = __shfl_sync(0xffffffffu, v, label & 31);
        if (counts) {
            loss = bad ? NAN : log_sum - (hot - top);
            if (x.smooth > 0.0f) loss = (x.smooth < 1.0f || bad ? (1.0f - x.smooth) * loss : 0.0f)
                + x.smooth * (log_sum - sum_of / (float)x.n);
            sum.y = 1.0f;
            if (there) dx = gtr__xent_dx(x, g, v, lse, c == label, bad);
        }
        if (live && s.m.accuracy.p && label >= 0) { sum.w = 1.0f; sum.z = where == label ? 1.0f : 0.0f; }
    } else {
        const float g = gtr__pair_slope(s.m.pair) * more,
            t = target[warp * GTR__RES_OUT + c];
        if (live && there) {
            loss = gtr__pair_term(s.m.loss == GTR__OP_MSE, v, t);
            dx = gtr__pair_dx(s.m.loss == GTR__OP_MSE, g, v, t);
        }
        loss = gtr__warp_sum(loss) * more;
    }
    __syncwarp();
    if (c < s.layer[s.m.layers - 1].width) y[c] = gtr__res_low<P>(dx);
    sum.x = loss;
    if (c == 0) h->row[warp] = sum;
}
// A unit's numbers, for the next product: even columns of sixteen first.
static GTR__DEVICE void gtr__tall_operand(const gtr__tall &s, uint32_t *op, const gtr__tall_unit &u,
        int j, const float *v, float up) {
    const int lane = gtr__thread() & 31, g = lane >> 2, t = lane & 3;
    uint16_t *to = (uint16_t *)(op + ((u.n + j) * 8 + 2 * t) * s.op_pitch) + u.m * 16 + g;
    to[0] = gtr__tall_half(v[0] * up); to[8] = gtr__tall_half(v[2] * up);
    to[2 * s.op_pitch] = gtr__tall_half(v[1] * up); to[2 * s.op_pitch + 8] = gtr__tall_half(v[3] * up);
}
// Sixteen rows, the block'th, from the first layer's parts to its gradient; own: which of this block's; LAST: the last
// layer, where it is known.
template <int P, int LAST> struct gtr__tall_rows_of {
    const gtr__tall &s;
    float *pool;
    gtr__tall_head *h;
    const int block, own, step;
    gtr__waiting &awaited;
    uint32_t &bad;
    const int tid, warp, lane, g, t, par, last;
    uint32_t *op, *slot;
    float *hidden, *logits;
    float4 *saved;
    // what the first activation's gradient reads; what the next product's operand is scaled by
    float kept[2][4], back;
    GTR__DEVICE gtr__tall_rows_of(const gtr__tall &s, float *pool, gtr__tall_head *h, int block,
            int own, int step, gtr__waiting &awaited, uint32_t &bad) : s(s), pool(pool), h(h), block(block), own(own),
            step(step), awaited(awaited), bad(bad), tid(gtr__thread()), warp(tid / 32), lane(tid & 31), g(lane >> 2),
            t(lane & 3), par(step & 1), last(LAST ? LAST : s.m.layers - 1), op((uint32_t *)pool + s.op_at),
            slot((uint32_t *)pool + s.most_at), hidden(pool + s.hidden_at), logits(pool + s.logits_at),
            saved((float4 *)(pool + s.saved_at) + tid), kept{}, back(1.0f) {
    }
    // The first layer's sums, from its parts.
    GTR__DEVICE void sum_parts(const gtr__tall_layer &q, const gtr__tall_unit &u, float (*z)[4]) {
        const uint32_t *part = s.part + par * s.ranks * s.total * q.width
            + gtr__tall_place(q.width, block * 2 + u.n, u.m);
        if (s.ranks == 1) {
            uint4 v[2];
            gtr__tall_await4<2>(v, u.count, awaited, [&](int i) { return part + i * 8 * q.width; });
#pragma unroll
            for (int i = 0; i < 2; i++) gtr__res_four(z[i], gtr__word_numbers(v[i]));
        } else {
            const int turn = u.count == 2 ? 4 : 8;
#pragma unroll 1
            for (int k = 0; k < s.ranks; k += turn) {
                uint4 v[8];
                const int n = (s.ranks - k < turn ? s.ranks - k : turn) * u.count;
                gtr__tall_await4<8>(v, n, awaited, [&](int i) {
                    const int rank = k + (u.count == 2 ? i >> 1 : i), eight = u.count == 2 ? i & 1 : 0;
                    return part + (rank * s.total + eight * 8) * q.width;
                });
#pragma unroll
                for (int i = 0; i < 8; i++) if (i < n) {
                    float f[4];
                    gtr__res_four(f, gtr__word_numbers(v[i]));
#pragma unroll
                    for (int e = 0; e < 4; e++) if ((i & 1) && u.count == 2) z[1][e] += f[e]; else z[0][e] += f[e];
                }
            }
        }
    }
    GTR__DEVICE void forward(int l) {
        const gtr__mlp_layer &L = s.m.layer[l];
        const gtr__tall_layer &q = s.layer[l];
        const gtr__tall_unit u(q.width);
        float z[2][4] = {};
        const int c = u.m * 16 + 2 * g;
        uint32_t most = 0;
        if (u.live) {
            if (l == 0) sum_parts(q, u, z);
            else {
                float acc[2][4] = {};
                const float b[2] = { pool[q.bias_at + c], pool[q.bias_at + c + 1] };
                gtr__tall_product<false>(acc, (const uint32_t *)pool + q.forward_at, q.forward_pitch, pool + q.scale_at,
                    q.across, s.tall, op, s.op_pitch, s.layer[l - 1].width / 16, u);
#pragma unroll
                for (int i = 0; i < 8; i++) z[i / 4][i % 4] = fmaf(acc[i / 4][i % 4], back, b[i % 4 / 2]);
            }
#pragma unroll
            for (int j = 0; j < 2; j++) if (j < u.count) {
                const float4 a = gtr__mlp_act4(L.act, make_float4(z[j][0], z[j][1], z[j][2], z[j][3]),
                    L.act_a, L.act_b);
                float out[4] = {
                    gtr__res_low<P>(a.x), gtr__res_low<P>(a.y), gtr__res_low<P>(a.z), gtr__res_low<P>(a.w) };
                const uint32_t mark = awaited.tag | awaited.bad | bad;
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    if (c + e / 2 >= L.n) out[e] = 0.0f;
                    const float x = L.saved ? gtr__res_low<P>(z[j][e]) : out[e];
                    z[j][e] = out[e];
                    out[e] = x;
                    if (l == 0) kept[j][e] = x;
                    most = gtr__tall_max(most, gtr__tall_size(z[j][e]));
                }
                if (l) saved[((l - 1) * 2 + j) * GTR__TALL_T] = make_float4(out[0], out[1], out[2], out[3]);
                gtr__publish4(q.h + par * s.total * q.width + gtr__tall_place(q.width, block * 2 + u.n + j, u.m),
                    z[j][0], z[j][1], z[j][2], z[j][3], mark);
            }
        }
        if (l == 0 && own == 0 && !gtr__tall_weights_arrived(h, step - 1)) awaited.turns = GTR__DEADLINE;
        if (l + 1 < last) {
            const gtr__tall_scale f(gtr__tall_most(most, slot));
            slot += 16;
            back = f.from;
            if (u.live)
#pragma unroll
                for (int j = 0; j < 2; j++) if (j < u.count) gtr__tall_operand(s, op, u, j, z[j], f.to);
            __syncthreads();
        } else {
            if (u.live)
#pragma unroll
                for (int j = 0; j < 2; j++) if (j < u.count) {
                    float *to = hidden + ((u.n + j) * 8 + 2 * t) * s.hidden_pitch + c;
                    *(float2 *)to = make_float2(gtr__res_ready<P>(z[j][0]), gtr__res_ready<P>(z[j][2]));
                    *(float2 *)(to + s.hidden_pitch) =
                        make_float2(gtr__res_ready<P>(z[j][1]), gtr__res_ready<P>(z[j][3]));
                }
            bad = __syncthreads_or((int)(bad | awaited.bad)) ? 2u : 0u;
        }
    }
    // The last layer's sums, over warps.
    GTR__DEVICE void last_layer() {
        const gtr__tall_layer &end = s.layer[last];
        const float *w = pool + end.forward_at;
        // 16 columns or 32
        const int outs = end.width / 8, ways = GTR__TALL_WARPS / outs, wide = end.width > 16 ? 5 : 4;
        {
            const int n = warp & (outs - 1), way = warp >> (wide - 3);
            float acc[4] = { 0.0f, 0.0f, 0.0f, 0.0f },
                *red = pool + s.op_at + (way * 16 + g) * end.width + n * 8 + 2 * t;
#pragma unroll 2
            for (int k = way * 8; k < s.layer[last - 1].width; k += ways * 8) {
                const float *p = hidden + g * s.hidden_pitch + k + t, *q = w + (n * 8 + g) * end.forward_pitch + k + t;
                const float a[4] = { p[0], p[8 * s.hidden_pitch], p[4], p[8 * s.hidden_pitch + 4] },
                    b[2] = { q[0], q[4] };
                gtr__res_mma<P>(acc, a, b);
            }
            *(float2 *)red = make_float2(acc[0], acc[1]);
            *(float2 *)(red + 8 * end.width) = make_float2(acc[2], acc[3]);
        }
        __syncthreads();
        for (int e = tid; e < 16 * end.width; e += GTR__TALL_T) {
            float v = 0.0f;
            for (int k = 0; k < ways; k++) v += pool[s.op_at + k * 16 * end.width + e];
            const int c = e & (end.width - 1);
            logits[(e >> wide) * 40 + c] = gtr__res_low<P>(v + pool[end.bias_at + c]);
        }
    }
    GTR__DEVICE void targets() {
        const gtr__feed_one &to = s.m.rest[s.target];
        const char *src = (const char *)(uintptr_t)h->record.src[to.slot];
        const int n = s.m.layer[last].n;
        for (int i = tid; i < 16 * GTR__RES_OUT; i += GTR__TALL_T) {
            const int r = i / GTR__RES_OUT, c = i % GTR__RES_OUT;
            const uint2 *p = s.origin + step * s.total + block * 16 + r;
            uint2 from = gtr__tall_poll(p);
            gtr__tall_known(from, p, awaited);
            float v = 0.0f;
            if (from.x < GTR__TALL_NOT_YET && c < n) v = gtr__res_source(to, src, (int64_t)from.x * n + c);
            if (to.to.t == GTR_BF16) v = gtr__rounded(GTR_BF16, v);
            pool[s.target_at + i] = v;
        }
    }
    GTR__DEVICE void backward(int l) {
        const gtr__tall_layer &end = s.layer[last];
        const float *w = pool + end.forward_at;
        const gtr__mlp_layer &L = s.m.layer[l];
        const gtr__tall_layer &q = s.layer[l];
        const gtr__tall_unit u(q.width);
        const int c = u.m * 16 + 2 * g;
        float acc[2][4] = {};
        uint32_t most = 0;
        if (u.live) {
            if (l == last - 1) {
                for (int k = 0; k < end.width; k += 8) {
                    const float2 lo = *(const float2 *)(w + (k + t) * end.forward_pitch + c),
                        hi = *(const float2 *)(w + (k + t + 4) * end.forward_pitch + c);
                    const float a[4] = { lo.x, lo.y, hi.x, hi.y };
#pragma unroll
                    for (int j = 0; j < 2; j++) if (j < u.count) {
                        const float *p = logits + ((u.n + j) * 8 + g) * 40 + k + t,
                            b[2] = { gtr__res_ready<P>(p[0]), gtr__res_ready<P>(p[4]) };
                        gtr__res_mma<P>(acc[j], a, b);
                    }
                }
            } else {
                const gtr__tall_layer &next = s.layer[l + 1];
                gtr__tall_product<true>(acc, (const uint32_t *)pool + next.forward_at, next.forward_pitch,
                    pool + next.scale_at, next.across, s.tall, op, s.op_pitch, next.width / 16, u);
#pragma unroll
                for (int i = 0; i < 8; i++) acc[i / 4][i % 4] *= back;
            }
#pragma unroll
            for (int j = 0; j < 2; j++) if (j < u.count) {
                float4 v = make_float4(acc[j][0], acc[j][1], acc[j][2], acc[j][3]);
                if (L.act >= 0) v = gtr__mlp_dact4(L.act, v, l ? saved[((l - 1) * 2 + j) * GTR__TALL_T]
                    : make_float4(kept[j][0], kept[j][1], kept[j][2], kept[j][3]), L.act_a, L.act_b);
                acc[j][0] = c < L.n ? gtr__res_low<P>(v.x) : 0.0f; acc[j][1] = c < L.n ? gtr__res_low<P>(v.y) : 0.0f;
                acc[j][2] = c + 1 < L.n ? gtr__res_low<P>(v.z) : 0.0f;
                acc[j][3] = c + 1 < L.n ? gtr__res_low<P>(v.w) : 0.0f;
                const uint32_t mark = awaited.tag | bad;
#pragma unroll
                for (int e = 0; e < 4; e++) most = gtr__tall_max(most, gtr__tall_size(acc[j][e]));
                gtr__publish4(q.dz + par * s.total * q.width + gtr__tall_place(q.width, block * 2 + u.n + j, u.m),
                    acc[j][0], acc[j][1], acc[j][2], acc[j][3], mark);
            }
        }
        if (l > 0) {
            const gtr__tall_scale f(gtr__tall_most(most, slot));
            slot += 16;
            back = f.from;
            if (u.live)
#pragma unroll
                for (int j = 0; j < 2; j++) if (j < u.count) gtr__tall_operand(s, op, u, j, acc[j], f.to);
            __syncthreads();
        }
    }
    GTR__DEVICE void run(float scale) {
#pragma unroll (LAST ? LAST : 1)
        for (int l = 0; l < last; l++) forward(l);
        last_layer();
        if (s.m.loss != GTR__OP_XENT_STEP) targets();
        __syncthreads();
        const gtr__tall_layer &end = s.layer[last];
        const int rows = gtr__tall_rows(s, h, step);
        gtr__tall_loss<P>(s, h, logits, pool + s.target_at, gtr__tall_labels(s, pool, step)[own * 16 + warp],
            h->all[par], block * 16 + warp < rows, scale, (float)s.m.batch / (float)rows);
        __syncthreads();
        if (warp < end.width / 8) {
            const float *p = logits + ((warp & 1) * 8 + 2 * t) * 40 + warp / 2 * 16 + 2 * g;
            gtr__publish4(
                s.dl + par * s.total * end.width + gtr__tall_place(end.width, block * 2 + (warp & 1), warp / 2), p[0],
                p[40], p[1], p[41], awaited.tag | bad);
        }
#pragma unroll (LAST ? LAST : 1)
        for (int l = last - 1; l >= 0; l--) backward(l);
        __syncthreads();            // what follows writes where the last product reads
    }
};
// The loss of the block'th sixteen rows, by a warp that has time before these places are written again.
static GTR__DEVICE void gtr__tall_publish_loss(const gtr__tall &s, gtr__tall_head *h,
        int block, int step) {
    const int lane = gtr__thread() & 31;
    float4 sum = lane < 16 ? h->row[lane] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    sum.x = gtr__warp_sum(sum.x); sum.y = gtr__warp_sum(sum.y); sum.z = gtr__warp_sum(sum.z);
    sum.w = gtr__warp_sum(sum.w);
    if (lane) return;
    gtr__publish4(s.loss + (step * s.rows + block) * 4, sum.x, sum.y, sum.z, sum.w, 0);
    // so that the sum over ranks is finite; a mean of none is not
    if (!(fabsf(sum.x) <= 3.4e38f / (float)s.rows) || (s.m.loss == GTR__OP_XENT_STEP && !h->all[step & 1])) h->lost = 2;
}

// >>tall-first
// A block's columns and k of the first layer are shared among slabs: a warp owns 16 of k of every other column, as
// operands of parts lie. Between steps they are in L2, where their last place is still the state of a step before.
struct gtr__tall_own {
    float p[4], a[4], b[4];     // weights and moments
    float bias[3];              // of threads below 16 of rank 0's first slab
    static GTR__DEVICE bool biased(const gtr__tall &s) {
        return threadIdx.x < 16 && (int)blockIdx.x < s.groups;
    }
    GTR__DEVICE void load(const gtr__tall &s, int step)
    {
        const float4 *from = s.own
            + ((step & 1) * s.groups * s.ranks * s.slabs + (int)blockIdx.x) * 4 * GTR__TALL_T + threadIdx.x;
        gtr__res_four(p, __ldcg(from));
        gtr__res_four(a, __ldcg(from + GTR__TALL_T));
        gtr__res_four(b, __ldcg(from + 2 * GTR__TALL_T));
        bias[0] = bias[1] = bias[2] = 0.0f;
        if (!biased(s)) return;
        const float4 x = __ldcg(from + 3 * GTR__TALL_T);
        bias[0] = x.x; bias[1] = x.y; bias[2] = x.z;
    }
    GTR__DEVICE void keep(const gtr__tall &s, int step) const
    {
        float4 *to = s.own
            + ((step & 1) * s.groups * s.ranks * s.slabs + (int)blockIdx.x) * 4 * GTR__TALL_T + threadIdx.x;
        to[0] = make_float4(p[0], p[1], p[2], p[3]);
        to[GTR__TALL_T] = make_float4(a[0], a[1], a[2], a[3]);
        to[2 * GTR__TALL_T] = make_float4(b[0], b[1], b[2], b[3]);
        if (biased(s)) to[3 * GTR__TALL_T] = make_float4(bias[0], bias[1], bias[2], 0.0f);
    }
};
struct gtr__tall_spot {         // of a thread's four elements
    int unit, n, k, some;       // column, first of k, how many there are
    int64_t i;
    bool live;                  // the unit is one
    GTR__DEVICE gtr__tall_spot(const gtr__tall &s, int group, int rank, int slab)
    {
        const gtr__mlp_layer &L = s.m.layer[0];
        const int warp = gtr__thread() / 32, lane = gtr__thread() & 31;
        unit = slab * s.units + warp;
        live = warp < s.units && unit < s.kr / 8;
        n = group * 16 + 2 * (lane >> 2) + (unit & 1);
        k = rank * s.kr + (unit >> 1) * 16 + 4 * (lane & 3);
        some = live && n < L.n ? L.k - k : 0;
        i = (int64_t)n * L.k + k;
    }
};
// The new weights of a group and rank: pairs of halves, as operands lie, then scales by slab (four
// words each) and the bias.
static GTR__DEVICE uint32_t *gtr__tall_new(const gtr__tall &s, int group, int rank, int step) {
    return s.first + ((step & 1) * s.groups * s.ranks + rank * s.groups + group) * (s.kr * 8 + s.slabs * 4 + 16);
}
// A vote of the warps that update: askers have no time for it, where they own nothing.
static GTR__DEVICE bool gtr__tall_vote(const gtr__tall &s, bool v) {
    uint32_t any;
    asm volatile("{\n.reg .pred p, q;\nsetp.ne.u32 p, %1, 0;\nbar.red.or.pred q, 2, %2, p;\nselp.u32 %0, 1, 0, q;\n}\n"
        : "=r"(any) : "r"((uint32_t)v), "r"(s.renew) : "memory");
    return any != 0;
}
// What is owned is sent as the weights of a step.
template <int P>
static GTR__DEVICE void gtr__tall_publish(const gtr__tall &s, float *pool, const gtr__tall_own &own,
        int group, int rank, int slab, int step, uint32_t &bad) {
    const int tid = gtr__thread(), lane = tid & 31;
    const gtr__tall_spot at(s, group, rank, slab);
    uint32_t *to = gtr__tall_new(s, group, rank, step), most = 0, *slot = (uint32_t *)pool + s.most_at + 80;
    const uint32_t tag = (uint32_t)step >> 1 & 1;
    float up;
#pragma unroll
    for (int j = 0; j < 4; j++) most = gtr__tall_max(most, gtr__tall_size(gtr__res_low<P>(own.p[j])));
    most = gtr__tall_warp_most(most);
    if (lane == 0) slot[tid / 32] = most;
    bad = gtr__tall_vote(s, bad != 0) ? 2u : 0u;
    const float from = gtr__tall_pair_scale(gtr__tall_warp_most(slot[tid & 15]), up);
    if (at.live)
        gtr__publish2(to + (at.unit >> 1) * 128 + lane * 4 + (at.unit & 1) * 2,
            gtr__tall_pair(gtr__res_low<P>(own.p[0]) * up, gtr__res_low<P>(own.p[1]) * up, tag, 0),
            gtr__tall_pair(gtr__res_low<P>(own.p[2]) * up, gtr__res_low<P>(own.p[3]) * up, tag, 0));
    to += s.kr * 8;
    if (tid == 0) gtr__publish4(to + slab * 4, from, from, from, from, tag);
    if (slab == 0 && rank == 0 && tid < 16)
        gtr__publish(to + s.slabs * 4 + tid, gtr__word_pack(gtr__res_low<P>(own.bias[0]), tag));
}
// Awaits them, and returns what to multiply their products by. The caller's barrier follows.
static GTR__DEVICE void gtr__tall_renewed(const gtr__tall &s, float *pool, gtr__tall_head *h, int group,
        int rank, int step, gtr__waiting &awaited) {
    const int warp = gtr__thread() / 32, lane = gtr__thread() & 31, steps = s.kr / 16;
    const uint32_t *from = gtr__tall_new(s, group, rank, step), *scale = from + s.kr * 8, tag = awaited.tag;
    uint4 *to = (uint4 *)(pool + s.dz_at);
    awaited.tag = (uint32_t)step >> 1 & 1;
    const int per = s.renew / 32;
    float most = 0.0f;
#pragma unroll 1
    for (int k = warp; k < steps || k == warp; k += 4 * per) {
        uint4 v[6];
        const bool biased = k == warp && rank == 0 && warp == 0 && lane < 4;
        gtr__tall_await_at<6, 4>(v, awaited,
            [&](int i) { return i < 4 ? k + i * per < steps : i == 4 ? lane < s.slabs : biased; }, [&](int i) {
            return i < 4 ? from + ((k + i * per) * 32 + lane) * 4 : scale + (i - 4) * s.slabs * 4 + lane * 4; });
        const uint32_t own = lane < s.slabs ? v[4].x & ~3u : 0u;
        most = __uint_as_float(gtr__tall_warp_most(own));
        const float ratio = lane < s.slabs ? __uint_as_float(own) / most : 0.0f;
        const uint32_t by = gtr__tall_half2(ratio, ratio);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int q = k + i * per < steps ? k + i * per : 0;
            const uint32_t b0 = __shfl_sync(0xffffffffu, by, 2 * q * s.unit_part >> 16),
                b1 = __shfl_sync(0xffffffffu, by, (2 * q + 1) * s.unit_part >> 16);
            if (k + i * per < steps) gtr__tall_put4((float *)(to + q * 32 + lane),
                __uint_as_float(gtr__tall_times(v[i].x, b0)), __uint_as_float(gtr__tall_times(v[i].z, b1)),
                __uint_as_float(gtr__tall_times(v[i].y, b0)), __uint_as_float(gtr__tall_times(v[i].w, b1)));
        }
        if (biased) gtr__res_keep(pool + s.bias_at + lane * 4, v[5]);
    }
    awaited.tag = tag;
    if (gtr__thread() == 0) h->factor = most * s.byte_from;
}
// Parts of a slab's rows: eight rows of x are the narrow side of a product, five such at a time; WAYS warps share k.
template <int P, int WAYS>
static GTR__DEVICE void gtr__tall_parts(const gtr__tall &s, float *pool, const gtr__tall_me &q, int step,
        float factor, uint32_t mark) {
    constexpr int N = GTR__TALL_TILES, across = GTR__TALL_WARPS / WAYS;
    const int warp = gtr__thread() / 32, lane = gtr__thread() & 31, g = lane >> 2, t = lane & 3, xp = s.pitch / 4,
        width = s.layer[0].width;
    const int way = warp / across, line = warp % across, turns = (s.kr / 16 - way + WAYS - 1) / WAYS, group = q.group,
        rank = q.rank, eights = q.eights;
    float *red = pool + s.dz_at + lane * 4;
    const float b0 = rank ? 0.0f : pool[s.bias_at + 2 * g], b1 = rank ? 0.0f : pool[s.bias_at + 2 * g + 1];
    uint32_t *part = s.part + ((step & 1) * s.ranks + rank) * s.total * width + q.first * 8 * width
        + group * 128 + lane * 4;
#pragma unroll 1
    for (int n = line; n - line < eights; n += across * N) {
        float acc[N][4] = {};
        const uint32_t *x[N];
#pragma unroll
        for (int j = 0; j < N; j++) x[j] = (const uint32_t *)pool + s.x_at + g * xp + t + way * 4
            + (n + j * across < eights ? (n + j * across) * 8 * xp : 0);
        const uint4 *w = (const uint4 *)(pool + s.dz_at) + lane + way * 32;
        uint4 u = *w;
        uint32_t v[N];
#pragma unroll
        for (int j = 0; j < N; j++) v[j] = *x[j];
#pragma unroll 2
        // the next turn's are loaded before this one's products; behind the last, of what follows
        for (int k = 0; k < turns; k++) {
            const uint32_t a[4] = { u.x, u.y, u.z, u.w };
            uint32_t b[N][2];
            w += WAYS * 32;
            u = *w;
#pragma unroll
            for (int j = 0; j < N; j++) {
                b[j][0] = gtr__tall_bytes<P>(v[j], 0x4140, s.byte_by);
                b[j][1] = gtr__tall_bytes<P>(v[j], 0x4342, s.byte_by);
                x[j] += WAYS * 4;
                v[j] = *x[j];
            }
#pragma unroll
            for (int j = 0; j < N; j++) gtr__mma_f16(acc[j], a, b[j]);
        }
        if (WAYS > 1) {         // all rows at once: nobody wants the weights again
            __syncthreads();
#pragma unroll
            for (int j = 0; j < N; j++) if ((j & (WAYS - 1)) != way && n + j * across < eights)
                gtr__tall_put4(red + ((way - j - 1 & (WAYS - 1)) * s.eights + n + j * across) * 128, acc[j][0],
                    acc[j][1], acc[j][2], acc[j][3]);
            __syncthreads();
        }
#pragma unroll
        for (int j = 0; j < N; j++) if ((j & (WAYS - 1)) == way && n + j * across < eights) {
#pragma unroll
            for (int k = 0; k + 1 < WAYS; k++) {
                const float4 v = *(const float4 *)(red + (k * s.eights + n + j * across) * 128);
                acc[j][0] += v.x; acc[j][1] += v.y; acc[j][2] += v.z; acc[j][3] += v.w;
            }
            gtr__publish4(part + (n + j * across) * 8 * width, fmaf(acc[j][0], factor, b0), fmaf(acc[j][1], factor, b0),
                fmaf(acc[j][2], factor, b1), fmaf(acc[j][3], factor, b1), mark);
        }
    }
}
// Awaits dz of the group's columns and the slab's rows, to shared memory by columns, as halves. Returns what to
// multiply their products by; marks: of the step before.
static GTR__DEVICE float gtr__tall_await_dz(const gtr__tall &s, float *pool, const gtr__tall_me &q,
        int step, uint32_t before, gtr__waiting &awaited, int &marks) {
    const int warp = gtr__thread() / 32, lane = gtr__thread() & 31, g = lane >> 2, t = lane & 3, eights = q.eights,
        group = q.group, rank = q.rank, width = s.layer[0].width, rounds = (eights + 127) / 128;
    const uint32_t *dz = s.layer[0].dz + (step & 1) * s.total * width + gtr__tall_place(width, q.first + warp, group);
    uint32_t most = 0, *slot = (uint32_t *)pool + s.most_at + 64,
        *to = (uint32_t *)pool + s.dz_at + (2 * g + (g >> 2)) * s.dz_pitch + warp * 4 + t;
    // half of the lanes begin with the odd column, for the banks' sake
    const int other = g < 4 ? s.dz_pitch : -s.dz_pitch;
    float even = 0.0f, odd = 0.0f;
    uint4 v[8];
#pragma unroll
    for (int i = 0; i < 8; i++) v[i] = make_uint4(0, 0, 0, 0);
#pragma unroll 1
    for (int k = 0; k < rounds; k++) {
        const int left = (eights - k * 128 - warp + 15) / 16, n = left > 8 ? 8 : left;
        if (n <= 0) continue;
        gtr__tall_await4<8>(v, n, awaited, [&](int i) { return dz + (k * 128 + i * 16) * 8 * width; });
#pragma unroll
        for (int i = 0; i < 8; i++) if (i < n) {
            even += gtr__word_number(v[i].x) + gtr__word_number(v[i].y);
            odd += gtr__word_number(v[i].z) + gtr__word_number(v[i].w);
            most = gtr__tall_max(most, gtr__tall_max(gtr__tall_max(v[i].x & 0x7ffffffcu, v[i].y & 0x7ffffffcu),
                gtr__tall_max(v[i].z & 0x7ffffffcu, v[i].w & 0x7ffffffcu)));
        }
    }
    most = gtr__tall_warp_most(most);
    if (lane == 0) slot[warp] = most;
    if (rank == 0) {
#pragma unroll
        for (int o = 1; o < 4; o <<= 1) {
            even += __shfl_xor_sync(0xffffffffu, even, o); odd += __shfl_xor_sync(0xffffffffu, odd, o);
        }
        if (t == 0) *(float2 *)(pool + s.sums_at + warp * 16 + 2 * g) = make_float2(even, odd);
    }
    marks = __syncthreads_or((int)(before | awaited.bad) | (awaited.turns >= GTR__DEADLINE ? 4 : 0));
    const gtr__tall_scale f(gtr__tall_warp_most(slot[lane & 15]));
#pragma unroll 1
    for (int k = rounds - 1; k >= 0; k--) {
        const int left = (eights - k * 128 - warp + 15) / 16, n = left > 8 ? 8 : left;
#pragma unroll
        for (int i = 0; i < 8; i++) if (i < n) {
            if (rounds > 1) v[i] = gtr__poll4(dz + (k * 128 + i * 16) * 8 * width);
            const uint32_t lo = gtr__tall_half2(gtr__word_number(v[i].x) * f.to, gtr__word_number(v[i].y) * f.to),
                hi = gtr__tall_half2(gtr__word_number(v[i].z) * f.to, gtr__word_number(v[i].w) * f.to);
            uint32_t *p = to + (k * 128 + i * 16) * 4;
            p[0] = g < 4 ? lo : hi;
            p[other] = g < 4 ? hi : lo;
        }
    }
    if ((eights & 1) && gtr__thread() < 64)
        ((uint32_t *)pool)[s.dz_at + (gtr__thread() >> 2) * s.dz_pitch + eights * 4 + (gtr__thread() & 3)] = 0;
    __syncthreads();
    return f.from;
}
// Where a slab's dw goes; then the bias's.
static GTR__DEVICE uint32_t *gtr__tall_shared(const gtr__tall &s, int group, int rank,
        int slab, int step) {
    return s.dw + (((step & 1) * s.groups * s.ranks + rank * s.groups + group) * s.slabs + slab) * s.share;
}
// dw = dz^T x of the slab's rows, a warp 32 of k; DEEP of them share rows.
template <int P, int DEEP>
static GTR__DEVICE void gtr__tall_gradient(const gtr__tall &s, float *pool, const gtr__tall_me &q,
        int step, float factor, uint32_t mark) {
    const int tid = gtr__thread(), warp = tid / 32, lane = tid & 31, g = lane >> 2, t = lane & 3, xp = s.pitch / 4;
    constexpr int across = GTR__TALL_WARPS / DEEP;
    const int way = warp / across, line = warp % across, strips = (s.kr + 31) / 32, steps = (q.eights + 1) / 2,
        group = q.group, rank = q.rank, slab = q.slab;
    uint32_t *to = gtr__tall_shared(s, group, rank, slab, step) + (g >> 2) * 256 + (t * 4 + (g & 3)) * 4;
    const uint32_t *z = (const uint32_t *)pool + s.dz_at + g * s.dz_pitch + t, *z8 = z + 8 * s.dz_pitch;
    float *red = pool + s.dz_at + line * 512 + lane;
    auto send = [&](int c, const float *acc) {
        if (c * 32 + (g >> 2) * 16 < s.kr)
#pragma unroll
            for (int e = 0; e < 4; e++) {       // a column of 2t, 2t + 1, 2t + 8, 2t + 9, four of k
                const int a = (e >> 1) * 4 + (e & 1);
                gtr__publish4(to + c * 512 + (e & 1) * 128 + (e >> 1) * 64, acc[a] * factor, acc[a + 2] * factor,
                    acc[a + 8] * factor, acc[a + 10] * factor, mark);
            }
    };
    auto multiply = [&](float *acc, const uint32_t *p0, const uint32_t *p1, const uint32_t *p2, const uint32_t *p3,
            const uint32_t *b0, const uint32_t *b1) {
        const uint32_t w0 = *p0, w1 = *p1, w2 = *p2, w3 = *p3;
        const uint32_t u0 = __byte_perm(w0, w1, 0x5140), u1 = __byte_perm(w0, w1, 0x7362),
            u2 = __byte_perm(w2, w3, 0x5140), u3 = __byte_perm(w2, w3, 0x7362);
        const uint32_t a0[4] = { gtr__tall_bytes<P>(u0, 0x4140, s.byte_by), gtr__tall_bytes<P>(u0, 0x4342, s.byte_by),
            gtr__tall_bytes<P>(u2, 0x4140, s.byte_by), gtr__tall_bytes<P>(u2, 0x4342, s.byte_by) };
        const uint32_t a1[4] = { gtr__tall_bytes<P>(u1, 0x4140, s.byte_by), gtr__tall_bytes<P>(u1, 0x4342, s.byte_by),
            gtr__tall_bytes<P>(u3, 0x4140, s.byte_by), gtr__tall_bytes<P>(u3, 0x4342, s.byte_by) };
        gtr__mma_f16(acc, a0, b0);
        gtr__mma_f16(acc + 4, a0, b1);
        gtr__mma_f16(acc + 8, a1, b0);
        gtr__mma_f16(acc + 12, a1, b1);
    };
#pragma unroll 1
    for (int c = line; c - line < strips; c += across) {
        float acc[16] = {};     // two tiles of k, two of columns; what is done is on its way while the next is made
        const uint32_t *p0 = (const uint32_t *)pool + s.x_at + (2 * t + way * 16) * xp + c * 8 + g, *p1 = p0 + xp,
            *p2 = p0 + 8 * xp, *p3 = p1 + 8 * xp, *y = z + way * 8, *y8 = z8 + way * 8;
        const int far = DEEP * 16 * xp;
        if (c < strips)
#pragma unroll 2
            for (int k = way; k < steps; k += DEEP) {
                const uint32_t b0[2] = { y[0], y[4] }, b1[2] = { y8[0], y8[4] };
                multiply(acc, p0, p1, p2, p3, b0, b1);
                p0 += far; p1 += far; p2 += far; p3 += far;
                y += DEEP * 8; y8 += DEEP * 8;
            }
        if (DEEP > 1) {         // all strips at once, none of them a second
            __syncthreads();
#pragma unroll
            for (int i = 0; i < 16; i++) if (way) red[(way - 1) * across * 512 + i * 32] = acc[i];
            __syncthreads();
#pragma unroll
            for (int i = 0; i < 16; i++)
#pragma unroll
                for (int k = 0; k + 1 < DEEP; k++) if (way == 0) acc[i] += red[k * across * 512 + i * 32];
        }
        if (way == 0) send(c, acc);
    }
    if (rank == 0 && tid >= GTR__TALL_T - 16) {
        const int c = lane - 16;
        float v = 0.0f;
#pragma unroll
        for (int w = 0; w < GTR__TALL_WARPS; w++) v += pool[s.sums_at + w * 16 + c];
        gtr__publish(gtr__tall_shared(s, group, rank, slab, step) + s.kr * 16 + c, gtr__word_pack(v, mark));
    }
}
// What is owned: the sum over slabs, and the update, whose outcome is published. marks: of the step before; if it was
// bad, nothing is updated.
template <int P>
static GTR__DEVICE void gtr__tall_update(const gtr__tall &s, float *pool, gtr__tall_head *h, int group,
        int rank, int slab, int step, bool last, gtr__waiting &awaited, int &marks) {
    const gtr__mlp_layer &L = s.m.layer[0];
    const int tid = gtr__thread(), warp = tid / 32, lane = tid & 31;
    const gtr__tall_spot at(s, group, rank, slab);
    const uint32_t *dw = gtr__tall_shared(s, group, rank, 0, step);
    const bool biased = rank == 0 && slab == 0 && L.db != NULL;
    gtr__tall_own own;
    own.load(s, step);
    float v[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
    if (at.live)
#pragma unroll 1
        for (int k = 0; k < s.slabs; k += 8) {
            uint4 u[8];
            const int n = s.slabs - k < 8 ? s.slabs - k : 8;
            gtr__tall_await4<8>(u, n, awaited, [&](int i) {
                return dw + (k + i) * s.share + at.unit * 128 + lane * 4;
            });
#pragma unroll
            for (int i = 0; i < 8; i++) if (i < n) {
                v[0] += gtr__word_number(u[i].x); v[1] += gtr__word_number(u[i].y); v[2] += gtr__word_number(u[i].z);
                v[3] += gtr__word_number(u[i].w);
            }
        }
    if (biased && warp == s.renew / 32 - 1) {
        float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 1
        for (int k = 0; k < s.slabs; k += 8) {
            uint4 u[1];
            const int q = k + (lane >> 2);
            gtr__tall_await4<1>(u, q < s.slabs ? 1 : 0, awaited, [&](int) {
                return dw + q * s.share + s.kr * 16 + (lane & 3) * 4;
            });
            if (q < s.slabs) sum = gtr__add4(sum, gtr__word_numbers(u[0]));
        }
#pragma unroll
        for (int o = 4; o < 32; o <<= 1) sum = gtr__shuffle_add4(sum, o);
        if (lane < 4) *(float4 *)(pool + s.sums_at + 256 + lane * 4) = sum;
    }
    marks = gtr__tall_vote(s, marks || awaited.bad || awaited.turns >= GTR__DEADLINE);
    if (marks) return;
    uint32_t bad = 0;
    const gtr__rule rule = gtr__res_rule(h, step, h->segment[0].group);
#pragma unroll
    for (int j = 0; j < 4; j++) if (j < at.some) {
        if (s.m.checks && gtr__res_infinite(v[j])) bad = 2;
        gtr__apply<gtr__adapt_quick, 1>(rule, &own.p[j], &v[j], &own.a[j], &own.b[j]);
        if (last) L.dw[at.i + j] = v[j];
    }
    if (biased && tid < 16 && group * 16 + tid < L.n) {
        const float d = pool[s.sums_at + 256 + tid];
        const gtr__rule other = gtr__res_rule(h, step, h->segment[1].group);
        if (s.m.checks && gtr__res_infinite(d)) bad = 2;
        gtr__apply<gtr__adapt_quick, 1>(other, &own.bias[0], &d, &own.bias[1], &own.bias[2]);
        if (last) L.db[group * 16 + tid] = d;
    }
    gtr__tall_publish<P>(s, pool, own, group, rank, slab, step + 1, bad);
    own.keep(s, step + 1);      // words that others await go out first
    if (bad && tid == 0) h->lost = 2;
}

// >>tall-spare
// A task's elements lie by fours of a row: where the four'th begins.
struct gtr__tall_four {
    int n, c;
    GTR__DEVICE gtr__tall_four(int four) : n((four >> 8) * 16 + (four >> 2 & 7) * 2 + (four >> 5 & 1)),
            c((four >> 6 & 3) * 16 + (four & 3) * 4) {
    }
};
// One of a spare block's tasks: 16 or 32 rows of a further layer's dw = dz^T h and 64 columns, db where they are the
// first; the update, whose outcome is published. h is there first: most of it is kept as halves until dz comes, as
// rounds of 128 rows of which a warp has eight. How the step before went is known from all rows' dz.
template <int P> struct gtr__tall_task {
    static constexpr int fours = GTR__TALL_STRIP / 16;
    const gtr__tall &s;
    float *pool;
    gtr__tall_head *h;
    const int step, k, par;
    gtr__waiting &awaited;
    const int rows, size, all;
    float *red, *sums;
    const int tid, warp, lane, g, t, l, n0, k0;
    const gtr__tall_layer &q, &before;
    const gtr__mlp_layer &L;
    float p[4], shift;          // what has become of four weights, and of a bias
    GTR__DEVICE gtr__tall_task(const gtr__tall &s, float *pool, gtr__tall_head *h, int step, int k,
            gtr__waiting &awaited) : s(s), pool(pool), h(h), step(step), k(k), par(step & 1), awaited(awaited),
            rows(16 * s.tall), size(rows * GTR__TALL_STRIP), all(size + rows), red(pool + s.red_at),
            sums(red + GTR__TALL_WARPS * size), tid(gtr__thread()), warp(tid / 32), lane(tid & 31),
            g(lane >> 2), t(lane & 3), l(h->tile[k].layer), n0(h->tile[k].n0), k0(h->tile[k].k0), q(s.layer[l]),
            before(s.layer[l - 1]), L(s.m.layer[l]), p{}, shift(0.0f) {
    }
    // Two rounds of h, of a warp's `mine`, in place of two, as halves.
    GTR__DEVICE void keep(int r, int to, int mine, int columns, const uint32_t *y, uint4 *kept) {
        uint4 v[2 * fours];
        gtr__tall_await_at<2 * fours, 0>(v, awaited, [&](int i) { return r + i / fours < mine && i % fours < columns; },
            [&](int i) { return y + ((r + i / fours) * 128 * before.width + i % fours * 128); });
#pragma unroll
        for (int e = 0; e < 2; e++) {
            uint32_t most = 0;
#pragma unroll
            for (int i = e * fours; i < e * fours + fours; i++)
                most = gtr__tall_max(most, gtr__tall_max(gtr__tall_max(v[i].x & 0x7ffffffcu, v[i].y & 0x7ffffffcu),
                    gtr__tall_max(v[i].z & 0x7ffffffcu, v[i].w & 0x7ffffffcu)));
            const gtr__tall_scale f(gtr__tall_warp_most(most));
            if (lane == 0) h->scale[warp][to + e] = f.from;
#pragma unroll
            for (int i = 0; i < fours; i += 2) {
                const uint4 a = v[e * fours + i], b = v[e * fours + i + 1];
                kept[((to + e) * fours + i) / 2 * GTR__TALL_T] =
                    make_uint4(gtr__tall_half2(gtr__word_number(a.x) * f.to, gtr__word_number(a.y) * f.to),
                    gtr__tall_half2(gtr__word_number(a.z) * f.to, gtr__word_number(a.w) * f.to),
                    gtr__tall_half2(gtr__word_number(b.x) * f.to, gtr__word_number(b.y) * f.to),
                    gtr__tall_half2(gtr__word_number(b.z) * f.to, gtr__word_number(b.w) * f.to));
            }
        }
        __syncwarp();
    }
    // A warp's parts of the gradient, left in shared memory.
    GTR__DEVICE void product() {
        uint4 *kept = (uint4 *)red + tid;
        const int columns = (before.width - k0 + 15) / 16, mine = (2 * s.rows - warp + GTR__TALL_WARPS - 1)
            / GTR__TALL_WARPS, ahead = mine < 4 * s.tall ? mine : 4 * s.tall;
        const bool two = s.tall == 2 && n0 + 16 < q.width;
        const uint32_t *z = (l == s.m.layers - 1 ? s.dl : q.dz) + par * s.total * q.width + gtr__tall_place(q.width,
            warp, n0 / 16), *y = before.h + par * s.total * before.width + gtr__tall_place(before.width, warp, k0 / 16);
        auto keep = [&](int r, int to) { this->keep(r, to, mine, columns, y, kept); };
#pragma unroll 1
        for (int r = 0; r < ahead; r += 2) keep(r, r);
        float acc[2][2 * fours][4] = {}, db[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
#pragma unroll 1
        for (int r = 0; r < mine; r += 2) {
            const int at = r < ahead ? r : 0;
            if (r >= ahead) keep(r, 0);
            uint4 v[4];
            gtr__tall_await4<4>(v, 2 * (mine - r), awaited, [&](int i) {
                return z + (r + i / 2) * 128 * q.width + (i % 2 && two ? 128 : 0);
            });
#pragma unroll
            for (int e = 0; e < 2; e++) if (r + e < mine) {
                const float scale = h->scale[warp][at + e];
                float a[2][4];
#pragma unroll
                for (int m = 0; m < 2; m++) {
                    const uint4 u = v[2 * e + m];
                    float f[4];
                    gtr__res_four(f, gtr__word_numbers(u));
                    db[2 * m] += f[0] + f[1]; db[2 * m + 1] += f[2] + f[3];
                    a[m][0] = gtr__res_ready<P>(f[0]); a[m][1] = gtr__res_ready<P>(f[2]);
                    a[m][2] = gtr__res_ready<P>(f[1]); a[m][3] = gtr__res_ready<P>(f[3]);
                }
#pragma unroll
                for (int i = 0; i < fours; i += 2) {
                    const uint4 w = kept[((at + e) * fours + i) / 2 * GTR__TALL_T];
                    const uint32_t u[4] = { w.x, w.y, w.z, w.w };
                    float b[8];
#pragma unroll
                    for (int j = 0; j < 4; j++) {
                        __half2 c;
                        memcpy(&c, &u[j], 4);
                        b[2 * j] = __low2float(c) * scale; b[2 * j + 1] = __high2float(c) * scale;
                    }
#pragma unroll
                    for (int m = 0; m < 2; m++) if (m == 0 || two)
#pragma unroll
                        for (int j = 0; j < 4; j++) gtr__res_mma<P>(acc[m][2 * i + j], a[m], b + 2 * j);
                }
            }
        }
        __syncthreads();        // nobody wants what was kept
#pragma unroll
        for (int m = 0; m < 2; m++) if (m == 0 || s.tall == 2)
#pragma unroll
            for (int i = 0; i < fours; i++)
#pragma unroll
                for (int e = 0; e < 2; e++)
                    gtr__tall_put4(red + warp * size + (((m * fours + i) * 2 + e) * 32 + lane) * 4, acc[m][2 * i][2
                        * e], acc[m][2 * i + 1][2 * e], acc[m][2 * i][2 * e + 1], acc[m][2 * i + 1][2 * e + 1]);
#pragma unroll
        for (int j = 0; j < 4; j++) if (j < 2 * s.tall) {
            db[j] = gtr__warp_sum<2>(db[j]);
            if (t == 0) sums[warp * rows + (j >> 1) * 16 + 2 * g + (j & 1)] = db[j];
        }
    }
    // Its sums, and what they make of weights and moments; whether one is not finite.
    GTR__DEVICE bool update(bool last) {
        float *state = pool + s.tile_at + k * 6 * all;
        const float *old = state + par * 3 * all;
        float *now = state + (par ^ 1) * 3 * all;
        const bool bias = k0 == 0 && L.db != NULL;
        const gtr__rule rule = gtr__res_rule(h, step, h->segment[2 * l].group);
        const gtr__tall_four at(tid);
        const int some = tid * 4 < size && n0 + at.n < L.n ? L.k - k0 - at.c : 0;
        uint32_t most = 0;
        bool wrong = false;
        if (some > 0) {
            float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
            for (int w = 0; w < GTR__TALL_WARPS; w++)
                sum = gtr__add4(sum, *(const float4 *)(red + w * size + tid * 4));
            float v[4], a[4], b[4];
            gtr__res_four(v, sum);
            gtr__res_four(p, *(const float4 *)(old + tid * 4));
            gtr__res_four(a, *(const float4 *)(old + all + tid * 4));
            gtr__res_four(b, *(const float4 *)(old + 2 * all + tid * 4));
#pragma unroll
            for (int j = 0; j < 4; j++) if (j < some) {
                wrong |= gtr__res_infinite(v[j]);
                gtr__apply<gtr__adapt_quick, 1>(rule, &p[j], &v[j], &a[j], &b[j]);
                if (last) L.dw[(int64_t)(n0 + at.n) * L.k + k0 + at.c + j] = v[j];
                most = gtr__tall_max(most, gtr__tall_size(p[j]));
            }
            gtr__tall_put4(now + tid * 4, p[0], p[1], p[2], p[3]);
            gtr__tall_put4(now + all + tid * 4, a[0], a[1], a[2], a[3]);
            gtr__tall_put4(now + 2 * all + tid * 4, b[0], b[1], b[2], b[3]);
        }
        if (bias && tid < rows && n0 + tid < L.n) {
            float v = 0.0f;
#pragma unroll
            for (int w = 0; w < GTR__TALL_WARPS; w++) v += sums[w * rows + tid];
            shift = old[size + tid];
            float a = old[all + size + tid], b = old[2 * all + size + tid];
            wrong |= gtr__res_infinite(v);
            gtr__apply<gtr__adapt_quick, 1>(gtr__res_rule(h, step, h->segment[2 * l + 1].group), &shift, &v, &a, &b);
            now[size + tid] = shift; now[all + size + tid] = a; now[2 * all + size + tid] = b;
            if (last) L.db[n0 + tid] = v;
        }
        most = gtr__tall_warp_most(most);
        if (lane == 0) h->most[warp] = most;
        return __syncthreads_or(wrong) != 0 && s.m.checks;
    }
    // What has become of them, for products.
    GTR__DEVICE void image() const {
        const gtr__tall_four at(tid);
        uint32_t *to = gtr__tall_image(s, step, q.forward_at);
        if (l < s.m.layers - 1) {
            float up;
            const float from = gtr__tall_pair_scale(gtr__tall_warp_most(h->most[lane & 15]), up);
            if (tid * 4 < size && n0 + at.n < q.width && k0 + at.c < before.width) {
                to += gtr__tall_turn(n0 + at.n) * q.forward_pitch + (k0 + (at.c & ~15)) / 2 + (at.c & 15) / 4;
                to[0] = gtr__tall_half2(gtr__res_ready<P>(p[0]) * up, gtr__res_ready<P>(p[2]) * up);
                to[4] = gtr__tall_half2(gtr__res_ready<P>(p[1]) * up, gtr__res_ready<P>(p[3]) * up);
            }
            if (tid == 0) gtr__tall_image(s, step, q.scale_at)[h->tile[k].index - q.task0] = __float_as_uint(from);
        } else if (tid * 4 < size && n0 + at.n < q.width && k0 + at.c < before.width)
            *(float4 *)(to + (n0 + at.n) * q.forward_pitch + k0 + at.c) = make_float4(gtr__res_ready<P>(p[0]),
                gtr__res_ready<P>(p[1]), gtr__res_ready<P>(p[2]), gtr__res_ready<P>(p[3]));
        if (k0 == 0 && tid < rows && n0 + tid < q.width)
            gtr__tall_image(s, step, q.bias_at)[n0 + tid] = __float_as_uint(gtr__res_low<P>(shift));
    }
};
template <int P>
static GTR__DEVICE bool gtr__tall_tasks(const gtr__tall &s, float *pool, gtr__tall_head *h, int step,
        bool last, uint32_t &bad) {
    const int par = step & 1;
    gtr__waiting awaited = { (uint32_t)step >> 1 & 1, 0, s.m.hurry };
#pragma unroll 1
    for (int k = 0; k < h->tiles; k++) {
        gtr__tall_task<P> task(s, pool, h, step, k, awaited);
        const int tid = task.tid;
        task.product();
        if (k == 0 && tid < (int)(sizeof(gtr__rates) / 4))
            ((float *)&h->rate[par])[tid] = __ldcg((const float *)&s.rate[step] + tid);
        if (__syncthreads_or((int)awaited.bad | (awaited.turns >= GTR__DEADLINE ? 4 : 0))) {
            if (awaited.turns >= GTR__DEADLINE) atomicOr(s.flag, 2u);
            return false;
        }
        if (task.update(last)) bad = 2;
        task.image();
#if GTR__TALL_BULK
        asm volatile("fence.proxy.async;" ::: "memory");    // it is read so
#endif
        __syncthreads();
        if (tid == 0) {
            gtr__fence_gpu();         // and release: all that the block has written
            gtr__publish(s.published + par * s.tasks + h->tile[k].index, awaited.tag | bad);
        }
    }
    if (awaited.turns >= GTR__DEADLINE) atomicOr(s.flag, 2u);
    return true;
}

// >>tall-kernel
// Which sixteen of rows a block has first; from s.rows on, which of the workers that have none it is. They are spread,
// as blocks beside each other share their way to L2, but for those of a pair, who share what they ask for.
static GTR__DEVICE int gtr__tall_row(const gtr__tall &s, int me) {
    const int workers = s.groups * s.ranks * s.slabs;
    if (s.middles >= workers) return me < s.middles ? me : s.rows;
    const int each = s.paired ? 2 : 1, part = me / each, parts = workers / each, rows = (s.middles + each - 1) / each,
        before = part * rows / parts, row = before * each + me % each;
    return me < workers && (part + 1) * rows / parts > before && row < s.middles ? row
        : s.rows + me - (row < s.middles ? row : s.middles);
}

// visit(segment, index in it, whether it is there and this block's to write, its place and that of its two moments)
template <typename F>
static GTR__DEVICE void gtr__tall_state(const gtr__tall &s, float *pool, const gtr__tall_head *h,
        int buffer, F visit) {
    const int rows = 16 * s.tall, size = rows * GTR__TALL_STRIP, all = size + rows;
    for (int k = 0; k < h->tiles; k++) {
        const int l = h->tile[k].layer, n0 = h->tile[k].n0, k0 = h->tile[k].k0;
        const gtr__mlp_layer &L = s.m.layer[l];
        float *state = pool + s.tile_at + (2 * k + buffer) * 3 * all;
        for (int e = gtr__thread(); e < size; e += GTR__TALL_T) {
            const gtr__tall_four at(e / 4);
            const int n = n0 + at.n, c = k0 + at.c + e % 4;
            if (n < L.n && c < L.k) visit(2 * l, (int64_t)n * L.k + c, state[e], state[all + e], state[2 * all + e]);
        }
        const int n = n0 + gtr__thread();
        float *p = state + size + threadIdx.x;
        if ((int)threadIdx.x < rows && k0 == 0 && n < L.n && L.db) visit(2 * l + 1, n, p[0], p[all], p[2 * all]);
    }
}
struct gtr__tall_disk {         // what lies in device memory
    const gtr__optim &o;
    const gtr__tall_head *h;
    GTR__DEVICE gtr__tall_disk(const gtr__tall &s, const gtr__tall_head *h_) : o(s.m.optim), h(h_) {}
    GTR__DEVICE void load(int which, int64_t i, float &p, float &a, float &b) const
    {
        const gtr__segment &z = h->segment[which];
        p = z.p[i];
        a = o.states > 0 ? o.state[0][z.offset + i] : 0.0f;
        b = o.states > 1 ? o.state[1][z.offset + i] : 0.0f;
    }
    GTR__DEVICE void save(int which, int64_t i, float p, float a, float b) const
    {
        const gtr__segment &z = h->segment[which];
        z.p[i] = p;
        if (o.states > 0) o.state[0][z.offset + i] = a;
        if (o.states > 1) o.state[1][z.offset + i] = b;
        if (z.bf16) gtr__put(z.bf16, GTR_BF16, i, p);
        if (z.f16) gtr__put(z.f16, GTR_F16, i, p);
    }
};
// The further layers' weights, as if a step had renewed them.
template <int P>
static GTR__DEVICE void gtr__tall_images(const gtr__tall &s, const gtr__tall_head *h,
        uint32_t *most_room) {
    const int tid = gtr__thread(), me = (int)blockIdx.x, blocks = (int)gridDim.x, layers = s.m.layers;
    for (int l = 1; l < layers; l++) {
        const gtr__tall_layer &q = s.layer[l];
        const gtr__mlp_layer &L = s.m.layer[l];
        const int wide = s.layer[l - 1].width;
        auto at = [&](int n, int c) {
            return gtr__res_ready<P>(n < L.n && c < L.k ? h->segment[2 * l].p[(int64_t)n * L.k + c] : 0.0f); };
        float from = 1.0f, up = 1.0f;
        if (me * GTR__TALL_T >= q.width * q.forward_pitch && me < blocks - 1) continue;
        if (l < layers - 1) {
            uint32_t most = 0;
#pragma unroll 8
            for (int i = tid; i < L.n * L.k; i += GTR__TALL_T)
                most = gtr__tall_max(most, gtr__tall_size(gtr__res_ready<P>(h->segment[2 * l].p[i])));
            __syncthreads();
            from = gtr__tall_pair_scale(gtr__tall_most(most, most_room), up);
        }
        uint32_t *to = gtr__tall_image(s, 1, q.forward_at);
        for (int i = me * GTR__TALL_T + tid; i < q.width * q.forward_pitch; i += blocks * GTR__TALL_T) {
            const int n = i / q.forward_pitch, c = i % q.forward_pitch;
            to[i] = l == layers - 1 ? __float_as_uint(at(n, c)) : 2 * c >= wide ? 0u
                : gtr__tall_half2(at(gtr__tall_unturn(n), gtr__tall_column(2 * c)) * up,
                at(gtr__tall_unturn(n), gtr__tall_column(2 * c) + 2) * up);
        }
        if (me == blocks - 1) {
            to = gtr__tall_image(s, 1, q.bias_at);
            for (int i = tid; i < q.width; i += GTR__TALL_T)
                to[i] = __float_as_uint(gtr__res_low<P>(L.db && i < L.n ? h->segment[2 * l + 1].p[i] : 0.0f));
            if (l < layers - 1 && tid < s.layer[l + 1].task0 - q.task0)
                gtr__tall_image(s, 1, q.scale_at)[tid] = __float_as_uint(from);
        }
    }
}
// What a block is: its rows, its columns and k of the first layer, its tasks.
static GTR__DEVICE void gtr__tall_assign(const gtr__tall &s, gtr__tall_head *h,
        bool worker, bool spare) {
    const int me = (int)blockIdx.x, layers = s.m.layers;
    const int slab = me / s.groups / s.ranks;
    h->me.row = gtr__tall_row(s, me); h->me.group = me % s.groups; h->me.rank = me / s.groups % s.ranks;
    h->me.slab = slab; h->me.first = slab * s.eights;
    h->me.eights = 2 * s.rows - h->me.first < s.eights ? 2 * s.rows - h->me.first : s.eights;
    h->alike = worker && h->me.row < s.rows && gtr__tall_row(s, me ^ 1) < s.rows;
    h->rule = s.m.optim.rule;
    h->tiles = 0;
    if (spare && me - s.mains < s.spare) for (int index = me - s.mains; index < s.tasks && h->tiles < 8;
            index += s.spare) {
        int l = 1;
        while (l + 1 < layers && index >= s.layer[l + 1].task0) l++;
        h->tile[h->tiles].layer = l; h->tile[h->tiles].index = index;
        h->tile[h->tiles].n0 = (index - s.layer[l].task0) / s.layer[l].across * 16 * s.tall;
        h->tile[h->tiles].k0 = (index - s.layer[l].task0) % s.layer[l].across * GTR__TALL_STRIP;
        h->tiles++;
    }
}
template <int P>
static GTR__DEVICE void gtr__tall_spare(const gtr__tall &s, float *pool, gtr__tall_head *h) {
    const gtr__tall_disk disk(s, h);
    int wrong = -1;             // the step that was not finite
    uint32_t bad = 0;
    for (int b = 0; b < 2; b++)
        gtr__tall_state(s, pool, h, b, [&](int which, int64_t i, float &p, float &a, float &v) {
            disk.load(which, i, p, a, v);
        });
    if (!gtr__res_begin(s, h)) return;
    const int steps = (int)s.record[0].more + 1;
#pragma unroll 1
    for (int i = 0; i < steps; i++) {
        if (!gtr__tall_tasks<P>(s, pool, h, i, i == steps - 1, bad)) { wrong = i - 1; break; }
    }
    if (gtr__res_end(s, steps, bad, wrong))
        gtr__tall_state(s, pool, h, (wrong < 0 ? steps : wrong) & 1,
            [&](int which, int64_t i, float &p, float &a, float &v) { disk.save(which, i, p, a, v); });
    gtr__mlp_grid_leave(s.m);
}
// A block with a share of the first layer, or rows, or both.
template <int P> struct gtr__tall_block {
    const gtr__tall &s;
    float *pool;
    gtr__tall_head *h;
    const int tid, me, workers, row;
    const bool worker;
    bool bulk;
    int steps, wrong;           // the step that was not finite, or -1
    uint32_t bad;
    GTR__DEVICE gtr__tall_block(const gtr__tall &s, float *pool, gtr__tall_head *h)
        : s(s), pool(pool), h(h), tid(gtr__thread()), me((int)blockIdx.x), workers(s.groups * s.ranks * s.slabs),
        row(h->me.row), worker(me < workers), wrong(-1), bad(0) {}
    // Its own weights and the first step's rows. False: the launch is given up.
    GTR__DEVICE bool start() {
        const gtr__tall_disk disk(s, h);
        if (worker && tid < s.renew) {
            const gtr__tall_me &q = h->me;
            const gtr__tall_spot at(s, q.group, q.rank, q.slab);
            gtr__tall_own own;
            own.bias[0] = own.bias[1] = own.bias[2] = 0.0f;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                own.p[j] = own.a[j] = own.b[j] = 0.0f;
                if (j < at.some) disk.load(0, at.i + j, own.p[j], own.a[j], own.b[j]);
            }
            if (q.rank == 0 && q.slab == 0 && tid < 16 && s.m.layer[0].db && q.group * 16 + tid < s.m.layer[0].n)
                disk.load(1, q.group * 16 + tid, own.bias[0], own.bias[1], own.bias[2]);
            own.keep(s, 0);
        }
        if (!gtr__res_begin(s, h)) {
            if (worker && s.paired && tid == 0) gtr__tall_room(h, 0, true);
            if (worker) gtr__tall_pair_barrier(s);
            return false;
        }
        steps = (int)s.record[0].more + 1;
        gtr__tall_ask(s, pool, h, 0, worker);
        gtr__tall_ask_rate(s, h, 0);
        {
            gtr__waiting awaited = { 0, 0, s.m.hurry };
            gtr__tall_take(s, pool, h, 0, worker, awaited);
            if (worker) {
                gtr__tall_taken(s, h);
                const gtr__tall_me &q = h->me;
                if (tid < s.renew) {
                    gtr__tall_own own;
                    own.load(s, 0);
                    gtr__tall_publish<P>(s, pool, own, q.group, q.rank, q.slab, 0, bad);
                }
                gtr__tall_bring(s, pool, h, 0);
                if (tid < s.renew) gtr__tall_renewed(s, pool, h, q.group, q.rank, 0, awaited);
            }
            if (awaited.turns >= GTR__DEADLINE) atomicOr(s.flag, 2u);
            if (steps > 1) {
                __syncthreads();    // what was asked for has been taken
                gtr__tall_ask(s, pool, h, 1, worker);
                gtr__tall_ask_rate(s, h, 1);
            }
        }
        bulk = GTR__TALL_BULK && gtr__tall_whole(s, (const char *)(uintptr_t)h->record.src[s.m.x.slot]);
        return true;
    }
    // The first layer's gradient and update; whether the step is bad, or given up.
    GTR__DEVICE int first_back(int i, bool last, uint32_t before, gtr__waiting &awaited) {
        int marks = 0;
        const gtr__tall_me &q = h->me;
        const float from = gtr__tall_await_dz(s, pool, q, i, before, awaited, marks) * s.byte_from;
        const uint32_t mark = awaited.tag | (marks ? 2u : 0u);
        if (s.deep == 1) gtr__tall_gradient<P, 1>(s, pool, q, i, from, mark);
        else if (s.deep == 2) gtr__tall_gradient<P, 2>(s, pool, q, i, from, mark);
        else gtr__tall_gradient<P, 4>(s, pool, q, i, from, mark);
        __syncthreads();
        if (tid >= GTR__TALL_T - 32 && row < s.rows)
            gtr__tall_publish_loss(s, h, row + (s.rows - 1 - row) / s.middles * s.middles, i);
        if (!last && (tid >= GTR__TALL_T - GTR__TALL_ASKERS || !bulk)) {
            gtr__tall_take(s, pool, h, i + 1, true, awaited);
            gtr__tall_taken(s, h);
            gtr__tall_bring(s, pool, h, i + 1);
            if (i + 2 < steps) gtr__tall_ask(s, pool, h, i + 2, true);
        }
        if (tid < s.renew) gtr__tall_update<P>(s, pool, h, q.group, q.rank, q.slab, i, last, awaited, marks);
        else marks = awaited.turns >= GTR__DEADLINE;
        return marks;
    }
    // False: there is no such step.
    GTR__DEVICE bool step(int i) {
        const bool last = i == steps - 1;
        gtr__waiting awaited = { (uint32_t)i >> 1 & 1, 0, s.m.hurry };
        if (worker && i < steps && !gtr__tall_brought(s, h, i)) awaited.turns = GTR__DEADLINE;
        __syncthreads();
        bad = *(const volatile int *)&h->lost;
        if (*(const volatile int *)&h->stop) {
            wrong = i - 2;
            // the pair's other block may count on it, and nobody may leave before
            if (i < steps && row < s.rows) {
                gtr__tall_weights_ask(s, pool, h, i - 1);
                gtr__tall_weights_arrived(h, i - 1);
            }
            return false;
        }
        if (i == steps) return false;
        if (i && !last) gtr__tall_ask_rate(s, h, i + 1);
        if (worker) {
            const uint32_t mark = awaited.tag | bad;
            const float factor = *(const volatile float *)&h->factor;
            if (s.ways == 4) gtr__tall_parts<P, 4>(s, pool, h->me, i, factor, mark);
            else if (s.ways == 2) gtr__tall_parts<P, 2>(s, pool, h->me, i, factor, mark);
            else gtr__tall_parts<P, 1>(s, pool, h->me, i, factor, mark);
        }
        uint32_t before = bad;
        if (row < s.rows) gtr__tall_weights_published(s, i - 1, awaited);
        __syncthreads();
        if (row < s.rows) gtr__tall_weights_ask(s, pool, h, i - 1);
#pragma unroll 1
        for (int k = 0; row + k * s.middles < s.rows; k++) {
            if (k) {
                if (tid < 32) gtr__tall_publish_loss(s, h, row + (k - 1) * s.middles, i);
                __syncthreads();
            }
            if (s.m.layers == 3)
                gtr__tall_rows_of<P, 2>(s, pool, h, row + k * s.middles, k, i, awaited, before).run(s.m.ctl->scale);
            else gtr__tall_rows_of<P, 0>(s, pool, h, row + k * s.middles, k, i, awaited, before).run(s.m.ctl->scale);
        }
        if (!last && worker && (row >= s.rows || s.middles >= workers)) gtr__tall_nearer(s, h, i + 1, awaited);
        int marks = 0;
        if (worker) marks = first_back(i, last, before, awaited);
        else {
            if (tid < 32) gtr__tall_publish_loss(s, h, row + (s.rows - 1 - row) / s.middles * s.middles, i);
            if (!last) gtr__tall_take(s, pool, h, i + 1, false, awaited);
            awaited.tag = 0;
            if (i) awaited.bad = gtr__await_word(s.verdict + i - 1, awaited) & 2u;
            marks = __syncthreads_or((int)awaited.bad | (awaited.turns >= GTR__DEADLINE ? 4 : 0));
            if (i + 2 < steps) gtr__tall_ask(s, pool, h, i + 2, false);
        }
        if (i && me == 0 && tid == 0) gtr__publish(s.verdict + i - 1, marks ? 2u : 0u);
        if (marks) {
            if (awaited.turns >= GTR__DEADLINE) atomicOr(s.flag, 2u);      // a vote does not say what for
            *(volatile int *)&h->stop = 1;
        }
        if (worker && !last && !marks && tid < s.renew) {
            const gtr__tall_me &q = h->me;
            gtr__tall_renewed(s, pool, h, q.group, q.rank, i + 1, awaited);
            if (awaited.turns >= GTR__DEADLINE) atomicOr(s.flag, 2u);
        }
        return true;
    }
    GTR__DEVICE void end(int i) {
        const gtr__tall_disk disk(s, h);
        // before the last barrier: the pair's other block may be waiting for it
        if (worker && s.paired && tid == 0) gtr__tall_room(h, i + 1, true);
        if (gtr__res_end(s, steps, bad, wrong)) {
            if (worker && tid < s.renew) {
                const gtr__tall_me &q = h->me;
                const gtr__tall_spot at(s, q.group, q.rank, q.slab);
                gtr__tall_own own;
                own.load(s, wrong < 0 ? steps : wrong);
#pragma unroll
                for (int j = 0; j < 4; j++) if (j < at.some) disk.save(0, at.i + j, own.p[j], own.a[j], own.b[j]);
                if (q.rank == 0 && q.slab == 0 && tid < 16 && s.m.layer[0].db && q.group * 16 + tid < s.m.layer[0].n)
                    disk.save(1, q.group * 16 + tid, own.bias[0], own.bias[1], own.bias[2]);
            }
            gtr__res_slots<32>(s, h, me, s.mains, wrong < 0 ? steps - 1 : wrong);
        }
        gtr__mlp_grid_leave(s.m);
        if (worker) gtr__tall_pair_barrier(s);
    }
};
template <int P>
static __global__ void __launch_bounds__(GTR__TALL_T, 1) gtr__k_tall(const __grid_constant__ gtr__tall s) {
    extern __shared__ __align__(16) char gtr__pool[];
    __shared__ __align__(16) gtr__tall_head head;
    gtr__enter();
    float *pool = (float *)gtr__pool;
    gtr__tall_head *h = &head;
    const int tid = gtr__thread(), me = (int)blockIdx.x, blocks = (int)gridDim.x, layers = s.m.layers;
    const bool worker = me < s.groups * s.ranks * s.slabs, spare = me >= s.mains;
    if (tid == 0) {
        h->departed = GTR__LAUNCH_STEPS; h->stop = h->lost = 0;
#if GTR__TALL_BULK
        gtr__bar_set(gtr__shared_address(&h->bar), 1);
        gtr__bar_set(gtr__shared_address(&h->weights), 1);
        gtr__bar_set(gtr__shared_address(&h->free), 1);
        gtr__bars_are_set();
#endif
    }
    if (worker) gtr__tall_pair_barrier(s);      // both of a pair are here
    if (*(const volatile uint32_t *)&s.m.ctl->status) {
        if (me == 0 && tid == 0) gtr__report_stuck(s.m.report, s.m.record);
        if (worker) gtr__tall_pair_barrier(s);
        return;
    }
    if (tid < 32) gtr__mlp_segments(s.m.optim, s.m.layer, layers, h->segment, tid, 32);
    for (int64_t i = ((int64_t)me * GTR__TALL_T + tid) * 4; i < s.words; i += (int64_t)blocks * GTR__TALL_T * 4)
        // no step's words
        if (i < s.old || i >= s.old + s.span) *(uint4 *)(s.pool + i) = make_uint4(0x4001, 0x4001, 0x4001, 0x4001);
    for (int i = me * GTR__TALL_T + tid; i < GTR__LAUNCH_STEPS * (2 * s.total + 1); i += blocks * GTR__TALL_T)
        *(i < GTR__LAUNCH_STEPS * 2 * s.total ? (uint32_t *)s.origin + i
            : s.count + i - GTR__LAUNCH_STEPS * 2 * s.total) = GTR__TALL_NOT_YET;
    if (me < blocks - 1) for (int i = tid; i < s.end_at; i += GTR__TALL_T) pool[i] = 0.0f;
    __syncthreads();
    gtr__tall_images<P>(s, h, h->most);
#if GTR__TALL_BULK
    asm volatile("fence.proxy.async;" ::: "memory");    // it is read so, and x comes behind the zeros
#endif
    if (me == blocks - 1) {
        if (tid == 0) *s.flag = 0;
        gtr__res_records(s);
        if (!gtr__res_begin(s, h)) return;
        const int steps = (int)s.record[0].more + 1;
        gtr__res_service(s, (float4 *)pool, s.rows, steps, [&](int i) {       // four steps ahead
            for (int k = i ? i + 4 : 0; k <= i + 4 && k < steps; k++) gtr__tall_foresee(s, h, k);
        });
        gtr__mlp_grid_leave(s.m);
        return;
    }
    if (tid == 0) gtr__tall_assign(s, h, worker, spare);
    __syncthreads();
    if (spare) { gtr__tall_spare<P>(s, pool, h); return; }
    gtr__tall_block<P> block(s, pool, h);
    if (!block.start()) return;
    int i = 0;
#pragma unroll 1
    while (block.step(i)) i++;
    block.end(i);
}

// >>tall-match
// Bytes of shared memory, and how they are cut.
static size_t gtr__tall_layout(gtr__tall *s, const gtr__mlp_cut *c, bool targets) {
    const int last = c->layers - 1, tall = s->tall;
    int at = 0, op = 0;
    auto room = [&](int words) { const int here = at; at += gtr__res_up(words, 8); return here; };
    for (int l = 0; l + 1 < last; l++) op = s->layer[l].width > op ? s->layer[l].width : op;
    for (int l = 1; l < last; l++) op = s->layer[l].width > op ? s->layer[l].width : op;
    s->op_pitch = op / 2 + 4;
    s->hidden_pitch = s->layer[last - 1].width + 4;
    s->pitch = s->kr % 32 ? s->kr : s->kr + 16;
    s->dz_pitch = gtr__res_up(s->eights * 4, 32) + 4;
    s->x_at = room(s->eights * 8 * s->pitch / 4);
    s->dz_at = at;
    s->op_at = room(16 * s->op_pitch > 2048 ? 16 * s->op_pitch : 2048);
    s->hidden_at = room(16 * s->hidden_pitch);
    s->logits_at = room(16 * 40);
    s->saved_at = room(last < 2 ? 0 : (2 * (last - 2) + (s->layer[last - 1].width > 128 ? 2 : 1)) * 4 * GTR__TALL_T);
    int most = 16 * s->dz_pitch;
    // the last turn asks for more than there is
    if (most < s->kr * 8 + s->ways * 128) most = s->kr * 8 + s->ways * 128;
    if (most < (s->ways - 1) * s->eights * 128) most = (s->ways - 1) * s->eights * 128;
    // behind dz, and what is added up with it
    int sums = 16 * s->dz_pitch, side = (s->deep - 1) * 16 / s->deep * 512;
    if (sums < side) sums = side;
    s->sums_at = s->dz_at + sums;
    if (most < sums + 272) most = sums + 272;
    if (at < s->dz_at + most) at = s->dz_at + gtr__res_up(most, 8);
    s->origin_at = room(s->eights * 8);
    s->ahead_at = room(2 * (s->eights * 8 + s->owns * 16) + 4);
    s->target_at = room(targets ? 16 * GTR__RES_OUT : 0);
    s->label_at = room(2 * 16 * s->owns);
    s->most_at = room(96);
    s->bias_at = room(16);
    s->image_at = at;
    for (int l = 1; l <= last; l++) {
        gtr__tall_layer *q = &s->layer[l];
        const int before = s->layer[l - 1].width;
        q->forward_pitch = l == last ? before + 4 : before / 2 + 4;
        q->forward_at = room(q->width * q->forward_pitch);
        q->bias_at = room(q->width);
        q->scale_at = room(l < last ? q[1].task0 - q->task0 : 0);
    }
    s->span = at - s->image_at;
    // a spare block has none of these
    s->red_at = 0;
    s->tile_at = GTR__TALL_WARPS * 16 * tall * (GTR__TALL_STRIP + 1);
    const int theirs = s->tile_at + s->most_tasks * 6 * 16 * tall * (GTR__TALL_STRIP + 1);
    s->end_at = at > theirs ? at : theirs;
    return (size_t)s->end_at * 4 + (sizeof(gtr__tall_head) + 127) / 128 * 128;
}
static bool gtr__tall_cut(gtr__tall *s, const gtr__mlp_cut *c, bool targets, int ranks, int slabs, int tall,
        int sm_count, size_t shared) {
    const int last = c->layers - 1, rows = (c->batch + 15) / 16, free_blocks = sm_count - 1;
    s->rows = rows; s->ranks = ranks; s->slabs = slabs; s->tall = tall;
    s->total = rows * 16;
    for (int l = 0; l <= last; l++) s->layer[l].width = gtr__res_up(c->n[l], l == last && c->n[l] > 16 ? 32 : 16);
    if (tall == 2 && s->layer[last].width > 16) return false;      // its rows are one task's
    s->groups = s->layer[0].width / 16;
    s->kr = gtr__res_up((c->k[0] + ranks - 1) / ranks, 16);
    s->eights = (2 * rows + slabs - 1) / slabs;
    s->units = (s->kr / 8 + slabs - 1) / slabs;
    s->share = gtr__res_up(s->kr * 16 + 16, 64);
    s->unit_part = (65536 + s->units - 1) / s->units;
    s->renew = s->units <= GTR__TALL_WARPS - GTR__TALL_ASKERS / 32 ? GTR__TALL_T - GTR__TALL_ASKERS : GTR__TALL_T;
    if (s->units > GTR__TALL_WARPS || (ranks > 1 && s->kr * (ranks - 1) >= c->k[0])
            || s->eights * (slabs - 1) >= 2 * rows)
        return false;
    s->ways = s->eights <= 4 * GTR__TALL_TILES ? 4 : s->eights <= 8 * GTR__TALL_TILES ? 2 : 1;
    s->deep = s->kr <= 128 ? 4 : s->kr <= 256 ? 2 : 1;
    s->tasks = 0;
    for (int l = 1; l <= last; l++) {
        gtr__tall_layer *q = &s->layer[l];
        const int before = s->layer[l - 1].width;
        q->task0 = s->tasks; q->across = (before + GTR__TALL_STRIP - 1) / GTR__TALL_STRIP;
        s->tasks += (q->width / 16 + tall - 1) / tall * q->across;
    }
    const int workers = s->groups * ranks * slabs;
    s->middles = rows < workers ? rows : rows < free_blocks - (s->tasks + 1) / 2 ? rows
        : free_blocks - (s->tasks + 1) / 2;
    if (s->middles < workers && rows > s->middles) s->middles = workers < rows ? workers : rows;
    s->mains = workers > s->middles ? workers : s->middles;
    s->spare = free_blocks - s->mains < s->tasks ? free_blocks - s->mains : s->tasks;
    if (s->spare < 1) return false;
    s->most_tasks = (s->tasks + s->spare - 1) / s->spare;
    s->owns = (rows + s->middles - 1) / s->middles;
    if (s->most_tasks > 8 || s->owns > 8) return false;
    return gtr__tall_layout(s, c, targets) <= shared;
}
static bool gtr__tall_choose(gtr__tall *s, const gtr__mlp_cut *c, bool targets, int sm_count, size_t shared) {
    int best = 0, best_ranks = 0, best_slabs = 0, best_tall = 0;
    const int last = c->layers - 1;
    if (c->layers < 2 || c->layers > GTR__TALL_HIDDEN + 1 || c->n[last] > GTR__RES_OUT || c->batch <= 256
            || c->batch > GTR__TALL_ROWS || c->k[0] < 64)
        return false;
    for (int l = 0; l < last; l++) if (c->n[l] > 256) return false;
    // cycles, about
    for (int ranks = 1; ranks <= 64; ranks++) for (int slabs = 1; slabs <= 32; slabs++)
            for (int tall = 1; tall <= 2; tall++) {
        if (!gtr__tall_cut(s, c, targets, ranks, slabs, tall, sm_count, shared)) continue;
        const int way = s->eights * (s->kr / 3 + 28) + s->owns * (ranks * s->layer[0].width * 7 / 2 + 6000)
            + s->kr * 11 / 2 + (s->renew == GTR__TALL_T ? 1500 : 0),
            beside = s->most_tasks * (s->rows * (16 * tall + 64) * 2 + 5000);
        const int cost = way > beside ? way + beside / 8 : beside + way / 8;
        if (best && cost >= best) continue;
        best = cost; best_ranks = ranks; best_slabs = slabs; best_tall = tall;
    }
    return best && gtr__tall_cut(s, c, targets, best_ranks, best_slabs, best_tall, sm_count, shared);
}
// As >>resident's, and x has to be of bytes that are only scaled.
static int gtr__tall_match(gtr__plan *plan, int at, const gtr__caps *caps) {
    gtr__res_net net(plan);
    gtr__tall s;
    bool bytes = false;
    if (plan->precision == GTR_FP32 || !net.matches(at, caps, false)) return 0;
    const gtr__feed *f = (const gtr__feed *)plan->node[0].attr.ptr;
    for (int k = 0; k < f->n; k++)
        if (gtr__mlp_same(&net.v, plan->node[0].out[k], plan->node[net.p.forward[0]].in[0]))
            bytes = f->input[k].from == GTR_U8 && f->input[k].shift == 0;
    return bytes && gtr__tall_choose(&s, &net.cut, net.targets, caps->sm_count, caps->shared) ? plan->n_node : 0;
}

// >>tall-launch
static size_t gtr__tall_space(gtr__tall *s, const gtr__mlp_cut *c, char *ws) {
    const int last = c->layers - 1;
    int64_t at = 0;
    auto room = [&](int64_t words) { uint32_t *here = (uint32_t *)ws + at; at += (words + 63) / 64 * 64; return here; };
    s->pool = (uint32_t *)ws;
    s->part = room((int64_t)2 * s->ranks * s->total * s->layer[0].width);
    for (int l = 0; l < last; l++) {
        s->layer[l].h = room((int64_t)2 * s->total * s->layer[l].width);
        s->layer[l].dz = room((int64_t)2 * s->total * s->layer[l].width);
    }
    s->dw = room((int64_t)2 * s->groups * s->ranks * s->slabs * s->share);
    s->first = room((int64_t)2 * s->groups * s->ranks * (s->kr * 8 + s->slabs * 4 + 16));
    s->published = room(2 * s->tasks);
    s->image = room(2 * (int64_t)s->span);
    s->old = s->image + s->span - (uint32_t *)ws;
    s->dl = room((int64_t)2 * s->total * s->layer[last].width);
    s->loss = room((int64_t)GTR__LAUNCH_STEPS * s->rows * 4);
    s->verdict = room(GTR__LAUNCH_STEPS);
    s->words = at;
    s->flag = room(64);
    s->origin = (uint2 *)room(GTR__LAUNCH_STEPS * 2 * (int64_t)s->total);
    s->count = room(GTR__LAUNCH_STEPS);
    s->record = (gtr__record *)room(GTR__LAUNCH_STEPS * (int64_t)sizeof(gtr__record) / 4);
    s->own = (float4 *)room((int64_t)2 * s->groups * s->ranks * s->slabs * 16 * GTR__TALL_T);
    s->rate = (gtr__rates *)room((GTR__LAUNCH_STEPS * (int64_t)sizeof(gtr__rates) + 3) / 4);
    return (size_t)at * 4;
}
template <int P> static gtr_result gtr__tall_start(void *instance, const gtr__call *c, gtr__tall *s) {
    const int blocks = s->mains + s->spare + 1;
    const size_t bytes = (size_t)s->end_at * 4;
    gtr__together all = gtr__all_of(gtr__k_tall<P>, s, gtr__res_up(blocks, 2), GTR__TALL_T, bytes, 2);
    s->paired = s->paired && all.fits(instance, c->caps);       // one by one they need less room
    if (!s->paired) { all.blocks = blocks; all.cluster = 1; }
    return all.start(instance, c, "gtr__k_tall");
}
static gtr_result gtr__tall_run(void *instance, const gtr__call *c) {
    static_assert(sizeof(gtr__tall) <= 4096, "a kernel's parameters");
    gtr__res_net net(c);
    gtr__tall s;
    memset(&s, 0, sizeof s);
    if (!net.known(false) || !gtr__tall_choose(&s, &net.cut, net.targets, gtr__sms(c), c->caps->shared))
        return gtr__fail(instance, GTR_ERR_UNSUPPORTED, "network: not what its matcher took");
    if (c->measure) return gtr__measured(c, gtr__tall_space(&s, &net.cut, NULL));
    GTR__TRY(gtr__mlp_fill(instance, c, &net.v, &net.p, &net.cut, &s.m));
    gtr__tall_space(&s, &net.cut, (char *)c->ws);
    s.paired = c->caps->arch_feature && s.groups % 2 == 0 && net.cut.k[0] % 16 == 0
        && gtr__res_up(s.mains + s.spare + 1, 2) <= gtr__sms(c);
    GTR__TRY(gtr__res_target(instance, s.m, net.targets, &s.target));
    const bool bf16 = net.dtype() == GTR_BF16;
    int up = 0;
    frexpf(255.0f * s.m.x.scale, &up);
    s.byte_by = ldexpf(s.m.x.scale * GTR__TALL_BYTE, -up);
    s.byte_from = bf16 ? ldexpf(1.0f, up) : s.m.x.scale * GTR__TALL_BYTE;
    return bf16 ? gtr__tall_start<GTR__RES_BF16>(instance, c, &s) : gtr__tall_start<GTR__RES_TF32>(instance, c, &s);
}

// >>wide
// The end of a step of large linear layers in BF16, when the guard looks at the loss alone: the nodes from the first
// weight's gradient to UPDATE are one recipe. All but those gradients run by their own kernels, in their order; then
// one kernel makes the weights' gradients and updates the weights meanwhile, whose bytes so hide behind the matrix
// instructions. What is left of the segments goes to UPDATE's kernel. Last come the weights' gradients because the
// gradients of the layers' inputs read the weights as they were.
// dw (N, K) = dy^T x over the batch B: dy (B, N), x (B, K), sums in float32. A block has tiles of 128 x 256, one after
// another: warp 0 brings 64 rows of both operands a stage (bulk tensor copies, four stages), two groups of four warps
// multiply (wgmma, both operands with k across) and write dw; seven warps follow a tile behind and read it back from L2
// with p, m and v, and write p, m, v and p's copy. Where steps are queued nobody reads dw any more: its tiles go
// through a ring of workspace, and its place is other values'.
// Bound by the matrix instructions, and by what they and the update ask of L2 together; bytes an element: UPDATE's 30,
// and 4 from L2; dy and x pass once a wave of tiles. Seen at 4096^3: 188 us, with its update 240, where the library's
// product takes 181 and the update alone 132. Slower were pairs of blocks that share a copy (multicast), bringing lines
// to L2 ahead, and more of the update's loads on their way.
#define GTR__WIDE_M 128
#define GTR__WIDE_N 256
#define GTR__WIDE_K 64
#define GTR__WIDE_STAGES 4
#define GTR__WIDE_STAGE ((GTR__WIDE_M + GTR__WIDE_N) * GTR__WIDE_K * 2)
#define GTR__WIDE_BYTES (GTR__WIDE_STAGES * GTR__WIDE_STAGE + 1024)
// tiles that lie above each other in the order of tiles: those of one time make about a square
#define GTR__WIDE_BAND 16
#define GTR__WIDE_MOST 8        // weights; the others go the usual way
#define GTR__WIDE_T 512
#define GTR__WIDE_WORKERS 7     // warps that update
#define GTR__WIDE_AHEAD 2       // tiles that may wait for their update
#define GTR__WIDE_MIN 1024      // extents below are not worth it
// Runs a node by its own kernel, or raises what is measured; skip: but for this output.
static gtr_result gtr__wide_node(void *instance, const gtr__call *c, const gtr__node *n, int skip) {
    gtr__arg in[16], out[16];
    gtr__kernel kernel = GTR__CUDA_SYMBOL()->kernel[n->op][n->dir];
    if (n->n_in > 16 || n->n_out > 16 || !kernel)
        return gtr__fail(instance, GTR_ERR_UNSUPPORTED, "network: not what its matcher took");
    gtr__call q = gtr__mlp_call(c, n, in, out);
    size_t bytes = 0;
    for (int k = 0; k < n->n_out; k++) out[k].add = (int)(n->adds >> k & 1);
    if (skip >= 0) {
        bool any = false;
        out[skip].data = NULL;
        for (int k = 0; k < n->n_out; k++) any |= out[k].data != NULL;
        if (!any) return GTR_OK;
    }
    if (!c->measure) return kernel(instance, &q);
    q.measure = &bytes;
    GTR__TRY(kernel(instance, &q));
    if (bytes > *c->measure) *c->measure = bytes;
    return GTR_OK;
}
#if GTR__TENSOR_MAPS
// first: tile
typedef struct gtr__wide_weight {
    CUtensorMap dy, x; float *dw; int64_t offset; int32_t n, k, batch, first;
} gtr__wide_weight;
typedef struct gtr__wide_job {
    gtr__wide_weight weight[GTR__WIDE_MOST];
    gtr__optim o;
    const gtr__ctl *ctl;
    // the gradients' tiles on their way to the update, GTR__WIDE_AHEAD a block; NULL: they are stored in their places
    float *ring;
    int n, tiles;
} gtr__wide_job;

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
// >>wide-kernel
typedef struct gtr__wide_place { int weight, row, column; } gtr__wide_place;
static GTR__DEVICE gtr__wide_place gtr__wide_at(const gtr__wide_job &m, int t) {
    gtr__wide_place q;
    int w = 0;
    while (w + 1 < m.n && t >= m.weight[w + 1].first) w++;
    t -= m.weight[w].first;
    const int high = m.weight[w].n / GTR__WIDE_M, across = m.weight[w].k / GTR__WIDE_N,
        band = t / (GTR__WIDE_BAND * across), rest = t - band * GTR__WIDE_BAND * across;
    const int tall = high - band * GTR__WIDE_BAND < GTR__WIDE_BAND ? high - band * GTR__WIDE_BAND : GTR__WIDE_BAND;
    q.weight = w;
    q.row = (band * GTR__WIDE_BAND + rest % tall) * GTR__WIDE_M;
    q.column = rest / tall * GTR__WIDE_N;
    return q;
}
typedef struct gtr__wide_head {
    uint64_t full[GTR__WIDE_STAGES], empty[GTR__WIDE_STAGES], due[GTR__WIDE_AHEAD], done[GTR__WIDE_AHEAD];
    gtr__rates rates;
} gtr__wide_head;
// A tile as those who update it see it. STATES: how many the rule has.
typedef struct gtr__wide_line {
    const float *g;
    float *p, *m, *v;
    __nv_bfloat16 *low;
    __half *half;
    int ld_g, ld;
    gtr__rule rule;
} gtr__wide_line;
// The gradient of a block's tile number i, and its rows' distance.
static GTR__DEVICE float *gtr__wide_gradient(const gtr__wide_job &m, const gtr__wide_place &q,
        int i, int *ld) {
    const gtr__wide_weight &w = m.weight[q.weight];
    *ld = m.ring ? GTR__WIDE_N : w.k;
    return m.ring ? m.ring + ((int64_t)blockIdx.x * GTR__WIDE_AHEAD + i % GTR__WIDE_AHEAD) * (GTR__WIDE_M * GTR__WIDE_N)
        : w.dw + (int64_t)q.row * w.k + q.column;
}
static GTR__DEVICE gtr__wide_line gtr__wide_line_of(const gtr__wide_job &m, const gtr__wide_head &head,
        const gtr__wide_place &q, int i) {
    gtr__wide_line l;
    const gtr__wide_weight &w = m.weight[q.weight];
    const int64_t origin = (int64_t)q.row * w.k + q.column;
    int lo = 0, hi = m.o.n - 1;
    while (lo < hi) {
        int mid = (lo + hi + 1) >> 1;
        if (m.o.segments[mid].offset <= w.offset) lo = mid; else hi = mid - 1;
    }
    const gtr__segment *s = &m.o.segments[lo];
    l.rule = gtr__rule_of(m.o.rule, head.rates, s->group, m.ctl->coef);
    l.ld = w.k;
    l.g = gtr__wide_gradient(m, q, i, &l.ld_g);
    l.p = s->p + origin; l.m = m.o.state[0] + w.offset + origin; l.v = m.o.state[1] + w.offset + origin;
    l.low = s->bf16 ? (__nv_bfloat16 *)s->bf16 + origin : NULL;
    l.half = s->f16 ? (__half *)s->f16 + origin : NULL;     // another trainer's
    return l;
}
template <int STATES>
static GTR__DEVICE void gtr__wide_get(float4 *x, const gtr__wide_line &l, int row, int column) {
    const int e = row * l.ld + column;
    x[0] = __ldcg((const float4 *)(l.g + row * l.ld_g + column));
    x[1] = __ldcg((const float4 *)(l.p + e));
    if (STATES > 0) x[2] = __ldcg((const float4 *)(l.m + e));
    if (STATES > 1) x[3] = __ldcg((const float4 *)(l.v + e));
}
template <int STATES> static GTR__DEVICE void gtr__wide_set(float4 *x, const gtr__wide_line &l, int e) {
    gtr__apply<gtr__adapt_quick, 4, STATES>(l.rule, &x[1].x, &x[0].x, &x[2].x, &x[3].x);
    __stcg((float4 *)(l.p + e), x[1]);
    if (STATES > 0) __stcg((float4 *)(l.m + e), x[2]);
    if (STATES > 1) __stcg((float4 *)(l.v + e), x[3]);
    if (l.low) gtr__put4(l.low, GTR_BF16, e, x[1]);
    if (l.half) gtr__put4(l.half, GTR_F16, e, x[1]);
}
// One warp's share of a tile: half rows, every workers-th; the next one's loads are on their way.
template <int STATES>
static GTR__DEVICE void gtr__wide_update(const gtr__wide_line &l, int worker, int workers) {
    const int lane = (int)threadIdx.x & 31, end = 2 * GTR__WIDE_M;
    auto column = [&](int c) { return (c & 1) * 128 + lane * 4; };
    auto at = [&](int c) { return (c >> 1) * l.ld + column(c); };
    float4 x[4], y[4];
    int c = worker, next;
    gtr__wide_get<STATES>(x, l, c >> 1, column(c));
#pragma unroll 1
    for (;;) {
        next = c + workers;
        if (next < end) gtr__wide_get<STATES>(y, l, next >> 1, column(next));
        gtr__wide_set<STATES>(x, l, at(c));
        if (next >= end) return;
        c = next + workers;
        if (c < end) gtr__wide_get<STATES>(x, l, c >> 1, column(c));
        gtr__wide_set<STATES>(y, l, at(next));
        if (c >= end) return;
    }
}
#endif

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
// A block's roles, which meet at barriers in shared memory alone: full[s] and empty[s] of a stage of operands, due[s]
// and done[s] of a tile's gradient.
//
//   producer (a thread)  --full-->  consumers (8 warps)  --due-->  updaters (7 warps)
//                        <-empty--                       <-done--
//
template <int STATES> struct gtr__wide_block {
    const gtr__wide_job &m;
    gtr__wide_head &head;
    const uint32_t room, full, empty, due, done;
    const int warp, lane, blocks;
    GTR__DEVICE void consume() const {
        const int group = warp / 4 - 2;
        float d[128];
        int stage = 0, tile = 0;
        uint32_t phase = 0;
        for (int t = (int)blockIdx.x; t < m.tiles; t += blocks, tile++) {
            const gtr__wide_place q = gtr__wide_at(m, t);
            const int steps = (m.weight[q.weight].batch + GTR__WIDE_K - 1) / GTR__WIDE_K;
            int before = 0;
            for (int k = 0; k < steps; k++) {
                gtr__bar_await(full + 8 * stage, phase);
                const uint32_t base = room + (uint32_t)(stage * GTR__WIDE_STAGE);
                const uint64_t a = gtr__wgmma_panel(base + (uint32_t)group * 8192),
                    b = gtr__wgmma_panel(base + GTR__WIDE_M * GTR__WIDE_K * 2);
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    gtr__wgmma<GTR_BF16, 128, false, false>(d, a + i * 128, b + i * 128, k || i);
                    gtr__wgmma<GTR_BF16, 128, false, false>(d + 64, a + i * 128, b + 1024 + i * 128, k || i);
                }
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                if (k) {
                    gtr__wgmma_until<1>();
                    if ((threadIdx.x & 127) == 0) gtr__bar_arrive(empty + 8 * before);
                }
                before = stage;
                if (++stage == GTR__WIDE_STAGES) { stage = 0; phase ^= 1; }
            }
            gtr__wgmma_until<0>();
            if ((threadIdx.x & 127) == 0) gtr__bar_arrive(empty + 8 * before);
            const int turn = tile / GTR__WIDE_AHEAD, slot = tile % GTR__WIDE_AHEAD;
            if (turn) gtr__bar_await(done + 8 * slot, (uint32_t)(turn - 1) & 1);
            int ld;
            float *to = gtr__wide_gradient(m, q, tile, &ld);
            to += (int64_t)(group * 64 + (warp & 3) * 16 + lane / 4) * ld + lane % 4 * 2;
#pragma unroll
            for (int j = 0; j < 32; j++) {
                *(float2 *)(to + 8 * j) = make_float2(d[4 * j], d[4 * j + 1]);
                *(float2 *)(to + 8 * ld + 8 * j) = make_float2(d[4 * j + 2], d[4 * j + 3]);
            }
            gtr__bar_arrive(due + 8 * slot);
        }
        if (!m.ctl->guard && !m.ctl->status) {      // nothing more to multiply: all update the last tile
            asm volatile("bar.sync 2, 480;" ::: "memory");
            const int past = (m.tiles - 1 - (int)blockIdx.x) / blocks;
            gtr__bar_await(due + 8 * (past % GTR__WIDE_AHEAD), (uint32_t)(past / GTR__WIDE_AHEAD) & 1);
            const gtr__wide_place q = gtr__wide_at(m, (int)blockIdx.x + past * blocks);
            gtr__wide_update<STATES>(gtr__wide_line_of(m, head, q, past), warp - 1, GTR__WIDE_WORKERS + 8);
        }
    }
    GTR__DEVICE void produce() const {
        int stage = 0;
        uint32_t phase = 1;
        for (int t = (int)blockIdx.x; t < m.tiles; t += blocks) {
            const gtr__wide_place q = gtr__wide_at(m, t);
            const gtr__wide_weight &w = m.weight[q.weight];
            for (int k = 0; k < w.batch; k += GTR__WIDE_K) {
                gtr__bar_await(empty + 8 * stage, phase);
                const uint32_t base = room + (uint32_t)(stage * GTR__WIDE_STAGE);
                gtr__bar_expect(full + 8 * stage, GTR__WIDE_STAGE);
#pragma unroll
                for (int i = 0; i < GTR__WIDE_M / 64; i++)
                    gtr__tensor_load(base + i * 8192, &w.dy, q.row + i * 64, k, 0, full + 8 * stage);
#pragma unroll
                for (int i = 0; i < GTR__WIDE_N / 64; i++) gtr__tensor_load(
                    base + GTR__WIDE_M * GTR__WIDE_K * 2 + i * 8192, &w.x, q.column + i * 64, k, 0, full + 8 * stage);
                if (++stage == GTR__WIDE_STAGES) { stage = 0; phase ^= 1; }
            }
        }
    }
    GTR__DEVICE void update() const {
        const gtr__optim &o = m.o;
        const bool updates = !m.ctl->guard && !m.ctl->status;
        if (updates) {
            if (warp == 1 && lane < GTR__MAX_GROUPS)
                gtr__rates_of(o, (double)gtr__rate_of(m.ctl, o.shared, lane), m.ctl->applied + 1, lane, &head.rates);
            asm volatile("bar.sync 1, 224;\nbar.arrive 2, 480;" ::: "memory");
        }
        int tile = 0;
        for (int t = (int)blockIdx.x; t < m.tiles; t += blocks, tile++) {
            const gtr__wide_place q = gtr__wide_at(m, t);
            const int turn = tile / GTR__WIDE_AHEAD, slot = tile % GTR__WIDE_AHEAD;
            gtr__bar_await(due + 8 * slot, (uint32_t)turn & 1);
            if (updates) gtr__wide_update<STATES>(gtr__wide_line_of(m, head, q, tile), warp - 1,
                t + blocks < m.tiles ? GTR__WIDE_WORKERS : GTR__WIDE_WORKERS + 8);
            __syncwarp();
            if (lane == 0) gtr__bar_arrive(done + 8 * slot);
        }
    }
};
#endif
template <int STATES>
static __global__ void __launch_bounds__(GTR__WIDE_T, 1) gtr__k_wide(const __grid_constant__ gtr__wide_job m) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char gtr__wide_room[];
    __shared__ __align__(16) gtr__wide_head head;
    const uint32_t room = ((uint32_t)__cvta_generic_to_shared(gtr__wide_room) + 1023) & ~1023u;
    const uint32_t full = (uint32_t)__cvta_generic_to_shared(head.full),
        empty = (uint32_t)__cvta_generic_to_shared(head.empty);
    const uint32_t due = (uint32_t)__cvta_generic_to_shared(head.due),
        done = (uint32_t)__cvta_generic_to_shared(head.done);
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x & 31, blocks = (int)gridDim.x;
    if (threadIdx.x == 0) {
        for (int s = 0; s < GTR__WIDE_STAGES; s++) { gtr__bar_set(full + 8 * s, 1); gtr__bar_set(empty + 8 * s, 2); }
        for (int s = 0; s < GTR__WIDE_AHEAD; s++) {
            gtr__bar_set(due + 8 * s, 256); gtr__bar_set(done + 8 * s, GTR__WIDE_WORKERS);
        }
        gtr__bars_are_set();
    }
    gtr__enter();
    __syncthreads();
    const gtr__wide_block<STATES> block = { m, head, room, full, empty, due, done, warp, lane, blocks };
    if (warp >= 8) {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 160;");
        block.consume();
    } else {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 96;");
        if (warp) block.update();
        else {
            if (lane == 0) block.produce();
            __syncwarp();
        }
    }
#endif
}

// >>wide-match
// The gradient of a weight that the kernel takes: written once, for the optimizer alone, of extents that tiles fill.
static bool gtr__wide_takes(const gtr__plan *plan, const gtr__node *n) {
    if (n->op != GTR__OP_LINEAR || n->dir != GTR__BWD || n->n_in < 4 || n->n_out < 2 || n->out[0] >= 0
            || n->out[1] < 0 || n->adds)
        return false;
    const gtr__value *v = plan->value, *dw = &v[n->out[1]], *x = &v[n->in[0]], *dy = &v[n->in[n->n_in - 1]];
    int64_t batch = 1;
    for (int i = 0; i + 1 < x->shape.ndim; i++) batch *= x->shape.dim[i];
    if (dw->home != GTR__HOME_GRADIENT || dw->storage != GTR_F32 || x->storage != GTR_BF16 || dy->storage != GTR_BF16
            || dw->shape.ndim != 2)
        return false;
    if (batch < GTR__WIDE_MIN || batch > INT32_MAX / 2 || dw->shape.dim[0] < GTR__WIDE_MIN
            || dw->shape.dim[1] < GTR__WIDE_MIN)
        return false;
    if (dw->shape.dim[0] % GTR__WIDE_M || dw->shape.dim[1] % GTR__WIDE_N || dw->shape.dim[0] > 1 << 20
            || dw->shape.dim[1] > 1 << 20)
        return false;
    const int place = gtr__root(plan, n->in[n->n_in - 1]);
    int writers = 0;
    for (int i = 0; i < plan->n_node; i++)
        for (int k = 0; k < GTR__ALL(&plan->node[i]); k++) {
            const int id = gtr__root(plan, plan->node[i].in[k]);        // out follows in
            // dy's place is another value's by the time that the kernel runs
            if (id == place && k >= plan->node[i].n_in && &plan->node[i] > n) return false;
            if (id != n->out[1]) continue;
            if (k >= plan->node[i].n_in) writers++;
            else if (plan->node[i].reads >> k & 1) return false;
        }
    return writers == 1;
}
// The kernel makes the first GTR__WIDE_MOST of them.
static int gtr__wide_own(const gtr__plan *plan, int at, int i) {
    int before = 0;
    for (int k = 0; k < i; k++) before += gtr__wide_takes(plan, &plan->node[at + k]);
    return before < GTR__WIDE_MOST && gtr__wide_takes(plan, &plan->node[at + i]) ? 1 : -1;
}
static int gtr__wide_match(gtr__plan *plan, int at, const gtr__caps *caps) {
    if (!caps->arch_feature || plan->precision != GTR_MIXED_BF16 || plan->n_stage != 1
            || caps->shared < GTR__WIDE_BYTES + sizeof(int) * 256 || !gtr__wide_takes(plan, &plan->node[at]))
        return 0;
    for (int i = at; i < plan->n_node; i++) {
        const gtr__node *n = &plan->node[i];
        const gtr__optim *o = (const gtr__optim *)n->attr.ptr;
        if (n->op == GTR__OP_UPDATE)
            return o && !n->n_in && o->loss_only && !o->scaled && !(o->clip > 0) && o->all == o->states
                && gtr__rule_fused(o) ? i + 1 - at : 0;
        if (n->op == GTR__OP_LINEAR ? n->dir != GTR__BWD : n->op != GTR__OP_LINEAR_DACT && n->op != GTR__OP_GUARD
                && n->op != GTR__OP_BN_COMMIT && !gtr__unary_op(n->op))
            return 0;
        if (n->recomputed || n->stage) return 0;
    }
    return 0;
}

// >>wide-launch
template <int STATES> static gtr_result gtr__wide_start(void *instance, const gtr__call *c, const gtr__wide_job *m) {
    static_assert(sizeof(gtr__wide_job) <= 4096, "a kernel's parameters");
    GTR__TRY(gtr__check(instance, cudaFuncSetAttribute((const void *)gtr__k_wide<STATES>,
        cudaFuncAttributeMaxDynamicSharedMemorySize, GTR__WIDE_BYTES), "cudaFuncSetAttribute"));
    return GTR__LAUNCH(instance, c, (gtr__k_wide<STATES>), (unsigned)gtr__min64(m->tiles, gtr__sms(c)), GTR__WIDE_T,
        GTR__WIDE_BYTES, *m);
}
static bool gtr__wide_aligned(const void *p) { return p && ((uintptr_t)p & 15) == 0; }
// Puts a weight's gradient on the list. False: it takes the way that all nodes take.
static bool gtr__wide_add(gtr__wide_job *m, gtr__tensor_encode encode, const gtr__call *c, const gtr__node *n) {
    gtr__arg in[16], out[16];
    if (!n->own || n->n_in > 16 || n->n_out > 16 || m->n >= GTR__WIDE_MOST || !encode) return false;
    gtr__mlp_call(c, n, in, out);
    const gtr__arg *x = &in[0], *dy = &in[n->n_in - 1], *dw = &out[1];
    if (!gtr__wide_aligned(x->data) || !gtr__wide_aligned(dy->data) || !gtr__wide_aligned(dw->data)) return false;
    const int64_t rows = dw->shape.dim[0], columns = dw->shape.dim[1], batch = x->count / columns;
    gtr__wide_weight *q = &m->weight[m->n];
    q->dw = (float *)dw->data;
    q->offset = q->dw - m->o.gradient;
    if (q->offset < 0 || q->offset + rows * columns > m->o.count
        || !gtr__product_map(encode, &q->dy, dy->data, GTR_BF16, 0, batch, rows, rows, 1, 0, 0, false)
        || !gtr__product_map(encode, &q->x, x->data, GTR_BF16, 0, batch, columns, columns, 1, 0, 0, false))
        return false;
    q->n = (int32_t)rows; q->k = (int32_t)columns; q->batch = (int32_t)batch; q->first = m->tiles;
    m->n++;
    m->tiles += (int)(rows / GTR__WIDE_M * (columns / GTR__WIDE_N));
    return true;
}
// The segments between those that the kernel updates.
static gtr_result gtr__wide_rest(void *instance, const gtr__call *c, const gtr__optim *o, const gtr__wide_job *m) {
    gtr__update_kernel u;
    GTR__TRY(gtr__update_make(instance, c, o, &u));
    while (u.first < o->count) {
        const gtr__wide_weight *next = NULL;
        for (int i = 0; i < m->n; i++)
            if (m->weight[i].offset >= u.first && (!next || m->weight[i].offset < next->offset)) next = &m->weight[i];
        u.last = next ? next->offset : o->count;
        GTR__TRY(gtr__update_start(instance, c, &u));
        u.first = next ? next->offset + (int64_t)next->n * next->k : u.last;
    }
    return GTR_OK;
}
// The recipe: see above. stored: gradients go to their places; else other values may lie there.
static gtr_result gtr__wide_go(void *instance, const gtr__call *c, bool stored) {
    const gtr__network *w = (const gtr__network *)c->attr->ptr;
    const gtr__optim *o = (const gtr__optim *)w->node[w->n_node - 1].attr.ptr;
    gtr__wide_job m;
    memset((void *)&m, 0, sizeof m);
    if (c->measure) {
        *c->measure = stored ? 0 : (size_t)gtr__sms(c) * GTR__WIDE_AHEAD * GTR__WIDE_M * GTR__WIDE_N * sizeof(float);
        for (int i = 0; i < w->n_node; i++) {       // the others ask for none
            const gtr__node *n = &w->node[i];
            if (n->op != GTR__OP_LINEAR && n->op != GTR__OP_LINEAR_DACT && n->op != GTR__OP_GUARD) continue;
            GTR__TRY(gtr__wide_node(instance, c, n, -1));
            if (n->op == GTR__OP_LINEAR && n->n_out > 1) GTR__TRY(gtr__wide_node(instance, c, n, 1));
        }
        return GTR_OK;
    }
    if (c->fits) { *c->fits = stored || gtr__tensor_encoder(); return GTR_OK; }
    if (w->node[w->n_node - 1].op != GTR__OP_UPDATE || !c->ctl)
        return gtr__fail(instance, GTR_ERR_UNSUPPORTED, "network: not what its matcher took");
    GTR__TRY(gtr__check_states(instance, o));
    const gtr__tensor_encode encode = gtr__tensor_encoder();
    m.o = *o;
    m.ctl = c->ctl;
    m.ring = stored ? NULL : (float *)c->ws;
    for (int i = 0; i + 1 < w->n_node; i++) {
        const bool own = gtr__wide_add(&m, encode, c, &w->node[i]);
        if (w->node[i].own && !own && !stored)
            return gtr__fail(instance, GTR_ERR_UNSUPPORTED, "network: the driver has no tensor maps");
        GTR__TRY(gtr__wide_node(instance, c, &w->node[i], own ? 1 : -1));
    }
    GTR__TRY(gtr__wide_rest(instance, c, o, &m));
    if (!m.n) return GTR_OK;
    return o->states > 1 ? gtr__wide_start<2>(instance, c, &m) :
           o->states ? gtr__wide_start<1>(instance, c, &m) : gtr__wide_start<0>(instance, c, &m);
}
static gtr_result gtr__wide_run(void *instance, const gtr__call *c) { return gtr__wide_go(instance, c, true); }
static gtr_result gtr__wide_run_unstored(void *instance, const gtr__call *c) {
    return gtr__wide_go(instance, c, false);
}
#endif
// >>chain
// A run of nodes that is local to a tile of rows: products, element-wise ops and losses, forward and backward, in any
// graph.
//
//   k_chain   a cluster of blocks owns 8 NT rows and walks the list of steps; each block makes a slice of every
//   product's columns:
//             weights (global, L2) -> chunks of products in a ring in shared memory -> mma.sync with the weights'
//             outputs as M and the rows as N, 32 outputs and a part of k a warp -> where k is short the epilogue in the
//             warp's registers, else parts in shared memory and a thread the same elements of all parts -> what the
//             next product reads goes to the shared memory of all blocks of the cluster -> cluster barrier, during
//             which the chunk after next is requested
//             where half of the warps are enough for each product the halves take turns: one multiplies while the other
//             requests weights and reads its next step
//   k_chain_sums   all gradients of weights and biases in one grid, over the x and dy that k_chain stored; its last
//   cluster adds the losses' parts in order
//
// Bound by latency: what a warp does one after the other for a product, its barrier and the exchange; with many rows by
// the weights from L2; a warp alone takes some 6 cycles an instruction. So a product's step is in registers before its
// barrier. Between barriers p and p + 1 a block writes only places whose last reader ran before barrier p.
#define GTR__CHAIN_T 512
#define GTR__CHAIN_WARPS (GTR__CHAIN_T / 32)
#define GTR__CHAIN_VALUES 512
#define GTR__CHAIN_LOSSES 4
#define GTR__CHAIN_SCALARS 12
#define GTR__CHAIN_PASSED 8
#define GTR__CHAIN_STEPS 400
#define GTR__CHAIN_JOBS 128
#define GTR__CHAIN_RED 40960 // bytes of parts of k
#define GTR__CHAIN_PASS 512 // outputs whose chunks follow each other; half and a quarter of it where there is no room
#define GTR__CHAIN_SLOTS 4 // of the ring
#define GTR__CHAIN_CHUNKS 512
#define GTR__CHAIN_COPY 255 // a unary op that is none

enum gtr__chain_kind : uint8_t { GTR__CHAIN_LOAD, GTR__CHAIN_PRODUCT, GTR__CHAIN_EW, GTR__CHAIN_XENT };
enum gtr__chain_fn : uint8_t {
    GTR__CHAIN_UNARY, GTR__CHAIN_UNARY_BACK, GTR__CHAIN_BINARY, GTR__CHAIN_BINARY_A, GTR__CHAIN_BINARY_B,
    GTR__CHAIN_DROP, GTR__CHAIN_PAIR
};
// Where an operand is: nowhere; the step before; parts of a product; the block's slice; whole rows; rows, a row or one
// element in global memory.
enum gtr__chain_from : uint8_t {
    GTR__CHAIN_NONE, GTR__CHAIN_LAST, GTR__CHAIN_PARTS, GTR__CHAIN_SLICE, GTR__CHAIN_WHOLE, GTR__CHAIN_ROWS,
    GTR__CHAIN_ROW, GTR__CHAIN_ONE
};
typedef struct __align__(16) gtr__chain_step { // products read them as words of 16 bytes
    gtr__chain_kind kind;
    gtr__chain_fn fn;
    uint8_t op, more; // EW: more of the same group follow. PRODUCT: op is 1 for dy w; XENT, PAIR: 1 loss, 2 gradient
    gtr__chain_from from[2];
    uint8_t type[2], to, wide; // storage of operands, of the result; rows in global memory: four elements at a time
    uint8_t loss, parts;
    int32_t n, k;
    int32_t at[2], slice, whole; // operands' and the result's places in shared memory, in floats; -1: none
    const void *p[2]; // operands in global memory; PRODUCT: p[0] the weights. DROP: p[1] holds the key
    void *out;
    float f0, f1;
    // PRODUCT: so many steps behind it are its epilogue: + bias (p[1]), stored to pre; an activation (act; 1) or its
    // backward at what was saved (act; 2: at[1], from[1]); + a value (add, add_from); stored to slice, whole, out; raw:
    // not rounded before the activation (1), before the addition (2)
    uint8_t fused, act, act_kind, raw, add_from, wide_bias, wide_out, next; // next: a product is the step behind all
    int32_t add, pre, cut; // cut: gtr__chain_slice
    // PRODUCT: outputs of a pass; a chunk: elements of k, bytes of a row in shared memory, log2 of the threads that
    // request a row; warp * magic >> 8: its part of k; the half of the warps that multiplies; chunks of products before
    int32_t pass, chunk, pitch, magic, log, half, before;
    float across; // 4 / pass
    void *pre_out;
} gtr__chain_step;
typedef struct gtr__chain_loss { gtr__xent xent; gtr__pair pair; int pairs; } gtr__chain_loss;
// One pair of operands of a gradient dw (n, k) = dy^T x, db (n) its columns' sums; next: further pairs of the same
// gradient; -1.
typedef struct gtr__chain_job {
    const void *dy, *x;
    float *dw, *db;
    int32_t n, k, type, next, first, add_w, add_b, wide;
} gtr__chain_job;
typedef struct gtr__chain_scalar { const float *a, *b; float *y; float f0, f1; int32_t op; } gtr__chain_scalar;
// What both kernels do: in memory of the node's own, written when it runs eagerly, for a graph would pass so much anew
// in every launch, at 2 GB/s.
typedef struct gtr__chain_program {
    gtr__chain_scalar scalar[GTR__CHAIN_SCALARS];
    gtr__chain_job job[GTR__CHAIN_JOBS];
    gtr__chain_loss loss[GTR__CHAIN_LOSSES]; // these and the steps a block of k_chain copies to its shared memory
    gtr__chain_step step[GTR__CHAIN_STEPS];
} gtr__chain_program;
typedef struct gtr__chain {
    // steps; losses; table, pool: bytes from shared memory's start; red, ring: floats from pool's; a slot's
    // bytes; halves: half of the warps multiply, in turns
    int n, losses, rows, cluster, table, pool, red, ring, chunks, slot, halves;
    int64_t row0;
    const gtr__ctl *ctl;
    float *part; // (losses, blocks)
    const gtr__chain_program *program;
} gtr__chain;
typedef struct gtr__chain_sums {
    int jobs, tile, tiles, split_log, rows, losses, scalars, blocks; // tile: T; blocks: of k_chain
    float *part;
    uint32_t *guard; // of all the gradients; NULL: GUARD reads them
    const gtr__chain_program *program;
} gtr__chain_sums;
// What a block knows: of its parameters, and where it is.
typedef struct gtr__chain_here {
    int cluster, rank, rows, row0;
    int64_t batch0; // the first row within the step's batch
    const gtr__ctl *ctl;
    float *part, *pool, *red, *scratch, *slope; // slope: of the losses
    char *ring;
    int chunks, slot, halves;
    struct gtr__chain_chunk *chunk;
    const gtr__chain_loss *loss;
    const gtr__chain_step *step;
} gtr__chain_here;

static __host__ __device__ __forceinline__ int gtr__chain_slice(int n, int cluster) {
    return ((n + cluster - 1) / cluster + 31) / 32 * 32;
}
static __host__ __device__ __forceinline__ int gtr__chain_padded(int n) { return (n + 31) / 32 * 32; }
static __host__ __device__ __forceinline__ int gtr__chain_pitch(int n) { return gtr__chain_padded(n) + 16; }

// >>chain-products
template <int LOW> struct gtr__chain_word { typedef uint2 type; };
template <> struct gtr__chain_word<0> { typedef float4 type; };
static GTR__DEVICE float gtr__chain_pick(const float4 &v, int i) {
    return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}
// Nearly rounded: mma.sync cuts to 11 bits, and x times this is cut without a bias, in one instruction; what has 11
// bits stays as it is, and so does what is not finite.
static GTR__DEVICE uint32_t gtr__chain_near(const float4 &v, int i) {
    return __float_as_uint(gtr__chain_pick(v, i) * 1.0003418f);
}
// Elements i of two words, next to each other.
static GTR__DEVICE uint32_t gtr__chain_two(const uint2 &a, const uint2 &b, int i) {
    return __byte_perm(i & 2 ? a.y : a.x, i & 2 ? b.y : b.x, i & 1 ? 0x7632 : 0x5410);
}
template <int LOW> static GTR__DEVICE uint32_t gtr__chain_pack(float a, float b) {
    uint32_t u;
    if constexpr (LOW == 1) { const __nv_bfloat162 h = __floats2bfloat162_rn(a, b); memcpy(&u, &h, 4); }
    else { const __half2 h = __floats2half2_rn(a, b); memcpy(&u, &h, 4); }
    return u;
}
// acc += w x^T of 16 elements of k: 32 outputs (lane / 4 has four), 8 NT rows (x + row pitch). BACK: w's rows are k.
template <int NT, int LOW, int BACK> static GTR__DEVICE void gtr__chain_mma(
    float acc[][2][4], const typename gtr__chain_word<LOW>::type *w, const float *x, int pitch) {
    if constexpr (LOW == 0) {
#pragma unroll
        for (int r = 0; r < NT; r++) {
            const float4 v = *(const float4 *)(x + r * 8 * pitch);
#pragma unroll
            for (int j = 0; j < 2; j++) {
                const uint32_t b[2] = { gtr__chain_near(v, 2 * j), gtr__chain_near(v, 2 * j + 1) };
#pragma unroll
                for (int h = 0; h < 2; h++) {
                    uint32_t a[4];
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        a[e] = BACK ? gtr__chain_near(w[2 * j + e / 2], 2 * h + e % 2)
                                    : gtr__chain_near(w[2 * h + e % 2], 2 * j + e / 2);
                    gtr__mma_tf32(acc[r][h], a, b);
                }
            }
        }
    } else {
#pragma unroll
        for (int r = 0; r < NT; r++) {
            const float4 v = *(const float4 *)(x + r * 8 * pitch);
            const uint32_t b[2] = { gtr__chain_pack<LOW>(v.x, v.y), gtr__chain_pack<LOW>(v.z, v.w) };
#pragma unroll
            for (int h = 0; h < 2; h++) {
                uint32_t a[4];
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    if (BACK) a[e] = gtr__chain_two(w[e & 2], w[(e & 2) + 1], 2 * h + e % 2);
                    else a[e] = e & 2 ? w[2 * h + e % 2].y : w[2 * h + e % 2].x;
                }
                if (LOW == 1) gtr__mma_bf16(acc[r][h], a, b);
                else gtr__mma_f16(acc[r][h], a, b);
            }
        }
    }
}
// The barrier of a half of the warps, which waits for the other half, which arrives.
template <bool WAIT> static GTR__DEVICE void gtr__chain_meet(int half) {
    if (WAIT) asm volatile("bar.sync %0, %1;" :: "r"(1 + half), "n"(GTR__CHAIN_T) : "memory");
    else asm volatile("bar.arrive %0, %1;" :: "r"(1 + half), "n"(GTR__CHAIN_T) : "memory");
}
static GTR__DEVICE void gtr__chain_arrive(int cluster) {
    if (cluster > 1) gtr__cluster_arrive();
}
static GTR__DEVICE void gtr__chain_wait(int cluster) {
    if (cluster > 1) gtr__cluster_wait();
    else __syncthreads();
}
// >>chain-steps
typedef gtr__floats<4> gtr__four;
// v rounded, zeros behind the first n.
static GTR__DEVICE void gtr__chain_round(gtr__four &v, int type, int n) {
#pragma unroll
    for (int k = 0; k < 4; k++) v.v[k] = k < n ? gtr__rounded(type, v.v[k]) : 0.0f;
}
static GTR__DEVICE void gtr__chain_plus(gtr__four &v, const gtr__four &w) {
#pragma unroll
    for (int k = 0; k < 4; k++) v.v[k] += w.v[k];
}
// n <= 4 elements from index i on.
static GTR__DEVICE gtr__four gtr__chain_get(const void *p, int type, int64_t i, int n, bool wide) {
    gtr__four v = {};
    if (wide && n == 4) return gtr__get_of<4>(p, type, i);
#pragma unroll
    for (int k = 0; k < 4; k++) if (k < n) v.v[k] = gtr__get(p, type, i + k);
    return v;
}
// Four floats of shared memory.
static GTR__DEVICE gtr__four gtr__chain_four(const float *p) {
    const float4 q = *(const float4 *)p;
    return { { q.x, q.y, q.z, q.w } };
}
static GTR__DEVICE void gtr__chain_set(float *p, const gtr__four &v) {
    *(float4 *)p = make_float4(v.v[0], v.v[1], v.v[2], v.v[3]);
}
// Of a tile's element: its row there, its columns in the block's slice and in all, how many of four there are, its
// places in slices, whole rows, and rows in global memory.
typedef struct gtr__chain_spot { int row, c, column, left, slice, whole; int64_t at; } gtr__chain_spot;
static GTR__DEVICE gtr__chain_spot gtr__chain_spot_of(const gtr__chain_here &h, int n, int slice, int row, int c) {
    const int column = h.rank * slice + c;
    return { row, c, column, h.row0 + row < h.rows ? min(max(n - column, 0), 4) : 0, row * slice + c,
        row * gtr__chain_pitch(n) + column, (int64_t)(h.row0 + row) * n + column };
}
// Four elements to where a step's result is: the same place of all the cluster's blocks, of this one, global memory.
static GTR__DEVICE void gtr__chain_put(const gtr__chain_here &h, int whole, int slice, void *out, int type,
        const gtr__chain_spot &q, bool wide, const gtr__four &v) {
    if (whole >= 0) {
#if __CUDA_ARCH__ >= 900
        for (int b = 0; b < h.cluster; b++) if (b != h.rank)
            asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};"
                :: "r"(gtr__cluster_address(h.pool + whole + q.whole, b)), "f"(v.v[0]), "f"(v.v[1]), "f"(v.v[2]),
                "f"(v.v[3]) : "memory");
#endif
        gtr__chain_set(h.pool + whole + q.whole, v);
    }
    if (slice >= 0) gtr__chain_set(h.pool + slice + q.slice, v);
    if (!out || !q.left) return;
    if (wide && q.left == 4) gtr__put_of<4>(out, type, q.at, v);
    else
#pragma unroll
        for (int k = 0; k < 4; k++) if (k < q.left) gtr__put(out, type, q.at + k, v.v[k]);
}
// What a product's parts add up to.
template <int R> static GTR__DEVICE
gtr__four gtr__chain_parts_sum(const gtr__chain_here &h, int parts, int slice, int row, int c) {
    gtr__four sum = {};
    const float *from = h.red + row * (slice + 4) + c;
#pragma unroll 4
    for (int part = 0; part < parts; part++, from += R * (slice + 4)) gtr__chain_plus(sum, gtr__chain_four(from));
    return sum;
}
template <int R> static GTR__DEVICE gtr__four gtr__chain_operand(const gtr__chain_here &h, const gtr__chain_step &s,
        int i, int slice, const gtr__chain_spot &q, const gtr__four &last) {
    gtr__four v = {};
    switch (s.from[i]) {
    case GTR__CHAIN_LAST: return last;
    case GTR__CHAIN_PARTS: return gtr__chain_parts_sum<R>(h, s.parts, slice, q.row, q.c);
    case GTR__CHAIN_SLICE: return gtr__chain_four(h.pool + s.at[i] + q.slice);
    case GTR__CHAIN_WHOLE: return gtr__chain_four(h.pool + s.at[i] + q.whole);
    case GTR__CHAIN_ROWS: return gtr__chain_get(s.p[i], s.type[i], q.at, q.left, s.wide);
    case GTR__CHAIN_ROW: return gtr__chain_get(s.p[i], s.type[i], q.column, q.left, s.wide);
    case GTR__CHAIN_ONE: v.v[0] = v.v[1] = v.v[2] = v.v[3] = gtr__get(s.p[i], s.type[i], 0); return v;
    default: return v;
    }
}
static GTR__DEVICE void gtr__chain_drop(const gtr__chain_here &h, const gtr__chain_step &s, const gtr__chain_spot &q,
        gtr__four &v) {
    const uint64_t step = h.ctl ? h.ctl->step : 0, key = (uint64_t)(uintptr_t)s.p[1];
    uint32_t r[4];
    GTR__COUNTER(r, step, h.batch0 + h.row0 + q.row, q.column);
    GTR__PHILOX(r, key);
#pragma unroll
    for (int k = 0; k < 4; k++) v.v[k] = GTR__UNIFORM(r[k]) >= s.f0 ? v.v[k] * s.f1 : 0.0f;
}
// side 1, 2: a gradient of it; a is dy, b what the gradient reads.
static __device__ __noinline__ gtr__four gtr__chain_binary(int op, int side, gtr__four a, gtr__four b) {
    gtr__four d = {};
    if (side) gtr__binary4_bwd(op, side - 1, a.v, b.v, b.v, b.v, d.v);
    else gtr__binary4(op, a.v, b.v);
    return side ? d : a;
}
// A group of steps on values of one width: a thread does the same elements in all of them. Returns how many.
template <int R> static GTR__DEVICE int gtr__chain_group(const gtr__chain_here &h, const gtr__chain_step *s) {
    const int n = s->n, slice = gtr__chain_slice(n, h.cluster),
              across = min(max(gtr__chain_padded(n) - h.rank * slice, 0), slice) / 4;
    int steps = 1;
    float loss = 0.0f;
    while (s[steps - 1].more) steps++;
    for (int i = (int)threadIdx.x; i < R * across; i += GTR__CHAIN_T) {
        const gtr__chain_spot q = gtr__chain_spot_of(h, n, slice, i / across, i % across * 4);
        gtr__four v = {};
        for (int j = 0; j < steps; j++) {
            const gtr__chain_step &e = s[j];
            const gtr__four z = gtr__chain_operand<R>(h, e, 1, slice, q, v);
            v = gtr__chain_operand<R>(h, e, 0, slice, q, v);
            if (e.fn == GTR__CHAIN_UNARY) v = gtr__act<4>(e.op, v, e.f0, e.f1);
            else if (e.fn == GTR__CHAIN_UNARY_BACK) v = gtr__dact<4>(e.op, v, z, e.f0, e.f1);
            else if (e.fn == GTR__CHAIN_DROP) gtr__chain_drop(h, e, q, v);
            else if (e.fn != GTR__CHAIN_PAIR) v = gtr__chain_binary(e.op, e.fn - GTR__CHAIN_BINARY, v, z);
            else
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    const bool square = h.loss[e.loss].pair.square;
                    if (e.op & 1 && k < q.left) loss += gtr__pair_term(square, v.v[k], z.v[k]);
                    if (e.op & 2) v.v[k] = gtr__pair_dx(square, h.slope[e.loss], v.v[k], z.v[k]);
                }
            gtr__chain_round(v, e.to, q.left);
            gtr__chain_put(h, e.whole, e.slice, e.out, e.to, q, e.wide, v);
        }
    }
    const gtr__chain_step &f = s[steps - 1];
    if (f.fn == GTR__CHAIN_PAIR && f.op & 1) {
        loss = gtr__block_sum(loss, h.scratch);
        if (threadIdx.x == 0) h.part[(int64_t)f.loss * gridDim.x + blockIdx.x] = loss;
    }
    return steps;
}
// Whole rows of an operand into each block, zeros in the padding.
template <int R> static GTR__DEVICE void gtr__chain_load(const gtr__chain_here &h, const gtr__chain_step &s) {
    const int across = gtr__chain_padded(s.n) / 4;
    for (int i = (int)threadIdx.x; i < R * across; i += GTR__CHAIN_T) {
        const int row = i / across, c = (i - row * across) * 4,
                  left = h.row0 + row < h.rows ? min(max(s.n - c, 0), 4) : 0;
        const gtr__four v = gtr__chain_get(s.p[0], s.type[0], (int64_t)(h.row0 + row) * s.n + c, left, s.wide);
        gtr__chain_set(h.pool + s.whole + row * gtr__chain_pitch(s.n) + c, v);
    }
}
// Cross entropy of whole rows, a warp a row, all of them in each block: the gradient needs no exchange. The first block
// stores.
template <int R>
static GTR__DEVICE void gtr__chain_xent(const gtr__chain_here &h, const gtr__chain_step &s) {
    const gtr__xent &x = h.loss[s.loss].xent;
    const int lane = (int)threadIdx.x & 31, pitch = gtr__chain_pitch(s.n);
    const float g = h.slope[s.loss];
    gtr__opd logits;
    float loss = 0.0f;
    logits.p = h.pool + s.at[0];
    logits.t = GTR_F32;
    logits.add = 0;
    for (int r = (int)threadIdx.x / 32; r < R; r += GTR__CHAIN_WARPS) {
        const bool live = h.row0 + r < h.rows;
        const int64_t at = (int64_t)r * pitch, label = live ? (int64_t)x.label[h.row0 + r] : x.ignore;
        float four[4];
        const int k = live ? gtr__row_four(logits, at, lane, s.n, 32, four) : 0;
        const gtr__xent_row q = gtr__xent_of_row(x, logits, at, label, live, lane, 32, four, k, h.scratch);
        if (lane == 0 && live) {
            if (s.op & 1 && q.counted) loss += q.loss;
            if (s.op & 1 && h.rank == 0 && x.lse.p) gtr__give1(x.lse, h.row0 + r, q.lse);
        }
        if (!(s.op & 2)) continue;
        for (int c = lane; c < gtr__chain_padded(s.n); c += 32) {
            const bool there = live && c < s.n;
            const float v = there && q.counted
                ? gtr__rounded(s.to, gtr__xent_dx(x, g, h.pool[s.at[0] + at + c], q.lse, c == label, q.bad)) : 0.0f;
            h.pool[s.whole + r * pitch + c] = v;
            if (there && h.rank == 0 && s.out) gtr__put(s.out, s.to, (int64_t)(h.row0 + r) * s.n + c, v);
        }
    }
    if (s.op & 1) {
        loss = gtr__block_sum(loss, h.scratch);
        if (threadIdx.x == 0) h.part[(int64_t)s.loss * gridDim.x + blockIdx.x] = h.rank == 0 ? loss : 0.0f;
    }
    __syncthreads();
}
// What is laid out apart from the path that most networks take: instructions fetched are what a step waits for.
static GTR__DEVICE bool gtr__rare(bool what) { return __builtin_expect(what, 0); }
// Weights on their way: chunks of 32 and more outputs and some k of a product, requested ahead of the products, for
// weights wait for no activations. A chunk's rows are w's; rows that lanes read at once begin in different banks, by
// their pitch (rows of outputs) or by a permutation of their 16-byte words (of k).
// gtr__chain_walk: the chunk that is requested next; the next one's slot; what a thread has to do in front of the next
// product: 0: a barrier; 1: nothing, for it has arrived; 2: to wait for those that have.
typedef struct gtr__chain_walk { int ahead, slot, due; } gtr__chain_walk;
// A block's part of a chunk: w's rows from its first element on; what there is of them; as they lie in shared memory.
typedef struct __align__(16) gtr__chain_chunk {
    const char *from, *bias; // bias: with its pass's last chunk
    // live, left: rows of w from there on, elements of a row; how: log of a row's threads, alignment << 4, back << 8
    int stride, pitch, rows, live, width, left, how, bias_bytes;
} gtr__chain_chunk;
// 16 bytes of a row of weights, zeros behind the first left elements; aligned: to 4 bytes, or to none.
template <int LOW> static GTR__DEVICE void gtr__chain_copy(char *to, const char *from, int aligned, int left) {
    constexpr int E = LOW ? 2 : 4;
    if (aligned) {
#pragma unroll
        for (int e = 0; e < 4; e++) gtr__copy4(to + 4 * e, from + 4 * e, left > e * 4 / E);
        return;
    }
    uint32_t v[8];
#pragma unroll
    for (int e = 0; e < 8; e++) v[e] = left > e ? ((const uint16_t *)from)[e] : 0u;
    *(uint4 *)to = make_uint4(v[0] | v[1] << 16, v[2] | v[3] << 16, v[4] | v[5] << 16, v[6] | v[7] << 16);
}
// All of a block's chunks, so that a request has little to find out: a thread those of a product.
template <int LOW> static GTR__DEVICE void gtr__chain_list(const gtr__chain_here &h, int n) {
    constexpr int E = LOW ? 2 : 4;
    for (int i = (int)threadIdx.x; i < n; i += GTR__CHAIN_T) {
        const gtr__chain_step &s = h.step[i];
        gtr__chain_chunk *to = h.chunk + s.before;
        const int across = s.op ? s.n : s.k;
        for (int first = 0; s.kind == GTR__CHAIN_PRODUCT && first < s.cut; first += s.pass)
            for (int k = 0; k < s.k; k += s.chunk) {
                const int output = h.rank * s.cut + first, row = s.op ? k : output, column = s.op ? output : k;
                const bool bias = s.wide_bias && k + s.chunk >= s.k;
                *to++ = { (const char *)s.p[0] + ((int64_t)row * across + column) * E,
                    bias ? (const char *)s.p[1] + output * E : NULL, across * E, s.pitch, s.op ? s.chunk : s.pass,
                    (s.op ? s.k : s.n) - row, (s.op ? s.pass : s.chunk) * E, across - column,
                    s.log | s.wide << 4 | s.op << 8, min(s.pass, s.n - output) * E };
            }
    }
}
// Requests the next chunk, with its pass's last the bias.
template <int LOW> static GTR__DEVICE void gtr__chain_fetch(const gtr__chain_here &h, int chunk) {
    if (chunk >= h.chunks) return;
    const gtr__chain_chunk q = h.chunk[chunk];
    const int threads = GTR__CHAIN_T >> h.halves, tid = (int)threadIdx.x & (threads - 1), log = q.how & 15,
              c = (tid & ((1 << log) - 1)) * 16, left = q.left - c / (LOW ? 2 : 4), hop = threads >> log;
    int r = tid >> log;
    char *slot = h.ring + chunk % GTR__CHAIN_SLOTS * h.slot, *to = slot + r * q.pitch;
    const char *from = q.from + (int64_t)r * q.stride + c;
    const bool back = q.how >> 8;
    if (c < q.width)
#pragma unroll 1
        for (; r < q.rows; r += hop) {
            char *word = to + (back ? c ^ (r >> (LOW ? 3 : 2) & 3) << 5 : c);
            if (gtr__rare(!(q.how & 32))) gtr__chain_copy<LOW>(word, from, q.how >> 4 & 1, r < q.live ? left : 0);
            else gtr__copy16(word, from, r < q.live && left > 0);
            to += hop * q.pitch;
            from += (int64_t)hop * q.stride;
        }
    if (q.bias && tid * 16 < q.bias_bytes) gtr__copy16(slot + q.rows * q.pitch + tid * 16, q.bias + tid * 16, true);
}
// The barrier in front of a chunk, after which it is there, for all threads wait for their copies in front of it. The
// next chunk but one is requested: by all threads while they wait; by the half that does not multiply, behind the
// barrier. Its slot's last chunk was read in front of the barrier before this one. Each call commits one group.
template <int LOW> static GTR__DEVICE
const char *gtr__chain_turn(const gtr__chain_here &h, gtr__chain_walk &f, int cluster, bool multiplies) {
    const char *chunk = h.ring + f.slot * h.slot;
    gtr__copies_done<GTR__CHAIN_SLOTS - 3>();
    if (f.due == 2) gtr__chain_meet<true>(threadIdx.x >= GTR__CHAIN_T / 2);
    if (!f.due) {
        gtr__chain_arrive(cluster);
        if (!h.halves) gtr__chain_fetch<LOW>(h, f.ahead);
        gtr__chain_wait(cluster);
    }
    if (h.halves && !multiplies) gtr__chain_fetch<LOW>(h, f.ahead);
    gtr__copies_commit();
    f.due = 0;
    f.ahead++;
    f.slot = (f.slot + 1) % GTR__CHAIN_SLOTS;
    return chunk;
}
// Behind a product whose successor the other half multiplies: who has multiplied arrives at once, and reads its next
// step later.
static GTR__DEVICE void gtr__chain_hand_over(const gtr__chain_here &h, gtr__chain_walk &f, bool multiplied) {
    f.due = multiplied ? 1 : 2;
    if (!multiplied) return;
    gtr__copies_done<GTR__CHAIN_SLOTS - 3>();
    gtr__chain_meet<false>(threadIdx.x < GTR__CHAIN_T / 2);
}
// A lane's words of 16 (16-bit: 32) elements of k, from its first one in a chunk on.
template <int LOW, int BACK>
static GTR__DEVICE void gtr__chain_words(typename gtr__chain_word<LOW>::type v[][4], const char *w, int pitch) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if constexpr (LOW == 0) v[0][i] = *(const float4 *)(w + i * pitch);
        else if (BACK)
#pragma unroll
            for (int e = 0; e < 2; e++) v[e][i] = *(const uint2 *)(w + (4 * e + i) * pitch);
        else {
            const uint4 q = *(const uint4 *)(w + i * pitch);
            v[0][i] = make_uint2(q.x, q.y);
            v[1][i] = make_uint2(q.z, q.w);
        }
    }
}
// acc += the chunk's stages that are the warp's part, every parts-th; w, x: the lane's first words of the first one.
template <int NT, int LOW, int BACK> static GTR__DEVICE void gtr__chain_stages(
    float acc[][2][4], const char *w, int hop, int pitch, const float *x, int pitch_x, int left, int parts) {
    constexpr int W = LOW ? 2 : 1;
    typename gtr__chain_word<LOW>::type v[2][W][4];
    gtr__chain_words<LOW, BACK>(v[0], w, pitch);
    auto stage = [&](int i) { // the next one's words are on their way
        w += hop;
        if (left > parts) gtr__chain_words<LOW, BACK>(v[i ^ 1], w, pitch);
#pragma unroll
        for (int e = 0; e < W; e++) gtr__chain_mma<NT, LOW, BACK>(acc, v[i][e], x + 4 * e, pitch_x);
        x += parts * (LOW ? 32 : 16);
        left -= parts;
    };
#pragma unroll 1
    while (left > 0) {
        stage(0);
        if (left > 0) stage(1);
    }
}
template <int TYPE> static GTR__DEVICE gtr__four gtr__chain_bias(const char *p) { // four of them, in shared memory
    gtr__four v;
    const uint2 q = *(const uint2 *)p;
    gtr__cook(TYPE == GTR_F32 ? *(const uint4 *)p : make_uint4(q.x, q.y, 0, 0), TYPE, v.v);
    return v;
}
// What is done to R rows, from one on, of four columns c of the slice: see gtr__chain_step. bias: theirs, in shared
// memory.
template <int TYPE, int R> static GTR__DEVICE void gtr__chain_finish(const gtr__chain_here &h, const gtr__chain_step &s,
        int row, int c, const char *bias, gtr__four *v) {
    const int column = h.rank * s.cut + c, pitch = gtr__chain_pitch(s.n), slice = row * s.cut + c,
              whole = row * pitch + column, rows = min(h.rows - h.row0 - row, R);
    const bool all = column + 4 <= s.n;
    gtr__four b = {};
    auto room = [&](int from, int place, int r) {
        return gtr__chain_four(h.pool + place + (from == GTR__CHAIN_SLICE ? slice + r * s.cut : whole + r * pitch));
    };
    auto round = [&]() {
#pragma unroll
        for (int r = 0; r < R; r++)
            if (TYPE != GTR_F32 || gtr__rare(!all)) gtr__chain_round(v[r], TYPE, all ? 4 : max(s.n - column, 0));
    };
    auto give = [&](int to, int local, void *out) {
        if (to >= 0) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#pragma unroll 1
            for (int k = 1; k < h.cluster; k++) {
                const uint32_t at = gtr__cluster_address(h.pool + to + whole, (h.rank + k) & (h.cluster - 1));
#pragma unroll
                for (int r = 0; r < R; r++)
                    asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" :: "r"(at + r * pitch * 4),
                        "f"(v[r].v[0]), "f"(v[r].v[1]), "f"(v[r].v[2]), "f"(v[r].v[3]) : "memory");
            }
#endif
#pragma unroll
            for (int r = 0; r < R; r++) gtr__chain_set(h.pool + to + whole + r * pitch, v[r]);
        }
        if (local >= 0)
#pragma unroll
            for (int r = 0; r < R; r++) gtr__chain_set(h.pool + local + slice + r * s.cut, v[r]);
        if (!out) return;
        const int64_t at = (int64_t)(h.row0 + row) * s.n + column;
#pragma unroll
        for (int r = 0; r < R; r++) {
            if (r >= rows) return;
            if (s.wide_out && all) gtr__put_of<4>(out, TYPE, at + r * s.n, v[r]);
            else if (gtr__rare(!s.wide_out))
#pragma unroll
                for (int k = 0; k < 4; k++) if (column + k < s.n) gtr__put(out, TYPE, at + r * s.n + k, v[r].v[k]);
        }
    };
    if (s.wide_bias) b = gtr__chain_bias<TYPE>(bias);
    else if (gtr__rare(s.p[1] != NULL)) b = gtr__chain_get(s.p[1], TYPE, column, all ? 4 : max(s.n - column, 0), false);
#pragma unroll
    for (int r = 0; r < R; r++) gtr__chain_plus(v[r], b);
    if (!(s.raw & 1)) round();
    if (gtr__rare(s.pre >= 0 || s.pre_out)) give(-1, s.pre, s.pre_out);
    if (s.act_kind) {
#pragma unroll
        for (int r = 0; r < R; r++) {
            const bool relu = s.act == GTR__OP_RELU; // the call costs as much as all else
            const float z = relu ? 0.0f : s.f0;
            if (s.act_kind == 1) {
                if (gtr__rare(!relu)) v[r] = gtr__act<4>(s.act, v[r], z, s.f1);
                else
#pragma unroll
                    for (int k = 0; k < 4; k++) v[r].v[k] = gtr__unary_fwd(GTR__OP_RELU, v[r].v[k], 0, 0);
                continue;
            }
            const gtr__four y = room(s.from[1], s.at[1], r);
            if (gtr__rare(!relu)) v[r] = gtr__dact<4>(s.act, v[r], y, z, s.f1);
            else
#pragma unroll
                for (int k = 0; k < 4; k++)
                    v[r].v[k] = gtr__unary_bwd(GTR__OP_RELU, v[r].v[k], y.v[k], y.v[k], 0, 0);
        }
        if (!(s.raw & 2)) round();
    }
    if (s.add >= 0) {
#pragma unroll
        for (int r = 0; r < R; r++) gtr__chain_plus(v[r], room(s.add_from, s.add, r));
        round();
    }
    give(s.whole, s.slice, s.out);
}
// A product: chunk by chunk; then its epilogue, from registers where a warp has all of k, or its parts for the steps
// behind it.
template <int NT, int LOW> static GTR__DEVICE void gtr__chain_product(
    const gtr__chain_here &h, const gtr__chain_step &s, gtr__chain_walk &f) {
    constexpr int E = LOW ? 2 : 4, EACH = 64 / E, TYPE = LOW == 0 ? GTR_F32 : LOW == 1 ? GTR_BF16 : GTR_F16;
    const int lane = (int)threadIdx.x & 31, g = lane / 4, t = lane % 4,
              warp = (int)threadIdx.x / 32 & ((GTR__CHAIN_WARPS >> h.halves) - 1),
              pitch = gtr__chain_pitch(s.k), part = warp * s.magic >> 8, unit = warp - part * (s.pass >> 5),
              at = s.op ? t * (LOW ? 8 : 4) * s.pitch + ((unit * 32 + 4 * g) * E ^ t << 5)
                        : (unit * 32 + 4 * g) * s.pitch + 16 * t,
              hop = s.op ? EACH * s.pitch : 64;
    const bool turn = h.halves && (int)threadIdx.x / (GTR__CHAIN_T / 2) == s.half;
    const float *x = h.pool + s.at[0] + g * pitch + t * (LOW ? 8 : 4);
    for (int first = 0; first < s.cut; first += s.pass) {
        const bool busy = (turn || !h.halves) && part < s.parts && unit < s.pass >> 5 && first + unit * 32 < s.cut &&
                          h.rank * s.cut + first + unit * 32 < s.n;
        const int c = first + unit * 32 + 4 * g;
        const char *chunk = NULL;
        float acc[NT][2][4] = {};
        for (int k = 0; k < s.k; k += s.chunk) {
            chunk = gtr__chain_turn<LOW>(h, f, first + k ? 1 : h.cluster, turn);
            const int left = (min(s.chunk, s.k - k) + EACH - 1) / EACH - part;
            const char *w = chunk + at + part * hop;
            const float *from = x + k + part * EACH;
            if (!busy || left <= 0) continue;
            if (s.op) gtr__chain_stages<NT, LOW, 1>(acc, w, hop * s.parts, s.pitch, from, pitch, left, s.parts);
            else gtr__chain_stages<NT, LOW, 0>(acc, w, hop * s.parts, s.pitch, from, pitch, left, s.parts);
        }
        const char *bias = chunk + s.pass * s.pitch;
        const bool own = s.fused && s.parts == 1;
#pragma unroll
        for (int r = 0; r < NT && busy; r++) {
            gtr__four v[2];
            const int row = r * 8 + 2 * t;
#pragma unroll
            for (int d = 0; d < 2; d++)
                v[d] = { { acc[r][0][d], acc[r][0][2 + d], acc[r][1][d], acc[r][1][2 + d] } };
            if (own) gtr__chain_finish<TYPE, 2>(h, s, row, c, bias + (unit * 32 + 4 * g) * E, v);
            else
#pragma unroll
                for (int d = 0; d < 2; d++)
                    gtr__chain_set(h.red + (part * NT * 8 + row + d) * (s.cut + 4) + c, v[d]);
        }
        if (own) continue;
        __syncthreads();
        for (int i = (int)threadIdx.x; s.fused && i < NT * 2 * s.pass; i += GTR__CHAIN_T) {
            const int row = (int)(((float)i + 0.5f) * s.across), column = i * 4 - row * s.pass;
            if (first + column >= s.cut || h.rank * s.cut + first + column >= gtr__chain_padded(s.n)) continue;
            gtr__four v = gtr__chain_parts_sum<NT * 8>(h, s.parts, s.cut, row, first + column);
            gtr__chain_finish<TYPE, 1>(h, s, row, first + column, bias + column * E, &v);
        }
    }
    if (h.halves && h.cluster == 1 && s.next) gtr__chain_hand_over(h, f, turn);
}
// What the gradients of the losses are multiplied by: wanted once, while the rings are filled.
static __device__ void gtr__chain_slopes(const gtr__chain_here &h, int losses, int *counts) {
    for (int i = 0; i < losses; i++) {
        const gtr__xent &x = h.loss[i].xent;
        const int counted = h.loss[i].pairs ? 0 : gtr__xent_counted(x, counts);
        if (threadIdx.x) continue;
        const float divisor = h.loss[i].pairs ? 0.0f : (float)gtr__divisor(x.tally, x.rows, counted);
        h.slope[i] = h.loss[i].pairs ? gtr__pair_slope(h.loss[i].pair)
            : divisor > 0.0f ? x.seed * (x.ctl ? x.ctl->scale : 1.0f) / divisor : 0.0f;
    }
}
template <int NT, int LOW> static __global__ void __launch_bounds__(GTR__CHAIN_T, 1) gtr__k_chain(const gtr__chain m) {
    extern __shared__ __align__(128) char gtr__chain_room[];
    __shared__ float scratch[32], slope[GTR__CHAIN_LOSSES];
    __shared__ int counts[32];
    gtr__chain_here h;
    gtr__chain_walk f = {};
    const uint64_t *from = (const uint64_t *)m.program->loss;
    const int n = m.n;
    for (int i = (int)threadIdx.x; i < (int)(sizeof m.program->loss + n * sizeof(gtr__chain_step)) / 8;
         i += GTR__CHAIN_T)
        ((uint64_t *)gtr__chain_room)[i] = from[i];
    h.cluster = m.cluster;
    h.rows = m.rows;
    h.batch0 = m.row0;
    h.ctl = m.ctl;
    h.part = m.part;
    h.loss = (const gtr__chain_loss *)gtr__chain_room;
    const gtr__chain_step *step = h.step = (const gtr__chain_step *)(h.loss + GTR__CHAIN_LOSSES);
    h.pool = (float *)(gtr__chain_room + m.pool);
    h.red = h.pool + m.red;
    h.ring = (char *)(h.pool + m.ring);
    h.slot = m.slot;
    h.halves = m.halves;
    h.chunks = m.chunks;
    h.chunk = (gtr__chain_chunk *)(gtr__chain_room + m.table);
    h.rank = (int)blockIdx.x % h.cluster;
    h.row0 = (int)blockIdx.x / h.cluster * 8 * NT;
    h.scratch = scratch;
    h.slope = slope;
    __syncthreads();
    gtr__chain_list<LOW>(h, n);
    gtr__enter();
    __syncthreads();
#pragma unroll 1
    for (; f.ahead < GTR__CHAIN_SLOTS - 2; f.ahead++) {
        if (!h.halves || threadIdx.x >= GTR__CHAIN_T / 2) gtr__chain_fetch<LOW>(h, f.ahead);
        gtr__copies_commit();
    }
    gtr__chain_slopes(h, m.losses, counts);
    gtr__chain_arrive(h.cluster); // blocks write into each other's memory: all have begun
    gtr__chain_wait(h.cluster);
    for (int i = 0; i < n;) {
        __align__(16) gtr__chain_step s;
#pragma unroll
        for (int k = 0; k < (int)(sizeof s / 16); k++) ((uint4 *)&s)[k] = ((const uint4 *)(step + i))[k];
        switch (s.kind) {
        case GTR__CHAIN_PRODUCT:
            gtr__chain_product<NT, LOW>(h, s, f);
            i += 1 + s.fused;
            break;
        case GTR__CHAIN_LOAD:
            gtr__chain_load<8 * NT>(h, s);
            i++;
            break;
        case GTR__CHAIN_EW:
            __syncthreads(); // an epilogue's threads had other elements
            i += gtr__chain_group<8 * NT>(h, step + i);
            break;
        case GTR__CHAIN_XENT:
            gtr__chain_arrive(h.cluster);
            gtr__chain_wait(h.cluster);
            gtr__chain_xent<8 * NT>(h, s);
            i++;
            break;
        }
    }
    gtr__chain_arrive(h.cluster); // none leaves while another may write to it
    gtr__chain_wait(h.cluster);
}

// >>chain-sums
// The losses: the blocks' parts in their order; then what is made of losses.
static __device__ void gtr__chain_finish(const gtr__chain_sums &m) {
    __shared__ float scratch[32];
    __shared__ int counts[32];
    for (int l = 0; l < m.losses; l++) {
        const gtr__chain_loss &q = m.program->loss[l];
        float v = 0.0f;
        if (q.pairs ? !q.pair.dt.p : !q.xent.loss.p) continue;
        for (int i = (int)threadIdx.x; i < m.blocks; i += (int)blockDim.x) v += m.part[(int64_t)l * m.blocks + i];
        v = gtr__block_sum(v, scratch);
        const int counted = q.pairs ? 0 : gtr__xent_counted(q.xent, counts);
        if (threadIdx.x) continue;
        if (q.pairs) gtr__put(q.pair.dt.p, q.pair.dt.t, 0, v / (float)q.pair.count);
        else gtr__xent_give(q.xent, v, counted);
    }
    for (int i = 0; i < m.scalars && threadIdx.x == 0; i++) {
        const gtr__chain_scalar &q = m.program->scalar[i];
        const gtr__four a = { { *q.a } }, b = { { q.b ? *q.b : 0.0f } };
        *q.y = (q.b ? gtr__chain_binary(q.op, 0, a, b) : gtr__act<4>(q.op, a, q.f0, q.f1)).v[0];
    }
}
// One TxT tile of a dw (n, k) = dy^T x per cluster, whose blocks share the rows of all the gradient's pairs of operands
// and exchange their parts as a product's do: products over a list of jobs. The first k tile's clusters take db from
// the dy that they fetch; the last cluster takes the losses. Bound by a step's latency, then by what is drawn from L2:
// 2 T elements a row and tile.
template <int KIND, int T>
static __global__ void __launch_bounds__(128) gtr__k_chain_sums(const __grid_constant__ gtr__chain_sums m) {
    constexpr int ES = KIND == GTR__PRODUCT_HALF ? 2 : 4;
    typedef gtr__operand<ES, T, false> tile_t;
    const int tid = (int)threadIdx.x, split = 1 << m.split_log, rank = (int)blockIdx.x & (split - 1);
    const int tile = (int)blockIdx.x >> m.split_log;
    const gtr__chain_job *job = m.program->job;
    if (tile == m.tiles) {
        gtr__enter();
        if (rank == 0) gtr__chain_finish(m);
        return;
    }
    int j = 0, pairs = 1;
    for (int i = tid & 31; i < m.jobs; i += 32)
        if (job[i].first >= 0 && job[i].first <= tile) j = i;
    for (int i = 16; i; i >>= 1) j = max(j, __shfl_xor_sync(0xffffffffu, j, i));
    gtr__chain_job q = job[j];
    for (int i = q.next; i >= 0; i = job[i].next) pairs++;
    const int across = q.x ? (q.k + T - 1) / T : 1, m0 = (tile - q.first) / across * T,
              n0 = (tile - q.first) % across * T, k_tiles = (m.rows + tile_t::depth - 1) / tile_t::depth;
    gtr__product p = {};
    gtr__product_cut cut = {};
    p.c = q.dw; p.type_c = GTR_F32; p.add = q.add_w; p.act = -1;
    p.sums = n0 ? NULL : q.db; p.type_sums = GTR_F32; p.add_sums = q.add_b; p.guard = m.guard;
    cut.m = q.n; cut.n = q.k; cut.ldc = (uint32_t)q.k; cut.split_log = m.split_log; cut.vec_c = q.wide >> 2 & 1;
    int kt = rank * k_tiles * pairs >> m.split_log;     // the tile of rows that is fetched next; its place in a pair
    const int count = ((rank + 1) * k_tiles * pairs >> m.split_log) - kt;
    for (; kt >= k_tiles; kt -= k_tiles) q = job[q.next];
    cut.stages = 4;
    gtr__enter();
    gtr__product_block<KIND, T, false, false>(p, cut, count, q.type, p.sums, m0,
        gtr__product_lane_of<T, T, 128>(cut, m0, n0, 0), gtr__floats<4>(), 0, [&](char *to) {
            const int row = kt * tile_t::depth, left = min(m.rows - row, tile_t::depth);
            const char *y = (const char *)q.dy, *x = (const char *)q.x;
            gtr__fetch<ES, T, false, false>(to, y + ((int64_t)row * q.n + m0) * ES, y, q.type, (uint32_t)q.n, left,
                q.n - m0, q.wide & 1);
            gtr__fetch<ES, T, false, false>(to + tile_t::bytes, x + ((int64_t)row * q.k + n0) * ES, y, q.type,
                (uint32_t)q.k, left, q.k - n0, q.wide >> 1 & 1);
            if (++kt == k_tiles && q.next >= 0) {
                kt = 0;
                q = job[q.next];
            }
        });
}

// >>chain-compile
// A value as one node left it: what later nodes add to it, or store in its place, is another.
typedef struct gtr__chain_value {
    int id, root, n, type;
    int def, last, last_whole; // between barriers: made; last read by its slice; by whole rows
    bool outside, whole, local; // made before; read by products; each block made all of it
    bool wanted, newer; // a gradient of weights reads it; another value follows in its place
    int slice_at, whole_at; // in shared memory, in floats; -1
    size_t ws; // in workspace, if newer and wanted
    void *p;
} gtr__chain_value;
// How it is cut: rows of a tile / 8, blocks of a cluster; bytes of shared memory, microseconds.
typedef struct gtr__chain_cut { int nt, cluster; size_t bytes; double cost; } gtr__chain_cut;
typedef struct gtr__chain_build {
    gtr__mlp_view v;
    const int *root; // of a call's operands; NULL: the plan's values
    gtr_precision precision;
    int rows, phase, nodes, products, at; // at: the node that is read
    bool open; // a group of element-wise steps may go on
    int n_value, n_step, n_job, n_loss, n_scalar, n_passed;
    int passed[GTR__CHAIN_PASSED]; // nodes that nothing here waits for: they run behind the chain, by their own kernels
    int job_value[GTR__CHAIN_JOBS][4]; // x, dy; dw, db
    int scalar_id[GTR__CHAIN_SCALARS][3];
    int loss_node[GTR__CHAIN_LOSSES], loss_out[GTR__CHAIN_LOSSES];
    int operand[GTR__CHAIN_STEPS][4]; // values of a step's operands and result; the id in p[0]
    gtr__chain_value value[GTR__CHAIN_VALUES];
    gtr__chain m;
    gtr__chain_sums sums;
    gtr__chain_program program;
} gtr__chain_build;

static int gtr__chain_root(const gtr__chain_build *b, int id) {
    return id < 0 ? -1 : b->root ? b->root[id] : gtr__root(b->v.plan, id);
}
static int64_t gtr__chain_width(const gtr__chain_build *b, int id) {
    const gtr_shape *s = gtr__mlp_shape(&b->v, id);
    return s->ndim ? s->dim[s->ndim - 1] : 1;
}
static int gtr__chain_last(const gtr__chain_build *b, int id) {
    const int root = gtr__chain_root(b, id);
    for (int i = b->n_value - 1; i >= 0; i--)
        if (b->value[i].root == root) return i;
    return -1;
}
// Whether a node of the run, in front of the one that is read, writes there: what only that node's kernel makes, or the
// run's end, is no value from outside.
static bool gtr__chain_made(const gtr__chain_build *b, int id) {
    bool made = false;
    for (const gtr__node *n = b->v.node; n < b->v.node + b->at; n++)
        for (int k = 0; k < n->n_out; k++)
            made |= n->out[k] >= 0 && gtr__chain_root(b, n->out[k]) == gtr__chain_root(b, id);
    return made;
}
// A view of a permutation, which goes by strides.
static bool gtr__chain_view(const gtr__chain_build *b, int id) {
    return b->v.plan ? b->v.plan->value[id].stride[0] != 0 : gtr__mlp_arg(&b->v, id)->stride != NULL;
}
static bool gtr__chain_float(gtr_dtype t) { return t == GTR_F32 || t == GTR_BF16 || t == GTR_F16; }
static int gtr__chain_new(gtr__chain_build *b, int id) {
    const int64_t count = gtr__mlp_count(&b->v, id), n = count / b->rows;
    if (b->n_value == GTR__CHAIN_VALUES || gtr__chain_view(b, id) || count % b->rows || n < 1 || n > 8192 ||
        !gtr__chain_float(gtr__mlp_storage(&b->v, id)) || gtr__mlp_count(&b->v, gtr__chain_root(b, id)) != count)
        return -1;
    gtr__chain_value *v = &b->value[b->n_value];
    memset((void *)v, 0, sizeof *v);
    v->id = id;
    v->root = gtr__chain_root(b, id);
    v->n = (int)n;
    v->type = (int)gtr__mlp_storage(&b->v, id);
    v->def = b->phase;
    v->last = v->last_whole = -1;
    v->slice_at = v->whole_at = -1;
    return b->n_value++;
}
// The value that an operand has now; one from outside if no node of the run made it. -1: not a value of rows.
static int gtr__chain_now(gtr__chain_build *b, int id) {
    int i = id < 0 ? -1 : gtr__chain_last(b, id);
    if (id < 0) return -1;
    if (i >= 0) return b->value[i].n * (int64_t)b->rows == gtr__mlp_count(&b->v, id) ? i : -1;
    i = gtr__chain_made(b, id) ? -1 : gtr__chain_new(b, id);
    if (i >= 0) b->value[i].outside = true;
    return i;
}
static int gtr__chain_make(gtr__chain_build *b, int id) {
    const int old = gtr__chain_last(b, id);
    if (old >= 0 && b->value[old].outside) return -1; // another block may still read it
    for (int i = 0; i < b->n_passed; i++) { // and so may a node behind the chain
        const gtr__node *n = &b->v.node[b->passed[i]];
        for (int k = 0; k < n->n_in; k++)
            if (n->in[k] >= 0 && gtr__chain_root(b, n->in[k]) == gtr__chain_root(b, id)) return -1;
    }
    const int i = gtr__chain_new(b, id);
    if (i >= 0 && old >= 0) b->value[old].newer = true;
    return i;
}
static gtr__chain_step *gtr__chain_add(gtr__chain_build *b, gtr__chain_kind kind, int n) {
    if (b->n_step == GTR__CHAIN_STEPS) return NULL;
    gtr__chain_step *s = &b->program.step[b->n_step];
    memset((void *)s, 0, sizeof *s);
    for (int i = 0; i < 4; i++) b->operand[b->n_step][i] = -1;
    s->kind = kind;
    s->n = n;
    s->slice = s->whole = s->at[0] = s->at[1] = -1;
    s->to = GTR_F32;
    s->wide = 1;
    s->f0 = (float)b->v.node[b->at].attr.f[0]; // of what its node applies
    s->f1 = (float)b->v.node[b->at].attr.f[1];
    if (b->n_step && kind == GTR__CHAIN_EW && b->open && s[-1].n == n) s[-1].more = 1;
    b->open = kind == GTR__CHAIN_EW;
    b->n_step++;
    return s;
}
// Element-wise on values a and b (-1: none), into out (-1: the next step's alone).
static gtr__chain_step *gtr__chain_ew(gtr__chain_build *b, gtr__chain_fn fn, int op, int n, int a, int c, int out) {
    const int at = b->n_step, operand[2] = { a, c };
    const bool fresh = !(at && b->open && b->program.step[at - 1].n == n);
    gtr__chain_step *s = gtr__chain_add(b, GTR__CHAIN_EW, n);
    if (!s) return NULL;
    s->fn = fn;
    s->op = (uint8_t)op;
    for (int i = 0; i < 2; i++) {
        if (operand[i] < 0) continue;
        gtr__chain_value *v = &b->value[operand[i]];
        b->operand[at][i] = operand[i];
        s->from[i] = v->outside ? GTR__CHAIN_ROWS : GTR__CHAIN_SLICE;
        if (!fresh && b->operand[at - 1][2] == operand[i]) s->from[i] = GTR__CHAIN_LAST;
        v->last = b->phase;
    }
    b->operand[at][2] = out;
    if (out >= 0) s->to = (uint8_t)b->value[out].type;
    return s;
}
// out = x w^T or, back, x w, with w (rows, columns): its parts, which the next step adds.
static bool gtr__chain_multiply(gtr__chain_build *b, int x, int w, bool back) {
    const gtr_shape *s = gtr__mlp_shape(&b->v, w);
    const gtr_dtype type = gtr__mlp_storage(&b->v, w);
    if (s->ndim != 2 || s->dim[0] > 8192 || s->dim[1] > 8192 || x < 0 || b->precision == GTR_FP32 ||
        !gtr__chain_float(type) || gtr__chain_view(b, w) || gtr__chain_made(b, w))
        return false;
    const int n = (int)s->dim[back ? 1 : 0], k = (int)s->dim[back ? 0 : 1];
    gtr__chain_value *v = &b->value[x];
    if (v->n != k || (type == GTR_F32) != (b->precision == GTR_TF32)) return false;
    if (v->outside && !v->whole) {
        gtr__chain_step *load = gtr__chain_add(b, GTR__CHAIN_LOAD, k);
        if (!load) return false;
        b->operand[b->n_step - 1][0] = b->operand[b->n_step - 1][2] = x;
        v->def = b->phase;
    }
    gtr__chain_step *p = gtr__chain_add(b, GTR__CHAIN_PRODUCT, n);
    if (!p) return false;
    b->operand[b->n_step - 1][0] = x;
    b->operand[b->n_step - 1][3] = w;
    p->k = k;
    p->op = back;
    p->to = (uint8_t)type;
    b->phase++;
    b->products++;
    v->whole = true;
    v->last_whole = b->phase;
    return true;
}
// An operand that all rows share: a row or one element, made outside.
static bool gtr__chain_shared(gtr__chain_build *b, gtr__chain_step *s, int i, int id) {
    s->from[i] = gtr__mlp_count(&b->v, id) == 1 && s->n != 1 ? GTR__CHAIN_ONE : GTR__CHAIN_ROW;
    s->type[i] = (uint8_t)gtr__mlp_storage(&b->v, id);
    b->operand[b->n_step - 1][3] = id;
    return gtr__chain_float((gtr_dtype)s->type[i]) && !gtr__chain_made(b, id) && !gtr__chain_view(b, id);
}
// A product's parts, with a bias or -1, into nothing yet.
static gtr__chain_step *gtr__chain_parts(gtr__chain_build *b, int bias) {
    gtr__chain_step *s = gtr__chain_ew(b, bias >= 0 ? GTR__CHAIN_BINARY : GTR__CHAIN_UNARY,
        bias >= 0 ? (int)GTR__OP_ADD : GTR__CHAIN_COPY, b->program.step[b->n_step - 1].n, -1, -1, -1);
    if (!s || (bias >= 0 && !gtr__chain_shared(b, s, 1, bias))) return NULL;
    s->from[0] = GTR__CHAIN_PARTS;
    return s;
}
// An activation of the last step's result, or, with what its gradient reads, the activation's gradient.
static gtr__chain_step *gtr__chain_act(gtr__chain_build *b, const gtr__node *n, int width, int saved) {
    gtr__chain_step *s = gtr__chain_ew(b, saved < 0 ? GTR__CHAIN_UNARY : GTR__CHAIN_UNARY_BACK, (int)n->attr.i[0],
        width, -1, saved, -1);
    if (!s || !gtr__unary_op((int)n->attr.i[0]) || (saved >= 0 && b->value[saved].n != width)) return NULL;
    s->from[0] = saved < 0 ? GTR__CHAIN_LAST : GTR__CHAIN_PARTS;
    return s;
}
// A step's result is an output of a node, added to what is there if the node adds.
static bool gtr__chain_store(gtr__chain_build *b, gtr__chain_step *s, const gtr__node *n, int k) {
    const int old = n->adds >> k & 1 ? gtr__chain_now(b, n->out[k]) : -1, out = gtr__chain_make(b, n->out[k]);
    if (!s || out < 0 || (n->adds >> k & 1 && old < 0) || b->value[out].n != s->n) return false;
    if (old < 0) {
        b->operand[b->n_step - 1][2] = out;
        s->to = (uint8_t)b->value[out].type;
        return true;
    }
    s = gtr__chain_ew(b, GTR__CHAIN_BINARY, GTR__OP_ADD, s->n, -1, old, out);
    if (s) s->from[0] = GTR__CHAIN_LAST;
    return s != NULL;
}
// A gradient of weights, of a bias; x -1: of a bias alone.
static bool gtr__chain_job_add(gtr__chain_build *b, int x, int dy, int dw, int db, bool add_w, bool add_b) {
    if (b->n_job == GTR__CHAIN_JOBS || dy < 0) return false;
    gtr__chain_job *q = &b->program.job[b->n_job];
    memset((void *)q, 0, sizeof *q);
    q->n = b->value[dy].n;
    q->k = dw >= 0 ? b->value[x].n : 0;
    q->type = b->value[dy].type;
    q->next = -1;
    q->add_w = add_w;
    q->add_b = add_b;
    if (dw >= 0 && (b->value[x].type != q->type || gtr__mlp_storage(&b->v, dw) != GTR_F32 ||
                       gtr__mlp_count(&b->v, dw) != (int64_t)q->n * q->k))
        return false;
    if (db >= 0 && (gtr__mlp_storage(&b->v, db) != GTR_F32 || gtr__mlp_count(&b->v, db) != q->n)) return false;
    if ((q->type == GTR_F32) != (b->precision == GTR_TF32)) return false;
    for (int i = 0; i < 2; i++)
        if ((i ? db : dw) >= 0 && gtr__chain_last(b, i ? db : dw) >= 0) return false;
    for (int i = b->n_job - 1; i >= 0; i--) { // weights that are shared: their pairs follow each other
        const int *o = b->job_value[i];
        const bool same_w = dw >= 0 && o[2] >= 0 && gtr__chain_root(b, o[2]) == gtr__chain_root(b, dw),
                   same_b = db >= 0 && o[3] >= 0 && gtr__chain_root(b, o[3]) == gtr__chain_root(b, db);
        if (!same_w && !same_b) continue;
        if ((dw >= 0 || o[2] >= 0) && !same_w) return false;
        if ((db >= 0 || o[3] >= 0) && !same_b) return false;
        if ((dw >= 0 && !add_w) || (db >= 0 && !add_b)) return false;
        b->program.job[i].next = b->n_job;
        q->first = -1;
        break;
    }
    b->job_value[b->n_job][0] = dw >= 0 ? x : -1;
    b->job_value[b->n_job][1] = dy;
    b->job_value[b->n_job][2] = dw;
    b->job_value[b->n_job][3] = db;
    b->value[dy].wanted = true;
    if (dw >= 0) b->value[x].wanted = true;
    b->n_job++;
    return true;
}
static bool gtr__chain_linear(gtr__chain_build *b, const gtr__node *n) {
    if (!gtr__mlp_of_layer(n)) return false;
    if (n->op == GTR__OP_LINEAR_DACT) {
        const int saved = gtr__chain_now(b, n->in[2]);
        return saved >= 0 && gtr__chain_multiply(b, gtr__chain_now(b, n->in[0]), n->in[1], true) &&
               gtr__chain_store(b, gtr__chain_act(b, n, b->program.step[b->n_step - 1].n, saved), n, 0);
    }
    if (n->dir == GTR__FWD) { // an activation may follow, and what it is applied to be wanted, too
        if (!gtr__chain_multiply(b, gtr__chain_now(b, n->in[0]), n->in[1], false)) return false;
        gtr__chain_step *s = gtr__chain_parts(b, n->n_in > 2 ? n->in[2] : -1);
        if (!s || n->op == GTR__OP_LINEAR) return gtr__chain_store(b, s, n, 0);
        if (n->out[1] >= 0 && !gtr__chain_store(b, s, n, 1)) return false;
        return gtr__chain_store(b, gtr__chain_act(b, n, s->n, -1), n, 0);
    }
    const int dy = gtr__chain_now(b, n->in[n->n_in - 1]), dw = n->n_out > 1 ? n->out[1] : -1,
              db = n->n_out > 2 ? n->out[2] : -1, x = dw >= 0 ? gtr__chain_now(b, n->in[0]) : -1;
    if (dy < 0 || (dw >= 0 && x < 0)) return false;
    if ((dw >= 0 || db >= 0) && !gtr__chain_job_add(b, x, dy, dw, db, n->adds >> 1 & 1, n->adds >> 2 & 1)) return false;
    return n->out[0] < 0 || (gtr__chain_multiply(b, dy, n->in[1], true) &&
                                gtr__chain_store(b, gtr__chain_parts(b, -1), n, 0));
}
static bool gtr__chain_scalar_node(gtr__chain_build *b, const gtr__node *n) {
    if (n->dir != GTR__FWD || n->adds || b->n_scalar == GTR__CHAIN_SCALARS || n->n_in > 2 ||
        !(gtr__unary_op(n->op) || gtr__step_of(n->op) == GTR__STEP_BINARY))
        return false;
    for (int k = 0; k < n->n_in; k++) {
        bool made = false;
        for (int i = 0; i < b->n_loss; i++) made |= gtr__chain_root(b, b->loss_out[i]) == gtr__chain_root(b, n->in[k]);
        for (int i = 0; i < b->n_scalar; i++)
            made |= gtr__chain_root(b, b->scalar_id[i][2]) == gtr__chain_root(b, n->in[k]);
        if (!made || gtr__mlp_storage(&b->v, n->in[k]) != GTR_F32) return false;
    }
    if (gtr__mlp_storage(&b->v, n->out[0]) != GTR_F32) return false;
    const gtr__chain_scalar q = { NULL, NULL, NULL, (float)n->attr.f[0], (float)n->attr.f[1], (int)n->op };
    int *id = b->scalar_id[b->n_scalar];
    id[0] = n->in[0];
    id[1] = n->n_in > 1 ? n->in[1] : -1;
    id[2] = n->out[0];
    b->program.scalar[b->n_scalar++] = q;
    return true;
}
static bool gtr__chain_elementwise(gtr__chain_build *b, const gtr__node *n) {
    const bool binary = gtr__step_of(n->op) == GTR__STEP_BINARY, back = n->dir == GTR__BWD;
    if (!back && gtr__mlp_shape(&b->v, n->out[0])->ndim == 0) return gtr__chain_scalar_node(b, n);
    if (!binary) {
        const int x = gtr__chain_now(b, n->in[back ? 2 : 0]);
        int saved = -1;
        if (x < 0) return false;
        if (back && gtr__cuda_needs[n->op] &&
            (saved = gtr__chain_now(b, n->in[gtr__cuda_needs[n->op] & GTR__Y0 ? 1 : 0])) < 0)
            return false;
        gtr__chain_step *s = gtr__chain_ew(b, back ? GTR__CHAIN_UNARY_BACK : GTR__CHAIN_UNARY,
            gtr__unary_op(n->op) ? (int)n->op : GTR__CHAIN_COPY, b->value[x].n, x, saved, -1);
        return (saved < 0 || (s && b->value[saved].n == s->n)) && gtr__chain_store(b, s, n, 0);
    }
    const int op = (int)n->op;
    const int dy = back ? gtr__chain_now(b, n->in[3]) : -1;
    const int64_t full = gtr__mlp_count(&b->v, back ? n->in[3] : n->out[0]);
    if ((back && (dy < 0 || (gtr__cuda_needs[op] && op != GTR__OP_MUL))) || full % b->rows || full / b->rows > 8192)
        return false;
    const int width = (int)(full / b->rows);
    for (int side = 0; side < (back ? 2 : 1); side++) {
        if (back && (side >= n->n_out || n->out[side] < 0)) continue;
        if (back && gtr__mlp_count(&b->v, n->out[side]) != full) { // a row's gradient: sums of columns
            if (op != GTR__OP_ADD || gtr__chain_width(b, n->out[side]) != width ||
                gtr__mlp_count(&b->v, n->out[side]) != width ||
                !gtr__chain_job_add(b, -1, dy, -1, n->out[side], false, n->adds >> side & 1))
                return false;
            continue;
        }
        const int ids[2] = { back ? n->in[3] : n->in[0], back ? op == GTR__OP_MUL ? n->in[1 - side] : -1 : n->in[1] };
        int value[2] = { -1, -1 };
        for (int i = 0; i < 2; i++) {
            if (ids[i] < 0) continue;
            const int64_t count = gtr__mlp_count(&b->v, ids[i]);
            if (count == full && (value[i] = gtr__chain_now(b, ids[i])) < 0) return false;
            if (count != full && count != 1 && (count != width || gtr__chain_width(b, ids[i]) != width)) return false;
            if (count != full && i == 1 && value[0] < 0) return false; // one of both has rows, and one id fits a step
        }
        gtr__chain_step *s = gtr__chain_ew(b,
            !back  ? GTR__CHAIN_BINARY
            : side ? GTR__CHAIN_BINARY_B
                   : GTR__CHAIN_BINARY_A,
            op, width, value[0], value[1], -1);
        if (!s) return false;
        for (int i = 0; i < 2; i++)
            if (ids[i] >= 0 && value[i] < 0 && !gtr__chain_shared(b, s, i, ids[i])) return false;
        if (!gtr__chain_store(b, s, n, back ? side : 0)) return false;
    }
    return true;
}
static bool gtr__chain_dropout(gtr__chain_build *b, const gtr__node *n) {
    const int back = n->dir == GTR__BWD, x = gtr__chain_now(b, n->in[back ? 2 : 0]);
    const gtr_shape *s = gtr__mlp_shape(&b->v, n->out[0]);
    if (x < 0 || n->attr.i[0] || n->attr.i[1] || s->ndim < 1 || s->dim[0] != b->rows) return false;
    const bool none = !n->training || n->attr.f[0] == 0;
    gtr__chain_step *e =
        gtr__chain_ew(b, none ? GTR__CHAIN_UNARY : GTR__CHAIN_DROP, GTR__CHAIN_COPY, b->value[x].n, x, -1, -1);
    if (!e) return false;
    if (!none) {
        e->f1 = (float)(1.0 / (1.0 - n->attr.f[0]));
        e->p[1] = (const void *)(uintptr_t)n->attr.key;
    }
    return gtr__chain_store(b, e, n, 0);
}
static bool gtr__chain_lossnode(gtr__chain_build *b, const gtr__node *n) {
    const bool pair = n->op == GTR__OP_MSE || n->op == GTR__OP_BCE_WITH_LOGITS, back = n->dir == GTR__BWD;
    const int dx = back ? n->out[0] : n->op == GTR__OP_XENT_STEP ? n->out[3] : -1, x = gtr__chain_now(b, n->in[0]);
    if (b->n_loss == GTR__CHAIN_LOSSES || x < 0 || n->adds ||
        (back && n->reads >> (n->n_in - 1) & 1 && n->in[n->n_in - 1] >= 0))
        return false;
    if (back && n->n_out > 1 && n->out[1] >= 0) return false;
    gtr__chain_step *s;
    const int what = (back ? 0 : 1) | (dx >= 0 ? 2 : 0);
    if (pair) {
        const int t = gtr__chain_now(b, n->in[1]);
        if (t < 0 || b->value[t].n != b->value[x].n ||
            !(s = gtr__chain_ew(b, GTR__CHAIN_PAIR, what, b->value[x].n, x, t, -1)))
            return false;
    } else {
        if (b->value[x].outside || gtr__chain_width(b, n->in[0]) != b->value[x].n ||
            gtr__mlp_shape(&b->v, n->in[0])->ndim != 2 || gtr__chain_made(b, n->in[1]))
            return false;
        if (!(s = gtr__chain_add(b, GTR__CHAIN_XENT, b->value[x].n))) return false;
        s->op = (uint8_t)what;
        b->operand[b->n_step - 1][0] = x;
        b->phase++;
        b->value[x].whole = true;
        b->value[x].last_whole = b->phase;
    }
    s->loss = (uint8_t)b->n_loss;
    const int out = dx >= 0 ? gtr__chain_make(b, dx) : -1;
    if (dx >= 0 && out < 0) return false;
    if (out >= 0) {
        b->operand[b->n_step - 1][2] = out;
        s->to = (uint8_t)b->value[out].type;
        b->value[out].local = !pair;
    }
    b->open = false; // its parts are added behind the group
    b->loss_out[b->n_loss] = back ? -1 : n->out[0];
    b->loss_node[b->n_loss++] = (int)(n - b->v.node);
    return true;
}
static bool gtr__chain_is_loss(gtr__op op) {
    return op == GTR__OP_MSE || op == GTR__OP_BCE_WITH_LOGITS || op == GTR__OP_XENT_STEP || op == GTR__OP_CROSS_ENTROPY;
}
static bool gtr__chain_is_product(gtr__op op) {
    return op == GTR__OP_LINEAR || op == GTR__OP_LINEAR_ACT || op == GTR__OP_LINEAR_DACT;
}
static bool gtr__chain_takes(gtr__op op) {
    return gtr__chain_is_product(op) || gtr__chain_is_loss(op) || op == GTR__OP_DROPOUT || op == GTR__OP_CAST ||
           op == GTR__OP_COPY || gtr__unary_op(op) || gtr__step_of(op) == GTR__STEP_BINARY;
}
static bool gtr__chain_node(gtr__chain_build *b, const gtr__node *n) {
    return gtr__chain_is_product(n->op) ? gtr__chain_linear(b, n)
           : gtr__chain_is_loss(n->op)  ? gtr__chain_lossnode(b, n)
           : n->op == GTR__OP_DROPOUT   ? gtr__chain_dropout(b, n)
                                        : gtr__chain_takes(n->op) && gtr__chain_elementwise(b, n);
}
// The rows of the run's first product; 0.
static int gtr__chain_rows(const gtr__chain_build *b) {
    for (int i = 0; i < b->v.n && gtr__chain_takes(b->v.node[i].op); i++) {
        const gtr__node *n = &b->v.node[i];
        if (!gtr__chain_is_product(n->op)) continue;
        const bool back = n->op == GTR__OP_LINEAR && n->dir == GTR__BWD;
        const gtr_shape *w = gtr__mlp_shape(&b->v, n->in[1]);
        const int64_t width = w->ndim == 2 ? w->dim[back || n->op == GTR__OP_LINEAR_DACT ? 0 : 1] : 0,
                      rows = width ? gtr__mlp_count(&b->v, n->in[back ? n->n_in - 1 : 0]) / width : 0;
        return rows <= 1 << 20 ? (int)rows : 0;
    }
    return 0;
}
// Takes nodes from the first one on, as many as a chain has room for.
static void gtr__chain_read(gtr__chain_build *b) {
    const gtr__node *first = &b->v.node[0];
    b->rows = gtr__chain_rows(b);
    for (int i = 0; i < b->v.n && b->rows; b->at = ++i) {
        const gtr__node *n = &b->v.node[i];
        const int value = b->n_value, step = b->n_step, job = b->n_job, loss = b->n_loss, scalar = b->n_scalar,
                  phase = b->phase, products = b->products;
        if ((n->op == GTR__OP_ACCURACY || n->op == GTR__OP_ARGMAX) && n->n_out == 1 &&
            b->n_passed < GTR__CHAIN_PASSED) {
            b->passed[b->n_passed++] = i;
            continue;
        }
        if (n->stage || n->recomputed || n->micro != first->micro || n->row0 != first->row0 || !gtr__chain_node(b, n)) {
            for (int k = 0; k < job && job < b->n_job; k++)
                if (b->program.job[k].next >= job) b->program.job[k].next = -1;
            b->n_value = value;
            b->n_step = step;
            b->n_job = job;
            b->n_loss = loss;
            b->n_scalar = scalar;
            b->phase = phase;
            b->products = products;
            for (int k = 0; k < value; k++) {
                b->value[k].newer = false;
                for (int j = k + 1; j < value; j++) b->value[k].newer |= b->value[j].root == b->value[k].root;
            }
            if (step) b->program.step[step - 1].more = 0;
            break;
        }
        b->nodes = i + 1;
    }
    while (b->n_passed && b->passed[b->n_passed - 1] >= b->nodes) b->n_passed--;
}

// >>chain-cut
typedef struct gtr__chain_span { int at, size, from, to; } gtr__chain_span;
// The first place that is free from one barrier to another.
static int gtr__chain_place(gtr__chain_span *list, int *n, int size, int from, int to, int *top) {
    int at = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < *n; i++)
            if (list[i].from <= to && from <= list[i].to && list[i].at < at + size && at < list[i].at + list[i].size) {
                at = list[i].at + list[i].size;
                moved = true;
            }
    }
    const gtr__chain_span s = { at, size, from, to };
    list[(*n)++] = s;
    if (at + size > *top) *top = at + size;
    return at;
}
// Nanoseconds of a product's stages, in so many parts of k, and of what adds the parts.
static double gtr__chain_stages_ns(int stages, int parts) {
    return 40.0 * ((stages + parts - 1) / parts) + (parts > 1 ? 170 + 8.0 * parts : 0);
}
// Cuts the products' slices into passes, and k where a warp's stages would take longer than to add parts. Returns the
// floats that parts take.
static int gtr__chain_parts_of(gtr__chain_build *b, int rows, int pass) {
    int most = 0;
    for (int i = 0; i < b->n_step; i++) {
        gtr__chain_step *s = &b->program.step[i];
        if (s->kind != GTR__CHAIN_PRODUCT) continue;
        const int each = s->to == GTR_F32 ? 16 : 32, stages = (s->k + each - 1) / each;
        int parts = 1;
        s->cut = gtr__chain_slice(s->n, b->m.cluster);
        s->pass = s->cut < pass ? s->cut : pass;
        for (int n = 2; n <= GTR__CHAIN_WARPS / (s->pass / 32) && n <= stages; n++)
            if (gtr__chain_stages_ns(stages, n) < gtr__chain_stages_ns(stages, parts) &&
                n * rows * (s->cut + 4) * 4 <= GTR__CHAIN_RED)
                parts = n;
        s->parts = (uint8_t)parts;
        s->magic = parts > 1 ? (255 + s->pass / 32) / (s->pass / 32) : 0;
        s->across = 4.0f / (float)s->pass;
        for (int j = i + 1; j < b->n_step && b->program.step[j].kind == GTR__CHAIN_EW; j++)
            b->program.step[j].parts = (uint8_t)parts;
        if (parts * rows * (s->cut + 4) > most) most = parts * rows * (s->cut + 4);
    }
    return most;
}
static int gtr__chain_count(const gtr__chain_step *s) { // a product's chunks
    return (s->cut + s->pass - 1) / s->pass * ((s->k + s->chunk - 1) / s->chunk);
}
// Cuts k into chunks of at most so many bytes. Returns the most that one takes; 0: too many.
static int gtr__chain_chunks(gtr__chain_build *b, int64_t bytes) {
    int most = 0;
    int half = 0;
    b->m.halves = 1;
    b->m.chunks = 0;
    for (int i = 0; i < b->n_step; i++) {
        gtr__chain_step *s = &b->program.step[i];
        if (s->kind != GTR__CHAIN_PRODUCT) continue;
        const int e = (int)gtr__elem(s->to), each = 64 / e, deep = (s->k + each - 1) / each * each;
        auto size = [&](int chunk) { // with the bias
            s->chunk = chunk;
            s->pitch = s->op ? (s->pass * e + 127) / 128 * 128 : chunk * e + 16;
            return (((s->op ? chunk : s->pass) * s->pitch + (s->op ? 0 : s->pass * e)) + 127) / 128 * 128;
        };
        int chunk = deep;
        while (chunk > each && size(chunk) > bytes) chunk -= each;
        if (size(chunk) > bytes) return 0;
        const int chunks = (deep + chunk - 1) / chunk, even = (deep / each + chunks - 1) / chunks,
                  fair = (even + s->parts - 1) / s->parts * s->parts * each; // for the warps as well
        chunk = fair <= chunk ? fair : even * each;
        if (size(chunk) > most) most = size(chunk);
        for (s->log = 2; (16 << s->log) < (s->op ? s->pass : chunk) * e;) s->log++;
        if (s->pass / 32 * s->parts > GTR__CHAIN_WARPS / 2) b->m.halves = 0;
        s->half = half ^= 1;
        s->before = b->m.chunks;
        b->m.chunks += gtr__chain_count(s);
    }
    return most;
}
// Places in shared memory; false: there is no room.
static bool gtr__chain_arrange(gtr__chain_build *b, gtr__chain_cut *k, size_t shared) {
    gtr__chain_span list[GTR__CHAIN_VALUES * 2];
    const int rows = 8 * k->nt;
    int n = 0, top = 0;
    for (int i = 0; i < 2 * b->n_value; i++) { // slices first, which are small and live long
        gtr__chain_value *v = &b->value[i % b->n_value];
        if (i < b->n_value) {
            v->slice_at = v->whole_at = -1;
            if (!v->outside && !v->local && v->last > v->last_whole) v->slice_at =
                gtr__chain_place(list, &n, rows * gtr__chain_slice(v->n, k->cluster), v->def, v->last, &top);
        } else if (v->whole || v->local) {
            const int to = v->local && v->last > v->last_whole ? v->last : v->last_whole;
            const int until = to > v->def ? to : v->def;
            v->whole_at = gtr__chain_place(list, &n, rows * gtr__chain_pitch(v->n), v->def, until, &top);
        }
    }
    b->m.cluster = k->cluster;
    b->m.table = (int)(sizeof b->program.loss + (size_t)b->n_step * sizeof(gtr__chain_step) + 15) / 16 * 16;
    b->m.red = (top + 31) / 32 * 32;
    for (int pass = GTR__CHAIN_PASS; pass >= GTR__CHAIN_PASS / 4; pass /= 2) {
        b->m.ring = b->m.red + (gtr__chain_parts_of(b, rows, pass) + 31) / 32 * 32;
        for (int room = b->products; room <= GTR__CHAIN_CHUNKS; room = b->m.chunks) { // a list of so many chunks
            b->m.pool = (b->m.table + room * (int)sizeof(gtr__chain_chunk) + 127) / 128 * 128;
            const int64_t left = (int64_t)shared - 2048 - b->m.pool - (int64_t)b->m.ring * 4;
            if (!(b->m.slot = gtr__chain_chunks(b, left / GTR__CHAIN_SLOTS))) break;
            if (b->m.chunks > room) continue;
            k->bytes = (size_t)b->m.pool + (size_t)b->m.ring * 4 + (size_t)GTR__CHAIN_SLOTS * (size_t)b->m.slot;
            return true;
        }
    }
    return false;
}
// Microseconds, fitted to networks of 5 to 39 products on an H200: a product's latency, its further chunks, its
// exchange, what it writes to the others' shared memory; its weights from L2, by a multiprocessor and by all;
// arithmetic; what comes behind its first step.
static double gtr__chain_cost(const gtr__chain_build *b, const gtr__chain_cut *k, const gtr__caps *caps) {
    const int rows = 8 * k->nt, tiles = (b->rows + rows - 1) / rows, c = k->cluster,
              room = (c > 2 ? caps->sm_count * 10 / 11 : caps->sm_count) / c,
              waves = (int)gtr__ceil(tiles, room > 0 ? room : 1), busy = (tiles < room ? tiles : room) * c;
    double each = 0;
    for (int i = 0; i < b->n_step; i++) {
        const gtr__chain_step *s = &b->program.step[i];
        const double n = (double)gtr__min64(gtr__chain_slice(s->n, c), gtr__chain_padded(s->n));
        if (s->kind == GTR__CHAIN_PRODUCT) {
            const bool low = s->to != GTR_F32;
            const int row = (s->op ? s->n : s->k) * (low ? 2 : 4);
            const double bytes = n * s->k * (low ? 2 : 4) / (busy > 100 ? 6.2e6 / busy : 62e3),
                         work = n * s->k * rows / (low ? 2.32e6 : 1.16e6);
            const bool turns = s->parts == 1 && b->m.halves && c == 1;
            each += (turns ? 0.45 * (1 + k->nt) : 1.6) + 1.1 * (gtr__chain_count(s) - 1) +
                    (c > 1 ? 0.75 + 0.08 * c + rows * (s->n - n) / 12e3 : 0) + (bytes > work ? bytes : work) +
                    (row % 16 == 0 ? 0 : row % 4 == 0 ? 1 : 2);
        } else if (s->kind == GTR__CHAIN_EW && s->from[0] != GTR__CHAIN_PARTS)
            each += (s->fn == GTR__CHAIN_DROP ? 0.9 : 0.6) * (double)gtr__ceil((int64_t)n * rows / 4, GTR__CHAIN_T);
        else if (s->kind == GTR__CHAIN_XENT) each += 0.7;
    }
    return 9 + waves * each;
}
static bool gtr__chain_choose(gtr__chain_build *b, gtr__chain_cut *best, const gtr__caps *caps) {
    best->cost = 1e30;
    for (int cluster = 1; cluster <= (caps->compute >= 90 && CUDART_VERSION >= 11080 ? 8 : 1); cluster *= 2)
        for (int nt = 1; nt <= 2; nt++) {
            gtr__chain_cut k = { nt, cluster, 0, 0 };
            if (!gtr__chain_arrange(b, &k, caps->shared)) continue;
            k.cost = gtr__chain_cost(b, &k, caps);
            if (k.cost < best->cost) *best = k;
        }
    return best->cost < 1e30 && gtr__chain_arrange(b, best, caps->shared);
}

// >>chain-run
// Nanoseconds of a product as a node: its launch, and what its own kernels' choice goes by.
static double gtr__chain_product_ns(const gtr__chain_build *b, const gtr__caps *caps, int64_t m, int64_t n, int64_t k,
    int a_k, int b_k) {
    gtr__product p = gtr__product_none();
    p.m = m; p.n = n; p.k = k; p.a_k = a_k; p.b_k = b_k;
    p.lda = a_k ? k : m; p.ldb = b_k ? k : n; p.ldc = n;
    p.type_a = p.type_b = b->precision == GTR_TF32 ? GTR_F32 : b->precision == GTR_MIXED_BF16 ? GTR_BF16 : GTR_F16;
    p.type_c = a_k ? p.type_a : GTR_F32;
    return 1300 + gtr__product_choice(&p, caps, b->precision).ns;
}
// Microseconds of the run's nodes, fitted to the same networks, within 20 %: products that others wait for, one behind
// the other, each of which begins while the one in front of it ends; gradients of weights go beside those behind them.
static double gtr__chain_apart(const gtr__chain_build *b, const gtr__caps *caps) {
    double ns = 0, last = 0;
    for (int i = 0; i < b->nodes; i++) {
        const gtr__node *n = &b->v.node[i];
        if (!gtr__chain_is_product(n->op)) {
            for (int k = 0; k < GTR__ALL(n); k++)
                if (n->in[k] >= 0) ns += 0.35e-3 * (double)gtr__mlp_count(&b->v, n->in[k]);
            ns += 525;
            continue;
        }
        const gtr_shape *w = gtr__mlp_shape(&b->v, n->in[1]);
        const int64_t rows = b->rows, out = w->dim[0], in = w->dim[1];
        const bool back = n->op == GTR__OP_LINEAR && n->dir == GTR__BWD, dx = n->op == GTR__OP_LINEAR_DACT;
        if (back && n->n_out > 1 && n->out[1] >= 0) last = gtr__chain_product_ns(b, caps, out, in, rows, 0, 0);
        if (back && n->out[0] < 0) continue;
        if (b->precision != GTR_TF32 && in % 8) ns += in % 2 ? 4000 : 1500; // rows of no whole 16 bytes
        ns += 2670 + 0.35 * (back || dx ? gtr__chain_product_ns(b, caps, rows, in, out, 1, 0)
                                        : gtr__chain_product_ns(b, caps, rows, out, in, 1, 1));
        last = 0;
    }
    return (ns + 2.9 * last) / 1000;
}
static int gtr__chain_tiles(const gtr__chain_job *q, int T) {
    return q->first < 0 ? 0 : (q->n + T - 1) / T * (q->k ? (q->k + T - 1) / T : 1);
}
// The tiles' edge of the gradients of weights, and how many blocks share one's rows, by what was measured on an H200: a
// block's start, a step's latency, what blocks of one multiprocessor hold each other up. Returns microseconds.
static double gtr__chain_split(gtr__chain_build *b, const gtr__caps *caps) {
    gtr__chain_sums *m = &b->sums;
    double best = 1e30;
    int pairs = 1;
    m->jobs = b->n_job;
    for (int i = 0; i < b->n_job; i++) {
        int n = 1;
        for (int k = b->program.job[i].next; k >= 0; k = b->program.job[k].next) n++;
        if (n > pairs) pairs = n;
    }
    const int steps = (int)gtr__ceil(b->rows, b->precision != GTR_TF32 ? 64 : 32) * pairs;
    const int splits = caps->compute >= 90 && CUDART_VERSION >= 11080 ? 4 : 1;
    for (int T = 64; T >= 32; T -= 32) {
        int tiles = 0;
        for (int i = 0; i < b->n_job; i++) tiles += gtr__chain_tiles(&b->program.job[i], T);
        for (int s = 0; s < splits && 1 << s <= steps; s++) {
            const double us = (T == 64 ? 2 : 1.2) + 1.15 * (double)gtr__ceil(steps, 1 << s) +
                              (double)gtr__ceil((int64_t)tiles << s, caps->sm_count) * (s ? 1.45 : 0.95);
            if (us >= best) continue;
            best = us;
            m->tile = T;
            m->tiles = tiles;
            m->split_log = s;
        }
    }
    for (int i = 0, first = 0; i < b->n_job; i++) {
        gtr__chain_job *q = &b->program.job[i];
        if (q->first < 0) continue;
        q->first = first;
        first += gtr__chain_tiles(q, m->tile);
    }
    return best;
}
static void gtr__chain_begin(gtr__chain_build *b, const gtr__mlp_view *v, const int *root, gtr_precision precision) {
    memset((void *)b, 0, sizeof *b);
    b->v = *v;
    b->root = root;
    b->precision = precision;
    gtr__chain_read(b);
}
static bool gtr__chain_pays(gtr__chain_build *b, gtr__chain_cut *k, const gtr__caps *caps) {
    if (b->products < 2 || !gtr__chain_choose(b, k, caps)) return false;
    double cost = k->cost + gtr__chain_split(b, caps);
    // By the estimates, in nets of the kinds that were measured, not in runs of two or three products. Of 51 networks
    // on an H200 0.7 takes none that nodes are quicker for, and leaves four that chains are up to 12 % quicker for.
    return caps->chains > 0 || (b->products > 3 && cost < 0.7 * gtr__chain_apart(b, caps));
}
static int gtr__chain_match(gtr__plan *plan, int at, const gtr__caps *caps) {
    if (at && gtr__chain_takes(plan->node[at - 1].op)) return 0; // a run was declined: so is its rest
    if (caps->compute < 80 || plan->n_stage != 1 || plan->precision == GTR_FP32 || caps->chains < 0 ||
        !gtr__chain_takes(plan->node[at].op))
        return 0;
    gtr__chain_build *b = (gtr__chain_build *)malloc(sizeof *b);
    gtr__chain_cut k;
    const gtr__mlp_view v = { plan->node + at, plan->n_node - at, plan, NULL };
    int nodes = 0;
    if (!b) return 0;
    gtr__chain_begin(b, &v, NULL, plan->precision);
    if (gtr__chain_pays(b, &k, caps)) nodes = b->nodes;
    free(b);
    return nodes;
}
static void *gtr__chain_data(const gtr__chain_build *b, int id) {
    return id < 0 ? NULL : gtr__mlp_arg(&b->v, id)->data;
}
// Places and addresses into a step.
static void gtr__chain_bind_step(gtr__chain_build *b, int i) {
    gtr__chain_step *s = &b->program.step[i];
    const int *o = b->operand[i];
    bool wide = s->n % 4 == 0;
    if (s->kind == GTR__CHAIN_PRODUCT) {
        s->p[0] = gtr__chain_data(b, o[3]);
        s->at[0] = b->value[o[0]].whole_at;
        const int rows = (s->op ? s->n : s->k) * (int)gtr__elem(s->to) | (int)((uintptr_t)s->p[0] & 15);
        s->wide = rows % 16 == 0 ? 2 : rows % 4 == 0;
        return;
    }
    for (int k = 0; k < 2; k++) {
        const gtr__chain_value *v = o[k] >= 0 ? &b->value[o[k]] : NULL;
        if (s->from[k] == GTR__CHAIN_ROW || s->from[k] == GTR__CHAIN_ONE) {
            s->p[k] = gtr__chain_data(b, o[3]);
            wide = wide && (s->from[k] == GTR__CHAIN_ONE || gtr__wide(s->p[k], s->type[k]));
        }
        if (!v) continue;
        s->type[k] = (uint8_t)v->type;
        if (s->from[k] == GTR__CHAIN_SLICE && v->slice_at < 0) s->from[k] = GTR__CHAIN_WHOLE;
        s->at[k] = s->from[k] == GTR__CHAIN_SLICE ? v->slice_at : v->whole_at;
        if (v->outside) {
            s->p[k] = v->p;
            wide = wide && gtr__wide(v->p, v->type);
        }
    }
    if (o[2] >= 0) {
        const gtr__chain_value *v = &b->value[o[2]];
        s->slice = v->slice_at;
        s->whole = v->whole_at;
        if (!v->outside) {
            s->out = v->p;
            wide = wide && gtr__wide(v->p, v->type);
        }
    }
    s->wide = wide;
}
// Steps behind a product that its epilogue can do; they stay in the list, and are passed over.
static void gtr__chain_fuse(gtr__chain_build *b, int i) {
    gtr__chain_step *s = &b->program.step[i], *e = s + 1;
    const int type = s->to;
    const bool bias = e->fn == GTR__CHAIN_BINARY && e->op == GTR__OP_ADD && e->from[1] == GTR__CHAIN_ROW,
               back = e->fn == GTR__CHAIN_UNARY_BACK;
    auto inside = [](int from) { return from == GTR__CHAIN_SLICE || from == GTR__CHAIN_WHOLE; };
    auto unstored = [](const gtr__chain_step *x) { return x->slice < 0 && x->whole < 0 && !x->out; };
    auto takes = [&](const gtr__chain_step *x) { return x->to == type || unstored(x); };
    s->fused = s->act_kind = s->raw = s->wide_bias = s->next = 0;
    s->add = s->pre = s->slice = s->whole = -1;
    s->out = s->pre_out = NULL;
    s->p[1] = NULL;
    if (e->kind != GTR__CHAIN_EW || e->from[0] != GTR__CHAIN_PARTS || !takes(e) || (bias && e->type[1] != type)) return;
    if (!bias && !(back && inside(e->from[1])) && !(e->fn == GTR__CHAIN_UNARY && e->op == GTR__CHAIN_COPY)) return;
    int steps = 1;
    const gtr__chain_step *last = e;
    s->raw = back || e->to != type;
    if (back) {
        s->act_kind = 2;
        s->at[1] = e->at[1];
        s->from[1] = e->from[1];
    } else if (e->more && e[1].fn == GTR__CHAIN_UNARY && e[1].op != GTR__CHAIN_COPY &&
               e[1].from[0] == GTR__CHAIN_LAST && takes(e + 1) && e->whole < 0) {
        s->act_kind = 1;
        s->pre = e->slice;
        s->pre_out = e->out;
        last = e + steps++;
    }
    if (s->act_kind) {
        s->act = last->op;
        s->f0 = last->f0;
        s->f1 = last->f1;
        s->raw |= last->to != type ? 2 : 0;
    }
    const gtr__chain_step *next = last + 1;
    const int other = last->more && next->from[0] == GTR__CHAIN_LAST;
    if (last->more && next->fn == GTR__CHAIN_BINARY && next->op == GTR__OP_ADD &&
        next->from[!other] == GTR__CHAIN_LAST && inside(next->from[other]) &&
        (s->act_kind ? unstored(last) : last->whole < 0)) {
        if (!s->act_kind) {
            s->pre = last->slice;
            s->pre_out = last->out;
        }
        s->add = next->at[other];
        s->add_from = next->from[other];
        last = next;
        steps++;
    }
    if (last->to != type) return;
    for (int k = 0; k < 2 && last->more; k++) { // the next step finds it in shared memory
        gtr__chain_step *behind = e + steps;
        if (behind->from[k] != GTR__CHAIN_LAST) continue;
        if (last->slice < 0 && last->whole < 0) return;
        behind->from[k] = last->slice >= 0 ? GTR__CHAIN_SLICE : GTR__CHAIN_WHOLE;
        behind->at[k] = last->slice >= 0 ? last->slice : last->whole;
    }
    if (bias) {
        s->p[1] = e->p[1];
        s->wide_bias = s->n * gtr__elem(type) % 16 == 0 && ((uintptr_t)e->p[1] & 15) == 0;
    }
    s->fused = (uint8_t)steps;
    s->slice = last->slice;
    s->whole = last->whole;
    s->out = last->out;
    s->wide_out = e->wide && last->wide;
    s->next = i + 1 + steps < b->n_step && e[steps].kind == GTR__CHAIN_PRODUCT;
}
static void gtr__chain_bind_losses(gtr__chain_build *b, const gtr__call *c) {
    for (int i = 0; i < b->n_loss; i++) {
        const gtr__node *n = &b->v.node[b->loss_node[i]];
        gtr__chain_loss *q = &b->program.loss[i];
        gtr__arg in[16], out[16];
        const gtr__call one = gtr__mlp_call(c, n, in, out);
        const bool forward = n->dir == GTR__FWD;
        q->pairs = n->op != GTR__OP_XENT_STEP && n->op != GTR__OP_CROSS_ENTROPY;
        if (q->pairs) {
            q->pair.dy = gtr__opd_of(NULL);
            q->pair.dt = gtr__opd_of(forward ? &out[0] : NULL);
            q->pair.count = in[0].count;
            q->pair.seed = n->seed;
            q->pair.ctl = c->ctl;
            q->pair.square = n->op != GTR__OP_BCE_WITH_LOGITS;
        } else {
            gtr__call d = one;
            if (!forward) d.n_in -= 4; // the loss, lse, count, dy
            gtr__xent_make(&q->xent, &d, 32);
            q->xent.loss = gtr__opd_of(forward ? &out[0] : NULL);
            q->xent.lse = gtr__opd_of(forward && one.n_out > 1 ? &out[1] : NULL);
            q->xent.count = gtr__opd_of(forward && one.n_out > 2 ? &out[2] : NULL);
        }
    }
}
// Addresses of all, workspace behind the losses' parts. Returns workspace's bytes.
static size_t gtr__chain_bind(gtr__chain_build *b, const gtr__call *c, const gtr__chain_cut *k) {
    const int blocks = (b->rows + 8 * k->nt - 1) / (8 * k->nt) * k->cluster;
    size_t bytes = gtr__pad256((size_t)blocks * GTR__CHAIN_LOSSES * sizeof(float));
    for (int i = 0; i < b->n_value; i++) {
        gtr__chain_value *v = &b->value[i];
        v->p = v->newer ? NULL : gtr__chain_data(b, v->id);
        if (v->p || !v->wanted) continue;
        v->p = (char *)c->ws + bytes;
        bytes += gtr__pad256((size_t)b->rows * (size_t)v->n * (size_t)gtr__elem(v->type));
    }
    if (c->measure) return bytes;
    b->m.n = b->n_step;
    b->m.rows = b->sums.rows = b->rows;
    b->m.row0 = c->row0;
    b->m.ctl = c->ctl;
    b->m.losses = b->n_loss;
    b->m.part = b->sums.part = (float *)c->ws;
    b->m.row0 = b->v.node[0].row0;
    b->sums.losses = b->n_loss;
    b->sums.scalars = b->n_scalar;
    b->sums.blocks = blocks;
    gtr__chain_bind_losses(b, c);
    for (int i = 0; i < b->n_step; i++) gtr__chain_bind_step(b, i);
    for (int i = b->n_step - 1; i >= 0; i--)
        if (b->program.step[i].kind == GTR__CHAIN_PRODUCT) gtr__chain_fuse(b, i);
    for (int i = 0; i < b->n_job; i++) {
        gtr__chain_job *q = &b->program.job[i];
        const int *v = b->job_value[i];
        q->dy = b->value[v[1]].p;
        q->x = v[0] >= 0 ? b->value[v[0]].p : NULL;
        q->dw = (float *)gtr__chain_data(b, v[2]);
        q->db = (float *)gtr__chain_data(b, v[3]);
        q->wide = gtr__vectors(q->dy, q->n, q->n, 0, 0, 16 / (int)gtr__elem(q->type)) |
                  gtr__vectors(q->x, q->k, q->k, 0, 0, 16 / (int)gtr__elem(q->type)) << 1 |
                  gtr__vectors(q->dw, q->k, q->k, 0, 0, 4) << 2;
    }
    for (int i = 0; i < b->n_scalar; i++) {
        b->program.scalar[i].a = (const float *)gtr__chain_data(b, b->scalar_id[i][0]);
        b->program.scalar[i].b = (const float *)gtr__chain_data(b, b->scalar_id[i][1]);
        b->program.scalar[i].y = (float *)gtr__chain_data(b, b->scalar_id[i][2]);
    }
    return bytes;
}
template <int NT, int LOW> static gtr_result gtr__chain_start(
    void *instance, const gtr__call *c, gtr__chain_build *b, const gtr__chain_cut *k) {
    if (c->fits) {
        gtr__together all = gtr__all_of(gtr__k_chain<NT, LOW>, &b->m, k->cluster, GTR__CHAIN_T, k->bytes, k->cluster);
        *c->fits = all.fits(instance, c->caps);
        return GTR_OK;
    }
    GTR__TRY(gtr__check(instance,
        cudaFuncSetAttribute(
            (const void *)gtr__k_chain<NT, LOW>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)k->bytes),
        "cudaFuncSetAttribute"));
    return gtr__start(instance, (cudaStream_t)c->stream, "gtr__k_chain", gtr__k_chain<NT, LOW>,
        dim3((unsigned)b->sums.blocks), dim3(GTR__CHAIN_T), k->bytes, (unsigned)k->cluster, b->m);
}
template <int LOW> static gtr_result gtr__chain_start_low(
    void *instance, const gtr__call *c, gtr__chain_build *b, const gtr__chain_cut *k) {
    return k->nt == 1 ? gtr__chain_start<1, LOW>(instance, c, b, k) : gtr__chain_start<2, LOW>(instance, c, b, k);
}
template <int KIND> static gtr_result gtr__chain_sum(void *instance, const gtr__call *c, const gtr__chain_sums &m) {
    constexpr int ES = KIND == GTR__PRODUCT_HALF ? 2 : 4;
    void (*kernel)(gtr__chain_sums) = m.tile == 32 ? gtr__k_chain_sums<KIND, 32> : gtr__k_chain_sums<KIND, 64>;
    const int bytes = 8 * (m.tile == 32 ? gtr__operand<ES, 32, false>::bytes : gtr__operand<ES, 64, false>::bytes);
    GTR__TRY(gtr__check(instance, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "cudaFuncSetAttribute"));
    return gtr__start(instance, (cudaStream_t)c->stream, "gtr__k_chain_sums", kernel,
        dim3((unsigned)(m.tiles + 1) << m.split_log), dim3(128), (size_t)bytes, 1u << m.split_log, m);
}
// Whether all gradients are watched while they are made: then they will be.
static uint32_t *gtr__chain_watches(void *instance, const gtr__call *c, const gtr__chain_build *b) {
    uint32_t *guard = NULL;
    for (int asks = 1; asks >= 0; asks--)
        for (int i = 0; i < b->n_job; i++) {
            const gtr__chain_job *q = &b->program.job[i];
            if (q->first >= 0 && !(guard = gtr__watches(instance, c, q->dw, q->db, asks))) return NULL;
        }
    return guard;
}
static gtr_result gtr__chain_go(void *instance, const gtr__call *c, gtr__chain_build *b) {
    const gtr__network *w = (const gtr__network *)c->attr->ptr;
    const gtr__mlp_view v = { w->node, w->n_node, NULL, c };
    gtr__chain_cut k;
    gtr__chain_begin(b, &v, w->root, c->precision);
    if (b->nodes != w->n_node || !gtr__chain_choose(b, &k, c->caps))
        return gtr__fail(instance, GTR_ERR_UNSUPPORTED, "network: not what its matcher took");
    gtr__chain_split(b, c->caps);
    const size_t bytes = gtr__chain_bind(b, c, &k);
    if (c->measure) *c->measure = bytes;
    for (int i = 0; c->measure && i < b->n_passed; i++)
        GTR__TRY(gtr__wide_node(instance, c, &w->node[b->passed[i]], -1));
    if (c->measure) return GTR_OK;
    if (bytes > c->ws_bytes)
        return gtr__fail(instance, GTR_ERR_STATE, "network: workspace of %zu bytes is too small", c->ws_bytes);
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    gtr__chain_program *own = (gtr__chain_program *)c->out[c->n_out - 1].data;
    b->m.program = b->sums.program = own;
    if (!c->fits) GTR__TRY(gtr__check(instance,
        cudaStreamIsCapturing((cudaStream_t)c->stream, &capturing), "cudaStreamIsCapturing"));
    if (!c->fits && capturing == cudaStreamCaptureStatusNone) { // a plan's first run is eager
        GTR__TRY(gtr__check(instance,
            cudaMemcpyAsync(own, &b->program, sizeof b->program, cudaMemcpyHostToDevice, (cudaStream_t)c->stream),
            "cudaMemcpyAsync"));
        ((gtr__cuda *)instance)->overlap = 0; // the kernel's predecessor is none
    }
    const int type = b->precision == GTR_TF32         ? GTR_F32
                     : b->precision == GTR_MIXED_BF16 ? GTR_BF16
                                                      : GTR_F16;
    GTR__TRY(type == GTR_F32    ? gtr__chain_start_low<0>(instance, c, b, &k)
             : type == GTR_BF16 ? gtr__chain_start_low<1>(instance, c, b, &k)
                                : gtr__chain_start_low<2>(instance, c, b, &k));
    if (c->fits) return GTR_OK;
    b->sums.guard = gtr__chain_watches(instance, c, b);
    if (b->n_job || b->n_loss)
        GTR__TRY(type == GTR_F32 ? gtr__chain_sum<GTR__PRODUCT_TF32>(instance, c, b->sums)
                                 : gtr__chain_sum<GTR__PRODUCT_HALF>(instance, c, b->sums));
    for (int i = 0; i < b->n_passed; i++) GTR__TRY(gtr__wide_node(instance, c, &w->node[b->passed[i]], -1));
    return GTR_OK;
}
static gtr_result gtr__chain_run(void *instance, const gtr__call *c) {
    gtr__chain_build *b = (gtr__chain_build *)malloc(sizeof *b);
    const gtr_result r = b ? gtr__chain_go(instance, c, b) : gtr__fail(instance, GTR_ERR_NOMEM, "out of host memory");
    free(b);
    return r;
}

// >>match-groups
// Small products of one shape and form, none of which reads or writes what another does, in one launch: layers side by
// side, and gradients of weights, which wait for others like them. A step of small products is bound by its launches:
// two blocks of attention took 150 us on an H200 in 57, 138 in 45, four residual blocks 104 in 32, 94 in 26.
#define GTR__GROUP_FLOPS 0.3e6      // a multiprocessor's: a mixer's of 0.5e6 took 5 us less one by one
static bool gtr__group_takes(const gtr__plan *plan, const gtr__node *n, const gtr__caps *caps) {
    for (int k = 0; k < GTR__ALL(n); k++)       // views have other kernels
        if (n->in[k] >= 0 && plan->value[n->in[k]].stride[0]) return false;
    return GTR__TENSOR_MAPS && caps->arch_feature && plan->precision != GTR_FP32 && plan->n_stage < 2
        && n < plan->node + plan->split && n->flops < caps->sm_count * GTR__GROUP_FLOPS
        && (n->op == GTR__OP_LINEAR || n->op == GTR__OP_LINEAR_ACT || n->op == GTR__OP_LINEAR_DACT
            || n->op == GTR__OP_MATMUL);
}
static bool gtr__value_alike(const gtr__value &x, const gtr__value &y) {
    return x.storage == y.storage && x.shape.ndim == y.shape.ndim && !memcmp(x.stride, y.stride, sizeof x.stride)
        && !memcmp(x.shape.dim, y.shape.dim, (size_t)x.shape.ndim * sizeof *x.shape.dim);
}
static bool gtr__group_alike(const gtr__plan *plan, const gtr__node *a, const gtr__node *b) {
    if (a->op != b->op || a->dir != b->dir || a->stage != b->stage || a->micro != b->micro || a->adds != b->adds
        || a->recomputed != b->recomputed || a->n_in != b->n_in || a->n_out != b->n_out
        || memcmp(&a->attr, &b->attr, sizeof a->attr)) return false;
    for (int k = 0; k < GTR__ALL(a); k++) {
        if (a->in[k] < 0 || b->in[k] < 0) { if (a->in[k] != b->in[k]) return false; continue; }
        if (!gtr__value_alike(plan->value[a->in[k]], plan->value[b->in[k]])) return false;
    }
    return true;
}
// A product that adds to a gradient in its place gets a place of its own, so that what reads the gradient may come
// later; it has it for an input then where it would have its layer's output, which it does not need.
static bool gtr__group_apart(gtr__plan *plan, int j) {
    gtr__node *n = &plan->node[j];
    const int v = n->out[0], y = n->n_in - 2, root = v < 0 ? -1 : gtr__root(plan, v);
    if ((n->op != GTR__OP_LINEAR && n->op != GTR__OP_MATMUL) || n->dir != GTR__BWD || n->adds != 1 || root == v
        || n->reads >> y & 1 || plan->value[v].offset || plan->value[v].stride[0] || plan->value[root].stride[0]
        || plan->value[root].home != GTR__HOME_ARENA) return false;
    bool ok = true;     // up to here nobody uses what others use behind it: those move along
    int from = -1;
    for (int pass = 0; pass < 3 && (pass < 2 || (ok && from >= 0)); pass++)
        for (int i = pass ? j + 1 : 0; i < (pass ? plan->n_node : j + 1); i++)
            for (int k = 0; k < GTR__ALL(&plan->node[i]); k++) {
                const int id = plan->node[i].in[k];
                if (gtr__use(plan, &plan->node[i], k) != root || (i == j && id == v)) continue;
                gtr__value *x = &plan->value[id];
                ok &= pass == 2 || ((id == root || x->alias == root) && !(pass && x->producer == -2));
                if (!pass) x->producer = -2;
                if (i < j && !x->offset && gtr__value_alike(*x, plan->value[v])) from = id;
                if (pass == 2 && id != v) x->alias = v;
            }
    for (int i = 0; i < plan->n_value; i++) if (plan->value[i].producer == -2) plan->value[i].producer = -1;
    if (!ok || from < 0) return false;
    plan->value[v].home = GTR__HOME_ARENA; plan->value[v].alias = -1;
    n->in[y] = from;
    n->reads |= (uint64_t)1 << y;
    n->adds = 0;
    n->attr.i[5] = 1;
    return true;
}
// Gradients of weights go where the next of their kind is, unless values are made anew, where memory counts.
#define GTR__GROUP_BYTES 32e6       // that they read and that must be kept until then
static void gtr__group_gradients(gtr__plan *plan, const gtr__caps *caps) {
    double kept = 0;
    for (int i = 0; i < plan->split; i++) if (plan->node[i].recomputed) return;
    for (int i = plan->split - 1; i >= 0; i--) {
        const gtr__node *n = &plan->node[i];
        if (!gtr__group_takes(plan, n, caps) || n->out[0] >= 0 || !gtr__gradients_of(plan, n)) continue;
        int to = i + 1;
        while (to < plan->split && !gtr__group_alike(plan, n, &plan->node[to])) to++;
        for (int k = 0; k < n->n_in; k++) {
            const int v = gtr__use(plan, n, k);
            double bytes = v < 0 ? 0 : 4;
            for (int d = 0; v >= 0 && d < plan->value[v].shape.ndim; d++) bytes *= (double)plan->value[v].shape.dim[d];
            kept += bytes;
        }
        bool free = kept < GTR__GROUP_BYTES;
        for (int j = i + 1; j < plan->split && j <= to && free; j++)
            free = !gtr__nodes_depend(plan, n, &plan->node[j]) || (j < to && gtr__group_apart(plan, j));
        if (free && to < plan->split) gtr__node_move(plan, i, to - 1);
    }
}
static int gtr__group_match(gtr__plan *plan, int at, const gtr__caps *caps) {
    if (at == 0) gtr__group_gradients(plan, caps);
    const gtr__node *n = &plan->node[at];
    int count = 1;
    if (!gtr__group_takes(plan, n, caps)) return 0;
    for (int j = at + 1; j < plan->split && j < at + 16 && count < GTR__SETS; j++) {
        bool free = gtr__group_alike(plan, n, &plan->node[j]);
        for (int i = at; i < j && free; i++) free = !gtr__nodes_depend(plan, &plan->node[i], &plan->node[j]);
        if (free) gtr__node_move(plan, j, at + count++);
    }
    return count > 1 ? count : 0;
}
static gtr_result gtr__group_run(void *instance, const gtr__call *c) {
    const gtr__network *w = (const gtr__network *)c->attr->ptr;
    void *none, **place = c->measure ? &none : &((gtr__cuda *)instance)->group;    // measuring needs no instance
    gtr__group group;
    gtr_result r = GTR_OK;
    if (c->fits) { *c->fits = 1; return GTR_OK; }
    if (c->measure) *c->measure = 0;
    memset((void *)&group, 0, sizeof group);
    *place = &group;
    for (int i = 0; i < w->n_node && r == GTR_OK; i++) r = gtr__wide_node(instance, c, &w->node[i], -1);
    *place = NULL;
    if (c->measure) return r;
    if (group.p.sets == 1) group.p.sets = 0;
    return r == GTR_OK && group.p.c ? gtr__product_whole(instance, c, &group.p, &group.choice) : r;
}

// >>matchers
static const gtr__matcher gtr__cuda_matchers[] = {
    { "narrow multilayer perceptron, steps in one launch", gtr__field_match, gtr__field_run, GTR__LAUNCH_STEPS,
      0, 1, NULL, 0, 0, 1, 0, 0 },
    { "multilayer perceptron, many steps in one launch", gtr__res_match, gtr__res_run, GTR__LAUNCH_STEPS,
      1, 0, NULL, 0, 0, 1, 0, 0 },
    { "multilayer perceptron on a tall batch of bytes, many steps in one launch", gtr__tall_match, gtr__tall_run,
      GTR__LAUNCH_STEPS, 1, 0, NULL, 0, 1, 1, 0, 0 },
    { "chain", gtr__chain_match, gtr__chain_run, 1, 0, 0, NULL, 0, 0, 0, sizeof(gtr__chain_program), 0 },
#if GTR__TENSOR_MAPS
    { "gradients of large weights used up by their update", gtr__wide_match, gtr__wide_run_unstored, 1,
      1, 0, gtr__wide_own, 1, 0, 0, 0, 0 },
    { "gradients of large weights with their update", gtr__wide_match, gtr__wide_run, 1,
      0, 0, gtr__wide_own, 0, 0, 0, 0, 0 },
#endif
    { "lookups of several tables", gtr__tables_match, gtr__tables_run, 1, 0, 0, NULL, 0, 0, 0, 0, 0 },
    { "update and report", gtr__finish_match, gtr__finish_run, 1, 0, 0, NULL, 0, 0, 0, 0, 0 },
    { "element-wise program", gtr__program_match, gtr__cuda_program, 1, 0, 1, NULL, 0, 0, 0, 0, 1 },
    { "products side by side", gtr__group_match, gtr__group_run, 1, 0, 0, NULL, 0, 0, 0, 0, 1 },
};
// A run of nodes that a matcher took together (op:network, above): its kernel knows what to do.
static gtr_result gtr__cuda_network_fwd(void *instance, const gtr__call *c) {
    const gtr__backend *be = GTR__CUDA_SYMBOL();
    int64_t i = c->attr->i[0];
    if (i < 0 || i >= be->n_matchers)
        return gtr__fail(instance, GTR_ERR_ARG, "matcher %lld is not of this backend", (long long)i);
    return be->matchers[i].kernel(instance, c);
}

// >>table
// Generated from the op rows: a row that says it has a kernel (a backward) needs gtr__cuda_<name>_fwd (_bwd),
// or this does not compile.

#define GTR__SLOT_0(function) NULL
#define GTR__SLOT_1(function) function
#define GTR__SLOTS(ID, name, nout, ndiff, cls, needs, flags, f, b) { \
    GTR__SLOT_##f(gtr__cuda_##name##_fwd), GTR__SLOT_##b(gtr__cuda_##name##_bwd) },

static const gtr__backend gtr__cuda_backend = {
    GTR__SEAM, "cuda " GPUTRAIN_VERSION,
    gtr__cuda_create, gtr__cuda_destroy, gtr__cuda_capabilities,
    gtr__cuda_alloc, gtr__cuda_free, gtr__cuda_host_alloc, gtr__cuda_host_free,
    gtr__cuda_copy, gtr__cuda_zero, gtr__cuda_wait,
    gtr__cuda_upload, gtr__cuda_ready, gtr__cuda_wait_for, gtr__cuda_event_free,
    gtr__cuda_memory_info, gtr__cuda_environment, gtr__cuda_seconds,
    { GTR__OPS(GTR__SLOTS) },
    gtr__cuda_matchers, (int)(sizeof gtr__cuda_matchers / sizeof *gtr__cuda_matchers),
    gtr__cuda_prepare, gtr__cuda_launch, gtr__cuda_run_node, gtr__cuda_release,
};

static gtr__kernel gtr__cuda_kernel(int op, int dir) {
    return op >= 0 && op < GTR__OP_COUNT && dir >= 0 && dir < GTR__DIR_COUNT ? gtr__cuda_backend.kernel[op][dir] : NULL;
}

extern "C" const gtr__backend *GTR__CUDA_SYMBOL(void) { return &gtr__cuda_backend; }
