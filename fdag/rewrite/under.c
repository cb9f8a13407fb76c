/* A value under facts (facts.h): what they decide is said no more.
 *   before: %3 = apply @gt (%i, 0)          where i - 1 >= 0 and i < n are known
 *           %5 = apply @select (%3, u(max(i - 1, 0)), 0)
 *           %7 = apply @rem (%i, n)
 *   after:  %5 = u(i - 1)
 *           %7 = %i
 * And reductions over a few values, written out:
 *   before: reduce @add (%k : given 0..3) a(k)
 *   after:  ((0 + a(0)) + a(1)) + a(2)
 * Requires: nothing. Keeps: values bit for bit, and errors: what is dropped is a guard, the branch
 * that is not taken, or a bound without reads. */
#include "../internal.h"

/* ---- what is decided --------------------------------------------------------------------- */

static bool may_not(const void *ctx, const FdNode *n)
{
    const FdFacts *f = ctx;
    uint64_t mark;
    return (fd_does(n) & FD_MAY_FAIL) && !fdi_map_get(&f->said, n, &mark);
}

/* May it go unevaluated? */
static bool can_go(const FdFacts *f, const FdNode *n)
{
    return !(fd_effects(n) & FD_MAY_FAIL) || !fd_any(n, may_not, f);
}

/* x - y + more <= 0, as what the two are without wrapping. */
static bool shown(const FdFacts *f, const FdNode *x, const FdNode *y, int64_t more)
{
    FdAffine a;
    if (!fdi_is_word(x) || !fdi_is_exact(f, x) || (y && !fdi_is_exact(f, y))) return false;
    return fd_affine(x, &a) && (!y || fd_affine_add(&a, y, -1)) &&
           !__builtin_add_overflow(a.constant, more, &a.constant) && fd_shown(f, &a);
}

static bool all_shown(const FdFacts *f, const FdNode *n, bool truth)
{
    FdAffine forms[2];
    int count = fdi_comparison(n, truth, forms);
    bool all = count > 0;
    for (int i = 0; i < count; i++) all = all && fd_shown(f, &forms[i]);
    return all;
}

/* 1, 0, or -1: it cannot be told. */
static int decided(const FdFacts *f, const FdNode *n)
{
    if (!fdi_is_word(n->args[0]) || !can_go(f, n)) return -1;
    if (!fdi_is_exact(f, n->args[0]) || !fdi_is_exact(f, n->args[1])) return -1;
    FdOp op = fd_op_of(n);
    if (op != FD_OP_EQ && op != FD_OP_NE)
        return all_shown(f, n, true) ? 1 : all_shown(f, n, false) ? 0 : -1;
    bool differ = shown(f, n->args[0], n->args[1], 1) || shown(f, n->args[1], n->args[0], 1);
    if (differ) return op == FD_OP_NE;
    return all_shown(f, n, op == FD_OP_EQ) ? op == FD_OP_EQ : -1;
}

static const FdNode *least(const FdFacts *f, const FdNode *n)
{
    bool min = fd_op_of(n) == FD_OP_MIN;
    const FdNode *x = n->args[0], *y = n->args[1];
    if (can_go(f, y) && (min ? shown(f, x, y, 0) : shown(f, y, x, 0))) return x;
    if (can_go(f, x) && (min ? shown(f, y, x, 0) : shown(f, x, y, 0))) return y;
    return NULL;
}

/* x - y * times + more <= 0, likewise. */
static bool shown_times(const FdFacts *f, const FdNode *x, int64_t factor, const FdNode *y,
                        int64_t times, int64_t more)
{
    FdAffine a = {.constant = more};
    return fd_affine_add(&a, x, factor) && fd_affine_add(&a, y, times) && fd_shown(f, &a);
}

/* Of whole * y <= x < (whole + 1) * y. */
static const FdNode *divided(Fd *fd, const FdFacts *f, const FdNode *n)
{
    const FdNode *x = n->args[0], *y = n->args[1];
    bool rem = fd_op_of(n) == FD_OP_REM;
    int64_t whole = fd_affine_holds(x, y);
    if (!can_go(f, y) || (!rem && !can_go(f, x)) || !fdi_is_word(x)) return NULL;
    if (whole < 0 || !fdi_is_exact(f, x) || !fdi_is_exact(f, y)) return NULL;
    if (!shown_times(f, x, -1, y, whole, 0) || !shown_times(f, x, 1, y, -whole - 1, 1)) return NULL;
    if (!rem) return fd_const(fd, n->type->scalar, (ScalarValue){.i = whole});
    return whole == 0 ? x : fdi_rest(fd, n, whole);
}

