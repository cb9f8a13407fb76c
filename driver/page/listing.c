/* Sources with the time of what they evaluate, and the kernels that did it (page.h). */
#include <string.h>

#include "../../base/mem.h"
#include "../../lexer/lexer.h"
#include "../../parser/embedded.h"
#include "page.h"

/* ---- colours of tokens ------------------------------------------------------------------------ */

typedef struct Piece {
    uint32_t begin, end;
    const char *class;
} Piece;

typedef struct Listing {
    const Page *page;
    const char *file;
    const char *text;
    size_t len;
    VEC(Piece) pieces;
} Listing;

static const char *class_of(const Token *t)
{
    switch (t->kind) {
    case TOK_INT:
    case TOK_REAL: return "number";
    case TOK_CHAR:
    case TOK_STRING:
    case TOK_INTERP:
    case TOK_TEXT:
    case TOK_FORMAT:
    case TOK_INTERP_END: return "string";
    case TOK_TYPENAME: return "type";
    default: break;
    }
    TokenClass class = token_class(t->kind);
    return class == TOKEN_K || class == TOKEN_M ? "word" : NULL;
}

/* What is between two tokens and no space is a comment. */
static void add_gap(Listing *l, uint32_t from, uint32_t to)
{
    while (from < to && strchr(" \t\r\n", l->text[from])) from++;
    if (from < to) vec_push(&l->pieces, ((Piece){from, to, "comment"}));
}

static void find_pieces(Listing *l)
{
    Arena *arena = arena_new();
    Interner *names = interner_new();
    Sources *sources = sources_new();
    Diags *diags = diags_new(sources);
    Tokens tokens = {0};
    sources_add(sources, l->file, l->text, l->len);
    lexer_scan(&tokens, sources, 0, diags, names, arena);
    lexer_mark_types(&tokens, names, NULL);
    uint32_t at = 0;
    for (size_t t = 0; t < tokens.list.len; t++) {
        const Token *k = &tokens.list.data[t];
        if (k->begin < at) continue;
        add_gap(l, at, k->begin);
        const char *class = k->end > k->begin ? class_of(k) : NULL;
        if (class) vec_push(&l->pieces, ((Piece){k->begin, k->end, class}));
        at = k->end;
    }
    tokens_free(&tokens);
    diags_free(diags);
    sources_free(sources);
    interner_free(names);
    arena_free(arena);
}

/* [from, to), a line, of which *next is the first piece that does not end before it. */
static void add_line_text(Text *out, const Listing *l, uint32_t from, uint32_t to, size_t *next)
{
    while (*next < l->pieces.len && l->pieces.data[*next].end <= from) ++*next;
    for (size_t k = *next; k < l->pieces.len && l->pieces.data[k].begin < to; k++) {
        const Piece *piece = &l->pieces.data[k];
        uint32_t begin = piece->begin > from ? piece->begin : from;
        uint32_t end = piece->end < to ? piece->end : to;
        page_text(out, l->text + from, begin - from);
        text_printf(out, "<span class=\"%s\">", piece->class);
        page_text(out, l->text + begin, end - begin);
        text_add(out, "</span>");
        from = end;
    }
    page_text(out, l->text + from, to - from);
}

/* ---- a file ------------------------------------------------------------------------------------- */

enum { NEAR = 12, SHORT = 400 }; /* lines shown around evaluations; a file that is shown whole */

/* The time of the evaluations on lines [from, to], and the first of them. */
static double time_at(const Listing *l, int from, int to, size_t *first)
{
    double ns = 0;
    const Report *r = l->page->report;
    *first = r->evaluations.len;
    for (size_t i = 0; i < r->evaluations.len; i++) {
        const ReportEvaluation *e = &r->evaluations.data[i];
        if (e->line < from || e->line > to || strcmp(e->file, l->file) != 0) continue;
        ns += e->ns;
        if (*first == r->evaluations.len) *first = i;
    }
    return ns;
}

static void add_line(Text *out, const Listing *l, int line, uint32_t from, uint32_t to,
                     size_t *next)
{
    size_t first;
    double ns = time_at(l, line, line, &first);
    bool is = first < l->page->report->evaluations.len;
    char room[8];
    if (is)
        text_printf(
            out,
            "<a class=\"line hot\" id=\"l%d\" href=\"#e%d\"><i>%d</i><b><s class=\"%s\"></s>"
            "%.1f %%</b>",
            (int)first, (int)first, line, page_colour(first, room),
            l->page->report->ns > 0 ? 100 * ns / l->page->report->ns : 0);
    else
        text_printf(out, "<span class=\"line\"><i>%d</i><b></b>", line);
    add_line_text(out, l, from, to, next);
    text_add(out, is ? "</a>" : "</span>"); /* blocks: no newline */
}

