/* Which places read an element: solves the indices of a read for the variables around it.
 *   before: for all i, d: w(h, d + 1) is read with weight e(i, h, d)
 *   after:  adjoint of w at (m0, m1) is sum(i, inside(m1 - 1) ? e(i, m0, m1 - 1) : 0)
 * An unknown with factor 1 or -1 in an affine index is put in place; its range becomes a condition. One with
 * another factor k is where k divides what is left. Of k * i + a, with a over k values, and of i / k and i % k
 * both are known. Indices that are chosen are taken apart (pieces.c), those that go round are solved in round.c.
 * An index that no unknown solves stays as a condition of the sum: a sum by key. Unknowns that
 * are left are summed. */
#include <string.h>

#include "solve.h"

/* Unknowns whose factors are the products of the lengths of those behind: the numbers of them, the first one last. */
typedef struct Chain {
    int n, u[FD_MAX_RANK];
    int64_t factor[FD_MAX_RANK], lo[FD_MAX_RANK];
} Chain;

/* Adds an unknown that goes up by k in the index; *length: of its range, 0 if no number. */
static bool add_link(FdiSolve *s, const FdNode *index, const FdNode *m, Chain *c, int64_t k,
                     int64_t *length)
{
    FdAffine form;
    for (int u = 0; u < s->left.n; u++) {
        int64_t size, up = 0;
        if (!fdi_solved(s, index, m, s->left.vars[u], &size) || size != k ||
            !fd_affine(index, &form) || !fd_affine_factor(&form, s->left.vars[u], &up) || up < 0)
            continue;
        const bool fixed = fdi_is_fixed(&s->left.doms[u], &c->lo[c->n], length);
        if (!fixed) *length = 0;
        if (!fixed && (!c->n || !fdi_is_natural(&s->left.doms[u]))) continue;
        if (c->n && s->left.vars[u]->type != s->left.vars[c->u[0]]->type) continue;
        c->u[c->n] = u;
        c->factor[c->n++] = k;
        return true;
    }
    return false;
}

/* k * i + a = m with a from `lo` on over k values: i = (m - lo) / k, a = lo + (m - lo) % k. The same of more, as the
 * places of a picture that is a row: h * w * c + w * i + j. */
static bool solve_blocks(FdiSolve *s, int at, const FdNode *m)
{
    Fd *fd = s->d->fd;
    Chain c = {0};
    int64_t length = 1;
    for (int64_t k = 1; c.n < FD_MAX_RANK && k <= INT32_MAX;) {
        if (!add_link(s, s->at[at], m, &c, k, &length) || length <= 1) break;
        k *= length;
    }
    while (c.n > 1 && !fdi_is_natural(&s->left.doms[c.u[c.n - 1]])) c.n--;
    if (c.n < 2) return false;
    const FdNode *vars[FD_MAX_RANK], *values[FD_MAX_RANK];
    for (int i = 0; i < c.n; i++) {
        vars[i] = s->left.vars[c.u[i]];
        values[i] = fdi_integer(fd, vars[i], i == c.n - 1 ? 0 : c.lo[i]);
    }
    const FdNode *zero = fdi_integer(fd, vars[0], 0),
                 *least = fdi_replace_vars(fd, s->at[at], c.n, vars, values);
    ScalarKind kind = vars[0]->type->scalar;
    const FdNode *left = fdi_op2(fd, FD_OP_SUB, fd_simple_op(fd, FD_OP_CONVERT, kind, 1, &m),
                                 fd_simple_op(fd, FD_OP_CONVERT, kind, 1, &least));
    for (int i = 0; i < c.n; i++) {
        const FdNode *digit = left;
        if (i < c.n - 1)
            digit = fdi_op2(fd, FD_OP_REM, digit, fdi_integer(fd, vars[0], c.factor[i + 1]));
        if (i) digit = fdi_op2(fd, FD_OP_DIV, digit, fdi_integer(fd, vars[0], c.factor[i]));
        values[i] = fdi_op2(fd, FD_OP_ADD, digit, values[i]);
        if (!fdi_can_place(s, vars[i], values[i])) return false;
    }
    const FdNode *inside =
        fdi_and(fd, fdi_op2(fd, FD_OP_LE, zero, left),
                fdi_in_range(s, values[c.n - 1], &s->left.doms[c.u[c.n - 1]], NULL, NULL));
    for (int i = c.n; i-- > 0; inside = NULL)
        for (int u = 0; u < s->left.n; u++)
            if (s->left.vars[u] == vars[i]) {
                fdi_place(s, u, values[i], inside);
                break;
            }
    return true;
}

