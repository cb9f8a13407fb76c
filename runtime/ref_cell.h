/* What the reference executor makes of FDAG nodes: cells with operands resolved, and variables.
 *
 * A variable that gets a value gets a new number of the clock, its epoch. A cell keeps its last
 * value with the newest epoch of the variables that it depends on: the value holds while that is
 * the same, so what an inner loop does not change is computed once for it. Scopes nest, which makes
 * the test exact.
 *
 * An argument of a let is evaluated when its variable is first read: the variable keeps the cell
 * and the scope of the application, and reading it goes back to that scope for as long as the cell
 * is evaluated. */
#ifndef CS_RUNTIME_REF_CELL_H
#define CS_RUNTIME_REF_CELL_H

#include "../base/vec.h"
#include "ref.h"

typedef enum CellKind {
    CELL_CONST,
    CELL_SLOT, /* scalar or array */
    CELL_VAR,
    CELL_OP,     /* as a value: op on args; as a function: the operation */
    CELL_BOUND,  /* LOWER, UPPER of function fn in dimension `dim` */
    CELL_APPLY,  /* fn on args */
    CELL_REDUCE, /* fn over vars of body */
    CELL_LET,    /* a function */
    CELL_USER    /* a function */
} CellKind;

typedef struct RefVar {
    ScalarValue value;
    uint64_t epoch;
    struct Cell *fn;     /* the function that it stands for, if its type is one */
    struct Cell *lazy;   /* what `value` will be, evaluated in `scope`; NULL: it is */
    struct Scope *scope; /* NULL: outside all */
} RefVar;

/* Variables bound by an application or a reduction under way, and what they were outside. */
typedef struct Scope {
    struct Scope *outer;
    int n;
    RefVar **vars;
    RefVar hidden[FD_MAX_RANK];
} Scope;

typedef struct RefStmt {
    FdStmtKind kind;
    RefVar *var;
    struct Cell *expr;
    struct RefStmt *body, *other, *next;
    FdLoc loc;
} RefStmt;

typedef struct RefUser {
    const FdUser *user;
    RefVar *params[FD_MAX_RANK];
    RefStmt *body;          /* NULL: native */
    const CsNative *native; /* found at the first call */
} RefUser;

typedef struct Cell {
    CellKind kind;
    FdOp op;
    ScalarKind in;  /* operand type of op */
    ScalarKind out; /* result type, of a scalar */
    bool memo;
    bool ready; /* deps are known */
    int steps;  /* of an expression that cannot fail; 0: it can, or takes long */
    int nargs, nvars, ndeps, dim, slot;
    ScalarValue value;
    uint64_t stamp;
    RefVar *var;
    struct Cell *fn, *body;
    struct Cell **args;
    RefVar **vars;
    struct Cell **lo, **hi; /* ranges of vars; NULL: full */
    RefVar **deps;          /* sorted by address */
    RefUser *user;
    const FdNode *node;
} Cell;

struct Ref {
    Arena *arena;
    Cell *root;
    VEC(Cell *) cells;  /* by node id */
    VEC(RefVar *) vars; /* by variable number */
    VEC(RefUser *) users;
    int nslots;
    FdBox *boxes; /* by slot number: what fd_eval_bound sees */
    ScalarValue *scalars;
    /* of the evaluation under way */
    const RtLeaf *leaves;
    const CsSite *site;
    Scope *scope; /* the innermost */
    uint64_t clock, start;
    bool failed;
};

Cell *ref_cell(Ref *r, const FdNode *n);

#endif
