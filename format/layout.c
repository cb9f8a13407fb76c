/* Which statements, bodies and brackets are open, from tokens alone. */
#include "layout.h"

static const Open *top(const Layout *l)
{
    return l->open.len > 0 ? &vec_last(&l->open) : NULL;
}

static bool is_paren(const Open *o)
{
    return o && o->kind == OPEN_PAREN;
}

static TokenKind kind_at(const Tokens *tokens, size_t i)
{
    return i < tokens->list.len ? tokens->list.data[i].kind : TOK_END;
}

/* ---- indentation ------------------------------------------------------------------------------ */

/* The innermost if whose body has ended, in `ended`, or -1. */
static int ended_if(const Layout *l)
{
    for (int k = (int)l->ended.len - 1; k >= 0; k--)
        if (l->ended.data[k].header == TOK_IF) return k;
    return -1;
}

static int statement_indent(const Layout *l, TokenKind first)
{
    const Open *o = top(l);
    if (!o) return 0;
    bool label = first == TOK_CASE || first == TOK_DEFAULT;
    return o->indent + (o->kind == OPEN_SWITCH && !label ? 2 : 1);
}

/* Braces close what is still open inside them. */
static const Open *innermost_brace(const Layout *l)
{
    for (size_t k = l->open.len; k-- > 0;)
        if (l->open.data[k].kind <= OPEN_LIST) return &l->open.data[k];
    return NULL;
}

static OpenKind brace_kind(const Layout *l, const Tokens *tokens, size_t i)
{
    TokenKind before = i ? kind_at(tokens, i - 1) : TOK_END;
    if (l->within && l->first == TOK_SWITCH && before == TOK_RPAREN && !is_paren(top(l)))
        return OPEN_SWITCH;
    if (l->within && l->first == TOK_ENUM) return OPEN_LIST;
    if (l->declares || before == TOK_ARROW) return OPEN_BLOCK;
    if (l->object || before == TOK_ASSIGN || before == TOK_COMMA || before == TOK_LPAREN ||
        before == TOK_LBRACKET || before == TOK_SWITCH)
        return OPEN_LIST;
    return !l->within && top(l) && top(l)->kind == OPEN_LIST ? OPEN_LIST : OPEN_BLOCK;
}

int layout_indent(const Layout *l, const Tokens *tokens, size_t i, bool comment)
{
    TokenKind k = kind_at(tokens, i);
    const Open *brace = innermost_brace(l);
    if (k == TOK_RBRACE && brace) {
        int inside = brace->kind == OPEN_SWITCH ? 2 : 1;
        return brace->indent + (comment ? inside : 0);
    }
    if ((k == TOK_RPAREN || k == TOK_RBRACKET) && is_paren(top(l)) && !comment)
        return top(l)->indent;
    int found = k == TOK_ELSE ? ended_if(l) : -1;
    if (found >= 0) return l->ended.data[found].indent;
    bool block = k == TOK_LBRACE && brace_kind(l, tokens, i) != OPEN_LIST;
    if (!l->within) {
        bool body = top(l) && top(l)->kind == OPEN_BODY;
        return body && block ? top(l)->indent : statement_indent(l, k);
    }
    return l->statement + (block && !is_paren(top(l)) ? 0 : 1);
}

/* ---- what a token changes ------------------------------------------------------------------------ */

static void begin_body(Layout *l, TokenKind header)
{
    vec_push(&l->open, ((Open){.kind = OPEN_BODY, .header = header, .indent = l->statement}));
    l->within = false;
}

static void end_statement(Layout *l)
{
    size_t from = l->open.len;
    while (from > 0 && l->open.data[from - 1].kind == OPEN_BODY) from--;
    for (size_t k = from; k < l->open.len; k++) vec_push(&l->ended, l->open.data[k]);
    l->open.len = from;
    l->within = false;
}

/* The bodies outside the if that goes on are open again. */
static void take_else(Layout *l)
{
    int found = ended_if(l);
    if (found >= 0) l->statement = l->ended.data[found].indent;
    for (int k = 0; k < found; k++) vec_push(&l->open, l->ended.data[k]);
    begin_body(l, TOK_ELSE);
}

