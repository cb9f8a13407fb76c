/* Numbers in order along the last dimension (stdlib/Sort.cs$), or some places of that order: the least, the greatest, the
 * middle.
 *
 *   short rows      several side by side, in lanes (sort_lanes.c)
 *   many rows       a thread has a row at a time
 *   few, long ones  all threads have each row (sort.c)
 *   some places     keys that cannot come there are left out, by their highest digits, before the rest is sorted */
#include <string.h>

#include "../device/memory.h"
#include "../pool.h"
#include "../ranks/ranks.h"
#include "../state.h"
#include "sort.h"

enum {
    LONG_ROW = 1 << 15, /* elements of which a row is worth all threads, if there are few rows */
    EACH = 4,           /* pieces of work for a thread */
    IN_LANES = 2048     /* elements of a row up to which a network is quicker than digits */
};

typedef struct Rows {
    Sort kind;
    int64_t rows, n, from, to; /* of each row's order, places from..to-1 */
    bool order;
    const char *given;
    char *result;
    char *room; /* of a piece.. */
    size_t each;
    int64_t pieces, piece; /* ..of so many rows */
    int lanes;             /* rows side by side; 0: by digits */
    bool wide;             /* lanes of 64 bits */
} Rows;

/* A row, by the threads that its parts are for. */
static void sort_row(const Rows *x, Sort *s, int64_t row, char *room)
{
    int64_t asked = x->to - x->from;
    s->n = x->n;
    sort_room(s, x->order);
    sort_take_room(s, room, x->order);
    s->moved_to = x->order ? s->places + x->n : NULL;
    s->given = x->given + row * x->n * s->bytes;
    s->result = x->result + row * asked * (x->order ? 4 : s->bytes);
    uint64_t bits[2];
    sort_make_keys(s, bits);
    int64_t at = x->from - (asked < x->n ? sort_narrow(s, bits, x->from, x->to) : 0);
    sort_keys(s, bits);
    if (x->order && s->placed) {
        memcpy(s->result, s->places + at, (size_t)asked * 4);
    } else if (x->order) {
        for (int64_t i = 0; i < asked; i++)
            ((int32_t *)s->result)[i] = (int32_t)(s->first + at + i);
    } else {
        s->keys = (char *)s->keys + at * (s->wide ? 8 : 4);
        s->n = asked;
        s->part = (asked + s->parts - 1) / s->parts;
        sort_back(s);
    }
}

/* ---- side by side ------------------------------------------------------------------------------ */

static int64_t in_eights(int64_t n)
{
    return (n + 7) / 8 * 8;
}

/* Keys of rows of n from one behind the other (K) to side by side (T, so many lanes), and places from.. of each back. Where
 * `order`, each has its index behind it. */
#define BESIDE(K, T, LANES, NAME)                                                                  \
    static void put_##NAME(const K *restrict keys, int64_t n, int64_t rows, bool order,            \
                           T *restrict lanes)                                                      \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            for (int64_t l = 0; l < LANES; l++) {                                                  \
                T key = keys[(l < rows ? l : 0) * n + i];                                          \
                lanes[i * LANES + l] = order ? (T)((uint64_t)key << 32 | (uint64_t)i) : key;       \
            }                                                                                      \
        for (int64_t i = n * LANES; i < in_eights(n) * LANES; i++) lanes[i] = (T)UINT64_MAX;       \
    }                                                                                              \
    static void take_##NAME(const T *restrict lanes, int64_t from, int64_t n, int64_t rows,        \
                            K *restrict keys)                                                      \
    {                                                                                              \
        for (int64_t l = 0; l < rows; l++)                                                         \
            for (int64_t i = 0; i < n; i++) keys[l * n + i] = (K)lanes[(from + i) * LANES + l];    \
    }
BESIDE(uint32_t, uint32_t, SORT_LANES, narrow)
BESIDE(uint64_t, uint64_t, SORT_LANES / 2, wide)
BESIDE(uint32_t, uint64_t, SORT_LANES / 2, order)
#undef BESIDE

/* As many rows as there are lanes, or what is left of them. */
static void sort_beside(const Rows *x, int64_t row, int64_t rows, char *room)
{
    Sort s = x->kind;
    int64_t asked = x->to - x->from;
    uint64_t bits[2], of_part[1][2];
    s.given = x->given + row * x->n * s.bytes;
    s.result = x->result + row * asked * (x->order ? 4 : s.bytes);
    s.keys = room + in_eights(x->n) * x->lanes * (x->wide ? 8 : 4);
    s.bits = of_part;
    s.n = s.part = rows * x->n;
    sort_make_keys(&s, bits);
    void *lanes = room;
    if (x->order)
        put_order(s.keys, x->n, rows, true, lanes);
    else if (x->wide)
        put_wide(s.keys, x->n, rows, false, lanes);
    else
        put_narrow(s.keys, x->n, rows, false, lanes);
    sort_side_by_side(lanes, in_eights(x->n), x->wide);
    if (x->order)
        take_order(lanes, x->from, asked, rows, s.result);
    else if (x->wide)
        take_wide(lanes, x->from, asked, rows, s.keys);
    else
        take_narrow(lanes, x->from, asked, rows, s.keys);
    s.n = s.part = rows * asked;
    if (!x->order) sort_back(&s);
    for (int64_t i = 0; x->order && i < s.n; i++) ((uint32_t *)s.result)[i] += (uint32_t)s.first;
}

