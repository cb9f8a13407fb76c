/* Which functions keep what they are given: store it, give it back, or hand it on to one that does. The
 * others are done with a function that they were given when they end. By the form of their trees, before
 * these are checked: of a name all functions that have it count.
 *
 *     list.Where(x => x > k)      Where calls it: who changes k later changes nothing for it
 *     list.Add(x => x > k)        Add keeps it
 */
#include "../../check/check.h"
#include <string.h>

enum { MOST_DEEP = 6 };

/* A declaration of the unit or its modules by which a member may be called. */
typedef struct KeptName {
    const char *name, *of; /* of: its class, or NULL */
    Ast *func;             /* NULL: a field or property, whose value is called */
    Ast *property;
    bool called; /* a field or property whose type may be that of a function */
} KeptName;

/* What was asked before of func's i-th parameter. */
typedef struct KeptAnswer {
    const Ast *func;
    int i;
    bool keeps;
} KeptAnswer;

struct Keeps {
    VEC(KeptName) names;
    VEC(KeptAnswer) answers;
};

/* ---- who has a name ------------------------------------------------------------------------- */

static void add_value(Keeps *k, const char *name, const char *of, const Ast *type, Ast *property)
{
    KeptName one = {name, of, NULL, property, type && type->kind == AST_TYPE_FUNC};
    if (type && type->kind == AST_TYPE_NAME)
        one.called = type->type_name.args.len || strcmp(type->type_name.name, "Action") == 0;
    vec_push(&k->names, one);
}

static void add_declaration(Keeps *k, Ast *n, const char *of)
{
    KeptName function = {n->kind == AST_FUNC ? n->func.name : NULL, of, n, NULL, false};
    if (n->kind == AST_FUNC) vec_push(&k->names, function);
    if (n->kind == AST_PROPERTY) add_value(k, n->property.name, of, n->property.ptype, n);
    for (int i = 0; n->kind == AST_VAR_DECL && i < n->var_decl.vars.len; i++)
        if (n->var_decl.vars.data[i]->kind == AST_DECLARATOR)
            add_value(k, n->var_decl.vars.data[i]->declarator.name, of, n->var_decl.vtype, NULL);
    if (n->kind != AST_CLASS) return;
    of = n->class_.name;
    for (int i = 0; i < n->class_.positional.len; i++) {
        const Ast *p = n->class_.positional.data[i];
        if (p->kind == AST_PARAM) add_value(k, p->param.name, of, p->param.ptype, NULL);
    }
    for (int i = 0; i < n->class_.members.len; i++)
        add_declaration(k, n->class_.members.data[i], of);
}

static Keeps *all_names(Sema *s)
{
    if (s->keeps) return s->keeps;
    Keeps *k = s->keeps = arena_new_of(s->arena, Keeps);
    const AstList *lists[] = {&s->unit->unit.decls, &s->unit->unit.imported};
    for (int l = 0; l < 2; l++)
        for (int i = 0; i < lists[l]->len; i++) add_declaration(k, lists[l]->data[i], NULL);
    return k;
}

void keeps_free(Sema *s)
{
    if (!s->keeps) return;
    vec_free(&s->keeps->names);
    vec_free(&s->keeps->answers);
}

/* ---- what a function does with a parameter --------------------------------------------------- */

typedef struct Walk {
    Sema *s;
    const char *param;
    int depth;
    bool stays; /* where a value stands that goes on */
    bool found;
} Walk;

static bool keeps(Sema *s, const FuncList *around, const Ast *call, int i, int depth);

static void walk(Ast **child, void *ctx);

static void walk_as(Walk *w, Ast *n, bool stays)
{
    bool outer = w->stays;
    w->stays = stays;
    if (n) walk(&n, w);
    w->stays = outer;
}

static bool mentions(const Walk *w, Ast *func)
{
    FreeNames names = {0};
    bool found = false;
    free_names(w->s, func, &names);
    for (size_t i = 0; i < names.len; i++) found = found || names.data[i].name == w->param;
    vec_free(&names);
    return found;
}

static void walk_call(Walk *w, Ast *n)
{
    Ast *callee = n->call.callee;
    if (callee->kind == AST_MEMBER)
        walk_as(w, callee->member.base, false);
    else if (callee->kind != AST_NAME_REF)
        walk_as(w, callee, false);
    for (int i = 0; i < n->call.args.len && !w->found; i++)
        walk_as(w, n->call.args.data[i], keeps(w->s, NULL, n, i, w->depth + 1));
}

bool keeps_operands(const Ast *n)
{
    return n->kind == AST_COND || n->kind == AST_CAST || n->kind == AST_TUPLE ||
           n->kind == AST_SWITCH_EXPR || n->kind == AST_ARM || n->kind == AST_AS ||
           n->kind == AST_BINDER || (n->kind == AST_BINARY && n->binary.op == AST_OP_COALESCE);
}

