/* Data as people have it: tables with names, strings and holes, NumPy's arrays, sets joined and cut, windows over
   series; what each reader says of a file that it refuses. tests/readers.h: what Python and NumPy make of the same. */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include "check.h"
#include <math.h>
#include <unistd.h>
#include "device.h"
#include "readers.h"

static gtr_trainer_desc trainer0(void) { gtr_trainer_desc d; memset(&d, 0, sizeof d); d.lr = 1e-3f; return d; }
static gtr_csv_desc csv0(void) { gtr_csv_desc d; memset(&d, 0, sizeof d); d.header = true; return d; }
static const char *path_of(const char *name)
{
    static char path[4][96];
    static int k;
    k = (k + 1) % 4;
    snprintf(path[k], sizeof path[k], "build/readers.%ld.%s", (long)getpid(), name);
    return path[k];
}
static const char *written(const char *name, const void *bytes, size_t n)
{
    const char *path = path_of(name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) { printf("cannot write %s\n", path); exit(1); }
    return path;
}
static gtr_dataset *csv_of(gtr_context *ctx, const char *text, gtr_csv_desc d)
{
    gtr_dataset *made = gtr_dataset_csv(ctx, written("csv", text, strlen(text)), d);
    unlink(path_of("csv"));
    return made;
}
static double at(const gtr_dataset *d, int column, int64_t row, int64_t k)
{
    const void *p = gtr_dataset_row(d, column, row);
    if (!p) return -777;
    if (gtr_dataset_dtype(d, column) == GTR_F32) return (double)((const gtr_float *)p)[k];
    return gtr_dataset_dtype(d, column) == GTR_I32 ? ((const int32_t *)p)[k] : ((const uint8_t *)p)[k];
}
static bool named(const char *got, const char *want) { return got && want ? !strcmp(got, want) : got == want; }
/* What Python's csv wrote, and NumPy filled. */
static void tables_of_python(void)
{
    gtr_context *ctx = gtr_create(desc0());
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        gtr_csv_desc c = csv0();
        c.separator = tables[k].separator; c.missing = tables[k].missing; c.missing_value = -1.5f;
        c.categories = "\"colour, or so\"";
        gtr_dataset *d = csv_of(ctx, tables[k].text, c);
        EXPECT_OK(ctx);
        if (!CHECK(gtr_dataset_rows(d) == tables[k].rows && gtr_dataset_columns(d) == 3, "table %d: %lld rows", (int)k,
            (long long)gtr_dataset_rows(d))) continue;
        EXPECT(named(d->column[1].name, "colour, or so") && named(d->column[2].name, "kind") && !d->column[0].name);
        for (int r = 0; r < tables[k].rows; r++) {
            for (int i = 0; i < 2; i++) {
                const double want = (double)tables[k].x[2 * r + i], got = at(d, 0, r, i);
                CHECK(fabs(got - want) <= 2e-7 * fabs(want), "table %d, row %d: %g, want %g", (int)k, r, got, want);
                EXPECT_EQ(at(d, i + 1, r, 0), tables[k].id[i * tables[k].rows + r]);
            }
        }
        for (int i = 0; i < 13; i++)
            CHECK(named(gtr_dataset_category(d, 1, i), tables[k].word[i]), "table %d, string %d", (int)k, i);
        for (int i = 0; i < 4; i++)
            CHECK(named(gtr_dataset_class(d, i), tables[k].kind[i]), "table %d, class %d", (int)k, i);
        EXPECT_EQ(gtr_dataset_classes(d), gtr_dataset_categories(d, 2));
        /* once more, as the first was: the same numbers for strings and holes */
        gtr_csv_desc again = c;
        again.like = d;
        gtr_dataset *e = csv_of(ctx, tables[k].text, again);
        EXPECT_OK(ctx);
        for (int i = 0; i < 3; i++) EXPECT(e && !memcmp(d->column[i].host, e->column[i].host, (size_t)d->rows
            * d->column[i].row_bytes));
    }
    gtr_destroy(ctx);
}
static void chosen(void)
{
    gtr_context *ctx = gtr_create(desc0());
    static const char text[] = "id,age,city,income,risk\nx1,30,Rome,5,low\nx2,,Oslo,7,high\nx3,50,Rome,,low\n";
    gtr_csv_desc c = csv0();
    c.columns = "income,age"; c.categories = "3"; c.label = "risk"; c.missing = GTR_MISSING_MEAN;
    gtr_dataset *d = csv_of(ctx, text, c), *held;
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_columns(d) == 3 && gtr_dataset_shape(d, 0).dim[0] == 2);
    EXPECT(at(d, 0, 0, 0) == 5 && at(d, 0, 0, 1) == 30 && at(d, 0, 1, 1) == 40 && at(d, 0, 2, 0) == 6);
    EXPECT(at(d, 1, 0, 0) == 0 && at(d, 1, 1, 0) == 1 && at(d, 1, 2, 0) == 0 && named(gtr_dataset_category(d, 1, 1),
        "Oslo"));
    EXPECT(gtr_dataset_classes(d) == 2 && named(gtr_dataset_class(d, 1), "high") && !gtr_dataset_class(d, 2)
        && !gtr_dataset_class(d, -1) && !gtr_dataset_category(d, 0, 0) && !gtr_dataset_category(d, 9, 0));
    /* a file for use: the first one's numbers and fills; what was never seen is refused */
    c.like = d;
    held = csv_of(ctx, "id,age,city,income,risk\ny,,Oslo,,high\n", c);
    EXPECT_OK(ctx);
    EXPECT(at(held, 0, 0, 0) == 6 && at(held, 0, 0, 1) == 40 && at(held, 1, 0, 0) == 1 && at(held, 2, 0, 0) == 1);
    EXPECT(!csv_of(ctx, "id,age,city,income,risk\ny,1,Oslo,1,high\ny,1,Bonn,1,high\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT,
        "line 3, column 3 (counted from 1), \"city\": got 'Bonn', want one of the strings that .like has there");
    c.columns = "age";
    EXPECT(!csv_of(ctx, text, c));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "other than those of .like");
    /* what is split off keeps the names */
    held = gtr_dataset_split(d, 2);
    EXPECT(held && gtr_dataset_classes(held) == 2 && named(gtr_dataset_category(held, 1, 1), "Oslo") && named(
        gtr_dataset_class(held, 0), "low"));
    c = csv0();
    c.skip = "id, city,risk"; c.label_column = -1; c.missing = GTR_MISSING_CONSTANT; c.missing_value = 9; c.scale = 2;
    d = csv_of(ctx, text, c);
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_columns(d) == 1 && at(d, 0, 1, 0) == 9 && at(d, 0, 2, 0) == 100 && at(d, 0, 1, 1) == 14);
    c = csv0();     /* strings alone; a blank one is a string where holes are allowed */
    c.categories = "a,b"; c.label_column = -1; c.missing = GTR_MISSING_MEDIAN;
    d = csv_of(ctx, "a,b\nx,\n\"\",x\n", c);
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_columns(d) == 2 && gtr_dataset_categories(d, 0) == 2);
    EXPECT(named(gtr_dataset_category(d, 0, 1), ""));
    gtr_destroy(ctx);
}
static void refused_tables(void)
{
    static const struct { const char *text, *columns, *skip, *categories, *label; int missing; gtr_result want;
        const char *part; } cases[] = {
#define T "a,b,c\n1,2,0\n3,x,1\n"
        { T, NULL, NULL, NULL, NULL, 0, GTR_ERR_FORMAT,
            "line 3, column 2 (counted from 1), \"b\": got 'x', want a number ("
            ".missing fills holes, .categories numbers strings, .skip leaves a column out)" },
        { T, "a,d", NULL, NULL, NULL, 0, GTR_ERR_ARG,
            ".columns names \"d\", want a name of the first line, or a number "
            "of 1 to 3" },
        { T, NULL, "4", NULL, NULL, 0, GTR_ERR_ARG, ".skip names \"4\"" },
        { T, NULL, "0", NULL, NULL, 0, GTR_ERR_ARG, ".skip names \"0\"" },
        { T, NULL, "", NULL, NULL, 0, GTR_ERR_ARG, ".skip names \"\"" },
        { T, NULL, NULL, NULL, "99999999999999999999", 0, GTR_ERR_ARG, ".label names" },
        { T, NULL, "b,2", NULL, NULL, 0, GTR_ERR_ARG, "column 2 of .skip is the label or listed twice" },
        { T, NULL, "c", NULL, NULL, 0, GTR_ERR_ARG, "column 3 of .skip is the label" },
        { T, NULL, "a,b", NULL, NULL, 0, GTR_ERR_ARG, "no column is left" },
        { T, "\"a", NULL, NULL, NULL, 0, GTR_ERR_FORMAT, "a quote that nothing closes" },
        { T, NULL, NULL, NULL, NULL, 9, GTR_ERR_ARG, "want a gtr_missing" },
        { "a,b\n1,0\n,1\n", NULL, NULL, NULL, NULL, 0, GTR_ERR_FORMAT,
            "line 3, column 1 (counted from 1), \"a\": a blank "
            "field, want a number (.missing" },
        { "a,b\n?,0\n,1\n", NULL, NULL, NULL, NULL, 1, GTR_ERR_FORMAT,
            "column 1 (counted from 1) has no value at all" },
        { "a,b\n1,0\n1,\n", NULL, NULL, NULL, NULL, 1, GTR_ERR_FORMAT,
            "line 3, column 2 (counted from 1), \"b\": a blank "
            "field, want a class" },
        { "a,b\n1,u\n1,\n", NULL, NULL, NULL, NULL, 1, GTR_ERR_FORMAT, "a blank field, want a label" },
        { "a,b\n1,0\n,0\n", NULL, NULL, "a", NULL, 0, GTR_ERR_FORMAT, "a blank field, want a string" },
        { "a,b\n1,0\n\"2\n3\"x,1\n", NULL, NULL, NULL, NULL, 0, GTR_ERR_FORMAT,
            "line 3, column 1 (counted from 1), \"a\": "
            "text behind a closing quote" },
        { "\"a\nb\",c\n1,0\n\"2\n\",0\nz,0\n", NULL, NULL, NULL, NULL, 0, GTR_ERR_FORMAT, "line 4, column 1" },
        { "\"a\nb\",c\n1,0\n\"2\",0\nz,0\n", NULL, NULL, NULL, NULL, 0, GTR_ERR_FORMAT, "line 5, column 1" },
        { "a,b\n1,0\n\"2\",0,\"\n\",1\n", NULL, NULL, NULL, NULL, 0, GTR_ERR_FORMAT,
            "line 3 has 4 columns, want 2 as line 2"
            },
        { "a,b\n1,0\n2,\"0\n", NULL, NULL, NULL, NULL, 0, GTR_ERR_FORMAT,
            "line 3, column 2 (counted from 1), \"b\": a quote"
            },
        { "a,\"b\n1,0\n2,0\n", NULL, NULL, NULL, NULL, 0, GTR_ERR_FORMAT, "line 1, column 2" },
        { "a,b,c\n1,0\n2,0\n", "a", NULL, NULL, NULL, 0, GTR_ERR_ARG,
            ".columns names \"a\", want a number of 1 to 2" } };
    gtr_context *ctx = gtr_create(desc0());
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        gtr_csv_desc c = csv0();
        c.columns = cases[k].columns; c.skip = cases[k].skip; c.categories = cases[k].categories;
        c.label = cases[k].label; c.missing = (gtr_missing)cases[k].missing;
        EXPECT(!csv_of(ctx, cases[k].text, c));
        CHECK(strstr(gtr_error_text(ctx), ".csv"), "case %d: no file in '%s'", (int)k, gtr_error_text(ctx));
        if (!EXPECT_ERROR(ctx, cases[k].want, cases[k].part)) printf("     in case %d\n", (int)k);
    }
    char many[64] = "1";
    for (int k = 2; k < 17; k++) snprintf(many + strlen(many), 8, ",%d", k);
    gtr_csv_desc c = csv0();
    c.header = false; c.categories = many; c.label_column = -1;
    EXPECT(!csv_of(ctx, "1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,g\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "16 .categories, want at most 14");
    gtr_destroy(ctx);
}
/* A table with all of it takes little more than its text twice. */
static size_t alive, most_alive;
static void *counted(size_t bytes, gtr_memory kind, void *user) {
    (void)kind; (void)user;
    alive += bytes;
    if (alive > most_alive) most_alive = alive;
    return aligned_alloc(256, (bytes + 255) / 256 * 256);
}
static void uncounted(void *p, size_t bytes, gtr_memory kind, void *user) {
    (void)kind; (void)user; alive -= bytes; free(p);
}
static void memory_of_a_table(void)
{
    gtr_desc d = desc0();
    enum { N = 40000 };
    char *text = (char *)malloc(N * 40 + 100);
    size_t n = (size_t)sprintf(text, "a,b,c,word,y\n");
    for (int i = 0; i < N; i++)
        n += (size_t)sprintf(text + n, "%d.25,%s,%d,word %d,%s\n", i, i % 7 ? "3.5" : "", i * 7, i % 1000, i % 3 ? "no"
            : "yes");
    d.device = GTR_DEVICE_CPU; d.threads = 1; d.allocator.alloc = counted; d.allocator.free = uncounted;
    gtr_context *ctx = gtr_create(d);
    const size_t before = most_alive = alive;
    gtr_csv_desc c = csv0();
    c.categories = "word"; c.missing = GTR_MISSING_MEDIAN;
    gtr_dataset *data = csv_of(ctx, text, c);
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_rows(data) == N && gtr_dataset_categories(data, 1) == 1000);
    CHECK(most_alive - before <= 2 * n + (1 << 20), "%zu bytes for a file of %zu", most_alive - before, n);
    gtr_destroy(ctx);
    EXPECT_EQ(alive, 0);
    free(text);
}
/* What comes out of the layer has mean 0 and deviation 1, in float32 even where activations have 16 bits; a file takes
   it to another program. */
