/* Finding functions by their attribute (cases.h). */
#include "cases.h"

#include <string.h>

#include "../source/reading.h"

static bool has(const Ast *d, const char *attribute)
{
    if (d->kind != AST_FUNC) return false;
    for (int i = 0; i < d->func.attrs.len; i++)
        if (strcmp(d->func.attrs.data[i]->attr.name, attribute) == 0) return true;
    return false;
}

static void find(Cases *c, const Ast *unit, const char *attribute, Arena *a)
{
    const AstList *decls = &unit->unit.decls;
    for (int i = 0; i < decls->len; i++) {
        const Ast *d = decls->data[i];
        if (has(d, attribute)) vec_push(&c->names, arena_printf(a, "%s", d->func.name));
        for (int k = 0; d->kind == AST_CLASS && k < d->class_.members.len; k++) {
            const Ast *m = d->class_.members.data[k];
            if (has(m, attribute))
                vec_push(&c->names, arena_printf(a, "%s.%s", d->class_.name, m->func.name));
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
        find(c, unit, attribute, a);
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
        text_printf(&c->program, "case \"%s\": %s(); break;\n", c->names.data[i], c->names.data[i]);
    text_add(&c->program, "}\n");
}

void cases_free(Cases *c)
{
    vec_free(&c->names);
    text_free(&c->source);
    text_free(&c->program);
}
