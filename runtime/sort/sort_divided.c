/* Sorting by several ranks (sort.h): each puts the keys of its elements into buckets, by the highest digit that differs, and sends
 * the buckets to the ranks of their ranges. A bucket's keys are put in the order of ranks, so that equal ones keep theirs, and
 * sorted there. */
#include <string.h>

#include "../device/memory.h"
#include "../pool.h"
#include "../ranks/parts.h"
#include "../ranks/ranks.h"
#include "../state.h"
#include "sort.h"

enum { WORK = 32 /* operations for an element */, DIGITS = 1 << SORT_LONG_DIGIT };

typedef struct Ranked {
    const Sort *kind;
    Sort own, last; /* this rank's elements; those of its range */
    int n;          /* ranks */
    int64_t *from;  /* rank r has elements from[r] to from[r + 1] - 1 of what is given.. */
    int64_t *to;    /* ..and of the result */
    int64_t room;   /* most that a rank may get */
    uint64_t (*bits)[2];
    uint32_t (*counts)[DIGITS]; /* by rank; then where what came of it begins */
    uint8_t *rank_of;           /* by digit */
    int64_t *sent;              /* keys from rank r to rank k: sent[r * n + k] */
    uint32_t *ends;             /* of buckets, in this rank's range */
    size_t key;
    void *keys, *moved;
    int32_t *places, *moved_to;
} Ranked;

/* Whose elements are whose. False: no rank has them by itself. */
static bool find_from(const Array *f, Ranked *x)
{
    const Part *p = f->head.buffer->part;
    int64_t n = x->kind->n; /* of a list, its capacity may be more */
    bool own = p && n == rt_array_count(f) && p->nowners == x->n && p->layout->segments == 1 &&
               p->layout->inner == 1 && p->layout->nplanes == 1;
    for (int r = 0; r < x->n; r++) {
        own = own && p->owners[r].rank == r;
        x->from[r] = own ? p->owners[r].lo : n * r / x->n;
    }
    x->from[x->n] = n;
    return own;
}

/* From each rank to all. */
static void tell(const Ranked *x, void *of, size_t bytes)
{
    RankBlock blocks[RANKS_MOST];
    for (int r = 0; r < x->n; r++)
        blocks[r] = (RankBlock){r, RANKS_ALL, (char *)of + (size_t)r * bytes, bytes};
    ranks_exchange(blocks, x->n);
}

static void count_own(Ranked *x)
{
    uint32_t *n = x->counts[rt.ranks.rank];
    sort_count(&x->own);
    memset(n, 0, sizeof *x->counts);
    for (int p = 0; p < x->own.parts; p++)
        for (int d = 0; d < DIGITS; d++) n[d] += sort_counts(&x->own, p)[d];
}

/* Ranges of about as many keys each. False: one has too many. */
static bool find_ranges(Ranked *x, int64_t n)
{
    int64_t before = 0;
    int to = 0;
    memset(x->sent, 0, (size_t)(x->n * x->n) * sizeof *x->sent);
    x->to[0] = 0;
    for (int d = 0; d < DIGITS; d++) {
        int64_t here = 0;
        for (int r = 0; r < x->n; r++) here += x->counts[r][d];
        while (to + 1 < x->n && before + here / 2 >= n * (to + 1) / x->n) x->to[++to] = before;
        x->rank_of[d] = (uint8_t)to;
        for (int r = 0; r < x->n; r++) x->sent[r * x->n + to] += x->counts[r][d];
        before += here;
    }
    while (to < x->n) x->to[++to] = n;
    for (int r = 0; r < x->n; r++)
        if (x->to[r + 1] - x->to[r] > x->room) return false;
    return true;
}

