/* The inverse of a permutation (stdlib/Array.cs$), on all cores: each index to the place of its value, then each is looked for
 * there. An index that is not found has the value of another. */
#include "../pool.h"
#include "../ranks/ranks.h"
#include "../state.h"

enum {
    PIECE = 1 << 14, /* indices of a piece of work */
    AHEAD = 32       /* places that are asked for before it is their turn */
};

typedef struct Inverse {
    const int32_t *given;
    int32_t *result;
    int64_t n, lo;
    int64_t *outside,
        *twice; /* the least index of a value outside, the least value that is there twice; n: none */
} Inverse;

static void least(int64_t *of, int64_t x)
{
    int64_t now = __atomic_load_n(of, __ATOMIC_RELAXED);
    while (x < now &&
           !__atomic_compare_exchange_n(of, &now, x, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static int64_t end_of(const Inverse *x, int64_t to)
{
    return to * PIECE < x->n ? to * PIECE : x->n;
}

/* Of the value of element i, wherever that is. */
static const void *place_of(const Inverse *x, int64_t i)
{
    return (const void *)((uintptr_t)x->result + 4 * (uintptr_t)(x->given[i] - x->lo));
}

static void put(const void *job, int64_t from, int64_t to)
{
    const Inverse *x = job;
    for (int64_t i = from * PIECE, end = end_of(x, to); i < end; i++) {
        int64_t k = x->given[i] - x->lo;
        if (i + AHEAD < end) __builtin_prefetch(place_of(x, i + AHEAD), 1);
        if (k < 0 || k >= x->n)
            least(x->outside, i);
        else
            __atomic_store_n(&x->result[k], (int32_t)i, __ATOMIC_RELAXED);
    }
}

static void look(const void *job, int64_t from, int64_t to)
{
    const Inverse *x = job;
    for (int64_t i = from * PIECE, end = end_of(x, to); i < end; i++) {
        int64_t k = x->given[i] - x->lo;
        if (i + AHEAD < end) __builtin_prefetch(place_of(x, i + AHEAD));
        if (x->result[k] != i) least(x->twice, k);
    }
}

static Array *inverse(Array *f, const CsSite *site)
{
    int64_t outside = f->head.dim[0].n, twice = outside;
    Inverse x = {.n = outside, .lo = f->head.dim[0].lo, .outside = &outside, .twice = &twice};
    Array *result = rt_array_new(SC_INT, 1, &x.lo, &x.n, false, site);
    if (!result || x.n == 0) return result;
    x.given = rt_array_data(f, site);
    x.result = x.given ? rt_array_data(result, site) : NULL;
    int64_t pieces = (x.n + PIECE - 1) / PIECE;
    if (x.result) pool_run(put, &x, pieces);
    if (x.result && outside == x.n) pool_run(look, &x, pieces);
    if (x.result && outside < x.n)
        rt_throw(RT_ARGUMENT, site, "no permutation: element %lld is %d, outside %lld..%lld",
                 (long long)(outside + x.lo), x.given[outside], (long long)x.lo,
                 (long long)(x.lo + x.n));
    else if (x.result && twice < x.n)
        rt_throw(RT_ARGUMENT, site, "no permutation: %lld is there twice",
                 (long long)(twice + x.lo));
    else if (x.result) {
        for (int64_t i = 0; x.lo && i < x.n; i++) x.result[i] += (int32_t)x.lo;
        return result;
    }
    cs_release(result);
    return NULL;
}

void *cs_inverse(void *fn, const CsSite *site)
{
    ranks_enter();
    Array *f = cs_force(fn, site);
    void *result = f ? inverse(f, site) : NULL;
    cs_release(f);
    return ranks_leave(result, site);
}
