/* csc tune: searches parameters of the kernels of a program; profile.h has csc profile. */
#ifndef CS_DRIVER_TUNE_H
#define CS_DRIVER_TUNE_H

#include "../options.h"

int tune(const Options *o); /* the process's exit code */

#endif
