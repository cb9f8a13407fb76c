/* Does one evaluation of several results pay? It does where they share operations, or where arrays that several of
 * them read, and values that one of them gives another, go through memory less often. */
#include "../index/contraction.h"
#include "../index/point.h"
#include "../internal.h"

static bool out_of_lanes(const void *v, const FdNode *n)
{
    return fdi_applies(n, FD_LEAF_SLOT) && !fd_reads_in_lanes(n, v);
}

static bool is_contraction(const FdNode *root, const FdNode *body)
{
    FdContraction c;
    return fd_contraction(root->nvars, root->vars, root->doms, body, NULL, NULL, &c);
}

/* Is a part a contraction, and the whole none? Then its tiles are worth more than what is shared. */
static bool loses_contraction(const FdNode *root, const FdNode *body)
{
    bool some = false;
    for (int i = 0; i < body->nargs && !some; i++) some = is_contraction(root, body->args[i]);
    return some && !is_contraction(root, body);
}

/* Schedules make one pass of several reductions over the same variables. Others (and functions with
 * loops) are loops of each element, or of a vector of elements where reads allow it. */
static bool schedules_can(const FdNode *root, const FdNode *body)
{
    const FdNode *reduces[FD_MAX_REDUCTIONS];
    bool line = root->kind == FD_LET && root->nvars == 1;
    if (!(fd_effects(body) & (FD_REDUCES | FD_CALLS))) return true;
    if (line && !fd_any(root, out_of_lanes, root->vars[0])) return true;
    int n = fd_all_reductions(body, reduces);
    bool can = n > 0 && !(fd_effects(body) & FD_CALLS);
    for (int i = 0; i < n && can; i++)
        can = fd_op_of(reduces[i]) != FD_OP_NONE && !(fd_effects(reduces[i]->body) & FD_REDUCES);
    return can && fd_reductions_end(n, reduces, 0) == n && !loses_contraction(root, body);
}

/* Does n read otherwise than at the element, or so far from it? */
static bool is_elsewhere(const void *let, const FdNode *n)
{
    const FdNode *root = let;
    bool near = n->nargs == root->nvars;
    if (!fdi_applies(n, FD_LEAF_SLOT)) return false;
    for (int d = 0; near && d < n->nargs; d++) {
        FdAffine a = {0};
        near =
            fd_affine_add(&a, n->args[d], 1) && fd_affine_add(&a, root->vars[d], -1) && !a.nterms;
    }
    return !near;
}

/* Do results next to each other read elements next to each other, so that what all read goes through memory once? */
static bool is_close(const FdNode *root)
{
    return root->kind == FD_LET && !fd_any(root->body, is_elsewhere, root);
}

typedef struct Earlier {
    const FdNode *const *fields;
    int n, slot;
} Earlier;

/* What an earlier part gives is read, but for numbers: those stand in other places, too (dimensions). */
static const FdNode *read_earlier(void *ctx, Fd *fd, const FdNode *n)
{
    const Earlier *e = ctx;
    if (fd_is_const(n)) return NULL;
    for (int i = 0; i < e->n; i++)
        if (n == e->fields[i] && !n->type->record)
            return fd_slot(fd, e->slot + i, n->type, "earlier");
    return NULL;
}

static bool reads_slot(const void *slot, const FdNode *n)
{
    const FdNode *read = n->kind == FD_APPLY ? n->fn : n;
    return fdi_is_leaf(read, FD_LEAF_SLOT) && read->slot == *(const int *)slot;
}

/* How many functions outside an expression reads, and how many of n fields before it (read_earlier). */
static int count_read(const FdGraph *g, int n, const FdNode *e)
{
    int count = 0;
    for (int i = 0; i < g->nslots + n; i++)
        if (i >= g->nslots || g->slots[i].type->nparams) count += fd_any(e, reads_slot, &i);
    return count;
}

/* Arrays and a scalar: are all made in one pass? */
static bool is_one_pass(const FdGraph *whole)
{
    FdError error;
    Fd *fd = fd_new();
    FdGraph *g = fd_graph_copy(fd, whole);
    FdReals reals = fd_hints_reals(whole->hints);
    bool one = reals != FD_REALS_PRECISE &&
               fd_run_passes(fd, g, fd_back_passes_for(reals), &error, NULL, NULL) &&
               fd_is_at_point(g);
    fd_free(fd);
    return one;
}

/* Does the scalar read what an array does? Else nothing tells that they have the same ranges. */
static bool is_related(const FdGraph *g)
{
    bool related = false;
    for (int i = 0; i < g->nslots && !related; i++) {
        if (!g->slots[i].type->nparams || !fd_any(fd_root(g), reads_slot, &i)) continue;
        for (int k = 1; k < g->nresults && !related; k++)
            related = fd_any(g->results[k].node, reads_slot, &i);
    }
    return related;
}

FdPays fd_several_pays(const FdGraph *whole)
{
    bool scalar = !fd_root(whole)->type->nparams;
    if (whole->nresults > 1 && (scalar || fdi_is_apart(whole)))
        return fd_shares_work(whole) || (scalar && is_related(whole) && is_one_pass(whole))
                   ? FD_PAYS
                   : FD_PAYS_NOT;
    static const char *const passes[] = {"beside", "inline", "compose", "share"};
    const double enough = 0.8; /* of the operations, and of what is read and written */
    const FdiMap none = {0};
    FdError error = {0};
    double apart = 0, moved = 0;
    Fd *fd = fd_new();
    FdGraph *g = fd_graph_copy(fd, whole);
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        fd_pass_find(passes[i])->run(fd, g, &error);
    const FdNode *body = fd_root(g)->kind == FD_LET ? fd_root(g)->body : fd_root(g);
    for (int i = 0; i < body->nargs; i++) {
        Earlier e = {body->args, i, g->nslots};
        const FdNode *alone = fd_rewrite(fd, body->args[i], read_earlier, &e);
        apart += fdi_cost(alone, &none, NULL);
        moved += count_read(g, i, alone) + 1;
    }
    double together = fdi_cost(body, &none, NULL);
    bool loops = fd_effects(body) & (FD_REDUCES | FD_CALLS), can = schedules_can(fd_root(g), body);
    bool shares = apart - together >= FDI_COST_EXPENSIVE && together <= enough * apart;
    bool moves_less =
        count_read(g, 0, body) + body->nargs <= enough * moved && is_close(fd_root(g));
    fd_free(fd);
    if (!can || (loops && !shares)) return FD_PAYS_NOT;
    return shares || moves_less ? FD_PAYS : FD_PAYS_SMALL;
}
