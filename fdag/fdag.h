/* The functional DAG (the C$ paper, section 4): what the compiler and the runtime both build,
 * transform, compare and lower to kernels.
 *
 * Leaves: scalar, function, bound variable. Inner nodes: application, reduction, introduction of
 * bound variables (let). Nodes are immutable and hash-consed: within one Fd equal structure is the
 * same pointer. An Fd owns its nodes; it is not thread-safe and keeps no global state.
 *
 * A *graph* (FdGraph) is a root with its free leaves, the slots: array, functional or scalar values
 * given from outside. csc embeds one graph in text form for each functional expression of a
 * program; at run time a lazy value is a graph and the values of its slots. Evaluating composes the
 * graphs of all lazy values below (fd_substitute), giving a graph whose slots are arrays, scalars
 * and host functions only; its key (fd_key) finds the kernels.
 */
#ifndef CS_FDAG_H
#define CS_FDAG_H

#include "graph.h"
#include "node.h"

/* ---- passes --------------------------------------------------------------------------- */

typedef struct FdError { /* a user error found by a pass; message NULL: none */
    const char *message; /* in the Fd's arena */
    FdLoc loc;
    const FdNode *at;
} FdError;

/* One machine-independent pass. False with *error set on a user error. */
typedef bool FdPassFn(Fd *fd, FdGraph *g, FdError *error);
typedef struct FdPass {
    const char *name;
    FdPassFn *run;
} FdPass;

/* The passes of passes/, each a file with one entry point:
 *   fold        constant folding
 *   domains     domain inference: OPEN becomes INFERRED or FULL, agreements are added (language 4)
 *   recur       finds the order of each recurrence; an error if none makes all uses earlier points
 *               (one that depends on functions still to come stays without)
 *   beside      results that bind the same variables become one, a function of records; first of the
 *               back passes
 *   inline      user functions without loops become the values that they compute
 *   share       reductions over equal ranges use the same variables
 *   fuse        fuse-or-materialise: a function applied where inlining it would recompute something
 *               expensive becomes a temporary, an FdSlot with a definition. It is
 *               before compose: once that has inlined a function nobody sees that it was shared
 *   compose     beta reduction: applications of lets and inlinable users
 *   simplify    algebraic simplification
 *   hoist       a reduction that does not use all loops around it becomes a temporary
 *   deadparams  temporaries and arguments of user functions that nothing uses
 * Given slots keep their numbers in all passes; temporaries are appended.
 */
extern const FdPass
    fd_front_passes[]; /* csc, once per graph: fold, domains, recur; ends with name NULL */
extern const FdPass
    fd_back_passes[]; /* before codegen: beside, inline, share, fuse, compose, recur,
                                         fold, simplify, what regroups reductions, share, hoist,
                                         deadparams */
extern const FdPass fd_precise_passes[];         /* the same without what regroups */
const FdPass *fd_back_passes_for(FdReals reals); /* FD_REALS_FAST: with powers, too */
const FdPass *fd_pass_find(const char *name);    /* NULL if there is none */
const FdPass *fd_pass_at(int i);                 /* all passes; NULL behind the last */
/* Runs a list; verifies between passes unless NDEBUG, aborting with the pass's name. `dump`, if not
 * NULL, receives the graph after pass `dump_after`. */
bool fd_run_passes(Fd *fd, FdGraph *g, const FdPass *passes, FdError *error, const char *dump_after,
                   Text *dump);

/* After the back passes, for code generation only: applications of user functions that are given
 * functions become ones of functions that know them, whose bodies may apply slots. */
void fd_specialise(Fd *fd, FdGraph *g);
/* Likewise: arrays of records that are read across become ones of their fields. */
void fd_fields_apart(Fd *fd, FdGraph *g);

#endif
