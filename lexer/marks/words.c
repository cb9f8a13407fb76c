/* Words that are keywords where they stand only: `record` before the name of a type, `where` behind a
 * head, `sealed` before what it modifies. Elsewhere they are names. */
#include <string.h>

#include "marks.h"

/* Can a declaration begin behind token i - 1? */
static bool begins(const Tokens *tokens, size_t i)
{
    switch (kind_before(tokens, i, 1)) {
    case TOK_END:
    case TOK_SEMI:
    case TOK_LBRACE:
    case TOK_RBRACE:
    case TOK_RBRACKET:
    case TOK_REF: /* ref struct */
    case TOK_RECORD: return true;
    default: return token_is_modifier(kind_before(tokens, i, 1));
    }
}

static bool is_word(const Tokens *tokens, size_t i, const char *word)
{
    return kind_at(tokens, i) == TOK_NAME && strcmp(name_at(tokens, i), word) == 0;
}

/* `set;`, `get => ..`, `init { .. }` of a property. */
static bool is_accessor(const Tokens *tokens, size_t i)
{
    TokenKind k = kind_at(tokens, i + 1);
    return (is_word(tokens, i, "get") || is_word(tokens, i, "set") || is_word(tokens, i, "init")) &&
           (k == TOK_SEMI || k == TOK_LBRACE || k == TOK_ARROW);
}

/* Does token i go on with a declaration that a modifier before it belongs to? */
static bool is_modified(const Tokens *tokens, size_t i)
{
    TokenKind k = kind_at(tokens, i);
    bool declares = k == TOK_CLASS || k == TOK_INTERFACE || k == TOK_ENUM || k == TOK_CONST ||
                    k == TOK_NEW || token_is_modifier(k);
    if (declares || is_accessor(tokens, i)) return true;
    if (!is_name(k)) return false;
    k = kind_at(tokens, i + 1);
    return is_name(k) || k == TOK_LT || k == TOK_LBRACKET || k == TOK_LPAREN || k == TOK_CLASS ||
           k == TOK_THIS || k == TOK_OPERATOR || k == TOK_QUESTION || k == TOK_DOT ||
           token_is_modifier(k);
}

static bool is_modifier(const Tokens *tokens, size_t i)
{
    return begins(tokens, i) && is_modified(tokens, i + 1);
}

/* Is token i the name of a type that is declared? */
static bool is_declared(const Tokens *tokens, size_t i)
{
    if (!is_name(kind_at(tokens, i))) return false;
    switch (kind_at(tokens, i + 1)) {
    case TOK_LPAREN:
    case TOK_LBRACE:
    case TOK_LT:
    case TOK_COLON:
    case TOK_SEMI: return true;
    default: return is_word(tokens, i + 1, "where");
    }
}

static bool is_record(const Tokens *tokens, size_t i)
{
    return begins(tokens, i) && (kind_at(tokens, i + 1) == TOK_CLASS ||
                                 is_word(tokens, i + 1, "struct") || is_declared(tokens, i + 1));
}

/* Declared, or a constraint: where T : struct */
static bool is_struct(const Tokens *tokens, size_t i)
{
    TokenKind before = kind_before(tokens, i, 1), next = kind_at(tokens, i + 1);
    bool listed = before == TOK_COLON || before == TOK_COMMA;
    return listed ? next == TOK_LBRACE || next == TOK_COMMA || next == TOK_ARROW ||
                        is_word(tokens, i + 1, "where")
                  : begins(tokens, i) && is_declared(tokens, i + 1);
}

static bool is_where(const Tokens *tokens, size_t i)
{
    bool head = is_name(kind_at(tokens, i + 1)) && kind_at(tokens, i + 2) == TOK_COLON;
    switch (kind_before(tokens, i, 1)) {
    case TOK_NAME:
    case TOK_TYPENAME:
    case TOK_RPAREN:
    case TOK_RBRACKET:
    case TOK_GT:
    case TOK_CLASS:
    case TOK_STRUCT:
    case TOK_QUESTION: return head;
    default: return false;
    }
}

static bool is_checked(const Tokens *tokens, size_t i)
{
    TokenKind next = kind_at(tokens, i + 1);
    return (next == TOK_LPAREN || next == TOK_LBRACE) && kind_before(tokens, i, 1) != TOK_DOT &&
           !is_name(kind_before(tokens, i, 1));
}

