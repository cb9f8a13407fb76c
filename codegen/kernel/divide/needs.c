/* What the shares of a division read (impl.h): for each, boxes of each array, by the footprint of the rows, or of
 * the part of a reduction, that its items do. */
#include <string.h>

#include "impl.h"

static void add_need(Need *need, const FdReads *reads, int rank)
{
    const FdBox box = fd_reads_box(reads, rank);
    for (int i = 0; i < need->n; i++)
        if (memcmp(&need->boxes[i], &box, sizeof box) == 0) return;
    if (need->n == NEED_BOXES)
        need->all = true;
    else
        need->boxes[need->n++] = box;
}

/* A box of the result's rows lo..hi-1, counted from 0. */
static FdBox rows_box(const Divide *v, int first, int count, int64_t lo, int64_t hi)
{
    FdBox box = v->box;
    int64_t each = 1;
    for (int d = first; d < first + count; d++) each *= box.dim[d].hi - box.dim[d].lo;
    for (int d = first; d < first + count && each > 0; d++) {
        each /= box.dim[d].hi - box.dim[d].lo;
        int64_t begin = v->box.dim[d].lo, from = lo / each, to = (hi - 1) / each;
        box.dim[d].lo = begin + from;
        box.dim[d].hi = begin + to + 1;
        if (from != to) break;
        lo -= from * each;
        hi -= from * each;
    }
    return box;
}

/* Does a launch read the k-th slot? That of an array of which it stores a part it may read as its result. */
static bool reads_slot(const DivideInput *in, const CgLaunch *l, int k)
{
    const FdGraph *g = in->graph;
    if (launch_takes(l, CG_ARG_SLOT, k)) return true;
    for (int i = 0; i < g->nresults; i++)
        if (g->results[i].part && g->results[i].part->slot == in->order->slots[k] &&
            launch_takes(l, CG_ARG_OUT, i))
            return true;
    return false;
}

void needs_of_positions(Divide *v, const CgLaunch *l, const CgCut *c, int64_t lo, int64_t hi,
                        Need *needs)
{
    const DivideInput *in = v->in;
    if (lo >= hi) return;
    FdShare share = {
        .sum_n = c->n, .sum_from = lo, .sum_to = hi, .sum_var = c->count ? 0 : c->first};
    FdBox box;
    if (c->count && !v->known) share.sum_results = true;
    if (c->count && v->known) {
        box = rows_box(v, c->first, c->count, c->from + lo, c->from + hi);
        share = (FdShare){&box, c->first == 0 && c->from == 0 ? c->n : 0, lo, hi, 0, true};
    }
    fd_footprints_of(in->graph, in->env, &share, in->values, in->ctx, v->reads);
    for (int k = 0; k < in->order->nslots; k++) {
        const FdFootprint *f = &v->reads[in->order->slots[k]];
        if (!reads_slot(in, l, k)) continue;
        for (int i = 0; i < f->nboxes; i++) add_need(&needs[k], &f->boxes[i], f->rank);
    }
}

/* The same of its items from..to-1. */
static void add_reads(Divide *v, const CgLaunch *l, const CgCut *c, int64_t from, int64_t to,
                      Need *needs)
{
    int64_t lo, hi;
    cut_positions(c, from, to, &lo, &hi);
    if (from < to) needs_of_positions(v, l, c, lo, hi, needs);
}

void needs_all(const Divide *v, const CgLaunch *l, Need *needs)
{
    for (int k = 0; k < v->d->nslots; k++)
        if (reads_slot(v->in, l, k)) needs[k].all = true;
}

const CgCut *cut_only(const Divide *v, const CgLaunch *l)
{
    for (int i = 0; i < l->ncuts; i++)
        if (v->known && l->cuts[i].count && !l->cuts[i].inner && cut_groups(&l->cuts[i]) == 1)
            return &l->cuts[i];
    return NULL;
}

/* Turns of one kernel read the same, each for its share of the rows. */
static bool is_again(const Divide *v, int i)
{
    for (int k = i - 1; v->d->launches[i].cut && k >= 0 && k >= i - 2; k--) {
        const CgCut *a = v->d->launches[k].cut, *b = v->d->launches[i].cut;
        if (!a || !a->turns.kind || !b->turns.kind) continue;
        if (v->in->schedule->launches[k].kernel == v->in->schedule->launches[i].kernel &&
            a->first == b->first && a->from == b->from && a->n == b->n && a->step == b->step)
            return true;
    }
    return false;
}

void needs_find(Divide *v)
{
    Division *d = v->d;
    memset(d->needs, 0, (size_t)(d->n * d->nslots) * sizeof *d->needs);
    for (int i = 0; i < d->nlaunches; i++) {
        const CgLaunch *l = &v->in->schedule->launches[i];
        const DividedLaunch *by = &d->launches[i];
        if (by->late || is_again(v, i)) continue;
        const CgCut *only = by->cut ? NULL : cut_only(v, l);
        for (int s = 0; s < d->n; s++) {
            Need *needs = &d->needs[s * d->nslots];
            if (by->own)
                own_needs(v, i, s, needs);
            else if (by->cut && !by->cut->inner)
                add_reads(v, l, by->cut, by->from[s], by->to[s], needs);
            else if (only)
                add_reads(v, l, only, 0, 1, needs);
            else
                needs_all(v, l, needs);
        }
    }
}

double needs_missing(const Divide *v)
{
    return v->in->missing ? v->in->missing(v->in->ctx, v->d) : 0;
}

/* Of reals the exponent has all its bits set. */
static bool is_finite(const void *at, int bytes)
{
    const unsigned char *high = (const unsigned char *)at + bytes - 2; /* the least byte is first */
    unsigned exponent = (unsigned)high[1] << 8 | high[0];
    unsigned all = bytes == 2 ? 0x7c00 : bytes == 4 ? 0x7f80 : 0x7ff0;
    return (exponent & all) != all;
}

bool division_reads_all(const CgCut *c, const void *temp, size_t bytes)
{
    size_t n = c->finite ? bytes / (size_t)c->finite_bytes : 0;
    for (size_t i = 0; i < n; i++)
        if (!is_finite((const char *)temp + i * (size_t)c->finite_bytes, c->finite_bytes))
            return true;
    return false;
}
