/* The `?` of types, `int? n`: what stands before it must be a type, and what stands behind must leave no
 * room for the branches of a conditional. It becomes a token of its own, so that the grammar needs no
 * guessing. */
#include <string.h>

#include "marks.h"

/* The first token of the type that ends before token i, whose brackets are balanced. */
static size_t type_begin(const Tokens *tokens, size_t i)
{
    size_t depth = 0, begin = i;
    while (begin > 0 && i - begin < LONGEST_LIST) {
        TokenKind k = kind_at(tokens, --begin);
        depth += k == TOK_GT || k == TOK_SHR || k == TOK_RBRACKET || k == TOK_RPAREN;
        depth -= depth > 0 && (k == TOK_LT || k == TOK_LBRACKET || k == TOK_LPAREN);
        if (depth == 0 && (is_name(k) || k == TOK_LPAREN)) break;
    }
    return begin;
}

/* Is what ends before token i a type? `at` is where it begins. */
static bool ends_type(const Tokens *tokens, size_t i, size_t *at,
                      bool (*is_type)(void *ctx, size_t token), void *ctx)
{
    TokenKind before = kind_before(tokens, i, 1), open = kind_before(tokens, i, 2);
    *at = type_begin(tokens, i);
    if (before == TOK_RPAREN) { /* (int, float)? */
        if (kind_at(tokens, *at) != TOK_LPAREN || !is_name(kind_at(tokens, *at + 1))) return false;
        TokenKind outer = kind_before(tokens, *at, 1);
        if (outer == TOK_NAME && !strcmp(name_at(tokens, *at - 1), "delegate")) return true;
        if (is_name(outer) || outer == TOK_RPAREN || outer == TOK_RBRACKET || outer == TOK_GT)
            return false;
        bool comma = false;
        for (size_t k = *at; k < i; k++) comma = comma || kind_at(tokens, k) == TOK_COMMA;
        return comma && is_type(ctx, *at + 1);
    }
    if (before == TOK_RBRACKET) return open == TOK_LBRACKET || open == TOK_COMMA;
    return before == TOK_GT || (is_name(before) && is_type(ctx, i - 1));
}

/* Object? IEnumerator.Current => ..: does the type that begins at token `at` begin a member, and is behind token i the
 * name of an interface's? */
static bool is_member_of(const Tokens *tokens, size_t at, size_t i)
{
    TokenKind before = kind_before(tokens, at, 1);
    if (before != TOK_LBRACE && before != TOK_RBRACE && before != TOK_SEMI) return false;
    return is_name(kind_at(tokens, i + 1)) && kind_at(tokens, i + 2) == TOK_DOT;
}

/* Does what stands behind token i go on after a type? `tested`: behind `is`. */
static bool goes_on(const Tokens *tokens, size_t i, bool tested)
{
    TokenKind next = kind_at(tokens, i + 1);
    switch (next) {
    case TOK_COMMA:
    case TOK_RPAREN:
    case TOK_SEMI:
    case TOK_LAND:
    case TOK_LOR: return true;
    case TOK_GT:
    case TOK_SHR:
    case TOK_LBRACE:
    case TOK_OPERATOR:
    case TOK_THIS:
    case TOK_COALESCE: return !tested;
    case TOK_LBRACKET: return !tested && marks_is_rank(tokens, i + 1);
    case TOK_NAME: break;
    default: return false;
    }
    switch (kind_at(tokens, i + 2)) {
    case TOK_ASSIGN:
    case TOK_SEMI:
    case TOK_COMMA:
    case TOK_RPAREN:
    case TOK_LPAREN:
    case TOK_LBRACE:
    case TOK_ARROW:
    case TOK_LT:
    case TOK_IN: return !tested;
    default: return false;
    }
}

/* Does the type that begins at token i stand behind `is`, or behind a word of a pattern? */
static bool is_tested(const Tokens *tokens, size_t i)
{
    TokenKind before = kind_before(tokens, i, 1);
    if (before != TOK_NAME) return before == TOK_IS;
    switch (kind_before(tokens, i, 2)) { /* and, or, not; others begin a declaration */
    case TOK_IS:
    case TOK_NAME:
    case TOK_TYPENAME:
    case TOK_INT:
    case TOK_CHAR:
    case TOK_STRING:
    case TOK_NULL_:
    case TOK_RPAREN:
    case TOK_RBRACKET: return true;
    default: return false;
    }
}

void marks_nullable(Tokens *tokens, bool (*is_type)(void *ctx, size_t token), void *ctx)
{
    for (size_t i = 1; i < tokens->list.len; i++) {
        size_t at;
        if (kind_at(tokens, i) != TOK_QUESTION || !ends_type(tokens, i, &at, is_type, ctx))
            continue;
        if (goes_on(tokens, i, is_tested(tokens, at)) || is_member_of(tokens, at, i))
            tokens->list.data[i].kind = TOK_NULLABLE;
    }
}
