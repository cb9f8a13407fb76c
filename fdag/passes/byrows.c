/* Reductions of a scalar beside arrays go by rows: first each row comes to one value, so that it can be
 * reduced while the rows of the arrays are in the cache (codegen/kernel/schedule/recipes/bands.c).
 *   before: results sum(i, j, abs(v(i, j) - u(i, j))), v
 *   after:  results sum(i, t(i)), v      with slot t = let(i) sum(j, abs(v(i, j) - u(i, j)))
 * Where all is read at the own point one loop does it without (index/point.h).
 * Those over the same ranges are fields of one temporary. Requires: fuse, compose, simplify. Keeps: what
 * associativity of operations promises, so not under --precise. */
#include "../index/point.h"
#include "../internal.h"

typedef struct ByRows {
    FdGraph *graph;
    FdiNodes found;
    FdiMap now;
} ByRows;

static bool is_by_rows(const FdNode *n)
{
    const unsigned any_order = FD_ASSOCIATIVE | FD_COMMUTATIVE;
    FdOp op = n->kind == FD_REDUCE ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_NONE || n->nvars < 2 || n->init || !fdi_closed(n)) return false;
    if ((fd_op_info(op)->props & any_order) != any_order) return false;
    for (int i = 0; i < n->nvars; i++)
        if (!fd_range_closed(&n->doms[i])) return false;
    return true;
}

static const FdNode *find(void *ctx, Fd *fd, const FdNode *n)
{
    ByRows *b = ctx;
    (void)fd;
    if (is_by_rows(n)) vec_push(&b->found, n);
    return NULL;
}

/* The reductions over the ranges of the first one that is left: of each row, as a temporary. */
static void split(ByRows *b, Fd *fd, size_t first)
{
    const FdNode *r = b->found.data[first], *same[FD_MAX_FIELDS], *rows[FD_MAX_FIELDS];
    int n = 0;
    for (size_t i = first; i < b->found.len && n < FD_MAX_FIELDS; i++)
        if (fd_same_ranges(r, b->found.data[i])) same[n++] = b->found.data[i];
    for (int i = 0; i < n; i++)
        rows[i] = fd_reduce(fd, same[i]->fn, r->nvars - 1, r->vars + 1, r->doms + 1, same[i]->body,
                            same[i]->loc);
    const FdNode *row = n > 1 ? fd_make(fd, fdi_results_type(fd, n, rows), rows, r->loc) : rows[0];
    const FdNode *var = fd_var(fd, r->vars[0]->type, r->vars[0]->name);
    const FdNode *def =
        fd_let(fd, 1, &var, r->doms, fdi_replace_vars(fd, row, 1, r->vars, &var), r->loc);
    FdSlot slot = {
        .type = def->type, .is_array = true, .def = def, .why = "what each row comes to"};
    slot.name = arena_printf(fd->arena, "t%d", b->graph->nslots);
    const FdNode *temp = fd_slot(fd, fdi_add_slot(fd, b->graph, slot), slot.type, slot.name),
                 *at = fd_apply(fd, temp, 1, r->vars, r->loc);
    for (int i = 0; i < n; i++) {
        const FdNode *value = n > 1 ? fd_field(fd, at, i, r->loc) : at;
        fdi_map_set_node(&b->now, same[i],
                         fd_reduce(fd, same[i]->fn, 1, r->vars, r->doms, value, same[i]->loc));
    }
}

static const FdNode *replace(void *ctx, Fd *fd, const FdNode *n)
{
    const ByRows *b = ctx;
    (void)fd;
    return fdi_map_node(&b->now, n);
}

bool fd_pass_byrows(Fd *fd, FdGraph *g, FdError *error)
{
    ByRows b = {.graph = g};
    (void)error;
    if (g->nresults == 1 || fd_root(g)->type->nparams || fd_is_at_point(g)) return true;
    fd_rewrite(fd, fd_root(g), find, &b);
    for (size_t i = 0; i < b.found.len; i++)
        if (!fdi_map_node(&b.now, b.found.data[i])) split(&b, fd, i);
    if (b.found.len) g->results[0].node = fd_rewrite(fd, fd_root(g), replace, &b);
    vec_free(&b.found);
    fdi_map_free(&b.now);
    return true;
}
