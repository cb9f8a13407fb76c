/* What statements of the normal form (normal.c) do to variables. */
#ifndef CS_SEMA_DERIVE_SHAPE_H
#define CS_SEMA_DERIVE_SHAPE_H

#include "host.h"

/* A function on its way into the normal form. */
typedef struct Shape {
    Sema *s;
    Normal *out;
    const Facts *facts;
    Variables visible;
    VEC(const char *) names; /* used so far */
    int loops;               /* around */
    Variable *stop;          /* of the innermost loop, where it has a break */
    const AstList *turn;     /* what its turns end with */
    const Type *result;
} Shape;

/* That it has no derivative, and what to write instead; the first time. */
void shape_fail(Shape *f, Loc loc, const char *what, const char *instead);
Variable *shape_variable(Shape *f, const char *name, const Type *t); /* a new one */
void shape_reads(Shape *f, Ast *tree, Variables *out); /* adds those that a tree reads */
Step *shape_step(Steps *out, StepKind kind, Loc loc);  /* a new one, the last */
/* Takes calls of functions with loops out of an expression, in the order in which it is evaluated. */
void shape_hoist(Shape *f, Ast **slot, Steps *out);
void shape_assign(Shape *f, Loc loc, Variable *v, Ast *value, bool declares, Steps *out);
/* The variable `decl` of a VAR_DECL; rest: the statements of its scope, where it may get another name. */
void shape_declare(Shape *f, const Ast *n, Ast *decl, int nrest, Ast **rest, Steps *out);
void shape_define(Shape *f, Ast *n, int nrest, Ast **rest, Steps *out); /* the same of a DEFINE */
void shape_set(Shape *f, Loc loc, Ast *target, AstOp op, Ast *value,
               Steps *out); /* target op= value */

#endif
