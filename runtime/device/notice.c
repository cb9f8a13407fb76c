/* A thread that sleeps (notice.h): drivers do not come back before they are done. It takes no signal,
 * and where it cannot be had nothing is said. */
#include "notice.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "../state.h"

enum { SECOND = 1000000000 };

static void *sleeper(void *notice)
{
    static const char text[] = "building kernels for this device (once) ...\n";
    Notice *n = notice;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += n->wait;
    until.tv_sec += until.tv_nsec / SECOND;
    until.tv_nsec %= SECOND;
    pthread_mutex_lock(&n->lock);
    int late = 0;
    while (!n->done && !late) late = pthread_cond_timedwait(&n->over, &n->lock, &until);
    n->said = !n->done && write(STDERR_FILENO, text, sizeof text - 1) > 0;
    pthread_mutex_unlock(&n->lock);
    return NULL;
}

void notice_begin(Notice *n, int64_t spent)
{
    if (n->said || rt.embedded || !isatty(STDERR_FILENO)) return;
    pthread_condattr_t monotonic;
    sigset_t all, before;
    pthread_mutex_init(&n->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&n->over, &monotonic);
    pthread_condattr_destroy(&monotonic);
    n->done = false;
    n->wait = spent < SECOND ? SECOND - spent : 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    n->running = pthread_create(&n->thread, NULL, sleeper, n) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void notice_end(Notice *n)
{
    if (!n->running) return;
    pthread_mutex_lock(&n->lock);
    n->done = true;
    pthread_cond_signal(&n->over);
    pthread_mutex_unlock(&n->lock);
    pthread_join(n->thread, NULL);
    pthread_cond_destroy(&n->over);
    pthread_mutex_destroy(&n->lock);
    n->running = false;
}
