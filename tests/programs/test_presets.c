/* What a context with a preset reports of a step's memory, beside what the device reports and has in use: 16 networks
   in each precision, as gtr_step and as gtr_fit plan them, of a data set. A line a network: the preset's bytes, the
   device's, what is in use, and the preset's by each; 0: it was not run. The preset is the device's architecture's, or
   the next one below it; where the device has another architecture, other multiprocessors or shared memory (a GPU in
   software, part of one, another model), the preset's context is given the device's, and a line says so. */
#include "private.h"
#include "check.h"
#include "device.h"
#include "../bench/network.h"
#include "halves.h"

typedef struct { const char *name; int64_t batch; bool quick; } row;    /* quick: run in software, too */
static const row rows_of[] = { { "mlp-bn-b512-tf32", 0, false }, { "mlp-small-b128-tf32", 0, true },
    { "cnn-b128-bf16", 0, false }, { "res-gelu-b128-tf32", 0, false }, { "lenet-b256-tf32", 0, false },
    { "mlp-small-b1024-tf32", 0, true }, { "two-heads-b64-tf32", 0, true }, { "vae", 0, false },
    { "attention-b32-tf32", 0, false }, { "lstm64-t16-b32-tf32", 0, true }, { "resnet18-b512-bf16", 64, false },
    { "field-64-2e14-fp16", 0, false }, { "unet-b32-bf16", 8, false }, { "mixer-b128-tf32", 16, false },
    { "ctr-b4096-tf32", 512, false }, { "conv1d-b256-tf32", 0, false } };
static const char *const of_precision[] = { "FP32", "TF32", "BF16", "FP16" };
static bool emulated(void)
{
    gtr_context *ctx = gtr_create(desc0());
    const bool is = strstr(gtr_device_text(ctx), "emulated") != NULL;
    gtr_destroy(ctx);
    return is;
}
static gtr_preset preset_of(int compute)
{
    return compute >= 90 ? GTR_PRESET_SM90 : compute >= 80 ? GTR_PRESET_SM87 : GTR_PRESET_SM75;
}
static workload workload_of(const row *r)
{
    size_t i = 0;
    while (strcmp(table[i].name, r->name)) i++;
    workload w = table[i];
    if (r->batch) w.batch = r->batch;
    w.rows = GTR__LAUNCH_FEW * w.batch;         /* not Fashion-MNIST's; enough for launches of several steps */
    return w;
}
static size_t reported(const network *n, int64_t batch, bool several)
{
    gtr_memory_report r;
    n->trainer->running.several = several;
    EXPECT_EQ(gtr_memory_plan(n->trainer, batch, &r), GTR_OK);
    n->trainer->running.several = false;
    EXPECT_OK(n->ctx);
    return r.total;
}
/* What the device has in use behind steps by hand, or a fit, of a data set, which does not count. */
static size_t in_use(network *n, const workload *w, bool fit)
{
    gtr_fit_desc f;
    int k;
    memset(&f, 0, sizeof f);
    f.epochs = 1; f.batch = w->batch; f.silent = true;
    if (!fit) EXPECT_EQ(gtr_trainer_data(n->trainer, n->data, w->batch, true, true), GTR_OK);
    for (k = 0; k < 3 && !fit; k++) EXPECT_EQ(gtr_step(n->trainer), GTR_OK);
    if (fit) EXPECT_EQ(gtr_fit(n->trainer, n->data, f), GTR_OK);
    EXPECT_EQ(gtr_wait(n->ctx), GTR_OK);
    EXPECT_OK(n->ctx);
    return n->ctx->memory.device_bytes - gtr__resident_bytes(n->ctx);
}
static network network_of(const workload *w, gtr_desc d, gtr_precision precision)
{
    network n = graph_of(w, d);
    n.trainer = gtr_trainer_create(n.loss, trainer_of(w, precision));
    return n;
}
/* Gives the preset's context what the device has otherwise. */
static void as_device(gtr__caps *preset, const gtr__caps *device, bool *said)
{
    gtr__caps to = *device;
    memcpy(to.name, preset->name, sizeof to.name);
    if (memcmp(&to, preset, sizeof to) && !*said)
        printf("%s: compute %d, %d multiprocessors, %zu bytes of shared memory; %s: %d, %d, %zu, and gets these\n",
            device->name, device->compute, device->sm_count, device->shared, preset->name, preset->compute,
            preset->sm_count, preset->shared);
    *said = true;
    EXPECT_EQ(preset->product_workspace, device->product_workspace);
    CHECK(preset->arch_feature == device->arch_feature || preset->compute != device->compute || device->compute == 90,
        "own instructions: %d and %d", preset->arch_feature, device->arch_feature);
    *preset = to;
}
static void device_reports(void)
{
    const bool quick = device == GTR_DEVICE_CUDA && (small || emulated());
    bool said = false;
    int k, p, fit;
    if (device != GTR_DEVICE_CUDA) return;
    for (k = 0; k < (int)(sizeof rows_of / sizeof *rows_of); k++) for (p = GTR_FP32; p <= GTR_MIXED_FP16; p++) {
        const workload w = workload_of(&rows_of[k]);
        if (!check_mine(k)) continue;
        for (fit = 0; fit < 2; fit++) {
            size_t preset, own, use;
            gtr_desc d = desc0();
            network real = network_of(&w, d, (gtr_precision)p), planned;
            if (gtr_error(real.ctx) == GTR_ERR_UNSUPPORTED) { gtr_destroy(real.ctx); continue; }
            d.preset = preset_of(real.ctx->caps.compute);
            planned = graph_of(&w, d);
            as_device(&planned.ctx->caps, &real.ctx->caps, &said);
            planned.trainer = gtr_trainer_create(planned.loss, trainer_of(&w, (gtr_precision)p));
            const bool runs = k % 4 == p && (!quick || rows_of[k].quick);
            EXPECT_EQ(reported(&planned, w.batch, fit), reported(&real, w.batch, fit));     /* of gtr_set's inputs */
            planned.data = data_of(&planned, &w);
            EXPECT_EQ(gtr_trainer_data(planned.trainer, planned.data, w.batch, true, true), GTR_OK);
            preset = reported(&planned, w.batch, fit);
            real.trainer->feeding.data = real.data = data_of(&real, &w); /* gtr_trainer_data takes memory */
            own = reported(&real, w.batch, fit);
            real.trainer->feeding.data = NULL;
            use = runs ? in_use(&real, &w, fit) : 0;
            printf("%-20s %s %s %12zu %12zu %12zu %.3f %.3f\n", w.name, of_precision[p], fit ? "fit " : "step",
                preset, own, use, (double)preset / (double)own, use ? (double)preset / (double)use : 0);
            fflush(stdout);
            EXPECT_EQ(preset, own);
            CHECK(!use || (preset > 0.9 * use && preset < 1.1 * use), "%zu bytes, in use are %zu", preset, use);
            gtr_destroy(real.ctx); gtr_destroy(planned.ctx);
        }
    }
}
/* Every preset's plans are by the table of this build, if it has one, with its figures; without it the bench's networks
   have upper bounds, of it and of one with cuBLASLt. */
