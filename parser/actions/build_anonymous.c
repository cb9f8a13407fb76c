/* Anonymous types: `new { X = 1, a.Y }` calls a function that the file gets, as does its type,
 *
 *     sealed record $new_X_Y<$0, $1>($0 X, $1 Y) { public override string ToString() => $"{{ X = {X}, Y = {Y} }}"; }
 *     $new_X_Y<$0, $1> $make_X_Y<$0, $1>($0 X, $1 Y) => new $new_X_Y<$0, $1>(X, Y);
 *
 * one of each for every list of names, in their order: so equal ones are of one type.
 */
#include <string.h>

#include "build.h"

/* The name that an item has; NULL: none. */
static const char *name_of(const Ast *item)
{
    const Ast *n = item;
    while (n->kind == AST_COND_ACCESS) n = n->cond_access.rest;
    if (n->kind == AST_ASSIGN && n->assign.op == AST_OP_NONE) n = n->assign.target;
    if (n->kind == AST_NAME_REF) return n->name_ref.name;
    return n->kind == AST_MEMBER && item->kind != AST_ASSIGN ? n->member.name : NULL;
}

static Ast *value_of(Ast *item)
{
    return item->kind == AST_ASSIGN ? item->assign.value : item;
}

static Ast *text(Parse *p, Loc loc, const char *s)
{
    return BUILD(STRING_LIT, string_lit, loc, .value = {s, strlen(s)});
}

/* What stands between the values: "{ X = ", ", Y = ", " }". */
static Ast *printed(Parse *p, Loc loc, int n, const char *const *names)
{
    AstList parts = {0};
    for (int i = 0; i < n; i++) {
        const char *lead = i ? ", " : "{ ";
        parts =
            build_add(p, parts, text(p, loc, arena_printf(p->arena, "%s%s = ", lead, names[i])));
        parts = build_add(p, parts, build_hole(p, loc, build_name(p, loc, names[i]), NULL, NULL));
    }
    parts = build_add(p, parts, text(p, loc, n ? " }" : "{ }"));
    return BUILD(INTERP, interp, loc, .parts = parts);
}

static const char *type_param(Parse *p, int i)
{
    return intern_cstr(p->names, arena_printf(p->arena, "$%d", i));
}

static AstList type_params(Parse *p, Loc loc, int n)
{
    AstList list = {0};
    for (int i = 0; i < n; i++)
        list = build_add(p, list, BUILD(TYPE_PARAM, type_param, loc, .name = type_param(p, i)));
    return list;
}

static AstList params(Parse *p, Loc loc, int n, const char *const *names)
{
    AstList list = {0};
    for (int i = 0; i < n; i++) {
        Ast *type = build_type_name(p, loc, type_param(p, i), (AstList){0});
        list = build_add(
            p, list,
            BUILD(PARAM, param, loc, .mode = AST_OP_BY_VALUE, .ptype = type, .name = names[i]));
    }
    return list;
}

/* The type with its parameters for arguments. */
static Ast *whole_type(Parse *p, Loc loc, const char *name, int n)
{
    AstList args = {0};
    for (int i = 0; i < n; i++)
        args = build_add(p, args, build_type_name(p, loc, type_param(p, i), (AstList){0}));
    return build_type_name(p, loc, name, args);
}

static void declare(Parse *p, Loc loc, const char *type, const char *maker, int n,
                    const char *const *names)
{
    for (size_t i = 0; i < p->nested.len; i++)
        if (p->nested.data[i]->kind == AST_CLASS && p->nested.data[i]->class_.name == type) return;
    Ast *string = build_type_name(p, loc, intern_cstr(p->names, "string"), (AstList){0});
    Ast *print = BUILD(FUNC, func, loc, .mods = AST_MOD_PUBLIC | AST_MOD_OVERRIDE, .ret = string,
                       .name = intern_cstr(p->names, "ToString"),
                       .body = build_return(p, loc, printed(p, loc, n, names)));
    vec_push(&p->nested,
             BUILD(CLASS, class_, loc, .mods = AST_MOD_RECORD | AST_MOD_SEALED, .name = type,
                   .tparams = type_params(p, loc, n), .header = true,
                   .positional = params(p, loc, n, names), .members = build_one(p, print)));
    AstList values = {0};
    for (int i = 0; i < n; i++) values = build_add(p, values, build_name(p, loc, names[i]));
    Ast *made = build_new(p, loc, whole_type(p, loc, type, n), values, NULL);
    vec_push(&p->nested,
             BUILD(FUNC, func, loc, .ret = whole_type(p, loc, type, n), .name = maker,
                   .tparams = type_params(p, loc, n), .params = params(p, loc, n, names),
                   .body = build_return(p, loc, made)));
}

Ast *build_anonymous(Parse *p, Loc loc, Ast *init)
{
    if (init->kind != AST_INIT_LIST || build_any_bad(init->init_list.items))
        return build_bad(p, loc);
    AstList items = init->init_list.items, values = {0};
    const char **names = arena_array(p->arena, const char *, items.len ? items.len : 1);
    Text suffix = {0};
    for (int i = 0; i < items.len; i++) {
        names[i] = name_of(items.data[i]);
        if (!names[i]) {
            parse_error(p, items.data[i]->loc, DIAG_SYNTAX,
                        "a member of an anonymous type has a name: new { X = 1 }");
            text_free(&suffix);
            return build_bad(p, loc);
        }
        text_printf(&suffix, "_%s", names[i]);
        values = build_add(p, values, value_of(items.data[i]));
    }
    const char *all = suffix.len ? suffix.data : "";
    const char *type = intern_cstr(p->names, arena_printf(p->arena, "$new%s", all));
    const char *maker = intern_cstr(p->names, arena_printf(p->arena, "$make%s", all));
    text_free(&suffix);
    declare(p, loc, type, maker, items.len, names);
    return build_call(p, loc, build_name(p, loc, maker), values);
}
