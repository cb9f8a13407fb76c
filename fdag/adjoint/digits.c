/* Indices that are the digits of one variable, as of a picture that is read as a row:
 *   before: x(f / (h * w), f / w % h, f % w)
 *   after:  with f = w * q + m2: x(q / h, q % h, m2)
 * The last two are then a quotient and a remainder (invert.c). Requires: the variable is never negative, and occurs in
 * its digits alone. */
#include "solve.h"

typedef struct Digits {
    Fd *fd;
    const FdNode *i, *w, *q; /* i = w * q + its last digit */
} Digits;

/* What is left of n once it is divided by w: h of h * w; NULL: w is no factor that is seen. */
static const FdNode *factor_left(const Digits *g, const FdNode *n)
{
    if (n == g->w) return fdi_integer(g->fd, n, 1);
    if (fd_is_const(n) && fd_is_const(g->w))
        return g->w->value.i > 0 && n->value.i % g->w->value.i == 0
                   ? fdi_integer(g->fd, n, n->value.i / g->w->value.i)
                   : NULL;
    for (int k = 0; k < 2 && fdi_is_op(n, FD_OP_MUL); k++) {
        const FdNode *left = factor_left(g, n->args[k]), *other = n->args[1 - k];
        if (left) return fdi_op2(g->fd, FD_OP_MUL, left, other);
    }
    return NULL;
}

/* A digit of i but the last as one of q; NULL: it is none. */
static const FdNode *digit(const Digits *g, const FdNode *n)
{
    bool quotient = fdi_is_op(n, FD_OP_DIV);
    if (!quotient && !fdi_is_op(n, FD_OP_REM)) return NULL;
    const FdNode *of = n->args[0], *by = n->args[1];
    if (fdi_free_in(by, g->i)) return NULL;
    if (quotient && (of == g->i || (fdi_is_op(of, FD_OP_REM) && of->args[0] == g->i))) {
        const FdNode *left = factor_left(g, by), *value = g->q;
        if (!left) return NULL;
        if (of != g->i) { /* i % (h * w) / w is q % h */
            const FdNode *within = factor_left(g, of->args[1]);
            if (!within) return NULL;
            value = fdi_op2(g->fd, FD_OP_REM, value, within);
        }
        return fd_is_const(left) && left->value.i == 1 ? value
                                                       : fdi_op2(g->fd, FD_OP_DIV, value, left);
    }
    const FdNode *inner = digit(g, of);
    return inner ? fdi_op2(g->fd, quotient ? FD_OP_DIV : FD_OP_REM, inner, by) : NULL;
}

/* hi, of which there is none if w is negative: quotients would go down. That divides by zero, which is told. */
static const FdNode *end_of(Fd *fd, const FdNode *hi, const FdNode *w)
{
    if (fd_is_const(w) && w->value.i > 0) return hi;
    const FdNode *args[] = {fdi_op2(fd, FD_OP_LT, fdi_integer(fd, w, 0), w), fdi_integer(fd, hi, 1),
                            fdi_integer(fd, hi, 0)};
    return fdi_op2(fd, FD_OP_DIV, hi, fd_simple_op(fd, FD_OP_SELECT, hi->type->scalar, 3, args));
}

/* The last digit is index number `last`. */
static bool solve_last(FdiSolve *s, int u, int last)
{
    Fd *fd = s->d->fd;
    const FdNode *i = s->left.vars[u], *now[FD_MAX_RANK];
    const Digits g = {fd, i, s->at[last]->args[1], fd_var(fd, i->type, i->name)};
    int others = 0;
    for (int k = 0; k < s->rank; k++) {
        now[k] = s->at[k];
        if (k == last || !fdi_free_in(now[k], i)) continue;
        now[k] = digit(&g, now[k]);
        if (!now[k]) return false;
        others++;
    }
    ScalarKind k = i->type->scalar;
    const FdNode *m = fd_simple_op(fd, FD_OP_CONVERT, k, 1, &s->m[last]),
                 *size = fd_simple_op(fd, FD_OP_ABS, k, 1, &g.w),
                 *value = fdi_op2(fd, FD_OP_ADD, fdi_op2(fd, FD_OP_MUL, g.q, g.w), m);
    if (others < 2 || !fdi_can_place(s, i, value)) return false; /* of one: invert.c */
    const FdDom of_i = s->left.doms[u], of_q = {.kind = FD_DOM_GIVEN,
                                                .lo = fdi_integer(fd, of_i.lo, 0),
                                                .hi = end_of(fd, of_i.hi, g.w)};
    for (int k2 = 0; k2 < s->rank; k2++) s->at[k2] = k2 == last ? s->m[last] : now[k2];
    const FdNode *inside = fdi_and(fd, fdi_op2(fd, FD_OP_LE, fdi_integer(fd, i, 0), m),
                                   fdi_op2(fd, FD_OP_LT, m, size));
    fdi_place(s, u, value, fdi_and(fd, inside, fdi_in_range(s, value, &of_i, NULL, NULL)));
    s->left.vars[s->left.n] = g.q; /* one has gone */
    s->left.doms[s->left.n++] = of_q;
    return true;
}

bool fdi_solve_digit(FdiSolve *s, int *last)
{
    for (int u = 0; u < s->left.n; u++)
        for (int k = 0; k < s->rank && fdi_is_natural(&s->left.doms[u]); k++) {
            const FdNode *at = s->at[k];
            if (!fdi_is_op(at, FD_OP_REM) || at->args[0] != s->left.vars[u] ||
                fdi_unknowns(s, at->args[1]) > 0 || !solve_last(s, u, k))
                continue;
            *last = k;
            return true;
        }
    return false;
}
