/* Patterns: behind `is` and `case`, and in the arms of a switch expression. Their words `and`, `or`, `not`
 * and `when` are names elsewhere, their brackets could begin values, and what is followed by a name or
 * by brackets there is a type. All this becomes tokens of their own, so that the grammar needs no
 * guessing. */
#include "marks.h"

typedef struct Patterns {
    Tokens *tokens;
    const size_t *partner;
    const char *and_word, *or_word, *not_word, *when_word;
    int depth;
} Patterns;

enum { DEEPEST = 200 }; /* patterns inside of patterns that are looked at */

static size_t skip_pattern(Patterns *p, size_t i);

static TokenKind at(const Patterns *p, size_t i)
{
    return kind_at(p->tokens, i);
}

static void mark(Patterns *p, size_t i, TokenKind kind)
{
    p->tokens->list.data[i].kind = (uint16_t)kind;
}

static bool begins_pattern(TokenKind k)
{
    switch (k) {
    case TOK_NAME:
    case TOK_TYPENAME:
    case TOK_INT:
    case TOK_REAL:
    case TOK_CHAR:
    case TOK_STRING:
    case TOK_INTERP:
    case TOK_TRUE:
    case TOK_FALSE:
    case TOK_NULL_:
    case TOK_UNDERSCORE:
    case TOK_VAR:
    case TOK_DEFAULT:
    case TOK_LPAREN:
    case TOK_LBRACKET:
    case TOK_LBRACE:
    case TOK_LT:
    case TOK_GT:
    case TOK_LE:
    case TOK_GE:
    case TOK_SUB:
    case TOK_BITNOT: return true;
    default: return false;
    }
}

static bool is_word(const Patterns *p, size_t i, const char *word)
{
    return at(p, i) == TOK_NAME && name_at(p->tokens, i) == word && begins_pattern(at(p, i + 1));
}

static bool joins(const Patterns *p, size_t i)
{
    return is_word(p, i, p->and_word) || is_word(p, i, p->or_word);
}

/* The same behind a whole pattern, whatever follows. */
static bool goes_on(const Patterns *p, size_t i)
{
    return at(p, i) == TOK_NAME &&
           (name_at(p->tokens, i) == p->and_word || name_at(p->tokens, i) == p->or_word);
}

static bool is_when(const Patterns *p, size_t i)
{
    return at(p, i) == TOK_NAME && name_at(p->tokens, i) == p->when_word;
}

/* Can what stands before token i be a whole pattern? */
static bool is_end(const Patterns *p, size_t i)
{
    switch (at(p, i)) {
    case TOK_NAME: return joins(p, i) || is_when(p, i);
    case TOK_INT:
    case TOK_REAL:
    case TOK_CHAR:
    case TOK_STRING:
    case TOK_INTERP:
    case TOK_TYPENAME:
    case TOK_LPAREN:
    case TOK_LBRACKET:
    case TOK_DOT:
    case TOK_NEW:
    case TOK_NULL_:
    case TOK_TRUE:
    case TOK_FALSE:
    case TOK_THIS:
    case TOK_NOT:
    case TOK_BITNOT:
    case TOK_ADD:
    case TOK_SUB:
    case TOK_MUL:
    case TOK_DIV:
    case TOK_REM:
    case TOK_SHL: return false;
    default: return true;
    }
}

/* Is token i the name of the variable that the pattern declares? */
static bool designates(const Patterns *p, size_t i)
{
    if (at(p, i) != TOK_NAME && at(p, i) != TOK_UNDERSCORE) return false;
    return !joins(p, i) && !is_when(p, i) && is_end(p, i + 1);
}

/* A constant, up to what cannot go on with it. */
static size_t skip_constant(const Patterns *p, size_t i)
{
    for (size_t first = i;; i++) {
        size_t end;
        switch (at(p, i)) {
        case TOK_LPAREN:
        case TOK_LBRACKET:
        case TOK_COLLECTION:
            if (!p->partner[i]) return i;
            i = p->partner[i];
            break;
        case TOK_INTERP:
            while (at(p, i) != TOK_INTERP_END && at(p, i) != TOK_END) i++;
            if (at(p, i) == TOK_END) return i;
            break;
        case TOK_LT:
            end = lexer_skip_type_list(p->tokens, i);
            if (end == i) return i;
            i = end - 1;
            break;
        case TOK_NAME:
            if (i > first && kind_before(p->tokens, i, 1) != TOK_DOT &&
                (goes_on(p, i) || is_when(p, i)))
                return i;
            break;
        case TOK_DOT:
        case TOK_ADD:
        case TOK_SUB:
        case TOK_MUL:
        case TOK_DIV:
        case TOK_REM:
        case TOK_SHL:
        case TOK_OR:
        case TOK_XOR:
        case TOK_AND:
        case TOK_BITNOT:
        case TOK_NOT: break;
        default:
            if (token_class(at(p, i)) == TOKEN_P || at(p, i) == TOK_END || at(p, i) == TOK_IS ||
                at(p, i) == TOK_AS || at(p, i) == TOK_SWITCH || at(p, i) == TOK_HOLE_END ||
                at(p, i) == TOK_FORMAT)
                return i;
        }
    }
}

/* The token behind a type without anything else; i if there is none. */
static size_t skip_type(const Patterns *p, size_t i)
{
    if (!is_name(at(p, i))) return i;
    size_t end = i + 1;
    while (at(p, end) == TOK_DOT && is_name(at(p, end + 1))) end += 2;
    if (at(p, end) == TOK_LT) end = lexer_skip_type_list(p->tokens, end);
    while (marks_is_rank(p->tokens, end)) end = p->partner[end] + 1;
    return end;
}

