/* A backend whose copy to or from the device fails once, after copies_left of them. Behind gputrain.h's
   implementation. */
static int copies_left;
static gtr_result (*real_copy)(void *instance, void *dst, const void *src, size_t bytes, gtr__copy kind, bool wait);
static gtr_result bad_copy(void *instance, void *dst, const void *src, size_t bytes, gtr__copy kind, bool wait)
{
    if (copies_left-- == 0) return GTR_ERR_NOMEM;
    return real_copy(instance, dst, src, bytes, kind, wait);
}