static void standardised(void)
{
    enum { ROWS = 64 };
    gtr_float v[ROWS][3], out[2][ROWS][3];
    static const gtr_precision precisions[] = { GTR_FP32, GTR_MIXED_BF16, GTR_MIXED_FP16 };
    const char *const path = path_of("safetensors");
    char file[96];
    snprintf(file, sizeof file, "%s", path);
    for (int r = 0; r < ROWS; r++) {
        v[r][0] = (gtr_float)(100000 + r % 8); v[r][1] = (gtr_float)(1e-4 * sin(r)); v[r][2] = 7;
    }
    for (int k = 0; k < 2; k++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3));
        gtr_arrays_desc a;
        memset(&a, 0, sizeof a);
        a.rows = ROWS; a.column[0].data = v; a.column[0].shape = gtr_shape1(3);
#ifdef GPUTRAIN_DOUBLE
#error this test is of float32
#endif
        gtr_dataset *d = k ? NULL : gtr_dataset_arrays(ctx, a);
        gtr_tensor *z = gtr_standardise(x, "norm", d, 0);
        EXPECT_OK(ctx);
        if (k) EXPECT_EQ(gtr_load(ctx, file), GTR_OK);
        else {
            EXPECT_EQ(gtr_parameter_count(ctx), 2);
            EXPECT(!gtr_parameter_trainable(gtr_parameter_find(ctx, "norm.mean")));
            EXPECT_EQ(gtr_save(ctx, file), GTR_OK);
        }
        gtr_predictor *p = gtr_predictor_create(z, 10);
        EXPECT_EQ(gtr_predict(p, v, ROWS, out[k]), GTR_OK);
        for (int c = 0; c < 3; c++) {
            double sum = 0, squares = 0;
            for (int r = 0; r < ROWS; r++) sum += (double)out[k][r][c];
            for (int r = 0; r < ROWS; r++) squares += pow((double)out[k][r][c] - sum / ROWS, 2);
            CHECK(fabs(sum / ROWS) < 1e-5 && fabs(sqrt(squares / ROWS) - (c < 2)) < 1e-4, "element %d: mean %g, "
                "deviation %g", c, sum / ROWS, sqrt(squares / ROWS));
        }
        for (int i = 0; i < 3 && !k; i++) {
            gtr_trainer_desc t = trainer0();
            gtr_float got[ROWS][3];
            t.precision = precisions[i];
            char name[8] = "fc0";
            name[2] = (char)('0' + i);
            gtr_keep(z);
            gtr_trainer *trainer = gtr_trainer_create(gtr_mean(gtr_square(gtr_linear(z, name, 2)), NULL, 0, false), t);
            EXPECT_EQ(gtr_trainer_data(trainer, d, ROWS, false, false), GTR_OK);
            EXPECT_EQ(gtr_step(trainer), GTR_OK);
            EXPECT_EQ(gtr_get(z, got, sizeof got), GTR_OK);
            for (int r = 0; r < ROWS; r++)
                CHECK(fabs((double)(got[r][0] - out[0][r][0])) < 1e-2, "precision %d, row %d: %g, want %g", i, r,
                    (double)got[r][0], (double)out[0][r][0]);
            EXPECT_OK(ctx);
        }
        if (!k) {
            EXPECT(!gtr_standardise(x, "again", d, 1));
            EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "column 1 of");
            EXPECT(!gtr_standardise(gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 2)), "again", d, 0));
            EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "want float32 (N, ..., C) and a column of such rows");
            EXPECT(!gtr_standardise(x, "norm", d, 0));
            EXPECT_ERROR(ctx, GTR_ERR_ARG, "one of this name");
        }
        gtr_destroy(ctx);
    }
    EXPECT(!memcmp(out[0], out[1], sizeof out[0]));
    unlink(file);
}
static void all(void)
{
    RUN(tables_of_python);
    RUN(chosen);
    RUN(refused_tables);
    RUN(memory_of_a_table);
    RUN(standardised);
}
int main(int argc, char **argv)
{
    small = getenv("GTR_TEST_SMALL") != NULL;
    check_begin(argc, argv);
    check_devices(all, &device);
    return check_done();
}
