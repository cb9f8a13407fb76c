/* Shared by the files that make FdStmt lists of a function's body. What fails leaves the reason and
 * sets `failed`; nothing is made from there on. */
#ifndef CS_SEMA_LOWER_BODY_H
#define CS_SEMA_LOWER_BODY_H

#include "../build.h"

typedef struct Body {
    Lower *l;
    VEC(Symbol *) locals; /* whose fdag is cleared at the end */
    const FdNode *made;   /* a constructor's object, which it returns; else NULL */
    const FdNode *again;  /* in a switch: true before a jump to the step of the loop around it */
    bool continued;       /* there was such a jump */
    int64_t bytes;        /* of its arrays */
    bool failed;
} Body;

/* A list of statements that grows at its end. */
typedef struct Tail {
    FdStmt *first, **last;
} Tail;

FdStmt *body_add(Body *b, Tail *out, FdStmtKind kind, Loc loc);
Tail body_tail(FdStmt **list); /* an empty one */
void body_fail(Body *b, Loc loc, const char *what);
const FdNode *body_value(Body *b, const Ast *n); /* of an expression; NULL after a failure */
/* var, a local or an element of a local array, = v; nothing if v is NULL. */
void body_set(Body *b, Tail *out, const FdNode *var, const FdNode *v, Loc loc);

const FdNode *body_truth(Body *b, bool v);
void body_block(Body *b, const AstList *stmts, Tail *out);
/* `continue`: out of the switch first, if there is one inside the loop. */
void body_next_round(Body *b, Tail *out, Loc loc);

/* ---- stmt_switch.c ------------------------------------------------------------------- */

void body_switch(Body *b, const Ast *n, Tail *out);

/* ---- array.c ------------------------------------------------------------------------- */

bool body_is_new_array(const Ast *n);
const FdNode *body_array(const Ast *n); /* the local array that a name stands for, or NULL */
/* float[] t = new float[8]; float[] t = { 1, 2 }; float[] t = u; */
void body_array_decl(Body *b, const Ast *declarator, Tail *out);
/* t = u, or a new array of t's lengths, whose elements may use t's. */
void body_array_assignment(Body *b, const FdNode *array, const Ast *n, Tail *out);

#endif
