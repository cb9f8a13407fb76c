/* Several functions by one evaluation: a graph of the runtime's own whose results they all are. */
#ifndef CS_RUNTIME_JOIN_H
#define CS_RUNTIME_JOIN_H

#include "../lazy/lazy.h"

/* The graph over so many functions: fd_results if they are alike in their ranges, else fd_arrays. NULL with
 * an exception pending. */
Graph *join_graph(int n, Lazy *const *functions, bool alike, const CsSite *site);

#endif
