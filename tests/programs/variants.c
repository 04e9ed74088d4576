/* The networks whose kernels variants.cpp counts: rows of the benchmark's table, and two more. Each is planned as
   its first step would be, for a GPU of compute capability 9.0 that is not there. */
#define GPUTRAIN_IMPLEMENTATION
#define GPUTRAIN_CUDA
#include "../../gputrain.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../bench/network.h"

static const workload own[] = {
    { "elementwise", STEP, "floats:64 linear:1000 dup sin scale:2 over tanh mul softplus dup gelu add swap relu mul "
      "floats:1000 mse", .batch = 256, TF32_ROW },
    { "norms", STEP, "floats:64 linear:256", .batch = 256, TF32_ROW },      /* and what has no word */
};
static void norms(network *n)
{
    gtr_tensor *y = gtr_input(n->ctx, "y", GTR_F32, gtr_shape2(GTR_BATCH, 64));
    gtr_tensor *h = gtr_layer_norm(n->loss, "ln1", 1, 0);
    h = gtr_softmax(gtr_linear(gtr_gelu(h), "fc2", 64), -1);
    n->loss = gtr_mse(gtr_layer_norm(gtr_linear(h, "fc3", 64), "ln2", 1, 0), y);
}
int plan_network(const char *name, gtr_result (*prepare)(void *const *instances, gtr__plan *plan, void **exec));
/* Hands the plan to prepare. 0: it was; 1: it could not be made, and it is printed why; 2: no kernels can be had. */
int plan_network(const char *name, gtr_result (*prepare)(void *const *instances, gtr__plan *plan, void **exec))
{
    gtr_desc d;
    gtr__caps caps;
    gtr__backend be = *GTR__CUDA_SYMBOL();
    const workload *w = NULL;
    size_t i;
    for (i = 0; i < ROWS; i++) if (!strcmp(table[i].name, name)) w = &table[i];
    for (i = 0; i < sizeof own / sizeof *own; i++) if (!strcmp(own[i].name, name)) w = &own[i];
    if (!w) { printf("%s is no network\n", name); return 1; }
    memset(&d, 0, sizeof d);
    d.preset = GTR_PRESET_SM90;
    network n = graph_of(w, d);
    if (!strcmp(name, "norms")) norms(&n);
    unsetenv("GPUTRAIN_KERNEL_LIST");       /* that lists kernels for many batches */
    gtr_trainer *t = gtr_trainer_create(n.loss, trainer_of(w, w->precision));
    if (gtr_trainer_prepare(t, w->batch)) { printf("%s: %s\n", name, gtr_error_text(n.ctx)); return 1; }
    setenv("GPUTRAIN_KERNEL_LIST", "none", 1);
    setenv("GPUTRAIN_KERNEL_ARCHS", "90a", 1);
    gtr_context of = *n.ctx;
    void *instance = be.lists(&n.ctx->host, 0, &caps);
    if (!instance) return 2;
    be.prepare = prepare;
    *of.be = be; of.caps = caps; of.preset = false;
    for (i = 0; i < GTR__MAX_STAGES; i++) of.instance[i] = instance;
    gtr__list_plan(&of, n.ctx->cache.newest, n.ctx->cache.newest->recipe, false);
    gtr_destroy(n.ctx);
    return 0;
}
