/* The process around the program: its standard streams, the signals that end it, the helpers that
 * it runs. What it holds is process-wide and static, for handlers of signals know nothing else. */
#ifndef CS_BASE_PROCESS_H
#define CS_BASE_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Once, at the start, by the main thread. A standard stream that is closed stays an error instead
 * of becoming the next file that is opened; a file too large is EFBIG, no signal. Before a signal
 * ends the process, `last` (may be NULL; async-signal-safe) runs and leftovers are removed; then
 * the signal does what it would have done. Signals that are ignored or handled already are left
 * alone. */
void process_begin(void (*last)(void));

/* Signals do again what they did at the first call, whatever a library has made of them since. */
void process_keep_signals(void);

/* A file, or an empty folder, that goes if a signal ends the process. The caller owns both until it
 * takes the leftover back; the last one added goes first. */
typedef struct Leftover {
    const char *path;
    struct Leftover *next;
} Leftover;

void process_add_leftover(Leftover *l);
void process_take_leftover(Leftover *l);
void process_remove_leftovers(void); /* before the process ends */

/* Between the two, signals that would end the process wait, and children's ends. Returns the mask before. Of no use with
 * anything that can block. */
sigset_t process_hold(void);
void process_release(sigset_t before);

/* `ended` (async-signal-safe) runs in the main thread, the caller's, when a child has ended; signals
 * that are held back hold it back, too. Before process_begin. */
void process_watch_children(void (*ended)(void));
/* Signals from outside are another process's from now on: they are passed to it. */
void process_pass_signals(pid_t to);
/* Ends the process as signals do, but with an exit code: `last` and leftovers, then this (may be
 * NULL). Async-signal-safe. */
void process_end(int code, void (*then)(void)) __attribute__((noreturn));

/* What a shell says of a status of waitpid. */
int process_exit_code(int status);
/* Is it a regular file that nobody but root and the user may change? Its code runs with our rights. */
bool process_trusts(const struct stat *st);

/* Runs argv[0], looked up in PATH, without a shell, and waits for it; if a signal ends this process
 * the helper ends too. Returns 0 with *status as of waitpid, or the errno of what failed. */
int process_run(char *const argv[], int *status);

#endif
