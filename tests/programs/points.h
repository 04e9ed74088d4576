/* A data set that several programs train on: POOL rows of 6 floats and a class of 3. Behind device.h. */
enum { POOL = 2048, WIDTH = 6, CLASSES = 3 };
static gtr_float pool_x[POOL * WIDTH];
static int32_t pool_y[POOL];
static void pool_fill(void)
{
    uint32_t s = 5;
    int i;
    for (i = 0; i < POOL * WIDTH; i++) pool_x[i] = (gtr_float)noise(&s);
    for (i = 0; i < POOL; i++)
        pool_y[i] = pool_x[WIDTH * i] + pool_x[WIDTH * i + 1] > 0.4f ? 0 : pool_x[WIDTH * i + 2] > 0 ? 1 : 2;
}
static gtr_dataset *points(gtr_context *ctx, int rows)
{
    gtr_arrays_desc a;
    memset(&a, 0, sizeof a);
    a.rows = rows;
    a.column[0].data = pool_x; a.column[0].shape = gtr_shape1(WIDTH);
    a.column[1].data = pool_y; a.column[1].dtype = GTR_I32;
    return gtr_dataset_arrays(ctx, a);
}
/* under the device's sanitizers: two steps a network will do */
static bool few(void) { return small && device == GTR_DEVICE_CUDA; }
