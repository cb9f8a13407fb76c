/* Which MPI has started this process (launcher.c). */
#ifndef CS_RUNTIME_LAUNCHER_H
#define CS_RUNTIME_LAUNCHER_H

#include "../../codegen/abi/shim.h"

/* CS_MPI, and what launchers set. NULL: none has, or CS_MPI=none. Ends the process, with a message that says what to do,
 * if one has whose library is not there. */
const RanksShim *launcher_shim(void);

#endif
