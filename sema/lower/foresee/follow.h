/* What foresee.c knows of calls: functions of the program are followed with the values of their arguments, those of
 * the library evaluate what they are given. */
#ifndef CS_SEMA_FOLLOW_H
#define CS_SEMA_FOLLOW_H

#include "known.h"

enum {
    MAX_FOLLOWED = 10000 /* calls, all in all: functions that call each other twice are many */
};

Value *follow_user(Foresee *f, Ast *n);
Value *follow_library(Foresee *f, Ast *n);
Value *follow_new(Foresee *f, Ast *n); /* an object that is kept (object_is) */
/* What a variable is before a call that it is given to (ref, out); behind it nobody knows, unless the call is
 * followed. */
Value *follow_given(Foresee *f, Ast *n);
/* A variable, a field, or an element of one is assigned to: from now on it is v. */
void follow_put(Foresee *f, const Ast *place, Value *v);

#endif
