/* Where an integer can be: a few intervals (spans.h), and how far it is from a number that nobody knows, its
 * base, which cancels where two ranges have the same. What footprints ask of indices, and plans of numbers
 * that are bound later.
 */
#ifndef CS_FDAG_RANGE_H
#define CS_FDAG_RANGE_H

#include "../footprint/spans.h"

typedef struct FdRange {
    FdSpans is;
    uint32_t base;    /* counted from 1; 0: none */
    int64_t from, to; /* base + from .. base + to; INT64_MIN, INT64_MAX: there is no such end */
} FdRange;

FdRange fd_range(FdSpans is);                     /* near no base */
FdRange fd_range_near(uint32_t base, int64_t by); /* base + by, whatever that is */
FdRange fd_range_join(const FdRange *a,
                      const FdRange *b); /* either; near a base if both are near it */

/* op of both, ADD, SUB, MIN or MAX; of others only the intervals. k: as fd_spans_op has it, SC_COUNT:
 * as fd_spans_endless. bases: where each base can be, NULL: anywhere. */
FdRange fd_range_op(FdOp op, ScalarKind k, const FdRange *a, const FdRange *b, const FdSpan *bases);
/* Is a op b, a comparison, so of all of both? 1, 0, or -1: of some. */
int fd_range_compare(FdOp op, const FdRange *a, const FdRange *b);

#endif
