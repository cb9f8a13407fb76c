/* Sharing: reductions over equal ranges use the same variables, so that what is equal in them is
 * one node.
 *   before: let(i) make(sum(j : 0..n, a(j) * w(i, j)), sum(k : 0..n, b(k) * w(i, k)))
 *   after:  let(i) make(sum(j : 0..n, a(j) * w(i, j)), sum(j : 0..n, b(j) * w(i, j)))
 * Two sums that were equal but for the names of their variables are one; of others the common part
 * is seen to be common, by fuse (w above is not worth storing: each element of it is asked for
 * once) and by schedules, which run them in one loop. Inner reductions come first, so outer ones
 * are compared when their bodies are shared already. A variable is never taken that is free in a
 * reduction, or bound inside it: no variable is bound twice on one path. Two reductions bind the same variables
 * over the same ranges, or none in common.
 * So are functions that differ in the names of their variables alone: what several results are made of is then one.
 * Keeps: meaning, the order of everything. Reductions in bodies of user functions stay. */
#include "../internal.h"

typedef struct Share {
    FdiNodes first; /* the reduction that each set of variables was met with first */
    FdiNodes lets;  /* functions */
} Share;

static bool binds_one_of(const void *other, const FdNode *n)
{
    const FdNode *binder = other;
    for (int i = 0; i < fd_nbound(n); i++)
        for (int k = 0; k < binder->nvars; k++)
            if (fd_bound_var(n, i) == binder->vars[k]) return true;
    return false;
}

/* Does one of the variables of `other` mean something in n already? */
static bool clashes(const FdNode *n, const FdNode *other)
{
    const FdiNode *b = fdi_node(n);
    bool near = false;
    for (int k = 0; k < other->nvars; k++) {
        uint32_t v = other->vars[k]->var;
        if (fdi_free_in(n, other->vars[k])) return true;
        near = near || (v >= b->bound_min && v <= b->bound_max);
    }
    return near && fd_any(n, binds_one_of, other);
}

/* Of equally many variables of the same types, whose ranges may be equal? (Those of later variables
 * can use earlier ones.) */
static bool comparable(const FdNode *a, const FdNode *b)
{
    if (a->nvars != b->nvars) return false;
    for (int i = 0; i < a->nvars; i++)
        if (a->vars[i]->type != b->vars[i]->type || a->doms[i].kind != b->doms[i].kind)
            return false;
    return a->doms[0].lo == b->doms[0].lo && a->doms[0].hi == b->doms[0].hi;
}

static bool has_var_of(const FdNode *n, const FdNode *other)
{
    for (int i = 0; i < n->nvars; i++)
        for (int k = 0; k < other->nvars; k++)
            if (n->vars[i] == other->vars[k]) return true;
    return false;
}

/* Does something inside of it bind its variables? */
static bool binds_again(const FdNode *n)
{
    const FdiNode *body = fdi_node(n->body);
    bool near = false;
    for (int i = 0; i < n->nvars; i++)
        near = near || (n->vars[i]->var >= body->bound_min && n->vars[i]->var <= body->bound_max);
    return near && fd_any(n->body, binds_one_of, n);
}

/* Are its variables bound elsewhere too, but not over the same ranges: by what is inside of it, which took them
 * from another reduction that bound them to begin with, or by one from which a pass took some away? */
static bool is_mixed(const Share *s, const FdNode *n)
{
    if (binds_again(n)) return true;
    for (size_t i = 0; i < s->first.len; i++)
        if (has_var_of(n, s->first.data[i]) && !fd_same_ranges(n, s->first.data[i])) return true;
    return false;
}

/* Could it be the same function with other variables? */
static bool may_be_twins(const FdNode *a, const FdNode *b)
{
    bool may = a->type == b->type && a->nvars == b->nvars && !a->self == !b->self &&
               a->body->kind == b->body->kind && a->body->fn == b->body->fn &&
               a->body->nargs == b->body->nargs;
    for (int i = 0; may && i < a->nvars; i++)
        may = a->vars[i]->type == b->vars[i]->type && a->doms[i].kind == b->doms[i].kind;
    return may;
}

/* The function that was met before, with other variables. */
static const FdNode *share_let(Share *s, Fd *fd, const FdNode *n)
{
    const FdNode *old[FD_MAX_RANK + 1], *now[FD_MAX_RANK + 1];
    if (binds_again(n)) return fdi_fresh(fd, n); /* what is shared inside has taken them */
    if (!fdi_closed(n)) return NULL;
    for (size_t i = 0; i < s->lets.len; i++) {
        const FdNode *other = s->lets.data[i];
        if (other == n) return NULL;
        if (!may_be_twins(n, other)) continue;
        for (int k = 0; k < fd_nbound(n); k++) {
            old[k] = fd_bound_var(n, k);
            now[k] = fd_bound_var(other, k);
        }
        if (fdi_rename_bound(fd, n, fd_nbound(n), old, now) == other) return other;
    }
    vec_push(&s->lets, n);
    return NULL;
}

static const FdNode *share_node(void *ctx, Fd *fd, const FdNode *n)
{
    Share *s = ctx;
    if (n->kind == FD_LET) return share_let(s, fd, n);
    if (n->kind != FD_REDUCE) return NULL;
    bool mixed = is_mixed(s, n);
    if (mixed) n = fdi_fresh(fd, n);
    for (size_t i = 0; i < s->first.len; i++) {
        const FdNode *other = s->first.data[i];
        if (fd_same_ranges(n, other)) return mixed ? n : NULL;
        if (!comparable(n, other) || clashes(n, other)) continue;
        const FdNode *now = fdi_rename_bound(fd, n, n->nvars, n->vars, other->vars);
        if (fd_same_ranges(now, other)) return now;
    }
    vec_push(&s->first, n);
    return mixed ? n : NULL;
}

bool fd_pass_share(Fd *fd, FdGraph *g, FdError *error)
{
    Share s = {0};
    (void)error;
    fdi_rewrite_graph(fd, g, share_node, &s);
    vec_free(&s.first);
    vec_free(&s.lets);
    return true;
}
