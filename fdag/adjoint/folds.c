/* Folds and reductions by functions of the program as recurrences, which have derivatives.
 *   before: Fold(a, s0, step)                   r(i) = both(j : a, a(i, j))
 *   after:  p(hi - 1) with p(k) = step(k == lo ? s0 : p(k - 1), a(k)), or s0 where the range is empty
 *           r(i) = p(i, hi - 1) with p(i, k) = k == lo ? a(i, k) : both(p(i, k - 1), a(i, k))
 * Several variables are one, the last fastest. Requires: ranges inferred, sums of fields taken apart (components). */
#include "derive.h"

typedef struct Folds {
    FdiDerive *d;
    FdiNodes binders; /* lets and reductions */
    bool any;
} Folds;

/* One variable in place of a fold's. */
typedef struct Line {
    const FdNode *var, *lo, *hi;
    const FdNode *at[FD_MAX_RANK]; /* the fold's variables at it */
} Line;

static bool note_binder(const void *folds, const FdNode *n)
{
    Folds *f = (Folds *)(uintptr_t)folds;
    if (n->kind == FD_LET || n->kind == FD_REDUCE) vec_push(&f->binders, n);
    return false;
}

/* Variables around a fold that it reads, with their ranges; false after an error. */
static bool scope_of(Folds *f, const FdNode *fold, FdiScope *scope)
{
    FdiDerive *d = f->d;
    *scope = (FdiScope){0};
    for (size_t i = 0; i < f->binders.len; i++) {
        const FdNode *b = f->binders.data[i];
        bool self = b->self && fdi_free_in(fold, b->self);
        if (self)
            fdi_fail(d, fold, "a Fold in a recurrence that it reads: write the recurrence alone");
        for (int v = 0; v < b->nvars; v++) {
            bool known = !fdi_free_in(fold, b->vars[v]);
            for (int k = 0; k < scope->n; k++) known = known || scope->vars[k] == b->vars[v];
            if (known) continue;
            const FdDom *dom = &b->doms[v];
            if (!dom->lo || !dom->hi || !fdi_closed(dom->lo) || !fdi_closed(dom->hi) ||
                !fdi_is_integer(b->vars[v]->type) || scope->n == FD_MAX_RANK - 1) {
                fdi_fail(d, fold, "a Fold under variables without constant ranges: write a loop");
                return false;
            }
            scope->vars[scope->n] = b->vars[v];
            scope->doms[scope->n++] = *dom;
        }
    }
    return !d->error->message;
}

static const FdNode *whole(Fd *fd, FdOp op, ScalarKind k, const FdNode *a, const FdNode *b)
{
    const FdNode *args[] = {a, b};
    for (int i = 0; i < 2; i++)
        if (args[i]->type->scalar != k) args[i] = fd_simple_op(fd, FD_OP_CONVERT, k, 1, &args[i]);
    return fd_simple_op(fd, op, k, 2, args);
}

static bool line_of(Folds *f, const FdNode *n, Line *line)
{
    Fd *fd = f->d->fd;
    ScalarKind k = SC_INT;
    const FdNode *length[FD_MAX_RANK], *rest, *all = NULL;
    for (int i = 0; i < n->nvars; i++) {
        if (!n->doms[i].lo || !n->doms[i].hi || !fdi_closed(n->doms[i].lo) ||
            !fdi_closed(n->doms[i].hi)) {
            fdi_fail(f->d, n,
                     n->init
                         ? "a Fold over a range that variables tell: write a loop"
                         : "a reduction by a function of the program over a range that variables "
                           "tell: write a loop");
            return false;
        }
        if (n->vars[i]->type->scalar == SC_LONG) k = SC_LONG;
    }
    *line = (Line){.lo = n->doms[0].lo, .hi = n->doms[0].hi};
    if (n->nvars == 1) {
        line->var = line->at[0] = fd_var(fd, n->vars[0]->type, n->vars[0]->name);
        return true;
    }
    for (int i = 0; i < n->nvars; i++) {
        length[i] = whole(fd, FD_OP_SUB, k, n->doms[i].hi, n->doms[i].lo);
        all = all ? whole(fd, FD_OP_MUL, k, all, length[i]) : length[i];
    }
    line->lo = whole(fd, FD_OP_SUB, k, all, all);
    line->hi = all;
    line->var = rest = fd_var(fd, line->lo->type, "k");
    for (int i = n->nvars; i-- > 0;) {
        const FdNode *own = i ? whole(fd, FD_OP_REM, k, rest, length[i]) : rest;
        line->at[i] = whole(fd, FD_OP_ADD, n->vars[i]->type->scalar, n->doms[i].lo, own);
        rest = whole(fd, FD_OP_DIV, k, rest, length[i]);
    }
    return true;
}

