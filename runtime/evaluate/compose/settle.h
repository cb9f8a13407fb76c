/* Lazy values that are better evaluated on their own than composed into what reads them. */
#ifndef CS_RUNTIME_SETTLE_H
#define CS_RUNTIME_SETTLE_H

#include "../lazy/lazy.h"

/* Evaluates those below g. False, without an exception, if memory is out. */
bool settle(const Graph *g, const CsValue *captures);
bool settle_wants(
    const Lazy *l); /* is l, which is not evaluated, one of them, now that it is composed? */

#endif
