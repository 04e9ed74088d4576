/* Data as people have it: tables with names, strings and holes, NumPy's arrays, sets joined and cut, windows over
   series; what each reader says of a file that it refuses. tables/readers.h: what Python and NumPy make of the same. */
#include "private.h"
#include "check.h"
#include <math.h>
#include <unistd.h>
#include "device.h"
#include "stack.h"
#include "../tables/readers.h"

static gtr_trainer_desc trainer0(void) { gtr_trainer_desc d; memset(&d, 0, sizeof d); d.lr = 1e-3f; return d; }
static gtr_csv_desc csv0(void) { gtr_csv_desc d; memset(&d, 0, sizeof d); d.header = true; return d; }
static const char *path_of(const char *name)
{
    static char path[4][96];
    static int k;
    k = (k + 1) % 4;
    snprintf(path[k], sizeof path[k], "%s", check_path(name));
    return path[k];
}
static const char *written(const char *name, const void *bytes, size_t n)
{
    const char *path = path_of(name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) { printf("cannot write %s\n", path); exit(1); }
    return path;
}
/* Bytes of a file, a 0 behind them. */
static size_t file_read(const char *path, char *to, size_t size)
{
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(to, 1, size - 1, f) : 0;
    if (f) fclose(f);
    to[n] = 0;
    return n;
}
static gtr_dataset *csv_of(gtr_context *ctx, const char *text, gtr_csv_desc d)
{
    gtr_dataset *made = gtr_dataset_csv(ctx, written("csv", text, strlen(text)), d);
    unlink(path_of("csv"));
    return made;
}
/* What is said of a column of .like's. */
static const char *lacks(const char *name, const char *is)
{
    static char text[400];
    snprintf(text, sizeof text, "csv: column \"%s\" of .like's %s is %s", name, path_of("csv"), is);
    return text;
}
static double at(const gtr_dataset *d, int column, int64_t row, int64_t k)
{
    const void *p = gtr_dataset_row(d, column, row);
    if (!p) return -777;
    if (gtr_dataset_dtype(d, column) == GTR_F32) return (double)((const gtr_float *)p)[k];
    return gtr_dataset_dtype(d, column) == GTR_I32 ? ((const int32_t *)p)[k] : ((const uint8_t *)p)[k];
}
static bool named(const char *got, const char *want) { return got && want ? !strcmp(got, want) : got == want; }
static bool nothing(void *user, int64_t epoch, int64_t begin, int64_t end, void *const *column)
{
    (void)user; (void)epoch; (void)begin; (void)end; (void)column;
    return true;
}
/* Holes that begin a file or are filled by what two halves of are beyond float32, and a header of many names. */
static void awkward_tables(void)
{
    enum { NAMES = 20000 };
    gtr_context *ctx = gtr_create(desc0());
    gtr_csv_desc c = csv0();
    char *wide = (char *)malloc(NAMES * 16), *end = wide;
    c.header = false; c.label_column = -1; c.missing = GTR_MISSING_MEDIAN;
    gtr_dataset *d = csv_of(ctx, "\n3e38\n3.2e38\n", c);
    EXPECT_OK(ctx);
    EXPECT_EQ(gtr_dataset_rows(d), 3);
    CHECK(fabs(at(d, 0, 0, 0) - 3.1e38) < 1e32, "a hole before 3e38 and 3.2e38 is %g", at(d, 0, 0, 0));
    d = csv_of(ctx, "\n1,2\n", c); /* of two columns a blank line is none */
    EXPECT(gtr_dataset_rows(d) == 1 && at(d, 0, 0, 1) == 2);
    for (int i = 0; i < 2 * NAMES; i++) end += sprintf(end, i < NAMES ? "c%d%s" : "%d%s", i % NAMES,
        i % NAMES < NAMES - 1 ? "," : "\n");
    c = csv0();
    c.columns = "c19999,c19998,c7,c19997,c19996,c19995,c19994,c19993,c19992"; c.label_column = -1;
    const double began = gtr__now();
    d = csv_of(ctx, wide, c);
    CHECK(gtr__now() - began < 5, "names are found in %g s", gtr__now() - began);
    EXPECT_OK(ctx);
    EXPECT_EQ(at(d, 0, 0, 1), 19998);
    EXPECT_EQ(at(d, 0, 0, 2), 7);
    free(wide);
    gtr_destroy(ctx);
}
/* Of windows of several series, and of some that lie apart, the steps that a window has count, once each. */
static void standardised_by_windows(void)
{
    static const struct { int history, horizon, stride, series; } cases[] = {
        { 4, 2, 1, 1 }, { 3, 1, 0, 1 }, { 2, 1, 6, 0 }, { 4, 1, 3, 0 } };
    gtr_float v[14] = { 0, 0, 0, 0, 1, 1, 900, 900, 900, 900, 1, 1, 1000000, 1000000 };
    int32_t of[14] = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2 };
    gtr_context *ctx = gtr_create(desc0());
    gtr_arrays_desc a;
    memset(&a, 0, sizeof a);
    a.rows = 14; a.column[0].data = v; a.column[0].shape = gtr_shape1(1); a.column[1].data = of;
    a.column[1].dtype = GTR_I32;
    gtr_dataset *series = gtr_dataset_arrays(ctx, a);
    for (int k = 0; k < 4; k++) {
        gtr_windows_desc w;
        memset(&w, 0, sizeof w);
        w.history = cases[k].history; w.horizon = cases[k].horizon; w.stride = cases[k].stride;
        w.series = cases[k].series ? 2 : 0;
        gtr_dataset *d = gtr_dataset_windows(series, w);
        for (int c = 0; c < 2 && EXPECT(d != NULL); c++) {
            bool seen[14] = { false };
            double n = 0, sum = 0, squares = 0;
            gtr_float got[2];
            char name[16], part[24];
            const int steps = c ? w.horizon : w.history;
            for (int b = 0; b + w.history + w.horizon <= 14; b += w.stride ? (int)w.stride : 1) {
                if (cases[k].series && of[b] != of[b + w.history + w.horizon - 1]) continue;
                for (int i = 0; i < steps; i++) seen[b + (c ? w.history : 0) + i] = true;
            }
            for (int i = 0; i < 14; i++) if (seen[i]) { n++; sum += (double)v[i]; }
            for (int i = 0; i < 14; i++) if (seen[i]) squares += ((double)v[i] - sum / n) * ((double)v[i] - sum / n);
            const double want[2] = { sum / n, squares > 0 ? sqrt(squares / n) : 1 };
            snprintf(name, sizeof name, "x%d%d", k, c);
            EXPECT(gtr_standardise(gtr_input(ctx, name, GTR_F32, gtr_shape3(GTR_BATCH, steps, 1)), name, d, c) != NULL);
            for (int i = 0; i < 2; i++) {
                snprintf(part, sizeof part, i ? "%s.std" : "%s.mean", name);
                EXPECT_EQ(gtr_get(gtr_parameter_find(ctx, part), &got[i], sizeof *got), GTR_OK);
                CHECK(fabs((double)got[i] - want[i]) <= 1e-6 * want[i], "windows %d, column %d, %s: %g, want %g", k, c,
                    part, (double)got[i], want[i]);
            }
        }
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* Mean and deviation of each element of x's last dimension, of rows that lie over each other or have channels on the
   other side. */
static void standardised_as_fed(void)
{
    static const struct { int history, stride, flat; double mean[2], std[2]; } cases[] = {
        { 2, 1, 1, { 3.0 / 7, 4.0 / 7 }, { 0.49487165930539356, 0.49487165930539356 } },
        { 1, 2, 0, { 0 }, { 1 } }, { 3, 3, 0, { 0.5 }, { 0.5 } }, { 2, 1, 0, { 0.5 }, { 0.5 } } };
    gtr_context *ctx = gtr_create(desc0());
    gtr_arrays_desc a;
    gtr_float v[8], image[2][3][4][2], mean[4], std[4];
    char name[8], of[16];
    for (int i = 0; i < 8; i++) v[i] = (gtr_float)(i % 2);
    memset(&a, 0, sizeof a);
    a.rows = 8; a.column[0].data = v; a.column[0].shape = gtr_shape1(1);
    gtr_dataset *series = gtr_dataset_arrays(ctx, a);
    for (int k = 0; k < 4; k++) {
        gtr_windows_desc w;
        memset(&w, 0, sizeof w);
        w.history = cases[k].history; w.stride = cases[k].stride;
        snprintf(name, sizeof name, "x%d", k);
        gtr_tensor *x = gtr_input(ctx, name, GTR_F32, cases[k].flat ? gtr_shape2(GTR_BATCH, w.history)
            : gtr_shape3(GTR_BATCH, w.history, 1));
        const int n = cases[k].flat ? cases[k].history : 1;
        EXPECT(gtr_standardise(x, name, gtr_dataset_windows(series, w), 0) != NULL);
        snprintf(of, sizeof of, "%s.mean", name);
        EXPECT_EQ(gtr_get(gtr_parameter_find(ctx, of), mean, (size_t)n * sizeof *mean), GTR_OK);
        snprintf(of, sizeof of, "%s.std", name);
        EXPECT_EQ(gtr_get(gtr_parameter_find(ctx, of), std, (size_t)n * sizeof *std), GTR_OK);
        for (int i = 0; i < n; i++) CHECK(fabs((double)mean[i] - cases[k].mean[i]) < 1e-6
            && fabs((double)std[i] - cases[k].std[i]) < 1e-6, "windows %d, element %d: %g, %g", k, i, (double)mean[i],
            (double)std[i]);
    }
    for (int i = 0; i < 48; i++) (&image[0][0][0][0])[i] = (gtr_float)(i / 2 % 4 * 10);
    a.rows = 2; a.column[0].data = image; a.column[0].shape = gtr_shape3(3, 4, 2); a.column[0].channels_last = true;
    gtr_standardise(gtr_input(ctx, "image", GTR_F32, gtr_shape4(GTR_BATCH, 2, 3, 4)), "image",
        gtr_dataset_arrays(ctx, a), 0);
    EXPECT_EQ(gtr_get(gtr_parameter_find(ctx, "image.mean"), mean, sizeof mean), GTR_OK);
    for (int i = 0; i < 4; i++) EXPECT_EQ((int)mean[i], 10 * i);
    EXPECT_OK(ctx);
    for (int k = 0; k < 3; k++) { /* what is only moved about is measured, what is normalised is refused */
        gtr_augment_desc how;
        memset(&how, 0, sizeof how);
        how.flip = 0.5f; how.brightness = 0.1f; how.mean[1] = k == 1 ? 0.5f : 0; how.std[1] = k == 2 ? 0.5f : 0;
        gtr_dataset *d = gtr_dataset_arrays(ctx, a);
        EXPECT_EQ(gtr_dataset_augment(d, 0, how), GTR_OK);
        snprintf(name, sizeof name, "varied%d", k);
        EXPECT(!gtr_standardise(gtr_input(ctx, name, GTR_F32, gtr_shape4(GTR_BATCH, 2, 3, 4)), name, d, 0) == (k > 0));
        if (k) EXPECT_ERROR(ctx, GTR_ERR_STATE, "column 0 of gtr_dataset_arrays has .mean or .std of");
        EXPECT_OK(ctx);
    }
    gtr_destroy(ctx);
}
/* Columns and categories by name, and notes that carry the names with the model. */
static void names_to_numbers(void)
{
    gtr_context *ctx = gtr_create(desc0());
    gtr_csv_desc c;
    memset(&c, 0, sizeof c);
    static const char table[] = "a,city,b,kind\n1,Oslo,2,x\n3,Rome,4,y\n5,Oslo,6,x\n7,Rome,8,y\n";
    c.header = true; c.label = "kind"; c.categories = "city";
    gtr_dataset *d = gtr_dataset_csv(ctx, written("csv", table, sizeof table - 1), c);
    EXPECT_OK(ctx);
    EXPECT_EQ(gtr_dataset_column(d, "city"), 1);
    EXPECT_EQ(gtr_dataset_column(d, "kind"), 2);
    EXPECT_EQ(gtr_dataset_category_id(d, gtr_dataset_column(d, "city"), "Rome"), 1);
    EXPECT_EQ(gtr_dataset_category_id(d, 1, "Oslo"), 0);
    EXPECT(gtr_dataset_category_id(d, 1, "Oslo ") == -1 && gtr_dataset_category_id(d, 0, "Oslo") == -1
        && gtr_dataset_category_id(d, 9, "Oslo") == -1 && gtr_dataset_category_id(NULL, 1, "Oslo") == -1
        && gtr_dataset_category_id(d, 1, NULL) == -1);
    EXPECT_EQ(gtr_dataset_rows(gtr_dataset_split_random(d, 0.5f, 1, gtr_dataset_column(d, "kind"))), 2);
    EXPECT_OK(ctx);
    EXPECT(!gtr_dataset_split_random(d, 0.5f, 1, gtr_dataset_column(d, "Kind")));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "there is no column Kind: 3 columns - (2,) float32, \"city\" () int32, \"kind\"");
    EXPECT(gtr_dataset_column(NULL, "kind") == 16 && gtr_dataset_column(d, NULL) == 16);
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "there is no column NULL");
    /* what ids are called goes with the model, to a program that has no table */
    char file[96], text[64];
    snprintf(file, sizeof file, "%s", path_of("notes"));
    static const char odd[] = "q\"\\\n\x01 \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80";
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 2));
    gtr_trainer *t = gtr_trainer_create(gtr_mean(gtr_linear(x, "fc", 1), NULL, 0, false), trainer0());
    EXPECT_EQ(gtr_dataset_note(d, 1), GTR_OK);
    EXPECT_EQ(gtr_dataset_note(d, 2), GTR_OK);
    EXPECT_EQ(gtr_note_set(ctx, "unit", "g"), GTR_OK);
    EXPECT_EQ(gtr_note_set(ctx, "unit", odd), GTR_OK);
    EXPECT_EQ(gtr_note_set(ctx, "no more", "?"), GTR_OK);
    EXPECT_EQ(gtr_note_set(ctx, "no more", NULL), GTR_OK);
    EXPECT_EQ(gtr_note_set(ctx, "empty", ""), GTR_OK);
    EXPECT(!gtr_note(ctx, "no more") && !gtr_note(ctx, "uni") && !gtr_note(ctx, "Rome") && !gtr_note(NULL, "unit")
        && !gtr_note(ctx, NULL));
    const size_t bytes = gtr_checkpoint_bytes(t);
    void *memory = malloc(bytes);
    EXPECT_EQ(gtr_checkpoint_get(t, memory, bytes), GTR_OK);
    for (int k = 0; k < 3; k++) {
        EXPECT_EQ(k ? gtr_checkpoint_save(t, file) : gtr_save(ctx, file), GTR_OK);
        gtr_context *use = gtr_create(desc0());
        gtr_tensor *in = gtr_input(use, "x", GTR_F32, gtr_shape2(GTR_BATCH, 2));
        gtr_trainer *u = gtr_trainer_create(gtr_mean(gtr_linear(in, "fc", 1), NULL, 0, false), trainer0());
        EXPECT_EQ(gtr_note_set(use, "mine", "stays"), GTR_OK);
        EXPECT_EQ(gtr_note_set(use, "unit", "goes"), GTR_OK);
        EXPECT_EQ(gtr_load(use, "build/there is none"), GTR_ERR_IO);
        EXPECT(gtr_note(use, "unit") && !strcmp(gtr_note(use, "unit"), "goes"));
        gtr_error_clear(use);
        EXPECT_EQ(k == 2 ? gtr_checkpoint_set(u, memory, bytes) : k ? gtr_checkpoint_load(u, file) : gtr_load(use,
            file), GTR_OK);
        for (int i = 0; i < 2; i++) {
            snprintf(text, sizeof text, "city.%d", i);
            EXPECT(gtr_note(use, text) && !strcmp(gtr_note(use, text), i ? "Rome" : "Oslo"));
            snprintf(text, sizeof text, "kind.%d", i);
            EXPECT(gtr_note(use, text) && !strcmp(gtr_note(use, text), i ? "y" : "x"));
        }
        EXPECT(!gtr_note(use, "city.2") && !gtr_note(use, "format") && !strcmp(gtr_note(use, "mine"), "stays"));
        EXPECT(gtr_note(use, "unit") && !strcmp(gtr_note(use, "unit"), odd));
        EXPECT(gtr_note(use, "empty") && !*gtr_note(use, "empty"));
        EXPECT_EQ(gtr_note_set(use, "mine", NULL), GTR_OK); /* in whatever order they were set */
        static char was[4096], now[4096];
        EXPECT(!remove(file)); /* a checkpoint, which gtr_save does not replace */
        EXPECT_EQ(gtr_save(ctx, file), GTR_OK);
        const size_t size = file_read(file, was, sizeof was);
        EXPECT_EQ(gtr_save(use, file), GTR_OK);
        EXPECT(size > 200 && file_read(file, now, sizeof now) == size && !memcmp(was, now, size));
        EXPECT_OK(use);
        gtr_destroy(use);
    }
    free(memory);
    static const char *const bad[][2] = { { "", "a" }, { "format", "a" }, { NULL, "a" }, { "\xff", "a" },
        { "a", "\xff" } };
    for (int k = 0; k < 5; k++) {
        EXPECT_EQ(gtr_note_set(ctx, bad[k][0], bad[k][1]), GTR_ERR_ARG);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_note_set: want UTF-8");
    }
    EXPECT_EQ(gtr_note_set(NULL, "a", "b"), GTR_ERR_NOMEM);
    EXPECT_EQ(gtr_dataset_note(d, 0), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "column 0 has no name");
    EXPECT_EQ(gtr_dataset_note(NULL, 0), GTR_ERR_ARG);
    gtr_destroy(ctx);
    unlink(file);
    unlink(path_of("csv"));
}
/* Notes of more than ten ids are in their keys' order, and a column's name is whole however long it is. */
static void notes_of_many(void)
{
    gtr_context *ctx = gtr_create(desc0());
    gtr_csv_desc c;
    char name[240], table[1000], key[260];
    memset(&c, 0, sizeof c);
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    int n = snprintf(table, sizeof table, "a,%s\n", name);
    for (int i = 0; i < 23; i++) n += snprintf(table + n, sizeof table - (size_t)n, "%d,name %02d\n", i, i);
    c.header = true; c.label = "2";
    gtr_dataset *d = gtr_dataset_csv(ctx, written("csv", table, (size_t)n), c);
    EXPECT_EQ(gtr_note_set(ctx, "n", "before"), GTR_OK);
    EXPECT_EQ(gtr_note_set(ctx, "o", "behind"), GTR_OK);
    for (int twice = 0; twice < 2; twice++) EXPECT_EQ(gtr_dataset_note(d, 1), GTR_OK);
    static char text[16000];
    char last[260] = "";
    int keys = 0;
    EXPECT_EQ(gtr_save(ctx, path_of("notes")), GTR_OK);
    EXPECT(file_read(path_of("notes"), text, sizeof text) > 1000);
    unlink(path_of("notes"));
    for (const char *p = strstr(text + 8, "\"pt\""), *end; p && p[4] == ','; p = strchr(end + 3, '"') - 3, keys++) {
        end = strchr(p + 6, '"');
        snprintf(key, sizeof key, "%.*s", (int)(end - p - 6), p + 6);
        EXPECT(strcmp(last, key) < 0);
        strcpy(last, key);
    }
    EXPECT_EQ(keys, 25);
    for (int i = 0; i < 23; i++) {
        snprintf(key, sizeof key, "%s.%d", name, i);
        const char *of = gtr_note(ctx, key);
        EXPECT(of && !strcmp(of, gtr_dataset_category(d, 1, i)));
    }
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
    unlink(path_of("csv"));
}
/* What Python's csv wrote, and NumPy filled. */
static void tables_of_python(void)
{
    gtr_context *ctx = gtr_create(desc0());
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        gtr_csv_desc c = csv0();
        c.separator = tables[k].separator; c.missing = tables[k].missing;
        if (c.missing == GTR_MISSING_CONSTANT) c.missing_value = -1.5f;
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
    EXPECT(gtr_dataset_classes(d) == 2 && named(gtr_dataset_class(d, 1), "low") && !gtr_dataset_class(d, 2)
        && !gtr_dataset_class(d, -1) && !gtr_dataset_category(d, 0, 0) && !gtr_dataset_category(d, 9, 0));
    /* a file for use: the first one's numbers and fills; what was never seen is refused */
    c.like = d;
    held = csv_of(ctx, "id,age,city,income,risk\ny,,Oslo,,high\n", c);
    EXPECT_OK(ctx);
    EXPECT(at(held, 0, 0, 0) == 6 && at(held, 0, 0, 1) == 40 && at(held, 1, 0, 0) == 1 && at(held, 2, 0, 0) == 0);
    EXPECT(!csv_of(ctx, "id,age,city,income,risk\ny,1,Oslo,1,high\ny,1,Bonn,1,high\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT,
        "line 3, column 3 (counted from 1), \"city\": got 'Bonn', want one of the strings that .like has there");
    c.columns = "age";
    EXPECT(!csv_of(ctx, text, c));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, lacks("income", "no feature here"));
    c.columns = "income,age"; c.label = NULL; c.label_column = -1; /* a file without labels, like one with them */
    c.categories = "city";
    held = csv_of(ctx, "city,income,age,id\nOslo,,,z\nRome,1,2,z\n", c);
    EXPECT_OK(ctx);
    EXPECT(held && gtr_dataset_columns(held) == 2 && at(held, 0, 0, 0) == 6 && at(held, 0, 0, 1) == 40);
    EXPECT(held && at(held, 1, 0, 0) == 1 && at(held, 1, 1, 0) == 0 && gtr_dataset_classes(held) == 0);
    c.categories = NULL;
    EXPECT(!csv_of(ctx, "income,age\n1,2\n", c)); /* lacks a category, too */
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, lacks("city", "not in the file"));
    gtr_dataset *bare = csv_of(ctx, "income,age\n1,2\n", (c.like = NULL, c));
    c.like = bare; c.label_column = 0; c.columns = NULL;
    EXPECT(!csv_of(ctx, "income,age,y\n1,2,0\n", c)); /* the other way: a label more */
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "column 1 (features, categories, label) is \"y\" () int32, want none of .like");
    /* what is split off keeps the names */
    held = gtr_dataset_split(d, 2);
    EXPECT(held && gtr_dataset_classes(held) == 2 && named(gtr_dataset_category(held, 1, 1), "Oslo") && named(
        gtr_dataset_class(held, 0), "high"));
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
/* A file like another whose holes are filled as that one's are, or would be, and in its unit. */
static void like_fills(void)
{
    static const gtr_missing none[] = { GTR_MISSING_ERROR, GTR_MISSING_DROP };
    static const char holes[] = "a,b,y\nNA,20,0\n1000,20,0\n2000,NA,1\n";
    gtr_context *ctx = gtr_create(desc0());
    gtr_csv_desc c = csv0();
    gtr_dataset *train, *d;
    for (int k = 0; k < 2; k++) for (int median = 0; median < 2; median++) { /* it has none: of its own rows */
        c = csv0();
        c.missing = none[k];
        train = csv_of(ctx, k ? "a,b,y\n10,20,0\nNA,9,1\n30,40,1\n95,60,1\n" : "a,b,y\n10,20,0\n30,40,1\n95,60,1\n", c);
        c.like = train; c.missing = median ? GTR_MISSING_MEDIAN : GTR_MISSING_MEAN;
        d = csv_of(ctx, holes, c);
        EXPECT_OK(ctx);
        EXPECT(d && at(d, 0, 0, 0) == (median ? 30 : 45) && at(d, 0, 2, 1) == 40 && at(d, 0, 1, 0) == 1000);
    }
    c = csv0();
    c.missing = GTR_MISSING_MEAN;
    train = csv_of(ctx, "a,b,y\n10,20,0\nNA,9,1\n30,40,1\n", c);
    c.like = train; c.missing = GTR_MISSING_ERROR; /* handed on by a file that has none */
    c.like = csv_of(ctx, "a,b,y\n7,8,0\n", c); c.missing = GTR_MISSING_MEAN;
    d = csv_of(ctx, holes, c);
    EXPECT(d && at(d, 0, 0, 0) == 20 && at(d, 0, 2, 1) == 23);
    c = csv0();
    c.missing = GTR_MISSING_MEAN; c.scale = 0.5f; /* the unit, too, and of what is split off */
    train = csv_of(ctx, "a,b,y\n10,20,0\nNA,9,1\n30,40,1\n", c);
    c.scale = 0;
    for (int k = 0; k < 2; k++) {
        c.like = k ? gtr_dataset_split(train, 2) : train;
        d = csv_of(ctx, holes, c);
        EXPECT_OK(ctx);
        EXPECT(d && at(d, 0, 0, 0) == 10 && at(d, 0, 1, 0) == 500 && at(d, 0, 1, 1) == 10);
    }
    c.scale = 1; /* a file in the other's unit: what is said counts, and both may be joined */
    d = csv_of(ctx, holes, c);
    EXPECT(d && at(d, 0, 0, 0) == 10 && at(d, 0, 1, 0) == 1000);
    gtr_dataset *both[2] = { train, d };
    d = gtr_dataset_concat(ctx, both, 2);
    EXPECT_OK(ctx);
    EXPECT_EQ(gtr_dataset_rows(d), 3 + 2);
    /* rows of a callback lie nowhere: what fills holes is counted of the file's own */
    gtr_callback_desc made;
    memset(&made, 0, sizeof made);
    made.rows = 2; made.columns = 2; made.fill = nothing;
    made.column[0].shape = gtr_shape1(2); made.column[1].dtype = GTR_I32;
    c.like = gtr_dataset_callback(ctx, made);
    for (int k = 0; k < 2; k++) {
        d = csv_of(ctx, k ? holes : "a,b,y\n3,4,0\n", c);
        EXPECT_OK(ctx);
        EXPECT(d && at(d, 0, 0, 1) == (k ? 20 : 4));
    }
    c = csv0();
    c.missing = GTR_MISSING_CONSTANT; c.missing_value = -1; /* what fills it is like's, whatever is said now */
    c.like = csv_of(ctx, "a,b,y\n10,20,0\n", c); c.missing_value = 0;
    d = csv_of(ctx, holes, c);
    EXPECT(d && at(d, 0, 0, 0) == -1 && at(d, 0, 2, 1) == -1);
    /* categories of which the header leaves some without a name are by their places */
    c = csv0();
    c.categories = "1,2";
    c.like = csv_of(ctx, "k,,x,y\na,b,1,0\nc,d,2,1\n", c);
    d = csv_of(ctx, "k,,x,y\nc,d,1,0\n", c);
    EXPECT_OK(ctx);
    EXPECT(d && at(d, 1, 0, 0) == 1 && at(d, 2, 0, 0) == 1);
    const gtr_float x1[2] = { 3, 4 };
    const int32_t ids[2][2] = { { 1, 0 }, { 0, 2 } }, classes[2] = { 0, 1 };
    const void *rows[4] = { x1, ids[0], ids[0], classes }, *far[4] = { x1, ids[0], ids[1], classes };
    EXPECT_EQ(gtr_dataset_append(d, rows, 2), GTR_OK);
    EXPECT_EQ(gtr_dataset_append(d, far, 2), GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "row 1 has 2 in column 2, want a number of one of its 2 strings");
    EXPECT_EQ(gtr_dataset_rows(d), 3);
    gtr_destroy(ctx);
}
/* A validation set whose classes, categories or features have other names, or another order, than what is learned
   from is refused, whatever feeds no input aside; read .like it, it is not. */
