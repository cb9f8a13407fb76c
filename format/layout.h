/* Indentation: what is open around a token. A statement's first token decides where its lines begin;
 * what goes on in another line is one step further in. */
#ifndef CS_FORMAT_LAYOUT_H
#define CS_FORMAT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/vec.h"
#include "../lexer/lexer.h"

typedef enum OpenKind {
    OPEN_BLOCK,  /* { statements or members } */
    OPEN_SWITCH, /* { cases } */
    OPEN_LIST,   /* { 1, 2 } */
    OPEN_PAREN,  /* ( or [ */
    OPEN_BODY    /* of if, for, while .. without braces */
} OpenKind;

typedef struct Open {
    OpenKind kind;
    TokenKind header; /* PAREN, BODY: the keyword whose it is, or END */
    int indent;       /* of its closing token; of what is inside: a step more */
    int statement;    /* Layout.statement where it opened */
    bool resumes;     /* the statement goes on behind it */
    bool label;       /* LIST: it is in the label of a section */
    bool attribute;   /* PAREN: [Name] before a declaration */
    bool object;      /* PAREN: arguments of a constructor */
} Open;

typedef struct Layout {
    VEC(Open) open;
    VEC(Open) ended;     /* bodies that the last statement ended: an else takes the innermost if */
    int statement, line; /* indentation of the current statement, of the current line */
    TokenKind first, header; /* its first token; the keyword whose parentheses come, or END */
    bool within;             /* a token of the current statement has come */
    bool declares;           /* it declares a class */
    bool object;             /* new Type was said: a brace is a list */
} Layout;

/* In steps, for a line that begins with token i, or with a comment before it. */
int layout_indent(const Layout *l, const Tokens *tokens, size_t i, bool comment);
/* Token i has been printed; indent: that of the line that it began, or -1. */
void layout_take(Layout *l, const Tokens *tokens, size_t i, int indent);
void layout_free(Layout *l);

#endif
