/* The comment that belongs to a declaration: the lines over it, or what stands behind it. */
#include <string.h>

#include "../describe.h"

static void add_line(Text *out, const char *line, const char *end)
{
    while (line < end && strchr(" \t", *line)) line++;
    while (line < end && *line == '/') line++;
    if (line < end && *line == ' ') line++;
    while (line < end && strchr(" \t\r", end[-1])) end--;
    text_addn(out, line, (size_t)(end - line));
    text_add(out, "\n");
}

static const char *line_end(const char *line)
{
    return line + strcspn(line, "\n");
}

static bool begins_with(const char *line, const char *what)
{
    return strncmp(line + strspn(line, " \t"), what, strlen(what)) == 0;
}

/* An attribute alone in its line is part of the declaration. */
static bool is_attribute(const char *line)
{
    const char *end = line_end(line);
    while (end > line && strchr(" \t\r", end[-1])) end--;
    return begins_with(line, "[") && end > line && end[-1] == ']';
}

void sema_describe_comment(Text *out, const Sources *sources, const Symbol *sym, const char *mark)
{
    const Source *s = sources_get(sources, sym->loc.file);
    if (!s || !sym->loc.end || sym->loc.begin > s->len) return;
    size_t before = out->len;
    const char *own = s->text + sym->loc.begin, *first, *behind;
    while (own > s->text && own[-1] != '\n') own--;
    for (first = own; first > s->text;) {
        const char *above = first - 1;
        while (above > s->text && above[-1] != '\n') above--;
        if (!begins_with(above, mark) && !is_attribute(above)) break;
        first = above;
    }
    for (; first < own; first = line_end(first) + 1)
        if (begins_with(first, mark)) add_line(out, first, line_end(first));
    if (out->len > before) return;
    behind = s->text + sym->loc.begin;
    for (; (behind = strstr(behind, mark)) && behind < line_end(own); behind++)
        if (strchr(" \t", behind[-1])) break; /* no URL in a string */
    if (behind && behind < line_end(own)) add_line(out, behind, line_end(own));
}
