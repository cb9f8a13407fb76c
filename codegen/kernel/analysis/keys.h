/* Reductions by key: h(b) = sum(i, key(i) == b ? value(i) : 0), of which each operand belongs to one
 * result. One pass over the operands finds the result that each belongs to, in place of one pass a
 * result.
 *
 *   key(i) == b ? v(i) : 0            key(i) != b || c(i)  (of `all`)
 *   x(i) == a && y(i) == b && c(i)    (key(i) == b + 1 ? 1 : 0) * w(i)
 */
#ifndef CS_CODEGEN_KEYS_H
#define CS_CODEGEN_KEYS_H

#include "analysis.h"

enum { KEY_GUARDS = 12 };

/* What must hold (`cond` be as `wanted`) if an operand is to count. */
typedef struct KeyGuard {
    const FdNode *cond;
    bool wanted;
    int var;            /* it is an equality that gives this variable of the definition; -1: no */
    const FdNode *key;  /* what the variable.. */
    const FdNode *side; /* ..or a sum with it is compared with */
} KeyGuard;

/* The guards of a reduction in the order in which they are asked: where one does not hold, the body
 * is the identity of the operation. */
typedef struct KeyForm {
    int n;
    KeyGuard guards[KEY_GUARDS];
} KeyForm;

/* The variables of the definition that all of these reductions have as keys, as bits. 0: there are
 * none, or something that can fail would no longer be computed. */
unsigned keys_find(Unit *u, const Def *d, int n, const FdNode *const *reduces);
/* The form of a reduction with these keys, if it has it. */
bool keys_form(Unit *u, const Def *d, const FdNode *reduce, unsigned keys, KeyForm *form);

#endif
