/* Variables that lambdas change, or that change under lambdas that are kept: the lambda and what is
 * around it share a cell. Which ones is found by their names, before the body is checked. A lambda
 * that gives a value is a function of what it captures when it is made, unless it is kept, in a variable of
 * a delegate's type or elsewhere, and called once more after what it captures is assigned.
 *
 *     int n = 0; Action f = () => n++;        var $n = new CapturedVariable<int>(0);
 *                                             Action f = () => $n.Value++;
 */
#include <string.h>

#include "../check/check.h"

typedef VEC(Loc) Seeing;

struct Shared {
    const char **names;
    size_t count, nrecursive; /* the first ones are recursive */
    size_t nparts;            /* the last ones are shared if they are structs or tuples */
    const Loc *lambdas;       /* those that see such a variable as it is when they are called */
    size_t nlambdas;
};

/* A lambda that gives a value and is kept: in a variable, or elsewhere (name NULL). */
typedef struct Stored {
    Ast *lambda;
    const char *name;
    bool used_up; /* given to a function that has no object to keep it in */
} Stored;

typedef struct Place {
    const char *name;
    uint32_t at;
} Place;

typedef struct Turn { /* a loop, of which the body is run again and again */
    Loc loop, body;
} Turn;

typedef struct Look {
    Sema *s;
    FreeNames written;   /* in lambdas */
    FreeNames kept;      /* used by lambdas that are called later, and in any by way of functions */
    FreeNames assigned;  /* anywhere */
    FreeNames values;    /* names in lambdas, or not called */
    FreeNames handed;    /* not called, nor assigned to */
    FreeNames empty;     /* declared as functions that are not there yet */
    FreeNames recursive; /* of these: assigned lambdas that call them */
    FreeNames copying;   /* declared by C$'s own words, `float(float) f` or var */
    FreeNames parts;     /* as in `written` and `kept` and `assigned`, but of their members */
    FreeNames assigned_parts;
    VEC(Stored) stored;
    VEC(Place) changes, uses; /* in the order of the text */
    VEC(Place) declared;
    VEC(Turn) turns;
    VEC(Ast *) functions;
} Look;

static void put(FreeNames *list, const char *name)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i].name == name) return;
    FreeName one = {.name = name};
    vec_push(list, one);
}

static bool has(const FreeNames *list, const char *name)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i].name == name) return true;
    return false;
}

static void find_value(Ast **child, void *ctx)
{
    bool *found = ctx;
    const Ast *n = *child;
    if (n->kind == AST_RETURN && n->return_.value) *found = true;
    if (n->kind != AST_LAMBDA && n->kind != AST_FUNC) ast_each_child(*child, find_value, ctx);
}

/* Is the lambda, by its form, one that is kept for what it does? */
static bool is_kept(Ast *lambda)
{
    Ast *body = lambda->lambda.body;
    bool value = false;
    if (!lambda->lambda.binders.len) return true;
    if (!body || body->kind != AST_BLOCK) return false;
    find_value(&body, &value);
    return !value;
}

static void look_at_function(Look *l, Ast *n, bool kept, bool writes)
{
    FreeNames names = {0};
    free_names(l->s, n, &names);
    for (size_t i = 0; i < names.len; i++) {
        if (writes && names.data[i].writes > FREE_PARTS) put(&l->written, names.data[i].name);
        if (writes && names.data[i].writes == FREE_PARTS) put(&l->parts, names.data[i].name);
        if (kept) put(&l->kept, names.data[i].name);
        if (n->kind == AST_LAMBDA) put(&l->values, names.data[i].name);
    }
    vec_free(&names);
}

/* a[i] = .., o.X = .., list.Add(..): what the variable holds is another thing for who reads it. */
static void part_changed(Look *l, const Ast *n, uint32_t at)
{
    if (n->kind == AST_NAME_REF) return;
    while (n->kind == AST_MEMBER || n->kind == AST_INDEX)
        n = n->kind == AST_MEMBER ? n->member.base : n->index.base;
    Place here = {n->kind == AST_NAME_REF ? n->name_ref.name : NULL, at};
    if (here.name) vec_push(&l->changes, here);
}

