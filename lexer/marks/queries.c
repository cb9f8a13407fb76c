/* Queries: `from x in xs where .. orderby .. select ..`. Their words are names elsewhere; from a `from` that
 * declares a variable up to the end of the expression they are keywords, as in C#. */
#include "marks.h"

static const TokenKind kinds[] = {TOK_FILTER,    TOK_JOIN,       TOK_ON,     TOK_EQUALS,
                                  TOK_INTO,      TOK_ORDERBY,    TOK_SELECT, TOK_GROUP,
                                  TOK_ASCENDING, TOK_DESCENDING, TOK_BY};
enum { WORDS = sizeof kinds / sizeof *kinds };

typedef struct Words {
    const char *from, *others[WORDS]; /* interned; in the order of kinds */
} Words;

/* from x in, from T x in */
static bool is_from(const Tokens *tokens, size_t i, const Words *w)
{
    enum { LONGEST = 16 };
    if (kind_at(tokens, i) != TOK_NAME || name_at(tokens, i) != w->from) return false;
    if (kind_before(tokens, i, 1) == TOK_DOT || !is_name(kind_at(tokens, i + 1))) return false;
    for (size_t k = i + 2; k < i + LONGEST; k++) {
        TokenKind kind = kind_at(tokens, k);
        if (kind == TOK_IN) return true;
        if (!is_name(kind) && kind != TOK_LT && kind != TOK_GT && kind != TOK_DOT &&
            kind != TOK_COMMA && kind != TOK_LBRACKET && kind != TOK_RBRACKET)
            return false;
    }
    return false;
}

/* The word at token i, where a query has one: not behind a dot, where it is a member. */
static TokenKind word_at(const Tokens *tokens, size_t i, const Words *w)
{
    if (kind_at(tokens, i) != TOK_NAME || kind_before(tokens, i, 1) == TOK_DOT) return TOK_END;
    for (int k = 0; k < WORDS; k++)
        if (name_at(tokens, i) == w->others[k]) return kinds[k];
    return TOK_END;
}

/* Of the query whose `from` is token i: up to where it ends. */
static void mark_query(Tokens *tokens, const size_t *partner, size_t i, const Words *w)
{
    bool last = false; /* what comes is the result: a comma ends the query */
    for (; i < tokens->list.len; i++) {
        TokenKind k = kind_at(tokens, i), word = word_at(tokens, i, w);
        if (k == TOK_SEMI || token_closes(k) || (last && k == TOK_COMMA)) return;
        if (is_from(tokens, i, w)) word = TOK_FROM;
        if (word != TOK_END) tokens->list.data[i].kind = (uint16_t)word;
        if (word == TOK_SELECT || word == TOK_BY) last = true;
        if (word == TOK_INTO) last = false;
        if (partner[i]) i = partner[i];
    }
}

void marks_queries(Tokens *tokens, const size_t *partner, Interner *names)
{
    Words w = {.from = intern_cstr(names, "from")};
    for (int k = 0; k < WORDS; k++) w.others[k] = intern_cstr(names, token_text(kinds[k]));
    for (size_t i = 0; i < tokens->list.len; i++)
        if (is_from(tokens, i, &w)) mark_query(tokens, partner, i, &w);
}
