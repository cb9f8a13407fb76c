/* Numbers of a plan: closed integer expressions over bounds of slots, values of scalar slots, facts
 * about the device and names that the plan defines. They are graph nodes of type long (conditions:
 * bool), simplified as they are built, so that equal numbers are one pointer; they become text when
 * a line of the plan is written, and at no earlier time.
 */
#ifndef CS_CODEGEN_NUMBER_H
#define CS_CODEGEN_NUMBER_H

#include "../../../base/arena.h"
#include "../../../base/vec.h"
#include "../../../fdag/fdag.h"
#include "expr.h"

typedef const FdNode Num;

typedef enum NumFact {            /* plan.c knows their values */
                       NUM_UNITS, /* compute units */
                       NUM_VECTOR_BYTES,
                       NUM_L1,
                       NUM_L2,
                       NUM_L3,
                       NUM_MAX_GROUP,
                       NUM_LOCAL_BYTES,
                       NUM_GPU,   /* 1 on a GPU, else 0 */
                       NUM_CACHE, /* l2 as it is where the kernels run: not for macros */
                       NUM_PLACES, /* ranks that divide what is evaluated, or blocks: not for macros */
                       NUM_GATHERS, /* 1 where the processor gathers sooner than it loads one by one */
                       NUM_MULTIPLIES, /* of the widest vectors, begun in a cycle */
                       NUM_FACTS
} NumFact;
extern const char *const num_fact_names[NUM_FACTS];

struct Unit;

Num *num_int(struct Unit *u, int64_t v);
Num *num_truth(struct Unit *u, bool v);
Num *num_fact(struct Unit *u, NumFact f);
/* Arithmetic, MIN, MAX, comparisons, LAND, LOR. Division by 0 gives 0 in plans. */
Num *num_op(struct Unit *u, FdOp op, Num *x, Num *y);
Num *num_and(struct Unit *u, Num *x, Num *y);
Num *num_not(struct Unit *u, Num *x);
Num *num_select(struct Unit *u, Num *cond, Num *x, Num *y);
Num *num_ceildiv(struct Unit *u, Num *x, Num *y);
Num *num_roundup(struct Unit *u, Num *x, Num *y); /* to a multiple of y */
Num *num_long(struct Unit *u, Num *x);            /* a condition: 0 or 1 */
bool num_is(Num *x, int64_t v);                   /* is it this constant? */

/* A closed integer node of the graph as a number; NULL if plans cannot say it (elements of arrays,
 * temporaries, reals). */
Num *num_of(struct Unit *u, const FdNode *n);
Num *num_must(struct Unit *u,
              const FdNode *n); /* the same; 0 and Unit.host_only in place of NULL */

/* `let`: a name for x; the name that it has, or x itself if it is a constant or a name. */
Num *num_let(struct Unit *u, const char *stem, Num *x);
/* `loop`: the lines up to an `end` for each number from 0 up to this; the number. */
Num *num_loop(struct Unit *u, const char *stem, Num *to, Num *when);
/* The same of a name and bounds as they are read; NULL: there is something of that name. */
Num *num_name_loop(struct Unit *u, const char *name, Num *to, Num *when);
/* `define`: a macro of the kernels too, over facts and earlier definitions; the same name twice is
 * one definition. */
Num *num_define(struct Unit *u, const char *name, Num *x);
bool num_is_macro(struct Unit *u, Num *x);
/* Of a let, a macro or a fact that x is, or has the value of: a word of C. NULL: there is none. */
const char *num_name(struct Unit *u, Num *x);
Num *num_meaning(struct Unit *u, Num *x); /* what a let or macro names; x itself otherwise */

/* x && y (all), x || y: without what one of them says of the other. */
Num *num_joined(struct Unit *u, bool all, Num *x, Num *y);
bool num_says(struct Unit *u, Num *cond,
              Num *x); /* x is true wherever cond is, as far as that is seen */

/* The text; an expression that would be long is given a name (a `let`) first, so that what is said
 * of a large graph grows with the graph. */
const char *num_text(struct Unit *u, Num *x);

/* ---- reading (number_read.c) ------------------------------------------------------------------- */

/* The number at *text, which moves behind it; built as above, so that what was printed comes back as
 * the same node. `truth`: a condition. NULL with *error (static text) if there is none. */
Num *num_read(struct Unit *u, const char **text, bool truth, const char **error);
/* The operation that a code of expressions stands for; NONE: no one does. */
FdOp plan_op(PlanCode code);
Num *num_find(struct Unit *u, const char *name,
              size_t len); /* by name: lets, macros, facts; NULL */
/* The least or greatest value of the array that a read is of, as far as the host knows it: small arrays
 * of integers that it has at hand. Else, and where nothing is known, beyond all ints. NULL: not such an
 * array. In plans the values are one more dimension, s3.lo1 and s3.n1 of an array of rank 1; n is 0
 * where they are not known. */
Num *num_elements(struct Unit *u, const FdNode *read, bool greatest);
/* A bound of dimension dim of the slot that plans give this number; dim -1: its value. NULL: it has
 * no such thing. */
Num *num_slot(struct Unit *u, int number, int dim, bool lower);
/* num_let of a given name, which fresh names then avoid; false: there is something of that name. */
bool num_name_let(struct Unit *u, const char *name, Num *x);
/* Where x has a name by let: when native forms are chosen it is taken to be so, unless it cannot be
 * (cg_plan_reach). */
void num_guess(struct Unit *u, Num *x, bool is);

/* ---- ranges (ranges.c; plan_lo and its like are in unit.h) ------------------------------------- */

/* A bound of a dimension of an input: its lower bound, or its length. */
Num *num_slot_bound(struct Unit *u, int slot, int dim, bool lower);
bool plan_is_input(const struct Unit *u, const FdNode *array); /* is it a slot of the evaluation? */
/* The range of a dimension of what a read applies, where the graph knows it: of a temporary, or of
 * the recurrence being computed. */
const FdDom *plan_known_range(struct Unit *u, const FdNode *array, int dim);
/* Is it a number of what moves from turn to turn (unit_moves)? Plans know it as it is in one of them. */
bool num_moves(struct Unit *u, Num *x);
Num *num_unsayable(struct Unit *u); /* 0, and Unit.host_only */

/* What the functions above keep between calls. */
typedef struct Numbers Numbers;
void numbers_free(Numbers *n);

#endif
