/* csc mpi, and what csc knows of the MPIs that are there. */
#ifndef CS_DRIVER_MPI_H
#define CS_DRIVER_MPI_H

#include "../../base/text.h"
#include "../options.h"

extern const char mpi_source[], mpi_header[]; /* codegen/abi/ranks_shim.c, shim.h */

/* The library between programs and an MPI, compiled by that MPI's mpicc, goes into the folder of caches. */
int mpi_make(const Options *o);
/* Where programs look for the library of a family ("openmpi", "mpich"), as the runtime does. False: it is nowhere. */
bool mpi_find(Text *path, const char *family);
/* The k-th family; NULL: there are no more. */
const char *mpi_family(int k);

#endif
