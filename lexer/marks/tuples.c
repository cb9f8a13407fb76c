/* Types of tuples: `(float value, int index) best;`. By its tokens such a parenthesis could also be
 * the parameters of a function or of a lambda, or values: what stands inside must be types, and what
 * stands before and behind must leave room for one. The parenthesis becomes a token of its own, so
 * that the grammar needs no guessing. */
#include <string.h>

#include "marks.h"

typedef struct Tuples {
    Tokens *tokens;
    const size_t *partner;
    bool (*is_type)(void *ctx, size_t token);
    void *ctx;
    Indices types, opens; /* names that are types, parentheses of tuples: to be marked */
    bool sure, doubtful;  /* some names are types; some are only if this is a tuple */
} Tuples;

static size_t skip_type(Tuples *t, size_t i);

/* Types with a comma between them, up to the parenthesis that closes. */
static bool is_type_list(Tuples *t, size_t open, bool names, int fewest)
{
    size_t at = open + 1, close = t->partner[open];
    int n = 0;
    for (; at < close; n++) {
        size_t end = skip_type(t, at);
        if (end == at) return false;
        at = end;
        if (names && is_name(kind_at(t->tokens, at))) at++;
        if (at == close) return n + 1 >= fewest;
        if (kind_at(t->tokens, at) != TOK_COMMA) return false;
        at++;
    }
    return at == close && open + 1 == close && fewest == 0;
}

/* The token behind the type arguments at token i, which is '<'; i if they are none. */
static size_t skip_arguments(Tuples *t, size_t i)
{
    size_t end = lexer_skip_type_list(t->tokens, i);
    for (size_t at = i + 1; at < end; at++) {
        TokenKind k = kind_at(t->tokens, at);
        if (is_name(k)) vec_push(&t->types, at);
        if (k != TOK_LPAREN || is_name(kind_before(t->tokens, at, 1))) continue;
        if (!t->partner[at] || !is_type_list(t, at, true, 2)) return i;
        vec_push(&t->opens, at);
        at = t->partner[at];
    }
    return end;
}

static size_t skip_type(Tuples *t, size_t i)
{
    TokenKind k = kind_at(t->tokens, i);
    size_t at = i + 1;
    if (k == TOK_LPAREN && t->partner[i] && is_type_list(t, i, true, 2)) {
        vec_push(&t->opens, i);
        at = t->partner[i] + 1;
    } else if (is_name(k)) {
        bool known = t->is_type(t->ctx, i) || is_name(kind_at(t->tokens, at));
        t->sure = t->sure || known;
        t->doubtful = t->doubtful || !known;
        vec_push(&t->types, i);
        if (kind_at(t->tokens, at) == TOK_LT) {
            at = skip_arguments(t, at);
            if (at == i + 1) return i;
        }
    } else {
        return i;
    }
    for (;;) {
        if (kind_at(t->tokens, at) == TOK_NULLABLE)
            at++;
        else if (marks_is_rank(t->tokens, at))
            at = t->partner[at] + 1;
        else if (kind_at(t->tokens, at) == TOK_LPAREN && t->partner[at] &&
                 is_type_list(t, at, false, 0))
            at = t->partner[at] + 1;
        else
            return at;
    }
}

/* Whether the bracket that token i closes holds attributes of a declaration. */
static bool closes_attributes(const Tuples *t, size_t i)
{
    for (size_t open = i; open-- > 0 && i - open < LONGEST_LIST;) {
        if (t->partner[open] != i) continue;
        TokenKind before = kind_before(t->tokens, open, 1);
        return before == TOK_END || before == TOK_SEMI || before == TOK_LBRACE ||
               before == TOK_RBRACE || (before == TOK_RBRACKET && open > 0);
    }
    return false;
}

/* `params` before the type of a parameter. */
static bool is_params(const Tuples *t, size_t i)
{
    TokenKind before = kind_before(t->tokens, i, 1);
    return kind_at(t->tokens, i) == TOK_NAME && !strcmp(name_at(t->tokens, i), "params") &&
           (before == TOK_LPAREN || before == TOK_COMMA);
}

