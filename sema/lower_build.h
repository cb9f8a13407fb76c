/* What the files of lowering share: one Lower per unit, and in it the graph that is being built.
 * A builder that cannot lower something returns NULL and leaves the reason in `why`; its caller
 * passes the NULL on, up to whoever can report it or do without.
 */
#ifndef CS_SEMA_LOWER_BUILD_H
#define CS_SEMA_LOWER_BUILD_H

#include "../base/vec.h"
#include "lower.h"

/* Where a node of the graph being built comes from: carets of messages need a range. */
typedef struct LowerPlace {
    const FdNode *node;
    Loc loc;
} LowerPlace;

/* A functional expression and what replaces it once every body has been read: functions are inlined
 * from their original trees. */
typedef struct LowerSwap {
    Ast **slot;
    Ast *with;
} LowerSwap;

/* A user function that graphs use. */
typedef struct LowerUser {
    Symbol *sym;
    FdUser *user;
    bool busy;       /* its body is being lowered: a use is recursion */
    const char *why; /* it runs on the host, and why; NULL: it has a body */
    Loc why_loc;
} LowerUser;

typedef struct Lower {
    SemaResult *r;
    const Sources *sources;
    Diags *diags;
    Arena *arena;
    Fd *fd;
    VEC(SemaGraph) graphs;
    VEC(Symbol *) host_users;
    VEC(LowerSwap) swaps;
    VEC(LowerUser) users;
    VEC(const Symbol *) inlining; /* functions being inlined, outermost first */

    /* The graph being built. While it is, Symbol.fdag of a bound variable, and of a parameter or
     * local of a function that is inlined or lowered, is its node; all other variables are
     * captured. */
    VEC(FdSlot) slots;
    VEC(Ast *) captures; /* one a slot */
    VEC(LowerPlace) places;
    bool sealed;        /* inside a function: there is nothing to capture */
    const Symbol *body; /* the function whose body becomes an FdUser, or NULL */
    int nopen;          /* ranges so far that domain inference must find */
    const char *why;
    Loc why_loc;
} Lower;

/* ---- lower.c ----------------------------------------------------------------------------- */

FdLoc lower_loc(const Lower *l, Loc loc);
/* Remembers where a node comes from (the first place stays) and returns it. */
const FdNode *lower_place(Lower *l, const FdNode *n, Loc loc);
/* Leaves the reason, unless there is one already. Returns NULL. */
const FdNode *lower_fail(Lower *l, Loc loc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* NULL if the type has no scalars at its leaves; says nothing. */
const FdType *lower_type(Lower *l, const Type *t);

/* ---- lower_capture.c: what the graph takes from the host ----------------------------------- */

/* Is the expression a graph of its own right, rather than a host operation? */
bool lower_is_machinery(const Ast *n);
/* Does it use a variable that has a node in the graph being built? */
bool lower_is_free(const Ast *n);
/* Is the value computed by the host, before the graph? */
bool lower_is_captured(Lower *l, const Ast *n);
const FdNode *lower_capture(Lower *l, const Ast *n);
Ast **lower_callee(Ast *n); /* of a CALL, INDEX */
/* The children that are values: the name of a called function is none, but x of x.F() is one. */
void lower_each_value(Ast *n, void (*visit)(Ast **child, void *ctx), void *ctx);
/* The library row of a call, member or name; NULL if it means something else. */
const Builtin *lower_builtin(const Ast *n);

/* ---- lower_expr.c: operations --------------------------------------------------------------- */

enum { LOWER_MAX_OPERANDS = 16 };

/* A scalar or function node. */
const FdNode *lower_expr(Lower *l, const Ast *n);
/* n, which is functional, at the point args; promoted operations take their operands at it
 * directly. */
const FdNode *lower_at(Lower *l, const Ast *n, const FdNode *const *args);
/* The value of operation n for its operands' values. */
const FdNode *lower_combine(Lower *l, const Ast *n, int count, const FdNode *const *values);
int lower_operands(const Ast *n, const Ast **out);
const FdNode *lower_op(Lower *l, FdOp op, int n, const FdNode *const *args, Loc loc);
const FdNode *lower_convert(Lower *l, const FdNode *n, const FdType *to, Loc loc);
const FdNode *lower_query(Lower *l, FdOp op, const FdNode *f, int dim);

/* ---- lower_bind.c: what binds variables -------------------------------------------------------
 */

const FdNode *lower_let(Lower *l, const Ast *n); /* LET, LAMBDA, DEFINE */
const FdNode *lower_reduce(Lower *l, const Ast *n);
const FdNode *lower_range(Lower *l, const Ast *n);
/* A functional expression that is pointwise: let over fresh variables of the value at them. */
const FdNode *lower_pointwise(Lower *l, const Ast *n);

/* ---- lower_user.c, lower_stmt.c: user functions ------------------------------------------------
 */

const FdNode *lower_call(Lower *l, Symbol *sym, int n, const FdNode *const *args, Loc loc);
/* The function as a node, for reductions. */
const FdNode *lower_user(Lower *l, Symbol *sym, Loc loc);
/* The body of a function, whose parameters have their nodes, as statements; NULL with `why`. */
const FdStmt *lower_body(Lower *l, const Ast *func);

#endif