/* m - c with 0 < c < k: c. Else 0. */
static int64_t rest_of(const FdNode *left, const FdNode *m, int64_t k)
{
    FdAffine form;
    int64_t factor;
    return fd_affine(left, &form) && form.nterms == 1 && fd_affine_factor(&form, m, &factor) &&
                   factor == 1 && form.constant < 0 && form.constant > -k
               ? -form.constant
               : 0;
}

/* An unknown with another factor: where that divides what is left. Of k * i + c, which is never negative, i is m / k
 * where m % k is c: reads at all places of a block have the same i. */
static bool solve_multiple(FdiSolve *s, int at, const FdNode *m, bool only)
{
    Fd *fd = s->d->fd;
    for (int u = 0; u < s->left.n; u++) {
        const FdNode *unknown = s->left.vars[u];
        int64_t k = 0, one, lo, length;
        const FdNode *left = fdi_solved(s, s->at[at], m, unknown, &k);
        if (!left || k == 1 || !fdi_can_place(s, unknown, left)) continue;
        bool shorter = true; /* windows stay sums over their few places */
        for (int v = 0; v < s->left.n && only; v++)
            if (v != u && fdi_solved(s, s->at[at], m, s->left.vars[v], &one) && one == 1)
                shorter =
                    shorter && fdi_is_fixed(&s->left.doms[v], &lo, &length) && length <= 8 * k;
        if (!shorter) continue;
        const int64_t rest = fdi_is_natural(&s->left.doms[u]) ? rest_of(left, m, k) : 0;
        if (rest) left = fd_simple_op(fd, FD_OP_CONVERT, unknown->type->scalar, 1, &m);
        const FdNode *size = fdi_integer(fd, unknown, k),
                     *value = fdi_op2(fd, FD_OP_DIV, left, size);
        const FdNode *divides = fdi_op2(fd, FD_OP_EQ, fdi_op2(fd, FD_OP_REM, left, size),
                                        fdi_integer(fd, unknown, rest));
        fdi_place(s, u, value,
                  fdi_and(fd, divides, fdi_in_range(s, value, &s->left.doms[u], NULL, NULL)));
        return true;
    }
    return false;
}

/* Solves index number i for an unknown, the outermost that it tells. */
static bool solve(FdiSolve *s, int i, const FdNode *m, const FdDom *of_m)
{
    int64_t k;
    if (solve_blocks(s, i, m) || solve_multiple(s, i, m, true)) return true;
    for (int u = 0; u < s->left.n; u++) {
        const FdNode *value = fdi_solved(s, s->at[i], m, s->left.vars[u], &k);
        if (!value || k != 1 || !fdi_can_place(s, s->left.vars[u], value)) continue;
        const FdNode *inside = fdi_in_range(s, value, &s->left.doms[u], m, of_m);
        fdi_place(s, u, value, inside);
        return true;
    }
    return fdi_solve_round(s, i, m) || solve_multiple(s, i, m, false);
}

/* Is n the unknown's quotient or remainder by something? */
static bool is_part(const FdNode *n, FdOp op, const FdNode *unknown)
{
    return n->kind == FD_APPLY && fd_op_of(n) == op && n->args[0] == unknown &&
           !fdi_free_in(n->args[1], unknown);
}

