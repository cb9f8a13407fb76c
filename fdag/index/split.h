/* Variables that a body divides by a number, as two: the quotient and the remainder. What is read in blocks moves evenly
 * then, and factors that know one of the two alone are a product's rows or columns.
 *
 *   r(i)    = sum(y : 0..8, d(i % 8, y) * p(i / 8 * 8 + y))         i in 0..n
 *   r(q, s) = sum(y : 0..8, d(s, y) * p(q * 8 + y))                 q in 0..n / 8, s in 0..8
 *
 * Where n is divisible by 8, memory has the elements of both in one order. */
#ifndef CS_FDAG_SPLIT_H
#define CS_FDAG_SPLIT_H

#include "../fdag.h"

typedef struct FdSplit {
    int nvars;
    const FdNode *vars[FD_MAX_RANK], *of[FD_MAX_RANK]; /* of: what each is or is a part of */
    FdDom doms[FD_MAX_RANK];
    const FdNode *body;
    int first; /* of the variables before, how many come before one that is split */
    int nlengths;
    const FdNode *lengths[FD_MAX_RANK]; /* each is to be divisible by the number beside it */
    int64_t by[FD_MAX_RANK];
} FdSplit;

/* False: it divides no variable whose range is closed and begins at 0, or there would be too many. */
bool fd_split(Fd *fd, int nvars, const FdNode *const *vars, const FdDom *doms, const FdNode *body,
              FdSplit *out);

#endif
