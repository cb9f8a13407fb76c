/* What C# code says to tools and to .NET, and what means nothing here: attributes of .NET, wherever they
 * stand, `in` and `out` of type parameters, and the `ref` of a `ref struct`. Their tokens go before anybody
 * looks at them.
 */
#include <string.h>

#include "marks.h"

typedef struct Walk {
    Tokens *tokens;
    VEC(bool) dropped; /* of each token */
    /* Of each parenthesis that opens: the token behind its end; 0: it has none. */
    VEC(size_t) behind;
} Walk;
static const char *const attributes[] = {
    "AllowNull",           "AttributeUsage",      "CLSCompliant",     "CallerArgumentExpression",
    "CallerFilePath",      "CallerLineNumber",    "CallerMemberName", "CompilerGenerated",
    "Conditional",         "DebuggerBrowsable",   "DebuggerDisplay",  "DebuggerHidden",
    "DebuggerStepThrough", "DefaultValue",        "Description",      "DisallowNull",
    "DoesNotReturn",       "DoesNotReturnIf",     "EditorBrowsable",  "ExcludeFromCodeCoverage",
    "IsReadOnly",          "MaybeNull",           "MaybeNullWhen",    "MemberNotNull",
    "MemberNotNullWhen",   "MethodImpl",          "NonSerialized",    "NotNull",
    "NotNullIfNotNull",    "NotNullWhen",         "Obsolete",         "Pure",
    "Serializable",        "SetsRequiredMembers", "SkipLocalsInit",   "StructLayout",
    "SuppressMessage",     "UnscopedRef"};

static bool is_known(const char *name)
{
    size_t len = strlen(name), suffix = strlen("Attribute");
    if (len > suffix && strcmp(name + len - suffix, "Attribute") == 0) len -= suffix;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (strlen(attributes[i]) == len && memcmp(attributes[i], name, len) == 0) return true;
    return false;
}

static void drop(Walk *w, size_t from, size_t to)
{
    for (; from < to; from++) w->dropped.data[from] = true;
}

/* Can attributes stand behind token i - 1? */
static bool begins(const Walk *w, size_t i)
{
    TokenKind before = kind_before(w->tokens, i, 1);
    switch (before) {
    case TOK_END:
    case TOK_SEMI:
    case TOK_LBRACE:
    case TOK_RBRACE:
    case TOK_RBRACKET:
    case TOK_LPAREN:
    case TOK_LT:
    case TOK_ASSIGN:
    case TOK_COMMA: return true;
    default: return token_is_modifier(before);
    }
}

/* Can what attributes belong to begin at token i? Else the brackets hold a value. */
static bool goes_on(const Walk *w, size_t i)
{
    TokenKind k = kind_at(w->tokens, i);
    return is_name(k) || k == TOK_LBRACKET || k == TOK_LPAREN || k == TOK_UNDERSCORE ||
           (token_class(k) != TOKEN_P && k != TOK_END && k != TOK_IS && k != TOK_AS &&
            k != TOK_SWITCH && k != TOK_WITH);
}

/* The token behind one attribute, whose last name is `name`; i if there is none. */
static size_t end_of_attribute(const Walk *w, size_t i, const char **name)
{
    size_t begin = i;
    while (is_name(kind_at(w->tokens, i)) && kind_at(w->tokens, i + 1) == TOK_DOT) i += 2;
    if (!is_name(kind_at(w->tokens, i))) return begin;
    *name = name_at(w->tokens, i++);
    if (kind_at(w->tokens, i) != TOK_LPAREN) return i;
    return w->behind.data[i] ? w->behind.data[i] : begin;
}

