/* Files: safetensors, IDX, CIFAR, folders of images, CSV, data sets. What each bad file gets, round trips, thousands of
   mutants, every system call and every allocation failing in turn, and a saving process killed at random moments. The
   loaders see the system through the wrappers below, which fail on request. GTR_TEST_DEVICE=cuda runs what touches a
   device there; GTR_TEST_SMALL runs less of it.
   `test_files --mutants N` writes mutants and verdicts to stdout for verdict_safetensors.py.
       cc -O2 tests/programs/test_files.c -o test_files -lm -pthread */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { IO_OPEN, IO_READ, IO_WRITE, IO_FSYNC, IO_CLOSE, IO_RENAME, IO_KINDS };
static const char *const io_names[IO_KINDS] = { "open", "read", "write", "fsync", "close", "rename" };
/* call at (from 1) of kind fails once; piece: bytes a call moves at most; shorter, longer: what
   a file seems to become */
static struct { int kind, errnum, at, seen, hit, piece, shorter, longer; char log[256]; } io;
static int io_fails(int kind, int more)
{
    size_t n = strlen(io.log);
    if (n + 2 < sizeof io.log && !(n && kind == IO_WRITE && io.log[n - 1] == 'w')) {
        io.log[n] = (char)(more ? more : "orwfcn"[kind]); io.log[n + 1] = 0;
    }
    if (kind != io.kind || ++io.seen != io.at) return 0;
    io.hit = 1;
    errno = io.errnum;
    return 1;
}
static int io_open(const char *path, int flags, mode_t mode) {
    return io_fails(IO_OPEN, flags & O_EXCL ? 'O' : 0) ? -1 : open(path, flags, mode);
}
static ssize_t io_read(int fd, void *p, size_t n)
{
    ssize_t r;
    if (io_fails(IO_READ, 0)) return -1;
    r = io.shorter ? 0 : read(fd, p, io.piece && n > (size_t)io.piece ? (size_t)io.piece : n);
    return r == 0 && io.longer ? 1 : r;
}
static ssize_t io_write(int fd, const void *p, size_t n) {
    return io_fails(IO_WRITE, 0) ? -1 : write(fd, p, io.piece && n > (size_t)io.piece ? (size_t)io.piece : n);
}
static int io_fsync(int fd) { return io_fails(IO_FSYNC, 0) ? -1 : fsync(fd); }
static int io_close(int fd)     /* as Linux does: the descriptor is gone even if it fails */
{
    int failed = io_fails(IO_CLOSE, 0), e = errno, r = close(fd);
    if (failed) errno = e;
    return failed ? -1 : r;
}
/* Entries of folders, and what is asked about them: call at (from 1) fails. */
static int readdir_at, stat_at;
static struct dirent *io_readdir(DIR *d)
{
    if (!readdir_at || --readdir_at) return readdir(d);
    errno = EIO;
    return NULL;
}
static int io_stat(const char *path, struct stat *st)
{
    if (!stat_at || --stat_at) return stat(path, st);
    errno = EACCES;
    return -1;
}
static int io_rename(const char *a, const char *b) { return io_fails(IO_RENAME, 0) ? -1 : rename(a, b); }
#define open(path, flags, mode) io_open(path, flags, mode)
#define read(fd, p, n) io_read(fd, p, n)
#define write(fd, p, n) io_write(fd, p, n)
#define fsync(fd) io_fsync(fd)
#define close(fd) io_close(fd)
#define rename(a, b) io_rename(a, b)
#define readdir(d) io_readdir(d)
#define stat(path, st) io_stat(path, st)
#include "counted.h"
#define GPUTRAIN_STATIC
#define GPUTRAIN_IMPLEMENTATION
#include "../../gputrain.h"
#undef open
#undef read
#undef write
#undef fsync
#undef close
#undef rename
#undef readdir
#undef stat
#include "check.h"
#include "copies.h"
#include "hash.h"
#include "../tables/resized.h"

static bool small;
static gtr_device device;
static char folder[256];
static uint64_t seed = 0x9e3779b97f4a7c15u;
static uint32_t draw(void)
{
    seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
    return (uint32_t)(seed >> 32);
}
static uint32_t below(uint32_t n) { return (uint32_t)((uint64_t)draw() * n >> 32); }
static const char *in_folder(const char *name)
{
    static char path[4][512];
    static int k;
    k = (k + 1) % 4;
    snprintf(path[k], sizeof path[k], "%s/%s", folder, name);
    return path[k];
}
static void put(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) { printf("cannot write %s\n", path); exit(1); }
}
static unsigned char *get(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    unsigned char *p = (unsigned char *)malloc(1 << 21);
    *n = f ? fread(p, 1, 1 << 21, f) : 0;
    if (f) fclose(f);
    return p;
}
/* A column's least and greatest value, which are looked for when they are wanted. */
static const gtr__column *range_of(gtr_dataset *d, int column) {
    gtr__column_range(&d->column[column], d->rows); return &d->column[column];
}
static bool range_is(gtr_dataset *d, int column, int64_t least, int64_t most) {
    return d && range_of(d, column)->least == least && d->column[column].most == most;
}
static int files_in_folder(void)
{
    DIR *d = opendir(folder);
    int n = 0;
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n - 2;
}

static void *guarded_alloc(size_t bytes, gtr_memory kind, void *user) {
    (void)kind; (void)user; return guard_alloc(bytes);
}
static void guarded_free(void *p, size_t bytes, gtr_memory kind, void *user) {
    (void)kind; (void)user; guard_free(p, bytes);
}
static gtr_context *context(gtr_device where)
{
    gtr_desc d;
    memset(&d, 0, sizeof d);
    d.device = where;
    d.threads = 1;
    if (where == GTR_DEVICE_CPU) { d.allocator.alloc = guarded_alloc; d.allocator.free = guarded_free; }
    if (where == GTR_DEVICE_CUDA && getenv("GTR_TEST_MAX_SM")) d.max_sm = atoi(getenv("GTR_TEST_MAX_SM"));
    return gtr_create(d);
}
/* The model of most tests: two matrices, a vector, a scalar, an int64 scalar. */
#define MODEL 5
static void model(gtr_context *ctx)
{
    gtr_init init;
    memset(&init, 0, sizeof init);
    gtr_parameter(ctx, "fc1.weight", gtr_shape2(3, 4), init);
    gtr_parameter(ctx, "fc1.bias", gtr_shape1(3), init);
    gtr_parameter(ctx, "a", gtr_shape2(1, 1), init);
    gtr_parameter(ctx, "scalar", gtr_shape0(), init);
    gtr__leaf(ctx, GTR__OP_PARAMETER, "bn.num_batches_tracked", GTR_I64, gtr_shape0(), NULL,
        gtr__init(GTR_INIT_ZERO, 0), true);
    if (ctx->graph.n_parameter != MODEL) { printf("no model: %s\n", gtr_error_text(ctx)); exit(1); }
}
/* All values of the model are a function of version. */
static void fill(gtr_context *ctx, int version)
{
    int64_t k, i, n;
    for (k = 0; k < ctx->graph.n_parameter; k++) {
        gtr_tensor *p = ctx->graph.parameter[k];
        gtr_float v[64];
        int64_t count = (int64_t)version << 33 | 5;
        for (i = 0, n = gtr__count(&p->shape); i < n && i < 64; i++)
            v[i] = (gtr_float)(version + (double)k / 4 + (double)i / 64);
        if (gtr_set(p, p->dtype == GTR_I64 ? (const void *)&count : v, gtr__bytes_of(p)) != GTR_OK)
            CHECK(0, "set: %s", gtr_error_text(ctx));
    }
}
/* The version that the values are, -1 if they are of none. */
static int version_of(gtr_context *ctx)
{
    int64_t k, i, n, count;
    int version = -1;
    for (k = ctx->graph.n_parameter - 1; k >= 0; k--) {
        gtr_tensor *p = ctx->graph.parameter[k];
        gtr_float v[64];
        if (gtr_get(p, p->dtype == GTR_I64 ? (void *)&count : v, gtr__bytes_of(p)) != GTR_OK) return -1;
        if (p->dtype == GTR_I64) { version = (int)(count >> 33); if ((count & 0xffff) != 5) return -1; continue; }
        for (i = 0, n = gtr__count(&p->shape); i < n && i < 64; i++)
            if (v[i] != (gtr_float)(version + (double)k / 4 + (double)i / 64)) return -1;
    }
    return version;
}

/* --- safetensors */

static void round_trip(void)
{
    gtr_context *a = context(device), *b = context(device);
    unsigned char *one, *two;
    size_t n, m;
    uint64_t header = 0;
    int k;
    model(a);
    model(b);
    fill(a, 7);
    fill(b, 1);
    EXPECT_EQ(gtr_save(a, in_folder("m.safetensors")), GTR_OK);
    EXPECT_EQ(gtr_load(b, in_folder("m.safetensors")), GTR_OK);
    EXPECT_EQ(version_of(b), 7);
    EXPECT_EQ(gtr_save(b, in_folder("n.safetensors")), GTR_OK);
    one = get(in_folder("m.safetensors"), &n);
    two = get(in_folder("n.safetensors"), &m);
    EXPECT(n == m && n > 8 && !memcmp(one, two, n));
    for (k = 7; k >= 0; k--) header = header << 8 | one[k];
    EXPECT_EQ(header % 8, 0);
    EXPECT_EQ(n, 8 + header + 8 + 4 * (12 + 3 + 1 + 1));
    {   /* widest elements first, then by name; what PyTorch's tools look for */
        static const char want[] =
            "{\"__metadata__\":{\"format\":\"pt\"},\"bn.num_batches_tracked\":{\"dtype\":\"I64\",\"shape\":[],"
            "\"data_offsets\":[0,8]},"
            "\"a\":{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[8,12]},\"fc1.bias\":{\"dtype\":\"F32\","
                "\"shape\":[3],\"data_offsets\":[12,24]},"
            "\"fc1.weight\":{\"dtype\":\"F32\",\"shape\":[3,4],\"data_offsets\":[24,72]},"
                "\"scalar\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[72,76]}}";
        CHECK(!memcmp(one + 8, want, sizeof want - 1), "the header is %.*s", (int)header, (char *)one + 8);
    }
    EXPECT_EQ(files_in_folder(), 2);
    EXPECT_OK(a);
    EXPECT_OK(b);
    free(one);
    free(two);
    gtr_destroy(a);
    gtr_destroy(b);
    a = context(device);    /* no tensors at all: no model's file is replaced by none */
    EXPECT_EQ(gtr_save(a, in_folder("m.safetensors")), GTR_ERR_STATE);
    EXPECT_ERROR(a, GTR_ERR_STATE, "there is no parameter");
    EXPECT_EQ(gtr_note_set(a, "k", "v"), GTR_OK);
    EXPECT_EQ(gtr_note_set(a, "k", NULL), GTR_OK);
    EXPECT_EQ(gtr_save(a, in_folder("m.safetensors")), GTR_ERR_STATE);
    EXPECT_ERROR(a, GTR_ERR_STATE, "there is no parameter");
    EXPECT_EQ(files_in_folder(), 2);
    for (int i = 0; i < 12; i++) {
        char key[16];
        snprintf(key, sizeof key, "y.%d", i);
        EXPECT_EQ(gtr_note_set(a, key, "v"), GTR_OK);
    }
    EXPECT_EQ(gtr_note_set(a, "y.z", "z"), GTR_OK);
    EXPECT_EQ(gtr_note_set(a, "yy.1", "yy"), GTR_OK);
    EXPECT_EQ(gtr_note_set(a, "y.*", NULL), GTR_OK);
    EXPECT(!gtr_note(a, "y.0") && !gtr_note(a, "y.11") && gtr_note(a, "y.z") && gtr_note(a, "yy.1"));
    EXPECT_EQ(gtr_load(a, in_folder("n.safetensors")), GTR_ERR_SHAPE);
    EXPECT_ERROR(a, GTR_ERR_SHAPE, "is not in the model");
    gtr_destroy(a);
}
/* NaN payloads, infinities, -0 and denormals come back bit by bit; so do names that JSON must escape. */
static void bits_and_names(void)
{
    static const char *const names[] = {
        "quote\"back\\slash", "tab\tnew\nline", "\xc3\xa9t\xc3\xa9", "\xf0\x9f\x99\x82", "del\x7f", "a/b", "." };
    gtr_context *ctx = context(device);
    gtr_init init;
    uint32_t bits[7][6] = {{ 0x7fc12345, 0xff800000, 0x7f800000, 0x80000000, 1, 0x7f7fffff }}, got[6];
    int i, k;
    memset(&init, 0, sizeof init);
    for (i = 0; i < 7; i++) {
        gtr_parameter(ctx, names[i], gtr_shape2(2, 3), init);
        if (i) for (k = 0; k < 6; k++) bits[i][k] = (draw() & 0xff7fffffu) | 1u;
#ifndef GPUTRAIN_DOUBLE
        EXPECT_EQ(gtr_set(gtr_parameter_at(ctx, i), bits[i], sizeof bits[i]), GTR_OK);
#endif
    }
    EXPECT_EQ(gtr_save(ctx, in_folder("m.safetensors")), GTR_OK);
#ifndef GPUTRAIN_DOUBLE
    for (i = 0; i < 7; i++) EXPECT_EQ(gtr_set(gtr_parameter_at(ctx, i), bits[6 - i], sizeof bits[i]), GTR_OK);
#endif
    EXPECT_EQ(gtr_load(ctx, in_folder("m.safetensors")), GTR_OK);
#ifndef GPUTRAIN_DOUBLE
    for (i = 0; i < 7; i++) {
        EXPECT_EQ(gtr_get(gtr_parameter_at(ctx, i), got, sizeof got), GTR_OK);
        CHECK(!memcmp(got, bits[i], sizeof got), "bits of \"%s\" have changed", names[i]);
    }
#endif
    (void)got; (void)bits;
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    /* what the format cannot hold is refused when it is made, alone or by its layer or scope, and
       nothing is left of it */
    ctx = context(GTR_DEVICE_CPU);
    EXPECT(!gtr_parameter(ctx, "\xff\xfe", gtr_shape1(1), init));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "UTF-8");
    EXPECT(!gtr_parameter(ctx, "__metadata__", gtr_shape1(1), init));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "__metadata__");
    EXPECT(!gtr_linear(gtr_input(ctx, "\xff", GTR_F32, gtr_shape2(GTR_BATCH, 2)), "\xe0\x80", 2));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "can't be saved");
    gtr_scope_begin(ctx, "\xc3");
    EXPECT(!gtr_parameter(ctx, "a", gtr_shape1(1), init));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "UTF-8");
    gtr_scope_end(ctx);
    EXPECT(gtr_parameter_count(ctx) == 0);
    EXPECT(gtr_parameter(ctx, "\xc3\xa4 \"\x01", gtr_shape1(1), init)
        && gtr_save(ctx, in_folder("m.safetensors")) == GTR_OK && gtr_load(ctx, in_folder("m.safetensors")) == GTR_OK);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

/* A file of header and as many bytes of data; names are those of the model below: "a" F32 (2, 2) and "n" I64 (). */
static size_t st_file(unsigned char *out, const char *header, size_t n, size_t data)
{
    int i;
    for (i = 0; i < 8; i++) out[i] = (unsigned char)(n >> (8 * i));
    memcpy(out + 8, header, n);
    memset(out + 8 + n, 0, data);
    return 8 + n + data;
}
#define A "\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[8,24]}"
#define N "\"n\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]}"
static const struct { const char *header; size_t data; gtr_result want; const char *part; } st_cases[] = {
    { "{" A "," N "}", 24, GTR_OK, "" },
    { "{" N "," A "}        ", 24, GTR_OK, "" },
    { "{\"__metadata__\":{}," A "," N "}", 24, GTR_OK, "" },
    { "{" A ",\"__metadata__\":{\"\":\"\\u0000\",\"x\":\"\\ud83d\\ude00\"}," N "}", 24, GTR_OK, "" },
    { "{\n\t\"\\u0061\" : { \"data_offsets\" : [ 8 , 24 ] , \"sh\\u0061pe\" : [ 2 , 2 ] , \"dtype\" : "
        "\"\\u0046\\u00332\" } , " N " }", 24, GTR_OK, "" },
    { "", 24, GTR_ERR_FORMAT, "'{' as the first byte" },
    { " {" A "," N "}", 24, GTR_ERR_FORMAT, "'{' as the first byte" },
    { "\n{" A "," N "}", 24, GTR_ERR_FORMAT, "'{' as the first byte" },
    { "[" A "," N "]", 24, GTR_ERR_FORMAT, "'{' as the first byte" },
    { "{" A "," N "}\n", 24, GTR_ERR_FORMAT, "nothing but spaces" },
    { "{" A "," N "} x", 24, GTR_ERR_FORMAT, "nothing but spaces" },
    { "{" A "," N "}}", 24, GTR_ERR_FORMAT, "nothing but spaces" },
    { "{" A "," N, 24, GTR_ERR_FORMAT, "',' or '}'" },
    { "{" A "," N ",}", 24, GTR_ERR_FORMAT, "a tensor's name" },
    { "{" A " " N "}", 24, GTR_ERR_FORMAT, "',' or '}'" },
    { "{" A ",," N "}", 24, GTR_ERR_FORMAT, "a tensor's name" },
    { "{a:1}", 0, GTR_ERR_FORMAT, "a tensor's name" },
    { "{\"a\" 1}", 0, GTR_ERR_FORMAT, "':'" },
    { "{\"a\":1}", 0, GTR_ERR_FORMAT, "'{' of a tensor" },
    { "{\"a\":{}}", 0, GTR_ERR_FORMAT, "are missing" },
    { "{\"a\":{\"b\":{\"c\":{\"d\":{}}}}}", 0, GTR_ERR_FORMAT, "a field that is not" },
    { "{\"a\":{\"shape\":[[2],2]}}", 0, GTR_ERR_FORMAT, "a whole number" },
    { "{\"a\xff\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT,
        "a character of a string" },
    { "{\"\xc0\x80\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "UTF-8" },
    { "{\"\xe0\x80\x80\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "UTF-8" },
    { "{\"\xe0\x81\x81\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "UTF-8" },
    { "{\"\xf0\x80\x81\x81\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "UTF-8" },
    { "{\"\xed\xa0\x80\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "UTF-8" },
    { "{\"\xf4\x90\x80\x80\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "UTF-8" },
    { "{\"\xc3\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "UTF-8" },
    { "{\"a\tb\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "control" },
    { "{\"\\x\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "escapes" },
    { "{\"\\u12g4\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "escapes" },
    { "{\"\\ud800\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "escapes" },
    { "{\"\\udc00\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "escapes" },
    { "{\"\\ud800\\u0041\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "escapes" },
    { "{\"a", 4, GTR_ERR_FORMAT, "its end" },
    { "{\"a\\", 4, GTR_ERR_FORMAT, "a string" },
    { "{\"a\\u00", 4, GTR_ERR_FORMAT, "a string" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2.0,2],\"data_offsets\":[0,16]}}", 16, GTR_ERR_FORMAT, "',' or ']'" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2e0,2],\"data_offsets\":[0,16]}}", 16, GTR_ERR_FORMAT, "',' or ']'" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[-2,2],\"data_offsets\":[0,16]}}", 16, GTR_ERR_FORMAT, "not negative" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[+2,2],\"data_offsets\":[0,16]}}", 16, GTR_ERR_FORMAT, "a whole number" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[02,2],\"data_offsets\":[0,16]}}", 16, GTR_ERR_FORMAT, "leading zeros" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[\"2\",2],\"data_offsets\":[0,16]}}", 16, GTR_ERR_FORMAT, "a whole number" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[null],\"data_offsets\":[0,16]}}", 16, GTR_ERR_FORMAT, "a whole number" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,2,],\"data_offsets\":[0,16]}}", 16, GTR_ERR_FORMAT, "a whole number" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[9223372036854775808],\"data_offsets\":[0,16]}}", 16,
        GTR_ERR_FORMAT, "2^63 - 1" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[99999999999999999999999],\"data_offsets\":[0,16]}}", 16,
        GTR_ERR_FORMAT, "2^63 - 1" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[9223372036854775807],\"data_offsets\":[0,16]}}", 16,
        GTR_ERR_FORMAT, "overflows" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0,
        GTR_ERR_FORMAT, "overflows" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296,0],\"data_offsets\":[0,0]}}", 0,
        GTR_ERR_FORMAT, "overflows" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1152921504606846976,2],\"data_offsets\":[0,0]}}", 0,
        GTR_ERR_FORMAT, "overflows" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT,
        "8 dimensions" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,4]}}", 4, GTR_ERR_FORMAT, "two numbers" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4]}}", 4, GTR_ERR_FORMAT, "two numbers" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":4}}", 4, GTR_ERR_FORMAT, "'['" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1,\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "a whole number" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1}}", 4, GTR_ERR_FORMAT, "',' or ']'" },
    { "{\"a\":{\"dtype\":32,\"shape\":[1],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "the dtype" },
    { "{\"a\":{\"dtype\":\"F33\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "not known" },
    { "{\"a\":{\"dtype\":\"f32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "not known" },
    { "{\"a\":{\"dtype\":\"F32\\u0000\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "not known" },
    { "{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "dtype is missing" },
    { "{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "shape is missing" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, GTR_ERR_FORMAT, "data_offsets are missing" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":1}}", 4, GTR_ERR_FORMAT,
        "a field that is not" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"shape\":[1]}}", 4, GTR_ERR_FORMAT,
        "a field twice" },
    { "{\"a\":{\"dtype\":\"F32\" \"shape\":[1]}}", 4, GTR_ERR_FORMAT, "',' or '}'" },
    { "{\"a\":{\"dtype\" \"F32\"}}", 4, GTR_ERR_FORMAT, "':'" },
    { "{\"a\":{dtype:\"F32\"}}", 4, GTR_ERR_FORMAT, "dtype, shape or data_offsets" },
    { "{" A "," N "," A "}", 24, GTR_ERR_FORMAT, "tensor \"a\"" },
    { "{" N ",\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]},\"\\u0061\":{\"dtype\":\"F32\","
        "\"shape\":[2],\"data_offsets\":[16,24]}}", 24, GTR_ERR_FORMAT, "there twice" },
    { "{\"\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, GTR_ERR_FORMAT, "an empty name" },
    { "{\"__metadata__\":{\"x\":1}," A "," N "}", 24, GTR_ERR_FORMAT, "a string, as all values" },
    { "{\"__metadata__\":{\"x\":null}," A "," N "}", 24, GTR_ERR_FORMAT, "a string, as all values" },
    { "{\"__metadata__\":{\"x\":{}}," A "," N "}", 24, GTR_ERR_FORMAT, "a string, as all values" },
    { "{\"__metadata__\":null," A "," N "}", 24, GTR_ERR_FORMAT, "__metadata__" },
    { "{\"__metadata__\":{\"x\"}," A "," N "}", 24, GTR_ERR_FORMAT, "':'" },
    { "{\"__metadata__\":{\"x\":\"y\"," A "," N "}", 24, GTR_ERR_FORMAT, "a string, as all values" },
    { "{\"__metadata__\":{\"x\":\"y\" 1}," A "," N "}", 24, GTR_ERR_FORMAT, "',' or '}'" },
    { "{\"__metadata__\":{1:2}," A "," N "}", 24, GTR_ERR_FORMAT, "a key of __metadata__" },
    { "{\"__metadata__\":{},\"__metadata__\":{}," A "," N "}", 24, GTR_ERR_FORMAT, "once only" },
    { "{\"__metadata__\":{\"x\":\"1\",\"y\":\"2\",\"\\u0078\":\"3\"}," A "," N "}", 24, GTR_ERR_FORMAT, "once only" },
    { "{\"__metadata__\":{\"x\":\"1\x01\"}," A "," N "}", 24, GTR_ERR_FORMAT, "control" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[24,8]}," N "}", 24, GTR_ERR_FORMAT,
        "want a range within" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[16,32]}," N "}", 24, GTR_ERR_FORMAT,
        "want a range within" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[4,20]}," N "}", 24, GTR_ERR_FORMAT,
        "its data begin at 4, want 8" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[12,28]}," N "}", 28, GTR_ERR_FORMAT,
        "its data begin at 12, want 8" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[8,24]}}", 24, GTR_ERR_FORMAT,
        "its data begin at 8, want 0" },
    { "{" A "," N "}", 25, GTR_ERR_FORMAT, "25 bytes of data, want 24" },
    { "{" A "," N "}", 23, GTR_ERR_FORMAT, "want a range within" },
    { "{}", 1, GTR_ERR_FORMAT, "1 bytes of data, want 0" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[8,24]}," N "}", 24, GTR_ERR_FORMAT,
        "16 bytes of data, want 24 bytes for" },
    { "{\"a\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2, GTR_ERR_FORMAT, "want 12 bits" },
    { "{\"a\":{\"dtype\":\"F6_E2M3\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2, GTR_ERR_FORMAT, "want 18 bits" },
    { "{\"a\":{\"dtype\":\"F4\",\"shape\":[4],\"data_offsets\":[0,2]}}", 2, GTR_ERR_UNSUPPORTED, "F4" },
    { "{\"a\":{\"dtype\":\"F6_E3M2\",\"shape\":[4],\"data_offsets\":[0,3]}}", 3, GTR_ERR_UNSUPPORTED, "F6_E3M2" },
    { "{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[16],\"data_offsets\":[8,24]}," N "}", 24, GTR_ERR_UNSUPPORTED,
        "tensor \"a\" is F8_E4M3 (16,) in the file, the model wants F32 (2, 2)" },
    { "{\"a\":{\"dtype\":\"BF16\",\"shape\":[2,2],\"data_offsets\":[8,16]}," N "}", 16, GTR_OK, "" },
    { "{\"a\":{\"dtype\":\"F64\",\"shape\":[2,2],\"data_offsets\":[8,40]}," N "}", 40, GTR_OK, "" },
    { "{\"a\":{\"dtype\":\"I32\",\"shape\":[2,2],\"data_offsets\":[8,24]}," N "}", 24, GTR_ERR_UNSUPPORTED,
        "tensor \"a\" is I32 (" },
    { "{" A ",\"n\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[0,8]}}", 24, GTR_OK, "" },
    { "{}", 0, GTR_ERR_SHAPE, "is missing" },
    { "{\"__metadata__\":{\"format\":\"pt\"}}", 0, GTR_ERR_SHAPE, "tensor \"a\" F32 (2, 2) of the model is missing" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}", 16, GTR_ERR_SHAPE,
        "tensor \"n\" I64 () of the model is missing" },
    { "{" A "," N ",\"b\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[24,24]}}", 24, GTR_ERR_SHAPE,
        "tensor \"b\" F32 (0,) is not in the model" },
    { "{" A "," N ",\"b\\n\":{\"dtype\":\"F32\",\"shape\":[3,0],\"data_offsets\":[8,8]}}", 24, GTR_ERR_SHAPE,
        "tensor \"b\\n\" F32 (3, 0) is not" },
    { "{\"a\\u0000\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[8,24]}," N "}", 24, GTR_ERR_SHAPE,
        "tensor \"a\" F32 (2, 2) of the model is missing" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[8,24]}," N "}", 24, GTR_ERR_SHAPE,
        "tensor \"a\" is F32 (4,) in the file, the model wants F32 (2, 2)" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,2,1],\"data_offsets\":[8,24]}," N "}", 24, GTR_ERR_SHAPE,
        "F32 (2, 2, 1)" },
    { "{\"a\":{\"dtype\":\"I64\",\"shape\":[2,2],\"data_offsets\":[8,40]}," N "}", 40, GTR_ERR_SHAPE,
        "tensor \"a\" is I64 (2, 2)" },
    { "{" A ",\"n\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 24, GTR_ERR_SHAPE,
        "tensor \"n\" is F32 (2,)" },
};
#undef A
#undef N

