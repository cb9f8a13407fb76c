/* Finding functions by their attribute (cases.h). */
#include "cases.h"

#include <string.h>

#include "../source/reading.h"

typedef struct Search {
    Cases *cases;
    const char *attribute;
    const Source *source;
    Arena *arena;
} Search;

/* A case for each of its attributes, with the arguments that stand there. */
static void add(const Search *s, const Ast *d, const char *name)
{
    for (int i = 0; d->kind == AST_FUNC && i < d->func.attrs.len; i++) {
        const Ast *attr = d->func.attrs.data[i];
        const AstList *args = &attr->attr.args;
        if (strcmp(attr->attr.name, s->attribute) != 0) continue;
        const char *call = arena_printf(s->arena, "%s()", name), *shown = name;
        if (args->len) {
            uint32_t from = args->data[0]->loc.begin, to = args->data[args->len - 1]->loc.end;
            shown = call =
                arena_printf(s->arena, "%s(%.*s)", name, (int)(to - from), s->source->text + from);
        }
        vec_push(&s->cases->names, shown);
        vec_push(&s->cases->calls, call);
    }
}

static void find(const Search *s, const Ast *unit)
{
    Arena *a = s->arena;
    const AstList *decls = &unit->unit.decls;
    for (int i = 0; i < decls->len; i++) {
        const Ast *d = decls->data[i];
        if (d->kind == AST_FUNC) add(s, d, arena_printf(a, "%s", d->func.name));
        for (int k = 0; d->kind == AST_CLASS && k < d->class_.members.len; k++) {
            const Ast *m = d->class_.members.data[k];
            if (m->kind == AST_FUNC)
                add(s, m, arena_printf(a, "%s.%s", d->class_.name, m->func.name));
        }
    }
}

static bool is_constant(const Ast *s)
{
    return s->kind == AST_VAR_DECL && s->var_decl.is_const;
}

/* The file's text with its statements blanked, so that everything else keeps its line and column. */
static void blank(Cases *c, const Ast *unit)
{
    Text *out = &c->program;
    text_addn(out, c->source.data, c->source.len);
    for (int i = 0; i < unit->unit.stmts.len; i++) {
        const Ast *s = unit->unit.stmts.data[i];
        for (uint32_t at = s->loc.begin; !is_constant(s) && at < s->loc.end; at++)
            if (out->data[at] != '\n') out->data[at] = ' ';
    }
}

bool cases_read(const Options *o, const char *path, const char *attribute, Arena *a, Cases *c)
{
    Reading r = reading_begin(path);
    *c = (Cases){0};
    if (r.good) {
        const Ast *unit = reading_parse(&r, o);
        const Source *source = sources_get(r.sources, r.file);
        find(&(Search){c, attribute, source, a}, unit);
        if (source->len) text_addn(&c->source, source->text, source->len);
        if (c->names.len > 0) blank(c, unit);
    }
    bool ok = r.good && diags_errors(r.diags) == 0;
    if (!ok) reading_tell(&r, o); /* else compiling says it */
    reading_end(&r);
    return ok;
}

void cases_add_calls(Cases *c, const char *choice)
{
    text_printf(&c->program, "\nswitch (%s) {\n", choice);
    for (size_t i = 0; i < c->names.len; i++)
        text_printf(&c->program, "case \"%zu\": %s; break;\n", i, c->calls.data[i]);
    text_add(&c->program, "}\n");
}

void cases_free(Cases *c)
{
    vec_free(&c->names);
    vec_free(&c->calls);
    text_free(&c->source);
    text_free(&c->program);
}
