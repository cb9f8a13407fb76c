/* CS_DUMP=ranks: what is cut of each large evaluation, what ranks read beside their own rows, what all of them get, and why an
 * evaluation is not divided. Once for each way in which it is done. */
#include <stdio.h>

#include "../../ranks/ranks.h"
#include "../../state.h"
#include "divide_impl.h"
#include "kernels.h"
#include "measure.h"

/* Which rows of a dimension a share reads, of those that are there. */
static Rows rows_of(const Need *need, int dim, const FdBox *box)
{
    Rows rows = {0};
    for (int i = 0; i < need->n; i++) {
        int64_t lo = box->dim[dim].lo, hi = box->dim[dim].hi;
        if (!need->boxes[i].dim[dim].full && need->boxes[i].dim[dim].lo > lo)
            lo = need->boxes[i].dim[dim].lo;
        if (!need->boxes[i].dim[dim].full && need->boxes[i].dim[dim].hi < hi)
            hi = need->boxes[i].dim[dim].hi;
        rows_add(&rows, lo, hi);
    }
    return rows;
}

static void explain_slot(const Division *d, int slot, const char *name, int dim, bool parts)
{
    const FdBox *box = &d->boxes[slot];
    bool all = dim >= box->rank, any = false;
    for (int s = 0; s < d->n; s++) {
        all = all || d->needs[s * d->nslots + slot].all;
        any = any || d->needs[s * d->nslots + slot].all || d->needs[s * d->nslots + slot].n;
    }
    if (!any) return;
    fprintf(stderr, "  reads %s", name);
    for (int s = 0; s < d->n && !all; s++) {
        Rows rows = rows_of(&d->needs[s * d->nslots + slot], dim, box);
        fprintf(stderr, "%s%s", s ? ", " : ": ", rows.n ? "" : "none");
        for (int i = 0; i < rows.n; i++)
            fprintf(stderr, "%s%lld..%lld", i ? " and " : "", (long long)rows.at[i].lo,
                    (long long)rows.at[i].hi);
    }
    fprintf(stderr, !all ? "\n" : parts ? ": all of it, which is gathered\n" : ": all of it\n");
}

static void explain_division(const Evaluation *e, const Numbers *n, const Division *d)
{
    const FdOrder *o = &e->composed->order;
    int dim = 0;
    for (int i = 0; i < d->nouts; i++) {
        const PartLayout *l = d->outs[i];
        if (!l) continue;
        dim = l->first;
        fprintf(stderr, "  result %d is cut along dimension %d", i, l->first);
        if (l->count > 1) fprintf(stderr, " to %d", l->first + l->count - 1);
        for (int s = 0; s < d->n; s++)
            fprintf(stderr, "%s %lld..%lld", s ? "," : ":", (long long)d->own[s],
                    (long long)d->own[s + 1]);
        fputc('\n', stderr);
    }
    for (int k = 0; k < d->nslots; k++) {
        const Array *a = e->leaves.data[o->slots[k]].array;
        const char *name = e->composed->graph.slots[o->slots[k]].name;
        if (!a || !a->head.buffer) continue;
        explain_slot(d, k, name ? name : "an array", dim, a->head.buffer->part != NULL);
    }
    for (int i = 0; i < d->nlaunches; i++) {
        const DividedLaunch *l = &d->launches[i];
        const char *kernel = n->schedule.launches[i].kernel;
        double bytes = 0;
        for (int k = 0; l->cut && l->gathered && k < l->cut->nwrites; k++)
            bytes += write_bytes(&l->cut->writes[k]);
        if (bytes > 0 && !l->own)
            fprintf(stderr, "  all get what %s made: %.0f bytes\n", kernel, bytes);
        if (l->own)
            fprintf(stderr, "  each does what it needs of %s%s\n", kernel,
                    l->gathered ? ", or gets it from its neighbours" : "");
        if (!l->cut) fprintf(stderr, "  each does all of %s\n", kernel);
    }
}

static const char *why_not(const Evaluation *e, const Numbers *n)
{
    bool cuts = false;
    for (int i = 0; i < n->schedule.nlaunches; i++) cuts |= n->schedule.launches[i].ncuts > 0;
    return e->into && cuts ? "it goes into a part of an array"
           : e->nclosures  ? "it calls functions of the host"
           : !cuts         ? "csc knows of no kernel how to cut it"
                           : "no cut is worth what is sent, or the arrays are too small";
}

void divide_explain(const Evaluation *e, const Numbers *n, const Division *d, bool device,
                    const CsSite *site)
{
    Composed *c = e->composed;
    bool large = rt.ranks.size ? n->work >= rt.ranks.least : rt.ranks.blocks > 1;
    uint64_t way = d ? d->hash : device ? 3 : 1;
    if (!rt_dumping(RT_DUMP_RANKS) || !large || c->explained == way) return;
    CsSite at = measured_site(e, site);
    c->explained = way;
    fprintf(stderr, "// ranks: %s:%d:%d: ", at.file, (int)at.line, (int)at.col);
    if (d) fprintf(stderr, "divided\n");
    if (d) explain_division(e, n, d);
    if (!d)
        fprintf(stderr, "each rank all of it: %s\n",
                device ? "it runs on a device" : why_not(e, n));
}
