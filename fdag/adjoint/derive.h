/* What forward and backward mode share. */
#ifndef CS_FDAG_DERIVE_H
#define CS_FDAG_DERIVE_H

#include "../internal.h"
#include "adjoint.h"

enum { FDI_SCOPE = 32 }; /* binders around a read, their variables together */

/* A function that is being differentiated: its variables are slots behind the others. */
typedef struct FdiDerive {
    Fd *fd;
    FdFunction *f;
    FdGraph graph;
    FdError *error;
    FdiMap active; /* node -> does it depend on the variables? */
} FdiDerive;

/* derive.c */
/* Inner ranges, agreements and inlined functions of f; false with the error. */
bool fdi_derive_begin(FdiDerive *d, Fd *fd, FdFunction *f, FdError *error);
void fdi_derive_end(FdiDerive *d);
/* A result with f's arguments in place of its variables. */
const FdNode *fdi_derive_at(FdiDerive *d, const FdNode *n);
/* Which variable a slot is; -1: none. */
int fdi_derive_var(const FdiDerive *d, const FdNode *slot);
bool fdi_active(FdiDerive *d, const FdNode *n);
/* Is there a real at a leaf of this value, or of the values of this function? */
bool fdi_is_real(const FdType *t);
/* An error that names what has no derivative and what to write instead. NULL. */
const FdNode *fdi_fail(FdiDerive *d, const FdNode *at, const char *what);
const FdNode *fdi_zero(Fd *fd, const FdType *t); /* of a scalar or record */
/* Applications of lets whose elements are no definitions (infinite, of other than integers, or made anew for
 * variables around) are seen through: what they apply to; NULL: n is none. `stored`: may a let be one? */
const FdNode *fdi_seen_through(FdiDerive *d, const FdNode *n, bool stored);
/* Conditions and sums, NULL for none: of conditions what always holds, of values zero. */
const FdNode *fdi_and(Fd *fd, const FdNode *a, const FdNode *b);
const FdNode *fdi_guarded(Fd *fd, const FdNode *guard, const FdNode *value);
const FdNode *fdi_plus(Fd *fd, const FdNode *a, const FdNode *b);
const FdNode *fdi_op2(Fd *fd, FdOp op, const FdNode *a, const FdNode *b);
/* A binder with variables of its own. */
const FdNode *fdi_fresh(Fd *fd, const FdNode *reduce);
/* Of a product: of the factors but that at the place of `fresh`. */
const FdNode *fdi_other_factors(Fd *fd, const FdNode *reduce, const FdNode *fresh);

/* attains.c */
/* Of a reduction by min or max: does the place of `fresh`, the same with variables of its own, come first of
 * those that attain it? NULL: the ranges depend on each other. */
const FdNode *fdi_attains(Fd *fd, const FdNode *reduce, const FdNode *fresh);

/* partial.c: change times the derivative of an operation by its operand; NULL: zero, or after an error. */
const FdNode *fdi_chain(FdiDerive *d, const FdNode *apply, int operand, const FdNode *change);

/* invert.c */
typedef struct FdiScope {
    int n;
    const FdNode *vars[FDI_SCOPE];
    FdDom doms[FDI_SCOPE];
} FdiScope;

/* A definition is read somewhere: `weight` is what the reader's change is of its change. */
typedef struct FdiRead {
    const FdNode *of;
    const FdiScope *scope; /* the variables around */
    const FdNode *guard;   /* NULL: read always */
    const FdNode *weight;
    const FdNode *const *at;
} FdiRead;

/* The sum of the weight over all places of the scope whose indices are m, variables with these ranges. */
const FdNode *fdi_invert(FdiDerive *d, const FdiRead *read, int rank, const FdNode *const *m,
                         const FdDom *doms);

#endif
