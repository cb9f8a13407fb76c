/* The functional DAG (the C$ paper, section 4): what the compiler and the runtime both build,
 * transform, compare and lower to kernels.
 *
 * Leaves: scalar, function, bound variable. Inner nodes: application, reduction, introduction of
 * bound variables (let). Nodes are immutable and hash-consed: within one Fd equal structure is the
 * same pointer. An Fd owns its nodes; it is not thread-safe and keeps no global state.
 *
 * A *graph* (FdGraph) is a root with its free leaves, the slots: array, functional or scalar values
 * given from outside. csc embeds one graph in text form for each functional expression of a
 * program; at run time a lazy value is a graph and the values of its slots. Evaluating composes the
 * graphs of all lazy values below (fd_substitute), giving a graph whose slots are arrays, scalars
 * and host functions only; its key (fd_key) finds the kernels.
 */
#ifndef CS_FDAG_H
#define CS_FDAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/arena.h"
#include "../base/scalar.h"
#include "../base/text.h"
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

/* ---- graphs --------------------------------------------------------------------------- */

typedef struct FdSlot {
    const FdType *type; /* scalar or function; of temporaries also a record */
    bool is_array;      /* a function slot that is known to be an array */
    const char *name;
    /* NULL: given from outside. Else a temporary, made by the passes fuse and hoist: the let (or
     * closed scalar expression) to evaluate first; it may use earlier slots. */
    const FdNode *def;
    const char *why; /* of a temporary: why it is one, for people; else NULL */
    bool
        optional; /* a temporary that its readers may as well compute, each element where it is read */
} FdSlot;

/* A function that a graph applies and that is no temporary: it is computed where it is applied. */
typedef struct FdFused {
    const FdNode *let;
    double cost, times; /* operations of an element; evaluations of each, where loops repeat them */
} FdFused;

/* A condition of language section 4 that is checked when the expression is built: parameter a_dim
 * of function a and b_dim of b have equal ranges (found by domain inference), or that of a, a
 * slice, lies inside that of b and does not end before it begins. Of functions that the root takes
 * as its parameters: when it is applied. */
typedef struct FdAgree {
    const FdNode *a, *b; /* function nodes: slots, closed lets, or variables of the root */
    int a_dim, b_dim;
    bool inside;
    FdLoc loc;
} FdAgree;

/* What evaluating a graph gives: all values of a function, as an array, or a scalar. */
typedef struct FdResult {
    /* A let or a scalar expression; a slot of functional type: the function that it stands for, or the
     * temporary that is the result. A let of FD_DOM_ARRAY is made as an array, which other results may
     * read; lets that bind the same variables are made side by side. */
    const FdNode *node;
    /* NULL: it goes into an array of its own. A slot: into that array, within which its ranges are and
     * the rest of which stays. It may read the array only where it stores, or where it does not store at
     * all. */
    const FdNode *part;
} FdResult;

/* A scalar slot of the middle turn (FdGraph.turns) that has another value in each: that of a slot's array. */
typedef struct FdMoving {
    const FdNode *slot, *values;
} FdMoving;

typedef struct FdGraph {
    int nresults; /* one at least; one in programs' graphs and those below others */
    FdResult *results;
    /* Attributes of what it is made of, for schedules: "Tile=4,2 Unroll=2", NULL: none. The outermost
     * stand first. */
    const char *hints;
    /* NULL, or an integer slot's node, of steps of a loop: three turns of it are composed, of which the
     * middle one's definitions stand for so many, one at least. Each of these is made of what the turn
     * before it gave, as the middle one is made of the first. Kernels that keep steps by rows make it. */
    const FdNode *turns;
    int nmoving;
    FdMoving *moving;
    int nslots;
    FdSlot *slots;
    int nagrees;
    FdAgree *agrees;
    int nfused; /* what the pass fuse left, in no graph that is read or copied */
    const FdFused *fused;
} FdGraph;

/* The node of the first result. */
bool fd_is_result(const FdGraph *g, const FdNode *n);
size_t fd_ids(const FdGraph *g); /* more than any id of a node in the results */
static inline const FdNode *fd_root(const FdGraph *g)
{
    return g->results[0].node;
}
/* Gives g this one result in place of what it has. */
void fd_set_root(Fd *fd, FdGraph *g, const FdNode *node);

