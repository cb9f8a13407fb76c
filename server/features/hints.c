/* Types that are not written, and domains, shown behind the names. */
#include <string.h>

#include "../../sema/describe.h"
#include "features.h"

typedef struct Hints {
    const Request *r;
    json_t *list;
    uint32_t begin, end;
} Hints;

static void add(const Hints *h, const Symbol *sym, bool typed)
{
    if (!sym || !sym->type || sym->loc.file != 0 || !sym->loc.end) return;
    if (sym->type->kind == TY_ERROR || sym->type->kind == TY_GROUP || sym->name[0] == '$') return;
    const Analysis *a = h->r->analysis;
    int token = -1;
    for (int t = analysis_token(a, sym->loc.begin); t >= 0 && t < (int)a->tokens.list.len; t++) {
        if (a->tokens.list.data[t].begin > h->end) return;
        if (a->marks[t].sym != sym) continue;
        token = t;
        break;
    }
    if (token < 0 || a->tokens.list.data[token].begin < h->begin) return;
    Text label = {0};
    if (!typed) {
        text_add(&label, ": ");
        type_print(&label, sym->type);
    }
    if (a->sema) sema_describe_domain(&label, a->sema, sym);
    if (label.len)
        json_array_append_new(
            h->list, json_pack("{s:o, s:s, s:i}", "position",
                               document_position(h->r->document, a->tokens.list.data[token].end),
                               "label", label.data, "kind", 1));
    text_free(&label);
}

static bool is_var(const Ast *type)
{
    return !type || type->kind == AST_TYPE_VAR;
}

static void hint_tree(Ast **slot, void *ctx)
{
    Ast *n = *slot;
    const Hints *h = ctx;
    if (!n ||
        (n->loc.file == 0 && n->loc.end > 0 && (n->loc.begin > h->end || n->loc.end < h->begin)))
        return;
    if (n->kind == AST_VAR_DECL && !n->var_decl.is_const)
        for (int i = 0; i < n->var_decl.vars.len; i++)
            add(h, n->var_decl.vars.data[i]->sym, !is_var(n->var_decl.vtype));
    if (n->kind == AST_DEFINE) add(h, n->sym, !is_var(n->define.vtype));
    if (n->kind == AST_FOREACH && is_var(n->foreach_.vtype)) add(h, n->sym, false);
    ast_each_child(n, hint_tree, ctx);
}

json_t *feature_hints(Request *r)
{
    const json_t *range = json_object_get(r->params, "range");
    Hints h = {r, json_array(), 0, (uint32_t)r->document->text.len};
    if (range) {
        h.begin = document_offset(r->document, json_object_get(range, "start"));
        h.end = document_offset(r->document, json_object_get(range, "end"));
    }
    AstList *lists[] = {&r->analysis->unit->unit.decls, &r->analysis->unit->unit.stmts};
    for (size_t k = 0; k < 2; k++)
        for (int i = 0; i < lists[k]->len; i++) hint_tree(&lists[k]->data[i], &h);
    return h.list;
}
