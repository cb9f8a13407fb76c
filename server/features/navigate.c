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

/* The place of a declaration, in whatever file, or NULL: it has none that an editor can open. */
static json_t *location(const Request *r, Loc loc)
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
    json_t *where = sym ? location(r, sym->loc) : NULL;
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

void uses_begin(Uses *u, Request *r, const Symbol *sym)
{
    *u = (Uses){.sym = sym};
    u->shared = place_of(r->analysis, sym, &u->place);
    if (u->shared)
        workspace_find(r->workspace, r->document, &u->place, &u->files);
    else
        vec_push(&u->files, r->document);
}

void uses_end(Uses *u)
{
    workspace_found_free(&u->files);
}

int uses_next(Uses *u, const Analysis *a, size_t file, int t)
{
    if (u->last != a) u->declared = u->shared ? place_file(a, &u->place) : 0;
    u->last = a;
    for (int n = (int)a->tokens.list.len; t < n; t++) {
        const Symbol *sym = a->marks[t].sym;
        if (file == 0 ? sym && analysis_same(sym, u->sym)
                      : u->declared >= 0 && place_is(a, (size_t)t, &u->place, u->declared))
            return t;
    }
    return -1;
}

json_t *feature_references(Request *r)
{
    int token;
    const Symbol *sym = analysis_symbol(r->analysis, r->offset, &token);
    bool all =
        json_is_true(json_object_get(json_object_get(r->params, "context"), "includeDeclaration"));
    json_t *list = json_array();
    if (!sym) return list;
    Uses u;
    uses_begin(&u, r, sym);
    for (size_t i = 0; i < u.files.len; i++) {
        Document *d = u.files.data[i];
        const Analysis *a = workspace_analyse(r->workspace, d);
        for (int t = 0; (t = uses_next(&u, a, i, t)) >= 0; t++) {
            const Token *k = &a->tokens.list.data[t];
            const Loc *own = &a->marks[t].sym->loc;
            if (!all && own->file == 0 && k->begin >= own->begin && k->end <= own->end) continue;
            json_array_append_new(list, json_pack("{s:s, s:o}", "uri", d->uri, "range",
                                                  document_range(d, k->begin, k->end)));
        }
    }
    uses_end(&u);
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