/* `at`: where it happens. */
static void assigned_at(Look *l, const Ast *target, uint32_t at)
{
    for (int i = 0; target->kind == AST_TUPLE && i < target->tuple.items.len; i++)
        assigned_at(l, target->tuple.items.data[i], at);
    if (target->kind == AST_NAME_REF) {
        Place here = {target->name_ref.name, at};
        put(&l->assigned, target->name_ref.name);
        vec_push(&l->changes, here);
    }
    part_changed(l, target, at);
    while (target->kind == AST_MEMBER) target = target->member.base;
    if (target->kind == AST_NAME_REF) put(&l->assigned_parts, target->name_ref.name);
}

static void assigned(Look *l, const Ast *target)
{
    assigned_at(l, target, target->loc.begin);
}

static void used(Look *l, const Ast *name)
{
    Place here = {name->name_ref.name, name->loc.begin};
    if (name->kind == AST_NAME_REF) vec_push(&l->uses, here);
}

/* A lambda with ranges becomes an array, or a function of C$'s own. */
static bool has_ranges(const Ast *lambda)
{
    const AstList *binders = &lambda->lambda.binders;
    int i = 0;
    while (i < binders->len && !binders->data[i]->binder.constraint) i++;
    return i < binders->len;
}

/* `f = x => ..`, with the name of f if it is a variable. */
static void look_at_stored(Look *l, const char *name, Ast *value)
{
    Stored one = {.lambda = value, .name = name};
    if (name && has(&l->copying, name)) return;
    if (value && value->kind == AST_LAMBDA && !is_kept(value) && !has_ranges(value))
        vec_push(&l->stored, one);
}

/* handlers.Add(x => ..); new Lazy(x => ..) */
static void look_at_given(Look *l, const AstList *args, bool used_up)
{
    size_t first = l->stored.len;
    for (int i = 0; i < args->len; i++) look_at_stored(l, NULL, args->data[i]);
    for (size_t i = first; i < l->stored.len; i++) l->stored.data[i].used_up = used_up;
}

static bool is_in(Loc loc, uint32_t at)
{
    return loc.begin <= at && at < loc.end;
}

/* Is a variable of the name declared in the body? */
static bool is_own(const Look *l, Loc body, const char *name)
{
    for (size_t i = 0; i < l->declared.len; i++)
        if (l->declared.data[i].name == name && is_in(body, l->declared.data[i].at)) return true;
    return false;
}

/* Does a loop come from the lambda back to the change, with lambda and variable of a turn before? */
static bool comes_again(const Look *l, const Stored *f, const Place *change)
{
    for (size_t i = 0; i < l->turns.len && !f->used_up; i++) {
        const Turn *t = &l->turns.data[i];
        if (is_in(t->loop, change->at) && is_in(t->body, f->lambda->loc.begin) &&
            !is_own(l, t->body, change->name) && !(f->name && is_own(l, t->body, f->name)))
            return true;
    }
    return false;
}

/* Is the variable of this name assigned behind the lambda, and the lambda still there? It is, wherever
 * it is called, once it was handed on. */
static bool changes_under(const Look *l, const Stored *f, const char *name)
{
    for (size_t i = 0; i < l->changes.len; i++) {
        const Place *change = &l->changes.data[i];
        if (change->name != name) continue;
        if (comes_again(l, f, change)) return true;
        if (change->at < f->lambda->loc.end) continue;
        if (!f->name || has(&l->handed, f->name)) return true;
        for (size_t k = 0; k < l->uses.len; k++)
            if (l->uses.data[k].name == f->name && l->uses.data[k].at > change->at) return true;
    }
    return false;
}

