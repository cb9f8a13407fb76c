/* Completion: what may be written at the cursor (names.h), and keywords. */
#include <string.h>

#include "names.h"

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

typedef struct Items {
    json_t *list, *seen; /* seen: names, as keys */
} Items;

static int item_kind(const SemaName *n)
{
    switch (n->kind) {
    case SYM_FUNC:
    case SYM_BUILTIN: return (n->sym && n->sym->cls) || n->row >= 0 ? ITEM_METHOD : ITEM_FUNCTION;
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
    if (json_object_get(items->seen, name)) return;
    json_t *item = json_pack("{s:s, s:i}", "label", name, "kind", kind);
    if (!item) return;
    if (detail && *detail) json_object_set_new(item, "detail", json_string(detail));
    json_array_append_new(items->list, item);
    json_object_set_new(items->seen, name, json_true());
}

static void add_name(void *ctx, const SemaName *n)
{
    Text detail = {0};
    if (n->sym)
        sema_describe(&detail, n->sym);
    else if (n->row >= 0)
        sema_describe_row(&detail, n->row);
    add_item(ctx, n->name, item_kind(n), detail.data);
    text_free(&detail);
}

json_t *feature_complete(Request *r)
{
    const Text *text = &r->document->text;
    uint32_t from = r->offset, to = r->offset;
    while (from > 0 && text_is_letter(text->data[from - 1])) from--;
    while (to < text->len && text_is_letter(text->data[to])) to++;
    Items items = {json_array(), json_object()};
    NamesKind kind = names_at(r, from, to, add_name, &items);
    for (int k = 0; k < SC_COUNT && kind == NAMES_ALL; k++)
        add_item(&items, scalar_name((ScalarKind)k), ITEM_KEYWORD, NULL);
    for (int k = 0; k < TOK_COUNT && kind == NAMES_ALL; k++)
        if (token_class((TokenKind)k) == TOKEN_K || token_class((TokenKind)k) == TOKEN_M)
            add_item(&items, token_text((TokenKind)k), ITEM_KEYWORD, NULL);
    json_decref(items.seen);
    return json_pack("{s:b, s:o}", "isIncomplete", 0, "items", items.list);
}
