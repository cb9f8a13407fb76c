/* The interior of a recurrence: where the conditions at its borders are decided. The first positions
 * of each ordered variable are left out, as many as the conditions need:
 *
 *   before   i == 0 || j == 0 ? 0 : max(h(i - 1, j), h(i, j - 1)) + a(i - 1, j)   i: 0..n, j: 0..m
 *   after    max(h(i - 1, j), h(i, j - 1)) + a(i - 1, j)                          i: 1..n, j: 1..m
 *
 * Where the reads of what is left are inside for all of its positions, nothing in it is checked. */
#ifndef CS_CODEGEN_INTERIOR_H
#define CS_CODEGEN_INTERIOR_H

#include "analysis.h"

enum { INTERIOR_READS = 64 };

/* A read of the recurrence itself, and how many positions before each variable's own it reads,
 * counted in the direction of the order. */
typedef struct InteriorRead {
    const FdNode *node;
    bool constant[FD_MAX_RANK];
    int64_t before[FD_MAX_RANK];
} InteriorRead;

typedef struct Interior {
    bool first;             /* interior_of_slices */
    Def *def;               /* with the conditions decided; the ranges are those of the whole */
    FdDom *doms;            /* where that holds */
    Num *skip[FD_MAX_RANK]; /* positions of a variable that it leaves out, the first in the order */
    Num *n[FD_MAX_RANK];    /* those that it has */
    bool down[FD_MAX_RANK];
    bool stays[FD_MAX_RANK]; /* every read of itself has the variable's own value there */
    bool
        slices; /* reads of itself have earlier values of the first variable, which is the outermost */
    bool forward; /* nothing reads at a later position of any variable, not at the borders either */
    Num *safe;    /* all reads are inside */
    int nreads;   /* -1: too many, or the recurrence is used otherwise */
    InteriorRead reads[INTERIOR_READS];
    const struct Scan *scan; /* NULL: not found, or not looked for yet */
    const struct Wave *wave; /* the same */
    bool scanned, waved;
    const char *not_scanned; /* NULL: it is a scan, or has not been looked at */
} Interior;

/* The interior of a recurrence, made once; the plan gets no line. NULL: it has no order. */
Interior *interior_of(Unit *u, const Def *d);
/* The same where only conditions about the first variable are decided, and only it is narrowed. */
Interior *interior_of_slices(Unit *u, const Def *d);

#endif
