/* What OpenCL drivers want to find before they are asked for devices. */
#ifndef CS_RUNTIME_DRIVER_H
#define CS_RUNTIME_DRIVER_H

#include <stdbool.h>

void driver_prepare(void);
bool driver_was_asked(void); /* driver_prepare was called: it may have threads */

/* Behind calls that may compile: POCL's LLVM handles signals from its first file on, and swallows SIGQUIT,
 * SIGXCPU and SIGUSR1. In programs they do again what they did before; a process that is not ours may
 * have its own wishes. */
void driver_signals(void);

/* Gives malloc's heap room in huge pages, where the system has them on request: POCL's compiler reads its
 * library and works there, page by page, which is a tenth of a first start. Touches no memory; once,
 * and for programs only: what else is in a process that is not ours may have its own wishes. */
void driver_room(void);

#endif
