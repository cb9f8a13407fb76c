/* The annotated tree, told to the tokens: what each name means, what is declared and where it can be
 * used. */
#include <string.h>

#include "analysis.h"

typedef struct Walk {
    Analysis *a;
    uint32_t begin, end; /* the innermost part of the text that has names of its own */
} Walk;

static size_t first_token(const Analysis *a, uint32_t offset)
{
    size_t lo = 0, hi = a->tokens.list.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (a->tokens.list.data[mid].begin < offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool is_named(const Analysis *a, size_t t, const char *name)
{
    return analysis_name(a, t) == name; /* interned */
}

static void set_mark(Mark *m, Symbol *sym, const Type *type)
{
    if (!m->sym) m->sym = sym;
    if (!m->type && type && type->kind != TY_ERROR) m->type = type;
}

/* The first token of that name in the range. */
static void mark_first(Analysis *a, uint32_t begin, uint32_t end, const char *name, Symbol *sym,
                       const Type *type)
{
    for (size_t t = first_token(a, begin); t < a->tokens.list.len; t++) {
        if (a->tokens.list.data[t].begin >= end) return;
        if (!is_named(a, t, name)) continue;
        set_mark(&a->marks[t], sym, type);
        return;
    }
}

/* The token at which an expression ends: its name, if it has one. */
static void mark_last(Analysis *a, Loc loc, const char *name, Symbol *sym, const Type *type)
{
    for (size_t t = first_token(a, loc.end); t-- > 0;) {
        const Token *token = &a->tokens.list.data[t];
        if (token->begin < loc.begin) return;
        if (token->end > loc.end || token->begin == token->end) continue;
        if (!name || is_named(a, t, name)) set_mark(&a->marks[t], sym, type);
        return;
    }
}

static bool is_written(const char *name)
{
    return name && name[0] && name[0] != '$';
}

/* A name that is usable from its declaration, or in all of the part around it. */
static void declare(Walk *w, Symbol *sym, bool everywhere)
{
    if (!sym || sym->loc.file != 0 || !sym->loc.end || !is_written(sym->name)) return;
    uint32_t from = everywhere ? w->begin : sym->loc.begin;
    vec_push(&w->a->declared, ((Declared){sym, from, w->end}));
    const Ast *d = sym->decl;
    uint32_t end = d && d->loc.file == 0 && d->loc.end > sym->loc.end ? d->loc.end : sym->loc.end;
    mark_first(w->a, sym->loc.begin, end, sym->name, sym, sym->type);
}

static bool has_names(AstKind kind)
{
    switch (kind) {
    case AST_BLOCK:
    case AST_FUNC:
    case AST_CTOR:
    case AST_PROPERTY:
    case AST_CLASS:
    case AST_FOR:
    case AST_FOREACH:
    case AST_SWITCH:
    case AST_CATCH:
    case AST_USING:
    case AST_LAMBDA:
    case AST_LET:
    case AST_REDUCE:
    case AST_CALL: return true;
    default: return false;
    }
}

static void mark_declaration(Walk *w, const Ast *n)
{
    Symbol *sym = n->sym;
    switch (n->kind) {
    case AST_FUNC:
        if (sym && sym->is_ctor && sym->cls && sym->loc.file == 0) { /* it has its class's name */
            Symbol *class = sym->cls->sym;
            mark_first(w->a, sym->loc.begin, sym->loc.end, class->name, class, NULL);
            return;
        }
        declare(w, sym, true);
        return;
    case AST_CLASS:
    case AST_ENUM:
    case AST_TYPE_ALIAS:
    case AST_ENUM_MEMBER: declare(w, n->sym, true); return;
    case AST_PARAM:
    case AST_DECLARATOR:
    case AST_DEFINE:
    case AST_FOREACH:
    case AST_CATCH:
    case AST_IS:
    case AST_DECL_EXPR: declare(w, n->sym, n->sym && n->sym->cls); return;
    default: return;
    }
}

static void mark_use(Analysis *a, const Ast *n)
{
    switch (n->kind) {
    case AST_NAME_REF:
        mark_first(a, n->loc.begin, n->loc.end, n->name_ref.name, n->sym, n->type);
        return;
    case AST_TYPE_NAME: {
        Symbol *type = n->type && n->type->decl ? n->type->decl : n->sym;
        size_t t = first_token(a, n->loc.begin);
        if (n->type_name.name) /* else it was made of what is written there */
            mark_first(a, n->loc.begin, n->loc.end, n->type_name.name, type, n->type);
        else if (t < a->tokens.list.len && analysis_name(a, t))
            set_mark(&a->marks[t], type, n->type);
        return;
    }
    case AST_MEMBER: mark_last(a, n->loc, n->member.name, n->sym, n->type); return;
    case AST_CALL:
        if (n->call.callee->kind == AST_NAME_REF && n->sym)
            mark_first(a, n->loc.begin, n->loc.end, n->sym->name, n->sym, NULL);
        mark_last(a, n->loc, NULL, NULL, n->type);
        return;
    case AST_INDEX:
    case AST_NEW:
    case AST_NEW_ARRAY:
    case AST_THIS:
    case AST_STRING_LIT:
    case AST_INTERP: mark_last(a, n->loc, NULL, NULL, n->type); return;
    default: return;
    }
}

static void mark_tree(Ast **slot, void *ctx)
{
    const Ast *n = *slot;
    Walk *w = ctx, inner = *w;
    if (!n) return;
    bool own = n->loc.file == 0 && n->loc.end > n->loc.begin;
    if (own) mark_declaration(w, n);
    if (own && has_names(n->kind)) {
        inner.begin = n->loc.begin;
        inner.end = analysis_end(w->a, n);
    }
    if (own) mark_use(w->a, n);
    Walk around = n->kind == AST_DEFINE && own ? (Walk){w->a, n->loc.begin, n->loc.end} : inner;
    for (int i = 0; own && i < n->nbound; i++) declare(&around, n->bound[i], true);
    ast_each_child(*slot, mark_tree, &inner);
}

static void mark_named(Analysis *a, const SemaNamed *n)
{
    const Symbol *f = n->call->sym;
    const Ast *decl = f && f->kind == SYM_FUNC ? f->decl : NULL;
    if (!decl || decl->kind != AST_FUNC || n->parameter >= decl->func.params.len) return;
    const Ast *p = decl->func.params.data[n->parameter];
    if (n->loc.file == 0 && p->kind == AST_PARAM && p->sym)
        mark_first(a, n->loc.begin, n->loc.end, p->param.name, p->sym, p->sym->type);
}

void analysis_mark(Analysis *a)
{
    Walk w = {a, 0, (uint32_t)sources_get(a->sources, 0)->len};
    AstList *lists[] = {&a->unit->unit.usings, &a->unit->unit.decls, &a->unit->unit.stmts};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (int i = 0; i < lists[k]->len; i++) mark_tree(&lists[k]->data[i], &w);
    for (int i = 0; i < a->sema->nfuncs; i++) { /* accessors and constructors are here only */
        Symbol *f = a->sema->funcs[i];
        const Ast *c = f->cls ? f->cls->decl : NULL;
        Walk inner = w;
        if (c && c->loc.file == 0) inner = (Walk){a, c->loc.begin, analysis_end(a, c)};
        if (f->loc.file == 0) mark_tree(&f->decl, &inner);
    }
    for (int i = 0; i < a->sema->nnamed; i++) mark_named(a, &a->sema->named[i]);
}
