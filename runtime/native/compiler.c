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
#include "../../base/system/process.h"
#include "../interrupt.h"
#include "../state.h"
#include "generator.h"
#include "native.h"

enum {
    WAIT = SERVE_SECONDS * 1000, /* milliseconds */
    LOOK = 100,                  /* of them, for interrupts */
    FAILURES = 2,                /* then it is given up */
    STACK = 64 << 10,            /* until it has become csc */
    FIRST_OTHER = 3              /* descriptor that is none of the standard streams */
};
static const rlim_t MEMORY = (rlim_t)4 << 30;

/* A request and its answer, as far as they are through. */
typedef struct Asked {
    ServeHead head;
    char *body;
    size_t sent; /* with the head */
    bool forgotten;
    ServeHead said;
    char *answer;
    size_t received; /* with the head */
    struct Asked *next;
} Asked;

struct Compiler {
    int socket, process; /* the latter of pidfd_open's kind; -1: there is none now */
    pid_t owner;
    int failures;
    bool greeted;    /* it is of our build */
    uint32_t number; /* of the last request */
    Asked *asked;    /* in their order; answered are those in front */
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
    bool good = fstat(fd, &st) == 0 && process_trusts(&st);
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

static void drop(Asked *a)
{
    mem_object_free(a->body);
    mem_object_free(a->answer);
    mem_object_free(a);
}

static bool is_answered(const Asked *a)
{
    return a->received >= sizeof a->said && a->received == sizeof a->said + a->said.bytes;
}

static Asked *find(const struct Compiler *c, uint32_t number)
{
    Asked *a = c->asked;
    while (a && a->head.number != number) a = a->next;
    return a;
}

/* Frees those whose answer is there and for nobody, and then `a`. */
static void take_out(struct Compiler *c, const Asked *a)
{
    for (Asked **p = &c->asked; *p;) {
        Asked *at = *p;
        if (at != a && !(at->forgotten && is_answered(at))) {
            p = &at->next;
            continue;
        }
        *p = at->next;
        drop(at);
    }
}

/* What follows in a head and a body; false: the other end says nothing more. *moved: bytes went. */
static bool transfer(int socket, bool out, ServeHead *head, char *body, size_t *at, bool *moved)
{
    size_t bytes =
        *at < sizeof *head ? sizeof *head - *at : (size_t)head->bytes + sizeof *head - *at;
    char *from = *at < sizeof *head ? (char *)head + *at : body + (*at - sizeof *head);
    ssize_t done = bytes == 0 ? 0
                   : out      ? send(socket, from, bytes, MSG_NOSIGNAL | MSG_DONTWAIT)
                              : recv(socket, from, bytes, MSG_DONTWAIT);
    if (done > 0) *at += (size_t)done, *moved = true;
    return done > 0 || bytes == 0 ||
           (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

static bool send_next(struct Compiler *c, bool *moved, bool *waits)
{
    Asked *a = c->asked;
    while (a && a->sent == sizeof a->head + a->head.bytes) a = a->next;
    *waits = a != NULL;
    return !a || transfer(c->socket, true, &a->head, a->body, &a->sent, moved);
}

/* Room for the body of an answer whose head is there. */
static bool makes_room(Asked *a)
{
    if (a->answer || a->received < sizeof a->said) return true;
    return a->said.number == a->head.number && a->said.bytes <= SERVE_MOST &&
           (a->answer = mem_object((size_t)a->said.bytes + 1));
}

static bool receive_next(struct Compiler *c, bool *moved)
{
    Asked *a = c->asked;
    while (a && is_answered(a)) a = a->next;
    if (!a || a->sent < sizeof a->head) return true;
    return makes_room(a) && transfer(c->socket, false, &a->said, a->answer, &a->received, moved) &&
           makes_room(a);
}

/* The first answer has to greet as we do. */
static bool is_ours(struct Compiler *c)
{
    const Asked *a = c->asked;
    if (c->greeted || !is_answered(a)) return true;
    c->greeted = a->said.kind == SERVE_HELLO && a->said.bytes == sizeof(ServeHello) &&
                 memcmp(a->answer, a->body, sizeof(ServeHello)) == 0;
    if (c->greeted) take_out(c, a);
    return c->greeted;
}

/* Moves what can be moved without waiting; false: the compiler is gone, or says what is none. */
static bool move(struct Compiler *c, bool *waits_out)
{
    for (bool moved = true; moved;) {
        moved = false;
        if (!send_next(c, &moved, waits_out) || !receive_next(c, &moved) || !is_ours(c))
            return false;
    }
    return true;
}

static int64_t milliseconds(void)
{
    return (int64_t)(native_clock() / 1000000);
}

/* Waits until something can be moved, or it is interrupted, for which it looks up at times; false: it takes too
 * long. A clock is asked only where signals come, so that one that jumps changes nothing. */
static bool waits(const struct Compiler *c, bool out)
{
    struct pollfd wait = {.fd = c->socket, .events = (short)(out ? POLLIN | POLLOUT : POLLIN)};
    int left = WAIT;
    for (int64_t until = 0; left > 0;) {
        int slice = rt.stops && left > LOOK ? LOOK : left, n = poll(&wait, 1, slice);
        if (n > 0 || (rt.stops && interrupted())) return true;
        if (n < 0 && errno != EINTR) return false;
        if (n < 0 && until && milliseconds() > until) return false;
        if (n < 0 && !until) until = milliseconds() + left;
        if (n == 0) left -= slice;
    }
    return false;
}

/* A child has the socket of its parent's, whose answers are not for it. What was asked is lost. */
static void leave(struct Compiler *c)
{
    bool own = c->owner == getpid();
    if (c->socket >= 0) close(c->socket);
    if (own && c->process >= 0) syscall(SYS_pidfd_send_signal, c->process, SIGKILL, NULL, 0);
    if (c->process >= 0) close(c->process);
    c->socket = c->process = -1;
    for (Asked *a; (a = c->asked);) {
        c->asked = a->next;
        drop(a);
    }
}

static CompilerSays answer_of(struct Compiler *c, Asked *a, bool wait, char **answer, size_t *size)
{
    bool out = false;
    *answer = NULL;
    for (;;) {
        if (!move(c, &out)) return COMPILER_LOST;
        if (is_answered(a)) break;
        if (!wait || (rt.stops && interrupted())) return COMPILER_MAKES;
        if (!waits(c, out)) return COMPILER_LOST;
    }
    CompilerSays says = a->said.kind == a->head.kind                          ? COMPILER_MADE
                        : a->said.kind == SERVE_REFUSED && a->said.bytes == 0 ? COMPILER_REFUSED
                                                                              : COMPILER_LOST;
    if (says == COMPILER_MADE) {
        *answer = a->answer;
        *size = (size_t)a->said.bytes;
        a->answer = NULL;
    }
    take_out(c, a);
    return says;
}

/* Its number; 0: memory is out. The body is its from now on. */
static uint32_t add(struct Compiler *c, ServeKind kind, char *body, size_t bytes)
{
    Asked *a = body ? mem_object(sizeof *a) : NULL, **last = &c->asked;
    if (!a) {
        mem_object_free(body);
        return 0;
    }
    a->body = body;
    a->head = (ServeHead){.kind = kind, .number = ++c->number, .bytes = bytes};
    while (*last) last = &(*last)->next;
    *last = a;
    return a->head.number;
}

/* What it says first must be of our build; nobody waits for it alone. */
static bool greets(struct Compiler *c)
{
    static const ServeHello hello = {SERVE_FORMAT, CG_GENERATOR};
    char *body = mem_object(sizeof hello);
    if (body) memcpy(body, &hello, sizeof hello);
    c->greeted = false;
    return add(c, SERVE_HELLO, body, sizeof hello) != 0;
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
    c->failures++;
    return NULL;
}

/* ---- requests ---------------------------------------------------------------------------------- */

uint32_t compiler_ask(const ServeCode *asked, const char *wanted, const char *set,
                      const char *graph)
{
    struct Compiler *c = running();
    size_t n[] = {sizeof *asked, asked->nkernels, asked->set_bytes, asked->text_bytes}, all = 0;
    const void *parts[] = {asked, wanted, set, graph};
    for (int i = 0; i < 4; i++) all += n[i];
    char *body = c ? mem_object(all) : NULL;
    if (!body) return 0;
    for (size_t i = 0, at = 0; i < 4; at += n[i++])
        if (n[i]) memcpy(body + at, parts[i], n[i]);
    return add(c, SERVE_CODE, body, all);
}

CompilerSays compiler_answer(uint32_t number, bool wait, char **answer, size_t *size)
{
    struct Compiler *c = rt.compiler;
    Asked *a = c && c->socket >= 0 && c->owner == getpid() ? find(c, number) : NULL;
    CompilerSays says = a ? answer_of(c, a, wait, answer, size) : COMPILER_LOST;
    if (a && says == COMPILER_LOST) {
        leave(c);
        c->failures = c->greeted ? c->failures + 1 : FAILURES; /* it will greet so next time */
    }
    return says;
}

void compiler_forget(uint32_t number)
{
    Asked *a = rt.compiler ? find(rt.compiler, number) : NULL;
    if (a) a->forgotten = true;
    if (a) take_out(rt.compiler, NULL);
}

/* What it makes just now it puts into the cache for the next run, and ends. */
void compiler_end(void)
{
    struct Compiler *c = rt.compiler;
    if (!c) return;
    if (c->asked && c->process >= 0) {
        close(c->process);
        c->process = -1;
    }
    leave(c);
    mem_object_free(rt.compiler);
    rt.compiler = NULL;
}
