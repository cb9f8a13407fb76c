/* Two variables as one (flat.h). */
#include "flat.h"

#include "../internal.h"
#include "facts/facts.h"

bool fd_is_flat(const FdNode *array, int dim)
{
    return fdi_is_leaf(array, FD_LEAF_SLOT) && array->value.i && dim >= array->type->nparams - 2;
}

bool fd_is_flat_var(const FdNode *v)
{
    return v->kind == FD_VAR && v->value.i;
}

/* Its indices are longs: a row is as long as two dimensions. */
static const FdNode *flat_slot(Fd *fd, const FdNode *array)
{
    const FdType *params[FD_MAX_RANK];
    for (int i = 0; i < array->type->nparams; i++) params[i] = fd_type_scalar(fd, SC_LONG);
    const FdType *t = fd_type_func(fd, array->type->result, array->type->nparams, params);
    return fdi_flat_slot(fd, array, t);
}

/* ---- what is read ------------------------------------------------------------------------ */

typedef struct Flatten {
    Fd *fd;
    FdFlat *out;
    const FdNode *j, *c, *x;
    FdDom dj, dc;
    bool fails;
} Flatten;

static bool uses(const FdNode *n, const FdNode *v)
{
    return fdi_free_in(n, v);
}

static bool is_array_read(const FdNode *n)
{
    return fdi_applies(n, FD_LEAF_SLOT) && n->nargs >= 2;
}

static bool is_listed(const FdFlat *f, const FdNode *array)
{
    for (int i = 0; i < f->narrays; i++)
        if (f->arrays[i] == array) return true;
    return false;
}

/* Arrays whose last index goes with the last variable. */
static bool find_array(const void *ctx, const FdNode *n)
{
    Flatten *f = *(Flatten *const *)ctx;
    if (n->kind == FD_APPLY && n->fn->kind == FD_VAR) f->fails = true; /* of a function's arrays */
    if (!is_array_read(n) || !uses(n->args[n->nargs - 1], f->c) || is_listed(f->out, n->fn))
        return f->fails;
    const FdType *t = n->fn->type;
    if (f->out->narrays == FD_FLAT_ARRAYS || t != fd_type_array_of(f->fd, t->result, t->nparams))
        f->fails = true;
    else
        f->out->arrays[f->out->narrays++] = n->fn;
    return f->fails;
}

/* The ends of their last dimension are those of the range. */
static const FdNode *same_ends(void *ctx, Fd *fd, const FdNode *n)
{
    Flatten *f = ctx;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if ((op != FD_OP_LOWER && op != FD_OP_UPPER) || !is_listed(f->out, n->args[0])) return NULL;
    if (n->args[1]->value.i != n->args[0]->type->nparams - 1) return NULL;
    return fdi_to_long(fd, op == FD_OP_LOWER ? f->dc.lo : f->dc.hi);
}

static bool is_variable(const FdNode *n, const FdNode *v)
{
    FdAffine a;
    return fd_affine(n, &a) && a.nterms == 1 && a.constant == 0 && a.terms[0].atom == v &&
           a.terms[0].factor == 1;
}

/* How many rows an index is beyond j, which it may go with in any way. */
static const FdNode *rows_beyond(Flatten *f, const FdNode *index)
{
    Fd *fd = f->fd;
    FdAffine a;
    int64_t factor;
    if (!fd_affine(index, &a) || !fd_affine_factor(&a, f->j, &factor) || factor != 1) {
        const FdNode *q = f->out->value[0];
        index = fdi_to_long(fd, fdi_replace_vars(fd, index, 1, &f->j, &q));
        return fdi_long_op(fd, FD_OP_SUB, index, fdi_to_long(fd, q));
    }
    const FdNode *sum = fd_long(fd, 0);
    for (int i = 0; i < a.nterms; i++) {
        if (a.terms[i].atom == f->j) continue;
        const FdNode *x = fdi_scale(fd, fdi_to_long(fd, a.terms[i].atom), a.terms[i].factor);
        sum = fdi_long_op(fd, FD_OP_ADD, sum, x);
    }
    return fdi_add_constant(fd, sum, a.constant);
}

static const FdNode *flat_read(void *ctx, Fd *fd, const FdNode *n)
{
    Flatten *f = ctx;
    const FdNode *args[FD_MAX_RANK];
    if (!is_array_read(n) || (!uses(n, f->j) && !uses(n, f->c))) return NULL;
    int last = n->nargs - 1;
    if (!is_variable(n->args[last], f->c) || !uses(n->args[last - 1], f->j) ||
        uses(n->args[last - 1], f->c))
        f->fails = true;
    for (int i = 0; i < n->nargs; i++) {
        if (i < last - 1 && (uses(n->args[i], f->j) || uses(n->args[i], f->c))) f->fails = true;
        if (!fdi_is_word(n->args[i])) f->fails = true;
    }
    if (f->fails) return NULL;
    for (int i = 0; i < last - 1; i++) args[i] = fdi_to_long(fd, n->args[i]);
    args[last - 1] =
        fdi_long_op(fd, FD_OP_ADD, rows_beyond(f, n->args[last - 1]), fdi_to_long(fd, f->dj.lo));
    args[last] = fdi_long_op(fd, FD_OP_ADD, f->x, fdi_to_long(fd, f->dc.lo));
    return fd_apply(fd, flat_slot(fd, n->fn), n->nargs, args, n->loc);
}