/* What is captured by lambdas that are kept and changes under them. */
static void put_changing(const Look *l, FreeNames *all, Seeing *seeing)
{
    for (size_t i = 0; i < l->stored.len; i++) {
        const Stored *f = &l->stored.data[i];
        FreeNames names = {0};
        bool some = false;
        free_names(l->s, f->lambda, &names);
        for (size_t k = 0; k < names.len; k++) {
            if (!changes_under(l, f, names.data[k].name)) continue;
            put(all, names.data[k].name);
            some = true;
        }
        if (some) vec_push(seeing, f->lambda->loc);
        vec_free(&names);
    }
}

/* What an array is assigned is evaluated at once. */
static void note_array(Look *l, const Ast *type, const char *name)
{
    if (type && type->kind == AST_TYPE_ARRAY) put(&l->copying, name);
}

/* `R(T) f = null;` or `R(T) f;` */
static void look_at_declaration(Look *l, const Ast *n)
{
    const Ast *type = n->var_decl.vtype;
    for (int i = 0; i < n->var_decl.vars.len && type; i++) {
        const Ast *d = n->var_decl.vars.data[i];
        Place here = {d->declarator.name, d->loc.begin};
        vec_push(&l->declared, here);
        note_array(l, type, d->declarator.name);
        if (type->kind == AST_TYPE_ARRAY) continue;
        Ast *init = d->declarator.init;
        if (!init || init->kind == AST_NULL_LIT || init->kind == AST_DEFAULT)
            put(&l->empty, d->declarator.name);
        if (type->kind == AST_TYPE_FUNC || type->kind == AST_TYPE_VAR)
            put(&l->copying, d->declarator.name);
        look_at_stored(l, d->declarator.name, init);
    }
}

/* `f = x => f(x - 1)`: the lambda means the variable, which was null before. */
static void look_at_recursion(Look *l, const Ast *target, Ast *value)
{
    FreeNames names = {0};
    if (target->kind != AST_NAME_REF || value->kind != AST_LAMBDA) return;
    if (!has(&l->empty, target->name_ref.name)) return;
    free_names(l->s, value, &names);
    if (has(&names, target->name_ref.name)) put(&l->recursive, target->name_ref.name);
    vec_free(&names);
}

static void turns(Look *l, const Ast *loop, const Ast *body)
{
    Turn t = {loop->loc, body->loc};
    vec_push(&l->turns, t);
}

static void look(Ast **child, void *ctx)
{
    Look *l = ctx;
    Ast *n = *child;
    switch (n->kind) {
    case AST_LAMBDA: look_at_function(l, n, is_kept(n), true); break;
    case AST_FUNC: vec_push(&l->functions, n); break;
    case AST_VAR_DECL: look_at_declaration(l, n); break;
    case AST_DEFINE: note_array(l, n->define.vtype, n->define.name); break;
    case AST_ASSIGN:
        /* memo = new Memo(x => memo[x - 1]): the value is made before */
        assigned_at(l, n->assign.target,
                    n->assign.value->kind == AST_NEW ? n->assign.value->loc.end
                                                     : n->assign.target->loc.begin);
        look_at_recursion(l, n->assign.target, n->assign.value);
        if (!is_slice(n->assign.target)) /* else it is used up */
            look_at_stored(
                l, n->assign.target->kind == AST_NAME_REF ? n->assign.target->name_ref.name : NULL,
                n->assign.value);
        if (n->assign.target->kind != AST_NAME_REF) break;
        put(&l->values, n->assign.target->name_ref.name);
        used(l, n->assign.target);
        look(&n->assign.value, l);
        return;
    case AST_NEW: look_at_given(l, &n->new_.args, false); break;
    case AST_FOR: turns(l, n, n->for_.body); break;
    case AST_WHILE: turns(l, n, n->while_.body); break;
    case AST_DO: turns(l, n, n->do_.body); break;
    case AST_FOREACH: turns(l, n, n->foreach_.body); break;
    case AST_EXPR_STMT:
        if (n->expr_stmt.expr->kind == AST_CALL) {
            const Ast *callee = n->expr_stmt.expr->call.callee;
            look_at_given(l, &n->expr_stmt.expr->call.args, callee->kind != AST_MEMBER);
            part_changed(l, callee, callee->loc.begin);
        }
        break;
    case AST_INCDEC: assigned(l, n->incdec.target); break;
    case AST_UNARY:
        if (n->unary.op == AST_OP_REF || n->unary.op == AST_OP_OUT) assigned(l, n->unary.operand);
        break;
    case AST_NAME_REF:
        put(&l->values, n->name_ref.name);
        put(&l->handed, n->name_ref.name);
        used(l, n);
        break;
    case AST_CALL:
        if (n->call.callee->kind != AST_NAME_REF)
            look(&n->call.callee, l);
        else
            used(l, n->call.callee);
        for (int i = 0; i < n->call.args.len; i++) look(&n->call.args.data[i], l);
        return;
    default: break;
    }
    ast_each_child(n, look, l);
}

