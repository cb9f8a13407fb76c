/* Lays a file out: tokens as they are, what is between them anew. */
#include "format.h"

#include <string.h>

#include "../base/arena.h"
#include "../base/mem.h"
#include "../lexer/lexer.h"
#include "layout.h"
#include "space.h"

enum { STEP = 4 };

typedef struct Printer {
    Text *out;
    const Source *source;
    const Tokens *tokens;
    const unsigned char *roles;
    Layout layout;
    bool line_begun, any; /* something stands on the line; something has been printed */
} Printer;

static void indent(Printer *p, int steps)
{
    text_printf(p->out, "%*s", steps * STEP, "");
    p->line_begun = p->any = true;
}

static void end_line(Printer *p)
{
    if (!p->line_begun) return;
    text_add(p->out, "\n");
    p->line_begun = false;
}

static size_t trimmed(const char *text, size_t n)
{
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == '\r')) n--;
    return n;
}

/* A comment's lines without the spaces at their ends. */
static void add_comment(Printer *p, const char *text, size_t n)
{
    for (const char *end = text + n; text < end;) {
        const char *line = memchr(text, '\n', (size_t)(end - text));
        size_t len = line ? (size_t)(line - text) : (size_t)(end - text);
        text_addn(p->out, text, trimmed(text, len));
        if (line) text_add(p->out, "\n");
        text += len + (line != NULL);
    }
}

/* Directives, which say nothing (#region, #pragma), are comments here. */
static bool ends_with_line(const char *comment)
{
    return *comment == '#' || comment[1] == '/';
}

static size_t comment_length(const char *at, const char *end)
{
    bool line = ends_with_line(at);
    for (const char *c = line ? at : at + 2; c < end; c++) {
        if (line && *c == '\n') return (size_t)(c - at);
        if (!line && c[0] == '*' && c + 1 < end && c[1] == '/') return (size_t)(c + 2 - at);
    }
    return (size_t)(end - at);
}

/* Comments and line breaks before token `next`. A blank line stays one, but behind { and before }. */
static void print_gap(Printer *p, uint32_t begin, uint32_t end, size_t next)
{
    const char *at = p->source->text + begin, *stop = p->source->text + end;
    TokenKind before = next ? p->tokens->list.data[next - 1].kind : TOK_LBRACE;
    TokenKind after = p->tokens->list.data[next].kind;
    int lines = 0;
    size_t spaces = 0;
    bool opened = before == TOK_LBRACE; /* nothing since */
    for (; at < stop; at++) {
        lines += *at == '\n';
        spaces = *at == '\n' ? 0 : spaces + 1;
        if (*at != '/' && *at != '#') continue;
        size_t n = comment_length(at, stop);
        bool to_the_end = ends_with_line(at);
        if (lines > 0 || !p->line_begun) {
            end_line(p);
            if (lines > 1 && !opened && p->any) text_add(p->out, "\n");
            indent(p, layout_indent(&p->layout, p->tokens, next, true));
        } else {
            /* comments behind code keep the columns that their author gave them */
            text_printf(p->out, "%*s", to_the_end && spaces > 1 ? (int)spaces - 1 : 1, "");
        }
        add_comment(p, at, n);
        at += n - 1;
        lines = 0;
        spaces = 0;
        opened = false;
        if (to_the_end) end_line(p);
    }
    if (lines > 0) end_line(p);
    if (lines > 1 && !opened && p->any && after != TOK_RBRACE && after != TOK_END)
        text_add(p->out, "\n");
}

/* The token behind an interpolated string that begins at i, which is copied as it is. */
static size_t skip_string(const Tokens *tokens, size_t i)
{
    int depth = 0;
    do {
        depth += (tokens->list.data[i].kind == TOK_INTERP) -
                 (tokens->list.data[i].kind == TOK_INTERP_END);
        i++;
    } while (depth > 0 && i < tokens->list.len);
    return i;
}

/* The @ of @class is no part of the name. */
static uint32_t begin_of(const Printer *p, const Token *t)
{
    bool quoted = t->kind == TOK_NAME && t->begin > 0 && p->source->text[t->begin - 1] == '@';
    return t->begin - quoted;
}

static void print_tokens(Printer *p)
{
    uint32_t done = 0; /* bytes */
    for (size_t i = 0, next; i < p->tokens->list.len; i = next) {
        const Token *t = &p->tokens->list.data[i];
        next = skip_string(p->tokens, i);
        uint32_t begin = begin_of(p, t);
        print_gap(p, done, begin, i);
        if (t->kind == TOK_END) break;
        int steps = -1;
        if (!p->line_begun) {
            steps = layout_indent(&p->layout, p->tokens, i, false);
            indent(p, steps);
        } else if (space_before(p->tokens, p->roles, i)) {
            text_add(p->out, " ");
        }
        uint32_t end = p->tokens->list.data[next - 1].end;
        text_addn(p->out, p->source->text + begin, end - begin);
        layout_take(&p->layout, p->tokens, i, steps);
        done = end;
    }
    end_line(p);
}

bool format_source(Text *out, Sources *sources, uint32_t file, Diags *diags, Interner *names)
{
    Arena *arena = arena_new();
    Tokens tokens = {0};
    int errors = diags_errors(diags);
    lexer_scan(&tokens, sources, file, diags, names, arena);
    bool ok = diags_errors(diags) == errors;
    if (ok) {
        lexer_mark_types(&tokens, names, NULL);
        Printer p = {.out = out, .source = sources_get(sources, file), .tokens = &tokens};
        unsigned char *roles = space_roles(&tokens);
        p.roles = roles;
        print_tokens(&p);
        layout_free(&p.layout);
        mem_free(roles);
    }
    tokens_free(&tokens);
    arena_free(arena);
    return ok;
}
