/* libFuzzer on the safetensors reader: bytes of a whole file. What is accepted tiles its data, is written again as a
   model of its tensors (of float32 and int64) and read back as the same; no more memory is asked for than
   twice the file and 1 MiB. gtr_load_ex takes them, and a well-formed file that is drawn from them, into a model of its
   own, with options that they choose: where it fails nothing has changed, else its counts are those of the text, and
   what is saved then loads as the same.
       clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz/fuzz_safetensors.c -o fuzz -lm -pthread && ./fuzz
       -max_len=4096 -dict=tests/fuzz/fuzz.dict -max_total_time=60 */
#include "../programs/private.h"
#include "fuzz.h"

/* The entries as parameters of a context that has nothing else; names with a 0 inside have no C string. */
static bool as_model(const gtr__st *s, gtr_context *ctx, gtr_tensor *tensor, gtr_tensor **parameter, char (*name)[1100])
{
    uint32_t i;
    for (i = 0; i < s->n; i++) {
        size_t at = (size_t)s->entry[i].name + 1, n = 0;
        int32_t c;
        if (s->entry[i].dtype != GTR__ST_F32 && s->entry[i].dtype != GTR__ST_I64) return false;
        while ((c = gtr__json_next(s->head, s->size, &at)) >= 0) {
            if (c == 0) return false;
            if (c < 0x80) name[i][n++] = (char)c;
            else if (c < 0x800) { name[i][n++] = (char)(0xc0 | c >> 6); name[i][n++] = (char)(0x80 | (c & 63)); }
            else if (c < 0x10000) {
                name[i][n++] = (char)(0xe0 | c >> 12); name[i][n++] = (char)(0x80 | (c >> 6 & 63));
                name[i][n++] = (char)(0x80 | (c & 63));
            }
            else {
                name[i][n++] = (char)(0xf0 | c >> 18); name[i][n++] = (char)(0x80 | (c >> 12 & 63));
                name[i][n++] = (char)(0x80 | (c >> 6 & 63)); name[i][n++] = (char)(0x80 | (c & 63));
            }
        }
        MUST(c == GTR__END && n <= GTR__ST_NAME);
        name[i][n] = 0;
        memset(&tensor[i], 0, sizeof tensor[i]);
        tensor[i].ctx = ctx;
        tensor[i].name = name[i];
        tensor[i].dtype = s->entry[i].dtype == GTR__ST_I64 ? GTR_I64 : GTR_F32;
        tensor[i].shape = gtr__st_shape(s, &s->entry[i]);
        parameter[i] = &tensor[i];
    }
    ctx->graph.parameter = parameter;
    ctx->graph.n_parameter = s->n;
    return true;
}

