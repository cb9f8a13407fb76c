/* csc watch. */
#ifndef CS_DRIVER_WATCH_H
#define CS_DRIVER_WATCH_H

#include "../options.h"

/* Compiles and runs a program, again whenever a file of its folder that ends in .cs$ changes; until
 * a signal ends it. Returns the exit code if watching fails. */
int watch(const Options *o);

#endif
