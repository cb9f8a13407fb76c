/* See process.h. Handlers work in the main thread only: libraries have threads of their own, and
 * what the main thread is in the middle of can be held back by its mask of signals. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

/* What ends a process by default, but for SIGKILL. From outside: may come at any time, to any
 * thread. */
static const int from_outside[] = {SIGHUP,  SIGINT,  SIGQUIT,   SIGTERM, SIGALRM, SIGUSR1,
                                   SIGUSR2, SIGPOLL, SIGVTALRM, SIGPROF, SIGXCPU, SIGPWR};
static const int from_inside[] = {SIGABRT, SIGFPE, SIGILL,  SIGBUS,
                                  SIGSEGV, SIGSYS, SIGTRAP, SIGPIPE};
enum {
    OUTSIDE = sizeof from_outside / sizeof *from_outside,
    INSIDE = sizeof from_inside / sizeof *from_inside
};

static pthread_t main_thread;
static void (*at_last)(void);
static _Atomic(Leftover *) leftovers;
static atomic_int helper; /* its group; 0: none */
static void (*child_ended)(void);
static pid_t passed_to; /* 0: signals are ours */

static bool comes_from_outside(int number)
{
    for (int i = 0; i < OUTSIDE; i++)
        if (from_outside[i] == number) return true;
    return false;
}

void process_remove_leftovers(void)
{
    for (const Leftover *l = leftovers; l; l = l->next)
        if (unlink(l->path) != 0) rmdir(l->path);
}

/* Its group has removed its own files before ours go; who does not end is made to. */
static void end_helper(void)
{
    enum { MOST_MS = 1000 };
    int group = helper, ms = 0;
    if (group <= 0) return;
    kill(-group, SIGTERM);
    for (; ms < MOST_MS && kill(-group, 0) == 0; ms++) {
        waitpid(group, NULL, WNOHANG);
        poll(NULL, 0, 1);
    }
    if (ms == MOST_MS) kill(-group, SIGKILL);
}

static void on_end(int number)
{
    int before = errno;
    if (comes_from_outside(number) && !pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, number);
        errno = before;
        return;
    }
    if (passed_to && comes_from_outside(number)) {
        kill(passed_to, number);
        errno = before;
        return;
    }
    if (at_last) at_last();
    end_helper();
    process_remove_leftovers();
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, number);
    signal(number, SIG_DFL);
    raise(number);
    pthread_sigmask(SIG_UNBLOCK, &own, NULL); /* not on return: the mask then may be ppoll's */
    errno = before;
}

void process_end(int code, void (*then)(void))
{
    if (at_last) at_last();
    end_helper();
    process_remove_leftovers();
    if (then) then();
    _exit(code);
}

static void on_child(int number)
{
    int before = errno;
    if (!pthread_equal(pthread_self(), main_thread))
        pthread_kill(main_thread, number);
    else
        child_ended();
    errno = before;
}

void process_watch_children(void (*ended)(void))
{
    struct sigaction action = {.sa_handler = on_child,
                               .sa_flags = SA_ONSTACK | SA_RESTART | SA_NOCLDSTOP};
    sigfillset(&action.sa_mask);
    main_thread = pthread_self();
    child_ended = ended;
    sigaction(SIGCHLD, &action, NULL);
}

void process_pass_signals(pid_t to)
{
    passed_to = to;
}

static void open_streams(void)
{
    for (int fd = 0; fd <= 2; fd++) /* the lowest free number is taken: in the wrong direction */
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            return;
}

static void handle(int number)
{
    struct sigaction now, action = {.sa_handler = on_end, .sa_flags = SA_ONSTACK | SA_RESTART};
    sigfillset(&action.sa_mask);
    if (sigaction(number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
        now.sa_handler == SIG_DFL)
        sigaction(number, &action, NULL);
}

void process_begin(void (*last)(void))
{
    open_streams();
    signal(SIGXFSZ, SIG_IGN);
    main_thread = pthread_self();
    at_last = last;
    for (int i = 0; i < OUTSIDE; i++) handle(from_outside[i]);
    for (int i = 0; i < INSIDE; i++) handle(from_inside[i]);
}

static void keep(int number, struct sigaction *first, bool known)
{
    struct sigaction now;
    if (!known)
        sigaction(number, NULL, first);
    else if (sigaction(number, NULL, &now) == 0 && now.sa_sigaction != first->sa_sigaction)
        sigaction(number, first, NULL);
}

void process_keep_signals(void)
{
    static struct sigaction outside[OUTSIDE], inside[INSIDE];
    static bool known;
    for (int i = 0; i < OUTSIDE; i++) keep(from_outside[i], &outside[i], known);
    for (int i = 0; i < INSIDE; i++) keep(from_inside[i], &inside[i], known);
    known = true;
}

void process_add_leftover(Leftover *l)
{
    l->next = leftovers;
    leftovers = l;
}

void process_take_leftover(Leftover *l)
{
    if (leftovers == l) {
        leftovers = l->next;
        return;
    }
    for (Leftover *at = leftovers; at; at = at->next)
        if (at->next == l) at->next = l->next;
}

sigset_t process_hold(void)
{
    sigset_t held, before;
    sigemptyset(&held);
    sigaddset(&held, SIGCHLD);
    for (int i = 0; i < OUTSIDE; i++) sigaddset(&held, from_outside[i]);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    return before;
}

void process_release(sigset_t before)
{
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int process_exit_code(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool process_trusts(const struct stat *st)
{
    return S_ISREG(st->st_mode) && (st->st_uid == 0 || st->st_uid == geteuid()) &&
           !(st->st_mode & (S_IWGRP | S_IWOTH));
}

int process_run(char *const argv[], int *status)
{
    int report[2]; /* closed by a successful exec, else it says why there was none */
    if (pipe2(report, O_CLOEXEC) != 0) return errno;
    sigset_t before = process_hold();
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        signal(SIGTTOU, SIG_IGN);         /* a group in the background may still complain */
        for (int i = 0; i < OUTSIDE; i++) /* our leftovers are not the helper's */
            if (signal(from_outside[i], SIG_DFL) == SIG_IGN) signal(from_outside[i], SIG_IGN);
        process_release(before);
        execvp(argv[0], argv);
        int why = errno;
        if (write(report[1], &why, sizeof why) < 0) _exit(126);
        _exit(127);
    }
    int why = pid < 0 ? errno : 0;
    if (pid > 0) setpgid(pid, pid); /* whoever of the two is first */
    helper = pid > 0 ? pid : 0;
    process_release(before);
    close(report[1]);
    if (pid > 0) {
        int told;
        ssize_t n;
        while ((n = read(report[0], &told, sizeof told)) < 0 && errno == EINTR) continue;
        if (n == (ssize_t)sizeof told) why = told;
        while (waitpid(pid, status, 0) < 0 && errno == EINTR) continue;
        helper = 0;
    }
    close(report[0]);
    return why;
}
