/* The fixed part of generated texts. Internal to codegen. */
#ifndef CS_CODEGEN_PRELUDE_H
#define CS_CODEGEN_PRELUDE_H

#include "../../../base/text.h"

/* What `count` texts of types, functions and kernels use of it, in its order. */
void prelude_add(Text *out, int count, const Text *texts);

/* What comes behind it in a text that begins with it. */
const char *prelude_skip(const char *text);

/* A product and a sum may be one operation, also where they stand in different statements. NVIDIA's compiler makes
 * fewer of them so than by OpenCL's pragma: products of matrices take 1.4 times as long (H100). */
#define PRELUDE_CONTRACT                                                                           \
    "#elif defined __clang__ && !defined __NV_CL_C_VERSION\n"                                      \
    "#pragma clang fp contract(fast)\n"

#endif