static void sort_pieces(const void *job, int64_t from, int64_t to)
{
    const Rows *x = job;
    for (int64_t p = from; p < to; p++) {
        int64_t end = (p + 1) * x->piece < x->rows ? (p + 1) * x->piece : x->rows;
        char *room = x->room + (size_t)p * x->each;
        for (int64_t row = p * x->piece; row < end; row += x->lanes ? x->lanes : 1) {
            Sort s = x->kind;
            if (x->lanes)
                sort_beside(x, row, end - row < x->lanes ? end - row : x->lanes, room);
            else
                sort_row(x, &s, row, room);
        }
    }
}

/* Who sorts: a thread each piece of the rows, or all of them one row after the other. */
static void set_pieces(Rows *x)
{
    int64_t units = pool_units();
    bool together = x->rows < units * EACH && x->n >= LONG_ROW;
    x->wide = x->kind.wide || x->order;
    int lanes = x->wide ? SORT_LANES / 2 : SORT_LANES;
    x->lanes = x->n <= IN_LANES && x->rows >= lanes && !(x->order && x->kind.wide) ? lanes : 0;
    x->kind.alone = !together;
    x->kind.parts = 1;
    x->kind.part = x->kind.n = x->n;
    x->pieces = together ? 1 : x->rows < units * EACH ? x->rows : units * EACH;
    x->piece = (x->rows + x->pieces - 1) / x->pieces;
    if (x->lanes) x->piece = (x->piece + lanes - 1) / lanes * lanes;
    x->pieces = (x->rows + x->piece - 1) / x->piece;
    if (x->lanes)
        x->each =
            (size_t)(in_eights(x->n) * SORT_LANES * 4 + x->n * lanes * (x->kind.wide ? 8 : 4));
    else
        x->each = sort_room(&x->kind, x->order) + (x->order ? (size_t)x->n * 4 : 0);
    x->each = (x->each + 63) / 64 * 64;
}

static Array *sort_all(Rows *x, Array *f, Array *result, const CsSite *site)
{
    set_pieces(x);
    Buffer *room = buffer_new((size_t)x->pieces * x->each, false, site);
    x->room = room ? buffer_host(room, true, site) : NULL;
    x->given = x->room ? rt_array_data(f, site) : NULL;
    x->result = x->given ? rt_array_data(result, site) : NULL;
    if (x->result && x->kind.alone)
        pool_run(sort_pieces, x, x->pieces);
    else if (x->result)
        sort_pieces(x, 0, 1);
    buffer_release(room);
    if (x->result) return result;
    cs_release(result);
    return NULL;
}

/* Places from..to-1 of the order of each row of f, an array; to < 0: all. */
static void *sorted_rows(Array *f, int64_t from, int64_t to, bool order, const CsSite *site)
{
    int rank = f->head.rank;
    int64_t n[FD_MAX_RANK], count = 1;
    Rows x = {.order = order, .n = f->head.dim[rank - 1].n, .from = from, .to = to};
    if (to < 0) x.to = x.n;
    for (int d = 0; d < rank; d++) n[d] = f->head.dim[d].n;
    n[rank - 1] = x.to - x.from;
    for (int d = 0; d < rank; d++) count *= n[d];
    ScalarKind kind = (ScalarKind)f->head.elem;
    sort_set_kind(&x.kind, kind);
    x.kind.equal_zeros = order;
    x.kind.first = (int32_t)f->head.dim[rank - 1].lo;
    Array *result = rt_array_new((int32_t)(order ? SC_INT : kind), rank, NULL, n, false, site);
    if (!result || count == 0) return result;
    x.rows = count / n[rank - 1];
    return sort_all(&x, f, result, site);
}

static void *rows_of(void *fn, int64_t from, int64_t to, bool order, const CsSite *site)
{
    ranks_enter();
    Array *f = cs_force(fn, site);
    void *result = f ? sorted_rows(f, from, to, order, site) : NULL;
    cs_release(f);
    return ranks_leave(result, site);
}

void *cs_sorted_rows(void *fn, const CsSite *site)
{
    return rows_of(fn, 0, -1, false, site);
}

void *cs_sorted_rows_order(void *fn, const CsSite *site)
{
    return rows_of(fn, 0, -1, true, site);
}

void *cs_sorted_part(void *fn, int32_t from, int32_t to, const CsSite *site)
{
    return rows_of(fn, from, to, false, site);
}

void *cs_sorted_part_order(void *fn, int32_t from, int32_t to, const CsSite *site)
{
    return rows_of(fn, from, to, true, site);
}
