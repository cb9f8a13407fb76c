/* The buffer of standard output. */
#ifndef CS_RUNTIME_CONSOLE_H
#define CS_RUNTIME_CONSOLE_H

#include <stdbool.h>

/* Brings to the reader what was written; nothing if there is nothing. */
void console_flush(void);
/* The same from a handler of a signal that ends the program: gives up if nobody reads. */
void console_last(void);
/* Flushes; false if anything could not be written, which has been told. The next begins anew. */
bool console_end(void);

#endif
