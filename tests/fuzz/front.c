/* The front end on any bytes: lexer, parser, sema, lowering, diagnostics. With clang
 * -fsanitize=fuzzer it is a fuzzer (make fuzz); with REPLAY it runs the files that are its
 * arguments (make check). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../parser/embedded.h"
#include "../../parser/parse.h"
#include "../../parser/parser.h"
#include "../../sema/sema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The parsed `core`, the same for every input: reading it takes longer than most inputs do. Sema
 * annotates trees, so each input gets a copy. Names are interned once for all. */
typedef struct Library {
    Interner *names;
    Arena *arena;
    Ast *unit;
    NameSet types;
    unsigned uses;
} Library;

enum { INPUT, CORE, MAX_USES = 20000 }; /* files; then the names of past inputs are forgotten */

static Library library;

static const EmbeddedModule *core(void)
{
    const EmbeddedModule *m = embedded_modules;
    while (strcmp(m->name, "core")) m++;
    return m;
}

/* Sources in the order of parse_program's. */
static Sources *sources_of(const uint8_t *data, size_t size)
{
    Sources *sources = sources_new();
    sources_add(sources, "/fuzz/input.cs$", (const char *)data, size);
    sources_add_library(sources, "stdlib/core.cs$", core()->text, core()->len);
    return sources;
}

static Ast *read_file(uint32_t file, Library *l, const Sources *sources, Diags *diags, Arena *arena)
{
    Tokens tokens = {0};
    NameSet own = {0}, *types = file == CORE ? &l->types : &own;
    lexer_scan(&tokens, sources, file, diags, l->names, arena);
    for (size_t i = 0; file != CORE && i < l->types.size; i++)
        if (l->types.slots[i]) names_add(types, l->types.slots[i]);
    lexer_declared_types(&tokens, l->names, types);
    lexer_mark_types(&tokens, l->names, types);
    names_free(&own);
    return parse_tokens(&tokens, sources, file, diags, l->names, arena);
}

static void library_free(Library *l)
{
    names_free(&l->types);
    arena_free(l->arena);
    interner_free(l->names);
    *l = (Library){0};
}

static Library *library_get(void)
{
    Library *l = &library;
    if (l->uses++ == MAX_USES) library_free(l);
    if (l->unit) return l;
    Sources *sources = sources_of(NULL, 0);
    Diags *diags = diags_new(sources);
    l->arena = arena_new();
    l->names = interner_new();
    l->unit = read_file(CORE, l, sources, diags, l->arena);
    diags_free(diags);
    sources_free(sources);
    return l;
}

static void print_nowhere(const Diags *diags)
{
    static FILE *nowhere;
    if (!nowhere) nowhere = fopen("/dev/null", "w");
    if (nowhere) diags_print(diags, nowhere);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Library *l = library_get();
    Arena *arena = arena_new();
    Sources *sources = sources_of(data, size);
    Diags *diags = diags_new(sources);
    Fd *fd = fd_new();
    Ast *unit = read_file(INPUT, l, sources, diags, arena);
    unit->unit.imported = ast_clone(arena, l->unit)->unit.decls;
    sema_unit(unit, sources, diags, l->names, arena, fd);
    print_nowhere(diags);
    fd_free(fd);
    diags_free(diags);
    sources_free(sources);
    arena_free(arena);
    return 0;
}

#ifdef REPLAY
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        FILE *in = fopen(argv[i], "rb");
        if (!in) {
            perror(argv[i]);
            return 1;
        }
        static uint8_t data[1 << 16];
        size_t size = fread(data, 1, sizeof data, in);
        fclose(in);
        alarm(30); /* an endless loop ends the test */
        LLVMFuzzerTestOneInput(data, size);
    }
    library_free(&library);
    printf("fuzz: %d inputs\n", argc - 1);
    return 0;
}
#endif