/* a + b of functions calls both, later */
bool keeps_nothing(const Ast *n)
{
    return (n->kind == AST_BINARY && n->binary.op != AST_OP_COALESCE &&
            n->binary.op != AST_OP_ADD && n->binary.op != AST_OP_SUB) ||
           (n->kind == AST_UNARY && n->unary.op != AST_OP_REF && n->unary.op != AST_OP_OUT) ||
           n->kind == AST_IS || n->kind == AST_COND_ACCESS;
}

bool keeps_copies(const Ast *n)
{
    return n->kind == AST_DEFINE || n->kind == AST_LET || n->kind == AST_REDUCE;
}

static void walk(Ast **child, void *ctx)
{
    Walk *w = ctx;
    Ast *n = *child;
    bool outer = w->stays, needed;
    if (!n || w->found) return;
    if (n->kind == AST_IF && is_for_lazy(w->s, n, &needed) && !needed) return;
    switch (n->kind) {
    case AST_NAME_REF:
        if (n->name_ref.name == w->param) w->found = w->stays;
        return;
    case AST_CALL: walk_call(w, n); return;
    case AST_FUNC:
    case AST_LAMBDA:
        if (w->stays || n->kind == AST_FUNC)
            w->found = mentions(w, n);
        else
            walk_as(w, n->lambda.body, true);
        return;
    case AST_MEMBER: walk_as(w, n->member.base, false); return;
    case AST_INDEX: w->stays = false; break;
    default:
        if (keeps_copies(n) || keeps_nothing(n))
            w->stays = false;
        else if (!keeps_operands(n))
            w->stays = true;
        break;
    }
    ast_each_child(n, walk, w);
    w->stays = outer;
}

/* Of a function with yield, which runs when it has returned. */
static void find_yield(Ast **child, void *ctx)
{
    bool *found = ctx;
    const Ast *n = *child;
    if (!n || *found || n->kind == AST_LAMBDA || n->kind == AST_FUNC) return;
    *found = n->kind == AST_YIELD;
    ast_each_child(*child, find_yield, ctx);
}

static bool keeps_param(Sema *s, Ast *func, int i, int depth)
{
    Keeps *k = all_names(s);
    const AstList *params = &func->func.params;
    if (i >= params->len || params->data[i]->kind != AST_PARAM) return true;
    const struct Ast_param *p = &params->data[i]->param;
    if (!func->func.body || p->rest || depth > MOST_DEEP) return true;
    for (size_t a = 0; a < k->answers.len; a++)
        if (k->answers.data[a].func == func && k->answers.data[a].i == i)
            return k->answers.data[a].keeps;
    KeptAnswer one = {func, i, false}; /* one that calls itself does no more by that */
    size_t at = k->answers.len;
    vec_push(&k->answers, one);
    Walk w = {.s = s, .param = p->name, .depth = depth, .stays = true};
    bool later = false;
    find_yield(&func->func.body, &later);
    if (!later) walk(&func->func.body, &w);
    k->answers.data[at].keeps = later || w.found;
    return later || w.found;
}

/* ---- calls ---------------------------------------------------------------------------------- */

static bool takes_as_many(const Ast *func, int nargs)
{
    const AstList *params = &func->func.params;
    bool rest = params->len && params->data[params->len - 1]->kind == AST_PARAM &&
                params->data[params->len - 1]->param.rest;
    return nargs <= params->len || rest;
}

static bool keeps_of_name(Sema *s, const FuncList *around, const Ast *call, int i, int depth)
{
    const char *name = call->call.callee->name_ref.name;
    for (size_t k = 0; around && k < around->len; k++)
        if (around->data[k]->func.name == name) return keeps_param(s, around->data[k], i, depth);
    Symbol *f = scope_callee(s, name);
    if (f && f->kind == SYM_BUILTIN) return false;
    if (!f || f->kind != SYM_FUNC) return true;
    for (; f; f = f->next) {
        Ast *decl = f->decl;
        if (decl && decl->kind == AST_FUNC && takes_as_many(decl, call->call.args.len) &&
            keeps_param(s, decl, i, depth))
            return true;
    }
    return false;
}

static bool keeps_of_member(Sema *s, const Ast *call, int i, int depth)
{
    const Ast *callee = call->call.callee, *base = callee->member.base;
    Keeps *k = all_names(s);
    bool of_type = base && (base->kind == AST_TYPE_NAME ||
                            (base->kind == AST_NAME_REF && scope_type(s, base->name_ref.name)));
    bool value = false, known = false;
    for (size_t f = 0; f < k->names.len; f++) {
        if (k->names.data[f].name != callee->member.name) continue;
        Ast *func = k->names.data[f].func;
        known = true;
        value = value || k->names.data[f].called;
        if (!func) continue;
        int before = extension_is(func) && !of_type;
        if (takes_as_many(func, call->call.args.len + before) &&
            keeps_param(s, func, i + before, depth))
            return true;
    }
    return value || (!known && !of_type); /* a delegate that a field holds, or an element */
}

static bool keeps(Sema *s, const FuncList *around, const Ast *call, int i, int depth)
{
    const Ast *callee = call->call.callee;
    if (names_arguments(&call->call.args)) return true;
    if (callee->kind == AST_NAME_REF) return keeps_of_name(s, around, call, i, depth);
    return callee->kind != AST_MEMBER || keeps_of_member(s, call, i, depth);
}