static bool is_asked(const Tokens *tokens, size_t i)
{
    return kind_at(tokens, i + 1) == TOK_LPAREN && kind_before(tokens, i, 1) != TOK_DOT &&
           !is_name(kind_before(tokens, i, 1));
}

/* static x => ..; static (a, b) => .. */
static bool is_static_lambda(const Tokens *tokens, size_t i)
{
    TokenKind next = kind_at(tokens, i + 1);
    bool one = (next == TOK_NAME || next == TOK_UNDERSCORE) && kind_at(tokens, i + 2) == TOK_ARROW;
    return !begins(tokens, i) && (one || next == TOK_LPAREN);
}

static bool is_goto(const Tokens *tokens, size_t i)
{
    return kind_at(tokens, i + 1) == TOK_CASE ||
           (kind_at(tokens, i + 1) == TOK_DEFAULT && kind_at(tokens, i + 2) == TOK_SEMI);
}

/* stackalloc T[n] is new T[n] */
static bool is_new(const Tokens *tokens, size_t i)
{
    TokenKind next = kind_at(tokens, i + 1);
    return kind_before(tokens, i, 1) != TOK_DOT && (is_name(next) || next == TOK_LBRACKET);
}

/* `int half = n / 2;`: C# has no type of this name. Does the `half` at token i declare something? */
static bool declares_half(const Tokens *tokens, size_t i)
{
    TokenKind before = kind_before(tokens, i, 1);
    bool typed = is_name(before) || before == TOK_VAR || before == TOK_GT || before == TOK_QUESTION;
    switch (kind_at(tokens, i + 1)) {
    case TOK_ASSIGN: return true;
    case TOK_ARROW: return typed || before == TOK_LPAREN || before == TOK_ASSIGN;
    case TOK_SEMI:
    case TOK_COMMA:
    case TOK_RPAREN:
    case TOK_COLON: return typed || before == TOK_RBRACKET;
    case TOK_LPAREN:
    case TOK_LBRACE:
    case TOK_IN: return typed;
    default: return false;
    }
}

/* In a file that declares a `half` it is the type only where it can be nothing else (types.c). */
static void free_half(Tokens *tokens, const char *half)
{
    size_t n = tokens->list.len, first = 0;
    while (first < n && !(is_name(kind_at(tokens, first)) && name_at(tokens, first) == half &&
                          declares_half(tokens, first)))
        first++;
    for (size_t i = 0; i < n && first < n; i++)
        if (is_name(kind_at(tokens, i)) && name_at(tokens, i) == half)
            tokens->list.data[i].kind = TOK_NAME;
}

static const struct Word {
    const char *text;
    TokenKind kind;
    bool (*fits)(const Tokens *tokens, size_t i);
} words[] = {{"record", TOK_RECORD, is_record},        {"struct", TOK_STRUCT, is_struct},
             {"where", TOK_WHERE, is_where},           {"sealed", TOK_SEALED, is_modifier},
             {"internal", TOK_INTERNAL, is_modifier},  {"partial", TOK_PARTIAL, is_modifier},
             {"required", TOK_REQUIRED, is_modifier},  {"checked", TOK_CHECKED, is_checked},
             {"unchecked", TOK_UNCHECKED, is_checked}, {"typeof", TOK_TYPEOF, is_asked},
             {"nameof", TOK_NAMEOF, is_asked},         {"event", TOK_EVENT, is_modifier},
             {"stackalloc", TOK_NEW, is_new},          {"goto", TOK_GOTO, is_goto}};

enum { WORDS = sizeof words / sizeof *words };

void lexer_mark_words(Tokens *tokens, Interner *names)
{
    const char *texts[WORDS];
    for (size_t w = 0; w < WORDS; w++) texts[w] = intern_cstr(names, words[w].text);
    for (size_t i = 0; i < tokens->list.len; i++) {
        Token *t = &tokens->list.data[i];
        if (t->kind == TOK_NEW && (token_is_modifier(kind_before(tokens, i, 1)) ||
                                   token_is_modifier(kind_at(tokens, i + 1))))
            t->kind = TOK_HIDING;
        if (t->kind == TOK_STATIC && is_static_lambda(tokens, i)) t->kind = TOK_STATIC_LAMBDA;
        if (t->kind != TOK_NAME) continue;
        for (size_t w = 0; w < WORDS; w++)
            if (name_at(tokens, i) == texts[w] && words[w].fits(tokens, i)) {
                t->kind = (uint16_t)words[w].kind;
                break;
            }
    }
    free_half(tokens, intern_cstr(names, "half"));
}
