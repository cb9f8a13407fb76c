/* The walk over a body that finds its kept lambdas: what is stored where, what is assigned when, what is used
 * up where it stands. shared.c draws the conclusions.
 */
#include "look.h"

static void look(Ast **child, void *ctx);

static void look_as(Look *l, Ast *n, Role role, const char *name)
{
    Role outer = l->role;
    const char *outer_name = l->name;
    l->role = outer == COPIED ? COPIED : role;
    l->name = name;
    if (n) look(&n, l);
    l->role = outer;
    l->name = outer_name;
}

/* One with ranges is an array; one whose parameters nothing tells is bound as in let. */
static bool is_definition(const Ast *lambda, bool typed)
{
    const AstList *binders = &lambda->lambda.binders;
    for (int i = 0; i < binders->len; i++)
        if (binders->data[i]->kind == AST_BINDER &&
            (binders->data[i]->binder.constraint || (!typed && !binders->data[i]->binder.vtype)))
            return true;
    return false;
}

static void store(Look *l, Ast *function, Role role)
{
    Stored one = {function, l->name, l->places.owner, l->returned, NULL};
    if (role == USED_UP && l->call) {
        one.name = NULL;
        one.call = l->call;
    }
    if (role == KEPT || one.call)
        vec_push(&l->stored, one);
    else
        vec_push(&l->used_up, function->loc);
}

/* Where a function or lambda stands. */
typedef struct Outside {
    int owner;
    Loc scope, returned;
    const Ast *call;
} Outside;

static Outside enter(Look *l, const Ast *n)
{
    Outside o = {.scope = l->places.scope, .returned = l->returned, .call = l->call};
    o.owner = places_enter(&l->places, n);
    l->places.scope = n->loc;
    l->returned = NOWHERE;
    l->call = NULL;
    return o;
}

static void leave(Look *l, Outside o)
{
    l->places.owner = o.owner;
    l->places.scope = o.scope;
    l->returned = o.returned;
    l->call = o.call;
}

static void look_at_lambda(Look *l, Ast *n)
{
    Role role = l->role;
    if (is_definition(n, true)) role = COPIED;
    shared_written(l, n);
    store(l, n, role);
    Outside o = enter(l, n);
    for (int i = 0; i < n->lambda.binders.len; i++) {
        const Ast *b = n->lambda.binders.data[i];
        if (b->kind != AST_BINDER) continue;
        for (int k = 0; k < b->binder.names.len; k++)
            places_declared(&l->places, b->binder.names.data[k]->name_ref.name, b->loc.begin);
    }
    l->role = role == COPIED ? COPIED : KEPT;
    look_as(l, n->lambda.body, KEPT, NULL);
    l->role = role;
    leave(l, o);
}

static void look_at_function(Look *l, Ast *n)
{
    Outside o = enter(l, n);
    for (int i = 0; i < n->func.params.len; i++)
        if (n->func.params.data[i]->kind == AST_PARAM)
            places_declared(&l->places, n->func.params.data[i]->param.name, n->loc.begin);
    look_as(l, n->func.body, KEPT, NULL);
    leave(l, o);
}

/* What an array is assigned is evaluated at once. */
static void declare(Look *l, const Ast *type, const char *name, uint32_t at)
{
    size_t before = l->places.declared.len;
    places_declared(&l->places, name, at);
    if (l->places.declared.len > before)
        vec_last(&l->places.declared).array = type && type->kind == AST_TYPE_ARRAY;
}

static void look_at_value(Look *l, const char *name, Ast *value, bool typed)
{
    int d = name && value ? places_which(&l->places, name, value->loc.begin) : -1;
    bool array = d >= 0 && l->places.declared.data[d].array;
    bool copies = value && value->kind == AST_LAMBDA && (array || is_definition(value, typed));
    look_as(l, value, copies ? COPIED : KEPT, name);
}

/* `R(T) f = null;` or `R(T) f;` */
static void look_at_declaration(Look *l, const Ast *n)
{
    const Ast *type = n->var_decl.vtype;
    for (int i = 0; i < n->var_decl.vars.len; i++) {
        Ast *d = n->var_decl.vars.data[i];
        if (d->kind != AST_DECLARATOR) {
            look(&d, l);
            continue;
        }
        Ast *init = d->declarator.init;
        declare(l, type, d->declarator.name, d->loc.begin);
        bool function = type && type->kind != AST_TYPE_ARRAY;
        if (function && (!init || init->kind == AST_NULL_LIT || init->kind == AST_DEFAULT))
            places_put(&l->empty, d->declarator.name);
        look_at_value(l, d->declarator.name, init, type && type->kind != AST_TYPE_VAR);
    }
}

