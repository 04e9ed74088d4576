/* Mistakes with data and files, as somebody makes them who comes from pandas, NumPy, scikit-learn, Keras or PyTorch:
   what is in tables, arrays, images and texts, what sets are cut from which, what is measured, predicted and saved. */
#include "mistakes.h"

/* What is legal, and hardly meant, may be told to gtr_desc.log. */
static void told(gtr_level level, const char *text, void *user) { (void)level; note((world *)user, text); }
static void listens(world *w) { w->cd.log = told; w->cd.log_user = w; }
/* A table of four features "a" to "d" and a label "y" of three classes, for the network of scores(). */
#define NAMES "a,b,c,d,y\n"
#define THREE "1,2,3,4,0\n3,4,5,6,1\n1,1,1,1,2\n"
#define ANIMALS "1,2,3,4,cat\n3,4,5,6,dog\n1,1,1,1,eel\n"

static gtr_dataset *with_header(world *w, const char *text) { w->csv.header = true; return csv(w, text); }
static void fit_three(world *w) { w->fd.batch = 3; fit(w); }

static void forms_of_tables(void)
{
    RIGHT("a table with a byte order mark, CRLF and blanks behind commas") {
        w->csv.label = "y";
        if (gtr_dataset_rows(with_header(w, "\xef\xbb\xbfy,a,b\r\n0, 1, 2\r\n1, 3, 4\r\n")) != 2) note(w, "rows");
    }
    RIGHT("classes written 0.0 and 1.0, as pandas writes them where there were holes") {
        csv(w, "1,2,0.0\n3,4,1.0\n");
    }
    RIGHT("labels True and False, as pandas writes them") {
        csv(w, "1,2,True\n3,4,False\n");
        if (gtr_dataset_classes(w->data) != 2) note(w, "classes");
    }
    MISTAKE("line ends of an old Mac, taken for one line", "table.csv|line 1|CR") {
        if (gtr_dataset_rows(csv(w, "1,2,0\r3,4,1\r5,6,0\r")) == 3) note(w, "table.csv line 1 CR: they are read");
    }
    MISTAKE("files put one behind the other, each with its header", "table.csv|line 3|header") {
        with_header(w, "a,b,y\n1,2,0\na,b,y\n3,4,1\n");
    }
    MISTAKE("a second line of a header, with units", "table.csv|line 2|column 1|cm") {
        with_header(w, "a,b,y\ncm,kg,\n1,2,0\n3,4,1\n");
    }
    MISTAKE("a sum below the table", "table.csv|line 3|column 1|Total") { csv(w, "1,2,0\n3,4,1\nTotal,6,\n"); }
    MISTAKE("a blank behind the last quote", "table.csv|line 1|column 1|quote") { csv(w, "\"1\"x,2,0\n3,4,1\n"); }
    MISTAKE("single quotes around fields", "table.csv|line 1|column 1|'1'") { csv(w, "'1','2','0'\n'3','4','1'\n"); }
    MISTAKE("a separator of two characters", "table.csv|line 1|column 2") {
        w->csv.separator = ':';
        csv(w, "1::2::0\n3::4::1\n");
    }
    MISTAKE("hexadecimal numbers", "table.csv|line 1|column 1|0x10") { csv(w, "0x10,2,0\n0x20,4,1\n"); }
    MISTAKE("Fortran's exponents", "table.csv|line 1|column 1|1.5D+02") { csv(w, "1.5D+02,2,0\n3,4,1\n"); }
    MISTAKE("percents", "table.csv|line 1|column 1|5%") { csv(w, "5%,2,0\n3%,4,1\n"); }
    MISTAKE("blanks between thousands", "table.csv|line 2|column 1|1 000") { csv(w, "900,2,0\n1 000,4,1\n"); }
    MISTAKE("infinite features", "table.csv|line 2|column 1|inf") { csv(w, "1,2,0\ninf,4,1\n"); }
    MISTAKE("an infinite target in a table", "table.csv|line 2|column 3|-inf") {
        w->csv.regression = true;
        csv(w, "1,2,0.5\n3,4,-inf\n");
    }
    MISTAKE("a target that is nan, under .missing", "table.csv|line 2|column 3|nan|drop_unlabelled") {
        w->csv.regression = true; w->csv.missing = GTR_MISSING_MEAN;
        csv(w, "1,2,0.5\n3,4,nan\n5,6,1\n");
    }
    MISTAKE("a class beyond int32", "table.csv|line 2|column 3|4294967296") { csv(w, "1,2,0\n3,4,4294967296\n"); }
    MISTAKE("a feature of True and False", "table.csv|line 1|column 1|True|.categories") {
        csv(w, "True,2,0\nFalse,4,1\n");
    }
    MISTAKE("a NUL in a table", "table.csv|line 2|column 2") {
        csv(w, "");
        gtr_error_clear(w->ctx);
        gtr_dataset_csv(w->ctx, FILE_OF("table.csv", "1,2,0\n3,4\0,1\n"), w->csv);
    }
    MISTAKE("an identifier among the features", "table.csv|line 2|column 1|16777217") {
        listens(w);
        csv(w, "16777216,2,0\n16777217,4,1\n");
    }
    MISTAKE("classes in Latin-1, which no file of the model can have", "table.csv|column 1|UTF-8|not noted") {
        listens(w);
        csv(w, "1,2,3,4,Anna\n3,4,5,6,J\xf6rg\n1,1,1,1,Zoe\n");
        fit_three(w);
    }
    RIGHT("labels that differ by a blank alone are one") {
        csv(w, "1,2,cat\n3,4,cat \n5,6,dog\n");
        if (gtr_dataset_classes(w->data) != 2) note(w, "classes");
    }
    MISTAKE("a table of one class alone", "table.csv|column 3|one class") {
        listens(w);
        csv(w, "1,2,cat\n3,4,cat\n5,6,cat\n");
    }
}
static void other_files_for_tables(void)
{
    char path[6000];
    MISTAKE("UTF-16 without its mark", "table.csv|UTF-16") {
        gtr_dataset_csv(context(w), FILE_OF("table.csv", "1\0,\0002\0,\0000\0\n\0003\0,\0004\0,\0001\0\n\0"), w->csv);
    }
    MISTAKE("JSON for a table", "table.csv|JSON|[{|CSV") { csv(w, "[{\"a\": 1, \"y\": 0},\n {\"a\": 3, \"y\": 1}]\n"); }
    MISTAKE("a web page for a table", "table.csv|<!DOCTYPE") {
        csv(w, "<!DOCTYPE html>\n<html><body>Not Found</body></html>\n");
    }
    MISTAKE("a file of Parquet for a table", "table.csv|PAR1") {
        gtr_dataset_csv(context(w), FILE_OF("table.csv", "PAR1\x15\4\x15\x10\x15\x14L\x15\2\0\0PAR1"), w->csv);
    }
    MISTAKE("a table compressed by xz", "table.csv|xz") {
        gtr_dataset_csv(context(w), FILE_OF("table.csv", "\xfd" "7zXZ\0\0\4\xe6\xd6\xb4\x46\n\1"), w->csv);
    }
    MISTAKE("an .npy for a table", "x.npy|gtr_dataset_npy") { gtr_dataset_csv(context(w), x_npy(), w->csv); }
    MISTAKE("a table on the web, as pandas reads it", "https://example.org/table.csv|No such file") {
        gtr_dataset_csv(context(w), "https://example.org/table.csv", w->csv);
    }
    MISTAKE("the shell's ~ in a path", "~/none.csv|shell") {
        gtr_dataset_csv(context(w), "~/none.csv", w->csv);
    }
    MISTAKE("a pattern for a path", "part-*.csv|No such file") {
        gtr_dataset_csv(context(w), FOLDER "/part-*.csv", w->csv);
    }
    MISTAKE("a path that ends in a newline, as fgets reads it", "none.csv|newline") {
        csv(w, "1,2,0\n3,4,1\n");
        gtr_dataset_csv(context(w), FOLDER "/none.csv\n", w->csv);
    }
    MISTAKE("a link to nothing", "dangling.csv|No such file") {
        if (symlink("nowhere.csv", FOLDER "/dangling.csv")) note(w, "no link");
        gtr_dataset_csv(context(w), FOLDER "/dangling.csv", w->csv);
    }
    MISTAKE("a link to itself", "loop.csv|link") {
        if (symlink("loop.csv", FOLDER "/loop.csv")) note(w, "no link");
        gtr_dataset_csv(context(w), FOLDER "/loop.csv", w->csv);
    }
    MISTAKE("a path of 5000 characters", "aaaa|long") {
        memset(path, 'a', 5000);
        path[5000] = 0;
        gtr_dataset_csv(context(w), path, w->csv);
    }
    MISTAKE("a device without contents for a table", "/dev/null|device") {
        gtr_dataset_csv(context(w), "/dev/null", w->csv);
    }
    MISTAKE("a table without permission to read it", "secret.csv|ermission") {
        text_file("secret.csv", "1,2,0\n3,4,1\n");
        if (chmod(FOLDER "/secret.csv", 0)) note(w, "no chmod");
        gtr_dataset_csv(context(w), FOLDER "/secret.csv", w->csv);
        if (!geteuid()) note(w, "secret.csv: root may read it, whatever its permissions");
    }
    MISTAKE("a pipe for a table, as the shell's <(...)", "/dev/fd/|pipe") {
        int end[2];
        if (pipe(end) || write(end[1], "1,2,0\n3,4,1\n", 12) != 12) note(w, "no pipe");
        close(end[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", end[0]);
        if (gtr_dataset_rows(gtr_dataset_csv(context(w), path, w->csv)) == 2) note(w, "/dev/fd/ a pipe is read");
        close(end[0]);
    }
}
static void names_of_tables(void)
{
    MISTAKE("a feature by a name that two columns have", "table.csv|.columns|\"a\"|1 and 2") {
        w->csv.columns = "a";
        with_header(w, "a,a,y\n1,2,0\n3,4,1\n");
    }
    MISTAKE("a label by a name that two columns have", "table.csv|.label|\"y\"|1 and 3") {
        w->csv.label = "y";
        with_header(w, "y,a,y\n0,2,0\n1,4,1\n");
    }
    MISTAKE("a table with two columns of one name, found by name in the next file", "table.csv|\"a\"|column 3|places") {
        listens(w);
        w->csv.like = with_header(w, "a,a,y\n1,2,0\n3,4,1\n");
        csv(w, "y,a,a\n0,2,1\n1,4,3\n");
    }
    MISTAKE("names with blanks between them, not commas", "table.csv|.columns|\"a b\"|1 to 3") {
        w->csv.columns = "a b";
        with_header(w, "a,b,y\n1,2,0\n3,4,1\n");
    }
    MISTAKE("names with the file's semicolons between them", "table.csv|.skip|\"a;b\"|1 to 4") {
        w->csv.skip = "a;b"; w->csv.separator = ';';
        with_header(w, "a;b;c;y\n1;2;2;0\n3;4;4;1\n");
    }
    MISTAKE("a range of columns", ".columns|\"1-2\"") { w->csv.columns = "1-2"; csv(w, "1,2,0\n3,4,1\n"); }
    MISTAKE("a column -1, the last one, as Python's", ".skip|\"-1\"") {
        w->csv.skip = "-1";
        csv(w, "1,2,0,9\n3,4,1,9\n");
    }
    MISTAKE("a comma too many in a list of names", "table.csv|.columns|\"\"") {
        w->csv.columns = "a,,b";
        with_header(w, "a,b,y\n1,2,0\n3,4,1\n");
    }
    MISTAKE("a feature named twice", "table.csv|.columns|column 1|(a)") {
        w->csv.columns = "a,b,a";
        with_header(w, "a,b,y\n1,2,0\n3,4,1\n");
    }
    MISTAKE("a label that is empty text", "table.csv|.label|\"\"") {
        w->csv.label = "";
        with_header(w, "a,b,y\n1,2,0\n");
    }
    MISTAKE("a label and several labels", ".label|.labels") {
        w->csv.label = "y"; w->csv.labels = "a,b";
        with_header(w, "a,b,c,y\n1,0,2,0\n0,1,4,1\n");
    }
    MISTAKE("several labels that are strings", "table.csv|line 2|column 2|\"b\"|yes|number") {
        w->csv.labels = "b,y";
        with_header(w, "a,b,y\n1,yes,0\n0,no,1\n");
    }
    MISTAKE("the label among the categories", ".categories|(y)|label") {
        w->csv.categories = "y";
        with_header(w, "a,b,y\n1,2,cat\n3,4,dog\n");
    }
    MISTAKE("15 categories", ".categories|15|14") {
        w->csv.categories = "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";
        csv(w, "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,1,0\nA,B,C,D,E,F,G,H,I,J,K,L,M,N,O,2,1\n");
    }
    RIGHT("a positive class among numbers") {
        w->csv.positive = "0";
        with_header(w, "a,b,y\n1,2,0\n3,4,1\n");
        const int32_t *first = (const int32_t *)gtr_dataset_row(w->data, 1, 0);
        if (!first || *first != 1) note(w, "0 is not class 1");
    }
    MISTAKE("a positive class of three", ".positive|3|dog") { w->csv.positive = "dog"; csv(w, ANIMALS); }
    MISTAKE("a positive class in other case", ".positive|\"Yes\"|\"yes\"") {
        w->csv.positive = "Yes";
        csv(w, "1,2,yes\n3,4,no\n");
    }
    MISTAKE("a positive class of a regression", ".positive|classes") {
        w->csv.positive = "yes"; w->csv.regression = true;
        csv(w, "1,2,0.5\n3,4,1\n");
    }
    MISTAKE("a regression of a table that has no label", ".regression|label_column|-1") {
        w->csv.regression = true; w->csv.label_column = -1;
        csv(w, "1,2\n3,4\n");
    }
    RIGHT("unlabelled rows of a table without a label, of which there are none") {
        w->csv.drop_unlabelled = true; w->csv.label_column = -1;
        csv(w, "1,2\n3,4\n");
    }
    MISTAKE("a separator in words' place: the decimal point", "separator|'.'") {
        w->csv.separator = '.';
        csv(w, "1.2.0\n3.4.1\n");
    }
    MISTAKE("a newline for the separator", "separator|10") { w->csv.separator = '\n'; csv(w, "1,2,0\n3,4,1\n"); }
    MISTAKE("a quote for the separator", "separator|'\"'") { w->csv.separator = '"'; csv(w, "1,2,0\n3,4,1\n"); }
    MISTAKE("thousands' sign for the decimal one", "decimal|'''") {
        w->csv.decimal = '\'';
        csv(w, "1'000,2,0\n3,4,1\n");
    }
    MISTAKE("an infinite scale", "table.csv|scale|inf") { w->csv.scale = (float)INFINITY; csv(w, "1,2,0\n3,4,1\n"); }
    MISTAKE("holes filled with NaN", "table.csv|missing_value|nan") {
        w->csv.missing = GTR_MISSING_CONSTANT; w->csv.missing_value = (float)NAN;
        csv(w, "1,2,0\n,4,1\n");
    }
    MISTAKE("a way to fill holes that is none", ".missing|9") {
        w->csv.missing = (gtr_missing)9;
        csv(w, "1,2,0\n,4,1\n");
    }
    MISTAKE("a table whose rows all have a hole, dropped", "table.csv|each row|hole") {
        w->csv.missing = GTR_MISSING_DROP;
        csv(w, "1,,0\n,4,1\n");
    }
    MISTAKE("dates with the day first", "table.csv|line 2|column 1|31.12.2023|YYYY-MM-DD") {
        w->csv.dates = "d";
        with_header(w, "d,y\n31.12.2023,0\n01.01.2024,1\n");
    }
    MISTAKE("dates as America writes them", "table.csv|line 2|column 1|12/31/2023|YYYY") {
        w->csv.dates = "d";
        with_header(w, "d,y\n12/31/2023,0\n01/01/2024,1\n");
    }
    MISTAKE("seconds since 1970 for dates", "table.csv|line 2|column 1|1700000000|YYYY-MM-DD") {
        w->csv.dates = "d";
        with_header(w, "d,y\n1700000000,0\n1700003600,1\n");
    }
    MISTAKE("a time of day with a zone", "table.csv|line 2|column 1|+02:00") {
        w->csv.dates = "d";
        with_header(w, "d,y\n2024-01-01T12:00:00+02:00,0\n2024-01-02T12:00:00+02:00,1\n");
    }
    MISTAKE("25 o'clock", "table.csv|line 2|column 1|25:00") {
        w->csv.dates = "d";
        with_header(w, "d,y\n2024-01-01 25:00,0\n2024-01-02 12:00,1\n");
    }
    MISTAKE("a date that is a category, too", ".dates|(d)|already") {
        w->csv.dates = w->csv.categories = "d";
        with_header(w, "d,a,y\n2024-01-01,1,0\n2024-01-02,2,1\n");
    }
    MISTAKE("a date counted as one feature", "(5,)|(N, 2)|d.weekday") {
        w->csv.dates = "d";
        with_header(w, "d,a,y\n2024-01-01,1,0\n2024-01-02,2,1\n2024-01-03,2,2\n");
        w->x = gtr_input(w->ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 2));
        fit_three(w);
    }
    MISTAKE("a feature asked for by its name in a set", "column b|feature") {
        with_header(w, NAMES THREE);
        gtr_dataset_column(w->data, "b");
    }
    MISTAKE("a column asked for by NULL", "column NULL|2 columns") { gtr_dataset_column(samples(w), NULL); }
    MISTAKE("a category's name that no input has", "\"colour\"|\"tint\"") {
        w->csv.categories = "colour";
        with_header(w, "a,b,c,d,colour,y\n1,2,3,4,red,0\n3,4,5,6,red,1\n1,1,1,1,blue,2\n");
        w->h = gtr_add(hidden(w), gtr_embedding(gtr_input(w->ctx, "tint", GTR_I32, gtr_shape1(GTR_BATCH)), "e", 2, 8));
        fit_three(w);
    }
    MISTAKE("a category into an input of floats", "\"colour\"|int32|float32") {
        w->csv.categories = "colour";
        with_header(w, "a,b,c,d,colour,y\n1,2,3,4,red,0\n3,4,5,6,red,1\n1,1,1,1,blue,2\n");
        gtr_tensor *both[2] = { input(w), gtr_input(w->ctx, "colour", GTR_F32, gtr_shape2(GTR_BATCH, 1)) };
        w->h = gtr_concat(both, 2, 1);
        fit_three(w);
    }
    MISTAKE("an embedding of fewer rows than categories", "\"colour\"|2|0 to 1") {
        w->csv.categories = "colour";
        with_header(w, "a,b,c,d,colour,y\n1,2,3,4,red,0\n3,4,5,6,green,1\n1,1,1,1,blue,2\n");
        gtr_tensor *ids = gtr_input(w->ctx, "colour", GTR_I32, gtr_shape1(GTR_BATCH));
        w->h = gtr_add(hidden(w), gtr_embedding(ids, "e", 2, 8));
        fit_three(w);
    }
    MISTAKE("a set's only feature, whose input has another name", "\"weight\"|\"x\"") {
        with_header(w, "weight,y\n1,0\n3,1\n2,2\n");
        w->x = gtr_input(w->ctx, "x", GTR_F32, gtr_shape2(GTR_BATCH, 1));
        fit_three(w);
    }
    MISTAKE("labels of a regression for a classifier", "\"y\"|float32|int32") {
        w->csv.regression = true;
        with_header(w, NAMES THREE);
        fit_three(w);
    }
}

/* Files of a model of a table; weights alone; another table for either. */
static const char *table_model(const char *name, const char *table, bool arrays_alone)
{
    static world v;
    memset(&v, 0, sizeof v);
    v.cd = desc0();
    v.fd.batch = 3; v.fd.silent = true; v.td.lr = 0.01f;
    if (arrays_alone) samples(&v);
    else { v.csv.header = true; csv(&v, table); }
    fit(&v);
    const char *path = path_of(name);
    gtr_save(v.ctx, path);
    gtr_destroy(v.ctx);
    return path;
}
static void tables_of_models(void)
{
    const char *const model = FOLDER "/animals.safetensors";
    const char *const plain = FOLDER "/plain.safetensors";
    table_model("animals.safetensors", NAMES ANIMALS, false);
    table_model("plain.safetensors", NULL, true);
    RIGHT("a table of the model's, in another order") {
        loads(w, model);
        w->csv.model = true;
        with_header(w, "id,d,c,b,a\n7,4,3,2,1\n");
        w->p = gtr_predictor_create(w->logits, 8);
        void *out[1] = { w->value };
        gtr_predict_dataset(w->p, w->data, out);
    }
    MISTAKE(".model before the model is loaded", ".model|gtr_load") {
        scores(w);
        w->csv.model = true;
        with_header(w, NAMES THREE);
        loads(w, model);
    }
    MISTAKE(".model of a model that no table trained", ".model|table|notes") {
        loads(w, plain);
        w->csv.model = true;
        with_header(w, NAMES THREE);
    }
    MISTAKE(".like and .model", ".like|.model") {
        loads(w, model);
        w->csv.like = with_header(w, NAMES THREE);
        w->csv.model = true;
        csv(w, NAMES THREE);
    }
    MISTAKE("features listed for the model's table", ".columns|\"c\" of the model") {
        loads(w, model);
        w->csv.model = true; w->csv.columns = "a,b";
        with_header(w, NAMES THREE);
    }
    MISTAKE("a table that lacks a feature of the model's", "table.csv|\"c\"|model") {
        loads(w, model);
        w->csv.model = true;
        with_header(w, "a,b,d\n1,2,4\n");
    }
    MISTAKE("a table without a header that lacks a column of the model's", "table.csv|3 columns|4") {
        loads(w, model);
        w->csv.model = true;
        csv(w, "1,2,3\n2,3,4\n");
    }
    MISTAKE("a hole that the model knows no mean for", "table.csv|line 2|column 3|\"c\"|model") {
        loads(w, model);
        w->csv.model = true;
        with_header(w, "a,b,c,d\n1,2,,4\n");
    }
    MISTAKE("a header of the next file that nobody spoke of, with .like", "table.csv|line 1|.header") {
        w->csv.like = with_header(w, NAMES THREE);
        w->csv.header = false;
        csv(w, NAMES THREE);
    }
    MISTAKE("labels of the next file numbers, the first's strings", "table.csv|line 2|column 5|'0'|.like") {
        w->csv.like = with_header(w, NAMES ANIMALS);
        csv(w, NAMES THREE);
    }
    MISTAKE("a table of another class order beside a model", "\"y\"|cat|number 0|number 1|table.csv") {
        loads(w, model);
        with_header(w, NAMES "1,2,3,4,bee\n3,4,5,6,cat\n1,1,1,1,dog\n");
        fit_three(w);
    }
    MISTAKE("a model of other classes than the set that was fed", "animals.safetensors|\"y\"|cat|number 1|table.csv") {
        with_header(w, NAMES "1,2,3,4,bee\n3,4,5,6,cat\n1,1,1,1,dog\n");
        fit_three(w);
        gtr_load(w->ctx, model);
    }
    MISTAKE("tables put together whose classes have other numbers", "gtr_dataset_concat|set 1|cat|.like") {
        gtr_dataset *sets[2];
        sets[0] = csv(w, ANIMALS);
        sets[1] = csv(w, "1,2,3,4,bee\n3,4,5,6,cat\n1,1,1,1,dog\n");
        gtr_dataset_concat(w->ctx, sets, 2);
    }
    MISTAKE("tables put together whose columns stand in another order", "gtr_dataset_concat|set 1|\"b\"|.like") {
        gtr_dataset *sets[2];
        sets[0] = with_header(w, NAMES THREE);
        sets[1] = with_header(w, "b,a,c,d,y\n" THREE);
        gtr_dataset_concat(w->ctx, sets, 2);
    }
    MISTAKE("tables put together of which one is scaled", "gtr_dataset_concat|set 1|scale|0.5") {
        listens(w);
        gtr_dataset *sets[2];
        sets[0] = csv(w, THREE);
        w->csv.scale = 0.5f;
        sets[1] = csv(w, THREE);
        gtr_dataset_concat(w->ctx, sets, 2);
    }
    MISTAKE("a class's number appended that no string has", "gtr_dataset_append|column 1|row 0|7|3 strings") {
        static const float row[4] = { 1, 2, 3, 4 };
        static const int32_t seven = 7;
        const void *more[2] = { row, &seven };
        gtr_dataset_append(csv(w, ANIMALS), more, 1);
    }
    MISTAKE("-1 rows appended", "gtr_dataset_append|-1 rows") {
        const void *more[2] = { features, label };
        gtr_dataset_append(samples(w), more, -1);
    }
    MISTAKE("a prediction of a table that was scaled otherwise than training's", "gtr_predict_dataset|scale|0.1") {
        listens(w);
        void *out[1] = { w->value };
        csv(w, THREE);
        fit_three(w);
        w->csv.scale = 0.1f;
        w->p = gtr_predictor_create(w->logits, 8);
        gtr_predict_dataset(w->p, csv(w, THREE), out);
    }
    MISTAKE("a prediction of a table whose features stand in another order", "gtr_predict_dataset|.like") {
        listens(w);
        void *out[1] = { w->value };
        with_header(w, NAMES THREE);
        fit_three(w);
        w->p = gtr_predictor_create(w->logits, 8);
        gtr_predict_dataset(w->p, with_header(w, "b,a,c,d,y\n" THREE), out);
    }
    MISTAKE("a prediction of a table with another number of features", "table.csv|(3,)|\"x\"|(N, 4)") {
        void *out[1] = { w->value };
        w->p = gtr_predictor_create(scores(w), 8);
        gtr_predict_dataset(w->p, csv(w, "1,2,3,0\n3,4,5,1\n"), out);
    }
    MISTAKE("a prediction of a set that could not be read", "gtr_predict_dataset|NULL") {
        void *out[1] = { w->value };
        w->p = gtr_predictor_create(scores(w), 8);
        gtr_predict_dataset(w->p, NULL, out);
    }
    MISTAKE("a prediction of a set to nowhere", "gtr_predict_dataset|out|NULL") {
        w->p = gtr_predictor_create(scores(w), 8);
        gtr_predict_dataset(w->p, samples(w), NULL);
    }
    MISTAKE("a prediction of a set to an output that is NULL", "gtr_predict|output 0|NULL") {
        void *out[1] = { NULL };
        w->p = gtr_predictor_create(scores(w), 8);
        gtr_predict_dataset(w->p, samples(w), out);
    }
    MISTAKE("a prediction of a callback's rows", "gtr_predict_dataset|callback") {
        void *out[1] = { w->value };
        w->p = gtr_predictor_create(scores(w), 8);
        gtr_predict_dataset(w->p, callback(w, rows_of), out);
    }
    MISTAKE("a prediction through gtr_standardise without the model", "gtr_standardise|\"norm\"|gtr_load") {
        listens(w);
        w->h = gtr_standardise(input(w), "norm", NULL, 0);
        w->logits = gtr_linear(w->h, "fc", 3);
        w->p = gtr_predictor_create(w->logits, 8);
        gtr_predict(w->p, features, 8, w->value);
    }
    MISTAKE("training through gtr_standardise of NULL", "gtr_standardise|\"norm\"|data set") {
        listens(w);
        w->h = gtr_standardise(input(w), "norm", NULL, 0);
        fit(w);
    }
    MISTAKE("a split behind a standardisation", "gtr_dataset_split_random|gtr_standardise") {
        gtr_standardise(input(w), "norm", samples(w), 0);
        gtr_dataset_split_random(w->data, 0.25f, 7, 1);
    }
    MISTAKE("standardised by the set that validates", "gtr_standardise|validation|(every 3)") {
        listens(w);
        w->fd.validation = gtr_dataset_split(samples(w), 3);
        w->h = gtr_standardise(input(w), "norm", w->fd.validation, 0);
        fit(w);
    }
}

static void arrays_of_columns(void)
{
    static double great[ROWS * 4];
    MISTAKE("a gap between columns, so that the last is not read", "column[2]|columns before it") {
        column(w, 0, features, GTR_F32, gtr_shape1(4));
        column(w, 2, label, GTR_I32, gtr_shape0());
        arrays(w);
    }
    MISTAKE("a column with its name and no data, as of malloc that failed", "column[1]|.name|.data|NULL") {
        column(w, 0, features, GTR_F32, gtr_shape1(4));
        column(w, 1, NULL, GTR_I32, gtr_shape0());
        w->ad.column[1].name = "y";
        arrays(w);
    }
    MISTAKE("arrays without .rows", "gtr_dataset_arrays|0 rows") {
        column(w, 0, features, GTR_F32, gtr_shape1(4));
        gtr_dataset_arrays(context(w), w->ad);
    }
    MISTAKE("a double beyond float32", "column 0|row 5|1e+300") {
        memcpy(great, doubles, sizeof great);
        great[21] = 1e300;
        column(w, 0, great, GTR_F64, gtr_shape1(4));
        samples(w);
    }
    MISTAKE("a row of rank 12", "column 0|12 dimensions") {
        column(w, 0, features, GTR_F32, gtr_shape1(4));
        w->ad.column[0].shape.ndim = 12;
        samples(w);
    }
    MISTAKE("rows that no memory holds", "gtr_dataset_arrays|4611686018427387904|(4,)") {
        column(w, 0, features, GTR_F32, gtr_shape1(4));
        w->ad.rows = (int64_t)1 << 62;
        arrays(w);
    }
    MISTAKE("labels of one class alone", "column 1|one class|0") {
        listens(w);
        static const int32_t zero[ROWS];
        with_labels(w, zero, GTR_I32, gtr_shape0());
        fit(w);
    }
    MISTAKE("a target as large as the set, not as a row", "column 1|(24,)|(N, 3)") {
        w->loss = gtr_mse(scores(w), floats(w, 3));
        with_labels(w, wide, GTR_F32, gtr_shape1(24));
        fit(w);
    }
    MISTAKE("a label of bytes that is no class", "column 1|row 0|255|0 to 2") {
        static uint8_t none[ROWS] = { 255 };
        with_labels(w, none, GTR_U8, gtr_shape0());
        fit(w);
    }
    MISTAKE("a borrowed array that is changed to another label", "column 1|row 2|9|0 to 2") {
        static int32_t own[ROWS];
        memcpy(own, label, sizeof own);
        w->ad.column[1].borrow = true;
        with_labels(w, own, GTR_I32, gtr_shape0());
        own[2] = 9;
        fit(w);
    }
}
static void cuts_of_sets(void)
{
    static const int64_t twice[6] = { 0, 1, 2, 0, 1, 2 }, below[2] = { 0, -1 };
    static const float weights[3] = { 1, (float)NAN, 1 };
    static int32_t rare[ROWS], ids[ROWS], sorted[ROWS];
    gtr_dataset *sets[17];
    for (int i = 0; i < ROWS; i++) { rare[i] = i % 2; ids[i] = i % 4; }
    rare[5] = 2;
    MISTAKE("a split of all", "gtr_dataset_split|k is 1|2 to its 24") { gtr_dataset_split(samples(w), 1); }
    MISTAKE("a split by more rows than there are", "gtr_dataset_split|k is 100|24 rows") {
        gtr_dataset_split(samples(w), 100);
    }
    MISTAKE("a random split of all", "gtr_dataset_split_random|ratio|between 0 and 1") {
        gtr_dataset_split_random(samples(w), 1, 7, -1);
    }
    MISTAKE("a random split below 0", "gtr_dataset_split_random|-0.2|between 0 and 1") {
        gtr_dataset_split_random(samples(w), -0.2f, 7, -1);
    }
    MISTAKE("a stratified split by a target", "gtr_dataset_split_random|column 1|float32|int32") {
        with_labels(w, target, GTR_F32, gtr_shape0());
        gtr_dataset_split_random(w->data, 0.25f, 7, 1);
    }
    MISTAKE("a stratified split of a class of one row", "gtr_dataset_split_random|column 1|class 2|1 row") {
        listens(w);
        with_labels(w, rare, GTR_I32, gtr_shape0());
        gtr_dataset_split_random(w->data, 0.25f, 7, 1);
    }
    MISTAKE("a seed in the column's place", "gtr_dataset_split_random|column 42|2") {
        gtr_dataset_split_random(samples(w), 0.25f, 1, 42);
    }
    MISTAKE("the last rows in percent", "gtr_dataset_split_last|ratio|between 0 and 1") {
        gtr_dataset_split_last(samples(w), 20, -1);
    }
    MISTAKE("the last rows of the features' series", "gtr_dataset_split_last|column 0|series") {
        gtr_dataset_split_last(samples(w), 0.25f, 0);
    }
    MISTAKE("the end of a table sorted by class validates: no row of it trains",
        "validation|class 2|gtr_dataset_split_random") {
        listens(w);
        for (int i = 0; i < ROWS; i++) sorted[i] = i / 8;
        with_labels(w, sorted, GTR_I32, gtr_shape0());
        w->fd.validation = gtr_dataset_split_last(w->data, 1.0f / 3, -1);
        fit(w);
    }
    MISTAKE("every third row validates, of three classes in turn", "validation|class 2|gtr_dataset_split_random") {
        listens(w);
        w->fd.validation = gtr_dataset_split(samples(w), 3);
        fit(w);
    }
    MISTAKE("a split of rows that were drawn several times each", "gtr_dataset_split_random|gtr_dataset_sample") {
        listens(w);
        gtr_dataset_split_random(gtr_dataset_sample(samples(w), NULL, -1, 100, 7), 0.25f, 7, -1);
    }
    MISTAKE("a split of a subset that has rows twice", "gtr_dataset_split|gtr_dataset_subset|twice") {
        listens(w);
        gtr_dataset_split(gtr_dataset_subset(samples(w), twice, 6), 2);
    }
    MISTAKE("rows below 0 in a subset, as Python's last", "gtr_dataset_subset|-1|0 to 23") {
        gtr_dataset_subset(samples(w), below, 2);
    }
    MISTAKE("a subset of rows that are NULL", "gtr_dataset_subset|rows|NULL") {
        gtr_dataset_subset(samples(w), NULL, 4);
    }
    MISTAKE("a weight of NaN", "gtr_dataset_sample|weight|1|nan") {
        gtr_dataset_sample(samples(w), weights, 1, 100, 7);
    }
    MISTAKE("a sample by classes of the features", "gtr_dataset_sample|column 0|classes|integer") {
        gtr_dataset_sample(samples(w), weights, 0, 100, 7);
    }
    MISTAKE("sets put together, none", "gtr_dataset_concat|0 sets") { gtr_dataset_concat(context(w), sets, 0); }
    MISTAKE("a set joined with itself", "\"x\"|columns 0 and 2") {
        w->ad.column[0].name = "x";
        sets[0] = sets[1] = samples(w);
        gtr_dataset_join(w->ctx, sets, 2);
    }
    MISTAKE("columns joined of other numbers of rows", "gtr_dataset_join|set 1|8|16") {
        samples(w);
        sets[1] = gtr_dataset_split(w->data, 3);
        sets[0] = w->data;
        gtr_dataset_join(w->ctx, sets, 2);
    }
    MISTAKE("17 columns joined", "gtr_dataset_join|18 columns|16") {
        for (int i = 0; i < 17; i++) sets[i] = samples(w);
        gtr_dataset_join(w->ctx, sets, 17);
    }
    MISTAKE("a way of streaming that is none", "gtr_dataset_stream|9") {
        gtr_dataset_stream(samples(w), (gtr_streaming)9);
    }
    MISTAKE("streaming asked for behind the fit", "gtr_dataset_stream|in use") {
        fit(w);
        gtr_dataset_stream(w->data, GTR_STREAM_ALWAYS);
    }
    MISTAKE("a horizon below 0", "horizon|-3") {
        w->windows.history = 4; w->windows.horizon = -3;
        gtr_dataset_windows(samples(w), w->windows);
    }
    MISTAKE("windows a stride of -1 apart", "stride|-1") {
        w->windows.history = 4; w->windows.stride = -1;
        gtr_dataset_windows(samples(w), w->windows);
    }
    MISTAKE("windows over labels", "gtr_dataset_windows|column 1|float32 or bytes") {
        w->windows.history = 4; w->windows.column = 1;
        gtr_dataset_windows(samples(w), w->windows);
    }
    MISTAKE("series by a column's number, not its number + 1", "series|column 0|float32|+ 1") {
        w->windows.history = 4; w->windows.series = 1;
        gtr_dataset_windows(samples(w), w->windows);
    }
    MISTAKE("series whose rows are mixed", "gtr_dataset_windows|history 4|series 2") {
        with_labels(w, ids, GTR_I32, gtr_shape0());
        w->windows.history = 4; w->windows.series = 2;
        gtr_dataset_windows(w->data, w->windows);
    }
    MISTAKE("series by ids and by lengths", "gtr_dataset_windows|series|lengths") {
        static const int64_t lengths[2] = { 10, 14 };
        w->windows.history = 4; w->windows.series = 2;
        w->windows.lengths = lengths; w->windows.n_lengths = 2;
        gtr_dataset_windows(samples(w), w->windows);
    }
    MISTAKE("lengths of series that are not all rows", "gtr_dataset_windows|20|24 rows") {
        static const int64_t lengths[2] = { 10, 10 };
        w->windows.history = 4; w->windows.lengths = lengths; w->windows.n_lengths = 2;
        gtr_dataset_windows(samples(w), w->windows);
    }
    MISTAKE("windows of windows", "gtr_dataset_windows|windows") {
        w->windows.history = 4;
        gtr_dataset_windows(gtr_dataset_windows(samples(w), w->windows), w->windows);
    }
    MISTAKE("a stride of streams", "stride 1|.streams") {
        w->windows.history = 4; w->windows.streams = 2; w->windows.stride = 1;
        gtr_dataset_windows(samples(w), w->windows);
    }
    MISTAKE("more streams than a series has windows", "streams|64|24 rows") {
        w->windows.history = 4; w->windows.streams = 64;
        gtr_dataset_windows(samples(w), w->windows);
    }
    MISTAKE("streams of windows with another batch", "2 .streams|batches of 2|got 3") {
        w->windows.history = 4; w->windows.streams = 2; w->windows.target = 2;
        w->data = gtr_dataset_windows(samples(w), w->windows);
        w->x = gtr_input(w->ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 4, 4));
        w->h = gtr_flatten(w->x);
        w->fd.no_shuffle = true; w->fd.batch = 3;
        fit(w);
    }
    MISTAKE("windows into an input of channels first", "column 0|(6, 4)|(N, 4, 6)") {
        w->windows.history = 6; w->windows.target = 2;
        w->data = gtr_dataset_windows(samples(w), w->windows);
        w->x = gtr_input(w->ctx, "x", GTR_F32, gtr_shape3(GTR_BATCH, 4, 6));
        w->h = gtr_flatten(gtr_conv1d(w->x, "conv", 4, 3, 1, 1));
        fit(w);
    }
    MISTAKE("a series split behind its windows, which have what validates",
        "gtr_dataset_split_last|gtr_dataset_windows") {
        listens(w);
        w->windows.history = 4;
        gtr_dataset_windows(samples(w), w->windows);
        gtr_dataset_split_last(w->data, 0.25f, -1);
    }
    MISTAKE("a callback's rows as a series", "gtr_dataset_windows|callback") {
        w->windows.history = 4;
        gtr_dataset_windows(callback(w, rows_of), w->windows);
    }
    MISTAKE("data given to a callback's column", "gtr_dataset_callback|column 0|data") {
        w->call.column[0].data = features;
        callback(w, rows_of);
    }
    MISTAKE("a callback's column that borrows", "gtr_dataset_callback|column 0|borrow") {
        w->call.column[0].borrow = true;
        callback(w, rows_of);
    }
    MISTAKE("a callback's set of 20 columns", "gtr_dataset_callback|20 columns|16") {
        w->call.columns = 20;
        callback(w, rows_of);
    }
}
static void ragged(void)
{
    static const int64_t lengths[2] = { 10, 14 }, negative[3] = { 10, -2, 16 };
    static int32_t ids[ROWS], each[2] = { 10, 14 };
    static gtr_float floating[2] = { 10, 14 };
    for (int i = 0; i < ROWS; i++) ids[i] = i >= 10;
    MISTAKE("a row of -2 steps", "gtr_dataset_ragged|row 1|-2") {
        w->ragged.lengths = negative; w->ragged.n_lengths = 3;
        gtr_dataset_ragged(samples(w), w->ragged);
    }
    MISTAKE("steps below 0", "gtr_dataset_ragged|steps|-1") {
        w->ragged.lengths = lengths; w->ragged.n_lengths = 2; w->ragged.steps = -1;
        gtr_dataset_ragged(samples(w), w->ragged);
    }
    MISTAKE("lengths and a series for one set", ".lengths|.series") {
        w->ragged.lengths = lengths; w->ragged.n_lengths = 2; w->ragged.series = 2;
        with_labels(w, ids, GTR_I32, gtr_shape0());
        gtr_dataset_ragged(w->data, w->ragged);
    }
    MISTAKE("a column of lengths without its set", ".lengths_column|.beside") {
        w->ragged.lengths_column = 1;
        gtr_dataset_ragged(samples(w), w->ragged);
    }
    MISTAKE("lengths in floats", ".lengths_column|.beside|integers") {
        samples(w);
        memset(&w->ad, 0, sizeof w->ad);
        column(w, 0, floating, GTR_F32, gtr_shape0());
        w->ad.rows = 2;
        gtr_dataset *steps = w->data;
        w->ragged.beside = arrays(w); w->ragged.lengths_column = 1;
        gtr_dataset_ragged(steps, w->ragged);
    }
    MISTAKE("rows by a column's number, not its number + 1", "series 1|integers, from 1") {
        w->ragged.series = 1;
        gtr_dataset_ragged(samples(w), w->ragged);
    }
    MISTAKE("padding of a column that is not there", "pad[5]|2 columns") {
        w->ragged.lengths = lengths; w->ragged.n_lengths = 2; w->ragged.pad[5] = -100;
        gtr_dataset_ragged(samples(w), w->ragged);
    }
    MISTAKE("half a label for padding", "pad[1]|0.5|int32") {
        w->ragged.lengths = lengths; w->ragged.n_lengths = 2; w->ragged.pad[1] = 0.5;
        gtr_dataset_ragged(samples(w), w->ragged);
    }
    MISTAKE("lengths named as a column of steps is", "\"x\"|ragged|columns 0 and 2") {
        w->ad.column[0].name = w->ragged.name = "x";
        w->ragged.lengths = lengths; w->ragged.n_lengths = 2;
        gtr_dataset_ragged(samples(w), w->ragged);
    }
    MISTAKE("rows of different lengths made of such", "gtr_dataset_ragged|(ragged)|already") {
        w->ragged.lengths = lengths; w->ragged.n_lengths = 2;
        gtr_dataset_ragged(gtr_dataset_ragged(samples(w), w->ragged), w->ragged);
    }
    MISTAKE("lengths beside, which come twice", ".lengths_column|.lengths") {
        samples(w);
        gtr_dataset *steps = w->data;
        memset(&w->ad, 0, sizeof w->ad);
        column(w, 0, each, GTR_I32, gtr_shape0());
        w->ad.rows = 2;
        w->ragged.beside = arrays(w); w->ragged.lengths_column = 1;
        w->ragged.lengths = lengths; w->ragged.n_lengths = 2;
        gtr_dataset_ragged(steps, w->ragged);
    }
}
static void texts_of_files(void)
{
    MISTAKE("a compressed text, whose bytes are none of letters", "text.txt|gzip|gunzip") {
        listens(w);
        w->txt.length = 2;
        gtr_dataset_text(context(w), FILE_OF("text.txt", "\x1f\x8b\x08\0\0\0\0\0\0\3abcdef"), w->txt);
    }
    MISTAKE("a text in UTF-16 by its characters", "text.txt|UTF-16") {
        w->txt.length = 2; w->txt.characters = true;
        gtr_dataset_text(context(w), FILE_OF("text.txt", "\xff\xfe" "a\0b\0c\0d\0e\0"), w->txt);
    }
    MISTAKE("a part of a text in percent", "gtr_dataset_text|.begin|90|0 to 1") {
        w->txt.length = 2; w->txt.begin = 90; w->txt.end = 100;
        text_of(w, "text.txt", "a text of some letters\n");
    }
    MISTAKE("windows of -4 ids", "gtr_dataset_text|length|-4") {
        w->txt.length = -4;
        text_of(w, "text.txt", "a text\n");
    }
    MISTAKE("-1 random windows, for all", "gtr_dataset_text|.random|-1") {
        w->txt.length = 2; w->txt.random = -1;
        text_of(w, "text.txt", "a text of some letters\n");
    }
    MISTAKE("streams of windows at random", ".random|.streams") {
        w->txt.length = 2; w->txt.random = 8; w->txt.streams = 2;
        text_of(w, "text.txt", "a text of some letters\n");
    }
    MISTAKE("more streams than a text has windows", "text.txt|23 bytes|.streams") {
        w->txt.length = 2; w->txt.streams = 100;
        text_of(w, "text.txt", "a text of some letters\n");
    }
    MISTAKE("a text like a table", "gtr_dataset_text|.like|text") {
        w->txt.length = 2; w->txt.characters = true; w->txt.like = samples(w);
        text_of(w, "text.txt", "a text of some letters\n");
    }
    MISTAKE("validation's text with characters of its own", "validation|.like") {
        w->txt.length = 1; w->txt.characters = true; w->fd.batch = 2;
        w->fd.validation = text_of(w, "other.txt", "bcdabcdabcdabcd");
        text_of(w, "text.txt", "cdecdecdecdecde");
        w->x = gtr_input(context(w), "x", GTR_I32, gtr_shape2(GTR_BATCH, 1));
        w->y = gtr_input(w->ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
        w->logits = gtr_linear(gtr_reshape(gtr_embedding(w->x, "at", 8, 4), gtr_shape2(GTR_BATCH, 4)), "out", 8);
        fit(w);
    }
    MISTAKE("the last tenth of a text validates, and all of it trains", "validation|text.txt|.begin 0.6|0 to 1") {
        listens(w);
        w->txt.length = 1; w->fd.batch = 2; w->txt.begin = 0.6f;
        w->fd.validation = text_of(w, "text.txt", "cdecdecdecdecde");
        w->txt.begin = 0;
        text_of(w, "text.txt", "cdecdecdecdecde");
        w->x = gtr_input(context(w), "x", GTR_I32, gtr_shape2(GTR_BATCH, 1));
        w->y = gtr_input(w->ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
        w->logits = gtr_linear(gtr_reshape(gtr_embedding(w->x, "at", 128, 4), gtr_shape2(GTR_BATCH, 4)), "out", 128);
        fit(w);
    }
    MISTAKE("a text appended to", "gtr_dataset_append|text") {
        w->txt.length = 2;
        text_of(w, "text.txt", "a text of some letters\n");
        const void *more[2] = { bytes, bytes };
        gtr_dataset_append(w->data, more, 1);
    }
}

/* A zip archive of files, as numpy.savez writes it; method 8 says that they are compressed. */
static uint32_t crc_of(const unsigned char *at, size_t n)
{
    uint32_t c = 0xffffffffu;
    for (size_t i = 0; i < n; i++) {
        c ^= at[i];
        for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    }
    return ~c;
}
static void put(unsigned char *at, uint32_t v, int n)
{
    for (int i = 0; i < n; i++) at[i] = (unsigned char)(v >> 8 * i);
}
static const char *zip_of(const char *name, int n, const char *const *names, const char *const *paths, int method)
{
    static unsigned char zip[16384], list[2048];
    size_t at = 0, end = 0;
    for (int i = 0; i < n; i++) {
        static unsigned char data[4096];
        FILE *f = fopen(paths[i], "rb");
        const size_t size = f ? fread(data, 1, sizeof data, f) : 0, letters = strlen(names[i]), here = at;
        if (f) fclose(f);
        unsigned char head[46];
        memset(head, 0, sizeof head);
        memcpy(head, "PK\3\4", 4);
        put(head + 4, 20, 2); put(head + 8, (uint32_t)method, 2); put(head + 14, crc_of(data, size), 4);
        put(head + 18, (uint32_t)size, 4); put(head + 22, (uint32_t)size, 4); put(head + 26, (uint32_t)letters, 2);
        memcpy(zip + at, head, 30); memcpy(zip + at + 30, names[i], letters);
        memcpy(zip + at + 30 + letters, data, size);
        at += 30 + letters + size;
        memmove(head + 6, head + 4, 26);
        memcpy(head, "PK\1\2", 4);
        put(head + 4, 20, 2); put(head + 32, 0, 4); put(head + 42, (uint32_t)here, 4);
        memcpy(list + end, head, 46); memcpy(list + end + 46, names[i], letters);
        end += 46 + letters;
    }
    memcpy(zip + at, list, end);
    unsigned char *last = zip + at + end;
    memset(last, 0, 22);
    memcpy(last, "PK\5\6", 4);
    put(last + 8, (uint32_t)n, 2); put(last + 10, (uint32_t)n, 2);
    put(last + 12, (uint32_t)end, 4); put(last + 16, (uint32_t)at, 4);
    return file_of(name, zip, at + end + 22);
}
static const char *y_npy(void) { return npy("y.npy", "'<i4'", "(24,)", label, sizeof label); }
static gtr_dataset *archive(world *w, const char *x, const char *y, int method)
{
    const char *names[2] = { x, y }, *paths[2];
    paths[0] = x_npy(); paths[1] = y_npy();
    return w->data = gtr_dataset_npz(context(w), zip_of("xy.npz", y ? 2 : 1, names, paths, method), w->npy);
}
static void numpy_archives(void)
{
    RIGHT("an archive of numpy.savez") { archive(w, "x.npy", "y.npy", 0); fit(w); }
    MISTAKE("an archive of savez_compressed", "xy.npz|ompressed|numpy.savez") { archive(w, "x.npy", "y.npy", 8); }
    MISTAKE("an archive of arrays without names, arr_0 and arr_1", "\"arr_0\"|\"x\"|.arrays") {
        archive(w, "arr_0.npy", "arr_1.npy", 0);
        fit(w);
    }
    MISTAKE("an array that an archive has not", "xy.npz|\"features\"|x, y") {
        w->npy.arrays = "features, y";
        archive(w, "x.npy", "y.npy", 0);
    }
    MISTAKE("an archive that is mapped", "xy.npz|mapped|.npy") {
        w->npy.map = true;
        archive(w, "x.npy", "y.npy", 0);
    }
    MISTAKE("a model of torch.save for an archive of arrays", "model.npz|archive/data.pkl|.npy") {
        const char *names[2] = { "archive/data.pkl", "archive/data/0" }, *paths[2];
        paths[0] = FILE_OF("data.pkl", "\x80\2ctorch._utils\n_rebuild_tensor_v2\nq");
        paths[1] = file_of("0", features, 64);
        gtr_dataset_npz(context(w), zip_of("model.npz", 2, names, paths, 0), w->npy);
    }
    MISTAKE("an archive that is cut", "cut.npz|is cut|members") {
        archive(w, "x.npy", "y.npy", 0);
        gtr_error_clear(w->ctx);
        FILE *f = fopen(FOLDER "/xy.npz", "rb");
        char half[300];
        const size_t n = f ? fread(half, 1, sizeof half, f) : 0;
        if (f) fclose(f);
        gtr_dataset_npz(w->ctx, file_of("cut.npz", half, n), w->npy);
    }
    MISTAKE("an archive whose labels stand for features", "column 0|int32|\"x\"|float32") {
        w->npy.arrays = "y, x";
        archive(w, "x.npy", "y.npy", 0);
        fit(w);
    }
    MISTAKE("an array of records, of a structured dtype", "r.npy|structure|<f4") {
        arrays_of(w, npy("r.npy", "[('a', '<f4')]", "(24,)", features, 96), NULL);
    }
    MISTAKE("an array of dates", "d.npy|M8|<f4") {
        arrays_of(w, npy("d.npy", "'<M8[D]'", "(24,)", features, 192), NULL);
    }
    MISTAKE("an array of no rows", "e.npy|empty array|dimension 0") {
        arrays_of(w, npy("e.npy", "'<f4'", "(0, 4)", features, 0), NULL);
    }
    MISTAKE("an array of rows without elements", "e.npy|empty array|dimension 1") {
        arrays_of(w, npy("e.npy", "'<f4'", "(24, 0)", features, 0), NULL);
    }
    MISTAKE("labels beyond int32 in an array", "y.npy|row 3|1099511627776") {
        static int64_t big[ROWS];
        big[3] = (int64_t)1 << 40;
        arrays_of(w, x_npy(), npy("y.npy", "'<i8'", "(24,)", big, sizeof big));
    }
    RIGHT("floats made of floats") { w->npy.floats = true; arrays_of(w, x_npy(), NULL); }
    MISTAKE("mapped integers that are to be floats", "y.npy|mapped|.floats") {
        w->npy.map = w->npy.floats = true;
        arrays_of(w, y_npy(), NULL);
    }
    MISTAKE("NaN allowed of a mapped array, which nobody looks for", ".nonfinite|.map") {
        w->npy.map = w->npy.nonfinite = true;
        arrays_of(w, x_npy(), NULL);
    }
    MISTAKE("17 arrays", "gtr_dataset_npy|17|16") {
        const char *paths[17];
        const char *const path = x_npy();
        for (int i = 0; i < 17; i++) paths[i] = path;
        gtr_dataset_npy(context(w), paths, 17, w->npy);
    }
    MISTAKE("no arrays", "gtr_dataset_npy|0 files|1 to 16") {
        const char *path = x_npy();
        gtr_dataset_npy(context(w), &path, 0, w->npy);
    }
    MISTAKE("the second array's path forgotten", "gtr_dataset_npy|path 1|NULL") {
        const char *paths[2] = { x_npy(), NULL };
        gtr_dataset_npy(context(w), paths, 2, w->npy);
    }
    MISTAKE("the features' file for the labels, too", "column 1|float32|\"y\"|int32") {
        arrays_of(w, x_npy(), x_npy());
        fit(w);
    }
    MISTAKE("scale of labels in bytes", ".scale|column 1|\"y\"|float32") {
        w->npy.scale = 0.5f;
        arrays_of(w, x_npy(), npy("y.npy", "'|u1'", "(24,)", bits, 24));
        fit(w);
    }
    MISTAKE("an HDF5 file for an array", "x.h5|.npy") {
        arrays_of(w, FILE_OF("x.h5", "\x89HDF\r\n\x1a\n\0\0\0\0\0\10\10\0\4\0\20\0\0\0\0\0"), NULL);
    }
    MISTAKE("text of numpy.savetxt for an array", "x.txt|.npy") {
        arrays_of(w, text_file("x.txt", "1.000000000000000000e+00 2.000000000000000000e+00\n"), NULL);
    }
}
static void bytes_of_images(void)
{
    unsigned char f[16 + sizeof bytes];
    static unsigned char cifar[2 * 3073];
    const char *path;
    MISTAKE("images for the labels, too", "images.idx3|label|(8, 8)") {
        path = idx_images(24);
        gtr_dataset_idx(context(w), path, path);
    }
    MISTAKE("IDX of floats", "floats.idx|0x0d|bytes") {
        idx_head(f, 0x0d, 3, 4, 2, 2);
        memcpy(f + 16, features, 64);
        gtr_dataset_idx(context(w), file_of("floats.idx", f, 80), idx_labels(4, 0));
    }
    MISTAKE("IDX files put one behind the other", "labels.idx1|32 bytes|24") {
        idx_head(f, 8, 1, 24, 0, 0);
        memcpy(f + 8, bits, 24);
        memset(f + 32, 0, 8);
        gtr_dataset_idx(context(w), idx_images(24), file_of("labels.idx1", f, 40));
    }
    MISTAKE("IDX without labels", "gtr_dataset_idx|labels|NULL") { gtr_dataset_idx(context(w), idx_images(24), NULL); }
    MISTAKE("an .npy for an IDX file", "x.npy|IDX") {
        gtr_dataset_idx(context(w), x_npy(), idx_labels(24, 0));
    }
    MISTAKE("a folder for a mapped IDX file", "mistakes|folder") {
        gtr_dataset_idx_map(context(w), FOLDER, idx_labels(24, 0));
    }
    MISTAKE("IDX files still compressed, mapped", "images.gz|gzip|gunzip") {
        gtr_dataset_idx_map(context(w), FILE_OF("images.gz", "\x1f\x8b\x08\0\0\0\0\0\0\3abcdef"), idx_labels(24, 0));
    }
    MISTAKE("CIFAR's folder", "mistakes|folder") {
        path = FOLDER;
        gtr_dataset_cifar(context(w), &path, 1, 10);
    }
    MISTAKE("CIFAR for Python, pickled", "data_batch_1|pickle|binary") {
        path = FILE_OF("data_batch_1", "\x80\2}q\1(U\x0b" "batch_labelq\2U\x15training batch 1 of 5q\3U\6labels");
        gtr_dataset_cifar(context(w), &path, 1, 10);
    }
    MISTAKE("CIFAR still in its archive", "cifar-10.tar.gz|gzip|gunzip") {
        path = FILE_OF("cifar-10.tar.gz", "\x1f\x8b\x08\0\0\0\0\0\0\3abcdef");
        gtr_dataset_cifar(context(w), &path, 1, 10);
    }
    MISTAKE("CIFAR-100 as CIFAR-10", "train.bin|3073|3074|100") {
        memset(cifar, 0, sizeof cifar);
        path = file_of("train.bin", cifar, 3074);
        gtr_dataset_cifar(context(w), &path, 1, 10);
    }
    MISTAKE("a label that CIFAR-10 has not", "data.bin|row 1|77|0 to 9") {
        memset(cifar, 0, sizeof cifar);
        cifar[3073] = 77;
        path = file_of("data.bin", cifar, 2 * 3073);
        gtr_dataset_cifar(context(w), &path, 1, 10);
    }
    MISTAKE("CIFAR's second path forgotten", "gtr_dataset_cifar|path 1|NULL") {
        memset(cifar, 0, sizeof cifar);
        const char *paths[2] = { file_of("data.bin", cifar, 2 * 3073), NULL };
        gtr_dataset_cifar(context(w), paths, 2, 10);
    }
}
static unsigned char *of_five(const char *path, int *width, int *height, int *channels, int wanted)
{
    (void)path; (void)wanted;
    *width = *height = 2; *channels = 5;
    return calloc(20, 1);
}
static unsigned char *of_nothing(const char *path, int *width, int *height, int *channels, int wanted)
{
    (void)path; (void)wanted;
    *width = *height = 0; *channels = 3;
    return calloc(4, 1);
}
static unsigned char *of_none(const char *path, int *width, int *height, int *channels, int wanted)
{
    (void)path; (void)width; (void)height; (void)channels; (void)wanted;
    return NULL;
}
static void of_decode(world *w, unsigned char *(*how)(const char *, int *, int *, int *, int))
{
    folder_made("decoded", "", "");
    folder_made("decoded/a", "", "");
    FILE_OF("decoded/a/1.png", "\x89PNG\r\n\x1a\n");
    w->images.decode = how; w->images.decode_free = free;
    gtr_dataset_images(context(w), path_of("decoded"), w->images);
}
static void image_folders(void)
{
    static gtr_float many[64];
    MISTAKE("a folder of train/ and test/, not of classes", "halves/te|folder") {
        folder_made("halves", "", "");
        folder_made("halves/train", "ab", "P5 2 2 255 abcd");
        folder_made("halves/test", "ab", "P5 2 2 255 abcd");
        gtr_dataset_images(context(w), path_of("halves"), w->images);
    }
    MISTAKE("a class without an image", "hollow/c|image") {
        folder_made("hollow", "ab", "P5 2 2 255 abcd");
        folder_made("hollow/c", "", "");
        gtr_dataset_images(context(w), path_of("hollow"), w->images);
    }
    RIGHT("a camera's names in capitals") {
        folder_made("upper", "", "");
        folder_made("upper/a", "", "");
        text_file("upper/a/1.PGM", "P5 2 2 255 abcd");
        w->data = gtr_dataset_images(context(w), path_of("upper"), w->images);
        if (gtr_dataset_rows(w->data) != 1) note(w, "upper/a/1.PGM is not read");
    }
    MISTAKE("photos of which some are .webp, left out", "mixed/a|1 .webp") {
        listens(w);
        folder_made("mixed", "ab", "P5 2 2 255 abcd");
        text_file("mixed/a/2.webp", "RIFF....WEBP");
        gtr_dataset_images(context(w), path_of("mixed"), w->images);
    }
    MISTAKE("photos of which some are .jpg, and no decoder", "mixture|1 images|.jpg|.decode") {
        listens(w);
        folder_made("mixture", "ab", "P5 2 2 255 abcd");
        text_file("mixture/a/2.jpg", "\xff\xd8\xff\xe0");
        gtr_dataset_images(context(w), path_of("mixture"), w->images);
    }
    MISTAKE("one class alone, so that nothing is told apart", "alone|one class|\"a\"") {
        listens(w);
        folder_of(w, "alone", "a", "P5 2 2 255 abcd");
    }
    MISTAKE("a folder of validation with a class of its own", "sets/b/z|.like") {
        folder_made("sets", "", "");
        w->images.like = folder_of(w, "sets/a", "ab", "P5 2 2 255 abcd");
        folder_of(w, "sets/b", "az", "P5 2 2 255 abcd");
    }
    MISTAKE("images like arrays without classes", ".like|classes") {
        w->images.like = samples(w);
        folder_of(w, "like", "ab", "P5 2 2 255 abcd");
    }
    MISTAKE("validation's folder without .like, its classes others", "validation|.like") {
        w->images.height = w->images.width = 2; w->fd.batch = 2;
        w->fd.validation = folder_of(w, "held", "bcd", "P5 2 2 255 abcd");
        w->data = folder_of(w, "learned", "abc", "P5 2 2 255 abcd");
        w->x = gtr_input(w->ctx, "image", GTR_F32, gtr_shape4(GTR_BATCH, 1, 2, 2));
        w->y = gtr_input(w->ctx, "label", GTR_I32, gtr_shape1(GTR_BATCH));
        w->h = gtr_flatten(w->x);
        fit(w);
    }
    MISTAKE("a size below 0", "gtr_dataset_images|-1 x -1") {
        w->images.height = w->images.width = -1;
        folder_of(w, "below", "ab", "P5 2 2 255 abcd");
    }
    MISTAKE("resize without a size", "resized to 8|both extents") {
        w->images.resize = 8;
        folder_of(w, "resize", "ab", "P5 2 2 255 abcd");
    }
    MISTAKE("an image that is cut", "short/a/1.pgm|2 bytes|4") { folder_of(w, "short", "ab", "P5 2 2 255 ab"); }
    MISTAKE("an image of no pixels", "empty/a/1.pgm|height 0") { folder_of(w, "empty", "ab", "P5 2 0 255 "); }
    MISTAKE("a bitmap of bits", "bits/a/1.pgm|50 34|P5") { folder_of(w, "bits", "ab", "P4 2 2 ab"); }
    MISTAKE("an empty image file", "zero/a/1.pgm|0 bytes") { folder_of(w, "zero", "ab", ""); }
    MISTAKE("a sample above the largest", "above/a/1.pgm|300|255") {
        folder_of(w, "above", "ab", "P2 2 2 255 1 2 3 300");
    }
    MISTAKE("a decoder that cannot read a file", "decoded/a/1.png|.decode|NULL") { of_decode(w, of_none); }
    MISTAKE("a decoder of 5 channels", "decoded/a/1.png|5 channels|1 to 4") { of_decode(w, of_five); }
    MISTAKE("a decoder that gives no pixels", "decoded/a/1.png|0 x 0") { of_decode(w, of_nothing); }
    MISTAKE("one image from NULL", "gtr_image_load|path|NULL") {
        w->data = folder_of(w, "like", "ab", "P5 2 2 255 abcd");
        gtr_image_load(w->data, NULL, image(w, 1, 2, 2), many);
    }
    MISTAKE("one image to NULL", "gtr_image_load|out|NULL") {
        w->data = folder_of(w, "like", "ab", "P5 2 2 255 abcd");
        gtr_image_load(w->data, FOLDER "/like/a/1.pgm", image(w, 1, 2, 2), NULL);
    }
    MISTAKE("one image for an input of another size", "(2, 2, 1)|\"x\"|(N, 1, 4, 4)") {
        w->data = folder_of(w, "like", "ab", "P5 2 2 255 abcd");
        gtr_image_load(w->data, FOLDER "/like/a/1.pgm", image(w, 1, 4, 4), many);
    }
    MISTAKE("one image for the labels", "(2, 2, 1)|\"y\"|int32") {
        w->data = folder_of(w, "like", "ab", "P5 2 2 255 abcd");
        gtr_image_load(w->data, FOLDER "/like/a/1.pgm", labels(w), many);
    }
    MISTAKE("a camera's frame of 5 channels", "gtr_image_convert|5 channels|1 to 4") {
        w->data = folder_of(w, "like", "ab", "P5 2 2 255 abcd");
        gtr_image_convert(w->data, bytes, 2, 2, 5, image(w, 1, 2, 2), many);
    }
    MISTAKE("a camera's frame that did not come", "gtr_image_convert|bytes|NULL") {
        w->data = folder_of(w, "like", "ab", "P5 2 2 255 abcd");
        gtr_image_convert(w->data, NULL, 2, 2, 1, image(w, 1, 2, 2), many);
    }
    MISTAKE("a whole folder for one image", "like|folder") {
        w->data = folder_of(w, "like", "ab", "P5 2 2 255 abcd");
        gtr_image_load(w->data, FOLDER "/like", image(w, 1, 2, 2), many);
    }
}
static void augmentations(void)
{
    const gtr_shape row = gtr_shape3(1, 8, 8);
    MISTAKE("means of three channels for grey images", "gtr_dataset_augment|.mean|(1, 8, 8)|more channels") {
        w->aug.mean[0] = w->aug.mean[1] = w->aug.mean[2] = 0.5f;
        w->aug.std[0] = w->aug.std[1] = w->aug.std[2] = 0.25f;
        augmented(w, row);
    }
    MISTAKE("a mean of two of three channels", "gtr_dataset_augment|.mean|(3, 4, 4)|GTR_ZERO") {
        w->aug.mean[0] = w->aug.mean[1] = 0.5f;
        augmented(w, gtr_shape3(3, 4, 4));
    }
    MISTAKE("a deviation of one of three channels", "gtr_dataset_augment|.std|(3, 4, 4)") {
        w->aug.std[0] = 0.25f;
        augmented(w, gtr_shape3(3, 4, 4));
    }
    MISTAKE("brightness in percent", "gtr_dataset_augment|brightness|20|0 to 1") {
        w->aug.brightness = 20;
        augmented(w, row);
    }
    MISTAKE("contrast as a factor's range, torchvision's 1.5", "gtr_dataset_augment|contrast|1.5|0 to 1") {
        w->aug.contrast = 1.5f;
        augmented(w, row);
    }
    MISTAKE("a square that hides the whole image", "gtr_dataset_augment|cutout|16|(1, 8, 8)") {
        w->aug.cutout = 16;
        augmented(w, row);
    }
    MISTAKE("a square of side -4", "gtr_dataset_augment|cutout|-4") { w->aug.cutout = -4; augmented(w, row); }
    MISTAKE("a mirror wider than an image that is augmented", "gtr_dataset_augment|pad|8|(1, 8, 8)") {
        w->aug.pad = 8; w->aug.pad_mode = GTR_PAD_REFLECT;
        augmented(w, row);
    }
    MISTAKE("a way to pad without a pad", "gtr_dataset_augment|pad_mode|.pad") {
        w->aug.pad_mode = GTR_PAD_REFLECT; w->aug.flip = 0.5f;
        augmented(w, row);
    }
    MISTAKE("a flip below 0", "gtr_dataset_augment|flip_vertical|-0.5|0 to 1") {
        w->aug.flip_vertical = -0.5f;
        augmented(w, row);
    }
    MISTAKE("images with channels last that nobody said, flipped", "gtr_dataset_augment|(8, 8, 3)|channels_last") {
        listens(w);
        w->aug.flip = 0.5f;
        column(w, 0, wide, GTR_F32, gtr_shape3(8, 8, 3));
        w->ad.rows = 8;
        augmented(w, row);
    }
    MISTAKE("windows of a series mirrored, as if they were images", "gtr_dataset_augment|windows") {
        w->windows.history = 6; w->aug.flip = 0.5f;
        w->data = gtr_dataset_windows(samples(w), w->windows);
        gtr_dataset_augment(w->data, 0, w->aug);
    }
    MISTAKE("a picture mirrored and its mask not", "gtr_dataset_augment|column 1|(8, 8)|flip") {
        listens(w);
        static int32_t mask[ROWS * 64];
        w->x = gtr_input(context(w), "x", GTR_F32, gtr_shape4(GTR_BATCH, 1, 8, 8));
        w->y = gtr_input(w->ctx, "y", GTR_I32, gtr_shape3(GTR_BATCH, 8, 8));
        w->logits = gtr_conv2d(w->x, "conv", 3, 3, 1, 1);
        column(w, 1, mask, GTR_I32, gtr_shape2(8, 8));
        w->aug.flip = 0.5f;
        augmented(w, row);
        fit(w);
    }
    MISTAKE("pictures predicted without training's mean", "gtr_predict_dataset|mean|0.5") {
        listens(w);
        void *out[1] = { w->value };
        w->h = gtr_flatten(image(w, 1, 8, 8));
        w->aug.mean[0] = 0.5f; w->aug.std[0] = 0.25f;
        augmented(w, row);
        fit(w);
        w->data = NULL;
        w->p = gtr_predictor_create(w->logits, 8);
        gtr_predict_dataset(w->p, samples(w), out);
    }
    MISTAKE("rows converted of a column that is not there", "gtr_dataset_convert|column 3 of 2") {
        gtr_dataset_convert(samples(w), 3, input(w), features, 1, w->value);
    }
    MISTAKE("0 rows converted", "gtr_dataset_convert|0 rows") {
        gtr_dataset_convert(samples(w), 0, input(w), features, 0, w->value);
    }
    MISTAKE("rows converted to NULL", "gtr_dataset_convert|out|NULL") {
        gtr_dataset_convert(samples(w), 0, input(w), features, 1, NULL);
    }
}

static void files_of_models(void)
{
    const char *const saved = FOLDER "/notes.safetensors";
    static const char one[] = "{\"fc1.weight\":{\"dtype\":\"I64\",\"shape\":[8,4],\"data_offsets\":[0,256]}}";
    gtr_load_desc ld;
    gtr_load_report report;
    gtr_save_desc sd;
    memset(&ld, 0, sizeof ld);
    memset(&sd, 0, sizeof sd);
    RIGHT("a model with a note") {
        scores(w);
        gtr_note_set(w->ctx, "author", "J\xc3\xb6rg");
        gtr_save(w->ctx, saved);
    }
    MISTAKE("a model of whole numbers", "i64.safetensors|fc1.weight|I64|F32") {
        loads(w, tensors("i64.safetensors", one, 256));
    }
    MISTAKE("a prefix stripped without its point", "module.safetensors|\"module.fc1.weight\"|\".fc1.weight\"") {
        ld.strip = "module";
        gtr_linear(input(w), "fc1", 8);
        gtr_load_ex(w->ctx, tensors("module.safetensors", "{\"module.fc1.weight\":{\"dtype\":\"F32\",\"shape\":"
            "[8,4],\"data_offsets\":[0,128]}}", 128), ld);
        ld.strip = NULL;
    }
    MISTAKE("names as a regular expression", ".names|fc1\\..+|fits no parameter") {
        ld.names = "fc1\\..+";
        scores(w);
        gtr_load_ex(w->ctx, saved, ld);
        ld.names = NULL;
    }
    MISTAKE("what fits of a file in which nothing does", "notes.safetensors|none of its 4 tensors") {
        ld.partial = true;
        gtr_linear(input(w), "head", 7);
        gtr_load_ex(w->ctx, saved, ld);
        ld.partial = false;
    }
    MISTAKE("a model's path and its bytes", "gtr_load|path|.data") {
        ld.data = features; ld.bytes = sizeof features;
        scores(w);
        gtr_load_ex(w->ctx, saved, ld);
    }
    MISTAKE("a model's bytes without their number", "gtr_load|0 bytes") {
        ld.data = features; ld.bytes = 0;
        scores(w);
        gtr_load_ex(w->ctx, NULL, ld);
        ld.data = NULL;
    }
    MISTAKE("a model's bytes' number without them", "gtr_load|.data|.bytes") {
        ld.bytes = 100;
        scores(w);
        gtr_load_ex(w->ctx, saved, ld);
        ld.bytes = 0;
    }
    MISTAKE("a report that names what is missing, which nobody looks at", "fc3.weight|missing") {
        ld.report = &report; ld.names = "fc1.*, fc3.*";
        gtr_linear(scores(w), "fc3", 2);
        gtr_load_ex(w->ctx, saved, ld);
        ld.report = NULL; ld.names = NULL;
    }
    MISTAKE("a list of parts of a large model, for the model", "index.json|JSON") {
        loads(w, text_file("index.json", "{\"metadata\": {\"total_size\": 236}, \"weight_map\": {\"fc1.weight\": "
            "\"model-00001-of-00002.safetensors\"}}\n"));
    }
    MISTAKE("a pointer of Git's large files for a model", "pointer.safetensors|LFS") {
        loads(w, text_file("pointer.safetensors", "version https://git-lfs.github.com/spec/v1\n"
            "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"));
    }
    MISTAKE("a batch_norm with Keras' names", "keras.safetensors|bn.weight|bn.gamma") {
        gtr_batch_norm(image(w, 1, 8, 8), "bn");
        gtr_load(w->ctx, tensors("keras.safetensors", "{\"bn.gamma\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\""
            ":[0,4]},\"bn.beta\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", 8));
    }
    MISTAKE("a model saved in bytes", "gtr_save|.dtype|uint8|GTR_F16") {
        scores(w);
        sd.dtype = GTR_U8;
        gtr_save_ex(w->ctx, path_of("bytes.safetensors"), sd);
        sd.dtype = GTR_F32;
    }
    MISTAKE("a part of a model that it has not, saved", "gtr_save|.names|conv|fits no parameter") {
        scores(w);
        sd.names = "conv*";
        gtr_save_ex(w->ctx, path_of("part.safetensors"), sd);
        sd.names = NULL;
    }
    MISTAKE("weights beyond float16, saved so", "fc1.weight|1e+06|F16") {
        scores(w);
        for (int i = 0; i < 32; i++) w->value[i] = 1e6f;
        gtr_set(gtr_parameter_find(w->ctx, "fc1.weight"), w->value, 32 * sizeof *w->value);
        sd.dtype = GTR_F16;
        gtr_save_ex(w->ctx, path_of("f16.safetensors"), sd);
        sd.dtype = GTR_F32;
    }
    MISTAKE("a model into too little memory", "gtr_save_get|10 bytes") {
        scores(w);
        gtr_save_get(w->ctx, sd, w->value, 10);
    }
    MISTAKE("a model saved over the table that trained it", "table.csv|is no model") {
        listens(w);
        with_header(w, NAMES THREE);
        fit_three(w);
        gtr_save(w->ctx, FOLDER "/table.csv");
    }
    MISTAKE("a note without a key", "gtr_note_set|key") { gtr_note_set(context(w), NULL, "mine"); }
    MISTAKE("a note with an empty key", "gtr_note_set|key|empty") { gtr_note_set(context(w), "", "mine"); }
    MISTAKE("a text for all classes at once", "gtr_note_set|label.*|NULL") {
        listens(w);
        gtr_note_set(context(w), "label.*", "cat");
    }
    MISTAKE("a class renamed to another's name by a note", "\"y.1\"|dog|hound|column 1") {
        listens(w);
        gtr_note_set(context(w), "y.1", "hound");
        with_header(w, NAMES ANIMALS);
        fit_three(w);
    }
    MISTAKE("a log over the training table", "table.csv|log") {
        w->fd.log_file = FOLDER "/table.csv";
        with_header(w, NAMES THREE);
        fit_three(w);
    }
    MISTAKE("a checkpoint over the training table", "table.csv|checkpoint") {
        w->fd.checkpoint = FOLDER "/table.csv";
        with_header(w, NAMES THREE);
        fit_three(w);
    }
}

static float loss_value, metric_value;
static void evaluations(void)
{
    MISTAKE("an evaluation by no trainer", "gtr_evaluate|trainer|NULL") {
        gtr_evaluate(NULL, samples(w), 8, NULL, &loss_value, NULL);
        fit(w);
    }
    MISTAKE("an evaluation by scores for a metric", "gtr_evaluate|metric|fc2|one float32") {
        gtr_evaluate(trainer(w), samples(w), 8, scores(w), &loss_value, &metric_value);
    }
    MISTAKE("an evaluation with a batch of -1 for all", "gtr_evaluate|batch|-1") {
        gtr_evaluate(trainer(w), samples(w), -1, NULL, &loss_value, NULL);
    }
    MISTAKE("an evaluation of features alone", "gtr_dataset_arrays|1 column|\"y\"") {
        trainer(w);
        column(w, 0, features, GTR_F32, gtr_shape1(4));
        gtr_evaluate(w->t, arrays(w), 8, NULL, &loss_value, NULL);
    }
    MISTAKE("an evaluation with labels that are no class", "column 1|row 2|3|0 to 2") {
        trainer(w);
        gtr_evaluate(w->t, with_labels(w, from_one, GTR_I32, gtr_shape0()), 8, NULL, &loss_value, NULL);
    }
    MISTAKE("an evaluation by a metric of an input that the set has not", "\"z\"|\"x\"|\"y\"") {
        gtr_tensor *z = gtr_input(context(w), "z", GTR_I32, gtr_shape1(GTR_BATCH));
        w->ad.column[0].name = "x"; w->ad.column[1].name = "y";
        gtr_evaluate(trainer(w), samples(w), 8, gtr_accuracy(scores(w), z), &loss_value, &metric_value);
    }
    MISTAKE("metrics of the predicted classes", "metrics|scores|int32|float32") {
        measured(w, gtr_argmax(scores(w), 1), labels(w));
    }
    MISTAKE("metrics of one-hot labels, taken for targets", ".binary|0 or 1|labels") {
        listens(w);
        w->loss = gtr_cross_entropy(scores(w), floats(w, 3));
        with_labels(w, onehot, GTR_F32, gtr_shape1(3));
        measured(w, scores(w), w->y);
    }
    MISTAKE("a threshold of a regression", ".threshold|two classes") {
        regression(w);
        w->md.threshold = 0.3f;
        measured(w, w->logits, w->y);
    }
    MISTAKE("probabilities of a regression", ".probabilities|targets") {
        regression(w);
        w->md.probabilities = true;
        measured(w, w->logits, w->y);
    }
    MISTAKE("top_k of a regression", ".top_k|several classes") {
        regression(w);
        w->md.top_k = 1;
        measured(w, w->logits, w->y);
    }
    MISTAKE(".binary of classes", ".binary|as many labels as scores") {
        w->md.binary = true;
        measured(w, scores(w), labels(w));
    }
    MISTAKE("top_k below 0", "top_k|-1") { w->md.top_k = -1; measured(w, scores(w), labels(w)); }
    MISTAKE("metrics in batches of -1", "metrics|batch|-1") {
        w->md.batch = -1;
        measured(w, scores(w), labels(w));
    }
    MISTAKE("auc_most in percent below 0", "auc_most|-5") { w->md.auc_most = -5; measured(w, scores(w), labels(w)); }
    MISTAKE("an ignore_index and ignore_zero of metrics", "ignore_index|ignore_zero") {
        w->md.ignore_index = 2; w->md.ignore_zero = true;
        measured(w, scores(w), labels(w));
    }
    MISTAKE("metrics of labels from 1", "metrics|gtr_dataset_arrays|row 2|3|0 to 2") {
        with_labels(w, from_one, GTR_I32, gtr_shape0());
        w->loss = gtr_mean(gtr_square(scores(w)), NULL, 0, false);
        measured(w, scores(w), labels(w));
    }
    MISTAKE("metrics of labels that are all ignored", "gtr_evaluate_metrics|no label|ignored") {
        listens(w);
        static int32_t none[ROWS];
        for (int i = 0; i < ROWS; i++) none[i] = -1;
        w->loss = gtr_mean(gtr_square(scores(w)), NULL, 0, false);
        with_labels(w, none, GTR_I32, gtr_shape0());
        measured(w, scores(w), labels(w));
    }
    MISTAKE("metrics of another context's scores", "metrics|scores|another context") {
        world v;
        memset(&v, 0, sizeof v);
        v.cd = w->cd;
        scores(&v);
        w->other = v.ctx;
        measured(w, v.logits, labels(w));
    }
    MISTAKE("the best auc where validation has one class", "monitor|auc|one class") {
        static const int32_t zero[ROWS];
        w->fd.validation = with_labels(w, zero, GTR_I32, gtr_shape0());
        with_labels(w, NULL, GTR_I32, gtr_shape0());
        w->data = NULL;
        w->fd.metrics.scores = scores(w); w->fd.metrics.labels = labels(w);
        w->fd.monitor = GTR_METRIC_AUC; w->fd.patience = 2;
        fit(w);
    }
    MISTAKE("the best r2 where validation's targets are all the same", "monitor|r2|target") {
        listens(w);
        static const gtr_float same[ROWS];
        regression(w);
        w->ad.column[1].data = same;
        w->fd.validation = samples(w);
        w->ad.column[1].data = target; w->data = NULL;
        w->fd.metrics.scores = w->logits; w->fd.metrics.labels = w->y;
        w->fd.monitor = GTR_METRIC_R2; w->fd.patience = 2; w->fd.epochs = 3;
        fit(w);
    }
    MISTAKE("the best rmse of classes of a float target", "monitor|top-k") {
        regression(w);
        w->fd.validation = samples(w);
        w->fd.metrics.scores = w->logits; w->fd.metrics.labels = w->y;
        w->fd.monitor = GTR_METRIC_TOP_K; w->fd.patience = 2;
        fit(w);
    }
    MISTAKE("metrics whose labels are the features", "labels|(N, 4)|(N, 3)") {
        w->fd.validation = samples(w);
        w->fd.metrics.scores = scores(w); w->fd.metrics.labels = input(w);
        fit(w);
    }
    MISTAKE("metrics whose labels no column is for", "\"z\"") {
        w->ad.column[0].name = "x"; w->ad.column[1].name = "y";
        gtr_tensor *z = gtr_input(context(w), "z", GTR_I32, gtr_shape1(GTR_BATCH));
        measured(w, scores(w), z);
    }
}

/* Sets made of sets, beside others that mean something else: scale, names, means and strings go with them. */
static gtr_dataset *scaled(world *w, float scale)
{
    w->csv.scale = scale;
    return csv(w, "1,2,3,4,0\n3,4,5,6,1\n1,1,1,1,2\n2,2,3,3,0\n5,6,7,8,1\n1,2,1,2,2\n");
}
static void windowed(world *w)
{
    w->windows.history = 2; w->windows.target = 2;
    w->x = gtr_input(context(w), "x", GTR_F32, gtr_shape3(GTR_BATCH, 2, 4));
    w->h = gtr_flatten(w->x);
}
static gtr_dataset *bytes_scaled(world *w, float scale)
{
    w->ad.column[0].scale = scale;
    column(w, 0, bytes, GTR_U8, gtr_shape3(1, 8, 8));
    w->data = NULL;
    return samples(w);
}
/* Fits rows of 2, 1 and 3 steps, of a table; validation's header and scale are these. */
static void rows_of_lengths(world *w, const char *header, float scale)
{
    static const int64_t lengths[3] = { 2, 1, 3 };
    const char *const rows = "1,2,3,4\n3,4,5,6\n1,1,1,1\n1,2,3,4\n3,4,5,6\n1,1,1,1\n";
    char table[200];
    gtr_dataset *steps[2];
    w->ragged.lengths = lengths; w->ragged.n_lengths = 3; w->ragged.steps = 3;
    w->csv.label_column = -1;
    snprintf(table, sizeof table, "a,b,c,d\n%s", rows);
    steps[0] = with_header(w, table);
    snprintf(table, sizeof table, "%s%s", header, rows);
    w->csv.scale = scale;
    steps[1] = with_header(w, table);
    w->csv.label_column = 1; w->csv.header = false; w->csv.scale = 0;
    w->ragged.beside = csv(w, "0\n1\n2\n");
    w->data = gtr_dataset_ragged(steps[0], w->ragged);
    w->fd.validation = gtr_dataset_ragged(steps[1], w->ragged);
    w->x = gtr_input(context(w), "x", GTR_F32, gtr_shape3(GTR_BATCH, 3, 4));
    gtr_recurrent_desc how;
    memset(&how, 0, sizeof how);
    how.lengths = gtr_input(w->ctx, "n", GTR_I32, gtr_shape1(GTR_BATCH)); how.h_last = &w->h;
    gtr_gru(w->x, "gru", 4, how);
    fit_three(w);
}
static void sets_of_sets(void)
{
    gtr_dataset *sets[2];
    void *out[1];
    RIGHT("rows of different lengths, validated by such of the same table") { rows_of_lengths(w, "a,b,c,d\n", 0); }
    MISTAKE("windows of a table of another scale validate", "validation|scale") {
        windowed(w);
        w->fd.validation = gtr_dataset_windows(scaled(w, 0.1f), w->windows);
        w->data = gtr_dataset_windows(scaled(w, 0), w->windows);
        fit_three(w);
    }
    MISTAKE("windows of a table whose features stand in another order validate", "validation|.like") {
        windowed(w);
        w->fd.validation = gtr_dataset_windows(with_header(w, NAMES THREE THREE), w->windows);
        w->data = gtr_dataset_windows(with_header(w, "b,a,c,d,y\n" THREE THREE), w->windows);
        fit_three(w);
    }
    MISTAKE("a table of another scale, joined with its labels, validates", "validation|scale") {
        w->csv.label_column = -1; w->csv.scale = 0.1f;
        sets[0] = csv(w, "1,2,3,4\n3,4,5,6\n1,1,1,1\n");
        w->csv.label_column = 1; w->csv.scale = 0;
        sets[1] = csv(w, "0\n1\n2\n");
        w->fd.validation = gtr_dataset_join(w->ctx, sets, 2);
        w->csv.label_column = -1;
        sets[0] = csv(w, "1,2,3,4\n3,4,5,6\n1,1,1,1\n");
        w->data = gtr_dataset_join(w->ctx, sets, 2);
        fit_three(w);
    }
    MISTAKE("a sample of a table of another scale trains", "validation|scale") {
        w->fd.validation = scaled(w, 0);
        w->data = gtr_dataset_sample(scaled(w, 0.1f), NULL, -1, 12, 7);
        fit_three(w);
    }
    MISTAKE("rows of different lengths of a table of another scale validate", "validation|scale") {
        rows_of_lengths(w, "a,b,c,d\n", 0.1f);
    }
    MISTAKE("rows of different lengths whose features stand in another order validate", "validation|.like") {
        rows_of_lengths(w, "b,a,c,d\n", 0);
    }
    MISTAKE("an evaluation of a table of another scale", "gtr_evaluate|scale") {
        float v;
        scaled(w, 0);
        fit_three(w);
        gtr_evaluate(w->t, scaled(w, 0.1f), 3, NULL, &v, NULL);
    }
    MISTAKE("metrics of a table of another scale", "gtr_evaluate_metrics|scale") {
        scaled(w, 0);
        fit_three(w);
        w->md.scores = w->logits; w->md.labels = w->y;
        gtr_evaluate_metrics(w->t, scaled(w, 0.1f), w->md, &w->out);
    }
    MISTAKE("a second fit with a table of another scale", "gtr_fit|scale") {
        listens(w);
        scaled(w, 0);
        fit_three(w);
        scaled(w, 0.1f);
        fit_three(w);
    }
    MISTAKE("bytes of another scale predicted", "gtr_predict_dataset|scale|0.00392") {
        out[0] = w->value;
        listens(w);
        w->h = gtr_flatten(image(w, 1, 8, 8));
        bytes_scaled(w, 0);
        fit(w);
        w->p = gtr_predictor_create(w->logits, 8);
        gtr_predict_dataset(w->p, bytes_scaled(w, 1), out);
    }
    MISTAKE("bytes of two scales put together", "gtr_dataset_concat|set 1|column 0|scale") {
        sets[0] = bytes_scaled(w, 0);
        sets[1] = bytes_scaled(w, 1);
        gtr_dataset_concat(w->ctx, sets, 2);
    }
    MISTAKE("normalised images put together with such that are not",
        "gtr_dataset_concat|set 1|what becomes of its images") {
        w->aug.mean[0] = 0.5f; w->aug.std[0] = 0.25f;
        sets[0] = bytes_scaled(w, 0);
        gtr_dataset_augment(sets[0], 0, w->aug);
        sets[1] = bytes_scaled(w, 0);
        gtr_dataset_concat(w->ctx, sets, 2);
    }
    MISTAKE("images with channels last put together with channels first", "gtr_dataset_concat|set 1|channels") {
        column(w, 0, wide, GTR_F32, gtr_shape3(3, 3, 3));
        sets[0] = samples(w);
        w->ad.column[0].channels_last = true;
        w->data = NULL;
        sets[1] = samples(w);
        gtr_dataset_concat(w->ctx, sets, 2);
    }
    MISTAKE("columns of two names put together", "gtr_dataset_concat|set 1|\"x\"|\"z\"") {
        w->ad.column[0].name = "x";
        sets[0] = samples(w);
        w->ad.column[0].name = "z";
        w->data = NULL;
        sets[1] = samples(w);
        gtr_dataset_concat(w->ctx, sets, 2);
    }
    MISTAKE("sets of two contexts put together", "gtr_dataset_concat|set 1|context") {
        world v;
        memset(&v, 0, sizeof v);
        v.cd = w->cd;
        sets[0] = samples(w); sets[1] = samples(&v);
        w->other = v.ctx;
        gtr_dataset_concat(w->ctx, sets, 2);
    }
    MISTAKE("an evaluation of images without training's mean", "gtr_evaluate|mean") {
        float v;
        w->h = gtr_flatten(image(w, 1, 8, 8));
        w->aug.mean[0] = 0.5f; w->aug.std[0] = 0.25f;
        augmented(w, gtr_shape3(1, 8, 8));
        fit(w);
        gtr_evaluate(w->t, bytes_scaled(w, 0), 8, NULL, &v, NULL);
    }
    MISTAKE("windows of frames that were normalised", "gtr_dataset_windows|gtr_dataset_augment") {
        w->aug.mean[0] = 0.5f; w->windows.history = 2;
        augmented(w, gtr_shape3(1, 8, 8));
        gtr_dataset_windows(w->data, w->windows);
    }
    MISTAKE("rows of different lengths of frames that were normalised", "gtr_dataset_ragged|gtr_dataset_augment") {
        static const int64_t lengths[2] = { 10, 14 };
        w->aug.mean[0] = 0.5f; w->ragged.lengths = lengths; w->ragged.n_lengths = 2;
        augmented(w, gtr_shape3(1, 8, 8));
        gtr_dataset_ragged(w->data, w->ragged);
    }
    MISTAKE("a text predicted whose characters have other numbers", "gtr_predict_dataset|.like") {
        int32_t ids[64];
        out[0] = ids;
        w->txt.length = 1; w->txt.characters = true; w->fd.batch = 2;
        text_of(w, "text.txt", "cdecdecdecdecde");
        w->x = gtr_input(context(w), "x", GTR_I32, gtr_shape2(GTR_BATCH, 1));
        w->y = gtr_input(w->ctx, "y", GTR_I32, gtr_shape1(GTR_BATCH));
        w->logits = gtr_linear(gtr_reshape(gtr_embedding(w->x, "at", 8, 4), gtr_shape2(GTR_BATCH, 4)), "out", 8);
        fit(w);
        w->p = gtr_predictor_create(gtr_argmax(w->logits, 1), 8);
        gtr_predict_dataset(w->p, text_of(w, "other.txt", "bcdbcdbcdbcd"), out);
    }
    MISTAKE("windows of another history predicted", "(3, 4)|\"x\"|(N, 2, 4)") {
        out[0] = w->value;
        windowed(w);
        w->p = gtr_predictor_create(scores(w), 8);
        w->windows.history = 3;
        gtr_predict_dataset(w->p, gtr_dataset_windows(samples(w), w->windows), out);
    }
    MISTAKE("a folder of images predicted that were not resized", "(2, 2, 1)|\"image\"|(N, 1, 4, 4)") {
        out[0] = w->value;
        w->x = gtr_input(context(w), "image", GTR_F32, gtr_shape4(GTR_BATCH, 1, 4, 4));
        w->h = gtr_flatten(w->x);
        w->p = gtr_predictor_create(scores(w), 8);
        gtr_predict_dataset(w->p, folder_of(w, "small", "ab", "P5 2 2 255 abcd"), out);
    }
    MISTAKE("a file changed to fewer rows between a fit and its resumption", "again.checkpoint|rows|6|3") {
        w->fd.checkpoint = FOLDER "/again.checkpoint";
        scaled(w, 0);
        fit_three(w);
        w->fd.resume = true; w->fd.epochs = 2;
        csv(w, THREE);
        fit_three(w);
    }
}

static void all(void)
{
    RUN(forms_of_tables);
    RUN(other_files_for_tables);
    RUN(names_of_tables);
    RUN(tables_of_models);
    RUN(arrays_of_columns);
    RUN(cuts_of_sets);
    RUN(ragged);
    RUN(texts_of_files);
    RUN(numpy_archives);
    RUN(bytes_of_images);
    RUN(image_folders);
    RUN(augmentations);
    RUN(files_of_models);
    RUN(evaluations);
    RUN(sets_of_sets);
}
static const silence known[] = {
    { "a table of one class alone", "it is right where the others come with .like, or none is told apart" },
    { "labels of one class alone", "it is right for what is made of rows of one class, as GANs are" },
    { "one class alone, so that nothing is told apart", "a folder of one folder is how autoencoders get images" },
    { "a prediction through gtr_standardise without the model", "a mean of 0 and a deviation of 1 may be meant" },
    { "training through gtr_standardise of NULL", "a mean of 0 and a deviation of 1 may be meant" },
    { "photos of which some are .webp, left out", "gtr_dataset_images says that other names are not looked at" },
    { "a picture mirrored and its mask not", "a column of as many pixels may be what has no sides" },
    { "the best r2 where validation's targets are all the same", "r2 is then 0 or 1, as scikit-learn has it" } };
int main(int argc, char **argv)
{
    return mistakes_main(argc, argv, all, known, (int)(sizeof known / sizeof *known));
}
