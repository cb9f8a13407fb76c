/* What reads the lines of a plan (plan.c): names, numbers and expressions, which know what was defined before. */
#ifndef CS_CODEGEN_PLAN_READ_H
#define CS_CODEGEN_PLAN_READ_H

#include "../../../base/vec.h"
#include "plan.h"

typedef struct Reader {
    CgPlan *plan;
    const char *at; /* in the current line */
    const char *error;
    VEC(ScalarKind) slots;
    VEC(const PlanExpr *) temps, outs;
    VEC(Step) steps;
    VEC(int) open; /* loops */
    VEC(const char *) kernels;
} Reader;

void plan_read_fail(Reader *r, const char *why);  /* the first error counts */
bool plan_read_word(Reader *r, const char *word); /* is it next? Then it is behind us */
const char *plan_read_name(Reader *r);            /* in the plan's arena */
int plan_read_number(Reader *r, int limit);       /* 0..limit - 1; 0 where there is none */
const PlanExpr *plan_read_expr(Reader *r);        /* NULL where there is none */

#endif
