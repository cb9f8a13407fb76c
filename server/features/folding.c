/* Parts of a text that can be folded: braces over several lines, comments and usings that follow each other. */
#include <ctype.h>
#include <string.h>

#include "features.h"

static void add(json_t *list, size_t first, size_t last, const char *kind)
{
    if (last <= first) return;
    json_t *range =
        json_pack("{s:I, s:I}", "startLine", (json_int_t)first, "endLine", (json_int_t)last);
    if (range && kind) json_object_set_new(range, "kind", json_string(kind));
    json_array_append_new(list, range);
}

static size_t line_of(const Document *d, uint32_t offset)
{
    json_t *at = document_position(d, offset);
    json_int_t line = json_integer_value(json_object_get(at, "line"));
    json_decref(at);
    return (size_t)line;
}

/* The line of the closing brace stays in sight. */
static void add_braces(const Request *r, json_t *list)
{
    const Tokens *tokens = &r->analysis->tokens;
    VEC(size_t) open = {0};
    for (size_t t = 0; t < tokens->list.len; t++) {
        const Token *k = &tokens->list.data[t];
        if (k->kind == TOK_LBRACE) vec_push(&open, line_of(r->document, k->begin));
        if (k->kind != TOK_RBRACE || open.len == 0) continue;
        size_t first = open.data[--open.len], end = line_of(r->document, k->begin);
        if (end > 0) add(list, first, end - 1, NULL);
    }
    vec_free(&open);
}

/* Does a line begin with these letters? */
static bool begins_with(const Document *d, size_t line, const char *what)
{
    size_t at = d->lines.data[line], n = strlen(what);
    while (at < d->text.len && (d->text.data[at] == ' ' || d->text.data[at] == '\t')) at++;
    if (at + n > d->text.len || memcmp(d->text.data + at, what, n) != 0) return false;
    return !isalpha((unsigned char)what[0]) || at + n == d->text.len ||
           isspace((unsigned char)d->text.data[at + n]);
}

static void add_runs(const Document *d, json_t *list, const char *what, const char *kind)
{
    for (size_t line = 0, first; line < d->lines.len; line++) {
        if (!begins_with(d, line, what)) continue;
        for (first = line; line + 1 < d->lines.len && begins_with(d, line + 1, what);) line++;
        add(list, first, line, kind);
    }
}

json_t *feature_folding(Request *r)
{
    json_t *list = json_array();
    add_braces(r, list);
    add_runs(r->document, list, "//", "comment");
    add_runs(r->document, list, "using", "imports");
    return list;
}
