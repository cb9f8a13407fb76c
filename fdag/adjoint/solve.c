/* What is known while indices are solved (solve.h): values in place of unknowns, and conditions that ranges show. */
#include "solve.h"

#include <string.h>

static bool same_bound(Fd *fd, const FdNode *a, const FdNode *b)
{
    return a && b && fdi_to_long(fd, a) == fdi_to_long(fd, b);
}

bool fdi_same_range(Fd *fd, const FdDom *a, const FdDom *b)
{
    return same_bound(fd, a->lo, b->lo) && same_bound(fd, a->hi, b->hi);
}

/* The range that an agreement or a read says is one's own; false: there is no such. */
static bool other_range(FdiDerive *d, size_t number, const FdDom *own, FdDom *other)
{
    const FdGraph *g = &d->graph;
    FdDom p, q;
    if (number < d->same.len) {
        p = d->same.data[number].a;
        q = d->same.data[number].b;
    } else {
        const FdAgree *x = &g->agrees[number - d->same.len];
        if (x->inside) return false;
        p = fd_domain(d->fd, x->a, x->a_dim);
        q = fd_domain(d->fd, x->b, x->b_dim);
    }
    bool first = fdi_same_range(d->fd, own, &p);
    *other = first ? q : p;
    return first || fdi_same_range(d->fd, own, &q);
}

bool fdi_agree(FdiDerive *d, const FdDom *a, const FdDom *b)
{
    enum { MOST = 16 };
    FdDom known[MOST] = {*a}, other; /* the same as a, each from one before it */
    size_t all = d->same.len + (size_t)d->graph.nagrees;
    for (int n = 1, from = 0; from < n; from++)
        for (size_t i = 0; i < all; i++) {
            if (!other_range(d, i, &known[from], &other)) continue;
            if (fdi_same_range(d->fd, &other, b)) return true;
            bool met = false;
            for (int k = 0; k < n && !met; k++) met = fdi_same_range(d->fd, &known[k], &other);
            if (!met && n < MOST) known[n++] = other;
        }
    return false;
}

const FdNode *fdi_solved(FdiSolve *s, const FdNode *index, const FdNode *m, const FdNode *unknown,
                         int64_t *size_of)
{
    Fd *fd = s->d->fd;
    FdAffine form;
    int64_t factor = 0;
    ScalarKind k = unknown->type->scalar;
    if (!fdi_is_word(index) || !fd_affine(index, &form) ||
        !fd_affine_factor(&form, unknown, &factor) || !factor || factor < -INT32_MAX ||
        factor > INT32_MAX)
        return NULL;
    *size_of = factor < 0 ? -factor : factor;
    factor = factor < 0 ? -1 : 1;
    const FdNode *sum = fd_simple_op(fd, FD_OP_CONVERT, k, 1, &m);
    if (factor < 0) sum = fd_simple_op(fd, FD_OP_NEG, k, 1, &sum);
    for (int i = 0; i <= form.nterms; i++) {
        bool last = i == form.nterms;
        if (!last && form.terms[i].atom == unknown) continue;
        int64_t by = (last ? form.constant : form.terms[i].factor) * factor;
        if (!by) continue;
        ScalarValue size = scalar_convert((ScalarValue){.i = by < 0 ? -by : by}, SC_LONG, k);
        const FdNode *term = fd_const(fd, k, size);
        if (!last) {
            const FdNode *atom = fd_simple_op(fd, FD_OP_CONVERT, k, 1, &form.terms[i].atom);
            term = by == 1 || by == -1 ? atom : fdi_op2(fd, FD_OP_MUL, atom, term);
        }
        sum = fdi_op2(fd, by < 0 ? FD_OP_ADD : FD_OP_SUB, sum, term);
    }
    return sum;
}

bool fdi_can_place(const FdiSolve *s, const FdNode *unknown, const FdNode *value)
{
    for (int i = 0; i < s->left.n; i++) {
        const FdDom *dom = &s->left.doms[i];
        bool depends = fdi_free_in(dom->lo, unknown) || fdi_free_in(dom->hi, unknown);
        if (depends && fdi_free_in(value, s->left.vars[i])) return false;
    }
    return true;
}

