/* What forward and backward mode share. */
#ifndef CS_FDAG_DERIVE_H
#define CS_FDAG_DERIVE_H

#include "../internal.h"
#include "adjoint.h"

enum {
    FDI_SCOPE = 32, /* binders around a read, their variables together */
    FDI_DEPTH = 8   /* records in records */
};

typedef struct FdiSame {
    FdDom a, b; /* the same places, if the function itself does not fail */
} FdiSame;
typedef VEC(FdiSame) FdiRanges;

/* A function that is being differentiated: its variables are slots behind the others. */
typedef struct FdiDerive {
    Fd *fd;
    FdFunction *f;
    FdGraph graph;
    FdError *error;
    FdiMap active; /* node -> does it depend on the variables? */
    FdiMap firsts; /* minimum or maximum -> value and place of where it is attained first */
    FdiNodes sums; /* cancel.c: those of the function, or definitions that are such */
    bool summed;
    FdiMap forms;           /* node -> its one form (twins.c) */
    FdiRanges same, within; /* covers.c; within: a's places are some of b's */
} FdiDerive;

/* derive.c */
/* Inner ranges, agreements and inlined functions of f; false with the error. */
bool fdi_derive_begin(FdiDerive *d, Fd *fd, FdFunction *f, FdError *error);
void fdi_derive_end(FdiDerive *d);
/* A result with f's arguments in place of its variables. */
const FdNode *fdi_derive_at(FdiDerive *d, const FdNode *n);
/* A seed or direction, with slots in place of the variables of derivatives around, as the graph has them. */
const FdNode *fdi_outer_slots(FdiDerive *d, const FdNode *n);
/* Which variable a slot is; -1: none. */
int fdi_derive_var(const FdiDerive *d, const FdNode *slot);
bool fdi_active(FdiDerive *d, const FdNode *n);
/* Is there a real at a leaf of this value, or of the values of this function? */
bool fdi_is_real(const FdType *t);
/* An error that names what has no derivative and what to write instead. NULL. */
const FdNode *fdi_fail(FdiDerive *d, const FdNode *at, const char *what);
const FdNode *fdi_zero(Fd *fd, const FdType *t); /* of a scalar or record */
bool fdi_is_zero(const FdNode *n);               /* that of a real */
/* Applications of lets whose elements are no definitions (infinite, of other than integers, or made anew for
 * variables around) are seen through: what they apply to; NULL: n is none. `stored`: may a let be one? */
const FdNode *fdi_seen_through(FdiDerive *d, const FdNode *n, bool stored);
/* Conditions and sums, NULL for none: of conditions what always holds, of values zero. */
const FdNode *fdi_and(Fd *fd, const FdNode *a, const FdNode *b);
const FdNode *fdi_guarded(Fd *fd, const FdNode *guard, const FdNode *value);
const FdNode *fdi_plus(Fd *fd, const FdNode *a, const FdNode *b);
const FdNode *fdi_op2(Fd *fd, FdOp op, const FdNode *a, const FdNode *b);
const FdNode *fdi_sum(Fd *fd, int nvars, const FdNode *const *vars, const FdDom *doms,
                      const FdNode *term, FdLoc loc);
/* What the change of a term of a reduction counts for the whole, at the place of `fresh`, the same with variables
 * of its own: *factor (of a product the other factors; NULL: 1), where *when holds (of a minimum at the first
 * place that attains it; NULL: everywhere). False after an error: it has no derivative. */
bool fdi_term(FdiDerive *d, const FdNode *reduce, const FdNode *fresh, const FdNode **factor,
              const FdNode **when);
/* An application of what is no operation, record or let that is seen through: is there a derivative of it? False
 * after an error. */
bool fdi_can_call(FdiDerive *d, const FdNode *apply);

/* covers.c: notes ranges that are those of what is read at them, or within them. */
void fdi_find_ranges(FdiDerive *d);
/* Are places of a some of b's, if the function itself does not fail? */
bool fdi_within(FdiDerive *d, const FdDom *a, const FdDom *b);

/* tangent.c: the change of an expression, where the changes of functions and of a user's variables are known (node
 * to node). NULL: it does not change, or after an error. */
const FdNode *fdi_tangent(FdiDerive *d, FdiMap *known, const FdNode *n);

/* forward.c */
bool fdi_user_can(
    const FdUser *u); /* are its statements known, its parameters and result values? */
/* Of an application of such a function: its change along changes of its arguments (NULL: none); and what the result
 * changes by an argument if it does so by the value with this weight. NULL after an error. */
const FdNode *fdi_user_change(FdiDerive *d, const FdNode *n, const FdNode *const *changes);
const FdNode *fdi_user_part(FdiDerive *d, const FdNode *n, int operand, const FdNode *weight);

/* attains.c */
/* Of a reduction by min or max: does the place of `fresh` come first of those that attain it? NULL after an
 * error: the ranges depend on each other. */
const FdNode *fdi_attains(FdiDerive *d, const FdNode *reduce, const FdNode *fresh);
bool fdi_is_first(const FdNode *reduce); /* is it one that finds that place? */

/* folds.c: folds, and reductions by functions of the program, become recurrences; true if there were some. */
bool fdi_folds_out(FdiDerive *d);

/* partial.c: change times the derivative of an operation by its operand; NULL: zero, or after an error. */
const FdNode *fdi_chain(FdiDerive *d, const FdNode *apply, int operand, const FdNode *change);

/* twins.c */
/* The form that all have which are equal but for signs and the order of operands. n may be NULL. */
const FdNode *fdi_one_form(FdiDerive *d, const FdNode *n);
/* Do they come to nothing together? */
bool fdi_opposite(FdiDerive *d, const FdNode *a, const FdNode *b);

/* solve.c */
bool fdi_same_range(Fd *fd, const FdDom *a, const FdDom *b);
/* Have they the same places, by agreements and by what is read? */
bool fdi_agree(FdiDerive *d, const FdDom *a, const FdDom *b);

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

/* The sum of the weight over all places of the scope whose indices are m, variables with these ranges; NULL: there is
 * none. */
const FdNode *fdi_invert(FdiDerive *d, const FdiRead *read, int rank, const FdNode *const *m,
                         const FdDom *doms);

/* ---- cancel.c ---- */

/* A term at m, maybe simpler: a sum times what divides by it. */
const FdNode *fdi_cancelled(FdiDerive *d, const FdNode *term, int rank, const FdNode *const *m);
/* Without those that come to nothing together. */
void fdi_cancel(FdiDerive *d, FdiNodes *terms);

/* ---- bykey.c ---- */

/* A variable around the read that has few values, and whose index nothing else tells; -1: there is none. */
int fdi_few(const FdiRead *read, int rank);
/* The read where variable number u of its scope has this value. */
FdiRead fdi_at_value(Fd *fd, const FdiRead *read, int rank, int u, int64_t value);
/* Two sums by key over the same places, of which some key is the same, as one; NULL: they are no such. */
const FdNode *fdi_one_pass(Fd *fd, const FdNode *a, const FdNode *b);

#endif
