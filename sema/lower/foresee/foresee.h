/* Statically known evaluations: host code is followed abstractly, and where the functional value
 * that is evaluated is known, the graph that the runtime will compose there is composed now. */
#ifndef CS_SEMA_FORESEE_H
#define CS_SEMA_FORESEE_H

#include "../../sema.h"

/* Fills in r->evaluations, each graph once (by fd_key). Called when expressions are replaced by
 * AST_GRAPH nodes. */
void foresee(SemaResult *r, Arena *arena, Fd *fd);

#endif
