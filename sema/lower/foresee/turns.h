/* Turns of loops among the evaluations that csc foresees. */
#ifndef CS_SEMA_TURNS_H
#define CS_SEMA_TURNS_H

#include "number.h"

/* The array of v, two dimensions or more, was evaluated. */
void turns_evaluated(Foresee *f, Value *v, Loc loc);
/* The scalar v was evaluated, which may read the last array. */
void turns_looked_at(Foresee *f, Value *v, Loc loc);
/* Somebody looks at elements: what was evaluated so far is no turn of what follows. */
void turns_end(Foresee *f);

/* Adds those of turns to the evaluations, behind all others: one for all loops whose turns are alike. */
void turns_found(Foresee *f);

#endif
