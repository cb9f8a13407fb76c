/* Footprints: which elements of its slots the evaluation of a box of a graph's root reads (bounds
 * inference). What gathers a function of the host, what decides if an array can be changed in place, and
 * whoever divides an evaluation over places ask here.
 *
 *   u(i - 1) + u((i + 1) % n)      over i in 90..100 of n = 100
 *   u: 89..99 near i by -1; 91..100; 0..1
 *
 * Choices are followed: each branch under what its condition says of indices, and only the one that is
 * taken where that is known. Elements of arrays of integers count with the values that `values` knows.
 */
#ifndef CS_FDAG_FOOTPRINT_H
#define CS_FDAG_FOOTPRINT_H

#include "values.h"

enum { FD_FOOTPRINT_BOXES = 4 };

/* One dimension of a box of reads: [lo, hi), or full: anywhere. near: 1 + d where each index is the
 * root's variable d plus from..to, both included; 0: of no variable is that known. */
typedef struct FdExtent {
    bool full;
    int64_t lo, hi;
    int near;
    int64_t from, to;
} FdExtent;

typedef struct FdReads {
    FdExtent dim[FD_MAX_RANK];
} FdReads;

typedef struct FdFootprint {
    int rank;
    int nboxes; /* 0: nothing is read */
    FdReads boxes[FD_FOOTPRINT_BOXES];
} FdFootprint;

/* The footprint of each slot of g, out[slot]; those of scalars are empty. box: of the root's variables,
 * NULL: all of its ranges. values: of elements of arrays; may be NULL. */
void fd_footprints(const FdGraph *g, const FdEnv *env, const FdBox *box, FdValuesOf *values,
                   const void *ctx, FdFootprint *out);

/* A share of an evaluation: a box of the root's variables, of a recurrence without the elements before it. Of the
 * reductions that are in no other, those over sum_n combinations (from variable sum_var on) have those from sum_from to
 * before sum_to only. */
typedef struct FdShare {
    const FdBox *box;                /* NULL: all */
    int64_t sum_n, sum_from, sum_to; /* sum_n 0: all of them */
    int sum_var;
    bool sum_results; /* only of reductions that are results themselves */
} FdShare;
void fd_footprints_of(const FdGraph *g, const FdEnv *env, const FdShare *share, FdValuesOf *values,
                      const void *ctx, FdFootprint *out);

/* Known without numbers: are all results maps, without reductions and operations that can fail, that read the
 * slot at their own variables only? Then the slot's array may give its memory to one of them. */
bool fd_reads_own_only(const FdGraph *g, int slot);
/* The same: is it an array, each element made of the arrays' own, over ranges that are theirs? Then none is an error. */
bool fd_is_surely_good(const FdGraph *g);
/* Is each element of the slot's array certain to be read if all of g's root is evaluated, which has this box? By a read at
 * variables that take all its indices, behind no choice. */
bool fd_reads_whole(const FdGraph *g, int slot, const FdBox *box, const FdEnv *env);
/* Is it shown, for these domains of slots and values of scalars, that no element of g's results fails: that each
 * read is in its array, no divisor 0, no reduction without identity over nothing? */
bool fd_cannot_fail(const FdGraph *g, const FdEnv *env, FdValuesOf *values, const void *ctx);

/* The least box around; of nothing an empty one. */
FdBox fd_footprint_hull(const FdFootprint *f);
/* One of its boxes, as a domain is. */
FdBox fd_reads_box(const FdReads *r, int rank);
/* Is each read of the element at the root's own variables, or outside the box? */
bool fd_footprint_apart(const FdFootprint *f, const FdBox *box);
/* The same of g's reads of a slot, as far as each read by itself shows it. */
bool fd_reads_apart(const FdGraph *g, int slot, const FdEnv *env, const FdBox *box);

#endif
