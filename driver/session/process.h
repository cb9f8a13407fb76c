/* The process that runs the entries of a session (runtime/session). It is made when it is needed, and
 * made anew after it ended. */
#ifndef CS_DRIVER_PROCESS_H
#define CS_DRIVER_PROCESS_H

#include <stdbool.h>

#include "../options.h"

typedef struct Process Process;

typedef enum ProcessEnd {
    PROCESS_DONE,
    PROCESS_FAILED,   /* an exception, which it has printed */
    PROCESS_ENDED,    /* the program ended itself, with exit code 0 */
    PROCESS_RESTORED, /* it died, as a message has said; another one has run the entries before */
    PROCESS_LOST      /* it died, or could not be made: a message has been printed */
} ProcessEnd;

Process *process_new(const Options *o, HostSession *session);
/* Ends it, after what it has to say. */
void process_free(Process *p);
/* Ends it, so that the next entry begins without variables. */
void process_reset(Process *p);
/* Does it, as it said last, make the kernels that entries have none of? */
bool process_makes(const Process *p);
/* Runs the object of an entry, a file that is open and stays the caller's. */
ProcessEnd process_run_entry(Process *p, int object, bool timed);

#endif
