/* Methods of structs that change the struct: `this` is a value, so they take it by reference.
 *
 *     void Move(int dx) { X += dx; }      is   static void @Move(ref S this, int dx) { this.X += dx; }
 *                                              void Move(int dx) { S $this = this; @Move(ref $this, dx); }
 *     p.Move(1)                           is   S.@Move(ref p, 1), if p can be assigned
 *
 * Setters are the same: p.Width = 3 is S.@set_Width(ref p, 3). What is no variable is changed in a copy, as
 * in C#.
 */
#include <string.h>

#include "../check/check.h"

/* ---- which methods do ------------------------------------------------------------------------ */

enum { MAX_CALLS = 6 }; /* from method to method that are followed */

typedef struct Search {
    Sema *s;
    const Class *c;
    int calls;
    bool found;
} Search;

static bool is_own_variable(const Class *c, const char *name)
{
    const AstList *items = &c->decl->class_.positional;
    for (int i = 0; i < items->len; i++)
        if (items->data[i]->kind == AST_PARAM && items->data[i]->param.name == name) return true;
    return class_writes(c, name);
}

static bool is_own_place(const Class *c, const Ast *n)
{
    while (n->kind == AST_INDEX || (n->kind == AST_MEMBER && n->member.base->kind != AST_THIS))
        n = n->kind == AST_INDEX ? n->index.base : n->member.base;
    if (n->kind == AST_NAME_REF) return is_own_variable(c, n->name_ref.name);
    return n->kind == AST_THIS || n->kind == AST_MEMBER;
}

static bool changes(Search *f, Ast *body);

static const char *changing_name(Sema *s, const char *name)
{
    return intern_cstr(s->names, arena_printf(s->arena, "@%s", name));
}

/* Does a method of this name change it? Of those before, which are split already, their names tell. */
static bool method_changes(Search *f, const char *name)
{
    if (member_own(f->c->sym, changing_name(f->s, name))) return true;
    const AstList *members = &f->c->decl->class_.members;
    if (f->calls >= MAX_CALLS) return false;
    f->calls++;
    bool found = false;
    for (int i = 0; i < members->len && !found; i++) {
        const Ast *m = members->data[i];
        if (m->kind == AST_FUNC && m->func.name == name && m->func.body &&
            !(m->func.mods & AST_MOD_STATIC))
            found = changes(f, m->func.body);
    }
    f->calls--;
    return found;
}

/* Does inner.Up() change the field `inner`, a struct? */
static bool changes_field(const Search *f, const Ast *base, const char *method)
{
    bool own = base->kind == AST_MEMBER && base->member.base->kind == AST_THIS;
    const char *name = own                          ? base->member.name
                       : base->kind == AST_NAME_REF ? base->name_ref.name
                                                    : NULL;
    const Symbol *field = name ? member_own(f->c->sym, name) : NULL;
    const Class *c = field && field->kind == SYM_FIELD ? class_of(field->type) : NULL;
    Search inside = {.s = f->s, .c = c, .calls = f->calls};
    return c && class_is_struct(c) && method_changes(&inside, method);
}

static void visit(Ast **child, void *ctx)
{
    Search *f = ctx;
    Ast *n = *child;
    if (!n || f->found) return;
    const Ast *target = ast_target(n);
    if (n->kind == AST_UNARY && (n->unary.op == AST_OP_REF || n->unary.op == AST_OP_OUT))
        target = n->unary.operand;
    if (target && is_own_place(f->c, target)) f->found = true;
    if (target && target->kind == AST_TUPLE)
        for (int i = 0; i < target->tuple.items.len; i++)
            f->found |= is_own_place(f->c, target->tuple.items.data[i]);
    if (n->kind == AST_CALL) {
        const Ast *callee = n->call.callee;
        bool own = callee->kind == AST_MEMBER && callee->member.base->kind == AST_THIS;
        if (callee->kind == AST_NAME_REF) f->found |= method_changes(f, callee->name_ref.name);
        if (own) f->found |= method_changes(f, callee->member.name);
        if (callee->kind == AST_MEMBER)
            f->found |= changes_field(f, callee->member.base, callee->member.name);
    }
    if (!f->found) ast_each_child(n, visit, f);
}