/* Loading bytes gives code, and changes nothing but on success. */
static void expect_load(gtr_context *ctx, const unsigned char *bytes, size_t n, gtr_result want, const char *part,
    const char *what)
{
    const char *path = in_folder("bad.safetensors");
    gtr_float a[4] = { 1, 2, 3, 4 };
    int64_t k = 5;
    gtr_result r;
    put(path, bytes, n);
    gtr_set(gtr_parameter_at(ctx, 0), a, sizeof a);
    gtr_set(gtr_parameter_at(ctx, 1), &k, sizeof k);
    r = gtr_load(ctx, path);
    gtr_get(gtr_parameter_at(ctx, 0), a, sizeof a);
    gtr_get(gtr_parameter_at(ctx, 1), &k, sizeof k);
    CHECK(r == want, "%s: got '%s' (%s), want '%s'", what, gtr_result_text(r), gtr_error_text(ctx),
        gtr_result_text(want));
    CHECK(gtr_error(ctx) == r && strstr(gtr_error_text(ctx), part) && (r == GTR_OK || strstr(gtr_error_text(ctx),
        path)), "%s: the error is '%s', want the file and \"%s\"", what, gtr_error_text(ctx), part);
    if (r == GTR_OK) CHECK(a[0] == 0 && a[3] == 0 && k == 0, "%s: not loaded", what);
    else CHECK(a[0] == 1 && a[1] == 2 && a[2] == 3 && a[3] == 4 && k == 5, "%s: parameters have changed", what);
    gtr_error_clear(ctx);
}
static gtr_context *small_model(void)
{
    gtr_context *ctx = context(GTR_DEVICE_CPU);
    gtr_init init;
    memset(&init, 0, sizeof init);
    gtr_parameter(ctx, "a", gtr_shape2(2, 2), init);
    gtr__leaf(ctx, GTR__OP_PARAMETER, "n", GTR_I64, gtr_shape0(), NULL, gtr__init(GTR_INIT_ZERO, 0), true);
    return ctx;
}
static void bad_safetensors(void)
{
    gtr_context *ctx = small_model();
    unsigned char *bytes = (unsigned char *)malloc(1 << 20);
    char *header = (char *)malloc(1 << 20);
    size_t n, k;
    for (k = 0; k < sizeof st_cases / sizeof st_cases[0]; k++) {
        n = st_file(bytes, st_cases[k].header, strlen(st_cases[k].header), st_cases[k].data);
        expect_load(ctx, bytes, n, st_cases[k].want, st_cases[k].part, st_cases[k].header);
    }
    expect_load(ctx, bytes, 0, GTR_ERR_FORMAT, "0 bytes, want at least 8", "an empty file");
    expect_load(ctx, bytes, 7, GTR_ERR_FORMAT, "7 bytes, want at least 8", "7 bytes");
    n = st_file(bytes, "{}", 2, 0);
    bytes[7] = 1;
    expect_load(ctx, bytes, n, GTR_ERR_FORMAT, "a header of 72057594037927938 bytes", "a header's highest byte");
    bytes[7] = 0;
    expect_load(ctx, bytes, 9, GTR_ERR_FORMAT, "a header of 2 bytes in a file of 9", "a cut header");
    memcpy(bytes, "\1\xe1\xf5\5\0\0\0\0", 8);   /* 100,000,001 */
    expect_load(ctx, bytes, 64, GTR_ERR_FORMAT, "100000001", "a header of more than 100 MB");
    memset(bytes, 0xff, 8);
    expect_load(ctx, bytes, 64, GTR_ERR_FORMAT, "at most", "a header of 2^64 - 1 bytes");
    memcpy(bytes, "\xf8\xff\xff\xff\xff\xff\xff\xff", 8);
    expect_load(ctx, bytes, 64, GTR_ERR_FORMAT, "at most", "8 + N overflows");
    memcpy(bytes, "\x1f\x8b\x08\x08\x9b\xf9\x9c\x66\x00\x03", 10);
    expect_load(ctx, bytes, 64, GTR_ERR_FORMAT, "gunzip first", "gzip");
    memcpy(bytes, "PK\3\4\x14\0\0\0\x08\0", 10);
    expect_load(ctx, bytes, 64, GTR_ERR_FORMAT, "zip", "a file of torch.save");
    for (k = 1023; k <= 1025; k++) {    /* a name of up to 1024 bytes; longer in JSON, as é is */
        size_t m = (size_t)sprintf(header, "{\"");
        memset(header + m, 'x', k);
        m += k;
        m += (size_t)sprintf(header + m, "\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}");
        n = st_file(bytes, header, m, 4);
        expect_load(ctx, bytes, n, k > 1024 ? GTR_ERR_FORMAT : GTR_ERR_SHAPE,
            k > 1024 ? "longer than 1024" : "missing", "a long name");
        m = (size_t)sprintf(header, "{\"");
        while (m < 2 + 6 * (k - 1022 + 511)) m += (size_t)sprintf(header + m, "\\u00e9");
        m += (size_t)sprintf(header + m, "\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}");
        n = st_file(bytes, header, m, 4);
        expect_load(ctx, bytes, n, k > 1023 ? GTR_ERR_FORMAT : GTR_ERR_SHAPE, k > 1023 ? "longer than 1024" : "missing",
            "a long name of escapes");
    }
    memset(header, '[', 1 << 16);
    memcpy(header, "{\"a\":", 5);
    n = st_file(bytes, header, 1 << 16, 0);
    expect_load(ctx, bytes, n, GTR_ERR_FORMAT, "'{' of a tensor", "deep nesting");
    EXPECT_EQ(gtr_load(ctx, folder), GTR_ERR_IO);
    EXPECT_ERROR(ctx, GTR_ERR_IO, "a folder");
    EXPECT_EQ(gtr_load(ctx, in_folder("none")), GTR_ERR_IO);
    EXPECT_ERROR(ctx, GTR_ERR_IO, "none");
    EXPECT_EQ(gtr_load(ctx, "/dev/zero"), GTR_ERR_IO);
    EXPECT_ERROR(ctx, GTR_ERR_IO, "not a regular file");
    EXPECT_EQ(gtr_load(ctx, NULL), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "NULL");
    EXPECT_EQ(gtr_load(ctx, ""), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "empty");
    EXPECT_EQ(gtr_load(NULL, "x"), GTR_ERR_ARG);
    EXPECT_EQ(gtr_save(NULL, "x"), GTR_ERR_ARG);
    free(bytes);
    free(header);
    gtr_destroy(ctx);
}
/* A million tensors are as many as there may be; duplicates are found in n log n. */
static void many_tensors(void)
{
    gtr_context *ctx = context(GTR_DEVICE_CPU);
    char *header = (char *)malloc((size_t)1000002 * 64), *p;
    int kind, i;
    for (kind = 0; kind < (small ? 2 : 3); kind++) {    /* all different, one twice, one too many */
        gtr__st s;
        const int most = small ? 20000 : kind == 2 ? 1000000 : 200000;
        clock_t start = clock();
        gtr_result r;
        p = header + sprintf(header, "{");
        for (i = 0; i < most + (kind == 2); i++) {
            unsigned name = kind == 1 && i == most - 1 ? 12345u : (unsigned)((uint64_t)i * 2654435761u % 1000003u);
            if (kind == 1 && i == 7) name = 12345;
            p += sprintf(p, "%s\"%07u%s\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}", i ? "," : "", name,
                kind == 1 && name == 12345 ? "x" : "");
        }
        p += sprintf(p, "}");
        memset(&s, 0, sizeof s);
        s.ctx = ctx; s.path = "many"; s.head = (const uint8_t *)header; s.size = (uint32_t)(p - header);
        r = gtr__st_parse(&s);
        CHECK(r == (kind ? GTR_ERR_FORMAT : GTR_OK), "kind %d: %s", kind, gtr_error_text(ctx));
        if (kind) EXPECT_ERROR(ctx, GTR_ERR_FORMAT, kind == 1 ? "there twice" : "more than a million");
        CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 20, "kind %d took %.1f s", kind,
            (double)(clock() - start) / CLOCKS_PER_SEC);
        gtr__st_free(&s);
    }
    free(header);
    gtr_destroy(ctx);
}

/* --- files as they come: dtypes, prefixes, parts, memory */

/* A file that is made tensor by tensor, its data in that order. */
typedef struct { char head[8192]; unsigned char data[1 << 19], bytes[1 << 20]; size_t n_head, n_data, size; } made;
static made one;
static void made_add(const char *name, const char *dtype, const char *shape, const void *data, size_t bytes)
{
    one.n_head += (size_t)snprintf(one.head + one.n_head, sizeof one.head - one.n_head,
        "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}", one.n_head ? "," : "{", name, dtype,
        shape, one.n_data, one.n_data + bytes);
    if (data) memcpy(one.data + one.n_data, data, bytes);
    else memset(one.data + one.n_data, 0, bytes);
    one.n_data += bytes;
    memcpy(one.head + one.n_head, "}", 2);
    one.size = st_file(one.bytes, one.head, one.n_head + 1, one.n_data);
    memcpy(one.bytes + 8 + one.n_head + 1, one.data, one.n_data);
}
static void made_begin(void) { one.n_head = one.n_data = 0; }
static gtr_load_desc load_made(void)
{
    gtr_load_desc d;
    memset(&d, 0, sizeof d);
    d.data = one.bytes; d.bytes = one.size;
    return d;
}
static gtr_tensor *zeros(gtr_context *ctx, const char *name, gtr_shape shape)
{
    gtr_init init;
    memset(&init, 0, sizeof init);
    return gtr_parameter(ctx, name, shape, init);
}
static gtr_tensor *counter(gtr_context *ctx, const char *name)
{
    return gtr__leaf(ctx, GTR__OP_PARAMETER, name, GTR_I64, gtr_shape0(), NULL, gtr__init(GTR_INIT_ZERO, 0), true);
}
/* A number of so many bits behind the leading one, by arithmetic. */
static float half_of(unsigned h, int bits)
{
    const int top = 15 - bits, bias = (1 << (top - 1)) - 1, e = (int)(h >> bits & ((1u << top) - 1));
    const unsigned m = h & ((1u << bits) - 1);
    float v = e == (1 << top) - 1 ? m ? NAN : INFINITY
        : (float)ldexp((double)(m | (e ? 1u << bits : 0)), (e ? e : 1) - bias - bits);
    return h >> 15 ? -v : v;
}
/* Every number of 16 bits becomes what it is in float32, a NaN one of its payload. */
static void loads_halves(void)
{
    static uint16_t h[65536];
    static gtr_float v[65536];
    for (int k = 0; k < 65536; k++) h[k] = (uint16_t)k;
    for (int bf = 0; bf < 2; bf++) {
        gtr_context *ctx = context(device);
        gtr_tensor *p = zeros(ctx, "a", gtr_shape1(65536));
        int bad = 0;
        made_begin();
        made_add("a", bf ? "BF16" : "F16", "65536", h, sizeof h);
        put(in_folder("m"), one.bytes, one.size);
        EXPECT_EQ(gtr_load(ctx, in_folder("m")), GTR_OK);
        unlink(in_folder("m"));
        EXPECT_EQ(gtr_get(p, v, sizeof v), GTR_OK);
        for (unsigned k = 0; k < 65536; k++) {
            const float want = half_of(k, bf ? 7 : 10), got = (float)v[k];
            uint32_t u, w;
            memcpy(&u, &got, 4); memcpy(&w, &want, 4);
            if (want != want) { /* F16's become quiet, as PyTorch's do */
                w = (k & 0x8000u) << 16 | 0x7f800000u | (bf ? (k & 0x7fu) << 16 : (k & 0x3ffu) << 13 | 0x400000u);
                if (sizeof *v == 8) w |= 0x400000u; /* by way of a double */
            }
            if (u != w && !bad++) CHECK(0, "%s 0x%04x is %08x, want %08x", bf ? "BF16" : "F16", k, u, w);
        }
        EXPECT_EQ(bad, 0);
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
static void loads_doubles(void)
{
    /* ties and just beside them; of subnormals, too; the largest, and what rounds to it */
    static const double in[] = { 0.1, -0.0, 1 + 0x1p-24, 1 + 3 * 0x1p-24, 1 + 0x1p-24 + 0x1p-50, 0x1p-149, 0x1p-150,
        0x1.8p-149, -0x1.fffffep-127, 0x1.fffffefffffffp127, INFINITY, -INFINITY, NAN, 16777217 };
    static const float want[] = { 0.1f, -0.0f, 1, 1 + 0x1p-22f, 1 + 0x1p-23f, 0x1p-149f, 0, 0x1p-148f, -0x1p-126f,
        0x1.fffffep127f, INFINITY, -INFINITY, NAN, 16777216 };
    const double beyond[] = { 1, 0x1.ffffffp127, -1e300 };
    gtr_context *ctx = context(device);
    gtr_tensor *p = zeros(ctx, "a", gtr_shape1(14)), *q = zeros(ctx, "b", gtr_shape0());
    gtr_float v[14], b = 3;
    made_begin();
    made_add("b", "F64", "", in, 8);
    made_add("a", "F64", "14", in, sizeof in);
    EXPECT_EQ(gtr_load_ex(ctx, NULL, load_made()), GTR_OK);
    EXPECT_EQ(gtr_get(p, v, sizeof v), GTR_OK);
    for (int k = 0; k < 14; k++) {
        const gtr_float w = sizeof b == 8 ? (gtr_float)in[k] : (gtr_float)want[k];
        CHECK(w != w ? v[k] != v[k] : v[k] == w && !signbit(v[k]) == !signbit(w), "F64 %a is %a", in[k], (double)v[k]);
    }
    EXPECT_OK(ctx);
    for (int k = 1; k < 3 && sizeof b == 4; k++) {
        EXPECT_EQ(gtr_set(q, &b, sizeof b), GTR_OK);
        made_begin();
        made_add("b", "F64", "", beyond, 8);
        made_add("a", "F64", "14", NULL, sizeof in);
        memcpy(one.bytes + one.size - 8, &beyond[k], 8);
        EXPECT_EQ(gtr_load_ex(ctx, NULL, load_made()), GTR_ERR_UNSUPPORTED);
        EXPECT_ERROR(ctx, GTR_ERR_UNSUPPORTED, k == 2 ? "tensor \"a\": element 13 is -1e+300, want a number within the "
            "range of float32" : "gtr_load: tensor \"a\": element 13 is 3.40282e+38");
        EXPECT_EQ(gtr_get(q, &b, sizeof b), GTR_OK);
        EXPECT(b == 3);
    }
    gtr_destroy(ctx);
}
/* batch_norm's counter: of any float that is whole, missing or too many, and nothing else is. */
static void counters(void)
{
    static const struct { const char *dtype; double value; bool ok; } cases[] = { { "I64", 7, true },
        { "F32", 7, true }, { "F16", 7, true }, { "BF16", 7, true }, { "F64", -4503599627370497.0, true },
        { "F32", 7.5, false }, { "F64", NAN, false }, { "F64", 1e19, false }, { "F32", INFINITY, false } };
    gtr_context *ctx = context(device);
    gtr_tensor *p = zeros(ctx, "a", gtr_shape1(2)), *n = counter(ctx, "bn.num_batches_tracked");
    gtr_load_report r;
    gtr_load_desc d;
    gtr_float v[2] = { 0, 0 };
    int64_t count, before = 5;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *t = cases[k].dtype;
        const float f = (float)cases[k].value;
        const uint16_t h = !strcmp(t, "F16") ? gtr__to_f16(f) : gtr__to_bf16(f);
        const int64_t i = *t == 'I' ? (int64_t)cases[k].value : 0;
        const size_t size = strstr(t, "16") ? 2 : strstr(t, "32") ? 4 : 8;
        made_begin();
        made_add("bn.num_batches_tracked", t, "", size == 2 ? (const void *)&h : size == 4 ? (const void *)&f
            : *t == 'I' ? (const void *)&i : (const void *)&cases[k].value, size);
        made_add("a", "F32", "2", NULL, 8);
        EXPECT_EQ(gtr_set(n, &before, 8), GTR_OK);
        v[0] = 1;
        EXPECT_EQ(gtr_set(p, v, sizeof v), GTR_OK);
        CHECK(gtr_load_ex(ctx, NULL, load_made()) == (cases[k].ok ? GTR_OK : GTR_ERR_UNSUPPORTED), "%s %g: '%s'", t,
            cases[k].value, gtr_error_text(ctx));
        EXPECT_EQ(gtr_get(n, &count, 8), GTR_OK);
        EXPECT_EQ(gtr_get(p, v, sizeof v), GTR_OK);
        CHECK(count == (cases[k].ok ? (int64_t)cases[k].value : 5) && v[0] == (cases[k].ok ? 0 : 1), "%s %g is %lld", t,
            cases[k].value, (long long)count);
        if (!cases[k].ok)
            EXPECT_ERROR(ctx, GTR_ERR_UNSUPPORTED, "tensor \"bn.num_batches_tracked\": element 0 is ");
    }
    EXPECT_EQ(gtr_set(n, &before, 8), GTR_OK);
    made_begin();
    made_add("a", "F32", "2", NULL, 8);
    made_add("old.num_batches_tracked", "I64", "", NULL, 8);
    d = load_made(); d.report = &r;
    EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_OK);
    EXPECT(r.loaded == 1 && r.missing == 1 && r.unused == 1 && !r.wrong);
    CHECK(!strcmp(r.text, "1 loaded, 1 missing, 0 wrong, 1 unused\nunused  old.num_batches_tracked I64 ()\n"
        "missing bn.num_batches_tracked I64 () \nloaded  a F32 (2,) from a F32 (2,)\n"), "the text is %s", r.text);
    EXPECT_EQ(gtr_get(n, &count, 8), GTR_OK);
    EXPECT_EQ(count, 5);
    EXPECT_OK(ctx);
    made_begin();
    made_add("bn.num_batches_tracked", "I64", "1", NULL, 8);
    made_add("a", "F32", "2", NULL, 8);
    EXPECT_EQ(gtr_load_ex(ctx, NULL, load_made()), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "is I64 (1,) in the file, the model wants I64 ()");
    gtr_destroy(ctx);
}
/* A body and a head, all of value v. */
static void body_and_head(gtr_context *ctx, const char *scope, gtr_float v)
{
    gtr_float w[12];
    for (int k = 0; k < 12; k++) w[k] = v;
    if (*scope) gtr_scope_begin(ctx, scope);
    gtr_tensor *p[3] = { zeros(ctx, "conv.weight", gtr_shape2(3, 4)), zeros(ctx, "conv.bias", gtr_shape1(3)),
        zeros(ctx, "fc.weight", gtr_shape2(2, 3)) };
    if (*scope) gtr_scope_end(ctx);
    for (int k = 0; k < 3; k++) EXPECT_EQ(gtr_set(p[k], w, gtr__bytes_of(p[k])), GTR_OK);
}
static gtr_float first(gtr_context *ctx, const char *name)
{
    gtr_float v[12];
    gtr_tensor *p = gtr_parameter_find(ctx, name);
    return p && !gtr_get(p, v, gtr__bytes_of(p)) ? v[0] : (gtr_float)-777;
}
static void load_options(void)
{
    static const uint16_t ones[12] = { 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00,
        0x3c00, 0x3c00 };
    gtr_context *ctx = context(device);
    gtr_load_report r;
    gtr_load_desc d;
    body_and_head(ctx, "net", 5);
    made_begin();       /* another head, in front of it all but one "module." */
    made_add("module.conv.weight", "F16", "3,4", ones, 24);
    made_add("conv.bias", "F16", "3", ones, 6);
    made_add("module.fc.weight", "F16", "1,3", ones, 6);
    made_add("module.fc.bias", "F8_E4M3", "2", NULL, 2);
    d = load_made();
    d.strip = "module."; d.prefix = "net."; d.partial = true; d.report = &r;
    EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_OK);
    EXPECT(r.loaded == 2 && r.missing == 0 && r.wrong == 1 && r.unused == 1);
    CHECK(!strcmp(r.text, "2 loaded, 0 missing, 1 wrong, 1 unused\nunused  module.fc.bias F8_E4M3 (2,)\n"
        "wrong   net.fc.weight F32 (2, 3) from module.fc.weight F16 (1, 3)\n"
        "loaded  net.conv.weight F32 (3, 4) from module.conv.weight F16 (3, 4)\n"
        "loaded  net.conv.bias F32 (3,) from conv.bias F16 (3,)\n"), "the text is %s", r.text);
    EXPECT(first(ctx, "net.conv.weight") == 1 && first(ctx, "net.conv.bias") == 1 && first(ctx, "net.fc.weight") == 5);
    /* the same by names alone: what they leave is nobody's business, what they want must be there */
    for (int k = 0; k < 2; k++) body_and_head(ctx, k ? "" : "other", 6);
    d.partial = false; d.names = "net.conv.*,  ?et.conv.bias";
    EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_OK);
    EXPECT(r.loaded == 2 && !r.missing && !r.wrong && r.unused == 2 && first(ctx, "other.conv.bias") == 6);
    d.prefix = NULL; d.names = "conv.*";
    EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_OK);
    EXPECT(first(ctx, "conv.weight") == 1 && first(ctx, "fc.weight") == 6);
    d.prefix = "net."; d.names = "*.conv.*";
    EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_ERR_SHAPE);
    EXPECT(!r.loaded && !r.unused && r.text && !*r.text);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "gtr_load: tensor \"other.conv.weight\" F32 (3, 4) of the model is missing");
    d.names = "net.fc.*";
    EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "tensor \"module.fc.weight\" is F16 (1, 3) in the file, the model wants F32 (2, ");
    /* patterns that fit nothing, or are none */
    static const char *const none[] = { "net.conv.*,nothing.*", "", "net.*,", ",net.*", "net.conv", "net.conv.bias " };
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        d.names = none[k];
        CHECK(gtr_load_ex(ctx, NULL, d) == GTR_ERR_ARG, "pattern \"%s\" is taken", none[k]);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, k ? "of .names fits no parameter or buffer"
            : "gtr_load: pattern \"nothing.*\" of .names fits no parameter or buffer");
    }
    /* without the prefix nothing fits, which is no part of anything */
    d.names = NULL; d.partial = true; d.strip = NULL; d.prefix = "nett.";
    EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "none of its 4 tensors fits one of the model's");
    EXPECT_ERROR(ctx, GTR_OK, "");
    EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "there becomes \"nett.");
    d.strip = "models.";
    EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, ": it does not begin with .strip");
    made_begin();
    made_add("module.a", "F32", "1", NULL, 4);
    made_add("module.conv.weight", "F16", "3,4", ones, 24);
    made_add("module.fc.weight", "I64", "2,3", NULL, 48);
    d = load_made(); d.partial = true; d.names = "conv.*";
    EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_ERR_SHAPE);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "all names there begin with \"module.\", which gtr_load_ex takes off as .strip");
    d.strip = "module."; d.prefix = "net."; d.names = NULL; d.report = &r;
    EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_OK);
    EXPECT(r.loaded == 1 && r.missing == 7 && r.wrong == 1 && r.unused == 1);
    EXPECT(strstr(r.text, "wrong   net.fc.weight F32 (2, 3) from module.fc.weight I64 (2, 3)\n") != NULL);
    /* one that is wanted, of a dtype that is not */
    made_begin();
    made_add("net.conv.weight", "F16", "3,4", ones, 24);
    made_add("net.conv.bias", "F8_E5M2", "3", NULL, 3);
    d = load_made();
    EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_ERR_UNSUPPORTED);
    EXPECT_ERROR(ctx, GTR_ERR_UNSUPPORTED, "tensor \"net.conv.bias\" is F8_E5M2 (3,) in the file, the model "
        "wants F32 (3,)");
    d.partial = true; d.report = &r;
    EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_OK);
    EXPECT(r.loaded == 1 && r.wrong == 1 && first(ctx, "net.conv.weight") == 1);
    EXPECT(strstr(r.text, "wrong   net.conv.bias F32 (3,) from net.conv.bias F8_E5M2 (3,)\n") != NULL);
    /* two of the file's that become one, whichever stands first */
    for (int k = 0; k < 2; k++) {
        made_begin();
        made_add(k ? "conv.weight" : "a.conv.weight", "F16", "3,4", ones, 24);
        made_add(k ? "a.conv.weight" : "conv.weight", "F16", "3,4", ones, 24);
        d = load_made(); d.partial = true; d.strip = "a.";
        EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_ERR_ARG);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, "tensor \"a.conv.weight\" and \"conv.weight\" both become \"conv.weight\"");
        d.strip = "b.";
        EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_OK);
    }
    /* "a." is taken off once: what is left may begin so, and what lacks it does not */
    gtr_tensor *twice = zeros(ctx, "a.x", gtr_shape0());
    const gtr_float nine = 9;
    const float two = 2;
    EXPECT_EQ(gtr_set(twice, &nine, sizeof nine), GTR_OK);
    for (int k = 0; k < 2; k++) {
        made_begin();
        made_add(k ? "a.a.x" : "a.x", "F32", "", &two, 4);
        made_add("a.fc.weight", "F32", "2,3", NULL, 24);
        d = load_made(); d.partial = true; d.strip = "a."; d.report = &r;
        EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_OK);
        EXPECT(r.loaded == 1 + k && first(ctx, "a.x") == (k ? 2 : 9));
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
static void load_arguments(void)
{
    gtr_context *ctx = context(device);
    gtr_load_report r;
    gtr_load_desc d;
    char *name = (char *)malloc(3000);
    body_and_head(ctx, "", 4);
    made_begin();
    made_add("conv.weight", "F32", "3,4", NULL, 48);
    made_add("conv.bias", "F32", "3", NULL, 12);
    made_add("fc.weight", "F32", "2,3", NULL, 24);
    d = load_made();
    EXPECT_EQ(gtr_load_ex(ctx, in_folder("m"), d), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_load: .data is given, but not read: it is for a path that is NULL");
    d.data = NULL; d.report = &r;
    memset(&r, 1, sizeof r);
    EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_load: .bytes is given, but not read: it is for what lies at .data");
    EXPECT(!r.loaded && !r.missing && !r.unused && !r.wrong && r.text && !*r.text);
    d.bytes = 0;
    EXPECT_EQ(gtr_load_ex(ctx, NULL, d), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_load: the path is NULL");
    memset(&r, 1, sizeof r);
    EXPECT_EQ(gtr_load_ex(NULL, NULL, d), GTR_ERR_ARG);
    EXPECT(!r.loaded && r.text && !*r.text);
    d = load_made();
    for (d.bytes = 0; d.bytes < one.size; d.bytes++)
        if (gtr_load_ex(ctx, NULL, d) != GTR_ERR_FORMAT || !strstr(gtr_error_text(ctx), "gtr_load: "))
            CHECK(0, "%zu of %zu bytes: '%s'", d.bytes, one.size, gtr_error_text(ctx));
        else gtr_error_clear(ctx);
    EXPECT(first(ctx, "fc.weight") == 4);
    memset(name, 'x', 2999);
    name[2999] = 0;
    for (int k = 0; k < 4; k++) {      /* longer than a name may be, or no UTF-8: they are nobody's */
        d = load_made(); d.partial = true;
        if (k & 1) d.prefix = k > 1 ? "\xff" : name;
        else d.strip = k > 1 ? "\xff" : name;
        EXPECT_EQ(gtr_load_ex(ctx, NULL, d), k & 1 ? GTR_ERR_SHAPE : GTR_OK);
        gtr_error_clear(ctx);
    }
    free(name);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* What is written is what PyTorch rounds to: the nearest, of two the even one. */
static void saves_halves(void)
{
    gtr_context *ctx = context(device), *back = context(device);
    gtr_tensor *p = zeros(ctx, "a", gtr_shape1(4096)), *n = counter(ctx, "bn.num_batches_tracked");
    gtr_tensor *q = zeros(back, "a", gtr_shape1(4096)), *m = counter(back, "bn.num_batches_tracked");
    static gtr_float v[4096], w[4096];
    const int64_t seven = 7;
    int64_t count;
    gtr_save_desc d;
    memset(&d, 0, sizeof d);
    EXPECT_EQ(gtr_set(n, &seven, 8), GTR_OK);
    for (int turn = 0; turn < 8; turn++) {
        const int bits = turn % 2 ? 7 : 10;
        const unsigned end = turn % 2 ? 0x7f80u : 0x7c00u;
        unsigned char *file;
        size_t bytes, at;
        int bad = 0;
        d.dtype = turn % 2 ? GTR_BF16 : GTR_F16;
        for (int k = 0; k < 4096; k++) { /* a number of 16 bits, a tie, just below one, just above */
            const unsigned h = turn < 2 && k < 64 ? (unsigned)k / 4 : below(end - 1);
            const double low = half_of(h, bits), high = half_of(h + 1, bits);
            v[k] = (gtr_float)(k % 4 == 0 || isinf(high) ? low : k % 4 == 1 ? (low + high) / 2 : k % 4 == 2
                ? (double)nextafterf((float)((low + high) / 2), (float)low)
                : (double)nextafterf((float)((low + high) / 2), (float)high));
            if (below(2)) v[k] = -v[k];
        }
        v[0] = (gtr_float)INFINITY; v[1] = (gtr_float)-INFINITY; v[2] = (gtr_float)NAN;
        v[3] = turn % 2 ? (gtr_float)3.3895e38f : (gtr_float)65519.996f; /* the largest that stays finite */
        EXPECT_EQ(gtr_set(p, v, sizeof v), GTR_OK);
        EXPECT_EQ(gtr_save_ex(ctx, in_folder("m"), d), GTR_OK);
        file = get(in_folder("m"), &bytes);
        at = bytes - 8192;
        EXPECT(strstr((char *)file + 8, turn % 2 ? "\"a\":{\"dtype\":\"BF16\"" : "\"a\":{\"dtype\":\"F16\"") != NULL
            && strstr((char *)file + 8, "\"shape\":[4096],\"data_offsets\":[8,8200]}") != NULL && at % 8 == 0);
        for (int k = 0; k < 4096; k++) {
            const unsigned h = file[at + 2 * (size_t)k] | (unsigned)file[at + 2 * (size_t)k + 1] << 8, low = h & 0x7fff;
            const double x = fabs((double)v[k]), got = half_of(low, bits), under = low ? half_of(low - 1, bits) : -1,
                over = low + 1 < end ? half_of(low + 1, bits) : 2 * got - under;
            bool ok = !(h >> 15) == !signbit(v[k]) || v[k] != v[k];
            if (x != x || isinf(x)) ok = ok && (x != x ? got != got : isinf(got));
            else ok = ok && !isinf(got) && fabs(x - got) <= x - under && fabs(x - got) <= fabs(over - x)
                && (!(low & 1) || (fabs(x - got) < x - under && fabs(x - got) < over - x));
            if (!ok && !bad++) CHECK(0, "%a is saved as 0x%04x, %a", (double)v[k], h, got);
        }
        EXPECT_EQ(bad, 0);
        EXPECT_EQ(gtr_load(back, in_folder("m")), GTR_OK);
        EXPECT_EQ(gtr_get(q, w, sizeof w), GTR_OK);
        EXPECT_EQ(gtr_get(m, &count, 8), GTR_OK);
        EXPECT(count == 7 && w[5] == (gtr_float)half_of(file[at + 10] | (unsigned)file[at + 11] << 8, bits));
        /* in memory: the same bytes, which load and save to the same */
        unsigned char *image = (unsigned char *)malloc(bytes + 1);
        EXPECT_EQ(gtr_save_bytes(ctx, d), bytes);
        image[bytes] = 0x5a;
        EXPECT_EQ(gtr_save_get(ctx, d, image, bytes), GTR_OK);
        EXPECT(!memcmp(image, file, bytes) && image[bytes] == 0x5a);
        EXPECT_EQ(gtr_save_get(back, d, image, bytes), GTR_OK);
        EXPECT(!memcmp(image, file, bytes));
        free(image);
        free(file);
    }
    /* what would be infinite is an error that leaves the file there is */
    size_t size, after;
    unsigned char *was = get(in_folder("m"), &size), *is;
    const int files = files_in_folder();
    for (int turn = 0; turn < 2; turn++) {
        char image[16384];
        d.dtype = turn ? GTR_BF16 : GTR_F16;
        memset(v, 0, sizeof v);
        v[4000] = turn ? (gtr_float)-3.3961776e38f : (gtr_float)65520;
        EXPECT_EQ(gtr_set(p, v, sizeof v), GTR_OK);
        for (int k = 0; k < 2; k++) {
            EXPECT_EQ(k ? gtr_save_get(ctx, d, image, gtr_save_bytes(ctx, d)) : gtr_save_ex(ctx, in_folder("m"), d),
                GTR_ERR_ARG);
            EXPECT(strstr(gtr_error_text(ctx), k ? "gtr_save_get: " : in_folder("m")) != NULL);
            EXPECT_ERROR(ctx, GTR_ERR_ARG, turn ? "tensor \"a\": element 4000 is -3.39618e+38, beyond BF16, which ends "
                "at 3.38953e+38" : "tensor \"a\": element 4000 is 65520, beyond F16, which ends at 65504");
        }
        is = get(in_folder("m"), &after);
        EXPECT(after == size && !memcmp(was, is, size) && files_in_folder() == files);
        free(is);
        d.dtype = GTR_F32;
        EXPECT_EQ(gtr_save_bytes(ctx, d) != 0, true);
    }
    free(was);
    unlink(in_folder("m"));
    gtr_destroy(ctx);
    gtr_destroy(back);
}
static void save_options(void)
{
    static const gtr_dtype odd[] = { GTR_I32, GTR_F64, GTR_I64, GTR_DTYPE_COUNT, (gtr_dtype)-1 };
    gtr_context *ctx = context(device), *other = context(device);
    gtr_save_desc d;
    gtr_load_desc l;
    char image[4096];
    size_t n;
    memset(&d, 0, sizeof d); memset(&l, 0, sizeof l);
    body_and_head(ctx, "", 5);
    body_and_head(other, "", 6);
    EXPECT_EQ(gtr_note_set(ctx, "label.0", "cat"), GTR_OK);
    d.names = "conv.*"; d.dtype = GTR_BF16;
    EXPECT_EQ(gtr_save_ex(ctx, in_folder("m"), d), GTR_OK);
    EXPECT_EQ(gtr_load(other, in_folder("m")), GTR_ERR_SHAPE);
    EXPECT_ERROR(other, GTR_ERR_SHAPE, "tensor \"fc.weight\" F32 (2, 3) of the model is missing in the file (which ");
    l.names = "conv.*";
    EXPECT_EQ(gtr_load_ex(other, in_folder("m"), l), GTR_OK);
    EXPECT(first(other, "conv.weight") == 5 && first(other, "conv.bias") == 5 && first(other, "fc.weight") == 6);
    EXPECT(gtr_note(other, "label.0") && !strcmp(gtr_note(other, "label.0"), "cat"));
    d.names = "fc.*,conv";
    EXPECT_EQ(gtr_save_ex(ctx, in_folder("m"), d), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_save: pattern \"conv\" of .names fits no parameter or buffer");
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        d.names = NULL; d.dtype = odd[k];
        EXPECT_EQ(gtr_save_ex(ctx, in_folder("m"), d), GTR_ERR_ARG);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, "want GTR_F32, GTR_BF16 or GTR_F16");
        EXPECT_EQ(gtr_save_bytes(ctx, d), 0);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_save_bytes: .dtype");
    }
    d.dtype = GTR_F32;
    n = gtr_save_bytes(ctx, d);
    EXPECT(n > 0 && n < sizeof image);
    for (int k = 0; k < 4; k++) {
        memset(image, 0x5a, sizeof image);
        EXPECT_EQ(gtr_save_get(ctx, d, k ? image : NULL, k == 1 ? n - 1 : k == 2 ? n + 1 : k ? 0 : n),
            k ? GTR_ERR_SHAPE : GTR_ERR_ARG);
        EXPECT(image[0] == 0x5a && image[n] == 0x5a);
        EXPECT_ERROR(ctx, k ? GTR_ERR_SHAPE : GTR_ERR_ARG, k ? "gtr_save_get: got room for " : "destination is NULL");
    }
    EXPECT(gtr_save_bytes(NULL, d) == 0 && gtr_save_get(NULL, d, image, n) == GTR_ERR_ARG);
    EXPECT_EQ(gtr_save_ex(NULL, "x", d), GTR_ERR_ARG);
    /* a kept error of another call stops all three, one of their own does not */
    gtr_load(ctx, in_folder("none"));
    memset(image, 0x5a, sizeof image);
    EXPECT_EQ(gtr_save_ex(ctx, in_folder("n"), d), GTR_ERR_IO);
    EXPECT_EQ(gtr_save_bytes(ctx, d), 0);
    EXPECT_EQ(gtr_save_get(ctx, d, image, n), GTR_ERR_IO);
    EXPECT(image[0] == 0x5a);
    EXPECT_ERROR(ctx, GTR_ERR_IO, "; gtr_save writes nothing while this error is kept");
    EXPECT_EQ(gtr_save_get(ctx, d, NULL, n), GTR_ERR_ARG);
    EXPECT_EQ(gtr_save_bytes(ctx, d), n);
    EXPECT_EQ(gtr_save_get(ctx, d, image, n), GTR_OK);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "destination is NULL");
    memset(&l, 0, sizeof l);
    l.data = image; l.bytes = n;
    EXPECT_EQ(gtr_load_ex(other, NULL, l), GTR_OK);
    EXPECT(first(other, "fc.weight") == 5);
    unlink(in_folder("m"));
    EXPECT_EQ(files_in_folder(), 0);
    EXPECT_OK(ctx); EXPECT_OK(other);
    gtr_destroy(ctx);
    gtr_destroy(other);
}

