/* Ranges that must be those of what is read at them, or within them.
 *   min(k : 0..c.GetLength(0), sum(d, x(i, d) * c(k, d)))     k goes over c's dimension, which so begins at 0
 * Every place of a range is read, none may be outside, and the dimension has no more places than the range. So where
 * places of c are solved for k they are in k's range. Only reductions, arrays and recurrences take all
 * their places.
 *   y(i) = sum(o : 0..16, k(o) * g(i - o))           k has places 0 to 16, which the derivative may read as well
 * That is so of what no branch leaves out. Derivatives take all places of a definition. */
#include "derive.h"

/* Have they as many places, whatever these are? */
static bool same_length(const FdDom *a, const FdDom *b)
{
    FdAffine form = {0};
    return fd_affine_add(&form, a->hi, 1) && fd_affine_add(&form, a->lo, -1) &&
           fd_affine_add(&form, b->hi, -1) && fd_affine_add(&form, b->lo, 1) && !form.nterms &&
           !form.constant;
}

static bool is_noted(FdiDerive *d, const FdiRanges *list, const FdDom *own, const FdDom *of)
{
    bool found = false;
    for (size_t i = 0; i < list->len && !found; i++)
        found = fdi_same_range(d->fd, &list->data[i].a, own) &&
                fdi_same_range(d->fd, &list->data[i].b, of);
    return found;
}

static void note(FdiDerive *d, FdiRanges *list, const FdDom *own, const FdDom *of)
{
    if (!is_noted(d, list, own, of)) vec_push(list, ((FdiSame){*own, *of}));
}

bool fdi_within(FdiDerive *d, const FdDom *a, const FdDom *b)
{
    return is_noted(d, &d->within, a, b);
}

/* A binder whose places are looked at. */
typedef struct Taken {
    bool all;    /* it takes all of them, if it is evaluated at all */
    bool always; /* so does the derivative: no branch leaves it out */
} Taken;

/* What the body reads at v, whichever branches are taken. */
static void find_reads(FdiDerive *d, const FdNode *n, const FdNode *v, const FdDom *own,
                       Taken taken, FdSeen *seen)
{
    if (!fdi_free_in(n, v) || !fd_meet(seen, n)) return;
    if (n->kind == FD_REDUCE) {
        for (int i = 0; i < n->nvars; i++) /* over nothing for some v? */
            if (fdi_free_in(n->doms[i].lo, v) || fdi_free_in(n->doms[i].hi, v)) return;
        find_reads(d, n->body, v, own, taken, seen);
    }
    if (n->kind != FD_APPLY) return;
    bool reads = fdi_is_leaf(n->fn, FD_LEAF_SLOT) || (n->fn->kind == FD_LET && !n->fn->self);
    for (int i = 0; i < n->nargs; i++) {
        if (fd_is_lazy(n, i)) continue;
        const FdNode *at = n->args[i];
        while (fdi_is_op(at, FD_OP_CONVERT)) at = at->args[0];
        if (reads && at == v) {
            FdDom of = fd_domain(d->fd, n->fn, i);
            const bool closed = of.lo && of.hi && fdi_closed(of.lo) && fdi_closed(of.hi);
            if (closed && taken.all && same_length(own, &of)) note(d, &d->same, own, &of);
            if (closed && taken.always) note(d, &d->within, own, &of);
        }
        find_reads(d, n->args[i], v, own, taken, seen);
    }
}

/* What is evaluated whichever branches are taken, if anything is. */
static void find_always(const FdNode *n, FdSeen *seen)
{
    if (!n || !fd_meet(seen, n)) return;
    if (n->kind == FD_REDUCE || n->kind == FD_LET) find_always(n->body, seen);
    if (n->kind != FD_APPLY) return;
    find_always(n->fn, seen);
    for (int i = 0; i < n->nargs; i++)
        if (!fd_is_lazy(n, i)) find_always(n->args[i], seen);
}

void fdi_find_ranges(FdiDerive *d)
{
    FdiMap at = {0};
    FdiNodes list = {0};
    FdSeen met = {0};
    find_always(fd_root(&d->graph), &met);
    fdi_postorder(fd_root(&d->graph), &at, &list);
    for (size_t i = 0; i < list.len; i++) {
        const FdNode *n = list.data[i];
        const Taken taken = {.all = n->kind == FD_REDUCE || fd_is_stored(n) || n->self,
                             .always = !fd_meet(&met, n)};
        if (!taken.all && (n->kind != FD_LET || !taken.always)) continue;
        for (int v = 0; v < n->nvars; v++) {
            const FdDom *own = &n->doms[v];
            FdSeen seen = {0};
            bool box = own->lo && own->hi && fdi_closed(own->lo) && fdi_closed(own->hi);
            for (int k = 0; k < n->nvars && box; k++)
                box = !fdi_free_in(n->doms[k].lo, n->vars[v]) &&
                      !fdi_free_in(n->doms[k].hi, n->vars[v]);
            if (box) find_reads(d, n->body, n->vars[v], own, taken, &seen);
            fd_seen_free(&seen);
        }
    }
    fd_seen_free(&met);
    fdi_map_free(&at);
    vec_free(&list);
}