/* Keys, or places, to their ranks; blocks: room for all pairs. */
static void send_all(const Ranked *x, void *from, void *to, size_t each, RankBlock *blocks)
{
    int me = rt.ranks.rank, n = 0;
    size_t out = 0, in = 0;
    for (int r = 0; r < x->n; r++)
        for (int k = 0; k < x->n; k++) {
            size_t bytes = (size_t)x->sent[r * x->n + k] * each;
            void *at = r == me ? (char *)from + out : k == me ? (char *)to + in : NULL;
            if (r == me && k == me) memcpy((char *)to + in, at, bytes);
            if (r != k && bytes) blocks[n++] = (RankBlock){r, k, at, bytes};
            if (r == me) out += bytes;
            if (k == me) in += bytes;
        }
    ranks_exchange(blocks, n);
}

/* Where what came of each rank begins, by buckets, and where these end. */
static void find_buckets(Ranked *x)
{
    int64_t begin = 0, end = 0;
    for (int r = 0; r < x->n; r++) {
        int64_t at = begin;
        for (int d = 0; d < DIGITS; d++) {
            uint32_t here = x->rank_of[d] == rt.ranks.rank ? x->counts[r][d] : 0;
            x->counts[r][d] = (uint32_t)at;
            x->ends[d] = (r ? x->ends[d] : 0) + here;
            at += here;
        }
        begin += x->sent[r * x->n + rt.ranks.rank];
    }
    for (int d = 0; d < DIGITS; d++) x->ends[d] = (uint32_t)(end += x->ends[d]);
}

/* Buckets from..to-1, in each of which the ranks' keys are in the order of ranks. */
static void fill_buckets(const void *job, int64_t from, int64_t to)
{
    const Ranked *x = job;
    for (int64_t d = from; d < to; d++) {
        int64_t at = d ? x->ends[d - 1] : 0, begin = 0;
        for (int r = 0; r < x->n && at < x->ends[d]; r++) {
            begin += x->sent[r * x->n + rt.ranks.rank];
            int64_t first = x->counts[r][d], past = d + 1 < DIGITS ? x->counts[r][d + 1] : begin;
            size_t n = (size_t)(past - first);
            memcpy((char *)x->moved + (size_t)at * x->key, (char *)x->keys + (size_t)first * x->key,
                   n * x->key);
            if (x->places) memcpy(x->moved_to + at, x->places + first, n * sizeof(int32_t));
            at += past - first;
        }
    }
}

/* Sorts what came, into this rank's part of the result. */
static void finish(Ranked *x, char *result)
{
    Sort *s = &x->last;
    int64_t at = x->to[rt.ranks.rank];
    s->n = x->to[rt.ranks.rank + 1] - at;
    if (s->n == 0) return;
    find_buckets(x);
    pool_run(fill_buckets, x, DIGITS);
    s->keys = x->moved;
    s->moved = x->keys;
    s->places = x->moved_to;
    s->moved_to = x->places;
    s->placed = true;
    sort_set_parts(s);
    sort_buckets(s, x->ends);
    s->result = result + (size_t)at * (size_t)s->bytes;
    if (s->places)
        memcpy(result + (size_t)at * sizeof(int32_t), s->places, (size_t)s->n * sizeof(int32_t));
    else
        sort_back(s);
}

typedef struct Block {
    char *begin; /* NULL: how long it is is asked */
    size_t bytes;
} Block;

static void *take(Block *b, size_t bytes)
{
    enum { UNIT = 64 };
    void *p = b->begin ? b->begin + b->bytes : NULL;
    b->bytes += (bytes + UNIT - 1) / UNIT * UNIT;
    return p;
}

/* Gives how much memory it takes. */
static size_t lay_out(Ranked *x, char *begin, bool order)
{
    size_t n = (size_t)x->n, own = (size_t)(x->from[rt.ranks.rank + 1] - x->from[rt.ranks.rank]);
    size_t most = own > (size_t)x->room ? own : (size_t)x->room;
    Block b = {begin, 0};
    x->bits = take(&b, n * sizeof *x->bits);
    x->counts = take(&b, n * sizeof *x->counts);
    x->rank_of = take(&b, DIGITS);
    x->sent = take(&b, n * n * sizeof *x->sent);
    x->ends = take(&b, DIGITS * sizeof *x->ends);
    x->own.counts = x->last.counts = take(&b, SORT_MAX_PARTS * sizeof *x->last.counts * DIGITS);
    x->own.bits = take(&b, SORT_MAX_PARTS * sizeof *x->own.bits);
    x->own.keys = x->keys = take(&b, most * x->key);
    x->own.moved = x->moved = take(&b, most * x->key);
    x->own.places = x->places = order ? take(&b, most * sizeof(int32_t)) : NULL;
    x->own.moved_to = x->moved_to = order ? take(&b, most * sizeof(int32_t)) : NULL;
    return b.bytes;
}

