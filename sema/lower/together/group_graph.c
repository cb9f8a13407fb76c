/* The graph of statements that are evaluated together (group.h): what it captures, what dies with it, and which of its
 * parts are no results. */
#include "../../../fdag/index/footprint/footprint.h"
#include "group.h"

/* ---- chains ------------------------------------------------------------------------------------ */

/* How often members from `first` on and before `end` capture a variable. */
static int captured(const Group *g, const Symbol *sym, size_t first, size_t end)
{
    int n = 0;
    for (size_t k = first; k < end; k++) {
        const AstList *captures = &g->members.data[k].graph->graph.captures;
        for (int i = 0; i < captures->len; i++)
            n += group_variable(group_bare(captures->data[i])) == sym;
    }
    return n;
}

/* Is a step's target a new array that nothing uses but the members from `first` on? */
static bool only_captured(const Group *g, const Step *step, size_t first, size_t end)
{
    const Ast *s = step->stmt;
    bool declares = s->kind == AST_DEFINE || s->kind == AST_VAR_DECL;
    if (!g->block || !declares || !step->target || step->target->kind != SYM_LOCAL) return false;
    int n = 0;
    for (int i = 0; i < g->block->len; i++) n += lower_uses(g->block->data[i], step->target);
    return n == captured(g, step->target, first, end);
}

/* Are all evaluations of the steps from `first` on and before `end` for the last one alone? No
 * variable changes on the way but the new ones, so that it finds its captures as they were. */
bool group_graph_chains(const Group *g, size_t first, size_t end)
{
    size_t all = group_first(g, end);
    if (all < 2 || group_first(g, end - 1) != all - 1 || group_first(g, first) == all - 1)
        return false;
    for (size_t i = first; i + 1 < end; i++) {
        size_t next = g->steps.data[i].end;
        if (next != group_first(g, i) + 1 || !only_captured(g, &g->steps.data[i], next, all))
            return false;
    }
    return true;
}

/* ---- what dies --------------------------------------------------------------------------------- */

static void find_shared(Ast **child, void *found)
{
    const Symbol *s = (*child)->kind == AST_NAME_REF ? (*child)->sym : NULL;
    if (s && (s->cell || (s->kind == SYM_PARAM && s->mode != AST_OP_BY_VALUE)))
        *(bool *)found = true;
    ast_each_child(*child, find_shared, found);
}

/* Does a statement use a variable that may have another name? Then the program may look at what another one
 * had when its turn has come. */
static bool uses_shared(const Group *g)
{
    bool found = false;
    for (size_t i = 0; i < g->steps.len; i++) find_shared(&g->steps.data[i].stmt, &found);
    return found;
}

/* The step that a member is of. */
static size_t step_of(const Group *g, size_t member)
{
    size_t step = 0;
    while (g->steps.data[step].end <= member) step++;
    return step;
}

/* Of these members, and of the statements without members around them: does nothing else use the variable, but what
 * gives it another array? `y = x;` would have the old one. */
static bool is_for_members(const Group *g, const Symbol *sym, size_t first, size_t end)
{
    size_t from = step_of(g, first), to = step_of(g, end - 1) + 1;
    int sets = 0, uses = 0;
    while (from > 0 && group_first(g, from - 1) == g->steps.data[from - 1].end) from--;
    while (to < g->steps.len && group_first(g, to) == g->steps.data[to].end) to++;
    for (size_t i = from; i < to; i++) {
        Step *s = &g->steps.data[i];
        uses += lower_uses(s->stmt, sym);
        sets += s->target == sym && s->stmt->kind == AST_EXPR_STMT;
    }
    return uses == sets + captured(g, sym, first, end);
}

/* The slots of the new graph whose arrays variables give up: these get results of members. beside: functions side
 * by side, or NULL; they read such a slot at the element that is computed. */
static uint64_t dying(const Group *g, size_t first, size_t end, const FdGraph *beside)
{
    uint64_t slots = 0;
    if (uses_shared(g)) return 0;
    for (int i = 0; i < g->captures.len; i++) {
        const Ast *c = group_bare(g->captures.data[i]);
        int at = g->first.data[i];
        bool given = c->type->kind == TY_ARRAY && at < 64 &&
                     group_result_of(g, c, first, end) >= 0 &&
                     is_for_members(g, group_variable(c), first, end);
        if (given && (!beside || fd_reads_own_only(beside, at))) slots |= UINT64_C(1) << at;
    }
    return slots;
}

/* Is a member the new array of its step, which only later members before `end` ask for, and which reports nothing? */
static bool is_passing(const Group *g, size_t step, size_t member, size_t end)
{
    const Ast *graph = g->members.data[member].graph;
    return group_array(g, step) && fd_is_surely_good(g->l->graphs.data[graph->graph.graph].graph) &&
           only_captured(g, &g->steps.data[step], member + 1, end);
}

/* Do only later members before `end` ask for what a member gives? So it is of a new array that nothing else uses, or of a
 * variable that another one sets again. */
