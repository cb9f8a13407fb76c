/* How ranks reach each other: a table of functions. One is of processes of this machine (here.c), one of MPI
 * (mpi.c). All ranks call each function in the same order; agree.c sees to it. The main thread alone calls them. */
#ifndef CS_RUNTIME_TRANSPORT_H
#define CS_RUNTIME_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../base/vec.h"

enum { RANKS_TOLD = 48, RANKS_MOST = 256, RANKS_ALL = -1, RANKS_WORDS = 16 };

/* What ranks bring to a step, and after it what they have in common. */
typedef struct RankWord {
    uint64_t number, what, noted; /* of the step: alike on all ranks, or they went different ways */
    struct RankFault {            /* the exception that a rank has; `evaluation` ~0: none */
        uint64_t evaluation, site, index; /* the least is everybody's; then the least rank's */
        uint32_t rank, hash;              /* of class and message */
    } fault;
    int32_t rank;             /* whose `told` it is: the first one's */
    int32_t apart;            /* a rank whose step is another than `rank`'s; 0: none */
    uint32_t differ;          /* do ranks differ in their exceptions? */
    uint8_t told[RANKS_TOLD]; /* by the first rank, if it fits */
    uint64_t plan;            /* of an evaluation that they divide; 0: not all have the same */
    uint32_t words
        [RANKS_WORDS]; /* what kernels report: the first rank's that has an error, else a note */
} RankWord;

/* Adds to the word of some ranks that of those behind them. */
typedef void RankCombine(RankWord *to, const RankWord *other);

/* Bytes from one rank to another, or (RANKS_ALL) to all others. at: on the rank that has them, and where they go. */
typedef struct RankBlock {
    int from, to;
    void *at;
    size_t bytes;
} RankBlock;

typedef VEC(RankBlock) RankBlocks;

typedef struct Transport {
    /* The words of all ranks become one. Nobody returns before all have come. */
    void (*combine)(RankWord *word, RankCombine *with);
    /* `from`'s bytes are everybody's. */
    void (*broadcast)(int from, void *data, size_t bytes);
    /* All ranks have the same list, but for `at`. Nothing that is sent is received by the same call. */
    void (*exchange)(const RankBlock *blocks, int n);
    /* Last of all, behind a step. Rank 0 waits until the others have ended; false: not all did well, which was
     * told. Of other ranks this may be the end of the process. */
    bool (*end)(void);
    /* This process is ending early: rank 0's takes the others with it. A handler of signals may call it. */
    void (*leave)(void);
    /* Ends all ranks, rank 0 with that code. What is to be told was told. */
    void (*give_up)(int code) __attribute__((noreturn));
} Transport;

/* Starts the others of `size` ranks of this machine. They live no longer than this process, which is rank 0.
 * Ends the process, with a message, if it cannot be done. Before anything else of the program exists. */
const Transport *here_start(int size, int *rank);
/* If an MPI's launcher has started this process: it is one of `size` ranks, and has the first one's arguments, variables and
 * units. NULL: none has. Ends the process, with a message, if it cannot be done. */
const Transport *mpi_start(int *rank, int *size);

#endif