static void numbers(void)
{
    static const struct { int compute, sms, kib; } of[] = { { 75, 40, 64 }, { 87, 16, 163 }, { 90, 132, 227 },
        { 86, 72, 99 }, { 89, 128, 99 }, { 100, 148, 227 }, { 110, 20, 227 }, { 120, 170, 99 }, { 121, 48, 99 } };
#ifdef GPUTRAIN_CUDA
    const bool table_there = true;
#else
    const bool table_there = false;
#endif
    int k, i, p, fit;
    for (k = 0; k < (int)(sizeof of / sizeof *of); k++) for (i = 0; i < (int)ROWS; i++) {
        workload w = table[i];
        gtr_desc d;
        if (!check_mine(i) || w.kind != STEP || w.threads) continue;
        w.rows = 1;                             /* nor here */
        memset(&d, 0, sizeof d);
        d.preset = (gtr_preset)(GTR_PRESET_SM75 + k);
        for (p = GTR_FP32; p <= GTR_MIXED_FP16; p++) {
            network n = network_of(&w, d, (gtr_precision)p), without;
            const gtr__caps *caps = &n.ctx->caps;
            const char *text;
            if (gtr_error(n.ctx) == GTR_ERR_UNSUPPORTED) { gtr_destroy(n.ctx); continue; }
            EXPECT(caps->compute == of[k].compute && caps->sm_count == of[k].sms);
            EXPECT_EQ(caps->shared, table_there ? of[k].kib << 10 : 0);
            EXPECT_EQ(caps->arch_feature, table_there && of[k].compute == 90);
            text = gtr_memory_text(n.trainer, w.batch);
            CHECK(!strstr(text, "upper bound") == table_there, "it is %s", text);
            without = graph_of(&w, d);
            without.ctx->be->kernel = gtr__cpu_backend.kernel;
            without.ctx->be->matchers = gtr__cpu_backend.matchers;
            without.ctx->be->n_matchers = gtr__cpu_backend.n_matchers;
            without.ctx->caps.shared = 0;
            without.ctx->caps.product_workspace = (size_t)32 << 20;
            without.trainer = gtr_trainer_create(without.loss, trainer_of(&w, (gtr_precision)p));
            if (table_there && p % 2) n.ctx->caps.product_workspace = (size_t)(of[k].compute >= 90 ? 32 : 4) << 20;
            for (fit = 0; fit < 2; fit++) {
                const size_t by_table = reported(&n, w.batch, fit), most = reported(&without, w.batch, fit);
                CHECK(by_table <= most, "%s, %s, sm_%d, %s: %zu bytes, without the table %zu", w.name, of_precision[p],
                    of[k].compute, fit ? "fit" : "step", by_table, most);
            }
            gtr_destroy(n.ctx); gtr_destroy(without.ctx);
        }
    }
}
/* What is believed of devices, of what their drivers say, is within a tenth of their data sheets: GB/s, dense TFLOP/s
   of float32, TF32 and 16 bits (0: none, or not said). The usual GPUs are the presets, and a driver that says nothing.
   An H200's figures are those that cost models were fitted with. */
