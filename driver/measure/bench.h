/* csc bench: times functions with [Bench]. */
#ifndef CS_DRIVER_BENCH_H
#define CS_DRIVER_BENCH_H

#include "../options.h"

int bench(const Options *o); /* the process's exit code */

#endif
