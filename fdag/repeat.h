/* Recurrences of which one slice is asked for: a step is repeated, and only the slices that it reads are kept.
 *
 *   let(i, j) d(n, i, j)   with   rec d(k, i, j) = k == 0 ? a(i, j) : min(d(k - 1, i, j), ..)
 *   step  let(i, j) k == 0 ? a(i, j) : min(s(i, j), ..)        slots: those of the graph, k, s
 *   later let(i, j) min(s(i, j), ..)                           the same, of the steps behind the first
 *   rest  let(i, j) s(i, j)                                    slots: those of the graph, s
 */
#ifndef CS_FDAG_REPEAT_H
#define CS_FDAG_REPEAT_H

#include "fdag.h"

enum { FD_REPEAT_LAGS = 4 };

typedef struct FdRepeat {
    int lags;                   /* slices before its own that a step reads */
    const FdNode *first, *last; /* closed: the least k, and that of the slice that is asked for.. */
    const FdNode *end;          /* ..which has to be before this one */
    FdGraph *step;  /* slots: those of g, k (int), then `lags` slices, the newest first */
    FdGraph *later; /* what step is from first + lags on */
    FdGraph *rest;  /* what g is over the last slice; slots: those of g, that slice */
} FdRepeat;

/* Is g made of one recurrence, which goes back along its first variable only, at one place along that variable? */
bool fd_repeat(Fd *fd, const FdGraph *g, FdRepeat *out);

#endif
