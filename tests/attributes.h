/* What gputrain.h includes behind gtr__attr with -DGTR__ATTR_APART, where the members of attributes lie apart: of a
   tensor, a node and a call, all are overwritten but the one that its op has, as this table says. An op that reads
   another's member computes wrong numbers, or crashes, so that each test finds it. */
#include <stddef.h>
#include <string.h>

/* X(op, member); element-wise ops have ew. */
#define GTR__ATTR_TABLE(X) \
    X(PART, count) X(RESHAPE, shape) X(STOP_GRADIENT, shape) X(WIDEN, shape) \
    X(MATMUL, product) X(LINEAR, product) X(LINEAR_ACT, product) X(LINEAR_DACT, product) \
    X(PERMUTE, dims) X(CONCAT, along) X(SLICE, slice) X(ARGMAX, along) X(CUMSUM, along) X(SORT, sort) \
    X(TAKE, take) X(GATHER, along) X(SCATTER_ADD, count) X(ONE_HOT, count) \
    X(CONV, window) X(MAX_POOL, window) X(AVG_POOL, window) X(UPSAMPLE, window) \
    X(SUM, reduce) X(MEAN, reduce) X(LOGSUMEXP, reduce) X(MAX, reduce) X(MIN, reduce) X(PROD, reduce) \
    X(VAR, reduce) X(NORM, reduce) X(SOFTMAX, softmax) X(LOG_SOFTMAX, softmax) X(SOFTMAX_MASK, softmax) \
    X(RECURRENCE, recurrence) X(ATTENTION, attention) X(ATTENTION_PACKED, attention) \
    X(DROPOUT, draw) X(RANDOM, draw) \
    X(BATCH_NORM, norm) X(GROUP_NORM, norm) X(LAYER_NORM, norm) X(RMS_NORM, norm) \
    X(ACCURACY, loss) X(CROSS_ENTROPY, loss) X(NLL, loss) X(CTC, ctc) X(DIVISOR, loss) X(TALLY, loss) \
    X(XENT_STEP, loss) X(PAIR_STEP, loss) X(FILL, fill) \
    X(BN_COMMIT, commit) X(STATE_COMMIT, commit) \
    X(CUSTOM, ptr) X(FEED, ptr) X(GUARD, ptr) X(UPDATE, ptr) X(REPORT, report) X(SUBGRAPH, subgraph)

#ifdef __GNUC__
__attribute__((unused))
#endif
static void gtr__attr_spoil(gtr__op op, gtr__attr *attr)
{
    char *const bytes = (char *)attr;
    size_t at = 0, size = 0;
#define GTR__ATTR_CASE(ID, member) \
    case GTR__OP_##ID: at = offsetof(gtr__attr, member); size = sizeof attr->member; break;
#define GTR__ATTR_ELEMENTS(ID, ...) GTR__ATTR_CASE(ID, ew)
    switch (op) {
    GTR__ATTR_TABLE(GTR__ATTR_CASE) GTR__UNARY(GTR__ATTR_ELEMENTS) GTR__BINARY(GTR__ATTR_ELEMENTS)
    default: break;
    }
    memset(bytes, 0xa5, at);
    memset(bytes + at + size, 0xa5, sizeof *attr - at - size);
}
#define GTR__ATTR_OWN(op, attr) gtr__attr_spoil(op, attr)
