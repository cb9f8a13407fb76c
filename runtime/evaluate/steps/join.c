/* Functions that are evaluated together (join.h). */
#include "join.h"

#include "../../state.h"

typedef struct Joining {
    int n;
    bool alike; /* in their ranges: one function of several results */
    const FdType *types[FD_MAX_FIELDS];
    Graph *graph;
} Joining;

static bool is_of(const FdGraph *g, const Joining *j)
{
    bool same = g->nslots == j->n && (fd_root(g)->kind == FD_LET) == j->alike;
    for (int i = 0; i < j->n && same; i++) same = g->slots[i].type == j->types[i];
    return same;
}

static void make(void *joining)
{
    Joining *j = joining;
    j->graph = graph_adopt((j->alike ? fd_results : fd_arrays)(rt_fd(), j->n, j->types));
}

Graph *join_graph(int n, Lazy *const *functions, bool alike, const CsSite *site)
{
    Joining j = {.n = n, .alike = alike};
    for (int i = 0; i < n; i++) j.types[i] = fd_root(functions[i]->graph->fd)->type;
    for (size_t i = 0; i < rt.joined.len; i++)
        if (is_of(rt.joined.data[i]->fd, &j)) return rt.joined.data[i];
    if (!vec_try(&rt.joined) || !mem_try(make, &j)) {
        rt_throw_memory(site, 0);
        return NULL;
    }
    vec_push(&rt.joined, j.graph);
    return j.graph;
}
