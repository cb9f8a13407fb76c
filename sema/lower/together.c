/* Which evaluations could be made together? Statements that follow each other, with nothing between
 * them that could tell: definitions, declarations and assignments of variables, each of whose values
 * is evaluated by the device. They become one TOGETHER statement, with a graph that has all the
 * results (fdag/several.c) and the statements as they were: the runtime evaluates that graph before
 * the first, if it can, and the statements find their values there. What evaluates nothing (t = t + dt)
 * may stand between.
 *   before: float[] a = sum(j : x, f(i, j));  float[] b = a + g;
 *   after:  TOGETHER(graph of both, the statements)
 * Values of different ranges are put together if they share expensive work (fdag/apart.c), as a value and its
 * derivatives do.
 * Arrays of a function's block that only the last of the statements reads are not made at all: its graph
 * has what they are (a chain).
 *   before: float[,] h(i, j) = ..;  float[,] y(i, j) = h(i - 1, j) + h(i + 1, j);     h is nowhere else
 *   after:  TOGETHER(graph of y over what h reads, the statements)
 * Scalars after arrays may be of these: one pass stores the arrays and reduces them (fdag/index/point.h).
 *   before: r = r - alpha * q;  float next = sum(r * r);
 * A statement of several results may read what an earlier one of its group assigns only where that is computed: at the
 * same element. What the graph takes from the host is evaluated before the first statement, so it has to
 * be there without a chance of failing: variables, constants, arithmetic. The runtime compares
 * captures, so a variable that is changed after all (through another name) costs time only.
 */
#include <string.h>

#include "../../fdag/index/footprint.h"
#include "build.h"

enum { MAX_TOGETHER = 16, MAX_STEPS = 24 };

typedef struct Member {
    Ast *graph;           /* an AST_GRAPH */
    const Symbol *target; /* the array variable that its value becomes; NULL: a scalar's */
} Member;

typedef struct Step { /* a statement */
    Ast *stmt;
    const Symbol *target;
    size_t end; /* of its members */
} Step;

typedef struct Group {
    Lower *l;
    VEC(Step) steps;
    VEC(Member) members;
    /* The new graph. */
    AstList captures;
    VEC(int) first; /* of each capture, its first slot */
    VEC(FdSlot) slots;
    VEC(int) map; /* CsAhead.slots */
    const AstList
        *block; /* of a function: the statements that can use its locals; NULL: others can */
} Group;

/* ---- what may be part ------------------------------------------------------------------------ */

/* Conversions under which a value stays what it is. */
static const Ast *bare(const Ast *n)
{
    while (n->kind == AST_CONVERT && n->type->kind == TY_FUNC &&
           type_is_functional(n->convert.operand->type))
        n = n->convert.operand;
    return n;
}

/* The variable that a place is: a name, a field of `this`, a static field. */
static const Symbol *variable(const Ast *n)
{
    const Symbol *s = n->sym;
    if (n->kind == AST_NAME_REF)
        return s && (s->kind == SYM_LOCAL || s->kind == SYM_PARAM) ? s : NULL;
    if (n->kind != AST_MEMBER || !s || s->kind != SYM_FIELD) return NULL;
    return lower_is_static(n) || n->member.base->kind == AST_THIS ? s : NULL;
}

/* Can it be evaluated early: without effects, and without a chance to fail? */
static bool is_plain(const Ast *n)
{
    const Ast *operands[LOWER_MAX_OPERANDS];
    n = bare(n);
    if (n->is_const || variable(n)) return true;
    if (n->type->kind != TY_SCALAR || n->res != AST_RES_NONE) return false;
    if (n->overflow == AST_OVERFLOW_THROWS) return false;
    bool divides = false;
    switch (n->kind) {
    case AST_BINARY:
        divides = n->binary.op == AST_OP_DIV || n->binary.op == AST_OP_REM;
        if (divides && !scalar_is_real(n->binary.right->type->scalar)) return false;
        break;
    case AST_UNARY:
    case AST_COND:
    case AST_CAST:
    case AST_CONVERT: break;
    default: return false;
    }
    int count = lower_operands(n, operands);
    for (int i = 0; i < count; i++)
        if (!operands[i]->type || operands[i]->type->kind != TY_SCALAR || !is_plain(operands[i]))
            return false;
    return count > 0;
}

static bool captures_plain(const Ast *graph)
{
    for (int i = 0; i < graph->graph.captures.len; i++)
        if (!is_plain(graph->graph.captures.data[i])) return false;
    return true;
}

