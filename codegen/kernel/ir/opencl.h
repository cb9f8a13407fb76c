/* What the files that print kernel IR as OpenCL C share. */
#ifndef CS_CODEGEN_OPENCL_H
#define CS_CODEGEN_OPENCL_H

#include "kir.h"

void opencl_type(Text *out, KirType t);
/* prefix##type##suffix as a function name: convert_float8, as_uint4, CAT3(convert_, float, V4)... */
void opencl_typed(Text *out, const char *prefix, const char *type, int lanes, const char *suffix);
/* The name of the function that converts to lanes of a type. */
void opencl_conversion(Text *out, const char *type, int lanes, const char *suffix);
void opencl_expr(Text *out, const KirExpr *e);
/* The same without the parentheses that an outermost operator does not need. */
void opencl_value(Text *out, const KirExpr *e);

void opencl_intrinsic(Text *out, const KirExpr *e); /* what is called (intrinsics.c) */

/* memory.c: between buffers and values */
void opencl_load(Text *out, const KirExpr *e);
void opencl_gather(Text *out, const KirExpr *e);
void opencl_store(Text *out, const KirStmt *s);
void opencl_plane(Text *out, const KirStmt *s);

#endif
