/* Sums by key that read elements at elements, as a(key(i), d): in as few passes as can be.
 *   before: sum(i, key(i) == m && f(i) ? x(i) : 0) + sum(i, key(i) == m && g(i) ? y(i) : 0)
 *   after:  sum(i, key(i) == m ? (f(i) ? x(i) : 0) + (g(i) ? y(i) : 0) : 0)
 * An unknown of few values in an index that nothing solves, (d + 1) % 3, is written out before. */
#include "derive.h"

/* ---- few values ---------------------------------------------------------------------------- */

static bool goes_round(const void *u, const FdNode *n)
{
    return n->kind == FD_APPLY && fd_op_of(n) == FD_OP_REM && fdi_free_in(n->args[0], u);
}

int fdi_few(const FdiRead *read, int rank)
{
    enum { FEW = 4 };
    for (int u = 0; u < read->scope->n; u++) {
        const FdNode *v = read->scope->vars[u];
        const FdDom *dom = &read->scope->doms[u];
        int uses = 0, round = 0;
        if (!fd_is_const(dom->lo) || !fd_is_const(dom->hi) ||
            dom->hi->value.i - dom->lo->value.i > FEW)
            continue;
        for (int i = 0; i < rank; i++) {
            bool alone = fdi_free_in(read->at[i], v);
            uses += alone;
            for (int k = 0; k < read->scope->n; k++)
                alone = alone && (k == u || !fdi_free_in(read->at[i], read->scope->vars[k]));
            round += alone && fd_any(read->at[i], goes_round, v);
        }
        if (uses == 1 && round == 1) return u;
    }
    return -1;
}

static const FdNode *put(Fd *fd, const FdNode *n, const FdNode *v, const FdNode *value)
{
    n = n ? fdi_replace_vars(fd, n, 1, &v, &value) : NULL;
    return n ? fd_rewrite(fd, n, fdi_fold_node, NULL) : NULL;
}

FdiRead fdi_at_value(Fd *fd, const FdiRead *read, int rank, int u, int64_t value)
{
    FdiScope *scope = arena_new_of(fd->arena, FdiScope);
    const FdNode *v = read->scope->vars[u],
                 *now = fd_const(fd, v->type->scalar, (ScalarValue){.i = value});
    const FdNode **at = arena_array(fd->arena, const FdNode *, rank);
    for (int i = 0; i < read->scope->n; i++) {
        if (i == u) continue;
        scope->vars[scope->n] = read->scope->vars[i];
        FdDom *dom = &scope->doms[scope->n++];
        *dom = read->scope->doms[i];
        dom->lo = put(fd, dom->lo, v, now);
        dom->hi = put(fd, dom->hi, v, now);
    }
    for (int i = 0; i < rank; i++) at[i] = put(fd, read->at[i], v, now);
    return (FdiRead){read->of, scope, put(fd, read->guard, v, now), put(fd, read->weight, v, now),
                     at};
}

/* ---- one sum ------------------------------------------------------------------------------- */

enum { CONDITIONS = 16 };

typedef struct Guarded {
    int n;
    const FdNode *conds[CONDITIONS], *forms[CONDITIONS], *value;
} Guarded;

/* An element of a key is the same one wherever it is asked for. */
static const FdNode *without_given(void *ctx, Fd *fd, const FdNode *n)
{
    (void)ctx;
    (void)fd;
    return fdi_is_op(n, FD_OP_GIVEN) ? n->args[0] : NULL;
}

static bool add_all(Fd *fd, Guarded *g, const FdNode *cond)
{
    if (fdi_is_op(cond, FD_OP_LAND))
        return add_all(fd, g, cond->args[0]) && add_all(fd, g, cond->args[1]);
    if (g->n == CONDITIONS) return false;
    g->forms[g->n] = fd_rewrite(fd, cond, without_given, NULL);
    g->conds[g->n++] = cond;
    return true;
}

/* What the sum adds and under which conditions; false: there are none, or too many. */
static bool guarded(Fd *fd, const FdNode *sum, Guarded *g)
{
    *g = (Guarded){.value = sum->body};
    while (fdi_is_op(g->value, FD_OP_SELECT) && fdi_is_zero(g->value->args[2])) {
        if (!add_all(fd, g, g->value->args[0])) return false;
        g->value = g->value->args[1];
    }
    return g->n > 0;
}

/* Does it ask an element for its key? */
static bool is_key(const FdNode *cond)
{
    return fdi_is_op(cond, FD_OP_EQ) &&
           (fd_effects(cond->args[0]) & FD_READS || fd_effects(cond->args[1]) & FD_READS);
}

static bool has(const Guarded *g, const FdNode *form)
{
    for (int i = 0; i < g->n; i++)
        if (g->forms[i] == form) return true;
    return false;
}

/* The value under the conditions that `both` has not. */
static const FdNode *rest(Fd *fd, const Guarded *g, const Guarded *both)
{
    const FdNode *cond = NULL;
    for (int i = 0; i < g->n; i++)
        if (!has(both, g->forms[i])) cond = fdi_and(fd, cond, g->conds[i]);
    return fdi_guarded(fd, cond, g->value);
}

const FdNode *fdi_one_pass(Fd *fd, const FdNode *a, const FdNode *b)
{
    Guarded x, y, both = {0};
    if (a->kind != FD_REDUCE || b->kind != FD_REDUCE || fd_op_of(a) != FD_OP_ADD ||
        fd_op_of(b) != FD_OP_ADD || a->type != b->type || !fd_same_ranges(a, b) ||
        !guarded(fd, a, &x) || !guarded(fd, b, &y))
        return NULL;
    const FdNode *all = NULL;
    bool by_key = false;
    for (int i = 0; i < x.n; i++) {
        if (!has(&y, x.forms[i])) continue;
        both.forms[both.n++] = x.forms[i];
        by_key = by_key || is_key(x.conds[i]);
        all = fdi_and(fd, all, x.conds[i]);
    }
    if (!by_key) return NULL;
    const FdNode *body =
        fdi_guarded(fd, all, fdi_plus(fd, rest(fd, &x, &both), rest(fd, &y, &both)));
    return fdi_sum(fd, a->nvars, a->vars, a->doms, body, a->loc);
}