static bool may_follow(const Tuples *t, size_t i)
{
    TokenKind before = kind_before(t->tokens, i, 1);
    switch (before) {
    case TOK_END:
    case TOK_SEMI:
    case TOK_LBRACE:
    case TOK_RBRACE:
    case TOK_LPAREN:
    case TOK_TUPLE:
    case TOK_COMMA:
    case TOK_COLON:
    case TOK_LT:
    case TOK_CONST:
    case TOK_REF:
    case TOK_OUT:
    case TOK_THIS: /* of an extension method */
    case TOK_NEW:
    case TOK_DELEGATE:
    case TOK_IS:
    case TOK_AS:
    case TOK_ELSE:
    case TOK_DO: return true;
    case TOK_ASSIGN: return kind_before(t->tokens, i, 3) == TOK_TYPE;
    case TOK_RBRACKET: return closes_attributes(t, i - 1);
    default: return token_is_modifier(before) || (i > 0 && is_params(t, i - 1));
    }
}

/* `end`: the token behind the whole type, which begins at i. */
static bool may_precede(const Tuples *t, size_t i, size_t end)
{
    if (kind_before(t->tokens, i, 1) == TOK_NEW && kind_before(t->tokens, end, 1) == TOK_RBRACKET)
        return kind_at(t->tokens, end) == TOK_LBRACE; /* new (int, int)[] { .. } */
    switch (kind_at(t->tokens, end)) {
    case TOK_NAME:
    case TOK_UNDERSCORE:
    case TOK_TYPENAME:
    case TOK_GT:
    case TOK_SHR:
    case TOK_COMMA:
    case TOK_RPAREN:
    case TOK_SEMI:
    case TOK_OPERATOR:
    case TOK_LBRACKET: /* new (int, int)[n] */
    case TOK_THIS: return true;
    default: return false;
    }
}

size_t marks_tuple(Tokens *tokens, const size_t *partner, size_t i,
                   bool (*is_type)(void *ctx, size_t token), void *ctx)
{
    Tuples t = {.tokens = tokens, .partner = partner, .is_type = is_type, .ctx = ctx};
    bool asked = partner[i] && partner[i] - i < LONGEST_LIST && may_follow(&t, i);
    size_t end = asked ? skip_type(&t, i) : i;
    bool found = end > i && may_precede(&t, i, end);
    /* a type that nobody declares: then a name must follow, as it does no values */
    bool declares = kind_before(tokens, i, 1) == TOK_DELEGATE;
    if (t.doubtful && !declares) found = found && t.sure && is_name(kind_at(tokens, end));
    for (size_t k = 0; found && k < t.types.len; k++)
        tokens->list.data[t.types.data[k]].kind = TOK_TYPENAME;
    for (size_t k = 0; found && k < t.opens.len; k++)
        tokens->list.data[t.opens.data[k]].kind = TOK_TUPLE;
    vec_free(&t.types);
    vec_free(&t.opens);
    return found ? end - 1 : i;
}

/* Whether the name before token i, which is '<', is that of a function that is declared. */
static bool is_declaration(const Tuples *t, size_t i, size_t open)
{
    TokenKind before = kind_before(t->tokens, i, 2);
    TokenKind behind = t->partner[open] ? kind_at(t->tokens, t->partner[open] + 1) : TOK_END;
    if (before == TOK_TYPENAME || before == TOK_GT || before == TOK_NULLABLE) return true;
    if (before == TOK_DOT) return marks_is_of(t->tokens, i - 1);
    return (before == TOK_RPAREN || before == TOK_RBRACKET) &&
           (behind == TOK_LBRACE || behind == TOK_ARROW || behind == TOK_WHERE);
}

bool marks_type_arguments(Tokens *tokens, const size_t *partner, size_t i,
                          bool (*is_type)(void *ctx, size_t token), void *ctx)
{
    Tuples t = {.tokens = tokens, .partner = partner, .is_type = is_type, .ctx = ctx};
    size_t at = i;
    do {
        size_t end = skip_type(&t, at + 1);
        if (end == at + 1 || end > i + LONGEST_LIST) break;
        at = end;
    } while (kind_at(tokens, at) == TOK_COMMA);
    bool found = at > i && kind_at(tokens, at) == TOK_GT && kind_at(tokens, at + 1) == TOK_LPAREN &&
                 !t.doubtful && !is_declaration(&t, i, at + 1);
    for (size_t k = 0; found && k < t.types.len; k++)
        tokens->list.data[t.types.data[k]].kind = TOK_TYPENAME;
    for (size_t k = 0; found && k < t.opens.len; k++)
        tokens->list.data[t.opens.data[k]].kind = TOK_TUPLE;
    if (found) tokens->list.data[i].kind = TOK_TYPE_ARGS;
    vec_free(&t.types);
    vec_free(&t.opens);
    return found;
}
