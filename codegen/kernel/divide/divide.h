/* How an evaluation is divided over ranks, or over blocks: by what csc says of its launches (CgCut), and by what of their
 * operands is read for a share of them (footprint.h). The runtime asks this of what it runs, csc --explain=ranks of samples. */
#ifndef CS_CODEGEN_DIVIDE_H
#define CS_CODEGEN_DIVIDE_H

#include "../../../fdag/index/footprint/footprint.h"
#include "division.h"

enum {
    DIVIDE_LEAST = 1 << 20
}; /* operations of an evaluation that is worth it, unless CS_RANKS_LEAST says otherwise */

/* A graph with numbers, and the schedule that is bound to them. */
typedef struct DivideInput {
    Fd *fd;
    Arena *arena;
    const FdGraph *graph;
    const FdOrder *order;
    const FdEnv *env;
    CgSchedule *schedule; /* gets more cuts, the first time */
    double work;          /* operations in all */
    int shares;
    bool blocks; /* one process does one share after the other: nothing is sent */
    const FdBox
        *into; /* of the array that exists and gets the result; NULL: results have their own */
    FdValuesOf *values; /* of small arrays; may be NULL */
    const void *ctx;    /* of both */
    double (*missing)(const void *ctx,
                      const Division *d); /* bytes that whoever lacks most lacks; NULL: none */
    uint64_t seed;                        /* of the hash */
    Division *room;                       /* of an earlier call with this schedule; NULL: none */
} DivideInput;

/* The division, in the arena; hash 0: nothing is divided. NULL: there is none. Takes memory in blocks. */
Division *divide(const DivideInput *in);
/* What is cut of it, what ranks read beside their own rows, what all of them get: lines. has_parts: of a slot in the plan's order,
 * do ranks have parts of its array? NULL: of any. */
void divide_explain(const DivideInput *in, const Division *d,
                    bool (*has_parts)(const void *ctx, int slot), Text *out);
/* Why there is none. */
const char *divide_why_not(const DivideInput *in);

#endif
