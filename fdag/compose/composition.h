/* Composition: the graph of a value, with the graphs of the lazy values below it in the places of
 * their slots. The compiler composes what it foresees, the runtime what it evaluates; both do it
 * here, so that slots are numbered alike and equal evaluations have equal keys. */
#ifndef CS_FDAG_COMPOSITION_H
#define CS_FDAG_COMPOSITION_H

#include "../fdag.h"

typedef enum FdCaptureKind {
    FD_CAPTURE_SCALAR, /* a slot of its own wherever it is captured; one with marks has identity */
    FD_CAPTURE_ARRAY,  /* these have identity: one slot, however often captured */
    FD_CAPTURE_FUNCTION, /* of the host; the same */
    FD_CAPTURE_GRAPH,    /* a lazy value: composed, once */
    FD_CAPTURE_UNKNOWN   /* there is no composition */
} FdCaptureKind;

/* What a slot of a graph stands for. */
typedef struct FdCapture {
    FdCaptureKind kind;
    void *object;
    /* The object's marks: which composition met it last, and its number there: of its slot or, of a
     * GRAPH, among graphs. */
    uint32_t *visit, *index;
    const FdType *type; /* ARRAY, FUNCTION: of its slot; NULL: as the capturing slot's */
    /* GRAPH: what it is made of, and its captures for `look`. */
    const FdGraph *graph;
    const void *captures;
    bool kept; /* GRAPH: its array is a result, too */
    bool
        array; /* GRAPH: an array stands for it; in turns these are stored, so that all turns are alike, or are parts
                * of what reads them (once.c) */
} FdCapture;

typedef struct FdComposing {
    void *ctx;
    bool steps; /* what is composed are steps of a loop (FD_HINT_STEPS).. */
    bool turns; /* ..three turns of it; a slot behind all says for how many the middle one stands */
    /* Has this scalar slot, of the middle turn, another value in each? An array behind all has these. NULL: none */
    bool (*moves)(void *ctx, const void *captures, int slot);
    uint32_t visit; /* unlike all marks there are */
    /* Slot `slot`, of functional type, of a graph with these captures. */
    FdCapture (*look)(void *ctx, const void *captures, int slot);
    /* The same of a scalar slot of g; NULL: they have no identity. */
    FdCapture (*scalar)(void *ctx, const FdGraph *g, const void *captures, int slot);
    /* NULL, or told of each capture in order. New ones have their numbers, `again` if they had them
     * before; of SCALAR nothing but the kind is set. A GRAPH's captures follow it. */
    void (*meet)(void *ctx, const FdCapture *c, const void *captures, int slot, bool again);
} FdComposing;

/* The walk alone: false if something is unknown. */
bool fd_compose_walk(const FdComposing *c, const FdGraph *g, const void *captures);

/* The composition of node `root` of g, which may be of another Fd: of all its results if that is the first
 * one's. Its slots are in the order of the
 * walk, lets that are given functions have become their bodies (pass `given`), and recurrences that
 * waited for functions have their order. Its key and (NULL: not wanted) FdOrder with it. False if
 * something is unknown. */
bool fd_compose(Fd *fd, const FdComposing *c, const FdGraph *g, const FdNode *root,
                const void *captures, FdGraph *out, FdKey *key, FdOrder *order);

#endif
