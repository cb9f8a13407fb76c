/* `ref` of C#: places that have another name, and calls that give a place.
 *
 *     ref T r = ref o.F().A[i + 1];    var $ref1 = o.F(); var $ref2 = i + 1; var $ref3 = $ref1.A[$ref2];
 *     r += 2;                          $ref1.A[$ref2] += 2;
 *     o.At(i) = v;                     by the setter of At, as a property with an index (parser/actions/build_ref.c)
 *     F(ref a, i) += v;                F=(ref a, i, F(ref a, i) + v);
 *
 * So no address is kept: what a place is found by is evaluated once, and the place found anew where it is used. A
 * function is asked again then: one that does more than find a place, or that looks for it, is refused where that
 * would tell.
 */
#include <string.h>

#include "../check/check.h"

/* ---- what else the functions do ---------------------------------------------------------------- */

typedef struct Deeds {
    bool looks; /* has a loop: what it finds may depend on what is there */
    bool sets;  /* changes something but its variables */
    VEC(const char *) own;
} Deeds;

static bool is_check(const Ast *call)
{
    const Ast *callee = call->call.callee;
    const char *name = callee->kind == AST_MEMBER ? callee->member.name : "";
    return !strncmp(name, "Throw", 5) || !strcmp(name, "Assert");
}

static bool is_own(const Deeds *d, const Ast *target)
{
    bool own = false;
    for (size_t i = 0; target->kind == AST_NAME_REF && i < d->own.len; i++)
        own = own || d->own.data[i] == target->name_ref.name;
    return own;
}

static void see(Ast **slot, void *ctx)
{
    Deeds *d = ctx;
    const Ast *n = *slot;
    if (!n) return;
    if (n->kind == AST_DECLARATOR) vec_push(&d->own, n->declarator.name);
    const Ast *e = n->kind == AST_EXPR_STMT ? n->expr_stmt.expr : NULL;
    const Ast *target = ast_target(n), *value = n->kind == AST_ASSIGN ? n->assign.value : NULL;
    bool own = value && value->kind == AST_NAME_REF && !strcmp(value->name_ref.name, AST_REF_VALUE);
    d->looks = d->looks || ast_is_loop(n);
    d->sets = d->sets || (target && !own && !is_own(d, target)) ||
              (e && e->kind == AST_CALL && !is_check(e));
    ast_each_child(*slot, see, d);
}

static Deeds deeds_of(const Symbol *set)
{
    Deeds d = {0};
    if (set && set->kind == SYM_FUNC && set->decl) see(&set->decl->func.body, &d);
    vec_free(&d.own);
    return d;
}

/* Told of a call that is asked twice; what: is done. */
static bool asked_again(Sema *s, const Ast *call, const Symbol *set, bool later)
{
    Deeds d = deeds_of(set);
    if (!d.sets && !(later && d.looks)) return true;
    int len = (int)strlen(set->name) - 1;
    report(s, call->loc, NOT_ASSIGNABLE,
           d.sets ? "'%.*s' does more than find a place: what it gives by ref is read, or set by ="
                  : "'%.*s' looks for the place: set what it gives by ref where it is called",
           len, set->name);
    return false;
}

/* ---- calls that give places ------------------------------------------------------------------ */

static const char *setter_name(Sema *s, const char *name)
{
    return intern_cstr(s->names, arena_printf(s->arena, "%s=", name));
}

/* Does it take something by reference, or any type? Then a call of it is no place with indices. */
static bool is_open(const Symbol *set)
{
    const AstList *params = &set->decl->func.params;
    for (int i = 0; i < params->len; i++)
        if (params->data[i]->kind != AST_PARAM || params->data[i]->param.mode != AST_OP_BY_VALUE)
            return true;
    return set->generic != NULL;
}

