/* Syntax errors. When a token does not fit, the tables are asked what would: the repair after which
 * most of the following tokens fit wins, and gives the message (blame.c). In order of preference: a
 * token is missing (`expected ';' before 'x'`), brackets are not closed, a token is too much. If nothing helps, the
 * text up to the end of the innermost list or statement that can be given up becomes a BAD node. */
#include <stdio.h>

#include "../foreign.h"
#include "repair.h"

enum {
    LOOK_AHEAD = 16, /* tokens that a repair is tried on */
    FAR = 1000,      /* tokens in which the partner of a bracket is looked for */
    MAX_REPAIRS = 20000
};

/* How many of the tokens from i on fit; all of LOOK_AHEAD if the file ends well. At least REPAIR_ENOUGH if
 * the statement does: what comes next may be wrong for reasons of its own. */
static int count_fitting(Trial *t, size_t i)
{
    int ended = 0;
    for (int n = 0; n < LOOK_AHEAD; n++, i++) {
        TokenKind kind = repair_kind(t->p, i);
        if (!trial_token(t, (int)kind)) return n > ended ? n : ended;
        if (kind == TOK_END) return LOOK_AHEAD;
        if (kind == TOK_SEMI || kind == TOK_LBRACE || kind == TOK_RBRACE) ended = REPAIR_ENOUGH;
    }
    return LOOK_AHEAD;
}

/* ---- repairs ---- */

static void consider(Repair *best, Repair *r, const Parse *p)
{
    Trial t = trial_at(p, grammar_depth(p->state));
    bool ok = true;
    for (int i = 0; i < r->ninsert && ok; i++) ok = trial_token(&t, (int)r->insert[i]);
    r->fitting = ok ? count_fitting(&t, p->next + r->skip) : 0;
    vec_free(&t.over);
    if (r->fitting > best->fitting) *best = *r;
}

/* Closes brackets from the innermost outwards, with what each needs before: `f(g(x` needs `))` or
 * `));`. Braces only at the end of the file. */
static void consider_closing(Repair *best, const Parse *p)
{
    Repair r = {.partner = p->open.len > 0 ? vec_last(&p->open).token : 0};
    Trial t = trial_at(p, grammar_depth(p->state));
    for (size_t i = p->open.len; i-- > 0 && r.ninsert + 3 < REPAIR_INSERTED;) {
        TokenKind open = p->open.data[i].kind, close = token_partner(open);
        if (open == TOK_LBRACE && repair_kind(p, p->next) != TOK_END) break;
        static const TokenKind before[] = {TOK_END, TOK_SEMI, TOK_MISSING};
        int b = 0;
        for (; b < 3; b++) {
            Trial c = trial_copy(&t);
            bool ok = (b == 0 || trial_token(&c, (int)before[b])) && trial_token(&c, (int)close);
            vec_free(&c.over);
            if (ok) break;
        }
        if (b == 3) break;
        if (b > 0) {
            trial_token(&t, (int)before[b]);
            r.insert[r.ninsert++] = before[b];
        }
        trial_token(&t, (int)close);
        r.insert[r.ninsert++] = close;
        consider(best, &r, p);
        Repair with_end = r;
        with_end.insert[with_end.ninsert++] = TOK_SEMI;
        consider(best, &with_end, p);
    }
    vec_free(&t.over);
}

/* Whether a ')' ahead has no partner: `if x > 3)`, unlike `if x > 3 {`. */
static bool is_closed(const Parse *p)
{
    bool is_for = p->next > 0 && repair_kind(p, p->next - 1) == TOK_FOR;
    size_t inside = 0;
    for (size_t i = p->next;; i++) {
        TokenKind k = repair_kind(p, i);
        if (k == TOK_END || i > p->next + FAR || k == TOK_LBRACE || (k == TOK_SEMI && !is_for))
            return false;
        if (k == TOK_RPAREN && inside == 0) return true;
        inside += token_partner(k) != TOK_END;
        if (token_closes(k) && inside > 0) inside--;
    }
}

static Repair best_repair(const Parse *p)
{
    static const TokenKind missing[] = {TOK_SEMI,    TOK_COMMA,  TOK_RPAREN, TOK_RBRACKET,
                                        TOK_MISSING, TOK_NAME,   TOK_LPAREN, TOK_COLON,
                                        TOK_ASSIGN,  TOK_LBRACE, TOK_IN,     TOK_TYPENAME};
    TokenKind kind = repair_kind(p, p->next);
    Repair best = {.fitting = 0};
    bool cut = p->tokens.list.data[p->next].flags & TOKEN_QUIET; /* "abc); took the brackets away */
    if (cut) consider_closing(&best, p);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        bool ends = token_closes(kind) || kind == TOK_SEMI || kind == TOK_END;
        if (token_partner(missing[i]) != TOK_END && ends) continue;
        if (missing[i] == TOK_LPAREN && !is_closed(p)) continue;
        Repair r = {.insert = {missing[i]}, .ninsert = 1, .partner = SIZE_MAX};
        consider(&best, &r, p);
    }
    if (!cut) consider_closing(&best, p);
    if (kind != TOK_END) {
        Repair r = {.skip = true, .partner = SIZE_MAX};
        consider(&best, &r, p);
    }
    return best;
}

