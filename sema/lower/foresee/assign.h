/* What becomes of an array that is assigned to: a slice of it, or all of it in its own memory. */
#ifndef CS_SEMA_ASSIGN_H
#define CS_SEMA_ASSIGN_H

#include "known.h"

/* The array after a[lo..hi, ..] = v, an assignment; what is evaluated for it is noted. */
Value *assign_slice(Foresee *f, Ast *n);
/* The value of `graph` may go into the array of the variable that gives it up (AST_GRAPH.over): that is noted. */
void assign_over(Foresee *f, const Ast *graph, Value *v);

#endif
