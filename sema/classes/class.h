/* What the files about classes offer each other: class.c, slots.c, implied.c, member.c,
 * method.c. */
#ifndef CS_SEMA_CLASS_H
#define CS_SEMA_CLASS_H

#include "../check/check.h"

Class *class_object(Sema *s); /* the library's `object`; NULL without a library */
/* `final class`, not mutable: a value, record or not. */
bool class_is_final_value(const Class *c);
bool class_is_interface(const Class *c);
bool class_is_laid(const Class *c); /* class_ready is through with it */
/* The symbol of a FUNC node of a class, with its `self`; the caller adds it to the members. */
Symbol *class_function(Sema *s, Class *c, Ast *func, Loc loc);

/* slots.c; the signatures of the methods are known */
void slots_lay(Sema *s, Class *c);
void slots_implement(Sema *s, Class *c);

/* with.c: the constructor that has all fields, NULL if the class has its own. */
Symbol *class_plain_constructor(const Class *c);

/* member.c */
bool has_self(const Sema *s); /* is there a `this`? */
int count_overloads(const Symbol *first);

/* implied.c */
void implied_constructors(Sema *s, Class *c); /* those written, too: they get their initialisers */
#define SHOWN_METHOD "@Shown"                 /* as ToString, with values as a session shows them */
void implied_operators(Sema *s, Class *c);    /* == != ToString GetHashCode of a final class */

#endif
