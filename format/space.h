/* Spaces between the tokens of a line. */
#ifndef CS_FORMAT_SPACE_H
#define CS_FORMAT_SPACE_H

#include <stdbool.h>
#include <stddef.h>

#include "../lexer/lexer.h"

/* What a token is where that is not plain from its kind. */
typedef enum SpaceRole {
    ROLE_PLAIN,
    ROLE_PREFIX,    /* an operator before its only operand, or of a reduction: + (a(i) * b(i)) */
    ROLE_POSTFIX,   /* x++ */
    ROLE_TYPE_LIST, /* < and > around types */
    ROLE_CAST,      /* the ) of (int)x */
    ROLE_HEADER,    /* the ) of if (x) */
    ROLE_LABEL,     /* the : of case 1: */
    ROLE_NAME,      /* the + of operator+ */
    ROLE_WORD,      /* a name that is a keyword where it stands: catch (E e) when (x) */
    ROLE_ATTRIBUTE, /* the ] of [Name] before a declaration */
    ROLE_SHIFT      /* what follows the first > of >> and >>> */
} SpaceRole;

/* Of each token; the caller frees it (mem_free). */
unsigned char *space_roles(const Tokens *tokens);
/* Whether a space is before token i, which is not the first of its line. */
bool space_before(const Tokens *tokens, const unsigned char *roles, size_t i);

#endif
