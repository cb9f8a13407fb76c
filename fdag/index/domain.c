/* Domains of function nodes, symbolic and concrete, and evaluation of the closed integer nodes that
 * bounds are made of. A full domain's bounds are infinite; arithmetic carries infinities along, so
 * that max(lower(f), lower(a)) is a's bound where f is defined everywhere. */
#include "../internal.h"
#include "flat.h"

/* ---- symbolic -------------------------------------------------------------------------- */

static const FdNode *query(Fd *fd, FdOp op, const FdNode *f, int d)
{
    if (fd_is_flat(f, f->type->nparams - 1)) /* the same bounds however it is read */
        f = fd_slot(fd, f->slot, fd_type_array_of(fd, f->type->result, f->type->nparams), f->name);
    const FdNode *args[2] = {f, fd_int(fd, d)};
    return fd_apply_op(fd, op, SC_LONG, 2, args, (FdLoc){0});
}

FdDom fd_domain(Fd *fd, const FdNode *f, int d)
{
    FdDom full = {.kind = FD_DOM_FULL};
    if (f->kind == FD_LET) return f->doms[d];
    if (f->kind == FD_FUNC && f->leaf != FD_LEAF_SLOT) return full;
    if (!fdi_is_integer(f->type->params[d])) return full; /* only integers have finite domains */
    return (FdDom){.kind = FD_DOM_INFERRED,
                   .lo = query(fd, FD_OP_LOWER, f, d),
                   .hi = query(fd, FD_OP_UPPER, f, d)};
}

/* ---- values ---------------------------------------------------------------------------- */

typedef struct Value {
    int infinite; /* -1, 0, 1 */
    ScalarValue v;
} Value;

typedef struct Eval {
    const FdEnv *env;
    FdBoundStatus status; /* the first that is not OK */
    int fuel;             /* visits left before results are remembered */
    FdiMap known;         /* node -> index into values */
    VEC(Value) values;
} Eval;

static Value eval(Eval *e, const FdNode *n);

static Value stop(Eval *e, FdBoundStatus why)
{
    if (e->status == FD_BOUND_OK) e->status = why;
    return (Value){0};
}

static int sign_of(ScalarKind k, Value x)
{
    if (x.infinite) return x.infinite;
    if (scalar_is_real(k)) return (x.v.f > 0) - (x.v.f < 0);
    return x.v.i > 0 || (k == SC_ULONG && x.v.i) ? 1 : x.v.i < 0 ? -1 : 0;
}

/* Order of two values of which one at least is infinite. */
static int order(Value a, Value b)
{
    return (a.infinite > b.infinite) - (a.infinite < b.infinite);
}

/* op where an operand is infinite. */
static Value eval_infinite(Eval *e, FdOp op, ScalarKind k, const Value *a)
{
    int c = order(a[0], a[1]);
    switch (op) {
    case FD_OP_CONVERT: return a[0];
    case FD_OP_NEG: return (Value){.infinite = -a[0].infinite};
    case FD_OP_ABS: return (Value){.infinite = 1};
    case FD_OP_ADD:
    case FD_OP_SUB: {
        int right = op == FD_OP_SUB ? -a[1].infinite : a[1].infinite;
        if (a[0].infinite * right < 0) return stop(e, FD_BOUND_INFINITE);
        return (Value){.infinite = a[0].infinite ? a[0].infinite : right};
    }
    case FD_OP_MUL: return (Value){.infinite = sign_of(k, a[0]) * sign_of(k, a[1])};
    case FD_OP_DIV:
        if (a[1].infinite) return a[0].infinite ? stop(e, FD_BOUND_INFINITE) : (Value){0};
        return (Value){.infinite = a[0].infinite * (sign_of(k, a[1]) < 0 ? -1 : 1)};
    case FD_OP_REM: return a[1].infinite && !a[0].infinite ? a[0] : (Value){0};
    case FD_OP_MIN: return c <= 0 ? a[0] : a[1];
    case FD_OP_MAX: return c >= 0 ? a[0] : a[1];
    case FD_OP_EQ: return (Value){.v.i = c == 0};
    case FD_OP_NE: return (Value){.v.i = c != 0};
    case FD_OP_LT: return (Value){.v.i = c < 0};
    case FD_OP_LE: return (Value){.v.i = c <= 0};
    case FD_OP_GT: return (Value){.v.i = c > 0};
    case FD_OP_GE: return (Value){.v.i = c >= 0};
    default: return stop(e, FD_BOUND_INFINITE);
    }
}

/* ---- bounds of lets in their nodes ------------------------------------------------------ */

static const FdNode *bound_of(Fd *fd, FdOp op, const FdNode *f, int d)
{
    if (f->kind != FD_LET) return NULL;
    const FdNode *bound = op == FD_OP_LOWER ? f->doms[d].lo : f->doms[d].hi;
    if (!bound) return NULL;
    for (int i = 0; i < f->nvars; i++) /* not rectangular: no one bound */
        if (fdi_free_in(bound, f->vars[i])) return NULL;
    if (bound->type->scalar == SC_LONG) return bound;
    return fd_apply_op(fd, FD_OP_CONVERT, SC_LONG, 1, &bound, (FdLoc){0});
}