/* when ? a : b, of records field by field. */
static const FdNode *choice(Fd *fd, const FdNode *when, const FdNode *a, const FdNode *b)
{
    const FdNode *args[] = {when, a, b}, *fields[FD_MAX_FIELDS];
    const FdType *t = a->type;
    if (!t->record) return fd_simple_op(fd, FD_OP_SELECT, SC_INT, 3, args);
    for (int i = 0; i < t->nfields; i++)
        fields[i] = choice(fd, when, fd_field(fd, a, i, a->loc), fd_field(fd, b, i, a->loc));
    return fd_make(fd, t, fields, a->loc);
}

static const FdNode *as_recurrence(Folds *f, const FdNode *n)
{
    Fd *fd = f->d->fd;
    FdiScope scope;
    Line line;
    if (!scope_of(f, n, &scope) || !line_of(f, n, &line)) return NULL;
    int rank = scope.n + 1;
    const FdType *params[FD_MAX_RANK];
    const FdNode *before[FD_MAX_RANK], *last[FD_MAX_RANK];
    int8_t order[FD_MAX_RANK];
    scope.vars[scope.n] = line.var;
    scope.doms[scope.n] = (FdDom){FD_DOM_GIVEN, line.lo, line.hi};
    ScalarKind k = line.var->type->scalar;
    const FdNode *one = k == SC_LONG ? fd_long(fd, 1) : fd_int(fd, 1);
    for (int i = 0; i < rank; i++) {
        params[i] = scope.vars[i]->type;
        scope.doms[i].kind = FD_DOM_GIVEN;
        before[i] = last[i] = scope.vars[i];
        order[i] = (int8_t)(i + 1);
    }
    before[scope.n] = whole(fd, FD_OP_SUB, k, line.var, one);
    last[scope.n] = whole(fd, FD_OP_SUB, k, line.hi, one);
    const FdNode *self = fd_var(fd, fd_type_func(fd, n->type, rank, params), "fold");
    const FdNode *term = fdi_replace_vars(fd, n->body, n->nvars, n->vars, line.at);
    const FdNode *first = whole(fd, FD_OP_EQ, k, line.var, line.lo);
    const FdNode *was = fd_apply(fd, self, rank, before, n->loc);
    if (n->init) was = choice(fd, first, n->init, was);
    const FdNode *both[] = {was, term}, *now = fd_apply(fd, n->fn, 2, both, n->loc);
    if (!n->init) now = choice(fd, first, term, now);
    const FdNode *rec =
        fdi_fresh(fd, fd_recurrence(fd, self, order, rank, scope.vars, scope.doms, now, n->loc));
    const FdNode *value = fd_apply(fd, rec, rank, last, n->loc);
    const FdUser *user = fd_user_of(n);
    const FdNode *none = n->init ? n->init : user ? user->identity : NULL;
    f->any = true;
    if (!none) return value;
    return choice(fd, whole(fd, FD_OP_GT, k, line.hi, line.lo), value, none);
}

static const FdNode *rewrite(void *folds, Fd *fd, const FdNode *n)
{
    Folds *f = folds;
    (void)fd;
    if (n->kind != FD_REDUCE || (!n->init && fd_op_of(n) != FD_OP_NONE) || f->d->error->message ||
        fdi_is_first(n) || !fdi_active(f->d, n))
        return NULL;
    return as_recurrence(f, n);
}

bool fdi_folds_out(FdiDerive *d)
{
    Folds f = {.d = d};
    fd_any(fd_root(&d->graph), note_binder, &f);
    fd_set_root(d->fd, &d->graph, fd_rewrite(d->fd, fd_root(&d->graph), rewrite, &f));
    vec_free(&f.binders);
    fdi_map_free(&d->active); /* of nodes that are no more */
    return f.any;
}
