/* Boxes of reads (reads.h): those of a footprint, few of them, so that the nearest become one. */
#include "reads.h"

#include "../../internal.h"

static FdExtent around(const FdExtent *a, const FdExtent *b)
{
    FdExtent e = {.full = a->full || b->full};
    if (a->near && a->near == b->near) {
        e.near = a->near;
        e.from = fd_least(a->from, b->from);
        e.to = fd_most(a->to, b->to);
    }
    if (e.full) return e;
    e.lo = fd_least(a->lo, b->lo);
    e.hi = fd_most(a->hi, b->hi);
    return e;
}

FdReads fdi_reads_around(const FdReads *a, const FdReads *b, int rank)
{
    FdReads r = {0};
    for (int d = 0; d < rank; d++) r.dim[d] = around(&a->dim[d], &b->dim[d]);
    return r;
}

FdBox fd_reads_box(const FdReads *r, int rank)
{
    FdBox box = {.rank = rank};
    for (int d = 0; d < rank; d++) {
        box.dim[d].full = r->dim[d].full;
        box.dim[d].lo = r->dim[d].lo;
        box.dim[d].hi = r->dim[d].hi;
    }
    return box;
}

static bool is_inside(const FdReads *a, const FdReads *b, int rank)
{
    FdReads both = fdi_reads_around(a, b, rank);
    for (int d = 0; d < rank; d++) {
        const FdExtent *x = &both.dim[d], *y = &b->dim[d];
        if (x->full != y->full || x->near != y->near) return false;
        if (!x->full && (x->lo != y->lo || x->hi != y->hi)) return false;
        if (x->near && (x->from != y->from || x->to != y->to)) return false;
    }
    return true;
}

static double elements(const FdReads *r, int rank)
{
    double n = 1;
    for (int d = 0; d < rank; d++)
        n *= r->dim[d].full ? (double)INT32_MAX : (double)(r->dim[d].hi - r->dim[d].lo);
    return n;
}

/* What one box in place of both holds that neither does; what is near the same variable goes together
 * first. */
static double price(const FdReads *a, const FdReads *b, int rank)
{
    FdReads both = fdi_reads_around(a, b, rank);
    double more = elements(&both, rank) - elements(a, rank) - elements(b, rank);
    for (int d = 0; d < rank; d++)
        if (a->dim[d].near != b->dim[d].near) more += elements(&both, rank) + 1;
    return more;
}

void fdi_reads_add(FdFootprint *f, const FdReads *r)
{
    FdReads list[FD_FOOTPRINT_BOXES + 1];
    int n = f->nboxes, a = 0, b = 1;
    for (int i = 0; i < n; i++)
        if (is_inside(r, &f->boxes[i], f->rank)) return;
    for (int i = 0; i < n; i++) list[i] = f->boxes[i];
    list[n++] = *r;
    if (n > FD_FOOTPRINT_BOXES) {
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                if (price(&list[i], &list[j], f->rank) < price(&list[a], &list[b], f->rank)) {
                    a = i;
                    b = j;
                }
        list[a] = fdi_reads_around(&list[a], &list[b], f->rank);
        list[b] = list[--n];
    }
    for (int i = 0; i < n; i++) f->boxes[i] = list[i];
    f->nboxes = n;
}

void fdi_reads_anywhere(FdFootprint *f)
{
    FdReads all = {0};
    for (int d = 0; d < f->rank && d < FD_MAX_RANK; d++) all.dim[d].full = true;
    fdi_reads_add(f, &all);
}
