/* See foreign.h and foreign.def. A pattern is matched item by item, without going back: what it
 * leaves out is deleted from the list of tokens, so what follows is parsed as if it had not been
 * written. Names are not checked after that: who knows what the construct declared (csc.c). */
#include "foreign.h"

#include <string.h>

#include "parse.h"

enum {
    FAR = 4000, /* tokens in which the end of a construct is looked for */
    BACK = 200  /* and the beginning of its statement */
};

static const struct Row {
    const char *what, *pattern, *instead;
} rows[] = {
#define FOREIGN(what, pattern, instead) {what, pattern, instead},
#define WORD(kind, name, instead)
#include "foreign.def"
#undef FOREIGN
#undef WORD
};
enum { NROWS = sizeof rows / sizeof *rows };

static const struct {
    ForeignKind kind;
    const char *name, *instead;
} words[] = {
#define FOREIGN(what, pattern, instead)
#define WORD(kind, name, instead) {FOREIGN_##kind, name, instead},
#include "foreign.def"
#undef FOREIGN
#undef WORD
};

const char *foreign_word(ForeignKind kind, const char *name)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].kind == kind && strcmp(words[i].name, name) == 0) return words[i].instead;
    return NULL;
}

/* ---- tokens ------------------------------------------------------------------------------ */

static TokenKind kind_at(const Parse *p, size_t i)
{
    return i < p->tokens.list.len ? p->tokens.list.data[i].kind : TOK_END;
}

static bool is_name(TokenKind k)
{
    return k == TOK_NAME || k == TOK_TYPENAME || k == TOK_CTOR;
}

static int nesting(TokenKind k)
{
    return (token_partner(k) != TOK_END) - token_closes(k);
}

/* Behind the bracket that token i opens, or i: it opens none, or one that does not end. `commas`:
 * how many stand directly in it. */
static size_t skip_bracket(const Parse *p, size_t i, int *commas)
{
    int depth = 0;
    *commas = 0;
    for (size_t at = i; at < i + FAR && kind_at(p, at) != TOK_END; at++) {
        depth += nesting(kind_at(p, at));
        *commas += depth == 1 && kind_at(p, at) == TOK_COMMA;
        if (depth <= 0) return at > i ? at + 1 : i;
    }
    return i;
}

/* Behind the statement or declaration around token i: its ';' or, of one with a block, the block.
 */
static size_t skip_rest(const Parse *p, size_t i)
{
    int none;
    for (size_t at = i; at < i + FAR;) {
        TokenKind k = kind_at(p, at);
        if (k == TOK_SEMI) return at + 1;
        if (k == TOK_END || nesting(k) < 0) return at;
        size_t end = nesting(k) > 0 ? skip_bracket(p, at, &none) : at + 1;
        if (end == at) return at; /* it does not end */
        at = end;
        if (k == TOK_LBRACE && kind_at(p, at) != TOK_SEMI && kind_at(p, at) != TOK_ASSIGN)
            return at;
    }
    return i;
}

/* Up to what ends a value in a list (commas: the list is meant) or a head. */
static size_t skip_value(const Parse *p, size_t i, bool commas)
{
    int none;
    for (size_t at = i; at < i + FAR;) {
        TokenKind k = kind_at(p, at);
        if (k == TOK_END || k == TOK_SEMI || k == TOK_LBRACE || k == TOK_ARROW || nesting(k) < 0 ||
            (k == TOK_COMMA && !commas))
            return at;
        size_t end = nesting(k) > 0 ? skip_bracket(p, at, &none) : at + 1;
        at = end > at ? end : at + 1;
    }
    return i;
}

static size_t skip_type(const Parse *p, size_t i)
{
    if (kind_at(p, i) != TOK_TYPENAME) return i;
    size_t at = i + 1;
    if (kind_at(p, at) == TOK_LT) at = lexer_skip_type_list(&p->tokens, at);
    while (kind_at(p, at) == TOK_LBRACKET &&
           (kind_at(p, at + 1) == TOK_RBRACKET || kind_at(p, at + 1) == TOK_COMMA)) {
        int none;
        size_t end = skip_bracket(p, at, &none);
        if (end == at) break;
        at = end;
    }
    return at;
}

static bool has_text(const Parse *p, size_t i, const char *text, size_t len)
{
    if (i >= p->tokens.list.len) return false;
    Token t = p->tokens.list.data[i];
    return t.end - t.begin == len && memcmp(p->source->text + t.begin, text, len) == 0;
}

/* Where the statement that token i is in begins; false if that is too far. */
static bool statement_begin(const Parse *p, size_t i, size_t *begin)
{
    for (size_t at = i; at + BACK > i; at--) {
        TokenKind before = at > 0 ? kind_at(p, at - 1) : TOK_SEMI;
        *begin = at;
        if (before == TOK_SEMI || before == TOK_LBRACE || before == TOK_RBRACE) return true;
    }
    return false;
}

/* Behind the modifiers and attributes that token i begins with. */
static size_t skip_modifiers(const Parse *p, size_t i)
{
    static const char *const foreign[] = {"internal", "sealed", "partial", "async", "unsafe"};
    for (;;) {
        size_t before = i;
        int none;
        if (kind_at(p, i) == TOK_LBRACKET) i = skip_bracket(p, i, &none);
        if (token_is_modifier(kind_at(p, i))) i++;
        for (size_t w = 0; w < sizeof foreign / sizeof *foreign; w++)
            if (has_text(p, i, foreign[w], strlen(foreign[w])) && is_name(kind_at(p, i + 1))) i++;
        if (i == before) return i;
    }
}

/* ---- matching ------------------------------------------------------------------------------ */