/* A word of `hints`, of steps of a loop, each read by the next: they are better made one after the other
 * than by kernels that store them. */
#define FD_HINT_STEPS "Steps"
/* Another, of results that bind the same variables: each may take the memory of a slot that is read at the
 * element which is computed, and nowhere else. */
#define FD_HINT_OVER "Over"

/* The hints of both, in this order, each word once, in fd's arena; NULL: none. */
const char *fd_hints_join(Fd *fd, const char *first, const char *more);
bool fd_hints_have(const char *hints, const char *word);
/* How reals are computed: [Precise] anywhere in a graph counts for all of it, and before [Fast]. */
typedef enum FdReals { FD_REALS_USUAL, FD_REALS_PRECISE, FD_REALS_FAST } FdReals;
FdReals fd_hints_reals(const char *hints);

/* Several graphs of fd as one: all scalars, or all functions of one rank. slots: for each slot of the
 * part the slot of the new graph that it is, or ~k: it is what part k, an earlier one, gives. */
typedef struct FdPart {
    const FdGraph *graph;
    const int *slots;
    bool
        inner; /* only later parts ask for what it gives: it is no result of functions side by side */
} FdPart;
/* The new graph's agreements say that the parts' ranges are equal. NULL if it cannot be made: a
 * part is a recurrence, infinite, reads an earlier one elsewhere than at its own point, or computes
 * reals otherwise than the first does. */
FdGraph *fd_several(Fd *fd, int n, const FdPart *parts, int nslots, const FdSlot *slots);
/* The same of parts with ranges of their own: arrays (FD_DOM_ARRAY), behind one result that has the scalars. NULL as
 * above. */
FdGraph *fd_apart(Fd *fd, int n, const FdPart *parts, int nslots, const FdSlot *slots);
/* The graph of the last part with what the parts before it give as functions in it: arrays that
 * nobody else reads are not made for its sake. They may be read anywhere; those of which reads
 * cannot be shown to be inside are stored (FD_DOM_ARRAY), since an array says if one is not. NULL as
 * above. */
FdGraph *fd_chained(Fd *fd, int n, const FdPart *parts, int nslots, const FdSlot *slots);
/* The function as an array (FD_DOM_ARRAY). */
const FdNode *fd_stored(Fd *fd, const FdNode *let);
/* What is made of functions of a type by their domains: f within given ranges, or f ?? g. full: bit d
 * says that dimension d of the result is infinite; full_first: of f. Slots: f, (g or the array,) then lo
 * and hi of each finite dimension of the result, then of f (all of it for f ?? g, none otherwise). */
typedef struct FdChosen {
    const FdType *type;
    uint32_t full, full_first;
    bool choice; /* f ?? g: where f has no value that of g */
    bool moved;  /* f within ranges: f(i - lo) */
    bool into;   /* f within ranges, into an array (FdResult.part) */
} FdChosen;
FdGraph *fd_chosen(Fd *fd, const FdChosen *c);
bool fd_same_chosen(const FdChosen *a, const FdChosen *b);
/* A graph over n functions of these types: arrays of all that they give. What it is composed with has to be
 * lets without recurrences. */
FdGraph *fd_arrays(Fd *fd, int n, const FdType *const *types);
/* The same of functions whose ranges are those of the first, side by side. */
FdGraph *fd_results(Fd *fd, int n, const FdType *const *types);
/* Is evaluating it better than one part after the other, if its functions are what they are in this
 * graph? There must be expensive work that the parts share. Without any reductions it spares launches
 * at least, which small arrays feel; large ones would be too many streams for a cache. (Sums that
 * share little are better off each with a schedule of its own.) */
typedef enum FdPays { FD_PAYS_UNKNOWN, FD_PAYS_NOT, FD_PAYS_SMALL, FD_PAYS } FdPays;
FdPays fd_several_pays(const FdGraph *g);
/* Is there expensive work that several results are made of, by way of a function or a value that is closed? What
 * another result gives does not count. */
bool fd_shares_work(const FdGraph *g);

/* ---- text ----------------------------------------------------------------------------- */

/* Prints a graph: its user functions, slots, nodes in order, agreements, root. fd_read reads it
 * back to an equal graph (same key). The format is described in docs/fdag.md. */
