/* csc profile: runs a program and says what its kernels took. */
#ifndef CS_DRIVER_PROFILE_H
#define CS_DRIVER_PROFILE_H

#include "../options.h"

int profile(const Options *o); /* the program's exit code */

#endif
