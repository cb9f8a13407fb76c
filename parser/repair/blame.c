/* Messages of syntax errors: what is expected, what stands there instead, mistakes that deserve a
 * sentence of their own. */
#include <stdio.h>
#include <string.h>

#include "repair.h"

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
    if (trial_would_fit(&t, TOK_IF)) {
        text_add(out, "a statement");
    } else if (trial_would_fit(&t, TOK_MISSING)) {
        text_add(out, "an expression");
    } else if (trial_would_fit(&t, TOK_TYPENAME)) {
        text_add(out, trial_would_fit(&t, TOK_NAME) ? "a name" : "a type");
    } else {
        for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
            /* `x (`, `x =`, `x =>` go on too, but are not what is missing */
            if (n > 0 &&
                (asked[i] == TOK_LPAREN || asked[i] == TOK_ASSIGN || asked[i] == TOK_ARROW))
                continue;
            if (!trial_would_fit(&t, asked[i])) continue;
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
    if (t->kind == TOK_LBRACE && i >= 2 && t[-1].kind == TOK_ASSIGN && t[-2].kind == TOK_RPAREN)
        return "a definition is one expression; statements are a lambda's, "
               "float[] f = (i : 0..n) => { .. };";
    if (t->kind == TOK_LET) return "put the let in parentheses";
    if (t->kind == TOK_ARROW) return "put the lambda in parentheses";
    if (t->kind == TOK_CLASS || t->kind == TOK_INTERFACE || t->kind == TOK_ENUM)
        return "types are declared at the top level of the file";
    if (p->next > 0 && t[-1].kind == TOK_NAME && repair_fits(p, TOK_OPERATOR))
        return "a member begins with its type; a constructor has the name of its class";
    if (t->kind != TOK_END && repair_fits(p, TOK_CASE) && !repair_fits(p, TOK_IF))
        return "the statements of a switch follow a case or default";
    if (repair_is_generic(p))
        return "type arguments are types, before the arguments of a call: f<int>(x)";
    if (t->kind == TOK_DOTDOT) return "ranges do not chain: use parentheses";
    return NULL;
}

/* A missing token is shown where it is missing, not at the beginning of the next line. */
static Loc place(const Parse *p, bool missing)
{
    Loc loc = parse_token_loc(p, p->next);
    if (missing && p->next > 0 && repair_on_new_line(p, p->next)) {
        loc = parse_token_loc(p, p->next - 1);
        loc.begin = loc.end;
    }
    return loc;
}

/* Whether an error here follows from one that was reported a moment ago, by the scanner or here. */
bool blame_is_echo(Parse *p)
{
    if (repair_on_new_line(p, p->next)) p->clear = true;
    return !p->clear || p->tokens.list.data[p->next].flags & TOKEN_QUIET;
}

/* A keyword or the name of a type stands where a variable is declared: `int half = 1;`. */
static bool is_taken_name(const Parse *p)
{
    TokenKind k = repair_kind(p, p->next), after = repair_kind(p, p->next + 1);
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

void blame(Parse *p, const Repair *r)
{
    Text expected = {0}, at = {0};
    const char *sentence = special(p);
    bool missing = r->fitting >= REPAIR_ENOUGH && !r->skip;
    if (missing)
        describe_kind(&expected, r->insert[0]);
    else if (r->fitting < REPAIR_ENOUGH)
        describe_expected(&expected, p);
    describe_token(&at, p, p->next);
    Loc loc = place(p, missing && r->insert[0] != TOK_NAME && r->insert[0] != TOK_MISSING);
    if (blame_is_echo(p)) {
        p->errors++; /* for parse_error, which looks at last_error */
    } else if (sentence) {
        parse_error(p, parse_token_loc(p, p->next), DIAG_SYNTAX, "%s", sentence);
    } else if (expected.len > 0 && strcmp(expected.data, "a name") == 0 && is_taken_name(p)) {
        Loc word = parse_token_loc(p, p->next);
        parse_error(p, word, DIAG_SYNTAX, "%s is %s; choose another name, or write @%.*s", at.data,
                    repair_kind(p, p->next) == TOK_TYPENAME ? "a type" : "a keyword",
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
