/* The csc that makes machine code for this program while it runs: a process of its own (csc --serve), which
 * is started when it is first needed and ends with the program. Whatever goes wrong with it is no error:
 * evaluations go on without its code. */
#ifndef CS_RUNTIME_COMPILER_H
#define CS_RUNTIME_COMPILER_H

#include <stdbool.h>
#include <stddef.h>

#include "../../codegen/abi/serve.h"

/* Is there one, as far as is known? CS_JIT names it. Starts nothing. */
bool compiler_is_there(void);

/* Asks for the code of kernels: `asked` with the bytes behind it. The answer's body, for mem_object_free, with
 * its bytes in *size; NULL, without an exception: there is none, or memory is out. */
char *compiler_make(const ServeCode *asked, const char *wanted, const char *set, const char *graph,
                    size_t *size);
void compiler_end(void);

#endif
