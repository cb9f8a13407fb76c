/* Evaluations that are held back (hold.c): steps of a loop over arrays, which are better evaluated
 * some at a time. */
#ifndef CS_RUNTIME_HOLD_H
#define CS_RUNTIME_HOLD_H

#include "lazy.h"

/* What a buffer waits for. */
struct Held {
    struct Held *next, *before; /* in rt.held, the newest first */
    Buffer *buffer;
    Lazy *lazy;   /* ours */
    int levels;   /* steps since an array that is there */
    int most;     /* so many at a time */
    bool through; /* just now: what reads the array is composed of what it is */
};

/* Is it a step of a loop, large enough? Then the evaluation of l for `a` may be held back. Goes on with
 * those before it if they are as many as are taken together; false with an exception pending, too. */
bool hold_wants(const Lazy *l, const Array *a, const CsSite *site);
/* Holds it back: b's elements come when somebody asks. Takes over l's captures. Of what cannot fail.
 * False, without an exception: no memory. */
bool hold_take(Lazy *l, Buffer *b);

#endif
