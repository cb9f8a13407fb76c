/* What a program says of its own names and types: nameof(x), which is a string, and typeof(T), an object
 * of the library's class Type; or, given to a function of Enum, its type argument. */
#include "check.h"

#include <string.h>

/* ---- nameof ---------------------------------------------------------------------------------- */

/* The type of what a name stands for, NULL if that says nothing; false after a report. */
static bool find_name(Sema *s, const Ast *n, const Type **type)
{
    const char *name = n->kind == AST_TYPE_NAME ? n->type_name.name : n->name_ref.name;
    Symbol *sym = scope_user(s, name), *of = scope_type(s, name);
    const Symbol *member = s->cls ? member_find(s, s->cls, name) : NULL;
    ScalarKind scalar;
    if (member && (!sym || sym->kind == SYM_FUNC)) {
        *type = member->kind == SYM_FUNC ? NULL : member->type;
    } else if (sym && sym->kind != SYM_TYPE) {
        *type = sym->kind == SYM_FUNC ? NULL : sym->type;
    } else if (of && !of->generic) {
        *type = decl_alias(s, of);
    } else if (!of && !sym && builtin_space(s, name) == SPACE_COUNT &&
               !scalar_from_name(name, strlen(name), &scalar)) {
        report_undeclared(s, n->loc, name, false);
        return false;
    }
    return true;
}

/* Whether all names of a path are declared. */
static bool find_path(Sema *s, Ast *n, const Type **type)
{
    if (n->kind == AST_NAME_REF || n->kind == AST_TYPE_NAME) return find_name(s, n, type);
    if (n->kind == AST_THIS || n->kind == AST_BASE) {
        *type = s->cls ? s->cls->type : NULL;
        return true;
    }
    if (n->kind != AST_MEMBER) {
        report(s, n->loc, NOT_A_VALUE, "nameof takes a name: nameof(x), nameof(a.b), nameof(T)");
        return false;
    }
    const Type *base = NULL;
    if (!find_path(s, n->member.base, &base)) return false;
    class_settle(s);
    Class *cls = base ? class_of(base) : NULL;
    const Symbol *m = cls ? member_find(s, cls, n->member.name) : NULL;
    if (cls && !m) {
        report(s, n->loc, NO_MEMBER, "'%s' has no member '%s'", base->name, n->member.name);
        return false;
    }
    *type = m && m->kind != SYM_FUNC ? m->type : NULL;
    return true;
}

void check_nameof(Sema *s, Ast **slot)
{
    Ast *n = (*slot)->nameof.operand;
    const Type *type = NULL;
    if (n->kind == AST_BAD || !find_path(s, n, &type)) return;
    const char *name = n->kind == AST_NAME_REF    ? n->name_ref.name
                       : n->kind == AST_TYPE_NAME ? n->type_name.name
                       : n->kind == AST_MEMBER    ? n->member.name
                                                  : "this";
    const char *dot = strrchr(name, '.'); /* of a class inside a class the last */
    *slot = tree_text(s, (*slot)->loc, dot ? dot + 1 : name);
    check_expr(s, slot, NULL);
}

/* ---- typeof ---------------------------------------------------------------------------------- */

void check_typeof(Sema *s, Ast **slot)
{
    Loc loc = (*slot)->loc;
    const Type *t = decl_type(s, (*slot)->typeof_.target);
    if (t == s->error) return;
    Ast *call = tree_call(s, loc, tree_name(s, loc, "TypeNamed"), 1,
                          tree_text(s, loc, type_text(s->arena, t)));
    *slot = call;
    check_expr(s, slot, NULL);
}

/* ---- members of Enum that are given the type as a value --------------------------------------- */

static bool is_enum_class(const Sema *s, const Ast *n)
{
    const char *name = n->kind == AST_TYPE_NAME  ? n->type_name.name
                       : n->kind == AST_NAME_REF ? n->name_ref.name
                                                 : NULL;
    const Symbol *sym = name && !strcmp(name, "Enum") ? scope_type(s, name) : NULL;
    return sym && sym->library;
}

/* Enum.GetNames(typeof(T)) is Enum.GetNames<T>(). */
void reflect_enum_call(Sema *s, Ast *n)
{
    const Ast *callee = n->call.callee;
    AstList args = n->call.args;
    if (!args.len || args.data[0]->kind != AST_TYPEOF || n->call.targs.len) return;
    if (callee->kind != AST_MEMBER || !is_enum_class(s, callee->member.base)) return;
    n->call.targs = ast_list_add(s->arena, n->call.targs, args.data[0]->typeof_.target);
    n->call.args = (AstList){0};
    for (int i = 1; i < args.len; i++)
        n->call.args = ast_list_add(s->arena, n->call.args, args.data[i]);
}