/* An index as the sum that it comes to: lo + ((i - 1) - lo) is i - 1. */
static const FdNode *summed(Fd *fd, const FdNode *n)
{
    enum { MOST_TERMS = 4 };
    FdAffine a;
    const FdNode *sum = NULL;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (!fdi_is_word(n) || (op != FD_OP_ADD && op != FD_OP_SUB) || !fd_affine(n, &a)) return n;
    if (a.nterms == 0 || a.nterms > MOST_TERMS) return n;
    ScalarKind k = n->type->scalar;
    for (int turn = 0; turn < 2; turn++) /* what is added comes first */
        for (int i = 0; i < a.nterms; i++) {
            const FdNode *x = a.terms[i].atom;
            int64_t f = a.terms[i].factor;
            if ((f > 0) != !turn || (turn && !sum)) continue;
            if (x->type->scalar != k) x = fd_simple_op(fd, FD_OP_CONVERT, k, 1, &x);
            const FdNode *scaled[] = {x, fd_const(fd, k, (ScalarValue){.i = turn ? -f : f})};
            if (f != 1 && f != -1) x = fd_simple_op(fd, FD_OP_MUL, k, 2, scaled);
            const FdNode *both[] = {sum, x};
            sum = sum ? fd_simple_op(fd, turn ? FD_OP_SUB : FD_OP_ADD, k, 2, both) : x;
        }
    if (!sum) return n; /* it only subtracts */
    if (a.constant == 0) return sum;
    bool less = a.constant < 0;
    const FdNode *last[] = {sum,
                            fd_const(fd, k, (ScalarValue){.i = less ? -a.constant : a.constant})};
    return fd_simple_op(fd, less ? FD_OP_SUB : FD_OP_ADD, k, 2, last);
}

static const FdNode *summed_read(Fd *fd, const FdNode *n)
{
    const FdNode *args[FD_MAX_RANK];
    bool same = true;
    for (int i = 0; i < n->nargs; i++) {
        args[i] = summed(fd, n->args[i]);
        same = same && args[i] == n->args[i];
    }
    return same ? NULL : fd_apply(fd, n->fn, n->nargs, args, n->loc);
}

static const FdNode *decide(void *ctx, Fd *fd, const FdNode *n)
{
    const FdFacts *f = ctx;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    const FdNode *now = NULL;
    bool self = n->kind == FD_APPLY && n->fn->kind == FD_VAR && n->fn->role == FD_VAR_BOUND;
    if (self || fdi_applies(n, FD_LEAF_SLOT)) return summed_read(fd, n);
    if (op == FD_OP_NONE || op == FD_OP_LOWER || op == FD_OP_UPPER) return NULL;
    if (fd_op_compares(op)) {
        int truth = decided(f, n);
        if (truth >= 0) return fd_const(fd, SC_BOOL, (ScalarValue){.i = truth});
    } else if ((op == FD_OP_MIN || op == FD_OP_MAX) && fdi_is_word(n)) {
        now = least(f, n);
    } else if ((op == FD_OP_REM || op == FD_OP_DIV) && fdi_is_word(n)) {
        now = divided(fd, f, n);
    }
    if (now) return now;
    now = fdi_fold_node(NULL, fd, n);
    return now ? now : fdi_simplify_node(NULL, fd, n);
}

const FdNode *fd_under(FdFacts *f, const FdNode *n)
{
    return fd_rewrite(f->fd, n, decide, f);
}

/* ---- reductions written out -------------------------------------------------------------- */

enum { MOST_VALUES = 64, MOST_NODES = 4096 };

/* How many values it combines; 0: too many, or not known now. */
static int64_t values_of(const FdNode *n)
{
    int64_t count = 1;
    for (int i = 0; i < n->nvars; i++) {
        const FdDom *d = &n->doms[i];
        int64_t each;
        if (!d->lo || !d->hi || !fd_is_const(d->lo) || !fd_is_const(d->hi)) return 0;
        if (__builtin_sub_overflow(d->hi->value.i, d->lo->value.i, &each) || each <= 0) return 0;
        if (each > MOST_VALUES || (count *= each) > MOST_VALUES) return 0;
    }
    return count;
}

static int64_t size_of(Fd *fd, const FdNode *n)
{
    FdiNodes list = {0};
    fdi_nodes(fd, n, &list);
    int64_t size = (int64_t)list.len;
    vec_free(&list);
    return size;
}

static const FdNode *write_out(void *most, Fd *fd, const FdNode *n)
{
    if (n->kind != FD_REDUCE || n->init || fd_op_of(n) == FD_OP_NONE) return NULL;
    int64_t count = values_of(n), at[FD_MAX_RANK];
    if (count == 0 || count > *(const int64_t *)most || count * size_of(fd, n->body) > MOST_NODES)
        return NULL;
    ScalarValue identity;
    ScalarKind k = n->type->scalar;
    const FdNode *sum =
        fd_op_identity(fd_op_of(n), k, &identity) ? fd_const(fd, k, identity) : NULL;
    for (int i = 0; i < n->nvars; i++) at[i] = n->doms[i].lo->value.i;
    for (int64_t c = 0; c < count; c++) {
        const FdNode *values[FD_MAX_RANK];
        for (int i = 0; i < n->nvars; i++)
            values[i] = fd_const(fd, n->vars[i]->type->scalar, (ScalarValue){.i = at[i]});
        const FdNode *x = fdi_replace_vars(fd, n->body, n->nvars, n->vars, values);
        const FdNode *both[] = {sum, x};
        sum = sum ? fd_apply(fd, n->fn, 2, both, n->loc) : x;
        for (int i = n->nvars; i-- > 0;) {
            if (++at[i] < n->doms[i].hi->value.i) break;
            at[i] = n->doms[i].lo->value.i;
        }
    }
    return fd_rewrite(fd, sum, fdi_simplify_node, NULL);
}

const FdNode *fd_unroll_few(Fd *fd, const FdNode *n, int64_t most)
{
    return fd_rewrite(fd, n, write_out, &most);
}

const FdNode *fd_unroll(Fd *fd, const FdNode *n)
{
    return fd_unroll_few(fd, n, MOST_VALUES);
}
