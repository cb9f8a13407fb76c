/* Which evaluations will the program make? Host code is walked once in source order. A value is an
 * array, a graph over values, or unknown; variables of functional type that are assigned once keep
 * theirs, and a function whose only return is its last statement is followed with its arguments'
 * values. Where a known value is converted to an array, or a scalar graph is evaluated, its graph
 * is composed as the runtime does it (fdag/composition.h), so that it has the same key. A wrong
 * guess costs nothing but a kernel nobody asks for; a value that is not known is skipped.
 */
#include "foresee.h"

#include "../../base/vec.h"
#include "../../fdag/composition.h"
#include "build.h"

enum {
    MAX_DEPTH = 64,      /* of graphs; the runtime composes no deeper either */
    MAX_CALLS = 16,      /* that are followed, one inside the other ... */
    MAX_FOLLOWED = 10000 /* ... and all in all: functions that call each other twice are many */
};

typedef enum ValueKind { VAL_OTHER, VAL_UNKNOWN, VAL_ARRAY, VAL_LAZY } ValueKind;

/* Values are compared by identity: one object of the runtime is one Value. */
typedef struct Value Value;
struct Value {
    ValueKind kind;
    const FdGraph *graph; /* LAZY */
    Value **captures;     /* one a slot */
    int depth;
    Value *result;         /* LAZY: the array, once it was evaluated */
    uint32_t visit, index; /* composing: the composition that saw it, its number there */
};

typedef struct Known {
    const Symbol *sym;
    Value *value;
} Known;

typedef struct Foresee {
    SemaResult *r;
    Arena *arena;
    Fd *fd;
    VEC(Known) known;
    VEC(SemaEvaluation) found;
    VEC(FdKey) keys;
    uint32_t visit;
    int calls, followed;
    bool ahead; /* what is evaluated has been evaluated together */
    Value *other, *unknown, *returned;
} Foresee;

static Value *eval(Foresee *f, Ast *n);

static Value *new_array(Foresee *f)
{
    Value *v = arena_new_of(f->arena, Value);
    v->kind = VAL_ARRAY;
    return v;
}

/* What is known of a value by its type alone. */
static Value *any_of(Foresee *f, const Type *t)
{
    if (t && t->kind == TY_ARRAY) return new_array(f);
    return t && t->kind == TY_FUNC ? f->unknown : f->other;
}

/* ---- composing ---------------------------------------------------------------------------- */

static FdCapture look(void *ctx, const void *captures, int slot)
{
    (void)ctx;
    Value *v = ((Value *const *)captures)[slot];
    if (v->kind == VAL_LAZY && v->result) v = v->result;
    FdCapture c = {.kind = FD_CAPTURE_UNKNOWN, .object = v, .visit = &v->visit, .index = &v->index};
    if (v->kind == VAL_ARRAY) c.kind = FD_CAPTURE_ARRAY;
    if (v->kind != VAL_LAZY) return c;
    c.kind = FD_CAPTURE_GRAPH;
    c.graph = v->graph;
    c.captures = v->captures;
    return c;
}

/* An array needs bounds in every dimension. */
static bool is_finite(const FdNode *root)
{
    for (int i = 0; root->kind == FD_LET && i < root->nvars; i++)
        if (root->doms[i].kind == FD_DOM_FULL) return false;
    return true;
}

/* False: it is not known, or only some of what it gives is evaluated by it. `of`: of a TOGETHER, whose
 * value it is; else NULL. */
static bool record(Foresee *f, Value *v, const SemaGraph *of, Loc loc)
{
    if (f->ahead) return true;
    const FdGraph *graph = v->graph;
    FdComposing composing = {.visit = ++f->visit, .look = look};
    FdGraph *g = arena_new_of(fd_arena(f->fd), FdGraph);
    FdKey key;
    if (!fd_compose(f->fd, &composing, graph, graph->root, v->captures, g, &key, NULL))
        return false;
    FdPays pays = of && of->nparts && !of->chained ? fd_several_pays(g) : FD_PAYS;
    if (!is_finite(g->root) || pays == FD_PAYS_NOT) return false;
    for (size_t i = 0; i < f->keys.len; i++)
        if (f->keys.data[i].hi == key.hi && f->keys.data[i].lo == key.lo) return pays == FD_PAYS;
    vec_push(&f->keys, key);
    SemaEvaluation e = {.graph = g, .loc = loc};
    vec_push(&f->found, e);
    return pays == FD_PAYS;
}

