/* Composition (beta reduction): an applied function is replaced by its body.
 *   before: %5 = let (%1 : infer %2..%3) %4      where %4 = f(%1)
 *           %7 = apply %5 (%6)
 *   after:  %7 = f(%6)
 * A function of functions gives a let, which is inlined in turn. A user function whose body is a
 * single return, which evaluates what can fail of its arguments, is inlined likewise, and a bound of a let is its range's. A recurrence stays: its
 * body reads what it computes. Requires: the decisions of fuse, since sharing of functions ends
 * here. Keeps: meaning, except that an index outside the inlined function's own range is found only
 * where it leaves the array below. Afterwards no let but recurrences is applied. */
#include "../internal.h"

typedef struct Deciding {
    FdIs *decided;
    const void *ctx;
} Deciding;

static const FdNode *mark(void *ctx, Fd *fd, const FdNode *n)
{
    const Deciding *m = ctx;
    if (n->kind != FD_APPLY || (n->fn->kind == FD_FUNC && n->fn->leaf != FD_LEAF_SLOT)) return NULL;
    const FdNode *args[FD_MAX_PARAMS];
    bool marked = false;
    for (int i = 0; i < n->nargs; i++) {
        args[i] = n->args[i];
        if (!fdi_is_integer(args[i]->type) || fd_op_of(args[i]) == FD_OP_GIVEN ||
            !m->decided(m->ctx, args[i]))
            continue;
        args[i] = fd_apply_op(fd, FD_OP_GIVEN, args[i]->type->scalar, 1, &args[i], n->loc);
        marked = true;
    }
    return marked ? fd_apply(fd, n->fn, n->nargs, args, n->loc) : NULL;
}

const FdNode *fdi_mark_given(Fd *fd, const FdNode *n, FdIs *decided, const void *ctx)
{
    Deciding m = {decided, ctx};
    return fd_rewrite(fd, n, mark, &m);
}

/* Is it affine in a variable of the let (or user function) whose range is not from its uses? Other
 * indices are checked wherever they are. */
static bool is_given_by(const void *ctx, const FdNode *index)
{
    const FdNode *let = ctx;
    FdAffine a;
    if (!fd_affine(index, &a)) return false;
    for (int i = 0; i < a.nterms; i++)
        for (int v = 0; v < let->nvars; v++)
            if (a.terms[i].atom == let->vars[v] && let->doms[v].kind != FD_DOM_INFERRED)
                return true;
    return false;
}

/* What the argument is, and may be anything for all that inference knows, was the let's to narrow. */
static const FdNode *inline_let(Fd *fd, const FdNode *n)
{
    const FdNode *f = n->fn;
    const FdNode *body = f->body;
    bool narrowed = true;
    for (int i = 0; i < f->nvars; i++) narrowed = narrowed && f->doms[i].kind == FD_DOM_INFERRED;
    if (!narrowed) body = fdi_mark_given(fd, body, is_given_by, f);
    body = fdi_replace_vars(fd, body, f->nvars, f->vars, n->args);
    /* Body and arguments are composed already; a function that went where it is applied is new. */
    for (int i = 0; i < n->nargs; i++)
        if (n->args[i]->type->nparams) return fd_rewrite(fd, body, fdi_compose_node, NULL);
    return body;
}

static const FdNode *inline_user(Fd *fd, const FdNode *n)
{
    const FdUser *u = n->fn->user;
    const FdiFails any = {0};
    if (!u->body || u->body->kind != FD_STMT_RETURN) return NULL;
    const FdNode *body = fdi_replace_vars(fd, u->body->expr, u->nparams, u->params, n->args);
    if (!fdi_evaluates_all(body, n->args, (size_t)n->nargs, &any)) return NULL;
    if (!fdi_fields_fail_alike(body, &any)) return NULL;
    return fd_rewrite(fd, body, fdi_compose_node, NULL);
}

const FdNode *fdi_compose_node(void *ctx, Fd *fd, const FdNode *n)
{
    if (n->kind != FD_APPLY) return fdi_known_bound(ctx, fd, n);
    if (n->fn->kind == FD_LET) return n->fn->self ? NULL : inline_let(fd, n);
    return n->fn->user ? inline_user(fd, n) : fdi_known_bound(ctx, fd, n);
}

/* ---- given: only lets that are given functions ----------------------------------------------
 *   before: %5 = let (%1 : full, %2 : full) %4   where %4 = %1(%1(%2))
 *           %7 = apply %5 (%f, %6)
 *   after:  %7 = f(f(%6))
 * Lets with a range of their own stay: an index outside of it is an error. Afterwards no such let
 * is given a function that uses its own variables. */

static const FdNode *given_node(void *ctx, Fd *fd, const FdNode *n)
{
    const FdNode *f = n->fn;
    bool functional = false;
    if (n->kind != FD_APPLY || f->kind != FD_LET || f->self) return NULL;
    for (int i = 0; i < n->nargs; i++) {
        functional = functional || n->args[i]->type->nparams;
        if (f->doms[i].kind != FD_DOM_FULL) return NULL;
    }
    if (!functional) return NULL;
    const FdNode *body = fdi_replace_vars(fd, f->body, f->nvars, f->vars, n->args);
    return fd_rewrite(fd, body, given_node, ctx);
}

bool fd_pass_given(Fd *fd, FdGraph *g, FdError *error)
{
    (void)error;
    fdi_rewrite_graph(fd, g, given_node, NULL);
    return true;
}

bool fd_pass_compose(Fd *fd, FdGraph *g, FdError *error)
{
    (void)error;
    fdi_rewrite_graph(fd, g, fdi_compose_node, NULL);
    return true;
}
