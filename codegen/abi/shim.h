/* What the runtime asks of an MPI, and the one table by which it gets it: each MPI's mpicc compiles ranks_shim.c to a library,
 * which programs open when an MPI's launcher has started them. No program is linked with an MPI. */
#ifndef CS_CODEGEN_SHIM_ABI_H
#define CS_CODEGEN_SHIM_ABI_H

#include <stddef.h>

/* The table's name says its version: a library of another version has no such table. */
#define RANKS_SHIM cs_ranks_shim_2
#define RANKS_SHIM_NAME "cs_ranks_shim_2"

/* What families there are (RanksShim.family). */
#define RANKS_SHIM_FAMILIES "openmpi", "mpich"

typedef struct ShimPlace {
    int rank, size;
    int here, machine; /* number among the ranks of this machine; rank of the first of these */
} ShimPlace;

typedef struct ShimBlock {
    int from, to; /* to -1: all others */
    void *at;
    size_t bytes;
} ShimBlock;

/* All ranks call each function in the same order, by one thread. Errors of MPI end the job with its message. */
typedef struct RanksShim {
    const char *family; /* "openmpi", "mpich": whose libraries it works with */
    void (*begin)(ShimPlace *place);
    /* The words of all ranks become one, in the order of ranks; with adds to one those behind it. */
    void (*combine)(void *word, size_t bytes, void (*with)(void *to, const void *other));
    void (*broadcast)(int from, void *data, size_t bytes);
    /* all: room for each rank's bytes. */
    void (*gather)(const void *own, size_t bytes, void *all);
    /* What is sent of `from`'s memory to another's: all have the same list, but for `at`. */
    void (*exchange)(const ShimBlock *blocks, int n);
    void (*end)(void);
    void (*give_up)(int code); /* does not return */
} RanksShim;

#endif
