/* Local arrays of user functions: one piece of private memory of a work-item each, row by row. In lanes
 * an element is a vector where lanes can differ in it. */
#ifndef CS_CODEGEN_LOCAL_H
#define CS_CODEGEN_LOCAL_H

#include "gen.h"

void local_declare(Gen *g, const FdNode *array, int lanes);
/* element = v, in active lanes only if some are missing that read it later. */
void local_put(Gen *g, const FdNode *element, const KirExpr *v, bool blend);
/* array = from, or zeros where that is NULL. */
void local_fill(Gen *g, const FdNode *array, const FdNode *from, bool blend);

#endif
