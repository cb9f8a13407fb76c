/* Parameters of promoted operations: equal lists are one, disjoint ones follow each other. Lists
 * that overlap partly mean nothing; the report spells what bound variables would say.
 */
#include <ctype.h>
#include <string.h>

#include "../check/check.h"

static bool share_type(const Type *a, const Type *b)
{
    for (int i = 0; i < a->nparams; i++)
        for (int j = 0; j < b->nparams; j++)
            if (a->params[i] == b->params[j]) return true;
    return false;
}

/* ---- a suggestion --------------------------------------------------------------------------- */

enum { LONGEST_EXAMPLE = 60 };

typedef struct Variables {
    const char *names[2 * MAX_PARAMS];
    const Type *types[2 * MAX_PARAMS];
    int n;
} Variables;

/* A name that means nothing here: i, j, .. for integers, x, y, .. for others. */
static const char *new_name(Sema *s, const Variables *v, const Type *t)
{
    bool integer = t->kind == TY_SCALAR && !scalar_is_real(t->scalar);
    for (const char *c = integer ? "ijklmnpq" : "xyzwuvst"; *c; c++) {
        const char *name = intern_cstr(s->names, arena_printf(s->arena, "%c", *c));
        bool taken = scope_lookup(s, name) != NULL;
        for (int i = 0; i < v->n; i++) taken = taken || v->names[i] == name;
        if (!taken) return name;
    }
    return NULL;
}

/* "(i, j)": the variables of an operand. Of each type it takes the last of those before, as NumPy
 * aligns dimensions. */
static const char *applied(Sema *s, Variables *v, const Type *t)
{
    const char *text = "";
    int before = v->n;
    bool used[2 * MAX_PARAMS] = {false};
    const char *names[MAX_PARAMS];
    for (int i = t->nparams; i-- > 0;) {
        int found = -1;
        for (int k = before; k-- > 0 && found < 0;)
            if (v->types[k] == t->params[i] && !used[k]) found = k;
        names[i] = found >= 0 ? v->names[found] : NULL;
        if (found >= 0) used[found] = true;
    }
    for (int i = 0; i < t->nparams; i++) {
        if (!names[i]) {
            names[i] = new_name(s, v, t->params[i]);
            if (!names[i] || v->n == 2 * MAX_PARAMS) return NULL;
            v->types[v->n] = t->params[i];
            v->names[v->n++] = names[i];
        }
        text = arena_printf(s->arena, "%s%s%s", text, i ? ", " : "", names[i]);
    }
    return arena_printf(s->arena, "(%s)", text);
}

static bool is_primary(const Ast *n)
{
    while (n->kind == AST_CONVERT) n = n->convert.operand;
    return n->kind == AST_NAME_REF || n->kind == AST_CALL || n->kind == AST_INDEX ||
           n->kind == AST_MEMBER;
}

/* Widens the place of an operand by the parentheses around it, but not by those of a call. */
static bool in_parens(const char *text, Loc *at)
{
    if (!at->begin || text[at->begin - 1] != '(' || text[at->end] != ')') return false;
    if (at->begin > 1 &&
        (isalnum((unsigned char)text[at->begin - 2]) || strchr("_)]", text[at->begin - 2])))
        return false;
    at->begin--;
    at->end++;
    return true;
}

static const Type *longest(Ast *const *args, int n)
{
    const Type *t = NULL;
    for (int i = 0; i < n; i++)
        if (type_is_functional(args[i]->type) && (!t || args[i]->type->nparams > t->nparams))
            t = args[i]->type;
    return t;
}

/* The operation with its operands applied to variables: "let(i, j) m(i, j) + v(j)"; NULL if it is
 * too long for a note. */
static const char *example(Sema *s, Loc loc, Ast *const *args, int n)
{
    const Source *src = sources_get(s->sources, loc.file);
    Variables v = {0};
    const char *text = "", *binders = "";
    uint32_t at = loc.begin;
    applied(s, &v, longest(args, n)); /* has the variables, the others share them */
    for (int i = 0; i < n; i++) {
        Loc a = args[i]->loc;
        if (!type_is_functional(args[i]->type)) continue;
        bool parens = !is_primary(args[i]) && !in_parens(src->text, &a);
        if (a.file != loc.file || a.begin < at || a.end > loc.end) return NULL;
        const char *vars = applied(s, &v, args[i]->type);
        if (!vars) return NULL;
        text = arena_printf(s->arena, parens ? "%s%.*s(%.*s)%s" : "%s%.*s%.*s%s", text,
                            (int)(a.begin - at), src->text + at, (int)(a.end - a.begin),
                            src->text + a.begin, vars);
        at = a.end;
    }
    text = arena_printf(s->arena, "%s%.*s", text, (int)(loc.end - at), src->text + at);
    for (int i = 0; i < v.n; i++) {
        bool typed = v.types[i] != s->integer;
        binders = arena_printf(s->arena, "%s%s%s%s%s", binders, i ? ", " : "",
                               typed ? type_text(s->arena, v.types[i]) : "", typed ? " " : "",
                               v.names[i]);
    }
    bool plain = strlen(text) <= LONGEST_EXAMPLE && !strchr(text, '\n');
    return plain ? arena_printf(s->arena, "let(%s) %s", binders, text) : NULL;
}

static void report_overlap(Sema *s, Loc loc, Ast *const *args, int n, const Type *a, const Type *b)
{
    report(s, loc, PARTIAL_OVERLAP, "the parameters of '%s' and '%s' overlap only partly",
           type_text(s->arena, a), type_text(s->arena, b));
    const char *text = s->quiet ? NULL : example(s, loc, args, n);
    report_note(s, NOWHERE, "bound variables say which parameter is which: %s",
                text ? text : "let(i, j) ...");
}

/* ---- merging -------------------------------------------------------------------------------- */

/* The parameters of a promoted operation: equal lists are one, disjoint ones follow each other.
 * False after a report of a partial overlap. */
static bool merge_params(Sema *s, Loc loc, Ast *const *args, int n, const Type **params,
                         int *nparams)
{
    *nparams = 0;
    for (int i = 0; i < n; i++) {
        const Type *t = args[i]->type;
        if (!type_is_functional(t)) continue;
        bool merged = false;
        for (int j = 0; j < i && !merged; j++) {
            const Type *o = args[j]->type;
            if (!type_is_functional(o)) continue;
            if (type_same_params(t, o)) {
                merged = true;
            } else if (share_type(t, o)) {
                report_overlap(s, loc, args, n, o, t);
                return false;
            }
        }
        if (merged) continue;
        if (*nparams + t->nparams > FD_MAX_RANK) {
            report(s, loc, NOT_SUPPORTED, "this would be a function of more than %d parameters",
                   FD_MAX_RANK);
            return false;
        }
        for (int j = 0; j < t->nparams; j++) params[(*nparams)++] = t->params[j];
    }
    return true;
}

const Type *promoted_type(Sema *s, Loc loc, const Type *result, Ast *const *args, int n)
{
    const Type *params[MAX_PARAMS];
    int nparams;
    if (!merge_params(s, loc, args, n, params, &nparams)) return s->error;
    return type_func(s->types, result, nparams, params);
}

const Type *promoted_call(Sema *s, Loc loc, const Type *result, const Candidate *c, Ast *instance,
                          AstList args)
{
    Ast *operands[MAX_PARAMS + 1];
    int n = 0;
    if (instance) operands[n++] = instance;
    for (int i = 0; i < args.len && i < MAX_PARAMS; i++)
        if (!type_is_functional(c->params[i])) operands[n++] = args.data[i];
    return promoted_type(s, loc, result, operands, n);
}