/* Indices i / w and i % w of a natural i: i = m0 * w + m1. Which two were solved; false: none. */
static bool solve_parts(FdiSolve *s, int rank, const FdNode *const *m, int *quotient,
                        int *remainder)
{
    Fd *fd = s->d->fd;
    for (int u = 0; u < s->left.n; u++) {
        const FdNode *i = s->left.vars[u];
        if (!fdi_is_natural(&s->left.doms[u])) continue;
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
                if (!fdi_can_place(s, i, value)) continue;
                const FdNode *inside =
                    fdi_op2(fd, FD_OP_LAND, fdi_op2(fd, FD_OP_LE, fdi_integer(fd, i, 0), m1),
                            fdi_op2(fd, FD_OP_LT, m1, size));
                inside = fdi_and(fd, inside, fdi_in_range(s, value, &s->left.doms[u], NULL, NULL));
                fdi_place(s, u, value, inside);
                *quotient = a;
                *remainder = b;
                return true;
            }
    }
    return false;
}

/* A sum over the unknowns that are left, the outermost first. */
static const FdNode *summed(FdiSolve *s, const FdNode *term)
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
static void rename_all(FdiSolve *s)
{
    const FdNode *old[FDI_SCOPE];
    int n = s->left.n;
    for (int u = 0; u < n; u++) {
        old[u] = s->left.vars[u];
        s->left.vars[u] = fd_var(s->d->fd, old[u]->type, old[u]->name);
    }
    fdi_put_all(s, n, old, s->left.vars);
}

/* Of a minimum or maximum the operand that it is, if that is known. */
static const FdNode *plain(FdiSolve *s, const FdNode *n)
{
    bool min = fdi_is_op(n, FD_OP_MIN);
    for (int i = 0; i < 2 && (min || fdi_is_op(n, FD_OP_MAX)); i++) {
        FdAffine form = {0};
        if (fd_affine_add(&form, n->args[i], min ? 1 : -1) &&
            fd_affine_add(&form, n->args[1 - i], min ? -1 : 1) && fdi_follows(s, &form))
            return n->args[i];
    }
    return n;
}

/* Is the range one of a single place? */
static bool is_one(FdiSolve *s, const FdDom *dom)
{
    FdAffine more = {.constant = -1}, less = {.constant = 1};
    return fd_affine_add(&more, dom->hi, 1) && fd_affine_add(&more, dom->lo, -1) &&
           fd_affine_add(&less, dom->lo, 1) && fd_affine_add(&less, dom->hi, -1) &&
           fdi_follows(s, &more) && fdi_follows(s, &less);
}

/* Orders as conditions. False: the read is never made. */
static bool in_order(FdiSolve *s)
{
    bool never = false;
    for (int i = 0; i < s->norders; i++)
        s->inside = fdi_and(s->d->fd, s->inside, fdi_at_most(s, &s->orders[i], &never));
    return !never;
}

/* A bound that is a number more than an index which is known to be m[dim]: from there. So rows that an edge reads are
 * near its own. */
static const FdNode *near(FdiSolve *s, int dim, const FdNode *bound)
{
    FdAffine away = {0};
    Fd *fd = s->d->fd;
    if (!fdi_closed(bound) || !fdi_closed(s->at[dim]) || !fd_affine_add(&away, bound, 1) ||
        !fd_affine_add(&away, s->at[dim], -1) || away.nterms)
        return bound;
    const FdNode *m = fd_simple_op(fd, FD_OP_CONVERT, bound->type->scalar, 1, &s->m[dim]);
    return away.constant ? fdi_op2(fd, FD_OP_ADD, m, fdi_integer(fd, m, away.constant)) : m;
}

static bool reads(const void *ctx, const FdNode *n)
{
    (void)ctx;
    return fd_does(n) & FD_READS;
}

/* An element at an element: who reads it where nothing wants it may be outside. */
static bool reads_at_element(const void *ctx, const FdNode *n)
{
    bool found = false;
    for (int i = 0; reads(ctx, n) && i < n->nargs && !found; i++)
        found = fd_any(n->args[i], reads, NULL);
    return found;
}

