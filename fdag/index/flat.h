/* The last two variables of a definition as one, where its reads go along both as its elements do:
 * then neighbours in memory are neighbours in one variable, however short the last one's range is.
 *
 *   r(i, j, c) = f(i, min(j + 1, n - 1), c)        pixels with their channels side by side
 *   r(i, x)    = f'(i, min(q + 1, n - 1) - q, x)   q = x / channels, x in 0..columns * channels
 *
 * f' is f read flat: its last index goes on through all of the last two dimensions, the one before
 * says how many rows of the last are added; both are inside because f's were. Where n - 1 does nothing
 * the read is f'(i, 1, x). */
#ifndef CS_FDAG_FLAT_H
#define CS_FDAG_FLAT_H

#include "../fdag.h"

enum { FD_FLAT_ARRAYS = 8 };

typedef struct FdFlat {
    const FdNode *plain; /* the body as it was, less what equal ranges decide */
    int nvars;
    const FdNode *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    const FdNode *body;
    const FdNode *old[2], *value[2]; /* the two variables, and what they are in the one */
    int narrays;
    const FdNode
        *arrays[FD_FLAT_ARRAYS]; /* whose last dimensions are to be the last variable's range */
} FdFlat;

/* False: reads move otherwise. The last range is to have an element, each array's last dimension to be
 * that range, and no read outside may be made. */
bool fd_flat(Fd *fd, int nvars, const FdNode *const *vars, const FdDom *doms, const FdNode *body,
             FdFlat *out);
/* Reads of arrays at a few last indices that are known now, flat: so far from each other as the last dimension is long,
 * which is known, too.
 *
 *   r(i, j) = p(i, j, 0) + p(i, j, 2)                 channels of pixels, coordinates of points
 *   r(i, j) = p'(i, 0, 3 * j) + p'(i, 0, 3 * j + 2)   where the last dimension of p has three elements, from 0 on */
typedef struct FdNear {
    const FdNode *body;
    int narrays;
    const FdNode *arrays[FD_FLAT_ARRAYS];
    int64_t length[FD_FLAT_ARRAYS]; /* of the last dimension: as many as it is read at */
} FdNear;

/* False: there are no such arrays. No read outside may be made. */
bool fd_near(Fd *fd, const FdNode *body, FdNear *out);
/* Conditions on the variables as they were, in place: how many of them boxes can have, which are those
 * without the last variable. */
int fd_flat_conditions(Fd *fd, const FdFlat *flat, int n, const FdNode **conds);
/* Is the one variable v anywhere but in the last index of flat reads, that is, divided? Then there is
 * no form in lanes: vectors do not divide, and what guards that are left keep inside has no checks. */
bool fd_flat_apart(const FdNode *n, const FdNode *v);
/* Is it an array that is read flat, and this one of the dimensions that are inside? */
bool fd_is_flat(const FdNode *array, int dim);
/* Is it the one variable? It is not negative, nor is what divides it. */
bool fd_is_flat_var(const FdNode *v);

#endif
