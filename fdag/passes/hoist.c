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
 * Of long reductions over several ranges that lanes cannot have side by side each is stored by itself, as no loop takes
 * both; one stays if there are no short ones.
 *   before: let(i) sum(k, a(i, k) * x(k)) + sum(j, b(i, j) * y(j))
 *   after:  let(i) t(i) + sum(j, b(i, j) * y(j))                 with slot t = let(i) sum(k, a(i, k) * x(k))
 * What uses variables only together is stored over what they come to: a copy with a border of zeros, not one for each p.
 *   before: sum(p, w(p) * (0 <= i - p && i - p < n ? g(i - p) : 0))
 *   after:  sum(p, w(p) * t(i - p))
 * What only runs in a branch and could fail elsewhere is stored with the conditions of the branch, if it uses all of their
 * variables; where they do not hold nobody reads it. Such a condition must not fail, unless it is evaluated always.
 *   before: sum(j, i > 0 ? exp(a(i - 1)) * b(j) : 0)
 *   after:  sum(j, i > 0 ? t(i) * b(j) : 0)                      with slot t = let(i) i > 0 ? exp(a(i - 1)) : 0
 * A long sum that only some elements have is a temporary over these, with tiles or parts.
 *   before: let(i, j) i < 3 ? sum(v, w(v, i) * r(v, j)) : 0
 *   after:  let(i, j) i < 3 ? t(i, j) : 0                        with slot t = let(i : 0..3, j) sum(..)
 * In a recurrence, which runs in order, so does each such expression that does not use its values.
 * Requires: compose done. Keeps: meaning and errors; temporaries only use earlier slots. */
#include <string.h>

#include "../index/contraction.h"
#include "../index/siblings.h"
#include "hoist.h"

typedef struct Hoist {
    Fd *fd;
    FdGraph *graph; /* its slots grow */
    FdiMap beside;  /* variables of siblings (index/siblings.h) */
} Hoist;

static const FdNode *hoist(Hoist *h, const FdNode *root);

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

/* ---- what is worth it -------------------------------------------------------------------------- */

/* Is there an array of its values? */
static bool has_room(const Hoist *h, const FdiMap *ranges, const FdNode *n)
{
    const FdiNode *b = fdi_node(n);
    if (b->nfree > FD_MAX_RANK) return false;
    for (uint32_t i = 0; i < b->nfree; i++) {
        const FdDom *dom = fdi_dom_of(ranges, b->free[i]);
        if (!dom || !fdi_storable(h->graph, b->free[i], dom)) return false;
    }
    return true;
}

/* rec: in the body of a recurrence, which runs in order: what does not use its values is better
 * computed before, all at once. */
static bool worth(const Hoist *h, const FdiMap *ranges, const FdNode *n, FdiLoops loops, bool rec)
{
    const FdiNode *b = fdi_node(n);
    FdiMap none = {0};
    if (n->type->nparams || n->kind == FD_VAR || (n->kind != FD_APPLY && n->kind != FD_REDUCE))
        return false;
    int all = loops.n + rec;
    if (fdi_shared_beside(&h->beside, (int)b->nfree, b->free))
        for (int i = 0; i < loops.n; i++)
            all -= fdi_is_sibling(&h->beside, loops.vars[i]) && !fd_uses_var(n, loops.vars[i]);
    if ((int)b->nfree >= all || b->evaluable || !has_room(h, ranges, n)) return false;
    return (fdi_cost(n, &none, NULL) >= FDI_COST_EXPENSIVE && !is_index(n)) ||
           hoist_ends_in_zeros(n);
}

/* The work of n but for what is hoisted out of it over fewer variables. */
static double rest_of(const Hoist *h, const FdiMap *ranges, const FdiMap *strict, const FdNode *n,
                      const FdNode *top, FdiLoops loops, FdSeen *seen)
{
    const FdiMap none = {0};
    uint64_t c;
    if (!fd_meet(seen, n)) return 0;
    if (n != top && fdi_node(n)->nfree < fdi_node(top)->nfree &&
        (fdi_map_get(strict, n, &c) || !hoist_may_fail(n)) && worth(h, ranges, n, loops, false))
        return FDI_COST_READ;
    double cost = fdi_cost(n, &none, NULL);
    if (cost < FDI_COST_EXPENSIVE || fd_op_of(n) == FD_OP_NONE || n->kind != FD_APPLY) return cost;
    cost = fd_op_info(fd_op_of(n))->props & FD_EXPENSIVE ? FDI_COST_EXPENSIVE : 1;
    for (int i = 0; i < n->nargs; i++)
        cost += rest_of(h, ranges, strict, n->args[i], top, loops, seen);
    return cost;
}

