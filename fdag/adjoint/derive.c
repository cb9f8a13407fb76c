/* What forward and backward mode share: the graph before it is differentiated, what depends on the variables,
 * and the terms of reductions. */
#include <float.h>
#include <string.h>

#include "derive.h"

/* ---- the function ------------------------------------------------------------------------ */

/* Slots for the variables behind the others, then for those of derivatives around: n with these in place of them. */
static const FdNode *with_slots(FdiDerive *d, const FdNode *n)
{
    FdFunction *f = d->f;
    FdGraph *g = &d->graph;
    int count = f->nvars + f->nouter;
    const FdNode **vars = arena_array(d->fd->arena, const FdNode *, count + 1);
    const FdNode **slots = arena_array(d->fd->arena, const FdNode *, count + 1);
    g->nslots = f->nslots + count;
    g->slots = arena_array(d->fd->arena, FdSlot, g->nslots + 1);
    if (f->nslots) memcpy(g->slots, f->slots, sizeof *g->slots * (size_t)f->nslots);
    for (int i = 0; i < count; i++) {
        const FdNode *v = vars[i] = i < f->nvars ? f->vars[i] : f->outer[i - f->nvars];
        g->slots[f->nslots + i] =
            (FdSlot){.type = v->type, .is_array = v->type->nparams > 0, .name = v->name};
        slots[i] = fd_slot(d->fd, f->nslots + i, v->type, v->name);
    }
    return fdi_replace_vars(d->fd, n, count, vars, slots);
}

const FdNode *fdi_outer_slots(FdiDerive *d, const FdNode *n)
{
    const FdFunction *f = d->f;
    const FdNode **slots = arena_array(d->fd->arena, const FdNode *, f->nouter + 1);
    for (int i = 0; i < f->nouter; i++)
        slots[i] = fd_slot(d->fd, f->nslots + f->nvars + i, f->outer[i]->type, f->outer[i]->name);
    return fdi_replace_vars(d->fd, n, f->nouter, f->outer, slots);
}

/* A function that is no let gets one around it. */
static const FdNode *as_let(Fd *fd, const FdNode *n)
{
    int count = n->type->nparams;
    const FdNode *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    if (!count || n->kind == FD_LET) return n;
    for (int i = 0; i < count; i++) {
        vars[i] = fd_var(fd, n->type->params[i], "i");
        doms[i].kind = fd_domain(fd, n, i).kind == FD_DOM_FULL ? FD_DOM_FULL : FD_DOM_OPEN;
    }
    return fd_let(fd, count, vars, doms, fd_apply(fd, n, count, vars, n->loc), n->loc);
}

static void gather_agrees(FdiDerive *d)
{
    FdGraph *g = &d->graph;
    FdAgree *out = arena_array(d->fd->arena, FdAgree, g->nagrees + 1);
    for (int i = 0; i < g->nagrees; i++) {
        out[i] = g->agrees[i];
        out[i].a = fdi_derive_at(d, out[i].a);
        out[i].b = fdi_derive_at(d, out[i].b);
        if (fdi_closed(out[i].a) && fdi_closed(out[i].b)) out[d->f->nagrees++] = out[i];
    }
    d->f->agrees = out;
}

/* Can its elements be a definition of their own? */
static bool is_definition(const FdNode *let)
{
    for (int i = 0; i < let->nvars; i++)
        if (!let->doms[i].lo || !let->doms[i].hi || !fdi_is_integer(let->vars[i]->type))
            return false;
    return fdi_closed(let);
}

/* ---- reductions as definitions ------------------------------------------------------------ */

/* The outermost reductions that a function's values always have, but one that is the value. */
static void find_reductions(const FdNode *n, const FdiMap *strict, FdiMap *seen, FdiNodes *out)
{
    uint64_t dummy;
    if (fdi_map_get(seen, n, &dummy) || !fdi_map_get(strict, n, &dummy)) return;
    fdi_map_set(seen, n, 1);
    if (n->kind == FD_REDUCE && !fdi_closed(n)) vec_push(out, n);
    for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++)
        find_reductions(n->args[i], strict, seen, out);
}

/* before: y(i) = max(sum(k, a(i, k) * x(k)), 0)
 * after:  y(i) = max(s(i), 0) with s(i) = sum(k, a(i, k) * x(k))
 * Derivatives of y ask for s at every place that reads y, and s has an adjoint of its own. */
