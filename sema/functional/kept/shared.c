/* Which variables lambdas share with what is around them, as in C#. A lambda that is kept (not used up where
 * it stands) shares each variable that may be assigned while somebody can still call it; then that variable
 * has a cell (cell.c). So does one that a lambda assigns. All else is copied, which nobody sees. Found by
 * names, before the body is checked.
 *
 *     Func<int, int> f = x => k * x;  k = 3;  f(1)           f shares k
 *     k = 3;  Func<int, int> f = x => k * x;  f(1)           f copies it: nothing changes k any more
 *     list.Where(x => x > k)                                 copies: Where is done when it ends
 *
 * Functions inside functions count as the lambdas that call them. What stands in a definition, or in what
 * else makes a graph, copies: it is a value of that moment.
 */
#include "places.h"

typedef struct SharedName {
    const char *name;
    int how;      /* FREE_ITSELF, or what else of it is assigned */
    bool written; /* in lambdas */
    bool recursive;
} SharedName;

struct Shared {
    const SharedName *names;
    size_t count;
    const Loc *used_up; /* lambdas that nobody keeps */
    size_t nused_up;
};

typedef enum Role {
    KEPT,    /* a value that goes on */
    USED_UP, /* one that is called where it stands */
    COPIED   /* part of a definition, or of a functional expression */
} Role;

typedef struct Look {
    Sema *s;
    VEC(SharedName) all;
    FreeNames values;  /* names in lambdas, or not called */
    FreeNames empty;   /* declared as functions that are not there yet */
    FreeNames copying; /* arrays: what they are assigned is evaluated at once */
    VEC(Stored) stored;
    Places places;
    VEC(Loc) used_up;
    FuncList functions;
    int owners;
    Role role;
    bool returned;
    const char *name; /* of the variable that gets the value; NULL: none */
} Look;

static SharedName *share(Look *l, const char *name, int how)
{
    for (size_t i = 0; i < l->all.len; i++) {
        if (l->all.data[i].name != name) continue;
        if (l->all.data[i].how < how) l->all.data[i].how = how;
        return &l->all.data[i];
    }
    SharedName one = {.name = name, .how = how};
    vec_push(&l->all, one);
    return &vec_last(&l->all);
}

/* ---- what a lambda uses ---------------------------------------------------------------------- */

static Ast *function_here(const Look *l, const char *name)
{
    for (size_t i = 0; i < l->functions.len; i++)
        if (l->functions.data[i]->func.name == name) return l->functions.data[i];
    return NULL;
}

/* With what the functions inside this one use that it calls. */
static void all_names(const Look *l, Ast *function, FreeNames *out)
{
    if (function->kind == AST_NAME_REF)
        places_put(out, function->name_ref.name);
    else
        free_names(l->s, function, out);
    for (size_t i = 0; i < out->len; i++) {
        FreeNames more = {0};
        Ast *called = function_here(l, out->data[i].name);
        if (called) free_names(l->s, called, &more);
        for (size_t k = 0; k < more.len; k++) places_put(out, more.data[k].name);
        vec_free(&more);
    }
}

/* What it assigns outside of itself. */
static void note_written(Look *l, Ast *function)
{
    FreeNames names = {0};
    free_names(l->s, function, &names);
    for (size_t i = 0; i < names.len; i++) {
        const FreeName *n = &names.data[i];
        if (n->writes >= FREE_PARTS)
            share(l, n->name, n->writes == FREE_PARTS ? FREE_PARTS : FREE_ITSELF)->written = true;
        if (function->kind == AST_LAMBDA) places_put(&l->values, n->name);
    }
    vec_free(&names);
}

/* What is captured by lambdas that are kept and changes under them. */
static void share_changing(Look *l)
{
    for (size_t i = 0; i < l->stored.len; i++) {
        const Stored *f = &l->stored.data[i];
        FreeNames names = {0};
        if (f->function->kind == AST_NAME_REF && !function_here(l, f->function->name_ref.name))
            continue;
        all_names(l, f->function, &names);
        for (size_t k = 0; k < l->places.changes.len; k++) {
            const Place *change = &l->places.changes.data[k];
            if (places_has(&names, change->name) && places_called_after(&l->places, f, change))
                share(l, change->name, change->how);
        }
        vec_free(&names);
    }
}

