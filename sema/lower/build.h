/* What the files of lowering share: one Lower per unit, and in it the graph that is being built.
 * A builder that cannot lower something returns NULL and leaves the reason; its caller
 * passes the NULL on, up to whoever can report it or do without.
 */
#ifndef CS_SEMA_LOWER_BUILD_H
#define CS_SEMA_LOWER_BUILD_H

#include "../../base/vec.h"
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

/* What the graph takes from the host: its slots begin at `slot`. */
typedef struct LowerCapture {
    Ast *value;
    int slot;
} LowerCapture;

/* A user function as graphs see it: `this` of a method comes first; a constructor gives its object.
 */
typedef struct LowerSignature {
    int n;
    Symbol *params[FD_MAX_PARAMS];
    const Type *result;
    Ast *body;
} LowerSignature;

/* A user function that graphs use. The fields that it and what it calls read, static ones and those
 * of `this` if that is an object, are parameters that follow its own: they are captured when the
 * expression is built. */
typedef struct LowerUser {
    Symbol *sym;
    FdUser *user;
    Ast *fields[FD_MAX_PARAMS]; /* MEMBER nodes */
    int nfields;
    const char *hints; /* its own and of what it calls, NULL: none */
    bool busy;         /* its body is being lowered: a use is recursion */
    const char *why;   /* it runs on the host, and why; NULL: it has a body */
    Loc why_loc;
} LowerUser;

/* An object whose Invoke is part of the graph: its fields are captured. */
typedef struct LowerObject {
    const Symbol *self; /* `this` inside */
    Ast *value;         /* the host expression */
} LowerObject;

/* Why something could not be lowered: the first reason stays. */
typedef struct LowerReason {
    const char *why; /* NULL: there is none */
    Loc loc;
} LowerReason;

/* What is lowered: the graph itself, or a function in it. Contexts lie on the stack, the innermost first. */
typedef struct LowerContext {
    const struct LowerContext *outer;
    bool sealed;                 /* inside a function: there is nothing to capture */
    const LowerUser *user;       /* the function whose body becomes an FdUser, or NULL */
    const FdNode *const *fields; /* the nodes of its fields */
    const LowerObject *object;   /* the object whose Invoke is inlined, or NULL */
    Text *hints;                 /* attributes that steer kernels, as FdGraph.hints */
    LowerReason *reason;
} LowerContext;

typedef struct Lower {
    SemaResult *r;
    const Sources *sources;
    Diags *diags;
    Arena *arena;
    Fd *fd;
    VEC(SemaGraph) graphs;
    VEC(Symbol *) host_users;
    VEC(LowerSwap) swaps;
    VEC(Ast *) assigns; /* of functional values */
    VEC(LowerUser) users;
    VEC(const Class *) hosted;    /* whose Invoke was found to be the host's */
    VEC(const Symbol *) inlining; /* functions being inlined, outermost first */

    /* The graph being built. While it is, Symbol.fdag of a bound variable, and of a parameter or
     * local of a function that is inlined or lowered, is its node; all other variables are
     * captured. */
    VEC(FdSlot) slots;
    VEC(LowerCapture) captures;
    VEC(LowerPlace) places;
    const AstList *around;       /* attributes of the function whose body is being lowered */
    int nopen;                   /* ranges so far that domain inference must find */
    int nbranches;               /* operands around that may not be evaluated */
    VEC(FdAgree) slices;         /* inside what they are of */
    VEC(const FdNode *) derived; /* variables of the derivatives around */
    const LowerContext *in;
    LowerContext graph; /* the outermost context, with these */
    Text hints;
    LowerReason reason;
} Lower;

/* Makes a context like the one around it, which the caller changes; it holds until it is left. */
static inline void lower_enter(Lower *l, LowerContext *context)
{
    *context = *l->in;
    context->outer = l->in;
    l->in = context;
}
static inline void lower_leave(Lower *l)
{
    l->in = l->in->outer;
}

/* ---- lower.c ----------------------------------------------------------------------------- */

FdLoc lower_loc(const Lower *l, Loc loc);
/* Remembers where a node comes from (the first place stays) and returns it. */
const FdNode *lower_place(Lower *l, const FdNode *n, Loc loc);
/* The source range of a pass's error: the shortest one that begins at its line and column (a use of
 * the variable), else that of its node, else the one given. */