void fd_print(Text *out, const FdGraph *g);
void fd_print_dot(Text *out, const FdGraph *g); /* Graphviz */
/* NULL on a syntax or type error, with *error set to "line N: why" in the Fd's arena. */
FdGraph *fd_read(Fd *fd, const char *text, const char **error);
/* One node as an expression for messages: "a(j, l) * b(l, k)". */
void fd_print_expr(Text *out, const FdNode *n);

/* NULL if the graph is well formed, else what is wrong (in the Fd's arena). */
const char *fd_verify(Fd *fd, const FdGraph *g);

/* ---- keys ----------------------------------------------------------------------------- */

typedef struct FdKey {
    uint64_t hi, lo;
} FdKey;

/* The structural key: equal for graphs that differ only in names of variables and slots and in
 * numbers of slots. Range bounds count as they are written: over LOWER and UPPER of slots and over
 * scalar slots, so that extents stay symbolic while the key says which of them coincide. Bound
 * variables, slots and ranges are numbered by first visit; `order`, if not NULL, receives that
 * numbering. */
typedef struct FdOrder {
    int nslots;
    int *slots; /* k-th visited slot -> slot number of the graph */
    int nranges;
    const FdNode **range_binder; /* k-th closed range: its binder ... */
    int *range_index;            /* ... and the variable's index there */
    int nnodes;                  /* of the graph */
    int nplaces; /* with those of the bodies of the functions that it names, which follow */
    const FdNode **nodes; /* k-th visited node: error sites are numbers in this list */
} FdOrder;
FdKey fd_key(Fd *fd, const FdGraph *g, FdOrder *order); /* order's arrays live in the arena */

/* Replaces the position of each node of an order by its number there (the first one), counted from
 * 1 as the line: what passes make of the graph then tells where it came from, and the same for all
 * graphs of one key. Returns the positions before, by number; they live in the arena. */
const FdLoc *fd_number_places(Fd *fd, const FdOrder *order);
/* The user function in whose body n is; NULL if n is among the nodes of the graph of root itself
 * (or nowhere below it). */
const FdUser *fd_user_around(const FdNode *root, const FdNode *n);

/* ---- rebuilding ----------------------------------------------------------------------- */

/* Rebuilds n bottom-up, each node replaced by map(ctx, rebuilt node) (NULL keeps it). Bound
 * variables are kept. Sharing is kept: each node is visited once. */
typedef const FdNode *FdMap(void *ctx, Fd *fd, const FdNode *n);
const FdNode *fd_rewrite(Fd *fd, const FdNode *n, FdMap *map, void *ctx);

/* Replaces slot i by values[i] (NULL keeps it), renaming bound variables of inserted lets apart.
 * n may belong to another Fd: the result belongs to fd. */
const FdNode *fd_substitute(Fd *fd, const FdNode *n, const FdNode *const *values, int nvalues);
/* The same in n results, which go on sharing what they share. */
void fd_substitute_all(Fd *fd, int n, const FdResult *results, const FdNode *const *values,
                       int nvalues, FdResult *out);

/* A copy of a graph that shares nothing with it, in fd (another one or the same). */
FdGraph *fd_graph_copy(Fd *fd, const FdGraph *g);

/* Is variable v free in n? */
bool fd_uses_var(const FdNode *n, const FdNode *v);

/* ---- domains -------------------------------------------------------------------------- */

/* The symbolic range of parameter d of a function node (let: its own; slot: LOWER/UPPER of it;
 * operation, user function: full; int or long nodes for bounds). */
FdDom fd_domain(Fd *fd, const FdNode *f, int d);

/* A concrete domain. */
typedef struct FdBox {
    int rank;
    struct {
        bool full;
        int64_t lo, hi; /* [lo, hi) */
    } dim[FD_MAX_RANK];
} FdBox;
static inline int64_t fd_box_length(const FdBox *box, int d) /* of a finite dimension */
{
    return box->dim[d].hi - box->dim[d].lo;
}

/* Values of the slots of a graph, for evaluation of closed scalar nodes. */
typedef struct FdEnv {
    const FdBox *boxes;         /* a function slot's domain */
    const ScalarValue *scalars; /* a scalar slot's value */
} FdEnv;

/* A number as far as it is known before: an atom, which is a number that nobody knows (0: none), and an offset. */
typedef struct FdLinear {
    bool known;
    uint32_t atom;
    int64_t offset;
} FdLinear;

