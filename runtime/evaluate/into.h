/* Values that go into an array which exists: those of a slice, or of all of an array that its variable gives
 * up. That is so where nobody else has the array, each element is read only where it is written, and the
 * evaluation cannot fail half way. */
#ifndef CS_RUNTIME_INTO_H
#define CS_RUNTIME_INTO_H

#include "lazy/lazy.h"

/* An array that one variable has, and so many references besides that nobody looks through. */
typedef struct Over {
    Array *array; /* NULL: there is none */
    int32_t besides;
} Over;

/* fn's values over the box, which lies in the array (moved: fn counts from 0). False, having done nothing, if
 * it cannot be, or with an exception pending. */
bool into_set(Over over, const FdBox *box, void *fn, bool moved, const CsSite *site);
/* Has an array to which so many references are known memory that a result of this domain and type may take?
 * Small ones are not worth it. */
bool into_gives(Array *a, int32_t references, const FdBox *box, const FdType *type);
/* An array of l's domain and type that l, which nobody else has, captures and nobody else has; NULL: none. */
Array *into_donor(const Lazy *l);
/* All of l, which nobody else has, into an array that dies with it, whose memory b gets, which is lent. Likewise. */
bool into_dying(Lazy *l, Buffer *b, const CsSite *site);
/* The memory that results took of donors is theirs again. */
void into_give_back(int n, Buffer *const *results, Array *const *donors);
/* All of l, into an array of its domain that l captures. Likewise; small ones are not worth it. */
bool into_over(Over over, Lazy *l, const CsSite *site);

#endif