static const FdNode *reductions_out(void *ctx, Fd *fd, const FdNode *n)
{
    FdiMap strict = {0}, seen = {0};
    FdiNodes found = {0};
    const FdNode *made[FD_MAX_RANK], *body = n->body;
    (void)ctx;
    if (n->kind != FD_LET || n->self || !is_definition(n) || body->kind != FD_APPLY ||
        body->type->nparams || body->type->record)
        return NULL;
    fdi_gather_strict(body, &strict);
    find_reductions(body, &strict, &seen, &found);
    size_t count = found.len < FD_MAX_RANK ? found.len : FD_MAX_RANK;
    for (size_t i = 0; i < count; i++) {
        const FdNode *r = found.data[i];
        const FdNode *let = fdi_fresh(fd, fd_let(fd, n->nvars, n->vars, n->doms, r, r->loc));
        made[i] = fd_apply(fd, let, n->nvars, n->vars, r->loc);
    }
    for (size_t i = 0; i < count; i++) body = fdi_put(fd, body, found.data[i], made[i]);
    fdi_map_free(&strict);
    fdi_map_free(&seen);
    vec_free(&found);
    return body == n->body ? NULL : fdi_rebind(fd, n, NULL, body);
}

bool fdi_derive_begin(FdiDerive *d, Fd *fd, FdFunction *f, FdError *error)
{
    static const char *const passes[] = {"given", "fold",   "domains",
                                         "recur", "inline", "components"};
    *d = (FdiDerive){.fd = fd, .f = f, .error = error};
    *error = (FdError){0};
    f->nagrees = 0;
    fd_set_root(fd, &d->graph, as_let(fd, with_slots(d, f->value)));
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        if (!fd_pass_find(passes[i])->run(fd, &d->graph, error)) return false;
    fdi_inline_values(fd, &d->graph);
    if (fdi_folds_out(d) && !fd_pass_find("inline")->run(fd, &d->graph, error)) return false;
    if (error->message) return false;
    fd_set_root(fd, &d->graph, fd_rewrite(fd, fd_root(&d->graph), reductions_out, NULL));
    gather_agrees(d);
    fdi_find_ranges(d);
    return true;
}

void fdi_derive_end(FdiDerive *d)
{
    fdi_map_free(&d->active);
    fdi_map_free(&d->forms);
    fdi_map_free(&d->firsts);
    vec_free(&d->sums);
    vec_free(&d->same);
    vec_free(&d->within);
}

const FdNode *fdi_derive_at(FdiDerive *d, const FdNode *n)
{
    const FdNode *values[FD_MAX_PARAMS * 2] = {NULL};
    const FdFunction *f = d->f;
    int count = f->nslots + f->nvars + f->nouter;
    const FdNode **all =
        count <= FD_MAX_PARAMS * 2 ? values : arena_array(d->fd->arena, const FdNode *, count);
    memset(all, 0, sizeof *all * (size_t)count);
    for (int i = 0; i < f->nvars; i++) all[f->nslots + i] = f->args[i];
    for (int i = 0; i < f->nouter; i++) all[f->nslots + f->nvars + i] = f->outer[i];
    return fd_substitute(d->fd, n, all, count);
}

const FdNode *fd_differentiated(Fd *fd, FdFunction *f, FdError *error)
{
    FdiDerive d;
    bool good = fdi_derive_begin(&d, fd, f, error);
    const FdNode *value = good ? fdi_derive_at(&d, fd_root(&d.graph)) : NULL;
    fdi_derive_end(&d);
    return value;
}

int fdi_derive_var(const FdiDerive *d, const FdNode *n)
{
    int var = fdi_is_leaf(n, FD_LEAF_SLOT) ? n->slot - d->f->nslots : -1;
    return var < d->f->nvars ? var : -1;
}

bool fdi_is_real(const FdType *t)
{
    while (t->nparams) t = t->result;
    for (int i = 0; i < fd_type_leaves(t); i++)
        if (scalar_is_real(fd_type_leaf(t, i))) return true;
    return false;
}

static bool is_var(const void *derive, const FdNode *n)
{
    return fdi_derive_var(derive, n) >= 0;
}