static void validated_alike(void)
{
    static const char *const texts[] = { "a,b,k,y\n1,2,u,no\n3,4,v,yes\n", "a,b,k,y\n1,2,u,yes\n3,4,v,yes\n",
        "b,a,k,y\n1,2,u,no\n3,4,v,yes\n", "a,b,k,y\n1,2,v,no\n3,4,u,yes\n", "a,b,k,y\n1,2,u,no\n" };
    static const char *const why[] = { "", "column 2 of validation (", "column 0 of validation (",
        "column 1 of validation (", "" };
    for (int like = 0; like < 2; like++) for (int k = 0; k < 5; k++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 2));
        gtr_tensor *id = gtr_input(ctx, "k", GTR_I32, gtr_shape1(GTR_BATCH));
        gtr_tensor *y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
        gtr_tensor *h = gtr_add(gtr_linear(x, "fc", 2), gtr_embedding(id, "e", 2, 2));
        gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(h, y), trainer0());
        gtr_csv_desc c = csv0();
        gtr_fit_desc f;
        c.label = "y"; c.categories = "k";
        gtr_dataset *d = csv_of(ctx, texts[0], c);
        if (like) c.like = d;
        memset(&f, 0, sizeof f);
        f.epochs = 1; f.batch = 2; f.silent = true; f.validation = csv_of(ctx, texts[k], c);
        EXPECT_OK(ctx);
        EXPECT_EQ(gtr_fit(t, d, f), like || !*why[k] ? GTR_OK : GTR_ERR_SHAPE);
        EXPECT_ERROR(ctx, like || !*why[k] ? GTR_OK : GTR_ERR_SHAPE, like ? "" : why[k]);
        EXPECT_EQ(gtr_trainer_report(t).step, like || !*why[k]);
        float loss; /* the same of what is evaluated */
        gtr_metrics_desc m;
        memset(&m, 0, sizeof m);
        m.scores = h; m.labels = y;
        EXPECT_EQ(gtr_trainer_data(t, d, 2, false, false), GTR_OK);
        for (int i = 0; i < 2; i++) {
            EXPECT_EQ(i ? gtr_evaluate_metrics(t, f.validation, m, NULL) : gtr_evaluate(t, f.validation, 1, NULL, &loss,
                NULL), like || !*why[k] ? GTR_OK : GTR_ERR_SHAPE);
            EXPECT_ERROR(ctx, like || !*why[k] ? GTR_OK : GTR_ERR_SHAPE, like || !*why[k] ? ""
                : "does not mean what that of ");
        }
        gtr_destroy(ctx);
    }
    gtr_context *ctx = gtr_create(desc0());
    gtr_csv_desc c = csv0();
    c.label = "y"; c.categories = "k";
    c.like = csv_of(ctx, texts[0], c);
    c.label = "4"; c.categories = "3"; c.header = false; /* which has like's names then */
    gtr_dataset *d = csv_of(ctx, "5,6,v,yes\n", c);
    EXPECT_OK(ctx);
    EXPECT(d && gtr_dataset_column(d, "k") == 1 && gtr_dataset_column(d, "y") == 2 && at(d, 1, 0, 0) == 1);
    /* one name where one is wanted, and commas between several */
    c = csv0();
    c.label = "b,y";
    EXPECT(!csv_of(ctx, texts[0], c));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, ".label is \"b,y\", want one column");
    c.label = "y\r\n"; c.skip = "k,b\n"; /* lines of a file of names */
    EXPECT_EQ(gtr_dataset_shape(csv_of(ctx, texts[0], c), 0).dim[0], 1);
    EXPECT_OK(ctx);
    c.label = "y"; c.skip = "k\n,b";
    EXPECT(!csv_of(ctx, texts[0], c));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "want columns in one line, commas between them");
    gtr_destroy(ctx);
}
/* Windows have the names of their series' features. */
static void validated_windows(void)
{
    for (int like = 0; like < 2; like++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 4));
        gtr_tensor *y = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 2));
        gtr_trainer *t = gtr_trainer_create(gtr_mse(gtr_linear(x, "fc", 2), y), trainer0());
        gtr_csv_desc c = csv0();
        gtr_windows_desc w;
        gtr_fit_desc f;
        c.label_column = -1;
        memset(&w, 0, sizeof w);
        memset(&f, 0, sizeof f);
        w.history = 2; w.horizon = 1;
        gtr_dataset *d = csv_of(ctx, "a,b\n1,2\n3,4\n5,6\n7,8\n", c);
        if (like) c.like = d;
        gtr_dataset *held = csv_of(ctx, "b,a\n2,1\n4,3\n6,5\n", c);
        f.epochs = 1; f.batch = 2; f.silent = true;
        f.validation = gtr_dataset_windows(held, w);
        EXPECT_OK(ctx);
        EXPECT_EQ(gtr_fit(t, gtr_dataset_windows(d, w), f), like ? GTR_OK : GTR_ERR_SHAPE);
        EXPECT_ERROR(ctx, like ? GTR_OK : GTR_ERR_SHAPE, like ? "" : "names of features");
        gtr_destroy(ctx);
    }
}
/* A file like another by their headers: columns may stand in another order, and are of the same names. */
static void like_by_name(void)
{
    gtr_context *ctx = gtr_create(desc0());
    gtr_csv_desc c = csv0();
    c.label = "y"; c.categories = "u,v"; c.missing = GTR_MISSING_MEAN;
    gtr_dataset *d = csv_of(ctx, "age,u,height,v,y\n30,a,180,c,0\n40,b,,d,1\n", c), *e;
    EXPECT_OK(ctx);
    c.like = d;
    for (int k = 0; k < 3; k++) {
        c.categories = k ? "v,u" : "u,v"; c.columns = k == 2 ? "height,age" : NULL;
        e = csv_of(ctx, "y,v,height,\"age\",u\n1,d,170,20,b\n0,c,,,a\n", c);
        EXPECT_OK(ctx);
        EXPECT(e && at(e, 0, 0, 0) == 20 && at(e, 0, 0, 1) == 170 && at(e, 0, 1, 0) == 35 && at(e, 0, 1, 1) == 180);
        EXPECT(e && at(e, 1, 0, 0) == 1 && at(e, 2, 0, 0) == 1 && at(e, 2, 1, 0) == 0 && at(e, 3, 0, 0) == 1);
    }
    c.columns = NULL;
    EXPECT(!csv_of(ctx, "age,u,weight,v,y\n30,a,80,c,0\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, lacks("height", "not in the file"));
    EXPECT(!csv_of(ctx, "age,u,height,v,weight,y\n30,a,180,c,80,0\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "column 5 (counted from 1), \"weight\", is no feature of .like (");
    c.categories = "u";
    EXPECT(!csv_of(ctx, "age,u,height,y\n30,a,180,0\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, lacks("v", "not in the file"));
    c.categories = "u,v,w";
    EXPECT(!csv_of(ctx, "age,u,height,v,w,y\n30,a,180,c,c,0\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "3 .categories, want the 2 of .like (");
    /* its categories, label and dates, where none are said */
    for (int k = 0; k < 2; k++) {
        c.categories = k ? "u,v" : NULL; c.label = NULL;
        e = csv_of(ctx, "y,v,u,age,height\n1,d,a,30,180\n", c);
        EXPECT_OK(ctx);
        EXPECT(e && at(e, 0, 0, 1) == 180 && at(e, 1, 0, 0) == 0 && at(e, 2, 0, 0) == 1 && at(e, 3, 0, 0) == 1);
    }
    c.categories = NULL;
    e = csv_of(ctx, "z,v,age,u,height,other\n7,d,30,a,180,1\n", (c.skip = "z", c)); /* a label of another name */
    EXPECT_OK(ctx);
    EXPECT(e && at(e, 3, 0, 0) == 1 && at(e, 2, 0, 0) == 1);
    c.skip = NULL;
    EXPECT(!csv_of(ctx, "v,age,u,height\nd,30,a,180\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, lacks("height", "the label here (.label names another)"));
    c.label_column = -1;
    e = csv_of(ctx, "v,age,u,height\nd,30,a,180\n", c);
    EXPECT(e && gtr_dataset_columns(e) == 3 && at(e, 0, 0, 1) == 180);
    EXPECT(!csv_of(ctx, "v,age,u,height,y\nd,30,a,180,1\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "column 5 (counted from 1), \"y\", is no feature of .like (");
    EXPECT(!csv_of(ctx, "v,v,age,u,height\nd,d,30,a,180\n", c)); /* which of them is not known */
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, lacks("v", "none of .categories"));
    c.label_column = 0;
    gtr_csv_desc dated = csv0();
    dated.dates = "t";
    dated.like = csv_of(ctx, "t,a,y\n2024-01-31,5,x\n2024-01-31,5,z\n", dated);
    dated.dates = NULL;
    e = csv_of(ctx, "y,a,t\nz,6,2025-02-28\n", dated);
    EXPECT_OK(ctx);
    EXPECT(e && at(e, 0, 0, 0) == 2025 && at(e, 0, 0, 4) == 6 && at(e, 1, 0, 0) == 1);
    EXPECT(!csv_of(ctx, "t,a,y,more\n2025-02-29,6,z,1\n", dated));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "column 4 (counted from 1), \"more\", is no feature of .like (");
    c.categories = "u,v";
    /* what is split off knows the names; without a header, or with two alike, columns are by their places */
    gtr_dataset *part = gtr_dataset_split(d, 2);
    c.like = part; c.label = "y";
    e = csv_of(ctx, "height,age,u,v,y\n1,2,a,c,0\n", c);
    EXPECT(e && at(e, 0, 0, 0) == 2 && at(e, 0, 0, 1) == 1);
    c = csv0();
    c.label_column = -1;
    c.like = csv_of(ctx, "a,a\n1,2\n", c);
    e = csv_of(ctx, "b,a\n3,4\n", c);
    EXPECT(e && at(e, 0, 0, 0) == 3);
    c.header = false;
    e = csv_of(ctx, "3,4\n", c);
    EXPECT(e && at(e, 0, 0, 1) == 4);
    /* sets of other names are not joined */
    c = csv0();
    c.label_column = -1;
    gtr_dataset *two[2] = { csv_of(ctx, "a,b\n1,2\n", c), csv_of(ctx, "b,a\n1,2\n", c) };
    EXPECT(!gtr_dataset_concat(ctx, two, 2));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "names of features");
    gtr_destroy(ctx);
}
/* What a table's errors show of it, and what they propose. */
static void what_was_found(void)
{
    static const char *const texts[][2] = { { "a,b,y\r1,2,0\r", "lines end in a carriage return alone" },
        { "a,b,y\n1,gr\xc3\xbcn,0\n", "got 'gr\xc3\xbcn', want a number" },
        { "a,b,y\n1,\xff z,0\n", "got '? z', want a number" },
        { "a,b,y\n1,x\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
          "\xc3\xa4\xc3\xa4,0\n",
          "got 'x\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4...', want" },
        { "a,b,y\n1,\"1,234.5\",0\n", "got '1,234.5', want a number (.missing" },
        { "a,b,y\n1,\"1,5\",0\n", "got '1,5', want a number (.decimal may be ',')" } };
    gtr_context *ctx = gtr_create(desc0());
    for (int k = 0; k < 6; k++) {
        EXPECT(!csv_of(ctx, texts[k][0], csv0()));
        EXPECT_ERROR(ctx, k ? GTR_ERR_FORMAT : GTR_ERR_ARG, texts[k][1]);
    }
    gtr_destroy(ctx);
}
/* Rows that are left out: for a hole in what is looked at, or in the label alone; strings of theirs have no number. */
static void dropped(void)
{
    gtr_context *ctx = gtr_create(desc0());
    static const char text[] = "id,age,city,risk\r\n,30,Lima,\r\n,40,Rome,high\r\nx,NA,\"Os\nlo\",low\r\n,7,,high\r\n"
        "y,50,Oslo,?\r\nz,60,Bonn,low";
    gtr_csv_desc c = csv0();
    c.skip = "id"; c.categories = "city"; c.missing = GTR_MISSING_DROP;
    gtr_dataset *d = csv_of(ctx, text, c);
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_rows(d) == 2 && at(d, 0, 0, 0) == 40 && at(d, 0, 1, 0) == 60);
    EXPECT(gtr_dataset_categories(d, 1) == 2 && named(gtr_dataset_category(d, 1, 0), "Rome")
        && named(gtr_dataset_category(d, 1, 1), "Bonn"));
    EXPECT(gtr_dataset_classes(d) == 2 && named(gtr_dataset_class(d, 0), "high") && at(d, 2, 1, 0) == 1);
    c.like = d;
    d = csv_of(ctx, "id,age,city,risk\n,1,Rome,low\n,1,Lima,\n", c);
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_rows(d) == 1 && at(d, 2, 0, 0) == 1);
    c.like = NULL; c.missing = GTR_MISSING_MEAN; c.drop_unlabelled = true;
    d = csv_of(ctx, text, c);
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_rows(d) == 4 && gtr_dataset_classes(d) == 2 && gtr_dataset_categories(d, 1) == 4);
    EXPECT(at(d, 0, 1, 0) == (40 + 7 + 60) / 3.0f && at(d, 0, 3, 0) == 60 && named(gtr_dataset_category(d, 1, 1),
        "Os\nlo"));
    c = csv0();     /* numbers as labels; no label, where there is none to miss */
    c.drop_unlabelled = true; c.regression = true;
    d = csv_of(ctx, "a,b\n1,\n2,5\n3,NaN\n", c);
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_rows(d) == 1 && at(d, 0, 0, 0) == 2 && at(d, 1, 0, 0) == 5);
    c.regression = false; c.label_column = -1;
    d = csv_of(ctx, "a,b\n1,4\n2,5\n", c);
    EXPECT_OK(ctx);
    EXPECT_EQ(gtr_dataset_rows(d), 2);
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
        { T, NULL, "b,2", NULL, NULL, 0, GTR_ERR_ARG, ".skip lists column 2 (b), which is listed already" },
        { T, NULL, "c", NULL, NULL, 0, GTR_ERR_ARG, ".skip lists column 3 (c), which is the label already" },
        { T, NULL, "a,b", NULL, NULL, 0, GTR_ERR_ARG, "no column is left" },
        { T, "a,c", NULL, NULL, NULL, 0, GTR_ERR_ARG, ".columns lists column 3 (c), which is the label already (.label "
            "says another, .label_column -1 none)" },
        { "a,b,a,y\n1,2,3,0\n", NULL, NULL, "1,3", NULL, 0, GTR_ERR_ARG,
            "columns 1 and 2 (from 0) are both called \"a\", want a name for each" },
        { "a,b\n\"1,5\",0\n", NULL, NULL, NULL, NULL, 0, GTR_ERR_FORMAT,
            "got '1,5', want a number (.decimal may be ',')" },
        { T, "\"a", NULL, NULL, NULL, 0, GTR_ERR_FORMAT, "a quote that nothing closes" },
        { T, NULL, NULL, NULL, NULL, 9, GTR_ERR_ARG, ".missing is 9, no gtr_missing" },
        { "a,b\n1,0\n,1\n", NULL, NULL, NULL, NULL, 0, GTR_ERR_FORMAT,
            "line 3, column 1 (counted from 1), \"a\": a blank "
            "field, want a number (.missing" },
        { "a,b\n?,0\n,1\n", NULL, NULL, NULL, NULL, 1, GTR_ERR_FORMAT,
            "column 1 (counted from 1) has no value at all" },
        { "a,b\n1,0\n1,\n", NULL, NULL, NULL, NULL, 1, GTR_ERR_FORMAT,
            "line 3, column 2 (counted from 1), \"b\": a blank "
            "field, want a class" },
        { "a,b\n1,u\n1,\n", NULL, NULL, NULL, NULL, 1, GTR_ERR_FORMAT,
            "a blank field, want a label (.drop_unlabelled leaves such rows out)" },
        { "a,b\n1,0\n1,x\n", NULL, NULL, NULL, NULL, 1, GTR_ERR_FORMAT,
            "got 'x', want a class: a whole number from 0 to 2147483647" },
        { "a,b\n1,0\n,0\n", NULL, NULL, "a", NULL, 0, GTR_ERR_FORMAT,
            "a blank field, want a string (.missing makes a string of it, or leaves such rows out)" },
        { "a,b\n1,NA\n,0\n", NULL, NULL, NULL, NULL, GTR_MISSING_DROP, GTR_ERR_ARG, "each row has a hole" },
        { "a,b\n1,NA\n2,0,5\n", NULL, NULL, NULL, NULL, GTR_MISSING_DROP, GTR_ERR_FORMAT, "line 3 has 3 columns" },
        { "a,b,c\n1,NA,5\n2,0\n", NULL, NULL, NULL, NULL, GTR_MISSING_DROP, GTR_ERR_FORMAT,
            "line 3 has 2 columns, want 3 as line 2 has" },
        { "a,b,c\n1,2,3,0\n", NULL, NULL, NULL, NULL, 0, GTR_ERR_FORMAT,
            "line 2 has 4 columns, want 3 as the header in line 1 has" },
        { "a,b,a,y\n1,2,3,0\n", "b,a", NULL, NULL, NULL, 0, GTR_ERR_ARG,
            ".columns names \"a\", as columns 1 and 3 are called: want the number" },
        { "a;b,c\n1;2,0\n", NULL, NULL, NULL, NULL, 0, GTR_ERR_FORMAT, "got '1;2', want a number (.separator may be" },
        { "\xff\xfe" "a", NULL, NULL, NULL, NULL, 0, GTR_ERR_FORMAT, "UTF-16, want CSV in UTF-8" },
        { "a,b\n1,0.5\n2,1.5\n", NULL, NULL, NULL, NULL, 0, GTR_ERR_FORMAT, "any with .regression, no label with" },
        { "a,b\n1,5\n2,NA,\n", NULL, NULL, NULL, NULL, GTR_MISSING_DROP, GTR_ERR_FORMAT, "line 3 has 3 columns" },
        { "a,b\n\"1\n\",\n,\nx,1\n", NULL, NULL, NULL, NULL, GTR_MISSING_DROP, GTR_ERR_FORMAT, "line 5, column 1" },
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
        { "a,b,c\n1,0\n2,0\n", "a", NULL, NULL, NULL, 0, GTR_ERR_FORMAT,
            "line 2 has 2 columns, want 3 as the header in line 1 has" },
        { "title\n1,0\n2,0\n", "a", NULL, NULL, NULL, 0, GTR_ERR_ARG,
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
    for (int k = 2; k < 17; k++) sprintf(many + strlen(many), ",%d", k);
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
        gtr_predictor *back = gtr_predictor_create(gtr_unstandardise(z, "norm"), ROWS); /* as it was */
        gtr_float was[ROWS][3];
        EXPECT_EQ(gtr_predict(back, v, ROWS, was), GTR_OK);
        for (int r = 0; r < ROWS; r++) CHECK(fabs((double)(was[r][0] - v[r][0])) < 0.01 && was[r][2] == 7
            && fabs((double)(was[r][1] - v[r][1])) < 1e-9, "row %d: %g %g", r, (double)was[r][0], (double)was[r][1]);
        gtr_predictor_destroy(back);
        EXPECT(!gtr_unstandardise(NULL, "norm"));
        EXPECT(!gtr_unstandardise(gtr_linear(z, "narrow", 1), "norm")); /* would be (N, 3) */
        EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "gtr_unstandardise \"norm\" of ");
        EXPECT(!gtr_unstandardise(gtr_linear(z, "two", 2), "norm"));
        EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "got float32 (N, 2), want a last extent of 3 as \"norm.std\" has");
        if (d) {
            gtr_float with[ROWS][3];
            memcpy(with, v, sizeof v);
            with[5][1] = NAN;
            a.column[0].data = with; a.column[0].borrow = true;
            gtr_dataset *holes = gtr_dataset_arrays(ctx, a);
            EXPECT(!gtr_standardise(x, "holes", holes, 0));
            EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, "column 0 of gtr_dataset_arrays, of which an element 1 is not finite");
            gtr_dataset_destroy(holes);
        }
        gtr_scope_begin(ctx, "in");
        gtr_tensor *n = gtr_standardise(gtr_input(ctx, "n", GTR_F32, gtr_shape1(GTR_BATCH)), "norm", NULL, 0);
        EXPECT(n && gtr_unstandardise(n, "norm"));
        gtr_scope_end(ctx);
        if (k) {
            EXPECT(!gtr_unstandardise(n, "norm")); /* there that is of three */
            EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "");
        }
        for (int i = 0; i < 3 && !k; i++) {
            gtr_trainer_desc t = trainer0();
            gtr_float got[ROWS][3];
            t.precision = precisions[i];
            char name[8] = "fc0";
            name[2] = (char)('0' + i);
            gtr_keep(z);
            gtr_trainer *trainer = gtr_trainer_create(gtr_mean(gtr_square(gtr_linear(z, name, 2)), NULL, 0, false), t);
            if (!trainer && gtr_error(ctx) == GTR_ERR_UNSUPPORTED) {        /* BF16 before sm_80 */
                SKIP("%s", gtr_error_text(ctx));
                gtr_error_clear(ctx);
                continue;
            }
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
            EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "want float32 (N, ..., C) and a column of rows (..., C)");
            EXPECT(!gtr_standardise(x, "norm", d, 0));
            EXPECT_ERROR(ctx, GTR_ERR_ARG, "one of this name");
        }
        gtr_destroy(ctx);
    }
    EXPECT(!memcmp(out[0], out[1], sizeof out[0]));
    unlink(file);
}
static gtr_npy_desc npy0(void) { gtr_npy_desc d; memset(&d, 0, sizeof d); return d; }
static gtr_dataset *npy_of(gtr_context *ctx, const void *bytes, size_t n, gtr_npy_desc d)
{
    const char *const path = written("npy", bytes, n);
    gtr_dataset *made = gtr_dataset_npy(ctx, &path, 1, d);
    unlink(path);
    return made;
}
static gtr_dataset *npz_of(gtr_context *ctx, const void *bytes, size_t n, const char *which)
{
    gtr_npy_desc d = npy0();
    d.arrays = which;
    gtr_dataset *made = gtr_dataset_npz(ctx, written("npz", bytes, n), d);
    unlink(path_of("npz"));
    return made;
}
/* What numpy.save wrote: each dtype, versions 1 to 3, both orders. */
static void arrays_of_numpy(void)
{
    gtr_context *ctx = gtr_create(desc0());
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) for (int floats = 0; floats < 2; floats++) {
        gtr_npy_desc n = npy0();
        n.floats = floats;
        gtr_dataset *d = npy_of(ctx, arrays[k].bytes, (size_t)arrays[k].size, n);
        EXPECT_OK(ctx);
        const bool bytes = arrays[k].kind == 'u' || arrays[k].kind == 'b';
        EXPECT_EQ(gtr_dataset_dtype(d, 0), bytes ? GTR_U8 : floats || arrays[k].kind == 'f' ? GTR_F32 : GTR_I32);
        EXPECT(gtr_dataset_rows(d) == arrays[k].shape[0] && gtr_dataset_shape(d, 0).ndim == arrays[k].ndim - 1);
        for (int i = 1; i < arrays[k].ndim; i++) EXPECT_EQ(gtr_dataset_shape(d, 0).dim[i - 1], arrays[k].shape[i]);
        for (int i = 0; d && i < arrays[k].count; i++)
            CHECK(at(d, 0, 0, i) == (double)arrays[k].want[i], "array %d, element %d is %g, want %g", (int)k, i,
                at(d, 0, 0, i), (double)arrays[k].want[i]);
        if (d) EXPECT(d->column[0].scale == (arrays[k].kind == 'u' ? 1 / 255.0f : 1));
        gtr_dataset_destroy(d);
    }
    gtr_dataset *d = npz_of(ctx, stored, sizeof stored - 1, NULL);
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_columns(d) == 3 && named(d->column[0].name, "image") && named(d->column[1].name, "label")
        && named(
        d->column[2].name, "weight"));
    EXPECT(gtr_dataset_dtype(d, 0) == GTR_U8 && at(d, 0, 2, 3) == 11 && at(d, 1, 0, 0) == 2 && at(d, 2, 2, 0) == 2.5);
    d = npz_of(ctx, stored, sizeof stored - 1, "weight, image");
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_columns(d) == 2 && !d->column[0].name && at(d, 0, 1, 0) == 1.5 && at(d, 1, 1, 0) == 4);
    EXPECT(!npz_of(ctx, stored, sizeof stored - 1, "x"));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "there is no array \"x\"");
    EXPECT(!npz_of(ctx, squeezed, sizeof squeezed - 1, NULL));
    EXPECT_ERROR(ctx, GTR_ERR_UNSUPPORTED, "member image.npy is compressed");
    const char *two[2];
    two[0] = written("a", arrays[0].bytes, (size_t)arrays[0].size);
    two[1] = written("b", arrays[1].bytes, (size_t)arrays[1].size);
    EXPECT(!gtr_dataset_npy(ctx, two, 2, npy0()));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "2 rows, want 3 as ");
    EXPECT(gtr_dataset_columns(gtr_dataset_npy(ctx, (const char *const[]){ two[0], two[0] }, 2, npy0())) == 2);
    EXPECT(!gtr_dataset_npz(ctx, two[0], npy0()));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "no .npz file");
    unlink(two[0]);
    unlink(two[1]);
    EXPECT(!gtr_dataset_npy(ctx, two, 1, npy0()));
    EXPECT_ERROR(ctx, GTR_ERR_IO, "opening failed");
    EXPECT(!gtr_dataset_npy(ctx, NULL, 1, npy0()) && !gtr_dataset_npy(ctx, two, 0, npy0()) && !gtr_dataset_npy(ctx,
        two, 17,
        npy0()) && !gtr_dataset_npz(ctx, NULL, npy0()) && !gtr_dataset_npy(NULL, two, 1, npy0()));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "want 1 to 16");
    two[1] = NULL;
    EXPECT(!gtr_dataset_npy(ctx, two, 2, npy0()));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_dataset_npy: path 1 is NULL");
    gtr_destroy(ctx);
}
/* A file of this dict and these bytes behind it. */
static size_t npy_made(char *to, int version, const char *dict, const void *data, size_t n)
{
    const size_t head = strlen(dict), at = version > 1 ? 12 : 10;
    memcpy(to, "\x93NUMPY", 6);
    to[6] = (char)version; to[7] = 0;
    for (size_t k = 8; k < at; k++) to[k] = (char)(head >> 8 * (k - 8) & 255);
    memcpy(to + at, dict, head);
    memcpy(to + at + head, data, n);
    return at + head + n;
}
/* The same of data as this machine has them. */
static size_t npy_here(char *to, const char *dict, const void *data, size_t n)
{
    const size_t size = npy_made(to, 1, dict, data, n);
    char *order = strchr(to + 10, '<');
    if (order && gtr__big_endian()) *order = '>';
    return size;
}
#define DICT(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"
static void refused_arrays(void)
{
    char older[512];
    static const double zeros[8];
    static const struct { const char *dict; int version; size_t bytes; gtr_result want; const char *part; } cases[] = {
        { DICT("'<f4'", "False", "(2,)"), 1, 8, GTR_OK, "" },
        { "{'shape':(2,),'fortran_order':False,'descr':'<f4'}", 1, 8, GTR_OK, "" },
        { DICT("'<f4'", "False", "(2,)"), 0, 8, GTR_ERR_FORMAT, "version 0.0" },
        { DICT("'<f4'", "False", "(2,)"), 4, 8, GTR_ERR_FORMAT, "version 4.0 of .npy, want 1.0 to 3.0" },
        { DICT("'<f4'", "False", "(2,)"), 1, 7, GTR_ERR_FORMAT, "7 bytes of data, want 8 from its shape" },
        { DICT("'<f4'", "False", "(2,)"), 1, 9, GTR_ERR_FORMAT, "9 bytes of data" },
        { DICT("'<f4'", "False", "()"), 1, 4, GTR_ERR_UNSUPPORTED, "0 dimensions" },
        { DICT("'<f4'", "False", "(0, 3)"), 1, 0, GTR_ERR_ARG, "dimension 0 is 0" },
        { DICT("'<f4'", "False", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), 1, 4, GTR_ERR_UNSUPPORTED, "9 dimensions" },
        { DICT("'<f4'", "False", "(1, 1, 1, 1, 1, 1, 1, 1, 1, 1)"), 1, 4, GTR_ERR_UNSUPPORTED, "10 dimensions" },
        { DICT("'<f4'", "False", "(4294967296, 4294967296, 4)"), 1, 4, GTR_ERR_FORMAT, "overflows" },
        { DICT("'<f4'", "False", "(99999999999999999999,)"), 1, 4, GTR_ERR_FORMAT, "no dict" },
        { DICT("'|O'", "False", "(1,)"), 1, 8, GTR_ERR_UNSUPPORTED, "dtype |O, supported are" },
        { DICT("'>f4'", "False", "(1,)"), 1, 4, GTR_OK, "" },
        { DICT("'|f4'", "False", "(1,)"), 1, 4, GTR_ERR_UNSUPPORTED, "dtype |f4" },
        { DICT("'>u1'", "False", "(1,)"), 1, 1, GTR_ERR_UNSUPPORTED, "dtype >u1" },
        { DICT("'<f4'", "False", "(2L,)"), 1, 8, GTR_OK, "" }, /* Python 2's */
        { DICT("'<f4'", "False", "(1L, 2L)"), 1, 8, GTR_OK, "" },
        { DICT("'<f4'", "False", "(L,)"), 1, 8, GTR_ERR_FORMAT, "no dict" },
        { DICT("'<f4'", "False", "(2LL,)"), 1, 8, GTR_ERR_FORMAT, "no dict" },
        { DICT("'<c8'", "False", "(1,)"), 1, 8, GTR_ERR_UNSUPPORTED, "dtype <c8" },
        { DICT("'<U3'", "False", "(1,)"), 1, 12, GTR_ERR_UNSUPPORTED, "dtype <U3" },
        { DICT("[('a', '<f4')]", "False", "(1,)"), 1, 4, GTR_ERR_UNSUPPORTED, "dtype of a structure" },
        { DICT("'<f4", "False", "(1,)"), 1, 4, GTR_ERR_FORMAT, "no dict" },
        { DICT("'<f4'", "false", "(1,)"), 1, 4, GTR_ERR_FORMAT, "no dict" },
        { DICT("'<f4'", "False", "(1)"), 1, 4, GTR_ERR_FORMAT, "no dict" },
        { DICT("'<f4'", "False", "(1 1)"), 1, 4, GTR_ERR_FORMAT, "no dict" },
        { DICT("'<f4'", "False", "(-1,)"), 1, 4, GTR_ERR_FORMAT, "no dict" },
        { "{'descr': '<f4', 'shape': (1,)}", 1, 4, GTR_ERR_FORMAT, "no dict" },
        { "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 1, 4, GTR_ERR_FORMAT, "no dict" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", 1, 4, GTR_ERR_FORMAT, "no dict" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", 1, 4, GTR_ERR_FORMAT, "no dict" },
        { "", 1, 4, GTR_ERR_FORMAT, "no dict" } };
    static const int64_t labels[] = { 1, -2147483648LL, 2147483648LL };
    static const double tall[] = { 1, -3e38, 2, 1e39 };
    gtr_context *ctx = gtr_create(desc0());
    char bytes[1024];
    size_t n;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        n = npy_made(bytes, cases[k].version, cases[k].dict, zeros, cases[k].bytes);
        EXPECT_EQ(npy_of(ctx, bytes, n, npy0()) != NULL, cases[k].want == GTR_OK);
        CHECK(cases[k].want == GTR_OK || strstr(gtr_error_text(ctx), ".npy"), "case %d: no file in '%s'", (int)k,
            gtr_error_text(ctx));
        if (!EXPECT_ERROR(ctx, cases[k].want, cases[k].part)) printf("     in case %d\n", (int)k);
    }
    for (size_t k = 0, all = strlen(cases[0].dict); k < all; k++) { /* the dict's rest is data: it is not read on */
        char part[128];
        snprintf(part, sizeof part, "%.*s", (int)k, cases[0].dict);
        n = npy_made(bytes, 1, part, cases[0].dict + k, all - k);
        EXPECT(!npy_of(ctx, bytes, n, npy0()));
        if (!EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "no dict")) printf("     '%s'\n", part);
    }
    EXPECT(npy_of(ctx, bytes, npy_made(bytes, 1, cases[0].dict, "  \n     ", 8), npy0()));
    EXPECT_ERROR(ctx, GTR_OK, "");
    n = npy_made(bytes, 1, cases[0].dict, zeros, 8);
    for (size_t k = 0; k < n; k++) {    /* cut anywhere */
        EXPECT(!npy_of(ctx, bytes, k, npy0()));
        EXPECT_ERROR(ctx, GTR_ERR_FORMAT, ".npy");
    }
    bytes[8] = 0x11; bytes[9] = 0x27;   /* 10001 */
    EXPECT(!npy_of(ctx, bytes, n, npy0()));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "a header of 10001 bytes");
    EXPECT(!npy_of(ctx, stored, sizeof stored - 1, npy0()));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "gtr_dataset_npz");
    n = npy_here(bytes, DICT("'<i8'", "False", "(3,)"), labels, sizeof labels);
    EXPECT(!npy_of(ctx, bytes, n, npy0()));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "column 0, row 2, element 0 is 2147483648, want one of");
    n = npy_here(bytes, DICT("'<f8'", "True", "(2, 2)"), tall, sizeof tall);
    EXPECT(!npy_of(ctx, bytes, n, npy0()) || sizeof(gtr_float) == 8);
    EXPECT_ERROR(ctx, sizeof(gtr_float) == 8 ? GTR_OK : GTR_ERR_NONFINITE, sizeof(gtr_float) == 8 ? ""
        : "column 0, row 1, element 1 is 1e+39, want a number within");
    const float holes[] = { 1, 2, 3, NAN };
    gtr_npy_desc any = npy0();
    n = npy_here(bytes, DICT("'<f4'", "False", "(2, 2)"), holes, sizeof holes);
    EXPECT(!npy_of(ctx, bytes, n, any));
    EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, "column 0, row 1, element 1 is nan");
    any.nonfinite = true;
    EXPECT(isnan(at(npy_of(ctx, bytes, n, any), 0, 1, 1)));
    any.scale = (float)INFINITY;
    EXPECT(!npy_of(ctx, bytes, n, any));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "finite numbers");
    /* archives: cut, and with each byte another one, they are read or refused */
    char zip[sizeof stored];
    for (size_t k = 0; k < sizeof stored - 1; k += small ? 17 : 1) {
        EXPECT(!npz_of(ctx, stored, k, NULL));
        EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "");
        memcpy(zip, stored, sizeof stored);
        zip[k] = (char)(zip[k] ^ 0x41);
        gtr_dataset *d = npz_of(ctx, zip, sizeof stored - 1, NULL);
        EXPECT((d != NULL) == (gtr_error(ctx) == GTR_OK));
        gtr_error_clear(ctx);
        gtr_dataset_destroy(d);
    }
    for (size_t k = 0; k + 9 < sizeof stored; k++) {      /* a bit of an array's last byte */
        if (memcmp(stored + k, "label.npy", 9)) continue;
        memcpy(zip, stored, sizeof stored);
        for (size_t n = k; n + 4 < sizeof stored; n++) if (!memcmp(zip + n, "PK\3\4", 4)) { zip[n - 1] ^= 1; break; }
        EXPECT(!npz_of(ctx, zip, sizeof stored - 1, NULL));
        EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "array label: its bytes have another checksum than they were stored with");
        break;
    }
    memcpy(zip, stored, sizeof stored);
    for (size_t k = 0; k + 9 < sizeof stored; k++) if (!memcmp(zip + k, "image.npy", 9)) memcpy(zip + k, "../ge", 5);
    EXPECT(!npz_of(ctx, zip, sizeof stored - 1, NULL));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "no name of an array");
    memcpy(zip, stored, sizeof stored);
    for (size_t k = 0; k + 9 < sizeof stored; k++) if (!memcmp(zip + k, "label.npy", 9)) memcpy(zip + k, "image", 5);
    EXPECT(!npz_of(ctx, zip, sizeof stored - 1, NULL));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "two arrays \"image\"");
    memcpy(zip, stored, sizeof stored);   /* an array of strings among them, in an archive without checksums */
    for (size_t k = 0; k + 20 < sizeof stored; k++) {
        if (!memcmp(zip + k, "PK\1\2", 4)) memset(zip + k + 16, 0, 4);
        if (!memcmp(zip + k, "'descr': '", 10)) memcpy(zip + k + 10, "<U", 2);
    }
    EXPECT(!npz_of(ctx, zip, sizeof stored - 1, NULL));
    EXPECT_ERROR(ctx, GTR_ERR_UNSUPPORTED, "(.arrays says which are wanted)");
    gtr_input(ctx, NULL, GTR_F32, gtr_shape1(-7));                              /* an older error keeps its text */
    snprintf(older, sizeof older, "%s", gtr_error_text(ctx));
    EXPECT(*older && !npz_of(ctx, zip, sizeof stored - 1, NULL));
    EXPECT(!strcmp(gtr_error_text(ctx), older));
    gtr_error_clear(ctx);
    any.scale = 0; any.map = true;
    EXPECT(!gtr_dataset_npz(ctx, "an archive", any));
    EXPECT_ERROR(ctx, GTR_ERR_UNSUPPORTED, "an archive: an archive is not mapped");
    gtr_destroy(ctx);
}
static char logged[512];
static void logger(gtr_level level, const char *text, void *user) {
    (void)user;
    if (level == GTR_LOG_WARNING) snprintf(logged, sizeof logged, "%s", text);
}
/* Doubles and long integers; the caller's own memory; what is not finite is told of. */
static void wide_arrays(void)
{
    static const double x[] = { 1.5, -2, 3, 1e300 };
    static const int64_t y[] = { 7, -1, 1LL << 31, 0 };
    gtr_float own[] = { 1, 2, 3, 4 }, holes[] = { 1, 2, 3, (gtr_float)NAN };
    gtr_desc cd = desc0();
    cd.log = logger;
    logged[0] = 0;          /* of the other device's run */
    gtr_context *ctx = gtr_create(cd);
    gtr_arrays_desc a;
    memset(&a, 0, sizeof a);
    a.rows = 2; a.column[0].data = x; a.column[0].dtype = GTR_F64; a.column[1].data = y; a.column[1].dtype = GTR_I64;
    gtr_dataset *d = gtr_dataset_arrays(ctx, a), *held;
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_dtype(d, 0) == GTR_F32 && at(d, 0, 0, 0) == 1.5 && gtr_dataset_dtype(d, 1) == GTR_I32
        && at(d, 1, 1, 0) == -1);
    a.rows = 4;
    if (sizeof(gtr_float) == 4) {
        EXPECT(!gtr_dataset_arrays(ctx, a));
        EXPECT_ERROR(ctx, GTR_ERR_NONFINITE, "column 0, row 3, element 0 is 1e+300");
    }
    a.rows = 3;
    EXPECT(!gtr_dataset_arrays(ctx, a));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "column 1, row 2, element 0 is 2147483648, want one of -2147483648 to 2147483647");
    a.column[0].borrow = true;
    EXPECT(!gtr_dataset_arrays(ctx, a));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "copied, GTR_I64 or GTR_F64");
    a.rows = 4; a.column[0].data = own; a.column[0].dtype = GTR_F32; a.column[1].data = NULL;
    d = gtr_dataset_arrays(ctx, a);
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_row(d, 0, 0) == (const void *)own && gtr_dataset_row(d, 0, 3) == (const void *)(own + 3));
    held = gtr_dataset_split(d, 2);     /* leaves the caller's memory alone */
    EXPECT(held && at(held, 0, 1, 0) == 4 && at(d, 0, 1, 0) == 3 && own[1] == 2);
    a.column[0].data = holes; a.column[0].borrow = false; a.column[0].name = "x";
    EXPECT(!logged[0]);
    EXPECT(gtr_dataset_arrays(ctx, a) != NULL);
    CHECK(strstr(logged, "column 0 \"x\", row 3, element 0 is nan"), "logged: '%s'", logged);
    gtr_destroy(ctx);
}
static const char *once(void) { static char was[512]; strcpy(was, logged); logged[0] = 0; return was; }
/* A whole number beyond 2^24 that float32 rounds is logged, once a column, with its place; what is exact is not. */
static void whole_numbers(void)
{
    static const double f[] = { 16777216, -3.5e22, 0.1, 33554436, -16777217, 1700000001 };
    static const int64_t v[] = { 16777216, 1LL << 40, -5, (1LL << 60) + 1025 },
        exact[] = { 1 << 24, -(1 << 25), 1LL << 40 };
    static const char head[] = "{'descr': '<i8', 'fortran_order': False, 'shape': (4,), }";
    unsigned char file[160];
    gtr_desc cd = desc0();
    gtr_csv_desc c;
    gtr_arrays_desc a;
    gtr_npy_desc n = npy0();
    memset(&c, 0, sizeof c);
    memset(&a, 0, sizeof a);
    cd.log = logger;
    gtr_context *ctx = gtr_create(cd);
    once();
    a.rows = 3; a.column[0].data = f; a.column[0].dtype = GTR_F64; a.column[0].name = "time";
    EXPECT(gtr_dataset_arrays(ctx, a) && !once()[0]);
    a.rows = 2; a.column[0].shape = gtr_shape1(3);
    EXPECT(gtr_dataset_arrays(ctx, a) != NULL);
    CHECK(strstr(logged, "gtr_dataset_arrays: column 0 \"time\", row 1, element 1 is -16777217, which float32 rounds "
        "to -16777216,"), "%s", logged);
    once();
    for (int k = 0; k < 2; k++) {
        memset(file, ' ', 128);
        memcpy(file, "\x93NUMPY\1\0\x76\0", 10);
        memcpy(file + 10, head, sizeof head - 1);
        file[127] = '\n';
        memcpy(file + 128, k ? v : exact, 24);
        memcpy(file + 152, k ? v + 3 : exact, 8);
        n.floats = true;
        EXPECT(npy_of(ctx, file, 160, n) != NULL);
        CHECK(k ? strstr(logged, "column 0, row 3, element 0 is 1152921504606848") != NULL : !logged[0], "%s", logged);
        once();
    }
    c.header = true; c.regression = true;
    EXPECT(csv_of(ctx, "id,y\n16777216,0\n1700000000.5,1\n1e10,2\n33554436.00,3\n", c) != NULL);
    CHECK(!logged[0], "%s", logged);
    EXPECT(csv_of(ctx, "a,id,y\n1,16777216,0\n1,1700000001,1\n1,1700000002,2\n", c) != NULL);
    CHECK(strstr(logged, "line 3, column 2 (counted from 1), \"id\" is 1700000001, which float32 rounds to 1700000000"),
        "%s", logged);
    once();
    EXPECT(csv_of(ctx, "id,y\n1,-16777217.0\n", c) && strstr(once(), "line 2, column 2 (counted from 1), \"y\" is "
        "-16777217"));
    c.regression = false; c.categories = "id";
    EXPECT(csv_of(ctx, "a,id,y\n1,1700000001,16777217\n", c) && !once()[0]);     /* kept as they are */
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* Whose mean and deviation are taken already is not split, nor is a copy of it. */
static void split_once_standardised(void)
{
    gtr_float v[20];
    int32_t y[20];
    int64_t all[20];
    gtr_arrays_desc a;
    gtr_ragged_desc w;
    memset(&a, 0, sizeof a);
    memset(&w, 0, sizeof w);
    for (int k = 0; k < 20; k++) { v[k] = (gtr_float)k; y[k] = k % 2; all[k] = k; }
    a.rows = 20; a.column[0].data = v; a.column[0].name = "x"; a.column[1].data = y; a.column[1].dtype = GTR_I32;
    gtr_context *ctx = gtr_create(desc0());
    gtr_dataset *d = gtr_dataset_arrays(ctx, a), *held = gtr_dataset_split(d, 4), *other = gtr_dataset_arrays(ctx, a);
    a.column[1].data = NULL;
    gtr_dataset *third = gtr_dataset_arrays(ctx, a), *both[2] = { other, d };
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape1(GTR_BATCH));
    EXPECT(!gtr_standardise(x, "n", d, 1));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "");
    EXPECT(held && gtr_dataset_split(d, 5));                 /* nothing was taken */
    EXPECT(gtr_standardise(x, "n", d, 0) != NULL);
    EXPECT_OK(ctx);
