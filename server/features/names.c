/* What may be written at a place: members behind a dot, else the names that are known there. The text
 * is analysed with a name put at the place, so that half a statement has a tree. */
#include <string.h>

#include "../../base/mem.h"
#include "names.h"

static const char placeholder[] = "name_at_the_cursor";

typedef struct Visit {
    const Analysis *a;
    uint32_t offset;
    bool members;
    SemaVisit *each;
    void *ctx;
} Visit;

/* What is not public can be written within its class. */
static bool is_accessible(const Visit *v, const Symbol *sym)
{
    if (!sym->cls || !v->members || sym->mods & AST_MOD_PUBLIC) return true;
    const Ast *c = sym->cls->decl;
    return c && c->loc.file == 0 && v->offset > c->loc.begin && v->offset < analysis_end(v->a, c);
}

static void visit_name(void *ctx, const SemaName *n)
{
    const Visit *v = ctx;
    if (n->sym && (n->sym->name[0] == '$' || n->sym->is_ctor || !is_accessible(v, n->sym))) return;
    if (*n->name && strcmp(n->name, placeholder) != 0) v->each(v->ctx, n);
}

static void visit_symbol(Visit *v, const Symbol *sym)
{
    visit_name(v, &(SemaName){sym->name, sym->kind, sym, -1});
}

/* ---- behind a dot --------------------------------------------------------------------------- */

static void visit_members(Visit *v, const Mark *m)
{
    v->members = true;
    const Symbol *sym = m->sym;
    if (sym && sym->kind == SYM_SPACE) {
        sema_each_row(sym->name, visit_name, v);
    } else if (sym && sym->kind == SYM_TYPE) {
        const Type *t = sym->cls ? sym->cls->type : sym->type;
        if (t) sema_each_member(t, true, visit_name, v);
        sema_each_row(sym->name, visit_name, v);
    } else if (m->type && m->type->kind != TY_ERROR && m->type->kind != TY_GROUP) {
        sema_each_member(m->type, false, visit_name, v);
    }
}

/* What the same name means elsewhere in a text. */
static const Mark *mark_before(const Analysis *a, const char *name)
{
    for (size_t t = a ? a->tokens.list.len : 0; t-- > 0;) {
        const char *other = analysis_name(a, t);
        if (other && strcmp(other, name) == 0 && (a->marks[t].sym || a->marks[t].type))
            return &a->marks[t];
    }
    return NULL;
}

typedef struct Exact {
    uint32_t begin, end;
    const Type *type;
} Exact;

static void find_exact(Ast **slot, void *ctx)
{
    const Ast *n = *slot;
    Exact *x = ctx;
    if (!n || x->type || n->loc.file != 0) return;
    bool same = n->loc.begin == x->begin && n->loc.end == x->end;
    if (same && n->type && n->type->kind != TY_ERROR && n->type->kind != TY_GROUP)
        x->type = n->type;
    else
        ast_each_child(*slot, find_exact, ctx);
}

/* The type of what a ) ends: the tree has no parentheses. */
static const Type *parenthesised(const Analysis *a, int close)
{
    int depth = 0, t = close;
    do {
        depth += token_closes((TokenKind)a->tokens.list.data[t].kind);
        depth -= token_partner((TokenKind)a->tokens.list.data[t].kind) != TOK_END;
    } while (depth > 0 && t-- > 0);
    if (t < 0 || t + 1 >= close) return NULL;
    Exact x = {a->tokens.list.data[t + 1].begin, a->tokens.list.data[close - 1].end, NULL};
    AstList *lists[] = {&a->unit->unit.decls, &a->unit->unit.stmts};
    for (size_t k = 0; k < 2; k++)
        for (int i = 0; i < lists[k]->len && !x.type; i++) find_exact(&lists[k]->data[i], &x);
    return x.type;
}

static void visit_member(const Request *r, const Analysis *a, int base, Visit *v)
{
    Mark inner = a->marks[base];
    if (!inner.type && a->tokens.list.data[base].kind == TOK_RPAREN)
        inner.type = parenthesised(a, base);
    const Mark *m = &inner;
    const char *name = analysis_name(a, (size_t)base);
    ScalarKind k;
    bool type = name && scalar_from_name(name, strlen(name), &k);
    if (type || (!m->sym && !m->type && name)) {
        m = type ? NULL : mark_before(a, name);
        if (!m && !type) m = mark_before(r->document->parsed, name);
        if (!m) { /* a class of the library, or a type's keyword */
            v->members = true;
            sema_each_row(name, visit_name, v);
            return;
        }
    }
    visit_members(v, m);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void visit_all(const Analysis *a, uint32_t offset, Visit *v)
{
    for (size_t i = a->declared.len; i-- > 0;) { /* the innermost come last */
        const Declared *d = &a->declared.data[i];
        if (d->begin <= offset && offset <= d->end) visit_symbol(v, d->sym);
    }
    for (int i = 0; i < a->unit->unit.imported.len; i++) {
        const Ast *d = a->unit->unit.imported.data[i];
        if (d->sym && d->sym->name && !strchr(d->sym->name, '_')) visit_symbol(v, d->sym);
    }
    sema_each_row("", visit_name, v);
    sema_each_space(visit_name, v);
}

/* Within a comment or a string nothing is offered. */
static bool is_code(const Analysis *a, uint32_t offset)
{
    for (size_t t = 0; t < a->tokens.list.len; t++) {
        const Token *k = &a->tokens.list.data[t];
        if (k->begin == offset) return analysis_name(a, t) != NULL;
        if (k->begin > offset) return false;
    }
    return false;
}

/* Is there nothing more in the line? Then the statement ends here, whatever follows. */
static bool ends_line(const Text *text, uint32_t at)
{
    while (at < text->len && (text->data[at] == ' ' || text->data[at] == '\t')) at++;
    return at == text->len || text->data[at] == '\n' || text->data[at] == '\r';
}

Analysis *names_analyse(const Request *r, uint32_t from, uint32_t to, const char *with)
{
    const Text *text = &r->document->text;
    Text patched = {0};
    text_addn(&patched, text->data ? text->data : "", from);
    text_add(&patched, with);
    if (ends_line(text, to)) text_add(&patched, ";");
    text_addn(&patched, text->data ? text->data + to : "", text->len - to);
    Around around = workspace_around(r->workspace);
    Analysis *a = analysis_new(r->document->path, patched.data, patched.len, &around);
    text_free(&patched);
    return a;
}

NamesKind names_at(const Request *r, uint32_t from, uint32_t to, SemaVisit *visit, void *ctx)
{
    Analysis *a = names_analyse(r, from, to, placeholder);
    Visit v = {a, from, false, visit, ctx};
    int dot = analysis_token_before(a, from);
    NamesKind kind = is_code(a, from) ? NAMES_ALL : NAMES_NONE;
    if (kind && dot > 0 && a->tokens.list.data[dot].kind == TOK_DOT) kind = NAMES_MEMBERS;
    if (kind == NAMES_MEMBERS) visit_member(r, a, dot - 1, &v);
    if (kind == NAMES_ALL) visit_all(a, from, &v);
    analysis_free(a);
    return kind;
}
