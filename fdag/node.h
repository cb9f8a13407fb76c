/* Types, nodes and user functions: what graphs are made of (fdag.h). */
#ifndef CS_FDAG_NODE_H
#define CS_FDAG_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/arena.h"
#include "../base/scalar.h"
#include "../base/text.h"
#include "../base/vec.h"
#include "ops.h"

enum {
    FD_MAX_RANK = 8,    /* variables of one binder, dimensions of a domain */
    FD_MAX_FIELDS = 64, /* fields of one record, so operands of an application of FD_LEAF_MAKE */
    FD_MAX_PARAMS = 80 /* parameters of one function: FD_MAX_FIELDS of a program's, its object, what
                          its body captures */
};

typedef struct Fd Fd;
typedef struct FdNode FdNode;
typedef struct FdUser FdUser;

/* ---- types ---------------------------------------------------------------------------- */

/* A scalar, a record (a final class) or a function. Interned per Fd: equal types are equal
 * pointers. Functions may have functions and records as results, and as parameters. */
typedef struct FdType {
    const struct FdType *result; /* NULL for a scalar or record */
    int nparams;
    const struct FdType *const *params;
    ScalarKind scalar; /* when it is a scalar */
    /* A record: its name, a C identifier unique in the Fd and in the program, and its fields,
     * scalars or records. */
    const char *record; /* NULL: no record */
    int nfields;        /* 1 to FD_MAX_FIELDS */
    const struct FdType *const *fields;
    const char *const *field_names;
} FdType;

/* Declares a record type, or gives the one of that name; NULL if that one has fields of other
 * types. */
const FdType *fd_type_record(Fd *fd, const char *name, int n, const FdType *const *fields,
                             const char *const *names);
const FdType *fd_type_find(Fd *fd, const char *record); /* NULL: not declared */
/* Scalar fields, those of inner records in their places: the planes of an array of it. A scalar is
 * one leaf. */
int fd_type_leaves(const FdType *t);
ScalarKind fd_type_leaf(const FdType *t, int leaf);
/* Storage of an array of t with `count` elements: leaf after leaf, each plane begins at a multiple
 * of FD_PLANE_ALIGN bytes. Offset of a plane; with leaf == leaves the size of all (where the last
 * plane ends). -1 if it does not fit. */
enum { FD_PLANE_ALIGN = 64 };
int64_t fd_plane_offset(const FdType *t, int leaf, int64_t count);

static inline bool fd_type_is_scalar(const FdType *t)
{
    return !t->result && !t->record;
}

const FdType *fd_type_scalar(Fd *fd, ScalarKind k);
const FdType *fd_type_func(Fd *fd, const FdType *result, int n, const FdType *const *params);
/* elem(int, ..., int) with `rank` parameters: the type of an array of scalars or records. */
const FdType *fd_type_array(Fd *fd, ScalarKind k, int rank);
const FdType *fd_type_array_of(Fd *fd, const FdType *elem, int rank);
void fd_type_print(Text *out, const FdType *t); /* "float(int, int)" */
/* The type a text spells, NULL if it spells none. Its records must be declared. */
const FdType *fd_type_read(Fd *fd, const char *text);

/* ---- nodes ---------------------------------------------------------------------------- */

typedef enum FdKind { FD_SCALAR, FD_FUNC, FD_VAR, FD_APPLY, FD_REDUCE, FD_LET } FdKind;

/* What an FD_SCALAR or FD_FUNC leaf is. */
typedef enum FdLeaf {
    FD_LEAF_CONST, /* scalar: the constant `value` */
    FD_LEAF_SLOT,  /* scalar or function: the value of slot `slot` */
    FD_LEAF_OP,    /* function: the elementary operation `op` */
    FD_LEAF_MAKE,  /* function: the record `type->result` of its fields; of any number of them */
    FD_LEAF_FIELD, /* function: field number `slot` of a record */
    FD_LEAF_USER   /* function: the user function `user` (a body, or host only) */
} FdLeaf;

typedef enum FdVarRole {
    FD_VAR_BOUND, /* of a let or a reduction */
    FD_VAR_LOCAL  /* a parameter or local of a user function body */
} FdVarRole;

typedef enum FdDomKind {
    FD_DOM_OPEN,     /* to be inferred from the uses */
    FD_DOM_INFERRED, /* [lo, hi) from the uses: every affine use is inside */
    FD_DOM_GIVEN,    /* [lo, hi) from a constraint: uses can fall outside */
    FD_DOM_FULL,     /* all values: an infinite parameter */
    FD_DOM_ARRAY     /* [lo, hi) of a function that is stored, so that reads of it are checked */
} FdDomKind;

