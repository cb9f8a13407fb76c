/* Contractions: c(.., row, .., col) = epilogue(reduce over k of f(row-side values, col-side
 * values)). Shared by the schedules that exploit reuse (contract.c, paper.c, gpu_contract.c).
 */
#ifndef CS_CODEGEN_CONTRACT_H
#define CS_CODEGEN_CONTRACT_H

#include "../unit.h"

typedef enum Side { SIDE_ROW, SIDE_COL } Side;
enum { MAX_OPERANDS = 6 };

/* A largest subexpression of the reduction's body that does not depend on both row and col: what is
 * worth computing once and keeping close. */
typedef struct Operand {
    const FdNode *node;
    Side side; /* which of the two it may depend on */
    ScalarKind kind;
} Operand;

typedef struct Contraction {
    const Def *d;
    const FdNode *reduce;
    int row, col; /* indices of the output variables */
    int noperands;
    Operand operands[MAX_OPERANDS];
    bool separable; /* the body is pointwise in operands and closed values */
} Contraction;

/* Finds row and column of a definition whose body is (an epilogue of) one reduction by an
 * elementary operation over closed ranges with reuse on both sides. False: it has no such form. */
bool contraction_find(Unit *u, const Def *d, Contraction *out);

/* M, N, K as plan expressions (K: the product of the reduction's lengths). */
const char *contraction_m(Unit *u, const Contraction *c);
const char *contraction_n(Unit *u, const Contraction *c);
const char *contraction_k(Unit *u, const Contraction *c);

/* Names of one kernel: where rows and columns begin, how many there are. */
typedef struct Frame {
    const KirExpr *row_lo, *col_lo, *m, *n;
} Frame;

/* Binds the output variables other than row and col from global id 2; names the extents. */
Frame contraction_frame(Gen *g, const Contraction *c);
/* Product of the other output extents, as a plan expression. */
const char *contraction_batch(Unit *u, const Contraction *c);

/* Tiles in local memory, under the plan condition `when`. Returns the plan name that says whether
 * they run, NULL if the definition has no such form. */
const char *schedule_gpu_contract(Unit *u, const Def *d, const char *when);

#endif
