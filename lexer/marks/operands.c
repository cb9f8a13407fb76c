/* Operands that begin or go on with a token of another meaning: `[1, 2]`, which could be attributes, and
 * `p with { X = 1 }`, where `with` could be a name. They become tokens of their own, so that the grammar
 * needs no guessing. */
#include "marks.h"

/* Behind what stands an operand? */
static bool wants_operand(TokenKind k)
{
    switch (k) {
    case TOK_LPAREN:
    case TOK_LBRACKET:
    case TOK_COND_BRACKET:
    case TOK_KEY:
    case TOK_COLLECTION:
    case TOK_LBRACE:
    case TOK_COMMA:
    case TOK_COLON:
    case TOK_QUESTION:
    case TOK_DOTDOT:
    case TOK_ARROW:
    case TOK_HOLE:
    case TOK_RETURN:
    case TOK_IN: return true;
    case TOK_GT: /* new List<T>[n] */
    case TOK_INC:
    case TOK_DEC:
    case TOK_NOT: return false; /* a![0] */
    default: return k >= TOK_COALESCE && token_class(k) == TOKEN_P;
    }
}

/* Attributes stand before an operand or a declaration: none of these begins one. */
static bool ends_operand(TokenKind k)
{
    switch (k) {
    case TOK_SEMI:
    case TOK_COMMA:
    case TOK_COLON:
    case TOK_RPAREN:
    case TOK_RBRACKET:
    case TOK_RBRACE:
    case TOK_HOLE_END:
    case TOK_FORMAT:
    case TOK_COALESCE:
    case TOK_EQ:
    case TOK_NE: return true;
    default: return false;
    }
}

/* `(int[])[1, 2]`, `(List<T>)[..]`: does a cast to a type of many elements end before token i? */
static bool is_behind_cast(const Tokens *tokens, size_t i)
{
    if (kind_before(tokens, i, 1) != TOK_RPAREN) return false;
    TokenKind last = kind_before(tokens, i, 2), before = kind_before(tokens, i, 3);
    return last == TOK_GT ||
           (last == TOK_RBRACKET && (before == TOK_LBRACKET || before == TOK_COMMA));
}

bool marks_collection(const Tokens *tokens, const size_t *partner, size_t i)
{
    bool operand = wants_operand(kind_before(tokens, i, 1)) || is_behind_cast(tokens, i);
    return partner[i] && operand && ends_operand(kind_at(tokens, partner[i] + 1));
}

bool marks_with(const Tokens *tokens, size_t i)
{
    switch (kind_before(tokens, i, 1)) {
    case TOK_NAME:
    case TOK_UNDERSCORE: /* in a session */
    case TOK_THIS:
    case TOK_RPAREN:
    case TOK_RBRACKET:
    case TOK_RBRACE:
    case TOK_NOT: /* x! with */
    case TOK_DEFAULT: break;
    default: return false;
    }
    if (kind_at(tokens, i + 1) != TOK_LBRACE) return false;
    return kind_at(tokens, i + 2) == TOK_RBRACE ||
           (is_name(kind_at(tokens, i + 2)) && kind_at(tokens, i + 3) == TOK_ASSIGN);
}
