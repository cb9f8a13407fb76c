/* csc fmt: files laid out in place. */
#ifndef CS_DRIVER_FMT_H
#define CS_DRIVER_FMT_H

#include "../options.h"

/* Returns the exit code: 1 after errors, and with --check if a file is laid out otherwise; those are
 * named on standard output. A file with errors stays as it is. Standard input goes to standard
 * output. */
int fmt(const Options *o);

#endif
