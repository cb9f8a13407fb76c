/* Which places read an element: solves the indices of a read for the variables around it.
 *   before: for all i, d: w(h, d + 1) is read with weight e(i, h, d)
 *   after:  adjoint of w at (m0, m1) is sum(i, inside(m1 - 1) ? e(i, m0, m1 - 1) : 0)
 * An unknown with factor 1 or -1 in an affine index is put in place; its range becomes a condition. One with
 * another factor k is where k divides what is left. Of k * i + a, with a over k values, and of i / k and i % k
 * both are known. An index that no unknown solves stays as a condition of the sum: a sum by key. Unknowns that
 * are left are summed. */
#include <string.h>

#include "derive.h"

typedef struct Solve {
    FdiDerive *d;
    int rank; /* of what is read: its variables and their ranges */
    const FdNode *const *m;
    const FdDom *doms;
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

/* Is it at most 0 by the ranges of the variables that are left and of m? */
static bool follows(Solve *s, const FdAffine *form)
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
    bool shown = fd_shown(f, form);
    fd_facts_free(f);
    return shown;
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

/* low + more <= high as a condition, solved for the variable if one side is it and a known number: so interiors and
 * borders see it. NULL: it always holds. */
static const FdNode *at_most(Solve *s, const FdNode *low, int more, const FdNode *high)
{
    Fd *fd = s->d->fd;
    FdAffine form = {.constant = more};
    const FdNode *as_is = fdi_op2(fd, more ? FD_OP_LT : FD_OP_LE, low, high), *var = NULL;
    int64_t factor = 0;
    if (!fd_affine_add(&form, low, 1) || !fd_affine_add(&form, high, -1)) return as_is;
    if (follows(s, &form)) return NULL;
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

/* The unknown's range as a condition on its value; NULL: it holds, m having the same range or by what is known. */
static const FdNode *in_range(Solve *s, const FdNode *value, const FdDom *dom, const FdNode *m,
                              const FdDom *of_m)
{
    Fd *fd = s->d->fd;
    if (m && value == m && (same_range(fd, dom, of_m) || agree(s->d, dom, of_m))) return NULL;
    value = fdi_to_long(fd, value);
    const FdNode *above = at_most(s, fdi_to_long(fd, dom->lo), 0, value);
    return fdi_and(fd, above, at_most(s, value, 1, fdi_to_long(fd, dom->hi)));
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

/* ---- where conditions stand ---------------------------------------------------------------- */

/* Is the condition what ranges of the unknowns can say? They then do. */
static bool narrows(Solve *s, const FdNode *guard)
{
    FdDom doms[FDI_SCOPE];
    FdExact exact;
    memcpy(doms, s->left.doms, sizeof doms);
    fd_where(s->d->fd, guard, true, s->left.n, s->left.vars, doms, &exact);
    if (exact.n || !memcmp(doms, s->left.doms, sizeof *doms * (size_t)s->left.n)) return false;
    FdFacts *f = fd_facts_new(s->d->fd, s->left.n, s->left.vars, doms, guard);
    const FdNode *now = fd_under(f, guard);
    fd_facts_free(f);
    if (!fd_is_const(now) || !now->value.i) return false;
    memcpy(s->left.doms, doms, sizeof doms);
    return true;
}

/* Conditions that speak of unknowns stay in the sum, or are in its ranges; the others are around it. */
static void part_guard(Solve *s, const FdNode *guard, const FdNode **inner, const FdNode **outer)
{
    if (!guard) return;
    if (guard->kind == FD_APPLY && fd_op_of(guard) == FD_OP_LAND) {
        part_guard(s, guard->args[0], inner, outer);
        part_guard(s, guard->args[1], inner, outer);
        return;
    }
    bool speaks = unknowns(s, guard) > 0;
    if (speaks && narrows(s, guard)) return;
    const FdNode **to = speaks ? inner : outer;
    *to = fdi_and(s->d->fd, *to, guard);
}

/* The range of a variable that is left or of m. */
static const FdDom *range_of(const Solve *s, const FdNode *var)
{
    for (int i = 0; i < s->left.n; i++)
        if (s->left.vars[i] == var) return &s->left.doms[i];
    for (int i = 0; i < s->rank; i++)
        if (s->m[i] == var) return &s->doms[i];
    return NULL;
}

/* A read that is inside wherever it is made: at variables whose ranges are those of what it reads. */
static bool is_inside(const void *solve, const FdNode *read)
{
    const Solve *s = solve;
    bool inside =
        read->kind == FD_APPLY && (read->fn->kind == FD_LET || fdi_applies(read, FD_LEAF_SLOT));
    for (int d = 0; inside && d < read->nargs; d++) {
        const FdDom *own = range_of(s, read->args[d]), of = fd_domain(s->d->fd, read->fn, d);
        inside = own && of.lo && (same_range(s->d->fd, own, &of) || agree(s->d, own, &of));
    }
    return inside;
}

/* Does n use all variables that the condition speaks of? */
static bool uses_all(const FdNode *n, const FdNode *guard)
{
    const FdiNode *b = fdi_node(guard);
    bool all = true;
    for (uint32_t i = 0; all && i < b->nfree; i++) all = fdi_free_in(n, b->free[i]);
    return all;
}

/* A product that is zero outside of a range: the factor is that moves with the range, as an operand that ends in zeros. So
 * sums of products stay sums of products. */
static const FdNode *ended(Solve *s, const FdNode *guard, const FdNode *n)
{
    Fd *fd = s->d->fd;
    const FdiFails fails = {is_inside, s};
    if (!guard) return n;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_NEG) {
        const FdNode *a = ended(s, guard, n->args[0]);
        return fd_simple_op(fd, FD_OP_NEG, SC_INT, 1, &a);
    }
    for (int i = 0; op == FD_OP_MUL && i < 2; i++) {
        const FdNode *own = n->args[i], *other = n->args[1 - i];
        if (!uses_all(own, guard) || uses_all(other, guard) || fdi_may_fail(other, &fails))
            continue;
        const FdNode *now = ended(s, guard, own);
        return i ? fdi_op2(fd, op, other, now) : fdi_op2(fd, op, now, other);
    }
    return fdi_guarded(fd, guard, n);
}

const FdNode *fdi_invert(FdiDerive *d, const FdiRead *read, int rank, const FdNode *const *m,
                         const FdDom *doms)
{
    Solve s = {.d = d,
               .rank = rank,
               .m = m,
               .doms = doms,
               .left = *read->scope,
               .guard = read->guard,
               .weight = read->weight};
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
        const FdNode *at = s.at[i], *index = m[i];
        if (at->type != index->type) { /* lanes of longs are half as many */
            at = fdi_to_long(d->fd, at);
            index = fdi_to_long(d->fd, index);
        }
        if (is[i] == BY_KEY) guard = fdi_and(d->fd, guard, fdi_op2(d->fd, FD_OP_EQ, at, index));
    }
    const FdNode *inside = NULL, *inner = NULL, *outer = NULL;
    part_guard(&s, guard, &inside, &outer);
    part_guard(&s, s.guard, &inner, &outer);
    const FdNode *term = fdi_guarded(d->fd, inner, ended(&s, inside, s.weight));
    return fdi_guarded(d->fd, outer, summed(&s, term));
}
