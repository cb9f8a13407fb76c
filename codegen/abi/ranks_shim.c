/* The part of the runtime that knows mpi.h (shim.h), whose types differ between MPIs: a library for each. `make` lets its mpicc
 * compile it. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

static void begin(ShimPlace *place)
{
    int level;
    MPI_Comm machine;
#ifdef OPEN_MPI
    setenv("OMPI_MCA_mpi_warn_on_fork", "0",
           0); /* programs are run, and a compiler; neither knows MPI */
#endif
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &place->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &place->size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, place->rank, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &place->here);
    place->machine = place->rank;
    MPI_Bcast(&place->machine, 1, MPI_INT, 0, machine);
    MPI_Comm_free(&machine);
}

/* ---- words ----------------------------------------------------------------------------------- */

static struct { /* MPI hands nothing through to an operation */
    MPI_Datatype type;
    MPI_Op op;
    size_t bytes;
    void (*with)(void *to, const void *other);
    void *room;
} words = {.type = MPI_DATATYPE_NULL};

/* after = before and then after, which stands for the ranks behind. */
static void add(void *before, void *after, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++) {
        char *b = (char *)before + (size_t)i * words.bytes,
             *a = (char *)after + (size_t)i * words.bytes;
        memcpy(words.room, b, words.bytes);
        words.with(words.room, a);
        memcpy(a, words.room, words.bytes);
    }
}

/* All words of a program are of one size. */
static void combine(void *word, size_t bytes, void (*with)(void *to, const void *other))
{
    if (words.type == MPI_DATATYPE_NULL) {
        words.bytes = bytes;
        words.room = malloc(bytes);
        if (!words.room) MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Type_contiguous((int)bytes, MPI_BYTE, &words.type);
        MPI_Type_commit(&words.type);
        MPI_Op_create(add, 0, &words.op);
    }
    words.with = with;
    MPI_Allreduce(MPI_IN_PLACE, word, 1, words.type, words.op, MPI_COMM_WORLD);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static void broadcast(int from, void *data, size_t bytes)
{
    enum { MOST = 1 << 30 }; /* counts are ints */
    for (char *at = data; bytes > 0;) {
        int n = bytes < MOST ? (int)bytes : MOST;
        MPI_Bcast(at, n, MPI_BYTE, from, MPI_COMM_WORLD);
        at += n;
        bytes -= (size_t)n;
    }
}

static void gather(const void *own, size_t bytes, void *all)
{
    MPI_Allgather(own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

/* At most so many messages are under way. */
static struct {
    MPI_Request of[256];
    int n;
} sent;

static void all_sent(void)
{
    MPI_Status done[sizeof sent.of / sizeof *sent.of];
    MPI_Waitall(sent.n, sent.of, done);
    sent.n = 0;
}

/* Pieces of blocks go in the order of the list, so those between two ranks meet. */
static void move(const ShimBlock *b, int rank, int to)
{
    enum { PIECE = 1 << 20, MOST = sizeof sent.of / sizeof *sent.of };
    if ((b->from == rank) == (to == rank) || (b->from != rank && to != rank)) return;
    char *at = b->at;
    for (size_t left = b->bytes; left > 0;) {
        int n = left < PIECE ? (int)left : PIECE;
        if (sent.n == MOST) all_sent();
        if (b->from == rank)
            MPI_Isend(at, n, MPI_BYTE, to, 0, MPI_COMM_WORLD, &sent.of[sent.n++]);
        else
            MPI_Irecv(at, n, MPI_BYTE, b->from, 0, MPI_COMM_WORLD, &sent.of[sent.n++]);
        at += n;
        left -= (size_t)n;
    }
}

static void exchange(const ShimBlock *blocks, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < n; i++)
        for (int to = blocks[i].to < 0 ? 0 : blocks[i].to;
             to < (blocks[i].to < 0 ? size : blocks[i].to + 1); to++)
            move(&blocks[i], rank, to);
    all_sent();
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void end(void)
{
    if (words.type != MPI_DATATYPE_NULL) {
        MPI_Op_free(&words.op);
        MPI_Type_free(&words.type);
        free(words.room);
    }
    MPI_Finalize();
}

static void give_up(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
    abort();
}

#ifdef OPEN_MPI
#define FAMILY "openmpi"
#else
#define FAMILY "mpich" /* and Intel's, Cray's, MVAPICH, which have its interface */
#endif

extern const RanksShim RANKS_SHIM;
const RanksShim RANKS_SHIM = {FAMILY, begin, combine, broadcast, gather, exchange, end, give_up};
