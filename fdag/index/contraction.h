/* Reductions of a definition, and contractions among them: reductions whose bodies split into row-side and
 * column-side operands, each of which is used again with all of the other side.
 *
 *   a(j, l) * b(l, k)            operands a(j, l) | b(l, k)
 *   w(l) * exp(x(j) - y(l, k))   operands w(l), x(j) | y(l, k)
 *
 * Schedules keep tiles of results of one in registers; fusing evaluations must not take that away. */
#ifndef CS_FDAG_CONTRACTION_H
#define CS_FDAG_CONTRACTION_H

#include "../fdag.h"

enum { FD_MAX_REDUCTIONS = 8, FD_MAX_OPERANDS = 12 };

/* The reductions of an expression, if each is computed whatever the values (none lies in branches
 * only): their number; else, or if there are too many, 0. Those over the same variables follow each other. */
int fd_reductions(const FdNode *n, const FdNode *out[FD_MAX_REDUCTIONS]);
int fd_all_reductions(const FdNode *n, const FdNode *out[FD_MAX_REDUCTIONS]); /* in branches too */
/* A branch that has all reductions of a body: `when` the condition is so. */
typedef struct FdBranch {
    const FdNode *
        cond; /* a comparison of two of the definition's variables; NULL: there is no such branch */
    bool when;
    int vars[2];
    bool diagonal; /* it is taken where both are equal */
} FdBranch;
/* fd_reductions, or those of a triangle: a branch that about half of the elements take. */
int fd_reductions_in(int nvars, const FdNode *const *vars, const FdNode *n,
                     const FdNode *out[FD_MAX_REDUCTIONS], FdBranch *branch);
/* Where the reductions over other variables than those of number `begin` begin. */
int fd_reductions_end(int n, const FdNode *const *reduces, int begin);
/* An associative and commutative operation: any part of it can come first. */
bool fd_reorders(const FdNode *reduce);

/* A largest subexpression of the reductions' bodies that does not depend on both rows and columns:
 * what is worth computing once and keeping close. */
typedef enum FdSide { FD_SIDE_ROW, FD_SIDE_COL } FdSide;
typedef struct FdOperand {
    const FdNode *node;
    int group;   /* the first of the reductions over the same variables that take it */
    FdSide side; /* which of the two it may depend on */
    ScalarKind kind;
} FdOperand;

typedef struct FdContraction {
    int nreduces;
    const FdNode *reduces[FD_MAX_REDUCTIONS];
    FdBranch branch; /* which alone uses them */
    const FdNode *
        column; /* the definition's variable number `col`: the last, or where that is short another */
    int col;
    int nrows, nbatch; /* those that no operand with the column has; the others */
    const FdNode *rows[FD_MAX_RANK], *batch[FD_MAX_RANK];
    FdDom row_doms[FD_MAX_RANK], batch_doms[FD_MAX_RANK];
    int noperands;
    FdOperand operands[FD_MAX_OPERANDS];
} FdContraction;

/* Finds rows and columns of a function of these variables whose body is (a function of) reductions by
 * elementary operations over ranges known beforehand, with reuse on both sides. False: it has no such
 * form. `outside` says which reads have to stay in their branches; NULL: all. */
bool fd_contraction(int nvars, const FdNode *const *vars, const FdDom *doms, const FdNode *body,
                    FdIs *outside, const void *ctx, FdContraction *out);
/* The same form with columns of another variable, where the last one is a place of a window, x(i + q), that may be short;
 * false: there is none. */
bool fd_contraction_turned(int nvars, const FdNode *const *vars, const FdDom *doms, FdIs *outside,
                           const void *ctx, const FdContraction *of, FdContraction *out);
enum { FD_SHORT = 8 };                 /* half of a vector of the widest processors */
bool fd_is_short(const FdDom *dom);    /* known to have fewer elements than lanes are worth */
bool fd_is_long(const FdNode *reduce); /* has it a range that is not short? */
/* Has an element of it a reduction of its own that is not short? Such are worth a form of theirs: tiles, rows. */
bool fd_elements_reduce(const FdGraph *g);

#endif
