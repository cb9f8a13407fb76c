/* Text to syntax tree. */
#ifndef CS_PARSER_PARSER_H
#define CS_PARSER_PARSER_H

#include "../base/intern.h"
#include "../base/report/diag.h"
#include "ast.h"

/* Parses file number `file` of sources. Always returns a UNIT (with BAD nodes after errors, which
 * went to diags); nodes live in arena, names in the interner. Modules are not looked at. */
Ast *parse_unit(const Sources *sources, uint32_t file, Diags *diags, Interner *names, Arena *arena);

/* A program around its first file. */
typedef struct ParseProgram {
    const char *const *folders; /* in which modules are looked up, after that of who uses them */
    size_t nfolders;
    const char *const
        *others; /* files of the program besides the first, which uses them as modules */
    size_t nothers;
    bool session; /* an entry of csc repl, which sees what shows values; of such a one: */
    const uint32_t *earlier; /* declarations of the entries before it, sources with nothing else */
    size_t nearlier;
    bool variables; /* the last of these declares variables, which come first in unit.stmts */
    bool shows;     /* the value of the last statement is used */
} ParseProgram;

/* The same with what the file uses: unit.imported has the declarations of the modules, found beside
 * the file that uses them, in the folders, or in the standard library; `core` is always used. The
 * modules become sources. */
Ast *parse_program(Sources *sources, uint32_t file, const ParseProgram *program, Diags *diags,
                   Interner *names, Arena *arena);

#endif
