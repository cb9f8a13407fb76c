/* The memory that a launch reads and writes. */
#ifndef CS_RUNTIME_TAKE_H
#define CS_RUNTIME_TAKE_H

#include "../run.h"
#include "numbers.h"

/* Memory for the results that have none, that of what dies with them if they may lie over it. False with an exception
 * pending. */
bool take_results(const Evaluation *e, Numbers *n, const Results *r, const CsSite *site);
/* The arrays' buffers; `queued`: the host must not write them until launches are over. False with an exception
 * pending. */
bool take_slots(Evaluation *e, Numbers *n, const Results *r, bool queued, const CsSite *site);

#endif
