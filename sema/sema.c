/* The one way into sema: collect, resolve, check, infer purity, lower. */
#include "sema.h"

#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "lower/lower.h"

static void sema_init(Sema *s, Ast *unit)
{
    s->unit = unit;
    s->types = types_new(s->arena);
    s->error = type_error(s->types);
    s->voids = type_void(s->types);
    s->string = type_string(s->types);
    s->boolean = type_scalar(s->types, SC_BOOL);
    s->integer = type_scalar(s->types, SC_INT);
    s->longs = type_scalar(s->types, SC_LONG);
    s->real = type_scalar(s->types, SC_DOUBLE);
    scope_init(s);
}

/* In the order of the sources. */
static int by_place(const void *a, const void *b)
{
    const Symbol *f = *(Symbol *const *)a, *g = *(Symbol *const *)b;
    if (f->loc.file != g->loc.file) return f->loc.file < g->loc.file ? -1 : 1;
    if (f->loc.begin != g->loc.begin) return f->loc.begin < g->loc.begin ? -1 : 1;
    return f->order - g->order;
}

/* Static fields are initialised in the order of their first uses, those of one class in the order in which they
 * stand there, as in C#: a lambda of one may speak of a later one. */
static void order_statics(Sema *s)
{
    Symbol **list = s->statics.data;
    for (size_t i = 0; i < s->statics.len; i++)
        for (size_t k = i + 1; k < s->statics.len; k++) {
            if (list[k]->cls != list[i]->cls || list[k]->loc.begin > list[i]->loc.begin) continue;
            Symbol *later = list[i];
            list[i] = list[k];
            list[k] = later;
        }
}

static SemaResult *sema_result(Sema *s)
{
    SemaResult *r = arena_new_of(s->arena, SemaResult);
    r->unit = s->unit;
    r->types = s->types;
    for (size_t i = 0; i < s->closures.len; i++) vec_push(&s->funcs, s->closures.data[i]);
    r->nfuncs = (int)s->funcs.len;
    r->funcs = arena_copy(s->arena, s->funcs.data, sizeof *r->funcs * s->funcs.len);
    qsort(r->funcs, s->funcs.len, sizeof *r->funcs, by_place);
    r->nclasses = (int)s->classes.len;
    r->classes = arena_copy(s->arena, s->classes.data, sizeof *r->classes * s->classes.len);
    if (s->unit->unit.library) export_collect(s, r);
    order_statics(s);
    r->nstatics = (int)s->statics.len;
    r->statics = arena_copy(s->arena, s->statics.data, sizeof *r->statics * s->statics.len);
    local_free(s);
    vec_free(&s->declared);
    vec_free(&s->extending);
    vec_free(&s->globals_used);
    vec_free(&s->files);
    vec_free(&s->closures);
    vec_free(&s->funcs);
    vec_free(&s->classes);
    vec_free(&s->all);
    vec_free(&s->statics);
    vec_free(&s->selected);
    vec_free(&s->writes);
    vec_free(&s->unbound);
    vec_free(&s->attr_values);
    r->nsteering = (int)s->steering.len;
    r->steering = arena_copy(s->arena, s->steering.data, s->steering.len * sizeof *r->steering);
    vec_free(&s->steering);
    r->nnamed = (int)s->named.len;
    r->named = arena_copy(s->arena, s->named.data, s->named.len * sizeof *r->named);
    vec_free(&s->named);
    facts_free(s);
    derived_free(s);
    vec_free(&s->calls);
    vec_free(&s->pure_uses);
    vec_free(&s->acting);
    vec_free(&s->kept);
    keeps_free(s);
    return r;
}

SemaResult *sema_check(Ast *unit, const Sources *sources, Diags *diags, Interner *names,
                       Arena *arena)
{
    Sema s = {.sources = sources, .diags = diags, .names = names, .arena = arena};
    ast_type_printer = type_print;
    sema_init(&s, unit);
    decl_collect(&s);
    decl_resolve(&s);
    decl_bodies(&s);
    vary_close(&s);
    pure_infer(&s);
    if (diags_errors(diags) == 0) late_close(&s);
    if (diags_errors(diags) == 0) called_close(&s);
    totals_check(&s);
    return sema_result(&s);
}

SemaResult *sema_unit(Ast *unit, const Sources *sources, Diags *diags, Interner *names,
                      Arena *arena, Fd *fd)
{
    SemaResult *r = sema_check(unit, sources, diags, names, arena);
    r->fd = fd;
    if (diags_errors(diags) == 0) lower_unit(r, sources, diags, arena, fd);
    return r;
}
