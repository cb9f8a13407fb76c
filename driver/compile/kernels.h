/* The stage of the pipeline that makes kernels. */
#ifndef CS_DRIVER_KERNELS_H
#define CS_DRIVER_KERNELS_H

#include "job.h"

/* Of every evaluation of j->sema. False after a message. */
bool kernels_lower(Job *j);

#endif