/* ---- all of it --------------------------------------------------------------------------- */

static const FdNode *length(Fd *fd, const FdDom *d)
{
    return fdi_long_op(fd, FD_OP_SUB, fdi_to_long(fd, d->hi), fdi_to_long(fd, d->lo));
}

/* lo + x / n, lo + x % n, in the variable's own type. */
static const FdNode *part(Fd *fd, FdOp op, const FdNode *x, const FdNode *by, const FdDom *d,
                          const FdNode *v)
{
    const FdNode *n = fdi_long_op(fd, op, x, by);
    n = fdi_long_op(fd, FD_OP_ADD, fdi_to_long(fd, d->lo), n);
    return fd_simple_op(fd, FD_OP_CONVERT, v->type->scalar, 1, &n);
}

static bool is_closed_range(const FdDom *d)
{
    return d->lo && d->hi && fd_closed(d->lo) && fd_closed(d->hi) && fdi_is_word(d->lo) &&
           fdi_is_word(d->hi);
}

/* Where there is a point: bounds of clamps do not wrap. */
static void is_not_empty(FdFacts *facts, const FdDom *d)
{
    FdAffine a = {.constant = 1};
    if (is_closed_range(d) && fd_affine_add(&a, d->lo, 1) && fd_affine_add(&a, d->hi, -1))
        fd_fact(facts, &a);
}

bool fd_flat(Fd *fd, int nvars, const FdNode *const *vars, const FdDom *doms, const FdNode *body,
             FdFlat *out)
{
    *out = (FdFlat){0};
    if (nvars < 2) return false;
    Flatten f = {.fd = fd, .out = out, .j = vars[nvars - 2], .c = vars[nvars - 1]};
    Flatten *to = &f;
    f.dj = doms[nvars - 2], f.dc = doms[nvars - 1];
    if (!is_closed_range(&f.dj) || !is_closed_range(&f.dc)) return false;
    if (!fdi_is_word(f.j) || !fdi_is_word(f.c)) return false;
    fd_any(body, find_array, &to);
    if (f.fails || !out->narrays) return false;
    FdFacts *facts = fd_facts_new(fd, nvars, vars, doms, body);
    for (int i = 0; i < nvars; i++) is_not_empty(facts, &doms[i]);
    out->plain = fd_under(facts, fd_rewrite(fd, body, same_ends, &f));
    fd_facts_free(facts);
    const FdNode *n = length(fd, &f.dc);
    const FdNode *by = fdi_long_op(fd, FD_OP_MAX, n, fd_long(fd, 1));
    const char *name = arena_printf(fd_arena(fd), "%s%s", fdi_var_name(f.j), fdi_var_name(f.c));
    f.x = fdi_flat_var(fd, name);
    out->nvars = nvars - 1;
    for (int i = 0; i < nvars - 2; i++) out->vars[i] = vars[i], out->doms[i] = doms[i];
    out->vars[nvars - 2] = f.x;
    out->doms[nvars - 2] = (FdDom){.kind = FD_DOM_GIVEN,
                                   .lo = fd_long(fd, 0),
                                   .hi = fdi_long_op(fd, FD_OP_MUL, length(fd, &f.dj), n)};
    out->old[0] = f.j, out->old[1] = f.c;
    out->value[0] = part(fd, FD_OP_DIV, f.x, by, &f.dj, f.j);
    out->value[1] = part(fd, FD_OP_REM, f.x, by, &f.dc, f.c);
    body = fd_rewrite(fd, out->plain, flat_read, &f);
    out->body = f.fails ? NULL : fdi_replace_vars(fd, body, 2, out->old, out->value);
    return out->body != NULL;
}

int fd_flat_conditions(Fd *fd, const FdFlat *flat, int n, const FdNode **conds)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (!uses(conds[i], flat->old[1]))
            conds[count++] = fdi_replace_vars(fd, conds[i], 1, flat->old, flat->value);
    return count;
}

bool fd_flat_apart(const FdNode *n, const FdNode *v)
{
    FdiMap seen = {0};
    FdiNodes stack = {0};
    uint64_t mark;
    bool apart = false;
    vec_push(&stack, n);
    while (stack.len && !apart) {
        const FdNode *children[FD_MAX_CHILDREN];
        n = stack.data[--stack.len];
        if (!uses(n, v) || fdi_map_get(&seen, n, &mark)) continue;
        fdi_map_set(&seen, n, 1);
        apart = n == v;
        bool flat = n->kind == FD_APPLY && fd_is_flat(n->fn, n->nargs - 1);
        for (int i = fd_children(n, children) - flat; i-- > 0;) vec_push(&stack, children[i]);
    }
    fdi_map_free(&seen);
    vec_free(&stack);
    return apart;
}
