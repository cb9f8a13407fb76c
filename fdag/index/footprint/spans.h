/* Sets of integers as a few intervals: what an index can be. An operation on two sets gives one that
 * holds all results; where it has no better answer, all that the type has. Intervals that are apart stay
 * apart, so that (i + 1) % n over the end of a range is its last values and 0, not everything.
 */
#ifndef CS_FDAG_SPANS_H
#define CS_FDAG_SPANS_H

#include "../../fdag.h"

enum { FD_SPANS = 4 };

typedef struct FdSpan {
    int64_t lo, hi; /* both included */
} FdSpan;

typedef struct FdSpans {
    int n;                 /* 0: no number at all */
    FdSpan span[FD_SPANS]; /* ascending, with numbers between them */
} FdSpans;

static inline int64_t fd_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline int64_t fd_most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

FdSpans fd_spans(int64_t lo, int64_t hi); /* lo > hi: none */
FdSpans fd_spans_of(ScalarKind k);        /* all that the type has; of a ulong all longs */
bool fd_spans_bounded(const FdSpans *s, ScalarKind k); /* is it less than that, and not empty? */
FdSpan fd_spans_hull(const FdSpans *s);                /* of none lo > hi */
/* Beyond FD_SPANS intervals the nearest become one. */
FdSpans fd_spans_join(const FdSpans *a, const FdSpans *b);
FdSpans fd_spans_meet(const FdSpans *a, const FdSpans *b);

/* What op gives of integers in a and b (of one operand: b is not looked at), in type k. */
FdSpans fd_spans_op(FdOp op, ScalarKind k, const FdSpans *a, const FdSpans *b);
/* The same of numbers without a type, as plans have: nothing wraps, and INT64_MIN and INT64_MAX say that
 * there is no end. */
FdSpans fd_spans_endless(FdOp op, const FdSpans *a, const FdSpans *b);
FdSpans fd_spans_convert(const FdSpans *a, ScalarKind k);
/* Is a op b, a comparison, so of all of both? 1, 0, or -1: of some. */
int fd_spans_compare(FdOp op, const FdSpans *a, const FdSpans *b);

#endif
