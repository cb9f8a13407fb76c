/* Ranges that must be those of what is read at them.
 *   min(k : 0..c.GetLength(0), sum(d, x(i, d) * c(k, d)))     k goes over c's dimension, which so begins at 0
 * Every place of a range is read, none may be outside, and the dimension has no more places than the range. So where
 * places of c are solved for k they are in k's range. Only reductions, arrays and recurrences take all
 * their places. */
#include "derive.h"

/* Have they as many places, whatever these are? */
static bool same_length(const FdDom *a, const FdDom *b)
{
    FdAffine form = {0};
    return fd_affine_add(&form, a->hi, 1) && fd_affine_add(&form, a->lo, -1) &&
           fd_affine_add(&form, b->hi, -1) && fd_affine_add(&form, b->lo, 1) && !form.nterms &&
           !form.constant;
}

static void note(FdiDerive *d, const FdDom *own, const FdDom *of)
{
    for (size_t i = 0; i < d->same.len; i++)
        if (fdi_same_range(d->fd, &d->same.data[i].a, own) &&
            fdi_same_range(d->fd, &d->same.data[i].b, of))
            return;
    FdiSame same = {*own, *of};
    vec_push(&d->same, same);
}

/* What the body reads at v, whichever branches are taken. */
static void find_reads(FdiDerive *d, const FdNode *n, const FdNode *v, const FdDom *own,
                       FdSeen *seen)
{
    if (!fdi_free_in(n, v) || !fd_meet(seen, n)) return;
    if (n->kind == FD_REDUCE) {
        for (int i = 0; i < n->nvars; i++) /* over nothing for some v? */
            if (fdi_free_in(n->doms[i].lo, v) || fdi_free_in(n->doms[i].hi, v)) return;
        find_reads(d, n->body, v, own, seen);
    }
    if (n->kind != FD_APPLY) return;
    bool reads = fdi_is_leaf(n->fn, FD_LEAF_SLOT) || (n->fn->kind == FD_LET && !n->fn->self);
    for (int i = 0; i < n->nargs; i++) {
        if (fd_is_lazy(n, i)) continue;
        const FdNode *at = n->args[i];
        while (fdi_is_op(at, FD_OP_CONVERT)) at = at->args[0];
        if (reads && at == v) {
            FdDom of = fd_domain(d->fd, n->fn, i);
            if (of.lo && of.hi && fdi_closed(of.lo) && fdi_closed(of.hi) && same_length(own, &of))
                note(d, own, &of);
        }
        find_reads(d, n->args[i], v, own, seen);
    }
}

void fdi_find_ranges(FdiDerive *d)
{
    FdiMap at = {0};
    FdiNodes list = {0};
    fdi_postorder(fd_root(&d->graph), &at, &list);
    for (size_t i = 0; i < list.len; i++) {
        const FdNode *n = list.data[i];
        if (n->kind != FD_REDUCE && !fd_is_stored(n) && !n->self) continue;
        for (int v = 0; v < n->nvars; v++) {
            const FdDom *own = &n->doms[v];
            FdSeen seen = {0};
            bool box = own->lo && own->hi && fdi_closed(own->lo) && fdi_closed(own->hi);
            for (int k = 0; k < n->nvars && box; k++)
                box = !fdi_free_in(n->doms[k].lo, n->vars[v]) &&
                      !fdi_free_in(n->doms[k].hi, n->vars[v]);
            if (box) find_reads(d, n->body, n->vars[v], own, &seen);
            fd_seen_free(&seen);
        }
    }
    fdi_map_free(&at);
    vec_free(&list);
}
