/* Arrays of numbers in order (stdlib/Sort.cs$), on all cores: by the digits of keys, least significant first.
 *
 *   keys    of each element an unsigned number that orders as the elements do; NaN is the largest
 *   count   a part of the keys each: how often each value of the digit is there
 *   place   the sums of these say where each part's keys go, which keeps the order of equal ones
 *   back    the elements of the keys
 *
 * A digit that is the same in all keys is left out: bytes take one pass, and longs that fit 16 bits two. A few keys
 * are inserted one by one, and those of short arrays have short digits. */
#include <string.h>

#include "../device/memory.h"
#include "../pool.h"
#include "../ranks/ranks.h"
#include "../state.h"
#include "sort.h"

enum {
    NARROW = 256, /* keys that are sorted rather than looked through again */
    ALL = -1,     /* elements */
};

/* ---- keys and elements ------------------------------------------------------------------------ */

/* Without branches: those on signs would be mispredicted. */
#define WIDTH(U, K)                                                                                \
    SORT_FAST static void U##_keys(const Sort *s, int64_t from, int64_t to)                        \
    {                                                                                              \
        const U *restrict a = s->given;                                                            \
        K *restrict keys = s->keys;                                                                \
        U sign = (U)s->sign, low = (U)(sign - 1), infinity = (U)s->infinity;                       \
        U flip = s->order == SIGNED ? sign : 0, nan = s->nan_first ? 0 : (U)(sign | low);          \
        U zero = s->equal_zeros ? sign : low; /* of -0 */                                          \
        if (s->order == REAL)                                                                      \
            for (int64_t i = from; i < to; i++) {                                                  \
                U x = a[i], negative = (U)(0 - (x >> (8 * sizeof(U) - 1)));                        \
                U key = (U)(x ^ (negative | sign));                                                \
                key = x == sign ? zero : key;                                                      \
                keys[i] = (U)(x & low) > infinity ? nan : key;                                     \
            }                                                                                      \
        else                                                                                       \
            for (int64_t i = from; i < to; i++) keys[i] = (U)(a[i] ^ flip);                        \
    }                                                                                              \
    SORT_FAST static void U##_back(const Sort *s, int64_t from, int64_t to)                        \
    {                                                                                              \
        const K *restrict keys = s->keys;                                                          \
        U *restrict a = s->result;                                                                 \
        U sign = (U)s->sign, low = (U)(sign - 1), flip = s->order == SIGNED ? sign : 0;            \
        if (s->order == REAL)                                                                      \
            for (int64_t i = from; i < to; i++) {                                                  \
                U key = (U)keys[i], negative = (U)((key >> (8 * sizeof(U) - 1)) - 1);              \
                a[i] = (U)(key ^ ((negative & low) | sign));                                       \
            }                                                                                      \
        else                                                                                       \
            for (int64_t i = from; i < to; i++) a[i] = (U)((U)keys[i] ^ flip);                     \
    }
WIDTH(uint8_t, uint32_t)
WIDTH(uint16_t, uint32_t)
WIDTH(uint32_t, uint32_t)
WIDTH(uint64_t, uint64_t)
#undef WIDTH

typedef void Convert(const Sort *s, int64_t from, int64_t to);

static int width_of(const Sort *s)
{
    return s->bytes == 1 ? 0 : s->bytes == 2 ? 1 : s->bytes == 4 ? 2 : 3;
}

static void back(const void *job, int64_t from, int64_t to)
{
    static Convert *const backs[] = {uint8_t_back, uint16_t_back, uint32_t_back, uint64_t_back};
    const Sort *s = job;
    for (int64_t p = from; p < to; p++) backs[width_of(s)](s, sort_from(s, p), sort_to(s, p));
}

/* ---- a pass ------------------------------------------------------------------------------------ */

static void make_keys(const void *job, int64_t from, int64_t to)
{
    static Convert *const makes[] = {uint8_t_keys, uint16_t_keys, uint32_t_keys, uint64_t_keys};
    const Sort *s = job;
    for (int64_t p = from; p < to; p++) {
        enum { BLOCK = 2048 }; /* what was written is read again from the cache */
        uint64_t some = 0, all = UINT64_MAX;
        for (int64_t at = sort_from(s, p), end = sort_to(s, p); at < end; at += BLOCK) {
            int64_t stop = at + BLOCK < end ? at + BLOCK : end;
            makes[width_of(s)](s, at, stop);
            for (int64_t i = at; i < stop; i++) {
                uint64_t key = sort_key_at(s->keys, i, s->wide);
                some |= key;
                all &= key;
            }
        }
        s->bits[p][0] = some;
        s->bits[p][1] = all;
    }
}

