/* CS_PROFILE: whose the launches are that follow. */
#ifndef CS_RUNTIME_MEASURE_H
#define CS_RUNTIME_MEASURE_H

#include "numbers.h"

/* The place that asked for an evaluation. */
CsSite measured_site(const Evaluation *e, const CsSite *site);
/* Nothing unless CS_PROFILE asks; fails silently. share: of its operations, what this rank does. */
void measure(const Evaluation *e, Numbers *n, const CgDevice *device, bool native, double share,
             const CsSite *site);

#endif
