/* Several graphs as one whose results keep ranges of their own, because they share expensive work:
 *   parts:   sum(i, j, r(i, j) * r(i, j))       let(k, j) sum(i, a(i, k) * r(i, j))
 *   results: the same, each an array of its own (FD_DOM_ARRAY), where r is one function of both
 * Such are a value and its derivatives. Scalars are the first result, as of graphs that fd_several makes. A part may
 * read what an earlier one gives, as an array. */
#include <string.h>

#include "../internal.h"

enum { WORTH_IT = 64 }; /* operations an element: a reduction. Recurrences are stored anyway */

static const FdNode *root_of(Fd *fd, const FdPart *part, const FdSlot *slots,
                             const FdNode *const *arrays, const FdNode ***values)
{
    int n = part->graph->nslots;
    *values = arena_array(fd->arena, const FdNode *, n + 1);
    for (int i = 0; i < n; i++) {
        int at = part->slots[i];
        (*values)[i] = at < 0 ? arrays[~at] : fd_slot(fd, at, slots[at].type, slots[at].name);
    }
    return fd_substitute(fd, fd_root(part->graph), *values, n);
}

static bool fits(const FdPart *part, const FdPart *parts)
{
    const FdGraph *g = part->graph;
    bool fit = fdi_is_whole(fd_root(g));
    for (int i = 0; fit && i < g->nslots; i++) {
        const FdPart *of = part->slots[i] < 0 ? &parts[~part->slots[i]] : NULL;
        fit = !g->slots[i].def && (!of || fd_root(of->graph)->kind == FD_LET);
    }
    return fit;
}

/* The results, scalars first. How many; 0: these are no record. */
static int results_of(Fd *fd, int n, const FdNode *const *roots, const FdNode *const *arrays,
                      const FdNode **out)
{
    const FdNode *scalars[FD_MAX_FIELDS];
    int nscalars = 0, count = 0;
    for (int k = 0; k < n; k++)
        if (!arrays[k]) scalars[nscalars++] = roots[k];
    const FdType *type = nscalars ? fdi_results_type(fd, nscalars, scalars) : NULL;
    if (nscalars == n || (nscalars && !type)) return 0;
    if (nscalars)
        out[count++] = nscalars == 1 ? scalars[0] : fd_make(fd, type, scalars, scalars[0]->loc);
    for (int k = 0; k < n; k++)
        if (arrays[k]) out[count++] = arrays[k];
    return count;
}

FdGraph *fd_apart(Fd *fd, int n, const FdPart *parts, int nslots, const FdSlot *slots)
{
    const FdNode *roots[FD_MAX_FIELDS], *arrays[FD_MAX_FIELDS] = {NULL}, *results[FD_MAX_FIELDS];
    VEC(FdAgree) agrees = {0};
    FdError error = {0};
    for (int k = 0; k < n; k++)
        if (k == FD_MAX_FIELDS || !fits(&parts[k], parts)) return NULL;
    if (!fdi_compute_alike(n, parts)) return NULL;
    FdGraph *g = arena_new_of(fd->arena, FdGraph);
    *g = (FdGraph){.nslots = nslots};
    for (int k = 0; k < n; k++) {
        const FdGraph *part = parts[k].graph;
        const FdNode **values;
        roots[k] = root_of(fd, &parts[k], slots, arrays, &values);
        if (roots[k]->kind == FD_LET) arrays[k] = fd_stored(fd, roots[k]);
        for (int i = 0; i < part->nagrees; i++) {
            FdAgree a = part->agrees[i];
            a.a = fd_substitute(fd, a.a, values, part->nslots);
            a.b = fd_substitute(fd, a.b, values, part->nslots);
            vec_push(&agrees, a);
        }
        g->hints = fd_hints_join(fd, g->hints, part->hints);
    }
    g->nresults = results_of(fd, n, roots, arrays, results);
    g->results = arena_array(fd->arena, FdResult, g->nresults + 1);
    for (int k = 0; k < g->nresults; k++) g->results[k].node = results[k];
    g->slots = arena_copy(fd->arena, slots, sizeof *slots * (size_t)nslots);
    g->nagrees = (int)agrees.len;
    g->agrees = arena_copy(fd->arena, agrees.data, sizeof *agrees.data * agrees.len);
    vec_free(&agrees);
    return g->nresults && fd_pass_share(fd, g, &error) ? g : NULL;
}

bool fdi_is_apart(const FdGraph *g)
{
    const FdNode *last = g->results[g->nresults - 1].node;
    return g->nresults > 1 && fdi_array_of(last) != NULL;
}

/* Below a result: all it is made of but other results, which it reads as arrays. */
static void gather(const FdNode *result, FdiMap *own, FdiNodes *out)
{
    FdiNodes stack = {0};
    vec_push(&stack, result);
    while (stack.len) {
        const FdNode *n = stack.data[--stack.len], *below[FD_MAX_CHILDREN];
        uint64_t dummy;
        if (fdi_map_get(own, n, &dummy) || (n != result && fdi_array_of(n))) continue;
        fdi_map_set(own, n, 1);
        vec_push(out, n);
        int count = fd_children(n, below);
        for (int i = fd_nbound(n); i < count; i++) vec_push(&stack, below[i]);
    }
    vec_free(&stack);
}

static bool is_expensive(const FdNode *n)
{
    const FdiMap none = {0};
    if (!fdi_closed(n) || fdi_array_of(n)) return false;
    return n->kind == FD_REDUCE ||
           (n->kind == FD_LET && (n->self || fdi_cost(n->body, &none, NULL) >= WORTH_IT));
}

bool fd_shares_work(const FdGraph *g)
{
    FdiMap met = {0};
    bool pays = false;
    for (int k = 0; k < g->nresults && !pays; k++) {
        FdiMap own = {0};
        FdiNodes nodes = {0};
        gather(g->results[k].node, &own, &nodes);
        for (size_t i = 0; i < nodes.len && !pays; i++) {
            uint64_t dummy;
            pays = fdi_map_get(&met, nodes.data[i], &dummy) && is_expensive(nodes.data[i]);
        }
        for (size_t i = 0; i < nodes.len; i++) fdi_map_set(&met, nodes.data[i], 1);
        fdi_map_free(&own);
        vec_free(&nodes);
    }
    fdi_map_free(&met);
    return pays;
}
