/* Hoisting: an expensive expression (with a reduction, or a transcendental operation) that does not
 * use all the loops around it would be recomputed in those; it becomes a temporary over the loops
 * that it uses, a scalar if it uses none.
 *   before: let(i, j) exp(a(i, j)) / sum(k, exp(a(i, k)))         x(i) / sqrt(sum(k, x(k) * x(k)))
 *   after:  let(i, j) exp(a(i, j)) / t(i)                         x(i) / t
 *           with slot t = let(i) sum(k, exp(a(i, k)))             with slot t = sqrt(..)
 * What is hoisted out of several places becomes one temporary: the row maximum m of a softmax,
 * exp(a(i, j) - m) / sum(k, exp(a(i, k) - m)), is in its result and in its sum, which goes first.
 * So does an inner reduction that is a contraction of the variables around it, though it uses all of them: its elements are
 * computed in tiles. Whether it is stored the plan decides (FdSlot.optional).
 *   before: sum(i, j, sum(k, a(i, k) * b(k, j)) * c(i, j))        let(i) min(j, sum(k, abs(x(i, k) - c(j, k))))
 *   after:  sum(i, j, t(i, j) * c(i, j))                          let(i) min(j, t(i, j))
 * In a recurrence, which runs in order, so does each such expression that does not use its values.
 * Requires: compose done. Keeps: meaning and errors: what a branch guards is hoisted only if it
 * cannot fail; temporaries only use earlier slots. */
#include <string.h>

#include "../index/contraction.h"
#include "../internal.h"

typedef struct Hoist {
    Fd *fd;
    FdGraph *graph; /* its slots grow */
} Hoist;

static const FdNode *hoist(Hoist *h, const FdNode *root);

/* Reads at variables of the expression's own reductions are inside their ranges; reads at the
 * variables around are only as safe as the branch makes them. */
static bool is_safe(const void *expression, const FdNode *read)
{
    for (int k = 0; k < read->nargs; k++) {
        bool var = read->args[k]->kind == FD_VAR;
        if (!fd_is_const(read->args[k]) && !(var && !fd_uses_var(expression, read->args[k])))
            return false;
    }
    return true;
}

/* May reads at its variables be outside? */
static bool is_given(const void *ctx, const FdNode *n)
{
    (void)ctx;
    for (int i = 0; i < n->nvars; i++)
        if (n->doms[i].kind == FD_DOM_GIVEN) return true;
    return false;
}

/* Could evaluating n outside of its branch fail? */
static bool may_fail(const FdNode *n)
{
    return fdi_may_fail(n, &(FdiFails){is_safe, n}) || fd_any(n, is_given, NULL);
}

static bool reads_by_all(const void *n, const FdNode *read)
{
    return fd_does(read) & FD_READS && fdi_node(read)->nfree == fdi_node(n)->nfree;
}

/* Arithmetic of variables, also with elements that do not use all of these, as (i - e(q)) % n: what is known of
 * an index while it is computed is lost where it is read from memory. */
static bool is_index(const FdNode *n)
{
    return fdi_is_word(n) && !(fd_effects(n) & (FD_REDUCES | FD_CALLS)) &&
           !fd_any(n, reads_by_all, n);
}

/* rec: in the body of a recurrence, which runs in order: what does not use its values is better
 * computed before, all at once. */
static bool worth(const Hoist *h, const FdiMap *ranges, const FdNode *n, FdiLoops loops,
                  bool strict, bool rec)
{
    const FdiNode *b = fdi_node(n);
    FdiMap none = {0};
    if (n->type->nparams || n->kind == FD_VAR || (n->kind != FD_APPLY && n->kind != FD_REDUCE))
        return false;
    if ((int)b->nfree >= loops.n + rec || b->nfree > FD_MAX_RANK || b->evaluable) return false;
    for (uint32_t i = 0; i < b->nfree; i++) {
        const FdDom *dom = fdi_dom_of(ranges, b->free[i]);
        if (!dom || !fdi_storable(h->graph, b->free[i], dom)) return false;
    }
    return fdi_cost(n, &none, NULL) >= FDI_COST_EXPENSIVE && !is_index(n) &&
           (strict || !may_fail(n));
}

/* Does a reduction end before all of it is taken? What it would take then is not computed. */
static bool ends_early(const void *ctx, const FdNode *n)
{
    (void)ctx;
    return n->kind == FD_REDUCE && (fd_op_of(n) == FD_OP_LAND || fd_op_of(n) == FD_OP_LOR);
}

/* The variables of functions inside a definition: who is given one chooses which of its elements it reads. */
static void gather_chosen(const FdiNodes *list, const FdNode *root, FdiMap *chosen)
{
    for (size_t i = 0; i < list->len; i++) {
        const FdNode *n = list->data[i];
        for (int k = 0; n != root && n->kind == FD_LET && k < n->nvars; k++)
            fdi_map_set(chosen, n->vars[k], 1);
    }
}

