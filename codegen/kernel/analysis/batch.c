/* Batches: many small matrices, vectors or lists, as rows of arrays of which each position of one variable has its own.
 *
 *   c(b, i, j) = sum(k, a(b, i, k) * x(b, k, j))          rows a(b, ..), x(b, ..) and c(b, ..)
 *
 * Their last dimensions are too short for lanes, but positions of b can be lanes: none knows of the others. */
#include "analysis.h"

typedef struct Finder {
    const Def *d;
    const FdNode *v;
    Batch *out;
    FdSeen seen;
} Finder;

/* What an index is that a function was given; reads of it are proved to be inside. */
static const FdNode *given(const FdNode *index)
{
    while (index->kind == FD_APPLY && fd_op_of(index) == FD_OP_GIVEN) index = index->args[0];
    return index;
}

/* Which dimension of a read goes by v, and no other does; -1: none. */
static int row_of(const Finder *f, const FdNode *read)
{
    int at = -1;
    for (int i = 0; i < read->nargs; i++) {
        if (!fd_uses_var(read->args[i], f->v)) continue;
        if (given(read->args[i]) != f->v || at >= 0) return -1;
        at = i;
    }
    return at;
}

/* Is it the same for all of what a batch computes? */
static bool is_around(const Finder *f, const FdNode *index)
{
    index = given(index);
    bool around = !(fd_effects(index) & (FD_READS | FD_REDUCES)) && node_is_closed(index);
    for (int i = 0; !around && i < f->out->dim; i++) around = index == f->d->vars[i];
    return around;
}

static bool add(Finder *f, const FdNode *read)
{
    int row = row_of(f, read);
    Batch *b = f->out;
    ScalarKind k = read->type->record ? SC_HALF : result_kind(read);
    if (row < 0 || read->fn->kind == FD_VAR || k == SC_HALF || scalar_bytes(k) < 4) return false;
    for (int i = 0; i < row; i++)
        if (!is_around(f, read->args[i])) return false;
    for (int i = 0; i < b->n; i++) {
        if (b->reads[i]->fn != read->fn) continue;
        if (b->rows[i] != row) return false;
        for (int q = 0; q < row; q++)
            if (given(b->reads[i]->args[q]) != given(read->args[q])) return false;
        return true;
    }
    if (b->n == BATCH_ARRAYS) return false;
    b->rows[b->n] = row;
    b->reads[b->n++] = read;
    return true;
}

static bool find(Finder *f, const FdNode *n)
{
    const FdNode *children[FD_MAX_CHILDREN];
    if (!fd_meet(&f->seen, n)) return true;
    if (n->kind == FD_APPLY && fd_user_of(n)) return false;
    if (is_read(n) && fd_uses_var(n, f->v)) return add(f, n);
    for (int i = fd_children(n, children); i-- > 0;)
        if (!find(f, children[i])) return false;
    return true;
}

bool batch_find(const Def *d, int dim, Batch *out)
{
    *out = (Batch){.dim = dim};
    if (dim < 0 || dim >= d->nvars || d->node->self || d->nbeside || d->copy || d->slice ||
        d->body->type->record)
        return false;
    ScalarKind k = result_kind(d->body);
    if (k == SC_BOOL || k == SC_HALF || scalar_bytes(k) < 4) return false;
    Finder f = {.d = d, .v = d->vars[dim], .out = out};
    bool found = find(&f, d->body);
    fd_seen_free(&f.seen);
    return found && out->n > 0 && lanes_possible(d->body, d->vars[dim], LANES_FAR);
}
