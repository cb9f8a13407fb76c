/* The other end of csc --serve (compiler.h). It has a group of its own, so that ^C on a terminal is the
 * program's. It is nobody's child: exec would make it one that a host's wait() waits for. */
#include "compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/mem.h"
#include "../interrupt.h"
#include "../state.h"
#include "generator.h"
#include "native.h"

enum {
    WAIT = 20000,     /* milliseconds for an answer */
    FAILURES = 2,     /* then it is given up */
    STACK = 64 << 10, /* until it has become csc */
    FIRST_OTHER = 3   /* descriptor that is none of the standard streams */
};
static const rlim_t MEMORY = (rlim_t)4 << 30;

struct Compiler {
    int socket, process; /* the latter of pidfd_open's kind; -1: there is none now */
    pid_t owner;
    int failures;
    uint32_t number; /* of the last request */
};

/* ---- starting ---------------------------------------------------------------------------------- */

/* A program that gained rights by its file trusts nothing of the environment. */
static const char *path_of(void)
{
    if (getauxval(AT_SECURE)) return NULL;
    const char *path = getenv("CS_JIT");
    if (!path && rt.program) path = rt.program->compiler;
    return path && *path ? path : NULL;
}

bool compiler_is_there(void)
{
    return path_of() && !(rt.compiler && rt.compiler->failures >= FAILURES);
}

/* It runs with our rights: nobody but root and the user may be able to change it. */
static int open_program(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) return -1;
    bool good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                (st.st_uid == 0 || st.st_uid == geteuid()) && !(st.st_mode & (S_IWGRP | S_IWOTH));
    if (good) return fd;
    close(fd);
    return -1;
}

typedef struct Child {
    int program, socket, nothing, process;
    char *const *environment;
    char *stack; /* two of STACK bytes, their end */
} Child;

/* In memory that is the program's until exec: no more than calls of the system. */
static int become(void *child)
{
    static char name[] = "csc", serve[] = "--serve";
    char *const args[] = {name, serve, NULL};
    const Child *c = child;
    const struct rlimit memory = {MEMORY, MEMORY}, none = {0, 0};
    struct sigaction usual;
    sigset_t mask;
    memset(&usual, 0, sizeof usual);
    usual.sa_handler = SIG_DFL;
    for (int s = 1; s < NSIG; s++) sigaction(s, &usual, NULL);
    sigemptyset(&mask);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    setpgid(0, 0);
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &none);
    if (dup2(c->socket, 0) < 0 || dup2(c->nothing, 1) < 0 || dup2(c->nothing, 2) < 0 ||
        chdir("/") < 0 || syscall(SYS_close_range, FIRST_OTHER, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */))
        _exit(127);
    syscall(SYS_execveat, c->program, "", args, c->environment, AT_EMPTY_PATH);
    _exit(127);
}

/* The one between, which ends at once and without a signal. It shares our descriptors. */
static int begin(void *child)
{
    Child *c = child;
    clone(become, c->stack - STACK, CLONE_VM | CLONE_VFORK | CLONE_PIDFD, c, &c->process);
    _exit(0);
}

