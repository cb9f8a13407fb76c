/* The library that is built in: one row of builtins.def an overload. */
#ifndef CS_SEMA_BUILTINS_H
#define CS_SEMA_BUILTINS_H

#include <stdbool.h>

#include "../../fdag/ops.h"

typedef struct Builtin {
    const char *space;     /* "Math", "Console"; "" for none; a type's members: "string", "func" */
    const char *name;      /* "Sqrt" */
    const char *signature; /* see builtins.def */
    bool pure;
    FdOp op;             /* the elementary operation it is, or FD_OP_NONE */
    const char *runtime; /* the ABI function (codegen/abi/abi.def), or NULL */
} Builtin;

extern const Builtin builtins[];
extern const int nbuiltins;

#endif
