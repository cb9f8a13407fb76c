/* Batches: which of the evaluations that wait (waiting.h) are evaluated together. It depends on graphs, sizes and
 * what loops went through, so every run decides alike. */
#ifndef CS_RUNTIME_BATCH_H
#define CS_RUNTIME_BATCH_H

#include "waiting.h"

enum { BATCH_TURNS = 3 /* that a text for any number of them composes */ };

/* The oldest that wait, by one kernel. */
typedef struct Batch {
    int n;      /* 0: it is not worth to make one yet */
    int period; /* so many a turn, by a kernel for any number of turns; 0: by one for these */
    bool both;  /* steps of one graph, and what goes back through them */
    bool plain; /* what is left, a turn: as if it were written as one */
} Batch;

Batch batch_of(const Waiting *w);
/* So many are evaluated once they wait and so many more, of which l would be one: what stays can be turns again. */
int batch_enough(const Waiting *w, const Lazy *l, int most, int *more);
/* Do turns of a loop wait, to which l does not belong? */
bool batch_is_over(const Waiting *w, const Lazy *l);
/* How many steps at a time: the rows that are kept of all of them are to fit a cache. */
int batch_most(const Lazy *l, size_t bytes);
/* Bytes that loops go through while a kernel of so many nodes is made. */
double batch_work(double nodes);
/* Has the program a kernel of turns of its loop, as far as is known? */
bool batch_is_foreseen(const Lazy *l);
/* Is that so, and does its array not end a turn? */
bool batch_is_within_turn(const Lazy *l);

#endif