static bool changes(Search *f, Ast *body)
{
    bool before = f->found;
    f->found = false;
    visit(&body, f);
    bool found = f->found;
    f->found = before;
    return found;
}

/* ---- both methods ----------------------------------------------------------------------------- */

static Ast *by_reference(Sema *s, Ast *operand)
{
    Ast *n = ast_new(s->arena, AST_UNARY, operand->loc);
    n->unary.op = AST_OP_REF;
    n->unary.operand = operand;
    return n;
}

Ast *struct_split(Sema *s, Class *c, Ast *func)
{
    Search search = {.s = s, .c = c};
    struct Ast_func *f = &func->func;
    bool plain = f->body && !(f->mods & AST_MOD_STATIC) && !f->tparams.len;
    if (!class_is_struct(c) || !plain) return NULL;
    bool several = false; /* one of this name does: so all are called alike */
    several = method_changes(&search, f->name);
    if (!several && !changes(&search, f->body)) return NULL;
    Loc loc = func->loc;
    s->changing = true;
    Ast *self = tree_param(s, loc, type_node(s, loc, c->type), "this");
    self->param.mode = AST_OP_REF;
    AstList params = ast_list_add(s->arena, (AstList){0}, self), args = {0};
    args = ast_list_add(s->arena, args, by_reference(s, tree_name(s, loc, "$this")));
    for (int i = 0; i < f->params.len; i++) {
        Ast *p = f->params.data[i];
        if (p->kind != AST_PARAM) return NULL;
        params = ast_list_add(s->arena, params, ast_clone(s->arena, p));
        Ast *arg = tree_name(s, loc, p->param.name);
        if (p->param.mode == AST_OP_REF || p->param.mode == AST_OP_OUT) {
            arg = by_reference(s, arg);
            arg->unary.op = p->param.mode;
        }
        args = ast_list_add(s->arena, args, arg);
    }
    const char *name = changing_name(s, f->name);
    uint64_t mods = AST_MOD_STATIC | AST_MOD_PUBLIC;
    Ast *inner = tree_func(s, loc, mods, f->ret, name, params, f->body);
    Ast *call = tree_call(s, loc, tree_name(s, loc, name), 0);
    call->call.args = args;
    bool nothing = decl_type(s, f->ret) == s->voids;
    Ast *copy =
        tree_local(s, loc, type_node(s, loc, c->type), "$this", ast_new(s->arena, AST_THIS, loc));
    f->body = tree_block(s, loc, 2, copy, nothing ? tree_stmt(s, call) : tree_return(s, call));
    return inner;
}

/* ---- calls -------------------------------------------------------------------------------------- */

/* The struct itself in a method that changes it: its first parameter, or what a function in there
 * captures; or NULL. */
Symbol *struct_self(Sema *s)
{
    if (!s->func || s->func->self || !s->cls || !class_is_struct(s->cls)) return NULL;
    const AstList *params = &s->func->decl->func.params;
    const char *name = intern_cstr(s->names, "this");
    for (int i = 0; i < params->len; i++)
        if (params->data[i]->kind == AST_PARAM && params->data[i]->param.name == name)
            return params->data[i]->sym;
    return NULL;
}

