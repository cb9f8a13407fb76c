/* Inlining of user functions: an application becomes the value that the body computes, so that what
 * follows sees through it: movement, contractions, lanes, sums.
 *   before: %3 = apply %f (%1, %2)
 *           with f(x, y) { t = x - y; if (t < 0) { t = 0 } return t * t }
 *   after:  %5 = select(%4 < 0, 0, %4)  with %4 = %1 - %2
 *           %3 = %5 * %5
 * The body is run on expressions: locals are what was assigned last, branches become selections, which evaluate one
 * side only. Reads at indices that a parameter decides are marked (@given): no domain inference has
 * seen them. Left alone: loops, local arrays, long bodies (FUEL), and what would not evaluate
 * something that can fail and that the body does evaluate. Requires: to be before fuse, which
 * decides what the inlined body applies. Keeps: meaning and errors. A derivative needs all of them, and what its value
 * does not read is not evaluated there: fdi_inline_values leaves out such errors. */
#include "../internal.h"

enum {
    FUEL = 400,        /* statements run for one application, branches included */
    MOST_NODES = 20000 /* made for one graph */
};

typedef struct Local {
    const FdNode *var, *value;
} Local;

typedef VEC(Local) Env;

/* What remains to be run after a list of statements. */
typedef struct Rest {
    const FdStmt *next;
    const struct Rest *up;
} Rest;

typedef struct Inline {
    Fd *fd;
    FdiMap doms;    /* of the graph as it was: ranges of variables .. */
    FdiMap strict;  /* .. and nodes that are always evaluated */
    FdiFails fails; /* but what is `inside` */
    uint32_t limit; /* no nodes beyond this number */
    int fuel;
    bool values; /* what fails and gives nothing to the value may be left out */
} Inline;

static const FdNode *inline_node(void *ctx, Fd *fd, const FdNode *n);

/* ---- what can fail ----------------------------------------------------------------------- */

static const FdDom *range_of(const void *ctx, const FdNode *var)
{
    const Inline *x = ctx;
    return fdi_dom_of(&x->doms, var);
}

/* A read that inference has made safe: outside of branches, at inferred variables. */
static bool inside(const void *ctx, const FdNode *read)
{
    const Inline *x = ctx;
    uint64_t dummy;
    if (!fdi_applies(read, FD_LEAF_SLOT) || !fdi_map_get(&x->strict, read, &dummy)) return false;
    for (int d = 0; d < read->nargs; d++)
        if (!fd_index_inferred(read->args[d], range_of, NULL, x)) return false;
    return true;
}

/* ---- running a body ---------------------------------------------------------------------- */

static const FdNode *lookup(const Env *env, const FdNode *var)
{
    for (size_t i = env->len; i-- > 0;)
        if (env->data[i].var == var) return env->data[i].value;
    return NULL;
}

static void assign(Env *env, const FdNode *var, const FdNode *value)
{
    for (size_t i = 0; i < env->len; i++)
        if (env->data[i].var == var) {
            env->data[i].value = value;
            return;
        }
    vec_push(env, ((Local){var, value}));
}

static Env copy(const Env *env)
{
    Env c = {0};
    for (size_t i = 0; i < env->len; i++) vec_push(&c, env->data[i]);
    return c;
}

static bool uses_local(const void *ctx, const FdNode *n)
{
    (void)ctx;
    const FdiNode *b = fdi_node(n);
    for (uint32_t i = 0; i < b->nfree; i++)
        if (b->free[i]->role == FD_VAR_LOCAL) return true;
    return false;
}

/* An expression of the body where its locals have these values. */
static const FdNode *value(Inline *x, const Env *env, const FdNode *expr)
{
    const FdNode **vars = arena_array(x->fd->arena, const FdNode *, env->len + 1);
    const FdNode **values = arena_array(x->fd->arena, const FdNode *, env->len + 1);
    for (size_t i = 0; i < env->len; i++) {
        vars[i] = env->data[i].var;
        values[i] = env->data[i].value;
    }
    expr = fdi_mark_given(x->fd, expr, uses_local, NULL);
    return fdi_replace_vars(x->fd, expr, (int)env->len, vars, values);
}

static bool leaves(const FdStmt *s) /* other than at its end */
{
    for (; s; s = s->next)
        if (s->kind == FD_STMT_RETURN || leaves(s->body) || leaves(s->other)) return true;
    return false;
}

static const FdNode *select_value(Inline *x, const FdNode *c, const FdNode *a, const FdNode *b,
                                  FdLoc loc)
{
    if (a == b) return a;
    if (a->type != b->type || a->type->nparams) return NULL;
    const FdNode *args[3] = {c, a, b};
    return fd_apply_op(x->fd, FD_OP_SELECT, a->type->scalar, 3, args, loc);
}

/* Runs statements that do not return. due: what they have evaluated. False: cannot be inlined. */
static bool execute(Inline *x, const FdStmt *s, Env *env, FdiNodes *due);

/* After a branch: what it evaluated must be needed for what it assigned. */
static bool keeps_errors(const Inline *x, const Env *before, const Env *after, const FdiNodes *due)
{
    bool ok = true;
    for (size_t i = 0; i < due->len && ok && !x->values; i++) {
        bool needed = !fdi_may_fail(due->data[i], &x->fails);
        for (size_t k = 0; k < after->len && !needed; k++)
            if (lookup(before, after->data[k].var) != after->data[k].value)
                needed = fdi_evaluates_all(after->data[k].value, &due->data[i], 1, &x->fails);
        ok = needed;
    }
    return ok;
}

