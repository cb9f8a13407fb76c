/* A page of what files declare: functions, classes with their public members, constants. */
#include <cmark.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/text.h"
#include "../../sema/describe.h"
#include "../../sema/sema.h"
#include "../write.h"
#include "doc.h"
#include "reading.h"
#include "reference.h"

typedef struct Page {
    Text *out;
    const Sources *sources;
} Page;

/* ---- comments ------------------------------------------------------------------------------- */

/* The value of an attribute of a tag; its length in *len, NULL if it is not there. */
static const char *attribute(const char *tag, const char *name, size_t *len)
{
    const char *end = strchrnul(tag, '>'), *at = strstr(tag, name);
    if (!at || at > end) return NULL;
    at += strlen(name);
    if (at[0] != '=' || at[1] != '"') return NULL;
    *len = strcspn(at + 2, "\"");
    return at + 2;
}

/* Is `tag`, which begins with <, one of that name? Then its end. */
static const char *tag_end(const char *tag, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(tag + 1, name, n) != 0 || !strchr(" />", tag[1 + n]) || !tag[1 + n]) return NULL;
    const char *end = strchr(tag, '>');
    return end ? end + 1 : NULL;
}

/* What a tag becomes: `with`, and the value of its attribute. */
static const struct Tag {
    const char *name, *before, *attribute, *after;
} tags[] = {{"summary", "", NULL, ""},
            {"/summary", "\n", NULL, ""},
            {"remarks", "\n", NULL, ""},
            {"/remarks", "\n", NULL, ""},
            {"param", "\n- `", "name", "`: "},
            {"/param", "", NULL, ""},
            {"typeparam", "\n- `", "name", "`: "},
            {"/typeparam", "", NULL, ""},
            {"returns", "\nReturns ", NULL, ""},
            {"/returns", "\n", NULL, ""},
            {"exception", "\n- throws `", "cref", "`: "},
            {"/exception", "", NULL, ""},
            {"c", "`", NULL, ""},
            {"/c", "`", NULL, ""},
            {"code", "\n```csharp\n", NULL, ""},
            {"/code", "\n```\n", NULL, ""},
            {"paramref", "`", "name", "`"},
            {"see", "`", "cref", "`"},
            {"para", "\n\n", NULL, ""},
            {"/para", "\n\n", NULL, ""}};

static const char *add_tag(Text *out, const char *at)
{
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        const char *end = tag_end(at, tags[i].name);
        if (!end) continue;
        text_add(out, tags[i].before);
        size_t len = 0;
        const char *value = tags[i].attribute ? attribute(at, tags[i].attribute, &len) : NULL;
        if (value) text_addn(out, value, len);
        text_add(out, tags[i].after);
        return end;
    }
    return NULL;
}

static void add_comment(Page *p, const Symbol *sym)
{
    Text raw = {0};
    sema_describe_comment(&raw, p->sources, sym, "///");
    for (const char *at = raw.data; at && *at;) {
        const char *next = *at == '<' ? add_tag(p->out, at) : NULL;
        if (!next) text_addn(p->out, at, 1);
        at = next ? next : at + 1;
    }
    if (raw.len) text_add(p->out, "\n");
    text_free(&raw);
}

/* ---- declarations --------------------------------------------------------------------------- */

static void add_entry(Page *p, const char *heading, const Symbol *sym)
{
    if (!sym || sym->name[0] == '$') return;
    text_printf(p->out, "%s %s\n\n```csharp\n", heading, sym->name);
    sema_describe(p->out, sym);
    text_add(p->out, "\n```\n\n");
    add_comment(p, sym);
}

/* A comment under an item of a list: its lines further in. */
static void add_indented(Page *p, const Symbol *sym)
{
    Text comment = {0};
    Page inner = {&comment, p->sources};
    add_comment(&inner, sym);
    for (const char *line = comment.data; line && *line;) {
        size_t n = strcspn(line, "\n");
        if (n > 0) text_printf(p->out, "  \n  %.*s", (int)n, line);
        line += n + (line[n] == '\n');
    }
    text_free(&comment);
}

static void add_member(void *ctx, const SemaName *name)
{
    Page *p = ctx;
    for (const Symbol *s = name->sym; s; s = s->kind == SYM_FUNC ? s->next : NULL) {
        bool shown = s->kind == SYM_CONST || (s->mods & AST_MOD_PUBLIC);
        if (!shown || s->implied || !s->loc.end || s->loc.file != 0) continue;
        text_add(p->out, "- `");
        sema_describe(p->out, s);
        text_add(p->out, "`");
        add_indented(p, s);
        text_add(p->out, "\n");
    }
}

static const Symbol *own_symbol(const Ast *d)
{
    switch (d->kind) {
    case AST_FUNC:
    case AST_CLASS:
    case AST_ENUM:
    case AST_TYPE_ALIAS: return d->sym;
    case AST_VAR_DECL:
        return d->var_decl.is_const && d->var_decl.vars.len ? d->var_decl.vars.data[0]->sym : NULL;
    default: return NULL;
    }
}

static void add_declarations(Page *p, const Ast *unit)
{
    for (int i = 0; i < unit->unit.decls.len; i++) {
        const Symbol *sym = own_symbol(unit->unit.decls.data[i]);
        if (!sym || sym->local) continue;
        add_entry(p, "##", sym);
        if (sym->kind != SYM_TYPE) continue;
        const Type *t = sym->cls ? sym->cls->type : sym->type;
        size_t before = p->out->len;
        for (int by_type = 0; t && by_type < 2; by_type++)
            sema_each_member(t, by_type, add_member, p);
        if (p->out->len > before) text_add(p->out, "\n");
    }
}

/* False after messages. */
static bool add_file(const Options *o, const char *path, Text *out)
{
    if (access(path, F_OK) != 0 && reference_page(o, path, out)) return true;
    Reading r = reading_begin(path);
    if (r.good) {
        Ast *unit = reading_parse(&r, o);
        if (!diags_has(r.diags, DIAG_FOREIGN))
            sema_check(unit, r.sources, r.diags, r.names, r.arena);
        Page page = {out, r.sources};
        text_printf(out, "# %s\n\n", path);
        if (diags_errors(r.diags) == 0) add_declarations(&page, unit);
    }
    bool ok = r.good && diags_errors(r.diags) == 0;
    reading_tell(&r, o);
    reading_end(&r);
    return ok;
}

static bool write_page(const Options *o, const Text *page)
{
    size_t n = o->output ? strlen(o->output) : 0;
    bool html = n > 5 && strcmp(o->output + n - 5, ".html") == 0;
    if (!html) return write_bytes(o->output, page->data, page->len, 0666);
    char *body = cmark_markdown_to_html(page->data, page->len, CMARK_OPT_DEFAULT);
    Text out = {0};
    text_printf(
        &out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>\n"
        "<style>body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}"
        "pre,code{background:#f4f4f4}pre{padding:.5em 1em;overflow:auto}</style></head>\n"
        "<body>\n%s</body></html>\n",
        o->input, body ? body : "");
    free(body);
    bool ok = write_bytes(o->output, out.data, out.len, 0666);
    text_free(&out);
    return ok;
}

int doc(const Options *o)
{
    Text page = {0};
    bool ok = true;
    for (size_t i = 0; i < o->files.len; i++) ok &= add_file(o, o->files.data[i], &page);
    ok = ok && write_page(o, &page);
    text_free(&page);
    return ok ? 0 : 1;
}
