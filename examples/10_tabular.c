/* A table as people have it, a CSV file with a header, strings and holes: which species is a penguin, by its measures,
   and what does it weigh? It shows columns by name, categories, missing values, features standardised by what is saved
   with the model, a stratified split, early stopping, metrics of classes and of targets, and another table predicted in
   a context that knows nothing but the model's file. `make tabular` runs it; by hand:
     cc -O3 -march=native examples/10_tabular.c -o tabular -lm -pthread && ./tabular
     nvcc -O3 -Xcompiler -march=native -DGPUTRAIN_CUDA examples/10_tabular.c
     gputrain_cuda.cu -o tabular
   Arguments: the CSV (examples/penguins.csv), where the model goes (build/penguins.safetensors), the seed (0).
   Data: A. Horst, A. Hill and K. Gorman, "palmerpenguins: Palmer Archipelago (Antarctica) penguin data", 2020, from
   K. Gorman, T. Williams and W. Fraser, PLoS ONE 9(3), 2014; penguins.csv as the PyPI package palmerpenguins 0.1.6 has
   it, CC0. Done when of the penguins that were held back at least 0.92 are named rightly, 0.85 of the variance of their
   masses is explained, and the one typed in here is what it was. */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
#include <stdio.h>
#include <stdlib.h>

static gtr_desc desc;
static gtr_trainer_desc how;

/* Ends a context; 1 if it met an error or value is less than wanted. */
static int failed(gtr_context *ctx, const char *what, double value, double wanted)
{
    const int bad = gtr_error(ctx) != GTR_OK;
    if (bad) fprintf(stderr, "%s\n", gtr_error_text(ctx));
    else printf("%s %.3f, wanted %.2f\n", what, value, wanted);
    gtr_destroy(ctx);
    return bad || !(value >= wanted);
}

/* Bill's length and depth and flipper's length (mm), mass (g) -> a logit of each species. data NULL: to be loaded. */
static gtr_tensor *species_of(gtr_context *ctx, const gtr_dataset *data)
{
    gtr_tensor *x = gtr_input(ctx, "measures", GTR_F32, gtr_shape2(GTR_BATCH, 4));
    gtr_tensor *h = gtr_relu(gtr_linear(gtr_standardise(x, "norm", data, 0), "fc1", 16));
    return gtr_linear(h, "fc2", 3);
}

/* What a program that uses the model is: the network, its file, the table; what fills holes, scales and names comes
   with the model, and columns may stand in any order. */
static int predict(const char *model, const char *table)
{
    static gtr_csv_desc csv;
    gtr_context *ctx = gtr_create(desc);
    gtr_predictor *p = gtr_predictor_create(gtr_softmax(species_of(ctx, NULL), 1), 64);
    gtr_dataset *birds = NULL;
    float chance[2][3] = { { 0 } };
    void *out[1] = { chance };
    int r, k;

    csv.header = csv.model = true;
    if (!gtr_load(ctx, model)) birds = gtr_dataset_csv(ctx, table, csv);
    if (birds && gtr_predict_dataset(p, birds, out)) fprintf(stderr, "%s\n", gtr_predictor_error_text(p));
    for (r = 0; r < gtr_dataset_rows(birds); r++) for (k = 0; k < 3; k++) {
        const char *const keys[3] = { "species.0", "species.1", "species.2" };
        printf("%s %.3f%s", gtr_note(ctx, keys[k]), chance[r][k], k < 2 ? ", " : "\n");
    }
    gtr_predictor_destroy(p);
    return failed(ctx, "a Chinstrap typed in: chance", chance[0][1], 0.5);
}

