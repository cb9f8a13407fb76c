/* What is known at a place in a graph: the ranges of variables and affine inequalities that hold
 * there (guards that were taken, parts of a range); what follows from them, what a value is under
 * them, and which of them would make the inside of a box plain.
 */
#ifndef CS_FDAG_FACTS_H
#define CS_FDAG_FACTS_H

#include "../affine.h"

/* Knows the ranges of the variables that it is made with and of those bound in `body`. */
typedef struct FdFacts FdFacts;
FdFacts *fd_facts_new(Fd *fd, int nvars, const FdNode *const *vars, const FdDom *doms,
                      const FdNode *body);
void fd_facts_free(FdFacts *f);

/* From here on the form is at most 0. */
void fd_fact(FdFacts *f, const FdAffine *form);
/* From here on a condition made of comparisons, &&, || and ! has this value; what is no affine
 * comparison says nothing. */
void fd_assume(FdFacts *f, const FdNode *cond, bool truth);
/* Is the form at most 0? False: it cannot be shown. */
bool fd_shown(const FdFacts *f, const FdAffine *form);
/* Does a read stay inside of what it reads in dimension dim? */
bool fd_read_shown(FdFacts *f, const FdNode *read, int dim);

/* int expressions that must not wrap for something to be so. */
enum { FD_EXACT = 8 };
typedef struct FdExact {
    int n;
    const FdNode *nodes[FD_EXACT];
} FdExact;
/* Narrows the ranges of variables to where a condition made of comparisons, &&, || and ! has this
 * value, as far as it says an end that can be evaluated before. */
void fd_where(Fd *fd, const FdNode *cond, bool truth, int nvars, const FdNode *const *vars,
              FdDom *doms, FdExact *exact);

/* What n is under the facts: conditions that they decide are gone, and what these guarded.
 *
 *   under 0 <= i - 1, i < n    i > 0 ? u(max(i - 1, 0)) : 0     (i - 1) % n
 *   becomes                    u(i - 1)                         i - 1
 */
const FdNode *fd_under(FdFacts *f, const FdNode *n);
/* Reductions over a few values known now, written out: sum(k : 0..3, a(k)) is 0 + a(0) + a(1) + a(2).
 */
const FdNode *fd_unroll(Fd *fd, const FdNode *n);
const FdNode *fd_unroll_few(Fd *fd, const FdNode *n, int64_t most); /* over so many at most */

/* Arithmetic of ints whose values fit into shorts, as arithmetic of shorts. */
const FdNode *fd_narrow(Fd *fd, const FdNode *n);

/* A form (at most 0) as a condition x <= y, and back. */
const FdNode *fd_condition(Fd *fd, const FdAffine *form);
bool fd_condition_form(const FdNode *cond, FdAffine *form);
/* A condition in which v occurs, solved for it: `v >= e` (*lower) or `v < e`. NULL: it cannot be. Of
 * v / n both are taken to be positive, as a flat variable and what it is divided by are (flat.h). */
const FdNode *fd_solve(Fd *fd, const FdNode *cond, const FdNode *v, bool *lower);

/* The inside of a definition: where guards of reads are taken, clamps and remainders do nothing and
 * reads stay inside. `known` says which closed nodes can be evaluated before. Gives the number of
 * conditions that make a point lie inside, each over the variables, closed nodes and elements that do
 * not depend on the last variable: those that all points read, or that are inside where the
 * conditions without elements hold. *guessed: some are of a side of a guard that may as well be the
 * smaller. */
int fd_interior(Fd *fd, int nvars, const FdNode *const *vars, const FdDom *doms, const FdNode *body,
                FdIsKnown *known, const void *ctx, int most, const FdNode **conds, bool *guessed);

#endif
