/* Results that bind the same variables are made side by side: they become one, whose values are records.
 *   before: results let(i) x(i) + 1, let(i) y(i) * 2
 *   after:  result let(i) make(x(i) + 1, y(i) * 2)
 * The ranges are those of the first: the graph's agreements say that the others' are equal. Reads at a variable
 * are inside by construction only if they are so in every one. Where all results are so, the fields are
 * results of their own. */
#include "../internal.h"

static bool are_beside(const FdGraph *g)
{
    const FdNode *first = fd_root(g);
    bool same = g->nresults > 1 && g->nresults <= FD_MAX_FIELDS;
    for (int k = 0; same && k < g->nresults; k++) {
        const FdNode *n = g->results[k].node;
        same = n->kind == FD_LET && !n->self && n->nvars == first->nvars && !g->results[k].part;
        for (int d = 0; same && d < n->nvars; d++) same = n->vars[d] == first->vars[d];
    }
    return same;
}

bool fd_pass_beside(Fd *fd, FdGraph *g, FdError *error)
{
    const FdNode *first = fd_root(g), *values[FD_MAX_FIELDS];
    FdDom doms[FD_MAX_RANK];
    (void)error;
    if (!are_beside(g)) return true;
    for (int k = 0; k < g->nresults; k++) values[k] = g->results[k].node->body;
    for (int d = 0; d < first->nvars; d++) {
        doms[d] = first->doms[d];
        for (int k = 1; k < g->nresults; k++)
            if (g->results[k].node->doms[d].kind == FD_DOM_GIVEN) doms[d].kind = FD_DOM_GIVEN;
    }
    const FdNode *all = fd_make(fd, fdi_results_type(fd, g->nresults, values), values, first->loc);
    fd_set_root(fd, g, fd_let(fd, first->nvars, first->vars, doms, all, first->loc));
    return true;
}