static void count(const void *job, int64_t from, int64_t to)
{
    const Sort *s = job;
    for (int64_t p = from; p < to; p++) {
        uint32_t *n = sort_counts(s, p), last = sort_values(s) - 1;
        memset(n, 0, sizeof *n * sort_values(s));
        if (s->wide)
            for (int64_t i = sort_from(s, p), end = sort_to(s, p); i < end; i++)
                n[sort_key_at(s->keys, i, true) >> s->shift & last]++;
        else
            for (int64_t i = sort_from(s, p), end = sort_to(s, p); i < end; i++)
                n[sort_key_at(s->keys, i, false) >> s->shift & last]++;
    }
}

static inline __attribute__((always_inline)) void move(const Sort *s, int64_t p, bool wide,
                                                       bool places)
{
    uint32_t *at = sort_counts(s, p), last = sort_values(s) - 1;
    const void *keys = s->keys;
    void *moved = s->moved;
    int32_t *moved_to = s->moved_to;
    const int32_t *from = s->placed ? s->places : NULL;
    int32_t first = s->first;
    int shift = s->shift;
    for (int64_t i = sort_from(s, p), end = sort_to(s, p); i < end; i++) {
        uint64_t key = sort_key_at(keys, i, wide);
        uint32_t to = at[key >> shift & last]++;
        if (wide)
            ((uint64_t *)moved)[to] = key;
        else
            ((uint32_t *)moved)[to] = (uint32_t)key;
        if (places) moved_to[to] = from ? from[i] : (int32_t)(first + i);
    }
}

static void place(const void *job, int64_t from, int64_t to)
{
    const Sort *s = job;
    for (int64_t p = from; p < to; p++) {
        if (s->places && s->wide)
            move(s, p, true, true);
        else if (s->places)
            move(s, p, false, true);
        else if (s->wide)
            move(s, p, true, false);
        else
            move(s, p, false, false);
    }
}

/* Where each part's keys of each value begin. */
static void add_up(const Sort *s)
{
    uint32_t before = 0;
    for (uint32_t v = 0; v < sort_values(s); v++)
        for (int p = 0; p < s->parts; p++) {
            uint32_t *count = sort_counts(s, p) + v, here = *count;
            *count = before;
            before += here;
        }
}

void sort_insert(const Sort *s, int64_t from, int64_t to)
{
    uint64_t *wide = s->keys;
    uint32_t *narrow = s->keys;
    for (int64_t i = from; i < to; i++) {
        uint64_t key = sort_key_at(s->keys, i, s->wide);
        int32_t place = s->places ? s->places[i] : 0;
        int64_t at = i;
        for (; at > from && sort_key_at(s->keys, at - 1, s->wide) > key; at--) {
            if (s->wide)
                wide[at] = wide[at - 1];
            else
                narrow[at] = narrow[at - 1];
            if (s->places) s->places[at] = s->places[at - 1];
        }
        if (s->wide)
            wide[at] = key;
        else
            narrow[at] = (uint32_t)key;
        if (s->places) s->places[at] = place;
    }
}

static void join_bits(const Sort *s, uint64_t bits[2])
{
    bits[0] = 0;
    bits[1] = UINT64_MAX;
    for (int p = 0; p < s->parts; p++) {
        bits[0] |= s->bits[p][0];
        bits[1] &= s->bits[p][1];
    }
}

/* What was moved is what there is. */
static void swap_keys(Sort *s)
{
    void *keys = s->keys;
    s->keys = s->moved;
    s->moved = keys;
    int32_t *places = s->places;
    s->places = s->moved_to;
    s->moved_to = places;
    s->placed = true;
}

void sort_make_keys(Sort *s, uint64_t bits[2])
{
    pool_run(make_keys, s, s->parts);
    join_bits(s, bits);
}

void sort_count(const Sort *s)
{
    pool_run(count, s, s->parts);
}

