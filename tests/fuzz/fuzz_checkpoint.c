/* libFuzzer on the reader of checkpoints: bytes of a whole file, or changes of a good one (first byte odd: then
   position, two bytes, and value, again and again; a position behind its end cuts it). The checksum at its end is made
   to fit, unless the first byte's second bit says no: then a file that is not the good one is refused. What is refused
   has an error and changes nothing, to the bit; what is taken is got again, goes on for a step, and can be set back.
       clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz/fuzz_checkpoint.c -o fuzz -lm -pthread && ./fuzz
       -max_len=1024 -dict=tests/fuzz/fuzz.dict -max_total_time=60 */
#include "../programs/private.h"

#define MUST(x) do { \
    if (!(x)) { fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #x, gtr_error_text(ctx)); abort(); } } while (0)
enum { ROOM = 1 << 15 };
static gtr_context *ctx;
static gtr_trainer *trainer;
static size_t asked;
static void *count_alloc(size_t bytes, gtr_memory kind, void *user)
{
    (void)kind; (void)user;
    asked += bytes;
    return aligned_alloc(256, (bytes + 255) / 256 * 256);
}
static void count_free(void *p, size_t bytes, gtr_memory kind, void *user)
{
    (void)bytes; (void)kind; (void)user;
    free(p);
}
static unsigned char good[ROOM], now[ROOM], file[ROOM];
static size_t size;
static void begin(void)
{
    static const gtr_float rows[8 * 3] = { 0.5f, 1, -1, 2, 0.25f, 3 };
    gtr_desc d;
    gtr_trainer_desc t;
    gtr_arrays_desc a;
    memset(&d, 0, sizeof d); memset(&t, 0, sizeof t); memset(&a, 0, sizeof a);
    d.device = GTR_DEVICE_CPU; d.threads = 1;
    d.allocator.alloc = count_alloc; d.allocator.free = count_free;
    ctx = gtr_create(d);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3));
    t.optimizer = GTR_ADAM; t.precision = GTR_MIXED_FP16; t.ema = 0.5f;
    trainer = gtr_trainer_create(gtr_mse(gtr_batch_norm(gtr_linear(x, "a", 3), "n"), x), t);
    a.rows = 8; a.column[0].data = rows; a.column[0].shape = gtr_shape1(3);
    MUST(gtr_trainer_data(trainer, gtr_dataset_arrays(ctx, a), 3, true, true) == GTR_OK);
    for (int i = 0; i < 3; i++) MUST(gtr_step(trainer) == GTR_OK);
    size = gtr_checkpoint_bytes(trainer);
    MUST(size && size <= ROOM && gtr_checkpoint_get(trainer, good, size) == GTR_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    size_t length = size, i;
    if (!ctx) { begin(); length = size; }
    if (n && bytes[0] % 2) {
        memcpy(file, good, size);
        for (i = 1; i + 2 < n; i += 3) {
            const size_t at = bytes[i] | (size_t)bytes[i + 1] << 8;
            if (at < length) file[at] = bytes[i + 2]; else if (at % 64 == 0) length = length * bytes[i + 2] / 256;
        }
    } else {
        length = n < ROOM ? n : ROOM;
        if (n) memcpy(file, bytes, length);
    }
    const bool fits = !(n && bytes[0] & 2), same = length == size && !memcmp(file, good, size);
    if (fits && length > 4) {
        gtr__crc c;
        gtr__crc_begin(&c, GTR__CRC32C);
        gtr__crc_add(&c, file, length - 4);
        gtr__le_put(file + length - 4, 4, ~c.sum);
    }
    asked = 0;
    const gtr_result r = gtr_checkpoint_set(trainer, file, length);
    MUST(asked <= 2 * length + (1 << 20));
    MUST(r || fits || same || length != size);
    if (r) {
        MUST(gtr_error(ctx) == r && gtr_error_text(ctx)[0]);
        gtr_error_clear(ctx);
    } else {
        MUST(gtr_error(ctx) == GTR_OK);
        const size_t back = gtr_checkpoint_bytes(trainer);
        MUST(back && back <= ROOM && gtr_checkpoint_get(trainer, now, back) == GTR_OK);
        MUST(gtr_checkpoint_set(trainer, now, back) == GTR_OK && gtr_checkpoint_get(trainer, file, back) == GTR_OK);
        MUST(!memcmp(now, file, back));
        gtr_step(trainer);
        gtr_wait(ctx);
        gtr_error_clear(ctx);
        ctx->caps.without = 0;
        gtr__notes_free(ctx, &ctx->notes);
        memset(&ctx->notes, 0, sizeof ctx->notes);
        MUST(gtr_checkpoint_set(trainer, good, size) == GTR_OK);
    }
    MUST(gtr_checkpoint_get(trainer, now, size) == GTR_OK && !memcmp(now, good, size));
    return 0;
}