static bool execute_if(Inline *x, const FdStmt *s, Env *env, FdiNodes *due)
{
    const FdNode *c = value(x, env, s->expr);
    Env yes = copy(env), no = copy(env), merged = {0};
    FdiNodes yes_due = {0}, no_due = {0};
    vec_push(due, c);
    bool ok = execute(x, s->body, &yes, &yes_due) && execute(x, s->other, &no, &no_due) &&
              keeps_errors(x, env, &yes, &yes_due) && keeps_errors(x, env, &no, &no_due);
    for (size_t i = 0; i < yes.len && ok; i++) {
        const FdNode *a = yes.data[i].value, *b = lookup(&no, yes.data[i].var);
        if (!b) continue; /* a local of the branch */
        const FdNode *both = select_value(x, c, a, b, s->loc);
        ok = both != NULL;
        vec_push(&merged, ((Local){yes.data[i].var, both}));
        if (ok && both != lookup(env, yes.data[i].var)) vec_push(due, both);
    }
    vec_free(env);
    *env = merged;
    vec_free(&yes);
    vec_free(&no);
    vec_free(&yes_due);
    vec_free(&no_due);
    return ok;
}

static bool execute(Inline *x, const FdStmt *s, Env *env, FdiNodes *due)
{
    for (; s; s = s->next) {
        if (x->fuel-- <= 0) return false;
        if (s->kind == FD_STMT_SET) {
            const FdNode *v = value(x, env, s->expr);
            vec_push(due, v);
            assign(env, s->var, v);
        } else if (s->kind != FD_STMT_IF || !execute_if(x, s, env, due)) {
            return false;
        }
    }
    return true;
}

/* The value returned by s and what follows; NULL if it cannot be inlined. */
static const FdNode *result(Inline *x, const FdStmt *s, const Rest *rest, Env *env)
{
    FdiNodes due = {0};
    const FdNode *v = NULL;
    bool ok = true;
    while (ok && !v) {
        if (!s) {
            ok = rest != NULL;
            if (ok) s = rest->next;
            if (ok) rest = rest->up;
        } else if (x->fuel-- <= 0 || x->fd->next_id > x->limit) {
            ok = false;
        } else if (s->kind == FD_STMT_RETURN) {
            v = value(x, env, s->expr);
        } else if (s->kind == FD_STMT_IF && (leaves(s->body) || leaves(s->other))) {
            Rest after = {s->next, rest};
            const FdNode *c = value(x, env, s->expr);
            Env yes = copy(env);
            const FdNode *a = result(x, s->body, &after, &yes);
            const FdNode *b = a ? result(x, s->other, &after, env) : NULL;
            vec_free(&yes);
            v = b ? select_value(x, c, a, b, s->loc) : NULL;
            if (v && v == a) vec_push(&due, c);
            ok = v != NULL;
        } else {
            FdStmt one = *s;
            one.next = NULL;
            ok = execute(x, &one, env, &due);
            s = s->next;
        }
    }
    if (v && !x->values && !fdi_evaluates_all(v, due.data, due.len, &x->fails)) v = NULL;
    vec_free(&due);
    return v;
}

/* ---- the pass ---------------------------------------------------------------------------- */

static const FdNode *inline_node(void *ctx, Fd *fd, const FdNode *n)
{
    Inline *x = ctx;
    if (!fdi_applies(n, FD_LEAF_USER) || !n->fn->user->body || n->type->nparams) return NULL;
    const FdUser *user = n->fn->user;
    Env env = {0};
    for (int i = 0; i < n->nargs; i++) vec_push(&env, ((Local){user->params[i], n->args[i]}));
    x->fuel = FUEL;
    const FdNode *v = result(x, user->body, NULL, &env);
    vec_free(&env);
    if (!v || uses_local(NULL, v)) return NULL;
    if (!x->values && !(fdi_evaluates_all(v, n->args, (size_t)n->nargs, &x->fails) &&
                        fdi_fields_fail_alike(v, &x->fails)))
        return NULL;
    return fd_rewrite(fd, v, inline_node, x);
}

static void inline_graph(Fd *fd, FdGraph *g, bool values)
{
    Inline x = {.fd = fd, .limit = fd->next_id + MOST_NODES, .values = values};
    x.fails = (FdiFails){inside, &x};
    FdiNodes nodes = {0};
    for (int k = 0; k < g->nresults; k++) {
        fdi_nodes(fd, g->results[k].node, &nodes);
        fdi_gather_strict(g->results[k].node, &x.strict);
    }
    fdi_gather_doms(&nodes, &x.doms);
    fdi_rewrite_graph(fd, g, inline_node, &x);
    fdi_map_free(&x.strict);
    fdi_map_free(&x.doms);
    vec_free(&nodes);
}

bool fd_pass_inline(Fd *fd, FdGraph *g, FdError *error)
{
    (void)error;
    inline_graph(fd, g, false);
    return true;
}

void fdi_inline_values(Fd *fd, FdGraph *g)
{
    inline_graph(fd, g, true);
}
