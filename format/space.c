/* Roles of tokens, and the rules for spaces. */
#include "space.h"

#include <string.h>

#include "../base/mem.h"
#include "../base/vec.h"

static TokenKind kind_at(const Tokens *tokens, size_t i)
{
    return i < tokens->list.len ? tokens->list.data[i].kind : TOK_END;
}

/* ( or [, whatever it is the beginning of. */
static bool opens(TokenKind k)
{
    return token_partner(k) == TOK_RPAREN || token_partner(k) == TOK_RBRACKET;
}

static bool is_header(TokenKind k)
{
    return token_is_header(k) || k == TOK_SWITCH || k == TOK_CATCH || k == TOK_USING;
}

/* ---- roles -------------------------------------------------------------------------------------- */

/* A whole operand. */
static bool is_atom(TokenKind k)
{
    switch (k) {
    case TOK_NAME:
    case TOK_TYPENAME:
    case TOK_INT:
    case TOK_REAL:
    case TOK_CHAR:
    case TOK_STRING:
    case TOK_THIS:
    case TOK_BASE:
    case TOK_TRUE:
    case TOK_FALSE:
    case TOK_NULL_: return true;
    default: return false;
    }
}

static bool ends_operand(TokenKind k, SpaceRole role)
{
    switch (k) {
    case TOK_INTERP_END:
    case TOK_RBRACKET:
    case TOK_RBRACE:
    case TOK_UNDERSCORE: return true;
    case TOK_RPAREN: return role == ROLE_PLAIN;
    case TOK_INC:
    case TOK_DEC: return role == ROLE_POSTFIX;
    case TOK_GT: return role == ROLE_TYPE_LIST;
    default: return is_atom(k);
    }
}

static bool begins_operand(TokenKind k)
{
    return is_atom(k) || k == TOK_INTERP || k == TOK_LPAREN || k == TOK_NEW || k == TOK_LET ||
           k == TOK_SUB || k == TOK_NOT || k == TOK_BITNOT;
}

/* The ) of a ( at i that holds nothing but a type before an operand; else 0. */
static size_t cast_end(const Tokens *tokens, size_t i)
{
    int depth = 0;
    if (kind_at(tokens, i + 1) != TOK_TYPENAME) return 0;
    for (size_t at = i;; at++) {
        TokenKind k = kind_at(tokens, at);
        depth += (k == TOK_LPAREN) - (k == TOK_RPAREN);
        if (depth == 0) return begins_operand(kind_at(tokens, at + 1)) ? at : 0;
        bool type = k == TOK_TYPENAME || k == TOK_DOT || k == TOK_LT || k == TOK_GT ||
                    k == TOK_SHR || k == TOK_COMMA || k == TOK_LBRACKET || k == TOK_RBRACKET ||
                    k == TOK_LPAREN || k == TOK_RPAREN;
        if (!type) return 0;
    }
}

static void mark_type_list(const Tokens *tokens, unsigned char *roles, size_t i)
{
    size_t end = lexer_skip_type_list(tokens, i);
    TokenKind before = i ? kind_at(tokens, i - 1) : TOK_END;
    bool list = end > i && (before == TOK_TYPENAME ||
                            (before == TOK_NAME && kind_at(tokens, end) == TOK_LPAREN));
    for (size_t at = i; list && at < end; at++) {
        TokenKind k = kind_at(tokens, at);
        if (k == TOK_LT || k == TOK_GT || k == TOK_SHR) roles[at] = ROLE_TYPE_LIST;
    }
}

static bool may_be_prefix(TokenKind k)
{
    return k == TOK_ADD || k == TOK_SUB || k == TOK_MUL || k == TOK_AND || k == TOK_OR ||
           k == TOK_XOR || k == TOK_LAND || k == TOK_LOR || k == TOK_NOT || k == TOK_BITNOT ||
           k == TOK_INC || k == TOK_DEC;
}

/* What follows the first > of >>, >>> and >>>=. */
static bool goes_on_shift(const Tokens *tokens, const unsigned char *roles, size_t i)
{
    TokenKind k = kind_at(tokens, i), before = i ? kind_at(tokens, i - 1) : TOK_END;
    if (roles[i] != ROLE_PLAIN) return false;
    if (before == TOK_SHR) return k == TOK_GT;
    return before == TOK_GT && roles[i - 1] == ROLE_SHIFT && (k == TOK_GT || k == TOK_GE);
}

