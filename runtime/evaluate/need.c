/* Intervals of indices (need.h). Expressions of integers that are affine, or nearly, have an
 * interval; everything else may be any number. A function that is not applied but handed on may be
 * read anywhere. Nodes are visited once as long as the same variables are bound; graphs in which
 * that is not enough (functions applied in functions applied ..) count as read anywhere. */
#include "need.h"

enum { MOST_STEPS = 200000 };

/* lo..hi, both included; lo > hi: nothing. of: 1 + d if it is the root's variable d and from..to more; 0 if
 * it is not known to be that of any. */
typedef struct Interval {
    bool known;
    int64_t lo, hi;
    int of;
    int64_t from, to;
} Interval;

static const Interval anything;

static Interval between(int64_t lo, int64_t hi)
{
    return (Interval){.known = true, .lo = lo, .hi = hi};
}

static Interval constant(int64_t value)
{
    return between(value, value);
}

typedef struct Known {
    uint32_t walked, valued; /* in which environment */
    Interval value;
} Known;

typedef struct Walk {
    const FdEnv *env;
    const RtLeaf *leaves;
    Need *needs;
    const FdNode *into; /* a slot that is asked about; NULL: closures are */
    const FdNode *root;
    bool apart;         /* of its reads so far */
    VEC(Interval) vars; /* by variable number */
    Known *nodes;       /* by node number */
    uint32_t scope, newest;
    int steps;
} Walk;

static Interval interval(Walk *w, const FdNode *n);
static void walk(Walk *w, const FdNode *n);

/* ---- variables ------------------------------------------------------------------------ */

static Interval *var_of(Walk *w, const FdNode *v)
{
    while (w->vars.len <= v->var) vec_push(&w->vars, anything);
    return &w->vars.data[v->var];
}

typedef struct Scope {
    uint32_t outer;
    Interval hidden[FD_MAX_RANK];
    bool empty; /* no value of some variable is in its range */
} Scope;

/* What a variable with the range a is that has the value b. */
static Interval meet(Interval a, Interval b)
{
    if (!a.known) return b;
    if (b.known && b.lo > a.lo) a.lo = b.lo;
    if (b.known && b.hi < a.hi) a.hi = b.hi;
    a.of = b.of;
    a.from = b.from;
    a.to = b.to;
    return a;
}

/* Binds the variables of a binder to their ranges, and to what they are given (NULL: nothing). */
static Scope enter(Walk *w, const FdNode *n, const FdNode *const *args)
{
    Scope s = {.outer = w->scope};
    Interval given[FD_MAX_RANK];
    for (int i = 0; args && i < n->nvars; i++)
        given[i] = args[i]->type->result ? anything : interval(w, args[i]);
    w->scope = ++w->newest;
    for (int i = 0; i < n->nvars; i++) {
        const FdDom *d = &n->doms[i];
        Interval range = anything;
        if (d->kind != FD_DOM_FULL && d->lo) {
            Interval lo = interval(w, d->lo), hi = interval(w, d->hi);
            if (lo.known && hi.known && hi.hi > INT64_MIN) range = between(lo.lo, hi.hi - 1);
        }
        if (args) range = meet(range, given[i]);
        s.empty |= range.known && range.lo > range.hi;
        Interval *v = var_of(w, n->vars[i]);
        s.hidden[i] = *v;
        *v = range;
    }
    return s;
}

static void leave(Walk *w, const FdNode *n, const Scope *s)
{
    for (int i = n->nvars; i-- > 0;) *var_of(w, n->vars[i]) = s->hidden[i];
    w->scope = s->outer;
}

/* ---- intervals ------------------------------------------------------------------------ */

static Interval join(Interval a, Interval b)
{
    if (!a.known || !b.known) return anything;
    if (b.lo < a.lo) a.lo = b.lo;
    if (b.hi > a.hi) a.hi = b.hi;
    if (a.of != b.of) a.of = 0;
    if (b.from < a.from) a.from = b.from;
    if (b.to > a.to) a.to = b.to;
    return a;
}

static Interval product(Interval a, Interval b)
{
    int64_t p[4];
    if (__builtin_mul_overflow(a.lo, b.lo, &p[0]) || __builtin_mul_overflow(a.lo, b.hi, &p[1]) ||
        __builtin_mul_overflow(a.hi, b.lo, &p[2]) || __builtin_mul_overflow(a.hi, b.hi, &p[3]))
        return anything;
    Interval out = constant(p[0]);
    for (int i = 1; i < 4; i++) {
        if (p[i] < out.lo) out.lo = p[i];
        if (p[i] > out.hi) out.hi = p[i];
    }
    return out;
}

/* By a positive number, rounding towards zero. */
static Interval quotient(FdOp op, Interval a, Interval b)
{
    if (b.lo != b.hi || b.lo <= 0) return anything;
    if (op == FD_OP_DIV) return between(a.lo / b.lo, a.hi / b.lo);
    if (a.lo >= 0 && a.hi < b.lo) return a;
    return between(a.lo < 0 ? 1 - b.lo : 0, a.hi > 0 ? b.lo - 1 : 0);
}

