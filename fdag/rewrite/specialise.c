/* Specialisation: a user function that is given functions becomes one that knows them, since
 * kernels pass no functions. before: %5 = apply %f (%1, %2)     with a slot %2, and f(x, g) { ..
 * g(k) .. } after:  %5 = apply %f_1 (%1)       with f_1(x) { .. %2(k) .. } Variables around that a
 * given function uses are parameters more. Lets in bodies are composed. Requires: to be the last:
 * bodies that use slots are for code generation only, neither keys nor the verifier know them.
 * Keeps: meaning. What is given functions without a body, or would have too many parameters, stays.
 */
#include "../internal.h"

typedef struct Special {
    const FdUser *user;
    const FdNode *given[FD_MAX_PARAMS]; /* its functional arguments; NULL for the others */
    FdUser *made;
} Special;

typedef struct Specialise {
    VEC(Special) done;
} Specialise;

/* What becomes what in a body. */
typedef struct Replace {
    int n;
    const FdNode *vars[FD_MAX_PARAMS], *values[FD_MAX_PARAMS];
} Replace;

static const FdNode *specialise(void *ctx, Fd *fd, const FdNode *n);

static bool has_let(const FdStmt *s)
{
    bool found = false;
    for (; s && !found; s = s->next) {
        FdiMap seen = {0};
        FdiNodes list = {0};
        if (s->expr) fdi_postorder(s->expr, &seen, &list);
        if (s->kind == FD_STMT_PUT) fdi_postorder(s->var, &seen, &list);
        for (size_t i = 0; i < list.len; i++) found = found || list.data[i]->kind == FD_LET;
        fdi_map_free(&seen);
        vec_free(&list);
        found = found || has_let(s->body) || has_let(s->other);
    }
    return found;
}

static const FdNode *rewrite_expr(Specialise *p, Fd *fd, const FdNode *n, const Replace *r)
{
    n = fdi_replace_vars(fd, n, r->n, r->vars, r->values);
    n = fd_rewrite(fd, n, fdi_compose_node, NULL);
    return fd_rewrite(fd, n, specialise, p);
}

static FdStmt *rewrite_stmts(Specialise *p, Fd *fd, const FdStmt *s, const Replace *r)
{
    FdStmt *first = NULL, **last = &first;
    for (; s; s = s->next) {
        FdStmt *t = arena_new_of(fd->arena, FdStmt);
        *t = *s;
        if (s->expr) t->expr = rewrite_expr(p, fd, s->expr, r);
        if (s->kind == FD_STMT_PUT) t->var = rewrite_expr(p, fd, s->var, r);
        t->body = rewrite_stmts(p, fd, s->body, r);
        t->other = rewrite_stmts(p, fd, s->other, r);
        t->next = NULL;
        *last = t;
        last = &t->next;
    }
    return first;
}

/* The variables that the functional arguments of an application use; -1: too many. */
static int variables(const FdNode *n, const FdNode **out)
{
    int count = 0;
    for (int i = 0; i < n->nargs; i++) {
        const FdiNode *arg = fdi_node(n->args[i]);
        if (!n->args[i]->type->nparams) continue;
        for (uint32_t k = 0; k < arg->nfree; k++) {
            bool old = false;
            for (int j = 0; j < count; j++) old = old || out[j] == arg->free[k];
            if (old) continue;
            if (count == FD_MAX_RANK || arg->free[k]->type->nparams) return -1;
            out[count++] = arg->free[k];
        }
    }
    return count;
}

static FdUser *declare(Fd *fd, const FdUser *user, const FdType *type)
{
    for (int i = 1;; i++) {
        const char *name = arena_printf(fd->arena, "%s_%d", user->name, i);
        if (!fd_user_find(fd, name)) return fd_user_declare(fd, name, type);
    }
}

/* The function for these functional arguments; their variables are its last parameters. */
static FdUser *make(Specialise *p, Fd *fd, const FdNode *n, int nvars, const FdNode *const *vars)
{
    const FdUser *user = n->fn->user;
    for (size_t i = 0; i < p->done.len; i++) {
        const Special *s = &p->done.data[i];
        bool same = s->user == user;
        for (int k = 0; same && k < n->nargs; k++)
            same = s->given[k] == (n->args[k]->type->nparams ? n->args[k] : NULL);
        if (same) return s->made;
    }
    const FdType *types[FD_MAX_PARAMS + FD_MAX_RANK];
    const FdNode *params[FD_MAX_PARAMS + FD_MAX_RANK], *locals[FD_MAX_RANK];
    Special s = {.user = user};
    Replace r = {0};
    int count = 0;
    for (int i = 0; i < n->nargs; i++)
        if (!n->args[i]->type->nparams) params[count++] = user->params[i];
    for (int i = 0; i < nvars; i++)
        params[count++] = locals[i] = fd_local(fd, vars[i]->type, vars[i]->name);
    for (int i = 0; i < count; i++) types[i] = params[i]->type;
    if (!count || count > FD_MAX_PARAMS) return NULL;
    for (int i = 0; i < n->nargs; i++) {
        if (!n->args[i]->type->nparams) continue;
        s.given[i] = n->args[i];
        r.vars[r.n] = user->params[i];
        r.values[r.n++] = fdi_replace_vars(fd, n->args[i], nvars, vars, locals);
    }
    s.made = declare(fd, user, fd_type_func(fd, user->type->result, count, types));
    for (int i = 0; i < count; i++) s.made->params[i] = params[i];
    s.made->associative = user->associative;
    s.made->commutative = user->commutative;
    s.made->identity = user->identity;
    s.made->body = rewrite_stmts(p, fd, user->body, &r);
    vec_push(&p->done, s);
    return s.made;
}

static const FdNode *specialise(void *ctx, Fd *fd, const FdNode *n)
{
    Specialise *p = ctx;
    if (!fdi_applies(n, FD_LEAF_USER) || !n->fn->user->body) return NULL;
    const FdNode *vars[FD_MAX_RANK], *args[FD_MAX_PARAMS + FD_MAX_RANK];
    bool functional = false;
    int nvars = variables(n, vars), count = 0;
    for (int i = 0; i < n->nargs; i++) functional = functional || n->args[i]->type->nparams;
    if (nvars < 0 || (!functional && !has_let(n->fn->user->body))) return NULL;
    const FdUser *made = make(p, fd, n, nvars, vars);
    if (!made) return NULL;
    for (int i = 0; i < n->nargs; i++)
        if (!n->args[i]->type->nparams) args[count++] = n->args[i];
    for (int i = 0; i < nvars; i++) args[count++] = vars[i];
    return fd_apply(fd, fd_user(fd, made), count, args, n->loc);
}

void fd_specialise(Fd *fd, FdGraph *g)
{
    Specialise p = {0};
    fdi_rewrite_graph(fd, g, specialise, &p);
    vec_free(&p.done);
}
