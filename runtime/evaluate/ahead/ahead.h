/* Several evaluations as one (cs_ahead): what was evaluated ahead of the statement that asks for it.
 */
#ifndef CS_RUNTIME_AHEAD_H
#define CS_RUNTIME_AHEAD_H

#include "../lazy/lazy.h"

/* The array that g gives with these captures, if it was evaluated ahead; the caller's. Else NULL,
 * without an exception. */
Array *ahead_array(const Graph *g, const CsValue *captures);
/* The same of a scalar graph: one value a leaf. */
bool ahead_scalar(const Graph *g, const CsValue *captures, ScalarValue *out);
void ahead_end(void); /* at the end: there are no groups any more */

#endif
