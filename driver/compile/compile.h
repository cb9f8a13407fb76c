/* csc file.cs$: from a source file to whatever the options ask for. */
#ifndef CS_DRIVER_COMPILE_H
#define CS_DRIVER_COMPILE_H

#include <stdbool.h>

#include "../options.h"

/* False after messages. program not NULL: a linked program goes there, as an open file that is the
 * caller's, instead of into a file with a name. */
bool compile(const Options *o, int *program);

#endif