static void believed(void)
{
    static const struct {
        const char *name; int compute, sms, clock, memory, bus, integrated; double gbs, fma, tf32, half; bool usual;
    } of[] = {
        { "T4", 75, 40, 1590000, 5001000, 256, 0, 320, 8.1, 0, 65, true },
        { "A100", 80, 108, 1410000, 1512000, 5120, 0, 1935, 19.5, 156, 312, true },
        { "A10", 86, 72, 1695000, 6251000, 384, 0, 600, 31.2, 62.5, 125, true },
        { "AGX Orin", 87, 16, 1300000, 612000, 128, 1, 204.8, 5.3, 0, 0, true },
        { "RTX 4090", 89, 128, 2520000, 10501000, 384, 0, 1008, 82.6, 82.6, 165.2, true },
        { "H100", 90, 132, 1980000, 2619000, 5120, 0, 3350, 66.9, 494.7, 989, false },
        { "H200", 90, 132, 1980000, 3201000, 6144, 0, 4800, 66.9, 494.7, 989, true },
        { "B200", 100, 148, 1965000, 3996000, 8192, 0, 8000, 75, 1125, 2250, true },
        { "Thor", 110, 20, 1575000, 0, 0, 1, 273, 8.1, 0, 0, true },
        { "RTX 5090", 120, 170, 2407000, 14001000, 512, 0, 1792, 104.8, 104.8, 209.5, true },
        { "Spark", 121, 48, 2418000, 0, 0, 1, 273, 31, 0, 0, true } };
    size_t i;
    int k;
    for (i = 0; i < sizeof of / sizeof *of; i++) {
        const gtr__believed r = gtr__believed_of(of[i].compute, of[i].sms, of[i].clock, of[i].memory, of[i].bus,
            of[i].integrated), usual = gtr__believed_of(of[i].compute, 0, 0, 0, 0, false);
        const double got[] = { r.memory, r.fma * r.sms / 1000, r.tf32 * r.sms / 1000, r.half * r.sms / 1000 },
            want[] = { of[i].gbs, of[i].fma, of[i].tf32, of[i].half };
        for (k = 0; k < 4; k++)
            CHECK(want[k] == 0 || fabs(got[k] - want[k]) < 0.1 * want[k], "%s: %g, data sheet: %g", of[i].name, got[k],
                want[k]);
        if (of[i].usual) EXPECT(!memcmp(&r, &usual, sizeof r));
        if (!strcmp(of[i].name, "H200"))
            EXPECT(r.launch_ns == 2000 && r.clock_x == 1 && r.memory_x == 1 && r.l2_x == 1 && r.fma_x == 1);
    }
    for (k = GTR_PRESET_SM75; k <= GTR_PRESET_SM121; k++) {
        gtr_desc d;
        gtr_context *ctx;
        char line[64];
        memset(&d, 0, sizeof d);
        d.preset = (gtr_preset)k;
        ctx = gtr_create(d);
        snprintf(line, sizeof line, "believed: launch %.2f us, %.0f GB/s", ctx->caps.believed.launch_ns / 1000,
            ctx->caps.believed.memory);
        CHECK(strstr(gtr_environment_text(ctx), line) != NULL, "%s: %s", line, gtr_environment_text(ctx));
        gtr_destroy(ctx);
    }
}
/* .max_sm holds for a preset as for a device. */
static void fewer(void)
{
    gtr_desc d;
    gtr_context *ctx;
    memset(&d, 0, sizeof d);
    d.preset = GTR_PRESET_SM90; d.max_sm = 8;
    ctx = gtr_create(d);
    EXPECT_EQ(ctx->caps.sm_count, 8);
    gtr_destroy(ctx);
}
/* A data set that does not fit is refused for a preset's trainer as for another; reports are of steps that one feeds,
   and nothing is run. */
