/* Many keys by buckets (sort.h): one pass by the highest digit takes each key to its bucket. Then each bucket is sorted where
 * it lies, by a thread, in the cache, rather than all keys be moved through memory once more a digit. */
#include <string.h>

#include "../pool.h"
#include "../state.h"
#include "sort.h"

enum {
    MANY = 1 << 23, /* keys of 32 bits; longer ones have few passes in any case (sort_high.c) */
    SAMPLE = 1024,
    SHARES = 4 /* buckets for a thread, at least */
};

typedef struct Buckets {
    const Sort *s;
    const uint32_t *ends;
} Buckets;

/* Those that begin in these parts. */
static void sort_parts(const void *job, int64_t from, int64_t to)
{
    const Buckets *b = job;
    for (int64_t p = from; p < to; p++) {
        int64_t first = sort_from(b->s, p), end = sort_to(b->s, p), begin = 0;
        for (uint32_t v = 0; v < sort_values(b->s) && begin < end; v++) {
            if (begin >= first && begin < b->ends[v]) sort_some(b->s, p, begin, b->ends[v]);
            begin = b->ends[v];
        }
    }
}

void sort_buckets(const Sort *s, const uint32_t *ends)
{
    pool_run(sort_parts, &(Buckets){s, ends}, s->parts);
}

/* Has each thread several buckets to do, as far as some keys tell? */
static bool are_even(const Sort *s)
{
    uint16_t n[1 << SORT_LONG_DIGIT] = {0};
    int most = 0;
    for (int i = 0; i < SAMPLE; i++) {
        uint64_t key = sort_key_at(s->keys, s->n * i / SAMPLE, s->wide);
        uint32_t v = (uint32_t)(key >> s->shift) & (sort_values(s) - 1);
        most = ++n[v] > most ? n[v] : most;
    }
    return most * SHARES * s->parts <= SAMPLE;
}

bool sort_by_buckets(Sort *s, const uint64_t bits[2])
{
    uint32_t ends[1 << SORT_LONG_DIGIT];
    uint64_t differ = bits[0] ^ bits[1];
    int top = differ ? 64 - __builtin_clzll(differ) : 0;
    if (s->n < MANY || s->wide || s->digit != SORT_LONG_DIGIT || top <= s->digit) return false;
    s->shift = top - s->digit;
    if (!are_even(s)) return false;
    sort_count(s);
    sort_place(s);
    memcpy(ends, sort_counts(s, s->parts - 1), sizeof ends);
    sort_buckets(s, ends);
    return true;
}
