/* Functional values made of host functions: a native and the values that it captured. */
#ifndef CS_RUNTIME_CLOSURE_H
#define CS_RUNTIME_CLOSURE_H

#include "lazy.h"

typedef struct Closure {
    CsHead head;
    const CsNative *native;
    const FdType *type;    /* of rt_fd(); NULL: not a function of values */
    const FdBox *box;      /* its domain; NULL: nobody asked yet */
    Lazy *view;            /* eval.c: what an evaluation sees instead, while it runs; borrowed */
    uint32_t visit, index; /* as in Array */
    uint64_t refs;         /* bit i: env[i] is a reference */
    int32_t nenv;
    CsValue env[];
} Closure;

/* Its domain; asks the program the first time, which can throw: then it is empty. */
const FdBox *closure_box(Closure *c);
void closure_drop_rest(Closure *c);

/* Calls it. References in args are borrowed, one in out is the caller's. False with an exception
 * pending, to which `site` is added. */
bool closure_call(Closure *c, const CsValue *args, CsValue *out, const CsSite *site);

/* All its elements in a finite box, which lies in its domain: a new array over that box. NULL with
 * an exception pending. Of one that is tabular. */
Array *closure_block(Closure *c, const FdBox *box, const CsSite *site);
/* Are all parameters ints, and the result a value: could it be an array? */
bool closure_is_tabular(const Closure *c);
/* Is it an object of a class with Invoke? */
bool closure_is_object(const Closure *c);

#endif
