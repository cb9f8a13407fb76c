/* Questions about nodes that schedules ask: how a read moves with a variable, what
 * can be computed in lanes.
 */
#include "../../../fdag/index/affine.h"
#include "divergence.h"

static bool moves_along(const FdNode *n, const FdNode *v, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return false;
    if (is_read(n)) return fd_movement(n, v) == FD_MOVES_UNIT;
    for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++)
        if (moves_along(n->args[i], v, seen)) return true;
    return false;
}

bool reads_along(const FdNode *n, const FdNode *v)
{
    FdSeen seen = {0};
    bool along = moves_along(n, v, &seen);
    fd_seen_free(&seen);
    return along;
}

/* ---- what can be in lanes ---------------------------------------------------------------------- */

enum { MOST_NODES = 4000 }; /* of the bodies that calls are written out as */

typedef struct Lanes {
    const FdNode *v;
    unsigned allowed;
    const Divergence *body; /* NULL: not in a user function */
    Arena *arena;
    int count;
    const FdNode *const *given;
    int *left;         /* of MOST_NODES */
    const FdNode **at; /* the innermost node that is in the way; NULL: none yet */
} Lanes;

typedef const char *Why; /* NULL: nothing is in the way */

static Why refused(const Lanes *l, const FdNode *n, FdSeen *seen);

static bool varies(const Lanes *l, const FdNode *n)
{
    return l->body ? divergence_varies(l->body, n) : fd_uses_var(n, l->v);
}

static Why refused_args(const Lanes *l, const FdNode *n, FdSeen *seen)
{
    Why why = NULL;
    for (int i = 0; !why && i < n->nargs; i++) why = refused(l, n->args[i], seen);
    return why;
}

/* Does each index go in even steps, which other loops could make steps of one? */
static bool moves_evenly(const FdNode *read, const FdNode *v)
{
    for (int d = 0; d < read->nargs; d++) {
        FdAffine index;
        int64_t c;
        if (fd_uses_var(read->args[d], v) &&
            (!fd_affine(read->args[d], &index) || !fd_affine_factor(&index, v, &c)))
            return false;
    }
    return true;
}

static Why refused_read(const Lanes *l, const FdNode *read, FdSeen *seen)
{
    bool far = !l->body && !fd_reads_in_lanes(read, l->v);
    bool found = l->allowed & LANES_NOTED && !moves_evenly(read, l->v); /* where elements say */
    if (far && !found && !(l->allowed & LANES_FAR)) return "reads that are not side by side";
    return refused_args(l, read, seen);
}

static Why refused_element(const Lanes *l, const FdNode *n, FdSeen *seen)
{
    if (!(l->allowed & LANES_NOTED) && fd_does(n) & FD_OUTSIDE) return "indices of local arrays";
    return refused_args(l, n, seen);
}

/* Stores apart, lane by lane, take more time than lanes save. */
static Why refused_put(const Lanes *l, const FdNode *element, FdSeen *seen)
{
    for (int d = 0; d < element->nargs; d++)
        if (varies(l, element->args[d]))
            return "local arrays that lanes set at places of their own";
    return refused(l, element, seen);
}

/* Of each work-item there is one for each lane. */
static Why refused_array(const Lanes *l, const FdNode *array)
{
    enum { MOST_BYTES = 1024 };
    if (array->type->result->record) return "local arrays of records";
    size_t bytes = scalar_bytes(array->type->result->scalar);
    *l->left -= (int)fd_extent_count(array);
    return (size_t)fd_extent_count(array) * bytes > MOST_BYTES ? "long local arrays" : NULL;
}

/* A lane that leaves is taken out of the masks of all that it leaves: where branches are deep, there
 * would be more of that than of statements. */
static Why refused_body(const Lanes *l, const DivergenceStmt *s, int depth)
{
    enum { DEEPEST = 24 };
    Why why = depth > DEEPEST ? "deep branches" : NULL;
    for (; s && !why; s = s->next) {
        FdSeen seen = {0};
        const FdNode *array = local_array_of(s->s);
        if (array) why = refused_array(l, array);
        if (!why && s->s->kind == FD_STMT_PUT) why = refused_put(l, s->s->var, &seen);
        if (!why && s->s->expr && !s->s->expr->extent) why = refused(l, s->s->expr, &seen);
        fd_seen_free(&seen);
        if (!why) why = refused_body(l, s->body, depth + 1);
        if (!why) why = refused_body(l, s->other, depth + 1);
    }
    return why;
}

static Why refused_user(const Lanes *l, const FdUser *user)
{
    if (!user->body) return "calls of the host";
    for (int i = 0; i < user->nparams; i++)
        if (user->params[i]->type->nparams) return "functions as arguments";
    if (fd_user_effects(user) & FD_READS && !(l->allowed & LANES_NOTED))
        return "functions that read arrays";
    Lanes inner = *l;
    inner.body = divergence_user(l->arena, user, NULL);
    inner.count = 0;
    return refused_body(&inner, inner.body->first, 0);
}