/* key(i) == b with an expensive key is stored over i, not over i and b. */
static bool is_little(const Hoist *h, const FdiMap *ranges, const FdiMap *strict, const FdNode *n,
                      FdiLoops loops)
{
    FdSeen seen = {0};
    bool little = rest_of(h, ranges, strict, n, n, loops, &seen) < FDI_COST_EXPENSIVE;
    fd_seen_free(&seen);
    return little;
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

/* Equal to a variable of the definition: of several by key each has its pass, into one table of elements. */
static bool is_key_of(const void *let, const FdNode *n)
{
    const FdNode *root = let;
    if (n->kind != FD_APPLY || fd_op_of(n) != FD_OP_EQ) return false;
    for (int i = 0; i < root->nvars; i++)
        if (n->args[0] == root->vars[i] || n->args[1] == root->vars[i]) return true;
    return false;
}

static bool is_far(const void *var, const FdNode *n)
{
    return fd_does(n) & FD_READS && fd_movement(n, var) == FD_MOVES_FAR;
}

/* Marks the reductions of root that are stored since it has others over other ranges. */
static void gather_apart(const FdNode *root, FdiMap *apart)
{
    const FdNode *all[FD_MAX_REDUCTIONS];
    FdContraction form;
    if (root->kind != FD_LET || root->self) return;
    int n = fd_reductions(root->body, all), last = -1;
    if (!n || fd_reductions_end(n, all, 0) == n ||
        fd_contraction(root->nvars, root->vars, root->doms, root->body, NULL, NULL, &form))
        return;
    bool some_short = false, far = false;
    for (int i = 0; i < n; i++)
        far = far || fd_any(all[i]->body, is_far, root->vars[root->nvars - 1]);
    if (!far) return; /* results side by side take all of them in one nest */
    for (int begin = 0; begin < n; begin = fd_reductions_end(n, all, begin)) {
        if (fd_any(all[begin]->body, is_key_of, root)) return;
        some_short = some_short || !fd_is_long(all[begin]);
        last = begin;
    }
    for (int i = 0; i < (some_short ? n : last); i++)
        if (fd_is_long(all[i]) && !all[i]->init) fdi_map_set(apart, all[i], 1);
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

/* What a temporary is over: body over vars, read with args. */
typedef struct Over {
    int rank;
    const FdNode *vars[FD_MAX_RANK], *args[FD_MAX_RANK], *body;
    FdDom doms[FD_MAX_RANK];
} Over;

static const FdNode *with_node(Fd *fd, const FdNode *n, const FdNode *old, const FdNode *now)
{
    FdiMap at = {0}, done = {0};
    FdiNodes list = {0};
    fdi_postorder(n, &at, &list);
    fdi_map_set_node(&done, old, now);
    for (size_t i = 0; i < list.len; i++) {
        const FdNode *node = list.data[i], *children[FD_MAX_CHILDREN];
        if (fdi_map_node(&done, node)) continue;
        int count = fd_children(node, children);
        for (int k = fd_nbound(node); k < count; k++)
            children[k] = fdi_map_node(&done, children[k]);
        fdi_map_set_node(&done, node, fdi_rebuild(fd, node, children));
    }
    const FdNode *result = fdi_map_node(&done, n);
    fdi_map_free(&at);
    fdi_map_free(&done);
    vec_free(&list);
    return result;
}

static const FdNode *length_of(Fd *fd, const FdDom *d)
{
    return fdi_long_op(fd, FD_OP_SUB, fdi_to_long(fd, d->hi), fdi_to_long(fd, d->lo));
}

/* The range of x + y or x - y; empty where one of theirs is, as elements can fail: m + n - 1 <= m n, else both m n and one
 * of m and n are no more than zero. */
static FdDom range_of_both(Fd *fd, FdOp op, const FdDom *x, const FdDom *y)
{
    const FdNode *m = length_of(fd, x), *n = length_of(fd, y), *least = fdi_to_long(fd, y->lo);
    if (op == FD_OP_SUB) least = fdi_add_constant(fd, fdi_to_long(fd, y->hi), -1);
    const FdNode *lo = fdi_long_op(fd, op, fdi_to_long(fd, x->lo), least);
    const FdNode *both = fdi_add_constant(fd, fdi_long_op(fd, FD_OP_ADD, m, n), -1);
    both = fdi_long_op(fd, FD_OP_MIN, both, fdi_long_op(fd, FD_OP_MUL, m, n));
    return (FdDom){FD_DOM_GIVEN, lo, fdi_long_op(fd, FD_OP_ADD, lo, both)};
}

static int number_in(const Over *o, const FdNode *var)
{
    int i = 0;
    while (i < o->rank && o->vars[i] != var) i++;
    return i;
}

/* Two variables that are used together only, as `both`, become one. */
static bool joined(Fd *fd, Over *o, const FdNode *both)
{
    FdOp op = both->kind == FD_APPLY ? fd_op_of(both) : FD_OP_NONE;
    if ((op != FD_OP_ADD && op != FD_OP_SUB) || !fdi_is_word(both)) return false;
    int x = number_in(o, both->args[0]), y = number_in(o, both->args[1]);
    if (x == o->rank || y == o->rank || x == y) return false;
    const FdNode *var = fd_var(fd, both->type, o->vars[x]->name),
                 *body = with_node(fd, o->body, both, var);
    if (fd_uses_var(body, o->vars[x]) || fd_uses_var(body, o->vars[y])) return false;
    const FdNode *const args[] = {o->args[x], o->args[y]};
    o->args[x] = fd_apply(fd, both->fn, 2, args, both->loc);
    o->doms[x] = range_of_both(fd, op, &o->doms[x], &o->doms[y]);
    o->vars[x] = var;
    o->body = body;
    o->rank--;
    for (int i = y; i < o->rank; i++) {
        o->vars[i] = o->vars[i + 1];
        o->args[i] = o->args[i + 1];
        o->doms[i] = o->doms[i + 1];
    }
    return true;
}

static bool join_some(Fd *fd, Over *o)
{
    FdiMap at = {0};
    FdiNodes list = {0};
    bool some = false;
    fdi_postorder(o->body, &at, &list);
    for (size_t i = 0; i < list.len && !some; i++) some = joined(fd, o, list.data[i]);
    fdi_map_free(&at);
    vec_free(&list);
    return some;
}

static void swap(Over *o, int a, int b)
{
    const FdNode *var = o->vars[a], *arg = o->args[a];
    FdDom dom = o->doms[a];
    o->vars[a] = o->vars[b], o->args[a] = o->args[b], o->doms[a] = o->doms[b];
    o->vars[b] = var, o->args[b] = arg, o->doms[b] = dom;
}

/* The variable that an index is about; the rank: none, or several. */
static int index_of(const Over *o, const FdNode *index)
{
    int found = o->rank;
    for (int i = 0; i < o->rank; i++) {
        if (!fd_uses_var(index, o->vars[i])) continue;
        if (found < o->rank) return o->rank;
        found = i;
    }
    return found;
}

/* In the order of a read in the body: it lies in memory as what it is made of. */
static void order_as_read(Over *o)
{
    FdiMap at = {0};
    FdiNodes list = {0};
    fdi_postorder(o->body, &at, &list);
    const FdNode *read = NULL;
    for (size_t i = 0; i < list.len; i++) {
        const FdNode *n = list.data[i];
        if (n->kind == FD_APPLY && fd_op_of(n) == FD_OP_NONE && n->nargs == o->rank) read = n;
    }
    for (int i = 0; read && i < o->rank; i++) {
        int k = index_of(o, read->args[i]);
        if (k > i && k < o->rank) swap(o, i, k);
    }
    fdi_map_free(&at);
    vec_free(&list);
}

/* The node to read the temporary that n becomes. */
static const FdNode *temporary(Hoist *h, const FdiMap *ranges, const FdNode *n, bool optional)
{
    Fd *fd = h->fd;
    const FdiNode *b = fdi_node(n);
    Over o = {.rank = (int)b->nfree};
    for (int i = 0; i < o.rank; i++) {
        o.args[i] = b->free[i];
        o.doms[i] = *fdi_dom_of(ranges, b->free[i]);
        o.vars[i] = fd_var(fd, b->free[i]->type, b->free[i]->name);
    }
    o.body = o.rank ? fdi_replace_vars(fd, n, o.rank, b->free, o.vars) : n;
    while (!optional && join_some(fd, &o)) {
    }
    int rank = o.rank;
    if (rank < (int)b->nfree) order_as_read(&o);
    const FdNode *def = rank ? fd_let(fd, rank, o.vars, o.doms, o.body, n->loc) : n;
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
    return rank > 0 ? fd_apply(fd, node, rank, o.args, n->loc) : node;
}

/* ---- sums of some elements ----------------------------------------------------------------- */

/* A long sum of some elements alone, as i < 3 ? sum(..) : 0, over these; NULL: it is no such. */
static const FdNode *of_some(Hoist *h, const FdNode *root, const FdiMap *ranges, const FdNode *n,
                             const HoistWhere *where)
{
    Fd *fd = h->fd;
    const FdiNode *b = fdi_node(n);
    FdDom doms[FD_MAX_RANK];
    const FdNode *vars[FD_MAX_RANK];
    if (n->kind != FD_REDUCE || n->init || root->kind != FD_LET || root->self || !where->known ||
        !where->guard || !fd_type_is_scalar(n->type) || !b->nfree || b->nfree > FD_MAX_RANK)
        return NULL;
    for (uint32_t i = 0; i < b->nfree; i++) {
        const FdDom *dom = fdi_dom_of(ranges, b->free[i]);
        bool own = false;
        for (int k = 0; k < root->nvars; k++) own = own || root->vars[k] == b->free[i];
        if (!own || !dom || !fdi_storable(h->graph, b->free[i], dom)) return NULL;
        doms[i] = (FdDom){FD_DOM_GIVEN, dom->lo, dom->hi};
        vars[i] = fd_var(fd, b->free[i]->type, b->free[i]->name);
    }
    if (!fd_is_long(n) || !hoist_where_all_hold(fd, n, where->guard, doms)) return NULL;
    int rank = (int)b->nfree;
    const FdNode *body = fdi_replace_vars(fd, n, rank, b->free, vars),
                 *def = hoist(h, fd_let(fd, rank, vars, doms, body, n->loc)),
                 *node = same_temporary(h, def, false);
    if (!node) {
        FdSlot slot = {
            .type = def->type, .is_array = true, .def = def, .why = "a sum of some elements"};
        slot.name = arena_printf(fd->arena, "t%d", h->graph->nslots);
        node = fd_slot(fd, fdi_add_slot(fd, h->graph, slot), slot.type, slot.name);
    }
    return fd_apply(fd, node, rank, b->free, n->loc);
}

/* root with what is worth it hoisted, outermost expressions first. */
static const FdNode *hoist(Hoist *h, const FdNode *root)
{
    FdiMap at = {0}, strict = {0}, asked = {0}, done = {0}, ranges = {0}, chosen = {0}, apart = {0};
    FdiNodes list = {0};
    fdi_postorder(root, &at, &list);
    fdi_gather_strict(root, &strict);
    fdi_gather_always(root->kind == FD_LET ? root->body : root, &asked);
    fdi_gather_doms(&list, &ranges);
    fdi_gather_siblings(&list, &h->beside);
    gather_chosen(&list, root, &chosen);
    gather_apart(root, &apart);
    FdiLoops *loops = fdi_loops(h->fd, &list, &at, false);
    bool *reached = arena_array(h->fd->arena, bool, list.len + 1);
    HoistWhere *where = arena_array(h->fd->arena, HoistWhere, list.len + 1);
    reached[list.len - 1] = true;
    where[list.len - 1] = (HoistWhere){true, true, NULL};
    for (size_t i = list.len; i-- > 0;) {
        const FdNode *n = list.data[i], *children[FD_MAX_CHILDREN];
        uint64_t c;
        if (!reached[i]) continue;
        bool always = fdi_map_get(&strict, n, &c),
             tiled = always && is_tiled(h, &ranges, &chosen, n, loops[i], root);
        const FdNode *what = NULL;
        bool alone = fdi_map_get(&apart, n, &c) && has_room(h, &ranges, n);
        if (tiled || alone ||
            (worth(h, &ranges, n, loops[i], root->self != NULL) &&
             (hoist_ends_in_zeros(n) || !is_little(h, &ranges, &strict, n, loops[i]))))
            what =
                always || !hoist_may_fail(n) ? n : hoist_with_guards(h->fd, n, &where[i], &asked);
        if (what) {
            fdi_map_set_node(&done, n, temporary(h, &ranges, what, tiled));
            continue;
        }
        what = always ? NULL : of_some(h, root, &ranges, n, &where[i]);
        if (what) {
            fdi_map_set_node(&done, n, what);
            continue;
        }
        int count = fd_children(n, children);
        for (int k = 0; k < count; k++) {
            if (!fdi_map_get(&at, children[k], &c)) continue;
            reached[c] = true;
            hoist_use_at(h->fd, n, k, count, &where[i], &where[c]);
        }
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
    fdi_map_free(&asked);
    fdi_map_free(&done);
    fdi_map_free(&ranges);
    fdi_map_free(&chosen);
    fdi_map_free(&apart);
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
    fdi_map_free(&h.beside);
    return true;
}