/* A variable that is a function is a recurrence in its own body: it depends where that does. */
bool fdi_active(FdiDerive *d, const FdNode *n)
{
    uint64_t known = 0;
    if (fdi_map_get(&d->active, n, &known)) return known;
    const FdNode *below[FD_MAX_CHILDREN];
    int count = fd_children(n, below);
    bool is = fdi_derive_var(d, n) >= 0 ||
              (n->kind == FD_VAR && (n->type->nparams > 0 || n->role == FD_VAR_LOCAL));
    if (n->self) is = fd_any(n, is_var, d);
    for (int i = fd_nbound(n); i < count && !is && !n->self; i++)
        if (fdi_is_real(below[i]->type)) is = fdi_active(d, below[i]);
    is = is && fdi_is_real(n->type);
    fdi_map_set(&d->active, n, is);
    return is;
}

const FdNode *fdi_fail(FdiDerive *d, const FdNode *at, const char *what)
{
    if (d->error->message) return NULL;
    d->error->message = arena_printf(d->fd->arena, "there is no derivative yet of %s", what);
    d->error->loc = at->loc;
    d->error->at = at;
    return NULL;
}

const FdNode *fdi_zero(Fd *fd, const FdType *t)
{
    if (!t->record) return fd_const(fd, t->scalar, (ScalarValue){.i = 0});
    const FdNode *fields[FD_MAX_FIELDS];
    for (int i = 0; i < t->nfields; i++) fields[i] = fdi_zero(fd, t->fields[i]);
    return fd_make(fd, t, fields, (FdLoc){0});
}

const FdNode *fdi_seen_through(FdiDerive *d, const FdNode *n, bool stored)
{
    if (n->kind != FD_APPLY) return NULL;
    const FdNode *f = n->fn;
    if (f->kind == FD_APPLY) { /* a function that a function gives */
        f = fdi_seen_through(d, f, false);
        return f ? fd_apply(d->fd, f, n->nargs, n->args, n->loc) : NULL;
    }
    if (f->kind != FD_LET || f->self || (stored && is_definition(f))) return NULL;
    return fdi_replace_vars(d->fd, f->body, f->nvars, f->vars, n->args);
}

/* ---- conditions and sums ----------------------------------------------------------------- */

const FdNode *fdi_op2(Fd *fd, FdOp op, const FdNode *a, const FdNode *b)
{
    return fd_simple_op(fd, op, a->type->scalar, 2, (const FdNode *[]){a, b});
}

const FdNode *fdi_and(Fd *fd, const FdNode *a, const FdNode *b)
{
    return a && b ? fdi_op2(fd, FD_OP_LAND, a, b) : a ? a : b;
}

const FdNode *fdi_guarded(Fd *fd, const FdNode *guard, const FdNode *value)
{
    if (!guard || !value) return value;
    const FdType *t = value->type;
    const FdNode *args[] = {guard, value, fdi_zero(fd, t)}, *fields[FD_MAX_FIELDS];
    if (!t->record) return fd_simple_op(fd, FD_OP_SELECT, SC_INT, 3, args);
    for (int i = 0; i < t->nfields; i++) { /* each by itself: what is zero stays so */
        fields[i] = fd_field(fd, value, i, (FdLoc){0});
        if (fdi_is_real(t->fields[i])) fields[i] = fdi_guarded(fd, guard, fields[i]);
    }
    return fd_make(fd, t, fields, (FdLoc){0});
}

bool fdi_is_zero(const FdNode *n)
{
    return fd_is_const(n) && scalar_is_real(n->type->scalar) && n->value.f == 0;
}

/* The sum of (c ? a : 0) and (c ? 0 : b), which is c ? a : b; NULL: they are others. */
static const FdNode *either(Fd *fd, const FdNode *a, const FdNode *b)
{
    if (!fdi_is_op(a, FD_OP_SELECT) || !fdi_is_op(b, FD_OP_SELECT) || a->args[0] != b->args[0])
        return NULL;
    const FdNode *args[3] = {a->args[0]};
    for (int i = 1; i < 3; i++) {
        bool nothing = fdi_is_zero(a->args[i]);
        if (!nothing && !fdi_is_zero(b->args[i])) return NULL;
        args[i] = nothing ? b->args[i] : a->args[i];
    }
    return args[1] == args[2] ? args[1] : fd_simple_op(fd, FD_OP_SELECT, SC_INT, 3, args);
}