#define REFUSED(call) do { EXPECT(!(call)); EXPECT_ERROR(ctx, GTR_ERR_STATE, "a gtr_standardise has taken"); } while (0)
    REFUSED(gtr_dataset_split(d, 2));
    REFUSED(gtr_dataset_split_random(d, 0.5f, 1, 1));
    REFUSED(gtr_dataset_split_last(d, 0.5f, -1));
    REFUSED(gtr_dataset_split(gtr_dataset_subset(d, all, 8), 2));
    REFUSED(gtr_dataset_split(gtr_dataset_sample(d, NULL, -1, 30, 1), 2));
    REFUSED(gtr_dataset_split(gtr_dataset_concat(ctx, both, 2), 2));
    EXPECT(gtr_dataset_split(held, 2) && gtr_dataset_split(other, 4));
    EXPECT(gtr_standardise(x, "m", third, 0) != NULL);
    a.column[0].name = "z";
    both[1] = gtr_dataset_arrays(ctx, a);
    REFUSED(gtr_dataset_split(gtr_dataset_join(ctx, (gtr_dataset *const[]){ both[1], third }, 2), 2));
    static const int64_t two[2] = { 12, 8 };
    w.lengths = two; w.n_lengths = 2;
    REFUSED(gtr_dataset_split(gtr_dataset_ragged(third, w), 2));
