/* The facts that domain inference (domains.c) works on: which binder has which variable, and where
 * variables index functions. */
#include "domains.h"

/* ---- the variables --------------------------------------------------------------------- */

static void add_vars(Domains *d)
{
    for (size_t i = 0; i < d->nodes.len; i++) {
        const FdNode *b = d->nodes.data[i];
        for (int k = b->nvars - 1; k >= 0; k--) {
            DomVar v = {.var = b->vars[k],
                        .binder = b,
                        .index = k,
                        .dom = b->doms[k],
                        .known = b->doms[k].kind != FD_DOM_OPEN,
                        .open = b->doms[k].kind == FD_DOM_OPEN};
            fdi_map_set(&d->number, v.var, d->vars.len);
            vec_push(&d->vars, v);
        }
    }
}

DomVar *domains_var(const Domains *d, const FdNode *var)
{
    uint64_t at;
    return fdi_map_get(&d->number, var, &at) ? &d->vars.data[at] : NULL;
}

/* One variable, one binder: a binder met later gets variables of its own. */
static const FdNode *rename_bound(void *ctx, Fd *fd, const FdNode *n)
{
    FdiMap *seen = ctx;
    const FdNode *old[FD_MAX_RANK + 1], *now[FD_MAX_RANK + 1];
    int clashes = 0;
    for (int i = 0; i < fd_nbound(n); i++) {
        uint64_t dummy;
        const FdNode *v = fd_bound_var(n, i);
        if (fdi_map_get(seen, v, &dummy)) {
            old[clashes] = v;
            now[clashes++] = v = fd_var(fd, v->type, v->name);
        }
        fdi_map_set(seen, v, 1);
    }
    return clashes ? fdi_rename_bound(fd, n, clashes, old, now) : NULL;
}

/* ---- the uses -------------------------------------------------------------------------- */

/* Can parameter k of f have a finite domain, as far as the node alone says? A recurrence's uses of
 * itself say nothing. */
static bool may_be_finite(const FdNode *f, int k)
{
    if (f->kind == FD_FUNC && f->leaf != FD_LEAF_SLOT) return false;
    return fdi_is_integer(f->type->params[k]);
}

/* Variables that stand for recurrences, in the graph so far. */
static void find_selves(const Domains *d, FdiMap *selves)
{
    for (size_t i = 0; i < d->nodes.len; i++)
        if (d->nodes.data[i]->self) fdi_map_set(selves, d->nodes.data[i]->self, 1);
}

bool domains_strict(const DomUse *u, const DomVar *v)
{
    uint64_t dummy;
    return u->strict || (v->inside && fdi_map_get(v->inside, u->apply, &dummy));
}

/* `c ? sum(a(k)) : 0`: the use gives k its range, though it is in a branch. */
static void add_insides(Domains *d, const FdiMap *strict)
{
    uint64_t dummy;
    FdiMap *inside = NULL;
    for (size_t i = 0; i < d->vars.len; i++) { /* those of one binder follow each other */
        DomVar *v = &d->vars.data[i];
        if (fdi_map_get(strict, v->binder, &dummy)) continue;
        if (i == 0 || d->vars.data[i - 1].binder != v->binder) {
            inside = arena_array(d->fd->arena, FdiMap, 1);
            fdi_gather_strict(v->binder, inside);
        }
        v->inside = inside;
    }
}

static void add_uses(Domains *d)
{
    FdiMap strict = {0}, selves = {0};
    find_selves(d, &selves);
    fdi_gather_strict(d->graph->root, &strict);
    add_insides(d, &strict);
    for (size_t i = 0; i < d->nodes.len; i++) {
        const FdNode *n = d->nodes.data[i];
        uint64_t dummy;
        if (n->kind != FD_APPLY) continue;
        for (int k = 0; k < n->nargs; k++) {
            if (fdi_map_get(&selves, n->fn, &dummy)) continue;
            if (!may_be_finite(n->fn, k) || fdi_closed(n->args[k])) continue;
            DomUse u = {.apply = n, .param = k};
            u.strict = fdi_map_get(&strict, n, &dummy);
            u.affine = fdi_index(d->fd, n->args[k], &u.index);
            vec_push(&d->uses, u);
        }
    }
    fdi_map_free(&strict);
    fdi_map_free(&selves);
}

Bounds domains_bounds_of(Domains *d, const DomUse *u, FdDom *out)
{
    const FdNode *f = u->apply->fn;
    if (f->kind == FD_LET) {
        const DomVar *v = domains_var(d, f->vars[u->param]);
        if (!v->known) return BOUNDS_NOT_YET;
        *out = v->dom;
        if (out->kind == FD_DOM_FULL) return BOUNDS_NONE;
        out->lo = fdi_replace_vars(d->fd, out->lo, f->nvars, f->vars, u->apply->args);
        out->hi = fdi_replace_vars(d->fd, out->hi, f->nvars, f->vars, u->apply->args);
    } else {
        *out = fd_domain(d->fd, f, u->param);
        if (out->kind == FD_DOM_FULL) return BOUNDS_NONE;
    }
    out->lo = fdi_to_long(d->fd, out->lo);
    out->hi = fdi_to_long(d->fd, out->hi);
    return BOUNDS_YES;
}

void domains_gather(Domains *d)
{
    FdiMap seen = {0}, nodes = {0};
    d->graph->root = fd_rewrite(d->fd, d->graph->root, rename_bound, &seen);
    fdi_postorder(d->graph->root, &nodes, &d->nodes);
    fdi_map_free(&seen);
    fdi_map_free(&nodes);
    add_vars(d);
    add_uses(d);
}
