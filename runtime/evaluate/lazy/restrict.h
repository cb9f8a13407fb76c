/* Functions made of others by graphs that the runtime writes itself: the restriction to a box, and
 * f ?? g. The graphs are made once for each type and each set of infinite dimensions. */
#ifndef CS_RUNTIME_RESTRICT_H
#define CS_RUNTIME_RESTRICT_H

#include "lazy.h"

/* f with the domain `box` (given: uses outside are errors). NULL with an exception pending. */
Lazy *restrict_to(void *f, const FdBox *box, const CsSite *site);
/* One whose indices count from 0, moved to `box`, which is as large. */
Lazy *move_to(void *f, const FdBox *box, const CsSite *site);

/* The first or, moved, the second; into: NULL, or the array of which the box gets the values
 * (FdResult.part). */
Lazy *restrict_into(void *f, const FdBox *box, bool moved, Array *into, const CsSite *site);

#endif
