/* What is found of a body's lambdas before it is checked (look.c), for shared.c. */
#ifndef CS_SEMA_LOOK_H
#define CS_SEMA_LOOK_H

#include "places.h"

typedef struct SharedName {
    const char *name;
    int how;      /* FREE_ITSELF, or what else of it is assigned */
    bool written; /* in lambdas */
    bool recursive;
} SharedName;

typedef enum Role {
    KEPT,    /* a value that goes on */
    USED_UP, /* one that is called where it stands */
    COPIED   /* part of a definition, or of a functional expression */
} Role;

typedef struct Look {
    Sema *s;
    VEC(SharedName) all;
    FreeNames values; /* names in lambdas, or not called */
    FreeNames empty;  /* declared as functions that are not there yet */
    VEC(Stored) stored;
    Places places;
    VEC(Loc) used_up;
    FuncList functions;
    Role role;
    Loc returned;
    const Ast *call;  /* in whose argument it stands, if who is called is done with it */
    const char *name; /* of the variable that gets the value; NULL: none */
} Look;

/* Walks over a function's parameters (or NULL) and statements. Fills the lists, which the caller frees. */
void look_body(Look *l, const AstList *params, const AstList *stmts);

/* The entry of the name, which counts as shared from now on, to be assigned so at least. */
SharedName *shared_name(Look *l, const char *name, int how);
/* The function inside of the body that has the name, or NULL. */
Ast *shared_function(const Look *l, const char *name);
/* What the lambda or function assigns outside of itself is shared. */
void shared_written(Look *l, Ast *function);

#endif
