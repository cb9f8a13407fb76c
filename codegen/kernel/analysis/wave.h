/* Recurrences over two variables as wavefronts: rows side by side in lanes, each `skew` columns
 * behind the one before, so that what an element reads is there.
 *
 *   h(i, j) from h(i - 1, j), h(i, j - 1), h(i - 1, j - 1): skew 1
 *
 *   step t      lane 0 is at column t, lane 1 at t - 1, ..
 *   step t + 1  reads step t: of its own lane h(i, j - 1), of the lane before h(i - 1, j);
 *               and of step t - 1 of the lane before h(i - 1, j - 1)
 *
 * The body is said anew over the number of the row and of the step (Wolfe, Loop skewing: the
 * wavefront method revisited, 1986). */
#ifndef CS_CODEGEN_WAVE_H
#define CS_CODEGEN_WAVE_H

#include "interior.h"

enum { WAVE_DEPTH = 4, WAVE_FAR = 8 };

typedef struct WaveRead { /* of the recurrence itself, in `body` */
    const FdNode *node;
    bool above; /* of the row before; else of this one */
    int age;    /* how many steps ago: of its own row 1 at least, of the row before counted from the
                   latest that it can have */
} WaveRead;

typedef struct Wave {
    int row, column; /* variables of the definition, in their order */
    int skew;
    const FdNode *at, *step; /* row, column + skew * row, as positions in the whole range */
    const FdNode *body;
    int nreads;
    WaveRead reads[INTERIOR_READS];
    int own, above; /* so many steps of the row, and of the row before, are read */
    int nfar;       /* reads that do not move by one from row to row */
    const FdNode *far[WAVE_FAR];
} Wave;

/* The wavefront that an interior is; NULL: it is none, or its body cannot be in lanes. */
const Wave *wave_of(Unit *u, Interior *in);

#endif
