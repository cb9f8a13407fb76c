/* Recurrences that are scans: an element follows from the one before it by a step, and steps after
 * each other are a step of the same form, so that many are taken at once.
 *
 *   s(i) = reset(i) ? add(i) : (s(i - 1) * mul(i)) + add(i)
 *
 * over any + and * of which the second distributes over the first: + *, max +, min +, max min,
 * | &, ^ &, or one of them alone. Which it is, is read off the operations between s(i - 1) and s(i)
 * (Kogge and Stone, IEEE Trans. Comput. 1973; Blelloch, CMU-CS-90-190). */
#ifndef CS_CODEGEN_SCAN_H
#define CS_CODEGEN_SCAN_H

#include "interior.h"

enum { SCAN_NUMBERS = 3 }; /* of a step: factor, summand, whether it forgets what came before */

typedef struct Scan {
    int dim;                                                  /* the variable that it runs along */
    const FdNode *read;                                       /* the element before */
    int n;                                                    /* numbers of a step */
    const FdNode *step[SCAN_NUMBERS];                         /* at a position */
    const FdNode *identity[SCAN_NUMBERS];                     /* of no step at all */
    const FdNode *first[SCAN_NUMBERS], *second[SCAN_NUMBERS]; /* variables */
    const FdNode *both[SCAN_NUMBERS];                         /* first, then second */
    const FdNode *before;                                     /* a variable */
    const FdNode *after; /* the element that second makes of the one before */
    bool commutes;       /* one number, of an operation that commutes */
    bool grows;          /* the first number is a product of reals, which can overflow */
} Scan;

/* The scan that an interior is; NULL: it is none. `exact`: reals keep their order. */
const Scan *scan_of(Unit *u, Interior *in, bool exact);

#endif
