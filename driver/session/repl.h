/* csc repl: a session in which each entry is compiled and run as it is typed. */
#ifndef CS_DRIVER_REPL_H
#define CS_DRIVER_REPL_H

#include "../options.h"

/* Returns the exit code: without a terminal 1 if an entry failed. */
int repl(const Options *o);

#endif
