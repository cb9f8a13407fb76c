/* The library that is built in: one row of builtins.def an overload. Which function a row is say its
 * space and name together; their texts are for looking up what a program writes, and for messages. */
#ifndef CS_SEMA_BUILTINS_H
#define CS_SEMA_BUILTINS_H

#include <stdbool.h>

#include "../../codegen/abi/abi.h"
#include "../../fdag/ops.h"

typedef enum LibSpace { /* below SC_COUNT: the ScalarKind whose members it holds */
#define SPACE(id, text) SPACE_##id,
#include "builtins.def"
                        SPACE_COUNT
} LibSpace;

typedef enum LibName {
#define NAME(id) LIB_##id,
#define NAME_AS(id, text) LIB_##id,
#include "builtins.def"
    LIB_COUNT
} LibName;

typedef struct Builtin {
    LibSpace space;        /* SPACE_Math, SPACE_Console; SPACE_global: none */
    LibName name;          /* LIB_Sqrt */
    const char *signature; /* see builtins.def */
    bool pure;
    FdOp op;       /* the elementary operation it is, or FD_OP_NONE */
    AbiId runtime; /* the function of the runtime, or ABI_NONE */
} Builtin;

extern const Builtin builtins[];
extern const int nbuiltins;
extern const char *const library_spaces[]; /* by LibSpace: "Math", "" */
extern const char *const library_names[];  /* by LibName: "Sqrt" */

static inline bool builtin_is(const Builtin *b, LibSpace space, LibName name)
{
    return b && b->space == space && b->name == name;
}

/* float.IsNaN(x) and its like: what x may be for it to be true, or, negated, false. */
typedef struct BuiltinTest {
    bool nan, below, above; /* no number; negative infinity; positive infinity */
    bool negated;
} BuiltinTest;
static inline bool builtin_tests(const Builtin *b, BuiltinTest *test)
{
    *test = (BuiltinTest){.nan = b->name == LIB_IsNaN || b->name == LIB_IsFinite,
                          .below = b->name == LIB_IsInfinity || b->name == LIB_IsNegativeInfinity ||
                                   b->name == LIB_IsFinite,
                          .above = b->name == LIB_IsInfinity || b->name == LIB_IsPositiveInfinity ||
                                   b->name == LIB_IsFinite,
                          .negated = b->name == LIB_IsFinite};
    return test->nan || test->below || test->above;
}

/* x.CompareTo(y) of numbers, which graphs have in several operations. */
static inline bool builtin_compares(const Builtin *b)
{
    return builtin_is(b, SPACE_any, LIB_CompareTo) && b->signature[1] != 's';
}

/* A pure function that only the host has: char.ToUpper(c). */
static inline bool builtin_is_hosted(const Builtin *b)
{
    return b->pure && b->runtime != ABI_NONE && !builtin_compares(b) && b->space != SPACE_func &&
           b->space != SPACE_any;
}

#endif
