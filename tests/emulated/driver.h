// CUDA's driver. cuda.h includes it, after device.h.

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
                             const cuuint32_t *step, CUtensorMapSwizzle swizzle) {
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
                              cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *step,
                              CUtensorMapSwizzle swizzle) {
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
inline CUresult allocate(void **p, size_t bytes) {
    memory_of_device &m = memory();
    std::lock_guard<std::mutex> held(m.lock);
    *p = NULL;
    if (bytes > m.room - m.used) return CUDA_ERROR_OUT_OF_MEMORY;
    if (posix_memalign(p, 256, bytes ? bytes : 1)) return CUDA_ERROR_OUT_OF_MEMORY;
    memset(*p, 0xa5, bytes);
    m.all[*p] = bytes;
    m.used += bytes;
    return CUDA_SUCCESS;
}
inline CUresult release(void *p) {
    memory_of_device &m = memory();
    std::lock_guard<std::mutex> held(m.lock);
    if (!p) return CUDA_SUCCESS;
    auto found = m.all.find(p);
    if (found == m.all.end()) return CUDA_ERROR_INVALID_VALUE;
    m.used -= found->second;
    m.all.erase(found);
    free(p);
    return CUDA_SUCCESS;
}
// Whether p is in one of the ranges of a map.
template <typename K> inline bool is_in(const std::map<K, size_t> &all, const void *p) {
    auto at = all.upper_bound((K)p);
    return at != all.begin() && (const char *)p < (const char *)(--at)->first + at->second;
}
inline bool on_device(const void *p) {
    memory_of_device &m = memory();
    std::lock_guard<std::mutex> held(m.lock);
    return is_in(m.all, p);
}
// Copies from host memory that CUDA did not allocate are perhaps still under way until somebody waits: a GPU may read
// that memory by itself. What comes next on any stream looks at it, so that the address sanitizer sees it if it was
// freed.
struct pageable { const volatile char *from; size_t bytes; };
struct copies {
    std::mutex lock;
    std::vector<pageable> under_way;
    std::map<const void *, size_t> pinned, registered; // allocated so; made so later, by cuMemHostRegister
    ~copies() {
        if (registered.empty()) return;
        fprintf(stderr, "%zu blocks are left registered\n", registered.size());
        abort();
    }
};
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
    if (!is_in(c.pinned, from) && !is_in(c.registered, from))
        c.under_way.push_back({ (const volatile char *)from, bytes });
}
}
extern "C" {
#ifndef GTR__ONE // a kernel's own library takes the program's
struct way_of_test emu_prefers;
int emu_texts = emu::setting("EMU_TEXTS", 0);
const char *emu_texts_of;
#endif
void emu_kernels(void (*each)(const char *name, long launches)) {
    std::vector<const void *> all;
    std::vector<int64_t> launches;
    {
        std::lock_guard<std::mutex> held(emu::kernels_ran().lock);
        for (const auto &k : emu::kernels_ran().of) { all.push_back(k.first); launches.push_back(k.second.first); }
    }
    emu::names_of(all, [&](size_t k, const char *name) { each(name, (long)launches[k]); });
}
CUresult CUDAAPI cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult CUDAAPI cuDriverGetVersion(int *v) { *v = CUDA_VERSION; return CUDA_SUCCESS; }
CUresult CUDAAPI cuGetErrorString(CUresult e, const char **text) {
    *text = e == CUDA_SUCCESS ? "no error" : e == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : "an error";
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGetErrorName(CUresult e, const char **text) { return cuGetErrorString(e, text); }

CUresult CUDAAPI cuDeviceGetCount(int *n) { *n = 1; return CUDA_SUCCESS; }
CUresult CUDAAPI cuDeviceGet(CUdevice *d, int n) { *d = n; return n ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS; }
CUresult CUDAAPI cuDeviceGetName(char *name, int room, CUdevice) {
    snprintf(name, (size_t)room, "emulated GPU");
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceTotalMem(size_t *bytes, CUdevice) { *bytes = emu::memory().room; return CUDA_SUCCESS; }
CUresult CUDAAPI cuDeviceGetAttribute(int *v, CUdevice_attribute which, CUdevice) {
    switch ((int)which) {
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *v = EMU_COMPUTE / 10; break;
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *v = EMU_COMPUTE % 10; break;
        case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *v = emu::block_shared; break;
        case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *v = emu::sm_count(); break;
        case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH: *v = 1; break;
        default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}
// What needs a context wants it current, as the driver may.
static thread_local CUcontext emu_context;
static int emu_retained;
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice) {
    __atomic_add_fetch(&emu_retained, 1, __ATOMIC_SEQ_CST);
    *c = (CUcontext)&emu_retained;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice) {
    return __atomic_sub_fetch(&emu_retained, 1, __ATOMIC_SEQ_CST) < 0 ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxGetCurrent(CUcontext *c) { *c = emu_context; return CUDA_SUCCESS; }
CUresult CUDAAPI cuCtxSetCurrent(CUcontext c) { emu_context = c; return CUDA_SUCCESS; }
CUresult CUDAAPI cuCtxSynchronize(void) { return CUDA_SUCCESS; }
#define EMU_CURRENT if (!emu_context) return CUDA_ERROR_INVALID_CONTEXT
CUresult CUDAAPI cuCtxGetStreamPriorityRange(int *low, int *high) {
    EMU_CURRENT;
    *low = 0; *high = -5;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuFuncSetAttribute(CUfunction kernel, CUfunction_attribute which, int value) {
    std::unique_lock<std::mutex> held;
    EMU_CURRENT;
    if (value > emu::block_shared) return CUDA_ERROR_INVALID_VALUE;
    if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_SUCCESS;
    size_t &shared = emu::kernels(held)[(const void *)kernel].shared;
    // the limit is all threads' and contexts': what lowers it would take it from one that is about to launch
    if ((size_t)value < shared) return CUDA_ERROR_INVALID_VALUE;
    shared = (size_t)value;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuFuncGetAttribute(int *v, CUfunction_attribute which, CUfunction) {
    *v = 0;
    return which == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, CUfunction, int threads, size_t bytes) {
    const int by_threads = emu::sm_threads / threads;
    const int by_bytes = (int)(((size_t)emu::shared_kb << 10) / (bytes + 1024));
    *n = bytes > (size_t)emu::block_shared ? 0 : by_threads < by_bytes ? by_threads : by_bytes;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuOccupancyMaxActiveClusters(int *n, CUfunction, const CUlaunchConfig *c) {
    int cluster = 1;
    for (unsigned i = 0; i < c->numAttrs; i++)
        if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) cluster = (int)c->attrs[i].value.clusterDim.x;
    *n = emu::sm_count() / cluster;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction kernel, void **arguments, void **) {
    std::function<CUresult(const CUlaunchConfig &, void **)> start;
    EMU_CURRENT;
    {
        std::unique_lock<std::mutex> held;
        start = emu::kernels(held)[(const void *)kernel].start;
    }
    return start ? start(*c, arguments) : CUDA_ERROR_INVALID_HANDLE;
}
CUresult CUDAAPI cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *data,
                                        const cuuint64_t *extent, const cuuint64_t *stride, const cuuint32_t *box,
                                        const cuuint32_t *step, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
                                        CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
    return emu::encode_tiled(map, type, rank, data, extent, stride, box, step, swizzle);
}
CUresult CUDAAPI cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *data,
                                         const cuuint64_t *extent, const cuuint64_t *stride, const int *lower,
                                         const int *upper, cuuint32_t channels, cuuint32_t pixels,
                                         const cuuint32_t *step, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
                                         CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
    return emu::encode_im2col(map, type, rank, data, extent, stride, lower, upper, channels, pixels, step, swizzle);
}

CUresult CUDAAPI cuMemAlloc(CUdeviceptr *p, size_t bytes) {
    EMU_CURRENT;
    return emu::allocate((void **)p, bytes);
}
CUresult CUDAAPI cuMemFree(CUdeviceptr p) { EMU_CURRENT; return emu::release((void *)p); }
CUresult CUDAAPI cuMemHostAlloc(void **p, size_t bytes, unsigned) {
    EMU_CURRENT;
    if (!(*p = calloc(1, bytes ? bytes : 1))) return CUDA_ERROR_OUT_OF_MEMORY;
    emu::copies &c = emu::host_copies();
    std::lock_guard<std::mutex> held(c.lock);
    c.pinned[*p] = bytes;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemFreeHost(void *p) {
    EMU_CURRENT;
    emu::copies &c = emu::host_copies();
    std::lock_guard<std::mutex> held(c.lock);
    c.pinned.erase(p);
    free(p);
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemHostRegister(void *p, size_t bytes, unsigned) {
    EMU_CURRENT;
    if (!bytes) return CUDA_ERROR_INVALID_VALUE;
    emu::copies &c = emu::host_copies();
    std::lock_guard<std::mutex> held(c.lock);
    for (const auto &r : c.registered)
        if ((const char *)p < (const char *)r.first + r.second && (const char *)r.first < (const char *)p + bytes) {
            fprintf(stderr, "cuMemHostRegister: already registered\n"); // which memcheck reports, too
            abort();
        }
    (void)((const volatile char *)p)[0]; (void)((const volatile char *)p)[bytes - 1];
    c.registered[p] = bytes;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemHostUnregister(void *p) {
    EMU_CURRENT;
    emu::copies &c = emu::host_copies();
    std::lock_guard<std::mutex> held(c.lock);
    if (!c.registered.count(p)) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    // whose owner has not freed it
    (void)((const volatile char *)p)[0]; (void)((const volatile char *)p)[c.registered[p] - 1];
    c.registered.erase(p);
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned) {
    *device = (CUdeviceptr)host;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemGetInfo(size_t *left, size_t *total) {
    EMU_CURRENT;
    emu::memory_of_device &m = emu::memory();
    std::lock_guard<std::mutex> held(m.lock);
    *left = m.room - m.used; *total = m.room;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s) {
    EMU_CURRENT;
    if (bytes && !emu::capturing(s) && !emu::on_device((void *)from)) emu::copy_begins((void *)from, bytes);
    return emu::enqueue(s, [=] { memmove((void *)to, (void *)from, bytes); });
}
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream s) {
    EMU_CURRENT;
    return emu::enqueue(s, [=] { memset((void *)to, value, bytes); });
}

CUresult CUDAAPI cuLaunchHostFunc(CUstream s, CUhostFn f, void *user) {
    return emu::enqueue(s, [=] { std::thread(f, user).join(); });
}
CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *s, unsigned, int) {
    *s = (CUstream) new emu::stream();
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamDestroy(CUstream s) { delete emu::stream_of(s); return CUDA_SUCCESS; }
CUresult CUDAAPI cuStreamSynchronize(CUstream s) {
    EMU_CURRENT;
    if (emu::capturing(s)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    emu::copies_done();
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamIsCapturing(CUstream s, CUstreamCaptureStatus *status) {
    *status = emu::capturing(s) ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamBeginCapture(CUstream s, CUstreamCaptureMode) {
    if (emu::capturing(s)) return CUDA_ERROR_ILLEGAL_STATE;
    emu::stream_of(s)->capture = std::make_shared<emu::graph>();
    emu::stream_of(s)->last.clear();
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamEndCapture(CUstream s, CUgraph *out) {
    *out = NULL;
    if (!emu::capturing(s)) return CUDA_ERROR_ILLEGAL_STATE;
    std::shared_ptr<emu::graph> g = emu::stream_of(s)->capture;
    g->ended = true;
    emu::stream_of(s)->capture.reset();
    *out = (CUgraph) new emu::graph(*g);
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamGetCaptureInfo_v3(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *, CUgraph *,
                                           const CUgraphNode **on, const CUgraphEdgeData **edges, size_t *n) {
    *on = NULL; *edges = NULL; *n = 0;
    return cuStreamIsCapturing(s, status);
}
CUresult CUDAAPI cuStreamUpdateCaptureDependencies_v2(CUstream, CUgraphNode *, const CUgraphEdgeData *, size_t,
                                                      unsigned) {
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g, unsigned long long) {
    EMU_CURRENT;
    *out = (CUgraphExec) new emu::graph(*(emu::graph *)g);
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGraphUpload(CUgraphExec, CUstream) { return CUDA_SUCCESS; }
CUresult CUDAAPI cuGraphLaunch(CUgraphExec g, CUstream s) {
    EMU_CURRENT;
    const emu::graph *all = (const emu::graph *)g;
    return emu::enqueue(s, [=] { emu::replay(*all); });
}
CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec g) { delete (emu::graph *)g; return CUDA_SUCCESS; }
CUresult CUDAAPI cuGraphDestroy(CUgraph g) { delete (emu::graph *)g; return CUDA_SUCCESS; }
CUresult CUDAAPI cuGraphNodeGetType(CUgraphNode, CUgraphNodeType *type) {
    *type = CU_GRAPH_NODE_TYPE_KERNEL;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventCreate(CUevent *e, unsigned) {
    EMU_CURRENT;
    *e = (CUevent) new emu::event();
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventDestroy(CUevent e) { delete (emu::event *)e; return CUDA_SUCCESS; }
CUresult CUDAAPI cuEventRecord(CUevent e, CUstream s) {
    EMU_CURRENT;
    emu::event *v = (emu::event *)e;
    v->capture.reset();
    v->last.clear();
    if (emu::capturing(s)) { v->capture = emu::stream_of(s)->capture; v->last = emu::stream_of(s)->last; }
    else clock_gettime(CLOCK_MONOTONIC, &v->when);
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamWaitEvent(CUstream s, CUevent e, unsigned) {
    EMU_CURRENT;
    emu::event *v = (emu::event *)e;
    emu::stream *t = emu::stream_of(s);
    if (!v->capture || v->capture->ended) return CUDA_SUCCESS;
    if (!emu::capturing(s)) t->last.clear();
    t->capture = v->capture;
    for (size_t i : v->last) if (std::find(t->last.begin(), t->last.end(), i) == t->last.end()) t->last.push_back(i);
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventSynchronize(CUevent) { EMU_CURRENT; emu::copies_done(); return CUDA_SUCCESS; }
#undef cuEventElapsedTime
CUresult CUDAAPI cuEventElapsedTime(float *ms, CUevent from, CUevent to) {
    const timespec &a = ((emu::event *)from)->when, &b = ((emu::event *)to)->when;
    *ms = (float)((double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) * 1e-6);
    return CUDA_SUCCESS;
}
// Of kernels that are compiled ahead there are no modules, and launches have attributes.
CUresult CUDAAPI cuModuleLoadData(CUmodule *, const void *) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult CUDAAPI cuModuleUnload(CUmodule) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult CUDAAPI cuModuleGetFunction(CUfunction *, CUmodule, const char *) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult CUDAAPI cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                CUstream, void **, void **) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult CUDAAPI cuLaunchCooperativeKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                           unsigned, CUstream, void **) { return CUDA_ERROR_NOT_SUPPORTED; }

// What tests call of the runtime.
cudaError_t CUDARTAPI cudaStreamCreate(cudaStream_t *s) { return (cudaError_t)cuStreamCreateWithPriority(s, 0, 0); }
cudaError_t CUDARTAPI cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void *user) {
    return (cudaError_t)cuLaunchHostFunc(s, f, user);
}
cudaError_t CUDARTAPI cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode) {
    return (cudaError_t)cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}
cudaError_t CUDARTAPI cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *out) {
    return (cudaError_t)cuStreamEndCapture(s, out);
}
cudaError_t CUDARTAPI cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *node, size_t *n) {
    const std::vector<emu::node> &all = ((emu::graph *)g)->nodes;
    for (size_t i = 0; node && i < *n && i < all.size(); i++) node[i] = (cudaGraphNode_t)&all[i];
    *n = all.size();
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGraphNodeGetType(cudaGraphNode_t, cudaGraphNodeType *type) {
    *type = cudaGraphNodeTypeKernel;
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGraphDestroy(cudaGraph_t g) { return (cudaError_t)cuGraphDestroy(g); }
}
