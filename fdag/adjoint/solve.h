/* Solving the indices of a read for the variables around it (invert.c), as far as it has gone. */
#ifndef CS_FDAG_SOLVE_H
#define CS_FDAG_SOLVE_H

#include "derive.h"

enum { FDI_ORDERS = 16 };

/* low + more <= high, of integers. */
typedef struct FdiOrder {
    const FdNode *low, *high;
    int more;
} FdiOrder;

typedef struct FdiSolve {
    FdiDerive *d;
    int rank; /* of what is read: its variables and their ranges */
    const FdNode *const *m;
    const FdDom *doms;
    bool recurs;   /* what is read is the recurrence around */
    FdiScope left; /* unknowns */
    const FdNode *at[FD_MAX_RANK], *guard, *inside, *weight;
    int norders; /* when the read is made, beside the guard */
    FdiOrder orders[FDI_ORDERS];
} FdiSolve;

/* A read whose indices are chosen from several, where it is made at one of them. */
typedef struct FdiPiece {
    const FdNode *at[FD_MAX_RANK], *guard; /* NULL: always, where the orders hold */
    int norders;
    FdiOrder orders[FDI_ORDERS];
} FdiPiece;

enum { FDI_PIECES = 16 };

/* pieces.c: the pieces of a read whose indices are minima, maxima or choices of what can be solved; of another one. */
int fdi_pieces(const FdiRead *read, Fd *fd, int rank, FdiPiece out[FDI_PIECES]);

/* round.c: solves index number `at`, which goes round. False: it does not, or several places may read m. */
bool fdi_solve_round(FdiSolve *s, int at, const FdNode *m);

/* digits.c: of an unknown with three digits or more the last one, which is index number *last; false: there is none. */
bool fdi_solve_digit(FdiSolve *s, int *last);

/* ---- solve.c ---- */

/* What the unknown (or another term) times its factor, which becomes positive, is where the index is m: an int or
 * long as the unknown; NULL: the index is not affine in it. */
const FdNode *fdi_solved(FdiSolve *s, const FdNode *index, const FdNode *m, const FdNode *unknown,
                         int64_t *size);
/* Can the unknown be put in place: do the ranges of those that its value uses not depend on it? */
bool fdi_can_place(const FdiSolve *s, const FdNode *unknown, const FdNode *value);
/* Values in place of variables, in all but the unknowns themselves. */
void fdi_put_all(FdiSolve *s, int count, const FdNode *const *old, const FdNode *const *values);
/* Unknown number u has this value, where `inside`. */
void fdi_place(FdiSolve *s, int u, const FdNode *value, const FdNode *inside);
/* Is it at most 0 by the ranges of the variables that are left and of m? */
bool fdi_follows(FdiSolve *s, const FdAffine *form);
/* Has a condition this value by them? Integers are exact: they are places of ranges. */
bool fdi_holds(FdiSolve *s, const FdNode *cond, bool truth);
/* low + more <= high as a condition, solved for a variable where it can be, so that interiors and borders see it.
 * NULL: it always holds; *never: it never does. */
const FdNode *fdi_at_most(FdiSolve *s, const FdiOrder *order, bool *never);
/* The unknown's range as a condition on its value; NULL: it holds, m having the same range or by what is known. */
const FdNode *fdi_in_range(FdiSolve *s, const FdNode *value, const FdDom *dom, const FdNode *m,
                           const FdDom *of_m);
const FdNode *fdi_integer(Fd *fd, const FdNode *like, int64_t v);
/* Is the range one of constants? */
bool fdi_is_fixed(const FdDom *dom, int64_t *lo, int64_t *length);
/* Is it never negative, by its range? */
bool fdi_is_natural(const FdDom *dom);
/* How many unknowns are in n. */
int fdi_unknowns(const FdiSolve *s, const FdNode *n);

/* ---- where.c ---- */

/* Conditions that speak of unknowns go to *inner, or are in their ranges from here on; the others to *outer. */
void fdi_part_guard(FdiSolve *s, const FdNode *guard, const FdNode **inner, const FdNode **outer);
/* An index that the guard says is an unknown becomes that: of i == 0 ? b(0) : b(i) both read b(i). */
void fdi_use_known(FdiSolve *s);
/* May it fail where nothing says that it is wanted? */
bool fdi_reads_outside(FdiSolve *s, const FdNode *n);
/* A product that is zero where the guard does not hold (NULL: it does): the factor is that moves with it. */
const FdNode *fdi_ended(FdiSolve *s, const FdNode *guard, const FdNode *n);

#endif
