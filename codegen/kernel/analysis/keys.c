/* Finding the keys of reductions (keys.h): which conditions must hold if the body is to be anything
 * but the operation's identity, and which of them are equalities that can be solved for a variable. */
#include "keys.h"

enum { MOST_STEPS = 256 };

typedef struct Finder {
    Unit *u;
    const Def *d;
    bool cautious; /* something that can fail is computed whether the guards hold or not */
    int steps;
} Finder;

/* ---- the identity ------------------------------------------------------------------------------ */

static bool same_constant(const FdNode *n, ScalarKind k, ScalarValue v)
{
    if (!fd_is_const(n) || n->type->scalar != k) return false;
    return scalar_is_real(k) ? n->value.f == v.f : n->value.i == v.i;
}

/* Are they equal values, made of constants? */
static bool same_value(const FdNode *x, const FdNode *y)
{
    if (x == y) return fd_is_const(x) || is_make(x);
    if (fd_is_const(y)) return same_constant(x, y->type->scalar, y->value);
    bool same = is_make(x) && is_make(y) && x->nargs == y->nargs;
    for (int i = 0; same && i < x->nargs; i++) same = same_value(x->args[i], y->args[i]);
    return same;
}

/* What a part of the body has to be; `node`: of records. */
typedef struct Target {
    const FdNode *node;
    ScalarValue value;
} Target;

static bool is_target(const FdNode *n, Target t)
{
    if (t.node) return same_value(n, t.node);
    return !n->type->record && same_constant(n, n->type->scalar, t.value);
}

static bool find_target(const FdNode *reduce, Target *t)
{
    *t = (Target){0};
    if (fd_op_of(reduce) != FD_OP_NONE) return reduction_identity(reduce, &t->value);
    t->node = fd_user_of(reduce) ? fd_user_of(reduce)->identity : NULL;
    return t->node != NULL;
}

/* ---- guards ------------------------------------------------------------------------------------ */

static bool fails_here(const void *ctx, const FdNode *n)
{
    const Finder *f = ctx;
    return fd_does(n) & FD_EMPTY || def_is_suspect(f->u, f->d, n);
}

static void always_computed(Finder *f, const FdNode *n)
{
    f->cautious = f->cautious || fd_can_fail(n) || fd_any(n, fails_here, f);
}

static void add(KeyForm *form, KeyGuard guard)
{
    for (int i = 0; i < form->n; i++)
        if (form->guards[i].cond == guard.cond) return; /* the other way round: never */
    if (form->n < KEY_GUARDS) form->guards[form->n++] = guard;
}

static void add_all(KeyForm *form, const KeyForm *more)
{
    for (int i = 0; i < more->n; i++) add(form, more->guards[i]);
}

static bool has(const KeyForm *form, const KeyGuard *guard)
{
    for (int i = 0; i < form->n; i++)
        if (form->guards[i].cond == guard->cond && form->guards[i].wanted == guard->wanted)
            return true;
    return false;
}

/* Those that both have; what else n computes before them is no longer computed where they fail. */
static void keep_common(Finder *f, KeyForm *form, const KeyForm *other, const FdNode *n)
{
    int count = 0;
    bool same = form->n == other->n;
    for (int i = 0; i < form->n; i++)
        if (has(other, &form->guards[i])) form->guards[count++] = form->guards[i];
    if (count && !(same && count == form->n)) always_computed(f, n);
    form->n = count;
}

/* What must hold if the condition is to be `wanted`. */
static KeyForm conditions(Finder *f, const FdNode *c, bool wanted)
{
    KeyForm form = {0};
    FdOp op = c->kind == FD_APPLY ? fd_op_of(c) : FD_OP_NONE;
    if (f->steps++ > MOST_STEPS) return form;
    if (op == FD_OP_LNOT) return conditions(f, c->args[0], !wanted);
    if (op != FD_OP_LAND && op != FD_OP_LOR) {
        add(&form, (KeyGuard){.cond = c, .wanted = wanted, .var = -1});
        return form;
    }
    form = conditions(f, c->args[0], wanted);
    KeyForm more = conditions(f, c->args[1], wanted);
    if (wanted == (op == FD_OP_LAND))
        add_all(&form, &more);
    else
        keep_common(f, &form, &more, c);
    return form;
}