/* All of a functional value, as an array. */
static Value *force(Foresee *f, Value *v, Loc loc)
{
    if (v->kind == VAL_ARRAY) return v;
    if (v->kind != VAL_LAZY) return new_array(f);
    if (!v->result) {
        record(f, v, NULL, loc);
        v->result = new_array(f);
    }
    return v->result;
}

/* ---- functions made of others by their domains ------------------------------------------------ */

/* Its infinite dimensions, as far as its own graph says. */
static uint32_t full_of(const Value *v)
{
    uint32_t full = 0;
    if (v->kind != VAL_LAZY || v->result) return 0;
    const FdNode *root = v->graph->root;
    for (int d = 0; root->kind == FD_LET && d < root->nvars; d++)
        full |= (uint32_t)(root->doms[d].kind == FD_DOM_FULL) << d;
    return full;
}

static int depth_of(const Value *v)
{
    return v->kind == VAL_LAZY && !v->result ? v->depth : 0;
}

/* The value of one of the graphs that the runtime makes (fdag/choice.c); g: NULL, or of f ?? g. */
static Value *chosen(Foresee *f, const FdChosen *what, Value *first, Value *second)
{
    Value *v = arena_new_of(f->arena, Value);
    v->kind = VAL_LAZY;
    v->graph = fd_chosen(f->fd, what);
    v->captures = arena_array(f->arena, Value *, v->graph->nslots + 1);
    for (int i = 0; i < v->graph->nslots; i++) v->captures[i] = f->other;
    v->captures[0] = first;
    if (what->choice) v->captures[1] = second;
    v->depth = 1 + depth_of(first);
    if (second && depth_of(second) >= v->depth) v->depth = 1 + depth_of(second);
    return v->depth > MAX_DEPTH ? f->unknown : v;
}

static bool is_known(const Value *v)
{
    return v->kind == VAL_ARRAY || v->kind == VAL_LAZY;
}

/* f ?? g. What their ranges are is not known: it is taken for granted that neither holds the other
 * unless it is infinite, and that their union is as finite as g. */
static Value *coalesced(Foresee *f, const Type *t, Value *first, Value *second)
{
    const FdType *type = lower_type_in(f->fd, t);
    if (!type || !is_known(first) || !is_known(second)) return any_of(f, t);
    uint32_t all = (UINT32_C(1) << type->nparams) - 1;
    FdChosen what = {
        .type = type, .full = full_of(second), .full_first = full_of(first), .choice = true};
    if (first == second || what.full_first == all) return first;
    what.full |= what.full_first;
    return chosen(f, &what, first, second);
}

/* ---- variables ------------------------------------------------------------------------------ */

static void learn(Foresee *f, const Symbol *sym, Value *v)
{
    if (!sym || !type_is_functional(sym->type)) return;
    Known k = {sym, sym->assigned_again ? any_of(f, sym->type) : v};
    vec_push(&f->known, k);
}

static Value *look_up(Foresee *f, const Symbol *sym)
{
    for (size_t i = f->known.len; i-- > 0;)
        if (f->known.data[i].sym == sym) return f->known.data[i].value;
    learn(f, sym, any_of(f, sym->type));
    return vec_last(&f->known).value;
}

/* ---- calls ---------------------------------------------------------------------------------- */

static void find_return(Ast **child, void *ctx)
{
    bool *found = ctx;
    *found = *found || (*child)->kind == AST_RETURN;
    if (!*found) ast_each_child(*child, find_return, found);
}

/* The last statement is the only return. */
static bool is_followed(const Ast *func)
{
    const Ast *body = func->func.body;
    if (!body) return false;
    if (body->kind != AST_BLOCK) return body->kind == AST_RETURN;
    const AstList *stmts = &body->block.stmts;
    bool found = stmts->len == 0 || stmts->data[stmts->len - 1]->kind != AST_RETURN;
    for (int i = 0; i + 1 < stmts->len && !found; i++) find_return(&stmts->data[i], &found);
    return !found;
}

