/* Text to syntax tree. */
#ifndef CS_PARSER_PARSER_H
#define CS_PARSER_PARSER_H

#include "../base/diag.h"
#include "../base/intern.h"
#include "ast.h"

/* Parses file number `file` of sources. Always returns a UNIT (with BAD nodes after errors, which
 * went to diags); nodes live in arena, names in the interner. Modules are not looked at. */
Ast *parse_unit(const Sources *sources, uint32_t file, Diags *diags, Interner *names, Arena *arena);

/* The same with what the file uses: unit.imported has the declarations of the modules, found beside
 * the file that uses them, in the folders, or in the standard library; `core` is always used. The
 * modules become sources. */
Ast *parse_program(Sources *sources, uint32_t file, const char *const *folders, size_t nfolders,
                   Diags *diags, Interner *names, Arena *arena);

/* The same of a program in several files: the first uses the others, as modules. */
Ast *parse_files(Sources *sources, uint32_t file, const char *const *others, size_t nothers,
                 const char *const *folders, size_t nfolders, Diags *diags, Interner *names,
                 Arena *arena);

/* The same of an entry of a session (csc repl): `earlier` are the declarations of the entries before
 * it, sources in which there is nothing else; shows: the value of its last statement is used;
 * variables: the last one declares variables, which come first in the unit's statements. */
Ast *parse_entry(Sources *sources, uint32_t file, bool shows, const uint32_t *earlier,
                 size_t nearlier, bool variables, const char *const *folders, size_t nfolders,
                 Diags *diags, Interner *names, Arena *arena);

#endif
