/* Dead parameters: temporaries that nothing uses go, and an argument that a user function's body
 * does not look at becomes a constant, so that nothing is computed for it.
 *   before: %5 = apply %f (%3, %4)     and f(x, y) returns x
 *   after:  %5 = apply %f (%3, %6)     with %6 = const 0
 * Requires: nothing. Keeps: meaning; the numbers of given slots (they are the caller's). */
#include "../internal.h"

/* ---- arguments of user functions ------------------------------------------------------- */

static bool stmts_use(const FdStmt *s, const FdNode *v)
{
    for (; s; s = s->next)
        if ((s->expr && fdi_free_in(s->expr, v)) ||
            (s->kind == FD_STMT_PUT && fdi_free_in(s->var, v)) || stmts_use(s->body, v) ||
            stmts_use(s->other, v))
            return true;
    return false;
}

static const FdNode *zero(Fd *fd, const FdType *t)
{
    const FdNode *fields[FD_MAX_FIELDS];
    if (!t->record) return fd_const(fd, t->scalar, (ScalarValue){0});
    for (int i = 0; i < t->nfields; i++) fields[i] = zero(fd, t->fields[i]);
    return fd_make(fd, t, fields, (FdLoc){0});
}

static const FdNode *drop_arguments(void *ctx, Fd *fd, const FdNode *n)
{
    (void)ctx;
    if (n->kind != FD_APPLY || !n->fn->user || !n->fn->user->body) return NULL;
    const FdNode *args[FD_MAX_PARAMS];
    bool any = false;
    for (int i = 0; i < n->nargs; i++) {
        args[i] = n->args[i];
        if (args[i]->type->nparams || fdi_is_value(args[i]) ||
            stmts_use(n->fn->user->body, n->fn->user->params[i]))
            continue;
        args[i] = zero(fd, args[i]->type);
        any = true;
    }
    return any ? fd_apply(fd, n->fn, n->nargs, args, n->loc) : NULL;
}

/* ---- temporaries ----------------------------------------------------------------------- */

/* Marks the temporaries below n, and those below their definitions. */
static void mark(const FdNode *n, bool *used, FdiMap *seen)
{
    FdiNodes list = {0};
    fdi_postorder(n, seen, &list);
    for (size_t i = 0; i < list.len; i++) {
        const FdNode *s = list.data[i];
        if (fdi_is_leaf(s, FD_LEAF_SLOT)) used[s->slot] = true;
    }
    vec_free(&list);
}

static void drop_temporaries(Fd *fd, FdGraph *g)
{
    bool *used = arena_array(fd->arena, bool, g->nslots + 1);
    int *to = arena_array(fd->arena, int, g->nslots + 1);
    FdiMap seen = {0};
    for (int k = 0; k < g->nresults; k++) mark(g->results[k].node, used, &seen);
    for (int i = 0; i < g->nagrees; i++) {
        mark(g->agrees[i].a, used, &seen);
        mark(g->agrees[i].b, used, &seen);
    }
    /* Definitions use earlier slots only: one sweep backwards finds all. */
    for (int i = g->nslots - 1; i >= 0; i--)
        if (g->slots[i].def && used[i]) mark(g->slots[i].def, used, &seen);
    fdi_map_free(&seen);
    int kept = 0;
    for (int i = 0; i < g->nslots; i++)
        if (used[i] || !g->slots[i].def) to[i] = kept++;
    if (kept == g->nslots) return;
    FdSlot *slots = arena_array(fd->arena, FdSlot, kept + 1);
    for (int i = 0; i < g->nslots; i++)
        if (used[i] || !g->slots[i].def) slots[to[i]] = g->slots[i];
    g->slots = slots;
    g->nslots = kept;
    fdi_rewrite_graph(fd, g, fdi_renumber, to);
}

bool fd_pass_deadparams(Fd *fd, FdGraph *g, FdError *error)
{
    (void)error;
    fdi_rewrite_graph(fd, g, drop_arguments, NULL);
    drop_temporaries(fd, g);
    return true;
}
