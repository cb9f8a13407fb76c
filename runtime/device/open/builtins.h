/* Declarations of the builtins of OpenCL C that a text calls, for a driver that takes long to read all of them. */
#ifndef CS_RUNTIME_DEVICE_BUILTINS_H
#define CS_RUNTIME_DEVICE_BUILTINS_H

#include <stdbool.h>

#include "../../../base/text.h"

/* The option under which clang's header declares nothing. */
#define BUILTINS_NONE "-D_OPENCL_H_"

/* Adds declarations, with every overload for the types and lanes that our kernels have, of those functions in our
 * table that `text` names (whole, or before and behind `##`). A function that is not in the table
 * stays undeclared: a build fails then, rather than mean something else. */
void builtins_declare(Text *out, const char *text, bool has_double);

#endif
