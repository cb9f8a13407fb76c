/* What one evaluation binds: ranges, values of scalars, and a plan's launches for them. */
#ifndef CS_RUNTIME_NUMBERS_H
#define CS_RUNTIME_NUMBERS_H

#include "../../../codegen/kernel/codegen.h"
#include "../../../fdag/index/footprint/spans.h"
#include "../compose/compose.h"

typedef enum NumbersFail { FAIL_UNASKED, FAIL_PERHAPS, FAIL_NEVER } NumbersFail;

/* In an arena of its own. */
typedef struct Numbers {
    Arena *arena;
    FdEnv env; /* by slot number */
    ScalarValue *scalars, *slot_scalars;
    FdBox *boxes, *slot_boxes; /* env's, the binding's */
    CgBinding binding;
    CgSchedule schedule;
    uint32_t variant;
    Buffer **slots;
    const CsCode *form;              /* native, that the schedule is for */
    double work;                     /* operations in all, if somebody asked */
    NumbersFail fails;               /* numbers_can_fail.. */
    bool by_values;                  /* ..and values of arrays decided */
    uint64_t valued, values_hash;    /* of these slots, which had such values (numbers_hash) */
    struct Recalled *room;           /* for recall_keep */
    struct Division *division;       /* divide.h; NULL: nobody has asked */
    bool divides, divided_by_values; /* it is there; and values of arrays decided */
} Numbers;

/* What the ranges of the graph are made of: domains and values, by slot number; there is room for all leaves. */
void numbers_leaves(const Evaluation *e, FdBox *boxes, ScalarValue *scalars);
/* Ranges and scalars; false with an exception pending if something is wrong with them. */
bool numbers_find(const Evaluation *e, Numbers *n, const CsSite *site);
/* Is it certain that numbers_find finds nothing wrong, though scalars have changed since? */
bool numbers_are_plain(const Composed *c, const Numbers *n);
double numbers_work(const Composed *c, const FdEnv *env); /* operations in all */
/* The range of the values of the array of slot k, in the plan's order, as one dimension more of its box, if
 * the plan asks for it. */
void numbers_value(const Evaluation *e, const CgPlan *plan, int k, FdBox *box);
/* FdValuesOf, of an Evaluation: those of small arrays of integers that are at hand, without waiting for anything. */
bool numbers_values(const void *evaluation, int slot, const FdBox *box, FdSpans *out);
/* Its values have decided something; and a hash of those of such slots, 0: nobody knows them now. */
void numbers_valued(Numbers *n, int slot);
uint64_t numbers_hash(const Evaluation *e, uint64_t slots);
/* May the launches that are bound report an error? Not if their kernels say so, or if all that is read is in its
 * array: looked for once, of the same numbers. */
bool numbers_can_fail(const Evaluation *e, Numbers *n);
bool numbers_never_fail(const Numbers *n); /* is it known that they do not? */
/* A DomainException; false. */
bool numbers_infinite(const FdNode *binder, const CsSite *site);

/* Bytes that kernels can look at of arrays without elements: an index that is outside counts as the first,
 * and strides are 0 but behind the last dimension that is empty. */
size_t numbers_nothing(const Evaluation *e);

#endif
