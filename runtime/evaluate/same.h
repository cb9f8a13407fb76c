/* Values that are all elements of an array, in the order in which they lie:
 *
 *   i => a(i)      Array.Flatten(a)      Array.Reshape(x, m, n)
 *
 * Nothing is computed: the new array shares the memory until one of the two is written. */
#ifndef CS_RUNTIME_SAME_H
#define CS_RUNTIME_SAME_H

#include "lazy/lazy.h"

/* All of l, which is finite, so; NULL, perhaps with an exception pending: it is something else. */
Array *same_array(const Lazy *l);

#endif
