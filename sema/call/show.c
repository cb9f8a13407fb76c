/* What an entry of a session shows: values of collections, and of what is made of them, are text of the
 * library's (stdlib/Show.cs$), whose ShownOf(x) becomes here what the type of x asks for. All other
 * values the process prints by itself (runtime/session/show.c). */
#include <string.h>

#include "../check/check.h"

static Symbol *shown_method(Sema *s, const Type *t)
{
    Class *c = t->kind == TY_OBJECT ? class_of(t) : NULL;
    return c ? member_find(s, c, intern_cstr(s->names, SHOWN_METHOD)) : NULL;
}

static bool is_pair(const Type *t)
{
    return t->kind == TY_OBJECT && strncmp(t->name, "KeyValuePair<", 13) == 0;
}

/* Written by the user, or by who knows better: a class of exceptions, a StringBuilder. */
static bool has_text(Sema *s, const Type *t)
{
    const Symbol *f = member_find(s, class_of(t), intern_cstr(s->names, "ToString"));
    return f && !f->implied && f->cls != class_object(s);
}

/* Does foreach go over it, and is it known how often? */
static bool is_counted(Sema *s, const Type *t)
{
    const Symbol *count = member_find(s, class_of(t), intern_cstr(s->names, "Count"));
    return is_collection(s, t) ||
           (sequence_of_object(s, t) && count && count->kind == SYM_PROPERTY);
}

bool is_shown_by_library(Sema *s, const Type *t)
{
    while (t->kind == TY_ARRAY && t->nparams == 1) t = t->result;
    if (t->kind != TY_OBJECT || !class_of(t)) return false;
    return !has_text(s, t) && (is_counted(s, t) || shown_method(s, t));
}

/* The type of what foreach visits. */
static bool has_pairs(Sema *s, const Type *t)
{
    if (sequence_of_object(s, t)) return is_pair(sequence_of_object(s, t));
    const Symbol *at = member_find(s, class_of(t), intern_cstr(s->names, "ElementAt"));
    return at->type && at->type->kind == TY_FUNC && is_pair(at->type->result);
}

static const char *library_name(Sema *s, const Type *t)
{
    if (t->kind == TY_STRING) return "ShownText";
    if (t->kind == TY_SCALAR && t->scalar == SC_CHAR && !t->decl) return "ShownChar";
    if (t->kind == TY_ARRAY && t->nparams == 1)
        return t->result->kind == TY_STRING || is_shown_by_library(s, t) ? "ShownArray" : NULL;
    if (is_pair(t)) return "ShownPair";
    if (t->kind != TY_OBJECT || !class_of(t) || has_text(s, t)) return NULL;
    if (is_counted(s, t)) return has_pairs(s, t) ? "ShownPairs" : "ShownAll";
    return NULL;
}

bool show_call(Sema *s, Ast **slot, const Symbol *f)
{
    Ast *n = *slot, **value = &n->call.args.data[0];
    if (!f->library || n->call.args.len != 1 || strcmp(f->name, "ShownOf") != 0) return false;
    const Type *t = check_value(s, value, NULL);
    n->type = s->error;
    if (t == s->error) return true;
    const char *by = library_name(s, t);
    Symbol *method = by ? NULL : shown_method(s, t);
    if (by)
        call_library(s, value, by);
    else if (method)
        call_method(s, n, method, *value, (AstList){0});
    else if (type_is_functional(t) && !is_printable(t))
        *value = tree_text(s, n->loc, "a function"), check_value(s, value, s->string);
    else
        convert_string(s, value);
    if (!method) *slot = *value;
    return true;
}