/* The range of one bound variable. lo and hi are nodes of type int or long, hi excluded; they may
 * use variables bound outside, and earlier variables of the same binder. */
typedef struct FdDom {
    FdDomKind kind;
    const FdNode *lo, *hi;
} FdDom;

/* Position in a source file, for messages; not part of a node's identity (the first one stays).
 * line == 0: unknown. */
typedef struct FdLoc {
    int line, col;
} FdLoc;

struct FdNode {
    FdKind kind;
    FdLeaf leaf;    /* FD_SCALAR, FD_FUNC */
    FdVarRole role; /* FD_VAR */
    uint32_t id;    /* dense, in order of making: operands come before users */
    const FdType *type;
    FdLoc loc;
    const char *name; /* FD_VAR, slots: for printing; not part of the identity except FD_VAR's */

    ScalarValue value;  /* FD_LEAF_CONST; FD_LEAF_SLOT: is it read flat (index/flat.h)? */
    int slot;           /* FD_LEAF_SLOT; the field of an FD_LEAF_FIELD */
    FdOp op;            /* FD_LEAF_OP */
    const FdUser *user; /* FD_LEAF_USER; NULL of all others */
    uint32_t var;       /* FD_VAR: unique number within the Fd */
    /* FD_VAR_LOCAL of a function type: NULL, or the length of each dimension: an array that
     * statements fill. */
    const int64_t *extent;

    /* FD_APPLY: fn applied to args. FD_REDUCE: fn combines the values of body over vars.
     * FD_LET: the function (vars) -> body. */
    const FdNode *fn;
    int nargs;
    const FdNode *const *args; /* FD_APPLY */
    int nvars;
    const FdNode *const *vars; /* FD_REDUCE, FD_LET: FD_VAR nodes */
    const FdDom *doms;         /* one a variable */
    const FdNode *body;        /* FD_REDUCE, FD_LET */
    /* FD_REDUCE: NULL, or the first value of the accumulator of a fold: fn is then an R(R, T),
     * applied in order, the last index fastest. */
    const FdNode *init;
    /* FD_LET: NULL, or an FD_VAR of the let's own type: a recurrence, whose body reads itself
     * through it. All ranges are GIVEN (or OPEN, before domains). It is evaluated in `order`, one
     * entry a variable, outermost first: +(d+1) variable d upwards, -(d+1) downwards; all 0 until
     * the pass `recur` has found it. */
    const FdNode *self;
    int8_t order[FD_MAX_RANK];
};

Fd *fd_new(void);
void fd_free(Fd *fd);
Arena *fd_arena(Fd *fd);

/* Builders. They check arity and types and abort on a violation: callers are compiler parts, user
 * errors are found before. Strings are copied. */
const FdNode *fd_const(Fd *fd, ScalarKind k, ScalarValue v);
const FdNode *fd_int(Fd *fd, int64_t v);  /* an int constant */
const FdNode *fd_long(Fd *fd, int64_t v); /* a long constant */
/* Slot number `slot`: a scalar or a function, as its type says. */
const FdNode *fd_slot(Fd *fd, int slot, const FdType *type, const char *name);
const FdNode *fd_op(Fd *fd, FdOp op, const FdType *type); /* the operation as a function value */
const FdNode *fd_user(Fd *fd, const FdUser *user);
const FdNode *fd_var(Fd *fd, const FdType *type, const char *name); /* a fresh variable each time */
const FdNode *fd_local(Fd *fd, const FdType *type, const char *name);
/* A local array: one length a parameter of its type, each 1 at least. */
const FdNode *fd_local_array(Fd *fd, const FdType *type, const int64_t *extent, const char *name);
bool fd_is_element(const FdNode *n);                   /* is it the application of a local array? */
bool fd_same_extent(const FdNode *a, const FdNode *b); /* of local arrays of one type */
int64_t fd_extent_count(const FdNode *array);          /* its elements */
bool fd_uses_array(const FdNode *n); /* does a local array occur in it, other than bound? */
/* fn applied to args. Operations and reductions that round (ops.def, R) compute with floats where
 * they are given halves, and their node is the conversion back. */
