/* Assignments to tuples, which are statements: what is given is evaluated before the first part is
 * assigned.
 *
 *     var (a, b) = f();       T a; U b; { var $t = f(); a = $t.Item1; b = $t.Item2; }
 *     (u, v) = (v, u);        { T $1 = v; T $2 = u; u = $1; v = $2; }
 *
 * What is given may be of any final class: it is taken apart in the order of its fields. The
 * variables in between end with their block, so that arrays have one owner again.
 */
#include <string.h>

#include "../check/check.h"

typedef struct Parts {
    Sema *s;
    AstList declared, first, then; /* statements: variables, what is evaluated, assignments */
} Parts;

bool is_deconstruction(const Ast *n)
{
    const Ast *e = n->kind == AST_EXPR_STMT ? n->expr_stmt.expr : NULL;
    return e && e->kind == AST_ASSIGN && e->assign.target->kind == AST_TUPLE &&
           e->assign.op == AST_OP_NONE;
}

static void add(Sema *s, AstList *list, Ast *stmt)
{
    *list = ast_list_add(s->arena, *list, stmt);
}

static const char *fresh(Sema *s)
{
    return intern_cstr(s->names, arena_printf(s->arena, "$part%d", ++s->synthetic));
}

/* A part that is a new variable. */
static bool declares(const Ast *target)
{
    return target->kind == AST_BINDER && target->binder.vtype && !target->binder.constraint;
}

static Ast *written_type(const Ast *target)
{
    Ast *t = declares(target) ? target->binder.vtype : NULL;
    return t && t->kind != AST_TYPE_VAR ? t : NULL;
}

/* The type that a value for this part is to have; NULL: its own. */
static Ast *type_of_target(Sema *s, Ast *target)
{
    if (declares(target)) {
        Ast *t = written_type(target);
        return t ? ast_clone(s->arena, t) : NULL;
    }
    if (target->kind == AST_PLACEHOLDER || is_slice(target)) return NULL;
    const Type *t = peek_type(s, target);
    return t == s->error || t->kind == TY_GROUP ? NULL : type_node(s, target->loc, t);
}

/* target = value; `t`: of the value. */
static void assign_part(Parts *p, Ast *target, Ast *value, const Type *t)
{
    Sema *s = p->s;
    if (target->kind == AST_PLACEHOLDER || target->kind == AST_BAD) return;
    Ast *place = target;
    if (declares(target)) {
        Ast *type = written_type(target), *name = target->binder.names.data[0];
        if (!type) type = type_node(s, target->loc, t);
        Ast *v = tree_local(s, name->loc, type, name->name_ref.name, NULL);
        add(s, &p->declared, v);
        place = tree_name(s, name->loc, name->name_ref.name);
    } else if (target->kind == AST_BINDER) {
        report(s, target->loc, BINDER,
               "the parts of a tuple are assigned by their order: (a, b) = ...");
        return;
    }
    add(s, &p->then, tree_assign(s, target->loc, place, value));
}

/* Each variable that is declared gets the error type: what went wrong was told. */
static void declare_all(Parts *p, Ast *target)
{
    if (declares(target))
        assign_part(p, target, ast_new(p->s->arena, AST_BAD, target->loc), p->s->error);
    for (int i = 0; target->kind == AST_TUPLE && i < target->tuple.items.len; i++)
        declare_all(p, target->tuple.items.data[i]);
}

/* T $a; U $b; whole.Deconstruct(out $a, out $b); a = $a; b = $b; */
static void call_deconstruct(Parts *p, Ast *target, const char *whole, const Type *const *types);

/* The types of the parts that an extension method gives; false: there is none. */
static bool extension_parts(Sema *s, Loc loc, const Type *t, int n, const Type **types)
{
    if (t == s->error || !extension_takes_apart(s, t, n)) return false;
    Ast *value = ast_new(s->arena, AST_DEFAULT, loc);
    value->default_.target = type_node(s, loc, t);
    Ast *parts = parts_by_method(s, loc, t, value, n);
    if (parts) check_value(s, &parts, NULL);
    const Class *c = parts && type_is_tuple(parts->type) ? class_of(parts->type) : NULL;
    for (int i = 0; c && i < n; i++) types[i] = c->fields[i]->type;
    return c != NULL;
}

