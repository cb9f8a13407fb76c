/* What has been asked of facts, and what the answer was. Recipes try the same definition in many
 * ways, each time with the same facts: a proof that fails takes thousands of steps, and is made once.
 *
 * A form where something is known is a question, and also the name of what is known once the form is
 * a fact; the first that is known are ranges. Equal ranges with equal facts in the same order are one
 * FdiKnown in one Fd, so that an answer depends on the question alone. */
#ifndef CS_FDAG_ASKED_H
#define CS_FDAG_ASKED_H

#include "../affine.h"

struct FdiMap;

typedef struct FdiKnown {
    uint64_t hash;
    int8_t answer; /* 1, 0, -1: it has not been asked */
    uint32_t len;
    uint64_t words[]; /* what it is made of */
} FdiKnown;

/* These ranges, of variables, and nothing else. */
FdiKnown *fdi_known_ranges(Fd *fd, const struct FdiMap *doms);
/* Where `known` is known, the form: as a question and as a fact. */
FdiKnown *fdi_known_with(Fd *fd, const FdiKnown *known, const FdAffine *form);

#endif