static Value *call_user(Foresee *f, Ast *n)
{
    Ast *func = n->sym->decl;
    bool is_virtual = n->sym->slot >= 0 && n->sym->cls;
    Value *args[FD_MAX_PARAMS];
    int count = n->call.args.len;
    if (n->call.callee->kind == AST_MEMBER && n->call.callee->member.base)
        eval(f, n->call.callee->member.base);
    for (int i = 0; i < count; i++) {
        Value *v = eval(f, n->call.args.data[i]);
        if (i < FD_MAX_PARAMS) args[i] = v;
    }
    if (!func || is_virtual || count > FD_MAX_PARAMS || count != func->func.params.len ||
        f->calls >= MAX_CALLS || f->followed >= MAX_FOLLOWED || !is_followed(func))
        return any_of(f, n->type);
    size_t known = f->known.len;
    for (int i = 0; i < count; i++) learn(f, func->func.params.data[i]->sym, args[i]);
    f->calls++;
    f->followed++;
    f->returned = f->other;
    eval(f, func->func.body);
    Value *v = f->returned;
    f->calls--;
    f->known.len = known;
    return type_is_functional(n->type) ? v : f->other;
}

/* Library functions that take any functional value evaluate it, except for questions about its
 * domain. */
static Value *call_library(Foresee *f, Ast *n)
{
    const Builtin *b = &builtins[n->sym->builtin];
    bool forces = !b->pure;
    Ast *callee = n->call.callee;
    if (callee->kind == AST_MEMBER && callee->member.base->type) eval(f, callee->member.base);
    for (int i = 0; i < n->call.args.len; i++) {
        Ast *a = n->call.args.data[i];
        Value *v = eval(f, a);
        if (forces && type_is_functional(a->type)) force(f, v, a->loc);
    }
    return any_of(f, n->type);
}

/* a[lo..hi, ..] = v: if most of the array is assigned all of it is evaluated anew, which is taken for
 * granted; if a dimension has an index, the values are, and are copied. */
