/* The library with its private names, for tests: the whole of it, or, of GTR_TEST_LINKED, declarations alone, for a
   program that is linked with build/library.c, compiled once (private.awk makes both of gputrain.h). */
#ifdef GTR_TEST_LINKED
#include "../../build/private.h"
#else
#define GPUTRAIN_IMPLEMENTATION
#include "../../gputrain.h"
#endif
