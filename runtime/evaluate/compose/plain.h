/* How a graph was composed last, if of arrays, scalars and lazy values: the same again needs no signature. */
#ifndef CS_RUNTIME_PLAIN_H
#define CS_RUNTIME_PLAIN_H

#include "compose.h"

/* The composition, if g's captures are what they were and coincide as they did, with their leaves in e, which has none
 * before. NULL: they do not; the leaves are anything then. */
Composed *plain_find(const Graph *g, const FdNode *root, const CsValue *captures, Evaluation *e);
/* How all of g was composed last; NULL: it is gone, or was never so. */
Composed *plain_known(const Graph *g);
bool plain_is_flat(const Graph *g); /* and all captures are arrays and scalars */
/* Of what is known: how many captures there are, those of lazy values behind these; and the number of one, of its leaf
 * or lazy value. */
int plain_size(const Graph *g);
uint32_t plain_number(const Graph *g, int at);
/* Notes how it was composed, in mem_try; and that it is gone. */
void plain_learn(Graph *g, const FdNode *root, const CsValue *captures, Composed *c);
void plain_forget(const Composed *c);
/* Each lazy value below the captures is composed once more. */
void plain_count(const Graph *g, const CsValue *captures);

#endif
