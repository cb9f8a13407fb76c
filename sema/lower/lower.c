/* Lowering, from outside: walks every body for functional expressions, builds the graph of each,
 * runs the front passes over it and puts an AST_GRAPH node in its place. Trees are read until all
 * graphs are built (functions are inlined from them); only then are the expressions replaced.
 */
#include <stdarg.h>
#include <string.h>

#include "build.h"
#include "foresee/foresee.h"

/* ---- places and failures ------------------------------------------------------------------ */

FdLoc lower_loc(const Lower *l, Loc loc)
{
    FdLoc at = {0};
    if (loc.end) sources_position(l->sources, loc.file, loc.begin, &at.line, &at.col);
    return at;
}

const FdNode *lower_place(Lower *l, const FdNode *n, Loc loc)
{
    for (size_t i = l->places.len; i-- > 0;)
        if (l->places.data[i].node == n) return n;
    LowerPlace p = {n, loc};
    vec_push(&l->places, p);
    return n;
}

const FdNode *lower_fail(Lower *l, Loc loc, const char *fmt, ...)
{
    LowerReason *reason = l->in->reason;
    if (reason->why) return NULL;
    Text t = {0};
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&t, fmt, ap);
    va_end(ap);
    *reason = (LowerReason){arena_strndup(l->arena, t.data ? t.data : "", t.len), loc};
    text_free(&t);
    return NULL;
}

Loc lower_error_place(const Lower *l, const FdError *e, Loc otherwise)
{
    const LowerPlace *use = NULL;
    for (size_t i = 0; e->loc.line && i < l->places.len; i++) {
        const LowerPlace *p = &l->places.data[i];
        FdLoc at = lower_loc(l, p->loc);
        if (at.line == e->loc.line && at.col == e->loc.col && (!use || p->loc.end < use->loc.end))
            use = p;
    }
    if (use) return use->loc;
    for (size_t i = 0; i < l->places.len; i++)
        if (e->at && l->places.data[i].node == e->at) return l->places.data[i].loc;
    return otherwise;
}

const char *lower_graph_text(Lower *l, const FdGraph *g)
{
    Text t = {0};
    fd_print(&t, g);
    const char *text = arena_strndup(l->arena, t.data ? t.data : "", t.len);
    text_free(&t);
    return text;
}

/* The message of a failed pass. Nodes of a graph can be shared with earlier graphs, whose slots
 * have other names: read back from its text, the graph has its own. */
static const char *error_message(Lower *l, const FdGraph *g, const FdError *e)
{
    Fd *own = fd_new();
    FdError again = {0};
    const char *why = NULL, *message = e->message;
    FdGraph *copy = fd_read(own, lower_graph_text(l, g), &why);
    if (copy && !fd_run_passes(own, copy, fd_front_passes, &again, NULL, NULL) && again.message)
        message = again.message;
    message = arena_strndup(l->arena, message, strlen(message));
    fd_free(own);
    return message;
}

/* ---- one graph ------------------------------------------------------------------------------ */

static void open_graph(Lower *l)
{
    l->slots.len = l->captures.len = l->places.len = l->slices.len = 0;
    l->nbranches = l->nopen = 0;
    text_free(&l->hints);
    l->reason.why = NULL;
    l->in = &l->graph;
}

void lower_hints(Lower *l, const AstList *attrs)
{
    Text all = {0};
    for (int i = 0; attrs && i < attrs->len; i++) {
        const Ast *a = attrs->data[i];
        if (a->kind != AST_ATTR || !attr_steers(a)) continue;
        text_add(&all, " ");
        attr_hint(&all, a);
    }
    lower_hint_words(l, all.data);
    text_free(&all);
}

void lower_hint_words(Lower *l, const char *words)
{
    static const char *const reals[] = {[FD_REALS_PRECISE] = "Precise", [FD_REALS_FAST] = "Fast"};
    if (l->in->user) words = reals[fd_hints_reals(words)]; /* of its loops no schedule is made */
    if (words) text_printf(l->in->hints, " %s", words);
}

