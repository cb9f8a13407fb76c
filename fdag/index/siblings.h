/* Siblings: elements of a definition's last dimension, of which there are a few, known now, and which are sums over
 * the same long range.
 *
 *   a(i, c) = sum(j, w(i, j) * (p(j, c) - p(i, c)))          c in 0..3
 *
 * They are taken side by side, so that what does not use c, w(i, j), is computed once for all of them where it is used:
 * storing it would cost more. */
#ifndef CS_FDAG_SIBLINGS_H
#define CS_FDAG_SIBLINGS_H

#include "../fdag.h"

enum { FD_SIBLINGS = 4 };

/* The variable; NULL: the definition has no such form. */
const FdNode *fd_sibling(int nvars, const FdNode *const *vars, const FdDom *doms,
                         const FdNode *body);

#endif
