/* Backward mode of the host's statements: a step (change.c), all of them (back.c). */
#ifndef CS_SEMA_DERIVE_BACK_H
#define CS_SEMA_DERIVE_BACK_H

#include "host.h"

typedef struct Back {
    Sema *s;
    Normal *n;
    bool good;
    const char *
        *kept; /* of each result, what the way back leaves alone; NULL: it leaves results alone */
} Back;

/* ---- change.c: statements that are added to *out ---- */

void change_set(Back *b, AstList *out, Loc loc, Variable *v, Ast *value);
void change_none(Back *b, AstList *out, Loc loc, Variable *v); /* zeros, if it has none yet */
/* The variable of the same type that an assignment gives another name; NULL: it computes something. */
Variable *change_named(const Step *step);
/* Of a step whose target has a change. */
void change_assignment(Back *b, AstList *out, const Step *step);
void change_get(Back *b, AstList *out, const Step *step);
void change_put(Back *b, AstList *out, const Step *step);
/* Goes back through a call, which gives its value, too, if `both`. */
void change_call(Back *b, AstList *out, const Step *step, bool both);

/* ---- stateless.c: loops that go back without states ---- */

/* What has to have its value in front of the steps from number `from` on, to go there and back, and to give what
 * `needs` has before: adds it there. */
void stateless_needs(const Steps *steps, size_t from, Variables *needs);
/* Does a turn need nothing of what the loop changes but counters? */
bool stateless_is(Sema *s, const Step *loop);
/* How many turns such a loop has, in front of it; NULL: it has to be run, which tells, or gives what is needed. */
Ast *stateless_turns(Sema *s, const Step *loop, const Variables *needs);
/* Counters at the beginning of a turn: `turns` names its number, `old` what the loop's keeps were in front of it. */
void stateless_place(Sema *s, AstList *out, const Step *loop, const char *turns,
                     const char *const *old);

#endif