const Shared *shared_collect(Sema *s, const AstList *params, const AstList *stmts)
{
    Look l = {.s = s};
    for (int i = 0; params && i < params->len; i++) {
        const Ast *p = params->data[i];
        if (p->kind == AST_PARAM) note_array(&l, p->param.ptype, p->param.name);
    }
    for (int i = 0; i < stmts->len; i++)
        if (stmts->data[i]) look(&stmts->data[i], &l);
    for (size_t i = 0; i < l.functions.len; i++)
        if (has(&l.values, l.functions.data[i]->func.name))
            look_at_function(&l, l.functions.data[i], false, true);
    FreeNames all = {0};
    for (size_t i = 0; i < l.recursive.len; i++) put(&all, l.recursive.data[i].name);
    for (size_t i = 0; i < l.written.len; i++) put(&all, l.written.data[i].name);
    for (size_t i = 0; i < l.kept.len; i++)
        if (has(&l.assigned, l.kept.data[i].name)) put(&all, l.kept.data[i].name);
    Seeing seeing = {0};
    put_changing(&l, &all, &seeing);
    size_t whole = all.len;
    for (size_t i = 0; i < l.parts.len; i++) put(&all, l.parts.data[i].name);
    for (size_t i = 0; i < l.kept.len; i++)
        if (has(&l.assigned_parts, l.kept.data[i].name)) put(&all, l.kept.data[i].name);
    Shared *out = all.len ? arena_new_of(s->arena, Shared) : NULL;
    if (out) {
        out->count = whole;
        out->nparts = all.len - whole;
        out->nrecursive = l.recursive.len;
        out->lambdas = arena_copy(s->arena, seeing.data, sizeof(Loc) * seeing.len);
        out->nlambdas = seeing.len;
        out->names = arena_array(s->arena, const char *, all.len);
        for (size_t i = 0; i < all.len; i++) out->names[i] = all.data[i].name;
    }
    vec_free(&all);
    vec_free(&seeing);
    vec_free(&l.written);
    vec_free(&l.kept);
    vec_free(&l.assigned);
    vec_free(&l.values);
    vec_free(&l.empty);
    vec_free(&l.recursive);
    vec_free(&l.copying);
    vec_free(&l.parts);
    vec_free(&l.assigned_parts);
    vec_free(&l.stored);
    vec_free(&l.changes);
    vec_free(&l.declared);
    vec_free(&l.turns);
    vec_free(&l.handed);
    vec_free(&l.uses);
    vec_free(&l.functions);
    return out;
}

bool shared_has(const Shared *shared, const char *name)
{
    for (size_t i = 0; shared && i < shared->count; i++)
        if (shared->names[i] == name) return true;
    return false;
}

bool shared_has_typed(const Shared *shared, const char *name, const Type *type)
{
    if (shared_has(shared, name)) return true;
    for (size_t i = 0; shared && class_has_parts(type) && i < shared->nparts; i++)
        if (shared->names[shared->count + i] == name) return true;
    return false;
}

