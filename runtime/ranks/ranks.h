/* Ranks: processes that all run the program, on the same numbers. What reaches beyond the program (files, streams,
 * clocks) rank 0 does, and tells the others. Exceptions are those of all ranks.
 *
 * A *step* is what all ranks do together: each brings a word, and all have the least exception and what rank 0
 * tells. Ranks whose steps differ have gone different ways, which ends the program. In a program of one process
 * rt.ranks is zero: nothing here costs more than the look at its size. */
#ifndef CS_RUNTIME_RANKS_H
#define CS_RUNTIME_RANKS_H

#include <time.h>

#include "../../base/text.h"
#include "../state.h"

/* What a step is for, in messages: "rank 1 reads a file at ..". */
typedef enum RanksDoing {
    RANKS_EVALUATES,
    RANKS_ASKS,
    RANKS_READS,
    RANKS_WRITES,
    RANKS_RUNS,
    RANKS_LOOKS,
    RANKS_HANDLES,
    RANKS_ENDS
} RanksDoing;

/* CS_RANKS, CS_PLACES, CS_RANKS_CHECK, or an MPI's launcher. Starts the ranks, which have the first one's rt.argv; ends the process
 * if that cannot be done. Before anything else. places: how many devices CS_PLACES names; below 1: it is wrong. */
void ranks_start(int (*places)(const char *wish));
/* Behind the last that the program did; then, as the last of all, ends: false, and told, if a rank ended badly. */
void ranks_finish(void);

/* Before a rank ends: one behind the first waits. If all do the same the first says so, and ends them. */
void ranks_let_first(void); /* async-signal-safe */

/* Is this the process that does what reaches beyond the program? */
static inline bool ranks_first(void)
{
    return rt.ranks.rank == 0;
}

static inline uint64_t ranks_clock(void) /* nanoseconds */
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- what rank 0 does (tell.c) ------------------------------------------------------------- */

/* Rank 0 has done it: its bytes are everybody's, and so is its exception. False with that pending. */
bool ranks_tell_bytes(RanksDoing doing, void *data, size_t bytes, const CsSite *site);
static inline bool ranks_tell(RanksDoing doing, void *data, size_t bytes, const CsSite *site)
{
    return rt.ranks.size ? ranks_tell_bytes(doing, data, bytes, site) : !cs_pending;
}
/* The same of what it did not get anything of. */
static inline bool ranks_outcome(RanksDoing doing, const CsSite *site)
{
    return ranks_tell(doing, NULL, 0, site);
}
int64_t ranks_tell_number(RanksDoing doing, int64_t number, const CsSite *site);
/* Texts, which the others have empty. */
bool ranks_tell_text(RanksDoing doing, Text *t, const CsSite *site);
/* A string or NULL; owned by the caller. */
Str *ranks_tell_str(RanksDoing doing, Str *s, const CsSite *site);
/* Waits for all ranks: what rank 0 measures then is the slowest one's. */
void ranks_wait(void);

/* What is sent (transport.h). All ranks call it alike. */
struct RankBlock;
void ranks_exchange(const struct RankBlock *blocks, int n);
/* CS_PROFILE: each tells the others what it did; rank 0 prints it. */
void ranks_show_accounts(void);
void ranks_print_accounts(void);

/* In an evaluation: all come, and none has an exception. False: one is pending, of all ranks. plan: what this rank would do
 * with the others; 0 after it, unless all would do the same. words: what kernels report (codegen.h), or NULL. */
bool ranks_meet(uint64_t *plan, uint32_t *words);

/* ---- exceptions (agree.c) ------------------------------------------------------------------ */

void *ranks_agree(void *ref, const CsSite *site);
bool ranks_agree_scalar(bool good, ScalarValue *leaves, int n, const CsSite *site);
void ranks_handle(void);

/* Between the two a rank may fail alone: the exception is everybody's at the end. They nest; the
 * outermost counts. */
static inline void ranks_enter(void)
{
    if (rt.ranks.size) rt.ranks.depth++;
}
/* Gives ref, which is released if another rank has failed: NULL then, with its exception. */
static inline void *ranks_leave(void *ref, const CsSite *site)
{
    return rt.ranks.size ? ranks_agree(ref, site) : ref;
}
/* The same of a scalar: its leaves are rank 0's. */
static inline bool ranks_leave_scalar(bool good, ScalarValue *leaves, int n, const CsSite *site)
{
    return rt.ranks.size ? ranks_agree_scalar(good, leaves, n, site) : good;
}
/* Before a handler sees the pending exception: one that a rank may have alone (memory, a device) ends the program
 * unless all have it. */
static inline void ranks_share_pending(void)
{
    if (rt.ranks.size && cs_pending && !rt.error.agreed) ranks_handle();
}

/* One step. told: bytes of rank 0 for all; NULL: none. False: an exception is pending, of all ranks. */
bool ranks_step(RanksDoing doing, const CsSite *site, void *told, size_t bytes);

/* ---- checking: CS_RANKS_CHECK (check.c) ----------------------------------------------------- */

/* What all ranks must do alike before their next step. */
void ranks_note_bytes(const void *data, size_t bytes);
static inline void ranks_note(const void *data, size_t bytes)
{
    if (rt.ranks.check) ranks_note_bytes(data, bytes);
}
/* They did not: rank 0 and `other` say where they are, and the program ends. */
void ranks_apart(RanksDoing doing, const CsSite *site, int other) __attribute__((noreturn));

/* ---- fault.c -------------------------------------------------------------------------------- */

struct RankFault ranks_own_fault(void);
/* Rank `from`'s exception becomes everybody's. */
void ranks_share_fault(int from);

#endif