/* A root is a let or a scalar; slots, operations and user functions get a let around them. */
static const FdNode *as_root(Lower *l, const FdNode *n, Loc loc)
{
    int count = n->type->nparams;
    if (!count || n->kind == FD_LET) return n;
    const FdNode *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    for (int i = 0; i < count; i++) {
        vars[i] = fd_var(l->fd, n->type->params[i], "i");
        doms[i] =
            (FdDom){.kind = fd_domain(l->fd, n, i).kind == FD_DOM_FULL ? FD_DOM_FULL : FD_DOM_OPEN};
    }
    FdLoc at = lower_loc(l, loc);
    return fd_let(l->fd, count, vars, doms, fd_apply(l->fd, n, count, vars, at), at);
}

/* The graph node for an expression whose root node is built; NULL after a report. */
static Ast *finish_graph(Lower *l, const FdNode *root, const Type *type, Loc loc)
{
    if (root && root->type->nparams > FD_MAX_RANK)
        root = lower_fail(l, loc, "a functional value has at most %d parameters", FD_MAX_RANK);
    if (!root) {
        const char *why = l->reason.why;
        diag(l->diags, l->reason.loc, DIAG_NO_GRAPH, "%s", why ? why : "no graph can be made");
        return NULL;
    }
    Arena *a = fd_arena(l->fd);
    FdGraph *g = arena_new_of(a, FdGraph);
    fd_set_root(l->fd, g, as_root(l, root, loc));
    lower_hints(l, l->around);
    g->hints = fd_hints_join(l->fd, NULL, l->hints.data);
    g->nslots = (int)l->slots.len;
    g->slots = arena_array(a, FdSlot, g->nslots + 1);
    if (g->nslots) memcpy(g->slots, l->slots.data, sizeof *g->slots * l->slots.len);
    g->nagrees = (int)l->slices.len;
    g->agrees = arena_array(a, FdAgree, g->nagrees + 1);
    if (g->nagrees) memcpy(g->agrees, l->slices.data, sizeof *g->agrees * l->slices.len);
    Ast *n = ast_new(l->arena, AST_GRAPH, loc);
    n->type = type;
    n->graph.graph = l->graphs.len;
    for (size_t i = 0; i < l->captures.len; i++)
        n->graph.captures = ast_list_add(l->arena, n->graph.captures, l->captures.data[i].value);
    FdError error = {0};
    FdGraph before = *g; /* with results of its own, which passes change in place */
    before.results = arena_copy(a, g->results, sizeof *g->results * (size_t)g->nresults);
    if (!fd_run_passes(l->fd, g, fd_front_passes, &error, NULL, NULL)) {
        diag(l->diags, lower_error_place(l, &error, loc), DIAG_DOMAIN, "%s",
             error_message(l, &before, &error));
        return NULL;
    }
    SemaGraph out = {.graph = g, .text = lower_graph_text(l, g), .loc = loc};
    out.arithmetic = fd_is_arithmetic(g);
    out.reduction = fd_single_reduction(g);
    vec_push(&l->graphs, out);
    return n;
}

