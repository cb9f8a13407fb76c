/* Reads at a few known last indices as flat ones (flat.h). */
#include "../internal.h"
#include "facts/facts.h"
#include "flat.h"

enum { MOST = 4 }; /* lanes so far apart are taken out of vectors (fd_stride) */

static int number_of(const FdNear *near, const FdNode *array)
{
    int i = 0;
    while (i < near->narrays && near->arrays[i] != array) i++;
    return i;
}

static bool is_array_read(const FdNode *n)
{
    return fdi_applies(n, FD_LEAF_SLOT) && n->nargs >= 2 && !fd_is_flat(n->fn, n->nargs - 1);
}

static bool is_known(const FdNode *read)
{
    const FdNode *last = read->args[read->nargs - 1], *before = read->args[read->nargs - 2];
    /* where elements say which row, lanes are gathered in any case */
    return fd_is_const(last) && last->value.i >= 0 && last->value.i < MOST && fdi_is_word(before) &&
           !fd_is_const(before) && !(fd_effects(before) & FD_READS);
}

typedef struct Gather {
    Fd *fd;
    FdNear *near;
    unsigned *at; /* of each array, as bits */
} Gather;

/* Arrays, and where they are read; each as long as the greatest index says. 0: some read of it is another. */
static bool gather(const void *ctx, const FdNode *n)
{
    const Gather *g = ctx;
    FdNear *near = g->near;
    if (!is_array_read(n)) return false;
    int i = number_of(near, n->fn);
    const FdType *t = n->fn->type;
    if (i == FD_FLAT_ARRAYS) return false;
    if (i == near->narrays) {
        near->arrays[near->narrays++] = n->fn;
        near->length[i] = t == fd_type_array_of(g->fd, t->result, t->nparams) ? 1 : 0;
        g->at[i] = 0;
    }
    if (!is_known(n)) near->length[i] = 0;
    if (!near->length[i]) return false;
    int64_t last = n->args[n->nargs - 1]->value.i;
    g->at[i] |= 1u << last;
    if (last >= near->length[i]) near->length[i] = last + 1;
    return false;
}

static const FdNode *flat_read(void *ctx, Fd *fd, const FdNode *n)
{
    const FdNear *near = ctx;
    const FdNode *args[FD_MAX_RANK];
    const FdType *params[FD_MAX_RANK];
    if (!is_array_read(n)) return NULL;
    int i = number_of(near, n->fn), last = n->nargs - 1;
    if (i == near->narrays) return NULL;
    for (int k = 0; k < n->nargs; k++) params[k] = fd_type_scalar(fd, SC_LONG);
    for (int k = 0; k < last - 1; k++) args[k] = fdi_to_long(fd, n->args[k]);
    args[last - 1] = fd_long(fd, 0);
    args[last] = fdi_scale(fd, fdi_to_long(fd, n->args[last - 1]), near->length[i]);
    args[last] = fdi_add_constant(fd, args[last], n->args[last]->value.i);
    const FdType *t = fd_type_func(fd, n->fn->type->result, n->nargs, params);
    return fd_apply(fd, fdi_flat_slot(fd, n->fn, t), n->nargs, args, n->loc);
}

bool fd_near(Fd *fd, const FdNode *body, FdNear *out)
{
    int count = 0;
    unsigned at[FD_FLAT_ARRAYS];
    Gather g = {fd, out, at};
    *out = (FdNear){0};
    body = fd_unroll_few(fd, body, MOST); /* sums over all of a row */
    fd_any(body, gather, &g);
    for (int i = 0; i < out->narrays; i++) {
        if (!out->length[i] || !(at[i] & (at[i] - 1))) continue; /* one column of a matrix */
        out->arrays[count] = out->arrays[i];
        out->length[count++] = out->length[i];
    }
    out->narrays = count;
    if (!count) return false;
    out->body = fd_rewrite(fd, body, flat_read, out);
    return true;
}
