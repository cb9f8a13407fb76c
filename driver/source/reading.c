/* Loading a file, and what belongs to it (reading.h). */
#include "reading.h"

#include <stdio.h>

#include "../message.h"

Reading reading_begin(const char *path)
{
    Reading r = {.sources = sources_new(), .names = interner_new(), .arena = arena_new()};
    const char *why = NULL;
    r.diags = diags_new(r.sources);
    int file = sources_load(r.sources, path, &why);
    r.good = file >= 0;
    if (r.good)
        r.file = (uint32_t)file;
    else
        complain("cannot read '%s': %s", path, why);
    return r;
}

Reading reading_of_text(const char *text, size_t len)
{
    Reading r = {.sources = sources_new(), .names = interner_new(), .arena = arena_new()};
    r.diags = diags_new(r.sources);
    r.file = (uint32_t)sources_add(r.sources, "text", text, len);
    r.good = true;
    return r;
}

Ast *reading_parse(const Reading *r, const Options *o)
{
    const ParseProgram program = {.folders = o->include.data, .nfolders = o->include.len};
    return parse_program(r->sources, r->file, &program, r->diags, r->names, r->arena);
}

void reading_tell(const Reading *r, const Options *o)
{
    (o->json ? diags_print_json : diags_print)(r->diags, stderr);
}

void reading_end(Reading *r)
{
    arena_free(r->arena);
    interner_free(r->names);
    diags_free(r->diags);
    sources_free(r->sources);
    *r = (Reading){0};
}