Ast *lower_graph(Lower *l, const FdNode *build(Lower *l, const Ast *n), const Ast *n,
                 const Type *type)
{
    open_graph(l);
    const FdNode *root = build(l, n);
    return root ? finish_graph(l, root, type, n->loc) : NULL;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void walk(Ast **slot, void *ctx);

/* The captures of a graph are host code of their own. */
static void replace(Lower *l, Ast **slot, Ast *graph, Ast *with)
{
    LowerSwap s = {slot, with};
    vec_push(&l->swaps, s);
    for (int i = 0; i < graph->graph.captures.len; i++) walk(&graph->graph.captures.data[i], l);
}

static Ast *as_array(Lower *l, Ast *graph, const Type *t)
{
    Ast *n = ast_new(l->arena, AST_CONVERT, graph->loc);
    n->type = t;
    n->convert.operand = graph;
    return n;
}

/* The function with its parameters the other way round; NULL: its elements have an order. */
static const FdNode *turned(Lower *l, const FdNode *root)
{
    const FdNode *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    if (!root || root->kind != FD_LET || root->self) return NULL;
    for (int i = 0, n = root->nvars; i < n; i++) {
        vars[i] = root->vars[n - 1 - i];
        doms[i] = root->doms[n - 1 - i];
    }
    return fd_let(l->fd, root->nvars, vars, doms, root->body, root->loc);
}

/* [Layout(ColMajor)] T[,] a(i, j) = e;  becomes  T[,] a = a view of (i, j) => base(j, i)  where base is evaluated
 * now: T[,] base(j, i) = e. Whoever reads the view in a graph reads base, who looks at its elements
 * otherwise has them in the usual order. */
static Ast *view_of(Lower *l, Ast *base, const Symbol *sym, const Type *f)
{
    const FdNode *vars[FD_MAX_RANK], *indices[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK] = {0};
    int n = f->nparams;
    open_graph(l);
    LowerCapture c = {base, 0};
    vec_push(&l->captures, c);
    const FdType *type = lower_type(l, base->type);
    lower_add_slots(l, type, sym->name, true);
    for (int i = 0; i < n; i++) {
        vars[i] = fd_var(l->fd, type->params[i], arena_printf(l->arena, "i%d", i));
        indices[n - 1 - i] = vars[i];
        doms[i].kind = FD_DOM_OPEN;
    }
    FdLoc at = lower_loc(l, base->loc);
    const FdNode *read = fd_apply(l->fd, lower_slots(l, type, 0), n, indices, at);
    Ast *graph = finish_graph(l, fd_let(l->fd, n, vars, doms, read, at), f, base->loc);
    if (!graph) return NULL;
    Ast *view = as_array(l, graph, base->type);
    view->convert.view = true;
    return view;
}

static void walk_define(Lower *l, Ast *n)
{
    const Type *t = n->sym->type, *f = t;
    if (t->kind == TY_ARRAY) f = type_func(l->r->types, t->result, t->nparams, t->params);
    open_graph(l);
    const FdNode *root = lower_let(l, n);
    bool turns = attr_turns(&n->define.attrs), can = f != t && t->nparams > 1;
    const FdNode *other = turns && can ? turned(l, root) : NULL;
    if (turns && root && !other)
        diag(l->diags, attr_find(&n->define.attrs, "Layout")->loc, DIAG_NO_EFFECT,
             "[Layout] has no effect here; leave it out");
    Ast *graph = finish_graph(l, other ? other : root, f, n->loc), *with = graph;
    if (!graph) return;
    if (f != t) with = as_array(l, graph, t); /* evaluated at once */
    if (other && !(with = view_of(l, with, n->sym, f))) return;
    replace(l, &n->define.value, graph, with);
}

/* A cast between functional types, or to an array type, is a conversion. */
static void normalise(Ast *n)
{
    if (n->kind != AST_CAST || n->res != AST_RES_NONE || !type_is_functional(n->type)) return;
    Ast *operand = n->cast.operand;
    n->kind = AST_CONVERT;
    memset(&n->convert, 0, sizeof n->convert);
    n->convert.operand = operand;
}

/* Parts of something that is assigned: an index of a slice is no function here. */
static void walk_indices(Lower *l, AstList args)
{
    for (int i = 0; i < args.len; i++) {
        Ast *a = args.data[i];
        if (a->kind == AST_RANGE || a->kind == AST_UNARY)
            ast_each_child(a, walk, l);
        else
            walk(&args.data[i], l);
    }
}

static void walk_target(Lower *l, Ast *n)
{
    if (n->kind == AST_MEMBER && n->member.base->type) {
        walk(&n->member.base, l);
    } else if (n->kind == AST_INDEX) {
        walk_target(l, n->index.base);
        walk_indices(l, n->index.args);
    }
}

static void walk(Ast **slot, void *ctx)
{
    Lower *l = ctx;
    Ast *n = *slot;
    normalise(n);
    if (n->kind == AST_DEFINE) {
        walk_define(l, n);
        return;
    }
    if (n->kind == AST_FOREACH && n->foreach_.seq->kind == AST_RANGE) { /* a loop, no function */
        ast_each_child(n->foreach_.seq, walk, l);
        walk(&n->foreach_.body, l);
        return;
    }
    bool part = n->kind == AST_INDEX && n->index.base->type->kind == TY_STRING;
    if (part) { /* of a string */
        walk(&n->index.base, l);
        walk_indices(l, n->index.args);
        return;
    }
    if (n->kind == AST_ASSIGN || n->kind == AST_INCDEC) {
        walk_target(l, ast_target(n));
        if (n->kind == AST_ASSIGN) walk(&n->assign.value, l);
        if (n->kind == AST_ASSIGN && type_is_functional(n->assign.target->type))
            vec_push(&l->assigns, n);
        return;
    }
    bool refers = n->kind == AST_UNARY && (n->unary.op == AST_OP_REF || n->unary.op == AST_OP_OUT);
    if (refers && n->unary.operand->kind == AST_INDEX) { /* a place, no value */
        walk_target(l, n->unary.operand);
        return;
    }
    if (n->type && n->kind != AST_FUNC && lower_is_machinery(l, n)) {
        open_graph(l);
        const FdNode *root = lower_expr(l, n);
        if (lower_is_machinery(l, n)) {
            Ast *graph = finish_graph(l, root, n->type, n->loc);
            if (graph) replace(l, slot, graph, graph);
            return;
        } /* an object whose Invoke no device can run */
    }
    lower_each_value(n, walk, l);
}

void lower_unit(SemaResult *r, const Sources *sources, Diags *diags, Arena *arena, Fd *fd)
{
    Lower l = {.r = r, .sources = sources, .diags = diags, .arena = arena, .fd = fd};
    l.graph = (LowerContext){.hints = &l.hints, .reason = &l.reason};
    l.in = &l.graph;
    for (int i = 0; i < r->nstatics; i++) walk(&r->statics[i]->decl, &l);
    for (int i = 0; i < r->nfuncs; i++) {
        Ast **body = lower_func_body(r->funcs[i]);
        const Ast *decl = r->funcs[i]->decl;
        l.around = decl && decl->kind == AST_FUNC ? &decl->func.attrs : NULL;
        if (body && *body) walk(body, &l);
    }
    l.around = NULL;
    for (int i = 0; i < r->unit->unit.stmts.len; i++) walk(&r->unit->unit.stmts.data[i], &l);
    for (size_t i = 0; i < l.swaps.len; i++) *l.swaps.data[i].slot = l.swaps.data[i].with;
    for (size_t i = 0; i < l.assigns.len; i++) lower_over(&l, l.assigns.data[i]);
    /* who reads the variables of a session is not known yet */
    if (diags_errors(diags) == 0 && !r->unit->unit.session) {
        lower_scalars(&l);
        lower_dead(&l);
        lower_put(&l);
        lower_together(&l);
    }

    r->ngraphs = (int)l.graphs.len;
    r->graphs = arena_copy(arena, l.graphs.data, sizeof *l.graphs.data * l.graphs.len);
    r->nhost_users = (int)l.host_users.len;
    r->host_users = arena_copy(arena, l.host_users.data, sizeof(Symbol *) * l.host_users.len);
    for (size_t i = 0; i < l.users.len; i++) l.users.data[i].sym->fdag = l.users.data[i].user;
    vec_free(&l.graphs);
    vec_free(&l.host_users);
    vec_free(&l.swaps);
    vec_free(&l.assigns);
    vec_free(&l.users);
    vec_free(&l.hosted);
    vec_free(&l.inlining);
    text_free(&l.hints);
    vec_free(&l.slots);
    vec_free(&l.slices);
    vec_free(&l.derived);
    vec_free(&l.captures);
    vec_free(&l.places);
    if (diags_errors(diags) == 0) foresee(r, arena, fd);
    lower_put_back(r);
    special_functions(r, arena);
}