static bool is_inner(const Group *g, size_t member, size_t end)
{
    const Symbol *sym = g->members.data[member].target;
    size_t step = step_of(g, member), again = member + 1;
    if (is_passing(g, step, member, end)) return true;
    while (again < end && g->members.data[again].target != sym) again++;
    if (again == end || !sym || sym->kind == SYM_FIELD || !group_array(g, step)) return false;
    size_t last = step_of(g, again);
    int uses = 0;
    for (size_t i = step + 1; i <= last; i++) uses += lower_uses(g->steps.data[i].stmt, sym);
    return uses == 1 + captured(g, sym, member + 1, g->steps.data[last].end);
}

static uint64_t inner_parts(const Group *g, size_t first, size_t end)
{
    uint64_t parts = 0;
    if (uses_shared(g)) return 0;
    for (size_t k = first; k < end; k++)
        if (is_inner(g, k, end)) parts |= UINT64_C(1) << (k - first);
    return parts;
}

/* ---- the graph of a group -------------------------------------------------------------------- */

/* The slot of the new graph that a capture of a member begins at. */
static int slot_of(Group *g, Ast *capture, const FdSlot *slots)
{
    for (int i = 0; i < g->captures.len; i++)
        if (lower_same_value(g->captures.data[i], capture)) return g->first.data[i];
    int at = (int)g->slots.len;
    g->captures = ast_list_add(g->l->arena, g->captures, capture);
    vec_push(&g->first, at);
    for (int k = 0; k < lower_leaves(capture->type); k++) vec_push(&g->slots, slots[k]);
    return at;
}

/* Fills in the captures, the slots and the map of some members. */
static void gather_slots(Group *g, size_t first, size_t end)
{
    g->first.len = g->slots.len = g->map.len = 0;
    g->captures = (AstList){0};
    for (size_t m = first; m < end; m++) {
        const Ast *graph = g->members.data[m].graph;
        const FdGraph *fd = g->l->graphs.data[graph->graph.graph].graph;
        for (int i = 0, slot = 0; i < graph->graph.captures.len; i++) {
            Ast *c = graph->graph.captures.data[i];
            int leaves = lower_leaves(c->type), from = group_result_of(g, c, first, m);
            int at = from < 0 ? slot_of(g, c, &fd->slots[slot]) : ~from;
            for (int k = 0; k < leaves; k++) vec_push(&g->map, from < 0 ? at + k : at);
            slot += leaves;
        }
    }
}

/* Is all of it known, and not worth it? What functions are that it captures is seen at run time, which is too late
 * for scalars after arrays: then the arrays alone would have been better. */
static bool is_pointless(const FdGraph *fd)
{
    bool both = fd->nresults > 1 && !fd_root(fd)->type->nparams;
    for (int i = 0; i < fd->nslots; i++)
        if (fd->slots[i].type->nparams && !fd->slots[i].is_array) return both;
    return fd_several_pays(fd) == FD_PAYS_NOT;
}

/* Of the members from `first` on and before `end`; NULL: they cannot be evaluated together. */
Ast *group_graph(Group *g, size_t first, size_t end, bool chained)
{
    Lower *l = g->l;
    int n = (int)(end - first), next = 0;
    if (n < 2) return NULL;
    uint64_t inner = chained ? 0 : inner_parts(g, first, end);
    FdPart *parts = arena_array(l->arena, FdPart, n);
    int *numbers = arena_array(l->arena, int, n);
    gather_slots(g, first, end);
    int *map = arena_copy(l->arena, g->map.data, sizeof(int) * g->map.len);
    for (int k = 0; k < n; k++) {
        numbers[k] = (int)g->members.data[first + (size_t)k].graph->graph.graph;
        parts[k] = (FdPart){l->graphs.data[numbers[k]].graph, map + next, inner >> k & 1};
        next += parts[k].graph->nslots;
    }
    FdGraph *fd =
        (chained ? fd_chained : fd_several)(l->fd, n, parts, (int)g->slots.len, g->slots.data);
    if (!chained && (!fd || is_pointless(fd))) {
        fd = fd_apart(l->fd, n, parts, (int)g->slots.len, g->slots.data);
        if (fd && !fd_shares_work(fd) && is_pointless(fd)) fd = NULL;
        inner = 0;
    }
    if (!fd) return NULL;
    bool beside = fd_is_beside(fd);
    uint64_t dies = chained || fd_shares_work(fd) ? 0 : dying(g, first, end, beside ? fd : NULL);
    if (beside && dies) fd->hints = fd_hints_join(l->fd, fd->hints, FD_HINT_OVER);
    Loc loc = g->members.data[first].graph->loc;
    Ast *graph = ast_new(l->arena, AST_GRAPH, loc);
    graph->graph.graph = l->graphs.len;
    graph->graph.captures = g->captures;
    SemaGraph out = {.graph = fd, .text = lower_graph_text(l, fd), .loc = loc};
    out.nparts = n;
    out.parts = numbers;
    out.slots = map;
    out.nmapped = next;
    out.chained = chained;
    out.dying = dies;
    if (chained) inner = (UINT64_C(1) << (n - 1)) - 1;
    out.inner = beside || chained ? inner : 0;
    vec_push(&l->graphs, out);
    return graph;
}
