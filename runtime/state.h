/* The state of the runtime: one struct, made by cs_start, emptied by cs_finish. Each file uses its
 * own part of it. One thread at a time calls the runtime; a library has a state a context, of which
 * one is here (embed/context.c). Environment variables are read at first use only. */
#ifndef CS_RUNTIME_STATE_H
#define CS_RUNTIME_STATE_H

#include <locale.h>
#include <stdio.h>

#include "../base/intern.h"
#include "../base/vec.h"
#include "value.h"

enum {
    RT_SIZE_CLASSES = 192,
    RT_REST_CLASSES = 44 /* up to 64 KiB */,
    RT_MAX_FRAMES = 64,
    RT_MOST_RANKS = 256
};

typedef struct RtNative {
    const CsNative *native;
    const FdType *type; /* of `fd` */
} RtNative;

typedef struct RtWritten { /* restrict.c: a graph of the runtime's own */
    FdChosen what;
    const Graph *of; /* what its function is of; NULL: an array */
    Graph *graph;
} RtWritten;

typedef struct RtNumber { /* objects/number.c */
    const void *object;
    uint64_t number;
} RtNumber;

typedef struct RtParsed { /* graph.c: an embedded graph that was read */
    CsGraph *graph;
    Graph *parsed; /* what graph->parsed is */
} RtParsed;

/* What a rank did (ranks/account.c): nanoseconds in kernels, in steps of ranks, in messages, of processors; messages and bytes that it got;
 * evaluations that were divided, and large ones that were not. */
typedef struct RankAccount {
    uint64_t kernels, waiting, sending, messages, bytes, divided, alone, processor;
    uint64_t from[RT_MOST_RANKS / 64]; /* ranks that it got something of: a bit each */
} RankAccount;

enum { PLAN_ARRAYS = 16 };

/* What CS_DUMP=plan compares the next launch with. */
struct PlanBefore {
    int line; /* 0: there was none */
    bool scalar;
    int64_t count; /* of its results */
    int nresults, nreads;
    const void *results[PLAN_ARRAYS], *reads[PLAN_ARRAYS]; /* buffers, to be compared only */
};