static void add_lines(Text *out, const Listing *l)
{
    int lines = 0, skipped = 0;
    size_t next = 0, first;
    for (size_t i = 0; i < l->len; i++) lines += l->text[i] == '\n';
    uint32_t from = 0;
    for (int line = 1; from < l->len; line++) {
        const char *newline = memchr(l->text + from, '\n', l->len - from);
        uint32_t to = newline ? (uint32_t)(newline - l->text) : (uint32_t)l->len;
        time_at(l, line - NEAR, line + NEAR, &first);
        if (lines <= SHORT || first < l->page->report->evaluations.len) {
            add_line(out, l, line, from, to, &next);
            skipped = 0;
        } else if (!skipped++) {
            text_add(out, "<span class=\"line\"><i></i><b></b>...</span>");
        }
        from = to + 1;
    }
}

/* Of the file, or of a module that is part of the compiler. False: it is gone, or was standard input. */
static bool find_text(Listing *l, Sources *sources)
{
    static const char folder[] = "stdlib/";
    size_t n = sizeof folder - 1;
    for (const EmbeddedModule *m = embedded_modules; m->name && !strncmp(l->file, folder, n); m++) {
        size_t name = strlen(m->name);
        if (strncmp(l->file + n, m->name, name) != 0 || strcmp(l->file + n + name, ".cs$") != 0)
            continue;
        l->text = m->text;
        l->len = m->len;
        return true;
    }
    const char *why = NULL;
    int file = *l->file ? sources_load(sources, l->file, &why) : -1;
    if (file < 0) return false;
    const Source *source = sources_get(sources, (uint32_t)file);
    l->text = source->text;
    l->len = source->len;
    return true;
}

static void add_file(Text *out, const Page *p, const char *file)
{
    Sources *sources = sources_new();
    Listing l = {.page = p, .file = file};
    text_add(out, "<h3>");
    page_text(out, file, strlen(file));
    text_add(out, "</h3>\n<pre>");
    if (find_text(&l, sources)) {
        find_pieces(&l);
        add_lines(out, &l);
    } else {
        text_add(out, "its text is not there");
    }
    text_add(out, "</pre>\n");
    vec_free(&l.pieces);
    sources_free(sources);
}

/* ---- kernels ------------------------------------------------------------------------------------ */

/* The function of that name in a generated text, its length in *len; NULL: it is not there. */
static const char *find_kernel(const char *text, const char *name, size_t *len)
{
    char head[128];
    snprintf(head, sizeof head, "__kernel void %s(", name);
    const char *at = strstr(text, head), *end = at ? strstr(at, "\n}\n") : NULL;
    if (end) *len = (size_t)(end + 2 - at);
    return end ? at : NULL;
}

static void add_kernel(Text *out, const Page *p, size_t evaluation, size_t kernel)
{
    const ReportEvaluation *e = &p->report->evaluations.data[evaluation];
    const ReportKernel *k = &e->kernels.data[kernel];
    size_t len = 0;
    const char *text = find_kernel(e->opencl, k->name, &len);
    bool open = evaluation == 0 && kernel == 0; /* what takes the longest */
    text_printf(out, "<details id=\"e%dk%d\"%s><summary><code>", (int)evaluation, (int)kernel,
                open ? " open=\"open\"" : "");
    page_text(out, k->name, strlen(k->name));
    text_printf(out, "</code> %.3f ms, %.0f call%s, least %.3f ms</summary><pre>", k->ns * 1e-6,
                k->calls, k->calls == 1 ? "" : "s", k->least * 1e-6);
    page_text(out, text ? text : "its text is not known", text ? len : 21);
    text_add(out, "</pre></details>\n");
}

static void add_pairs(Text *out, const char *what, const char *values)
{
    if (!*values) return;
    text_printf(out, "<details><summary>%s</summary><p><code>", what);
    page_text(out, values, strlen(values));
    text_add(out, "</code></p></details>\n");
}

static void add_card(Text *out, const Page *p, size_t i)
{
    const ReportEvaluation *e = &p->report->evaluations.data[i];
    char room[8];
    text_printf(out, "<section id=\"e%d\"><h3><a href=\"#l%d\"><s class=\"%s\"></s>", (int)i,
                (int)i, page_colour(i, room));
    page_place(out, e);
    text_printf(out, "</a>%s</h3>\n<p>%.3f ms in %.0f call%s, %.1f %% of all</p>\n",
                e->native ? ", native" : "", e->ns * 1e-6, e->calls, e->calls == 1 ? "" : "s",
                p->report->ns > 0 ? 100 * e->ns / p->report->ns : 0);
    add_pairs(out, "attributes that steer", e->hints);
    add_pairs(out, "values that are set", e->set);
    for (size_t k = 0; k < e->kernels.len; k++) add_kernel(out, p, i, k);
    add_pairs(out, "parameters of schedules (--set, csc tune)", e->parameters);
    text_add(out, "</section>\n");
}

void page_listing(Text *out, const Page *p)
{
    const Report *r = p->report;
    text_add(out, "<h2>Source and kernels</h2>\n<div class=\"beside\">\n<div class=\"source\">\n");
    for (size_t i = 0; i < r->evaluations.len; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = strcmp(r->evaluations.data[k].file, r->evaluations.data[i].file) == 0;
        if (!seen) add_file(out, p, r->evaluations.data[i].file);
    }
    text_add(out, "</div>\n<div class=\"kernels\">\n");
    for (size_t i = 0; i < r->evaluations.len; i++) add_card(out, p, i);
    text_add(out, "</div>\n</div>\n");
}
