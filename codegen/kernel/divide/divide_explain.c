/* Divisions in words (divide.h): what is cut of an evaluation, what ranks read beside their own rows, what all of them get, and
 * why an evaluation is not divided. */
#include "impl.h"

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

/* Beside the rows that each owns of the results; false: they have nothing to do with those. */
static bool beside(const Division *d, int slot, const RowsLayout *l, int64_t *most)
{
    const FdBox *box = &d->boxes[slot];
    int64_t first = l->box.dim[l->first].lo;
    *most = 0;
    for (int s = 0; s < d->n; s++) {
        Rows reads = rows_of(&d->needs[s * d->nslots + slot], l->first, box), own = {0};
        rows_add(&own, first + d->own[s], first + d->own[s + 1]);
        Rows others = rows_without(&reads, &own);
        int64_t n = rows_count(&others);
        if (rows_count(&reads) - n <= 0 && rows_count(&reads) > 0 && rows_count(&own) > 0)
            return false;
        *most = n > *most ? n : *most;
    }
    return true;
}

/* Do all shares read all rows of the dimension? */
static bool reads_whole(const Division *d, int slot, int dim)
{
    const FdBox *box = &d->boxes[slot];
    bool each = true;
    for (int s = 0; s < d->n; s++) {
        Rows rows = rows_of(&d->needs[s * d->nslots + slot], dim, box);
        each = each && rows_count(&rows) == box->dim[dim].hi - box->dim[dim].lo;
    }
    return each;
}

static void explain_slot(const DivideInput *in, const Division *d, int slot, const RowsLayout *l,
                         bool parts, Text *out)
{
    const FdBox *box = &d->boxes[slot];
    const char *name = in->graph->slots[in->order->slots[slot]].name;
    int first = l ? l->first : 0, dim = first < box->rank ? first : 0;
    bool all = false, any = false;
    int64_t most;
    for (int s = 0; s < d->n; s++) {
        all = all || d->needs[s * d->nslots + slot].all;
        any = any || d->needs[s * d->nslots + slot].all || d->needs[s * d->nslots + slot].n;
    }
    if (!any) return;
    for (int k = 0; k < box->rank && reads_whole(d, slot, dim); k++)
        dim = k; /* the result's, or any */
    all = all || reads_whole(d, slot, dim);
    text_printf(out, "  reads %s", name ? name : "an array");
    if (!all && dim != first) text_printf(out, " along dimension %d", dim);
    for (int s = 0; s < d->n && !all; s++) {
        Rows rows = rows_of(&d->needs[s * d->nslots + slot], dim, box);
        text_printf(out, "%s%s", s ? ", " : ": ", rows.n ? "" : "none");
        for (int i = 0; i < rows.n; i++)
            text_printf(out, "%s%lld..%lld", i ? " and " : "", (long long)rows.at[i].lo,
                        (long long)rows.at[i].hi);
    }
    if (all)
        text_add(out, parts ? ": all of it, which is gathered" : ": all of it");
    else if (l && l->count == 1 && dim == first && beside(d, slot, l, &most))
        text_printf(out, most ? ": its own and at most %lld others" : ": its own", (long long)most);
    text_add(out, "\n");
}

void divide_explain(const DivideInput *in, const Division *d,
                    bool (*has_parts)(const void *ctx, int slot), Text *out)
{
    const RowsLayout *result = NULL;
    for (int i = 0; i < d->nouts; i++) {
        const RowsLayout *l = d->outs[i];
        if (!l) continue;
        result = l;
        text_printf(out, "  result %d is cut along dimension %d", i, l->first);
        if (l->count > 1) text_printf(out, " to %d", l->first + l->count - 1);
        for (int s = 0; s < d->n; s++)
            text_printf(out, "%s %lld..%lld", s ? "," : ":", (long long)d->own[s],
                        (long long)d->own[s + 1]);
        text_add(out, "\n");
    }
    for (int k = 0; k < d->nslots; k++)
        if (d->elements[k])
            explain_slot(in, d, k, result, !has_parts || has_parts(in->ctx, k), out);
    for (int i = 0; i < d->nlaunches; i++) {
        const DividedLaunch *l = &d->launches[i];
        const char *kernel = in->schedule->launches[i].kernel;
        double bytes = 0;
        for (int k = 0; l->cut && l->gathered && k < l->cut->nwrites; k++)
            bytes += write_bytes(&l->cut->writes[k]);
        if (bytes > 0 && !l->own)
            text_printf(out, "  all get what %s made: %.0f bytes\n", kernel, bytes);
        if (l->own)
            text_printf(out, "  each does what it needs of %s%s\n", kernel,
                        l->gathered ? ", or gets it from its neighbours" : "");
        if (!l->cut)
            text_printf(out, "  each does all of %s%s\n", kernel,
                        l->late ? ", with all it reads, if a share fails" : "");
    }
}

const char *divide_why_not(const DivideInput *in)
{
    bool cuts = false;
    for (int i = 0; i < in->schedule->nlaunches; i++) cuts |= in->schedule->launches[i].ncuts > 0;
    return in->into && cuts ? "it goes into a part of an array"
           : !cuts          ? "csc knows of no kernel how to cut it"
                            : "no cut is worth what is sent, or the arrays are too small";
}
