/* Definitions: T name(i, j) = e, several that share a type, by statements. */
#include "build.h"

Ast *build_define(Parse *p, Loc loc, Ast *head, Ast *value)
{
    if (head->kind != AST_FUNC) return head;
    value = build_scattered(p, head->func.params, value);
    AstList binders = build_binders(p, head->func.params);
    if (build_any_bad(binders)) return build_lost(p, loc, head->func.name, false);
    return BUILD(DEFINE, define, loc, .vtype = head->func.ret, .name = head->func.name,
                 .binders = binders, .value = build_doubtful(p, value));
}

/* The type that the first of them is declared with; NULL: it was not understood. */
static Ast *shared_type(Parse *p, const AstList *list)
{
    const Ast *first = list->data[0];
    return first->kind == AST_DEFINE     ? ast_clone(p->arena, first->define.vtype)
           : first->kind == AST_VAR_DECL ? ast_clone(p->arena, first->var_decl.vtype)
                                         : NULL;
}

AstList build_variable_beside(Parse *p, AstList list, Ast *declarator)
{
    Ast *type = shared_type(p, &list);
    if (!type || declarator->kind != AST_DECLARATOR) return list;
    return build_add(p, list, build_var(p, declarator->loc, false, type, build_one(p, declarator)));
}

AstList build_beside(Parse *p, AstList list, Loc loc, const char *name, AstList args, Ast *value)
{
    Ast *type = shared_type(p, &list);
    if (!type) return build_add(p, list, build_lost(p, loc, name, false));
    Ast *head = build_head(p, loc, type, name, (AstList){0}, args);
    return build_add(p, list, build_define(p, loc, head, value));
}

bool build_has_range(const AstList *args)
{
    bool has = false;
    for (int i = 0; i < args->len; i++)
        has = has || (args->data[i]->kind == AST_BINDER && args->data[i]->binder.constraint);
    return has;
}

Ast *build_by_statements(Parse *p, Ast *head, Ast *body)
{
    if (body->kind == AST_RETURN)
        return build_define(p, head->loc, head, body->return_.value); /* => e */
    AstList params = {0}, args = {0};
    const AstList binders = build_binders(p, head->func.params);
    for (int i = 0; i < binders.len && binders.data[i]->kind == AST_BINDER; i++) {
        const struct Ast_binder *b = &binders.data[i]->binder;
        for (int k = 0; k < b->names.len; k++) {
            const Ast *name = b->names.data[k];
            Ast *type = b->vtype ? ast_clone(p->arena, b->vtype)
                                 : build_type_name(p, name->loc, "int", (AstList){0});
            AstList one = build_one(p, build_name(p, name->loc, name->name_ref.name));
            params = build_add(p, params, build_binder(p, name->loc, type, one, NULL));
            args = build_add(p, args, build_name(p, name->loc, name->name_ref.name));
        }
    }
    Ast *each = build_let(p, body->loc, AST_LAMBDA, params, body);
    return build_define(p, head->loc, head, build_call(p, body->loc, each, args));
}
