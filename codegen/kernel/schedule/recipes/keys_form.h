/* What the forms of reductions by key share: keys.c, keys_rows.c. */
#ifndef CS_CODEGEN_KEYS_FORM_H
#define CS_CODEGEN_KEYS_FORM_H

#include "../../analysis/keys.h"
#include "recipe.h"

typedef struct ByKey {
    const Def *d;
    int nreduces, ngroups;
    const FdNode *reduces[NEST_RESULTS]; /* those over the same variables are a group */
    unsigned keys;                       /* which of the definition's variables */
    bool commutes;
    bool lazy; /* some lie in branches: to be computed whatever the values, they must not fail */
    int64_t bytes; /* of a table's entry */
    Num *nrow, *nkey, *copies;
    Num *parts;                /* tables that are combined, but for copies */
    Num *share[NEST_RESULTS];  /* of a group: positions of its first variable for a work-item */
    Num *shares[NEST_RESULTS]; /* how many */
    int temps[NEST_RESULTS];
} ByKey;

/* Work-items of a CPU and their tables, for n operands of the reductions: parts, shares and temporaries. */
void keys_share_out(Unit *u, ByKey *x, Num *n, Num *when);
/* Rows in lanes, where there are such: under `when`, for so many operands of a row. Gives what it computes; NULL: nothing. */
Num *keys_by_rows(Unit *u, const ByKey *x, Num *work, Num *when);

#endif