/* Appends the evaluations in a scalar value, in their order. False if there is anything in it that
 * could be seen, or that is not always evaluated. */
static bool scalars_in(Group *g, Ast *n)
{
    const Ast *operands[LOWER_MAX_OPERANDS];
    if (n->kind == AST_GRAPH) {
        if (n->type->kind == TY_FUNC || !captures_plain(n)) return false;
        Member m = {n, NULL};
        vec_push(&g->members, m);
        return true;
    }
    if (is_plain(n)) return true;
    const Builtin *b = n->kind == AST_CALL ? lower_builtin(n) : NULL;
    bool known =
        n->kind == AST_UNARY || n->kind == AST_CAST || n->kind == AST_CONVERT ||
        (n->kind == AST_BINARY && n->binary.op != AST_OP_LAND && n->binary.op != AST_OP_LOR) ||
        (b && b->pure && b->op != FD_OP_NONE);
    if (!known || n->res != AST_RES_NONE || n->type->kind != TY_SCALAR) return false;
    int count = lower_operands(n, operands);
    for (int i = 0; i < count; i++)
        if (!scalars_in(g, (Ast *)(uintptr_t)operands[i])) return false;
    return count > 0;
}

/* No attributes but those that are in the graphs themselves. */
static bool is_usual(const AstList *attrs)
{
    static const char *const known[] = {"Layout", "Fast", "Precise"};
    for (int i = 0; i < attrs->len; i++) {
        bool found = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            found = found || !strcmp(attrs->data[i]->attr.name, known[k]);
        if (!found) return false;
    }
    return true;
}

/* The variable and the value of a statement that sets one; NULL: it is another statement. */
static const Symbol *setting(Ast *stmt, Ast **value)
{
    Ast *n = stmt;
    switch (stmt->kind) {
    case AST_DEFINE: *value = n->define.value; return is_usual(&n->define.attrs) ? n->sym : NULL;
    case AST_VAR_DECL:
        if (n->var_decl.vars.len != 1 || n->var_decl.attrs.len) return NULL;
        n = n->var_decl.vars.data[0];
        *value = n->declarator.init;
        return n->sym && n->sym->kind == SYM_LOCAL ? n->sym : NULL;
    case AST_EXPR_STMT:
        n = n->expr_stmt.expr;
        if (n->kind != AST_ASSIGN || n->sym) return NULL;
        if (n->assign.op != AST_OP_NONE && n->assign.value->type->kind != TY_SCALAR) return NULL;
        *value = n->assign.value;
        return variable(n->assign.target);
    default: return NULL;
    }
}

/* Of the array behind a view. */
static const Symbol nobodys;

/* Appends a statement and its evaluations, if it has any; false: it cannot be part of a group. */
static bool take(Group *g, Ast *stmt)
{
    Ast *value = NULL;
    const Symbol *target = setting(stmt, &value);
    if (!target || !value) return false;
    size_t before = g->members.len;
    const Symbol *array = target; /* that is evaluated */
    if (value->kind == AST_CONVERT && value->convert.view) {
        value = value->convert.operand->graph.captures.data[0];
        array = &nobodys;
    }
    bool evaluates = value->kind == AST_CONVERT && value->convert.operand->kind == AST_GRAPH;
    if (value->type->kind == TY_ARRAY && evaluates) {
        Member m = {value->convert.operand, array};
        if (!captures_plain(m.graph)) return false;
        vec_push(&g->members, m);
    } else if (!is_plain(value) && !scalars_in(g, value)) {
        g->members.len = before;
        return false;
    }
    Step step = {stmt, target, g->members.len};
    vec_push(&g->steps, step);
    return true;
}

static size_t first_member(const Group *g, size_t step)
{
    return step ? g->steps.data[step - 1].end : 0;
}

/* ---- does it fit the group? ------------------------------------------------------------------ */

/* The member, the last from `first` on and before `end`, whose result a capture is; -1: none. */
static int result_of(const Group *g, const Ast *capture, size_t first, size_t end)
{
    const Symbol *s = variable(bare(capture));
    for (size_t i = end; s && i > first; i--)
        if (g->members.data[i - 1].target == s) return (int)(i - 1 - first);
    return -1;
}

