/* libFuzzer on the readers of images: a byte that says which, and bytes of a whole file. What is accepted is as long as
   it says, and its labels are in their range.
       clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz_images.c -o fuzz -lm -pthread && ./fuzz -max_len=512
       -max_total_time=60 */
#define GPUTRAIN_STATIC
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include "fuzz.h"

/* Three rows of CIFAR, at whose start the bytes lie. */
static void cifar(gtr_context *ctx, const uint8_t *bytes, size_t size, int classes)
{
    const size_t labels = classes == 10 ? 1 : 2, row = 3072 + labels, n = 3 * row;
    uint8_t *copy = (uint8_t *)calloc(1, n), *image = (uint8_t *)malloc(3 * 3072), label[3];
    int64_t rows;
    for (size_t k = 0; k < size && k < n; k++) copy[k % 3 * row + k / 3] = bytes[k];
    gtr_result r = gtr__cifar_rows(ctx, "fuzz", bytes, size, (int)labels, &rows);
    MUST((r == GTR_OK) == (size > 0 && size % row == 0) && (r || (size_t)rows * row == size));
    memset(ctx, 0, sizeof *ctx);
    ctx->process = GTR__PROCESS();
    r = gtr__cifar_split(ctx, "fuzz", copy, 0, 3, classes, image, label);
    MUST(r == ctx->error && (r == GTR_OK || r == GTR_ERR_FORMAT));
    for (size_t k = 0; k < 3 && !r; k++)
        MUST(label[k] < classes && !memcmp(image + k * 3072, copy + k * row + labels, 3072));
    free(copy);
    free(image);
}
/* A PGM or PPM file in memory of just its size, as it is and resized: to at most 8 x 8, of 1 or 3 channels. */
static void pnm(gtr_context *ctx, const uint8_t *bytes, size_t size, unsigned how)
{
    gtr_images_desc d = { 1 + (int)(how & 7), 1 + (int)(how >> 3 & 7), how & 64 ? 9 : 0, how & 128 ? 3 : 1, NULL };
    uint8_t *copy = (uint8_t *)malloc(size + 1), *out = (uint8_t *)malloc(8 * 8 * 3);
    gtr__pnm p;
    memcpy(copy, bytes, size);
    asked = 0;
    ctx->desc.allocator.alloc = count_alloc;
    ctx->desc.allocator.free = count_free;
    const gtr_result r = gtr__image_make(ctx, "fuzz", copy, size, &d, false, false, out);
    MUST(r == ctx->error && (r == GTR_OK || r == GTR_ERR_FORMAT) && (r == GTR_OK || ctx->error_text[0]));
    MUST(asked < 200 * size + (1 << 20));
    if (!r) {
        MUST(!gtr__pnm_header(ctx, "fuzz", copy, size, &p));
        MUST((uint64_t)p.w * p.h * (unsigned)p.channels < size && (p.text || p.end == copy + size));
        uint8_t *whole = (uint8_t *)malloc((size_t)p.w * p.h * (unsigned)p.channels);
        d.height = (int)p.h; d.width = (int)p.w; d.resize = 0; d.channels = p.channels;
        MUST(!gtr__image_make(ctx, "fuzz", copy, size, &d, true, true, whole));
        free(whole);
    }
    free(copy);
    free(out);
}
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static gtr_context ctx;
    static const int classes[] = { 10, 20, 100 };
    if (size < 2) return 0;
    memset(&ctx, 0, sizeof ctx);
    ctx.process = GTR__PROCESS();
    if (bytes[0] % 4 < 3) cifar(&ctx, bytes + 1, size - 1, classes[bytes[0] % 4]);
    else pnm(&ctx, bytes + 2, size - 2, bytes[1]);
    return 0;
}
