/* Evaluations of so few operations that a launch would take longer than the interpreter. */
#ifndef CS_RUNTIME_SMALL_H
#define CS_RUNTIME_SMALL_H

#include "../compose/compose.h"

/* Marks a composed graph whose elements may be interpreted. */
void small_look(Composed *c);
/* Can the host be what evaluates: nobody says that it must not, and it has the operands? */
bool small_at_hand(const Evaluation *e);
/* Reductions over at most so many elements are loops of the program (cs_short). */
int64_t small_reductions(void);
/* Is an evaluation of `count` elements to be interpreted? It depends on graph, sizes and settings
 * alone, and on what the program did, not on time or caches: so a program computes the same bits on
 * every run. */
bool small_is(const Evaluation *e, const FdEnv *env, int64_t count);

#endif