/* --- mutants */

static const char *const words[] = { "\"", "{", "}", "[", "]", ",", ":", "0", "9223372036854775807", "\\u0061", "\"a\"",
    "F32", "I64", "F4", "\"__metadata__\":{}", " ", "\xc3\xa9", "-", "1e3",
                                     "\"shape\":[]", "8", "24", "4", "\n" };
/* A few random changes to a valid file. */
static size_t mutate(unsigned char *out, const unsigned char *from, size_t n, size_t cap)
{
    int changes = 1 + (int)below(4), k;
    memcpy(out, from, n);
    while (changes--) {
        size_t at = n ? below((uint32_t)n) : 0, len;
        const char *w = words[below(sizeof words / sizeof words[0])];
        switch (below(9)) {
        case 0: if (n) out[at] = (unsigned char)draw(); break;
        case 1: if (n) out[at] ^= (unsigned char)(1u << below(8)); break;
        case 2: if (n) { memmove(out + at, out + at + 1, n - at - 1); n--; } break;
        case 3:
            len = strlen(w);
            if (n + len < cap) { memmove(out + at + len, out + at, n - at); memcpy(out + at, w, len); n += len; }
            break;
        case 4: len = strlen(w); if (at + len <= n) memcpy(out + at, w, len); break;
        case 5: if (below(4) == 0) n = at; break;
        case 6: len = below(16); if (n + len < cap) { memset(out + n, 0, len); n += len; } break;
        case 7:                         /* the header's size is made right again */
            for (k = 0; k < 8 && n > 8; k++) out[k] = (unsigned char)((n > 32 ? n - 32 : 0) >> (8 * k));
            break;
        default:
            len = below(24);
            if (at + len < n && n + len < cap) { memmove(out + at + len, out + at, n - at); n += len; }
            break;
        }
    }
    return n;
}
static size_t mutant(unsigned char *out, size_t cap)
{
    static const char *const base[] = {
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[8,24]},\"n\":{\"dtype\":\"I64\",\"shape\":[],"
        "\"data_offsets\":[0,8]}}    ",
        "{\"__metadata__\":{\"format\":\"pt\",\"x\":\"\\ud83d\\ude00\"},\"n\":{\"shape\":[],\"dtype\":\"I64\","
        "\"data_offsets\":[0,8]},\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[8,24]}}",
        "{ \"n\" : { \"dtype\" : \"I64\" , \"shape\" : [ ] , \"data_offsets\" : [ 0 , 8 ] } , \"a\" : { \"dtype\" "
        ": \"F32\" , \"shape\" : [ 2 , 2 ] , \"data_offsets\" : [ 8 , 24 ] } }",
        "{\"h\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[0,12]},\"e\":{\"dtype\":\"F32\",\"shape\":[0,"
        "7],\"data_offsets\":[12,12]},\"a\":{\"dtype\":\"F6_E2M3\",\"shape\":[4,4],\"data_offsets\":[12,24]}}" };
    unsigned char file[1024];
    const char *b = base[below(4)];
    size_t n = st_file(file, b, strlen(b), 24), k;
    for (k = 1; k <= 24; k++) file[n - k] = (unsigned char)draw();
    return mutate(out, file, n, cap);
}
static void mutants(void)
{
    gtr_context *ctx = small_model();
    unsigned char bytes[4096];
    int k, rounds = small ? 500 : 5000, ok = 0, counts[GTR_RESULT_COUNT] = {0};
    const char *path = in_folder("bad.safetensors");
    char again[512];
    snprintf(again, sizeof again, "%s/again.safetensors", folder);
    for (k = 0; k < rounds; k++) {
        size_t n = mutant(bytes, sizeof bytes);
        gtr_float a[4] = { 1, 2, 3, 4 }, b[4], c[4];
        int64_t i = 5, j;
        gtr_result r;
        put(path, bytes, n);
        gtr_set(gtr_parameter_at(ctx, 0), a, sizeof a);
        gtr_set(gtr_parameter_at(ctx, 1), &i, sizeof i);
        r = gtr_load(ctx, path);
        gtr_get(gtr_parameter_at(ctx, 0), b, sizeof b);
        gtr_get(gtr_parameter_at(ctx, 1), &j, sizeof j);
        counts[r]++;
        if (r != GTR_OK) {
            if (memcmp(a, b, sizeof a) || i != j) CHECK(0, "mutant %d: refused, but parameters have changed", k);
            if (gtr_error(ctx) != r || !strstr(gtr_error_text(ctx), path))
                CHECK(0, "mutant %d: the error's text is '%s'", k, gtr_error_text(ctx));
            if (r != GTR_ERR_FORMAT && r != GTR_ERR_SHAPE && r != GTR_ERR_UNSUPPORTED)
                CHECK(0, "mutant %d: %s", k, gtr_error_text(ctx));
            gtr_error_clear(ctx);
            continue;
        }
        ok++;       /* what was accepted is saved and loaded again, and is the same */
        r = gtr_save(ctx, again);
        gtr_set(gtr_parameter_at(ctx, 0), a, sizeof a);
        if (r == GTR_OK) r = gtr_load(ctx, again);
        gtr_get(gtr_parameter_at(ctx, 0), c, sizeof c);
        if (r != GTR_OK || memcmp(b, c, sizeof b))
            CHECK(0, "mutant %d: accepted, but not the same when saved and loaded: %s", k, gtr_error_text(ctx));
    }
    CHECK(small || (ok > 0 && counts[GTR_ERR_FORMAT] && counts[GTR_ERR_SHAPE] && counts[GTR_ERR_UNSUPPORTED]),
        "%d mutants: %d accepted, %d FORMAT, %d SHAPE, %d UNSUPPORTED", rounds, ok, counts[GTR_ERR_FORMAT],
        counts[GTR_ERR_SHAPE], counts[GTR_ERR_UNSUPPORTED]);
    unlink(again);
    gtr_destroy(ctx);
}
/* For verdict_safetensors.py: u32 size, the bytes, and whether the format (not the model) accepts them. */
static int write_mutants(int n)
{
    gtr_context *ctx = context(GTR_DEVICE_CPU);
    static unsigned char bytes[4096];
    while (n--) {
        uint32_t size = (uint32_t)mutant(bytes, sizeof bytes);
        gtr__st s;
        gtr_result r = gtr__st_start(&s, ctx, "mutant", bytes, size);
        if (r == GTR_OK) {
            s.head = bytes + 8;
            r = gtr__st_parse(&s);
            gtr__st_free(&s);
        }
        gtr_error_clear(ctx);
        fwrite(&size, 4, 1, stdout);
        fwrite(bytes, 1, size, stdout);
        fputc(r == GTR_OK, stdout);
    }
    gtr_destroy(ctx);
    return 0;
}

/* --- failures of the system */

