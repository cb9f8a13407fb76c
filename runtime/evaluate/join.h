/* Several functions by one evaluation: a graph of the runtime's own whose results they all are (fd_arrays). */
#ifndef CS_RUNTIME_JOIN_H
#define CS_RUNTIME_JOIN_H

#include "lazy.h"

/* NULL with an exception pending. */
const Graph *join_graph(int n, Lazy *const *functions, const CsSite *site);

#endif
