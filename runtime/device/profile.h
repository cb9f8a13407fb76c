/* CS_PROFILE=1: the time of each kernel, printed at the end. */
#ifndef CS_RUNTIME_PROFILE_H
#define CS_RUNTIME_PROFILE_H

#include <stdint.h>
#include <stdio.h>

void profile_add(const char *kernel, uint64_t nanoseconds, uint64_t bytes);
void profile_print(FILE *out);
void profile_free(void);

#endif
