/* Starting the process of a session and talking to it (process.h, codegen/abi/session.h). */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/vec.h"
#include "../../codegen/abi/session.h"
#include "../compile/compile.h"
#include "../message.h"

struct Process {
    Options options; /* of the program that it is */
    int program;     /* linked; -1: not yet */
    pid_t pid;       /* 0: there is none */
    int socket;
    bool makes;    /* kernels, when they are to run */
    VEC(int) done; /* the objects that it has run, ours */
};

Process *process_new(const Options *o, HostSession *session)
{
    Process *p = mem_alloc(sizeof *p);
    p->options = *o;
    p->options.emit = EMIT_PROGRAM;
    p->options.library = p->options.python = p->options.dependencies = false;
    p->options.input = "csc repl";
    p->options.text = "";
    p->options.entry = NULL;
    p->options.host.program = "csc repl";
    p->options.host.session = session;
    p->options.host.process = true;
    p->program = -1;
    return p;
}

static bool start(Process *p)
{
    if (p->pid) return true;
    if (p->program < 0 && !compile(&p->options, &p->program)) return false;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        complain("cannot make a socket: %s", strerror(errno));
        return false;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        char *const argv[] = {"csc repl", NULL};
        /* a file of entries is no input of theirs */
        int nothing = isatty(STDIN_FILENO) ? -1 : open("/dev/null", O_RDONLY);
        if (nothing >= 0) dup2(nothing, STDIN_FILENO);
        signal(SIGINT, SIG_DFL);
        /* the number may be taken by what is to become something else: that is closed by then */
        int end = fcntl(ends[1], F_DUPFD, CS_SESSION_SOCKET + 1),
            program = fcntl(p->program, F_DUPFD_CLOEXEC, CS_SESSION_SOCKET + 1);
        dup2(end, CS_SESSION_SOCKET);
        close(end);
        fexecve(program, argv, environ);
        _exit(127);
    }
    close(ends[1]);
    if (pid < 0) {
        complain("cannot start a process: %s", strerror(errno));
        close(ends[0]);
        return false;
    }
    p->pid = pid;
    p->socket = ends[0];
    return true;
}

/* Waits for its end; its status as of waitpid. */
static int end(Process *p)
{
    int status = 0;
    if (!p->pid) return 0;
    close(p->socket);
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR) continue;
    p->pid = 0;
    return status;
}

void process_reset(Process *p)
{
    end(p);
    for (size_t i = 0; i < p->done.len; i++) close(p->done.data[i]);
    p->done.len = 0;
}

void process_free(Process *p)
{
    process_reset(p);
    vec_free(&p->done);
    if (p->program >= 0) close(p->program);
    mem_free(p);
}

static bool send_object(const Process *p, char ask, int object)
{
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    struct iovec data = {&ask, 1};
    struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.room};
    m.msg_controllen = sizeof control.room;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &object, sizeof object);
    ssize_t n;
    while ((n = sendmsg(p->socket, &m, MSG_NOSIGNAL)) < 0 && errno == EINTR) continue;
    return n == 1;
}

static ProcessEnd lost(Process *p)
{
    int status = end(p);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return PROCESS_ENDED;
    if (WIFSIGNALED(status))
        fprintf(stderr, "the program was ended by signal %d (%s)\n", WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    else
        fprintf(stderr, "the program ended with exit code %d\n", WEXITSTATUS(status));
    return PROCESS_LOST;
}

/* A CsSessionTell; 0: the process died. */
static char ask(Process *p, CsSessionAsk what, int object)
{
    char tell;
    ssize_t n = 0;
    if (send_object(p, (char)what, object))
        while ((n = recv(p->socket, &tell, 1, 0)) < 0 && errno == EINTR) continue;
    if (n != 1) return 0;
    if (tell != CS_SESSION_FAILED) p->makes = tell == CS_SESSION_DONE_MAKES;
    return tell == CS_SESSION_DONE_MAKES ? CS_SESSION_DONE : tell;
}

/* Another process, which runs what this one had run. */
static bool run_again(Process *p)
{
    if (!p->done.len || !start(p)) return false;
    for (size_t i = 0; i < p->done.len; i++)
        if (ask(p, CS_SESSION_AGAIN, p->done.data[i]) != CS_SESSION_DONE) return false;
    fprintf(stderr, "the entries before it were run again, without what they print\n");
    return true;
}

/* Each entry keeps a file. */
static void keep(Process *p, int object)
{
    struct rlimit files;
    int own = fcntl(object, F_DUPFD_CLOEXEC, 0);
    if (own < 0 && getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &files) == 0) own = fcntl(object, F_DUPFD_CLOEXEC, 0);
    }
    if (own >= 0) vec_push(&p->done, own);
}

bool process_makes(const Process *p)
{
    return p->makes;
}

ProcessEnd process_run_entry(Process *p, int object, bool timed)
{
    if (!start(p)) return PROCESS_LOST;
    char tell = ask(p, timed ? CS_SESSION_TIME : CS_SESSION_RUN, object);
    if (tell == CS_SESSION_DONE) keep(p, object);
    if (tell) return tell == CS_SESSION_DONE ? PROCESS_DONE : PROCESS_FAILED;
    ProcessEnd why = lost(p);
    return why == PROCESS_LOST && run_again(p) ? PROCESS_RESTORED : why;
}
