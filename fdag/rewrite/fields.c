/* Records that are read across: an array of them made of its fields, each read from its own plane, where
 * lanes are another variable's than neighbours in memory. Squares of single fields can be turned in
 * registers, records cannot.
 *   before: let (i, j) a(j, i)
 *   after:  let (i, j) new vec(a(j, i).x, a(j, i).y)
 * Requires: to be among the last, since simplify does the opposite. Keeps: reads, which are made once. */
#include "../internal.h"

/* Does it move by one with a variable, in its last index alone? */
static bool is_along(const FdNode *read, const FdNode *v)
{
    FdAffine a;
    int64_t factor;
    for (int i = 0; i + 1 < read->nargs; i++)
        if (fdi_free_in(read->args[i], v)) return false;
    return fd_affine(read->args[read->nargs - 1], &a) && fd_affine_factor(&a, v, &factor) &&
           factor == 1;
}

static const FdNode *apart(Fd *fd, const FdNode *n)
{
    const FdNode *fields[FD_MAX_FIELDS];
    if (!n->type->record) return n;
    for (int i = 0; i < n->type->nfields; i++) fields[i] = apart(fd, fd_field(fd, n, i, n->loc));
    return fd_make(fd, n->type, fields, n->loc);
}

/* Of a let's value: all such reads that it is, or is made of. */
static const FdNode *split_value(Fd *fd, const FdNode *let, const FdNode *n)
{
    const FdNode *last = let->vars[let->nvars - 1], *fields[FD_MAX_FIELDS];
    bool across = false;
    if (!n->type->record) return n;
    if (fdi_applies(n, FD_LEAF_MAKE)) {
        for (int i = 0; i < n->nargs; i++) fields[i] = split_value(fd, let, n->args[i]);
        return fd_make(fd, n->type, fields, n->loc);
    }
    if (!fdi_applies(n, FD_LEAF_SLOT) || !fdi_free_in(n, last) || is_along(n, last)) return n;
    for (int i = 0; i + 1 < let->nvars; i++) across = across || is_along(n, let->vars[i]);
    return across ? apart(fd, n) : n;
}

static const FdNode *split(void *ctx, Fd *fd, const FdNode *n)
{
    (void)ctx;
    if (n->kind != FD_LET || n->self || n->nvars < 2) return NULL;
    const FdNode *value = split_value(fd, n, n->body);
    return value == n->body ? NULL : fd_let(fd, n->nvars, n->vars, n->doms, value, n->loc);
}

void fd_fields_apart(Fd *fd, FdGraph *g)
{
    fdi_rewrite_graph(fd, g, split, NULL);
}