/* Can what this tree, checked, means be assigned? */
static bool is_variable(const Ast *n)
{
    const Symbol *sym = n->sym;
    switch (n->kind) {
    case AST_NAME_REF:
        return sym && (sym->kind == SYM_LOCAL || sym->kind == SYM_PARAM) &&
               !(sym->mods & AST_MOD_READONLY);
    case AST_MEMBER: {
        if (!sym || sym->kind != SYM_FIELD || (sym->mods & AST_MOD_READONLY)) return false;
        const Symbol *m = member_own(sym->cls->sym, sym->name);
        if (!m || m->kind != SYM_FIELD) return false; /* a property gives a copy */
        if (sym->mods & AST_MOD_STATIC) return true;
        return !type_is_record(n->member.base->type) || is_variable(n->member.base);
    }
    case AST_INDEX:
        return n->index.base->type && n->index.base->type->kind == TY_ARRAY &&
               is_variable(n->index.base);
    default: return false;
    }
}

bool struct_or_tuple(const Type *t)
{
    return class_of(t) && (class_is_struct(class_of(t)) || class_of(t)->tuple);
}

/* What n, unchecked, is a part of; NULL: it is a variable, or a part of what is no variable. */
static const Ast *whole_of(Sema *s, const Ast *n)
{
    Ast *own = ast_clone(s->arena, n);
    if (n->kind == AST_INDEX) return n->index.base;
    if (n->kind == AST_NAME_REF && struct_self(s) && member_unqualified(s, &own)) n = own;
    return n->kind == AST_MEMBER && n->member.base->kind != AST_TYPE_NAME ? n->member.base : NULL;
}

bool struct_is_shared(Sema *s, const Ast *n)
{
    for (; n && n->kind != AST_TYPE_NAME; n = whole_of(s, n)) {
        const Type *t = peek_type(s, n);
        if (t->kind == TY_OBJECT) return struct_or_tuple(t);
        if (n->kind == AST_INDEX || ref_is_place(s, n)) return true;
    }
    return false;
}

/* The struct that *n, unchecked, is a variable of; NULL: none. */
static Class *variable_of_struct(Sema *s, const Ast *n)
{
    if (n->kind == AST_THIS) return struct_self(s) ? s->cls : NULL;
    if (n->kind != AST_NAME_REF && n->kind != AST_MEMBER && n->kind != AST_INDEX) return NULL;
    const Type *t = peek_type(s, n);
    if (!class_of(t) || !class_is_struct(class_of(t))) return NULL;
    Ast *copy = ast_clone(s->arena, n);
    int errors = s->quiet_errors;
    s->quiet++;
    check_expr(s, &copy, NULL);
    s->quiet--;
    s->quiet_errors = errors;
    return is_variable(copy) ? class_of(t) : NULL;
}

/* S.@NAME(ref object, args..), unchecked; NULL if S has no such method. */
static Ast *changing_call(Sema *s, Loc loc, Class *c, const char *name, Ast *object, AstList args)
{
    name = changing_name(s, name);
    if (!c || !member_find(s, c, name)) return NULL;
    Ast *call = tree_call(s, loc, tree_member(s, loc, type_node(s, loc, c->type), name), 1,
                          by_reference(s, object));
    for (int i = 0; i < args.len; i++)
        call->call.args = ast_list_add(s->arena, call->call.args, args.data[i]);
    return call;
}

bool struct_changes(Sema *s, Class *c, const char *method)
{
    return c && class_is_struct(c) && member_find(s, c, changing_name(s, method));
}

void struct_held(Sema *s, const Ast *e, const Type *to)
{
    Class *c = class_of(e->type);
    if (!c || !class_is_struct(c) || !class_of(to) || !class_is_interface(class_of(to))) return;
    for (int k = 0; k < c->nimpls; k++) {
        const struct ClassImpl *i = &c->impls[k];
        if (!class_is(class_of(to), i->method->cls) || !struct_changes(s, c, i->with->name))
            continue;
        report(s, e->loc, HELD_VALUE,
               "what '%s' changes in a '%s' that is held as a '%s' is lost; make '%s' a class",
               i->with->name, c->type->name, to->name, c->type->name);
        return;
    }
}

