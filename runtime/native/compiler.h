/* The csc that makes machine code for this program while it runs: a process of its own (csc --serve), which
 * is started when it is first needed and ends with the program. Whatever goes wrong with it is no error:
 * evaluations go on without its code. Requests are answered in their order; who asked may wait, look again
 * later, or never. */
#ifndef CS_RUNTIME_COMPILER_H
#define CS_RUNTIME_COMPILER_H

#include <stdbool.h>
#include <stddef.h>

#include "../../codegen/abi/serve.h"

/* Is there one, as far as is known? CS_JIT names it. Starts nothing. */
bool compiler_is_there(void);

/* Asks for the code of kernels: `asked` with the bytes behind it. The request's number; 0, without an
 * exception: there is no compiler, or memory is out. */
uint32_t compiler_ask(const ServeCode *asked, const char *wanted, const char *set,
                      const char *graph);

typedef enum CompilerSays {
    COMPILER_MAKES,   /* there is no answer yet */
    COMPILER_MADE,    /* its body is in *answer, for mem_object_free, of *size bytes */
    COMPILER_REFUSED, /* it cannot be made */
    COMPILER_LOST     /* there will be no answer */
} CompilerSays;

/* Waits for the answer, unless it is interrupted (interrupt.h), or looks whether it is there. The number of what is
 * said is none afterwards. */
CompilerSays compiler_answer(uint32_t number, bool wait, char **answer, size_t *size);
/* Nobody will ask for it: its answer is thrown away. */
void compiler_forget(uint32_t number);
void compiler_end(void);

#endif