static void io_failures(void)
{
    static const int errnums[] = { ENOSPC, EIO, EINTR };
    gtr_context *ctx = context(device), *other = context(device);
    const char *path;
    char keep[512];
    int kind, e, at, before, hits = 0;
    model(ctx);
    model(other);
    snprintf(keep, sizeof keep, "%s/io.safetensors", folder);
    path = keep;
    fill(ctx, 1);
    EXPECT_EQ(gtr_save(ctx, path), GTR_OK);
    before = files_in_folder();
    for (kind = 0; kind < IO_KINDS; kind++) for (e = 0; e < 3; e++) for (at = 1; ; at++) {
        gtr_result r, want = errnums[e] == EINTR ? GTR_OK : GTR_ERR_IO;
        int now;
        memset(&io, 0, sizeof io);
        fill(other, 1);
        if (gtr_save(other, path) != GTR_OK) CHECK(0, "save: %s", gtr_error_text(other));
        fill(ctx, 2);
        io.kind = kind; io.errnum = errnums[e]; io.at = at; io.seen = 0; io.hit = 0;
        r = gtr_save(ctx, path);
        io.kind = -1;
        if (!io.hit) { CHECK(r == GTR_OK, "save without a fault: %s", gtr_error_text(ctx)); break; }
        hits++;
        CHECK(r == want && gtr_error(ctx) == want && (want == GTR_OK
            || strstr(gtr_error_text(ctx), strerror(errnums[e]))), "save, %s %d gives %s: got '%s' (%s)",
            io_names[kind], at, strerror(errnums[e]), gtr_result_text(r), gtr_error_text(ctx));
        gtr_error_clear(ctx);
        r = gtr_load(other, path);
        now = version_of(other);
        CHECK(r == GTR_OK && (now == 2 || (now == 1 && want != GTR_OK)),
            "save, %s %d gives %s: the file is then version %d (%s)", io_names[kind], at, strerror(errnums[e]), now,
            gtr_error_text(other));
        CHECK(version_of(ctx) == 2, "save, %s %d: parameters have changed", io_names[kind], at);
        CHECK(files_in_folder() == before, "save, %s %d gives %s: a file is left over", io_names[kind], at,
            strerror(errnums[e]));
    }
    CHECK(hits >= 3 * (2 + 2 + 2 + 2 + 1), "only %d faults were met in saving", hits);
    fill(ctx, 3);
    memset(&io, 0, sizeof io);
    io.kind = -1;
    EXPECT_EQ(gtr_save(ctx, path), GTR_OK);
    CHECK(!strcmp(io.log, "orrcOwfcnofc"),
        "the order of calls of a save is %s, want orrcOwfcnofc: open, read, read, close of the old; open (new), write, "
        "fsync, close, rename; open, fsync, close of the folder", io.log);
    for (hits = 0, kind = 0; kind < IO_KINDS; kind++) for (e = 0; e < 3; e++) for (at = 1; ; at++) {
        gtr_result r, want = errnums[e] == EINTR ? GTR_OK : GTR_ERR_IO;
        fill(ctx, 4);
        memset(&io, 0, sizeof io);
        io.kind = kind; io.errnum = errnums[e]; io.at = at;
        r = gtr_load(ctx, path);
        io.kind = -1;
        if (!io.hit) break;
        hits++;
        CHECK(r == want && version_of(ctx) == (want == GTR_OK ? 3 : 4), "load, %s %d gives %s: '%s', version %d",
            io_names[kind], at, strerror(errnums[e]), gtr_error_text(ctx), version_of(ctx));
        gtr_error_clear(ctx);
    }
    CHECK(hits >= 3 * 6, "only %d faults were met in loading", hits);
    memset(&io, 0, sizeof io);
    io.kind = -1;
    for (io.piece = 1; io.piece < 12; io.piece += 5) {      /* calls that move a few bytes only */
        fill(ctx, io.piece);
        EXPECT_EQ(gtr_save(ctx, path), GTR_OK);
        EXPECT_EQ(gtr_load(other, path), GTR_OK);
        EXPECT_EQ(version_of(other), io.piece);
    }
    io.piece = 0;
    unlink(path);
    gtr_destroy(ctx);
    gtr_destroy(other);
}
/* The same of checkpoints, which say by their step which one they are. */
typedef struct { gtr_context *ctx; gtr_tensor *x; gtr_trainer *t; gtr_dataset *data; } run;
static run a_run(gtr_context *ctx, int width)
{
    static gtr_float rows[64 * 8];
    gtr_trainer_desc d;
    gtr_arrays_desc a;
    run r;
    memset(&d, 0, sizeof d); memset(&a, 0, sizeof a);
    for (int i = 0; i < 64 * 8; i++) rows[i] = (gtr_float)(i * 29 % 97) / 97;
    d.optimizer = GTR_ADAM;
    r.ctx = ctx;
    r.x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 8));
    r.t = gtr_trainer_create(gtr_mse(gtr_linear(gtr_relu(gtr_linear(r.x, "a", width)), "b", 8), r.x), d);
    a.rows = 64; a.column[0].data = rows; a.column[0].shape = gtr_shape1(8);
    r.data = gtr_dataset_arrays(ctx, a);
    return r;
}
static void a_step(run *r)
{
    EXPECT_EQ(gtr_trainer_data(r->t, r->data, 24, true, false), GTR_OK);
    EXPECT_EQ(gtr_step(r->t), GTR_OK);
}
static void checkpoint_failures(void)
{
    static const int errnums[] = { ENOSPC, EIO, EINTR };
    static unsigned char image[3][1 << 16], now[1 << 16];
    run a = a_run(context(device), 4), b = a_run(context(device), 4);
    char path[512];
    int kind, e, at, k, hits = 0;
    snprintf(path, sizeof path, "%s/run", folder);
    const size_t size = (a_step(&a), gtr_checkpoint_bytes(a.t));
    for (k = 0; k < 3; k++, a_step(&a)) EXPECT_EQ(gtr_checkpoint_get(a.t, image[k], size), GTR_OK);
    for (kind = 0; kind < IO_KINDS; kind++) for (e = 0; e < 3; e++) for (at = 1; ; at++) {
        const gtr_result want = errnums[e] == EINTR ? GTR_OK : GTR_ERR_IO;
        memset(&io, 0, sizeof io);
        io.kind = -1;
        gtr_checkpoint_set(a.t, image[0], size);
        EXPECT_EQ(gtr_checkpoint_save(a.t, path), GTR_OK);
        gtr_checkpoint_set(a.t, image[1], size);
        memset(&io, 0, sizeof io);
        io.kind = kind; io.errnum = errnums[e]; io.at = at;
        gtr_result r = gtr_checkpoint_save(a.t, path);
        io.kind = -1;
        if (!io.hit) { CHECK(r == GTR_OK, "save without a fault: %s", gtr_error_text(a.ctx)); break; }
        hits++;
        CHECK(r == want && gtr_error(a.ctx) == want, "%s %d gives %s: got '%s' (%s)", io_names[kind], at,
            strerror(errnums[e]), gtr_result_text(r), gtr_error_text(a.ctx));
        gtr_error_clear(a.ctx);
        r = gtr_checkpoint_load(b.t, path);
        gtr_checkpoint_get(b.t, now, size);
        CHECK(r == GTR_OK && (!memcmp(now, image[1], size) || (want && !memcmp(now, image[0], size))),
            "%s %d gives %s: the file is neither the old nor the new (%s)", io_names[kind], at, strerror(errnums[e]),
            gtr_error_text(b.ctx));
        gtr_checkpoint_get(a.t, now, size);
        CHECK(!memcmp(now, image[1], size), "%s %d: the trainer has changed", io_names[kind], at);
        CHECK(files_in_folder() == 1, "%s %d gives %s: a file is left over", io_names[kind], at, strerror(errnums[e]));
    }
    CHECK(hits >= 3 * (2 + 2 + 2 + 2 + 1), "only %d faults were met in saving", hits);
    memset(&io, 0, sizeof io);
    io.kind = -1;
    EXPECT_EQ(gtr_checkpoint_save(a.t, path), GTR_OK);
    CHECK(!strcmp(io.log, "Owfcnofc"), "the order of calls of a checkpoint is %s, want Owfcnofc", io.log);
    for (hits = 0, kind = 0; kind < IO_KINDS; kind++) for (e = 0; e < 3; e++) for (at = 1; ; at++) {
        const gtr_result want = errnums[e] == EINTR ? GTR_OK : GTR_ERR_IO;
        gtr_checkpoint_set(b.t, image[2], size);
        memset(&io, 0, sizeof io);
        io.kind = kind; io.errnum = errnums[e]; io.at = at;
        const gtr_result r = gtr_checkpoint_load(b.t, path);
        io.kind = -1;
        if (!io.hit) break;
        hits++;
        gtr_checkpoint_get(b.t, now, size);
        CHECK(r == want && !memcmp(now, image[want ? 2 : 1], size), "load, %s %d gives %s: '%s'", io_names[kind], at,
            strerror(errnums[e]), gtr_error_text(b.ctx));
        gtr_error_clear(b.ctx);
    }
    CHECK(hits >= 3 * 6, "only %d faults were met in loading", hits);
    /* in a fit: it ends with the error, and path is the one before */
    for (kind = IO_WRITE; kind < IO_KINDS; kind++) {
        gtr_fit_desc f;
        memset(&f, 0, sizeof f);
        f.epochs = 3; f.batch = 24; f.silent = true; f.checkpoint = path; f.checkpoint_steps = 2; f.keep_last = 2;
        memset(&io, 0, sizeof io);
        io.kind = kind; io.errnum = EIO; /* the second save's or, flushed, the third's */
        io.at = kind == IO_FSYNC ? 5 : kind == IO_CLOSE ? 7 : kind == IO_RENAME ? 3 : 9;
        for (k = 0; k < 2; k++) {
            const gtr_result r = gtr_fit(a.t, a.data, f);
            CHECK(r == (k ? GTR_OK : GTR_ERR_IO), "fit, %s fails: '%s'", io_names[kind], gtr_error_text(a.ctx));
            gtr_error_clear(a.ctx);
            EXPECT_EQ(gtr_checkpoint_load(b.t, path), GTR_OK);
            f.resume = true;
        }
        EXPECT_EQ(gtr_trainer_report(b.t).step, gtr_trainer_report(a.t).step);
        EXPECT_EQ(files_in_folder(), 3);
        for (k = 0; k < 100; k++) {
            char name[600];
            snprintf(name, sizeof name, "%s.%d", path, k);
            unlink(name);
        }
    }
    io.kind = -1;
    unlink(path);
    EXPECT_EQ(files_in_folder(), 0);
    gtr_destroy(a.ctx);
    gtr_destroy(b.ctx);
}
static void bad_places(void)
{
    gtr_context *ctx = context(GTR_DEVICE_CPU);
    static const char *const devices[] = { "/dev/full", "/dev/null" };
    char path[6000];
    struct stat st;
    int k, before = files_in_folder();
    model(ctx);
    for (k = 0; k < 2; k++) {       /* renamed over, the system's device would be a file */
        EXPECT_EQ(gtr_save(ctx, devices[k]), GTR_ERR_IO);
        EXPECT_ERROR(ctx, GTR_ERR_IO, "not a regular file");
        EXPECT(stat(devices[k], &st) == 0 && S_ISCHR(st.st_mode));
    }
    EXPECT_EQ(gtr_save(ctx, folder), GTR_ERR_IO);
    EXPECT_ERROR(ctx, GTR_ERR_IO, folder);
    EXPECT_EQ(gtr_save(ctx, in_folder("no/such/folder")), GTR_ERR_IO);
    EXPECT_ERROR(ctx, GTR_ERR_IO, strerror(ENOENT));
    put(in_folder("file"), "x", 1);
    EXPECT_EQ(gtr_save(ctx, in_folder("file/below")), GTR_ERR_IO);
    EXPECT_ERROR(ctx, GTR_ERR_IO, strerror(ENOTDIR));
    unlink(in_folder("file"));
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = 0;
    EXPECT_EQ(gtr_save(ctx, path), GTR_ERR_IO);
    EXPECT_ERROR(ctx, GTR_ERR_IO, strerror(ENAMETOOLONG));
    EXPECT_EQ(gtr_save(ctx, ""), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "empty");
    EXPECT_EQ(gtr_save(ctx, NULL), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "NULL");
    /* a folder where nobody, root included, can make a file */
    EXPECT_EQ(gtr_save(ctx, "/proc/gputrain"), GTR_ERR_IO);
    EXPECT_ERROR(ctx, GTR_ERR_IO, "/proc/gputrain");
    {
        const char *locked = in_folder("locked");
        const bool root = geteuid() == 0;       /* who may write anywhere: for a while as somebody who may not */
        mkdir(locked, 0500);
        if (root && seteuid(65534) != 0)
            SKIP("a folder without write permission: root may write there, and cannot become somebody else");
        else {
            EXPECT_EQ(gtr_save(ctx, in_folder("locked/m")), GTR_ERR_IO);
            EXPECT_ERROR(ctx, GTR_ERR_IO, strerror(EACCES));
            if (root) EXPECT_EQ(seteuid(0), 0);
        }
        rmdir(locked);
    }
    EXPECT_EQ(files_in_folder(), before);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* What there is at path before a save: its mode is kept whatever the umask, links are followed, temporaries that nobody
   holds are removed. */
/* While an error is kept that is not of gtr_save alone, nothing is written: what a failed build, load, data set or fit
   leaves may not be the model that was meant. */
static int held_version(gtr_context *other)
{
    EXPECT_EQ(gtr_load(other, in_folder("m.safetensors")), GTR_OK);
    return version_of(other);
}
static void kept_errors(void)
{
    static const gtr_result want[5] = { GTR_ERR_ARG, GTR_ERR_SHAPE, GTR_ERR_IO, GTR_ERR_IO, GTR_ERR_NONFINITE };
    gtr_context *other = context(GTR_DEVICE_CPU);
    int kind, k;
    model(other);
    for (kind = 0; kind < 5; kind++) {
        gtr_context *ctx = context(kind == 4 ? device : GTR_DEVICE_CPU);
        gtr_csv_desc csv;
        gtr_trainer_desc d;
        gtr_float far_off = (gtr_float)INFINITY;
        char text[1100];
        memset(&csv, 0, sizeof csv); memset(&d, 0, sizeof d);
        model(ctx);
        fill(ctx, 3);
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 4)), *row = gtr_constant(ctx, GTR_F32,
            gtr_shape2(1, 1), &far_off);
        EXPECT_EQ(gtr_save(ctx, in_folder("m.safetensors")), GTR_OK);
        fill(ctx, 4);
        if (kind == 0) gtr_linear(x, "fc1", 3);
        if (kind == 1) gtr_matmul(x, x);
        if (kind == 2) gtr_load(ctx, in_folder("none"));
        if (kind == 3) gtr_dataset_csv(ctx, in_folder("none"), csv);
        if (kind == 4) gtr_step(gtr_trainer_create(gtr_mean(gtr_mul(gtr_parameter_find(ctx, "a"), row), NULL, 0, false),
            d));
        for (k = 0; k < 2; k++) EXPECT_EQ(gtr_save(ctx, in_folder("m.safetensors")), want[kind]);
        snprintf(text, sizeof text, "%s", gtr_error_text(ctx));
        const char *note = strstr(text, "; gtr_save writes nothing");
        CHECK(note && note > text && strstr(note, "gtr_error_clear") && !strstr(note + 9, "gtr_save"),
            "kept error %d: \"%s\"", kind, text);
        EXPECT_EQ(held_version(other), 3);
        EXPECT_ERROR(ctx, want[kind], kind == 0 ? "fc1.weight" : kind == 1 ? "matmul" : kind < 4 ? "none" : "step 1");
        EXPECT_EQ(gtr_save(ctx, in_folder("m.safetensors")), GTR_OK);
        EXPECT_EQ(held_version(other), 4);
        EXPECT_OK(ctx);
        /* a save's own error stops no other, until there is another error */
        EXPECT_EQ(gtr_save(ctx, in_folder("no/folder")), GTR_ERR_IO);
        for (k = 5; k < 7; k++) {
            fill(ctx, k);
            EXPECT_EQ(gtr_save(ctx, in_folder("m.safetensors")), GTR_OK);
            EXPECT_EQ(held_version(other), k);
        }
        gtr_relu(gtr_matmul(x, x));
        EXPECT_EQ(gtr_save(ctx, in_folder("m.safetensors")), GTR_ERR_IO);
        EXPECT_ERROR(ctx, GTR_ERR_IO, "no/folder");
        /* nor does one of reading what no run has, or into less room: the model is as it was */
        EXPECT_EQ(gtr_get(x, &far_off, sizeof far_off), GTR_ERR_STATE);
        EXPECT_EQ(gtr_save(ctx, in_folder("m.safetensors")), GTR_OK);
        EXPECT_ERROR(ctx, GTR_ERR_STATE, "has not been used by a run");
        EXPECT_EQ(gtr_get(gtr_parameter_find(ctx, "a"), &far_off, 1), GTR_ERR_SHAPE);
        EXPECT_EQ(gtr_save(ctx, in_folder("m.safetensors")), GTR_OK);
        EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "got room for 1 bytes");
        gtr_tensor *s = gtr_state(ctx, "s", gtr_shape2(GTR_BATCH, 2));
        gtr_float zero[4] = { 1, 1, 1, 1 };
        EXPECT_EQ(gtr_get(s, zero, sizeof zero), GTR_OK);       /* zeros at first */
        EXPECT(zero[0] == 0 && zero[1] == 0 && zero[2] == 0 && zero[3] == 0);
        EXPECT(gtr_item(s) == 0);
        EXPECT_EQ(gtr_save(ctx, in_folder("m.safetensors")), GTR_OK);
        EXPECT_OK(ctx);
        memset(text, 'x', sizeof text);
        gtr__fail(ctx, GTR_ERR_ARG, "%.1090s", text);       /* as long as a text may be */
        EXPECT_EQ(gtr_save(ctx, in_folder("m.safetensors")), GTR_ERR_ARG);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, "xx; gtr_save writes nothing while this error is kept: gtr_error_clear allows");
        EXPECT_EQ(held_version(other), 6);
        gtr_destroy(ctx);
    }
    unlink(in_folder("m.safetensors"));
    gtr_destroy(other);
}
static void old_places(void)
{
    static const unsigned modes[] = { 0600, 0644, 0664, 0777, 0444, 0400 };
    static const char *const strangers[] = {
        "m.tmp-", "m.tmp-1", "m.tmp-1-", "m.tmp-1-2x", "m.tmp-x-0", "m.tmp-1-2-3", "mm.tmp-1-0", "m.tmp" };
    gtr_context *ctx = context(GTR_DEVICE_CPU), *other = context(GTR_DEVICE_CPU);
    const mode_t mask = umask(077);
    char path[300], far_away[300], held[400], text[600];
    struct stat st;
    int k, fd, before = files_in_folder();
    model(ctx);
    model(other);
    snprintf(path, sizeof path, "%s/m", folder);
    for (k = 0; k < (int)(sizeof modes / sizeof *modes); k++) {
        put(path, "", 0);
        chmod(path, modes[k]);
        fill(ctx, k + 1);
        EXPECT_EQ(gtr_save(ctx, path), GTR_OK);
        EXPECT(stat(path, &st) == 0);
        CHECK((st.st_mode & 0777) == modes[k], "a file of mode %03o has %03o after a save", modes[k],
            (unsigned)st.st_mode & 0777u);
        unlink(path);
    }
    umask(027);
    EXPECT_EQ(gtr_save(ctx, path), GTR_OK);
    EXPECT(stat(path, &st) == 0 && (st.st_mode & 0777) == 0640);        /* a new file's is the system's business */
    unlink(path);
    umask(mask);
    /* links: to a file in another folder, absolute and relative, by way of another link, to a file that is
       not there yet, to itself */
    mkdir(in_folder("far"), 0777);
    snprintf(far_away, sizeof far_away, "%s/far/file", folder);
    for (k = 0; k < 4; k++) {
        if (k != 3) put(far_away, "", 0);
        if (symlink(k == 0 ? far_away : k == 2 ? "far/link" : "far/file", path)
                || (k == 2 && symlink("file", in_folder("far/link"))))
            CHECK(0, "no link");
        fill(ctx, 10 + k);
        CHECK(gtr_save(ctx, path) == GTR_OK, "save through link %d: %s", k, gtr_error_text(ctx));
        EXPECT(lstat(path, &st) == 0 && S_ISLNK(st.st_mode));
        EXPECT(lstat(far_away, &st) == 0 && S_ISREG(st.st_mode));
        EXPECT_EQ(gtr_load(other, far_away), GTR_OK);
        EXPECT_EQ(version_of(other), 10 + k);
        if (k == 2) unlink(in_folder("far/link"));
        unlink(path);
        unlink(far_away);
    }
    if (symlink("m", path)) CHECK(0, "no link");
    EXPECT_EQ(gtr_save(ctx, path), GTR_ERR_IO);
    EXPECT_ERROR(ctx, GTR_ERR_IO, "itself");
    unlink(path);
    if (symlink("gone/file", path)) CHECK(0, "no link");
    EXPECT_EQ(gtr_save(ctx, path), GTR_ERR_IO);
    EXPECT_ERROR(ctx, GTR_ERR_IO, strerror(ENOENT));
    unlink(path);
    rmdir(in_folder("far"));
    /* temporaries: nobody's go; one that is locked, and what only looks like one, stay */
    snprintf(held, sizeof held, "%s.tmp-1-0", path);
    put(held, "held", 4);
    fd = open(held, O_RDONLY);
    EXPECT(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0);
    snprintf(text, sizeof text, "%s.tmp-%ld-0", path, (long)getpid());
    put(text, "left", 4);
    put(in_folder("m.tmp-4194304-12"), "left", 4);
    for (k = 0; k < (int)(sizeof strangers / sizeof *strangers); k++) put(in_folder(strangers[k]), "mine", 4);
    EXPECT_EQ(gtr_save(ctx, path), GTR_OK);
    EXPECT(stat(text, &st) != 0);
    EXPECT(stat(in_folder("m.tmp-4194304-12"), &st) != 0);
    EXPECT(stat(held, &st) == 0 && st.st_size == 4);
    for (k = 0; k < (int)(sizeof strangers / sizeof *strangers); k++) {
        CHECK(stat(in_folder(strangers[k]), &st) == 0, "a save has removed %s", strangers[k]);
        unlink(in_folder(strangers[k]));
    }
    close(fd);
    EXPECT_EQ(gtr_save(ctx, path), GTR_OK);
    EXPECT(stat(held, &st) != 0);
    unlink(path);
    EXPECT_EQ(files_in_folder(), before);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    gtr_destroy(other);
}
/* A write to the device that fails in the middle of a load leaves what was there. */
static void failing_copies(void)
{
    gtr_context *ctx = context(GTR_DEVICE_CPU);
    int k, done = 0;
    model(ctx);
    fill(ctx, 6);
    EXPECT_EQ(gtr_save(ctx, in_folder("m.safetensors")), GTR_OK);
    char image[1024];
    gtr_save_desc halves;
    gtr_load_desc load;
    memset(&halves, 0, sizeof halves); memset(&load, 0, sizeof load);
    halves.dtype = GTR_F16;
    load.data = image; load.bytes = gtr_save_bytes(ctx, halves);
    EXPECT_EQ(gtr_save_get(ctx, halves, image, load.bytes), GTR_OK);
    real_copy = ctx->be->copy;
    for (int how = 0; how < 2; how++) {
        for (k = 0, done = 0; !done; k++) {
            gtr_result r;
            fill(ctx, 5);
            ctx->be->copy = bad_copy;
            copies_left = k;
            r = how ? gtr_load_ex(ctx, NULL, load) : gtr_load(ctx, in_folder("m.safetensors"));
            ctx->be->copy = real_copy;
            done = copies_left >= 0;
            CHECK(r == (done ? GTR_OK : GTR_ERR_NOMEM) && version_of(ctx) == (done ? 6 : 5),
                "load %d, copy %d fails: '%s', version %d", how, k, gtr_result_text(r), version_of(ctx));
            gtr_error_clear(ctx);
        }
        CHECK(k - 1 == 2 * MODEL, "%d copies in a load", k - 1);
    }
    for (k = 0, done = 0; !done; k++) {
        gtr_result r;
        fill(ctx, 7);
        ctx->be->copy = bad_copy;
        copies_left = k;
        r = gtr_save(ctx, in_folder("m.safetensors"));
        ctx->be->copy = real_copy;
        done = copies_left >= 0;
        CHECK(r == (done ? GTR_OK : GTR_ERR_NOMEM), "save, copy %d fails: '%s'", k, gtr_result_text(r));
        gtr_error_clear(ctx);
        EXPECT_EQ(gtr_load(ctx, in_folder("m.safetensors")), GTR_OK);
        EXPECT_EQ(version_of(ctx), done ? 7 : 6);
        EXPECT_EQ(files_in_folder(), 1);
    }
    unlink(in_folder("m.safetensors"));
    gtr_destroy(ctx);
}
/* A context that plans only, and one that is broken; a path without a folder; more tensors than a file may have. */
static void states(void)
{
    gtr_context *ctx;
    gtr_arrays_desc none;
    gtr_csv_desc csv;
    gtr_desc desc;
    char old[512];
    int64_t n;
    memset(&none, 0, sizeof none);
    memset(&csv, 0, sizeof csv);
    memset(&desc, 0, sizeof desc);
    desc.preset = GTR_PRESET_CPU;
    ctx = gtr_create(desc);
    EXPECT_EQ(gtr_save(ctx, in_folder("m.safetensors")), GTR_ERR_STATE);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "preset");
    EXPECT_EQ(gtr_load(ctx, in_folder("m.safetensors")), GTR_ERR_STATE);
    gtr_destroy(ctx);
    ctx = context(GTR_DEVICE_CPU);
    model(ctx);
    fill(ctx, 9);
    if (!getcwd(old, sizeof old) || chdir(folder)) exit(1);
    EXPECT_EQ(gtr_save(ctx, "m.safetensors"), GTR_OK);
    fill(ctx, 8);
    EXPECT_EQ(gtr_load(ctx, "m.safetensors"), GTR_OK);
    EXPECT_EQ(version_of(ctx), 9);
    unlink("m.safetensors");
    if (chdir(old)) exit(1);
    n = ctx->graph.n_parameter;
    ctx->graph.n_parameter = 1000001;
    EXPECT_EQ(gtr_save(ctx, in_folder("m.safetensors")), GTR_ERR_UNSUPPORTED);
    ctx->graph.n_parameter = n;
    EXPECT_ERROR(ctx, GTR_ERR_UNSUPPORTED, "1000001 tensors");
    ctx->errors.dead = true;
    EXPECT_EQ(gtr_save(ctx, in_folder("m.safetensors")), GTR_ERR_STATE);
    EXPECT(gtr_load(ctx, in_folder("m.safetensors")) == GTR_ERR_STATE && gtr_dataset_arrays(ctx, none) == NULL
        && gtr_dataset_idx(ctx, "a", "b") == NULL && gtr_dataset_csv(ctx, "a", csv) == NULL);
    EXPECT(strstr(gtr_error_text(ctx), "not usable"));
    ctx->errors.dead = false;
    EXPECT_EQ(files_in_folder(), 0);
    gtr_destroy(ctx);
}

/* --- allocations */

static struct { int at, onward, seen; long long alive; } memory;
static void *test_alloc(size_t bytes, gtr_memory kind, void *user)
{
    void *p;
    (void)kind; (void)user;
    memory.seen++;
    if (memory.at && (memory.onward ? memory.seen >= memory.at : memory.seen == memory.at)) return NULL;
    p = guard_alloc(bytes);
    if (p) memory.alive++;
    return p;
}
static void test_free(void *p, size_t bytes, gtr_memory kind, void *user)
{
    (void)kind; (void)user;
    memory.alive--;
    guard_free(p, bytes);
}
static unsigned char idx_images[4 + 12 + 10 * 6], idx_labels[4 + 4 + 10];
static void write_idx(void)
{
    int i;
    memcpy(idx_images, "\0\0\x08\3\0\0\0\x0a\0\0\0\2\0\0\0\3", 16);
    memcpy(idx_labels, "\0\0\x08\1\0\0\0\x0a", 8);
    for (i = 0; i < 60; i++) idx_images[16 + i] = (unsigned char)(i * 4);
    for (i = 0; i < 10; i++) idx_labels[8 + i] = (unsigned char)(9 - i);
    put(in_folder("images"), idx_images, sizeof idx_images);
    put(in_folder("labels"), idx_labels, sizeof idx_labels);
}
/* Rows first and on of a made set: labels run, and so do the bytes. classes 100: with coarse labels, of fives. */
static unsigned char cifar_byte(int row, int i) { return (unsigned char)(row * 31 + i * 7 + i / 256); }
static unsigned char *cifar_bytes(int classes, int rows, int first, size_t *n)
{
    const int labels = classes == 10 ? 1 : 2;
    unsigned char *bytes = (unsigned char *)malloc(*n = (size_t)rows * (size_t)(3072 + labels)), *p = bytes;
    for (int r = first; r < first + rows; r++) {
        if (labels == 2) *p++ = (unsigned char)(r % 100 / 5);
        *p++ = (unsigned char)(r % classes);
        for (int i = 0; i < 3072; i++) *p++ = cifar_byte(r, i);
    }
    return bytes;
}
static void write_cifar(const char *name, int classes, int rows, int first)
{
    size_t n;
    unsigned char *bytes = cifar_bytes(classes, rows, first, &n);
    put(in_folder(name), bytes, n);
    free(bytes);
}
static gtr_dataset *cifar_of(gtr_context *ctx, const char *a, const char *b, int classes)
{
    const char *const path[2] = { in_folder(a), b ? in_folder(b) : NULL };
    return gtr_dataset_cifar(ctx, path, b ? 2 : 1, classes);
}
static gtr_dataset *images_of(gtr_context *ctx, int h, int w, int resize, int channels)
{
    gtr_images_desc d;
    memset(&d, 0, sizeof d);
    d.height = h; d.width = w; d.resize = resize; d.channels = channels;
    return gtr_dataset_images(ctx, in_folder("set"), d);
}
/* A decoder of the type of stbi_load: "width height channels " and the pixels' bytes, or something else: NULL. What it
   says of impossible sizes it has no pixels of. */
