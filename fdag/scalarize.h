/* Graphs over arrays of a few elements, each of which is a number of its own: an element of what they give as
 * arithmetic on these numbers. */
#ifndef CS_FDAG_SCALARIZE_H
#define CS_FDAG_SCALARIZE_H

#include "fdag.h"

/* A number that a scalarized graph asks for: that of a scalar slot, or an element of an array's. */
typedef struct FdAsked {
    int slot;
    int64_t at; /* the element, in the order of memory; 0 of a scalar */
} FdAsked;

/* What is known of the slots of a graph. */
typedef struct FdSmall {
    const FdBox *boxes; /* of an array whose elements are numbers of their own; else of rank 0 */
    const FdNode *const *constants; /* a scalar's value; NULL: it is not known */
} FdSmall;

/* The domain of what g gives, if its bounds are numbers then, and what g says of ranges (FdAgree) holds. */
bool fd_scalarize_box(Fd *fd, const FdGraph *g, const FdSmall *small, FdBox *out);
/* The element of g at this index (NULL of a scalar), with reductions written out and functions in place: a graph of
 * scalars alone (fd_is_arithmetic), whose slots ask for what *asked tells. NULL: it reads what has no box, or outside
 * of one, takes more than `most` operations, or may throw. g, the graph and *asked are in fd's arena. */
FdGraph *fd_scalarize(Fd *fd, const FdGraph *g, const FdSmall *small, const int64_t *index,
                      int most, FdAsked **asked);

#endif
