/* A process that is forked has the caller's thread alone. Nobody is there who would end a call of
 * another thread, and none of a driver's threads: calls would wait for ever, and are refused. */
#include <pthread.h>

#include "../device/open/driver.h"
#include "embed.h"

static _Thread_local bool held; /* by this thread, while it forks */
static const char *refused;     /* why, in a process that was forked; NULL: nothing is */
static pthread_mutex_t *lock;

static void before(void)
{
    held = pthread_mutex_trylock(lock) == 0;
}

static void in_parent(void)
{
    if (held) pthread_mutex_unlock(lock);
}

static void in_child(void)
{
    if (driver_was_asked())
        refused = "this process was forked when OpenCL was in use, whose threads it lacks";
    else if (!held)
        refused = "this process was forked while another thread was in a call of the library";
    in_parent();
}

void embed_watch_forks(pthread_mutex_t *of)
{
    lock = of;
    pthread_atfork(before, in_parent, in_child);
}

cs_error *embed_refusal(void)
{
    if (!refused) return NULL;
    return embed_fail(CS_DEVICE, "DeviceException",
                      "%s; start workers before the first call, or as new programs (Python: "
                      "multiprocessing.get_context(\"spawn\"))",
                      refused);
}

bool embed_is_refused(void)
{
    return refused != NULL;
}
