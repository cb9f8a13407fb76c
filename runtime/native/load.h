/* Machine code that was made while the program runs: an object file of kernels, as csc makes them. It may come
 * from a file or from another process, so each of its numbers is looked at: what is not as expected is a
 * refusal, never a crash. What the code itself does is its maker's (docs/runtime.md, Safety). */
#ifndef CS_RUNTIME_LOAD_H
#define CS_RUNTIME_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "../../codegen/abi/csrt.h"

typedef struct Loaded {
    void *base; /* pages, executable and never writable since; NULL: none */
    size_t size;
} Loaded;

/* Loads an object; codes[i] becomes its function of the name names[i], for each of n names that are not
 * NULL and are in it. False: it is refused, nothing is kept, codes are undefined. */
bool load_object(const void *file, size_t size, int n, const char *const *names,
                 CsKernelCode **codes, Loaded *out);
void load_free(Loaded *l); /* nothing of it may run any more */

#endif
