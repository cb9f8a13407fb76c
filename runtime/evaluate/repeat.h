/* One slice of a recurrence, step by step. */
#ifndef CS_RUNTIME_REPEAT_H
#define CS_RUNTIME_REPEAT_H

#include "compose/compose.h"

/* All of l, if it is made of one slice of a recurrence (fdag/repeat.h) whose slices are large: each is an
 * evaluation of its own. NULL: it is to be evaluated as ever, or an exception is pending. */
Array *repeat_eval(const Lazy *l, const CsSite *site);
/* The same of a scalar that is composed as e, to out: one value a leaf. False: it is to be evaluated as ever, or
 * an exception is pending. */
bool repeat_scalar(Evaluation *e, const CsSite *site, ScalarValue *out);

#endif
