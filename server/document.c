/* Texts, their edits and their positions. */
#include "document.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"

/* ---- names ---------------------------------------------------------------------------------- */

static const char scheme[] = "file://";

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : isxdigit((unsigned char)c) ? tolower(c) - 'a' + 10 : -1;
}

char *uri_to_path(const char *uri)
{
    Text path = {0};
    const char *at = strncmp(uri, scheme, sizeof scheme - 1) == 0 ? uri + sizeof scheme - 1 : uri;
    for (bool coded = at != uri; *at; at++) {
        int high = coded && *at == '%' ? hex(at[1]) : -1, low = high >= 0 ? hex(at[2]) : -1;
        char c = low >= 0 ? (char)(high * 16 + low) : *at;
        if (low >= 0) at += 2;
        text_addn(&path, &c, 1);
    }
    text_add(&path, "");
    return path.data ? text_take(&path) : mem_alloc(1);
}

json_t *uri_from_path(const char *path)
{
    Text uri = {0};
    text_add(&uri, scheme);
    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;
        if (isalnum(c) || strchr("/-_.~$", c))
            text_addn(&uri, path, 1);
        else
            text_printf(&uri, "%%%02X", c);
    }
    json_t *result = json_string(uri.data);
    text_free(&uri);
    return result;
}

/* ---- positions ------------------------------------------------------------------------------ */

/* Bytes of the character that begins with c, and its UTF-16 units. */
static uint32_t width(char c)
{
    unsigned char u = (unsigned char)c;
    return u >= 0xF0 ? 4 : u >= 0xE0 ? 3 : u >= 0xC0 ? 2 : 1;
}
static uint32_t units(char c)
{
    return width(c) == 4 ? 2 : 1;
}

uint32_t document_offset(const Document *d, const json_t *position)
{
    json_int_t line = json_integer_value(json_object_get(position, "line")),
               left = json_integer_value(json_object_get(position, "character"));
    uint32_t end = (uint32_t)d->text.len;
    if (line < 0 || (size_t)line >= d->lines.len) return line < 0 ? 0 : end;
    uint32_t at = d->lines.data[line];
    while (left > 0 && at < end && d->text.data[at] != '\n' && d->text.data[at] != '\r') {
        left -= units(d->text.data[at]);
        at += width(d->text.data[at]);
    }
    return at < end ? at : end;
}

json_t *document_position(const Document *d, uint32_t offset)
{
    size_t lo = 0, hi = d->lines.len; /* the line is in [lo, hi) */
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (d->lines.data[mid] <= offset)
            lo = mid;
        else
            hi = mid;
    }
    uint32_t at = d->lines.data[lo], column = 0;
    while (at < offset && at < d->text.len) {
        column += units(d->text.data[at]);
        at += width(d->text.data[at]);
    }
    return json_pack("{s:I, s:I}", "line", (json_int_t)lo, "character", (json_int_t)column);
}

json_t *document_range(const Document *d, uint32_t begin, uint32_t end)
{
    return json_pack("{s:o, s:o}", "start", document_position(d, begin), "end",
                     document_position(d, end));
}

/* ---- texts ---------------------------------------------------------------------------------- */

void document_forget(Document *d)
{
    if (d->now != d->parsed) analysis_free(d->now);
    d->now = NULL;
}

static void find_lines(Document *d)
{
    d->lines.len = 0;
    vec_push(&d->lines, 0);
    for (size_t i = 0; i < d->text.len; i++)
        if (d->text.data[i] == '\n') vec_push(&d->lines, (uint32_t)i + 1);
}

void document_set(Document *d, const char *text, size_t len)
{
    document_forget(d);
    d->text.len = 0;
    text_addn(&d->text, text, len);
    find_lines(d);
}

Document *document_open(const char *uri, const char *text, size_t len)
{
    Document *d = mem_alloc(sizeof *d);
    Text name = {0};
    text_add(&name, uri);
    d->uri = text_take(&name);
    d->path = uri_to_path(uri);
    char *real = realpath(d->path, NULL);
    text_add(&name, real ? real : d->path);
    d->real = text_take(&name);
    free(real);
    document_set(d, text, len);
    return d;
}

void document_close(Document *d)
{
    document_forget(d);
    analysis_free(d->parsed);
    text_free(&d->text);
    vec_free(&d->lines);
    mem_free(d->uri);
    mem_free(d->path);
    mem_free(d->real);
    mem_free(d);
}

bool document_change(Document *d, const json_t *change)
{
    const json_t *text = json_object_get(change, "text"), *range = json_object_get(change, "range");
    if (!json_is_string(text)) return false;
    const char *with = json_string_value(text);
    size_t len = json_string_length(text);
    if (!range) {
        document_set(d, with, len);
        return true;
    }
    uint32_t begin = document_offset(d, json_object_get(range, "start")),
             end = document_offset(d, json_object_get(range, "end"));
    if (end < begin) return false;
    Text whole = {0};
    text_addn(&whole, d->text.data ? d->text.data : "", begin);
    text_addn(&whole, with, len);
    text_addn(&whole, d->text.data ? d->text.data + end : "", d->text.len - end);
    document_set(d, whole.data ? whole.data : "", whole.len);
    text_free(&whole);
    return true;
}

const Analysis *document_analyse(Document *d, const Around *around)
{
    if (d->now) return d->now;
    d->now = analysis_new(d->path, d->text.data ? d->text.data : "", d->text.len, around);
    if (analysis_parsed(d->now)) {
        analysis_free(d->parsed);
        d->parsed = d->now;
    }
    return d->now;
}
