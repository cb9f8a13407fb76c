/* What an evaluation that each rank does for itself reads of arrays of which ranks have parts. */
#ifndef CS_RUNTIME_READS_H
#define CS_RUNTIME_READS_H

#include "../compose/compose.h"

/* It comes to all ranks, by the footprint (footprint.h) of a box of the root's variables (NULL: of all), and no more. All ranks
 * come here together. False with an exception pending, of all. */
bool reads_bring(const Evaluation *e, const FdBox *box, const CsSite *site);

#endif