bool keeps_receiver(Sema *s, const Ast *call)
{
    Keeps *k = all_names(s);
    for (size_t f = 0; f < k->names.len; f++) {
        Ast *func = k->names.data[f].func;
        if (k->names.data[f].name == call->call.callee->member.name && func && extension_is(func) &&
            takes_as_many(func, call->call.args.len + 1) && keeps_param(s, func, 0, 0))
            return true;
    }
    return false;
}

bool keeps_changes(Sema *s, const Ast *call, int i)
{
    const Ast *callee = call->call.callee;
    const Ast *base = callee->kind == AST_MEMBER ? callee->member.base : NULL;
    const char *of = !base                         ? NULL
                     : base->kind == AST_TYPE_NAME ? base->type_name.name
                     : base->kind == AST_NAME_REF  ? base->name_ref.name
                                                   : NULL;
    Keeps *k = of && s->unit ? all_names(s) : NULL;
    for (size_t f = 0; k && f < k->names.len; f++) {
        const KeptName *name = &k->names.data[f];
        if (name->name != callee->member.name || name->of != of || !name->func) continue;
        const AstList *params = &name->func->func.params;
        if (i < params->len && params->data[i]->kind == AST_PARAM &&
            params->data[i]->param.mode == AST_OP_REF)
            return true;
    }
    return false;
}

/* ---- what a call assigns --------------------------------------------------------------------- */

typedef struct Reach { /* names that a tree mentions, and the functions that it may call by them */
    Sema *s;
    Keeps *k;
    FreeNames names;
} Reach;

static void reach(Ast **child, void *ctx);

static void reach_name(Reach *r, const char *name, int writes)
{
    for (size_t i = 0; i < r->names.len; i++) {
        FreeName *one = &r->names.data[i];
        if (one->name != name) continue;
        if (writes) one->writes = FREE_ITSELF;
        return;
    }
    FreeName one = {.name = name, .writes = writes ? FREE_ITSELF : FREE_NOTHING};
    vec_push(&r->names, one);
    for (size_t f = 0; f < r->k->names.len; f++) {
        const KeptName *known = &r->k->names.data[f];
        Ast *decl = known->func ? known->func : known->property;
        if (known->name == name && decl && !sources_get(r->s->sources, decl->loc.file)->library)
            ast_each_child(decl, reach, r);
    }
}

static void reach_written(Reach *r, const Ast *target)
{
    for (int i = 0; target->kind == AST_TUPLE && i < target->tuple.items.len; i++)
        reach_written(r, target->tuple.items.data[i]);
    for (; target->kind == AST_INDEX || target->kind == AST_MEMBER;
         target = target->kind == AST_INDEX ? target->index.base : target->member.base)
        if (target->kind == AST_MEMBER) reach_name(r, target->member.name, true);
    if (target->kind == AST_NAME_REF) reach_name(r, target->name_ref.name, true);
}

static void reach(Ast **child, void *ctx)
{
    Reach *r = ctx;
    const Ast *n = *child;
    if (!n) return;
    if (n->kind == AST_NAME_REF) reach_name(r, n->name_ref.name, false);
    if (n->kind == AST_MEMBER) reach_name(r, n->member.name, false);
    if (n->kind == AST_ASSIGN) reach_written(r, n->assign.target);
    if (n->kind == AST_INCDEC) reach_written(r, n->incdec.target);
    if (n->kind == AST_UNARY && (n->unary.op == AST_OP_REF || n->unary.op == AST_OP_OUT))
        reach_written(r, n->unary.operand);
    ast_each_child(*child, reach, r);
}

/* Is it a field, or has it a setter? */
static bool is_value(const Reach *r, const char *name)
{
    for (size_t f = 0; f < r->k->names.len; f++)
        if (r->k->names.data[f].name == name && !r->k->names.data[f].func) return true;
    return false;
}

bool keeps_assigned(Sema *s, const Ast *call, const Ast *function)
{
    Reach lambda = {.s = s, .k = all_names(s)}, called = {.s = s, .k = lambda.k};
    Ast *from = (Ast *)function, *to = (Ast *)call;
    bool some = false, found = false;
    reach(&from, &lambda);
    for (size_t i = 0; i < lambda.names.len && !some; i++)
        some = is_value(&lambda, lambda.names.data[i].name);
    if (some) reach(&to, &called);
    for (size_t i = 0; i < lambda.names.len && some && !found; i++)
        for (size_t c = 0; c < called.names.len; c++)
            found = found ||
                    (called.names.data[c].name == lambda.names.data[i].name &&
                     called.names.data[c].writes && is_value(&lambda, called.names.data[c].name));
    vec_free(&lambda.names);
    vec_free(&called.names);
    return found;
}

bool keeps_argument(Sema *s, const FuncList *around, const Ast *call, int i)
{
    return keeps(s, around, call, i, 0);
}
