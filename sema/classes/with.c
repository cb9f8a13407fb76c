/* p with { X = 1 }: a new value of a final class, whose other fields are those of p. */
#include "../check/check.h"

#include <string.h>

/* The constructor that has all fields, in their order; NULL if the class has its own. */
Symbol *class_plain_constructor(const Class *c)
{
    Symbol *ctor = c->plain ? c->plain : c->ctors;
    while (ctor && !(ctor->is_plain && ctor->type && ctor->type->nparams == c->nfields))
        ctor = ctor->next;
    return ctor;
}

/* What the item at `name` sets; -1 after a report. */
static int field_of(Sema *s, const Class *c, const Ast *item)
{
    const char *name = item->field.name;
    const Symbol *alias = tuple_field(s, c, name);
    for (int k = 0; k < c->nfields; k++)
        if (c->fields[k] == alias || c->fields[k]->name == name) return k;
    report(s, item->loc, NO_MEMBER, "'%s' has no field '%s'", c->type->name, name);
    return -1;
}

/* new T(X: 1, Y: p.Y); NULL after a report. */
static Ast *construct(Sema *s, const Ast *n, const Class *c)
{
    Ast *make = ast_new(s->arena, AST_NEW, n->loc);
    Ast **values = arena_array(s->arena, Ast *, c->nfields + 1);
    make->new_.ntype = type_node(s, n->loc, c->type);
    make->sym = c->plain;
    make->new_.filled = true;
    for (int i = 0; i < n->with_.fields.len; i++) {
        const Ast *item = n->with_.fields.data[i];
        int k = field_of(s, c, item);
        if (k < 0) return NULL;
        if (values[k]) {
            report(s, item->loc, INITIALISER, "'%s' is set twice", item->field.name);
            return NULL;
        }
        values[k] = item->field.value;
    }
    for (int k = 0; k < c->nfields; k++) {
        Ast *kept = values[k] ? values[k]
                              : tree_member(s, n->loc, ast_clone(s->arena, n->with_.operand),
                                            c->fields[k]->name);
        make->new_.args = ast_list_add(s->arena, make->new_.args, kept);
    }
    return make;
}

/* What is not to be computed once a field is a parameter: $with(f()), { return $value with { .. }; } */
static Ast *computed_once(Sema *s, Ast *n, const Type *t, const Type *result)
{
    AstList params = {0}, args = {0};
    params =
        ast_list_add(s->arena, params, tree_param(s, n->loc, type_node(s, n->loc, t), "$value"));
    args = ast_list_add(s->arena, args, n->with_.operand);
    Ast *copy = ast_new(s->arena, AST_WITH, n->loc);
    copy->with_.operand = tree_name(s, n->loc, "$value");
    copy->with_.fields = n->with_.fields;
    Ast *block = tree_block(s, n->loc, 1, tree_return(s, copy));
    return local_block(s, "with", block, params, args, result);
}

void check_with(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot;
    const Type *t = peek_type(s, n->with_.operand);
    n->type = s->error;
    if (t == s->error) {
        check_value(s, &n->with_.operand, NULL);
        return;
    }
    class_settle(s);
    const Class *c = class_of(result_of(t));
    if (c && class_is_record(c)) {
        Ast *copy = record_with(s, n, c);
        if (copy) check_expr(s, &copy, hint);
        if (copy) *slot = copy;
        return;
    }
    if (!c || !class_is_final_value(c)) {
        report(s, n->loc, CONVERSION,
               "'with' copies records, structs and final classes, and a '%s' is none",
               type_text(s->arena, t));
        return;
    }
    if (!class_plain_constructor(c)) {
        report(s, n->loc, INITIALISER,
               "'with' needs the constructor that has all fields; '%s' has its own", c->type->name);
        return;
    }
    bool once = !s->functional && !is_repeatable(n->with_.operand) && !type_is_functional(t);
    Ast *made = once ? computed_once(s, n, t, c->type) : construct(s, n, c);
    if (!made) return;
    *slot = made;
    check_expr(s, slot, hint);
}
