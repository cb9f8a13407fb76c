/* The affine form of an integer expression, factor * atom + .. + constant: the one analysis of
 * indices. How a read moves with a variable, whether it stays inside, which values it can have and
 * which of two points comes first are questions to it.
 *
 * Atoms are variables and whatever is no sum: slots, their bounds, reads, products of variables,
 * casts to other types than int and long. int and long arithmetic counts as exact: an index fits.
 */
#ifndef CS_FDAG_AFFINE_H
#define CS_FDAG_AFFINE_H

#include "../fdag.h"

enum { FD_AFFINE_TERMS = 16 };

typedef struct FdAffine {
    int nterms;
    struct {
        const FdNode *atom;
        int64_t factor; /* not 0 */
    } terms[FD_AFFINE_TERMS];
    int64_t constant;
} FdAffine;

/* The form of n. False if it has too many terms or a factor overflows; *out is then of no use. */
bool fd_affine(const FdNode *n, FdAffine *out);
/* Adds factor * n; false as above. */
bool fd_affine_add(FdAffine *a, const FdNode *n, int64_t factor);
/* The factor of variable v, 0 if it does not occur; false if it occurs inside another atom too. */
bool fd_affine_factor(const FdAffine *a, const FdNode *v, int64_t *factor);

/* How often a sum holds what it is divided by, as a guess of x / y: i + n - 1 holds n once, i + 63 of 64 values
 * about once. 0: it does not, or it cannot be told. */
int64_t fd_affine_holds(const FdNode *x, const FdNode *y);

/* An index that goes round: lo + ((of - lo) mod n), as Periodic has it, or (i + n - 1) % n, which is -1 where it goes
 * round. */
typedef struct FdRound {
    const FdNode *of, *n;
    const FdNode *lo; /* NULL: 0 */
} FdRound;
bool fd_goes_round(Fd *fd, const FdNode *index, FdRound *out);

/* How a read of an array moves when v grows by one. */
typedef enum FdMovement { FD_MOVES_NOT, FD_MOVES_UNIT, FD_MOVES_FAR } FdMovement;
FdMovement fd_movement(const FdNode *read, const FdNode *v);
/* By how many elements of memory it moves, 2 to 4 or -1: vectors hold them all. 0: it does not. */
int fd_stride(const FdNode *read, const FdNode *v);
/* Do lanes of v find what they read in vectors? */
static inline bool fd_reads_in_lanes(const FdNode *read, const FdNode *v)
{
    return fd_movement(read, v) != FD_MOVES_FAR || fd_stride(read, v) != 0;
}

/* The range of a variable at the place that is asked about; NULL: not known. */
typedef const FdDom *FdRangeOf(const void *ctx, const FdNode *var);

/* Is a value known before the evaluation? */
typedef bool FdIsKnown(const void *ctx, const FdNode *n);
/* Has domain inference seen to it that a read at `index` stays inside, if the read is always made?
 * All variables of the index are INFERRED, one at least, what else is in it is `known` (NULL: can be
 * evaluated before), and no parameter of an inlined function decided it (@given). */
bool fd_index_inferred(const FdNode *index, FdRangeOf *range, FdIsKnown *known, const void *ctx);

/* The least (or greatest) value that n can have over the ranges of its variables, or a bound of it,
 * as a closed long node; NULL if none is known. Empty ranges say nothing. */
const FdNode *fd_extreme(Fd *fd, const FdNode *n, bool greatest, FdRangeOf *range, const void *ctx);
/* The same, also of elements that are bytes or shorts, masked, shifted or divided: such a bound may be far from what
 * there is. */
const FdNode *fd_extreme_typed(Fd *fd, const FdNode *n, bool greatest, FdRangeOf *range,
                               const void *ctx);

#endif
