/* The library alone, for test programs that have its declarations only. */
#define GPUTRAIN_IMPLEMENTATION
#include "../gputrain.h"
