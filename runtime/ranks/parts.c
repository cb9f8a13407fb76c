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
    mem_object_free(p->owners);
    mem_object_free(p->has);
    mem_object_free(p);
}

static void add_owner(Part *p, int64_t lo, int64_t hi, int rank)
{
    if (lo >= hi) return;
    if (!p->nowners || p->owners[p->nowners - 1].rank != rank)
        p->owners[p->nowners++] = (struct PartOwner){lo, rank};
    p->owners[p->nowners] = (struct PartOwner){hi, -1};
}

/* Those of rows from lo to hi - 1 as they were, or (before NULL) one rank's. */
static void add_owners(Part *p, const Part *before, int64_t lo, int64_t hi, int rank)
{
    if (!before) add_owner(p, lo, hi, rank);
    for (int i = 0; before && i < before->nowners; i++) {
        const struct PartOwner *o = &before->owners[i];
        add_owner(p, o->lo > lo ? o->lo : lo, o[1].lo < hi ? o[1].lo : hi, o->rank);
    }
}

/* What is known of rows outside lo..hi-1. */
static Rows outside(const Rows *r, int64_t lo, int64_t hi)
{
    Rows out = {0}, below = rows_within(r, 0, lo), above = rows_within(r, hi, INT64_MAX);
    part_gain(&out, &below);
    part_gain(&out, &above);
    return out;
}

Part *part_new(const RowsLayout *l, const int64_t *own, const Part *before)
{
    size_t n = (size_t)rt.ranks.size, bytes = sizeof *l + (size_t)l->nplanes * sizeof l->planes[0];
    size_t owners = n + 3 + (before ? 2 * (size_t)before->nowners : 0);
    Rows all = {0};
    Part *p = mem_object(sizeof *p);
    if (!p) return NULL;
    *p = (Part){.layout = mem_object(bytes),
                .owners = mem_object(owners * sizeof *p->owners),
                .has = mem_object(n * sizeof(Rows))};
    if (!p->layout || !p->owners || !p->has) {
        part_free(p);
        return NULL;
    }
    memcpy(p->layout, l, bytes);
    add_owners(p, before, 0, own[0], 0);
    for (size_t r = 0; r < n; r++) add_owner(p, own[r], own[r + 1], (int)r);
    add_owners(p, before, own[n], l->rows, (int)n - 1);
    rows_add(&all, 0, l->rows);
    p->all = outside(before ? &before->all : &all, own[0], own[n]);
    for (size_t r = 0; r < n; r++) {
        Rows mine = {0};
        p->has[r] = outside(before ? &before->has[r] : &all, own[0], own[n]);
        rows_add(&mine, own[r], own[r + 1]);
        part_gain(&p->has[r], &mine);
    }
    return p;
}

bool part_is_crowded(const Part *p)
{
    enum { FOR_EACH = 4 };
    return p->nowners > FOR_EACH * rt.ranks.size;
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

/* Appends these rows of b, as one rank sends them to another, or (RANKS_ALL) to all. Ends a mem_try. */
static void add(RankBlocks *all, const Buffer *b, int from, int to, const Rows *rows)
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

/* The number of the owner of this row. */
static int owner_of(const Part *p, int64_t row)
{
    int lo = 0, hi = p->nowners - 1;
    while (lo < hi) {
        int middle = (lo + hi) / 2;
        if (p->owners[middle + 1].lo > row)
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
        int k = owner_of(p, span.at[0].lo);
        for (; k < p->nowners && p->owners[k].lo < span.at[0].hi; k++) {
            Rows rows = rows_within(&span, p->owners[k].lo, p->owners[k + 1].lo);
            if (p->owners[k].rank != to) add(all, b, p->owners[k].rank, to, &rows);
        }
    }
}

void part_add_owned(RankBlocks *all, const Buffer *b, const Rows *of)
{
    const Part *p = b->part;
    for (int k = 0; k < p->nowners; k++) {
        Rows rows = rows_within(of, p->owners[k].lo, p->owners[k + 1].lo);
        add(all, b, p->owners[k].rank, RANKS_ALL, &rows);
    }
}

static void add_all(RankBlocks *all, const Buffer *b)
{
    const Rows whole = {1, {{b->part->owners[0].lo, b->part->owners[b->part->nowners].lo}}};
    part_add_owned(all, b, &whole);
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

bool part_list(const PartWant *wants, int n, RankBlocks *out, const CsSite *site)
{
    Listing l = {wants, n, {0}};
    bool ok = true;
    for (int i = 0; ok && i < n; i++)
        ok = !wants[i].buffer->part || rt_blocks_room(wants[i].buffer, site);
    if (ok && !(ok = mem_try(list, &l))) {
        rt_throw_memory(site, 0);
        l.blocks = (RankBlocks){0};
    }
    for (int i = 0; ok && i < n; i++)
        ok = rt_blocks_out(wants[i].buffer, l.blocks.data, l.blocks.len, site);
    *out = l.blocks;
    return ok;
}

void part_fetch(const PartWant *wants, int n, const RankBlocks *list, const CsSite *site)
{
    ranks_exchange(list->data, (int)list->len);
    for (int i = 0; i < n; i++) {
        Part *p = wants[i].buffer->part;
        if (p) rt_blocks_in(wants[i].buffer, list->data, list->len, site);
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
    bool ok = part_list(&all, 1, &list, site);
    ok = ranks_meet(&plan, NULL) && ok;
    if (ok) part_fetch(&all, 1, &list, site);
    vec_free(&list);
    return ok && !cs_pending;
}
