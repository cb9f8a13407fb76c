/* Agreements (FdAgree): functions that one variable indexes plainly have equal domains. */
#include "domains.h"

static bool same_agree(const FdAgree *a, const FdAgree *b)
{
    return (a->a == b->a && a->a_dim == b->a_dim && a->b == b->b && a->b_dim == b->b_dim) ||
           (a->a == b->b && a->a_dim == b->b_dim && a->b == b->a && a->b_dim == b->a_dim);
}

/* A function that an agreement can name and the dimension of it that a use asks for: the function
 * applied, or, if it is a let that uses variables around it and its range does not depend on these,
 * the let with them as first parameters. NULL: none. */
static const FdNode *agreeing(Domains *d, const DomUse *u, int *dim)
{
    const FdNode *f = u->apply->fn, *vars[FD_MAX_RANK];
    const FdiNode *n = fdi_node(f);
    FdDom doms[FD_MAX_RANK], dom;
    if (domains_bounds_of(d, u, &dom) != BOUNDS_YES) return NULL;
    *dim = u->param;
    if (fdi_can_agree(fd_root(d->graph), f)) return f;
    int nfree = (int)n->nfree;
    if (f->kind != FD_LET || f->self || nfree + f->nvars > FD_MAX_RANK) return NULL;
    if (!fdi_closed(dom.lo) || !fdi_closed(dom.hi)) return NULL;
    for (int i = 0; i < nfree; i++) {
        vars[i] = n->free[i];
        doms[i] = (FdDom){.kind = FD_DOM_FULL};
    }
    for (int i = 0; i < f->nvars; i++) {
        vars[nfree + i] = f->vars[i];
        doms[nfree + i] = f->doms[i];
    }
    *dim += nfree;
    return fd_let(d->fd, nfree + f->nvars, vars, doms, f->body, f->loc);
}

static void agree(Domains *d, const DomUse *a, const DomUse *b)
{
    FdAgree g = {.loc = b->apply->loc};
    g.a = agreeing(d, a, &g.a_dim);
    g.b = agreeing(d, b, &g.b_dim);
    if (!g.a || !g.b) return;
    if (g.a == g.b && g.a_dim == g.b_dim) return;
    for (size_t i = 0; i < d->agrees.len; i++)
        if (same_agree(&d->agrees.data[i], &g)) return;
    vec_push(&d->agrees, g);
}

/* Functions that v indexes plainly have equal domains: each with the first, a finite one if any. */
void domains_agree(Domains *d, const DomVar *v)
{
    const DomUse *first = NULL;
    for (int finite = 1; finite >= 0 && !first; finite--)
        for (size_t i = 0; i < d->uses.len && !first; i++) {
            const DomUse *u = &d->uses.data[i];
            FdDom dom;
            if (!domains_strict(u, v) || !u->affine || !domains_is_plain(u) ||
                u->index.of.terms[0].atom != v->var)
                continue;
            int dim;
            if (!agreeing(d, u, &dim) || domains_bounds_of(d, u, &dom) != BOUNDS_YES) continue;
            if (u->apply->fn->kind != FD_VAR && (!fdi_closed(dom.lo) || !fdi_closed(dom.hi)))
                continue;
            if (!finite ||
                (fdi_surely_finite(d->graph, dom.lo) && fdi_surely_finite(d->graph, dom.hi)))
                first = u;
        }
    for (size_t i = 0; i < d->uses.len && first; i++) {
        const DomUse *u = &d->uses.data[i];
        if (u == first || !domains_strict(u, v) || !u->affine || !domains_is_plain(u)) continue;
        if (u->index.of.terms[0].atom == v->var) agree(d, first, u);
    }
}
