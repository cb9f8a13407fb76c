/* What the files about classes offer each other: class.c, slots.c, implied.c, member.c,
 * method.c. */
#ifndef CS_SEMA_CLASS_H
#define CS_SEMA_CLASS_H

#include "../check/check.h"

Class *class_object(Sema *s); /* the library's `object`; NULL without a library */
/* `final class`, not mutable: a value, record or not. */
bool class_is_final_value(const Class *c);
bool class_is_struct(const Class *c);     /* such a value, written with that word */
bool class_is_changeable(const Class *c); /* .. whose fields may be assigned: structs and tuples */
bool class_is_record(const Class *c);     /* a class that is compared by its members */
bool class_is_interface(const Class *c);
bool class_is_laid(const Class *c);                           /* class_ready is through with it */
bool class_is_automatic(const Class *c, const Ast *property); /* it keeps its value itself */

/* class_members.c. The members that are written, once the bases are laid. */
void class_lay_members(Sema *s, Class *c);
bool class_writes(const Class *c, const char *name); /* a member of this name */
/* The symbol of a FUNC node of a class, with its `self`; the caller adds it to the members. */
Symbol *class_function(Sema *s, Class *c, Ast *func, Loc loc);

/* slots.c; the signatures of the methods are known */
void slots_lay(Sema *s, Class *c);
void slots_implement(Sema *s, Class *c);

/* ---- dispatch.c: virtual generic methods ----------------------------------------------------- */

/* f, a new instance of a generic method, gets a selector if its object says what runs. */
void dispatch_instance(Sema *s, Symbol *f);
/* f, with a selector, is used: so is what the classes in use have for it. */
void dispatch_use(Sema *s, Symbol *f);
/* Class c is used: so is what it has for the instances in use. */
void dispatch_class(Sema *s, Class *c);
/* What runs for f, with a selector, on objects of class c itself. */
Symbol *dispatch_target(Sema *s, const Class *c, Symbol *f);

/* with.c: the constructor that has all fields, NULL if the class has its own. */
Symbol *class_plain_constructor(const Class *c);

/* struct.c: of a method of a struct that changes it what it runs, by reference; its own body calls that.
 * NULL: it changes nothing. */
Ast *struct_split(Sema *s, Class *c, Ast *func);

/* member.c */
bool has_self(Sema *s); /* is there a `this`? */
int count_overloads(const Symbol *first);

/* implied.c */
void implied_constructors(Sema *s, Class *c); /* those written, too: they get their initialisers */
#define SHOWN_METHOD "@Shown"                 /* as ToString, with values as a session shows them */
/* == != Equals GetHashCode ToString .. of a final class or a record */
void implied_members(Sema *s, Class *c);
/* For record.c: does the class write a member of this name itself? */
bool implied_has(const Class *c, const Sema *s, const char *name);
/* A method with this body, a block or what it returns; NULL: it is abstract. */
Symbol *implied_add(Sema *s, Class *c, uint64_t mods, const Type *ret, const char *name,
                    AstList params, Ast *body);
/* A constructor, not yet among those of the class. */
Symbol *implied_constructor(Sema *s, Class *c, uint64_t mods, AstList params, AstList body);

/* record.c */
void record_members(Sema *s, Class *c); /* of `record` and `record struct` */
void record_equality(Sema *s, Class *c);
void record_copies(Sema *s,
                   Class *c); /* the constructor that copies; before signatures are known */
/* p with { X = 1 } of a record class: its copy, changed. */
Ast *record_with(Sema *s, Ast *n, const Class *c);

#endif
