/* Syntax errors. When a token does not fit, the tables are asked what would: the repair after which
 * most of the following tokens fit wins, and gives the message. In order of preference: a token is
 * missing
 * (`expected ';' before 'x'`), brackets are not closed, a token is too much. If nothing helps, the
 * text up to the end of the innermost list or statement that can be given up becomes a BAD node. */
#include <stdio.h>
#include <string.h>

#include "foreign.h"
#include "parse.h"

enum {
    LOOK_AHEAD = 16, /* tokens that a repair is tried on */
    ENOUGH = 3,      /* of them, for a repair to be believed */
    FAR = 1000,      /* tokens in which the partner of a bracket is looked for */
    MAX_REPAIRS = 20000
};

/* ---- the automaton without its actions: `kept` states of the real stack, some of its own ------ */

typedef struct Trial {
    const Parse *p;
    size_t kept;
    VEC(int) over;
} Trial;

static int top(const Trial *t)
{
    return t->over.len > 0 ? vec_last(&t->over) : grammar_state(t->p->state, t->kept - 1);
}

/* Reads a token of this kind, reductions included; false if it does not fit. */
static bool try_token(Trial *t, int kind)
{
    for (;;) {
        int action = grammar_action(top(t), kind);
        if (action == 0) return false;
        if (action > 0) {
            vec_push(&t->over, action);
            return true;
        }
        size_t length = (size_t)grammar_rule_length(-action);
        size_t own = length < t->over.len ? length : t->over.len;
        t->over.len -= own;
        t->kept -= length - own;
        int next = grammar_after(top(t), -action);
        vec_push(&t->over, next);
    }
}

static Trial trial_at(const Parse *p, size_t depth)
{
    return (Trial){.p = p, .kept = depth};
}

static Trial trial_copy(const Trial *t)
{
    Trial copy = trial_at(t->p, t->kept);
    for (size_t i = 0; i < t->over.len; i++) vec_push(&copy.over, t->over.data[i]);
    return copy;
}

static bool would_fit(const Trial *t, TokenKind kind)
{
    Trial copy = trial_copy(t);
    bool fits = try_token(&copy, (int)kind);
    vec_free(&copy.over);
    return fits;
}

bool repair_fits(Parse *p, TokenKind kind)
{
    int action = grammar_action(grammar_state(p->state, grammar_depth(p->state) - 1), (int)kind);
    if (action >= 0) return action > 0;
    Trial t = trial_at(p, grammar_depth(p->state));
    t.over.data = p->states.data; /* no allocation a token */
    t.over.cap = p->states.cap;
    bool fits = try_token(&t, (int)kind);
    p->states.data = t.over.data;
    p->states.cap = t.over.cap;
    return fits;
}

static TokenKind kind_of(const Parse *p, size_t i)
{
    return i < p->tokens.list.len ? p->tokens.list.data[i].kind : TOK_END;
}

static bool on_new_line(const Parse *p, size_t i)
{
    return kind_of(p, i) == TOK_END || p->tokens.list.data[i].flags & TOKEN_NEW_LINE;
}

/* How many of the tokens from i on fit; all of LOOK_AHEAD if the file ends well. At least ENOUGH if
 * the statement does: what comes next may be wrong for reasons of its own. */
static int count_fitting(Trial *t, size_t i)
{
    int ended = 0;
    for (int n = 0; n < LOOK_AHEAD; n++, i++) {
        TokenKind kind = kind_of(t->p, i);
        if (!try_token(t, (int)kind)) return n > ended ? n : ended;
        if (kind == TOK_END) return LOOK_AHEAD;
        if (kind == TOK_SEMI || kind == TOK_LBRACE || kind == TOK_RBRACE) ended = ENOUGH;
    }
    return LOOK_AHEAD;
}

/* ---- repairs ---- */

enum { MAX_INSERTED = 64 };

typedef struct Repair {
    TokenKind insert[MAX_INSERTED];
    int ninsert;
    bool skip; /* the token itself */
    int fitting;
    size_t partner; /* the token that opened the first bracket closed; SIZE_MAX: none */
} Repair;