/* The setter that belongs to a method that gives a place; NULL. */
static Symbol *setter_of(Sema *s, const Symbol *get)
{
    bool gives = get && get->kind == SYM_FUNC && get->cls && (get->mods & AST_MOD_REF);
    Symbol *set = gives ? member_find(s, get->cls, setter_name(s, get->name)) : NULL;
    for (; set; set = set->next) {
        int n = get->type->nparams;
        bool same = set->type && set->type->nparams == n + 1;
        for (int i = 0; i < n && same; i++) same = get->type->params[i] == set->type->params[i];
        if (same) return set;
    }
    return NULL;
}

void ref_place(Sema *s, Ast *n, bool changed)
{
    Symbol *get = n->kind == AST_CALL && n->res == AST_RES_NONE ? n->sym : NULL;
    Symbol *set = setter_of(s, get);
    if (!set || is_open(set)) return;
    if (changed && !asked_again(s, n, set, false)) {
        n->type = s->error;
        return;
    }
    Ast *callee = n->call.callee, *base = callee->kind == AST_MEMBER ? callee->member.base : callee;
    AstList args = n->call.args;
    Symbol *p = scope_symbol(s, SYM_PROPERTY, get->name, get->type->result, get->loc, get->decl);
    p->cls = get->cls;
    p->mods = get->mods;
    p->get = get;
    p->set = set;
    n->kind = AST_INDEX;
    n->index = (struct Ast_index){.base = base, .args = args};
    n->sym = p;
}

/* The setter of what is called, unchecked; NULL: it gives no place. */
static Symbol *called_setter(Sema *s, const Ast *callee)
{
    if (callee->kind == AST_NAME_REF) return scope_callee(s, setter_name(s, callee->name_ref.name));
    if (callee->kind != AST_MEMBER) return NULL;
    const Ast *base = callee->member.base;
    const Type *t =
        base->kind == AST_TYPE_NAME ? decl_type(s, ast_clone(s->arena, base)) : peek_type(s, base);
    Class *c = class_of(t);
    if (!c) return NULL;
    class_ready(s, c);
    return member_find(s, c, setter_name(s, callee->member.name));
}

bool ref_is_place(Sema *s, const Ast *n)
{
    return n->kind == AST_CALL && called_setter(s, n->call.callee);
}

bool ref_repeatable(const Ast *n)
{
    if (n->kind == AST_UNARY) return ref_repeatable(n->unary.operand);
    if (n->kind != AST_CALL) return is_repeatable(n);
    for (int i = 0; i < n->call.args.len; i++)
        if (!ref_repeatable(n->call.args.data[i])) return false;
    return is_repeatable(n->call.callee);
}

void ref_no_definition(Sema *s, Ast *n)
{
    const Ast *let = n->assign.value;
    if (let->kind != AST_LET || !let->let.again || !called_setter(s, n->assign.target)) return;
    Ast *call = tree_call(s, let->loc, n->assign.target, 0);
    for (int i = 0; i < let->let.binders.len; i++) {
        Ast *b = let->let.binders.data[i];
        if (b->kind == AST_NAME_REF) call->call.args = ast_list_add(s->arena, call->call.args, b);
        for (int k = 0; b->kind == AST_BINDER && k < b->binder.names.len; k++)
            call->call.args = ast_list_add(s->arena, call->call.args, b->binder.names.data[k]);
    }
    n->assign.target = call;
    n->assign.value = let->let.body;
}

bool ref_assign(Sema *s, Ast **slot, Ast *target, AstOp op, Ast *value)
{
    if (target->kind != AST_CALL) return false;
    Ast *callee = target->call.callee;
    Symbol *set = called_setter(s, callee);
    if (!set || set->kind != SYM_FUNC || (set->cls && !is_open(set))) return false;
    Loc loc = (*slot)->loc;
    if (op != AST_OP_NONE && !ref_repeatable(target)) {
        report(s, loc, NOT_ASSIGNABLE,
               "what this call gives by ref cannot be changed: put its arguments into variables "
               "first");
        (*slot)->type = s->error;
        return true;
    }
    if (op != AST_OP_NONE && !asked_again(s, target, set, false)) {
        (*slot)->type = s->error;
        return true;
    }
    const Type *t = op != AST_OP_NONE ? peek_type(s, target) : s->error;
    if (op != AST_OP_NONE) value = tree_binary(s, loc, op, ast_clone(s->arena, target), value);
    if (type_is_numeric(t)) value = tree_cast(s, loc, type_node(s, loc, t), value);
    Ast *call = ast_clone(s->arena, target);
    const char **name = callee->kind == AST_MEMBER ? &call->call.callee->member.name
                                                   : &call->call.callee->name_ref.name;
    *name = setter_name(s, *name);
    call->call.args = ast_list_add(s->arena, call->call.args, value);
    *slot = call;
    check_expr(s, slot, NULL);
    return true;
}