void sort_place(Sort *s)
{
    add_up(s);
    pool_run(place, s, s->parts);
    swap_keys(s);
}

/* The keys in order, by the digits from bit `low` on that differ. */
static void from_bit(Sort *s, const uint64_t bits[2], int low)
{
    for (s->shift = low; s->shift < 64; s->shift += s->digit) {
        if (((bits[0] ^ bits[1]) >> s->shift & (sort_values(s) - 1)) == 0)
            continue; /* all have the same digit */
        sort_count(s);
        sort_place(s);
    }
}

/* ---- some of them ------------------------------------------------------------------------------ */

/* The keys of each part whose digit is among those asked for, to where they belong. */
static void keep(const void *job, int64_t from, int64_t to)
{
    const Sort *s = job;
    uint64_t last = sort_values(s) - 1;
    for (int64_t p = from; p < to; p++) {
        uint64_t some = 0, all = UINT64_MAX;
        int64_t at = s->kept[p];
        for (int64_t i = sort_from(s, p), end = sort_to(s, p); i < end; i++) {
            uint64_t key = sort_key_at(s->keys, i, s->wide), digit = key >> s->shift & last;
            if (digit < s->least || digit > s->most) continue;
            if (s->wide)
                ((uint64_t *)s->moved)[at] = key;
            else
                ((uint32_t *)s->moved)[at] = (uint32_t)key;
            if (s->places) s->moved_to[at] = s->placed ? s->places[i] : (int32_t)(s->first + i);
            some |= key;
            all &= key;
            at++;
        }
        s->bits[p][0] = some;
        s->bits[p][1] = all;
    }
}

/* The digits of the keys that are number from..to-1 in order, and where what each part keeps goes. How many are
 * before them. */
static int64_t find_kept(Sort *s, int64_t from, int64_t to)
{
    int64_t at = 0, before = 0, sum = 0;
    for (uint32_t v = 0; v < sort_values(s) && at < to; v++) {
        int64_t here = 0;
        for (int p = 0; p < s->parts; p++) here += sort_counts(s, p)[v];
        if (at <= from) {
            s->least = v;
            before = at;
        }
        s->most = v;
        at += here;
    }
    for (int p = 0; p < s->parts; p++) {
        s->kept[p] = sum;
        for (uint64_t v = s->least; v <= s->most; v++) sum += sort_counts(s, p)[v];
    }
    s->kept[s->parts] = sum;
    return before;
}

int64_t sort_narrow(Sort *s, uint64_t bits[2], int64_t from, int64_t to)
{
    int64_t before = 0;
    for (uint64_t differ; s->n > NARROW && (differ = bits[0] ^ bits[1]) != 0;) {
        int top = 64 - __builtin_clzll(differ);
        s->shift = top > s->digit ? top - s->digit : 0;
        sort_count(s);
        int64_t out = find_kept(s, from - before, to - before);
        if (s->kept[s->parts] > s->n / 2) break; /* the passes of all digits are as quick */
        before += out;
        pool_run(keep, s, s->parts);
        swap_keys(s);
        join_bits(s, bits);
        s->n = s->kept[s->parts];
        s->part = s->n;
        if (!s->alone) sort_set_parts(s);
    }
    return before;
}

void sort_back(const Sort *s)
{
    pool_run(back, s, s->parts);
}

void sort_set_parts(Sort *s)
{
    int64_t most = s->n / SORT_PART, units = pool_units();
    s->parts = (int)(most < 1                 ? 1
                     : most < units           ? most
                     : units < SORT_MAX_PARTS ? units
                                              : SORT_MAX_PARTS);
    s->part = (s->n + s->parts - 1) / s->parts;
}

void sort_keys(Sort *s, const uint64_t bits[2])
{
    if (s->n <= SORT_FEW) {
        for (int64_t i = 0; s->places && !s->placed && i < s->n; i++)
            s->places[i] = (int32_t)(s->first + i);
        s->placed = true;
        sort_insert(s, 0, s->n);
        return;
    }
    if (sort_by_buckets(s, bits)) return;
    int low = sort_first_bit(s, bits);
    from_bit(s, bits, low);
    if (low) sort_mend(s, low);
}

