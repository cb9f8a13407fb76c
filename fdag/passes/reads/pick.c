/* A sum that picks one of its terms is a read.
 *   before: sum(k : lo..hi, t(i) == k ? e(k) : 0)        any(k : lo..hi, k == t(i) && p(k))
 *   after:  lo <= t(i) && t(i) < hi ? 0 + e(t(i)) : 0    lo <= t(i) && t(i) < hi && p(t(i))
 * Of a reduction over several variables the others stay. Requires: compose, simplify. Keeps: values bit for bit (0 + e is
 * the sum of e and zeros, -0 included), and errors: what is computed before the equality cannot fail; what picks is
 * computed only where there is something to pick from. */
#include "../../internal.h"

typedef struct Pick {
    Fd *fd;
    const FdNode *sum, *var; /* the reduction, its variable that an equality gives */
    ScalarValue nothing;     /* the operation's identity */
    const FdNode *equal;     /* the equality.. */
    const FdNode *at;        /* ..and what the variable equals */
} Pick;

static const FdNode *op2(Fd *fd, FdOp op, const FdNode *a, const FdNode *b)
{
    return fd_simple_op(fd, op, SC_INT, 2, (const FdNode *[]){a, b});
}

/* The variable, or as a wider integer? */
static bool is_variable(const FdNode *n, const FdNode *var)
{
    if (fdi_is_op(n, FD_OP_CONVERT) && scalar_widens(n->args[0]->type->scalar, n->type->scalar))
        n = n->args[0];
    return n == var;
}

/* The condition, or what must hold first for it to be `wanted`, is an equality that gives the variable. */
static bool gives(Pick *p, const FdNode *cond, bool wanted)
{
    if (fdi_is_op(cond, FD_OP_LNOT)) return gives(p, cond->args[0], !wanted);
    if (fdi_is_op(cond, wanted ? FD_OP_LAND : FD_OP_LOR)) {
        if (gives(p, cond->args[0], wanted)) return true;
        return !(fd_effects(cond->args[0]) & FD_MAY_FAIL) && gives(p, cond->args[1], wanted);
    }
    if (!fdi_is_op(cond, wanted ? FD_OP_EQ : FD_OP_NE) || !fdi_is_integer(cond->args[0]->type))
        return false;
    for (int side = 0; side < 2; side++) {
        if (!is_variable(cond->args[side], p->var) || fdi_free_in(cond->args[!side], p->var))
            continue;
        p->equal = cond;
        p->at = cond->args[!side];
        return true;
    }
    return false;
}

static bool is_nothing(const Pick *p, const FdNode *n)
{
    return fd_is_const(n) && n->value.i == p->nothing.i;
}

/* Is a term nothing but where an equality holds that gives the variable? */
static bool is_picked(Pick *p, const FdNode *term)
{
    if (fdi_is_op(term, FD_OP_SELECT) && is_nothing(p, term->args[2]))
        return gives(p, term->args[0], true) ||
               (!(fd_effects(term->args[0]) & FD_MAY_FAIL) && is_picked(p, term->args[1]));
    if (fdi_is_op(term, FD_OP_SELECT) && is_nothing(p, term->args[1]))
        return gives(p, term->args[0], false) ||
               (!(fd_effects(term->args[0]) & FD_MAY_FAIL) && is_picked(p, term->args[2]));
    return term->type->scalar == SC_BOOL && fd_type_is_scalar(term->type) &&
           gives(p, term, !p->nothing.i);
}

/* Operations of which a term and nothings come to the term: not minima of reals, which NaN may leave. */
static bool can_pick(const FdNode *n, ScalarValue *nothing)
{
    FdOp op = n->kind == FD_REDUCE && !n->init ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_NONE || !fd_type_is_scalar(n->type)) return false;
    ScalarKind k = n->type->scalar;
    if (!fd_op_identity(op, k, nothing)) return false;
    return !scalar_is_real(k) || op == FD_OP_ADD || op == FD_OP_MUL;
}

