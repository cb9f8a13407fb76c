/* Starting programs and waiting for them (child.h). */
#include "child.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GRACE_MS = 2000 }; /* between SIGALRM and SIGKILL */

double child_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

int child_file(char path[32])
{
    int fd = memfd_create("child", 0); /* open in the program, too */
    snprintf(path, 32, "/proc/self/fd/%d", fd);
    return fd;
}

void child_read(int fd, Text *out)
{
    char block[1 << 12];
    ssize_t n;
    lseek(fd, 0, SEEK_SET);
    while ((n = read(fd, block, sizeof block)) > 0) text_addn(out, block, (size_t)n);
}

/* In the child: never returns. */
static void become(const Child *c, int out, int err)
{
    for (int i = 0; i < c->n; i++) setenv(c->env[i][0], c->env[i][1], 1);
    if (!c->shows) dup2(out, STDOUT_FILENO);
    if (!c->shows) dup2(err, STDERR_FILENO);
    int program = c->program(c->ctx);
    if (program < 0) _exit(126);
    if (c->seconds) alarm(c->seconds);
    fexecve(program, c->argv, environ);
    _exit(127);
}

/* Waits for the end. Who does not hear SIGALRM, or takes as long again, is killed. */
static void await(const Child *c, pid_t pid, ChildEnd *e)
{
    struct pollfd end = {(int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0};
    int64_t until = (int64_t)child_now_ms() + c->seconds * INT64_C(1000) + GRACE_MS;
    while (c->seconds && end.fd >= 0) {
        int64_t left = until - (int64_t)child_now_ms();
        int n = poll(&end, 1, left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left);
        if (n == 0) kill(pid, SIGKILL);
        if (n >= 0 || errno != EINTR) break;
    }
    if (end.fd >= 0) close(end.fd);
    while (waitpid(pid, &e->status, 0) < 0 && errno == EINTR) continue;
    int by = WIFSIGNALED(e->status) ? WTERMSIG(e->status) : 0;
    e->late = c->seconds && (by == SIGALRM || by == SIGKILL) &&
              child_now_ms() - (double)until > -GRACE_MS - 500.0;
}

ChildEnd child_run(const Child *c)
{
    ChildEnd e = {0};
    int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
    double start = child_now_ms();
    fflush(NULL);
    pid_t pid = out < 0 || err < 0 ? -1 : fork();
    if (pid == 0) become(c, out, err);
    if (pid < 0) text_add(&e.err, strerror(errno));
    if (pid > 0) await(c, pid, &e);
    e.ms = child_now_ms() - start;
    e.started = pid > 0;
    if (e.started && !c->shows) child_read(out, &e.out);
    if (e.started && !c->shows) child_read(err, &e.err);
    if (out >= 0) close(out);
    if (err >= 0) close(err);
    return e;
}

void child_end_free(ChildEnd *e)
{
    text_free(&e->out);
    text_free(&e->err);
}

const char *child_why(const ChildEnd *e, char room[64])
{
    if (!e->started)
        snprintf(room, 64, "cannot run it: %.40s", e->err.data ? e->err.data : "");
    else if (e->late)
        snprintf(room, 64, "it took longer than it may, and was ended");
    else if (WIFSIGNALED(e->status))
        snprintf(room, 64, "ended by signal %d (%s)", WTERMSIG(e->status),
                 strsignal(WTERMSIG(e->status)));
    else if (e->status != 0)
        snprintf(room, 64, "exit code %d", WEXITSTATUS(e->status));
    else
        return NULL;
    return room;
}
