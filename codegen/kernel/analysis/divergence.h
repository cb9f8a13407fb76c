/* What lanes share and where they part in a user function that is run in lanes.
 *
 * A local varies if lanes can hold different values: it is set from what varies, or by some of the
 * lanes only that look at it later. Who looks is what its region says: the innermost branch or loop
 * that all of its occurrences are in. A condition that varies inside of that region parts the lanes
 * that read the local; one around it does not, nor does a return, after which a lane reads nothing.
 *
 *   for (n = 0; n < 256; n++) {         n is the same in all lanes that are still here
 *       a = a * a + x;                  a varies; lanes that have returned may go on computing it
 *       if (a > 4) return n;
 *   }
 */
#ifndef CS_CODEGEN_DIVERGENCE_H
#define CS_CODEGEN_DIVERGENCE_H

#include "analysis.h"

/* Statements that the same lanes run: a function, one side of an IF, the body and step of a LOOP. */
typedef struct DivergenceRegion {
    struct DivergenceRegion *up;
    struct DivergenceStmt *of; /* NULL: the function */
    int depth;
} DivergenceRegion;

typedef struct DivergenceStmt {
    const FdStmt *s;
    DivergenceRegion *in;
    bool step;   /* in the step of the loop around */
    bool varies; /* IF: lanes part here; BREAK, CONTINUE: not all lanes that run the loop go */
    bool blends; /* SET, PUT, CLEAR: some lanes that read the local later are not here */
    bool leaves, skips, returns; /* LOOP: by break, by continue, by return not all at once */
    struct DivergenceStmt *body, *other, *next;
} DivergenceStmt;

typedef struct DivergenceLocal {
    const FdNode *var;
    DivergenceRegion *region;
    bool varies;
} DivergenceLocal;

typedef struct Divergence {
    Arena *arena;
    DivergenceStmt *first;
    DivergenceRegion *root;
    int nlocals, room;
    DivergenceLocal *locals;
    bool early; /* a return is not the last statement */
} Divergence;

/* Of a function of which these parameters vary (NULL: all); in the arena. */
Divergence *divergence_user(Arena *a, const FdUser *user, const bool *varying);
bool divergence_varies(const Divergence *x, const FdNode *n); /* of an expression of the body */
/* How often a loop over a counter turns, from a number to a number after the statement before it;
 * 0: that is not known, or more often than `most`. */
int divergence_turns(const DivergenceStmt *before, const DivergenceStmt *loop, int most);

#endif
