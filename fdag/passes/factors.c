/* Factors of what a sum adds, moved by what they depend on.
 *   before: let(i, j) sum(k, (a(i, k) * b(k, j)) * w(k))          let(i) sum(j, sum(k, a(i, k) * b(k, j)) * x(j))
 *   after:  let(i, j) sum(k, a(i, k) * (b(k, j) * w(k)))          let(i) sum(k, a(i, k) * sum(j, b(k, j) * x(j)))
 * The first makes one operand of each side of a contraction, which is worked out once an element instead of once a term; rows
 * are factors that use a variable of the let that none uses together with the last one. The second makes a sum that does
 * not use all variables of the let, which hoist stores: (A B) x becomes A (B x). Requires: inline, simplify; hoist follows.
 * Keeps: integers; reals to rounding, so not under --precise. */
#include "../internal.h"

enum { MOST = 16 };

typedef struct Factors {
    int n;
    const FdNode *of[MOST];
    unsigned uses[MOST]; /* of the let's variables, a bit each */
} Factors;

static bool is_product(const FdNode *n, const FdType *t)
{
    return n->kind == FD_APPLY && fd_op_of(n) == FD_OP_MUL && n->type == t;
}

static bool collect(Factors *f, const FdNode *n, const FdNode *let)
{
    while (is_product(n, n->type)) {
        if (!collect(f, n->args[0], let)) return false;
        n = n->args[1];
    }
    if (f->n == MOST) return false;
    unsigned uses = 0;
    for (int i = 0; i < let->nvars; i++)
        if (fdi_free_in(n, let->vars[i])) uses |= 1u << i;
    f->uses[f->n] = uses;
    f->of[f->n++] = n;
    return true;
}

/* Variables of rows: 0 where rows and columns are not told apart. */
static unsigned rows_of(const Factors *f, const FdNode *let)
{
    unsigned last = 1u << (let->nvars - 1), beside = 0, all = 0;
    for (int i = 0; i < f->n; i++) {
        all |= f->uses[i];
        if (f->uses[i] & last) beside |= f->uses[i];
    }
    return beside ? all & ~beside : 0;
}

static const FdNode *times(Fd *fd, const FdNode *x, const FdNode *y, FdLoc loc)
{
    const FdNode *args[] = {x, y};
    return x ? fd_apply_op(fd, FD_OP_MUL, SC_INT, 2, args, loc) : y;
}

static bool is_sum(const FdNode *n)
{
    return n->kind == FD_REDUCE && fd_op_of(n) == FD_OP_ADD && !n->init;
}

static const FdNode *group(void *ctx, Fd *fd, const FdNode *n)
{
    const FdNode *let = ctx;
    Factors f = {0};
    if (!is_sum(n)) return NULL;
    const FdNode *body = n->body;
    if (!is_product(body, n->type) || !collect(&f, body, let) || f.n < 3) return NULL;
    unsigned rows = rows_of(&f, let);
    const FdNode *side[2] = {NULL, NULL}; /* columns, rows */
    for (int i = 0; rows && i < f.n; i++) {
        const FdNode **s = &side[(f.uses[i] & rows) != 0];
        *s = times(fd, *s, f.of[i], body->loc);
    }
    if (!side[0] || !side[1]) return NULL;
    body = times(fd, side[1], side[0], body->loc);
    return fdi_rebind(fd, n, NULL, body);
}

/* ---- the order of two sums --------------------------------------------------------------- */

static bool uses_vars_of(const FdNode *n, const FdNode *sum)
{
    for (int i = 0; i < sum->nvars; i++)
        if (fdi_free_in(n, sum->vars[i])) return true;
    return false;
}

/* Ranges that are known before. */
static bool is_closed(const FdNode *sum)
{
    for (int i = 0; i < sum->nvars; i++)
        if (!fd_range_closed(&sum->doms[i])) return false;
    return true;
}

static bool uses_all(const FdNode *n, const FdNode *let)
{
    for (int i = 0; i < let->nvars; i++)
        if (!fdi_free_in(n, let->vars[i])) return false;
    return true;
}

/* outer adds inner and other factors; NULL: it does not pay, or cannot be. */
static const FdNode *exchange(Fd *fd, const FdNode *let, const FdNode *outer, const Factors *f,
                              const FdNode *inner)
{
    Factors g = {0};
    if (!is_sum(inner) || inner->type != outer->type || !is_closed(outer) || !is_closed(inner) ||
        !uses_all(inner, let) || !collect(&g, inner->body, let))
        return NULL;
    const FdNode *stays = NULL, *moves = NULL;
    for (int i = 0; i < g.n; i++) {
        const FdNode **to = uses_vars_of(g.of[i], outer) ? &moves : &stays;
        *to = times(fd, *to, g.of[i], inner->loc);
    }
    if (!stays || !moves) return NULL;
    for (int i = 0; i < f->n; i++)
        if (f->of[i] != inner) moves = times(fd, moves, f->of[i], outer->loc);
    const FdNode *first = fdi_rebind(fd, outer, NULL, moves);
    return uses_all(first, let) ? NULL
                                : fdi_rebind(fd, inner, NULL, times(fd, stays, first, outer->loc));
}

static const FdNode *reorder(void *ctx, Fd *fd, const FdNode *n)
{
    const FdNode *let = ctx, *changed = NULL;
    Factors f = {0};
    if (!is_sum(n) || !collect(&f, n->body, let)) return NULL;
    for (int i = 0; i < f.n && !changed; i++) changed = exchange(fd, let, n, &f, f.of[i]);
    return changed;
}

static const FdNode *in_let(void *ctx, Fd *fd, const FdNode *n)
{
    (void)ctx;
    if (n->kind != FD_LET || n->self) return NULL;
    const FdNode *body = fd_rewrite(fd, n->body, reorder, (void *)(uintptr_t)n);
    if (n->nvars >= 2) body = fd_rewrite(fd, body, group, (void *)(uintptr_t)n);
    return body == n->body ? NULL : fdi_rebind(fd, n, NULL, body);
}

bool fd_pass_factors(Fd *fd, FdGraph *g, FdError *error)
{
    (void)error;
    fdi_rewrite_graph(fd, g, in_let, NULL);
    return true;
}
