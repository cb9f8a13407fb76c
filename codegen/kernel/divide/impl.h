/* A division that is being found (divide.c, own.c), and what its shares read (needs.c). */
#ifndef CS_CODEGEN_DIVIDE_IMPL_H
#define CS_CODEGEN_DIVIDE_IMPL_H

#include "divide.h"

enum { /* operations that a byte sent to all has to be worth: of results of parts; of whole temporaries, which others send too */
       BYTE_WORK = 16,
       INNER_WORK = 64
};

typedef struct Divide {
    const DivideInput *in;
    Division *d;
    FdBox box;            /* of the results that are arrays, if they can be divided */
    bool known;           /* they can */
    const FdType **types; /* of their elements; NULL: it is a scalar */
    FdFootprint *reads;   /* by slot of the graph */
    int first, count;     /* along which dimensions */
    bool late;            /* launches that mostly do nothing are not cut with the others */
} Divide;

/* Of a launch: does it take this argument? */
static inline bool launch_takes(const CgLaunch *l, CgArgKind kind, int index)
{
    for (int i = 0; i < l->nargs; i++)
        if (l->args[i].kind == kind && l->args[i].index == index) return true;
    return false;
}

/* May it report an error? */
static inline bool launch_tells(const CgLaunch *l)
{
    return !l->quiet && launch_takes(l, CG_ARG_ERROR, 0);
}

static inline int64_t cut_groups(const CgCut *c)
{
    return c->step > 0 ? (c->n + c->step - 1) / c->step : 0;
}

/* Bytes that it writes in all. */
static inline double write_bytes(const CgWrite *w)
{
    return (double)w->segments * (double)w->entries * (double)w->bytes;
}

/* Rows of the first variable, which may be a reduction's. */
static inline bool cut_is_first(const CgCut *c)
{
    return c->first == 0 && c->count == 1 && c->from == 0;
}

/* Positions, counted from the first that it does, that items from..to-1 of a cut do. */
static inline void cut_positions(const CgCut *c, int64_t from, int64_t to, int64_t *lo, int64_t *hi)
{
    *lo = from * c->step;
    *hi = to * c->step < c->n ? to * c->step : c->n;
    int64_t beside = from < to && c->each % c->by ? (c->by + c->each - 2) / c->each : 0;
    *lo = *lo > beside ? *lo - beside : 0;
    *hi = *hi + beside < c->n ? *hi + beside : c->n;
    bool last = to == cut_groups(c) && from < to; /* it may begin earlier */
    if (last && c->n >= c->step && *lo > c->n - c->step) *lo = c->n - c->step;
}

/* Launch i writes temporaries of which those that read them want positions around their own: each share makes those. False:
 * not so. What reads them is cut already. */
bool own_cut(Divide *v, int i);
/* Would all get what launch i writes of a temporary, by this cut, over what another makes for each share by itself? */
bool own_conflicts(const Divide *v, int i, const CgCut *c);
/* What share s needs for what launch i, cut so, reads. */
void own_needs(Divide *v, int i, int s, Need *needs);
/* What positions lo..hi-1 of a cut read of the arrays that launch l takes. */
void needs_of_positions(Divide *v, const CgLaunch *l, const CgCut *c, int64_t lo, int64_t hi,
                        Need *needs);
void needs_all(const Divide *v, const CgLaunch *l, Need *needs);

/* Of a launch that is not divided, but is of some rows alone: those. Else NULL. */
const CgCut *cut_only(const Divide *v, const CgLaunch *l);
/* What shares read, by the cuts that launches have. */
void needs_find(Divide *v);
/* Bytes that whoever lacks most of that lacks, of arrays of which ranks have parts. */
double needs_missing(const Divide *v);

#endif
