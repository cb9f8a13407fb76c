/* Functions that are given to functions: a version of the callee calls them by name.
 *
 *     double[] run(double[](double[]) f, double[] y) { for (..) y = y + f(y); return y; }
 *     run(z => a * z, y)        $small_run($y$0, $y$1, a), whose turns are $y$0 = $y$0 + $given1(.., $a); ..
 *     double[] $given1(double[] z, double a) => a * z;
 *
 * What a lambda reads of the function around it are parameters of both.
 */
#include "small.h"

struct SmallGivens {
    VEC(SmallGiven *) all;
};

static struct SmallGivens *givens(Sema *s)
{
    if (!s->givens) s->givens = arena_new_of(s->arena, struct SmallGivens);
    return s->givens;
}

void small_given_free(Sema *s)
{
    if (s->givens) vec_free(&s->givens->all);
}

bool small_given_is(Sema *s, const char *name)
{
    for (size_t i = 0; s->givens && i < s->givens->all.len; i++)
        if (s->givens->all.data[i]->f->name == name) return true;
    return false;
}

static SmallGiven *add(Sema *s, const Ast *written, Symbol *f)
{
    SmallGiven *g = arena_new_of(s->arena, SmallGiven);
    g->written = written;
    g->f = f;
    vec_push(&givens(s)->all, g);
    return g;
}

static bool is_alike(const Type *f, const Type *t)
{
    bool alike = f && f->kind == TY_FUNC && f->nparams == t->nparams && f->result == t->result;
    for (int i = 0; alike && i < t->nparams; i++) alike = f->params[i] == t->params[i];
    return alike;
}

static const SmallGiven *named(Small *w, const Ast *n, const Type *t)
{
    Sema *s = w->s;
    Symbol *f = scope_user(s, n->name_ref.name);
    if (!f || f->kind != SYM_FUNC || f->next || f->generic || f->local || f->self ||
        !is_alike(f->type, t))
        return NULL;
    for (size_t i = 0; i < givens(s)->all.len; i++)
        if (givens(s)->all.data[i]->f == f) return givens(s)->all.data[i];
    return add(s, n, f);
}

/* What the lambda reads of the function around; false: some cannot be parameters. */
static bool captures(Small *w, Ast *lambda, SmallGiven *g)
{
    Sema *s = w->s;
    FreeNames names = {0};
    bool good = true;
    free_names(s, lambda, &names);
    for (size_t i = 0; good && i < names.len; i++) {
        const Symbol *sym = scope_user(s, names.data[i].name);
        if (!sym) continue;
        good = !names.data[i].writes && !sym->cell && !(sym->kind == SYM_FUNC && sym->local) &&
               !(sym->kind == SYM_CONST && scope_is_inner(s, sym));
        if (sym->cls || (sym->kind != SYM_LOCAL && sym->kind != SYM_PARAM)) continue;
        good = good && g->n < SMALL_PARTS && sym->type && sym->type != s->error &&
               (sym->type->kind == TY_SCALAR || sym->type->kind == TY_ARRAY) &&
               !small_find(w, sym->name);
        if (!good) break;
        g->captured[g->n] = sym->name;
        g->types[g->n++] = sym->type;
    }
    vec_free(&names);
    return good;
}

static const SmallGiven *lambda_of(Small *w, Ast *n, const Type *t)
{
    Sema *s = w->s;
    SmallGiven g = {0};
    AstList params = {0};
    if (n->lambda.body->kind == AST_BLOCK || n->lambda.any || n->lambda.partial) return NULL;
    for (size_t i = 0; i < givens(s)->all.len; i++) {
        const SmallGiven *known = givens(s)->all.data[i];
        if (known->in == w->f && known->written->loc.begin == n->loc.begin &&
            ast_alike(known->written, n))
            return known;
    }
    for (int i = 0; i < n->lambda.binders.len; i++) {
        const Ast *b = n->lambda.binders.data[i];
        if (b->binder.constraint) return NULL;
        for (int k = 0; k < b->binder.names.len && params.len < t->nparams; k++) {
            const Ast *name = b->binder.names.data[k];
            params = ast_list_add(s->arena, params,
                                  tree_param(s, name->loc,
                                             type_node(s, name->loc, t->params[params.len]),
                                             name->name_ref.name));
        }
    }
    if (params.len != t->nparams || !captures(w, n, &g)) return NULL;
    for (int i = 0; i < g.n; i++)
        params =
            ast_list_add(s->arena, params,
                         tree_param(s, n->loc, type_node(s, n->loc, g.types[i]), g.captured[i]));
    const char *name = code_fresh(s, "given");
    Symbol *f = scope_symbol(s, SYM_FUNC, name, NULL, n->loc, NULL);
    f->slot = -1;
    f->imported = w->f->imported;
    f->cls = w->f->cls;
    if (f->cls) f->mods = AST_MOD_STATIC;
    SmallGiven *made = add(s, ast_clone(s->arena, n), f);
    made->in = w->f;
    made->n = g.n;
    for (int i = 0; i < g.n; i++) {
        made->captured[i] = g.captured[i];
        made->types[i] = g.types[i];
    }
    derived_add_version(s, VERSION_SMALL, f, f);
    derived_settle(s, f,
                   tree_func(s, n->loc, f->mods, type_node(s, n->loc, t->result), name, params,
                             tree_return(s, ast_clone(s->arena, n->lambda.body))));
    return made;
}

const SmallGiven *small_given(Small *w, Ast *n, const Type *t)
{
    if (t->kind != TY_FUNC) return NULL;
    if (n->kind == AST_NAME_REF) return named(w, n, t);
    return n->kind == AST_LAMBDA ? lambda_of(w, n, t) : NULL;
}

/* ---- in the callee ------------------------------------------------------------------------------------- */

typedef struct Put {
    Sema *s;
    const char *name;
    const SmallGiven *given;
    int at;
    bool good;
} Put;

const char *small_given_name(Sema *s, int param, const char *captured)
{
    return intern_cstr(s->names, arena_printf(s->arena, "$%d_%s", param,
                                              captured[0] == '$' ? captured + 1 : captured));
}

static void put(Ast **child, void *ctx)
{
    Put *p = ctx;
    Ast *n = *child;
    if (!n) return;
    Ast *callee = n->kind == AST_CALL ? n->call.callee : NULL;
    if (callee && callee->kind == AST_NAME_REF && callee->name_ref.name == p->name) {
        n->call.callee = tree_name(p->s, callee->loc, p->given->f->name);
        for (int i = 0; i < n->call.args.len; i++) put(&n->call.args.data[i], ctx);
        for (int i = 0; i < p->given->n; i++)
            n->call.args = ast_list_add(
                p->s->arena, n->call.args,
                tree_name(p->s, n->loc, small_given_name(p->s, p->at, p->given->captured[i])));
        return;
    }
    if (n->kind == AST_NAME_REF && n->name_ref.name == p->name) {
        if (p->given->n) p->good = false;
        *child = tree_name(p->s, n->loc, p->given->f->name);
        if (p->given->f->name[0] == '$') p->good = false;
        return;
    }
    ast_each_child(n, put, ctx);
}

bool small_given_put(Sema *s, Ast **body, const char *name, int at, const SmallGiven *given)
{
    Put p = {s, name, given, at, true};
    put(body, &p);
    return p.good;
}
