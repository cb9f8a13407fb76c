/* The fixed part of generated texts. Internal to codegen. */
#ifndef CS_CODEGEN_PRELUDE_H
#define CS_CODEGEN_PRELUDE_H

#include "../../../base/text.h"

/* What `count` texts of types, functions and kernels use of it, in its order. */
void prelude_add(Text *out, int count, const Text *texts);

/* What comes behind it in a text that begins with it. */
const char *prelude_skip(const char *text);

#endif
