/* Keys in order (sort.c), along rows (sort_rows.c), side by side (sort_lanes.c), by high digits (sort_high.c), by buckets
 * (sort_buckets.c), and over ranks (sort_divided.c). */
#ifndef CS_RUNTIME_SORT_H
#define CS_RUNTIME_SORT_H

#include "../value.h"

enum {
    SORT_LONG_DIGIT =
        11, /* bits: three passes over ints; more streams to write would miss the TLB */
    SORT_SHORT_DIGIT = 8, /* of short arrays, which take less time than a table of many values */
    SORT_SHORT = 1 << 10, /* arrays with short digits */
    SORT_MAX_PARTS = 256,
    SORT_FEW = 48,      /* keys that are inserted one by one */
    SORT_LANES = 16,    /* rows of keys of 32 bits side by side; half of 64 bits */
    SORT_PART = 1 << 13 /* keys that are worth a part of their own */
};

/* Loops that are worth vectors. */
#if defined __GNUC__ && !defined __clang__
#define SORT_FAST __attribute__((optimize("O3")))
#else
#define SORT_FAST
#endif

typedef enum Order { PLAIN, SIGNED, REAL } Order;

typedef struct Sort {
    int64_t n, part; /* keys; of a part */
    int parts, bytes;
    Order order;
    bool wide, equal_zeros; /* keys of 64 bits; -0 is 0 */
    bool nan_first;
    bool alone; /* one part, since a thread has it */
    uint64_t sign, infinity;
    const void *given;
    void *result;
    void *keys, *moved;         /* this pass takes those from here to there */
    int32_t *places, *moved_to; /* NULL: the elements are asked for; what is asked for otherwise */
    int32_t first;              /* of the domain */
    bool placed;                /* places are there: before the first pass they are 0, 1, .. */
    int shift, digit;           /* bits */
    uint32_t *counts;     /* of each part, each value of this digit; then where its next key goes */
    uint64_t (*bits)[2];  /* of each part: those that some key has, and those that all have */
    uint64_t least, most; /* digits that are kept.. */
    int64_t
        kept[SORT_MAX_PARTS + 1]; /* ..and where each part's keys of these go; how many they are */
} Sort;

static inline uint64_t sort_key_at(const void *keys, int64_t i, bool wide)
{
    return wide ? ((const uint64_t *)keys)[i] : ((const uint32_t *)keys)[i];
}

void sort_set_kind(Sort *s, ScalarKind kind);
/* Bytes that sorting n keys takes beside what is given and asked for; sets the parts. Of an order `moved_to` is the caller's. */
size_t sort_room(Sort *s, bool order);
void sort_take_room(Sort *s, char *at, bool order);
static inline int64_t sort_from(const Sort *s, int64_t part)
{
    return part * s->part;
}

static inline uint32_t sort_values(const Sort *s)
{
    return UINT32_C(1) << s->digit;
}

static inline uint32_t *sort_counts(const Sort *s, int64_t part)
{
    return s->counts + (part << s->digit);
}

static inline int64_t sort_to(const Sort *s, int64_t part)
{
    int64_t to = (part + 1) * s->part;
    return to < s->n ? to : s->n;
}

/* Into how many parts n keys go. */
void sort_set_parts(Sort *s);
/* The keys of what is given; bits: those that some key has, and those that all have. */
void sort_make_keys(Sort *s, uint64_t bits[2]);
/* How often each part has each value of the digit at s->shift. */
void sort_count(const Sort *s);
/* The keys by that digit, once they are counted; keys and moved, places and moved_to change places. Of the last part the counts
 * become where each value's keys end. */
void sort_place(Sort *s);
/* The bit from which on so many keys are rarely alike; 0: the digits below are few, or do not tell keys apart. */
int sort_first_bit(const Sort *s, const uint64_t bits[2]);
/* Keys that are alike from bit `low` on, in the order of what is below. */
void sort_mend(Sort *s, int low);
/* Many keys: by their highest digit, then each value's by themselves, in the cache. False, having done nothing: there are few, or
 * one value has too many of them. */
bool sort_by_buckets(Sort *s, const uint64_t bits[2]);
/* Puts each bucket in order: value v's ends at ends[v], where that of v + 1 begins. */
void sort_buckets(const Sort *s, const uint32_t *ends);
/* Keys from..to-1 in order, where they are, by one thread with the table of this part. */
void sort_some(const Sort *s, int64_t part, int64_t from, int64_t to);
/* Keys from..to-1, one by one. */
void sort_insert(const Sort *s, int64_t from, int64_t to);
/* The same, or one by one where they are few. */
void sort_keys(Sort *s, const uint64_t bits[2]);
/* Leaves out keys that are not number from..to-1 in order, while that is quicker than sorting them. How many of these come
 * before what is left. Sets n. */
int64_t sort_narrow(Sort *s, uint64_t bits[2], int64_t from, int64_t to);
/* The elements of keys 0..n-1 to the result. */
void sort_back(const Sort *s);

/* Rows of n keys in order, n a multiple of 8. They lie side by side: the first key of each, then the second. */
void sort_side_by_side(void *keys, int64_t n, bool wide);

/* The first s->n elements of f, of a set kind, by all ranks: each gets those of a range of keys. False, having done nothing: it is not worth
 * it, or an exception is pending. */
bool sort_divided(const Sort *s, Array *f, Array *result, bool order, const CsSite *site);

#endif
