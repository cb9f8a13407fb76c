/* Array parameters that are the caller's array. Arrays are values, but what a function that gives nothing sets in an
 * array which came by value could be for its caller only. So such a parameter is a `ref` one, as C#'s programs take
 * for granted: `void Swap(int[] a, int i, int j)`. Found by names, before types are known: elements are set, given by
 * reference, to a function of the library that sets them, or to one like this. Methods that one call may mean agree.
 */
#include <string.h>

#include "../check/check.h"

typedef struct Lender {
    Ast *func;
    int param;
    bool lends, fixed; /* fixed: it is assigned as a whole, or a lambda reads it */
} Lender;

typedef VEC(Lender) Lenders;

typedef struct Look {
    Sema *s;
    Lenders *all;
    const char *name;
    bool sets, fixed;
    int lambdas;
} Look;

static bool is_name(const Ast *n, const char *name)
{
    return n->kind == AST_NAME_REF && n->name_ref.name == name;
}

/* Is it a[i], a[i][j], a[i].x? */
static bool is_element(const Ast *n, const char *name)
{
    bool element = false;
    while (n->kind == AST_INDEX || n->kind == AST_MEMBER) {
        element = n->kind == AST_INDEX;
        n = element ? n->index.base : n->member.base;
    }
    return element && is_name(n, name);
}

/* Array.NAME(..), of which the library's sets the elements of argument i. */
static bool library_sets(const Look *l, const Ast *callee, int n, int i)
{
    if (callee->kind != AST_MEMBER) return false;
    const Ast *base = callee->member.base;
    const char *type = base->kind == AST_NAME_REF    ? base->name_ref.name
                       : base->kind == AST_TYPE_NAME ? base->type_name.name
                                                     : NULL;
    const Symbol *t = type ? scope_library(l->s, SYM_TYPE, type) : NULL;
    if (!t || t->decl->kind != AST_CLASS) return false;
    const AstList *members = &t->decl->class_.members;
    for (int k = 0; k < members->len; k++) {
        const Ast *f = members->data[k];
        if (f->kind != AST_FUNC || f->func.name != callee->member.name || f->func.params.len != n)
            continue;
        const Ast *p = f->func.params.data[i];
        if (p->param.mode == AST_OP_REF && p->param.ptype->kind == AST_TYPE_ARRAY) return true;
    }
    return false;
}

static bool own_sets(const Look *l, const Ast *callee, int n, int i)
{
    const char *name = callee->kind == AST_NAME_REF ? callee->name_ref.name
                       : callee->kind == AST_MEMBER ? callee->member.name
                                                    : NULL;
    for (size_t k = 0; name && k < l->all->len; k++) {
        const Lender *other = &l->all->data[k];
        if (other->lends && other->param == i && other->func->func.name == name &&
            n <= other->func->func.params.len)
            return true;
    }
    return false;
}

static void look(Ast **slot, void *ctx)
{
    Look *l = ctx;
    const Ast *n = *slot;
    const Ast *target =
        n->kind == AST_ASSIGN   ? n->assign.target
        : n->kind == AST_INCDEC ? n->incdec.target
        : n->kind == AST_UNARY && (n->unary.op == AST_OP_REF || n->unary.op == AST_OP_OUT)
            ? n->unary.operand
            : NULL;
    if (target && is_element(target, l->name)) l->sets = true;
    if (target && is_name(target, l->name)) l->fixed = true;
    if (target && target->kind == AST_TUPLE) /* (a[i], a[j]) = (a[j], a[i]) */
        for (int i = 0; i < target->tuple.items.len; i++) {
            const Ast *item = target->tuple.items.data[i];
            l->sets = l->sets || is_element(item, l->name);
            l->fixed = l->fixed || is_name(item, l->name);
        }
    if (n->kind == AST_CALL)
        for (int i = 0; i < n->call.args.len; i++)
            if (is_name(n->call.args.data[i], l->name) &&
                (library_sets(l, n->call.callee, n->call.args.len, i) ||
                 own_sets(l, n->call.callee, n->call.args.len, i)))
                l->sets = true;
    if (is_name(n, l->name) && l->lambdas) l->fixed = true;
    l->lambdas += n->kind == AST_LAMBDA;
    ast_each_child(*slot, look, l);
    l->lambdas -= n->kind == AST_LAMBDA;
}

static bool gives_nothing(const Ast *f)
{
    return f->func.ret && f->func.ret->kind == AST_TYPE_NAME &&
           strcmp(f->func.ret->type_name.name, "void") == 0;
}

static void find(Ast **slot, void *ctx)
{
    Lenders *all = ctx;
    Ast *n = *slot;
    for (int i = 0; n->kind == AST_FUNC && gives_nothing(n) && i < n->func.params.len; i++) {
        const Ast *p = n->func.params.data[i];
        if (p->kind != AST_PARAM || p->param.mode != AST_OP_BY_VALUE || p->param.rest ||
            p->param.extends || p->param.init || p->param.ptype->kind != AST_TYPE_ARRAY)
            continue;
        Lender one = {n, i, false, false};
        vec_push(all, one);
    }
    ast_each_child(n, find, all);
}

/* Does one call of a method mean the other? */
static bool is_one(const Lender *a, const Lender *b)
{
    const uint64_t bound = AST_MOD_VIRTUAL | AST_MOD_OVERRIDE | AST_MOD_ABSTRACT;
    const struct Ast_func *f = &a->func->func, *g = &b->func->func;
    if (f->name != g->name || f->params.len != g->params.len || a->param != b->param) return false;
    return !f->body || !g->body || (f->mods & bound) || (g->mods & bound);
}

/* Until nothing changes: who sets elements, who gives the array to one that does. */
static bool turn(Sema *s, Lenders *all)
{
    bool changed = false;
    for (size_t i = 0; i < all->len; i++) {
        Lender *one = &all->data[i];
        if (one->lends || one->fixed) continue;
        Look l = {.s = s, .all = all, .name = one->func->func.params.data[one->param]->param.name};
        if (one->func->func.body) look(&one->func->func.body, &l);
        one->fixed = l.fixed;
        one->lends = l.sets && !l.fixed;
        for (size_t k = 0; k < all->len && !one->lends && !one->fixed; k++)
            one->lends = all->data[k].lends && is_one(one, &all->data[k]);
        changed = changed || one->lends;
    }
    return changed;
}

bool lend_any(const Symbol *f, AstOp mode)
{
    if (f->kind != SYM_FUNC || !f->decl || f->decl->kind != AST_FUNC) return false;
    for (int i = 0; i < f->decl->func.params.len; i++) {
        const Ast *p = f->decl->func.params.data[i];
        if (p->kind != AST_PARAM || p->param.mode == AST_OP_BY_VALUE) continue;
        if (p->param.lent == (mode == AST_OP_BY_VALUE)) return true;
    }
    return false;
}

void lend_params(Sema *s)
{
    Lenders all = {0};
    const AstList lists[] = {s->unit->unit.imported, s->unit->unit.decls, s->unit->unit.stmts};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < lists[k].len; i++)
            if (k > 0 || !sources_get(s->sources, lists[k].data[i]->loc.file)->library)
                find(&lists[k].data[i], &all);
    while (turn(s, &all)) continue;
    for (size_t i = 0; i < all.len; i++) {
        struct Ast_param *p = &all.data[i].func->func.params.data[all.data[i].param]->param;
        if (!all.data[i].lends) continue;
        p->mode = AST_OP_REF;
        p->lent = true;
    }
    vec_free(&all);
}