/* What is known of a slot before there is a value. */
typedef struct FdKnown {
    FdLinear value;                            /* of a scalar */
    FdLinear lo[FD_MAX_RANK], hi[FD_MAX_RANK]; /* of an array: its domain */
} FdKnown;

typedef enum FdBoundStatus {
    FD_BOUND_OK,
    FD_BOUND_INFINITE, /* asks for a bound of a full domain */
    FD_BOUND_DIVIDE_BY_ZERO,
    FD_BOUND_OPEN /* depends on a bound variable or on values of an array */
} FdBoundStatus;

/* Evaluates a closed integer node (constants, scalar slots, LOWER/UPPER, operations). */
FdBoundStatus fd_eval_bound(const FdNode *n, const FdEnv *env, int64_t *out);
/* The concrete domain of a function node or let root. */
FdBoundStatus fd_eval_box(Fd *fd, const FdNode *f, const FdEnv *env, FdBox *out);

/* Elements of the root; 1 of a scalar. */
double fd_elements(const FdGraph *g, const FdEnv *env);
bool fd_has_loop(const FdStmt *s); /* here or inside, or behind it */
/* Operations that an element takes, ranges of reductions being as long as they are. Coarse. */
double fd_work(const FdGraph *g, const FdEnv *env);
/* Those of all elements, of arithmetic alone, without indices: what rates are told in. */
double fd_operations(const FdGraph *g, const FdEnv *env);

/* ---- passes --------------------------------------------------------------------------- */

typedef struct FdError { /* a user error found by a pass; message NULL: none */
    const char *message; /* in the Fd's arena */
    FdLoc loc;
    const FdNode *at;
} FdError;

/* One machine-independent pass. False with *error set on a user error. */
typedef bool FdPassFn(Fd *fd, FdGraph *g, FdError *error);
typedef struct FdPass {
    const char *name;
    FdPassFn *run;
} FdPass;

/* The passes of passes/, each a file with one entry point:
 *   fold        constant folding
 *   domains     domain inference: OPEN becomes INFERRED or FULL, agreements are added (language 4)
 *   recur       finds the order of each recurrence; an error if none makes all uses earlier points
 *               (one that depends on functions still to come stays without)
 *   beside      results that bind the same variables become one, a function of records; first of the
 *               back passes
 *   inline      user functions without loops become the values that they compute
 *   share       reductions over equal ranges use the same variables
 *   fuse        fuse-or-materialise: a function applied where inlining it would recompute something
 *               expensive becomes a temporary, an FdSlot with a definition. It is
 *               before compose: once that has inlined a function nobody sees that it was shared
 *   compose     beta reduction: applications of lets and inlinable users
 *   simplify    algebraic simplification
 *   hoist       a reduction that does not use all loops around it becomes a temporary
 *   deadparams  temporaries and arguments of user functions that nothing uses
 * Given slots keep their numbers in all passes; temporaries are appended.
 */
extern const FdPass
    fd_front_passes[]; /* csc, once per graph: fold, domains, recur; ends with name NULL */
extern const FdPass
    fd_back_passes[]; /* before codegen: beside, inline, share, fuse, compose, recur,
                                         fold, simplify, what regroups reductions, share, hoist,
                                         deadparams */
extern const FdPass fd_precise_passes[]; /* the same without what regroups */
extern const FdPass fd_fast_passes[];    /* with powers, too */
const FdPass *fd_back_passes_for(FdReals reals);
const FdPass *fd_pass_find(const char *name); /* NULL if there is none */
const FdPass *fd_pass_at(int i);              /* all passes; NULL behind the last */
/* Runs a list; verifies between passes unless NDEBUG, aborting with the pass's name. `dump`, if not
 * NULL, receives the graph after pass `dump_after`. */
bool fd_run_passes(Fd *fd, FdGraph *g, const FdPass *passes, FdError *error, const char *dump_after,
                   Text *dump);

/* After the back passes, for code generation only: applications of user functions that are given
 * functions become ones of functions that know them, whose bodies may apply slots. */
void fd_specialise(Fd *fd, FdGraph *g);
/* Likewise: arrays of records that are read across become ones of their fields. */
void fd_fields_apart(Fd *fd, FdGraph *g);

#endif