static int classify(const char *path, const char *model)
{
    static gtr_csv_desc csv;
    static gtr_fit_desc fit;
    static gtr_metrics m;
    const char *const typed = "build/birds.csv";
    FILE *f = fopen(typed, "w");
    gtr_context *ctx = gtr_create(desc);
    gtr_dataset *data, *held;
    gtr_tensor *species = gtr_input(ctx, "species", GTR_I32, gtr_shape1(GTR_BATCH));
    gtr_trainer *trainer;

    /* the first as a Chinstrap may be, none of the table is; the second was not weighed */
    if (!f || fputs("ring,body_mass_g,flipper_length_mm,bill_length_mm,bill_depth_mm\nA7,3700,195,48,18.5\n"
        "B2,,210,46,14\n", f) < 0 || fclose(f)) return 1;
    csv.header = true;
    csv.columns = "bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g";
    csv.label = "species";                                  /* strings: classes, in their order */
    csv.missing = GTR_MISSING_MEDIAN;                       /* stands for what was not measured */
    data = gtr_dataset_csv(ctx, path, csv);
    held = gtr_dataset_split_random(data, 0.2f, 1, gtr_dataset_column(data, "species"));    /* as many of each class */

    fit.metrics.scores = species_of(ctx, data);
    fit.metrics.labels = species;
    fit.validation = held;
    fit.epochs = 200;
    fit.patience = 10;
    fit.restore_best = true;
    trainer = gtr_trainer_create(gtr_cross_entropy(fit.metrics.scores, species), how);
    gtr_fit(trainer, data, fit);
    if (!gtr_evaluate_metrics(trainer, held, fit.metrics, &m)) printf("%s", m.text);

    if (gtr_save(ctx, model) || predict(model, typed)) return failed(ctx, "prediction", 0, 1);
    return failed(ctx, "species: accuracy", m.value[GTR_METRIC_ACCURACY], 0.92);
}

static int weigh(const char *path)
{
    static gtr_csv_desc csv;
    static gtr_fit_desc fit;
    static gtr_metrics m;
    gtr_context *ctx = gtr_create(desc);
    gtr_dataset *data, *held;
    gtr_tensor *x, *species, *sex, *mass, *h, *in[3];
    gtr_trainer *trainer;

    csv.header = true;
    csv.columns = "bill_length_mm,bill_depth_mm,flipper_length_mm";
    csv.categories = "species,sex";
    csv.label = "body_mass_g";
    csv.regression = true;
    csv.missing = GTR_MISSING_DROP;                         /* who has a hole, of sex and mass too, is left out */
    data = gtr_dataset_csv(ctx, path, csv);
    held = gtr_dataset_split_random(data, 0.2f, 1, 1);      /* as many of each species */

    x = gtr_input(ctx, "measures", GTR_F32, gtr_shape2(GTR_BATCH, 3));
    species = gtr_input(ctx, "species", GTR_I32, gtr_shape1(GTR_BATCH));
    sex = gtr_input(ctx, "sex", GTR_I32, gtr_shape1(GTR_BATCH));
    mass = gtr_input(ctx, "body_mass_g", GTR_F32, gtr_shape2(GTR_BATCH, 1));
    in[0] = gtr_standardise(x, "norm", data, 0);
    in[1] = gtr_one_hot(species, gtr_dataset_categories(data, 1));
    in[2] = gtr_one_hot(sex, gtr_dataset_categories(data, 2));
    h = gtr_relu(gtr_linear(gtr_concat(in, 3, 1), "fc1", 16));
    h = gtr_linear(h, "fc2", 1);
    trainer = gtr_trainer_create(gtr_mse(h, gtr_standardise(mass, "mass", data, 3)), how);

    h = gtr_unstandardise(h, "mass");                       /* grams */
    fit.metrics.scores = h;
    fit.metrics.labels = mass;
    fit.monitor = GTR_METRIC_MAE;
    fit.validation = held;
    fit.epochs = 200;
    fit.patience = 10;
    fit.restore_best = true;
    gtr_fit(trainer, data, fit);
    if (!gtr_evaluate_metrics(trainer, held, fit.metrics, &m)) printf("%s", m.text);
    return failed(ctx, "mass: r2", m.value[GTR_METRIC_R2], 0.85);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "examples/penguins.csv";
    int bad;
    desc.seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    how.optimizer = GTR_ADAM;
    how.lr = 1e-2f;
    bad = classify(path, argc > 2 ? argv[2] : "build/penguins.safetensors");
    return weigh(path) || bad;
}