/* `f = x => f(x - 1)`: the lambda means the variable, which was null before. */
static void look_at_recursion(Look *l, const Ast *target, Ast *value)
{
    FreeNames names = {0};
    if (target->kind != AST_NAME_REF || value->kind != AST_LAMBDA) return;
    if (!places_has(&l->empty, target->name_ref.name)) return;
    free_names(l->s, value, &names);
    if (places_has(&names, target->name_ref.name))
        shared_name(l, target->name_ref.name, FREE_ITSELF)->recursive = true;
    vec_free(&names);
}

static void look_at_assignment(Look *l, Ast *n)
{
    Ast *target = n->assign.target, *value = n->assign.value;
    bool name = target->kind == AST_NAME_REF;
    /* once = list.Add(x => once.Dispose()): the value is made before */
    places_assigned(&l->places, target, value->loc.end);
    look_at_recursion(l, target, value);
    if (is_slice(target)) /* else it is used up */
        look_as(l, value, COPIED, NULL);
    else
        look_at_value(l, name ? target->name_ref.name : NULL, value, true);
    if (!name) {
        look_as(l, target, KEPT, NULL);
        return;
    }
    places_put(&l->values, target->name_ref.name);
    places_used(&l->places, target, NULL);
}

static bool is_function(const Look *l, const Ast *n)
{
    const char *name = n->name_ref.name;
    if (places_which(&l->places, name, n->loc.begin) >= 0) return false; /* a variable */
    const Symbol *f = shared_function(l, name) ? NULL : scope_user(l->s, name);
    return !f || f->kind == SYM_FUNC;
}

static void look_at_name(Look *l, Ast *n)
{
    places_put(&l->values, n->name_ref.name);
    if (l->role == KEPT) places_put(&l->places.handed, n->name_ref.name);
    places_used(&l->places, n, l->call);
    if (l->role == KEPT || (l->role == USED_UP && is_function(l, n))) store(l, n, l->role);
}

static void look_at_call(Look *l, Ast *n)
{
    Ast *callee = n->call.callee;
    const Ast *outer = l->call;
    l->call = n;
    if (callee->kind == AST_NAME_REF) {
        places_used(&l->places, callee, n);
    } else if (callee->kind == AST_MEMBER) {
        look_as(l, callee->member.base, keeps_receiver(l->s, n) ? KEPT : USED_UP, NULL);
    } else {
        look_as(l, callee, COPIED, NULL);
    }
    for (int i = 0; i < n->call.args.len; i++) {
        Ast *arg = n->call.args.data[i];
        bool asks = l->role != COPIED && keeps_argument(l->s, &l->functions, n, i);
        if (keeps_changes(l->s, n, i)) places_assigned(&l->places, arg, n->loc.end - 1);
        look_as(l, arg, asks ? KEPT : USED_UP, NULL);
    }
    l->call = outer;
}

/* { P = x => .. } names a member. */
static void look_at_items(Look *l, Ast *init)
{
    if (!init || init->kind != AST_INIT_LIST) {
        look_as(l, init, KEPT, NULL);
        return;
    }
    for (int i = 0; i < init->init_list.items.len; i++) {
        Ast *item = init->init_list.items.data[i];
        bool member = item->kind == AST_ASSIGN && item->assign.target->kind == AST_NAME_REF;
        look_at_items(l, member ? item->assign.value : item);
    }
}

static void look_at_new(Look *l, Ast *n)
{
    for (int i = 0; i < n->new_.args.len; i++) look_as(l, n->new_.args.data[i], KEPT, NULL);
    look_at_items(l, n->new_.init);
}

/* list.Add(4) as a statement may change what a struct has. */
static void look_at_statement(Look *l, const Ast *e)
{
    if (e->kind != AST_CALL || e->call.callee->kind != AST_MEMBER) return;
    places_assigned(&l->places, e->call.callee, e->call.callee->loc.begin);
}

static bool opens_scope(const Ast *n)
{
    return n->kind == AST_BLOCK || n->kind == AST_FOR || n->kind == AST_FOREACH ||
           n->kind == AST_CATCH || n->kind == AST_SWITCH || n->kind == AST_ARM ||
           n->kind == AST_LET || n->kind == AST_REDUCE || (n->kind == AST_USING && n->using_.body);
}

static void look_at_try(Look *l, const Ast *n)
{
    if (!n->try_.finally_) return;
    Turn t = {n->loc, n->try_.finally_->loc};
    vec_push(&l->places.finals, t);
}