static int decoded, held_pixels;
static unsigned char *decode(const char *path, int *width, int *height, int *channels, int wanted)
{
    FILE *f = fopen(path, "rb");
    unsigned char *pixels = NULL;
    int w, h, n;
    decoded++;
    EXPECT(f && wanted == 0);
    if (f && fscanf(f, "%d %d %d", &w, &h, &n) == 3 && fgetc(f) == ' ') {
        const bool some = w > 0 && h > 0 && n > 0 && w < 99 && h < 99 && n < 9;
        const size_t size = some ? (size_t)w * (size_t)h * (size_t)n : 1;
        pixels = (unsigned char *)malloc(size);
        held_pixels++;
        EXPECT(!some || fread(pixels, 1, size, f) == size);
        *width = w; *height = h; *channels = n;
    }
    if (f) fclose(f);
    return pixels;
}
static void decode_free(void *pixels) { EXPECT(pixels != NULL); held_pixels--; free(pixels); }
/* Pixels, and as many more channels as alpha. */
static unsigned char pixel(int i, int channels, int colours)
{
    const int c = i % channels;
    return (unsigned char)(c < colours ? (i / channels * colours + c) * 37 + i / channels / 3 * 11 : 200 + i);
}
/* A file of so many channels, as PGM or PPM or for the decoder. */
static void put_image(const char *name, int w, int h, int channels, bool pnm)
{
    unsigned char bytes[4096];
    const int head = sprintf((char *)bytes, pnm ? channels == 1 ? "P5 %d %d 255 " : "P6 %d %d 255 " : "%d %d ", w, h)
        + (pnm ? 0 : sprintf((char *)bytes + strlen((char *)bytes), "%d ", channels));
    for (int i = 0; i < w * h * channels; i++) bytes[head + i] = pixel(i, channels, channels < 3 ? 1 : 3);
    put(in_folder(name), bytes, (size_t)(head + w * h * channels));
}
static gtr_images_desc decoding(int h, int w, int resize, int channels)
{
    gtr_images_desc d;
    memset(&d, 0, sizeof d);
    d.height = h; d.width = w; d.resize = resize; d.channels = channels; d.decode = decode; d.decode_free = decode_free;
    return d;
}
static gtr_dataset *arrays(gtr_context *ctx, int64_t rows)
{
    static float x[300];
    static int32_t y[100];
    gtr_arrays_desc d;
    int i;
    memset(&d, 0, sizeof d);
    for (i = 0; i < 300; i++) x[i] = (float)i;
    for (i = 0; i < 100; i++) y[i] = i % 7 - 2;
    d.rows = rows;
#ifdef GPUTRAIN_DOUBLE
    d.column[0].dtype = GTR_U8;     /* the same bytes, another element */
#endif
    d.column[0].data = x;
    d.column[0].shape = gtr_shape1(3);
    d.column[1].data = y;
    d.column[1].dtype = GTR_I32;
    return gtr_dataset_arrays(ctx, d);
}
static void allocations(void)
{
    static const char *const what[] = { "save", "load", "arrays", "idx", "csv", "split", "to the device", "cifar",
        "images", "split at random", "subset", "sample", "concat", "append", "windows",
        "npy", "npy of the other order, mapped", "columns by name", "images like others", "note",
        "load of F16 with a report", "save of F16 to memory", "an image", "an image decoded", "an image in memory",
        "characters of a text, in streams", "ragged rows", "part of ragged rows" };
    static const int64_t picked[] = { 3, 1 }, lengths_of[20] = { 3, 2, 0, 15 };
    char npy[512];
    gtr_ragged_desc ragged;
    gtr_desc desc;
    gtr_csv_desc csv;
    gtr_context *ctx;
    int call, onward, k;
    memset(&desc, 0, sizeof desc);
    memset(&csv, 0, sizeof csv);
    memset(&ragged, 0, sizeof ragged);
    ragged.lengths = lengths_of; ragged.n_lengths = 20;
    desc.device = GTR_DEVICE_CPU;
    desc.threads = 1;
    desc.allocator.alloc = test_alloc;
    desc.allocator.free = test_free;
    memset(&memory, 0, sizeof memory);
    ctx = gtr_create(desc);
    model(ctx);
    fill(ctx, 1);
    write_idx();
    write_cifar("cifar", 10, 3, 0);
    mkdir(in_folder("set"), 0700);
    mkdir(in_folder("set/a"), 0700);
    put(in_folder("set/a/x.pgm"), "P2 3 3 9 1 2 3 4 5 6 7 8 9", 26);
    put(in_folder("t.csv"), "1,2,a\n3,,b\n5,6,c\n", 17);
    csv.missing = GTR_MISSING_MEDIAN;
    put(in_folder("n.csv"), "a,b,c,y\n1,2,3,u\n3,,4,v\n5,6,7,a\n", 31);
    csv.header = true; csv.columns = "c,b"; csv.skip = "a"; csv.label = "4";
    gtr_dataset *classes = gtr_dataset_csv(ctx, in_folder("n.csv"), csv), *folders = images_of(ctx, 3, 2, 4, 3);
    gtr_dataset *decodes = gtr_dataset_images(ctx, NULL, decoding(3, 2, 0, 3));
    gtr_tensor *one = gtr_input(ctx, "one", GTR_F32, gtr_shape4(GTR_BATCH, 3, 3, 2));
    float floats[18];
    put_image("t.jpg", 4, 3, 1, false);
    EXPECT_EQ(gtr_dataset_note(classes, 1), GTR_OK);
    EXPECT_EQ(gtr_save(ctx, in_folder("m.safetensors")), GTR_OK);
    snprintf(npy, sizeof npy, "%s", in_folder("t.npy"));
    put(npy, "\x93NUMPY\1\0\73\0{'descr': '<i8', 'fortran_order': True, 'shape': (1, 2), }\n"
        "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0", 85);
    char image[1024], other[1024];
    gtr_save_desc halves;
    gtr_load_desc load;
    gtr_load_report report;
    memset(&halves, 0, sizeof halves); memset(&load, 0, sizeof load);
    halves.dtype = GTR_F16; halves.names = "*";
    fill(ctx, 2);
    load.data = image; load.bytes = gtr_save_bytes(ctx, halves); load.report = &report; load.partial = true;
    EXPECT_EQ(gtr_save_get(ctx, halves, image, load.bytes), GTR_OK);
    for (call = 0; call < 28; call++) for (onward = 0; onward < 2; onward++) for (k = 1; ; k++) {
        gtr_dataset *d = NULL, *old = NULL;
        bool ok, hit;
        long long alive;
        fill(ctx, 2);
        if (call >= 5) old = arrays(ctx, 20);
        ragged.beside = old;
        gtr_dataset *rows = call == 27 ? gtr_dataset_ragged(old, ragged) : NULL;
        if (call == 6) ctx->caps.cuda = 1;      /* the CPU's backend serves as a device */
        if (call == 19) for (int i = 0; i < 3; i++) gtr_note_set(ctx, i ? i == 1 ? "y.1" : "y.2" : "y.0", NULL);
        alive = memory.alive;
        memory.at = k; memory.onward = onward; memory.seen = 0;
        switch (call) {
        case 0: ok = gtr_save(ctx, in_folder("m.safetensors")) == GTR_OK; break;
        case 1: ok = gtr_load(ctx, in_folder("m.safetensors")) == GTR_OK; break;
        case 2: ok = (d = arrays(ctx, 20)) != NULL; break;
        case 3: ok = (d = gtr_dataset_idx(ctx, in_folder("images"), in_folder("labels"))) != NULL; break;
        case 4: {
            gtr_csv_desc plain;
            memset(&plain, 0, sizeof plain);
            plain.missing = GTR_MISSING_MEDIAN;
            ok = (d = gtr_dataset_csv(ctx, in_folder("t.csv"), plain)) != NULL;
            break;
        }
        case 5: ok = (d = gtr_dataset_split(old, 3)) != NULL; break;
        case 6: ok = gtr__dataset_device(old) == GTR_OK; break;
        case 7: ok = (d = cifar_of(ctx, "cifar", NULL, 10)) != NULL; break;
        case 8: ok = (d = images_of(ctx, 3, 2, 4, 3)) != NULL; break;
        case 9: ok = (d = gtr_dataset_split_random(old, 0.5f, 1, 1)) != NULL; break;
        case 10: ok = (d = gtr_dataset_subset(old, picked, 2)) != NULL; break;
        case 11: ok = (d = gtr_dataset_sample(old, NULL, 1, 5, 1)) != NULL; break;
        case 12: ok = (d = gtr_dataset_concat(ctx, &old, 1)) != NULL; break;
        case 13: {
            const void *rows[2] = { gtr_dataset_row(old, 0, 0), gtr_dataset_row(old, 1, 0) };
            ok = gtr_dataset_append(old, rows, 2) == GTR_OK;
            EXPECT_EQ(gtr_dataset_rows(old), ok ? 22 : 20);
            break;
        }
        case 14: {
            static const int64_t lengths[2] = { 8, 12 };
            gtr_windows_desc windows;
            memset(&windows, 0, sizeof windows);
            windows.history = 3; windows.target = 2; windows.lengths = lengths; windows.n_lengths = 2;
            ok = (d = gtr_dataset_windows(old, windows)) != NULL;
            break;
        }
        case 17: ok = (d = gtr_dataset_csv(ctx, in_folder("n.csv"), csv)) != NULL; break;
        case 18: {
            gtr_images_desc like;
            memset(&like, 0, sizeof like);
            like.height = 3; like.width = 2; like.like = folders;
            ok = (d = gtr_dataset_images(ctx, in_folder("set"), like)) != NULL;
            break;
        }
        case 19: ok = gtr_dataset_note(classes, 1) == GTR_OK; break;
        case 20:
            gtr__mfree(ctx, ctx->answer.text);     /* its room is made anew */
            ctx->answer.text = NULL; ctx->answer.size = 0; alive = memory.alive;
            ok = gtr_load_ex(ctx, NULL, load) == GTR_OK;
            EXPECT_EQ(report.loaded, ok ? MODEL : 0);
            if (!ok) alive += ctx->answer.text != NULL;
            break;
        case 21: ok = gtr_save_get(ctx, halves, other, load.bytes) == GTR_OK; break;
        case 22: ok = gtr_image_load(folders, in_folder("set/a/x.pgm"), one, floats) == GTR_OK; break;
        case 23: ok = gtr_image_load(decodes, in_folder("t.jpg"), one, floats) == GTR_OK && !held_pixels; break;
        case 24: ok = gtr_image_convert(folders, "abcdefghijkl", 4, 1, 3, one, floats) == GTR_OK; break;
        case 25: {
            gtr_text_desc text;
            memset(&text, 0, sizeof text);
            text.length = 2; text.characters = true; text.streams = 2;
            ok = (d = gtr_dataset_text(ctx, in_folder("n.csv"), text)) != NULL;
            break;
        }
        case 26: ok = (d = gtr_dataset_ragged(old, ragged)) != NULL; break;
        case 27: ok = (d = gtr_dataset_split(rows, 2)) != NULL; break;
        default: {
            gtr_npy_desc desc;
            memset(&desc, 0, sizeof desc);
            desc.map = call == 16;
            if (desc.map) put(npy, "\x93NUMPY\1\0\74\0{'descr': '>i4', 'fortran_order': False, 'shape': (1, 2), }\n"
                "\0\0\0\1\0\0\0\2", 78);
            const char *const path = npy;
            ok = (d = gtr_dataset_npy(ctx, &path, 1, desc)) != NULL;
        }
        }
        hit = memory.seen >= k;
        memory.at = 0;
        CHECK(ok != hit && gtr_error(ctx) == (hit ? GTR_ERR_NOMEM : GTR_OK), "%s, allocation %d fails: '%s'",
            what[call], k, gtr_error_text(ctx));
        gtr_error_clear(ctx);
        if (!ok && call != 6) CHECK(memory.alive == alive, "%s, allocation %d fails: %lld blocks are lost", what[call],
            k, memory.alive - alive);
        if (!ok && (call == 5 || call == 9)) EXPECT_EQ(gtr_dataset_rows(old), 20);
        if (call == 19) EXPECT(!gtr_note(ctx, "y.0") == !ok && !gtr_note(ctx, "y.2") == !ok);
        if (!ok && call == 6) EXPECT_EQ(gtr__dataset_device(old), GTR_OK);      /* later there may be enough */
        gtr_dataset_destroy(d);
        gtr_dataset_destroy(rows);
        gtr_dataset_destroy(old);
        ctx->caps.cuda = 0;
        if (!ok || call > 1)
            CHECK(version_of(ctx) == 2, "%s, allocation %d fails: parameters have changed", what[call], k);
        if (!ok && call == 0) {
            EXPECT_EQ(gtr_load(ctx, in_folder("m.safetensors")), GTR_OK);
            EXPECT_EQ(version_of(ctx), onward ? 2 : 1);
        }
        if (ok) { CHECK(k > 1, "%s allocates nothing", what[call]); break; }
    }
    gtr_destroy(ctx);
    CHECK(memory.alive == 0, "%lld blocks are lost", memory.alive);
    unlink(in_folder("m.safetensors"));
    unlink(in_folder("images"));
    unlink(in_folder("labels"));
    unlink(in_folder("cifar"));
    unlink(in_folder("t.csv"));
    unlink(in_folder("n.csv"));
    unlink(npy);
    unlink(in_folder("t.jpg"));
    unlink(in_folder("set/a/x.pgm"));
    rmdir(in_folder("set/a"));
    rmdir(in_folder("set"));
}

/* --- kill */

/* A model whose file takes several writes. */
static gtr_context *large(int version)
{
    gtr_context *ctx = context(GTR_DEVICE_CPU);
    gtr_init init;
    int i;
    memset(&init, 0, sizeof init);
    init.kind = GTR_INIT_CONSTANT;
    init.a = (float)version;
    for (i = 0; i < 24; i++) {
        char name[16];
        sprintf(name, "p%d", i);
        gtr_parameter(ctx, name, gtr_shape2(64, 64), init);
    }
    return ctx;
}
static int large_version(gtr_context *ctx)
{
    static gtr_float v[4096];
    int i, k, version = 0;
    for (i = 0; i < 24; i++) {
        if (gtr_get(gtr_parameter_at(ctx, i), v, sizeof v) != GTR_OK) return -1;
        if (i == 0) version = (int)v[0];
        for (k = 0; k < 4096; k++) if (v[k] != (gtr_float)version) return -1;
    }
    return version;
}
static void set_large(gtr_context *ctx, int version)
{
    static gtr_float v[4096];
    int i;
    for (i = 0; i < 4096; i++) v[i] = (gtr_float)version;
    for (i = 0; i < 24; i++) gtr_set(gtr_parameter_at(ctx, i), v, sizeof v);
}
/* What gtr_save must not be: writes over the file. */
static void save_in_place(gtr_context *ctx, const char *path, const unsigned char *good, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    size_t k;
    (void)ctx;
    for (k = 0; k < n; k += 4096) if (write(fd, good + k, n - k < 4096 ? n - k : 4096) < 0) break;
    close(fd);
}
static int kill_count(void) { return small ? 5 : getenv("GTR_KILLS") ? atoi(getenv("GTR_KILLS")) : 50; }
static void killed(void)
{
    gtr_context *ctx;
    char path[512];
    unsigned char *good;
    size_t n;
    int control, k, caught = 0, states[3] = {0};
    const int kills = kill_count();
    snprintf(path, sizeof path, "%s/kill.safetensors", folder);
    ctx = large(1);
    EXPECT_EQ(gtr_save(ctx, path), GTR_OK);
    good = get(path, &n);
    for (control = 0; control < 2; control++) for (k = 0; k < kills; k++) {
        struct timespec pause;
        pid_t child;
        int ready[2], version;
        char c;
        if (pipe(ready)) exit(1);
        fflush(stdout);
        child = fork();
        if (child == 0) {
            gtr_context *own = large(1);
            int i;
            for (i = 0; ; i++) {
                set_large(own, 1 + i % 2);
                if (control) save_in_place(own, path, good, n);
                else gtr_save(own, path);
                if (i == 0 && write(ready[1], "x", 1) != 1) _exit(1);
            }
        }
        close(ready[1]);
        if (read(ready[0], &c, 1) != 1) CHECK(0, "the child has died");
        close(ready[0]);
        pause.tv_sec = 0;
        pause.tv_nsec = (long)below(8000000);
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        if (gtr_load(ctx, path) != GTR_OK) version = -1;
        else version = large_version(ctx);
        gtr_error_clear(ctx);
        if (control) caught += version < 0;
        else {
            CHECK(version == 1 || version == 2, "kill %d: the file is of version %d", k, version);
            if (version > 0) states[version]++;
        }
    }
    CHECK(small || caught > 0, "the writer that writes in place was not caught in %d kills", kills);
    CHECK(small || (states[1] && states[2]), "version 1 was met %d times, version 2 %d times", states[1], states[2]);
    free(good);
    EXPECT_EQ(gtr_save(ctx, path), GTR_OK);
    CHECK(files_in_folder() == 1, "%d files after a save, want one: killed savers have left theirs", files_in_folder());
    gtr_destroy(ctx);
    unlink(path);
    EXPECT_EQ(files_in_folder(), 0);
}
/* A fit that writes a checkpoint each step and goes on from the one it finds is killed again and again: what lies there
   is always the whole checkpoint of one step, the bytes of the run that nobody killed. */
enum { LIVES = 60 };
static uint64_t one_run[LIVES + 1];
static int ready_at;
static bool each(const gtr_progress *p)
{
    if (ready_at >= 0) { if (write(ready_at, "x", 1) != 1) _exit(1); return true; }
    const size_t n = gtr_checkpoint_bytes(p->trainer);
    unsigned char *b = (unsigned char *)malloc(n);
    EXPECT_EQ(gtr_checkpoint_get(p->trainer, b, n), GTR_OK);
    one_run[p->step] = hash_of(HASH_BEGIN, b, n);
    free(b);
    return true;
}
static char *kept_as(char *kept, const char *path, int step) { sprintf(kept, "%s.%d", path, step); return kept; }
static void killed_fits(void)
{
    const int kills = kill_count();
    char path[512], kept[600];
    int k, control, caught = 0, steps = 0, last = 0;
    int64_t most = 12000000;    /* ns from a fit's start to its kill; grows while fits make no step (a busy machine) */
    run a = a_run(context(GTR_DEVICE_CPU), 2000), b = a_run(context(GTR_DEVICE_CPU), 2000);
    gtr_fit_desc f;
    memset(&f, 0, sizeof f);
    snprintf(path, sizeof path, "%s/fit", folder);
    f.epochs = LIVES / 3; f.batch = 24; f.silent = true; f.callback = each; f.callback_every = 1;
    ready_at = -1;
    EXPECT_EQ(gtr_fit(a.t, a.data, f), GTR_OK);
    f.checkpoint = path; f.checkpoint_steps = 1; f.resume = true;
    for (control = 0; control < 2; control++) for (k = 0; k < kills; k++) {
        struct timespec pause = { 0, (long)below(most) };
        int ready[2];
        size_t n;
        char c;
        if (pipe(ready)) exit(1);
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            run own = a_run(context(GTR_DEVICE_CPU), 2000);
            unsigned char *good = get(path, &n);
            ready_at = ready[1];
            if (control) for (int i = 0; ; i++) {
                save_in_place(own.ctx, path, good, n);
                if (i == 0 && write(ready[1], "x", 1) != 1) _exit(1);
            }
            _exit(gtr_fit(own.t, own.data, f) != GTR_OK);
        }
        close(ready[1]);
        if (read(ready[0], &c, 1) == 1) nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        close(ready[0]);
        const gtr_result r = gtr_checkpoint_load(b.t, path);
        gtr_error_clear(b.ctx);
        unsigned char *file = get(path, &n);
        const int step = (int)gtr_trainer_report(b.t).step;
        const bool good = !r && step <= LIVES && hash_of(HASH_BEGIN, file, n) == one_run[step];
        free(file);
        if (control) { caught += !good; continue; }
        most = step > last ? 12000000 : GTR__MIN(most + most / 2, 900000000);
        if (access(path, F_OK) != 0) continue;      /* killed before the first */
        CHECK(good && step >= last, "kill %d: the file is not that of step %d (before it was of step %d): %s", k, step,
            last, gtr_result_text(r));
        steps += step > last;
        last = step;
        if (step == LIVES && k + 1 < kills) { unlink(path); last = 0; }
    }
    /* those that are kept besides: none is left over once one has lived to its end */
    unlink(path);
    f.keep_last = 2; f.keep_best = true;
    for (k = 0; k < kills / 5; k++) {
        struct timespec pause = { 0, (long)below(30000000) };
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            run own = a_run(context(GTR_DEVICE_CPU), 2000);
            ready_at = open("/dev/null", O_WRONLY);
            _exit(gtr_fit(own.t, own.data, f) != GTR_OK);
        }
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    ready_at = open("/dev/null", O_WRONLY);
    run end = a_run(context(GTR_DEVICE_CPU), 2000);     /* goes on, or begins where none lived to a checkpoint */
    EXPECT_EQ(gtr_fit(end.t, end.data, f), GTR_OK);
    close(ready_at);
    EXPECT_EQ(gtr_trainer_report(end.t).step, LIVES);
    gtr_destroy(end.ctx);
    for (k = LIVES - 1; k <= LIVES; k++) {
        EXPECT_EQ(gtr_checkpoint_load(b.t, kept_as(kept, path, k)), GTR_OK);
        EXPECT_EQ(gtr_trainer_report(b.t).step, k);
    }
    CHECK(files_in_folder() == 4, "%d files, want 4: the newest, two of steps and the best", files_in_folder());
    for (k = LIVES - 1; k <= LIVES; k++) unlink(kept_as(kept, path, k));
    unlink(in_folder("fit.best"));
    snprintf(path, sizeof path, "%s/fit", folder);
    CHECK(small || caught > 0, "the writer that writes in place was not caught in %d kills", kills);
    CHECK(small || steps > kills / 10, "in %d lives the fit went on %d times", kills, steps);
    gtr_destroy(a.ctx);
    gtr_destroy(b.ctx);
    b = a_run(context(GTR_DEVICE_CPU), 8);
    EXPECT_EQ(gtr_checkpoint_save(b.t, path), GTR_OK);      /* removes what killed savers have left */
    gtr_destroy(b.ctx);
    unlink(path);
    EXPECT_EQ(files_in_folder(), 0);
}
/* Several processes save to one path: each removes what others may have left, and never what they are writing. */
static void crowded(void)
{
    const int savers = 4, saves = small ? 5 : 25;
    char path[300];
    gtr_context *ctx;
    int k, i, status;
    snprintf(path, sizeof path, "%s/crowd", folder);
    fflush(stdout);
    for (k = 0; k < savers; k++) if (fork() == 0) {
        ctx = large(1 + k % 2);
        for (i = 0; i < saves && gtr_save(ctx, path) == GTR_OK; i++) {}
        if (i < saves) fprintf(stderr, "save %d: %s\n", i, gtr_error_text(ctx));
        _exit(i < saves);
    }
    for (k = 0; k < savers; k++)
        CHECK(wait(&status) > 0 && status == 0, "a save failed while others saved to the same path");
    ctx = large(1);
    EXPECT_EQ(gtr_load(ctx, path), GTR_OK);
    EXPECT(large_version(ctx) == 1 || large_version(ctx) == 2);
    gtr_destroy(ctx);
    unlink(path);
    EXPECT_EQ(files_in_folder(), 0);
}

/* --- data sets */

