/* What the files of kept lambdas share. */
#ifndef CS_SEMA_PLACES_H
#define CS_SEMA_PLACES_H

#include "../../check/check.h"

/* A lambda, or the name of a function, that is kept: in a variable, or elsewhere (name NULL). */
typedef struct Stored {
    Ast *function;
    const char *name;
    int owner;
    Loc returned; /* the return in which it stands, or NOWHERE: what comes behind comes no more */
    const Ast *call; /* who is called is done with it; NULL: it may be called whenever it likes */
} Stored;

/* Where something happens: in which lambda or function, of those in the body (0: itself). */
typedef struct Place {
    const char *name;
    uint32_t at, where; /* when it happens; where the name stands */
    int owner;
    int how; /* of a change: FREE_ITSELF, .. */
} Place;

typedef struct Declared {
    const char *name;
    uint32_t at;
    int owner;
    Loc scope;
    bool array, outside; /* outside: a parameter of the body's function */
} Declared;

typedef struct Turn { /* a loop, of which the body is run again and again; a try and its finally */
    Loc loop, body;
} Turn;

typedef struct Places {
    Sema *s;
    VEC(Place) changes, uses; /* in the order of the text */
    VEC(Declared) declared;
    VEC(Turn) turns, finals;
    VEC(const Ast *) functions; /* by owners; NULL: no function that has a name */
    FreeNames handed;           /* handed on: who has them is not known */
    int owner;                  /* of what comes now */
    Loc scope;                  /* of what is declared now */
    bool top;                   /* the statements of the program */
} Places;

/* Sets of names. */
void places_put(FreeNames *list, const char *name);
bool places_has(const FreeNames *list, const char *name);

/* What a target is made of is assigned, at this place of the text. */
void places_assigned(Places *p, const Ast *target, uint32_t at);
void places_declared(Places *p, const char *name, uint32_t at);
/* What the name means there: a number of p->declared, or -1. */
int places_which(const Places *p, const char *name, uint32_t where);
/* A function or lambda begins, which owns what comes now; gives the owner before. */
int places_enter(Places *p, const Ast *function);
/* call: it is what is called, or an argument: that is when all its operands are there. NULL: now. */
void places_used(Places *p, const Ast *name, const Ast *call);
void places_loop(Places *p, const Ast *loop, const Ast *body);
/* Can somebody call the lambda after the change? */
bool places_called_after(const Places *p, const Stored *f, const Place *change);
/* The same of one that a call is done with; reached: the names that the call reaches. */
bool places_called_during(const Places *p, const Stored *f, const Place *change,
                          const FreeNames *reached);
void places_free(Places *p);

#endif
