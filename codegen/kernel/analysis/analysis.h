/* What schedules and kernels ask of definitions before any code is made: how reads move, what can be in
 * lanes, what can fail, which reads can fall outside. */
#ifndef CS_CODEGEN_ANALYSIS_H
#define CS_CODEGEN_ANALYSIS_H

#include "../../../fdag/index/affine.h"
#include "../../../fdag/index/contraction.h"
#include "../unit.h"

/* ---- unsafe.c, sized.c: which reads can fall outside ----------------------------------------- */

/* Is true if a read of the definition can fall outside; the constant true if only the device can
 * tell. */
Num *def_unsafe(Unit *u, const Def *d);
/* The reads that can, and whether one is among them. */
const PlanSuspects *def_suspects(Unit *u, const Def *d);
bool def_is_suspect(Unit *u, const Def *d, const FdNode *read);
/* The same of a definition of which ranges were narrowed and conditions dropped: what inference knew
 * of its reads is not asked. */
Num *plan_outside(Unit *u, const Def *d);

/* Is true if a read that is made, as its guards have it, can fall outside: if not, no kernel of the
 * definition reports an index. */
Num *plan_fails(Unit *u, const Def *d);
/* Is true if no kernel of the definition can report anything: to be asked once the plan reports empty
 * reductions. */
Num *def_quiet(Unit *u, const Def *d);

/* The reads of a body of the definition that may fall outside under the facts. In the arena. */
struct FdFacts;
PlanSuspects plan_suspects(Unit *u, const Def *d, const FdNode *body, struct FdFacts *f);

/* Can elements of the arrays that a definition gathers, in lanes of a variable (or NULL), be told apart
 * by ints, and is there one to read in place of others? */
Num *plan_sized(Unit *u, const Def *d, const FdNode *lanes);

/* ---- batch.c: rows of arrays of which each position of a variable has its own ----------------------- */

enum { BATCH_ARRAYS = 8 };
typedef struct Batch {
    int dim; /* the variable of the definition; those behind it are in rows of the result */
    int n;   /* arrays, of each a read and its dimension that goes by the variable */
    const FdNode *reads[BATCH_ARRAYS];
    int rows[BATCH_ARRAYS];
} Batch;
/* Can positions of variable `dim` be lanes that read and make rows of their own? All reads that go by it are of such. */
bool batch_find(const Def *d, int dim, Batch *out);

/* ---- lanes.c --------------------------------------------------------------------------------- */

/* An associative and commutative elementary operation over closed ranges. */
bool reduction_splits(const FdNode *reduce);
/* Can operands and operation be computed in lanes of v, its own or another, and in any order? */
bool reduction_in_lanes(const FdNode *reduce, const FdNode *v, unsigned allowed);

bool reads_along(const FdNode *n, const FdNode *v); /* is there a read that moves by one? */

/* KIR_V1 or KIR_V2 if all of it, but for indices, is arithmetic of bytes (and shorts) that vectors of
 * any length have; else 0. */
int lanes_narrow(const FdNode *n, const FdNode *v);
/* Can lanes of v be computed side by side? Reads stay, move by one or go where elements of arrays say.
 * What more is allowed: */
enum {
    LANES_NOTED = 1, /* what can fail: it is noted (Gen.checks) */
    LANES_FAR = 2,   /* reads that move in larger steps */
    LANES_UNEVEN = 4 /* with both: reductions over ranges of their own (value/uneven.c) */
};
/* NULL, or why not, and (unless `at` is NULL) the node that stands in the way. Nodes in `given` are
 * there already. */
const char *lanes_refused(const FdNode *n, const FdNode *v, unsigned allowed, int count,
                          const FdNode *const *given, const FdNode **at);
bool lanes_possible(const FdNode *n, const FdNode *v, unsigned allowed);
/* How many vectors side by side pay: several where functions loop, whose steps wait for each other; fewer
 * with 16 registers than with 32. */
typedef struct LanesCopies {
    int wide, narrow; /* vectors of 64 bytes; shorter ones */
} LanesCopies;
LanesCopies lanes_copies(const FdNode *n);

#endif