const FdNode *fd_apply(Fd *fd, const FdNode *fn, int n, const FdNode *const *args, FdLoc loc);
/* Applies an operation; `to` is the result kind for CONVERT and ignored otherwise. */
const FdNode *fd_apply_op(Fd *fd, FdOp op, ScalarKind to, int n, const FdNode *const *args,
                          FdLoc loc);
/* The same, folded and simplified. */
const FdNode *fd_simple_op(Fd *fd, FdOp op, ScalarKind to, int n, const FdNode *const *args);
const FdNode *fd_reduce(Fd *fd, const FdNode *fn, int nvars, const FdNode *const *vars,
                        const FdDom *doms, const FdNode *body, FdLoc loc);
const FdNode *fd_let(Fd *fd, int nvars, const FdNode *const *vars, const FdDom *doms,
                     const FdNode *body, FdLoc loc);
/* A let that reads itself through `self` (fd_var of its type); order NULL: not known yet. */
const FdNode *fd_recurrence(Fd *fd, const FdNode *self, const int8_t *order, int nvars,
                            const FdNode *const *vars, const FdDom *doms, const FdNode *body,
                            FdLoc loc);
/* fn(...fn(fn(init, body at the first point), body at the second)...). */
const FdNode *fd_fold(Fd *fd, const FdNode *fn, const FdNode *init, int nvars,
                      const FdNode *const *vars, const FdDom *doms, const FdNode *body, FdLoc loc);
/* Records: made of all fields, and read; a field of a record just made is that operand. */
const FdNode *fd_make(Fd *fd, const FdType *record, const FdNode *const *fields, FdLoc loc);
const FdNode *fd_field(Fd *fd, const FdNode *record, int field, FdLoc loc);

/* The operation of an application of an elementary operation, of an FD_LEAF_OP, or of a reduction
 * by one; else FD_OP_NONE. */
FdOp fd_op_of(const FdNode *n);
/* The user function that an application calls, a reduction combines with or a function is; NULL: it
 * is another. */
const FdUser *fd_user_of(const FdNode *n);
bool fd_is_const(const FdNode *n);
/* Is operand `arg` of an application evaluated only if it is chosen (a branch of ?:, && or ||)? */
bool fd_is_lazy(const FdNode *n, int arg);
/* Does a reduction over nothing have a value? */
bool fd_has_identity(const FdNode *reduce);
/* Has bounds, and fd_eval_bound can find both: they depend on slots' domains and scalars only. */
bool fd_range_closed(const FdDom *d);
bool fd_closed(const FdNode *n); /* no bound variable is free in it */
/* Is it a let of FD_DOM_ARRAY: made as an array? */
static inline bool fd_is_stored(const FdNode *n)
{
    return n->kind == FD_LET && n->doms[0].kind == FD_DOM_ARRAY;
}

/* ---- effects (effects.c) ---------------------------------------------------------------- */

/* What evaluating a node may do besides giving a value. Who knows more than the node itself does asks
 * further: of FD_READS the facts around, of FD_EMPTY the ranges, of FD_CALLS the bodies. */
typedef unsigned FdEffects;
enum {
    FD_DIVIDES = 1, /* integers, by what may be 0 */
    FD_READS = 2,   /* an array, or a recurrence itself, perhaps outside of it */
    FD_OUTSIDE =
        4,        /* an element of a local array at an index that no constant shows to be inside */
    FD_CALLS = 8, /* a function that is no operation and no array */
    FD_REDUCES = 16,                    /* it loops */
    FD_EMPTY = 32,                      /* a reduction without identity, perhaps over nothing */
    FD_FAILS = FD_DIVIDES | FD_OUTSIDE, /* whatever is known of reads and ranges */
    FD_MAY_FAIL = FD_FAILS | FD_READS | FD_CALLS | FD_EMPTY
};
FdEffects fd_does(const FdNode *n);    /* the node itself */
FdEffects fd_effects(const FdNode *n); /* with all below it; functions as their elements */
/* With the bodies of the functions that are called. What these read or reduce nobody around can show
 * to be inside or to be anything: it counts as FD_OUTSIDE. */
FdEffects fd_effects_called(const FdNode *n);
FdEffects fd_user_effects(const FdUser *user);            /* of its body, so; 0: it is the host's */
bool fd_element_is_shown(const FdNode *element, int dim); /* inside, by a constant index? */
bool fd_can_fail(const FdNode *n); /* FD_FAILS, itself or in a function that it calls */

/* ---- walks ---------------------------------------------------------------------------- */

