/* What the files of this folder share: the automaton without its actions, and a repair. */
#ifndef CS_PARSER_REPAIR_H
#define CS_PARSER_REPAIR_H

#include "../parse.h"

/* trial.c: `kept` states of the real stack, some of its own. */
typedef struct Trial {
    const Parse *p;
    size_t kept;
    VEC(int) over;
} Trial;

Trial trial_at(const Parse *p, size_t depth);
Trial trial_copy(const Trial *t);
int trial_top(const Trial *t);
/* Reads a token of this kind, reductions included; false if it does not fit. */
bool trial_token(Trial *t, int kind);
bool trial_would_fit(const Trial *t, TokenKind kind);

TokenKind repair_kind(const Parse *p, size_t i); /* of token i; TOK_END behind the last */
bool repair_on_new_line(const Parse *p, size_t i);
/* Is the token that cannot be read one of a generic type or function: `List<int>()`? */
bool repair_is_generic(const Parse *p);

/* Tokens that fit behind a repair which is believed; those that it puts in. */
enum { REPAIR_ENOUGH = 3, REPAIR_INSERTED = 64 };

typedef struct Repair {
    TokenKind insert[REPAIR_INSERTED];
    int ninsert;
    bool skip; /* the token itself */
    int fitting;
    size_t partner; /* the token that opened the first bracket closed; SIZE_MAX: none */
} Repair;

/* blame.c: the message. Does an error here follow from one that was reported a moment ago? */
bool blame_is_echo(Parse *p);
void blame(Parse *p, const Repair *r);

#endif