/* ---- variables that are other places ---------------------------------------------------------- */

typedef struct Alias {
    Sema *s;
    AstList *first; /* what is evaluated once */
    const char *name;
    const Ast *place;
    bool found; /* what the place is found by includes an index */
    bool told;
} Alias;

static void once(Alias *a, Ast **slot)
{
    Sema *s = a->s;
    Ast *n = *slot;
    if (n->kind == AST_INT_LIT || n->kind == AST_STRING_LIT || n->kind == AST_CHAR_LIT ||
        n->kind == AST_THIS || n->kind == AST_TYPE_NAME)
        return;
    const char *name = arena_printf(s->arena, "$ref%d", ++s->synthetic);
    *a->first = ast_list_add(s->arena, *a->first, tree_local(s, n->loc, NULL, name, n));
    *slot = tree_name(s, n->loc, name);
}

static bool hold_place(Alias *a, Ast **slot);

/* What stands before a dot or a bracket: an object is evaluated once, a value or array is a place itself. */
static bool hold_base(Alias *a, Ast **slot)
{
    Ast *n = *slot;
    if (n->kind == AST_TYPE_NAME || n->kind == AST_THIS || n->kind == AST_BASE) return true;
    const Type *t = peek_type(a->s, n);
    const Class *c = class_of(t);
    bool object = t->kind == TY_OBJECT && !(c && class_is_final_value(c));
    if (!object || t == a->s->error) return hold_place(a, slot);
    once(a, slot);
    return true;
}

static void hold_index(Alias *a, Ast **slot)
{
    if (is_from_end(*slot)) slot = &(*slot)->unary.operand;
    once(a, slot);
}

static bool hold_place(Alias *a, Ast **slot)
{
    Ast *n = *slot;
    switch (n->kind) {
    case AST_NAME_REF: return true;
    case AST_MEMBER: return hold_base(a, &n->member.base);
    case AST_INDEX:
        for (int i = 0; i < n->index.args.len; i++)
            if (n->index.args.data[i]->kind == AST_RANGE) return false;
        if (!hold_base(a, &n->index.base)) return false;
        for (int i = 0; i < n->index.args.len; i++) hold_index(a, &n->index.args.data[i]);
        a->found = true;
        return true;
    case AST_CALL: {
        Ast *callee = n->call.callee;
        const Symbol *set = called_setter(a->s, callee);
        if (!set) return false;
        if (!asked_again(a->s, n, set, true)) return a->told = true, false;
        if (callee->kind == AST_MEMBER && !hold_base(a, &callee->member.base)) return false;
        for (int i = 0; i < n->call.args.len; i++) {
            Ast **arg = &n->call.args.data[i];
            bool place = (*arg)->kind == AST_UNARY && (*arg)->unary.op == AST_OP_REF;
            bool array = type_is_functional(peek_type(a->s, *arg)); /* is lent */
            if (place || array) {
                if (!hold_place(a, place ? &(*arg)->unary.operand : arg)) return false;
            } else {
                once(a, arg);
            }
        }
        a->found = true;
        return true;
    }
    default: return false;
    }
}

