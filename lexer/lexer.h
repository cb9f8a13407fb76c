/* The scanner: a reentrant flex scanner behind a small interface, shared by the parser and
 * --emit=tokens. Type names are gathered ahead (architecture: the grammar needs no guessing). */
#ifndef CS_LEXER_LEXER_H
#define CS_LEXER_LEXER_H

#include "../base/diag.h"
#include "../base/intern.h"
#include "../base/text.h"

/* Prints the tokens of a file, one a line: line:col kind text. */
void lexer_print_tokens(Text *out, const Sources *sources, uint32_t file, Diags *diags,
                        Interner *names);

#endif
