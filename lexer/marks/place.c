/* What stands around a name says whether it is a type, where nobody declares it, and whether the name of a
 * type is meant as something else. */
#include <string.h>

#include "marks.h"

/* Whether a statement, a definition, a member or a parameter can begin after a token of this kind.
 */
static bool begins_declaration(TokenKind before)
{
    switch (before) {
    case TOK_END:
    case TOK_SEMI:
    case TOK_LBRACE:
    case TOK_RBRACE:
    case TOK_LPAREN:
    case TOK_RPAREN:
    case TOK_RBRACKET:
    case TOK_COMMA:
    case TOK_CONST:
    case TOK_ELSE:
    case TOK_DO:
    case TOK_REF:
    case TOK_OUT:
    case TOK_THIS: return true; /* of an extension method */
    default: return token_is_modifier(before);
    }
}

/* Whether `(NAME)` after a token of this kind, with an operand after it, can only be a cast. */
static bool begins_operand(TokenKind before)
{
    switch (before) {
    case TOK_RETURN:
    case TOK_IN:
    case TOK_LPAREN:
    case TOK_LBRACKET:
    case TOK_COMMA:
    case TOK_COLON:
    case TOK_SEMI:
    case TOK_HOLE: return true;
    default: return token_class(before) == TOKEN_P && before >= TOK_DOTDOT && before < TOK_INC;
    }
}

static bool is_operand(TokenKind k)
{
    return k == TOK_NAME || k == TOK_INT || k == TOK_REAL || k == TOK_CHAR || k == TOK_STRING ||
           k == TOK_INTERP;
}

bool marks_is_rank(const Tokens *tokens, size_t i)
{
    if (kind_at(tokens, i) != TOK_LBRACKET) return false;
    do i++;
    while (kind_at(tokens, i) == TOK_COMMA);
    return kind_at(tokens, i) == TOK_RBRACKET;
}

/* `x is T`, `x is not T`, `x as T`. */
static bool is_tested(const Tokens *tokens, size_t i)
{
    TokenKind before = kind_before(tokens, i, 1);
    return before == TOK_IS || before == TOK_NOT_WORD || before == TOK_AS;
}

bool marks_is_type_by_place(const Tokens *tokens, size_t i, const size_t *partner)
{
    TokenKind before = kind_before(tokens, i, 1), after = kind_at(tokens, i + 1);
    TokenKind before2 = kind_before(tokens, i, 2);
    if (after == TOK_LT) {
        size_t end = lexer_skip_type_list(tokens, i + 1);
        if (end == i + 1) return false;
        TokenKind behind = kind_at(tokens, end);
        bool goes_on =
            behind == TOK_NAME || marks_is_rank(tokens, end) ||
            (behind == TOK_LPAREN && partner[end] && kind_at(tokens, partner[end] + 1) == TOK_NAME);
        return before == TOK_NEW || behind == TOK_DOT || (goes_on && begins_declaration(before));
    }
    if (before == TOK_NEW)
        return after == TOK_LPAREN || after == TOK_LBRACKET || after == TOK_LBRACE;
    if (before == TOK_AS) return true;
    if (before == TOK_LPAREN && (before2 == TOK_CATCH || before2 == TOK_DEFAULT)) return true;
    if (after == TOK_NAME && tokens->list.data[i + 1].flags & TOKEN_QUIET) return false;
    if (after == TOK_NAME) return begins_declaration(before);
    if (after == TOK_OPERATOR || after == TOK_THIS) /* not `static implicit operator T` */
        return token_is_modifier(before) && !is_name(kind_at(tokens, i + 2));
    if (after == TOK_LBRACKET) return marks_is_rank(tokens, i + 1);
    if (before == TOK_ASSIGN && kind_before(tokens, i, 3) == TOK_TYPE) return true;
    return before == TOK_LPAREN && after == TOK_RPAREN && is_operand(kind_at(tokens, i + 2)) &&
           begins_operand(before2);
}