/* The place instead of the name. Lambdas and functions inside cannot see it. */
static void put_place(Ast **slot, void *ctx)
{
    const Alias *a = ctx;
    Ast *n = *slot;
    if (!n || n->kind == AST_LAMBDA || n->kind == AST_FUNC || n->kind == AST_NAMEOF) return;
    if (n->kind == AST_NAME_REF) {
        if (n->name_ref.name == a->name) {
            Loc loc = n->loc;
            *slot = ast_clone(a->s->arena, a->place);
            (*slot)->loc = loc;
        }
        return;
    }
    if (n->kind == AST_BINDER) { /* x : e, the name of an argument */
        if (n->binder.constraint) put_place(&n->binder.constraint, ctx);
        return;
    }
    bool member = n->kind == AST_INIT_LIST; /* { X = e } */
    for (int i = 0; member && i < n->init_list.items.len; i++) {
        Ast **item = &n->init_list.items.data[i];
        bool sets = (*item)->kind == AST_ASSIGN && (*item)->assign.target->kind == AST_NAME_REF;
        put_place(sets ? &(*item)->assign.value : item, ctx);
    }
    if (!member) ast_each_child(n, put_place, ctx);
}

bool alias_is(const Ast *n)
{
    return n->kind == AST_VAR_DECL && (n->var_decl.mods & AST_MOD_REF);
}

static bool is_ref(const Ast *init)
{
    return init && init->kind == AST_UNARY && init->unary.op == AST_OP_REF;
}

/* `ref readonly T x = ref e;` where e is no place: its value. */
static AstList by_value(Sema *s, Ast *n)
{
    Ast *v = n->var_decl.vars.data[0];
    n->var_decl.mods = 0;
    v->declarator.init = v->declarator.init->unary.operand;
    return ast_list_add(s->arena, (AstList){0}, n);
}

void ref_refused(Sema *s, Ast **slot)
{
    if (!is_ref(*slot)) return;
    report(s, (*slot)->loc, NOT_ASSIGNABLE,
           "'ref' belongs to a ref variable, ref int x = ref a[i], to what a ref function returns, "
           "or to an "
           "argument");
    *slot = (*slot)->unary.operand;
}

AstList alias_declared(Sema *s, Ast *n, Ast **rest, int count)
{
    AstList first = {0};
    Ast *v = n->var_decl.vars.data[0];
    bool one = n->var_decl.vars.len == 1 && v->kind == AST_DECLARATOR;
    bool readonly = n->var_decl.mods & AST_MOD_READONLY;
    if (!one || !is_ref(v->declarator.init)) {
        if (v->kind == AST_DECLARATOR)
            report(s, n->loc, NOT_ASSIGNABLE,
                   "a ref variable stands for a place: ref %s = ref a[i];", v->declarator.name);
        return first;
    }
    Ast *place = v->declarator.init->unary.operand;
    Alias a = {.s = s, .first = &first, .name = v->declarator.name};
    Ast *held = ast_clone(s->arena, place);
    if (!hold_place(&a, &held)) {
        if (readonly) return by_value(s, n);
        if (!a.told)
            report(s, place->loc, NOT_ASSIGNABLE,
                   "a ref variable stands for a variable, an element, a field, or what a function "
                   "gives by ref");
        held = ast_new(s->arena, AST_BAD, place->loc);
        held->type = s->error;
        a.found = false;
    }
    Ast *type = n->var_decl.vtype->kind == AST_TYPE_VAR ? NULL : n->var_decl.vtype;
    const Type *wanted = type ? decl_type(s, ast_clone(s->arena, type)) : NULL,
               *is = wanted ? peek_type(s, held) : NULL;
    if (wanted && wanted != is && wanted != s->error && is != s->error)
        report(s, type->loc, CONVERSION, "the place is of type '%s', not '%s'",
               type_text(s->arena, is), type_text(s->arena, wanted));
    if (a.found) { /* an index outside is told here */
        const char *name = arena_printf(s->arena, "$ref%d", ++s->synthetic);
        first = ast_list_add(s->arena, first,
                             tree_local(s, n->loc, NULL, name, ast_clone(s->arena, held)));
    }
    a.place = held;
    for (int i = 0; i < count; i++) put_place(&rest[i], &a);
    return first;
}
