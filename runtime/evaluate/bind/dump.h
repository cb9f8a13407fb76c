/* CS_DUMP=opencl and plan: kernels, and how they are launched. */
#ifndef CS_RUNTIME_DUMP_H
#define CS_RUNTIME_DUMP_H

#include "kernels.h"

/* What CS_DUMP asks for, on stderr. */
void dump_launches(Kernel *k, const CgSchedule *s);
/* Which results lie where slots were; slots, results: n of each. */
void dump_over(int nslots, Buffer *const *slots, int nresults, Buffer *const *results);

#endif
