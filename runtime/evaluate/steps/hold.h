/* Evaluations that are held back (hold.c): steps of a loop over arrays, which are better evaluated
 * some at a time. */
#ifndef CS_RUNTIME_HOLD_H
#define CS_RUNTIME_HOLD_H

#include "../compose/compose.h"
#include "../lazy/lazy.h"

/* Is it of a long loop, and its array of so many bytes large enough? Then the evaluation of l may be held back. */
bool hold_wants(const Lazy *l, size_t bytes);
/* May arrays of the box be turns of a loop, if csc foresaw those of g? */
bool hold_takes(const Graph *g, const FdBox *box);
/* Is it, now that it has an array? Goes on with those before it if they are as many as are taken together, for
 * which a lends its memory; false with an exception pending, too. */
bool hold_begin(const Lazy *l, const Array *a, const CsSite *site);
/* Holds it back: b's elements come when somebody asks. Takes over l's captures. Of what cannot fail.
 * False, without an exception: no memory. */
bool hold_take(Lazy *l, Buffer *b);
/* A scalar, composed as e, of arrays: if one of these is held back, both by one kernel, the scalar to out.
 * False, perhaps with an exception pending: it is evaluated as ever. */
bool hold_with(const Evaluation *e, Graph *g, const CsValue *captures, Buffer *out,
               const CsSite *site);
/* An array of g was evaluated. */
void hold_made(Graph *g);
/* Such a scalar was evaluated by itself: does it look at each step of a loop? */
void hold_learn(const Evaluation *e);

#endif
