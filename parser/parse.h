/* What the parts of the parser share: the actions (build.c) see the tokens and the errors, the
 * driver (parser.c) and repairs (repair/) also the tables of the automaton. */
#ifndef CS_PARSER_PARSE_H
#define CS_PARSER_PARSE_H

#include "../base/vec.h"
#include "../lexer/lexer.h"
#include "ast.h"

struct grammar_pstate; /* bison's push parser */

/* A bracket that the parser has read and whose partner it has not. */
typedef struct Bracket {
    TokenKind kind;
    size_t token;
    size_t depth; /* of the automaton's stack just before it */
} Bracket;

typedef struct Parse {
    Diags *diags;
    Interner *names;
    Arena *arena;
    const Source *source;
    uint32_t file;
    Ast *unit; /* the result, once the whole file is parsed */
    struct grammar_pstate *state;
    Tokens tokens;
    size_t next; /* the token to be read */
    VEC(Bracket) open;
    VEC(int) states;     /* room of repair_fits */
    VEC(Ast *) nested;   /* classes inside classes, taken out of them */
    VEC(Ast *) inner;    /* functions and the like inside blocks, see build.c */
    bool unbalanced;     /* a brace is missing: `inner` is its echo */
    bool too_deep, stop; /* reported already; nothing more can be read */
    int errors, repairs;
    int unnamed;         /* names made up so far */
    const char *lost;    /* the name that a statement just given up declared, and whether */
    bool lost_function;  /* it looked like a function */
    uint32_t last_error; /* offset of the last syntax error */
    bool clear;          /* since then a statement ended or a line began: a new error is no echo */
} Parse;

/* Parses a file whose types are marked; frees the tokens. As parse_unit (parser.h). */
Ast *parse_tokens(Tokens *tokens, const Sources *sources, uint32_t file, Diags *diags,
                  Interner *names, Arena *arena);

/* Reports, unless it can only be the echo of the last syntax error; tells whether it did. */
bool parse_error(Parse *p, Loc loc, DiagCode code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void parse_too_deep(Parse *p, Loc loc);
void parse_give_up(Parse *p, Loc loc); /* too many errors */
void parse_push(Parse *p, TokenKind kind, Loc loc, const TokenValue *value);
Loc parse_token_loc(const Parse *p, size_t token);

/* repair/repair.c: the token p->next cannot be read. Reports it, and changes the parser's state so that it
 * can, or moves p->next; p->stop if nothing helps. */
bool repair_fits(Parse *p, TokenKind kind); /* can a token of this kind be read now? */
void repair_error(Parse *p);

/* grammar.y: the tables. An action is a state to shift to (> 0), a rule to reduce by (< 0) or 0. */
enum { GRAMMAR_ERROR = TOK_COUNT }; /* bison's error token, beside the TokenKinds */
int grammar_action(int state, int kind);
int grammar_rule_length(int rule);
int grammar_after(int state, int rule); /* the state after reducing by rule on top of state */
size_t grammar_depth(const struct grammar_pstate *ps);
int grammar_state(const struct grammar_pstate *ps, size_t i);      /* the i-th of the stack */
uint32_t grammar_begin(const struct grammar_pstate *ps, size_t i); /* where its text begins */
void grammar_pop(struct grammar_pstate *ps, size_t depth);
struct grammar_pstate *grammar_start(void);
void grammar_end(struct grammar_pstate *ps);
bool grammar_push(struct grammar_pstate *ps, Parse *p, int kind, Loc loc, const TokenValue *value);

#endif
