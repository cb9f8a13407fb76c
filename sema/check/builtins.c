/* builtins.def as data. Constant throughout; owns nothing.
 */
#include "builtins.h"

#include <stddef.h>

const Builtin builtins[] = {
#define BUILTIN(space, name, signature, pure, op, runtime)                                         \
    {space, name, signature, pure, FD_OP_##op, runtime},
#include "builtins.def"
#undef BUILTIN
};

const int nbuiltins = (int)(sizeof builtins / sizeof *builtins);
