/* `_` in a session (csc repl) is the last value that was shown, wherever it leaves nothing open or out as
 * in a program: not as a pattern, a parameter, what is assigned or behind `out`, nor as one of several
 * arguments or elements. There it becomes a NAME.
 *
 *     _ + 1    _.Length    sum(_)    (_)    f((_), 2)        the last value
 *     f(_, 2)    (_, b) = t    _ = f()    _ => 0              as in a program
 */
#include "marks.h"

/* Is it all that these brackets hold? */
static bool is_alone(TokenKind before, TokenKind after)
{
    return before == TOK_LPAREN && after == TOK_RPAREN;
}

static bool is_one_of_several(TokenKind around, TokenKind before, TokenKind after)
{
    return (around == TOK_LPAREN || around == TOK_BASE_ARGS || around == TOK_TUPLE) &&
           (before == TOK_COMMA || before == TOK_LPAREN || before == TOK_TUPLE ||
            before == TOK_BASE_ARGS) &&
           (after == TOK_COMMA || after == TOK_RPAREN);
}

static bool is_pattern(TokenKind around, TokenKind before, TokenKind after)
{
    switch (before) {
    case TOK_IS:
    case TOK_CASE:
    case TOK_AND_WORD:
    case TOK_OR_WORD:
    case TOK_NOT_WORD: return true;
    default: break;
    }
    return around == TOK_POSITIONAL || around == TOK_LIST || around == TOK_PROPERTIES ||
           after == TOK_WHEN || after == TOK_ARROW || after == TOK_AND_WORD || after == TOK_OR_WORD;
}

/* `out _`, `var _`, `(int _, var b)`: nothing is declared. */
static bool is_left_out(TokenKind before, TokenKind after)
{
    if (before == TOK_OUT || before == TOK_REF || before == TOK_IN || before == TOK_VAR)
        return true;
    return before == TOK_TYPENAME && (after == TOK_COMMA || after == TOK_RPAREN);
}

static bool is_value(const Tokens *tokens, size_t i, TokenKind around)
{
    TokenKind before = kind_before(tokens, i, 1), after = kind_at(tokens, i + 1);
    if (is_pattern(around, before, after) || is_left_out(before, after)) return false;
    if (after == TOK_ASSIGN) return false;
    if (is_alone(before, after)) return kind_at(tokens, i + 2) != TOK_ARROW;
    return !is_one_of_several(around, before, after);
}

void lexer_mark_last(Tokens *tokens, Interner *names)
{
    TokenValue name = {.text = intern_cstr(names, "_")};
    VEC(TokenKind) open = {0};
    for (size_t i = 0; i < tokens->list.len; i++) {
        Token *t = &tokens->list.data[i];
        if (token_partner(t->kind) != TOK_END) vec_push(&open, (TokenKind)t->kind);
        if (token_closes(t->kind) && open.len) open.len--;
        if (t->kind != TOK_UNDERSCORE) continue;
        if (!is_value(tokens, i, open.len ? vec_last(&open) : TOK_END)) continue;
        t->kind = TOK_NAME;
        t->value = (uint32_t)tokens->values.len;
        vec_push(&tokens->values, name);
    }
    vec_free(&open);
}