static void put(FdiSolve *s, const FdNode **n, int count, const FdNode *const *old,
                const FdNode *const *values)
{
    if (*n) *n = fdi_replace_vars(s->d->fd, *n, count, old, values);
}

void fdi_put_all(FdiSolve *s, int count, const FdNode *const *old, const FdNode *const *values)
{
    for (int i = 0; i < s->left.n; i++) {
        put(s, &s->left.doms[i].lo, count, old, values);
        put(s, &s->left.doms[i].hi, count, old, values);
    }
    for (int i = 0; i < s->rank; i++) put(s, &s->at[i], count, old, values);
    for (int i = 0; i < s->norders; i++) {
        put(s, &s->orders[i].low, count, old, values);
        put(s, &s->orders[i].high, count, old, values);
    }
    put(s, &s->inside, count, old, values);
    put(s, &s->guard, count, old, values);
    put(s, &s->weight, count, old, values);
}

void fdi_place(FdiSolve *s, int u, const FdNode *value, const FdNode *inside)
{
    const FdNode *unknown = s->left.vars[u];
    s->left.n--;
    for (int i = u; i < s->left.n; i++) {
        s->left.vars[i] = s->left.vars[i + 1];
        s->left.doms[i] = s->left.doms[i + 1];
    }
    s->inside = fdi_and(s->d->fd, s->inside, inside);
    fdi_put_all(s, 1, &unknown, &value);
}

bool fdi_follows(FdiSolve *s, const FdAffine *form)
{
    const FdNode *vars[FDI_SCOPE + FD_MAX_RANK];
    FdDom doms[FDI_SCOPE + FD_MAX_RANK];
    int n = 0;
    for (int i = 0; i < s->rank; i++) {
        vars[n] = s->m[i];
        doms[n++] = s->doms[i];
    }
    for (int i = 0; i < s->left.n; i++) {
        vars[n] = s->left.vars[i];
        doms[n++] = s->left.doms[i];
    }
    FdFacts *f = fd_facts_new(s->d->fd, n, vars, doms, fd_long(s->d->fd, 0));
    for (int i = 0; i < s->rank; i++) { /* there is a point m: its ranges are not empty */
        FdAffine above = {0}, below = {.constant = 1};
        if (fd_affine_add(&above, doms[i].lo, 1) && fd_affine_add(&above, vars[i], -1))
            fdi_fact(f, &above);
        if (fd_affine_add(&below, vars[i], 1) && fd_affine_add(&below, doms[i].hi, -1))
            fdi_fact(f, &below);
    }
    bool shown = fd_shown(f, form);
    fd_facts_free(f);
    return shown;
}

/* The negation of a form that is at most 0. */
static FdAffine denied(const FdAffine *form)
{
    FdAffine no = {.nterms = form->nterms, .constant = 1 - form->constant};
    for (int i = 0; i < form->nterms; i++) {
        no.terms[i].atom = form->terms[i].atom;
        no.terms[i].factor = -form->terms[i].factor;
    }
    return no;
}

/* Is the form, or its negative, above 0? */
static bool is_apart(FdiSolve *s, const FdAffine *form)
{
    FdAffine above = denied(form), below = *form;
    below.constant++;
    return fdi_follows(s, &above) || fdi_follows(s, &below);
}

bool fdi_holds(FdiSolve *s, const FdNode *cond, bool truth)
{
    FdOp op = cond->kind == FD_APPLY ? fd_op_of(cond) : FD_OP_NONE;
    FdAffine forms[2];
    if (op == FD_OP_LNOT) return fdi_holds(s, cond->args[0], !truth);
    if (op == FD_OP_LAND || op == FD_OP_LOR) {
        bool first = fdi_holds(s, cond->args[0], truth), all = truth == (op == FD_OP_LAND);
        return all == first ? fdi_holds(s, cond->args[1], truth) : first;
    }
    int n = fdi_comparison(cond, truth, forms);
    bool equal = op == FD_OP_EQ || op == FD_OP_NE;
    if (!n && equal && fdi_comparison(cond, !truth, forms)) return is_apart(s, &forms[0]);
    for (int i = 0; i < n; i++)
        if (!fdi_follows(s, &forms[i])) return false;
    return n > 0;
}

