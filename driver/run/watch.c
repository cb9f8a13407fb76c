/* csc watch: the folder is watched, not the file, for editors replace files. */
#include "watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/text.h"
#include "../compile/compile.h"
#include "../message.h"

enum { QUIET_MS = 100 }; /* an editor writes several times */

/* The program, or 0. It is in our group: ^C is for both. */
static pid_t start(const Options *o)
{
    int program;
    if (!compile(o, &program)) return 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        fexecve(program, o->arguments, environ);
        _exit(127);
    }
    if (pid < 0) complain("cannot start a process: %s", strerror(errno));
    close(program);
    return pid > 0 ? pid : 0;
}

static void stop(pid_t pid)
{
    if (!pid) return;
    kill(pid, SIGTERM);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t n = strlen(name), end = strlen(suffix);
    return n >= end && strcmp(name + n - end, suffix) == 0;
}

/* What has happened in the folder: is a source among it? */
static bool read_events(int watched)
{
    union {
        char bytes[1 << 14];
        struct inotify_event align;
    } room;
    bool changed = false;
    ssize_t n = read(watched, room.bytes, sizeof room.bytes), at = 0;
    while (at < n) {
        const struct inotify_event *e = (const void *)(room.bytes + at);
        changed = changed || (e->len && ends_in(e->name, ".cs$"));
        at += (ssize_t)(sizeof *e + e->len);
    }
    return changed;
}

/* Until a source has changed and nothing more happens. */
static void await(int watched)
{
    struct pollfd p = {watched, POLLIN, 0};
    bool changed = false;
    while (poll(&p, 1, changed ? QUIET_MS : -1) != 0 || !changed)
        if (p.revents) changed |= read_events(watched);
}

int watch(const Options *o)
{
    Text folder = {0};
    const char *slash = strrchr(o->input, '/');
    text_addn(&folder, o->input, slash ? (size_t)(slash - o->input) + 1 : 0);
    int watched = inotify_init1(IN_CLOEXEC);
    int added = inotify_add_watch(watched, folder.len ? folder.data : ".",
                                  IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE);
    if (added < 0) complain("cannot watch '%s': %s", o->input, strerror(errno));
    text_free(&folder);
    while (added >= 0) {
        pid_t pid = start(o);
        await(watched);
        stop(pid);
        fprintf(stderr, "csc: %s again\n", o->input);
    }
    close(watched);
    return 1;
}
