/* A definition computed where another reads it, in place of an array in memory (inlined.h). The guard
 * is what the read checks: an index that fails it goes to the read, which reports it. */
#include "inlined.h"

#include "../internal.h"

/* ---- how often is it read? ----------------------------------------------------------------- */

enum { TOO_MANY = 2 };

static int at_most(int n)
{
    return n > TOO_MANY ? TOO_MANY : n;
}

/* Reads of the array that one evaluation of n makes at most, from those of its operands; inside of
 * what repeats, any number. */
static int reads_of(const FdNode *n, const FdNode *array, const FdiMap *counts)
{
    const FdNode *children[FD_MAX_CHILDREN];
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    uint64_t of[FD_MAX_CHILDREN];
    int k = fd_children(n, children), sum = 0;
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return 0;
    if (n == array) return TOO_MANY; /* given whole, unless it is applied */
    for (int i = 0; i < k; i++)
        if (!fdi_map_get(counts, children[i], &of[i])) of[i] = 0;
    if (op == FD_OP_SELECT) { /* of its branches one */
        int first = k - 3;
        return at_most(
            (int)(of[first] + (of[first + 1] > of[first + 2] ? of[first + 1] : of[first + 2])));
    }
    bool applied = n->kind == FD_APPLY && n->fn == array;
    for (int i = 0; i < k; i++)
        if (!applied || children[i] != array) sum = at_most(sum + (int)of[i]);
    if (applied) return at_most(sum + 1);
    return n->kind == FD_REDUCE || n->kind == FD_LET ? (sum ? TOO_MANY : 0) : sum;
}

static bool uses_all(const FdNode *read, int nvars, const FdNode *const *vars)
{
    for (int v = 0; v < nvars; v++) {
        bool any = false;
        for (int i = 0; i < read->nargs; i++) any = any || fdi_free_in(read->args[i], vars[v]);
        if (!any) return false;
    }
    return true;
}

int fd_reads_once(const FdNode *body, int nvars, const FdNode *const *vars, const FdNode *array)
{
    FdiMap seen = {0}, counts = {0};
    FdiNodes nodes = {0};
    int places = 0;
    fdi_postorder(body, &seen, &nodes);
    for (size_t i = 0; i < nodes.len; i++) {
        const FdNode *n = nodes.data[i];
        int count = reads_of(n, array, &counts);
        if (count) fdi_map_set(&counts, n, (uint64_t)count);
        if (n->kind != FD_APPLY || n->fn != array) continue;
        places = places < 0 || !uses_all(n, nvars, vars) ? -1 : places + 1;
    }
    uint64_t all = 0;
    if (!fdi_map_get(&counts, body, &all) || all != 1) places = 0;
    fdi_map_free(&seen);
    fdi_map_free(&counts);
    vec_free(&nodes);
    return places > 0 ? places : 0;
}

/* ---- the rewriting ------------------------------------------------------------------------- */

static const FdNode *within(Fd *fd, const FdNode *read)
{
    const FdNode *all = NULL;
    for (int d = 0; d < read->nargs; d++) {
        FdDom dom = fd_domain(fd, read->fn, d);
        const FdNode *index = fdi_to_long(fd, read->args[d]);
        const FdNode *low[] = {fdi_to_long(fd, dom.lo), index},
                     *high[] = {index, fdi_to_long(fd, dom.hi)};
        const FdNode *both[] = {all, fd_apply_op(fd, FD_OP_LE, SC_BOOL, 2, low, read->loc)};
        all = all ? fd_apply_op(fd, FD_OP_LAND, SC_BOOL, 2, both, read->loc) : both[1];
        const FdNode *more[] = {all, fd_apply_op(fd, FD_OP_LT, SC_BOOL, 2, high, read->loc)};
        all = fd_apply_op(fd, FD_OP_LAND, SC_BOOL, 2, more, read->loc);
    }
    return all;
}

static bool bounds(const void *ctx, const FdNode *n)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    return (op == FD_OP_LOWER || op == FD_OP_UPPER) && n->args[0] == ctx;
}

bool fdi_reports(const FdNode *n)
{
    const FdNode *read = n->args[2];
    return fdi_applies(read, FD_LEAF_SLOT) && fd_any(n->args[0], bounds, read->fn);
}

typedef struct Inlined {
    const FdNode *array, *let;
} Inlined;

static const FdNode *put(void *ctx, Fd *fd, const FdNode *n)
{
    const Inlined *x = ctx;
    if (n->kind != FD_APPLY || n->fn != x->array) return NULL;
    const FdNode *value = fdi_replace_vars(fd, x->let->body, x->let->nvars, x->let->vars, n->args);
    const FdNode *args[] = {within(fd, n), value, n};
    return fd_apply_op(fd, FD_OP_SELECT, n->type->scalar, 3, args, n->loc);
}

static const FdNode *put_inside(void *ctx, Fd *fd, const FdNode *n)
{
    const Inlined *x = ctx;
    if (n->kind != FD_APPLY || n->fn != x->array) return NULL;
    return fdi_replace_vars(fd, x->let->body, x->let->nvars, x->let->vars, n->args);
}

const FdNode *fd_inline_inside(Fd *fd, const FdNode *body, const FdNode *array, const FdNode *let)
{
    Inlined x = {array, let};
    return fd_rewrite(fd, body, put_inside, &x);
}

const FdNode *fd_inline_reads(Fd *fd, const FdNode *body, const FdNode *array, const FdNode *let)
{
    Inlined x = {array, let};
    return fd_rewrite(fd, body, put, &x);
}
