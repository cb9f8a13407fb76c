/* Which places read an element: solves the indices of a read for the variables around it.
 *   before: for all i, d: w(h, d + 1) is read with weight e(i, h, d)
 *   after:  adjoint of w at (m0, m1) is sum(i, inside(m1 - 1) ? e(i, m0, m1 - 1) : 0)
 * An unknown with factor 1 or -1 in an affine index is put in place; its range becomes a condition. One with
 * another factor k is where k divides what is left. Of k * i + a, with a over k values, and of i / k and i % k
 * both are known. An index that no unknown solves stays as a condition of the sum: a sum by key. Unknowns that
 * are left are summed. */
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

/* What the unknown times its factor (which becomes positive) is where the index is m, an int or long as the
 * unknown; NULL: the index is not affine in it. */
static const FdNode *solved(Solve *s, const FdNode *index, const FdNode *m, const FdNode *unknown,
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

static void put(Solve *s, const FdNode **n, int count, const FdNode *const *old,
                const FdNode *const *values)
{
    if (*n) *n = fdi_replace_vars(s->d->fd, *n, count, old, values);
}

/* Values in place of variables, in all but the unknowns themselves. */
static void put_all(Solve *s, int rank, int count, const FdNode *const *old,
                    const FdNode *const *values)
{
    for (int i = 0; i < s->left.n; i++) {
        put(s, &s->left.doms[i].lo, count, old, values);
        put(s, &s->left.doms[i].hi, count, old, values);
    }
    for (int i = 0; i < rank; i++) put(s, &s->at[i], count, old, values);
    put(s, &s->inside, count, old, values);
    put(s, &s->guard, count, old, values);
    put(s, &s->weight, count, old, values);
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
    put_all(s, rank, 1, &unknown, &value);
}

/* The unknown's range as a condition on its value; NULL: it holds, m having the same range. */
static const FdNode *in_range(Solve *s, const FdNode *value, const FdDom *dom, const FdNode *m,
                              const FdDom *of_m)
{
    Fd *fd = s->d->fd;
    if (m && value == m && (same_range(fd, dom, of_m) || agree(s->d, dom, of_m))) return NULL;
    value = fdi_to_long(fd, value);
    const FdNode *above = fdi_op2(fd, FD_OP_LE, fdi_to_long(fd, dom->lo), value);
    const FdNode *below = fdi_op2(fd, FD_OP_LT, value, fdi_to_long(fd, dom->hi));
    return fdi_op2(fd, FD_OP_LAND, above, below);
}

static const FdNode *integer(Fd *fd, const FdNode *like, int64_t v)
{
    ScalarKind k = like->type->scalar;
    return fd_const(fd, k, scalar_convert((ScalarValue){.i = v}, SC_LONG, k));
}

/* Is the range one of constants? */
static bool is_fixed(const FdDom *dom, int64_t *lo, int64_t *length)
{
    if (!fd_is_const(dom->lo) || !fd_is_const(dom->hi)) return false;
    *lo = dom->lo->value.i;
    *length = dom->hi->value.i - *lo;
    return true;
}

/* Is it never negative, by its range? */
static bool is_natural(const FdDom *dom)
{
    return fd_is_const(dom->lo) && dom->lo->value.i >= 0;
}

/* k * i + a = m with a from `lo` on over k values: i = (m - lo) / k, a = lo + (m - lo) % k. */
static bool solve_blocks(Solve *s, int rank, int at, const FdNode *m)
{
    Fd *fd = s->d->fd;
    for (int u = 0; u < s->left.n; u++) {
        const FdNode *i = s->left.vars[u];
        int64_t k, one, lo, length;
        if (!solved(s, s->at[at], m, i, &k) || k == 1 || !is_natural(&s->left.doms[u])) continue;
        for (int v = 0; v < s->left.n; v++) {
            const FdNode *a = s->left.vars[v];
            if (v == u || a->type != i->type || !solved(s, s->at[at], m, a, &one) || one != 1 ||
                !is_fixed(&s->left.doms[v], &lo, &length) || length != k)
                continue;
            const FdNode *zero = integer(fd, i, 0), *first = integer(fd, i, lo);
            const FdNode *put_in[] = {zero, first}, *both[] = {i, a};
            FdAffine form; /* both upwards: i from the least index on */
            int64_t up = 0, side = 0;
            if (!fd_affine(s->at[at], &form) || !fd_affine_factor(&form, i, &up) ||
                !fd_affine_factor(&form, a, &side) || up < 0 || side < 0)
                continue;
            const FdNode *least = fdi_replace_vars(fd, s->at[at], 2, both, put_in);
            const FdNode *left =
                fdi_op2(fd, FD_OP_SUB, fd_simple_op(fd, FD_OP_CONVERT, i->type->scalar, 1, &m),
                        fd_simple_op(fd, FD_OP_CONVERT, i->type->scalar, 1, &least));
            const FdNode *size = integer(fd, i, k), *block = fdi_op2(fd, FD_OP_DIV, left, size);
            const FdNode *within =
                fdi_op2(fd, FD_OP_ADD, fdi_op2(fd, FD_OP_REM, left, size), first);
            if (!can_place(s, i, block) || !can_place(s, a, within)) continue;
            const FdNode *inside = fdi_and(fd, fdi_op2(fd, FD_OP_LE, zero, left),
                                           in_range(s, block, &s->left.doms[u], NULL, NULL));
            place(s, rank, u, block, inside);
            place(s, rank, v > u ? v - 1 : v, within, NULL);
            return true;
        }
    }
    return false;
}

/* An unknown with another factor: where that divides what is left. */
static bool solve_multiple(Solve *s, int rank, int at, const FdNode *m, bool only)
{
    Fd *fd = s->d->fd;
    for (int u = 0; u < s->left.n; u++) {
        const FdNode *unknown = s->left.vars[u];
        int64_t k = 0, one, lo, length;
        const FdNode *left = solved(s, s->at[at], m, unknown, &k);
        if (!left || k == 1 || !can_place(s, unknown, left)) continue;
        bool shorter = true; /* windows stay sums over their few places */
        for (int v = 0; v < s->left.n && only; v++)
            if (v != u && solved(s, s->at[at], m, s->left.vars[v], &one) && one == 1)
                shorter = shorter && is_fixed(&s->left.doms[v], &lo, &length) && length <= 8 * k;
        if (!shorter) continue;
        const FdNode *size = integer(fd, unknown, k), *value = fdi_op2(fd, FD_OP_DIV, left, size);
        const FdNode *divides =
            fdi_op2(fd, FD_OP_EQ, fdi_op2(fd, FD_OP_REM, left, size), integer(fd, unknown, 0));
        place(s, rank, u, value,
              fdi_and(fd, divides, in_range(s, value, &s->left.doms[u], NULL, NULL)));
        return true;
    }
    return false;
}

/* Solves index number i for an unknown, the outermost that it tells. */
static bool solve(Solve *s, int rank, int i, const FdNode *m, const FdDom *of_m)
{
    int64_t k;
    if (solve_blocks(s, rank, i, m) || solve_multiple(s, rank, i, m, true)) return true;
    for (int u = 0; u < s->left.n; u++) {
        const FdNode *value = solved(s, s->at[i], m, s->left.vars[u], &k);
        if (!value || k != 1 || !can_place(s, s->left.vars[u], value)) continue;
        const FdNode *inside = in_range(s, value, &s->left.doms[u], m, of_m);
        place(s, rank, u, value, inside);
        return true;
    }
    return solve_multiple(s, rank, i, m, false);
}

/* Is n the unknown's quotient or remainder by something? */
static bool is_part(const FdNode *n, FdOp op, const FdNode *unknown)
{
    return n->kind == FD_APPLY && fd_op_of(n) == op && n->args[0] == unknown &&
           !fdi_free_in(n->args[1], unknown);
}

/* Indices i / w and i % w of a natural i: i = m0 * w + m1. Which two were solved; false: none. */
static bool solve_parts(Solve *s, int rank, const FdNode *const *m, int *quotient, int *remainder)
{
    Fd *fd = s->d->fd;
    for (int u = 0; u < s->left.n; u++) {
        const FdNode *i = s->left.vars[u];
        if (!is_natural(&s->left.doms[u])) continue;
        for (int a = 0; a < rank; a++)
            for (int b = 0; b < rank; b++) {
                if (!is_part(s->at[a], FD_OP_DIV, i) || !is_part(s->at[b], FD_OP_REM, i) ||
                    s->at[a]->args[1] != s->at[b]->args[1])
                    continue;
                ScalarKind k = i->type->scalar;
                const FdNode *w = s->at[a]->args[1], *size = fd_simple_op(fd, FD_OP_ABS, k, 1, &w);
                const FdNode *m0 = fd_simple_op(fd, FD_OP_CONVERT, k, 1, &m[a]);
                const FdNode *m1 = fd_simple_op(fd, FD_OP_CONVERT, k, 1, &m[b]);
                const FdNode *value = fdi_op2(fd, FD_OP_ADD, fdi_op2(fd, FD_OP_MUL, m0, w), m1);
                if (!can_place(s, i, value)) continue;
                const FdNode *inside =
                    fdi_op2(fd, FD_OP_LAND, fdi_op2(fd, FD_OP_LE, integer(fd, i, 0), m1),
                            fdi_op2(fd, FD_OP_LT, m1, size));
                inside = fdi_and(fd, inside, in_range(s, value, &s->left.doms[u], NULL, NULL));
                place(s, rank, u, value, inside);
                *quotient = a;
                *remainder = b;
                return true;
            }
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
    for (int end = s->left.n; end > 0;) {
        int n = end < FD_MAX_RANK ? end : FD_MAX_RANK;
        end -= n;
        term = fdi_sum(fd, n, s->left.vars + end, s->left.doms + end, term, (FdLoc){0});
    }
    return term;
}

/* Variables of its own: no two reductions bind the same (share counts on it). */
static void rename_all(Solve *s, int rank)
{
    const FdNode *old[FDI_SCOPE];
    int n = s->left.n;
    for (int u = 0; u < n; u++) {
        old[u] = s->left.vars[u];
        s->left.vars[u] = fd_var(s->d->fd, old[u]->type, old[u]->name);
    }
    put_all(s, rank, n, old, s->left.vars);
}

const FdNode *fdi_invert(FdiDerive *d, const FdiRead *read, int rank, const FdNode *const *m,
                         const FdDom *doms)
{
    Solve s = {.d = d, .left = *read->scope, .guard = read->guard, .weight = read->weight};
    enum { OPEN, SOLVED, BY_KEY } is[FD_MAX_RANK] = {OPEN};
    for (int i = 0; i < rank; i++) s.at[i] = read->at[i];
    rename_all(&s, rank);
    for (int a, b; solve_parts(&s, rank, m, &a, &b);) is[a] = is[b] = SOLVED;
    for (int turn = 0; turn < rank; turn++) { /* those with the fewest unknowns first */
        int best = -1;
        for (int i = 0; i < rank; i++)
            if (is[i] == OPEN && (best < 0 || unknowns(&s, s.at[i]) < unknowns(&s, s.at[best])))
                best = i;
        if (best < 0) break;
        is[best] = solve(&s, rank, best, m[best], &doms[best]) ? SOLVED : BY_KEY;
    }
    const FdNode *guard = s.inside;
    for (int i = 0; i < rank; i++) {
        const FdNode *at = fdi_to_long(d->fd, s.at[i]), *index = fdi_to_long(d->fd, m[i]);
        if (is[i] == BY_KEY) guard = fdi_and(d->fd, guard, fdi_op2(d->fd, FD_OP_EQ, at, index));
    }
    return summed(&s, fdi_guarded(d->fd, fdi_and(d->fd, guard, s.guard), s.weight));
}
