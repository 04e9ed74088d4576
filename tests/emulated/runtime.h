// CUDA's runtime, and the driver's functions that make tensor maps. cuda_runtime.h includes it, after device.h.

namespace emu {
// What both kinds of tensor map have in common, into *map, which *out then is.
inline CUresult encode(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *data,
                       const cuuint64_t *extent, const cuuint64_t *stride, const cuuint32_t *step,
                       CUtensorMapSwizzle swizzle, tensor_map **out) {
    tensor_map *m = (tensor_map *)map;
    memset((void *)map, 0, sizeof *map);
    if (rank < 1 || rank > 5 || (uintptr_t)data % 16 || (uintptr_t)map % 64) return CUDA_ERROR_INVALID_VALUE;
    m->data = (char *)data;
    m->rank = (uint8_t)rank;
    switch (type) {
        case CU_TENSOR_MAP_DATA_TYPE_UINT8: m->size = 1; break;
        case CU_TENSOR_MAP_DATA_TYPE_UINT16:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
        case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: m->size = 2; break;
        default: m->size = 4;
    }
    m->round = type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
    m->swizzle = swizzle == CU_TENSOR_MAP_SWIZZLE_128B ? 1
        : swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 2 : swizzle == CU_TENSOR_MAP_SWIZZLE_32B ? 3 : 0;
    for (cuuint32_t d = 0; d < rank; d++) {
        if (extent[d] < 1 || extent[d] > 1ull << 32 || step[d] < 1 || step[d] > 8) return CUDA_ERROR_INVALID_VALUE;
        m->extent[d] = (uint32_t)extent[d];
        m->step[d] = (uint8_t)step[d];
        if (d && (stride[d - 1] % 16 || stride[d - 1] >= 1ull << 40)) return CUDA_ERROR_INVALID_VALUE;
        if (d) m->stride[d] = stride[d - 1];
    }
    *out = m;
    return CUDA_SUCCESS;
}
// Whether a box's lines of `inner` elements have a size that the map's swizzle takes.
inline bool fits(const tensor_map *m, uint32_t inner) {
    const uint32_t bytes = inner * m->size;
    return bytes % 16 == 0 && (!m->swizzle || bytes <= 256u >> m->swizzle);
}
inline CUresult encode_tiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *data,
                             const cuuint64_t *extent, const cuuint64_t *stride, const cuuint32_t *box,
                             const cuuint32_t *step, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
                             CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
    tensor_map *m;
    CUresult r = encode(map, type, rank, data, extent, stride, step, swizzle, &m);
    if (r != CUDA_SUCCESS) return r;
    for (cuuint32_t d = 0; d < rank; d++) {
        if (box[d] < 1 || box[d] > 256) return CUDA_ERROR_INVALID_VALUE;
        m->box[d] = (uint16_t)((box[d] + step[d] - 1) / step[d]);
    }
    return fits(m, box[0]) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
inline CUresult encode_im2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *data,
                              const cuuint64_t *extent, const cuuint64_t *stride, const int *lower, const int *upper,
                              cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *step, CUtensorMapInterleave,
                              CUtensorMapSwizzle swizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
    tensor_map *m;
    CUresult r = encode(map, type, rank, data, extent, stride, step, swizzle, &m);
    if (r != CUDA_SUCCESS) return r;
    if (rank < 3 || channels < 1 || channels > 256 || pixels < 1 || pixels > 1024) return CUDA_ERROR_INVALID_VALUE;
    const int limit = 1 << (rank == 3 ? 15 : rank == 4 ? 7 : 4);
    for (cuuint32_t d = 0; d < rank - 2; d++) {
        if (lower[d] < -limit || lower[d] >= limit || upper[d] < -limit || upper[d] >= limit)
            return CUDA_ERROR_INVALID_VALUE;
        m->lower[d] = (int16_t)lower[d]; m->upper[d] = (int16_t)upper[d];
    }
    m->im2col = 1; m->channels = (uint16_t)channels; m->pixels = (uint16_t)pixels;
    return fits(m, channels) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
struct memory_of_device {
    std::mutex lock;
    std::map<void *, size_t> all;
    size_t used = 0;
    const size_t room = (size_t)setting("EMU_MB", 8192) << 20;
};
inline memory_of_device &memory() { static memory_of_device m; return m; }
inline cudaError_t allocate(void **p, size_t bytes) {
    memory_of_device &m = memory();
    std::lock_guard<std::mutex> held(m.lock);
    *p = NULL;
    if (bytes > m.room - m.used) return note(cudaErrorMemoryAllocation);
    if (posix_memalign(p, 256, bytes ? bytes : 1)) return note(cudaErrorMemoryAllocation);
    memset(*p, 0xa5, bytes);
    m.all[*p] = bytes;
    m.used += bytes;
    return cudaSuccess;
}
inline cudaError_t release(void *p) {
    memory_of_device &m = memory();
    std::lock_guard<std::mutex> held(m.lock);
    if (!p) return cudaSuccess;
    auto found = m.all.find(p);
    if (found == m.all.end()) return note(cudaErrorInvalidValue);
    m.used -= found->second;
    m.all.erase(found);
    free(p);
    return cudaSuccess;
}
// Copies from host memory that CUDA did not allocate are perhaps still under way until somebody waits: a GPU may read
// that memory by itself. What comes next on any stream looks at it, so that the address sanitizer sees it if it was
// freed.
struct pageable { const volatile char *from; size_t bytes; };
struct copies { std::mutex lock; std::vector<pageable> under_way; std::map<const void *, size_t> pinned; };
inline copies &host_copies() { static copies c; return c; }
inline void look_at_copies() {
    copies &c = host_copies();
    std::lock_guard<std::mutex> held(c.lock);
    for (const pageable &p : c.under_way) { (void)p.from[0]; (void)p.from[p.bytes - 1]; }
}
inline void copies_done() {
    copies &c = host_copies();
    std::lock_guard<std::mutex> held(c.lock);
    c.under_way.clear();
}
inline void copy_begins(const void *from, size_t bytes) {
    copies &c = host_copies();
    std::lock_guard<std::mutex> held(c.lock);
    auto at = c.pinned.upper_bound(from);
    if (at != c.pinned.begin() && (const char *)from < (const char *)(--at)->first + at->second) return;
    c.under_way.push_back({ (const volatile char *)from, bytes });
}
}
extern "C" {
cudaError_t CUDARTAPI cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute which, int value) {
    std::unique_lock<std::mutex> held;
    if (value > emu::block_shared) return emu::note(cudaErrorInvalidValue);
    if (which != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    size_t &shared = emu::kernels(held)[kernel].shared;
    // the limit is all threads' and contexts': what lowers it would take it from one that is about to launch
    if ((size_t)value < shared) return emu::note(cudaErrorInvalidValue);
    shared = (size_t)value;
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaFuncGetAttributes(cudaFuncAttributes *a, const void *) {
    memset((void *)a, 0, sizeof *a);
    a->numRegs = 128;
    a->maxThreadsPerBlock = 1024;
    a->binaryVersion = a->ptxVersion = EMU_COMPUTE;
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *, int threads, size_t bytes) {
    const int by_threads = emu::sm_threads / threads;
    const int by_bytes = (int)(((size_t)emu::shared_kb << 10) / (bytes + 1024));
    *n = bytes > (size_t)emu::block_shared ? 0 : by_threads < by_bytes ? by_threads : by_bytes;
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaOccupancyMaxActiveClusters(int *n, const void *, const cudaLaunchConfig_t *c) {
    int cluster = 1;
    for (unsigned i = 0; i < c->numAttrs; i++)
        if (c->attrs[i].id == cudaLaunchAttributeClusterDimension) cluster = (int)c->attrs[i].val.clusterDim.x;
    *n = emu::sm_count() / cluster;
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *kernel, void **arguments) {
    std::function<cudaError_t(const cudaLaunchConfig_t &, void **)> start;
    {
        std::unique_lock<std::mutex> held;
        start = emu::kernels(held)[kernel].start;
    }
    return start ? start(*c, arguments) : emu::note(cudaErrorInvalidDeviceFunction);
}
cudaError_t CUDARTAPI cudaGetLastError(void) {
    cudaError_t e = emu::last_error();
    emu::last_error() = cudaSuccess;
    return e;
}
const char *CUDARTAPI cudaGetErrorString(cudaError_t e) {
    return e == cudaSuccess ? "no error" : e == cudaErrorMemoryAllocation ? "out of memory" : "an error";
}
const char *CUDARTAPI cudaGetErrorName(cudaError_t e) {
    return e == cudaSuccess ? "cudaSuccess"
        : e == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "cudaError";
}
cudaError_t CUDARTAPI cudaGetDeviceCount(int *n) { *n = 1; return cudaSuccess; }
cudaError_t CUDARTAPI cudaGetDevice(int *n) { *n = 0; return cudaSuccess; }
cudaError_t CUDARTAPI cudaSetDevice(int n) { return n ? emu::note(cudaErrorInvalidDevice) : cudaSuccess; }
cudaError_t CUDARTAPI cudaDriverGetVersion(int *v) { *v = CUDART_VERSION; return cudaSuccess; }
cudaError_t CUDARTAPI cudaRuntimeGetVersion(int *v) { *v = CUDART_VERSION; return cudaSuccess; }
cudaError_t CUDARTAPI cudaGetDeviceProperties(cudaDeviceProp *p, int) {
    memset((void *)p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "emulated GPU");
    p->major = EMU_COMPUTE / 10; p->minor = EMU_COMPUTE % 10;
    p->totalGlobalMem = emu::memory().room;
    p->sharedMemPerBlockOptin = emu::block_shared;
    p->multiProcessorCount = emu::sm_count();
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaDeviceGetAttribute(int *v, cudaDeviceAttr which, int) {
    *v = which == cudaDevAttrMultiProcessorCount ? emu::sm_count() : which == cudaDevAttrCooperativeLaunch ? 1 : 0;
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaDeviceGetStreamPriorityRange(int *low, int *high) {
    *low = 0; *high = -5;
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaMalloc(void **p, size_t bytes) { return emu::allocate(p, bytes); }
cudaError_t CUDARTAPI cudaFree(void *p) { return emu::release(p); }
cudaError_t CUDARTAPI cudaHostAlloc(void **p, size_t bytes, unsigned) {
    if (!(*p = calloc(1, bytes ? bytes : 1))) return emu::note(cudaErrorMemoryAllocation);
    emu::copies &c = emu::host_copies();
    std::lock_guard<std::mutex> held(c.lock);
    c.pinned[*p] = bytes;
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaFreeHost(void *p) {
    emu::copies &c = emu::host_copies();
    std::lock_guard<std::mutex> held(c.lock);
    c.pinned.erase(p);
    free(p);
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaHostGetDevicePointer(void **device, void *host, unsigned) {
    *device = host;
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaMemGetInfo(size_t *left, size_t *total) {
    emu::memory_of_device &m = emu::memory();
    std::lock_guard<std::mutex> held(m.lock);
    *left = m.room - m.used; *total = m.room;
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t s) {
    if (kind == cudaMemcpyHostToDevice && bytes && !emu::capturing(s)) emu::copy_begins(from, bytes);
    return emu::enqueue(s, [=] { memmove(to, from, bytes); });
}
cudaError_t CUDARTAPI cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t s) {
    return emu::enqueue(s, [=] { memset(to, value, bytes); });
}
cudaError_t CUDARTAPI cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void *user) {
    return emu::enqueue(s, [=] { std::thread(f, user).join(); });
}
cudaError_t CUDARTAPI cudaStreamCreateWithPriority(cudaStream_t *s, unsigned, int) {
    *s = (cudaStream_t) new emu::stream();
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaStreamCreate(cudaStream_t *s) { return cudaStreamCreateWithPriority(s, 0, 0); }
cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t *s, unsigned) {
    return cudaStreamCreateWithPriority(s, 0, 0);
}
cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t s) { delete emu::stream_of(s); return cudaSuccess; }
cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t s) {
    if (emu::capturing(s)) return emu::note(cudaErrorStreamCaptureUnsupported);
    emu::copies_done();
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus *status) {
    *status = emu::capturing(s) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode) {
    if (emu::capturing(s)) return emu::note(cudaErrorIllegalState);
    emu::stream_of(s)->capture = std::make_shared<emu::graph>();
    emu::stream_of(s)->last.clear();
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *out) {
    *out = NULL;
    if (!emu::capturing(s)) return emu::note(cudaErrorIllegalState);
    std::shared_ptr<emu::graph> g = emu::stream_of(s)->capture;
    g->ended = true;
    emu::stream_of(s)->capture.reset();
    *out = (cudaGraph_t) new emu::graph(*g);
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long) {
    *out = (cudaGraphExec_t) new emu::graph(*(emu::graph *)g);
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *node, size_t *n) {
    const std::vector<emu::node> &all = ((emu::graph *)g)->nodes;
    for (size_t i = 0; node && i < *n && i < all.size(); i++) node[i] = (cudaGraphNode_t)&all[i];
    *n = all.size();
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t CUDARTAPI cudaGraphLaunch(cudaGraphExec_t g, cudaStream_t s) {
    const emu::graph *all = (const emu::graph *)g;
    return emu::enqueue(s, [=] { emu::replay(*all); });
}
cudaError_t CUDARTAPI cudaGraphExecDestroy(cudaGraphExec_t g) { delete (emu::graph *)g; return cudaSuccess; }
cudaError_t CUDARTAPI cudaGraphDestroy(cudaGraph_t g) { delete (emu::graph *)g; return cudaSuccess; }
cudaError_t CUDARTAPI cudaGraphNodeGetType(cudaGraphNode_t, cudaGraphNodeType *type) {
    *type = cudaGraphNodeTypeKernel;
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo(cudaStream_t s, cudaStreamCaptureStatus *status, unsigned long long *,
                                               cudaGraph_t *, const cudaGraphNode_t **on,
                                               const cudaGraphEdgeData **edges, size_t *n) {
    if (on) *on = NULL;
    if (edges) *edges = NULL;
    if (n) *n = 0;
    return cudaStreamIsCapturing(s, status);
}
cudaError_t CUDARTAPI cudaStreamUpdateCaptureDependencies(cudaStream_t, cudaGraphNode_t *, const cudaGraphEdgeData *,
                                                          size_t, unsigned) {
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaEventCreateWithFlags(cudaEvent_t *e, unsigned) {
    *e = (cudaEvent_t) new emu::event();
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaEventCreate(cudaEvent_t *e) { return cudaEventCreateWithFlags(e, 0); }
cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t e) { delete (emu::event *)e; return cudaSuccess; }
cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
    emu::event *v = (emu::event *)e;
    v->capture.reset();
    v->last.clear();
    if (emu::capturing(s)) { v->capture = emu::stream_of(s)->capture; v->last = emu::stream_of(s)->last; }
    else clock_gettime(CLOCK_MONOTONIC, &v->when);
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned) {
    emu::event *v = (emu::event *)e;
    emu::stream *t = emu::stream_of(s);
    if (!v->capture || v->capture->ended) return cudaSuccess;
    if (!emu::capturing(s)) t->last.clear();
    t->capture = v->capture;
    for (size_t i : v->last) if (std::find(t->last.begin(), t->last.end(), i) == t->last.end()) t->last.push_back(i);
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t) { emu::copies_done(); return cudaSuccess; }
cudaError_t CUDARTAPI cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
    const timespec &a = ((emu::event *)from)->when, &b = ((emu::event *)to)->when;
    *ms = (float)((double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) * 1e-6);
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion(const char *name, void **f, unsigned, unsigned long long,
                                                       cudaDriverEntryPointQueryResult *found) {
    *f = !strcmp(name, "cuTensorMapEncodeTiled") ? (void *)emu::encode_tiled
        : !strcmp(name, "cuTensorMapEncodeIm2col") ? (void *)emu::encode_im2col : NULL;
    *found = *f ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
}