/* The form but for a variable, a long; minus: with its sign turned. NULL: there is another that is not known before. */
static const FdNode *rest_of(Fd *fd, const FdAffine *form, const FdNode *var, bool minus)
{
    const FdNode *sum = NULL;
    int64_t constant = minus ? -form->constant : form->constant;
    for (int turn = 0; turn < 2; turn++) /* what is added first, then what is taken away */
        for (int i = 0; i < form->nterms; i++) {
            int64_t factor = minus ? -form->terms[i].factor : form->terms[i].factor;
            const FdNode *atom = form->terms[i].atom;
            if (atom == var || (factor < 0) != (turn > 0)) continue;
            if (!fdi_closed(atom)) return NULL;
            const FdNode *term =
                fdi_scale(fd, fdi_to_long(fd, atom), factor < 0 ? -factor : factor);
            if (!sum && factor < 0) {
                sum = fd_long(fd, constant);
                constant = 0;
            }
            sum = !sum ? term : fdi_long_op(fd, factor < 0 ? FD_OP_SUB : FD_OP_ADD, sum, term);
        }
    return sum ? fdi_add_constant(fd, sum, constant) : fd_long(fd, constant);
}

const FdNode *fdi_at_most(FdiSolve *s, const FdiOrder *o, bool *never)
{
    Fd *fd = s->d->fd;
    FdAffine form = {.constant = o->more}, no;
    bool same = o->low->type == o->high->type;
    const FdNode *low = same ? o->low : fdi_to_long(fd, o->low),
                 *high = same ? o->high : fdi_to_long(fd, o->high), *var = NULL,
                 *as_is = fdi_op2(fd, o->more ? FD_OP_LT : FD_OP_LE, low, high);
    int64_t factor = 0;
    if (!fd_affine_add(&form, o->low, 1) || !fd_affine_add(&form, o->high, -1)) return as_is;
    if (fdi_follows(s, &form)) return NULL;
    no = denied(&form);
    if (never && fdi_follows(s, &no)) *never = true;
    for (int i = 0; i < form.nterms && !var; i++)
        if (form.terms[i].atom->kind == FD_VAR) {
            var = form.terms[i].atom;
            factor = form.terms[i].factor;
        }
    if (factor != 1 && factor != -1) return as_is;
    if (factor > 0) form.constant--; /* v + rest <= 0 is v < 1 - rest */
    const FdNode *bound = rest_of(fd, &form, var, factor > 0);
    if (!bound) return as_is;
    if (factor < 0) return fdi_op2(fd, FD_OP_LE, bound, fdi_to_long(fd, var));
    return fdi_op2(fd, FD_OP_LT, fdi_to_long(fd, var), bound);
}

const FdNode *fdi_in_range(FdiSolve *s, const FdNode *value, const FdDom *dom, const FdNode *m,
                           const FdDom *of_m)
{
    Fd *fd = s->d->fd;
    if (m && value == m && (fdi_same_range(fd, dom, of_m) || fdi_agree(s->d, dom, of_m)))
        return NULL;
    value = fdi_to_long(fd, value);
    const FdiOrder low = {fdi_to_long(fd, dom->lo), value, 0},
                   high = {value, fdi_to_long(fd, dom->hi), 1};
    return fdi_and(fd, fdi_at_most(s, &low, NULL), fdi_at_most(s, &high, NULL));
}

const FdNode *fdi_integer(Fd *fd, const FdNode *like, int64_t v)
{
    ScalarKind k = like->type->scalar;
    return fd_const(fd, k, scalar_convert((ScalarValue){.i = v}, SC_LONG, k));
}

bool fdi_is_fixed(const FdDom *dom, int64_t *lo, int64_t *length)
{
    if (!fd_is_const(dom->lo) || !fd_is_const(dom->hi)) return false;
    *lo = dom->lo->value.i;
    *length = dom->hi->value.i - *lo;
    return true;
}

bool fdi_is_natural(const FdDom *dom)
{
    return fd_is_const(dom->lo) && dom->lo->value.i >= 0;
}

int fdi_unknowns(const FdiSolve *s, const FdNode *index)
{
    int n = 0;
    for (int u = 0; u < s->left.n; u++) n += fdi_free_in(index, s->left.vars[u]);
    return n;
}