/* Does n use a variable that one of the first steps sets? */
static bool uses_set(const Group *g, const Ast *n, size_t steps)
{
    const Ast *operands[LOWER_MAX_OPERANDS];
    n = bare(n);
    const Symbol *s = variable(n);
    for (size_t i = 0; s && i < steps; i++)
        if (g->steps.data[i].target == s) return true;
    if (s || n->is_const) return false;
    int count = lower_operands(n, operands);
    for (int i = 0; i < count; i++)
        if (uses_set(g, operands[i], steps)) return true;
    return false;
}

/* ---- chains ------------------------------------------------------------------------------------ */

typedef struct Count {
    const Symbol *sym;
    int n;
} Count;

static void count_uses(Ast **child, void *ctx)
{
    Count *c = ctx;
    if ((*child)->kind == AST_NAME_REF && (*child)->sym == c->sym) c->n++;
    ast_each_child(*child, count_uses, ctx);
}

/* How often members from `first` on and before `end` capture a variable. */
static int captured(const Group *g, const Symbol *sym, size_t first, size_t end)
{
    int n = 0;
    for (size_t k = first; k < end; k++) {
        const AstList *captures = &g->members.data[k].graph->graph.captures;
        for (int i = 0; i < captures->len; i++)
            n += bare(captures->data[i])->kind == AST_NAME_REF &&
                 bare(captures->data[i])->sym == sym;
    }
    return n;
}

/* Is a step's target a new array that nothing uses but the members from `first` on? */
static bool only_captured(const Group *g, const Step *step, size_t first, size_t end)
{
    const Ast *s = step->stmt;
    bool declares = s->kind == AST_DEFINE || s->kind == AST_VAR_DECL;
    if (!g->block || !declares || !step->target || step->target->kind != SYM_LOCAL) return false;
    Count c = {.sym = step->target};
    for (int i = 0; i < g->block->len; i++) count_uses(&g->block->data[i], &c);
    return c.n == captured(g, step->target, first, end);
}

/* Are all evaluations of the steps from `first` on and before `end` for the last one alone? No
 * variable changes on the way but the new ones, so that it finds its captures as they were. */
static bool is_chain(const Group *g, size_t first, size_t end)
{
    size_t all = first_member(g, end);
    if (all < 2 || first_member(g, end - 1) != all - 1 || first_member(g, first) == all - 1)
        return false;
    for (size_t i = first; i + 1 < end; i++) {
        size_t next = g->steps.data[i].end;
        if (next != first_member(g, i) + 1 || !only_captured(g, &g->steps.data[i], next, all))
            return false;
    }
    return true;
}

/* The array that a step evaluates for its target; NULL: it does something else. */
static const Member *array_member(const Group *g, size_t step)
{
    size_t first = first_member(g, step);
    const Step *s = &g->steps.data[step];
    return first < s->end && g->members.data[first].target == s->target ? &g->members.data[first]
                                                                        : NULL;
}

