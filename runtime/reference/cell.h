/* What the reference executor makes of FDAG nodes: cells with operands resolved, and variables.
 *
 * A variable that gets a value gets a new number of the clock, its epoch. A cell keeps its last
 * value with the newest epoch of the variables that it depends on: the value holds while that is
 * the same, so what an inner loop does not change is computed once for it. Scopes nest, which makes
 * the test exact.
 *
 * An argument of a let is evaluated when its variable is first read: the variable keeps the cell
 * and the scope of the application, and reading it goes back to that scope for as long as the cell
 * is evaluated.
 *
 * A record is its leaves, one value a scalar field. Whoever asks for one gives the room for them;
 * rooms of arguments last as long as the application (a stack). */
#ifndef CS_RUNTIME_REF_CELL_H
#define CS_RUNTIME_REF_CELL_H

#include "../../base/vec.h"
#include "ref.h"

typedef enum CellKind {
    CELL_CONST,
    CELL_SLOT, /* scalar, array or closure */
    CELL_VAR,
    CELL_OP,     /* as a value: op on args; as a function: the operation */
    CELL_BOUND,  /* LOWER, UPPER of function fn in dimension `dim` */
    CELL_MAKE,   /* a record of args; as a function: making it */
    CELL_FIELD,  /* leaves from `at` of args[0]; as a function: reading them */
    CELL_APPLY,  /* fn on args */
    CELL_REDUCE, /* fn over vars of body */
    CELL_LET,    /* a function; a recurrence with `self` */
    CELL_USER    /* a function */
} CellKind;

typedef struct RefVar {
    ScalarValue value;   /* of a scalar */
    ScalarValue *record; /* room for the leaves of a record, or of an array's elements */
    const FdNode *array; /* of a local array: its variable */
    uint64_t epoch;
    struct Cell *fn; /* the function that it stands for, if its type is one */
    const FdNode *node;
    struct Cell *lazy;   /* what the value will be, evaluated in `scope`; NULL: it is */
    struct Scope *scope; /* NULL: outside all */
} RefVar;

/* Variables bound by an application or a reduction under way, and what they were outside. */
typedef struct Scope {
    struct Scope *outer;
    int n;
    RefVar **vars;
    RefVar *hidden; /* room for n */
} Scope;

/* Arguments of an application, and those for the function that it gives. */
typedef struct Args {
    int n;
    RefVar *args;
    const FdNode *node; /* of the application, for messages */
    struct Args *next;  /* NULL: it gives a value */
} Args;

typedef struct RefStmt {
    FdStmtKind kind;
    RefVar *var;
    struct Cell *expr, *place; /* PUT: the element */
    struct RefStmt *body, *other, *next;
    FdLoc loc;
} RefStmt;

typedef struct RefUser {
    const FdUser *user;
    VEC(RefVar *) vars;     /* its parameters, then its locals */
    RefStmt *body;          /* NULL: native */
    struct Cell *identity;  /* NULL: none */
    const CsNative *native; /* found at the first call */
} RefUser;

/* The values of a recurrence, leaf by leaf of each element, row-major. */
typedef struct Table {
    FdBox box;
    ScalarValue *values;
    uint64_t stamp;      /* as in Cell; 0: none yet */
    const int64_t *now;  /* the element being evaluated; NULL: not being filled */
    struct Table *below; /* what is hidden by this one */
    struct Table *idle;  /* room to hide this one in */
} Table;

typedef struct Cell {
    CellKind kind;
    FdOp op;
    ScalarKind in;  /* operand type of op */
    ScalarKind out; /* result type, of a scalar */
    bool is_record; /* its value is one */
    bool memo;
    int steps; /* of an expression that cannot fail; 0: it can, or takes long */
    int nargs, nvars, ndeps, dim, slot;
    int leaves; /* of its value or, of a function, of its results */
    int at;
    ScalarValue value;
    ScalarValue *record; /* room to keep a record */
    uint64_t stamp;
    uint64_t bounded; /* a closed bound of a range: the evaluation in which it was found */
    int64_t bound;
    FdBoundStatus status;
    RefVar *var;
    struct Cell *fn, *body, *init;
    struct Cell **args;
    RefVar **vars;
    RefVar *self;
    Table *table;           /* of a recurrence */
    struct Cell **lo, **hi; /* ranges of vars; NULL: full */
    RefVar **deps;          /* sorted by address */
    RefUser *user;
    const FdNode *node;
    Graph *made; /* of a function: the graph of the value that host functions see, once made */
} Cell;

typedef struct Chunk {
    struct Chunk *below;
    size_t used, size;
    ScalarValue values[];
} Chunk;

typedef struct Mark {
    Chunk *chunk;
    size_t used;
} Mark;

struct Ref {
    Arena *arena;
    Fd *fd; /* of the nodes */
    Cell *root;
    VEC(Cell *) cells;  /* by node id */
    VEC(RefVar *) vars; /* by variable number */
    VEC(RefUser *) users;
    int nslots;
    FdBox *boxes; /* by slot number: what fd_eval_bound sees */
    ScalarValue *scalars;
    int64_t **planes;     /* of arrays of records: offsets in the array at hand */
    int64_t *root_planes; /* of the array being filled */
    const FdType **slot_types;
    /* of the evaluation under way */
    const RtLeaf *leaves;
    const CsSite *site;
    Scope *scope; /* the innermost */
    Chunk *rooms; /* the topmost chunk of the stack of rooms */
    uint64_t clock, start;
    bool failed;
    VEC(void *) held; /* references that evaluations under way own: a stack */
    bool broken;      /* memory ran out in an evaluation: its scopes were not closed */
};