/* -1, 1: a bound of a function that is defined everywhere; 0: another node. */
static int infinity_of(const FdNode *n)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op != FD_OP_LOWER && op != FD_OP_UPPER) return 0;
    const FdNode *f = n->args[0];
    if (f->kind != FD_LET || f->doms[n->args[1]->value.i].kind != FD_DOM_FULL) return 0;
    return op == FD_OP_LOWER ? -1 : 1;
}

/* An operation with infinite operands: what it gives whatever the others are; NULL: that depends on them. */
static const FdNode *of_infinite(Fd *fd, const FdNode *n, FdOp op)
{
    Value a[2] = {{0}};
    const FdNode *infinite = NULL;
    if (n->nargs > 2) return NULL;
    for (int i = 0; i < n->nargs; i++) {
        a[i].infinite = infinity_of(n->args[i]);
        if (a[i].infinite) infinite = n->args[i];
        if (fd_is_const(n->args[i])) a[i].v = n->args[i]->value;
    }
    if (!infinite) return NULL;
    bool sign = op == FD_OP_MUL || op == FD_OP_DIV || op == FD_OP_REM;
    for (int i = 0; sign && i < n->nargs; i++)
        if (!a[i].infinite && !fd_is_const(n->args[i])) return NULL;
    if (op == FD_OP_MIN || op == FD_OP_MAX) {
        int c = order(a[0], a[1]);
        return n->args[(op == FD_OP_MIN ? c <= 0 : c >= 0) ? 0 : 1];
    }
    Eval e = {0};
    Value v = eval_infinite(&e, op, n->args[0]->type->scalar, a);
    if (e.status != FD_BOUND_OK) return NULL;
    if (v.infinite && n->type->scalar != SC_LONG) return NULL; /* as an int it is no bound */
    if (v.infinite)
        return query(fd, v.infinite < 0 ? FD_OP_LOWER : FD_OP_UPPER, infinite->args[0],
                     (int)infinite->args[1]->value.i);
    return fd_const(fd, n->type->scalar, v.v);
}

/* Ranges whose bounds are both infinite are no ranges. */
static const FdNode *everywhere(Fd *fd, const FdNode *n)
{
    FdDom doms[FD_MAX_RANK];
    bool some = false;
    for (int d = 0; d < n->nvars; d++) {
        doms[d] = n->doms[d];
        if (!doms[d].lo || infinity_of(doms[d].lo) >= 0 || infinity_of(doms[d].hi) <= 0) continue;
        doms[d] = (FdDom){.kind = FD_DOM_FULL};
        some = true;
    }
    return some ? fd_let(fd, n->nvars, n->vars, doms, n->body, n->loc) : NULL;
}

const FdNode *fdi_known_bound(void *ctx, Fd *fd, const FdNode *n)
{
    (void)ctx;
    if (n->kind == FD_LET && !n->self) return everywhere(fd, n);
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_NONE) return NULL;
    if (op == FD_OP_LOWER || op == FD_OP_UPPER)
        return bound_of(fd, op, n->args[0], (int)n->args[1]->value.i);
    return of_infinite(fd, n, op);
}

/* ---- closed nodes ----------------------------------------------------------------------- */

static Value eval_query(Eval *e, const FdNode *n)
{
    const FdNode *f = n->args[0];
    int d = (int)n->args[1]->value.i;
    bool lower = fd_op_of(n) == FD_OP_LOWER;
    Value infinite = {.infinite = lower ? -1 : 1};
    if (f->kind == FD_FUNC && f->leaf != FD_LEAF_SLOT) return infinite;
    if (f->kind == FD_FUNC) {
        if (!e->env->boxes) return stop(e, FD_BOUND_OPEN);
        const FdBox *box = &e->env->boxes[f->slot];
        if (d >= box->rank || box->dim[d].full) return infinite;
        return (Value){.v.i = lower ? box->dim[d].lo : box->dim[d].hi};
    }
    if (f->kind != FD_LET || f->doms[d].kind == FD_DOM_OPEN) return stop(e, FD_BOUND_OPEN);
    if (f->doms[d].kind == FD_DOM_FULL) return infinite;
    return eval(e, lower ? f->doms[d].lo : f->doms[d].hi);
}

