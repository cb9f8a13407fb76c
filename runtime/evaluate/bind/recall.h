/* The last evaluations of each composed graph, of a few sizes: their numbers are taken again where the ranges of the
 * operands are the same. Evaluations of few elements would spend most of their time on finding them out. */
#ifndef CS_RUNTIME_RECALL_H
#define CS_RUNTIME_RECALL_H

#include "numbers.h"

typedef struct Recalled {
    struct Recalled *next; /* the one before */
    Numbers numbers;
    bool native;
    bool unrun;          /* it was held back: whether its kernels are there nobody has asked */
    int where;           /* RtState.where */
    bool *exact;         /* the slots of scalars whose values count, too.. */
    ScalarValue *before; /* ..and room for those of all.. */
    FdBox *boxes;        /* ..and ranges of arrays */
    CgAgain *again;      /* NULL: it was never bound anew */
    bool values;         /* and those of some arrays */
    bool near;           /* it keeps temporaries near, as Evaluation.near asks */
    bool asked_ready;
    struct Ready *ready; /* of a native run, once it is asked for; NULL: it is none that can be */
    bool ranged;         /* the result has.. */
    FdBox range;         /* ..this range.. */
    bool *ranges;        /* ..as long as these scalars have the values that they have */
    struct Instant *instant; /* then (instant.h) */
} Recalled;

/* The last evaluation of e's graph with the numbers of this one, which comes first then; NULL: there is none. */
Recalled *recall(const Evaluation *e);
/* The same, if its run stands ready and nobody looks on. */
Recalled *recall_ready(const Evaluation *e);
/* Binds r to e's numbers, if it launches the same with them; ranges: those of arrays are others, too. */
bool recall_bind(const Evaluation *e, Recalled *r, bool ranges);
/* The one at *at is the first of c's from now on, which it gives. */
Recalled *recall_first(Composed *c, Recalled **at);
/* What g, composed as e, has just given has this range: so it is with the same numbers. */
void recall_range(const Evaluation *e, const Graph *g, const CsValue *captures, const FdBox *box);
/* The same of several results, each of its own range; of scalars it is anything. */
void recall_ranges(const Evaluation *e, const Graph *g, const CsValue *captures,
                   const FdBox *boxes);
/* Takes what recall_keep needs; in mem_try. */
void recall_room(const Evaluation *e, Numbers *n);
/* Keeps n, bound for a plan, if it is all that counts; n is then the graph's. */
bool recall_keep(const Evaluation *e, Numbers *n, const CgPlan *plan, bool native);
void recall_forget(Recalled *r); /* and those before it */

#endif