#undef REFUSED
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* rows rows: two floats, 10 r and 10 r + 1; a label, r % 7 < 5 ? 0 : 1, so that they are unbalanced. */
static gtr_dataset *made_set(gtr_context *ctx, int rows)
{
    gtr_arrays_desc a;
    gtr_float *x = (gtr_float *)malloc(sizeof *x * 2 * (size_t)rows);
    uint8_t *y = (uint8_t *)malloc((size_t)rows);
    for (int r = 0; r < rows; r++) {
        x[2 * r] = (gtr_float)(10 * r); x[2 * r + 1] = (gtr_float)(10 * r + 1); y[r] = r % 7 < 5 ? 3 : 4;
    }
    memset(&a, 0, sizeof a);
    a.rows = rows; a.column[0].data = x; a.column[0].shape = gtr_shape1(2); a.column[1].data = y;
    a.column[1].dtype = GTR_U8;
    gtr_dataset *d = gtr_dataset_arrays(ctx, a);
    free(x);
    free(y);
    return d;
}
static bool row_is(const gtr_dataset *d, int64_t r, int from) {
    return at(d, 0, r, 0) == 10 * from && at(d, 0, r, 1) == 10 * from + 1 && at(d, 1, r, 0) == (from % 7 < 5 ? 3 : 4);
}
static void cut_and_joined(void)
{
    gtr_context *ctx = gtr_create(desc0());
    static const int64_t some[] = { 6, 0, 6, 9 }, bad[] = { 0, 10 };
    gtr_dataset *d = made_set(ctx, 10), *few = gtr_dataset_subset(d, some, 4), *both[3];
    EXPECT_OK(ctx);
    EXPECT_EQ(gtr_dataset_rows(few), 4);
    for (int r = 0; r < 4; r++) EXPECT(row_is(few, r, (int)some[r]));
    both[0] = few; both[1] = d; both[2] = few;
    gtr_dataset *all = gtr_dataset_concat(ctx, both, 3);
    EXPECT_OK(ctx);
    EXPECT_EQ(gtr_dataset_rows(all), 18);
    for (int r = 0; r < 18; r++) EXPECT(row_is(all, r, r < 4 ? (int)some[r] : r < 14 ? r - 4 : (int)some[r - 14]));
    EXPECT(!gtr_dataset_subset(d, bad, 2));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "row 1 is number 10, want 0 to 9");
    EXPECT(!gtr_dataset_subset(d, bad, 0) && !gtr_dataset_subset(NULL, bad, 1));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "no rows");
    EXPECT(!gtr_dataset_concat(ctx, both, 0) && !gtr_dataset_concat(ctx, NULL, 2));
    EXPECT(!gtr_dataset_concat(NULL, both, 2));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "0 sets");
    both[2] = NULL;
    EXPECT(!gtr_dataset_concat(ctx, both, 3));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "set 2 of 3 (from 0) is NULL");
    static const char *const texts[] = { "a,b,y\n1,2,u\n3,4,v\n", "a,b,y\n1,2,v\n3,4,v\n", "a,b,z\n1,2,u\n1,2,v\n",
        "a,b,c,y\n1,2,3,u\n3,4,5,v\n", "a,b\n1,2\n" };
    static const char *const why[] = { "", "column 1 of set 1 (", "in its name",
        "- (3,) float32, is not as that of set 0", "column 1 of set 1" };
    gtr_csv_desc c = csv0();
    for (int k = 0; k < 5; k++) {
        if (k == 4) c.label_column = -1;
        both[0] = k ? both[0] : csv_of(ctx, texts[0], c);
        both[1] = csv_of(ctx, texts[k], c);
        EXPECT_OK(ctx);
        EXPECT((gtr_dataset_concat(ctx, both, 2) != NULL) == !k);
        EXPECT_ERROR(ctx, k ? GTR_ERR_SHAPE : GTR_OK, why[k]);
    }
    c.label_column = 0; c.like = both[0];
    both[1] = csv_of(ctx, texts[1], c);
    all = gtr_dataset_concat(ctx, both, 2);
    EXPECT(all && gtr_dataset_classes(all) == 2 && at(all, 1, 2, 0) == 1 && named(gtr_dataset_class(all, 1), "v"));
    gtr_destroy(ctx);
}
static void split_at_random(void)
{
    enum { N = 700 };
    int where[3][N];
    gtr_context *ctx = gtr_create(desc0());
    for (int k = 0; k < 3; k++) {       /* another seed the third time */
        gtr_dataset *d = made_set(ctx, N), *held = gtr_dataset_split_random(d, 0.2f, k == 2, 1);
        EXPECT_OK(ctx);
        EXPECT(gtr_dataset_rows(held) == 140 && gtr_dataset_rows(d) == 560);
        int rare = 0, at_held = 0;
        for (int r = 0; r < 140; r++) rare += at(held, 1, r, 0) == 4;
        EXPECT_EQ(rare, 40);            /* as in the whole: 2 of 7 */
        for (int r = 0; r < N; r++) {   /* each row once, in order */
            where[k][r] = at_held < 140 && row_is(held, at_held, r);
            EXPECT(where[k][r] || row_is(d, r - at_held, r));
            at_held += where[k][r];
        }
    }
    EXPECT(!memcmp(where[0], where[1], sizeof where[0]) && memcmp(where[0], where[2], sizeof where[0]));
    gtr_dataset *d = made_set(ctx, 10), *held = gtr_dataset_split_random(d, 0.25f, 3, -1);
    EXPECT(gtr_dataset_rows(held) == 3 && gtr_dataset_rows(d) == 7);
    const float bad[] = { 0, 1, -1, 0.01f, 0.99f, NAN, 2 };
    for (int k = 0; k < 7; k++) {
        EXPECT(!gtr_dataset_split_random(d, bad[k], 0, -1));
        EXPECT_ERROR(ctx, GTR_ERR_ARG, "leaves none on one side");
    }
    EXPECT(!gtr_dataset_split_random(d, 0.5f, 0, 0) && !gtr_dataset_split_random(NULL, 0.5f, 0, 0));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "column 0 of 2, want one of classes");
    EXPECT(!gtr_dataset_split_random(d, 0.5f, 0, 2));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "column 2 of 2");
    EXPECT_EQ(gtr_dataset_rows(d), 7);
    gtr_destroy(ctx);
}
/* Over seeds each row of a small set, or of a class, is held out as often as each other one, and so is each pair of
   rows: all within six standard deviations. */
static void split_uniformly(void)
{
    enum { N = 40 };
    static const struct { int rows, column; } sets[] = { { 5, -1 }, { 13, -1 }, { N, -1 }, { 14, 1 } };
    const int seeds = small ? 4000 : 24000;
    gtr_context *ctx = gtr_create(desc0());
    for (int k = 0; k < 4; k++) {
        const int n = sets[k].rows;
        int both[N][N] = { { 0 } }, of[2] = { 0, 0 }, out[N], m;
        double worst = 0;
        for (int seed = 0; seed < seeds; seed++) {
            gtr_dataset *d = made_set(ctx, n), *held = gtr_dataset_split_random(d, 0.4f, (uint64_t)seed,
                sets[k].column);
            m = 0;
            for (int r = 0; r < n && m < gtr_dataset_rows(held); r++) if (row_is(held, m, r)) out[m++] = r;
            for (int i = 0; i < m * m; i++) both[out[i / m]][out[i % m]]++;
            gtr_dataset_destroy(held);
            gtr_dataset_destroy(d);
        }
        EXPECT_OK(ctx);
        for (int r = 0; r < n; r++) of[sets[k].column >= 0 && r % 7 >= 5]++;
        for (int i = 0; i < n * n; i++) {
            const int a = i / n, b = i % n, ka = of[1] && a % 7 >= 5, kb = of[1] && b % 7 >= 5;
            const double ma = floor(of[ka] * 0.4 + 0.5), mb = floor(of[kb] * 0.4 + 0.5),
                p = ma / of[ka] * (a == b ? 1 : ka == kb ? (ma - 1) / (of[ka] - 1) : mb / of[kb]);
            worst = fmax(worst, fabs(both[a][b] - seeds * p) / sqrt(seeds * p * (1 - p)));
        }
        CHECK(worst < 6, "%d rows, column %d: %g standard deviations", n, sets[k].column, worst);
    }
    gtr_destroy(ctx);
}
/* The last rows of a series or of each, and windows of both sides, none of which has a step of the other. */
static void split_at_the_end(void)
{
    enum { N = 50 };
    gtr_context *ctx = gtr_create(desc0());
    gtr_float x[N];
    int32_t id[N];
    gtr_arrays_desc a;
    gtr_windows_desc w;
    memset(&a, 0, sizeof a);
    memset(&w, 0, sizeof w);
    w.history = 3; w.horizon = 1;
    for (int r = 0; r < N; r++) { x[r] = (gtr_float)r; id[r] = r < 30 ? 7 : 3; }
    a.rows = N; a.column[0].data = x; a.column[0].name = "x";
    a.column[1].data = id; a.column[1].dtype = GTR_I32; a.column[1].name = "id";
    for (int k = 0; k < 2; k++) {       /* one series; two */
        gtr_dataset *d = gtr_dataset_arrays(ctx, a), *held = gtr_dataset_split_last(d, 0.2f, k - !k);
        EXPECT_OK(ctx);
        EXPECT(gtr_dataset_rows(held) == 10 && gtr_dataset_rows(d) == 40);
        for (int r = 0; r < 10; r++) EXPECT_EQ(at(held, 0, r, 0), !k ? 40 + r : r < 6 ? 24 + r : 40 + r);
        for (int r = 0; r < 40; r++) EXPECT_EQ(at(d, 0, r, 0), !k || r < 24 ? r : r + 6);
        w.series = k ? 2 : 0;
        gtr_dataset *near = gtr_dataset_windows(d, w), *far = gtr_dataset_windows(held, w);
        EXPECT_OK(ctx);
        EXPECT_EQ(gtr_dataset_rows(near), k ? 21 + 13 : 37);
        EXPECT_EQ(gtr_dataset_rows(far), k ? 3 + 1 : 7);
        /* the first column has the series' name, what is to be predicted none */
        if (k) continue;
        gtr_tensor *y = gtr_input(ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 1));
        gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 3));
        gtr_trainer *t = gtr_trainer_create(gtr_mse(gtr_linear(in, "fc", 1), y), trainer0());
        EXPECT_EQ(gtr_trainer_data(t, near, 4, false, false), GTR_OK);
        EXPECT_EQ(gtr_step(t), GTR_OK);
        gtr_float got[4];
        EXPECT(gtr_get(y, got, sizeof got) == GTR_OK && got[0] == 3 && got[3] == 6);
    }
    gtr_dataset *d = gtr_dataset_arrays(ctx, a);
    EXPECT(!gtr_dataset_split_last(d, 1, -1) && !gtr_dataset_split_last(NULL, 0.5f, -1));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_dataset_split_last of gtr_dataset_arrays: a ratio of 1 of its 50 rows leaves");
    EXPECT(!gtr_dataset_split_last(d, 0.5f, 0));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "column 0 of 2, want one of classes");
    /* a number that comes back: a side in which its runs would become one is no series any more */
    static const int32_t again[2][8] = { { 7, 7, 8, 8, 7, 7, 7, 7 }, { 7, 7, 8, 7, 7, 7, 7, 7 } };
    w.history = 1; w.series = 2;
    for (int k = 0; k < 2; k++) {
        gtr_arrays_desc b = a;
        b.rows = 8; b.column[1].data = again[k];
        gtr_dataset *e = gtr_dataset_arrays(ctx, b), *last = gtr_dataset_split_last(e, k ? 0.6f : 0.45f, 1);
        EXPECT_OK(ctx);
        EXPECT(gtr_dataset_rows(e) == (k ? 3 : 4) && gtr_dataset_rows(last) == (k ? 5 : 4));
        EXPECT_EQ(gtr_dataset_rows(gtr_dataset_windows(last, w)), k ? 3 : 2);
        EXPECT(!gtr_dataset_windows(e, w) == (k > 0));
        if (k) EXPECT_ERROR(ctx, GTR_ERR_STATE, "are no series");
    }
    w.history = 3; w.series = 0;
    gtr_dataset_split(d, 2);            /* no series any more, in whatever order it is cut */
    EXPECT(!gtr_dataset_windows(gtr_dataset_split_last(d, 0.4f, -1), w));
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "are no series; gtr_dataset_split_last leaves two");
    gtr_destroy(ctx);
}
static void names_twice(void)
{
    gtr_context *ctx = gtr_create(desc0());
    const gtr_float x[2] = { 1, 2 };
    gtr_arrays_desc a;
    gtr_callback_desc c;
    memset(&a, 0, sizeof a);
    memset(&c, 0, sizeof c);
    a.rows = c.rows = 2; c.columns = 3; c.fill = nothing;
    for (int k = 0; k < 3; k++) { a.column[k].data = x; a.column[k].name = c.column[k].name = k == 1 ? "y" : "x"; }
    EXPECT(!gtr_dataset_arrays(ctx, a));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_dataset_arrays: columns 0 and 2 (from 0) are both called \"x\"");
    EXPECT(!gtr_dataset_callback(ctx, c));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_dataset_callback: columns 0 and 2 (from 0) are both called \"x\"");
    a.column[0].name = a.column[2].name = "";   /* none */
    EXPECT(gtr_dataset_arrays(ctx, a) != NULL);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* 1,5 and its like, as tables are written where a comma is the decimal mark. */
static void decimal_commas(void)
{
    static const char table[] = "a;b;y\r\n1,5;-,25e1;0\r\n\"2,000000000000000000000001\";;1\r\n";
    gtr_context *ctx = gtr_create(desc0());
    gtr_csv_desc c = csv0();
    c.separator = ';'; c.decimal = ','; c.missing = GTR_MISSING_MEAN;
    gtr_dataset *d = csv_of(ctx, table, c);
    EXPECT_OK(ctx);
    EXPECT(at(d, 0, 0, 0) == 1.5 && at(d, 0, 0, 1) == -2.5 && at(d, 0, 1, 0) == 2 && at(d, 0, 1, 1) == -2.5);
    d = csv_of(ctx, "a;y\n\" 1,5\t\";0\n\" 2\";1\n", c);    /* blanks within quotes */
    EXPECT_OK(ctx);
    EXPECT(at(d, 0, 0, 0) == 1.5 && at(d, 0, 1, 0) == 2);
    EXPECT(!csv_of(ctx, "a;y\n\" \";0\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "got ' ', want a number");
    EXPECT(!csv_of(ctx, "a;y\n1.5;0\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "got '1.5', want a number (.missing");
    c.separator = 0;
    EXPECT(!csv_of(ctx, table, c));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "decimal is ',' (character 44), want '.' or, with another separator, ','");
    gtr_destroy(ctx);
}
static void drawn(void)
{
    enum { N = 70, DRAWN = 7000 };
    gtr_context *ctx = gtr_create(desc0());
    gtr_dataset *d = made_set(ctx, N), *s = gtr_dataset_sample(d, NULL, 1, DRAWN, 5);
    gtr_dataset *t = gtr_dataset_sample(d, NULL, 1, 100, 5);
    float each[N] = { 0 }, classes[5] = { 9, 9, 9, 1, 3 };
    int rare = 0, twice = 0;
    EXPECT_OK(ctx);
    EXPECT_EQ(gtr_dataset_rows(s), DRAWN);
    for (int r = 0; r < DRAWN; r++) {
        EXPECT(row_is(s, r, (int)at(s, 0, r, 0) / 10));
        rare += at(s, 1, r, 0) == 4;
        twice += at(s, 0, r, 0) == 0;
    }
    CHECK(abs(rare - DRAWN / 2) < 6 * 42, "%d of %d are of the rare class", rare, DRAWN);
    CHECK(abs(twice - DRAWN / 2 / 50) < 6 * 9, "row 0 comes %d times", twice);
    for (int r = 0; r < 100; r++) EXPECT(at(t, 0, r, 0) == at(s, 0, r, 0));
    s = gtr_dataset_sample(d, classes, 1, DRAWN, 6);
    for (int r = rare = 0; r < DRAWN; r++) rare += at(s, 1, r, 0) == 4;
    CHECK(abs(rare - DRAWN * 3 / 4) < 6 * 37, "%d of %d are of the heavy class", rare, DRAWN);
    each[3] = 1; each[69] = 3;
    s = gtr_dataset_sample(d, each, -1, DRAWN, 6);
    for (int r = rare = 0; r < DRAWN; r++) { EXPECT(row_is(s, r, 3) || row_is(s, r, 69)); rare += row_is(s, r, 69); }
    CHECK(abs(rare - DRAWN * 3 / 4) < 6 * 37, "%d of %d are the heavy row", rare, DRAWN);
    each[4] = -1;
    EXPECT(!gtr_dataset_sample(d, each, -1, 5, 0));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "the weight of row 4 is -1, want finite and at least 0");
    memset(each, 0, sizeof each);
    EXPECT(!gtr_dataset_sample(d, each, -1, 5, 0));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "all weights are 0");
    classes[4] = (float)INFINITY;
    EXPECT(!gtr_dataset_sample(d, classes, 1, 5, 0));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "the weight of class 4 is inf, want finite");
    EXPECT(!gtr_dataset_sample(d, NULL, 0, 5, 0));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "want one of classes");
    EXPECT(!gtr_dataset_sample(d, NULL, -1, 0, 0) && !gtr_dataset_sample(NULL, NULL, -1, 1, 0));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "0 rows");
    gtr_destroy(ctx);
}
/* A set that grows while a trainer reads it: a fresh trainer on the whole set does the same. */
static void grown(void)
{
    gtr_float w[2][4];
    for (int k = 0; k < 2; k++) {
        gtr_context *ctx = gtr_create(desc0());
        gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 2));
        gtr_tensor *y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
        gtr_tensor *fc = gtr_linear(gtr_scale(x, 0.01f, 0), "fc", 5);
        gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(fc, y), trainer0());
        gtr_dataset *d = made_set(ctx, k ? 23 : 4), *more = made_set(ctx, 23);
        gtr_float start[10], bias[5];
        EXPECT_EQ(gtr_get(gtr_parameter_find(ctx, "fc.weight"), start, sizeof start), GTR_OK);
        EXPECT_EQ(gtr_get(gtr_parameter_find(ctx, "fc.bias"), bias, sizeof bias), GTR_OK);
        if (!k) {       /* rows 4 to 22, in two goes, the first while it feeds */
            const void *rows[2], *none[2] = { NULL, NULL };
            EXPECT_EQ(gtr_trainer_data(t, d, 4, true, false), GTR_OK);
            EXPECT_EQ(gtr_step(t), GTR_OK);
            for (int from = 4; from < 23; from += 10) {
                rows[0] = gtr_dataset_row(more, 0, from); rows[1] = gtr_dataset_row(more, 1, from);
                EXPECT_EQ(gtr_dataset_append(d, rows, from > 4 ? 9 : 10), GTR_OK);
            }
            EXPECT_OK(ctx);
            const gtr_float looked[2] = { 1, 2 };
            const int32_t of = 3;
            EXPECT_EQ(gtr_set(x, looked, sizeof looked), GTR_OK);       /* for a look at what it says meanwhile */
            EXPECT_EQ(gtr_eval(&fc, 1), GTR_OK);
            EXPECT_EQ(gtr_set(y, &of, sizeof of), GTR_OK);
            EXPECT_EQ(gtr_step(t), GTR_ERR_STATE);      /* it is fed no more, nor by that */
            EXPECT_ERROR(ctx, GTR_ERR_STATE, "the data set that fed it was appended to, destroyed or left");
            EXPECT_EQ(gtr_backward(t), GTR_ERR_STATE);
            gtr_error_clear(ctx);
            EXPECT_EQ(gtr_trainer_data(t, NULL, 0, false, false), GTR_OK);
            EXPECT_EQ(gtr_step(t), GTR_OK);
            EXPECT_EQ(gtr_trainer_data(t, more, 4, false, false), GTR_OK);
            gtr_dataset_destroy(more);
            EXPECT_EQ(gtr_step(t), GTR_ERR_STATE);
            gtr_error_clear(ctx);
            EXPECT_EQ(gtr_dataset_append(d, rows, 0), GTR_ERR_ARG);
            EXPECT_EQ(gtr_dataset_append(d, none, 1), GTR_ERR_ARG);
            EXPECT_EQ(gtr_dataset_append(d, NULL, 1), GTR_ERR_ARG);
            EXPECT_EQ(gtr_dataset_append(NULL, rows, 1), GTR_ERR_ARG);
            EXPECT_ERROR(ctx, GTR_ERR_ARG, "0 rows, want at least 1");
            EXPECT_EQ(gtr_set(gtr_parameter_find(ctx, "fc.weight"), start, sizeof start), GTR_OK);
            EXPECT_EQ(gtr_set(gtr_parameter_find(ctx, "fc.bias"), bias, sizeof bias), GTR_OK);
        }
        EXPECT_EQ(gtr_dataset_rows(d), 23);
        for (int r = 0; r < 23; r++) EXPECT(row_is(d, r, r));
        EXPECT_EQ(gtr_trainer_data(t, d, 5, true, false), GTR_OK);
        for (int s = 0; s < 11; s++) EXPECT_EQ(gtr_step(t), GTR_OK);
        gtr_float all[10];
        EXPECT_EQ(gtr_get(gtr_parameter_find(ctx, "fc.weight"), all, sizeof all), GTR_OK);
        memcpy(w[k], all, sizeof w[k]);
        /* a label out of range is found among rows that were put behind */
        const gtr_float far[2] = { 0, 0 };
        const uint8_t label = 5;
        const void *rows[2] = { far, &label };
        EXPECT_EQ(gtr_dataset_append(d, rows, 1), GTR_OK);
        EXPECT_EQ(gtr_trainer_data(t, d, 5, true, false), GTR_ERR_ARG);
        EXPECT_ERROR(ctx, GTR_ERR_ARG, "row 23");
        gtr_destroy(ctx);
    }
    EXPECT(!memcmp(w[0], w[1], sizeof w[0]));
}
#undef T
/* Windows over the steps of one series and of several, in order and shuffled: what a batch has, at the input, are rows
   of the series, none of two series, each window once an epoch. */
