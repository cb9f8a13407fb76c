/* Pages of the library's types: rows of the compiler's table, and what classes of C$ declare, as it is written there with
 * the comments over it. What string has in the classes StringBeside and StringExtensions is on its page. */
#include "reference.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "../../parser/embedded.h"
#include "../../sema/describe.h"
#include "../../sema/sema.h"
#include "reading.h"

/* ---- what is declared ----------------------------------------------------------------------- */

/* A declaration up to its body, its white space as single blanks; a constructor without what it goes on
 * with. */
static void add_head(Text *out, const Sources *sources, const Ast *d)
{
    const Source *s = sources_get(sources, d->loc.file);
    const char *at = s->text + d->loc.begin, *end = s->text + s->len;
    bool ctor = d->kind == AST_CTOR;
    size_t before = out->len;
    for (int depth = 0; at < end; at++) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (depth == 0 &&
            (*at == '{' || *at == ';' || (*at == ':' && ctor) || (*at == '=' && at[1] == '>')))
            break;
        bool blank = isspace((unsigned char)*at);
        if (blank && out->len > before && out->data[out->len - 1] == ' ') continue;
        text_addn(out, blank ? " " : at, 1);
    }
    while (out->len > before && out->data[out->len - 1] == ' ') out->data[--out->len] = '\0';
}

/* The comment of a declaration as one line; true if there is one. */
static bool add_comment(Text *out, const Sources *sources, Loc loc, const char *lead)
{
    Text raw = {0};
    const Symbol sym = {.loc = loc};
    sema_describe_comment(&raw, sources, &sym, "//");
    bool some = raw.len > 0 && strncmp(raw.data, "----", 4) != 0;
    if (some) {
        for (size_t i = 0; i < raw.len; i++)
            if (raw.data[i] == '\n') raw.data[i] = i + 1 < raw.len ? ' ' : '\0';
        text_printf(out, "%s%s", lead, raw.data);
    }
    text_free(&raw);
    return some;
}

static uint64_t mods_of(const Ast *m)
{
    switch (m->kind) {
    case AST_FUNC: return m->func.mods;
    case AST_PROPERTY: return m->property.mods;
    case AST_CTOR: return m->ctor.mods;
    case AST_VAR_DECL: return m->var_decl.mods;
    default: return 0;
    }
}

static void add_member(Text *out, const Sources *sources, const Ast *m)
{
    text_printf(out, "- `%s", mods_of(m) & AST_MOD_STATIC ? "static " : "");
    add_head(out, sources, m);
    if (m->kind == AST_PROPERTY) {
        const Ast *set = m->property.set;
        bool sets = set && !(set->accessor.mods & AST_MOD_PRIVATE);
        text_printf(out, " {%s%s }", m->property.get ? " get;" : "", sets ? " set;" : "");
    }
    text_add(out, "`");
    add_comment(out, sources, m->loc, ": ");
    text_add(out, "\n");
}

static void add_type(Text *out, const Sources *sources, const Ast *d, bool whole)
{
    if (whole) {
        uint64_t mods = d->kind == AST_CLASS ? d->class_.mods : 0;
        text_printf(out, "```csharp\n%s%s%s", mods & AST_MOD_STATIC ? "static " : "",
                    mods & AST_MOD_ABSTRACT ? "abstract " : "",
                    mods & AST_MOD_FINAL ? "final " : "");
        add_head(out, sources, d);
        text_add(out, "\n```\n\n");
        if (add_comment(out, sources, d->loc, "")) text_add(out, "\n\n");
    }
    if (d->kind == AST_ENUM)
        for (int i = 0; i < d->enum_.members.len; i++)
            if (d->enum_.members.data[i]->kind == AST_ENUM_MEMBER)
                text_printf(out, "- `%s`\n", d->enum_.members.data[i]->enum_member.name);
    if (d->kind != AST_CLASS) return;
    bool open = (d->class_.mods & AST_MOD_INTERFACE) || d->class_.header;
    for (int i = 0; i < d->class_.members.len; i++) {
        const Ast *m = d->class_.members.data[i];
        uint64_t mods = mods_of(m);
        if ((mods & AST_MOD_PUBLIC) || (open && !(mods & AST_MOD_PRIVATE)))
            add_member(out, sources, m);
    }
}

static const char *name_of(const Ast *d)
{
    return d->kind == AST_CLASS        ? d->class_.name
           : d->kind == AST_ENUM       ? d->enum_.name
           : d->kind == AST_TYPE_ALIAS ? d->type_alias.name
                                       : "";
}

static const EmbeddedModule *module_of(const char *type)
{
    for (const EmbeddedModule *e = embedded_modules; e->name; e++)
        for (const char *const *t = e->types; *t; t++)
            if (!strcmp(*t, type)) return e;
    return NULL;
}

/* The type of this name, if the library declares one; `whole`: with its head. */
static bool add_declared(const Options *o, const char *type, Text *out, bool whole)
{
    const EmbeddedModule *e = module_of(type);
    if (!e) return false;
    Text program = {0};
    text_printf(&program, "using %s;\n", e->name);
    Reading r = reading_of_text(program.data, program.len);
    const Ast *unit = reading_parse(&r, o);
    bool found = false;
    for (int i = 0; i < unit->unit.imported.len; i++) {
        const Ast *d = unit->unit.imported.data[i];
        if (strcmp(name_of(d), type) != 0) continue;
        add_type(out, r.sources, d, whole);
        found = true;
    }
    reading_end(&r);
    text_free(&program);
    return found;
}

/* ---- the page ------------------------------------------------------------------------------- */

static bool add_rows(const char *space, Text *out)
{
    bool some = false;
    for (int row = 0; row < nbuiltins; row++) {
        if (strcmp(library_spaces[builtins[row].space], space) != 0) continue;
        text_add(out, "- `");
        sema_describe_row(out, row);
        text_add(out, "`\n");
        some = true;
    }
    return some;
}

bool reference_page(const Options *o, const char *name, Text *out)
{
    static const char *const more[] = {"Extensions", "Beside"};
    Text page = {0};
    text_printf(&page, "# %s\n\n", name);
    bool some = *name && add_declared(o, name, &page, true);
    some |= *name && add_rows(name, &page);
    for (size_t i = 0; i < sizeof more / sizeof *more && *name; i++) {
        char other[128];
        snprintf(other, sizeof other, "%c%s%s", toupper((unsigned char)*name), name + 1, more[i]);
        some |= add_declared(o, other, &page, false);
    }
    if (some) text_addn(out, page.data, page.len);
    text_free(&page);
    return some;
}
