/* Which evaluations become one launch: what CS_PLAN asks for, and what CS_DUMP=plan says of those that are one and
 * of neighbours that are not. */
#ifndef CS_RUNTIME_PLAN_H
#define CS_RUNTIME_PLAN_H

#include "run.h"

typedef enum PlanJoins {
    PLAN_NONE,  /* 0: each evaluation is a launch, into memory of its own */
    PLAN_USUAL, /* 1: what pays by its sizes */
    PLAN_GREEDY /* whatever may be one launch is */
} PlanJoins;

PlanJoins plan_joins(void);
/* The least bytes of an array with which anything but evaluating it is worth the while: as usual, where CS_PLAN does not
 * say that all or none is. */
size_t plan_least(size_t usual);
/* Is an array of so many bytes one that neither steps/hold.h nor into.h care for? */
bool plan_is_small(size_t bytes);
/* False, with an exception pending, if CS_PLAN says something unknown. */
bool plan_check(const CsSite *site);

/* Why the parts of a group are evaluated one by one, and why an evaluation is not joined with what is before it. Where
 * nobody asks, nothing. why: static; NULL: what the two have in common shows it. */
void plan_group(const CsAhead *group, const char *why);
void plan_alone(const CsSite *site, const char *why);
/* Tells of a launch, and why it is none with the launch before; slots: the buffers of e's slots. */
void plan_tell(const Evaluation *e, const Results *r, Buffer *const *slots, const CsSite *site);

/* The same of what was held back (steps/); apart: why it is no launch, or NULL. */
void plan_waited(const PlanLines *l, const char *apart);

#endif