static void windows(void)
{
    enum { T = 40, C = 3 };
    static const struct { int history, horizon, stride, series; bool bytes, flat, shuffle; int want; } cases[] = {
        { 5, 2, 1, 0, 0, 0, 0, 34 }, { 5, 2, 3, 0, 0, 0, 1, 12 }, { 4, 0, 1, 0, 0, 1, 1, 37 },
        { 8, 1, 2, 0, 1, 0, 1, 16 }, { 5, 2, 1, 1, 0, 0, 1, 19 }, { 5, 2, 2, 1, 1, 0, 1, 10 },
        { 6, 1, 1, 2, 0, 1, 1, 19 }, { 1, 1, 1, 2, 0, 0, 0, 36 },
        { 40, 0, 1, 0, 0, 0, 0, 1 } };
    static const int64_t lengths[] = { 12, 3, 17, 8 };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int h = cases[k].history, ahead = cases[k].horizon, step_bytes = cases[k].bytes;
        gtr_float x[T][C];
        uint8_t bytes[T][C];
        int32_t id[T], label[T];
        gtr_arrays_desc a;
        gtr_windows_desc w;
        gtr_context *ctx = gtr_create(desc0());
        for (int t = 0, s = 0, end = 12; t < T; t++) {
            if (t == end) end += (int)lengths[++s];
            id[t] = s % 2; label[t] = t % 5;
            for (int c = 0; c < C; c++) { bytes[t][c] = (uint8_t)(t * C + c); x[t][c] = bytes[t][c]; }
        }
        memset(&a, 0, sizeof a);
        memset(&w, 0, sizeof w);
        a.rows = T;
        a.column[0].data = step_bytes ? (void *)bytes : (void *)x; a.column[0].dtype = step_bytes ? GTR_U8 : GTR_F32;
        a.column[0].shape = gtr_shape1(C); a.column[0].scale = 1;
        a.column[1].data = id; a.column[1].dtype = GTR_I32;
        a.column[2].data = label; a.column[2].dtype = GTR_I32;
        w.history = h; w.horizon = ahead; w.stride = cases[k].stride; w.series = cases[k].series == 1 ? 2 : 0;
        if (cases[k].series == 2) { w.lengths = lengths; w.n_lengths = 4; }
        if (!ahead) w.target = 3;       /* the label of the last step */
        gtr_dataset *series = gtr_dataset_arrays(ctx, a), *d = gtr_dataset_windows(series, w);
        gtr_dataset_destroy(series);
        EXPECT_OK(ctx);
        EXPECT_EQ(gtr_dataset_rows(d), cases[k].want);
        gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, cases[k].flat ? gtr_shape2(GTR_BATCH, h * C)
            : gtr_shape3(GTR_BATCH, h, C));
        gtr_tensor *y = ahead ? gtr_input(ctx, "y", GTR_F32, gtr_shape3(GTR_BATCH, ahead, C))
            : gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
        gtr_tensor *fc = gtr_linear(gtr_flatten(in), "fc", ahead ? ahead * C : 5);
        gtr_trainer *t = gtr_trainer_create(ahead ? gtr_mse(fc, gtr_flatten(y)) : gtr_cross_entropy(fc, y), trainer0());
        const int64_t rows = gtr_dataset_rows(d), batch = rows < 7 ? rows : 7;
        EXPECT_EQ(gtr_trainer_lr(t, 1e-9f), GTR_OK);
        EXPECT_EQ(gtr_trainer_data(t, d, batch, cases[k].shuffle, false), GTR_OK);
        int seen[T] = { 0 }, in_all = 0, in_order = 1;
        for (int64_t first = 0; first < rows; first += batch) {
            gtr_float got[7 * T * C], want[7 * 2 * C];
            int32_t labels[7];
            const int64_t n = rows - first < batch ? rows - first : batch;
            EXPECT_EQ(gtr_step(t), GTR_OK);
            EXPECT_EQ(gtr_get(in, got, sizeof *got * (size_t)(n * h * C)), GTR_OK);
            if (ahead) EXPECT_EQ(gtr_get(y, want, sizeof *want * (size_t)(n * ahead * C)), GTR_OK);
            else EXPECT_EQ(gtr_get(y, labels, 4 * (size_t)n), GTR_OK);
            for (int64_t r = 0; r < n; r++) {
                const int from = (int)got[r * h * C] / C;
                int good = from >= 0 && from + h + ahead <= T;
                for (int i = 0; i < h * C && good; i++) good = got[r * h * C + i] == from * C + i;
                for (int i = 0; i < ahead * C && good; i++) good = want[r * ahead * C + i] == (from + h) * C + i;
                if (!ahead) good = good && labels[r] == (from + h - 1) % 5;
                for (int i = 1; i < h + ahead && good && cases[k].series; i++) good = id[from + i] == id[from];
                if (!CHECK(good, "case %d: no window at step %d", (int)k, from)) continue;
                in_all += !seen[from]++;
                in_order &= from == (first + r) * cases[k].stride;
            }
        }
        CHECK(in_all == rows, "case %d: %d of %d windows came", (int)k, in_all, (int)rows);
        if (!cases[k].series) CHECK(in_order == !cases[k].shuffle, "case %d: in order %d", (int)k, in_order);
        gtr_tensor *z = gtr_standardise(in, "norm", d, 0);
        EXPECT((z != NULL) && gtr_dataset_row(d, 0, rows - 1) && !gtr_dataset_row(d, 0, rows));
        const int64_t one = 0;
        EXPECT(!gtr_dataset_subset(d, &one, 1) && !gtr_dataset_concat(ctx, &d, 1) && !gtr_dataset_split(d, 2));
        EXPECT_ERROR(ctx, GTR_ERR_STATE, "its rows are windows");
        gtr_destroy(ctx);
    }
}
static void refused_windows(void)
{
    static const struct { int64_t history, horizon, stride; int column, target, series; const char *part; } cases[] = {
        { 0, 1, 1, 0, 0, 0, "want a history of at least 1" }, { 8, 3, 1, 0, 0, 0, "want both within the series" },
        { 1, -1, 1, 0, 0, 0, "a horizon and a stride of at least 0" }, { 1, 1, -1, 0, 0, 0, "and a stride of" },
        { 1, 1, 1, 2, 0, 0, "want a column" }, { 1, 1, 1, 0, 3, 0, "want a target" },
        { 1, 1, 1, 0, 0, 1, "want series by a column of integers" },
        { 1, 1, 1, 0, 0, 3, "want series by a column" }, { 6, 2, 1, 0, 0, 2, "no series is as long" } };
    static const int64_t short_lengths[] = { 4, 5 }, halves[] = { 5, 5 };
    gtr_context *ctx = gtr_create(desc0());
    gtr_dataset *d = made_set(ctx, 10);
    gtr_windows_desc w;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        memset(&w, 0, sizeof w);
        w.history = cases[k].history; w.horizon = cases[k].horizon; w.stride = cases[k].stride;
        w.column = cases[k].column; w.target = cases[k].target; w.series = cases[k].series;
        EXPECT(!gtr_dataset_windows(d, w));
        EXPECT_ERROR(ctx, GTR_ERR_ARG, cases[k].part);
    }
    memset(&w, 0, sizeof w);
    w.history = 2; w.lengths = short_lengths; w.n_lengths = 2;
    EXPECT(!gtr_dataset_windows(d, w) && !gtr_dataset_windows(NULL, w));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "want lengths that are all its rows");
    w.stride = INT64_MAX; w.n_lengths = 2; w.lengths = halves;      /* one window of each series */
    EXPECT_EQ(gtr_dataset_rows(gtr_dataset_windows(d, w)), 2);
    w.lengths = NULL; w.stride = 0;
    EXPECT(!gtr_dataset_windows(d, w));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, ".n_lengths is given, but not read");
    w.n_lengths = 0;
    EXPECT(!gtr_dataset_windows(gtr_dataset_windows(d, w), w));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "windows already");
    gtr_augment_desc turned;
    memset(&turned, 0, sizeof turned);
    turned.mean[0] = 3;
    const gtr_float frames[3][4] = { { 1, 2, 3, 4 } };
    gtr_arrays_desc of_frames;
    memset(&of_frames, 0, sizeof of_frames);
    of_frames.column[0].data = frames; of_frames.column[0].shape = gtr_shape2(2, 2);
    of_frames.rows = 3;
    gtr_dataset *pictures = gtr_dataset_arrays(ctx, of_frames);
    EXPECT_EQ(gtr_dataset_augment(pictures, 0, turned), GTR_OK);
    EXPECT(!gtr_dataset_windows(pictures, w));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "want columns that gtr_dataset_augment has not");
    w.history = 11;
    EXPECT(!gtr_dataset_windows(d, w));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "history 11 and horizon 0, of 10 rows: want");
    /* rows that are steps one behind the other, and such that are not */
    w.history = 2;
    static const int64_t first[] = { 0, 1, 2, 3, 4, 5, 6, 7 }, last[] = { 8, 9 }, some[] = { 0, 2, 3 };
    gtr_dataset *part = gtr_dataset_subset(d, first, 8), *both[2];
    EXPECT_EQ(gtr_dataset_rows(gtr_dataset_windows(part, w)), 7);
    both[0] = part; both[1] = gtr_dataset_subset(d, last, 2);
    EXPECT_EQ(gtr_dataset_rows(gtr_dataset_windows(gtr_dataset_concat(ctx, both, 2), w)), 9);
    EXPECT_OK(ctx);
    for (int k = 0; k < 6; k++) {
        gtr_dataset *of = k == 0 ? gtr_dataset_subset(d, some, 3) : k == 1 ? gtr_dataset_sample(d, NULL, -1, 5, 1)
            : k == 2 ? gtr_dataset_split(d, 5) : k == 3 ? d : k == 4 ? gtr_dataset_subset(d, first, 4)
            : gtr_dataset_split_random(part, 0.5f, 1, -1);
        EXPECT_OK(ctx);
        EXPECT(!gtr_dataset_windows(of, w));
        EXPECT_ERROR(ctx, GTR_ERR_STATE, "its rows were split, drawn or chosen");
    }
    EXPECT(!gtr_dataset_windows(gtr_dataset_concat(ctx, both, 2), w));
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "gtr_dataset_windows of ");
    gtr_destroy(ctx);
}
/* Classes of labels that are strings are in their order, whatever the rows', or as .positive says. */
static void order_of_classes(void)
{
    static const struct { const char *text, *positive, *names; int32_t of[5]; } cases[] = {
        { "x,y\n1,yes\n2,no\n3,yes\n", NULL, "no|yes|", { 1, 0, 1 } },
        { "x,y\n1,no\n2,yes\n3,yes\n", NULL, "no|yes|", { 0, 1, 1 } },
        { "x,y\n1,b\n2,10\n3,9\n4,-1e1\n5,9.5\n", NULL, "-1e1|9|9.5|10|b|", { 4, 3, 1, 0, 2 } },
        { "x,y\n1,z\n2,\xc3\xa9\n3,Z\n4,\"a b\"\n5,a\n", NULL, "Z|a|a b|z|\xc3\xa9|", { 3, 4, 0, 2, 1 } },
        { "x,y\n1,yes\n2,no\n3,yes\n", "no", "yes|no|", { 0, 1, 0 } },
        { "x,y\n1,no\n2,yes\n3,yes\n", "no", "yes|no|", { 1, 0, 0 } },
        { "x,y\n1,no\n2,yes\n3,yes\n", "yes", "no|yes|", { 0, 1, 1 } },
        { "x,y\n1,1\n2,-1\n3,1\n", "1", "-1|1|", { 1, 0, 1 } }, /* numbers, too */
        { "x,y\n1,1\n2,-1\n3,1\n", "-1", "1|-1|", { 0, 1, 0 } } };
    static const struct { const char *positive; int label_column; bool regression, like; const char *why; } bad[] = {
        { "maybe", 0, false, false, ".positive is \"maybe\", of 2 labels that are strings, none of them it: want one" },
        { "yes", -1, false, false, ".positive is given, but not read: it is for labels that are classes" },
        { "2", 0, true, false, ".positive is given, but not read: it is for labels that are classes" },
        { "no", 0, false, true, ".positive is \"no\", of 2 labels that are strings: want one of two, .like's class" } };
    gtr_context *ctx = gtr_create(desc0());
    gtr_dataset *like = NULL;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        gtr_csv_desc c = csv0();
        char got[64] = "";
        c.positive = cases[k].positive;
        gtr_dataset *d = csv_of(ctx, cases[k].text, c);
        EXPECT_OK(ctx);
        if (!k) like = d;
        for (int64_t i = 0; i < gtr_dataset_classes(d); i++) strcat(strcat(got, gtr_dataset_class(d, i)), "|");
        CHECK(!strcmp(got, cases[k].names), "case %d: %s, want %s", (int)k, got, cases[k].names);
        for (int64_t r = 0; r < gtr_dataset_rows(d); r++)
            CHECK(at(d, 1, r, 0) == cases[k].of[r], "case %d, row %d: class %g", (int)k, (int)r, at(d, 1, r, 0));
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        gtr_csv_desc c = csv0();
        c.positive = bad[k].positive; c.label_column = bad[k].label_column; c.regression = bad[k].regression;
        if (bad[k].like) c.like = like;
        EXPECT(!csv_of(ctx, cases[0].text, c));
        EXPECT_ERROR(ctx, GTR_ERR_ARG, bad[k].why);
    }
    gtr_csv_desc c = csv0();
    c.positive = "a";
    EXPECT(!csv_of(ctx, "x,y\n1,a\n2,b\n3,c\n", c) && !csv_of(ctx, "x,y\n1,a\n2,a\n", (gtr_error_clear(ctx), c)));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, ".positive is \"a\", of 1 labels that are strings: want one of two");
    c.positive = "yes"; c.like = like; /* as .like says, where one is missing */
    gtr_dataset *d = csv_of(ctx, "x,y\n1,yes\n", c);
    EXPECT_OK(ctx);
    EXPECT(at(d, 1, 0, 0) == 1 && gtr_dataset_classes(d) == 2);
    c.like = csv_of(ctx, "x,y\n1,1\n2,0\n", csv0());
    EXPECT(!csv_of(ctx, "x,y\n1,1\n2,0\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, ".positive is \"yes\", of 0 labels that are strings");
    gtr_destroy(ctx);
}
/* A network of two classes for tables "x,y". */
typedef struct { gtr_context *ctx; gtr_tensor *scores, *y; gtr_trainer *t; } two_classes;
static two_classes two_of(void)
{
    two_classes n;
    n.ctx = gtr_create(desc0());
    n.scores = gtr_linear(gtr_input(n.ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 1)), "fc", 3);
    n.y = gtr_input(n.ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    n.t = gtr_trainer_create(gtr_cross_entropy(n.scores, n.y), trainer0());
    return n;
}
static gtr_dataset *table_of(gtr_context *ctx, const char *text, const char *positive)
{
    gtr_csv_desc c = csv0();
    c.positive = positive; c.header = text[0] == 'x';
    gtr_dataset *d = csv_of(ctx, text, c);
    EXPECT_OK(ctx);
    return d;
}
enum { LOAD, LOAD_CHECKPOINT, SET_CHECKPOINT, COPY, FIT, FEED, RESUME, EVALUATE, EVALUATE_METRICS, NOTE, USES };
static const char no_yes[] = "x,y\n1,no\n2,yes\n3,yes\n";
/* What a program does with a model, or its data set, that the other one has made. */
static gtr_result used(int use, two_classes n, gtr_dataset *d, two_classes from, const void *memory, size_t bytes)
{
    gtr_metrics_desc m;
    gtr_fit_desc f;
    float loss;
    memset(&m, 0, sizeof m); memset(&f, 0, sizeof f);
    m.scores = n.scores; m.labels = n.y;
    f.silent = true; f.batch = 2; f.epochs = 2;
    if (use == RESUME) { f.checkpoint = path_of("checkpoint"); f.resume = true; }
    switch (use) {
    case LOAD: return gtr_load(n.ctx, path_of("model"));
    case LOAD_CHECKPOINT: return gtr_checkpoint_load(n.t, path_of("checkpoint"));
    case SET_CHECKPOINT: return gtr_checkpoint_set(n.t, memory, bytes);
    case COPY: return gtr_parameters_copy(n.ctx, from.ctx);
    case FEED: return gtr_trainer_data(n.t, d, 2, false, false);
    case EVALUATE: return gtr_evaluate(n.t, d, 2, NULL, &loss, NULL);
    case EVALUATE_METRICS: return gtr_evaluate_metrics(n.t, d, m, NULL);
    case NOTE: return gtr_dataset_note(d, 1);
    default: return gtr_fit(n.t, d, f);
    }
}
/* A model knows its classes, whoever fed it: those of a data set under other numbers are an error wherever both meet,
   and change nothing. Others, or fewer in their places, are none. */
