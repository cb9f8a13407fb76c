/* --emit=types: each declaration with its type, and its domain where the program's text says it:
 *
 *     4: d : float(int) over 0..8
 *     5: h : float(int, float) over 0..8, all
 */
#include "../check/check.h"
#include "../describe.h"
#include "../lower/lower.h"

typedef struct Printer {
    Text *out;
    const Sources *sources;
    const SemaResult *r;
} Printer;

/* ---- domains -------------------------------------------------------------------------------- */

enum { MAX_SLOTS = 64, MAX_CHAIN = 16 };

static bool domain_of(const SemaResult *r, const Ast *n, int depth, FdBox *out);

static const Ast *initialiser(const Symbol *sym)
{
    const Ast *d = sym->decl;
    if (sym->kind != SYM_LOCAL || !d) return NULL;
    return d->kind == AST_DEFINE       ? d->define.value
           : d->kind == AST_DECLARATOR ? d->declarator.init
                                       : NULL;
}

/* The box of a graph's root, if it is the same whatever the slots that are not known hold. */
static bool graph_domain(const SemaResult *r, const Ast *n, int depth, FdBox *out)
{
    const FdGraph *g = r->graphs[n->graph.graph].graph;
    FdBox boxes[MAX_SLOTS] = {{0}}, other;
    ScalarValue scalars[MAX_SLOTS] = {{0}};
    bool known[MAX_SLOTS] = {false};
    if (g->nslots > MAX_SLOTS || !fd_root(g)->type->nparams) return false;
    for (int guess = 0; guess < 2; guess++) { /* two guesses at what is not known must agree */
        for (int i = 0; i < g->nslots; i++) {
            const FdType *t = g->slots[i].type;
            const Ast *c = g->nslots == n->graph.captures.len ? n->graph.captures.data[i] : NULL;
            if (!guess && c && t->nparams) known[i] = domain_of(r, c, depth + 1, &boxes[i]);
            if (!guess && c && !t->nparams && c->is_const) {
                known[i] = true;
                scalars[i] = c->value;
            }
            if (known[i]) continue;
            scalars[i].i = guess ? 1009 : 13;
            if (scalar_is_real(t->scalar)) scalars[i].f = guess ? 1009 : 13;
            boxes[i].rank = t->nparams;
            for (int d = 0; d < t->nparams; d++) {
                boxes[i].dim[d].lo = guess ? -7 : 3;
                boxes[i].dim[d].hi = guess ? 5003 + d : 517 + d;
            }
        }
        FdEnv env = {.boxes = boxes, .scalars = scalars};
        if (fd_eval_box(r->fd, fd_root(g), &env, guess ? &other : out) != FD_BOUND_OK) return false;
    }
    for (int d = 0; d < out->rank; d++) {
        if (out->dim[d].full != other.dim[d].full) return false;
        if (!out->dim[d].full &&
            (out->dim[d].lo != other.dim[d].lo || out->dim[d].hi != other.dim[d].hi))
            return false;
    }
    return true;
}

static void set_extent(FdBox *out, int d, int64_t extent)
{
    out->dim[d].lo = 0;
    out->dim[d].hi = extent;
}

static bool array_domain(const Ast *n, FdBox *out)
{
    const Ast *level = n->kind == AST_NEW_ARRAY ? n->new_array.init : n;
    out->rank = n->type->nparams;
    if (n->kind == AST_NEW_ARRAY && n->new_array.sizes.len) {
        for (int d = 0; d < out->rank; d++) {
            const Ast *size = n->new_array.sizes.data[d];
            if (!size->is_const) return false;
            set_extent(out, d, size->value.i);
        }
        return true;
    }
    for (int d = 0; d < out->rank; d++) {
        if (level && level->kind != AST_INIT_LIST) return false;
        set_extent(out, d, level ? level->init_list.items.len : 0);
        level = level && level->init_list.items.len ? level->init_list.items.data[0] : NULL;
    }
    return true;
}

static bool domain_of(const SemaResult *r, const Ast *n, int depth, FdBox *out)
{
    *out = (FdBox){0};
    if (!n || !type_is_functional(n->type) || depth > MAX_CHAIN || type_is_hosted(n->type))
        return false;
    switch (n->kind) {
    case AST_GRAPH: return graph_domain(r, n, depth, out);
    case AST_CONVERT: return domain_of(r, n->convert.operand, depth + 1, out);
    case AST_NEW_ARRAY:
    case AST_INIT_LIST: return array_domain(n, out);
    case AST_NAME_REF:
        if (!n->sym || n->sym->assigned_again) return false;
        return domain_of(r, initialiser(n->sym), depth + 1, out);
    default: return false;
    }
}

static void print_domain(Text *out, const SemaResult *r, const Ast *value)
{
    FdBox box;
    bool finite = false;
    if (!r->fd || !domain_of(r, value, 0, &box)) return;
    for (int d = 0; d < box.rank; d++) finite = finite || !box.dim[d].full;
    if (!finite) return;
    text_add(out, " over ");
    for (int d = 0; d < box.rank; d++) {
        if (d) text_add(out, ", ");
        if (box.dim[d].full)
            text_add(out, "all");
        else
            text_printf(out, "%lld..%lld", (long long)box.dim[d].lo, (long long)box.dim[d].hi);
    }
}

void sema_describe_domain(Text *out, const SemaResult *r, const Symbol *sym)
{
    print_domain(out, r, initialiser(sym));
}

/* ---- lines ---------------------------------------------------------------------------------- */

static void print_line(Printer *p, const Ast *n, const Symbol *sym)
{
    int line, col;
    if (!sym || !sym->type) return;
    sources_position(p->sources, n->loc.file, sym->loc.end ? sym->loc.begin : n->loc.begin, &line,
                     &col);
    text_printf(p->out, "%d: %s : ", line, sym->name);
    type_print(p->out, sym->type);
    print_domain(p->out, p->r,
                 n->kind == AST_DEFINE       ? n->define.value
                 : n->kind == AST_DECLARATOR ? n->declarator.init
                                             : NULL);
    text_add(p->out, "\n");
}

static void print_types(Ast **slot, void *ctx)
{
    Ast *n = *slot;
    if (!n) return;
    if (n->kind == AST_FUNC || n->kind == AST_DECLARATOR || n->kind == AST_DEFINE ||
        n->kind == AST_TYPE_ALIAS || n->kind == AST_FOREACH)
        print_line(ctx, n, n->sym);
    ast_each_child(n, print_types, ctx);
}

/* Declarations stand before statements in the tree: *next is the first that was not printed. */
static void print_stmts(Printer *p, AstList stmts, AstList decls, int *next)
{
    for (int i = 0; i < stmts.len; i++) {
        if (stmts.data[i]->kind == AST_TOGETHER) {
            print_stmts(p, stmts.data[i]->together.stmts, decls, next);
            continue;
        }
        while (*next < decls.len && decls.data[*next]->loc.begin < stmts.data[i]->loc.begin)
            print_types(&decls.data[(*next)++], p);
        print_types(&stmts.data[i], p);
    }
}

void sema_print_types(Text *out, const SemaResult *r, const Sources *sources)
{
    Printer p = {out, sources, r};
    AstList decls = r->unit->unit.decls;
    int next = 0;
    print_stmts(&p, r->unit->unit.stmts, decls, &next);
    while (next < decls.len) print_types(&decls.data[next++], &p);
}
