/* Rows of arrays, and who has them (parts.h). */
#include "parts.h"

#include <string.h>

#include "ranks.h"

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

/* Does a have all of b, so that joining them would tell the truth? Spans that were merged for room would not. */
void part_gain(Rows *has, const Rows *more)
{
    for (int i = 0; i < more->n; i++) {
        Rows with = *has;
        Rows one = {1, {more->at[i]}}, news = rows_without(&one, has);
        int64_t count = rows_count(has) + rows_count(&news);
        rows_add(&with, one.at[0].lo, one.at[0].hi);
        if (rows_count(&with) == count) *has = with;
    }
}

/* ---- layouts --------------------------------------------------------------------------------- */

static int64_t length(const FdBox *box, int d)
{
    return box->dim[d].hi - box->dim[d].lo;
}

static bool same_box(const FdBox *a, const FdBox *b)
{
    bool same = a->rank == b->rank;
    for (int d = 0; same && d < a->rank; d++)
        same = a->dim[d].lo == b->dim[d].lo && a->dim[d].hi == b->dim[d].hi;
    return same;
}

PartLayout *part_layout(const FdType *element, const FdBox *box, int first, int count)
{
    int planes = fd_type_leaves(element);
    PartLayout *l = mem_object(sizeof *l + (size_t)planes * sizeof l->planes[0]);
    int64_t elements = 1, inner = 1;
    if (!l) return NULL;
    *l = (PartLayout){.box = *box, .first = first, .count = count, .segments = 1, .rows = 1};
    for (int d = 0; d < box->rank; d++) {
        elements *= length(box, d);
        if (d < first) l->segments *= length(box, d);
        if (d >= first && d < first + count) l->rows *= length(box, d);
        if (d >= first + count) inner *= length(box, d);
    }
    l->inner = inner;
    l->nplanes = planes;
    for (int i = 0; i < planes; i++)
        l->planes[i] = (struct PartPlane){fd_plane_offset(element, i, elements),
                                          inner * (int64_t)scalar_bytes(fd_type_leaf(element, i))};
    return l;
}

bool part_same(const PartLayout *a, const PartLayout *b)
{
    return a->first == b->first && a->count == b->count && same_box(&a->box, &b->box);
}