static void open_brace(Layout *l, const Tokens *tokens, size_t i, OpenKind kind)
{
    bool lambda = i && kind_at(tokens, i - 1) == TOK_ARROW, inside = is_paren(top(l));
    Open o = {.kind = kind,
              .indent = lambda || inside || kind == OPEN_LIST ? l->line : l->statement,
              .statement = l->statement,
              .label = l->first == TOK_CASE,
              .resumes = lambda || inside || (kind == OPEN_LIST && l->first != TOK_ENUM)};
    vec_push(&l->open, o);
    l->within = l->declares = l->object = false;
}

static void close_brace(Layout *l)
{
    while (l->open.len > 0 && top(l)->kind > OPEN_LIST) l->open.len--;
    if (l->open.len == 0) return;
    Open o = vec_last(&l->open);
    l->open.len--;
    l->statement = o.statement;
    l->within = true;
    l->first = o.label && o.kind == OPEN_LIST ? TOK_CASE : TOK_END;
    if (!o.resumes) end_statement(l);
}

static void open_paren(Layout *l, TokenKind k, bool first)
{
    Open o = {.kind = OPEN_PAREN,
              .header = l->header,
              .indent = l->statement,
              .statement = l->statement,
              .attribute = k == TOK_LBRACKET && first,
              .object = l->object};
    vec_push(&l->open, o);
    l->object = false;
}

static void close_paren(Layout *l)
{
    if (!is_paren(top(l))) return;
    Open o = vec_last(&l->open);
    l->open.len--;
    l->statement = o.statement;
    l->object = o.object;
    if (token_is_header(o.header) || o.header == TOK_USING) begin_body(l, o.header);
    if (o.attribute) l->within = false;
}

static bool in_type(TokenKind k)
{
    return k == TOK_NAME || k == TOK_TYPENAME || k == TOK_DOT || k == TOK_LT || k == TOK_GT ||
           k == TOK_SHR || k == TOK_COMMA;
}

void layout_take(Layout *l, const Tokens *tokens, size_t i, int indent)
{
    TokenKind k = kind_at(tokens, i);
    bool first = !l->within;
    OpenKind brace = k == TOK_LBRACE ? brace_kind(l, tokens, i) : OPEN_LIST;
    if (indent >= 0) l->line = indent;
    if (first && k != TOK_RBRACE) {
        bool own = k == TOK_LBRACE && top(l) && top(l)->kind == OPEN_BODY;
        l->statement = own ? top(l)->indent : l->line;
        l->first = k;
        l->within = true;
        l->declares = l->object = false;
    }
    if (k == TOK_ELSE) take_else(l);
    l->ended.len = 0;
    if (token_partner(k) == TOK_RPAREN || token_partner(k) == TOK_RBRACKET) open_paren(l, k, first);
    switch (k) {
    case TOK_LBRACE:
    case TOK_PROPERTIES: open_brace(l, tokens, i, brace); break;
    case TOK_RBRACE: close_brace(l); break;
    case TOK_RPAREN:
    case TOK_RBRACKET: close_paren(l); break;
    case TOK_DO: begin_body(l, k); break;
    case TOK_SEMI:
        if (!is_paren(top(l))) end_statement(l);
        break;
    case TOK_COMMA:
        if (top(l) && top(l)->kind == OPEN_LIST) l->within = l->object = false;
        break;
    case TOK_COLON:
        if ((l->first == TOK_CASE || l->first == TOK_DEFAULT) && !is_paren(top(l)))
            l->within = false;
        break;
    case TOK_CLASS:
    case TOK_INTERFACE: l->declares = true; break;
    default: break;
    }
    bool header = token_is_header(k) || (k == TOK_USING && kind_at(tokens, i + 1) == TOK_LPAREN);
    l->header = header ? k : TOK_END;
    if (k == TOK_NEW)
        l->object = true;
    else if (!in_type(k) && k != TOK_RPAREN && k != TOK_RBRACKET)
        l->object = false;
}

void layout_free(Layout *l)
{
    vec_free(&l->open);
    vec_free(&l->ended);
}