static Interval operate(FdOp op, Interval a, Interval b)
{
    Interval out = {.known = true};
    if (!a.known || !b.known) return anything;
    if (a.lo > a.hi) return a;
    if (b.lo > b.hi) return b;
    switch (op) {
    case FD_OP_ADD:
        out.known = !__builtin_add_overflow(a.lo, b.lo, &out.lo) &&
                    !__builtin_add_overflow(a.hi, b.hi, &out.hi);
        return out;
    case FD_OP_SUB:
        out.known = !__builtin_sub_overflow(a.lo, b.hi, &out.lo) &&
                    !__builtin_sub_overflow(a.hi, b.lo, &out.hi);
        return out;
    case FD_OP_MUL: return product(a, b);
    case FD_OP_DIV:
    case FD_OP_REM: return quotient(op, a, b);
    case FD_OP_MIN: return between(a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi);
    case FD_OP_MAX: return between(a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi);
    default: return anything;
    }
}

/* v, which is a op b: is one of them near a variable of the root, so is it. */
static Interval near(FdOp op, Interval a, Interval b, Interval v)
{
    if (op == FD_OP_ADD && b.of) {
        Interval other = a;
        a = b;
        b = other;
    }
    if (!a.of || b.of || !v.known || (op != FD_OP_ADD && op != FD_OP_SUB)) return v;
    Interval by = operate(op, between(a.from, a.to), b);
    if (!by.known) return v;
    v.of = a.of;
    v.from = by.lo;
    v.to = by.hi;
    return v;
}

/* What an operation gives may have wrapped. */
static Interval fitting(const FdNode *n, Interval v)
{
    bool narrow = n->type->scalar != SC_LONG && n->type->scalar != SC_INT;
    if (narrow || (n->type->scalar == SC_INT && (v.lo < INT32_MIN || v.hi > INT32_MAX)))
        return anything;
    return v;
}

static Interval interval_apply(Walk *w, const FdNode *n)
{
    FdOp op = fd_op_of(n);
    Interval v = anything;
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) {
        v.known = fd_eval_bound(n, w->env, &v.lo) == FD_BOUND_OK;
        v.hi = v.lo;
        return v;
    }
    if (op == FD_OP_SELECT)
        return fitting(n, join(interval(w, n->args[1]), interval(w, n->args[2])));
    if (op == FD_OP_NEG)
        return fitting(n, operate(FD_OP_SUB, constant(0), interval(w, n->args[0])));
    if (op == FD_OP_CONVERT)
        return fd_type_is_scalar(n->args[0]->type) && scalar_is_integer(n->args[0]->type->scalar)
                   ? fitting(n, interval(w, n->args[0]))
                   : anything;
    if (op != FD_OP_NONE) {
        if (n->nargs != 2) return anything;
        Interval a = interval(w, n->args[0]), b = interval(w, n->args[1]);
        return fitting(n, near(op, a, b, operate(op, a, b)));
    }
    if (n->fn->kind != FD_LET || n->fn->self) return anything;
    Scope s = enter(w, n->fn, n->args);
    v = interval(w, n->fn->body);
    leave(w, n->fn, &s);
    return v;
}

static Interval interval(Walk *w, const FdNode *n)
{
    if (!fd_type_is_scalar(n->type) || !scalar_is_integer(n->type->scalar)) return anything;
    if (n->kind == FD_VAR) return *var_of(w, n);
    if (n->kind == FD_SCALAR && n->leaf == FD_LEAF_CONST) return constant(n->value.i);
    if (n->kind == FD_SCALAR && n->leaf == FD_LEAF_SLOT)
        return constant(w->env->scalars[n->slot].i);
    if (n->kind != FD_APPLY || ++w->steps > MOST_STEPS) return anything;
    Known *known = &w->nodes[n->id];
    if (known->valued == w->scope) return known->value;
    uint32_t scope = w->scope;
    Interval v = interval_apply(w, n);
    known->valued = scope;
    known->value = v;
    return v;
}

/* ---- reads ---------------------------------------------------------------------------- */

static bool is_into(const Walk *w, const FdNode *f)
{
    return w->into && f->kind == FD_FUNC && f->leaf == FD_LEAF_SLOT && f->slot == w->into->slot;
}

/* A read of what gets the values: at its own place, or at none of theirs? */
static void read_into(Walk *w, const FdNode *n, const FdNode *root)
{
    bool own = true, outside = false;
    for (int d = 0; d < n->nargs; d++) {
        Interval i = interval(w, n->args[d]), box = *var_of(w, root->vars[d]);
        bool only = i.known && box.known && box.lo == box.hi && i.lo == box.lo && i.hi == box.lo;
        own = own && (only || (i.of == d + 1 && i.from == 0 && i.to == 0));
        outside = outside || (i.known && box.known && (i.hi < box.lo || i.lo > box.hi));
    }
    w->apart = w->apart && (own || outside);
}