static Value eval_op(Eval *e, const FdNode *n, FdOp op)
{
    Value a[3] = {{0}};
    ScalarValue args[3] = {{0}};
    Value out = {0};
    bool infinite = false;
    ScalarKind k = n->args[n->nargs == 3 ? 1 : 0]->type->scalar;
    for (int i = 0; i < n->nargs; i++) {
        a[i] = eval(e, n->args[i]);
        if (e->status != FD_BOUND_OK) return out;
        if (op == FD_OP_SELECT && i == 0) return eval(e, n->args[a[0].v.i ? 1 : 2]);
        if ((op == FD_OP_LAND && !a[0].v.i) || (op == FD_OP_LOR && a[0].v.i)) return a[0];
        infinite = infinite || a[i].infinite != 0;
        args[i] = a[i].v;
    }
    if (infinite) return eval_infinite(e, op, k, a);
    if (fd_op_eval(op, k, n->type->scalar, args, &out.v) == FD_EVAL_DIVIDE_BY_ZERO)
        return stop(e, FD_BOUND_DIVIDE_BY_ZERO);
    return out;
}

static Value eval(Eval *e, const FdNode *n)
{
    enum { DEEPEST_FUEL = -5000 }; /* a recursion that deep is no bound */
    if (e->status != FD_BOUND_OK) return (Value){0};
    if (n->kind == FD_SCALAR) {
        if (n->leaf == FD_LEAF_CONST) return (Value){.v = n->value};
        if (!e->env->scalars) return stop(e, FD_BOUND_OPEN);
        return (Value){.v = e->env->scalars[n->slot]};
    }
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_NONE || !fdi_closed(n)) return stop(e, FD_BOUND_OPEN);
    uint64_t at;
    if (e->fuel-- <= 0 && fdi_map_get(&e->known, n, &at)) return e->values.data[at];
    if (e->fuel < DEEPEST_FUEL) return stop(e, FD_BOUND_OPEN);
    Value v = op == FD_OP_LOWER || op == FD_OP_UPPER ? eval_query(e, n) : eval_op(e, n, op);
    if (e->fuel <= 0) { /* a large shared bound: remember, or it could take exponential time */
        fdi_map_set(&e->known, n, e->values.len);
        vec_push(&e->values, v);
    }
    return v;
}

/* Most bounds are a number, a scalar, or a bound of an array. */
static bool is_simple(const FdNode *n, const FdEnv *env, Value *out)
{
    *out = (Value){0};
    if (n->kind == FD_SCALAR) {
        const bool known = n->leaf == FD_LEAF_CONST || env->scalars;
        if (known) out->v = n->leaf == FD_LEAF_CONST ? n->value : env->scalars[n->slot];
        return known;
    }
    const FdOp op = n->kind == FD_APPLY && env->boxes ? fd_op_of(n) : FD_OP_NONE;
    if (op != FD_OP_LOWER && op != FD_OP_UPPER) return false;
    const FdNode *f = n->args[0];
    if (f->kind != FD_FUNC || f->leaf != FD_LEAF_SLOT) return false;
    const FdBox *box = &env->boxes[f->slot];
    const int d = (int)n->args[1]->value.i;
    if (d >= box->rank || box->dim[d].full) return false;
    out->v.i = op == FD_OP_LOWER ? box->dim[d].lo : box->dim[d].hi;
    return true;
}

static FdBoundStatus eval_bound(const FdNode *n, const FdEnv *env, Value *out)
{
    if (is_simple(n, env, out)) return FD_BOUND_OK;
    Eval e = {.env = env, .fuel = 200};
    *out = eval(&e, n);
    fdi_map_free(&e.known);
    vec_free(&e.values);
    return e.status;
}

FdBoundStatus fd_eval_bound(const FdNode *n, const FdEnv *env, int64_t *out)
{
    Value v;
    FdBoundStatus status = eval_bound(n, env, &v);
    *out = v.v.i;
    return status == FD_BOUND_OK && v.infinite ? FD_BOUND_INFINITE : status;
}

FdBoundStatus fd_eval_box(Fd *fd, const FdNode *f, const FdEnv *env, FdBox *out)
{
    *out = (FdBox){.rank = f->type->nparams};
    for (int d = 0; d < out->rank; d++) {
        FdDom dom = fd_domain(fd, f, d);
        if (dom.kind == FD_DOM_OPEN) return FD_BOUND_OPEN;
        if (dom.kind == FD_DOM_FULL) {
            out->dim[d].full = true;
            continue;
        }
        Value lo, hi;
        FdBoundStatus status = eval_bound(dom.lo, env, &lo);
        if (status == FD_BOUND_OK) status = eval_bound(dom.hi, env, &hi);
        if (status != FD_BOUND_OK) return status;
        if (lo.infinite < 0 && hi.infinite > 0) {
            out->dim[d].full = true;
            continue;
        }
        bool empty = lo.infinite > 0 || hi.infinite < 0;
        if (!empty && (lo.infinite || hi.infinite)) return FD_BOUND_INFINITE;
        out->dim[d].lo = empty ? 0 : lo.v.i;
        out->dim[d].hi = empty || hi.v.i < lo.v.i ? out->dim[d].lo : hi.v.i;
    }
    return FD_BOUND_OK;
}
