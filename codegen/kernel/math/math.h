/* Functions of reals of our own, as kernel IR: the definitions of the operations whose row in
 * fdag/ops.def has one. They are functions of the text that use them, a function a type. */
#ifndef CS_CODEGEN_MATH_H
#define CS_CODEGEN_MATH_H

#include "../../../base/arena.h"
#include "../../../base/text.h"
#include "../ir/kir.h"

/* Adds the functions that `count` texts call, and those that these call. builtin_scalars: scalars
 * by the driver's; precise: within 1 unit in the last place, else 4. */
void math_add(Text *out, int count, const Text *texts, bool builtin_scalars, bool precise);
/* The function of an operation on reals of type t, in the arena; false: there is none of ours. */
bool math_function(Arena *a, FdOp op, KirType t, bool precise, KirFunc *out);

/* What comes behind them in a text that may begin with them. NULL: it is damaged. */
const char *math_skip(const char *text);

#endif
