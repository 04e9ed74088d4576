/* libFuzzer on texts: four bytes of options, then the text. What is accepted, by its characters, is UTF-8, and its ids
   are the characters in the order of their code points, each there once; windows are in the text.
       clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz/fuzz_text.c -o fuzz -lm -pthread && ./fuzz
       -max_len=512 -max_total_time=60 */
#include "../programs/private.h"
#include "fuzz.h"

/* Bytes of all ids of the text's part as characters, which must be those of the text from `from` on. */
static void same_text(const gtr_dataset *d, const uint8_t *bytes, size_t size, bool whole)
{
    const gtr__column *c = d->column;
    size_t at = 0;
    for (int64_t i = 0; i <= c->covered && whole; i++) {
        const char *s = gtr_dataset_category(d, 0, ((const int32_t *)(const void *)c->host)[i]);
        MUST(s);
        const size_t n = *s ? strlen(s) : 1; /* "" is the character 0 */
        MUST(at + n <= size && !memcmp(bytes + at, s, n));
        at += n;
    }
    MUST(!whole || at == size);
    for (int64_t k = 1; k < c->names.n; k++) MUST(strcmp(gtr_dataset_category(d, 0, k - 1),
        gtr_dataset_category(d, 0, k)) < 0);
}
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static gtr_context ctx;
    gtr_text_desc w, again;
    if (size < 4) return 0;
    memset(&w, 0, sizeof w);
    memset(&ctx, 0, sizeof ctx);
    ctx.process = GTR__PROCESS();
    ctx.desc.allocator.alloc = count_alloc;
    ctx.desc.allocator.free = count_free;
    alive = most = 0;
    w.characters = bytes[0] & 1;
    w.length = 1 + (bytes[0] >> 1 & 7);
    if (bytes[0] >> 4 & 1) w.random = 1 + bytes[1] % 9;
    else if (bytes[0] >> 5 & 1) w.streams = 1 + bytes[1] % 5;
    else w.stride = bytes[1] % 9;
    w.begin = (float)(bytes[2] & 7) / 8;
    w.end = bytes[3] & 7 ? (float)(bytes[3] & 7) / 8 : 1;
    if (w.begin >= w.end) { w.begin = 0; w.end = 1; }
    bytes += 4;
    size -= 4;
    MUST(!gtr__text_misfit(&w));
    gtr_dataset *d = gtr__text_parse(&ctx, "fuzz", bytes, size, w);
    MUST(most <= 8 * size + (1 << 20));
    MUST((d != NULL) == (ctx.errors.code == GTR_OK)
        && (d || ctx.errors.code == GTR_ERR_FORMAT || ctx.errors.code == GTR_ERR_ARG));
    MUST(!w.characters || ctx.errors.code == GTR_ERR_FORMAT || gtr__is_utf8((const char *)bytes, size));
    if (d) {
        gtr__column *c = d->column;
        const size_t one = gtr__dtype_size(c->dtype);
        gtr__column_range(c, d->rows);
        MUST(d->rows >= 1 && d->n_columns == 2 && c->least >= 0 && c->most < (w.characters ? c->names.n : 256));
        for (int64_t r = 0; r < d->rows; r++) for (int64_t epoch = 0; epoch < 2; epoch++) {
            const size_t at = gtr__row_start(c, epoch, r) / one;
            uint8_t got[2][64];
            for (int k = 0; k < 2; k++) gtr__row_copy(got[k], &d->column[k], epoch, r);
            MUST(at + (size_t)w.length <= (size_t)c->covered);
            MUST(!memcmp(got[0], c->host + at * one, c->row_bytes));
            MUST(!memcmp(got[1], c->host + (at + 1) * one, c->row_bytes));
        }
        if (w.characters) same_text(d, bytes, size, w.begin <= 0 && w.end >= 1);
        again = w;
        again.like = w.characters ? d : NULL;
        gtr_dataset *e = gtr__text_parse(&ctx, "again", bytes, size, again);
        MUST(e && e->rows == d->rows && !memcmp(e->column[0].host, c->host, (size_t)(c->covered + 1) * one));
        gtr_dataset_destroy(e);
        gtr_dataset_destroy(d);
    }
    MUST(alive == 0);
    return 0;
}
