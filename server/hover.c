/* What a name is: its declaration, domain and comment; and the parameters of the call around the cursor. */
#include <string.h>

#include "../sema/describe.h"
#include "features.h"

/* ---- hover ---------------------------------------------------------------------------------- */

/* What becomes of a value when the program runs. */
static const char *fate(const Symbol *sym)
{
    if (sym->kind != SYM_LOCAL || !sym->type || type_is_hosted(sym->type)) return NULL;
    if (sym->type->kind == TY_ARRAY) return "An array: evaluated once, kept in memory.";
    return sym->type->kind == TY_FUNC ? "A function: not stored; it becomes part of what reads it."
                                      : NULL;
}

json_t *feature_hover(Request *r)
{
    int token;
    const Analysis *a = r->analysis;
    const Symbol *sym = analysis_symbol(a, r->offset, &token);
    const Type *type = token >= 0 ? a->marks[token].type : NULL;
    if (!sym && (!type || type->kind == TY_ERROR || type->kind == TY_GROUP)) return json_null();
    Text t = {0};
    text_add(&t, "```csharp\n");
    if (sym)
        sema_describe(&t, sym);
    else
        type_print(&t, type);
    if (sym && a->sema) sema_describe_domain(&t, a->sema, sym);
    text_add(&t, "\n```\n");
    if (sym) {
        int overloads = 0;
        for (const Symbol *s = sym->kind == SYM_FUNC ? sym->next : NULL; s; s = s->next)
            overloads++;
        if (overloads) text_printf(&t, "and %d more of this name\n\n", overloads);
        sema_describe_comment(&t, a->sources, sym, "//");
        if (fate(sym)) text_printf(&t, "\n%s\n", fate(sym));
        if (sym->kind == SYM_FUNC && sym->impure)
            text_printf(&t, "\nNot for kernels: it %s.\n", sym->impure);
    }
    json_t *result = json_pack("{s:{s:s, s:s}, s:o}", "contents", "kind", "markdown", "value",
                               t.data, "range", feature_range(r, token));
    text_free(&t);
    return result ? result : json_null();
}

/* ---- signatures ----------------------------------------------------------------------------- */

static TokenKind kind_of(const Analysis *a, int t)
{
    return (TokenKind)a->tokens.list.data[t].kind;
}

/* The token before the innermost parenthesis that is open at the offset, and the commas since. */
static int open_call(const Analysis *a, uint32_t offset, int *argument)
{
    int depth = 0;
    *argument = 0;
    for (int t = analysis_token_before(a, offset); t > 0; t--) {
        TokenKind k = kind_of(a, t);
        if (k == TOK_SEMI || k == TOK_LBRACE || k == TOK_RBRACE) return -1;
        if (token_closes(k)) depth++;
        if (k == TOK_COMMA && depth == 0) ++*argument;
        if (k != TOK_LPAREN && k != TOK_LBRACKET) continue;
        if (depth-- > 0) continue;
        return k == TOK_LPAREN ? t - 1 : -1;
    }
    return -1;
}

static json_t *signature_of(const Analysis *a, const Symbol *sym, int argument)
{
    Text label = {0}, comment = {0};
    json_t *params = json_array();
    size_t begin, end;
    sema_describe(&label, sym);
    sema_describe_comment(&comment, a->sources, sym, "//");
    for (int i = 0; sema_describe_param(sym, i, &begin, &end); i++)
        json_array_append_new(params,
                              json_pack("{s:[I, I]}", "label", (json_int_t)begin, (json_int_t)end));
    json_t *result = json_pack("{s:s, s:o, s:i}", "label", label.data ? label.data : "",
                               "parameters", params, "activeParameter", argument);
    if (result && comment.len)
        json_object_set_new(result, "documentation", json_string(comment.data));
    text_free(&label);
    text_free(&comment);
    return result;
}

/* Of a symbol that the tree no longer names, since the call is half written: the newest one. */
static const Symbol *named_before(const Request *r, int token)
{
    const Analysis *a = r->analysis, *old = r->document->parsed;
    const char *name = analysis_name(a, (size_t)token);
    if (a->marks[token].sym || !old || !name) return a->marks[token].sym;
    for (size_t t = 0; t < old->tokens.list.len; t++) {
        const char *other = analysis_name(old, t);
        if (other && old->marks[t].sym && strcmp(other, name) == 0) return old->marks[t].sym;
    }
    return NULL;
}

json_t *feature_signature(Request *r)
{
    int argument, token = open_call(r->analysis, r->offset, &argument);
    const Symbol *sym = token >= 0 ? named_before(r, token) : NULL;
    if (!sym) return json_null();
    json_t *all = json_array();
    if (sym->kind == SYM_TYPE && sym->cls) sym = sym->cls->ctors;
    for (; sym; sym = sym->kind == SYM_FUNC ? sym->next : NULL)
        if (sym->kind == SYM_FUNC || sym->kind == SYM_BUILTIN)
            json_array_append_new(all, signature_of(r->analysis, sym, argument));
    if (json_array_size(all) == 0) {
        json_decref(all);
        return json_null();
    }
    /* The first that has so many parameters. */
    size_t active = 0;
    while (active < json_array_size(all) &&
           json_array_size(json_object_get(json_array_get(all, active), "parameters")) <=
               (size_t)argument)
        active++;
    if (active == json_array_size(all)) active = 0;
    return json_pack("{s:o, s:I, s:i}", "signatures", all, "activeSignature", (json_int_t)active,
                     "activeParameter", argument);
}