/* Values of the model, all of them. */
static void held(gtr_context *ctx, gtr_float *v, int64_t *n)
{
    for (int64_t k = 0; k < gtr_parameter_count(ctx); k++) {
        gtr_tensor *p = gtr_parameter_at(ctx, k);
        if (p->dtype == GTR_I64) MUST(gtr_get(p, n, 8) == GTR_OK);
        else { MUST(gtr_get(p, v, gtr__bytes_of(p)) == GTR_OK); v += gtr__bytes_of(p) / sizeof *v; }
    }
}
static size_t lines_of(const char *text, const char *kind)
{
    size_t n = 0;
    for (const char *p = strchr(text, '\n') + 1; *p; p = strchr(p, '\n') + 1) n += !strncmp(p, kind, 8);
    return n;
}
static void loads(const uint8_t *bytes, size_t size, unsigned how, unsigned more)
{
    static gtr_context *ctx;
    static const char *const fronts[] = { NULL, "a.", "model.", "", "a", "\xc3\xa9" },
        *const lists[] = { NULL, "a", "*", "?, b.*", "a.a,*tracked", "none" };
    static gtr_float was[8], now[8], again[8];
    int64_t n[3] = { 0, 0, 0 };
    gtr_load_report r;
    gtr_load_desc d;
    gtr_save_desc out;
    memset(&d, 0, sizeof d); memset(&out, 0, sizeof out);
    if (!ctx) {
        static const gtr_init zero;
        gtr_desc own;
        memset(&own, 0, sizeof own);
        own.device = GTR_DEVICE_CPU; own.threads = 1;
        ctx = gtr_create(own);
        gtr_parameter(ctx, "a", gtr_shape0(), zero);
        gtr_parameter(ctx, "a.a", gtr_shape1(2), zero);
        gtr_parameter(ctx, "b.a", gtr_shape2(1, 2), zero);
        gtr__leaf(ctx, GTR__OP_PARAMETER, "b.num_batches_tracked", GTR_I64, gtr_shape0(), NULL,
            gtr__init(GTR_INIT_ZERO, 0), true);
        MUST(gtr_error(ctx) == GTR_OK);
    }
    d.strip = fronts[how % 6]; d.prefix = fronts[how / 6 % 6]; d.names = lists[more % 6]; d.partial = how > 127;
    d.data = bytes; d.bytes = size; d.report = &r;
    held(ctx, was, n);
    const gtr_result e = gtr_load_ex(ctx, NULL, d);
    held(ctx, now, n + 1);
    if (e) {
        MUST(gtr_error(ctx) == e && strlen(gtr_error_text(ctx)) > 8 && r.text && !*r.text && !r.loaded && !r.unused);
        MUST(e == GTR_ERR_FORMAT || e == GTR_ERR_SHAPE || e == GTR_ERR_UNSUPPORTED || e == GTR_ERR_ARG
            || e == GTR_ERR_VERSION);
        MUST(!memcmp(was, now, sizeof was) && n[0] == n[1]);
        gtr_error_clear(ctx);
        return;
    }
    MUST(gtr_error(ctx) == GTR_OK && r.loaded + r.missing + r.wrong <= 4 && (r.loaded || !d.partial));
    MUST(lines_of(r.text, "loaded  ") == (size_t)r.loaded && lines_of(r.text, "missing ") == (size_t)r.missing
        && lines_of(r.text, "wrong   ") == (size_t)r.wrong && lines_of(r.text, "unused  ") == (size_t)r.unused);
    MUST(d.partial || (!r.wrong && (r.missing == 0 || r.missing == 1)));
    memset(&d, 0, sizeof d);
    d.bytes = gtr_save_bytes(ctx, out);
    void *image = malloc(d.bytes);
    MUST(d.bytes && gtr_save_get(ctx, out, image, d.bytes) == GTR_OK);
    d.data = image;
    MUST(gtr_load_ex(ctx, NULL, d) == GTR_OK);
    held(ctx, again, n + 2);
    MUST(!memcmp(now, again, sizeof now) && n[1] == n[2]);
    free(image);
    out.dtype = how & 1 ? GTR_F16 : GTR_BF16;
    MUST(gtr_save_bytes(ctx, out) > 8);
    while (ctx->notes.keys.n) gtr__notes_free(ctx, &ctx->notes);
}
/* A file of a few tensors, by what the bytes say of each, and behind it the rest of them. */
static void loads_drawn(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = { "a", "a.a", "a.a.a", "b.a", "model.a", "x", "b.num_batches_tracked",
        "\\u0061" };
    static const struct { const char *text; size_t n; } shapes[] = { { "", 1 }, { "2", 2 }, { "1,2", 2 }, { "0", 0 } };
    static const size_t size_of[] = { 4, 2, 2, 8, 8, 1, 1, 1 };
    char head[1024];
    uint8_t file[2048];
    size_t at = 1, data = 0;
    head[0] = '{';
    for (unsigned k = 0; k < 4 && size > 1 && (!k || bytes[1] > 63); k++, bytes += 2, size -= 2) {
        const unsigned dtype = bytes[0] & 7, shape = bytes[1] & 3;
        const size_t n = shapes[shape].n * size_of[dtype];
        at += (size_t)sprintf(head + at, "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}",
            k ? "," : "", names[bytes[0] >> 3 & 7], gtr__st_dtypes[dtype].name, shapes[shape].text, data, data + n);
        data += n;
    }
    head[at++] = '}';
    gtr__le_put(file, 8, at);
    memcpy(file + 8, head, at);
    for (size_t k = 0; k < data; k++) file[8 + at + k] = k < size ? bytes[k] : 0;
    loads(file, 8 + at + data, size ? bytes[size - 1] : 0, size > 1 ? bytes[size - 2] : 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static gtr_context ctx;
    static gtr_tensor tensor[128];
    static gtr_tensor *parameter[128];
    static char name[128][1100];
    gtr__st s, again;
    gtr__save save;
    uint64_t end = 0;
    uint32_t i;
    memset(&ctx, 0, sizeof ctx);
    ctx.process = GTR__PROCESS();
    ctx.desc.allocator.alloc = count_alloc;
    ctx.desc.allocator.free = count_free;
    loads(bytes, size, size ? bytes[size - 1] : 0, size > 1 ? bytes[size - 2] : 0);
    loads_drawn(bytes, size);
    asked = 0;
    if (gtr__st_start(&s, &ctx, "fuzz", bytes, size) != GTR_OK) {
        MUST(ctx.errors.code == GTR_ERR_FORMAT && ctx.errors.text[0] && !asked); return 0;
    }
    s.head = bytes + 8;
    if (gtr__st_parse(&s) != GTR_OK) { MUST(ctx.errors.code == GTR_ERR_FORMAT && ctx.errors.text[0]); goto done; }
    MUST(asked <= 2 * size + (1 << 20));
    for (i = 0; i < s.n; i++) end += s.entry[i].end - s.entry[i].begin;
    MUST(end == s.data);
    if (s.n > 128 || !as_model(&s, &ctx, tensor, parameter, name)) goto done;
    s.list = parameter;
    s.n_list = s.n;
    MUST(gtr__st_match(&s) == GTR_OK);
    save = gtr__save_of(&ctx, "gtr_save", "fuzz");
    for (i = 0; i < s.n; i++) MUST(s.entry[i].end - s.entry[i].begin == gtr__save_size(&save, &tensor[i]));
    MUST(gtr__save_check(&ctx, "fuzz", s.n) == GTR_OK);
    save.order = parameter; save.n = s.n;
    gtr__sort(parameter, s.n, sizeof *parameter, gtr__save_order, NULL);
    MUST(gtr__save_header(&save) == GTR_OK);
    MUST(gtr__st_start(&again, &ctx, "again", (const uint8_t *)save.header, save.header_bytes + s.data) == GTR_OK);
    again.head = (const uint8_t *)save.header + 8;
    again.list = parameter;
    again.n_list = s.n;
    MUST(gtr__st_parse(&again) == GTR_OK && again.n == s.n && gtr__st_match(&again) == GTR_OK
        && ctx.errors.code == GTR_OK);
    gtr__st_free(&again);
    gtr__mfree(&ctx, save.header);
done:
    gtr__st_free(&s);
    MUST(alive == 0);
    return 0;
}