/* Of an array that has the elements in the same order: rows from its first element's to its last one's. */
static void rows_of_other(const PartLayout *l, const FdBox *array, const FdBox *box, Rows *out)
{
    int64_t first = 0, last = 0, stride = 1;
    for (int d = array->rank - 1; d >= 0; d--) {
        int64_t n = length(array, d), from = 0, to = n;
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

void part_rows_of(const PartLayout *l, const FdBox *array, const FdBox *box, Rows *out)
{
    int64_t lo = 0, hi = l->rows, each = l->rows;
    if (!same_box(&l->box, array)) {
        rows_of_other(l, array, box, out);
        return;
    }
    for (int d = l->first; d < l->first + l->count; d++) {
        int64_t n = length(&l->box, d), from = 0, to = n;
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

void part_copy(const PartLayout *l, void *to, const void *from, int64_t lo, int64_t hi)
{
    for (int64_t s = 0; s < l->segments && lo < hi; s++)
        for (int p = 0; p < l->nplanes; p++) {
            const struct PartPlane *plane = &l->planes[p];
            int64_t at = plane->at + (s * l->rows + lo) * plane->bytes;
            memcpy((char *)to + at, (const char *)from + at, (size_t)((hi - lo) * plane->bytes));
        }
}

/* ---- of a buffer ------------------------------------------------------------------------------ */

void part_free(Part *p)
{
    if (!p) return;
    mem_object_free(p->layout);
    mem_object_free(p->own);
    mem_object_free(p->has);
    mem_object_free(p);
}

Part *part_new(const PartLayout *l, const int64_t *own)
{
    size_t n = (size_t)rt.ranks.size, bytes = sizeof *l + (size_t)l->nplanes * sizeof l->planes[0];
    Part *p = mem_object(sizeof *p);
    if (!p) return NULL;
    *p = (Part){.layout = mem_object(bytes),
                .own = mem_object((n + 1) * sizeof *own),
                .has = mem_object(n * sizeof(Rows))};
    if (!p->layout || !p->own || !p->has) {
        part_free(p);
        return NULL;
    }
    memcpy(p->layout, l, bytes);
    memcpy(p->own, own, (n + 1) * sizeof *own);
    for (size_t r = 0; r < n; r++) {
        p->has[r] = (Rows){0};
        rows_add(&p->has[r], own[r], own[r + 1]);
    }
    return p;
}

void part_end(Buffer *b)
{
    part_free(b->part);
    b->part = NULL;
}

int64_t part_row_bytes(const PartLayout *l)
{
    int64_t bytes = 0;
    for (int i = 0; i < l->nplanes; i++) bytes += l->planes[i].bytes;
    return bytes * l->segments;
}

int64_t part_missing(const Part *p, const Rows *want)
{
    int64_t most = 0;
    for (int r = 0; r < rt.ranks.size; r++) {
        Rows lacks = rows_without(&want[r], &p->has[r]);
        int64_t n = rows_count(&lacks);
        most = n > most ? n : most;
    }
    return most * part_row_bytes(p->layout);
}

/* ---- what is sent ------------------------------------------------------------------------------ */

void part_add(RankBlocks *all, const Buffer *b, int from, int to, const Rows *rows)
{
    const PartLayout *l = b->part->layout;
    for (int i = 0; i < rows->n; i++)
        for (int64_t s = 0; s < l->segments; s++)
            for (int p = 0; p < l->nplanes; p++) {
                const struct PartPlane *plane = &l->planes[p];
                char *at =
                    (char *)b->host + plane->at + (s * l->rows + rows->at[i].lo) * plane->bytes;
                size_t bytes = (size_t)((rows->at[i].hi - rows->at[i].lo) * plane->bytes);
                RankBlock block = {from, to, at, bytes};
                vec_push(all, block);
            }
}

/* The first rank that computed this row, or rows behind it. */
static int owner_of(const Part *p, int64_t row)
{
    int lo = 0, hi = rt.ranks.size;
    while (lo < hi) {
        int middle = (lo + hi) / 2;
        if (p->own[middle + 1] > row)
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

/* From whoever computed them. */
static void add_want(RankBlocks *all, const Buffer *b, int to, const Rows *want)
{
    const Part *p = b->part;
    Rows lacks = rows_without(want, &p->has[to]);
    for (int i = 0; i < lacks.n; i++) {
        Rows span = {1, {lacks.at[i]}};
        int from = owner_of(p, span.at[0].lo);
        for (; from < rt.ranks.size && p->own[from] < span.at[0].hi; from++) {
            Rows rows = rows_within(&span, p->own[from], p->own[from + 1]);
            if (from != to) part_add(all, b, from, to, &rows);
        }
    }
}

/* Each rank's to all others. */
static void add_all(RankBlocks *all, const Buffer *b)
{
    const Part *p = b->part;
    for (int from = 0; from < rt.ranks.size; from++) {
        Rows rows = {0};
        rows_add(&rows, p->own[from], p->own[from + 1]);
        part_add(all, b, from, RANKS_ALL, &rows);
    }
}

typedef struct Listing {
    const PartWant *wants;
    int n;
    RankBlocks blocks;
} Listing;

static void list(void *listing)
{
    Listing *l = listing;
    for (int i = 0; i < l->n; i++) {
        const PartWant *w = &l->wants[i];
        if (!w->buffer->part) continue;
        if (!w->rows) add_all(&l->blocks, w->buffer);
        for (int to = 0; w->rows && to < rt.ranks.size; to++)
            add_want(&l->blocks, w->buffer, to, &w->rows[to]);
    }
}

bool part_list(const PartWant *wants, int n, RankBlocks *out)
{
    Listing l = {wants, n, {0}};
    bool ok = mem_try(list, &l);
    if (ok) *out = l.blocks;
    return ok;
}

void part_fetch(const PartWant *wants, int n, const RankBlocks *list)
{
    ranks_exchange(list->data, (int)list->len);
    for (int i = 0; i < n; i++) {
        Part *p = wants[i].buffer->part;
        if (p) wants[i].buffer->device_stale = true;
        for (int to = 0; p && wants[i].rows && to < rt.ranks.size; to++) {
            const Rows lacks = rows_without(&wants[i].rows[to], &p->has[to]);
            part_gain(&p->has[to], &lacks);
        }
        if (!wants[i].rows) part_end(wants[i].buffer);
    }
}

bool part_complete(Buffer *b, const CsSite *site)
{
    uint64_t plan = 1;
    PartWant all = {b, NULL};
    RankBlocks list = {0};
    if (!b->part) return true;
    bool ok = part_list(&all, 1, &list);
    if (!ok) rt_throw_memory(site, 0);
    ok = ranks_meet(&plan, NULL) && ok;
    if (ok) part_fetch(&all, 1, &list);
    vec_free(&list);
    return ok;
}