static void classes_of_models(void)
{
    static const struct { const char *text, *positive; bool moved; } tables[] = { { no_yes, NULL, false },
        { no_yes, "no", true }, { "x,y\n1,yes\n2,yes\n", NULL, true }, { "x,y\n1,no\n2,no\n", NULL, false },
        { "1,yes\n2,yes\n", NULL, true }, { "x,y\n1,a\n2,b\n", NULL, false }, { "x,y\n1,no\n2,maybe\n", NULL, true } };
    two_classes made = two_of();
    gtr_fit_desc f;
    memset(&f, 0, sizeof f);
    f.silent = true; f.batch = 2; f.checkpoint = path_of("checkpoint");
    EXPECT_EQ(gtr_fit(made.t, table_of(made.ctx, no_yes, NULL), f), GTR_OK);
    EXPECT(named(gtr_note(made.ctx, "y.0"), "no") && named(gtr_note(made.ctx, "y.1"), "yes")
        && !gtr_note(made.ctx, "y.2"));
    EXPECT_EQ(gtr_save(made.ctx, path_of("model")), GTR_OK);
    const size_t bytes = gtr_checkpoint_bytes(made.t);
    void *memory = malloc(bytes);
    EXPECT_EQ(gtr_checkpoint_get(made.t, memory, bytes), GTR_OK);
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) for (int use = 0; use < USES; use++) {
        const bool loads = use <= COPY, nameless = tables[k].text[0] == '1', rows3 = tables[k].text == no_yes;
        if ((nameless && (loads || use == NOTE)) || (use == RESUME && !rows3)) continue;
        two_classes n = two_of();
        gtr_float was[3], now[3];
        gtr_tensor *w = gtr_parameter_find(n.ctx, "fc.weight");
        gtr_dataset *d = NULL;
        if (loads || use == RESUME) d = table_of(n.ctx, tables[k].text, tables[k].positive);
        else EXPECT_EQ(gtr_load(n.ctx, path_of("model")), GTR_OK);
        if (!d) d = table_of(n.ctx, tables[k].text, tables[k].positive);
        EXPECT_EQ(gtr_get(w, was, sizeof was), GTR_OK);
        const bool other = use == RESUME; /* values, which are looked at first */
        const gtr_result r = used(use, n, d, made, memory, bytes),
            want = !tables[k].moved ? GTR_OK : other ? GTR_ERR_STATE : GTR_ERR_SHAPE;
        CHECK(r == want, "table %d, use %d: %d, want %d", (int)k, use, (int)r, (int)want);
        if (r && !other) EXPECT(strstr(gtr_error_text(n.ctx), "of \"y\" in the model (note \"y.") && strstr(
            gtr_error_text(n.ctx), ", and number "));
        EXPECT_ERROR(n.ctx, want, r && other ? "of other values" : "");
        EXPECT_EQ(gtr_get(w, now, sizeof now), GTR_OK);
        if (r) EXPECT(!memcmp(was, now, sizeof was) && !n.t->feeding.data);
        EXPECT(!r || loads || use == RESUME || named(gtr_note(n.ctx, "y.1"), "yes"));
        if (k == 3 && use == FIT) EXPECT(named(gtr_note(n.ctx, "y.1"), "yes")); /* more of the same */
        if (k == 5 && use == FIT) EXPECT(named(gtr_note(n.ctx, "y.0"), "a") && named(gtr_note(n.ctx, "y.1"), "b"));
        for (int i = 0; r && i < 2; i++) gtr_note_set(n.ctx, i ? "y.0" : "y.1", NULL); /* as the error says */
        if (r && !loads && use != RESUME) EXPECT_EQ(used(use, n, d, made, memory, bytes), GTR_OK);
        gtr_destroy(n.ctx);
    }
    two_classes n = two_of(); /* fewer, which are others: none of the old ones is left */
    EXPECT_EQ(gtr_note_set(n.ctx, "y.0", "p") || gtr_note_set(n.ctx, "y.1", "q") || gtr_note_set(n.ctx, "y.2", "r"),
        GTR_OK);
    EXPECT_EQ(gtr_trainer_data(n.t, table_of(n.ctx, no_yes, NULL), 2, false, false), GTR_OK);
    EXPECT(named(gtr_note(n.ctx, "y.1"), "yes") && !gtr_note(n.ctx, "y.2"));
    EXPECT_OK(n.ctx);
    gtr_destroy(n.ctx);
    gtr_destroy(made.ctx);
    free(memory);
    unlink(path_of("model"));
    unlink(path_of("checkpoint"));
}
/* A row where names are said to be, and names that are other columns' numbers. */
static void names_or_numbers(void)
{
    static const struct { const char *text; char separator, decimal; } rows[] = { { "1,2,0\n3,4,1\n", 0, 0 },
        { "5.1 , -3e2,0\r\n3,4,1\r\n", 0, 0 }, { "1,5;2;0\n3;4;1\n", ';', ',' }, { "7\n8\n9\n", 0, 0 } };
    static const struct { const char *skip; int at; const char *why; } lists[] = { { "1", 0,
            ".skip names \"1\", as column 3 is called, but it is column 1's number, too: want the name of the one that "
            "is meant in double quotes, as .skip = \"\\\"1\\\"\"" },
        { "\"1\"", 3, NULL }, { "b", 1, NULL }, { "4", 4, NULL }, { "2", 2, NULL }, { "\"4\"", 4, NULL } };
    gtr_context *ctx = gtr_create(desc0());
    for (int k = 0; k < 4; k++) {
        gtr_csv_desc c = csv0();
        c.separator = rows[k].separator; c.decimal = rows[k].decimal; c.label_column = k == 3 ? -1 : 0;
        EXPECT(!csv_of(ctx, rows[k].text, c));
        EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "line 1 holds numbers alone, want names, as .header is set: without .header "
            "it is a row");
        c.header = false;
        gtr_dataset *d = csv_of(ctx, rows[k].text, c);
        EXPECT_OK(ctx);
        EXPECT_EQ(gtr_dataset_rows(d), k == 3 ? 3 : 2);
    }
    EXPECT(csv_of(ctx, "\"2019\",\"2020\",\"0\"\n1,2,0\n", csv0()) && csv_of(ctx, "2019,2020,\n1,2,0\n", csv0()));
    EXPECT_OK(ctx);
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) { /* each row has its columns' numbers */
        gtr_csv_desc c = csv0();
        c.skip = lists[k].skip; c.label_column = -1;
        gtr_dataset *d = csv_of(ctx, "b,2,1,x\n1,2,3,4\n", c);
        if (lists[k].why) EXPECT(!d);
        EXPECT_ERROR(ctx, lists[k].why ? GTR_ERR_ARG : GTR_OK, lists[k].why ? lists[k].why : "");
        for (int i = 0, n = 1; i < 3 && d; i++, n++) {
            n += n == lists[k].at;
            CHECK(at(d, 0, 0, i) == n, "skip %s: feature %d is column %g", lists[k].skip, i, at(d, 0, 0, i));
        }
    }
    gtr_destroy(ctx);
}
/* Lists and notes of many names take no longer for each than those of few. */
static void many_names(void)
{
    enum { NAMES = 50000 };
    gtr_context *ctx = gtr_create(desc0());
    gtr_csv_desc c = csv0();
    char *wide = (char *)malloc(NAMES * 16), *end = wide, *list = (char *)malloc(NAMES * 8), key[32], text[32];
    for (int i = 0; i < 2 * NAMES; i++) end += sprintf(end, i < NAMES ? "c%d%s" : "%d%s", i % NAMES,
        i % NAMES < NAMES - 1 ? "," : "\n");
    end = list;
    for (int i = NAMES; i-- > 0; ) end += sprintf(end, "c%d%s", i, i ? "," : "");
    c.columns = list; c.label_column = -1;
    double began = gtr__now();
    gtr_dataset *d = csv_of(ctx, wide, c);
    CHECK(gtr__now() - began < 5, "columns are found in %g s", gtr__now() - began);
    EXPECT_OK(ctx);
    EXPECT(at(d, 0, 0, 0) == NAMES - 1 && at(d, 0, 0, NAMES - 8) == 7);
    began = gtr__now();
    for (int i = 0; i < NAMES; i++) {
        snprintf(key, sizeof key, "k.%d", i);
        snprintf(text, sizeof text, "name %d", i);
        if (gtr_note_set(ctx, key, text)) { EXPECT_OK(ctx); break; }
    }
    for (int i = 0; i < NAMES; i++) {
        snprintf(key, sizeof key, "k.%d", i);
        snprintf(text, sizeof text, "name %d", i);
        if (!CHECK(named(gtr_note(ctx, key), text), "note %s", key)) break;
    }
    EXPECT_EQ(gtr_save(ctx, path_of("model")), GTR_OK);
    EXPECT_EQ(gtr_load(ctx, path_of("model")), GTR_OK);
    CHECK(gtr__now() - began < 5, "notes take %g s", gtr__now() - began);
    EXPECT_OK(ctx);
    unlink(path_of("model"));
    gtr_destroy(ctx);
    free(wide); free(list);
}
/* Mapped arrays whose elements are not aligned in the file, or have the highest byte first. */
static void arrays_mapped(void)
{
    static const char *const dicts[] = { DICT("'<f4'", "False", "(5, 2)"), DICT("'>f4'", "False", "(5, 2)"),
        DICT("'<i4'", "False", "(5, 2)"), DICT("'>i4'", "False", "(5, 2)"), DICT("'|u1'", "False", "(5, 2)") };
    static const int64_t rows[] = { 4, 0 };
    gtr_npy_desc n = npy0();
    n.map = true;
    for (int k = 0; k < 5; k++) for (int pad = 0; pad < 4; pad++) {
        gtr_context *ctx = gtr_create(desc0());
        unsigned char data[40];
        char bytes[400], dict[200];
        const size_t size = k < 4 ? 4 : 1;
        for (int i = 0; i < 10; i++) {
            const float f = (float)i - 4.25f;
            const int32_t v = i * 1000003 - 4;
            uint32_t u;
            memcpy(&u, k < 2 ? (const void *)&f : &v, 4);
            for (size_t b = 0; b < size; b++) data[(size_t)i * size + b] = (unsigned char)(k == 4 ? (unsigned)i
                : u >> 8 * (k % 2 ? 3 - b : b));
        }
        snprintf(dict, sizeof dict, "%s%*s", dicts[k], pad, "");
        const char *path = written("npy", bytes, npy_made(bytes, 1, dict, data, 10 * size));
        gtr_dataset *d = gtr_dataset_npy(ctx, &path, 1, n), *some = gtr_dataset_subset(d, rows, 2);
        unlink(path);
        EXPECT_OK(ctx);
        for (int i = 0; i < 10; i++) {
            const double want = k < 2 ? i - 4.25 : k < 4 ? i * 1000003.0 - 4 : i;
            CHECK(at(d, 0, i / 2, i % 2) == want, "array %d, pad %d, element %d is %g, want %g", k, pad, i,
                at(d, 0, i / 2, i % 2), want);
            if (i < 4) EXPECT_EQ(at(some, 0, i / 2, i % 2), at(d, 0, rows[i / 2], i % 2));
        }
        EXPECT_EQ((uintptr_t)gtr_dataset_row(d, 0, 0) % size, 0);
        gtr_dataset_destroy(d); /* the part has its rows still */
        EXPECT_EQ(at(some, 0, 0, 1), k < 2 ? 4.75 : k < 4 ? 9 * 1000003.0 - 4 : 9);
        gtr_destroy(ctx);
    }
}
/* Where long has 32 bits a file's size has 64. */
static void large_files(void)
{
#ifdef _FILE_OFFSET_BITS
    EXPECT_EQ(_FILE_OFFSET_BITS, 64);
#else
    CHECK(0, "files of 2 GB and more cannot be read where long has 32 bits");
#endif
    EXPECT_EQ(sizeof(off_t), 8);
}
/* A network over a table's features, one hot ids of u, and v, for class y or, of targets, m. */
typedef struct { gtr_context *ctx; gtr_tensor *out; gtr_trainer *t; gtr_predictor *p; } table_net;
static table_net table_net_of(const gtr_dataset *d, gtr_context *ctx, int features, const char *label, bool target)
{
    table_net n;
    gtr_tensor *in[2], *y;
    n.ctx = ctx;
    n.t = NULL;
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, features));
    in[0] = gtr_standardise(x, "norm", d, 0);
    in[1] = gtr_one_hot(gtr_input(ctx, "u", GTR_I32, gtr_shape1(GTR_BATCH)), 3);
    n.out = gtr_linear(gtr_concat(in, 2, 1), "fc", target ? 1 : 2);
    if (d) {
        y = gtr_input(ctx, label, target ? GTR_F32 : GTR_I32, target ? gtr_shape2(GTR_BATCH, 1)
            : gtr_shape1(GTR_BATCH));
        n.t = gtr_trainer_create(target ? gtr_mse(n.out, gtr_standardise(y, "target", d, 2)) : gtr_cross_entropy(n.out,
            y), trainer0());
    }
    if (target) n.out = gtr_unstandardise(n.out, "target");
    n.p = gtr_predictor_create(n.out, 2);
    return n;
}
/* A program that has but the model's file reads a table as the one that was learned from. */
static void tables_of_models(void)
{
    static const char train[] = "when,a,u,\"b, too\",y\n2024-02-29,1,\"k\"\"1\",NA,no\n2024/03/01T12:30,NA,k2,5,yes\n"
        "2023-01-01 00:00:01.5Z,3,k3,6,yes\n2024-02-29,5,k2,10,no\n";
    static const char use[] = "u,more,\"b, too\",a,when\nk3,?,NA,2,2024-02-29\n\nk2,x,7,,2024-03-01 23:59:59\n\n\n"
        "\"k\"\"1\",,8,4,2025-12-31\n";
    for (int target = 0; target < 2; target++) {
        gtr_csv_desc c = csv0(), m = csv0();
        gtr_fit_desc f;
        char text[sizeof train + 100], file[96];
        gtr_float want[3][2], got[3][2];
        memset(&f, 0, sizeof f);
        f.silent = true; f.batch = 2; f.epochs = 2;
        strcpy(text, train);
        for (char *p = text; target && *p; p++) { /* numbers for labels */
            if (!strncmp(p, ",no\n", 4)) memcpy(p, ",77\n", 4);
            if (!strncmp(p, ",yes", 4)) memcpy(p, ",1e3", 4);
        }
        c.categories = "u"; c.dates = "when"; c.missing = GTR_MISSING_MEAN; c.scale = 0.1f; c.regression = target;
        gtr_context *ctx = gtr_create(desc0());
        gtr_dataset *d = csv_of(ctx, text, c);
        EXPECT_OK(ctx);
        EXPECT_EQ(gtr_dataset_shape(d, 0).dim[0], 6);
        table_net n = table_net_of(d, ctx, 6, "y", target);
        EXPECT_EQ(gtr_fit(n.t, d, f), GTR_OK);
        EXPECT(named(gtr_note(ctx, "table.features"), "\"when.year\",\"when.month\",\"when.weekday\",\"when.seconds\","
            "\"a\",\"b, too\""));
        EXPECT(named(gtr_note(ctx, "table.categories"), "\"u\"") && named(gtr_note(ctx, "u.0"), "k\"1"));
        EXPECT(named(gtr_note(ctx, "table.scale"), "0.100000001"));
        EXPECT(named(gtr_note(ctx, "table.label"), target ? NULL : "\"y\"")
            && named(gtr_note(ctx, "table.target"), target ? "\"y\"" : NULL));
        EXPECT_EQ(gtr_save(ctx, path_of("model")), GTR_OK);
        snprintf(file, sizeof file, "%s", path_of("model"));
        c.like = d; c.label_column = -1; c.skip = "more"; c.missing = GTR_MISSING_ERROR; c.scale = 0;
        c.regression = false;
        gtr_dataset *like = csv_of(ctx, use, c);
        EXPECT_OK(ctx);
        void *to[1] = { want };
        EXPECT_EQ(gtr_predict_dataset(n.p, like, to), GTR_OK);

        gtr_context *fresh = gtr_create(desc0());
        table_net q = table_net_of(NULL, fresh, 6, NULL, target);
        m.model = true;
        EXPECT(!csv_of(fresh, use, m));
        EXPECT_ERROR(fresh, GTR_ERR_STATE, "no notes of a table");
        EXPECT_EQ(gtr_load(fresh, file), GTR_OK);
        gtr_dataset *e = csv_of(fresh, use, m);
        EXPECT_OK(fresh);
        EXPECT(gtr_dataset_rows(e) == 3 && gtr_dataset_columns(e) == 2 && !memcmp(gtr_dataset_row(e, 0, 0),
            gtr_dataset_row(like, 0, 0), 3 * 6 * sizeof(gtr_float)));
        EXPECT(at(e, 0, 0, 0) == 2024 && fabs(at(e, 0, 0, 5) - 0.7) < 1e-6 && fabs(at(e, 0, 1, 4) - 0.3)
            < 1e-6 && at(e, 1, 0, 0) == 2 && at(e, 1, 2, 0) == 0);
        to[0] = got;
        EXPECT_EQ(gtr_predict_dataset(q.p, e, to), GTR_OK);
        EXPECT(!memcmp(got, want, 3 * (target ? 1 : 2) * sizeof(gtr_float)));
        e = csv_of(fresh, text, m); /* with labels, which are not needed, and may be measured by */
        EXPECT_OK(fresh);
        EXPECT(gtr_dataset_columns(e) == 3 && at(e, 2, 1, 0) == (target ? 1000 : 1) && gtr_dataset_dtype(e, 2)
            == (target ? GTR_F32 : GTR_I32) && !memcmp(gtr_dataset_row(e, 0, 0), gtr_dataset_row(d, 0, 0),
            4 * 6 * sizeof(gtr_float)));
        EXPECT_EQ(gtr_predict_dataset(q.p, gtr_dataset_subset(e, (const int64_t[]){ 2, 0 }, 2), to), GTR_OK);
        static const struct { const char *text; gtr_result want; const char *part; } bad[] = {
            { "u,b,a,when\nk3,1,2,2024-01-01\n", GTR_ERR_SHAPE, "column \"b, too\" of the model is not in the file" },
            { "v,\"b, too\",a,when\nk3,1,2,2024-01-01\n", GTR_ERR_SHAPE,
                "column \"u\" of the model is not in the file" },
            { "u,\"b, too\",a,when\nk3,1,2,2024-01-01\nk4,1,2,2024-01-01\n", GTR_ERR_FORMAT,
                "line 3, column 1 (counted from 1), \"u\": got 'k4', want one of the strings that the model has" },
            { "u,\"b, too\",a,when\n\n,1,2,2024-01-01\n", GTR_ERR_FORMAT, "line 3, column 1 (counted from 1), \"u\"" },
            { "u,\"b, too\",a,when\nk3,1,2,2024-13-01\n", GTR_ERR_FORMAT,
                "line 2, column 4 (counted from 1), \"when\": got '2024-13-01', want another date" },
            { "u,\"b, too\",a,when\nk3,1,x,2024-01-01\n", GTR_ERR_FORMAT, "\"a\": got 'x', want a number" } };
        const int64_t sets = e ? gtr_dataset_rows(e) : 0;
        for (int k = 0; k < 6; k++) {
            EXPECT(!csv_of(fresh, bad[k].text, m));
            EXPECT(!strstr(gtr_error_text(fresh), ".skip")); /* the model says what is read as what */
            EXPECT_ERROR(fresh, bad[k].want, bad[k].part);
        }
        EXPECT(sets == 4 && named(gtr_note(fresh, "u.2"), "k3") && !gtr_note(fresh, "u.3"));
        gtr_csv_desc both = m;
        both.like = e;
        EXPECT(!csv_of(fresh, use, both));
        EXPECT_ERROR(fresh, GTR_ERR_ARG, ".like is given, but not read: it is for a .model that is false");
        /* notes that are none of a table */
        static const char *const odd[][2] = { { "table.fills", "1,2" }, { "table.fills", "1,2,3,4,5,x" },
            { "table.features", "\"a" }, { "table.features", "\"a\",\"a\"" }, { "table.scale", "x" },
            { "table.categories", "\"nobody\"" }, { "table.fills", "1,2,3,4,5,6,7" }, { "table.fills", "\"x\"" },
            { "table.fills", "\"\"" }, { "table.fills", "\"linear\",2,3,4,5,6" }, { "table.fills", "" },
            { "table.fills", "1,2,3,4,5,1e999" }, { "table.fills", "1,2,3,4,5,\"mean\"" },
            { "table.fills", "1,2,3,4,5,6\n7" }, { "table.scale", "" }, { "table.scale", "0" },
            { "table.scale", "-" }, { "table.scale", "1e" }, { "table.scale", "\"1\"" }, { "table.scale", "1e999" },
            { "table.scale", "1,2" }, { "table.scale", "{}" }, { "table.scale", "[[1]]" }, { "table.features", "" },
            { "table.features", "2,1" }, { "table.features", "1,\"a\"" }, { "table.features", "-1,2,3,4,5,6" },
            { "table.features", "1e300" }, { "table.categories", "u" }, { "table.categories", "\"u\",1" } };
        for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
            char was[200];
            snprintf(was, sizeof was, "%s", gtr_note(fresh, odd[k][0]));
            EXPECT_EQ(gtr_note_set(fresh, odd[k][0], odd[k][1]), GTR_OK);
            if (!EXPECT(!csv_of(fresh, use, m))) printf("     case %d\n", (int)k);
            EXPECT_ERROR(fresh, GTR_ERR_FORMAT, odd[k][0]);
            EXPECT_EQ(gtr_note_set(fresh, odd[k][0], was), GTR_OK);
        }
        EXPECT_EQ(gtr_note_set(fresh, "u.1", "k\"1"), GTR_OK); /* a string twice: those behind it have no number */
        EXPECT(!csv_of(fresh, use, m));
        EXPECT_ERROR(fresh, GTR_ERR_FORMAT, "table.categories");
        EXPECT_EQ(gtr_load(fresh, file), GTR_OK);
        EXPECT(csv_of(fresh, use, m));
        EXPECT_OK(fresh);
        gtr_destroy(fresh);
        gtr_destroy(ctx);
        unlink(file);
    }
}
/* Of tables without a header, or without holes, and windows of one. */
static void models_by_places(void)
{
    gtr_context *ctx = gtr_create(desc0()), *fresh;
    gtr_csv_desc c = csv0(), m = csv0();
    c.header = false;
    gtr_dataset *d = csv_of(ctx, "1,2,b\n3,4,a\n", c);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 2));
    gtr_tensor *y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
    gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(gtr_linear(x, "fc", 2), y), trainer0());
    EXPECT_EQ(gtr_trainer_data(t, d, 2, false, false), GTR_OK);
    EXPECT(named(gtr_note(ctx, "table.features"), "1,2") && !gtr_note(ctx, "table.fills")
        && named(gtr_note(ctx, "y.0"), "a"));
    m.header = false; m.model = true; m.label_column = -1;
    d = csv_of(ctx, "5,6\n\n7,8\n", m);
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_rows(d) == 2 && at(d, 0, 1, 1) == 8);
    EXPECT(!csv_of(ctx, "5,6,7\n", m));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "want - (2,) float32 of .like (the model)");
    EXPECT(!csv_of(ctx, "5,6\n7,\n", m));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "line 2, column 2 (counted from 1): a blank field, want a number (the model was "
        "fitted without .missing)");
    m.missing = GTR_MISSING_MEAN; /* it has none, and the file's own are others */
    EXPECT(!csv_of(ctx, "5,6\n7,\n", m));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "line 2, column 2");
    m.missing = GTR_MISSING_CONSTANT; m.missing_value = 9;
    d = csv_of(ctx, "5,6\n7,\n", m);
    EXPECT(d && at(d, 0, 1, 1) == 9);
    m.missing = GTR_MISSING_ERROR; m.missing_value = 0; m.label_column = 0;
    d = csv_of(ctx, "5,6,b\n", m);
    EXPECT_OK(ctx);
    EXPECT(d && at(d, 1, 0, 0) == 1);
    gtr_destroy(ctx);
    /* a series: its windows know what it was, another table takes its place, and holes are as they were */
    ctx = gtr_create(desc0()); fresh = gtr_create(desc0());
    c = csv0();
    c.label_column = -1; c.missing = GTR_MISSING_LINEAR;
    gtr_windows_desc w;
    memset(&w, 0, sizeof w);
    w.history = 2; w.horizon = 1;
    d = gtr_dataset_windows(csv_of(ctx, "a,b\n1,\n,4\n3,\n5,8\n,8\n", c), w);
    EXPECT_OK(ctx);
    EXPECT(at(d, 0, 0, 1) == 4 && at(d, 0, 0, 2) == 2 && at(d, 0, 1, 3) == 6 && at(d, 1, 2, 0) == 5);
    for (int k = 0; k < 2; k++) {
        x = gtr_input(k ? fresh : ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 2, 2));
        y = gtr_input(k ? fresh : ctx, "y", GTR_F32, gtr_shape3(GTR_BATCH, 1, 2));
        gtr_tensor *out = gtr_reshape(gtr_linear(gtr_flatten(x), "fc", 2), gtr_shape3(GTR_BATCH, 1, 2));
        t = gtr_trainer_create(gtr_mse(out, y), trainer0());
        if (!k) EXPECT_EQ(gtr_trainer_data(t, d, 2, false, false), GTR_OK);
    }
    EXPECT(named(gtr_note(ctx, "table.features"), "\"a\",\"b\"") && named(gtr_note(ctx, "table.fills"),
        "\"linear\"") && !gtr_note(ctx, "table.target"));
    EXPECT_EQ(gtr_save(ctx, path_of("model")), GTR_OK);
    EXPECT_EQ(gtr_load(fresh, path_of("model")), GTR_OK);
    m = csv0();
    m.model = true;
    d = csv_of(fresh, "b,a\n2,\n,1\n8,2\n", m);
    EXPECT_OK(fresh);
    EXPECT(d && at(d, 0, 0, 0) == 1 && at(d, 0, 1, 1) == 5 && gtr_dataset_columns(d) == 1);
    gtr_destroy(fresh);
    gtr_destroy(ctx);
    unlink(path_of("model"));
    /* what no other is fed as goes: a table of other columns takes its place, and strings keep their numbers */
    two_classes n = two_of();
    EXPECT_EQ(gtr_trainer_data(n.t, table_of(n.ctx, no_yes, NULL), 2, false, false), GTR_OK);
    EXPECT(named(gtr_note(n.ctx, "table.features"), "\"x\"") && named(gtr_note(n.ctx, "table.label"), "\"y\""));
    c = csv0();
    c.missing = GTR_MISSING_MEDIAN; c.columns = "x";
    EXPECT_EQ(gtr_trainer_data(n.t, csv_of(n.ctx, "x,z,y\n1,2,no\n4,5,yes\n,6,yes\n", c), 2, false, false), GTR_OK);
    EXPECT(named(gtr_note(n.ctx, "table.features"), "\"x\"") && named(gtr_note(n.ctx, "table.fills"), "2.5"));
    EXPECT_EQ(gtr_trainer_data(n.t, table_of(n.ctx, no_yes, NULL), 2, false, false), GTR_OK);
    EXPECT(!gtr_note(n.ctx, "table.fills"));
    EXPECT_OK(n.ctx);
    gtr_destroy(n.ctx);
}
/* Holes of a series. */
static void series_filled(void)
{
    gtr_context *ctx = gtr_create(desc0());
    static const double want[2][6][2] = { { { 2, 10 }, { 2, 10 }, { 2, 30 }, { 2, 30 }, { 6, 30 }, { 6, 30 } },
        { { 2, 10 }, { 2, 20 }, { 2 + 4 / 3.0, 30 }, { 2 + 8 / 3.0, 30 }, { 6, 30 }, { 6, 30 } } };
    static const char text[] = "a,b,y\n,10,0\n2,,1\nNA,30,0\n,,1\n6,?,0\n,,1\n";
    gtr_csv_desc c = csv0();
    for (int k = 0; k < 2; k++) for (int like = 0; like < 2; like++) {
        c.missing = like ? GTR_MISSING_ERROR : k ? GTR_MISSING_LINEAR : GTR_MISSING_PREVIOUS;
        gtr_dataset *d = csv_of(ctx, text, c);
        EXPECT_OK(ctx);
        for (int r = 0; r < 6 && d; r++) for (int i = 0; i < 2; i++) CHECK(fabs(at(d, 0, r, i) - want[k][r][i]) < 1e-6,
            "kind %d, row %d: %g, want %g", k, r, at(d, 0, r, i), want[k][r][i]);
        c.like = like ? NULL : d;
    }
    c.missing = GTR_MISSING_PREVIOUS;
    EXPECT(!csv_of(ctx, "a,b,y\n1,,0\n2,,1\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "column 2 (counted from 1) has no value at all, want some");
    c.missing = GTR_MISSING_MEAN; /* what .like has is for its own kind: another that is said holds */
    c.like = csv_of(ctx, "a,b,y\n1,3,0\n3,5,1\n", c);
    c.missing = GTR_MISSING_PREVIOUS;
    gtr_dataset *d = csv_of(ctx, "a,b,y\n7,,0\n,9,1\n", c);
    EXPECT(d && at(d, 0, 1, 0) == 7 && at(d, 0, 0, 1) == 9);
    c.missing = GTR_MISSING_ERROR;
    d = csv_of(ctx, "a,b,y\n7,,0\n,9,1\n", c);
    EXPECT(d && at(d, 0, 1, 0) == 2 && at(d, 0, 0, 1) == 4);
    c.missing = GTR_MISSING_DROP; c.like = NULL; /* is not taken over: rows would be missed */
    c.like = csv_of(ctx, "a,b,y\n1,3,0\n3,,1\n", c);
    c.missing = GTR_MISSING_ERROR;
    EXPECT(!csv_of(ctx, "a,b,y\n7,,0\n,9,1\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "line 2, column 2");
    gtr_destroy(ctx);
}
static void blank_lines(void)
{
    static const struct { const char *text; bool header; int rows; double last; } cases[] = {
        { "\n\na,y\n\n1,0\n \t\r\n2,1\n\n\n3,0\n", true, 3, 3 }, { "\r\n1,0\r\n\r\n2,1\r\n", false, 2, 2 },
        { "a,y\n\"1\n\",0\n\n\"2\",1\n", true, 2, 2 } };
    gtr_context *ctx = gtr_create(desc0());
    gtr_csv_desc c = csv0();
    for (int k = 0; k < 3; k++) {
        c.header = cases[k].header;
        gtr_dataset *d = csv_of(ctx, k == 2 ? "a,y\n1,0\n\n\"2\",1\n" : cases[k].text, c);
        EXPECT_OK(ctx);
        CHECK(gtr_dataset_rows(d) == cases[k].rows && at(d, 0, cases[k].rows - 1, 0) == cases[k].last, "case %d", k);
    }
    static const struct { const char *text; bool header; const char *part; } bad[] = {
        { "\n\na,y\n\n1,0\n\nx,1\n", true, "line 7, column 1" }, { "\n\na,y\n\n1,0,4\n", true,
            "line 5 has 3 columns, want 2 as the header in line 3 has" },
        { "\n1,0\n\n\n2\n", false, "line 5 has 1 columns, want 2 as line 2 has" },
        { "\n1,2\n3,4\n", true, "line 2 holds numbers alone" },
        { "\na,b\n", false, "line 2, column 1 (counted from 1): got 'a', want a number (if the first line" },
        { "a,y\n\"1\n\n2\",0\n\n3,z\n", true, "line 2, column 1" } };
    for (int k = 0; k < 6; k++) {
        c.header = bad[k].header;
        EXPECT(!csv_of(ctx, bad[k].text, c));
        EXPECT_ERROR(ctx, GTR_ERR_FORMAT, bad[k].part);
    }
    c.header = false; c.label_column = -1; /* of one column they are holes, if there may be some */
    EXPECT_EQ(gtr_dataset_rows(csv_of(ctx, "\n1\n\n3\n", c)), 2);
    c.missing = GTR_MISSING_LINEAR;
    gtr_dataset *d = csv_of(ctx, "\n1\n\n3\n", c);
    EXPECT(gtr_dataset_rows(d) == 4 && at(d, 0, 0, 0) == 1 && at(d, 0, 2, 0) == 2);
    c.missing = GTR_MISSING_MEAN; c.label_column = 0; /* labels that are strings behind rows that are left out */
    c.drop_unlabelled = true;
    d = csv_of(ctx, "\n1,\n\n\n2,b\n\n3,a\n", c);
    EXPECT(gtr_dataset_rows(d) == 2 && named(gtr_dataset_class(d, 1), "b"));
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
static void dates(void)
{
    static const struct { const char *text; double want[4]; } good[] = { { "2024-02-29", { 2024, 2, 3, 0 } },
        { "1970/01/01", { 1970, 1, 3, 0 } }, { "2000-02-29T23:59", { 2000, 2, 1, 86340 } },
        { "1900-03-01 00:00:00", { 1900, 3, 3, 0 } }, { "2023-01-01 06:30:15.25Z", { 2023, 1, 6, 23415.25 } },
        { "0001-01-01", { 1, 1, 0, 0 } }, { "\" 9999-12-31\"", { 9999, 12, 4, 0 } }, { "2024-02-29T00:01Z",
            { 2024, 2, 3, 60 } } };
    static const char *const bad[] = { "2023-02-29", "1900-02-29", "2024-1-05", "2024-01-5", "24-01-05", "2024-01/05",
        "2024-00-05", "2024-13-05", "2024-04-31", "2024-04-00", "2024-04-01T", "2024-04-01 12", "2024-04-01 24:00",
        "2024-04-01 12:60", "2024-04-01 12:00:60", "2024-04-01 12:00:00.", "2024-04-01 12:00:00+01:00", "2024-04-01Z",
        "2024-04-01x", "today", "20240401", "2024-04-01 12:00:00.5x", "2024" };
    gtr_context *ctx = gtr_create(desc0());
    gtr_csv_desc c = csv0();
    char text[200], part[100];
    c.dates = "d";
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        const bool quoted = good[k].text[0] == '"';
        snprintf(text, sizeof text, "a,d,b,y\n1,%s,2,0\n", good[k].text);
        if (quoted) snprintf(text, sizeof text, "a,d,b,y\n1,\"9999-12-31\",2,0\n");
        gtr_dataset *d = csv_of(ctx, text, c);
        if (!EXPECT_OK(ctx) || !EXPECT_EQ(gtr_dataset_shape(d, 0).dim[0], 6)) continue;
        for (int i = 0; i < 4; i++) CHECK(at(d, 0, 0, 1 + i) == good[k].want[i], "%s: part %d is %g, want %g",
            good[k].text, i, at(d, 0, 0, 1 + i), good[k].want[i]);
        EXPECT(at(d, 0, 0, 0) == 1 && at(d, 0, 0, 5) == 2);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        snprintf(text, sizeof text, "a,d,b,y\n1,2024-01-01,2,0\n1,%s,2,0\n", bad[k]);
        EXPECT(!csv_of(ctx, text, c));
        snprintf(part, sizeof part, "line 3, column 2 (counted from 1), \"d\": got '%.20s", bad[k]);
        EXPECT_ERROR(ctx, GTR_ERR_FORMAT, part);
    }
    static const char *const no_days[] = { "2023-02-29", "2024-13-45", "2024-04-01 25:00", "0000-01-01",
        "0000-12-31 12:00" };
    for (int k = 0; k < 5; k++) {
        snprintf(text, sizeof text, "a,d,b,y\n1,%s,2,0\n", no_days[k]);
        EXPECT(!csv_of(ctx, text, c));
        snprintf(part, sizeof part, "got '%s', want another date: there is no such day or time", no_days[k]);
        const char *end = strstr(gtr_error_text(ctx), part);
        EXPECT(end && !end[strlen(part)]); /* no hint behind it */
        EXPECT_ERROR(ctx, GTR_ERR_FORMAT, part);
    }
    EXPECT(!csv_of(ctx, "a,d,y\n1,,0\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "a blank field, want a date");
    c.columns = "b,d"; c.missing = GTR_MISSING_PREVIOUS; /* in the list's place; .like's by names */
    gtr_dataset *d = csv_of(ctx, "a,d,b,y\n1,2024-01-31,2,0\n1,NA,3,0\n", c);
    EXPECT(d && at(d, 0, 0, 0) == 2 && at(d, 0, 1, 1) == 2024 && at(d, 0, 1, 3) == 2 && at(d, 0, 1, 0) == 3);
    c.like = d; c.columns = NULL; c.skip = "a"; c.label = "y";
    d = csv_of(ctx, "d,y,b,a\n2025-02-01,0,7,7\n", c);
    EXPECT_OK(ctx);
    EXPECT(d && at(d, 0, 0, 0) == 7 && at(d, 0, 0, 1) == 2025 && at(d, 0, 0, 2) == 2);
    c.like = NULL; c.skip = NULL; c.columns = "a,b"; c.label = NULL;
    EXPECT(!csv_of(ctx, "a,d,b,y\n1,2024-01-31,2,0\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, ".dates lists column 2, which .columns has not");
    c.columns = NULL; c.dates = "d,2";
    EXPECT(!csv_of(ctx, "a,d,b,y\n1,2024-01-31,2,0\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, ".dates lists column 2 (d), which is listed already");
    c.dates = "y";
    EXPECT(!csv_of(ctx, "a,d,b,y\n1,2024-01-31,2,0\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, ".dates lists column 4 (y), which is the label already");
    c.dates = "d,f"; c.label_column = -1; /* several, alone, without a header */
    d = csv_of(ctx, "d,f\n2024-01-31,2025-01-01 00:00:01\n", c);
    EXPECT(d && gtr_dataset_shape(d, 0).dim[0] == 8 && at(d, 0, 0, 4) == 2025 && at(d, 0, 0, 7) == 1);
    c.dates = "1"; c.header = false;
    d = csv_of(ctx, "2024-01-31,5\n", c);
    EXPECT(d && gtr_dataset_shape(d, 0).dim[0] == 5 && at(d, 0, 0, 4) == 5);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* Several labels, labels alone, and sets side by side. */
static void labels_beside(void)
{
    gtr_context *ctx = gtr_create(desc0());
    gtr_csv_desc c = csv0();
    c.labels = "y,x";
    gtr_dataset *d = csv_of(ctx, "x,a,y,b\n1,2,3.5,4\n5,6,7,8\n", c);
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_columns(d) == 2 && gtr_dataset_dtype(d, 1) == GTR_F32 && gtr_dataset_shape(d, 1).dim[0] == 2);
    EXPECT(at(d, 1, 0, 0) == 3.5 && at(d, 1, 0, 1) == 1 && at(d, 1, 1, 0) == 7 && at(d, 1, 1, 1) == 5 && at(d, 0, 1, 0)
        == 6 && at(d, 0, 1, 1) == 8 && !d->column[1].name);
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 2)), *t = gtr_input(ctx, "t", GTR_F32,
        gtr_shape2(GTR_BATCH, 2)), *out = gtr_linear(x, "fc", 2);
    gtr_trainer *trainer = gtr_trainer_create(gtr_mse(out, t), trainer0());
    EXPECT_EQ(gtr_trainer_data(trainer, d, 2, false, false), GTR_OK);
    EXPECT_EQ(gtr_step(trainer), GTR_OK);
    gtr_float got[2][2], want[2][2];
    void *to[1] = { got };
    gtr_predictor *p = gtr_predictor_create(out, 1); /* the label's column has no name, and is t's by its place */
    EXPECT_EQ(gtr_predict_dataset(p, d, to), GTR_OK);
    EXPECT_EQ(gtr_predict(p, gtr_dataset_row(d, 0, 0), 2, want), GTR_OK);
    EXPECT(!memcmp(got, want, sizeof got));
    c.labels = "y"; /* one has its name */
    d = csv_of(ctx, "x,a,y,b\n1,2,3.5,4\n", c);
    EXPECT(d && named(d->column[1].name, "y") && at(d, 1, 0, 0) == 3.5 && gtr_dataset_shape(d, 0).dim[0] == 3);
    c.drop_unlabelled = true; c.labels = "x,y";
    d = csv_of(ctx, "x,a,y,b\n1,2,3.5,4\n1,1,,1\n", c);
    EXPECT_EQ(gtr_dataset_rows(d), 1);
    EXPECT_OK(ctx);
    c.drop_unlabelled = false;
    EXPECT(!csv_of(ctx, "x,a,y,b\n1,2,3.5,4\n1,1,,1\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_FORMAT, "line 3, column 3 (counted from 1), \"y\": a blank field, want a number "
        "(.drop_unlabelled leaves such rows out)");
    c.labels = "y,y";
    EXPECT(!csv_of(ctx, "x,a,y,b\n1,2,3.5,4\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, ".labels lists column 3 (y), which is listed already");
    c.label = "x";
    EXPECT(!csv_of(ctx, "x,a,y,b\n1,2,3.5,4\n", c));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, ".label is given, but not read: it is for a .labels that is NULL");
    /* a text file of labels beside its images */
    c = csv0();
    c.header = false; c.label_column = 1;
    gtr_dataset *labels = csv_of(ctx, "dog\ncat\n\ndog\n", c);
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_columns(labels) == 1 && gtr_dataset_rows(labels) == 3 && named(gtr_dataset_class(labels, 0),
        "cat") && at(labels, 0, 0, 0) == 1);
    static const uint8_t pixels[3][4] = { { 0, 1, 2, 3 }, { 4, 5, 6, 7 }, { 8, 9, 10, 11 } };
    static const gtr_float ones[3] = { 1, 2, 3 };
    gtr_arrays_desc a;
    memset(&a, 0, sizeof a);
    a.rows = 3; a.column[0].data = pixels; a.column[0].dtype = GTR_U8; a.column[0].shape = gtr_shape2(2, 2);
    a.column[0].name = "image"; a.column[1].data = ones; a.column[1].name = "weight";
    gtr_dataset *two[3] = { gtr_dataset_arrays(ctx, a), labels, NULL };
    d = gtr_dataset_join(ctx, two, 2);
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_columns(d) == 3 && gtr_dataset_rows(d) == 3 && at(d, 0, 2, 3) == 11 && at(d, 1, 1, 0) == 2
        && at(d, 2, 1, 0) == 0 && named(gtr_dataset_class(d, 1), "dog") && gtr_dataset_column(d, "weight") == 1);
    EXPECT(!gtr_dataset_join(ctx, two, 3));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_dataset_join: set 2 of 3 (from 0) is NULL");
    EXPECT(!gtr_dataset_join(ctx, two, 0) && !gtr_dataset_join(ctx, NULL, 2) && !gtr_dataset_join(NULL, two, 2));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "want some");
    two[1] = two[0];
    EXPECT(!gtr_dataset_join(ctx, two, 2));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "are both called \"image\"");
    const int64_t some[2] = { 0, 1 };
    two[1] = gtr_dataset_subset(labels, some, 2);
    EXPECT(!gtr_dataset_join(ctx, two, 2));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "has 2 rows and makes 3 columns, want set 0's 3 and");
    gtr_dataset *many[17];
    for (int k = 0; k < 17; k++) many[k] = labels;
    EXPECT(!gtr_dataset_join(ctx, many, 17));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "makes 17 columns");
    EXPECT_EQ(gtr_dataset_columns(gtr_dataset_join(ctx, many, 16)), 16);
    gtr_context *other = gtr_create(desc0());
    EXPECT(!gtr_dataset_join(other, two, 1));
    EXPECT_ERROR(other, GTR_ERR_ARG, "another context's");
    gtr_destroy(other);
    gtr_destroy(ctx);
}
/* What a predictor reads of a set, and what it refuses; in pieces as in one call. */
static void sets_predicted(void)
{
    enum { ROWS = 7 };
    gtr_context *ctx = gtr_create(desc0());
    gtr_tensor *y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH)), *x = gtr_input(ctx, "x", GTR_F32,
        gtr_shape2(GTR_BATCH, 4)), *ids = gtr_input(ctx, "ids", GTR_I32, gtr_shape1(GTR_BATCH));
    gtr_tensor *in[2] = { x, gtr_embedding(ids, "e", 3, 4) };
    gtr_tensor *out = gtr_add(gtr_linear(gtr_concat(in, 2, 1), "fc", 2), gtr_random_normal(gtr_slice(x, 1, 0, 2), "r"));
    uint8_t pixels[ROWS][4], id[ROWS];
    int32_t labels[ROWS];
    gtr_float fed[ROWS][4], want[ROWS][2], got[ROWS][2];
    int32_t fed_ids[ROWS];
    gtr_arrays_desc a;
    memset(&a, 0, sizeof a);
    for (int r = 0; r < ROWS; r++) {
        for (int k = 0; k < 4; k++) fed[r][k] = (float)(pixels[r][k] = (uint8_t)(r * 30 + k)) * 0.5f + 1;
        fed_ids[r] = id[r] = (uint8_t)(r % 3);
        labels[r] = r;
    }
    a.rows = ROWS;
    a.column[0].data = labels; a.column[0].dtype = GTR_I32;
    a.column[1].data = pixels; a.column[1].dtype = GTR_U8; a.column[1].shape = gtr_shape2(2, 2);
    a.column[1].scale = 0.5f; a.column[1].shift = 1;
    a.column[2].data = id; a.column[2].dtype = GTR_U8; a.column[2].scale = 1;
    gtr_predictor *p = gtr_predictor_create(out, ROWS), *few = gtr_predictor_create(out, 2);
    EXPECT_OK(ctx);
    const void *from[2] = { fed, fed_ids };
    void *to[1] = { want };
    EXPECT_EQ(gtr_predict_ex(p, from, ROWS, to), GTR_OK);
    for (int k = 1; k < 6; k++) { /* by places, by names; what is behind the last is not needed */
        a.column[0].name = "y"; a.column[2].name = k == 2 ? "ids" : NULL;
        gtr_arrays_desc b = a;
        if (k == 3) { b.column[0] = a.column[1]; b.column[1] = a.column[2]; b.column[2].data = NULL;
            b.column[2].scale = 0; b.column[2].dtype = GTR_F32; }
        if (k == 5) {
            b.column[0] = a.column[1]; b.column[1] = a.column[2]; b.column[2] = a.column[0]; b.column[2].name = NULL;
        }
        if (k == 4) { b.column[0] = a.column[2]; b.column[2] = a.column[0]; b.column[0].name = "ids"; }
        gtr_dataset *d = gtr_dataset_arrays(ctx, b);
        EXPECT_OK(ctx);
        memset(got, 0, sizeof got);
        to[0] = got;
        EXPECT_EQ(gtr_predict_dataset(k % 2 ? p : few, d, to), GTR_OK);
        bool same = k % 2 || device == GTR_DEVICE_CPU ? !memcmp(got, want, sizeof got) : true;
        for (int r = 0; r < ROWS * 2; r++) /* a GPU's products of few rows add in another order */
            same &= fabs((double)(&got[0][0])[r] - (double)(&want[0][0])[r]) <= 1e-4;
        CHECK(same, "set %d: %g, want %g (%s)", k, (double)got[3][1], (double)want[3][1],
            gtr_predictor_error_text(k % 2 ? p : few));
    }
    gtr_dataset *d = gtr_dataset_arrays(ctx, a), *other;
    EXPECT(gtr_predict_dataset(NULL, d, to) == GTR_ERR_ARG && gtr_predict_dataset(p, NULL, to) == GTR_ERR_ARG
        && gtr_predict_dataset(p, d, NULL) == GTR_ERR_ARG);
    gtr_predictor_destroy(p);
    p = gtr_predictor_create(out, ROWS);
    id[4] = 3;
    d = gtr_dataset_arrays(ctx, a);
    EXPECT_EQ(gtr_predict_dataset(p, d, to), GTR_ERR_ARG);
    EXPECT(strstr(gtr_predictor_error_text(p), "input \"ids\": element 4 is 3") != NULL);
    gtr_predictor_destroy(p);
    p = gtr_predictor_create(out, ROWS);
    a.column[1].shape = gtr_shape1(3);
    d = gtr_dataset_arrays(ctx, a);
    EXPECT_EQ(gtr_predict_dataset(p, d, to), GTR_ERR_SHAPE);
    EXPECT(strstr(gtr_predictor_error_text(p), "does not go into input \"x\"") != NULL);
    gtr_predictor_destroy(p);
    p = gtr_predictor_create(out, ROWS);
    a.column[2].data = NULL; a.column[2].dtype = GTR_F32; a.column[2].scale = 0; a.column[1].shape = gtr_shape1(4);
    d = gtr_dataset_arrays(ctx, a);
    EXPECT_EQ(gtr_predict_dataset(p, d, to), GTR_ERR_SHAPE);
    EXPECT(strstr(gtr_predictor_error_text(p), "each input wants the column") != NULL);
    /* what is called as no input is named, and not read */
    a.column[0].name = "features"; a.column[1].data = NULL;
    d = gtr_dataset_arrays(ctx, a);
    EXPECT_EQ(gtr_predict_dataset(p, d, to), GTR_ERR_SHAPE);
    EXPECT(strstr(gtr_predictor_error_text(p), "1 column \"features\"")
        && strstr(gtr_predictor_error_text(p), "inputs \"x\""));
    EXPECT_EQ(gtr_predict_dataset(p, NULL, to), GTR_ERR_ARG); /* a later error takes an earlier one's place */
    EXPECT(strstr(gtr_predictor_error_text(p), "the set is NULL") != NULL);
    gtr_predictor_destroy(p);
    gtr_callback_desc made;
    memset(&made, 0, sizeof made);
    made.rows = 2; made.columns = 1; made.fill = nothing; made.column[0].shape = gtr_shape1(4);
    p = gtr_predictor_create(gtr_mean(out, (const int[]){ 1 }, 1, false), 2);
    EXPECT_EQ(gtr_predict_dataset(p, gtr_dataset_callback(ctx, made), to), GTR_ERR_STATE);
    EXPECT(strstr(gtr_predictor_error_text(p), "its rows are a callback's") != NULL);
    gtr_context *far = gtr_create(desc0());
    other = gtr_dataset_callback(far, made);
    gtr_predictor_destroy(p);
    p = gtr_predictor_create(out, ROWS);
    EXPECT_EQ(gtr_predict_dataset(p, other, to), GTR_ERR_ARG);
    EXPECT(strstr(gtr_predictor_error_text(p), "another context's") != NULL);
    gtr_destroy(far);
    EXPECT_OK(ctx);
    (void)y;
    gtr_destroy(ctx);
    /* windows lie over each other; strings under other numbers than the model's are refused */
    ctx = gtr_create(desc0());
    gtr_csv_desc c = csv0();
    c.label_column = -1;
    gtr_windows_desc w;
    memset(&w, 0, sizeof w);
    w.history = 3; w.horizon = 1;
    d = gtr_dataset_windows(csv_of(ctx, "a\n1\n2\n3\n4\n5\n6\n", c), w);
    x = gtr_input(ctx, "a", GTR_F32, gtr_shape2(GTR_BATCH, 3));
    p = gtr_predictor_create(gtr_sum(x, (const int[]){ 1 }, 1, false), 2);
    EXPECT_EQ(gtr_predict_dataset(p, d, to), GTR_OK);
    EXPECT(got[0][0] == 6 && got[0][1] == 9 && got[1][0] == 12);
    c.categories = "s";
    ids = gtr_input(ctx, "s", GTR_I32, gtr_shape1(GTR_BATCH));
    EXPECT_EQ(gtr_note_set(ctx, "s.1", "k"), GTR_OK);
    EXPECT_EQ(gtr_note_set(ctx, "s.0", "l"), GTR_OK);
    gtr_predictor_destroy(p);
    p = gtr_predictor_create(gtr_one_hot(ids, 2), 2);
    EXPECT_EQ(gtr_predict_dataset(p, csv_of(ctx, "s\nk\nl\n", c), to), GTR_ERR_SHAPE);
    EXPECT(strstr(gtr_predictor_error_text(p), "\"l\" is number 0 of \"s\" in the model") != NULL);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
/* What was standardised comes back without a dummy before it, and a wrong name does not pass for one. */
static void unstandardised_first(void)
{
    gtr_context *ctx = gtr_create(desc0());
    gtr_float v[4] = { 1, 2, 3, 4 }, got[4];
    for (int k = 0; k < 2; k++) {
        gtr_tensor *y = gtr_input(ctx, k ? "y1" : "y0", GTR_F32, k ? gtr_shape1(GTR_BATCH) : gtr_shape2(GTR_BATCH, 2));
        gtr_tensor *out = gtr_unstandardise(y, k ? "one" : "two");
        EXPECT_EQ(gtr_parameter_count(ctx), 2 + 2 * k);
        gtr_predictor *p = gtr_predictor_create(out, 4);
        EXPECT_EQ(gtr_predict(p, v, k ? 4 : 2, got), GTR_OK);
        EXPECT(!memcmp(v, got, sizeof v));
        EXPECT(!gtr_parameter_trainable(gtr_parameter_find(ctx, k ? "one.std" : "two.mean")));
        EXPECT_OK(ctx);
    }
    gtr_tensor *mean = gtr_parameter_find(ctx, "two.mean"), *std = gtr_parameter_find(ctx, "two.std");
    const gtr_float means[2] = { 10, 20 }, stds[2] = { 2, 4 };
    gtr_tensor *x = gtr_input(ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 2));
    EXPECT(!gtr_standardise(gtr_input(ctx, "x3", GTR_F32, gtr_shape2(GTR_BATCH, 3)), "two", NULL, 0));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "there is one of this name already");
    gtr_tensor *z = gtr_standardise(x, "two", NULL, 0); /* theirs */
    EXPECT(z && gtr_parameter_count(ctx) == 4);
    EXPECT_EQ(gtr_set(mean, means, sizeof means), GTR_OK);
    EXPECT_EQ(gtr_set(std, stds, sizeof stds), GTR_OK);
    gtr_predictor *p = gtr_predictor_create(z, 2);
    EXPECT_EQ(gtr_predict(p, v, 2, got), GTR_OK);
    EXPECT(got[0] == -4.5f && got[1] == -4.5f && got[2] == -3.5f && got[3] == -4);
    EXPECT(!gtr_standardise(x, "two", NULL, 0)); /* one layer each */
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "there is one of this name already");
    /* "one" has no gtr_standardise, and nobody loaded it: training does not begin */
    gtr_arrays_desc a;
    gtr_fit_desc f;
    memset(&a, 0, sizeof a); memset(&f, 0, sizeof f);
    a.rows = 2; a.column[0].data = v; a.column[0].shape = gtr_shape1(2);
    gtr_dataset *d = gtr_dataset_arrays(ctx, a);
    f.batch = 2; f.silent = true;
    gtr_trainer *t = gtr_trainer_create(gtr_mean(gtr_square(gtr_linear(z, "fc", 1)), NULL, 0, false), trainer0());
    EXPECT_EQ(gtr_fit(t, d, f), GTR_ERR_STATE);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "\"one.std\" is of a gtr_unstandardise, but of no gtr_standardise");
    EXPECT_EQ(gtr_trainer_data(t, d, 2, false, false), GTR_ERR_STATE);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "");
    EXPECT_EQ(gtr_save(ctx, path_of("model")), GTR_OK);
    EXPECT_EQ(gtr_load(ctx, path_of("model")), GTR_OK);
    EXPECT_EQ(gtr_fit(t, d, f), GTR_OK);
    EXPECT_OK(ctx);
    EXPECT(!gtr_unstandardise(z, NULL) && !gtr_unstandardise(z, ""));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "a layer needs a name");
    gtr_parameter(ctx, "half.std", gtr_shape1(2), (gtr_init){ GTR_INIT_ZERO, 0, false });
    EXPECT(!gtr_unstandardise(z, "half"));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "there is no \"half.mean\", but \"half.std\"");
    EXPECT(!gtr_unstandardise(gtr_input(ctx, "i", GTR_I32, gtr_shape1(GTR_BATCH)), "ids")); /* nothing is left of it */
    EXPECT(!gtr_parameter_find(ctx, "ids.std"));
    gtr_destroy(ctx);
    unlink(path_of("model"));
}
/* Windows over a text as they come: in order, apart, shuffled, from anywhere, of streams, of parts, of characters. */
enum { TEXT = 203, LONG = 6 };
static char the_text[4 * TEXT + 1];
static int32_t text_ids[TEXT];
static size_t text_make(bool characters)
{
    static const char *const some[] = { "a", "\xc3\xa9", "\n", "\xe2\x82\xac", "z", "\xf0\x9f\x99\x82", "\r" };
    static const int32_t rank[] = { 2, 4, 0, 5, 3, 6, 1 };  /* in the order of code points */
    size_t n = 0;
    for (int i = 0; i < TEXT; i++) {
        const int k = (i * i + i / 7) % 7;
        if (characters) n += (size_t)sprintf(the_text + n, "%s", some[k]); else the_text[n++] = (char)(i * 37 + i / 9);
        text_ids[i] = characters ? rank[k] : (uint8_t)the_text[n - 1];
    }
    return n;
}
/* Where in the text a window of `ids`, followed by `next`, is, from `from` on; -1: nowhere. */
static int text_place(const int32_t *ids, const int32_t *next, int from)
{
    for (int at = from; at + LONG < TEXT; at++)
        if (!memcmp(ids, text_ids + at, LONG * sizeof *ids) && !memcmp(next, text_ids + at + 1, LONG * sizeof *next))
            return at;
    return -1;
}
typedef struct { gtr_context *ctx; gtr_tensor *in, *next; gtr_trainer *t; gtr_tensor *loss; } reader;
static reader reader_of(int ids)
{
    reader r;
    r.ctx = gtr_create(desc0());
    r.in = gtr_input(r.ctx, "text", GTR_I32, gtr_shape2(GTR_BATCH, LONG));
    r.next = gtr_input(r.ctx, "next", GTR_I32, gtr_shape2(GTR_BATCH, LONG));
    gtr_tensor *h = gtr_linear(gtr_embedding(r.in, "at", ids, 4), "out", ids);
    r.loss = gtr_cross_entropy(gtr_reshape(h, gtr_shape2(-LONG, ids)), gtr_reshape(r.next, gtr_shape1(-LONG)));
    r.t = gtr_trainer_create(r.loss, trainer0());
    return r;
}
static void texts(void)
{
    enum { BATCH = 7 };
    static const struct { int stride, random, streams, characters; float begin, end; int rows; } cases[] = {
        { 0, 0, 0, 0, 0, 0, 33 }, { 1, 0, 0, 1, 0, 0, 197 }, { 5, 0, 0, 1, 0.5f, 0, 19 }, { 9, 0, 0, 0, 0, 0.25f, 5 },
        { 0, 50, 0, 0, 0, 0, 50 }, { 0, 9, 0, 1, 0.5f, 1, 9 }, { 0, 0, BATCH, 0, 0, 0, 28 },
        { 0, 0, BATCH, 1, 0.25f, 1, 21 } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) for (int shuffle = 0; shuffle < 2; shuffle++) {
        const size_t bytes = text_make(cases[k].characters);
        const int from = (int)((double)TEXT * (double)cases[k].begin + 0.5), rows = cases[k].rows,
            by = cases[k].stride ? cases[k].stride : LONG, batch = rows < BATCH ? rows : BATCH;
        reader m = reader_of(cases[k].characters ? 7 : 256);
        gtr_text_desc w;
        memset(&w, 0, sizeof w);
        w.length = LONG; w.stride = cases[k].stride; w.random = cases[k].random; w.streams = cases[k].streams;
        w.characters = cases[k].characters; w.begin = cases[k].begin; w.end = cases[k].end;
        gtr_dataset *d = gtr_dataset_text(m.ctx, written("txt", the_text, bytes), w);
        unlink(path_of("txt"));
        EXPECT_OK(m.ctx);
        EXPECT_EQ(gtr_dataset_rows(d), rows);
        EXPECT_EQ(gtr_dataset_categories(d, 0), cases[k].characters ? 7 : 0);
        EXPECT_EQ(gtr_trainer_data(m.t, d, batch, shuffle, false), cases[k].streams && shuffle ? GTR_ERR_ARG : GTR_OK);
        if (cases[k].streams && shuffle) EXPECT_ERROR(m.ctx, GTR_ERR_ARG, "want rows in their order (.no_shuffle of "
            "gtr_fit), not shuffled");
        int seen[TEXT] = { 0 }, place[2][50], last[BATCH], other = 0, places = 0;
        for (int epoch = 0; epoch < 2 && !(cases[k].streams && shuffle); epoch++)
            for (int first = 0; first < rows; first += batch) {
                int32_t ids[BATCH][LONG], next[BATCH][LONG];
                const int n = rows - first < batch ? rows - first : batch;
                EXPECT_EQ(gtr_step(m.t), GTR_OK);
                EXPECT_EQ(gtr_get(m.in, ids, (size_t)n * sizeof *ids), GTR_OK);
                EXPECT_EQ(gtr_get(m.next, next, (size_t)n * sizeof *next), GTR_OK);
                for (int r = 0; r < n; r++) {
                    const int at = text_place(ids[r], next[r], from), row = first + r;
                    if (!CHECK(at >= 0, "case %d, row %d: no window of the text", (int)k, row)) continue;
                    if (cases[k].random) place[epoch][row] = at;
                    else if (!cases[k].streams && !shuffle) CHECK(text_ids[at] == text_ids[from + row * by]
                        && !memcmp(ids[r], text_ids + from + row * by, sizeof *ids), "case %d: row %d is from %d",
                        (int)k, row, at);
                    if (cases[k].streams && first) CHECK(!memcmp(ids[r], text_ids + last[r] + LONG, sizeof *ids),
                        "case %d, row %d: at %d behind %d", (int)k, row, at, last[r]);
                    last[r] = cases[k].streams ? from + (r * (rows / BATCH) + first / BATCH) * LONG : at;
                    places += !seen[at]++;
                }
            }
        for (int r = 0; r < rows && cases[k].random && !shuffle; r++) other += place[0][r] != place[1][r];
        if (cases[k].random && !shuffle) CHECK(other > rows / 2 && places > rows, "case %d: %d of %d windows are others"
            " in the second epoch, in %d places", (int)k, other, rows, places);
        float loss[3];
        for (int i = 0; i < 3; i++) EXPECT_EQ(gtr_evaluate(m.t, d, i < 2 ? rows : batch, NULL, &loss[i], NULL), GTR_OK);
        CHECK(loss[0] == loss[1] && fabs((double)(loss[2] - loss[0])) < 1e-5, "case %d: an evaluation gives %g, %g, %g",
            (int)k, (double)loss[0], (double)loss[1], (double)loss[2]);
        EXPECT_OK(m.ctx);
        gtr_destroy(m.ctx);
    }
}
/* A model of characters knows them; another text is read by the same ids, and a prediction as it is fed. */
static void texts_of_models(void)
{
    char path[96];
    snprintf(path, sizeof path, "%s", path_of("chars"));
    text_make(true);
    for (int again = 0; again < 2; again++) {
        reader m = reader_of(7);
        gtr_text_desc w;
        memset(&w, 0, sizeof w);
        w.length = LONG; w.characters = true; w.end = 0.5f;
        gtr_dataset *d = gtr_dataset_text(m.ctx, written("txt", the_text, strlen(the_text)), w), *more;
        if (!again) {
            gtr_fit_desc f;
            memset(&f, 0, sizeof f);
            f.silent = true; f.batch = 4;
            w.begin = 0.5f; w.end = 1; w.like = d;
            f.validation = gtr_dataset_text(m.ctx, path_of("txt"), w);
            EXPECT_EQ(gtr_fit(m.t, d, f), GTR_OK);
            EXPECT_EQ(gtr_save(m.ctx, path), GTR_OK);
            w.begin = w.end = 0;
            more = gtr_dataset_text(m.ctx, written("txt", "zaz\xe2\x82\xac\nazz", 10), w);      /* none but .like's */
            EXPECT_OK(m.ctx);
            EXPECT(at(more, 0, 0, 0) == 3 && at(more, 0, 0, 1) == 2);
            EXPECT(at(more, 0, 0, 3) == 5 && at(more, 1, 0, 3) == 0);
            EXPECT_EQ(gtr_dataset_categories(more, 0), 7);
            EXPECT(!gtr_dataset_text(m.ctx, written("txt", "zazaz\xc3\xb6zzz", 10), w));
            EXPECT_ERROR(m.ctx, GTR_ERR_FORMAT,
                "txt: the character \"\xc3\xb6\" at byte 5 (from 0) is none of the .like's");
            gtr_predictor *p = gtr_predictor_create(gtr_scale(gtr_to_float(m.in), 1, 0), 3);
            gtr_float got[50][LONG];
            void *out[1] = { got };
            EXPECT_EQ(gtr_predict_dataset(p, d, out), GTR_OK);
            for (int i = 0; i < 16 * LONG; i++) CHECK(got[i / LONG][i % LONG] == (gtr_float)text_ids[i], "id %d", i);
        }
        if (again) EXPECT_EQ(gtr_load(m.ctx, path), GTR_OK);
        EXPECT(named(gtr_note(m.ctx, "text.0"), "\n") && named(gtr_note(m.ctx, "text.5"), "\xe2\x82\xac"));
        EXPECT(named(gtr_note(m.ctx, "text.6"), "\xf0\x9f\x99\x82") && !gtr_note(m.ctx, "text.7"));
        EXPECT(!gtr_note(m.ctx, "table.categories") && !gtr_note(m.ctx, "next.0"));
        EXPECT(named(gtr_dataset_category(d, 0, 4), "\xc3\xa9") && gtr_dataset_category_id(d, 0, "z") == 3);
        gtr_text_desc own;      /* a text whose ids mean others than the model's */
        memset(&own, 0, sizeof own);
        own.length = LONG; own.characters = true;
        more = gtr_dataset_text(m.ctx, written("txt", "zazazazaz", 9), own);
        EXPECT_EQ(gtr_trainer_data(m.t, more, 1, false, false), GTR_ERR_SHAPE);
        EXPECT_ERROR(m.ctx, GTR_ERR_SHAPE, "read that .like the training's");
        EXPECT_OK(m.ctx);
        gtr_destroy(m.ctx);
    }
    unlink(path);
    unlink(path_of("txt"));
}
static void refused_texts(void)
{
    static const struct { const char *text; size_t n; gtr_text_desc w; gtr_result code; const char *part; } cases[] = {
        { "", 0, { LONG, 0, 0, 0, 0, 0, 0, 0 }, GTR_ERR_ARG, "txt: an empty file" },
        { "", 0, { LONG, 1, 0, 0, 0, 0, 0, 0 }, GTR_ERR_ARG, "txt: an empty file" },
        { "123456", 6, { LONG, 0, 0, 0, 0, 0, 0, 0 }, GTR_ERR_ARG,
            "txt: 6 bytes, want at least 7 for windows of 6 and the one behind" },
        { "12345678\xc3\xa9", 10, { 9, 1, 0, 0, 0, 0, 0, 0 }, GTR_ERR_ARG, "txt: 9 characters, want at least 10" },
        { "12345678", 8, { LONG, 0, 0, 0.5f, 0, 0, 0, 0 }, GTR_ERR_ARG, "txt: 4 bytes of it, want at least 7" },
        { "12345678", 8, { 4, 0, 0, 0, 0, 0, 0, 2 }, GTR_ERR_ARG, "at least 9 for windows of 4 of each of .streams" },
        { "1234567\xff" "abc", 11, { 4, 1, 0, 0, 0, 0, 0, 0 }, GTR_ERR_FORMAT,
            "txt: what begins at byte 7 (from 0), 0xff, is no UTF-8" },
        { "12345\xed\xa0\x80", 8, { 4, 1, 0, 0, 0, 0, 0, 0 }, GTR_ERR_FORMAT, "byte 5 (from 0), 0xed" },
        { "12345678\xe2\x82", 10, { 4, 1, 0, 0, 0, 0, 0, 0 }, GTR_ERR_FORMAT, "byte 8 (from 0), 0xe2" },
        { "12345678", 8, { 0, 0, 0, 0, 0, 0, 0, 0 }, GTR_ERR_ARG, "length 0, from 0 to 0, " },
        { "12345678", 8, { -1, 0, 0, 0, 0, 0, 0, 0 }, GTR_ERR_ARG, "want a .length of 1 to 2^30" },
        { "12345678", 8, { 4, 0, 0, 0.5f, 0.5f, 0, 0, 0 }, GTR_ERR_ARG, "want .begin below .end, both 0 to 1" },
        { "12345678", 8, { 4, 0, 0, 0, 1.5f, 0, 0, 0 }, GTR_ERR_ARG, "want .begin below .end" },
        { "12345678", 8, { 4, 0, 0, -0.5f, 0, 0, 0, 0 }, GTR_ERR_ARG, "want .begin below .end" },
        { "12345678", 8, { 4, 0, 0, 0, 0, -1, 0, 0 }, GTR_ERR_ARG, ".stride, .random and .streams of at least 0" },
        { "12345678", 8, { 4, 0, 0, 0, 0, 2, 5, 0 }, GTR_ERR_ARG, ".stride is given, but not read" },
        { "12345678", 8, { 4, 0, 0, 0, 0, 0, 5, 2 }, GTR_ERR_ARG, ".streams is given, but not read" } };
    gtr_context *ctx = gtr_create(desc0());
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *path = written("txt", cases[k].text, cases[k].n);
        EXPECT(!gtr_dataset_text(ctx, path, cases[k].w));
        EXPECT_ERROR(ctx, cases[k].code, cases[k].part);
    }
    gtr_text_desc w = cases[0].w;
    EXPECT(!gtr_dataset_text(ctx, NULL, w) && !gtr_dataset_text(NULL, "x", w));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "gtr_dataset_text: the path is NULL");
    EXPECT(!gtr_dataset_text(ctx, "build", w));
    EXPECT_ERROR(ctx, GTR_ERR_IO, "build: not a regular file");
    EXPECT(!gtr_dataset_text(ctx, "build/no such text", w));
    EXPECT_ERROR(ctx, GTR_ERR_IO, "build/no such text: opening failed");
    const char *path = written("txt", "a\r\n\r\nbcdefgh", 12);
    gtr_dataset *d = gtr_dataset_text(ctx, path, w);
    EXPECT(at(d, 0, 0, 1) == '\r' && at(d, 0, 0, 2) == '\n' && at(d, 1, 0, 5) == 'c');    /* as they are */
    w.like = d;
    EXPECT(!gtr_dataset_text(ctx, path, w));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, ".like is given, but not read: it is for .characters");
    w.characters = true;
    EXPECT(!gtr_dataset_text(ctx, path, w));
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "want a .like that is of gtr_dataset_text with .characters");
    EXPECT(!gtr_dataset_split(d, 2) && gtr_dataset_append(d, NULL, 1) == GTR_ERR_ARG);
    EXPECT_ERROR(ctx, GTR_ERR_ARG, "");
    EXPECT(!gtr_dataset_split(gtr_dataset_text(ctx, written("txt", "0123456789abcdef", 16), cases[0].w), 2));
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "its rows are windows; a part of a text is what .begin and .end say");
    EXPECT_EQ(gtr_dataset_stream(d, GTR_STREAM_NEVER), GTR_ERR_STATE);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "texts, ragged rows");
    unlink(path_of("txt"));
    gtr_destroy(ctx);
    reader m = reader_of(100);
    memset(&w, 0, sizeof w);
    w.length = LONG;
    for (int k = 0; k < 2; k++) {     /* an id that the embedding has not, wherever it is */
        w.stride = k ? 0 : 4; w.random = k ? 5 : 0;
        d = gtr_dataset_text(m.ctx, written("txt", "aaaaaaaaaaaaaaz", 15), w);
        EXPECT_EQ(gtr_trainer_data(m.t, d, 1, true, false), GTR_ERR_ARG);
        EXPECT_ERROR(m.ctx, GTR_ERR_ARG, "id 13: 122, want 0 to 99");
    }
    w.random = 0; w.characters = true; w.end = 0.5f;  /* ids are those of all of the file */
    d = gtr_dataset_text(m.ctx, path_of("txt"), w);
    EXPECT(gtr_dataset_categories(d, 0) == 2 && named(gtr_dataset_category(d, 0, 1), "z") && gtr_dataset_rows(d) == 1);
    unlink(path_of("txt"));
    gtr_destroy(m.ctx);
}
/* Rows of different lengths, by an array, by a column of ids and by one of another set: what is fed, split, copied. */
static void ragged_rows(void)
{
    enum { ROWS = 9, STEPS = 30, T = 7, C = 2 };
    static const int64_t lengths[ROWS] = { 3, 7, 1, 0, 5, 2, 6, 4, 2 };
    static const int32_t ones[ROWS] = { 3, 7, 1, 0, 5, 2, 6, 4, 2 };
    for (int k = 0; k < 6; k++) {
        const int by = k % 3, bytes = k / 3, T1 = by == 0 ? T + 2 : T, rows = by == 1 ? ROWS - 1 : ROWS;
        gtr_float x[STEPS][C];
        uint8_t u[STEPS][C];
        int32_t id[STEPS], tag[STEPS], label[ROWS], start[ROWS], length[ROWS];
        for (int r = 0, s = 0, n = 0; r < ROWS; r++) {
            if (by == 1 && !lengths[r]) continue; /* a row of ids has a step */
            start[n] = s; length[n] = (int)lengths[r]; label[n++] = r;
            for (int i = 0; i < lengths[r]; i++, s++) {
                id[s] = r; tag[s] = s % 5;
                for (int c = 0; c < C; c++) x[s][c] = u[s][c] = (uint8_t)(1 + 2 * s + c);
            }
        }
        gtr_context *ctx = gtr_create(desc0());
        gtr_arrays_desc a, b;
        gtr_ragged_desc w;
        memset(&a, 0, sizeof a); memset(&b, 0, sizeof b); memset(&w, 0, sizeof w);
        a.rows = STEPS; b.rows = rows;
        a.column[0].data = bytes ? (void *)u : (void *)x; a.column[0].dtype = bytes ? GTR_U8 : GTR_F32;
        a.column[0].shape = gtr_shape1(C); a.column[0].scale = 1;
        a.column[1].data = tag; a.column[1].dtype = GTR_I32; a.column[1].name = "tag";
        a.column[2].data = by == 1 ? id : NULL; a.column[2].dtype = by == 1 ? GTR_I32 : GTR_F32;
        b.column[0].data = label; b.column[0].dtype = GTR_I32;
        b.column[1].data = by == 2 ? ones : NULL; b.column[1].dtype = by == 2 ? GTR_I32 : GTR_F32;
        b.column[1].name = by == 2 ? "n" : NULL;
        w.pad[0] = bytes ? 255 : -0.5; w.pad[1] = -100; w.name = by < 2 ? "n" : NULL;
        if (by == 0) { w.lengths = lengths; w.n_lengths = ROWS; w.steps = T1; }
        if (by == 1) w.series = 3;
        if (by == 2) w.lengths_column = 2;
        w.beside = gtr_dataset_arrays(ctx, b);
        gtr_dataset *steps = gtr_dataset_arrays(ctx, a), *d = gtr_dataset_ragged(steps, w), *part;
        gtr_dataset_destroy(steps);
        gtr_dataset_destroy((gtr_dataset *)(uintptr_t)w.beside);
        EXPECT_OK(ctx);
        EXPECT(gtr_dataset_rows(d) == rows && gtr_dataset_columns(d) == 4 && gtr_dataset_shape(d, 0).dim[0] == T1);
        part = gtr_dataset_split(d, 3); /* of rows that both share */
        const int64_t twice[3] = { 2, 0, 2 };
        gtr_dataset *both[2] = { d, part }, *sets[5] = { d, part, gtr_dataset_subset(d, twice, 3),
            gtr_dataset_concat(ctx, both, 2), gtr_dataset_join(ctx, both, 1) };
        EXPECT_OK(ctx);
        gtr_tensor *in = gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, T1, C)), *n = gtr_input(ctx, "n", GTR_I32,
            gtr_shape1(GTR_BATCH)), *y = gtr_input(ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH)), *tags = gtr_input(ctx,
            "tag", GTR_I32, gtr_shape2(GTR_BATCH, T1));
        gtr_recurrent_desc how;
        memset(&how, 0, sizeof how);
        how.lengths = n;
        gtr_tensor *h = gtr_lstm(in, "lstm", 4, how), *each = gtr_linear(gtr_reshape(h, gtr_shape2(-T1, 4)), "tags", 5);
        gtr_tensor *loss = gtr_add(gtr_cross_entropy(gtr_linear(gtr_flatten(h), "out", ROWS), y),
            gtr_cross_entropy(each, gtr_reshape(tags, gtr_shape1(-T1))));
        gtr_trainer *t = gtr_trainer_create(loss, trainer0());
        gtr_predictor *p = gtr_predictor_create(gtr_scale(in, 1, 0), 2);
        for (int q = 0; q < 5; q++) {
            const int64_t all = gtr_dataset_rows(sets[q]);
            gtr_float got[ROWS][(T + 2) * C], said[ROWS][(T + 2) * C];
            int32_t got_n[ROWS], got_y[ROWS], got_tags[ROWS][T + 2];
            void *out[1] = { said };
            float value;
            EXPECT_EQ(gtr_trainer_data(t, sets[q], all, true, false), GTR_OK);
            EXPECT_EQ(gtr_step(t), GTR_OK);
            EXPECT_EQ(gtr_get(in, got, (size_t)(all * T1 * C) * sizeof **got), GTR_OK);
            EXPECT_EQ(gtr_get(n, got_n, (size_t)all * 4), GTR_OK);
            EXPECT_EQ(gtr_get(y, got_y, (size_t)all * 4), GTR_OK);
            EXPECT_EQ(gtr_get(tags, got_tags, (size_t)(all * T1) * 4), GTR_OK);
            EXPECT_EQ(gtr_predict_dataset(p, sets[q], out), GTR_OK);
            EXPECT_EQ(gtr_evaluate(t, sets[q], 1, NULL, &value, NULL), GTR_OK);
            int wrong = 0, seen = 0;
            for (int64_t r = 0; r < all; r++) {
                int row = 0;
                while (label[row] != got_y[r]) row++;
                wrong += got_n[r] != length[row];
                for (int i = 0; i < T1; i++) {
                    wrong += (&got_tags[0][0])[r * T1 + i] != (i < length[row] ? tag[start[row] + i] : -100);
                    for (int c = 0; c < C; c++) wrong += (&got[0][0])[(r * T1 + i) * C + c]
                        != (i < length[row] ? x[start[row] + i][c] : bytes ? 255 : (gtr_float)-0.5);
                }
                for (int64_t s = 0; s < all && seen <= r; s++)
                    seen += !memcmp((&said[0][0]) + s * T1 * C, (&got[0][0]) + r * T1 * C,
                        (size_t)(T1 * C) * sizeof **got);
            }
            CHECK(!wrong && seen >= all, "case %d, set %d: %d values are wrong, %d of %d rows predicted", k, q, wrong,
                seen, (int)all);
        }
        EXPECT_OK(ctx);
        gtr_destroy(ctx);
    }
}
/* What a set of sequences takes, what is refused, and figures of its steps without their padding. */
static void refused_ragged(void)
{
    static const int64_t good[3] = { 4, 0, 6 }, few[2] = { 4, 5 }, below[3] = { 4, -1, 7 }, huge[2] = { 4, INT64_MAX };
    gtr_context *ctx = gtr_create(desc0());
    gtr_dataset *d = made_set(ctx, 10), *other = made_set(ctx, 2), *r;
    gtr_ragged_desc w;
    memset(&w, 0, sizeof w);
#define REFUSED(code, part) do { EXPECT(!gtr_dataset_ragged(d, w)); EXPECT_ERROR(ctx, code, part); } while (0)
    REFUSED(GTR_ERR_ARG, "2 columns, 0 lengths, series 0, lengths_column 0, steps 0: want .lengths, .series or");
    w.n_lengths = 3;
    REFUSED(GTR_ERR_ARG, ".n_lengths is given, but not read");
    w.lengths = good; w.steps = 5;
    REFUSED(GTR_ERR_ARG, "row 2 has 6 steps, want 0 to T = 5 (.steps)");
    w.steps = -1;
    REFUSED(GTR_ERR_ARG, "want .steps of at least 0");
    w.steps = 0; w.n_lengths = 0;
    REFUSED(GTR_ERR_ARG, "want .n_lengths of at least 1");
    w.n_lengths = 2; w.lengths = few;
    REFUSED(GTR_ERR_ARG, "lengths of 2 rows are less than its 10 steps");
    w.lengths = huge;
    REFUSED(GTR_ERR_ARG, "lengths of 2 rows are more than its 10 steps");
    w.n_lengths = 3; w.lengths = below;
    REFUSED(GTR_ERR_ARG, "row 1 has -1 steps, want 0 to T = 10");
    w.lengths = good; w.series = 2;
    REFUSED(GTR_ERR_ARG, ".series is given, but not read");
    w.series = 0; w.lengths_column = 1;
    REFUSED(GTR_ERR_ARG, ".lengths_column is given, but not read");
    w.lengths_column = 0; w.beside = other;
    REFUSED(GTR_ERR_SHAPE, "3 rows, and .beside (gtr_dataset_arrays) has 2");
    w.lengths = NULL; w.n_lengths = 0; w.lengths_column = 1;
    REFUSED(GTR_ERR_ARG, "want a .lengths_column of .beside that is of integers");
    w.beside = NULL; w.lengths_column = 0; w.series = 1;
    REFUSED(GTR_ERR_ARG, "want .series that is a column of integers");
    w.series = 0; w.lengths = good; w.n_lengths = 3;
    w.pad[1] = 0.5;
    REFUSED(GTR_ERR_ARG, "want a .pad that its column can hold");
    w.pad[1] = 3e9;
    REFUSED(GTR_ERR_ARG, "want a .pad that its column can hold");
    w.pad[1] = 0; w.pad[3] = 1;
    REFUSED(GTR_ERR_ARG, "want a .pad for columns of steps alone");
    w.pad[3] = 0;
    EXPECT(!gtr_dataset_ragged(NULL, w));
    r = gtr_dataset_ragged(d, w);
    EXPECT_OK(ctx);
    EXPECT(gtr_dataset_rows(r) == 3 && gtr_dataset_columns(r) == gtr_dataset_columns(d) + 1);
    EXPECT(gtr_dataset_row(r, 0, 2) && !gtr_dataset_row(r, 0, 3) && at(r, 0, 2, 0) == at(d, 0, 4, 0));
    EXPECT_EQ(gtr_dataset_stream(r, GTR_STREAM_NEVER), GTR_ERR_STATE);
    EXPECT_ERROR(ctx, GTR_ERR_STATE, "ragged rows");
    gtr_dataset_split_random(d, 0.5f, 1, -1);
    REFUSED(GTR_ERR_STATE, "its rows were split, drawn or chosen");
#undef REFUSED
    gtr_destroy(ctx);
    gtr_float mean, std, x[6] = { 1, 2, 3, 10, 11, 9 };
    static const int64_t lengths[3] = { 3, 1, 2 };
    gtr_arrays_desc a;
    memset(&a, 0, sizeof a);
    ctx = gtr_create(desc0());
    a.rows = 6; a.column[0].data = x; a.column[0].shape = gtr_shape1(1);
    memset(&w, 0, sizeof w);
    w.lengths = lengths; w.n_lengths = 3;
    r = gtr_dataset_ragged(gtr_dataset_arrays(ctx, a), w);
    gtr_standardise(gtr_input(ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 3, 1)), "norm", r, 0);
    EXPECT_EQ(gtr_get(gtr_parameter_find(ctx, "norm.mean"), &mean, sizeof mean), GTR_OK);
    EXPECT_EQ(gtr_get(gtr_parameter_find(ctx, "norm.std"), &std, sizeof std), GTR_OK);
    CHECK(fabs((double)mean - 6) < 1e-6 && fabs((double)std - sqrt(50.0 / 3)) < 1e-5, "%g, %g", (double)mean,
        (double)std);
    EXPECT(!gtr_standardise(gtr_input(ctx, "flat", GTR_F32, gtr_shape2(GTR_BATCH, 3)), "other", r, 0));
    EXPECT_ERROR(ctx, GTR_ERR_SHAPE, "");
    gtr_dataset_destroy(r);
    gtr_tensor *in = gtr_input(ctx, "ids", GTR_I32, gtr_shape2(GTR_BATCH, 3)), *y = gtr_input(ctx, "n", GTR_I32,
        gtr_shape1(GTR_BATCH));
    static const int32_t ids[6] = { 1, 0, 2, 1, 0, 2 };
    gtr_trainer *t = gtr_trainer_create(gtr_cross_entropy(gtr_linear(gtr_flatten(gtr_embedding(in, "at", 3, 2)), "out",
        4), y), trainer0());
    gtr_arrays_desc of_ids;
    memset(&of_ids, 0, sizeof of_ids);
    of_ids.rows = 6; of_ids.column[0].data = ids; of_ids.column[0].dtype = GTR_I32;
    for (int k = 0; k < 3; k++) {           /* what stands behind a row's end is an id, too */
        w.pad[0] = k ? k < 2 ? 3 : -1 : 2;
        r = gtr_dataset_ragged(gtr_dataset_arrays(ctx, of_ids), w);
        EXPECT_EQ(gtr_trainer_data(t, r, 1, true, false), k ? GTR_ERR_ARG : GTR_OK);
        if (k) EXPECT_ERROR(ctx, GTR_ERR_ARG, k < 2 ? "row 1: 3, want 0 to 2" : "row 1: -1, want 0 to 2");
        if (!k) EXPECT_EQ(gtr_step(t), GTR_OK);
    }
    w.pad[0] = 0;
    r = gtr_dataset_ragged(gtr_dataset_arrays(ctx, a), w);
    const void *more[2] = { x, lengths };      /* padded from here on */
    EXPECT_EQ(gtr_dataset_append(r, more, 1), GTR_OK);
    EXPECT(gtr_dataset_rows(r) == 4 && at(r, 0, 1, 0) == 10 && at(r, 0, 1, 1) == 0 && at(r, 0, 3, 2) == 3);
    EXPECT_OK(ctx);
    gtr_destroy(ctx);
}
static void all(void)
{
    RUN(tables_of_models);
    RUN(models_by_places);
    RUN(series_filled);
    RUN(blank_lines);
    RUN(dates);
    RUN(labels_beside);
    RUN(sets_predicted);
    RUN(unstandardised_first);
    RUN(windows);
    RUN(refused_windows);
    RUN(cut_and_joined);
    RUN(split_at_random);
    RUN(split_uniformly);
    RUN(drawn);
    RUN(split_at_the_end);
    RUN(names_twice);
    RUN(decimal_commas);
    RUN(grown);
    RUN(arrays_of_numpy);
    RUN(refused_arrays);
    RUN(wide_arrays);
    RUN(whole_numbers);
    RUN(split_once_standardised);
    RUN(names_to_numbers);
    RUN(notes_of_many);
    RUN(tables_of_python);
    RUN(chosen);
    RUN(like_by_name);
    RUN(like_fills);
    RUN(validated_alike);
    RUN(validated_windows);
    RUN(what_was_found);
    RUN(dropped);
    RUN(refused_tables);
    RUN(memory_of_a_table);
    RUN(standardised);
    RUN(standardised_as_fed);
    RUN(standardised_by_windows);
    RUN(awkward_tables);
    RUN(order_of_classes);
    RUN(classes_of_models);
    RUN(names_or_numbers);
    RUN(many_names);
    RUN(arrays_mapped);
    RUN(large_files);
    RUN(texts);
    RUN(texts_of_models);
    RUN(refused_texts);
    RUN(ragged_rows);
    RUN(refused_ragged);
}
int main(int argc, char **argv)
{
    small = getenv("GTR_TEST_SMALL") != NULL;
    check_begin(argc, argv);
    check_devices(all, &device);
    return check_done();
}