static void consider(Repair *best, Repair *r, const Parse *p)
{
    Trial t = trial_at(p, grammar_depth(p->state));
    bool ok = true;
    for (int i = 0; i < r->ninsert && ok; i++) ok = try_token(&t, (int)r->insert[i]);
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
    for (size_t i = p->open.len; i-- > 0 && r.ninsert + 3 < MAX_INSERTED;) {
        TokenKind open = p->open.data[i].kind, close = token_partner(open);
        if (open == TOK_LBRACE && kind_of(p, p->next) != TOK_END) break;
        static const TokenKind before[] = {TOK_END, TOK_SEMI, TOK_MISSING};
        int b = 0;
        for (; b < 3; b++) {
            Trial c = trial_copy(&t);
            bool ok = (b == 0 || try_token(&c, (int)before[b])) && try_token(&c, (int)close);
            vec_free(&c.over);
            if (ok) break;
        }
        if (b == 3) break;
        if (b > 0) {
            try_token(&t, (int)before[b]);
            r.insert[r.ninsert++] = before[b];
        }
        try_token(&t, (int)close);
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
    bool is_for = p->next > 0 && kind_of(p, p->next - 1) == TOK_FOR;
    size_t inside = 0;
    for (size_t i = p->next;; i++) {
        TokenKind k = kind_of(p, i);
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
    TokenKind kind = kind_of(p, p->next);
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
    if (token_is_modifier(k)) return true;
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
    case TOK_FOR:
    case TOK_FOREACH:
    case TOK_IF:
    case TOK_INTERFACE:
    case TOK_RETURN:
    case TOK_SWITCH:
    case TOK_THROW:
    case TOK_TRY:
    case TOK_TYPE:
    case TOK_USING:
    case TOK_VAR:
    case TOK_WHILE:
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
    bool is_for = opening > 0 && kind_of(p, opening - 1) == TOK_FOR;
    for (size_t i = p->next;; i++) {
        TokenKind k = kind_of(p, i);
        if (k == TOK_END || i > p->next + FAR || (k == TOK_SEMI && !is_for) ||
            (on_new_line(p, i) && begins_statement(k)))
            return SIZE_MAX;
        if (token_partner(k) != TOK_END) inside++;
        if (token_closes(k) && inside == 0) return k == close ? i : SIZE_MAX;
        if (token_closes(k)) inside--;
    }
}

/* Whether the '{' at i begins a list of values rather than a block. */
static bool is_list(const Parse *p, size_t i)
{
    TokenKind before = i > 0 ? kind_of(p, i - 1) : TOK_END;
    return before == TOK_ASSIGN || before == TOK_RBRACKET || before == TOK_COMMA ||
           before == TOK_LPAREN;
}

/* Where a new statement can begin, from token i on: behind a ';', at a brace, at a line that begins
 * like a statement. */
static size_t find_statement(const Parse *p, size_t i)
{
    for (size_t braces = 0, start = i;; i++) {
        TokenKind k = kind_of(p, i);
        if (k == TOK_END) return i;
        if (k == TOK_LBRACE && braces == 0 && !is_list(p, i)) return i;
        if (k == TOK_LBRACE) braces++;
        if (k == TOK_RBRACE && braces == 0) return i;
        braces -= k == TOK_RBRACE;
        if (braces > 0 || k == TOK_RBRACE) continue;
        if (k == TOK_SEMI) return i + 1;
        if (i > start && on_new_line(p, i) && begins_statement(k)) return i;
    }
}

/* The token behind the block that token i opens, which is of no use. */
static size_t skip_block(const Parse *p, size_t i)
{
    for (size_t inside = 0;; i++) {
        TokenKind k = kind_of(p, i);
        inside += k == TOK_LBRACE;
        if (k == TOK_END || (k == TOK_RBRACE && --inside == 0)) return i + (k != TOK_END);
    }
}

/* The token behind the type arguments `<...>` that begin at token i, or i: none begin there. */
static size_t skip_generic(const Parse *p, size_t i)
{
    if (kind_of(p, i) != TOK_LT || i == 0) return i;
    if (kind_of(p, i - 1) != TOK_NAME && kind_of(p, i - 1) != TOK_TYPENAME) return i;
    return lexer_skip_type_list(&p->tokens, i);
}

/* Whether the token that cannot be read is one of a generic type or function: `List<int>()`. */
static bool is_generic(const Parse *p)
{
    enum { BACK = 64 };
    for (size_t back = 0; back < BACK && back <= p->next + 1; back++) {
        size_t i = p->next + 1 - back, end = skip_generic(p, i);
        TokenKind k = kind_of(p, i);
        if (end > i && end >= p->next) {
            TokenKind after = kind_of(p, end);
            if (after == TOK_LPAREN || after == TOK_NAME || after == TOK_LBRACKET) return true;
            for (size_t a = i + 1; a < end; a++)
                if (kind_of(p, a) == TOK_TYPENAME) return true;
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
    if (kind_of(p, i) == TOK_CONST) i++;
    bool generic = kind_of(p, i) == TOK_NAME && skip_generic(p, i + 1) > i + 1;
    if (kind_of(p, i) != TOK_VAR && kind_of(p, i) != TOK_TYPENAME && !generic) return;
    size_t inside = 0;
    for (i = skip_generic(p, i + 1); i < end; i++) {
        TokenKind k = kind_of(p, i);
        if (k == TOK_NAME && inside == 0) {
            p->lost = p->tokens.values.data[p->tokens.list.data[i].value].text;
            p->lost_function = kind_of(p, skip_generic(p, i + 1)) == TOK_LPAREN;
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
    TokenKind kind = kind_of(p, p->next);
    for (size_t depth = grammar_depth(p->state); depth > 0; depth--) {
        Trial t = trial_at(p, depth);
        bool reads = depth == 1 || grammar_action(top(&t), GRAMMAR_ERROR) > 0;
        if (!reads || !try_token(&t, GRAMMAR_ERROR)) {
            vec_free(&t.over);
            continue;
        }
        size_t next = SIZE_MAX;
        if (would_fit(&t, TOK_SEMI)) {
            bool here = on_new_line(p, p->next) && begins_statement(kind);
            next = here ? p->next : find_statement(p, p->next);
            while (kind_of(p, next) != TOK_END && !would_fit(&t, kind_of(p, next)))
                next = kind_of(p, next) == TOK_LBRACE ? skip_block(p, next)
                                                      : find_statement(p, next + 1);
            if (kind == TOK_END && !would_fit(&t, TOK_END)) next = SIZE_MAX;
        } else {
            for (size_t i = 0; i < 4 && next == SIZE_MAX; i++)
                if (would_fit(&t, closing[i])) next = find_closing(p, depth, closing[i]);
        }
        vec_free(&t.over);
        if (next == SIZE_MAX) continue;
        give_up(p, depth, next);
        return;
    }
    p->stop = true;
}

/* ---- messages ---- */

static void describe_kind(Text *out, TokenKind kind)
{
    text_printf(out, token_class(kind) == TOKEN_C ? "%s" : "'%s'", token_text(kind));
}

static void describe_token(Text *out, const Parse *p, size_t i)
{
    enum { LONGEST = 40 };
    Token t = p->tokens.list.data[i];
    size_t len = t.end - t.begin;
    switch (t.kind) {
    case TOK_NAME:
    case TOK_TYPENAME:
    case TOK_CTOR:
    case TOK_INT:
    case TOK_REAL:
        if (len <= LONGEST) {
            text_printf(out, "'%.*s'", (int)len, p->source->text + t.begin);
            break;
        }
        /* fall through */
    default: describe_kind(out, t.kind);
    }
}

/* What could stand here: a few kinds, or nothing that is short to say. */
static void describe_expected(Text *out, const Parse *p)
{
    static const TokenKind asked[] = {
        TOK_NAME,   TOK_SEMI,  TOK_COMMA, TOK_RPAREN, TOK_RBRACKET, TOK_RBRACE, TOK_HOLE_END,
        TOK_ASSIGN, TOK_COLON, TOK_IN,    TOK_ARROW,  TOK_LPAREN,   TOK_LBRACE, TOK_WHILE};
    enum { FEW = 4 };
    TokenKind found[FEW];
    size_t n = 0;
    Trial t = trial_at(p, grammar_depth(p->state));
    if (would_fit(&t, TOK_IF)) {
        text_add(out, "a statement");
    } else if (would_fit(&t, TOK_MISSING)) {
        text_add(out, "an expression");
    } else if (would_fit(&t, TOK_TYPENAME)) {
        text_add(out, would_fit(&t, TOK_NAME) ? "a name" : "a type");
    } else {
        for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
            /* `x (`, `x =`, `x =>` go on too, but are not what is missing */
            if (n > 0 &&
                (asked[i] == TOK_LPAREN || asked[i] == TOK_ASSIGN || asked[i] == TOK_ARROW))
                continue;
            if (!would_fit(&t, asked[i])) continue;
            if (n == FEW) return;
            found[n++] = asked[i];
        }
        for (size_t i = 0; i < n; i++) {
            if (i > 0) text_add(out, i + 1 == n ? " or " : ", ");
            describe_kind(out, found[i]);
        }
    }
}

/* Mistakes that deserve a sentence of their own. */
static const char *special(Parse *p)
{
    size_t i = p->next;
    const Token *t = &p->tokens.list.data[i];
    if (i >= 2 && t[-1].kind == TOK_DOT && t[-2].kind == TOK_INT && t[-2].end == t[-1].begin)
        return "a real number needs a digit after the point";
    if (t->kind == TOK_FORMAT) return "put the ?: in parentheses: a format begins at the ':'";
    if (t->kind == TOK_LET) return "put the let in parentheses";
    if (t->kind == TOK_ARROW) return "put the lambda in parentheses";
    if (t->kind == TOK_CLASS || t->kind == TOK_INTERFACE || t->kind == TOK_ENUM)
        return "types are declared at the top level of the file";
    if (p->next > 0 && t[-1].kind == TOK_NAME && repair_fits(p, TOK_OPERATOR))
        return "a member begins with its type; a constructor has the name of its class";
    if (t->kind != TOK_END && repair_fits(p, TOK_CASE) && !repair_fits(p, TOK_IF))
        return "the statements of a switch follow a case or default";
    if (is_generic(p)) return "type arguments are types, before the arguments of a call: f<int>(x)";
    if (t->kind == TOK_DOTDOT) return "ranges do not chain: use parentheses";
    return NULL;
}

/* A missing token is shown where it is missing, not at the beginning of the next line. */
static Loc place(const Parse *p, bool missing)
{
    Loc loc = parse_token_loc(p, p->next);
    if (missing && p->next > 0 && on_new_line(p, p->next)) {
        loc = parse_token_loc(p, p->next - 1);
        loc.begin = loc.end;
    }
    return loc;
}

/* Whether an error here follows from one that was reported a moment ago, by the scanner or here. */
static bool is_echo(Parse *p)
{
    if (on_new_line(p, p->next)) p->clear = true;
    return !p->clear || p->tokens.list.data[p->next].flags & TOKEN_QUIET;
}

/* A keyword or the name of a type stands where a variable is declared: `int half = 1;`. */
static bool is_taken_name(const Parse *p)
{
    TokenKind k = kind_of(p, p->next), after = kind_of(p, p->next + 1);
    bool word = k == TOK_TYPENAME || token_class(k) == TOKEN_K || token_class(k) == TOKEN_M;
    return word && (after == TOK_ASSIGN || after == TOK_SEMI || after == TOK_COMMA ||
                    after == TOK_RPAREN || after == TOK_IN);
}

/* A sign that is written as it is told. */
static bool is_sign(TokenKind k)
{
    return k == TOK_SEMI || k == TOK_COMMA || k == TOK_COLON || k == TOK_ASSIGN || token_closes(k);
}

/* What is missing, behind the token before. */
static void add_fix(const Parse *p, const Repair *r)
{
    Text signs = {0};
    for (int i = 0; i < r->ninsert && is_sign(r->insert[i]); i++)
        text_add(&signs, token_text(r->insert[i]));
    Loc before = parse_token_loc(p, p->next > 0 ? p->next - 1 : 0);
    before.begin = before.end;
    diag_fix(p->diags, before, signs.data);
    text_free(&signs);
}

static void report(Parse *p, const Repair *r)
{
    Text expected = {0}, at = {0};
    const char *sentence = special(p);
    bool missing = r->fitting >= ENOUGH && !r->skip;
    if (missing)
        describe_kind(&expected, r->insert[0]);
    else if (r->fitting < ENOUGH)
        describe_expected(&expected, p);
    describe_token(&at, p, p->next);
    Loc loc = place(p, missing && r->insert[0] != TOK_NAME && r->insert[0] != TOK_MISSING);
    if (is_echo(p)) {
        p->errors++; /* for parse_error, which looks at last_error */
    } else if (sentence) {
        parse_error(p, parse_token_loc(p, p->next), DIAG_SYNTAX, "%s", sentence);
    } else if (expected.len > 0 && strcmp(expected.data, "a name") == 0 && is_taken_name(p)) {
        Loc word = parse_token_loc(p, p->next);
        parse_error(p, word, DIAG_SYNTAX, "%s is %s; choose another name, or write @%.*s", at.data,
                    kind_of(p, p->next) == TOK_TYPENAME ? "a type" : "a keyword",
                    (int)(word.end - word.begin), p->source->text + word.begin);
    } else if (expected.len > 0) {
        bool told =
            parse_error(p, loc, DIAG_SYNTAX, "expected %s before %s", expected.data, at.data);
        if (told && missing && is_sign(r->insert[0])) add_fix(p, r);
        if (missing && r->partner != SIZE_MAX &&
            token_closes(r->insert[r->ninsert > 1 && !token_closes(r->insert[0])])) {
            Loc partner = parse_token_loc(p, r->partner);
            if (memchr(p->source->text + partner.begin, '\n', loc.begin - partner.begin))
                diag_note(p->diags, partner, "to match this");
        }
    } else {
        parse_error(p, loc, DIAG_SYNTAX, "unexpected %s", at.data);
    }
    text_free(&expected);
    text_free(&at);
    p->last_error = parse_token_loc(p, p->next).begin;
    p->clear = false;
}

void repair_error(Parse *p)
{
    if (p->repairs++ >= MAX_REPAIRS) { /* most of them silent: all on one line */
        parse_give_up(p, parse_token_loc(p, p->next));
        return;
    }
    if (foreign_repair(p, is_echo(p))) return;
    Repair r = best_repair(p);
    report(p, &r);
    TokenKind kind = kind_of(p, p->next);
    if (r.fitting >= ENOUGH && kind != TOK_LET && kind != TOK_ARROW)
        apply(p, &r);
    else
        panic(p);
}
