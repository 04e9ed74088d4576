/* libFuzzer on the readers of images: a byte that says which, and bytes of a whole file, or of what a decoder gives.
   What is accepted is as long as it says, its labels are in their range, and one image of a file is as it is in memory.
       clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz/fuzz_images.c -o fuzz -lm -pthread && ./fuzz
       -max_len=512 -max_total_time=60 */
#include "../programs/private.h"
#include "fuzz.h"
#include <limits.h>
#include <unistd.h>

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
    MUST(r == ctx->errors.code && (r == GTR_OK || r == GTR_ERR_FORMAT));
    for (size_t k = 0; k < 3 && !r; k++)
        MUST(label[k] < classes && !memcmp(image + k * 3072, copy + k * row + labels, 3072));
    free(copy);
    free(image);
}
/* A PGM or PPM file in memory of just its size, as it is and resized: to at most 8 x 8, of 1 or 3 channels. */
static gtr_images_desc drawn(unsigned how)
{
    gtr_images_desc d;
    memset(&d, 0, sizeof d);
    d.height = 1 + (int)(how & 7); d.width = 1 + (int)(how >> 3 & 7); d.resize = how & 64 ? 9 : 0;
    d.channels = how & 128 ? 3 : 1;
    return d;
}
static void pnm(gtr_context *ctx, const uint8_t *bytes, size_t size, unsigned how)
{
    gtr__images m = { drawn(how), false, false };
    uint8_t *copy = (uint8_t *)malloc(size ? size : 1), *out = (uint8_t *)malloc(8 * 8 * 3);
    gtr__pnm p;
    memcpy(copy, bytes, size);
    asked = 0;
    ctx->desc.allocator.alloc = count_alloc;
    ctx->desc.allocator.free = count_free;
    const gtr_result r = gtr__image_make(ctx, "fuzz", copy, size, &m, out);
    MUST(r == ctx->errors.code && (r == GTR_OK || r == GTR_ERR_FORMAT) && (r == GTR_OK || ctx->errors.text[0]));
    MUST(asked < 200 * size + (1 << 20));
    if (!r) {
        MUST(!gtr__pnm_header(ctx, "fuzz", copy, size, &p));
        MUST((uint64_t)p.w * p.h * (unsigned)p.channels < size && (p.text || p.end == copy + size));
        uint8_t *whole = (uint8_t *)malloc((size_t)p.w * p.h * (unsigned)p.channels);
        m.exact = m.alike = true; m.d.resize = 0;
        MUST(!gtr__image_make(ctx, "fuzz", copy, size, &m, NULL));
        MUST(m.d.height == (int)p.h && m.d.width == (int)p.w && m.d.channels == p.channels);
        MUST(!gtr__image_make(ctx, "fuzz", copy, size, &m, whole));
        free(whole);
    }
    free(copy);
    free(out);
}
/* What a decoder gives: three bytes and perhaps a high one say width, height and channels, the others are pixels, of
   which there is memory for just as many as a size that is not refused has. */
static struct { const uint8_t *bytes; size_t size; int given; } coded;
static int odd_size(uint8_t b, uint8_t high)
{
    static const int odd[] = { 0, -1, INT_MIN, INT_MAX, 1 << 15, 1 << 30, 255, 65536 };
    return high & 1 ? odd[b % 8] : 1 + b % 24;
}
static unsigned char *decode(const char *path, int *width, int *height, int *channels, int wanted)
{
    const uint8_t *b = coded.bytes;
    MUST(path && !wanted && !coded.given);
    if (coded.size < 4 || b[3] & 128) return NULL;
    *width = odd_size(b[0], b[3]); *height = odd_size(b[1], b[3] >> 1);
    *channels = b[3] & 4 ? odd_size(b[2], b[3] >> 3) : 1 + b[2] % 4;
    const bool some = gtr__is_pixels(*width, *height, *channels) && (int64_t)*width * *height * *channels < 1 << 14;
    const size_t n = some ? (size_t)*width * (size_t)*height * (size_t)*channels : 0;
    if (gtr__is_pixels(*width, *height, *channels) && !some) return NULL;
    unsigned char *pixels = (unsigned char *)malloc(n ? n : 1);
    for (size_t i = 0; i < n; i++) pixels[i] = coded.size > 4 ? b[4 + i % (coded.size - 4)] : (uint8_t)i;
    coded.given++;
    return pixels;
}
static void decode_free(void *pixels) { coded.given--; MUST(pixels && !coded.given); free(pixels); }
/* One image by each way there is: of a file (this program's own, which the decoder does not read, but the library
   opens), and in memory; by a set without a folder, and by one of images of this size. */