/* A contraction within a reduction, of all loops around, of which all elements are read. */
static bool is_tiled(const Hoist *h, const FdiMap *ranges, const FdiMap *chosen, const FdNode *n,
                     FdiLoops loops, const FdNode *root)
{
    const FdiNode *b = fdi_node(n);
    FdContraction form;
    FdDom doms[FD_MAX_RANK];
    bool inner = false;
    if (n->kind != FD_REDUCE || n->init || root->self || h->graph->nresults > 1 ||
        (int)b->nfree != loops.n || b->nfree > FD_MAX_RANK || fd_any(root, ends_early, NULL) ||
        (h->graph->hints && strstr(h->graph->hints, FD_HINT_STEPS)))
        return false;
    for (uint32_t i = 0; i < b->nfree; i++) {
        const FdDom *dom = fdi_dom_of(ranges, b->free[i]);
        uint64_t c;
        if (!dom || fdi_map_get(chosen, b->free[i], &c) || !fdi_storable(h->graph, b->free[i], dom))
            return false;
        doms[i] = *dom;
        bool own = false;
        for (int k = 0; root->kind == FD_LET && k < root->nvars; k++)
            own = own || root->vars[k] == b->free[i];
        inner = inner || !own;
    }
    return inner && fd_contraction((int)b->nfree, b->free, doms, n, NULL, NULL, &form);
}

/* The slot of an earlier temporary with this definition, but for the names of its parameters (what
 * it was hoisted out of has other variables); NULL: none. It is optional if all who read it say so. */
static const FdNode *same_temporary(const Hoist *h, const FdNode *def, bool optional)
{
    Fd *fd = h->fd;
    for (int i = 0; i < h->graph->nslots; i++) {
        const FdSlot *slot = &h->graph->slots[i];
        const FdNode *now = def;
        if (!slot->def || slot->type != def->type || slot->def->kind != def->kind) continue;
        if (def->kind == FD_LET && slot->def->body->fn == def->body->fn)
            now = fdi_rename_bound(fd, def, def->nvars, def->vars, slot->def->vars);
        if (now != slot->def) continue;
        h->graph->slots[i].optional = slot->optional && optional;
        return fd_slot(fd, i, slot->type, slot->name);
    }
    return NULL;
}

/* The node to read the temporary that n becomes. */
static const FdNode *temporary(Hoist *h, const FdiMap *ranges, const FdNode *n, bool optional)
{
    Fd *fd = h->fd;
    const FdiNode *b = fdi_node(n);
    int rank = (int)b->nfree;
    const FdNode *vars[FD_MAX_RANK], *def = n;
    FdDom doms[FD_MAX_RANK];
    for (int i = 0; i < rank; i++) {
        doms[i] = *fdi_dom_of(ranges, b->free[i]);
        vars[i] = fd_var(fd, b->free[i]->type, b->free[i]->name);
    }
    if (rank > 0)
        def = fd_let(fd, rank, vars, doms, fdi_replace_vars(fd, n, rank, b->free, vars), n->loc);
    def = hoist(h, def);
    const FdNode *node = same_temporary(h, def, optional);
    if (!node) {
        FdSlot slot = {.type = def->type,
                       .is_array = rank > 0,
                       .def = def,
                       .why = optional ? "in tiles" : "the same for many elements",
                       .optional = optional};
        slot.name = arena_printf(fd->arena, "t%d", h->graph->nslots);
        node = fd_slot(fd, fdi_add_slot(fd, h->graph, slot), slot.type, slot.name);
    }
    return rank > 0 ? fd_apply(fd, node, rank, b->free, n->loc) : node;
}

/* root with what is worth it hoisted, outermost expressions first. */
static const FdNode *hoist(Hoist *h, const FdNode *root)
{
    FdiMap at = {0}, strict = {0}, done = {0}, ranges = {0}, chosen = {0};
    FdiNodes list = {0};
    fdi_postorder(root, &at, &list);
    fdi_gather_strict(root, &strict);
    fdi_gather_doms(&list, &ranges);
    gather_chosen(&list, root, &chosen);
    FdiLoops *loops = fdi_loops(h->fd, &list, &at, false);
    bool *reached = arena_array(h->fd->arena, bool, list.len + 1);
    reached[list.len - 1] = true;
    for (size_t i = list.len; i-- > 0;) {
        const FdNode *n = list.data[i], *children[FD_MAX_CHILDREN];
        uint64_t c;
        if (!reached[i]) continue;
        bool always = fdi_map_get(&strict, n, &c),
             tiled = always && is_tiled(h, &ranges, &chosen, n, loops[i], root);
        if (tiled || worth(h, &ranges, n, loops[i], always, root->self != NULL)) {
            fdi_map_set_node(&done, n, temporary(h, &ranges, n, tiled));
            continue;
        }
        int count = fd_children(n, children);
        for (int k = 0; k < count; k++)
            if (fdi_map_get(&at, children[k], &c)) reached[c] = true;
    }
    const FdNode *result = root;
    for (size_t i = 0; i < list.len && done.used; i++) {
        const FdNode *old = list.data[i], *children[FD_MAX_CHILDREN];
        if (!reached[i] || fdi_map_node(&done, old)) continue;
        int count = fd_children(old, children);
        for (int k = fd_nbound(old); k < count; k++) children[k] = fdi_map_node(&done, children[k]);
        result = fdi_rebuild(h->fd, old, children);
        fdi_map_set_node(&done, old, result);
    }
    if (done.used) result = fdi_map_node(&done, root);
    fdi_map_free(&at);
    fdi_map_free(&strict);
    fdi_map_free(&done);
    fdi_map_free(&ranges);
    fdi_map_free(&chosen);
    vec_free(&list);
    return result;
}

static const FdNode *hoist_definition(void *hoisting, Fd *fd, const FdNode *def)
{
    (void)fd;
    return hoist(hoisting, def);
}

bool fd_pass_hoist(Fd *fd, FdGraph *g, FdError *error)
{
    Hoist h = {.fd = fd, .graph = g};
    (void)error;
    fdi_replace_definitions(fd, g, hoist_definition, &h);
    return true;
}
