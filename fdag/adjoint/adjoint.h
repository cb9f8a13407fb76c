/* Derivatives of graphs, as graphs: forward (tangent.c) and backward (adjoint.c). What each adjoint is has
 * no tape: a definition that reads gets by each read a sum over the places that read it, found by solving the
 * indices (invert.c). Called where csc lowers a program. */
#ifndef CS_FDAG_ADJOINT_H
#define CS_FDAG_ADJOINT_H

#include "../fdag.h"

/* A function, and the point where its derivative is asked for. */
typedef struct FdFunction {
    const FdNode *value; /* a scalar or function, over the variables and slots */
    int nvars;
    const FdNode *const *vars; /* FD_VARs: scalars, or arrays as functions */
    const FdNode *const *args; /* what they are there, of their types; over the slots */
    int nslots;
    const FdSlot *slots;
    int nouter; /* variables of derivatives around, which are constants here */
    const FdNode *const *outer;
    int nagrees; /* set by both: the agreements of the original, over the slots */
    const FdAgree *agrees;
} FdFunction;

/* The change of the value if each variable changes along its direction (one a variable, of its type, over the
 * slots); zeros where nothing changes. NULL with *error: a construct that has no derivative, or an error of
 * the passes. */
const FdNode *fd_tangent(Fd *fd, FdFunction *f, const FdNode *const *directions, FdError *error);

/* The sum over f's values of seed times derivative, by each variable: nodes of their types. The seed is of the
 * value's type, over the slots. False with *error as above. */
bool fd_adjoint(Fd *fd, FdFunction *f, const FdNode *seed, const FdNode **out, FdError *error);

/* The value, of the definitions that derivatives are made of. NULL with *error as above. */
const FdNode *fd_differentiated(Fd *fd, FdFunction *f, FdError *error);

/* The sum of two changes of one type, over the ranges of a: scalars, records field by field, or functions. */
const FdNode *fd_change_sum(Fd *fd, const FdNode *a, const FdNode *b);

#endif