const FdNode *fdi_plus(Fd *fd, const FdNode *a, const FdNode *b)
{
    if (!a || !b) return a ? a : b;
    if (!a->type->record && a == b && scalar_is_real(a->type->scalar)) { /* a factor leaves sums */
        ScalarKind k = a->type->scalar;
        const FdNode *two = fd_const(fd, k, scalar_convert((ScalarValue){.i = 2}, SC_INT, k));
        return fdi_op2(fd, FD_OP_MUL, two, a);
    }
    if (!a->type->record && !scalar_is_real(a->type->scalar)) return a;
    if (!a->type->record) {
        const FdNode *chosen = either(fd, a, b);
        return chosen ? chosen : fdi_op2(fd, FD_OP_ADD, a, b);
    }
    const FdNode *fields[FD_MAX_FIELDS];
    for (int i = 0; i < a->type->nfields; i++)
        fields[i] = fdi_plus(fd, fd_field(fd, a, i, (FdLoc){0}), fd_field(fd, b, i, (FdLoc){0}));
    return fd_make(fd, a->type, fields, (FdLoc){0});
}

/* ---- reductions -------------------------------------------------------------------------- */

const FdNode *fdi_sum(Fd *fd, int nvars, const FdNode *const *vars, const FdDom *doms,
                      const FdNode *term, FdLoc loc)
{
    const FdType *params[] = {term->type, term->type};
    const FdNode *add = fd_op(fd, FD_OP_ADD, fd_type_func(fd, term->type, 2, params));
    return fd_reduce(fd, add, nvars, vars, doms, term, loc);
}

/* Of a product: of the factors but that at the place of `fresh`. */
static const FdNode *other_factors(Fd *fd, const FdNode *n, const FdNode *fresh)
{
    const FdNode *other = fdi_fresh(fd, n), *same = NULL;
    for (int i = 0; i < n->nvars; i++)
        same = fdi_and(fd, same, fdi_op2(fd, FD_OP_EQ, other->vars[i], fresh->vars[i]));
    ScalarKind k = n->type->scalar;
    const FdNode *one = fd_const(fd, k, scalar_convert((ScalarValue){.i = 1}, SC_INT, k));
    const FdNode *args[] = {same, one, other->body};
    const FdNode *factor = fd_simple_op(fd, FD_OP_SELECT, SC_INT, 3, args);
    factor = fd_reduce(fd, n->fn, n->nvars, other->vars, other->doms, factor, n->loc);
    if (k != SC_FLOAT && k != SC_DOUBLE) return factor;
    /* The product divided by the one, where neither is zero and nothing was lost: once, not for each place. */
    const double least = k == SC_FLOAT ? 1e-30 : 1e-290, most = k == SC_FLOAT ? FLT_MAX : DBL_MAX;
    const FdNode *size = fd_simple_op(fd, FD_OP_ABS, k, 1, &n),
                 *low = fd_const(fd, k, (ScalarValue){.f = least}),
                 *high = fd_const(fd, k, (ScalarValue){.f = most});
    const FdNode *plain =
        fdi_and(fd, fdi_op2(fd, FD_OP_LE, low, size), fdi_op2(fd, FD_OP_LE, size, high));
    const FdNode *quotient[] = {plain, fdi_op2(fd, FD_OP_DIV, n, fresh->body), factor};
    return fd_simple_op(fd, FD_OP_SELECT, SC_INT, 3, quotient);
}

bool fdi_term(FdiDerive *d, const FdNode *n, const FdNode *fresh, const FdNode **factor,
              const FdNode **when)
{
    FdOp op = n->init ? FD_OP_NONE : fd_op_of(n);
    *factor = *when = NULL;
    if (op == FD_OP_MUL)
        *factor = other_factors(d->fd, n, fresh);
    else if (op == FD_OP_MIN || op == FD_OP_MAX)
        *when = fdi_attains(d, n, fresh);
    else if (op != FD_OP_ADD)
        fdi_fail(d, n,
                 n->init ? "a Fold: write sum, prod, min or max"
                         : "a reduction by a function of the program: write sum, prod, min or max");
    return !d->error->message;
}

bool fdi_can_call(FdiDerive *d, const FdNode *n)
{
    if (fdi_is_leaf(n->fn, FD_LEAF_USER))
        fdi_fail(d, n, "a function that the host runs: write it as definitions and reductions");
    if (n->fn->kind == FD_APPLY)
        fdi_fail(d, n, "a function that the host computes: write its values as an expression");
    for (int i = 0; i < n->nargs; i++)
        if (fdi_active(d, n->args[i]))
            fdi_fail(d, n, "a function of reals as a value: write its values as an expression");
    if (n->fn->self && !fdi_closed(n->fn))
        fdi_fail(d, n->fn, "a recurrence with variables around it: make them parameters of it");
    return !d->error->message;
}
