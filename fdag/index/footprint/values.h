/* The set of values that an integer of a graph can have at a place: variables have their ranges, or what
 * they are given; conditions that were taken narrow what they speak of. What no operation of spans.h
 * follows may be all that its type has. */
#ifndef CS_FDAG_VALUES_H
#define CS_FDAG_VALUES_H

#include "../facts/range.h"

/* The values of an array of integers over a box of it, which may reach beyond its domain; false: they
 * are not known. */
typedef bool FdValuesOf(const void *ctx, int slot, const FdBox *box, FdSpans *out);

typedef struct FdiValues FdiValues;
/* Of nodes of a graph with numbers below n. values may be NULL. */
FdiValues *fdi_values_new(const FdGraph *g, size_t n, const FdEnv *env, FdValuesOf *values,
                          const void *ctx);
void fdi_values_free(FdiValues *w);

/* Its base, if any, is the variable base - 1 of the root; of what is no integer: all. */
FdRange fdi_value(FdiValues *w, const FdNode *n);
/* Is a condition so? 1, 0, or -1: not always, or nobody knows. */
int fdi_decided(FdiValues *w, const FdNode *cond);

/* A place: the same as long as the same variables are bound and the same is assumed. */
uint32_t fdi_values_place(const FdiValues *w);
/* Counts a step of a walk; false: there were too many, and nothing is known any more. */
bool fdi_values_step(FdiValues *w);

/* Binds the variables of a binder, till fdi_values_leave: to anything; or to their ranges, and to what
 * they are given (NULL: nothing). Scopes nest. */
typedef struct FdiScope {
    uint32_t outer;
    size_t len, hidden[FD_MAX_RANK];
    bool empty; /* a variable has no value */
} FdiScope;
FdiScope fdi_values_hide(FdiValues *w, const FdNode *binder);
FdiScope fdi_values_enter(FdiValues *w, const FdNode *binder, const FdNode *const *args);
/* The same of a root: its variables are near themselves, within the box (NULL: all). */
FdiScope fdi_values_enter_root(FdiValues *w, const FdNode *root, const FdBox *box);
/* Of another: they are within the box. */
FdiScope fdi_values_enter_box(FdiValues *w, const FdNode *binder, const FdBox *box);
/* Of another binder: this of its variables is from..to. */
FdiScope fdi_values_enter_part(FdiValues *w, const FdNode *binder, int var, int64_t from,
                               int64_t to);
void fdi_values_leave(FdiValues *w, const FdNode *binder, const FdiScope *s);

/* From here on, till fdi_values_forget, a condition has this value. */
enum { FDI_ASSUMED = 16 };
typedef struct FdiAssumed {
    uint32_t outer;
    size_t len;
    int n;
    struct {
        const FdNode *node;
        size_t limit;
    } was[FDI_ASSUMED];
} FdiAssumed;
FdiAssumed fdi_values_assume(FdiValues *w, const FdNode *cond, bool truth);
void fdi_values_forget(FdiValues *w, const FdiAssumed *a);

/* A dimension's extent of an index with these values, [lo, hi); false: it may be anywhere. */
bool fdi_extent(const FdRange *v, int64_t *lo, int64_t *hi);

#endif
