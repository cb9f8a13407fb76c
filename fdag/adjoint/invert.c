/* Which places read an element: solves the indices of a read for the variables around it.
 *   before: for all i, d: w(h, d + 1) is read with weight e(i, h, d)
 *   after:  adjoint of w at (m0, m1) is sum(i, inside(m1 - 1) ? e(i, m0, m1 - 1) : 0)
 * An unknown with factor 1 or -1 in an affine index is put in place; its range becomes a condition. An index
 * that no unknown solves stays as a condition of the sum: a sum by key. Unknowns that are left are summed. */
#include "derive.h"

typedef struct Solve {
    FdiDerive *d;
    FdiScope left; /* unknowns */
    const FdNode *at[FD_MAX_RANK], *guard, *inside, *weight;
} Solve;

static bool same_bound(Fd *fd, const FdNode *a, const FdNode *b)
{
    return a && b && fdi_to_long(fd, a) == fdi_to_long(fd, b);
}

static bool same_range(Fd *fd, const FdDom *a, const FdDom *b)
{
    return same_bound(fd, a->lo, b->lo) && same_bound(fd, a->hi, b->hi);
}

/* Do an agreement's functions have these ranges? */
static bool agree(FdiDerive *d, const FdDom *a, const FdDom *b)
{
    const FdGraph *g = &d->graph;
    for (int i = 0; i < g->nagrees; i++) {
        const FdAgree *x = &g->agrees[i];
        if (x->inside) continue;
        FdDom p = fd_domain(d->fd, x->a, x->a_dim), q = fd_domain(d->fd, x->b, x->b_dim);
        if ((same_range(d->fd, a, &p) && same_range(d->fd, b, &q)) ||
            (same_range(d->fd, a, &q) && same_range(d->fd, b, &p)))
            return true;
    }
    return false;
}