unsigned char *space_roles(const Tokens *tokens)
{
    size_t n = tokens->list.len;
    unsigned char *roles = mem_alloc(n + 1);
    memset(roles, ROLE_PLAIN, n + 1);
    /* open ( and [, { of patterns: the keyword before, LBRACKET of attributes, PROPERTIES where members have names, END */
    VEC(TokenKind) parens = {0};
    bool label = false;
    for (size_t i = 0; i < n; i++) {
        TokenKind k = kind_at(tokens, i), before = i ? kind_at(tokens, i - 1) : TOK_END;
        bool operand = i && ends_operand(before, roles[i - 1]);
        if (k == TOK_CASE || (k == TOK_DEFAULT && kind_at(tokens, i + 1) == TOK_COLON))
            label = true;
        bool shape = parens.len > 0 && vec_last(&parens) == TOK_PROPERTIES;
        bool shape_end = k == TOK_RBRACE && shape;
        if (k == TOK_SEMI || k == TOK_LBRACE || (k == TOK_RBRACE && !shape)) label = false;
        if (k == TOK_COLON && shape) {
            roles[i] = ROLE_LABEL;
        } else if (k == TOK_COLON && label && parens.len == 0) {
            roles[i] = ROLE_LABEL;
            label = false;
        }
        if (before == TOK_OPERATOR && token_class(k) == TOKEN_P)
            roles[i] = ROLE_NAME;
        else if (may_be_prefix(k) && !operand)
            roles[i] = ROLE_PREFIX;
        else if (k == TOK_INC || k == TOK_DEC)
            roles[i] = ROLE_POSTFIX;
        else if (k == TOK_LT && roles[i] == ROLE_PLAIN)
            mark_type_list(tokens, roles, i);
        else if (goes_on_shift(tokens, roles, i))
            roles[i] = ROLE_SHIFT;
        if (k == TOK_PROPERTIES || k == TOK_POSITIONAL) {
            vec_push(&parens, TOK_PROPERTIES);
        } else if (shape_end) {
            parens.len--;
        } else if (opens(k)) {
            size_t cast =
                k == TOK_LPAREN && !operand && !is_header(before) ? cast_end(tokens, i) : 0;
            if (cast) roles[cast] = ROLE_CAST;
            bool attribute = k == TOK_LBRACKET &&
                             (before == TOK_END || before == TOK_SEMI || before == TOK_LBRACE ||
                              before == TOK_RBRACE || roles[i - 1] == ROLE_ATTRIBUTE);
            vec_push(&parens, k == TOK_LPAREN && is_header(before) ? before
                              : attribute                          ? TOK_LBRACKET
                                                                   : TOK_END);
        } else if ((k == TOK_RPAREN || k == TOK_RBRACKET) && parens.len > 0) {
            if (vec_last(&parens) == TOK_LBRACKET)
                roles[i] = ROLE_ATTRIBUTE;
            else if (vec_last(&parens) != TOK_END)
                roles[i] = ROLE_HEADER;
            if (vec_last(&parens) == TOK_CATCH && kind_at(tokens, i + 1) == TOK_NAME)
                roles[i + 1] = ROLE_WORD;
            parens.len--;
        } else if (k == TOK_LBRACE || k == TOK_RBRACE) {
            parens.len = 0; /* labels of a lambda in parentheses; those of braces are balanced */
        }
    }
    vec_free(&parens);
    return roles;
}

/* ---- rules -------------------------------------------------------------------------------------- */

/* Before a ( or [ of a call, an index or a type. */
static bool takes_brackets(TokenKind k, SpaceRole role)
{
    if (k == TOK_RPAREN) return role != ROLE_HEADER;
    if (role == ROLE_WORD || role == ROLE_ATTRIBUTE) return false;
    return ends_operand(k, role) || k == TOK_CTOR || k == TOK_LET || k == TOK_NEW ||
           k == TOK_DEFAULT || k == TOK_OPERATOR || role == ROLE_TYPE_LIST || role == ROLE_NAME;
}

static bool is_dot(TokenKind k)
{
    return k == TOK_DOT || k == TOK_COND_DOT;
}

static bool is_reduction(TokenKind k)
{
    return k != TOK_SUB && k != TOK_NOT && k != TOK_BITNOT && k != TOK_INC && k != TOK_DEC;
}

/* Is there a range up to the next comma or bracket? */
static bool has_range(const Tokens *tokens, size_t i)
{
    int depth = 0;
    for (;; i++) {
        TokenKind k = kind_at(tokens, i);
        if (k == TOK_DOTDOT && depth == 0) return true;
        depth += opens(k) - (k == TOK_RPAREN || k == TOK_RBRACKET);
        if (depth < 0 || k == TOK_SEMI || k == TOK_END || (k == TOK_COMMA && depth == 0))
            return false;
    }
}

/* `name:` of an argument or before an attribute, if it is written so: a variable's domain, written apart
 * mostly, may look the same. */
static bool is_named(const Tokens *tokens, size_t i)
{
    const Token *t = tokens->list.data;
    TokenKind before = i > 1 ? kind_at(tokens, i - 2) : TOK_END;
    return kind_at(tokens, i) == TOK_COLON && kind_at(tokens, i - 1) == TOK_NAME &&
           (before == TOK_LPAREN || before == TOK_LBRACKET || before == TOK_COMMA) &&
           t[i - 1].end == t[i].begin && !has_range(tokens, i + 1);
}

bool space_before(const Tokens *tokens, const unsigned char *roles, size_t i)
{
    TokenKind k = kind_at(tokens, i), p = kind_at(tokens, i - 1);
    SpaceRole role = roles[i], before = roles[i - 1];
    if (k == TOK_RPAREN || k == TOK_RBRACKET || k == TOK_SEMI || k == TOK_COMMA) return false;
    if (opens(p) || is_dot(p) || is_dot(k)) return false;
    if (p == TOK_COMMA) return k != TOK_RBRACKET && k != TOK_COMMA;
    if (p == TOK_DOTDOT || k == TOK_DOTDOT || is_named(tokens, i)) return false;
    if (role == ROLE_SHIFT || role == ROLE_TYPE_LIST || role == ROLE_LABEL || role == ROLE_POSTFIX)
        return false;
    if (role == ROLE_NAME) return false;
    if (before == ROLE_CAST) return false;
    if (before == ROLE_TYPE_LIST && p == TOK_LT) return false;
    if (before == ROLE_PREFIX) return k == TOK_LPAREN && is_reduction(p);
    if (p == TOK_LBRACE && k == TOK_RBRACE) return false;
    if (k == TOK_COND_BRACKET) return false;
    if (k == TOK_POSITIONAL) return p != TOK_TYPENAME && before != ROLE_TYPE_LIST;
    if (k == TOK_LPAREN || k == TOK_LBRACKET) return !takes_brackets(p, before);
    return true;
}
