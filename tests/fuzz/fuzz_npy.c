/* libFuzzer on the reader of NumPy's arrays: a byte of options, four of damage, then a file of numpy.save, or a dict
   and data, which get what stands in front; or an archive of numpy.savez, or an array that is put into one. What is
   accepted is finite, takes little more memory than the file, and, written as NumPy would, is read to the same.
       clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz/fuzz_npy.c -o fuzz -lm -pthread && ./fuzz
       -max_len=1024 -max_total_time=60 */
#include "../programs/private.h"
#include "fuzz.h"

static void check_column(gtr_context *ctx, const gtr_dataset *d, const gtr__column *c, bool finite)
{
    const char *const descr[] = { "<f4", "", "", "<i4", "|u1" };
    char dict[400], dims[300] = "";
    gtr_npy_desc desc;
    gtr_dataset *again = NULL;
    MUST(c->dtype == GTR_F32 || c->dtype == GTR_I32 || c->dtype == GTR_U8);
    MUST(c->dtype != GTR_F32 || !finite || !gtr__nonfinite((const gtr_float *)(const void *)c->host, d->rows * c->row));
    for (int k = 0; k < c->shape.ndim; k++) snprintf(dims + strlen(dims), 30, "%lld,", (long long)c->shape.dim[k]);
    const int n = snprintf(dict, sizeof dict, "{'shape': (%lld,%s), 'fortran_order': False, 'descr': '%s'}\n",
        (long long)d->rows, dims, descr[c->dtype]);
    const size_t bytes = (size_t)d->rows * c->row_bytes;
    uint8_t *file = (uint8_t *)malloc(10 + (size_t)n + bytes);
    memcpy(file, "\x93NUMPY\1\0", 8);
    file[8] = (uint8_t)n; file[9] = (uint8_t)(n >> 8);
    memcpy(file + 10, dict, (size_t)n);
    memcpy(file + 10 + n, c->host, bytes);
    memset(&desc, 0, sizeof desc);
    desc.nonfinite = true;
    MUST(gtr__npy_column(ctx, &again, "again", NULL, file, 10 + (size_t)n + bytes, desc, NULL));
    MUST(again->rows == d->rows && again->column[0].row == c->row && !memcmp(again->column[0].host, c->host, bytes));
    gtr__dataset_free(again);
    free(file);
}
/* The same file mapped, where it can be: the bytes that were read, if they were. */
static void check_mapped(const uint8_t *file, size_t size, gtr_npy_desc desc, const gtr_dataset *read)
{
    gtr_context ctx;
    gtr_dataset *d = NULL;
    memset(&ctx, 0, sizeof ctx);
    ctx.desc.allocator.alloc = count_alloc;
    ctx.desc.allocator.free = count_free;
    desc.map = true;
    gtr__mapping *m = GTR__NEW(&ctx, gtr__mapping, 1);
    *m = (gtr__mapping){ GTR__NEW(&ctx, uint8_t, size), size, 1, true };
    if (size) memcpy(m->bytes, file, size);
    const bool ok = gtr__npy_column(&ctx, &d, "fuzz", NULL, m->bytes, size, desc, m);
    MUST(ok == (ctx.errors.code == GTR_OK));
    if (ok) {
        gtr__column *c = &d->column[0];
        MUST(c->host >= m->bytes && c->host + (size_t)d->rows * c->row_bytes <= m->bytes + m->size);
        MUST((uintptr_t)c->host % gtr__dtype_size(c->dtype) == 0);
        if (read) MUST(read->rows == d->rows && read->column[0].dtype == c->dtype
            && !memcmp(c->host, read->column[0].host, (size_t)d->rows * c->row_bytes));
    }
    gtr__dataset_free(d);
    gtr__file_unmap(&ctx, m);
}
static size_t put(uint8_t *to, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; i++) to[i] = (uint8_t)(v >> 8 * i);
    return (size_t)bytes;
}
/* A zip of one member, stored; with 64-bit figures, as NumPy writes its own header. */
static size_t zipped(uint8_t *to, const uint8_t *data, size_t size, bool wide)
{
    size_t n = 0, at;
    n += put(to + n, 0x04034b50, 4); memset(to + n, 0, 26); put(to + n + 22, 5, 2); n += 26;
    memcpy(to + n, "a.npy", 5); n += 5;
    memcpy(to + n, data, size); n += at = size;
    at = n;
    n += put(to + n, 0x02014b50, 4); memset(to + n, 0, 42);
    put(to + n + 16, wide ? 0xffffffffu : size, 4); put(to + n + 20, wide ? 0xffffffffu : size, 4);
    put(to + n + 24, 5, 2); put(to + n + 26, wide ? 20 : 0, 2); n += 42;
    memcpy(to + n, "a.npy", 5); n += 5;
    if (wide) { n += put(to + n, 1, 2); n += put(to + n, 16, 2); n += put(to + n, size, 8); n += put(to + n, size, 8); }
    const size_t end = n;
    if (wide) {
        n += put(to + n, 0x06064b50, 4); memset(to + n, 0, 52); put(to + n + 28, 1, 8);
        put(to + n + 44, at, 8); n += 52;
        n += put(to + n, 0x07064b50, 4); memset(to + n, 0, 16); put(to + n + 4, end, 8); n += 16;
    }
    n += put(to + n, 0x06054b50, 4); memset(to + n, 0, 18);
    put(to + n + 6, wide ? 0xffff : 1, 2); put(to + n + 12, wide ? 0xffffffffu : at, 4);
    return n + 18;
}
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static gtr_context ctx;
    static const char *const lists[] = { NULL, "a", "x, y", "\"a\",a" };
    gtr_npy_desc desc;
    gtr_dataset *d = NULL;
    if (size < 5) return 0;
    memset(&desc, 0, sizeof desc);
    memset(&ctx, 0, sizeof ctx);
    ctx.process = GTR__PROCESS();
    ctx.desc.allocator.alloc = count_alloc;
    ctx.desc.allocator.free = count_free;
    alive = most = 0;
    desc.floats = bytes[0] & 1;
    desc.nonfinite = bytes[0] >> 1 & 1;
    desc.arrays = lists[bytes[0] >> 2 & 3];
    const int way = bytes[0] >> 4;
    const uint8_t *damage = bytes + 1;
    uint8_t *file = (uint8_t *)malloc(size + 400), *made = (uint8_t *)malloc(size + 400);
    bytes += 5;
    size -= 5;
    memcpy(made, bytes, size);
    if (way & 1) {      /* the dict goes to the end of the first line */
        const uint8_t *line = (const uint8_t *)memchr(bytes, '\n', size);
        memcpy(made, "\x93NUMPY\1\0", 8);
        put(made + 8, line ? (uint64_t)(line + 1 - bytes) : size, 2);
        memcpy(made + 10, bytes, size);
        size += 10;
    }
    if (way & 2) { size = zipped(file, made, size, way & 4); memcpy(made, file, size); }
    for (int k = 0; k < 4 && way & 8; k += 2) if (size) made[damage[k] % size] ^= damage[k + 1];
    free(file);
    file = (uint8_t *)malloc(size ? size : 1);     /* of just its size */
    memcpy(file, made, size);
    free(made);
    if (size > 1 && file[0] == 'P') d = gtr__npz_parse(&ctx, "fuzz", file, size, desc);
    else {
        const bool ok = gtr__npy_column(&ctx, &d, "fuzz", NULL, file, size, desc, NULL);
        d = gtr__dataset_link(d, ok);
    }
    if (size && file[0] != 'P') check_mapped(file, size, desc, d);
    free(file);
    MUST(most <= 4 * size + (1 << 20));
    MUST((d != NULL) == (ctx.errors.code == GTR_OK) && (d || ctx.errors.text[0]));
    if (d) {
        MUST(d->rows >= 1 && d->n_columns >= 1);
        for (int c = 0; c < d->n_columns; c++) check_column(&ctx, d, &d->column[c], !desc.nonfinite);
        gtr_dataset_destroy(d);
    }
    MUST(alive == 0);
    return 0;
}