bool struct_call(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot, *callee = n->call.callee, *call = NULL;
    if (!s->changing) return false;
    if (callee->kind == AST_MEMBER) {
        Ast *base = callee->member.base;
        Class *c = base->kind == AST_TYPE_NAME ? NULL : variable_of_struct(s, base);
        call = changing_call(s, n->loc, c, callee->member.name, base, n->call.args);
    } else if (callee->kind == AST_NAME_REF && struct_self(s)) {
        const Symbol *f = scope_callee(s, callee->name_ref.name);
        bool own = f && f->kind == SYM_FUNC && f->cls == s->cls && !f->local && f->self;
        if (own)
            call = changing_call(s, n->loc, s->cls, f->name, ast_new(s->arena, AST_THIS, n->loc),
                                 n->call.args);
    }
    if (!call) return false;
    *slot = call;
    check_expr(s, slot, hint);
    return true;
}

/* `Bump(1);` in a constructor, where `this` is no variable: { S $this = this; S.@Bump(ref $this, 1);
 * this.X = $this.X; .. } */
bool struct_constructing(Sema *s, Ast **slot)
{
    Ast *n = (*slot)->expr_stmt.expr;
    bool inside = s->changing && s->func && s->func->is_ctor && s->cls && class_is_struct(s->cls);
    if (!inside || n->kind != AST_CALL) return false;
    const Ast *callee = n->call.callee;
    bool own = callee->kind == AST_MEMBER && callee->member.base->kind == AST_THIS;
    const char *name = own                            ? callee->member.name
                       : callee->kind == AST_NAME_REF ? callee->name_ref.name
                                                      : NULL;
    const Symbol *f = name && !own ? scope_callee(s, name) : NULL;
    if (!name || (f && f->cls != s->cls)) return false;
    for (int i = 0; i < n->call.args.len; i++) { /* `out int x` is seen behind the statement */
        const Ast *a = n->call.args.data[i];
        if (a->kind == AST_UNARY && a->unary.operand->kind == AST_DECL_EXPR) return false;
    }
    Ast *call = changing_call(s, n->loc, s->cls, name, tree_name(s, n->loc, "$this"), n->call.args);
    if (!call) return false;
    Ast *block = tree_block(s, n->loc, 2,
                            tree_local(s, n->loc, type_node(s, n->loc, s->cls->type), "$this",
                                       ast_new(s->arena, AST_THIS, n->loc)),
                            tree_stmt(s, call));
    for (int i = 0; i < s->cls->nfields; i++) {
        const char *field = class_stored(s, s->cls, s->cls->fields[i]);
        Ast *to = tree_member(s, n->loc, ast_new(s->arena, AST_THIS, n->loc), field);
        Ast *from = tree_member(s, n->loc, tree_name(s, n->loc, "$this"), field);
        block->block.stmts =
            ast_list_add(s->arena, block->block.stmts, tree_assign(s, n->loc, to, from));
    }
    *slot = block;
    check_stmt(s, slot);
    return true;
}

bool struct_set(Sema *s, Ast **slot, Ast *target, AstOp op, Ast *value)
{
    if (!s->changing || (target->kind != AST_MEMBER && target->kind != AST_INDEX)) return false;
    bool index = target->kind == AST_INDEX;
    Ast *base = index ? target->index.base : target->member.base;
    Class *c = base->kind == AST_TYPE_NAME ? NULL : variable_of_struct(s, base);
    if (!c || (index && !is_repeatable(target) && op != AST_OP_NONE)) return false;
    Loc loc = (*slot)->loc;
    if (op != AST_OP_NONE) value = tree_binary(s, loc, op, ast_clone(s->arena, target), value);
    const char *name = arena_printf(s->arena, "set_%s", index ? "Item" : target->member.name);
    AstList args = {0};
    for (int i = 0; index && i < target->index.args.len; i++)
        args = ast_list_add(s->arena, args, target->index.args.data[i]);
    args = ast_list_add(s->arena, args, value);
    Ast *call = changing_call(s, loc, c, name, base, args);
    if (!call) return false;
    *slot = call;
    check_expr(s, slot, NULL);
    return true;
}
