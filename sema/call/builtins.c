/* builtins.def as data. Constant throughout; owns nothing.
 */
#include "builtins.h"

#include "../../base/scalar.h"

const Builtin builtins[] = {
#define BUILTIN(space, name, signature, pure, op, runtime)                                         \
    {SPACE_##space, LIB_##name, signature, pure, FD_OP_##op, ABI_##runtime},
#include "builtins.def"
};

const int nbuiltins = (int)(sizeof builtins / sizeof *builtins);

const char *const library_spaces[] = {
#define SPACE(id, text) text,
#include "builtins.def"
};

const char *const library_names[] = {
#define NAME(id) #id,
#define NAME_AS(id, text) text,
#include "builtins.def"
};

_Static_assert((int)SPACE_bool == (int)SC_BOOL && (int)SPACE_char == (int)SC_CHAR &&
                   (int)SPACE_double == (int)SC_DOUBLE && (int)SPACE_double + 1 == (int)SC_COUNT,
               "the spaces of scalar types are in their order");