static Target zero(void)
{
    return (Target){0};
}

static KeyForm guards_of(Finder *f, const FdNode *n, Target t);

/* Both operands are computed, whatever one of them is. */
static KeyForm either(Finder *f, const FdNode *n)
{
    KeyForm form = {0};
    for (int i = 0; i < 2; i++) {
        KeyForm one = guards_of(f, n->args[i], zero());
        if (one.n) always_computed(f, n->args[!i]);
        add_all(&form, &one);
    }
    return form;
}

static KeyForm guards_of_choice(Finder *f, const FdNode *n, Target t)
{
    const FdNode *c = n->args[0];
    for (int i = 1; i < 3; i++) {
        if (!is_target(n->args[i], t)) continue;
        KeyForm form = conditions(f, c, i == 2), more = guards_of(f, n->args[3 - i], t);
        add_all(&form, &more);
        return form;
    }
    KeyForm form = guards_of(f, n->args[1], t), other = guards_of(f, n->args[2], t);
    keep_common(f, &form, &other, n);
    if (form.n) always_computed(f, c);
    return form;
}

/* What must hold if n is to be anything but the target. */
static KeyForm guards_of(Finder *f, const FdNode *n, Target t)
{
    KeyForm form = {0};
    if (f->steps++ > MOST_STEPS || n->kind != FD_APPLY) return form;
    if (is_make(n) && t.node && is_make(t.node) && t.node->nargs == n->nargs) {
        for (int i = 0; i < n->nargs; i++) {
            const FdNode *field = t.node->args[i];
            Target part =
                fd_is_const(field) ? (Target){.value = field->value} : (Target){field, {0}};
            KeyForm one = guards_of(f, n->args[i], part);
            if (is_target(n->args[i], part)) continue;
            if (form.n)
                keep_common(f, &form, &one, n);
            else
                form = one;
            if (!form.n) return form;
        }
        return form;
    }
    FdOp op = fd_op_of(n);
    if (op == FD_OP_SELECT) return guards_of_choice(f, n, t);
    if (n->type->record || t.node) return form;
    ScalarKind k = n->type->scalar;
    if (k == SC_BOOL) return conditions(f, n, !t.value.i);
    bool nothing = scalar_is_real(k) ? t.value.f == 0 : t.value.i == 0;
    if (!nothing) return form;
    if (op == FD_OP_CONVERT) return guards_of(f, n->args[0], zero());
    if (op == FD_OP_MUL && !scalar_is_real(k)) return either(f, n); /* 0 * NaN is not 0 */
    return form;
}

/* ---- keys -------------------------------------------------------------------------------------- */

/* Can a sum with v, or a conversion, equal a given value for one value of v only? */
static bool is_solvable(const FdNode *side, const FdNode *v)
{
    FdOp op;
    for (; side->kind == FD_APPLY; side = side->args[fd_uses_var(side->args[1], v)]) {
        op = fd_op_of(side);
        if (op != FD_OP_ADD && op != FD_OP_SUB) break;
        if (fd_uses_var(side->args[0], v) && fd_uses_var(side->args[1], v)) return false;
    }
    for (; side->kind == FD_APPLY && fd_op_of(side) == FD_OP_CONVERT; side = side->args[0]) {
        ScalarKind to = side->type->scalar, from = side->args[0]->type->scalar;
        if (!scalar_is_integer(to) || !scalar_is_integer(from) ||
            scalar_bytes(to) < scalar_bytes(from))
            return false;
    }
    return side == v;
}