/* What the unknown is where the index is m, an int or long as the unknown; NULL: the index does not tell. */
static const FdNode *solved(Solve *s, const FdNode *index, const FdNode *m, const FdNode *unknown)
{
    Fd *fd = s->d->fd;
    FdAffine form;
    int64_t factor = 0;
    ScalarKind k = unknown->type->scalar;
    if (!fdi_is_word(index) || !fd_affine(index, &form) ||
        !fd_affine_factor(&form, unknown, &factor) || (factor != 1 && factor != -1))
        return NULL;
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

/* Can the unknown be put in place: do the ranges of those that its value uses not depend on it? */
static bool can_place(const Solve *s, const FdNode *unknown, const FdNode *value)
{
    for (int i = 0; i < s->left.n; i++) {
        const FdDom *dom = &s->left.doms[i];
        bool depends = fdi_free_in(dom->lo, unknown) || fdi_free_in(dom->hi, unknown);
        if (depends && fdi_free_in(value, s->left.vars[i])) return false;
    }
    return true;
}

static const FdNode *put(Solve *s, const FdNode *n, const FdNode *unknown, const FdNode *value)
{
    return n ? fdi_replace_vars(s->d->fd, n, 1, &unknown, &value) : NULL;
}

static void place(Solve *s, int rank, int u, const FdNode *value, const FdNode *inside)
{
    const FdNode *unknown = s->left.vars[u];
    s->left.n--;
    for (int i = u; i < s->left.n; i++) {
        s->left.vars[i] = s->left.vars[i + 1];
        s->left.doms[i] = s->left.doms[i + 1];
    }
    s->inside = fdi_and(s->d->fd, s->inside, inside);
    for (int i = 0; i < s->left.n; i++) {
        s->left.doms[i].lo = put(s, s->left.doms[i].lo, unknown, value);
        s->left.doms[i].hi = put(s, s->left.doms[i].hi, unknown, value);
    }
    for (int i = 0; i < rank; i++) s->at[i] = put(s, s->at[i], unknown, value);
    s->inside = put(s, s->inside, unknown, value);
    s->guard = put(s, s->guard, unknown, value);
    s->weight = put(s, s->weight, unknown, value);
}

/* The unknown's range as a condition on its value; NULL: it holds, m having the same range. */
static const FdNode *in_range(Solve *s, const FdNode *value, const FdDom *dom, const FdNode *m,
                              const FdDom *of_m)
{
    Fd *fd = s->d->fd;
    if (value == m && (same_range(fd, dom, of_m) || agree(s->d, dom, of_m))) return NULL;
    value = fdi_to_long(fd, value);
    const FdNode *above = fdi_op2(fd, FD_OP_LE, fdi_to_long(fd, dom->lo), value);
    const FdNode *below = fdi_op2(fd, FD_OP_LT, value, fdi_to_long(fd, dom->hi));
    return fdi_op2(fd, FD_OP_LAND, above, below);
}

/* Solves index number i for an unknown, the outermost that it tells. */
static bool solve(Solve *s, int rank, int i, const FdNode *m, const FdDom *of_m)
{
    for (int u = 0; u < s->left.n; u++) {
        const FdNode *value = solved(s, s->at[i], m, s->left.vars[u]);
        if (!value || !can_place(s, s->left.vars[u], value)) continue;
        const FdNode *inside = in_range(s, value, &s->left.doms[u], m, of_m);
        place(s, rank, u, value, inside);
        return true;
    }
    return false;
}

/* How many unknowns are in an index. */
static int unknowns(const Solve *s, const FdNode *index)
{
    int n = 0;
    for (int u = 0; u < s->left.n; u++) n += fdi_free_in(index, s->left.vars[u]);
    return n;
}

/* A sum over the unknowns that are left, the outermost first. */
static const FdNode *summed(Solve *s, const FdNode *term)
{
    Fd *fd = s->d->fd;
    const FdType *params[] = {term->type, term->type};
    const FdNode *add = fd_op(fd, FD_OP_ADD, fd_type_func(fd, term->type, 2, params));
    for (int end = s->left.n; end > 0;) {
        int n = end < FD_MAX_RANK ? end : FD_MAX_RANK;
        end -= n;
        term = fd_reduce(fd, add, n, s->left.vars + end, s->left.doms + end, term, (FdLoc){0});
    }
    return term;
}

/* Variables of its own: no two reductions bind the same (share counts on it). */
static void rename_all(Solve *s, int rank)
{
    Fd *fd = s->d->fd;
    const FdNode *old[FDI_SCOPE];
    int n = s->left.n;
    for (int u = 0; u < n; u++) {
        old[u] = s->left.vars[u];
        s->left.vars[u] = fd_var(fd, old[u]->type, old[u]->name);
    }
    for (int u = 0; u < n; u++) {
        FdDom *dom = &s->left.doms[u];
        dom->lo = fdi_replace_vars(fd, dom->lo, n, old, s->left.vars);
        dom->hi = fdi_replace_vars(fd, dom->hi, n, old, s->left.vars);
    }
    for (int i = 0; i < rank; i++) s->at[i] = fdi_replace_vars(fd, s->at[i], n, old, s->left.vars);
    if (s->guard) s->guard = fdi_replace_vars(fd, s->guard, n, old, s->left.vars);
    s->weight = fdi_replace_vars(fd, s->weight, n, old, s->left.vars);
}

const FdNode *fdi_invert(FdiDerive *d, const FdiRead *read, int rank, const FdNode *const *m,
                         const FdDom *doms)
{
    Solve s = {.d = d, .left = *read->scope, .guard = read->guard, .weight = read->weight};
    enum { OPEN, SOLVED, BY_KEY } is[FD_MAX_RANK] = {OPEN};
    for (int i = 0; i < rank; i++) s.at[i] = read->at[i];
    rename_all(&s, rank);
    for (int turn = 0; turn < rank; turn++) { /* those with the fewest unknowns first */
        int best = -1;
        for (int i = 0; i < rank; i++)
            if (is[i] == OPEN && (best < 0 || unknowns(&s, s.at[i]) < unknowns(&s, s.at[best])))
                best = i;
        is[best] = solve(&s, rank, best, m[best], &doms[best]) ? SOLVED : BY_KEY;
    }
    const FdNode *guard = s.inside;
    for (int i = 0; i < rank; i++) {
        const FdNode *at = fdi_to_long(d->fd, s.at[i]), *index = fdi_to_long(d->fd, m[i]);
        if (is[i] == BY_KEY) guard = fdi_and(d->fd, guard, fdi_op2(d->fd, FD_OP_EQ, at, index));
    }
    return summed(&s, fdi_guarded(d->fd, fdi_and(d->fd, guard, s.guard), s.weight));
}
