/* Divisions by the length of a range around them cannot fail: where there is a position to compute, it has one.
 *   before: (i : 0..n) => v((i + n - 1) % n)
 *   after:  (i : 0..n) => v((i + n - 1) % max(n, 1))      as Periodic has it
 * Requires: domains. Keeps: values and errors. So rings that are written by hand have the forms of what cannot fail. */
#include "../internal.h"

typedef struct Divisor {
    const FdNode *n, *least; /* the length, and what stands for it */
} Divisor;

static const FdNode *replace(void *ctx, Fd *fd, const FdNode *n)
{
    const Divisor *d = ctx;
    (void)fd;
    return n == d->n ? d->least : NULL;
}

/* What is divided often holds the length, too, which forms look for there. */
static const FdNode *divide(void *ctx, Fd *fd, const FdNode *n)
{
    Divisor *d = ctx;
    if (n->kind != FD_APPLY || (fd_op_of(n) != FD_OP_REM && fd_op_of(n) != FD_OP_DIV)) return NULL;
    if (n->args[1] != d->n || scalar_is_real(n->type->scalar)) return NULL;
    const FdNode *args[] = {fd_rewrite(fd, n->args[0], replace, d), d->least};
    return fd_apply_op(fd, fd_op_of(n), SC_INT, 2, args, n->loc);
}

/* Does a range from 0 or a larger number end at it? */
static const FdNode *length_of(const FdDom *dom)
{
    bool known = dom->lo && dom->hi && fd_is_const(dom->lo) && dom->lo->value.i >= 0;
    if (!known || fd_is_const(dom->hi) || dom->hi->type->scalar != SC_INT) return NULL;
    return fd_effects(dom->hi) & FD_FAILS ? NULL : dom->hi;
}

static const FdNode *inside(void *ctx, Fd *fd, const FdNode *n)
{
    (void)ctx;
    if ((n->kind != FD_LET && n->kind != FD_REDUCE) || !(fd_effects(n->body) & FD_DIVIDES))
        return NULL;
    const FdNode *body = n->body;
    for (int i = 0; i < n->nvars; i++) {
        Divisor d = {.n = length_of(&n->doms[i])};
        if (!d.n) continue;
        const FdNode *args[] = {d.n, fd_const(fd, SC_INT, (ScalarValue){.i = 1})};
        d.least = fd_simple_op(fd, FD_OP_MAX, SC_INT, 2, args);
        body = fd_rewrite(fd, body, divide, &d);
    }
    if (body == n->body) return NULL;
    if (n->kind == FD_LET)
        return fd_recurrence(fd, n->self, n->order, n->nvars, n->vars, n->doms, body, n->loc);
    return fd_fold(fd, n->fn, n->init, n->nvars, n->vars, n->doms, body, n->loc);
}

bool fd_pass_divisors(Fd *fd, FdGraph *g, FdError *error)
{
    (void)error;
    fdi_rewrite_graph(fd, g, inside, NULL);
    return true;
}
