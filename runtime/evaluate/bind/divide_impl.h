/* A division that is being found (divide.c), and what its shares read (needs.c). */
#ifndef CS_RUNTIME_DIVIDE_IMPL_H
#define CS_RUNTIME_DIVIDE_IMPL_H

#include "../../../fdag/index/footprint.h"
#include "../../native/division.h"
#include "divide.h"

typedef struct Divide {
    const Evaluation *e;
    Numbers *n;
    Division *d;
    FdBox box;            /* of the results that are arrays, if they can be divided */
    bool known;           /* they can */
    const FdType **types; /* of their elements; NULL: it is a scalar */
    FdFootprint *reads;   /* by slot of the graph */
    int first, count;     /* along which dimensions */
} Divide;

/* Of a launch: does it take this argument? */
static inline bool launch_takes(const CgLaunch *l, CgArgKind kind, int index)
{
    for (int i = 0; i < l->nargs; i++)
        if (l->args[i].kind == kind && l->args[i].index == index) return true;
    return false;
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

/* Of a launch that is not divided, but is of some rows alone: those. Else NULL. */
const CgCut *cut_only(const Divide *v, const CgLaunch *l);
/* What shares read, by the cuts that launches have. */
void needs_find(Divide *v);
/* Bytes that whoever lacks most of that lacks, of arrays of which ranks have parts. */
double needs_missing(const Divide *v);

#endif