static void apply(Parse *p, const Repair *r)
{
    char name[32];
    snprintf(name, sizeof name, "?%d", p->unnamed++);
    TokenValue unnamed = {.text = intern_cstr(p->names, name)};
    Loc loc = parse_token_loc(p, p->next);
    loc.end = loc.begin;
    for (int i = 0; i < r->ninsert && !p->stop; i++) {
        if (r->insert[i] == TOK_RBRACE) p->unbalanced = true;
        parse_push(p, r->insert[i], loc, &unnamed);
    }
    if (r->skip) p->next++;
}

/* ---- giving up a list or a statement ---- */

/* Whether a token of this kind, first of its line, is where a new statement begins. */
static bool begins_statement(TokenKind k)
{
    if (token_is_modifier(k) || token_is_header(k)) return true;
    switch (k) {
    case TOK_TYPENAME:
    case TOK_BREAK:
    case TOK_CASE:
    case TOK_CLASS:
    case TOK_CONST:
    case TOK_CONTINUE:
    case TOK_DELEGATE:
    case TOK_CTOR:
    case TOK_DO:
    case TOK_ENUM:
    case TOK_INTERFACE:
    case TOK_RETURN:
    case TOK_SWITCH:
    case TOK_THROW:
    case TOK_TRY:
    case TOK_TYPE:
    case TOK_USING:
    case TOK_VAR:
    case TOK_YIELD: return true;
    default: return false;
    }
}

/* The token that closes the innermost bracket opened below `depth`, or SIZE_MAX. */
static size_t find_closing(const Parse *p, size_t depth, TokenKind close)
{
    size_t inside = 0, n = p->open.len;
    while (n > 0 && p->open.data[n - 1].depth >= depth) n--, inside++;
    if (n == 0 || token_partner(p->open.data[n - 1].kind) != close) return SIZE_MAX;
    size_t opening = p->open.data[n - 1].token;
    bool is_for = opening > 0 && repair_kind(p, opening - 1) == TOK_FOR;
    for (size_t i = p->next;; i++) {
        TokenKind k = repair_kind(p, i);
        if (k == TOK_END || i > p->next + FAR || (k == TOK_SEMI && !is_for) ||
            (repair_on_new_line(p, i) && begins_statement(k)))
            return SIZE_MAX;
        if (token_partner(k) != TOK_END) inside++;
        if (token_closes(k) && inside == 0) return k == close ? i : SIZE_MAX;
        if (token_closes(k)) inside--;
    }
}

/* Whether the '{' at i begins a list of values rather than a block. */
static bool is_list(const Parse *p, size_t i)
{
    TokenKind before = i > 0 ? repair_kind(p, i - 1) : TOK_END;
    return before == TOK_ASSIGN || before == TOK_RBRACKET || before == TOK_COMMA ||
           before == TOK_LPAREN;
}

/* Where a new statement can begin, from token i on: behind a ';', at a brace, at a line that begins
 * like a statement. */
static size_t find_statement(const Parse *p, size_t i)
{
    for (size_t braces = 0, start = i;; i++) {
        TokenKind k = repair_kind(p, i);
        if (k == TOK_END) return i;
        if (k == TOK_LBRACE && braces == 0 && !is_list(p, i)) return i;
        if (k == TOK_LBRACE) braces++;
        if (k == TOK_RBRACE && braces == 0) return i;
        braces -= k == TOK_RBRACE;
        if (braces > 0 || k == TOK_RBRACE) continue;
        if (k == TOK_SEMI) return i + 1;
        if (i > start && repair_on_new_line(p, i) && begins_statement(k)) return i;
    }
}

/* The token behind the block that token i opens, which is of no use. */
static size_t skip_block(const Parse *p, size_t i)
{
    for (size_t inside = 0;; i++) {
        TokenKind k = repair_kind(p, i);
        inside += k == TOK_LBRACE;
        if (k == TOK_END || (k == TOK_RBRACE && --inside == 0)) return i + (k != TOK_END);
    }
}

/* The token behind the type arguments `<...>` that begin at token i, or i: none begin there. */
static size_t skip_generic(const Parse *p, size_t i)
{
    if (repair_kind(p, i) != TOK_LT || i == 0) return i;
    if (repair_kind(p, i - 1) != TOK_NAME && repair_kind(p, i - 1) != TOK_TYPENAME) return i;
    return lexer_skip_type_list(&p->tokens, i);
}