/* Its descriptor; -1: it could not be. */
static int start(int program, int socket)
{
    void *stack = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    Child child = {program, socket, nothing, -1, environ, (char *)stack + 2 * STACK};
    if (stack != MAP_FAILED && nothing >= FIRST_OTHER && socket >= FIRST_OTHER) {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        pid_t between = clone(begin, child.stack, CLONE_VM | CLONE_VFORK | CLONE_FILES, &child);
        while (between > 0 && waitpid(between, NULL, __WALL) < 0 && errno == EINTR) {
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (stack != MAP_FAILED) munmap(stack, 2 * STACK);
    if (nothing >= 0) close(nothing);
    return child.process;
}

/* ---- messages ---------------------------------------------------------------------------------- */

static int64_t milliseconds(void)
{
    return (int64_t)(native_clock() / 1000000);
}

static bool transfer(int socket, void *bytes, size_t n, bool out, int64_t until)
{
    for (char *p = bytes; n > 0;) {
        ssize_t done = out ? send(socket, p, n, MSG_NOSIGNAL | MSG_DONTWAIT)
                           : recv(socket, p, n, MSG_DONTWAIT);
        if (done > 0) {
            p += done;
            n -= (size_t)done;
            continue;
        }
        if (done == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) return false;
        if (rt.stops && interrupted()) return false;
        int64_t left = until - milliseconds();
        struct pollfd wait = {.fd = socket, .events = out ? POLLOUT : POLLIN};
        if (left <= 0 || (poll(&wait, 1, (int)left) < 0 && errno != EINTR)) return false;
    }
    return true;
}

/* The answer's body, NULL: it is refused, which *refused says, or there is none. */
static char *ask(struct Compiler *c, ServeKind kind, char *body, size_t bytes, size_t *size,
                 bool *refused)
{
    ServeHead head = {.kind = kind, .number = ++c->number, .bytes = bytes};
    int64_t until = milliseconds() + WAIT;
    *refused = false;
    if (!transfer(c->socket, &head, sizeof head, true, until) ||
        !transfer(c->socket, body, bytes, true, until) ||
        !transfer(c->socket, &head, sizeof head, false, until) || head.number != c->number ||
        head.bytes > SERVE_MOST)
        return NULL;
    *refused = head.kind == SERVE_REFUSED && head.bytes == 0;
    char *answer = head.kind == kind ? mem_object((size_t)head.bytes + 1) : NULL;
    *size = (size_t)head.bytes;
    if (answer && transfer(c->socket, answer, *size, false, until)) return answer;
    mem_object_free(answer);
    return NULL;
}

/* A child has the socket of its parent's, whose answers are not for it. */
static void leave(struct Compiler *c)
{
    bool own = c->owner == getpid();
    if (c->socket >= 0) close(c->socket);
    if (own && c->process >= 0) syscall(SYS_pidfd_send_signal, c->process, SIGKILL, NULL, 0);
    if (c->process >= 0) close(c->process);
    c->socket = c->process = -1;
}

static bool greets(struct Compiler *c)
{
    ServeHello hello = {SERVE_FORMAT, CG_GENERATOR};
    size_t size;
    bool refused;
    char *answer = ask(c, SERVE_HELLO, (char *)&hello, sizeof hello, &size, &refused);
    bool same = answer && size == sizeof hello && memcmp(answer, &hello, size) == 0;
    mem_object_free(answer);
    return same;
}

static struct Compiler *running(void)
{
    const char *path = path_of();
    struct Compiler *c = rt.compiler;
    int pair[2], program;
    if (c && c->socket >= 0 && c->owner == getpid()) return c;
    if (!c && !(c = mem_object(sizeof *c))) return NULL;
    if (rt.compiler && c->socket >= 0) leave(c);
    c->socket = c->process = -1;
    rt.compiler = c;
    if (!path || c->failures >= FAILURES || (program = open_program(path)) < 0) {
        c->failures = FAILURES;
        return NULL;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0) {
        c->owner = getpid();
        c->process = start(program, pair[1]);
        close(pair[1]);
        c->socket = pair[0];
    }
    close(program);
    if (c->socket >= 0 && c->process >= 0 && greets(c)) return c;
    leave(c);
    c->failures = FAILURES; /* it will be the same next time */
    return NULL;
}

char *compiler_make(const ServeCode *asked, const char *wanted, const char *set, const char *graph,
                    size_t *size)
{
    struct Compiler *c = running();
    size_t n[] = {sizeof *asked, asked->nkernels, asked->set_bytes, asked->text_bytes}, all = 0;
    const void *parts[] = {asked, wanted, set, graph};
    bool refused = false;
    for (int i = 0; i < 4; i++) all += n[i];
    char *body = c ? mem_object(all) : NULL, *answer = NULL;
    if (!body) return NULL;
    for (size_t i = 0, at = 0; i < 4; at += n[i++])
        if (n[i]) memcpy(body + at, parts[i], n[i]);
    answer = ask(c, SERVE_CODE, body, all, size, &refused);
    mem_object_free(body);
    if (answer || refused) return answer;
    leave(c);
    if (!rt.stops || !interrupted()) c->failures++;
    return NULL;
}

void compiler_end(void)
{
    if (!rt.compiler) return;
    leave(rt.compiler);
    mem_object_free(rt.compiler);
    rt.compiler = NULL;
}