/* One of the pieces of a read; NULL: it is never made. */
static const FdNode *invert_piece(FdiDerive *d, const FdiRead *read, const FdiPiece *piece,
                                  int rank, const FdNode *const *m, const FdDom *doms)
{
    FdiSolve s = {.d = d,
                  .rank = rank,
                  .m = m,
                  .doms = doms,
                  .recurs = read->of->kind == FD_VAR,
                  .left = *read->scope,
                  .guard = fdi_and(d->fd, read->guard, piece->guard),
                  .weight = read->weight,
                  .norders = piece->norders};
    enum { OPEN, SOLVED, BY_KEY } is[FD_MAX_RANK] = {OPEN};
    memcpy(s.orders, piece->orders, sizeof *s.orders * (size_t)piece->norders);
    for (int i = 0; i < rank; i++) s.at[i] = piece->at[i];
    rename_all(&s);
    fdi_use_known(&s);
    for (int last; fdi_solve_digit(&s, &last);) is[last] = SOLVED;
    for (int a, b; solve_parts(&s, rank, m, &a, &b);) is[a] = is[b] = SOLVED;
    for (int turn = 0; turn < rank; turn++) { /* those with the fewest unknowns first */
        int best = -1;
        for (int i = 0; i < rank; i++)
            if (is[i] == OPEN &&
                (best < 0 || fdi_unknowns(&s, s.at[i]) < fdi_unknowns(&s, s.at[best])))
                best = i;
        if (best < 0) break;
        is[best] = solve(&s, best, m[best], &doms[best]) ? SOLVED : BY_KEY;
    }
    if (!in_order(&s)) return NULL;
    const FdNode *guard = s.inside;
    bool by_key = false;
    for (int i = 0; i < rank; i++) {
        const FdNode *at = s.at[i], *index = m[i];
        if (at->type != index->type) { /* lanes of longs are half as many */
            at = fdi_to_long(d->fd, at);
            index = fdi_to_long(d->fd, index);
        }
        by_key = by_key || is[i] == BY_KEY;
        if (is[i] == BY_KEY) guard = fdi_and(d->fd, guard, fdi_op2(d->fd, FD_OP_EQ, at, index));
    }
    const FdNode *inside = NULL, *inner = NULL, *outer = NULL;
    fdi_part_guard(&s, guard, &inside, &outer);
    fdi_part_guard(&s, s.guard, &inner, &outer);
    s.inside = inside;
    s.guard = inner;
    if (by_key) {
        bool apart = outer && fd_any(s.weight, reads_at_element, NULL);
        s.guard = fdi_and(d->fd, apart ? outer : NULL, fdi_and(d->fd, inside, inner));
        s.inside = NULL;
        if (apart) outer = NULL;
    }
    for (int u = s.left.n; u-- > 0;) {
        FdDom *own = &s.left.doms[u];
        own->lo = plain(&s, own->lo);
        own->hi = plain(&s, own->hi);
        const FdDom dom = *own;
        const FdNode *lo = dom.lo;
        for (int i = 0; i < rank; i++)
            if (is[i] == BY_KEY) lo = near(&s, i, lo);
        if (is_one(&s, &dom))
            fdi_place(&s, u,
                      fd_simple_op(d->fd, FD_OP_CONVERT, s.left.vars[u]->type->scalar, 1, &lo),
                      NULL);
    }
    if (fdi_reads_outside(&s, s.guard)) {
        s.guard = fdi_and(d->fd, s.inside, s.guard);
        s.inside = NULL;
    }
    const FdNode *term = fdi_guarded(d->fd, s.guard, fdi_ended(&s, s.inside, s.weight));
    return fdi_guarded(d->fd, outer, summed(&s, term));
}

const FdNode *fdi_invert(FdiDerive *d, const FdiRead *read, int rank, const FdNode *const *m,
                         const FdDom *doms)
{
    FdiPiece pieces[FDI_PIECES];
    const FdNode *sum = NULL;
    int n = fdi_pieces(read, d->fd, rank, pieces);
    for (int i = 0; i < n; i++)
        sum = fdi_plus(d->fd, sum, invert_piece(d, read, &pieces[i], rank, m, doms));
    return sum;
}