static Need *need_of(Walk *w, const FdNode *f)
{
    bool slot = f->kind == FD_FUNC && f->leaf == FD_LEAF_SLOT && !w->into;
    return slot && w->leaves[f->slot].closure ? &w->needs[f->slot] : NULL;
}

static void need(Need *need, const Interval *index)
{
    for (int d = 0; d < need->box.rank; d++)
        if (index && index[d].known && index[d].lo > index[d].hi) return;
    for (int d = 0; d < need->box.rank; d++) {
        if (!index || !index[d].known || index[d].hi == INT64_MAX) {
            need->box.dim[d].full = true;
            continue;
        }
        int64_t lo = index[d].lo, hi = index[d].hi + 1;
        if (!need->read || lo < need->box.dim[d].lo) need->box.dim[d].lo = lo;
        if (!need->read || hi > need->box.dim[d].hi) need->box.dim[d].hi = hi;
    }
    need->read = true;
}

/* A function whose applications are not seen. */
static void hand_on(Walk *w, const FdNode *f)
{
    if (f->kind != FD_LET) {
        walk(w, f);
        return;
    }
    uint32_t outer = w->scope;
    w->scope = ++w->newest; /* its variables may be anything */
    for (int i = 0; i < f->nvars; i++) *var_of(w, f->vars[i]) = anything;
    walk(w, f->body);
    w->scope = outer;
}

static void walk_apply(Walk *w, const FdNode *n)
{
    FdOp op = fd_op_of(n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return;
    for (int i = 0; i < n->nargs; i++)
        if (n->args[i]->type->result)
            hand_on(w, n->args[i]);
        else
            walk(w, n->args[i]);
    if (op != FD_OP_NONE) return;
    Need *closure = need_of(w, n->fn);
    if (is_into(w, n->fn)) {
        read_into(w, n, w->root);
    } else if (closure && n->nargs <= FD_MAX_RANK) {
        Interval index[FD_MAX_RANK];
        for (int i = 0; i < n->nargs; i++) index[i] = interval(w, n->args[i]);
        need(closure, index);
    } else if (n->fn->kind == FD_LET) {
        Scope s = enter(w, n->fn, n->args);
        if (!s.empty) walk(w, n->fn->body);
        leave(w, n->fn, &s);
    } else if (n->fn->kind == FD_APPLY) {
        hand_on(w, n->fn);
    }
}

static void walk_binder(Walk *w, const FdNode *n)
{
    for (int i = 0; i < n->nvars; i++) {
        if (n->doms[i].lo) walk(w, n->doms[i].lo);
        if (n->doms[i].hi) walk(w, n->doms[i].hi);
    }
    if (n->kind == FD_REDUCE) {
        hand_on(w, n->fn);
        if (n->init) walk(w, n->init);
    }
    Scope s = enter(w, n, NULL);
    if (!s.empty) walk(w, n->body);
    leave(w, n, &s);
}

static void walk(Walk *w, const FdNode *n)
{
    if (n->kind == FD_VAR || n->kind == FD_SCALAR) return;
    Known *known = &w->nodes[n->id];
    if (known->walked == w->scope || ++w->steps > MOST_STEPS) return;
    known->walked = w->scope;
    Need *closure = need_of(w, n);
    if (is_into(w, n)) w->apart = false;
    if (closure)
        need(closure, NULL);
    else if (n->kind == FD_APPLY)
        walk_apply(w, n);
    else if (n->kind != FD_FUNC)
        walk_binder(w, n);
}

void needs_of(const Composed *c, const FdEnv *env, const RtLeaf *leaves, Need *needs)
{
    Walk w = {.env = env, .leaves = leaves, .needs = needs, .scope = 1, .newest = 1};
    w.nodes = mem_alloc(((size_t)c->graph.root->id + 1) * sizeof *w.nodes);
    for (int i = 0; i < c->graph.nslots; i++) {
        needs[i] = (Need){0};
        if (leaves[i].closure) needs[i].box.rank = c->graph.slots[i].type->nparams;
    }
    walk(&w, c->graph.root);
    for (int i = 0; i < c->graph.nslots; i++)
        if (leaves[i].closure && w.steps > MOST_STEPS) need(&needs[i], NULL);
    mem_free(w.nodes);
    vec_free(&w.vars);
}

bool needs_apart(const Composed *c, const FdEnv *env)
{
    const FdNode *root = c->graph.root;
    Walk w = {
        .env = env, .into = c->graph.into, .root = root, .apart = true, .scope = 1, .newest = 1};
    w.nodes = mem_alloc(((size_t)root->id + 1) * sizeof *w.nodes);
    Scope s = enter(&w, root, NULL);
    for (int d = 0; d < root->nvars; d++) var_of(&w, root->vars[d])->of = 1 + d;
    if (!s.empty) walk(&w, root->body);
    mem_free(w.nodes);
    vec_free(&w.vars);
    return w.apart && w.steps <= MOST_STEPS;
}
