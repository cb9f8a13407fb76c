/* Scalar replacement of arrays: what scalars.c, elements.c, expressions.c and calls.c share. */
#ifndef CS_SEMA_LOWER_SCALARS_H
#define CS_SEMA_LOWER_SCALARS_H

#include "../build.h"

enum {
    SCALARS_MOST = 64,         /* elements of an array, 8 x 8 */
    SCALARS_OPERATIONS = 4000, /* of all of them */
    SCALARS_CALLS = 4          /* functions in place, one inside the other */
};

/* What stands for a variable. */
typedef struct Stand {
    const Symbol *sym;
    Symbol *elements[SCALARS_MOST]; /* of an array, in the order of memory.. */
    FdBox box;                      /* ..which has these.. */
    Symbol *as;                     /* ..or another variable.. */
    Ast *value;                     /* ..or an expression; both NULL: it is an array */
    double gain, cost; /* evaluations that are spared, and arrays that are made of elements */
} Stand;

typedef struct Scalars {
    Lower *l;
    VEC(Stand) stands;        /* of the body; behind them those of functions in place */
    VEC(const Symbol *) stay; /* arrays that they have to be */
    AstList *out;             /* statements so far of the list that is being made */
    const Symbol *within[SCALARS_CALLS];
    size_t nbody; /* stands of the body itself, while a function is in place */
    int nwithin, loops;
    double spared; /* in functions in place, since it was set to 0 */
    bool top;      /* of the program: what is in no loop stays */
    bool fails;    /* the function in place cannot be it */
} Scalars;

/* ---- scalars.c ------------------------------------------------------------------------------- */

/* What stands for sym, by number; -1: nothing. */
int scalars_find(const Scalars *s, const Symbol *sym);
static inline bool scalars_is_array(const Stand *x)
{
    return !x->as && !x->value;
}
/* n without conversions that change no element. */
Ast *scalars_bare(Ast *n);
/* The array that a bare name is, by number; -1: it is none of those with elements. */
int scalars_named(const Scalars *s, Ast *n);
/* Can a variable of this type have elements of its own? */
bool scalars_suits(const Type *t);
/* It has to be an array: the body is to be looked at anew. */
void scalars_reject(Scalars *s, int stand);
/* The value of an integer that csc knows: a constant, a variable that is never set again, arithmetic. */
bool scalars_constant(const Scalars *s, const Ast *n, int64_t *out);
/* How often what stands here is run, as far as loops tell. */
double scalars_weight(const Scalars *s);
/* A new variable with this value, declared by a statement that is added. */
Symbol *scalars_declare(Scalars *s, const char *name, const Type *type, Ast *init, Loc loc);
/* New variables for all elements of a box, with these values. */
void scalars_declare_all(Scalars *s, const Symbol *sym, const Type *type, const FdBox *box,
                         Ast *const *values, Loc loc);
int64_t scalars_count(const FdBox *box);
/* What a statement becomes is added to `out`; what those of a list become is the list then. */
void scalars_statement(Scalars *s, Ast *n);
void scalars_statements(Scalars *s, AstList *list);

/* ---- elements.c: what an array is made of ----------------------------------------------------- */

/* The elements of a value, which stays as it is: expressions to be evaluated once each, in this order. What they need
 * is declared before. False: they are not known one by one. */
bool scalars_elements(Scalars *s, Ast *value, FdBox *box, Ast **out);
/* A graph of scalar type, of such arrays, as arithmetic; NULL: it is not known to be that. */
Ast *scalars_arithmetic(Scalars *s, Ast *graph);
/* An array that is made of the elements. */
Ast *scalars_array(Scalars *s, int stand, const Type *type, Loc loc);

/* ---- expressions.c: expressions --------------------------------------------------------------- */

void scalars_uses(Ast **slot, void *scalars);

/* ---- calls.c: functions in the place of their calls -------------------------------------------- */

/* The elements of what a call gives, whose function runs in its place; box NULL: the one number. False: it stays a call. */
bool scalars_call(Scalars *s, Ast *call, FdBox *box, Ast **out);
/* The same of a scalar, if that is one expression; NULL: it stays a call. */
Ast *scalars_called(Scalars *s, Ast *call);
/* The same of a call that is all of the value of a statement: its function may have statements, too. */
void scalars_call_before(Scalars *s, Ast **slot);

#endif
