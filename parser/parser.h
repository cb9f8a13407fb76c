/* Text to syntax tree. */
#ifndef CS_PARSER_PARSER_H
#define CS_PARSER_PARSER_H

#include "../base/diag.h"
#include "../base/intern.h"
#include "ast.h"

/* Parses file number `file` of sources. Always returns a UNIT (with BAD nodes after errors, which
 * went to diags); nodes live in arena, names in the interner. */
Ast *parse_unit(const Sources *sources, uint32_t file, Diags *diags, Interner *names, Arena *arena);

#endif