bool shared_is_seen_by(const Shared *shared, const Ast *lambda)
{
    for (size_t i = 0; shared && i < shared->nlambdas; i++)
        if (shared->lambdas[i].begin == lambda->loc.begin &&
            shared->lambdas[i].file == lambda->loc.file)
            return true;
    return false;
}

bool shared_is_recursive(const Shared *shared, const char *name)
{
    for (size_t i = 0; shared && i < shared->nrecursive; i++)
        if (shared->names[i] == name) return true;
    return false;
}

/* ---- cells ---------------------------------------------------------------------------------- */

static const Type *cell_type(Sema *s, const Type *t, Loc loc)
{
    Symbol *cell = scope_library(s, SYM_TYPE, "CapturedVariable");
    if (!cell) return s->error;
    const Type *type = generic_with(s, cell, t, loc);
    class_settle(s);
    return type;
}

/* A list of elements is a new array. */
static Ast *as_value(Sema *s, Ast *init, const Type *t)
{
    if (init->kind != AST_INIT_LIST) return init;
    Ast *n = ast_new(s->arena, AST_NEW_ARRAY, init->loc);
    n->new_array.elem = type_node(s, init->loc, t->result);
    n->new_array.rank = (uint64_t)t->nparams;
    n->new_array.init = init;
    n->type = t;
    return n;
}

static Ast *new_cell(Sema *s, const Type *cell, Ast *value, const Type *t, Loc loc)
{
    Ast *n = ast_new(s->arena, AST_NEW, loc);
    n->new_.ntype = type_node(s, loc, cell);
    if (value) {
        value = as_value(s, value, t);
        value->settled = true;
    } else {
        value = ast_new(s->arena, AST_DEFAULT, loc);
        value->default_.target = type_node(s, loc, t);
    }
    n->new_.args = ast_list_add(s->arena, (AstList){0}, value);
    check_value(s, &n, NULL);
    return n;
}

static Symbol *cell_of(Sema *s, Symbol *sym, Ast *declarator)
{
    const Type *t = cell_type(s, sym->type, sym->loc);
    if (t == s->error) return NULL;
    const char *name = intern_cstr(s->names, arena_printf(s->arena, "$%s", sym->name));
    return scope_symbol(s, SYM_LOCAL, name, t, sym->loc, declarator);
}

void shared_variable(Sema *s, Ast *v, Symbol *sym)
{
    if (sym->type == s->error || sym->type == s->voids) return;
    Symbol *cell = cell_of(s, sym, v);
    if (!cell) return;
    v->declarator.init = new_cell(s, cell->type, v->declarator.init, sym->type, v->loc);
    v->declarator.name = cell->name;
    v->sym = cell;
    v->type = cell->type;
    sym->cell = cell;
    scope_bind(s, cell);
}

Ast *shared_parameter(Sema *s, Symbol *param)
{
    if (!shared_has_typed(s->shared, param->name, param->type) || param->mode != AST_OP_BY_VALUE)
        return NULL;
    if (param->type == s->error || param->name[0] == '$') return NULL;
    Ast *v = ast_new(s->arena, AST_DECLARATOR, param->loc);
    Ast *n = ast_new(s->arena, AST_VAR_DECL, param->loc);
    Ast *value = tree_name(s, param->loc, param->name);
    value->sym = param;
    value->type = param->type;
    v->declarator.init = value;
    Symbol *sym = scope_symbol(s, SYM_LOCAL, param->name, param->type, param->loc, v);
    shared_variable(s, v, sym);
    if (!sym->cell) return NULL;
    scope_bind(s, sym);
    n->var_decl.vtype = type_node(s, param->loc, sym->cell->type);
    n->var_decl.vars = ast_list_add(s->arena, n->var_decl.vars, v);
    return n;
}