static void idx(void)
{
    gtr_context *ctx = context(device);
    gtr_dataset *d;
    gtr_shape s;
    char path[1024];
    int k;
    strcpy(path, folder);
    write_idx();
    d = gtr_dataset_idx(ctx, in_folder("images"), in_folder("labels"));
    EXPECT_OK(ctx);
    EXPECT_EQ(gtr_dataset_rows(d), 10);
    EXPECT_EQ(gtr_dataset_columns(d), 2);
    s = gtr_dataset_shape(d, 0);
    EXPECT(s.ndim == 2 && s.dim[0] == 2 && s.dim[1] == 3);
    EXPECT_EQ(gtr_dataset_shape(d, 1).ndim, 0);
    EXPECT_EQ(gtr_dataset_dtype(d, 0), GTR_U8);
    EXPECT_EQ(gtr_dataset_dtype(d, 1), GTR_U8);
    EXPECT(!memcmp(gtr_dataset_row(d, 0, 0), idx_images + 16, 60)
        && !memcmp(gtr_dataset_row(d, 1, 0), idx_labels + 8, 10));
    EXPECT(gtr_dataset_row(d, 0, -1) == NULL && gtr_dataset_row(d, 0, 10) == NULL && gtr_dataset_row(d, 2, 0) == NULL
        && gtr_dataset_row(d, -1, 0) == NULL && gtr_dataset_row(NULL, 0, 0) == NULL);
    EXPECT(range_is(d, 1, 0, 9) && range_is(d, 0, 0, 236) && d->column[0].scale == 1.0f / 255.0f);
    gtr_dataset_destroy(d);
    gtr_dataset_destroy(NULL);
    EXPECT(ctx->datasets == NULL);
    gtr_destroy(ctx);
    ctx = context(GTR_DEVICE_CPU);
    io.longer = 1;
    EXPECT(gtr_dataset_idx(ctx, in_folder("images"), in_folder("labels")) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_IO, "became longer");
    io.longer = 0;
    io.shorter = 1;
    EXPECT(gtr_dataset_idx(ctx, in_folder("images"), in_folder("labels")) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_IO, "became shorter");
    io.shorter = 0;
    {   /* each bad change to images or labels, and the error for it */
        static const struct {
            int labels, cut; size_t at; const char *bytes; size_t n; gtr_result want; const char *part; } cases[] = {
            { 0, 0, 0, "\x1f\x8b\x08", 3, GTR_ERR_FORMAT, "gunzip first" },
            { 1, 0, 0, "\x1f\x8b\x08", 3, GTR_ERR_FORMAT, "gunzip first" },
            { 0, 0, 0, "P5", 2, GTR_ERR_FORMAT, "no IDX file" },
            { 0, 0, 1, "\1", 1, GTR_ERR_FORMAT, "begins 00 01 08 03, which is no IDX file" },
            { 0, 0, 2, "\x07", 1, GTR_ERR_FORMAT, "no IDX file" },
            { 0, 0, 2, "\0", 1, GTR_ERR_FORMAT, "no IDX file" },
            { 0, 0, 3, "\0", 1, GTR_ERR_FORMAT, "no IDX file" },
            { 0, 0, 2, "\x0d", 1, GTR_ERR_UNSUPPORTED, "type 0x0d" },
            { 0, 0, 3, "\x09", 1, GTR_ERR_UNSUPPORTED, "9 dimensions" },
            { 0, 0, 3, "\xff", 1, GTR_ERR_UNSUPPORTED, "255 dimensions" },
            { 0, 0, 3, "\x02", 1, GTR_ERR_FORMAT, "64 bytes of data, want 20" },
            { 0, 0, 4, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12, GTR_ERR_FORMAT, "overflows" },
            { 0, 0, 4, "\0\0\0\x0b", 4, GTR_ERR_FORMAT, "60 bytes of data, want 66" },
            { 0, 0, 4, "\x80\0\0\x0a", 4, GTR_ERR_FORMAT, "60 bytes of data" },
            { 0, 0, 8, "\0\0\0\0", 4, GTR_ERR_FORMAT, "dimension 1 is 0" },
            { 0, 0, 4, "\0\0\0\0", 4, GTR_ERR_FORMAT, "60 bytes of data, want 0" },
            { 0, 1, 0, "", 0, GTR_ERR_FORMAT, "59 bytes of data, want 60" },
            { 0, 61, 0, "", 0, GTR_ERR_FORMAT, "cut within its header" },
            { 0, 73, 0, "", 0, GTR_ERR_FORMAT, "3 bytes, too few" },
            { 0, 76, 0, "", 0, GTR_ERR_FORMAT, "0 bytes, too few" },
            { 0, 6, 4, "\0\0\0\x09", 4, GTR_ERR_FORMAT, "want as many" },
            { 0, 60, 4, "\0\0\0\0", 4, GTR_ERR_ARG, "0 rows" },
            { 1, 0, 4, "\0\0\0\x0b", 4, GTR_ERR_FORMAT, "10 bytes of data, want 11" },
            { 1, 0, 0, "\0\0\x08\2\0\0\0\2\0\0\0\3", 12, GTR_ERR_FORMAT, "exchanged?" } };
        size_t k;
        for (k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            unsigned char bytes[128];
            size_t n = cases[k].labels ? sizeof idx_labels : sizeof idx_images;
            write_idx();
            memcpy(bytes, cases[k].labels ? idx_labels : idx_images, n);
            memcpy(bytes + cases[k].at, cases[k].bytes, cases[k].n);
            put(in_folder(cases[k].labels ? "labels" : "images"), bytes, n - (size_t)cases[k].cut);
            EXPECT(gtr_dataset_idx(ctx, in_folder("images"), in_folder("labels")) == NULL);
            CHECK(strstr(gtr_error_text(ctx), cases[k].labels ? "/labels" : "/images"), "case %d: no file in '%s'",
                (int)k, gtr_error_text(ctx));
            if (!EXPECT_ERROR(ctx, cases[k].want, cases[k].part)) printf("     in case %d\n", (int)k);
        }
    }
    write_idx();
    EXPECT(gtr_dataset_idx(ctx, NULL, in_folder("labels")) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "images");
    EXPECT(gtr_dataset_idx(ctx, in_folder("images"), NULL) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "labels");
    EXPECT(gtr_dataset_idx(ctx, in_folder("images"), folder) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_IO, "a folder");
    EXPECT(gtr_dataset_idx(ctx, in_folder("none"), in_folder("labels")) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_IO, strerror(ENOENT));
    EXPECT(gtr_dataset_idx(NULL, "a", "b") == NULL);
    EXPECT(ctx->datasets == NULL);
    for (k = 1; k < 8; k++) {       /* a path longer than a data set's name: its end */
        size_t n = strlen(path);
        memset(path + n, 'x', 60);
        path[n] = '/';
        path[n + 60] = 0;
        mkdir(path, 0700);
        if (n > 300) break;
    }
    strcpy(path + strlen(path), "/i");
    put(path, idx_images, sizeof idx_images);
    d = gtr_dataset_idx(ctx, path, in_folder("labels"));
    EXPECT(d && strlen(d->name) == sizeof d->name - 1 && !strncmp(d->name, "...", 3)
        && !strcmp(d->name + 3, path + strlen(path) - (sizeof d->name - 4)));
    do { if (unlink(path)) rmdir(path); *strrchr(path, '/') = 0; } while (strcmp(path, folder));
    unlink(in_folder("images"));
    unlink(in_folder("labels"));
    gtr_destroy(ctx);
}
static void cifar(void)
{
    static const struct { int classes, rows[2]; } good[] = { { 10, { 3, 600 } }, { 100, { 257, 2 } },
        { 20, { 1, 1 } } };
    static const struct { int classes, as, rows, change; size_t at; int byte; const char *part; } bad[] = {
        { 10, 10, 4, -1, 0, 0, "12291 bytes, want whole rows of 3073" }, { 10, 10, 4, 1, 0, 0, "12293 bytes, want" },
        { 10, 10, 0, 0, 0, 0, "0 bytes, want whole rows of 3073 (at least one)" },
        { 100, 10, 4, 0, 0, 0, "12296 bytes, want whole rows of 3073 (at least one); it looks like CIFAR-100" },
        { 10, 100, 4, 0, 0, 0, "12292 bytes, want whole rows of 3074 (at least one); it looks like CIFAR-10" },
        { 10, 10, 4, 0, 3073, 10, "row 1: label 10, want 0 to 9" }, { 10, 10, 4, 0, 9219, 255, "row 3: label 255" },
        { 100, 100, 4, 0, 3074, 20, "row 1: coarse label 20, want 0 to 19" },
        { 100, 20, 4, 0, 3075, 100, "row 1: fine label 100, want 0 to 99" } };
    gtr_context *ctx = context(device);
    gtr_dataset *d;
    char none[512];
    const char *const gone[2] = { none, NULL };
    strcpy(none, in_folder("none"));
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        const int classes = good[k].classes, first = good[k].rows[0], rows = first + good[k].rows[1];
        gtr_shape s;
        write_cifar("a", classes == 10 ? 10 : 100, first, 0);
        write_cifar("b", classes == 10 ? 10 : 100, good[k].rows[1], first);
        d = cifar_of(ctx, "a", "b", classes);
        EXPECT_OK(ctx);
        EXPECT_EQ(gtr_dataset_rows(d), rows);
        s = gtr_dataset_shape(d, 0);
        EXPECT(gtr_dataset_columns(d) == 2 && s.ndim == 3 && s.dim[0] == 3 && s.dim[1] == 32 && s.dim[2] == 32);
        EXPECT(d && !strcmp(d->column[0].name, "image") && !strcmp(d->column[1].name, "label")
            && gtr_dataset_dtype(d, 0) == GTR_U8 && gtr_dataset_dtype(d, 1) == GTR_U8);
        for (int r = 0; r < rows && d; r++) {
            const unsigned char *image = (const unsigned char *)gtr_dataset_row(d, 0, r);
            int same = *(const unsigned char *)gtr_dataset_row(d, 1, r) == (classes == 20 ? r % 100 / 5 : r % classes);
            for (int i = 0; i < 3072; i++) same &= image[i] == cifar_byte(r, i);
            if (!CHECK(same, "row %d of %d classes", r, classes)) break;
        }
        gtr_dataset_destroy(d);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        size_t n;
        unsigned char *bytes = cifar_bytes(bad[k].classes, bad[k].rows, 0, &n);
        bytes = (unsigned char *)realloc(bytes, n + 2);
        if (bad[k].byte) bytes[bad[k].at] = (unsigned char)bad[k].byte;
        put(in_folder("b"), bytes, n + (size_t)bad[k].change);
        free(bytes);
        write_cifar("a", bad[k].as == 10 ? 10 : 100, 3, 0);
        EXPECT(cifar_of(ctx, "a", "b", bad[k].as) == NULL);
        CHECK(strstr(gtr_error_text(ctx), "/b: "), "case %d: no file in '%s'", (int)k, gtr_error_text(ctx));
        if (!EXPECT_ERROR(ctx, GTR_ERR_FORMAT, bad[k].part)) printf("     in case %d\n", (int)k);
    }
    write_cifar("a", 10, 3, 0);
    put(in_folder("b"), "\x1f\x8b\x08", 3);
    EXPECT(cifar_of(ctx, "a", "b", 10) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "gunzip first");
    EXPECT(cifar_of(ctx, "a", "b", 11) == NULL && gtr_dataset_cifar(ctx, gone, 0, 10) == NULL
        && gtr_dataset_cifar(ctx, NULL, 1, 10) == NULL && gtr_dataset_cifar(NULL, gone, 1, 10) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "11 classes, want at least 1, and 10, 20 or 100");
    EXPECT(gtr_dataset_cifar(ctx, gone + 1, 1, 10) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "path 0 is NULL");
    EXPECT(gtr_dataset_cifar(ctx, gone, 1, 10) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_IO, strerror(ENOENT));
    for (int k = 0; k < 2; k++) {
        io.longer = k; io.shorter = !k;
        write_cifar("a", 10, 2, 0);
        EXPECT(cifar_of(ctx, "a", NULL, 10) == NULL);
        EXPECT_ERROR(ctx, GTR_ERR_IO, k ? "became longer" : "became shorter");
    }
    io.longer = 0;
    EXPECT(ctx->datasets == NULL);
    unlink(in_folder("a"));
    unlink(in_folder("b"));
    gtr_destroy(ctx);
}
static void put_text(const char *name, const char *text) { put(in_folder(name), text, strlen(text)); }
static const unsigned char *pixels(gtr_dataset *d, int64_t r) { return (const unsigned char *)gtr_dataset_row(d, 0,
    r); }
#define T(text) text, sizeof text - 1
/* A folder of classes whose names, files and forms differ, and each bad file's error. */
static void images(void)
{
    static const struct { const char *name, *text; size_t n; } good[] = {
        { "set/b/2.pgm", T("P5 2 2 255\n\0\x10\x20\xff") }, { "set/b/1.PNM", T("P2\n# a\n2 2 # b\n3\n0 1\n2 3 \n#") },
        { "set/b/3.ppm", T("P3 2 2 65535 0 0 0 65535 0 0 0 65535 0 0 0 65535") }, { "set/B c/x.pgm",
            T("P5\n2\n2\n256\n\0\0\1\0\0\x80\0\2") },
        { "set/a/z.ppm", T("P6#\n2 2\r1 \1\1\1\0\0\0\0\1\0\1\0\1") } };
    static const unsigned char want[5][12] = { { 0, 0, 0, 255, 255, 255, 128, 128, 128, 2, 2, 2 }, /* B c */
        { 255, 255, 255, 0, 0, 0, 0, 255, 0, 255, 0, 255 }, { 0, 0, 0, 85, 85, 85, 170, 170, 170, 255, 255, 255 },
        { 0, 0, 0, 16, 16, 16, 32, 32, 32, 255, 255, 255 }, { 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255 } };
    static const int labels[] = { 0, 1, 2, 2, 2 };
    static const struct { const char *bytes; size_t n; gtr_result error; const char *part; } bad[] = {
        { T(""), GTR_ERR_FORMAT, "0 bytes, too few" }, { T("P"), GTR_ERR_FORMAT, "1 bytes" },
        { T("\x1f\x8b\x08"), GTR_ERR_FORMAT, "gunzip" }, { T("P4 2 2 a"), GTR_ERR_FORMAT, "begins 50 34, which is no" },
        { T("GIF89a"), GTR_ERR_FORMAT, "begins 47 49" }, { T("P5 0 2 255 "), GTR_ERR_FORMAT, "width 0, height 2" },
        { T("P5 2 2 65536 abcd"), GTR_ERR_FORMAT, "largest value 65536" }, { T("P5 2 2 0 abcd"), GTR_ERR_FORMAT,
            "largest value 0" },
        { T("P5 2 -2 255 abcd"), GTR_ERR_FORMAT, "height 0" }, { T("P5 2 2 255 abc"), GTR_ERR_FORMAT,
            "3 bytes of pixels, want 4 of 2 x 2" },
        { T("P5 2 2 255 abcde"), GTR_ERR_FORMAT, "5 bytes of pixels" }, { T("P5 2 2 255"), GTR_ERR_FORMAT,
            "0 bytes of pixels" },
        { T("P5 2 2 300 abcd"), GTR_ERR_FORMAT, "4 bytes of pixels, want 8" }, { T("P6 2 2 255 abcd"), GTR_ERR_FORMAT,
            "want 12" },
        { T("P5 999999999 999999999 255 a"), GTR_ERR_FORMAT, "1 bytes of pixels, want 999999998000000001" },
        { T("P5 1000000000 1 255 a"), GTR_ERR_FORMAT, "width 100000000," }, { T("P5 2 2 3 abcd"), GTR_ERR_FORMAT,
            "sample 0 is 97, want 0 to 3" },
        { T("P2 2 2 3 1 2 3"), GTR_ERR_FORMAT, "sample 3 of 4 is no number" }, { T("P2 2 2 3 1 2 3 4"),
            GTR_ERR_FORMAT, "sample 3 is 4" },
        { T("P2 2 2 3 1 2 3 1 1"), GTR_ERR_FORMAT, "more than 4 samples" }, { T("P2 2 2 3 1 2 3 1x"), GTR_ERR_FORMAT,
            "more than 4" },
        { T("P2 99999 99999 3 1 2 3"), GTR_ERR_FORMAT, "99999 x 99999 pixels, want 2 x 2" },
        { T("P2 1 1 3 1"), GTR_ERR_FORMAT, "1 x 1 pixels, want 2 x 2 as the first" },
        { T("P3 2 2 3 1 1 1 1 1 1 1 1 1 1 1 1"), GTR_ERR_FORMAT, "3 channels, want 1 as the first" } };
    gtr_context *ctx = context(device);
    gtr_dataset *d, *half;
    mkdir(in_folder("set"), 0700);
    EXPECT(images_of(ctx, 0, 0, 0, 0) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "/set: no sub-folders");
    for (int k = 0; k < 4; k++) mkdir(in_folder(k == 0 ? "set/b" : k == 1 ? "set/a" : k == 2 ? "set/B c" : "set/.c"),
        0700);
    put_text("set/README", "no class");
    put_text("set/a/notes.txt", "no image");
    put_text("set/a/.hidden.pgm", "no image");
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) put(in_folder(good[k].name), good[k].text, good[k].n);
    d = images_of(ctx, 0, 0, 0, 3);
    EXPECT_OK(ctx);
    gtr_shape s = gtr_dataset_shape(d, 0);
    EXPECT(d && d->rows == 5 && s.ndim == 3 && s.dim[0] == 2 && s.dim[1] == 2 && s.dim[2] == 3
        && d->column[0].channels == 2);
    EXPECT(gtr_dataset_dtype(d, 0) == GTR_U8 && gtr_dataset_dtype(d, 1) == GTR_I32 && gtr_dataset_classes(d) == 3);
    EXPECT(d && !strcmp(gtr_dataset_class(d, 0), "B c") && !strcmp(gtr_dataset_class(d, 1), "a")
        && !strcmp(gtr_dataset_class(d, 2), "b") && !gtr_dataset_class(d, 3) && !gtr_dataset_class(d, -1));
    for (int r = 0; r < 5 && d; r++)
        CHECK(!memcmp(pixels(d, r), want[r], 12) && *(const int32_t *)gtr_dataset_row(d, 1, r) == labels[r],
            "image %d", r);
    half = gtr_dataset_split(d, 2);
    EXPECT(half && half->rows == 2 && gtr_dataset_classes(half) == 3 && !strcmp(gtr_dataset_class(half, 2), "b")
        && !memcmp(pixels(half, 1), want[3], 12) && half->column[0].channels == 2);
    gtr_dataset_destroy(d);
    d = images_of(ctx, 0, 0, 0, 1);
    EXPECT(d && pixels(d, 4)[1] == 76 && pixels(d, 4)[2] == 150 && pixels(d, 4)[3] == 29 && gtr_dataset_shape(d,
        0).dim[2] == 1);
    EXPECT(gtr_dataset_classes(NULL) == 0 && gtr_dataset_class(NULL, 0) == NULL);
    EXPECT(images_of(ctx, 0, 0, 0, 0) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "/set/a/z.ppm: 3 channels, want 1");
    static const int wrong[][4] = { { 2, 0, 0, 0 }, { -1, 2, 0, 0 }, { 2, 2, 1, 0 }, { 0, 0, 4, 0 }, { 2, 2, 0, 2 },
        { 2, 99999, 0, 0 } };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        EXPECT(images_of(ctx, wrong[k][0], wrong[k][1], wrong[k][2], wrong[k][3]) == NULL);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, "want both extents");
    }
    unlink(in_folder("set/b/1.PNM"));
    unlink(in_folder("set/a/z.ppm"));
    EXPECT(images_of(ctx, 0, 0, 0, 3) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "/set/a: no images (.pgm, .ppm, .pnm) of its class");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        put(in_folder("set/a/bad.pgm"), bad[k].bytes, bad[k].n);
        EXPECT(images_of(ctx, 0, 0, 0, 0) == NULL);
        CHECK(strstr(gtr_error_text(ctx), "/set/a/bad.pgm: "), "case %d: no file in '%s'", (int)k, gtr_error_text(ctx));
        if (!EXPECT_ERROR(ctx, bad[k].error, bad[k].part)) printf("     in case %d\n", (int)k);
    }
    put_text("set/a/bad.pgm", "P2 99999 99999 3 1 2 3");
    EXPECT(images_of(ctx, 2, 2, 0, 0) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "22 bytes, and 99999 x 99999 pixels");
    for (int k = 0; k < 2; k++) {
        put_text("set/a/bad.pgm", "P2 1 1 3 1");
        io.longer = k; io.shorter = !k;
        EXPECT(images_of(ctx, 2, 2, 0, 0) == NULL);
        EXPECT_ERROR(ctx, GTR_ERR_IO, k ? "became longer" : "became shorter");
    }
    io.longer = 0;
    unlink(in_folder("set/a/bad.pgm"));
    mkdir(in_folder("set/a/bad.pgm"), 0700);
    EXPECT(images_of(ctx, 2, 2, 0, 0) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_IO, "/set/a/bad.pgm: not a regular file");
    rmdir(in_folder("set/a/bad.pgm"));
    for (size_t k = 0; k < sizeof resized / sizeof *resized; k++) {         /* against PyTorch */
        const int n = resized[k].h * resized[k].w * resized[k].c, m = resized[k].oh * resized[k].ow * resized[k].c;
        unsigned char bytes[4096];
        const int head = sprintf((char *)bytes, "P%d %d %d 255\n", resized[k].c == 1 ? 5 : 6, resized[k].w,
            resized[k].h);
        int most = 0, differ = 0;
        for (int i = 0; i < n; i++) bytes[head + i] = (unsigned char)(i * 37 + i / 7 * 11);
        put(in_folder("set/a/x.pnm"), bytes, (size_t)(head + n));
        gtr_dataset_destroy(d);
        d = images_of(ctx, resized[k].oh, resized[k].ow, resized[k].side, resized[k].c);
        for (int i = 0; i < m && d; i++) {
            const int off = abs(pixels(d, 1)[i] - resized[k].want[i]);
            most = off > most ? off : most; differ += off != 0;
        }
        CHECK(d && most <= 1 && differ * 50 <= m, "resized %d: %d of %d differ, by %d (%s)", (int)k, differ, m, most,
            gtr_error_text(ctx));
    }
    static const char *const gone[] = { "set/a/x.pnm", "set/a/notes.txt", "set/a/.hidden.pgm", "set/b/2.pgm",
        "set/b/3.ppm",
        "set/B c/x.pgm", "set/README" };
    for (size_t k = 0; k < sizeof gone / sizeof *gone; k++) unlink(in_folder(gone[k]));
    static const char *const folders[] = { "set/a", "set/b", "set/B c", "set/.c", "set" };
    for (size_t k = 0; k < 5; k++) rmdir(in_folder(folders[k]));
    EXPECT(images_of(ctx, 0, 0, 0, 0) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_IO, "opening the folder failed");
    EXPECT(images_of(NULL, 2, 2, 0, 0) == NULL);
    gtr_destroy(ctx);
}
/* A folder of classes that cannot be read to its end is no folder of fewer. */
static void faults_of_folders(void)
{
    static const char *const files[] = { "set/a/1.pgm", "set/a/2.pgm", "set/b/3.pgm", "set/c/4.pgm" };
    gtr_context *ctx = context(device);
    int n, calls[2];
    for (int k = 0; k < 4; k++) mkdir(in_folder(k == 0 ? "set" : k == 1 ? "set/a" : k == 2 ? "set/b" : "set/c"), 0700);
    for (int k = 0; k < 4; k++) put_text(files[k], "P5 1 1 255\na");
    readdir_at = stat_at = 1000;
    gtr_dataset *d = images_of(ctx, 0, 0, 0, 0);
    EXPECT_OK(ctx);
    EXPECT(d && d->rows == 4 && gtr_dataset_classes(d) == 3);
    calls[0] = 1000 - readdir_at; calls[1] = 1000 - stat_at;
    EXPECT(calls[0] == 6 + 5 + 4 + 4 && calls[1] == 3); /* with . and .., and an end each */
    for (int kind = 0; kind < 2; kind++) for (int k = 1; k <= calls[kind]; k++) {
        readdir_at = kind ? 0 : k; stat_at = kind ? k : 0;
        CHECK(images_of(ctx, 0, 0, 0, 0) == NULL, "%s %d fails, and the folder is taken", kind ? "stat" : "readdir", k);
        EXPECT_ERROR(ctx, GTR_ERR_IO, kind ? "asking whether it is a folder failed: Permission denied"
            : "reading the folder failed: Input/output error");
    }
    readdir_at = stat_at = 0;
    EXPECT_EQ(symlink("nowhere", in_folder("set/aa")), 0); /* a class of a disk that is not there moves no labels */
    EXPECT(images_of(ctx, 0, 0, 0, 0) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_IO, "/set/aa: asking whether it is a folder failed: No such file");
    unlink(in_folder("set/aa"));
    EXPECT_EQ(symlink("b", in_folder("set/aa")), 0);
    d = images_of(ctx, 0, 0, 0, 0);
    EXPECT(d && d->rows == 5 && gtr_dataset_classes(d) == 4);
    EXPECT_OK(ctx);
    n = 0;
    unlink(in_folder("set/aa"));
    for (int k = 0; k < 4; k++) n += unlink(in_folder(files[k]));
    for (int k = 0; k < 4; k++) n += rmdir(in_folder(k == 3 ? "set" : k == 0 ? "set/a" : k == 1 ? "set/b" : "set/c"));
    EXPECT_EQ(n, 0);
    gtr_destroy(ctx);
}
/* Folders of validation have training's classes, whichever of them they lack, and its sizes where none are given. */
static void images_like(void)
{
    static const char *const files[] = { "set/a/1.pgm", "set/b/2.pgm", "set/c/3.pgm", "val/c/4.pgm", "val/c/5.pgm",
        "val/b/6.pgm", "val/d/7.pgm" }, *const folders[] = { "set", "set/a", "set/b", "set/c", "val", "val/a", "val/b",
        "val/c", "val/d" };
    gtr_context *ctx = context(device);
    gtr_images_desc g;
    gtr_trainer_desc how;
    gtr_fit_desc f;
    float loss;
    memset(&g, 0, sizeof g); memset(&how, 0, sizeof how); memset(&f, 0, sizeof f);
    for (int k = 0; k < 8; k++) mkdir(in_folder(folders[k]), 0700);
    for (int k = 0; k < 6; k++) put_text(files[k], "P5 2 1 255\nab");
    unlink(in_folder(files[5]));
    rmdir(in_folder("val/b")); /* val/a is empty, val/b not there */
    gtr_dataset *d = images_of(ctx, 0, 0, 0, 0), *held, *other;
    EXPECT(gtr_dataset_images(ctx, in_folder("val"), g) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "/val/a: no images (.pgm, .ppm, .pnm) of its class");
    g.like = d;
    held = gtr_dataset_images(ctx, in_folder("val"), g);
    EXPECT_OK(ctx);
    EXPECT(held && held->rows == 2 && gtr_dataset_classes(held) == 3 && !strcmp(gtr_dataset_class(held, 1), "b"));
    for (int r = 0; r < 2 && held; r++) EXPECT_EQ(*(const int32_t *)gtr_dataset_row(held, 1, r), 2);
    gtr_tensor *x = gtr_input(ctx, "image", GTR_F32, gtr_shape4(GTR_BATCH, 1, 1, 2));
    gtr_tensor *y = gtr_input(ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH));
    gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(gtr_linear(gtr_flatten(x), "fc", 3), y), how);
    f.silent = true; f.batch = 1; f.validation = held;
    EXPECT_EQ(gtr_fit(t, d, f), GTR_OK);
    EXPECT_EQ(gtr_evaluate(t, held, 2, NULL, &loss, NULL), GTR_OK);
    put_text(files[3], "P5 1 1 255\na");   /* sizes and channels, too */
    EXPECT(gtr_dataset_images(ctx, in_folder("val"), g) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "/val/c/4.pgm: 1 x 1 pixels, want 2 x 1 as .like has");
    put_text(files[3], "P6 2 1 255\nabcabc");
    other = gtr_dataset_images(ctx, in_folder("val"), g);
    EXPECT_OK(ctx);
    EXPECT(other && gtr_dataset_shape(other, 0).dim[2] == 1);
    g.height = 3; g.width = 4; g.channels = 3;
    other = gtr_dataset_images(ctx, in_folder("val"), g);
    EXPECT(other && gtr_dataset_shape(other, 0).dim[0] == 3 && gtr_dataset_shape(other, 0).dim[2] == 3);
    g.height = g.width = g.channels = 0;
    put_text(files[3], "P5 4 6 255\naaaabbbbccccddddeeeeffff"); /* as large as training's became, in its way */
    g.like = images_of(ctx, 2, 2, 3, 1);
    other = gtr_dataset_images(ctx, in_folder("val"), g);
    gtr_images_desc same = g;
    same.height = same.width = 2; same.resize = 3; same.channels = 1;
    gtr_dataset *want = gtr_dataset_images(ctx, in_folder("val"), same);
    EXPECT_OK(ctx);
    EXPECT(other && want && gtr_dataset_shape(other, 0).dim[0] == 2 && gtr_dataset_shape(other, 0).dim[1] == 2
        && !memcmp(gtr_dataset_row(other, 0, 0), gtr_dataset_row(want, 0, 0), 4));
    g.like = d;
    put_text(files[3], "P5 2 1 255\nab");
    mkdir(in_folder(folders[8]), 0700);
    put_text(files[6], "P5 2 1 255\nab");
    EXPECT(gtr_dataset_images(ctx, in_folder("val"), g) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "/val/d: no class of .like is called so");
    g.like = arrays(ctx, 4);
    EXPECT(gtr_dataset_images(ctx, in_folder("val"), g) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, ") has no classes");
    for (int k = 0; k < 7; k++) if (k != 5) unlink(in_folder(files[k]));
    rmdir(in_folder("val/c")); rmdir(in_folder("val/d"));
    g.like = d;
    EXPECT(gtr_dataset_images(ctx, in_folder("val"), g) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "/val: no images (.pgm, .ppm, .pnm) of any class");
    for (int k = 9; k-- > 0; ) rmdir(in_folder(folders[k]));
    EXPECT_EQ(files_in_folder(), 0);
    gtr_destroy(ctx);
}
/* What a decoder gives is as the same pixels of PGM and PPM files, whatever its channels; each bad result's error. */
static void images_decoded(void)
{
    static const char *const names[] = { "set/a/1.jpg", "set/a/2.PNG", "set/b/1.jpeg", "set/b/2.Bmp", "set/b/3.tga",
        "set/b/4.gif", "set/b/5.pgm", "pnm/a/1.pgm", "pnm/a/2.pgm", "pnm/b/1.ppm", "pnm/b/2.ppm", "pnm/b/3.ppm",
        "pnm/b/4.ppm", "pnm/b/5.pgm", "set/a/3.webp", "set/b/jpg", "set/b/x.jpgg", "set/b/.x.jpg" };
    static const char *const folders[] = { "set", "set/a", "set/b", "pnm", "pnm/a", "pnm/b" };
    static const int sizes[7][3] = { { 5, 4, 1 }, { 6, 7, 2 }, { 5, 4, 3 }, { 9, 3, 4 }, { 4, 5, 3 }, { 3, 3, 4 },
        { 4, 5, 1 } };
    static const struct { const char *text, *part; } bad[] = { { "none", "decode returned NULL: it reads no such" },
        { "0 2 1 x", "decode gave 0 x 2 pixels of 1 channels, want" }, { "2 -1 1 x", "2 x -1 pixels" },
        { "2 2 0 x", "0 channels" }, { "2 2 5 xxxxxxxxxxxxxxxxxxxx", "5 channels" }, { "2 2 -3 x", "-3 channels" },
        { "2147483647 2147483647 4 x", "2147483647 x 2147483647 pixels of 4" }, { "32768 32768 3 x", "at most 2^30" },
        { "3 2 1 xxxxxx", "3 x 2 pixels, want 2 x 1 as the first" }, { "2 1 4 xxxxxxxx", "3 channels, want 1 as" } };
    gtr_context *ctx = context(device);
    for (int k = 0; k < 6; k++) mkdir(in_folder(folders[k]), 0700);
    for (int k = 0; k < 7; k++) put_image(names[k], sizes[k][0], sizes[k][1], sizes[k][2], k == 6);
    for (int k = 0; k < 7; k++) put_image(names[7 + k], sizes[k][0], sizes[k][1], sizes[k][2] < 3 ? 1 : 3, true);
    for (int k = 14; k < 18; k++) put_text(names[k], "no image");
    for (int channels = 1; channels < 4; channels += 2) for (int resize = 0; resize < 5; resize += 4) {
        gtr_images_desc same = decoding(3, 4, resize, channels);
        decoded = 0;
        gtr_dataset *d = gtr_dataset_images(ctx, in_folder("set"), same), *want, *like, *none;
        EXPECT_OK(ctx);
        EXPECT(decoded == 6 && !held_pixels);
        memset(&same.decode, 0, sizeof same.decode); memset(&same.decode_free, 0, sizeof same.decode_free);
        want = gtr_dataset_images(ctx, in_folder("pnm"), same);
        EXPECT(d && want && d->rows == 7 && want->rows == 7);
        for (int r = 0; r < 7 && d && want; r++)
            CHECK(!memcmp(pixels(d, r), pixels(want, r), (size_t)(12 * channels)), "%s into %d channels", names[r],
                channels);
        memset(&same, 0, sizeof same);
        same.like = d; /* the decoder, too */
        like = gtr_dataset_images(ctx, in_folder("set"), same);
        EXPECT(d && like && like->rows == 7 && !memcmp(pixels(d, 0), pixels(like, 0), (size_t)(84 * channels)));
        same.height = same.width = 2;
        none = gtr_dataset_images(ctx, NULL, same);
        EXPECT(none && none->rows == 0 && gtr_dataset_classes(none) == 2 && none->images.decode == decode);
        while (ctx->datasets) gtr_dataset_destroy(ctx->datasets);
    }
    EXPECT_OK(ctx);
    for (int k = 0; k < 18; k++) if (k != 0) unlink(in_folder(names[k]));
    put_image(names[0], 2, 1, 1, false);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        put_text(names[2], bad[k].text);
        EXPECT(gtr_dataset_images(ctx, in_folder("set"), decoding(0, 0, 0, 0)) == NULL && !held_pixels);
        CHECK(strstr(gtr_error_text(ctx), "/set/b/1.jpeg: "), "case %d: no file in '%s'", (int)k, gtr_error_text(ctx));
        if (!EXPECT_ERROR(ctx, GTR_ERR_FORMAT, bad[k].part)) printf("     in case %d\n", (int)k);
    }
    put_image(names[0], 2, 1, 4, false); /* four channels are three of every file, then */
    put_image(names[2], 2, 1, 3, false);
    gtr_dataset *d = gtr_dataset_images(ctx, in_folder("set"), decoding(0, 0, 0, 0));
    EXPECT_OK(ctx);
    EXPECT(d && gtr_dataset_shape(d, 0).dim[2] == 3 && gtr_dataset_shape(d, 0).dim[1] == 2
        && !memcmp(pixels(d, 0), pixels(d, 1), 6));
    for (int k = 0; k < 2; k++) {
        gtr_images_desc half = decoding(2, 2, 0, 0);
        if (k) memset(&half.decode, 0, sizeof half.decode);
        else memset(&half.decode_free, 0, sizeof half.decode_free);
        EXPECT(gtr_dataset_images(ctx, in_folder("set"), half) == NULL);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, k ? ".decode_free is given, but not read: it is for a .decode"
            : ".decode is given, but not read: it is for use with a .decode_free");
    }
    put_text("set/a/4.ppm", "2 1 1 ab"); /* the library's own, whatever the decoder */
    EXPECT(gtr_dataset_images(ctx, in_folder("set"), decoding(2, 2, 0, 0)) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "4.ppm: begins 32 20, which is no PGM or PPM");
    unlink(in_folder("set/a/4.ppm"));
    unlink(in_folder(names[0])); unlink(in_folder(names[2]));
    for (int k = 6; k-- > 0; ) rmdir(in_folder(folders[k]));
    EXPECT_EQ(files_in_folder(), 0);
    gtr_destroy(ctx);
}
/* Where there are no images the error counts what there is. */
static void images_none(void)
{
    static const char *const files[] = { "set/a/1.jpg", "set/a/2.JPG", "set/a/3.png", "set/a/4.txt", "set/a/5",
        "set/b/1.pgm", "set/b/2.jpeg" }, *const folders[] = { "set", "set/a", "set/b" };
    gtr_context *ctx = context(device);
    gtr_images_desc like;
    for (int k = 0; k < 3; k++) mkdir(in_folder(folders[k]), 0700);
    for (int k = 0; k < 7; k++) put_text(files[k], "P5 1 1 255 a");
    EXPECT(images_of(ctx, 0, 0, 0, 0) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "/set/a: no images (.pgm, .ppm, .pnm) of its class; 2 .jpg, 1 .png, 2 others: "
        "give gtr_images_desc.decode (stb_image's stbi_load), or mogrify -format ppm");
    for (int k = 0; k < 3; k++) unlink(in_folder(files[k]));
    EXPECT(images_of(ctx, 0, 0, 0, 0) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "/set/a: no images (.pgm, .ppm, .pnm) of its class; 2 others");
    EXPECT(!strstr(gtr_error_text(ctx), "decode"));
    gtr_error_clear(ctx);
    EXPECT(gtr_dataset_images(ctx, in_folder("set"), decoding(0, 0, 0, 0)) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "/set/a: no images (.pgm, .ppm, .pnm, .decode's) of its class; 2 others");
    put_text(files[5], "P5 1 1 255 a");
    put_text("set/a/1.pgm", "P5 1 1 255 a");
    memset(&like, 0, sizeof like);
    like.like = images_of(ctx, 0, 0, 0, 0);
    EXPECT_OK(ctx);
    unlink(in_folder(files[5])); /* beside .like a class may be empty, but not unreadable */
    unlink(in_folder("set/a/1.pgm"));
    EXPECT(gtr_dataset_images(ctx, in_folder("set"), like) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "/set/b: no images (.pgm, .ppm, .pnm) of its class; 1 .jpeg: give gtr_images");
    unlink(in_folder(files[6]));
    put_text("set/b/x", "");
    EXPECT(gtr_dataset_images(ctx, in_folder("set"), like) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "/set: no images (.pgm, .ppm, .pnm) of any class; 3 others");
    unlink(in_folder("set/b/x")); unlink(in_folder(files[3])); unlink(in_folder(files[4]));
    for (int k = 3; k-- > 0; ) rmdir(in_folder(folders[k]));
    EXPECT_EQ(files_in_folder(), 0);
    gtr_destroy(ctx);
}
/* One image, of a file and of memory, is what a folder's becomes: by the folder's set, parts of it, one alike, and one
   without a folder. */
