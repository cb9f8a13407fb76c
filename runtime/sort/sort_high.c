/* Long keys by their high digits (sort.h): as many as tell so many keys apart. Keys that are alike there lie side by side
 * then, and what is below puts these in order. Six passes over doubles are three and this one.
 *
 * Where some keys show that many are alike, all digits are taken, as of few bits. */
#include <string.h>

#include "../pool.h"
#include "../state.h"
#include "sort.h"

enum {
    MANY = 256, /* keys that are worth it */
    SAMPLE = 128
};

#define BITS(U)                                                                                    \
    SORT_FAST static void U##_bits(const U *keys, int64_t from, int64_t to, uint64_t bits[2])      \
    {                                                                                              \
        U some = 0, all = (U)-1;                                                                   \
        for (int64_t i = from; i < to; i++) {                                                      \
            some |= keys[i];                                                                       \
            all &= keys[i];                                                                        \
        }                                                                                          \
        bits[0] = some;                                                                            \
        bits[1] = all;                                                                             \
    }
BITS(uint32_t)
BITS(uint64_t)
#undef BITS

void sort_some(const Sort *s, int64_t part, int64_t from, int64_t to)
{
    size_t key = s->wide ? 8 : 4, at = (size_t)from * key, bytes = (size_t)(to - from) * key;
    Sort t = *s;
    uint64_t of_part[1][2], bits[2];
    if (s->wide)
        uint64_t_bits(s->keys, from, to, bits);
    else
        uint32_t_bits(s->keys, from, to, bits);
    t.n = t.part = to - from;
    t.parts = 1;
    t.alone = true;
    t.order = PLAIN; /* exponents are among what is alike */
    t.digit = t.n < SORT_SHORT ? SORT_SHORT_DIGIT : s->digit;
    t.keys = (char *)s->keys + at;
    t.moved = (char *)s->moved + at;
    t.places = s->places ? s->places + from : NULL;
    t.moved_to = s->places ? s->moved_to + from : NULL;
    t.counts = sort_counts(s, part);
    t.bits = of_part;
    sort_keys(&t, bits);
    if (t.keys == (char *)s->keys + at) return;
    memcpy((char *)s->keys + at, t.keys, bytes);
    if (s->places) memcpy(s->places + from, t.places, (size_t)t.n * 4);
}

/* The runs of keys that are alike from s->shift on and begin in these parts. */
static void mend(const void *job, int64_t from, int64_t to)
{
    const Sort *s = job;
    for (int64_t p = from; p < to; p++) {
        int64_t i = sort_from(s, p), end = sort_to(s, p);
        uint64_t high = 0;
        if (i > 0 && i < end) {
            high = sort_key_at(s->keys, i - 1, s->wide) >> s->shift;
            while (i < end && sort_key_at(s->keys, i, s->wide) >> s->shift == high) i++;
        }
        while (i < end) {
            int64_t first = i++;
            high = sort_key_at(s->keys, first, s->wide) >> s->shift;
            while (i < s->n && sort_key_at(s->keys, i, s->wide) >> s->shift == high) i++;
            if (i - first > SORT_FEW)
                sort_some(s, p, first, i);
            else if (i - first > 1)
                sort_insert(s, first, i);
        }
    }
}

/* Are keys that differ hardly ever alike from bit `low` on? As far as some of them tell. */
static bool tells_apart(const Sort *s, int low)
{
    uint64_t some[SAMPLE];
    int alike = 0;
    for (int i = 0; i < SAMPLE; i++) {
        uint64_t key = sort_key_at(s->keys, s->n * i / SAMPLE, s->wide);
        int at = i;
        for (; at > 0 && some[at - 1] > key; at--) some[at] = some[at - 1];
        some[at] = key;
    }
    for (int i = 1; i < SAMPLE; i++)
        alike += some[i] != some[i - 1] && some[i] >> low == some[i - 1] >> low;
    return alike <= SAMPLE / 64;
}

int sort_first_bit(const Sort *s, const uint64_t bits[2])
{
    uint64_t differ = bits[0] ^ bits[1];
    if (s->n < MANY || !differ) return 0;
    int exponent = s->order != REAL ? 0 : s->bytes == 8 ? 11 : s->bytes == 4 ? 8 : 5;
    int top = 64 - __builtin_clzll(differ),
        wanted = 64 - __builtin_clzll((uint64_t)s->n) + 1 + exponent;
    int low = top - (wanted + s->digit - 1) / s->digit * s->digit;
    bool saves = low - __builtin_ctzll(differ) > s->digit; /* one pass is what mending takes */
    return saves && tells_apart(s, low) ? low : 0;
}

void sort_mend(Sort *s, int low)
{
    s->shift = low;
    pool_run(mend, s, s->parts);
}
