/* Boxes of reads, as a footprint (footprint.h) has them. */
#ifndef CS_FDAG_READS_H
#define CS_FDAG_READS_H

#include "footprint.h"

/* The least box around both. */
FdReads fdi_reads_around(const FdReads *a, const FdReads *b, int rank);
/* Beyond FD_FOOTPRINT_BOXES boxes those that are cheapest as one become one. */
void fdi_reads_add(FdFootprint *f, const FdReads *r);
void fdi_reads_anywhere(FdFootprint *f);

#endif
