/* ^C in a session (csc repl) ends what runs: compiled code, the interpreter and native kernels look at
 * cs_stack_limit, kernels of a processor's driver at a word whose address is in their text. What they
 * have computed until then is no result. */
#ifndef CS_RUNTIME_INTERRUPT_H
#define CS_RUNTIME_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/text.h"

void interrupt_begin(void); /* a session begins */
void interrupt_set(void);   /* may be called by a handler of signals */
void interrupt_clear(void);
bool interrupted(void);
/* The text of kernels with loops that end then; false: there is nothing that they could look at. */
bool interrupt_text(Text *out, const char *text);

#endif
