/* Several evaluations as one, while they are made (ahead.c, ahead_make.c, ahead_all.c). */
#ifndef CS_RUNTIME_AHEAD_GROUP_H
#define CS_RUNTIME_AHEAD_GROUP_H

#include "../../objects/record.h"
#include "../plan.h"
#include "ahead.h"

typedef struct Ahead {
    CsAhead *group;
    Graph *graph;
    CsValue *captures;          /* of the graph; references are ours */
    int part;                   /* that comes next */
    bool held;                  /* its parts are better held back */
    const int32_t *at;          /* its slots in group->slots */
    Array **arrays;             /* one a part, ours; NULL: scalars */
    ScalarValue *leaves, *leaf; /* of all scalars; the first of the part that comes next */
    PlanLines *lines;           /* for dumps; NULL: nobody asks */
    bool keeps;                 /* it has a reference to each capture */
    Array *
        *unfilled; /* of parts that are no results, by part: small ones that they got last; ours */
    bool may_hide; /* such a part may report something, whatever the ranges are */
} Ahead;

static const CsSite nowhere = {"", "", 0, 0}; /* of errors that nobody sees */

/* All parts by one evaluation: each gets its array or scalars. False if it is none, perhaps with an exception
 * pending. */
bool ahead_make(Ahead *a);
/* The same of arrays that have the same ranges. */
bool ahead_make_arrays(Ahead *a);
/* May a part that is no result (CsAhead.inner) report something? */
bool ahead_hides(const Ahead *a);
/* Does evaluating it call the program? */
bool ahead_calls_host(const Graph *g, const CsValue *captures, uint32_t visit);

#endif
