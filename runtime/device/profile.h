/* CS_PROFILE: the time of evaluations and of their kernels. =1: a table on stderr at the end; else the name
 * of a file that gets one JSON object (docs/tools.md), which csc profile and csc tune read. */
#ifndef CS_RUNTIME_PROFILE_H
#define CS_RUNTIME_PROFILE_H

#include "../../codegen/kernel/codegen.h"
#include "../value.h"

typedef struct
    Profiled { /* an evaluation: what its graph is, and the first place that asked for it */
    FdKey key;
    CgFamily family;
    bool native; /* run by the program itself */
    CsSite at;
    const char *hints, *set; /* FdGraph.hints, CgOptions.set */
    const char *parameters;  /* "contract.rows=12 ..": what recipes asked for, and what is usual */
    const char *text;        /* OpenCL C with its plan, NULL: not wanted */
} Profiled;

bool profile_is_file(void);
int profile_find(FdKey key, bool native); /* its number, -1: it is new */
int profile_new(const Profiled *p);       /* copies; -1: there is no room */
/* What is launched from here on belongs to this one, which is called once more; its operations. */
void profile_turn(int evaluation, double work);
int profile_now(void);
/* "file:line:column" of an evaluation; false: there is none of that number. */
bool profile_place(int evaluation, char *room, size_t size);
void profile_add(int evaluation, const char *kernel, uint64_t nanoseconds, uint64_t bytes);
void profile_built(uint64_t nanoseconds); /* a program, by the driver */
void profile_print(void);
void profile_free(void);

#endif
