/* What is asked of footprints (footprint.h): the box around one, and whether reads are of the root's own element. */
#include "../../internal.h"
#include "reads.h"

static bool is_slot(const FdNode *f)
{
    return f->kind == FD_FUNC && f->leaf == FD_LEAF_SLOT;
}

FdBox fd_footprint_hull(const FdFootprint *f)
{
    FdReads r = f->nboxes ? f->boxes[0] : (FdReads){0};
    for (int i = 1; i < f->nboxes; i++) r = fdi_reads_around(&r, &f->boxes[i], f->rank);
    return fd_reads_box(&r, f->rank);
}

static bool is_own(const FdExtent *e, int d, const FdBox *box)
{
    if (e->near == 1 + d && e->from == 0 && e->to == 0) return true;
    int64_t lo = box->dim[d].lo;
    return !e->full && !box->dim[d].full && box->dim[d].hi == lo + 1 && e->lo == lo &&
           e->hi == lo + 1;
}

bool fd_footprint_apart(const FdFootprint *f, const FdBox *box)
{
    for (int i = 0; i < f->nboxes; i++) {
        bool own = true, outside = false;
        for (int d = 0; d < f->rank; d++) {
            const FdExtent *e = &f->boxes[i].dim[d];
            own = own && is_own(e, d, box);
            outside = outside || (!e->full && !box->dim[d].full &&
                                  (e->hi <= box->dim[d].lo || e->lo >= box->dim[d].hi));
        }
        if (!own && !outside) return false;
    }
    return true;
}

typedef struct Own {
    const FdNode *root;
    int slot;
} Own;

static bool is_own_read(const Own *own, const FdNode *n)
{
    bool same = n->nargs == own->root->nvars;
    for (int d = 0; same && d < n->nargs; d++) same = n->args[d] == own->root->vars[d];
    return same;
}

/* Is it a reduction, or has it the slot for anything but an own read or its domain? */
static bool is_other_use(const void *ctx, const FdNode *n)
{
    const Own *own = ctx;
    const FdNode *children[FD_MAX_CHILDREN];
    if (n->kind == FD_REDUCE) return true;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    for (int i = fd_children(n, children); i-- > 0;) {
        const FdNode *c = children[i];
        if (!is_slot(c) || c->slot != own->slot) continue;
        bool good = op == FD_OP_LOWER || op == FD_OP_UPPER ||
                    (n->kind == FD_APPLY && n->fn == c && is_own_read(own, n));
        if (!good) return true;
    }
    return false;
}

bool fd_reads_own_only(const FdGraph *g, int slot)
{
    bool only = true;
    for (int k = 0; only && k < g->nresults; k++) {
        const FdNode *n = g->results[k].node;
        Own own = {n, slot};
        only = n->kind == FD_LET && !n->self && !fd_can_fail(n->body) &&
               !fd_any(n, is_other_use, &own);
    }
    return only;
}
