/* A group of statements that follow each other, and what they evaluate (together.c). */
#ifndef CS_SEMA_GROUP_H
#define CS_SEMA_GROUP_H

#include "../build.h"

typedef struct Member {
    Ast *graph;           /* an AST_GRAPH */
    const Symbol *target; /* the array variable that its value becomes; NULL: a scalar's */
} Member;

typedef struct Step { /* a statement */
    Ast *stmt;
    const Symbol *target;
    size_t end; /* of its members */
} Step;

typedef struct Group {
    Lower *l;
    VEC(Step) steps;
    VEC(Member) members;
    /* The new graph. */
    AstList captures;
    VEC(int) first; /* of each capture, its first slot */
    VEC(FdSlot) slots;
    VEC(int) map; /* CsAhead.slots */
    const AstList
        *block; /* of a function: the statements that can use its locals; NULL: others can */
} Group;

/* ---- group.c: statements and what they evaluate ---------------------------------------------- */

/* n without conversions under which a value stays what it is. */
const Ast *group_bare(const Ast *n);
/* The variable that a place is: a name, a field of `this`, a static field; NULL: none. */
const Symbol *group_variable(const Ast *n);
/* Appends a statement and its evaluations, if it has any; false: it cannot be part of a group. */
/* Can it be evaluated early, and twice: without effects, and without a chance to fail? */
bool group_is_plain(const Ast *n);
/* The same of a functional value. */
bool group_is_made(const Ast *n);
bool group_take(Group *g, Ast *stmt);
/* Does the last statement fit those before it? */
bool group_fits(const Group *g);
/* The number of a step's first member. */
size_t group_first(const Group *g, size_t step);
/* The array that a step evaluates for its target; NULL: it does something else. */
const Member *group_array(const Group *g, size_t step);
/* The member, the last from `first` on and before `end`, whose result a capture is, counted from `first`; -1: none. */
int group_result_of(const Group *g, const Ast *capture, size_t first, size_t end);

/* ---- group_graph.c ---------------------------------------------------------------------------- */

/* Are all evaluations of the steps from `first` on and before `end` for the last one alone? No variable changes on
 * the way but the new ones, so that it finds its captures as they were. */
bool group_graph_chains(const Group *g, size_t first, size_t end);
/* An AST_GRAPH of the members from `first` on and before `end`; NULL: they cannot be evaluated together. */
Ast *group_graph(Group *g, size_t first, size_t end, bool chained);

#endif
