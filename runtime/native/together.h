/* Runs that are divided (division.h): by ranks, each of which does its share, or in blocks, which one process does one after the
 * other. Natively, or (by ranks) on each one's device. */
#ifndef CS_RUNTIME_TOGETHER_H
#define CS_RUNTIME_TOGETHER_H

#include "../../codegen/kernel/divide/rounds.h"
#include "../ranks/parts.h"
#include "launch.h"

typedef struct Together {
    const NativeRun *run;
    struct DeviceRun *device; /* that it is on; NULL: native */
    bool fails;               /* there it may report an error */
    Memory *memory;           /* on a device: temporaries' places on the host, and errors */
    const Division *division; /* once all have agreed; NULL: each does all */
    Part **parts;             /* of the results */
    RankBlock *sent;          /* room for what is sent of temporaries, and of results by turns */
    RoundBlock *handed;       /* the same as parts of results */
} Together;

/* Ranks agree on how it is done, and have what they need. All that takes memory comes before. False with an exception pending. */
bool together_begin(Together *t, const CsSite *site);
bool together_run(const Together *t, uint64_t *args, const CsSite *site);
void together_end(Together *t, bool ok); /* in any case */

/* The same from begin to end, on the device: what memory has for temporaries is found here. */
bool together_on_device(Together *t, bool can_fail, const CsSite *site);

/* CS_BLOCKS. Each block has garbage, but for what it needs of what is read: so what is divided wrongly is seen. */
bool blocks_run(const NativeRun *r, const Memory *m, uint64_t *args, const CsSite *site);

#endif
