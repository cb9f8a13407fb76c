/* Types as they are written: names with their type arguments, arrays, functions, tuples. */
#include <string.h>

#include "../../parser/foreign.h"
#include "../check/check.h"

static const Type *generic_type(Sema *s, Ast *t, Symbol *sym)
{
    bool inside = sym->generic && s->instance && strchr(sym->name, '.');
    bool one = !sym->generic && strchr(sym->name, '.') && sym->decl->kind == AST_ENUM;
    if (one) return decl_alias(s, sym); /* Outer<int>.Kind, whatever the argument */
    if (sym->generic && (t->type_name.args.len || inside) && sym->decl->kind == AST_TYPE_ALIAS) {
        Ast *expanded = decl_expanded(s, t);
        return expanded ? decl_type(s, expanded) : s->error;
    }
    if (sym->generic && (t->type_name.args.len || inside)) return generic_class(s, sym, t);
    bool compares = sym->generic && sym->library && !strcmp(sym->name, "IComparable");
    Class *object = compares || sequence_is_untyped(s, t) ? class_object(s) : NULL;
    if (object) { /* of any objects */
        t->type_name.args =
            ast_list_add(s->arena, (AstList){0}, type_node(s, t->loc, object->type));
        return generic_class(s, sym, t);
    }
    if (sym->generic)
        report(s, t->loc, GENERIC, "'%s' is generic: write its type arguments, %s<...>", sym->name,
               sym->name);
    else
        report(s, t->loc, GENERIC, "'%s' is not generic and takes no type arguments", sym->name);
    return s->error;
}

static bool same_number(const Symbol *sym, const Ast *t)
{
    return t->type_name.args.len == (sym->generic ? generic_nparams(sym) : 0);
}

typedef struct Expansion {
    Sema *s;
    const Symbol *alias;
    const AstList *args;
} Expansion;

static void put_arguments(Ast **child, void *ctx)
{
    const Expansion *x = ctx;
    Ast *n = *child;
    bool name = n->kind == AST_TYPE_NAME && n->type_name.name && !n->type_name.args.len;
    int outer = generic_nparams(x->alias) - x->args->len; /* they are called so here, too */
    for (int i = 0; name && i < x->args->len; i++)
        if (generic_param(x->alias, outer + i)->type_param.name == n->type_name.name) {
            *child = ast_clone(x->s->arena, x->args->data[i]);
            return;
        }
    ast_each_child(n, put_arguments, ctx);
}

Ast *decl_expanded(Sema *s, const Ast *t)
{
    if (t->kind != AST_TYPE_NAME || !t->type_name.name) return NULL;
    bool inner = strchr(t->type_name.name, '.') != NULL;
    if (!t->type_name.args.len && !inner) return NULL;
    Symbol *sym = scope_type_of(s, t->type_name.name, t->type_name.args.len);
    if (!sym || !sym->generic || !sym->decl || sym->decl->kind != AST_TYPE_ALIAS) return NULL;
    if (!same_number(sym, t) && !(inner && t->type_name.args.len < generic_nparams(sym))) {
        report(s, t->loc, GENERIC, "'%s' takes %d type arguments, not %d", sym->name,
               generic_nparams(sym), t->type_name.args.len);
        return NULL;
    }
    Expansion x = {s, sym, &t->type_name.args};
    Ast *target = ast_clone(s->arena, sym->decl->type_alias.target);
    put_arguments(&target, &x);
    target->loc = t->loc;
    return target;
}

static void report_no_type(Sema *s, const Ast *t)
{
    const char *name = t->type_name.name;
    const char *instead = foreign_word(FOREIGN_TYPE, name);
    if (instead) {
        report(s, t->loc, FOREIGN, "%s: C$ has none; %s", name, instead);
        return;
    }
    report(s, t->loc, UNKNOWN_TYPE, "there is no type '%s'", name);
    const char *near = scope_nearest_type(s, name);
    if (near) report_suggest(s, t->loc, name, near);
}

static const Type *named_type(Sema *s, Ast *t)
{
    const char *name = t->type_name.name;
    ScalarKind k;
    Symbol *sym = scope_type_of(s, name, t->type_name.args.len);
    if (sym && (sym->generic || t->type_name.args.len)) return generic_type(s, t, sym);
    if (sym) {
        t->sym = sym;
        return decl_alias(s, sym);
    }
    if (scalar_from_name(name, strlen(name), &k)) return type_scalar(s->types, k);
    if (!strcmp(name, "string")) return s->string;
    if (!strcmp(name, "void")) return s->voids;
    if (is_future(name))
        report(s, t->loc, NOT_SUPPORTED, "'%s' is not supported yet", name);
    else
        report_no_type(s, t);
    return s->error;
}

const Type *decl_array(Sema *s, Loc loc, const Type *elem, int rank)
{
    if (elem == s->error) return elem;
    if (elem == s->voids)
        report(s, loc, UNKNOWN_TYPE, "there are no arrays of void");
    else if (rank > MAX_ARRAY_RANK)
        report(s, loc, NOT_SUPPORTED, "arrays have at most %d dimensions", MAX_ARRAY_RANK);
    else
        return type_array(s->types, elem, rank);
    return s->error;
}

static const Type *written_function(Sema *s, Ast *t)
{
    const Type *result = decl_type(s, t->type_func.result);
    const Type *params[MAX_PARAMS] = {0};
    int n = t->type_func.params.len;
    bool broken = result == s->error;
    if (n > FD_MAX_RANK) {
        report(s, t->loc, NOT_SUPPORTED,
               "a functional type has at most %d parameters: make a final class of some",
               FD_MAX_RANK);
        return s->error;
    }
    for (int i = 0; i < n; i++) {
        params[i] = decl_type(s, t->type_func.params.data[i]);
        if (params[i] == s->voids) {
            report(s, t->type_func.params.data[i]->loc, UNKNOWN_TYPE, "a parameter cannot be void");
            params[i] = s->error;
        }
        broken = broken || params[i] == s->error;
    }
    return broken ? s->error : type_func(s->types, result, n, params);
}

const Type *decl_type(Sema *s, Ast *t)
{
    const Type *type = s->error;
    if (t->type) return t->type; /* written once, asked for again */
    switch (t->kind) {
    case AST_TYPE_NAME: /* without a name: made by the checker */
        type = t->type_name.name ? named_type(s, t) : t->type;
        break;
    case AST_TYPE_FUNC: type = written_function(s, t); break;
    case AST_TYPE_ARRAY:
        type = decl_array(s, t->loc, decl_type(s, t->type_array.elem), (int)t->type_array.rank);
        break;
    case AST_TYPE_TUPLE: type = tuple_written(s, t); break;
    case AST_TYPE_NULLABLE: type = nullable_written(s, t); break;
    default: break; /* BAD */
    }
    t->type = type;
    if (s->bodies && !s->laying && !s->signatures) type_use(s, type);
    return type;
}
