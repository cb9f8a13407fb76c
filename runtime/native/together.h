/* Native runs that are divided (division.h): by ranks, each of which does its share, or in blocks, which one process does one
 * after the other. */
#ifndef CS_RUNTIME_TOGETHER_H
#define CS_RUNTIME_TOGETHER_H

#include "../ranks/parts.h"
#include "launch.h"

typedef struct Together {
    const NativeRun *run;
    Memory *memory;
    const Division *division; /* once all have agreed; NULL: each does all */
    Part **parts;             /* of the results */
    RankBlock *sent;          /* room for what is sent of temporaries */
} Together;

/* Ranks agree on how it is done, and have what they need. All that takes memory comes before. False with an exception pending. */
bool together_begin(Together *t, const CsSite *site);
bool together_run(const Together *t, uint64_t *args, const CsSite *site);
void together_end(Together *t, bool ok); /* in any case */

/* CS_BLOCKS. Each block has garbage, but for what it needs of what is read: so what is divided wrongly is seen. */
bool blocks_run(const NativeRun *r, const Memory *m, uint64_t *args, const CsSite *site);

#endif
