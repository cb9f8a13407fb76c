/* Legality of nests. */
#include "nest.h"
const char *nest_verify(Unit *u, const Nest *n)
{
    (void)u;
    (void)n;
    return NULL;
}
