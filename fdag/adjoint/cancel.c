/* What an adjoint gives and takes again. The sum s of exponentials less their maximum m does not depend on m:
 *   before: m'(i) = w(i) - sum(c, w(i) / s(i) * exp(z(i, c) - m(i)))     where s(i) = sum(c, exp(z(i, c) - m(i)))
 *   after:  m'(i) = w(i) - w(i), nothing
 * So a softmax and the logarithm of a sum go through their maximum no more, and do not look for its place. */
#include "derive.h"

/* ---- factors ------------------------------------------------------------------------------- */

/* A product as factors that use no variable of a sum and those that do; NULL: 1. */
typedef struct Factors {
    const FdNode *out, *in;
    bool minus;
} Factors;

static const FdNode *times(Fd *fd, const FdNode *a, const FdNode *b)
{
    return a && b ? fdi_op2(fd, FD_OP_MUL, a, b) : a ? a : b;
}

static bool uses_any(const FdNode *n, const FdNode *sum)
{
    for (int i = 0; i < sum->nvars; i++)
        if (fdi_free_in(n, sum->vars[i])) return true;
    return false;
}

static Factors factors(Fd *fd, const FdNode *n, const FdNode *sum)
{
    if (!uses_any(n, sum)) return (Factors){.out = n};
    Factors a, b;
    switch (n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE) {
    case FD_OP_NEG: a = factors(fd, n->args[0], sum); return (Factors){a.out, a.in, !a.minus};
    case FD_OP_MUL:
        a = factors(fd, n->args[0], sum);
        b = factors(fd, n->args[1], sum);
        return (Factors){times(fd, a.out, b.out), times(fd, a.in, b.in), a.minus != b.minus};
    default: return (Factors){.in = n};
    }
}

/* n * by, which n divides by; NULL: it does not. */
static const FdNode *multiplied(FdiDerive *d, const FdNode *n, const FdNode *by)
{
    enum { DIVIDEND, DIVISOR };
    const FdNode *through = fdi_seen_through(d, n, false), *a;
    if (!through && n->kind == FD_APPLY && n->fn->kind == FD_LET && !n->fn->self)
        through = fdi_replace_vars(d->fd, n->fn->body, n->nargs, n->fn->vars, n->args);
    if (through) return multiplied(d, through, by);
    switch (n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE) {
    case FD_OP_DIV: return n->args[DIVISOR] == by ? n->args[DIVIDEND] : NULL;
    case FD_OP_MUL:
        for (int i = 0; i < 2; i++) {
            a = multiplied(d, n->args[i], by);
            if (!a) continue;
            bool one = fd_is_const(a) && scalar_is_real(a->type->scalar) && a->value.f == 1;
            return one ? n->args[1 - i] : fdi_op2(d->fd, FD_OP_MUL, n->args[1 - i], a);
        }
        return NULL;
    default: return NULL;
    }
}

/* ---- sums that are there ------------------------------------------------------------------- */

static void find(FdiDerive *d)
{
    FdiMap at = {0};
    FdiNodes list = {0};
    fdi_postorder(fd_root(&d->graph), &at, &list);
    for (size_t i = 0; i < list.len; i++) {
        const FdNode *n = list.data[i], *r = n->kind == FD_LET && !n->self ? n->body : n;
        if (r->kind == FD_REDUCE && !r->init && fd_op_of(r) == FD_OP_ADD && fdi_closed(n))
            vec_push(&d->sums, n);
    }
    fdi_map_free(&at);
    vec_free(&list);
    d->summed = true;
}

/* An element at m, or a value, that the sum is; NULL: it is none. */
static const FdNode *known_sum(FdiDerive *d, const FdNode *sum, int rank, const FdNode *const *m)
{
    Fd *fd = d->fd;
    if (!d->summed) find(d);
    for (size_t i = 0; i < d->sums.len; i++) {
        const FdNode *n = d->sums.data[i], *r = n->kind == FD_LET ? n->body : n;
        bool same = r->nvars == sum->nvars && r->type == sum->type &&
                    (n->kind != FD_LET || n->nvars == rank);
        for (int v = 0; same && v < r->nvars; v++) same = r->vars[v]->type == sum->vars[v]->type;
        for (int v = 0; same && n->kind == FD_LET && v < rank; v++)
            same = n->vars[v]->type == m[v]->type;
        if (!same) continue;
        if (n->kind == FD_LET) r = fdi_replace_vars(fd, r, rank, n->vars, m);
        const FdNode *body = fdi_replace_vars(fd, r->body, r->nvars, r->vars, sum->vars);
        for (int v = 0; same && v < r->nvars; v++)
            same = fdi_same_range(fd, &r->doms[v], &sum->doms[v]) ||
                   fdi_agree(d, &r->doms[v], &sum->doms[v]);
        if (!same || fdi_one_form(d, body) != fdi_one_form(d, sum->body)) continue;
        return n->kind == FD_LET ? fd_apply(fd, n, rank, m, n->loc) : n;
    }
    return NULL;
}

const FdNode *fdi_cancelled(FdiDerive *d, const FdNode *term, int rank, const FdNode *const *m)
{
    Fd *fd = d->fd;
    bool guarded = fdi_is_op(term, FD_OP_SELECT) && fd_is_const(term->args[2]);
    const FdNode *sum = guarded ? term->args[1] : term;
    if (sum->kind != FD_REDUCE || sum->init || fd_op_of(sum) != FD_OP_ADD || sum->type->record ||
        !scalar_is_real(sum->type->scalar))
        return term;
    Factors f = factors(fd, sum->body, sum);
    if (!f.out || !f.in) return term;
    const FdNode *rest = fdi_sum(fd, sum->nvars, sum->vars, sum->doms, f.in, sum->loc);
    const FdNode *known = known_sum(d, rest, rank, m);
    const FdNode *now = known ? multiplied(d, f.out, known) : NULL;
    if (!now) return term;
    if (guarded) now = fdi_guarded(fd, term->args[0], now);
    return f.minus ? fd_simple_op(fd, FD_OP_NEG, SC_INT, 1, &now) : now;
}

void fdi_cancel(FdiDerive *d, FdiNodes *terms)
{
    for (size_t i = 0; i < terms->len; i++)
        for (size_t k = i + 1; k < terms->len; k++) {
            if (!fdi_opposite(d, terms->data[i], terms->data[k])) continue;
            terms->data[k] = terms->data[--terms->len];
            terms->data[i--] = terms->data[--terms->len];
            break;
        }
}
