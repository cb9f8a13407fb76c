/* Patterns. */
#include "build.h"

Ast *build_var_pattern(Parse *p, Loc loc, const char *name)
{
    if (!name) return build_leaf(p, AST_PLACEHOLDER, loc);
    Ast *type = build_leaf(p, AST_TYPE_VAR, loc);
    return BUILD(PATTERN_OF, pattern_of, loc, .target = type, .name = name);
}

Ast *build_var_patterns(Parse *p, Loc loc, AstList items)
{
    for (int i = 0; i < items.len; i++) {
        Ast *item = items.data[i];
        if (item->kind == AST_NAME_REF) {
            items.data[i] = build_var_pattern(p, item->loc, item->name_ref.name);
        } else if (item->kind == AST_PATTERN_OF && item->pattern_of.positional &&
                   !item->pattern_of.target && !item->pattern_of.name) {
            items.data[i] = build_var_patterns(p, item->loc, item->pattern_of.items);
        } else if (item->kind != AST_PLACEHOLDER && item->kind != AST_BAD) {
            parse_error(p, item->loc, DIAG_SYNTAX, "expected the name of a new variable");
            items.data[i] = build_bad(p, item->loc);
        }
    }
    return BUILD(PATTERN_OF, pattern_of, loc, .positional = true, .items = items);
}

Ast *build_shape(Parse *p, Loc loc, Ast *type, Ast *shape, const char *name)
{
    if (shape->kind != AST_PATTERN_OF) return shape;
    struct Ast_pattern_of *of = &shape->pattern_of;
    bool alone = of->positional && of->items.len == 1 && !of->properties && !type && !name;
    if (alone && of->items.data[0]->kind != AST_FIELD) return of->items.data[0];
    of->target = type;
    of->name = name;
    shape->loc = loc;
    return build_done(p, shape);
}

Ast *build_field_pattern(Parse *p, Loc loc, AstList path, Ast *pattern)
{
    for (int i = path.len; i-- > 0;) {
        Ast *name = path.data[i];
        Loc from = build_span(name->loc, loc);
        Ast *field = BUILD(FIELD, field, from, .name = name->name_ref.name, .value = pattern);
        if (i == 0) return field;
        pattern =
            BUILD(PATTERN_OF, pattern_of, from, .properties = true, .fields = build_one(p, field));
    }
    return pattern;
}
