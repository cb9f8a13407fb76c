/* Values that csc tune found, beside the source. */
#ifndef CS_DRIVER_TUNED_H
#define CS_DRIVER_TUNED_H

#include "../../base/arena.h"
#include "../options.h"

/* FILE.tune, of FILE.cs$. */
const char *tuned_path(const Options *o, Arena *a);
/* *tuned: HostOptions.tuned. False after a message. */
bool tuned_load(const Options *o, Arena *a, const char **tuned);
/* Of the evaluation of a graph. */
CgOptions tuned_options(const Options *o, const char *tuned, FdKey graph, Arena *a);

#endif
