/* For gtr__caps.without: the bit of a matcher of this name. Behind gputrain.h's implementation. */
#define LAST_LAYER "product + loss + product dx"
static uint32_t matcher_bit(const gtr_context *ctx, const char *name)
{
    gtr__matcher m;
    int i;
    for (i = 0; i < ctx->be->n_matchers; i++)
        if (!strcmp(gtr__matcher_of(ctx->be, i, &m), name)) return (uint32_t)1 << i;
    return 0;
}
