/* The front end on any bytes: lexer, parser, sema. With clang -fsanitize=fuzzer it is a fuzzer
 * (make fuzz); with REPLAY it runs the files that are its arguments (make check). */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../parser/parser.h"
#include "../../sema/sema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Sources *sources = sources_new();
    Interner *names = interner_new();
    Diags *diags = diags_new(sources);
    /* in a folder that is not there: only the library's modules are found */
    int file = sources_add(sources, "/fuzz/input.cs$", (const char *)data, size);
    Ast *unit = parse_program(sources, (uint32_t)file, NULL, 0, diags, names, arena);
    sema_check(unit, sources, diags, names, arena);
    diags_free(diags);
    interner_free(names);
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
    printf("fuzz: %d inputs\n", argc - 1);
    return 0;
}
#endif
