/* Evaluations of the same again, at once: of a graph over arrays and scalars, or lazy values of such, whose run stands ready.
 * One look at each capture says whether all is as it was, and where it lies. Whatever else there is to be decided is the
 * slower way's. */
#ifndef CS_RUNTIME_INSTANT_H
#define CS_RUNTIME_INSTANT_H

#include "recall.h"

typedef struct Instant Instant;

/* Room for what is learnt of e's graph; in mem_try. */
Instant *instant_room(const Evaluation *e, Arena *a);
/* r has the numbers of g with these captures, which was composed as e. Its results have the box r->range or, if apart is not
 * NULL, each one of these. */
void instant_learn(Recalled *r, const Evaluation *e, const Graph *g, const CsValue *captures,
                   const FdBox *apart);
bool instant_knows(const Recalled *r); /* is that so, whatever the ranges are? */
/* All of g, a function; owned by the caller. NULL, perhaps with an exception pending: it cannot be had so. */
Array *instant_array(Graph *g, const CsValue *captures, const CsSite *site);
/* The same of a scalar; false: it cannot be had so. */
bool instant_scalar(Graph *g, const CsValue *captures, const CsSite *site, ScalarValue *out);
/* The same of several results: arrays, owned by the caller, and scalars, which are the first if there are any. */
bool instant_all(Graph *g, const CsValue *captures, const CsSite *site, Array **arrays,
                 ScalarValue *out);

#endif
