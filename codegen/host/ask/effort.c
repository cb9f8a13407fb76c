/* How much of LLVM's work a function gets. LLVM's full passes cost ten times as much as making code
 * plainly, and most of a long program runs once: so the full passes go to the functions that are
 * likely to run most often, as many as fit a budget; the others get few (`light`). A program within
 * the budget gets all of them, and what a larger one costs beyond it grows with its length only.
 *
 * How often a function runs is guessed from the text: how deep the loops around its calls are
 * nested, those of its callers included; recursion counts as a loop. */
#include <stdlib.h>

#include "../impl.h"

enum {
    FULL_BUDGET = 3000,         /* nodes of the tree: a program of about 400 lines */
    DERIVED_BUDGET = 6000,      /* the same of derivatives, which are many times what was written */
    MONSTROUS_FUNCTION = 16000, /* gets no passes, and the program LLVM's fast code generator */
    MAX_HEAT = 8
};

typedef struct Site { /* where a function is used */
    HostEffort *caller;
    const Symbol *callee;
    int depth; /* of loops around it in the caller */
} Site;

typedef VEC(Site) Sites;

typedef struct Scan {
    Sites *sites;
    HostEffort *caller;
    int depth;
} Scan;

static int by_symbol(const void *a, const void *b)
{
    const Symbol *x = ((const HostEffort *)a)->sym, *y = ((const HostEffort *)b)->sym;
    return (x > y) - (x < y);
}

static int by_heat(const void *a, const void *b)
{
    const HostEffort *x = *(HostEffort *const *)a, *y = *(HostEffort *const *)b;
    int hx = x->heat + x->loops, hy = y->heat + y->loops;
    if (hx != hy) return hx > hy ? -1 : 1;
    if (x->nodes != y->nodes) return x->nodes < y->nodes ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static HostEffort *effort_of(const HostModule *m, const Symbol *sym)
{
    HostEffort key = {.sym = sym};
    return bsearch(&key, m->efforts, (size_t)m->nefforts, sizeof key, by_symbol);
}

static void add_site(const Scan *s, const Symbol *callee, int depth)
{
    if (!callee || callee->kind != SYM_FUNC || !callee->used) return;
    Site site = {s->caller, callee, depth + (callee == s->caller->sym)};
    vec_push(s->sites, site);
}

static void visit(Ast **child, void *ctx)
{
    Ast *n = *child;
    if (!n) return;
    Scan inner = *(Scan *)ctx;
    inner.caller->nodes++;
    inner.depth += ast_is_loop(n);
    if (inner.depth > inner.caller->loops) inner.caller->loops = inner.depth;
    if (n->sym && n->sym->kind == SYM_PROPERTY) {
        add_site(&inner, n->sym->get, inner.depth);
        add_site(&inner, n->sym->set, inner.depth);
    } else {
        /* As a value it may be called for every element. */
        add_site(&inner, n->sym, inner.depth + (n->kind == AST_CLOSURE));
    }
    ast_each_child(n, visit, &inner);
}

/* Until no call makes its callee hotter: MAX_HEAT rounds at most. */
static void spread_heat(HostModule *m, const Site *sites, size_t nsites)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < nsites; i++) {
            HostEffort *callee = effort_of(m, sites[i].callee);
            int heat = sites[i].caller->heat + sites[i].depth;
            if (heat > MAX_HEAT) heat = MAX_HEAT;
            if (!callee || callee->heat >= heat) continue;
            callee->heat = heat;
            changed = true;
        }
    }
}

static void spend_budget(HostModule *m)
{
    HostEffort **list = arena_array(m->arena, HostEffort *, m->nefforts);
    int n = 0;
    for (int i = 0; i < m->nefforts; i++)
        if (!m->efforts[i].unit) list[n++] = &m->efforts[i];
    qsort(list, (size_t)n, sizeof *list, by_heat);
    int budgets[] = {FULL_BUDGET, DERIVED_BUDGET};
    for (int i = 0; i < n; i++) {
        int *left = &budgets[list[i]->sym && list[i]->sym->derived];
        list[i]->light = list[i]->nodes > *left;
        if (!list[i]->light) *left -= list[i]->nodes;
    }
}

static void measure(HostEffort *e, AstList code, Sites *sites)
{
    Scan scan = {sites, e, 0};
    for (int i = 0; i < code.len; i++) visit(&code.data[i], &scan);
}

void host_measure(HostModule *m)
{
    const SemaResult *sema = m->sema;
    Sites sites = {0};
    m->nefforts = sema->nfuncs + 1;
    m->efforts = arena_array(m->arena, HostEffort, m->nefforts);
    for (int i = 0; i < sema->nfuncs; i++) {
        HostEffort *e = &m->efforts[i];
        e->sym = sema->funcs[i];
        e->order = i;
        e->heat = e->sym->slot > 0; /* who calls a virtual function is not known */
    }
    qsort(m->efforts, (size_t)m->nefforts, sizeof *m->efforts, by_symbol);
    for (int i = 0; i < m->nefforts; i++) {
        HostEffort *e = &m->efforts[i];
        AstList code = e->sym ? (AstList){(Ast **)&e->sym->decl, 1} : sema->unit->unit.stmts;
        measure(e, code, &sites);
        e->unit = host_is_unit(m, e->sym, e->nodes, e->loops);
        m->monstrous |= e->nodes > MONSTROUS_FUNCTION;
    }
    spread_heat(m, sites.data, sites.len);
    spend_budget(m);
    vec_free(&sites);
}

bool host_effort_unit(const HostModule *m, const Symbol *sym)
{
    return effort_of(m, sym)->unit;
}

static void freeze(HostModule *m, LLVMValueRef fn)
{
    host_attribute(m, fn, "noinline");
    host_attribute(m, fn, "optnone");
}

void host_lighten(HostFunc *f)
{
    if (f->m->unit_of) return; /* the same code in every program */
    const HostEffort *e = effort_of(f->m, f->sym);
    bool light = f->m->options->opt_level > 0 && e->light;
    if (light && e->nodes > MONSTROUS_FUNCTION)
        freeze(f->m, f->fn);
    else if (light)
        vec_push(&f->m->light, f->fn);
    f->versioned = light; /* then loops are not made in two versions either */
}

void host_freeze(HostModule *m)
{
    for (size_t i = 0; i < m->light.len; i++) freeze(m, m->light.data[i]);
}
