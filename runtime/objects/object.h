/* Objects of classes, behind the ABI of csrt.h. An exception keeps the stack of where it was thrown
 * behind its fields, so that `throw;` and `finally` go on with it. */
#ifndef CS_RUNTIME_OBJECT_H
#define CS_RUNTIME_OBJECT_H

#include "../value.h"

typedef struct Trace {
    int nframes, more;
    CsSite frames[];
} Trace;

/* The class of what the runtime throws. */
const CsClass *object_exception_of(RtError kind);

size_t object_bytes(const CsClass *cls);           /* of an object, its trace included */
void object_init(CsObject *o, const CsClass *cls); /* of zeroed memory with a count */
bool object_is(const CsClass *cls, const CsClass *base);
/* Where an exception has its trace; it owns it. NULL: the object is none. */
Trace **object_trace(CsObject *o);
void object_drop_trace(CsObject *o);

#endif