static void find_goto(Ast **child, void *ctx)
{
    const Ast *n = *child;
    bool *found = ctx;
    if (n->kind == AST_GOTO) *found = true;
    if (n->kind != AST_SWITCH && n->kind != AST_LAMBDA && !*found)
        ast_each_child(*child, find_goto, ctx);
}

/* Where a goto leads from section to section a switch is a loop. */
static void look_at_switch(Look *l, Ast *n)
{
    bool jumps = false;
    ast_each_child(n, find_goto, &jumps);
    if (jumps) places_loop(&l->places, n, n);
}

static void look(Ast **child, void *ctx)
{
    Look *l = ctx;
    Ast *n = *child;
    if (!n) return;
    Role role = l->role;
    Loc returned = l->returned, scope = l->places.scope;
    if (opens_scope(n)) l->places.scope = n->loc;
    switch (n->kind) {
    case AST_LAMBDA: look_at_lambda(l, n); return;
    case AST_FUNC: look_at_function(l, n); return;
    case AST_VAR_DECL: look_at_declaration(l, n); return;
    case AST_ASSIGN: look_at_assignment(l, n); return;
    case AST_NAME_REF: look_at_name(l, n); return;
    case AST_CALL: look_at_call(l, n); return;
    case AST_MEMBER: look_as(l, n->member.base, USED_UP, NULL); return;
    case AST_DEFINE: declare(l, n->define.vtype, n->define.name, n->loc.begin); break;
    case AST_FOR: places_loop(&l->places, n, n->for_.body); break;
    case AST_WHILE: places_loop(&l->places, n, n->while_.body); break;
    case AST_DO: places_loop(&l->places, n, n->do_.body); break;
    case AST_SWITCH: look_at_switch(l, n); break;
    case AST_FOREACH:
        places_loop(&l->places, n, n->foreach_.body);
        places_declared(&l->places, n->foreach_.name, n->foreach_.body->loc.begin);
        break;
    case AST_EXPR_STMT: look_at_statement(l, n->expr_stmt.expr); break;
    case AST_INCDEC:
        places_assigned(&l->places, n->incdec.target, n->incdec.target->loc.begin);
        break;
    case AST_UNARY:
        if (n->unary.op == AST_OP_REF || n->unary.op == AST_OP_OUT)
            places_assigned(&l->places, n->unary.operand, n->unary.operand->loc.begin);
        break;
    case AST_DECL_EXPR: places_declared(&l->places, n->decl_expr.name, n->loc.begin); break;
    case AST_PATTERN_OF: places_declared(&l->places, n->pattern_of.name, n->loc.begin); break;
    case AST_BINDER:
        for (int i = 0; n->binder.vtype && i < n->binder.names.len; i++)
            places_declared(&l->places, n->binder.names.data[i]->name_ref.name, n->loc.begin);
        break;
    case AST_NEW: look_at_new(l, n); return;
    case AST_CATCH: places_declared(&l->places, n->catch_.name, n->loc.begin); break;
    case AST_TRY: look_at_try(l, n); break;
    case AST_RETURN: l->returned = n->loc; break;
    default: break;
    }
    if (role != COPIED && !keeps_operands(n)) {
        const char *name = l->name;
        l->name = NULL;
        l->role = keeps_copies(n) ? COPIED : keeps_nothing(n) ? USED_UP : KEPT;
        ast_each_child(n, look, l);
        l->name = name;
    } else {
        ast_each_child(n, look, l);
    }
    l->role = role;
    l->returned = returned;
    l->places.scope = scope;
}

/* Functions are called before they stand in the text. */
static void find_functions(Ast **child, void *ctx)
{
    Look *l = ctx;
    if (!*child) return;
    if ((*child)->kind == AST_FUNC) vec_push(&l->functions, *child);
    ast_each_child(*child, find_functions, l);
}

void look_body(Look *l, const AstList *params, const AstList *stmts)
{
    l->places.scope = (Loc){.begin = 0, .end = UINT32_MAX};
    for (int i = 0; i < stmts->len; i++) find_functions(&stmts->data[i], l);
    for (int i = 0; params && i < params->len; i++) {
        const Ast *p = params->data[i];
        if (p->kind != AST_PARAM || !p->param.name) continue;
        declare(l, p->param.ptype, p->param.name, 0);
        vec_last(&l->places.declared).outside = true;
    }
    for (int i = 0; i < stmts->len; i++) look(&stmts->data[i], l);
}
