/* What waits: evaluations that are held back (hold.h), and which of them hang together. */
#ifndef CS_RUNTIME_WAITING_H
#define CS_RUNTIME_WAITING_H

#include "../compose/compose.h"

enum {
    WAITING_READS = 8, /* arrays that are held back and that one evaluation reads */
    WAITING_MOST = 224 /* that are looked at together */
};

/* What a buffer waits for. */
struct Held {
    struct Held *next, *before; /* in rt.hold, the newest first */
    Buffer *buffer;
    Lazy *lazy;      /* ours */
    uint64_t number; /* in the order in which they were held back: each after what it reads */
    int most;        /* so many at a time */
    int32_t uses;    /* of its array, by those of a batch */
    struct Held *as; /* what stands for it in a composition, just now; NULL: it does itself */
    bool through;    /* what reads the array is composed of what it is: just now.. */
    bool view;       /* ..or always; it is in no list then, and can be evaluated at any time */
};

/* What an evaluation reads. */
typedef struct Look {
    uint32_t visit;
    int nlazies;     /* that were looked at */
    bool plain;      /* arrays and scalars only */
    uint32_t serial; /* is there an array of this graph.. */
    size_t bytes;    /* ..of this size? */
    bool loops;
    size_t reads; /* bytes of the largest array */
    int nheld;    /* arrays that are held back.. */
    Array *held[WAITING_READS];
    int32_t times[WAITING_READS]; /* ..and how often they are captured */
} Look;
Look look_below(const Lazy *of, size_t bytes);

/* Some that are held back, in their order. */
typedef struct Waiting {
    int n;
    int asked; /* so many, in their order, are to be evaluated: up to the one that somebody looks at */
    bool full; /* there are more */
    struct Held *held[WAITING_MOST];
} Waiting;
/* Adds h and all that it waits for; `beside`: what reads some of it, too, and all that these wait for,
 * unless one is under way itself (rt.hold.busy), which may be among them. */
void waiting_add(Waiting *w, struct Held *h, bool beside);
/* Graphs that they are of, with one more: arrays of a step of their loop. */
int waiting_graphs(const Waiting *w, const Graph *more);
/* Which of the first n, a batch of them, does somebody else refer to? Their numbers, in order. */
int waiting_kept(const Waiting *w, int n, int *kept);
/* Are n of them, number `from` being the first, turns of a loop, so many each? Each turn but the first two does
 * with the arrays of its own and of the turn before it what that one did one turn earlier. */
bool waiting_turns(const Waiting *w, int from, int n, int period, Turning *turning);
/* The arrays of what moves, from the oldest that wait on; to be released. False with an exception pending. */
bool waiting_values(const Waiting *w, int period, Turning *turning, const CsSite *site);
/* For CS_DUMP=plan: where the first n are from, as long as they wait. */
PlanLines waiting_lines(const Waiting *w, int n);

#endif
