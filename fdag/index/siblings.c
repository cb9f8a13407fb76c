/* Elements that are sums side by side (siblings.h). */
#include "siblings.h"

#include "../internal.h"
#include "contraction.h"

static bool is_few(const FdDom *d)
{
    if (!d->lo || !d->hi || !fd_is_const(d->lo) || !fd_is_const(d->hi)) return false;
    int64_t n = d->hi->value.i - d->lo->value.i;
    return n > 1 && n <= FD_SIBLINGS;
}

const FdNode *fd_sibling(int nvars, const FdNode *const *vars, const FdDom *doms,
                         const FdNode *body)
{
    const FdNode *reduces[FD_MAX_REDUCTIONS];
    if (nvars < 2 || !is_few(&doms[nvars - 1])) return NULL;
    const FdNode *v = vars[nvars - 1];
    int n = fd_reductions(body, reduces);
    if (!n || fd_reductions_end(n, reduces, 0) < n) return NULL;
    for (int i = 0; i < n; i++)
        if (!fd_is_long(reduces[i]) || !fd_reorders(reduces[i]) ||
            !fd_uses_var(reduces[i]->body, v))
            return NULL;
    return v;
}

enum { SIBLING = 1, SUMMED };

void fdi_gather_siblings(const FdiNodes *list, FdiMap *beside)
{
    for (size_t i = 0; i < list->len; i++) {
        const FdNode *n = list->data[i], *reduces[FD_MAX_REDUCTIONS];
        const FdNode *v =
            n->kind == FD_LET && !n->self ? fd_sibling(n->nvars, n->vars, n->doms, n->body) : NULL;
        if (!v) continue;
        fdi_map_set(beside, v, SIBLING);
        fd_reductions(n->body, reduces);
        for (int k = 0; k < reduces[0]->nvars; k++)
            fdi_map_set(beside, reduces[0]->vars[k], SUMMED);
    }
}

static bool is_of_kind(const FdiMap *beside, const FdNode *v, uint64_t kind)
{
    uint64_t is;
    return fdi_map_get(beside, v, &is) && is == kind;
}

bool fdi_shared_beside(const FdiMap *beside, int n, const FdNode *const *vars)
{
    bool summed = false;
    for (int i = 0; i < n; i++) summed = summed || is_of_kind(beside, vars[i], SUMMED);
    return summed;
}

bool fdi_is_sibling(const FdiMap *beside, const FdNode *v)
{
    return is_of_kind(beside, v, SIBLING);
}
