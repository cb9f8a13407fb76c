/* Elements of a definition's last dimension, of which there are two to four, side by side: one value of all variables but
 * the last is a row.
 *
 *   q(i, c) = c == 0 ? x * p(i, 0) - y * p(i, 1) : y * p(i, 0) + x * p(i, 1)          c in 0..2
 *   q(i)    = make(x * p(i, 0) - y * p(i, 1), y * p(i, 0) + x * p(i, 1))
 *
 * Lanes are rows then: what asks for the element's number is decided, sums over so few values are written out, and what
 * elements share is computed once. */
#ifndef CS_FDAG_ABREAST_H
#define CS_FDAG_ABREAST_H

#include "../fdag.h"

enum { FD_ABREAST = 4 };

/* How many elements the range may have: a number known now, or 0: where `lo` is 0 and `hi` is `length`. */
int64_t fd_abreast_length(const FdDom *last);
/* A record of the elements of a row, of which there are `length`, or of a body that makes a record one of such; NULL:
 * there is no such form, or it is too large. The
 * ends of a last range that is not known are taken to be 0 and `length`, and so are those of sums over that range. */
const FdNode *fd_abreast(Fd *fd, int nvars, const FdNode *const *vars, const FdDom *doms,
                         const FdNode *body, int64_t length);
/* Does something in the body make it likely that the last range has few elements: known last indices, sums over a row or
 * over short last indices, or what all of a row share? */
bool fd_abreast_told(int nvars, const FdNode *const *vars, const FdDom *doms, const FdNode *body);

#endif
