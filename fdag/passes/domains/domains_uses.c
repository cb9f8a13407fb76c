/* The facts that domain inference (domains.c) works on: which binder has which variable, and where
 * variables index functions. */
#include <string.h>

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

/* Of the reads that `strict` lacks, up to 64 from *next on, a bit each: those that a node's value
 * takes in any case. Adds those of the root, the last of `nodes`, to `strict`. */
static void add_certain(const FdiNodes *nodes, const FdiMap *at, FdiMap *strict, size_t *next)
{
    const FdNode *reads[64];
    int n = 0;
    uint64_t *bits = mem_alloc(nodes->len * sizeof *bits), k;
    memset(bits, 0, nodes->len * sizeof *bits);
    for (; *next < nodes->len && n < 64; ++*next) {
        const FdNode *x = nodes->data[*next];
        if (x->kind != FD_APPLY || fd_op_of(x) || fdi_map_get(strict, x, &k)) continue;
        bits[*next] = (uint64_t)1 << n;
        reads[n++] = x;
    }
    for (size_t i = 0; i < nodes->len && n > 0; i++) {
        const FdNode *x = nodes->data[i], *children[FD_MAX_CHILDREN];
        int count = fd_children(x, children);
        bool branches = x->kind == FD_APPLY && fd_op_of(x) == FD_OP_SELECT;
        uint64_t both = ~(uint64_t)0;
        for (int c = 0; c < count; c++) {
            bool lazy = x->nargs > 0 && fd_is_lazy(x, c - (count - x->nargs));
            if (!fdi_map_get(at, children[c], &k)) continue;
            if (!lazy)
                bits[i] |= bits[k];
            else
                both &= bits[k];
        }
        if (branches) bits[i] |= both;
    }
    for (int i = 0; i < n; i++)
        if (bits[nodes->len - 1] >> i & 1) fdi_map_set(strict, reads[i], 1);
    mem_free(bits);
}

/* Marks what is evaluated whenever root is: also what both branches of `c ? u(i) : -u(i)` read. */
static void gather_certain(const FdNode *root, FdiMap *strict)
{
    FdiNodes nodes = {0};
    FdiMap at = {0};
    fdi_gather_strict(root, strict);
    fdi_postorder(root, &at, &nodes);
    for (size_t next = 0; next < nodes.len;) add_certain(&nodes, &at, strict, &next);
    fdi_map_free(&at);
    vec_free(&nodes);
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
            gather_certain(v->binder, inside);
        }
        v->inside = inside;
    }
}

static void add_uses(Domains *d)
{
    FdiMap strict = {0}, selves = {0};
    find_selves(d, &selves);
    gather_certain(fd_root(d->graph), &strict);
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
    d->graph->results[0].node = fd_rewrite(d->fd, fd_root(d->graph), rename_bound, &seen);
    fdi_postorder(fd_root(d->graph), &nodes, &d->nodes);
    fdi_map_free(&seen);
    fdi_map_free(&nodes);
    add_vars(d);
    add_uses(d);
}