enum { FD_MAX_CHILDREN = FD_MAX_PARAMS + 4 }; /* more than a binder's 3 a variable and 4 */

/* The nodes that n is made of, in the order of visit: what it binds (variables, self), then bounds,
 * function, first value, arguments, body. Gives their number, FD_MAX_CHILDREN at most. */
int fd_children(const FdNode *n, const FdNode **out);
/* How many of them the node binds: the first ones. */
static inline int fd_nbound(const FdNode *n)
{
    return n->nvars + (n->self != NULL);
}
static inline const FdNode *fd_bound_var(const FdNode *n, int i)
{
    return i < n->nvars ? n->vars[i] : n->self;
}

/* Is n evaluated wherever the body is? */
bool fd_always(const FdNode *body, const FdNode *n);
/* Does `is` hold for root or a node below it? Each is asked once, in no certain order; bodies of
 * user functions are not looked into. Does not recurse. */
typedef bool FdIs(const void *ctx, const FdNode *n);
bool fd_any(const FdNode *root, FdIs *is, const void *ctx);
/* Do two binders have the same variables, over the same ranges? */
bool fd_same_ranges(const FdNode *a, const FdNode *b);

/* The nodes that a walk has met, so that it looks at each once: a graph that is shared in every
 * step has exponentially many paths. Zero at first; fd_seen_free gives the memory back. */
typedef struct FdSeen {
    uint64_t *bits;
    size_t words;
} FdSeen;
bool fd_meet(FdSeen *seen, const FdNode *n); /* true at the first time */
void fd_seen_free(FdSeen *seen);

/* A walk over nodes, each once, what was added last first. It does not recurse: chains can be long.
 *
 *     FdWalk w = fd_walk(root);
 *     for (const FdNode *n; (n = fd_walk_next(&w));) fd_walk_below(&w, n);
 *     fd_walk_end(&w);
 */
typedef struct FdWalk {
    VEC(const FdNode *) stack;
    FdSeen seen;
} FdWalk;
FdWalk fd_walk(const FdNode *root);
const FdNode *fd_walk_next(FdWalk *w); /* NULL: there is none left */
void fd_walk_add(FdWalk *w, const FdNode *n);
void fd_walk_below(FdWalk *w, const FdNode *n);  /* adds its children, to be met in their order */
void fd_walk_always(FdWalk *w, const FdNode *n); /* of an operation: arguments that it always has */
void fd_walk_end(FdWalk *w);

/* ---- user functions ------------------------------------------------------------------- */

/* A user function usable under promotion. With a body it can run on a device: statements over
 * expression nodes in which FD_VAR_LOCAL nodes are its parameters and mutable locals (nodes are
 * hash-consed as expressions, so an expression is re-evaluated at each statement that holds it).
 * Without a body it is called on the host through its symbol. */
typedef enum FdStmtKind {
    FD_STMT_SET,  /* var = expr (declares var at its first); local arrays are copied */
    FD_STMT_IF,   /* if (expr) then else other */
    FD_STMT_LOOP, /* forever: body, step; `continue` goes to step; left by break or return */
    FD_STMT_BREAK,
    FD_STMT_CONTINUE,
    FD_STMT_RETURN, /* return expr */
    FD_STMT_PUT,    /* var, an element of a local array, = expr; checked after expr */
    FD_STMT_CLEAR   /* the elements of the local array var are zeros */
} FdStmtKind;

typedef struct FdStmt {
    FdStmtKind kind;
    const FdNode *var, *expr;
    struct FdStmt *body, *other; /* IF: then, else; LOOP: body, step */
    struct FdStmt *next;
    FdLoc loc;
} FdStmt;

struct FdUser {
    const char *name;   /* unique symbol, e.g. "collatz" */
    const FdType *type; /* a function type */
    int nparams;
    const FdNode *params[FD_MAX_PARAMS]; /* FD_VAR_LOCAL */
    const FdStmt *body;                  /* NULL: host only */
    /* For reductions by it: may be regrouped, reordered; what an empty one gives (a constant, or
     * made of constants), NULL: a DomainException. */
    bool associative, commutative;
    const FdNode *identity;
};

/* Declares a function, then defines it (bodies may use other users, not recursively). The Fd keeps
 * users by name; declaring a name again returns the first. */
FdUser *fd_user_declare(Fd *fd, const char *name, const FdType *type);
FdUser *fd_user_find(Fd *fd, const char *name);

#endif
