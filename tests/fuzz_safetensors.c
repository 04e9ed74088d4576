/* libFuzzer on the safetensors reader: bytes of a whole file. What is accepted tiles its data, is written again as a
   model of its tensors (of float32 and int64) and read back as the same; no more memory is asked for than
   twice the file and 1 MiB.
       clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz_safetensors.c -o fuzz -lm -pthread && ./fuzz
       -max_len=4096 -dict=tests/fuzz.dict -max_total_time=60 */
#define GPUTRAIN_STATIC
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include "fuzz.h"

/* The entries as parameters of a context that has nothing else; names with a 0 inside have no C string. */
static bool as_model(const gtr__st *s, gtr_context *ctx, gtr_tensor *tensor, gtr_tensor **parameter, char (*name)[1100])
{
    uint32_t i;
    for (i = 0; i < s->n; i++) {
        size_t at = (size_t)s->entry[i].name + 1, n = 0;
        int32_t c;
        if (s->entry[i].dtype > GTR__ST_I64) return false;
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
    ctx->parameter = parameter;
    ctx->n_parameter = s->n;
    return true;
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
    asked = 0;
    if (gtr__st_start(&s, &ctx, "fuzz", bytes, size) != GTR_OK) {
        MUST(ctx.error == GTR_ERR_FORMAT && ctx.error_text[0] && !asked); return 0;
    }
    s.head = bytes + 8;
    if (gtr__st_parse(&s) != GTR_OK) { MUST(ctx.error == GTR_ERR_FORMAT && ctx.error_text[0]); goto done; }
    MUST(asked <= 2 * size + (1 << 20));
    for (i = 0; i < s.n; i++) end += s.entry[i].end - s.entry[i].begin;
    MUST(end == s.data);
    if (s.n > 128 || !as_model(&s, &ctx, tensor, parameter, name)) goto done;
    s.list = parameter;
    s.n_list = s.n;
    MUST(gtr__st_match(&s) == GTR_OK);
    for (i = 0; i < s.n; i++) MUST(s.entry[i].end - s.entry[i].begin == gtr__st_bytes(&tensor[i]));
    MUST(gtr__save_check(&ctx, "fuzz", s.n) == GTR_OK);
    MUST(gtr__save_begin(&save, &ctx, "fuzz", parameter, s.n) == GTR_OK);
    MUST(gtr__st_start(&again, &ctx, "again", (const uint8_t *)save.header, save.header_bytes + s.data) == GTR_OK);
    again.head = (const uint8_t *)save.header + 8;
    again.list = parameter;
    again.n_list = s.n;
    MUST(gtr__st_parse(&again) == GTR_OK && again.n == s.n && gtr__st_match(&again) == GTR_OK && ctx.error == GTR_OK);
    gtr__st_free(&again);
    gtr__mfree(&ctx, save.header);
done:
    gtr__st_free(&s);
    MUST(alive == 0);
    return 0;
}