static void fed(void)
{
    const workload w = workload_of(&rows_of[1]);
    gtr_desc d = desc0();
    network real = network_of(&w, d, GTR_FP32), n;
    gtr_memory_report r[2];
    memset(&d, 0, sizeof d);
    d.preset = GTR_PRESET_CPU;
    n = network_of(&w, d, GTR_FP32);
    n.data = data_of(&n, &w); real.data = data_of(&real, &w);
    EXPECT_EQ(gtr_trainer_data(n.trainer, NULL, 0, false, false), GTR_OK);
    EXPECT_EQ(gtr_trainer_data(n.trainer, real.data, w.batch, true, true), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "another context");
    EXPECT_EQ(gtr_trainer_data(n.trainer, n.data, w.rows + 1, true, true), GTR_ERR_ARG);
    EXPECT_ERROR(n.ctx, GTR_ERR_ARG, "a batch of");
    EXPECT_EQ(gtr_trainer_data(n.trainer, gtr_dataset_windows(n.data, (gtr_windows_desc){ .history = 2, .target = 2 }),
        w.batch, true, true), GTR_ERR_SHAPE);
    EXPECT_ERROR(n.ctx, GTR_ERR_SHAPE, "");
    EXPECT_EQ(gtr_trainer_data(n.trainer, n.data, w.batch, true, true), GTR_OK);
    EXPECT_EQ(gtr_trainer_data(real.trainer, real.data, w.batch, true, true), GTR_OK);
    EXPECT_EQ(gtr_memory_plan(n.trainer, w.batch, &r[0]), GTR_OK);
    EXPECT_EQ(gtr_memory_plan(real.trainer, w.batch, &r[1]), GTR_OK);
    EXPECT_EQ(r[0].total, r[1].total);
    EXPECT(gtr_largest_batch(n.trainer, (size_t)1 << 28) == gtr_largest_batch(real.trainer, (size_t)1 << 28));
    EXPECT(n.trainer->feeding.data == n.data && gtr_plan_text(n.trainer, w.batch)[0]);
    EXPECT_EQ(gtr_step(n.trainer), GTR_ERR_STATE);
    EXPECT_ERROR(n.ctx, GTR_ERR_STATE, "preset");
    gtr_dataset_destroy(n.data);
    EXPECT(!n.trainer->feeding.data);
    EXPECT_OK(n.ctx); EXPECT_OK(real.ctx);
    gtr_destroy(n.ctx); gtr_destroy(real.ctx);
}

/* Of one replica some networks' plans have updates in the same node as gradients, and gradients as lookups; of two none
   has, and a chain still takes what is left of the sum. */
static void replicas(void)
{
    static const char *const names[] = { "mlp-small-b128-tf32", "mlp-deep-b32-tf32", "ctr-b4096-tf32", "vae",
        "chain4-b128-bf16", "two-heads-b64-tf32", "mlp-small-b1024-tf32", "field-64-fp16" };
    int spans[2] = { 0, 0 }, lookups[2] = { 0, 0 }, nodes[3] = { 0, 0, 0 };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) for (int k = 0; k < 6; k++) {
        const row r = { names[i], 0, true };
        const workload w = workload_of(&r);
        gtr_desc d;
        memset(&d, 0, sizeof d);
        d.preset = GTR_PRESET_SM90;
        network n = network_of(&w, d, w.precision);
        const int of = k % 2, chains = k / 2 - 1; /* never, where it pays, at any cost */
        *(i % 2 ? &n.ctx->replicas.devices : &n.ctx->replicas.ranks) = 1 + of;
        n.ctx->caps.chains = chains;
        n.trainer->running.several = chains == 0; /* as gtr_fit plans */
        const gtr__plan *p = &gtr__observed(n.trainer, w.batch, false, "replicas")->plan;
        CHECK(!of || (!spans_halves(p) && !has_lookups(p)), "%s, chains %d", w.name, chains);
        spans[of] += spans_halves(p);
        lookups[of] += has_lookups(p);
        if (i == 1 && of) nodes[chains + 1] = p->n_node;
        EXPECT_OK(n.ctx);
        gtr_destroy(n.ctx);
    }
    CHECK(spans[0] > 2 && lookups[0] > 2 && nodes[1] < nodes[0] / 4, "%d plans span, %d have lookups; %d nodes, %d "
        "without chains", spans[0], lookups[0], nodes[1], nodes[0]);
}
static void all(void)
{
    if (device == GTR_DEVICE_CPU) { RUN_IN_PARTS(numbers); RUN(believed); RUN(fewer); RUN(fed); }
    if (device == GTR_DEVICE_CUDA) RUN(replicas); /* which has the GPU's matchers */
    RUN_IN_PARTS(device_reports);
}
int main(int argc, char **argv)
{
    check_begin(argc, argv);
    small = getenv("GTR_TEST_SMALL") != NULL;
    check_devices(all, &device);
    return check_done();
}
