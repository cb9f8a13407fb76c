/* What tests of graphs begin with. */
#ifndef FDAG_GRAPH_H
#define FDAG_GRAPH_H

#include <check.h>

#include "../../../fdag/fdag.h"

static const char *const matmul = "%0 = slot 0 \"a\" : array float(int, int)\n"
                                  "%1 = slot 1 \"b\" : array float(int, int)\n"
                                  "%2 = var \"j\" : int\n"
                                  "%3 = var \"k\" : int\n"
                                  "%4 = var \"l\" : int\n"
                                  "%5 = apply %0 (%2, %4) : float @4:20\n"
                                  "%6 = apply %1 (%4, %3) : float @4:30\n"
                                  "%7 = apply @mul (%5, %6) : float @4:28\n"
                                  "%8 = reduce @add (%4 : open) %7 : float @4:15\n"
                                  "%9 = let (%2 : open, %3 : open) %8 : float(int, int) @4:5\n"
                                  "result %9\n";

/* u(i - 1) + u(i + 1) */
static const char *const neighbours =
    "%0 = slot 0 \"u\" : array float(int)\n%1 = var \"i\" : int\n"
    "%2 = const 1 : int\n%3 = apply @sub (%1, %2) : int\n"
    "%4 = apply @add (%1, %2) : int\n%5 = apply %0 (%3) : float\n"
    "%6 = apply %0 (%4) : float\n%7 = apply @add (%5, %6) : float\n"
    "%8 = let (%1 : open) %7 : float(int)\nresult %8\n";

static inline FdGraph *read_graph(Fd *fd, const char *text)
{
    const char *why;
    FdGraph *g = fd_read(fd, text, &why);
    ck_assert_msg(g != NULL, "%s", why);
    return g;
}

static inline bool same_key(FdKey a, FdKey b)
{
    return a.hi == b.hi && a.lo == b.lo;
}

static inline FdKey key_of(const char *text)
{
    Fd *fd = fd_new();
    FdGraph *g = read_graph(fd, text);
    FdKey k = fd_key(fd, g, NULL);
    fd_free(fd);
    return k;
}

#endif
