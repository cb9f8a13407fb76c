/* Can reads fall outside? The least and greatest value of each index, as a condition over the
 * numbers of a run (see docs/kernels.md). */
#include <string.h>

#include "../../../fdag/affine.h"
#include "../unit.h"

typedef struct Scope { /* binders around a node */
    const struct Scope *up;
    int nvars;
    const FdNode *const *vars;
    const FdDom *doms;
} Scope;

static const FdDom *scope_dom(const void *scope, const FdNode *v)
{
    for (const Scope *s = scope; s; s = s->up)
        for (int i = 0; i < s->nvars; i++)
            if (s->vars[i] == v) return &s->doms[i];
    return NULL;
}

static void add_condition(Unit *u, const char **all, const char *c)
{
    if (strcmp(*all, "1") == 0) return;
    *all = strcmp(c, "1") == 0 || strcmp(*all, "0") == 0
               ? c
               : arena_printf(u->arena, "%s || %s", *all, c);
    enum { LONG_LINE = 2000 };
    if (strlen(*all) > LONG_LINE) *all = plan_short(u, *all);
}

static bool is_given(const FdNode *index)
{
    if (index->kind != FD_APPLY) return false;
    if (fd_op_of(index) == FD_OP_GIVEN) return true;
    for (int i = 0; i < index->nargs; i++)
        if (is_given(index->args[i])) return true;
    return false;
}

/* Text of a bound, NULL if plans cannot say it: then the read is checked. */
static const char *bound_text(Unit *u, const FdNode *bound)
{
    bool before = u->host_only;
    const char *text = bound ? plan_text(u, bound) : NULL;
    if (u->host_only && !before) text = NULL;
    u->host_only = before;
    return text;
}

/* Reads whose variables were all inferred are inside by construction, unless a branch hides them or
 * a function's body made them. What else is in the index the inference must have known: numbers of the
 * run, no elements of arrays and no temporaries. */
static bool trusted(Unit *u, const FdNode *index, const Scope *s)
{
    FdAffine a;
    bool moves = false; /* a(5): nothing narrowed anything */
    if (!fd_affine(index, &a) || is_given(index)) return false;
    for (int i = 0; i < a.nterms; i++) {
        const FdNode *atom = a.terms[i].atom;
        const FdDom *d = atom->kind == FD_VAR ? scope_dom(s, atom) : NULL;
        if (d ? d->kind != FD_DOM_INFERRED : !bound_text(u, atom)) return false;
        moves = moves || d;
    }
    return moves;
}

/* seen: what was met outside branches, and in them, where nothing more can be found. A node that
 * two scopes share uses what both have only. */
static void unsafe_reads(Unit *u, const FdNode *n, const Scope *s, bool branch, FdSeen seen[2],
                         const char **all)
{
    if (!fd_meet(&seen[branch], n)) return;
    if (n->kind == FD_REDUCE) {
        Scope inner = {s, n->nvars, n->vars, n->doms};
        for (int i = 0; i < n->nvars; i++) {
            if (!n->doms[i].lo) continue; /* infinite: no kernel will be made */
            unsafe_reads(u, n->doms[i].lo, s, branch, seen, all);
            unsafe_reads(u, n->doms[i].hi, s, branch, seen, all);
        }
        unsafe_reads(u, n->body, &inner, branch, seen, all);
        if (n->init) unsafe_reads(u, n->init, s, branch, seen, all);
        if (n->fn->kind == FD_LET) {
            Scope lambda = {&inner, n->fn->nvars, n->fn->vars, n->fn->doms};
            unsafe_reads(u, n->fn->body, &lambda, branch, seen, all);
        }
        return;
    }
    if (n->kind != FD_APPLY) return;
    FdOp op = fd_op_of(n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return;
    if (n->fn->kind == FD_FUNC && n->fn->leaf == FD_LEAF_USER && user_reads(n->fn->user))
        add_condition(u, all, "1"); /* only the body knows its indices */
    for (int i = 0; i < n->nargs; i++)
        unsafe_reads(u, n->args[i], s, branch || fd_is_lazy(n, i), seen, all);
    if (!is_read(n)) return;
    for (int d = 0; d < n->nargs; d++) {
        const FdNode *index = n->args[d];
        if (!branch && n->fn->kind == FD_FUNC && trusted(u, index, s)) continue;
        vec_push(&u->suspects, n);
        const char *lo = bound_text(u, fd_extreme(u->fd, index, false, scope_dom, s));
        const char *hi = bound_text(u, fd_extreme(u->fd, index, true, scope_dom, s));
        if (!lo || !hi) {
            add_condition(u, all, "1");
            continue;
        }
        const char *from = plan_array_lo(u, n->fn, d), *len = plan_array_n(u, n->fn, d);
        add_condition(u, all,
                      arena_printf(u->arena, "%s < %s || %s >= %s + %s", lo, from, hi, from, len));
    }
}

const char *plan_unsafe(Unit *u, const Def *d)
{
    Scope outer = {NULL, d->nvars, d->vars, d->doms};
    const char *all = "0";
    FdSeen seen[2] = {{0}, {0}};
    unsafe_reads(u, d->body, &outer, false, seen, &all);
    fd_seen_free(&seen[0]);
    fd_seen_free(&seen[1]);
    return all;
}
