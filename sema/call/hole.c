/* Holes of interpolated strings, {x,8:F2}. What the format means depends on the value: numbers and
 * functions of them are formatted by the runtime, enums and objects by the library, and a class of
 * its own that has ToString(string format), or implements IFormattable, by that. Other values take
 * no format: one that is written is an error, one that comes as the program runs a FormatException.
 */
#include <ctype.h>
#include <string.h>

#include "../check/check.h"

static bool is_number(const Type *t)
{
    return t->kind == TY_SCALAR && !t->decl && t->scalar != SC_BOOL && t->scalar != SC_CHAR;
}

/* Has it a public ToString(string), or with nparams 2 ToString(string, IFormatProvider)? */
static bool has_formatter(Sema *s, Class *c, int nparams)
{
    Candidates set = candidates_of_methods(s, c, intern_cstr(s->names, "ToString"));
    for (int i = 0; i < set.len; i++) {
        const Candidate *m = &set.data[i];
        if (m->sym->generic || m->nparams != nparams || m->params[0] != s->string) continue;
        const Type *last = m->params[nparams - 1];
        if (nparams == 2 && last != class_library(s, "IFormatProvider")) continue;
        if ((m->sym->mods & (AST_MOD_PUBLIC | AST_MOD_STATIC)) == AST_MOD_PUBLIC) return true;
    }
    return false;
}

/* The library's function that formats such a value; NULL: none does. */
static const char *formatter(Sema *s, const Type *t)
{
    Class *c = class_of(t);
    const Type *inner = nullable_of(t);
    if (type_is_enum(t)) return "FormattedEnum";
    if (inner) return is_number(inner) || formatter(s, inner) ? "FormattedObject" : NULL;
    if (!c) return NULL;
    class_ready(s, c);
    if (has_formatter(s, c, 1)) return "Formatted";
    if (has_formatter(s, c, 2)) return "FormattedBy";
    return class_is_object(c) || class_is_interface(c) ? "FormattedObject" : NULL;
}

/* *slot becomes the library's function of it and the format, which the hole has no more. */
static void format_by(Sema *s, Ast *hole, const char *function)
{
    Ast **slot = &hole->hole.expr, *format = hole->hole.style;
    Loc loc = (*slot)->loc;
    bool bytes = type_is_enum((*slot)->type);
    if (!format) {
        format = ast_new(s->arena, AST_STRING_LIT, loc);
        format->string_lit.value = hole->hole.format;
        check_value(s, &format, s->string);
    }
    hole->hole.style = NULL;
    hole->hole.format = (AstBytes){0};
    Symbol *f = scope_library(s, SYM_FUNC, function);
    if (!f) return; /* there are errors in the library: it is being worked on */
    AstList args = ast_list_add(s->arena, (AstList){0}, *slot);
    args = ast_list_add(s->arena, args, format);
    if (bytes) {
        Ast *n = tree_int(s, loc, scalar_bytes((*slot)->type->scalar));
        check_value(s, &n, s->integer);
        args = ast_list_add(s->arena, args, n);
    }
    Candidates set = generic_candidates(s, candidates_of_user(s, f), args, loc);
    if (!set.len || !convert_to(s, &args.data[0], set.data[0].params[0], NULL)) return;
    Ast *n = ast_new(s->arena, AST_CALL, loc);
    call_static(s, n, set.data[0].sym, args);
    *slot = n;
}

/* A format that is written is one of those that enums have. */
static void check_enum_format(Sema *s, const Ast *hole)
{
    AstBytes f = hole->hole.format;
    if (f.len == 0 || (f.len == 1 && strchr("gdxf", tolower((unsigned char)f.data[0])))) return;
    report(s, hole->hole.expr->loc, CONVERSION,
           "'%.*s' is not a format of enums: they take G, D, X", (int)f.len, f.data);
}

void hole_text(Sema *s, Ast *hole)
{
    Ast **slot = &hole->hole.expr;
    const Type *t = (*slot)->type;
    if (t == s->error) return;
    if (t->kind == TY_NULL) { /* no text */
        convert_string(s, slot);
        return;
    }
    if (unprintable(s, slot)) return;
    bool written = hole->hole.format.len > 0, later = hole->hole.style != NULL;
    const char *by = written || later ? formatter(s, t) : NULL;
    if (by) {
        if (written && type_is_enum(t)) check_enum_format(s, hole);
        format_by(s, hole, by);
    } else if ((written || later) && !is_number(result_of(t))) {
        if (written)
            report(s, (*slot)->loc, CONVERSION,
                   "a value of type '%s' takes no format: it has no ToString(string format)",
                   type_text(s->arena, t));
        convert_string(s, slot);
        if (later) format_by(s, hole, "Unformatted");
    } else {
        value_text(s, slot);
    }
}

void check_hole(Sema *s, Ast *hole)
{
    check_value(s, &hole->hole.expr, NULL);
    if (hole->hole.style) {
        check_value(s, &hole->hole.style, s->string);
        convert_to(s, &hole->hole.style, s->string, "the format");
    }
    hole_text(s, hole);
    if (!hole->hole.align) return;
    if (check_value(s, &hole->hole.align, s->integer) == s->error) return;
    convert_to(s, &hole->hole.align, s->integer, "the alignment");
    if (!hole->hole.align->is_const)
        report(s, hole->hole.align->loc, NOT_CONSTANT, "the alignment is a constant");
}
