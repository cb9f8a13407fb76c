/* What C# has and C$ lacks (foreign.def). */
#ifndef CS_PARSER_FOREIGN_H
#define CS_PARSER_FOREIGN_H

#include "../lexer/lexer.h"

struct Parse;

/* At a syntax error, the token p->next: if it lies in a construct of C#, tells so, takes the
 * construct out of the tokens and goes back to where the statement began; else false. quiet: it is
 * the echo of another error, and not told. */
bool foreign_repair(struct Parse *p, bool quiet);

typedef enum ForeignKind { FOREIGN_TYPE, FOREIGN_NAME, FOREIGN_MEMBER } ForeignKind;

/* What to write instead of a word of C# that is declared nowhere; NULL if it is none. */
const char *foreign_word(ForeignKind kind, const char *name);

#endif
