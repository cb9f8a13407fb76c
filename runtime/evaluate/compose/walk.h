/* The walk over the captures of a graph, and of all lazy values below it: it writes the signature and gathers the
 * leaves. One that builds the graph goes the same way, each lazy value once (both are fdag/compose/composition.c's). */
#ifndef CS_RUNTIME_WALK_H
#define CS_RUNTIME_WALK_H

#include "compose.h"

typedef struct Scalar { /* that a slot of a graph had last */
    const FdGraph *graph;
    int slot;
    int64_t value;
    uint32_t visit, index;
} Scalar;

typedef struct Room { /* of a walk; the next takes the same */
    VEC(uint64_t) words;
    VEC(Scalar) scalars;
    VEC(int) moving; /* of Turning, in the order in which they were met */
} Room;

typedef struct Walk {
    Evaluation *e;
    bool again;             /* an evaluation's second walk */
    bool steps;             /* of a loop: FD_HINT_STEPS */
    const Turning *turning; /* NULL: no turns */
    Room room;
} Walk;

/* The signature into w->room, the leaves into w->e. Within mem_try. */
void walk_captures(Walk *w, const Graph *g, const CsValue *captures);
/* The graph, its key and order, after such a walk; in c->fd. Within mem_try. */
void walk_build(const Walk *w, const Graph *g, const FdNode *root, const CsValue *captures,
                Composed *c);
/* What a signature says of an array. */
static inline uint64_t walk_word(const Array *a)
{
    return (uint64_t)a->head.elem << 8 | (uint64_t)a->head.rank;
}

#endif