/* All have agreed, and there is memory. */
static bool sort_by_ranks(Ranked *x, const char *given, char *result, RankBlock *blocks)
{
    int me = rt.ranks.rank;
    uint64_t all[2] = {0, UINT64_MAX};
    Sort *s = &x->own;
    s->n = x->from[me + 1] - x->from[me];
    s->given = given + x->from[me] * s->bytes;
    sort_set_parts(s);
    sort_make_keys(s, x->bits[me]);
    tell(x, x->bits, sizeof *x->bits);
    for (int r = 0; r < x->n; r++) {
        all[0] |= x->bits[r][0];
        all[1] &= x->bits[r][1];
    }
    uint64_t differ = all[0] ^ all[1];
    int bits = differ ? 64 - __builtin_clzll(differ) : 0;
    s->shift = bits > SORT_LONG_DIGIT ? bits - SORT_LONG_DIGIT : 0;
    count_own(x);
    tell(x, x->counts, sizeof *x->counts);
    if (!find_ranges(x, x->from[x->n])) return false;
    s->first = (int32_t)(x->kind->first + x->from[me]);
    sort_place(s);
    send_all(x, x->moved, x->keys, x->key, blocks);
    if (x->places) send_all(x, x->moved_to, x->places, sizeof(int32_t), blocks);
    finish(x, result);
    return true;
}

bool sort_divided(const Sort *kind, Array *f, Array *result, bool order, const CsSite *site)
{
    enum { HALF_MORE = 3, OF = 2 };
    Ranked x = {.kind = kind, .own = *kind, .last = *kind, .n = rt.ranks.size};
    int64_t n = kind->n, from[RANKS_MOST + 1], to[RANKS_MOST + 1];
    if (!rt.ranks.size || (double)n * WORK < rt.ranks.least || n < rt.ranks.size) return false;
    if (f->head.buffer->held && !rt_fill(f->head.buffer, site)) return false;
    x.from = from;
    x.to = to;
    if (!find_from(f, &x) && !part_complete(f->head.buffer, site)) return false;
    x.own.digit = x.last.digit = SORT_LONG_DIGIT;
    x.key = kind->wide ? 8 : 4;
    x.room = n / x.n * HALF_MORE / OF + 1;
    Buffer *room = buffer_new(lay_out(&x, NULL, order), false, site);
    char *at = room ? buffer_host(room, true, site) : NULL;
    RankBlock *blocks = mem_object((size_t)(x.n * x.n) * sizeof *blocks);
    const char *given = at && blocks ? rt_array_part(f, false, site) : NULL;
    char *out = given ? rt_array_part(result, true, site) : NULL;
    FdBox box = rt_array_box(result);
    RowsLayout *layout = out ? rows_layout(rt_type_of(result)->result, &box, 0, 1) : NULL;
    uint64_t plan = 1;
    bool good = layout != NULL;
    if (!good && !cs_pending) rt_throw_memory(site, 0);
    good = ranks_meet(&plan, NULL) && good;
    if (good) lay_out(&x, at, order);
    good = good && sort_by_ranks(&x, given, out, blocks);
    if (good && !(result->head.buffer->part = part_new(layout, to, NULL)))
        rt_throw_memory(site, 0); /* all hear of it at the end */
    mem_object_free(layout);
    mem_object_free(blocks);
    buffer_release(room);
    return good && !cs_pending;
}