typedef struct Match {
    size_t begin, end;   /* of the whole */
    size_t out, out_end; /* what is left out */
    bool value;          /* and stands for a value */
} Match;

static bool match_item(const Parse *p, const char *item, size_t len, size_t *at)
{
    size_t before = *at;
    int commas = 0;
    TokenKind k = kind_at(p, *at);
    if (k == TOK_END) return false;
    bool bracket = (len == 2 && strchr("([{", item[0]) && strchr(")]}", item[1])) ||
                   (len == 3 && memcmp(item, "(,)", 3) == 0);
    if (bracket) {
        if (token_text(k)[0] != item[0] || token_class(k) != TOKEN_P) return false;
        *at = skip_bracket(p, *at, &commas);
        return *at > before && (len == 2 || commas > 0);
    }
    if (len == 4 && memcmp(item, "NAME", 4) == 0) return is_name(kind_at(p, (*at)++));
    if (len == 4 && memcmp(item, "TYPE", 4) == 0) return (*at = skip_type(p, *at)) > before;
    if (len == 4 && memcmp(item, "REST", 4) == 0) return (*at = skip_rest(p, *at)) > before;
    if (len == 5 && memcmp(item, "VALUE", 5) == 0)
        return (*at = skip_value(p, *at, false)) > before;
    if (len == 4 && memcmp(item, "LIST", 4) == 0) return (*at = skip_value(p, *at, true)) > before;
    (*at)++;
    if (len == 7 && memcmp(item, "LITERAL", 7) == 0)
        return k == TOK_INT || k == TOK_REAL || k == TOK_CHAR || k == TOK_STRING;
    if (len == 3 && memcmp(item, "ANY", 3) == 0) return k != TOK_SEMI && nesting(k) >= 0;
    return has_text(p, before, item, len);
}

static bool match(const Parse *p, const char *pattern, size_t begin, size_t at, Match *m)
{
    *m = (Match){.begin = begin, .out = begin};
    int marks = 0;
    while (*pattern) {
        size_t len = strcspn(pattern, " ");
        if (pattern[0] == '|' && (len == 1 || pattern[1] == '?')) {
            if (marks++ == 0)
                m->out = at;
            else
                m->out_end = at;
            m->value = len == 2;
        } else if (pattern[0] == '^') { /* foreign_find has seen to it */
        } else if (!match_item(p, pattern, len, &at)) {
            return false;
        }
        pattern += len;
        pattern += strspn(pattern, " ");
    }
    m->end = at;
    if (!marks) m->out_end = at;
    return true;
}

/* The construct in which the token p->next is: it begins there or before, and goes on. */
static const struct Row *foreign_find(const Parse *p, size_t start, Match *m)
{
    for (const struct Row *row = rows; row < rows + NROWS; row++) {
        bool first = row->pattern[0] == '^';
        size_t words_begin = first ? skip_modifiers(p, start) : start;
        if (first && row->pattern[1] == '^' && !(p->tokens.list.data[start].flags & TOKEN_NEW_LINE))
            continue;
        for (size_t i = words_begin; i <= p->next && (!first || i == words_begin); i++)
            if (match(p, row->pattern, first ? start : i, i, m) && m->end > p->next) return row;
    }
    return NULL;
}

/* ---- what becomes of the tokens -------------------------------------------------------------- */

static void delete_tokens(Tokens *t, size_t from, size_t to)
{
    t->list.data[to].flags |= t->list.data[from].flags & TOKEN_NEW_LINE;
    memmove(t->list.data + from, t->list.data + to, (t->list.len - to) * sizeof *t->list.data);
    t->list.len -= to - from;
}

static void take_out(Parse *p, const Match *m)
{
    size_t open = m->out_end - 1;
    if (kind_at(p, open) == TOK_LBRACE) { /* its partner becomes an empty statement */
        size_t end = open;
        for (int depth = 0; kind_at(p, end) != TOK_END; end++) {
            depth += (kind_at(p, end) == TOK_LBRACE) - (kind_at(p, end) == TOK_RBRACE);
            if (depth == 0) break;
        }
        if (kind_at(p, end) == TOK_RBRACE) p->tokens.list.data[end].kind = TOK_SEMI;
    }
    if (m->value) p->tokens.list.data[m->out].kind = TOK_MISSING;
    if (m->out + m->value < m->out_end) delete_tokens(&p->tokens, m->out + m->value, m->out_end);
    TokenKind next = kind_at(p, m->out + 1);
    if (kind_at(p, m->out) == TOK_NAME && (is_name(next) || next == TOK_LT)) /* async Task<T> f */
        p->tokens.list.data[m->out].kind = TOK_TYPENAME;
}

bool foreign_repair(Parse *p, bool quiet)
{
    Match m;
    size_t start = 0;
    const struct Row *row = statement_begin(p, p->next, &start) ? foreign_find(p, start, &m) : NULL;
    if (!row || m.out == m.out_end) return false;
    size_t shown = row->pattern[0] == '^' ? skip_modifiers(p, start) : m.out;
    uint32_t begin = p->tokens.list.data[start].begin;
    Loc loc = parse_token_loc(p, shown);
    if (quiet)
        p->errors++;
    else
        parse_error(p, loc, DIAG_FOREIGN, "%s: C$ has none; %s", row->what, row->instead);
    p->last_error = loc.begin;
    take_out(p, &m);
    size_t depth = grammar_depth(p->state);
    while (depth > 1 && grammar_begin(p->state, depth - 1) >= begin) depth--;
    while (p->open.len > 0 && vec_last(&p->open).depth >= depth) p->open.len--;
    grammar_pop(p->state, depth);
    p->next = start;
    return true;
}
