/* The front end on one text, whatever it is: errors are what the editor shows. */
#include "analysis.h"

#include "../base/arena.h"
#include "../base/intern.h"
#include "../base/mem.h"
#include "../parser/parser.h"
#include "../sema/lower/lower.h"

Analysis *analysis_new(const char *path, const char *text, size_t len, const Around *around)
{
    Analysis *a = mem_alloc(sizeof *a);
    a->arena = arena_new();
    a->names = interner_new();
    a->sources = sources_new();
    a->diags = diags_new(a->sources);
    a->fd = fd_new();
    sources_add(a->sources, path, text, len);
    sources_give(a->sources, around->given, around->ngiven);
    Diags *unheard = diags_new(a->sources); /* the parser scans again, and tells */
    lexer_scan(&a->tokens, a->sources, 0, unheard, a->names, a->arena);
    diags_free(unheard);
    a->marks = arena_array(a->arena, Mark, a->tokens.list.len);
    const ParseProgram program = {.folders = around->folders, .nfolders = around->nfolders};
    a->unit = parse_program(a->sources, 0, &program, a->diags, a->names, a->arena);
    sources_give(a->sources, NULL, 0); /* they may change before this goes */
    a->parsed = diags_errors(a->diags) == 0;
    if (diags_has(a->diags, DIAG_FOREIGN)) return a; /* who knows what it declares */
    a->sema = sema_check(a->unit, a->sources, a->diags, a->names, a->arena);
    analysis_mark(a);
    if (diags_errors(a->diags) > 0) return a;
    a->sema->fd = a->fd;
    lower_unit(a->sema, a->sources, a->diags, a->arena, a->fd);
    return a;
}

void analysis_free(Analysis *a)
{
    if (!a) return;
    vec_free(&a->declared);
    tokens_free(&a->tokens);
    fd_free(a->fd);
    diags_free(a->diags);
    sources_free(a->sources);
    interner_free(a->names);
    arena_free(a->arena);
    mem_free(a);
}

bool analysis_parsed(const Analysis *a)
{
    return a->parsed;
}

int analysis_token(const Analysis *a, uint32_t offset)
{
    size_t lo = 0, hi = a->tokens.list.len; /* the last that does not begin behind it */
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (a->tokens.list.data[mid].begin <= offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (int t = (int)lo - 1; t >= 0; t--) { /* those that the scanner made up are empty */
        const Token *token = &a->tokens.list.data[t];
        if (token->begin == token->end) continue;
        if (token->end < offset) return -1;
        /* Between two tokens, the one that has a name. */
        if (token->begin == offset && t > 0 && token->kind != TOK_NAME && token[-1].end == offset &&
            token[-1].kind == TOK_NAME)
            return t - 1;
        return t;
    }
    return -1;
}

int analysis_token_before(const Analysis *a, uint32_t offset)
{
    for (size_t t = a->tokens.list.len; t-- > 0;) {
        const Token *token = &a->tokens.list.data[t];
        if (token->end <= offset && token->begin < token->end) return (int)t;
    }
    return -1;
}

const char *analysis_name(const Analysis *a, size_t token)
{
    const Token *t = &a->tokens.list.data[token];
    bool name = t->kind == TOK_NAME || t->kind == TOK_TYPENAME; /* int, float .. */
    return name ? a->tokens.values.data[t->value].text : NULL;
}

Symbol *analysis_symbol(const Analysis *a, uint32_t offset, int *token)
{
    *token = analysis_token(a, offset);
    return *token < 0 ? NULL : a->marks[*token].sym;
}

bool analysis_same(const Symbol *a, const Symbol *b)
{
    if (a == b) return true;
    return a && b && a->loc.end && a->name == b->name && a->kind == b->kind &&
           a->loc.file == b->loc.file && a->loc.begin == b->loc.begin;
}

static uint32_t later(uint32_t end, const Ast *n)
{
    return n && n->loc.file == 0 && n->loc.end > end ? n->loc.end : end;
}

static uint32_t list_end(const Analysis *a, uint32_t end, const AstList *list)
{
    for (int i = 0; i < list->len; i++) {
        uint32_t other = list->data[i]->loc.file == 0 ? analysis_end(a, list->data[i]) : 0;
        if (other > end) end = other;
    }
    return end;
}

/* Behind the next closing brace, which no child of a class has. */
static uint32_t brace_end(const Analysis *a, uint32_t end)
{
    for (int t = analysis_token_before(a, end) + 1; t > 0 && t < (int)a->tokens.list.len; t++)
        if (a->tokens.list.data[t].kind == TOK_RBRACE) return a->tokens.list.data[t].end;
    return end;
}

uint32_t analysis_end(const Analysis *a, const Ast *n)
{
    uint32_t end = n->loc.end;
    switch (n->kind) {
    case AST_FUNC: return later(end, n->func.body);
    case AST_CTOR: return later(end, n->ctor.body);
    case AST_PROPERTY:
        if (n->property.get)
            end = later(later(end, n->property.get), n->property.get->accessor.body);
        if (n->property.set)
            end = later(later(end, n->property.set), n->property.set->accessor.body);
        return later(end, n->property.init);
    case AST_VAR_DECL: return list_end(a, end, &n->var_decl.vars);
    case AST_CLASS: return brace_end(a, list_end(a, end, &n->class_.members));
    case AST_ENUM: return brace_end(a, list_end(a, end, &n->enum_.members));
    default: return end;
    }
}