/* `Name: ` or `A.B: ` before the pattern of a member; i if there is none. */
static size_t skip_member(Patterns *p, size_t i)
{
    size_t end = i;
    while (is_name(at(p, end)) && at(p, end + 1) == TOK_DOT) end += 2;
    if (!is_name(at(p, end)) || at(p, end + 1) != TOK_COLON) return i;
    for (size_t k = i; k <= end; k += 2) {
        mark(p, k, TOK_NAME);
        p->tokens->list.data[k].flags |= TOKEN_MEMBER;
    }
    return end + 2;
}

/* What stands in the brackets that open at token i; gives the token behind them. */
static size_t skip_inside(Patterns *p, size_t open)
{
    size_t close = p->partner[open];
    for (size_t i = open + 1; i < close; i++) {
        i = skip_member(p, i);
        if (at(p, i) == TOK_DOTDOT) i++;
        if (begins_pattern(at(p, i))) i = skip_pattern(p, i);
        for (; i < close && at(p, i) != TOK_COMMA; i++)
            if (p->partner[i]) i = p->partner[i];
    }
    return close + 1;
}

/* Do the parentheses that open at token i hold patterns? Else they begin a value: `(1 + 2) * 3`, or a
 * cast. */
static bool holds_patterns(const Patterns *p, size_t i)
{
    size_t close = p->partner[i];
    if (!close) return false;
    TokenKind after = at(p, close + 1);
    if (after == TOK_NAME && designates(p, close + 1)) {
        for (size_t k = i + 1; k < close; k++) {
            if (at(p, k) == TOK_COMMA || at(p, k) == TOK_COLON) return true;
            if (p->partner[k]) k = p->partner[k];
        }
        return false;
    }
    return is_end(p, close + 1);
}

/* Brackets behind a type or alone, then a name. */
static size_t skip_shape(Patterns *p, size_t i)
{
    bool list = at(p, i) == TOK_LBRACKET && p->partner[i];
    if (at(p, i) == TOK_LPAREN && p->partner[i]) {
        mark(p, i, TOK_POSITIONAL);
        i = skip_inside(p, i);
    }
    if (list || (at(p, i) == TOK_LBRACE && p->partner[i])) {
        mark(p, i, list ? TOK_LIST : TOK_PROPERTIES);
        i = skip_inside(p, i);
    }
    return designates(p, i) ? i + 1 : i;
}

static size_t skip_primary(Patterns *p, size_t i)
{
    for (; is_word(p, i, p->not_word); i++) mark(p, i, TOK_NOT_WORD);
    switch (at(p, i)) {
    case TOK_LT:
    case TOK_GT:
    case TOK_LE:
    case TOK_GE: return skip_constant(p, i + 1);
    case TOK_VAR:
        if (at(p, i + 1) != TOK_LPAREN) return i + 2;
        return skip_shape(p, i + 1);
    case TOK_LBRACE:
    case TOK_LBRACKET: return skip_shape(p, i);
    case TOK_LPAREN:
        if (holds_patterns(p, i)) return skip_shape(p, i);
        return skip_constant(p, i);
    case TOK_UNDERSCORE: return i + 1;
    default: break;
    }
    size_t end = skip_type(p, i);
    TokenKind after = at(p, end);
    if (end == i || (after != TOK_LPAREN && after != TOK_LBRACE && !designates(p, end)))
        return skip_constant(p, i);
    if (after != TOK_LPAREN || at(p, i + 1) != TOK_DOT) mark(p, i, TOK_TYPENAME);
    return skip_shape(p, end);
}

/* The token behind the pattern that begins at token i. */
static size_t skip_pattern(Patterns *p, size_t i)
{
    if (p->depth == DEEPEST) return i;
    p->depth++;
    i = skip_primary(p, i);
    while (goes_on(p, i)) {
        mark(p, i, name_at(p->tokens, i) == p->and_word ? TOK_AND_WORD : TOK_OR_WORD);
        i = skip_primary(p, i + 1);
    }
    p->depth--;
    return i;
}

/* With the condition that may stand behind it. */
static size_t skip_choice(Patterns *p, size_t i)
{
    i = skip_pattern(p, i);
    if (is_when(p, i)) mark(p, i, TOK_WHEN);
    return i;
}

/* The arms of the switch expression whose brace is token i. */
static void mark_arms(Patterns *p, size_t open)
{
    size_t close = p->partner[open];
    for (size_t i = open + 1; i < close; i++) {
        i = skip_choice(p, i);
        for (; i < close && at(p, i) != TOK_COMMA; i++) {
            size_t end = at(p, i) == TOK_LT ? lexer_skip_type_list(p->tokens, i) : i;
            if (p->partner[i])
                i = p->partner[i];
            else if (end > i)
                i = end - 1;
        }
    }
}

void marks_patterns(Tokens *tokens, const size_t *partner, Interner *names)
{
    Patterns p = {.tokens = tokens,
                  .partner = partner,
                  .and_word = intern_cstr(names, "and"),
                  .or_word = intern_cstr(names, "or"),
                  .not_word = intern_cstr(names, "not"),
                  .when_word = intern_cstr(names, "when")};
    for (size_t i = 0; i < tokens->list.len; i++) {
        TokenKind k = at(&p, i);
        if (k == TOK_IS)
            skip_pattern(&p, i + 1);
        else if (k == TOK_CASE)
            skip_choice(&p, i + 1);
        else if (k == TOK_SWITCH && at(&p, i + 1) == TOK_LBRACE)
            mark_arms(&p, i + 1);
    }
}
