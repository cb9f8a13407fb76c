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

#endif