/* ---- evaluation (eval.c) ----------------------------------------------------------- */

/* An error sets `failed` and every loop ends; values are zero from there on. */
ScalarValue ref_eval_more(Ref *r, Cell *c);                /* a scalar; ask ref_eval */
void ref_eval_all(Ref *r, Cell *c, ScalarValue *out);      /* c->leaves values */
void ref_call(Ref *r, Cell *f, Args *a, ScalarValue *out); /* an application's result */
ScalarValue ref_force(Ref *r, RefVar *v);                  /* a record: into its room */
Cell *ref_function_of(Cell *f); /* variables of function type followed; NULL: it has no value */
/* The room of an element of a local array; NULL after an error. */
ScalarValue *ref_element(Ref *r, Cell *c);
/* An operation on evaluated operands. */
ScalarValue ref_operate(Ref *r, FdOp op, ScalarKind in, ScalarKind out, const ScalarValue *a,
                        const FdNode *node);
/* One bound of a range; false if it is infinite. */
bool ref_range_bound(Ref *r, Cell *c, int64_t *out);

/* Opens a scope in which the first nargs of n variables have the values and functions of `args`,
 * the others those that they have. `hidden` is room for n, until the scope is left. */
void ref_enter(Ref *r, Scope *s, int n, RefVar **vars, RefVar *hidden, int nargs,
               const RefVar *args);
void ref_leave(Ref *r);

/* A scalar. Half of all are constants and variables that have their values. */
static inline ScalarValue ref_eval(Ref *r, Cell *c)
{
    if (c->kind == CELL_CONST) return c->value;
    return c->kind == CELL_VAR && !c->var->lazy ? c->var->value : ref_eval_more(r, c);
}

static inline void ref_set(Ref *r, RefVar *v, ScalarValue value)
{
    v->value = value;
    v->lazy = NULL;
    v->epoch = ++r->clock;
}

/* The newest epoch that a value of the cell depends on. */
static inline uint64_t ref_newest(const Ref *r, const Cell *c)
{
    uint64_t newest = r->start;
    for (int i = 0; i < c->ndeps; i++)
        if (c->deps[i]->epoch > newest) newest = c->deps[i]->epoch;
    return newest;
}

/* References made by an evaluation, for as long as it needs them: whatever may run out of memory
 * finds them here (r->held). */
void ref_let_go(Ref *r, size_t from); /* releases those above */

/* An argument: a function, a value where that is simple to have, else a value by need. Its room
 * lasts until the caller releases it. */
RefVar ref_argument(Ref *r, Cell *c);

/* ---- rooms and errors (ref.c) ------------------------------------------------------- */

void ref_fail(Ref *r, RtError kind, const FdNode *node, const char *message);
void ref_look_for_interrupt(Ref *r); /* of the session: it fails then */
void ref_fail_index(Ref *r, const Cell *f, const FdBox *box, const int64_t *index,
                    const FdNode *node);

/* Rooms for records: a stack. Zeroed. */
ScalarValue *ref_room(Ref *r, int n);
/* Room for n variables: `few`, of FD_MAX_RANK, or the stack's. */
RefVar *ref_vars(Ref *r, int n, RefVar *few);
static inline Mark ref_mark(const Ref *r)
{
    return (Mark){r->rooms, r->rooms ? r->rooms->used : 0};
}
void ref_release(Ref *r, Mark m);

/* ---- functions with statements (user.c) --------------------------------------------- */

/* Arguments are evaluated. */
void ref_call_user(Ref *r, RefUser *u, int n, RefVar *args, const FdNode *node, ScalarValue *out);

/* ---- functions of the host (function.c) --------------------------------------------- */

/* A function as a value of the runtime; the caller owns the reference. NULL with an error. */
void *ref_value(Ref *r, Cell *f);
/* Calls of a closure in a slot and of a native; what gives a function gives a reference to it, the
 * caller's. Host functions see a record as one value a scalar field. */
void ref_call_closure(Ref *r, const Cell *f, RefVar *args, ScalarValue *out);
void ref_call_native(Ref *r, const RefUser *u, RefVar *args, ScalarValue *out);
/* Applies a value, whose reference it takes over, of this type to the arguments, and what it gives
 * to the next ones. */
void ref_call_value(Ref *r, void *fn, const FdType *type, Args *a, ScalarValue *out);

/* ---- what runs over ranges (loop.c) ------------------------------------------------- */

void ref_reduce(Ref *r, Cell *c, ScalarValue *out);
/* An element of a recurrence: all of it is evaluated, in its order, when the first is asked for.
 * Arguments are evaluated. */
void ref_call_recurrence(Ref *r, Cell *f, const RefVar *args, const FdNode *node, ScalarValue *out);

#endif