/* The list whose bracket is token i: of all, the brackets go too. */
static void skip_attributes(Walk *w, size_t i)
{
    size_t kept = 0, at = i + 1, last = 0; /* last: of those that stay, where it ends */
    VEC(size_t) ends = {0};                /* begin and end of each that goes */
    if (kind_at(w->tokens, at + 1) == TOK_COLON) at += 2; /* [return: ..] */
    for (;; at++) {
        const char *name = NULL;
        size_t end = end_of_attribute(w, at, &name);
        TokenKind behind = kind_at(w->tokens, end);
        if (end == at || (behind != TOK_COMMA && behind != TOK_RBRACKET)) break;
        if (is_known(name)) {
            vec_push(&ends, at);
            vec_push(&ends, end);
        } else {
            kept++;
            last = end;
        }
        at = end;
        if (behind == TOK_COMMA) continue;
        if (!goes_on(w, at + 1)) break;
        if (kept == 0) drop(w, i, at + 1);
        for (size_t k = 0; kept && k < ends.len; k += 2)
            drop(w, ends.data[k] - (ends.data[k] > last), /* the comma before, or behind */
                 ends.data[k + 1] + (ends.data[k] < last));
        break;
    }
    vec_free(&ends);
}

/* Is the name at token i that of an interface or delegate, which may say how its types vary? */
static bool varies(const Walk *w, size_t i)
{
    if (kind_before(w->tokens, i, 1) == TOK_INTERFACE) return true;
    for (size_t k = i; k-- > 0 && k + LONGEST_LIST > i;) {
        TokenKind kind = kind_at(w->tokens, k);
        if (kind == TOK_NAME && strcmp(name_at(w->tokens, k), "delegate") == 0) return true;
        if (kind == TOK_SEMI || kind == TOK_LBRACE || kind == TOK_RBRACE || kind == TOK_ASSIGN)
            return false;
    }
    return false;
}

/* <in T, out R> at token i. */
static void skip_variance(Walk *w, size_t i)
{
    VEC(size_t) found = {0};
    for (size_t at = i + 1; at < i + LONGEST_LIST; at += 2) {
        TokenKind k = kind_at(w->tokens, at);
        if (k == TOK_IN || k == TOK_OUT) vec_push(&found, at++);
        if (!is_name(kind_at(w->tokens, at))) break;
        if (kind_at(w->tokens, at + 1) == TOK_COMMA) continue;
        bool ends = kind_at(w->tokens, at + 1) == TOK_GT;
        for (size_t f = 0; ends && found.len && varies(w, i - 1) && f < found.len; f++)
            drop(w, found.data[f], found.data[f] + 1);
        break;
    }
    vec_free(&found);
}

/* Is the `ref` at token i that of a struct? Where such a one may be kept is for C# to check. */
static bool is_ref_struct(const Walk *w, size_t i)
{
    if (kind_at(w->tokens, i + 1) == TOK_PARTIAL) i++;
    return kind_at(w->tokens, i + 1) == TOK_STRUCT;
}

/* Once for all, since lists of attributes may stand in each other. */
static void match_parentheses(Walk *w)
{
    VEC(size_t) open = {0};
    for (size_t i = 0; i < w->tokens->list.len; i++) {
        TokenKind k = kind_at(w->tokens, i);
        vec_push(&w->behind, 0);
        if (k == TOK_LPAREN) vec_push(&open, i);
        if (k == TOK_RPAREN && open.len) w->behind.data[open.data[--open.len]] = i + 1;
    }
    vec_free(&open);
}

void lexer_skip_ignored(Tokens *tokens)
{
    Walk w = {.tokens = tokens};
    for (size_t i = 0; i < tokens->list.len; i++) vec_push(&w.dropped, false);
    match_parentheses(&w);
    for (size_t i = 0; i < tokens->list.len; i++) {
        TokenKind k = kind_at(tokens, i);
        if (k == TOK_LBRACKET && begins(&w, i)) skip_attributes(&w, i);
        if (k == TOK_LT && is_name(kind_before(tokens, i, 1))) skip_variance(&w, i);
        if (k == TOK_REF && is_ref_struct(&w, i)) drop(&w, i, i + 1);
    }
    tokens_drop(tokens, w.dropped.data);
    vec_free(&w.dropped);
    vec_free(&w.behind);
}
