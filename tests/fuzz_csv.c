/* libFuzzer on the CSV reader: two bytes of options, then the text. What is accepted is finite, its labels are not
   negative, and its numbers are strtod's.
       clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz_csv.c -o fuzz -lm -pthread && ./fuzz -max_len=512
       -max_total_time=60 */
#define GPUTRAIN_STATIC
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"

#define MUST(x) do { if (!(x)) { fprintf(stderr, "line %d: %s\n", __LINE__, #x); abort(); } } while (0)
static size_t asked;
static void *count_alloc(size_t bytes, gtr_memory kind, void *user) {
    (void)kind; (void)user; asked += bytes; return malloc(bytes);
}
static void count_free(void *p, size_t bytes, gtr_memory kind, void *user) {
    (void)bytes; (void)kind; (void)user; free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static gtr_context ctx;
    static const char separators[] = { 0, ';', '\t', ' ' };
    gtr_csv_desc desc;
    gtr_dataset *d;
    char *text, *number;
    int64_t r, k;
    if (size < 2) return 0;
    memset(&desc, 0, sizeof desc);
    memset(&ctx, 0, sizeof ctx);
    ctx.process = GTR__PROCESS();
    ctx.desc.allocator.alloc = count_alloc;
    ctx.desc.allocator.free = count_free;
    asked = 0;
    desc.label_column = bytes[0] % 8 - 1;
    desc.header = bytes[0] >> 4 & 1;
    desc.regression = (bytes[0] >> 5 & 1) && desc.label_column != -1;
    desc.separator = separators[bytes[1] & 3];
    bytes += 2;
    size -= 2;
    text = (char *)malloc(size + 1);
    number = (char *)malloc(size + 1);
    memcpy(text, bytes, size);
    text[size] = 0;
    memcpy(number, text, size + 1);
    {   /* a single number: as strtod says, which takes more forms than these */
        gtr__decimal n;
        const char *end = gtr__decimal_read(number, &n);
        if (end) {
            char *want_end, keep = *end;
            float want, got;
            number[end - number] = 0;
            want = strtof(number, &want_end);
            got = (float)gtr__decimal_value(&n);
            MUST(*want_end == 0 && !memcmp(&got, &want, sizeof got));
            number[end - number] = keep;
        }
    }
    d = gtr__csv_parse(&ctx, "fuzz", text, size, desc);
    MUST(asked <= 8 * size + (1 << 20));
    MUST((d != NULL) == (ctx.error == GTR_OK) && (d || ctx.error == GTR_ERR_FORMAT || ctx.error == GTR_ERR_ARG));
    if (d) {
        MUST(d->rows >= 1 && d->n_columns == (desc.label_column == -1 ? 1 : 2));
        for (r = 0; r < d->rows; r++) for (k = 0; k < d->column[0].row; k++)
            MUST(isfinite(((const gtr_float *)gtr_dataset_row(d, 0, r))[k]));
        if (d->n_columns == 2 && d->column[1].dtype == GTR_I32) {
            gtr__column_range(&d->column[1], d->rows);
            MUST(d->column[1].least >= 0);
        }
        gtr_dataset_destroy(d);
    }
    free(text);
    free(number);
    return 0;
}
