/* Integers of the host, and from where to where arrays go, as far as they follow from each other: what a
 * plan will be bound to. A number that nobody knows is an atom. A wrong guess makes kernels slow to begin
 * with, nothing else: arrays of which nothing is known begin at 0, and what looks like one value is one. */
#ifndef CS_SEMA_NUMBER_H
#define CS_SEMA_NUMBER_H

#include "known.h"

Value *number_new(Foresee *f); /* one that nobody knows */
/* What n gives; where nobody knows it f->other, or a value of its own if it may be another one each time. */
Value *number_value(Foresee *f, Ast *n);
Value *number_of(Foresee *f, int64_t number); /* this one */
Value *number_sum(Foresee *f, const Value *a, const Value *b, bool minus);
Value *number_bound(Foresee *f, Value *v, int dim, bool upper); /* of a functional value */
Value *number_length(Foresee *f, Value *v, int dim);
bool number_is(const Value *v);
bool number_is_kept(const Symbol *sym);  /* a variable that keeps its integer */
bool number_is_local(const Symbol *sym); /* one that keeps its scalar, within a function */
/* A new array of such lengths. */
Value *number_array(Foresee *f, int rank, Value *const *lengths);

Value *number_stored(Foresee *f, Value *v); /* a lazy value's array */

/* What is known of a slot that has this value. */
FdKnown number_slot(Foresee *f, bool is_array, Value *v);
/* Is the same known of slots, but for the names of atoms? */
bool number_alike(int n, const FdKnown *a, const FdKnown *b);

#endif
