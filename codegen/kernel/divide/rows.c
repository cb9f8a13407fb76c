/* Sets of rows, and where they lie (rows.h). */
#include "rows.h"

#include <string.h>

/* ---- rows ------------------------------------------------------------------------------------ */

void rows_add(Rows *r, int64_t lo, int64_t hi)
{
    struct RowSpan list[ROWS_SPANS + 1];
    int n = 0, i = 0, nearest = 0;
    if (lo >= hi) return;
    for (; i < r->n && r->at[i].hi < lo; i++) list[n++] = r->at[i];
    for (; i < r->n && r->at[i].lo <= hi; i++) {
        lo = r->at[i].lo < lo ? r->at[i].lo : lo;
        hi = r->at[i].hi > hi ? r->at[i].hi : hi;
    }
    list[n++] = (struct RowSpan){lo, hi};
    for (; i < r->n; i++) list[n++] = r->at[i];
    if (n > ROWS_SPANS) {
        for (int k = 1; k + 1 < n; k++)
            if (list[k + 1].lo - list[k].hi < list[nearest + 1].lo - list[nearest].hi) nearest = k;
        list[nearest].hi = list[nearest + 1].hi;
        for (int k = nearest + 1; k + 1 < n; k++) list[k] = list[k + 1];
        n--;
    }
    r->n = n;
    memcpy(r->at, list, (size_t)n * sizeof *list);
}

int64_t rows_count(const Rows *r)
{
    int64_t n = 0;
    for (int i = 0; i < r->n; i++) n += r->at[i].hi - r->at[i].lo;
    return n;
}

Rows rows_without(const Rows *r, const Rows *less)
{
    Rows out = {0};
    for (int i = 0; i < r->n; i++) {
        int64_t lo = r->at[i].lo;
        for (int k = 0; k < less->n; k++) {
            if (less->at[k].hi <= lo || less->at[k].lo >= r->at[i].hi) continue;
            rows_add(&out, lo, less->at[k].lo);
            lo = less->at[k].hi > lo ? less->at[k].hi : lo;
        }
        rows_add(&out, lo, r->at[i].hi);
    }
    return out;
}

Rows rows_within(const Rows *r, int64_t lo, int64_t hi)
{
    Rows out = {0};
    for (int i = 0; i < r->n; i++)
        rows_add(&out, r->at[i].lo > lo ? r->at[i].lo : lo, r->at[i].hi < hi ? r->at[i].hi : hi);
    return out;
}

/* ---- layouts --------------------------------------------------------------------------------- */

static bool same_box(const FdBox *a, const FdBox *b)
{
    bool same = a->rank == b->rank;
    for (int d = 0; same && d < a->rank; d++)
        same = a->dim[d].lo == b->dim[d].lo && a->dim[d].hi == b->dim[d].hi;
    return same;
}

RowsLayout *rows_layout(const FdType *element, const FdBox *box, int first, int count)
{
    int planes = fd_type_leaves(element);
    RowsLayout *l = mem_object(sizeof *l + (size_t)planes * sizeof l->planes[0]);
    int64_t elements = 1, inner = 1;
    if (!l) return NULL;
    *l = (RowsLayout){.box = *box, .first = first, .count = count, .segments = 1, .rows = 1};
    for (int d = 0; d < box->rank; d++) {
        elements *= fd_box_length(box, d);
        if (d < first) l->segments *= fd_box_length(box, d);
        if (d >= first && d < first + count) l->rows *= fd_box_length(box, d);
        if (d >= first + count) inner *= fd_box_length(box, d);
    }
    l->inner = inner;
    l->nplanes = planes;
    for (int i = 0; i < planes; i++)
        l->planes[i] = (struct RowsPlane){fd_plane_offset(element, i, elements),
                                          inner * (int64_t)scalar_bytes(fd_type_leaf(element, i))};
    return l;
}

bool rows_same(const RowsLayout *a, const RowsLayout *b)
{
    return a->first == b->first && a->count == b->count && same_box(&a->box, &b->box);
}

/* Of an array that has the elements in the same order: rows from its first element's to its last one's. */
static void rows_of_other(const RowsLayout *l, const FdBox *array, const FdBox *box, Rows *out)
{
    int64_t first = 0, last = 0, stride = 1;
    for (int d = array->rank - 1; d >= 0; d--) {
        int64_t n = fd_box_length(array, d), from = 0, to = n;
        if (!box->dim[d].full) {
            from = box->dim[d].lo - array->dim[d].lo;
            to = box->dim[d].hi - array->dim[d].lo;
        }
        from = from < 0 ? 0 : from;
        to = to > n ? n : to;
        if (from >= to) return;
        first += from * stride;
        last += (to - 1) * stride;
        stride *= n;
    }
    if (l->segments == 1)
        rows_add(out, first / l->inner, last / l->inner + 1);
    else
        rows_add(out, 0, l->rows);
}

void rows_of_box(const RowsLayout *l, const FdBox *array, const FdBox *box, Rows *out)
{
    int64_t lo = 0, hi = l->rows, each = l->rows;
    if (!same_box(&l->box, array)) {
        rows_of_other(l, array, box, out);
        return;
    }
    for (int d = l->first; d < l->first + l->count; d++) {
        int64_t n = fd_box_length(&l->box, d), from = 0, to = n;
        each = n ? each / n : 0;
        if (!box->dim[d].full) {
            from = box->dim[d].lo - l->box.dim[d].lo;
            to = box->dim[d].hi - l->box.dim[d].lo;
        }
        from = from < 0 ? 0 : from;
        to = to > n ? n : to;
        if (from >= to) return;
        hi = lo + to * each;
        lo += from * each;
        if (to - from > 1) break; /* rows of several are side by side as they are */
    }
    rows_add(out, lo, hi);
}

void rows_copy(const RowsLayout *l, void *to, const void *from, int64_t lo, int64_t hi)
{
    for (int64_t s = 0; s < l->segments && lo < hi; s++)
        for (int p = 0; p < l->nplanes; p++) {
            const struct RowsPlane *plane = &l->planes[p];
            int64_t at = plane->at + (s * l->rows + lo) * plane->bytes;
            memcpy((char *)to + at, (const char *)from + at, (size_t)((hi - lo) * plane->bytes));
        }
}