/* ---- the walk -------------------------------------------------------------------------------- */

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

static void look_at_lambda(Look *l, Ast *n)
{
    int owner = l->places.owner;
    bool returned = l->returned;
    Role role = l->role;
    if (is_definition(n, true)) role = COPIED;
    note_written(l, n);
    if (role == KEPT) {
        Stored one = {n, l->name, owner, returned};
        vec_push(&l->stored, one);
    } else {
        vec_push(&l->used_up, n->loc);
    }
    l->places.owner = ++l->owners;
    l->returned = false;
    for (int i = 0; i < n->lambda.binders.len; i++) {
        const Ast *b = n->lambda.binders.data[i];
        if (b->kind != AST_BINDER) continue;
        for (int k = 0; k < b->binder.names.len; k++)
            places_declared(&l->places, b->binder.names.data[k]->name_ref.name, b->loc.begin);
    }
    l->role = role == COPIED ? COPIED : KEPT;
    look_as(l, n->lambda.body, KEPT, NULL);
    l->role = role;
    l->places.owner = owner;
    l->returned = returned;
}

static void look_at_function(Look *l, Ast *n)
{
    int owner = l->places.owner;
    l->places.owner = ++l->owners;
    for (int i = 0; i < n->func.params.len; i++)
        if (n->func.params.data[i]->kind == AST_PARAM)
            places_declared(&l->places, n->func.params.data[i]->param.name, n->loc.begin);
    look_as(l, n->func.body, KEPT, NULL);
    l->places.owner = owner;
}

static void note_array(Look *l, const Ast *type, const char *name)
{
    if (type && type->kind == AST_TYPE_ARRAY) places_put(&l->copying, name);
}

static void look_at_value(Look *l, const char *name, Ast *value, bool typed)
{
    bool copies = value && value->kind == AST_LAMBDA &&
                  ((name && places_has(&l->copying, name)) || is_definition(value, typed));
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
        places_declared(&l->places, d->declarator.name, d->loc.begin);
        note_array(l, type, d->declarator.name);
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
        share(l, target->name_ref.name, FREE_ITSELF)->recursive = true;
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
    places_used(&l->places, target);
}

static bool is_function(const Look *l, const char *name)
{
    const Symbol *f = function_here(l, name) ? NULL : scope_user(l->s, name);
    return !f || f->kind == SYM_FUNC;
}

static void look_at_name(Look *l, Ast *n)
{
    places_put(&l->values, n->name_ref.name);
    if (l->role == KEPT) places_put(&l->places.handed, n->name_ref.name);
    places_used(&l->places, n);
    if (l->role == USED_UP && is_function(l, n->name_ref.name)) vec_push(&l->used_up, n->loc);
    if (l->role != KEPT) return;
    Stored one = {n, l->name, l->places.owner, l->returned};
    vec_push(&l->stored, one);
}