/* Does the value lie in the range of the reduction's variable number `v`? The range is looked at first: that of an int that
 * is not empty has ints at both ends. */
static const FdNode *inside(const Pick *p, int v)
{
    Fd *fd = p->fd;
    const FdNode *at = p->at, *lo = p->sum->doms[v].lo, *hi = p->sum->doms[v].hi;
    ScalarKind k = at->type->scalar == SC_INT && p->var->type->scalar == SC_INT ? SC_INT : SC_LONG;
    lo = fdi_to_long(fd, lo);
    hi = fdi_to_long(fd, hi);
    const FdNode *some = op2(fd, FD_OP_LT, lo, hi), *last = fdi_add_constant(fd, hi, -1);
    at = fd_simple_op(fd, FD_OP_CONVERT, k, 1, &at);
    lo = fd_simple_op(fd, FD_OP_CONVERT, k, 1, &lo);
    last = fd_simple_op(fd, FD_OP_CONVERT, k, 1, &last);
    const FdNode *in = op2(fd, FD_OP_LAND, op2(fd, FD_OP_LE, lo, at), op2(fd, FD_OP_LE, at, last));
    return op2(fd, FD_OP_LAND, some, in);
}

static const FdNode *to_true(void *ctx, Fd *fd, const FdNode *n)
{
    const Pick *p = ctx;
    if (n == p->equal) return fd_const(fd, SC_BOOL, (ScalarValue){.i = fdi_is_op(n, FD_OP_EQ)});
    return fdi_simplify_node(NULL, fd, n);
}

/* The reduction without its variable number `v`. */
static const FdNode *without(const Pick *p, int v)
{
    Fd *fd = p->fd;
    const FdNode *sum = p->sum, *vars[FD_MAX_RANK],
                 *nothing = fd_const(fd, sum->type->scalar, p->nothing);
    FdDom doms[FD_MAX_RANK];
    int n = 0;
    const FdNode *at = fd_simple_op(fd, FD_OP_CONVERT, p->var->type->scalar, 1, &p->at);
    const FdNode *term = fd_rewrite(fd, sum->body, to_true, (void *)(uintptr_t)p);
    term = fdi_replace_vars(fd, term, 1, &p->var, &at);
    for (int i = 0; i < sum->nvars; i++) {
        if (i == v) continue;
        vars[n] = sum->vars[i];
        doms[n++] = sum->doms[i];
    }
    if (!n) term = op2(fd, fd_op_of(sum), nothing, term);
    const FdNode *args[] = {inside(p, v), term, nothing};
    term = fd_simple_op(fd, FD_OP_SELECT, SC_INT, 3, args);
    return n ? fd_reduce(fd, sum->fn, n, vars, doms, term, sum->loc) : term;
}

/* Has the variable a range, of which those of the others are independent? */
static bool is_apart(const FdNode *sum, int v)
{
    if (!sum->doms[v].lo || !sum->doms[v].hi || !fdi_is_integer(sum->vars[v]->type)) return false;
    for (int i = 0; i < sum->nvars; i++) {
        const FdDom *d = &sum->doms[i];
        if (i != v &&
            (!d->lo || fdi_free_in(d->lo, sum->vars[v]) || fdi_free_in(d->hi, sum->vars[v])))
            return false;
    }
    return true;
}

static const FdNode *pick(void *ctx, Fd *fd, const FdNode *n)
{
    Pick p = {.fd = fd, .sum = n};
    (void)ctx;
    if (!can_pick(n, &p.nothing)) return NULL;
    for (int v = 0; v < n->nvars; v++) {
        p.var = n->vars[v];
        if (!is_apart(n, v) || !is_picked(&p, n->body)) continue;
        const FdNode *now = without(&p, v), *more = pick(NULL, fd, now);
        return more ? more : now;
    }
    return NULL;
}

bool fd_pass_pick(Fd *fd, FdGraph *g, FdError *error)
{
    (void)error;
    fdi_rewrite_graph(fd, g, pick, NULL);
    return true;
}