static bool is_range_by(const void *var, const FdNode *n)
{
    for (int i = 0; i < n->nvars; i++)
        if (n->doms[i].lo && (fd_uses_var(n->doms[i].lo, var) || fd_uses_var(n->doms[i].hi, var)))
            return true;
    return false;
}

/* As wide as the variable: what is converted to that may be a long. */
static bool is_bound_of(const FdNode *bound, const FdNode *var)
{
    if (fd_op_of(bound) == FD_OP_CONVERT) bound = bound->args[0];
    return scalar_bytes(result_kind(bound)) <= scalar_bytes(result_kind(var));
}

/* Lanes that go over ranges of their own, each to its end: one variable, no other such range inside, and an operation
 * that begins with a constant. */
static bool can_be_uneven(const Lanes *l, const FdNode *n)
{
    ScalarValue start;
    const FdDom *d = n->doms;
    return l->allowed & LANES_UNEVEN && !l->body && n->nvars == 1 && !n->init &&
           fd_op_of(n) != FD_OP_NONE && result_kind(n) != SC_HALF && fd_type_is_scalar(n->type) &&
           reduction_identity(n, &start) && is_bound_of(d->lo, n->vars[0]) &&
           is_bound_of(d->hi, n->vars[0]) && !fd_any(n->body, is_range_by, n->vars[0]) &&
           !fd_any(n->body, is_range_by, l->v);
}

static Why refused_reduce(const Lanes *l, const FdNode *n, FdSeen *seen)
{
    Why why = n->init ? refused(l, n->init, seen) : NULL;
    for (int i = 0; i < n->nvars; i++) /* lanes must agree on the range */
        if (n->doms[i].lo && (varies(l, n->doms[i].lo) || varies(l, n->doms[i].hi))) {
            if (!can_be_uneven(l, n)) return "reductions over ranges of their own";
            why = refused(l, n->doms[i].lo, seen);
            if (!why) why = refused(l, n->doms[i].hi, seen);
        }
    if (!why) why = refused(l, n->body, seen);
    if (why || fd_op_of(n) != FD_OP_NONE) return why;
    if (!fd_user_of(n)) return "reductions by functions";
    Lanes combines = *l; /* joins of lanes note nothing */
    combines.allowed &= ~(unsigned)LANES_NOTED;
    return refused_user(&combines, fd_user_of(n));
}