static void look_at_call(Look *l, Ast *n)
{
    Ast *callee = n->call.callee;
    if (callee->kind == AST_NAME_REF) {
        places_used(&l->places, callee);
    } else if (callee->kind == AST_MEMBER) {
        look_as(l, callee->member.base, USED_UP, NULL);
    } else {
        look_as(l, callee, COPIED, NULL);
    }
    for (int i = 0; i < n->call.args.len; i++) {
        Ast *arg = n->call.args.data[i];
        bool asks = l->role != COPIED && keeps_argument(l->s, &l->functions, n, i);
        look_as(l, arg, asks ? KEPT : USED_UP, NULL);
    }
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

static void look(Ast **child, void *ctx)
{
    Look *l = ctx;
    Ast *n = *child;
    Role role = l->role;
    bool returned = l->returned;
    if (!n) return;
    switch (n->kind) {
    case AST_LAMBDA: look_at_lambda(l, n); return;
    case AST_FUNC: look_at_function(l, n); return;
    case AST_VAR_DECL: look_at_declaration(l, n); return;
    case AST_ASSIGN: look_at_assignment(l, n); return;
    case AST_NAME_REF: look_at_name(l, n); return;
    case AST_CALL: look_at_call(l, n); return;
    case AST_MEMBER: look_as(l, n->member.base, USED_UP, NULL); return;
    case AST_DEFINE: note_array(l, n->define.vtype, n->define.name); break;
    case AST_FOR: places_loop(&l->places, n, n->for_.body); break;
    case AST_WHILE: places_loop(&l->places, n, n->while_.body); break;
    case AST_DO: places_loop(&l->places, n, n->do_.body); break;
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
    case AST_RETURN: l->returned = true; break;
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
}

/* Functions are called before they stand in the text. */
static void find_functions(Ast **child, void *ctx)
{
    Look *l = ctx;
    if (!*child) return;
    if ((*child)->kind == AST_FUNC) vec_push(&l->functions, *child);
    ast_each_child(*child, find_functions, l);
}

static const Shared *result(Look *l)
{
    Sema *s = l->s;
    if (!l->all.len && !l->used_up.len) return NULL;
    Shared *out = arena_new_of(s->arena, Shared);
    out->count = l->all.len;
    out->names = arena_copy(s->arena, l->all.data, sizeof *l->all.data * l->all.len);
    out->nused_up = l->used_up.len;
    out->used_up = arena_copy(s->arena, l->used_up.data, sizeof(Loc) * l->used_up.len);
    return out;
}

const Shared *shared_collect(Sema *s, const AstList *params, const AstList *stmts)
{
    Look l = {.s = s, .places.s = s, .places.top = !params && !s->func};
    for (int i = 0; i < stmts->len; i++) find_functions(&stmts->data[i], &l);
    for (int i = 0; params && i < params->len; i++) {
        const Ast *p = params->data[i];
        if (p->kind == AST_PARAM) note_array(&l, p->param.ptype, p->param.name);
    }
    for (int i = 0; i < stmts->len; i++) look(&stmts->data[i], &l);
    for (size_t i = 0; i < l.functions.len; i++)
        if (places_has(&l.values, l.functions.data[i]->func.name))
            note_written(&l, l.functions.data[i]);
    share_changing(&l);
    const Shared *out = result(&l);
    vec_free(&l.all);
    vec_free(&l.values);
    vec_free(&l.empty);
    vec_free(&l.copying);
    vec_free(&l.stored);
    places_free(&l.places);
    vec_free(&l.used_up);
    vec_free(&l.functions);
    return out;
}

/* ---- what was found -------------------------------------------------------------------------- */

static const SharedName *find(const Shared *shared, const char *name)
{
    for (size_t i = 0; shared && i < shared->count; i++)
        if (shared->names[i].name == name) return &shared->names[i];
    return NULL;
}

bool shared_has(const Shared *shared, const char *name)
{
    const SharedName *n = find(shared, name);
    return n && n->how == FREE_ITSELF;
}

bool shared_has_typed(const Shared *shared, const char *name, const Type *type)
{
    const SharedName *n = find(shared, name);
    bool array = type && type->kind == TY_ARRAY, parts = class_has_parts(type);
    return n && (n->how == FREE_ITSELF || parts || (array && n->how == FREE_ELEMENTS));
}

bool shared_is_recursive(const Shared *shared, const char *name)
{
    const SharedName *n = find(shared, name);
    return n && n->recursive;
}

bool shared_is_written(const Shared *shared, const char *name)
{
    const SharedName *n = find(shared, name);
    return n && n->written;
}

bool shared_is_kept(const Shared *shared, const Ast *function)
{
    for (size_t i = 0; shared && i < shared->nused_up; i++)
        if (shared->used_up[i].begin == function->loc.begin &&
            shared->used_up[i].end == function->loc.end &&
            shared->used_up[i].file == function->loc.file)
            return false;
    return true;
}
