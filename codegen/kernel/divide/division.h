/* How the launches of a schedule are divided over ranks, or over blocks one after the other (CS_BLOCKS): by items, so that each
 * does what it does in any case, and the bits are the same. What nobody knows how to divide all do, each for itself. */
#ifndef CS_CODEGEN_DIVISION_H
#define CS_CODEGEN_DIVISION_H

#include "../codegen.h"
#include "rows.h"

enum { NEED_BOXES = 6 };

/* What a share reads of an array. */
typedef struct Need {
    bool all;
    int n;
    FdBox boxes[NEED_BOXES];
} Need;

typedef struct DividedLaunch {
    const CgCut *cut;   /* NULL: each does all of it */
    int64_t *from, *to; /* share s does items from[s] to to[s] - 1 of dimension cut->dim */
    bool
        gathered; /* what it writes of temporaries others need: all of it, or (own) what they read */
    bool own;     /* each share reads of its temporaries what lies around its own positions */
    int64_t *lo, *hi; /* own: these */
    bool late; /* each does all of it, and gets what it reads once it acts (CgLaunch.again) */
    bool told; /* its errors all must know before they go on */
} DividedLaunch;

typedef struct Division {
    int n; /* shares */
    int nlaunches, nslots;
    DividedLaunch *launches;
    Need *needs; /* of share s and slot k (in the plan's order): needs[s * nslots + k] */
    int nouts;
    const RowsLayout *
        *outs; /* of each result that is divided, by the same rows; NULL: all have all of it */
    int64_t *
        own; /* those rows: share s computes own[s] to own[s + 1] - 1; others of an array that exists stay */
    FdBox *boxes;            /* of slots */
    const FdType **elements; /* and their elements' types; NULL: a scalar */
    uint64_t hash;           /* of all this */
} Division;

/* Items of a launch, from..to-1 of one dimension: what share does of the k-th of its cut's repeats. */
typedef struct DivisionRange {
    int dim;
    int64_t from, to;
} DivisionRange;

static inline DivisionRange division_range(const DividedLaunch *l, int share, int64_t k)
{
    const CgCut *c = l->cut;
    int64_t at = k * c->span, from = l->from[share], to = l->to[share];
    int64_t done = (at - c->span + to * c->each + c->by - 1) / c->by; /* by the one before */
    if (from >= to) return (DivisionRange){c->dim, 0, 0};
    from = (at + from * c->each) / c->by;
    to = (at + to * c->each + c->by - 1) / c->by;
    return (DivisionRange){c->dim, k && from < done ? done : from, to};
}

/* The range of entries of a temporary that a share writes. */
static inline void division_entries(const DividedLaunch *l, const CgWrite *w, int share,
                                    int64_t *lo, int64_t *hi)
{
    int64_t step = l->cut->step, n = l->cut->n, from = l->cut->from;
    int64_t end = l->to[share] * step;
    bool groups = w->each > 0;
    *lo = groups ? l->from[share] : from + l->from[share] * step;
    *hi = groups ? l->to[share] : from + (end < n ? end : n);
    if (*hi > w->entries) *hi = w->entries;
    if (*lo > *hi) *lo = *hi;
}

/* Entries of a temporary that go from one share to another. */
static inline bool division_sent(const DividedLaunch *l, const CgWrite *w, int from, int to,
                                 int64_t *lo, int64_t *hi)
{
    division_entries(l, w, from, lo, hi);
    if (l->own && *lo < l->lo[to]) *lo = l->lo[to];
    if (l->own && *hi > l->hi[to]) *hi = l->hi[to];
    return from != to && w->kind == CG_ARG_TEMP && !w->own && *lo < *hi;
}

/* May a launch read what others' items do? temp: the memory of its cut's temporary. */
bool division_reads_all(const CgCut *c, const void *temp, size_t bytes);

/* The rows of an array that each share reads. */
static inline void division_rows(const Division *d, int slot, const RowsLayout *l, Rows *out)
{
    for (int s = 0; s < d->n; s++) {
        const Need *need = &d->needs[s * d->nslots + slot];
        out[s] = (Rows){0};
        if (need->all) rows_add(&out[s], 0, l->rows);
        for (int i = 0; !need->all && i < need->n; i++)
            rows_of_box(l, &d->boxes[slot], &need->boxes[i], &out[s]);
    }
}

#endif
