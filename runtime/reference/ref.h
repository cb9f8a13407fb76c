/* The reference executor: plain interpretation of any graph whose slots are arrays, closures and
 * scalars, in the order of the text, operation by operation as language.md section 8 defines them.
 * The oracle of every comparison, the fallback for host functions, and what reads single elements.
 */
#ifndef CS_RUNTIME_REF_H
#define CS_RUNTIME_REF_H

#include "../value.h"

typedef struct Ref Ref;

/* The value of one slot. */
typedef struct RtLeaf {
    Array *array;            /* an array, */
    struct Closure *closure; /* or a function of the host; both NULL: a scalar */
    ScalarValue scalar;
} RtLeaf;

/* Prepares a root (a function, scalar or record node of fd) for interpretation; fd must outlive it.
 * NULL with OutOfMemoryException pending. */
Ref *ref_new(Fd *fd, const FdNode *root, const CsSite *site);
void ref_free(Ref *r);
bool ref_is_broken(const Ref *r); /* memory ran out in it: only to be freed */

/* Each evaluates with the given slot values; false with an exception pending. `site` names the
 * function and file of messages; lines come from the nodes. A record is one value a leaf, in `args`
 * and `out`; ref_fill stores one plane a leaf. */
bool ref_scalar(Ref *r, const RtLeaf *leaves, const CsSite *site, ScalarValue *out);
bool ref_point(Ref *r, const RtLeaf *leaves, const CsSite *site, const ScalarValue *args,
               ScalarValue *out);
/* Every element of a finite box, row-major, stored at `out`. */
bool ref_fill(Ref *r, const RtLeaf *leaves, const CsSite *site, const FdBox *box, void *out);

#endif