static void one_image(void)
{
    static const char *const files[] = { "set/a/1.jpg", "set/a/2.ppm", "set/b/1.pgm", "set/b/2.png" };
    static const int sizes[4][3] = { { 11, 8, 3 }, { 8, 8, 3 }, { 7, 12, 1 }, { 9, 9, 4 } };
    static const char *const folders[] = { "set", "set/a", "set/b" };
    gtr_context *ctx = context(device);
    gtr_images_desc alike, exact;
    gtr_augment_desc a;
    unsigned char bytes[4 * 12 * 12];
    float want[300], got[300];
    memset(&alike, 0, sizeof alike); memset(&exact, 0, sizeof exact); memset(&a, 0, sizeof a);
    for (int k = 0; k < 3; k++) mkdir(in_folder(folders[k]), 0700);
    for (int k = 0; k < 4; k++) put_image(files[k], sizes[k][0], sizes[k][1], sizes[k][2], k == 1 || k == 2);
    for (int way = 0; way < 12; way++) {
        const int channels = way % 2 ? 1 : 3, resize = way / 2 % 3 == 1 ? 9 : 0, crop = way / 2 % 3 ? 5 : 0;
        gtr_dataset *sets[6];
        char name[8];
        sprintf(name, "x%d", way);
        gtr_tensor *x = gtr_input(ctx, name, GTR_F32, way < 6 ? gtr_shape4(GTR_BATCH, channels, crop ? 5 : 6, 8)
            : gtr_shape4(GTR_BATCH, crop ? 5 : 6, 8, channels));
        const size_t floats = (size_t)(channels * (crop ? 5 : 6) * 8) * sizeof *got;
        gtr_images_desc d = decoding(6, 8, resize, channels);
        sets[0] = gtr_dataset_images(ctx, in_folder("set"), d);
        sets[1] = gtr_dataset_images(ctx, NULL, d);
        alike.like = sets[0];
        sets[2] = gtr_dataset_images(ctx, in_folder("set"), alike);
        a.height = crop; a.mean[0] = 0.25f; a.std[0] = 0.5f; a.flip = 0.5f;
        a.mean[1] = a.mean[2] = channels == 3 ? GTR_ZERO : 0;
        a.std[1] = channels == 3 ? 0.125f : 0; a.std[2] = channels == 3;
        for (int k = 0; k < 3; k++) EXPECT_EQ(gtr_dataset_augment(sets[k], 0, a), GTR_OK);
        sets[3] = gtr_dataset_concat(ctx, (gtr_dataset *const[]) { sets[0], sets[2] }, 2);
        sets[4] = gtr_dataset_split(sets[2], 2);
        EXPECT(sets[3] && sets[3]->rows == 8 && sets[1] && sets[1]->rows == 0);
        sets[5] = sets[2];
        for (int r = 0; r < 4 && sets[0]; r++) {
            EXPECT_EQ(gtr_dataset_convert(sets[0], 0, x, pixels(sets[0], r), 1, want), GTR_OK);
            for (int i = 0; i < sizes[r][0] * sizes[r][1] * sizes[r][2]; i++)
                bytes[i] = pixel(i, sizes[r][2], sizes[r][2] < 3 ? 1 : 3);
            for (int k = 0; k < 12; k++) {
                gtr_dataset *like = sets[k % 6];
                memset(got, 0xff, sizeof got);
                EXPECT_EQ(k < 6 ? gtr_image_load(like, in_folder(files[r]), x, got) : gtr_image_convert(like, bytes,
                    sizes[r][1], sizes[r][0], sizes[r][2], x, got), GTR_OK);
                CHECK(!memcmp(want, got, floats), "way %d, %s by set %d is not the folder's", way, files[r], k);
            }
        }
        EXPECT(!held_pixels);
        EXPECT_OK(ctx);
        while (ctx->datasets) gtr_dataset_destroy(ctx->datasets);
    }
    gtr_tensor *x = gtr_input(ctx, "image", GTR_F32, gtr_shape4(GTR_BATCH, 3, 8, 8)), *y = gtr_relu(x);
    gtr_dataset *rgb = gtr_dataset_images(ctx, NULL, decoding(8, 8, 0, 0)), *plain, *odd = arrays(ctx, 4);
    EXPECT(rgb && gtr_dataset_shape(rgb, 0).dim[2] == 3 && !gtr_dataset_classes(rgb));
    EXPECT_EQ(gtr_image_load(rgb, in_folder(files[2]), x, got), GTR_OK); /* grey becomes colour */
    EXPECT(got[0] == got[64] && got[64] == got[128]);
    alike.like = NULL; alike.height = alike.width = 8;
    plain = gtr_dataset_images(ctx, NULL, alike);
    for (size_t i = 0; i < sizeof got / sizeof *got; i++) got[i] = -7;
#define REFUSED(call, code, part) do { EXPECT_EQ(call, code); EXPECT_ERROR(ctx, code, part); } while (0)
    REFUSED(gtr_image_load(rgb, NULL, x, got), GTR_ERR_ARG, "gtr_image_load: the path is NULL");
    REFUSED(gtr_image_load(rgb, in_folder("set/none.jpg"), x, got), GTR_ERR_IO,
        "/set/none.jpg: opening failed: No such");
    REFUSED(gtr_image_load(rgb, in_folder("set"), x, got), GTR_ERR_IO, "/set: not a regular file but a folder");
    REFUSED(gtr_image_load(plain, in_folder(files[0]), x, got), GTR_ERR_FORMAT, "1.jpg: begins 31 31, which is no PGM "
        "or PPM file (P2, P3, P5, P6); others want gtr_images_desc.decode");
    REFUSED(gtr_image_load(rgb, in_folder(files[0]), NULL, got), GTR_ERR_ARG, "gtr_image_load of gtr_dataset_images "
        "without a folder: column 0 of 2, 1 rows, no input");
    REFUSED(gtr_image_load(rgb, in_folder(files[0]), y, got), GTR_ERR_ARG, "no input of this context");
    REFUSED(gtr_image_load(rgb, in_folder(files[0]), x, NULL), GTR_ERR_ARG, "rows or out are NULL");
    REFUSED(gtr_image_load(odd, in_folder(files[0]), x, got), GTR_ERR_ARG, "gtr_image_load: gtr_dataset_arrays has no "
        "images, want one of gtr_dataset_images");
    REFUSED(gtr_image_load(rgb, in_folder(files[0]), gtr_input(ctx, "i", GTR_F32, gtr_shape4(GTR_BATCH, 3, 8, 9)), got),
        GTR_ERR_SHAPE, "rows (8, 8, 3) uint8, does not go into input \"i\" (N, 3, 8, 9)");
    REFUSED(gtr_image_convert(rgb, NULL, 8, 8, 3, x, got), GTR_ERR_ARG, "gtr_image_convert: bytes are NULL");
    REFUSED(gtr_image_convert(rgb, bytes, 0, 8, 3, x, got), GTR_ERR_ARG, "8 x 0 pixels of 3 channels, want extents");
    REFUSED(gtr_image_convert(rgb, bytes, 8, -8, 3, x, got), GTR_ERR_ARG, "-8 x 8");
    REFUSED(gtr_image_convert(rgb, bytes, 8, 8, 0, x, got), GTR_ERR_ARG, "of 0 channels");
    REFUSED(gtr_image_convert(rgb, bytes, 8, 8, 5, x, got), GTR_ERR_ARG, "of 5 channels");
    REFUSED(gtr_image_convert(rgb, bytes, 1 << 15, 1 << 15, 2, x, got), GTR_ERR_ARG, "at most 2^30 bytes");
    REFUSED(gtr_image_convert(odd, bytes, 8, 8, 3, x, got), GTR_ERR_ARG,
        "gtr_image_convert: gtr_dataset_arrays has no");
    REFUSED(gtr_image_load(NULL, "x", x, got), GTR_ERR_ARG, "gtr_image_load: the data set is NULL");
    REFUSED(gtr_image_convert(NULL, bytes, 8, 8, 3, x, got), GTR_ERR_ARG, "gtr_image_convert: the data set is NULL");
    EXPECT(gtr_image_load(NULL, "x", NULL, got) == GTR_ERR_ARG);
    put_image("set/b/3.pgm", 5, 4, 1, true); /* a folder whose files keep their size */
    for (int k = 0; k < 4; k++) unlink(in_folder(files[k]));
    put_image("set/a/3.pgm", 5, 4, 1, true);
    exact = decoding(0, 0, 0, 0);
    gtr_dataset *kept = gtr_dataset_images(ctx, in_folder("set"), exact);
    gtr_tensor *flat = gtr_input(ctx, "flat", GTR_F32, gtr_shape2(GTR_BATCH, 20));
    EXPECT_EQ(gtr_dataset_convert(kept, 0, flat, pixels(kept, 0), 1, want), GTR_OK);
    EXPECT_EQ(gtr_image_load(kept, in_folder("set/a/3.pgm"), flat, got), GTR_OK);
    EXPECT(!memcmp(want, got, 20 * sizeof *got));
    put_image("set/a/3.jpg", 4, 5, 3, false);
    for (size_t i = 0; i < sizeof got / sizeof *got; i++) got[i] = -7;
    REFUSED(gtr_image_load(kept, in_folder("set/a/3.jpg"), flat, got), GTR_ERR_FORMAT,
        "3.jpg: 4 x 5 pixels, want 5 x 4");
    REFUSED(gtr_image_convert(kept, bytes, 5, 4, 1, flat, got), GTR_ERR_SHAPE, "gtr_image_convert: 4 x 5 pixels, want");
    for (size_t i = 0; i < sizeof got / sizeof *got; i++) if (!EXPECT(got[i] == -7)) break;
    put_image("set/a/3.jpg", 5, 4, 4, false); /* of other channels they become the set's */
    EXPECT_EQ(gtr_image_load(kept, in_folder("set/a/3.jpg"), flat, got), GTR_OK);
    EXPECT(!held_pixels);
    gtr_arrays_desc rows;
    memset(&rows, 0, sizeof rows);
    rows.rows = 1; rows.column[0].data = bytes; rows.column[0].dtype = GTR_U8; rows.column[0].channels_last = true;
    rows.column[0].shape = gtr_shape3(4, 5, 3); /* any images with channels last, of their own size */
    gtr_dataset *own = gtr_dataset_arrays(ctx, rows);
    gtr_tensor *chw = gtr_input(ctx, "chw", GTR_F32, gtr_shape4(GTR_BATCH, 3, 4, 5));
    EXPECT_EQ(gtr_dataset_convert(own, 0, chw, bytes, 1, want), GTR_OK);
    EXPECT_EQ(gtr_image_convert(own, bytes, 4, 5, 3, chw, got), GTR_OK);
    EXPECT(!memcmp(want, got, 60 * sizeof *got));
    REFUSED(gtr_image_convert(own, bytes, 5, 4, 3, chw, got), GTR_ERR_SHAPE, "4 x 5 pixels, want 5 x 4");
    EXPECT_OK(ctx);
    unlink(in_folder("set/a/3.jpg")); unlink(in_folder("set/a/3.pgm")); unlink(in_folder("set/b/3.pgm"));
    for (int k = 3; k-- > 0; ) rmdir(in_folder(folders[k]));
    EXPECT_EQ(files_in_folder(), 0);
    gtr_destroy(ctx);
}
/* A set without rows says how images are taken, and feeds nothing. */
static void no_rows(void)
{
    gtr_context *ctx = context(device);
    gtr_images_desc d = decoding(2, 2, 0, 1), bad = d;
    gtr_metrics_desc m;
    gtr_fit_desc f;
    gtr_windows_desc windows;
    gtr_trainer_desc how;
    float loss;
    memset(&m, 0, sizeof m); memset(&f, 0, sizeof f); memset(&windows, 0, sizeof windows); memset(&how, 0, sizeof how);
    gtr_dataset *none = gtr_dataset_images(ctx, NULL, d), *two[2] = { none, none }, *all;
    gtr_tensor *x = gtr_input(ctx, "image", GTR_F32, gtr_shape4(GTR_BATCH, 1, 2, 2));
    gtr_tensor *y = gtr_input(ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH));
    gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(gtr_linear(gtr_flatten(x), "fc", 3), y), how);
    EXPECT_OK(ctx);
    f.silent = true; windows.history = 1;
    REFUSED(gtr_trainer_data(t, none, 1, true, false), GTR_ERR_ARG, "0 rows");
    REFUSED(gtr_fit(t, none, f), GTR_ERR_ARG, "0 rows");
    REFUSED(gtr_evaluate(t, none, 1, NULL, &loss, NULL), GTR_ERR_ARG, "0 rows");
    REFUSED(gtr_evaluate_metrics(t, none, m, NULL), GTR_ERR_ARG, "0 rows");
    gtr_dataset *made[] = { gtr_dataset_split(none, 2), gtr_dataset_split_random(none, 0.5f, 1, -1),
        gtr_dataset_split_random(none, 0.5f, 1, 1), gtr_dataset_split_last(none, 0.5f, -1),
        gtr_dataset_split_last(none, 0.5f, 1), gtr_dataset_subset(none, (const int64_t[]) { 0 }, 1),
        gtr_dataset_sample(none, NULL, -1, 1, 1), gtr_dataset_sample(none, NULL, 1, 1, 1),
        gtr_dataset_windows(none, windows) };
    for (size_t k = 0; k < sizeof made / sizeof *made; k++) CHECK(!made[k], "part %d of no rows", (int)k);
    EXPECT(gtr_error(ctx) == GTR_ERR_ARG);
    gtr_error_clear(ctx);
    EXPECT(gtr_standardise(gtr_input(ctx, "s", GTR_F32, gtr_shape2(GTR_BATCH, 4)), "norm", none, 0) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "gtr_dataset_images without a folder");
    EXPECT(gtr_dataset_row(none, 0, 0) == NULL && gtr_dataset_class(none, 0) == NULL);
    REFUSED(gtr_dataset_note(none, 1), GTR_ERR_ARG, "column 1 has no name, or none of its ids");
    EXPECT_EQ(gtr_dataset_stream(none, GTR_STREAM_ALWAYS), GTR_OK);
    all = gtr_dataset_concat(ctx, two, 2);
    EXPECT(all && all->rows == 0);
    EXPECT_EQ(gtr_dataset_append(all, (const void *const[]) { "abcd", (const int32_t[]) { 2 } }, 1), GTR_OK);
    EXPECT(all && all->rows == 1 && !memcmp(pixels(all, 0), "abcd", 4));
    EXPECT_OK(ctx);
    bad.height = bad.width = 0;
    EXPECT(gtr_dataset_images(ctx, NULL, bad) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "folder NULL, want one, or both of .height and .width");
    bad.like = none;
    EXPECT(gtr_dataset_images(ctx, in_folder("set"), bad) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "(gtr_dataset_images without a folder) has no classes");
    gtr_destroy(ctx);
}
#undef REFUSED
/* What stands in front of all names of a file, as DataParallel's of PyTorch, is named, with the cures. */
static void names_in_front(void)
{
    static const struct { const char *scope; bool all, hint; } cases[] = { { "module", true, true },
        { "_orig_mod.module", true, true }, { "module", false, false }, { "mod\"ule", true, true } };
    for (int k = 0; k < 4; k++) {
        gtr_context *of = context(device), *as = context(device);
        gtr_init init;
        char want[400];
        memset(&init, 0, sizeof init);
        gtr_scope_begin(of, cases[k].scope);
        gtr_parameter(of, "fc.weight", gtr_shape2(2, 3), init); gtr_parameter(of, "fc.bias", gtr_shape1(2), init);
        gtr_scope_end(of);
        gtr_parameter(as, "fc.weight", gtr_shape2(2, 3), init); gtr_parameter(as, "fc.bias", gtr_shape1(2), init);
        if (!cases[k].all) gtr_parameter(of, "a", gtr_shape1(1), init);
        EXPECT_EQ(gtr_save(of, in_folder("m")), GTR_OK);
        EXPECT_EQ(gtr_load(as, in_folder("m")), GTR_ERR_SHAPE);
        snprintf(want, sizeof want, "; all names there begin with \"%s.\", which gtr_load_ex takes off as .strip",
            cases[k].scope);
        CHECK(k == 3 || !strstr(gtr_error_text(as), "all names") == !cases[k].hint, "%s", gtr_error_text(as));
        EXPECT_ERROR(as, GTR_ERR_SHAPE, k < 3 && cases[k].hint ? want : "of the model is missing in the file (which ");
        gtr_load_desc strip;
        memset(&strip, 0, sizeof strip);
        snprintf(want, sizeof want, "%s.", cases[k].scope);
        strip.strip = want; strip.names = "fc.*";
        EXPECT_EQ(gtr_load_ex(as, in_folder("m"), strip), GTR_OK);
        gtr_destroy(as);
        as = context(device);
        gtr_scope_begin(as, cases[k].scope);
        gtr_parameter(as, "fc.weight", gtr_shape2(2, 3), init); gtr_parameter(as, "fc.bias", gtr_shape1(2), init);
        gtr_scope_end(as);
        if (!cases[k].all) gtr_parameter(as, "a", gtr_shape1(1), init);
        EXPECT_EQ(gtr_load(as, in_folder("m")), GTR_OK);
        unlink(in_folder("m"));
        gtr_destroy(of);
        gtr_destroy(as);
    }
}
static gtr_dataset *csv_of(gtr_context *ctx, const char *text, size_t n, gtr_csv_desc desc)
{
    put(in_folder("t.csv"), text, n);
    return gtr_dataset_csv(ctx, in_folder("t.csv"), desc);
}
static gtr_csv_desc csv_desc(int label, bool header, char separator, bool regression, float scale)
{
    gtr_csv_desc d;
    memset(&d, 0, sizeof d);
    /* here: from 0, -1 the last, -2 none */
    d.label_column = label == -2 ? -1 : label == -1 ? 0 : label == -3 ? -2 : label + 1;
    d.header = header; d.separator = separator; d.regression = regression; d.scale = scale;
    return d;
}
static gtr_float csv_at(const gtr_dataset *d, int column, int64_t row, int64_t k)
{
    gtr_float v = -777;
    const char *p = (const char *)gtr_dataset_row(d, column, row);
    if (p) memcpy(&v, p + (size_t)k * sizeof v, sizeof v);
    return v;
}
static int csv_label(const gtr_dataset *d, int64_t row)
{
    int32_t v = -777;
    const void *p = gtr_dataset_row(d, 1, row);
    if (p) memcpy(&v, p, sizeof v);
    return v;
}
static void csv_good(void)
{
    static const char *const texts[] = { "1,2.5,0\n-3,4e1,2\n", "1,2.5,0\r\n-3,4e1,2\r\n", "1,2.5,0\n-3,4e1,2",
        ("\xef\xbb\xbf" "1,2.5,0\n-3,4e1,2\n\n\n"), " 1 ,\t2.5, 0 \n-3,4e1,2.0 \n  \n",
                                         "+1.,25e-1,0.0\n-3.0,.4E+2,20e-1\n",
                                         "00001,2.50000000000000000000000000000000,-0\n-0.0000003e7,40,2\r\n" };
    gtr_context *ctx = context(GTR_DEVICE_CPU);
    gtr_dataset *d;
    size_t k;
    for (k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        d = csv_of(ctx, texts[k], strlen(texts[k]), csv_desc(-1, false, 0, false, 0));
        EXPECT_OK(ctx);
        EXPECT_EQ(gtr_dataset_rows(d), 2);
        EXPECT_EQ(gtr_dataset_columns(d), 2);
        EXPECT(gtr_dataset_shape(d, 0).ndim == 1 && gtr_dataset_shape(d, 0).dim[0] == 2
            && gtr_dataset_shape(d, 1).ndim == 0);
        EXPECT(gtr_dataset_dtype(d, 0) == GTR_F32 && gtr_dataset_dtype(d, 1) == GTR_I32);
        CHECK(csv_at(d, 0, 0, 0) == 1 && csv_at(d, 0, 0, 1) == (gtr_float)2.5 && csv_at(d, 0, 1, 0) == -3
            && csv_at(d, 0, 1, 1) == 40, "text %d: wrong features", (int)k);
        CHECK(csv_label(d, 0) == 0 && csv_label(d, 1) == 2, "text %d: wrong labels", (int)k);
        EXPECT(range_is(d, 1, 0, 2));
        gtr_dataset_destroy(d);
    }
    /* a zero descriptor's label is column 0 */
    d = csv_of(ctx, "y,a,b\n3,1,2\n4,5,6\n", 18, csv_desc(0, true, 0, false, 2));
    EXPECT(csv_label(d, 0) == 3 && csv_label(d, 1) == 4 && csv_at(d, 0, 0, 0) == 2 && csv_at(d, 0, 1, 1) == 12);
    d = csv_of(ctx, "1;2;3\n4;5;6\n", 12, csv_desc(1, false, ';', false, 0));
    EXPECT(csv_label(d, 0) == 2 && csv_at(d, 0, 0, 1) == 3 && csv_at(d, 0, 1, 0) == 4);
    /* the scale is not the label's */
    d = csv_of(ctx, "1\t2\t3.5\n4\t5\t6.5\n", 16, csv_desc(-1, false, '\t', true, 10));
    EXPECT(gtr_dataset_dtype(d, 1) == GTR_F32 && csv_at(d, 1, 0, 0) == (gtr_float)3.5 && csv_at(d, 0, 1, 1) == 50);
    d = csv_of(ctx, "1 2\n3 4\n", 8, csv_desc(-2, false, ' ', false, 0));
    EXPECT(gtr_dataset_columns(d) == 1 && csv_at(d, 0, 1, 1) == 4);
    d = csv_of(ctx, "7\n8\n", 4, csv_desc(-2, false, 0, false, 0));
    EXPECT(gtr_dataset_rows(d) == 2 && gtr_dataset_columns(d) == 1 && csv_at(d, 0, 1, 0) == 8);
    d = csv_of(ctx, "1,2147483647\n1,16777217", 23, csv_desc(-1, false, 0, false, 0));
    EXPECT(csv_label(d, 0) == 2147483647 && csv_label(d, 1) == 16777217);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);       /* with its data sets */
    unlink(in_folder("t.csv"));
}
static void csv_bad(void)
{
    static const struct { const char *text; int label; gtr_result want; const char *part; } cases[] = {
        { "", -1, GTR_ERR_ARG, "0 rows" },
        { "\n\n", -1, GTR_ERR_ARG, "0 rows" },
        { "\xef\xbb\xbf", -1, GTR_ERR_ARG, "0 rows" },
        { "1,2,3\n4,5\n", -1, GTR_ERR_FORMAT, "line 2 has 2 columns, want 3" },
        { "1,2,3\n4,5,6,7\n", -1, GTR_ERR_FORMAT, "line 2 has 4 columns, want 3" },
        { "1,2,3\n4\n5\n6\n", -1, GTR_ERR_FORMAT, "line 2 has 1 columns" },
        { "1,2,3,4,5,6,7,8,9,10\n1\n1\n1\n1\n1\n1\n1\n1\n", -1, GTR_ERR_FORMAT, "line 2 has 1 columns" },
        { "1,2,3\n\n4,5\n", -1, GTR_ERR_FORMAT, "line 3 has 2 columns" },
        { "\n1,x,2\n", -1, GTR_ERR_FORMAT, "line 2, column 2" },
        { " \r\n1,x,2\n", -1, GTR_ERR_FORMAT, "line 2, column 2" },
        { "1,2,3\n4,,6\n", -1, GTR_ERR_FORMAT, "line 2, column 2 (counted from 1): a blank field" },
        { "1,2,3\n4,5,\n", -1, GTR_ERR_FORMAT, "line 2, column 3 (counted from 1): a blank field" },
        { "1,2,3\n4,x,6\n", -1, GTR_ERR_FORMAT, "line 2, column 2 (counted from 1): got 'x', want a number" },
        { "a,b,c\n1,2,3\n", -1, GTR_ERR_FORMAT, "set .header" },
        { "1,2,3\n4,\"5,6\n", -1, GTR_ERR_FORMAT, "a quote that nothing closes" },
        { "1,2,3\n4,inf,6\n", -1, GTR_ERR_FORMAT, "got 'inf'" },
        { "1,2,3\n4,-nan,6\n", -1, GTR_ERR_FORMAT, "got '-nan'" },
        { "1,2,3\n4,NaN,6\n", -1, GTR_ERR_FORMAT, "got 'NaN'" },
        { "1,2,3\n4,1e999,6\n", -1, GTR_ERR_FORMAT, "range of float32" },
        { "1,2,3\n4,0x10,6\n", -1, GTR_ERR_FORMAT, "got '0x10'" },
        { "1,2,3\n4,1e,6\n", -1, GTR_ERR_FORMAT, "got '1e'" },
        { "1,2,3\n4,1e+,6\n", -1, GTR_ERR_FORMAT, "got '1e+'" },
        { "1,2,3\n4,.,6\n", -1, GTR_ERR_FORMAT, "got '.'" },
        { "1,2,3\n4,-,6\n", -1, GTR_ERR_FORMAT, "got '-'" },
        { "1,2,3\n4,+-5,6\n", -1, GTR_ERR_FORMAT, "got '+-5'" },
        { "1,2,3\n4,5 5,6\n", -1, GTR_ERR_FORMAT, "got '5 5'" },
        { "1,2,3\n4,1.2.3,6\n", -1, GTR_ERR_FORMAT, "got '1.2.3'" },
        { "1,2,3\n4,5,-1\n", -1, GTR_ERR_FORMAT, "got '-1', want a class" },
        { "1,2,3\n4,5,1.5\n", -1, GTR_ERR_FORMAT,
            "got '1.5', want a class: a whole number from 0 to 2147483647; any with .regression" },
        { "1,2,3\n4,5,1e-1\n", -1, GTR_ERR_FORMAT, "want a class" },
        { "1,2,3\n4,5,2147483648\n", -1, GTR_ERR_FORMAT, "want a class" },
        { "1,2,3\n4,5,1e300\n", -1, GTR_ERR_FORMAT, "want a class" },
        { "1,2,3\n4,5,0.00000000000000000000000000001\n", -1, GTR_ERR_FORMAT, "want a class" },
        { "1,2,3\n4,5,cat\n", -1, GTR_ERR_FORMAT, "got 'cat', want a class" },
        { "1,2,3\n4,5,6\n", 3, GTR_ERR_ARG, "label_column is 4, but line 1 has 3 columns" },
        { "1,2,3\n4,5,6\n", -3, GTR_ERR_ARG, "label_column is -2" },
        { "1;2;3\n4;5;6\n", -1, GTR_ERR_ARG, "its only column" },
        { "1,2\r3,4\r", -1, GTR_ERR_FORMAT, "line 1" },
        { "1,2,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", -2, GTR_ERR_FORMAT, "aaa...'" },
        { "\x1f\x8b\x08" "1,2", -1, GTR_ERR_FORMAT, "gunzip first" } };
    gtr_context *ctx = context(GTR_DEVICE_CPU);
    char big[4096];
    size_t k;
    for (k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        EXPECT(csv_of(ctx, cases[k].text, strlen(cases[k].text), csv_desc(cases[k].label, false, 0, false, 0)) == NULL);
        CHECK(strstr(gtr_error_text(ctx), "/t.csv"), "case %d: no file in '%s'", (int)k, gtr_error_text(ctx));
        if (!EXPECT_ERROR(ctx, cases[k].want, cases[k].part)) printf("     in case %d\n", (int)k);
    }
    EXPECT(csv_of(ctx, "1,\0002,3\n", 8, csv_desc(-1, false, 0, false, 0)) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "line 1, column 2");
    EXPECT(csv_of(ctx, "1,2\0", 4, csv_desc(-1, false, 0, false, 0)) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "line 1, column 2");
    EXPECT(csv_of(ctx, "h,h\n", 4, csv_desc(-1, true, 0, false, 0)) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "0 rows");
    EXPECT(csv_of(ctx, "h,h", 3, csv_desc(-1, true, 0, false, 0)) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "0 rows");
    EXPECT(csv_of(ctx, "h,h,h\n1,2,3\n1,2\n", 16, csv_desc(-1, true, 0, false, 0)) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "line 3 has 2 columns, want 3 as line 2 has");
    EXPECT(csv_of(ctx, "3e38,1\n", 7, csv_desc(-1, false, 0, false, 1e30f)) == NULL || sizeof(gtr_float) == 8);
    gtr_error_clear(ctx);
    EXPECT(csv_of(ctx, "1,2\n", 4, csv_desc(-1, false, 0, false, (float)NAN)) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "scale");
    EXPECT(csv_of(ctx, "1,2\n", 4, csv_desc(-2, false, 0, true, 0)) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "regression");
    for (k = 0; k < 9; k++) {
        EXPECT(csv_of(ctx, "1,2\n", 4, csv_desc(-1, false, "0.-+eE\n\r\""[k], false, 0)) == NULL);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, "separator");
    }
    memset(big, '1', sizeof big);       /* numbers of thousands of digits */
    big[sizeof big - 1] = '\n';
    EXPECT(csv_of(ctx, big, sizeof big, csv_desc(-2, false, 0, false, 0)) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "range of float32");
    big[1] = '.';
    EXPECT(csv_of(ctx, big, sizeof big, csv_desc(-2, false, 0, false, 0)) != NULL);
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_csv(ctx, NULL, csv_desc(-1, false, 0, false, 0)) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "NULL");
    EXPECT(gtr_dataset_csv(ctx, folder, csv_desc(-1, false, 0, false, 0)) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_IO, "a folder");
    EXPECT(gtr_dataset_csv(NULL, "x", csv_desc(-1, false, 0, false, 0)) == NULL);
    unlink(in_folder("t.csv"));
    gtr_destroy(ctx);
}
/* The CSV reader's numbers are strtof's, to the last bit. */
static long long numbers_checked;
static void number(const char *text)
{
    gtr__decimal n;
    const char *end = gtr__decimal_read(text, '.', &n);
    char *want_end;
#ifdef GPUTRAIN_DOUBLE
    double want = strtod(text, &want_end), got = end ? gtr__decimal_value(&n) : 0;
#else
    float want = strtof(text, &want_end), got = end ? gtr__decimal_value(&n) : 0;
#endif
    numbers_checked++;
    if (!end || *end || memcmp(&got, &want, sizeof got))
        CHECK(0, "%s: got %.17g, want %.17g", text, (double)got, (double)want);
}
static void numbers(void)
{
    const int rounds = small ? 2000 : 100000;
    char text[512], digits[256];
    int i, k;
    for (i = 0; i < rounds; i++) {
        uint32_t bits = draw(), next;
        float f, g;
        memcpy(&f, &bits, 4);
        if (!(fabsf(f) <= 3.4e38f)) continue;
        sprintf(text, "%.9g", (double)f); number(text);
        sprintf(text, "%.18e", (double)f); number(text);
        sprintf(text, "%.4f", (double)f / 1e30); number(text);
        sprintf(text, "%d.%06u", (int)(below(2000) - 1000), below(1000000)); number(text);
        sprintf(text, "%u%09u%09ue%d", below(1000000), below(1000000000), below(1000000000), (int)below(120) - 60);
        number(text);
        next = bits + 1;                /* the middle of two floats, and a little to either side */
        memcpy(&g, &next, 4);
        if (i % 10 == 0 && fabsf(g) <= 3.4e38f && fabsf(f) > 1e-30f) {
            sprintf(text, "%.120e", ((double)f + (double)g) / 2); number(text);
            k = (int)strlen(text);
            digits[0] = 0;
            for (k = 0; text[k] && text[k] != 'e'; k++) {}
            snprintf(digits, sizeof digits, "%.200s", text + k);
            sprintf(text + k, "1%s", digits); number(text);
            text[k - 1] = '1'; number(text);
            sprintf(text + k, "%0*d1%s", 100, 0, digits); number(text);
        }
    }
    number("0"); number("-0"); number("0e999999999999999999999"); number("1e-999999999999"); number("1e999999999999");
    number("-1e99"); number("3.4028235e38");
    number("3.4028235677973366e38"); number("3.4028235677973367e38"); number("1.401298464324817e-45");
    number("7.006492321624085e-46"); number("7.006492321624086e-46");
    number("1.17549435e-38"); number("1.17549421e-38"); number("16777217"); number("16777219");
    number("9007199254740993"); number("18446744073709551615"); number("9999999999999999999999");
    number("0.000000000000000000000000000000000000000000000000000000000000001e60"); number("5."); number(".5");
    number("5.e2"); number("+5");
    memset(digits, '0', 200);
    digits[0] = '1';
    sprintf(digits + 200, "e-200");
    number(digits);
    strcpy(text, "0.500000029802322387695312");  /* a middle, decided by the 1000th digit */
    {
        char far_away[1100];
        sprintf(far_away, "%s5%0*d1", text, 1000, 0);
        number(far_away);
        sprintf(far_away, "%s5%0*d0", text, 1000, 0);
        number(far_away);
    }
    CHECK(numbers_checked > rounds, "%lld numbers", numbers_checked);
}
/* A locale of one's own, of numbers alone, as glibc reads it from LOCPATH: a header with the places of decimal point,
   thousands' separator, grouping, the first two as wide characters and the code set. */
