/* What an evaluation reads of a function of the host, or of the array that its values go into: by interval
 * arithmetic over the ranges of the composed graph, before anything is evaluated. */
#ifndef CS_RUNTIME_NEED_H
#define CS_RUNTIME_NEED_H

#include "compose.h"

typedef struct Need {
    bool read; /* at all */
    FdBox box; /* full: any index; else [lo, hi) */
} Need;

/* One a slot of the graph; those of slots that are no closures stay unread. */
void needs_of(const Composed *c, const FdEnv *env, const RtLeaf *leaves, Need *needs);

/* Of a graph with FdGraph.into: is each read of that array either of the element that is computed, or outside
 * the root's ranges? */
bool needs_apart(const Composed *c, const FdEnv *env);

#endif