static Why refused_apply(const Lanes *l, const FdNode *n, FdSeen *seen)
{
    if (is_read(n)) return refused_read(l, n, seen);
    if (fd_is_element(n)) return refused_element(l, n, seen);
    if (field_of_read(n)) return refused_read(l, field_of_read(n), seen);
    if (is_make(n) || is_field(n)) return refused_args(l, n, seen);
    FdOp op = fd_op_of(n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return NULL;
    if (fd_does(n) & FD_DIVIDES && varies(l, n) && !(l->allowed & LANES_NOTED))
        return "integer division";
    Why why = op != FD_OP_NONE ? NULL : fd_user_of(n) ? refused_user(l, fd_user_of(n)) : "calls";
    return why ? why : refused_args(l, n, seen);
}

static Why refused_node(const Lanes *l, const FdNode *n, FdSeen *seen)
{
    for (int i = 0; i < l->count; i++)
        if (n == l->given[i]) return NULL;
    if (l->body && --*l->left < 0) return "long functions";
    if (n->kind == FD_REDUCE) return refused_reduce(l, n, seen);
    if (n->kind == FD_APPLY) return refused_apply(l, n, seen);
    return n->kind == FD_SCALAR || n->kind == FD_VAR ? NULL : "functions as values";
}

/* A node that was met before has been found possible: the walk ends at the first that is not. */
static Why refused(const Lanes *l, const FdNode *n, FdSeen *seen)
{
    Why why = fd_meet(seen, n) ? refused_node(l, n, seen) : NULL;
    if (why && !*l->at) *l->at = n;
    return why;
}

const char *lanes_refused(const FdNode *n, const FdNode *v, unsigned allowed, int count,
                          const FdNode *const *given, const FdNode **at)
{
    int left = MOST_NODES;
    const FdNode *in_the_way = NULL;
    Arena *a = arena_new();
    Lanes l = {.v = v,
               .allowed = allowed,
               .arena = a,
               .count = count,
               .given = given,
               .left = &left,
               .at = &in_the_way};
    FdSeen seen = {0};
    Why why = refused(&l, n, &seen);
    fd_seen_free(&seen);
    arena_free(a);
    if (at && why) *at = in_the_way;
    return why;
}

bool lanes_possible(const FdNode *n, const FdNode *v, unsigned allowed)
{
    return !lanes_refused(n, v, allowed, 0, NULL, NULL);
}

/* ---- what pays --------------------------------------------------------------------------------- */

/* What the steps of functions that loop keep and do. */
typedef struct Steps {
    int locals, operations;
} Steps;

static bool count_operation(const void *ctx, const FdNode *n)
{
    Steps *s = *(Steps *const *)ctx;
    s->operations += n->kind == FD_APPLY && n->fn->leaf != FD_LEAF_FIELD;
    return false;
}

/* Of a turn; in_loop: these statements are part of one. */
static void count_operations(Steps *steps, const FdStmt *s, bool in_loop)
{
    for (; s; s = s->next) {
        bool turns = in_loop || s->kind == FD_STMT_LOOP;
        if (turns && s->expr) fd_any(s->expr, count_operation, &steps);
        count_operations(steps, s->body, turns);
        count_operations(steps, s->other, turns);
    }
}

static bool count_steps(const void *ctx, const FdNode *n)
{
    Steps *s = *(Steps *const *)ctx;
    if (!n->user || !fd_has_loop(n->user->body)) return false;
    Arena *a = arena_new();
    const Divergence *x = divergence_user(a, n->user, NULL);
    for (int i = 0; i < x->nlocals; i++) {
        const FdNode *v = x->locals[i].var;
        s->locals += v->extent ? (int)fd_extent_count(v) : 1;
    }
    arena_free(a);
    count_operations(s, n->user->body, false);
    return false;
}

/* At most `most`. */
static int copies_of(const Steps *s, int most)
{
    enum {
        FEW = 12, /* locals that registers can hold `most` and two of */
        SOME = 24,
        MANY = 256 /* operations, of which enough wait for nobody */
    };
    int copies = s->locals == 0 || s->locals > SOME ? 1 : s->locals > FEW ? 2 : most;
    while (copies > 1 && copies * s->operations > MANY) copies--;
    return copies;
}

LanesCopies lanes_copies(const FdNode *n)
{
    Steps s = {0}, *to = &s;
    fd_any(n, count_steps, &to);
    return (LanesCopies){.wide = copies_of(&s, 4), .narrow = copies_of(&s, 3)};
}

/* Operations that vectors of any length have. */
static bool is_narrow_op(const FdNode *n)
{
    switch (n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE) {
    case FD_OP_EQ:
    case FD_OP_NE:
    case FD_OP_LT:
    case FD_OP_LE:
    case FD_OP_GT:
    case FD_OP_GE:
    case FD_OP_ADD:
    case FD_OP_SUB:
    case FD_OP_MUL:
    case FD_OP_NEG:
    case FD_OP_MIN:
    case FD_OP_MAX:
    case FD_OP_BITAND:
    case FD_OP_BITOR:
    case FD_OP_BITXOR:
    case FD_OP_BITNOT:
    case FD_OP_LAND:
    case FD_OP_LOR:
    case FD_OP_LNOT:
    case FD_OP_SELECT:
    case FD_OP_CONVERT: return true;
    case FD_OP_SHL:
    case FD_OP_SHR: return fd_is_const(n->args[1]);
    default: return false;
    }
}

/* Of bytes and shorts only: the bytes of the widest; 0: there is something else. */
static size_t narrow_bytes(const FdNode *n, const FdNode *v, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return 1;
    bool make = is_make(n), shifts = fd_op_of(n) == FD_OP_SHL || fd_op_of(n) == FD_OP_SHR;
    if ((n->type->record && !make) || n->type->nparams) return 0;
    ScalarKind k = make ? SC_BYTE : result_kind(n);
    size_t bytes = scalar_bytes(k);
    if (scalar_is_real(k) || bytes > 2) return 0;
    if (fd_is_const(n)) return bytes;
    if (is_read(n)) return fd_movement(n, v) == FD_MOVES_UNIT || !fd_uses_var(n, v) ? bytes : 0;
    if (!make && !is_narrow_op(n)) return 0;
    if (k == SC_BOOL && !fd_uses_var(n, v)) return 1; /* a scalar */
    for (int i = 0; i < (shifts ? 1 : n->nargs); i++) {
        size_t below = narrow_bytes(n->args[i], v, seen);
        if (below == 0) return 0;
        if (below > bytes) bytes = below;
    }
    return bytes;
}

int lanes_narrow(const FdNode *n, const FdNode *v)
{
    FdSeen seen = {0};
    size_t bytes = narrow_bytes(n, v, &seen);
    fd_seen_free(&seen);
    return bytes == 1 ? KIR_V1 : bytes == 2 ? KIR_V2 : 0;
}

/* ---- reductions ------------------------------------------------------------------------------- */

bool reduction_splits(const FdNode *r)
{
    return fd_op_of(r) != FD_OP_NONE && fd_reorders(r) && reduction_is_closed(r);
}

bool reduction_in_lanes(const FdNode *r, const FdNode *v, unsigned allowed)
{
    bool half = !r->type->record && result_kind(r) == SC_HALF;
    return !half && fd_reorders(r) && lanes_possible(r, v, allowed);
}
