/* What statements of the normal form (normal.c) do to variables. */
#ifndef CS_SEMA_DERIVE_SHAPE_H
#define CS_SEMA_DERIVE_SHAPE_H

#include "../host.h"

/* An element that is read, and the variable that has it. */
typedef struct Read {
    const Ast *tree;
    const Variable *value;
} Read;

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
    const Ast *states;       /* of the loop that comes */
    int nrest;               /* statements from the one that is looked at on, in its scope */
    Ast **rest;
    Variable *left; /* a loop was left by a return; NULL: none has one */
    bool elements;  /* reads of elements are steps of their own */
    VEC(Read) read; /* by the statement so far */
    bool apart;     /* what is written alike in it may not be one element */
    const Type *result;
} Shape;

/* That it has no derivative, and what to write instead; the first time. */
void shape_fail(Shape *f, Loc loc, const char *what, const char *instead);
Variable *shape_variable(Shape *f, const char *name, const Type *t); /* a new one */
void shape_reads(Shape *f, Ast *tree, Variables *out); /* adds those that a tree reads */
Step *shape_step(Steps *out, StepKind kind, Loc loc);  /* a new one, the last */
/* The step gives v its value; declares: there it begins. */
void shape_target(Shape *f, Step *step, Variable *v, bool declares);
/* Takes calls of functions with loops out of an expression, in the order in which it is evaluated. */
void shape_hoist(Shape *f, Ast **slot, Steps *out);
/* A call of such a function, which the fact tells, becomes a step. */
void shape_call(Shape *f, Ast **slot, const Fact *fact, Steps *out);
void shape_assign(Shape *f, Loc loc, Variable *v, Ast *value, bool declares, Steps *out);
/* The variable `decl` of a VAR_DECL; rest: the statements of its scope, where it may get another name. */
void shape_declare(Shape *f, const Ast *n, Ast *decl, int nrest, Ast **rest, Steps *out);
void shape_define(Shape *f, Ast *n, int nrest, Ast **rest, Steps *out); /* the same of a DEFINE */
/* A function, whose definition goes where it is used. */
void shape_function(Shape *f, Loc loc, const char *name, const Type *t, Ast *definition,
                    Steps *out);
Variable *shape_find(const Shape *f,
                     const char *name);              /* the visible one of this name, NULL: none */
Variable *shape_named(const Shape *f, const Ast *n); /* what a name means; NULL: it is none */
/* A variable of its own for a value; it has the value from now on. */
Variable *shape_temporary(Shape *f, const char *what, const Type *t, Ast *value, Steps *out);
void shape_set(Shape *f, Loc loc, Ast *target, AstOp op, Ast *value,
               Steps *out); /* target op= value */

/* ---- assignments.c ---- */

const Ast *shape_effect(Ast *n); /* the first assignment inside; NULL: there is none */
/* Makes statements of assignments inside of an expression; true: there were some. */
bool shape_effects(Shape *f, Ast **slot, Steps *out);

/* ---- normal.c ---- */

void shape_statements(Shape *f, AstList list, Steps *out);

/* ---- loops.c ---- */

bool shape_jumps(Ast *n);      /* does it hold a jump? */
bool shape_ends(const Ast *n); /* does control never come to its end? */
/* An if, where `rest` follows a branch that does not leave. */
void shape_if(Shape *f, Ast *n, AstList rest, Steps *out);
/* while (cond) { body; turn }, with all that follows a turn in its place; first: cond is asked behind the first turn. */
void shape_loop(Shape *f, Loc loc, Ast *cond, Ast *body, AstList turn, bool first, Steps *out);
void shape_for(Shape *f, Ast *n, Steps *out);
bool shape_returns(Ast *n); /* a loop: does it return? */
/* Before the first statement: where loops return, a variable says so, and the result has a value from the start. */
void shape_may_leave(Shape *f, Ast *body, Steps *out);
Ast *shape_if_left(Shape *f, Loc loc); /* if (left) break; or return; */

/* ---- sugar.c ---- */

/* foreach and switch as what they stand for; other statements as they are. */
Ast *shape_plain(Shape *f, Ast *n);
/* (a, b) = value, and var (a, b) = value; rest: as of shape_declare. */
void shape_parts(Shape *f, Ast *assign, int nrest, Ast **rest, Steps *out);
/* Functions that are declared among these statements, as far as they read what is declared by now. */
void shape_functions(Shape *f, AstList list, Steps *out);

/* ---- element.c ---- */

/* Is it an element of an array of reals that is a variable? */
bool shape_is_element(const Shape *f, const Ast *n);
/* In a loop: has an expression rows of such arrays? Takes them out of it; false: they are none. */
bool shape_has_rows(Shape *f, Ast *n);
bool shape_get_rows(Shape *f, Ast **slot, Steps *out);
/* Takes an element of an array out of an expression; false: it is none. */
bool shape_get(Shape *f, Ast **slot, Steps *out);
/* Is it a new array of elements that are written, which an expression has? */
const Fact *shape_listed(const Shape *f, const Ast *n);
/* v = { a, b, c }, where elements read variables: each is put by itself; false: it is none such. */
bool shape_list(Shape *f, Loc loc, Variable *v, Ast *value, bool declares, Steps *out);
/* array[..] op= value, an element or a slice of a variable. */
void shape_put(Shape *f, Loc loc, Variable *array, Ast *target, AstOp op, Ast *value, Steps *out);

#endif