/* Makes a guard that is an equality one that gives its variable, if that is not bound before. */
static void solve(const Def *d, KeyGuard *guard, unsigned unbound)
{
    const FdNode *c = guard->cond;
    FdOp op = c->kind == FD_APPLY ? fd_op_of(c) : FD_OP_NONE;
    if (op != (guard->wanted ? FD_OP_EQ : FD_OP_NE)) return;
    if (!fd_type_is_scalar(c->args[0]->type) || !scalar_is_integer(c->args[0]->type->scalar))
        return;
    for (int v = 0; v < d->nvars; v++)
        for (int i = 0; i < 2; i++) {
            if (!(unbound >> v & 1) || !is_solvable(c->args[i], d->vars[v])) continue;
            bool other = false; /* neither side needs another key that is not known yet */
            for (int w = 0; w < d->nvars; w++)
                other = other ||
                        ((unbound >> w & 1) && (fd_uses_var(c->args[!i], d->vars[w]) ||
                                                (w != v && fd_uses_var(c->args[i], d->vars[w]))));
            if (other) continue;
            guard->var = v;
            guard->key = c->args[!i];
            guard->side = c->args[i];
            return;
        }
}

static bool uses_unbound(const Def *d, const FdNode *n, unsigned unbound)
{
    for (int v = 0; v < d->nvars; v++)
        if ((unbound >> v & 1) && fd_uses_var(n, d->vars[v])) return true;
    return false;
}

/* Which of the `wanted` variables the guards give, in their order. A guard that asks for one before
 * it is known ends the list: it is left in the body. */
static unsigned solve_all(const Def *d, KeyForm *form, unsigned wanted)
{
    unsigned unbound = wanted;
    for (int i = 0; i < form->n; i++) {
        KeyGuard *guard = &form->guards[i];
        guard->var = -1;
        solve(d, guard, unbound);
        if (guard->var >= 0)
            unbound &= ~(1u << guard->var);
        else if (uses_unbound(d, guard->cond, unbound))
            form->n = i;
    }
    return wanted & ~unbound;
}

/* The variables that some guard gives, if all others are known. */
static unsigned candidates(const Def *d, const KeyForm *form)
{
    unsigned found = 0;
    for (int i = 0; i < form->n; i++)
        for (int v = 0; v < d->nvars; v++) {
            KeyGuard guard = form->guards[i];
            solve(d, &guard, 1u << v);
            if (guard.var == v) found |= 1u << v;
        }
    return found;
}

static bool is_random(const void *ctx, const FdNode *n)
{
    (void)ctx;
    return fd_op_of(n) == FD_OP_RANDOM;
}

static bool is_fixed(const Def *d)
{
    for (int i = 0; i < d->nvars; i++)
        if (!d->doms[i].lo || !node_is_closed(d->doms[i].lo) || !node_is_closed(d->doms[i].hi))
            return false;
    return true;
}

static bool has_form(Unit *u, const Def *d, const FdNode *reduce, KeyForm *form)
{
    Target t;
    Finder f = {.u = u, .d = d};
    if (reduce->init || !reduction_is_closed(reduce) || !find_target(reduce, &t) ||
        fd_any(reduce->body, is_random, NULL))
        return false;
    *form = guards_of(&f, reduce->body, t);
    return form->n && !f.cautious;
}

bool keys_form(Unit *u, const Def *d, const FdNode *reduce, unsigned keys, KeyForm *form)
{
    return has_form(u, d, reduce, form) && solve_all(d, form, keys) == keys;
}

unsigned keys_find(Unit *u, const Def *d, int n, const FdNode *const *reduces)
{
    unsigned keys = (1u << d->nvars) - 1;
    KeyForm form;
    if (!d->nvars || d->node->self || !is_fixed(d)) return 0;
    for (int r = 0; r < n; r++) {
        if (!has_form(u, d, reduces[r], &form)) return 0;
        keys &= candidates(d, &form);
    }
    for (int r = 0; r < n && keys; r++)
        if (!keys_form(u, d, reduces[r], keys, &form)) return 0;
    return keys;
}