typedef struct RtState {
    const CsProgram *program;
    bool embedded;           /* in a process that is not ours: nothing is said, nothing ends it */
    bool session;            /* a process that runs entries one after the other */
    bool stops;              /* what runs looks for ^C: in a session, in some contexts */
    const char *device_wish; /* in place of CS_DEVICE; NULL: that */
    struct {                 /* OpenCL objects of the caller's; NULL: none */
        void *context, *device, *queue;
    } given;
    unsigned dumps; /* CS_DUMP, once read */
    enum { RT_INTERPRET_UNREAD, RT_INTERPRET_NONE, RT_INTERPRET_SMALL } interpret; /* small.c */
    int argc;
    char **argv;

    struct {                              /* error.c */
        CsObject *object;                 /* what the program threw; NULL: the runtime threw */
        RtError kind;                     /*   a `kind` */
        Text message, full;               /*   with `message`; full: with the class, for messages */
        size_t bytes;                     /*   of an OutOfMemoryException without `message` */
        char internal[160];               /*   of a fault of our own; empty: it was memory */
        CsObject *spare;                  /* an OutOfMemoryException for when there is no memory */
        bool agreed;                      /* all ranks have it (ranks/) */
        uint64_t evaluation, node, index; /* where it came, for ranks that fail at several */
        CsSite frames[RT_MAX_FRAMES];     /* the innermost first; the outermost are counted only */
        int nframes, more;
        Interner *names; /* of user functions that errors of evaluations are in */
    } error;

    struct { /* ranks/; zero: there is one process */
        const struct Transport *by;
        int rank, size;
        int here, together,
            sharing;  /* number among the ranks of this machine; these; those on its processors */
        int machines; /* that they are on; 0: one */
        int depth;    /* of ranks_enter */
        int blocks;   /* CS_BLOCKS: evaluations are divided in one process; 0: they are not */
        bool check;
        bool met;                    /* the evaluation's exception has been agreed on */
        bool measured;               /* CS_PROFILE */
        RankAccount account;         /* then: what this one did */
        const RankAccount *accounts; /* and, at the end, all of them; NULL: nobody knows */
        double least;                /* operations from which evaluations are divided */
        int units;                   /* of all ranks: what native plans are bound for */
        uint64_t number, noted;      /* steps so far; what they did, as a hash */
    } ranks;

    struct { /* number.c */
        RtNumber *of;
        size_t room, len;
        uint64_t last;
    } numbers;

    struct { /* memory.c */
        Buffer *pool[RT_SIZE_CLASSES];
        size_t pooled, used; /* bytes in the pool; bytes of arrays and temporaries */
        int few;             /* blocks of plain memory in the pool */
        Array *resting[CS_MAX_RANK][RT_REST_CLASSES]; /* dead, with blocks that count as pooled */
        size_t limit;                                 /* 0: not read yet */
        int64_t kept;    /* what derivatives of loops may keep; the same */
        uint64_t blocks; /* blocks taken from the system, ever */
    } memory;

    struct {           /* count.c */
        CsHead *dying; /* linked (count.c) */
        bool draining;
        int64_t live; /* objects */
    } value;

    struct {                 /* cycles.c */
        VEC(CsHead *) roots; /* candidates; those with no count are dead, but for their memory */
        size_t limit, bytes; /* candidates, and bytes of arrays, that make a collection due */
        size_t wait;         /* how often not to collect, after memory was out for it */
        bool collecting;
    } cycles;

    Fd *fd; /* holds the parsed graphs */
    VEC(RtParsed) graphs;
    VEC(RtWritten) written;
    VEC(Graph *) joined;         /* join.c: of the runtime's own, too */
    VEC(const FdType *) records; /* the program's, by index */
    uint32_t serial;             /* of the newest graph */
    VEC(RtNative) natives;       /* that closures were made of */
    uint32_t visit;              /* number of the newest walk over lazy values */
    Graph *domain_graph;         /* lazy.c: let(i: lo..hi) i */
    struct Evals *evals;         /* compose.c: compositions seen */
    struct Ahead *ahead;         /* ahead.c: evaluated, and waiting for its statements */
    struct {                     /* hold.c */
        struct Held *first;      /* the newest */
        uint64_t count;          /* that were held back so far */
        int busy;                /* that are evaluated just now, one by one */
        double work;             /* bytes that loops went through */
        double nodes, made;      /* of their graphs; of kernels that were made for them */
        Graph *newest;           /* that made an array.. */
        uint64_t at;             /* ..when so many evaluations had been */
    } hold;
    struct {                         /* plan.c */
        bool read, unknown;          /* CS_PLAN.. */
        int joins;                   /* ..a PlanJoins */
        const struct CsAhead *group; /* its parts are apart.. */
        const char *group_why,
            *why; /* ..and the evaluation of a line is, from what was before it */
        int line;
        const struct PlanLines *all; /* of what is evaluated as one just now, or NULL */
        struct PlanBefore before;    /* the last launch that was told */
    } plan;
    struct Kernels *kernels;   /* kernels.c */
    struct Device *device;     /* device.c: the one that was used last */
    struct Device *devices;    /*   all that are open */
    struct DeviceTable *table; /* list.c */
    int where; /* list.c: on which device evaluations are, plus one; 0: on the environment's */
    uint64_t cached;         /* cache.c: bytes in its folder; 0: not known */
    locale_t locale;         /* unicode.c */
    struct Profile *profile; /* profile.c */
    struct Trace *trace;     /* trace.c */
    struct Pool *pool;       /* pool.c */
    int units;               /* threads of the pool, the caller among them; 0: not asked yet */
    size_t l2, l3, close;    /* native_l2, native_close */
    bool l2_read, profile_read;
    bool profiling;       /* rt_profiling, once profile_read */
    bool calm_read, calm; /* rt_is_calm, but for what may change */
    enum { RT_NODES_UNREAD, RT_NODES_NONE, RT_NODES_SOME } nodes; /* list.c: of other devices */
    int native_read, ref_read; /* native.c, list.c: CS_DEVICE, once read */
    uint64_t native_nanos;     /*   what large evaluations took that ran natively */
    struct Compiler *compiler; /* compiler.c; NULL: none was asked for */
    int guard_read;            /* guard.c: CS_GUARD, once read */
    uint64_t evaluations;      /* of arrays and scalars, so far */
    const CsSite *at;          /* what is evaluated just now, for messages of signals */
} RtState;

extern RtState rt;

/* One bit each in CS_DUMP. */
enum {
    RT_DUMP_FDAG = 1,
    RT_DUMP_OPENCL = 2,
    RT_DUMP_PLAN = 4,
    RT_DUMP_RANKS = 8,
    RT_DUMP_UNKNOWN = 16,
    RT_DUMP_READ = 32
};
unsigned rt_dumps(void);
bool rt_dumping(unsigned what); /* is this process to print these? */
bool rt_check_variables(
    const CsSite *site); /* false, with an exception, if CS_DUMP or CS_PLAN has other words */
bool rt_profiling(void); /* CS_PROFILE is set and not 0 */
/* Does nobody look at evaluations or stop them, and no other rank or block have part in them? */
bool rt_read_calm(void); /* the same, but for what may change */
static inline bool rt_is_calm(void)
{
    return (rt.calm_read ? rt.calm : rt_read_calm()) && !rt.stops;
}
const char *rt_device_wish(void); /* what CS_DEVICE says, or NULL */

/* Start and end of what a program and a library's context have in common. False: no memory. */
bool rt_begin(const CsProgram *program);
void rt_end(bool leaving); /* leaving: the process ends */

/* Prints the pending exception and its frames. */
void error_print(FILE *out);
bool error_start(void); /* makes what is needed when memory is out; false: there is none */
/* The pending exception's code (CsException, or CS_NEXCEPTIONS of a class of none of these), class
 * and message, which last until it is forgotten; room: for the message. */
int error_told(const char **type, const char **message, char room[64]);
void error_forget(void); /* the pending exception, whatever it is */
void error_end(void);    /* frees what error.c keeps */

#endif