/* Does the last statement fit those before it? */
static bool fits(const Group *g)
{
    size_t last = g->steps.len - 1, from = first_member(g, last);
    if (g->members.len > MAX_TOGETHER || g->steps.len > MAX_STEPS) return false;
    for (size_t i = 0; i < last; i++)
        if (g->steps.data[i].target == g->steps.data[last].target &&
            (!array_member(g, i) || !array_member(g, last)))
            return false;
    for (size_t k = from; k < g->members.len; k++) {
        const AstList *captures = &g->members.data[k].graph->graph.captures;
        for (int i = 0; i < captures->len; i++) {
            const Ast *c = captures->data[i];
            if (result_of(g, c, 0, from) < 0 && uses_set(g, c, last)) return false;
        }
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

/* The slots of the new graph whose arrays variables give up: these get results of members. beside: functions side
 * by side, or NULL; they read such a slot at the element that is computed. */
static uint64_t dying(const Group *g, size_t first, size_t end, const FdGraph *beside)
{
    uint64_t slots = 0;
    if (uses_shared(g)) return 0;
    for (int i = 0; i < g->captures.len; i++) {
        const Ast *c = bare(g->captures.data[i]);
        int at = g->first.data[i];
        bool given = c->type->kind == TY_ARRAY && at < 64 && result_of(g, c, first, end) >= 0;
        if (given && (!beside || fd_reads_own_only(beside, at))) slots |= UINT64_C(1) << at;
    }
    return slots;
}

/* The step that a member is of. */
static size_t step_of(const Group *g, size_t member)
{
    size_t step = 0;
    while (g->steps.data[step].end <= member) step++;
    return step;
}

/* Does a later member before `end` set the variable again, and do only members in between ask for what this one gives? */
static bool is_inner(const Group *g, size_t member, size_t end)
{
    const Symbol *sym = g->members.data[member].target;
    size_t step = step_of(g, member), again = member + 1;
    while (again < end && g->members.data[again].target != sym) again++;
    if (again == end || !sym || sym->kind == SYM_FIELD || !array_member(g, step)) return false;
    size_t last = step_of(g, again);
    Count c = {.sym = sym};
    for (size_t i = step + 1; i <= last; i++) count_uses(&g->steps.data[i].stmt, &c);
    return c.n == 1 + captured(g, sym, member + 1, g->steps.data[last].end);
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
            int leaves = lower_leaves(c->type), from = result_of(g, c, first, m);
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
static Ast *graph_of(Group *g, size_t first, size_t end, bool chained)
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
    bool beside = fd_root(fd)->kind == FD_LET && fd_root(fd)->doms[0].kind != FD_DOM_ARRAY;
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
    out.inner = beside ? inner : 0;
    vec_push(&l->graphs, out);
    return graph;
}

/* ---- lists of statements --------------------------------------------------------------------- */

/* Adds the longest run of statements from `first` on that are better together; the first behind it.
 */
static size_t add_run(Group *g, size_t first, AstList *out)
{
    Arena *a = g->l->arena;
    for (size_t end = g->steps.len; end > first + 1; end--) {
        size_t from = first_member(g, first), to = first_member(g, end);
        Ast *graph = is_chain(g, first, end) ? graph_of(g, from, to, true) : NULL;
        if (!graph) graph = graph_of(g, from, to, false);
        if (!graph) continue;
        Ast *together = ast_new(a, AST_TOGETHER, g->steps.data[first].stmt->loc);
        together->together.graph = graph;
        for (size_t i = first; i < end; i++)
            together->together.stmts =
                ast_list_add(a, together->together.stmts, g->steps.data[i].stmt);
        *out = ast_list_add(a, *out, together);
        return end;
    }
    *out = ast_list_add(a, *out, g->steps.data[first].stmt);
    return first + 1;
}

/* Ends a group. */
static void flush(Group *g, AstList *out)
{
    for (size_t i = 0; i < g->steps.len;) i = add_run(g, i, out);
    g->steps.len = g->members.len = 0;
}

static void add_stmt(Group *g, AstList *out, Ast *stmt)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        size_t members = g->members.len;
        if (!take(g, stmt)) break;
        if (fits(g)) return;
        g->members.len = members;
        g->steps.len--;
        flush(g, out); /* it begins a new one */
    }
    flush(g, out);
    *out = ast_list_add(g->l->arena, *out, stmt);
}

/* Declarations of several variables are as many statements. */
static void add_stmts(Group *g, AstList *out, Ast *stmt)
{
    if (stmt->kind != AST_VAR_DECL || stmt->var_decl.vars.len < 2) {
        add_stmt(g, out, stmt);
        return;
    }
    for (int i = 0; i < stmt->var_decl.vars.len; i++) {
        Ast *one = arena_copy(g->l->arena, stmt, sizeof *stmt);
        one->var_decl.vars = ast_list_add(g->l->arena, (AstList){0}, stmt->var_decl.vars.data[i]);
        add_stmt(g, out, one);
    }
}

static void regroup(Lower *l, AstList *stmts, bool block)
{
    Group g = {.l = l, .block = block ? stmts : NULL};
    AstList out = {0};
    for (int i = 0; i < stmts->len; i++) add_stmts(&g, &out, stmts->data[i]);
    flush(&g, &out);
    *stmts = out;
    vec_free(&g.steps);
    vec_free(&g.members);
    vec_free(&g.first);
    vec_free(&g.slots);
    vec_free(&g.map);
}

static void visit(Ast **child, void *ctx)
{
    Ast *n = *child;
    ast_each_child(n, visit, ctx);
    if (n->kind == AST_BLOCK) regroup(ctx, &n->block.stmts, true);
}

void lower_together(Lower *l)
{
    for (int i = 0; i < l->r->nfuncs; i++) {
        Ast **body = lower_func_body(l->r->funcs[i]);
        if (body && *body) visit(body, l);
    }
    AstList *stmts = &l->r->unit->unit.stmts;
    for (int i = 0; i < stmts->len; i++) visit(&stmts->data[i], l);
    regroup(l, stmts, false);
}