size_t sort_room(Sort *s, bool order)
{
    if (!s->alone) sort_set_parts(s);
    s->digit = s->n < SORT_SHORT ? SORT_SHORT_DIGIT : SORT_LONG_DIGIT;
    size_t parts = (size_t)s->parts, key = s->wide ? 8 : 4;
    return parts * (sizeof *s->bits + sizeof *s->counts * sort_values(s)) +
           (size_t)s->n * (2 * key + (order ? 4 : 0));
}

void sort_take_room(Sort *s, char *at, bool order)
{
    size_t parts = (size_t)s->parts, keys = (size_t)s->n * (s->wide ? 8 : 4);
    s->bits = (void *)at;
    s->counts = (void *)(s->bits + parts);
    s->keys = s->counts + parts * sort_values(s);
    s->moved = (char *)s->keys + keys;
    s->places = order ? (void *)((char *)s->moved + keys) : NULL;
    s->placed = false;
}

/* ---- what programs call ------------------------------------------------------------------------ */

void sort_set_kind(Sort *s, ScalarKind kind)
{
    bool real = kind == SC_HALF || kind == SC_FLOAT || kind == SC_DOUBLE;
    s->bytes = (int)scalar_bytes(kind);
    s->wide = s->bytes == 8;
    s->sign = UINT64_C(1) << (8 * s->bytes - 1);
    s->order = real ? REAL : scalar_is_signed(kind) ? SIGNED : PLAIN;
    s->infinity = kind == SC_HALF    ? 0x7c00
                  : kind == SC_FLOAT ? 0x7f800000
                                     : UINT64_C(0x7ff0000000000000);
}

typedef enum Asked {
    ELEMENTS,
    NAN_FIRST, /* elements, but with NaN first */
    INDICES,
    PLACES, /* indices, with NaN first */
} Asked;

/* The first n elements of f, an array, in order; or their indices in it. */
static void *sorted(Array *f, int64_t n_first, Asked asked, const CsSite *site)
{
    bool order = asked == INDICES || asked == PLACES;
    Sort s = {.n = n_first,
              .first = (int32_t)f->head.dim[0].lo,
              .equal_zeros = order,
              .nan_first = asked == NAN_FIRST || asked == PLACES};
    ScalarKind kind = (ScalarKind)f->head.elem;
    sort_set_kind(&s, kind);
    Array *result = rt_array_new((int32_t)(order ? SC_INT : kind), 1, NULL, &s.n, false, site);
    if (!result || s.n == 0) return result;
    if (sort_divided(&s, f, result, order, site)) return result;
    if (cs_pending) {
        cs_release(result);
        return NULL;
    }
    Buffer *room = buffer_new(sort_room(&s, order), false, site);
    char *at = room ? buffer_host(room, true, site) : NULL;
    s.given = at ? rt_array_data(f, site) : NULL;
    s.result = s.given ? rt_array_data(result, site) : NULL;
    if (!s.result) {
        buffer_release(room);
        cs_release(result);
        return NULL;
    }
    sort_take_room(&s, at, order);
    if (order) s.moved_to = s.result;
    uint64_t bits[2];
    sort_make_keys(&s, bits);
    sort_keys(&s, bits);
    if (!order)
        sort_back(&s);
    else if (!s.placed)
        for (int64_t i = 0; i < s.n; i++) ((int32_t *)s.result)[i] = (int32_t)(s.first + i);
    else if (s.places != s.result)
        memcpy(s.result, s.places, (size_t)s.n * 4);
    buffer_release(room);
    return result;
}

/* The first n, or ALL, of what f gives. */
static void *sorted_of(void *fn, int64_t n, Asked asked, const CsSite *site)
{
    ranks_enter();
    Array *f = cs_force(fn, site);
    void *result = f ? sorted(f, n == ALL ? rt_array_count(f) : n, asked, site) : NULL;
    cs_release(f);
    return ranks_leave(result, site);
}

void *cs_sorted(void *fn, const CsSite *site)
{
    return sorted_of(fn, ALL, ELEMENTS, site);
}

void *cs_sorted_first(void *fn, int32_t n, const CsSite *site)
{
    return sorted_of(fn, n, NAN_FIRST, site);
}

void *cs_sorted_order(void *fn, const CsSite *site)
{
    return sorted_of(fn, ALL, INDICES, site);
}

void *cs_sorted_places(void *fn, const CsSite *site)
{
    return sorted_of(fn, ALL, PLACES, site);
}