/* Whether an operand begins with a token of this kind. */
static bool starts_operand(TokenKind k)
{
    return is_operand(k) || k == TOK_TYPENAME || k == TOK_LPAREN || k == TOK_NEW || k == TOK_THIS ||
           k == TOK_BASE || k == TOK_NULL_ || k == TOK_TRUE || k == TOK_FALSE || k == TOK_DEFAULT;
}

/* Whether the type that ends before the bracket at `open` is made: `new T<A>(`. */
static bool is_made(const Tokens *tokens, size_t open)
{
    size_t i = open, inside = 0;
    while (i > 0 && open - i < LONGEST_LIST) {
        TokenKind k = kind_at(tokens, --i);
        inside += k == TOK_GT || k == TOK_SHR;
        if (k == TOK_LT && --inside == 0) i--;
        if (inside == 0) break;
    }
    return kind_before(tokens, i, 1) == TOK_NEW;
}

/* Whether the parenthesis at `open` begins a tuple of values: `return (Kind, 3);`,
 * `(Kind, other.Kind) switch`. */
static bool begins_values(const Tokens *tokens, size_t open, const size_t *partner)
{
    switch (kind_before(tokens, open, 1)) {
    case TOK_RETURN:
    case TOK_ASSIGN:
    case TOK_ARROW:
    case TOK_QUESTION:
    case TOK_EQ:
    case TOK_NE: return true;
    default: return partner[open] && kind_at(tokens, partner[open] + 1) == TOK_SWITCH;
    }
}

/* Whether the name of a type at i, before a comma or parenthesis, is a value: an argument and not
 * one of the types in `R(A, B)`, no cast, no base of a class. `open` is the bracket around it. */
static bool is_listed_value(const Tokens *tokens, size_t i, size_t open, const size_t *partner)
{
    TokenKind before = kind_before(tokens, i, 1), bracket = kind_at(tokens, open);
    if (bracket == TOK_LBRACKET) return true;
    if (bracket == TOK_LBRACE) return before == TOK_LBRACE || before == TOK_COMMA;
    if (bracket != TOK_LPAREN) return false;
    if (before != TOK_LPAREN && before != TOK_COMMA) return true;
    switch (kind_before(tokens, open, 1)) {
    case TOK_CATCH:
    case TOK_DEFAULT: return false;
    case TOK_NAME:
    case TOK_THIS:
    case TOK_BASE: return true;
    case TOK_TYPENAME:
    case TOK_GT: return is_made(tokens, open);
    case TOK_RBRACKET: /* R[](A) f, or f[0](a) */
        return kind_before(tokens, open, 2) != TOK_LBRACKET &&
               kind_before(tokens, open, 2) != TOK_COMMA;
    default:
        if (kind_at(tokens, i + 1) == TOK_COMMA) return begins_values(tokens, open, partner);
        return kind_at(tokens, i + 1) == TOK_RPAREN &&
               (before == TOK_COMMA || !starts_operand(kind_at(tokens, partner[open] + 1)));
    }
}

/* Whether the ':' before token i belongs to a '?'. */
static bool in_conditional(const Tokens *tokens, size_t i)
{
    while (i-- > 0) {
        TokenKind k = kind_at(tokens, i);
        if (k == TOK_QUESTION) return true;
        if (k == TOK_SEMI || k == TOK_LBRACE || k == TOK_RBRACE || marks_declares_type(tokens, i))
            return false;
    }
    return false;
}

