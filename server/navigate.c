/* Where a name is declared and used. */
#include <string.h>

#include "features.h"

json_t *feature_range(const Request *r, int token)
{
    const Token *t = &r->analysis->tokens.list.data[token];
    return document_range(r->document, t->begin, t->end);
}

/* A range of another file, whose text the sources have: as document_range, without a document. */
static json_t *foreign_range(const Source *s, Loc loc)
{
    Document other = {.text = {.data = (char *)(uintptr_t)s->text, .len = s->len}};
    vec_push(&other.lines, 0);
    for (size_t i = 0; i < s->len; i++)
        if (s->text[i] == '\n') vec_push(&other.lines, (uint32_t)i + 1);
    json_t *range = document_range(&other, loc.begin, loc.end);
    vec_free(&other.lines);
    return range;
}

json_t *feature_location(const Request *r, Loc loc)
{
    const Source *s = sources_get(r->analysis->sources, loc.file);
    if (!s || !loc.end || s->library) return NULL;
    if (loc.file == 0)
        return json_pack("{s:s, s:o}", "uri", r->document->uri, "range",
                         document_range(r->document, loc.begin, loc.end));
    return json_pack("{s:o, s:o}", "uri", uri_from_path(s->path), "range", foreign_range(s, loc));
}

json_t *feature_definition(Request *r)
{
    int token;
    const Symbol *sym = analysis_symbol(r->analysis, r->offset, &token);
    json_t *where = sym ? feature_location(r, sym->loc) : NULL;
    if (!where) return json_null();
    if (sym->loc.file == 0) /* the name, of a declaration whose place is the whole of it */
        for (size_t t = 0; t < r->analysis->tokens.list.len; t++) {
            const Token *k = &r->analysis->tokens.list.data[t];
            if (k->begin < sym->loc.begin || r->analysis->marks[t].sym == NULL) continue;
            if (!analysis_same(r->analysis->marks[t].sym, sym)) continue;
            json_object_set_new(where, "range", feature_range(r, (int)t));
            break;
        }
    return where;
}

static bool is_use(const Request *r, size_t t, const Symbol *sym)
{
    return r->analysis->marks[t].sym && analysis_same(r->analysis->marks[t].sym, sym);
}

static bool is_declaration(const Request *r, size_t t, const Symbol *sym)
{
    const Token *k = &r->analysis->tokens.list.data[t];
    return sym->loc.file == 0 && k->begin >= sym->loc.begin && k->end <= sym->loc.end;
}

json_t *feature_references(Request *r)
{
    int token;
    const Symbol *sym = analysis_symbol(r->analysis, r->offset, &token);
    bool all =
        json_is_true(json_object_get(json_object_get(r->params, "context"), "includeDeclaration"));
    json_t *list = json_array();
    for (size_t t = 0; sym && t < r->analysis->tokens.list.len; t++)
        if (is_use(r, t, sym) && (all || !is_declaration(r, t, sym)))
            json_array_append_new(list, json_pack("{s:s, s:o}", "uri", r->document->uri, "range",
                                                  feature_range(r, (int)t)));
    return list;
}

json_t *feature_highlight(Request *r)
{
    int token;
    const Symbol *sym = analysis_symbol(r->analysis, r->offset, &token);
    json_t *list = json_array();
    for (size_t t = 0; sym && t < r->analysis->tokens.list.len; t++)
        if (is_use(r, t, sym))
            json_array_append_new(list, json_pack("{s:o}", "range", feature_range(r, (int)t)));
    return list;
}
