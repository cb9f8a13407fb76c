/* What hoisting (hoist.c) knows of expressions and of their places (hoist_where.c). */
#ifndef CS_FDAG_HOIST_H
#define CS_FDAG_HOIST_H

#include "../internal.h"

/* A condition under which a node is evaluated, behind those around it. */
typedef struct HoistGuard {
    const struct HoistGuard *up;
    const FdNode *cond;
    bool truth;
} HoistGuard;

/* Where a node is evaluated: under these conditions; not known: in branches that differ. */
typedef struct HoistWhere {
    bool met, known;
    const HoistGuard *guard;
} HoistWhere;

/* Could evaluating n outside of its branch fail? */
bool hoist_may_fail(const FdNode *n);
/* A child of n, its number k of count, is evaluated where n is, or in a branch of that. */
void hoist_use_at(Fd *fd, const FdNode *n, int k, int count, const HoistWhere *of,
                  HoistWhere *child);
/* Is it an element where its indices are inside, else zero, of variables that are used together only (i - p)? A copy with
 * a border is small then (hoist_zeros.c). */
bool hoist_ends_in_zeros(const FdNode *n);
/* n where its guards hold, else 0; NULL: they are of other variables, or can fail themselves where nothing asks for
 * them. asked: what is evaluated at each point whatever loops are empty. */
const FdNode *hoist_with_guards(Fd *fd, const FdNode *n, const HoistWhere *where,
                                const FdiMap *asked);
/* Narrows the ranges of a sum's variables to where all conditions around it hold; false: they are about others, say more,
 * or no number of the program is in them. */
bool hoist_where_all_hold(Fd *fd, const FdNode *n, const HoistGuard *guard, FdDom *doms);

#endif