Loc lower_error_place(const Lower *l, const FdError *e, Loc otherwise);
/* Attributes of a part of the graph that is being built, of what steers kernels. */
void lower_hints(Lower *l, const AstList *attrs);
void lower_hint_words(Lower *l, const char *words); /* NULL: none */
/* Leaves the reason, unless there is one already. Returns NULL. */
const FdNode *lower_fail(Lower *l, Loc loc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* An AST_GRAPH of this type of what `build` makes of n; NULL, and nobody is told, if that is NULL. */
Ast *lower_graph(Lower *l, const FdNode *build(Lower *l, const Ast *n), const Ast *n,
                 const Type *type);

const char *lower_graph_text(Lower *l, const FdGraph *g); /* what programs embed */

/* ---- together.c: evaluations that follow each other ------------------------------------- */

/* Makes TOGETHER statements in every body of the unit, once expressions are replaced. */
void lower_together(Lower *l);

/* ---- over.c: x = f(x) ------------------------------------------------------------------- */

/* An assignment, once expressions are replaced: may its graph's result take the memory of the variable's
 * array? */
void lower_over(Lower *l, Ast *assign);

/* The capture of a graph, an array that is read at the element which is computed and nowhere else, and that its
 * variable gives up as gives() says: the result may take its memory (AST_GRAPH.over). NULL: there is none. */
const Ast *lower_over_capture(Lower *l, Ast *graph, bool (*gives)(void *ctx, const Ast *capture),
                              void *ctx);

/* ---- put.c: elements that are set in a loop ----------------------------------------------- */

/* Makes PUT statements in every body of the unit, once expressions are replaced. */
void lower_put(Lower *l);
/* Makes of those that are of no turns of a loop, as far as csc foresees, what they were. */
void lower_put_back(SemaResult *r);

/* ---- uses.c ------------------------------------------------------------------------------ */

/* How often n, and what is below it, names a variable. */
int lower_uses(Ast *n, const Symbol *sym);
Ast *lower_name(Arena *arena, Loc loc, Symbol *sym); /* names it */
/* May evaluating n change a variable, or something that is read elsewhere? */
bool lower_changes(Ast *n);

/* ---- scalars/scalars.c --------------------------------------------------------------------- */

/* Local arrays of a few elements become variables, in every body of the unit, once expressions are replaced. */
void lower_scalars(Lower *l);

/* ---- dead.c: what is given another array before anybody looks ----------------------------- */

/* The same of variables that another statement gives another array, in every body of the unit. */
void lower_dead(Lower *l);

/* ---- record.c: types, and values of final classes ------------------------------------- */

/* NULL if the type has no scalars at its leaves; says nothing. */
const FdType *lower_type(Lower *l, const Type *t);
const FdType *lower_type_in(Fd *fd, const Type *t);  /* the same, between graphs */
const FdNode *lower_zero(Lower *l, const FdType *t); /* of a scalar or record */
/* The record with one field replaced. */
const FdNode *lower_with_field(Lower *l, const FdNode *record, int field, const FdNode *value,
                               Loc loc);
/* values[0] ? values[1] : values[2], of scalars or records. */
const FdNode *lower_select(Lower *l, const FdNode *const *values, Loc loc);
/* New slots for a captured value, one a leaf; the value that is in the slots from `first` on. */
void lower_add_slots(Lower *l, const FdType *t, const char *name, bool is_array);
const FdNode *lower_slots(Lower *l, const FdType *t, int first);

/* ---- listed.c --------------------------------------------------------------------------- */

/* What lower_is_listed as a function that chooses by its index. */
const FdNode *lower_listed(Lower *l, const Ast *n);

/* ---- capture.c: what the graph takes from the host ----------------------------------- */

/* Is the expression a graph of its own right, rather than a host operation? */
bool lower_is_machinery(const Lower *l, const Ast *n);
/* Does it use a variable that has a node in the graph being built? */
bool lower_is_free(const Ast *n);
/* Is the value computed by the host, before the graph? */
bool lower_is_captured(Lower *l, const Ast *n);
const FdNode *lower_capture(Lower *l, const Ast *n);
/* Equal host expressions without calls or writes: one capture serves both. */
bool lower_same_value(const Ast *a, const Ast *b);
const FdNode *lower_no_type(Lower *l, const Ast *n); /* fails: no graph holds values of its type */
Ast **lower_callee(Ast *n);                          /* of a CALL, INDEX */
/* The children that are values: the name of a called function is none, but x of x.F() is one. */
void lower_each_value(Ast *n, void (*visit)(Ast **child, void *ctx), void *ctx);
/* The library row of a call, member or name; NULL if it means something else. */
const Builtin *lower_builtin(const Ast *n);

/* ---- expr.c: operations --------------------------------------------------------------- */

enum { LOWER_MAX_OPERANDS = FD_MAX_PARAMS };

/* A scalar or function node. */
const FdNode *lower_expr(Lower *l, const Ast *n);
/* n, which is functional, at the point args; promoted operations take their operands at it
 * directly. */
const FdNode *lower_at(Lower *l, const Ast *n, const FdNode *const *args);
/* Operands of an operation; the instance of a method comes first. */
int lower_operands(const Ast *n, const Ast **out);
/* Is this argument a function for a parameter that is one, rather than an operand? */
bool lower_is_passed(const Ast *n, int operand);
bool lower_is_method_call(const Ast *n);
const FdNode *lower_op(Lower *l, FdOp op, int n, const FdNode *const *args, Loc loc);
const FdNode *lower_convert(Lower *l, const FdNode *n, const FdType *to, Loc loc);
const FdNode *lower_query(Lower *l, FdOp op, const FdNode *f, int dim);

/* ---- bind.c: what binds variables ------------------------------------------------------------ */

const FdNode *lower_let(Lower *l, const Ast *n); /* LET, LAMBDA, DEFINE */
const FdNode *lower_reduce(Lower *l, const Ast *n);
const FdNode *lower_range(Lower *l, const Ast *n);
/* An index or bound of a range: a number that the host computes if no bound variable is in it. */
const FdNode *lower_index(Lower *l, const Ast *n);
/* A functional expression that is pointwise: let over fresh variables of the value at them. */
const FdNode *lower_pointwise(Lower *l, const Ast *n);

/* Fold(f, init, step) */
bool lower_is_fold(const Ast *n);
const FdNode *lower_fold(Lower *l, const Ast *n);

/* ---- domain.c: functions made of functions by changing their domain ------------------ */

bool lower_is_slice(const Ast *n); /* INDEX with .. or ^ in its brackets */
const FdNode *lower_slice(Lower *l, const Ast *n);
/* Is the element of f at vars one of f[..]? The graph is checked as one that reads that. NULL: all are, or the indices
 * cannot be lowered. */
const FdNode *lower_is_within(Lower *l, const FdNode *f, const Ast *part,
                              const FdNode *const *vars);
/* The element of a function from 0 on that f[..] gets at vars. The graph is checked: it has to be as long. NULL: the
 * indices cannot be lowered. */
const FdNode *lower_moved(Lower *l, const FdNode *value, const FdNode *f, const Ast *part,
                          const FdNode *const *vars);
bool lower_is_extension(const Ast *n);   /* Clamp, Periodic, Mirror, Constant, Range */
bool lower_is_progression(const Ast *n); /* Range, which is finite */
const FdNode *lower_extension(Lower *l, const Ast *n);
const FdNode *lower_coalesce(Lower *l, const Ast *n); /* f ?? g */

/* ---- derive.c: derivatives ------------------------------------------------------------ */

bool lower_is_derivative(const Ast *n);
const FdNode *lower_derivative(Lower *l, const Ast *n);

/* ---- class.c: objects ---------------------------------------------------------------- */

/* A conversion to a functional type of an object whose Invoke can be part of a graph. */
bool lower_is_invoked(const Lower *l, const Ast *n);
const FdNode *lower_invoked(Lower *l, const Ast *n);
/* The captured field of the object whose Invoke is lowered. */
const FdNode *lower_object_field(Lower *l, const Ast *n);
/* A call that only the host can make because its first operands are strings or objects: how many;
 * else 0. It is a function of the other operands, and captured. */
int lower_hosted_operands(Lower *l, const Ast *n);
const FdNode *lower_hosted_call(Lower *l, const Ast *n, int count, const FdNode *const *values);

/* ---- user/: user functions -------------------------------------------------------------------- */

/* Warns that calls of sym stay on the host, with the reason. */
void lower_report_host(Lower *l, const Symbol *sym, const LowerReason *reason, Loc loc);
/* Of n arguments as the signature lists them. */
const FdNode *lower_call(Lower *l, Symbol *sym, int n, const FdNode *const *args, Loc loc);
/* A new object: fields in order for a plain constructor, else the constructor's call. */
const FdNode *lower_construct(Lower *l, Symbol *ctor, int n, const FdNode *const *args, Loc loc);
/* What the function is called in graphs: no two alike (user_name.c). */
const char *lower_user_name(Lower *l, const Symbol *sym);
/* The function as a node, for reductions. */
const FdNode *lower_user(Lower *l, Symbol *sym, Loc loc);
bool lower_is_static(const Ast *n); /* a static field */
/* A static field, or one of the object whose method is lowered: graphs capture it, bodies get it as
 * a parameter. */
const FdNode *lower_outer_field(Lower *l, const Ast *n);
/* The body of a function, whose parameters have their nodes, as statements; NULL with `why`. */
const FdStmt *lower_body(Lower *l, const LowerSignature *sig);

/* special.c: functions that are given functions get copies for these. To be called when all is lowered: only code
 * of the host is made of the copies. */
void special_functions(SemaResult *r, Arena *arena);

#endif
