/* Another name for what this file declares. */
#include <string.h>

#include "../../base/mem.h"
#include "features.h"

static const Symbol *renamed(Request *r, int *token)
{
    const Symbol *sym = analysis_symbol(r->analysis, r->offset, token);
    if (!sym || !sym->loc.end)
        r->error = "nothing that can have another name is here";
    else if (sym->library)
        r->error = "it is part of the library";
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

/* A file with the new name in it. */
typedef struct Change {
    Document *document;
    const Analysis *before;
    Text text;
    json_t *edits;
} Change;

typedef VEC(Change) Changes;

/* Does the text still mean what it meant? Names can hide one another. */
static bool is_as_good(const Change *c, const Around *around)
{
    Analysis *a = analysis_new(c->document->path, c->text.data, c->text.len, around);
    int marks = 0;
    for (size_t t = 0; t < a->tokens.list.len; t++) marks += a->marks[t].sym != NULL;
    for (size_t t = 0; t < c->before->tokens.list.len; t++)
        marks -= c->before->marks[t].sym != NULL;
    bool good = diags_errors(a->diags) <= diags_errors(c->before->diags) && marks == 0;
    analysis_free(a);
    return good;
}

/* All of them at once, beside what else is open. */
static bool are_as_good(const Request *r, const Changes *changes)
{
    VEC(SourceGiven) given = {0};
    for (size_t i = 0; i < changes->len; i++) {
        const Change *c = &changes->data[i];
        vec_push(&given, ((SourceGiven){c->document->real, c->text.data, c->text.len}));
    }
    Around around = workspace_around(r->workspace);
    for (size_t i = 0; i < around.ngiven; i++) vec_push(&given, around.given[i]);
    around.given = given.data;
    around.ngiven = given.len;
    bool good = changes->len > 0;
    for (size_t i = 0; i < changes->len && good; i++) good = is_as_good(&changes->data[i], &around);
    vec_free(&given);
    return good;
}

/* Nothing, if the file does not name it. */
static void change(Request *r, Uses *u, size_t file, const char *name, Changes *out)
{
    Document *d = u->files.data[file];
    Change c = {d, workspace_analyse(r->workspace, d), {0}, NULL};
    uint32_t from = 0;
    for (int t = 0; (t = uses_next(u, c.before, file, t)) >= 0; t++) {
        const Token *k = &c.before->tokens.list.data[t];
        if (!c.edits) c.edits = json_array();
        text_addn(&c.text, d->text.data + from, k->begin - from);
        text_add(&c.text, name);
        from = k->end;
        json_array_append_new(
            c.edits,
            json_pack("{s:o, s:s}", "range", document_range(d, k->begin, k->end), "newText", name));
    }
    if (!c.edits) return;
    text_addn(&c.text, d->text.data + from, d->text.len - from);
    vec_push(out, c);
}

json_t *feature_rename(Request *r)
{
    int token;
    const char *name = json_string_value(json_object_get(r->params, "newName"));
    const Symbol *sym = renamed(r, &token);
    if (sym && (!name || !is_name(name))) r->error = "that is no name";
    if (r->error) return NULL;
    Changes all = {0};
    Uses u;
    uses_begin(&u, r, sym);
    for (size_t i = 0; i < u.files.len; i++) change(r, &u, i, name, &all);
    if (!are_as_good(r, &all)) r->error = "another meaning of that name is in the way";
    json_t *changes = json_object();
    for (size_t i = 0; i < all.len; i++) {
        Change *c = &all.data[i];
        json_object_set_new(changes, c->document->uri, c->edits);
        text_free(&c->text);
    }
    vec_free(&all);
    uses_end(&u);
    json_t *result = json_pack("{s:o}", "changes", changes);
    if (!r->error) return result;
    json_decref(result);
    return NULL;
}
