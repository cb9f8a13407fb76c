/* Rows of arrays, and who has them (parts.h). */
#include "parts.h"

#include <string.h>

#include "ranks.h"

/* ---- of a buffer ------------------------------------------------------------------------------ */

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

void part_free(Part *p)
{
    if (!p) return;
    mem_object_free(p->layout);
    mem_object_free(p->own);
    mem_object_free(p->has);
    mem_object_free(p);
}

Part *part_new(const RowsLayout *l, const int64_t *own)
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

int64_t part_row_bytes(const RowsLayout *l)
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
    const RowsLayout *l = b->part->layout;
    for (int i = 0; i < rows->n; i++)
        for (int64_t s = 0; s < l->segments; s++)
            for (int p = 0; p < l->nplanes; p++) {
                const struct RowsPlane *plane = &l->planes[p];
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
