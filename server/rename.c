/* Another name for what this file declares. */
#include <string.h>

#include "../base/mem.h"
#include "features.h"

static const Symbol *renamed(Request *r, int *token)
{
    const Symbol *sym = analysis_symbol(r->analysis, r->offset, token);
    if (!sym || !sym->loc.end)
        r->error = "nothing that can have another name is here";
    else if (sym->loc.file != 0)
        r->error = "it is declared in another file";
    else if (sym->is_ctor || strncmp(sym->name, "operator", 8) == 0)
        r->error = "it has its name from its class";
    return r->error ? NULL : sym;
}

json_t *feature_prepare_rename(Request *r)
{
    int token;
    return renamed(r, &token) ? feature_range(r, token) : NULL;
}

/* One word that is no keyword. */
static bool is_name(const char *text)
{
    Arena *arena = arena_new();
    Interner *names = interner_new();
    Sources *sources = sources_new();
    Diags *diags = diags_new(sources);
    Tokens tokens = {0};
    sources_add(sources, "name", text, strlen(text));
    lexer_scan(&tokens, sources, 0, diags, names, arena);
    bool is = tokens.list.len == 2 && tokens.list.data[0].kind == TOK_NAME &&
              tokens.list.data[0].end == strlen(text) && diags_errors(diags) == 0;
    tokens_free(&tokens);
    diags_free(diags);
    sources_free(sources);
    interner_free(names);
    arena_free(arena);
    return is;
}

/* Does the text still mean what it meant? Names can hide one another. */
static bool is_as_good(const Request *r, const Text *text, int uses)
{
    Analysis *a = analysis_new(r->document->path, text->data, text->len, r->folders, r->nfolders);
    int errors = diags_errors(r->analysis->diags), marks = 0;
    for (size_t t = 0; t < a->tokens.list.len; t++) marks += a->marks[t].sym != NULL;
    for (size_t t = 0; t < r->analysis->tokens.list.len; t++)
        marks -= r->analysis->marks[t].sym != NULL;
    bool good = diags_errors(a->diags) <= errors && marks == 0 && uses > 0;
    analysis_free(a);
    return good;
}

json_t *feature_rename(Request *r)
{
    int token, uses = 0;
    const char *name = json_string_value(json_object_get(r->params, "newName"));
    const Symbol *sym = renamed(r, &token);
    if (sym && (!name || !is_name(name))) r->error = "that is no name";
    if (r->error) return NULL;
    const Text *old = &r->document->text;
    Text text = {0};
    uint32_t from = 0;
    json_t *edits = json_array();
    for (size_t t = 0; t < r->analysis->tokens.list.len; t++) {
        const Token *k = &r->analysis->tokens.list.data[t];
        if (!analysis_same(r->analysis->marks[t].sym, sym)) continue;
        text_addn(&text, old->data + from, k->begin - from);
        text_add(&text, name);
        from = k->end;
        uses++;
        json_array_append_new(
            edits, json_pack("{s:o, s:s}", "range", feature_range(r, (int)t), "newText", name));
    }
    text_addn(&text, old->data + from, old->len - from);
    if (!is_as_good(r, &text, uses)) r->error = "another meaning of that name is in the way";
    text_free(&text);
    json_t *changes = json_object();
    json_object_set_new(changes, r->document->uri, edits);
    json_t *result = json_pack("{s:o}", "changes", changes);
    if (!r->error) return result;
    json_decref(result);
    return NULL;
}