/* Whether the token that cannot be read is one of a generic type or function: `List<int>()`. */
bool repair_is_generic(const Parse *p)
{
    enum { BACK = 64 };
    for (size_t back = 0; back < BACK && back <= p->next + 1; back++) {
        size_t i = p->next + 1 - back, end = skip_generic(p, i);
        TokenKind k = repair_kind(p, i);
        if (end > i && end >= p->next) {
            TokenKind after = repair_kind(p, end);
            if (after == TOK_LPAREN || after == TOK_NAME || after == TOK_LBRACKET) return true;
            for (size_t a = i + 1; a < end; a++)
                if (repair_kind(p, a) == TOK_TYPENAME) return true;
        }
        if (back > 0 && (k == TOK_SEMI || k == TOK_LBRACE || k == TOK_RBRACE)) return false;
    }
    return false;
}

/* The name that the statement from token i on declares, as far as that can be told:
 * `T<..>(..)[] NAME`. */
static void find_lost(Parse *p, size_t i, size_t end)
{
    p->lost = NULL;
    if (repair_kind(p, i) == TOK_CONST) i++;
    bool generic = repair_kind(p, i) == TOK_NAME && skip_generic(p, i + 1) > i + 1;
    if (repair_kind(p, i) != TOK_VAR && repair_kind(p, i) != TOK_TYPENAME && !generic) return;
    size_t inside = 0;
    for (i = skip_generic(p, i + 1); i < end; i++) {
        TokenKind k = repair_kind(p, i);
        if (k == TOK_NAME && inside == 0) {
            p->lost = p->tokens.values.data[p->tokens.list.data[i].value].text;
            p->lost_function = repair_kind(p, skip_generic(p, i + 1)) == TOK_LPAREN;
        }
        if (inside == 0 && !token_partner(k) != TOK_END) return;
        inside += token_partner(k) != TOK_END;
        inside -= token_closes(k);
    }
}

static void give_up(Parse *p, size_t depth, size_t next)
{
    size_t first = p->next;
    if (grammar_depth(p->state) > depth)
        while (first > 0 && p->tokens.list.data[first - 1].begin >= grammar_begin(p->state, depth))
            first--;
    find_lost(p, first, next);
    Loc loc = parse_token_loc(p, p->next);
    if (next > p->next) loc.end = parse_token_loc(p, next - 1).end;
    while (p->open.len > 0 && vec_last(&p->open).depth >= depth) p->open.len--;
    grammar_pop(p->state, depth);
    if (!grammar_push(p->state, p, GRAMMAR_ERROR, loc, NULL)) p->stop = true;
    p->next = next;
}

/* From the innermost state that can read an error outwards. */
static void panic(Parse *p)
{
    static const TokenKind closing[] = {TOK_RPAREN, TOK_RBRACKET, TOK_RBRACE, TOK_HOLE_END};
    TokenKind kind = repair_kind(p, p->next);
    for (size_t depth = grammar_depth(p->state); depth > 0; depth--) {
        Trial t = trial_at(p, depth);
        bool reads = depth == 1 || grammar_action(trial_top(&t), GRAMMAR_ERROR) > 0;
        if (!reads || !trial_token(&t, GRAMMAR_ERROR)) {
            vec_free(&t.over);
            continue;
        }
        size_t next = SIZE_MAX;
        if (trial_would_fit(&t, TOK_SEMI)) {
            bool here = repair_on_new_line(p, p->next) && begins_statement(kind);
            next = here ? p->next : find_statement(p, p->next);
            while (repair_kind(p, next) != TOK_END && !trial_would_fit(&t, repair_kind(p, next)))
                next = repair_kind(p, next) == TOK_LBRACE ? skip_block(p, next)
                                                          : find_statement(p, next + 1);
            if (kind == TOK_END && !trial_would_fit(&t, TOK_END)) next = SIZE_MAX;
        } else {
            for (size_t i = 0; i < 4 && next == SIZE_MAX; i++)
                if (trial_would_fit(&t, closing[i])) next = find_closing(p, depth, closing[i]);
        }
        vec_free(&t.over);
        if (next == SIZE_MAX) continue;
        give_up(p, depth, next);
        return;
    }
    p->stop = true;
}

void repair_error(Parse *p)
{
    if (p->repairs++ >= MAX_REPAIRS) { /* most of them silent: all on one line */
        parse_give_up(p, parse_token_loc(p, p->next));
        return;
    }
    if (foreign_repair(p, blame_is_echo(p))) return;
    Repair r = best_repair(p);
    blame(p, &r);
    TokenKind kind = repair_kind(p, p->next);
    if (r.fitting >= REPAIR_ENOUGH && kind != TOK_LET && kind != TOK_ARROW)
        apply(p, &r);
    else
        panic(p);
}