static void one(gtr_context *ctx, const uint8_t *bytes, size_t size, unsigned how)
{
    static char self[4096];
    gtr_arrays_desc a;
    gtr_images_desc d = drawn(how);
    gtr_tensor x;
    float got[2][8 * 8 * 3];
    int w = 0, h = 0, channels = 0;
    if (!self[0]) MUST(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    memset(&a, 0, sizeof a); memset(&x, 0, sizeof x);
    d.decode = decode; d.decode_free = decode_free;
    x.ctx = ctx; x.op = GTR__OP_INPUT; x.dtype = GTR_F32; x.name = self;
    x.shape = how & 1 ? gtr_shape4(GTR_BATCH, d.height, d.width, d.channels)
        : gtr_shape4(GTR_BATCH, d.channels, d.height, d.width);
    coded.bytes = bytes; coded.size = size; coded.given = 0;
    gtr_dataset *like = gtr_dataset_images(ctx, NULL, d), *own = NULL;
    MUST(like && !ctx->errors.code);
    const gtr_result r = gtr_image_load(like, self, &x, got[0]);
    MUST(!coded.given && (r == GTR_OK || r == GTR_ERR_FORMAT) && r == ctx->errors.code && (!r || ctx->errors.text[0]));
    ctx->errors.code = GTR_OK;
    unsigned char *pixels = decode("fuzz", &w, &h, &channels, 0);
    const gtr_result q = gtr_image_convert(like, pixels, h, w, channels, &x, got[1]);
    MUST(q == (r ? GTR_ERR_ARG : GTR_OK) && q == ctx->errors.code);
    MUST(r || !memcmp(got[0], got[1], sizeof(float) * (size_t)(d.height * d.width * d.channels)));
    if (!r) {
        a.rows = 1; a.column[0].data = pixels; a.column[0].dtype = GTR_U8; a.column[0].channels_last = true;
        a.column[0].shape = gtr_shape3(h, w, channels);
        x.shape = gtr_shape4(GTR_BATCH, h, w, channels);
        float *out = (float *)malloc((size_t)h * (size_t)w * (size_t)channels * sizeof *out);
        own = gtr_dataset_arrays(ctx, a);
        MUST(gtr_image_convert(own, pixels, h, w, channels, &x, out) == (channels % 2 ? GTR_OK : GTR_ERR_ARG));
        MUST(gtr_image_convert(own, pixels, h, w + 1, channels, &x, out) != GTR_OK);
        free(out);
    }
    if (pixels) decode_free(pixels);
    gtr__dataset_free(like);
    gtr__dataset_free(own);
}
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static gtr_context ctx;
    static const int classes[] = { 10, 20, 100 };
    if (size < 2) return 0;
    memset(&ctx, 0, sizeof ctx);
    ctx.process = GTR__PROCESS();
    if (bytes[0] % 8 < 3) cifar(&ctx, bytes + 1, size - 1, classes[bytes[0] % 8]);
    else if (bytes[0] % 8 < 5) one(&ctx, bytes + 2, size - 2, bytes[1]);
    else pnm(&ctx, bytes + 2, size - 2, bytes[1]);
    return 0;
}
