/* Results at one point: a scalar that reductions make and arrays over their ranges, where all that is read is
 * read at the point that is computed:
 *
 *   results sum(i, j, v(i, j) * v(i, j)), v      with v = let(i, j) r(i, j) - a * q(i, j)
 *
 * So one loop makes all of them, and each may take the memory of what it reads. */
#ifndef CS_FDAG_POINT_H
#define CS_FDAG_POINT_H

#include "../fdag.h"

/* Is it such a graph, after the pass fuse: are all results but the first temporaries? Nothing of it can fail but
 * reads, and no reduction ends early. */
bool fd_is_at_point(const FdGraph *g);

#endif
