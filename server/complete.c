/* What may be written at the cursor: members behind a dot, else the names that are known there. The
 * text is analysed with a name put at the cursor, so that half a statement has a tree. */
#include <string.h>

#include "../base/mem.h"
#include "../sema/describe.h"
#include "features.h"

enum { /* CompletionItemKind of the protocol */
       ITEM_METHOD = 2,
       ITEM_FUNCTION = 3,
       ITEM_FIELD = 5,
       ITEM_VARIABLE = 6,
       ITEM_CLASS = 7,
       ITEM_MODULE = 9,
       ITEM_PROPERTY = 10,
       ITEM_KEYWORD = 14,
       ITEM_CONSTANT = 21
};

static const char placeholder[] = "name_at_the_cursor";

typedef struct Items {
    const Analysis *a;
    uint32_t offset;
    json_t *list, *seen; /* seen: names, as keys */
    bool members;
} Items;

static int item_kind(const Items *items, SymKind kind)
{
    switch (kind) {
    case SYM_FUNC:
    case SYM_BUILTIN: return items->members ? ITEM_METHOD : ITEM_FUNCTION;
    case SYM_FIELD: return ITEM_FIELD;
    case SYM_PROPERTY: return ITEM_PROPERTY;
    case SYM_TYPE: return ITEM_CLASS;
    case SYM_SPACE: return ITEM_MODULE;
    case SYM_CONST: return ITEM_CONSTANT;
    default: return ITEM_VARIABLE;
    }
}

static void add_item(Items *items, const char *name, int kind, const char *detail)
{
    if (!*name || strcmp(name, placeholder) == 0 || json_object_get(items->seen, name)) return;
    json_t *item = json_pack("{s:s, s:i}", "label", name, "kind", kind);
    if (!item) return;
    if (detail && *detail) json_object_set_new(item, "detail", json_string(detail));
    json_array_append_new(items->list, item);
    json_object_set_new(items->seen, name, json_true());
}

static void add_symbol(Items *items, const Symbol *sym)
{
    Text detail = {0};
    if (sym->name[0] == '$' || sym->is_ctor) return;
    sema_describe(&detail, sym);
    add_item(items, sym->name, item_kind(items, sym->kind), detail.data);
    text_free(&detail);
}

/* What is not public can be written within its class. */
static bool is_accessible(const Items *items, const Symbol *sym)
{
    if (!sym->cls || !items->members || sym->mods & AST_MOD_PUBLIC) return true;
    const Ast *c = sym->cls->decl;
    return c && c->loc.file == 0 && items->offset > c->loc.begin &&
           items->offset < analysis_end(items->a, c);
}

static void add_name(void *ctx, const SemaName *n)
{
    Text detail = {0};
    if (n->sym) {
        if (is_accessible(ctx, n->sym)) add_symbol(ctx, n->sym);
        return;
    }
    if (n->row >= 0) sema_describe_row(&detail, n->row);
    add_item(ctx, n->name, item_kind(ctx, n->kind), detail.data);
    text_free(&detail);
}

/* ---- behind a dot --------------------------------------------------------------------------- */

static void add_members(Items *items, const Mark *m)
{
    items->members = true;
    const Symbol *sym = m->sym;
    if (sym && sym->kind == SYM_SPACE) {
        sema_each_row(sym->name, add_name, items);
    } else if (sym && sym->kind == SYM_TYPE) {
        const Type *t = sym->cls ? sym->cls->type : sym->type;
        if (t) sema_each_member(t, true, add_name, items);
        sema_each_row(sym->name, add_name, items);
    } else if (m->type && m->type->kind != TY_ERROR && m->type->kind != TY_GROUP) {
        sema_each_member(m->type, false, add_name, items);
    }
}

/* What the same name means elsewhere in a text. */
static const Mark *mark_before(const Analysis *a, const char *name)
{
    for (size_t t = a ? a->tokens.list.len : 0; t-- > 0;) {
        const char *other = analysis_name(a, t);
        if (other && strcmp(other, name) == 0 && (a->marks[t].sym || a->marks[t].type))
            return &a->marks[t];
    }
    return NULL;
}

static void complete_member(const Request *r, const Analysis *a, int base, Items *items)
{
    const Mark *m = &a->marks[base];
    const char *name = analysis_name(a, (size_t)base);
    ScalarKind k;
    bool type = name && scalar_from_name(name, strlen(name), &k);
    if (type || (!m->sym && !m->type && name)) {
        m = type ? NULL : mark_before(a, name);
        if (!m && !type) m = mark_before(r->document->parsed, name);
        if (!m) { /* a class of the library, or a type's keyword */
            items->members = true;
            sema_each_row(name, add_name, items);
            return;
        }
    }
    add_members(items, m);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void complete_name(const Analysis *a, uint32_t offset, Items *items)
{
    for (size_t i = a->declared.len; i-- > 0;) { /* the innermost come last */
        const Declared *d = &a->declared.data[i];
        if (d->begin <= offset && offset <= d->end) add_symbol(items, d->sym);
    }
    for (int i = 0; i < a->unit->unit.imported.len; i++) {
        const Ast *d = a->unit->unit.imported.data[i];
        if (d->sym && d->sym->name && !strchr(d->sym->name, '_')) add_symbol(items, d->sym);
    }
    sema_each_row("", add_name, items);
    sema_each_space(add_name, items);
    for (int k = 0; k < SC_COUNT; k++)
        add_item(items, scalar_name((ScalarKind)k), ITEM_KEYWORD, NULL);
    for (int k = 0; k < TOK_COUNT; k++)
        if (token_class((TokenKind)k) == TOKEN_K || token_class((TokenKind)k) == TOKEN_M)
            add_item(items, token_text((TokenKind)k), ITEM_KEYWORD, NULL);
}

/* Within a comment or a string nothing is offered. */
static bool is_code(const Analysis *a, uint32_t offset)
{
    for (size_t t = 0; t < a->tokens.list.len; t++) {
        const Token *k = &a->tokens.list.data[t];
        if (k->begin == offset) return analysis_name(a, t) != NULL;
        if (k->begin > offset) return false;
    }
    return false;
}

json_t *feature_complete(Request *r)
{
    const Text *text = &r->document->text;
    uint32_t from = r->offset, to = r->offset;
    while (from > 0 && text_is_letter(text->data[from - 1])) from--;
    while (to < text->len && text_is_letter(text->data[to])) to++;
    Text patched = {0};
    text_addn(&patched, text->data ? text->data : "", from);
    text_add(&patched, placeholder);
    text_addn(&patched, text->data ? text->data + to : "", text->len - to);
    Around around = workspace_around(r->workspace);
    Analysis *a = analysis_new(r->document->path, patched.data, patched.len, &around);
    text_free(&patched);
    Items items = {a, from, json_array(), json_object(), false};
    int dot = analysis_token_before(a, from);
    if (is_code(a, from)) {
        bool member = dot > 0 && a->tokens.list.data[dot].kind == TOK_DOT;
        if (member)
            complete_member(r, a, dot - 1, &items);
        else
            complete_name(a, from, &items);
    }
    json_decref(items.seen);
    analysis_free(a);
    return json_pack("{s:b, s:o}", "isIncomplete", 0, "items", items.list);
}
