/* What the files of kept lambdas share. */
#ifndef CS_SEMA_PLACES_H
#define CS_SEMA_PLACES_H

#include "../../check/check.h"

/* A lambda, or the name of a function, that is kept: in a variable, or elsewhere (name NULL). */
typedef struct Stored {
    Ast *function;
    const char *name;
    int owner;
    bool returned; /* what was to come in the text comes no more */
} Stored;

/* Where something happens: in which lambda or function, of those in the body (0: itself). */
typedef struct Place {
    const char *name;
    uint32_t at;
    int owner;
    int how; /* of a change: FREE_ITSELF, .. */
} Place;

typedef struct Turn { /* a loop, of which the body is run again and again */
    Loc loop, body;
} Turn;

typedef struct Places {
    Sema *s;
    VEC(Place) changes, uses; /* in the order of the text */
    VEC(Place) declared;
    VEC(Turn) turns;
    FreeNames handed; /* handed on: who has them is not known */
    int owner;        /* of what comes now */
    bool top;         /* the statements of the program */
} Places;

/* Sets of names. */
void places_put(FreeNames *list, const char *name);
bool places_has(const FreeNames *list, const char *name);

/* What a target is made of is assigned, at this place of the text. */
void places_assigned(Places *p, const Ast *target, uint32_t at);
void places_declared(Places *p, const char *name, uint32_t at);
void places_used(Places *p, const Ast *name);
void places_loop(Places *p, const Ast *loop, const Ast *body);
/* Can somebody call the lambda after the change? */
bool places_called_after(const Places *p, const Stored *f, const Place *change);
void places_free(Places *p);

#endif
