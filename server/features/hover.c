/* What a name is: its declaration, domain and comment. */
#include <string.h>

#include "../../sema/describe.h"
#include "features.h"

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