static void take_apart(Parts *p, Ast *target, const char *whole, const Type *t)
{
    Sema *s = p->s;
    const AstList *items = &target->tuple.items;
    Class *c = class_of(t);
    class_settle(s);
    const Symbol *method = parts_method(s, c, items->len);
    if (method) {
        call_deconstruct(p, target, whole, method->type->params);
        return;
    }
    bool by_fields = c && class_is_final_value(c) && c->nfields == items->len;
    const Type *types[MAX_PARAMS];
    if (!by_fields && extension_parts(s, target->loc, t, items->len, types)) {
        call_deconstruct(p, target, whole, types);
        return;
    }
    if (t != s->error && (!c || !class_is_final_value(c) || c->nfields != items->len)) {
        if (c && class_is_final_value(c))
            report(s, target->loc, CONVERSION, "'%s' has %d parts, not %d", type_text(s->arena, t),
                   c->nfields, items->len);
        else
            report(s, target->loc, CONVERSION,
                   "a tuple, a value of a final class or what has Deconstruct is taken apart, "
                   "not '%s'",
                   type_text(s->arena, t));
        t = s->error;
    }
    if (t == s->error) {
        declare_all(p, target);
        return;
    }
    for (int i = 0; i < items->len; i++) {
        Ast *item = items->data[i];
        const Type *part = c->fields[i]->type;
        Ast *value = tree_member(s, item->loc, tree_name(s, item->loc, whole), c->fields[i]->name);
        if (item->kind == AST_TUPLE) {
            const char *name = fresh(s);
            add(s, &p->first, tree_local(s, item->loc, NULL, name, value));
            take_apart(p, item, name, part);
        } else {
            assign_part(p, item, value, part);
        }
    }
}

static void call_deconstruct(Parts *p, Ast *target, const char *whole, const Type *const *types)
{
    Sema *s = p->s;
    Loc loc = target->loc;
    AstList parts = {0};
    const char *names[MAX_PARAMS];
    for (int i = 0; i < target->tuple.items.len; i++) {
        names[i] = fresh(s);
        add(s, &p->first, tree_local(s, loc, type_node(s, loc, types[i]), names[i], NULL));
        parts = ast_list_add(s->arena, parts, tree_name(s, loc, names[i]));
    }
    add(s, &p->first, parts_call(s, loc, whole, &parts));
    for (int i = 0; i < target->tuple.items.len; i++) {
        Ast *item = target->tuple.items.data[i];
        if (item->kind == AST_TUPLE)
            take_apart(p, item, names[i], types[i]);
        else
            assign_part(p, item, tree_name(s, item->loc, names[i]), types[i]);
    }
}

static void match(Parts *p, Ast *target, Ast *value)
{
    Sema *s = p->s;
    Ast *parts = derivative_parts(s, value); /* each an evaluation of its own */
    if (parts) value = parts;
    if (target->kind == AST_TUPLE && value->kind == AST_TUPLE &&
        target->tuple.items.len == value->tuple.items.len) {
        for (int i = 0; i < target->tuple.items.len; i++)
            match(p, target->tuple.items.data[i], tuple_value(value->tuple.items.data[i]));
        return;
    }
    const char *name = value->kind == AST_NAME_REF ? value->name_ref.name : NULL;
    bool simple = name && name[0] == '$'; /* the variable of a foreach */
    Ast *type = target->kind == AST_TUPLE ? NULL : type_of_target(s, target);
    const Type *t = type ? decl_type(s, type) : peek_type(s, value);
    if (t->kind == TY_GROUP || t->kind == TY_NULL || t == s->voids) t = s->error;
    if (!simple) {
        name = fresh(s);
        add(s, &p->first, tree_local(s, value->loc, type, name, value));
    }
    if (target->kind == AST_TUPLE)
        take_apart(p, target, name, t);
    else
        assign_part(p, target, tree_name(s, value->loc, name), t);
}

AstList deconstruct(Sema *s, Ast *stmt)
{
    Ast *n = stmt->expr_stmt.expr;
    Parts p = {.s = s};
    match(&p, n->assign.target, n->assign.value);
    Ast *block = tree_block(s, n->loc, 0);
    for (int i = 0; i < p.first.len; i++) add(s, &block->block.stmts, p.first.data[i]);
    for (int i = 0; i < p.then.len; i++) add(s, &block->block.stmts, p.then.data[i]);
    add(s, &p.declared, block);
    return p.declared;
}
