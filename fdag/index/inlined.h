/* A definition computed where another reads it, in place of an array in memory:
 *
 *   t(i) = f(i) * 2        y(i) = t(i - 1)
 *   y(i) = lower(t) <= i - 1 && i - 1 < upper(t) ? f(i - 1) * 2 : t(i - 1)
 *
 * The read that is left is never inside: it reports the index, and no element of t is computed. */
#ifndef CS_FDAG_INLINED_H
#define CS_FDAG_INLINED_H

#include "../fdag.h"

/* In how many places of a body, which is over these variables, the array is read, if no evaluation of
 * it makes more than one of these reads and no two read the same element because a variable is not
 * asked for it; else 0. */
int fd_reads_once(const FdNode *body, int nvars, const FdNode *const *vars, const FdNode *array);
/* The body with the elements of a let of scalars in place of the reads of an array that it makes. */
const FdNode *fd_inline_reads(Fd *fd, const FdNode *body, const FdNode *array, const FdNode *let);
/* The same where all reads are inside. */
const FdNode *fd_inline_inside(Fd *fd, const FdNode *body, const FdNode *array, const FdNode *let);

#endif