/* `void IShape.Draw()`: the interface at i whose member it is. */
static bool is_explicit(const Tokens *tokens, size_t i)
{
    TokenKind before = kind_before(tokens, i, 1);
    size_t dot = kind_at(tokens, i + 1) == TOK_LT ? lexer_skip_type_list(tokens, i + 1) : i + 1;
    if (before != TOK_TYPENAME && before != TOK_GT && before != TOK_RBRACKET &&
        before != TOK_NULLABLE)
        return false;
    if (kind_at(tokens, dot) != TOK_DOT) return false;
    TokenKind after = kind_at(tokens, dot + 2);
    return kind_at(tokens, dot + 1) == TOK_THIS ||
           (is_name(kind_at(tokens, dot + 1)) &&
            (after == TOK_LPAREN || after == TOK_LBRACE || after == TOK_ARROW || after == TOK_LT));
}

bool marks_is_of(const Tokens *tokens, size_t i)
{
    size_t at = i - 1, inside = 0; /* the dot */
    if (kind_before(tokens, at, 1) == TOK_GT) {
        while (at > 0 && i - at < LONGEST_LIST) {
            TokenKind k = kind_at(tokens, --at);
            inside += k == TOK_GT;
            if (k == TOK_LT && --inside == 0) break;
        }
    }
    TokenKind before = kind_before(tokens, at, 2);
    return at > 0 && is_name(kind_before(tokens, at, 1)) &&
           (is_name(before) || before == TOK_GT || before == TOK_NULLABLE ||
            before == TOK_RBRACKET || before == TOK_QUESTION);
}

/* Whether the block at token i is a property's: `{ get; private set; }`. */
static bool is_accessors(const Tokens *tokens, size_t i)
{
    if (kind_at(tokens, i++) != TOK_LBRACE) return false;
    while (token_is_modifier(kind_at(tokens, i))) i++;
    if (kind_at(tokens, i) != TOK_NAME) return false;
    const char *name = name_at(tokens, i);
    TokenKind after = kind_at(tokens, i + 1);
    return (after == TOK_SEMI || after == TOK_LBRACE || after == TOK_ARROW) &&
           (!strcmp(name, "get") || !strcmp(name, "set") || !strcmp(name, "init"));
}

bool marks_is_name_by_place(const Tokens *tokens, size_t i, size_t open, const size_t *partner)
{
    TokenKind before = kind_before(tokens, i, 1), after = kind_at(tokens, i + 1);
    if (is_explicit(tokens, i)) return false;
    if (before == TOK_TYPENAME || before == TOK_VAR || before == TOK_NULLABLE) return true;
    if (is_accessors(tokens, i + 1)) return true; /* List<int> Sort { get; } */
    if (before == TOK_NEW || is_tested(tokens, i)) return false;
    switch (after) {
    case TOK_IS:
    case TOK_AS:
    case TOK_SWITCH:
    case TOK_WITH:
    case TOK_RBRACE:
    case TOK_HOLE_END:
    case TOK_RBRACKET:
    case TOK_FORMAT: return true;
    case TOK_COMMA:
    case TOK_RPAREN: return is_listed_value(tokens, i, open, partner);
    case TOK_LBRACKET: return !marks_is_rank(tokens, i + 1);
    case TOK_COND_BRACKET: /* T?[] */
        return kind_at(tokens, i + 2) != TOK_RBRACKET && kind_at(tokens, i + 2) != TOK_COMMA;
    case TOK_COLON:
        if (before == TOK_QUESTION || before == TOK_COLON || before == TOK_CASE) return true;
        if ((before == TOK_LPAREN || before == TOK_COMMA) && kind_at(tokens, open) == TOK_LPAREN)
            return true; /* f(Colour: x) */
        break;
    default: break;
    }
    if (before == TOK_TYPE) return false;
    if (after == TOK_SEMI)
        return !(before == TOK_ASSIGN && kind_before(tokens, i, 3) == TOK_TYPE) &&
               before != TOK_USING && before != TOK_CLASS && before != TOK_COMMA &&
               (before != TOK_COLON || in_conditional(tokens, i));
    return token_class(after) == TOKEN_P && after >= TOK_QUESTION && after != TOK_LT &&
           after != TOK_GT && after != TOK_SHR && !(after == TOK_ARROW && before == TOK_OPERATOR);
}