static void assign_slice(Foresee *f, Ast *n)
{
    Ast *target = n->assign.target;
    Value *array = eval(f, target->index.base), *v = eval(f, n->assign.value);
    const FdType *type = lower_type_in(f->fd, target->index.base->type);
    bool fixed = false;
    for (int i = 0; i < target->index.args.len; i++) {
        eval(f, target->index.args.data[i]);
        fixed = fixed || !sema_range_of(target->index.args.data[i]);
    }
    if (!is_known(v) || !type) return;
    uint32_t full = full_of(v);
    if (fixed) {
        FdChosen part = {.type = lower_type_in(f->fd, n->assign.value->type)};
        if (part.type) force(f, full ? chosen(f, &part, v, NULL) : v, n->loc);
        return;
    }
    const FdNode *lo = v->kind == VAL_LAZY && !full ? v->graph->root->doms[0].lo : NULL;
    bool moved =
        !full && (!lo || (lo->kind == FD_SCALAR && lo->leaf == FD_LEAF_CONST && lo->value.i == 0));
    FdChosen part = {.type = type, .moved = moved}, both = {.type = type, .choice = true};
    Value *within = chosen(f, &part, v, NULL);
    if (is_known(array) && is_known(within)) force(f, chosen(f, &both, within, array), n->loc);
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void eval_child(Ast **child, void *ctx)
{
    eval(ctx, *child);
}

static Value *value_of_graph(Foresee *f, Ast *n)
{
    Value *v = arena_new_of(f->arena, Value);
    v->kind = VAL_LAZY;
    v->graph = f->r->graphs[n->graph.graph].graph;
    v->captures = arena_array(f->arena, Value *, v->graph->nslots + 1);
    v->depth = 1;
    for (int i = 0, slot = 0; i < n->graph.captures.len; i++) {
        Ast *capture = n->graph.captures.data[i];
        Value *c = eval(f, capture);
        for (int k = lower_leaves(capture->type); k > 0; k--) v->captures[slot++] = c;
        if (depth_of(c) >= v->depth) v->depth = depth_of(c) + 1;
    }
    return v;
}

static Value *eval_graph(Foresee *f, Ast *n)
{
    Value *v = value_of_graph(f, n);
    if (v->depth > MAX_DEPTH) return any_of(f, n->type);
    if (type_is_functional(n->type)) return v;
    record(f, v, NULL, n->loc);
    return f->other;
}

static Value *eval_together(Foresee *f, Ast *n)
{
    Value *v = value_of_graph(f, n->together.graph);
    const SemaGraph *of = &f->r->graphs[n->together.graph->graph.graph];
    f->ahead = v->depth <= MAX_DEPTH && record(f, v, of, n->loc);
    for (int i = 0; i < n->together.stmts.len; i++) eval(f, n->together.stmts.data[i]);
    f->ahead = false;
    return f->other;
}

static Value *eval_convert(Foresee *f, Ast *n)
{
    Ast *operand = n->convert.operand;
    Value *v = eval(f, operand);
    if (!type_is_functional(operand->type)) return f->other;
    if (n->type->kind == TY_FUNC) return v;
    return force(f, v, n->loc); /* an array, or text */
}

static Value *eval_coalesce(Foresee *f, Ast *n)
{
    Value *first = eval(f, n->binary.left), *second = eval(f, n->binary.right);
    return coalesced(f, n->type, first, second);
}

static Value *eval(Foresee *f, Ast *n)
{
    switch (n->kind) {
    case AST_GRAPH: return eval_graph(f, n);
    case AST_CONVERT: return eval_convert(f, n);
    case AST_TOGETHER: return eval_together(f, n);
    case AST_NAME_REF:
        if (type_is_functional(n->type) && n->sym && n->sym->kind != SYM_FUNC)
            return look_up(f, n->sym);
        break;
    case AST_BINARY:
        if (n->binary.op != AST_OP_COALESCE || !type_is_functional(n->type)) break;
        return eval_coalesce(f, n);
    case AST_ASSIGN:
        if (!type_is_functional(n->assign.value->type) || !sema_is_part(n->assign.target)) break;
        assign_slice(f, n);
        return f->other;
    case AST_CALL:
        if (n->res == AST_RES_NONE && n->sym && n->sym->kind == SYM_FUNC) return call_user(f, n);
        if (n->res == AST_RES_NONE && n->sym && n->sym->kind == SYM_BUILTIN)
            return call_library(f, n);
        break;
    case AST_COND: {
        eval(f, n->cond.cond);
        const Value *a = eval(f, n->cond.then);
        Value *b = eval(f, n->cond.other);
        return a == b ? b : any_of(f, n->type);
    }
    case AST_DECLARATOR:
        if (n->declarator.init) learn(f, n->sym, eval(f, n->declarator.init));
        return f->other;
    case AST_DEFINE: learn(f, n->sym, eval(f, n->define.value)); return f->other;
    case AST_HOLE: {
        Value *v = eval(f, n->hole.expr);
        if (type_is_functional(n->hole.expr->type)) force(f, v, n->loc);
        return f->other;
    }
    case AST_FOREACH: {
        Value *v = eval(f, n->foreach_.seq); /* a range is counted, not evaluated */
        if (v->kind == VAL_LAZY) force(f, v, n->foreach_.seq->loc);
        return eval(f, n->foreach_.body);
    }
    case AST_RETURN:
        if (n->return_.value) f->returned = eval(f, n->return_.value);
        return f->other;
    default: break;
    }
    ast_each_child(n, eval_child, f);
    return any_of(f, n->type);
}

/* Whoever calls a function of a library gives arrays, and gets one. */
static void call_export(Foresee *f, const Symbol *sym)
{
    const AstList *params = &sym->decl->func.params;
    f->known.len = 0;
    if (!is_followed(sym->decl)) return;
    for (int i = 0; i < params->len; i++) learn(f, params->data[i]->sym, new_array(f));
    f->returned = f->other;
    eval(f, sym->decl->func.body);
    if (type_is_functional(sym->type->result)) force(f, f->returned, sym->loc);
}

void foresee(SemaResult *r, Arena *arena, Fd *fd)
{
    Foresee f = {.r = r, .arena = arena, .fd = fd};
    f.other = arena_new_of(arena, Value);
    f.unknown = arena_new_of(arena, Value);
    f.unknown->kind = VAL_UNKNOWN;
    f.returned = f.other;
    for (int i = 0; i < r->unit->unit.stmts.len; i++) eval(&f, r->unit->unit.stmts.data[i]);
    for (int i = 0; i < r->nexports; i++) call_export(&f, r->exports[i]);
    for (int i = 0; i < r->nfuncs; i++) {
        f.known.len = 0;
        Ast **body = lower_func_body(r->funcs[i]);
        if (body && *body) eval(&f, *body);
    }
    r->nevaluations = (int)f.found.len;
    r->evaluations = arena_copy(arena, f.found.data, sizeof *f.found.data * f.found.len);
    vec_free(&f.known);
    vec_free(&f.found);
    vec_free(&f.keys);
}
