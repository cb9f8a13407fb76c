/* Evaluations of the same again, at once: of a graph over arrays and scalars whose run stands ready. One look at each
 * capture says whether all is as it was, and where it lies. Whatever else there is to be decided is the slower way's. */
#ifndef CS_RUNTIME_INSTANT_H
#define CS_RUNTIME_INSTANT_H

#include "recall.h"

typedef struct Instant Instant;

/* Room for what is learnt of e's graph; in mem_try. NULL: it is never evaluated so. */
Instant *instant_room(const Evaluation *e, Arena *a);
/* r has the numbers of g, which is e's, and the result this box. */
void instant_learn(Recalled *r, const Evaluation *e, const Graph *g, const FdBox *box);
bool instant_knows(const Recalled *r); /* is that so? */
/* All of g, a function; owned by the caller. NULL, perhaps with an exception pending: it cannot be had so. */
Array *instant_array(Graph *g, const CsValue *captures, const CsSite *site);
/* The same of a scalar; false: it cannot be had so. */
bool instant_scalar(Graph *g, const CsValue *captures, const CsSite *site, ScalarValue *out);

#endif
