/* The declarations of a file as a tree. */
#include <ctype.h>
#include <string.h>

#include "../../sema/describe.h"
#include "features.h"

enum { /* SymbolKind of the protocol */
       KIND_CLASS = 5,
       KIND_METHOD = 6,
       KIND_PROPERTY = 7,
       KIND_FIELD = 8,
       KIND_CONSTRUCTOR = 9,
       KIND_ENUM = 10,
       KIND_INTERFACE = 11,
       KIND_FUNCTION = 12,
       KIND_VARIABLE = 13,
       KIND_CONSTANT = 14,
       KIND_ENUM_MEMBER = 22
};

/* The token of the name in a declaration: the first of that name. */
static json_t *name_range(const Request *r, const Ast *n, const char *name)
{
    const Analysis *a = r->analysis;
    uint32_t from =
        n->sym && n->sym->loc.file == 0 && n->sym->loc.end ? n->sym->loc.begin : n->loc.begin;
    for (size_t t = 0; t < a->tokens.list.len; t++) {
        const Token *k = &a->tokens.list.data[t];
        if (k->begin >= from && k->begin < analysis_end(a, n) && analysis_name(a, t) == name)
            return feature_range(r, (int)t);
    }
    return document_range(r->document, n->loc.begin, n->loc.end);
}

static json_t *add(const Request *r, json_t *list, const Ast *n, const char *name, int kind)
{
    if (!name || n->loc.file != 0 || n->loc.end <= n->loc.begin) return NULL;
    json_t *item =
        json_pack("{s:s, s:i, s:o, s:o}", "name", *name ? name : "?", "kind", kind, "range",
                  document_range(r->document, n->loc.begin, analysis_end(r->analysis, n)),
                  "selectionRange", name_range(r, n, name));
    if (!item) return NULL;
    Text detail = {0};
    if (n->sym) sema_describe(&detail, n->sym);
    if (detail.len) json_object_set_new(item, "detail", json_string(detail.data));
    text_free(&detail);
    json_array_append_new(list, item);
    return item;
}

static void add_declaration(const Request *r, json_t *list, const Ast *n, bool member);

static void add_members(const Request *r, json_t *item, const AstList *members)
{
    if (!item) return;
    json_t *children = json_array();
    for (int i = 0; i < members->len; i++) add_declaration(r, children, members->data[i], true);
    json_object_set_new(item, "children", children);
}

static void add_declaration(const Request *r, json_t *list, const Ast *n, bool member)
{
    switch (n->kind) {
    case AST_FUNC:
        add(r, list, n, n->func.name,
            n->sym && n->sym->is_ctor ? KIND_CONSTRUCTOR
            : member                  ? KIND_METHOD
                                      : KIND_FUNCTION);
        return;
    case AST_CTOR: add(r, list, n, n->ctor.name, KIND_CONSTRUCTOR); return;
    case AST_PROPERTY: add(r, list, n, n->property.name, KIND_PROPERTY); return;
    case AST_CLASS:
        add_members(r,
                    add(r, list, n, n->class_.name,
                        n->class_.mods & AST_MOD_INTERFACE ? KIND_INTERFACE : KIND_CLASS),
                    &n->class_.members);
        return;
    case AST_ENUM:
        add_members(r, add(r, list, n, n->enum_.name, KIND_ENUM), &n->enum_.members);
        return;
    case AST_ENUM_MEMBER: add(r, list, n, n->enum_member.name, KIND_ENUM_MEMBER); return;
    case AST_TYPE_ALIAS: add(r, list, n, n->type_alias.name, KIND_CLASS); return;
    case AST_VAR_DECL:
        for (int i = 0; i < n->var_decl.vars.len; i++)
            if (n->var_decl.vars.data[i]->kind == AST_DECLARATOR)
                add(r, list, n->var_decl.vars.data[i], n->var_decl.vars.data[i]->declarator.name,
                    n->var_decl.is_const ? KIND_CONSTANT
                    : member             ? KIND_FIELD
                                         : KIND_VARIABLE);
        return;
    case AST_DEFINE: add(r, list, n, n->define.name, KIND_VARIABLE); return;
    default: return;
    }
}

/* Lowering may have put several statements into one. */
static void add_statements(const Request *r, json_t *list, const AstList *stmts)
{
    for (int i = 0; i < stmts->len; i++) {
        if (stmts->data[i]->kind == AST_TOGETHER)
            add_statements(r, list, &stmts->data[i]->together.stmts);
        else
            add_declaration(r, list, stmts->data[i], false);
    }
}

json_t *feature_outline(Request *r)
{
    json_t *list = json_array();
    const AstList *decls = &r->analysis->unit->unit.decls;
    for (int i = 0; i < decls->len; i++) add_declaration(r, list, decls->data[i], false);
    add_statements(r, list, &r->analysis->unit->unit.stmts);
    return list;
}

/* ---- of all files ---------------------------------------------------------------------------- */

/* Are these the letters of a name, in their order? */
static bool is_asked(const char *name, const char *query)
{
    for (; *name && *query; name++)
        query += tolower((unsigned char)*name) == tolower((unsigned char)*query);
    return *query == '\0';
}

/* A tree of symbols as the flat list that this request wants. */
static void flatten(json_t *list, const Document *d, const json_t *tree, const char *query,
                    const char *container)
{
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)(uintptr_t)tree, i, item)
    {
        const char *name = json_string_value(json_object_get(item, "name"));
        if (is_asked(name, query))
            json_array_append_new(list,
                                  json_pack("{s:s, s:O, s:s*, s:{s:s, s:O}}", "name", name, "kind",
                                            json_object_get(item, "kind"), "containerName",
                                            container, "location", "uri", d->uri, "range",
                                            json_object_get(item, "selectionRange")));
        flatten(list, d, json_object_get(item, "children"), query, name);
    }
}

json_t *feature_symbols(Request *r)
{
    const char *query = json_string_value(json_object_get(r->params, "query"));
    json_t *list = json_array();
    Documents all = {0};
    workspace_all(r->workspace, &all);
    for (size_t i = 0; i < all.len; i++) {
        Document *d = all.data[i];
        Request of = {.document = d, .analysis = workspace_analyse(r->workspace, d)};
        json_t *tree = feature_outline(&of);
        flatten(list, d, tree, query ? query : "", NULL);
        json_decref(tree);
    }
    workspace_found_free(&all);
    return list;
}
