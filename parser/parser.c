/* The driver of the parser: feeds the tokens to bison's automaton one by one, asking before each
 * whether it fits; what does not fit is repaired (repair.c). The caller owns tree and names. */
#include "parser.h"

#include <stdarg.h>

#include "parse.h"

/* LR states. A level of nesting takes one to six. */
enum { MAX_STATES = 10000, MAX_ERRORS = 1000 };

Loc parse_token_loc(const Parse *p, size_t token)
{
    Token t = p->tokens.list.data[token];
    return (Loc){p->file, t.begin, t.end};
}

void parse_give_up(Parse *p, Loc loc)
{
    if (!p->stop) diag(p->diags, loc, DIAG_TOO_MANY_ERRORS, "too many errors");
    p->stop = true;
}

static bool may_report(Parse *p, Loc loc)
{
    if (p->errors++ < MAX_ERRORS) return true;
    parse_give_up(p, loc);
    return false;
}

bool parse_error(Parse *p, Loc loc, DiagCode code, const char *fmt, ...)
{
    bool inside = p->last_error >= loc.begin && p->last_error <= loc.end;
    bool echo = p->errors > 0 && (!p->clear || inside);
    if (echo || !may_report(p, loc)) return false;
    va_list ap;
    va_start(ap, fmt);
    Text t = {0};
    text_vprintf(&t, fmt, ap);
    va_end(ap);
    diag(p->diags, loc, code, "%s", t.data);
    text_free(&t);
    return true;
}

void parse_too_deep(Parse *p, Loc loc)
{
    if (!p->too_deep && may_report(p, loc)) diag(p->diags, loc, DIAG_TOO_DEEP, "nested too deeply");
    p->too_deep = true;
}

static void follow_brackets(Parse *p, TokenKind kind)
{
    if (token_partner(kind) != TOK_END) {
        Bracket b = {kind, p->next, grammar_depth(p->state)};
        vec_push(&p->open, b);
    } else if (token_closes(kind) && p->open.len > 0) {
        p->open.len--; /* the grammar has them in pairs */
    }
}

void parse_push(Parse *p, TokenKind kind, Loc loc, const TokenValue *value)
{
    static const TokenValue nothing = {.text = ""};
    follow_brackets(p, kind);
    if (!grammar_push(p->state, p, (int)kind, loc, value ? value : &nothing)) p->stop = true;
}

static void push_tokens(Parse *p)
{
    while (!p->stop) {
        Token t = p->tokens.list.data[p->next];
        if (!repair_fits(p, t.kind)) {
            repair_error(p);
            continue;
        }
        Loc loc = parse_token_loc(p, p->next);
        p->clear = p->clear || t.flags & TOKEN_NEW_LINE || t.kind == TOK_SEMI ||
                   t.kind == TOK_LBRACE || t.kind == TOK_RBRACE;
        bool valued = t.value < p->tokens.values.len; /* not in a file without names */
        parse_push(p, t.kind, loc, valued ? &p->tokens.values.data[t.value] : NULL);
        p->next++;
        if (grammar_depth(p->state) > MAX_STATES) {
            parse_too_deep(p, loc);
            p->stop = true;
        }
    }
}

static void report_inner(Parse *p)
{
    for (size_t i = 0; i < p->inner.len && !p->unbalanced; i++) {
        const Ast *n = p->inner.data[i];
        if (!may_report(p, n->loc)) return;
        if (n->kind == AST_FUNC)
            diag(p->diags, n->loc, DIAG_MISPLACED, "a function is declared in a block { ... }");
        else
            diag(p->diags, n->loc, DIAG_MISPLACED,
                 "%s at the top level of the file, not in a block",
                 n->kind == AST_USING_MODULE ? "modules are used" : "types are declared");
    }
}

Ast *parse_tokens(Tokens *tokens, const Sources *sources, uint32_t file, Diags *diags,
                  Interner *names, Arena *arena)
{
    Parse p = {.diags = diags,
               .names = names,
               .arena = arena,
               .source = sources_get(sources, file),
               .file = file,
               .tokens = *tokens,
               .clear = true};
    p.state = grammar_start();
    push_tokens(&p);
    report_inner(&p);
    grammar_end(p.state);
    tokens_free(&p.tokens);
    vec_free(&p.open);
    vec_free(&p.states);
    vec_free(&p.nested);
    vec_free(&p.inner);
    return p.unit ? p.unit : ast_new(arena, AST_UNIT, (Loc){file, 0, (uint32_t)p.source->len});
}

Ast *parse_unit(const Sources *sources, uint32_t file, Diags *diags, Interner *names, Arena *arena)
{
    Tokens tokens = {0};
    lexer_scan(&tokens, sources, file, diags, names, arena);
    lexer_skip_namespaces(&tokens, names);
    lexer_skip_ignored(&tokens);
    lexer_nested_types(&tokens, names, NULL);
    lexer_mark_types(&tokens, names, NULL);
    return parse_tokens(&tokens, sources, file, diags, names, arena);
}
