/* What printing and reading nests as text share: words, and the names of what nests speak of. */
#ifndef CS_CODEGEN_NEST_TEXT_H
#define CS_CODEGEN_NEST_TEXT_H

#include "../nest/nest.h"

/* By NestTail ("": CUT), NestSpace, GenChecks. */
enum { NEST_TAILS = NEST_MASKED + 1, NEST_SPACES = NEST_GLOBAL + 1 };
extern const char *const nest_tails[NEST_TAILS], *const nest_spaces[NEST_SPACES],
                                                     *const nest_checks[GEN_NOTED + 1];

/* Variables and subexpressions of a definition, by what they look like. Of several that look alike,
 * counted from 1 as a walk over the body meets them, all but the first carry their number: k#2. */
typedef struct NestTerm {
    const FdNode *node;
    const FdDom *dom; /* of a variable */
    const char *text;
} NestTerm;

typedef struct NestNames {
    Unit *u;
    VEC(NestTerm) vars;  /* of the definition, then of its reductions */
    VEC(NestTerm) terms; /* all nodes of the body */
} NestNames;

NestNames nest_names(Unit *u, const Def *d);
void nest_names_free(NestNames *n);
const char *nest_var_name(const NestNames *n, const FdNode *v);
const char *nest_term_name(NestNames *n, const FdNode *term);
const NestTerm *nest_find_var(const NestNames *n, const char *name); /* NULL: there is none */
const FdNode *nest_find_term(NestNames *n, const char *name);
/* Of the definition's conditions (nest_conditions). The one whose name stands at *text, which moves
 * behind it; NULL: there is none. */
const char *nest_cond_name(NestNames *n, const Def *d, const FdNode *cond);
const FdNode *nest_find_cond(NestNames *n, const Def *d, const char **text);
/* That of its variable; of others their name, with a number where something before has it. */
const char *nest_axis_name(const NestNames *names, const Nest *n, int axis);

#endif
