/* libFuzzer on the IDX reader: bytes of a whole file. What is accepted is exactly as long as its header says.
       clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz/fuzz_idx.c -o fuzz -lm -pthread && ./fuzz
       -max_len=256 -max_total_time=60 */
#include "../programs/private.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static gtr_context ctx;
    gtr__idx idx;
    gtr_dataset *d;
    gtr__column *c;
    /* as gtr__idx_open reads it: the header alone, in memory of just its size */
    size_t head = size < 4 || bytes[0] || bytes[1] || bytes[3] > GTR_MAX_DIMS ? GTR__MIN(size, (size_t)4)
        : GTR__MIN(size, 4 + 4 * (size_t)bytes[3]);
    uint8_t *copy = (uint8_t *)malloc(head ? head : 1);
    gtr_result r;
    memset(&ctx, 0, sizeof ctx);
    ctx.process = GTR__PROCESS();
    memcpy(copy, bytes, head);
    r = gtr__idx_header(&ctx, "fuzz", copy, head, size, &idx);
    free(copy);
    MUST(r == ctx.errors.code && (r == GTR_OK || r == GTR_ERR_FORMAT || r == GTR_ERR_UNSUPPORTED || r == GTR_ERR_ARG)
        && (r == GTR_OK || ctx.errors.text[0]));
    if (r != GTR_OK) return 0;
    MUST(idx.start + idx.bytes == size && idx.rows >= 1
        && (uint64_t)idx.rows * (uint64_t)gtr__count(&idx.row) == idx.bytes);
    d = gtr__dataset_new(&ctx, "fuzz", idx.rows);
    c = gtr__dataset_column(d, NULL, GTR_U8, &idx.row, 0, 0);
    memcpy(c->host, bytes + idx.start, idx.bytes);
    gtr__dataset_link(d, true);
    gtr__column_range(c, idx.rows);
    MUST(c->least <= c->most && c->most <= 255 && gtr_dataset_row(d, 0, idx.rows - 1)
        && !gtr_dataset_row(d, 0, idx.rows));
    if (idx.rows > 1) {
        gtr_dataset *odd = gtr_dataset_split(d, 2);
        MUST(odd && odd->rows + d->rows == idx.rows
            && !memcmp(gtr_dataset_row(odd, 0, 0), bytes + idx.start + c->row_bytes, c->row_bytes));
    }
    while (ctx.datasets) gtr_dataset_destroy(ctx.datasets);
    return 0;
}
