/* The stage of the pipeline that makes kernels. */
#ifndef CS_DRIVER_EVALUATIONS_H
#define CS_DRIVER_EVALUATIONS_H

#include "job.h"

/* Of every evaluation of j->sema. False after a message. */
bool evaluations_lower(Job *j);

#endif
