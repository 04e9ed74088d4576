/* libFuzzer on the CSV reader: four bytes of options, then the text. What is accepted is finite, its labels are not
   negative, and its numbers are strtod's; as itself, and by notes of it, it reads to the same.
       clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz/fuzz_csv.c -o fuzz -lm -pthread && ./fuzz
       -max_len=512 -max_total_time=60 */
#include "../programs/private.h"
#include "fuzz.h"

/* What notes say of d, whose columns went into inputs of their names or others, reads its features once more. */
static void read_by_notes(gtr_dataset *d, const uint8_t *bytes, size_t size, char *text, gtr_csv_desc desc)
{
    gtr_context *ctx = d->ctx;
    const char *name[16];
    char other[16][8];
    /* a label that no header names is not found by it, and so drops no row */
    bool text_of_all = !desc.header || (desc.label_column < 0 && !desc.label && !desc.labels)
        || d->column[d->n_columns - 1].name;
    for (int k = 0; k < d->n_columns; k++) {
        snprintf(other[k], sizeof other[k], "%%%d", k);
        name[k] = d->column[k].name ? d->column[k].name : other[k];
        MUST(gtr__names_note(d, k, name[k]) == GTR_OK);
        text_of_all &= gtr__is_text(name[k]) && (!d->column[k].names.n || gtr__is_utf8(d->column[k].names.text,
            (size_t)d->column[k].names.used));
        /* what a header does not name, or names twice, can't be found by it */
        uint64_t h;
        text_of_all &= !desc.header || ((!d->column[k].names.n || d->column[k].name) && (!d->column[k].features
            || (d->column[k].heads.n && gtr__strings_find(&d->column[k].heads, "", &h) < 0)));
        text_of_all &= !desc.header || k == 0 || !d->column[k].name
            || gtr__strings_find(&d->column[0].heads, d->column[k].name, &h) < 0;
        for (int j = 0; j < k; j++) text_of_all &= !d->column[j].name || strcmp(name[j], name[k]);
    }
    MUST(gtr__table_note(d, name) == GTR_OK);
    if (text_of_all && gtr_note(ctx, "table.features")) {
        gtr_dataset *model = gtr__table_of_notes(ctx, "fuzz"), *again;
        MUST(model && ctx->errors.code == GTR_OK);
        MUST(model->column[0].features == d->column[0].features && model->column[0].heads.n == d->column[0].heads.n);
        memcpy(text, bytes, size);
        text[size] = 0;
        desc.like = model;
        desc.model = true;
        if (desc.missing < GTR_MISSING_DROP) desc.missing = GTR_MISSING_ERROR; /* the model's */
        desc.missing_value = 0;
        again = gtr__csv_parse(ctx, "by notes", text, size, desc);
        MUST(again && again->rows == d->rows);
        MUST(!memcmp(d->column[0].host, again->column[0].host, (size_t)d->rows * d->column[0].row_bytes));
        gtr_dataset_destroy(again);
        gtr__dataset_free(model);
    }
    gtr__notes_free(ctx, &ctx->notes);
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
    static const char *const lists[] = { NULL, "1", "2,a", "\"b c\", 3", "a", "3,1" };
    if (size < 4) return 0;
    memset(&desc, 0, sizeof desc);
    memset(&ctx, 0, sizeof ctx);
    ctx.process = GTR__PROCESS();
    ctx.desc.allocator.alloc = count_alloc;
    ctx.desc.allocator.free = count_free;
    alive = most = 0;
    desc.label_column = bytes[0] % 8 - 1;
    desc.header = bytes[0] >> 4 & 1;
    desc.regression = (bytes[0] >> 5 & 1) && desc.label_column != -1;
    desc.separator = separators[bytes[1] & 3];
    desc.decimal = desc.separator && bytes[1] & 4 ? ',' : 0;
    desc.missing = (gtr_missing)(bytes[3] & 3 ? GTR_MISSING_CONSTANT + (bytes[3] & 3) : bytes[0] >> 6);
    if (desc.missing == GTR_MISSING_CONSTANT) desc.missing_value = -2;
    desc.skip = lists[bytes[1] >> 2 & 1 ? bytes[2] % 6 : 0];
    desc.categories = lists[bytes[1] >> 3 & 1 ? bytes[2] / 6 % 6 : 0];
    desc.columns = lists[bytes[1] >> 4 & 1 ? bytes[2] / 36 % 6 : 0];
    desc.label = lists[bytes[1] >> 5 & 1 ? bytes[2] % 5 : 0];
    desc.positive = bytes[2] < 216 ? NULL : bytes[2] & 1 ? "a" : "2";
    desc.dates = lists[bytes[3] >> 2 & 1 ? bytes[3] >> 5 & 3 : 0];
    desc.labels = lists[bytes[3] >> 3 & 1 ? bytes[2] % 6 : 0];
    if (desc.labels) { desc.label = desc.positive = NULL; desc.regression = true; }
    desc.drop_unlabelled = (bytes[1] >> 6 & 1) && (desc.label || desc.labels || desc.label_column >= 0);
    if (desc.label || desc.labels) desc.label_column = 0;
    const bool notes = bytes[3] >> 4 & 1;
    bytes += 4;
    size -= 4;
    text = (char *)malloc(size + 1);
    number = (char *)malloc(size + 1);
    memcpy(text, bytes, size);
    text[size] = 0;
    memcpy(number, text, size + 1);
    {   /* a single number: as strtod says, which takes more forms than these */
        gtr__decimal n;
        const char *end = gtr__decimal_read(number, '.', &n);
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
    MUST(most <= 8 * size + (1 << 20));
    MUST((d != NULL) == (ctx.errors.code == GTR_OK)
        && (d || ctx.errors.code == GTR_ERR_FORMAT || ctx.errors.code == GTR_ERR_ARG));
    if (d) {
        gtr_dataset *again;
        MUST(d->rows >= 1 && d->n_columns >= 1);
        for (int c = 0; c < d->n_columns; c++) {
            gtr__column *column = &d->column[c];
            for (r = 0; r < d->rows && column->dtype == GTR_F32; r++) for (k = 0; k < column->row; k++)
                MUST(isfinite(((const gtr_float *)gtr_dataset_row(d, c, r))[k]));
            if (column->dtype != GTR_I32) continue;
            gtr__column_range(column, d->rows);
            MUST(column->least >= 0 && (!column->names.n || column->most < column->names.n));
            for (k = 0; k < column->names.n; k++) for (r = 0; r < k && k < 9; r++)
                MUST(strcmp(gtr_dataset_category(d, c, k), gtr_dataset_category(d, c, r)));
            for (k = 1; k < column->names.n && d->classed == c + 1 && !desc.positive; k++) {
                const char *one = gtr_dataset_class(d, k - 1), *next = gtr_dataset_class(d, k);
                MUST(gtr__label_order(&one, &next) < 0);
            }
        }
        MUST(!desc.positive || !strcmp(gtr_dataset_class(d, 1), desc.positive));
        /* as itself it reads to the same */
        memcpy(text, bytes, size);
        text[size] = 0;
        desc.like = d;
        again = gtr__csv_parse(&ctx, "again", text, size, desc);
        MUST(again && again->rows == d->rows);
        for (int c = 0; c < d->n_columns; c++)
            MUST(!memcmp(d->column[c].host, again->column[c].host, (size_t)d->rows * d->column[c].row_bytes));
        gtr_dataset_destroy(again);
        if (notes) read_by_notes(d, bytes, size, text, desc);
        gtr_dataset_destroy(d);
    }
    MUST(alive == 0);
    free(text);
    free(number);
    return 0;
}