static bool comma_locale(void)
{
    const uint32_t head[8] = { 0x20031115u ^ LC_NUMERIC, 6, 32, 34, 35, 36, 40, 44 }, wide[2] = { ',', 0 };
    unsigned char bytes[50];
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, head, sizeof head);
    bytes[32] = ',';
    memcpy(bytes + 36, wide, sizeof wide);
    memcpy(bytes + 44, "UTF-8", 6);
    mkdir(in_folder("locales"), 0755);
    mkdir(in_folder("locales/comma"), 0755);
    put(in_folder("locales/comma/LC_NUMERIC"), bytes, sizeof bytes);
    setenv("LOCPATH", in_folder("locales"), 1);
    return setlocale(LC_NUMERIC, "comma") != NULL;
}
static void numbers_elsewhere(void)     /* where a comma is the decimal point */
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "fr_FR.utf8" };
    gtr__decimal n;
    size_t k;
    for (k = 0; k < sizeof names / sizeof names[0] && !setlocale(LC_NUMERIC, names[k]); k++) {}
    if (k == sizeof names / sizeof names[0] && !comma_locale())
        SKIP("no locale with a decimal comma is installed, nor could one be made");
    else {
        EXPECT(!strcmp(localeconv()->decimal_point, ",") && strtod("1,5", NULL) == 1.5);
        EXPECT(gtr__decimal_read("1.5e-70", '.', &n) && gtr__decimal_value(&n) < (gtr_float)1e-30);
        EXPECT(gtr__decimal_read("0.500000029802322387695312500000000000000000001", '.', &n)
            && gtr__decimal_value(&n) > (gtr_float)0.5);
        /* a fit's log has points */
        char path[600], text[400] = "";
        run a = a_run(context(GTR_DEVICE_CPU), 48);
        gtr_fit_desc f;
        memset(&f, 0, sizeof f);
        snprintf(path, sizeof path, "%s", in_folder("log.csv"));
        f.batch = 24; f.silent = true; f.log_file = path;
        EXPECT_EQ(gtr_fit(a.t, a.data, f), GTR_OK);
        FILE *file = fopen(path, "r");
        int commas = 0;
        while (file && fgets(text, sizeof text, file)) {}       /* the last line */
        for (k = 0; text[k]; k++) commas += text[k] == ',';
        CHECK(commas == 8 && strchr(text, '.'), "the line is %s", text);
        if (file) fclose(file);
        unlink(path);
        gtr_destroy(a.ctx);
    }
    setlocale(LC_NUMERIC, "C");
    unsetenv("LOCPATH");
    unlink(in_folder("locales/comma/LC_NUMERIC"));
    rmdir(in_folder("locales/comma"));
    rmdir(in_folder("locales"));
}
static void csv_mutants(void)
{
    gtr_context *ctx = context(GTR_DEVICE_CPU);
    static const char base[] = "a,b,c\n1,2.5,0\r\n-3,4e1,2\n 5 ,6,1\n1e-3,.5,3";
    int k, ok = 0, bad = 0;
    for (k = 0; k < (small ? 1000 : 50000); k++) {
        unsigned char bytes[1024];
        size_t n = mutate(bytes, (const unsigned char *)base, sizeof base - 1, sizeof bytes - 1);
        gtr_dataset *d;
        int64_t r;
        bytes[n] = 0;
        d = gtr__csv_parse(ctx, "mutant", (char *)bytes, n,
            csv_desc((int)below(4) - 2, below(4) != 0, 0, below(2) != 0, 0));
        if (!d) {
            bad++;
            if (gtr_error(ctx) != GTR_ERR_FORMAT && gtr_error(ctx) != GTR_ERR_ARG)
                CHECK(0, "mutant %d: %s", k, gtr_error_text(ctx));
            gtr_error_clear(ctx);
            continue;
        }
        ok++;
        for (r = 0; r < d->rows; r++) if (!isfinite(csv_at(d, 0, r, d->column[0].row - 1)))
            CHECK(0, "mutant %d: row %d is not finite", k, (int)r);
        if (gtr_error(ctx) != GTR_OK || d->rows < 1
                || (d->n_columns == 2 && d->column[1].dtype == GTR_I32 && range_of(d, 1)->least < 0))
            CHECK(0, "mutant %d: accepted with an error", k);
        gtr_dataset_destroy(d);
    }
    CHECK(ok > 0 && bad > 0, "%d accepted, %d refused", ok, bad);
    gtr_destroy(ctx);
}
static void array_sets(void)
{
    gtr_context *ctx = context(device);
    gtr_dataset *d = arrays(ctx, 20), *test;
    gtr_arrays_desc a;
    float x[4] = { 1, 2, 3, 4 };
    int64_t r, k, rows;
    int c;
    EXPECT(range_is(d, 1, -2, 4));
    gtr_dataset_destroy(d);
    /* split: row r goes to the test set if r % k == k - 1, in order */
    for (rows = 1; rows < 24; rows++) for (k = 2; k <= rows; k++) {
        int64_t i = 0, j = 0;
        bool same = true;
        gtr_dataset *whole = arrays(ctx, rows);
        d = arrays(ctx, rows);
        test = gtr_dataset_split(d, k);
        for (r = 0; r < rows && test; r++) {
            gtr_dataset *in = r % k == k - 1 ? test : d;
            int64_t at = r % k == k - 1 ? i++ : j++;
            for (c = 0; c < 2; c++) {
                const void *p = gtr_dataset_row(in, c, at);
                same = same && p && !memcmp(p, gtr_dataset_row(whole, c, r), d->column[c].row_bytes);
            }
        }
        CHECK(test && same && i == gtr_dataset_rows(test) && j == gtr_dataset_rows(d) && strstr(test->name, "every"),
            "split of %d rows by %d", (int)rows, (int)k);
        gtr_dataset_destroy(whole);
        gtr_dataset_destroy(test);
        gtr_dataset_destroy(d);
    }
    d = arrays(ctx, 7);
    EXPECT(gtr_dataset_split(d, 1) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "k is 1");
    EXPECT(gtr_dataset_split(d, 8) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "k is 8");
    EXPECT(gtr_dataset_split(d, -2) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "k is -2");
    EXPECT(gtr_dataset_split(NULL, 2) == NULL);
    EXPECT(gtr_dataset_rows(NULL) == 0 && gtr_dataset_columns(NULL) == 0 && gtr_dataset_shape(d, 2).ndim == 0
        && gtr_dataset_dtype(NULL, 0) == GTR_F32);
    real_copy = ctx->be->copy;
    for (c = 0; c < 2; c++) {       /* a column that does not get there */
        const int cuda = ctx->caps.cuda;
        ctx->caps.cuda = 1;
        ctx->be->copy = bad_copy;
        copies_left = c;
        EXPECT_EQ(gtr__dataset_device(d), GTR_ERR_NOMEM);
        EXPECT_ERROR(ctx, GTR_ERR_NOMEM, c ? "column 1" : "column 0");
        ctx->be->copy = real_copy;
        ctx->caps.cuda = cuda;
        EXPECT(!d->used && d->column[1].device == NULL);
    }
    EXPECT_EQ(gtr__dataset_device(d), GTR_OK);      /* to the device, twice, and back */
    EXPECT_EQ(gtr__dataset_device(d), GTR_OK);
    for (c = 0; c < 2; c++) {
        char back[512];
        EXPECT_EQ(ctx->be->copy(ctx->instance[0], back, d->column[c].device, 7 * d->column[c].row_bytes,
            GTR__TO_HOST, true), GTR_OK);
        EXPECT(!memcmp(back, d->column[c].host, 7 * d->column[c].row_bytes));
    }
    EXPECT(gtr_dataset_split(d, 2) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "in use");
    test = arrays(ctx, 3);
    whole_list:
    for (r = 0, test = ctx->datasets; test; test = test->next) {
        r++; EXPECT(test->next == NULL || test->next->previous == test);
    }
    EXPECT_EQ(r, 2);
    gtr_dataset_destroy(d);
    if (ctx->datasets && ctx->datasets->next) goto whole_list;
    EXPECT(ctx->datasets && ctx->datasets->previous == NULL && ctx->datasets->rows == 3);
    memset(&a, 0, sizeof a);
    EXPECT(gtr_dataset_arrays(ctx, a) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "0 rows");
    a.rows = 4;
    EXPECT(gtr_dataset_arrays(ctx, a) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "NULL");
    a.column[0].data = x;
    a.column[0].dtype = GTR_F16;
    EXPECT(gtr_dataset_arrays(ctx, a) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "dtype");
    a.column[0].dtype = GTR_U8;
    a.column[0].shape = gtr_shape2(1, 0);
    EXPECT(gtr_dataset_arrays(ctx, a) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "(1, 0)");
    a.column[0].shape = gtr_shape1(GTR_BATCH);
    EXPECT(gtr_dataset_arrays(ctx, a) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "(N,)");
    a.column[0].shape.ndim = 8;
    EXPECT(gtr_dataset_arrays(ctx, a) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "8 dimensions");
    a.column[0].shape.ndim = -1;
    EXPECT(gtr_dataset_arrays(ctx, a) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "-1 dimensions");
    a.column[0].shape = gtr_shape2((int64_t)1 << 40, (int64_t)1 << 40);
    EXPECT(gtr_dataset_arrays(ctx, a) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "overflow");
    a.column[0].shape = gtr_shape1((int64_t)1 << 58);
    a.rows = (int64_t)1 << 40;
    EXPECT(gtr_dataset_arrays(ctx, a) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "overflow");
    a.rows = 4;
    a.column[0].shape = gtr_shape0();
    a.column[0].scale = (float)INFINITY;
    EXPECT(gtr_dataset_arrays(ctx, a) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "scale");
    a.column[0].scale = 2;
    a.column[0].shift = (float)NAN;
    EXPECT(gtr_dataset_arrays(ctx, a) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "shift");
    a.column[0].shift = -1;
    for (c = 1; c < 8; c++) a.column[c] = a.column[0];
    d = gtr_dataset_arrays(ctx, a);
    EXPECT_EQ(gtr_dataset_columns(d), 8);
    a.column[1].data = NULL;
    EXPECT(gtr_dataset_arrays(ctx, a) == NULL);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_dataset_arrays: column[2]: .data is given, but not read");
    for (c = 2; c < 8; c++) a.column[c].data = NULL;
    d = gtr_dataset_arrays(ctx, a);
    EXPECT(d && d->column[0].scale == 2 && d->column[0].shift == -1 && gtr_dataset_columns(d) == 1
        && gtr_dataset_rows(d) == 4);
    EXPECT(gtr_dataset_arrays(NULL, a) == NULL);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}

int main(int argc, char **argv)
{
    io.kind = -1;
    if (argc == 3 && !strcmp(argv[1], "--mutants")) return write_mutants(atoi(argv[2]));
    check_begin(argc, argv);
    small = getenv("GTR_TEST_SMALL") != NULL;
    device = getenv("GTR_TEST_DEVICE") && !strcmp(getenv("GTR_TEST_DEVICE"), "cuda") ? GTR_DEVICE_CUDA : GTR_DEVICE_CPU;
    snprintf(folder, sizeof folder, "%.200s/gputrain-files-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(folder)) { printf("no folder %s\n", folder); return 1; }
    RUN(killed);            /* first: it forks, and no device is in use yet */
    RUN(killed_fits);
    RUN(crowded);
    RUN(round_trip);
    unlink(in_folder("m.safetensors"));
    unlink(in_folder("n.safetensors"));
    RUN(bits_and_names);
    RUN(bad_safetensors);
    RUN(many_tensors);
    RUN(loads_halves);
    RUN(loads_doubles);
    RUN(counters);
    RUN(load_options);
    RUN(load_arguments);
    RUN(mutants);
    unlink(in_folder("m.safetensors"));
    unlink(in_folder("bad.safetensors"));
    RUN(saves_halves);
    RUN(save_options);
    RUN(io_failures);
    RUN(checkpoint_failures);
    RUN(bad_places);
    RUN(kept_errors);
    RUN(old_places);
    RUN(failing_copies);
    RUN(states);
    RUN(allocations);
    RUN(idx);
    RUN(cifar);
    RUN(images);
    RUN(faults_of_folders);
    RUN(images_like);
    RUN(images_decoded);
    RUN(images_none);
    RUN(one_image);
    RUN(no_rows);
    RUN(names_in_front);
    RUN(csv_good);
    RUN(csv_bad);
    RUN(numbers);
    RUN(numbers_elsewhere);
    RUN(csv_mutants);
    RUN(array_sets);
    CHECK(rmdir(folder) == 0 || check_argc > 1, "files are left in %s", folder);
    return check_done();
}
